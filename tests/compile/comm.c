/* gpuarr_comm.h in the C file that implements, and every macro of it. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "ext/gpuarr_comm.h"
#include "comm.h"
