/* Results of every operation against golden/values.bin and special.bin: truth
   to 60 digits within the row's bound, NumPy's own results where they are
   exact or special. GA_TEST_ULPS=1 prints the largest error of each.        */
#include "golden.h"
#include "rows.h"

static bool verbose;

static ga_array *array_of(const g_record *g) {
    return ga_asarray_as(g->data, g->dtype, g->shape);
}
static bool same_sign(double a, double b) {
    return !signbit(a) == !signbit(b);
}

/* One complex element that special values settle: zeros, infinities and NaN
   exactly, other parts within the bound of |z|. `how` is make_golden's: signs
   that C99 leaves open, and what Annex G allows beside NumPy's answer.      */
enum { GENERIC, SPECIAL, SIGNS, INFINITE, ZERO };
static bool special_fits(ga_dtype t, const double got[2], const double want[2],
                         double bound, int how) {
    double size = 0;
    if (how == INFINITE && (isinf(got[0]) || isinf(got[1]))) return true;
    if (how == ZERO && got[0] == 0 && got[1] == 0) return true;
    for (int k = 0; k < 2; k++)
        if (isfinite(want[k])) size = hypot(size, want[k]);
    for (int k = 0; k < 2; k++) {
        if (isnan(want[k]) ? !isnan(got[k])
            : isinf(want[k]) || want[k] == 0
                ? !(fabs(got[k]) == fabs(want[k])
                    && (how != SPECIAL || same_sign(got[k], want[k])))
                : !(fabs(got[k] - want[k])
                    <= bound * t_ulp(t_real_of(t), size)))
            return false;
    }
    return true;
}

/* |y log x|: a complex power loses 4 ulp for each unit of it. */
static double power_exponent(const g_record *x, const g_record *y, int64_t i) {
    double xr = t_value(x->data, x->dtype, i, 0);
    double xi = t_value(x->data, x->dtype, i, 1);
    double size = hypot(t_value(y->data, y->dtype, i, 0),
                        t_value(y->data, y->dtype, i, 1))
                  * hypot(log(hypot(xr, xi)), atan2(xi, xr));
    return isfinite(size) ? size : 0;
}

/* y against the records key/hi and key/lo, element by element. */
static void against_truth(const ga_array *y, const char *key, ga_dtype t,
                          double bound) {
    const g_record *hi = g_find("%s/hi", key), *lo = g_find("%s/lo", key);
    const g_record *sp = g_find("%s/special", key);
    const g_record *size = g_find("%s/size", key);
    const g_record *x = g_find("%s/x", key), *x2 = g_find("%s/x2", key);
    bool cplx = hi->dtype == GA_COMPLEX128;
    ga_dtype rt = cplx ? t : t_real_of(t);
    if (!t_is(y, rt, hi->shape)) return;
    void *p = t_host(y);
    double worst = 0;
    int64_t at = -1, count = 0;
    for (int64_t i = 0; i < hi->size; i++) {
        double g[2] = {0}, h[2] = {0}, l[2] = {0}, err;
        for (int k = 0; k < 1 + cplx; k++) {
            g[k] = t_value(p, rt, i, k);
            h[k] = t_value(hi->data, hi->dtype, i, k);
            if (lo) l[k] = t_value(lo->data, lo->dtype, i, k);
        }
        int how = sp ? ((const unsigned char *)sp->data)[i] : GENERIC;
        if (how && cplx) {
            err = special_fits(rt, g, h, bound, how) ? 0 : (double)INFINITY;
        } else if (cplx) {
            err = t_ulps_complex(rt, g, h, l);
        } else {
            err = t_ulps(rt, g[0], h[0], l[0]);
            if (size)               /* relative to more than the result     */
                err *= t_ulp(rt, h[0])
                       / t_ulp(rt, t_value(size->data, size->dtype, i, 0));
            if (h[0] == 0 && l[0] == 0 && !same_sign(g[0], h[0]))
                err = (double)INFINITY;
        }
        if (x2 && !strncmp(key, "power/complex128", 16))
            err *= bound / (bound + 4 * power_exponent(x, x2, i));
        if (!(err <= bound)) {
            count++;
            if (verbose && isinf(err))
                print_message("    %s: %s%s%s gives %s, expected %s\n", key,
                              t_text(x->data, x->dtype, i), x2 ? " and " : "",
                              x2 ? t_text(x2->data, x2->dtype, i) : "",
                              t_text(p, rt, i), t_text(hi->data, hi->dtype, i));
        }
        if (!(err <= worst)) worst = err, at = i;
    }
    if (verbose) print_message("    %-24s %.3f of %g ulp\n", key, worst, bound);
    if (worst > bound)
        t_bad("%s: %lld of %lld; worst %.3g ulp of %g: of %s%s%s is %s, "
              "expected %s", key, (long long)count, (long long)hi->size,
              worst, bound, t_text(x->data, x->dtype, at), x2 ? " and " : "",
              x2 ? t_text(x2->data, x2->dtype, at) : "", t_text(p, rt, at),
              t_text(hi->data, hi->dtype, at));
}

