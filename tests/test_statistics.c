/* Order statistics: golden/statistics.bin, NumPy's values of every method and
   dtype; then every length and layout against sorted rows.                  */
#include "golden.h"

static const ga_quantile_method PICK = GA_QUANTILE_LOWER;

/* ------------------------------------------------------------- golden data */
static ga_array *load(const g_record *r) {
    return ga_asarray_as(r->data, r->dtype, r->shape);
}
static void golden_methods(const char *key, const ga_array *x,
                           const g_record *q, bool skip) {
    ga_array *all = load(q), *hundred = ga_mul(all, 100.0);
    for (int m = 0; m <= GA_QUANTILE_NEAREST; m++) {
        const ga_quantile_method how = (ga_quantile_method)m;
        const char *nan = skip ? "nan_" : "";
        const g_record *one = g_find("%s%d/%sone", key, m, nan);
        const g_record *array = g_find("%s%d/%sarray", key, m, nan);
        if (!one) continue;
        ga_array *out = ga_empty(one->shape, one->dtype);
        for (int64_t i = 0; i < q->size; i++) {
            const double v = ((const double *)q->data)[i];
            ga_array *to = ga_index_axis(out, 0, i);
            if (skip)
                ga_nanquantile_into(to, x, v, GA_AXIS(1), how, GA_NONE);
            else ga_quantile_into(to, x, v, GA_AXIS(1), how, GA_NONE);
        }
        t_context("%s method %d", key, m);
        t_same(out, one->dtype, one->shape, one->data);
        if (!array) continue;
        ga_array *y = skip
            ? ga_nanquantile(x, all, GA_AXIS(1), how, GA_NONE)
            : ga_quantile(x, all, GA_AXIS(1), how, GA_NONE);
        t_same(y, array->dtype, array->shape, array->data);
        y = skip ? ga_nanpercentile(x, hundred, GA_AXIS(1), how, GA_NONE)
                 : ga_percentile(x, hundred, GA_AXIS(1), how, GA_NONE);
        t_same(y, array->dtype, array->shape, array->data);
    }
}
TEST(golden) {
    static const ga_dtype types[] = {GA_BOOL, GA_INT8, GA_INT64, GA_UINT64,
                                     GA_FLOAT16, GA_FLOAT32, GA_FLOAT64};
    g_load("statistics.bin");
    for (size_t i = 0; i < T_COUNT(types); i++)
        for (int k = 0; k < 4; k++) {
            GA_SCOPE;
            char key[40];
            snprintf(key, sizeof key, "%s/%d/", ga_dtype_name(types[i]), k);
            const g_record *r = g_find("%sx", key), *q = g_find("%sq", key);
            ga_array *x = load(r);
            t_context("%s", key);
            const g_record *m = g_find("%smedian", key);
            t_same(ga_median(x, GA_AXIS(1)), m->dtype, m->shape, m->data);
            if ((m = g_find("%snanmedian", key)) != NULL)
                t_same(ga_nanmedian(x, GA_AXIS(-1)), m->dtype, m->shape,
                       m->data);
            golden_methods(key, x, q, false);
            golden_methods(key, x, q, true);
        }
    for (int k = 0; k < 3; k++) {
        GA_SCOPE;
        t_context("weights %d", k);
        ga_array *x = load(g_find("w/%d/x", k)), *w = load(g_find("w/%d/w", k));
        ga_array *q = load(g_find("w/%d/q", k));
        const g_record *a = g_find("w/%d/out", k);
        const g_record *b = g_find("w/%d/nan_out", k);
        const ga_quantile_method how = GA_QUANTILE_INVERTED_CDF;
        t_same(ga_quantile(x, q, GA_AXIS(1), how, w), a->dtype, a->shape,
               a->data);
        t_same(ga_nanquantile(x, q, GA_AXIS(1), how, w), b->dtype, b->shape,
               b->data);
        ga_array *one = ga_astype(ga_index_axis(w, 0, 1), GA_FLOAT64);
        t_same_arrays(ga_quantile(x, q, GA_AXIS(1), how, one), ga_quantile(
            x, q, GA_AXIS(1), how, ga_broadcast_to(one, ga_shape_of(x))), 0);
        x = ga_transpose(x, GA_ALL);
        w = ga_transpose(ga_flip(ga_copy(ga_flip(w, GA_ALL)), GA_ALL), GA_ALL);
        t_same(ga_quantile(x, q, GA_AXIS(0), how, w), a->dtype, a->shape,
               a->data);
    }
    g_free();
}
/* Dtype and shape, and elements within `tol` of the largest. */
static void close_to(const ga_array *y, const g_record *r, double tol) {
    if (!t_is(y, r->dtype, r->shape)) return;
    const void *p = t_host(y);
    double most = 0;
    for (int64_t i = 0; i < r->size; i++)
        for (int k = 0; k <= t_is_complex(r->dtype); k++) {
            const double v = fabs(t_value(r->data, r->dtype, i, k));
            if (v > most) most = v;
        }
    for (int64_t i = 0; i < r->size; i++)
        for (int k = 0; k <= t_is_complex(r->dtype); k++) {
            const double v = t_value(p, r->dtype, i, k);
            const double w = t_value(r->data, r->dtype, i, k);
            if (!(isnan(v) && isnan(w)) && !(fabs(v - w) <= tol * most))
                t_bad("element %d is %.17g, expected %.17g", (int)i, v, w);
        }
}
TEST(averages) {
    GA_SCOPE;
    g_load("statistics.bin");
    for (int k = 0; k < 5; k++) {
        GA_SCOPE;
        t_context("average %d", k);
        ga_array *x = load(g_find("a/%d/x", k)), *w = load(g_find("a/%d/w", k));
        const g_record *r = g_find("a/%d/out", k);
        const g_record *total = g_find("a/%d/sum", k);
        const double tol = t_real_of(r->dtype) == GA_FLOAT64 ? 1e-14 : 1e-6;
        ga_array *sum, *out = ga_empty(GA_SHAPE(2, 6), r->dtype);
        close_to(ga_average(x, GA_AXIS(1), w, &sum), r, tol);
        close_to(sum, total, tol);
        ga_array *view = ga_slice(out, "0, ::2"), *other = ga_slice(out, "1, :3");
        T_CHECK(ga_average_into(view, other, x, GA_AXIS(1), w) == GA_OK);
        close_to(view, r, tol);
        close_to(other, total, tol);
        ga_array *turned = w->ndim == 2 ? ga_transpose(w, GA_ALL) : w;
        close_to(ga_average(ga_transpose(x, GA_ALL), GA_AXIS(0), turned, NULL),
                 r, tol);
        ga_array *kept = ga_average(x, GA_AXIS_KEEP(1), w, &sum);
        T_CHECK(kept && kept->ndim == 2 && kept->shape[1] == 1
                && sum->shape[0] == 3);
        close_to(ga_reshape(kept, GA_SHAPE(3)), r, tol);
    }
    ga_array *n, *x = ga_arange_as(0, 12, 1, GA_INT8);
    x = ga_reshape(x, GA_SHAPE(3, 4));
    t_same(ga_average(x, GA_AXIS(0), GA_NONE, &n), GA_FLOAT64, GA_SHAPE(4),
           (double[]){4, 5, 6, 7});
    t_same(n, GA_FLOAT64, GA_SHAPE(4), (double[]){3, 3, 3, 3});
    T_CHECK(ga_item(ga_average(x, GA_ALL, x, NULL)) == 506 / 66.);
    for (int k = 0; k < 8; k++) {   /* rows by one line of weights          */
        static const int len[] = {1, 7, 100, 1025};
        ga_dtype t = k % 2 ? GA_FLOAT64 : GA_FLOAT32;
        ga_array *r = t_random_array(t, GA_SHAPE(3, 41, len[k / 2]), -1, 1);
        ga_array *v = t_random_array(t, GA_SHAPE(len[k / 2]), 0.5, 1.5), *total;
        ga_array *want = ga_div(ga_sum(ga_mul(ga_astype(r, GA_FLOAT64),
            ga_astype(v, GA_FLOAT64)), GA_AXIS_KEEP(2)),
            ga_sum(ga_astype(v, GA_FLOAT64), GA_ALL));
        ga_array *got = ga_average(r, GA_AXIS_KEEP(2), v, &total);
        T_CHECK(got->ndim == 3 && got->dtype == t && total->ndim == 3);
        T_CHECK(ga_item(ga_max(ga_abs(ga_sub(got, want)), GA_ALL))
                < (k % 2 ? 1e-15 : 1e-6));
        t_same_arrays(ga_average(r, GA_AXIS(2), v, NULL),
                      ga_squeeze(got, GA_AXIS(2)), 0);
    }
    /* weights of several axes have these in the order that names them       */
    x = ga_reshape(ga_arange_as(0, 12, 1, GA_FLOAT64), GA_SHAPE(2, 2, 3));
    ga_array *two = ga_asarray(((double[]){1, 5, 7, 2}), GA_SHAPE(2, 2));
    ga_array *fifth = ga_div(ga_asarray(((double[]){23, 28, 33}), GA_SHAPE(3)), 5);
    T_CHECK(ga_allclose(ga_average(x, GA_AXIS(1, 0), two, NULL), fifth, 1e-15, 0, 0));
    t_same(ga_average(x, GA_AXIS(0, 1), two, NULL), GA_FLOAT64, GA_SHAPE(3),
           (double[]){5, 6, 7});
    x = ga_reshape(x, GA_SHAPE(2, 3, 2));
    two = ga_asarray(((double[]){1, 5, 7, 2, 3, 4}), GA_SHAPE(3, 2));
    T_CHECK(ga_allclose(ga_average(x, GA_AXIS(-2, 0), two, NULL), ga_div(
        ga_asarray(((double[]){56, 67}), GA_SHAPE(2)), 11), 1e-15, 0, 0));
    t_same(ga_quantile(x, .5, GA_AXIS(1, 0), GA_QUANTILE_INVERTED_CDF, two),
           GA_FLOAT64, GA_SHAPE(2), (double[]){4, 5});
    ga_average(x, GA_AXIS(0, 1), two, NULL);
    T_ERROR(GA_ERR_SHAPE);
    ga_array *five = ga_full(GA_SCALAR_SHAPE, 5, GA_FLOAT32);
    T_CHECK(ga_item(ga_average(five, GA_ALL, five, NULL)) == 5);
    T_CHECK(isnan(ga_item(ga_average(ga_zeros(GA_SHAPE(2), GA_FLOAT32), GA_ALL,
                                     ga_zeros(GA_SHAPE(2), GA_FLOAT32), NULL))));
    g_free();
}
TEST(covariances) {
    GA_SCOPE;
    g_load("statistics.bin");
    for (int k = 0; k < 8; k++) {
        GA_SCOPE;
        t_context("cov %d", k);
        const g_record *y = g_find("c/%d/y", k), *f = g_find("c/%d/f", k);
        const g_record *a = g_find("c/%d/a", k), *r = g_find("c/%d/out", k);
        const ga_cov_weights w = {f ? load(f) : NULL, a ? load(a) : GA_NONE};
        const ga_array *m = load(g_find("c/%d/x", k));
        const ga_array *more = y ? load(y) : GA_NONE;
        ga_array *c = ga_cov(m, more, 1, &w, 0);
        close_to(c, r, 1e-14);
        ga_array *out = ga_empty(r->shape, r->dtype);
        T_CHECK(ga_cov_into(out, m, more, 1, &w, 0) == GA_OK);
        t_same_arrays(out, c, 0);
        const bool z = t_is_complex(r->dtype);
        ga_array *turned = ga_conj(ga_transpose(c, GA_ALL));
        T_CHECK(ga_item(ga_max(ga_abs(ga_sub(turned, c)), GA_ALL)) == 0);
        ga_array *single = ga_cov_as(m, more, z ? GA_COMPLEX64 : GA_FLOAT32, 1,
                                     &w, 0);
        close_to(ga_astype(single, r->dtype), r, 1e-6);
        const g_record *columns = g_find("c/%d/columns", k);
        close_to(ga_cov(ga_transpose(m, GA_ALL), y ? ga_transpose(more, GA_ALL)
                        : more, 0, &w, GA_COLUMNS), columns, 1e-14);
        const g_record *corr = g_find("c/%d/corr", k);
        ga_array *o = ga_empty(corr->shape, corr->dtype);
        close_to(ga_corrcoef(m, more, 0), corr, 1e-14);
        T_CHECK(ga_corrcoef_into(o, m, more, 0) == GA_OK);
        close_to(o, corr, 1e-14);
    }
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(300, 40), -1, 1);
    ga_array *centred = ga_sub(x, ga_mean(x, GA_AXIS_KEEP(1)));
    ga_array *want = ga_div(ga_matmul(centred, ga_transpose(centred, GA_ALL)),
                            39.0);
    ga_array *c = ga_cov(x, GA_NONE, 1, NULL, 0);
    t_same_arrays(ga_transpose(c, GA_ALL), c, 0);
    T_CHECK(ga_item(ga_max(ga_abs(ga_sub(c, want)), GA_ALL)) < 1e-15);
    for (int k = 0; k < 4; k++) {   /* complex: rows, columns, many, one     */
        ga_array *z = t_random_array(GA_COMPLEX128, GA_SHAPE(
            k == 2 ? 150 : k == 3 ? 1 : 20, 70), -1, 1);
        ga_array *y = ga_sub(z, ga_mean(z, GA_AXIS_KEEP(1)));
        want = ga_div(ga_matmul(y, ga_conj(ga_transpose(y, GA_ALL))), 69.0);
        c = k == 1 ? ga_cov(ga_copy(ga_transpose(z, GA_ALL)), GA_NONE, 1, NULL,
                            GA_COLUMNS) : ga_cov(z, GA_NONE, 1, NULL, 0);
        T_CHECK(ga_item(ga_max(ga_abs(ga_sub(c, want)), GA_ALL)) < 1e-15);
        T_CHECK(ga_item(ga_max(ga_abs(ga_sub(ga_conj(ga_transpose(c, GA_ALL)),
                                             c)), GA_ALL)) == 0);
    }
    T_CHECK(ga_item(ga_cov(ga_arange(0, 5, 1), GA_NONE, 1, NULL, 0)) == 2.5);
    T_CHECK(isnan(ga_item(ga_cov(ga_ones(GA_SHAPE(1), GA_INT8), GA_NONE, 1, NULL,
                                 0))));
    ga_array *big = ga_zeros(GA_SHAPE(3, 6), GA_FLOAT32);
    ga_array *part = ga_slice(big, ":, ::2"), *few = ga_slice(x, ":3, :3");
    T_CHECK(ga_cov_into(part, few, GA_NONE, 1, NULL, 0) == GA_OK);
    t_same_arrays(part, ga_astype(ga_cov(few, GA_NONE, 1, NULL, 0), GA_FLOAT32),
                  0);
    T_CHECK(ga_corrcoef_into(part, few, GA_NONE, 0) == GA_OK);
    t_same_arrays(part, ga_astype(ga_corrcoef(few, GA_NONE, 0), GA_FLOAT32), 0);
    want = ga_corrcoef(few, GA_NONE, 0);
    T_CHECK(ga_corrcoef_into(few, few, GA_NONE, 0) == GA_OK);
    t_same_arrays(few, want, 0);
    ga_array *none = ga_cov(ga_empty(GA_SHAPE(0, 3), GA_FLOAT32), GA_NONE, 1,
                            NULL, 0);
    T_CHECK(none && none->ndim == 2 && none->size == 0);
    g_free();
}
TEST(scores) {
    g_load("statistics.bin");
    for (int k = 0; k < 3; k++) {
        GA_SCOPE;
        t_context("zscore %d", k);
        ga_array *x = load(g_find("z/%d/x", k));
        const g_record *r = g_find("z/%d/out", k);
        const g_record *omit = g_find("z/%d/omit", k);
        const double tol = r->dtype == GA_FLOAT64 ? 1e-14 : 1e-6;
        close_to(ga_zscore(x, GA_AXIS(1), 1, 0), r, tol);
        close_to(ga_zscore(x, GA_AXIS(1), 1, GA_OMIT_NAN), omit, tol);
        ga_array *out = ga_astype(x, r->dtype);
        T_CHECK(ga_zscore_into(out, out, GA_AXIS(-1), 1, 0) == GA_OK);
        close_to(out, r, tol);
    }
    g_free();
}
TEST(refused_moments) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3, 4), GA_FLOAT32);
    T_CHECK(!ga_average(x, GA_AXIS(0), ga_ones(GA_SHAPE(4), GA_INT8), NULL));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_average(x, GA_AXIS(3), GA_NONE, NULL));
    T_ERROR(GA_ERR_AXIS);
    T_CHECK(!ga_cov(ga_ones(GA_SHAPE(2, 2, 2), GA_INT8), GA_NONE, 1, NULL, 0));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_cov(x, ga_ones(GA_SHAPE(5), GA_INT8), 1, NULL, 0));
    T_CHECK(strstr(ga_error_message(), "4 and 5 observations"));
    T_ERROR(GA_ERR_SHAPE);
    const ga_cov_weights w = {ga_ones(GA_SHAPE(4), GA_FLOAT32), NULL};
    T_CHECK(!ga_cov(x, GA_NONE, 1, &w, 0));
    T_ERROR(GA_ERR_DTYPE);
    const ga_cov_weights longer = {NULL, ga_ones(GA_SHAPE(5), GA_FLOAT32)};
    T_CHECK(!ga_cov(x, GA_NONE, 1, &longer, 0));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_cov(x, GA_NONE, 1, NULL, 8));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_cov_as(x, GA_NONE, GA_FLOAT16, 1, NULL, 0));
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(!ga_zscore(x, GA_AXIS(0), 0, GA_COLUMNS));
    T_ERROR(GA_ERR_VALUE);
    ga_array *out = ga_full(GA_SHAPE(2), 7, GA_FLOAT32);
    T_CHECK(ga_cov_into(out, x, GA_NONE, 1, NULL, 0) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_corrcoef_into(out, x, GA_NONE, 0) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_item_at(out, GA_INDEX(1)) == 7);
}

