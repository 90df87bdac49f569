/* Histograms and what looks up places: golden/histograms.bin, NumPy's results
   of every function, dtype and rule; sizes that take each way through the
   kernels, against plain loops; layouts, repeats, graphs, errors.           */
#include "golden.h"
#include "rows.h"

static ga_array *operand(int k, const char *name) {
    const g_record *r = g_find("%d/%s", k, name);
    return r ? ga_asarray_as(r->data, r->dtype, r->shape) : NULL;
}
static const ga_array *weights_of(int k) {
    const ga_array *w = operand(k, "w");
    return w ? w : GA_NONE;
}
/* The bins of axis i of call k. */
static ga_bins bins_of(int k, int i) {
    const g_record *r = g_find("%d/b%d", k, i);
    long long n = 0;
    int ranged = 0, rule = 0;
    double lo = 0, hi = 0;
    if (r->dtype != GA_NUM_DTYPES)
        return GA_BINS_AT(ga_asarray_as(r->data, r->dtype, r->shape));
    if (sscanf((const char *)r->data, "%lld %d %lf %lf %d", &n, &ranged, &lo,
               &hi, &rule) != 5)
        g_fail("no bins", r->name);
    return ga__bins(n, NULL, rule, ranged, lo, hi);
}
/* x is what the record says: the same bits, or within some ulp of the largest
   number.                                                                   */
