#include "gpuarr.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cuda_runtime.h>
typedef ga_status (*f1)(ga_array *, const ga_array *);
typedef ga_status (*f2)(ga_array *, const ga_array *, const ga_array *);
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e3 + t.tv_nsec * 1e-6; }
#define U(n, lo, hi) {#n, (ga_##n##_into), NULL, lo, hi},
#define B(n, lo, hi) {#n, NULL, (ga_##n##_into), lo, hi},
static const struct { const char *n; f1 a; f2 b; double lo, hi; } ops[] = {
 U(erf,-3,3) U(lgamma,3,99)
 U(entr,0,9) U(logit,0,1) U(ndtr,-9,9) U(log_ndtr,-9,9) U(ndtri,0,1) U(digamma,0.1,99)
 U(j0,-40,40) U(j1,-40,40) U(y0,0,40) U(y1,0,40) U(i0,-20,20) U(i1,-20,20) U(i0e,-20,20) U(i1e,-20,20)
 B(add,0,9) B(xlogy,0,9) B(xlog1py,0,9) B(rel_entr,0,9) B(beta,0.1,9) B(betaln,0.1,9) B(gammainc,0.1,9) B(gammaincc,0.1,9) B(zeta,1.1,9) B(polygamma,1,9)
};
int main(void) {
    GA_SCOPE;
    for (int w = 0; w < 2; w++)
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            GA_SCOPE;
            ga_dtype t = w ? GA_FLOAT64 : GA_FLOAT32;
            bool slow = i >= 20;
            int64_t n = (int64_t)1 << (slow ? 24 : 26);
            ga_array *x = ga_astype(ga_add(ga_mul(ga_random(GA_SHAPE(n), t), ops[i].hi - ops[i].lo), ops[i].lo), t), *y = ga_astype(ga_add(ga_mul(ga_random(GA_SHAPE(n), t), ops[i].hi - ops[i].lo), ops[i].lo), t);
            if (!strcmp(ops[i].n, "polygamma")) x = ga_rint(x);
            ga_array *o = ga_empty(GA_SHAPE(n), strcmp(ops[i].n, "isposinf") ? t : GA_BOOL);
            double best = 1e9;
            for (int k = 0; k < 4; k++) {
                cudaDeviceSynchronize();
                double a = now();
                for (int j = 0; j < 2; j++) if (ops[i].a) ops[i].a(o, x); else ops[i].b(o, x, y);
                cudaDeviceSynchronize();
                a = (now() - a) / 2;
                if (a < best) best = a;
            }
            printf("gpuarr %s %s %.4f\n", ops[i].n, w ? "f64" : "f32", best);
        }
    return ga_error() != GA_OK ? (puts(ga_error_message()), 1) : 0;
}
