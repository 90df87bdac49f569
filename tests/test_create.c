/* Making arrays, host copies, casts and assignment, against NumPy's answers
   in golden/create.bin and plain loops.                                     */
#include "golden.h"

/* ------------------------------------------------------------- creators */
static const ga_shape some_shapes[] = {{0, {0}}, {1, {5}}, {2, {2, 3}},
    {1, {0}}, {3, {2, 0, 3}}, {8, {1, 2, 1, 2, 3, 1, 2, 1}}};
static void *host_of(ga_dtype t, int64_t n, double v) {
    void *p = t_alloc((size_t)n * ga_dtype_size(t));
    for (int64_t i = 0; i < n; i++) t_store(p, t, i, v, 0);
    return p;
}
TEST(full_and_its_kin) {
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++)
        for (size_t i = 0; i < T_COUNT(some_shapes); i++) {
            GA_SCOPE;
            ga_dtype t = (ga_dtype)ti;
            ga_shape s = some_shapes[i];
            int64_t n = t_size(s);
            t_context("%s %s", ga_dtype_name(t),
                      t_shape_text(s.ndim, s.dim));
            ga_array *e = ga_empty(s, t);
            t_is(e, t, s);
            T_CHECK(ga_is_contiguous(e) && e->device == ga_device());
            t_same(ga_zeros(s, t), t, s, host_of(t, n, 0));
            t_same(ga_ones(s, t), t, s, host_of(t, n, 1));
            t_same(ga_full(s, 3, t), t, s, host_of(t, n, 3));
            t_same(ga_full(s, 1.0, t), t, s, host_of(t, n, 1));
            t_is(ga_empty_like(e), t, s);
            t_same(ga_zeros_like(e), t, s, host_of(t, n, 0));
            t_same(ga_ones_like(e), t, s, host_of(t, n, 1));
            t_same(ga_full_like(e, 7), t, s, host_of(t, n, 7));
            int64_t live = ga_live_arrays();
            ga_full_like(e, 2.5);
            T_CHECK(ga_live_arrays() == live + 1);
        }
    GA_SCOPE;
    t_context("full casts as astype does");
    T_CHECK(ga_item(ga_full(GA_SCALAR_SHAPE, 3.7, GA_INT32)) == 3);
    T_CHECK(ga_item(ga_full(GA_SCALAR_SHAPE, 1e20, GA_INT8)) == 127);
    T_CHECK(ga_item(ga_full(GA_SCALAR_SHAPE, (double)NAN, GA_INT8)) == 0);
    T_CHECK(ga_item(ga_full(GA_SCALAR_SHAPE, 2, GA_BOOL)) == 1);
    T_CHECK(ga_item_i64(ga_full(GA_SCALAR_SHAPE, INT64_MIN, GA_INT64))
            == INT64_MIN);
    T_CHECK(ga_item(ga_full(GA_SCALAR_SHAPE, UINT64_MAX, GA_UINT64))
            == 18446744073709551616.);
    ga_complex128 z = ga_item_c128(ga_full(GA_SCALAR_SHAPE, t_c128(1, -2),
                                           GA_COMPLEX64)), w = t_c128(1, -2);
    T_CHECK(memcmp(&z, &w, sizeof z) == 0);
    ga_array *number = ga_full(GA_SCALAR_SHAPE, 5, GA_INT16);
    int64_t fives[] = {5, 5};
    t_same(ga_full(GA_SHAPE(2), number, GA_INT64), GA_INT64, GA_SHAPE(2),
           fives);

    t_context("the memory order of the model");
    ga_array *t = ga_transpose(ga_zeros(GA_SHAPE(2, 3, 4), GA_INT8),
                               GA_AXIS(2, 0, 1));
    ga_array *l = ga_ones_like(t);
    t_is(l, GA_INT8, GA_SHAPE(4, 2, 3));
    T_CHECK(l->strides[0] == 1 && l->strides[1] == 12 && l->strides[2] == 4);
    l = ga_zeros_like(ga_broadcast_to(ga_ones(GA_SHAPE(3), GA_INT8),
                                      GA_SHAPE(2, 3)));
    T_CHECK(ga_assign(l, 4) == GA_OK);

    t_context("errors");
    T_CHECK(!ga_zeros(GA_SHAPE(2, -1), GA_INT8));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_zeros(GA_SHAPE(2), (ga_dtype)99));
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(!ga_empty(GA_SHAPE(INT64_MAX, 2), GA_INT8));
    T_ERROR(GA_ERR_SIZE);
    T_CHECK(!ga_empty(GA_SHAPE((int64_t)1 << 61), GA_INT64));
    T_ERROR(GA_ERR_SIZE);
    T_CHECK(!ga_empty(GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), GA_INT8));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_empty(GA_SHAPE(INT64_MAX, 0, INT64_MAX), GA_INT64));
    T_ERROR(GA_ERR_SIZE);
    t_is(ga_empty(GA_SHAPE(INT64_MAX, 0, 1), GA_INT8), GA_INT8,
         (ga_shape){3, {INT64_MAX, 0, 1}});
    T_CHECK(!ga_zeros_like(NULL));
    T_ERROR(GA_ERR_NULL);
}

