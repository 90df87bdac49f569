/* error: expected expression */
#include "gpuarr.h"
ga_array *f(void);
ga_array *f(void) { return ga_zeros(GA_SHAPE(), GA_INT8); }
