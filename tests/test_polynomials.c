/* Polynomials and windows: golden/polynomials.bin in several layouts, errors
   with their texts, outputs, captures.                                      */
#include "golden.h"

static ga_array *made_of(const g_record *r) {
    return r ? (ga_asarray_as)(r->data, r->dtype, r->shape) : NULL;
}
static double eps_of(ga_dtype t) { return t_ulp(t, 1.0) / 2; }
static double size_of(const void *p, ga_dtype t, int64_t i) {
    return hypot(t_value(p, t, i, 0), t_is_complex(t) ? t_value(p, t, i, 1) : 0);
}
/* Within `units` eps of the largest element, or of each one's mag; integers and
   bool exactly.                                                             */
static double least;                /* what counts as the largest at least   */
static bool fits(const ga_array *y, const g_record *want, const g_record *mag,
                 double units) {
    if (!want) return t_bad("no golden value"), false;
    if (!t_is(y, want->dtype, want->shape)) return false;
    const void *p = t_host(y);
    if (!t_is_float(want->dtype) && !t_is_complex(want->dtype))
        return t_compare(p, want->data, want->dtype, want->size, 0);
    double largest = least;
    for (int64_t i = 0; i < want->size; i++)
        largest = fmax(largest, size_of(want->data, want->dtype, i));
    for (int64_t i = 0; i < want->size; i++) {
        double err = 0, m = mag ? ((const double *)mag->data)[i] : largest;
        for (int k = 0; k < 1 + t_is_complex(want->dtype); k++)
            err = hypot(err, t_value(p, want->dtype, i, k)
                                 - t_value(want->data, want->dtype, i, k));
        if (err <= units * eps_of(want->dtype) * m) continue;
        t_bad("element %lld is %s, expected %s", (long long)i,
              t_text(p, want->dtype, i), t_text(want->data, want->dtype, i));
        return false;
    }
    return true;
}

TEST(values) {
    g_load("polynomials.bin");
    int k = 0;
    for (const g_record *r; (r = g_find("polyval/%d/p", k)); k++) {
        GA_SCOPE;
        ga_array *p = made_of(r), *x = made_of(g_find("polyval/%d/x", k));
        const g_record *want = g_find("polyval/%d/out", k);
        const g_record *mag = g_find("polyval/%d/mag", k);
        for (int how = 0; how < 5; how++) {
            t_context("%d %s %s, layout %d", k, ga_dtype_name(p->dtype),
                      ga_dtype_name(x->dtype), how);
            ga_array *u = t_laid_out(p, how % 4), *v = t_laid_out(x, how);
            fits(ga_polyval(u, v), want, mag, 2 * (double)p->size + 4);
            ga_array *out = t_laid_out((ga_zeros)(want->shape, want->dtype),
                                       (how + 1) % 5);
            T_CHECK(ga_polyval_into(out, u, v) == GA_OK);
            fits(out, want, mag, 2 * (double)p->size + 4);
        }
        ga_array *same = ga_copy(x);        /* the result in x's place      */
        if (x->dtype == want->dtype
            && ga_polyval_into(same, p, same) == GA_OK)
            fits(same, want, mag, 2 * (double)p->size + 4);
    }
    T_CHECKF(k > 60, "%d cases", k);
    g_free();
}
/* More coefficients than a block keeps, more elements than one launch's step,
   an odd number of them, from an odd address.                               */
