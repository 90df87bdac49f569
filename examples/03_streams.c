/* 03_streams.c - doing two things at once: copies and kernels on two streams.

   You learn to
     1. allocate pinned host memory, the kind a GPU can copy while C and the
        kernels go on
     2. put work on a stream of its own, in a block
     3. time work with events, on the device's clock
     4. see from the times whether two streams did overlap

   A GPU has engines for copying beside its multiprocessors. One stream is one
   queue: a copy and a kernel in it take turns. Two streams let them run
   together, and the time of both comes near the longer one instead of the
   sum. The library sees to it that this is never a race: a stream that uses
   an array which another one is still writing waits for it.

   On the CPU device a call has done its work when it returns; streams and
   events are accepted and keep their order, so the same program runs, but
   there is nothing to overlap and both together take the sum.              */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>

enum { REPEATS = 5 };
typedef struct work {
    float *pinned, *back;       /* host memory: source and destination      */
    int64_t n;                  /* floats to copy up and down               */
    ga_array *x;                /* what the kernels work on                 */
    int passes;
} work;

/* Up and down again: two transfers, no kernel. */
static void copies(work *w) {
    GA_SCOPE;
    ga_array *up = ga_asarray_async(w->pinned, GA_FLOAT32, GA_SHAPE(w->n));
    ga_asnumpy_async(up, w->back);
}

/* x = sin(x) + 1, again and again: kernels, no transfer. */
static void kernels(work *w) {
    for (int i = 0; i < w->passes; i++) {
        ga_sin_into(w->x, w->x);
        ga_add_into(w->x, w->x, 1);
    }
}

/* Milliseconds of f alone on stream s; the best of several runs. */
static double alone(void (*f)(work *), work *w, ga_stream *s) {
    ga_event *a = ga_event_create(), *b = ga_event_create();
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        GA_STREAM(s);
        ga_event_record(a, s);
        f(w);
        ga_event_record(b, s);
        best = fmin(best, ga_event_elapsed(a, b));      /* waits for b      */
    }
    ga_event_destroy(a);
    ga_event_destroy(b);
    return best;
}

/* Milliseconds from a common start until both streams are done. */
static double together(work *w, ga_stream *s, ga_stream *t) {
    ga_event *a = ga_event_create(), *b = ga_event_create();
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        ga_event_record(a, s);
        ga_stream_wait(t, a);                           /* t starts with s  */
        {
            GA_STREAM(s);
            copies(w);
        }
        {
            GA_STREAM(t);
            kernels(w);
        }
        ga_event_record(b, t);
        ga_stream_wait(s, b);                           /* s ends with t    */
        ga_event_record(b, s);
        best = fmin(best, ga_event_elapsed(a, b));
    }
    ga_event_destroy(a);
    ga_event_destroy(b);
    return best;
}

int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    bool gpu = ga_device() != GA_CPU;
    ga_device_properties p;
    ga_device_info(ga_device(), &p);
    printf("device: %s\n", p.name);

    work w = {.n = gpu ? 64 << 20 : 4 << 20, .passes = 1};
    w.pinned = ga_pinned_alloc((size_t)w.n * sizeof *w.pinned);
    w.back = ga_pinned_alloc((size_t)w.n * sizeof *w.back);
    for (int64_t i = 0; i < w.n; i++) w.pinned[i] = (float)(i % 1000);
    w.x = ga_full(GA_SHAPE(gpu ? 16 << 20 : 1 << 20), 0.5, GA_FLOAT32);

    ga_stream *s = ga_stream_create(0), *t = ga_stream_create(0);
    copies(&w);                         /* warm-up: the first use of a      */
    kernels(&w);                        /* kernel loads it                  */
    ga_synchronize();

    /* As many passes as take about as long as the copies do. */
    double copy_ms = alone(copies, &w, s);
    double pass_ms = alone(kernels, &w, t);
    w.passes = (int)fmax(1, fmin(10000, copy_ms / pass_ms));
    double kernel_ms = alone(kernels, &w, t);
    double both_ms = together(&w, s, t);
    ga_stream_synchronize(s);

    printf("copies alone   %8.3f ms  (%lld MB up, then down)\n", copy_ms,
           (long long)(w.n * 4 / 1000000));
    printf("kernels alone  %8.3f ms  (%d passes)\n", kernel_ms, w.passes);
    printf("sum of the two %8.3f ms\n", copy_ms + kernel_ms);
    printf("both at once   %8.3f ms\n", both_ms);
    if (gpu)
        printf("overlap: %s (both at once is %.0f%% of the sum)\n",
               both_ms < 0.8 * (copy_ms + kernel_ms) ? "yes" : "no",
               100 * both_ms / (copy_ms + kernel_ms));
    else
        puts("the CPU device does each call's work before it returns: nothing "
             "overlaps");

    bool same = true;
    for (int64_t i = 0; i < w.n; i++) same &= w.back[i] == w.pinned[i];
    printf("what came back is what went up: %s\n", same ? "yes" : "NO");

    ga_stream_destroy(s);
    ga_stream_destroy(t);
    ga_pinned_free(w.pinned);
    ga_pinned_free(w.back);
    return same ? 0 : 1;
}
