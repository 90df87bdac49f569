#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdio.h>
#include <stdlib.h>
static double now(void) { struct timespec t; timespec_get(&t, TIME_UTC); return t.tv_sec * 1e3 + t.tv_nsec * 1e-6; }
static int cmp(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }
static void run(const char *name, const char *text, const char *names, ga_array *out, double bytes, int n, const ga_array *const *x) {
    double t[7], first;
    if (ga_eval_into(out, text, names, x, n)) { printf("%-12s ERROR %s\n", name, ga_error_message()); ga_clear_error(); return; }
    ga_synchronize(); first = now();
    (void)first;
    for (int r = 0; r < 7; r++) {
        double a = now();
        for (int i = 0; i < 20; i++) ga_eval_into(out, text, names, x, n);
        ga_synchronize();
        t[r] = (now() - a) / 20;
    }
    qsort(t, 7, sizeof *t, cmp);
    /* a checksum */
    double sum = 0;
    if (out->size && out->dtype != GA_COMPLEX64) sum = ga_item(ga_sum(ga_astype(out, GA_FLOAT64), GA_ALL));
    printf("%-12s %8.4f ms %7.0f GB/s   sum %.17g\n", name, t[3], bytes / t[3] * 1e-6, sum);
}
#define RUN(name, text, names, out, ...) do { GA_SCOPE; const ga_array *xs[] = {__VA_ARGS__}; int n = (int)(sizeof xs / sizeof *xs); \
    double b = (double)out->size * ga_dtype_size(out->dtype); \
    for (int i = 0; i < n; i++) b += (double)xs[i]->size * (xs[i]->ndim ? (double)ga_dtype_size(xs[i]->dtype) : 0); \
    run(name, text, names, out, b, n, xs); } while (0)
