/* A CUDA runtime whose kernels compute nothing, for `make dry`: what the host does
   around a launch (shapes, divisors, grids, shared memory, work areas) runs where
   there is no GPU, for a device of an H200's numbers. Memory is the host's and zero,
   copies copy, streams and events are names; a launch refuses an empty grid. Counts
   that a kernel would send to the host never come: calls that wait for one fail. */
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING(f, ...) cudaError_t f(__VA_ARGS__) { return cudaSuccess; }
#define MADE(f, type, ...) /* a handle to *made */ \
    cudaError_t f(type *made, ##__VA_ARGS__) { \
        *made = (type)malloc(16); \
        return cudaSuccess; \
    }
#define SET(f, type, value, ...) /* *to := value */ \
    cudaError_t f(__VA_ARGS__) { \
        *to = value; \
        return cudaSuccess; \
    }
enum { THREADS = 1024, PROCESSORS = 132, SHARED = 232448, CACHE = 50 << 20 };
static const size_t memory = (size_t)139 << 30;
static _Thread_local int current;

/* devices */
SET(cudaGetDeviceCount, int, 1, int *to)
SET(cudaGetDevice, int, current, int *to)
SET(cudaRuntimeGetVersion, int, 13000, int *to)
SET(cudaDriverGetVersion, int, 13000, int *to)
SET(cudaDeviceCanAccessPeer, int, 0, int *to, int a, int b)
NOTHING(cudaDeviceSynchronize, void)
NOTHING(cudaDeviceGraphMemTrim, int d)
NOTHING(cudaGetLastError, void)
cudaError_t cudaSetDevice(int d) {
    current = d;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char *to, int n, int d) {
    strncpy(to, "0000:00:00.0", (size_t)n);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *to, enum cudaDeviceAttr a, int d) {
    switch ((int)a) {
    case cudaDevAttrMaxThreadsPerBlock: *to = THREADS; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *to = 2 * THREADS; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *to = 48 << 10; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *to = SHARED; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *to = SHARED + 1024; break;
    case cudaDevAttrMultiProcessorCount: *to = PROCESSORS; break;
    case cudaDevAttrComputeCapabilityMajor: *to = 9; break;
    case cudaDevAttrL2CacheSize: *to = CACHE; break;
    case cudaDevAttrWarpSize: *to = 32; break;
    case cudaDevAttrMemoryPoolsSupported: case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCooperativeLaunch: *to = 1; break;
    default: *to = 0;
    }
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *to, int d) {
    memset(to, 0, sizeof *to);
    strcpy(to->name, "nothing");
    to->major = 9;
    to->warpSize = 32;
    to->multiProcessorCount = PROCESSORS;
    to->totalGlobalMem = memory;
    to->maxThreadsPerBlock = THREADS;
    to->maxThreadsPerMultiProcessor = 2 * THREADS;
    to->regsPerMultiprocessor = 65536;
    to->sharedMemPerBlock = 48 << 10;
    to->sharedMemPerBlockOptin = SHARED;
    to->sharedMemPerMultiprocessor = SHARED + 1024;
    to->l2CacheSize = CACHE;
    to->memoryPoolsSupported = to->unifiedAddressing = 1;
    return cudaSuccess;
}
const char *cudaGetErrorString(cudaError_t e) { return "nothing was computed"; }
const char *cudaGetErrorName(cudaError_t e) { return "cudaError"; }

/* memory */
static cudaError_t get(void **to, size_t n) {
    *to = n >> 33 ? NULL : aligned_alloc(512, (n + 1023) / 512 * 512);
    if (!*to) return cudaErrorMemoryAllocation;
    memset(*to, 0, n);
    return cudaSuccess;
}
static cudaError_t drop(void *p) {
    free(p);
    return cudaSuccess;
}
cudaError_t cudaMalloc(void **to, size_t n) { return get(to, n); }
cudaError_t cudaMallocAsync(void **to, size_t n, cudaStream_t s) { return get(to, n); }
cudaError_t cudaMallocFromPoolAsync(void **to, size_t n, cudaMemPool_t p, cudaStream_t s) {
    return get(to, n);
}
cudaError_t cudaHostAlloc(void **to, size_t n, unsigned f) { return get(to, n); }
cudaError_t cudaFree(void *p) { return drop(p); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t s) { return drop(p); }
cudaError_t cudaFreeHost(void *p) { return drop(p); }
NOTHING(cudaHostRegister, void *p, size_t n, unsigned f)
NOTHING(cudaHostUnregister, void *p)
MADE(cudaMemPoolCreate, cudaMemPool_t, const struct cudaMemPoolProps *p)
NOTHING(cudaMemPoolDestroy, cudaMemPool_t p)
NOTHING(cudaMemPoolTrimTo, cudaMemPool_t p, size_t n)
NOTHING(cudaMemPoolSetAttribute, cudaMemPool_t p, enum cudaMemPoolAttr a, void *v)
NOTHING(cudaMemPoolSetAccess, cudaMemPool_t p, const struct cudaMemAccessDesc *d, size_t n)
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a, void *v) {
    memset(v, 0, sizeof(uint64_t));
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *left, size_t *all) {
    *left = *all = memory;
    return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *to, const void *p) {
    memset(to, 0, sizeof *to);
    to->type = cudaMemoryTypeDevice;
    to->devicePointer = (void *)p;
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *to, int v, size_t n, cudaStream_t s) {
    memset(to, v, n);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind k, cudaStream_t s) {
    memmove(to, from, n);
    return cudaSuccess;
}
cudaError_t cudaMemcpyPeerAsync(void *to, int a, const void *from, int b, size_t n, cudaStream_t s) {
    memmove(to, from, n);
    return cudaSuccess;
}
cudaError_t cudaGetSymbolAddress(void **to, const void *symbol) {
    static char room[1 << 20];
    *to = room;
    return cudaSuccess;
}

