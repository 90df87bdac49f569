/* gpuarr_rtc.h in the C file that implements, and every macro of it. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "ext/gpuarr_rtc.h"

ga_status every_form(ga_array *x, const ga_array *y, ga_kernel *k, ga_ufunc *f);
ga_status every_form(ga_array *x, const ga_array *y, ga_kernel *k,
                     ga_ufunc *f) {
    GA_SCOPE;
    struct { int a; double b; } s = {1, 2};
    ga_float16 h = {0};
    ga_complex64 z = 1;
    unsigned long n = 4;
    ga_launch(k, 1, 32, 0);
    ga_launch(k, n, ga_dim2(8, 8), n * sizeof(float), x, y, ga_in(x), NULL);
    ga_launch(k, ga_dim3(1, 2, 3), ga_dim(8), 0, x, 1, 2u, 3L, 4.0f, 5.0, 'c', h,
              z, (bool)true, (short)1, (void *)0, ga_bytes(&s, sizeof s));
    ga_launch(k, 1, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
              17, 18, 19, 20, 21, 22, 23, 24);
    ga_array *r = ga_kernel_call(f, x, y, 2.5, 3);
    r = ga_kernel_reduce(f, GA_AXIS(0, 1), r, y);
    ga_kernel_reduce_into(f, x, GA_ALL, r);
    return ga_kernel_into(f, x, y, 1, r);
}
