/* Reductions: golden/reductions.bin over every dtype and set of axes, in four
   layouts; then sizes that need several blocks, against plain loops on the
   host; accuracy, repeatability, empty arrays, errors.                      */
#include "golden.h"
#include "rows.h"

typedef ga_array *(*reduce_fn)(const ga_array *, ga_axis);
typedef ga_status (*reduce_into_fn)(ga_array *, const ga_array *, ga_axis);
typedef ga_array *(*moment_fn)(const ga_array *, ga_axis, double);
typedef ga_status (*moment_into_fn)(ga_array *, const ga_array *, ga_axis,
                                    double);
typedef struct red {
    const char *name, *result, *combine, *finish;
    int types;
    double start;
    reduce_fn f;
    reduce_into_fn into;
    moment_fn m;
    moment_into_fn minto;
} red;
static const red reds[] = {
#define ROW(n, types, result, family, combine, start, finish, ...) \
    {#n, #result, #combine, #finish, types, start, (ga_##n), \
     (ga_##n##_into), NULL, NULL},
    GA_REDUCTIONS(ROW)
#undef ROW
#define ROW(n, types, result, family, combine, start, finish, ...) \
    {#n, #result, #combine, #finish, types, start, NULL, NULL, \
     (ga_##n), (ga_##n##_into)},
    GA_REDUCTIONS_DDOF(ROW)
#undef ROW
};
static const red *red_of(const char *name) {
    for (size_t i = 0; i < T_COUNT(reds); i++)
        if (!strcmp(reds[i].name, name)) return &reds[i];
    return NULL;
}
static ga_array *reduce(const red *r, const ga_array *x, ga_axis a, int ddof) {
    return r->f ? r->f(x, a) : r->m(x, a, ddof);
}
static ga_status reduce_into(const red *r, ga_array *out, const ga_array *x,
                             ga_axis a, int ddof) {
    return r->into ? r->into(out, x, a) : r->minto(out, x, a, ddof);
}
static bool is_index(const red *r) { return !strcmp(r->result, "INDEX"); }
/* Does the row take this dtype? */
static bool takes(const red *r, ga_dtype t) {
    if (t == GA_BOOL) return !(r->types & GA__N);
    return r->types & (t_is_int(t) ? GA__I | GA__F
                       : t_is_complex(t) ? GA__C : GA__F);
}
static ga_dtype result_of(const red *r, ga_dtype t) {
    if (t < GA_FLOAT16 && !(r->types & GA__BI))
        t = r->types & GA__D || ga_dtype_size(t) > 2 ? GA_FLOAT64
            : ga_dtype_size(t) == 2 ? GA_FLOAT32 : GA_FLOAT16;
    bool integer = t < GA_FLOAT16;
    if (!strcmp(r->result, "SAME")) return t;
    if (!strcmp(r->result, "BOOL")) return GA_BOOL;
    if (!strcmp(r->result, "INDEX") || !strcmp(r->result, "COUNT"))
        return GA_INT64;
    if (!strcmp(r->result, "SUM"))
        return !integer ? t : t >= GA_UINT8 ? GA_UINT64 : GA_INT64;
    if (!strcmp(r->result, "MEAN")) return integer ? GA_FLOAT64 : t;
    return integer ? GA_FLOAT64 : t_real_of(t);
}

/* ----------------------------------------------------------- golden data */
static const ga_axis axes[] = {{-1, false, {0}}, {1, false, {0}},
    {1, false, {1}}, {1, false, {-1}}, {2, false, {0, 1}},
    {2, false, {-1, -3}}, {2, false, {1, 2}}};
static const int lengths[] = {1, 20, 15, 12, 5, 4, 3};
static const char *const axes_name[] = {"all", "0", "1", "-1", "0,1", "-1,-3",
                                        "1,2"};
static ga_shape shape_of(int i, bool keep) {
    static const int64_t full[3] = {3, 4, 5};
    ga_shape s = {0, {0}};
    for (int d = 0; d < 3; d++) {
        bool gone = axes[i].n < 0;
        for (int k = 0; k < axes[i].n; k++)
            gone |= (axes[i].axis[k] + 3) % 3 == d;
        if (!gone || keep) s.dim[s.ndim++] = gone ? 1 : full[d];
    }
    return s;
}

/* Element i of got against an exact record; which zero, which NaN a maximum
   returns is open.                                                         */
static bool exact_fits(const void *got, const g_record *w, int64_t i) {
    ga_dtype t = w->dtype;
    if (t_equal(got, w->data, t, i)) return true;
    bool nan[2] = {false, false}, same = !t_is_int(t) && t != GA_BOOL;
    for (int k = 0; k < 1 + t_is_complex(t); k++) {
        double g = t_value(got, t, i, k), v = t_value(w->data, t, i, k);
        nan[0] |= isnan(g);
        nan[1] |= isnan(v);
        same &= g == v;
    }
    return same || (nan[0] && nan[1]);
}
static void fit(const red *r, const void *p, ga_dtype t, ga_dtype rt,
                const char *key, int64_t from, int64_t n) {
    const g_record *y = g_find("%s", key);
    if (y) {
        for (int64_t i = 0; i < n; i++) {
            g_record part = *y;
            part.data = (char *)y->data + (size_t)from * ga_dtype_size(rt);
            if (!exact_fits(p, &part, i))
                t_bad("element %lld is %s, expected %s", (long long)i,
                      t_text(p, rt, i), t_text(part.data, rt, i));
        }
        return;
    }
    const g_record *hi = g_find("%s/hi", key), *lo = g_find("%s/lo", key);
    const g_record *mag = g_find("%s/mag", key), *skip = g_find("%s/skip", key);
    if (!hi) {
        t_bad("no golden record %s", key);
        return;
    }
    /* float64 sums in two doubles; others in float64, rounded once; other
       folds round at each of 60 steps; variances and integers in float64    */
    bool dbl = t_real_of(rt) == GA_FLOAT64, sum = !strcmp(r->combine, "add");
    bool moment = r->m != NULL, integer = t < GA_FLOAT16;
    double ulps = !dbl ? 1 : moment ? 16 : sum ? 2
                  : 35 * r_row_of(r->combine)->ulp;
    double slack = integer ? 0x1p-50 : dbl ? 0x1p-98 : 0x1p-48;
    for (int64_t i = 0; i < n; i++) {
        double g[2] = {0}, h[2] = {0}, l[2] = {0}, err;
        int parts = 1 + (hi->dtype == GA_COMPLEX128);
        if (skip && ((const unsigned char *)skip->data)[from + i]) continue;
        for (int k = 0; k < parts; k++) {
            g[k] = t_value(p, rt, i, k);
            h[k] = t_value(hi->data, hi->dtype, from + i, k);
            l[k] = t_value(lo->data, lo->dtype, from + i, k);
        }
        err = parts == 2 ? t_ulps_complex(rt, g, h, l)
                         : t_ulps(rt, g[0], h[0], l[0]);
        double size = hypot(h[0], h[1]);
        double m = ((const double *)mag->data)[from + i];
        double allowed = ulps + (isfinite(size) ? slack * m / t_ulp(rt, size)
                                                : 0);
        if (!(err <= allowed))
            t_bad("element %lld is %s, expected %s: %.3g of %.3g ulp",
                  (long long)i, t_text(p, rt, i),
                  t_text(hi->data, hi->dtype, from + i), err, allowed);
    }
}

/* The same elements laid out otherwise. */
static ga_array *other_layout(const ga_array *x, int how) {
    ga_array *big, *v;
    switch (how) {
    case 0: return ga_view(x);
    case 1: return ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
    case 2:
        big = ga_zeros(GA_SHAPE(6, 5, 15), x->dtype);
        v = ga_slice(big, "1::2, 1:, 2::3");
        ga_assign(v, x);
        return v;
    case 3: return ga_flip(ga_copy(ga_flip(x, GA_ALL)), GA_ALL);
    default:
        return ga_transpose(ga_copy(ga_transpose(x, GA_AXIS(1, 2, 0))),
                            GA_AXIS(2, 0, 1));
    }
}
/* In a quick run each operation takes a fifth of the dtypes, two layouts. */
static void golden(const red *r) {
    static const char *const kinds[] = {"plain", "special"};
    static int turn;
    turn++;
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++)
        for (int kind = 0; kind < 2; kind++) {
            GA_SCOPE;
            if (t_quick() && (ti + turn) % 5) continue;
            ga_dtype t = (ga_dtype)ti, rt = result_of(r, t);
            const g_record *g = g_find("%s/%s", ga_dtype_name(t), kinds[kind]);
            ga_array *x = ga_asarray_as(g->data, g->dtype, g->shape);
            if (!takes(r, t)) {
                T_CHECK(reduce(r, x, GA_ALL, 0) == NULL);
                T_ERROR(GA_ERR_DTYPE);
                continue;
            }
            for (int how = 0; how < 5; how += t_quick() ? 4 : 1)
                for (int ddof = 0; ddof < 1 + (r->m != NULL); ddof++) {
                    ga_array *v = other_layout(x, how);
                    int64_t from = 0;
                    char key[80];
                    snprintf(key, sizeof key, r->m ? "%s/%s/%s/%d"
                             : "%s/%s/%s", r->name, ga_dtype_name(t),
                             kinds[kind], ddof);
                    for (size_t a = 0; a < T_COUNT(axes); a++) {
                        int n = lengths[a];
                        if (is_index(r) && axes[a].n > 1) continue;
                        t_context("%s, axes %s, layout %d", key, axes_name[a],
                                  how);
                        ga_array *y = reduce(r, v, axes[a], ddof);
                        if (t_is(y, rt, shape_of((int)a, false)))
                            fit(r, t_host(y), t, rt, key, from, n);
                        ga_axis keep = axes[a];
                        keep.keepdims = true;
                        ga_array *yk = reduce(r, v, keep, ddof);
                        t_is(yk, rt, shape_of((int)a, true));
                        if (y && yk)
                            t_same_arrays(ga_reshape(yk, ga_shape_of(y)), y,
                                          0);
                        from += n;
                    }
                }
            t_release_host();
        }
}
#define TEST_RED(n, ...) TEST(golden_##n) { golden(red_of(#n)); }
GA_REDUCTIONS(TEST_RED)
GA_REDUCTIONS_DDOF(TEST_RED)

/* ------------------------------------------------ larger, against loops */
/* Shapes that need several blocks an output, a tail, or many outputs; the
   last ones for a GPU, where blocks are larger.                            */
static const ga_shape shapes[] = {
    {1, {1}},           {1, {31}},        {1, {300007}},    {2, {129, 2053}},
    {2, {2053, 129}},   {2, {1, 70003}},  {2, {70003, 1}},  {2, {50021, 3}},
    {2, {3, 50021}},    {3, {16, 3, 1031}}, {3, {7, 1031, 8}},
    {3, {611, 5, 3}},
    {2, {20011, 16}},   {2, {3, 1000003}}, {2, {1000003, 3}},
    {2, {1031, 2053}},  {2, {40009, 37}},
};
enum { SHAPES_ON_CPU = 13 };
/* What a loop over x along `axis` (-1: all of it) finds. */
typedef struct found {
    long double sum, sq, mag;
    int64_t isum, nonzero;
    double max, min;
    int64_t argmax, argmin, nans, n;
} found;
static void look(const void *p, ga_dtype t, const ga_shape *s, int axis,
                 found *out, int64_t *count) {
    int64_t inner = 1, len = 1, outer = 1;
    for (int d = 0; d < s->ndim; d++) {
        if (axis < 0 || d == axis) len *= s->dim[d];
        else if (d < axis) outer *= s->dim[d];
        else inner *= s->dim[d];
    }
    *count = outer * inner;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            found f = {.max = -(double)INFINITY, .min = (double)INFINITY,
                       .argmax = -1, .argmin = -1, .n = len};
            int64_t at = o * len * inner + i;
            for (int64_t k = 0; k < len; k++) {
                double v = t_value(p, t, at + k * inner, 0);
                f.nonzero += v != 0;
                if (isnan(v)) {
                    if (f.nans++ == 0) f.argmax = f.argmin = k;
                    continue;
                }
                f.sum += v;
                f.isum += t_is_float(t) ? 0 : (int64_t)v;
                f.mag += fabsl((long double)v);
                if (!f.nans && v > f.max) f.argmax = k;
                if (!f.nans && v < f.min) f.argmin = k;
                if (v > f.max) f.max = v;
                if (v < f.min) f.min = v;
            }
            long double mean = f.sum / (long double)(len - f.nans);
            for (int64_t k = 0; k < len; k++) {
                double v = t_value(p, t, at + k * inner, 0);
                if (!isnan(v)) f.sq += (v - mean) * (v - mean);
            }
            out[o * inner + i] = f;
        }
}
static void compare(const char *name, const ga_array *y, ga_dtype t,
                    const found *f, int64_t n) {
    char where[sizeof t_me.context];
    memcpy(where, t_me.context, sizeof where);
    t_context("%s %s, %.200s", name, ga_dtype_name(t), where);
    if (!y) {
        t_bad("NULL: %s", ga_error_message());
        ga_clear_error();
        return;
    }
    void *p = malloc((size_t)y->size * ga_dtype_size(y->dtype));
    assert_non_null(p);
    ga_asnumpy(y, p);
    int64_t bad = 0, at = -1;
    double got = 0, want = 0;
    for (int64_t i = 0; i < n; i++) {
        double v = t_value(p, y->dtype, i, 0), w = 0, tol = 0;
        double part = (double)(f[i].n - f[i].nans);
        bool nanform = !strncmp(name, "nan", 3);
        const char *op = nanform ? name + 3 : name;
        bool nan = f[i].nans && !nanform;
        if (!strcmp(op, "sum")) {
            w = !t_is_float(y->dtype) ? (double)f[i].isum : (double)f[i].sum;
            if (t_is_float(t)) tol = t_ulp(t, w) + 0x1p-45 * (double)f[i].mag;
        } else if (!strcmp(op, "mean")) {
            w = (double)(f[i].sum / part);
            tol = 2 * t_ulp(y->dtype, w) + 0x1p-45 * (double)f[i].mag / part;
        } else if (!strcmp(op, "var")) {
            w = (double)(f[i].sq / part);
            tol = 1e-11 * w + 2 * t_ulp(y->dtype, w);
        } else if (!strcmp(op, "ptp")) {
            w = f[i].max - f[i].min;
            tol = t_is_float(t) ? t_ulp(t, w) : 0;
        } else if (!strcmp(op, "max")) w = f[i].max;
        else if (!strcmp(op, "min")) w = f[i].min;
        else if (!strcmp(op, "argmax")) w = (double)f[i].argmax, nan = false;
        else if (!strcmp(op, "argmin")) w = (double)f[i].argmin, nan = false;
        else if (!strcmp(op, "count_nonzero"))
            w = (double)f[i].nonzero, nan = false;
        if (y->dtype == GA_FLOAT16 && fabs(w) >= 65520)
            w = copysign((double)INFINITY, w);
        if (v == w) continue;
        if (nan || (isinf(w) && f[i].nans == f[i].n)) w = (double)NAN;
        if (isnan(w) ? isnan(v) : fabs(v - w) <= tol) continue;
        if (bad++ == 0) at = i, got = v, want = w;
    }
    free(p);
    if (bad)
        t_bad("%lld of %lld; element %lld is %.17g, expected %.17g",
              (long long)bad, (long long)n, (long long)at, got, want);
}
static void large(ga_dtype t, int kind) {
    static const char *const names[] = {"sum", "mean", "var", "max", "min",
        "argmax", "argmin", "ptp", "count_nonzero", "nansum", "nanmax",
        "nanmin", "nanmean", "nanvar"};
    size_t most = t_on_gpu() && t == GA_FLOAT32 && !t_quick()
                  ? T_COUNT(shapes) : SHAPES_ON_CPU;
    for (size_t si = 0; si < most; si++) {
        GA_SCOPE;
        ga_shape s = shapes[si];
        if (t_quick() && t_size(s) > 100000) continue;
        int64_t n = t_size(s), count;
        void *p = malloc((size_t)n * ga_dtype_size(t));
        found *f = (found *)malloc((size_t)n * sizeof *f);
        assert_true(p && f);
        if (kind == 0) {
            t_fill(p, t, n, t_is_int(t) ? -100 : -1, t_is_int(t) ? 100 : 1);
        } else {                    /* ties, and NaN in some rows           */
            t_fill(p, t, n, -3, 3);
            for (int64_t i = 0; i < n; i++)
                t_store(p, t, i, floor(t_value(p, t, i, 0)), 0);
            for (int k = 0; t_is_float(t) && k < 5; k++)
                t_store(p, t, (int64_t)(t_random() % (uint64_t)n),
                        (double)NAN, 0);
        }
        ga_array *x = ga_asarray_as(p, t, s);
        ga_array *turned = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)),
                                        GA_ALL);
        for (int axis = -1; axis < s.ndim; axis++) {
            ga_axis a = axis < 0 ? GA_ALL : GA_AXIS(axis);
            look(p, t, &s, axis, f, &count);
            for (size_t k = 0; k < T_COUNT(names); k++) {
                const red *r = red_of(names[k]);
                if (!takes(r, t)) continue;
                GA_SCOPE;
                t_context("shape %s axis %d", t_shape_text(s.ndim, s.dim),
                          axis);
                ga_array *y = reduce(r, x, a, 0);
                compare(names[k], y, t, f, count);
                t_context("%s %s, shape %s axis %d again", names[k],
                          ga_dtype_name(t), t_shape_text(s.ndim, s.dim),
                          axis);
                t_same_arrays(reduce(r, x, a, 0), y, 0);
                if (t != GA_FLOAT32 && t != GA_INT32) continue;
                t_context("transposed, shape %s axis %d",
                          t_shape_text(s.ndim, s.dim), axis);
                compare(names[k], reduce(r, turned, a, 0), t, f, count);
                if (s.ndim > 1 && s.dim[0] > 1) {
                    t_context("strided, shape %s axis %d",
                              t_shape_text(s.ndim, s.dim), axis);
                    ga_array *back = ga_flip(ga_copy(ga_flip(x, GA_AXIS(0))),
                                             GA_AXIS(0));
                    compare(names[k], reduce(r, back, a, 0), t, f, count);
                }
            }
        }
        free(p);
        free(f);
    }
}
TEST(large_float32) { large(GA_FLOAT32, 0); }
TEST(large_float64) { large(GA_FLOAT64, 0); }
TEST(large_int32) { large(GA_INT32, 0); }
TEST(large_int8) { large(GA_INT8, 1); }
TEST(large_uint64) { large(GA_UINT64, 0); }
TEST(large_bool) { large(GA_BOOL, 0); }
/* Wherever the one that decides stands, and where none does. */
TEST(late_bools) {
    enum { N = 700 };
    bool v[40][N];
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < N; j++) v[i][j] = (j == i * 18 + 1) ^ (i % 2);
    GA_SCOPE;
    ga_array *x = ga_asarray_as(v, GA_BOOL, GA_SHAPE(40, N));
    for (int how = 0; how < 3; how++) {
        ga_array *y = how == 0 ? x : how == 1 ? ga_slice(x, ":, 1::2")
                    : ga_slice(x, "::2, ::-1");
        t_context("view %d", how);
        t_same_arrays(ga_max(y, GA_AXIS(1)), ga_any(y, GA_AXIS(1)), 0);
        t_same_arrays(ga_min(y, GA_AXIS(1)), ga_all(y, GA_AXIS(1)), 0);
    }
}
TEST(ties_and_nan_float32) { large(GA_FLOAT32, 1); }
TEST(ties_and_nan_float64) { large(GA_FLOAT64, 1); }
TEST(ties_and_nan_float16) { large(GA_FLOAT16, 1); }
TEST(ties_and_nan_bfloat16) { large(GA_BFLOAT16, 1); }

