#include "gpuarr.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <string.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6; }
typedef ga_status (*into)(ga_array *, const ga_array *, ga_axis, unsigned);
static double copy_rate = 4.2e9;
static void run(const char *name, into f, ga_dtype t, ga_dtype rt, ga_shape s, ga_axis a, unsigned flags, int view) {
    GA_SCOPE;
    ga_array *x = ga_empty(s, t), *y;
    if (t >= GA_FLOAT16 && t <= GA_FLOAT64) ga_random_uniform_into(x, 0.5, 1.5);
    else ga_assign(x, 1);
    if (view == 1) x = ga_slice(x, "1:");
    if (view == 2) x = ga_slice(x, "..., ::2");
    ga_shape r = ga_shape_of(x);
    if (a.n < 0) r = GA_SHAPE(x->size);
    y = ga_empty(r, rt);
    if (ga_error()) { printf("%-28s %s\n", name, ga_error_message()); ga_clear_error(); return; }
    double best = 1e9;
    for (int k = 0; k < 4; k++) {
        ga_synchronize();
        double t0 = now();
        for (int i = 0; i < 8; i++) { if (f) f(y, x, a, flags); else ga_assign(y, x); }
        ga_synchronize();
        double ms = (now() - t0) / 8;
        if (ms < best) best = ms;
    }
    double bytes = (double)x->size * (double)(ga_dtype_size(t) + ga_dtype_size(rt));
    if (!f) copy_rate = bytes / best;
    printf("%-28s %8.4f ms  %5.1f%% of copy (%.0f GB/s)\n", name, best, 100 * bytes / best / copy_rate, bytes / best * 1e-6);
    if (ga_error()) { printf("  %s\n", ga_error_message()); ga_clear_error(); }
}
static void repeat(void) {
    GA_SCOPE;
    ga_array *x = ga_empty(GA_SHAPE(40000003), GA_FLOAT64);
    ga_random_standard_normal_into(x);
    double *h = ga_asnumpy(x, NULL), *p = ga_asnumpy(ga_cumsum(x, GA_ALL, 0), NULL);
    long double s = 0, e = 0, en = 0; double sn = 0;
    for (int64_t i = 0; i < x->size; i++) {
        s += h[i]; sn += h[i];
        long double d = p[i] - s, dn = sn - s;
        if (d < 0) d = -d;
        if (dn < 0) dn = -dn;
        if (d > e) e = d;
        if (dn > en) en = dn;
    }
    int same = 1;
    for (int k = 0; k < 10; k++) {
        double *q = ga_asnumpy(ga_cumsum(x, GA_ALL, 0), NULL);
        same &= !memcmp(p, q, sizeof *q * (size_t)x->size);
        free(q);
    }
    printf("float64 4e7: error %.3Lg, of a plain loop %.3Lg; repeats: %s\n", e, en, same ? "yes" : "NO");
    free(h); free(p);
}
int main(int argc, char **argv) {
    int all = argc < 2;
    int64_t n = 1 << 28;
    run("copy f32", NULL, GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n), GA_ALL, 0, 0);
    run("cumsum f32 2^28", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n), GA_ALL, 0, 0);
    run("f32 16384^2 axis 0", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(16384, 16384), GA_AXIS(0), 0, 0);
    run("f32 16384^2 axis 1", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(16384, 16384), GA_AXIS(1), 0, 0);
    run("f32 (2^18,1024) axis 0", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n / 1024, 1024), GA_AXIS(0), 0, 0);
    run("f32 (2^18,1000) axis 1", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n / 1024, 1000), GA_AXIS(1), 0, 0);
    run("f64 2^27", (ga_cumsum_into), GA_FLOAT64, GA_FLOAT64, GA_SHAPE(n / 2), GA_ALL, 0, 0);
    run("i64 2^27", (ga_cumsum_into), GA_INT64, GA_INT64, GA_SHAPE(n / 2), GA_ALL, 0, 0);
    if (!all) { fflush(stdout); return 0; }
    run("f32 (2^24,16) axis 1", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n / 16, 16), GA_AXIS(1), 0, 0);
    run("f32 (2^24,16) axis 0", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n / 16, 16), GA_AXIS(0), 0, 0);
    run("f32 (16,2^24) axis 0", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(16, n / 16), GA_AXIS(0), 0, 0);
    run("f32 (2^26,3) axis 0", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n / 4, 3), GA_AXIS(0), 0, 0);
    run("f32 (256,4096,256) axis 1", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(256, 4096, 256), GA_AXIS(1), 0, 0);
    run("f32 2^28 reverse", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n), GA_ALL, GA_REVERSE, 0);
    run("f32 2^28 exclusive", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n), GA_ALL, GA_EXCLUSIVE, 0);
    run("f32 x[1:]", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n), GA_ALL, 0, 1);
    run("f32 16384^2 ::2 axis 1", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(16384, 16384), GA_AXIS(1), 0, 2);
    run("f32 16384^2 ::2 axis 0", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(16384, 16384), GA_AXIS(0), 0, 2);
    run("cumprod f32 2^28", (ga_cumprod_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n), GA_ALL, 0, 0);
    run("cummax f32 2^28", (ga_cummax_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n), GA_ALL, 0, 0);
    run("cummax f32 axis 0", (ga_cummax_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(16384, 16384), GA_AXIS(0), 0, 0);
    run("nancumsum f32 2^28", (ga_nancumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n), GA_ALL, 0, 0);
    run("logcumsumexp f32 2^28", (ga_logcumsumexp_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(n), GA_ALL, 0, 0);
    run("logcumsumexp f32 axis 0", (ga_logcumsumexp_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(16384, 16384), GA_AXIS(0), 0, 0);
    run("f16 2^29", (ga_cumsum_into), GA_FLOAT16, GA_FLOAT16, GA_SHAPE(2 * n), GA_ALL, 0, 0);
    run("f16 (16384,32768) axis 0", (ga_cumsum_into), GA_FLOAT16, GA_FLOAT16, GA_SHAPE(16384, 32768), GA_AXIS(0), 0, 0);
    run("i8 -> i64 2^27", (ga_cumsum_into), GA_INT8, GA_INT64, GA_SHAPE(n / 2), GA_ALL, 0, 0);
    run("i32 -> i64 2^27", (ga_cumsum_into), GA_INT32, GA_INT64, GA_SHAPE(n / 2), GA_ALL, 0, 0);
    run("i32 -> i64 axis 0", (ga_cumsum_into), GA_INT32, GA_INT64, GA_SHAPE(8192, 16384), GA_AXIS(0), 0, 0);
    run("cummax i8 2^29", (ga_cummax_into), GA_INT8, GA_INT8, GA_SHAPE(2 * n), GA_ALL, 0, 0);
    run("c64 2^27", (ga_cumsum_into), GA_COMPLEX64, GA_COMPLEX64, GA_SHAPE(n / 2), GA_ALL, 0, 0);
    run("c128 2^26", (ga_cumsum_into), GA_COMPLEX128, GA_COMPLEX128, GA_SHAPE(n / 4), GA_ALL, 0, 0);
    run("c128 8192^2 axis 0", (ga_cumsum_into), GA_COMPLEX128, GA_COMPLEX128, GA_SHAPE(8192, 8192), GA_AXIS(0), 0, 0);
    run("f32 1024", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(1024), GA_ALL, 0, 0);
    run("f32 2^20", (ga_cumsum_into), GA_FLOAT32, GA_FLOAT32, GA_SHAPE(1 << 20), GA_ALL, 0, 0);
    repeat();
    return 0;
}
