/* gpuarr_sparse.cu - the loops behind gpuarr_sparse.h, for CUDA devices and, in
   the same text, for the CPU.                                  MIT licence
   nvcc compiles both; c++ -x c++ -std=c++17 -DGPUARR_NO_CUDA the CPU part
   alone. -I names the folder of gpuarr.h.

   CONTENTS   >>numbers  >>spmv-cuda  >>spmv-cpu  >>turn  >>triangles
              >>incomplete  >>lu  >>vectors  >>steps  >>dots                */
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
#define GS_BIG __host__ __device__ __noinline__         /* compiled once    */
#else
#define GS_HD inline
#define GS_BIG
#endif
template<class R> struct gs_complex { R re, im; };
template<class T> constexpr bool gs_is_complex = false;
template<class R> constexpr bool gs_is_complex<gs_complex<R>> = true;
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
static GS_HD gs_c128 gs_wide(gs_c64 x) { return {x.re, x.im}; }
static GS_HD gs_c128 gs_wide(gs_c128 x) { return x; }
static GS_HD void gs_put(float *to, gs_c128 x) { *to = (float)x.re; }
static GS_HD void gs_put(double *to, gs_c128 x) { *to = x.re; }
static GS_HD void gs_put(gs_c64 *to, gs_c128 x) {
    *to = {(float)x.re, (float)x.im};
}
static GS_HD void gs_put(gs_c128 *to, gs_c128 x) { *to = x; }

static GS_HD float gs_div(float a, float b) { return a / b; }
static GS_HD double gs_div(double a, double b) { return a / b; }
static GS_HD gs_c128 gs_div(gs_c128 a, gs_c128 b) { return a / b; }
static GS_HD gs_c64 gs_div(gs_c64 a, gs_c64 b) {
    gs_c64 r;
    gs_put(&r, gs_wide(a) / gs_wide(b));
    return r;
}
static GS_HD bool gs_sound(double x) {      /* a pivot: not 0, not NaN      */
    return fabs(x) > 0;
}
template<class R> static GS_HD bool gs_sound(gs_complex<R> x) {
    return fabs((double)x.re) + fabs((double)x.im) > 0;
}
static GS_HD double gs_part(float x) { return x; }      /* the real one     */
static GS_HD double gs_part(double x) { return x; }
template<class R> static GS_HD double gs_part(gs_complex<R> x) { return x.re; }

/* Indices whose width is looked at with each: where latency or the other operands
   cost more than that, and a kernel for each width would be text for nothing. */
struct gs_index {
    const void *p;
    int bytes;
    GS_HD int64_t operator[](int64_t k) const {
        return bytes == 4 ? ((const int32_t *)p)[k]
               : bytes == 2 ? ((const uint16_t *)p)[k] : ((const int64_t *)p)[k];
    }
};
/* f<T>(arguments) for the dtype t. */
#define GS_OF_TYPE(t, f, ...)                                               \
    switch (t) {                                                            \
    case GA_FLOAT32: return f<float>(__VA_ARGS__);                          \
    case GA_FLOAT64: return f<double>(__VA_ARGS__);                         \
    case GA_COMPLEX64: return f<gs_c64>(__VA_ARGS__);                       \
    default: return f<gs_c128>(__VA_ARGS__);                                \
    }

/* ============================================================= >>spmv-cuda */
#define GS_ROW 32                   /* entries that a thread takes alone    */
#define GS_FAR 2048                 /* rows that are listed at most         */
#define GS_FAR_PARTS 64
static int64_t gs_mean(const ga__spmv *q) { return q->nnz / q->rows; }
/* Rows a thread, a few threads or a warp each. */
enum gs_by { GS_BY_THREAD, GS_BY_TWO, GS_BY_FOUR, GS_BY_WARP };
static gs_by gs_spmv_by(const ga__spmv *q) {
    const int64_t mean = gs_mean(q);
    const bool plain = !q->wide && (q->t == GA_FLOAT32 || q->t == GA_FLOAT64);
    return mean >= GA__LONG_ROWS ? GS_BY_WARP : !plain ? GS_BY_THREAD
           : mean > 11 ? GS_BY_FOUR : mean > 8 ? GS_BY_TWO : GS_BY_THREAD;
}
/* Entries of a row that one warp takes; 0: all, there is no longer one.     */
static int64_t gs_spmv_most(const ga__spmv *q) {
    const gs_by by = gs_spmv_by(q);
    int64_t most = q->rows > GS_FAR ? 8 * gs_mean(q) : 0;
    if (most < 8192) most = 8192;
    return q->cols_x > 1 || by == GS_BY_TWO || by == GS_BY_FOUR
           || q->nnz < 32768 || (q->longest >= 0 && q->longest <= most) ? 0 : most;
}
GA__EXTERN size_t gs_spmv_work(const ga__spmv *q, int mps) {
    return mps && gs_spmv_most(q)
           ? GS_FAR * (sizeof(int64_t) + GS_FAR_PARTS * ga_dtype_size(q->t)) : 0;
}
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
template<class T> static __device__ __forceinline__ T gs_all(T sum) {
#pragma unroll
    for (int d = 16; d > 0; d /= 2) sum = sum + gs_down(sum, d, 32);
    return sum;
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
/* Rows of a dozen entries, of real numbers. A block has 256 / LANES rows, whose
   entries adjoin: all threads multiply them, neighbours reading neighbours, and
   put the products on chip, from where LANES threads add up each row. Reads every
   entry once, in one order: results repeat. A thread has EACH entries under way
   at once.                                                                 */
template<class T, int LANES> static __global__ void __launch_bounds__(256)
gs_spmv_short(ga__spmv q) {
    typedef int32_t I;
    constexpr int EACH = 6, STAGE = 256 * EACH, ROWS = 256 / LANES;
    __shared__ T product[STAGE];
    const I *ptr = (const I *)q.ptr, *idx = (const I *)q.idx;
    const T *val = (const T *)q.val, *x = (const T *)q.x;
    const int64_t r0 = (int64_t)blockIdx.x * ROWS;
    const int64_t r1 = r0 + ROWS < q.rows ? r0 + ROWS : q.rows;
    const int lane = (int)threadIdx.x % LANES;
    const int64_t row = r0 + threadIdx.x / LANES;
    const int64_t end = ptr[r1];
    int64_t at = ptr[r0], mine = 0, stop = 0;
    if (row < r1) mine = ptr[row], stop = ptr[row + 1];
    T sum = T();
    while (at < end) {
        const int n = end - at < STAGE ? (int)(end - at) : STAGE;
        const I *i = idx + at;
        const T *v = val + at;
        I col[EACH];
        T a[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int k = (int)threadIdx.x + j * 256;
            if (k < n) {
                col[j] = gs_stream(i + k);
                a[j] = gs_stream(v + k);
            }
        }
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int k = (int)threadIdx.x + j * 256;
            if (k < n) product[k] = a[j] * x[col[j]];
        }
        __syncthreads();
        const int64_t to = stop < at + n ? stop : at + n;
        for (int64_t k = (mine > at ? mine : at) + lane; k < to; k += LANES)
            sum = sum + product[k - at];
        at += n;
        if (at < end) __syncthreads();
    }
#pragma unroll
    for (int d = LANES / 2; d > 0; d /= 2) sum = sum + gs_down(sum, d, LANES);
    if (row < r1 && !lane) ((T *)q.y)[row] = sum;
}
/* The sum of entries k, k + LANES, ... up to end; EACH of them under way at
   once.                                                                    */
