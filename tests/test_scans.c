/* Scans: golden/scans.bin, NumPy's values of every row, dtype and axis; then
   sizes that need many tiles and chains of them, in every layout, against plain
   loops in long double; accuracy beside such a loop in the dtype itself,
   repeatability, graphs, errors.                                            */
#include "golden.h"
#include "rows.h"

typedef ga_array *(*scan_fn)(const ga_array *, ga_axis, unsigned);
typedef ga_status (*scan_into_fn)(ga_array *, const ga_array *, ga_axis,
                                  unsigned);
typedef struct scan {
    const char *name, *result, *combine, *nans;
    int types;
    double start;
    scan_fn f;
    scan_into_fn into;
} scan;
static const scan scans[] = {
#define ROW(n, types, result, combine, start, nans) \
    {#n, #result, #combine, #nans, types, start, (ga_##n), (ga_##n##_into)},
    GA_SCANS(ROW)
#undef ROW
};
static const scan *scan_of(const char *name) {
    for (size_t i = 0; i < T_COUNT(scans); i++)
        if (!strcmp(scans[i].name, name)) return &scans[i];
    return NULL;
}
/* The dtype that a row computes in; GA_NUM_DTYPES: it takes no such array. */
static ga_dtype taken(const scan *s, ga_dtype t) {
    if (t_is_complex(t)) return s->types & GA__C ? t : GA_NUM_DTYPES;
    if (t_is_float(t) || s->types & GA__I) return t;
    return GA_FLOAT64;
}
static ga_dtype result_of(const scan *s, ga_dtype t) {
    t = taken(s, t);
    if (strcmp(s->result, "SUM") || t >= GA_FLOAT16) return t;
    return t >= GA_UINT8 ? GA_UINT64 : GA_INT64;
}

/* ------------------------------------------------ plain loops, and fitting */
typedef struct number {
    bool ok;                        /* false: nothing is claimed of it      */
    uint64_t i;                     /* integers, modulo 2**64               */
    long double re, im;
    long double mag;                /* of what rounding errors are relative */
} number;
static number value_of(const void *p, ga_dtype t, int64_t i) {
    number v = {true, 0, 0, 0, 0};
    if (t < GA_FLOAT16) {
        v.i = t == GA_UINT64 ? ((const uint64_t *)p)[i]
              : t == GA_INT64 ? (uint64_t)((const int64_t *)p)[i]
              : (uint64_t)(int64_t)t_value(p, t, i, 0);
    } else {
        v.re = (long double)t_value(p, t, i, 0);
        if (t_is_complex(t)) v.im = (long double)t_value(p, t, i, 1);
    }
    return v;
}
static bool rough(const scan *s) { return s->combine[0] == 'l'; }
static long double size_of(number v) {
    return v.im == 0 ? fabsl(v.re) : hypotl(v.re, v.im);
}
/* a, then b; both of dtype t, without NaN. */
static number join(const scan *s, ga_dtype t, number a, number b) {
    number r = a;
    switch (s->combine[2]) {
    case 'd':                       /* add                                  */
        r.i = a.i + b.i;
        r.re = a.re + b.re;
        r.im = a.im + b.im;
        r.mag = a.mag + size_of(b);
        break;
    case 'l':                       /* multiply                             */
        r.i = a.i * b.i;
        r.re = a.re * b.re - a.im * b.im;
        r.im = a.re * b.im + a.im * b.re;
        r.mag = 256 * size_of(r);
        break;
    case 'g': {                     /* logaddexp                            */
        long double m = a.re > b.re ? a.re : b.re;
        r.re = isfinite(m) ? m + log1pl(expl(-fabsl(a.re - b.re))) : m;
        r.mag = 8 + 8 * fabsl(r.re);
        break;
    }
    default: {
        bool less = t >= GA_FLOAT16 ? a.re < b.re || (a.re == b.re
                                                      && a.im < b.im)
                    : t == GA_UINT64 ? a.i < b.i
                                     : (int64_t)a.i < (int64_t)b.i;
        if (less == (s->combine[1] == 'a')) r = b;
    }
    }
    return r;
}
static number start_of(const scan *s, ga_dtype t) {
    number v = {true, 0, (long double)s->start, 0, 0};
    bool up = s->start > 0;
    int bits = 8 * (int)ga_dtype_size(t);
    if (isinf(s->start) && t_is_complex(t)) {
        v.im = v.re;
        return v;
    }
    if (!isinf(s->start)) v.i = (uint64_t)s->start;
    else if (t == GA_BOOL) v.i = up;
    else if (t >= GA_UINT8) v.i = up ? UINT64_MAX >> (64 - bits) : 0;
    else v.i = (uint64_t)(up ? INT64_MAX >> (64 - bits)
                             : INT64_MIN >> (64 - bits));
    return v;
}
static bool fits(const void *p, ga_dtype t, int64_t i, number w, bool single,
                 bool sum) {
    number v = value_of(p, t, i);
    if (!w.ok) return true;
    if (t < GA_FLOAT16) return v.i == w.i;
    ga_dtype r = t_real_of(t);
    long double size = size_of(w);
    if (r == GA_FLOAT16 && size > 60000) return true;
    long double tol = (long double)t_ulp(r, (double)size) + 0x1p-45L * w.mag;
    if (single && r != GA_FLOAT64) tol += 0x1p-21L * w.mag;
    /* on a GPU 16 neighbours, in size at most 1, add in float32             */
    if (sum && r != GA_FLOAT64) tol += 0x1p-19L;
    number off = {true, 0, v.re - w.re, v.im - w.im, 0};
    return (v.re == w.re && v.im == w.im) || size_of(off) <= tol;
}
/* got is s of x, `len` long along an axis of step `inner`; x has no NaN. */
static void against_loop(const scan *s, const ga_array *x, const ga_array *got,
                         int axis, unsigned flags) {
    int64_t inner = 1, len = axis < 0 ? x->size : x->shape[axis], bad = 0;
    for (int d = x->ndim - 1; d > axis && axis >= 0; d--) inner *= x->shape[d];
    ga_dtype t = taken(s, x->dtype), rt = result_of(s, x->dtype);
    if (!t_is(got, rt, axis < 0 ? GA_SHAPE(x->size) : ga_shape_of(x))) return;
    void *p = malloc((size_t)x->size * 16 + 1), *g = malloc((size_t)x->size * 16 + 1);
    assert_non_null(p);
    assert_non_null(g);
    ga_array *y = ga_astype(x, t);
    ga_asnumpy(y, p);
    ga_asnumpy(got, g);
    ga_free(y);
    for (int64_t line = 0; len && line < x->size / len; line++) {
        int64_t at = line / inner * inner * len + line % inner, step = inner;
        if (flags & GA_REVERSE) at += (len - 1) * step, step = -step;
        number a = start_of(s, t);
        for (int64_t k = 0; k < len; k++, at += step) {
            number b = join(s, t, a, value_of(p, t, at));
            number w = flags & GA_EXCLUSIVE ? a : b;
            if (!fits(g, rt, at, w, rough(s), s->combine[2] == 'd') && bad++ == 0)
                t_bad("element %lld is %s, expected %.17Lg %.17Lg %lld",
                      (long long)at, t_text(g, rt, at), w.re, w.im,
                      (long long)w.i);
            a = b;
        }
    }
    free(p);
    free(g);
}

/* -------------------------------------------------------- NumPy's values */
/* y against NumPy's w, in float64 of floats' sums in long double; `mag`: the
   largest sum of sizes. Which NaN, and which zero of equals, is open.       */
static bool near(const void *y, ga_dtype t, const g_record *w, int64_t i,
                 double mag) {
    if (t < GA_FLOAT16) return t_equal(y, w->data, t, i);
    if (t_is_complex(t) && !(fabs(t_value(w->data, w->dtype, i, 0)) < 1e300
                             && fabs(t_value(w->data, w->dtype, i, 1)) < 1e300))
        return true;                /* 1 * (inf + 0i) is inf + NaN i        */
    double off = 0;
    for (int k = 0; k < 1 + t_is_complex(t); k++) {
        double a = t_value(y, t, i, k), b = t_value(w->data, w->dtype, i, k);
        bool over = fabs(b) >= t_half_over(t_real_of(t)) * 2;
        if ((isnan(a) && isnan(b)) || a == b || (over && isinf(a))) continue;
        if (!isfinite(a) || !isfinite(b)) return false;
        off = hypot(off, a - b);
    }
    double size = hypot(t_value(w->data, w->dtype, i, 0),
                        t_is_complex(t) ? t_value(w->data, w->dtype, i, 1) : 0);
    if (!isfinite(size)) return true;
    return off <= 0.73 * t_ulp(t_real_of(t), size) + mag * 0x1p-46;
}
static void golden(const scan *s) {
    static const char *const kinds[] = {"x", "special"};
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++)
        for (int kind = 0; kind < 2; kind++) {
            GA_SCOPE;
            ga_dtype t = (ga_dtype)ti, rt = result_of(s, t);
            const g_record *g = g_find("%s/%s", ga_dtype_name(t), kinds[kind]);
            ga_array *x = ga_asarray_as(g->data, g->dtype, g->shape);
            if (rt == GA_NUM_DTYPES) {
                T_CHECK(s->f(x, GA_ALL, 0) == NULL);
                T_ERROR(GA_ERR_DTYPE);
                continue;
            }
            for (int a = -1; a < 3; a++) {
                const g_record *w = g_find("%s/%s/%s/%d", s->name,
                                           ga_dtype_name(t), kinds[kind], a);
                t_context("%s %s %s axis %d", s->name, ga_dtype_name(t),
                          kinds[kind], a);
                ga_array *y = s->f(x, a < 0 ? GA_ALL : GA_AXIS(a), 0);
                if (!w) t_bad("no golden values");
                if (!w || !t_is(y, rt, w->shape)) continue;
                const void *p = t_host(y);
                double mag = s->combine[0] == 'm' && s->combine[1] != 'u' ? 0
                             : rough(s) && rt != GA_FLOAT64 ? 0x1p24 : 256;
                if (kind && !rough(s)) mag *= 0x1p8;
                /* on a GPU 16 neighbours add in float32                     */
                if (s->combine[2] == 'd' && t_real_of(rt) != GA_FLOAT64)
                    mag = fmax(mag, 0x1p27);
                for (int64_t i = 0; i < w->size; i++)
                    if (!near(p, rt, w, i, mag)) {
                        t_bad("element %lld is %s, expected %s", (long long)i,
                              t_text(p, rt, i), t_text(w->data, w->dtype, i));
                        break;
                    }
            }
            t_release_host();
        }
}
#define TEST_SCAN(n, ...) TEST(golden_##n) { golden(scan_of(#n)); }
GA_SCANS(TEST_SCAN)

