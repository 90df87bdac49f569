/* rows_linalg.h - products (a row of GA_PRODUCTS by its rule of shapes),
   solving, decompositions over sizes and batches; a part of rows.c.

   Checked at two places in long double: products against the sum, solutions and
   factors by what they must give back, in n eps of the terms' sizes.       */

/* The numbers of a row (or column) of matrix g of a batch; malloc'ed. */
typedef struct line { int64_t n; lc *v; } line;
static line line_of(const ga_array *a, int64_t g, int64_t i, bool column) {
    GA_SCOPE;
    int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    ga_array *v = a->ndim == 2 ? ga_view(a)
                               : ga_index_axis(ga_reshape(a, GA_SHAPE(-1, m, n)), 0, g);
    v = ga_index_axis(v, column, i);
    void *p = ga_asnumpy(v, NULL);
    line l = {v ? v->size : 0, malloc((size_t)(v ? v->size : 1) * sizeof(lc))};
    if (!l.v) exit(1);
    for (int64_t k = 0; k < l.n && p; k++) l.v[k] = host_value(p, v->dtype, k);
    free(p);
    return l;
}
/* sum of u_k v_k against want, within some n eps of the terms; frees both. */
static bool adds_up(const state *s, line u, line v, lc want, ga_dtype t) {
    lc sum = 0;
    ld size = cabsl(want), n = (ld)u.n;
    for (int64_t k = 0; k < u.n && k < v.n; k++) {
        sum += u.v[k] * v.v[k];
        size += cabsl(u.v[k]) * cabsl(v.v[k]);
    }
    free(u.v);
    free(v.v);
    if (is_int(t)) sum = (ld)wrapped((int64_t)creall(sum), t);
    ld eps = is_int(t) ? 0 : ulp_of(t, 1), inside = digits(t) < 24 ? 0x1p-22L : eps;
    if (cabsl(sum - want) <= size * (eps + inside * (30 + n))) return true;
    off(s, 0, want, sum);
    return false;
}
static lc entry(const ga_array *a, int64_t g, int64_t i, int64_t j) {
    line l = line_of(a, g, i, false);
    lc v = l.v[j];
    free(l.v);
    return v;
}
static int64_t batches(const ga_array *a) {
    int64_t b = 1;
    for (int i = 0; i < a->ndim - 2; i++) b *= a->shape[i];
    return b;
}

