// The same from C++, compiled without exceptions too.
#pragma GCC diagnostic error "-Wshadow"
#pragma GCC diagnostic error "-Wconversion"
#pragma GCC diagnostic error "-Wsign-conversion"
#pragma GCC diagnostic error "-Wundef"
#include <complex>
#include <cstdio>
#define I hidden
#define a 1 +
#define n hidden
#define x 42
#define v (
#define A -
#define T int
#define R
#include "gpuarr.h"

double user_cpp(unsigned count, float by);
double user_cpp(unsigned count, float by) {
    GA_SCOPE;
    T me = a x;
    ga_array *y = ga_full(GA_SHAPE(count, 2), by, GA_COMPLEX128);
    ga_array *z = ga_mul(y, std::complex<float>(by, x));
    GA_REPLACE(z, ga_where(ga_greater(y, 0), ga_sub(z, me), ga_neg(z)));
    return ga_item(ga_abs(ga_sum(z, GA_AXIS(0, -1))));
}
