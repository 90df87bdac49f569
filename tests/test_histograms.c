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
        r = ga_correlate(x, y, (ga_overlap)(int)v[0]);
        st = ga_correlate_into(to, x, y, (ga_overlap)(int)v[0]);
        ulps = 8;
    } else if (!strcmp(name, "convolve")) {
        r = ga_convolve(x, y, (ga_overlap)(int)v[0]);
        st = ga_convolve_into(to, x, y, (ga_overlap)(int)v[0]);
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

int main(void) {
    const struct CMUnitTest tests[] = {T(as_numpy)};
    return T_RUN("histograms", tests);
}