/* ------------------------------------------------------------- sorted rows */
/* Many different values or few, with NaNs in some rows.                     */
static ga_array *rows_of(ga_dtype t, int64_t rows, int64_t n, int kind) {
    const size_t size = ga_dtype_size(t);
    char *p = (char *)t_alloc((size_t)(rows * n) * size);
    for (int64_t i = 0; i < rows * n; i++) {
        double v = kind == 1 ? floor(t_uniform(0, 3)) : kind == 2 ? 1
                   : t_uniform(0, 1) * (t_random() & 1 ? 100 : 1);
        if (t_is_float(t) && kind == 0 && t_random() & 1) v = -v;
        if (t_is_float(t) && i / n % 3 == 1 && t_random() % 64 == 0)
            v = (double)NAN;
        t_store(p, t, i, v, 0);
        if (!kind && t_is_int(t) && t != GA_BOOL) {
            const uint64_t bits = t_random();
            memcpy(p + (size_t)i * size, &bits, size);
        }
    }
    return ga_asarray_as(p, t, GA_SHAPE(rows, n));
}
/* Places of each row by quantile, against those of the sorted row. */
static void check(const ga_array *x, const char *sorted, const ga_array *view,
                  ga_axis axis, const double *q, int nq) {
    const ga_dtype t = x->dtype;
    const size_t size = ga_dtype_size(t);
    const int64_t rows = x->shape[0], n = x->shape[1];
    ga_array *at = ga_asarray(q, GA_SHAPE(nq));
    ga_array *got = ga_nanquantile(view, at, axis, PICK, GA_NONE);
    ga_array *keep = ga_quantile(view, at, axis, PICK, GA_NONE);
    char *want = (char *)t_alloc((size_t)(nq * rows) * size);
    char *want_nan = (char *)t_alloc((size_t)(nq * rows) * size);
    for (int64_t r = 0; r < rows; r++) {
        int64_t m = n;
        while (t_is_float(t) && m && isnan(t_value(sorted, t, r * n + m - 1, 0)))
            m--;
        for (int k = 0; k < nq; k++) {
            const int64_t i = m ? (int64_t)floor((double)(m - 1) * q[k]) : 0;
            const size_t to = (size_t)(k * rows + r) * size;
            memcpy(want + to, sorted + (size_t)(r * n + i) * size, size);
            memcpy(want_nan + to, sorted + (size_t)(r * n + (m < n ? n - 1 : i))
                                               * size, size);
            if (!isnan(t_value(want + to, t, 0, 0))
                && t_value(want + to, t, 0, 0) == 0)
                memset(want + to, 0, size);
            if (m == n) memcpy(want_nan + to, want + to, size);
        }
    }
    t_same(got, t, GA_SHAPE(nq, rows), want);
    t_same(keep, t, GA_SHAPE(nq, rows), want_nan);
}
static const double some[] = {0.5, 0, 1, 0.3, 0.301, 0.999};

