/* error: integer|int-conversion */
#include "gpuarr.h"
ga_array *f(void);
ga_array *f(void) { return ga_reshape(5, GA_SHAPE(1)); }
