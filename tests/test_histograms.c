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
    T_CHECK(k > 300);
    g_free();
}

/* ------------------------------------------------------- ways by size */
/* x in [0, 1], here and there outside, NaN, or one number alone. */
static double some(int64_t i, int how) {
    const uint32_t h = (uint32_t)i * 2654435761u;
    if (how == 1 || (how == 3 && i % 2)) return 0.3;
    if (how == 2) return (double)(i / 97 % 5) / 4;
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
                                     GA_INT32, GA_UINT8, GA_INT64, GA_BFLOAT16};
    for (size_t t = 0; t < T_COUNT(types); t++)
        for (size_t b = 0; b < T_COUNT(bins); b++)
            for (int how = 0; how < 3; how++) {
                const bool fine = types[t] == GA_BFLOAT16  ? bins[b] <= 200
                                  : types[t] == GA_FLOAT16 ? bins[b] <= 1000
                                  : types[t] < GA_FLOAT16  ? bins[b] <= 20000
                                                           : true;
                t_context("%s, %lld bins, data %d", ga_dtype_name(types[t]),
                          (long long)bins[b], how);
                if (!fine || (t && how)) continue;
                counted(types[t], 70001, bins[b], how, false);
                if (types[t] != GA_FLOAT16 && types[t] != GA_BFLOAT16
                    && bins[b] <= 20000)
                    counted(types[t], 20011, bins[b], how, true);
            }
}
TEST(many_elements) {                   /* half of them in one bin          */
    static const int64_t bins[] = {300, 30000, 100000, 300000};
    for (size_t b = 0; b < T_COUNT(bins); b++) {
        t_context("%lld bins", (long long)bins[b]);
        counted(GA_FLOAT32, ((int64_t)1 << 20) + 7, bins[b], 3, false);
    }
}
TEST(long_products) {                   /* against sums of integers         */
    static const int64_t sizes[][2] = {{5000, 7}, {5000, 700}, {3000, 2999},
                                       {70000, 300}, {40, 3000}, {5000, 545}, {1, 1},
                                       {9, 8}, {37, 3}, {70, 17}, {5000, 3}, {90, 64},
                                       {700, 260}, {12001, 10000}};
    static const ga_dtype types[] = {GA_FLOAT32, GA_INT64, GA_COMPLEX64,
                                     GA_COMPLEX128};
    for (size_t i = 0; i < T_COUNT(sizes); i++)
        for (int mode = 0; mode < 3; mode++) {
            GA_SCOPE;
            const int64_t n = sizes[i][0], m = sizes[i][1];
            if (t_quick() && n * m > 10000000 && mode != (int)(i % 3)) continue;
            ga_array *a = ga_sub(ga_remainder(ga_arange(0, (double)n, 1), 17), 8);
            ga_array *v = ga_sub(ga_remainder(ga_arange(0, (double)m, 1), 13), 6);
            ga_array *x = ga_convolve(a, v, (ga_convolve_mode)mode);
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
            /* what lies at one end is in the sums that meet it alone        */
            ga_array *b = ga_copy(a);
            ga_assign(ga_slice(b, "0"), INFINITY);
            ga_assign(ga_slice(b, "-1"), NAN);
            const double *y = (const double *)t_host(
                ga_convolve(b, v, (ga_convolve_mode)mode));
            for (int64_t o = 0; o < len; o++)
                T_CHECK(o + from < m || o + from >= n - 1 ? y[o] - y[o] != 0
                                                          : y[o] == want[o]);
            free(p);
            free(q);
            t_same(x, GA_FLOAT64, GA_SHAPE(len), want);
            for (size_t h = 0; h < T_COUNT(types); h++) {
                ga_array *f = ga_convolve(ga_astype(a, types[h]),
                                          ga_astype(v, types[h]),
                                          (ga_convolve_mode)mode);
                t_same(ga_astype(ga_real(f), GA_FLOAT64), GA_FLOAT64,
                       GA_SHAPE(len), want);
            }
            if (n >= m || mode != GA_SAME)  /* the middle differs by one    */
                t_same(ga_astype(k, GA_FLOAT64), GA_FLOAT64, GA_SHAPE(len),
                       want);
        }
}

