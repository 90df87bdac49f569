/* 23_out_of_core.c - statistics of a file that is larger than memory.

   You learn to
     1. ask beforehand whether a job fits: ga_slabs_fit
     2. walk a .npy file in slabs, read ahead by threads: ga_slabs_npy
     3. reduce it: means, deviations, a histogram, quantiles
     4. compute on each slab, into another file or with a function of your own

   A memory limit of 8 MB stands for a small card; the file has 24 MB.

     23_out_of_core [FOLDER]      where the files go, build by default        */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_comm.h"

enum { COLUMNS = 6, ROWS = 500000 };

/* 4. How many rows are far from 0; what is counted is the caller's. */
static ga_status count_far(ga_array *slab, int64_t first, void *count) {
    (void)first;
    ga_array *far = ga_any(GA_EVAL(abs(slab) > 20, slab), GA_AXIS(1));
    *(double *)count += ga_item(ga_count_nonzero(far, GA_ALL));
    return ga_error();
}
static void make_file(const char *path) {
    GA_SCOPE;
    ga_random_seed(1);
    ga_array *x = ga_random_standard_normal(GA_SHAPE(ROWS, COLUMNS), GA_FLOAT64);
    ga_array *k = ga_arange(0, COLUMNS, 1);
    ga_save_npy(path, GA_EVAL(k + x*(k + 1), k, x));
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "build";
    char big[512], scaled[512];
    snprintf(big, sizeof big, "%s/big.npy", folder);
    snprintf(scaled, sizeof scaled, "%s/scaled.npy", folder);
    ga_on_error(GA_PRINT);
    GA_SCOPE;
    make_file(big);
    ga_mem_limit(8 << 20);

    /* 1. The file's array and one result of its size: no. The message, here on
       stderr, says what it takes and which call walks the file.             */
    if (ga_slabs_fit(big, 2)) ga_clear_error();

    /* 2. Slabs of two thirds of a megabyte, three of which are alive at most. */
    ga_slabs *s = ga_slabs_npy(big, &(ga_slab_options){.memory = 2 << 20});
    if (!s) return 1;
    printf("%lld rows in %lld slabs of %lld\n", (long long)s->shape[0],
           (long long)s->count, (long long)s->rows);

    /* 3. By columns, in one pass each; of all elements, in two. */
    ga_print_options how = ga_get_print_options();
    how.precision = 3;
    ga_set_print_options(how);
    printf("mean "), ga_print(ga_slabs_mean(s, GA_AXIS(0)));
    printf("std  "), ga_print(ga_slabs_std(s, GA_AXIS(0), 1));
    const double q[] = {0.05, 0.5, 0.95};
    printf("5, 50 and 95 %% "), ga_print(ga_slabs_quantile(s, q, 3));
    printf("in bins "), ga_print(ga_slabs_histogram(s, 5, -25, 25, NULL));

    /* 4. Into a file of the same size, and a function's count. */
    GA_SLABS_EVAL_NPY(scaled, tanh(x/10), x, s);
    ga_slabs *t = ga_slabs_npy(scaled, NULL);
    printf("tanh: mean %.6f\n", ga_item(ga_slabs_mean(t, GA_ALL)));
    double far = 0;
    ga_slabs_each(s, count_far, &far);
    printf("%.0f rows have an element beyond 20\n", far);
    ga_slabs_free(s);
    ga_slabs_free(t);
    remove(scaled);
    remove(big);
    return ga_error() != GA_OK;
}
