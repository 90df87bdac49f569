/* The macros of exchange and text, in C and in C++. */
static void exchange(void) {
    GA_SCOPE;
    const int at[] = {0, -1};
    ga_text how;
    ga_array *x = ga_ones(GA_SHAPE(2, 3), GA_FLOAT32);
    check(ga_result_type(x, 2, 1.5) == GA_FLOAT32
          && ga_result_type(1, 2) == GA_INT64
          && ga_result_type(2.5) == GA_FLOAT64, "ga_result_type");
    DLManagedTensorVersioned *v = ga_to_dlpack(x, GA_NO_SYNC);
    DLManagedTensor *u = ga_to_dlpack_unversioned(x, NULL);
    check(v && ga_from_dlpack(v), "ga_from_dlpack");
    check(u && ga_from_dlpack(u), "ga_from_dlpack of an unversioned tensor");
    memset(&how, 0, sizeof how);
    how.columns = at;
    how.ncolumns = 2;
    check(!ga_loadtxt("/no/such/file", GA_INT8, &how)
          && ga_error() == GA_ERR_FILE_OPEN, "ga_loadtxt");
    ga_clear_error();
    check(!ga_load_npz_array("/no/such/file", "x"), "ga_load_npz_array");
    ga_clear_error();
    check(!ga_fromfile("/no/such/file", GA_INT8, -1, 0), "ga_fromfile");
}
