/* error: ga__at_most_64_operands */
#include "gpuarr.h"
ga_array *f(ga_array *x);
ga_array *f(ga_array *x) {
    return ga_concatenate(0,
    x, x, x, x, x, x, x, x, x, x, x, x, x,
    x, x, x, x, x, x, x, x, x, x, x, x, x,
    x, x, x, x, x, x, x, x, x, x, x, x, x,
    x, x, x, x, x, x, x, x, x, x, x, x, x,
    x, x, x, x, x, x, x, x, x, x, x, x, x);
}
