/* error: include gpuarr.h before it */
#include "ext/gpuarr_comm.h"
