#include <cstdio>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cstdlib>
#define OK(x) do { cudaError_t e_ = (x); if (e_) { printf("%s: %s\n", #x, cudaGetErrorString(e_)); exit(1); } } while (0)
static cudaEvent_t ea, eb;
template<class F> float best(F f, int reps = 5) {
    float b = 1e9;
    for (int i = 0; i < reps; i++) {
        cudaEventRecord(ea); f(); cudaEventRecord(eb); OK(cudaEventSynchronize(eb));
        float t; cudaEventElapsedTime(&t, ea, eb); if (i && t < b) b = t;
    }
    return b;
}
__device__ __forceinline__ unsigned peers_of(unsigned digit, unsigned with) {
#pragma unroll
    for (int b = 0; b < 8; b++) {
        const bool one = digit >> b & 1;
        const unsigned v = __ballot_sync(0xffffffffu, one);
        with &= one ? v : ~v;
    }
    return with;
}
__device__ __forceinline__ unsigned peers_asm(unsigned digit) {
    unsigned m = 0xffffffffu;
#pragma unroll
    for (int b = 0; b < 8; b++) {
        unsigned t;
        asm volatile("{ .reg .pred p; .reg .b32 a; and.b32 a, %1, %2; setp.ne.u32 p, a, 0;\n"
            " vote.ballot.sync.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }"
            : "=r"(t) : "r"(digit), "r"(1u << b));
        m &= t;
    }
    return m;
}
__device__ __forceinline__ unsigned before_mask() { unsigned m; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m)); return m; }
__device__ __forceinline__ uint32_t peek(const uint32_t *p) { return *(const volatile uint32_t *)p; }
__device__ __forceinline__ uint32_t earlier_of(const uint32_t *state, int64_t tile) {
    constexpr int LB = 4;
    uint32_t sum = 0;
    for (int64_t k = tile - 1;; k -= LB) {
        uint32_t v[LB];
#pragma unroll
        for (int u = 0; u < LB; u++) v[u] = k - u < 0 ? 2u << 30 : peek(state + (k - u) * 256);
#pragma unroll
        for (int u = 0; u < LB; u++) {
            while (!(v[u] >> 30)) v[u] = peek(state + (k - u) * 256);
            sum += v[u] & 0x3fffffffu;
            if (v[u] >> 31) return sum;
        }
    }
}
__device__ __forceinline__ void sums_of(uint32_t *counts, int lane) {
    uint32_t c[8], sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) c[i] = counts[lane * 8 + i], sum += c[i];
    uint32_t before = sum;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) { const uint32_t v = __shfl_up_sync(0xffffffffu, before, d); if (lane >= d) before += v; }
    before -= sum;