static __device__ __forceinline__ int64_t gs_take(gs_index idx, int64_t k) {
    return idx[k];
}
template<class J> static __device__ __forceinline__ J gs_take(const J *idx,
                                                              int64_t k) {
    return gs_stream(idx + k);
}
template<class T, class J, int LANES, int EACH> static __device__
__forceinline__ T gs_stride(const ga__spmv &q, const J &idx, int64_t k,
                            int64_t end) {
    const T *val = (const T *)q.val;
    T sum[4] = {T(), T(), T(), T()};
    for (; k < end; k += EACH * LANES) {
        decltype(gs_take(idx, k)) col[EACH];
        T a[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (k + j * LANES < end) {
                col[j] = gs_take(idx, k + j * LANES);
                a[j] = gs_stream(val + k + j * LANES);
            }
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (k + j * LANES < end)
                sum[j % 4] = sum[j % 4] + (q.conj ? gs_conj(a[j]) : a[j])
                                          * ((const T *)q.x)[col[j]];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
#define GS_MANY(T) (sizeof(T) > 8 ? 4 : 12)
/* A warp's row of more than `most` entries is left to gs_spmv_far, if there is
   room in its list.                                                        */
static __device__ __forceinline__ bool gs_is_far(const ga__spmv &q, int64_t row,
                                                 int64_t length, int64_t most) {
    if (!most || length <= most) return false;
    const bool one = !(threadIdx.x & 31);
    unsigned at = one ? atomicAdd(q.use.counters, 1) : 0;
    if (one && at < GS_FAR) ((int64_t *)q.use.work)[at] = row;
    return __shfl_sync(0xffffffffu, at, 0) < GS_FAR;
}
/* Medium rows: a warp each. */
template<class T, class I, class J> static __global__ void
__launch_bounds__(256) gs_spmv_long(ga__spmv q, int64_t most) {
    const I *ptr = (const I *)q.ptr;
    const int lane = (int)threadIdx.x & 31;
    const int64_t row = (int64_t)blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= q.rows) return;
    const int64_t k = ptr[row], end = ptr[row + 1];
    if (gs_is_far(q, row, end - k, most)) return;
    const T all = gs_all(gs_stride<T, const J *, 32, GS_MANY(T)>(
        q, (const J *)q.idx, k + lane, end));
    if (!lane) ((T *)q.y)[row] = all;
}
/* A few entries a row: a thread each; neighbours read neighbouring lines, which
   the cache holds until they are used up. Of 5 a row this is as fast as copying
   the bytes; staging them on chip cost a third more. If there may be longer rows
   (LONG), those over GS_ROW entries are taken by the whole warp.           */
template<class T, class I, bool LONG> static __global__ void
__launch_bounds__(256, sizeof(T) > 8 ? 4 : LONG && sizeof(T) > 4 ? 6 : 8)
gs_spmv_row(ga__spmv q, int64_t most) {
    const I *ptr = (const I *)q.ptr, *idx = (const I *)q.idx;
    const T *val = (const T *)q.val, *x = (const T *)q.x;
    const int64_t row = (int64_t)blockIdx.x * 256 + threadIdx.x;
    const int lane = (int)threadIdx.x & 31;
    I k = 0, end = 0;
    if (row < q.rows) k = ptr[row], end = ptr[row + 1];
    const bool mine = !LONG || end - k <= GS_ROW;
    if (row < q.rows && mine) {
        T sum = T();
#pragma unroll 5                        /* a plane's stencil in one go       */
        for (; k < end; k++)
            sum = sum + (q.conj ? gs_conj(val[k]) : val[k]) * x[idx[k]];
        ((T *)q.y)[row] = sum;
    }
    for (unsigned rest = LONG ? __ballot_sync(0xffffffffu, !mine) : 0; rest;
         rest &= rest - 1) {
        const int from = __ffs((int)rest) - 1;
        const int64_t first = __shfl_sync(0xffffffffu, k, from);
        const int64_t last = __shfl_sync(0xffffffffu, end, from);
        if (gs_is_far(q, row - lane + from, last - first, most)) continue;
        const T all = gs_all(gs_stride<T, const I *, 32, 2>(q, idx, first + lane,
                                                          last));
        if (!lane) ((T *)q.y)[row + from] = all;
    }
}
/* The rows that were listed: gridDim.x blocks have a part of one each; the one
   that comes last adds the parts up in their order.                        */
template<class T> static __global__ void __launch_bounds__(256)
gs_spmv_far(ga__spmv q) {
    __shared__ T warp[8];
    __shared__ bool last;
    const unsigned listed = *(volatile unsigned *)q.use.counters;
    const unsigned rows = listed < GS_FAR ? listed : GS_FAR;
    const gs_index ptr = {q.ptr, q.wide ? 8 : 4};
    const gs_index idx = {q.idx, q.narrow ? 2 : q.wide ? 8 : 4};
    T *parts = (T *)((int64_t *)q.use.work + GS_FAR);
    for (unsigned i = blockIdx.y; i < rows; i += gridDim.y) {
        const int64_t row = ((const int64_t *)q.use.work)[i];
        const int64_t first = ptr[row], n = ptr[row + 1] - first;
        const int64_t each = (n + gridDim.x - 1) / gridDim.x;
        const int64_t from = first + each * blockIdx.x;
        const int64_t to = from + each < first + n ? from + each : first + n;
        T *part = parts + (int64_t)i * gridDim.x;
        T all = gs_all(gs_stride<T, gs_index, 256, 4>(q, idx, from + threadIdx.x,
                                                       to));
        if (!(threadIdx.x & 31)) warp[threadIdx.x >> 5] = all;
        __syncthreads();
        if (!threadIdx.x) {
            for (int w = 1; w < 8; w++) all = all + warp[w];
            part[blockIdx.x] = all;
            __threadfence();
            last = atomicInc(q.use.counters + 1 + i, gridDim.x - 1)
                   == gridDim.x - 1;
        }
        __syncthreads();
        if (last && !threadIdx.x) {
            __threadfence();
            T sum = T();
            for (unsigned p = 0; p < gridDim.x; p++) sum = sum + part[p];
            ((T *)q.y)[row] = sum;
        }
        __syncthreads();
    }
    if (!threadIdx.x) {             /* the list is empty again              */
        __threadfence();
        const unsigned all = gridDim.x * gridDim.y;
        if (atomicInc(q.use.counters + 1 + GS_FAR, all - 1) == all - 1)
            *q.use.counters = 0;
    }
}
/* A dense matrix: `lanes` neighbouring columns of a row of y for as many
   threads, which read an entry together and x's row side by side.          */
template<class T> static __global__ void __launch_bounds__(256)
gs_spmm(ga__spmv q, int lanes) {
    const gs_index ptr = {q.ptr, q.wide ? 8 : 4}, idx = {q.idx, ptr.bytes};
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
        sum[0] = sum[0] + a * x[idx[k] * q.cols_x + j];
        sum[1] = sum[1] + b * x[idx[k + 1] * q.cols_x + j];
    }
    if (k < end) {
        T a = val[k];
        sum[0] = sum[0] + (q.conj ? gs_conj(a) : a)
                          * x[idx[k] * q.cols_x + j];
    }
    ((T *)q.y)[row * q.cols_x + j] = sum[0] + sum[1];
}
template<class T, class I, class J> static int gs_cuda_spmv(const ga__spmv *q,
                                                            cudaStream_t s) {
    if (q->cols_x > 1) {
        int lanes = 1;
        while (lanes < 32 && lanes < q->cols_x) lanes *= 2;
        const int64_t rows = (q->rows + 256 / lanes - 1) / (256 / lanes);
        const int64_t wide = (q->cols_x + lanes - 1) / lanes;
        if (rows > INT32_MAX || wide > 65535)
            return (int)cudaErrorInvalidConfiguration;
        gs_spmm<T><<<dim3((unsigned)rows, (unsigned)wide), 256, 0, s>>>(
            *q, lanes);
        return (int)cudaGetLastError();
    }
    static const int rows_of[] = {256, 128, 64, 8};     /* a block          */
    const gs_by by = gs_spmv_by(q);
    const int64_t most = gs_spmv_most(q);
    const int64_t blocks = (q->rows + rows_of[by] - 1) / rows_of[by];
    if (blocks > INT32_MAX) return (int)cudaErrorInvalidConfiguration;
    const unsigned n = (unsigned)blocks;
    if (by == GS_BY_WARP) {
        gs_spmv_long<T, I, J><<<n, 256, 0, s>>>(*q, most);
    } else if (by == GS_BY_THREAD) {
        if (q->longest >= 0 && q->longest <= GS_ROW)
            gs_spmv_row<T, I, false><<<n, 256, 0, s>>>(*q, 0);
        else gs_spmv_row<T, I, true><<<n, 256, 0, s>>>(*q, most);
    } else if constexpr (sizeof(I) == 4 && !gs_is_complex<T>) {
        if (by == GS_BY_TWO) gs_spmv_short<T, 2><<<n, 256, 0, s>>>(*q);
        else gs_spmv_short<T, 4><<<n, 256, 0, s>>>(*q);
    }
    if (most)
        gs_spmv_far<T><<<dim3(GS_FAR_PARTS, 16), 256, 0, s>>>(*q);
    return (int)cudaGetLastError();
}
template<class T> static int gs_cuda_spmv_of(const ga__spmv *q,
                                             cudaStream_t s) {
    return q->wide ? gs_cuda_spmv<T, int64_t, int64_t>(q, s)
           : q->narrow ? gs_cuda_spmv<T, int32_t, uint16_t>(q, s)
           : gs_cuda_spmv<T, int32_t, int32_t>(q, s);
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
template<size_t BYTES> struct gs_word { typedef uint32_t type; };
template<> struct gs_word<8> { typedef uint64_t type; };
/* A vector times rows r .. end-1: apart, for the registers' sake. */
template<class T, class I>
static void gs_row_sums(const I *ptr, const I *idx, const T *val, const T *x,
                        T *y, int64_t r, int64_t end) {
    I k = ptr[r];
    for (; r < end; r++) {
        const I stop = ptr[r + 1];
        T s0 = T(), s1 = T(), s2 = T(), s3 = T();
        for (; stop - k > 3; k += 4) {
            s0 = s0 + val[k] * x[idx[k]];
            s1 = s1 + val[k + 1] * x[idx[k + 1]];
            s2 = s2 + val[k + 2] * x[idx[k + 2]];
            s3 = s3 + val[k + 3] * x[idx[k + 3]];
        }
        for (; k < stop; k++) s0 = s0 + val[k] * x[idx[k]];
        y[r] = (s0 + s1) + (s2 + s3);
    }
}
/* Of real numbers, in runs of rows whose products go to a buffer first:
   where a row ends is then no reason to wait for x (12 entries a row, at random
   places: 2/3 of the time). Eight lanes, of a row's last ones what is its own,
   so that no branch depends on more than its length's eighths.              */
template<class T, class I>
static void gs_row_runs(const I *ptr, const I *idx, const T *val, const T *x,
                        T *y, int64_t r, int64_t end) {
    typedef typename gs_word<sizeof(T)>::type U;
    constexpr int room = 1024;
    alignas(64) T made[room + 8] = {};
    static const U keep[16] = {(U)-1, (U)-1, (U)-1, (U)-1,
                               (U)-1, (U)-1, (U)-1, (U)-1};
    while (r < end) {
        const I first = ptr[r];
        int64_t to = r;
        while (to < end && ptr[to + 1] - first <= room) to++;
        if (to == r) {
            gs_row_sums<T, I>(ptr, idx, val, x, y, r, r + 1);
            r++;
            continue;
        }
        const int n = (int)(ptr[to] - first);
        for (int k = 0; k < n; k++)
            made[k] = val[first + k] * x[idx[first + k]];
        for (const T *v = made; r < to; r++) {
            T s[8] = {};
            int left = (int)(ptr[r + 1] - ptr[r]);
            for (; left > 8; left -= 8, v += 8)
                for (int l = 0; l < 8; l++) s[l] += v[l];
            const U *mask = keep + 8 - left;
            for (int l = 0; l < 8; l++) {
                U bits;
                T own;
                memcpy(&bits, v + l, sizeof bits);
                bits &= mask[l];
                memcpy(&own, &bits, sizeof own);
                s[l] += own;
            }
            v += left;
            y[r] = ((s[0] + s[4]) + (s[2] + s[6]))
                   + ((s[1] + s[5]) + (s[3] + s[7]));
        }
    }
}
template<class T, class I> static void gs_rows(const ga__spmv *q, int64_t r,
                                               int64_t end) {
    const I *ptr = (const I *)q->ptr, *idx = (const I *)q->idx;
    const T *val = (const T *)q->val, *x = (const T *)q->x;
    T *y = (T *)q->y;
    if (q->cols_x == 1 && !q->conj) {
        if constexpr (gs_is_complex<T>) {
            if (r < end) gs_row_sums<T, I>(ptr, idx, val, x, y, r, end);
        } else {
            if (q->nnz / 8 > q->rows)
                gs_row_runs<T, I>(ptr, idx, val, x, y, r, end);
            else if (r < end) gs_row_sums<T, I>(ptr, idx, val, x, y, r, end);
        }
        return;
    }
    for (; r < end; r++) {
        T *out = y + r * q->cols_x;
        for (int64_t j = 0; j < q->cols_x; j++) out[j] = T();
        for (int64_t k = ptr[r], stop = ptr[r + 1]; k < stop; k++) {
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

/* ================================================================== >>turn
   Counting: each share of the entries counts its keys, places follow from the
   counts before them. The order does not depend on how many shares there are. */
static int gs_turn_shares(const ga__turn *q) {
    int64_t n = gk_cpu_threads(), most = q->n / (q->lines + 1024) + 1;
    if (n > most) n = most;
    return (int)(n > 16 ? 16 : n);
}
GA__EXTERN size_t gs_turn_work(const ga__turn *q, int mps) {
    (void)mps;
    return (size_t)gs_turn_shares(q) * (size_t)(q->lines + 1) * sizeof(int64_t);
}
template<int W> struct gs_bytes { uint32_t w[W / 4]; };
template<class I, class F>
static void gs_each(const ga__turn *q, int64_t first, int64_t end, const F &f) {
    const I *key = (const I *)q->key, *from = (const I *)q->from;
    const I *ptr = (const I *)q->from_ptr;
    if (from) {
        for (int64_t k = first; k < end; k++) f(k, key[k], from[k]);
        return;
    }
    int64_t lo = 0, hi = q->from_lines;     /* the row that has `first`     */
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2;
        if ((int64_t)ptr[mid] <= first) lo = mid;
        else hi = mid;
    }
    for (int64_t k = first; k < end; k++) {
        while ((int64_t)ptr[lo + 1] <= k) lo++;
        f(k, key[k], (I)lo);
    }
}
template<class I, int W> static void gs_turn(const ga__turn *q) {
    typedef gs_bytes<W> B;
    const int shares = gs_turn_shares(q);
    const int64_t each = (q->n + shares - 1) / shares, lines = q->lines;
    int64_t *count = (int64_t *)q->use.work, all = 0;
    const I *key = (const I *)q->key;
    I *ptr = (I *)q->ptr, *to = (I *)q->to;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) if (shares > 1)
#endif
    for (int i = 0; i < shares; i++) {
        int64_t *c = count + i * lines, end = (i + 1) * each;
        memset(c, 0, (size_t)lines * sizeof *c);
        for (int64_t k = i * each; k < end && k < q->n; k++) c[key[k]]++;
    }
    for (int64_t l = 0; l < lines; l++) {
        ptr[l] = (I)all;
        for (int i = 0; i < shares; i++) {
            int64_t n = count[i * lines + l];
            count[i * lines + l] = all;
            all += n;
        }
    }
    ptr[lines] = (I)all;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) if (shares > 1)
#endif
    for (int i = 0; i < shares; i++) {
        int64_t *c = count + i * lines, first = i * each, end = first + each;
        if (first >= q->n) continue;
        gs_each<I>(q, first, end < q->n ? end : q->n,
                   [=](int64_t k, I line, I other) {
                       const int64_t at = c[line]++;
                       to[at] = other;
                       ((B *)q->val_to)[at] = ((const B *)q->val)[k];
                   });
    }
}
template<class I> static void gs_turn_of(const ga__turn *q) {
    if (q->width == 4) gs_turn<I, 4>(q);
    else if (q->width == 8) gs_turn<I, 8>(q);
    else gs_turn<I, 16>(q);
}
GA__EXTERN void gs_cpu_turn(const ga__turn *q) {
    if (q->wide) gs_turn_of<int64_t>(q);
    else gs_turn_of<int32_t>(q);
}
template<class I> static void gs_expand(const ga__expand *q) {
    const I *ptr = (const I *)q->ptr;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 4096) if (q->n + q->rows > 32768)
#endif
    for (int64_t r = 0; r < q->rows; r++)
        for (int64_t k = ptr[r], end = ptr[r + 1]; k < end; k++)
            q->row[k] = r;
}
GA__EXTERN void gs_cpu_expand(const ga__expand *q) {
    if (q->wide) gs_expand<int64_t>(q);
    else gs_expand<int32_t>(q);
}

/* ============================================================= >>triangles */
static GS_HD void gs_await(const volatile unsigned *flag, int64_t row) {
#ifdef __CUDA_ARCH__
    while (!flag[row]) {
    }
    __threadfence();
#else
    (void)flag, (void)row;
#endif
}
/* Row r of x, its entries first, first + by, ... of the triangle summed; a GPU
   waits for the flag of each row that it takes.                            */
template<class T>
static GS_HD T gs_tri_sum(const ga__trisolve &q, int64_t r, int64_t column,
                          int64_t first, int64_t by,
                          const volatile unsigned *flag, T *pivot) {
    const gs_index ptr = {q.ptr, q.wide ? 8 : 4}, idx = {q.idx, ptr.bytes};
    const T *val = (const T *)q.val, *x = (const T *)q.x;
    T sum = T();
    for (int64_t k = ptr[r] + first, end = ptr[r + 1]; k < end; k += by) {
        const int64_t c = idx[k];
        const T a = q.conj ? gs_conj(val[k]) : val[k];
        if (c == r) *pivot = a;
        if (q.lower ? c >= r : c <= r) continue;
        gs_await(flag, c);
        sum = sum + a * x[c * q.cols + column];
    }
    return sum;
}
template<class T> static void gs_cpu_tri(const ga__trisolve *q) {
    for (int64_t i = 0; i < q->n; i++) {
        const int64_t r = q->lower ? i : q->n - 1 - i;
        T *x = (T *)q->x + r * q->cols, pivot = T();
        for (int64_t j = 0; j < q->cols; j++) {
            x[j] = x[j] - gs_tri_sum<T>(*q, r, j, 0, 1, NULL, &pivot);
            if (!q->unit) x[j] = gs_div(x[j], pivot);
        }
    }
}
GA__EXTERN void gs_cpu_trisolve(const ga__trisolve *q) {
    GS_OF_TYPE(q->t, gs_cpu_tri, q)
}
/* A flag for each row, and before them the number of rows taken. */
GA__EXTERN size_t gs_trisolve_work(const ga__trisolve *q, int mps) {
    return mps ? (size_t)(q->n + 4) * sizeof(unsigned) : 0;
}
#ifndef GPUARR_NO_CUDA
/* A warp a row, taken in order, so that what a row waits for is under way. */
static __device__ __forceinline__ int64_t gs_next_row(unsigned long long *taken,
                                                      int lane) {
    unsigned long long i = 0;
    if (!lane) i = atomicAdd(taken, 1ull);
    return (int64_t)__shfl_sync(0xffffffffu, i, 0);
}
static unsigned gs_row_blocks(int64_t n, int mps) {
    const int64_t blocks = (n + 7) / 8, most = 4 * (int64_t)mps;
    return (unsigned)(blocks < most ? blocks : most);
}
template<class T> static __global__ void __launch_bounds__(256)
gs_tri(ga__trisolve q) {
    unsigned long long *taken = (unsigned long long *)q.use.work;
    volatile unsigned *flag = (unsigned *)q.use.work + 4;
    const int lane = (int)threadIdx.x & 31;
    for (;;) {
        const int64_t i = gs_next_row(taken, lane);
        if (i >= q.n) return;
        const int64_t r = q.lower ? i : q.n - 1 - i;
        T pivot = T();
        for (int64_t j = 0; j < q.cols; j++) {
            T sum = gs_tri_sum<T>(q, r, j, lane, 32, flag, &pivot);
            __syncwarp();
#pragma unroll
            for (int d = 16; d > 0; d /= 2) {
                sum = sum + gs_down(sum, d, 32);
                if (!j) pivot = pivot + gs_down(pivot, d, 32);
            }
            if (!lane) {
                T *x = (T *)q.x + r * q.cols + j;
                T v = *x - sum;
                *x = q.unit ? v : gs_div(v, pivot);
            }
            if (lane) pivot = T();
        }
        if (!lane) {
            __threadfence();
            flag[r] = 1;
        }
        __syncwarp();
    }
}
template<class T> static int gs_cuda_tri_of(const ga__trisolve *q,
                                            cudaStream_t s, int mps) {
    cudaError_t e = cudaMemsetAsync(q->use.work, 0, gs_trisolve_work(q, mps), s);
    if (e) return (int)e;
    const unsigned blocks = gs_row_blocks(q->n, mps);
    gs_tri<T><<<blocks, 256, 0, s>>>(*q);
    return (int)cudaGetLastError();
}
GA__EXTERN int gs_cuda_trisolve(const ga__trisolve *q, void *stream, int mps) {
    GS_OF_TYPE(q->t, gs_cuda_tri_of, q, (cudaStream_t)stream, mps)
}
#endif

/* ============================================================== >>incomplete
   ILU(0) and IC(0), each row as soon as those that it takes are done: one after
   the other on the CPU, a warp a row on a GPU, which waits for their flags.  */
#ifdef __CUDA_ARCH__
#define GS_TOGETHER() __syncwarp()
#else
#define GS_TOGETHER() ((void)0)
#endif
/* Where c is among idx[lo..hi), which ascend; -1: nowhere. */
static GS_HD int64_t gs_find(gs_index idx, int64_t lo, int64_t hi, int64_t c) {
    const int64_t end = hi;
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (idx[mid] < c) lo = mid + 1;
        else hi = mid;
    }
    return lo < end && idx[lo] == c ? lo : -1;
}
/* Row r's entries left of the diagonal, one after the other; `lane` of `by` has
   every by-th entry of the row c that one takes. False: the pivot is not sound. */