TEST(taps_that_are_not_finite) {        /* meet no zeros around a        */
    enum { N = 5003, M = 1300 };
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64};
    static const int at[][2] = {{0, -1}, {M - 1, -1}, {700, 3}, {100, 1100}};
    for (size_t h = 0; h < T_COUNT(types); h++)
        for (size_t k = 0; k < T_COUNT(at); k++) {
            GA_SCOPE;
            ga_array *a = ga_add(ga_remainder(ga_arange(0, (double)N, 1), 17), 1);
            ga_array *v = ga_add(ga_remainder(ga_arange(0, (double)M, 1), 13), 1);
            for (int i = 0; i < 2; i++)
                if (at[k][i] >= 0)
                    ga_assign(ga_index_axis(v, 0, at[k][i]),
                              i ? -HUGE_VAL : HUGE_VAL);
            double *p = (double *)ga_asnumpy(a, NULL);
            double *q = (double *)ga_asnumpy(v, NULL);
            ga_array *x = ga_convolve(ga_astype(a, types[h]),
                                      ga_astype(v, types[h]), GA_FULL);
            double *is = (double *)ga_asnumpy(ga_astype(ga_real(x), GA_FLOAT64),
                                              NULL);
            t_context("%s, case %d", ga_dtype_name(types[h]), (int)k);
            for (int64_t c = 0; c < N + M - 1; c++) {
                double s = 0;
                for (int64_t j = c < N ? 0 : c - N + 1; j < M && j <= c; j++)
                    s += p[c - j] * q[j];
                T_CHECKF(isnan(s) ? isnan(is[c]) : is[c] == s,
                         "%lld is %g, expected %g", (long long)c, is[c], s);
            }
            free(p);
            free(q);
            free(is);
        }
}

/* --------------------------------------------------- layouts, what is wrong */
static void alike(const ga_array *x, const ga_array *y) {
    t_same_arrays(x, y, 0);
}
TEST(layouts) {
    GA_SCOPE;
    const ga_bins b = GA_BINS_IN(7, -1, 40);
    ga_array *x = ga_reshape(ga_arange_as(0, 60, 1, GA_FLOAT32), GA_SHAPE(3, 4, 5));
    const ga_array *ways[] = {
        ga_transpose(x, GA_ALL), ga_flip(x, GA_ALL), ga_transpose(x, GA_AXIS(1, 0, 2)),
        ga_slice(x, "::-1, :, ::-1"), ga_copy(ga_transpose(x, GA_AXIS(2, 0, 1)))};
    ga_array *want = ga_histogram(x, b, GA_NONE, 0, NULL);
    ga_array *sums = ga_histogram(x, b, ga_square(x), 0, NULL);
    for (size_t i = 0; i < T_COUNT(ways); i++) {
        t_context("way %d", (int)i);
        ga_array *v = ga_copy(ways[i]);     /* weights laid out otherwise   */
        alike(ga_histogram(ways[i], b, GA_NONE, 0, NULL), want);
        alike(ga_histogram(ways[i], b, ga_square(v), 0, NULL), sums);
        alike(ga_histogram(ways[i], b, ga_square(ways[i]), 0, NULL), sums);
    }
    ga_array *y = ga_broadcast_to(ga_slice(x, "0, 0"), GA_SHAPE(6, 5));
    alike(ga_histogram(y, b, GA_NONE, 0, NULL),
            ga_histogram(ga_copy(y), b, GA_NONE, 0, NULL));
    ga_array *s = ga_slice(x, "..., ::2"), *z = ga_copy(ga_slice(x, "1, 1"));
    alike(ga_histogram(s, b, GA_NONE, 0, NULL),
            ga_histogram(ga_copy(s), b, GA_NONE, 0, NULL));
    alike(ga_histogram(ga_slice(x, "1, 1, 1"), b, GA_NONE, 0, NULL),
            ga_bincount(ga_full(GA_SHAPE(1), 4, GA_INT8), GA_NONE, 7));
    alike(ga_convolve(ga_slice(z, "::-1"), ga_slice(x, "0, :, 0"), GA_FULL),
            ga_convolve(ga_copy(ga_slice(z, "::-1")),
                        ga_copy(ga_slice(x, "0, :, 0")), GA_FULL));
    T_CHECK(ga_convolve_into(z, z, ga_copy(z), GA_SAME) == GA_OK);   /* overlap */
    ga_array *w = ga_arange_as(25, 30, 1, GA_FLOAT32);
    alike(z, ga_convolve(w, w, GA_SAME));
    ga_array *deep = ga_reshape(x, GA_SHAPE(1, 3, 1, 4, 1, 5, 1, 1));
    alike(ga_histogram(deep, b, GA_NONE, 0, NULL), want);
    ga_array *thin = ga_slice(x, ":, :, 2:3");          /* a last axis of one */
    alike(ga_histogram(thin, b, GA_NONE, 0, NULL),
          ga_histogram(ga_copy(thin), b, GA_NONE, 0, NULL));
    ga_array *thinner = ga_slice(thin, "1, 2:3, :");
    alike(ga_histogram(thinner, GA_BINS_AT(ga_arange(0, 60, 9)), thinner, 0, NULL),
          ga_histogram(ga_copy(thinner), GA_BINS_AT(ga_arange(0, 60, 9)), thinner,
                       0, NULL));
    T_CHECK(ga_digitize(deep, ga_arange(0, 60, 7), 0)->ndim == 8);
    T_CHECK(ga_interp(3, w, w, NULL)->ndim == 0);
}
/* NumPy's bits where both parts of a complex line share the step's reciprocal,
   and where the line of the real part alone divides by the step.            */
