#include <cuda_runtime.h>
#include <cusparse.h>
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <vector>
#include <algorithm>
#define CK(x) do { auto e_ = (x); if ((int)e_) { printf("fail %d line %d\n", (int)e_, __LINE__); exit(1);} } while (0)
struct Q { int64_t rows, nnz; const void *ptr, *idx, *val, *x, *base; void *y; };
template<class T> __device__ __forceinline__ T st(const T *p) { return __ldcs(p); }
/* current, or narrow */
template<class T, class I, class J, int LANES, int B, int EACH> __global__ void __launch_bounds__(B) shortk(Q q) {
    constexpr int STAGE = B * EACH, ROWS = B / LANES;
    __shared__ T product[STAGE];
    const I *ptr = (const I *)q.ptr; const J *idx = (const J *)q.idx;
    const T *val = (const T *)q.val, *x = (const T *)q.x;
    const int64_t r0 = (int64_t)blockIdx.x * ROWS;
    const int64_t r1 = r0 + ROWS < q.rows ? r0 + ROWS : q.rows;
    const int lane = (int)threadIdx.x % LANES;
    const int64_t row = r0 + threadIdx.x / LANES;
    if (sizeof(J) == 2) x += ((const I *)q.base)[blockIdx.x];
    const int64_t end = ptr[r1];
    int64_t at = ptr[r0], mine = 0, stop = 0;
    if (row < r1) mine = ptr[row], stop = ptr[row + 1];
    T sum = T();
    while (at < end) {
        const int n = end - at < STAGE ? (int)(end - at) : STAGE;
        const J *i = idx + at; const T *v = val + at;
        J col[EACH]; T a[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) { const int k = threadIdx.x + j * B; if (k < n) { col[j] = st(i + k); a[j] = st(v + k); } }
#pragma unroll
        for (int j = 0; j < EACH; j++) { const int k = threadIdx.x + j * B; if (k < n) product[k] = a[j] * x[col[j]]; }
        __syncthreads();
        const int64_t to = stop < at + n ? stop : at + n;
        for (int64_t k = (mine > at ? mine : at) + lane; k < to; k += LANES) sum = sum + product[k - at];
        at += n;
        if (at < end) __syncthreads();
    }
    if (row < r1 && !lane) ((T *)q.y)[row] = sum;
}
/* thread a row */
template<class T, class J> __global__ void __launch_bounds__(256) rowk(Q q) {
    const int *ptr = (const int *)q.ptr; const J *idx = (const J *)q.idx;
    const T *val = (const T *)q.val, *x = (const T *)q.x;
    int64_t r = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (sizeof(J) == 2) x += ((const int *)q.base)[blockIdx.x];
    if (r >= q.rows) return;
    int k = ptr[r], e = ptr[r + 1];
    T s = T();
#pragma unroll 5
    for (; k < e; k++) s += val[k] * x[idx[k]];
    ((T *)q.y)[r] = s;
}
/* persistent: tiles of 256 rows; the next tile's entries are copied while this one is summed */
__device__ __forceinline__ void cp(void *s, const void *g, int bytes, int live) {
    unsigned a = (unsigned)__cvta_generic_to_shared(s);
    if (bytes == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(a), "l"(g), "r"(live));
    else if (bytes == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" :: "r"(a), "l"(g), "r"(live));
    else asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(a), "l"(g), "r"(live));
}
template<class T, class J, int R, int CAP, int D> __global__ void __launch_bounds__(R) pipek(Q q) {
    extern __shared__ char sm[];
    T *sv = (T *)sm; J *si = (J *)(sm + (size_t)D * CAP * sizeof(T));
    const int *ptr = (const int *)q.ptr; const J *idx = (const J *)q.idx;
    const T *val = (const T *)q.val, *x = (const T *)q.x;
    const int tiles = (int)((q.rows + R - 1) / R), t = threadIdx.x;
    constexpr int VT = 16 / sizeof(T), VJ = 16 / sizeof(J);
    auto fetch = [&](int tile, int slot) {
        if (tile < tiles) {
            int64_t r1 = (int64_t)(tile + 1) * R; if (r1 > q.rows) r1 = q.rows;
            int a = ptr[(int64_t)tile * R] / VJ * VJ, b = ptr[r1];
            for (int k = a + t * VT; k < b; k += R * VT) cp(&sv[slot * CAP + k - a], val + k, 16, 16);
            for (int k = a + t * VJ; k < b; k += R * VJ) cp(&si[slot * CAP + k - a], idx + k, 16, 16);
        }
        asm volatile("cp.async.commit_group;");
    };
    int slot = 0;
    for (int d = 0; d < D - 1; d++) fetch(blockIdx.x + d * gridDim.x, d);
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t row = (int64_t)tile * R + t;
        int m = 0, e = 0, a = ptr[(int64_t)tile * R] / VJ * VJ;
        if (row < q.rows) m = ptr[row], e = ptr[row + 1];
        const T *xb = sizeof(J) == 2 ? x + ((const int *)q.base)[tile] : x;
        int ns = slot + D - 1; if (ns >= D) ns -= D;
        fetch(tile + (D - 1) * gridDim.x, ns);
        asm volatile("cp.async.wait_group %0;" :: "n"(D - 1));
        __syncthreads();
        T s = T(); const T *v = sv + slot * CAP - a; const J *c = si + slot * CAP - a;
#pragma unroll 5
        for (int k = m; k < e; k++) s += v[k] * xb[c[k]];
        if (row < q.rows) ((T *)q.y)[row] = s;
        __syncthreads();
        if (++slot == D) slot = 0;
    }
}
/* long rows */
template<class T, class J, int W> __global__ void __launch_bounds__(256) longk(Q q) {
    const int *ptr = (const int *)q.ptr; const J *idx = (const J *)q.idx;
    const T *val = (const T *)q.val; const T *x = (const T *)q.x;
    const int lane = threadIdx.x & 31;
    const int64_t row = (int64_t)blockIdx.x * 8 + threadIdx.x / 32;
    T sum[4] = {};
    const int end = row < q.rows ? ptr[row + 1] : 0;
    for (int k = row < q.rows ? ptr[row] + lane : 0; k < end; k += W * 32) {
        J col[W]; T a[W];
#pragma unroll
        for (int j = 0; j < W; j++) if (k + j * 32 < end) { col[j] = st(idx + k + j * 32); a[j] = st(val + k + j * 32); }
#pragma unroll
        for (int j = 0; j < W; j++) if (k + j * 32 < end) sum[j % 4] += a[j] * x[col[j]];
    }
    T all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (int d = 16; d > 0; d /= 2) all += __shfl_down_sync(~0u, all, d, 32);
    if (row < q.rows && !lane) ((T *)q.y)[row] = all;
}
/* long rows, x on chip, a block many rows */
template<class T, class J, int W> __global__ void __launch_bounds__(1024) longs(Q q, int cols) {
    extern __shared__ char sm[]; T *xs = (T *)sm;
    const int *ptr = (const int *)q.ptr; const J *idx = (const J *)q.idx;
    const T *val = (const T *)q.val; const T *x = (const T *)q.x;
    for (int i = threadIdx.x; i < cols; i += 1024) xs[i] = x[i];
    __syncthreads();
    const int lane = threadIdx.x & 31;
    for (int64_t row = (int64_t)blockIdx.x * 32 + threadIdx.x / 32; row < q.rows; row += (int64_t)gridDim.x * 32) {
    T sum[4] = {};
    const int end = ptr[row + 1];
    for (int k = ptr[row] + lane; k < end; k += W * 32) {
        J col[W]; T a[W];
#pragma unroll
        for (int j = 0; j < W; j++) if (k + j * 32 < end) { col[j] = st(idx + k + j * 32); a[j] = st(val + k + j * 32); }
#pragma unroll
        for (int j = 0; j < W; j++) if (k + j * 32 < end) sum[j % 4] += a[j] * xs[col[j]];
    }
    T all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (int d = 16; d > 0; d /= 2) all += __shfl_down_sync(~0u, all, d, 32);
    if (!lane) ((T *)q.y)[row] = all;
    }
}
/* long rows, wide loads: 8 entries a lane at once */
template<class T> __global__ void __launch_bounds__(256) longv(Q q) {
    const int *ptr = (const int *)q.ptr; const uint16_t *idx = (const uint16_t *)q.idx;
    const T *val = (const T *)q.val; const T *x = (const T *)q.x;
    const int lane = threadIdx.x & 31;
    const int64_t row = (int64_t)blockIdx.x * 8 + threadIdx.x / 32;
    T sum = 0;
    if (row < q.rows) {
        const int b = ptr[row], e = ptr[row + 1];
        for (int k = b / 8 * 8 + lane * 8; k < e; k += 512) {
            T v[2][8]; uint16_t c[2][8];
#pragma unroll
            for (int h = 0; h < 2; h++) { int kk = k + h * 256; if (kk < e) {
                *(uint4 *)c[h] = __ldcs((const uint4 *)(idx + kk));
#pragma unroll
                for (int j = 0; j < (int)sizeof(T) / 2; j++) ((uint4 *)v[h])[j] = __ldcs((const uint4 *)(val + kk) + j);
            } }
#pragma unroll
            for (int h = 0; h < 2; h++)
#pragma unroll
            for (int j = 0; j < 8; j++) { int kk = k + h * 256 + j; if (kk >= b && kk < e) sum += v[h][j] * x[c[h][j]]; }
        }
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, 32);
    if (row < q.rows && !lane) ((T *)q.y)[row] = sum;
}
template<class F> static void timed(const char *name, double bytes, F f) {
    cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
    f(); CK(cudaDeviceSynchronize());
    float best = 1e9;
    for (int i = 0; i < 5; i++) { cudaEventRecord(a); for (int k = 0; k < 10; k++) f(); cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms, a, b); best = std::min(best, ms / 10); }
    CK(cudaGetLastError());
    printf("%-30s %.4f ms  %.0f GB/s of the plain bytes\n", name, best, bytes / best / 1e6);
}
template<class T> static void check(const char *name, const T *dy, const std::vector<T> &want) {
    std::vector<T> y(want.size()); CK(cudaMemcpy(y.data(), dy, y.size() * sizeof(T), cudaMemcpyDeviceToHost));
    double worst = 0; for (size_t i = 0; i < y.size(); i++) worst = std::max(worst, (double)std::abs(y[i] - want[i]) / (1 + std::abs(want[i])));
    if (!(worst < 1e-3)) printf("  !! %s wrong by %g\n", name, worst);
    CK(cudaMemset((void *)dy, 0, y.size() * sizeof(T)));
}
template<class V> static typename V::value_type *up(const V &v) {
    typename V::value_type *p; CK(cudaMalloc((void **)&p, (v.size() + 64) * sizeof v[0])); CK(cudaMemcpy(p, v.data(), v.size() * sizeof v[0], cudaMemcpyHostToDevice)); return p;
}
template<class T> static void cus(Q q, int cols, const T *x, T *y, double bytes, cusparseSpMVAlg_t alg) {
    cusparseHandle_t h; cusparseSpMatDescr_t A; cusparseDnVecDescr_t X, Y; T one = 1, zero = 0; size_t n;
    auto t = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
    CK(cusparseCreate(&h));
    CK(cusparseCreateCsr(&A, q.rows, cols, q.nnz, (void *)q.ptr, (void *)q.idx, (void *)q.val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, t));
    CK(cusparseCreateDnVec(&X, cols, (void *)x, t)); CK(cusparseCreateDnVec(&Y, q.rows, y, t));
    CK(cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, X, &zero, Y, t, alg, &n));
    void *buf; CK(cudaMalloc(&buf, n + 16));
    CK(cusparseSpMV_preprocess(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, X, &zero, Y, t, alg, buf));
    timed(alg == CUSPARSE_SPMV_CSR_ALG2 ? "cusparse ALG2 by hand" : "cusparse ALG1 by hand", bytes, [&] { cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, X, &zero, Y, t, alg, buf); });
    cudaFree(buf);
}
template<class T> static void laplacian() {
    const int n = 3163, N = n * n;
    std::vector<int> ptr(N + 1), idx; std::vector<T> val, x(N), want(N); std::vector<uint16_t> nar; std::vector<int> base;
    idx.reserve(5u * N); val.reserve(5u * N); nar.reserve(5u * N);
    for (int i = 0; i < N; i++) x[i] = (T)((i * 7919u % 1000) * 1e-3);
    for (int i = 0; i < N; i++) {
        ptr[i] = (int)idx.size();
        if (i % 256 == 0) base.push_back(std::max(i - n, 0));
        T s = 0;
        auto put = [&](int c, T v) { idx.push_back(c); val.push_back(v); nar.push_back((uint16_t)(c - base.back())); s += v * x[c]; };
        if (i >= n) put(i - n, -1); if (i % n) put(i - 1, -1); put(i, 4); if ((i + 1) % n) if (i + 1 < N) put(i + 1, -1); if (i + n < N) put(i + n, -1);
        want[i] = s;
    }
    ptr[N] = (int)idx.size();
    double bytes = idx.size() * (sizeof(T) + 4.) + N * (4. + 2 * sizeof(T));
    T *y; CK(cudaMalloc((void **)&y, N * sizeof(T)));
    Q q = {N, (int64_t)idx.size(), up(ptr), up(idx), up(val), up(x), up(base), y}, w = q; w.idx = up(nar);
    const char *d = sizeof(T) == 8 ? "f64" : "f32"; char nm[80];
    void *big, *big2; CK(cudaMalloc(&big, (size_t)bytes)); CK(cudaMalloc(&big2, (size_t)bytes));
    timed("copy", bytes, [&] { cudaMemcpyAsync(big, big2, (size_t)bytes / 2, cudaMemcpyDeviceToDevice); });
    cudaFree(big); cudaFree(big2);
#define RUN(what, k, ...) snprintf(nm, sizeof nm, "%s %s", d, what); timed(nm, bytes, [&] { k; }); check(nm, y, want);
    RUN("now", (shortk<T, int, int, 1, 256, 6><<<(N + 255) / 256, 256>>>(q)));
    RUN("now 128", (shortk<T, int, int, 1, 128, 6><<<(N + 127) / 128, 128>>>(q)));
    RUN("now 512", (shortk<T, int, int, 1, 512, 6><<<(N + 511) / 512, 512>>>(q)));
    RUN("narrow", (shortk<T, int, uint16_t, 1, 256, 6><<<(N + 255) / 256, 256>>>(w)));
    RUN("narrow 5", (shortk<T, int, uint16_t, 1, 256, 5><<<(N + 255) / 256, 256>>>(w)));
    RUN("row", (rowk<T, int><<<(N + 255) / 256, 256>>>(q)));
    RUN("row narrow", (rowk<T, uint16_t><<<(N + 255) / 256, 256>>>(w)));
#define PIPE(R, D, J, arg, what) { constexpr int CAP = R * 5 + 16; size_t b = (size_t)D * CAP * (sizeof(T) + sizeof(J)); auto k = pipek<T, J, R, CAP, D>; \
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)b); int per; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, k, R, b); \
    RUN(what, (k<<<132 * per, R, b>>>(arg))); }
    PIPE(256, 2, int, q, "pipe 256 x2"); PIPE(256, 3, int, q, "pipe 256 x3"); PIPE(128, 3, int, q, "pipe 128 x3"); PIPE(128, 2, int, q, "pipe 128 x2");
    PIPE(256, 2, uint16_t, w, "pipe narrow 256 x2"); PIPE(256, 3, uint16_t, w, "pipe narrow 256 x3");
    cus<T>(q, N, (const T *)q.x, y, bytes, CUSPARSE_SPMV_CSR_ALG1); cus<T>(q, N, (const T *)q.x, y, bytes, CUSPARSE_SPMV_CSR_ALG2);
    cudaFree(y); cudaFree((void *)q.idx); cudaFree((void *)q.val); cudaFree((void *)w.idx);
}
template<class T> static void curve() {
    const int n = 15000;
    std::vector<int> ptr(n + 1), idx; std::vector<T> val, x(n), want(n); std::vector<uint16_t> nar;
    srand(1); idx.reserve(23000000);
    for (int i = 0; i < n; i++) x[i] = (T)(rand() * 1e-9);
    for (int i = 0; i < n; i++) {
        ptr[i] = (int)idx.size(); double s = 0;
        for (int c = rand() % 20; c < n; c += 1 + rand() % 19) { idx.push_back(c); nar.push_back((uint16_t)c); T v = (T)(rand() * 1e-9); val.push_back(v); s += (double)v * x[c]; }
        want[i] = (T)s;
    }
    ptr[n] = (int)idx.size();
    double bytes = idx.size() * (sizeof(T) + 4.);
    T *y; CK(cudaMalloc((void **)&y, n * sizeof(T)));
    Q q = {n, (int64_t)idx.size(), up(ptr), up(idx), up(val), up(x), NULL, y}, w = q; w.idx = up(nar);
    const char *d = sizeof(T) == 8 ? "curve f64" : "curve f32"; char nm[80];
    RUN("now", (longk<T, int, 8><<<(n + 7) / 8, 256>>>(q)));
    RUN("narrow 8", (longk<T, uint16_t, 8><<<(n + 7) / 8, 256>>>(w)));
    RUN("narrow 12", (longk<T, uint16_t, 12><<<(n + 7) / 8, 256>>>(w)));
    RUN("narrow 16", (longk<T, uint16_t, 16><<<(n + 7) / 8, 256>>>(w)));
    RUN("narrow vec", (longv<T><<<(n + 7) / 8, 256>>>(w)));
    { auto k = longs<T, uint16_t, 8>; cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, n * (int)sizeof(T));
      RUN("narrow x on chip 8", (k<<<132, 1024, n * sizeof(T)>>>(w, n)));
      auto k2 = longs<T, int, 8>; cudaFuncSetAttribute(k2, cudaFuncAttributeMaxDynamicSharedMemorySize, n * (int)sizeof(T));
      RUN("wide x on chip 8", (k2<<<132, 1024, n * sizeof(T)>>>(q, n))); if (sizeof(T) == 4) RUN("narrow x on chip 264", (k<<<264, 1024, n * sizeof(T)>>>(w, n))); }
    cus<T>(q, n, (const T *)q.x, y, bytes, CUSPARSE_SPMV_CSR_ALG1); cus<T>(q, n, (const T *)q.x, y, bytes, CUSPARSE_SPMV_CSR_ALG2);
}

