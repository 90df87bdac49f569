/* What a program with GPUARR_DEBUG and kernels from a string asks of a library
   that was compiled without the one and holds the other.                   */
#include "gpuarr.h"
#include "ext/gpuarr_rtc.h"

int main(void) {
    ga_array *x = ga_ones(GA_SHAPE(2, 3), GA_FLOAT32);
    ga_free(x);
    ga_free(x);
    if (ga_error() != GA_ERR_FREED) return 1;
    ga_clear_error();
    return ga_kernel_compile("", "none", NULL) || !ga_error();
}
