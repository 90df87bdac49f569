/* A whole program that only adds arrays, to be timed from start to exit beside
   process_cuda.cu, which does the same in bare CUDA.                        */
#include "gpuarr.h"

int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_array *x = ga_full(GA_SHAPE(1 << 20), 1, GA_FLOAT32);
    ga_array *y = ga_full(GA_SHAPE(1 << 20), 2, GA_FLOAT32);
    double v = ga_item_at(ga_add(x, y), GA_INDEX(12345));
    printf("%g\n", v);
    return v == 3 ? 0 : 1;
}
