#!/bin/bash
# times transforms of the library and of torch
cat > /tmp/fft_t.c <<'C'
#include "gpuarr.h"
#include <math.h>
#include <stdio.h>
#include <time.h>
static double now(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec*1e3+t.tv_nsec*1e-6;}
#define TIME(name, expr) do { ga_free(expr); double best=1e9; for(int r=0;r<5;r++){ ga_synchronize(); double a=now(); for(int i=0;i<5;i++) ga_free(expr); ga_synchronize(); double b=(now()-a)/5; if(b<best)best=b;} printf("%-28s %9.4f ms %s\n",name,best,ga_error()?ga_error_message():""); ga_clear_error(); fflush(stdout);} while(0)
static void chk(const char*name, ga_array*x, ga_array*b){ ga_array*d=ga_sub(x,b); double e=sqrt(ga_item(ga_sum(ga_square(ga_abs(d)),GA_ALL))), m=sqrt(ga_item(ga_sum(ga_square(ga_abs(x)),GA_ALL))); printf("%-28s back %.2e %s\n",name,e/m,ga_error()?ga_error_message():""); ga_clear_error(); }
#include <math.h>
int main(void){
 double t0=now(); ga_array*s=ga_random(GA_SHAPE(1000),GA_FLOAT32); ga_synchronize(); double t1=now(); ga_free(ga_fft(s,0,-1,GA_BACKWARD)); ga_synchronize(); printf("context %.1f first fft(1000) %.2f ms\n",t1-t0,now()-t1);
 { GA_SCOPE; if(OWN) for(int wide=0;wide<2;wide++) for(int n=16;n<=4096;n*=4){ ga_array*x=ga_astype(ga_random(GA_SHAPE(64,n),GA_FLOAT64),wide?GA_COMPLEX128:GA_COMPLEX64); char b[40]; snprintf(b,40,"c2c %d wide %d",n,wide); chk(b,x,ga_ifft(ga_fft(x,0,-1,GA_BACKWARD),0,-1,GA_BACKWARD)); } }
 { GA_SCOPE; ga_array*x=ga_astype(ga_random(GA_SHAPE(1<<24),GA_FLOAT32),GA_COMPLEX64); TIME("c64 2^24",ga_fft(x,0,-1,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_astype(ga_random(GA_SHAPE(65536,1024),GA_FLOAT32),GA_COMPLEX64); TIME("c64 (65536,1024)",ga_fft(x,0,-1,GA_BACKWARD)); TIME("copy of it",ga_copy(x)); TIME("ifft",ga_ifft(x,0,-1,GA_BACKWARD)); TIME("c64 (65536,1024) axis0",ga_fft(x,0,0,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_astype(ga_random(GA_SHAPE(1024,65536),GA_FLOAT32),GA_COMPLEX64); TIME("c64 (1024,65536) axis0",ga_fft(x,0,0,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_astype(ga_random(GA_SHAPE(4096,16384),GA_FLOAT32),GA_COMPLEX64); TIME("c64 (4096,16384) axis0",ga_fft(x,0,0,GA_BACKWARD)); TIME("c64 (4096,16384) axis1",ga_fft(x,0,1,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_astype(ga_random(GA_SHAPE(1000,65536),GA_FLOAT32),GA_COMPLEX64); TIME("c64 (1000,65536) axis0",ga_fft(x,0,0,GA_BACKWARD)); TIME("c64 (1000,65536) axis1",ga_fft(x,0,1,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_astype(ga_random(GA_SHAPE(1000,4096),GA_FLOAT32),GA_COMPLEX64); TIME("c64 (1000,4096)",ga_fft(x,0,-1,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_astype(ga_random(GA_SHAPE(1000000,128),GA_FLOAT32),GA_COMPLEX64); TIME("c64 (1e6,128)",ga_fft(x,0,-1,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_random(GA_SHAPE(65536,1024),GA_FLOAT32); TIME("rfft f32 (65536,1024)",ga_rfft(x,0,-1,GA_BACKWARD)); ga_array*y=ga_rfft(x,0,-1,GA_BACKWARD); TIME("irfft f32 (65536,1024)",ga_irfft(y,0,-1,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_random(GA_SHAPE(1<<26),GA_FLOAT32); TIME("rfft f32 2^26",ga_rfft(x,0,-1,GA_BACKWARD)); ga_array*y=ga_rfft(x,0,-1,GA_BACKWARD); TIME("irfft 2^26",ga_irfft(y,0,-1,GA_BACKWARD)); }
 for(int k=0;k<3;k++){ GA_SCOPE; int n=k==0?2000:k==1?4096:8192; char b[40]; snprintf(b,40,"fft2 c64 %d",n); ga_array*x=ga_astype(ga_random(GA_SHAPE(n,n),GA_FLOAT32),GA_COMPLEX64); TIME(b,ga_fft2(x,GA_SCALAR_SHAPE,GA_ALL,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_astype(ga_random(GA_SHAPE(65536,1024),GA_FLOAT64),GA_COMPLEX128); TIME("c128 (65536,1024)",ga_fft(x,0,-1,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_astype(ga_random(GA_SHAPE(1000,1021),GA_FLOAT32),GA_COMPLEX64); TIME("c64 (1000,1021)",ga_fft(x,0,-1,GA_BACKWARD)); ga_array*y=ga_astype(ga_random(GA_SHAPE(999983),GA_FLOAT32),GA_COMPLEX64); TIME("c64 999983",ga_fft(y,0,-1,GA_BACKWARD)); }
 { GA_SCOPE; ga_array*x=ga_astype(ga_random(GA_SHAPE(65536,1024),GA_FLOAT32),GA_FLOAT16); TIME("rfft f16 (65536,1024)",ga_rfft(x,0,-1,GA_BACKWARD)); TIME("fft f16 (65536,1024) n=2048",ga_fft(x,2048,-1,GA_BACKWARD)); }
 return 0; }
C
L="-L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread -lm -fopenmp"
M="-llapacke -lopenblas -lz"
(mkdir -p /tmp/fft_own; sed "s/GA__FFT_PLAIN 1/GA__FFT_PLAIN 0/" gpuarr.h > /tmp/fft_own/gpuarr.h
 cc -O0 -DGPUARR_IMPLEMENTATION -DOWN=1 -I/tmp/fft_own -I/usr/local/cuda/include /tmp/fft_t.c build/cuda/kernels.o $L -o /tmp/fft_t0 2>&1 | grep error) &
cc -O1 -DOWN=0 -I. /tmp/fft_t.c build/cuda/libgpuarr.a $L $M -o /tmp/fft_t1 2>/dev/null || cc -O1 -DOWN=0 -I. /tmp/fft_t.c build/cuda/libgpuarr.a $L -o /tmp/fft_t1
cat > /tmp/fft_c.c <<'C'
#include "gpuarr.h"
static ga_array *x, *y, *z, *w;
static void step(void *a) { (void)a; ga_fft_into(y, x, 0, 1, GA_BACKWARD); ga_rfft_into(w, z, 0, 1, GA_BACKWARD); }
int main(void) { ga_on_error(GA_PRINT); x = ga_astype(ga_random(GA_SHAPE(7, 93), GA_FLOAT32), GA_COMPLEX64); y = ga_zeros(GA_SHAPE(7, 93), GA_COMPLEX64);
 z = ga_random(GA_SHAPE(3, 20000), GA_FLOAT32); w = ga_zeros(GA_SHAPE(3, 10001), GA_COMPLEX64);
 ga_graph *g = ga_graph_create(step, NULL); if (g) ga_graph_launch(g); ga_array *v = ga_fft(x, 0, 1, GA_BACKWARD); printf("first in a capture: %d\n", g ? (int)ga_allclose(v, y, 0, 0, 0) : -1); return 0; }
C
cc -O1 -I. /tmp/fft_c.c build/cuda/libgpuarr.a $L $M -o /tmp/fft_c 2>/dev/null || cc -O1 -I. /tmp/fft_c.c build/cuda/libgpuarr.a $L -o /tmp/fft_c
/tmp/fft_c
/tmp/fft_t1; wait; echo "--- rows by the own kernel"; /tmp/fft_t0 | grep -v fft2
