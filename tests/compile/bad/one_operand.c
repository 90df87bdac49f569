/* error: requires 2 arguments|too few arguments */
#include "gpuarr.h"
ga_array *f(ga_array *x);
ga_array *f(ga_array *x) { return ga_add(x); }