template<class T>
static GS_HD bool gs_ilu_row(const ga__incomplete &q, int64_t r, int lane, int by,
                             const volatile unsigned *flag) {
    const gs_index ptr = {q.ptr, q.wide ? 8 : 4}, idx = {q.idx, ptr.bytes};
    T *val = (T *)q.val;
    const int64_t end = ptr[r + 1];
    int64_t p = ptr[r];
    for (; idx[p] < r; p++) {
        const int64_t c = idx[p], c_end = ptr[c + 1];
        gs_await(flag, c);
        const int64_t on = gs_find(idx, ptr[c], c_end, c);
        const T f = gs_div(val[p], val[on]);
        GS_TOGETHER();
        if (!lane) val[p] = f;
        for (int64_t k = on + 1 + lane; k < c_end; k += by) {
            const int64_t at = gs_find(idx, p + 1, end, idx[k]);
            if (at >= 0) val[at] = val[at] - f * val[k];
        }
        GS_TOGETHER();
    }
    return gs_sound(val[p]);
}
/* The rows of a lower triangle end with their diagonal. */
template<class T>
static GS_HD bool gs_ic_row(const ga__incomplete &q, int64_t r, int lane, int by,
                            const volatile unsigned *flag) {
    const gs_index ptr = {q.ptr, q.wide ? 8 : 4}, idx = {q.idx, ptr.bytes};
    T *val = (T *)q.val;
    const int64_t first = ptr[r], on = ptr[r + 1] - 1;
    double sum = 0;
    for (int64_t p = first; p < on; p++) {
        const int64_t c = idx[p], c_on = ptr[c + 1] - 1;
        gs_await(flag, c);
        T dot = T();
        for (int64_t k = ptr[c] + lane; k < c_on; k += by) {
            const int64_t at = gs_find(idx, first, p, idx[k]);
            if (at >= 0) dot = dot + val[at] * gs_conj(val[k]);
        }
#ifdef __CUDA_ARCH__
        dot = gs_all(dot);
#endif
        if (!lane) {
            const T l = gs_div(val[p] - dot, val[c_on]);
            val[p] = l;
            sum += gs_part(l * gs_conj(l));
        }
        GS_TOGETHER();
    }
    if (lane) return true;
    const double pivot = gs_part(val[on]) - sum;
    gs_put(&val[on], gs_c128{sqrt(pivot), 0});
    return pivot > 0;
}
template<class T>
static GS_HD bool gs_incomplete_row(const ga__incomplete &q, int64_t r, int lane,
                                    int by, const volatile unsigned *flag) {
    return q.ic ? gs_ic_row<T>(q, r, lane, by, flag)
                : gs_ilu_row<T>(q, r, lane, by, flag);
}
template<class T> static void gs_cpu_incomplete_of(const ga__incomplete *q) {
    for (int64_t r = 0; r < q->n; r++)
        if (!gs_incomplete_row<T>(*q, r, 0, 1, NULL) && *q->bad > r) *q->bad = r;
}
GA__EXTERN void gs_cpu_incomplete(const ga__incomplete *q) {
    GS_OF_TYPE(q->t, gs_cpu_incomplete_of, q)
}
GA__EXTERN size_t gs_incomplete_work(const ga__incomplete *q, int mps) {
    return mps ? (size_t)(q->n + 4) * sizeof(unsigned) : 0;
}
#ifndef GPUARR_NO_CUDA
template<class T> static __global__ void __launch_bounds__(256)
gs_incomplete(ga__incomplete q) {
    unsigned long long *taken = (unsigned long long *)q.use.work;
    volatile unsigned *flag = (unsigned *)q.use.work + 4;
    const int lane = (int)threadIdx.x & 31;
    for (;;) {
        const int64_t r = gs_next_row(taken, lane);
        if (r >= q.n) return;
        if (!gs_incomplete_row<T>(q, r, lane, 32, flag) && !lane)
            atomicMin((long long *)q.bad, (long long)r);
        __syncwarp();
        if (!lane) {
            __threadfence();
            flag[r] = 1;
        }
    }
}
template<class T> static int gs_cuda_incomplete_of(const ga__incomplete *q,
                                                   cudaStream_t s, int mps) {
    cudaError_t e = cudaMemsetAsync(q->use.work, 0, gs_incomplete_work(q, mps),
                                    s);
    if (e) return (int)e;
    const unsigned blocks = gs_row_blocks(q->n, mps);
    gs_incomplete<T><<<blocks, 256, 0, s>>>(*q);
    return (int)cudaGetLastError();
}
GA__EXTERN int gs_cuda_incomplete(const ga__incomplete *q, void *stream,
                                  int mps) {
    GS_OF_TYPE(q->t, gs_cuda_incomplete_of, q, (cudaStream_t)stream, mps)
}
#endif