/* The first of two equals, or of two NaN, at the ends of rows and in between:
   of lengths about those of whole turns of lanes.                           */
TEST(places) {
    static const ga_dtype types[] = {GA_BOOL, GA_FLOAT32, GA_FLOAT64,
                                     GA_COMPLEX64, GA_COMPLEX128};
    static const int lengths[] = {16, 63, 64, 65, 100, 257, 1030, 4097};
    enum { ROWS = 33, MOST = 4097 };
    double *v = (double *)malloc(sizeof *v * ROWS * MOST);
    int64_t want[ROWS];
    assert_true(v);
    for (size_t c = 0; c < T_COUNT(types) * T_COUNT(lengths) * 2; c++) {
        const ga_dtype t = types[c / 2 / T_COUNT(lengths)];
        const int n = lengths[c / 2 % T_COUNT(lengths)];
        const bool nan = c % 2 && t != GA_BOOL;
        GA_SCOPE;
        for (int i = 0; i < ROWS; i++) {
            want[i] = (int64_t)i * (n - 1) / (ROWS - 1);
            for (int j = 0; j < n; j++)
                v[i * n + j] = t == GA_BOOL ? 0 : i == 1 ? -(double)INFINITY
                    : -(double)((i + 3 * j) % 7);
            for (int64_t j = want[i]; j < n; j += 7)
                v[i * n + j] = nan ? (double)NAN : 1;
        }
        ga_array *x = ga_astype(ga_asarray_as(v, GA_FLOAT64,
                                              GA_SHAPE(ROWS, n)), t);
        ga_array *w = ga_asarray_as(want, GA_INT64, GA_SHAPE(ROWS));
        t_context("%s, rows of %d%s", ga_dtype_name(t), n, nan ? ", NaN" : "");
        t_same_arrays(ga_argmax(x, GA_AXIS(1)), w, 0);
        x = t == GA_BOOL ? ga_logical_not(x) : ga_negative(x);
        t_same_arrays(ga_argmin(x, GA_AXIS(1)), w, 0);
        if (nan) {      /* behind NaN alone, the lowest there is            */
            for (int64_t i = 0; i < (int64_t)ROWS * n; i++)
                v[i] = i % n < want[i / n] ? (double)NAN : -(double)INFINITY;
            x = ga_astype(ga_asarray_as(v, GA_FLOAT64, GA_SHAPE(ROWS, n)), t);
            t_same_arrays(ga_nanargmax(x, GA_AXIS(1)), w, 0);
            continue;
        }
        t_same_arrays(ga_nanargmin(x, GA_AXIS(1)), w, 0);
        t_same_arrays(ga_argmin(ga_repeat(x, 2, GA_AXIS(1)), GA_AXIS(1)),
                      ga_mul(w, 2), 0);
    }
    free(v);
}

