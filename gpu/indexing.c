#define _POSIX_C_SOURCE 200809L
#include "gpuarr.h"
#include <stdlib.h>
#include <time.h>
#include <cuda_runtime_api.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
#define TIME(name, times, ...) do { \
        double first = now(); \
        { GA_SCOPE; __VA_ARGS__; } ga_synchronize(); first = now() - first; \
        double best = 1e9; \
        for (int rep = 0; rep < 5; rep++) { \
            double t = now(); \
            for (int i = 0; i < times; i++) { GA_SCOPE; __VA_ARGS__; } \
            ga_synchronize(); t = (now() - t) / times; \
            if (t < best) best = t; \
        } \
        printf("gpuarr %-34s %9.4f ms (first %.2f)\n", name, best, first); \
    } while (0)
int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_random_seed(7);
    const int64_t n = 1 << 26;
    ga_array *x = ga_random(GA_SHAPE(n), GA_FLOAT32), *out = ga_empty_like(x);
    ga_array *y = ga_empty_like(x);
    TIME("copy 2^26 f32", 5, ga_assign(y, x));
    ga_array *i64 = ga_random_integers(0, n, GA_SHAPE(n), GA_INT64);
    ga_array *i32 = ga_astype(i64, GA_INT32);
    TIME("take 2^26 f32 i64", 5, ga_take_into(out, x, i64, GA_AXIS(0), 0));
    TIME("take 2^26 f32 i32", 5, ga_take_into(out, x, i32, GA_AXIS(0), 0));
    TIME("take 2^26 f32 i64 wrap", 5, ga_take_into(out, x, i64, GA_AXIS(0), GA_WRAP));
    ga_array *small = ga_random(GA_SHAPE(1 << 20), GA_FLOAT32);
    ga_array *is = ga_random_integers(0, 1 << 20, GA_SHAPE(n), GA_INT64);
    TIME("take 2^26 of 2^20 f32 i64", 5, ga_take_into(out, small, is, GA_AXIS(0), 0));
    ga_array *x8 = ga_astype(x, GA_FLOAT64), *out8 = ga_empty_like(x8);
    TIME("take 2^26 f64 i64", 5, ga_take_into(out8, x8, i64, GA_AXIS(0), 0));
    ga_array *m = ga_reshape(x, GA_SHAPE(8192, 8192)), *mo = ga_reshape(out, GA_SHAPE(8192, 8192));
    ga_array *p = ga_random_permutation(8192);
    TIME("take rows 8192x8192 f32", 5, ga_take_into(mo, m, p, GA_AXIS(0), 0));
    TIME("take cols 8192x8192 f32", 5, ga_take_into(mo, m, p, GA_AXIS(1), 0));
    ga_array *r8 = ga_reshape(x, GA_SHAPE(n / 8, 8)), *r8o = ga_reshape(out, GA_SHAPE(n / 8, 8));
    ga_array *p8 = ga_random_integers(0, n / 8, GA_SHAPE(n / 8), GA_INT64);
    TIME("take rows 2^23x8 f32", 5, ga_take_into(r8o, r8, p8, GA_AXIS(0), 0));
    ga_array *along = ga_random_integers(0, 8192, GA_SHAPE(8192, 8192), GA_INT64);
    TIME("take_along_axis -1 8192x8192", 5, ga_take_along_axis_into(mo, m, along, GA_AXIS(1)));
    TIME("take_along_axis 0 8192x8192", 5, ga_take_along_axis_into(mo, m, along, GA_AXIS(0)));
    ga_array *ir = ga_random_integers(0, 8192, GA_SHAPE(n / 4), GA_INT64);
    ga_array *ic = ga_random_integers(0, 8192, GA_SHAPE(n / 4), GA_INT64);
    ga_array *o4 = ga_slice(out, ":%d", (int)(n / 4));
    TIME("index(r, c) 2^24 of 8192^2", 5, ga_index_into(o4, m, GA_AT(ir, ic)));
    TIME("index_assign 2^26 f32", 3, ga_index_assign(y, GA_AT(i64), x));
    TIME("index_assign 2^20 into 2^26", 5, ga_index_assign(y, GA_AT(ga_slice(i64, ":1048576")), ga_slice(x, ":1048576")));
    TIME("scatter_add 2^26 of 2^26 FAST", 3, ga_scatter_add(y, GA_AT(i64), x, GA_FAST));
    TIME("scatter_add 2^26 of 2^20 FAST", 3, ga_scatter_add(small, GA_AT(is), x, GA_FAST));
    TIME("scatter_add 2^26 of 2^26", 3, ga_scatter_add(y, GA_AT(i64), x, 0));
    TIME("scatter_add 2^26 of 2^20", 3, ga_scatter_add(small, GA_AT(is), x, 0));
    ga_array *s8 = ga_astype(small, GA_FLOAT64);
    TIME("scatter_add 2^26 of 2^20 f64", 3, ga_scatter_add(s8, GA_AT(is), x8, 0));
    ga_array *ig = ga_random_integers(0, 1000, GA_SHAPE(n), GA_INT64);
    ga_array *g = ga_zeros(GA_SHAPE(1000), GA_FLOAT32), *gi = ga_zeros(GA_SHAPE(1000), GA_INT32);
    TIME("scatter_add 2^26 of 1000 FAST", 2, ga_scatter_add(g, GA_AT(ig), x, GA_FAST));
    TIME("scatter_add 2^26 of 1000", 3, ga_scatter_add(g, GA_AT(ig), x, 0));
    TIME("scatter_add 1 i32 of 1000", 2, ga_scatter_add(gi, GA_AT(ig), 1, 0));
    TIME("scatter_max 2^26 of 2^20", 3, ga_scatter_max(small, GA_AT(is), x, 0));
    ga_array *e = ga_zeros(GA_SHAPE(100000, 256), GA_FLOAT32);
    ga_array *ev = ga_reshape(x, GA_SHAPE(n / 256, 256)), *ei = ga_random_integers(0, 100000, GA_SHAPE(n / 256), GA_INT64);
    TIME("scatter_add rows 2^18x256 FAST", 3, ga_scatter_add(e, GA_AT(ei), ev, GA_FAST));
    TIME("scatter_add rows 2^18x256", 3, ga_scatter_add(e, GA_AT(ei), ev, 0));
    ga_array *sorted = ga_floor_divide(ga_arange(0, n, 1), 65536);
    TIME("segment_sum sorted 2^26 in 1024", 3, ga_segment_sum(x, sorted, 1024, GA_SORTED));
    TIME("segment_sum 2^26 in 1000", 3, ga_segment_sum(x, ig, 1000, 0));
    TIME("segment_mean 2^26 in 1000", 3, ga_segment_mean(x, ig, 1000, 0));
    TIME("segment_max 2^26 in 2^20", 3, ga_segment_max(x, is, 1 << 20, 0));
    TIME("segment_sum rows 2^18x256 in 1e5", 3, ga_segment_sum(ev, ei, 100000, 0));
    ga_array *xi = ga_random_integers(0, 100, GA_SHAPE(n), GA_INT32);
    TIME("segment_sum i32 2^26 in 1000", 3, ga_segment_sum(xi, ig, 1000, 0));
    TIME("segment_sum sorted 2^26x1 in 2^24", 3, ga_segment_sum(x, ga_floor_divide(sorted, 4), 1 << 24, GA_SORTED));
    size_t was = 0;
    cudaDeviceGetLimit(&was, cudaLimitMaxL2FetchGranularity);
    size_t sizes[] = {32, 64, 128, was};
    for (int i = 0; i < 4; i++) {
        char name[60];
        cudaError_t e = cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, sizes[i]);
        size_t now_is = 0;
        cudaDeviceGetLimit(&now_is, cudaLimitMaxL2FetchGranularity);
        snprintf(name, sizeof name, "take L2 fetch %d (is %d, e %d)", (int)sizes[i], (int)now_is, (int)e);
        TIME(name, 3, ga_take_into(out, x, i64, GA_AXIS(0), 0));
    }
    ga_array *u[2];
    TIME("unravel_index 2^26", 3, ga_unravel_index(i64, GA_SHAPE(8192, 8192), u));
    ga_array *c = ga_random_integers(0, 3, GA_SHAPE(n), GA_INT64);
    TIME("choose 3 2^26", 3, ga_choose(c, 0, x, y, 0.5f));
    return 0;
}
