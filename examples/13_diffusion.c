/* 13_diffusion.c - a simulation, three ways: expressions on slices, the same in
   a graph, and a kernel of your own.

   You learn to
     1. write a difference formula as one expression with slices
     2. record many small steps in a graph and replay them: no call costs
     3. do better by a kernel that takes several steps at once, and why
        (13_diffusion.cu)
     4. make a field by Fourier transforms, and images of arrays

   The task: 1000 steps u -= 0.25 * L u, where the Laplacian L u is 4 u minus
   the four neighbours, and around the field all is 0. The field is float32,
   2000 by 2000: noise whose Fourier transform is weakened with the distance from
   frequency 0, so that it has hills of all sizes, cut to a circle; of these the
   highest 30 % are kept, so that there are edges to be washed out.

     13_diffusion [SIZE [PICTURE]]

   SIZE is 2000 on a GPU, 400 on a CPU (100 steps). PICTURE, build/diffusion.svg
   by default, shows the field before and after, and the last Laplacian.      */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_plot.h"
#include <stdlib.h>
#ifndef GPUARR_NO_CUDA
#include "own_kernels.h"
#endif

enum { RECORDED = 20 };             /* steps in a graph; an even number     */
static const float k = 0.25f;

/* The field in a frame of zeros, twice: a step reads one and writes the other. */
typedef struct half { ga_array *all, *inner; } half;
typedef struct field { half a, b; } field;

static half half_new(int64_t rows, int64_t cols) {
    ga_array *x = ga_zeros(GA_SHAPE(rows + 2, cols + 2), GA_FLOAT32);
    return (half){x, ga_slice(x, "1:-1, 1:-1")};
}
static field field_new(const ga_array *start) {
    field f = {half_new(start->shape[0], start->shape[1]),
               half_new(start->shape[0], start->shape[1])};
    ga_assign(f.a.inner, start);
    return f;
}

/* 1. One kernel, which reads u five times (from the cache) and writes v. The
   text is a string because of the commas in brackets.                      */
static void step(ga_array *u, ga_array *v) {
    GA_EVAL_SET("v[1:-1, 1:-1] = u[1:-1, 1:-1]"
                " - k*(4*u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1]"
                "      - u[1:-1, :-2] - u[1:-1, 2:])", u, v, k);
}
static void by_steps(field *f, int steps) {
    for (int i = 0; i < steps; i += 2) {
        step(f->a.all, f->b.all);
        step(f->b.all, f->a.all);
    }
}

/* 2. A graph is made from a function; the loop runs once, to be recorded. */
static void recorded(void *arg) { by_steps(arg, RECORDED); }
static void by_graph(field *f, int steps) {
    ga_graph *g = ga_graph_create(recorded, f);
    for (int i = 0; i < steps; i += RECORDED) ga_graph_launch(g);
    ga_graph_destroy(g);
}

/* 3. */
#ifndef GPUARR_NO_CUDA
static void by_kernel(field *f, int steps) {
    diffuse(f->a.inner, f->b.inner, k, steps);
}
#endif

static ga_array *laplacian(const field *f) {
    return GA_EVAL("4*u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1]"
                   " - u[1:-1, :-2] - u[1:-1, 2:]", (u, f->a.all));
}

/* 4. Frequency 0 is moved to the middle, weakened around it, and moved back. */
static ga_array *random_field(int64_t rows, int64_t cols) {
    GA_SCOPE;
    ga_random_seed(3966789);
    ga_array *f = ga_random(GA_SHAPE(rows, cols), GA_FLOAT32);
    ga_array *y = ga_subtract(ga_arange(0, rows, 1), rows / 2);
    ga_array *x = ga_subtract(ga_arange(0, cols, 1), cols / 2);
    y = ga_expand_dims(y, GA_AXIS(1));
    ga_array *radius = GA_EVAL(float32(1 + sqrt(x*x + y*y)), x, y);
    f = ga_fftshift(ga_fft2(f, GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD), GA_ALL);
    f = ga_ifftshift(ga_mul(f, ga_power(radius, -1.7)), GA_ALL);
    f = ga_real(ga_ifft2(f, GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD));
    f = ga_mul(f, ga_less(radius, 0.45 * (double)rows));
    ga_array *level = ga_percentile(f, 70, GA_ALL, GA_QUANTILE_LINEAR, GA_NONE);
    return ga_keep(GA_EVAL(where(f > level, f, 0), f, level));
}