/* Of each length class: a warp, a block, passes with few and many ranges of
   keys, sorted rows; as rows and as columns.                                */
TEST(rows) {
    static const struct { int64_t rows, n; } sizes[] = {
        {7, 3}, {50, 1}, {90, 7}, {70, 24}, {40, 100}, {70, 1000}, {33, 1024}, {5, 1025}, {3, 5000},
        {2, 8192}, {3, 9000}, {1, 9001},
        {2, 30001}, {1, 65536}, {1, 70000}};
    static const ga_dtype types[] = {GA_BOOL, GA_INT8, GA_UINT16, GA_INT32,
        GA_INT64, GA_UINT64, GA_FLOAT16, GA_BFLOAT16, GA_FLOAT32, GA_FLOAT64};
    double many[40];
    for (int i = 0; i < 40; i++) many[i] = (double)((i * 17) % 40) / 39;
    for (size_t s = 0; s < T_COUNT(sizes); s++)
        for (size_t i = 0; i < T_COUNT(types); i++)
            for (int kind = 0; kind < 3; kind++) {
                GA_SCOPE;
                const int64_t rows = sizes[s].rows, n = sizes[s].n;
                if (n > 4000 && (i + s) % 3) continue;
                ga_array *x = rows_of(types[i], rows, n, kind);
                t_context("%s (%d,%d) kind %d", ga_dtype_name(types[i]),
                          (int)rows, (int)n, kind);
                const char *z = (const char *)t_host(ga_sort(x, GA_AXIS(1), 0));
                check(x, z, x, GA_AXIS(1), some, 1);
                check(x, z, x, GA_AXIS(1), some, 6);
                if (kind == 0) {
                    ga_array *y = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)),
                                               GA_ALL);
                    check(x, z, y, GA_AXIS(1), some, 3);
                    check(x, z, ga_transpose(y, GA_ALL), GA_AXIS(0), some, 2);
                    check(x, z, x, GA_AXIS(1), many, 16);
                    check(x, z, x, GA_AXIS(1), many, 40);
                    check(x, z, t_laid_out(x, 2), GA_AXIS(1), some, 2);
                    check(x, z, t_laid_out(x, 3), GA_AXIS(1), some, 2);
                }
                t_release_host();
            }
}
/* A median of an even number is between the two in the middle. */
TEST(medians) {
    static const int64_t sizes[] = {2, 50, 1000, 6000, 30000};
    for (size_t s = 0; s < T_COUNT(sizes); s++)
        for (int kind = 0; kind < 3; kind++) {
            GA_SCOPE;
            const int64_t n = sizes[s];
            ga_array *x = rows_of(GA_FLOAT64, 1, n, kind);
            const double *v = (const double *)t_host(ga_sort(x, GA_ALL, 0));
            const double mid = (v[n / 2 - 1] + v[n / 2]) / 2;
            t_same(ga_median(x, GA_ALL), GA_FLOAT64, GA_SCALAR_SHAPE, &mid);
            t_same(ga_quantile(x, 0, GA_ALL, GA_QUANTILE_LINEAR, GA_NONE),
                   GA_FLOAT64, GA_SCALAR_SHAPE, &v[0]);
        }
}
/* Along an axis of one element: NumPy's. */
TEST(rows_of_one) {
    enum { N = 400 };
    for (int single = 0; single < 2; single++) {
        GA_SCOPE;
        const ga_dtype t = single ? GA_FLOAT32 : GA_FLOAT64;
        const double each[4] = {1.5, NAN, INFINITY, -INFINITY};
        double x[N], middle[N], between[2 * N], spread[N], none[N];
        for (int i = 0; i < N; i++) {
            const double v = each[i % 4];
            x[i] = middle[i] = v;
            between[i] = between[N + i] = v - v == 0 ? v : NAN;
            spread[i] = v - v, none[i] = NAN;
        }
        ga_array *a = ga_astype(ga_asarray(x, GA_SHAPE(N, 1)), t);
        ga_array *q = ga_asarray(((double[]){25, 50}), GA_SHAPE(2));
        t_context("%s", ga_dtype_name(t));
#define LIKE(v, ...) ga_astype(ga_asarray(v, GA_SHAPE(__VA_ARGS__)), t)
        t_same_arrays(ga_median(a, GA_AXIS(1)), LIKE(middle, N), 0);
        t_same_arrays(ga_median(ga_flip(a, GA_AXIS(0)), GA_AXIS_KEEP(1)),
                      ga_flip(LIKE(middle, N, 1), GA_AXIS(0)), 0);
        t_same_arrays(ga_percentile(a, ga_astype(q, t), GA_AXIS(1),
                                    GA_QUANTILE_LINEAR, GA_NONE),
                      LIKE(between, 2, N), 0);
        t_same_arrays(ga_percentile(a, 50, GA_AXIS(1), GA_QUANTILE_LOWER, GA_NONE),
                      LIKE(middle, N), 0);
        t_same_arrays(ga_std(a, GA_AXIS(1), 0), LIKE(spread, N), 0);
        t_same_arrays(ga_var(a, GA_AXIS_KEEP(1), 0.5), LIKE(spread, N, 1), 0);
        t_same_arrays(ga_std(a, GA_AXIS(1), 1), LIKE(none, N), 0);
        t_same_arrays(ga_var(a, GA_AXIS(1), 2), LIKE(none, N), 0);
#undef LIKE
    }
}
TEST(axes) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(6, 7, 8), -1, 1);
    for (int how = 0; how < T_LAYOUTS - 1; how++) {
        ga_array *y = t_laid_out(x, how);
        t_context("layout %d", how);
        ga_array *flat = ga_median(ga_ravel(x), GA_ALL);
        t_same_arrays(ga_median(y, GA_ALL), flat, 0);
        ga_array *two = ga_reshape(ga_moveaxis(x, GA_AXIS(1), GA_AXIS(0)),
                                   GA_SHAPE(7, 48));
        ga_array *want = ga_median(two, GA_AXIS(1));
        t_same_arrays(ga_median(y, GA_AXIS(0, 2)), want, 0);
        t_same_arrays(ga_median(y, GA_AXIS_KEEP(0, -1)),
                      ga_reshape(want, GA_SHAPE(1, 7, 1)), 0);
        ga_array *q = ga_reshape(ga_asarray(some, GA_SHAPE(6)), GA_SHAPE(2, 3));
        ga_array *r = ga_quantile(y, q, GA_AXIS(1), GA_QUANTILE_HAZEN, GA_NONE);
        T_CHECK(r && r->ndim == 4 && r->shape[0] == 2 && r->shape[1] == 3
                && r->shape[2] == 6 && r->shape[3] == 8);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 3; j++) {
                ga_array *one = ga_quantile(
                    x, ga_slice(q, "%d,%d", i, j), GA_AXIS(1),
                    GA_QUANTILE_HAZEN, GA_NONE);
                t_same_arrays(ga_slice(r, "%d,%d", i, j), one, 0);
            }
    }
    ga_array *deep = ga_reshape(ga_arange(0, 256, 1),
                                GA_SHAPE(2, 2, 2, 2, 2, 2, 2, 2));
    ga_array *none = ga_median(ga_transpose(deep, GA_ALL), GA_AXIS(3, 5));
    T_CHECK(none && none->ndim == 6);
    T_CHECK(ga_item(ga_median(deep, GA_ALL)) == 127.5);
}
TEST(refused) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3, 4), GA_FLOAT32);
    const ga_quantile_method linear = GA_QUANTILE_LINEAR;
    T_CHECK(!ga_quantile(x, 1.5, GA_ALL, linear, GA_NONE));
    T_CHECK(strstr(ga_error_message(), "q is 1.5; 0 to 1 is possible"));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_percentile(x, -1, GA_ALL, linear, GA_NONE));
    T_ERROR(GA_ERR_VALUE);
    ga_array *q = ga_asarray(((double[]){0.5, 100.5}), GA_SHAPE(2));
    ga_percentile(x, q, GA_ALL, linear, GA_NONE);
    ga_synchronize();
    T_CHECK(strstr(ga_error_message(), "element 1 of q is not from 0 to 100"));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_median(ga_ones(GA_SHAPE(2), GA_COMPLEX64), GA_ALL));
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(!ga_median(x, GA_AXIS(2)));
    T_ERROR(GA_ERR_AXIS);
    T_CHECK(!ga_quantile(x, 0.5, GA_ALL, (ga_quantile_method)13, GA_NONE));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_quantile(x, 0.5, GA_ALL, linear, x));
    T_ERROR(GA_ERR_VALUE);
    const ga_quantile_method cdf = GA_QUANTILE_INVERTED_CDF;
    T_CHECK(!ga_quantile(x, 0.5, GA_AXIS(0), cdf,
                         ga_ones(GA_SHAPE(4), GA_FLOAT32)));
    T_ERROR(GA_ERR_SHAPE);
    ga_array *w = ga_asarray(((double[]){1, -1, 3, 1}), GA_SHAPE(4));
    ga_quantile(x, 0.5, GA_AXIS(1), cdf, w);
    ga_synchronize();
    T_CHECK(strstr(ga_error_message(), "are negative, not finite"));
    T_ERROR(GA_ERR_VALUE);
    ga_quantile(x, 0.5, GA_AXIS(1), cdf, ga_zeros(GA_SHAPE(4), GA_FLOAT32));
    ga_synchronize();
    T_ERROR(GA_ERR_VALUE);
    ga_array *none = ga_empty(GA_SHAPE(0, 2), GA_INT32);
    T_CHECK(isnan(ga_item(ga_median(none, GA_ALL))));
    T_CHECK(!ga_quantile(none, 0.5, GA_ALL, linear, GA_NONE));
    T_ERROR(GA_ERR_EMPTY);
    T_CHECK(isnan(ga_item(ga_nanquantile(none, 0.5, GA_ALL, linear, GA_NONE))));
    ga_array *some_out = ga_median(none, GA_AXIS(1));
    T_CHECK(some_out && some_out->size == 0);
    ga_array *out = ga_full(GA_SHAPE(2), 7, GA_FLOAT32);
    T_CHECK(ga_median_into(out, x, GA_AXIS(1)) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_item_at(out, GA_INDEX(1)) == 7);
}

