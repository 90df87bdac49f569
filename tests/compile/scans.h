/* Scans by their macros: for C and C++. */
#define SCAN(n, ...)                                                        \
    check(ga_##n(x, GA_ALL, 0) && ga_##n(x, GA_AXIS(0), GA_EXCLUSIVE)       \
          && ga_##n##_into(y, x, GA_AXIS(-1), GA_REVERSE) == GA_OK, "ga_" #n);
static void scans(void) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(1, 7, 1, GA_FLOAT32), *y = ga_empty_like(x);
    ga_array *g[1] = {y};
    GA_SCANS(SCAN)
    check(ga_item(ga_sum(ga_diff(x, 1, 0, 0, GA_NONE), GA_ALL)) == 6
          && ga_diff_into(y, x, 1, 0, GA_NONE, x) != GA_OK, "ga_diff");
    ga_clear_error();
    check(ga_ediff1d(x, 1, x) && ga_ediff1d(x, GA_NONE, GA_NONE), "ga_ediff1d");
    check(ga_ediff1d_into(y, x, 2, GA_NONE) == GA_OK, "ga_ediff1d_into");
    check(ga_item(ga_trapezoid(x, GA_NONE, 2, 0)) == 35
          && ga_item(ga_trapezoid(x, x, 1, -1)) == 17.5, "ga_trapezoid");
    check(ga_gradient(x, 0, NULL, GA_ALL, 1, g) == GA_OK
          && ga_item(ga_slice(g[0], "3")) == 1, "ga_gradient");
}
