/* The library of all fuzzers, and the two that look inside: their programs call
   what has their name here, and do not compile the implementation once more. */
#include "fuzz.h"
#include "gpuarr_rtc.h"
#include "gpuarr_sparse.h"
#include "gpuarr_plot.h"
#include "gpuarr_comm.h"
int fuzz_npy(const uint8_t *data, size_t size);
int fuzz_text(const uint8_t *data, size_t size);
#define LLVMFuzzerTestOneInput fuzz_npy
#include "fuzz_npy.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_text
#include "fuzz_text.c"
