/* sort, argsort, lexsort, partition, topk: against a plain stable sort written
   here, and NumPy's results (golden/sorting.bin); searching, sets.           */
#define _POSIX_C_SOURCE 200809L
#include "golden.h"
#include "child.h"

/* ------------------------------------------------------------ the reference */
static uint32_t seed = 1;
static uint32_t next(void) { return seed = seed * 1664525u + 1013904223u; }

/* Element i of p before element j, as NumPy has it; exact for 64 bits. */
static int part_order(ga_dtype t, const void *p, int64_t i, int64_t j,
                      int part, bool desc) {
    if (t == GA_INT64 || t == GA_UINT64) {
        int64_t a = ((const int64_t *)p)[i], b = ((const int64_t *)p)[j];
        int less = t == GA_INT64 ? a < b : (uint64_t)a < (uint64_t)b;
        return a == b ? 0 : less != desc ? -1 : 1;
    }
    double a = t_value(p, t, i, part), b = t_value(p, t, j, part);
    if (isnan(a) || isnan(b)) return !!isnan(a) - !!isnan(b);
    return a == b ? 0 : (a < b) != desc ? -1 : 1;
}
static int order(ga_dtype t, const void *p, int64_t i, int64_t j, bool desc) {
    if (!t_is_complex(t)) return part_order(t, p, i, j, 0, desc);
    bool ri = isnan(t_value(p, t, i, 0)), ii = isnan(t_value(p, t, i, 1));
    bool rj = isnan(t_value(p, t, j, 0)), ij = isnan(t_value(p, t, j, 1));
    int class_i = 2 * ri + ii, class_j = 2 * rj + ij;
    if (class_i != class_j) return class_i < class_j ? -1 : 1;
    int c = ri ? 0 : part_order(t, p, i, j, 0, desc);
    return c || ii ? c : part_order(t, p, i, j, 1, desc);
}
static struct { ga_dtype t; const void *p; bool desc; } by;
static int compare(const void *x, const void *y) {
    int64_t i = *(const int64_t *)x, j = *(const int64_t *)y;
    int c = order(by.t, by.p, i, j, by.desc);
    return c ? c : i < j ? -1 : 1;
}
/* The places of n elements, stable. */
static int64_t *places_of(ga_dtype t, const void *p, int64_t n, bool desc) {
    int64_t *at = (int64_t *)t_alloc((size_t)n * sizeof *at);
    for (int64_t i = 0; i < n; i++) at[i] = i;
    by.t = t, by.p = p, by.desc = desc;
    qsort(at, (size_t)n, sizeof *at, compare);
    return at;
}
/* Few different values, so that many are equal; NaNs, zeros, infinities. */
static void fill(ga_dtype t, void *p, int64_t n, bool many) {
    for (int64_t i = 0; i < n; i++) {
        double part[2];
        for (int k = 0; k < 2; k++) {
            uint32_t r = next() >> 8;
            double v = many ? r % 16777216 : r % 61;
            if (!t_is_int(t) || (t >= GA_INT8 && t <= GA_INT64))
                v -= many ? 8388608 : 30;
            if (many && t != GA_UINT64 && !(t_is_int(t)))
                v *= r & 1 ? 1e-3 : 1;
            uint32_t what = next() >> 8 & 31;
            if (t_is_float(t) || t_is_complex(t)) {
                if (what == 0) v = NAN;
                if (what == 1) v = -NAN;
                if (what == 2 || what == 3) v = 0;
                if (what == 4 || what == 5) v = -0.0;
                if (what == 6) v = INFINITY;
                if (what == 7) v = -INFINITY;
            }
            part[k] = v;
        }
        if (t_is_int(t) && many) {  /* all bits                             */
            uint32_t w[2] = {next() ^ next() >> 16, next() ^ next() >> 16};
            memcpy((char *)p + (size_t)i * ga_dtype_size(t), w,
                   ga_dtype_size(t));
        } else {
            t_store(p, t, i, part[0], part[1]);
        }
    }
}
/* The same element, a zero's sign included; NaN is NaN. */
static bool same_element(ga_dtype t, const void *p, int64_t i, const void *q,
                         int64_t j) {
    size_t s = ga_dtype_size(t);
    if (!memcmp((const char *)p + (size_t)i * s, (const char *)q
                    + (size_t)j * s, s))
        return true;
    for (int k = 0; k <= t_is_complex(t); k++) {
        double a = t_value(p, t, i, k), b = t_value(q, t, j, k);
        if (isnan(a) && isnan(b)) continue;
        if (isnan(a) || isnan(b) || a != b || signbit(a) != signbit(b))
            return false;
    }
    return t_is_float(t) || t_is_complex(t);
}

/* x, of a C-ordered shape, sorted along an axis, values and places, against the
   reference; rows have stride `step` in x's host copy.                      */
static void check(ga_array *x, int axis, unsigned flags) {
    const ga_dtype t = x->dtype;
    const size_t size = ga_dtype_size(t);
    const bool all = axis < 0;
    int64_t n = all ? x->size : x->shape[axis], step = 1;
    for (int d = axis + 1; d < x->ndim && !all; d++) step *= x->shape[d];
    ga_axis a = all ? GA_ALL : GA_AXIS(axis);
    ga_array *v = ga_sort(x, a, flags), *p = ga_argsort(x, a, flags);
    if (!v || !p) return;
    const char *host = (const char *)t_host(x), *values = (const char *)t_host(v);
    const int64_t *places = (const int64_t *)t_host(p);
    T_CHECK(v->dtype == t && p->dtype == GA_INT64 && v->size == x->size);
    char *row = (char *)t_alloc((size_t)n * size);
    for (int64_t r = 0; n && r < x->size / n; r++) {
        int64_t base = r / step * step * n + r % step;
        for (int64_t i = 0; i < n; i++)
            memcpy(row + (size_t)i * size,
                   host + (size_t)(base + i * step) * size, size);
        int64_t *want = places_of(t, row, n, flags & GA_DESCENDING);
        for (int64_t i = 0; i < n; i++) {
            if (places[base + i * step] != want[i]) {
                t_bad("row %lld: place %lld is %lld, expected %lld",
                      (long long)r, (long long)i,
                      (long long)places[base + i * step], (long long)want[i]);
                return;
            }
            if (!same_element(t, values, base + i * step, row, want[i])) {
                t_bad("row %lld: element %lld differs", (long long)r,
                      (long long)i);
                return;
            }
        }
    }
    t_release_host();
}
static ga_array *make(ga_dtype t, ga_shape s, bool many) {
    int64_t n = 1;
    for (int i = 0; i < s.ndim; i++) n *= s.dim[i];
    void *p = t_alloc((size_t)n * ga_dtype_size(t));
    fill(t, p, n, many);
    return ga_asarray_as(p, t, s);
}

/* Every length class of every dtype: by counting, in registers of one to four
   warps, in shared memory, by radix.                                        */
TEST(rows) {
    static const int64_t lengths[] = {1, 2, 5, 31, 32, 33, 100, 128, 129, 400,
                                      700, 1024, 1025, 3000, 4096, 4097,
                                      9000, 70000};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (size_t i = 0; i < T_COUNT(lengths); i++)
            for (int many = 0; many < 2; many++) {
                GA_SCOPE;
                int64_t n = lengths[i], rows = n > 5000 ? 2 : 5;
                if ((t_quick() && n > 9000) || (n > 5000 && many)) continue;
                t_context("%s (%lld,%lld)%s", ga_dtype_name((ga_dtype)t),
                          (long long)rows, (long long)n, many ? " many" : "");
                ga_array *x = make((ga_dtype)t, GA_SHAPE(rows, n), many);
                check(x, 1, many ? 0 : GA_DESCENDING);
                if (n < 5000 && many) check(x, 1, GA_DESCENDING);
                if (n < 2000 || t % 3 == 0) check(x, -1, 0);
            }
}
/* Integers whose upper bytes are their signs', of a row each its own. */
TEST(signs) {
    static const double size[] = {0, 1, 100, 200, 3e4, 4e4, 8e6, 1e9, 4e15};
    for (int t = GA_INT8; t <= GA_INT64; t++) {
        GA_SCOPE;
        ga_array *x = ga_zeros(GA_SHAPE(9, 5003), (ga_dtype)t);
        const double most = ldexp(1, 8 * (int)ga_dtype_size((ga_dtype)t) - 1) - 1;
        for (int r = 0; r < 9; r++)
            ga_assign(ga_slice(x, "%d", r), ga_astype(t_random_array(GA_FLOAT64,
                GA_SHAPE(5003), r % 2 ? -fmin(size[r], most) : -fmin(1, size[r]),
                fmin(size[r], most)), (ga_dtype)t));
        t_context("%s", ga_dtype_name((ga_dtype)t));
        check(x, 1, 0);
        check(x, 1, GA_DESCENDING);
    }
}
/* Many short rows; rows along the first and a middle axis. */
TEST(axes) {
    static const ga_dtype types[] = {GA_BOOL, GA_INT16, GA_FLOAT32, GA_FLOAT64,
                                     GA_COMPLEX64, GA_COMPLEX128};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name(types[i]));
        ga_array *x = make(types[i], GA_SHAPE(7, 50, 9), false);
        for (int axis = -1; axis < 3; axis++)
            for (int desc = 0; desc < 2; desc++)
                check(x, axis, desc ? GA_DESCENDING : 0);
        check(make(types[i], GA_SHAPE(3000, 10), true), 1, 0);
        const int64_t m = t_quick() ? 70 : 200;
        check(make(types[i], GA_SHAPE(m, 3000), true), 0, 0);
        check(make(types[i], GA_SHAPE(3000, m), true), 1, 0);
        check(make(types[i], GA_SHAPE(6000, 6), true), 0, 0);
        check(make(types[i], GA_SHAPE(2, 6000, 3), true), 1, GA_DESCENDING);
    }
}
/* Short rows, many at once on the CPU device: of every length to 34, along each
   axis, beside others, in steps and turned round; the first few of them.     */
