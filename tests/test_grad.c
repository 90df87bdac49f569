/* Gradients: every row of the tables against differences in float64; two
   hundred expressions and those at ties and kinks against JAX (golden/
   grad.bin); outputs, shapes and layouts, dtypes, errors and their carets,
   graphs, a training loop.                                                 */
#include "golden.h"
#include "rows.h"

typedef struct texts { const char *by[2]; } texts;
#define TEXTS(n, t, r, c, u, lo, hi, ...) {{__VA_ARGS__}},
static const texts unary_texts[] = {GA_UNARY_OPS(TEXTS)};
static const texts binary_texts[] = {GA_BINARY_OPS(TEXTS)};
#undef TEXTS

/* x's elements within the relative distance eps of y's; of what is small
   beside the largest, or beside 1, of that.                                */
static void near_to(const ga_array *x, const ga_array *y, double eps) {
    if (!x || !y) {
        t_bad("%s", ga_error_message());
        ga_clear_error();
        return;
    }
    T_CHECKF(x->ndim == y->ndim && !memcmp(x->shape, y->shape,
             (size_t)x->ndim * sizeof *x->shape), "rank %d, not %d, or another "
             "shape", x->ndim, y->ndim);
    if (x->size != y->size || !x->size) return;
    GA_SCOPE;
    bool c = t_is_complex(x->dtype) || t_is_complex(y->dtype);
    ga_dtype t = c ? GA_COMPLEX128 : GA_FLOAT64;
    double *a = (double *)t_keep(ga_asnumpy(ga_astype(x, t), NULL));
    double *b = (double *)t_keep(ga_asnumpy(ga_astype(y, t), NULL));
    double most = 0;
    int64_t n = x->size * (c ? 2 : 1);
    for (int64_t i = 0; i < n; i++)
        if (isfinite(b[i]) && fabs(b[i]) > most) most = fabs(b[i]);
    for (int64_t i = 0; i < n; i++)
        T_CHECKF((isnan(a[i]) && isnan(b[i])) || a[i] == b[i]
                 || fabs(a[i] - b[i]) <= eps * (fabs(b[i]) + 0.01*most + 1e-3),
                 "[%d] %.17g, not %.17g", (int)i, a[i], b[i]);
}

/* ---------------------------------------------------------------- the rows */
#define POINTS 60
/* Slope of the row's function by operand k: five points, `step` apart. */
static ga_array *slope(const r_row *r, const ga_array *x, const ga_array *y,
                       int k, double step) {
    const ga_array *of = k ? y : x;
    ga_array *h = ga_mul(ga_minimum(ga_abs(of), 1), step), *f[4];
    static const double at[] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; i++) {
        ga_array *moved = ga_add(of, ga_mul(h, at[i]));
        f[i] = r->nin == 1 ? r->f1(moved) : k ? r->f2(x, moved)
                                              : r->f2(moved, y);
    }
    return ga_div(ga_add(ga_mul(ga_sub(f[2], f[1]), 8), ga_sub(f[0], f[3])),
                  ga_mul(h, 12));
}
static void check_row(const r_row *r, const texts *t) {
    double at[2][POINTS];
    double lo = r->lo, hi = r->hi, gap = (hi - lo) / (POINTS + 1);
    bool floats = (r->types & (GA__F | GA__D)) != 0;
    for (int i = 0; i < POINTS; i++) {
        at[0][i] = lo + gap * (i + 0.77);
        at[1][i] = lo + gap * ((i * 23 + 7) % POINTS + 0.71);
    }
    GA_SCOPE;
    ga_array *in[2];
    for (int k = 0; k < 2; k++) in[k] = ga_asarray(at[k], GA_SHAPE(POINTS));
    if (!strcmp(r->name, "polygamma"))
        ga_assign(in[0], ga_rint(in[0]));
    if (!strcmp(r->name, "ldexp")) in[1] = ga_astype(in[1], GA_INT32);
    for (int k = 0; k < r->nin; k++) {
        const char *text = t->by[k];
        char expr[80];
        t_context("%s by operand %d", r->name, k);
        T_CHECKF(text, "no text");
        if (!text || !floats) continue;
        snprintf(expr, sizeof expr, r->nin == 1 ? "grad(%s(x), x)"
                 : k ? "grad(%s(x, y), y)" : "grad(%s(x, y), x)", r->name);
        ga_array *g = (ga_eval)(expr, r->nin == 1 ? "x" : "x, y",
                                (const ga_array *const *)in, r->nin);
        if (!*text) {
            char message[80];
            snprintf(message, sizeof message, "%s has no derivative by its %s "
                     "operand", r->name, k ? "second" : "first");
            T_CHECK(!g);
            T_CHECKF(strstr(ga_error_message(), message), "%s",
                     ga_error_message());
            T_ERROR(GA_ERR_UNSUPPORTED);
            continue;
        }
        if (!strcmp(r->result, "BOOL") || r->nin == 0) {
            T_CHECK(!g);            /* a truth value has no gradient        */
            T_ERROR(GA_ERR_DTYPE);
            continue;
        }
        if (!g) {
            t_bad("%s", ga_error_message());
            ga_clear_error();
            continue;
        }
        /* no slope where two steps disagree, over a jump                    */
        ga_array *d = slope(r, in[0], in[1], k, 1e-4);
        ga_array *e = slope(r, in[0], in[1], k, 1e-4/3);
        ga_array *is = GA_EVAL(abs(d - e) <= 1e-6*(1 + abs(d)), d, e);
        T_CHECK(ga_item(ga_count_nonzero(is, GA_ALL)) > 0.8*POINTS);
        near_to(ga_where(is, g, 0), ga_where(is, d, 0), 1e-7);
    }
}
TEST(rows) {
    for (size_t i = 0; i < R_UNARIES; i++)
        check_row(&r_unaries[i], &unary_texts[i]);
    for (size_t i = 0; i < R_BINARIES; i++)
        check_row(&r_binaries[i], &binary_texts[i]);
}