/* ==================================================================== >>lu
   Left-looking sparse LU after Gilbert and Peierls: what fills in a column is
   found by a search through L's columns, so that the time is that of the
   multiplications. Columns stand in an order by nested dissection.          */
struct gs_lu {
    const ga__splu *q;
    int64_t *order, *mark;          /* n each                               */
    int64_t *next, *adj;            /* of a + a^T: n + 1; where rows begin  */
    int64_t *lp, *up, *row_of;      /* n + 1, n + 1, n: a's row -> pivot's  */
    int64_t *li, *ui, l_room, u_room;
    int64_t *stack;                 /* 2 n                                  */
};
static bool gs_grow(const ga__splu *q, int slot, size_t bytes) {
    void *p = q->grow(q->block[slot], bytes ? bytes : 1);
    if (p) q->block[slot] = p;
    return p != NULL;
}
static int64_t *gs_ints(const ga__splu *q, int slot, int64_t n) {
    return gs_grow(q, slot, (size_t)(n + 1) * sizeof(int64_t))
           ? (int64_t *)q->block[slot] : NULL;
}
enum { GS_ORDER, GS_MARK, GS_NEXT, GS_ADJ, GS_STACK, GS_LP, GS_UP, GS_ROW_OF,
       GS_LI, GS_UI, GS_LX, GS_UX, GS_X, GS_LEVEL };
/* The neighbours of each column in a + a^T, without itself; some twice. */
static bool gs_neighbours(gs_lu *f) {
    const int64_t n = f->q->n, *ptr = f->q->ptr, *idx = f->q->idx;
    f->next = gs_ints(f->q, GS_NEXT, n + 1);
    f->adj = gs_ints(f->q, GS_ADJ, 2 * ptr[n]);
    if (!f->next || !f->adj) return false;
    memset(f->next, 0, (size_t)(n + 2) * sizeof *f->next);
    for (int64_t c = 0; c < n; c++)
        for (int64_t k = ptr[c]; k < ptr[c + 1]; k++)
            if (idx[k] != c) f->next[c + 2]++, f->next[idx[k] + 2]++;
    for (int64_t c = 0; c < n; c++) f->next[c + 2] += f->next[c + 1];
    for (int64_t c = 0; c < n; c++)
        for (int64_t k = ptr[c]; k < ptr[c + 1]; k++)
            if (idx[k] != c) {
                f->adj[f->next[c + 1]++] = idx[k];
                f->adj[f->next[idx[k] + 1]++] = c;
            }
    return true;
}
/* Breadth first from v through what has mark `in`, into `to`; each gets mark
   `in` + 1 and its level. Returns how many there are.                      */
static int64_t gs_breadth(const gs_lu *f, int64_t v, int64_t in, int64_t *to,
                          int64_t *level) {
    int64_t n = 0;
    to[n++] = v;
    f->mark[v] = in + 1;
    level[v] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = f->next[to[i]]; k < f->next[to[i] + 1]; k++) {
            const int64_t w = f->adj[k];
            if (f->mark[w] != in) continue;
            f->mark[w] = in + 1;
            level[w] = level[to[i]] + 1;
            to[n++] = w;
        }
    return n;
}
/* order: nested dissection. A part is split by the middle level of a search from
   far out; that level comes last, and both sides are parts in turn.        */
static bool gs_dissect(gs_lu *f) {
    const int64_t n = f->q->n;
    int64_t *level = gs_ints(f->q, GS_LEVEL, n), *todo = f->stack, parts = 0;
    int64_t *order = f->order, in = 1;
    if (!level) return false;
    for (int64_t i = 0; i < n; i++) order[i] = i, f->mark[i] = 0;
    todo[parts++] = 0;
    todo[parts++] = n;
    while (parts) {
        const int64_t end = todo[--parts], lo = todo[--parts];
        int64_t *v = order + lo, *seen = f->row_of, many = end - lo;
        if (many <= 48) continue;
        for (int64_t i = 0; i < many; i++) f->mark[v[i]] = in;
        int64_t got = gs_breadth(f, v[0], in, seen, level);
        in += 2;
        if (got < many) {           /* the rest does not touch it           */
            int64_t rest = got;
            for (int64_t i = 0; i < many; i++)
                if (f->mark[v[i]] == in - 2) seen[rest++] = v[i];
            memcpy(v, seen, (size_t)many * sizeof *v);
            todo[parts++] = lo + got;
            todo[parts++] = end;
        }
        for (int64_t i = 0; i < got; i++) f->mark[seen[i]] = in;
        got = gs_breadth(f, seen[got - 1], in, v, level);
        in += 2;
        const int64_t mid = level[v[got / 2]], last = level[v[got - 1]];
        if (mid == 0 || mid == last) continue;  /* as good as dense         */
        int64_t left = 0, right = 0, apart = 0;
        while (level[v[left]] < mid) left++;
        while (left + apart < got && level[v[left + apart]] == mid) apart++;
        right = got - left - apart;
        memcpy(seen, v + left, (size_t)apart * sizeof *v);
        memmove(v + left, v + left + apart, (size_t)right * sizeof *v);
        memcpy(v + left + right, seen, (size_t)apart * sizeof *v);
        todo[parts++] = lo;
        todo[parts++] = lo + left;
        todo[parts++] = lo + left;
        todo[parts++] = lo + left + right;
    }
    return true;
}
/* What column c of a reaches through L, in topological order at stack[top ..
   n-1]; a's rows. mark k + 1: seen for this column.                        */
static int64_t gs_reach(const gs_lu *f, int64_t c, int64_t k) {
    const ga__splu *q = f->q;
    int64_t *path = f->stack, *at = f->stack + q->n + 1, top = q->n;
    for (int64_t p = q->ptr[c]; p < q->ptr[c + 1]; p++) {
        int64_t depth = 0;
        if (f->mark[q->idx[p]] == k + 1) continue;
        path[0] = q->idx[p];
        at[0] = -1;
        while (depth >= 0) {
            const int64_t r = path[depth], col = f->row_of[r];
            if (at[depth] < 0) {
                f->mark[r] = k + 1;
                at[depth] = col < 0 ? 0 : f->lp[col];
            }
            const int64_t end = col < 0 ? 0 : f->lp[col + 1];
            while (at[depth] < end && f->mark[f->li[at[depth]]] == k + 1)
                at[depth]++;
            if (at[depth] < end) {
                path[depth + 1] = f->li[at[depth]++];
                at[++depth] = -1;
            } else {
                depth--;
                path[--top] = r;
            }
        }
    }
    return top;
}
template<class T> static bool gs_room(gs_lu *f, int64_t l, int64_t u) {
    const int64_t n = f->q->n;
    if (l + n > f->l_room) {
        f->l_room = 2 * l + 2 * n;
        if (!(f->li = gs_ints(f->q, GS_LI, f->l_room))
            || !gs_grow(f->q, GS_LX, (size_t)f->l_room * sizeof(T))) return false;
    }
    if (u + n > f->u_room) {
        f->u_room = 2 * u + 2 * n;
        if (!(f->ui = gs_ints(f->q, GS_UI, f->u_room))
            || !gs_grow(f->q, GS_UX, (size_t)f->u_room * sizeof(T))) return false;
    }
    return true;
}
static double gs_size(double x) { return fabs(x); }
static double gs_size(gs_c128 x) { return hypot(x.re, x.im); }
/* Column k of L and U: U's entries above the pivot, which comes last; L's below
   it by a's rows, without its ones. False: there is no pivot.              */
