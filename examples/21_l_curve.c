/* 21_l_curve.c - ridge regression of a sparse system, ten times at once.

   You learn to
     1. make a sparse matrix: ga_sparse_random
     2. solve for many regularisations in one go: ga_lsmr_many
     3. multiply it with a vector: ga_sparse_matmul
     4. read what a solver tells: ga_solve_info

   min ||A x - b||^2 + c^2 ||x||^2 is solved for ten coefficients c between 0.1
   and 5000. The larger c, the shorter x and the larger the residual: drawn
   against each other, both logarithmic, they look like an L, and its corner is a
   good choice of c. The bidiagonalisation of A, which takes the time, is the
   same for all c.

       21_l_curve [rows and columns]                                        */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_sparse.h"
#include <math.h>
#include <stdlib.h>

enum { COEFFICIENTS = 10 };

int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    const int64_t n = argc > 1 ? atoi(argv[1]) : 1500;

    /* 1. A tenth of its places are not 0; b is around 3. */
    ga_random_seed(1234);
    ga_sparse *a = ga_sparse_random(n, n, 0.1, GA_FLOAT32);
    ga_array *b = ga_random_normal(3, 1, GA_SHAPE(n), GA_FLOAT32);
    printf("%lld entries\n", (long long)a->nnz);

    /* 2. A row of x for each coefficient. */
    double c[COEFFICIENTS];
    for (int i = 0; i < COEFFICIENTS; i++)
        c[i] = 0.1 * pow(5e3 / 0.1, i / (COEFFICIENTS - 1.0));
    ga_solve_info info[COEFFICIENTS];
    const double start = ga_time();
    ga_array *x = ga_lsmr_many(a, b, c, COEFFICIENTS, NULL, info);

    /* 3, 4. The curve's points. */
    printf("coefficient   residual     norm\n");
    for (int i = 0; i < COEFFICIENTS; i++) {
        GA_SCOPE;
        ga_array *xi = ga_index_axis(x, 0, i);
        ga_array *r = ga_sub(ga_sparse_matmul(a, xi, 0), b);
        printf("%11.4g %10.3g %8.3g\n", c[i], ga_item(ga_norm(r, 2, GA_ALL)),
               ga_item(ga_norm(xi, 2, GA_ALL)));
    }
    printf("%.3f s, %lld iterations for the smallest coefficient\n",
           ga_time() - start, (long long)info[0].iterations);
}
