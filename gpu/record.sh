#!/usr/bin/env bash
# repository root; prints interpreter, recorded beside each other
set -u
B=build/cuda; W=$(mktemp -d); R=$PWD
LIBS="-L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -llapacke -lopenblas -lz -fopenmp -lpthread -lm"
cc -std=c11 -O1 -iquote $B/linked -I. -isystem /usr/local/cuda/include -c gpu/record.c -o $W/r.o || exit 1
cc $W/r.o -o $W/plain $B/libgpuarr.a $LIBS || cc $W/r.o -o $W/plain $B/libgpuarr.a ${LIBS/-llapacke -lopenblas/} || exit 1
$W/plain > $W/plain.txt 2>&1
GPUARR_RECORD=$W/fused.cu $W/plain > /dev/null 2> $W/rec.err; head -3 $W/rec.err
( time nvcc -O3 -arch=sm_90 -I. -Xcompiler -fno-exceptions,-fno-threadsafe-statics -c $W/fused.cu -o $W/fused.o ) 2>&1 | grep -vE '^$|sys'
cc $W/r.o $W/fused.o -o $W/fast $B/libgpuarr.a $LIBS || cc $W/r.o $W/fused.o -o $W/fast $B/libgpuarr.a ${LIBS/-llapacke -lopenblas/} || exit 1
$W/fast > $W/fast.txt 2>&1
cuobjdump -res-usage $W/fused.o 2>&1 | grep -oE 'REG:[0-9]+|gk_r_[a-z]+' | tr '\n' ' '; echo
paste <(cut -c1-42 $W/plain.txt) <(cut -c13-200 $W/fast.txt) <(cut -c42-90 $W/plain.txt)
grep -c 'struct gk_' $W/fused.cu
rm -r $W
