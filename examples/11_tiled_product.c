/* 11_tiled_product.c - a kernel that is not worth writing: the counter-example.

   You learn to
     1. call kernels of your own from C: a .cu file beside the program has the
        kernel and a function with extern "C" that launches it
     2. share an element among threads through shared memory, by tiles
     3. let one kernel do two things, product and sums, without storing what
        is between them
     4. measure before you are proud of it

   The task is that of 05_matmul_sum: the column sums of A B. The kernel, in
   11_tiled_product.cu, is the one of the textbooks, and it saves the 280 MB of
   the product besides. The library's product and sum take several times less:
   cuBLAS keeps far more of a tile in registers than a textbook kernel does in
   shared memory. And who knows that the sum of a product is a product of sums
   (einsum does) needs neither.

     11_tiled_product [SCALE]

   SCALE divides the three lengths, 10000, 5000 and 7000. Without a GPU there
   is nothing to launch, and the program says so.                           */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdlib.h>

#ifdef GPUARR_NO_CUDA
int main(void) {
    puts("11_tiled_product: nothing to do without a CUDA device");
    return 0;
}
#else
#include "own_kernels.h"

/* Three ways, each to a new array. */
static ga_array *own(const ga_array *a, const ga_array *b) {
    ga_array *sums = ga_empty(GA_SHAPE(b->shape[1]), GA_FLOAT32);
    tiled_product_sums(a, b, sums);
    return sums;
}
static ga_array *library(const ga_array *a, const ga_array *b) {
    return ga_sum(ga_matmul(a, b), GA_AXIS(0));
}
static ga_array *einsum(const ga_array *a, const ga_array *b) {
    return ga_einsum("ij,jk->...k", a, b);
}

typedef ga_array *way(const ga_array *a, const ga_array *b);

/* The largest error of f relative to the sums of the float64 product. */
static double error_of(way *f, const ga_array *a, const ga_array *b) {
    GA_SCOPE;
    ga_array *want = library(ga_astype(a, GA_FLOAT64),
                             ga_astype(b, GA_FLOAT64));
    ga_array *off = ga_div(ga_sub(f(a, b), want), want);
    return ga_item(ga_max(ga_abs(off), GA_ALL));
}

int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    long long scale = argc > 1 ? atoll(argv[1]) : 1;
    if (scale < 1 || scale > 1000) {
        fprintf(stderr, "11_tiled_product: SCALE is a number from 1 to 1000\n");
        return 2;
    }
    if (ga_device() == GA_CPU) {
        puts("11_tiled_product: nothing to do without a CUDA device");
        return 0;
    }
    GA_SCOPE;
    ga_random_seed(987654321);
    ga_array *a = ga_random(GA_SHAPE(10000 / scale, 5000 / scale), GA_FLOAT32);
    ga_array *b = ga_random(GA_SHAPE(5000 / scale, 7000 / scale), GA_FLOAT32);

    static const struct { const char *name; way *f; } ways[] = {
        {"own kernel", own}, {"matmul, then sum", library}, {"einsum", einsum}};
    bool good = true;
    double mine = 0;
    for (int i = 0; i < 3; i++) {
        ga_bench t = {.samples = 10};
        while (ga_bench_next(&t)) {
            GA_SCOPE;
            ways[i].f(a, b);
        }
        double ms = t.best_ms;
        double error = error_of(ways[i].f, a, b);
        if (!i) mine = ms;
        printf("%-18s %9.3f ms  %7.1f times faster  error %.1e\n", ways[i].name,
               ms, mine / ms, error);
        good &= error < 1e-4;
    }
    /* Odd lengths leave tiles half empty; views have strides of their own. */
    ga_array *x = ga_slice(a, "1:, ::2"), *y = ga_slice(b, ":%d, ::-1",
                                                        (int)x->shape[1]);
    good &= error_of(own, x, y) < 1e-4;
    printf("all agree with the product in float64: %s\n", good ? "yes" : "NO");
    return good ? 0 : 1;
}
#endif