TEST(short_rows) {
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (int64_t n = 1; n < 35; n += n < 6 ? 1 : t_quick() ? 9 : 3) {
            GA_SCOPE;
            const int64_t some = n % 3 ? 2 : 33;
            const unsigned flags = (t + n) & 1 ? GA_DESCENDING : 0;
            t_context("%s, %lld", ga_dtype_name((ga_dtype)t), (long long)n);
            ga_array *x = make((ga_dtype)t, GA_SHAPE(19, n, some), n & 2);
            check(x, 1, flags);
            check(make((ga_dtype)t, GA_SHAPE(n, 300), n & 4), 0, flags);
            check(make((ga_dtype)t, GA_SHAPE(301, n), n & 4), 1, flags);
            check(ga_transpose(x, GA_ALL), 1, flags);
            check(ga_slice(x, "::-1, :, ::3"), 1, flags);
            check(ga_slice(x, ":, ::-2"), 1, flags);
            for (int64_t k = 1; k <= n; k += n / 3 + 1) {
                ga_array *v, *at, *all = ga_argsort(x, GA_AXIS(1),
                                                    flags ^ GA_DESCENDING);
                ga_topk(x, k, GA_AXIS(1), flags ? GA_SMALLEST : 0, &v, &at);
                t_same_arrays(at, ga_slice_axis(all, 1, 0, k, 1), 0);
                t_same_arrays(v, ga_take_along_axis(x, at, GA_AXIS(1)), 0);
                ga_array *room = ga_full(GA_SHAPE(19, 2 * n, some), 77, GA_INT64);
                ga_argpartition_into(ga_slice(room, ":, ::2"), x, k - 1,
                                     GA_AXIS(1), flags ^ GA_DESCENDING);
                t_same_arrays(ga_slice(room, ":, ::2"), all, 0);
                T_CHECK(ga_item(ga_all(ga_equal(ga_slice(room, ":, 1::2"), 77),
                                       GA_ALL)) == 1);
            }
        }
}
/* The first of rows, in the order that all of them have. */
TEST(few_of_rows) {
    static const int64_t lengths[] = {1, 48, 70, 200, 512, 700};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (size_t i = 0; i < T_COUNT(lengths); i++) {
            GA_SCOPE;
            const int64_t n = lengths[i];
            const int64_t some[] = {1, 2, 5, n / 8, n / 3};
            ga_array *x = make((ga_dtype)t, GA_SHAPE(23, n), i & 1);
            if (i % 3 == 2) x = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
            for (size_t k = 0; k < 2 * T_COUNT(some); k++) {
                const int64_t m = some[k / 2];
                ga_array *v, *at;
                t_context("%s, %lld of %lld", ga_dtype_name((ga_dtype)t),
                          (long long)m, (long long)n);
                if (m < 1 || m > n) continue;
                ga_array *all = ga_argsort(x, GA_AXIS(1), k % 2 ? 0 : GA_DESCENDING);
                T_CHECK(!ga_topk(x, m, GA_AXIS(1), k % 2 ? GA_SMALLEST : 0, &v, &at));
                t_same_arrays(at, ga_slice_axis(all, 1, 0, m, 1), 0);
                t_same_arrays(v, ga_take_along_axis(x, at, GA_AXIS(1)), 0);
            }
        }
}
TEST(zero_sizes) {
    GA_SCOPE;
    ga_array *none = ga_zeros(GA_SHAPE(0), GA_FLOAT32);
    ga_array *rows = ga_zeros(GA_SHAPE(3, 0, 2), GA_FLOAT32);
    ga_array *one = ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT32);
    T_CHECK(t_is(ga_sort(none, GA_AXIS(0), 0), GA_FLOAT32, GA_SHAPE(0)));
    T_CHECK(t_is(ga_argsort(rows, GA_AXIS(1), 0), GA_INT64,
                 GA_SHAPE(3, 0, 2)));
    T_CHECK(t_is(ga_sort(rows, GA_AXIS(2), 0), GA_FLOAT32,
                 GA_SHAPE(3, 0, 2)));
    T_CHECK(t_is(ga_argsort(rows, GA_ALL, 0), GA_INT64, GA_SHAPE(0)));
    T_CHECK(t_is(ga_sort(one, GA_ALL, 0), GA_FLOAT32, GA_SHAPE(1)));
    ga_sort(one, GA_AXIS(0), 0);
    T_ERROR(GA_ERR_AXIS);
}
/* Rows over many tiles of the GPU's radix sort. */
TEST(large) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_INT8, GA_COMPLEX128,
                                     GA_INT64};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        GA_SCOPE;
        int64_t n = t_quick() ? 30000 : 400000;
        t_context("%s", ga_dtype_name(types[i]));
        check(make(types[i], GA_SHAPE(n), i != 1), 0, 0);
        check(make(types[i], GA_SHAPE(n / 3, 2), i != 1), 0, GA_DESCENDING);
    }
}

/* Few values about the ends of a type and its middle, some with one far away. */
TEST(few_values) {
    static const ga_dtype types[] = {GA_INT16, GA_UINT16, GA_INT32, GA_UINT32,
                                     GA_INT64, GA_UINT64, GA_FLOAT32};
    for (int i = 0; i < 6 * (int)T_COUNT(types); i++) {
        GA_SCOPE;
        const ga_dtype t = types[i / 6];
        const int64_t n = 6001;
        const int bits = 8 * (int)ga_dtype_size(t), bytes = bits / 8;
        char *p = (char *)t_alloc((size_t)(n * bytes));
        t_context("%s %d", ga_dtype_name(t), i % 6);
        for (int64_t k = 0; k < n; k++) {
            uint64_t v = (next() >> 8) % (i % 2 ? 700 : 3);
            if (i % 6 > 1) v = ((uint64_t)1 << (bits - 1)) + v - 2;
            if (i % 6 > 3) v = v - 40;
            if (i % 6 == 5 && k == 4567) v = 77;
            if (t == GA_FLOAT32) v &= 0xff7fffffu;      /* no NaN           */
            memcpy(p + k * bytes, &v, (size_t)bytes);   /* little-endian    */
        }
        ga_array *x = ga_asarray_as(p, t, GA_SHAPE(n));
        check(x, 0, 0);
        check(x, 0, GA_DESCENDING);
    }
}