/* Lines of all lengths about those of vectors, apart by what must not be read:
   extrema, places and counts of each and of all, with ties, NaN and lowest values. */
TEST(lines) {
    static const int lengths[] = {8, 15, 24, 33, 63, 65, 100, 130, 300, 1031, 5003};
    static const char *const names[] = {"max", "min", "argmax", "argmin", "ptp",
                                        "count_nonzero", "nanmax", "nanmin"};
    enum { ROWS = 12, MOST = 5003 };
    found f[ROWS];
    double *p = (double *)malloc(sizeof *p * ROWS * MOST);
    assert_true(p);
    for (size_t c = 0; c < GA_COMPLEX64 * T_COUNT(lengths) * 2; c++) {
        const ga_dtype t = (ga_dtype)(c / 2 / T_COUNT(lengths));
        const int n = lengths[c / 2 % T_COUNT(lengths)];
        const bool nan = c % 2;
        int64_t count;
        GA_SCOPE;
        if ((nan && !t_is_float(t)) || (t_quick() && c % 5)) continue;
        t_fill(p, t, ROWS * n, t_is_int(t) || t == GA_BOOL ? 0 : -3, 4);
        for (int i = 0; t_is_float(t) && i < ROWS * n; i++)
            t_store(p, t, i, floor(t_value(p, t, i, 0)) * (i % 2 ? -0.5 : 1), 0);
        for (int i = 0; nan && i < 6 * n; i++)
            if (i / n > 3 || i == i / n * (n + 1) || i % n > i / n * n / 3)
                t_store(p, t, i, i / n == 5 && i % n == n - 2 ? -(double)INFINITY : (double)NAN, 0);
        ga_array *z = ga_full(GA_SHAPE(ROWS, n + 3), t_is_float(t) ? (double)NAN : t ? 100 : 1, t);
        ga_array *y = ga_slice(z, ":, 1:%d", n + 1);
        assert_int_equal(ga_copyto(y, ga_asarray_as(p, t, GA_SHAPE(ROWS, n)), 1), GA_OK);
        for (int way = 0; way < 4; way++) {
            const ga_shape s = way == 2 ? GA_SHAPE(ROWS / 4, 4 * n) : GA_SHAPE(ROWS, n);
            const ga_axis a = way == 0 ? GA_AXIS(1) : way == 1 ? GA_ALL
                            : way == 2 ? GA_AXIS(1, 2) : GA_AXIS(1);
            ga_array *x = way == 2 ? ga_reshape(z, GA_SHAPE(ROWS / 4, 4, n + 3)) : y;
            if (way == 2) x = ga_slice(x, "..., 1:%d", n + 1);
            if (way == 3) x = ga_flip(ga_flip(y, GA_AXIS(0)), GA_AXIS(0));
            look(p, t, &s, way == 1 ? -1 : 1, f, &count);
            for (size_t k = 0; k < T_COUNT(names); k++) {
                const red *r = red_of(names[k]);
                if (!takes(r, t) || (is_index(r) && way == 2)) continue;
                t_context("lines of %d, way %d", n, way);
                compare(names[k], reduce(r, x, a, 0), t, f, count);
            }
            ga_array *hits = ga_count_nonzero(x, a);
            t_same_arrays(ga_any(x, a), ga_greater(hits, 0), 0);
            t_same_arrays(ga_all(x, a), ga_equal(hits, (double)(way == 1 ? ROWS * n : s.dim[1])), 0);
        }
    }
    free(p);
}
/* Elements apart, beside a copy of them side by side: every dtype, from even
   and odd places, lengths about those of whole vectors and of whole batches.  */
TEST(apart) {
    static const int lengths[] = {1, 2, 15, 16, 17, 33, 64, 129, 1030, 20011};
    static const char *const views[] = {":, ::2", ":, 1::2", ":, 2::3",
                                        ":, ::-2", "::2, ::2", "1::2, :-1"};
    for (int ti = 0; ti < GA_NUM_DTYPES; ti += t_quick() ? 3 : 1)
        for (size_t i = 0; i < T_COUNT(lengths); i++) {
            const ga_dtype t = (ga_dtype)ti;
            GA_SCOPE;
            const int rows = lengths[i] > 2000 ? 3 : 21;
            ga_array *x = t_random_array(t, GA_SHAPE(rows, 2 * lengths[i] + 1),
                                         t_is_int(t) ? 1 : 0.5,
                                         t_is_int(t) ? 100 : 1.5);
            for (size_t v = 0; v < T_COUNT(views); v++) {
                ga_array *y = ga_slice(x, "%s", views[v]), *c = ga_copy(y);
                for (size_t k = 0; k < T_COUNT(reds); k++) {
                    if (!takes(&reds[k], t)) continue;
                    if (!t_on_gpu() && (k + v + i) % 11) continue;
                    if (strstr(reds[k].name, "prod") && !t_is_int(t)) continue;
                    for (int axis = 0; axis < 3; axis++) {
                        GA_SCOPE;
                        const ga_axis a = axis == 2 ? GA_ALL : GA_AXIS(axis);
                        if (!y->size) continue;
                        t_context("%s %s of %d, %s, axis %d", reds[k].name,
                                  ga_dtype_name(t), lengths[i], views[v], axis);
                        ga_array *r = reduce(&reds[k], y, a, 0);
                        t_same_arrays(r, reduce(&reds[k], c, a, 0),
                                      r && (t_is_float(r->dtype)
                                            || t_is_complex(r->dtype)) ? 64 : 0);
                    }
                }
            }
        }
}
/* Halves as large as there are: what is added before it meets the accumulator has
   room for them, along rows and columns of any length, with NaN and without.    */
