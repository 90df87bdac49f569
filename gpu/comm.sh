#!/usr/bin/env bash
export NCCL_NVLS_ENABLE=0
n=$(nvidia-smi -L | wc -l)
L="-L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -fopenmp -lpthread -lm"
for b in 3 4; do
    cc -std=c11 -O1 -DGA__SLAB_BUFFERS=$b -I. -Iext -isystem /usr/local/cuda/include gpu/comm.c build/cuda/libgpuarr.a -o build/cuda/gpu_comm$b $L 2>&1 | grep -E 'error|undefined' &
done; wait
for b in 3 4; do echo "buffers $b"; build/cuda/gpu_comm$b slabs; done
[ "$n" -gt 1 ] || exit 0
build/cuda/gpu_comm3 hang
cc -std=c11 -O1 -I. -Iext -isystem /usr/local/cuda/include examples/22_many_gpus.c build/cuda/libgpuarr.a -o build/cuda/gpu_22 $L
rm -f /dev/shm/gpu_22
for r in 0 1; do GPUARR_RANK=$r GPUARR_RANKS=2 GPUARR_COMM_FILE=/dev/shm/gpu_22 build/cuda/gpu_22 & done; wait