/* kth and the sides of it, values and places, of rows of x's last axis. */
static void check_partition(ga_array *x, int64_t kth, unsigned flags) {
    const ga_dtype t = x->dtype;
    const int64_t n = x->shape[x->ndim - 1];
    ga_array *v = ga_partition(x, kth, GA_AXIS(-1), flags);
    ga_array *p = ga_argpartition(x, kth, GA_AXIS(-1), flags);
    ga_array *tv, *ti;
    ga_topk(x, kth + 1, GA_AXIS(-1), flags ? 0 : GA_SMALLEST, &tv, &ti);
    if (!v || !p || ga_error()) return;
    const size_t size = ga_dtype_size(t);
    const char *host = (const char *)t_host(x);
    const char *values = (const char *)t_host(v), *top = (const char *)t_host(tv);
    const int64_t *places = (const int64_t *)t_host(p);
    const int64_t *tops = (const int64_t *)t_host(ti);
    char *two = (char *)t_alloc(2 * size);
    for (int64_t r = 0; r < x->size / n; r++) {
        const char *row = host + (size_t)(r * n) * size;
        int64_t *want = places_of(t, row, n, flags != 0);
        const char *own = values + (size_t)(r * n) * size;
        int64_t *got = places_of(t, own, n, flags != 0);
        char *seen = (char *)t_alloc((size_t)n);
        memset(seen, 0, (size_t)n);
        bool ok = true;
        for (int64_t i = 0; i < n && ok; i++) {
            int64_t at = places[r * n + i];
            ok = at >= 0 && at < n && !seen[at];
            if (!ok) break;
            seen[at] = 1;
            memcpy(two + size, row + (size_t)want[kth] * size, size);
            for (int k = 0; k < 2; k++) {
                memcpy(two, k ? row + at * (int64_t)size : own + i * (int64_t)size,
                       size);
                int c = order(t, two, 0, 1, flags != 0);
                ok = ok && (i < kth ? c <= 0 : i > kth ? c >= 0 : c == 0);
            }
            memcpy(two, own + (size_t)got[i] * size, size);
            memcpy(two + size, row + (size_t)want[i] * size, size);
            ok = ok && order(t, two, 0, 1, flags != 0) == 0;
        }
        T_CHECKF(ok, "row %lld: partition at %lld", (long long)r,
                 (long long)kth);
        for (int64_t i = 0; i <= kth && ok; i++) {
            ok = tops[r * (kth + 1) + i] == want[i]
                 && same_element(t, top, r * (kth + 1) + i, row, want[i]);
            T_CHECKF(ok, "row %lld: topk %lld of %lld", (long long)r,
                     (long long)i, (long long)kth + 1);
        }
    }
    t_release_host();
}
TEST(partition) {
    static const int64_t lengths[] = {1, 20, 300, 5000, 20000};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (size_t i = 0; i < T_COUNT(lengths); i++)
            for (int many = 0; many < 2; many++) {
                GA_SCOPE;
                int64_t n = lengths[i];
                if (n > 5000 && (t_quick() || (t % 3 && many))) continue;
                t_context("%s %lld%s", ga_dtype_name((ga_dtype)t), (long long)n,
                          many ? " many" : "");
                ga_array *x = make((ga_dtype)t, GA_SHAPE(2, n), many);
                int64_t at[] = {0, n / 60, n / 2, n - 1, n / 15};
                for (int k = 0; k < 5; k++)
                    check_partition(x, at[k], k & 1 ? GA_DESCENDING : 0);
                if (t_on_gpu()) continue;       /* columns are rows         */
                ga_array *y = ga_copy(ga_swapaxes(x, 0, 1));
                t_same_arrays(ga_swapaxes(ga_partition(y, n / 2, GA_AXIS(0), 0), 0, 1),
                              ga_partition(x, n / 2, GA_AXIS(1), 0), 0);
                t_same_arrays(ga_swapaxes(ga_argpartition(y, n / 2, GA_AXIS(0), 0), 0, 1),
                              ga_argpartition(x, n / 2, GA_AXIS(1), 0), 0);
            }
}
/* Rows of one value, of two, three, seven, where what is between two of a sample's
   is a part of the row that no bound knows; over itself, too.               */
TEST(partition_of_few) {
    static const ga_dtype types[] = {GA_INT32, GA_UINT64, GA_FLOAT32, GA_FLOAT64,
                                     GA_COMPLEX64};
    static const double from[] = {3, -0.0, 0, NAN, -7, INFINITY, 1};
    static const int many[] = {1, 2, 3, 7};
    for (size_t c = 0; c < T_COUNT(types) * T_COUNT(many) * 2; c++) {
        GA_SCOPE;
        const ga_dtype t = types[c / 2 % T_COUNT(types)];
        const int values = many[c / 2 / T_COUNT(types)];
        const int64_t n = c % 2 ? 601 : 4100;
        void *p = t_alloc((size_t)(2 * n) * ga_dtype_size(t));
        for (int64_t i = 0; i < 2 * n; i++) {
            const int k = (int)((next() >> 8) % (uint32_t)values);
            t_store(p, t, i, t_is_int(t) ? k * 5 : from[k], 0);
        }
        t_context("%s %d %lld", ga_dtype_name(t), values, (long long)n);
        ga_array *x = ga_asarray_as(p, t, GA_SHAPE(2, n));
        const int64_t at[] = {0, n / 3, n / 2, n - n / 40, n - 1};
        for (int k = 0; k < 5; k++) {
            check_partition(x, at[k], k & 1 ? GA_DESCENDING : 0);
            ga_array *y = ga_copy(x);
            ga_partition_into(y, y, at[k], GA_AXIS(1), 0);
            t_same_arrays(y, ga_partition(x, at[k], GA_AXIS(1), 0), 0);
        }
    }
}

/* The first k of rows are those of a stable sort: lengths around a block's, along
   each axis, of few values, ascending, descending, all NaN. */
TEST(first_of_rows) {
    static const int n[] = {9, 33, 128, 129, 1024, 1025, 2048, 2049, 4095, 4096,
                            4097};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (int i = 0; i < (int)T_COUNT(n); i++) {
            if (t_quick() && (t + i) % 4) continue;
            GA_SCOPE;
            const int kind = (t + i) % 5, m = i % 3 ? 3 : 33;
            ga_array *x = make((ga_dtype)t, GA_SHAPE(m, n[i]), true);
            if (kind == 1) x = ga_sort(x, GA_AXIS(1), 0);
            if (kind == 2) x = ga_sort(x, GA_AXIS(1), GA_DESCENDING);
            if (kind == 3) x = ga_astype(ga_remainder(ga_reshape(ga_arange(
                0, m * n[i], 1), GA_SHAPE(m, n[i])), 3), (ga_dtype)t);
            if (kind == 4 && t >= GA_FLOAT16) ga_assign(ga_slice(x, "1:3"), NAN);
            for (int k = 1, least = 0; k <= 33; k += 31 - least, least = 30)
                for (int axis = 0; axis < 2; axis++) {
                    const int most = k <= n[i] ? k : n[i];
                    const unsigned flags = (k + axis) % 2 ? GA_SMALLEST : 0;
                    t_context("%s, %d of %d, axis %d", ga_dtype_name((ga_dtype)t),
                              most, n[i], axis);
                    const ga_array *y = axis ? x
                        : ga_copy(ga_transpose(x, GA_ALL));
                    ga_array *v = NULL, *at = NULL, *all = ga_argsort(
                        y, GA_AXIS(axis), flags ? 0 : GA_DESCENDING);
                    T_CHECK(!ga_topk(y, most, GA_AXIS(axis), flags, &v, &at));
                    t_same_arrays(at, ga_slice_axis(all, axis, 0, most, 1), 0);
                    t_same_arrays(v, ga_take_along_axis(y, at, GA_AXIS(axis)), 0);
                }
        }
}
/* Many searches in a short table are as those of its ends, which are few:
   tables of even steps, of clusters, with infinities, of one value, of most, of
   few keys and of no number.                                                */
