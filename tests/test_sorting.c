/* sort, argsort, lexsort, partition, topk: against a plain stable sort written
   here, and NumPy's results (golden/sorting.bin); searching, sets.           */
#include "golden.h"

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

/* Every length class of every dtype: by counting, in shared memory with one or
   eight warps, by radix.                                                    */
TEST(rows) {
    static const int64_t lengths[] = {1, 2, 5, 31, 32, 33, 100, 128, 129, 700,
                                      1024, 1025, 3000, 4096, 4097, 9000, 70000};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (size_t i = 0; i < T_COUNT(lengths); i++)
            for (int many = 0; many < 2; many++) {
                GA_SCOPE;
                int64_t n = lengths[i], rows = n > 5000 ? 2 : 5;
                if (t_quick() && n > 9000) continue;
                t_context("%s (%lld,%lld)%s", ga_dtype_name((ga_dtype)t),
                          (long long)rows, (long long)n, many ? " many" : "");
                ga_array *x = make((ga_dtype)t, GA_SHAPE(rows, n), many);
                check(x, 1, many ? 0 : GA_DESCENDING);
                if (n < 5000 && many) check(x, 1, GA_DESCENDING);
                if (n < 2000 || t % 3 == 0) check(x, -1, 0);
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
        check(make(types[i], GA_SHAPE(200, 3000), true), 0, 0);
        check(make(types[i], GA_SHAPE(3000, 200), true), 1, 0);
        check(make(types[i], GA_SHAPE(6000, 6), true), 0, 0);
        check(make(types[i], GA_SHAPE(2, 6000, 3), true), 1, GA_DESCENDING);
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
        int64_t n = t_quick() ? 30000 : 900000;
        t_context("%s", ga_dtype_name(types[i]));
        check(make(types[i], GA_SHAPE(n), i != 1), 0, 0);
        check(make(types[i], GA_SHAPE(n / 3, 2), i != 1), 0, GA_DESCENDING);
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
        char *seen = (char *)t_alloc((size_t)n);
        memset(seen, 0, (size_t)n);
        bool ok = true;
        for (int64_t i = 0; i < n && ok; i++) {
            int64_t at = places[r * n + i];
            ok = at >= 0 && at < n && !seen[at];
            if (!ok) break;
            seen[at] = 1;
            ok = same_element(t, values, r * n + i, row, at);
            memcpy(two, row + (size_t)at * size, size);
            memcpy(two + size, row + (size_t)want[kth] * size, size);
            int c = order(t, two, 0, 1, flags != 0);
            ok = ok && (i < kth ? c <= 0 : i > kth ? c >= 0 : c == 0);
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
    static const int64_t lengths[] = {1, 20, 300, 5000, 60000};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (size_t i = 0; i < T_COUNT(lengths); i++)
            for (int many = 0; many < 2; many++) {
                GA_SCOPE;
                int64_t n = lengths[i];
                if (t_quick() && n > 5000) continue;
                t_context("%s %lld%s", ga_dtype_name((ga_dtype)t), (long long)n,
                          many ? " many" : "");
                ga_array *x = make((ga_dtype)t, GA_SHAPE(2, n), many);
                int64_t at[] = {0, n / 60, n / 2, n - 1};
                for (int k = 0; k < 4; k++)
                    check_partition(x, at[k], k & 1 ? GA_DESCENDING : 0);
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
int main(void) {
    const struct CMUnitTest tests[] = {T(rows), T(axes), T(zero_sizes), T(large), T(partition),
                                       T(golden)};
    return T_RUN("sorting", tests);
}
