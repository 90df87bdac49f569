/* Slices inside expressions: random ones against NumPy's results, what they
   share, slices that are set, bounds that are operands, every error with its
   caret and nothing written.                                                */
#define GPUARR_IMPLEMENTATION
#include "golden.h"

/* u[k] = (37 k) mod 101, v[k] = (53 k) mod 97 */
static ga_array *counted(ga_shape s, int64_t by, int64_t mod, ga_dtype t) {
    int64_t n = t_size(s);
    void *p = t_alloc((size_t)n * ga_dtype_size(t) + 1);
    for (int64_t k = 0; k < n; k++) t_store(p, t, k, (double)(by * k % mod), 0);
    return ga_asarray_as(p, t, s);
}
TEST(as_numpy) {
    g_load("slices.bin");
    for (int k = 0;; k++) {
        GA_SCOPE;
        const g_record *text = g_find("%d/text", k), *out = g_find("%d/out", k);
        if (!text) break;
        const g_record *shape = g_find("%d/shape", k), *ij = g_find("%d/ij", k);
        const int64_t *dim = (const int64_t *)shape->data,
                      *n = (const int64_t *)ij->data;
        ga_shape s = {(int)shape->size, {0}};
        memcpy(s.dim, dim, (size_t)shape->size * 8);
        const char *t = (const char *)text->data;
        bool sets = strchr(t, '=') && !strstr(t, "axis=");
        const char *first = strpbrk(t, "=(");
        sets |= first && *first == '=';
        for (int layout = 0; layout < 4; layout++) {
            t_context("%s, layout %d", t, layout);
            ga_array number[2];
            ga_array *v = t_laid_out(counted(s, 53, 97, GA_INT64), layout);
            const ga_array *x[] = {t_laid_out(counted(s, 37, 101, GA_INT64),
                                              layout * 3 % 4), v,
                                   ga__arg_i(n[0], &number[0]),
                                   ga__arg_i(n[1], &number[1])};
            ga_array *r = v;
            if (!sets) r = (ga_eval)(t, "u, v, i, j", x, 4);
            else T_CHECK(ga_eval_into(NULL, t, "u, v, i, j", x, 4) == GA_OK);
            T_FINE();
            t_same(r, GA_INT64, out->shape, out->data);
        }
        t_release_host();
    }
    g_free();
}