static void ends(const ga_array *table, const ga_array *x, int ways) {
    const int64_t n = x->size, h = n < 60000 ? n / 2 : 30000;
    const ga_array *part[2] = {ga_slice_axis(x, 0, 0, h, 1),
                               ga_slice_axis(x, 0, n - h, n, 1)};
    const ga_array *turned = ga_flip(table, GA_ALL);
    for (int k = 0; k < ways; k++) {
        ga_array *whole = NULL, *of[2] = {NULL, NULL};
        for (int i = 0; i < 3; i++) {
            const ga_array *v = i < 2 ? part[i] : x;
            ga_array *r = k < 2 ? ga_searchsorted(table, v, GA_NONE,
                                                  k ? GA_RIGHT : 0)
                          : k == 2 ? ga_isin(v, table, 0)
                                   : ga_digitize(v, turned, 0);
            *(i < 2 ? &of[i] : &whole) = r;
        }
        t_same_arrays(ga_slice_axis(whole, 0, 0, h, 1), of[0], 0);
        t_same_arrays(ga_slice_axis(whole, 0, n - h, n, 1), of[1], 0);
    }
}
TEST(short_tables) {
    ga_array *one = ga_zeros(GA_SHAPE(1), GA_INT8);
    const bool cpu = one->device == GA_CPU;
    const int64_t n = cpu ? 1001 : (1 << 18) + 77;
    ga_free(one);
    for (int t = GA_INT8; t <= GA_FLOAT64; t++)
        for (int k = 0; k < 4; k++) {
            GA_SCOPE;
            const bool real = t >= GA_FLOAT16;
            t_context("%s, table %d", ga_dtype_name((ga_dtype)t), k);
            ga_array *x = make((ga_dtype)t, GA_SHAPE(n), true);
            ga_array *e = make((ga_dtype)t, GA_SHAPE(k == 3 ? 4096 : 1000), true);
            if (k == 0 && real)
                e = ga_astype(ga_linspace(-3, 3, 33), (ga_dtype)t);
            if (k == 1 && real) {
                e = ga_slice(e, ":64");
                ga_assign(ga_slice(e, ":1"), -INFINITY);
                ga_assign(ga_slice(e, "1:2"), 1e-30);
            }
            if (k == 2) ga_assign(e, 7);
            e = ga_sort(e, GA_ALL, 0);
            if (k == 3) ends(ga_slice(e, "-600:"), x, 3);     /* not to digitize by */
            if (real) e = ga_slice(e, ":%d", (int)ga_item_i64(ga_searchsorted(
                                       e, ga_asarray(&(double){NAN},
                                       GA_SHAPE(1)), GA_NONE, 0)));
            ends(e, x, 4);
            ends(ga_slice(e, "%d:%d", (int)e->size / 2 - k, (int)e->size / 2 + 7),
                 x, 4);
            if (!k) ends(e, ga_copy(ga_repeat(ga_slice(e, ":9"), n / 9 + 1,
                                              GA_ALL)), 4);
        }
}

/* Against bisection here, in a table that has more levels than a block keeps and
   in those whose elements a block has all.                                   */
TEST(searches) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_INT16, GA_FLOAT64, GA_UINT64,
                                     GA_COMPLEX128, GA_UINT8, GA_BFLOAT16};
    static const int64_t sizes[] = {60000, 1, 2, 9, 700};
    for (size_t c = 0; c < T_COUNT(types) * T_COUNT(sizes); c++) {
        GA_SCOPE;
        const ga_dtype t = types[c % T_COUNT(types)];
        const int64_t all = sizes[c / T_COUNT(types)];
        const int64_t m = t_quick() && all > 3000 ? 3000 : all;
        const int64_t n = t_quick() ? 500 : 80000;
        t_context("%s in %d", ga_dtype_name(t), (int)m);
        ga_array *table = ga_sort(make(t, GA_SHAPE(m), true), GA_AXIS(0), 0);
        ga_array *x = make(t, GA_SHAPE(n), true);
        ga_assign(ga_slice_axis(x, 0, 0, n / 2, 1),
                  ga_take(table, ga_remainder(ga_arange(0, n / 2, 1), m), GA_AXIS(0), 0));
        const size_t size = ga_dtype_size(t);
        char *both = (char *)t_alloc((size_t)(m + 1) * size);
        memcpy(both, t_host(table), (size_t)m * size);
        const char *host = (const char *)t_host(x);
        const int64_t *left = (const int64_t *)t_host(
            ga_searchsorted(table, x, GA_NONE, 0));
        const int64_t *right = (const int64_t *)t_host(
            ga_searchsorted(table, x, GA_NONE, GA_RIGHT));
        const bool *in = (const bool *)t_host(ga_isin(x, table, 0));
        if (t_on_gpu()) {               /* many go another way              */
            const ga_shape times = GA_SHAPE((1 << 21) / n + 1);
            const ga_array *many = ga_tile(x, times);
            for (int r = 0; r < 2; r++) {
                const unsigned side = r ? GA_RIGHT : 0;
                t_same_arrays(ga_searchsorted(table, many, GA_NONE, side),
                              ga_tile(ga_searchsorted(table, x, GA_NONE, side), times),
                              0);
            }
            t_same_arrays(ga_isin(many, table, 0), ga_tile(ga_isin(x, table, 0),
                                                           times), 0);
        }
        for (int64_t i = 0; i < n; i++) {
            memcpy(both + (size_t)m * size, host + (size_t)i * size, size);
            int64_t lo = 0, hi = m;
            while (lo < hi) {
                int64_t mid = (lo + hi) / 2;
                if (order(t, both, mid, m, false) < 0) lo = mid + 1;
                else hi = mid;
            }
            bool nan = isnan(t_value(both, t, m, 0))
                       || (t_is_complex(t) && isnan(t_value(both, t, m, 1)));
            int64_t end = lo;
            while (end < m && end < lo + 20 && !order(t, both, end, m, false))
                end++;
            bool ok = left[i] == lo && (end == lo + 20 || right[i] == end)
                      && in[i] == (end > lo && !nan);
            T_CHECKF(ok, "search %lld: %lld to %lld, not %lld to %lld",
                     (long long)i, (long long)left[i], (long long)right[i],
                     (long long)lo, (long long)end);
        }
    }
}

/* ------------------------------------------------------------- golden data */
static ga_array *made_of(const g_record *r) {
    return (ga_asarray_as)(r->data, r->dtype, r->shape);
}
/* y is the record, NaN being NaN (in sets NumPy does not say which of those with
   a NaN is taken) and 0 being -0.                                           */
