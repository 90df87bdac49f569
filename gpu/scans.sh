#!/bin/bash
# Scans: times, tile sizes tried, peers.
cd "$(dirname "$0")/.."
nv="nvcc -std=c++17 -O3 -gencode arch=compute_90,code=sm_90 -diag-suppress 177 -Xcompiler -fopenmp,-fPIC -DGK_PART -DGK_PART_scan_cuda -c kernels.cu"
rest=$(ls build/cuda/kernels.*.o | grep -v scan_cuda)
libs="-L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread -lm -fopenmp $(.ci/lapack cc 2>/dev/null | tr ' ' '\n' | grep '^-[lL]' | tr '\n' ' ')"
gcc -std=gnu11 -O2 -I. -isystem /usr/local/cuda/include -c gpu/scans.c -o build/scans_main.o || exit 1
i=0
for v in "-DGK_SCAN_CHUNKS=4 -DGK_SCAN_BLOCKS=6" "-DGK_SCAN_CHUNKS=8 -DGK_SCAN_BLOCKS=3" "-DGK_SCAN_CHUNKS=8 -DGK_SCAN_R=4 -DGK_SCAN_BLOCKS=5" "-DGK_SCAN_CHUNKS=8 -DGK_SCAN_R=16 -DGK_SCAN_BLOCKS=3"; do
    i=$((i + 1))
    ( $nv $v -o build/scan_v$i.o && g++ build/scans_main.o build/cuda/gpuarr.o $rest build/scan_v$i.o $libs -o build/scans_v$i ) > build/scans_v$i.log 2>&1 &
    names[$i]=$v
done
g++ build/scans_main.o build/cuda/libgpuarr.a $libs -o build/scans_v0 || exit 1
wait
timeout 20 build/scans_v0
for k in $(seq $i); do echo "--- ${names[$k]}"; cat build/scans_v$k.log | head -3; timeout 6 build/scans_v$k short; done
timeout 15 python3 - <<'P'
import time
def t(f, sync):
    f(); sync(); b = 1e9
    for _ in range(3):
        sync(); t0 = time.perf_counter()
        for _ in range(4): f()
        sync(); b = min(b, (time.perf_counter() - t0) / 4)
    return b * 1e3
try:
    import torch
    x = torch.rand(1 << 28, device="cuda"); m = x.view(16384, 16384)
    s = torch.cuda.synchronize
    for n, f in (("flat", lambda: torch.cumsum(x, 0)), ("axis 0", lambda: torch.cumsum(m, 0)),
                 ("axis 1", lambda: torch.cumsum(m, 1)), ("cumprod", lambda: torch.cumprod(x, 0)),
                 ("logcumsumexp", lambda: torch.logcumsumexp(x, 0)), ("cummax", lambda: torch.cummax(x, 0)),
                 ("f16 flat", lambda h=x.half(): torch.cumsum(h, 0))):
        print("torch", n, "%.4f" % t(f, s))
except Exception as e: print(e)
try:
    import cupy
    x = cupy.random.random(1 << 28, dtype="float32"); m = x.reshape(16384, 16384)
    s = cupy.cuda.Device().synchronize
    for n, f in (("flat", lambda: cupy.cumsum(x)), ("axis 0", lambda: cupy.cumsum(m, 0)), ("axis 1", lambda: cupy.cumsum(m, 1))):
        print("cupy", n, "%.4f" % t(f, s))
except Exception as e: print(e)
P
