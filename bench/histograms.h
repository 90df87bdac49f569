/* histograms.h - the cases of histograms and what looks up places; a part of
   bench.c. x is in [0.5, 2). The limit is what must be read and written once. */
enum { BINS = 256, MANY = 100000 };
static void setup_constant(state *s) {
    setup_x(s);
    s->x = ga_full(GA_SHAPE(s->n), 0.75, s->c->t);
}
static void setup_edges(state *s) {     /* squares of equal steps           */
    setup_x(s);
    ga_array *e = ga_sqrt(ga_linspace(0.25, 4, BINS + 1));
    s->y = ga_astype(e, s->c->t);
}
static void setup_bytes(state *s) {
    setup_x(s);
    s->x = ga_astype(ga_mul(ga_sub(s->x, 0.5), 256 / 1.5), GA_UINT8);
}
static void setup_counted(state *s) {
    setup_x(s);
    s->x = ga_astype(ga_mul(ga_sub(s->x, 0.5), 1000 / 1.5), GA_INT32);
}
static void setup_taps(state *s) {
    setup_x(s);
    s->y = ga_copy(ga_slice_axis(s->x, 0, 0, 64, 1));
}
static void setup_points(state *s) {
    setup_x(s);
    s->y = ga_linspace(0.5, 2, 1000);
    s->z[0] = ga_square(s->y);
}
static void run_histogram(state *s) {
    set_out(s, ga_histogram(s->x, s->y ? GA_BINS_AT(s->y)
                                       : GA_BINS_IN(BINS, 0.5, 2),
                            GA_NONE, 0, NULL));
}
static void run_histogram_many(state *s) {
    set_out(s, ga_histogram(s->x, GA_BINS_IN(MANY, 0.5, 2), GA_NONE, 0, NULL));
}
static void run_histogram_range(state *s) {
    set_out(s, ga_histogram(s->x, GA_BINS(BINS), GA_NONE, 0, NULL));
}
static void run_histogram_weights(state *s) {
    set_out(s, ga_histogram(s->x, GA_BINS_IN(BINS, 0.5, 2), s->x, 0, NULL));
}
static void run_bincount(state *s) {
    set_out(s, ga_bincount(s->x, GA_NONE, 0));
}
static void run_digitize(state *s) { set_out(s, ga_digitize(s->x, s->y, 0)); }
static void run_convolve(state *s) {
    set_out(s, ga_convolve(s->x, s->y, GA_SAME));
}
static void run_interp(state *s) {
    set_out(s, ga_interp(s->x, s->y, s->z[0], NULL));
}

