/* Scans of
   sizes that need many tiles and chains of them, in every layout, against plain
   loops in long double; accuracy beside such a loop in the dtype itself,
   repeatability, graphs, errors.                                            */
#include "test.h"
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
static long double size_of(number v) { return hypotl(v.re, v.im); }
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
    if (isinf(s->start) && t_is_complex(t)) v.im = v.re;
    if (!isinf(s->start)) v.i = (uint64_t)s->start;
    else if (t == GA_BOOL) v.i = up;
    else if (t >= GA_UINT8) v.i = up ? UINT64_MAX >> (64 - bits) : 0;
    else v.i = (uint64_t)(up ? INT64_MAX >> (64 - bits)
                             : INT64_MIN >> (64 - bits));
    return v;
}
static bool fits(const void *p, ga_dtype t, int64_t i, number w, bool single) {
    number v = value_of(p, t, i);
    if (!w.ok) return true;
    if (t < GA_FLOAT16) return v.i == w.i;
    ga_dtype r = t_real_of(t);
    long double size = size_of(w);
    if (r == GA_FLOAT16 && size > 60000) return true;
    long double tol = (long double)t_ulp(r, (double)size) + 0x1p-45L * w.mag;
    if (single && r != GA_FLOAT64) tol += 0x1p-21L * w.mag;
    return (v.re == w.re && v.im == w.im)
           || hypotl(v.re - w.re, v.im - w.im) <= tol;
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
    bool rough = s->combine[0] == 'l';
    for (int64_t line = 0; len && line < x->size / len; line++) {
        int64_t at = line / inner * inner * len + line % inner, step = inner;
        if (flags & GA_REVERSE) at += (len - 1) * step, step = -step;
        number a = start_of(s, t);
        for (int64_t k = 0; k < len; k++, at += step) {
            number b = join(s, t, a, value_of(p, t, at));
            number w = flags & GA_EXCLUSIVE ? a : b;
            if (!fits(g, rt, at, w, rough) && bad++ == 0)
                t_bad("element %lld is %s, expected %.17Lg %.17Lg %lld",
                      (long long)at, t_text(g, rt, at), w.re, w.im,
                      (long long)w.i);
            a = b;
        }
    }
    free(p);
    free(g);
}

/* ------------------------------------------------------------------ sizes */
static const ga_shape shapes[] = {
    {1, {1}}, {1, {31}}, {1, {5003}}, {1, {150001}}, {2, {3, 70001}},
    {2, {70001, 3}}, {2, {700, 129}}, {2, {129, 700}}, {2, {5000, 16}},
    {2, {16, 5000}}, {2, {2, 8192}}, {3, {7, 300, 5}}, {3, {3, 5, 600}},
    {4, {2, 3, 40, 50}}, {2, {20011, 40}}, {2, {1, 900}}, {2, {900, 1}},
    {1, {9000001}}, {2, {300000, 20}}, {2, {40, 100003}},
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

int main(void) {
    const struct CMUnitTest tests[] = {
        T(sizes_bool), T(sizes_int8), T(sizes_int16), T(sizes_int32),
        T(sizes_int64), T(sizes_uint8), T(sizes_uint16), T(sizes_uint32),
        T(sizes_uint64), T(sizes_float16), T(sizes_bfloat16),
        T(sizes_float32), T(sizes_float64), T(sizes_complex64),
        T(sizes_complex128), T(accuracy), T(columns_repeat),
    };
    return T_RUN("scans", tests);
}