TEST(large_halves) {
    static const struct { ga_dtype t; double most; } halves[] = {
        {GA_FLOAT16, 65504}, {GA_BFLOAT16, 3.3895313892515355e38}};
    static const int lengths[] = {8, 24, 64, 200, 1000, 4096, 70000};
    for (size_t h = 0; h < 2 * T_COUNT(lengths); h++) {
        const int n = lengths[h / 2], rows = n > 4096 ? 3 : 50;
        const ga_dtype t = halves[h % 2].t;
        const double most = halves[h % 2].most;
        GA_SCOPE;
        t_context("%s, %d", ga_dtype_name(t), n);
        double *v = (double *)t_alloc((size_t)(n * rows) * sizeof *v);
        for (int i = 0; i < n * rows; i++) v[i] = i % n % 8 < 4 ? most : -most;
        ga_array *x = ga_astype(ga_asarray(v, GA_SHAPE(rows, n)), t);
        ga_array *y = ga_copy(ga_transpose(x, GA_ALL));
        ga_array *even = ga_slice(x, ":, ::2"), *all = ga_full(GA_SHAPE(rows, n), most, t);
        ga_array *zero = ga_zeros(GA_SHAPE(rows), t), *full = ga_full(GA_SHAPE(rows), most, t);
        t_same_arrays(ga_sum(x, GA_AXIS(1)), zero, 0);
        t_same_arrays(ga_sum(y, GA_AXIS(0)), zero, 0);
        t_same_arrays(ga_sum(even, GA_AXIS(1)), zero, 0);
        t_same_arrays(ga_nansum(y, GA_AXIS(0)), zero, 0);
        t_same_arrays(ga_mean(all, GA_AXIS(1)), full, 0);
        t_same_arrays(ga_mean(ga_transpose(all, GA_ALL), GA_AXIS(0)), full, 0);
        T_CHECK(ga_item(ga_sum(x, GA_ALL)) == 0);
        /* a NaN each, and one infinity                                       */
        ga_assign(ga_slice(y, "3"), NAN);
        ga_assign(ga_slice(y, "4"), NAN);
        t_same_arrays(ga_nansum(y, GA_AXIS(0)), zero, 0);
        t_same_arrays(ga_nansum(ga_copy(ga_transpose(y, GA_ALL)), GA_AXIS(1)), zero, 0);
        T_CHECK(isnan(ga_item(ga_slice(ga_sum(y, GA_AXIS(0)), "1"))));
        ga_assign(ga_slice(y, "5"), INFINITY);
        t_same_arrays(ga_nansum(y, GA_AXIS(0)), ga_full(GA_SHAPE(rows), INFINITY, t), 0);
    }
    t_context("%s", "");
}
/* Windows that slide by an element or two, beside a copy of them. */
TEST(windows) {
    static const int lengths[] = {1, 2, 7, 20, 300};
    for (int ti = 0; ti < GA_NUM_DTYPES; ti += t_quick() ? 3 : 1)
        for (size_t i = 0; i < T_COUNT(lengths); i += t_quick() ? 2 : 1) {
            const ga_dtype t = (ga_dtype)ti;
            GA_SCOPE;
            ga_array *x = t_random_array(t, GA_SHAPE(3, 1003), t_is_int(t) ? 1 : 0.5,
                                         t_is_int(t) ? 100 : 1.5);
            ga_array *w = ga_sliding_window_view(x, GA_SHAPE(lengths[i]), GA_AXIS(1));
            for (int step = 1; step < 3; step++) {
                ga_array *y = ga_slice(w, ":, ::%d", step), *c = ga_copy(y);
                for (size_t k = 0; k < T_COUNT(reds); k++) {
                    if (!takes(&reds[k], t)) continue;
                    if (!t_on_gpu() && (k + i) % 7) continue;
                    if (strstr(reds[k].name, "prod") && (!t_is_int(t) || lengths[i] > 20))
                        continue;
                    for (int axis = 0; axis < 3; axis++) {
                        GA_SCOPE;
                        t_context("%s %s of %d, every %d, axis %d", reds[k].name,
                                  ga_dtype_name(t), lengths[i], step, axis);
                        ga_array *r = reduce(&reds[k], y, GA_AXIS(axis), 0);
                        t_same_arrays(r, reduce(&reds[k], c, GA_AXIS(axis), 0),
                                      r && (t_is_float(r->dtype)
                                            || t_is_complex(r->dtype)) ? 64 : 0);
                    }
                }
                ga_array *m = ga_greater(y, 1);
                t_same_arrays(ga_count_nonzero(y, GA_AXIS_WHERE(m, 2)),
                              ga_count_nonzero(c, GA_AXIS_WHERE(m, 2)), 0);
            }
        }
}
/* Sums and means in another dtype, beside those of a cast copy. */
TEST(sums_as) {
    for (int f = 0; f < GA_NUM_DTYPES; f++)
        for (int t = 0; t < GA_NUM_DTYPES; t += t_quick() ? 2 : 1) {
            const ga_dtype from = (ga_dtype)f, to = (ga_dtype)t;
            if (t_is_complex(from) && !t_is_complex(to)) continue;
            GA_SCOPE;
            ga_array *x = t_random_array(from, GA_SHAPE(37, 129), 0, 100);
            ga_array *c = ga_astype(x, to);
            for (int axis = 0; axis < 3; axis++) {
                const ga_axis a = axis == 2 ? GA_ALL : GA_AXIS_KEEP(axis);
                t_context("%s as %s, axis %d", ga_dtype_name(from), ga_dtype_name(to), axis);
                ga_array *s = ga_sum_as(x, to, a), *m = ga_mean_as(x, to, a);
                const double ulps = t_is_float(to) || t_is_complex(to) ? 64 : 0;
                T_CHECK(s && s->dtype == to && m && m->dtype == to);
                t_same_arrays(s, ga_astype(ga_sum(c, a), to), ulps);
                if (ulps) t_same_arrays(m, ga_astype(ga_mean(c, a), to), ulps);
            }
        }
}
/* ----------------------------------------------------------- accuracy */
static double item_of(ga_array *x) { return ga_item(x); }
/* Many columns of few elements, some NaN, beside the same as rows. */
TEST(thin) {
    static const char *const views[] = {":, :", ":, 1:", ":3, ::2", "::-1, :",
                                        ":2, :"};
    static const int rows[] = {5, 38, 99};
    for (int ti = 0; ti < GA_NUM_DTYPES * 3; ti += t_quick() ? 4 : 1) {
        const ga_dtype t = (ga_dtype)(ti % GA_NUM_DTYPES);
        const int m = rows[ti / GA_NUM_DTYPES];
        GA_SCOPE;
        const int64_t n = !t_on_gpu() || t_quick() ? 2303
                          : m == 5 ? 600011 : 180000 * (t < GA_FLOAT64 && m == 38 ? 2 : 1);
        ga_array *x = t_random_array(t, GA_SHAPE(m, n), t_is_int(t) ? 1 : 0.5,
                                     t_is_int(t) ? 100 : 1.5);
        if (t_is_float(t) && m > 5) ga_assign(ga_slice(x, "2::5, ::7"), NAN);
        for (size_t v = 0; v < (m > 5 ? 2 : T_COUNT(views)); v++) {
            ga_array *y = ga_slice(x, "%s", views[v]);
            ga_array *c = ga_copy(ga_transpose(y, GA_ALL));
            for (size_t k = 0; k < T_COUNT(reds); k++) {
                GA_SCOPE;
                if (!takes(&reds[k], t) || (t_quick() && ((size_t)(ti / 4) + v + k) % 2)
                    || (m > 5 && strstr(reds[k].name, "prod") && !t_is_int(t))) continue;
                t_context("%s %s of %d rows, %s", reds[k].name, ga_dtype_name(t), m,
                          views[v]);
                ga_array *r = reduce(&reds[k], y, GA_AXIS(0), 0);
                t_same_arrays(r, reduce(&reds[k], c, GA_AXIS(1), 0),
                              r && (t_is_float(r->dtype)
                                    || t_is_complex(r->dtype)) ? 64 : 0);
            }
        }
    }
}
/* A few columns of many short blocks, and every second element of many short
   rows, beside the same as rows. */
