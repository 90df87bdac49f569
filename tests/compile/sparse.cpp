// gpuarr_sparse.h's declarations in C++.
#include "gpuarr.h"
#include "ext/gpuarr_sparse.h"
#include "sparse.h"
