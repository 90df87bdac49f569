/* Sorting, searching and sets by their macros: for C and C++. */
static void sorting(void) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(5, 0, -1, GA_FLOAT32), *v, *i, *n;
    ga_array *o = ga_zeros(GA_SHAPE(5), GA_FLOAT32);
    ga_array *p = ga_zeros(GA_SHAPE(5), GA_INT64);
    check(ga_item(ga_slice(ga_sort(x, GA_AXIS(0), 0), "0")) == 1
          && ga_sort_into(o, x, GA_ALL, GA_DESCENDING) == GA_OK, "ga_sort");
    check(ga_argsort(x, GA_AXIS(-1), GA_DESCENDING)
          && ga_argsort_into(p, x, GA_AXIS(0), 0) == GA_OK, "ga_argsort");
    check(ga_lexsort(GA_AXIS(0), x, o) && ga_lexsort(GA_AXIS(0), x)
          && ga_lexsort_into(p, GA_AXIS(0), x, o, x) == GA_OK, "ga_lexsort");
    check(ga_partition(x, 2, GA_AXIS(0), 0)
          && ga_partition_into(o, x, -1, GA_AXIS(0), 0) == GA_OK
          && ga_argpartition(x, 2, GA_AXIS(0), 0)
          && ga_argpartition_into(p, x, 0, GA_AXIS(0), 0) == GA_OK,
          "ga_partition");
    check(ga_topk(x, 2, GA_AXIS(0), GA_SMALLEST, &v, &i) == GA_OK
          && ga_topk_into(o, p, x, 5, GA_AXIS(0), 0) == GA_OK, "ga_topk");
    v = ga_sort(x, GA_AXIS(0), 0);
    check(ga_item(ga_searchsorted(v, 2.5, GA_NONE, GA_RIGHT)) == 2
          && ga_searchsorted(x, v, ga_argsort(x, GA_AXIS(0), 0), 0)
          && ga_searchsorted_into(p, v, x, GA_NONE, 0) == GA_OK,
          "ga_searchsorted");
    check(ga_unique(x, GA_ALL, &i, NULL, &n) != NULL
          && ga_unique_into(o, ga_slice(p, ":1"), x, NULL, NULL, NULL) == GA_OK,
          "ga_unique");
    check(ga_item(ga_isin(3, x, 0)) == 1 && ga_isin(x, 3, GA_INVERT)
          && ga_isin_into(ga_zeros(GA_SHAPE(5), GA_BOOL), x, v, 0) == GA_OK,
          "ga_isin");
    check(ga_intersect1d(x, 3) && ga_union1d(7, x) && ga_setdiff1d(x, v)
          && ga_setxor1d(x, 2.5), "sets");
}
