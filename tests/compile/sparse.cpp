// gpuarr_sparse.h from C++: the same calls, by overloads.
#include "gpuarr.h"
#include "ext/gpuarr_sparse.h"

ga_array *every_solver_cpp(ga_sparse *a, const ga_sparse *c, const ga_array *d,
                           ga_operator o, const ga_array *b);
ga_array *every_solver_cpp(ga_sparse *a, const ga_sparse *c, const ga_array *d,
                           ga_operator o, const ga_array *b) {
    GA_SCOPE;
    const double damp[] = {0, 1};
    ga_solve_info info[2];
    ga_solve_options options = ga_solve_options();
    options.precond = &o;
    ga_array *x = ga_cg(a, b, nullptr, nullptr);
    x = ga_minres(c, b, &options, info);
    x = ga_bicgstab(d, x, &options, info);
    x = ga_gmres(o, x, &options, info);
    x = ga_lsqr(a, b, 0.5, nullptr, info);
    x = ga_lsmr(c, b, 1, nullptr, info);
    return ga_keep(ga_lsmr_many(x, b, damp, 2, nullptr, info));
}
