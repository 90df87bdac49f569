#include <stdio.h>
#include <stdlib.h>
#include "gpuarr.h"
static void say(const char *name, ga_bench b) {
    printf("%s %.5f\n", name, b.median_ms);
    if (ga_error()) printf("%s failed: %s\n", name, ga_error_message()), ga_clear_error();
}
#define T(name, ...) { ga_bench b_ = {.samples = 12}; while (ga_bench_next(&b_)) { GA_SCOPE; __VA_ARGS__; } say(name, b_); }
int main(void) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64};
    char s[64];
    for (int k = 0; k < 2; k++) {
        GA_SCOPE;
        ga_array *a = ga_add(ga_mul(ga_random(GA_SHAPE(1 << 22), types[k]), 8), 1.1);
        ga_array *x = ga_add(ga_mul(ga_random(GA_SHAPE(1 << 22), types[k]), 8), 1.1);
        ga_array *o = ga_empty(GA_SHAPE(1 << 22), types[k]);
        ga_array *n = ga_floor(a);
#define S(f, p) snprintf(s, sizeof s, #f "_%d", k); T(s, ga_##f##_into(o, p, x))
        S(beta, a) S(betaln, a) S(gammainc, a) S(gammaincc, a) S(zeta, a) S(polygamma, n)
    }
    static const ga_dtype all[] = {GA_INT8, GA_FLOAT16, GA_FLOAT32, GA_FLOAT64};
    for (int k = 2; k < 4; k++) {
        static const int64_t cols[] = {200, 1000, 3000};
        for (int c = 0; c < 3; c++) {
            GA_SCOPE;
            const int64_t rows = (1 << 25) / cols[c];
            ga_array *x = ga_astype(ga_mul(ga_random(GA_SHAPE(rows, cols[c]), GA_FLOAT32), 100), all[k]);
            ga_array *o = ga_empty(GA_SHAPE(rows, cols[c]), all[k]);
            ga_array *i = ga_empty(GA_SHAPE(rows, cols[c]), GA_INT64);
            snprintf(s, sizeof s, "sort_%d_%d", (int)cols[c], k);
            T(s, ga_sort_into(o, x, GA_AXIS(-1), 0))
            snprintf(s, sizeof s, "argsort_%d_%d", (int)cols[c], k);
            T(s, ga_argsort_into(i, x, GA_AXIS(-1), 0))
        }
    }
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 2; c++) {
            static const int64_t ms[] = {4096, 8191}, ks[] = {128, 12};
            GA_SCOPE;
            ga_array *x = ga_random(GA_SHAPE(ms[c], ks[c]), types[k]), *o = ga_empty(GA_SHAPE(ms[c], ms[c]), types[k]);
            static const ga_metric by[] = {GA_EUCLIDEAN, GA_CITYBLOCK, GA_CHEBYSHEV, GA_COSINE};
            for (int b = 0; b < 4; b++) {
                snprintf(s, sizeof s, "cdist_%d_%d_%d", (int)ks[c], b, k);
                T(s, ga_cdist_into(o, x, x, by[b]))
            }
            snprintf(s, sizeof s, "pdist_%d_%d", (int)ks[c], k);
            T(s, ga_pdist(x, GA_EUCLIDEAN))
        }
    static const ga_dtype some[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16, GA_INT32, GA_UINT16, GA_INT64};
    for (int k = 0; k < 6; k++) {
        GA_SCOPE;
        ga_array *x = ga_astype(ga_mul(ga_random(GA_SHAPE(1 << 25), GA_FLOAT32), 1000), some[k]);
        ga_array *at = ga_square(ga_linspace(0, 31, 101));
        static const int bins[] = {100, 20000, 1000000};
        for (int b = 0; b < 3; b++) {
            snprintf(s, sizeof s, "hist_%d_%d", bins[b], k);
            T(s, ga_histogram(x, GA_BINS_IN(bins[b], 0, 1000), GA_NONE, 0, NULL))
        }
        snprintf(s, sizeof s, "hist_edges_%d", k);
        T(s, ga_histogram(x, GA_BINS_AT(at), GA_NONE, 0, NULL))
        snprintf(s, sizeof s, "hist_weights_%d", k);
        T(s, ga_histogram(x, GA_BINS_IN(100, 0, 1000), x, 0, NULL))
    }
    for (int64_t n = 1000; n <= 10000000; n *= 10) {
        GA_SCOPE;
        snprintf(s, sizeof s, "permutation_%d", (int)n);
        T(s, ga_random_permutation(n))
        ga_array *y = ga_zeros(GA_SHAPE(n / 4), GA_FLOAT32), *v = ga_random(GA_SHAPE(n), GA_FLOAT32);
        ga_array *i = ga_astype(ga_mul(ga_random(GA_SHAPE(n), GA_FLOAT64), (double)(n / 4)), GA_INT64);
        snprintf(s, sizeof s, "index_add_%d", (int)n);
        T(s, ga_scatter_add(y, GA_AT(i), v, 0))
    }
    for (int k = 2; k < 4; k++) {
        GA_SCOPE;
        ga_array *x = ga_astype(ga_mul(ga_random(GA_SHAPE(1 << 26), GA_FLOAT32), 1000), all[k]);
        ga_array *o = ga_empty(GA_SHAPE(1 << 26), all[k]), *i = ga_empty(GA_SHAPE(1 << 26), GA_INT64);
        snprintf(s, sizeof s, "sort_long_%d", k); T(s, ga_sort_into(o, x, GA_AXIS(-1), 0))
        snprintf(s, sizeof s, "argsort_long_%d", k); T(s, ga_argsort_into(i, x, GA_AXIS(-1), 0))
    }
    return 0;
}
