/* sorting.h - the cases of sorting, searching and running sums; a part of
   bench.c. The limit is what must be read and written once.                  */
static void setup_rows(state *s) {
    setup_x(s);
    if (s->c->rows > 1) s->x = ga_reshape(s->x, GA_SHAPE(s->rows, s->cols));
}
static void setup_whole(state *s) {     /* int32: 24 bits of x               */
    setup_x(s);
    s->x = ga_astype(ga_mul(ga_sub(s->x, 0.5), (double)(1 << 24) / 1.5),
                     GA_INT32);
}
static void setup_found(state *s) {     /* and a sorted 64th of x           */
    setup_x(s);
    s->y = ga_sort(ga_slice_axis(s->x, 0, 0, s->n / 64, 1), GA_AXIS(0), 0);
}
static void run_sort(state *s) { set_out(s, ga_sort(s->x, GA_AXIS(-1), 0)); }
static void run_argsort(state *s) {
    set_out(s, ga_argsort(s->x, GA_AXIS(-1), 0));
}
static void run_topk(state *s) {
    ga_array *values;
    ga_topk(s->x, 100, GA_AXIS(-1), 0, &values, NULL);
    set_out(s, values);
}
static void run_unique(state *s) {
    set_out(s, ga_unique(s->x, GA_ALL, NULL, NULL, NULL));
}
static void run_searchsorted(state *s) {
    set_out(s, ga_searchsorted(s->y, s->x, GA_NONE, 0));
}
static void run_isin(state *s) { set_out(s, ga_isin(s->x, s->y, 0)); }

/* Each element not before the one in front of it, and as many, with the same
   sum, as there were (argsort: the elements at the places).                  */
static bool check_order(state *s) {
    const int64_t n = s->out->size, row = s->x->shape[s->x->ndim - 1];
    float *x = ga_asnumpy(s->x, NULL);
    int64_t *at = s->out->dtype == I ? ga_asnumpy(s->out, NULL) : NULL;
    float *v = at ? NULL : ga_asnumpy(s->out, NULL);
    double sum = 0, want = 0;
    bool good = x && (at || v) && n == s->x->size;
    float last = 0;
    for (int64_t i = 0; i < n && good; i++) {
        float e = at ? x[i / row * row + at[i]] : v[i];
        if (i % row && e < last) good = wrong(s, i, e, last);
        last = e;
        sum += e;
        want += x[i];
    }
    free(x);
    free(at);
    free(v);
    return good && (fabs(sum - want) < 1e-9 * want || wrong(s, 0, sum, want));
}
static bool check_top(state *s) {       /* the last of them, by counting    */
    const double last = ga_item_at(s->out, GA_INDEX(99));
    int64_t more = 0, same = 0;
    for (int64_t i = 0; i < s->n; i++) {
        more += x_at(i) > last;
        same += x_at(i) == last;
    }
    return (more < 100 && more + same >= 100)
           || wrong(s, 99, last, (double)more);
}
static bool check_unique(state *s) {
    const int64_t n = s->out->size;
    int32_t *v = ga_asnumpy(s->out, NULL);
    int32_t *x = ga_asnumpy(s->x, NULL);
    char *seen = calloc((size_t)1 << 24, 1);
    int64_t count = 0;
    bool good = v && x && seen;
    for (int64_t i = 0; i < s->n && good; i++)
        if (!seen[x[i]]) seen[x[i]] = 1, count++;
    good = good && (n == count || wrong(s, 0, (double)n, (double)count));
    for (int64_t i = 0; i < n && good; i++)
        good = (seen[v[i]] && (!i || v[i] > v[i - 1])) || wrong(s, i, v[i], 0);
    free(v);
    free(x);
    free(seen);
    return good;
}
static bool check_found(state *s) {    /* of the first million             */
    const int64_t m = s->y->size, n = s->n < 1000000 ? s->n : 1000000;
    float *y = ga_asnumpy(s->y, NULL);
    const bool member = s->out->dtype == B;
    char *p = ga_asnumpy(s->out, NULL);
    bool good = y && p;
    for (int64_t i = 0; i < n && good; i++) {
        const float x = (float)x_at(i);
        int64_t lo = 0, hi = m;
        while (lo < hi) {
            int64_t mid = (lo + hi) / 2;
            if (y[mid] < x) lo = mid + 1;
            else hi = mid;
        }
        double want = member ? lo < m && y[lo] == x : (double)lo;
        double got = member ? p[i] : (double)((int64_t *)(void *)p)[i];
        if (got != want) good = wrong(s, i, got, want);
    }
    free(y);
    free(p);
    return good;
}