int main(void) {
    ga_on_error(GA_PRINT);
    GA_SCOPE;
    ga_random_seed(3);
    const int64_t N = (int64_t)1 << 27;
    ga_array *x = ga_random(GA_SHAPE(N), GA_FLOAT32), *y = ga_random(GA_SHAPE(N), GA_FLOAT32), *z = ga_random(GA_SHAPE(N), GA_FLOAT32), *o = ga_empty(GA_SHAPE(N), GA_FLOAT32);
    ga_array *d = ga_astype(ga_slice(x, ":67108864"), GA_FLOAT64), *od = ga_empty_like(d);
    ga_array *h = ga_astype(x, GA_FLOAT16), *g = ga_astype(y, GA_FLOAT16), *oh = ga_empty_like(h);
    ga_array *bf = ga_astype(x, GA_BFLOAT16), *ob = ga_empty_like(bf);
    ga_array *q = ga_astype(ga_mul(x, 100), GA_INT8), *oq = ga_empty_like(q), *i4 = ga_astype(ga_mul(x, 1000), GA_INT32), *oi = ga_empty_like(i4);
    ga_array *c = ga_astype(ga_slice(x, ":67108864"), GA_COMPLEX64), *oc = ga_empty_like(c);
    ga_array *r = ga_reshape(ga_slice(x, ":8192"), GA_SHAPE(1, 8192)), *k = ga_reshape(ga_slice(y, ":8192"), GA_SHAPE(8192, 1)), *m = ga_empty(GA_SHAPE(8192, 8192), GA_FLOAT32);
    ga_array *rd = ga_astype(r, GA_FLOAT64), *kd = ga_astype(k, GA_FLOAT64), *md = ga_empty(GA_SHAPE(8192, 8192), GA_FLOAT64);
    ga_array *x3 = ga_reshape(x, GA_SHAPE(512, 512, 512)), *a3 = ga_reshape(ga_slice(y, ":512"), GA_SHAPE(512, 1, 1)), *b3 = ga_reshape(ga_slice(y, ":512"), GA_SHAPE(1, 512, 1)), *c3 = ga_reshape(ga_slice(y, ":512"), GA_SHAPE(1, 1, 512)), *o3 = ga_empty_like(x3);
    ga_array *u = ga_reshape(ga_slice(x, ":67108864"), GA_SHAPE(8192, 8192)), *w = ga_slice(u, "1:-1,1:-1"), *nn = ga_slice(u, ":-2,1:-1"), *ss = ga_slice(u, "2:,1:-1"), *ee = ga_slice(u, "1:-1,2:"), *ww = ga_slice(u, "1:-1,:-2"), *ow = ga_empty(GA_SHAPE(8190, 8190), GA_FLOAT32);
    ga_array *t12[12];
    for (int i = 0; i < 12; i++) t12[i] = ga_slice(i % 2 ? x : y, "%d:%d", i * 1048576, i * 1048576 + 33554432);
    ga_array *o12 = ga_empty(GA_SHAPE(33554432), GA_FLOAT32);
    RUN("copy_f32", "+x", "x", o, x);
    RUN("axpy", "2.5*x + y", "x, y", o, x, y);
    RUN("cos2sin2", "cos(x)*cos(x) + sin(x)*sin(x)", "x", o, x);
    RUN("gauss_f64", "exp(-0.5*((d - 0.3)/0.2)**2)/0.7", "d", od, d);
    RUN("erf_log", "erf(x)*log(y + 1) + z", "x, y, z", o, x, y, z);
    RUN("blend_f16", "h*0.3 + g*0.7", "h, g", oh, h, g);
    RUN("relu_bf16", "maximum(b, 0)*1.5 + 0.25", "b", ob, bf);
    RUN("selu", "1.0507*where(x > 0.5, x, 1.67326*(exp(x) - 1))", "x", o, x);
    RUN("int8", "where(q > 50, q + 1, q & 7)", "q", oq, q);
    RUN("int32", "(i*3 ^ (i >> 2)) & 0xffff", "i", oi, i4);
    RUN("complex", "c*c + (0.3 + 0.5i)", "c", oc, c);
    RUN("outer_f32", "(r - k)**2", "r, k", m, r, k);
    RUN("outer_f64", "sqrt((r - k)**2 + 1)", "r, k", md, rd, kd);
    RUN("bcast3", "x*a + b - c", "x, a, b, c", o3, x3, a3, b3, c3);
    RUN("stencil", "c + 0.1*(n + s + e + w - 4*c)", "c, n, s, e, w", ow, w, nn, ss, ee, ww);
    RUN("compare", "where((x > 0.2 && y < 0.7) || x*y > 0.5, x, y)", "x, y", o, x, y);
    RUN("twelve", "a*b + c*d + e*f + g*h + i*j + k*l", "a, b, c, d, e, f, g, h, i, j, k, l", o12, t12[0], t12[1], t12[2], t12[3], t12[4], t12[5], t12[6], t12[7], t12[8], t12[9], t12[10], t12[11]);
    RUN("transposed", "a + b*2", "a, b", m, u, ga_transpose(u, GA_ALL));
    /* reductions */
    ga_array *s0 = ga_empty(GA_SCALAR_SHAPE, GA_FLOAT32), *s0d = ga_empty(GA_SCALAR_SHAPE, GA_FLOAT64), *s0c = ga_empty(GA_SHAPE(512, 512), GA_FLOAT32);
    ga_array *sr = ga_empty(GA_SHAPE(8192), GA_FLOAT32);
    ga_array *s0h = ga_empty(GA_SCALAR_SHAPE, GA_FLOAT16), *sl = ga_empty(GA_SCALAR_SHAPE, GA_INT64);
    RUN("sumsq_f32", "sum((x - y)**2)", "x, y", s0, x, y);
    RUN("meansq_f64", "mean(d*d)", "d", s0d, d);
    RUN("mean_f16", "mean(h*h)", "h", s0h, h);
    RUN("sum_i8", "sum(q*q)", "q", sl, q);
    RUN("sum_ax1", "sum(u*u, axis=1)", "u", sr, u);
    RUN("sum_ax0", "sum(u*u, axis=0)", "u", sr, u);
    RUN("max3_ax0", "max(x*2, axis=0)", "x", s0c, x3);
    RUN("max3_ax1", "max(x*2, axis=1)", "x", s0c, x3);
    RUN("max3_ax2", "max(x*2, axis=2)", "x", s0c, x3);
    RUN("sum_sten", "sum((c - n)**2, axis=1)", "c, n", ga_empty(GA_SHAPE(8190), GA_FLOAT32), w, nn);
    RUN("dist", "sum((x - k)**2, axis=1)", "x, k", sr, u, k);
}
