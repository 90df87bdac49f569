// 11_tiled_product.cu - the kernel of 11_tiled_product.c: a product of matrices
// by tiles in shared memory, its columns summed on the way out.
#include "gpuarr.h"
#include "own_kernels.h"

enum { TILE = 16 };

// A block makes a TILE by TILE part of the product, a thread one element of
// it. All its threads together bring a tile of a and one of b to shared
// memory, so that each element is read from far away TILE times less often.
__global__ void product_sums(ga_span<const float, 2> a,
                             ga_span<const float, 2> b, ga_span<float> out) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int64_t i = ga_thread_y(), j = ga_thread_x();
    int ty = threadIdx.y, tx = threadIdx.x;
    float c = 0;
    for (int64_t k = 0; k < a.shape[1]; k += TILE) {
        ta[ty][tx] = a.has(i, k + tx) ? a(i, k + tx) : 0;
        tb[ty][tx] = b.has(k + ty, j) ? b(k + ty, j) : 0;
        __syncthreads();                    // both tiles are there
        for (int t = 0; t < TILE; t++) c += ta[ty][t] * tb[t][tx];
        __syncthreads();                    // and may be written again
    }
    // The tile's columns, by halves; then one addition to memory for each.
    ta[ty][tx] = c;
    for (int half = TILE / 2; half; half /= 2) {
        __syncthreads();
        if (ty < half) ta[ty][tx] += ta[ty + half][tx];
    }
    if (ty == 0 && out.has(j)) atomicAdd(&out(j), ta[0][tx]);
}

extern "C" ga_status tiled_product_sums(const ga_array *a, const ga_array *b,
                                        ga_array *out) {
    if (!a || !b || ga_assign(out, 0)) return ga_error();
    return GA_LAUNCH(product_sums, ga_grid_2d(a->shape[0], b->shape[1], TILE,
                                              TILE), a, b, out);
}
