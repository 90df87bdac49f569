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
#include <math.h>
#include <stdlib.h>

/* 4. Points (n,2) as an SVG file: circles in a box, in a colour for each
   third of the rows; a tick for every centimetre, alike on both axes.      */
enum { LEFT = 60, TOP = 40, WIDTH = 560, HEIGHT = 270 };
static void draw(const char *path, const ga_array *points, double share_x,
                 double share_y) {
    static const char *const colour[] = {"#0072b2", "#e69f00", "#009e73"};
    static const char *const name[] = {"setosa", "versicolor", "virginica"};
    GA_SCOPE;
    int64_t n = points->shape[0];
    double *p = ga_asnumpy(points, NULL);   /* C order: x, y, x, y ...      */
    double low[2], high[2];
    ga_asnumpy(ga_min(points, GA_AXIS(0)), low);
    ga_asnumpy(ga_max(points, GA_AXIS(0)), high);
    double scale = fmin((WIDTH - 30) / (high[0] - low[0]),
                        (HEIGHT - 30) / (high[1] - low[1]));
    double zero_x = LEFT + WIDTH / 2.0 - scale * (low[0] + high[0]) / 2;
    double zero_y = TOP + HEIGHT / 2.0 + scale * (low[1] + high[1]) / 2;

    FILE *f = fopen(path, "w");
    if (!f) {
        perror(path);
        exit(1);
    }
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 "
            "360\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"640\" height=\"360\" fill=\"white\"/>\n"
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#888\"/>\n", LEFT, TOP, WIDTH, HEIGHT);
    for (int k = -9; k <= 9; k++) {
        double x = zero_x + k * scale, y = zero_y - k * scale;
        if (x > LEFT && x < LEFT + WIDTH)
            fprintf(f, "<path d=\"M%.1f %d v-5\" stroke=\"#888\"/>"
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d"
                    "</text>\n", x, TOP + HEIGHT, x, TOP + HEIGHT + 16, k);
        if (y > TOP && y < TOP + HEIGHT)
            fprintf(f, "<path d=\"M%d %.1f h5\" stroke=\"#888\"/>"
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n",
                    LEFT, y, LEFT - 6, y + 4, k);
    }
    fprintf(f, "<text x=\"%d\" y=\"348\" text-anchor=\"middle\">first "
            "component, cm (%.1f%% of the variance)</text>\n",
            LEFT + WIDTH / 2, 100 * share_x);
    fprintf(f, "<text transform=\"translate(26 %d) rotate(-90)\" text-anchor="
            "\"middle\">second component, cm (%.1f%%)</text>\n",
            TOP + HEIGHT / 2, 100 * share_y);
    for (int64_t i = 0; i < n; i++)
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" "
                "fill-opacity=\"0.7\"/>\n", zero_x + scale * p[2 * i],
                zero_y - scale * p[2 * i + 1], colour[3 * i / n]);
    for (int k = 0; k < 3; k++)
        fprintf(f, "<circle cx=\"%d\" cy=\"22\" r=\"4\" fill=\"%s\"/>"
                "<text x=\"%d\" y=\"26\">Iris %s</text>\n", 64 + 120 * k,
                colour[k], 74 + 120 * k, name[k]);
    fprintf(f, "</svg>\n");
    fclose(f);
    free(p);
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