/* ---------------------------------------------------------------- products */
typedef struct product {
    const char *name, *shapes;
    ga_array *(*f)(const ga_array *, const ga_array *);
    ga_status (*into)(ga_array *, const ga_array *, const ga_array *);
} product;
static const product products[] = {
#define X(n, shapes) {#n, shapes, (ga_##n), (ga_##n##_into)},
    GA_PRODUCTS(X)
#undef X
};
static void run_product(state *s) {
    const product *p = s->c->more;
    if (!s->out) set_out(s, p->f(s->x[0], s->x[1]));
    else p->into(s->out, s->x[0], s->x[1]);
}
static line flat_of(const ga_array *a, int64_t i, int64_t n, bool conjugate) {
    GA_SCOPE;
    ga_array *v = ga_slice_axis(ga_reshape(a, GA_SHAPE(-1)), 0, i, i + n, 1);
    line l = line_of(ga_reshape(v, GA_SHAPE(1, -1)), 0, 0, false);
    for (int64_t k = 0; conjugate && k < l.n; k++) l.v[k] = conjl(l.v[k]);
    return l;
}
static enum verdict check_product(state *s) {
    const char *name = ((const product *)s->c->more)->name;
    const ga_array *x = s->x[0], *y = s->x[1];
    for (int k = 0; k < 2; k++) {
        GA_SCOPE;
        int64_t idx[GA_MAX_NDIM] = {0}, flat = 0;
        place(s->out, k, idx);
        for (int i = 0; i < s->out->ndim; i++) flat = flat * s->out->shape[i] + idx[i];
        lc got = element(s->out, s->out->ndim, idx);
        line u, v;
        int64_t last = x->shape[x->ndim - 1];
        if (!strcmp(name, "matmul") || !strcmp(name, "dot")) {
            int64_t m = s->out->shape[s->out->ndim - 2], n = s->out->shape[s->out->ndim - 1];
            u = line_of(x, flat / (m * n), flat / n % m, false);
            v = line_of(y, flat / (m * n), flat % n, true);
        } else if (!strcmp(name, "inner")) {
            u = line_of(x, 0, idx[0], false);
            v = line_of(y, 0, idx[1], false);
        } else if (!strcmp(name, "matvec")) {
            int64_t m = x->shape[x->ndim - 2];
            u = line_of(x, flat / m, flat % m, false);
            v = flat_of(y, flat / m * last, last, false);
        } else if (!strcmp(name, "vecdot") || !strcmp(name, "vdot")) {
            u = flat_of(x, flat * last, last, true);
            v = flat_of(y, flat * last, last, false);
        } else if (!strcmp(name, "outer") || !strcmp(name, "kron")) {
            u = flat_of(x, flat / y->size, 1, false);
            v = flat_of(y, flat % y->size, 1, false);
        } else {
            return UNCHECKED;
        }
        if (!adds_up(s, u, v, got, s->out->dtype)) return WRONG;
    }
    return RIGHT;
}
/* Up to the memory and the arithmetic that a case may take. */
static bool fits(double elements, double flops, ga_dtype t) {
    double bytes = elements * (double)ga_dtype_size(t);
    return bytes <= (opt.small ? 1e6 : gpu ? 270e6 : 16e6)
           && flops <= (opt.small ? 4e6 : gpu ? is_int(t) || t == GA_BOOL ? 2e10 : 3e11 : 4e8);
}
static void product_case(const product *p, ga_dtype t, const char *text, ga_shape x, ga_shape y,
                         const char *vx, const char *vy, double flops, bool memory) {
    rcase c = {.t = t, .nin = 2, .body = run_product, .check = check_product,
               .limit = memory ? COPY : NO_LIMIT, .form = p->name, .more = p};
    double size = fmax((double)volume(x), (double)volume(y));
    if (!fits(size, flops, t)) return;
    c.in[0] = operand_of(t, x, vx, is_int(t) ? 0 : -1, is_int(t) ? 9 : 1, 'u');
    c.in[1] = operand_of(t, y, vy, is_int(t) ? 0 : -1, is_int(t) ? 9 : 1, 'u');
    snprintf(c.name, sizeof c.name, "prod/%s/%s/%s", p->name, short_name(t), text);
    run(&c);
}
/* Size and batch of matrices. */
static const struct size { int64_t n, b; } sizes[] = {
    {8, 1}, {32, 1}, {64, 1}, {128, 1}, {256, 1}, {512, 1}, {1024, 1}, {2048, 1}, {4096, 1},
    {8, 100}, {32, 100}, {64, 100}, {128, 100}, {256, 100}, {512, 100},
    {8, 10000}, {16, 10000}, {32, 10000}, {64, 10000}, {8, 100000}, {16, 100000}, {32, 100000},
};
static void products_of(const product *p, ga_dtype t) {
    bool matrices = strstr(p->shapes, "k,n)") != NULL;
    bool batch = !strncmp(p->shapes, "(...,m", 6), vector = !matrices && batch;
    bool pairs = !matrices && !strncmp(p->shapes, "(...,k) (...,k)", 15);
    for (size_t i = 0; i < ROWS(sizes); i++) {
        int64_t n = sizes[i].n, b = sizes[i].b;
        double nn = (double)n, flops = 2 * (double)b * nn * nn * (matrices ? nn : 1);
        char text[32];
        if (b > 1 && !batch) continue;
        snprintf(text, sizeof text, "n%" PRId64 "b%" PRId64, n, b);
        ga_shape x = b > 1 ? GA_SHAPE(b, n, n) : GA_SHAPE(n, n);
        if (matrices) product_case(p, t, text, x, x, "", "", flops, n <= 32);
        else if (vector)
            product_case(p, t, text, x, b > 1 ? GA_SHAPE(b, n) : GA_SHAPE(n), "", "", flops, true);
        else if (pairs)
            product_case(p, t, text, x, x, "", "", flops * nn, strcmp(p->name, "inner") != 0);
        else if (!strncmp(p->shapes, "any, same", 9))
            product_case(p, t, text, GA_SHAPE(n * n), GA_SHAPE(n * n), "", "", flops, true);
        else if (n >= 64)
            product_case(p, t, text, GA_SHAPE(n), GA_SHAPE(n), "", "", flops, true);
    }
    if (strcmp(p->name, "matmul")) return;
    int64_t n = gpu ? 1024 : 256, l = n * 64;
    double f = 2 * (double)n * (double)n * (double)n, g = 2 * 4096 * (double)l;
    product_case(p, t, "tn", GA_SHAPE(n, n), GA_SHAPE(n, n), "T", "", f, false);
    product_case(p, t, "nt", GA_SHAPE(n, n), GA_SHAPE(n, n), "", "T", f, false);
    product_case(p, t, "odd", GA_SHAPE(n, n), GA_SHAPE(n, n), ":-1, :-1", ":-1, :-1", f, false);
    product_case(p, t, "tall", GA_SHAPE(l, 64), GA_SHAPE(64, 64), "", "", g, false);
    product_case(p, t, "deep", GA_SHAPE(64, l), GA_SHAPE(l, 64), "", "", g, false);
    product_case(p, t, "thin", GA_SHAPE(l, 16), GA_SHAPE(16, 16), "", "", 512 * (double)l, true);
}
static void product_cases(void) {
    static const ga_dtype t[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16, GA_BFLOAT16, GA_COMPLEX64,
                                 GA_COMPLEX128, GA_INT8, GA_INT32, GA_INT64};
    for (size_t i = 0; i < ROWS(products); i++)
        for (size_t k = 0; k < ROWS(t); k++) products_of(&products[i], t[k]);
}