static void is(const char *what, const ga_array *y, const g_record *want) {
    if (!want || !y) {
        t_bad("%s: %s", what, want ? ga_error_message() : "no record");
        return;
    }
    bool same = y->dtype == want->dtype && y->ndim == want->shape.ndim;
    for (int d = 0; d < y->ndim && same; d++)
        same = y->shape[d] == want->shape.dim[d];
    T_CHECKF(same, "%s: dtype or shape", what);
    const void *p = same ? t_host(y) : NULL;
    for (int64_t i = 0; i < want->size && same; i++)
        for (int k = 0, z = t_is_complex(y->dtype); k <= z; k++) {
            double a = t_value(p, y->dtype, i, k);
            double b = t_value(want->data, y->dtype, i, k);
            bool nan = isnan(a) || (z && isnan(t_value(p, y->dtype, i, !k)));
            if (a == b) continue;
            if (nan && (isnan(b) || (z && isnan(t_value(want->data, y->dtype, i,
                                                        !k)))))
                continue;
            t_bad("%s: element %lld is %g, expected %g", what, (long long)i, a,
                  b);
            return;
        }
}
#define IS(what, y) is(what, y, g_find("%s/" what, key))
static void golden_case(const char *key, const g_record *r, int how) {
    GA_SCOPE;
    t_context("%s layout %d", key, how);
    ga_array *x = t_laid_out(made_of(r), how);
    ga_array *y = made_of(g_find("%s/y", key)), *i, *n, *c;
    ga_array *flat = ga_sort(x, GA_ALL, 0);
    if (x->ndim) {
        IS("sort", ga_sort(x, GA_AXIS(-1), 0));
        IS("argsort", ga_argsort(x, GA_AXIS(-1), 0));
    }
    IS("left", ga_searchsorted(flat, y, GA_NONE, 0));
    IS("right", ga_searchsorted(flat, y, GA_NONE, GA_RIGHT));
    IS("right", ga_searchsorted(ga_ravel(x), y, ga_argsort(x, GA_ALL, 0),
                                GA_RIGHT));
    IS("unique", ga_unique(x, GA_ALL, NULL, NULL, NULL));
    IS("unique", ga_unique(x, GA_ALL, &i, &n, &c));
    IS("index", i);
    IS("inverse", n);
    IS("counts", c);
    IS("isin", ga_isin(x, y, 0));
    IS("isin", ga_logical_not(ga_isin(x, y, GA_INVERT)));
    IS("intersect", ga_intersect1d(x, y));
    IS("union", ga_union1d(x, y));
    IS("setdiff", ga_setdiff1d(x, y));
    IS("setxor", ga_setxor1d(x, y));
    T_FINE();
}
TEST(golden) {
    g_load("sorting.bin");
    char key[40];
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        const char *name = ga_dtype_name((ga_dtype)t);
        const g_record *r;
        for (int k = 0; (r = g_find("%s/%d/x", name, k)); k++)
            for (int how = 0; how < 5; how++) {
                snprintf(key, sizeof key, "%s/%d", name, k);
                golden_case(key, r, how);
            }
        for (int k = 0; (r = g_find("%s/r%d/x", name, k)); k++)
            for (int axis = 0; axis < 2; axis++) {
                GA_SCOPE;
                ga_array *i, *n, *c;
                snprintf(key, sizeof key, "%s/r%d/%d", name, k, axis);
                t_context("%s", key);
                IS("unique", ga_unique(t_laid_out(made_of(r), k), GA_AXIS(axis),
                                       &i, &n, &c));
                IS("index", i);
                IS("inverse", n);
                IS("counts", c);
            }
    }
    for (int k = 0; g_find("lex/%d/out", k); k++) {
        GA_SCOPE;
        const g_record *r;
        const ga_array *keys[8];
        int n = 0;
        snprintf(key, sizeof key, "lex/%d", k);
        t_context("%s", key);
        while ((r = g_find("%s/%d", key, n))) keys[n++] = made_of(r);
        IS("out", (ga_lexsort)(GA_AXIS(-1), n, keys));
    }
    g_free();
}
/* ------------------------------------------------------------ what is asked */
/* Every layout in, a strided output, in place, another dtype. */
TEST(outputs) {
    for (int64_t n = 60; n < 10000; n *= 100)
        for (int how = 0; how < T_LAYOUTS; how++) {
            GA_SCOPE;
            t_context("%lld layout %d", (long long)n, how);
            ga_array *c = make(GA_FLOAT32, GA_SHAPE(4, n), false);
            ga_array *x = how ? t_laid_out(c, how) : c;
            for (int axis = 0; axis < 2; axis++) {
                ga_axis a = GA_AXIS(axis);
                ga_array *v = ga_sort(ga_copy(x), a, 0);
                ga_array *p = ga_argsort(ga_copy(x), a, 0);
                t_same_arrays(ga_sort(x, a, 0), v, 0);
                t_same_arrays(ga_argsort(x, a, 0), p, 0);
                ga_array *o = t_laid_out(ga_zeros(GA_SHAPE(4, n), GA_FLOAT32),
                                         how < 5 ? how : 2);
                T_CHECK(ga_sort_into(o, x, a, 0) == GA_OK);
                t_same_arrays(ga_copy(o), v, 0);
                o = t_laid_out(ga_zeros(GA_SHAPE(4, n), GA_INT64),
                               how < 5 ? how : 2);
                T_CHECK(ga_argsort_into(o, x, a, 0) == GA_OK);
                t_same_arrays(ga_copy(o), p, 0);
                o = ga_zeros(GA_SHAPE(4, n), GA_FLOAT64);
                T_CHECK(ga_sort_into(o, x, a, 0) == GA_OK);
                t_same_arrays(o, ga_astype(v, GA_FLOAT64), 0);
                o = t_laid_out(c, how < 5 ? how : 2);
                ga_array *w = ga_sort(c, a, GA_DESCENDING);
                T_CHECK(ga_sort_into(o, o, a, GA_DESCENDING) == GA_OK);
                t_same_arrays(ga_copy(o), w, 0);
            }
            ga_array *v, *i, *v2 = ga_zeros(GA_SHAPE(4, 5), GA_FLOAT32);
            ga_array *i2 = t_laid_out(ga_zeros(GA_SHAPE(4, 5), GA_INT64), 1);
            T_CHECK(ga_topk(x, 5, GA_AXIS(1), 0, &v, &i) == GA_OK);
            T_CHECK(ga_topk_into(v2, i2, x, 5, GA_AXIS(1), 0) == GA_OK);
            t_same_arrays(v2, v, 0);
            t_same_arrays(ga_copy(i2), i, 0);
            T_CHECK(ga_topk_into(NULL, i2, x, 5, GA_AXIS(1), 0) == GA_OK);
        }
}
/* Floats, many, halves by their bits: NaNs and zeros of both signs. Beside those
   with counts, which are found another way.                                  */
