/* gpuarr_sparse.h in the C file that implements. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "ext/gpuarr_sparse.h"
#include "sparse.h"

ga_array *options_in_place(const ga_sparse *a, const ga_array *b);
ga_array *options_in_place(const ga_sparse *a, const ga_array *b) {
    return ga_cg(a, b, &(ga_solve_options){.rtol = 1e-9, .maxiter = 5}, NULL);
}