/* diff and its kin: calls and NumPy's results. */
static ga_array *called(const char *text, const ga_array *const *x) {
    int v[2] = {0, 0};
    char name[20];
    ga_array *y = NULL;
    const ga_array *step[1] = {GA_ARG(0.5)};
    sscanf(text, "%19s %d %d", name, &v[0], &v[1]);
    if (!strcmp(name, "diff")) return ga_diff(x[0], v[0], v[1], GA_NONE, GA_NONE);
    if (!strcmp(name, "diff_ends"))
        return ga_diff(x[0], v[0], v[1], x[1], x[2]);
    if (!strcmp(name, "ediff1d")) return ga_ediff1d(x[0], GA_NONE, GA_NONE);
    if (!strcmp(name, "ediff1d_ends")) return ga_ediff1d(x[0], x[1], x[2]);
    if (!strcmp(name, "trapezoid"))
        return ga_trapezoid(x[0], GA_NONE, 0.5, v[0]);
    if (!strcmp(name, "trapezoid_x"))
        return ga_trapezoid(x[0], x[1], 1, v[0]);
    if (!strcmp(name, "gradient_x")) step[0] = x[1];
    ga_gradient(x[0], 1, step, GA_AXIS(v[1]), v[0], &y);
    return y;
}
TEST(differences) {
    int k = 0;
    for (const g_record *w; (w = g_find("%d/out", k)) != NULL; k++) {
        GA_SCOPE;
        ga_array *x[3] = {NULL, NULL, NULL};
        const ga_array *in[3];
        const char *text = (const char *)g_find("%d/text", k)->data;
        double mag = 0;
        for (int i = 0; i < 3; i++) {
            const g_record *r = g_find("%d/%d", k, i);
            if (r) x[i] = ga_asarray_as(r->data, r->dtype, r->shape);
            in[i] = x[i];
        }
        t_context("%s of %s", text, ga_dtype_name(x[0]->dtype));
        ga_array *y = called(text, in);
        if (!t_is(y, w->dtype, w->shape)) continue;
        const void *p = t_host(y);
        if (w->dtype < GA_FLOAT16) {
            t_compare(p, w->data, w->dtype, w->size, 0);
            continue;
        }
        for (int64_t i = 0; i < w->size; i++)
            mag = fmax(mag, fabs(t_value(w->data, w->dtype, i, 0)));
        double tol = 8 * t_ulp(t_real_of(w->dtype), mag);
        for (int64_t i = 0; i < w->size; i++)
            for (int c = 0; c < 1 + t_is_complex(w->dtype); c++)
                T_CHECKF(fabs(t_value(p, w->dtype, i, c)
                              - t_value(w->data, w->dtype, i, c)) <= tol,
                         "element %lld is %s, expected %s", (long long)i,
                         t_text(p, w->dtype, i), t_text(w->data, w->dtype, i));
        t_release_host();
    }
    T_CHECK(k > 300);
}

