/* 21_l_curve.c - ridge regression of a sparse system, ten times at once.

   You learn to
     1. make a sparse matrix: ga_sparse_random
     2. solve for many regularisations in one go: ga_lsmr_many
     3. read what a solver tells: ga_solve_info
     4. draw points with their values beside them: ga_plot, ga_annotate

   min ||A x - b||^2 + c^2 ||x||^2 is solved for ten coefficients c between 0.1
   and 5000. The larger c, the shorter x and the larger the residual: drawn
   against each other, both logarithmic, they look like an L, and its corner is a
   good choice of c. The bidiagonalisation of A, which takes the time, is the
   same for all c.

       21_l_curve [rows and columns [PICTURE]]                              */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_sparse.h"
#include "gpuarr_plot.h"
#include <math.h>
#include <stdlib.h>

enum { COEFFICIENTS = 10 };

int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    const int64_t n = argc > 1 ? atoi(argv[1])
                      : ga_device() == GA_CPU ? 1500 : 15000;
    const char *picture = argc > 2 ? argv[2] : "build/l_curve.svg";

    /* 1. A tenth of its places are not 0; b is around 3. */
    ga_random_seed(1234);
    ga_sparse *a = ga_sparse_random(n, n, 0.1, GA_FLOAT32);
    ga_array *b = ga_random_normal(3, 1, GA_SHAPE(n), GA_FLOAT32);
    printf("%lld entries\n", (long long)a->nnz);

    /* 2. A row of x for each coefficient. */
    double c[COEFFICIENTS], residual[COEFFICIENTS], norm[COEFFICIENTS];
    for (int i = 0; i < COEFFICIENTS; i++)
        c[i] = 0.1 * pow(5e3 / 0.1, i / (COEFFICIENTS - 1.0));
    ga_solve_info info[COEFFICIENTS];
    ga_synchronize();
    const double start = ga_time();
    ga_array *x = ga_lsmr_many(a, b, c, COEFFICIENTS, NULL, info);
    const double end = ga_time();

    /* 3. Of (b; 0) - (A; c I) x a solver knows the length, not of b - A x. */
    printf("coefficient iterations   residual     norm\n");
    for (int i = 0; i < COEFFICIENTS; i++) {
        GA_SCOPE;
        ga_array *xi = ga_index_axis(x, 0, i);
        ga_array *r = ga_sub(ga_sparse_matmul(a, xi, 0), b);
        residual[i] = ga_item(ga_norm(r, 2, GA_ALL));
        norm[i] = ga_item(ga_norm(xi, 2, GA_ALL));
        printf("%11.4g %10lld %10.3g %8.3g\n", c[i],
               (long long)info[i].iterations, residual[i], norm[i]);
    }
    printf("%.3f s for all of them\n", end - start);

    /* 4. The curve. */
    GA_FIGURE(f, 1, 1);
    ga_plot(f, ga_asarray(residual, GA_SHAPE(COEFFICIENTS)),
            ga_asarray(norm, GA_SHAPE(COEFFICIENTS)), "o--", NULL);
    for (int i = 0; i < COEFFICIENTS; i++) {
        char text[20];
        snprintf(text, sizeof text, "%.4g", c[i]);
        ga_annotate(f, residual[i], norm[i], text);
    }
    ga_xlabel(ga_ylabel(f, "length of x"), "length of A x - b");
    ga_axes_scale(ga_title(f, "ridge regression, by its coefficient"),
                  GA_LOG_X | GA_LOG_Y);
    ga_savefig(f, picture);
    printf("picture: %s\n", picture);
}
