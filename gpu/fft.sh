#!/bin/bash
# Transforms by cuFFT where it can, in one launch of our own, in two; reductions of the grid.
T=$(mktemp -d)
top=$(dirname "$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")
flags="-std=c11 -O1 -w -I. -Iext -I$top/include"
libs="-L$top/lib64 -lcudart_static -ldl -lrt -lpthread -lm -fopenmp"
cc $flags -DGA__FFT_PLAIN=2 -DGA__FFT_COLUMNS=1024 gpu/fft.c -o $T/cufft build/cuda/libgpuarr.a $libs &
cc $flags -DGA__FFT_PLAIN=0 -DGA__FFT_COLUMNS=4096 gpu/fft.c -o $T/own build/cuda/libgpuarr.a $libs &
cc $flags -DGA__FFT_PLAIN=0 -DGA__FFT_COLUMNS=64 gpu/fft.c -o $T/twice build/cuda/libgpuarr.a $libs &
timeout 12 build/cuda/bench/rows --device=0 --class=red --every=5 --budget=10 --out=$T/red.jsonl > $T/red.log 2>&1
wait
$T/cufft zcmCr > $T/cufft.txt
$T/own zcmCrRhi > $T/own.txt
$T/twice cmC > $T/twice.txt
echo "case (z rows, c columns, m middle, r/R rfft, h half, i irfft, C double columns, q fft2): share of the copy rate"
for f in cufft own twice; do sed "s/^/$f /" $T/$f.txt; done | awk '{v[$2,$1]=$4; ms[$2,$1]=$3; if(!($2 in o)){o[$2]=++n; k[n]=$2}} END{printf "%-8s %7s %7s %7s\n","case","cufft","own","twice"; for(i=1;i<=n;i++) printf "%-8s %7s %7s %7s\n",k[i],v[k[i],"cufft"],v[k[i],"own"],v[k[i],"twice"]}'
$T/own s
tail -2 $T/red.log
python3 gpu/red.py all,first,str,mid,last,long,short $T/red.jsonl
rm -r $T