/* ------------------------------------------------- solving, decompositions */
#define RESULT1(call) set_results(s, call, NULL, NULL, NULL)
static void la_cholesky(state *s) { RESULT1(ga_cholesky(s->x[0])); }
static void la_inv(state *s) { RESULT1(ga_inv(s->x[0])); }
static void la_pinv(state *s) { RESULT1(ga_pinv(s->x[0], -1)); }
static void la_det(state *s) { RESULT1(ga_det(s->x[0])); }
static void la_svdvals(state *s) { RESULT1(ga_svdvals(s->x[0])); }
static void la_eigvalsh(state *s) { RESULT1(ga_eigvalsh(s->x[0])); }
static void la_eigvals(state *s) { RESULT1(ga_eigvals(s->x[0])); }
static void la_matrix_rank(state *s) { RESULT1(ga_matrix_rank(s->x[0], -1)); }
static void la_norm(state *s) { RESULT1(ga_norm(s->x[0], GA_FRO, GA_AXIS(-2, -1))); }
static void la_trace(state *s) { RESULT1(ga_trace(s->x[0], 0, -2, -1)); }
static void la_expm(state *s) { RESULT1(ga_expm(s->x[0])); }
static void la_matrix_power(state *s) { RESULT1(ga_matrix_power(s->x[0], 3)); }
static void la_solve(state *s) { RESULT1(ga_solve(s->x[0], s->x[1])); }
static void la_solve_triangular(state *s) {
    RESULT1(ga_solve_triangular(s->x[0], s->x[1], GA_LOWER));
}
static void la_cho_solve(state *s) { RESULT1(ga_cho_solve(s->x[0], s->x[1])); }
#define RESULTS(call) \
    ga_array *a = NULL, *b = NULL, *c = NULL; \
    call; \
    set_results(s, a, b, c, NULL)
