/* error: expected expression */
#include "gpuarr.h"
ga_array *f(ga_array *x);
ga_array *f(ga_array *x) { return ga_sum(x, GA_AXIS()); }
