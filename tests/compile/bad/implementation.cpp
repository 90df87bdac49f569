/* error: GPUARR_IMPLEMENTATION belongs in one C file, not in C.. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