/* --------------------------------------------------------------- JAX's words */
static ga_array *array_of(const g_record *r) {
    return ga_asarray_as(r->data, r->dtype, r->shape);
}
static const char *const words[] = {"x", "b", "c", "s", "t", "u", "z", "m"};
#define WORDS 8
static void check_golden(int k, const ga_array *const *x, const char *names) {
    GA_SCOPE;
    const char *text = (const char *)g_find("%d/text", k)->data;
    char expr[600];
    t_context("%s", text);
    near_to((ga_eval)(text, names, x, WORDS), array_of(g_find("%d/value", k)),
            1e-12);
    for (int i = 0; i < WORDS; i++) {
        const g_record *r = g_find("%d/%s", k, words[i]);
        if (!r) continue;
        t_context("%s by %s", text, words[i]);
        snprintf(expr, sizeof expr, "grad(%s, %s)", text, words[i]);
        near_to((ga_eval)(expr, names, x, WORDS), array_of(r), 1e-10);
    }
    const g_record *r = g_find("%d/twice/x", k);
    if (!r) return;
    t_context("%s twice by x", text);
    snprintf(expr, sizeof expr, "grad(grad(%s, x)**2, x)", text);
    near_to((ga_eval)(expr, names, x, WORDS), array_of(r), 1e-9);
}
TEST(golden) {
    GA_SCOPE;
    const ga_array *x[WORDS];
    int n = 0;
    g_load("grad.bin");
    for (int i = 0; i < WORDS; i++) x[i] = array_of(g_find("%s", words[i]));
    for (; g_find("%d/text", n); n++)
        check_golden(n, x, "x, b, c, s, t, u, z, m");
    T_CHECK(n > 300);
    g_free();
}

/* ------------------------------------------------------ outputs and shapes */
static ga_array *wave(int64_t n, int64_t m, ga_dtype t) {
    ga_array *x = ga_reshape(ga_linspace(-2, 3, n * m), GA_SHAPE(n, m));
    return ga_astype(ga_add(ga_sin(ga_mul(x, 7)), ga_mul(x, 0.25)), t);
}
/* Value and gradients in one call, by every road, beside the formulas. */
TEST(outputs) {
    GA_SCOPE;
    ga_array *x = wave(50, 70, GA_FLOAT64), *b = ga_full(GA_SCALAR_SHAPE, 0.5,
                                                         GA_FLOAT64);
    ga_array *a = ga_slice(wave(1, 70, GA_FLOAT64), "0");
    ga_array *t = ga_tanh(ga_add(ga_mul(a, x), b));
    ga_array *dt = ga_mul(ga_mul(t, 2), ga_sub(1, ga_square(t)));
    ga_array *want_L = ga_sum(ga_square(t), GA_ALL);
    ga_array *want_a = ga_sum(ga_mul(dt, x), GA_AXIS(0));
    ga_array *want_b = ga_sum(dt, GA_ALL), *want_x = ga_mul(dt, a);
    ga_array *L = ga_empty_like(b), *da = ga_empty_like(a);
    ga_array *db = ga_empty_like(b), *dx = ga_empty_like(x);
    GA_EVAL_SET(L = sum(tanh(a*x + b)**2); da = grad(L, a); db = grad(L, b);
                dx = grad(L, x), L, da, db, dx, x, a, b);
    t_context("GA_EVAL_SET");
    near_to(L, want_L, 1e-13);
    near_to(da, want_a, 1e-12);
    near_to(db, want_b, 1e-12);
    near_to(dx, want_x, 1e-12);
    ga_array *value, *g[3], *one[1];
    t_context("GA_GRAD");
    GA_GRAD(&value, g, sum(tanh(a*x + b)**2), a, b, x);
    near_to(value, want_L, 1e-13);
    near_to(g[0], want_a, 1e-12);
    near_to(g[1], want_b, 1e-12);
    near_to(g[2], want_x, 1e-12);
    GA_GRAD(NULL, one, p = a*x + b; tanh(p)**2, a, b, x);
    near_to(one[0], want_a, 1e-12);     /* of an array: of its sum          */
    GA_GRAD(&value, one, tanh(a*x + b)**2, b, a, x);
    near_to(one[0], want_b, 1e-12);
    near_to(value, ga_square(t), 1e-13);
    t_context("ga_expr_grad");
    ga_expr *f = ga_expr_compile("p = a*x + b; sum(tanh(p)**2) ; ", "a, b, x");
    ga_expr *fa = ga_expr_grad(f, "a"), *fab = ga_expr_grad(fa, "b");
    near_to(GA_EXPR_RUN(fa, a, b, x), want_a, 1e-12);
    ga_assign(da, 0);
    T_CHECK(!GA_EXPR_RUN_INTO(da, fa, a, b, x));
    near_to(da, want_a, 1e-12);
    ga_array *t2 = ga_square(t);
    near_to(GA_EXPR_RUN(fab, a, b, x),
            GA_EVAL(sum(2*(1 - t2)*(1 - 3*t2)*x), t2, x), 1e-11);
    ga_expr_free(f);
    ga_expr_free(fa);
    ga_expr_free(fab);
}

