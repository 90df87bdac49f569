#!/usr/bin/env bash
PATH=$PATH:/usr/local/cuda/bin
L="build/cuda/libgpuarr.a $(grep -q lapacke build/cuda/flags && echo -llapacke -lopenblas) $(grep -q -- -lz build/cuda/flags && echo -lz) -L/usr/local/cuda/lib64 -Wl,-rpath,/usr/local/cuda/lib64 -lcusparse -lcudart_static -ldl -lrt -fopenmp -lpthread -lm"
cc -w -std=c11 -O2 -I. -Iext -I/usr/local/cuda/include gpu/sparse.c -o /tmp/sparse_bench $L && /tmp/sparse_bench
ncu --cache-control none --clock-control none --metrics gpu__time_duration.sum,launch__registers_per_thread -k regex:gs_ /tmp/sparse_bench one 2>/dev/null | grep -E "gs_|duration" | paste - - | sed 's/ga__[a-z]*//; s/Context.*duration.sum//' | cut -c1-150 | tail -50