#pragma unroll
    for (int i = 0; i < 8; i++) { counts[lane * 8 + i] = before; before += c[i]; }
}
/* MODE bits: 1 early counts; 2 match by atomicOr; 4 __match_any; 8 asm ballots */
template<int T, int I, int MODE, int B>
__global__ __launch_bounds__(T, B) void sweep(const uint32_t *in, uint32_t *out, uint32_t *state_, const uint32_t *base,
                                             uint32_t *ticket_, int shift, int64_t total_n) {
    constexpr int W = T / 32, N = T * I;
    extern __shared__ uint32_t sm[];
    uint32_t *keys = sm;
    uint32_t (*counts)[256] = (uint32_t (*)[256])(keys + N);
    uint32_t *total = (uint32_t *)counts + W * 256, *to = total + 256;
    uint32_t *masks = to + 256;                 /* MODE 2: [W][256] */
    __shared__ uint32_t ticket;
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;
    if (tid == 0) ticket = atomicAdd(ticket_, 1u);
    for (int i = lane; i < 256; i += 32) { counts[w][i] = 0; if (MODE & 2) masks[w * 256 + i] = 0; }
    __syncthreads();
    const int64_t tile = ticket, begin = tile * N;
    uint32_t *state = state_ + tile * 256 + tid;
    const int n = total_n - begin < N ? (int)(total_n - begin) : N;
    const int first = w * 32 * I + lane;
    uint32_t key[I];
    const uint32_t *from = in + begin + first;
#pragma unroll
    for (int i = 0; i < I; i++) key[i] = first + i * 32 < n ? from[i * 32] : 0xffffffffu;
    auto dig = [&](uint32_t k) { k = k == 0x7fffffffu ? 0x80000000u : k; return k >> shift & 255; };
    const unsigned before = before_mask();
    if (MODE & 1) {
#pragma unroll
        for (int i = 0; i < I; i++) if (first + i * 32 < n) atomicAdd(&counts[w][dig(key[i])], 1u);
    }
    uint32_t rank[(I + 1) / 2];
    auto match = [&](unsigned digit, bool on) {
        unsigned peers;
        if (MODE & 2) {
            uint32_t *m = &masks[w * 256 + digit];
            atomicOr(m, 1u << lane);
            __syncwarp();
            peers = *(volatile uint32_t *)m;
        } else if (MODE & 4) peers = __match_any_sync(0xffffffffu, digit);
        else if (MODE & 8) peers = peers_asm(digit);
        else peers = peers_of(digit, 0xffffffffu);
        return peers;
    };
    if (!(MODE & 1)) {
#pragma unroll
        for (int i = 0; i < I; i++) {
            const bool on = first + i * 32 < n;
            const unsigned digit = dig(key[i]);
            unsigned peers = match(digit, on) & __ballot_sync(0xffffffffu, on);
            const int lead = __ffs(peers) - 1;
            uint32_t r = 0;
            if (on && lane == lead) { r = counts[w][digit]; counts[w][digit] = r + __popc(peers); if (MODE & 2) masks[w * 256 + digit] = 0; }
            r = __shfl_sync(0xffffffffu, r, lead & 31) + __popc(peers & before);
            if (i & 1) rank[i / 2] |= r << 16; else rank[i / 2] = r;
            __syncwarp();
        }
    }
    __syncthreads();
    uint32_t own = 0;
    if (tid < 256) {
#pragma unroll
        for (int v = 0; v < W; v++) { const uint32_t c = counts[v][tid]; counts[v][tid] = own; own += c; }
        *(volatile uint32_t *)state = own | (tile ? 1u << 30 : 2u << 30);
        total[tid] = own;
    }
    __syncthreads();
    if (w == 0) sums_of(total, lane);
    __syncthreads();
    if (MODE & 1) {
        for (int i = lane; i < 256; i += 32) counts[w][i] += total[i];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < I; i++) {
            const bool on = first + i * 32 < n;
            const unsigned digit = dig(key[i]);
            unsigned peers = match(digit, on);
            if (n < N) peers &= __ballot_sync(0xffffffffu, on);
            const int lead = __ffs(peers) - 1;
            uint32_t r = 0;
            if (lane == lead) { r = counts[w][digit]; counts[w][digit] = r + __popc(peers); if (MODE & 2) masks[w * 256 + digit] = 0; }
            r = __shfl_sync(0xffffffffu, r, lead & 31) + __popc(peers & before);
            if (on) keys[r] = key[i];
            __syncwarp();
        }
    } else {
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (first + i * 32 >= n) continue;
            const unsigned digit = dig(key[i]);
            keys[(rank[i / 2] >> (i & 1) * 16 & 65535) + counts[w][digit] + total[digit]] = key[i];
        }
    }
    if (tid < 256) {
        uint32_t less = 0;
        if (tile) { less = earlier_of(state_ + tid, tile); *(volatile uint32_t *)state = (less + own) | 2u << 30; }
        to[tid] = base[tid] + less - total[tid];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++) {
        const int r = tid + i * T;
        if (r >= n) break;
        const uint32_t k = keys[r];
        out[r + to[dig(k)]] = k;
    }
}
template<int T, int I, int MODE, int B>
static void sort_try(const uint32_t *x, uint32_t *a, uint32_t *b, uint32_t *state, const uint32_t *bases, uint32_t *ticket, int64_t n) {
    constexpr int N = T * I, W = T / 32;
    const int tiles = (int)((n + N - 1) / N), bytes = (N + W * 256 + 512 + (MODE & 2 ? W * 256 : 0)) * 4;
    OK(cudaFuncSetAttribute(sweep<T, I, MODE, B>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    cudaFuncAttributes fa; OK(cudaFuncGetAttributes(&fa, sweep<T, I, MODE, B>));
    int occ; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ, sweep<T, I, MODE, B>, T, bytes);
    float t = best([&] {
        cudaMemsetAsync(state, 0, (size_t)tiles * 256 * 4 * 4);
        cudaMemsetAsync(ticket, 0, 64);
        const uint32_t *from = x;
        for (int p = 0; p < 4; p++) {
            uint32_t *to = p & 1 ? b : a;
            sweep<T, I, MODE, B><<<tiles, T, bytes>>>(from, to, state + (size_t)p * tiles * 256, bases + p * 256, ticket + p, p * 8, n);
            from = to;
        }
    });
    OK(cudaGetLastError());
    std::vector<uint32_t> h(1 << 16);
    OK(cudaMemcpy(h.data(), b + n / 2, h.size() * 4, cudaMemcpyDeviceToHost));
    printf("sweep T%d I%d mode%d regs %d spill %zu blocks/SM %d: 4 passes %.4f ms %s\n", T, I, MODE, fa.numRegs, fa.localSizeBytes, occ, t,
           std::is_sorted(h.begin(), h.end()) ? "sorted" : "WRONG");
}
/* ---- take */
struct alignas(16) j4 { int64_t j[4]; };
template<int V> __global__ __launch_bounds__(256) void take(float *o, const float *x, const int64_t *ix, int64_t n, int64_t m, int mode) {
    const int64_t at = ((int64_t)blockIdx.x * 256 + threadIdx.x) * V;
    if (at >= n) return;
    int64_t j[V];
    float r[V];
#pragma unroll
    for (int k = 0; k < V / 2; k++) { longlong2 q = __ldcs((const longlong2 *)(ix + at) + k); j[2 * k] = q.x; j[2 * k + 1] = q.y; }
    uint64_t pol = 0;
    if (mode == 2) asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(pol));
    if (mode == 3) asm("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, 0.15;" : "=l"(pol));
#pragma unroll
    for (int k = 0; k < V; k++) {
        const float *p = x + ((uint64_t)j[k] < (uint64_t)m ? j[k] : 0);
        if (mode == 0) r[k] = *p;
        else if (mode == 1) asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(r[k]) : "l"(p));
        else asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(r[k]) : "l"(p), "l"(pol));
    }
