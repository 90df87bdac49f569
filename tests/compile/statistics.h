/* Statistics by their macros: for C and C++. */
static void statistics(void) {
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange_as(0, 12, 1, GA_FLOAT32),
                             GA_SHAPE(3, 4)), *s;
    ga_array *o = ga_zeros(GA_SHAPE(4), GA_FLOAT32);
    ga_array *q = ga_mul(ga_ones(GA_SHAPE(2), GA_FLOAT32), 0.25);
    const ga_quantile_method m = GA_QUANTILE_HAZEN;
    check(ga_item(ga_median(x, GA_ALL)) == 5.5 && ga_nanmedian(x, GA_AXIS(0))
          && ga_median_into(o, x, GA_AXIS(0)) == GA_OK
          && ga_nanmedian_into(o, x, GA_AXIS(0)) == GA_OK, "ga_median");
    check(ga_quantile(x, 1, GA_ALL, m, GA_NONE)
          && ga_quantile(x, q, GA_AXIS(0), m, GA_NONE)
          && ga_nanquantile(x, 0.5f, GA_ALL, GA_QUANTILE_INVERTED_CDF, x)
          && ga_quantile_into(o, x, 0.5, GA_AXIS(0), m, GA_NONE) == GA_OK
          && ga_nanquantile_into(o, x, 1, GA_AXIS(0), m, GA_NONE) == GA_OK,
          "ga_quantile");
    check(ga_percentile(x, 90, GA_ALL, m, GA_NONE)
          && ga_nanpercentile(x, q, GA_AXIS_KEEP(-1), m, GA_NONE)
          && ga_percentile_into(o, x, 90, GA_AXIS(0), m, GA_NONE) == GA_OK
          && ga_nanpercentile_into(o, x, 9.5, GA_AXIS(0), m, GA_NONE) == GA_OK,
          "ga_percentile");
    check(ga_average(x, GA_AXIS(0), GA_NONE, NULL)
          && ga_average(x, GA_ALL, x, &s) && ga_item(s) == 66
          && ga_average_into(o, NULL, x, GA_AXIS(0), x) == GA_OK, "ga_average");
    const ga_cov_weights w = {NULL, ga_arange(1, 4, 1)};
    ga_array *c = ga_cov(x, GA_NONE, 1, &w, GA_COLUMNS);
    check(c && c->ndim == 2 && ga_cov_as(x, x, GA_FLOAT32, 0, NULL, 0)
          && ga_cov_into(c, x, GA_NONE, 1, NULL, GA_COLUMNS) == GA_OK, "ga_cov");
    check(ga_corrcoef(x, GA_NONE, 0)
          && ga_corrcoef_into(c, x, GA_NONE, GA_COLUMNS) == GA_OK,
          "ga_corrcoef");
    check(ga_zscore(x, GA_AXIS(0), 0, GA_OMIT_NAN)
          && ga_zscore_into(x, x, GA_ALL, 1, 0) == GA_OK, "ga_zscore");
}
