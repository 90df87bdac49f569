/* GPUARR_STATIC: the whole library private to each of two files. */
#define GPUARR_STATIC
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

#ifdef SECOND
double second(void);
double second(void)
#else
double second(void);
int main(void) {
    GA_SCOPE;
    double sum = ga_item(ga_sum(ga_arange(0, 5, 1), GA_ALL)) + second();
    return sum == 20 ? 0 : 1;
}
static double first(void)
#endif
{
    GA_SCOPE;
    return ga_item(ga_sum(ga_add(ga_arange(0, 5, 1), 0), GA_ALL));
}
#ifndef SECOND
double (*const used)(void) = first;
#endif