/* y against an exact record; says the operands of a difference. */
static void against_exact(const ga_array *y, const g_record *want,
                          const g_record *x, const g_record *x2) {
    if (!t_is(y, want->dtype, want->shape)) return;
    void *p = t_host(y);
    int64_t at = -1, count = 0;
    for (int64_t i = 0; i < want->size; i++)
        if (!t_equal(p, want->data, want->dtype, i) && count++ == 0) at = i;
    if (count)
        t_bad("%s: %lld of %lld; of %s%s%s is %s, expected %s", want->name,
              (long long)count, (long long)want->size,
              t_text(x->data, x->dtype, at), x2 ? " and " : "",
              x2 ? t_text(x2->data, x2->dtype, at) : "",
              t_text(p, want->dtype, at), t_text(want->data, want->dtype, at));
}

static void check_row(const r_row *r) {
    int found = 0;
    for (int k = 0; k < 2 * GA_NUM_DTYPES; k++) {
        GA_SCOPE;
        ga_dtype t = (ga_dtype)(k / 2);
        const char *tn = ga_dtype_name(t);
        char key[80];
        snprintf(key, sizeof key, "%s%s/%s", k % 2 ? "far/" : "", r->name, tn);
        const g_record *y = g_find("%s/y", key), *hi = g_find("%s/hi", key);
        if (!y && !hi) continue;
        found++;
        const g_record *x = g_find("%s/x", key), *x2 = g_find("%s/x2", key);
        if (!x) {                   /* integers share their operands        */
            x = r->nin == 1 ? g_find("%s/x", tn) : g_find("%s/a", tn);
            x2 = r->nin == 1 ? NULL : g_find("%s/e", key);
            if (r->nin == 2 && !x2) x2 = g_find("%s/b", tn);
        }
        ga_array *a = array_of(x), *b = x2 ? array_of(x2) : NULL;
        ga_array *got = r->nin == 1 ? r->f1(a) : r->f2(a, b);
        if (y) against_exact(got, y, x, x2);
        else against_truth(got, key, t, r_bound(r, t));
    }
    T_CHECKF(found > 0, "%s: no golden values", r->name);
}
static const r_row *row_of(const char *name) {
    for (size_t i = 0; i < R_UNARIES; i++)
        if (r_named(&r_unaries[i], name)) return &r_unaries[i];
    for (size_t i = 0; i < R_BINARIES; i++)
        if (r_named(&r_binaries[i], name)) return &r_binaries[i];
    return NULL;
}
#define TEST_ROW(n, ...) TEST(row_##n) { check_row(row_of(#n)); }
GA_UNARY_OPS(TEST_ROW)
GA_BINARY_OPS(TEST_ROW)

/* int64 with uint64: compared as numbers, not through float64. */
TEST(int64_with_uint64) {
    static const char *const names[] = {"equal", "not_equal", "less",
                                        "less_equal", "greater",
                                        "greater_equal"};
    GA_SCOPE;
    const g_record *a = g_find("iu/a"), *b = g_find("iu/b");
    ga_array *x = array_of(a), *y = array_of(b);
    for (size_t i = 0; i < T_COUNT(names); i++) {
        const r_row *r = row_of(names[i]);
        against_exact(r->f2(x, y), g_find("iu/%s", names[i]), a, b);
        against_exact(r->f2(y, x), g_find("ui/%s", names[i]), b, a);
    }
}

