/* error: no lengths; rank 0 is GA_SCALAR_SHAPE */
#include "gpuarr.h"
ga_array *f(void);
ga_array *f(void) { return ga_zeros(GA_SHAPE(), GA_INT8); }
