/* Masks by their macros, and axes as programs write them: for C and C++. */
static void masks(void) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(0, 6, 1, GA_FLOAT32), *m = ga_greater(x, 2);
    ga_array *r = ga_reshape(x, GA_SHAPE(2, 3)), *at[1];
    const ga_array *c[1] = {m}, *y[1] = {x};
    ga_axis all = {-1, false, {0}}, first = {1, true, {0}};
    check(ga_item(ga_sum(r, all)) == 15 && ga_sum(r, first), "ga_axis");
    check(ga_mask_assign(x, m, 7) == GA_OK && ga_mask_assign(x, m, x) != GA_OK
          && ga_error() == GA_ERR_SHAPE, "ga_mask_assign");
    ga_clear_error();
    check(ga_place(x, m, 2.5) == GA_OK && ga_putmask(x, m, x) == GA_OK,
          "ga_place");
    check(ga_mask(x, m) && ga_extract(m, x) && ga_argwhere(x)
          && ga_flatnonzero(x) && ga_nonzero(x, at) == GA_OK
          && ga_compress(m, x, GA_ALL), "ga_mask");
    check(ga_select(1, c, y, 0.5) && ga_select(1, c, y, x)
          && ga_select_into(x, 1, c, y, 1) == GA_OK, "ga_select");
    check(ga_item(ga_sum(x, GA_ALL_WHERE(m))) == 7.5, "GA_ALL_WHERE");
    check(ga_mean(r, GA_AXIS_WHERE(ga_reshape(m, GA_SHAPE(2, 3)), 0, -1))
          && ga_var(x, GA_AXIS_WHERE_KEEP(m, 0), 1), "GA_AXIS_WHERE");
    check(ga_max(x, GA_ALL_WHERE_KEEP(m))->ndim == 1, "GA_ALL_WHERE_KEEP");
    check(ga_item(GA_EVAL(sum(x*x, where=m), x, m)) == 18.75, "where=");
}
