#!/bin/bash
# Builds the element-wise parts with gpu/ew.diff in a copy of the tree, beside
# build/cuda's other objects, and times cases of the grid.
export OUT=${OUT:-/tmp/ew_out}; mkdir -p $OUT
T=/tmp/ew_try; rm -rf $T; mkdir -p $T
for f in *; do [ "$f" = build ] || cp -a "$f" $T/; done; mkdir -p $T/build; cp -a build/cuda $T/build/
cd $T && { patch -sp1 < gpu/ew.diff || git apply gpu/ew.diff; } || exit 1
B=build/cuda; export PATH=$PATH:/usr/local/cuda/bin
find $B -type f -exec touch {} +
t0=$(date +%s)
part() {   # part, options, object
  nvcc -std=c++17 -O3 -gencode arch=compute_90,code=sm_90 -Xcompiler -fno-exceptions,-fno-threadsafe-statics,-fno-math-errno,-fno-trapping-math,-fPIC,-fopenmp -diag-suppress 177 -DGK_PART -DGK_PART_$1 $2 -c kernels.cu -o $3 || echo FAILED $1
}
mkdir -p v2
for p in ew_float_cuda ew_f16_cuda ew_int_cuda ew_uint_cuda ew_complex_cuda special_cuda solve; do part $p "" $B/kernels.$p.o & done
for p in ew_float_cuda ew_int_cuda; do part $p "-DGK_LT=512 -DGK_LB=4 -DGK_HB=3" v2/kernels.$p.o & done
rm -f $B/gpuarr.o; make CUDA=1 ARCH=sm_90 DEPS=0 -o kernels.cu $B/gpuarr.o > make.log 2>&1 || tail -5 make.log; touch $B/*
wait
lib() {  # output prefix, objects
  rm -f $1.o; ld -r -x -o $1.o $(ls $B/kernels.*.o | grep -v "kernels.o$" | while read o; do [ -f v2/$(basename $o) ] && [ "$2" ] && echo v2/$(basename $o) || echo $o; done)
  L="-I. -Iext $(grep -o -- '-DGPUARR_USE_[A-Z]*' make.log | sort -u | tr '\n' ' ') -isystem /usr/local/cuda/include"
  K="-llapacke -lopenblas -lz -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -fopenmp -lpthread -lm"
  cc -std=c11 -O1 $L bench/rows.c -o $1.rows $B/gpuarr.o $1.o $B/gpuarr_sparse.o $B/bench/limits.o $B/bench/rows_plain.o -lstdc++ $K 2>&1 | tail -3
}
lib a & lib b v2 & wait
cc -std=c11 -O0 $L -I. -Iext -isystem /usr/local/cuda/include $(grep -o -- '-DGPUARR_USE_[A-Z]*' make.log | sort -u | tr '\n' ' ') tests/test_elementwise.c -Itests -o a.test $B/gpuarr.o a.o $B/gpuarr_sparse.o -lcmocka -llapacke -lopenblas -lz -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -fopenmp -lpthread -lm -lstdc++ 2>&1 | tail -3 &
echo "built in $(( $(date +%s) - t0 )) s"
./a.rows --device=0 --class=ew --cases=/add/ --budget=3 --out=$OUT/ew_a.jsonl 2>&1 | tail -4
./a.rows --device=0 --class=ew,cast --every=14 --budget=5 --out=$OUT/ew_a.jsonl 2>&1 | tail -8
for c in /add/f32 /add/i8 /tanh/f /log1p/f /erf/f; do ./b.rows --device=0 --class=ew --cases=$c --budget=1 --out=$OUT/ew_b.jsonl 2>&1 | tail -2; ./a.rows --device=0 --class=ew --cases=$c --budget=1 --out=$OUT/ew_a.jsonl 2>&1 | tail -2; done
wait
timeout 8 ./a.test > $OUT/ew_test.log 2>&1; tail -3 $OUT/ew_test.log; grep -m5 "FAILED\|rror" $OUT/ew_test.log
python3 - <<'P'
import json,os,collections
O=os.environ['OUT']
for f in 'ab':
    p=f'{O}/ew_{f}.jsonl'
    if not os.path.exists(p): continue
    L=[json.loads(l) for l in open(p)]
    T=collections.defaultdict(lambda: collections.defaultdict(list))
    for d in L:
        if d.get('limit_ms') and d['case'].startswith('ew/'):
            _,r,t,l=d['case'].split('/'); T[l][t].append(d['limit_ms']/d['median_ms'])
    ts='b1 i8 u8 i16 u16 f16 bf16 i32 u32 f32 i64 u64 f64 c64 c128'.split()
    print(f,len(L)); print('    ',*['%5s'%t for t in ts])
    for l in T: print('%4s '%l,*['%5s'%('%.2f'%(sum(T[l][t])/len(T[l][t])) if t in T[l] else '') for t in ts])
P