/* Long ones against the sum of the definition; what is not finite, at the ends
   and inside, and sums beyond the dtype.                                    */
static void trapezoids(ga_dtype t, double dx, int axis, double put, int at) {
    GA_SCOPE;
    const int64_t n[2] = {310, 230};
    double *v = (double *)malloc((size_t)(n[0] * n[1]) * sizeof *v);
    ga_array *y = t_random_array(t, GA_SHAPE(n[0], n[1]), -1, 3);
    if (at >= 0) ga_assign(ga_index_axis(y, axis, at), put);
    t_context("trapezoid of %s, dx %g, axis %d, %g at %d", ga_dtype_name(t), dx,
              axis, put, at);
    ga_array *r = ga_trapezoid(y, GA_NONE, dx, axis), *to;
    to = ga_empty(ga_shape_of(r), t);
    T_CHECK(!ga_trapezoid_into(to, y, GA_NONE, dx, axis - 2));
    t_same_arrays(to, r, 0);
    ga_asnumpy(ga_astype(y, GA_FLOAT64), v);
    if (t_is(r, t, GA_SHAPE(n[!axis]))) {
        const void *p = t_host(r);
        const int64_t step = axis ? 1 : n[1], row = axis ? n[1] : 1;
        for (int64_t i = 0; i < n[!axis]; i++) {
            double sum = 0, low = 0, mag = 0;       /* compensated          */
            for (int64_t j = 1; j < n[axis]; j++) {
                const double *z = v + i * row + j * step;
                const double by = dx * (z[0] + z[-step]) / 2, next = sum + by;
                low += fabs(sum) >= fabs(by) ? (sum - next) + by
                                             : (by - next) + sum;
                sum = next;
                mag += fabs(by);
            }
            if (isfinite(sum)) sum += low;
            double is = t_value(p, t, i, 0);
            T_CHECKF(isfinite(sum) ? fabs(is - sum) <= 8 * t_ulp(t, mag)
                                   : isnan(sum) ? isnan(is) : is == sum,
                     "row %lld is %g, expected %g", (long long)i, is, sum);
        }
        t_release_host();
    }
    free(v);
}
TEST(long_trapezoids) {
    const double dx[] = {1, 0.25, -3, 0};
    const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16, GA_BFLOAT16};
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < 4; k++)
            for (int axis = 0; axis < 2; axis++) {
                const ga_dtype t = types[f];
                const int at[] = {0, 5, axis ? 229 : 309};
                trapezoids(t, dx[k], axis, 0, -1);
                for (int i = 0; i < 3; i++) {
                    trapezoids(t, dx[k], axis, HUGE_VAL, at[i]);
                    trapezoids(t, dx[k], axis, (double)NAN, at[i]);
                    trapezoids(t, dx[k], axis, -1e7, at[i]);
                }
            }
    GA_SCOPE;                       /* sums that float32 cannot hold        */
    ga_array *y = ga_full(GA_SHAPE(700, 100), 1e37, GA_FLOAT32);
    T_CHECK(fabs(ga_item(ga_max(ga_trapezoid(y, GA_NONE, 1e-3, 0), GA_ALL))
                 - 6.99e36) < 1e31);
    y = ga_zeros(GA_SHAPE(65536), GA_FLOAT32);
    ga_assign(ga_slice(y, "::65535"), 3e38);
    T_CHECK(fabs(ga_item(ga_trapezoid(y, GA_NONE, 1, 0)) - 3e38) < 1e32);
    T_CHECK(fabs(ga_item(ga_trapezoid(y, GA_NONE, 0.5, 0)) - 1.5e38) < 1e32);
}

