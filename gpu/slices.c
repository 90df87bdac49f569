#include <time.h>
#include "gpuarr.h"
#include "gpuarr_rtc.h"
#include <stdlib.h>
#include <string.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec*1e3 + (double)t.tv_nsec*1e-6; }
static double began;
static double time_it(ga_expr *e, ga_array *out, const ga_array *const *x, int n) {
    double best = 1e9;
    for (int k = 0; k < 4; k++) {
        ga_synchronize();
        double t = now();
        for (int i = 0; i < 8; i++) ga_expr_run_into(out, e, x, n);
        ga_synchronize();
        t = (now() - t) / 8;
        if (k && t < best) best = t;
    }
    return best;
}
static void one(const char *name, const char *text, const char *names, const ga_array *const *x, int n, double bytes, bool jit) {
    ga_expr *e = ga_expr_compile(text, names);
    ga_array *out = e ? (ga_expr_run)(e, x, n) : NULL;
    if (!out) { printf("%-16s %s\n", name, ga_error_message()); ga_clear_error(); return; }
    double floor = bytes / 4.2e9, ms = time_it(e, out, x, n), b = 0;
    if (jit && now() - began < 12e3) { if (ga_expr_jit(e) == GA_OK) b = time_it(e, out, x, n); else ga_clear_error(); }
    printf("%-16s %.4f jit %.4f ratio %5.2f floor %.4f of floor %5.2f  %5.0f\n", name, ms, b, b > 0 ? ms / b : 0.0, floor, ms / floor, now() - began);
    fflush(stdout);
    ga_expr_free(e);
    ga_free(out);
}
static ga_array *rnd(ga_shape s, ga_dtype t) {
    ga_array *x = ga_astype(ga_mul(ga_random(s, GA_FLOAT32), 100.0), t);
    return x;
}
int main(void) {
    began = now();
    const int64_t m = 2048, n = 8192, N = m * n;
    struct { const char *name, *text; ga_dtype t, u; int kind; double per; } c[] = {
        {"copy f32", "x*2", GA_FLOAT32, GA_FLOAT32, 0, 8},
        {"axpy f32", "x*2+y", GA_FLOAT32, GA_FLOAT32, 0, 12},
        {"row f32", "x*2+y", GA_FLOAT32, GA_FLOAT32, 1, 8},
        {"col f32", "x*2+y", GA_FLOAT32, GA_FLOAT32, 2, 8},
        {"row+1 odd f32", "x*2+y", GA_FLOAT32, GA_FLOAT32, 3, 8},
        {"outer f32", "sqrt((x-y)**2)", GA_FLOAT32, GA_FLOAT32, 4, 4},
        {"shift f32", "x*2+y", GA_FLOAT32, GA_FLOAT32, 5, 12},
        {"axpy f64", "x*2+y", GA_FLOAT64, GA_FLOAT64, 0, 24},
        {"gauss f64", "exp(-x*x/2)*y", GA_FLOAT64, GA_FLOAT64, 0, 24},
        {"row f64", "x*2+y", GA_FLOAT64, GA_FLOAT64, 1, 16},
        {"axpy c64", "x*2+y", GA_COMPLEX64, GA_COMPLEX64, 0, 24},
        {"mul c64", "x*y+x", GA_COMPLEX64, GA_COMPLEX64, 0, 24},
        {"div c64", "x/(y+1)", GA_COMPLEX64, GA_COMPLEX64, 0, 24},
        {"axpy f16", "x*2+y", GA_FLOAT16, GA_FLOAT16, 0, 6},
        {"blend f16", "x*0.3+y*0.7", GA_FLOAT16, GA_FLOAT16, 0, 6},
        {"axpy bf16", "x*2+y", GA_BFLOAT16, GA_BFLOAT16, 0, 6},
        {"erf log f32", "erf(x)*log(y+1)", GA_FLOAT32, GA_FLOAT32, 0, 12},
        {"cast f32(u8)", "float32(x)*0.5+y", GA_UINT8, GA_FLOAT32, 0, 9},
        {"cast f64(f32)", "float64(x)*y", GA_FLOAT32, GA_FLOAT64, 0, 20},
        {"u8 add", "x+y", GA_UINT8, GA_UINT8, 0, 3},
        {"u8 avg", "(x>>1)+(y>>1)", GA_UINT8, GA_UINT8, 0, 3},
        {"i16 mul", "x*y+x", GA_INT16, GA_INT16, 0, 6},
        {"i32 mod", "x%7+y", GA_INT32, GA_INT32, 0, 12},
        {"i64 mul", "x*y+x", GA_INT64, GA_INT64, 0, 24},
        {"less f32", "x<y", GA_FLOAT32, GA_FLOAT32, 0, 9},
        {"less2 f32", "(x<y)&(x>3)", GA_FLOAT32, GA_FLOAT32, 0, 9},
        {"where f32", "where(x<y,x,0)", GA_FLOAT32, GA_FLOAT32, 0, 12},
        {"where u8", "where(x>9,1,x)", GA_UINT8, GA_UINT8, 0, 2},
        {"less f64", "x<y", GA_FLOAT64, GA_FLOAT64, 0, 17},
        {"uint8(x*255)", "uint8(x*2.5)", GA_FLOAT32, GA_FLOAT32, 0, 5},
        {"sum all", "sum(x*y)", GA_FLOAT32, GA_FLOAT32, 0, 8},
        {"sum ax1", "sum(x*y,axis=1)", GA_FLOAT32, GA_FLOAT32, 0, 8},
        {"sum ax0", "sum(x*y,axis=0)", GA_FLOAT32, GA_FLOAT32, 0, 8},
        {"meansq ax1 f64", "mean(x*x,axis=1)", GA_FLOAT64, GA_FLOAT64, 0, 8},
        {"max ax0 f16", "max(x*y,axis=0)", GA_FLOAT16, GA_FLOAT16, 0, 4},
        {"any u8", "any(x>200,axis=1)", GA_UINT8, GA_UINT8, 0, 1},
        {"softmax", "m=max(x,axis=-1,keepdims=true);e=exp(x-m);e/sum(e,axis=-1,keepdims=true)", GA_FLOAT32, GA_FLOAT32, 0, 8},
        {"6 arrays", "a=x*2;b=y*3;a+b+x[::-1]+y[::-1]+x[:,::-1]+y[:,::-1]", GA_FLOAT32, GA_FLOAT32, 0, 12},
        {"sum 3d mid", "sum(x[:,:,newaxis][:,::1]*y[:,:,newaxis],axis=1)", GA_FLOAT32, GA_FLOAT32, 0, 8},
        {"mul c128", "x*y+x", GA_COMPLEX128, GA_COMPLEX128, 0, 48},
        {"5 point", "x[1:-1,1:-1]-0.25*(4*x[1:-1,1:-1]-x[:-2,1:-1]-x[2:,1:-1]-x[1:-1,:-2]-x[1:-1,2:])", GA_FLOAT32, GA_FLOAT32, 0, 8},
    };
    for (unsigned i = 0; i < sizeof c / sizeof *c; i++) {
        GA_SCOPE;
        ga_array *x = rnd(GA_SHAPE(m, n), c[i].t), *y = NULL;
        switch (c[i].kind) {
        case 0: y = rnd(GA_SHAPE(m, n), c[i].u); break;
        case 1: y = rnd(GA_SHAPE(n), c[i].u); break;
        case 2: y = rnd(GA_SHAPE(m, 1), c[i].u); break;
        case 3: x = rnd(GA_SHAPE(2047, 8191), c[i].t); y = rnd(GA_SHAPE(8191), c[i].u); break;
        case 4: x = rnd(GA_SHAPE(m, 1), c[i].t); y = rnd(GA_SHAPE(n), c[i].u); break;
        default: x = ga_slice(rnd(GA_SHAPE(m, n + 1), c[i].t), ":, 1:"); y = ga_slice(rnd(GA_SHAPE(m, n + 1), c[i].u), ":, :-1");
        }
        const ga_array *op[] = {x, y};
        one(c[i].name, c[i].text, "x, y", op, 2, (double)N * c[i].per, c[i].t != GA_COMPLEX128);
    }
    return 0;
}