static void setup_running(state *s) {
    setup_rows(s);
    if (!s->c->dim[1]) s->x = ga_ravel(s->x);
    set_out(s, ga_empty_like(s->x));
}
static void run_running(state *s) {
    ga_cumsum_into(s->out, s->x, GA_AXIS((int)s->c->dim[0]), 0);
}
/* Of the first and the last line along the axis. */
static bool check_running(state *s) {
    const bool flat = s->x->ndim == 1, down = !flat && s->c->dim[0] == 0;
    const int64_t c = s->x->shape[s->x->ndim - 1], r = s->n / c;
    float *p = ga_asnumpy(s->out, NULL);
    bool good = p != NULL;
    for (int k = 0; k < 2; k++) {
        double sum = 0;
        for (int64_t i = 0; i < (down ? r : c) && good; i++) {
            const int64_t at = down ? i * c + k * (c - 1) : k * (r - 1) * c + i;
            sum += x_at(at);
            good = fabs(p[at] - sum) <= 1e-6 * sum || wrong(s, at, p[at], sum);
        }
    }
    free(p);
    return good;
}
#define RUNS(nm, w, r, along, square)                                          \
    {.name = nm, .where = w, .setup = setup_running, .body = run_running,       \
     .check = check_running, .limit = COPY, .bytes = 8, .rows = r, .cols = r,   \
     .t = F, .out = F, .axis = NONE, .dim = {along, square, 0, 0}},
#define SORTED(nm, w, run, lim, by, r, c)                                      \
    {.name = nm, .where = w, .setup = setup_rows, .body = run,                  \
     .check = check_order, .limit = lim, .bytes = by, .rows = r, .cols = c,     \
     .t = F, .out = F, .axis = NONE},
#define ORDERS(w, n, r, size, rows)                                            \
    SORTED("sort_f32_" size, w, run_sort, COPY, 8, 1, n)                        \
    SORTED("argsort_f32_" size, w, run_argsort, COPY, 12, 1, n)                 \
    SORTED("sort_rows_f32_" rows, w, run_sort, COPY, 8, r, 1000)                \
    SORTED("argsort_rows_f32_" rows, w, run_argsort, COPY, 12, r, 1000)         \
    CASE("topk100_f32_" size, w, setup_x, run_topk, check_top, READ, 4, false, n, F, \
         NULL, NULL)                                                           \
    CASE("unique_i32_" size, w, setup_whole, run_unique, check_unique, READ, 4,     \
         true, n, F, NULL, NULL)                                               \
    CASE("searchsorted_f32_" size, w, setup_found, run_searchsorted, check_found,  \
         COPY, 12, false, n, F, NULL, NULL)                                    \
    CASE("isin_f32_" size, w, setup_found, run_isin, check_found, COPY, 5, false,  \
         n, F, NULL, NULL)
#define RUNNING(w, r, side)                                                    \
    RUNS("cumsum_flat_f32_" side, w, r, 0, 0)                                   \
    RUNS("cumsum_columns_f32_" side, w, r, 0, 1)                                \
    RUNS("cumsum_rows_f32_" side, w, r, 1, 1)
static const bench_case sort_cases[] = {
    ORDERS(GPU, M26, 65536, "2^26", "65536x1000")
    RUNNING(GPU, K16, "16k")
    ORDERS(CPU, E7, 10000, "1e7", "10000x1000")
    RUNNING(CPU, 3000, "3k")
};
