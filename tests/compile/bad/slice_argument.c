/* error: format */
#include "gpuarr.h"
ga_array *f(ga_array *x);
ga_array *f(ga_array *x) { return ga_slice(x, "%d, :", 1.5); }