TEST(unique_of_floats) {
    for (int t = GA_FLOAT16; t <= GA_COMPLEX128; t++) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name((ga_dtype)t));
        ga_array *x = make((ga_dtype)t, GA_SHAPE(70001), true), *counts;
        ga_assign(ga_slice(x, "5:9"), NAN);
        ga_assign(ga_slice(x, "7"), ga_neg(ga_full(GA_SCALAR_SHAPE, NAN,
                                                   (ga_dtype)t)));
        ga_assign(ga_slice(x, "20:22"), -0.0);
        ga_array *want = ga_unique(x, GA_ALL, NULL, NULL, &counts);
        T_CHECK(want->size > 1000);
        T_CHECK(ga_array_equal(ga_unique(x, GA_ALL, NULL, NULL, NULL), want,
                               GA_EQUAL_NAN));
        T_CHECK(ga_array_equal(ga_unique(ga_slice(x, "::-1"), GA_ALL, NULL, NULL,
                                         NULL), want, GA_EQUAL_NAN));
    }
}
/* What is sought as it lies, and a copy of it. */
TEST(search_in_layouts) {
    static const ga_dtype types[] = {GA_INT8, GA_UINT16, GA_FLOAT16, GA_FLOAT32,
                                     GA_INT64, GA_COMPLEX128};
    static const int64_t tables[] = {1, 7, 100, 3000, 30000};
    for (size_t k = 0; k < T_COUNT(types); k++)
        for (size_t m = 0; m < T_COUNT(tables); m++) {
            GA_SCOPE;
            if (t_quick() && (k + m) % 4) continue;
            t_context("%s among %d", ga_dtype_name(types[k]), (int)tables[m]);
            ga_array *table = ga_sort(make(types[k], GA_SHAPE(tables[m]), true),
                                      GA_ALL, 0);
            ga_array *x = make(types[k], GA_SHAPE(301, 19, 70), true);
            ga_array *of[] = {
                ga_slice(x, ":, :, ::2"), ga_slice(x, "::-1, :, 3:"),
                ga_swapaxes(x, 0, 2), ga_slice(ga_reshape(x, GA_SHAPE(-1)), "1::3"),
                ga_swapaxes(ga_reshape(x, GA_SHAPE(19, -1)), 0, 1),
                ga_slice(ga_swapaxes(ga_reshape(x, GA_SHAPE(19, -1)), 0, 1), "::-1, 1::2"),
                ga_swapaxes(ga_reshape(x, GA_SHAPE(301, 14, 95)), 1, 2),
                ga_broadcast_to(ga_slice(x, ":, :1, :"), GA_SHAPE(301, 19, 70)),
                ga_slice(x, "5:5, :, ::2")};
            for (size_t i = 0; i < T_COUNT(of); i++) {
                const unsigned right = i & 1 ? GA_RIGHT : 0;
                t_same_arrays(ga_searchsorted(table, of[i], GA_NONE, right),
                              ga_searchsorted(table, ga_copy(of[i]), GA_NONE, right),
                              0);
                t_same_arrays(ga_isin(of[i], table, 0),
                              ga_isin(ga_copy(of[i]), table, 0), 0);
            }
        }
}
/* Bytes and halves by a bit each, in whatever layout; with counts by sorting. */
TEST(unique_of_narrow) {
    static const char *const part[] = {":", "1:", "3:-5", "::2", "-5::-1", ":, ::3",
                                       "::2, 1:-1", "::-1, ::-2"};
    for (int t = GA_BOOL; t <= GA_BFLOAT16; t++)
        for (size_t k = 0; k < T_COUNT(part) && ga_dtype_size((ga_dtype)t) <= 2; k++) {
            GA_SCOPE;
            if (t_quick() && (k + (size_t)t) % 4) continue;
            t_context("%s %s", ga_dtype_name((ga_dtype)t), part[k]);
            const bool half = t >= GA_FLOAT16;
            ga_array *x = ga_mul(ga_sub(ga_random(GA_SHAPE(700, 701), GA_FLOAT64), 0.5),
                                 half ? 1e9 : ga_dtype_size((ga_dtype)t) == 1 ? 200
                                                                           : 65000);
            if (t == GA_BOOL) x = ga_greater(x, k & 1 ? 0 : 1e9);
            else if (t == GA_UINT8 || t == GA_UINT16) x = ga_abs(x);
            x = ga_astype(x, (ga_dtype)t);
            if (half && k & 1) {
                ga_assign(ga_slice(x, "9:20, 5:90"), -NAN);
                ga_assign(ga_slice(x, "20:30, 5:90"), k & 2 ? 0.0 : -0.0);
            }
            x = ga_slice(x, "%s", part[k]);
            ga_array *of[] = {
                x, ga_swapaxes(x, 0, 1), ga_flip(x, GA_AXIS(1)),
                ga_slice(ga_broadcast_to(x, GA_SHAPE(3, x->shape[0], x->shape[1])),
                         ":, ::2"),
                ga_swapaxes(ga_slice(ga_reshape(ga_slice(ga_copy(x), ":8, :200"),
                                                GA_SHAPE(8, 8, 25)),
                                     "1::2, ::3, ::2"), 0, 2),
                ga_slice(ga_reshape(x, GA_SHAPE(-1)), ":70001")};
            for (size_t i = 0; i < T_COUNT(of); i++) {
                ga_array *counts;
                ga_array *want = ga_unique(of[i], GA_ALL, NULL, NULL, &counts);
                ga_array *got = ga_unique(of[i], GA_ALL, NULL, NULL, NULL);
                T_CHECK(got->dtype == (ga_dtype)t && got->ndim == 1);
                T_CHECK(ga_array_equal(got, want, half ? GA_EQUAL_NAN : 0));
                if (half && i < 3 && k == 1)    /* -0.0 alone stays so      */
                    T_CHECK(ga_item(ga_any(ga_logical_and(ga_equal(got, 0),
                                                          ga_signbit(got)),
                                           GA_ALL)) == 1);
            }
        }
}
/* Close integers alone are found by flags, with counts by sorting. */
TEST(unique_of_close_integers) {
    static const double from[] = {0, -70, -30000, 5e8, -5e8, 4e9};
    for (int t = GA_BOOL; t <= GA_UINT64; t++)
        for (size_t k = 0; k < (t ? T_COUNT(from) : 1); k++) {
            GA_SCOPE;
            t_context("%s from %g", ga_dtype_name((ga_dtype)t), from[k]);
            const int64_t n = 70000;
            const double side = t == GA_BOOL ? 2
                                : t == GA_INT8 || t == GA_UINT8 ? 100 : 60000;
            if (from[k] < 0 && t >= GA_UINT8) continue;
            if (from[k] != 0 && fabs(from[k]) > 1e8 && ga_dtype_size((ga_dtype)t) < 4)
                continue;
            if (from[k] > 2e9 && t == GA_INT32) continue;
            if (from[k] < -100 && t == GA_INT8) continue;
            ga_array *r = ga_floor(ga_mul(ga_random(GA_SHAPE(n), GA_FLOAT64), side));
            ga_array *x = ga_astype(ga_add(r, from[k]), (ga_dtype)t), *counts;
            ga_array *want = ga_unique(x, GA_ALL, NULL, NULL, &counts);
            t_same_arrays(ga_unique(x, GA_ALL, NULL, NULL, NULL), want, 0);
            x = ga_reshape(ga_flip(x, GA_ALL), GA_SHAPE(-1, 2));
            t_same_arrays(ga_unique(ga_swapaxes(x, 0, 1), GA_ALL, NULL, NULL, NULL),
                          want, 0);
        }
}
/* Those of which a thousand lie close and all do not. */
TEST(unique_of_integers_but_one) {
    GA_SCOPE;
    ga_array *x = ga_astype(ga_remainder(ga_arange(0, (1 << 20) + 5, 1), 1000), GA_INT32), *n;
    ga_assign(ga_slice(x, "7:8"), 2000000000);
    ga_array *want = ga_unique(x, GA_ALL, NULL, NULL, &n);
    T_CHECK(want->size == 1001 && ga_item(ga_slice(want, "-1")) == 2e9);
    t_same_arrays(ga_unique(x, GA_ALL, NULL, NULL, NULL), want, 0);
    ga_assign(ga_slice(x, "7:8"), 3);
    t_same_arrays(ga_unique(x, GA_ALL, NULL, NULL, NULL), ga_slice(want, ":-1"), 0);
}
TEST(capacity) {
    GA_SCOPE;
    ga_array *x = ga_remainder(ga_arange(0, 20000, 1), 7), *i, *n, *c;
    ga_array *all = ga_unique(x, GA_ALL, &i, &n, &c);
    for (int64_t room = 0; room < 12; room += 3) {
        int64_t m = room < 7 ? room : 7;
        ga_array *v = ga_full(GA_SHAPE(room), -1, x->dtype);
        ga_array *count = ga_zeros(GA_SCALAR_SHAPE, GA_INT64);
        ga_array *vi = ga_full(GA_SHAPE(room), -1, GA_INT64);
        ga_array *vc = ga_copy(vi), *vn = ga_zeros(GA_SHAPE(20000), GA_INT64);
        T_CHECK(ga_unique_into(v, count, x, vi, vn, vc) == GA_OK);
        T_CHECK(ga_item_i64(count) == 7);
        t_same_arrays(ga_slice_axis(v, 0, 0, m, 1),
                      ga_slice_axis(all, 0, 0, m, 1), 0);
        t_same_arrays(ga_slice_axis(vi, 0, 0, m, 1),
                      ga_slice_axis(i, 0, 0, m, 1), 0);
        t_same_arrays(ga_slice_axis(vc, 0, 0, m, 1),
                      ga_slice_axis(c, 0, 0, m, 1), 0);
        t_same_arrays(vn, n, 0);
        if (room > 7) T_CHECK(ga_item(ga_slice(v, "7")) == -1);
        ga_array *wide = ga_full(GA_SHAPE(room + 1), -1, GA_FLOAT64);
        ga_array *alone = ga_slice_axis(wide, 0, 0, room, 1);
        T_CHECK(ga_unique_into(alone, count, ga_astype(x, GA_FLOAT64), NULL,
                               NULL, NULL) == GA_OK);
        T_CHECK(ga_item_i64(count) == 7);
        T_CHECK(ga_array_equal(ga_slice_axis(alone, 0, 0, m, 1),
                               ga_slice_axis(all, 0, 0, m, 1), 0));
        T_CHECK(ga_item(ga_slice(wide, "-1")) == -1);
    }
}
#define REFUSED(code, words, call)                                          \
    do {                                                                    \
        (void)(call);                                                       \
        T_CHECKF(ga_error() == code && strstr(ga_error_message(), words),   \
                 "%d: %s: %s", __LINE__, ga_status_name(ga_error()),        \
                 ga_error_message());                                       \
        ga_clear_error();                                                   \
    } while (0)
