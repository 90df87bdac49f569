/* gpuarr_sparse.cu - the loops behind gpuarr_sparse.h, for CUDA devices and, in
   the same text, for the CPU.                                  MIT licence
   nvcc compiles both; c++ -x c++ -std=c++17 -DGPUARR_NO_CUDA the CPU part
   alone. -I names the folder of gpuarr.h.

   CONTENTS   >>numbers  >>spmv-cuda  >>spmv-cpu  >>turn  >>vectors  >>steps
              >>dots                                                        */
#define GPUARR_KERNELS
#include "gpuarr.h"
#include "gpuarr_sparse.h"
#ifndef GPUARR_NO_CUDA
#if !defined(__CUDACC__)
#error "gpuarr_sparse.cu: compile with nvcc, or with -DGPUARR_NO_CUDA"
#endif
#include <cuda_runtime.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* =============================================================== >>numbers */
#ifdef __CUDACC__
#define GS_HD __host__ __device__ __forceinline__
#else
#define GS_HD inline
#endif
template<class R> struct gs_complex { R re, im; };
typedef gs_complex<float> gs_c64;
typedef gs_complex<double> gs_c128;
template<class R> static GS_HD gs_complex<R> operator+(gs_complex<R> a,
                                                       gs_complex<R> b) {
    return {a.re + b.re, a.im + b.im};
}
template<class R> static GS_HD gs_complex<R> operator-(gs_complex<R> a,
                                                       gs_complex<R> b) {
    return {a.re - b.re, a.im - b.im};
}
template<class R> static GS_HD gs_complex<R> operator*(gs_complex<R> a,
                                                       gs_complex<R> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static GS_HD float gs_conj(float x) { return x; }
static GS_HD double gs_conj(double x) { return x; }
template<class R> static GS_HD gs_complex<R> gs_conj(gs_complex<R> x) {
    return {x.re, -x.im};
}
static GS_HD double gs_norm2(gs_c128 a) { return a.re * a.re + a.im * a.im; }
/* Smith's: no overflow where the quotient has none. */
static GS_HD gs_c128 operator/(gs_c128 a, gs_c128 b) {
    if (fabs(b.re) >= fabs(b.im)) {
        double q = b.im / b.re, d = b.re + b.im * q;
        if (b.im == 0) return {a.re / b.re, a.im / b.re};
        return {(a.re + a.im * q) / d, (a.im - a.re * q) / d};
    }
    double q = b.re / b.im, d = b.re * q + b.im;
    return {(a.re * q + a.im) / d, (a.im * q - a.re) / d};
}
static GS_HD gs_c128 gs_wide(float x) { return {x, 0}; }
static GS_HD gs_c128 gs_wide(double x) { return {x, 0}; }
static GS_HD gs_c128 gs_wide(gs_c64 x) { return {x.re, x.im}; }
static GS_HD gs_c128 gs_wide(gs_c128 x) { return x; }
static GS_HD void gs_put(float *to, gs_c128 x) { *to = (float)x.re; }
static GS_HD void gs_put(double *to, gs_c128 x) { *to = x.re; }
static GS_HD void gs_put(gs_c64 *to, gs_c128 x) {
    *to = {(float)x.re, (float)x.im};
}
static GS_HD void gs_put(gs_c128 *to, gs_c128 x) { *to = x; }

/* f<T>(arguments) for the dtype t. */
#define GS_OF_TYPE(t, f, ...)                                               \
    switch (t) {                                                            \
    case GA_FLOAT32: return f<float>(__VA_ARGS__);                          \
    case GA_FLOAT64: return f<double>(__VA_ARGS__);                         \
    case GA_COMPLEX64: return f<gs_c64>(__VA_ARGS__);                       \
    default: return f<gs_c128>(__VA_ARGS__);                                \
    }

/* ============================================================= >>spmv-cuda */
#ifndef GPUARR_NO_CUDA
static __device__ __forceinline__ float gs_down(float x, int d, int w) {
    return __shfl_down_sync(0xffffffffu, x, d, w);
}
static __device__ __forceinline__ double gs_down(double x, int d, int w) {
    return __shfl_down_sync(0xffffffffu, x, d, w);
}
template<class R> static __device__ __forceinline__ gs_complex<R>
gs_down(gs_complex<R> x, int d, int w) {
    return {gs_down(x.re, d, w), gs_down(x.im, d, w)};
}
/* Read once: not to push x out of the caches. */
template<class T> static __device__ __forceinline__ T gs_stream(const T *p) {
    return __ldcs(p);
}
static __device__ __forceinline__ gs_c64 gs_stream(const gs_c64 *p) {
    float2 v = __ldcs((const float2 *)p);
    return {v.x, v.y};
}
static __device__ __forceinline__ gs_c128 gs_stream(const gs_c128 *p) {
    double2 v = __ldcs((const double2 *)p);
    return {v.x, v.y};
}
template<class T> static __device__ __forceinline__ T
gs_term(const ga__spmv &q, const T *v, int64_t k, int64_t col) {
    T a = gs_stream(v + k);
    return (q.conj ? gs_conj(a) : a) * ((const T *)q.x)[col];
}

/* Short rows. A block has 256 / LANES rows, whose entries adjoin: all threads
   multiply them, neighbours reading neighbours, and put the products on chip,
   from where LANES threads add up each row. Reads every entry once, in one
   order: results repeat.                                                   */
#define GS_STAGE 2048               /* products on chip                     */
template<class T, class I, int LANES> static __global__ void
__launch_bounds__(256) gs_spmv_short(ga__spmv q) {
    __shared__ T product[GS_STAGE / (sizeof(T) > 8 ? 2 : 1)];
    constexpr int STAGE = GS_STAGE / (sizeof(T) > 8 ? 2 : 1);
    constexpr int ROWS = 256 / LANES;
    const I *ptr = (const I *)q.ptr, *idx = (const I *)q.idx;
    const T *val = (const T *)q.val;
    const int64_t r0 = (int64_t)blockIdx.x * ROWS;
    const int64_t r1 = r0 + ROWS < q.rows ? r0 + ROWS : q.rows;
    const int lane = (int)threadIdx.x % LANES;
    const int64_t row = r0 + threadIdx.x / LANES;
    const int64_t first = ptr[r0], end = ptr[r1];
    int64_t mine = 0, stop = 0;
    if (row < r1) mine = ptr[row], stop = ptr[row + 1];
    T sum = T();
    for (int64_t at = first; at < end; at += STAGE) {
        const int n = end - at < STAGE ? (int)(end - at) : STAGE;
        if (at != first) __syncthreads();
#pragma unroll 8
        for (int k = threadIdx.x; k < n; k += 256)
            product[k] = gs_term<T>(q, val, at + k, (int64_t)gs_stream(idx + at
                                                                       + k));
        __syncthreads();
        const int64_t from = mine > at ? mine : at;
        const int to = (int)((stop < at + n ? stop : at + n) - at);
        for (int k = (int)(from - at) + lane; k < to; k += LANES)
            sum = sum + product[k];
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2) sum = sum + gs_down(sum, d, LANES);
    if (row < r1 && !lane) ((T *)q.y)[row] = sum;
}
/* Long rows: LANES threads each, 32 or 256. */
template<class T, class I, int LANES> static __global__ void
__launch_bounds__(256) gs_spmv_long(ga__spmv q) {
    const I *ptr = (const I *)q.ptr, *idx = (const I *)q.idx;
    const T *val = (const T *)q.val;
    const int lane = (int)threadIdx.x % LANES;
    const int64_t row = (int64_t)blockIdx.x * (256 / LANES)
                        + threadIdx.x / LANES;
    T sum[4] = {T(), T(), T(), T()};
    if (row < q.rows) {
        const int64_t end = ptr[row + 1];
        int64_t k = ptr[row] + lane;
        for (; k + 3 * LANES < end; k += 4 * LANES) {
            int64_t col[4];
#pragma unroll
            for (int j = 0; j < 4; j++)
                col[j] = (int64_t)gs_stream(idx + k + j * LANES);
#pragma unroll
            for (int j = 0; j < 4; j++)
                sum[j] = sum[j] + gs_term<T>(q, val, k + j * LANES, col[j]);
        }
        for (; k < end; k += LANES)
            sum[0] = sum[0] + gs_term<T>(q, val, k,
                                         (int64_t)gs_stream(idx + k));
    }
    T all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) all = all + gs_down(all, d, 32);
    if (LANES > 32) {
        __shared__ T part[8];
        if (!(threadIdx.x & 31)) part[threadIdx.x >> 5] = all;
        __syncthreads();
        if (!threadIdx.x)
            for (int w = 1; w < 8; w++) all = all + part[w];
    }
    if (row < q.rows && !lane) ((T *)q.y)[row] = all;
}
/* A dense matrix: `lanes` neighbouring columns of a row of y for as many
   threads, which read an entry together and x's row side by side.          */
