/* GPUARR_DEBUG in the file of the implementation. */
#define GPUARR_DEBUG
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

int main(void) {
    ga_array *x = ga_add(ga_arange(0, 5, 1), 1);
    int64_t n = ga_list_arrays(stdout);
    ga_free(x);
    return n == 2 && !ga_add(x, 1) && ga_error() == GA_ERR_FREED ? 0 : 1;
}
