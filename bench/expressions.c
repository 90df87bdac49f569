/* expressions.c - fused expressions as they come: dtypes, broadcasting in three
   dimensions, slices, comparisons, twelve operands, reductions over each axis.
   One JSON line a case, as bench.c prints them, beside the copy or read rate
   measured here; results are checked against the CPU device.

       make build/cuda/bench/expressions                by the interpreter
       make build/cuda/recorded/bench/expressions       by recorded kernels
       ... --jit                                        by NVRTC
       python3 bench/expressions.py torch|jax|cupy|numba     the same by others

   --no-check leaves the check out, --quick takes small arrays, --tell says how each
   one runs, --cases=name,...                                                   */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_rtc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPERANDS = 12 };
static struct { bool jit, quick, check, tell; const char *cases; } go = {
    false, false, true, false, ""};

/* Operands: dtype, then the shape by letters: N the array, H half of it as
   rows of 8192, 3 as a cube, r and c a row and a column of the matrix, a b d
   one axis of the cube, i and n s e w the matrix's inside and its neighbours,
   W all of that, 0 an array of no axes.                                       */
typedef struct operand { ga_dtype t; char shape; } operand;
typedef struct expression {
    const char *name, *text, *names;
    operand in[OPERANDS];
    operand out;                    /* shape 0: the result's own            */
    double tolerance;               /* relative, of the CPU device's values */
    int sets;                       /* the first operands, by statements    */
} expression;

#define F GA_FLOAT32
#define D GA_FLOAT64
#define T12(t) {t, 'N'}, {t, 'N'}, {t, 'N'}, {t, 'N'}, {t, 'N'}, {t, 'N'}, \
    {t, 'N'}, {t, 'N'}, {t, 'N'}, {t, 'N'}, {t, 'N'}, {t, 'N'}
static const expression all[] = {
    {"gauss_f64", "exp(-0.5*((x - 0.3)/0.2)**2)/0.7", "x", {{D, 'N'}}, {D, 'N'}, 1e-14, 0},
    {"blend_f16", "x*0.3 + y*0.7", "x, y", {{GA_FLOAT16, 'N'}, {GA_FLOAT16, 'N'}},
     {GA_FLOAT16, 'N'}, 1e-3, 0},
    {"relu_bf16", "maximum(x, 0.5)*1.5 + 0.25", "x", {{GA_BFLOAT16, 'N'}},
     {GA_BFLOAT16, 'N'}, 1e-2, 0},
    {"julia_c64", "x*x + (0.3 + 0.5i)", "x", {{GA_COMPLEX64, 'N'}}, {GA_COMPLEX64, 'N'}, 1e-6, 0},
    {"hash_i32", "(x*3 ^ (x >> 2)) & 0xffff", "x", {{GA_INT32, 'N'}}, {GA_INT32, 'N'}, 0, 0},
    {"step_u8", "where(x > 50, x + 1, x & 7)", "x", {{GA_UINT8, 'N'}}, {GA_UINT8, 'N'}, 0, 0},
    {"logs_f32", "erf(x)*log(y + 1) + z", "x, y, z", {{F, 'N'}, {F, 'N'}, {F, 'N'}}, {F, 'N'}, 1e-6, 0},
    {"compare_f32", "where((x > 0.2 && y < 0.7) || x*y > 0.5, x, y)", "x, y",
     {{F, 'N'}, {F, 'N'}}, {F, 'N'}, 0, 0},
    {"twelve_f32", "a*b + c*d + e*f + g*h + i*j + k*l", "a, b, c, d, e, f, g, h, i, j, k, l",
     {T12(F)}, {F, 'N'}, 1e-6, 0},
    {"outer_f64", "sqrt((x - y)**2 + 1)", "x, y", {{D, 'r'}, {D, 'c'}}, {D, 'H'}, 1e-14, 0},
    {"cube_f32", "x*a + b - d", "x, a, b, d", {{F, '3'}, {F, 'a'}, {F, 'b'}, {F, 'd'}},
     {F, '3'}, 1e-6, 0},
    {"stencil_f32", "u + 0.1*(n + s + e + w - 4*u)", "u, n, s, e, w",
     {{F, 'i'}, {F, 'n'}, {F, 's'}, {F, 'e'}, {F, 'w'}}, {F, 'I'}, 1e-6, 0},
    {"sumsq_f32", "sum((x - y)**2)", "x, y", {{F, 'N'}, {F, 'N'}}, {F, 0}, 1e-6, 0},
    {"meansq_f64", "mean(x*x)", "x", {{D, 'N'}}, {D, 0}, 1e-13, 0},
    {"mean_f16", "mean(x*x)", "x", {{GA_FLOAT16, 'N'}}, {GA_FLOAT16, 0}, 1e-3, 0},
    {"cube_max_0", "max(x*2 - 1, axis=0)", "x", {{F, '3'}}, {F, 0}, 0, 0},
    {"cube_sum_1", "sum(x*x, axis=1)", "x", {{F, '3'}}, {F, 0}, 1e-6, 0},
    {"cube_sum_2", "sum(x*x, axis=2)", "x", {{F, '3'}}, {F, 0}, 1e-6, 0},
    {"cube_any_02", "any(x > 0.999, axis=(0, 2))", "x", {{F, '3'}}, {GA_BOOL, 0}, 0, 0},
    {"distance_f32", "sum((x - y)**2, axis=1)", "x, y", {{F, 'H'}, {F, 'r'}}, {F, 0}, 1e-6, 0},
    {"meansq_rows_f32", "mean(x*x, axis=1)", "x", {{F, 'H'}}, {F, 0}, 1e-6, 0},
    {"softmax_f32", "e = exp(x - max(x, axis=1, keepdims=true)); e/sum(e, axis=1, keepdims=true)",
     "x", {{F, 'H'}}, {F, 'H'}, 1e-6, 0},
    {"norm_f32", "d = x - mean(x, axis=1, keepdims=true);"
     "d/sqrt(mean(d*d, axis=1, keepdims=true) + 1e-5)", "x", {{F, 'H'}}, {F, 'H'}, 1e-5, 0},
    {"diffusion_f32", "v[1:-1, 1:-1] = u[1:-1, 1:-1] - 0.25*(4*u[1:-1, 1:-1] - u[:-2, 1:-1]"
     "- u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:])", "v, u", {{F, 'W'}, {F, 'W'}}, {F, 'W'}, 1e-6, 1},
    {"meansq_grad_f32", "L = mean(x*x); g = grad(L, x)", "L, g, x",
     {{F, '0'}, {F, 'N'}, {F, 'N'}}, {F, 'N'}, 1e-6, 2},
    {"fit_grad_f32", "L = mean((w*x + c - y)**2); a = grad(L, w); b = grad(L, c)",
     "L, a, b, w, c, x, y", {{F, '0'}, {F, '0'}, {F, '0'}, {F, '0'}, {F, '0'}, {F, 'N'}, {F, 'N'}},
     {F, 0}, 1e-5, 3},
    {"logistic_grad_f32", "z = w*x + c; L = mean(log1p(exp(-z)) + (1 - y)*z);"
     "a = grad(L, w); b = grad(L, c)", "L, a, b, w, c, x, y",
     {{F, '0'}, {F, '0'}, {F, '0'}, {F, '0'}, {F, '0'}, {F, 'N'}, {F, 'N'}}, {F, 0}, 1e-5, 3},
    {"rows_grad_f32", "L = mean(tanh(x*w + c)**2); a = grad(L, w); b = grad(L, c)",
     "L, a, b, w, c, x", {{F, '0'}, {F, 'r'}, {F, 'r'}, {F, 'r'}, {F, 'r'}, {F, 'H'}}, {F, 0}, 1e-5, 3},
    {"stencil_grad_f32", "L = sum((4*u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2]"
     "- u[1:-1, 2:])**2); g = grad(L, u)", "L, g, u", {{F, '0'}, {F, 'W'}, {F, 'W'}},
     {F, 'W'}, 1e-5, 2},
};

