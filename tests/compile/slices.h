/* Expressions with slices, and operands with names: for C and C++. */
typedef struct slices_of { ga_array *u; double k; } slices_of;
static void slices(void) {
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange(0, 12, 1), GA_SHAPE(3, 4));
    slices_of f = {ga_astype(x, GA_FLOAT64), 0.5}, *p = &f;
    int n = 1;
    check(ga_item(GA_EVAL("sum(x[1:, n:] - x[:-1, :-1])", x, n)) == 30,
          "GA_EVAL of a string");
    check(ga_item(GA_EVAL((sum(x[..., 0, newaxis] + x[n])), x, n)) == 114,
          "GA_EVAL in parentheses");
    check(ga_item(GA_EVAL(sum(u*k), (u, p->u), (k, f.k))) == 33,
          "names of operands");
    check(ga_item(GA_EVAL(max(w + n), (w, ga_slice(x, "%d", n)), (double)n))
          == 8, "a call with a name, a cast");
    check(GA_EVAL_SET(u[0] = k*M_PI; u[1:] = -INFINITY, (u, p->u), (k, 2))
          == GA_OK && ga_item(GA_EVAL(u[2][3], (u, f.u))) < -1e300,
          "GA_EVAL_SET of slices");
    check(GA_EVAL_INTO(p->u, v + 0*w, (v, x), (w, p->u[0].dtype == GA_INT8))
          == GA_OK && ga_item(ga_sum(p->u, GA_ALL)) == 66, "GA_EVAL_INTO");
    ga_expr *e = ga_expr_compile("x*n", "x, n");
    check(ga_item(ga_sum(GA_EXPR_RUN(e, x, (double)n), GA_ALL)) == 66,
          "GA_EXPR_RUN takes casts");
    ga_expr_free(e);
}