template<class T> static void randoms(int each) {
    const int n = 1000000;
    std::vector<int> ptr(n + 1), idx, base(1); std::vector<T> val, x(n, 1), want(n); srand(2);
    std::vector<int> row;
    for (int i = 0; i < n; i++) {
        ptr[i] = (int)idx.size(); row.clear();
        int m = each / 2 + rand() % each; T s = 0;
        for (int k = 0; k < m; k++) row.push_back((int)(((unsigned)rand() << 8 ^ (unsigned)rand()) % n));
        std::sort(row.begin(), row.end());
        for (int c : row) { idx.push_back(c); val.push_back(1); s += 1; }
        want[i] = s;
    }
    ptr[n] = (int)idx.size();
    double bytes = idx.size() * (sizeof(T) + 4.) + n * (4. + 2 * sizeof(T));
    T *y; CK(cudaMalloc((void **)&y, n * sizeof(T)));
    Q q = {n, (int64_t)idx.size(), up(ptr), up(idx), up(val), up(x), up(base), y};
    char d[40], nm[80]; snprintf(d, sizeof d, "random %d %s", each, sizeof(T) == 8 ? "f64" : "f32");
    if (each < 16) { RUN("row", (rowk<T, int><<<(n + 255) / 256, 256>>>(q))); }
    RUN("short 1", (shortk<T, int, int, 1, 256, 6><<<(n + 255) / 256, 256>>>(q)));
    RUN("short 2", (shortk<T, int, int, 2, 256, 6><<<(n + 127) / 128, 256>>>(q)));
    RUN("short 4", (shortk<T, int, int, 4, 256, 6><<<(n + 63) / 64, 256>>>(q)));
    RUN("row ", (rowk<T, int><<<(n + 255) / 256, 256>>>(q)));
    RUN("warp", (longk<T, int, 1><<<(n + 7) / 8, 256>>>(q)));
    cus<T>(q, n, (const T *)q.x, y, bytes, CUSPARSE_SPMV_CSR_ALG1);
}
static void spsv() {
    const int n = 1000, N = n * n;
    std::vector<int> ptr(N + 1), idx; std::vector<double> val, x(N, 1);
    for (int i = 0; i < N; i++) {
        ptr[i] = (int)idx.size();
        if (i >= n) idx.push_back(i - n), val.push_back(-.3);
        if (i % n) idx.push_back(i - 1), val.push_back(-.3);
        idx.push_back(i), val.push_back(1.5);
    }
    ptr[N] = (int)idx.size();
    cusparseHandle_t h; cusparseSpMatDescr_t A; cusparseDnVecDescr_t X, Y; cusparseSpSVDescr_t d; double one = 1; size_t b; void *buf;
    int *p = up(ptr), *j = up(idx); double *v = up(val), *dx = up(x), *dy = up(x);
    CK(cusparseCreate(&h)); CK(cusparseCreateCsr(&A, N, N, val.size(), p, j, v, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    auto fm = CUSPARSE_FILL_MODE_LOWER; CK(cusparseSpMatSetAttribute(A, CUSPARSE_SPMAT_FILL_MODE, &fm, sizeof fm));
    CK(cusparseCreateDnVec(&X, N, dx, CUDA_R_64F)); CK(cusparseCreateDnVec(&Y, N, dy, CUDA_R_64F)); CK(cusparseSpSV_createDescr(&d));
    auto op = CUSPARSE_OPERATION_NON_TRANSPOSE; auto al = CUSPARSE_SPSV_ALG_DEFAULT;
    CK(cusparseSpSV_bufferSize(h, op, &one, A, X, Y, CUDA_R_64F, al, d, &b)); CK(cudaMalloc(&buf, b + 16));
    CK(cusparseSpSV_analysis(h, op, &one, A, X, Y, CUDA_R_64F, al, d, buf));
    timed("cusparse SpSV 1e6 grid", 1, [&] { cusparseSpSV_solve(h, op, &one, A, X, Y, CUDA_R_64F, al, d); });
}
int main() { spsv(); randoms<double>(12); randoms<double>(20); randoms<float>(12); }