template<class T> static bool gs_lu_column(gs_lu *f, int64_t k, T *x) {
    const ga__splu *q = f->q;
    const int64_t c = f->order[k], n = q->n, top = gs_reach(f, c, k);
    const T *val = (const T *)q->val;
    T *lx = (T *)q->block[GS_LX], *ux = (T *)q->block[GS_UX];
    int64_t l = f->lp[k], u = f->up[k], pivot = -1;
    double most = 0;
    for (int64_t i = top; i < n; i++) x[f->stack[i]] = T();
    for (int64_t p = q->ptr[c]; p < q->ptr[c + 1]; p++) x[q->idx[p]] = val[p];
    for (int64_t i = top; i < n; i++) {
        const int64_t r = f->stack[i], col = f->row_of[r];
        const T a = x[r];
        if (col < 0) {
            if (gs_size(a) > most) most = gs_size(a), pivot = r;
            continue;
        }
        f->ui[u] = col;
        ux[u++] = a;
        for (int64_t p = f->lp[col]; p < f->lp[col + 1]; p++)
            x[f->li[p]] = x[f->li[p]] - lx[p] * a;
    }
    if (pivot < 0 || !(most <= 1.7976931348623157e308)) return false;
    if (f->row_of[c] < 0 && f->mark[c] == k + 1 && gs_size(x[c]) >= 0.1 * most)
        pivot = c;
    const T on = x[pivot];
    for (int64_t i = top; i < n; i++) {
        const int64_t r = f->stack[i];
        if (f->row_of[r] >= 0 || r == pivot) continue;
        f->li[l] = r;
        lx[l++] = x[r] / on;
    }
    f->ui[u] = k;
    ux[u++] = on;
    f->row_of[pivot] = k;
    f->lp[k + 1] = l;
    f->up[k + 1] = u;
    return true;
}
/* x's rows become the solution's, by way of `by_pivot`. */
template<class T> static void gs_lu_solve(const gs_lu *f, T *by_pivot) {
    const ga__splu *q = f->q;
    const int64_t n = q->n, m = q->cols;
    const T *lx = (const T *)q->block[GS_LX], *ux = (const T *)q->block[GS_UX];
    T *x = (T *)q->x;
    for (int64_t i = 0; i < n; i++)
        memcpy(by_pivot + f->row_of[i] * m, x + i * m, (size_t)m * sizeof *x);
    for (int64_t k = 0; k < n; k++)
        for (int64_t p = f->lp[k]; p < f->lp[k + 1]; p++) {
            T *to = by_pivot + f->row_of[f->li[p]] * m;
            for (int64_t j = 0; j < m; j++)
                to[j] = to[j] - lx[p] * by_pivot[k * m + j];
        }
    for (int64_t k = n - 1; k >= 0; k--) {
        const int64_t on = f->up[k + 1] - 1;
        T *from = by_pivot + k * m;
        for (int64_t j = 0; j < m; j++) from[j] = from[j] / ux[on];
        for (int64_t p = f->up[k]; p < on; p++)
            for (int64_t j = 0; j < m; j++)
                by_pivot[f->ui[p] * m + j] = by_pivot[f->ui[p] * m + j]
                                             - ux[p] * from[j];
    }
    for (int64_t k = 0; k < n; k++)
        memcpy(x + f->order[k] * m, by_pivot + k * m, (size_t)m * sizeof *x);
}
template<class T> static void gs_splu(const ga__splu *q) {
    gs_lu f;
    const int64_t n = q->n;
    memset(&f, 0, sizeof f);
    f.q = q;
    *q->bad = GA__LU_MEMORY;
    f.order = gs_ints(q, GS_ORDER, n);
    f.mark = gs_ints(q, GS_MARK, n);
    f.row_of = gs_ints(q, GS_ROW_OF, n);
    f.stack = gs_ints(q, GS_STACK, 4 * n + 4);
    f.lp = gs_ints(q, GS_LP, n + 1);
    f.up = gs_ints(q, GS_UP, n + 1);
    if (!f.order || !f.mark || !f.row_of || !f.stack || !f.lp || !f.up
        || !gs_neighbours(&f) || !gs_dissect(&f)
        || !gs_grow(q, GS_X, (size_t)(n * (q->cols > 1 ? q->cols : 1))
                             * sizeof(T))) return;
    T *x = (T *)q->block[GS_X];
    f.lp[0] = f.up[0] = 0;
    for (int64_t i = 0; i < n; i++) f.row_of[i] = -1, f.mark[i] = 0;
    for (int64_t k = 0; k < n; k++) {
        if (!gs_room<T>(&f, f.lp[k], f.up[k])) return;
        if (!gs_lu_column<T>(&f, k, x)) {
            *q->bad = f.order[k];
            return;
        }
    }
    gs_lu_solve<T>(&f, x);
    *q->bad = -1;
}
GA__EXTERN void gs_cpu_splu(const ga__splu *q) {
    if (q->t == GA_FLOAT64) gs_splu<double>(q);
    else gs_splu<gs_c128>(q);
}

/* =============================================================== >>vectors
   What stands between a solver's products: sums of a few vectors, and scalar
   products. Factors and results are in the state, numbers on the device, which
   the >>steps work on: nothing waits for the host.                         */
/* On the CPU a line after the other for some thousand elements: loops that the
   compiler vectorises.                                                     */
template<class T> static void gs_line(T *out, int n, const T *f,
                                      const T *const *v, int64_t first,
                                      int64_t end) {
    switch (n) {
    case 0: for (int64_t i = first; i < end; i++) out[i] = T(); break;
    case 1: for (int64_t i = first; i < end; i++) out[i] = f[0] * v[0][i]; break;
    case 2:
        for (int64_t i = first; i < end; i++)
            out[i] = f[0] * v[0][i] + f[1] * v[1][i];
        break;
    default:
        for (int64_t i = first; i < end; i++) {
            T sum = f[0] * v[0][i] + f[1] * v[1][i] + f[2] * v[2][i];
            out[i] = n > 3 ? sum + f[3] * v[3][i] : sum;
        }
    }
}
template<class T> static void gs_blend_range(const ga__blend &q, int64_t row,
                                             int64_t first, int64_t end) {
    const gs_c128 *s = (const gs_c128 *)q.state + row * q.slot_step;
    for (int64_t at = first; at < end; at += 2048)
        for (int l = 0; l < q.nlines; l++) {
            T f[4];
            const T *v[4];
            int n = 0;
            for (int k = 0; k < q.line[l].nterms; k++) {
                const ga__blend_term &e = q.line[l].term[k];
                gs_c128 c = {e.factor, 0};
                if (e.slot >= 0) c = s[e.slot] * c;
                if (c.re == 0 && c.im == 0) continue;
                gs_put(&f[n], c);
                v[n++] = (const T *)q.vec[e.vec].p + row * q.vec[e.vec].step;
            }
            const int o = q.line[l].out;
            gs_line<T>((T *)q.vec[o].p + row * q.vec[o].step, n, f, v, at,
                       at + 2048 < end ? at + 2048 : end);
        }
}
template<class T> static void gs_cpu_blend_of(const ga__blend *q) {
    const int64_t parts = (q->n + 8191) / 8192;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (q->n * q->rows > 16384)
#endif
    for (int64_t k = 0; k < parts * q->rows; k++) {
        const int64_t first = k % parts * 8192, end = first + 8192;
        gs_blend_range<T>(*q, k / parts, first, end < q->n ? end : q->n);
    }
}
GA__EXTERN void gs_cpu_blend(const ga__blend *q) {
    GS_OF_TYPE(q->t, gs_cpu_blend_of, q)
}
/* w -= sum of h[r] v[r], `rows` vectors of n. */
template<class T> static GS_HD void gs_project_at(const ga__project &q,
                                                  int64_t i) {
    const gs_c128 *h = (const gs_c128 *)q.state + q.slot;
    T sum = T();
    for (int64_t r = 0; r < q.rows; r++) {
        T f;
        gs_put(&f, h[r]);
        sum = sum + f * ((const T *)q.v)[r * q.n + i];
    }
    T *w = (T *)q.w + i;
    *w = q.plus ? *w + sum : *w - sum;
}
template<class T> static void gs_cpu_project_of(const ga__project *q) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (q->n * q->rows > 8192)
#endif
    for (int64_t i = 0; i < q->n; i++) gs_project_at<T>(*q, i);
}
GA__EXTERN void gs_cpu_project(const ga__project *q) {
    GS_OF_TYPE(q->t, gs_cpu_project_of, q)
}
#ifndef GPUARR_NO_CUDA
/* The factors of a row's lines, on chip for the block. */
template<class T> static __device__ __forceinline__ void
gs_factors(const ga__blend &q, int64_t row, T (*f)[4]) {
    const int l = (int)threadIdx.x / 4, k = (int)threadIdx.x % 4;
    if (l < q.nlines) {
        gs_c128 c = {0, 0};
        if (k < q.line[l].nterms) {
            const ga__blend_term &e = q.line[l].term[k];
            c = {e.factor, 0};
            if (e.slot >= 0)
                c = ((const gs_c128 *)q.state)[row * q.slot_step + e.slot] * c;
        }
        gs_put(&f[l][k], c);
    }
    __syncthreads();
}
static __device__ __forceinline__ bool gs_zero(float x) { return x == 0; }
static __device__ __forceinline__ bool gs_zero(double x) { return x == 0; }
template<class R> static __device__ __forceinline__ bool
gs_zero(gs_complex<R> x) {
    return x.re == 0 && x.im == 0;
}
/* The lines for U elements, `by` apart: what a line reads is under way at once. */
template<class T, int U> static __device__ __forceinline__ void
gs_blend_few(const ga__blend &q, const T (*f)[4], int64_t row, int64_t i,
             int64_t by) {
    for (int l = 0; l < q.nlines; l++) {
        T x[4][U], sum[U] = {};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const bool on = !gs_zero(f[l][k]);
            const ga__blend_term &e = q.line[l].term[k];
            const int v = on ? e.vec : 0;
            const T *from = (const T *)q.vec[v].p + row * q.vec[v].step;
#pragma unroll
            for (int u = 0; u < U; u++)
                x[k][u] = on && i + u * by < q.n ? from[i + u * by] : T();
        }
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int u = 0; u < U; u++) sum[u] = sum[u] + f[l][k] * x[k][u];
        const int o = q.line[l].out;
        T *out = (T *)q.vec[o].p + row * q.vec[o].step;
#pragma unroll
        for (int u = 0; u < U; u++)
            if (i + u * by < q.n) out[i + u * by] = sum[u];
    }
}
template<class T> static __global__ void __launch_bounds__(256)
gs_blend(ga__blend q) {
    __shared__ T f[3][4];
    constexpr int U = sizeof(T) > 8 ? 2 : 4;
    const int64_t by = (int64_t)gridDim.x * 256;
    for (int64_t row = blockIdx.y; row < q.rows; row += gridDim.y) {
        gs_factors<T>(q, row, f);
        for (int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x; i < q.n;
             i += U * by)
            gs_blend_few<T, U>(q, f, row, i, by);
        __syncthreads();
    }
}
template<class T> static __global__ void __launch_bounds__(256)
gs_project(ga__project q) {
    for (int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x; i < q.n;
         i += (int64_t)gridDim.x * 256)
        gs_project_at<T>(q, i);
}
static unsigned gs_blocks(int64_t n, int mps, int each) {
    int64_t b = (n + 255) / 256, most = (int64_t)mps * each;
    return (unsigned)(b < most ? b : most);
}
template<class T> static int gs_cuda_blend_of(const ga__blend *q,
                                              cudaStream_t s, int mps) {
    gs_blend<T><<<dim3(gs_blocks((q->n + 1) / 2, mps, 16), (unsigned)(q->rows < 65535
        ? q->rows : 65535)), 256, 0, s>>>(*q);
    return (int)cudaGetLastError();
}
template<class T> static int gs_cuda_project_of(const ga__project *q,
                                                cudaStream_t s, int mps) {
    gs_project<T><<<gs_blocks(q->n, mps, 32), 256, 0, s>>>(*q);
    return (int)cudaGetLastError();
}
GA__EXTERN int gs_cuda_blend(const ga__blend *q, void *stream, int mps) {
    GS_OF_TYPE(q->t, gs_cuda_blend_of, q, (cudaStream_t)stream, mps)
}
GA__EXTERN int gs_cuda_project(const ga__project *q, void *stream, int mps) {
    GS_OF_TYPE(q->t, gs_cuda_project_of, q, (cudaStream_t)stream, mps)
}
#endif