TEST(few_columns) {
    static const struct { int n, columns; const char *view; } all[] = {
        {9, 3, "..."}, {9, 2, "1:, :, :"}, {43, 7, "..."}, {40, 3, ":, :-3, :"},
        {31, 5, ":-1, 2:, :"}, {250, 2, "..."}, {26, 2, ":, :, :1"}, {21, 4, ":, :, 1:2"},
        {632, 3, "..."}, {1400, 2, "1:, :, :"}, {250, 13, ":, :-3, :"}, {700, 5, "..."},
        {430, 7, "..."}};
    for (int ti = 0; ti < GA_NUM_DTYPES; ti += t_quick() ? 3 : 1)
        for (size_t v = 0; v < T_COUNT(all); v++) {
            const ga_dtype t = (ga_dtype)ti;
            const int n = all[v].n, columns = all[v].columns;
            GA_SCOPE;
            if (((t_on_gpu() ? v / 2 : v) + (size_t)ti) % (t_on_gpu() ? 2 : 3)) continue;
            const bool large = n * columns > 400;
            const int64_t rows = !t_on_gpu() ? large ? 30 : 210 : large ? 4620 : 42000;
            ga_array *x = t_random_array(t, GA_SHAPE(rows, n, columns), t_is_int(t) ? 1 : 0.5,
                                         t_is_int(t) ? 100 : 1.5);
            if (t_is_float(t)) ga_assign(ga_slice(x, "::7, 3, ::2"), NAN);
            ga_array *y = ga_slice(x, "%s", all[v].view);
            ga_array *c = ga_copy(ga_swapaxes(y, 1, 2));
            if (v % 2 == 0) {           /* blocks apart, too                */
                const int64_t apart = t_on_gpu() ? 60 : 3;
                y = ga_reshape(x, GA_SHAPE(apart, -1, n, columns));
                y = ga_slice(y, ":, :-%d", v % 4 ? 1 : 7);
                if (strchr(all[v].view, ',')) y = ga_slice(y, ":, %s", all[v].view);
                c = ga_copy(ga_swapaxes(y, 2, 3));
            }
            for (size_t k = 0; k < T_COUNT(reds); k++) {
                GA_SCOPE;
                if (!takes(&reds[k], t)) continue;
                if (strstr(reds[k].name, "prod") && !t_is_int(t)) continue;
                t_context("%s %s of %d x %d, %s", reds[k].name, ga_dtype_name(t), n, columns,
                          all[v].view);
                ga_array *r = reduce(&reds[k], y, GA_AXIS(-2), 0);
                t_same_arrays(r, reduce(&reds[k], c, GA_AXIS(-1), 0),
                              r && (t_is_float(r->dtype) || t_is_complex(r->dtype)) ? 64 : 0);
            }
        }
}
/* Columns that adjoin, of up to as many rows as a byte counts and more. */
TEST(columns) {
    static const int rows[] = {1, 2, 7, 40, 255, 257}, widths[] = {256, 330, 575};
    static const char *const names[] = {"max", "min", "ptp", "count_nonzero", "nanmax"};
    enum { MOST = 257 * 575 };
    static found f[575];
    double *p = (double *)malloc(sizeof *p * MOST);
    assert_true(p);
    for (size_t c = 0; c < GA_COMPLEX64 * T_COUNT(rows) * T_COUNT(widths); c++) {
        const ga_dtype t = (ga_dtype)(c / T_COUNT(rows) / T_COUNT(widths));
        const int n = rows[c / T_COUNT(widths) % T_COUNT(rows)], w = widths[c % T_COUNT(widths)];
        const ga_shape s = GA_SHAPE(n, w);
        int64_t count;
        GA_SCOPE;
        if (t_quick() && c % 5) continue;
        t_fill(p, t, n * w, t_is_int(t) || t == GA_BOOL ? 0 : -2, 2 + (c % 2) * 90);
        for (int i = 0; i < n * w; i++)
            t_store(p, t, i, i % w % 5 == 0 ? 0 : floor(t_value(p, t, i, 0)) + (i % w % 5 == 1), 0);
        ga_array *z = ga_full(GA_SHAPE(n, w + 3), t ? 100 : 1, t);
        ga_array *x = ga_slice(z, ":, 1:%d", w + 1);
        assert_int_equal(ga_copyto(x, ga_asarray_as(p, t, s), 1), GA_OK);
        look(p, t, &s, 0, f, &count);
        for (int way = 0; way < 2; way++) {
            t_context("%d rows of %d, way %d", n, w, way);
            ga_shape three = w % 5 ? GA_SHAPE(n, 2, w / 2) : GA_SHAPE(n, 5, w / 5);
            if (way && w % 2 && w % 5) continue;
            if (way) x = ga_transpose(ga_copy(ga_transpose(ga_reshape(x, three), GA_AXIS(0, 2, 1))),
                                      GA_AXIS(0, 2, 1));
            for (size_t k = 0; k < T_COUNT(names); k++)
                if (takes(red_of(names[k]), t))
                    compare(names[k], reduce(red_of(names[k]), x, GA_AXIS(0), 0), t, f, count);
            ga_array *hits = ga_count_nonzero(x, GA_AXIS(0));
            t_same_arrays(ga_any(x, GA_AXIS(0)), ga_greater(hits, 0), 0);
            t_same_arrays(ga_all(x, GA_AXIS(0)), ga_equal(hits, (double)n), 0);
        }
    }
    free(p);
}
/* A number of which one part is NaN is none. */
TEST(complex_nans) {
    static const int rows[] = {1, 2, 5, 9, 70};
    for (size_t c = 0; c < 2 * T_COUNT(rows); c++) {
        const ga_dtype t = c % 2 ? GA_COMPLEX64 : GA_COMPLEX128;
        const int n = rows[c / 2];
        GA_SCOPE;
        ga_array *x = t_random_array(t, GA_SHAPE(n, 13, 23), -4, 4);
        ga_copyto(ga_slice(ga_imag(x), ":, ::3, 1"), (double)NAN, 1);
        ga_copyto(ga_slice(ga_real(x), "::2, :, 2"), (double)NAN, 1);
        ga_copyto(ga_slice(x, ":, 5:7"), (double)NAN, 1);
        ga_array *plain = ga_where(ga_isnan(x), 0, x);
        for (int way = 0; way < 3; way++) {
            t_context("%s, %d rows, way %d", ga_dtype_name(t), n, way);
            ga_array *y = way == 1 ? ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL)
                        : way == 2 ? ga_slice(ga_repeat(x, 2, GA_AXIS(2)), "..., 1::2") : x;
            ga_array *sum = ga_sum(plain, GA_AXIS(0));
            t_same_arrays(ga_nansum(y, GA_AXIS(0)), sum, 4);
            ga_array *all = ga_astype(ga_sum(ga_logical_not(ga_isnan(x)), GA_AXIS(0)), t);
            ga_array *mean = ga_nanmean(y, GA_AXIS(0));
            t_same_arrays(ga_where(ga_equal(all, 0), 0, mean),
                          ga_where(ga_equal(all, 0), 0, ga_divide(sum, all)), 4);
        }
    }
}
/* Variances of few rows far from 0, of NaN and infinities; sums of narrow integers. */
TEST(few_rows) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_BOOL, GA_INT8, GA_UINT16, GA_INT32};
    static const int rows[] = {2, 3, 4, 5, 8, 9, 16, 17};
    enum { A = 37, B = 29, N = A * B };
    double p[17 * N];
    found f[N];
    for (size_t c = 0; c < T_COUNT(types) * T_COUNT(rows); c++) {
        const ga_dtype t = types[c / T_COUNT(rows)];
        const int n = rows[c % T_COUNT(rows)];
        const ga_shape s = GA_SHAPE(n, A, B);
        int64_t count;
        GA_SCOPE;
        t_fill(p, t, n * N, t_is_float(t) ? 1000 : 0, t_is_float(t) ? 1001 : 100);
        for (int i = 0; t_is_float(t) && i < 5; i++) {
            t_store(p, t, i * 7 + (i % n) * N, i % 2 ? (double)NAN : (double)INFINITY, 0);
            t_store(p, t, 41 * N % n * N + 100 + i, i % 2 ? 0 : -(double)INFINITY, 0);
        }
        look(p, t, &s, 0, f, &count);
        ga_array *x = ga_asarray_as(p, t, s);
        for (int way = 0; way < 3; way++) {
            t_context("%d rows%s", n, way == 2 ? ", apart" : way ? ", turned" : "");
            if (way == 1)
                x = ga_transpose(ga_copy(ga_transpose(x, GA_AXIS(0, 2, 1))), GA_AXIS(0, 2, 1));
            if (way == 2) {
                ga_array *y = ga_slice(ga_ones(GA_SHAPE(n, A, B + 4), t), "..., 1:%d", B + 1);
                assert_int_equal(ga_copyto(y, x, 1), GA_OK);
                x = y;
            }
            compare("sum", ga_sum(x, GA_AXIS(0)), t, f, count);
            compare("max", ga_max(x, GA_AXIS(0)), t, f, count);
            compare("min", ga_min(x, GA_AXIS(0)), t, f, count);
            if (!t_is_float(t))
                t_same_arrays(ga_all(x, GA_AXIS(0)), ga_not_equal(ga_min(x, GA_AXIS(0)), 0), 0);
            if (t == GA_BOOL) continue;
            ga_array *v = ga_var(x, GA_AXIS(0), 0);
            compare("var", v, t, f, count);
            t_same_arrays(ga_std(x, GA_AXIS(0), 0), ga_sqrt(v), 1);
            t_same_arrays(ga_var(x, GA_AXIS(0), 1), ga_mul(v, n / (n - 1.)), 4);
            t_same_arrays(ga_var(x, GA_AXIS(0), n), ga_divide(v, 0), 0);
        }
    }
}
/* Rows in a middle axis, that are no whole steps of a loop, beside the same at the
   end of each.                                                              */
TEST(rows_between) {
    static const ga_dtype types[] = {GA_INT8, GA_UINT16, GA_INT64, GA_FLOAT32, GA_FLOAT64};
    static const int rows[] = {2, 8, 9, 16, 17}, columns[] = {63, 235, 900};
    for (size_t c = 0; c < T_COUNT(types) * T_COUNT(rows) * T_COUNT(columns); c++) {
        GA_SCOPE;
        const ga_dtype t = types[c % T_COUNT(types)];
        const int n = rows[c / T_COUNT(types) % T_COUNT(rows)];
        const int m = columns[c / T_COUNT(types) / T_COUNT(rows)];
        ga_array *x = t_random_array(t, GA_SHAPE(11, n, m), 0, t_is_int(t) ? 100 : 1);
        ga_array *y = ga_copy(ga_transpose(x, GA_AXIS(0, 2, 1)));
        t_context("%s, %d rows of %d", ga_dtype_name(t), n, m);
        t_same_arrays(ga_max(x, GA_AXIS(1)), ga_max(y, GA_AXIS(2)), 0);
        t_same_arrays(ga_ptp(x, GA_AXIS(1)), ga_ptp(y, GA_AXIS(2)), 0);
        if (t_is_int(t)) t_same_arrays(ga_sum(x, GA_AXIS(1)), ga_sum(y, GA_AXIS(2)), 0);
    }
    t_context("%s", "");
}
/* Along an axis of length 1, beside twice the element, or it and what changes
   nothing, which sums of powers do not have in every dtype.                 */
