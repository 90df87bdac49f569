/* error: _Generic|controlling expression|selector */
#include "gpuarr.h"
ga_array *f(ga_array *x);
ga_array *f(ga_array *x) { return ga_add(x, GA_ARG(2)); }
