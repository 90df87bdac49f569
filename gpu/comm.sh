#!/usr/bin/env bash
# Where NCCL is, and collectives beside NCCL's own calls.
export NCCL_NVLS_ENABLE=0
nvidia-smi -L | wc -l
cc -std=c11 -O1 -I. -Iext -isystem /usr/local/cuda/include gpu/comm.c build/cuda/libgpuarr.a -o build/cuda/gpu_comm \
    -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -fopenmp -lpthread -lm 2>&1 | grep -E 'error|undefined' | head
timeout 18 build/cuda/gpu_comm
GPUARR_RANKS= timeout 10 build/cuda/gpu_comm slabs
