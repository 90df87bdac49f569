/* Times of transforms beside the bytes they move at the copy rate. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <cuda_runtime.h>
static double best(ga_array *y, const ga_array *x, int axis, int kind, int64_t n) {
    cudaEvent_t a, b;
    double least = 1e9;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int i = 0; i < 4; i++) {
        float ms = 0;
        cudaEventRecord(a, 0);
        for (int k = 0; k < 4; k++)
            if (kind == 3) ga_fft2_into(y, x, GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD);
            else if (kind == 1) ga_rfft_into(y, x, 0, axis, GA_BACKWARD);
            else if (kind == 2) ga_irfft_into(y, x, n, axis, GA_BACKWARD);
            else ga_fft_into(y, x, 0, axis, GA_BACKWARD);
        cudaEventRecord(b, 0);
        cudaEventSynchronize(b);
        cudaEventElapsedTime(&ms, a, b);
        if (i && ms / 4 < least) least = ms / 4;
    }
    return least;
}
int main(int argc, char **argv) {
    static const int lengths[] = {16, 60, 100, 128, 243, 256, 500, 512, 1000, 1021, 1024, 1200, 1500,
        1536, 2000, 2048, 2187, 2401, 3000, 3125, 4000, 4093, 4096, 5000, 8192, 10000};
    const char *which = argc > 1 ? argv[1] : "z";
    ga_on_error(GA_EXIT);
    for (const char *w = which; *w; w++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            GA_SCOPE;
            const int64_t n = lengths[i], wide = *w == 'Z' || *w == 'C';
            const int64_t m = (wide ? 1 << 23 : 1 << 24) / n;
            if (*w != 'z' && n != 1000 && n != 1024 && n != 2000 && n != 2048 && n != 3000
                && n != 4096 && n != 243 && n != 100 && n != 1500 && n != 128) continue;
            const ga_dtype z = wide ? GA_COMPLEX128 : GA_COMPLEX64;
            ga_array *x, *y;
            double ms, floor_ms = (double)m * n * (wide ? 32 : 16) / 4.2e9;
            switch (*w) {
            case 'z': case 'Z':
                x = ga_ones(GA_SHAPE(m, n), z), y = ga_zeros_like(x);
                ms = best(y, x, 1, 0, n);
                break;
            case 'c': case 'C':
                x = ga_ones(GA_SHAPE(n, m), z), y = ga_zeros_like(x);
                ms = best(y, x, 0, 0, n);
                break;
            case 'm':
                x = ga_ones(GA_SHAPE(16, n, m / 16), z), y = ga_zeros_like(x);
                ms = best(y, x, 1, 0, n);
                break;
            case 'r':
                x = ga_ones(GA_SHAPE(m, n), GA_FLOAT32), y = ga_zeros(GA_SHAPE(m, n / 2 + 1), z);
                ms = best(y, x, 1, 1, n), floor_ms /= 2;
                break;
            case 'R':
                x = ga_ones(GA_SHAPE(n, m), GA_FLOAT32), y = ga_zeros(GA_SHAPE(n / 2 + 1, m), z);
                ms = best(y, x, 0, 1, n), floor_ms /= 2;
                break;
            case 'h':
                x = ga_ones(GA_SHAPE(m, n), GA_FLOAT16), y = ga_zeros(GA_SHAPE(m, n / 2 + 1), z);
                ms = best(y, x, 1, 1, n), floor_ms *= 0.375;
                break;
            case 'i':
                x = ga_ones(GA_SHAPE(m, n / 2 + 1), z), y = ga_zeros(GA_SHAPE(m, n), GA_FLOAT32);
                ms = best(y, x, 1, 2, n), floor_ms /= 2;
                break;
            default: return 1;
            }
            printf("%c%lld %.4f %.2f\n", *w, (long long)n, ms, floor_ms / ms);
        }
    static const int squares[] = {512, 1000, 2000, 2048, 4000, 8192};
    for (int i = 0; i < 6 && strchr(which, 'z'); i++) {
        GA_SCOPE;
        const int64_t n = squares[i];
        ga_array *x = ga_ones(GA_SHAPE(n, n), GA_COMPLEX64), *y = ga_zeros_like(x);
        double ms = best(y, x, 1, 3, n);
        printf("q%lld %.4f %.2f\n", (long long)n, ms, (double)n * n * 16 / 4.2e9 / ms);
    }
    return 0;
}
