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
static void sums(void) {
    static const ga_dtype types[] = {GA_INT8, GA_FLOAT16, GA_FLOAT32, GA_FLOAT64};
    static const char *const views[] = {":, :", "::2, ::2", ":, 1::2", ":, ::3", "::-1, ::-1"};
    for (int i = 0; i < 4 * 6; i++) {
        GA_SCOPE;
        const ga_dtype t = types[i / 6];
        const int v = i % 6;
        ga_array *x = v ? ga_ones(GA_SHAPE(8192, 8192), t) : ga_ones(GA_SHAPE(3, 10000000), t), *y;
        if (v) x = ga_slice(x, views[v - 1]);
        y = v ? ga_sum(x, GA_AXIS(1)) : ga_sum(x, GA_AXIS(0));
        cudaEvent_t a, b;
        float ms, least = 1e9f;
        cudaEventCreate(&a);
        cudaEventCreate(&b);
        for (int k = 0; k < 5; k++) {
            cudaEventRecord(a, 0);
            for (int j = 0; j < 4; j++) {
                if (v) ga_sum_into(y, x, GA_AXIS(1));
                else ga_sum_into(y, x, GA_AXIS(0));
            }
            cudaEventRecord(b, 0);
            cudaEventSynchronize(b);
            cudaEventElapsedTime(&ms, a, b);
            if (k && ms / 4 < least) least = ms / 4;
        }
        const double bytes = (double)(v == 2 ? 8192 * 4096 : v ? 8192 * 8192 : 30000000) * ga_dtype_size(t)
                             + (double)y->size * ga_dtype_size(y->dtype);
        printf("sum %s %s: %.4f ms, %.2f of the read rate\n", ga_dtype_name(t), v ? views[v - 1] : "(3, 10^7) axis 0",
               least, bytes / 4.4e9 / least);
    }
}
int main(int argc, char **argv) {
    static const int lengths[] = {60, 100, 128, 243, 1000, 1024, 1500, 1536, 2000, 2048, 3000, 3125,
        4096, 5000, 8192};
    const char *which = argc > 1 ? argv[1] : "z";
    ga_on_error(GA_EXIT);
    if (*which == 's') { sums(); return 0; }
    for (const char *w = which; *w; w++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            GA_SCOPE;
            const int64_t n = lengths[i], wide = *w == 'Z' || *w == 'C';
            const int64_t m = (wide ? 1 << 24 : 1 << 25) / n;
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
