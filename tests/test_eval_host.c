/* GA_EVAL_HOST_INTO: expressions over arrays in host memory, computed on the
   current device. The CPU device's own result is the reference.             */
#include "test.h"
#include <pthread.h>

/* n random elements in host memory: malloc's, or page-locked. */
static void unpin(void *p, void *arg) {
    (void)arg;
    ga_pinned_free(p);
}
static ga_array *host_array(ga_dtype t, int64_t n, bool pinned) {
    size_t bytes = (size_t)n * ga_dtype_size(t);
    void *p = pinned ? ga_pinned_alloc(bytes) : t_alloc(bytes);
    assert_non_null(p);
    t_fill(p, t, n, -8, 8);
    return ga_wrap(p, t, GA_SHAPE(n), NULL, GA_CPU, pinned ? unpin : NULL,
                   NULL);
}
static ga_array *poisoned(ga_dtype t, int64_t n, bool pinned) {
    ga_array *x = host_array(t, n, pinned);
    memset(x->data, 0xee, (size_t)n * ga_dtype_size(t));
    return x;
}
/* Are x and y, on the CPU device, within `ulps`? */
static void same(const ga_array *x, const ga_array *y, double ulps) {
    GA_DEVICE(GA_CPU);
    t_same_arrays(x, y, ulps);
}
/* text of x, y, a as the CPU device computes it */
static ga_array *reference(const char *text, ga_dtype t, const ga_array *x,
                           const ga_array *y, double a) {
    GA_DEVICE(GA_CPU);
    ga_array *z = ga_empty(ga_shape_of(x), t), number;
    const ga_array *in[] = {x, y, ga__arg_f(a, &number)};
    ga_eval_into(z, text, "x, y, a", in, 3);
    return z;
}

TEST(sizes) {
    static const int64_t n[] = {0, 1, 2, 255, 256, 1000, 87381, 87382, 262144,
                                700001, 5000011};
    int many = (int)T_COUNT(n) - t_quick();
    for (int i = 0; i < many; i++) {
        GA_SCOPE;
        double a = 2.5;
        t_context("%lld elements", (long long)n[i]);
        ga_array *x = host_array(GA_FLOAT32, n[i], false);
        ga_array *y = host_array(GA_FLOAT32, n[i], false);
        ga_array *z = poisoned(GA_FLOAT32, n[i], false);
        T_CHECK(GA_EVAL_HOST_INTO(z, x + y, x, y) == GA_OK);
        same(z, reference("x + y", GA_FLOAT32, x, y, a), 0);
        T_CHECK(GA_EVAL_HOST_INTO(z, a*x, x, a) == GA_OK);  /* y unused     */
        same(z, reference("a*x", GA_FLOAT32, x, y, a), 0);
        T_CHECK(GA_EVAL_HOST_INTO(y, cos(x)**2 + sin(x)**2, x) == GA_OK);
        memset(z->data, 0x3f, (size_t)n[i] * 4);
        ga_array *one = reference("x/x", GA_FLOAT32, z, z, a);
        same(y, one, 8);
    }
}

TEST(types) {
    static const struct {
        ga_dtype x, y, z;
        const char *text;
        double ulps;
    } c[] = {
        {GA_INT8, GA_FLOAT64, GA_FLOAT64, "x + y", 0},
        {GA_UINT16, GA_INT64, GA_INT64, "x * y", 0},
        {GA_COMPLEX64, GA_FLOAT32, GA_COMPLEX128, "x - y", 0},
        {GA_BOOL, GA_FLOAT16, GA_FLOAT16, "where(x, y, -y)", 0},
        {GA_FLOAT64, GA_INT32, GA_BOOL, "x < y", 0},
        {GA_FLOAT32, GA_FLOAT32, GA_FLOAT16, "x / y", 1},
        {GA_INT32, GA_INT32, GA_FLOAT32, "float32(x) * a", 0},
        {GA_INT16, GA_INT16, GA_INT16, "x", 0},
        {GA_FLOAT32, GA_FLOAT32, GA_FLOAT32, "a", 0},
        {GA_COMPLEX128, GA_COMPLEX128, GA_COMPLEX128, "x + y", 0},
    };
    for (size_t i = 0; i < T_COUNT(c); i++)
        for (int k = 0; k < 2; k++) {
            GA_SCOPE;
            int64_t n = k ? 300001 : 33;
            t_context("%s of %s, %s into %s, %lld elements", c[i].text,
                      ga_dtype_name(c[i].x), ga_dtype_name(c[i].y),
                      ga_dtype_name(c[i].z), (long long)n);
            ga_array *x = host_array(c[i].x, n, false), number;
            ga_array *y = host_array(c[i].y, n, false);
            ga_array *z = poisoned(c[i].z, n, false);
            const ga_array *in[] = {x, y, ga__arg_f(0.75, &number)};
            T_CHECK(ga_eval_host_into(z, c[i].text, "x, y, a", in, 3) == GA_OK);
            same(z, reference(c[i].text, c[i].z, x, y, 0.75), c[i].ulps);
        }
}