/* A reduction and what is stored, by one program where the shapes allow. */
static void check_joined(const ga_array *x, const ga_array *y, ga_array *g,
                         ga_axis axis, double eps) {
    ga_array *w = ga_copy(x), *q = ga_copy(y), *L = ga_empty(GA_SCALAR_SHAPE, x->dtype);
    double n = (double)x->size;
    GA_EVAL_SET(L = mean((x*y)**2); g = grad(L, x), L, g, x, y);
    near_to(L, ga_mean(ga_square(ga_mul(x, y)), GA_ALL), eps);
    near_to(g, ga_div(ga_mul(ga_mul(2, x), ga_square(y)), n), eps);
    /* both over operands                                                    */
    GA_EVAL_SET(L = sum(w*w*q); w = w - 0.5*grad(L, w); q = grad(L, q), L, w, q);
    near_to(L, ga_sum(ga_mul(ga_square(x), y), GA_ALL), eps);
    near_to(w, ga_sub(x, ga_mul(x, y)), eps);
    near_to(q, ga_square(x), eps);
    /* what stays, and what is stored                                        */
    ga_array *s = ga_sum(ga_sin(x), axis), *to = ga_empty_like(s);
    GA_EVAL_SET(to = grad(sum(y*sin(x)), s); g = grad(sum(x*y), x), to, g, x, y, s);
    near_to(to, ga_zeros_like(s), 0);
    near_to(g, y, eps);
    ga_assign(to, 1);
    if (axis.n == 1 && axis.axis[0] == 0)
        GA_EVAL_SET(to = sum(sin(x), axis=0); g = grad(x*y, y), to, g, x, y);
    else if (axis.n == 1)
        GA_EVAL_SET(to = sum(sin(x), axis=-1); g = grad(x*y, y), to, g, x, y);
    else
        GA_EVAL_SET(to = sum(sin(x)); g = grad(x*y, y), to, g, x, y);
    near_to(to, s, eps);
    near_to(g, x, eps);
}
TEST(joined) {
    static const ga_dtype t[] = {GA_FLOAT64, GA_FLOAT32, GA_FLOAT16};
    static const double eps[] = {1e-12, 2e-6, 1e-2};
    static const int shape[][2] = {{1, 100003}, {300, 1001}, {1001, 64}, {3, 5},
                                   {129, 256}, {100, 4}, {0, 7}};
    for (size_t i = 0; i < T_COUNT(t); i++)
        for (size_t k = 0; k < T_COUNT(shape); k++)
            for (int how = 0; how < 6; how++) {
                GA_SCOPE;
                if (t[i] == GA_FLOAT16 && k < 3) continue;
                ga_array *x = wave(shape[k][0], shape[k][1], t[i]);
                ga_array *y = ga_cos(x), *g = ga_zeros_like(x);
                t_context("%s (%d,%d) %d", ga_dtype_name(t[i]), shape[k][0],
                          shape[k][1], how);
                if (!x->size && how) continue;
                if (how == 3) {     /* every other row of something larger   */
                    g = ga_slice(ga_zeros(GA_SHAPE(2*shape[k][0], shape[k][1] + 1),
                                          t[i]), "::2, 1:");
                } else if (how == 4) {
                    g = ga_transpose(ga_zeros(GA_SHAPE(shape[k][1], shape[k][0]),
                                              t[i]), GA_ALL);
                } else if (how == 5) {
                    y = ga_broadcast_to(ga_slice(y, ":1"), ga_shape_of(x));
                }
                check_joined(x, y, g, how == 0 ? GA_ALL : GA_AXIS(how % 2 ? 0 : -1),
                             eps[i]);
            }
}

