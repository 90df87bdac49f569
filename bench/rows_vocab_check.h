/* rows_vocab_check.h - what the results of rows_vocab.h's calls must be; a part of
   it.

   At some places by what the contract says, in long double, and where order or
   number counts as a whole, by other calls of the library: sorted is what has
   nothing smaller behind it and the sum that there was.                    */
static lc sum_of(const ga_array *a) {
    if (!a) return NAN;                 /* of places that are none          */
    ga_complex128 z = ga_item_c128(
        ga_sum_as(a, is_complex(a->dtype) ? GA_COMPLEX128 : GA_FLOAT64, GA_ALL));
    return Z(creal(z), cimag(z));
}
static enum verdict all_of(const state *s, const ga_array *a) {
    lc n = sum_of(a), want = (ld)(a ? a->size : 0);
    return n == want ? RIGHT : off(s, 0, n, want);
}
static bool is_form(const state *s, const char *name) { return !strcmp(s->c->form, name); }
static ga_array *part_of(const ga_array *a, const state *s, int64_t from, int64_t to) {
    return ga_slice_axis(a, AX.axis[0], from, to, 1);
}
/* The line of a along the axis through idx, of a result that may have lost the axis. */
static ga_array *line_through(const ga_array *a, int axis, const int64_t *idx, bool lost) {
    ga_array *v = ga_view(a);
    for (int i = a->ndim - 1; i >= 0; i--)
        if (i != axis) v = ga_index_axis(v, i, idx[i - (lost && i > axis)]);
    return v;
}
static line on_host(const ga_array *v) {
    return line_of(ga_reshape(v, GA_SHAPE(1, -1)), 0, 0, false);
}
static int64_t whole_at(const ga_array *a, int nd, const int64_t *idx) {
    return (int64_t)creall(element(a, nd, idx));
}
/* Places that are to be other ones in each line: their sum; what lies there. */
static ga_array *gathered(const state *s, const ga_array *places, const ga_array *a, bool *good) {
    ld n = (ld)a->shape[AX.axis[0]], want = (ld)a->size * (n - 1) / 2;
    if (creall(sum_of(places)) != want) *good = false;
    return ga_take_along_axis(a, places, AX);
}
static enum verdict ok_order(state *s) {
    int64_t n = X->shape[AX.axis[0]], k = PAR(0);
    bool good = true, split = strstr(s->c->form, "partition") != NULL;
    const ga_array *v = *s->c->form == 'a' ? gathered(s, s->out, X, &good) : s->out;
    lc sum = sum_of(v), want = sum_of(X);
    if (!good || cabsl(sum - want) > 1e-9L * (ld)X->size * (ld)fabs(s->c->in[0].hi))
        return off(s, 0, sum, want);
    if (!split) return all_of(s, ga_less_equal(part_of(v, s, 0, n - 1), part_of(v, s, 1, n)));
    ga_array *mid = part_of(v, s, k, k + 1);
    if (all_of(s, ga_less_equal(part_of(v, s, 0, k), mid)) == WRONG) return WRONG;
    return all_of(s, ga_greater_equal(part_of(v, s, k, n), mid));
}
static enum verdict ok_lexsort(state *s) {
    int64_t n = X->shape[AX.axis[0]];
    bool good = true;
    ga_array *x = gathered(s, s->out, X, &good), *y = gathered(s, s->out, Y, &good);
    ga_array *a = part_of(y, s, 0, n - 1), *b = part_of(y, s, 1, n);
    ga_array *in = ga_less_equal(part_of(x, s, 0, n - 1), part_of(x, s, 1, n));
    return !good ? off(s, 0, 0, 0)
                 : all_of(s, ga_logical_or(ga_less(a, b), ga_logical_and(ga_equal(a, b), in)));
}
static enum verdict ok_topk(state *s) {
    const ga_array *v = s->r[0];
    int64_t k = PAR(0);
    ga_array *more = ga_greater(X, part_of(v, s, k - 1, k));
    if (all_of(s, ga_equal(v, ga_take_along_axis(X, s->r[1], AX))) == WRONG
        || all_of(s, ga_less(ga_count_nonzero(more, AX), k)) == WRONG)
        return WRONG;
    return all_of(s, ga_greater_equal(part_of(v, s, 0, k - 1), part_of(v, s, 1, k)));
}
/* The numbers behind the steps of the sorted order, as many and with their sum. */
static enum verdict ok_unique(state *s) {
    const ga_array *v = s->out;
    ga_array *o = ga_sort(X, AX, 0), *next = part_of(o, s, 1, o->size);
    ga_array *step = ga_mask(next, ga_not_equal(next, part_of(o, s, 0, o->size - 1)));
    lc sum = sum_of(v), want = sum_of(step) + sum_of(part_of(o, s, 0, 1));
    if (v->size != step->size + 1) return off(s, 0, (ld)v->size, (ld)step->size + 1);
    if (cabsl(sum - want) > 1e-9L * (ld)v->size) return off(s, 0, sum, want);
    return all_of(s, ga_greater(part_of(v, s, 1, v->size), part_of(v, s, 0, v->size - 1)));
}
/* The place of the nth that is true, by counting blocks and in one of them. */
static int64_t nth_true(const ga_array *m, int64_t nth) {
    int64_t step = m->size % 4096 ? m->size : 4096, i = 0, j = 0;
    ga_array *blocks = ga_reshape(m, GA_SHAPE(-1, step));
    line in = on_host(ga_sum_as(blocks, GA_FLOAT64, GA_AXIS(1)));
    while (i < in.n - 1 && (ld)nth >= creall(in.v[i])) nth -= (int64_t)creall(in.v[i++]);
    line l = on_host(ga_index_axis(blocks, 0, i));
    while (j < step && (l.v[j] == 0 || nth--)) j++;
    free(in.v);
    free(l.v);
    return i * step + j;
}
/* The numbers, or places, of what a mask says; and how many. */
static enum verdict ok_chosen(state *s) {
    const ga_array *o = s->out ? s->out : s->r[0];
    bool places = s->c->nin == 1;
    const ga_array *m = places ? ga_not_equal(X, 0) : Y;
    int axis = places ? 0 : AX.axis[0];
    lc n = sum_of(m), want;
    if (n != (ld)o->shape[axis]) return off(s, 0, (ld)o->shape[axis], n);
    for (int k = 0; k < PLACES; k++) {
        int64_t idx[GA_MAX_NDIM], at[GA_MAX_NDIM], c = X->shape[X->ndim - 1];
        place(o, k, idx);
        int64_t i = nth_true(m, idx[axis]);
        memcpy(at, idx, sizeof at);
        at[axis] = i;
        if (!places) want = element(X, X->ndim, at);
        else want = (ld)(X->ndim == 1 ? i : s->out && idx[1] ? i % c : i / c);
        lc got = element(o, o->ndim, idx);
        if (got != want) return off(s, k, got, want);
    }
    return RIGHT;
}
/* As many elements before a quantile as there should be. */
static enum verdict ok_quantile(state *s) {
    static const double five[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    bool many = is_form(s, "percentile5");
    for (int k = 0; k < 2; k++) {
        int64_t idx[GA_MAX_NDIM];
        place(s->out, k, idx);
        ga_array *l = line_through(X, AX.axis[0], idx + many, true), *v = ga_view(s->out);
        for (int i = 0; i < s->out->ndim; i++) v = ga_index_axis(v, 0, idx[i]);
        double q = many ? five[idx[0]] : is_form(s, "quantile") ? 0.9 : 0.5;
        ld at = (ld)(l->size - 1) * (ld)q, less = creall(sum_of(ga_less(l, v)));
        if (less > at + 1 || creall(sum_of(ga_less_equal(l, v))) < at)
            return off(s, k, less, at);
    }
    return RIGHT;
}
static enum verdict ok_put(state *s) {  /* what was put is where it should be */
    const ga_array *v = s->x[2];
    for (int k = 0; k < PLACES; k++) {
        int64_t idx[GA_MAX_NDIM], at[GA_MAX_NDIM];
        int ax = AX.axis[0];
        place(v, k, idx);
        memcpy(at, idx, sizeof at);
        at[ax] = Y->ndim == 1 ? whole_at(Y, 1, idx + ax) : whole_at(Y, 2, idx);
        lc got = element(s->out, v->ndim, at), want = element(v, v->ndim, idx);
        if (got != want) return off(s, k, got, want);
    }
    return RIGHT;
}
/* Some places of a result by what `want` says of them. */
static enum verdict at_places(state *s) {
    const vocab *v = s->c->more;
    if (s->c->in[0].kind == '0') {      /* what adds up, once               */
        set_out(s, ga_copy(X));
        v->body(s);
    }
    const ga_array *o = s->out ? s->out : s->r[0];
    for (int k = 0; k < PLACES; k++) {
        GA_SCOPE;
        int64_t idx[GA_MAX_NDIM] = {0};
        ld size = 0;
        place(o, k, idx);
        if (strchr(s->c->form, '2') && o->ndim == 3) idx[1] = 0;
        lc want = v->want(s, idx, &size), got = element(o, o->ndim, idx);
        if (is_int(o->dtype)) want = (ld)wrapped((int64_t)creall(want), o->dtype);
        ld slack = (ld)v->ulps * ulp_of(o->dtype, 1) * fmaxl(size, cabsl(want));
        if (!(cabsl(got - want) <= (is_int(o->dtype) ? 0 : slack))) return off(s, k, got, want);
    }
    return RIGHT;
}
static lc w_search(const state *s, const int64_t *idx, ld *size) {
    ga_array *v = ga_index_axis(X, 0, *idx);
    (void)size;
    if (is_form(s, "isin")) return creall(sum_of(ga_equal(Y, v))) > 0;
    return sum_of(is_form(s, "digitize") ? ga_less_equal(Y, v) : ga_less(Y, v));
}
static lc w_select(const state *s, const int64_t *idx, ld *size) {
    (void)size;
    return element(X, 1, idx) != 0 ? element(s->x[2], 1, idx)
           : element(Y, 1, idx) != 0 ? element(s->x[3], 1, idx) : 0;
}
static lc w_assigned(const state *s, const int64_t *idx, ld *size) {
    lc v = element(X, X->ndim, idx);
    (void)size;
    if (element(Y, Y->ndim, idx) == 0) return v;
    return is_form(s, "mask_assign") ? 1 : is_form(s, "copyto") ? element(s->x[2], X->ndim, idx)
                                                               : 2 * v;
}
static lc w_taken(const state *s, const int64_t *idx, ld *size) {
    int64_t at[2] = {idx[0], idx[1]};
    int ax = AX.axis[0];
    (void)size;
    if (is_form(s, "index")) at[0] = whole_at(Y, 1, idx), at[1] = whole_at(s->x[2], 1, idx);
    else at[ax] = Y->ndim == 1 ? whole_at(Y, 1, idx + ax) : whole_at(Y, 2, idx);
    return element(X, X->ndim, at);
}
static lc w_added(const state *s, const int64_t *idx, ld *size) {
    bool counts = !strncmp(s->c->form, "bincount", 8);
    const ga_array *v = counts ? s->c->nin > 1 ? Y : NULL : s->c->nin == 3 ? s->x[2] : X;
    ga_array *hit = ga_equal(counts ? X : Y, *idx);
    if (!v) return sum_of(hit);
    ga_array *chosen = ga_mask(v->ndim > 1 ? ga_index_axis(v, 1, idx[1]) : v, hit);
    *size = creall(sum_of(ga_absolute(chosen)));
    return sum_of(chosen);
}
static lc w_histogram(const state *s, const int64_t *idx, ld *size) {
    const ga_array *e = s->c->nin > 1 ? Y : ga_histogram_bin_edges(X, GA_BINS(256));
    ga_array *lo = ga_index_axis(e, 0, *idx), *hi = ga_index_axis(e, 0, *idx + 1);
    ga_array *below = *idx == e->size - 2 ? ga_less_equal(X, hi) : ga_less(X, hi);
    (void)size;
    return sum_of(ga_logical_and(ga_greater_equal(X, lo), below));
}
/* Of two rows: the sum of (u - mean) (v - mean)* over their number less one. */
static lc covariance(const ga_array *x, int64_t i, int64_t j) {
    ga_array *u = ga_index_axis(x, 0, i), *v = ga_index_axis(x, 0, j);
    u = ga_sub(u, ga_mean(u, GA_ALL));
    v = ga_conj(ga_sub(v, ga_mean(v, GA_ALL)));
    return sum_of(ga_mul(u, v)) / (ld)(u->size - 1);
}
static lc w_cov(const state *s, const int64_t *idx, ld *size) {
    lc c = covariance(X, idx[0], idx[1]);
    ld a = creall(covariance(X, idx[0], idx[0])), b = creall(covariance(X, idx[1], idx[1]));
    bool scaled = is_form(s, "corrcoef");
    *size = scaled ? 1 : sqrtl(a * b);
    return scaled ? c / sqrtl(a * b) : c;
}
static lc w_average(const state *s, const int64_t *idx, ld *size) {
    ga_array *x = ga_astype(line_through(X, AX.axis[0], idx, true), GA_FLOAT64);
    ga_array *w = Y->ndim < X->ndim ? ga_view(Y) : line_through(Y, AX.axis[0], idx, true);
    *size = 1;
    return sum_of(ga_mul(x, ga_astype(w, GA_FLOAT64))) / sum_of(w);
}
static lc w_interp(const state *s, const int64_t *idx, ld *size) {
    line a = on_host(Y), f = on_host(s->x[2]);
    ld x = creall(element(X, 1, idx));
    int64_t j = 0;
    while (j < a.n - 1 && creall(a.v[j + 1]) <= x) j++;
    lc want = f.v[j];
    if (x > creall(a.v[j]) && j < a.n - 1)
        want += (f.v[j + 1] - f.v[j]) * (x - a.v[j]) / (a.v[j + 1] - a.v[j]);
    *size = 1;
    free(a.v);
    free(f.v);
    return want;
}
static lc w_convolve(const state *s, const int64_t *idx, ld *size) {
    lc sum = 0;
    for (int64_t j = 0; j < Y->size; j++) {
        int64_t i = *idx + (Y->size - 1) / 2 - j;
        lc v = i >= 0 && i < X->size ? element(X, 1, &i) * element(Y, 1, &j) : 0;
        sum += v;
        *size += cabsl(v);
    }
    return sum;
}
/* Where an element comes from. */
static lc w_moved(const state *s, const int64_t *idx, ld *size) {
    const char *name = s->c->form;
    int64_t at[3] = {idx[0], idx[1], idx[2]}, n = X->ndim > 1 ? X->shape[1] : 1;
    int ax = AX.axis[0];
    int64_t *a = &at[ax], l = X->shape[ax < X->ndim ? ax : 0];
    const ga_array *x = X;
    if (!strcmp(name, "concatenate") && *a >= l) x = Y, *a -= l;
    if (!strcmp(name, "stack")) x = *a ? Y : X, at[0] = idx[ax == 0], at[1] = idx[2];
    if (!strcmp(name, "tile")) at[0] %= X->shape[0], at[1] %= n;
    if (!strcmp(name, "repeat")) *a /= 2;
    if (!strcmp(name, "roll")) *a = (*a - PAR(0) + l) % l;
    if (!strcmp(name, "flip")) *a = l - 1 - *a;
    if (!strcmp(name, "rot90")) at[0] = idx[1], at[1] = n - 1 - idx[0];
    if (!strcmp(name, "swap_halves")) *a = (*a + l / 2) % l;
    if (!strcmp(name, "transpose")) for (int i = 0; i < 3; i++) at[PAR(i)] = idx[i];
    if (!strcmp(name, "meshgrid") || !strcmp(name, "broadcast_row")) at[0] = idx[1];
    for (int i = 0; i < 2 && !strncmp(name, "pad", 3); i++) {
        int64_t m = X->shape[i], j = at[i] - 2;
        if ((j < 0 || j >= m) && !name[3]) return 0;
        at[i] = j < 0 ? -j : j < m ? j : 2 * m - 2 - j;
    }
    if (!strcmp(name, "tril") && idx[1] > idx[0]) return 0;
    if (!strcmp(name, "triu") && idx[1] < idx[0]) return 0;
    if (!strcmp(name, "fill_diagonal") && idx[1] == idx[0]) return 1;
    lc v = element(x, x->ndim, at);
    if (strcmp(name, "diff") && strcmp(name, "gradient")) return v;
    bool mid = *name == 'g' && *a > 0 && *a < l - 1, end = *name == 'g' && *a == l - 1;
    int64_t here = *a;
    *a = here + !end;
    lc up = element(x, x->ndim, at);
    *a = here - (mid || end);
    lc down = element(x, x->ndim, at);
    *size = cabsl(up) + cabsl(down);
    return (up - down) / (mid ? 2 : 1);
}
static lc w_soft(const state *s, const int64_t *idx, ld *size) {
    bool whole = is_form(s, "logsumexp");
    line l = on_host(line_through(X, AX.axis[0], idx, whole));
    ld sum = 0;
    for (int64_t i = 0; i < l.n; i++) sum += expl(creall(l.v[i]));
    free(l.v);
    lc x = whole ? 0 : element(X, X->ndim, idx);
    *size = is_form(s, "softmax") ? 0 : 1;
    return whole ? logl(sum) : *size > 0 ? x - logl(sum) : cexpl(x) / sum;
}
static lc w_true(const state *s, const int64_t *idx, ld *size) {
    (void)s, (void)idx, (void)size;
    return 1;
}
static lc w_polyval(const state *s, const int64_t *idx, ld *size) {
    lc v = 0, x = element(X, 1, idx);
    for (int64_t i = 0; i < Y->size; i++) {
        lc c = element(Y, 1, &i);
        v = v * x + c;
        *size = *size * cabsl(x) + cabsl(c);
    }
    return v;
}
static lc w_cdist(const state *s, const int64_t *idx, ld *size) {
    line u = line_of(X, 0, idx[0], false), v = line_of(Y, 0, idx[1], false);
    bool straight = is_form(s, "cdist");
    lc sum = 0;
    for (int64_t k = 0; k < u.n; k++) {
        ld d = cabsl(u.v[k] - v.v[k]);
        sum += straight ? d * d : d;
    }
    free(u.v);
    free(v.v);
    (void)size;
    return straight ? csqrtl(sum) : sum;
}
/* By the sum that the transform is; of two axes where the first frequency is 0. */
static lc w_fft(const state *s, const int64_t *idx, ld *size) {
    const char *name = s->c->form;
    bool two = strchr(name, '2') != NULL, back = *name == 'i', real = !strcmp(name, "irfft");
    ga_dtype t = is_complex(X->dtype) ? GA_COMPLEX128 : GA_FLOAT64;
    ga_array *v = two ? ga_sum_as(ga_index_axis(X, 0, idx[0]), t, GA_AXIS(0))
                      : line_through(X, AX.axis[0], idx, false);
    line l = on_host(v);
    int64_t n = real ? PAR(0) : l.n, k = idx[two ? 2 : AX.axis[0]];
    bool dct = *name == 'd';
    ld a = (dct ? LPI : 2 * LPI) * (ld)k / (ld)n * (back ? 1 : -1);
    lc sum = 0, turn = Z(cosl(a), sinl(a)), w = dct ? Z(cosl(a / 2), sinl(a / 2)) : 1;
    for (int64_t j = 0; j < l.n; j++) {
        bool twice = real && j > 0 && 2 * j != n;
        lc term = l.v[j] * w;
        sum += dct ? 2 * creall(term) : real ? creall(term) * (twice ? 2 : 1) : term;
        *size += cabsl(l.v[j]);
        w *= turn;
    }
    free(l.v);
    *size = two ? *size * (ld)n : back ? *size / (ld)n : *size;
    return back ? sum / (ld)n : sum;
}
