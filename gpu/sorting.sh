#!/bin/bash
# times of the sorting room beside CUB, CuPy and PyTorch
set -u
export PATH=$PATH:/usr/local/cuda/bin
D=$(mktemp -d)
cat > $D/t.c <<'EOF'
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
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
  ga_synchronize();
  TIME("sort f32 2^26", ga_sort(x,GA_AXIS(0),0));
  TIME("sort normal f32 2^26", ga_sort(z,GA_AXIS(0),0));
  TIME("argsort f32 2^26", ga_argsort(x,GA_AXIS(0),0));
  TIME("sort f64 2^26", ga_sort(d,GA_AXIS(0),0));
  TIME("argsort f64 2^26", ga_argsort(d,GA_AXIS(0),0));
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
cat > $D/c.cu <<'EOF'
#include <cub/device/device_radix_sort.cuh>
#include <cstdio>
template<class F> void time(const char*n,F f){cudaEvent_t a,b;cudaEventCreate(&a);cudaEventCreate(&b);float best=1e9;for(int i=0;i<6;i++){cudaEventRecord(a);f();cudaEventRecord(b);cudaEventSynchronize(b);float t;cudaEventElapsedTime(&t,a,b);if(t<best)best=t;}printf("%-28s CUB    %9.3f ms\n",n,best);}
__global__ void fill(unsigned*p,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n){unsigned x=i*2654435761u;x^=x>>16;x*=0x85ebca6b;x^=x>>13;x*=0xc2b2ae35;x^=x>>16;p[i]=__float_as_uint((x>>8)*(1.f/16777216));}}
int main(){int N=1<<26;unsigned*a,*b,*c,*d;void*t=0;size_t n=0;cudaMalloc(&a,4l*N);cudaMalloc(&b,4l*N);cudaMalloc(&c,4l*N);cudaMalloc(&d,4l*N);fill<<<N/256,256>>>(a,N);
cub::DeviceRadixSort::SortPairs(t,n,(float*)a,(float*)b,c,d,N);cudaMalloc(&t,n);
time("sort f32 2^26",[&]{cub::DeviceRadixSort::SortKeys(t,n,(float*)a,(float*)b,N);});
time("argsort f32 2^26",[&]{cub::DeviceRadixSort::SortPairs(t,n,(float*)a,(float*)b,c,d,N);});}
EOF
cat > $D/p.py <<'EOF'
import time, sys
N=1<<26
def best(name, impl, f, sync):
    b=1e9
    try:
        for i in range(6):
            sync(); a=time.perf_counter(); r=f(); sync(); b=min(b,time.perf_counter()-a); del r
        print(f"{name:28s} {impl:6s} {b*1e3:9.3f} ms", flush=True)
    except Exception as e: print(name, impl, str(e)[:80])
try:
    import torch
    g=torch.Generator(device='cuda'); s=torch.cuda.synchronize
    x=torch.rand(N,device='cuda'); d=torch.rand(N,device='cuda',dtype=torch.float64); i=torch.randint(0,1<<24,(N,),device='cuda',dtype=torch.int32)
    r=x[:65536000].view(65536,1000); rt=x[:65536000].view(1000,65536); z=torch.randn(N,device='cuda')
    T=lambda n,f: best(n,'torch',f,s)
    T("sort f32 2^26",lambda: torch.sort(x)); T("argsort f32 2^26",lambda: torch.argsort(x)); T("sort f64 2^26",lambda: torch.sort(d))
    T("sort rows 65536x1000",lambda: torch.sort(r,dim=1)); T("sort axis0 1000x65536",lambda: torch.sort(rt,dim=0))
    T("sort rows 6400000x10",lambda: torch.sort(x[:64000000].view(-1,10),dim=1)); T("sort rows 640000x100",lambda: torch.sort(x[:64000000].view(-1,100),dim=1))
    T("sort rows 16384x4096",lambda: torch.sort(x.view(16384,4096),dim=1)); T("sort rows 4096x16384",lambda: torch.sort(x.view(4096,16384),dim=1)); T("sort axis0 16384x4096",lambda: torch.sort(x.view(16384,4096),dim=0))
    T("topk 100 f32 2^26",lambda: torch.topk(x,100)); T("topk 100 normal 2^26",lambda: torch.topk(z,100)); T("topk 10 rows 65536x1000",lambda: torch.topk(r,10)); T("topk 10 rows 4096x16384",lambda: torch.topk(x.view(4096,16384),10))
    T("unique i32 2^26",lambda: torch.unique(i)); t=torch.sort(x[:1<<20])[0]
    T("searchsorted 2^24 in 2^20",lambda: torch.searchsorted(t,x[:1<<24])); T("isin 2^24 in 2^20 f32",lambda: torch.isin(x[:1<<24],t)); T("isin 2^24 in 2^20 i32",lambda: torch.isin(i[:1<<24],i[:1<<20])); T("isin 2^24 in 100 i32",lambda: torch.isin(i[:1<<24],i[:100]))
    T("permutation 2^26",lambda: torch.randperm(N,device='cuda'))
    del x,d,i,r,rt,z,t; torch.cuda.empty_cache()
except Exception as e: print('torch',e)
try:
    import cupy as cp
    s=cp.cuda.runtime.deviceSynchronize
    x=cp.random.random(N,dtype=cp.float32); i=cp.random.randint(0,1<<24,N,dtype=cp.int32)
    r=x[:65536000].reshape(65536,1000)
    C=lambda n,f: best(n,'cupy',f,s)
    C("sort f32 2^26",lambda: cp.sort(x)); C("argsort f32 2^26",lambda: cp.argsort(x)); C("sort rows 65536x1000",lambda: cp.sort(r,axis=1)); C("argsort rows 65536x1000",lambda: cp.argsort(r,axis=1))
    C("unique i32 2^26",lambda: cp.unique(i)); t=cp.sort(x[:1<<20]); C("searchsorted 2^24 in 2^20",lambda: cp.searchsorted(t,x[:1<<24])); C("isin 2^24 in 2^20 i32",lambda: cp.isin(i[:1<<24],i[:1<<20]))
    C("partition mid f32 2^26",lambda: cp.partition(x,N//2))
except Exception as e: print('cupy',e)
EOF
(nvcc -O3 -arch=sm_90 $D/c.cu -o $D/c > $D/c.log 2>&1) &
cc -std=c11 -O1 -I. $D/t.c -o $D/t build/cuda/libgpuarr.a -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -fopenmp -lpthread -lm $(.ci/lapack cc 2>/dev/null | tr ' ' '\n' | grep -e '^-l' -e '^-L' | tr '\n' ' ') 2>$D/t.log || tail -3 $D/t.log
timeout 15 $D/t
timeout 22 python3 $D/p.py
wait
timeout 10 $D/c || tail -3 $D/c.log