/* Reductions over the same elements, which are one program: each by itself. */
static void check_group(const ga_array *x, const ga_array *y, ga_axis axis,
                        const char *options, double eps) {
    static const char *const red[] = {"sum", "mean", "max", "min", "prod", "any"};
    static ga_array *(*const by[])(const ga_array *, ga_axis) = {
        (ga_sum), (ga_mean), (ga_max), (ga_min), (ga_prod), (ga_any)};
    const ga_array *of[] = {ga_mul(x, y), ga_sub(x, y), x, ga_square(y)};
    const char *text[] = {"x*y", "x - y", "x", "y**2"};
    for (int first = 0; first < 6; first += 2) {
        char set[400], *p = set;
        ga_array *want[4];
        const ga_array *z[6] = {x, y};
        for (int i = 0; i < 4; i++) {
            const int f = (first + i) % 6;
            want[i] = by[f](of[i], axis);
            z[2 + i] = ga_zeros_like(want[i]);
            p += sprintf(p, "%c = %s(%s%s); ", 'a' + i, red[f], text[i], options);
        }
        T_CHECK(!ga_eval_into(NULL, set, "x, y, a, b, c, d", z, 6));
        for (int i = 0; i < 4; i++) near_to(z[2 + i], want[i], eps);
    }
}
TEST(grouped) {
    static const ga_dtype t[] = {GA_FLOAT64, GA_FLOAT32, GA_FLOAT16, GA_BFLOAT16,
                                 GA_INT32, GA_INT64, GA_UINT8};
    static const double eps[] = {1e-12, 2e-5, 1e-2, 1e-1, 1e-12, 1e-12, 1e-12};
    static const int shape[][2] = {{1, 20001}, {200, 301}, {301, 128}, {3, 5},
                                   {700, 64}};
    for (size_t i = 0; i < T_COUNT(t); i++)
        for (size_t k = 0; k < T_COUNT(shape); k++) {
            GA_SCOPE;
            if (ga_dtype_size(t[i]) < 4 && !k) continue;
            ga_array *x = wave(shape[k][0], shape[k][1], GA_FLOAT64);
            x = ga_astype(ga_add(ga_mul(x, i > 3 ? 2 : 0.01), 1), t[i]);
            ga_array *y = ga_astype(ga_sub(2, x), t[i]);
            t_context("%s (%d,%d)", ga_dtype_name(t[i]), shape[k][0], shape[k][1]);
            check_group(x, y, GA_ALL, "", eps[i]);
            check_group(x, y, GA_AXIS(0), ", axis=0", eps[i]);
            check_group(x, y, GA_AXIS(-1), ", axis=-1", eps[i]);
            check_group(ga_transpose(x, GA_ALL), ga_transpose(y, GA_ALL),
                        GA_AXIS_KEEP(1), ", axis=1, keepdims=true", eps[i]);
        }
    /* what depends on another, masks, a row beside: not one, and right      */
    GA_SCOPE;
    ga_array *x = wave(64, 100, GA_FLOAT32), *m = ga_greater(x, 0);
    ga_array *row = ga_slice(wave(1, 100, GA_FLOAT32), "0");
    near_to(GA_EVAL(sum((x - mean(x))**2) + sum(x*x, where=m) - sum(x), x, m),
            GA_EVAL(s + t - u, (s, ga_sum(ga_square(ga_sub(x, ga_mean(x, GA_ALL))),
                                          GA_ALL)),
                    (t, ga_sum(ga_where(m, ga_square(x), 0), GA_ALL)),
                    (u, ga_sum(x, GA_ALL))), 1e-5);
    near_to(GA_EVAL(sum(row*row) + sum(row*x), x, row),
            ga_add(ga_sum(ga_square(row), GA_ALL), ga_sum(ga_mul(row, x), GA_ALL)),
            1e-5);
    ga_array *w = ga_copy(x), *s = ga_slice(w, "0"), *want = ga_copy(row);
    want = ga_sum(ga_square(x), GA_AXIS(0));
    GA_EVAL_SET(s = sum(w*w, axis=0); row = sum(w + w, axis=0), s, row, w);
    near_to(s, want, 1e-5);         /* over what both read                   */
    near_to(row, ga_mul(ga_sum(x, GA_AXIS(0)), 2), 1e-5);
    /* a mask larger than what it chooses from                               */
    ga_array *two = ga_ones(GA_SHAPE(64, 100), GA_BOOL);
    T_CHECK(!GA_EVAL(sum(row*2, where=two), row, two));
    T_CHECKF(strstr(ga_error_message(), "a mask of shape (64,100) does not "
                    "broadcast to (100"), "%s", ga_error_message());
    T_ERROR(GA_ERR_SHAPE);
    want = ga_copy(s);              /* seen before anything is written      */
    T_CHECK(GA_EVAL_SET(s = s*2; s[0] = sum(row*2, where=two), s, row, two)
            == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    near_to(s, want, 0);
    near_to(GA_EVAL(sum(x*2, where=row > 0), x, row),
            GA_EVAL(sum(where(row > 0, x*2, 0)), x, row), 1e-6);
}

/* Outputs that are operands, or share memory with them. */
TEST(in_place) {
    GA_SCOPE;
    ga_array *x = wave(30, 4, GA_FLOAT64), *y = wave(30, 1, GA_FLOAT64);
    ga_array *w = ga_slice(wave(1, 4, GA_FLOAT64), "0"), *b = ga_sum(w, GA_ALL);
    ga_array *r = ga_sub(ga_add(ga_mul(x, w), b), y);
    ga_array *gw = ga_mul(ga_sum(ga_mul(r, x), GA_AXIS(0)), 2);
    ga_array *gb = ga_mul(ga_sum(r, GA_ALL), 2);
    ga_array *to_w = ga_sub(w, ga_mul(gw, 0.1)), *to_b = ga_sub(b, ga_mul(gb, 0.1));
    double lr = 0.1;
    GA_EVAL_SET(L = sum((x*w + b - y)**2); w = w - lr*grad(L, w);
                b = b - lr*grad(L, b), w, b, x, y, lr);
    near_to(w, to_w, 1e-12);
    near_to(b, to_b, 1e-12);
    /* the gradient over its operand, over another's place, reversed         */
    ga_array *base = wave(1, 40, GA_FLOAT64);
    ga_array *u = ga_slice(base, "0, :20"), *v = ga_slice(base, "0, 10:30");
    ga_array *back = ga_slice(base, "0, 19::-1");
    ga_array *gu = ga_mul(ga_mul(u, 2), v), *gv = ga_square(u);
    gu = ga_copy(gu);
    gv = ga_copy(gv);
    GA_EVAL_SET(gu = grad(u*u*v, u); gv = grad(u*u*v, v), gu, gv, u, v);
    ga_array *want_u = ga_mul(ga_mul(u, 2), v), *want_v = ga_square(u);
    GA_EVAL_SET(u = grad(u*u*v, u), u, v);
    ga_assign(u, 0.5);
    (void)want_u;
    GA_EVAL_SET(v = grad(u*u*v, v), u, v);
    near_to(ga_slice(v, "10:"), ga_full(GA_SHAPE(10), 0.25, GA_FLOAT64), 1e-15);
    ga_assign(base, ga_arange(0, 40, 1));
    want_v = ga_mul(ga_arange(0, 20, 1), 2);
    GA_EVAL_SET(back = grad(u*u, u), back, u);
    near_to(back, ga_astype(want_v, GA_FLOAT64), 1e-15);
    /* a sum in an operand, and one element of it set                        */
    ga_array *m = wave(4, 5, GA_FLOAT64), *row = ga_sum(m, GA_AXIS(0)), *dm = ga_copy(m);
    ga_array *sums = ga_slice(m, "0");
    GA_EVAL_SET(sums = sum(m, axis=0); sums[1] = 7; dm = grad(sum(m*m), m), sums, m,
                dm);
    T_CHECK(ga_item_at(sums, GA_INDEX(1)) == 7);
    near_to(ga_slice(sums, "2:"), ga_slice(row, "2:"), 1e-14);
    /* a sum that the gradient does not need, and the same that is wanted     */
    ga_array *L = ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT64);
    GA_EVAL_SET(dm = grad(sum(sin(m)), m); L = sum(sin(m)), L, dm, m);
    near_to(dm, ga_cos(m), 1e-14);
    near_to(L, ga_sum(ga_sin(m), GA_ALL), 1e-14);
    /* what is not needed is not computed, nor looked at                     */
    ga_array *k = ga_arange(-3, 2, 1), *a = ga_ones(GA_SHAPE(5), GA_FLOAT64);
    near_to(GA_EVAL(grad(sum(a + k**count_nonzero(a)) + sum((k*a)[1:]), a), a, k),
            GA_EVAL(a + where(k > -3, k, 0), a, k), 1e-14);
    /* a scalar in the operand that is read                                  */
    ga_assign(base, ga_arange(0, 40, 1));
    ga_array *first = ga_slice(base, "0, 0"), *rest = ga_copy(u);
    GA_EVAL_SET(first = sum(u); rest = grad(sum(u)**2, u), first, rest, u);
    near_to(first, ga_full(GA_SCALAR_SHAPE, 190, GA_FLOAT64), 1e-15);
    near_to(rest, ga_full(GA_SHAPE(20), 380, GA_FLOAT64), 1e-15);
}

