/* A user's own kernels: spans of arrays, checked launches. The kernels are in
   test_kernel.cu. Without CUDA there is nothing to launch.                  */
#include "test.h"
#include "test_kernel.h"

#ifdef GPUARR_NO_CUDA
static void no_cuda(void **state) {
    (void)state;
    print_message("    built without CUDA\n");
    skip();
}
int main(void) {
    const struct CMUnitTest tests[] = {T(no_cuda)};
    return T_RUN("kernel", tests);
}
#else
static ga_array *floats(int64_t n, float from) {
    return ga_arange_as(from, from + (double)n, 1, GA_FLOAT32);
}
/* x[i] == f(i) for all of a vector. */
#define ALL(x, T, f)                                                        \
    do {                                                                    \
        const T *p_ = t_host(x);                                            \
        for (int64_t i = 0; i < (x)->size; i++)                             \
            if (p_[i] != (T)(f)) {                                          \
                t_bad("%s:%d: element %lld is %g, not %g", __FILE__,        \
                      __LINE__, (long long)i, (double)p_[i],                \
                      (double)(T)(f));                                      \
                break;                                                      \
            }                                                               \
    } while (0)
#define SAYS(status, text)                                                  \
    do {                                                                    \
        T_CHECKF(strstr(ga_error_message(), text), "%s:%d: \"%s\"",         \
                 __FILE__, __LINE__, ga_error_message());                   \
        T_ERROR(status);                                                    \
    } while (0)

TEST(wants_a_gpu) {
    GA_SCOPE;
    ga_array *x = floats(10, 0), *y = ga_ones_like(x);
    if (t_on_gpu()) return;
    T_CHECK(k_add(x, x, y) == GA_ERR_UNSUPPORTED);
    SAYS(GA_ERR_UNSUPPORTED, "GA_LAUNCH(add<float>): a CUDA kernel wants a "
                             "CUDA device; the current one is the CPU");
    T_CHECK(k_axpy_by_hand(2, x, y) != GA_OK);
    SAYS(GA_ERR_UNSUPPORTED, "ga_span_of: ");
    T_CHECK(k_grid(1, 1, 0) == GA_ERR_UNSUPPORTED);
    ga_clear_error();
    ALL(y, float, 1);
}

TEST(vectors) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    ga_array *i = ga_arange_as(0, 4096, 1, GA_INT32);
    ga_array *z = ga_full_like(i, -1);
    T_CHECK(!k_add(i, ga_mul(i, 2), z));
    ALL(z, int32_t, 3 * i);
    for (int64_t n = 1; n < 1000; n = n * 3 + 1) {
        ga_array *f = ga_full(GA_SHAPE(n + 1), -5, GA_FLOAT32);
        T_CHECK(!k_add(floats(n, 0), floats(n, 7),
                       ga_slice_axis(f, 0, 0, n, 1)));
        ALL(ga_slice_axis(f, 0, 0, n, 1), float, 2 * i + 7);
        T_CHECK(ga_item_at(f, GA_INDEX(-1)) == -5);
    }
    ga_array *x = ga_arange_as(0, 1000, 1, GA_FLOAT64);
    ga_array *y = ga_ones_like(x);
    T_CHECK(!k_axpy(0.5, x, y));
    T_CHECK(!k_axpy_by_hand(2, x, y));
    ALL(y, double, 1 + 2.5 * (double)i);
}

TEST(empty) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    ga_array *x = ga_zeros(GA_SHAPE(0), GA_FLOAT32);
    T_CHECK(!k_add(x, x, x));
    T_CHECK(!k_number(ga_zeros(GA_SHAPE(0, 5), GA_FLOAT32)));
    T_CHECK(!k_number(ga_zeros(GA_SHAPE(5, 0), GA_FLOAT32)));
    T_CHECK(k_add(x, x, ga_zeros(GA_SHAPE(0), GA_INT32)) == GA_ERR_DTYPE);
    T_ERROR(GA_ERR_DTYPE);
}

TEST(views) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    ga_array *x = floats(100, 0), *z = ga_zeros_like(x);
    ga_array *back = ga_flip(x, GA_ALL);
    ga_array *one = ga_broadcast_to(ga_ones(GA_SCALAR_SHAPE, GA_FLOAT32),
                                    GA_SHAPE(100));
    T_CHECK(!k_add(back, one, z));
    ALL(z, float, 100 - i);
    T_CHECK(!k_add(ga_slice(x, ":50"), ga_slice(x, "::2"),
                   ga_slice(z, "::-2")));
    ALL(ga_slice(z, "::-2"), float, 3 * i);
    ALL(ga_slice(z, "::2"), float, 100 - 2 * i);

    ga_array *m = ga_full(GA_SHAPE(75, 90), -1, GA_FLOAT32);
    T_CHECK(!k_number(ga_transpose(ga_slice(m, "2:72:2, ::-3"), GA_ALL)));
    ga_array *part = ga_transpose(ga_slice(m, "2:72:2, ::-3"), GA_ALL);
    ALL(ga_ravel(part), float, i);
    T_CHECK(ga_item(ga_sum(ga_equal(m, -1), GA_ALL)) == 75 * 90 - 35 * 30);

    ga_array *d4 = ga_full(GA_SHAPE(5, 4, 3, 2), -1, GA_INT64);
    ga_array *turned = ga_transpose(ga_slice(d4, "1:, :, ::-1"),
                                    GA_AXIS(2, 0, 3, 1));
    T_CHECK(!k_number(turned));
    ALL(ga_ravel(turned), int64_t, i);
}

