/* isclose, allclose, array_equal, array_equiv: NumPy's values, beside a plain
   loop; sums and scans in another dtype, fractional ddof, complex ranges, ranks
   by a relative tolerance, the upper Cholesky factor. */
#include "rows.h"
#include "linalg.h"

static const double pick[] = {0, -0.0, 1, 1.00001, 1.0001, -1, 1e-9, 1e10,
    1.00002e10, INFINITY, -INFINITY, NAN, 100, 100.001, 3, 1e-8};
enum { NPICK = 16 };
static bool near_(double x, double y, double rtol, double atol, bool nan) {
    return (fabs(x - y) <= atol + rtol * fabs(y) && isfinite(y)) || x == y
           || (nan && isnan(x) && isnan(y));
}
/* Each with each, in float64 and float32; as rows of a longer array, so that
   vectors and their rest see all of them. */
TEST(close_pairs) {
    static const double tol[][2] = {{1e-5, 1e-8}, {0, 0}, {1e-3, 0}, {0, 1e-2},
                                    {-1, 0}, {INFINITY, 0}, {0, NAN}};
    for (int t = 0; t < (int)T_COUNT(tol); t++)
        for (unsigned flags = 0; flags < 2; flags++)
            for (int single = 0; single < 2; single++) {
                GA_SCOPE;
                ga_array *v = ga_asarray(pick, GA_SHAPE(NPICK));
                if (single) v = ga_astype(v, GA_FLOAT32);
                ga_array *got = ga_isclose(ga_reshape(v, GA_SHAPE(NPICK, 1)), v,
                                           tol[t][0], tol[t][1], flags);
                T_CHECK(got->dtype == GA_BOOL && got->ndim == 2);
                bool *b = ga_asnumpy(got, NULL);
                for (int i = 0; i < NPICK; i++)
                    for (int j = 0; j < NPICK; j++) {
                        double x = pick[i], y = pick[j], r = tol[t][0],
                               a = tol[t][1];
                        bool want = near_(x, y, r, a, flags);
                        if (single) {
                            float f = (float)x, g = (float)y, d = f - g;
                            float most = (float)r * fabsf(g);
                            most = (float)a + most;
                            want = (fabsf(d) <= most && isfinite(g)) || f == g
                                   || (flags && isnan(f) && isnan(g));
                        }
                        T_CHECKF(b[i * NPICK + j] == want,
                                 "%g %g rtol %g atol %g flags %u single %d", x,
                                 y, r, a, flags, single);
                        /* the whole, of 5000 equal pairs and this one */
                        if ((i + j) % 5) continue;
                        ga_array *p = ga_ones(GA_SHAPE(5001), v->dtype);
                        ga_array *q = ga_copy(p);
                        ga_assign(ga_slice(p, "%d", 311 * i), x);
                        ga_assign(ga_slice(q, "%d", 311 * i), y);
                        bool one = near_(1, 1, r, a, false);
                        T_CHECK(ga_allclose(p, q, r, a, flags)
                                == (want && one));
                        T_CHECK(ga_allclose(ga_slice(p, "::-1"),
                                            ga_slice(q, "::-1"), r, a, flags)
                                == (want && one));
                        T_CHECK(ga_array_equal(p, q, flags)
                                == (x == y || (flags && isnan(x) && isnan(y))));
                    }
                free(b);
            }
}
TEST(close_dtypes) {
    GA_SCOPE;
    int8_t a[] = {-128, 127, 0}, b[] = {-128, 127, 1};
    ga_array *x = ga_asarray(a, GA_SHAPE(3)), *y = ga_asarray(b, GA_SHAPE(3));
    bool want[] = {true, true, false}, all[] = {true, true, true};
    t_same(ga_isclose(x, y, 1e-5, 1e-8, 0), GA_BOOL, GA_SHAPE(3), want);
    t_same(ga_isclose(x, y, 0, 1, 0), GA_BOOL, GA_SHAPE(3), all);
    t_same(ga_isclose(ga_astype(x, GA_FLOAT16), y, 0, 1, 0), GA_BOOL,
           GA_SHAPE(3), all);
    bool t[] = {true, false};
    ga_array *m = ga_asarray(t, GA_SHAPE(2));
    t_same(ga_isclose(m, 1, 0, 0, 0), GA_BOOL, GA_SHAPE(2), t);
    t_same(ga_isclose(m, true, 0, 0, 0), GA_BOOL, GA_SHAPE(2), t);
    T_CHECK(ga_allclose(1, 1.000001, 1e-5, 1e-8, 0));
    T_CHECK(!ga_allclose(x, 127, 1e-5, 1e-8, 0));
    /* by distance in the plane */
    double z[] = {3, 4, NAN, 0, INFINITY, 1}, w[] = {3.3, 4.4, 0, NAN, INFINITY,
                                                    1};
    ga_array *c = ga_asarray_as(z, GA_COMPLEX128, GA_SHAPE(3));
    ga_array *d = ga_asarray_as(w, GA_COMPLEX128, GA_SHAPE(3));
    bool f[] = {true, false, true}, g[] = {true, true, true};
    t_same(ga_isclose(c, d, 0, 0.5001, 0), GA_BOOL, GA_SHAPE(3), f);
    t_same(ga_isclose(c, d, 0, 0.5001, GA_EQUAL_NAN), GA_BOOL, GA_SHAPE(3), g);
    T_CHECK(ga_allclose(c, d, 0, 0.5001, GA_EQUAL_NAN));
    T_CHECK(!ga_allclose(c, d, 0, 0.4999, GA_EQUAL_NAN));
    T_CHECK(ga_array_equal(c, ga_copy(c), GA_EQUAL_NAN));
    T_CHECK(!ga_array_equal(c, ga_copy(c), 0));
    /* halves round each step */
    for (int k = 0; k < 2; k++) {
        ga_dtype h = k ? GA_BFLOAT16 : GA_FLOAT16;
        ga_array *u = ga_astype(ga_mul(ga_random(GA_SHAPE(3001), GA_FLOAT64), 9),
                                h);
        ga_array *v = ga_astype(ga_mul(ga_astype(u, GA_FLOAT32), 1.01), h);
        for (int i = 0; i < 40; i++) {
            ga_array *p = ga_slice(u, "%d:%d", 70 * i, 70 * i + 69);
            ga_array *q = ga_slice(v, "%d:%d", 70 * i, 70 * i + 69);
            double r = 0.01 + 0.0002 * i;
            T_CHECK(ga_allclose(p, q, r, 0, 0)
                    == (ga_item(ga_all(ga_isclose(p, q, r, 0, 0), GA_ALL)) != 0));
        }
    }
    /* 64 bits of an integer are compared as a double */
    T_CHECK(ga_array_equal(ga_full(GA_SHAPE(2), INT64_MAX, GA_INT64),
                           ga_full(GA_SHAPE(2), INT64_MAX, GA_INT64), 0));
    T_CHECK(!ga_array_equal(ga_full(GA_SHAPE(2), INT64_MAX, GA_INT64),
                            ga_full(GA_SHAPE(2), INT64_MAX - 1, GA_INT64), 0));
}
/* Each dtype and layout of both operands, by a plain loop over whole numbers; a
   rest behind the vectors. */
