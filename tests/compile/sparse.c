/* gpuarr_sparse.h in the C file that implements, and every macro of it. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "ext/gpuarr_sparse.h"

ga_array *every_solver(ga_sparse *a, const ga_sparse *c, const ga_array *d,
                       ga_operator o, const ga_array *b);
ga_array *every_solver(ga_sparse *a, const ga_sparse *c, const ga_array *d,
                       ga_operator o, const ga_array *b) {
    GA_SCOPE;
    const double damp[] = {0, 1};
    ga_solve_info info[2];
    ga_solve_options options = {.rtol = 1e-9, .precond = &o};
    ga_array *x = ga_cg(a, b, NULL, NULL);
    x = ga_minres(c, b, &options, info);
    x = ga_bicgstab(d, x, &options, info);
    x = ga_gmres(o, x, &options, info);
    x = ga_lsqr(a, b, 0.5, NULL, info);
    x = ga_lsmr(c, b, 1, NULL, info);
    return ga_keep(ga_lsmr_many(x, b, damp, 2, NULL, info));
}