/* ================================================================= >>steps
   The scalars of each method between two products, one thread's work. The names
   are SciPy's (scipy.sparse.linalg), whose stopping rules these are. A method
   that has stopped sets its factors so that x stays.                       */
#define V(n) s[GA__AT_##n].re
#define Z(n) s[GA__AT_##n]
static GS_HD gs_c128 gs_real(double x) { return {x, 0}; }
static GS_HD void gs_stop(gs_c128 *s, int status) {
    if (V(STATUS) == 0) V(STATUS) = status;
}
static GS_HD bool gs_small(gs_c128 *s) {    /* the residual suffices        */
    V(RESIDUAL) = sqrt(V(RR));
    return V(RESIDUAL) < V(TOL) || V(RR) == 0;
}
/* After b b: the tolerance, and whether there is anything to do. */
static GS_HD void gs_begin(gs_c128 *s) {
    const double b = sqrt(V(BB)), r = V(RTOL) * b;
    V(TOL) = r > V(ATOL) ? r : V(ATOL);
    V(KEEP) = b != 0;               /* x0's factor                          */
    if (b == 0) gs_stop(s, GA__DONE);
}
static GS_HD bool gs_finite(gs_c128 z) {
    return fabs(z.re) <= 1.7e308 && fabs(z.im) <= 1.7e308;
}
static GS_HD void gs_cg_direction(gs_c128 *s) {
    if (gs_small(s)) gs_stop(s, GA__DONE);
    else if (V(ITER) >= V(MAX)) gs_stop(s, GA__MAXITER);
    Z(BETA) = gs_real(1);           /* p = p                                */
    V(ONE) = 0;
    if (V(STATUS) != 0) return;
    V(ONE) = 1;
    Z(BETA) = V(ITER) > 0 ? Z(RHO) / Z(RHO0) : gs_real(0);
    Z(RHO0) = Z(RHO);
}
static GS_HD void gs_cg_step(gs_c128 *s) {
    Z(ALPHA) = gs_real(0);
    if (V(STATUS) != 0) return;
    gs_c128 alpha = Z(RHO) / Z(PQ);
    if (!gs_finite(alpha)) {        /* p A p is 0, or inf                   */
        gs_stop(s, GA__BREAKDOWN);
        return;
    }
    Z(ALPHA) = alpha;
    V(ITER) += 1;
}
#define GS_EPS 2.220446049250313e-16
static GS_HD void gs_bi_direction(gs_c128 *s) {
    if (gs_small(s)) gs_stop(s, GA__DONE);
    else if (V(ITER) >= V(MAX)) gs_stop(s, GA__MAXITER);
    else if (sqrt(gs_norm2(Z(RHO))) < GS_EPS * GS_EPS) gs_stop(s, GA__RHO_BREAK);
    else if (V(ITER) > 0 && sqrt(gs_norm2(Z(OMEGA))) < GS_EPS * GS_EPS)
        gs_stop(s, GA__BREAKDOWN);
    Z(BETA) = Z(OLD) = Z(ALPHA) = gs_real(0);
    V(ONE) = 1;
    if (V(STATUS) != 0) return;
    if (V(ITER) > 0) {
        Z(BETA) = (Z(RHO) / Z(RHO0)) * (Z(ALPHA0) / Z(OMEGA));
        Z(OLD) = Z(BETA) * Z(OMEGA);
    }
    Z(RHO0) = Z(RHO);
}
static GS_HD void gs_bi_alpha(gs_c128 *s) {
    Z(ALPHA) = gs_real(0);
    if (V(STATUS) != 0) return;
    if (gs_norm2(Z(PQ)) == 0) {
        gs_stop(s, GA__BREAKDOWN);
        return;
    }
    Z(ALPHA) = Z(ALPHA0) = Z(RHO) / Z(PQ);
    V(ITER) += 1;
}
/* s s, s t, t t are there: half a step suffices, or omega follows. */
static GS_HD void gs_bi_omega(gs_c128 *s) {
    Z(FACTOR) = gs_real(0);
    if (V(STATUS) != 0) return;
    if (gs_small(s)) {
        gs_stop(s, GA__DONE);       /* alpha takes effect once more         */
        return;
    }
    Z(FACTOR) = Z(OMEGA) = Z(TS) / gs_real(V(TT));
    if (!gs_finite(Z(OMEGA))) {
        Z(FACTOR) = Z(OMEGA) = gs_real(0);
        gs_stop(s, GA__BREAKDOWN);
    }
}

/* MINRES. RR is r y, or <b b> at the start. */
static GS_HD void gs_minres_begin(gs_c128 *s) {
    const double beta = V(RHO);
    gs_begin(s);
    if (beta < 0) gs_stop(s, GA__INDEFINITE);
    else if (beta == 0) gs_stop(s, GA__DONE);
    V(BETA) = V(BETA1) = V(QRNORM) = V(PHIBAR) = V(RHS1) = sqrt(beta);
    V(RESIDUAL) = V(BETA1);
    V(CS) = -1;
    V(GMIN) = 1.7976931348623157e308;
    V(FACTOR) = beta > 0 ? 1 / V(BETA) : 0;
}
static GS_HD void gs_minres_alfa(gs_c128 *s) {
    V(ALPHA) = V(BETA) != 0 ? V(PQ) / V(BETA) : 0;
    V(ITER) += V(STATUS) == 0;
}
static GS_HD void gs_minres_turn(gs_c128 *s) {
    const double alfa = V(PQ);
    V(PHI) = V(W) = V(W1) = V(W2) = 0;
    if (V(RHO) < 0) gs_stop(s, GA__INDEFINITE);
    if (V(STATUS) != 0) return;
    V(OLDB) = V(BETA);
    V(BETA) = sqrt(V(RHO));
    V(TNORM2) += alfa * alfa + V(OLDB) * V(OLDB) + V(BETA) * V(BETA);
    const double oldeps = V(EPSLN), delta = V(CS) * V(DBAR) + V(SN) * alfa;
    const double gbar = V(SN) * V(DBAR) - V(CS) * alfa;
    V(EPSLN) = V(SN) * V(BETA);
    V(DBAR) = -V(CS) * V(BETA);
    V(ROOT) = hypot(gbar, V(DBAR));
    V(ARNORM) = V(PHIBAR) * V(ROOT);
    double gamma = hypot(gbar, V(BETA));
    if (gamma < GS_EPS) gamma = GS_EPS;
    V(CS) = gbar / gamma;
    V(SN) = V(BETA) / gamma;
    V(PHI) = V(CS) * V(PHIBAR);
    V(PHIBAR) = V(SN) * V(PHIBAR);
    V(W) = 1 / gamma;
    V(W1) = -oldeps / gamma;
    V(W2) = -delta / gamma;
    if (gamma > V(GMAX)) V(GMAX) = gamma;
    if (gamma < V(GMIN)) V(GMIN) = gamma;
    const double z = V(RHS1) / gamma;
    V(RHS1) = V(RHS2) - delta * z;
    V(RHS2) = -V(EPSLN) * z;
    V(RESIDUAL) = V(PHIBAR);
    V(FACTOR) = V(BETA) != 0 ? 1 / V(BETA) : 0;
    V(OLD) = V(BETA) / V(OLDB);
    V(LAST) = V(ITER) == 1 && V(BETA) / V(BETA1) <= 10 * GS_EPS;
}
static GS_HD void gs_minres_test(gs_c128 *s) {
    if (V(STATUS) != 0) return;
    const double anorm = sqrt(V(TNORM2)), ynorm = sqrt(V(XX));
    const double test1 = ynorm == 0 || anorm == 0 ? 1.0 / 0.0
                         : V(RESIDUAL) / (anorm * ynorm);
    const double test2 = anorm == 0 ? 1.0 / 0.0 : V(ROOT) / anorm;
    V(NORMX) = ynorm;
    V(NORMA) = anorm;
    V(CONDA) = V(GMAX) / V(GMIN);
    int stop = 0;
    if (1 + test2 <= 1) stop = GA__DONE;
    if (1 + test1 <= 1) stop = GA__DONE;
    if (V(ITER) >= V(MAX)) stop = GA__MAXITER;
    if (V(CONDA) >= 0.1 / GS_EPS) stop = GA__DONE;
    if (anorm * ynorm * GS_EPS >= V(BETA1)) stop = GA__DONE;
    if (test2 <= V(RTOL) || test1 <= V(RTOL)) stop = GA__DONE;
    if (V(LAST) != 0) stop = GA__DONE;
    if (stop) gs_stop(s, stop);
}

/* GMRES. h: the columns of the Hessenberg matrix, m + 2 apart; behind them the
   rotations, the right-hand side, what a pass of Gram-Schmidt gives and y.  */
static GS_HD void gs_gmres_begin(gs_c128 *s, int m) {
    gs_c128 *g = s + GA__AT_MORE + (int64_t)m * (m + 4);
    if (gs_small(s)) gs_stop(s, GA__DONE);
    const double beta = sqrt(V(RHO));
    if (V(STATUS) == 0 && !(beta > 0 && beta <= 1.7e308))
        gs_stop(s, GA__BREAKDOWN);
    V(INNER) = V(STATUS) != 0;
    V(COLUMNS) = 0;
    V(FACTOR) = V(INNER) != 0 ? 0 : 1 / beta;
    V(PTOL) = V(RESIDUAL) > 0 ? V(TOL) * (beta / V(RESIDUAL)) : 0;
    for (int i = 0; i <= m; i++) g[i] = gs_real(0);
    g[0] = gs_real(beta);
}
static GS_HD void gs_gmres_column(gs_c128 *s, int m, int j, bool first) {
    gs_c128 *h = s + GA__AT_MORE + (int64_t)j * (m + 2);
    const gs_c128 *some = s + GA__AT_MORE + (int64_t)m * (m + 4) + m + 1;
    for (int i = 0; i <= j; i++) h[i] = first ? some[i] : h[i] + some[i];
}
static GS_HD void gs_gmres_turn(gs_c128 *s, int m, int j) {
    gs_c128 *h = s + GA__AT_MORE + (int64_t)j * (m + 2);
    gs_c128 *cs = s + GA__AT_MORE + (int64_t)m * (m + 2), *sn = cs + m;
    gs_c128 *g = sn + m;
    const double below = sqrt(V(RR));
    V(FACTOR) = 0;
    if (V(INNER) != 0) return;
    for (int i = 0; i < j; i++) {
        gs_c128 a = cs[i] * h[i] + sn[i] * h[i + 1];
        h[i + 1] = cs[i] * h[i + 1] - gs_conj(sn[i]) * h[i];
        h[i] = a;
    }
    const double size = sqrt(gs_norm2(h[j])), r = hypot(size, below);
    if (!(r > 0 && r <= 1.7e308)) { /* A is singular on what there is       */
        V(INNER) = 1;
        return;
    }
    /* [c s; -conj(s) c] (a, below) = (a/|a| r, 0), c real                  */
    gs_c128 phase = size > 0 ? h[j] / gs_real(size) : gs_real(1);
    cs[j] = gs_real(size / r);
    sn[j] = phase * gs_real(below / r);
    h[j] = phase * gs_real(r);
    g[j + 1] = gs_real(0) - gs_conj(sn[j]) * g[j];
    g[j] = cs[j] * g[j];
    V(COLUMNS) = j + 1;
    V(ITER) += 1;
    if (below > 0) V(FACTOR) = 1 / below;
    if (sqrt(gs_norm2(g[j + 1])) <= V(PTOL) || below == 0) V(INNER) = 1;
}
/* Lanczos: what couples column j with the next one stands below it. */
static GS_HD void gs_lanczos(gs_c128 *s, int m, int j) {
    const double below = sqrt(V(RR));
    s[GA__AT_MORE + (int64_t)j * (m + 2) + j + 1] = gs_real(below);
    V(FACTOR) = below > 0 ? 1 / below : 0;
}
static GS_HD void gs_gmres_solve(gs_c128 *s, int m) {
    const gs_c128 *h = s + GA__AT_MORE, *g = h + (int64_t)m * (m + 4);
    gs_c128 *y = s + GA__AT_MORE + (int64_t)m * (m + 4) + m + 1;
    const int k = (int)V(COLUMNS);
    for (int i = 0; i < m; i++) y[i] = gs_real(0);
    for (int i = k - 1; i >= 0; i--) {
        gs_c128 a = g[i];
        for (int j = i + 1; j < k; j++)
            a = a - h[(int64_t)j * (m + 2) + i] * y[j];
        y[i] = a / h[(int64_t)i * (m + 2) + i];
    }
}

