#!/usr/bin/env bash
# Where NCCL is, and collectives beside NCCL's own calls.
export NCCL_NVLS_ENABLE=0
nvidia-smi -L | wc -l
cc -std=c11 -O1 -I. -Iext -isystem /usr/local/cuda/include gpu/comm.c build/cuda/libgpuarr.a -o build/cuda/gpu_comm \
    -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -fopenmp -lpthread -lm 2>&1 | grep -E 'error|undefined' | head
timeout 18 build/cuda/gpu_comm
GPUARR_RANKS= timeout 10 build/cuda/gpu_comm slabs
timeout 8 build/cuda/gpu_comm hang
[ "$(nvidia-smi -L | wc -l)" -gt 1 ] || exit 0
L="-L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -fopenmp -lpthread -lm"
cc -std=c11 -O1 -I. -Iext -isystem /usr/local/cuda/include examples/22_many_gpus.c build/cuda/libgpuarr.a -o build/cuda/gpu_22 $L
for r in 0 1; do
    GPUARR_RANK=$r GPUARR_RANKS=2 GPUARR_COMM_FILE=/dev/shm/gpu_22 timeout 10 build/cuda/gpu_22 &
done; wait
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpicc -std=c11 -O1 -DGPUARR_USE_MPI -I. -Iext -isystem /usr/local/cuda/include examples/22_many_gpus.c build/cuda/libgpuarr.a -o build/cuda/gpu_22m $L &&
    timeout 15 mpirun -n 2 build/cuda/gpu_22m
