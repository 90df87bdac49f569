#include "gpuarr.h"
#include <stdlib.h>
#define TIME(what, bytes, call) do { \
    for (int i_ = 0; i_ < 5; i_++) { GA_SCOPE; call; } \
    double best_ = 1e9; \
    for (int r_ = 0; r_ < 5; r_++) { \
        ga_synchronize(); double t_ = ga_time(); \
        for (int i_ = 0; i_ < 20; i_++) { GA_SCOPE; call; } \
        ga_synchronize(); t_ = (ga_time() - t_)/20; if (t_ < best_) best_ = t_; } \
    printf("%-46s %9.4f ms %7.0f GB/s\n", what, best_*1e3, (bytes)/best_*1e-9); fflush(stdout); } while (0)
int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    for (int k = 0; k < 2; k++) {
        ga_dtype t = k ? GA_FLOAT64 : GA_FLOAT32;
        int64_t n = 1 << 26;
        double b = (double)n*ga_dtype_size(t);
        GA_SCOPE;
        ga_array *x = ga_random(GA_SHAPE(n), t), *y = ga_random(GA_SHAPE(n), t), *g = ga_empty_like(x), *h = ga_empty_like(x);
        ga_array *L = ga_zeros(GA_SCALAR_SHAPE, t), *w = ga_ones(GA_SCALAR_SHAPE, t), *c = ga_ones(GA_SCALAR_SHAPE, t), *gw = ga_copy(w), *gc = ga_copy(c);
        printf("%s 2^26\n", ga_dtype_name(t));
        TIME("copy x*2", 2*b, GA_EVAL_INTO(g, x*2, x));
        TIME("value mean(x*x)", b, GA_EVAL_INTO(L, mean(x*x), x));
        TIME("grad mean(x*x)", 2*b, GA_EVAL_INTO(g, grad(mean(x*x), x), x));
        TIME("value and grad mean(x*x)", 2*b, GA_EVAL_SET(L = mean(x*x); g = grad(L, x), L, g, x));
        TIME("value mean(tanh(x*y)**2)", 2*b, GA_EVAL_INTO(L, mean(tanh(x*y)**2), x, y));
        TIME("value and both grads mean(tanh(x*y)**2)", 4*b, GA_EVAL_SET(L = mean(tanh(x*y)**2); g = grad(L, x); h = grad(L, y), L, g, h, x, y));
        TIME("linear fit: value, dw, dc", 2*b, GA_EVAL_SET(L = mean((w*x + c - y)**2); gw = grad(L, w); gc = grad(L, c), L, gw, gc, w, c, x, y));
        ga_array *m = ga_reshape(x, GA_SHAPE(8192, 8192)), *gm = ga_reshape(g, GA_SHAPE(8192, 8192)), *row = ga_ones(GA_SHAPE(8192), t), *gr = ga_copy(row);
        TIME("row bias: dm, drow of sum(tanh(m + row)**2)", 3*b, GA_EVAL_SET(gm = grad(sum(tanh(m + row)**2), m); gr = grad(sum(tanh(m + row)**2), row), gm, gr, m, row));
        TIME("row bias: drow alone", b, GA_EVAL_INTO(gr, grad(sum(tanh(m + row)**2), row), m, row));
        TIME("stencil: grad of sum of squared differences", 2*b, GA_EVAL_INTO(gm, grad(sum((m[:, 1:] - m[:, :-1])**2) + sum((m[1:] - m[:-1])**2), m), m));
    }
    const ga_array *x[16]; ga_array *g[16], *v;
    for (int i = 0; i < 16; i++) x[i] = ga_random(GA_SHAPE(1 << 22), GA_FLOAT32);
    const char *names = "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p";
    char text[400] = "sum(", *p = text + 4;
    for (int i = 0; i < 16; i++) p += sprintf(p, "%s%c%s", i ? i % 2 ? "*sin(" : " + (" : "(", 'a' + i, ")");
    sprintf(p, ")");
    double b = 16.0*4*(1 << 22);
    TIME("16 operands of 2^22: value", b, (ga_eval)(text, names, x, 16));
    TIME("16 operands of 2^22: value and gradients", 2*b, ga_grad(&v, g, 16, text, names, x, 16));
    ga_array *data = ga_random(GA_SHAPE(1 << 24), GA_FLOAT32);
    for (int i = 0; i < 16; i++) x[i] = i ? ga_full(GA_SCALAR_SHAPE, 0.1*i, GA_FLOAT32) : data;
    const char *poly = "mean((a*b + c)**2 + tanh(a*d + e) + f*sin(g*a) + h*a + i*a*a)";
    TIME("8 numbers over 2^24: value", 4.0*(1 << 24), (ga_eval)(poly, "b, c, d, e, f, g, h, i, a", (const ga_array *[]){x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], data}, 9));
    TIME("8 numbers over 2^24: value and gradients", 4.0*(1 << 24), ga_grad(&v, g, 8, poly, "b, c, d, e, f, g, h, i, a", (const ga_array *[]){x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], data}, 9));
    ga_array *s = ga_random(GA_SHAPE(1000), GA_FLOAT32), *gs = ga_copy(s);
    TIME("1000 elements: s*2", 8e3, GA_EVAL_INTO(gs, s*2, s));
    TIME("1000 elements: grad mean(s*s)", 8e3, GA_EVAL_INTO(gs, grad(mean(s*s), s), s));
}
