/* error: format */
#include "gpuarr.h"
ga_array *f(ga_array *x, int64_t i);
ga_array *f(ga_array *x, int64_t i) { return ga_slice(x, "%d", i); }
