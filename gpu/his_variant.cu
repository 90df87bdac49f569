/* one variant of the kernels, timed by events: included with GK_PART */
#define GK_PART
#define GK_PART_histogram_cuda 1
#define gk_cuda_edges gv_edges
#define gk_cuda_hist gv_hist
#define gk_cuda_interp gv_interp
#define gk_cuda_hist_work gv_work
#include VARIANT
#include <stdio.h>
__global__ void fill(float *x, int64_t n, int how) {
    for (int64_t i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll) {
        uint64_t h = (uint64_t)i * 0x9e3779b97f4a7c15ull; h ^= h >> 29; h *= 0xbf58476d1ce4e5b9ull; h ^= h >> 32;
        float u = (float)(h >> 40) / 16777216.f;
        x[i] = how == 0 ? u : how == 1 ? 0.3f : how == 2 ? (float)(h >> 61) / 8 : (u < .9f ? .5f : u);
    }
}
int main() {
    const int64_t n = 1 << 28;
    float *x; double *e; void *out, *work;
    cudaMalloc(&x, n * 4); cudaMalloc(&e, 8 * 1100000); cudaMalloc(&out, 8 * 1100000); cudaMalloc(&work, 64 << 20);
    cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);
    int bins[] = {10, 256, 1000, 2048, 4096, 20000, 57000, 100000, 1000000};
    int mps; cudaDeviceGetAttribute(&mps, cudaDevAttrMultiProcessorCount, 0);
    printf("%-22s", NAME); for (int k = 0; k < 9; k++) printf("%9d", bins[k]); printf("  w256 edges256\n");
    for (int how = 0; how < (NAME[8] == 'a' ? 4 : 2); how++) {
        fill<<<2000, 256>>>(x, n, how);
        printf("%-22s", how == 0 ? "uniform" : how == 1 ? "constant" : how == 2 ? "8 values" : "90% one");
        for (int k = 0; k < 11; k++) {
            ga__edges q; memset(&q, 0, sizeof q);
            int nb = k < 9 ? bins[k] : 256;
            q.t = GA_FLOAT32; q.work = GA_FLOAT64; q.bins = nb; q.hi = 1; q.table = e;
            gv_edges(&q, 0, mps);
            ga__hist h; memset(&h, 0, sizeof h);
            h.t = GA_FLOAT32; h.n = n; h.bins = nb; h.x_step = h.w_step = h.out_step = 1; h.x = x; h.edges = e; h.uniform = k != 10; h.out = out;
            h.use.work = work;
            if (k == 9) h.w = x, h.wt = GA_FLOAT32;
            float best = 1e9;
            for (int r = 0; r < 3; r++) {
                cudaEventRecord(a); int err = gv_hist(&h, 0, mps); cudaEventRecord(b); cudaEventSynchronize(b);
                float ms; cudaEventElapsedTime(&ms, a, b); if (ms < best) best = ms;
                if (ms > 4) r = 9;
                if (err) { printf(" err %d", err); break; }
            }
            printf("%9.4f", best); fflush(stdout);
        }
        printf("\n");
    }
}
