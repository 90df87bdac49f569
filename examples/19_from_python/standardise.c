/* A C function for Python's arrays, of PyTorch, CuPy, JAX or NumPy, on a GPU or
   the CPU: DLPack hands the memory over, nothing is copied.                 */
#include "gpuarr.h"

/* Makes mean 0 and deviation 1 of each row, in place. 0, or 1 where the tensor
   cannot be taken, and stays the caller's.                                  */
int standardise(DLManagedTensor *t);
int standardise(DLManagedTensor *t) {
    ga_on_error(GA_PRINT);
    GA_SCOPE;                       /* gives the tensor back at its end     */
    ga_array *x = ga_from_dlpack(t);
    if (!x) return 1;
    GA_DEVICE(x->device);
    ga_sub_into(x, x, ga_mean(x, GA_AXIS_KEEP(-1)));
    ga_div_into(x, x, ga_std(x, GA_AXIS_KEEP(-1), 0));
    return 0;
}
