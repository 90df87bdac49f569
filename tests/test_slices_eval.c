/* Slices inside expressions: random ones against NumPy's results, slices that
   are set, bounds that are operands, every error with its caret and nothing
   written.                                                                  */
#include "golden.h"

#include <limits.h>

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

/* ------------------------------------------------------------- what is set */
static void is_now(const ga_array *x, ga_shape s, const double *want) {
    t_same(x, GA_FLOAT64, s, want);
}
TEST(sets) {
    GA_SCOPE;
    const ga_shape six = GA_SHAPE(6);
    ga_array *v = ga_arange(0.0, 6, 1), *w = ga_mul(v, 10.0);
    /* reads come before writes, whatever overlaps */
    T_CHECK(GA_EVAL_SET(v[1:] = v[:-1], v) == GA_OK);
    is_now(v, six, (double[]){0, 0, 1, 2, 3, 4});
    T_CHECK(GA_EVAL_SET(v[:-1] = v[1:] + 1, v) == GA_OK);
    is_now(v, six, (double[]){1, 2, 3, 4, 5, 4});
    T_CHECK(GA_EVAL_SET(v[::-1] = v, v) == GA_OK);
    is_now(v, six, (double[]){4, 5, 4, 3, 2, 1});
    /* statements one after the other */
    T_CHECK(GA_EVAL_SET(v[0] = 7; v[1:3] = v[0]*2; v[3:] = v[1] + v[:3], v)
            == GA_OK);
    is_now(v, six, (double[]){7, 14, 14, 21, 28, 28});
    T_CHECK(GA_EVAL_SET(v = w; v[2] = v[1] + 0.5; w[:2] = v[2:4], v, w)
            == GA_OK);
    is_now(v, six, (double[]){0, 10, 10.5, 30, 40, 50});
    is_now(w, six, (double[]){10.5, 30, 20, 30, 40, 50});
    /* names keep the values that they were given */
    T_CHECK(GA_EVAL_SET(t = v; s = 2*v; v[:] = 1; w[:3] = t[3:] + s[3:]
                        + v[3:], v, w) == GA_OK);
    is_now(v, six, (double[]){1, 1, 1, 1, 1, 1});
    is_now(w, six, (double[]){91, 121, 151, 30, 40, 50});
    /* the last of two that set the same */
    T_CHECK(GA_EVAL_SET(v[2:4] = 5; w[2:4] = v[2:4]; v[2:4] = 6, v, w)
            == GA_OK);
    is_now(v, six, (double[]){1, 1, 6, 6, 1, 1});
    is_now(w, six, (double[]){91, 121, 5, 5, 40, 50});
    T_CHECK(GA_EVAL_SET(v[2:4] = 5; v[2:4] = w[2:4] + 3, v, w) == GA_OK);
    is_now(v, six, (double[]){1, 1, 8, 8, 1, 1});
    /* one kernel for two results of the same slice, bounds that are operands */
    int i = 1, n = 4;
    T_CHECK(GA_EVAL_SET(v[i:n] = w[i:n] - 1; w[i:n] = v[i:n]*0, v, w, i, n)
            == GA_OK);
    is_now(v, six, (double[]){1, 120, 4, 4, 1, 1});
    is_now(w, six, (double[]){91, 0, 0, 0, 40, 50});
    /* a value behind what is set; casts to what is set; broadcasting */
    ga_array *k = ga_zeros(GA_SHAPE(2, 6), GA_INT8), *r;
    const ga_array *op[] = {k, v};
    T_CHECK(ga_eval_into(NULL, "k[0] = 3; k[:, 1] = k[0, 0] + 1", "k, v", op, 2)
            == GA_OK);
    r = (ga_eval)("k[1, ::2] = 9; k[1]*1.5", "k, v", op, 2);
    t_same(r, GA_FLOAT64, six, ((double[]){13.5, 6, 13.5, 0, 13.5, 0}));
    r = (ga_eval)("k[1] = 2; sum(k, axis=1)", "k, v", op, 2);
    t_same(r, GA_INT64, GA_SHAPE(2), ((int64_t[]){19, 12}));
    T_CHECK(ga_eval_into(v, "k[1] = 4; k[1] + 1", "k, v", op, 2) == GA_OK);
    is_now(v, six, (double[]){5, 5, 5, 5, 5, 5});
    /* nothing in it */
    T_CHECK(GA_EVAL_SET(v[6:] = w[:0], v, w) == GA_OK);
    T_CHECK(GA_EVAL_SET(v[3:3] = 1; v[0] = 2, v) == GA_OK);
    is_now(v, six, (double[]){2, 5, 5, 5, 5, 5});
    T_FINE();
}
/* Two operands that share memory: each part reads before it writes. */
TEST(shared_memory) {
    GA_SCOPE;
    ga_array *v = ga_arange(0.0, 6, 1), *w = ga_slice(v, "1:");
    T_CHECK(GA_EVAL_SET(w[:3] = v[:3], v, w) == GA_OK);
    is_now(v, GA_SHAPE(6), (double[]){0, 0, 1, 2, 4, 5});
    T_CHECK(GA_EVAL_SET(v[1:3] = 2*w[1:3]; w[1:3] = 3*v[1:3], v, w) == GA_OK);
    is_now(v, GA_SHAPE(6), (double[]){0, 2, 6, 12, 4, 5});
}

