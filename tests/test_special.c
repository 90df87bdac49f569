/* Special functions beside test_values.c and test_elementwise.c, which know
   their rows: in expressions, in graphs, and arguments that could take long. */
#include "test.h"

static ga_array *positive(ga_dtype t, int64_t n) {
    return t_random_array(t, GA_SHAPE(n), 0.1, 9);
}

/* On a GPU such a row is a kernel of its own within an expression. */
TEST(in_expressions) {
    static const ga_dtype types[] = {GA_FLOAT64, GA_FLOAT32, GA_FLOAT16,
                                     GA_INT32};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        GA_SCOPE;
        ga_array *x = positive(types[i], 1000), *y = positive(types[i], 1000);
        double bound = types[i] == GA_FLOAT16 ? 2 : 16;
        t_context("special rows of %s", ga_dtype_name(types[i]));
        t_same_arrays(GA_EVAL(digamma(x), x), ga_digamma(x), bound);
        t_same_arrays(GA_EVAL(beta(x, 2.5), x), ga_beta(x, 2.5), bound);
        t_same_arrays(GA_EVAL(gammainc(2, y), y), ga_gammainc(2, y), bound);
        t_same_arrays(GA_EVAL(1 + ndtr(x) * i0e(y + x), x, y),
                      ga_add(1, ga_mul(ga_ndtr(x), ga_i0e(ga_add(y, x)))),
                      bound);
        t_same_arrays(GA_EVAL(sum(i0e(x)), x), ga_sum(ga_i0e(x), GA_ALL),
                      types[i] == GA_FLOAT16 ? 2 : 100);
        t_same_arrays(GA_EVAL(max(entr(ndtr(x)), axis=0), x),
                      ga_max(ga_entr(ga_ndtr(x)), GA_AXIS(0)), bound);
    }
}
/* One row's value is a result and read on as well. */
TEST(several_results) {
    GA_SCOPE;
    ga_array *x = positive(GA_FLOAT64, 777), *s = ga_empty_like(x);
    ga_array *c = ga_empty_like(x);
    T_CHECK(GA_EVAL_SET(s = log_ndtr(x); c = s * 2 + zeta(x + 1, 1), s, c, x)
            == GA_OK);
    t_same_arrays(s, ga_log_ndtr(x), 16);
    t_same_arrays(c, ga_add(ga_mul(ga_log_ndtr(x), 2), ga_zeta(ga_add(x, 1), 1)),
                  32);
    ga_array *row = ga_slice(x, ":7"), *col = ga_reshape(row, GA_SHAPE(7, 1));
    t_same_arrays(GA_EVAL(xlogy(row, col), row, col), ga_xlogy(row, col), 8);
}

static void step(void *arg) {
    ga_array **a = (ga_array **)arg;
    ga_j1_into(a[1], a[0]);
    ga_gammaincc_into(a[2], a[0], ga_abs(a[1]));
}
TEST(in_a_graph) {
    GA_SCOPE;
    ga_array *x = positive(GA_FLOAT32, 5000), *a[3] = {x, ga_empty_like(x),
                                                       ga_empty_like(x)};
    ga_graph *g = ga_graph_create(step, a);
    T_CHECK(g != NULL);
    T_CHECK(ga_graph_launch(g) == GA_OK);
    t_same_arrays(a[1], ga_j1(x), 0);
    t_same_arrays(a[2], ga_gammaincc(x, ga_abs(ga_j1(x))), 0);
    ga_graph_destroy(g);
}

/* A term beyond the largest number, by logarithms or not, is infinite. */
TEST(zeta_overflows) {
    static const double s[] = {103, 107, 117, 135, 300};
    static const double q[] = {1e-3, 1e-3, 2e-3, 5e-3, 1e-3};
    GA_SCOPE;
    ga_array *x = ga_asarray_as(s, GA_FLOAT64, GA_SHAPE(5));
    ga_array *y = ga_asarray_as(q, GA_FLOAT64, GA_SHAPE(5));
    T_CHECK(ga_item(ga_all(ga_isposinf(ga_zeta(x, y)), GA_ALL)) == 1);
    T_CHECK(ga_item(ga_all(ga_isinf(ga_polygamma(ga_sub(x, 1), y)), GA_ALL)) == 1);
}

/* log|beta| of a large and a negative number: mpmath's, 400 digits. */
TEST(betaln_of_large_and_negative) {
    static const double v[][3] = {
        {1e6, -2.5, 34.482528303408636203}, {1e10, -2.5, 57.50838360791596805},
        {1e300, -2.5, 1726.8825760290365891}, {1e12, -7.25, 192.78301964697631824},
        {-1e10, 2, -46.05170185978091368}, {5e5, -100000.5, 250196.26266755651394},
        {-2.5, 1e15, 86.290697270779034725}};
    for (size_t i = 0; i < T_COUNT(v); i++) {
        GA_SCOPE;
        ga_array *x = ga_full(GA_SHAPE(1), v[i][0], GA_FLOAT64);
        double got = ga_item(ga_betaln(x, v[i][1]));
        T_CHECKF(fabs(got / v[i][2] - 1) < 1e-14, "betaln(%g, %g) is %.17g",
                 v[i][0], v[i][1], got);
    }
}

/* Loops end, and what is known comes out, whatever the size. */
TEST(large_arguments) {
    static const double big[] = {1e3, 1e5, 1e8, 1e12, 1e16, 1e100, 1e300};
    for (size_t i = 0; i < T_COUNT(big); i++) {
        GA_SCOPE;
        double v = big[i];
        ga_array *x = ga_full(GA_SHAPE(2), v, GA_FLOAT64);
        t_context("%g", v);
        double p = ga_item(ga_gammainc(x, v) ? ga_slice(ga_gammainc(x, v), "0")
                                             : NULL);
        T_CHECKF(p >= 0.5 && p < 0.505, "gammainc %.17g", p);
        double q = ga_item(ga_slice(ga_gammaincc(x, v), "1"));
        T_CHECKF(p + q == 1, "gammaincc %.17g", q);
        T_CHECK(ga_item(ga_slice(ga_gammainc(x, v / 10), "0")) == 0);
        T_CHECK(ga_item(ga_slice(ga_gammainc(x, v * 10), "0")) == 1);
        T_CHECK(ga_item(ga_slice(ga_zeta(x, 2), "0")) < 1e-300);
        double z = ga_item(ga_slice(ga_zeta(2, x), "0")) * v;
        T_CHECKF(fabs(z - 1) < 1 / v + 1e-15, "zeta %.17g", z);
        double b = ga_item(ga_slice(ga_beta(x, 1), "0")) * v;
        T_CHECKF(fabs(b - 1) < 1e-14, "beta %.17g", b);
        double d = ga_item(ga_slice(ga_digamma(x), "0")) / log(v);
        T_CHECKF(fabs(d - 1) < 1 / v, "digamma %.17g", d);
        double j = fabs(ga_item(ga_slice(ga_j0(x), "0")));
        T_CHECKF(j <= sqrt(2 / (3.14159 * v)), "j0 %.17g", j);
        T_CHECK(ga_item(ga_slice(ga_i0e(x), "0")) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(in_expressions), T(several_results), T(in_a_graph),
        T(large_arguments), T(zeta_overflows),
        T(betaln_of_large_and_negative),
    };
    return T_RUN("special", tests);
}