/* Pinned memory goes straight; any mixture must do. */
TEST(pinned) {
    int64_t n = 1234567;
    for (int mask = 0; mask < 8; mask++) {
        GA_SCOPE;
        t_context("mask %d", mask);
        ga_array *x = host_array(GA_FLOAT32, n, mask & 1);
        ga_array *y = host_array(GA_FLOAT64, n, mask & 2);
        ga_array *z = poisoned(GA_FLOAT64, n, mask & 4);
        T_CHECK(GA_EVAL_HOST_INTO(z, x * y, x, y) == GA_OK);
        same(z, reference("x * y", GA_FLOAT64, x, y, 0), 0);
    }
}

TEST(in_place_and_overlapping) {
    int64_t n = 2000003;
    for (int pinned = 0; pinned < 2; pinned++) {
        GA_SCOPE;
        ga_array *x = host_array(GA_FLOAT32, n, pinned);
        ga_array *y = host_array(GA_FLOAT32, n, false);
        ga_array *want = reference("x + y", GA_FLOAT32, x, y, 0);
        T_CHECK(GA_EVAL_HOST_INTO(x, x + y, x, y) == GA_OK);
        same(x, want, 0);
        /* each element from its left neighbour, from before */
        ga_array *to = ga_slice_axis(x, 0, 1, n, 1);
        ga_array *from = ga_slice_axis(x, 0, 0, n - 1, 1);
        want = reference("x + 1", GA_FLOAT32, from, from, 0);
        T_CHECK(GA_EVAL_HOST_INTO(to, from + 1, from) == GA_OK);
        same(to, want, 0);
        /* the same bytes as another type: 2 elements of x for 1 of z */
        ga_array *z = ga_wrap(x->data, GA_INT64, GA_SHAPE(n / 2), NULL, GA_CPU,
                              NULL, NULL);
        ga_array *half = ga_slice_axis(x, 0, 0, n / 2, 1);
        want = reference("int64(x)", GA_INT64, half, half, 0);
        T_CHECK(GA_EVAL_HOST_INTO(z, int64(half), half) == GA_OK);
        same(z, want, 0);
    }
}

/* What does not stream goes up as a whole. */
TEST(any_layout) {
    GA_SCOPE;
    int64_t m = 700, n = 900;
    ga_array *x, *row, *column, *scalar, *want, *z, *zt;
    {
        GA_DEVICE(GA_CPU);
        x = t_random_array(GA_FLOAT64, GA_SHAPE(m, n), -1, 1);
        row = t_random_array(GA_FLOAT64, GA_SHAPE(n), -1, 1);
        column = t_random_array(GA_FLOAT64, GA_SHAPE(m, 1), -1, 1);
        scalar = t_random_array(GA_FLOAT64, GA_SCALAR_SHAPE, -1, 1);
        z = ga_full(GA_SHAPE(m, n), 7, GA_FLOAT64);
        zt = ga_transpose(ga_full(GA_SHAPE(n, m), 7, GA_FLOAT64), GA_ALL);
        want = GA_EVAL(x*row + column, x, row, column);
    }
    T_CHECK(GA_EVAL_HOST_INTO(z, x*row + column, x, row, column) == GA_OK);
    same(z, want, 0);
    T_CHECK(GA_EVAL_HOST_INTO(zt, x*row + column, x, row, column) == GA_OK);
    same(zt, want, 0);
    ga_array *flip = ga_flip(x, GA_AXIS(0));
    T_CHECK(GA_EVAL_HOST_INTO(z, flip - scalar, flip, scalar) == GA_OK);
    {
        GA_DEVICE(GA_CPU);
        want = GA_EVAL(flip - scalar, flip, scalar);
    }
    same(z, want, 0);
    T_CHECK(GA_EVAL_HOST_INTO(z, x*scalar, x, scalar) == GA_OK);
    {
        GA_DEVICE(GA_CPU);
        want = GA_EVAL(x*scalar, x, scalar);
    }
    same(z, want, 0);
}

