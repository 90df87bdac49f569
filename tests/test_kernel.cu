// The kernels of test_kernel.c: what a .cu file beside a C program looks like.
#include "gpuarr.h"
#include "test_kernel.h"
#include <cuda_fp16.h>

template <class T>
__global__ void add(ga_span<const T> x, ga_span<const T> y, ga_span<T> z) {
    int64_t i = ga_thread_x();
    if (i < z.size) z(i) = x(i) + y(i);
}
__global__ void axpy(double a, ga_span<const double> x, ga_span<double> y) {
    int64_t i = ga_thread_x();
    if (y.has(i)) y[i] += a * x[i];
}
// Its place in C order to each element.
template <class T, int N> __global__ void number2(ga_span<T, N> v) {
    int64_t i = ga_thread_y(), j = ga_thread_x();
    if (v.has(i, j)) v(i, j) = (T)(i * v.shape[1] + j);
}
__global__ void number4(ga_span<int64_t, 4> v) {
    int64_t k = ga_thread_x(), n = k;
    if (n >= v.size) return;
    int64_t d = n % v.shape[3], c = (n /= v.shape[3]) % v.shape[2];
    int64_t b = (n /= v.shape[2]) % v.shape[1], a = n / v.shape[1];
    v(a, b, c, d) = k;
}
// x[i, j - 1] + 2 x[i, j] + x[i, j + 1], ends as they are.
__global__ void smooth(ga_rows<const float, 2> x, ga_rows<float, 2> y) {
    int64_t i = ga_thread_y(), j = ga_thread_x();
    if (!y.has(i, j)) return;
    y(i, j) = j && x.has(i, j + 1) ? x(i, j - 1) + 2 * x(i, j) + x(i, j + 1)
                                   : x.at(i, j);
}
__global__ void conjugate(ga_span<const float2> x, ga_span<float2> y) {
    int64_t i = ga_thread_x();
    if (i < y.size) y(i) = make_float2(x(i).x, -x(i).y);
}
__global__ void twice(ga_span<__half> x) {
    int64_t i = ga_thread_x();
    if (i < x.size) x(i) = __float2half(2 * __half2float(x(i)));
}
__global__ void shift(ga_span<const float, 2> x, ga_span<float, 2> y, int by) {
    int64_t i = ga_thread_y(), j = ga_thread_x();
    if (y.has(i, j)) y.at(i, j) = x.at(i, j + by) + 1;
}
__global__ void scatter(ga_span<int> x, int to) { x.at(to + threadIdx.x) = 7; }
__global__ void shared_sum(ga_span<const float> x, ga_span<float> out) {
    extern __shared__ float part[];
    part[threadIdx.x] = x(threadIdx.x);
    __syncthreads();
    if (threadIdx.x) return;
    float s = 0;
    for (int i = 0; i < x.size; i++) s += part[i];
    out(0) = s;
}
__global__ void nothing() {}

extern "C" {
ga_status k_add(ga_array *x, ga_array *y, ga_array *z) {
    ga_grid g = ga_grid_1d(z ? z->size : 1);
    if (z && z->dtype == GA_INT32) return GA_LAUNCH(add<int>, g, x, y, z);
    return GA_LAUNCH(add<float>, g, x, y, z);
}
ga_status k_axpy(double a, const ga_array *x, ga_array *y) {
    return GA_LAUNCH(axpy, ga_grid_1d(y->size), a, x, y);
}
ga_status k_axpy_by_hand(int a, const ga_array *x, ga_array *y) {
    cudaStream_t s = (cudaStream_t)ga_stream_handle(ga_stream_current());
    axpy<<<(unsigned)(y->size + 255) / 256, 256, 0, s>>>(
        a, ga_span_of<const double>(x), ga_span_of<double>(y));
    return cudaGetLastError() ? GA_ERR_CUDA : ga_error();
}
ga_status k_number(ga_array *v) {
    if (v->ndim == 4)
        return GA_LAUNCH(number4, ga_grid_1d(v->size), v);
    ga_grid g = ga_grid_2d(v->shape[0], v->shape[1]);
    return GA_LAUNCH((number2<float, 2>), g, v);
}
ga_status k_smooth(const ga_array *x, ga_array *y) {
    return GA_LAUNCH(smooth, ga_grid_2d(y->shape[0], y->shape[1], 4, 64), x, y);
}
ga_status k_conjugate(const ga_array *x, ga_array *y) {
    return GA_LAUNCH(conjugate, ga_grid_1d(y->size, 64), x, y);
}
ga_status k_twice(ga_array *x) {
    return GA_LAUNCH(twice, ga_grid_1d(x->size), x);
}
ga_status k_shift(const ga_array *x, ga_array *y, int by) {
    return GA_LAUNCH(shift, ga_grid_2d(y->shape[0], y->shape[1]), x, y, by);
}
ga_status k_scatter(ga_array *x, int to) {
    return GA_LAUNCH(scatter, ga_grid_of(1, 8), x, to);
}
ga_status k_shared_sum(const ga_array *x, ga_array *out) {
    int n = (int)x->size;
    return GA_LAUNCH(shared_sum,
                     ga_grid_of(1, n > 1024 ? 1024 : n, n * sizeof(float)), x,
                     out);
}
ga_status k_grid(long long blocks, int threads, size_t shared) {
    ga_grid g = {{blocks, 1, 1}, {threads, 1, 1}, shared};
    return GA_LAUNCH(nothing, g);
}
}
