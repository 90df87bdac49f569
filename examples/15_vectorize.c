/* 15_vectorize.c - a function of one number, applied to ten million.

   You learn to
     1. apply a formula to an array in C's own memory, by way of the GPU
     2. keep the array on the GPU, and see what the way there and back costs
     3. add two arrays of a hundred million numbers in C's memory
     4. tell when the GPU is worth the way

   GA_EVAL_HOST_INTO takes arrays on the CPU device and computes on the current
   one. On a GPU it cuts them in pieces: while one is computed the next comes
   up and the one before goes down, so that it takes about as long as the bus
   needs for the operands. cos(x)**2 + sin(x)**2 has enough to compute for each
   number that this is quicker than most CPUs; an addition has not, and where
   the sums are not needed on the GPU anyway, the CPU adds as fast as its
   memory can be read.

     15_vectorize [LENGTH]      of the long arrays; 10^8, without a GPU 10^6  */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>

static void give_back(void *p, void *unused) {
    (void)unused;
    free(p);
}
/* n floats of malloc's as an array on the CPU device, without a copy. */
static ga_array *host_array(int64_t n) {
    float *p = malloc((size_t)n * sizeof *p);
    if (!p) puts("no memory"), exit(1);
    for (int64_t i = 0; i < n; i++) p[i] = (float)(i % 1000) / 8;
    return ga_wrap(p, GA_FLOAT32, GA_SHAPE(n), NULL, GA_CPU, give_back, NULL);
}
/* The largest |x - y|; both are on the CPU. */
static double difference(const ga_array *x, const ga_array *y) {
    GA_SCOPE;
    GA_DEVICE(GA_CPU);
    return ga_item(GA_EVAL(max(abs(x - y)), x, y));
}
static void say(const char *what, ga_bench b, double bytes) {
    printf("   %-28s %9.3f ms  %7.1f GB/s  (first %.1f ms)\n", what, b.best_ms,
           bytes / b.best_ms * 1e-6, b.first_ms);
}
/* Both bench and check what they are given; the clock is the host's. */
#define BENCH(b, call) for (b = (ga_bench){.wall = true, .samples = 20};       \
                            ga_bench_next(&b);) call

int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_bench b;
    bool gpu = ga_device() != GA_CPU;
    int64_t n = gpu ? 10000000 : 1000000, long_n = gpu ? 100000000 : 1000000;
    if (argc > 1) long_n = atoll(argv[1]);
    ga_device_properties p;
    ga_device_info(ga_device(), &p);
    printf("on %s\n", p.name);

    /* 1. and 2. */
    ga_array *x = host_array(n), *y = host_array(n), *want = host_array(n);
    printf("cos(x)**2 + sin(x)**2 of %lld float32\n", (long long)n);
    BENCH(b, GA_EVAL_HOST_INTO(y, cos(x)**2 + sin(x)**2, x));
    say("host array to host array", b, 8.0 * (double)n);

    ga_array *dx = ga_to_device(x, ga_device()), *dy = ga_empty_like(dx);
    b = GA_BENCH(GA_EVAL_INTO(dy, cos(dx)**2 + sin(dx)**2, dx));
    say("device array", b, 8.0 * (double)n);
    {
        GA_DEVICE(GA_CPU);
        BENCH(b, GA_EVAL_INTO(want, cos(x)**2 + sin(x)**2, x));
        say("the CPU alone", b, 8.0 * (double)n);
    }
    ga_array *one = ga_to_device(dy, GA_CPU);
    printf("all agree: %s\n", difference(y, want) < 1e-6
                              && difference(one, want) < 1e-6 ? "yes" : "no");

    /* 3. and 4. */
    ga_array *u = host_array(long_n), *v = host_array(long_n);
    ga_array *w = host_array(long_n);
    printf("u + v of %lld float32\n", (long long)long_n);
    BENCH(b, GA_EVAL_HOST_INTO(w, u + v, u, v));
    say("host arrays to host array", b, 12.0 * (double)long_n);
    {
        GA_DEVICE(GA_CPU);
        ga_array *t = ga_empty_like(w);
        BENCH(b, GA_EVAL_INTO(t, u + v, u, v));
        say("the CPU alone", b, 12.0 * (double)long_n);
        printf("all agree: %s\n", difference(w, t) == 0 ? "yes" : "no");
    }
    return 0;
}
