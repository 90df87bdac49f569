/* ... and after a program that asks for all extensions. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

int main(void) {
    GA_SCOPE;
    return ga_item(ga_sum(ga_ones(GA_SHAPE(3, 4), GA_INT8), GA_ALL)) == 12
           ? 0 : 1;
}