TEST(reductions_and_long_texts) {
    GA_SCOPE;
    int64_t n = 400000;
    ga_array *x = host_array(GA_FLOAT64, n, false);
    ga_array *z = poisoned(GA_FLOAT64, n, false), *sum;
    {
        GA_DEVICE(GA_CPU);
        sum = ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT64);
    }
    T_CHECK(GA_EVAL_HOST_INTO(sum, sum(x*x), x) == GA_OK);
    {
        GA_DEVICE(GA_CPU);
        same(sum, GA_EVAL(sum(x*x), x), 1000);
    }
    T_CHECK(GA_EVAL_HOST_INTO(z, x - max(x), x) == GA_OK);
    same(z, reference("x - max(x)", GA_FLOAT64, x, x, 0), 0);
    char text[8000] = "x";
    for (int i = 0; i < 400; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 i % 2 ? "*%d.25" : "-%d", i % 7 + 1);
    const ga_array *in[] = {x, x, x};
    T_CHECK(ga_eval_host_into(z, text, "x, y, a", in, 3) == GA_OK);
    {
        GA_DEVICE(GA_CPU);
        ga_array *w = ga_empty(ga_shape_of(x), GA_FLOAT64);
        ga_eval_into(w, text, "x, y, a", in, 3);
        same(z, w, 0);
    }
}

TEST(errors) {
    GA_SCOPE;
    int64_t n = 300000;
    ga_array *x = host_array(GA_FLOAT32, n, false);
    ga_array *y = host_array(GA_FLOAT32, n - 1, false);
    ga_array *c = host_array(GA_COMPLEX64, n, false);
    ga_array *z = host_array(GA_FLOAT32, n, false), number;
    void *before = t_alloc((size_t)n * 4);
    memcpy(before, z->data, (size_t)n * 4);
    T_CHECK(GA_EVAL_HOST_INTO(z, x + y, x, y) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    GA_EVAL_HOST_INTO(y, x + x, x);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(GA_EVAL_HOST_INTO(z, x + c, x, c) == GA_ERR_DTYPE);
    T_ERROR(GA_ERR_DTYPE);
    GA_EVAL_HOST_INTO(z, x +, x);
    T_CHECK(strstr(ga_error_message(), "ga_eval_host_into: ") != NULL);
    T_ERROR(GA_ERR_SYNTAX);
    GA_EVAL_HOST_INTO(z, x + q, x);
    T_ERROR(GA_ERR_SYNTAX);
    GA_EVAL_HOST_INTO(z, x = x + 1; x, x);
    T_ERROR(GA_ERR_VALUE);
    GA_EVAL_HOST_INTO(z, x = x + 1, x);
    T_ERROR(GA_ERR_VALUE);
    GA_EVAL_HOST_INTO((ga_array *)0, x + 1, x);
    T_ERROR(GA_ERR_NULL);
    ga_array *none = NULL;
    GA_EVAL_HOST_INTO(z, none + 1, none);
    T_ERROR(GA_ERR_NULL);
    const ga_array *in[] = {x};
    ga_eval_host_into(z, "x + y", "x, y", in, 1);
    T_ERROR(GA_ERR_VALUE);
    ga_eval_host_into(z, NULL, "x", in, 1);
    T_ERROR(GA_ERR_VALUE);
    ga_array *fixed = (ga_array *)(uintptr_t)ga__arg_f(1, &number);
    GA_EVAL_HOST_INTO(fixed, x + 1, x);
    T_ERROR(GA_ERR_VALUE);
    ga_array *wide = ga_broadcast_to(z, GA_SHAPE(2, n));
    GA_EVAL_HOST_INTO(wide, x + 1, x);
    T_ERROR(GA_ERR_READONLY);
    if (t_on_gpu()) {
        ga_array *there = ga_to_device(x, ga_device());
        GA_EVAL_HOST_INTO(z, there + x, there, x);
        T_CHECK(strstr(ga_error_message(), "there is on device") != NULL);
        T_ERROR(GA_ERR_DEVICE_MISMATCH);
        GA_EVAL_HOST_INTO(there, x + 1, x);
        T_CHECK(strstr(ga_error_message(), "the output is on device") != NULL);
        T_ERROR(GA_ERR_DEVICE_MISMATCH);
    }
    T_CHECK(!memcmp(before, z->data, (size_t)n * 4));
}

TEST(limit_and_trim) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    int64_t n = 3000000;
    ga_array *x = host_array(GA_FLOAT32, n, false);
    ga_array *z = host_array(GA_FLOAT32, n, false);
    void *before = t_alloc((size_t)n * 4);
    memcpy(before, z->data, (size_t)n * 4);
    T_CHECK(ga_mem_limit(t_used() + 4096) == GA_OK);
    T_CHECK(GA_EVAL_HOST_INTO(z, x*2, x) == GA_ERR_MEM_LIMIT);
    T_ERROR(GA_ERR_MEM_LIMIT);
    T_CHECK(!memcmp(before, z->data, (size_t)n * 4));
    T_CHECK(ga_mem_limit(0) == GA_OK);
    for (int i = 0; i < 3; i++) {           /* the slots go and come back   */
        T_CHECK(GA_EVAL_HOST_INTO(z, x*2, x) == GA_OK);
        same(z, reference("x*2", GA_FLOAT32, x, x, 0), 0);
        ga_array *up = ga_to_device(x, ga_device());
        T_CHECK(ga_mem_trim() == GA_OK);
        same(ga_to_device(up, GA_CPU), x, 0);
        ga_free(up);
    }
}