/* The counts, or with floats the sums of the elements, from x as it is. */
static bool check_histogram(state *s) {
    const int64_t bins = s->out->size, n = s->x->size;
    const ga_bins b = s->y ? GA_BINS_AT(s->y) : GA_BINS_IN(bins, 0.5, 2);
    const bool range = s->c->body == run_histogram_range;
    float *x = ga_asnumpy(s->x, NULL);
    float *e = ga_asnumpy(ga_histogram_bin_edges(s->x, range ? GA_BINS(bins) : b),
                          NULL);
    double *got = ga_asnumpy(ga_astype(s->out, GA_FLOAT64), NULL);
    double *want = calloc((size_t)bins, sizeof *want);
    bool good = x && e && got && want;
    for (int64_t i = 0; i < n && good; i++) {
        int64_t k = (int64_t)(((double)x[i] - e[0]) / (e[bins] - e[0])
                              * (double)bins);
        if (k >= bins) k = bins - 1;
        while (k > 0 && x[i] < e[k]) k--;
        while (k < bins - 1 && x[i] >= e[k + 1]) k++;
        want[k] += s->out->dtype == I ? 1 : x[i];
    }
    for (int64_t k = 0; k < bins && good; k++)
        good = fabs(got[k] - want[k]) <= 1e-6 * want[k] * (s->out->dtype != I)
               || wrong(s, k, got[k], want[k]);
    free(x);
    free(e);
    free(got);
    free(want);
    return good;
}
static bool check_bincount(state *s) {
    const int64_t n = s->x->size, bins = s->out->size;
    int32_t *x = ga_asnumpy(ga_astype(s->x, GA_INT32), NULL);
    int64_t *got = ga_asnumpy(s->out, NULL);
    bool good = x && got;
    for (int64_t i = 0; i < n && good; i++) good = --got[x[i]] >= 0;
    for (int64_t k = 0; k < bins && good; k++) good = got[k] == 0;
    free(x);
    free(got);
    return good || wrong(s, 0, 0, 0);
}
static bool check_digitize(state *s) {      /* of the first million         */
    const int64_t n = s->n < 1000000 ? s->n : 1000000;
    float *e = ga_asnumpy(s->y, NULL);
    int64_t *got = ga_asnumpy(ga_slice_axis(s->out, 0, 0, n, 1), NULL);
    bool good = e && got;
    for (int64_t i = 0; i < n && good; i++) {
        int64_t k = 0;
        while (k <= BINS && e[k] <= (float)x_at(i)) k++;
        good = got[i] == k || wrong(s, i, (double)got[i], (double)k);
    }
    free(e);
    free(got);
    return good;
}
static bool check_convolve(state *s) {      /* every 997th                  */
    const int64_t m = s->y->size;
    float *got = ga_asnumpy(s->out, NULL);
    bool good = got != NULL;
    for (int64_t k = 0; k < s->n && good; k += 997) {
        double want = 0;
        for (int64_t j = 0; j < m; j++) {
            const int64_t i = k + (m - 1) / 2 - j;
            if (i >= 0 && i < s->n) want += x_at(i) * x_at(j);
        }
        good = fabs(got[k] - want) <= 1e-5 * want || wrong(s, k, got[k], want);
    }
    free(got);
    return good;
}
static bool check_interp(state *s) {
    double *got = ga_asnumpy(s->out, NULL);
    bool good = got != NULL;
    for (int64_t i = 0; i < s->n && good; i++) {
        const double x = (double)(float)x_at(i), step = 1.5 / 999;
        const double k = floor((x - 0.5) / step), a = 0.5 + k * step;
        const double want = a * a + (x - a) * (2 * a + step);
        good = fabs(got[i] - want) < 1e-9 || wrong(s, i, got[i], want);
    }
    free(got);
    return good;
}

#define COUNTED(w, n, size)                                                    \
    CASE("histogram_f32_" size, w, setup_x, run_histogram, check_histogram,    \
         READ, 4, false, n, F, NULL, NULL)                                     \
    CASE("histogram_constant_f32_" size, w, setup_constant, run_histogram,     \
         check_histogram, READ, 4, false, n, F, NULL, NULL)                    \
    CASE("histogram_1e5_f32_" size, w, setup_x, run_histogram_many,            \
         check_histogram, READ, 4, false, n, F, NULL, NULL)                    \
    CASE("histogram_range_f32_" size, w, setup_x, run_histogram_range,         \
         check_histogram, READ, 12, false, n, F, NULL, NULL)                   \
    CASE("histogram_edges_f32_" size, w, setup_edges, run_histogram,           \
         check_histogram, READ, 4, false, n, F, NULL, NULL)                    \
    CASE("histogram_weights_f32_" size, w, setup_x, run_histogram_weights,     \
         check_histogram, READ, 8, false, n, F, NULL, NULL)                    \
    CASE("bincount_u8_" size, w, setup_bytes, run_bincount, check_bincount,    \
         READ, 2, true, n, F, NULL, NULL)                                      \
    CASE("bincount_i32_" size, w, setup_counted, run_bincount, check_bincount, \
         READ, 8, true, n, F, NULL, NULL)
#define PLACED(w, n, size)                                                     \
    CASE("digitize_f32_" size, w, setup_edges, run_digitize, check_digitize,   \
         COPY, 12, false, n, F, NULL, NULL)                                    \
    CASE("convolve64_f32_" size, w, setup_taps, run_convolve, check_convolve,  \
         COPY, 8, false, n, F, NULL, NULL)                                     \
    CASE("interp_f32_" size, w, setup_points, run_interp, check_interp, COPY,  \
         12, false, n, F, NULL, NULL)
static const bench_case histogram_cases[] = {
    COUNTED(GPU, M28, "2^28")
    PLACED(GPU, M26, "2^26")
    COUNTED(CPU, E7, "1e7")
    PLACED(CPU, E7, "1e7")
};
