/* 06_pca.c - four numbers a flower, drawn on two axes: principal components.

   You learn to
     1. find the directions in which a table varies most, by its SVD
     2. say how much of the variance each of them holds
     3. fix the signs that a decomposition leaves open
     4. turn results into a picture, with nothing but printf

     06_pca [out.svg]          default: build/iris_pca.svg; any browser shows it

   The table is examples/data/iris.npy: 150 irises, 50 each of three species,
   with the length and width of sepals and petals in centimetres (Fisher,
   1936; examples/data/README.md names source and licence). Nobody can look at
   four dimensions. Principal components are the two that show most.        */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_plot.h"
#include <math.h>
#include <stdlib.h>

/* 4. The flowers in the plane of the first two directions; 50 of each kind. */
static void draw(const char *path, const ga_array *points, double share_x,
                 double share_y) {
    static const char *const name[] = {"Iris setosa", "Iris versicolor",
                                       "Iris virginica"};
    static const char *const style[] = {"o", "s", "^"};
    char along[80], up[80];
    GA_FIGURE(f, 1, 1);
    for (int k = 0; k < 3; k++) {
        ga_array *kind = ga_slice_axis(points, 0, 50 * k, 50 * k + 50, 1);
        ga_plot(f, ga_slice(kind, ":, 0"), ga_slice(kind, ":, 1"), style[k], name[k]);
    }
    snprintf(along, sizeof along, "first component, cm (%.1f%% of the variance)",
             100 * share_x);
    snprintf(up, sizeof up, "second component, cm (%.1f%%)", 100 * share_y);
    ga_axes_scale(ga_ylabel(ga_xlabel(f, along), up), GA_EQUAL);
    ga_savefig(f, path);
}

int main(int argc, char **argv) {
    const char *out = argc > 1 ? argv[1] : "build/iris_pca.svg";
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_array *x = ga_load_npy("examples/data/iris.npy");

    /* 1. Centre the columns: what matters is how flowers differ, not how
       large they are. In X = U S Vh row k of Vh is then the k-th direction,
       a combination of the four measurements, and U S has every flower's
       coordinates along them. S falls: the first direction has most.       */
    ga_array *centred = ga_sub(x, ga_mean(x, GA_AXIS(0)));
    ga_array *u, *s, *vh;
    ga_svd(centred, false, &u, &s, &vh);

    /* 2. The variance along direction k is S[k]**2 / (n - 1).              */
    double n = (double)x->shape[0];
    ga_array *variance = ga_div(ga_square(s), n - 1);
    ga_array *share = ga_div(variance, ga_sum(variance, GA_ALL));

    /* 3. (U S) Vh is the same with a direction and its coordinates both
       reversed, and libraries differ in which they return. Agree on one: a
       direction's largest number shall be positive.                        */
    ga_array *reversed = ga_greater(ga_neg(ga_min(vh, GA_AXIS_KEEP(1))),
                                    ga_max(vh, GA_AXIS_KEEP(1)));
    ga_array *sign = ga_where(reversed, -1.0, 1.0);            /* (4, 1)    */
    vh = ga_mul(vh, sign);
    ga_array *points = ga_mul(ga_mul(u, s), ga_transpose(sign, GA_ALL));

    ga_print_options p = ga_get_print_options();
    p.precision = 4;
    p.suppress = true;
    ga_set_print_options(p);
    puts("directions (sepal length, width, petal length, width)");
    ga_print(vh);
    printf("variance  ");
    ga_print(variance);
    printf("share     ");
    ga_print(share);

    /* The coordinates are also what one gets by multiplying.               */
    ga_array *again = ga_matmul(centred, ga_transpose(vh, GA_ALL));
    double off = ga_item(ga_norm(ga_sub(points, again), INFINITY, GA_ALL));

    /* scikit-learn's PCA().fit(X).explained_variance_ratio_ */
    const double known[] = {0.92461872, 0.05306648, 0.01710261, 0.00521218};
    ga_array *differ = ga_sub(share, ga_asarray(known, GA_SHAPE(4)));
    bool same = ga_item(ga_max(ga_abs(differ), GA_ALL)) < 1e-8;
    printf("\nthe shares are scikit-learn's: %s\n", same ? "yes" : "NO");
    printf("U S is X V: %s\n", off < 1e-12 ? "yes" : "NO");

    draw(out, ga_slice(points, ":, :2"), ga_item_at(share, GA_INDEX(0)),
         ga_item_at(share, GA_INDEX(1)));
    printf("picture: %s\n", out);
    return same && off < 1e-12 ? 0 : 1;
}