template<class T, class I> static __global__ void __launch_bounds__(256)
gs_spmm(ga__spmv q, int lanes) {
    const I *ptr = (const I *)q.ptr, *idx = (const I *)q.idx;
    const T *val = (const T *)q.val, *x = (const T *)q.x;
    const int64_t j = (int64_t)blockIdx.y * lanes + threadIdx.x % lanes;
    const int64_t row = (int64_t)blockIdx.x * (256 / lanes)
                        + threadIdx.x / lanes;
    if (row >= q.rows || j >= q.cols_x) return;
    T sum[2] = {T(), T()};
    int64_t k = ptr[row];
    const int64_t end = ptr[row + 1];
    for (; k + 1 < end; k += 2) {
        T a = val[k], b = val[k + 1];
        if (q.conj) a = gs_conj(a), b = gs_conj(b);
        sum[0] = sum[0] + a * x[(int64_t)idx[k] * q.cols_x + j];
        sum[1] = sum[1] + b * x[(int64_t)idx[k + 1] * q.cols_x + j];
    }
    if (k < end) {
        T a = val[k];
        sum[0] = sum[0] + (q.conj ? gs_conj(a) : a)
                          * x[(int64_t)idx[k] * q.cols_x + j];
    }
    ((T *)q.y)[row * q.cols_x + j] = sum[0] + sum[1];
}
template<class T, class I> static int gs_cuda_spmv(const ga__spmv *q,
                                                   cudaStream_t s) {
    const int64_t mean = q->nnz / q->rows;
    int lanes = 1;
    if (q->cols_x > 1) {
        while (lanes < 32 && lanes < q->cols_x) lanes *= 2;
        const int64_t rows = (q->rows + 256 / lanes - 1) / (256 / lanes);
        const int64_t wide = (q->cols_x + lanes - 1) / lanes;
        if (rows > INT32_MAX || wide > 65535)
            return (int)cudaErrorInvalidConfiguration;
        gs_spmm<T, I><<<dim3((unsigned)rows, (unsigned)wide), 256, 0, s>>>(
            *q, lanes);
        return (int)cudaGetLastError();
    }
    lanes = mean > 4096 ? 256 : mean >= 24 ? 32 : mean >= 10 ? 4 : 1;
    const int64_t blocks = (q->rows + 256 / lanes - 1) / (256 / lanes);
    if (blocks > INT32_MAX) return (int)cudaErrorInvalidConfiguration;
    switch (lanes) {
    case 1: gs_spmv_short<T, I, 1><<<(unsigned)blocks, 256, 0, s>>>(*q); break;
    case 4: gs_spmv_short<T, I, 4><<<(unsigned)blocks, 256, 0, s>>>(*q); break;
    case 32: gs_spmv_long<T, I, 32><<<(unsigned)blocks, 256, 0, s>>>(*q); break;
    default: gs_spmv_long<T, I, 256><<<(unsigned)blocks, 256, 0, s>>>(*q);
    }
    return (int)cudaGetLastError();
}
template<class T> static int gs_cuda_spmv_of(const ga__spmv *q,
                                             cudaStream_t s) {
    return q->wide ? gs_cuda_spmv<T, int64_t>(q, s)
                   : gs_cuda_spmv<T, int32_t>(q, s);
}
GA__EXTERN int gs_cuda_spmv(const ga__spmv *q, void *stream, int mps) {
    (void)mps;
    GS_OF_TYPE(q->t, gs_cuda_spmv_of, q, (cudaStream_t)stream)
}
#endif

