/* 24_gradient.c - two classifiers of Fisher's irises, fitted by gradients.

   You learn to
     1. have a loss and its gradients from one expression: grad in GA_EVAL_SET
     2. fit a logistic regression with them, a line of code a step
     3. go back through a network by GA_GRAD and matrix products
     4. check a gradient against finite differences, and take it twice

   The data is 02_npy's: 150 flowers, four measurements, three species. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>

enum { FLOWERS = 150, HIDDEN = 8, KINDS = 3 };

/* Each column less its mean, over its deviation. */
static ga_array *standardised(const ga_array *x) {
    return GA_EVAL((x - mean(x, axis=0))/std(x, axis=0), x);
}

/* Virginica, y = 1, against versicolor, -1, by the signs of x w + b. */
static void logistic(const ga_array *flowers) {
    GA_SCOPE;
    ga_array *x = standardised(ga_slice(flowers, "50:"));
    ga_array *y = ga_where(ga_less(ga_arange(0, 100, 1), 50), -1.0, 1.0);
    ga_array *w = ga_zeros(GA_SHAPE(4), GA_FLOAT64);
    ga_array *b = ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT64), *loss = ga_copy(b);
    puts("logistic regression");
    for (int step = 0; step <= 2000; step++) {
        /* log(1 + exp(-y(x w + b))) on average, and a little of |w|^2       */
        GA_EVAL_SET(L = mean(logaddexp(0, -y*(sum(x*w, axis=1) + b)))
                        + 0.002*sum(w**2);
                    loss = L; w = w - grad(L, w); b = b - grad(L, b),
                    loss, w, b, x, y);
        if (step % 1000 == 0) printf("   step %4d: loss %.6f\n", step, ga_item(loss));
    }
    ga_array *right = GA_EVAL(count_nonzero(y*(sum(x*w, axis=1) + b) > 0), x, y, w, b);
    printf("   %lld of 100 right; weights ", (long long)ga_item_i64(right));
    ga_print(ga_round(w, 3));
}

/* tanh(x w1 + b1) w2 + b2 are the scores of three species. The products are
   calls; what is between them is an expression, and GA_GRAD goes back through
   it: of an array with what comes from behind as its weight.               */
typedef struct network { ga_array *w1, *b1, *w2, *b2; } network;
static ga_array *losses(const network *n, const ga_array *x, const ga_array *species,
                        network *g) {
    ga_array *b1 = n->b1, *b2 = n->b2, *loss, *last[2], *first[2];
    ga_array *z = ga_matmul(x, n->w1), *h = GA_EVAL(tanh(z + b1), z, b1);
    ga_array *s = ga_matmul(h, n->w2);
    GA_GRAD(&loss, last, p = s + b2;
            mean(log(sum(exp(p), axis=1)) - sum(p, axis=1, where=species)),
            s, b2, species);
    ga_array *dh = ga_matmul(last[0], ga_transpose(n->w2, GA_ALL));
    GA_GRAD(NULL, first, dh*tanh(z + b1), z, b1, dh);
    g->w2 = ga_matmul(ga_transpose(h, GA_ALL), last[0]);
    g->b2 = last[1];
    g->w1 = ga_matmul(ga_transpose(x, GA_ALL), first[0]);
    g->b1 = first[1];
    return loss;
}
/* The largest difference of a gradient from (L(w + e) - L(w - e))/2e. */
static double off(const network *n, const ga_array *x, const ga_array *species,
                  ga_array *w, const ga_array *gradient) {
    double most = 0;
    for (int64_t i = 0; i < w->size; i++) {
        GA_SCOPE;
        network g;
        ga_array *at = ga_slice(ga_reshape(w, GA_SHAPE(-1)), "%d", (int)i);
        const double was = ga_item(at), e = 1e-5;
        ga_assign(at, was + e);
        double up = ga_item(losses(n, x, species, &g));
        ga_assign(at, was - e);
        double down = ga_item(losses(n, x, species, &g));
        ga_assign(at, was);
        double d = ga_item(ga_slice(ga_reshape(gradient, GA_SHAPE(-1)), "%d", (int)i));
        most = fmax(most, fabs((up - down)/(2*e) - d));
    }
    return most;
}
static void train(const ga_array *flowers) {
    GA_SCOPE;
    ga_random_seed(1);
    ga_array *x = standardised(flowers);
    ga_array *of = ga_floor_divide(ga_arange(0, FLOWERS, 1), FLOWERS/KINDS);
    ga_array *species = ga_equal(ga_expand_dims(of, GA_AXIS(1)), ga_arange(0, KINDS, 1));
    network n = {ga_random_normal(0, 0.5, GA_SHAPE(4, HIDDEN), GA_FLOAT64),
                 ga_zeros(GA_SHAPE(HIDDEN), GA_FLOAT64),
                 ga_random_normal(0, 0.5, GA_SHAPE(HIDDEN, KINDS), GA_FLOAT64),
                 ga_zeros(GA_SHAPE(KINDS), GA_FLOAT64)}, g;
    ga_array *at[] = {n.w1, n.b1, n.w2, n.b2};
    puts("a network of 8 hidden units");
    losses(&n, x, species, &g);
    ga_array *of_these[] = {g.w1, g.b1, g.w2, g.b2};
    double most = 0;
    for (int i = 0; i < 4; i++)
        most = fmax(most, off(&n, x, species, at[i], of_these[i]));
    printf("   gradients as finite differences say: %s\n", most < 1e-9 ? "yes" : "no");
    double loss = 0;
    for (int step = 0; step <= 1000; step++) {
        GA_SCOPE;
        ga_array *L = losses(&n, x, species, &g);
        ga_array *d[] = {g.w1, g.b1, g.w2, g.b2};
        for (int i = 0; i < 4; i++) {
            ga_array *w = at[i], *dw = d[i];
            GA_EVAL_INTO(w, w - 0.5*dw, w, dw);
        }
        if (step % 500 == 0) loss = ga_item(L);
    }
    ga_array *h = ga_tanh(ga_add(ga_matmul(x, n.w1), n.b1));
    ga_array *said = ga_argmax(ga_add(ga_matmul(h, n.w2), n.b2), GA_AXIS(1));
    printf("   loss below 0.05: %s, at least 147 of 150 right: %s\n",
           loss < 0.05 ? "yes" : "no",
           ga_item(ga_count_nonzero(ga_equal(said, of), GA_ALL)) >= 147 ? "yes" : "no");
}

int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_array *flowers = ga_load_npy(argc > 1 ? argv[1] : "examples/data/iris.npy");
    logistic(flowers);
    train(flowers);

    /* 4. A gradient is an expression, and has gradients. */
    ga_expr *f = ga_expr_compile("sin(x)*exp(x)", "x");
    ga_expr *slope = ga_expr_grad(f, "x"), *bend = ga_expr_grad(slope, "x");
    ga_array *x = ga_linspace(0, 1, 3);
    puts("sin(x) exp(x), its slope and its bend at 0, 0.5 and 1");
    ga_print(GA_EXPR_RUN(f, x));
    ga_print(GA_EXPR_RUN(slope, x));
    ga_print(GA_EXPR_RUN(bend, x));
    ga_expr_free(f);
    ga_expr_free(slope);
    ga_expr_free(bend);
}
