#!/bin/bash
# Transforms: rows, columns, a middle axis, real ones; ways and variants beside each other.
T=$(mktemp -d)
top=$(dirname "$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")
flags="-std=c11 -O1 -w -I. -Iext -I$top/include"
libs="-L$top/lib64 -lcudart_static -ldl -lrt -lpthread -lm -fopenmp"
kern() { "$top/bin/nvcc" -std=c++17 -O3 -gencode arch=compute_90,code=sm_90 -Xcompiler -fno-exceptions,-fno-threadsafe-statics,-fPIC,-fopenmp -diag-suppress 177 -DGK_PART -DGK_PART_fft_cuda "${@:2}" -c kernels.cu -o $T/$1.o; }
kern small '-DGK_FK_RADICES(X)=X(2) X(3) X(4) X(5) X(7) X(8) X(9) X(10) X(16)' -DGK_FK_BOUNDS=512 -DGK_FK_LEAST=1 2> $T/e1 &
kern tight '-DGK_FK_RADICES(X)=X(2) X(3) X(4) X(5) X(7) X(8) X(10) X(16)' -DGK_FK_BOUNDS=256 -DGK_FK_LEAST=4 2> $T/e2 &
cc $flags -DGA__FFT_PLAIN=1 -DGA__FFT_COLUMNS=1024 -c gpu/fft.c -o $T/a.o & p1=$!
cc $flags -DGA__FFT_PLAIN=0 -DGA__FFT_COLUMNS=4096 -c gpu/fft.c -o $T/b.o & p2=$!
wait $p1 $p2
cat > $T/peer.py <<'P'
import cupy as cp
for kind in "zcm":
    for n in (16,100,128,243,1000,1021,1024,1500,2000,2048,3000,4096,8192):
        m=(1<<24)//n
        x=cp.ones((m,n) if kind=="z" else (n,m) if kind=="c" else (16,n,m//16),cp.complex64)
        axis=0 if kind=="c" else 1
        best=1e9
        for i in range(4):
            a,b=cp.cuda.Event(),cp.cuda.Event(); a.record()
            for k in range(3): y=cp.fft.fft(x,axis=axis)
            b.record(); b.synchronize()
            if i: best=min(best,cp.cuda.get_elapsed_time(a,b)/3)
        print(f"{kind}{n} {best:.4f} {m*n*16/4.2e9/best:.2f}")
        del x,y
P
link() { cc -o $T/$1 "${@:2}" -Wl,--allow-multiple-definition build/cuda/libgpuarr.a $libs; }
link cufft $T/a.o; link own $T/b.o
timeout 12 python3 $T/peer.py > $T/cupy.txt 2> $T/pe
$T/cufft zcmZ > $T/cufft.txt
$T/own zcmrRhiZC > $T/own.txt
wait
link small $T/b.o $T/small.o; link tight $T/b.o $T/tight.o
$T/small zcri > $T/small.txt
$T/tight zcri > $T/tight.txt
echo "case (z rows, c columns, m middle, r/R rfft, h half, i irfft, Z C double, q fft2): share of the copy rate"
for f in cufft own small tight cupy; do sed "s/^/$f /" $T/$f.txt; done | awk '{v[$2,$1]=$4; ms[$2,$1]=$3; if(!($2 in o)){o[$2]=++n; k[n]=$2}} END{printf "%-8s %7s %7s %7s %7s %7s\n","case","cufft","own","small","tight","cupy"; for(i=1;i<=n;i++) printf "%-8s %7s %7s %7s %7s %7s\n",k[i],v[k[i],"cufft"],v[k[i],"own"],v[k[i],"small"],v[k[i],"tight"],v[k[i],"cupy"]}'
cat $T/e1 $T/e2 $T/pe | head -5
rm -r $T
