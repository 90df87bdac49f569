/* Every macro of gpuarr_sparse.h, with all that may stand for A: for C and C++. */
ga_array *every_solver(ga_sparse *a, const ga_sparse *c, const ga_array *d,
                       ga_operator o, const ga_solve_options *options);
ga_array *every_solver(ga_sparse *a, const ga_sparse *c, const ga_array *d,
                       ga_operator o, const ga_solve_options *options) {
    GA_SCOPE;
    const double damp[] = {0, 1};
    ga_solve_info info[2];
    ga_array *w, *v, *u, *x = ga_cg(a, d, NULL, NULL);
    x = ga_minres(c, x, options, info);
    x = ga_bicgstab(d, x, options, info);
    x = ga_gmres(o, x, options, info);
    x = ga_lsqr(a, x, 0.5, NULL, info);
    x = ga_lsmr(c, x, 1, NULL, info);
    if (ga_eigsh(a, 2, GA_LARGEST_MAGNITUDE, NULL, &w, &v)
        || ga_svds(d, 2, NULL, &u, &w, &v)) return NULL;
    return ga_keep(ga_lsmr_many(x, d, damp, 2, NULL, info));
}
