/* statistics.h - the cases of order statistics and moments; a part of bench.c.
   The limit is what must be read once.                                       */
static void setup_lines(state *s) {
    setup_x(s);
    if (s->c->rows > 1) s->x = ga_reshape(s->x, GA_SHAPE(s->rows, s->cols));
    if (s->c->t == GA_FLOAT64) s->x = ga_astype(s->x, GA_FLOAT64);
}
static void setup_same(state *s) {
    s->x = ga_full(GA_SHAPE(s->n), 1.5, GA_FLOAT32);
}
static void setup_normal(state *s) {    /* more than there is of other data */
    s->x = ga_random_normal(0, 1, GA_SHAPE(s->rows, s->cols), GA_FLOAT32);
}
static void run_median(state *s) { set_out(s, ga_median(s->x, axis_of(s))); }
static void run_percentile(state *s) {
    set_out(s, ga_percentile(s->x, 90, axis_of(s), GA_QUANTILE_LINEAR, GA_NONE));
}
static void run_quantiles(state *s) {
    static const double q[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    set_out(s, ga_quantile(s->x, ga_asarray(q, GA_SHAPE(5)), axis_of(s),
                           GA_QUANTILE_LINEAR, GA_NONE));
}
static void run_cov(state *s) {
    set_out(s, ga_cov_as(s->x, GA_NONE, s->c->t, 1, NULL, 0));
}
static void run_zscore(state *s) { set_out(s, ga_zscore(s->x, axis_of(s), 0, 0)); }

/* Up to 50 rows: as many elements before each result as there should be. */
static bool check_orders(state *s) {
    static const double five[] = {0.05, 0.25, 0.5, 0.75, 0.95};
    const bool all = s->c->axis == NONE;
    const int64_t n = all ? s->x->size : s->x->shape[s->c->axis];
    const int64_t rows = s->x->size / n, nq = s->out->size / rows;
    const int64_t step = s->c->axis == 0 ? rows : 1;
    const int64_t apart = s->c->axis == 0 ? 1 : n;
    double *v = ga_asnumpy(ga_astype(s->out, GA_FLOAT64), NULL);
    float *x = ga_asnumpy(ga_astype(s->x, GA_FLOAT32), NULL);
    bool good = v && x;
    for (int64_t r = 0; r < rows && good; r += rows / 50 + 1)
        for (int64_t k = 0; k < nq && good; k++) {
            const double q = nq == 5 ? five[k] : s->c->body == run_percentile
                             ? 0.9 : 0.5, m = v[k * rows + r];
            int64_t less = 0, upto = 0;
            for (int64_t i = 0; i < n; i++) {
                less += x[r * apart + i * step] < m;
                upto += x[r * apart + i * step] <= m;
            }
            const double at = (double)(n - 1) * q;
            if ((double)less > at + 1 || (double)upto < at)
                good = wrong(s, r, m, at);
        }
    free(v);
    free(x);
    return good;
}
/* The first two rows', by the plain sum. */
static bool check_cov(state *s) {
    ga_array *x = ga_astype(ga_slice(s->x, ":2"), GA_FLOAT64);
    x = ga_sub(x, ga_mean(x, GA_AXIS_KEEP(1)));
    const double want[] = {
        ga_item(ga_sum(ga_mul(ga_slice(x, "0"), ga_slice(x, "0")), GA_ALL)),
        ga_item(ga_sum(ga_mul(ga_slice(x, "0"), ga_slice(x, "1")), GA_ALL))};
    for (int i = 0; i < 2; i++) {
        const double w = want[i] / (double)(s->cols - 1);
        const double v = ga_item_at(s->out, GA_INDEX(i, 0));
        if (!(fabs(v - w) < 1e-5)) return wrong(s, i, v, w);
    }
    return true;
}
static bool check_scores(state *s) {
    const double sum = ga_item(ga_mean(ga_mul(s->out, s->out), GA_ALL));
    return fabs(sum - 1) < 1e-4 || wrong(s, 0, sum, 1);
}

#define LINES(nm, w, set, run, chk, r, c, ty, ax, by)                          \
    {.name = nm, .where = w, .setup = set, .body = run, .check = chk,          \
     .limit = READ, .bytes = by, .rows = r, .cols = c, .t = ty, .out = ty,     \
     .axis = ax},
#define STATISTICS(w, n, r, size, rows)                                        \
    LINES("median_f32_" size, w, setup_lines, run_median, check_orders, 1, n,  \
          F, NONE, 4)                                                          \
    LINES("median_same_f32_" size, w, setup_same, run_median, check_orders, 1, \
          n, F, NONE, 4)                                                       \
    LINES("median_f64_" size, w, setup_lines, run_median, check_orders, 1, n,  \
          D, NONE, 8)                                                          \
    LINES("percentile_f32_" size, w, setup_lines, run_percentile,              \
          check_orders, 1, n, F, NONE, 4)                                      \
    LINES("quantiles5_f32_" size, w, setup_lines, run_quantiles, check_orders, \
          1, n, F, NONE, 4)                                                    \
    LINES("median_rows_f32_" rows, w, setup_lines, run_median, check_orders,   \
          r, 1000, F, 1, 4)                                                    \
    LINES("median_columns_f32_" rows, w, setup_lines, run_median,              \
          check_orders, 1000, r, F, 0, 4)                                      \
    LINES("median_long_columns_f32_" rows, w, setup_lines, run_median,         \
          check_orders, r, 1000, F, 0, 4)                                      \
    LINES("zscore_rows_f32_" rows, w, setup_lines, run_zscore, check_scores,   \
          r, 1000, F, 1, 8)
static const bench_case statistics_cases[] = {
    STATISTICS(GPU, M26, 65536, "2^26", "65536x1000")
    STATISTICS(CPU, E7, 10000, "1e7", "10000x1000")
    LINES("cov_f32_1000x1e6", GPU, setup_normal, run_cov, check_cov, 1000,
          1000000, F, NONE, 4)
    LINES("cov_f64_1000x1e6", GPU, setup_normal, run_cov, check_cov, 1000,
          1000000, D, NONE, 4)
    LINES("cov_f64_200x50000", CPU, setup_normal, run_cov, check_cov, 200,
          50000, D, NONE, 4)
};