TEST(large_values) {
    GA_SCOPE;
    int64_t n = 100003, terms = 1300;
    ga_array *x = ga_slice_axis(ga_linspace(-1, 1, n + 1), 0, 1, GA_END, 1);
    ga_array *p = ga_ones(GA_SHAPE(terms), GA_FLOAT64);
    ga_array *y = ga_polyval(p, x);
    const double *v = (const double *)t_host(y), *u = (const double *)t_host(x);
    for (int64_t i = 0; i < n && v; i += 997) {
        double want = fabs(1 - u[i]) < 1e-4 ? 0 : (1 - pow(u[i], terms)) / (1 - u[i]);
        if (want == 0) continue;
        T_CHECKF(fabs(v[i] - want) <= 1e-9 * fabs(want) + 1e-9, "%g: %g for %g",
                 u[i], v[i], want);
    }
    ga_array *w = ga_astype(ga_arange_as(0, n, 1, GA_INT64), GA_UINT8);
    ga_array *z = ga_polyval(ga_asarray(((uint8_t[]){3, 250, 7}), GA_SHAPE(3)), w);
    const uint8_t *b = (const uint8_t *)t_host(z);
    for (int64_t i = 0; i < n && b; i += 13) {
        uint8_t e = (uint8_t)i;
        T_CHECKF(b[i] == (uint8_t)((uint8_t)(3 * e + 250) * e + 7), "%d", (int)i);
    }
}
TEST(value_forms) {
    GA_SCOPE;
    ga_array *p = ga_asarray(((float[]){2, 0, 1}), GA_SHAPE(3));
    float want = 19;
    t_same(ga_polyval(p, 3), GA_FLOAT32, GA_SCALAR_SHAPE, &want);
    t_same(ga_polyval(p, 3.0), GA_FLOAT32, GA_SCALAR_SHAPE, &want);
    /* 0 at infinity is NaN, as NumPy's                                     */
    float v[2];
    ga_array *far = ga_full(GA_SHAPE(2), (double)INFINITY, GA_FLOAT32);
    T_CHECK(ga_asnumpy(ga_polyval(p, far), v) && isnan(v[0]));
    /* one polynomial a column                                              */
    ga_array *cols = ga_asarray(((double[]){1, 2, 3, 4, 5, 6}), GA_SHAPE(3, 2));
    double both[] = {1 * 4 + 3 * 2 + 5, 2 * 4 + 4 * 2 + 6};
    t_same(ga_polyval(cols, 2), GA_FLOAT64, GA_SHAPE(2), both);
    ga_array *out = ga_zeros(GA_SHAPE(2), GA_FLOAT64);
    T_CHECK(ga_polyval_into(out, cols, 2) == GA_OK);
    t_same(out, GA_FLOAT64, GA_SHAPE(2), both);
    ga_array *x = ga_broadcast_to(ga_asarray(((double[]){1, 2}), GA_SHAPE(2, 1)),
                                  GA_SHAPE(2, 3));
    double six[] = {3, 3, 3, 9, 9, 9};
    t_same(ga_polyval(p, x), GA_FLOAT64, GA_SHAPE(2, 3), six);
    T_CHECK(ga_polyval(p, ga_empty(GA_SHAPE(0, 3), GA_FLOAT32))->size == 0);
    /* coefficients in the output's place                                   */
    ga_array *q = ga_asarray(((double[]){1, 2}), GA_SHAPE(2));
    ga_array *at = ga_asarray(((double[]){3, 4}), GA_SHAPE(2));
    double there[] = {5, 6};
    T_CHECK(ga_polyval_into(q, q, at) == GA_OK);
    t_same(q, GA_FLOAT64, GA_SHAPE(2), there);
    ga_array *half = ga_astype(p, GA_BFLOAT16), *r = ga_polyval(half, half);
    float nine[] = {9, 1, 3};
    t_same(ga_astype(r, GA_FLOAT32), GA_FLOAT32, GA_SHAPE(3), nine);
    T_CHECK(r && r->dtype == GA_BFLOAT16);
    ga_array *turned = ga_transpose(ga_ones(GA_SHAPE(3, 4), GA_FLOAT32), GA_ALL);
    r = ga_polyval(p, turned);      /* laid out as x is                     */
    T_CHECK(r && r->strides[0] == 1 && r->strides[1] == 4);
}

