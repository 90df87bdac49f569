// The floor of rows that arithmetic bounds: a plain kernel of that one function,
// CUDA's own or a formula of those, on contiguous arrays, 16 bytes a thread and
// turn. A row that is not in these lists has the copy rate alone for its floor:
// of the functions that cost more than a copy digamma, polygamma, zeta and the
// incomplete gammas, which CUDA has not. A part of rows.c.
#pragma nv_diag_suppress 186             // of unsigned x < 0
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <thrust/complex.h>
#include <cstdint>
#include <cstring>

namespace {
typedef thrust::complex<float> c64;
typedef thrust::complex<double> c128;

// What T is computed in.
template <class T> struct in { typedef T type; };
template <> struct in<__half> { typedef float type; };
template <> struct in<__nv_bfloat16> { typedef float type; };
template <class T, int V> struct alignas(V * sizeof(T)) vec { T v[V]; };

template <class F, class T, class O>
__global__ void unary(const T *x, O *out, int64_t n) {
    constexpr int V = sizeof(T) > 8 ? 1 : 16 / sizeof(T);
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / V; i += step) {
        vec<T, V> a = ((const vec<T, V> *)x)[i];
        vec<O, V> o;
#pragma unroll
        for (int k = 0; k < V; k++) o.v[k] = (O)F::of((typename in<T>::type)a.v[k]);
        ((vec<O, V> *)out)[i] = o;
    }
}
template <class F, class T>
__global__ void binary(const T *x, const T *y, T *out, int64_t n) {
    constexpr int V = sizeof(T) > 8 ? 1 : 16 / sizeof(T);
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n / V; i += step) {
        vec<T, V> a = ((const vec<T, V> *)x)[i], b = ((const vec<T, V> *)y)[i], o;
#pragma unroll
        for (int k = 0; k < V; k++)
            o.v[k] = (T)F::of((typename in<T>::type)a.v[k], (typename in<T>::type)b.v[k]);
        ((vec<T, V> *)out)[i] = o;
    }
}
typedef void (*launcher)(const void *, const void *, void *, int64_t, unsigned);
template <class F, class T, class O>
void launch1(const void *x, const void *, void *out, int64_t n, unsigned blocks) {
    unary<F, T, O><<<blocks, 256>>>((const T *)x, (O *)out, n);
}
template <class F, class T>
void launch2(const void *x, const void *y, void *out, int64_t n, unsigned blocks) {
    binary<F, T><<<blocks, 256>>>((const T *)x, (const T *)y, (T *)out, n);
}

template <class T> __device__ T floored(T a, T b) {
    if (b == 0) return 0;
    T q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}
