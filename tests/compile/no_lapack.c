/* Without GPUARR_USE_LAPACK: on the CPU products work, solving says why not. */
#undef GPUARR_USE_LAPACK
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

int main(void) {
    GA_SCOPE;
    GA_DEVICE(GA_CPU);
    ga_array *x = ga_mul(ga_eye(3, 3, 0, GA_FLOAT64), 2);
    if (ga_item(ga_sum(ga_matmul(x, x), GA_ALL)) != 12) return 1;
    return !ga_solve(x, x) && ga_error() == GA_ERR_LIBRARY ? 0 : 1;
}
