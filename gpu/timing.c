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
    for (int k = 0; k < 4; k++) {
        static const int64_t cols[] = {50, 100, 200, 500, 600, 1000, 1500, 3000};
        for (int c = 0; c < 8; c++) {
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
    return 0;
}
