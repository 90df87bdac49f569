/* A program of four files: two in C, one in C++, the library in this one or,
   compiled with -DLIBRARY, in libgpuarr. No symbol may be there twice.      */
#ifndef LIBRARY
#define GPUARR_IMPLEMENTATION
#endif
#include "gpuarr.h"

int macros_in_c(void);
int macros_in_cpp(void);
int plain(void);

int main(void) {
    int bad = 0;
    bad += macros_in_c();
    bad += plain();
#ifndef C_ALONE
    bad += macros_in_cpp();
#endif
    if (ga_live_arrays()) printf("%d arrays left\n", (int)ga_live_arrays());
    return bad || ga_error() || ga_live_arrays() ? 1 : 0;
}
