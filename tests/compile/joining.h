/* The macros of >>joining, their lists counted exactly. The same text in C and
   in C++.                                                                  */
#define JOIN_8(x) x, x, x, x, x, x, x, x
#define JOIN_64(x) JOIN_8(x), JOIN_8(x), JOIN_8(x), JOIN_8(x), JOIN_8(x), \
    JOIN_8(x), JOIN_8(x), JOIN_8(x)
static void joining(void) {
    GA_SCOPE;
    float v[] = {1, 2, 3, 4};
    ga_array *x = ga_asarray(v, GA_SHAPE(2, 2)), *o, *p[64];
    ga_shape s;
    int64_t at[] = {0, 1};
    check(ga_concatenate(0, x)->shape[0] == 2, "ga_concatenate of one");
    check(ga_concatenate(0, JOIN_64(x))->shape[0] == 128, "ga_concatenate of 64");
    check(ga_concat(1, x, x, x)->shape[1] == 6, "ga_concat");
    check(ga_concatenate(0, ga_concatenate(0, x, x), ga_stack(1, v[0], 2),
                         x) == NULL, "ga_concatenate of shapes");
    check(ga_stack(0, 1, 2.5f, true)->shape[0] == 3, "ga_stack of numbers");
    check(ga_stack(0, JOIN_64(1))->size == 64, "ga_stack of 64");
    check(ga_hstack(1, ga_asarray(v, GA_SHAPE(3)), 2)->dtype == GA_FLOAT32,
          "ga_hstack: weak numbers");
    check(ga_vstack(x, x) && ga_dstack(x, 1) == NULL && ga_dstack(x, x)
              && ga_column_stack(x, x), "ga_vstack ...");
    ga_clear_error();
    o = ga_empty(GA_SHAPE(4, 2), GA_FLOAT64);
    check(!ga_concatenate_into(o, 0, x, x) && !ga_concat_into(o, 0, x, x)
              && !ga_vstack_into(o, x, x), "ga_concatenate_into");
    check(!ga_hstack_into(ga_transpose(o, GA_ALL), x, x)
              && !ga_column_stack_into(ga_transpose(o, GA_ALL), x, x),
          "ga_hstack_into");
    o = ga_empty(GA_SHAPE(2, 2, 2), GA_FLOAT32);
    check(!ga_stack_into(o, 0, x, x) && !ga_dstack_into(o, x, x),
          "ga_stack_into");
    check(ga_append(x, 1, GA_ALL)->size == 5 && ga_append(1, 2, GA_ALL),
          "ga_append");
    check(!ga_append_into(ga_empty(GA_SHAPE(5), GA_FLOAT32), x, 1, GA_ALL),
          "ga_append_into");
    check(ga_insert(x, 1, 0.5, GA_AXIS(0)) && ga_insert_at(x, at, 2, 7, GA_ALL),
          "ga_insert");
    check(!ga_insert_into(ga_empty(GA_SHAPE(3, 2), GA_FLOAT32), x, 1, 0,
                          GA_AXIS(0))
              && !ga_insert_at_into(ga_empty(GA_SHAPE(6), GA_FLOAT32), x, at, 2,
                                    0.5, GA_ALL), "ga_insert_into");
    check(ga_pad(x, GA_SHAPE(1), GA_SHAPE(0, 2), GA_PAD_CONSTANT, 3)
              && ga_pad(x, GA_SHAPE(1), GA_SHAPE(1), GA_PAD_EDGE, GA_NONE),
          "ga_pad");
    check(!ga_pad_into(ga_empty(GA_SHAPE(4, 4), GA_FLOAT32), x, GA_SHAPE(1),
                       GA_SHAPE(1), GA_PAD_CONSTANT, 0), "ga_pad_into");
    check(ga_repeat_counts(x, 2, GA_ALL)->size == 8, "ga_repeat_counts");
    check(!ga_repeat_counts_into(ga_empty(GA_SHAPE(8), GA_FLOAT32), x, 2,
                                 GA_ALL), "ga_repeat_counts_into");
    check(ga_atleast_1d(1)->ndim == 1 && ga_atleast_2d(1.5)->ndim == 2
              && ga_atleast_3d(x)->ndim == 3, "ga_atleast_1d ...");
    check(!ga_fill_diagonal(ga_copy(x), 3, 0), "ga_fill_diagonal");
    check(!ga_copyto(ga_copy(x), 3, true) && !ga_copyto(ga_copy(x), x, x)
              && !ga_copyto(ga_copy(x), 1, GA_NONE), "ga_copyto");
    check(!ga_broadcast_arrays(p, x, 1) && p[1]->ndim == 2,
          "ga_broadcast_arrays");
    check(!ga_meshgrid(p, GA_IJ | GA_SPARSE, 3, ga_arange(0, 3, 1)) && p[1],
          "ga_meshgrid");
    check(!ga_broadcast_shapes(&s, GA_SHAPE(3, 1), GA_SHAPE(4), GA_SCALAR_SHAPE)
              && s.ndim == 2 && s.dim[1] == 4, "ga_broadcast_shapes");
    check(ga_tile(x, GA_SHAPE(2)) && ga_repeat(x, 2, GA_ALL)
              && ga_roll(x, 1, GA_ALL)
              && ga_roll_by(x, GA_SHAPE(1, 1), GA_AXIS(0, 1))
              && ga_resize(x, GA_SHAPE(3)) && ga_delete(x, 0, GA_ALL)
              && ga_delete_at(x, at, 2, GA_AXIS(0)) && ga_trim_zeros(x, 0)
              && ga_rot90(x, 1, 0, 1) && ga_fliplr(x) && ga_flipud(x)
              && ga_permute_dims(x, GA_ALL)
              && ga_sliding_window_view(x, GA_SHAPE(1), GA_AXIS(0))
              && ga_as_strided(x, GA_SHAPE(3), GA_SHAPE(1))
              && ga_indices(GA_SHAPE(2), GA_INT8) && ga_tri(2, 2, 0, GA_BOOL)
              && ga_tril(x, 0) && ga_triu(x, 0) && ga_diag(x, 0)
              && ga_diagflat(x, 0) && ga_vander(ga_ravel(x), 2, GA_INCREASING),
          "what takes no numbers");
    ga_array *bits = ga_packbits(ga_greater(x, 1), GA_ALL, GA_LITTLE);
    check(bits && ga_unpackbits(bits, GA_ALL, GA_END, GA_LITTLE), "ga_packbits");
}
