#!/usr/bin/env bash
# Times and values on the card beside CuPy and PyTorch.
cat > /tmp/st_time.c <<'C'
#include <gpuarr.h>
#include <stdio.h>
static double now(ga_event *a, ga_event *b) { return ga_event_elapsed(a, b); }
#define TIME(name, bytes, expr) do { \
    double best = 1e9; \
    for (int i_ = 0; i_ < 6; i_++) { GA_SCOPE; \
        ga_event_record(a, NULL); expr; ga_event_record(b, NULL); \
        ga_event_synchronize(b); double t = now(a, b); if (t < best) best = t; } \
    printf("%-44s %8.3f ms  %6.0f GB/s\n", name, best, (bytes) / best / 1e6); \
} while (0)
int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_event *a = ga_event_create(), *b = ga_event_create();
    const int64_t n = 1 << 26;
    const double by = 4.0 * (double)n;
    ga_array *u = ga_random(GA_SHAPE(n), GA_FLOAT32);
    ga_array *z = ga_random_normal(0, 1, GA_SHAPE(n), GA_FLOAT32);
    ga_array *c = ga_full(GA_SHAPE(n), 3, GA_FLOAT32);
    ga_array *few = ga_floor(ga_mul(u, 3));
    ga_array *s = ga_sort(u, GA_ALL, 0);
    ga_array *i64 = ga_astype(ga_mul(u, 1e12), GA_INT64);
    ga_array *f64 = ga_astype(z, GA_FLOAT64);
    ga_array *u8 = ga_astype(ga_mul(u, 255), GA_UINT8);
    ga_array *f16 = ga_astype(z, GA_FLOAT16);
    ga_array *q5 = ga_linspace(0.1, 0.9, 5), *q16 = ga_linspace(0, 1, 16);
    ga_array *q20 = ga_linspace(0, 1, 20);
    TIME("median f32 2^26 uniform", by, ga_median(u, GA_ALL));
    TIME("median f32 2^26 normal", by, ga_median(z, GA_ALL));
    TIME("median f32 2^26 constant", by, ga_median(c, GA_ALL));
    TIME("median f32 2^26 three values", by, ga_median(few, GA_ALL));
    TIME("5 quantiles uniform", by, ga_quantile(u, q5, GA_ALL, GA_QUANTILE_LINEAR, GA_NONE));
    TIME("16 quantiles uniform", by, ga_quantile(u, q16, GA_ALL, GA_QUANTILE_LINEAR, GA_NONE));
    TIME("20 quantiles uniform (sorts)", by, ga_quantile(u, q20, GA_ALL, GA_QUANTILE_LINEAR, GA_NONE));
    TIME("median i64 2^26", 2 * by, ga_median(i64, GA_ALL));
    TIME("median f64 2^26", 2 * by, ga_median(f64, GA_ALL));
    TIME("median u8 2^26", by / 4, ga_median(u8, GA_ALL));
    TIME("median f16 2^26", by / 2, ga_median(f16, GA_ALL));
    ga_array *r = ga_reshape(ga_slice_axis(u, 0, 0, 65536000, 1), GA_SHAPE(65536, 1000));
    TIME("median (65536,1000) axis 1", by, ga_median(r, GA_AXIS(1)));
    TIME("5 quantiles (65536,1000) axis 1", by, ga_quantile(r, q5, GA_AXIS(1), GA_QUANTILE_LINEAR, GA_NONE));
    TIME("median (1000,65536) axis 0", by, ga_median(ga_reshape(r, GA_SHAPE(1000, 65536)), GA_AXIS(0)));
    TIME("median (65536,1000) axis 0", by, ga_median(r, GA_AXIS(0)));
    TIME("median (10000,6553) axis 1", by, ga_median(ga_reshape(ga_slice_axis(u, 0, 0, 65530000, 1), GA_SHAPE(10000, 6553)), GA_AXIS(1)));
    TIME("median (655360,100) axis 1", by, ga_median(ga_reshape(r, GA_SHAPE(655360, 100)), GA_AXIS(1)));
    TIME("median (6553600,10) axis 1", by, ga_median(ga_reshape(r, GA_SHAPE(6553600, 10)), GA_AXIS(1)));
    TIME("median f64 (65536,1000) axis 1", 2 * by, ga_median(ga_reshape(ga_slice_axis(f64, 0, 0, 65536000, 1), GA_SHAPE(65536, 1000)), GA_AXIS(1)));
    TIME("median 1e6", 4e6, ga_median(ga_slice_axis(u, 0, 0, 1000000, 1), GA_ALL));
    TIME("median 1000", 4e3, ga_median(ga_slice_axis(u, 0, 0, 1000, 1), GA_ALL));
    ga_free(i64); ga_free(f64); ga_free(u8); ga_free(f16); ga_free(s);
    ga_array *m = ga_random_normal(0, 1, GA_SHAPE(1000, 1000000), GA_FLOAT32);
    TIME("cov (1000,1e6) as f32", 4e9, ga_cov_as(m, GA_NONE, GA_FLOAT32, 1, NULL, 0));
    TIME("cov (1000,1e6) f64", 4e9, ga_cov(m, GA_NONE, 1, NULL, 0));
    TIME("corrcoef (100,1e6)", 4e8, ga_corrcoef(ga_slice(m, ":100"), GA_NONE, 0));
    TIME("zscore (65536,1000) axis 1", 2 * by, ga_zscore(r, GA_AXIS(1), 0, 0));
    TIME("zscore (65536,1000) axis 0", 2 * by, ga_zscore(r, GA_AXIS(0), 0, 0));
    TIME("average (65536,1000) axis 0", 2 * by, ga_average(r, GA_AXIS(0), r, NULL));
    return 0;
}
C
cp /tmp/st_time.c tests/time_statistics.c
make CUDA=1 ARCH=sm_90 DEPS=0 build/cuda/tests/time_statistics 2>&1 | grep -E 'error|Error' | head -5
rm -f tests/time_statistics.c
cp build/cuda/tests/time_statistics /tmp/st_time
/tmp/st_time
timeout 12 python3 - <<'P'
import time
def t(f, sync, n=3):
    f(); sync(); best = 1e9
    for _ in range(n):
        s = time.perf_counter(); f(); sync(); best = min(best, time.perf_counter() - s)
    return best * 1e3
try:
    import torch
    sync = torch.cuda.synchronize
    m = torch.randn(1000, 1000000, device="cuda")
    print("torch cov f32 %.2f ms" % t(lambda: torch.cov(m), sync))
    d = m.double(); del m
    print("torch cov f64 %.2f ms" % t(lambda: torch.cov(d), sync)); del d
    torch.cuda.empty_cache()
except Exception as e: print("torch", e)
try:
    import cupy as cp
    sync = cp.cuda.Device().synchronize
    m = cp.random.standard_normal((1000, 1000000), dtype="f4")
    print("cupy cov f64 %.2f ms" % t(lambda: cp.cov(m), sync))
    print("cupy cov f32 %.2f ms" % t(lambda: cp.cov(m, dtype="f4"), sync))
except Exception as e: print("cupy", e)
P
command -v ncu >/dev/null && timeout 10 ncu --metrics dram__bytes_read.sum,gpu__time_duration.sum,smsp__inst_executed.sum,sm__inst_executed_pipe_lsu.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum -k regex:gk_qt --launch-count 3 /tmp/st_time 2>/dev/null | grep -E 'gk_qt|dram__|duration|inst_exec|conflicts' | grep -v PROF
