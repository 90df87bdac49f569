#!/bin/bash
# Builds the element-wise parts with gpu/ew.diff in a copy of the tree, beside
# build/cuda's other objects, and times cases of the grid.
export OUT=${OUT:-/tmp/ew_out}; mkdir -p $OUT
T=/tmp/ew_try; rm -rf $T; mkdir -p $T/build
for f in *; do [ "$f" = build ] || cp -a "$f" $T/; done; cp -a build/cuda $T/build/
cd $T && { patch -sp1 < gpu/ew.diff || git apply gpu/ew.diff; } || exit 1
B=build/cuda; export PATH=$PATH:/usr/local/cuda/bin
find $B -type f -exec touch {} +
t0=$(date +%s)
N="nvcc -std=c++17 -O3 -gencode arch=compute_90,code=sm_90 -Xcompiler -fno-exceptions,-fno-threadsafe-statics,-fno-math-errno,-fno-trapping-math,-fPIC,-fopenmp -diag-suppress 177 -DGK_PART"
for p in ew_float_cuda ew_f16_cuda ew_int_cuda ew_uint_cuda ew_complex_cuda ew_cast_cuda special_cuda solve; do { $N -DGK_PART_$p -c kernels.cu -o $B/kernels.$p.o || echo FAILED $p; } & done
rm -f $B/gpuarr.o; make CUDA=1 ARCH=sm_90 DEPS=0 -o kernels.cu $B/gpuarr.o > make.log 2>&1 || tail -5 make.log
wait
ld -r -x -o a.o $B/kernels.*.o
L="-I. -Iext $(grep -o -- '-DGPUARR_USE_[A-Z]*' make.log | sort -u | tr '\n' ' ') -isystem /usr/local/cuda/include"
K="-llapacke -lopenblas -lz -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -fopenmp -lpthread -lm"
cc -std=c11 -O1 $L bench/rows.c -o a.rows $B/gpuarr.o a.o $B/gpuarr_sparse.o $B/bench/limits.o $B/bench/rows_plain.o -lstdc++ $K 2>&1 | tail -3 &
cc -std=c11 -O0 $L tests/test_elementwise.c -Itests -o a.test $B/gpuarr.o a.o $B/gpuarr_sparse.o -lcmocka $K -lstdc++ 2>&1 | tail -3 &
wait
echo "built in $(( $(date +%s) - t0 )) s"
./a.rows --device=0 --class=ew,cast --every=6 --budget=5 --out=$OUT/ew_a.jsonl 2>&1 | tail -6
./a.rows --device=0 --class=ew --cases=/add/ --budget=2 --out=$OUT/ew_a.jsonl 2>&1 | tail -1
cat > table.py <<'P'
import json,os,collections
O=os.environ['OUT']
L=[json.loads(l) for l in open(f'{O}/ew_a.jsonl')]
T=collections.defaultdict(lambda: collections.defaultdict(list))
for d in L:
    if d.get('limit_ms') and d['case'].startswith('ew/'):
        _,r,t,l=d['case'].split('/'); T[l][t].append(d['limit_ms']/d['median_ms'])
ts='b1 i8 u8 i16 u16 f16 bf16 i32 u32 f32 i64 u64 f64 c64 c128'.split()
print(len(L)); print('    ',*['%5s'%t for t in ts])
for l in T: print('%4s '%l,*['%5s'%('%.2f'%(sum(T[l][t])/len(T[l][t])) if t in T[l] else '') for t in ts])
P
python3 table.py
timeout 8 ./a.test > $OUT/ew_test.log 2>&1; tail -2 $OUT/ew_test.log; grep -m5 "FAILED\|rror" $OUT/ew_test.log
