#!/bin/bash
# times transforms of the library and of torch
cat > /tmp/fft_t.c <<'C'
#include "gpuarr.h"
#include <math.h>
#include <stdio.h>
#include <time.h>
static double now(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec*1e3+t.tv_nsec*1e-6;}
#define TIME(name, expr) do { ga_free(expr); double best=1e9; for(int r=0;r<7;r++){ ga_synchronize(); double a=now(); for(int i=0;i<5;i++) ga_free(expr); ga_synchronize(); double b=(now()-a)/5; if(b<best)best=b;} printf("%-28s %9.4f ms %s\n",name,best,ga_error()?ga_error_message():""); ga_clear_error(); fflush(stdout);} while(0)
static void chk(const char*name, ga_array*x, ga_array*b){ ga_array*d=ga_sub(x,b); double e=sqrt(ga_item(ga_sum(ga_square(ga_abs(d)),GA_ALL))), m=sqrt(ga_item(ga_sum(ga_square(ga_abs(x)),GA_ALL))); printf("%-28s back %.2e %s\n",name,e/m,ga_error()?ga_error_message():""); ga_clear_error(); }
#include <math.h>
int main(void){
 double t0=now(); ga_array*s=ga_random(GA_SHAPE(1000),GA_FLOAT32); ga_synchronize(); double t1=now(); ga_free(ga_fft(s,0,-1,GA_BACKWARD)); ga_synchronize(); printf("context %.1f first fft(1000) %.2f ms\n",t1-t0,now()-t1);
 { GA_SCOPE; for(int wide=0;wide<2;wide++) for(int n=8;n<=8192;n*=2){ ga_array*x=ga_astype(ga_random(GA_SHAPE(64,n),GA_FLOAT64),wide?GA_COMPLEX128:GA_COMPLEX64); char b[40]; snprintf(b,40,"c2c %d wide %d",n,wide); chk(b,x,ga_ifft(ga_fft(x,0,-1,GA_BACKWARD),0,-1,GA_BACKWARD)); } }
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
cc -O2 -I. /tmp/fft_t.c build/cuda/libgpuarr.a -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread -lm -fopenmp -llapacke -lopenblas -lz -o /tmp/fft_t 2>&1 | head -5 || true
[ -x /tmp/fft_t ] || cc -O2 -I. /tmp/fft_t.c build/cuda/libgpuarr.a -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread -lm -fopenmp -o /tmp/fft_t
/tmp/fft_t
python3 - <<'P'
import torch,time
def t(name,f):
    f(); best=1e9
    for r in range(7):
        torch.cuda.synchronize(); a=time.perf_counter()
        for i in range(5): f()
        torch.cuda.synchronize(); best=min(best,(time.perf_counter()-a)/5*1e3)
    print('torch %-28s %9.4f ms'%(name,best),flush=True)
F=torch.fft; r=lambda *s,dtype=torch.complex64: torch.randn(*s,dtype=dtype,device='cuda')
for name,s,d in [('c64 2^24',(1<<24,),-1),('c64 (65536,1024)',(65536,1024),-1),('c64 (65536,1024) axis0',(65536,1024),0),('c64 (1024,65536) axis0',(1024,65536),0),('c64 (4096,16384) axis0',(4096,16384),0),('c64 (4096,16384) axis1',(4096,16384),1),('c64 (1000,65536) axis0',(1000,65536),0),('c64 (1000,65536) axis1',(1000,65536),1),('c64 (1000,4096)',(1000,4096),-1),('c64 (1e6,128)',(1000000,128),-1)]:
    x=r(*s); t(name,lambda:F.fft(x,dim=d)); del x
x=r(65536,1024,dtype=torch.float32); t('rfft f32 (65536,1024)',lambda:F.rfft(x)); y=F.rfft(x); t('irfft f32 (65536,1024)',lambda:F.irfft(y)); del x,y
x=r(1<<26,dtype=torch.float32); t('rfft f32 2^26',lambda:F.rfft(x)); y=F.rfft(x); t('irfft 2^26',lambda:F.irfft(y)); del x,y
for n in (2000,4096,8192):
    x=r(n,n); t('fft2 c64 %d'%n,lambda:F.fft2(x)); del x
x=r(65536,1024,dtype=torch.complex128); t('c128 (65536,1024)',lambda:F.fft(x)); del x
x=r(1000,1021); t('c64 (1000,1021)',lambda:F.fft(x)); x=r(999983); t('c64 999983',lambda:F.fft(x))
P