/* ----------------------------------------------------- the same as ga_slice */
TEST(dtypes) {
    GA_SCOPE;
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        t_context("%s", ga_dtype_name((ga_dtype)t));
        ga_array *x = t_random_array((ga_dtype)t, GA_SHAPE(7, 19, 23), 0, 2);
        ga_array *y = ga_add(ga_slice(x, "1:, ::-2, 3:"),
                             ga_slice(x, "0, ::2, :-3"));
        t_same_arrays(GA_EVAL("x[1:, ::-2, 3:] + x[0, ::2, :-3]", x), y, 0);
        t_same_arrays(GA_EVAL("x[..., 0]", x), ga_slice(x, "..., 0"), 0);
        ga_array *o = ga_zeros(GA_SHAPE(7, 40, 23), (ga_dtype)t);
        ga_array *p = ga_copy(o);
        ga_assign(ga_slice(p, ":, 1:39:2"), x);
        T_CHECK(GA_EVAL_SET("o[:, 1:39:2] = x", o, x) == GA_OK);
        t_same_arrays(o, p, 0);
    }
}
/* Large enough for every path of the kernels; one plan for all bounds. */
TEST(stencil) {
    GA_SCOPE;
    ga_array *u = t_random_array(GA_FLOAT32, GA_SHAPE(311, 1030), -1, 1);
    for (int i = 1; i < 4; i++)
        for (int j = 1; j < 6; j += 2) {
            t_context("by %d and %d", i, j);
            ga_array *c = ga_slice(u, "%d:-%d, %d:-%d", i, i, j, j);
            ga_array *n = ga_slice(u, ":-%d, %d:-%d", 2*i, j, j);
            ga_array *s = ga_slice(u, "%d:, %d:-%d", 2*i, j, j);
            ga_array *w = ga_slice(u, "%d:-%d, :-%d", i, i, 2*j);
            ga_array *e = ga_slice(u, "%d:-%d, %d:", i, i, 2*j);
            ga_array *want = ga_sub(ga_sub(ga_sub(ga_sub(ga_mul(4, c), n), s), w),
                                    e);
            t_same_arrays(GA_EVAL("4*u[i:-i, j:-j] - u[:-2*i, j:-j]"
                                  "- u[2*i:, j:-j] - u[i:-i, :-2*j]"
                                  "- u[i:-i, 2*j:]", u, i, j), want, 0);
            ga_array *o = ga_zeros_like(u), *p = ga_zeros_like(u);
            ga_assign(ga_slice(p, "%d:-%d, %d:-%d", i, i, j, j), want);
            T_CHECK(GA_EVAL_SET("o[i:-i, j:-j] = 4*u[i:-i, j:-j]"
                                "- u[:-2*i, j:-j] - u[2*i:, j:-j]"
                                "- u[i:-i, :-2*j] - u[i:-i, 2*j:]", o, u, i, j)
                    == GA_OK);
            t_same_arrays(o, p, 0);
            ga_array *sums = GA_EVAL("sum(u[i:, j:]*u[:-i, :-j], axis=0)", u, i,
                                     j);
            t_same_arrays(sums, GA_EVAL(sum(a*b, axis=0),
                                        (a, ga_slice(u, "%d:, %d:", i, j)),
                                        (b, ga_slice(u, ":-%d, :-%d", i, j))),
                          0);
        }
}
/* More slices than one kernel reads; 48 of them, and one too many. */
TEST(many) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_INT64, GA_SHAPE(60), -99, 99);
    char text[1200];
    for (int n = 11; n <= 49; n++) {
        char *p = text;
        ga_array *want = ga_zeros(GA_SHAPE(10), GA_INT64);
        for (int i = 0; i < n; i++) {
            p += sprintf(p, "%s%d*x[%d:%d]", i ? " + " : "", i + 1, i, i + 10);
            ga_add_into(want, want, ga_mul(i + 1, ga_slice(x, "%d:%d", i,
                                                           i + 10)));
        }
        const ga_array *op[] = {x};
        ga_array *y = (ga_eval)(text, "x", op, 1);
        if (n < 49) t_same_arrays(y, want, 0);
        else T_ERROR(GA_ERR_SIZE);
    }
}