/* ------------------------------------------------------------ the macros */
typedef struct pair { ga_array *e; int k; } pair;
#define WRAPPED(x) (x)              /* expands its argument's macros        */
static int calls;
static ga_array *once(ga_array *x) {
    calls++;
    return x;
}
TEST(operands_with_names) {
    GA_SCOPE;
    ga_array *x = ga_arange(0, 6, 1), *v = ga_zeros(GA_SHAPE(6), GA_FLOAT64);
    pair of = {ga_mul(x, 2.0), 3}, *p = &of;
    int n = 2;
    double k = 2.5;
    t_same_arrays(GA_EVAL(e - w, (e, of.e), (w, ga_slice(x, "1"))),
                  ga_sub(of.e, 1), 0);
    t_same_arrays(GA_EVAL(e*k + q - x, (e, p->e), k, (q, of.k + 1), x),
                  ga_sub(ga_add(ga_mul(of.e, k), 4), x), 0);
    calls = 0;
    t_same_arrays(GA_EVAL(y + y, (y, once(x))), ga_add(x, x), 0);
    T_CHECK(calls == 1);
    t_same_arrays(GA_EVAL(y + 1, (y, ga_slice(GA_EVAL(x*t, x, (t, n)), "2:"))),
                  ga_add(ga_mul(ga_slice(x, "2:"), 2), 1), 0);
    /* a cast, parentheses and calls are no pairs */
    t_same_arrays(GA_EVAL(x*k, x, (float)k), ga_mul(x, 2.5), 0);
    t_same_arrays(GA_EVAL(x + s, (x), (s, ")),\"("[0])), ga_add(x, 41), 0);
    ga_expr *f = ga_expr_compile("x*n", "x, n");
    t_same_arrays(GA_EXPR_RUN(f, x, (double)n), ga_mul(x, 2.0), 0);
    ga_expr_free(f);
    T_CHECK(GA_EVAL_INTO(v, where(a > 1, a, b), (a, p->e), (b, 0.5)) == GA_OK);
    t_same_arrays(v, ga_where(ga_greater(of.e, 1), of.e, 0.5), 0);
    T_CHECK(GA_EVAL_SET(v[0] = 7; v[1:n+1] = w, v, n, (w, 2*3)) == GA_OK);
    t_same(v, GA_FLOAT64, GA_SHAPE(6), ((double[]){7, 6, 6, 6, 8, 10}));
    {
        GA_DEVICE(GA_CPU);
        ga_array *h = ga_arange(0, 6, 1), *out = ga_zeros(GA_SHAPE(4), GA_INT64);
        T_CHECK(GA_EVAL_HOST_INTO(out, y[2:] + h[:-2], h, (y, once(h)))
                == GA_OK);
        t_same(out, GA_INT64, GA_SHAPE(4), ((int64_t[]){2, 4, 6, 8}));
    }
    ga_array *h = ga_wrap(t_fill(t_alloc(48), GA_INT64, 6, 1, 9), GA_INT64,
                          GA_SHAPE(6), NULL, GA_CPU, NULL, NULL);
    ga_array *out = ga_wrap(t_alloc(32), GA_INT64, GA_SHAPE(4), NULL, GA_CPU,
                            NULL, NULL);
    T_CHECK(GA_EVAL_HOST_INTO(out, h[2:] + h[:-2], h) == GA_OK);
    for (int i = 0; i < 4; i++)
        T_CHECK(((int64_t *)out->data)[i] == ((int64_t *)h->data)[i]
                + ((int64_t *)h->data)[i + 2]);
}
TEST(strings) {
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange(0, 12, 1), GA_SHAPE(3, 4));
    ga_array *want = ga_add(ga_slice(x, "1:, :-1"), ga_slice(x, ":-1, 1:"));
    t_same_arrays(GA_EVAL("x[1:, :-1] + x[:-1, 1:]", x), want, 0);
    t_same_arrays(GA_EVAL((x[1:, :-1] + x[:-1, 1:]), x), want, 0);
    t_same_arrays(GA_EVAL("x[1:, :-1] "
                          "+ x[:-1,\n 1:]", x), want, 0);
    T_CHECK(!GA_EVAL("x[1:, :-1] + nosuch", x));
    T_CHECK(strstr(ga_error_message(), "\n  x[1:, :-1] + nosuch\n"));
    T_ERROR(GA_ERR_SYNTAX);
}
TEST(macros_of_headers) {
    GA_SCOPE;
    ga_array *x = ga_arange(0, 4, 1), *i = ga_astype(x, GA_INT32);
    const double pi = 3.141592653589793;
    t_same_arrays(GA_EVAL(x*M_PI, x), ga_mul(x, pi), 0);
    t_same_arrays(WRAPPED(GA_EVAL(x*M_PI, x)), ga_mul(x, pi), 0);
    t_same_arrays(GA_EVAL(x + 2*I, x), ga_add(x, t_c128(0, 2)), 0);
    t_same_arrays(WRAPPED(GA_EVAL(x + 2*I, x)), ga_add(x, t_c128(0, 2)), 0);
    t_same_arrays(GA_EVAL(where(x > 1, x, INFINITY), x),
                  ga_where(ga_greater(x, 1), x, (double)INFINITY), 0);
    t_same_arrays(WRAPPED(GA_EVAL(where(x > 1, NAN, -INFINITY), x)),
                  ga_where(ga_greater(x, 1), (double)NAN, (double)-INFINITY),
                  0);
    t_same_arrays(GA_EVAL(i + INT_MAX, i), ga_add(i, INT_MAX), 0);
    t_same_arrays(WRAPPED(GA_EVAL(i + INT_MIN, i)), ga_add(i, INT_MIN), 0);
    t_same_arrays(GA_EVAL(uint64(i) + UINT64_MAX, i),
                  ga_add(ga_astype(i, GA_UINT64), UINT64_MAX), 0);
    t_same_arrays(WRAPPED(GA_EVAL(int64(i) - INT64_MAX, i)),
                  ga_sub(ga_astype(i, GA_INT64), INT64_MAX), 0);
    t_same_arrays(GA_EVAL(x*DBL_EPSILON + FLT_EPSILON, x),
                  ga_add(ga_mul(x, 0x1p-52), 0x1p-23), 0);
    double M_E_ = 1, e = 5;         /* an operand's name comes first        */
    t_same_arrays(GA_EVAL(x + M_PI + e, x, (M_PI, M_E_), e), ga_add(x, 6.0), 0);
    T_CHECK(!GA_EVAL(x*RAND_MAX, x));
    T_CHECK(strstr(ga_error_message(), "'RAND_MAX'; the value of a macro"));
    T_ERROR(GA_ERR_SYNTAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(as_numpy), T(operands_with_names), T(strings), T(macros_of_headers)};
    return T_RUN("slices_eval", tests);
}