/* --------------------------------------------------------------- ranges */
static const ga_array *arg(double v, bool integer, ga_array *t) {
    return integer ? ga__arg_i((int64_t)v, t) : ga__arg_f(v, t);
}
/* Values of a range: within `ulps` of its largest number. */
static void near_range(const ga_array *y, const g_record *want, double scale,
                       double ulps) {
    if (!t_is(y, want->dtype, want->shape)) return;
    void *p = t_host(y);
    for (int64_t i = 0; i < want->size; i++) {
        double g = t_value(p, want->dtype, i, 0);
        double w = t_value(want->data, want->dtype, i, 0);
        double u = t_is_float(want->dtype) ? t_ulp(want->dtype, scale) : 0;
        if (!(fabs(g - w) <= ulps * u))
            t_bad("element %lld is %.17g, expected %.17g", (long long)i, g, w);
    }
}
TEST(arange) {
    const g_record *g;
    for (int i = 0; (g = g_find("arange/%d", i)) != NULL; i++) {
        GA_SCOPE;
        const double *v = (const double *)g->data;
        const g_record *y = g_find("arange/%d/y", i);
        ga_array a, b, c;
        bool whole = y->dtype == GA_INT64;
        t_context("arange(%g, %g, %g)", v[0], v[1], v[2]);
        ga_array *x = (ga_arange)(arg(v[0], whole, &a), arg(v[1], whole, &b),
                                  arg(v[2], whole, &c));
        near_range(x, y, fmax(fabs(v[0]), fabs(v[1])), whole ? 0 : 1);
    }
    for (int i = 0; (g = g_find("arange_as/%d", i)) != NULL; i++) {
        GA_SCOPE;
        const double *v = (const double *)g->data;
        const g_record *y = g_find("arange_as/%d/y", i);
        bool whole = *(bool *)g_find("arange_as/%d/int", i)->data;
        ga_array a, b, c;
        t_context("arange_as(%g, %g, %g, %s)", v[0], v[1], v[2],
                  ga_dtype_name(y->dtype));
        ga_array *x = (ga_arange_as)(arg(v[0], whole, &a),
                                     arg(v[1], whole, &b),
                                     arg(v[2], whole, &c), y->dtype);
        near_range(x, y, fmax(fabs(v[0]), fabs(v[1])), 1);
    }
    GA_SCOPE;
    t_context("arange");
    t_is(ga_arange(0, 3, 1.0), GA_FLOAT64, GA_SHAPE(3));
    t_is(ga_arange(0, INT64_MIN, 1), GA_INT64, GA_SHAPE(0));
    int64_t end[] = {INT64_MAX - 2, INT64_MAX - 1};
    t_same(ga_arange(INT64_MAX - 2, INT64_MAX, 1), GA_INT64, GA_SHAPE(2), end);
    int64_t ends[] = {INT64_MIN, -1, INT64_MAX - 1};
    t_same(ga_arange(INT64_MIN, INT64_MAX, INT64_MAX), GA_INT64, GA_SHAPE(3),
           ends);
    uint64_t high[] = {UINT64_MAX - 5, UINT64_MAX - 3, UINT64_MAX - 1};
    t_same(ga_arange_as(UINT64_MAX - 5, UINT64_MAX, 2, GA_UINT64), GA_UINT64,
           GA_SHAPE(3), high);
    uint64_t down[] = {UINT64_MAX, INT64_MAX};
    t_same(ga_arange_as(UINT64_MAX, INT64_MAX - 1, INT64_MIN, GA_UINT64),
           GA_UINT64, GA_SHAPE(2), down);
    t_is(ga_arange((uint64_t)1 << 63, ((uint64_t)1 << 63) + 10, 3), GA_FLOAT64,
         GA_SHAPE(4));
    t_is(ga_arange(UINT64_MAX, 5, 3), GA_FLOAT64, GA_SHAPE(0));
    T_CHECK(!ga_arange(0, 3, 0));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_arange(0, 3, 0.0));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_arange(0, (double)INFINITY, 1));
    T_ERROR(GA_ERR_SIZE);
    T_CHECK(!ga_arange(0, (double)NAN, 1));
    T_CHECK(ga_error() != GA_OK);
    ga_clear_error();
    T_CHECK(!ga_arange(0, 1, 1e-300));
    T_CHECK(ga_error() != GA_OK);
    ga_clear_error();
    T_CHECK(!ga_arange_as(0, 3, 1, (ga_dtype)50));
    T_ERROR(GA_ERR_DTYPE);
    int64_t n = t_quick() ? 1000 : 1000003;
    ga_array *x = ga_arange(0, n, 1);
    T_CHECK(ga_item_i64(ga_sum(x, GA_ALL)) == n * (n - 1) / 2);
}
TEST(linspace) {
    const g_record *g;
    for (int i = 0; (g = g_find("linspace/%d", i)) != NULL; i++) {
        GA_SCOPE;
        const double *v = (const double *)g->data;
        int64_t n = (int64_t)v[2];
        double scale = fmax(fabs(v[0]), fabs(v[1]));
        t_context("linspace(%g, %g, %g)", v[0], v[1], v[2]);
        ga_array *x = ga_linspace(v[0], v[1], n);
        near_range(x, g_find("linspace/%d/y", i), scale, 1);
        if (n > 0) T_CHECK(ga_item_at(x, GA_INDEX(0)) == v[0]);
        if (n > 1) T_CHECK(ga_item_at(x, GA_INDEX(-1)) == v[1]);
        near_range(ga_linspace_as(v[0], v[1], n, false, GA_FLOAT64),
                   g_find("linspace/%d/open", i), scale, 1);
        static const ga_dtype types[] = {GA_INT32, GA_FLOAT32, GA_FLOAT16};
        for (int k = 0; k < 3; k++) {
            const g_record *y = g_find("linspace/%d/%s", i,
                                       ga_dtype_name(types[k]));
            if (!y) continue;
            t_context("linspace(%g, %g, %g, %s)", 10 * v[0], 10 * v[1], v[2],
                      ga_dtype_name(types[k]));
            near_range(ga_linspace_as(10 * v[0], 10 * v[1], n, true, types[k]),
                       y, 10 * scale, 1);
        }
    }
    t_context("linspace");
    T_CHECK(!ga_linspace(0, 1, -1));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_linspace_as(0, 1, 3, true, (ga_dtype)50));
    T_ERROR(GA_ERR_DTYPE);
}
static void relative(const ga_array *y, const g_record *want) {
    if (!t_is(y, want->dtype, want->shape)) return;
    t_compare(t_host(y), want->data, GA_FLOAT64, want->size, 60);
}
TEST(logspace_and_geomspace) {
    const g_record *g;
    for (int i = 0; (g = g_find("logspace/%d", i)) != NULL; i++) {
        GA_SCOPE;
        const double *v = (const double *)g->data;
        t_context("logspace(%g, %g, %g, %g)", v[0], v[1], v[2], v[3]);
        relative(ga_logspace(v[0], v[1], (int64_t)v[2], v[3]),
                 g_find("logspace/%d/y", i));
    }
    for (int i = 0; (g = g_find("geomspace/%d", i)) != NULL; i++) {
        GA_SCOPE;
        const double *v = (const double *)g->data;
        t_context("geomspace(%g, %g, %g)", v[0], v[1], v[2]);
        ga_array *x = ga_geomspace(v[0], v[1], (int64_t)v[2]);
        relative(x, g_find("geomspace/%d/y", i));
        if (v[2] > 0) T_CHECK(ga_item_at(x, GA_INDEX(0)) == v[0]);
        if (v[2] > 1) T_CHECK(ga_item_at(x, GA_INDEX(-1)) == v[1]);
    }
    t_context("geomspace");
    T_CHECK(!ga_geomspace(0, 5, 3));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_geomspace(-1, 5, 3));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_geomspace(1, 5, -3));
    T_ERROR(GA_ERR_VALUE);
}
TEST(eye) {
    const g_record *g;
    for (int i = 0; (g = g_find("eye/%d", i)) != NULL; i++) {
        const int64_t *v = (const int64_t *)g->data;
        const g_record *y = g_find("eye/%d/y", i);
        for (int t = 0; t < GA_NUM_DTYPES; t++) {
            GA_SCOPE;
            t_context("eye(%lld, %lld, %lld, %s)", (long long)v[0],
                      (long long)v[1], (long long)v[2],
                      ga_dtype_name((ga_dtype)t));
            ga_array *x = ga_eye(v[0], v[1], v[2], (ga_dtype)t);
            t_is(x, (ga_dtype)t, y->shape);
            t_same(x ? ga_astype(x, GA_INT32) : NULL, GA_INT32, y->shape,
                   y->data);
            if (v[0] == v[1] && v[2] == 0)
                t_same_arrays(ga_identity(v[0], (ga_dtype)t), x, 0);
        }
    }
    t_context("eye");
    T_CHECK(!ga_eye(-1, 2, 0, GA_INT8));
    T_ERROR(GA_ERR_SHAPE);
    GA_SCOPE;
    t_is(ga_eye(2, 2, INT64_MIN, GA_INT8), GA_INT8, GA_SHAPE(2, 2));
    t_is(ga_eye(2, 2, INT64_MAX, GA_INT8), GA_INT8, GA_SHAPE(2, 2));
}

