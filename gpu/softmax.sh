#!/bin/bash
# times of softmax and comparisons
INC=$(dirname $(dirname $(command -v nvcc || echo /usr/local/cuda/bin/nvcc)))
gcc -std=gnu11 -O2 -I. -isystem $INC/include gpu/softmax.c -o build/softmax_times build/cuda/libgpuarr.a -L$INC/lib64 -lcudart_static -ldl -lrt -llapacke -lopenblas -lz -fopenmp -lpthread -lm 2>/dev/null || gcc -std=gnu11 -O2 -I. -isystem $INC/include gpu/softmax.c -o build/softmax_times build/cuda/libgpuarr.a -L$INC/lib64 -lcudart_static -ldl -lrt -lz -fopenmp -lpthread -lm 2>&1 | tail -5
timeout 10 build/softmax_times
for lx in 3 4 5; do echo LX $lx; GK_SOFT_LX=$lx timeout 4 build/softmax_times; done
for lag in 8 12 32; do echo LAG $lag; GK_SOFT_LAG=$lag timeout 2 build/softmax_times; done