TEST(modf_values) {
    for (int t = GA_FLOAT16; t <= GA_FLOAT64; t++) {
        GA_SCOPE;
        const char *tn = ga_dtype_name((ga_dtype)t);
        const g_record *x = g_find("modf/%s/x", tn);
        ga_array *f = NULL, *i = NULL;
        ga_modf(array_of(x), &f, &i);
        against_exact(f, g_find("modf/%s/fraction", tn), x, NULL);
        against_exact(i, g_find("modf/%s/integer", tn), x, NULL);
        ga_array *alone = NULL;
        T_CHECK(ga_modf(array_of(x), NULL, &alone) == GA_OK);
        t_same_arrays(alone, i, 0);
    }
}
TEST(frexp_values) {
    for (int t = GA_FLOAT16; t <= GA_FLOAT64; t++) {
        GA_SCOPE;
        const char *tn = ga_dtype_name((ga_dtype)t);
        const g_record *x = g_find("frexp/%s/x", tn);
        ga_array *m = NULL, *e = NULL;
        ga_frexp(array_of(x), &m, &e);
        against_exact(m, g_find("frexp/%s/mantissa", tn), x, NULL);
        against_exact(e, g_find("frexp/%s/exponent", tn), x, NULL);
        ga_array *alone = NULL;
        T_CHECK(ga_frexp(array_of(x), &alone, NULL) == GA_OK);
        t_same_arrays(alone, m, 0);
    }
}
/* divmod is floor_divide and remainder, which have rows. */
TEST(divmod_values) {
    for (int t = GA_BOOL; t <= GA_FLOAT64; t++) {
        GA_SCOPE;
        const char *tn = ga_dtype_name((ga_dtype)t);
        const g_record *x = g_find("%s/a", tn), *y = g_find("%s/b", tn);
        if (!x) {
            x = g_find("remainder/%s/x", tn);
            y = g_find("remainder/%s/x2", tn);
        }
        ga_array *a = array_of(x), *b = array_of(y), *q = NULL, *r = NULL;
        t_context("divmod %s", tn);
        T_CHECK((ga_divmod)(a, b, &q, &r) == GA_OK);
        t_same_arrays(q, ga_floor_divide(a, b), 0);
        t_same_arrays(r, ga_remainder(a, b), 0);
        ga_array *only = NULL;
        T_CHECK((ga_divmod)(a, b, NULL, &only) == GA_OK);
        t_same_arrays(only, r, 0);
        T_CHECK((ga_divmod)(a, b, &only, NULL) == GA_OK);
        t_same_arrays(only, q, 0);
    }
}
TEST(round_values) {
    static const int decimals[] = {0, 1, 2, 3, -1, -2};
    for (int t = GA_INT8; t < GA_NUM_DTYPES; t++)
        for (size_t k = 0; k < T_COUNT(decimals); k++) {
            GA_SCOPE;
            const char *tn = ga_dtype_name((ga_dtype)t);
            const g_record *x = g_find("round/%s/x", tn);
            const g_record *y = g_find("round/%s/%d", tn, decimals[k]);
            ga_array *a = array_of(x), *r = ga_round(a, decimals[k]);
            t_context("round %s to %d", tn, decimals[k]);
            if (t_is_int((ga_dtype)t) || decimals[k] == 0)
                against_exact(r, y, x, NULL);
            else
                t_near(r, y->dtype, y->shape, y->data, 2);
            ga_array *out = ga_empty_like(a);
            T_CHECK(ga_round_into(out, a, decimals[k]) == GA_OK);
            t_same_arrays(out, r, 0);
        }
}
TEST(nan_to_num_values) {
    static const double args[][3] = {{0, (double)NAN, (double)NAN},
                                     {7, (double)NAN, (double)NAN},
                                     {-1, 5, -6}};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (int k = 0; k < 3; k++) {
            GA_SCOPE;
            const char *tn = ga_dtype_name((ga_dtype)t);
            const g_record *x = g_find("nan_to_num/%s/x", tn);
            const double *v = args[k];
            ga_array *a = array_of(x);
            ga_array *y = ga_nan_to_num(a, v[0], v[1], v[2]);
            t_context("nan_to_num");
            against_exact(y, g_find("nan_to_num/%s/%d", tn, k), x, NULL);
            ga_array *out = ga_empty_like(a);
            T_CHECK(ga_nan_to_num_into(out, a, v[0], v[1], v[2]) == GA_OK);
            t_same_arrays(out, y, 0);
        }
}
TEST(clip_and_where_values) {
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        const char *tn = ga_dtype_name((ga_dtype)t);
        const g_record *x = g_find("clip/%s/x", tn);
        const g_record *lo = g_find("clip/%s/lo", tn);
        const g_record *hi = g_find("clip/%s/hi", tn);
        ga_array *a = array_of(x), *l = array_of(lo), *h = array_of(hi);
        ga_array *c = array_of(g_find("clip/%s/cond", tn));
        against_exact(ga_clip(a, l, h), g_find("clip/%s/both", tn), x, lo);
        against_exact(ga_clip(a, l, GA_NONE), g_find("clip/%s/low", tn), x,
                      lo);
        against_exact(ga_clip(a, GA_NONE, h), g_find("clip/%s/high", tn), x,
                      hi);
        const g_record *w = g_find("clip/%s/where", tn);
        against_exact(ga_where(c, a, l), w, x, lo);
        /* the condition's dtype is free */
        for (int ct = 0; ct < GA_NUM_DTYPES; ct++) {
            ga_array *cc = ga_astype(c, (ga_dtype)ct);
            against_exact(ga_where(cc, a, l), w, x, lo);
        }
        ga_array *out = ga_empty_like(a);
        T_CHECK(ga_where_into(out, c, a, l) == GA_OK);
        against_exact(out, w, x, lo);
        T_CHECK(ga_clip_into(out, a, l, h) == GA_OK);
        against_exact(out, g_find("clip/%s/both", tn), x, lo);
    }
}

#define LIST_ROW(n, ...) T(row_##n),
int main(void) {
    const struct CMUnitTest tests[] = {
        GA_UNARY_OPS(LIST_ROW)
        GA_BINARY_OPS(LIST_ROW)
        T(int64_with_uint64), T(modf_values), T(frexp_values),
        T(divmod_values), T(round_values), T(nan_to_num_values),
        T(clip_and_where_values),
    };
    verbose = getenv("GA_TEST_ULPS") != NULL;
    g_load("values.bin");
    g_load("special.bin");
    int failed = T_RUN("values", tests);
    g_free();
    return failed;
}