TEST(of_one) {
    static const double special[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -0.0, 0};
    static const char *const views[] = {":", ":, :, ::2", "::-1", ":, :, 1:"};
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++)
        for (size_t v = 0; v < T_COUNT(views); v++) {
            const ga_dtype t = (ga_dtype)ti;
            GA_SCOPE;
            ga_array *x = t_random_array(t, GA_SHAPE(37, 1, 62), t_is_int(t) ? 0 : -4, 4);
            if (t >= GA_FLOAT16)
                ga_copyto(ga_slice(x, ":5, 0, 1"),
                          ga_astype(ga_asarray_as(special, GA_FLOAT64, GA_SHAPE(5)), t), 1);
            x = ga_slice(x, "%s", views[v]);
            if (v == 3) x = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
            for (size_t k = 0; k < T_COUNT(reds); k++) {
                GA_SCOPE;
                const char *name = reds[k].name;
                if (!takes(&reds[k], t) || strstr(name, "exp")) continue;
                t_context("%s %s of %s", name, ga_dtype_name(t), views[v]);
                const ga_array *two[2] = {x, x};
                if (strstr(name, "prod")) two[1] = ga_ones_like(x);
                else if (strstr(name, "sum") || strstr(name, "count"))
                    two[1] = ga_zeros_like(x);
                ga_array *r = reduce(&reds[k], x, GA_AXIS(1), 0);
                t_same_arrays(r, reduce(&reds[k], (ga_concatenate)(1, 2, two), GA_AXIS(1), 0), 0);
                t_same_arrays(reduce(&reds[k], x, GA_AXIS_KEEP(1), 0),
                              ga_expand_dims(r, GA_AXIS(1)), 0);
                if (!reds[k].m) continue;
                ga_array *half = reds[k].m(x, GA_AXIS(1), 0.5);     /* nothing over 0.5 */
                t_same_arrays(half, r, 0);
                half = reds[k].m(x, GA_AXIS(1), 1);                 /* and over nothing */
                T_CHECK(ga_item_i64(ga_all(ga_isnan(half), GA_ALL)));
            }
        }
}
/* On a CPU of any kind the norm of few rows is that of squares added in order. */
TEST(norms_in_order) {
    enum { ROWS = 31, N = 312 };
    if (t_on_gpu()) return;
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(ROWS, N), -4, 4);
    const double *v = (const double *)x->data;
    for (int rows = 2; rows <= ROWS; rows++) {
        double want[N];
        for (int j = 0; j < N; j++) {
            volatile double sum = 0, square;    /* no fma                    */
            for (int r = 0; r < rows; r++) {
                square = v[r * N + j] * v[r * N + j];
                sum += square;
            }
            want[j] = sqrt(sum);
        }
        t_context("%d rows", rows);
        t_same(ga_norm(ga_slice(x, ":%d", rows), 2, GA_AXIS(0)), GA_FLOAT64, GA_SHAPE(N), want);
    }
}
/* Rows that start anywhere, a little apart, short runs of several axes, columns
   between others: beside a copy whose reduced axes stand last.              */
TEST(anywhere) {
    static const struct { ga_shape s; const char *view; ga_axis axes, order; } cases[] = {
        {{2, {1003, 519}}, ":, 1:", {1, false, {0}}, {2, false, {1, 0}}},
        {{2, {1003, 519}}, ":, 1:", {1, false, {1}}, {2, false, {0, 1}}},
        {{2, {40007, 67}}, ":, :66", {1, false, {1}}, {2, false, {0, 1}}},
        {{2, {40007, 51}}, ":, 1::3", {1, false, {1}}, {2, false, {0, 1}}},
        {{2, {35003, 49}}, ":, :-1:2", {1, false, {1}}, {2, false, {0, 1}}},
        {{3, {37, 519, 66}}, ":, 1:, 1:", {1, false, {0}}, {3, false, {1, 2, 0}}},
        {{3, {23, 607, 11}}, ":", {2, false, {0, 2}}, {3, false, {1, 0, 2}}},
        {{3, {91, 26, 64}}, ":, :, :48", {2, false, {0, 1}}, {3, false, {2, 0, 1}}},
        {{3, {9001, 6, 2}}, ":, :3", {3, false, {0, 1, 2}}, {3, false, {0, 1, 2}}},
        {{3, {1219, 64, 2}}, ":, 3:", {2, false, {0, 2}}, {3, false, {1, 0, 2}}},
        {{4, {19, 5, 33, 7}}, ":, 1:, :, 1:", {2, false, {0, 2}}, {4, false, {1, 3, 0, 2}}},
        {{3, {17, 3, 70001}}, ":, :, 1:", {1, false, {1}}, {3, false, {0, 2, 1}}},
        {{3, {29, 1, 20003}}, ":", {1, false, {0}}, {3, false, {1, 2, 0}}},
        {{3, {1, 1303, 301}}, ":", {1, false, {0}}, {3, false, {1, 2, 0}}},
        {{3, {94, 93, 11}}, ":", {1, false, {1}}, {3, false, {0, 2, 1}}},
        {{3, {127, 9, 3}}, ":, ::3", {1, false, {0}}, {3, false, {1, 2, 0}}},
        {{3, {31, 4, 128}}, ":, ::-1, ::2", {1, false, {1}}, {3, false, {0, 2, 1}}},
        {{2, {3001, 4}}, ":, :2", {1, false, {0}}, {2, false, {1, 0}}},
        {{2, {3001, 7}}, ":, 1:6", {2, false, {0, 1}}, {2, false, {0, 1}}},
        {{2, {2001, 40}}, ":, ::2", {2, false, {0, 1}}, {2, false, {0, 1}}},
        {{3, {3, 601, 9}}, ":, ::2, :4", {2, false, {1, 2}}, {3, false, {0, 1, 2}}},
        {{2, {3001, 8}}, "::-1, 1:4", {1, false, {0}}, {2, false, {1, 0}}},
        {{2, {1003, 24}}, ":, 1::3", {1, false, {0}}, {2, false, {1, 0}}},
        {{2, {1003, 64}}, ":, ::2", {1, false, {0}}, {2, false, {1, 0}}},
        {{3, {7, 803, 5}}, ":, :, :4", {1, false, {1}}, {3, false, {0, 2, 1}}},
    };
    for (int ti = 0; ti < GA_NUM_DTYPES; ti += t_quick() ? 3 : 1)
        for (size_t i = 0; i < T_COUNT(cases); i++) {
            const ga_dtype t = (ga_dtype)ti;
            GA_SCOPE;
            ga_shape s = cases[i].s;
            for (int d = 0; !t_on_gpu() && d < 8 * s.ndim; d++)
                if (t_size(s) > 100000 && s.dim[d % s.ndim] > 128)
                    s.dim[d % s.ndim] /= 2;
            ga_array *x = t_random_array(t, s, t_is_int(t) ? 1 : 0.5,
                                         t_is_int(t) ? 100 : 1.5);
            ga_array *y = ga_slice(x, "%s", cases[i].view);
            ga_array *c = ga_copy(ga_transpose(y, cases[i].order));
            ga_axis last = {cases[i].axes.n, false, {-1, -2, -3}};
            for (size_t k = 0; k < T_COUNT(reds); k++) {
                if (!takes(&reds[k], t)) continue;
                if (!t_on_gpu() && (k + i + (size_t)ti) % 9) continue;
                if (is_index(&reds[k]) && last.n > 1) continue;
                if (strstr(reds[k].name, "prod") && !t_is_int(t)) continue;
                GA_SCOPE;
                t_context("%s %s of case %zu", reds[k].name, ga_dtype_name(t), i);
                ga_array *r = reduce(&reds[k], y, cases[i].axes, 0);
                const double ulps = r && (t_is_float(r->dtype)
                                          || t_is_complex(r->dtype)) ? 64 : 0;
                t_same_arrays(r, reduce(&reds[k], c, last, 0), ulps);
                if (t_on_gpu()) continue;
                ga_array *f = ga_transpose(ga_copy(ga_transpose(y, GA_ALL)), GA_ALL);
                t_same_arrays(reduce(&reds[k], f, cases[i].axes, 0), r, ulps);
            }
        }
}
/* Results in another order than the elements, of parts, of short runs.       */
TEST(turned) {
    static const struct { ga_shape s; ga_axis axes; } cases[] = {
        {{3, {6, 33, 2901}}, {1, false, {2}}}, {{3, {5, 7, 41}}, {1, false, {2}}},
        {{3, {2, 3, 1103}}, {1, false, {0}}},
        {{4, {3, 90, 4, 5}}, {2, false, {2, 3}}}, {{3, {300, 41, 3}}, {1, false, {2}}},
    };
    static const ga_dtype types[] = {GA_UINT8, GA_INT32, GA_INT64, GA_FLOAT16, GA_FLOAT64,
                                     GA_COMPLEX64};
    for (size_t i = 0; i < T_COUNT(cases) * T_COUNT(types); i++) {
        const ga_dtype t = types[i % T_COUNT(types)];
        const ga_axis a = cases[i / T_COUNT(types)].axes;
        GA_SCOPE;
        ga_array *x = t_random_array(t, cases[i / T_COUNT(types)].s, 1, 9);
        ga_array *f = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
        ga_array *v = ga_slice(ga_transpose(ga_repeat(ga_transpose(f, GA_ALL), 2, GA_AXIS(0)),
                                            GA_ALL), "..., ::2");
        for (size_t k = 0; k < T_COUNT(reds); k++) {
            GA_SCOPE;
            if (!takes(&reds[k], t) || (is_index(&reds[k]) && a.n > 1)) continue;
            if (strstr(reds[k].name, "prod") && !t_is_int(t)) continue;
            if (t_quick() && (i + k) % 4) continue;
            t_context("%s %s of case %zu", reds[k].name, ga_dtype_name(t), i);
            ga_array *r = reduce(&reds[k], x, a, 0);
            const double ulps = r && (t_is_float(r->dtype)
                                      || t_is_complex(r->dtype)) ? 64 : 0;
            t_same_arrays(reduce(&reds[k], f, a, 0), r, ulps);
            t_same_arrays(reduce(&reds[k], v, a, 0), r, ulps);
        }
    }
}
TEST(accuracy) {
    GA_SCOPE;
    int64_t n = t_quick() ? 10000 : 1000000;
    float *f = (float *)t_alloc((size_t)n * sizeof *f);
    long double exact = 0;
    for (int64_t i = 0; i < n; i++) {
        f[i] = (float)t_uniform(0, 1);
        exact += (long double)f[i];
    }
    ga_array *x = ga_asarray(f, GA_SHAPE(n));
    t_context("sum of %lld float32", (long long)n);
    T_CHECK(item_of(ga_sum(x, GA_ALL)) == (double)(float)exact);
    T_CHECK(item_of(ga_mean(x, GA_ALL))
            == (double)(float)(exact / (long double)n));
    ga_array *tenth = ga_full(GA_SHAPE(10000000 / (t_quick() ? 100 : 1)), 0.1,
                              GA_FLOAT32);
    T_CHECK(item_of(ga_sum(tenth, GA_ALL))
            == (double)(float)((double)0.1f * (double)tenth->size));

    t_context("cancelling");
    double c[] = {1e16, 1, -1e16};
    T_CHECK(item_of(ga_sum(ga_asarray(c, GA_SHAPE(3)), GA_ALL)) == 1);
    double many[3000];
    for (int i = 0; i < 3000; i++) many[i] = c[i % 3];
    T_CHECK(item_of(ga_sum(ga_asarray(many, GA_SHAPE(3000)), GA_ALL)) == 1000);
    double col[] = {1e16, 3, 1, 2, -1e16, -3}, one_two[] = {1, 2};
    t_same(ga_sum(ga_asarray(col, GA_SHAPE(3, 2)), GA_AXIS(0)), GA_FLOAT64,
           GA_SHAPE(2), one_two);
    float c32[] = {1e8f, 1, -1e8f};
    T_CHECK(item_of(ga_sum(ga_asarray(c32, GA_SHAPE(3)), GA_ALL)) == 1);
    double z[] = {1e16, -1e16, 1, 1, -1e16, 1e16};
    ga_complex128 s = ga_item_c128(ga_sum(ga_asarray_as(z, GA_COMPLEX128,
                                                        GA_SHAPE(3)), GA_ALL));
    ga_complex128 one = t_c128(1, 1);
    T_CHECK(memcmp(&s, &one, sizeof s) == 0);
    /* the first and the last of many blocks */
    double *d = (double *)t_alloc((size_t)n * sizeof *d);
    for (int64_t i = 0; i < n; i++) d[i] = 1;
    d[0] = 1e18;
    d[n - 1] = -1e18;
    T_CHECK(item_of(ga_sum(ga_asarray(d, GA_SHAPE(n)), GA_ALL))
            == (double)(n - 2));

    t_context("variance beside a large mean");
    long double mean = 0, sq = 0;
    for (int64_t i = 0; i < n; i++) {
        d[i] = 1e9 + t_uniform(-1, 1);
        mean += d[i];
    }
    mean /= n;
    for (int64_t i = 0; i < n; i++) sq += (d[i] - mean) * (d[i] - mean);
    double v = item_of(ga_var(ga_asarray(d, GA_SHAPE(n)), GA_ALL, 0));
    double want = (double)(sq / n);
    T_CHECKF(fabs(v - want) <= 1e-9 * want, "%.17g, expected %.17g", v, want);
    for (int64_t i = 0; i < n; i++) f[i] = 1e5f + (float)(i % 7);
    v = item_of(ga_std(ga_asarray(f, GA_SHAPE(n / 7 * 7)), GA_ALL, 0));
    T_CHECKF(v == 2, "standard deviation %.17g of 0 to 6 + 1e5", v);
    double equal[] = {0.1, 0.1, 0.1};
    T_CHECK(item_of(ga_var(ga_asarray(equal, GA_SHAPE(3)), GA_ALL, 0)) == 0);
    t_context("variances beyond the range are infinite");
    double wide[40 * 12];
    for (int i = 0; i < 40 * 12; i++)
        wide[i] = i % 5 ? t_uniform(-2, 2) : i % 2 ? -1e300 : 1e300;
    ga_array *w = ga_asarray(wide, GA_SHAPE(40, 12));
    T_CHECK(ga_item_i64(ga_all(ga_isposinf(ga_var(w, GA_AXIS(0), 0)), GA_ALL)));
    T_CHECK(ga_item_i64(ga_all(ga_isposinf(ga_std(w, GA_AXIS(1), 1)), GA_ALL)));
    T_CHECK(isinf(item_of(ga_nanvar(w, GA_ALL, 0))));
    T_CHECK(isinf(item_of(ga_var(ga_astype(w, GA_COMPLEX128), GA_ALL, 0))));

    t_context("integers wrap at 64 bits only");
    int64_t big[] = {INT64_MAX, 1, INT64_MIN, 5};
    T_CHECK(ga_item_i64(ga_sum(ga_asarray(big, GA_SHAPE(4)), GA_ALL)) == 5);
    uint8_t *bytes = (uint8_t *)t_alloc((size_t)n);
    memset(bytes, 255, (size_t)n);
    T_CHECK(ga_item_i64(ga_sum(ga_asarray(bytes, GA_SHAPE(n)), GA_ALL))
            == 255 * n);
    bool *flags = (bool *)t_alloc((size_t)n);
    memset(flags, 1, (size_t)n);
    T_CHECK(ga_item_i64(ga_sum(ga_asarray(flags, GA_SHAPE(n)), GA_ALL)) == n);
    t_context("float16 beyond its range inside");
    ga_array *h = ga_full(GA_SHAPE(1000), 60000, GA_FLOAT16);
    T_CHECK(item_of(ga_mean(h, GA_ALL)) == 60000);
    T_CHECK(isinf(item_of(ga_sum(h, GA_ALL))));
}