static void equals(const ga_array *x, const g_record *r, double ulps) {
    if (!x || !t_is(x, r->dtype, r->shape)) return;
    const int parts = t_is_complex(r->dtype) ? 2 : 1;
    char *got = (char *)t_alloc((size_t)r->size * ga_dtype_size(r->dtype) + 1);
    double most = 0;
    ga_asnumpy(x, got);
    for (int64_t i = 0; i < r->size * parts; i++) {
        double v = fabs(t_value(r->data, r->dtype, i / parts, (int)(i % parts)));
        if (isfinite(v) && v > most) most = v;
    }
    for (int64_t i = 0; i < r->size * parts; i++) {
        double v = t_value(got, r->dtype, i / parts, (int)(i % parts));
        double w = t_value(r->data, r->dtype, i / parts, (int)(i % parts));
        double tol = ulps ? ulps * t_ulp(t_real_of(r->dtype), most) : 0;
        if (v == w || (isnan(v) && isnan(w)) || fabs(v - w) <= tol) continue;
        t_bad("[%lld] is %.17g, not %.17g", (long long)(i / parts), v, w);
        return;
    }
}
static void golden_histogram(int k, const char *call, bool many) {
    int density = 0;
    GA_SCOPE;
    ga_array *x = operand(k, "x"), *e[GA_MAX_NDIM] = {NULL}, *n;
    const ga_array *w = weights_of(k);
    const g_record *out = g_find("%d/out", k);
    ga_bins bins[GA_MAX_NDIM];
    sscanf(call, "%*s %d", &density);
    const int axes = many ? out->shape.ndim : 1;
    for (int i = 0; i < axes; i++) bins[i] = bins_of(k, i);
    const unsigned flags = density ? GA_DENSITY : 0;
    n = many ? ga_histogramdd(x, bins, w, flags, e)
             : ga_histogram(x, bins[0], w, flags, e);
    const bool single = w != GA_NONE && t_real_of(w->dtype) == GA_FLOAT32;
    const double ulps = out->dtype < GA_FLOAT16 ? 0
                        : single && t_real_of(out->dtype) == GA_FLOAT64
                              ? 0x1p31 : 8;     /* NumPy sums in float32     */
    equals(n, out, ulps);
    for (int i = 0; i < axes && !ga_error(); i++)
        equals(e[i], g_find("%d/e%d", k, i), 0);
    ga_array *to = ga_zeros(out->shape, out->dtype);
    if (many) T_CHECK(ga_histogramdd_into(to, x, bins, w, flags) == GA_OK);
    else T_CHECK(ga_histogram_into(to, e[0], x, bins[0], w, flags) == GA_OK);
    equals(to, out, ulps);
    if (many && axes == 2) {
        ga_array *a = ga_index_axis(x, 1, 0), *b = ga_index_axis(x, 1, 1);
        equals(ga_histogram2d(a, b, bins[0], bins[1], w, flags, NULL), out, 8);
        T_CHECK(ga_histogram2d_into(to, a, b, bins[0], bins[1], w, flags)
                == GA_OK);
        equals(to, out, 8);
    } else if (!many) {
        equals(ga_histogram_bin_edges(x, bins[0]), g_find("%d/e0", k), 0);
        T_CHECK(ga_histogram_bin_edges_into(e[0], x, bins[0]) == GA_OK);
    }
}
static void golden_other(int k, const char *call) {
    GA_SCOPE;
    ga_array *x = operand(k, "x"), *y = operand(k, "y"), *r = NULL;
    const ga_array *w = weights_of(k);
    const g_record *out = g_find("%d/out", k);
    ga_array *to = ga_zeros(out->shape, out->dtype);
    ga_status st = GA_OK;
    double ulps = 0, v[7] = {0};
    char name[20];
    sscanf(call, "%19s %lf %lf %lf %lf %lf %lf %lf", name, v, v + 1, v + 2,
           v + 3, v + 4, v + 5, v + 6);
    if (!strcmp(name, "bincount")) {
        r = ga_bincount(x, w, (int64_t)v[0]);
        st = ga_bincount_into(to, x, w);
        ulps = 4;
    } else if (!strcmp(name, "digitize")) {
        r = ga_digitize(x, y, v[0] != 0 ? GA_RIGHT : 0);
        st = ga_digitize_into(to, x, y, v[0] != 0 ? GA_RIGHT : 0);
    } else if (!strcmp(name, "correlate")) {
        r = ga_correlate(x, y, (ga_convolve_mode)(int)v[0]);
        st = ga_correlate_into(to, x, y, (ga_convolve_mode)(int)v[0]);
        ulps = 8;
    } else if (!strcmp(name, "convolve")) {
        r = ga_convolve(x, y, (ga_convolve_mode)(int)v[0]);
        st = ga_convolve_into(to, x, y, (ga_convolve_mode)(int)v[0]);
        ulps = 8;
    } else if (!strcmp(name, "interp")) {
        const ga_interp_rare rare = {v[0] != 0, v[3] != 0, {v[1], v[2]},
                                     {v[4], v[5]}, v[6]};
        r = ga_interp(x, y, w, &rare);
        st = ga_interp_into(to, x, y, w, &rare);
        ulps = v[6] != 0 ? 16 : 0;
    } else if (v[1] != 0) {
        r = v[3] != 0 ? ga_unwrap(x, (int)v[3], (int)v[0], (int)v[2])
                      : ga_unwrap(x, GA_NONE, (int)v[0], (int)v[2]);
        st = v[3] != 0 ? ga_unwrap_into(to, x, (int)v[3], (int)v[0], (int)v[2])
                       : ga_unwrap_into(to, x, GA_NONE, (int)v[0], (int)v[2]);
    } else {
        r = v[2] == 0 ? ga_unwrap(x, GA_NONE, -1, GA_NONE)
            : v[3] != 0 ? ga_unwrap(x, v[3], (int)v[0], v[2])
                        : ga_unwrap(x, GA_NONE, (int)v[0], v[2]);
        st = v[2] == 0 ? ga_unwrap_into(to, x, GA_NONE, -1, GA_NONE)
             : v[3] != 0 ? ga_unwrap_into(to, x, v[3], (int)v[0], v[2])
                         : ga_unwrap_into(to, x, GA_NONE, (int)v[0], v[2]);
        ulps = 8;
    }
    T_CHECK(st == GA_OK);
    if (out->dtype < GA_FLOAT16) ulps = 0;
    equals(r, out, ulps);
    equals(to, out, ulps);
}
TEST(as_numpy) {
    const g_record *r;
    g_load("histograms.bin");
    int k = 0;
    for (; (r = g_find("%d/call", k)) != NULL; k++) {
        const char *call = (const char *)r->data;
        const g_record *x = g_find("%d/x", k);
        t_context("%d: %s of %s", k, call, ga_dtype_name(x->dtype));
        if (!strncmp(call, "histogram", 9))
            golden_histogram(k, call, call[9] == 'd');
        else golden_other(k, call);
        T_FINE();
    }
    T_CHECK(k > 400);
    g_free();
}

