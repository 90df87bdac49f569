#!/usr/bin/env bash
# Where NCCL is, and collectives beside NCCL's own calls.
export NCCL_NVLS_ENABLE=0
nvidia-smi -L | wc -l
find / -name 'libnccl.so*' -not -path '/proc/*' 2>/dev/null | head -3
if ! ldconfig -p | grep -q libnccl && [ -z "${GPUARR_NCCL:-}" ]; then
    f=$(find / -name 'libnccl.so.2' -not -path '/proc/*' 2>/dev/null | head -1)
    [ -z "$f" ] || echo "found $f"
fi
cc -std=c11 -O1 -I. -Iext -isystem /usr/local/cuda/include gpu/comm.c build/cuda/libgpuarr.a -o build/cuda/gpu_comm \
    -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -fopenmp -lpthread -lm 2>&1 | grep -E 'error|undefined' | head
timeout 20 build/cuda/gpu_comm
which mpirun mpicc