/* Rank 0, stride 0, outputs in the operand's memory. */
TEST(outputs) {
    GA_SCOPE;
    T_CHECK(ga_item(ga_median(ga_full(GA_SCALAR_SHAPE, 3, GA_INT8), GA_ALL))
            == 3);
    ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(9, 40), -1, 1);
    ga_array *wide = ga_broadcast_to(x, GA_SHAPE(3, 9, 40));
    t_same_arrays(ga_median(wide, GA_AXIS(0)), x, 0);
    t_same_arrays(ga_median(wide, GA_AXIS(0, 2)), ga_median(x, GA_AXIS(1)), 0);
    ga_array *want = ga_median(x, GA_AXIS(0)), *y = ga_copy(x);
    T_CHECK(ga_median_into(ga_slice(y, "4"), y, GA_AXIS(0)) == GA_OK);
    t_same_arrays(ga_slice(y, "4"), want, 0);
    ga_array *q = ga_asarray(some, GA_SHAPE(6));
    want = ga_quantile(x, q, GA_AXIS(1), GA_QUANTILE_WEIBULL, GA_NONE);
    ga_array *big = ga_zeros(GA_SHAPE(6, 18), GA_FLOAT64);
    ga_array *part = ga_slice(big, ":, ::-2");
    T_CHECK(ga_quantile_into(part, x, q, GA_AXIS(1), GA_QUANTILE_WEIBULL,
                             GA_NONE) == GA_OK);
    t_same_arrays(part, want, 0);
}
static struct { ga_array *x, *q, *out[6]; } graph;
static void step(void *arg) {
    (void)arg;
    ga_median_into(graph.out[0], graph.x, GA_AXIS(1));
    ga_quantile_into(graph.out[1], graph.x, graph.q, GA_ALL,
                     GA_QUANTILE_LINEAR, GA_NONE);
    ga_nanquantile_into(graph.out[2], graph.x, 0.25, GA_ALL,
                        GA_QUANTILE_INVERTED_CDF, graph.x);
    ga_cov_into(graph.out[3], graph.x, GA_NONE, 1, NULL, 0);
    ga_zscore_into(graph.out[4], graph.x, GA_AXIS(0), 0, 0);
    ga_average_into(graph.out[5], NULL, graph.x, GA_AXIS(0), graph.x);
}
TEST(captured) {
    GA_SCOPE;
    graph.x = ga_zeros(GA_SHAPE(4, 10000), GA_FLOAT64);
    graph.q = ga_asarray(some, GA_SHAPE(6));
    graph.out[0] = ga_zeros(GA_SHAPE(4), GA_FLOAT64);
    graph.out[1] = ga_zeros(GA_SHAPE(6), GA_FLOAT64);
    graph.out[2] = ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT64);
    graph.out[3] = ga_zeros(GA_SHAPE(4, 4), GA_FLOAT64);
    graph.out[4] = ga_zeros(GA_SHAPE(4, 10000), GA_FLOAT64);
    graph.out[5] = ga_zeros(GA_SHAPE(10000), GA_FLOAT64);
    ga_assign(graph.x, t_random_array(GA_FLOAT64, GA_SHAPE(4, 10000), 1, 2));
    step(NULL);                     /* libraries are opened                 */
    ga_graph *g = ga_graph_create(step, NULL);
    T_CHECK(g != NULL);
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(4, 10000), 3, 4);
    ga_assign(graph.x, x);
    T_CHECK(ga_graph_launch(g) == GA_OK);
    t_same_arrays(graph.out[0], ga_median(x, GA_AXIS(1)), 0);
    t_same_arrays(graph.out[1], ga_quantile(x, graph.q, GA_ALL,
                  GA_QUANTILE_LINEAR, GA_NONE), 0);
    t_same_arrays(graph.out[2], ga_quantile(x, 0.25, GA_ALL,
                  GA_QUANTILE_INVERTED_CDF, x), 0);
    t_same_arrays(graph.out[3], ga_cov(x, GA_NONE, 1, NULL, 0), 0);
    t_same_arrays(graph.out[4], ga_zscore(x, GA_AXIS(0), 0, 0), 0);
    t_same_arrays(graph.out[5], ga_average(x, GA_AXIS(0), x, NULL), 0);
    ga_graph_destroy(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {T(golden), T(rows), T(medians), T(rows_of_one), T(axes),
        T(refused), T(averages), T(covariances), T(scores), T(refused_moments),
        T(outputs), T(captured)};
    return T_RUN("statistics", tests);
}
