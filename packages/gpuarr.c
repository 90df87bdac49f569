/* The library: what of gpuarr.h and its siblings is the host's. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_rtc.h"
#include "gpuarr_sparse.h"
#include "gpuarr_plot.h"
#include "gpuarr_comm.h"
