/* error: _Generic|controlling expression|selector */
#include "gpuarr.h"
ga_array *f(void);
ga_array *f(void) {
    double a[3][4] = {{0}};
    return ga_asarray(a, GA_SHAPE(3, 4));
}
