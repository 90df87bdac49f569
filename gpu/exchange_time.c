#include "gpuarr.h"
#include <time.h>
#include <stdlib.h>
static double now(void){struct timespec t;timespec_get(&t,TIME_UTC);return t.tv_sec+1e-9*t.tv_nsec;}
int main(void){ ga_on_error(GA_EXIT); GA_SCOPE;
 ga_array *x=ga_astype(ga_random_standard_normal(GA_SHAPE(1000000,8),GA_FLOAT64),GA_FLOAT64);
 const char *fm[]={"%.18e","%.6g","%.17g"};
 for(int k=0;k<3;k++){ double a=now(); ga_savetxt("/tmp/tperf.txt",x,fm[k],NULL); double b=now(); FILE*f=fopen("/tmp/tperf.txt","rb"); fseek(f,0,SEEK_END); double mb=ftell(f)/1e6; fclose(f);
 double best=1e9; for(int i=0;i<4;i++){double t=now(); ga_array*y=ga_loadtxt("/tmp/tperf.txt",GA_FLOAT64,NULL); t=now()-t; if(t<best)best=t; ga_free(y);} 
 printf("%s %.0f MB save %.0f MB/s load %.0f MB/s\n",fm[k],mb,mb/(b-a),mb/best);}
 ga_array*n=ga_astype(ga_mul(x,100000.0),GA_INT32); double a=now(); ga_savetxt("/tmp/tperf.txt",n,"%d",&(ga_text){.delimiter=","}); double b=now(); FILE*f=fopen("/tmp/tperf.txt","rb"); fseek(f,0,SEEK_END); double mb=ftell(f)/1e6; fclose(f);
 double t=now(); ga_loadtxt("/tmp/tperf.txt",GA_INT32,&(ga_text){.delimiter=","}); t=now()-t; printf("int %.0f MB save %.0f load %.0f MB/s\n",mb,mb/(b-a),mb/t);
 double t0=now(); ga_save_npz("/tmp/tperf.npz",NULL,&x,1,0); t0=now()-t0; double t1=now(); ga_load_npz_array("/tmp/tperf.npz","arr_0"); t1=now()-t1; printf("npz save %.0f load %.0f MB/s\n",64/t0,64/t1);
}