TEST(pairs) {
    g_load("polynomials.bin");
    int k = 0;
    for (const g_record *r; (r = g_find("pair/%d/a", k)); k++) {
        GA_SCOPE;
        const g_record *div = g_find("pair/%d/div", k);
        for (int how = 0; how < 4; how++) {
            t_context("%d, layout %d", k, how);
            ga_array *a = t_laid_out(made_of(r), how);
            ga_array *b = t_laid_out(made_of(g_find("pair/%d/b", k)), how);
            const g_record *add = g_find("pair/%d/add", k);
            fits(ga_polyadd(a, b), add, NULL, 4);
            fits(ga_polyadd(b, a), add, NULL, 4);
            ga_array *out = t_laid_out((ga_empty)(add->shape, add->dtype), how);
            T_CHECK(ga_polyadd_into(out, a, b) == GA_OK);
            fits(out, add, NULL, 4);
            const g_record *mul = g_find("pair/%d/mul", k);
            fits(ga_polymul(a, b), mul, NULL, 2 * (double)mul->size);
            if (!div) continue;
            ga_array *q = NULL, *rest = NULL, *alone = NULL;
            T_CHECK(ga_polydiv(a, b, &q, &rest) == GA_OK);
            fits(q, div, NULL, 40);
            fits(rest, g_find("pair/%d/rest", k), NULL, 400);
            T_CHECK(ga_polydiv(a, b, NULL, &alone) == GA_OK);
            t_same_arrays(alone, rest, 0);
        }
    }
    T_CHECKF(k >= 12, "%d cases", k);
    g_free();
    GA_SCOPE;
    ga_array *p = ga_asarray(((int32_t[]){1, 2, 3}), GA_SHAPE(3));
    int32_t sum[] = {1, 2, 10}, twice[] = {2, 4, 6};
    t_same(ga_polyadd(p, 7), GA_INT32, GA_SHAPE(3), sum);
    t_same(ga_polymul(2, p), GA_INT32, GA_SHAPE(3), twice);
    int64_t nine = 9;
    t_same(ga_polyadd(4, 5), GA_INT64, GA_SHAPE(1), &nine);
    ga_array *scalar = ga_full(GA_SCALAR_SHAPE, 8, GA_INT64);
    t_same(ga_polyadd(scalar, 1), GA_INT64, GA_SHAPE(1), &nine);
    t_same(ga_polyadd(1, scalar), GA_INT64, GA_SHAPE(1), &nine);
    t_same(ga_polyadd(ga_empty(GA_SHAPE(0), GA_INT64), 9), GA_INT64, GA_SHAPE(1),
           &nine);
    ga_array *q, *r;
    T_CHECK(ga_polydiv(p, 2, &q, &r) == GA_OK);
    double halves[] = {.5, 1, 1.5}, none = 0;
    t_same(q, GA_FLOAT64, GA_SHAPE(3), halves);
    t_same(r, GA_FLOAT64, GA_SHAPE(1), &none);
    ga_array *f = ga_asarray(((float[]){1, 2.5, 4}), GA_SHAPE(3));
    T_CHECK(ga_polydiv(f, ga_slice(p, "::2"), &q, &r) == GA_OK);
    t_same(q, GA_FLOAT64, GA_SHAPE(2), (double[]){1, -.5});
    t_same(r, GA_FLOAT64, GA_SHAPE(1), (double[]){5.5});
    ga_array *h = ga_asarray_as(((uint16_t[]){0x3c00, 0x4000}), GA_FLOAT16,
                                GA_SHAPE(2));
    uint16_t square[] = {0x3c00, 0x4400, 0x4400};
    t_same(ga_polymul(h, h), GA_FLOAT16, GA_SHAPE(3), square);
}

