/* 04_timings.c - the same decomposition on the CPU and on the GPU, timed.

   You learn to
     1. draw random matrices, in float64 and float32
     2. run one function on two devices
     3. time GPU work so that the number means something: wait for the result,
        and keep the first call apart from the others
     4. check what was timed: U diag(S) Vh must be the matrix again

   The task: the singular value decomposition A = U S Vh with all of U and Vh,
   of three matrices with nine million elements each. Two have the same shape
   and differ in precision; the third has the same precision as the second and
   another shape. Which change pays more?

     04_timings [SCALE]

   SCALE divides rows and columns; without it sizes are 3000x3000 and
   9000x1000, which takes some seconds on a CPU with many cores, longer on a
   small one. Where there is no GPU only the CPU's column is printed.       */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>

typedef struct timing {
    double first, best;                     /* seconds                      */
    double error;                           /* of the last result           */
} timing;

/* |A - U S Vh| / |A|: some n times the precision where all is well. */
static double residual(const ga_array *a, const ga_array *u, const ga_array *s,
                       const ga_array *vh) {
    GA_SCOPE;
    /* U has as many columns as rows; those without a singular value count
       for nothing, and u * s scales the columns of the others.             */
    int64_t k = s->shape[0];
    ga_array *us = ga_mul(ga_slice_axis(u, 1, 0, k, 1), s);
    ga_array *back = ga_matmul(us, ga_slice_axis(vh, 0, 0, k, 1));
    return ga_item(ga_norm(ga_sub(a, back), GA_NORM, GA_ALL))
           / ga_item(ga_norm(a, GA_NORM, GA_ALL));
}

/* The SVD of a random (m,n) matrix on the current device. */
static timing time_svd(int64_t m, int64_t n, ga_dtype t) {
    GA_SCOPE;
    timing r = {0, INFINITY, 0};
    ga_random_seed(1);                      /* the same matrix everywhere   */
    ga_array *a = ga_random(GA_SHAPE(m, n), t);
    double spent = 0;
    for (int i = 0; i < 4 && (i < 2 || spent < 4); i++) {
        GA_SCOPE;                           /* frees u, s, vh each time     */
        ga_array *u, *s, *vh;
        /* Calls may return before the work is done. Wait before the clock is
           read, or the time is that of asking for it.                      */
        ga_synchronize();
        double start = ga_time();
        ga_svd(a, true, &u, &s, &vh);
        ga_synchronize();
        double took = ga_time() - start;
        spent += took;
        /* The first call also opens libraries, loads their kernels and makes
           the allocator grow. That belongs to what a user waits for, but
           not to what the routine takes.                                   */
        if (i == 0) r.first = took;
        else r.best = fmin(r.best, took);
        r.error = residual(a, u, s, vh);
    }
    return r;
}

int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    long long scale = argc > 1 ? atoll(argv[1]) : 1;
    if (scale < 1 || scale > 1000) {
        fprintf(stderr, "04_timings: SCALE is a number from 1 to 1000\n");
        return 2;
    }
    static const struct { long long m, n; ga_dtype t; } task[] = {
        {3000, 3000, GA_FLOAT64}, {3000, 3000, GA_FLOAT32},
        {9000, 1000, GA_FLOAT32}};
    bool gpu = ga_device_count() > 0 && ga_device() != GA_CPU, good = true;
    int device = ga_device();

    printf("Singular value decomposition, full U and Vh; seconds\n\n");
    printf("%-20s %8s %8s", "", "CPU", "(first)");
    if (gpu) printf(" %8s %8s %9s", "GPU", "(first)", "speed-up");
    puts("");
    for (int i = 0; i < 3; i++) {
        long long m = (task[i].m + scale - 1) / scale;
        long long n = (task[i].n + scale - 1) / scale;
        printf("%4lldx%-4lld %-10s", m, n, ga_dtype_name(task[i].t));
        fflush(stdout);
        timing c, g = {0, 0, 0};
        {
            GA_DEVICE(GA_CPU);
            c = time_svd(m, n, task[i].t);
        }
        printf(" %8.3f %8.3f", c.best, c.first);
        fflush(stdout);
        if (gpu) {
            GA_DEVICE(device);
            g = time_svd(m, n, task[i].t);
            printf(" %8.3f %8.3f %8.1fx", g.best, g.first, c.best / g.best);
        }
        puts("");
        double eps = task[i].t == GA_FLOAT64 ? 0x1p-52 : 0x1p-23;
        good &= fmax(c.error, g.error) < 30 * eps * (double)(m > n ? m : n);
    }
    if (!gpu)
        puts("\nThe GPU's columns are missing: there is no usable CUDA device "
             "here, or\nGPUARR_DEVICE=cpu asked for the CPU.");
    printf("\nU S Vh is the matrix again, to its precision: %s\n",
           good ? "yes" : "NO");
    return good ? 0 : 1;
}
