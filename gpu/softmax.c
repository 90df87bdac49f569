#include "gpuarr.h"
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e3 + t.tv_nsec * 1e-6; }
static double timed(void (*f)(ga_array **), ga_array **p) {
    double best = 1e9;
    f(p); ga_synchronize();
    for (int r = 0; r < 3; r++) {
        double t = now();
        for (int i = 0; i < 10; i++) f(p);
        ga_synchronize();
        t = (now() - t) / 10;
        if (t < best) best = t;
    }
    return best;
}
static int axis;
static void smax(ga_array **p) { ga_softmax_into(p[1], p[0], GA_AXIS(axis)); }
static void lsmax(ga_array **p) { ga_log_softmax_into(p[1], p[0], GA_AXIS(axis)); }
static void lse(ga_array **p) { ga_free((ga_logsumexp)(p[0], GA_AXIS(axis))); }
static void close_(ga_array **p) { ga_free((ga_allclose_array)(p[0], p[1], 1e-5, 1e-8, 0)); }
static void equal(ga_array **p) { ga_free((ga_array_equal_array)(p[0], p[1], 0)); }
static void isclose_(ga_array **p) { ga_free((ga_isclose)(p[0], p[1], 1e-5, 1e-8, 0)); }
int main(void) {
    ga_on_error(GA_EXIT);
    struct { int64_t n, m; ga_dtype t; int axis; } c[] = {
        {65536, 1024, GA_FLOAT32, 1}, {64, 1000000, GA_FLOAT32, 1}, {10000000, 8, GA_FLOAT32, 1}, {10000000, 7, GA_FLOAT32, 1},
        {1000000, 100, GA_FLOAT32, 1}, {1000003, 30, GA_FLOAT32, 1}, {65536, 1001, GA_FLOAT32, 1}, {65536, 256, GA_FLOAT32, 1}, {65536, 1024, GA_FLOAT16, 1}, {65536, 1024, GA_BFLOAT16, 1}, {65536, 1024, GA_FLOAT64, 1}, {64, 1000000, GA_FLOAT16, 1},
        {4096, 16384, GA_FLOAT32, 1}, {2048, 30000, GA_FLOAT32, 1}, {1, 100000, GA_FLOAT32, 1}, {4096, 50257, GA_BFLOAT16, 1},
        {1000, 1000000, GA_FLOAT32, 0}, {1000000, 64, GA_FLOAT32, 0}, {10, 10000000, GA_FLOAT32, 0}, {1000, 300000, GA_FLOAT64, 0}, {3000, 100000, GA_FLOAT32, 0}, {1000, 99999, GA_FLOAT32, 0}};
    int first = getenv("GK_SOFT_LX") ? 16 : getenv("GK_SOFT_LAG") ? 13 : 0, end = getenv("GK_SOFT_LAG") ? 14 : 22;
    for (int i = first; i < end; i++) {
        GA_SCOPE;
        ga_array *x = ga_astype(ga_random(GA_SHAPE(c[i].n, c[i].m), GA_FLOAT32), c[i].t);
        ga_array *p[2] = {x, ga_empty_like(x)};
        double bytes = (double)x->size * ga_dtype_size(c[i].t);
        axis = c[i].axis;
        double a = timed(smax, p), b = timed(lsmax, p), d = timed(lse, p);
        printf("ours %s %lld %lld %d softmax %.4f (%.2f TB/s) log %.4f lse %.4f (%.2f TB/s)\n", ga_dtype_name(c[i].t), (long long)c[i].n, (long long)c[i].m, axis, a, 2 * bytes / a * 1e-9, b, d, bytes / d * 1e-9);
        fflush(stdout);
    }
    if (first) return 0;
    ga_dtype ts[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16, GA_INT32, GA_COMPLEX64};
    for (int i = 0; i < 5; i++) {
        GA_SCOPE;
        int64_t n = (int64_t)1 << (i == 0 ? 28 : 27);
        ga_array *x = ga_astype(ga_mul(ga_random(GA_SHAPE(n), GA_FLOAT32), 100), ts[i]);
        ga_array *p[2] = {x, ga_copy(x)};
        double bytes = 2.0 * n * ga_dtype_size(ts[i]);
        double a = timed(close_, p), b = timed(equal, p), d = timed(isclose_, p);
        printf("ours %s %lld allclose %.4f (%.2f TB/s) array_equal %.4f (%.2f TB/s) isclose %.4f\n", ga_dtype_name(ts[i]), (long long)n, a, bytes / a * 1e-9, b, bytes / b * 1e-9, d);
        if (!(ga_allclose)(p[0], p[1], 1e-5, 1e-8, 0) || !(ga_array_equal)(p[0], p[1], 0)) printf("WRONG\n");
        fflush(stdout);
    }
    return 0;
}
