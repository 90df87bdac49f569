/* matrices.h - polynomials, windows, structured matrices, distances and matrix
   functions; a part of bench.c. rows and cols: of x. Distances are held against
   the rate at which their result could be written.                           */
static void setup_pairs(state *s) {
    const ga_shape sh = GA_SHAPE(s->rows, s->cols);
    s->x = shaped(base_x, s->n, sh, s->c->t);
    s->y = shaped(base_y, s->n, sh, s->c->t);
}
static void setup_values(state *s) {
    setup_x(s);
    s->y = ga_astype(ga_arange(1, 9, 1), s->c->t);
}
static void setup_even(state *s) {      /* no matrix near a singular one    */
    setup_pairs(s);
    s->x = ga_add(s->x, ga_mul(ga_identity(s->rows, s->c->t), (double)s->rows));
}
static void run_cdist(state *s) {
    set_out(s, ga_cdist(s->x, s->y, (ga_metric)s->c->value));
}
static void run_pdist(state *s) { set_out(s, ga_pdist(s->x, GA_EUCLIDEAN)); }
static void run_polyval(state *s) { set_out(s, ga_polyval(s->y, s->x)); }
static void run_kaiser(state *s) { set_out(s, ga_kaiser(s->n, 14)); }
static void run_toeplitz(state *s) { set_out(s, ga_toeplitz(s->x, GA_NONE)); }
static void run_sqrtm(state *s) { set_out(s, ga_sqrtm(s->x)); }
static void run_logm(state *s) { set_out(s, ga_logm(s->x)); }

static bool check_polyval(state *s) {
    for (int64_t i = 0; i < s->n; i += s->n / 1000 + 1) {
        const double x = x_at(i), got = ga_item_at(s->out, GA_INDEX(i));
        double want = 0;
        for (int k = 1; k < 9; k++) want = want * x + k;
        if (!near(got / want, 1, s->c->t)) return wrong(s, i, got, want);
    }
    return true;
}
static bool check_distance(state *s) {  /* some hundred pairs               */
    const int64_t m = s->rows, k = s->cols;
    for (int64_t c = 0; c < 300; c++) {
        const int64_t i = c * 7919 % m, j = (i + 1 + c * 104729) % m;
        if (s->out->ndim == 1 && j <= i) continue;
        double want = 0;
        for (int64_t p = 0; p < k; p++) {
            const double d = x_at(i * k + p) - (s->out->ndim == 1 ? x_at(j * k + p)
                                                        : y_at(j * k + p));
            want += s->c->value == GA_CITYBLOCK ? fabs(d) : d * d;
        }
        if (s->c->value == GA_EUCLIDEAN) want = sqrt(want);
        const int64_t at = s->out->ndim == 1
                               ? i * m - i * (i + 1) / 2 + j - i - 1 : i * m + j;
        const double got = ga_item_at(ga_reshape(s->out, GA_SHAPE(-1)),
                                      GA_INDEX(at));
        if (!(fabs(got - want) <= 8 * (double)(k + 2) * 0x1p-23 * want))
            return wrong(s, at, got, want);
    }
    return true;
}
static bool check_kaiser(state *s) {    /* symmetric, 1 in the middle       */
    const int64_t n = s->n;
    const double mid = ga_item_at(s->out, GA_INDEX(n / 2));
    for (int64_t i = 0; i < n / 2; i += n / 100 + 1) {
        const double a = ga_item_at(s->out, GA_INDEX(i));
        const double b = ga_item_at(s->out, GA_INDEX(n - 1 - i));
        if (!(fabs(a - b) <= 1e-12)) return wrong(s, i, a, b);
    }
    return near(mid, 1, F) || wrong(s, n / 2, mid, 1);
}
static bool check_toeplitz(state *s) {
    for (int64_t c = 0; c < 300; c++) {
        const int64_t i = c * 7919 % s->n, j = c * 104729 % s->n;
        const double want = x_at(i > j ? i - j : j - i);
        const double got = ga_item_at(s->out, GA_INDEX(i, j));
        if (got != want) return wrong(s, i * s->n + j, got, want);
    }
    return true;
}
static bool check_function(state *s) {  /* squared, or raised, it is x      */
    ga_array *back = s->c->body == run_logm ? ga_expm(s->out)
                                            : ga_matmul(s->out, s->out);
    const double off = ga_item(ga_norm(ga_sub(back, s->x), GA_FRO, GA_ALL));
    return off <= 1e-10 * (double)s->rows * (double)s->rows || wrong(s, 0, off, 0);
}

#define PAIRS(nm, w, run, m, r, c)                                             \
    {.name = nm, .where = w, .setup = setup_pairs, .body = run,                \
     .check = check_distance, .limit = FILL, .rows = r, .cols = c,              \
     .bytes = (run == run_pdist ? 2.0 : 4.0) * (r) / (c), .t = F, .out = F,     \
     .axis = NONE, .value = m},
#define SQUARE(nm, w, run, r)                                                  \
    {.name = nm, .where = w, .setup = setup_even, .body = run,                  \
     .check = check_function, .limit = NO_LIMIT, .rows = r, .cols = r,          \
     .t = GA_FLOAT64, .out = GA_FLOAT64, .axis = NONE},
#define MATRICES(w, r, size, n, count, m, points, t, square)                   \
    PAIRS("cdist_f32_" size, w, run_cdist, GA_EUCLIDEAN, r, 128)                \
    PAIRS("cdist_cityblock_f32_" size, w, run_cdist, GA_CITYBLOCK, r, 128)      \
    PAIRS("pdist_f32_" size, w, run_pdist, GA_EUCLIDEAN, r, 128)                \
    PAIRS("cdist_f32_1000x1024", w, run_cdist, GA_EUCLIDEAN, 1000, 1024)        \
    CASE("polyval8_f32_" count, w, setup_values, run_polyval, check_polyval,    \
         COPY, 8, false, n, F, NULL, NULL)                                      \
    CASE("kaiser_f64_" points, w, setup_nothing, run_kaiser, check_kaiser, FILL, \
         8, false, m, F, NULL, NULL)                                            \
    CASE("toeplitz_f32_" square, w, setup_x, run_toeplitz, check_toeplitz, FILL, \
         4 * (double)(t), false, t, F, NULL, NULL)
static const bench_case matrix_cases[] = {
    MATRICES(GPU, 4096, "4096x128", M28, "2^28", E7, "1e7", 8192, "8192")
    MATRICES(CPU, 1000, "1000x128", E7, "1e7", 1000000, "1e6", 2000, "2000")
    SQUARE("sqrtm_f64_200", GPU | CPU, run_sqrtm, 200)
    SQUARE("logm_f64_200", GPU | CPU, run_logm, 200)
};