/* ------------------------------------------------------------------ sizes */
static const ga_shape shapes[] = {
    {1, {1}}, {1, {31}}, {1, {5003}}, {1, {150001}}, {2, {3, 70001}},
    {2, {70001, 3}}, {2, {700, 129}}, {2, {129, 700}}, {2, {5000, 16}},
    {2, {16, 5000}}, {2, {2, 8192}}, {3, {7, 300, 5}}, {3, {3, 5, 600}},
    {4, {2, 3, 40, 50}}, {2, {20011, 40}}, {2, {1, 900}}, {2, {900, 1}},
    {1, {9000001}}, {2, {300000, 20}}, {2, {40, 100003}}, {2, {2500001, 3}},
};
enum { SMALL = 17 };
static ga_array *data(const scan *s, ga_dtype t, ga_shape shape) {
    bool prod = !strcmp(s->combine, "multiply");
    if (t < GA_FLOAT16) return t_random_array(t, shape, prod ? 1 : -9, 9);
    ga_array *x = t_random_array(t, shape, -1, 1);
    if (!prod) return x;
    /* signs, or turns: products that stay what they are in size             */
    if (!t_is_complex(t)) return ga_copysign(ga_ones(shape, t), x);
    return ga_div(x, ga_abs(x));
}
static void sizes(ga_dtype t) {
    static const char *const quick[] = {"cumsum", "cummax", "logcumsumexp"};
    for (size_t si = 0; si < (t_on_gpu() ? T_COUNT(shapes) : SMALL); si++)
        for (size_t k = 0; k < T_COUNT(scans); k++) {
            GA_SCOPE;
            const scan *s = &scans[k];
            bool few = t_size(shapes[si]) > 20000;
            if (taken(s, t) == GA_NUM_DTYPES
                || (few && s != scan_of(quick[(si + t) % 3]))
                || (si >= SMALL && t % 3 != 2)
                || (!t_on_gpu() && t_size(shapes[si]) > 500000 && t % 5 > 1)
                || (t_quick() && t_size(shapes[si]) > 6000))
                continue;
            ga_array *x = data(s, t, shapes[si]);
            for (int axis = -1; axis < x->ndim; axis++) {
                unsigned flags = (unsigned)(si + k + (unsigned)axis + 1) % 4;
                int how = (int)(si + 2 * k + (unsigned)(axis + 1)) % 5;
                if (few) how = 0;
                ga_array *v = t_laid_out(x, how);
                t_context("%s %s shape %d axis %d flags %u layout %d", s->name,
                          ga_dtype_name(t), (int)si, axis, flags, how);
                ga_axis a = axis < 0 ? GA_ALL : GA_AXIS(axis);
                ga_array *y = s->f(v, a, flags);
                against_loop(s, x, y, axis, flags);
                if (!y || few) continue;
                ga_array *out = t_laid_out(ga_full_like(y, 1), (how + 1) % 5);
                T_CHECK(s->into(out, v, a, flags) == GA_OK);
                against_loop(s, x, out, axis, flags);
            }
        }
}
#define SIZES(name, T) TEST(sizes_##name) { sizes(GA_##T); }
SIZES(bool, BOOL) SIZES(int8, INT8) SIZES(int16, INT16) SIZES(int32, INT32)
SIZES(int64, INT64) SIZES(uint8, UINT8) SIZES(uint16, UINT16)
SIZES(uint32, UINT32) SIZES(uint64, UINT64) SIZES(float16, FLOAT16)
SIZES(bfloat16, BFLOAT16) SIZES(float32, FLOAT32) SIZES(float64, FLOAT64)
SIZES(complex64, COMPLEX64) SIZES(complex128, COMPLEX128)

/* At most as far from the exact sums as a loop in the dtype, NumPy's; and the
   same bits every time.                                                     */
/* C numbers are weak beside the array at the other end, too; and orders beyond
   the length end at once.                                                   */
TEST(differences_with_numbers) {
    GA_SCOPE;
    const uint16_t two[] = {0x4000}, want[] = {0xbc00, 0xbc00, 0x3c00, 0x57f0};
    ga_array *x = ga_asarray(((bool[]){1, 0, 1}), GA_SHAPE(3));
    ga_array *h = ga_asarray_as(two, GA_FLOAT16, GA_SHAPE(1));
    t_same(ga_diff(x, 1, 0, h, 128), GA_FLOAT16, GA_SHAPE(4), want);
    T_CHECK(ga_diff(x, 1, 0, 1, 128)->dtype == GA_INT64);
    ga_array *y = ga_diff(ga_ones(GA_SHAPE(2, 5), GA_INT8), INT32_MAX, 1, GA_NONE,
                          GA_NONE);
    T_CHECK(y && y->shape[0] == 2 && y->shape[1] == 0 && y->dtype == GA_INT8);
    T_CHECK(ga_diff(y, INT32_MAX, 1, GA_NONE, GA_NONE)->size == 0);
    T_CHECK(ga_diff(y, 3, 1, ga_ones(GA_SHAPE(2, 4), GA_INT8), GA_NONE)->size == 2);
}
TEST(accuracy) {
    GA_SCOPE;
    const int64_t n = t_on_gpu() ? 30000001 : 3000001;
    const ga_dtype types[] = {GA_FLOAT64, GA_FLOAT32};
    for (int k = 0; k < 2; k++) {
        ga_array *x = t_random_array(types[k], GA_SHAPE(t_quick() ? 9001 : n),
                                     0, 1);
        ga_array *y = ga_cumsum(x, GA_ALL, 0);
        const void *p = t_host(x), *g = t_host(y);
        long double sum = 0, far = 0, loop = 0;
        double d = 0;
        float f = 0;
        for (int64_t i = 0; i < x->size; i++) {
            double v = t_value(p, types[k], i, 0);
            sum += (long double)v;
            d += v;
            f += (float)v;
            long double mine = (long double)t_value(g, types[k], i, 0) - sum;
            long double theirs = (k ? (long double)f : (long double)d) - sum;
            if (fabsl(mine) > far) far = fabsl(mine);
            if (fabsl(theirs) > loop) loop = fabsl(theirs);
        }
        T_CHECKF(far <= loop, "%s: off by %Lg, a loop by %Lg",
                 ga_dtype_name(types[k]), far, loop);
        for (int i = 0; i < (t_on_gpu() ? 5 : 2); i++)
            t_same(ga_cumsum(x, GA_ALL, 0), types[k], GA_SHAPE(x->size), g);
    }
}
TEST(columns_repeat) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(t_quick() ? 900 : 30011, 70), -1, 1);
    ga_array *y = ga_cumsum(x, GA_AXIS(0), 0);
    for (int i = 0; i < 5; i++)
        t_same_arrays(ga_cumsum(x, GA_AXIS(0), 0), y, 0);
}
/* complex128 that begin on 8 bytes */
TEST(halfway) {
    static const ga_shape at[] = {{2, {4, 4001}}, {2, {4001, 4}}, {2, {1, 9001}},
                                  {2, {300, 301}}, {1, {70001}}};
    for (size_t i = 0; i < T_COUNT(at); i++) {
        GA_SCOPE;
        ga_array *f = ga_random_uniform(1, 2, GA_SHAPE(2 * t_size(at[i]) + 1),
                                        GA_FLOAT64);
        T_CHECK(!ga_synchronize());
        ga_array *z = ga_wrap((char *)f->data + 8, GA_COMPLEX128, at[i], NULL,
                              f->device, NULL, NULL), *y = ga_copy(z);
        for (int a = 0; a < at[i].ndim; a++) {
            t_context("shape %d, axis %d", (int)i, a);
            t_same_arrays(ga_cumsum(z, GA_AXIS(a), 0), ga_cumsum(y, GA_AXIS(a), 0),
                          64);
            t_same_arrays(ga_cummax(z, GA_AXIS(a), 0), ga_cummax(y, GA_AXIS(a), 0),
                          0);
            ga_array *turned = ga_transpose(z, GA_ALL);
            t_same_arrays(ga_cumsum(turned, GA_AXIS(a), 0),
                          ga_cumsum(ga_copy(turned), GA_AXIS(a), 0), 64);
        }
        T_CHECK(!ga_synchronize());
    }
}

