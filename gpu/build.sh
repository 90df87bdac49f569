#!/bin/bash
# Times kernels of this branch (new) beside those of before (old), one GPU.
# Parts compiled from gpu/old.cu: those whose instances were cut.
O=/tmp/old_parts; mkdir -p $O
old="special_cuda:special_cuda histogram_cuda:histogram_cuda correlate_cuda:correlate_cuda distance_cuda:distance_cuda matrix_cuda:matrix_cuda solve:solve"
export PATH=$PATH:/usr/local/cuda/bin
for p in $old; do
  nvcc -std=c++17 -O1 -gencode arch=compute_90,code=sm_90 -Xcompiler -fno-exceptions,-fno-threadsafe-statics,-fPIC,-fopenmp \
    -diag-suppress 177 -w -DGK_PART -DGK_PART_${p%:*} -c gpu/old/kernels.cu -o $O/kernels.${p#*:}.o & done
gcc -O1 -I. $(grep -o -- '-isystem [^ ]*' build/cuda/flags | head -1) -c gpu/timing.c -o $O/timing.o & wait
link() { # output, kernels objects...
  gcc -o $1 $O/timing.o build/cuda/gpuarr.o build/cuda/gpuarr_sparse.o "${@:2}" $(grep -o -- ' -[lL][^ ]*' build/cuda/flags) \
    -lcudart_static -fopenmp -ldl -lrt -lpthread -lm; }
news=$(ls build/cuda/kernels.*.o); olds=
for f in $news; do b=$(basename $f); [ -e $O/$b ] && olds+=" $O/$b" || olds+=" $f"; done
for f in $O/kernels.*.o; do [ -e build/cuda/$(basename $f) ] || olds+=" $f"; done
link $O/new $news && link $O/old $olds || exit 1
$O/old > $O/old.txt; $O/new > $O/new.txt
paste -d' ' $O/new.txt $O/old.txt | awk '{n=$2; printf "%-24s new %9.5f old %9.5f ms  %.3f%s\n",$1,n,$4,n/$4,(n/$4 > 1.03 ? "  SLOWER" : "")}'