TEST(layouts) {
    GA_SCOPE;
    ga_array *whole = wave(12, 18, GA_FLOAT64);
    ga_array *x[] = {ga_transpose(whole, GA_ALL), ga_slice(whole, "::-1, ::3"),
                     ga_broadcast_to(ga_slice(whole, "0"), GA_SHAPE(5, 18)),
                     ga_slice(whole, "3, 4"), ga_empty(GA_SHAPE(0, 4), GA_FLOAT64),
                     ga_reshape(whole, GA_SHAPE(2, 2, 3, 1, 2, 3, 1, 3)),
                     ga_slice(whole, "2:3, :")};
    for (size_t i = 0; i < T_COUNT(x); i++) {
        const ga_array *a = x[i];
        t_context("layout %d", (int)i);
        near_to(GA_EVAL(grad(sum(sin(a)*a), a), a),
                GA_EVAL(sin(a) + a*cos(a), a), 1e-13);
        near_to(GA_EVAL(grad(sum(a)*2, a), a), ga_mul(ga_ones_like(a), 2), 0);
        if (a->ndim < 2) continue;
        near_to(GA_EVAL(grad(sum(sum(a, axis=-2)**2), a), a),
                GA_EVAL(2*sum(a, axis=-2, keepdims=true) + 0*a, a), 1e-12);
        ga_array *row = ga_ones(GA_SHAPE(1, a->shape[a->ndim - 1]), GA_FLOAT64);
        ga_array *flat = a->ndim == 2 ? ga_sum(ga_cos(a), GA_AXIS_KEEP(0)) : NULL;
        if (flat)
            near_to(GA_EVAL(grad(sum(cos(a)*row), row), a, row), flat, 1e-12);
    }
    /* more than one axis summed, of length 1 and missing, in the middle     */
    ga_array *cube = ga_reshape(whole, GA_SHAPE(4, 6, 9));
    ga_array *m = ga_slice(cube, "0, :, :1"), *e = ga_exp(cube);
    near_to(GA_EVAL(grad(sum(e*m), m), e, m),
            ga_sum(ga_sum(e, GA_AXIS_KEEP(2)), GA_AXIS(0)), 1e-12);
    ga_array *k = ga_slice(cube, ":, :1, :1"), *one = ga_slice(cube, "0, 0, :1");
    near_to(GA_EVAL(grad(sum(e*k*one), k), e, k, one),
            ga_mul(ga_sum(e, GA_AXIS_KEEP(1, 2)), one), 1e-12);
    near_to(GA_EVAL(grad(sum(e*k*one), one), e, k, one),
            ga_reshape(ga_sum(ga_mul(e, k), GA_ALL), GA_SHAPE(1)), 1e-12);
    near_to(GA_EVAL(grad(sum(e + m + one), one), e, m, one),
            ga_full(GA_SHAPE(1), 216, GA_FLOAT64), 0);
    /* slices with C numbers, of operands and of what is computed            */
    for (int i = 0; i < 9; i++) {
        ga_array *at = ga_zeros_like(whole), *u = ga_copy(whole);
        ga_assign(ga_slice(at, "%d:%d, ::-2", i, i + 3), 2);
        near_to(GA_EVAL(grad(sum(whole[i:i+3, ::-2]**2), whole), whole, i),
                ga_mul(at, whole), 1e-14);
        ga_assign(ga_slice(at, "%d:%d, ::-2", i, i + 3), 0);
        ga_assign(ga_slice(at, "%d", i), 3);
        near_to(GA_EVAL(grad((whole**3)[i], whole), whole, i),
                ga_mul(at, ga_square(whole)), 1e-14);
        const ga_array *set[] = {u, ga_full(GA_SCALAR_SHAPE, 1, GA_FLOAT64), GA_ARG(i)};
        T_CHECK(!ga_eval_into(NULL, "g = grad(sum(u[i]**2), u); u[i] = one; "
                              "u[:, 0] = g[:, 0]", "u, one, i", set, 3));
        T_CHECK(ga_item_at(u, GA_INDEX(i, 1)) == 1);
        near_to(ga_slice(u, ":, 0"), ga_slice(ga_mul(ga_mul(at, whole), 2./3),
                                              ":, 0"),
                1e-14);
    }
    /* stencils: windows of what is stored once, small and large             */
    for (int n = 9; n < 2000; n = n * 11 + 1) {
        GA_SCOPE;
        const ga_array *u = wave(n, n + 3, GA_FLOAT64);
        ga_array *want = ga_zeros_like(u), *r = GA_EVAL(2*(4*u[1:-1, 1:-1] - u[:-2, 1:-1]
            - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]), u), *L, *g[1];
        static const char *const at[] = {"1:-1, 1:-1", ":-2, 1:-1", "2:, 1:-1",
                                         "1:-1, :-2", "1:-1, 2:"};
        for (int i = 0; i < 5; i++) {
            ga_array *part = ga_slice(want, "%s", at[i]);
            ga_add_into(part, part, ga_mul(r, i ? -1 : 4));
        }
        GA_GRAD(&L, g, sum((4*u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1]
                            - u[1:-1, :-2] - u[1:-1, 2:])**2), u);
        near_to(g[0], want, 1e-12);
        near_to(L, ga_div(ga_sum(ga_square(r), GA_ALL), 4), 1e-12);
        near_to(GA_EVAL(grad(sum(u[2:, 5]*u[:-2, 3]) + sum(u[-3:]*u[:3])
                             + sum(u[::2]**2), u), u),
                GA_EVAL(grad(sum(u[2:, 5:6]*u[:-2, 3:4]) + sum(u[n-3:n]*u[0:3])
                             + sum(where(k % 2 == 0, u**2, 0)), u), u, n,
                        (k, ga_expand_dims(ga_arange(0, n, 1), GA_AXIS(1)))),
                1e-12);
    }
    /* a new shape, the same text                                            */
    for (int n = 1; n < 40; n++) {
        const ga_array *p = ga_linspace(0, 1, n);
        near_to(GA_EVAL(grad(mean(p*p), p), p), ga_mul(p, 2.0/n), 1e-14);
    }
}

