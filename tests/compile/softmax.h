/* Comparisons, softmax and forms in another dtype by their macros: for C and
   C++. */
static void softmaxes(void) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(1, 7, 1, GA_FLOAT32), *y = ga_empty_like(x);
    ga_array *b = ga_empty(GA_SHAPE(6), GA_BOOL), *s = NULL;
    ga_array *one = ga_empty(GA_SCALAR_SHAPE, GA_BOOL);
    check(ga_isclose(x, 1, 1e-5, 1e-8, GA_EQUAL_NAN) != NULL, "ga_isclose");
    check(ga_isclose_into(b, 1.5, x, 1e-5, 1e-8, 0) == GA_OK,
          "ga_isclose_into");
    check(ga_allclose(x, x, 0, 0, 0) && !ga_allclose(x, 2, 0, 0, 0),
          "ga_allclose");
    check(ga_item(ga_allclose_array(x, x, 0, 0, 0)) == 1
          && ga_allclose_into(one, 1, x, 0, 0, 0) == GA_OK, "ga_allclose_into");
    check(ga_array_equal(x, x, 0) && !ga_array_equal(1, x, 0)
          && ga_array_equal_array(x, 2.5, 0)
          && ga_array_equal_into(one, x, x, 0) == GA_OK, "ga_array_equal");
    check(!ga_array_equiv(x, 1) && ga_array_equiv_array(1, x)
          && ga_array_equiv_into(one, x, 3) == GA_OK, "ga_array_equiv");
    check(ga_softmax(x, GA_ALL) && ga_softmax_into(y, x, GA_AXIS(0)) == GA_OK,
          "ga_softmax");
    check(ga_log_softmax(x, GA_ALL)
          && ga_log_softmax_into(y, x, GA_AXIS(0)) == GA_OK, "ga_log_softmax");
    check(ga_logsumexp(x, GA_AXIS_KEEP(-1))
          && ga_logsumexp_into(ga_empty(GA_SCALAR_SHAPE, GA_FLOAT32), x, GA_ALL)
             == GA_OK, "ga_logsumexp");
    check(ga_logsumexp_as(x, 2, GA_ALL, &s) && s
          && ga_logsumexp_as(x, GA_NONE, GA_ALL, NULL), "ga_logsumexp_as");
    check(ga_item(ga_sum_as(x, GA_FLOAT64, GA_ALL)) == 21
          && ga_item(ga_prod_as(x, GA_INT32, GA_ALL)) == 720
          && ga_item(ga_mean_as(x, GA_FLOAT64, GA_ALL)) == 3.5, "ga_sum_as");
    check(ga_cumsum_as(x, GA_FLOAT64, GA_ALL, 0)
          && ga_cumprod_as(x, GA_FLOAT64, GA_ALL, 0)
          && ga_cumulative_sum(x, GA_ALL, 0)
          && ga_cumulative_prod(x, GA_ALL, 0), "ga_cumsum_as");
    check(ga_item(ga_var(x, GA_ALL, 0.5)) > 0, "ga_var");
    ga_complex128 z = ga_item_c128(ga_full(GA_SCALAR_SHAPE, 2, GA_COMPLEX128));
    check(ga_linspace_c128(z, z, 3, true) && ga_logspace_c128(z, z, 3, 2)
          && ga_geomspace_c128(z, z, 3), "ga_linspace_c128");
    ga_array *m = ga_eye(3, 3, 0, GA_FLOAT64);
    check(ga_matrix_transpose(m) != NULL, "ga_matrix_transpose");
    /* these need LAPACK, which the CPU device may be without */
    ga_array *r = ga_matrix_rank_rtol(m, 1e-3);
    check(r ? ga_item(r) == 3 : ga_error() == GA_ERR_UNSUPPORTED,
          "ga_matrix_rank_rtol");
    ga_clear_error();
    check(!r || (ga_pinv_rtol(m, GA_NONE) && ga_cholesky_as(m, GA_UPPER)),
          "ga_pinv_rtol");
}