TEST(calculus) {
    g_load("polynomials.bin");
    double five = 5;
    int k = 0;
    for (const g_record *r; (r = g_find("calc/%d/p", k)); k++) {
        GA_SCOPE;
        int64_t m = *(const int64_t *)g_find("calc/%d/m", k)->data;
        ga_array *c = ga_asarray(((double[]){1.5, 2, -3}), GA_SHAPE(3));
        for (int how = 0; how < 4; how++) {
            t_context("%d, order %d, layout %d", k, (int)m, how);
            ga_array *p = t_laid_out(made_of(r), how);
            const g_record *der = g_find("calc/%d/der", k);
            const g_record *whole = g_find("calc/%d/int", k);
            if (der) fits(ga_polyder(p, m), der, NULL, 4);
            fits(ga_polyint(p, m, GA_NONE), whole, NULL, 4);
            fits(ga_polyint(p, m, 5), g_find("calc/%d/int5", k), NULL, 4);
            fits(ga_polyint(p, m, t_laid_out(c, how)),
                 g_find("calc/%d/intk", k), NULL, 4);
            ga_array *out = t_laid_out((ga_empty)(whole->shape, whole->dtype),
                                       how);
            T_CHECK(ga_polyint_into(out, p, m, GA_NONE) == GA_OK);
            fits(out, whole, NULL, 4);
            if (!der) continue;
            out = t_laid_out((ga_empty)(der->shape, der->dtype), how);
            T_CHECK(ga_polyder_into(out, p, m) == GA_OK);
            fits(out, der, NULL, 4);
        }
    }
    T_CHECKF(k >= 80, "%d cases", k);
    g_free();
    GA_SCOPE;
    ga_array *p = ga_asarray(((double[]){3, 2}), GA_SHAPE(2));
    double once[] = {1.5, 2, 7};
    t_same(ga_polyint(p, 1, ga_full(GA_SCALAR_SHAPE, five + 2, GA_FLOAT64)),
           GA_FLOAT64, GA_SHAPE(3), once);
    T_CHECK(ga_polyder(p, INT64_MAX)->size == 0);
}

#ifndef GPUARR_USE_LAPACK
#define NEEDS_LAPACK if (!t_on_gpu()) skip()
#else
#define NEEDS_LAPACK (void)0
#endif
/* Each true root has one of its own nearby, so near as its condition allows. */
TEST(roots) {
    NEEDS_LAPACK;
    g_load("polynomials.bin");
    int k = 0;
    for (const g_record *r; (r = g_find("roots/%d/p", k)); k++) {
        GA_SCOPE;
        t_context("%d", k);
        const g_record *want = g_find("roots/%d/out", k);
        ga_array *w = ga_roots(made_of(r));
        if (!t_is(w, GA_COMPLEX128, want->shape)) continue;
        double *got = (double *)t_host(w);
        const double *z = (const double *)want->data;
        for (int64_t i = 0; i < want->size; i++) {
            int64_t at = 0;
            double least = HUGE_VAL;
            for (int64_t j = 0; j < want->size; j++) {
                double d = hypot(got[2 * j] - z[2 * i], got[2 * j + 1] - z[2 * i + 1]);
                if (d < least) least = d, at = j;
            }
            T_CHECKF(least <= 1e-9, "root %d is %g away", (int)i, least);
            got[2 * at] = HUGE_VAL;         /* taken                        */
        }
    }
    T_CHECKF(k >= 10, "%d cases", k);
    g_free();
    GA_SCOPE;
    ga_array *p = ga_asarray(((float[]){1, 0, -4, 0, 0}), GA_SHAPE(5));
    ga_array *w = ga_roots(p);      /* zeros last                           */
    T_CHECK(t_is(w, GA_COMPLEX64, GA_SHAPE(4)));
    T_CHECK(ga_item_at(ga_absolute(w), GA_INDEX(1)) > 1.9);
    T_CHECK(ga_item_at(ga_absolute(w), GA_INDEX(2)) == 0);
}