TEST(dtypes) {
    GA_SCOPE;
    static const ga_dtype t[] = {GA_FLOAT16, GA_BFLOAT16, GA_FLOAT32,
                                 GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    static const double eps[] = {2e-3, 2e-2, 1e-6, 1e-12, 1e-6, 1e-12};
    for (size_t i = 0; i < T_COUNT(t); i++) {
        ga_array *x = wave(20, 30, t[i]), *y = wave(1, 30, GA_FLOAT64);
        t_context("%s", ga_dtype_name(t[i]));
        ga_array *g = GA_EVAL(grad(sum(abs(x*x)*y), x), x, y);
        T_CHECK(g->dtype == t[i]);
        ga_array *d = ga_mul(ga_mul(ga_astype(x, GA_FLOAT64), 2), y);
        ga_clear_error();
        near_to(g, d, 2*eps[i]);
        g = GA_EVAL(grad(sum(abs(x*x)*y), y), x, y);
        T_CHECK(g->dtype == GA_FLOAT64);
        g = GA_EVAL(grad(sum(abs(x*x))*2, x), x);
        T_CHECK(g->dtype == t[i]);
        near_to(g, ga_mul(ga_astype(x, GA_FLOAT64), 4), 2*eps[i]);
        if (t_is_complex(t[i])) continue;
        ga_array *many = ga_full(GA_SHAPE(100000), 1, t[i]);
        near_to(GA_EVAL(grad(mean(many)*1e4, many), many),
                ga_full(GA_SHAPE(100000), 0.1, GA_FLOAT64), eps[i]);
    }
    /* C numbers as operands; integers beside them                           */
    ga_array *k = ga_astype(ga_arange(0, 5, 1), GA_INT32), *v;
    double c = 1.5;
    ga_array *g[1];
    GA_GRAD(&v, g, sum(c*c*k), c, k);
    T_CHECK(ga_item(v) == 22.5 && ga_item(g[0]) == 30 && !g[0]->ndim);
    near_to(GA_EVAL(grad(sum(float32(k)*c), c), k, c),
            ga_full(GA_SCALAR_SHAPE, 10, GA_FLOAT64), 1e-7);
    /* z's gradient is df/dx - i df/dy                                       */
    ga_array *z = ga_full(GA_SCALAR_SHAPE, t_c128(3, 4), GA_COMPLEX128);
    near_to(GA_EVAL(grad(abs(z), z), z),
            ga_full(GA_SCALAR_SHAPE, t_c128(0.6, -0.8), GA_COMPLEX128), 1e-15);
}

/* ------------------------------------------------------------------ errors */
static void fails(const char *text, ga_status st, const char *message,
                  const char *place, const ga_array *const *x) {
    t_context("%s", text);
    T_CHECK(!(ga_eval)(text, "x, y, k, m", x, 4));
    const char *said = ga_error_message(), *caret = strchr(said, '^');
    T_CHECKF(strstr(said, message), "%s", said);
    const char *line = strstr(said, text);
    if (place && caret && line) {
        const char *row = caret;
        while (row > said && row[-1] != '\n') row--;
        int at = (int)(strstr(text, place) - text);
        const char *head = line;
        while (head > said && head[-1] != '\n') head--;
        T_CHECKF(caret - row == line - head + at, "%s", said);
    } else {
        T_CHECKF(!place, "%s", said);
    }
    T_ERROR(st);
}
TEST(errors) {
    GA_SCOPE;
    const ga_array *x[] = {wave(3, 4, GA_FLOAT64), wave(3, 4, GA_FLOAT64),
                           ga_arange(0, 4, 1), ga_ones(GA_SHAPE(4), GA_BOOL)};
    const ga_status SYN = GA_ERR_SYNTAX, DT = GA_ERR_DTYPE;
    fails("grad(x*x)", SYN, "grad takes an expression and an operand's name",
          "grad", x);
    fails("1 + grad(x, 3)", SYN, "'3' is no operand", "3)", x);
    fails("grad(x, q)", SYN, "'q' is no operand", "q", x);
    fails("h = x*2; grad(h*h, h)", SYN, "'h' is no operand", "h)", x);
    fails("grad(x*x, x", SYN, "')' is missing", NULL, x);
    fails("grad(x*qq, x)", SYN, "unknown name 'qq'", "qq", x);
    fails("grad(x*x, k)", DT, "'k' is int64: a gradient is by floats", "k)", x);
    fails("grad(x*m, m)", DT, "'m' is bool: a gradient is by floats", "m)", x);
    fails("sum(grad(k*k, x))", DT, "the value is int64", NULL, x);
    fails("x + grad(x > 0, x)", DT, "the value is bool", NULL, x);
    fails("grad(x*1i, x)", DT, "the value is complex128", NULL, x);
    fails("1 + grad(sin(gammainc(x, y)), x)", GA_ERR_UNSUPPORTED,
          "gammainc has no derivative by its first operand", "gammainc", x);
    fails("1 + grad(sum(ldexp(x, y)), y)", GA_ERR_UNSUPPORTED,
          "ldexp has no derivative by its second operand", "ldexp", x);
    fails("grad(x*y[:, 1:], x)", GA_ERR_SHAPE, "do not broadcast", "*", x);
    fails("grad(sum(x, axis=2), x)", GA_ERR_AXIS, "axis", "sum", x);
    ga_array *a = ga_zeros(GA_SHAPE(3, 4), GA_FLOAT64);
    ga_array *s = ga_zeros(GA_SHAPE(5), GA_FLOAT64), *b = ga_copy(a);
    const ga_array *p = x[0];
    T_CHECK(GA_EVAL_SET(a = a*2; b = grad(a, a), a, b) == SYN);
    T_CHECK(strstr(ga_error_message(), "'a' has been set: take its gradient "
                                       "before"));
    T_ERROR(SYN);
    T_CHECK(GA_EVAL_SET(a[0] = 1; b = grad(a*p, p), a, b, p)
            == GA_ERR_UNSUPPORTED);
    T_CHECK(strstr(ga_error_message(), "'a' has been set in part"));
    T_ERROR(GA_ERR_UNSUPPORTED);
    /* nothing is written where one output does not fit                      */
    T_CHECK(GA_EVAL_SET(a = 2*p; s = grad(p*p, p), a, s, p) == GA_ERR_SHAPE);
    T_CHECK(strstr(ga_error_message(), "the output has shape (5,), the result "
                                       "(3,4)")
            || strstr(ga_error_message(), "the output has shape (5), the "
                                          "result (3,4)"));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_item(ga_sum(a, GA_ALL)) == 0);
    ga_array *g[2] = {NULL, NULL}, *v = NULL, *three[3];
    const ga_array *k = x[2];
    T_CHECK(GA_GRAD(&v, g, sum(p*k), p, k) == DT && !g[0] && !v);
    T_ERROR(DT);
    T_CHECK(GA_GRAD(&v, three, sum(p*p), p) == GA_ERR_VALUE);
    T_CHECK(strstr(ga_error_message(), "gradients by 3 of 1 operands"));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(GA_GRAD(NULL, g, a = p*2, p, a) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_grad(NULL, NULL, 1, "x", "x", x, 1) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_expr_grad(NULL, "x"));
    T_ERROR(GA_ERR_NULL);
    ga_expr *f = ga_expr_compile("x*x", "x"), *set = ga_expr_compile("x = 2*x", "x");
    T_CHECK(!ga_expr_grad(f, NULL));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_expr_grad(f, "y"));
    T_ERROR(SYN);
    T_CHECK(!ga_expr_grad(set, "x"));
    T_ERROR(GA_ERR_VALUE);
    ga_expr_free(f);
    ga_expr_free(set);
}

