#!/bin/bash
# Transforms beside the copy rate; reductions of the grid.
T=$(mktemp -d)
top=$(dirname "$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")
cc -std=c11 -O1 -w -I. -Iext -I$top/include gpu/fft.c -o $T/fft build/cuda/libgpuarr.a \
  -L$top/lib64 -lcudart_static -ldl -lrt -lpthread -lm -fopenmp
$T/fft s
$T/fft zcmCriRh > $T/fft.txt
awk '{k=substr($1,2); t=substr($1,1,1); v[k,t]=$3; if(!(k in o)){o[k]=++n; l[n]=k}} END{split("z c m C r i R h q",c," "); printf "%-6s","n"; for(j=1;j<=9;j++) printf " %5s",c[j]; print ""; for(i=1;i<=n;i++){printf "%-6s",l[i]; for(j=1;j<=9;j++) printf " %5s",v[l[i],c[j]]; print ""}}' $T/fft.txt
build/cuda/bench/rows --device=0 --class=red --every=11 --budget=9 --out=$T/red.jsonl > $T/red.log 2>&1
tail -2 $T/red.log
python3 gpu/red.py all,first,str,mid,last,long,short $T/red.jsonl
rm -r $T
