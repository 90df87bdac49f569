/* 12_integration.c - an integral over ten thousand million points: one line, or
   a kernel of your own.

   You learn to
     1. reduce an expression over a grid that is never stored: the operands are
        a column and a row, the fused kernel does the rest
     2. do the same by a kernel of your own, with its threads' sums joined in
        shared memory (12_integration.cu)
     3. choose the precision by what the result needs, and see its price
     4. check a sum of 10^10 numbers

   The task: the integral of sin(x + y) over 0 <= x, y <= pi, by the midpoint
   rule with N points each way. Its value is 0, which proves little, but the
   integral along a row is 2 cos(x): each of the N row sums is held against it.

     12_integration [N]

   N is 102400 by default on a GPU, 4096 on a CPU.                          */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>
#ifndef GPUARR_NO_CUDA
#include "own_kernels.h"
#endif

static const double pi = 3.14159265358979323846;

/* The N midpoints of [0, pi]. */
static ga_array *midpoints(int64_t n) {
    double half = 0.5 * pi / (double)n;
    return ga_linspace(half, pi - half, n);
}

/* 1. x is (n,1) and y (n,): together (n,n), of which nothing is in memory. */
static ga_array *fused(int64_t n) {
    ga_array *y = ga_astype(midpoints(n), GA_FLOAT32);
    ga_array *x = ga_reshape(y, GA_SHAPE(n, 1));
    return GA_EVAL(sum(sin(x + y), axis=1), x, y);
}
#ifndef GPUARR_NO_CUDA
/* 2. */
static ga_array *own(int64_t n) {
    ga_array *rows = ga_empty(GA_SHAPE(n), GA_FLOAT32);
    integrate_rows(rows, false);
    return rows;
}
/* 3. Twice as many bits for x, y, the sine and the sum. */
static ga_array *own_float64(int64_t n) {
    ga_array *rows = ga_empty(GA_SHAPE(n), GA_FLOAT32);
    integrate_rows(rows, true);
    return rows;
}
#endif

typedef ga_array *way(int64_t n);

/* The rows' sum, in float64, on the host. */
static double integral_of(way *f, int64_t n) {
    GA_SCOPE;
    double h = pi / (double)n;
    return h * h * ga_item(ga_sum(ga_astype(f(n), GA_FLOAT64), GA_ALL));
}

/* 4. The largest difference of a row's integral and 2 cos(x). */
static double worst_row(way *f, int64_t n) {
    GA_SCOPE;
    ga_array *rows = f(n), *x = midpoints(n);
    double h = pi / (double)n;
    return ga_item(GA_EVAL(max(abs(h*rows - 2*cos(x))), h, rows, x));
}

int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    bool gpu = ga_device() != GA_CPU;
    long long n = argc > 1 ? atoll(argv[1]) : gpu ? 102400 : 4096;
    if (n < 1 || n > 1000000) {
        fprintf(stderr, "12_integration: N is a number from 1 to 1000000\n");
        return 2;
    }
    static const struct { const char *name; way *f; } ways[] = {
        {"GA_EVAL", fused},
#ifndef GPUARR_NO_CUDA
        {"own kernel", own}, {"own, float64", own_float64},
#endif
    };
    int count = gpu ? (int)(sizeof ways / sizeof *ways) : 1;
    printf("%lld x %lld points\n", n, n);
    bool good = true;
    for (int i = 0; i < count; i++) {
        double integral = 0, row = worst_row(ways[i].f, n);
        ga_bench t = {.wall = true, .samples = 10};
        while (ga_bench_next(&t)) integral = integral_of(ways[i].f, n);
        printf("%-13s %10.3f ms  integral %9.1e  worst row off by %.1e\n",
               ways[i].name, t.best_ms, integral, row);
        /* float32 has 7 digits, and a row adds n numbers; the midpoint rule
           itself is off by h^2 / 12.                                       */
        good &= fabs(integral) < 1e-5
                && row < 2e-6 + pi * pi / 12 / ((double)n * (double)n);
    }
    printf("every row's integral is 2 cos(x): %s\n", good ? "yes" : "NO");

    if (gpu) {                      /* and what the CPU device makes of it  */
        GA_SCOPE;
        ga_array *there;
        {
            GA_DEVICE(GA_CPU);
            there = fused(1000);
        }
        ga_array *want = ga_to_device(there, ga_device());
        for (int i = 0; i < count; i++) {
            ga_array *rows = ways[i].f(1000);
            double off = ga_item(GA_EVAL(max(abs(rows - want)), rows, want));
            good &= off < 1e-3;     /* of sums up to 637                    */
        }
        printf("as on the CPU device: %s\n", good ? "yes" : "NO");
    }
    return good ? 0 : 1;
}