TEST(lines_of_complex_numbers) {
    GA_SCOPE;
    ga_array *xp = ga_asarray(((double[]){0, .7, 1.9}), GA_SHAPE(3));
    ga_array *x = ga_asarray(((double[]){.1, .35, .6, 1.1, 1.7}), GA_SHAPE(5));
    const double fp[] = {1, 2, 5.2, -1, 2, .1}, want[] = {
        0x1.999999999999ap+0, 0x1.9249249249249p+0, 0x1.8ccccccccccccp+1,
        0x1.0000000000002p-1, 0x1.2666666666666p+2, -0x1.2492492492490p-1,
        0x1.0888888888888p+2, -0x1.4444444444443p-1, 0x1.4444444444444p+1,
        -0x1.5555555555550p-4};
    ga_array *points = ga_asarray_as(fp, GA_COMPLEX128, GA_SHAPE(3));
    t_same(ga_interp(x, xp, points, NULL), GA_COMPLEX128, GA_SHAPE(5), want);
    ga_array *line = ga_interp(x, xp, ga_real(points), NULL);
    T_CHECK(ga_item_at(line, GA_INDEX(1)) == 0x1.8cccccccccccdp+1);
    T_CHECK(ga_item_at(line, GA_INDEX(2)) == 0x1.2666666666667p+2);
}
TEST(nothing) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(0, 3), GA_INT16), *e = NULL;
    ga_array *flat = ga_reshape(x, GA_SHAPE(0)), *one = ga_ones(GA_SHAPE(1), GA_FLOAT32);
    int64_t none[4] = {0};
    double unit[] = {0, .25, .5, .75, 1};
    t_same(ga_histogram(x, GA_BINS(4), GA_NONE, 0, &e), GA_INT64, GA_SHAPE(4), none);
    t_same(e, GA_FLOAT64, GA_SHAPE(5), unit);
    t_same(ga_histogram(one, GA_BINS_AT(one), GA_NONE, 0, NULL), GA_INT64,
           GA_SHAPE(0), NULL);
    T_CHECK(ga_histogram(x, GA_BINS_BY(GA_BINS_FD), GA_NONE, 0, NULL)->size == 1);
    T_CHECK(ga_bincount(flat, GA_NONE, 0)->size == 0);
    ga_bincount(ga_full(GA_SHAPE(3), -2, GA_INT16), GA_NONE, 0);
    T_ERROR(GA_ERR_VALUE);                  /* negative ones alone: no bins  */
    T_CHECK(ga_digitize(x, one, 0)->size == 0 && ga_unwrap(x, GA_NONE, 0, 7)->size == 0);
    T_CHECK(ga_interp(x, one, one, NULL)->size == 0);
    T_CHECK(ga_item(ga_digitize(3, flat, 0)) == 0);
    ga_convolve(flat, one, GA_SAME);
    T_ERROR(GA_ERR_SHAPE);
    ga_interp(one, flat, flat, NULL);
    T_ERROR(GA_ERR_VALUE);
    float two[] = {0, 1, 2, 2};             /* what does not fit is left out */
    ga_array *n = ga_zeros(GA_SHAPE(2), GA_INT64);
    int64_t want[] = {1, 1};
    T_CHECK(ga_bincount_into(n, ga_astype(ga_asarray(two, GA_SHAPE(4)), GA_INT8),
                             GA_NONE) == GA_OK);
    t_same(n, GA_INT64, GA_SHAPE(2), want);
}
/* A value that the kernel finds wrong: told at once on the CPU device, on a GPU
   by who waits next; nothing but the message is claimed.                    */