template <class T> __device__ T divisor(T a, T b) {
    while (b) {
        T r = a % b;
        a = b, b = r;
    }
    return a < 0 ? -a : a;
}
template <class T> __device__ T to_power(T x, T n) {
    T v = 1;
    for (; n > 0; n >>= 1, x *= x) if (n & 1) v *= x;
    return v;
}
template <class T> __device__ T log_sum(T a, T b) {
    T most = a > b ? a : b, least = a > b ? b : a;
    return most + log1p(exp(least - most));
}
template <class T> __device__ T log_normal(T x) {       // as PyTorch's
    const T t = x * T(0.707106781186547524401);
    return x < -1 ? log(erfcx(-t) / 2) - t * t : log1p(-erfc(t) / 2);
}
template <class T> __device__ T mod(T a, T b) {
    T r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// Functions of floats, of two floats, of complex numbers, of integers.
#define REAL1(X) \
    X(sqrt, sqrt(x)) X(rsqrt, rsqrt(x)) X(reciprocal, 1 / x) X(cbrt, cbrt(x)) X(exp, exp(x)) \
    X(exp2, exp2(x)) X(expm1, expm1(x)) X(log, log(x)) X(log2, log2(x)) X(log10, log10(x)) \
    X(log1p, log1p(x)) X(sin, sin(x)) X(cos, cos(x)) X(tan, tan(x)) X(arcsin, asin(x)) \
    X(arccos, acos(x)) X(arctan, atan(x)) X(sinh, sinh(x)) X(cosh, cosh(x)) X(tanh, tanh(x)) \
    X(arcsinh, asinh(x)) X(arccosh, acosh(x)) X(arctanh, atanh(x)) \
    X(sinc, x == 0 ? T(1) : sinpi(x) / (T(3.14159265358979323846) * x)) X(erf, erf(x)) \
    X(erfc, erfc(x)) X(erfinv, erfinv(x)) X(gamma, tgamma(x)) X(lgamma, lgamma(x)) \
    X(sigmoid, 1 / (1 + exp(-x))) X(i0, cyl_bessel_i0(x)) X(i1, cyl_bessel_i1(x)) \
    X(i0e, exp(-fabs(x)) * cyl_bessel_i0(x)) X(i1e, exp(-fabs(x)) * cyl_bessel_i1(x)) \
    X(j0, j0(x)) X(j1, j1(x)) X(y0, y0(x)) X(y1, y1(x)) X(ndtr, normcdf(x)) \
    X(ndtri, normcdfinv(x)) X(log_ndtr, log_normal(x)) X(logit, log(x / (1 - x))) \
    X(entr, x > 0 ? -x * log(x) : x == 0 ? T(0) : -T(INFINITY))
#define REAL2(X) \
    X(divide, x / y) X(remainder, mod(x, y)) X(fmod, fmod(x, y)) \
    X(floor_divide, floor((x - mod(x, y)) / y + T(0.5))) X(power, pow(x, y)) \
    X(hypot, hypot(x, y)) X(arctan2, atan2(x, y)) X(logaddexp, log_sum(x, y)) \
    X(logaddexp2, (x > y ? x : y) + log2(1 + exp2(-fabs(x - y)))) \
    X(xlogy, x == 0 && !isnan(y) ? T(0) : x * log(y)) \
    X(xlog1py, x == 0 && !isnan(y) ? T(0) : x * log1p(y)) \
    X(rel_entr, x > 0 && y > 0 ? x * log(x / y) : x == 0 && y >= 0 ? T(0) : T(INFINITY)) \
    X(betaln, lgamma(x) + lgamma(y) - lgamma(x + y)) \
    X(beta, exp(lgamma(x) + lgamma(y) - lgamma(x + y)))
#define COMPLEX1(X) \
    X(sqrt, thrust::sqrt(x)) X(reciprocal, T(1) / x) X(exp, thrust::exp(x)) \
    X(exp2, thrust::exp(x * T(0.693147180559945309417))) X(log, thrust::log(x)) \
    X(log2, thrust::log(x) * T(1.44269504088896340736)) X(log10, thrust::log10(x)) \
    X(sin, thrust::sin(x)) X(cos, thrust::cos(x)) X(tan, thrust::tan(x)) \
    X(arcsin, thrust::asin(x)) X(arccos, thrust::acos(x)) X(arctan, thrust::atan(x)) \
    X(sinh, thrust::sinh(x)) X(cosh, thrust::cosh(x)) X(tanh, thrust::tanh(x)) \
    X(arcsinh, thrust::asinh(x)) X(arccosh, thrust::acosh(x)) X(arctanh, thrust::atanh(x)) \
    X(sign, x / T(thrust::abs(x)))
#define COMPLEX1_REAL(X) X(absolute, thrust::abs(x)) X(angle, thrust::arg(x))
#define COMPLEX2(X) X(divide, x / y) X(power, thrust::pow(x, y))
#define INT2(X) \
    X(floor_divide, floored(x, y)) X(remainder, y == 0 ? T(0) : T(x - y * floored(x, y))) \
    X(fmod, y == 0 ? T(0) : T(x % y)) X(power, to_power(x, y)) X(gcd, divisor(x, y)) \
    X(lcm, x == 0 || y == 0 ? T(0) : T(x / divisor(x, y) * y))

#define X(n, e) \
    struct r1_##n { template <class T> static __device__ T of(T x) { return e; } };
REAL1(X)
#undef X
#define X(n, e) \
    struct r2_##n { template <class T> static __device__ T of(T x, T y) { return e; } };
REAL2(X)
#undef X
#define X(n, e) \
    struct c1_##n { template <class T> static __device__ T of(T x) { return e; } };
COMPLEX1(X)
#undef X
#define X(n, e) \
    struct a1_##n { template <class T> static __device__ auto of(T x) { return e; } };
COMPLEX1_REAL(X)
#undef X
#define X(n, e) \
    struct c2_##n { template <class T> static __device__ T of(T x, T y) { return e; } };
COMPLEX2(X)
#undef X
#define X(n, e) \
    struct i2_##n { template <class T> static __device__ T of(T x, T y) { return (T)(e); } };
INT2(X)
#undef X

const struct entry { const char *row, *dtype; launcher f; } entries[] = {
#define X(n, e) \
    {#n, "f16", launch1<r1_##n, __half, __half>}, \
    {#n, "bf16", launch1<r1_##n, __nv_bfloat16, __nv_bfloat16>}, \
    {#n, "f32", launch1<r1_##n, float, float>}, {#n, "f64", launch1<r1_##n, double, double>},
    REAL1(X)
#undef X
#define X(n, e) \
    {#n, "f16", launch2<r2_##n, __half>}, {#n, "bf16", launch2<r2_##n, __nv_bfloat16>}, \
    {#n, "f32", launch2<r2_##n, float>}, {#n, "f64", launch2<r2_##n, double>},
    REAL2(X)
#undef X
#define X(n, e) {#n, "c64", launch1<c1_##n, c64, c64>}, {#n, "c128", launch1<c1_##n, c128, c128>},
    COMPLEX1(X)
#undef X
#define X(n, e) \
    {#n, "c64", launch1<a1_##n, c64, float>}, {#n, "c128", launch1<a1_##n, c128, double>},
    COMPLEX1_REAL(X)
#undef X
#define X(n, e) {#n, "c64", launch2<c2_##n, c64>}, {#n, "c128", launch2<c2_##n, c128>},
    COMPLEX2(X)
#undef X
#define X(n, e) \
    {#n, "i8", launch2<i2_##n, int8_t>}, {#n, "i16", launch2<i2_##n, int16_t>}, \
    {#n, "i32", launch2<i2_##n, int32_t>}, {#n, "i64", launch2<i2_##n, int64_t>}, \
    {#n, "u8", launch2<i2_##n, uint8_t>}, {#n, "u16", launch2<i2_##n, uint16_t>}, \
    {#n, "u32", launch2<i2_##n, uint32_t>}, {#n, "u64", launch2<i2_##n, uint64_t>},
    INT2(X)
#undef X
};

const entry *entry_of(const char *row, const char *dtype) {
    for (const entry &k : entries)
        if (!strcmp(k.row, row) && !strcmp(k.dtype, dtype)) return &k;
    return nullptr;
}
} // namespace

extern "C" int plain_has(const char *row, const char *dtype) {
    return entry_of(row, dtype) != nullptr;
}
// Milliseconds of `row`'s function on n elements, by events, the best of five
// with few blocks, each in turns, and of five with more; 0 where it fails.
extern "C" double plain_ms(const char *row, const char *dtype, const void *x, const void *y,
                           void *out, int64_t n) {
    static cudaEvent_t e[11];
    const entry *at = entry_of(row, dtype);
    if (!at) return 0;
    int processors = 0;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    unsigned many = (unsigned)(n / 256 / 4 + 1), few = (unsigned)processors * 8;
    if (!e[0]) for (cudaEvent_t &v : e) cudaEventCreate(&v);
    at->f(x, y, out, n, few);
    cudaEventRecord(e[0]);
    for (int i = 0; i < 10; i++) {
        at->f(x, y, out, n, i < 5 ? few : many);
        cudaEventRecord(e[i + 1]);
    }
    if (cudaDeviceSynchronize() != cudaSuccess) return 0;
    float best = 1e30f;
    for (int i = 0; i < 10; i++) {
        float ms;
        cudaEventElapsedTime(&ms, e[i], e[i + 1]);
        if (ms < best) best = ms;
    }
    return best;
}
