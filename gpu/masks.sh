#!/usr/bin/env bash
set -u
d=$(mktemp -d)
cat > $d/t.c <<'C'
#define _POSIX_C_SOURCE 200809L
#include "gpuarr.h"
#include <time.h>
static double now(void) {
    struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
#define TIME(name, call) do { \
    for (int k_ = 0; k_ < 3; k_++) { GA_SCOPE; call; } \
    ga_synchronize(); double best_ = 1e9; \
    for (int r_ = 0; r_ < 5; r_++) { double t_ = now(); \
        for (int k_ = 0; k_ < 10; k_++) { GA_SCOPE; call; } \
        ga_synchronize(); t_ = (now() - t_) / 10; if (t_ < best_) best_ = t_; } \
    printf("%-34s %8.4f ms\n", name, best_); fflush(stdout); } while (0)
int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    const int64_t n = (int64_t)1 << 26;
    ga_array *x = ga_random(GA_SHAPE(n), GA_FLOAT32), *at[1];
    ga_array *m = ga_less(x, 0.5), *sparse = ga_less(x, 0.01), *half;
    ga_array *first = ga_less(ga_arange(0, n, 1), n / 10);
    ga_array *out = ga_zeros(GA_SHAPE(n), GA_FLOAT32);
    ga_array *places = ga_zeros(GA_SHAPE(n), GA_INT64);
    ga_array *count = ga_zeros(GA_SCALAR_SHAPE, GA_INT64);
    ga_array *z = ga_where(m, x, 0);
    half = ga_mask(x, m);
    TIME("copy", ga_copy(x));
    TIME("mask 50%", ga_mask(x, m));
    TIME("mask_into 50%", ga_mask_into(out, count, x, m));
    TIME("mask 1%", ga_mask(x, sparse));
    TIME("mask first 10%", ga_mask(x, first));
    TIME("flatnonzero bool 50%", ga_flatnonzero(m));
    TIME("flatnonzero_into bool 50%", ga_flatnonzero_into(places, count, m));
    TIME("nonzero float32 50%", ga_nonzero(z, at));
    TIME("argwhere bool (8192,8192)", ga_argwhere(ga_reshape(m, GA_SHAPE(8192, 8192))));
    TIME("mask_assign number", ga_mask_assign(out, m, 1));
    TIME("mask_assign vector", ga_mask_assign(out, m, half));
    TIME("place", ga_place(out, m, half));
    ga_array *r = ga_reshape(x, GA_SHAPE(1 << 22, 16));
    TIME("mask rows of 64 bytes", ga_mask(r, ga_less(ga_slice(r, ":, 0"), 0.5)));
    TIME("compress axis 1 of (2^22,16)", ga_compress(ga_less(ga_arange(0, 16, 1), 8), r, GA_AXIS(1)));
    TIME("sum", ga_sum(x, GA_ALL));
    TIME("sum where", ga_sum(x, GA_ALL_WHERE(m)));
    TIME("mean where", ga_mean(x, GA_ALL_WHERE(m)));
    TIME("max where", ga_max(x, GA_ALL_WHERE(m)));
    TIME("var where", ga_var(x, GA_ALL_WHERE(m), 0));
    TIME("sum of where()", ga_sum(ga_where(m, x, 0), GA_ALL));
    ga_array *q = ga_reshape(x, GA_SHAPE(8192, 8192)), *qm = ga_reshape(m, GA_SHAPE(8192, 8192));
    TIME("sum where axis 0", ga_sum(q, GA_AXIS_WHERE(qm, 0)));
    TIME("sum where axis 1", ga_sum(q, GA_AXIS_WHERE(qm, 1)));
    TIME("sum where row mask, axis 1", ga_sum(q, GA_AXIS_WHERE(ga_slice(qm, "0"), 1)));
    TIME("mean where axis 0", ga_mean(q, GA_AXIS_WHERE(qm, 0)));
    TIME("var where axis 1", ga_var(q, GA_AXIS_WHERE(qm, 1), 0));
    TIME("sum where int64", ga_sum(ga_reshape(places, GA_SHAPE(8192, 8192)), GA_AXIS_WHERE(qm, 1)));
    ga_array *w = ga_astype(q, GA_FLOAT64), *h = ga_astype(q, GA_FLOAT16);
    TIME("sum where float64 all", ga_sum(w, GA_ALL_WHERE(qm)));
    TIME("sum where float16 all", ga_sum(h, GA_ALL_WHERE(qm)));
    ga_array *tall = ga_reshape(x, GA_SHAPE(1 << 22, 16)), *tm = ga_reshape(m, GA_SHAPE(1 << 22, 16));
    TIME("sum where (2^22,16) axis 0", ga_sum(tall, GA_AXIS_WHERE(tm, 0)));
    TIME("sum where (2^22,16) axis 1", ga_sum(tall, GA_AXIS_WHERE(tm, 1)));
    TIME("any where", ga_any(x, GA_ALL_WHERE(m)));
    TIME("small mask_into 1000", ga_mask_into(ga_slice(out, ":1000"), NULL, ga_slice(x, ":1000"), ga_slice(m, ":1000")));
    TIME("small mask 1000", ga_mask(ga_slice(x, ":1000"), ga_slice(m, ":1000")));
    TIME("small sum where 1000", ga_sum(ga_slice(x, ":1000"), GA_ALL_WHERE(ga_slice(m, ":1000"))));
    return 0;
}
C
libs="-lcudart_static -ldl -lrt -lpthread -lm -fopenmp"
cc -std=c11 -O2 -I. $d/t.c build/cuda/libgpuarr.a -L/usr/local/cuda/lib64 -llapacke -lopenblas $libs -o $d/t 2>$d/log ||
  cc -std=c11 -O2 -I. $d/t.c build/cuda/libgpuarr.a -L/usr/local/cuda/lib64 $libs -o $d/t || cat $d/log
