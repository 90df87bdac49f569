/* error: _Generic|controlling expression|selector */
#include "gpuarr.h"
ga_array *f(void *p);
ga_array *f(void *p) { return ga_asarray(p, GA_SHAPE(3)); }