/* ---------------------------------------------------------------- errors */
static const ga_array *hand[5];
static const char hand_names[] = "x, y, i, f, v";
static void fails(const char *text, ga_status st, const char *says,
                  const char *under) {
    t_context("%s", text);
    int64_t live = ga_live_arrays();
    bool sets = strstr(text, " = ") != NULL;
    ga_array *before = ga_copy(hand[4]), *r = NULL;
    ga_status got = GA_OK;
    if (sets) got = ga_eval_into(NULL, text, hand_names, hand, 5);
    else r = (ga_eval)(text, hand_names, hand, 5);
    T_CHECK(!r && (!sets || got == st));
    const char *m = ga_error_message(), *caret = strrchr(m, '\n');
    T_CHECKF(strstr(m, says) != NULL, "\"%s\" expected in \"%s\"", says, m);
    int at = caret ? (int)strlen(caret) - 2 : 0;
    const char *place = under;
    for (const char *p = text; *p; p++)
        if (*under && !strncmp(p, under, strlen(under))) place = p;
    if (!*under) place = text + strlen(text);
    T_CHECKF(caret && at == (int)(place - text) + 2, "the caret: %s", m);
    T_ERROR(st);
    T_CHECK(ga_live_arrays() == live + 1);
    t_same_arrays(hand[4], before, 0);
    ga_free(before);
}
TEST(errors) {
    GA_SCOPE;
    ga_array number[2];
    hand[0] = ga_reshape(ga_arange(0, 12, 1), GA_SHAPE(3, 4));
    hand[1] = ga_arange(0, 5, 1);
    hand[2] = ga__arg_i(2, &number[0]);
    hand[3] = ga__arg_f(0.5, &number[1]);
    hand[4] = ga_zeros(GA_SHAPE(3, 4), GA_FLOAT64);
    const ga_status syn = GA_ERR_SYNTAX, ind = GA_ERR_INDEX;
    fails("x[0", syn, "']' is missing", "");
    fails("x[0 1]", syn, "expected ',' or ']'", "1]");
    fails("x[]", syn, "an index is missing", "]");
    fails("x[,]", syn, "unexpected ','", ",]");
    fails("x[..., ...]", syn, "possible once", "...]");
    fails("x[1:2:3:4]", syn, "expected ',' or ']'", ":4]");
    fails("x[q:]", syn, "unknown name 'q'", "q");
    fails("x[1)]", syn, "expected ',' or ']'", ")]");
    fails("3[0]", syn, "unexpected '['", "[0]");
    fails("x[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", ind, "too many indices",
          "0]");
    fails("i[0]", GA_ERR_VALUE, "a C number has no axes", "[0]");
    fails("x[0, 0, 0]", ind, "too many indices: the array has 2 dimensions, "
          "but 3", "[0, 0, 0]");
    fails("x + x[3]", ind, "index 3 is out of bounds for axis 0 with size 3",
          "[3]");
    fails("x[:, -5]", ind, "index -5 is out of bounds for axis 1 with size 4",
          "[:, -5]");
    fails("x[i + 1]", ind, "index 3 is out of bounds", "[i + 1]");
    fails("x[::0]", GA_ERR_VALUE, "the step cannot be zero", "0]");
    fails("x[::i - 2]", GA_ERR_VALUE, "the step cannot be zero", "[::i");
    fails("x[1.5]", GA_ERR_DTYPE, "bound is an integer, not float64", "1.5");
    fails("x[f:]", GA_ERR_DTYPE, "bound is an integer, not float64", "f:");
    fails("x[::f]", GA_ERR_DTYPE, "step is an integer, not float64", "f]");
    fails("x[true]", GA_ERR_DTYPE, "not bool", "true");
    fails("x[y]", GA_ERR_DTYPE, "is a C number, not an array of int64", "y]");
    fails("x[:y[0]]", GA_ERR_DTYPE, "is a C number", "[0]");
    fails("x[None, None, None, None, None, None, None]", GA_ERR_SHAPE,
          "the slice gives 9 dimensions; 8", "[None, None, None, None, None,");
    fails("x[1:] + x", GA_ERR_SHAPE, "shapes (2,4) and (3,4)", "+ x");
    fails("(x + y)[0]", GA_ERR_SHAPE, "shapes (3,4) and (5,)", "+ y");
    fails("(x + 1)[3]", ind, "index 3 is out of bounds", "[3]");
    fails("sum(x, axis=0)[9]", ind, "index 9 is out of bounds", "[9]");
    /* what is set: nothing is, before all is known to be right */
    fails("v[0] = 1; v[1] = x", GA_ERR_SHAPE, "the output has shape (4,), the "
          "result (3,4)", "v[1]");
    fails("v[0] = 1; v[1] = x[9]", ind, "index 9", "[9]");
    fails("v[0] = 1; v[1] = sum(x, axis=5)", GA_ERR_AXIS, "axis 5", "sum");
    fails("v[0] = 1; v[1] = (x*2)[1, 7, 1]", ind, "too many", "[1, 7, 1]");
    fails("v[0] = 1; v[7] = 2", ind, "index 7 is out of bounds", "[7]");
    fails("v[0] = 1; v[1] = x[0] + y", GA_ERR_SHAPE, "(4,) and (5,)", "+ y");
    fails("v[0] = 1; v[1] = max(x[:0])", GA_ERR_EMPTY, "", "max");
    fails("v[0] = 1; y[0] = 2.5", GA_ERR_DTYPE, "does not go into", "y[0]");
    fails("v[0] = 1; i[0] = 2", GA_ERR_VALUE, "a C number cannot be written",
          "i[0]");
    fails("t = x; t[0] = 2; v = t", syn, "only of an operand", "t[0]");
    fails("v[0][1] = 2", syn, "a slice of a slice", "[1]");
    fails("v[0] + 1 = 2", syn, "only a name can be set", "= 2");
    /* into memory that several elements share */
    ga_array *wide = ga_broadcast_to(ga_ones(GA_SHAPE(4), GA_FLOAT64),
                                     GA_SHAPE(3, 4));
    hand[1] = wide;
    fails("v[0] = 1; y[1:] = 2", GA_ERR_READONLY, "is broadcast", "y[1:]");
}