static void step(void *arg) {
    ga_array *x = (ga_array *)arg;
    GA_EVAL_HOST_INTO(x, x + 1, x);
}
TEST(not_in_a_graph) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    ga_array *x = host_array(GA_FLOAT32, 100, false);
    T_CHECK(ga_graph_create(step, x) == NULL);
    T_ERROR(GA_ERR_CAPTURE);
}

/* Two threads share the lanes; one of them copies as well. */
enum { THREADS = 4, ROUNDS = 5 };
static int device;
static void *work(void *arg) {
    int me = *(int *)arg, bad = 0;
    int64_t n = 400000 + 1000 * me;
    ga_set_device(device);
    float *p = (float *)malloc((size_t)n * 8), *q = p + n;
    for (int64_t i = 0; p && i < n; i++) p[i] = (float)(i % 4096 + me);
    for (int r = 0; p && r < ROUNDS; r++) {
        GA_SCOPE;
        memset(q, 0xee, (size_t)n * 4);
        ga_array *x = ga_wrap(p, GA_FLOAT32, GA_SHAPE(n), NULL, GA_CPU, NULL,
                              NULL);
        ga_array *y = ga_wrap(q, GA_FLOAT32, GA_SHAPE(n), NULL, GA_CPU, NULL,
                              NULL);
        if (GA_EVAL_HOST_INTO(y, 2*x + me, x, me)) bad++;
        for (int64_t i = 0; i < n && !bad; i++)
            bad += q[i] != 2*p[i] + (float)me;
        if (me % 2 == 0) continue;
        ga_array *up = ga_asarray(q, GA_SHAPE(n));
        memset(q, 0xee, (size_t)n * 4);
        ga_asnumpy(up, q);
        for (int64_t i = 0; i < n && !bad; i++)
            bad += q[i] != 2*p[i] + (float)me;
    }
    free(p);
    *(int *)arg = bad;
    return NULL;
}
TEST(threads) {
    pthread_t id[THREADS];
    int arg[THREADS];
    device = ga_device();
    for (int i = 0; i < THREADS; i++) {
        arg[i] = i;
        assert_int_equal(pthread_create(&id[i], NULL, work, &arg[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(id[i], NULL);
        T_CHECKF(!arg[i], "thread %d: %d wrong", i, arg[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(sizes), T(types), T(pinned), T(in_place_and_overlapping),
        T(any_layout), T(reductions_and_long_texts), T(errors),
        T(limit_and_trim), T(not_in_a_graph), T(threads)};
    return T_RUN("eval_host", tests);
}
