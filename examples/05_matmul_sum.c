/* 05_matmul_sum.c - one result, two ways to ask for it, and what they cost.

   You learn to
     1. multiply matrices, and sum over an axis of the product
     2. say the same with Einstein's summation, and why that is so much faster
     3. compare two results within a tolerance, as numpy.allclose does
     4. see what precision a computation has: float32 against float64

   The task: the column sums of A B, with A of 10000x5000 and B of 5000x7000.
   The first way takes it literally: it makes the product, 7e11 operations on
   10000x7000 numbers, and sums its columns. The second writes
   "ij,jk->...k": i occurs in A alone and not in the result, so A may be summed
   over i before anything is multiplied, and a vector times B is left. It is
   einsum's business to see that.

     05_matmul_sum [SCALE]

   SCALE divides the three lengths. Its default is 1 on a GPU and 10 on a CPU.
   Each way is done ten times, after one to warm up, and the result brought to
   the host each time. 04_timings.c explains the timing.                    */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>

enum { TIMES = 10 };

/* 1. */
static ga_array *by_matmul(const ga_array *a, const ga_array *b) {
    return ga_sum(ga_matmul(a, b), GA_AXIS(0));
}
/* 2. */
static ga_array *by_einsum(const ga_array *a, const ga_array *b) {
    return ga_einsum("ij,jk->...k", a, b);
}

/* TIMES times f, the sums to the host each time; seconds of all. */
static double time_it(ga_array *(*f)(const ga_array *, const ga_array *),
                      const ga_array *a, const ga_array *b, void *host) {
    double start = 0;
    for (int i = 0; i <= TIMES; i++) {
        GA_SCOPE;               /* the product goes before the next is made */
        if (i == 1) start = ga_time();
        ga_asnumpy(f(a, b), host);
    }
    return ga_time() - start;
}

/* 3. All |x - y| <= tolerance + tolerance |y|. */
static bool all_close(const ga_array *x, const ga_array *y, double tolerance) {
    GA_SCOPE;
    ga_array *allowed = ga_add(ga_mul(ga_abs(y), tolerance), tolerance);
    ga_array *off = ga_abs(ga_sub(x, y));
    return ga_item(ga_all(ga_less_equal(off, allowed), GA_ALL)) != 0;
}

/* Both ways with random matrices of dtype t; false where they disagree. */
static bool compare(int64_t m, int64_t k, int64_t n, ga_dtype t) {
    GA_SCOPE;
    printf("\n%s\n", ga_dtype_name(t));
    ga_random_seed(987654321);
    ga_array *a = ga_random(GA_SHAPE(m, k), t);
    ga_array *b = ga_random(GA_SHAPE(k, n), t);
    void *one = malloc((size_t)n * ga_dtype_size(t));
    void *two = malloc((size_t)n * ga_dtype_size(t));
    if (!one || !two) {
        perror("05_matmul_sum");
        exit(1);
    }
    double t1 = time_it(by_matmul, a, b, one);
    printf("  matmul, then sum  %10.4f s for %d\n", t1, TIMES);
    double t2 = time_it(by_einsum, a, b, two);
    printf("  einsum            %10.4f s for %d, %.0f times faster\n", t2,
           TIMES, t1 / t2);

    /* 4. The two add in another order, so the last digits differ. Float64
       has 16 of them and agrees to 1e-8; float32 has 7 and cannot, but
       agrees to 1e-4.                                                      */
    ga_array *x = ga_asarray_as(one, t, GA_SHAPE(n));
    ga_array *y = ga_asarray_as(two, t, GA_SHAPE(n));
    bool tight = all_close(x, y, 1e-8), loose = all_close(x, y, 1e-4);
    printf("  all sums agree within 1e-8: %s\n", tight ? "yes" : "no");
    printf("  all sums agree within 1e-4: %s\n", loose ? "yes" : "no");
    free(one);
    free(two);
    return loose && (tight || t == GA_FLOAT32);
}

int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    bool cpu = ga_device() == GA_CPU;
    long long scale = argc > 1 ? atoll(argv[1]) : cpu ? 10 : 1;
    if (scale < 1 || scale > 1000) {
        fprintf(stderr, "05_matmul_sum: SCALE is a number from 1 to 1000\n");
        return 2;
    }
    long long m = 10000 / scale, k = 5000 / scale, n = 7000 / scale;
    ga_device_properties p;
    ga_device_info(ga_device(), &p);
    printf("column sums of (%lldx%lld) (%lldx%lld) on %s\n", m, k, k, n,
           p.name);
    bool good = compare(m, k, n, GA_FLOAT32);
    good = compare(m, k, n, GA_FLOAT64) && good;
    printf("\nboth ways agree: %s\n", good ? "yes" : "NO");
    return good ? 0 : 1;
}
