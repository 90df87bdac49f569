#!/bin/bash
# times of softmax and comparisons beside PyTorch's
INC=$(dirname $(dirname $(command -v nvcc || echo /usr/local/cuda/bin/nvcc)))
gcc -std=gnu11 -O2 -I. -isystem $INC/include gpu/softmax.c -o build/softmax_times build/cuda/libgpuarr.a -L$INC/lib64 -lcudart_static -ldl -lrt -llapacke -lopenblas -lz -fopenmp -lpthread -lm 2>&1 | tail -5
[ -x build/softmax_times ] || gcc -std=gnu11 -O2 -I. -isystem $INC/include gpu/softmax.c -o build/softmax_times build/cuda/libgpuarr.a -L$INC/lib64 -lcudart_static -ldl -lrt -lz -fopenmp -lpthread -lm 2>&1 | tail -5
timeout 15 build/softmax_times
timeout 25 python3 gpu/softmax.py