static void la_lu_factor(state *s) { RESULTS(ga_lu_factor(s->x[0], &a, &b)); }
static void la_lu(state *s) { RESULTS(ga_lu(s->x[0], &a, &b, &c)); }
static void la_qr(state *s) { RESULTS(ga_qr(s->x[0], false, &a, &b)); }
static void la_svd(state *s) { RESULTS(ga_svd(s->x[0], false, &a, &b, &c)); }
static void la_eigh(state *s) { RESULTS(ga_eigh(s->x[0], &a, &b)); }
static void la_eig(state *s) { RESULTS(ga_eig(s->x[0], &a, &b)); }
static void la_slogdet(state *s) { RESULTS(ga_slogdet(s->x[0], &a, &b)); }
static void la_lstsq(state *s) {
    ga_array *x = NULL;
    ga_lstsq(s->x[0], s->x[1], -1, &x, NULL, NULL, NULL);
    RESULT1(x);
}

static enum verdict verdict_of(bool good) { return good ? RIGHT : WRONG; }
static int64_t last_of(const ga_array *a) { return batches(a) - 1; }
/* Elements of l r against those of w. */
static enum verdict gives(const state *s, const ga_array *l, const ga_array *r,
                          const ga_array *w) {
    int64_t g = last_of(w), i = w->shape[w->ndim - 2] - 1, j = w->shape[w->ndim - 1] - 1;
    ga_dtype t = s->c->t;
    return verdict_of(adds_up(s, line_of(l, g, i, false), line_of(r, g, j, true),
                              entry(w, g, i, j), t)
                      && adds_up(s, line_of(l, 0, i, false), line_of(r, 0, 0, true),
                                 entry(w, 0, i, 0), t));
}
static enum verdict ok_solution(state *s) { return gives(s, s->x[0], s->r[0], s->x[1]); }
static enum verdict ok_qr(state *s) { return gives(s, s->r[0], s->r[1], s->x[0]); }
static enum verdict ok_cholesky(state *s) {
    return gives(s, s->r[0], hermitian(s->r[0]), s->x[0]);
}
static enum verdict ok_cho_solve(state *s) {
    return gives(s, ga_matmul(s->x[0], hermitian(s->x[0])), s->r[0], s->x[1]);
}
static enum verdict ok_inverse(state *s) {
    const ga_array *a = s->x[0];
    int64_t n = a->shape[a->ndim - 1], g = last_of(a);
    return verdict_of(adds_up(s, line_of(a, g, n - 1, false), line_of(s->r[0], g, n - 1, true),
                              1, s->c->t)
                      && adds_up(s, line_of(a, g, n - 1, false),
                                 line_of(s->r[0], g, 0, true), 0, s->c->t));
}
static enum verdict ok_lu(state *s) {       /* row i of x is row p of l u   */
    const ga_array *a = s->x[0];
    int64_t g = last_of(a), i = a->shape[a->ndim - 2] - 1, p = 0;
    line row = line_of(s->r[0], g, i, false);
    while (p < row.n - 1 && row.v[p] == 0) p++;
    free(row.v);
    return verdict_of(adds_up(s, line_of(s->r[1], g, p, false), line_of(s->r[2], g, 0, true),
                              entry(a, g, i, 0), s->c->t));
}
static enum verdict ok_svd(state *s) {
    const ga_array *a = s->x[0];
    int64_t g = last_of(a), i = a->shape[a->ndim - 2] - 1;
    line u = line_of(s->r[0], g, i, false), w = flat_of(s->r[1], g * u.n, u.n, false);
    for (int64_t k = 0; k < u.n; k++) u.v[k] *= w.v[k];
    free(w.v);
    return verdict_of(adds_up(s, u, line_of(s->r[2], g, 0, true), entry(a, g, i, 0), s->c->t));
}
static enum verdict ok_eigen(state *s) {    /* of the last pair             */
    const ga_array *a = s->x[0];
    int64_t g = last_of(a), n = a->shape[a->ndim - 1], i = n - 1;
    line v = line_of(s->r[1], g, i, true), w = flat_of(s->r[0], g * n + i, 1, false);
    lc want = w.v[0] * v.v[i];
    free(w.v);
    /* the vector is of length 1: an error of |A| eps is what there may be   */
    line row = line_of(a, g, i, false);
    lc sum = 0;
    ld size = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += row.v[k] * v.v[k];
        size += cabsl(row.v[k]);
    }
    free(row.v);
    free(v.v);
    return cabsl(sum - want) <= size * (30 + (ld)n) * ulp_of(s->c->t, 1) ? RIGHT
                                                                        : off(s, i, sum, want);
}
/* Sums over a matrix of what lines give: its trace, or its squares. */
static enum verdict ok_values(state *s) {
    const ga_array *a = s->x[0];
    int64_t g = last_of(a), n = a->shape[a->ndim - 1];
    bool squares = !strncmp(s->c->form, "svd", 3) || !strcmp(s->c->form, "norm");
    if (n > 1024) return UNCHECKED;
    int64_t m = s->r[0]->size / batches(a);
    line w = flat_of(s->r[0], g * m, m, false);
    lc sum = 0, want = 0;
    ld size = 0;
    for (int64_t i = 0; i < n; i++) {
        line row = line_of(a, g, i, false);
        for (int64_t k = 0; k < n; k++) {
            ld v = cabsl(row.v[k]);
            size += squares ? v * v : v;
            if (squares) want += v * v;
        }
        if (!squares) want += row.v[i];
        free(row.v);
    }
    for (int64_t k = 0; k < w.n; k++) sum += squares ? w.v[k] * w.v[k] : w.v[k];
    free(w.v);
    return cabsl(sum - want) <= size * (30 + (ld)n) * ulp_of(s->c->t, 1) ? RIGHT
                                                                        : off(s, 0, sum, want);
}
/* det and slogdet of small matrices, by elimination here. */
static enum verdict ok_det(state *s) {
    const ga_array *a = s->x[0];
    int64_t g = last_of(a), n = a->shape[a->ndim - 1];
    if (n > 64) return UNCHECKED;
    lc m[64][64], det = 1;
    for (int64_t i = 0; i < n; i++) {
        line row = line_of(a, g, i, false);
        memcpy(m[i], row.v, (size_t)n * sizeof(lc));
        free(row.v);
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t p = k;
        for (int64_t i = k + 1; i < n; i++) if (cabsl(m[i][k]) > cabsl(m[p][k])) p = i;
        for (int64_t j = 0; j < n && p != k; j++) {
            lc v = m[k][j];
            m[k][j] = m[p][j], m[p][j] = v;
        }
        det *= p == k ? m[k][k] : -m[k][k];
        for (int64_t i = k + 1; i < n; i++) {
            lc f = m[i][k] / m[k][k];
            for (int64_t j = k; j < n; j++) m[i][j] -= f * m[k][j];
        }
    }
    lc got = flat_of(s->r[0], g, 1, false).v[0];
    if (s->r[1]) got *= expl(creall(flat_of(s->r[1], g, 1, false).v[0]));
    return cabsl(got - det) <= cabsl(det) * 1e4L * (ld)n * ulp_of(s->c->t, 1) ? RIGHT
                                                                            : off(s, 0, got, det);
}
/* The smallest of 2048 singular values may be below the default tolerance. */
static enum verdict ok_rank(state *s) {
    ld got = creall(flat_of(s->r[0], 0, 1, false).v[0]);
    int64_t n = s->x[0]->shape[s->x[0]->ndim - 1];
    return got <= (ld)n && got >= (ld)(n - n / 256) ? RIGHT : off(s, 0, got, (ld)n);
}

