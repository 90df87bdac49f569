/* 22_many_gpus.c - one text on many ranks: threads, processes, several GPUs.

   You learn to
     1. start ranks: ga_comm_run, and what starts them
     2. draw random numbers that are the same for any number of ranks
     3. solve with a matrix whose rows are split: products and conjugate gradients
     4. compute with neighbours, whose rows travel meanwhile: ga_dist_map_overlap

   Every rank runs `work`. Its arrays of type ga_dist are parts of one whole, the
   others are the same on every rank. The printed digits do not depend on how many
   ranks there are.

     22_many_gpus                       a rank for each GPU; one on the CPU
     GPUARR_RANKS=4 22_many_gpus        four threads
     mpirun -n 4 22_many_gpus           compiled by mpicc -DGPUARR_USE_MPI, with
                                        the implementation in this file
     srun -n 4 22_many_gpus             the same                             */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_comm.h"

/* 2. Points in a square, counted in the circle: a whole number, so that no order
   of adding shows.                                                          */
static void monte_carlo(ga_comm *c) {
    GA_SCOPE;
    const int64_t n = 4000000;
    ga_comm_seed(c, 42);
    ga_dist *x = ga_dist_random(c, GA_SHAPE(n), GA_FLOAT64);
    ga_dist *y = ga_dist_random(c, GA_SHAPE(n), GA_FLOAT64);
    ga_array *in = ga_dist_count_nonzero(GA_DIST_EVAL(x*x + y*y < 1, x, y),
                                         GA_ALL);
    if (ga_comm_rank(c) == 0)
        printf("pi: %.6f\n", 4 * ga_item(in) / (double)n);
}

/* 3. The w of least |A w - y|^2 + |w|^2 by conjugate gradients on A^T A + 1:
   A and y are split, what has the length of w is everywhere.                */
static void ridge_regression(ga_comm *c) {
    GA_SCOPE;
    const int64_t rows = 20000, cols = 8;
    ga_dist *a = ga_dist_standard_normal(c, GA_SHAPE(rows, cols), GA_FLOAT64);
    ga_dist *noise = ga_dist_standard_normal(c, GA_SHAPE(rows), GA_FLOAT64);
    ga_array *truth = ga_arange_as(1, cols + 1, 1, GA_FLOAT64);
    ga_dist *y = ga_dist_matmul_whole(a, truth);
    y = GA_DIST_EVAL(y + 0.1*noise, y, noise);

    ga_array *w = ga_zeros(GA_SHAPE(cols), GA_FLOAT64);
    ga_array *r = ga_dist_inner(a, y), *p = r, *rr = ga_dot(r, r);
    for (int i = 0; i < 8; i++) {
        ga_array *q = ga_dist_inner(a, ga_dist_matmul_whole(a, p));
        q = ga_add(q, p);
        ga_array *alpha = ga_true_divide(rr, ga_dot(p, q));
        w = GA_EVAL(w + alpha*p, w, alpha, p);
        r = GA_EVAL(r - alpha*q, r, alpha, q);
        ga_array *before = rr;
        rr = ga_dot(r, r);
        p = GA_EVAL(r + rr/before*p, r, rr, before, p);
    }
    if (ga_comm_rank(c) == 0) {
        printf("w:");
        for (int i = 0; i < cols; i++)
            printf(" %.4f", ga_item_at(w, GA_INDEX(i)));
        printf("\n");
    }
}

/* 4. Heat on a ring of rows, cold at both ends of each: every step needs one row
   of either neighbour. `step` gets some rows of v, and of u those and one more on
   either side; it is called for the inner rows first.                       */
static ga_status step(ga_array *v, const ga_array *u, void *arg) {
    (void)arg;
    return GA_EVAL_SET(
        "v[:, 1:-1] = u[1:-1, 1:-1] + 0.2*(u[:-2, 1:-1] + u[2:, 1:-1]"
        " + u[1:-1, :-2] + u[1:-1, 2:] - 4*u[1:-1, 1:-1])", u, v);
}
static void diffusion(ga_comm *c) {
    GA_SCOPE;
    const int64_t n = 200;
    ga_dist *u = ga_dist_random(c, GA_SHAPE(n, n), GA_FLOAT32);
    ga_dist *v = ga_dist_like(u, ga_copy(u->local));
    double t = ga_time();
    for (int i = 0; i < 50; i++) {
        GA_SCOPE;
        ga_dist_map_overlap(v, u, 1, 1, true, step, NULL);
        ga_dist *swap = u;
        u = v;
        v = swap;
    }
    ga_array *mean = ga_dist_mean(u, GA_ALL), *most = ga_dist_max(u, GA_ALL);
    if (ga_comm_rank(c) == 0) {
        printf("heat: mean %.5f, largest %.5f\n", ga_item(mean), ga_item(most));
        printf("%d ranks, 50 steps in %.1f ms\n", ga_comm_size(c),
               (ga_time() - t) * 1e3);
    }
}

static ga_status work(ga_comm *c, void *arg) {
    (void)arg;
    monte_carlo(c);
    ridge_regression(c);
    diffusion(c);
    return ga_error();
}

int main(void) {
    /* 1. An error on one rank is an error here, with its words. */
    ga_on_error(GA_PRINT);
    return ga_comm_run(0, work, NULL) != GA_OK;
}