TEST(squares) {
    NEEDS_LAPACK;
    g_load("polynomials.bin");
    int k = 0;
    for (const g_record *r; (r = g_find("fit/%d/x", k)); k++) {
        GA_SCOPE;
        t_context("fit %d", k);
        int deg = (int)*(const int64_t *)g_find("fit/%d/deg", k)->data;
        const g_record *weights = g_find("fit/%d/w", k), *rec;
        ga_array *x = t_laid_out(made_of(r), k % 4);
        ga_array *y = t_laid_out(made_of(g_find("fit/%d/y", k)), k % 5);
        ga_array *p = NULL, *res = NULL, *rank = NULL, *s = NULL, *cov = NULL;
        const ga_array *w = weights ? made_of(weights) : GA_NONE;
        const bool real = g_find("fit/%d/s", k) != NULL;
        T_CHECK(ga_polyfit_full(x, y, deg, w, -1, &p, &res, &rank,
                                real ? &s : NULL, real ? &cov : NULL,
                                GA_FULL_RANK) == GA_OK);
        fits(p, g_find("fit/%d/out", k), NULL, 2000);
        if (!weights)
            fits(ga_polyfit(x, y, deg), g_find("fit/%d/out", k), NULL, 2000);
        rec = g_find("fit/%d/residuals", k);
        if (y->ndim == 1 && rec->size == 1) res = ga_reshape(res, GA_SHAPE(1));
        fits(res, rec, NULL, 2000);
        T_CHECK(ga_item_i64(rank) == deg + 1);
        if (!real) continue;
        fits(s, g_find("fit/%d/s", k), NULL, 200);
        fits(cov, g_find("fit/%d/cov", k), NULL, 20000);
        T_CHECK(ga_polyfit_full(x, y, deg, w, -1, NULL, NULL, NULL, NULL, &cov,
                                GA_UNSCALED) == GA_OK);
        rec = g_find("fit/%d/unscaled", k); /* NumPy: (.., .., 1)           */
        if (cov) fits(ga_reshape(cov, rec->shape), rec, NULL, 20000);
    }
    T_CHECKF(k >= 50, "%d cases", k);
    g_free();
}
/* NumPy's warning: told by the rank, or as an error where that is asked for. */
TEST(poor_fits) {
    NEEDS_LAPACK;
    GA_SCOPE;
    ga_array *x = ga_asarray(((double[]){1, 1, 1, 2}), GA_SHAPE(4));
    ga_array *y = ga_asarray(((double[]){1, 2, 3, 4}), GA_SHAPE(4));
    ga_array *p = NULL, *rank = NULL, *q = NULL;
    T_CHECK(ga_polyfit_full(x, y, 2, GA_NONE, -1, &p, NULL, &rank, NULL, NULL,
                            0) == GA_OK);
    T_CHECK(ga_item_i64(rank) == 2 && t_is(p, GA_FLOAT64, GA_SHAPE(3)));
    T_CHECK(fabs(ga_item(ga_polyval(p, 2)) - 4) < 1e-9);
    T_CHECK(ga_polyfit_full(x, y, 2, GA_NONE, -1, &q, NULL, NULL, NULL, NULL,
                            GA_FULL_RANK) == GA_ERR_SINGULAR);
    T_CHECK(!q && !strcmp(ga_error_message(), "ga_polyfit_full: the fit is "
                          "poorly conditioned: rank 2 of 3 powers"));
    ga_clear_error();
    /* a cut between the singular values                                    */
    T_CHECK(ga_polyfit_full(ga_linspace(0, 1, 4), y, 1, GA_NONE, .9, NULL, NULL,
                            &rank, NULL, NULL, 0) == GA_OK);
    T_CHECK(ga_item_i64(rank) == 1);
}