TEST(rows) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    ga_array *x = ga_reshape(floats(40 * 30, 0), GA_SHAPE(40, 30));
    ga_array *y = ga_full_like(x, -1), *part = ga_slice(y, "::-2, 3:28");
    T_CHECK(!k_smooth(ga_slice(x, "::-2, 3:28"), part));
    ALL(ga_ravel(ga_slice(y, "1::2, 4:27")), float,
        4 * ((2 * (i / 23) + 1) * 30 + 4 + i % 23));
    ALL(ga_ravel(ga_slice(y, "1::2, 3")), float, (2 * i + 1) * 30 + 3);
    ALL(ga_ravel(ga_slice(y, "::2, :")), float, -1);
    T_CHECK(!k_smooth(ga_slice(x, ":, 5:6"), ga_slice(y, ":, 7:8")));
    ALL(ga_ravel(ga_slice(y, ":, 7")), float, i * 30 + 5);
    T_CHECK(k_smooth(x, ga_slice(y, ":, ::2")) == GA_ERR_SHAPE);
    SAYS(GA_ERR_SHAPE, "GA_LAUNCH(smooth): argument 2, of shape (40,15), has "
                       "elements 2 apart along its last axis; ga_rows wants");
    T_CHECK(k_smooth(ga_transpose(x, GA_ALL), y) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
}

TEST(types) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    ga_complex64 z[3], w[3];
    for (int i = 0; i < 3; i++) {
        z[i] = t_c64((float)i, 2);
        w[i] = t_c64((float)i, -2);
    }
    ga_array *x = ga_asarray(z, GA_SHAPE(3)), *y = ga_zeros_like(x);
    T_CHECK(!k_conjugate(x, y));
    t_same(y, GA_COMPLEX64, GA_SHAPE(3), w);
    ga_array *h = ga_arange_as(0, 50, 1, GA_FLOAT16);
    T_CHECK(!k_twice(h));
    ALL(ga_astype(h, GA_FLOAT64), double, 2 * i);
}

TEST(errors) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    ga_array *x = floats(12, 0), *z = ga_zeros_like(x);
    T_CHECK(k_add(x, ga_astype(x, GA_FLOAT64), z) == GA_ERR_DTYPE);
    SAYS(GA_ERR_DTYPE, "GA_LAUNCH(add<float>): argument 2 is float64 of shape "
                       "(12,), the span wants float32 in 1 dimension");
    T_CHECK(k_add(ga_reshape(x, GA_SHAPE(3, 4)), x, z) == GA_ERR_SHAPE);
    SAYS(GA_ERR_SHAPE, "argument 1 is float32 of shape (3,4), the span wants "
                       "float32 in 1 dimension");
    ga_array *wide = ga_broadcast_to(ga_slice(x, ":1"), GA_SHAPE(12));
    T_CHECK(k_add(x, x, wide) == GA_ERR_READONLY);
    SAYS(GA_ERR_READONLY, "GA_LAUNCH(add<float>): the output of shape (12,)");
    ga_array *far;
    {
        GA_DEVICE(GA_CPU);
        far = floats(12, 0);
    }
    T_CHECK(k_add(x, far, z) == GA_ERR_DEVICE_MISMATCH);
    SAYS(GA_ERR_DEVICE_MISMATCH, "array device = -1 while current = 0");
    T_CHECK(k_add(x, NULL, z) == GA_ERR_NULL);
    SAYS(GA_ERR_NULL, "an array argument is NULL");
    ga_reshape(x, GA_SHAPE(5));     /* an error pends: NULL is quiet        */
    T_CHECK(k_add(x, NULL, z) == GA_ERR_SHAPE);
    SAYS(GA_ERR_SHAPE, "ga_reshape");
    T_CHECK(k_axpy_by_hand(1, x, z) == GA_ERR_DTYPE);
    SAYS(GA_ERR_DTYPE, "ga_span_of: the array is float32 of shape (12,), the "
                       "span wants float64 in 1 dimension");
    ALL(z, float, 0);
}