TEST(refused) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(0, 12, 1, GA_FLOAT32), *v = NULL, *i = NULL;
    ga_array *r = ga_reshape(x, GA_SHAPE(3, 4));
    ga_array *p = ga_zeros(GA_SHAPE(12), GA_INT64);
    ga_axis two = GA_AXIS(0, 1);
    REFUSED(GA_ERR_AXIS, "2 axes", ga_sort(r, two, 0));
    REFUSED(GA_ERR_AXIS, "axis 2", ga_sort(r, GA_AXIS(2), 0));
    REFUSED(GA_ERR_VALUE, "0x4", ga_sort(x, GA_AXIS(0), GA_RIGHT));
    REFUSED(GA_ERR_VALUE, "C number", (ga_sort)(GA_ARG(3), GA_ALL, 0));
    REFUSED(GA_ERR_SHAPE, "(12,)", ga_sort_into(r, x, GA_AXIS(0), 0));
    REFUSED(GA_ERR_DTYPE, "int64", ga_argsort_into(
        ga_zeros(GA_SHAPE(12), GA_BOOL), x, GA_AXIS(0), 0));
    REFUSED(GA_ERR_INDEX, "kth 12", ga_partition(x, 12, GA_AXIS(0), 0));
    REFUSED(GA_ERR_INDEX, "kth -13", ga_argpartition(x, -13, GA_AXIS(0), 0));
    REFUSED(GA_ERR_VALUE, "k is 13", ga_topk(x, 13, GA_AXIS(0), 0, &v, &i));
    REFUSED(GA_ERR_VALUE, "k is -1", ga_topk(x, -1, GA_AXIS(0), 0, &v, &i));
    T_CHECK(!v && !i);
    REFUSED(GA_ERR_VALUE, "share",
            ga_topk_into(p, p, ga_astype(x, GA_INT64), 12, GA_AXIS(0), 0));
    REFUSED(GA_ERR_SHAPE, "(3,4)", ga_lexsort(GA_AXIS(0), x, r));
    REFUSED(GA_ERR_VALUE, "0 keys", (ga_lexsort)(GA_AXIS(0), 0, NULL));
    REFUSED(GA_ERR_NULL, "the list is NULL", (ga_lexsort)(GA_AXIS(0), 2, NULL));
    REFUSED(GA_ERR_SHAPE, "(3,4)", ga_searchsorted(r, 1, GA_NONE, 0));
    REFUSED(GA_ERR_SHAPE, "(3,4)", ga_searchsorted(x, 1, r, 0));
    REFUSED(GA_ERR_DTYPE, "float32", ga_searchsorted(x, 1, x, 0));
    REFUSED(GA_ERR_VALUE, "0x1", ga_searchsorted(x, 1, GA_NONE, GA_DESCENDING));
    REFUSED(GA_ERR_VALUE, "0x2", ga_isin(x, x, GA_SMALLEST));
    REFUSED(GA_ERR_DTYPE, "values is int64",
            ga_unique_into(p, p, x, NULL, NULL, NULL));
    REFUSED(GA_ERR_SHAPE, "count is int64",
            ga_unique_into(ga_copy(x), p, x, NULL, NULL, NULL));
    REFUSED(GA_ERR_SHAPE, "inverse is int64",
            ga_unique_into(ga_copy(x), ga_slice(p, ":1"), x, NULL,
                           ga_slice(p, "1:"), NULL));
    T_CHECK(ga_item(ga_sum(p, GA_ALL)) == 0);
    /* an order that is none: told with the next wait */
    ga_array *wrong = ga_assign(p, 12) ? NULL : p;
    ga_searchsorted(x, 1, wrong, 0);
    REFUSED(GA_ERR_INDEX, "index 12 is out of bounds", ga_synchronize());
}
/* A column of rows is sorted where it lies, all rows at once. */
static int launches(void) {
    GA_SCOPE;
    ga_array *x = ga_random(GA_SHAPE(6000, 50), GA_FLOAT32), *v, *i;
    ga_array *b = ga_random(GA_SHAPE(50, 600), GA_FLOAT32);
    ga_profile_reset();
    ga_sort(x, GA_AXIS(0), 0);
    ga_argsort(x, GA_AXIS(0), 0);
    ga_sort(b, GA_AXIS(0), 0);
    ga_topk(x, 7, GA_AXIS(0), 0, &v, &i);
    ga_partition(x, 70, GA_AXIS(0), 0);
    ga_unique(x, GA_ALL, &v, &i, NULL);
    ga_isin(x, b, 0);
    ga_profile_row r[50];
    int n = ga_profile_get(r, 50), bad = n != 6;
    for (int k = 0; k < n && k < 50; k++)
        bad += r[k].calls > (strcmp(r[k].op, "ga_unique") ? 2 : 4);
    if (bad) ga_profile_print(stdout);
    ga_profile_reset();
    return bad;
}
TEST(few_launches) {
    T_CHECKF(T_CHILD("launches", "GPUARR_PROFILE=1") == 0, "%s", t_said);
}
typedef struct step { ga_array *x, *y, *out[12]; } step;
static void steps(void *arg) {
    step *s = (step *)arg;
    GA_SCOPE;
    ga_sort_into(s->out[0], s->x, GA_AXIS(0), 0);
    ga_argsort_into(s->out[1], s->x, GA_AXIS(0), 0);
    ga_partition_into(s->out[2], s->x, 500, GA_AXIS(0), 0);
    ga_topk_into(s->out[3], s->out[4], s->x, 9, GA_AXIS(0), 0);
    ga_lexsort_into(s->out[5], GA_AXIS(0), s->x, s->y);
    ga_searchsorted_into(s->out[6], s->out[0], s->x, GA_NONE, 0);
    ga_isin_into(s->out[7], s->x, s->y, 0);
    ga_unique_into(s->out[8], s->out[9], s->y, NULL, s->out[10], NULL);
}
TEST(captured) {
    for (int64_t n = 600; n <= 60000; n *= 10) {
        GA_SCOPE;
        ga_array *x = make(GA_FLOAT32, GA_SHAPE(n), true);
        ga_array *y = make(GA_FLOAT32, GA_SHAPE(n), false);
        ga_array *none = ga_zeros_like(x);
        step s = {none, ga_zeros_like(x), {NULL}};
        for (int i = 0; i < 11; i++) {
            bool index = i == 1 || i == 5 || i == 6 || i >= 9;
            s.out[i] = ga_zeros(i == 9 ? GA_SCALAR_SHAPE
                                : i == 3 || i == 4 ? GA_SHAPE(9) : GA_SHAPE(n),
                                index || i == 4 ? GA_INT64
                                : i == 7 ? GA_BOOL : GA_FLOAT32);
        }
        ga_graph *g = ga_graph_create(steps, &s);
        T_CHECKF(g != NULL, "%s", ga_error_message());
        ga_assign(s.x, x);
        ga_assign(s.y, y);
        T_CHECK(ga_graph_launch(g) == GA_OK);
        ga_array *v = ga_sort(x, GA_AXIS(0), 0), *t, *ti, *u, *un;
        t_same_arrays(s.out[0], v, 0);
        t_same_arrays(s.out[1], ga_argsort(x, GA_AXIS(0), 0), 0);
        t_same_arrays(s.out[2], ga_partition(x, 500, GA_AXIS(0), 0), 0);
        ga_topk(x, 9, GA_AXIS(0), 0, &t, &ti);
        t_same_arrays(s.out[3], t, 0);
        t_same_arrays(s.out[4], ti, 0);
        t_same_arrays(s.out[5], ga_lexsort(GA_AXIS(0), x, y), 0);
        t_same_arrays(s.out[6], ga_searchsorted(v, x, GA_NONE, 0), 0);
        t_same_arrays(s.out[7], ga_isin(x, y, 0), 0);
        u = ga_unique(y, GA_ALL, NULL, &un, NULL);
        T_CHECK(ga_item_i64(s.out[9]) == u->size);
        t_same_arrays(ga_slice_axis(s.out[8], 0, 0, u->size, 1), u, 0);
        t_same_arrays(s.out[10], un, 0);
        ga_graph_destroy(g);
    }
}
/* Slices without elements are one, as often as there are. */
TEST(unique_of_empty_slices) {
    GA_SCOPE;
    ga_array *at, *inverse, *counts;
    ga_array *y = ga_unique(ga_zeros(GA_SHAPE(2, 0), GA_INT8), GA_AXIS(0), &at,
                            &inverse, &counts);
    T_CHECK(y && y->ndim == 2 && y->shape[0] == 1 && y->shape[1] == 0);
    t_same(at, GA_INT64, GA_SHAPE(1), (int64_t[]){0});
    t_same(inverse, GA_INT64, GA_SHAPE(2), (int64_t[]){0, 0});
    t_same(counts, GA_INT64, GA_SHAPE(1), (int64_t[]){2});
}
/* What the common dtype, here float64, cannot hold stays what it is in x. */
TEST(differences_of_other_dtypes) {
    GA_SCOPE;
    const int64_t v[] = {(1ll << 62) + 1, 5, (1ll << 62) + 1, -INT64_MAX, 1ll << 62};
    const int64_t want[] = {-INT64_MAX, 1ll << 62, (1ll << 62) + 1};
    ga_array *y = ga_asarray(((double[]){5, .5}), GA_SHAPE(2));
    t_same(ga_setdiff1d(ga_asarray(v, GA_SHAPE(5)), y), GA_INT64, GA_SHAPE(3), want);
    t_same(ga_setdiff1d(ga_asarray(((int8_t[]){7, 5, -1}), GA_SHAPE(3)), y), GA_INT8,
           GA_SHAPE(2), (int8_t[]){-1, 7});
}

/* Many integers among few, which lie close together or not, against all
   comparisons.                                                              */
/* Places of integers that lie close together, of which the table repeats some and
   lacks others, by counting; keys below and above it, the types' ends.       */