/* ------------------------------------------------------ the host's arrays */
TEST(asarray_of_every_type) {
    GA_SCOPE;
    ga_shape s = GA_SHAPE(3);
#define TYPE(T, t)                                                          \
    do {                                                                    \
        T v[3];                                                             \
        const T *c = v;                                                     \
        t_context("%s", #T);                                                \
        for (int k = 0; k < 3; k++) t_store(v, t, k, k + 1, -k);            \
        t_same(ga_asarray(v, s), t, s, v);                                  \
        t_same(ga_asarray(c, s), t, s, v);                                  \
        t_same(ga_asarray(&v[0], s), t, s, v);                              \
        t_same(ga_asarray_as(v, t, s), t, s, v);                            \
    } while (0)
    TYPE(bool, GA_BOOL);
    TYPE(char, (char)-1 < 0 ? GA_INT8 : GA_UINT8);
    TYPE(signed char, GA_INT8);
    TYPE(unsigned char, GA_UINT8);
    TYPE(short, GA_INT16);
    TYPE(unsigned short, GA_UINT16);
    TYPE(int, GA_INT32);
    TYPE(unsigned, GA_UINT32);
    TYPE(long, sizeof(long) == 8 ? GA_INT64 : GA_INT32);
    TYPE(unsigned long, sizeof(long) == 8 ? GA_UINT64 : GA_UINT32);
    TYPE(long long, GA_INT64);
    TYPE(unsigned long long, GA_UINT64);
    TYPE(int8_t, GA_INT8);
    TYPE(int16_t, GA_INT16);
    TYPE(int32_t, GA_INT32);
    TYPE(int64_t, GA_INT64);
    TYPE(uint8_t, GA_UINT8);
    TYPE(uint16_t, GA_UINT16);
    TYPE(uint32_t, GA_UINT32);
    TYPE(uint64_t, GA_UINT64);
    TYPE(ga_float16, GA_FLOAT16);
    TYPE(ga_bfloat16, GA_BFLOAT16);
    TYPE(float, GA_FLOAT32);
    TYPE(double, GA_FLOAT64);
    TYPE(ga_complex64, GA_COMPLEX64);
    TYPE(ga_complex128, GA_COMPLEX128);
#undef TYPE
    double m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    t_context("a matrix");
    t_same(ga_asarray(&m[0][0], GA_SHAPE(2, 3)), GA_FLOAT64, GA_SHAPE(2, 3),
           m);
    t_context("errors");
    T_CHECK(!ga_asarray((double *)NULL, s));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_asarray_as(m, (ga_dtype)40, s));
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(!ga_asarray_as(m, GA_INT8, GA_SHAPE(-1)));
    T_ERROR(GA_ERR_SHAPE);
    t_is(ga_asarray_as(NULL, GA_INT8, GA_SHAPE(0)), GA_INT8, GA_SHAPE(0));
}
TEST(asnumpy) {
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++) {
        GA_SCOPE;
        ga_dtype t = (ga_dtype)ti;
        size_t size = ga_dtype_size(t);
        char host[60 * 16], back[60 * 16], want[60 * 16];
        t_fill(host, t, 60, -9, 9);
        ga_array *x = ga_asarray_as(host, t, GA_SHAPE(3, 4, 5));
        t_context("asnumpy %s", ga_dtype_name(t));
        T_CHECK(ga_asnumpy(x, back) == back);
        T_CHECK(memcmp(back, host, 60 * size) == 0);
        void *made = ga_asnumpy(x, NULL);
        T_CHECK(made && memcmp(made, host, 60 * size) == 0);
        free(made);
        /* a view: [1:, ::-2, ::3] */
        size_t n = 0;
        for (int i = 1; i < 3; i++)
            for (int k = 3; k >= 0; k -= 2)
                for (int l = 0; l < 5; l += 3)
                    memcpy(want + n++ * size, host + (size_t)(i * 20 + k * 5
                                                              + l) * size,
                           size);
        ga_array *v = ga_slice(x, "1:, ::-2, ::3");
        T_CHECK(v && v->size == (int64_t)n);
        T_CHECK(ga_asnumpy(v, back) == back);
        T_CHECK(memcmp(back, want, n * size) == 0);
        /* transposed, broadcast, one element, none */
        ga_array *tr = ga_transpose(x, GA_ALL);
        ga_asnumpy(tr, back);
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 4; k++)
                for (int l = 0; l < 3; l++)
                    T_CHECK(memcmp(back + (size_t)(i * 12 + k * 3 + l) * size,
                                   host + (size_t)(l * 20 + k * 5 + i) * size,
                                   size) == 0);
        ga_asnumpy(ga_broadcast_to(ga_slice(x, "0, 0"), GA_SHAPE(2, 5)), back);
        T_CHECK(memcmp(back, host, 5 * size) == 0);
        T_CHECK(memcmp(back + 5 * size, host, 5 * size) == 0);
        ga_asnumpy(ga_slice(x, "2, 3, 4"), back);
        T_CHECK(memcmp(back, host + 59 * size, size) == 0);
        made = ga_asnumpy(ga_slice(x, "3:"), NULL);
        T_CHECK(made != NULL);
        free(made);
    }
    T_CHECK(!ga_asnumpy(NULL, NULL));
    T_ERROR(GA_ERR_NULL);
}
/* Copies about the sizes where their staging changes. */
TEST(large_copies) {
    static const int64_t sizes[] = {4095, 4096, 65535, 65537, 1048576, 4194303,
                                    4194304, 4194305, 8388609, 37000001,
                                    150000003};
    for (size_t i = 0; i < T_COUNT(sizes); i++) {
        GA_SCOPE;
        int64_t n = sizes[i];
        if (n > 1048576 && (t_quick() || !t_on_gpu()) && n != 8388609) continue;
        if (t_quick() && n > 1048576) continue;
        uint8_t *p = (uint8_t *)malloc((size_t)n);
        uint8_t *q = (uint8_t *)malloc((size_t)n);
        assert_true(p && q);
        for (int64_t k = 0; k + 8 <= n; k += 8) {
            uint64_t r = t_random();
            memcpy(p + k, &r, 8);
        }
        for (int64_t k = n & ~(int64_t)7; k < n; k++) p[k] = (uint8_t)k;
        ga_array *x = ga_asarray(p, GA_SHAPE(n));
        memset(q, 0xa5, (size_t)n);
        ga_asnumpy(x, q);
        T_CHECKF(memcmp(p, q, (size_t)n) == 0, "%lld bytes came back changed",
                 (long long)n);
        ga_asnumpy(ga_slice_axis(x, 0, 3, n - 2, 1), q);
        T_CHECKF(memcmp(p + 3, q, (size_t)n - 5) == 0,
                 "%lld bytes from the fourth on", (long long)n);
        /* the host's memory may be reused at once */
        ga_array *y = ga_asarray(p, GA_SHAPE(n));
        memcpy(q, p, (size_t)n);
        memset(p, 0, (size_t)n);
        T_CHECK(ga_item_i64(ga_all(ga_equal(x, y), GA_ALL)) == 1);
        free(p);
        free(q);
    }
}
TEST(pinned_and_async) {
    GA_SCOPE;
    int64_t n = 100003;
    float *p = (float *)ga_pinned_alloc((size_t)n * 4);
    float *q = (float *)ga_pinned_alloc((size_t)n * 4);
    assert_true(p && q);
    for (int64_t i = 0; i < n; i++) p[i] = (float)i;
    ga_array *x = ga_asarray_async(p, GA_FLOAT32, GA_SHAPE(n));
    ga_array *y = ga_multiply(x, 2);
    T_CHECK(ga_asnumpy_async(y, q) == q);
    T_CHECK(ga_synchronize() == GA_OK);
    int64_t bad = 0;
    for (int64_t i = 0; i < n; i++) bad += q[i] != 2 * (float)i;
    T_CHECK(bad == 0);
    T_CHECK(ga_asnumpy_async(ga_flip(y, GA_ALL), q) == q);
    T_CHECK(ga_synchronize() == GA_OK);
    T_CHECK(q[0] == 2 * (float)(n - 1) && q[n - 1] == 0);
    T_CHECK(!ga_asnumpy_async(y, NULL));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_asarray_async(NULL, GA_INT8, GA_SHAPE(1)));
    T_ERROR(GA_ERR_NULL);
    ga_pinned_free(p);
    ga_pinned_free(q);
    ga_pinned_free(NULL);
}
TEST(items) {
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++) {
        GA_SCOPE;
        ga_dtype t = (ga_dtype)ti;
        char host[12 * 16];
        t_fill(host, t, 12, 0, 9);
        ga_array *x = ga_asarray_as(host, t, GA_SHAPE(3, 4));
        t_context("item %s", ga_dtype_name(t));
        for (int i = -3; i < 3; i++)
            for (int k = -4; k < 4; k++) {
                int at = (i + 3) % 3 * 4 + (k + 4) % 4;
                double re = t_value(host, t, at, 0);
                ga_array *one = ga_slice(x, "%d, %d", i, k);
                if (t_is_complex(t)) {
                    ga_complex128 w = t_c128(re, t_value(host, t, at, 1));
                    ga_complex128 z = ga_item_c128(one);
                    T_CHECK(memcmp(&z, &w, sizeof z) == 0);
                } else {
                    T_CHECK(ga_item(one) == re);
                    T_CHECK(ga_item_at(x, GA_INDEX(i, k)) == re);
                    ga_complex128 z = ga_item_c128(one), w = t_c128(re, 0);
                    T_CHECK(memcmp(&z, &w, sizeof z) == 0);
                }
                if (t_is_int(t) || t == GA_BOOL)
                    T_CHECK(ga_item_i64(one) == (int64_t)re);
            }
        if (t_is_complex(t)) {
            T_CHECK(isnan(ga_item(ga_slice(x, "0, 0"))));
            T_ERROR(GA_ERR_DTYPE);
            T_CHECK(isnan(ga_item_at(x, GA_INDEX(0, 0))));
            T_ERROR(GA_ERR_DTYPE);
        }
        if (t_is_complex(t) || t_is_float(t)) {
            T_CHECK(ga_item_i64(ga_slice(x, "0, 0")) == 0);
            T_ERROR(GA_ERR_DTYPE);
        }
        T_CHECK(isnan(ga_item(x)));
        T_ERROR(GA_ERR_SHAPE);
    }
    GA_SCOPE;
    t_context("item");
    int64_t big[] = {INT64_MAX, INT64_MIN};
    ga_array *x = ga_asarray(big, GA_SHAPE(2));
    T_CHECK(ga_item_i64(ga_slice(x, "0")) == INT64_MAX);
    T_CHECK(ga_item_i64(ga_slice(x, "1")) == INT64_MIN);
    uint64_t u[] = {UINT64_MAX};
    T_CHECK((uint64_t)ga_item_i64(ga_asarray(u, GA_SHAPE(1, 1)))
            == UINT64_MAX);
    T_CHECK(isnan(ga_item_at(x, GA_INDEX(2))));
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(isnan(ga_item_at(x, GA_INDEX(-3))));
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(isnan(ga_item_at(x, GA_INDEX(0, 0))));
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(isnan(ga_item(NULL)));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_item_i64(NULL) == 0);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(isnan(ga_item(ga_zeros(GA_SHAPE(0), GA_INT8))));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_item_at(ga_full(GA_SCALAR_SHAPE, 4, GA_INT8), GA_SCALAR_SHAPE)
            == 4);
    /* a NaN that is there is no error */
    T_CHECK(isnan(ga_item(ga_full(GA_SCALAR_SHAPE, (double)NAN,
                                  GA_FLOAT16))));
    T_FINE();
}

