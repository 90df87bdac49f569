/* 25_recorded.c - expressions compiled ahead, from a run.

   You learn to
     1. record the kernels that a program needs, and link them
     2. see which way an expression goes, and why

   GA_EVAL runs its text by an interpreter that is there already. A program
   that is run often can have a compiled kernel for each of its expressions
   instead: a run writes their source, a compiler makes an object of it, and
   linked it is used; nothing in the program changes. With make, in two steps:

       make build/cpu/recorded/examples/25_recorded.cu     a run that records
       make build/cpu/recorded/examples/25_recorded        with its kernels

   (build/cuda with a GPU), or by hand

       GPUARR_RECORD=fused.cu ./25_recorded
       c++ -x c++ -std=c++17 -O3 -DGPUARR_NO_CUDA -I. -c fused.cu     or nvcc
       cc 25_recorded.c fused.o kernels.o ...

   Look into the .cu file: each kernel stands under its expression.           */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdlib.h>
#include <time.h>

/* Runs e a few times; says how, and how long one run takes. */
static void run(const char *what, ga_expr *e, const ga_array *x,
                const ga_array *y) {
    ga_array *r = GA_EXPR_RUN(e, x, y);
    char *way = GA_EXPR_DESCRIBE(e, x, y);
    ga_synchronize();
    struct timespec a, b;
    timespec_get(&a, TIME_UTC);
    for (int i = 0; i < 10; i++) ga_free(GA_EXPR_RUN(e, x, y));
    ga_synchronize();
    timespec_get(&b, TIME_UTC);
    printf("%s: %.6f\n", what, ga_item(ga_mean(r, GA_ALL)));
    printf("  %s  %.3f ms\n", way,
           ((double)(b.tv_sec - a.tv_sec) * 1e3
            + (double)(b.tv_nsec - a.tv_nsec) * 1e-6) / 10);
    free(way);
}

int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    /* A Gaussian, a distance of rows, a piecewise function; of doubles, of
       rows and a column. Each is one kernel for these dtypes and layouts.   */
    ga_array *x = ga_reshape(ga_linspace(-3, 3, 1000000),
                             GA_SHAPE(1000, 1000));
    ga_array *y = ga_reshape(ga_linspace(0, 1, 1000), GA_SHAPE(1000, 1));
    static const struct { const char *name, *text; } of[] = {
        {"gaussian", "exp(-0.5*((x - y)/0.2)**2) / (0.2*sqrt(2*pi))"},
        {"piecewise", "where(x > y, x, 1.67*exp(x) - 1.67)"},
        {"distances", "sum((x - y)**2, axis=1)"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ga_expr *e = ga_expr_compile(of[i].text, "x, y");
        run(of[i].name, e, x, y);
        ga_expr_free(e);
    }
    return 0;
}
