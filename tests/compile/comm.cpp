// gpuarr_comm.h from C++: the same calls, by overloads.
#include "gpuarr.h"
#include "ext/gpuarr_comm.h"
#include "comm.h"
