#!/usr/bin/env bash
# times of histograms on this card; variants of the kernels
set -u
NVCC=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
V=/tmp/his_variants; rm -rf $V; mkdir -p $V; cp gpuarr.h $V/
cp kernels.cu $V/a.cu
# b: two blocks of 1024, two loads ahead, for float32; c: 512 threads; d: both for all types; e: four loads, two blocks
PY=$(ls /opt/venv/bin/python /opt/conda/bin/python 2>/dev/null | head -1); ${PY:-python3} - $V <<'P'
import sys
v = sys.argv[1]
s = open("kernels.cu").read()
def sub(s, a, b):
    assert a in s, a
    return s.replace(a, b)
two = "__global__ __launch_bounds__(1024)\nvoid gk_his_count("
u = "constexpr int V = 16 / (int)sizeof(S), U = 4;"
b = sub(sub(s, two, "__global__ __launch_bounds__(1024, MODE < 0 ? 1 : 2)\nvoid gk_his_count("), u,
        "constexpr int V = 16 / (int)sizeof(S), U = std::is_same<S, float>::value ? 2 : 4;")
open(v + "/b.cu", "w").write(b)
c = sub(s, "{GK_HIS_COPIES, 5, 1024, 2, 0, false}", "{GK_HIS_COPIES, 5, 512, 4, 0, false}")
c = sub(c, "if (2 * bytes > room) p.per = 1;", "if (4 * bytes > room) p.per = 2; if (2 * bytes > room) p.per = 1, p.threads = 1024;")
open(v + "/c.cu", "w").write(c)
d = sub(sub(s, two, "__global__ __launch_bounds__(1024, 2)\nvoid gk_his_count("), u, "constexpr int V = 16 / (int)sizeof(S), U = 2;")
open(v + "/d.cu", "w").write(d)
P
for k in a b c d; do
    $NVCC -std=c++17 -O3 -arch=sm_90 -w -I$V -DVARIANT="\"$V/$k.cu\"" -DNAME="\"variant $k\"" gpu/his_variant.cu -o $V/$k > $V/$k.log 2>&1 &
done
cat > /tmp/his_time.c <<'C'
#define GPUARR_STATIC_NOT
#include "gpuarr.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e3 + t.tv_nsec * 1e-6; }
#define TIME(name, reps, ...) do { double best = 1e9; for (int r_ = 0; r_ < 4; r_++) { \
    ga_synchronize(); double t0 = now(); for (int k_ = 0; k_ < reps; k_++) { GA_SCOPE; __VA_ARGS__; } ga_synchronize(); \
    double t = (now() - t0) / reps; if (t < best) best = t; } \
    printf("%-34s %9.4f ms %s\n", name, best, ga_error() ? ga_error_message() : ""); fflush(stdout); ga_clear_error(); } while (0)