/* A part of an array and the axis of a scan. */
typedef struct cut { ga_shape shape; int axis; const char *part; } cut;
/* Each scan and dtype over these, or where there are few over one of `every`. */
static void over(const cut *at, size_t count, size_t every, bool few) {
    if (t_quick()) every *= 3;
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++)
        for (size_t k = 0; k < T_COUNT(scans); k++)
            for (size_t i = 0; i < count; i++) {
                GA_SCOPE;
                const scan *s = &scans[k];
                const ga_dtype t = (ga_dtype)ti;
                const unsigned flags = (unsigned)(ti + (int)k + (int)i) % 4;
                if (taken(s, t) == GA_NUM_DTYPES
                    || ((t_quick() || few) && (i + k) % every != (size_t)ti % every)) continue;
                t_context("%s %s case %d flags %u", s->name, ga_dtype_name(t),
                          (int)i, flags);
                ga_array *v = data(s, t, at[i].shape);
                if (at[i].part) v = ga_slice(v, "%s", at[i].part);
                ga_array *x = ga_copy(v);
                ga_array *y = s->f(v, GA_AXIS(at[i].axis), flags);
                against_loop(s, x, y, at[i].axis, flags);
                ga_array *out = t_laid_out(ga_full_like(y, 1), (int)i % 5);
                T_CHECK(!s->into(out, v, GA_AXIS(at[i].axis), flags));
                against_loop(s, x, out, at[i].axis, flags);
                if (y->dtype != v->dtype) continue;
                T_CHECK(!s->into(v, v, GA_AXIS(at[i].axis), flags));
                against_loop(s, x, ga_copy(v), at[i].axis, flags);
            }
}

/* Short axes with few columns behind them, vectors and others; rows that do not
   adjoin; axes of one element.                                              */
TEST(short_axes) {
    static const cut at[] = {
        {{3, {37, 4, 6}}, 1, NULL}, {{3, {9, 2, 85}}, 1, NULL},
        {{3, {5, 1, 33}}, 1, ":, :, ::3"}, {{3, {61, 20, 4}}, 1, NULL},
        {{3, {7, 17, 24}}, 1, ":, ::2"}, {{3, {3, 40, 48}}, 1, NULL},
        {{3, {11, 5, 32}}, 1, NULL}, {{3, {2, 16, 96}}, 1, ":, :, 16:"},
        {{3, {2, 70, 33}}, 1, NULL}, {{3, {1, 300, 3}}, 1, NULL},
        {{3, {4, 9, 40}}, 2, ":, 1::2, ::3"}, {{2, {90, 36}}, 1, ":, 2:"},
        {{3, {3, 2, 1200}}, 2, "::2, :, ::3"}, {{2, {1, 400}}, 0, NULL},
        {{3, {5, 3, 300}}, 2, "::2, ::2, 1:"}, {{3, {97, 2, 3}}, 1, NULL},
        {{3, {5, 599, 2}}, 0, ":, ::2"}, {{3, {6, 128, 10}}, 1, ":, :, ::2"},
        {{2, {1203, 3}}, 0, NULL}, {{2, {901, 4}}, 0, ":, ::2"},
        {{3, {3, 2, 2051}}, 2, ":, :, ::-3"}, {{3, {9, 77, 12}}, 1, NULL},
        {{3, {8, 211, 7}}, 1, "::2, ::-1, 1:"}, {{3, {1500, 2, 16}}, 1, NULL},
        {{3, {210, 40, 3}}, 1, NULL}, {{3, {420, 40, 3}}, 1, "::2, :, 1:"}};
    over(at, T_COUNT(at), 3, false);
}

/* Every second element is read as pairs of which one half is dropped. */
TEST(every_second) {
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++)
        for (size_t k = 0; k < T_COUNT(scans); k++) {
            GA_SCOPE;
            const scan *s = &scans[k];
            ga_dtype t = (ga_dtype)ti;
            if (taken(s, t) == GA_NUM_DTYPES) continue;
            ga_array *x = data(s, t, GA_SHAPE(2, t_quick() ? 902 : 12006));
            for (unsigned flags = 0; flags < 4; flags++)
                for (int odd = 0; odd < 2; odd++) {
                    GA_SCOPE;
                    t_context("%s %s flags %u odd %d", s->name,
                              ga_dtype_name(t), flags, odd);
                    ga_array *v = ga_slice(x, odd ? ":, 1::2" : ":, ::2");
                    against_loop(s, ga_copy(v), s->f(v, GA_AXIS(1), flags), 1,
                                 flags);
                }
        }
}
/* Rows that begin and end anywhere, apart in memory by anything, of lengths about
   those of a warp's part of a tile and of a tile; adjoining columns in twos.  */
