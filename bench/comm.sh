#!/usr/bin/env bash
# comm.c with 1, 2, 4 ranks: `make bench-comm` gives it the build's flags.
#   CASES='sum,matmul'   those alone, not kept       QUICK=1   a trial
#   DEVICE=cpu           the CPU device: ranks of one thread each, by MPI
# Ranks on GPUs are threads, RANKS=n: up to that many. NVLink multicast stays off.
set -u
exe=$B/bench/comm
cc=$CC mpi=
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
    cc=mpicc mpi=-DGPUARR_USE_MPI
fi
export OMPI_CC=$CC MPICH_CC=$CC NCCL_NVLS_ENABLE=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
mkdir -p "$B/bench"
cores=$(nproc)                  # before OMP_NUM_THREADS, which it heeds
# shellcheck disable=SC2086
$cc $CFLAGS $mpi bench/comm.c -o "$exe" "$B/libgpuarr.a" $LIBS || exit 1

gpus=$([ "${DEVICE:-}" = cpu ] || [ "$V" = cpu ] || nvidia-smi -L 2>/dev/null | wc -l)
out=$(mktemp)
trap 'rm -f "$out"' EXIT
status=0
for n in 1 2 4; do
    if [ "${gpus:-0}" -gt 0 ]; then
        [ $n -le "$gpus" ] && [ $n -le "${RANKS:-4}" ] || continue
        start="env GPUARR_RANKS=$n"
    else
        [ $n -le "$cores" ] && [ $n -le "${RANKS:-4}" ] || continue
        export GPUARR_DEVICE=cpu OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
        start="env GPUARR_RANKS=$n"
        [ -z "$mpi" ] || start="mpirun -n $n"
    fi
    $start "$exe" ${CASES:+--cases=$CASES} ${QUICK:+--quick} >>"$out" || status=1
done
name=$(sed -n 's/.*"device": "\([^"]*\)".*/\1/p' "$out" | head -1 | tr -cs 'A-Za-z0-9\n' _)
name=bench/results/${name%_}_ranks
if [ -n "${CASES:-}${QUICK:-}" ]; then
    "${PYTHON:-python3}" bench/comm.py "$out"
else
    cp "$out" "$name.jsonl"
    chmod 644 "$name.jsonl"
    "${PYTHON:-python3}" bench/comm.py "$name.jsonl" | tee "$name.md"
fi
exit $status
