#!/usr/bin/env bash
# .gpu/tests.sh LIBDIR [suites...]: builds the suites against LIBDIR's library and runs them beside each other on device 0
set -u
for f in .deps/*.deb; do dpkg -x $f /; done; ldconfig
B=$1; shift
export B V=cuda GPUARR_DEVICE=0 OMP_NUM_THREADS=4 OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive
t0=$SECONDS
touch $B/libgpuarr.a $B/kernels.o
make -o $B/libgpuarr.a -o $B/kernels.o CUDA=1 ARCH=sm_90 DEPS=0 B=$B suites -j16 >$OUT/build.log 2>&1 || tail -5 $OUT/build.log
echo "build $((SECONDS-t0)) s"; nvidia-smi -L
one() { s=$(date +%s); timeout 280 $B/tests/$1 >$OUT/$1.log 2>&1; rc=$?; e=$(date +%s)
 p=$(sed -nE 's/^\[ +PASSED +\] ([0-9]+) test.*/\1/p' $OUT/$1.log | tail -1); f=$(grep -E '^\[ +FAILED +\] [a-z]' $OUT/$1.log | sort -u | awk '{print $4}' | tr '\n' ' ')
 echo "$1 rc=$rc passed=$p failed: $f ($((e-s)) s)"; }
export -f one; export OUT
suites=${@:-$(ls $B/tests | grep '^test_[a-z_]*$')}
echo $suites | tr ' ' '\n' | xargs -P 6 -I{} bash -c 'one {}'
cat $OUT/test_*.log > $OUT/all.txt; rm $OUT/test_*.log
grep -nE 'FAILED|ERROR|error' $OUT/all.txt | head -40
echo "all $((SECONDS-t0)) s"