/* LSQR and LSMR: V is of the bidiagonalisation, D of one damping. */
#define D(n) d[GA__LS_##n].re
static GS_HD void gs_givens(double a, double b, double *c, double *sn,
                            double *r) {
    const double h = hypot(a, b);
    *c = h > 0 ? a / h : 1;
    *sn = h > 0 ? b / h : 0;
    *r = h;
}
/* u has length beta, v length alpha, the one before U's inverse. Where beta is 0
   v stays as it was.                                                       */
static GS_HD void gs_ls_u(gs_c128 *s) {
    const double beta = sqrt(V(RR));
    V(BETA) = beta;
    V(FACTOR) = beta > 0 ? 1 / beta : 0;
    V(OLD) = (beta > 0 ? -beta : 1) * V(U);
}
static GS_HD void gs_ls_v(gs_c128 *s) {
    if (V(BETA) > 0) V(ALPHA) = sqrt(V(PQ));
    V(U) = V(BETA) > 0 && V(ALPHA) > 0 ? 1 / V(ALPHA) : 1;
    V(UOLD) = V(BETA) > 0 ? -V(ALPHA) / V(BETA) : -V(ALPHA);
}
static GS_HD void gs_ls_begin(gs_c128 *s, gs_c128 *d) {
    const double a = V(ALPHA), b = V(BETA);
    D(V) = V(U);
    D(ZETABAR) = a * b;
    D(ALPHABAR) = a;
    D(RHO) = D(RHOBAR) = D(CBAR) = D(RHODOLD) = D(CONDA) = 1;
    D(BETADD) = D(NORMR) = b;
    D(NORMA) = a;
    D(NORMA2) = a * a;
    D(MINRBAR) = 1e100;
    D(NORMAR) = a * b;
    D(PHIBAR) = b;                  /* LSQR                                 */
    D(RHOBAR2) = a;
    D(CS2) = -1;
    V(NORMB) = sqrt(V(BB));
    if (a * b == 0 || V(NORMB) == 0) D(STATUS) = 8;     /* istop 0          */
}
/* Which rule stops, SciPy's istop; 0: none. */
static GS_HD int gs_ls_rule(const gs_c128 *s, double test1, double test2,
                            double test3, double t1, double rtol) {
    int stop = 0;
    if (V(ITER) >= V(MAX)) stop = 7;
    if (1 + test3 <= 1) stop = 6;
    if (1 + test2 <= 1) stop = 5;
    if (1 + t1 <= 1) stop = 4;
    if (test3 <= (V(CONLIM) > 0 ? 1 / V(CONLIM) : 0)) stop = 3;
    if (test2 <= V(ATOL)) stop = 2;
    if (test1 <= rtol) stop = 1;
    return stop;
}
static GS_HD void gs_lsmr_turn(gs_c128 *s, gs_c128 *d) {
    double chat, shat, ahat, c, sn, ct, st, rt;
    D(STEP) = D(H) = D(HBAR) = 0;
    D(V) = V(U);
    if (D(STATUS) != 0) return;
    const double beta = V(BETA), alpha = V(ALPHA);
    gs_givens(D(ALPHABAR), D(DAMP), &chat, &shat, &ahat);
    const double rhoold = D(RHO);
    gs_givens(ahat, beta, &c, &sn, &D(RHO));
    const double thetanew = sn * alpha;
    D(ALPHABAR) = c * alpha;
    const double rhobarold = D(RHOBAR), zetaold = D(ZETA);
    const double thetabar = D(SBAR) * D(RHO), rhotemp = D(CBAR) * D(RHO);
    gs_givens(rhotemp, thetanew, &D(CBAR), &D(SBAR), &D(RHOBAR));
    D(ZETA) = D(CBAR) * D(ZETABAR);
    D(ZETABAR) = -D(SBAR) * D(ZETABAR);
    D(HBAR) = -(thetabar * D(RHO) / (rhoold * rhobarold));
    D(STEP) = D(ZETA) / (D(RHO) * D(RHOBAR));
    D(H) = -(thetanew / D(RHO));
    const double betaacute = chat * D(BETADD), betacheck = -shat * D(BETADD);
    const double betahat = c * betaacute;
    D(BETADD) = -sn * betaacute;
    const double tildeold = D(THETATILDE);
    gs_givens(D(RHODOLD), thetabar, &ct, &st, &rt);
    D(THETATILDE) = st * D(RHOBAR);
    D(RHODOLD) = ct * D(RHOBAR);
    D(BETAD) = -st * D(BETAD) + ct * betahat;
    D(TAUTILDE) = (zetaold - tildeold * D(TAUTILDE)) / rt;
    const double taud = (D(ZETA) - D(THETATILDE) * D(TAUTILDE)) / D(RHODOLD);
    D(D) += betacheck * betacheck;
    D(NORMR) = sqrt(D(D) + (D(BETAD) - taud) * (D(BETAD) - taud)
                    + D(BETADD) * D(BETADD));
    D(NORMA2) += beta * beta;
    D(NORMA) = sqrt(D(NORMA2));
    D(NORMA2) += alpha * alpha;
    if (rhobarold > D(MAXRBAR)) D(MAXRBAR) = rhobarold;
    if (V(ITER) > 1 && rhobarold < D(MINRBAR)) D(MINRBAR) = rhobarold;
    D(CONDA) = (D(MAXRBAR) > rhotemp ? D(MAXRBAR) : rhotemp)
               / (D(MINRBAR) < rhotemp ? D(MINRBAR) : rhotemp);
    D(NORMAR) = fabs(D(ZETABAR));
}
static GS_HD void gs_lsmr_test(gs_c128 *s, gs_c128 *d) {
    if (D(STATUS) != 0) return;
    D(NORMX) = sqrt(D(XX));
    D(ITER) = V(ITER);
    const double test1 = D(NORMR) / V(NORMB);
    const double test2 = D(NORMA) * D(NORMR) != 0
                         ? D(NORMAR) / (D(NORMA) * D(NORMR)) : 1.0 / 0.0;
    const double w = D(NORMA) * D(NORMX) / V(NORMB);
    D(STATUS) = gs_ls_rule(s, test1, test2, 1 / D(CONDA), test1 / (1 + w),
                           V(BTOL) + V(ATOL) * w);
}
/* WW is there: w w of the direction before it changes. */
static GS_HD void gs_lsqr_turn(gs_c128 *s, gs_c128 *d) {
    double cs, sn, rho, r1 = D(RHOBAR2), psi = 0;
    const double alfa = V(ALPHA), beta = V(BETA), damp = D(DAMP);
    D(STEP) = D(H) = 0;
    if (D(STATUS) != 0) return;
    if (beta > 0)
        D(NORMA) = sqrt(D(NORMA) * D(NORMA) + D(OLDALFA) * D(OLDALFA)
                        + beta * beta + damp * damp);
    D(OLDALFA) = alfa;
    if (damp > 0) {
        r1 = hypot(D(RHOBAR2), damp);
        psi = damp / r1 * D(PHIBAR);
        D(PHIBAR) *= D(RHOBAR2) / r1;
    }
    gs_givens(r1, beta, &cs, &sn, &rho);
    const double theta = sn * alfa, phi = cs * D(PHIBAR);
    D(RHOBAR2) = -cs * alfa;
    D(PHIBAR) *= sn;
    const double tau = sn * phi;
    D(STEP) = phi / rho;
    D(H) = -theta / rho;
    D(DDNORM) += V(WW) / (rho * rho);
    const double delta = D(SN2) * rho, gambar = -D(CS2) * rho;
    const double rhs = phi - delta * D(ZETA), zbar = rhs / gambar;
    D(NORMX) = sqrt(D(XXNORM) + zbar * zbar);
    const double gamma = hypot(gambar, theta);
    D(CS2) = gambar / gamma;
    D(SN2) = theta / gamma;
    D(ZETA) = rhs / gamma;
    D(XXNORM) += D(ZETA) * D(ZETA);
    D(CONDA) = D(NORMA) * sqrt(D(DDNORM));
    D(D) += psi * psi;
    D(NORMR) = sqrt(D(PHIBAR) * D(PHIBAR) + D(D));
    D(NORMAR) = alfa * fabs(tau);
    D(ITER) = V(ITER);
    const double test1 = D(NORMR) / V(NORMB);
    const double w = D(NORMA) * D(NORMX) / V(NORMB);
    D(STATUS) = gs_ls_rule(s, test1, D(NORMAR) / (D(NORMA) * D(NORMR) + GS_EPS),
                           1 / (D(CONDA) + GS_EPS), test1 / (1 + w),
                           V(BTOL) + V(ATOL) * w);
}
#undef D
/* Step of one damping (i), or of all; every thread of 0 .. count-1 runs it. These
   take numbers: for a reference to the job every thread of the kernel would copy
   its 700 bytes to the stack.                                              */
