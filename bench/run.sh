#!/usr/bin/env bash
# Library, limits and peers in one go: bench/results/DEVICE.jsonl, .md and .svg,
# and the tables on the screen. `make bench` and `make bench-cpu` call it.
#   bench/run.sh BUILD [CASES]     DEVICE=cpu: the CPU alone    QUICK=1: a trial
#   PEERS='cupy jax': those alone (none: nobody); PYTHON=: which Python has them
# Every peer has a process of its own, so that its memory goes back, and LIMIT
# seconds. One that is missing or fails is left out.
set -u
build=$1
cases=--cases=${2:-}
python=${PYTHON:-python3}
quick=${QUICK:+--quick}
peers=${PEERS:-cupy pytorch jax numba numpy}
tmp=$(mktemp)
trap 'rm -f "$tmp" "$tmp.try"' EXIT
status=0
export GPUARR_CACHE_DIR=     # what is compiled counts in the first call

measure() { # what, command...: adds its lines; fails as the command does
    local what=$1 start=$SECONDS rc=0
    shift
    "$@" >>"$tmp" || rc=$?
    echo "bench: $what: $((SECONDS - start)) s$([ $rc = 0 ] || echo ", failed ($rc)")" >&2
    return $rc
}
device() { sed -n 's/.*"device": "\([^"]*\)".*/\1/p' "$tmp" | head -1; }
ask() { # cpu|gpu: those of the peers that it is for
    local p
    for p in $peers; do
        case $1:$p in
        *:none | cpu:[!n]* | cpu:numba | gpu:numpy) ;;
        *) measure "$p" timeout -k 5 "${LIMIT:-120}" "$python" bench/peers.py "$p" "$cases" $quick ;;
        esac
    done
}

commit=${COMMIT:-$(git describe --always --dirty 2>/dev/null)}
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1)
cuda=$("${NVCC:-nvcc}" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
echo "{\"about\": {\"commit\": \"$commit\", \"date\": \"$(date -u +%F)\", \
\"driver\": \"$driver\", \"CUDA\": \"$cuda\", \"CPU threads\": \"$(nproc 2>/dev/null)\"}}" >"$tmp"

devices=cpu
if [ "${DEVICE:-}" != cpu ] && "$build/bench/bench" --device=0 --quick --cases=- >"$tmp.try" 2>&1; then
    devices='0 cpu'
fi
for d in $devices; do
    # beside a GPU the CPU is there for the chart of time against size
    [ "$d$devices${2:-}" = "cpu0 cpu" ] && cases=--cases=scaling
    measure "gpuarr, device $d" "$build/bench/bench" --device=$d "$cases" $quick || status=1
    if [ $d = cpu ]; then
        ask cpu
        continue
    fi
    ask gpu
    if [[ whole_process_add == *"${2:-}"* ]]; then
        measure processes "$python" bench/process.py "$(device)" "$build/bench/process" \
            "$build/bench/process_cuda" || status=1
    fi
    if [[ alloc_ == *"${2:-}"* ]]; then
        measure allocation "$build/bench/alloc" --device=$d || status=1
        measure 'allocation, peers' "$python" bench/alloc.py || status=1
    fi
done
name=$(device | tr -cs 'A-Za-z0-9\n' _)
name=bench/results/${name%_}
if [ -n "${2:-}$quick" ]; then  # a part or a trial is no result to keep
    "$python" bench/report.py "$tmp"
else
    cp "$tmp" "$name.jsonl"
    chmod 644 "$name.jsonl"
    "$python" bench/report.py --svg="$name" "$name.jsonl" | tee "$name.md"
    echo "written: $name.jsonl, .md, .svg" >&2
fi
exit $status