/* ------------------------------------------------------- ways by size */
/* x in [0, 1], here and there outside, NaN, or one number alone. */
static double some(int64_t i, int how) {
    const uint32_t h = (uint32_t)i * 2654435761u;
    if (how) return how == 1 ? 0.3 : (double)(i / 97 % 5) / 4;
    if (h % 1009 == 0) return NAN;
    return ((double)(h >> 8) / (1 << 24) - 0.01) * 1.02;
}
static int64_t place_of(const double *e, int64_t n, double x) {
    int64_t a = 0, b = n;
    if (!(x >= e[0] && x <= e[n])) return -1;
    while (b - a > 1) {
        const int64_t mid = (a + b) / 2;
        if (e[mid] <= x) a = mid;
        else b = mid;
    }
    return a;
}
static void counted(ga_dtype t, int64_t n, int64_t bins, int how, bool given) {
    GA_SCOPE;
    double *v = (double *)t_alloc((size_t)n * 8), *e, sum = 0;
    const bool whole = t < GA_FLOAT16;
    for (int64_t i = 0; i < n; i++)
        v[i] = whole ? floor(fabs(some(i, how)) * 250) : some(i, how);
    for (int64_t i = 0; i < n; i++) if (whole && isnan(v[i])) v[i] = 0;
    ga_array *all = ga_astype(ga_asarray(v, GA_SHAPE(n)), t), *edges = NULL, *c;
    ga_array *x = ga_slice(all, "1:");          /* no aligned vectors       */
    ga_asnumpy(ga_astype(all, GA_FLOAT64), v);
    const double hi = whole ? 255 : 1;
    if (given) {
        ga_array *step = ga_linspace(0, 1, bins + 1);
        step = ga_astype(ga_mul(ga_mul(step, step), hi), t);
        c = ga_histogram(x, GA_BINS_AT(step), GA_NONE, 0, &edges);
    } else {
        c = ga_histogram(x, GA_BINS_IN(bins, 0, hi), GA_NONE, 0, &edges);
    }
    ga_array *w = ga_slice(ga_astype(ga_arange(0, (double)n, 1), GA_FLOAT32), "1:");
    ga_array *s = ga_histogram(x, given ? GA_BINS_AT(edges)
                                        : GA_BINS_IN(bins, 0, hi), w, 0, NULL);
    ga_array *again = ga_histogram(x, given ? GA_BINS_AT(edges)
                                   : GA_BINS_IN(bins, 0, hi), w, 0, NULL);
    int64_t *got = (int64_t *)ga_asnumpy(c, NULL);
    float *sums = (float *)ga_asnumpy(s, NULL);
    e = (double *)ga_asnumpy(ga_astype(edges, GA_FLOAT64), NULL);
    int64_t *want = (int64_t *)calloc((size_t)bins, 8), total = 0;
    double *added = (double *)calloc((size_t)bins, 8);
    for (int64_t i = 1; i < n; i++) {
        const int64_t b = place_of(e, bins, v[i]);
        if (b < 0) continue;
        want[b]++;
        added[b] += (double)(float)i;
    }
    T_CHECK(ga_item(ga_all(ga_equal(s, again), GA_ALL)) == 1);
    for (int64_t b = 0; b < bins; b++) {
        total += want[b];
        sum += added[b];
        T_CHECKF(got[b] == want[b], "bin %lld has %lld, not %lld", (long long)b,
                 (long long)got[b], (long long)want[b]);
        T_CHECKF(fabs(sums[b] - added[b]) <= 1e-7 * fabs(added[b]),
                 "bin %lld sums up to %.9g, not %.9g", (long long)b, sums[b],
                 added[b]);
    }
    T_CHECK(total > 0 && sum > 0);
    free(got);
    free(sums);
    free(e);
    free(want);
    free(added);
}
TEST(many_bins) {
    static const int64_t bins[] = {1, 10, 200, 1000, 3000, 20000, 100000, 300000};
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16,
                                     GA_INT32, GA_UINT8, GA_INT64};
    for (size_t t = 0; t < T_COUNT(types); t++)
        for (size_t b = 0; b < T_COUNT(bins); b++)
            for (int how = 0; how < 3; how++) {
                const bool fine = types[t] == GA_FLOAT16 ? bins[b] <= 1000
                                  : types[t] < GA_FLOAT16 ? bins[b] <= 20000
                                                          : true;
                t_context("%s, %lld bins, data %d", ga_dtype_name(types[t]),
                          (long long)bins[b], how);
                if (!fine || (t && how)) continue;
                counted(types[t], 70001, bins[b], how, false);
                if (types[t] != GA_FLOAT16 && bins[b] <= 20000)
                    counted(types[t], 20011, bins[b], how, true);
            }
}
TEST(long_products) {                   /* against sums of integers         */
    static const int64_t sizes[][2] = {{5000, 7}, {5000, 700}, {3000, 2999},
                                       {70000, 300}, {40, 3000}};
    for (size_t i = 0; i < T_COUNT(sizes); i++)
        for (int mode = 0; mode < 3; mode++) {
            GA_SCOPE;
            const int64_t n = sizes[i][0], m = sizes[i][1];
            ga_array *a = ga_sub(ga_remainder(ga_arange(0, (double)n, 1), 17), 8);
            ga_array *v = ga_sub(ga_remainder(ga_arange(0, (double)m, 1), 13), 6);
            ga_array *x = ga_convolve(a, v, (ga_convolve_mode)mode);
            ga_array *f = ga_convolve(ga_astype(a, GA_FLOAT32),
                                      ga_astype(v, GA_FLOAT32),
                                      (ga_convolve_mode)mode);
            ga_array *k = ga_correlate(ga_astype(a, GA_INT32),
                                       ga_astype(ga_slice(v, "::-1"), GA_INT32),
                                       (ga_convolve_mode)mode);
            t_context("%lld by %lld, mode %d", (long long)n, (long long)m, mode);
            const int64_t low = n < m ? n : m, high = n < m ? m : n;
            const int64_t from = mode == GA_FULL ? 0
                                 : mode == GA_SAME ? (low - 1) / 2 : low - 1;
            const int64_t len = mode == GA_FULL ? n + m - 1
                                : mode == GA_SAME ? high : high - low + 1;
            double *p = (double *)ga_asnumpy(a, NULL);
            double *q = (double *)ga_asnumpy(v, NULL);
            double *want = (double *)t_alloc((size_t)len * 8);
            for (int64_t o = 0; o < len; o++) {
                const int64_t c = o + from;
                double s = 0;
                for (int64_t j = c < n ? 0 : c - n + 1; j < m && j <= c; j++)
                    s += p[c - j] * q[j];
                want[o] = s;
            }
            free(p);
            free(q);
            t_same(x, GA_FLOAT64, GA_SHAPE(len), want);
            t_same(ga_astype(f, GA_FLOAT64), GA_FLOAT64, GA_SHAPE(len), want);
            if (n >= m || mode != GA_SAME)  /* the middle differs by one    */
                t_same(ga_astype(k, GA_FLOAT64), GA_FLOAT64, GA_SHAPE(len),
                       want);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {T(as_numpy), T(many_bins),
                                       T(long_products)};
    return T_RUN("histograms", tests);
}