/* ============================================================== >>spmv-cpu
   Rows in shares of as many entries: row r's share begins where r + its first
   entry passes the share's part of both, so that empty rows count too.      */
template<class I> static int64_t gs_share(const ga__spmv *q, int i, int n) {
    const I *ptr = (const I *)q->ptr;
    const double all = (double)q->nnz + (double)q->rows;
    const int64_t want = (int64_t)(all / n * i);
    int64_t lo = 0, hi = q->rows;
    if (i >= n) return q->rows;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if ((int64_t)ptr[mid] + mid < want) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}
template<class T, class I> static void gs_rows(const ga__spmv *q, int64_t r,
                                               int64_t end) {
    const I *ptr = (const I *)q->ptr, *idx = (const I *)q->idx;
    const T *val = (const T *)q->val, *x = (const T *)q->x;
    T *y = (T *)q->y;
    for (; r < end; r++) {
        const int64_t stop = ptr[r + 1];
        int64_t k = ptr[r];
        if (q->cols_x == 1 && !q->conj) {
            T s0 = T(), s1 = T(), s2 = T(), s3 = T();
            for (; k + 3 < stop; k += 4) {
                s0 = s0 + val[k] * x[idx[k]];
                s1 = s1 + val[k + 1] * x[idx[k + 1]];
                s2 = s2 + val[k + 2] * x[idx[k + 2]];
                s3 = s3 + val[k + 3] * x[idx[k + 3]];
            }
            for (; k < stop; k++) s0 = s0 + val[k] * x[idx[k]];
            y[r] = (s0 + s1) + (s2 + s3);
            continue;
        }
        T *out = y + r * q->cols_x;
        for (int64_t j = 0; j < q->cols_x; j++) out[j] = T();
        for (; k < stop; k++) {
            const T a = q->conj ? gs_conj(val[k]) : val[k];
            const T *from = x + (int64_t)idx[k] * q->cols_x;
            for (int64_t j = 0; j < q->cols_x; j++) out[j] = out[j] + a * from[j];
        }
    }
}
template<class T, class I> static void gs_cpu_spmv(const ga__spmv *q) {
    const int shares = (q->nnz + q->rows) * q->cols_x > 16384 ? 64 : 1;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) if (shares > 1)
#endif
    for (int i = 0; i < shares; i++)
        gs_rows<T, I>(q, gs_share<I>(q, i, shares), gs_share<I>(q, i + 1,
                                                               shares));
}
template<class T> static void gs_cpu_spmv_of(const ga__spmv *q) {
    if (q->wide) gs_cpu_spmv<T, int64_t>(q);
    else gs_cpu_spmv<T, int32_t>(q);
}
GA__EXTERN void gs_cpu_spmv(const ga__spmv *q) {
    GS_OF_TYPE(q->t, gs_cpu_spmv_of, q)
}