/* ------------------------------------------------------- empty and none */
/* Means of integers are the exact sum, divided once. */
TEST(means_of_integers) {
    static const int64_t length[] = {2, 7, 31, 64, 300, 3001, 40000};
    static const ga_dtype type[] = {GA_INT64, GA_UINT64, GA_INT32, GA_UINT8};
    for (size_t k = 0; k < T_COUNT(length); k++)
        for (size_t t = 0; t < T_COUNT(type); t++) {
            GA_SCOPE;
            double most = type[t] == GA_UINT8 ? 255 : 1e9;
            ga_array *x = t_random_array(type[t], GA_SHAPE(9, length[k]), -most,
                                         most);
            ga_array *want = ga_div(ga_sum(x, GA_AXIS(1)), (double)length[k]);
            t_context("%s, rows of %d", ga_dtype_name(type[t]), (int)length[k]);
            t_same_arrays(ga_mean(x, GA_AXIS(1)), want, 0);
            t_same_arrays(ga_nanmean(x, GA_AXIS(1)), want, 0);
            ga_array *xt = ga_copy(ga_transpose(x, GA_ALL));
            t_same_arrays(ga_mean(xt, GA_AXIS(0)), want, 0);
            t_release_host();
        }
    if (ga_device() != GA_CPU) return;
    /* there nothing is lost beside what is larger                           */
    GA_SCOPE;
    static const int64_t v[4] = {INT64_MAX, 3, -INT64_MAX, 1};
    static const uint64_t u[2] = {UINT64_MAX, 1};
    T_CHECK(item_of(ga_mean(ga_asarray_as(v, GA_INT64, GA_SHAPE(4)), GA_ALL))
            == 1);
    T_CHECK(item_of(ga_mean(ga_asarray_as(u, GA_UINT64, GA_SHAPE(2)), GA_ALL))
            == 0x1p63);
}
TEST(empty) {
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++) {
        GA_SCOPE;
        ga_dtype t = (ga_dtype)ti;
        ga_array *e = ga_zeros(GA_SHAPE(0), t);
        ga_array *e2 = ga_zeros(GA_SHAPE(0, 3), t);
        for (size_t k = 0; k < T_COUNT(reds); k++) {
            const red *r = &reds[k];
            if (!takes(r, t)) continue;
            t_context("%s of no %s", r->name, ga_dtype_name(t));
            bool none = isnan(r->start);
            ga_dtype rt = result_of(r, t);
            ga_array *y = reduce(r, e, GA_ALL, 0);
            ga_array *y0 = none ? NULL : reduce(r, e2, GA_AXIS(0), 0);
            if (none) {
                T_CHECK(!y);
                T_ERROR(GA_ERR_EMPTY);
                T_CHECK(!reduce(r, e2, GA_AXIS(0), 0));
                T_ERROR(GA_ERR_EMPTY);
            } else {
                double want = !strcmp(r->finish, "MEAN") || r->m
                    ? (double)NAN : r->start;
                t_is(y, rt, GA_SCALAR_SHAPE);
                t_is(y0, rt, GA_SHAPE(3));
                double got = t_value(t_host(y), rt, 0, 0);
                T_CHECKF(isnan(want) ? isnan(got) : got == want,
                         "%g, expected %g", got, want);
                got = t_value(t_host(y0), rt, 2, 0);
                T_CHECKF(isnan(want) ? isnan(got) : got == want,
                         "%g, expected %g", got, want);
                t_is(reduce(r, e2, GA_ALL_KEEP, 0), rt, GA_SHAPE(1, 1));
            }
            if (r->m) {             /* a divisor is left: a sum of nothing  */
                T_CHECK(t_value(t_host(reduce(r, e, GA_ALL, -1)), rt, 0, 0) == 0);
                T_CHECK(t_value(t_host(reduce(r, e2, GA_AXIS(0), -2)), rt, 2, 0)
                        == 0);
            }
            /* no result wanted: nothing to complain of */
            t_is(reduce(r, e2, GA_AXIS(1), 0), rt, GA_SHAPE(0));
            T_FINE();
        }
    }
    GA_SCOPE;
    t_context("long axes beside a 0");
    const int64_t huge = INT64_C(1) << 30;
    ga_array *none = ga_zeros(GA_SHAPE(huge, huge, 0), GA_FLOAT32);
    t_is(ga_max(none, GA_AXIS(0, 1)), GA_FLOAT32, GA_SHAPE(0));
    T_CHECK(ga_item(ga_sum(none, GA_ALL)) == 0);
}
TEST(rank_0_and_1) {
    GA_SCOPE;
    ga_array *x = ga_full(GA_SCALAR_SHAPE, 3.5, GA_FLOAT64);
    for (size_t k = 0; k < T_COUNT(reds); k++) {
        const red *r = &reds[k];
        t_context("%s of one number", r->name);
        ga_array *y = reduce(r, x, GA_ALL, 0);
        double want = r->m || is_index(r) || !strcmp(r->name, "ptp") ? 0
                      : !strcmp(r->result, "BOOL")
                        || !strcmp(r->result, "COUNT") ? 1 : 3.5;
        T_CHECK(y && y->ndim == 0 && ga_item(y) == want);
        if (r->m) T_CHECK(isnan(ga_item(r->m(x, GA_ALL, 1))));
    }
    t_context("axis of length 1");
    ga_array *a = ga_reshape(ga_arange(0, 6, 1), GA_SHAPE(2, 1, 3));
    t_same_arrays(ga_sum(a, GA_AXIS(1)), ga_squeeze(a, GA_AXIS(1)), 0);
    t_same_arrays(ga_max(a, GA_AXIS_KEEP(1)), a, 0);
    t_same_arrays(ga_argmin(a, GA_AXIS(1)), ga_zeros(GA_SHAPE(2, 3), GA_INT64),
                  0);
    t_context("broadcast input");
    ga_array *b = ga_broadcast_to(ga_arange(0, 4, 1), GA_SHAPE(1000, 4));
    int64_t sums[] = {0, 1000, 2000, 3000};
    t_same(ga_sum(b, GA_AXIS(0)), GA_INT64, GA_SHAPE(4), sums);
    T_CHECK(ga_item_i64(ga_sum(b, GA_ALL)) == 6000);
    T_CHECK(ga_item_i64(ga_argmax(b, GA_ALL)) == 3);
}
TEST(rank_8) {
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange(0, 2 * 3 * 2 * 2 * 3 * 2 * 2 * 2, 1),
                             GA_SHAPE(2, 3, 2, 2, 3, 2, 2, 2));
    ga_array *t = ga_transpose(x, GA_AXIS(3, 1, 7, 0, 5, 2, 6, 4));
    ga_array *want = ga_sum(ga_copy(t), GA_AXIS(1, 4, 6));
    t_same_arrays(ga_sum(t, GA_AXIS(1, 4, 6)), want, 0);
    t_same_arrays(ga_sum(ga_sum(ga_sum(t, GA_AXIS(6)), GA_AXIS(4)),
                         GA_AXIS(1)), want, 0);
    t_same_arrays(ga_max(t, GA_AXIS(0, 2, 4, 6)),
                  ga_max(ga_copy(t), GA_AXIS(6, 4, 2, 0)), 0);
    t_same_arrays(ga_argmax(t, GA_ALL), ga_argmax(ga_copy(t), GA_ALL), 0);
    t_same_arrays(ga_argmin(ga_flip(t, GA_ALL), GA_AXIS(5)),
                  ga_argmin(ga_copy(ga_flip(t, GA_ALL)), GA_AXIS(5)), 0);
}

