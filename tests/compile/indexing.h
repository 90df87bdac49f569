/* Every macro of index arrays, called; the same text in C and in C++. check()
   is the including file's.                                                  */
static ga_subscript kept_place(void) { return GA_COLON; }
static void indexing(void) {
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange(0, 12, 1), GA_SHAPE(3, 4)), *o[2];
    ga_array *i = ga_arange(0, 3, 1), *out = ga_zeros(GA_SHAPE(3), GA_INT64);
    const ga_array *constant = i;
    const long long wide = -1;
    const unsigned char narrow = 2;
    ga_at kept = GA_AT(kept_place(), narrow);   /* by value: it outlives i   */
    check(ga_item(ga_index(x, GA_AT(narrow, wide))) == 11, "GA_AT of numbers");
    check(ga_item(ga_index(x, GA_AT(2u, 3ul))) == 11, "GA_AT of unsigned");
    check(ga_item_at(ga_index(x, kept), GA_INDEX(1)) == 6, "a ga_at kept");
    check(ga_index(x, GA_AT(constant, GA_COLON)) != NULL, "ga_index");
    check(ga_index(ga_index(x, GA_AT(ga_index(i, GA_AT(i)))), GA_AT(i, 1))
          != NULL, "nested");
    check(ga_index_into(out, x, GA_AT(i, i)) == GA_OK, "ga_index_into");
    check(ga_index_assign(x, GA_AT(i, 0), 5) == GA_OK
          && ga_index_assign(x, GA_AT(i), x) == GA_OK, "ga_index_assign");
    check(ga_scatter_add(x, GA_AT(i), 1, GA_FAST) == GA_OK, "ga_scatter_add");
    check(ga_scatter_max(x, GA_AT(i), i, GA_CLIP) != GA_OK, "ga_scatter_max");
    check(ga_scatter_max(x, GA_AT(i), 1, GA_CLIP) == GA_OK, "ga_scatter_max");
    check(ga_scatter_min(x, GA_AT(i), 1, GA_WRAP) == GA_OK, "ga_scatter_min");
    check(ga_take(x, 1, GA_AXIS(0), 0) && ga_take(x, i, GA_ALL, 0), "ga_take");
    check(ga_take_into(out, x, i, GA_ALL, 0) == GA_OK, "ga_take_into");
    check(ga_put(x, 0, 3, 0) == GA_OK && ga_put(x, i, i, 0) == GA_OK, "ga_put");
    check(ga_take_along_axis(i, i, GA_AXIS(0)) != NULL, "ga_take_along_axis");
    check(ga_put_along_axis(out, i, 2, GA_ALL) == GA_OK, "ga_put_along_axis");
    check(ga_choose(i, 0, 1, i, ga_add(i, 1)) != NULL, "ga_choose");
    check(ga_choose(2, GA_WRAP, 1, 2.5) != NULL, "ga_choose of numbers");
    check(ga_choose_into(out, i, 0, 1, i, 2) == GA_OK, "ga_choose_into");
    check(ga_ravel_multi_index(GA_AT(i, 1), GA_SHAPE(3, 4), 0) != NULL,
          "ga_ravel_multi_index");
    check(ga_unravel_index(i, GA_SHAPE(3, 4), o) == GA_OK, "ga_unravel_index");
    check(ga_ix(o, i, out) == GA_OK && ga_diag_indices(3, 2, o) == GA_OK,
          "ga_ix");
    check(ga_segment_sum(x, i, 3, GA_SORTED) && ga_segment_max(x, i, 3, 0)
          && ga_segment_min(x, i, 3, 0) && ga_segment_mean(x, i, 3, 0),
          "ga_segment_sum");
}