static double scale(ga_dtype t) {   /* of integers: their range             */
    return t == GA_UINT8 ? 100 : t == GA_INT32 ? 1e6 : 1;
}
static int64_t length(void) { return go.quick ? (int64_t)1 << 18 : (int64_t)1 << 27; }
static ga_array *make(operand o) {
    const int64_t n = length(), side = go.quick ? 64 : 512, w = go.quick ? 512 : 8192;
    const int64_t h = n / 2 / w;
    if (o.shape == 'N')
        return ga_astype(ga_mul(ga_random(GA_SHAPE(n), F), scale(o.t)), o.t);
    ga_array *m = ga_random(GA_SHAPE(h + 2, w), F);
    switch (o.shape) {
    case '3': return ga_astype(ga_random(GA_SHAPE(n / side / side, side, side), F), o.t);
    case 'a': return ga_astype(ga_random(GA_SHAPE(n / side / side, 1, 1), F), o.t);
    case 'b': return ga_astype(ga_random(GA_SHAPE(side, 1), F), o.t);
    case 'd': return ga_astype(ga_random(GA_SHAPE(side), F), o.t);
    case 'r': return ga_astype(ga_random(GA_SHAPE(w), F), o.t);
    case 'c': return ga_astype(ga_random(GA_SHAPE(h, 1), F), o.t);
    case 'H': return ga_astype(ga_random(GA_SHAPE(h, w), F), o.t);
    case 'W': return m;
    case '0': return ga_random(GA_SCALAR_SHAPE, F);
    case 'i': return ga_slice(m, "1:-1, 1:-1");
    case 'n': return ga_slice(m, ":-2, 1:-1");
    case 's': return ga_slice(m, "2:, 1:-1");
    case 'w': return ga_slice(m, "1:-1, :-2");
    case 'e': return ga_slice(m, "1:-1, 2:");
    default: return ga_empty(GA_SHAPE(h, w - 2), o.t);
    }
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* The median of runs of f(arg), ms. */
static double median(void (*f)(void *), void *arg) {
    enum { RUNS = 9, EACH = 10 };
    double t[RUNS];
    for (int r = 0; r < RUNS; r++) {
        const double start = now();
        for (int i = 0; i < EACH; i++) f(arg);
        ga_synchronize();
        t[r] = (now() - start) / EACH;
    }
    qsort(t, RUNS, sizeof *t, ascending);
    return t[RUNS / 2];
}

typedef struct call {
    ga_expr *e;
    const ga_array *x[OPERANDS];
    int n;
    ga_array *out;
} call;
static void once(void *arg) {
    const call *c = (const call *)arg;
    ga_expr_run_into(c->out, c->e, c->x, c->n);
}
static void copy(void *arg) {
    const call *c = (const call *)arg;
    ga_assign(c->out, c->x[0]);
}
static void read_all(void *arg) {
    const call *c = (const call *)arg;
    ga_max_into(c->out, c->x[0], GA_ALL);
}
/* ms to move so many bytes: as a copy, or as they are read. */
static double limit(double bytes, bool reads) {
    static double rate[2];
    if (!rate[reads]) {
        GA_SCOPE;
        const int64_t n = length();
        call c = {NULL, {ga_ones(GA_SHAPE(n), F)}, 1, reads
                  ? ga_empty(GA_SCALAR_SHAPE, F) : ga_empty(GA_SHAPE(n), F)};
        void (*f)(void *) = reads ? read_all : copy;
        f(&c);
        rate[reads] = (double)n * (reads ? 4 : 8) / median(f, &c);
    }
    return bytes / rate[reads];
}
/* Is it what the CPU device gives? Operands and result are copied there. */
static bool right(const expression *e, const call *c) {
    GA_DEVICE(GA_CPU);
    GA_SCOPE;
    const ga_array *x[OPERANDS];
    for (int i = 0; i < c->n; i++) x[i] = ga_to_device(c->x[i], GA_CPU);
    const ga_array *got[OPERANDS], *want[OPERANDS];
    bool good = true;
    double t = e->tolerance;
    if (e->sets) {                  /* x has what the device has set        */
        for (int i = 0; i < e->sets; i++) got[i] = ga_copy(x[i]);
        good = !ga_eval_into(NULL, e->text, e->names, x, c->n);
        memcpy(want, x, sizeof want);
    } else {
        *want = (ga_eval)(e->text, e->names, x, c->n);
        *got = ga_to_device(c->out, GA_CPU);
    }
    for (int i = 0; i < (e->sets ? e->sets : 1) && good; i++) {
        ga_array *g = ga_astype(got[i], GA_COMPLEX128), *w = ga_astype(want[i], GA_COMPLEX128);
        good = ga_item(GA_EVAL(all(abs(g - w) <= t*(abs(w) + max(abs(w)))), g, w, t)) != 0;
    }
    return good;
}
static int run(const expression *e) {
    GA_SCOPE;
    call c = {NULL, {NULL}, 0, NULL};
    double bytes = 0;
    while (c.n < OPERANDS && e->in[c.n].shape) {
        c.x[c.n] = make(e->in[c.n]);
        bytes += (double)c.x[c.n]->size * (double)ga_dtype_size(e->in[c.n].t);
        c.n++;
    }
    ga_synchronize();
    const double start = now();
    c.e = ga_expr_compile(e->text, e->names);
    if (go.jit && ga_expr_jit(c.e)) return 1;
    if (!e->sets) c.out = (ga_expr_run)(c.e, c.x, c.n);
    else if (ga_expr_run_into(NULL, c.e, c.x, c.n)) return 1;
    ga_synchronize();
    const double first = now() - start;
    if (!e->sets && !c.out) return 1;
    if (c.out) bytes += (double)c.out->size * (double)ga_dtype_size(c.out->dtype);
    const double ms = median(once, &c);
    char *way = (ga_expr_describe)(c.e, c.x, c.n);
    const char *impl = strstr(way, "interpreter") ? "gpuarr"
                       : strstr(way, "run time") ? "gpuarr jit" : "gpuarr recorded";
    if (go.tell) fprintf(stderr, "%s\n%s", e->name, way);
    const bool good = !go.check || right(e, &c);
    printf("{\"case\": \"expr_%s\", \"impl\": \"%s\", \"median_ms\": %.4f, "
           "\"first_ms\": %.2f, \"limit_ms\": %.4f%s}\n", e->name, impl, ms, first,
           limit(bytes, !e->out.shape), good ? "" : ", \"error\": \"wrong\"");
    fflush(stdout);
    free(way);
    ga_expr_free(c.e);
    return !good;
}
int main(int argc, char **argv) {
    int bad = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--jit")) go.jit = true;
        else if (!strcmp(argv[i], "--quick")) go.quick = true;
        else if (!strcmp(argv[i], "--no-check")) go.check = false;
        else if (!strcmp(argv[i], "--tell")) go.tell = true;
        else if (!strncmp(argv[i], "--cases=", 8)) go.cases = argv[i] + 8;
        else return fprintf(stderr, "%s: unknown\n", argv[i]), 2;
    }
    ga_on_error(GA_PRINT);
    ga_random_seed(1);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!*go.cases || strstr(go.cases, all[i].name)) bad += run(&all[i]);
    return bad;
}