/* ---------------------------------------------------------- _into forms */
TEST(into) {
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++)
        for (size_t k = 0; k < T_COUNT(reds); k++) {
            GA_SCOPE;
            const red *r = &reds[k];
            ga_dtype t = (ga_dtype)ti, rt = result_of(r, t);
            if (!takes(r, t)) continue;
            const g_record *g = g_find("%s/plain", ga_dtype_name(t));
            ga_array *x = ga_asarray_as(g->data, t, g->shape);
            t_context("%s_into %s", r->name, ga_dtype_name(t));
            ga_array *want = reduce(r, x, GA_AXIS(1), 0);
            ga_array *out = ga_ones(GA_SHAPE(3, 5), rt);
            T_CHECK(reduce_into(r, out, x, GA_AXIS(1), 0) == GA_OK);
            t_same_arrays(out, want, 0);
            out = ga_ones(GA_SHAPE(3, 1, 5), rt);
            T_CHECK(reduce_into(r, out, x, GA_AXIS_KEEP(1), 0) == GA_OK);
            t_same_arrays(ga_squeeze(out, GA_ALL), want, 0);
            /* strided, reversed */
            ga_array *big = ga_zeros(GA_SHAPE(5, 6), rt);
            ga_array *v = ga_transpose(ga_slice(big, "::-1, ::2"), GA_ALL);
            T_CHECK(reduce_into(r, v, x, GA_AXIS(1), 0) == GA_OK);
            t_same_arrays(v, want, 0);
            T_CHECK(ga_item_i64(ga_any(ga_slice(big, ":, 1::2"), GA_ALL))
                    == 0);
            /* other dtypes; a wrong shape; a row of its own input */
            for (int u = 0; u < GA_NUM_DTYPES; u++) {
                ga_array *o = ga_ones(GA_SHAPE(3, 5), (ga_dtype)u);
                void *before = t_host(o);
                ga_status s = reduce_into(r, o, x, GA_AXIS(1), 0);
                if (ga_can_cast(rt, (ga_dtype)u)) {
                    T_CHECK(s == GA_OK);
                    t_same_arrays(o, ga_astype(want, (ga_dtype)u), 0);
                } else {
                    T_CHECK(s == GA_ERR_DTYPE);
                    T_ERROR(GA_ERR_DTYPE);
                    t_same(o, (ga_dtype)u, GA_SHAPE(3, 5), before);
                }
            }
            ga_array *wrong = ga_ones(GA_SHAPE(3, 4), rt);
            T_CHECK(reduce_into(r, wrong, x, GA_AXIS(1), 0) == GA_ERR_SHAPE);
            T_ERROR(GA_ERR_SHAPE);
            wrong = ga_broadcast_to(ga_ones(GA_SHAPE(5), rt), GA_SHAPE(3, 5));
            T_CHECK(reduce_into(r, wrong, x, GA_AXIS(1), 0)
                    == GA_ERR_READONLY);
            T_ERROR(GA_ERR_READONLY);
            if (ga_can_cast(rt, t)) {
                ga_array *c = ga_copy(x);
                T_CHECK(reduce_into(r, ga_slice(c, ":, 2"), c, GA_AXIS(1), 0)
                        == GA_OK);
                t_same_arrays(ga_slice(c, ":, 2"), ga_astype(want, t), 0);
            }
            t_release_host();
        }
}

/* ------------------------------------------------------------- errors */
TEST(errors) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(2, 3), GA_FLOAT32);
    T_CHECK(!ga_sum(x, GA_AXIS(2)));
    T_CHECK(strstr(ga_error_message(), "ga_sum") != NULL);
    T_ERROR(GA_ERR_AXIS);
    T_CHECK(!ga_sum(x, GA_AXIS(-3)));
    T_ERROR(GA_ERR_AXIS);
    T_CHECK(!ga_max(x, GA_AXIS(0, -2)));
    T_ERROR(GA_ERR_AXIS);
    T_CHECK(!ga_argmax(x, GA_AXIS(0, 1)));
    T_ERROR(GA_ERR_AXIS);
    T_CHECK(!ga_mean(x, GA_AXIS(0, 1, 0, 1, 0, 1, 0, 1, 0)));
    T_ERROR(GA_ERR_AXIS);
    T_CHECK(!ga_sum(NULL, GA_ALL));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_sum_into(NULL, x, GA_ALL) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_sum(ga_full(GA_SCALAR_SHAPE, 1, GA_INT8), GA_AXIS(0)));
    T_ERROR(GA_ERR_AXIS);
    /* ddof leaves nothing, or less */
    ga_array *ones = ga_ones(GA_SHAPE(2), GA_FLOAT64);
    T_CHECK(isnan(ga_item(ga_var(ones, GA_ALL, 2))));
    T_CHECK(isnan(ga_item(ga_std(ones, GA_ALL, 2))));
    double v[] = {1, 3};
    ga_array *y = ga_var(ga_asarray(v, GA_SHAPE(2)), GA_ALL, 2);
    T_CHECK(!isfinite(ga_item(y)));
}

#define LIST_RED(n, ...) T(golden_##n),
int main(void) {
    const struct CMUnitTest tests[] = {
        GA_REDUCTIONS(LIST_RED)
        GA_REDUCTIONS_DDOF(LIST_RED)
        T(large_float32), T(large_float64), T(large_int32), T(large_int8),
        T(large_uint64), T(large_bool), T(late_bools), T(ties_and_nan_float32),
        T(ties_and_nan_float64), T(ties_and_nan_float16),
        T(ties_and_nan_bfloat16), T(places), T(lines), T(apart), T(large_halves), T(thin),
        T(columns), T(few_columns), T(complex_nans), T(few_rows), T(rows_between),
        T(of_one), T(norms_in_order), T(anywhere), T(turned), T(windows), T(sums_as),
        T(accuracy),
        T(means_of_integers), T(empty), T(rank_0_and_1), T(rank_8), T(into),
        T(errors),
    };
    g_load("reductions.bin");
    int failed = T_RUN("reductions", tests);
    g_free();
    return failed;
}
