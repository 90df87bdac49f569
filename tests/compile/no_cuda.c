/* The CPU alone: no header of CUDA's is needed. */
#ifndef GPUARR_NO_CUDA
#define GPUARR_NO_CUDA
#endif
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#ifdef CUDART_VERSION
#error "a CUDA header was included"
#endif

int main(void) {
    GA_SCOPE;
    ga_array *x = ga_linspace(0, 1, 5);
    return ga_device_count() == 0 && ga_item(ga_mean(x, GA_ALL)) == 0.5 ? 0 : 1;
}