/* ---------------------------------------------------------------- casts */
TEST(casts) {
    for (int a = 0; a < GA_NUM_DTYPES; a++)
        for (int b = 0; b < GA_NUM_DTYPES; b++) {
            GA_SCOPE;
            const char *an = ga_dtype_name((ga_dtype)a);
            const char *bn = ga_dtype_name((ga_dtype)b);
            const g_record *g = g_find("cast/%s", an);
            const g_record *y = g_find("cast/%s/%s", an, bn);
            ga_array *x = ga_asarray_as(g->data, g->dtype, g->shape);
            t_context("%s to %s", an, bn);
            ga_array *r = ga_astype(x, (ga_dtype)b);
            if (!t_is(r, y->dtype, y->shape)) continue;
            void *p = t_host(r);
            for (int64_t i = 0; i < y->size; i++)
                if (!t_equal(p, y->data, y->dtype, i))
                    t_bad("%s gives %s, expected %s",
                          t_text(g->data, g->dtype, i), t_text(p, y->dtype, i),
                          t_text(y->data, y->dtype, i));
            t_context("%s to %s, by ga_assign", an, bn);
            ga_array *o = ga_zeros_like(r);
            T_CHECK(ga_assign(o, x) == GA_OK);
            t_same(o, y->dtype, y->shape, p);
            t_context("%s to %s, strided", an, bn);
            ga_array *twice = ga_zeros(GA_SHAPE(2 * y->size), (ga_dtype)a);
            ga_assign(ga_slice(twice, "::2"), x);
            t_same(ga_astype(ga_slice(twice, "::2"), (ga_dtype)b), y->dtype,
                   y->shape, p);
            t_context("%s to %s, by full", an, bn);
            for (int64_t i = 0; i < y->size; i += 7) {
                ga_array *one = ga_slice_axis(x, 0, i, i + 1, 1);
                ga_array *f = (ga_full)(GA_SHAPE(1), ga_reshape(one,
                                        GA_SCALAR_SHAPE), (ga_dtype)b);
                t_same(f, y->dtype, GA_SHAPE(1),
                       (char *)p + (size_t)i * ga_dtype_size(y->dtype));
            }
        }
    GA_SCOPE;
    t_context("astype");
    T_CHECK(!ga_astype(ga_ones(GA_SHAPE(1), GA_INT8), (ga_dtype)33));
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(!ga_astype(NULL, GA_INT8));
    T_ERROR(GA_ERR_NULL);
    ga_array *x = ga_ones(GA_SHAPE(2), GA_INT8), *y = ga_astype(x, GA_INT8);
    T_CHECK(y && y->data != x->data);
}