/* streams, events, graphs */
MADE(cudaStreamCreateWithFlags, cudaStream_t, unsigned f)
MADE(cudaStreamCreateWithPriority, cudaStream_t, unsigned f, int p)
NOTHING(cudaStreamDestroy, cudaStream_t s)
NOTHING(cudaStreamSynchronize, cudaStream_t s)
NOTHING(cudaStreamQuery, cudaStream_t s)
NOTHING(cudaStreamWaitEvent, cudaStream_t s, cudaEvent_t e, unsigned f)
NOTHING(cudaStreamBeginCapture, cudaStream_t s, enum cudaStreamCaptureMode m)
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *made) {
    *made = (cudaGraph_t)malloc(16);
    return cudaSuccess;
}
SET(cudaStreamIsCapturing, int, cudaStreamCaptureStatusNone, cudaStream_t s, enum cudaStreamCaptureStatus *to)
NOTHING(cudaThreadExchangeStreamCaptureMode, enum cudaStreamCaptureMode *m)
MADE(cudaEventCreate, cudaEvent_t)
MADE(cudaEventCreateWithFlags, cudaEvent_t, unsigned f)
NOTHING(cudaEventRecord, cudaEvent_t e, cudaStream_t s)
NOTHING(cudaEventRecordWithFlags, cudaEvent_t e, cudaStream_t s, unsigned f)
NOTHING(cudaEventQuery, cudaEvent_t e)
NOTHING(cudaEventSynchronize, cudaEvent_t e)
NOTHING(cudaEventDestroy, cudaEvent_t e)
SET(cudaEventElapsedTime, float, .01f, float *to, cudaEvent_t a, cudaEvent_t b)
MADE(cudaGraphInstantiate, cudaGraphExec_t, cudaGraph_t g, unsigned long long f)
NOTHING(cudaGraphLaunch, cudaGraphExec_t g, cudaStream_t s)
NOTHING(cudaGraphExecDestroy, cudaGraphExec_t g)
NOTHING(cudaGraphDestroy, cudaGraph_t g)
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *with) {
    f(with);
    return cudaSuccess;
}

/* kernels */
void **__cudaRegisterFatBinary(void *image) {
    static void *handle;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void **handle) {}
void __cudaUnregisterFatBinary(void **handle) {}
void __cudaRegisterFunction() {}
void __cudaRegisterVar() {}
int __cudaPushCallConfiguration() { return 0; }
int __cudaPopCallConfiguration() { return 0; }
NOTHING(__cudaLaunchKernel)
SET(__cudaGetKernel, void *, (void *)f, void **to, const void *f)
static cudaError_t launched(dim3 grid, dim3 block) {
    return grid.x && grid.y && grid.z && block.x ? cudaSuccess : cudaErrorInvalidConfiguration;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *f, void **args) {
    return launched(c->gridDim, c->blockDim);
}
cudaError_t cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s) {
    return launched(grid, block);
}
SET(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int, 2, int *to, const void *f, int threads,
    size_t shared, unsigned flags)
NOTHING(cudaFuncSetAttribute, const void *f, enum cudaFuncAttribute a, int v)
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *to, const void *f) {
    memset(to, 0, sizeof *to);
    to->maxThreadsPerBlock = THREADS;
    to->numRegs = 64;
    to->binaryVersion = to->ptxVersion = 90;
    return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **to, unsigned v, unsigned long long f,
                                             enum cudaDriverEntryPointQueryResult *how) {
    *to = NULL;
    return cudaErrorInvalidValue;
}
