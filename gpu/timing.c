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
    static const ga_dtype mats[] = {GA_UINT8, GA_INT16, GA_INT32, GA_INT64, GA_BOOL, GA_FLOAT16, GA_FLOAT32};
    for (int k = 0; k < 7; k++) {
        static const int64_t ns[] = {96, 500, 2048};
        for (int c = 0; c < 3; c++) {
            GA_SCOPE;
            ga_array *x = ga_astype(ga_mul(ga_random(GA_SHAPE(ns[c], ns[c]), GA_FLOAT32), 9), mats[k]);
            ga_array *o = ga_empty(GA_SHAPE(ns[c], ns[c]), mats[k]);
            ga_array *v = ga_slice(x, k < 5 ? ":, :" : ":, ::2"), *w = ga_slice(x, k < 5 ? ":, :" : "::2, :");
            snprintf(s, sizeof s, "matmul_%d_%d", (int)ns[c], k);
            T(s, ga_matmul_into(o, v, w))
        }
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
    for (int64_t n = 1000; n <= 10000000; n *= 100) {
        GA_SCOPE;
        snprintf(s, sizeof s, "permutation_%d", (int)n);
        T(s, ga_random_permutation(n))
        ga_array *y = ga_zeros(GA_SHAPE(n / 4), GA_FLOAT32), *v = ga_random(GA_SHAPE(n), GA_FLOAT32);
        ga_array *i = ga_astype(ga_mul(ga_random(GA_SHAPE(n), GA_FLOAT64), (double)(n / 4)), GA_INT64);
        snprintf(s, sizeof s, "index_add_%d", (int)n);
        T(s, ga_scatter_add(y, GA_AT(i), v, 0))
    }
    for (int k = 0; k < 4; k++) {
        static const ga_dtype t[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
        GA_SCOPE;
        ga_array *x = ga_random_normal(0, 1, GA_SHAPE(10000, 16, 12), t[k]);
        ga_array *u, *v, *w;
        snprintf(s, sizeof s, "svd_12_%d", k);
        T(s, ga_svd(x, false, &u, &v, &w))
        snprintf(s, sizeof s, "svdvals_12_%d", k);
        T(s, ga_svdvals(x))
    }
    {
        GA_SCOPE;
        const int64_t n = 1 << 26;
        ga_array *y = ga_zeros(GA_SHAPE(n), GA_FLOAT32), *v = ga_random(GA_SHAPE(n), GA_FLOAT32);
        ga_array *i = ga_astype(ga_mul(ga_random(GA_SHAPE(n), GA_FLOAT64), (double)n), GA_INT64);
        T("scatter_add_2^26", ga_scatter_add(y, GA_AT(i), v, 0))
    }
    return 0;
}