static GS_BIG void gs_step(gs_c128 *s, int step, int i, int width, int column) {
    gs_c128 *d = s + GA__AT_MORE + (int64_t)i * GA__LS_SLOTS;
    switch (step) {
    case GA__STEP_BEGIN: gs_begin(s); break;
    case GA__STEP_CG_DIRECTION: gs_cg_direction(s); break;
    case GA__STEP_CG: gs_cg_step(s); break;
    case GA__STEP_BI_DIRECTION: gs_bi_direction(s); break;
    case GA__STEP_BI_ALPHA: gs_bi_alpha(s); break;
    case GA__STEP_BI_OMEGA: gs_bi_omega(s); break;
    case GA__STEP_MINRES_BEGIN: gs_minres_begin(s); break;
    case GA__STEP_MINRES_ALFA: gs_minres_alfa(s); break;
    case GA__STEP_MINRES_TURN: gs_minres_turn(s); break;
    case GA__STEP_MINRES_TEST: gs_minres_test(s); break;
    case GA__STEP_GMRES_BEGIN: gs_gmres_begin(s, width); break;
    case GA__STEP_GMRES_FIRST: gs_gmres_column(s, width, column, true); break;
    case GA__STEP_GMRES_SECOND: gs_gmres_column(s, width, column, false);
        break;
    case GA__STEP_GMRES_TURN: gs_gmres_turn(s, width, column); break;
    case GA__STEP_GMRES_SOLVE: gs_gmres_solve(s, width); break;
    case GA__STEP_LANCZOS: gs_lanczos(s, width, column); break;
    case GA__STEP_LS_U: gs_ls_u(s); break;
    case GA__STEP_LS_BEGIN: gs_ls_begin(s, d); break;
    case GA__STEP_LSMR_TURN: gs_lsmr_turn(s, d); break;
    case GA__STEP_LSMR_TEST: gs_lsmr_test(s, d); break;
    case GA__STEP_LSQR_TURN: gs_lsqr_turn(s, d); break;
    default: break;
    }
}
/* Once, before and after the steps of all dampings. */
static GS_BIG void gs_before(gs_c128 *s, int step, int ndots) {
    if ((step == GA__STEP_CG_DIRECTION || step == GA__STEP_GMRES_BEGIN)
        && ndots == 1) Z(RHO) = Z(RR);          /* no preconditioner        */
    if (step == GA__STEP_LSMR_TURN || step == GA__STEP_LSQR_TURN) {
        gs_ls_v(s);
        V(ITER) += V(STATUS) == 0;
    }
    if (step == GA__STEP_LS_BEGIN) gs_ls_v(s);
}
static GS_BIG void gs_after(gs_c128 *s, int step, int count) {
    bool all = true;
    if (step < GA__STEP_LS_BEGIN || step == GA__STEP_LANCZOS) return;
    for (int i = 0; i < count; i++)
        all &= s[GA__AT_MORE + (int64_t)i * GA__LS_SLOTS + GA__LS_STATUS].re != 0;
    if (all) gs_stop(s, GA__DONE);
    V(RESIDUAL) = s[GA__AT_MORE + GA__LS_NORMR].re;
}
#undef V
#undef Z

/* ================================================================== >>dots
   Sums of conj(a) b in double, in a fixed order, into the state; then a step. */
#define GS_SHARES 64
/* conj(a) b in double. */
static GS_HD gs_c128 gs_product(float a, float b) {
    return {(double)a * (double)b, 0};
}
static GS_HD gs_c128 gs_product(double a, double b) { return {a * b, 0}; }
template<class R> static GS_HD gs_c128 gs_product(gs_complex<R> a,
                                                  gs_complex<R> b) {
    return gs_wide(gs_conj(a)) * gs_wide(b);
}
/* A row's elements first .. end-1, and their share of its dots. */
template<class T> static void gs_dot_range(const ga__dots &q, int64_t row,
                                           int64_t first, int64_t end,
                                           gs_c128 *sum) {
    for (int64_t at = first; at < end; at += 2048) {
        const int64_t stop = at + 2048 < end ? at + 2048 : end;
        if (q.blend.nlines) gs_blend_range<T>(q.blend, row, at, stop);
        for (int k = 0; k < q.ndots; k++) {
            const T *a = (const T *)q.dot[k].a + row * q.dot[k].a_step;
            const T *b = (const T *)q.dot[k].b + row * q.dot[k].b_step;
            gs_c128 four[4] = {};
            int64_t i = at;
            for (; i + 3 < stop; i += 4)
                for (int j = 0; j < 4; j++)
                    four[j] = four[j] + gs_product(a[i + j], b[i + j]);
            for (; i < stop; i++) four[0] = four[0] + gs_product(a[i], b[i]);
            sum[k] = sum[k] + ((four[0] + four[1]) + (four[2] + four[3]));
        }
    }
}
static GS_HD gs_c128 *gs_dot_to(const ga__dots &q, gs_c128 *s, int pair) {
    return s + q.dot[pair % q.ndots].slot
           + (int64_t)(pair / q.ndots) * q.slot_step;
}
template<class T> static void gs_cpu_dots_of(const ga__dots *q) {
    const int64_t each = (q->n + GS_SHARES - 1) / GS_SHARES;
    gs_c128 *s = (gs_c128 *)q->state;
    for (int64_t row = 0; row < q->rows; row++) {
        gs_c128 part[GS_SHARES][3] = {};
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (q->n > 16384)
#endif
        for (int i = 0; i < GS_SHARES; i++) {
            const int64_t end = (i + 1) * each < q->n ? (i + 1) * each : q->n;
            gs_dot_range<T>(*q, row, i * each, end, part[i]);
        }
        for (int k = 0; k < q->ndots; k++) {
            gs_c128 sum = {0, 0};
            for (int i = 0; i < GS_SHARES; i++) sum = sum + part[i][k];
            *gs_dot_to(*q, s, (int)row * q->ndots + k) = sum;
        }
    }
    gs_before(s, q->step, q->ndots);
    for (int i = 0; i < q->count; i++)
        gs_step(s, q->step, i, q->width, q->column);
    gs_after(s, q->step, q->count);
}
GA__EXTERN void gs_cpu_dots(const ga__dots *q) {
    GS_OF_TYPE(q->t, gs_cpu_dots_of, q)
}
static int gs_dot_blocks(const ga__dots *q, int mps) {
    int64_t b = (q->n + 255) / 256, most = 8 * (int64_t)mps / q->rows + 1;
    return (int)(b < 1 ? 1 : b < most ? b : most);
}
GA__EXTERN size_t gs_dots_work(const ga__dots *q, int mps) {
    if (!mps) return 0;
    return (size_t)gs_dot_blocks(q, mps) * (size_t)(q->rows * q->ndots + 1)
           * sizeof(gs_c128);
}
#ifndef GPUARR_NO_CUDA
/* A thread's elements: the lines, then what is to be multiplied. */
template<class T> static __device__ __forceinline__ void
gs_dot_share(const ga__dots &q, int64_t row, gs_c128 (*warp)[8]) {
    __shared__ T f[3][4];
    gs_c128 sum[3] = {};
    constexpr int U = sizeof(T) > 8 ? 2 : 4;
    const int64_t by = (int64_t)gridDim.x * 256;
    if (q.blend.nlines) gs_factors<T>(q.blend, row, f);
    for (int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x; i < q.n;
         i += U * by) {
        if (q.blend.nlines) gs_blend_few<T, U>(q.blend, f, row, i, by);
#pragma unroll
        for (int k = 0; k < 3; k++) {
            if (k >= q.ndots) break;
            const T *a = (const T *)q.dot[k].a + row * q.dot[k].a_step;
            const T *b = (const T *)q.dot[k].b + row * q.dot[k].b_step;
            T x[U], y[U];
#pragma unroll
            for (int u = 0; u < U; u++) {
                const bool in = i + u * by < q.n;
                x[u] = in ? a[i + u * by] : T();
                y[u] = in ? b[i + u * by] : T();
            }
#pragma unroll
            for (int u = 0; u < U; u++) sum[k] = sum[k] + gs_product(x[u], y[u]);
        }
    }
#pragma unroll
    for (int k = 0; k < 3; k++) {
        if (k >= q.ndots) break;
        sum[k] = gs_all(sum[k]);
        if (!(threadIdx.x & 31)) warp[k][threadIdx.x >> 5] = sum[k];
    }
}
/* A block (x) of a row (y) leaves a part of each dot; the last one of all adds
   the parts up, a warp a sum, and takes the step, on chip where the state has
   room there: a step is a long chain of single numbers. Two kernels for four
   types, as the steps are 110 of their 120 KB; complex128 would spill in one. */
#define GS_ON_CHIP 768
template<bool WIDEST> static __global__ void __launch_bounds__(256, 4)
gs_dots(ga__dots q) {
    __shared__ gs_c128 warp[3][8], chip[GS_ON_CHIP];
    __shared__ bool last;
    gs_c128 *part = (gs_c128 *)q.use.work;
    const int pairs = (int)q.rows * q.ndots, blocks = (int)gridDim.x;
    if (WIDEST) gs_dot_share<gs_c128>(q, blockIdx.y, warp);
    else if (q.t == GA_COMPLEX64) gs_dot_share<gs_c64>(q, blockIdx.y, warp);
    else if (q.t == GA_FLOAT64) gs_dot_share<double>(q, blockIdx.y, warp);
    else gs_dot_share<float>(q, blockIdx.y, warp);
    __syncthreads();
    if ((int)threadIdx.x < q.ndots) {
        gs_c128 a = warp[threadIdx.x][0];
        for (int w = 1; w < 8; w++) a = a + warp[threadIdx.x][w];
        part[((int)blockIdx.y * q.ndots + (int)threadIdx.x) * blocks
             + (int)blockIdx.x] = a;
        __threadfence();
    }
    __syncthreads();
    if (!threadIdx.x)
        last = atomicInc(q.use.counters, gridDim.x * gridDim.y - 1)
               == gridDim.x * gridDim.y - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    gs_c128 *s = (gs_c128 *)q.state;
    const bool on_chip = q.slots <= GS_ON_CHIP;
    if (on_chip) {
        for (int i = (int)threadIdx.x; i < q.slots; i += 256) chip[i] = s[i];
        s = chip;
        __syncthreads();
    }
    for (int p = (int)threadIdx.x / 32; p < pairs; p += 8) {
        gs_c128 a = {0, 0};
        for (int i = (int)threadIdx.x & 31; i < blocks; i += 32) {
            const volatile double *v = (const volatile double *)
                &part[p * blocks + i];
            a = a + gs_c128{v[0], v[1]};
        }
        a = gs_all(a);
        if (!(threadIdx.x & 31)) *gs_dot_to(q, s, p) = a;
    }
    __syncthreads();
    if (!threadIdx.x) gs_before(s, q.step, q.ndots);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < q.count; i += 256)
        gs_step(s, q.step, i, q.width, q.column);
    __syncthreads();
    if (!threadIdx.x) gs_after(s, q.step, q.count);
    if (!on_chip) return;
    __syncthreads();
    for (int i = (int)threadIdx.x; i < q.slots; i += 256)
        ((gs_c128 *)q.state)[i] = chip[i];
}
GA__EXTERN int gs_cuda_dots(const ga__dots *q, void *stream, int mps) {
    auto kernel = q->t == GA_COMPLEX128 ? gs_dots<true> : gs_dots<false>;
    kernel<<<dim3((unsigned)gs_dot_blocks(q, mps), (unsigned)q->rows), 256, 0,
             (cudaStream_t)stream>>>(*q);
    return (int)cudaGetLastError();
}
#endif