typedef void way(field *f, int steps);

/* Milliseconds of `steps` from the start, and the field after them. */
static double time_it(way *run, const ga_array *start, int steps,
                      field *result) {
    ga_bench t = {.samples = 10};
    *result = field_new(start);
    while (ga_bench_next(&t)) {
        ga_assign(result->a.inner, start);
        run(result, steps);
    }
    return t.best_ms;
}

/* The largest difference, of values up to about 1. */
static double apart(ga_array *x, ga_array *y) {
    return ga_item(GA_EVAL(max(abs(x - y)), x, y));
}

int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    bool gpu = ga_device() != GA_CPU, good = true;
    int64_t size = argc > 1 ? atoll(argv[1]) : gpu ? 2000 : 400;
    const char *picture = argc > 2 ? argv[2] : "build/diffusion.svg";
    if (size < 10 || size > 20000) {
        fprintf(stderr, "13_diffusion: SIZE is a number from 10 to 20000\n");
        return 2;
    }
    int steps = gpu ? 1000 : 100;
    static const struct { const char *name; way *run; } ways[] = {
        {"GA_EVAL", by_steps}, {"GA_EVAL, in a graph", by_graph},
#ifndef GPUARR_NO_CUDA
        {"own kernel", by_kernel},
#endif
    };
    int count = gpu ? (int)(sizeof ways / sizeof *ways) : 2;

    ga_array *start = random_field(size, size);
    double top = ga_item(ga_max(start, GA_ALL));
    start = ga_div(start, top);
    field f[3];
    printf("%lld x %lld, %d steps\n", (long long)size, (long long)size, steps);
    for (int i = 0; i < count; i++) {
        double ms = time_it(ways[i].run, start, steps, &f[i]);
        double off = apart(f[i].a.inner, f[0].a.inner);
        printf("%-20s %9.3f ms  %8.2f us a step  off by %.1e\n", ways[i].name,
               ms, 1e3 * ms / steps, off);
        good &= off < 1e-5;
    }
    printf("all ways give the same: %s\n", good ? "yes" : "NO");

    /* Lengths that are no multiple of anything, against the CPU device. */
    ga_array *small = random_field(123, 77), *there;
    {
        GA_DEVICE(GA_CPU);
        field cpu = field_new(ga_to_device(small, GA_CPU));
        by_steps(&cpu, 60);
        there = cpu.a.inner;
    }
    ga_array *want = ga_to_device(there, ga_device());
    bool same = true;
    for (int i = 0; i < count; i++) {
        field g = field_new(small);
        ways[i].run(&g, 60);
        same &= apart(g.a.inner, want) < 1e-5 && apart(small, want) > 1e-2;
    }
    printf("as on the CPU device: %s\n", same ? "yes" : "NO");

    field *last = &f[count - 1];
    ga_array *l = laplacian(last);
    double dev = ga_item(ga_std(l, GA_ALL, 0));
    printf("standard deviation %.3f before, %.3f after\n",
           ga_item(ga_std(start, GA_ALL, 0)),
           ga_item(ga_std(last->a.inner, GA_ALL, 0)));
    GA_FIGURE(p, 1, 3);
    ga_title(ga_imshow(p, start, 0), "before");
    ga_title(ga_imshow(ga_subplot(p, 0, 1), last->a.inner, 0), "after");
    ga_title(ga_imshow(ga_subplot(p, 0, 2), l, 0), "Laplacian");
    ga_clim(p, -2 * dev, 2 * dev);
    ga_savefig(p, picture);
    return good && same ? 0 : 1;
}
