// What the card allows, measured with plain CUDA in the same process as the
// cases: the limits beside which bench.c prints its times. One function for
// each, extern "C", best of several runs, in milliseconds.
#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>

static double now_ms() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// Milliseconds of f() on the null stream by events: the best of `runs`, each of
// `inner` calls; queued without a pause, so that launches do not count.
template <class F> static double events(int runs, int inner, F f) {
    cudaEvent_t *e = (cudaEvent_t *)malloc((runs + 1) * sizeof *e);
    for (int i = 0; i <= runs; i++) cudaEventCreate(&e[i]);
    f();
    f();
    cudaEventRecord(e[0]);
    for (int i = 0; i < runs; i++) {
        for (int k = 0; k < inner; k++) f();
        cudaEventRecord(e[i + 1]);
    }
    cudaDeviceSynchronize();
    float best = 1e30f;
    for (int i = 0; i < runs; i++) {
        float ms;
        cudaEventElapsedTime(&ms, e[i], e[i + 1]);
        if (ms < best) best = ms;
    }
    for (int i = 0; i <= runs; i++) cudaEventDestroy(e[i]);
    free(e);
    return best / inner;
}

template <class F> static double wall(int runs, F f) {
    f();
    double best = 1e30;
    for (int i = 0; i < runs; i++) {
        double t = now_ms();
        f();
        t = now_ms() - t;
        if (t < best) best = t;
    }
    return best;
}

static __global__ void k_copy(const float4 *a, float4 *b) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i];
}
// As many arguments as a small library launch has: three pointers and a size.
static __global__ void k_nothing(void *, const void *, const void *, int64_t) {}
static __global__ void k_value(const float *x, volatile float *slot, volatile unsigned *flag,
                               unsigned ticket) {
    *slot = *x;
    __threadfence_system();
    *flag = ticket;
}

// The context: what every CUDA program pays once. First call of the process.
extern "C" double limit_context_ms(void) {
    double t = now_ms();
    cudaSetDevice(0);
    cudaFree(0);
    return now_ms() - t;
}

// Bytes a millisecond, counting what is read and what is written.
extern "C" double limit_copy_rate(int64_t bytes) {
    void *a, *b;
    if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes)) return 0;
    cudaMemset(a, 1, bytes);
    double ms = events(20, 1, [&] { cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice); });
    double kernel = events(20, 1, [&] {
        k_copy<<<(unsigned)(bytes / 16 / 256), 256>>>((const float4 *)a, (float4 *)b);
    });
    if (kernel < ms) ms = kernel;
    cudaFree(a);
    cudaFree(b);
    return 2.0 * bytes / ms;
}

extern "C" double limit_fill_rate(int64_t bytes) {
    void *a;
    if (cudaMalloc(&a, bytes)) return 0;
    double ms = events(20, 1, [&] { cudaMemsetAsync(a, 0, bytes); });
    cudaFree(a);
    return bytes / ms;
}

// CUB's sum of floats: as fast as memory is read.
extern "C" double limit_read_rate(int64_t bytes) {
    float *a, *out;
    void *work = nullptr;
    size_t n = 0;
    int64_t count = bytes / 4;
    if (cudaMalloc(&a, bytes) || cudaMalloc(&out, 4)) return 0;
    cudaMemset(a, 0, bytes);
    cub::DeviceReduce::Sum(work, n, a, out, count);
    if (cudaMalloc(&work, n)) return 0;
    double ms = events(20, 1, [&] { cub::DeviceReduce::Sum(work, n, a, out, count); });
    cudaFree(work);
    cudaFree(out);
    cudaFree(a);
    return bytes / ms;
}

// A bare kernel, launches queued one after the other.
extern "C" double limit_launch_ms(void) {
    return events(50, 1000, [] { k_nothing<<<8, 128>>>(nullptr, nullptr, nullptr, 0); });
}

// A launch, and one value in the host's hands: through mapped memory.
extern "C" double limit_value_ms(void) {
    float *x;
    char *page, *mapped;
    unsigned ticket = 0;
    if (cudaMalloc(&x, 4) || cudaHostAlloc((void **)&page, 64, cudaHostAllocMapped)) return 0;
    if (cudaHostGetDevicePointer((void **)&mapped, page, 0)) return 0;
    memset(page, 0, 64);
    volatile unsigned *flag = (volatile unsigned *)(page + 32);
    double ms = wall(50, [&] {
        for (int i = 0; i < 100; i++) {
            k_value<<<1, 1>>>(x, (float *)mapped, (unsigned *)(mapped + 32), ++ticket);
            while (*flag != ticket) {}
        }
    });
    cudaFreeHost(page);
    cudaFree(x);
    return ms / 100;
}

// A plain cudaMemcpy of pageable (pinned = 0) or pinned host memory.
extern "C" double limit_transfer_ms(int64_t bytes, int up, int pinned) {
    void *d, *h;
    if (cudaMalloc(&d, bytes)) return 0;
    if (pinned) {
        if (cudaMallocHost(&h, bytes)) return 0;
    } else {
        h = malloc(bytes);
    }
    memset(h, 1, bytes);
    cudaMemset(d, 1, bytes);
    double ms = wall(7, [&] {
        if (up) cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
        else cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
        cudaDeviceSynchronize();
    });
    if (pinned) cudaFreeHost(h);
    else free(h);
    cudaFree(d);
    return ms;
}

// The fused expressions by hand, four floats a thread.
static __global__ void k_sincos(const float4 *x, float4 *o) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    auto one = [](float a) {
        float s, c;
        sincosf(a, &s, &c);
        return c * c + s * s;
    };
    o[i] = make_float4(one(v.x), one(v.y), one(v.z), one(v.w));
}
static __global__ void k_axpy(float a, const float4 *x, const float4 *y, float4 *o) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float4 u = x[i], v = y[i];
    o[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
}
static double by_hand(int64_t n, bool axpy) {
    float4 *x, *y, *o;
    int64_t bytes = n * 4;
    unsigned blocks = (unsigned)(n / 4 / 256);
    if (cudaMalloc(&x, bytes) || cudaMalloc(&y, bytes) || cudaMalloc(&o, bytes)) return 0;
    cudaMemset(x, 0x3f, bytes);
    cudaMemset(y, 0x3f, bytes);
    double ms = events(20, 1, [&] {
        if (axpy) k_axpy<<<blocks, 256>>>(2.5f, x, y, o);
        else k_sincos<<<blocks, 256>>>(x, o);
    });
    cudaFree(x);
    cudaFree(y);
    cudaFree(o);
    return ms;
}
extern "C" double limit_sincos_ms(int64_t n) { return by_hand(n, false); }
extern "C" double limit_axpy_ms(int64_t n) { return by_hand(n, true); }