static void told(const char *text) {
    ga_synchronize();
    T_CHECKF(strstr(ga_error_message(), text), "\"%s\" is not \"%s\"",
             ga_error_message(), text);
    T_ERROR(GA_ERR_VALUE);
}
/* numpy.histogram_bin_edges(np.array([True, False] * 50), rule): one bin. */
TEST(rules_of_bool) {
    GA_SCOPE;
    ga_array *x = ga_equal(ga_mod(ga_arange(0, 100, 1), 2), 0);
    double want[] = {0, 1};
    for (int rule = GA_BINS_AUTO; rule <= GA_BINS_SQRT; rule++) {
        t_context("rule %d", rule);
        t_same(ga_histogram_bin_edges(x, GA_BINS_BY(rule)), GA_FLOAT64,
               GA_SHAPE(2), want);
    }
}
TEST(errors) {
    GA_SCOPE;
    float v[] = {1, 2, NAN, 4}, down[] = {3, 2, 5, 9};
    ga_array *x = ga_asarray(v, GA_SHAPE(4)), *y = ga_slice(x, ":2"), *e = NULL;
    ga_array *z = ga_astype(x, GA_COMPLEX64), *d = ga_asarray(down, GA_SHAPE(4));
    ga_array *out = ga_zeros(GA_SHAPE(3), GA_INT64);
    ga_histogram(z, GA_BINS(3), GA_NONE, 0, &e);
    T_ERROR(GA_ERR_DTYPE);
    ga_histogram(y, GA_BINS(0), GA_NONE, 0, &e);
    T_CHECK(strstr(ga_error_message(), "0 bins; 1 to 2147483645 are possible"));
    T_ERROR(GA_ERR_VALUE);
    ga_histogram(y, GA_BINS_IN(3, 2, 1), GA_NONE, 0, &e);
    T_CHECK(strstr(ga_error_message(), "a range from 2 to 1"));
    T_ERROR(GA_ERR_VALUE);
    ga_histogram(y, GA_BINS_IN(3, 2, INFINITY), GA_NONE, 0, &e);
    T_ERROR(GA_ERR_VALUE);
    ga_histogram(y, GA_BINS_IN(1, -1e308, 1e308), GA_NONE, 0, &e);
    told("1 bins are narrower");
    if (e) ga_free(e), e = NULL;            /* on a GPU it is told late */
    ga_histogram(y, GA_BINS_BY(9), GA_NONE, 0, &e);
    T_CHECK(strstr(ga_error_message(), "9 is no rule"));
    T_ERROR(GA_ERR_VALUE);
    ga_histogram(y, GA_BINS_BY(GA_BINS_FD), y, 0, &e);
    T_ERROR(GA_ERR_VALUE);
    ga_histogram(y, GA_BINS_AT(ga_reshape(x, GA_SHAPE(2, 2))), GA_NONE, 0, &e);
    T_CHECK(strstr(ga_error_message(), "the edges have shape (2,2)"));
    T_ERROR(GA_ERR_SHAPE);
    ga_histogram(y, GA_BINS(3), x, 0, &e);
    T_CHECK(strstr(ga_error_message(), "the weights have shape (4,), the elements "
                                       "(2,)"));
    T_ERROR(GA_ERR_SHAPE);
    ga_histogram(y, GA_BINS(3), GA_NONE, 8, &e);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!e);
    T_CHECK(ga_histogram_into(out, NULL, y, GA_BINS(4), GA_NONE, 0) != GA_OK);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_histogram_into(out, out, y, GA_BINS(3), GA_NONE, 0) != GA_OK);
    T_ERROR(GA_ERR_VALUE);
    ga_histogram(x, GA_BINS_BY(GA_BINS_SQRT), GA_NONE, 0, NULL);
    T_ERROR(GA_ERR_VALUE);
    ga_bincount(x, GA_NONE, 0);
    T_CHECK(strstr(ga_error_message(), "the numbers are float32"));
    T_ERROR(GA_ERR_DTYPE);
    ga_bincount(ga_zeros(GA_SHAPE(2, 2), GA_INT8), GA_NONE, 0);
    T_ERROR(GA_ERR_SHAPE);
    ga_bincount(ga_zeros(GA_SHAPE(2), GA_INT8), GA_NONE, -1);
    T_ERROR(GA_ERR_VALUE);
    ga_bincount(ga_full(GA_SHAPE(2), 1ull << 40, GA_INT64), GA_NONE, 0);
    T_ERROR(GA_ERR_VALUE);
    ga_histogram2d(x, y, GA_BINS(2), GA_BINS(2), GA_NONE, 0, NULL);
    T_CHECK(strstr(ga_error_message(), "(4,) and (2,)"));
    T_ERROR(GA_ERR_SHAPE);
    ga_histogram2d(y, y, GA_BINS_BY(GA_BINS_FD), GA_BINS(2), GA_NONE, 0, NULL);
    T_ERROR(GA_ERR_VALUE);
    ga_histogram2d(y, y, GA_BINS(100000), GA_BINS(100000), GA_NONE, 0, NULL);
    T_ERROR(GA_ERR_SIZE);
    ga_histogramdd(x, NULL, GA_NONE, 0, NULL);
    T_ERROR(GA_ERR_NULL);
    ga_convolve(x, y, (ga_convolve_mode)7);
    T_ERROR(GA_ERR_VALUE);
    ga_interp(y, x, y, NULL);
    T_ERROR(GA_ERR_SHAPE);
    ga_unwrap(y, GA_NONE, 0, -1.0);
    T_ERROR(GA_ERR_VALUE);
    ga_unwrap(y, GA_NONE, 1, GA_NONE);
    T_ERROR(GA_ERR_AXIS);
    ga_unwrap(z, GA_NONE, 0, GA_NONE);
    T_ERROR(GA_ERR_DTYPE);
    /* found by the kernels */
    ga_histogram(x, GA_BINS(3), GA_NONE, 0, NULL);
    told("ga_histogram: the range of the data is not finite");
    ga_histogram(y, GA_BINS_AT(d), GA_NONE, 0, NULL);
    told("edge 1 of 4 is less than the one before it");
    ga_histogram_bin_edges(y, GA_BINS_IN(100, 1, 1.000001));
    told("100 bins are narrower than the numbers between their ends");
    ga_digitize(y, d, 0);
    told("breaks their order");
    T_CHECK(ga_bincount_into(out, ga_full(GA_SHAPE(2), -7, GA_INT8), GA_NONE)
            != GA_OK || t_on_gpu());
    told("-7 is negative");
    T_CHECK(ga_bincount_into(out, ga_full(GA_SHAPE(2), -7, GA_INT32), GA_NONE)
            != GA_OK || t_on_gpu());
    told("-7 is negative");
}

