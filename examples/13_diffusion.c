/* 13_diffusion.c - a simulation, three ways: expressions on slices, the same in
   a graph, and a kernel of your own.

   You learn to
     1. write a difference formula as one expression over shifted views
     2. record many small steps in a graph and replay them: no call costs
     3. do better by a kernel that takes several steps at once, and why
        (13_diffusion.cu)
     4. make images of arrays

   The task: 1000 steps u -= 0.25 * L u, where the Laplacian L u is 4 u minus
   the four neighbours, and around the field all is 0. The field is float32,
   2000 by 2000: waves of random direction and phase, the shorter the weaker, of
   which the highest 30 % are kept, so that there are edges to be washed out.
   (A Fourier transform of noise makes such fields as well.)

     13_diffusion [SIZE [PREFIX]]

   SIZE is 2000 on a GPU, 400 on a CPU (100 steps). PREFIX, build/diffusion_
   by default, begins the names of three images, of the field before and after
   and of the last Laplacian. They are written where libpng was found when this
   was built.                                                                */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>
#ifndef GPUARR_NO_CUDA
#include "own_kernels.h"
#endif
#ifdef WITH_PNG
#include <png.h>
#endif

enum { RECORDED = 20 };             /* steps in a graph; an even number     */
static const float k = 0.25f;

/* The field in a frame of zeros, twice: a step reads one and writes the other.
   Views of both are made once.                                             */
typedef struct half {
    ga_array *inner, *north, *south, *west, *east;
} half;
typedef struct field { half a, b; } field;

static half half_new(int64_t rows, int64_t cols) {
    ga_array *x = ga_zeros(GA_SHAPE(rows + 2, cols + 2), GA_FLOAT32);
    return (half){ga_slice(x, "1:-1, 1:-1"), ga_slice(x, ":-2, 1:-1"),
                  ga_slice(x, "2:, 1:-1"), ga_slice(x, "1:-1, :-2"),
                  ga_slice(x, "1:-1, 2:")};
}
static field field_new(const ga_array *start) {
    field f = {half_new(start->shape[0], start->shape[1]),
               half_new(start->shape[0], start->shape[1])};
    ga_assign(f.a.inner, start);
    return f;
}

/* 1. One kernel, which reads u five times (from the cache) and writes v. */
static void step(const half *from, const half *to) {
    ga_array *u = from->inner, *n = from->north, *s = from->south,
             *w = from->west, *e = from->east, *v = to->inner;
    GA_EVAL_INTO(v, u - k*(4*u - n - s - w - e), u, n, s, w, e, k);
}
static void by_steps(field *f, int steps) {
    for (int i = 0; i < steps; i += 2) {
        step(&f->a, &f->b);
        step(&f->b, &f->a);
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
    ga_array *u = f->a.inner, *n = f->a.north, *s = f->a.south,
             *w = f->a.west, *e = f->a.east;
    return GA_EVAL(4*u - n - s - w - e, u, n, s, w, e);
}

/* Waves a cos(p x + q y + phase), whose amplitude a falls as 1 / length^1.7 of
   the wave vector. Of a sum of many such, normally distributed, the highest
   30 % are those above 0.524 standard deviations.                          */
static ga_array *random_field(int64_t rows, int64_t cols) {
    enum { WAVES = 200 };
    GA_SCOPE;
    double wave[WAVES][3];
    ga_random_seed(3966789);
    ga_asnumpy(ga_random_uniform(-1, 1, GA_SHAPE(WAVES, 3), GA_FLOAT64), wave);
    ga_array *x = ga_linspace_as(0, 1, rows, true, GA_FLOAT32);
    ga_array *y = ga_linspace_as(0, 1, cols, true, GA_FLOAT32);
    ga_array *f = ga_zeros(GA_SHAPE(rows, cols), GA_FLOAT32);
    x = ga_expand_dims(x, GA_AXIS(1));
    for (int i = 0; i < WAVES; i++) {
        double p = 300 * wave[i][0] * fabs(wave[i][0]);
        double q = 300 * wave[i][1] * fabs(wave[i][1]);
        double phase = 3.14159 * wave[i][2];
        double a = pow(1 + hypot(p, q), -0.7);
        GA_EVAL_INTO(f, f + a*cos(p*x + q*y + phase), f, a, p, x, q, y, phase);
    }
    double level = ga_item(ga_mean(f, GA_ALL))
                   + 0.524 * ga_item(ga_std(f, GA_ALL, 0));
    return ga_keep(GA_EVAL(where(f > level, f, 0), f, level));
}

/* 4. The values from lo to hi as 256 greys. */
static void image(const char *prefix, const char *name, ga_array *x, double lo,
                  double hi) {
#ifdef WITH_PNG
    GA_SCOPE;
    char file[1000];
    snprintf(file, sizeof file, "%s%s.png", prefix, name);
    ga_array *grey = GA_EVAL(uint8(clip((x - lo) * (255/(hi - lo)), 0, 255)),
                             x, lo, hi);
    void *pixels = ga_asnumpy(grey, NULL);
    png_image p = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_GRAY,
                   .width = (png_uint_32)x->shape[1],
                   .height = (png_uint_32)x->shape[0]};
    if (png_image_write_to_file(&p, file, 0, pixels, 0, NULL))
        printf("  %s\n", file);
    else
        fprintf(stderr, "%s: %s\n", file, p.message);
    free(pixels);
#else
    (void)prefix, (void)name, (void)x, (void)lo, (void)hi;
#endif
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
    const char *prefix = argc > 2 ? argv[2] : "build/diffusion_";
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
#ifndef WITH_PNG
    puts("no images: libpng was not there when this was built");
#endif
    image(prefix, "before", start, 0, 1);
    image(prefix, "after", last->a.inner, 0, 1);
    image(prefix, "laplacian", l, -2 * dev, 2 * dev);
    return good && same ? 0 : 1;
}
