/* error: define all of GA_MALLOC, GA_REALLOC and GA_FREE, or none */
#include <stdlib.h>
#define GA_MALLOC(n) malloc(n)
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