/* ----------------------------------------------------------- assignment */
static ga_array *count_to(int64_t n) { return ga_arange(0, n, 1); }
TEST(assign) {
    GA_SCOPE;
    int64_t v[8];
    ga_array *x = count_to(8);
#define IS(...)                                                             \
    do {                                                                    \
        int64_t w[] = {__VA_ARGS__};                                        \
        memcpy(v, w, sizeof w);                                             \
        t_same(x, GA_INT64, GA_SHAPE(8), v);                                \
    } while (0)
    t_context("numbers");
    T_CHECK(ga_assign(x, 7) == GA_OK);
    IS(7, 7, 7, 7, 7, 7, 7, 7);
    T_CHECK(ga_assign(ga_slice(x, "1::3"), -2.9) == GA_OK);
    IS(7, -2, 7, 7, -2, 7, 7, -2);
    T_CHECK(ga_assign(ga_slice(x, "5"), (int64_t)1 << 40) == GA_OK);
    IS(7, -2, 7, 7, -2, (int64_t)1 << 40, 7, -2);
    t_context("overlapping");
    ga_assign(x, count_to(8));
    T_CHECK(ga_assign(ga_slice(x, "1:"), ga_slice(x, ":-1")) == GA_OK);
    IS(0, 0, 1, 2, 3, 4, 5, 6);
    T_CHECK(ga_assign(ga_slice(x, ":-1"), ga_slice(x, "1:")) == GA_OK);
    IS(0, 1, 2, 3, 4, 5, 6, 6);
    T_CHECK(ga_assign(x, ga_slice(x, "::-1")) == GA_OK);
    IS(6, 6, 5, 4, 3, 2, 1, 0);
    T_CHECK(ga_assign(ga_slice(x, "::2"), ga_slice(x, "3::-1")) == GA_OK);
    IS(4, 6, 5, 4, 6, 2, 6, 0);
    T_CHECK(ga_assign(x, ga_slice(x, "3")) == GA_OK);
    IS(4, 4, 4, 4, 4, 4, 4, 4);
    T_CHECK(ga_assign(x, x) == GA_OK);
    IS(4, 4, 4, 4, 4, 4, 4, 4);
#undef IS
    t_context("overlapping, large");
    int64_t n = t_quick() ? 5000 : 300000;
    x = count_to(n);
    ga_assign(ga_slice(x, "1:"), ga_slice(x, ":-1"));
    T_CHECK(ga_item_i64(ga_sum(x, GA_ALL)) == (n - 1) * (n - 2) / 2);
    T_CHECK(ga_item_at(x, GA_INDEX(-1)) == (double)(n - 2));
    ga_array *m = ga_reshape(count_to(400 * 400), GA_SHAPE(400, 400));
    ga_array *want = ga_copy(ga_transpose(m, GA_ALL));
    T_CHECK(ga_assign(m, ga_transpose(m, GA_ALL)) == GA_OK);
    t_same_arrays(m, want, 0);

    t_context("broadcasting and casting");
    ga_array *z = ga_zeros(GA_SHAPE(2, 3), GA_FLOAT32);
    float rows[] = {0, 1, 2, 0, 1, 2}, cols[] = {0, 0, 0, 1, 1, 1};
    float inner[] = {0, 9, 2, 0, 9, 2};
    T_CHECK(ga_assign(z, count_to(3)) == GA_OK);
    t_same(z, GA_FLOAT32, GA_SHAPE(2, 3), rows);
    T_CHECK(ga_assign(ga_slice(z, ":, 1"), ga_full(GA_SHAPE(1), 9, GA_INT8))
            == GA_OK);
    t_same(z, GA_FLOAT32, GA_SHAPE(2, 3), inner);
    T_CHECK(ga_assign(z, ga_reshape(count_to(2), GA_SHAPE(2, 1))) == GA_OK);
    t_same(z, GA_FLOAT32, GA_SHAPE(2, 3), cols);
    T_CHECK(ga_assign(ga_transpose(z, GA_ALL),
                      ga_reshape(count_to(3), GA_SHAPE(3, 1))) == GA_OK);
    t_same(z, GA_FLOAT32, GA_SHAPE(2, 3), rows);
    T_CHECK(ga_assign(z, ga_reshape(count_to(3), GA_SHAPE(1, 1, 3)))
            == GA_OK);      /* NumPy drops leading ones too */
    t_same(z, GA_FLOAT32, GA_SHAPE(2, 3), rows);
    T_CHECK(ga_assign(ga_slice(z, "0, 0"), ga_ones(GA_SHAPE(1, 1), GA_INT8))
            == GA_OK);
    T_CHECK(ga_item_at(z, GA_INDEX(0, 0)) == 1);
    T_CHECK(ga_assign(ga_slice(z, "2:"), ga_zeros(GA_SHAPE(0, 3), GA_INT8))
            == GA_OK);

    t_context("errors leave the array");
    void *before = t_host(z);
    T_CHECK(ga_assign(z, count_to(2)) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_assign(z, ga_zeros(GA_SHAPE(2, 2, 3), GA_INT8))
            == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_assign(ga_broadcast_to(count_to(3), GA_SHAPE(2, 3)), z)
            == GA_ERR_READONLY);
    T_ERROR(GA_ERR_READONLY);
    T_CHECK(ga_assign(z, (ga_array *)NULL) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_assign((ga_array *)NULL, z) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    t_same(z, GA_FLOAT32, GA_SHAPE(2, 3), before);
}
/* Every layout to every other. */
TEST(assign_layouts) {
    for (int to = 0; to < 5; to++)
        for (int from = 0; from < 5; from++) {
            GA_SCOPE;
            ga_array *x[2];
            int how[2] = {to, from};
            for (int k = 0; k < 2; k++) {
                ga_array *b = ga_zeros(GA_SHAPE(40, 60, 50), GA_INT16);
                static const char *const cut[] = {"::2, ::2, ::2",
                    ":20, :30, :25", "-1:19:-1, ::2, 25:", "::2, -1::-2, ::2"};
                x[k] = how[k] < 4 ? ga_slice(b, "%s", cut[how[k]])
                       : ga_transpose(ga_zeros(GA_SHAPE(25, 30, 20),
                                               GA_INT16), GA_ALL);
            }
            ga_array *v = ga_astype(ga_reshape(count_to(15000),
                                               GA_SHAPE(20, 30, 25)),
                                    GA_INT16);
            t_context("layout %d to %d", from, to);
            ga_assign(x[1], v);
            T_CHECK(ga_assign(x[0], x[1]) == GA_OK);
            t_same_arrays(x[0], v, 0);
            t_same_arrays(ga_copy(x[0]), v, 0);
        }
}
TEST(copies) {
    GA_SCOPE;
    ga_array *x = ga_reshape(count_to(12), GA_SHAPE(3, 4));
    ga_array *t = ga_transpose(x, GA_ALL), *c = ga_copy(t);
    T_CHECK(ga_is_contiguous(c) && !ga_is_contiguous(t));
    t_same_arrays(c, t, 0);
    T_CHECK(c->data != x->data);
    ga_array *a = ga_ascontiguousarray(x);
    T_CHECK(a && a != x && a->data == x->data);
    a = ga_ascontiguousarray(t);
    T_CHECK(a && a->data != x->data && ga_is_contiguous(a));
    t_same_arrays(a, t, 0);
    ga_array *v = ga_view(x);
    T_CHECK(v && v != x && v->data == x->data);
    ga_assign(v, 0);
    T_CHECK(ga_item_i64(ga_any(x, GA_ALL)) == 0);
    T_CHECK(ga_item_i64(ga_any(c, GA_ALL)) == 1);
    ga_array *d = ga_to_device(x, ga_device());
    T_CHECK(d && d->data == x->data);
    ga_array *h = ga_to_device(c, GA_CPU);
    T_CHECK(h && h->device == GA_CPU);
    t_same_arrays(ga_to_device(h, ga_device()), c, 0);
    T_CHECK(!ga_copy(NULL));
    T_ERROR(GA_ERR_NULL);
}

/* ------------------------------------------------------------- wrapping */
static int deleted;
static void *deleted_ptr, *deleted_arg;
static void on_delete(void *p, void *arg) {
    deleted++;
    deleted_ptr = p;
    deleted_arg = arg;
}
TEST(wrap) {
    int device = ga_device();
    {
        GA_SCOPE;
        GA_DEVICE(GA_CPU);
        double mem[12];
        for (int i = 0; i < 12; i++) mem[i] = i;
        ga_array *x = ga_wrap(mem, GA_FLOAT64, GA_SHAPE(3, 4), NULL, GA_CPU,
                              NULL, NULL);
        t_context("host memory");
        t_same(x, GA_FLOAT64, GA_SHAPE(3, 4), mem);
        T_CHECK(x->data == mem);
        ga_assign(ga_slice(x, "1"), -1);
        ga_synchronize();
        T_CHECK(mem[4] == -1 && mem[7] == -1 && mem[8] == 8);
        int64_t strides[] = {1, 3};
        double want[] = {0, 3, -1, -1, 1, -1, -1, 10, 2, -1, 8, 11};
        mem[9] = -1;
        mem[6] = -1;
        want[2] = mem[6], want[3] = mem[9];
        want[0] = mem[0], want[1] = mem[3], want[4] = mem[1];
        want[5] = mem[4], want[6] = mem[7], want[7] = mem[10];
        want[8] = mem[2], want[9] = mem[5], want[10] = mem[8];
        want[11] = mem[11];
        t_same(ga_wrap(mem, GA_FLOAT64, GA_SHAPE(3, 4), strides, GA_CPU, NULL,
                       NULL), GA_FLOAT64, GA_SHAPE(3, 4), want);

        t_context("deleter");
        deleted = 0;
        ga_array *y = ga_wrap(mem, GA_FLOAT64, GA_SHAPE(12), NULL, GA_CPU,
                              on_delete, &device);
        ga_array *v = ga_slice(y, "3:5");
        ga_free(y);
        T_CHECK(deleted == 0);
        T_CHECK(ga_item_at(v, GA_INDEX(0)) == mem[3]);
        ga_free(v);
        T_CHECK(deleted == 1 && deleted_ptr == mem && deleted_arg == &device);
        t_context("errors");
        T_CHECK(!ga_wrap(NULL, GA_INT8, GA_SHAPE(1), NULL, GA_CPU, on_delete,
                         NULL));
        T_ERROR(GA_ERR_NULL);
        T_CHECK(!ga_wrap(mem, GA_INT8, GA_SHAPE(-1), NULL, GA_CPU, on_delete,
                         NULL));
        T_ERROR(GA_ERR_SHAPE);
        T_CHECK(!ga_wrap((char *)mem + 4, GA_COMPLEX64, GA_SHAPE(2), NULL,
                         GA_CPU, on_delete, NULL));
        T_ERROR(GA_ERR_VALUE);
        T_CHECK(!ga_wrap(mem, (ga_dtype)60, GA_SHAPE(1), NULL, GA_CPU,
                         on_delete, NULL));
        T_ERROR(GA_ERR_DTYPE);
        T_CHECK(!ga_wrap(mem, GA_INT8, GA_SHAPE(1), NULL, 63, on_delete,
                         NULL));
        T_CHECK(ga_error() != GA_OK);
        ga_clear_error();
        T_CHECK(deleted == 1);
    }
    GA_SCOPE;
    t_context("memory of the current device");
    ga_array *x = ga_astype(count_to(12), GA_INT32);
    deleted = 0;
    {
        GA_SCOPE;
        ga_array *w = ga_wrap(x->data, GA_INT32, GA_SHAPE(3, 4), NULL, device,
                              on_delete, NULL);
        t_same_arrays(ga_sum(w, GA_ALL), ga_sum(x, GA_ALL), 0);
        T_CHECK(ga_add_into(w, w, 1) == GA_OK);
    }
    T_CHECK(deleted == 1);
    T_CHECK(ga_item(ga_sum(x, GA_ALL)) == 78);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(full_and_its_kin), T(arange), T(linspace),
        T(logspace_and_geomspace), T(eye), T(asarray_of_every_type),
        T(asnumpy), T(large_copies), T(pinned_and_async), T(items), T(casts),
        T(assign), T(assign_layouts), T(copies), T(wrap),
    };
    g_load("create.bin");
    int failed = T_RUN("create", tests);
    g_free();
    return failed;
}