$d/t
cat > $d/p.py <<'P'
import time
def run(name, f, sync):
    for _ in range(3): f()
    sync(); best = 1e9
    for _ in range(5):
        t = time.perf_counter()
        for _ in range(10): f()
        sync(); best = min(best, (time.perf_counter() - t) / 10)
    print(f"{name:34s} {best*1e3:8.4f} ms", flush=True)
try:
    import torch
    x = torch.rand(1 << 26, device="cuda"); m = x < .5; s = x < .01
    z = torch.where(m, x, 0.); h = x[m]; o = x.clone(); y = torch.cuda.synchronize
    run("torch x[m] 50%", lambda: x[m], y)
    run("torch x[m] 1%", lambda: x[s], y)
    run("torch nonzero bool", lambda: torch.nonzero(m), y)
    run("torch nonzero float32", lambda: torch.nonzero(z), y)
    run("torch x[m] = 1", lambda: o.__setitem__(m, 1), y)
    run("torch masked_fill_", lambda: o.masked_fill_(m, 1), y)
    run("torch masked_scatter_", lambda: o.masked_scatter_(m, h), y)
    run("torch where sum", lambda: torch.where(m, x, 0.).sum(), y)
    del x, m, s, z, h, o; torch.cuda.empty_cache()
except Exception as e: print(e)
try:
    import cupy
    x = cupy.random.rand(1 << 26, dtype=cupy.float32); m = x < .5
    z = cupy.where(m, x, 0); h = x[m]; o = x.copy(); y = cupy.cuda.Device().synchronize
    run("cupy x[m] 50%", lambda: x[m], y)
    run("cupy nonzero bool", lambda: cupy.nonzero(m), y)
    run("cupy nonzero float32", lambda: cupy.nonzero(z), y)
    run("cupy x[m] = 1", lambda: o.__setitem__(m, 1), y)
    run("cupy place", lambda: cupy.place(o, m, h), y)
except Exception as e: print(e)
P
timeout 20 python3 $d/p.py
S=$(ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || command -v compute-sanitizer)
[ -z "$S" ] || { [ -x build/cuda/tests/test_masks ] && GA_TEST_QUICK=1 CMOCKA_TEST_ABORT=0 timeout 12 $S --tool memcheck build/cuda/tests/test_masks 2>&1 | tail -25; }
rm -r $d
