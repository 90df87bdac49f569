#!/bin/bash
# Scans: times, tile sizes tried, peers.
cd "$(dirname "$0")/.."
nv="nvcc -std=c++17 -O3 -gencode arch=compute_90,code=sm_90 -diag-suppress 177 -Xcompiler -fopenmp,-fPIC -DGK_PART -DGK_PART_scan_cuda -c kernels.cu"
rest=$(ls build/cuda/kernels.*.o | grep -v scan_c)
libs="-L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread -lm -fopenmp $(.ci/lapack cc 2>/dev/null | tr ' ' '\n' | grep '^-[lL]' | tr '\n' ' ')"
gcc -std=gnu11 -O2 -I. -isystem /usr/local/cuda/include -c gpu/scans.c -o build/scans_main.o || exit 1
i=0
for v in "-DGK_SCAN_CHUNKS=4 -DGK_SCAN_BLOCKS=6 -DGK_SCAN_R=8" "-DGK_SCAN_CHUNKS=4 -DGK_SCAN_BLOCKS=4 -DGK_SCAN_LX=4" "-DGK_SCAN_CHUNKS=8 -DGK_SCAN_BLOCKS=6 -DGK_SCAN_R=8 -DGK_SCAN_CBLOCKS=4" "-DGK_SCAN_CHUNKS=8 -DGK_SCAN_BLOCKS=5 -DGK_SCAN_LX=5" "-DGK_SCAN_CHUNKS=8 -DGK_SCAN_BLOCKS=3 -DGK_SCAN_LX=4 -DGK_SCAN_R=8 -DGK_SCAN_CBLOCKS=5" "-DGK_SCAN_T=512 -DGK_SCAN_CHUNKS=4 -DGK_SCAN_BLOCKS=2 -DGK_SCAN_CBLOCKS=2 -DGK_SCAN_R=8 -DGK_SCAN_LX=4" "-DGK_SCAN_T=512 -DGK_SCAN_CHUNKS=4 -DGK_SCAN_BLOCKS=3 -DGK_SCAN_CBLOCKS=2 -DGK_SCAN_R=8" "-DGK_SCAN_T=128 -DGK_SCAN_CHUNKS=8 -DGK_SCAN_BLOCKS=10 -DGK_SCAN_CBLOCKS=6"; do
    i=$((i + 1))
    ( $nv $v -o build/scan_v$i.o && g++ -x c++ -O3 -std=c++17 -DGPUARR_NO_CUDA -fno-rtti -fno-exceptions -fPIC -fopenmp -DGK_PART -DGK_PART_scan_cpu $v -c kernels.cu -o build/scan_w$i.o && g++ build/scans_main.o build/cuda/gpuarr.o $rest build/scan_v$i.o build/scan_w$i.o $libs -o build/scans_v$i ) > build/scans_v$i.log 2>&1 &
    names[$i]=$v
done
g++ build/scans_main.o build/cuda/libgpuarr.a $libs -o build/scans_v0 || exit 1
wait
timeout 15 build/scans_v0
for k in $(seq $i); do echo "--- ${names[$k]}"; head -3 build/scans_v$k.log; timeout 5 build/scans_v$k short; done