/* What it is called, of which matrices ('t': twice as many rows as columns),
   right-hand sides, the call, its check, operations n**3 times, largest n b on
   a GPU where n is above 32: beyond, one matrix follows the other.         */
static const struct method {
    const char *name;
    char kind;
    int rhs;
    void (*body)(state *);
    enum verdict (*check)(state *);
    double work, most;
} methods[] = {
    {"cholesky", 'p', 0, la_cholesky, ok_cholesky, 0.3, 1e9},
    {"qr", 'u', 0, la_qr, ok_qr, 3, 1e5},
    {"lu", 'u', 0, la_lu, ok_lu, 1, 1e6},
    {"lu_factor", 'u', 0, la_lu_factor, NULL, 0.7, 1e9},
    {"solve", 'u', 1, la_solve, ok_solution, 0.7, 1e9},
    {"solve16", 'u', 16, la_solve, ok_solution, 0.7, 1e9},
    {"solve_triangular", 'l', 16, la_solve_triangular, ok_solution, 0.1, 1e9},
    {"cho_solve", 'l', 16, la_cho_solve, ok_cho_solve, 0.2, 1e9},
    {"inv", 'u', 0, la_inv, ok_inverse, 2, 1e9},
    {"det", 'u', 0, la_det, ok_det, 0.7, 1e9},
    {"slogdet", 'u', 0, la_slogdet, ok_det, 0.7, 1e9},
    {"lstsq", 't', 1, la_lstsq, NULL, 4, 2e4},
    {"svd", 'u', 0, la_svd, ok_svd, 20, 2e4},
    {"svdvals", 'u', 0, la_svdvals, ok_values, 8, 2e4},
    {"pinv", 'u', 0, la_pinv, ok_inverse, 25, 2e4},
    {"matrix_rank", 'u', 0, la_matrix_rank, ok_rank, 8, 2e4},
    {"eigh", 'h', 0, la_eigh, ok_eigen, 10, 2e4},
    {"eigvalsh", 'h', 0, la_eigvalsh, ok_values, 5, 2e4},
    {"eig", 'u', 0, la_eig, ok_eigen, 40, 6400},
    {"eigvals", 'u', 0, la_eigvals, ok_values, 20, 6400},
    {"expm", 'u', 0, la_expm, NULL, 30, 1e9},
    {"matrix_power", 'u', 0, la_matrix_power, NULL, 4, 1e9},
    {"norm", 'u', 0, la_norm, ok_values, 0, 1e9},
    {"trace", 'u', 0, la_trace, ok_values, 0, 1e9},
};
static void method_case(const struct method *m, ga_dtype t, int64_t n, int64_t b) {
    double nn = (double)n, work = m->work * nn * nn * nn * (double)b * (is_complex(t) ? 4 : 1);
    bool slow = m->most < 1e5 && n > 32, plain = m->work == 0;
    rcase c = {.t = t, .nin = 1 + (m->rhs > 0), .body = m->body, .check = m->check,
               .limit = plain ? READ : NO_LIMIT, .form = m->name, .matrices = true};
    if (!fits(nn * nn * (double)b, work, t) || (n > 32 && (double)(n * b) > m->most)) return;
    if (slow && !gpu && work > 1e8) return;
    int64_t rows = m->kind == 't' ? 2 * n : n;
    char kind = m->kind == 't' ? 'u' : m->kind;
    c.in[0] = operand_of(t, b > 1 ? GA_SHAPE(b, rows, n) : GA_SHAPE(rows, n), "", -1, 1, kind);
    c.in[1] = operand_of(t, b > 1 ? GA_SHAPE(b, rows, m->rhs) : GA_SHAPE(rows, m->rhs), "", -1,
                        1, 'u');
    if (!strcmp(m->name, "expm")) c.in[0].lo = -1 / sqrt(nn), c.in[0].hi = 1 / sqrt(nn);
    snprintf(c.name, sizeof c.name, "la/%s/%s/n%" PRId64 "b%" PRId64, m->name, short_name(t), n,
             b);
    run(&c);
}
static void linalg_cases(void) {
    static const ga_dtype t[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    for (size_t i = 0; i < ROWS(methods); i++)
        for (size_t k = 0; k < ROWS(t); k++)
            for (size_t j = 0; j < ROWS(sizes); j++)
                if (!is_complex(t[k]) || sizes[j].n == 8 || sizes[j].n == 32
                    || sizes[j].n == 128 || sizes[j].n == 512 || sizes[j].n == 2048)
                    method_case(&methods[i], t[k], sizes[j].n, sizes[j].b);
}
