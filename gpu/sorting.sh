#!/bin/bash
# times of the sorting room beside CUB, CuPy and PyTorch
set -u
export PATH=$PATH:/usr/local/cuda/bin
D=$(mktemp -d)
cat > $D/t.c <<'EOF'
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "gpuarr.h"
static double now(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec*1e3+t.tv_nsec*1e-6;}
#define TIME(name, ...) do { double first=0,best=1e9; for(int k_=0;k_<7;k_++){ GA_SCOPE; ga_synchronize(); double a_=now(); __VA_ARGS__; ga_synchronize(); double b=now()-a_; if(!k_) first=b; if(b<best) best=b; } \
  printf("%-28s gpuarr %9.3f ms first %9.3f %s\n", name, best, first, ga_error()?ga_error_message():""); ga_clear_error(); fflush(stdout);} while(0)
int main(void){
  int64_t N=1<<26;
  ga_array *x=ga_random(GA_SHAPE(N),GA_FLOAT32), *d=ga_random(GA_SHAPE(N),GA_FLOAT64);
  ga_array *z=ga_random_standard_normal(GA_SHAPE(N),GA_FLOAT32);
  ga_array *i=ga_astype(ga_random_integers(0,1<<24,GA_SHAPE(N),GA_INT64),GA_INT32);
  ga_array *il=ga_random_integers(0,INT64_MAX,GA_SHAPE(N),GA_INT64);
  ga_array *r=ga_reshape(ga_slice_axis(x,0,0,65536000,1),GA_SHAPE(65536,1000));
  ga_array *rt=ga_reshape(ga_slice_axis(x,0,0,65536000,1),GA_SHAPE(1000,65536));
  ga_array *r10=ga_reshape(ga_slice_axis(x,0,0,64000000,1),GA_SHAPE(6400000,10));
  ga_array *r100=ga_reshape(ga_slice_axis(x,0,0,64000000,1),GA_SHAPE(640000,100));
  ga_array *r4k=ga_reshape(x,GA_SHAPE(16384,4096)), *r16k=ga_reshape(x,GA_SHAPE(4096,16384)), *r16t=ga_reshape(x,GA_SHAPE(16384,4096));
  ga_array *i8=ga_astype(ga_random_integers(0,255,GA_SHAPE(N),GA_INT64),GA_UINT8);
  ga_array *c=ga_astype(x,GA_COMPLEX64), *h=ga_astype(x,GA_FLOAT16);
  ga_array *v, *p;
  ga_synchronize(); int all=!getenv("FEW");
  TIME("sort f32 2^26", ga_sort(x,GA_AXIS(0),0));
  TIME("argsort f32 2^26", ga_argsort(x,GA_AXIS(0),0)); TIME("sort f64 2^26", ga_sort(d,GA_AXIS(0),0)); TIME("argsort f64 2^26", ga_argsort(d,GA_AXIS(0),0)); if(!all) return 0;
  TIME("sort normal f32 2^26", ga_sort(z,GA_AXIS(0),0));
  TIME("sort i64 2^26", ga_sort(il,GA_AXIS(0),0));
  TIME("sort f16 2^26", ga_sort(h,GA_AXIS(0),0));
  TIME("sort u8 2^26", ga_sort(i8,GA_AXIS(0),0));
  TIME("sort c64 2^26", ga_sort(c,GA_AXIS(0),0));
  TIME("sort rows 65536x1000", ga_sort(r,GA_AXIS(1),0));
  TIME("argsort rows 65536x1000", ga_argsort(r,GA_AXIS(1),0));
  TIME("sort axis0 1000x65536", ga_sort(rt,GA_AXIS(0),0));
  TIME("sort rows 6400000x10", ga_sort(r10,GA_AXIS(1),0));
  TIME("sort rows 640000x100", ga_sort(r100,GA_AXIS(1),0));
  TIME("sort rows 16384x4096", ga_sort(r4k,GA_AXIS(1),0));
  TIME("sort rows 4096x16384", ga_sort(r16k,GA_AXIS(1),0));
  TIME("sort axis0 16384x4096", ga_sort(r16t,GA_AXIS(0),0));
  TIME("topk 100 f32 2^26", ga_topk(x,100,GA_AXIS(0),0,&v,&p));
  TIME("topk 100 normal 2^26", ga_topk(z,100,GA_AXIS(0),0,&v,&p));
  TIME("topk 100 f64 2^26", ga_topk(d,100,GA_AXIS(0),0,&v,&p));
  TIME("topk 10 rows 65536x1000", ga_topk(r,10,GA_AXIS(1),0,&v,&p));
  TIME("topk 2000 f32 2^26", ga_topk(x,2000,GA_AXIS(0),0,&v,&p));
  TIME("topk 100000 f32 2^26", ga_topk(x,100000,GA_AXIS(0),0,&v,&p));
  TIME("topk 10 rows 4096x16384", ga_topk(r16k,10,GA_AXIS(1),0,&v,&p));
  TIME("partition mid f32 2^26", ga_partition(x,N/2,GA_AXIS(0),0));
  TIME("argpartition mid f32 2^26", ga_argpartition(x,N/2,GA_AXIS(0),0));
  TIME("unique i32 2^26", ga_unique(i,GA_ALL,NULL,NULL,NULL));
  TIME("unique all i32 2^26", ga_unique(i,GA_ALL,&v,&p,&v));
  { ga_array *t=ga_sort(ga_slice_axis(x,0,0,1<<20,1),GA_AXIS(0),0), *q=ga_slice_axis(z,0,0,1<<24,1), *u=ga_slice_axis(x,0,0,1<<24,1);
    (void)q; TIME("searchsorted 2^24 in 2^20", ga_searchsorted(t,u,GA_NONE,0));
    TIME("isin 2^24 in 2^20 f32", ga_isin(u,t,0));
    ga_array *ia=ga_slice_axis(i,0,0,1<<24,1), *ib=ga_slice_axis(i,0,0,1<<20,1);
    TIME("isin 2^24 in 2^20 i32", ga_isin(ia,ib,0));
    TIME("isin 2^24 in 100 i32", ga_isin(ia,ga_slice_axis(i,0,0,100,1),0));
    TIME("intersect1d 2^24 2^20", ga_intersect1d(ia,ib)); }
  TIME("lexsort 2 f32 2^24", { ga_array *a=ga_slice_axis(x,0,0,1<<24,1),*b=ga_slice_axis(z,0,0,1<<24,1); ga_lexsort(GA_AXIS(0),a,b); });
  TIME("permutation 2^26", ga_random_permutation(N));
  { GA_SCOPE; ga_array *y=ga_sort(z,GA_AXIS(0),0); ga_array *ok=ga_all(ga_less_equal(ga_slice_axis(y,0,0,N-1,1),ga_slice_axis(y,0,1,N,1)),GA_ALL);
    printf("in order %g, sums %.17g %.17g\n", ga_item(ok), ga_item(ga_sum(y,GA_ALL)), ga_item(ga_sum(z,GA_ALL)));
    ga_array *q=ga_sort(ga_argsort(z,GA_AXIS(0),0),GA_AXIS(0),0); printf("permutation %g %s\n", ga_item(ga_all(ga_equal(q,ga_arange(0,N,1)),GA_ALL)), ga_error_message()); }
}
EOF
B=build/cuda
LINK="-L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -fopenmp -lpthread -lz -lm $(.ci/lapack cc 2>/dev/null | tr ' ' '\n' | grep -e '^-l' -e '^-L' | tr '\n' ' ')"
REST=$(ls $B/kernels.*.o | grep -v order_cuda)
cc -std=c11 -O1 -I. -I/usr/local/cuda/include -c $D/t.c -o $D/t.o
i=0
while IFS='|' read -r a b c d lb; do
  i=$((i+1))
  printf '#define GK_K4 %s\n#define GK_P4 %s\n#define GK_K8 %s\n#define GK_P8 %s\n#define GK_LB %s\n' "$a" "$b" "$c" "$d" $lb > $D/v$i.h
  ( echo "variant $i: $a | $b | $c | $d | $lb" > $D/v$i.log; nvcc -std=c++17 -O3 -gencode arch=compute_90,code=sm_90 -Xcompiler -fno-exceptions,-fno-threadsafe-statics,-fPIC,-fopenmp -diag-suppress 177 -DGK_PART -DGK_PART_order_cuda -include $D/v$i.h -c kernels.cu -o $D/v$i.o >> $D/v$i.log 2>&1 && cc $D/t.o $B/gpuarr.o $REST $D/v$i.o -o $D/v$i $LINK >> $D/v$i.log 2>&1 ) &
done <<'EOV'
384,18,2|384,16,2|256,15,2|256,15,2|1
384,18,2|384,16,2|256,15,2|256,15,2|4
384,18,3|384,16,3|256,15,3|256,15,3|4
512,13,2|512,13,2|384,10,2|384,10,2|4
256,24,3|256,20,3|256,12,4|256,12,3|4
512,12,3|512,12,3|512,8,2|512,8,2|4
384,12,4|384,12,4|256,10,4|256,10,4|4
EOV
cc $D/t.o $B/libgpuarr.a -o $D/t $LINK 2>$D/t.log || tail -3 $D/t.log
timeout 12 $D/t
wait
for j in $(seq $i); do cat $D/v$j.log; FEW=1 timeout 4 $D/v$j; done