TEST(rows_anywhere) {
    static const cut at[] = {
        {{1, {20003}}, 0, "1:"}, {{1, {9973}}, 0, "2:-1"}, {{1, {12007}}, 0, "3:"},
        {{1, {40009}}, 0, "1::2"}, {{1, {30011}}, 0, "::3"}, {{1, {20001}}, 0, "8::-1"},
        {{2, {9, 1100}}, 1, "1::2, 3:"}, {{2, {9, 1100}}, 1, ":, 4:"},
        {{2, {31, 515}}, 1, ":, 1:-1"}, {{2, {3, 9001}}, 1, ":, 1:"},
        {{2, {4, 4100}}, 1, "::2, 8:-8"}, {{3, {5, 6, 330}}, 2, ":, ::2, 8:-8"},
        {{3, {40, 6, 21}}, 2, ":, ::3, 1:-2"}, {{2, {1500, 8}}, 1, ":, 4:"},
        {{2, {7, 1024}}, 1, ":, :"}, {{2, {2, 8193}}, 1, ":, ::-1"},
        {{3, {6, 6, 1002}}, 1, ":, :, :"}, {{3, {4, 7, 1002}}, 1, ":, :, 1:-1"},
        {{3, {3, 5, 1001}}, 1, "::-1, :, 1:"}, {{3, {70, 90, 4}}, 1, ":, :, :3"}};
    over(at, T_COUNT(at), 4, !t_on_gpu());
}
/* Over thousands of a GPU's tiles, in one row and in rows that start anywhere in
   these, aligned and not, in place too: sums of ones are places.            */
TEST(chains) {
    static const ga_dtype types[] = {GA_INT8, GA_INT64, GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64};
    const int64_t few = t_on_gpu() && !t_quick() ? 1 : 40, n = 9000011 / few;
    const int64_t rows[] = {1, 2, 7, 300};
    for (size_t k = 0; k < T_COUNT(types); k++)
        for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
            GA_SCOPE;
            t_context("%s case %d", ga_dtype_name(types[k]), (int)i);
            const int64_t r = rows[i / 2], m = n / r;
            ga_array *x = ga_slice(ga_ones(GA_SHAPE(r * m + 1), types[k]), i % 2 ? "1:" : ":-1");
            x = ga_reshape(x, GA_SHAPE(r, m));
            ga_array *y = ga_cumsum(x, GA_AXIS(1), 0);
            ga_array *want = ga_astype(ga_arange(1, m + 1, 1), y->dtype);
            T_CHECK(ga_array_equal(y, ga_broadcast_to(want, ga_shape_of(y)), 0));
            y = ga_cumsum(x, GA_AXIS(1), GA_REVERSE | GA_EXCLUSIVE);
            want = ga_arange(m - 1, -1, -1);
            want = ga_astype(want, y->dtype);
            T_CHECK(ga_array_equal(y, ga_broadcast_to(want, ga_shape_of(y)), 0));
            if (y->dtype != types[k]) continue;
            T_CHECK(!ga_cumsum_into(x, x, GA_AXIS(1), GA_REVERSE | GA_EXCLUSIVE));
            T_CHECK(ga_array_equal(x, y, 0));
        }
}
/* Near values, far ones, minus infinity for long, and what NaN leaves. */
TEST(logarithms) {
    static const ga_dtype types[] = {GA_FLOAT16, GA_BFLOAT16, GA_FLOAT32,
                                     GA_FLOAT64};
    const scan *s = scan_of("logcumsumexp");
    const int64_t n = t_quick() ? 600 : 30000;
    for (size_t k = 0; k < T_COUNT(types); k++) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name(types[k]));
        ga_array *x = t_random_array(types[k], GA_SHAPE(2, 3 * n), -1, 1);
        ga_array *far = ga_slice_axis(x, 1, n, 2 * n, 1);
        ga_mul_into(far, far, 60);
        ga_assign(ga_slice(x, "1, :500"), -INFINITY);
        for (unsigned flags = 0; flags < 4; flags++)
            for (int a = 0; a < 2; a++)
                against_loop(s, x, s->f(x, GA_AXIS(a), flags), a, flags);
        ga_assign(ga_slice_axis(x, 1, n / 2, n / 2 + 1, 1), NAN);
        ga_array *y = ga_isnan(s->f(x, GA_AXIS(1), 0));
        T_CHECK(ga_item(ga_sum(y, GA_ALL)) == 2 * (3 * (double)n - (double)(n / 2)));
        T_CHECK(ga_item(ga_slice(y, "0, 0")) == 0);
    }
}

/* Rows of some columns, side by side or apart, each from the one before. */
TEST(rows_of_some) {
    static const int64_t ns[] = {1, 11, 12, 13, 14, 21, 63, 64, 65, 200};
    for (size_t i = 0; i < T_COUNT(ns); i++)
        for (int l = 0; l < 6; l++) {
            GA_SCOPE;
            const int64_t m = 700, n = ns[i];
            ga_array *x = ga_astype(t_random_array(GA_INT32, GA_SHAPE(m, n + 1), -99, 99),
                                    GA_INT64);
            x = ga_slice(x, l / 2 == 0 ? ":, 1:" : l / 2 == 1 ? "::-1, ::2" : ":");
            const int64_t c = x->shape[1];
            const int64_t *const p = (const int64_t *)t_host(ga_copy(x));
            const int64_t *const got = (const int64_t *)t_host(ga_cumsum(x, GA_AXIS(0), l % 2));
            t_context("%d columns layout %d", (int)n, l);
            for (int64_t j = 0; j < c; j++) {
                int64_t sum = 0;
                bool good = true;
                for (int64_t r = 0; r < m; r++) {
                    if (l % 2) good &= got[r * c + j] == sum;
                    sum += p[r * c + j];
                    if (!(l % 2)) good &= got[r * c + j] == sum;
                }
                T_CHECK(good);
            }
        }
    t_context("%s", "");
}
/* Runs that leave an extremum as it is, steps, zeros of both signs, from some
   place on NaN of either sign.                                              */
TEST(extremes_of_runs) {
    for (int t = GA_FLOAT16; t <= GA_FLOAT64; t++)
        for (int k = 0; k < 8; k++) {
            GA_SCOPE;
            const bool max = k & 1;
            const int n = 3000, from = k & 2 ? 2345 : n;
            ga_array *x = ga_div(ga_arange_as(0, n, 1, GA_FLOAT64), k & 4 ? 700 : -700);
            x = ga_astype(ga_copysign(ga_trunc(x), t_random_array(GA_FLOAT64, GA_SHAPE(n), -1, 1)),
                          (ga_dtype)t);
            if (k & 2) ga_assign(ga_slice(x, "2345"), max ? -NAN : NAN);
            t_context("%s %d", ga_dtype_name((ga_dtype)t), k);
            ga_array *y = max ? ga_cummax(x, GA_ALL, 0) : ga_cummin(x, GA_ALL, 0);
            const void *p = t_host(x), *g = t_host(y);
            double m = max ? -HUGE_VAL : HUGE_VAL;
            for (int i = 0; i < n; i++) {
                const double v = t_value(p, (ga_dtype)t, i, 0);
                const double got = t_value(g, (ga_dtype)t, i, 0);
                m = max ? fmax(m, v) : fmin(m, v);
                if (!(i < from ? got == m : isnan(got))) {
                    t_bad("element %d is %g, expected %g", i, got, i < from ? m : NAN);
                    break;
                }
            }
        }
}

