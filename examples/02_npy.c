/* 02_npy.c - a table of real numbers: read it, standardise it, write it.

   You learn to
     1. read a .npy file, and look at the array's fields
     2. reduce along an axis: statistics of columns, and of rows
     3. broadcast: combine a table with one row of numbers
     4. take parts of an array with slices
     5. check a result, and write it for NumPy to read

     02_npy [in.npy [out.npy]]

   Without arguments it reads examples/data/iris.npy (150 flowers, four
   measurements in centimetres; its source is named beside it) and writes
   build/iris_normalised.npy.                                               */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

static void line(const char *what, const ga_array *x) {
    printf("%-9s", what);
    ga_print(x);
}

int main(int argc, char **argv) {
    const char *in = argc > 1 ? argv[1] : "examples/data/iris.npy";
    const char *out = argc > 2 ? argv[2] : "build/iris_normalised.npy";
    ga_on_error(GA_EXIT);       /* a file that is not there ends it here    */
    GA_SCOPE;

    /* 1. The file says shape and dtype; integers or float32 are welcome.   */
    ga_array *table = ga_load_npy(in);
    if (table->ndim != 2 || table->shape[0] < 2 || table->shape[1] < 1) {
        fprintf(stderr, "02_npy: %s is not a table of two rows or more\n", in);
        return 1;
    }
    ga_array *x = ga_astype(table, GA_FLOAT64);
    int64_t rows = x->shape[0], columns = x->shape[1];
    printf("%s: %lld rows, %lld columns of %s\n", in, (long long)rows,
           (long long)columns, ga_dtype_name(table->dtype));

    /* 2. Axis 0 runs down the rows: reducing it leaves one number a column.
       std divides by n - ddof; 0 is NumPy's default.                       */
    ga_print_options p = ga_get_print_options();
    p.precision = 4;
    ga_set_print_options(p);
    ga_array *mean = ga_mean(x, GA_AXIS(0));
    ga_array *std = ga_std(x, GA_AXIS(0), 0);
    puts("\nby column");
    line("mean", mean);
    line("std", std);
    line("min", ga_min(x, GA_AXIS(0)));
    line("max", ga_max(x, GA_AXIS(0)));
    line("argmax", ga_argmax(x, GA_AXIS(0)));

    /* Axis 1 runs along a row. A negative axis counts from the end.        */
    ga_array *row_sum = ga_sum(x, GA_AXIS(-1));
    printf("\nby row: the largest sum, %.4g, is row %lld's\n",
           ga_item(ga_max(row_sum, GA_ALL)),
           (long long)ga_item_i64(ga_argmax(row_sum, GA_ALL)));

    /* 3. (rows, columns) minus (columns): the short one counts for every
       row. A constant column has std 0; leave it at 0, not 0/0.            */
    ga_array *centred = ga_sub(x, mean);
    ga_array *z = ga_div(centred, ga_where(ga_equal(std, 0), 1.0, std));

    /* 4. Slices as in NumPy, without a copy.                               */
    puts("\nstandardised, the first three rows");
    ga_print(ga_slice(z, ":3"));

    /* 5. Every column must now have mean 0 and std 1 (or 0).               */
    double off_mean = ga_item(ga_max(ga_abs(ga_mean(z, GA_AXIS(0))), GA_ALL));
    ga_array *s = ga_std(z, GA_AXIS(0), 0);
    ga_array *off = ga_where(ga_equal(std, 0), s, ga_sub(s, 1));
    double off_std = ga_item(ga_max(ga_abs(off), GA_ALL));
    bool good = off_mean < 1e-12 && off_std < 1e-12;
    printf("\nmeans are 0 and deviations 1: %s\n", good ? "yes" : "NO");

    ga_save_npy(out, z);
    bool same = ga_item(ga_all(ga_equal(ga_load_npy(out), z), GA_ALL)) != 0;
    printf("%s reads back the same: %s\n", out, same ? "yes" : "NO");
    return good && same ? 0 : 1;
}
