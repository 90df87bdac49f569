// 13_diffusion.cu - the kernel of 13_diffusion.c: several steps of diffusion in
// one launch.
//
// A step reads and writes the whole field, which takes far longer than its few
// additions. So a block loads a part of the field with a margin of HALO cells
// around it, does up to HALO steps on it without going back to memory, and
// stores the inner part: with each step the cells at the rim, whose neighbours
// are missing, go wrong one cell further in, and after HALO steps the margin is
// used up. Blocks do the margins' work twice for that.
#include "gpuarr.h"
#include "own_kernels.h"

enum {
    HALO = 8,
    SIDE = 64,                      // of the square that a block holds
    EACH = 8,                       // rows of it that a thread holds
    INNER = SIDE - 2 * HALO         // what is left of it at the end
};

// A thread holds EACH cells of a column in registers, where it finds their
// neighbours above and below; those to the sides are in shared memory, which
// has two copies, of this step and of the next: one barrier a step.
__global__ void __launch_bounds__(SIDE *SIDE / EACH)
steps_in_one(ga_span<const float, 2> u, ga_span<float, 2> v, float k,
             int steps) {
    __shared__ float cell[2][SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y * EACH;
    int left = max(x - 1, 0), right = min(x + 1, SIDE - 1);
    int above = max(y - 1, 0), below = min(y + EACH, SIDE - 1);
    int64_t i = (int64_t)blockIdx.y * INNER + y - HALO;
    int64_t j = (int64_t)blockIdx.x * INNER + x - HALO;
    float c[EACH], rate[EACH];      // beyond the field all stays 0
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        bool inside = u.has(i + r, j);
        rate[r] = inside ? k : 0;
        cell[0][y + r][x] = c[r] = inside ? u(i + r, j) : 0;
    }
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        float (*now)[SIDE] = cell[s & 1], (*next)[SIDE] = cell[~s & 1];
        float up = now[above][x], last = now[below][x];
#pragma unroll
        for (int r = 0; r < EACH; r++) {
            float down = r + 1 < EACH ? c[r + 1] : last, old = c[r];
            float laplacian = 4 * old - up - down - now[y + r][left]
                              - now[y + r][right];
            next[y + r][x] = c[r] = old - rate[r] * laplacian;
            up = old;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < EACH; r++)
        if (x >= HALO && x < SIDE - HALO && y + r >= HALO
            && y + r < SIDE - HALO && v.has(i + r, j))
            v(i + r, j) = c[r];
}

extern "C" ga_status diffuse(ga_array *u, ga_array *v, float k, int steps) {
    if (!u || !v) return ga_error();
    ga_grid g = {{(u->shape[1] + INNER - 1) / INNER,
                  (u->shape[0] + INNER - 1) / INNER, 1},
                 {SIDE, SIDE / EACH, 1}, 0};
    // An even number of launches brings the result back to u.
    int launches = (steps + 2 * HALO - 1) / (2 * HALO) * 2, done = 0;
    ga_status st = GA_OK;
    for (int l = 1; l <= launches && !st; l++) {
        int now = (int)((int64_t)steps * l / launches) - done;
        st = l & 1 ? GA_LAUNCH(steps_in_one, g, u, v, k, now)
                   : GA_LAUNCH(steps_in_one, g, v, u, k, now);
        done += now;
    }
    return st;
}