/* ------------------------------------------------------ other behaviour */
TEST(empty_and_small) {
    GA_SCOPE;
    for (size_t k = 0; k < T_COUNT(scans); k++) {
        const scan *s = &scans[k];
        t_context("%s", s->name);
        ga_array *x = ga_ones(GA_SHAPE(3, 0, 2), GA_FLOAT32);
        for (int a = 0; a < 3; a++)
            t_is(s->f(x, GA_AXIS(a), 0), GA_FLOAT32, GA_SHAPE(3, 0, 2));
        t_is(s->f(x, GA_ALL, GA_REVERSE), GA_FLOAT32, GA_SHAPE(0));
        t_is(s->f(ga_ones(GA_SCALAR_SHAPE, GA_INT8), GA_ALL, 0),
             result_of(s, GA_INT8), GA_SHAPE(1));
        ga_shape deep = GA_SHAPE(2, 1, 2, 1, 2, 3, 1, 2);
        ga_array *y = data(s, GA_FLOAT64, deep);
        for (int a = -1; a < 8; a++)
            against_loop(s, y, s->f(t_laid_out(y, a < 0 ? 0 : a % 5),
                                    a < 0 ? GA_ALL : GA_AXIS(a), 0), a, 0);
    }
    ga_array *one = ga_ones(GA_SHAPE(4), GA_FLOAT32);
    ga_array *all = ga_broadcast_to(one, GA_SHAPE(300, 4));
    T_CHECK(ga_item(ga_slice(ga_cumsum(all, GA_AXIS(0), 0), "299, 2")) == 300);
    T_CHECK(ga_item(ga_slice(ga_cumsum(all, GA_ALL, 0), "-1")) == 1200);
}
/* Along an axis of one element each is its own result, but where NaN or itself is
   left out.                                                                 */
TEST(axes_of_one) {
    const double v[] = {-0.0, NAN, -INFINITY, 1.5, 7, -3};
    for (int how = 0; how < 5; how++) {
        GA_SCOPE;
        t_context("laid out %d", how);
        ga_array *x = t_laid_out(ga_asarray(v, GA_SHAPE(2, 1, 3)), how);
        t_same(ga_cummax(x, GA_AXIS(1), 0), GA_FLOAT64, GA_SHAPE(2, 1, 3), v);
        t_same(ga_logcumsumexp(x, GA_AXIS(1), 0), GA_FLOAT64, GA_SHAPE(2, 1, 3), v);
        T_CHECK(ga_item(ga_slice(ga_nancumsum(x, GA_AXIS(1), 0), "0, 0, 1")) == 0);
        T_CHECK(ga_item(ga_slice(ga_nancumprod(x, GA_AXIS(1), 0), "0, 0, 1")) == 1);
        T_CHECK(ga_item(ga_slice(ga_cumprod(x, GA_AXIS(1), GA_EXCLUSIVE), "1, 0, 1")) == 1);
        ga_array *y = ga_cumsum(x, GA_AXIS(1), GA_REVERSE);
        t_same(y, GA_FLOAT64, GA_SHAPE(2, 1, 3), v);
        T_CHECK(signbit(ga_item(ga_slice(y, "0, 0, 0"))) != 0);  /* as NumPy   */
        T_CHECK(!ga_cumprod_into(x, x, GA_AXIS(-2), 0));
        t_same(x, GA_FLOAT64, GA_SHAPE(2, 1, 3), v);
        const bool b[] = {1, 0, 1};
        const int64_t n[] = {1, 0, 1};
        ga_array *z = t_laid_out(ga_asarray(b, GA_SHAPE(3, 1)), how);
        t_same(ga_cumsum(z, GA_AXIS(1), 0), GA_INT64, GA_SHAPE(3, 1), n);
    }
    t_context("%s", "");
}
TEST(into) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(70, 300), -1, 1);
    ga_array *y = ga_cumsum(x, GA_AXIS(1), 0), *z = ga_copy(x);
    T_CHECK(ga_cumsum_into(z, z, GA_AXIS(1), 0) == GA_OK);      /* in place  */
    t_same_arrays(z, y, 0);
    z = ga_copy(x);                                             /* turned    */
    T_CHECK(ga_cumsum_into(ga_flip(z, GA_ALL), z, GA_AXIS(1), 0) == GA_OK);
    t_same_arrays(ga_flip(z, GA_ALL), y, 0);
    z = ga_zeros(GA_SHAPE(70, 300), GA_FLOAT64);                /* cast      */
    T_CHECK(ga_cumsum_into(z, x, GA_AXIS(1), 0) == GA_OK);
    t_same_arrays(z, ga_astype(y, GA_FLOAT64), 0);
    z = ga_full(GA_SHAPE(70, 300), 7, GA_INT32);
    const void *before = t_host(z);
    T_CHECK(ga_cumsum_into(z, x, GA_AXIS(1), 0) == GA_ERR_DTYPE);
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(ga_cumsum_into(z, z, GA_ALL, 0) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    t_same(z, GA_INT32, GA_SHAPE(70, 300), before);
    z = ga_arange_as(0, 5, 1, GA_FLOAT32);
    T_CHECK(ga_diff_into(ga_slice(z, "1:"), z, 1, 0, GA_NONE, GA_NONE)
            == GA_OK);
    T_CHECK(ga_item(ga_sum(z, GA_ALL)) == 4);
}
struct step { ga_array *x, *y, *z; };
static void step(void *arg) {
    struct step *s = (struct step *)arg;
    ga_cumsum_into(s->y, s->x, GA_AXIS(0), 0);
    ga_cumsum_into(s->z, s->y, GA_AXIS(1), GA_REVERSE);
    ga_add_into(s->x, s->x, 1);
}
TEST(graphs) {
    GA_SCOPE;
    ga_shape s = GA_SHAPE(700, 90);
    struct step w = {ga_zeros(s, GA_FLOAT64), ga_zeros(s, GA_FLOAT64),
                     ga_zeros(s, GA_FLOAT64)};
    ga_graph *g = ga_graph_create(step, &w);
    for (int i = 0; i < 3; i++) T_CHECK(ga_graph_launch(g) == GA_OK);
    ga_synchronize();
    T_CHECK(ga_item(ga_slice(w.z, "-1, 0")) == 2.0 * 700 * 90);
    ga_graph_destroy(g);
}
#define BAD(x, status, text) do {                                           \
        T_CHECK(!(x));                                                      \
        T_CHECKF(strstr(ga_error_message(), text) != NULL, "%s",            \
                 ga_error_message());                                       \
        T_ERROR(status);                                                    \
    } while (0)