/* ---------------------------------------------------------------- graphs */
typedef struct field { ga_array *u, *v; double k; } field;
static void turn(void *arg) {
    field *f = (field *)arg;
    for (int i = 0; i < 2; i++) {
        GA_EVAL_SET("v[1:-1, 1:-1] = u[1:-1, 1:-1] - k*(4*u[1:-1, 1:-1]"
                    "- u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2]"
                    "- u[1:-1, 2:]); v[0] = v[1]; v[:, -1] = v[:, -2]",
                    (v, i ? f->u : f->v), (u, i ? f->v : f->u), (k, f->k));
    }
}
TEST(graphs) {
    GA_SCOPE;
    ga_array *u = t_random_array(GA_FLOAT32, GA_SHAPE(70, 90), 0, 1);
    field a = {u, ga_copy(u), 0.25}, b = {ga_copy(u), ga_copy(u), 0.25};
    ga_graph *g = ga_graph_create(turn, &a);
    T_FINE();
    for (int i = 0; i < 5; i++) {
        T_CHECK(ga_graph_launch(g) == GA_OK);
        turn(&b);
    }
    t_same_arrays(a.u, b.u, 0);
    t_same_arrays(a.v, b.v, 0);
    ga_graph_destroy(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(as_numpy), T(operands_with_names), T(strings), T(macros_of_headers),
        T(sets), T(shared_memory), T(dtypes), T(stencil), T(many),
        T(errors),
        T(graphs)};
    return T_RUN("slices_eval", tests);
}
