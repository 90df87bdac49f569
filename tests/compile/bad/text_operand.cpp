/* error: no matching|invalid conversion|cannot convert */
#include "gpuarr.h"
ga_array *f(ga_array *x);
ga_array *f(ga_array *x) { return ga_add(x, "text"); }
