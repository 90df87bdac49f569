// 12_integration.cu - the kernel of 12_integration.c: sums of sin(x + y) along
// rows, a block for a few rows, its threads' sums joined in shared memory.
#include "gpuarr.h"
#include "own_kernels.h"

enum { THREADS = 256, ROWS = 8 };

// T: what is computed in; the sums are stored as float32 either way. A y is
// made once for ROWS values of x. Each thread adds n / THREADS numbers, the
// block then THREADS of these by halves: rounding stays small in float32 too,
// and the order is fixed, so a result repeats.
template <class T> __global__ void row_sums(ga_span<float> rows) {
    __shared__ T part[ROWS][THREADS];
    int n = (int)rows.size, me = threadIdx.x;
    T h = (T)3.14159265358979323846 / n, x[ROWS], sum[ROWS] = {};
    for (int r = 0; r < ROWS; r++)
        x[r] = h * ((T)(blockIdx.x * ROWS + r) + (T)0.5);
    for (int j = me; j < n; j += THREADS) {
        T y = h * ((T)j + (T)0.5);
#pragma unroll
        for (int r = 0; r < ROWS; r++) sum[r] += sin(x[r] + y);
    }
    for (int r = 0; r < ROWS; r++) part[r][me] = sum[r];
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (me < half)
            for (int r = 0; r < ROWS; r++) part[r][me] += part[r][me + half];
    }
    int64_t i = (int64_t)blockIdx.x * ROWS + me;
    if (me < ROWS && rows.has(i)) rows(i) = (float)part[me][0];
}

extern "C" ga_status integrate_rows(ga_array *rows, bool exact) {
    if (!rows) return ga_error();
    ga_grid g = ga_grid_of((unsigned)((rows->size + ROWS - 1) / ROWS), THREADS);
    return exact ? GA_LAUNCH(row_sums<double>, g, rows)
                 : GA_LAUNCH(row_sums<float>, g, rows);
}