TEST(windows) {
    g_load("polynomials.bin");
    static const int64_t m[] = {2, 3, 8, 51};
    least = 1;
    for (size_t i = 0; i < T_COUNT(m); i++) {
        GA_SCOPE;
        ga_array *out = ga_slice_axis(ga_zeros(GA_SHAPE(2 * m[i]), GA_FLOAT64), 0,
                                      0, GA_END, 2);
#define WINDOW(n)                                                           \
        t_context(#n " %d", (int)m[i]);                                     \
        fits(ga_##n(m[i]), g_find(#n "/%d", (int)m[i]), NULL, 4);           \
        T_CHECK(ga_##n##_into(out) == GA_OK);                               \
        fits(out, g_find(#n "/%d", (int)m[i]), NULL, 4);                    \
        t_same_arrays(ga_##n##_as(m[i], GA_FLOAT16),                        \
                      ga_astype(out, GA_FLOAT16), 0);
        GA_WINDOWS(WINDOW)
        static const int beta[] = {0, 1, -5, 8, 14, 300};
        for (size_t b = 0; b < T_COUNT(beta); b++) {
            t_context("kaiser %d %d", (int)m[i], beta[b]);
            const g_record *want = g_find("kaiser/%d/%d", beta[b], (int)m[i]);
            fits(ga_kaiser(m[i], beta[b]), want, NULL, 300);
            T_CHECK(ga_kaiser_into(out, beta[b]) == GA_OK);
            fits(out, want, NULL, 300);
            t_same_arrays(ga_kaiser_as(m[i], beta[b], GA_FLOAT32),
                          ga_astype(out, GA_FLOAT32), 0);
        }
    }
    least = 0;
    g_free();
    GA_SCOPE;
    t_context("%s", "");
    double one = 1;
    T_CHECK(t_is(ga_hanning(0), GA_FLOAT64, GA_SHAPE(0)));
    T_CHECK(t_is(ga_kaiser(-3, 2), GA_FLOAT64, GA_SHAPE(0)));
    t_same(ga_bartlett(1), GA_FLOAT64, GA_SHAPE(1), &one);
    t_same(ga_kaiser(1, 14), GA_FLOAT64, GA_SHAPE(1), &one);
    ga_array *w = ga_kaiser(100001, 14);    /* more than a block, both series */
    t_same_arrays(w, ga_flip(w, GA_AXIS(0)), 0);
    T_CHECK(fabs(ga_item_at(w, GA_INDEX(50000)) - 1) < 1e-15);
    ga_array *c = ga_hamming_as(5, GA_COMPLEX64);
    T_CHECK(c && ga_item_at(ga_real(c), GA_INDEX(2)) == 1);
}

TEST(errors) {
    GA_SCOPE;
    ga_array *p = ga_ones(GA_SHAPE(3), GA_FLOAT64), *q = NULL, *r = NULL;
    ga_array *two = ga_ones(GA_SHAPE(2, 3), GA_FLOAT64);
    T_NO(ga_polyval(NULL, p), GA_ERR_NULL,
       "ga_polyval: an array argument is NULL");
    T_NO(ga_polyval(1, p), GA_ERR_SHAPE,
       "ga_polyval: coefficients of shape (); rank 1 or more is needed");
    T_NO(ga_polyval(ga_ones(GA_SHAPE(2), GA_INT8), 300), GA_ERR_VALUE,
       "ga_polyval: 300 is out of range for int8");
    T_NO(ga_polyadd(two, p), GA_ERR_SHAPE,
       "ga_polyadd: coefficients of shape (2,3); rank 1 is needed");
    T_NO(ga_polymul(p, two), GA_ERR_SHAPE,
       "ga_polymul: coefficients of shape (2,3); rank 1 is needed");
    T_NO(ga_polyder(two, 1), GA_ERR_SHAPE,
       "ga_polyder: coefficients of shape (2,3); rank 1 is needed");
    T_NO(ga_polyder(p, -1), GA_ERR_VALUE,
       "ga_polyder: the order is -1; 0 or more is possible");
    T_NO(ga_polyint(p, 3, ga_ones(GA_SHAPE(2), GA_FLOAT64)), GA_ERR_VALUE,
       "ga_polyint: constants of shape (2,) for 3 integrals");
    T_FAILS(ga_polydiv(p, ga_empty(GA_SHAPE(0), GA_FLOAT64), &q, &r), GA_ERR_EMPTY,
          "ga_polydiv: a polynomial has no coefficients");
    T_CHECK(!q && !r);
    T_FAILS(ga_polyder_into(p, p, 1), GA_ERR_SHAPE,
          "ga_polyder_into: the output has shape (3,), the result (2,)");
    T_NO(ga_roots(ga_astype(p, GA_FLOAT16)), GA_ERR_DTYPE,
       "ga_roots: float16 is not supported");
    T_NO(ga_polyfit(p, two, 1), GA_ERR_SHAPE, "ga_polyfit: places of shape (3,), "
       "values of (2,3): (n,), and (n,) or (n,k), are needed");
    T_NO(ga_polyfit(p, p, -1), GA_ERR_VALUE,
       "ga_polyfit: the degree is -1; 0 or more is possible");
    ga_array *none = ga_empty(GA_SHAPE(0), GA_FLOAT64);
    T_NO(ga_polyfit(none, none, 1), GA_ERR_EMPTY,
       "ga_polyfit: there are no places");
    T_FAILS(ga_polyfit_full(p, p, 1, two, -1, &q, NULL, NULL, NULL, NULL, 0),
          GA_ERR_SHAPE, "ga_polyfit_full: weights of shape (2,3) for places of "
          "(3,)");
    T_FAILS(ga_polyfit_full(p, p, 2, GA_NONE, -1, NULL, NULL, NULL, NULL, &q, 0),
          GA_ERR_VALUE, "ga_polyfit_full: 3 places leave no covariance of 3 "
          "coefficients");
    T_FAILS(ga_polyfit_full(p, p, 1, GA_NONE, -1, &q, NULL, NULL, NULL, NULL, 8),
          GA_ERR_VALUE, "ga_polyfit_full: flags 0x8: 0x8 mean nothing here");
    T_NO(ga_hanning_as(5, GA_INT32), GA_ERR_DTYPE,
       "ga_hanning: a window of int32 is not possible");
    T_FAILS(ga_hanning_into(two), GA_ERR_SHAPE,
          "ga_hanning_into: the output has shape (2,3); rank 1 is needed");
    T_CHECK(!q);
}

typedef struct step { ga_array *p, *x, *out[4]; } step;
static void steps(void *arg) {
    step *s = (step *)arg;
    ga_polyval_into(s->out[0], s->p, s->x);
    ga_polyder_into(s->out[1], s->p, 1);
    ga_polyint_into(s->out[2], s->p, 2, 1);
    ga_kaiser_into(s->out[3], 9);
}
TEST(captured) {
    GA_SCOPE;
    step s = {ga_ones(GA_SHAPE(3), GA_FLOAT64), ga_ones(GA_SHAPE(40), GA_FLOAT64),
              {ga_zeros(GA_SHAPE(40), GA_FLOAT64),
               ga_zeros(GA_SHAPE(2), GA_FLOAT64),
               ga_zeros(GA_SHAPE(5), GA_FLOAT64),
               ga_zeros(GA_SHAPE(9), GA_FLOAT64)}};
    steps(&s);
    ga_graph *g = ga_graph_create(steps, &s);
    T_CHECK(g != NULL);
    ga_assign(s.p, ga_full(GA_SCALAR_SHAPE, 2, GA_FLOAT64));
    T_CHECK(ga_graph_launch(g) == GA_OK);
    t_same_arrays(s.out[0], ga_full(GA_SHAPE(40), 6, GA_FLOAT64), 0);
    double slope[] = {4, 2};
    t_same(s.out[1], GA_FLOAT64, GA_SHAPE(2), slope);
    t_near(s.out[3], GA_FLOAT64, GA_SHAPE(9), t_host(ga_kaiser(9, 9)), 0);
    ga_graph_destroy(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(values), T(large_values), T(value_forms), T(pairs), T(calculus),
        T(roots), T(squares), T(poor_fits), T(windows), T(errors), T(captured)};
    return T_RUN("polynomials", tests);
}