/* Nothing waits: the calls of a graph, launched with other data. */
typedef struct work {
    ga_array *x, *w, *e, *counts, *edges, *sums, *plane, *at, *soft, *line;
    ga_array *near, *small;
} work;
static void every(void *arg) {
    work *k = (work *)arg;
    ga_histogram_into(k->counts, k->edges, k->x, GA_BINS(9), GA_NONE, 0);
    ga_histogram_into(k->sums, NULL, k->x, GA_BINS_AT(k->e), k->w, GA_DENSITY);
    ga_histogram2d_into(k->plane, k->x, k->w, GA_BINS_IN(3, 0, 1), GA_BINS(4),
                        GA_NONE, 0);
    ga_digitize_into(k->at, k->x, k->e, 0);
    ga_bincount_into(k->small, k->at, k->w);
    ga_convolve_into(k->soft, k->x, k->e, GA_SAME);
    ga_interp_into(k->line, k->x, k->e, k->e, NULL);
    ga_unwrap_into(k->near, k->x, GA_NONE, 0, 0.5);
}
TEST(graphs) {
    GA_SCOPE;
    enum { N = 3000 };
    work k;
    ga_array *x = ga_arange_as(0, N, 1, GA_FLOAT32);
    k.x = ga_mod(ga_mul(x, 0.3819f), 1);
    k.w = ga_add(x, 1);
    k.e = ga_sqrt(ga_linspace_as(0, 1, 12, true, GA_FLOAT32));
    k.counts = ga_zeros(GA_SHAPE(9), GA_INT64);
    k.edges = ga_zeros(GA_SHAPE(10), GA_FLOAT32);
    k.sums = ga_zeros(GA_SHAPE(11), GA_FLOAT64);
    k.plane = ga_zeros(GA_SHAPE(3, 4), GA_FLOAT64);
    k.at = ga_zeros(GA_SHAPE(N), GA_INT64);
    k.small = ga_zeros(GA_SHAPE(5), GA_FLOAT64);
    k.soft = ga_zeros(GA_SHAPE(N), GA_FLOAT32);
    k.line = ga_zeros(GA_SHAPE(N), GA_FLOAT64);
    k.near = ga_zeros(GA_SHAPE(N), GA_FLOAT32);
    ga_graph *g = ga_graph_create(every, &k);
    if (!g) {
        t_bad("no graph: %s", ga_error_message());
        ga_clear_error();
        return;
    }
    ga_assign(k.x, ga_square(k.x));
    T_CHECK(ga_graph_launch(g) == GA_OK);
    work plain = k;
    ga_array **of[] = {&plain.counts, &plain.edges, &plain.sums, &plain.plane,
                       &plain.at, &plain.small, &plain.soft, &plain.line,
                       &plain.near};
    const ga_array *got[] = {k.counts, k.edges, k.sums, k.plane, k.at, k.small,
                             k.soft, k.line, k.near};
    for (size_t i = 0; i < T_COUNT(of); i++) *of[i] = ga_zeros_like(*of[i]);
    every(&plain);
    T_FINE();
    for (size_t i = 0; i < T_COUNT(of); i++) {
        t_context("result %d", (int)i);
        alike(got[i], *of[i]);
    }
    ga_graph_destroy(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(as_numpy), T(many_bins), T(many_elements), T(long_products), T(taps_that_are_not_finite),
        T(layouts), T(nothing), T(lines_of_complex_numbers), T(rules_of_bool), T(errors), T(graphs)};
    return T_RUN("histograms", tests);
}
