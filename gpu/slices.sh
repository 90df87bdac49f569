#!/bin/bash
# interpreter against the compiled kernel of the same expression

mkdir -p build; { echo "#define _GNU_SOURCE"; echo "#define GPUARR_IMPLEMENTATION"; cat gpu/slices.c; } > build/gpu_slices_all.c
gcc -std=c11 -O1 -I. -Iext -I/usr/local/cuda/include build/gpu_slices_all.c build/cuda/kernels.*.o -o build/gpu_slices -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread -lm -fopenmp 2>&1 | head -20
build/gpu_slices
