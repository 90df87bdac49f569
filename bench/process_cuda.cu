// The bare CUDA program that process.c is timed beside.
#include <cstdio>
#include <cuda_runtime.h>

static __global__ void fill(float *x, float v) { x[blockIdx.x * blockDim.x + threadIdx.x] = v; }
static __global__ void add(const float *x, const float *y, float *z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i] + y[i];
}

int main() {
    const int n = 1 << 20;
    float *x, *y, *z, v = 0;
    if (cudaMalloc(&x, n * 4) || cudaMalloc(&y, n * 4) || cudaMalloc(&z, n * 4)) return 1;
    fill<<<n / 256, 256>>>(x, 1);
    fill<<<n / 256, 256>>>(y, 2);
    add<<<n / 256, 256>>>(x, y, z);
    if (cudaMemcpy(&v, z + 12345, 4, cudaMemcpyDeviceToHost)) return 1;
    printf("%g\n", v);
    cudaFree(x);
    cudaFree(y);
    cudaFree(z);
    return v == 3 ? 0 : 1;
}