/* ------------------------------------------------------------------ programs */
/* A NumPy tutorial's SELU, its derivative, and a product over a batch. */
TEST(programs) {
    GA_SCOPE;
    ga_array *x = wave(100, 100, GA_FLOAT32);
    float lambda = 1.05f, alpha = 1.67f;
    near_to(GA_EVAL(grad(lambda*where(x > 0, x, alpha*exp(x) - alpha), x), x,
                    lambda, alpha),
            ga_where(ga_greater(x, 0), 1.05, ga_mul(ga_exp(x), 1.05*1.67)),
            1e-6);
    ga_array *matrix = wave(15, 10, GA_FLOAT64), *batch = wave(7, 10, GA_FLOAT64);
    ga_array *by_row = ga_expand_dims(batch, GA_AXIS(1)), *g[2], *y;
    GA_GRAD(&y, g, sum(matrix*by_row, axis=-1)**2, matrix, by_row);
    ga_array *p = ga_matmul(batch, ga_transpose(matrix, GA_ALL));
    near_to(y, ga_square(p), 1e-12);
    near_to(g[0], ga_mul(ga_matmul(ga_transpose(p, GA_ALL), batch), 2), 1e-12);
    near_to(ga_squeeze(g[1], GA_AXIS(1)), ga_mul(ga_matmul(p, matrix), 2), 1e-12);
}
/* Of sixteen operands, one by one and together. */
TEST(sixteen) {
    GA_SCOPE;
    const ga_array *x[16];
    ga_array *g[16], *v, *want = NULL;
    char text[600] = "sum(", *p = text + 4;
    for (int i = 0; i < 16; i++) {
        x[i] = ga_add(wave(4, i % 3 ? 5 : 1, GA_FLOAT64), i);
        p += sprintf(p, "%s%c%s", i ? i % 2 ? "*sin(" : " + (" : "(", 'a' + i,
                     ")");
    }
    sprintf(p, ")");
    T_CHECK(!ga_grad(&v, g, 16, text, "a, b, c, d, e, f, g, h, i, j, k, l, m, "
                     "n, o, p", x, 16));
    near_to(v, (ga_eval)(text, "a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p",
                         x, 16), 1e-12);
    for (int i = 0; i < 16; i++) {
        t_context("operand %d", i);
        const ga_array *other = x[i ^ 1];
        const ga_array *f = i % 2 ? GA_EVAL(other*cos(o), other, (o, x[i]))
                                  : ga_sin(other);
        want = (ga_array *)(uintptr_t)f;
        if (want->ndim == 2 && want->shape[1] != x[i]->shape[1])
            want = x[i]->shape[1] == 1 ? ga_sum(f, GA_AXIS_KEEP(1))
                   : ga_broadcast_to(f, GA_SHAPE(4, 5));
        /* what is added repeats along the other terms' axis                 */
        if (x[i]->shape[1] == 1 && other->shape[1] == 1) want = ga_mul(f, 5);
        near_to(g[i], want, 1e-12);
    }
}
typedef struct descent { ga_array *w, *b, *x, *y, *L; } descent;
static void descend(void *arg) {
    descent *d = (descent *)arg;
    ga_array *w = d->w, *b = d->b, *x = d->x, *y = d->y, *L = d->L;
    GA_EVAL_SET(L = mean((sum(x*w, axis=1) + b - y)**2);
                w = w - 0.2*grad(L, w); b = b - 0.2*grad(L, b), L, w, b, x, y);
}
/* A step of descent in a graph, replayed. */
TEST(graph) {
    GA_SCOPE;
    ga_array *x = ga_sub(ga_mul(ga_random(GA_SHAPE(64, 3), GA_FLOAT64), 4), 2);
    ga_array *w = ga_zeros(GA_SHAPE(3), GA_FLOAT64);
    ga_array *truth = ga_asarray(((double[]){1, -2, 0.5}), GA_SHAPE(3));
    ga_array *y = ga_add(ga_sum(ga_mul(x, truth), GA_AXIS(1)), 0.25);
    ga_array *b = ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT64), *L = ga_copy(b);
    descent d = {w, b, x, y, L};
    ga_graph *g = ga_graph_create(descend, &d);
    T_CHECK(g);
    ga_assign(w, 0);
    ga_assign(b, 0);
    for (int i = 0; i < 1000 && g; i++) ga_graph_launch(g);
    near_to(w, truth, 1e-5);
    T_CHECK(ga_item(L) < 1e-10 && fabs(ga_item(b) - 0.25) < 1e-5);
    ga_graph_destroy(g);
}

/* As many operands as there may be, and a gradient for each. */
TEST(many_gradients) {
    GA_SCOPE;
    enum { MANY = 24 };
    char text[1000] = "sum(", names[200] = "";
    const ga_array *x[MANY];
    ga_array *g[MANY] = {NULL}, *v = NULL;
    for (int i = 0; i < MANY; i++) {
        char part[32];
        snprintf(part, sizeof part, "%sv%d*v%d", i ? " + " : "", i, i);
        strcat(text, part);
        snprintf(part, sizeof part, "%sv%d", i ? ", " : "", i);
        strcat(names, part);
        x[i] = t_random_array(GA_FLOAT64, GA_SHAPE(5), 1, 3);
    }
    strcat(text, ")");
    T_CHECK(ga_grad(&v, g, MANY, text, names, x, MANY) == GA_OK);
    for (int i = 0; i < MANY; i++) t_same_arrays(g[i], ga_multiply(2, x[i]), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = { T(many_gradients),
        T(rows), T(outputs), T(joined), T(grouped), T(in_place), T(layouts),
        T(dtypes), T(errors), T(programs), T(sixteen), T(graph), T(golden)};
    return T_RUN("grad", tests);
}
