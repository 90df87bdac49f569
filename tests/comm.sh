#!/usr/bin/env bash
# ext/gpuarr_comm.h under mpirun, on each device: 1, 2, 3 and 5 ranks, one that
# dies, one that hangs. Skipped where there is no MPI.
set -u
. tests/check.sh
if ! command -v mpicc >/dev/null || ! command -v mpirun >/dev/null; then
    echo '[  SKIPPED ] 1 test: there is no mpicc or no mpirun'
    finish
    exit
fi
# Open MPI, as root and with more ranks than cores; MPICH asks for nothing.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_CC=$CC MPICH_CC=$CC OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1
exe=$B/tests/comm_ranks
# Open MPI gives one or two ranks a core each: there is no choice then.
UNBOUND=$(mpirun --version 2>/dev/null | grep -q 'Open MPI' && echo '--bind-to none')

build() { mpicc $CFLAGS -O0 -Itests tests/comm_ranks.c -o "$exe" "$B/libgpuarr.a" -lcmocka $LIBS; }
ranks() { timeout -k 5 120 mpirun -n "$1" "$exe" "${2:-checks}"; }
ends() { # what ranks must say; nobody may claim success
    local out start=$SECONDS
    out=$(timeout -k 5 60 mpirun -n 3 "$exe" "$1" 2>&1) && { echo "$out"; return 1; }
    echo "$out"
    [ $((SECONDS - start)) -lt 15 ] && [[ $out == *$2* ]] && [[ $out != *success* ]]
}
check 'comm_ranks.c compiles with mpicc' build
for d in ${DEVICES:-$("$B/tests/devices")}; do
    export GPUARR_DEVICE=$d
    for n in 1 2 3 5; do
        check "mpirun -n $n on $d" ranks $n
    done
    check "ga_comm_run under mpirun on $d" ranks 3 run
    for n in 1 2 3; do
        check "cores for $n ranks on $d" env -u OMP_NUM_THREADS timeout -k 5 60 \
            mpirun $UNBOUND -n $n "$exe" threads
    done
    check "a rank that dies on $d" ends dies 'rank 1 dies'
    check "a rank that hangs on $d" ends hangs 'rank 1 has not come within 1 s'
done
unset GPUARR_DEVICE
if [ "$V" = cuda ] && [ "$(nvidia-smi -L 2>/dev/null | wc -l)" -gt 1 ]; then
    check 'mpirun -n 2, a GPU each' ranks 2
fi
finish