TEST(close_layouts) {
    static const ga_shape shape[] = {{2, {37, 61}}, {2, {5, 1}}, {2, {200, 111}}};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (int k = 0; k < (int)T_COUNT(shape) - (t_quick() ? 1 : 0); k++) {
            GA_SCOPE;
            const int64_t n = shape[k].dim[0] * shape[k].dim[1];
            double *a = (double *)t_alloc((size_t)n * 8);
            double *b = (double *)t_alloc((size_t)n * 8);
            bool *same = (bool *)t_alloc((size_t)n), *near = (bool *)t_alloc(
                (size_t)n), all_near = true, all_same = true;
            const double last = t == GA_BOOL ? 1 : 100;
            for (int64_t i = 0; i < n; i++) {
                a[i] = floor(t_uniform(0, last + 0.99));
                b[i] = i % 4 && a[i] > 0 ? a[i] - (i % 3 == 0) : a[i];
                same[i] = a[i] == b[i];
                near[i] = fabs(a[i] - b[i]) <= 0.25 + b[i] / 64;
                all_near &= near[i];
                all_same &= same[i];
            }
            ga_array *x = ga_astype((ga_asarray_as)(a, GA_FLOAT64, shape[k]),
                                    (ga_dtype)t);
            ga_array *y = ga_astype((ga_asarray_as)(b, GA_FLOAT64, shape[k]),
                                    (ga_dtype)t);
            for (int how = 0; how < 25; how += k < 2 ? 1 : 4) {
                ga_array *p = t_laid_out(x, how / 5);
                ga_array *q = t_laid_out(y, how % 5);
                t_context("%s %s %d", ga_dtype_name((ga_dtype)t),
                          t_shape_text(2, shape[k].dim), how);
                t_same(ga_isclose(p, q, 0.015625, 0.25, 0), GA_BOOL, shape[k],
                       near);
                t_same(ga_isclose(p, q, 0, 0, GA_EQUAL_NAN), GA_BOOL, shape[k],
                       same);
                T_CHECK(ga_allclose(p, q, 0.015625, 0.25, 0) == all_near);
                T_CHECK(ga_array_equal(p, q, 0) == all_same);
                T_CHECK(ga_array_equal(p, t_laid_out(x, how % 5),
                                       GA_EQUAL_NAN));
                T_CHECK(ga_allclose(q, t_laid_out(y, how / 5), 0, 0, 0));
            }
            ga_array *row = ga_slice(x, ":1");
            ga_array *wide = ga_broadcast_to(row, shape[k]);
            T_CHECK(ga_array_equal(wide, ga_copy(wide), 0));
            t_release_host();
        }
}
/* Rows beside columns: one element of all decides, wherever it is. */
/* What broadcasts, of any layout, against NumPy's rule for each pair. */
TEST(close_broadcast) {
    static const char *const cuts[] = {"", ":, 2", "::-1, ::2", "-1:, :3, ::-1"};
    for (int k = 0; k < 2 * 2 * 16; k++) {
        GA_SCOPE;
        const ga_dtype t = k & 1 ? GA_FLOAT64 : GA_FLOAT32;
        const bool nan = k & 2;
        ga_array *of[2];
        for (int i = 0; i < 2; i++) {
            ga_array *x = ga_trunc(t_random_array(t, GA_SHAPE(4, 5, 6), -2, 2));
            ga_assign(ga_slice(x, "1:3, 0, ::3"), i ? NAN : INFINITY);
            ga_assign(ga_slice(x, "-1, 0, 1:3"), NAN);
            ga_assign(ga_slice(x, "0, 1, 1:"), INFINITY);
            const int cut = i ? k / 4 % 4 : k / 16;
            of[i] = *cuts[cut] ? ga_slice(x, "%s", cuts[cut]) : x;
            if (cut == 1) of[i] = ga_expand_dims(of[i], GA_AXIS(1));
            if (cut == 2) of[i] = ga_slice(of[i], i ? ":1, :1" : ":, :1");
            if (cut == 3) of[i] = ga_slice(of[i], "0, :1");
        }
        t_context("%s, %d, equal_nan %d", ga_dtype_name(t), k, (int)nan);
        ga_array *const r = ga_isclose(of[0], of[1], .1, .6, nan ? GA_EQUAL_NAN : 0);
        ga_array *const wide[2] = {ga_zeros(ga_shape_of(r), t), ga_zeros(ga_shape_of(r), t)};
        ga_assign(wide[0], of[0]);
        ga_assign(wide[1], of[1]);
        const double *a = (const double *)t_host(ga_astype(wide[0], GA_FLOAT64));
        const double *b = (const double *)t_host(ga_astype(wide[1], GA_FLOAT64));
        const bool *is = (const bool *)t_host(r);
        for (int64_t j = 0; j < r->size; j++) {
            const bool want = isnan(a[j]) || isnan(b[j]) ? nan && isnan(a[j]) && isnan(b[j])
                : isinf(a[j]) || isinf(b[j]) ? a[j] == b[j]
                                             : fabs(a[j] - b[j]) <= .6 + .1 * fabs(b[j]);
            T_CHECK(is[j] == want);
        }
    }
    GA_SCOPE;
    T_CHECK(ga_isclose(ga_zeros(GA_SHAPE(0, 3), GA_FLOAT32),
                       ga_zeros(GA_SHAPE(3), GA_FLOAT32), 0, 0, 0)->size == 0);
    T_CHECK(ga_item(ga_isclose(ga_zeros(GA_SHAPE(1), GA_FLOAT32),
                               ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT32), 0, 0, 0)) == 1);
    ga_isclose(ga_zeros(GA_SHAPE(2), GA_FLOAT32), ga_zeros(GA_SHAPE(3), GA_FLOAT32), 0, 0, 0);
    T_ERROR(GA_ERR_SHAPE);
}
/* The same of many, by a row and by a column. */
TEST(close_to_a_row) {
    const ga_dtype types[] = {GA_UINT8, GA_INT64, GA_UINT32, GA_FLOAT16, GA_FLOAT32, GA_FLOAT64};
    const int64_t n = 611, m = 503;
    for (int k = 0; k < 6 * 4; k++) {
        GA_SCOPE;
        const ga_dtype t = types[k % 6];
        const bool column = k / 6 % 2, turned = k / 12;
        t_context("%s %d", ga_dtype_name(t), k);
        ga_array *x = ga_trunc(t_random_array(t, GA_SHAPE(n, m), 0, 9));
        ga_array *y = ga_trunc(t_random_array(t, column ? GA_SHAPE(n, 1) : GA_SHAPE(m), 0, 9));
        bool *want = (bool *)t_alloc((size_t)(n * m));
        const double *a = (const double *)t_host(ga_astype(x, GA_FLOAT64));
        const double *b = (const double *)t_host(ga_astype(y, GA_FLOAT64));
        for (int64_t i = 0; i < n * m; i++) {
            const double v = b[column ? i / m : i % m], p = turned ? v : a[i], q = turned ? a[i] : v;
            want[i] = fabs(p - q) <= .75 + .25 * fabs(q);
        }
        t_same(turned ? ga_isclose(y, x, .25, .75, 0) : ga_isclose(x, y, .25, .75, 0),
               GA_BOOL, GA_SHAPE(n, m), want);
    }
    t_context("%s", "");
}
TEST(one_differs) {
    static const ga_dtype types[] = {GA_BOOL, GA_INT16, GA_INT32, GA_UINT64,
                                     GA_FLOAT16, GA_FLOAT32, GA_FLOAT64};
    for (int t = 0; t < (int)T_COUNT(types); t++)
        for (int at = 0; at < 70 * 131; at += t_quick() ? 1733 : 307) {
            GA_SCOPE;
            ga_array *x = ga_ones(GA_SHAPE(70, 131), types[t]);
            ga_array *y = ga_swapaxes(ga_ones(GA_SHAPE(131, 70), types[t]), 0, 1);
            T_CHECK(ga_array_equal(x, y, 0) && ga_array_equal(y, x, 0));
            ga_assign(ga_slice(y, "%d, %d", at / 131, at % 131), 0);
            T_CHECK(!ga_array_equal(x, y, 0) && !ga_array_equal(y, x, 0));
            T_CHECK(!ga_allclose(x, y, 1e-5, 1e-8, 0));
            T_CHECK(ga_allclose(x, y, 0, 1, 0));
        }
}
TEST(shapes) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(2, 3), GA_FLOAT32);
    T_CHECK(!ga_array_equal(x, ga_ones(GA_SHAPE(3), GA_FLOAT32), 0));
    T_CHECK(!ga_array_equal(x, ga_ones(GA_SHAPE(3, 2), GA_FLOAT32), 0));
    T_CHECK(!ga_array_equal(x, 1, 0) && ga_array_equiv(x, 1));
    T_CHECK(ga_array_equiv(x, ga_ones(GA_SHAPE(3), GA_FLOAT32)));
    T_CHECK(ga_array_equiv(ga_ones(GA_SHAPE(1, 3), GA_INT8), x));
    T_CHECK(!ga_array_equiv(x, ga_ones(GA_SHAPE(2), GA_FLOAT32)));
    ga_array *e = ga_empty(GA_SHAPE(0, 3), GA_FLOAT32);
    T_CHECK(ga_array_equal(e, e, 0) && ga_allclose(e, e, 0, 0, 0));
    T_CHECK(!ga_array_equal(e, ga_empty(GA_SHAPE(0, 2), GA_FLOAT32), 0));
    T_CHECK(!ga_array_equiv(e, ga_zeros(GA_SHAPE(2, 3), GA_FLOAT32)));
    T_CHECK(ga_array_equiv(ga_empty(GA_SHAPE(0), GA_FLOAT32), 1));
    /* answers that stay on the device */
    ga_array *r = ga_allclose_array(x, 1, 0, 0, 0);
    T_CHECK(r->ndim == 0 && r->dtype == GA_BOOL && ga_item(r) == 1);
    r = ga_array_equal_array(x, ga_ones(GA_SHAPE(3), GA_FLOAT32), 0);
    T_CHECK(r->ndim == 0 && r->dtype == GA_BOOL && ga_item(r) == 0);
    T_CHECK(ga_item(ga_array_equiv_array(x, 1)) == 1);
    ga_array *to = ga_full(GA_SCALAR_SHAPE, 7, GA_INT32);
    T_CHECK(!ga_allclose_into(to, x, x, 0, 0, 0) && ga_item(to) == 1);
    T_CHECK(!ga_array_equal_into(to, x, e, 0) && ga_item(to) == 0);
    T_CHECK(!ga_array_equiv_into(to, x, 1) && ga_item(to) == 1);
    /* the answer into an element of an operand */
    ga_array *b = ga_ones(GA_SHAPE(4), GA_FLOAT32);
    T_CHECK(!ga_array_equal_into(ga_slice(b, "2"), b, ga_add(b, 1), 0));
    T_CHECK(ga_item_at(b, GA_SHAPE(2)) == 0);
    ga_array *into = ga_zeros(GA_SHAPE(2, 3), GA_BOOL);
    T_CHECK(!ga_isclose_into(into, x, 1, 0, 0, 0)
            && ga_item(ga_all(into, GA_ALL)) == 1);
}
TEST(errors) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(2, 3), GA_FLOAT32);
    ga_array *y = ga_ones(GA_SHAPE(2), GA_FLOAT32);
    T_CHECK(!ga_allclose(x, y, 0, 0, 0));
    T_CHECK(strstr(ga_error_message(),
                   "ga_allclose: shapes (2,3) and (2,) do not broadcast"));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_isclose(x, y, 0, 0, 0));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_array_equal(x, x, 2));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_array_equal(x, NULL, 0));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_allclose_into(y, x, x, 0, 0, 0) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
}
/* ------------------------------------------------------------------- types */
TEST(sums_as) {
    GA_SCOPE;
    int8_t v[] = {100, 100, 100, -1, 2, 3};
    ga_array *x = ga_asarray(v, GA_SHAPE(2, 3));
    int8_t s8[] = {44, 4};
    float f[] = {300, 4};
    double p[] = {-100, 200, 300}, cs[] = {100, 200, 300, -1, 1, 4};
    int16_t c16[] = {100, 200, 300, -1, 1, 4};
    int8_t c8[] = {100, -56, 44, -1, 1, 4};
    t_same(ga_sum_as(x, GA_INT8, GA_AXIS(1)), GA_INT8, GA_SHAPE(2), s8);
    t_same(ga_sum_as(x, GA_FLOAT32, GA_AXIS_KEEP(1)), GA_FLOAT32,
           GA_SHAPE(2, 1), f);
    t_same(ga_prod_as(x, GA_FLOAT64, GA_AXIS(0)), GA_FLOAT64, GA_SHAPE(3), p);
    T_CHECK(ga_item(ga_sum_as(x, GA_FLOAT64, GA_ALL)) == 304);
    T_CHECK(ga_item(ga_sum_as(x, GA_INT8, GA_ALL)) == 48);
    T_CHECK(ga_item(ga_sum_as(x, GA_BOOL, GA_ALL)) == 1);
    T_CHECK(ga_mean_as(x, GA_FLOAT32, GA_ALL)->dtype == GA_FLOAT32);
    T_CHECK(ga_item_i64(ga_mean_as(x, GA_INT32, GA_ALL)) == 50);
    T_CHECK(ga_item(ga_sum_as(x, GA_FLOAT32, GA_ALL_WHERE(ga_greater(x, 5))))
            == 300);
    t_same(ga_cumsum_as(x, GA_FLOAT64, GA_AXIS(1), 0), GA_FLOAT64,
           GA_SHAPE(2, 3), cs);
    t_same(ga_cumsum_as(x, GA_INT16, GA_AXIS(1), 0), GA_INT16, GA_SHAPE(2, 3),
           c16);
    t_same(ga_cumsum_as(x, GA_INT8, GA_AXIS(1), 0), GA_INT8, GA_SHAPE(2, 3),
           c8);
    T_CHECK(ga_item(ga_slice(ga_cumprod_as(x, GA_FLOAT32, GA_ALL, 0), "-1"))
            == -6e6);
    T_CHECK(ga_array_equal(ga_cumulative_sum(x, GA_AXIS(0), 0),
                           ga_cumsum(x, GA_AXIS(0), 0), 0)
            && ga_array_equal(ga_cumulative_prod(x, GA_AXIS(0), 0),
                              ga_cumprod(x, GA_AXIS(0), 0), 0));
    ga_array *e = ga_empty(GA_SHAPE(0, 3), GA_FLOAT32);
    T_CHECK(ga_item(ga_sum(ga_sum_as(e, GA_INT32, GA_AXIS(0)), GA_ALL)) == 0);
    ga_array *big = ga_ones(GA_SHAPE(1, 70000), GA_FLOAT16);
    T_CHECK(ga_item(ga_sum_as(big, GA_FLOAT32, GA_ALL)) == 70000);
    ga_sum_as(x, (ga_dtype)99, GA_ALL);
    T_ERROR(GA_ERR_DTYPE);
    ga_sum_as(x, GA_INT32, GA_AXIS(2));
    T_ERROR(GA_ERR_AXIS);
    ga_cumsum_as(x, (ga_dtype)99, GA_ALL, 0);
    T_ERROR(GA_ERR_DTYPE);
    int32_t flip[] = {-101, -101, -101, 0, -3, -4};
    t_same(ga_astype(ga_bitwise_invert(x), GA_INT32), GA_INT32, GA_SHAPE(2, 3),
           flip);
    T_CHECK(ga_array_equal(ga_matrix_transpose(x), ga_transpose(x, GA_ALL), 0));
}
TEST(fractional_ddof) {
    GA_SCOPE;
    double v[] = {1, 2, 4, 8};
    ga_array *x = ga_asarray(v, GA_SHAPE(4));
    const double ss = 28.75;        /* of the squares about 3.75            */
    T_CHECK(fabs(ga_item(ga_var(x, GA_ALL, 1.5)) - ss / 2.5) < 1e-14);
    T_CHECK(fabs(ga_item(ga_std(x, GA_ALL, 0.25)) - sqrt(ss / 3.75)) < 1e-14);
    T_CHECK(fabs(ga_item(ga_nanvar(x, GA_ALL, 1.5)) - ss / 2.5) < 1e-14);
    T_CHECK(fabs(ga_item(ga_nanstd(ga_astype(x, GA_FLOAT32), GA_ALL, 0.5))
                 - sqrt(ss / 3.5)) < 1e-6);
    T_CHECK(ga_item(ga_var(x, GA_ALL, 4.5)) == INFINITY);
    bool m[] = {true, true, true, false};
    ga_array *w = ga_asarray(m, GA_SHAPE(4));
    T_CHECK(fabs(ga_item(ga_var(x, GA_ALL_WHERE(w), 0.5)) - 14 / 3. / 2.5)
            < 1e-14);
    T_CHECK(isnan(ga_item(ga_nanvar(x, GA_ALL_WHERE(w), 3.5))));
}
static ga_complex128 z_of(double re, double im) {
    double v[2] = {re, im};
    ga_complex128 z;
    memcpy(&z, v, sizeof z);
    return z;
}
/* numpy.linspace(1+2j, 3-1j, 3), logspace(0j, 2+1j, 3), geomspace(1j, -4, 3) */
TEST(complex_ranges) {
    GA_SCOPE;
    double lin[] = {1, 2, 2, 0.5, 3, -1}, open[] = {1, 2, 2, 0.5};
    double log_[] = {1, 0, 4.073073101539469, 9.132911666577954, -66.82015101903134,
                     74.39803369574933};
    double geo[] = {0, 1, -1.4142135624, 1.4142135624, -4, 0};
    ga_array *a = ga_linspace_c128(z_of(1, 2), z_of(3, -1), 3, true);
    t_same(a, GA_COMPLEX128, GA_SHAPE(3), lin);
    t_same(ga_linspace_c128(z_of(1, 2), z_of(3, -1), 2, false), GA_COMPLEX128,
           GA_SHAPE(2), open);
    T_CHECK(ga_allclose(ga_logspace_c128(z_of(0, 0), z_of(2, 1), 3, 10),
                        ga_asarray_as(log_, GA_COMPLEX128, GA_SHAPE(3)), 1e-9,
                        0, 0));
    T_CHECK(ga_allclose(ga_geomspace_c128(z_of(0, 1), z_of(-4, 0), 3),
                        ga_asarray_as(geo, GA_COMPLEX128, GA_SHAPE(3)), 1e-9,
                        1e-15, 0));
    T_CHECK(ga_linspace_c128(z_of(1, 2), z_of(3, -1), 0, true)->size == 0);
    T_CHECK(ga_geomspace_c128(z_of(1, 2), z_of(3, -1), 1)->size == 1);
    ga_linspace_c128(z_of(1, 2), z_of(3, -1), -1, true);
    T_ERROR(GA_ERR_VALUE);
    ga_geomspace_c128(z_of(0, 0), z_of(3, -1), 3);
    T_ERROR(GA_ERR_VALUE);
}
static bool no_lapack(void) {
    if (ga_error() != GA_ERR_UNSUPPORTED) return false;
    ga_clear_error();
    return true;
}
TEST(matrices) {
    T_LAPACK;
    GA_SCOPE;
    double d[] = {1, 0, 0, 0, 1e-3, 0, 0, 0, 1e-6,
                  2, 0, 0, 0, 2e-3, 0, 0, 0, 2e-6};
    double r[] = {1e-4, 1e-8};
    int64_t rank[] = {2, 3};
    ga_array *x = ga_asarray(d, GA_SHAPE(2, 3, 3));
    ga_array *t = ga_asarray(r, GA_SHAPE(2)), *got = ga_matrix_rank_rtol(x, t);
    if (!got && no_lapack()) return;
    t_same(got, GA_INT64, GA_SHAPE(2), rank);
    rank[0] = rank[1] = 2;
    t_same(ga_matrix_rank_rtol(x, 1e-4), GA_INT64, GA_SHAPE(2), rank);
    rank[0] = rank[1] = 3;
    t_same(ga_matrix_rank_rtol(x, GA_NONE), GA_INT64, GA_SHAPE(2), rank);
    ga_array *p = ga_pinv_rtol(x, t);
    T_CHECK(ga_item_at(p, GA_SHAPE(0, 2, 2)) == 0);
    T_CHECK(fabs(ga_item_at(p, GA_SHAPE(1, 2, 2)) - 5e5) < 1e-6);
    T_CHECK(ga_array_equal(ga_pinv_rtol(x, GA_NONE), ga_pinv(x, -1), 0));
    ga_matrix_rank_rtol(x, ga_ones(GA_SHAPE(3), GA_FLOAT64));
    T_ERROR(GA_ERR_SHAPE);
    double h[] = {4, 0, 1, 1, 99, 99, 3, 0};    /* the upper triangle counts */
    ga_array *a = ga_asarray_as(h, GA_COMPLEX128, GA_SHAPE(2, 2));
    ga_array *u = ga_cholesky_as(a, GA_UPPER);
    double want[] = {2, 0, 0.5, 0.5, 0, 0, sqrt(2.5), 0};
    T_CHECK(ga_allclose(u, ga_asarray_as(want, GA_COMPLEX128, GA_SHAPE(2, 2)),
                        1e-14, 0, 0));
    double g[] = {4, 99, 1, 3}, low[] = {2, 0, 0.5, sqrt(2.75)};
    T_CHECK(ga_allclose(ga_cholesky_as(ga_asarray(g, GA_SHAPE(2, 2)), 0),
                        ga_asarray(low, GA_SHAPE(2, 2)), 1e-14, 0, 0));
    ga_cholesky_as(a, GA_LOWER);
    T_ERROR(GA_ERR_VALUE);
}
/* scipy.special.logsumexp with b and return_sign */
TEST(weighted_sums) {
    GA_SCOPE;
    double v[] = {1, 2}, b[] = {1, -1}, nan[] = {1, NAN}, first[] = {1, 0};
    ga_array *x = ga_asarray(v, GA_SHAPE(2)), *w = ga_asarray(b, GA_SHAPE(2));
    ga_array *sign, *r = ga_logsumexp_as(x, w, GA_ALL, &sign);
    T_CHECK(r->ndim == 0 && fabs(ga_item(r) - 1.5413248546129181) < 1e-14);
    T_CHECK(sign->ndim == 0 && ga_item(sign) == -1);
    T_CHECK(isnan(ga_item(ga_logsumexp_as(x, w, GA_ALL, NULL))));
    T_CHECK(ga_item(ga_logsumexp_as(ga_asarray(nan, GA_SHAPE(2)),
                                    ga_asarray(first, GA_SHAPE(2)), GA_ALL,
                                    NULL)) == 1);
    T_CHECK(fabs(ga_item(ga_logsumexp_as(x, GA_NONE, GA_ALL, NULL))
                 - ga_item(ga_logsumexp(x, GA_ALL))) < 1e-15);
    T_CHECK(fabs(ga_item(ga_logsumexp_as(x, 2, GA_ALL, NULL))
                 - ga_item(ga_logsumexp(x, GA_ALL)) - log(2)) < 1e-15);
    r = ga_logsumexp_as(ga_reshape(x, GA_SHAPE(1, 2)), GA_NONE, GA_AXIS_KEEP(1),
                        &sign);
    T_CHECK(r->ndim == 2 && sign->ndim == 2 && ga_item(sign) == 1);
    r = ga_logsumexp_as(ga_reshape(x, GA_SHAPE(2, 1)), w, GA_AXIS(0), &sign);
    T_CHECK(r->ndim == 1 && r->size == 2 && ga_item_at(sign, GA_SHAPE(1)) == -1);
    double z[] = {1, 3, 2, -1};
    ga_array *c = ga_asarray_as(z, GA_COMPLEX128, GA_SHAPE(2));
    double s[] = {1.787990297777198, -1.3513459464160056};
    T_CHECK(ga_allclose(ga_logsumexp_as(c, GA_NONE, GA_ALL, NULL),
                        ga_asarray_as(s, GA_COMPLEX128, GA_SCALAR_SHAPE), 1e-14,
                        0, 0));
    r = ga_logsumexp_as(c, GA_NONE, GA_ALL, &sign);
    double phase[] = {0.21769321775994183, -0.976017245206929};
    T_CHECK(r->dtype == GA_FLOAT64 || r->dtype == GA_COMPLEX128);
    T_CHECK(ga_allclose(sign, ga_asarray_as(phase, GA_COMPLEX128,
                                            GA_SCALAR_SHAPE), 1e-14, 0, 0));
    ga_array *e = ga_empty(GA_SHAPE(0, 3), GA_FLOAT64);
    r = ga_logsumexp_as(e, GA_NONE, GA_AXIS(0), NULL);
    T_CHECK(r->size == 3 && ga_item(ga_max(r, GA_ALL)) == -INFINITY);
    ga_logsumexp_as(x, NULL, GA_ALL, NULL);
    T_ERROR(GA_ERR_NULL);
    ga_logsumexp_as(x, ga_ones(GA_SHAPE(3), GA_FLOAT64), GA_ALL, NULL);
    T_ERROR(GA_ERR_SHAPE);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        T(close_pairs), T(close_dtypes), T(close_layouts), T(close_broadcast), T(close_to_a_row), T(one_differs), T(shapes),
        T(errors), T(sums_as),
        T(fractional_ddof), T(complex_ranges), T(matrices), T(weighted_sums),
    };
    return T_RUN("comparing", tests);
}
