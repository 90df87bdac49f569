/* Times calls; prints ms, and GB/s of the bytes given. ./tune [name-part] */
#define GPUARR_IMPLEMENTATION
#include "../gpuarr.h"
#include <stdio.h>
#include <string.h>
static const char *only = "";
static int reps = 6;
#define T(name, bytes, call) do { if (strstr(name, only)) { double best = 1e9;            \
    for (int k_ = 0; k_ < reps; k_++) { GA_SCOPE; ga_synchronize(); double t_ = ga_time(); \
        call; ga_synchronize(); t_ = ga_time() - t_; if (t_ < best) best = t_; }              \
    printf("%-34s %8.4f ms  floor %.3f  share %.2f %s\n", name, best * 1e3, (bytes) / 4.29e9,       \
           (bytes) / 4.29e12 / best, ga_error() ? ga_error_message() : ""); ga_clear_error(); } } while (0)
int main(int argc, char **argv) {
    char nm[80];
    if (argc > 1) only = argv[1];
    if (argc > 2) reps = atoi(argv[2]);
    GA_SCOPE;
    const double N = 67108864.0;
    const int64_t n = 67108864;
    ga_array *x = ga_random(GA_SHAPE(n), GA_FLOAT32), *d = ga_random(GA_SHAPE(n / 2), GA_FLOAT64);
    ga_array *at = ga_astype(ga_mul(ga_random(GA_SHAPE(n), GA_FLOAT64), (double)n), GA_INT64);
    ga_array *out = ga_zeros(GA_SHAPE(n), GA_FLOAT32);
    ga_array *whole = ga_astype(ga_mul(x, 16777216.0), GA_INT32), *h = ga_astype(x, GA_FLOAT16), *b = ga_astype(ga_mul(x, 200.0), GA_INT8);
    T("sort_f32", 8 * N, ga_sort(x, GA_AXIS(0), 0));
    T("sort_i32_24bits", 8 * N, ga_sort(whole, GA_AXIS(0), 0));
    T("argsort_f32", 12 * N, ga_argsort(x, GA_AXIS(0), 0));
    T("unique_i32", 4 * N, ga_unique(whole, GA_ALL, NULL, NULL, NULL));
    T("scatter_fast", 20 * N, ga_scatter_add(out, GA_AT(at), x, GA_FAST));
    T("scatter", 20 * N, ga_scatter_add(out, GA_AT(at), x, 0));
    T("index_assign", 20 * N, ga_index_assign(out, GA_AT(at), x));
    T("take", 16 * N, ga_take_into(out, x, at, GA_AXIS(0), 0));
    static const int rows[] = {40, 64, 128, 200, 256, 500, 512, 1000, 2000, 4096};
    for (int k = 0; k < 10; k++) {
        int64_t c = rows[k], r = 65536000 / c;
        double e = (double)(r * c);
        ga_array *v[4] = {x, h, b, d};
        const char *tn[4] = {"f32", "f16", "i8", "f64"};
        const double w[4] = {4, 2, 1, 8};
        for (int t = 0; t < 4; t++) {
            if (t && c != 128 && c != 1000 && c != 4096) continue;
            if (t == 3) r /= 2, e /= 2;
            ga_array *m = ga_reshape(ga_slice_axis(v[t], 0, 0, r * c, 1), GA_SHAPE(r, c));
            snprintf(nm, sizeof nm, "rows sort %s %d", tn[t], (int)c);
            T(nm, 2 * w[t] * e, ga_sort(m, GA_AXIS(1), 0));
            snprintf(nm, sizeof nm, "rows argsort %s %d", tn[t], (int)c);
            T(nm, (w[t] + 8) * e, ga_argsort(m, GA_AXIS(1), 0));
        }
    }
    ga_array *q = ga_reshape(x, GA_SHAPE(16384, 4096));
    ga_array *big = ga_zeros(GA_SHAPE(16384, 16384), GA_FLOAT32), *b3 = ga_slice(x, ":3");
    T("join repeat_each 4", 20 * N, ga_repeat_into(big, q, 4, GA_AXIS(1)));
    T("join repeat_each 2", 12 * N, ga_repeat(q, 2, GA_AXIS(1)));
    T("join repeat_each 3", 16 * N, ga_repeat(q, 3, GA_AXIS(1)));
    T("join repeat_rows 4", 20 * N, ga_repeat(q, 4, GA_AXIS(0)));
    T("join repeat_each f16 3", 8 * N, ga_repeat(ga_reshape(h, GA_SHAPE(n)), 3, GA_AXIS(0)));
    T("join repeat_each i8 5", 6 * N, ga_repeat(ga_reshape(b, GA_SHAPE(n)), 5, GA_AXIS(0)));
    T("join repeat_each f64 2", 12 * N, ga_repeat(d, 2, GA_AXIS(0)));
    T("join tile (3,)", 4 * N, ga_tile(b3, GA_SHAPE(n / 3)));
    T("join tile 4x4 -> 16k", 16 * N, ga_tile(ga_slice(ga_reshape(x, GA_SHAPE(8192, 8192)), ":4,:4"), GA_SHAPE(4096, 4096)));
    T("join tile 100", 4 * N, ga_tile(ga_slice(x, ":100"), GA_SHAPE(n / 100)));
    T("join concat 3+5", 16 * N, ga_concatenate(1, ga_reshape(ga_slice_axis(x, 0, 0, 3 * 8388608, 1), GA_SHAPE(8388608, 3)),
                                               ga_reshape(ga_slice_axis(x, 0, 0, 5 * 8388608, 1), GA_SHAPE(8388608, 5))) );
    T("join pad 3d", 8 * N, ga_pad(ga_reshape(x, GA_SHAPE(1024, 256, 256)), GA_SHAPE(1), GA_SHAPE(1), GA_PAD_CONSTANT, 0));
    ga_array *y = ga_random(GA_SHAPE(268435456), GA_FLOAT32), *y2 = ga_reshape(y, GA_SHAPE(16384, 16384)), *yo = ga_empty_like(y), *y2o = ga_reshape(yo, GA_SHAPE(16384, 16384));
    T("cumsum f32 2^28", 8 * 4 * N, ga_cumsum_into(yo, y, GA_AXIS(0), 0));
    T("cumsum f32 16k axis 0", 8 * 4 * N, ga_cumsum_into(y2o, y2, GA_AXIS(0), 0));
    T("cumsum f32 16k axis 1", 8 * 4 * N, ga_cumsum_into(y2o, y2, GA_AXIS(1), 0));
    T("cummax f32 16k axis 0", 8 * 4 * N, ga_cummax_into(y2o, y2, GA_AXIS(0), 0));
    T("tril f32 16k", 6 * 4 * N, ga_tril_into(y2o, y2, 0));
    T("roll f32 16k 1", 8 * 4 * N, ga_roll_into(y2o, y2, 1, GA_AXIS(1)));
    T("pad f32 16k 2", 8 * 4 * N, ga_pad(y2, GA_SHAPE(2), GA_SHAPE(2), GA_PAD_CONSTANT, 0));
    static const char *const dt[] = {"b", "i8", "i32", "f16", "f32", "f64", "c64"};
    ga_array *bb = ga_greater(x, 0.5), *cc = ga_astype(ga_slice(x, ":33554432"), GA_COMPLEX64);
    ga_array *v[] = {bb, b, whole, h, x, d, cc};
    const double in[] = {1, 1, 4, 2, 4, 8, 8}, sum[] = {8, 8, 8, 2, 4, 8, 8};
    for (int t = 0; t < 7; t++) {
        int64_t e = v[t]->size, c = 8192, r = e / c;
        ga_array *m = ga_reshape(v[t], GA_SHAPE(r, c)), *m3 = ga_reshape(ga_slice_axis(v[t], 0, 0, e / 3 * 3, 1), GA_SHAPE(e / 3, 3));
        double E = (double)e;
#define SC(f, what, wo) \
        snprintf(nm, sizeof nm, "scan " #f " %s all", dt[t]); T(nm, E * (in[t] + wo), ga_##f(v[t], GA_AXIS(0), 0)); \
        snprintf(nm, sizeof nm, "scan " #f " %s 0", dt[t]); T(nm, E * (in[t] + wo), ga_##f(m, GA_AXIS(0), 0)); \
        snprintf(nm, sizeof nm, "scan " #f " %s 1", dt[t]); T(nm, E * (in[t] + wo), ga_##f(m, GA_AXIS(1), 0)); \
        snprintf(nm, sizeof nm, "scan " #f " %s (n,3) 0", dt[t]); T(nm, E * (in[t] + wo), ga_##f(m3, GA_AXIS(0), 0));
        SC(cumsum, , sum[t])
        SC(cumprod, , sum[t])
        SC(cummax, , in[t])
        if (t == 3 || t == 4 || t == 5) { SC(logcumsumexp, , in[t]) }
    }
    return 0;
}