TEST(grids) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    T_CHECK(!k_grid(1, 1024, 0));
    T_CHECK(!k_grid(0, 1024, 0));
    T_CHECK(!k_grid(1000000, 32, 0));
    T_CHECK(k_grid(3, 2000, 64) == GA_ERR_VALUE);
    SAYS(GA_ERR_VALUE, "GA_LAUNCH(nothing): device 0 cannot launch a ");
    T_CHECK(k_grid(3, 2000, 64) == GA_ERR_VALUE);
    SAYS(GA_ERR_VALUE, "grid of (3,1,1) blocks, each of (2000,1,1) threads "
                       "and 64 bytes of dynamic shared memory");
    T_CHECK(k_grid(INT64_C(1) << 32, 32, 0) == GA_ERR_VALUE);
    SAYS(GA_ERR_VALUE, "(4294967296,1,1) blocks");
    T_CHECK(k_grid(-1, 32, 0) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(k_grid(1, 32, 1 << 20) == GA_ERR_VALUE);
    SAYS(GA_ERR_VALUE, "1048576 bytes");
    ga_array *out = ga_zeros(GA_SHAPE(1), GA_FLOAT32);
    T_CHECK(!k_shared_sum(floats(1000, 0), out));
    T_CHECK(ga_item(out) == 499500);
    T_CHECK(!k_grid(1, 32, 100000));    /* above 48 KB                      */
    T_CHECK(!ga_synchronize());
}

/* What lies beyond reads as 0, is not written, and is told. */
TEST(bounds) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    ga_array *x = ga_reshape(floats(6 * 70, 0), GA_SHAPE(6, 70));
    ga_array *y = ga_full_like(x, -1);
    T_CHECK(!k_shift(x, y, 0));
    T_CHECK(!ga_synchronize());
    ALL(ga_ravel(y), float, i + 1);
    T_CHECK(!k_shift(x, ga_slice(y, "3:4, :"), 2));
    T_CHECK(ga_synchronize() == GA_ERR_INDEX);
    SAYS(GA_ERR_INDEX, "ga_synchronize: a kernel's index (0,7");
    T_CHECK(ga_item_at(y, GA_INDEX(3, 67)) == 70);
    T_CHECK(ga_item_at(y, GA_INDEX(3, 69)) == 1);

    ga_array *n = ga_zeros(GA_SHAPE(20), GA_INT32), *v = ga_slice(n, "5:15");
    T_CHECK(!k_scatter(v, 6));      /* 6 to 13, where 0 to 9 are            */
    T_CHECK(isnan(ga_item(ga_sum(n, GA_ALL))));
    SAYS(GA_ERR_INDEX, "ga_item: a kernel's index (1");
    ALL(n, int32_t, i >= 11 && i < 15 ? 7 : 0);
    T_CHECK(!k_scatter(v, -3));
    void *host = t_alloc(80);
    T_CHECK(!ga_asnumpy(n, host));
    SAYS(GA_ERR_INDEX, "is out of range for a span of shape (10,), in block "
                       "(0,0,0), thread (");
    T_CHECK(!k_scatter(v, 0));
    T_CHECK(!ga_synchronize());
    ALL(n, int32_t, i >= 5 && i < 15 ? 7 : 0);
}

typedef struct operands { ga_array *x, *y; } operands;
static void body(void *arg) {
    operands *o = arg;
    k_axpy(2, o->x, o->y);
    ga_add_into(o->x, o->x, 1);
}
TEST(graph) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    ga_array *x = ga_arange_as(0, 500, 1, GA_FLOAT64);
    operands o = {x, ga_zeros_like(x)};
    ga_graph *g = ga_graph_create(body, &o);
    T_CHECK(g != NULL);
    for (int i = 0; i < 3; i++) T_CHECK(!ga_graph_launch(g));
    ALL(o.y, double, 2 * (3 * i + 3));
    ga_graph_destroy(g);
}

/* A launch waits for what other streams do with its arrays, and they for it. */
TEST(streams) {
    GA_SCOPE;
    if (!t_on_gpu()) return;
    int64_t n = t_quick() ? 1 << 16 : 1 << 24;
    ga_stream *s = ga_stream_create(0), *t = ga_stream_create(0);
    ga_array *x = ga_ones(GA_SHAPE(n), GA_FLOAT64), *y = ga_zeros_like(x);
    for (int i = 0; i < 20; i++) {
        {
            GA_STREAM(s);
            T_CHECK(!ga_add_into(x, x, 1));
        }
        {
            GA_STREAM(t);
            T_CHECK(!k_axpy(1, x, y));
        }
    }
    T_CHECK(ga_item(ga_min(y, GA_ALL)) == 230);
    T_CHECK(ga_item(ga_max(y, GA_ALL)) == 230);
    ga_stream_destroy(s);
    ga_stream_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(wants_a_gpu), T(vectors), T(empty),  T(views), T(rows), T(types),
        T(errors),      T(grids),   T(bounds), T(graph), T(streams)};
    return T_RUN("kernel", tests);
}
#endif