TEST(errors) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(2, 3), GA_FLOAT32), *g = x;
    const ga_array *steps[2] = {x, x};
    BAD(ga_cumsum(x, GA_AXIS(2), 0), GA_ERR_AXIS, "ga_cumsum: axis 2 is out of");
    BAD(ga_cumsum(x, GA_AXIS(0, 1), 0), GA_ERR_AXIS, "ga_cumsum: 2 axes given");
    BAD(ga_cummax(x, GA_ALL, 4), GA_ERR_VALUE, "ga_cummax: flags 0x4");
    BAD(ga_cumsum(NULL, GA_ALL, 0), GA_ERR_NULL, "ga_cumsum");
    BAD((ga_cumsum)(GA_ARG(5), GA_ALL, 0), GA_ERR_VALUE, "a C number has no");
    BAD(ga_logcumsumexp(ga_ones(GA_SHAPE(2), GA_COMPLEX64), GA_ALL, 0),
        GA_ERR_DTYPE, "complex64 is not supported");
    BAD(ga_diff(x, -1, 0, GA_NONE, GA_NONE), GA_ERR_VALUE, "the order is -1");
    BAD(ga_diff(x, 1, 2, GA_NONE, GA_NONE), GA_ERR_AXIS, "axis 2");
    BAD(ga_diff(x, 1, 0, ga_ones(GA_SHAPE(1, 2), GA_FLOAT32), GA_NONE),
        GA_ERR_SHAPE, "ga_diff");
    BAD(ga_ediff1d(ga_ones(GA_SHAPE(3), GA_INT32), x, GA_NONE), GA_ERR_DTYPE,
        "an end of float32 does not go into differences of int32");
    BAD(ga_trapezoid(x, ga_ones(GA_SHAPE(4), GA_FLOAT32), 1, 1), GA_ERR_SHAPE,
        "broadcast");
    BAD(!ga_gradient(x, 0, NULL, GA_AXIS(0), 2, &g), GA_ERR_SHAPE,
        "at least 3 elements are needed");
    BAD(!ga_gradient(x, 0, NULL, GA_AXIS(0), 3, &g), GA_ERR_VALUE,
        "the edges' order is 3");
    BAD(!ga_gradient(x, 2, steps, GA_AXIS(0), 1, &g), GA_ERR_VALUE,
        "2 spacings for 1 axes");
    BAD(!ga_gradient(x, 1, steps, GA_AXIS(0), 1, &g), GA_ERR_SHAPE,
        "a spacing of shape (2,3)");
    BAD(!ga_gradient(ga_ones(GA_SHAPE(3), GA_BOOL), 0, NULL, GA_ALL, 1, &g),
        GA_ERR_DTYPE, "bool is not supported");
    T_CHECK(g == x);
}

#define LIST_SCAN(n, ...) T(golden_##n),
/* One step: there is nothing to sum. */
TEST(one_trapezium) {
    for (int k = 0; k < 4; k++) {
        GA_SCOPE;
        const ga_dtype t = k & 1 ? GA_FLOAT32 : GA_INT16;
        ga_array *x = ga_astype(t_random_array(GA_INT16, GA_SHAPE(5, 2, 3), -9, 9), t);
        const double *v = (const double *)t_host(ga_astype(x, GA_FLOAT64));
        double want[15];
        for (int i = 0; i < 15; i++)
            want[i] = .25 * (v[i / 3 * 6 + i % 3] + v[i / 3 * 6 + 3 + i % 3]) / 2;
        if (k & 2) x = ga_flip(ga_copy(ga_flip(x, GA_AXIS(0))), GA_AXIS(0));
        ga_array *const y = ga_trapezoid(x, GA_NONE, .25, 1);
        T_CHECK(y && y->dtype == (t == GA_INT16 ? GA_FLOAT64 : t));
        t_same(ga_astype(y, GA_FLOAT64), GA_FLOAT64, GA_SHAPE(5, 3), want);
        t_same(ga_trapezoid(ga_asarray(((double[]){1, -4}), GA_SHAPE(2)), GA_NONE, 2, 0),
               GA_FLOAT64, GA_SCALAR_SHAPE, (double[]){-3});
    }
}
int main(void) {
    const struct CMUnitTest tests[] = {
        GA_SCANS(LIST_SCAN)
        T(differences), T(long_trapezoids), T(differences_with_numbers), T(sizes_bool), T(sizes_int8), T(sizes_int16), T(sizes_int32),
        T(sizes_int64), T(sizes_uint8), T(sizes_uint16), T(sizes_uint32),
        T(sizes_uint64), T(sizes_float16), T(sizes_bfloat16),
        T(sizes_float32), T(sizes_float64), T(sizes_complex64),
        T(sizes_complex128), T(accuracy), T(columns_repeat),
        T(halfway), T(short_axes), T(every_second), T(rows_anywhere), T(chains), T(logarithms),
        T(rows_of_some), T(extremes_of_runs), T(empty_and_small), T(axes_of_one), T(one_trapezium), T(into), T(graphs), T(errors),
    };
    g_load("scans.bin");
    int failed = T_RUN("scans", tests);
    g_free();
    return failed;
}
