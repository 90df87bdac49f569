#define _GNU_SOURCE
#include "gpuarr.h"
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <time.h>
static double now(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec*1e3+t.tv_nsec*1e-6;}
#define TIME(name, expr, check) do { double best=1e9; for(int k=0;k<3;k++){ int n=10; ga_synchronize(); double t_=now(); for(int i=0;i<n;i++){ GA_SCOPE; ga_array *r_=(expr); (void)r_; } ga_synchronize(); t_=(now()-t_)/n; if(t_<best)best=t_; } printf("ours %-34s %9.4f ms\n", name, best); if(ga_error()) {printf("%s\n",ga_error_message()); ga_clear_error();} } while(0)
int main(void){ GA_SCOPE; ga_random_seed(3);
 ga_array*a=ga_random(GA_SHAPE(4096,128),GA_FLOAT32),*b=ga_random(GA_SHAPE(4096,128),GA_FLOAT32);
 ga_array*far=ga_add(a,1000.0);
 ga_array*ad=ga_astype(a,GA_FLOAT64),*bd=ga_astype(b,GA_FLOAT64);
 ga_array*p=ga_random(GA_SHAPE(10000,3),GA_FLOAT32);
 ga_array*w=ga_random(GA_SHAPE(1000,1024),GA_FLOAT32);
 ga_array*big=ga_random(GA_SHAPE(16384,64),GA_FLOAT32);
 ga_array*s=ga_random(GA_SHAPE(100,100000),GA_FLOAT32);
 TIME("cdist_f32_4096x128", ga_cdist(a,b,GA_EUCLIDEAN),0);
 TIME("cdist_self_f32_4096x128", ga_cdist(a,a,GA_EUCLIDEAN),0);
 TIME("cdist_far_f32_4096x128", ga_cdist(far,b,GA_EUCLIDEAN),0);
 TIME("cdist_farself_f32_4096x128", ga_cdist(far,far,GA_EUCLIDEAN),0);
 TIME("cityblock_f32_4096x128", ga_cdist(a,b,GA_CITYBLOCK),0);
 TIME("chebyshev_f32_4096x128", ga_cdist(a,b,GA_CHEBYSHEV),0);
 TIME("cosine_f32_4096x128", ga_cdist(a,b,GA_COSINE),0);
 TIME("cdist_f64_4096x128", ga_cdist(ad,bd,GA_EUCLIDEAN),0);
 TIME("cityblock_f64_4096x128", ga_cdist(ad,bd,GA_CITYBLOCK),0);
 TIME("cdist_f32_10000x3", ga_cdist(p,p,GA_EUCLIDEAN),0);
 TIME("cdist_f32_1000x1024", ga_cdist(w,w,GA_EUCLIDEAN),0);
 TIME("cdist_f32_16384x64", ga_cdist(big,big,GA_EUCLIDEAN),0);
 TIME("cdist_f32_100x100000", ga_cdist(s,s,GA_EUCLIDEAN),0);
 TIME("pdist_f32_4096x128", ga_pdist(a,GA_EUCLIDEAN),0);
 ga_array*x=ga_random(GA_SHAPE(1<<26),GA_FLOAT32),*c=ga_random(GA_SHAPE(8),GA_FLOAT32),*c64=ga_random(GA_SHAPE(64),GA_FLOAT32);
 ga_array*xd=ga_astype(x,GA_FLOAT64),*cd=ga_astype(c,GA_FLOAT64);
 ga_array*xi=ga_astype(ga_mul(x,100.0),GA_INT32),*ci=ga_astype(ga_mul(c,100.0),GA_INT32);
 ga_array*xh=ga_astype(x,GA_FLOAT16),*ch=ga_astype(c,GA_FLOAT16);
 TIME("polyval8_f32_2^26", ga_polyval(c,x),0);
 TIME("polyval64_f32_2^26", ga_polyval(c64,x),0);
 TIME("polyval8_f64_2^26", ga_polyval(cd,xd),0);
 TIME("polyval8_i32_2^26", ga_polyval(ci,xi),0);
 TIME("polyval8_f16_2^26", ga_polyval(ch,xh),0);
 TIME("copy_f32_2^26", ga_copy(x),0);
 TIME("kaiser_1e7", ga_kaiser(10000000,14),0);
 TIME("hanning_1e7", ga_hanning(10000000),0);
 ga_array*t=ga_random(GA_SHAPE(8192),GA_FLOAT32);
 TIME("toeplitz_f32_8192", ga_toeplitz(t,GA_NONE),0);
 TIME("circulant_f32_8192", ga_circulant(t),0);

 ga_array*g=ga_add(ga_astype(ga_random(GA_SHAPE(1000,1000),GA_FLOAT64),GA_FLOAT64),ga_mul(ga_identity(1000,GA_FLOAT64),1000.0));
 ga_array*h=ga_matmul(g,ga_transpose(g,GA_ALL));
 ga_array*sr=ga_random(GA_SHAPE(64,64),GA_FLOAT64);
 TIME("sqrtm_f64_1000", ga_sqrtm(g),0);
 TIME("sqrtm_f64_64 (complex)", ga_sqrtm(sr),0);
 TIME("logm_f64_1000", ga_logm(g),0);
 TIME("sqrtm_spd_f64_1000", ga_sqrtm(h),0);
 { ga_array*s2=ga_sqrtm(g); printf("sqrtm residual %g\n", ga_item(ga_norm(ga_sub(ga_matmul(s2,s2),g),GA_FRO,GA_ALL))/ga_item(ga_norm(g,GA_FRO,GA_ALL))); }
 /* accuracy: against float64 */
 ga_array*pairs[][2]={{a,b},{far,b},{a,a},{far,far},{w,w}};
 for(int k=0;k<5;k++){ GA_SCOPE; ga_array*r=ga_astype(ga_cdist(pairs[k][0],pairs[k][1],GA_EUCLIDEAN),GA_FLOAT64);
  ga_array*q=ga_cdist(ga_astype(pairs[k][0],GA_FLOAT64),ga_astype(pairs[k][1],GA_FLOAT64),GA_EUCLIDEAN);
  ga_array*e=ga_div(ga_abs(ga_sub(r,q)),ga_maximum(q,1e-30)); printf("relative error %d: %g eps\n",k,ga_item(ga_max(e,GA_ALL))/0x1p-23); }
}