int main(void) {
    const int64_t n = 1 << 28;
    ga_array *x = ga_random(GA_SHAPE(n), GA_FLOAT32), *c = ga_full(GA_SHAPE(n), 0.3, GA_FLOAT32);
    int bins[] = {10, 256, 1000, 4096, 20000, 50000, 100000, 1000000};
    char s[99];
    for (int i = 0; i < 8; i++) {
        snprintf(s, 99, "f32 uniform %d", bins[i]);
        TIME(s, 5, ga_histogram(x, GA_BINS_IN(bins[i], 0, 1), GA_NONE, 0, NULL));
        snprintf(s, 99, "f32 constant %d", bins[i]);
        TIME(s, 3, ga_histogram(c, GA_BINS_IN(bins[i], 0, 1), GA_NONE, 0, NULL));
    }
    TIME("f32 auto range 256", 3, ga_histogram(x, GA_BINS(256), GA_NONE, 0, NULL));
    { GA_SCOPE; ga_array *e = ga_linspace(0, 1, 257); e = ga_astype(ga_mul(e, e), GA_FLOAT32);
      TIME("f32 edges 256", 3, ga_histogram(x, GA_BINS_AT(e), GA_NONE, 0, NULL));
      TIME("digitize 256", 3, ga_digitize(x, e, 0)); }
    { GA_SCOPE; ga_array *e = ga_linspace(0, 1, 4097); e = ga_astype(ga_mul(e, e), GA_FLOAT32);
      TIME("f32 edges 4096", 3, ga_histogram(x, GA_BINS_AT(e), GA_NONE, 0, NULL)); }
    { GA_SCOPE; ga_array *z = ga_floor(ga_mul(x, 5)); z = ga_div(z, 4);
      TIME("f32 five values 256", 3, ga_histogram(z, GA_BINS_IN(256, 0, 1), GA_NONE, 0, NULL)); 
      TIME("f32 five values 20000", 3, ga_histogram(z, GA_BINS_IN(20000, 0, 1), GA_NONE, 0, NULL)); 
      TIME("f32 five values 100000", 3, ga_histogram(z, GA_BINS_IN(100000, 0, 1), GA_NONE, 0, NULL)); }
    { GA_SCOPE; TIME("weights 256", 2, ga_histogram(x, GA_BINS_IN(256, 0, 1), x, 0, NULL));
      TIME("weights 256 constant", 2, ga_histogram(c, GA_BINS_IN(256, 0, 1), x, 0, NULL));
      TIME("weights 3000", 2, ga_histogram(x, GA_BINS_IN(3000, 0, 1), x, 0, NULL)); }
    { GA_SCOPE; ga_array *b = ga_astype(ga_mul(x, 255.99), GA_UINT8);
      TIME("u8 256 of (0,256)", 3, ga_histogram(b, GA_BINS_IN(256, 0, 256), GA_NONE, 0, NULL));
      TIME("u8 bincount", 3, ga_bincount(b, GA_NONE, 0)); }
    { GA_SCOPE; ga_array *b = ga_astype(ga_mul(x, 999.99), GA_INT32);
      TIME("i32 bincount 1000", 3, ga_bincount(b, GA_NONE, 0));
      TIME("i32 1000 aligned", 3, ga_histogram(b, GA_BINS_IN(1000, 0, 1000), GA_NONE, 0, NULL)); }
    { GA_SCOPE; ga_array *b = ga_astype(ga_slice_axis(x, 0, 0, 1 << 26, 1), GA_FLOAT64);
      TIME("f64 2^26 256", 3, ga_histogram(b, GA_BINS_IN(256, 0, 1), GA_NONE, 0, NULL));
      ga_array *y = ga_slice_axis(x, 0, 1 << 26, 1 << 27, 1), *z = ga_slice_axis(x, 0, 0, 1 << 26, 1);
      TIME("2d 2^26 100x100", 2, ga_histogram2d(z, y, GA_BINS_IN(100, 0, 1), GA_BINS_IN(100, 0, 1), GA_NONE, 0, NULL));
      ga_array *xp = ga_linspace(0, 1, 1000);
      TIME("interp f32 2^26 1000", 2, ga_interp(z, xp, xp, NULL));
      TIME("unwrap f32 2^26", 2, ga_unwrap(ga_mul(z, 30), GA_NONE, -1, GA_NONE)); }
    { GA_SCOPE; ga_array *k5 = ga_slice_axis(x, 0, 0, 5, 1), *k64 = ga_slice_axis(x, 0, 0, 64, 1), *k1 = ga_slice_axis(x, 0, 0, 1024, 1);
      ga_array *z = ga_slice_axis(x, 0, 0, 1 << 26, 1), *m = ga_slice_axis(x, 0, 0, 1 << 22, 1), *h = ga_slice_axis(x, 0, 0, 1 << 16, 1);
      TIME("convolve 2^26 * 5", 3, ga_convolve(z, k5, GA_SAME));
      TIME("convolve 2^26 * 64", 3, ga_convolve(z, k64, GA_SAME));
      TIME("convolve 2^22 * 1024", 3, ga_convolve(m, k1, GA_SAME));
      TIME("convolve 2^16 * 2^16", 3, ga_convolve(h, h, GA_SAME));
      TIME("convolve 1000 * 100", 20, ga_convolve(k1, ga_slice_axis(x, 0, 0, 100, 1), GA_SAME)); }
    { GA_SCOPE; ga_array *h = ga_slice_axis(x, 0, 0, 10000, 1); TIME("f32 10^4 in 10", 50, ga_histogram(h, GA_BINS_IN(10, 0, 1), GA_NONE, 0, NULL)); }
    return 0;
}
C
cc -O1 -std=c11 -D_GNU_SOURCE -I. /tmp/his_time.c -o /tmp/his_time build/cuda/libgpuarr.a -llapacke -lopenblas -lz -L/usr/local/cuda/lib64 -lcudart_static -fopenmp -ldl -lrt -lpthread -lm 2>&1 | tail -5
wait
timeout 60 /tmp/his_time
for k in a b c d; do [ -x $V/$k ] && timeout 20 $V/$k || tail -3 $V/$k.log; done