TEST(search_of_close_integers) {
    static const ga_dtype types[] = {GA_INT16, GA_UINT16, GA_INT32, GA_UINT32,
                                     GA_INT64, GA_UINT64};
    static const int spans[] = {0, 1, 40, 3000, 1000000};
    enum { M = 700, N = 900 };
    for (int c = 0; c < 6 * 5 * 3; c++) {
        GA_SCOPE;
        const ga_dtype t = types[c % 6];
        const int span = spans[c / 6 % 5], end = c / 30;    /* 0: neither   */
        const bool sign = t < GA_UINT8, two = ga_dtype_size(t) == 2;
        const uint64_t most = ((uint64_t)-1 >> (64 - 8 * ga_dtype_size(t))) >> sign;
        int64_t v[M + N], *want = (int64_t *)t_alloc(N * sizeof *want);
        void *p = t_alloc((M + N) * 8);
        const int64_t low = end == 0 ? 50 : end == 1 ? (sign ? -(int64_t)most - 1 : 0)
            : (int64_t)(most - (uint64_t)(two && span > 9999 ? 9999 : span));
        for (int i = 0; i < M + N; i++) {
            const int64_t more = (int64_t)(next() >> 4) % ((two && span > 9999 ? 9999
                                                            : span) + 1);
            v[i] = low + (i < M ? more / 3 * 3 : more) + (i > M && end == 0
                   ? i % 3 * 7 - 7 : 0);
        }
        for (int i = 1; i < M; i++)
            for (int j = i; j > 0; j--) {
                const bool less = sign ? v[j] < v[j - 1]
                                       : (uint64_t)v[j] < (uint64_t)v[j - 1];
                if (!less) break;
                const int64_t w = v[j];
                v[j] = v[j - 1], v[j - 1] = w;
            }
        for (int i = 0; i < M + N; i++)
            memcpy((char *)p + (size_t)i * ga_dtype_size(t), &v[i], ga_dtype_size(t));
        ga_array *all = ga_asarray_as(p, t, GA_SHAPE(M + N));
        ga_array *x = ga_slice(all, "%d:", M), *table = ga_slice(all, ":%d", M);
        t_context("%s of %d, %d", ga_dtype_name(t), span, end);
        for (int right = 0; right < 2; right++) {
            for (int i = 0; i < N; i++) {
                want[i] = 0;
                for (int j = 0; j < M; j++)
                    want[i] += (sign ? v[j] < v[M + i]
                                     : (uint64_t)v[j] < (uint64_t)v[M + i])
                               || (right && v[j] == v[M + i]);
            }
            t_same_arrays(ga_searchsorted(table, x, GA_NONE, right ? GA_RIGHT : 0),
                          ga_asarray_as(want, GA_INT64, GA_SHAPE(N)), 0);
        }
    }
    t_context("%s", "");
}
TEST(members_of_integers) {
    const ga_dtype types[] = {GA_INT8, GA_UINT8, GA_INT16, GA_UINT16, GA_BOOL,
                              GA_INT32, GA_UINT32, GA_INT64, GA_UINT64};
    for (int k = 0; k < 4 * 9; k++) {
        GA_SCOPE;
        const ga_dtype t = types[k % 9];
        const bool sign = t < GA_UINT8 && t != GA_BOOL, far = ga_dtype_size(t) > 2;
        const int64_t n = 17000, m = k / 9 * 7;
        for (double most = 60; most < (far ? 1e10 : 1e2); most *= 3e7) {
            const double high = t == GA_INT32 && most > 1e9 ? 1e9 : most;
            ga_array *x = t_random_array(t, GA_SHAPE(n), sign ? -high : 0, high);
            ga_array *y = m && most > 60 ? ga_slice_axis(x, 0, 90, 90 + m, 1)
                : t_random_array(t, GA_SHAPE(m), sign ? -high : 0, high);
            t_context("%s among %d to %g", ga_dtype_name(t), (int)m, high);
            ga_array *want = ga_any(ga_equal(ga_expand_dims(x, GA_AXIS(1)), y),
                                    GA_AXIS(1));
            T_CHECK(ga_array_equal(ga_isin(x, y, 0), want, 0));
            T_CHECK(ga_array_equal(ga_isin(x, y, GA_INVERT),
                                   ga_logical_not(want), 0));
        }
    }
    t_context("%s", "");
}
/* Of whole numbers from -50 to 50, as every dtype has them, by a table. */
TEST(sets_of_whole_numbers) {
    static const int sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {40, 40}, {900, 7},
                                   {30, 900}, {900, 300}, {3000, 2000}};
    for (int k = 0; k < (int)T_COUNT(sizes) * 2 * GA_COMPLEX64; k++) {
        GA_SCOPE;
        const ga_dtype t = (ga_dtype)(k % GA_COMPLEX64);
        const int way = k / GA_COMPLEX64 % 2, i = k / GA_COMPLEX64 / 2;
        const bool sign = (t >= GA_INT8 && t <= GA_INT64) || t >= GA_FLOAT16;
        double v[4][101];
        int count[4] = {0, 0, 0, 0};
        bool in[2][101] = {{false}};
        ga_array *of[2];
        for (int s = 0; s < 2; s++) {
            of[s] = t_random_array(t, GA_SHAPE(2 * sizes[i][s]), sign ? -50 : 0, 50);
            of[s] = t < GA_FLOAT16 ? of[s] : ga_trunc(of[s]);   /* -0 too    */
            of[s] = ga_slice(of[s], "::-2");
            if (way && sizes[i][s]) of[s] = ga_sort(of[s], GA_ALL, 0);
            const double *x = (const double *)t_host(ga_astype(of[s], GA_FLOAT64));
            for (int j = 0; j < sizes[i][s]; j++) in[s][(int)x[j] + 50] = true;
        }
        for (int j = 0; j < 101; j++) {
            const bool a = in[0][j], b = in[1][j], is[] = {a && b, a || b, a && !b, a != b};
            for (int s = 0; s < 4; s++)
                if (is[s]) v[s][count[s]++] = j - 50;
        }
        ga_array *const made[] = {
            ga_intersect1d(of[0], of[1]), ga_union1d(of[0], of[1]),
            ga_setdiff1d(of[0], of[1]), ga_setxor1d(of[0], of[1])};
        t_context("%s, %d and %d, %s", ga_dtype_name(t), sizes[i][0], sizes[i][1],
                  way ? "in order" : "in any order");
        for (int s = 0; s < 4; s++)
            t_same(ga_add(ga_astype(made[s], GA_FLOAT64), 0), GA_FLOAT64,
                   GA_SHAPE(count[s]), v[s]);
        const double *x = (const double *)t_host(ga_astype(of[0], GA_FLOAT64));
        const bool *member = (const bool *)t_host(ga_isin(of[0], of[1], 0));
        const bool *other = (const bool *)t_host(ga_isin(of[0], of[1], GA_INVERT));
        for (int j = 0; j < sizes[i][0]; j++)
            T_CHECK(member[j] == in[1][(int)x[j] + 50] && other[j] != member[j]);
    }
    t_context("%s", "");
}
TEST(sets_with_nan) {
    for (int wide = 0; wide < 2; wide++) {
        GA_SCOPE;
        const ga_dtype t = wide ? GA_FLOAT64 : GA_FLOAT32;
        ga_array *x = ga_arange_as(0, 200, 1, t), *y = ga_arange_as(100, 300, 1, t);
        ga_assign(ga_slice(x, "190:"), NAN);
        ga_assign(ga_slice(y, "150:"), NAN);
        ga_array *const in = ga_isin(x, y, 0);
        T_CHECK(ga_item(ga_sum(in, GA_ALL)) == 90);
        T_CHECK(!ga_item(ga_any(ga_slice(in, "190:"), GA_ALL)));
        T_CHECK(ga_intersect1d(x, y)->size == 90);
        T_CHECK(ga_union1d(x, y)->size == 251);
        ga_array *const d = ga_setdiff1d(x, y);
        T_CHECK(d->size == 101 && isnan(ga_item(ga_slice(d, "-1"))));
        T_CHECK(ga_isin(ga_flip(x, GA_ALL), y, 0)->size == 200);
        T_CHECK(ga_array_equal(ga_isin(ga_flip(x, GA_ALL), y, 0),
                               ga_flip(in, GA_ALL), 0));
    }
}
int main(int argc, char **argv) {
    static const t_case cases[] = {{"launches", launches}};
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(rows), T(signs), T(axes), T(short_rows), T(few_of_rows), T(zero_sizes), T(large), T(partition),
        T(partition_of_few), T(few_values),
        T(first_of_rows), T(short_tables), T(searches), T(golden),
        T(outputs), T(capacity), T(refused), T(few_launches), T(captured),
        T(unique_of_empty_slices), T(differences_of_other_dtypes), T(unique_of_close_integers),
        T(unique_of_integers_but_one),
        T(unique_of_floats), T(unique_of_narrow), T(search_in_layouts), T(search_of_close_integers),
        T(members_of_integers), T(sets_of_whole_numbers), T(sets_with_nan)};
    return T_RUN("sorting", tests);
}
