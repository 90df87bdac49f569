/* A program with macros and variables of one letter, and strict warnings: the
   declarations take no notice of the macros, keep them, and are silent.     */
#pragma GCC diagnostic error "-Wshadow"
#pragma GCC diagnostic error "-Wconversion"
#pragma GCC diagnostic error "-Wsign-conversion"
#pragma GCC diagnostic error "-Wundef"
#include <complex.h>
#include <stdio.h>
#define a 1 +
#define i(q) q q
#define n hidden
#define t (
#define x 42
#define T int
#define N -
#include "gpuarr.h"

double user(unsigned count, float by);
double user(unsigned count, float by) {
    GA_SCOPE;
    T I_am = a x;
    ga_array *y = ga_full(GA_SHAPE(count, 2), by, GA_COMPLEX128);
    ga_array *z = ga_add_into(y, y, I * x) ? NULL : ga_mul(y, count);
    GA_REPLACE(z, ga_where(ga_greater(y, 0), ga_sub(z, I_am), ga_neg(z)));
    z = GA_EVAL(z + by, z, by);
    ga_array *slope[1];
    if (GA_GRAD(NULL, slope, abs(z), z)) return 0;
    return ga_item(ga_abs(ga_sum(z, GA_AXIS(0, -1))));
}