#pragma unroll
    for (int k = 0; k < V / 4; k++) {
        float4 q = make_float4(r[4 * k], r[4 * k + 1], r[4 * k + 2], r[4 * k + 3]);
        if (mode) __stcs((float4 *)(o + at) + k, q); else ((float4 *)(o + at))[k] = q;
    }
}
__global__ void fill(uint32_t *k, int64_t *ix, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull; z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull; z = (z ^ z >> 27) * 0x94d049bb133111ebull; z ^= z >> 31;
    if (i < n) { k[i] = (uint32_t)z; ix[i] = (int64_t)(z >> 32) & (n - 1); }
}
__global__ void hist(const uint32_t *k, int64_t n, uint32_t *c) {
    __shared__ uint32_t s[1024];
    for (int i = threadIdx.x; i < 1024; i += 256) s[i] = 0;
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x; i < n; i += (int64_t)gridDim.x * 256)
        for (int b = 0; b < 4; b++) atomicAdd(&s[b * 256 + ((k[i] == 0x7fffffffu ? 0x80000000u : k[i]) >> 8 * b & 255)], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256) atomicAdd(&c[i], s[i]);
}
int main() {
    const int64_t n = 1 << 26;
    uint32_t *x, *a, *b, *state, *bases, *ticket;
    int64_t *ix;
    cudaEventCreate(&ea); cudaEventCreate(&eb);
    OK(cudaMalloc(&x, n * 4)); OK(cudaMalloc(&a, n * 4)); OK(cudaMalloc(&b, n * 4)); OK(cudaMalloc(&ix, n * 8));
    OK(cudaMalloc(&state, (n / 2048) * 4096)); OK(cudaMalloc(&bases, 4096)); OK(cudaMalloc(&ticket, 64));
    fill<<<n / 256, 256>>>(x, ix, n);
    cudaMemset(bases, 0, 4096);
    hist<<<1056, 256>>>(x, n, bases);
    std::vector<uint32_t> h(1024);
    OK(cudaMemcpy(h.data(), bases, 4096, cudaMemcpyDeviceToHost));
    for (int p = 0; p < 4; p++) { uint32_t s = 0; for (int i = 0; i < 256; i++) { uint32_t c = h[p * 256 + i]; h[p * 256 + i] = s; s += c; } }
    OK(cudaMemcpy(bases, h.data(), 4096, cudaMemcpyHostToDevice));
#define S(T, I, M, B) sort_try<T, I, M, B>(x, a, b, state, bases, ticket, n);
    S(384, 18, 0, 3) S(384, 18, 8, 3) S(384, 18, 1, 3) S(384, 18, 9, 3) S(384, 18, 9, 4) S(384, 21, 9, 3) S(384, 21, 9, 4)
    S(512, 16, 9, 3) S(256, 21, 9, 5) S(256, 24, 9, 5) S(384, 18, 3, 3) S(384, 18, 3, 4) S(384, 18, 5, 3) S(512, 21, 9, 2) S(384, 23, 1, 3)
    for (int g = 0; g < 3; g++) {
        size_t was = 0; cudaDeviceGetLimit(&was, cudaLimitMaxL2FetchGranularity);
        if (g) cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, g == 1 ? 32 : 128);
        size_t now = 0; cudaDeviceGetLimit(&now, cudaLimitMaxL2FetchGranularity);
        for (int mode = 0; mode < 4; mode++) {
            float t4 = best([&] { take<4><<<n / 1024, 256>>>((float *)a, (const float *)x, ix, n, n, mode); });
            float t8 = best([&] { take<8><<<n / 2048, 256>>>((float *)a, (const float *)x, ix, n, n, mode); });
            printf("take mode%d granularity %zu->%zu: 4 a thread %.4f, 8 %.4f\n", mode, was, now, t4, t8);
        }
    }
    return 0;
}
