/* Histograms and places by their macros: for C and C++. */
static void histograms(void) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(0, 8, 1, GA_FLOAT32), *e = NULL, *two[2];
    ga_array *n = ga_zeros(GA_SHAPE(4), GA_INT64);
    ga_array *i = ga_zeros(GA_SHAPE(8), GA_INT64);
    ga_array *d = ga_zeros(GA_SHAPE(4, 2), GA_FLOAT64);
    const ga_bins bins[2] = {GA_BINS(4), GA_BINS_IN(2, 0, 7)};
    check(ga_item_at(ga_histogram(x, GA_BINS(4), GA_NONE, 0, NULL),
                     GA_INDEX(3)) == 2
          && ga_histogram(x, GA_BINS_BY(GA_BINS_SQRT), GA_NONE, GA_DENSITY, &e)
          && ga_histogram(x, GA_BINS_BY_IN(GA_BINS_RICE, 0, 3), GA_NONE, 0, NULL)
          && ga_histogram(x, GA_BINS_AT(e), x, 0, NULL)
          && ga_histogram_into(n, NULL, x, GA_BINS(4), GA_NONE, 0) == GA_OK,
          "ga_histogram");
    e = ga_histogram_bin_edges(x, GA_BINS_IN(4, 0, 8));
    check(ga_item_at(e, GA_INDEX(3)) == 6
          && ga_histogram_bin_edges_into(e, x, GA_BINS(4)) == GA_OK,
          "ga_histogram_bin_edges");
    check(ga_histogram2d(x, x, bins[0], bins[1], GA_NONE, 0, two)
          && ga_histogram2d_into(d, x, x, bins[0], bins[1], x, 0) == GA_OK
          && ga_histogramdd(ga_reshape(x, GA_SHAPE(4, 2)), bins, GA_NONE, 0, NULL)
          && ga_histogramdd_into(d, ga_reshape(x, GA_SHAPE(4, 2)), bins,
                                 GA_NONE, GA_DENSITY) == GA_OK,
          "ga_histogramdd");
    check(ga_item_at(ga_bincount(i, GA_NONE, 3), GA_INDEX(0)) == 8
          && ga_bincount_into(n, i, GA_NONE) == GA_OK, "ga_bincount");
    check(ga_item(ga_digitize(2.5, x, 0)) == 3
          && ga_digitize_into(i, x, e, GA_RIGHT) == GA_OK, "ga_digitize");
    check(ga_item(ga_correlate(x, x, GA_VALID)) == 140
          && ga_correlate_into(x, x, x, GA_SAME) == GA_OK
          && ga_convolve(x, e, GA_FULL)
          && ga_convolve_into(x, x, e, GA_SAME) == GA_OK, "ga_convolve");
    check(ga_item(ga_interp(1.5, e, e, NULL)) == 1.5
          && ga_interp_into(x, e, e, ga_slice(e, "::-1"), NULL) != GA_OK,
          "ga_interp");
    ga_clear_error();
    check(ga_interp_into(x, i, e, e, NULL) == GA_OK, "ga_interp_into");
    check(ga_unwrap(x, GA_NONE, -1, GA_NONE) && ga_unwrap(i, 3, 0, 7)
          && ga_unwrap_into(x, x, 2.5, 0, 4) == GA_OK, "ga_unwrap");
}
