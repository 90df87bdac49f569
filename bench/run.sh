#!/usr/bin/env bash
# Library, limits and peers in one go: bench/results/DEVICE.jsonl and .md, and
# the table on the screen. `make bench` and `make bench-cpu` call it.
#   bench/run.sh BUILD [CASES]     DEVICE=cpu: the CPU alone    QUICK=1: a trial
set -u
build=$1
cases=--cases=${2:-}
python=${PYTHON:-python3}
quick=${QUICK:+--quick}
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
status=0

devices=cpu
if [ "${DEVICE:-}" != cpu ] && "$build/bench/bench" --device=0 --quick --cases=- >"$tmp.try" 2>&1; then
    devices='0 cpu'
fi
rm -f "$tmp.try"
for d in $devices; do
    "$build/bench/bench" --device=$d "$cases" $quick >>"$tmp" || status=1
    if [ $d = cpu ]; then
        "$python" bench/peers.py --device=cpu "$cases" $quick >>"$tmp"
    else
        "$python" bench/peers.py --device=gpu "$cases" $quick >>"$tmp"
        name=$(sed -n '1s/.*"device": "\([^"]*\)".*/\1/p' "$tmp")
        if [[ whole_process_add == *"${2:-}"* ]]; then
            "$python" bench/process.py "$name" "$build/bench/process" "$build/bench/process_cuda" >>"$tmp" ||
                status=1
        fi
    fi
done
name=$(sed -n '1s/.*"device": "\([^"]*\)".*/\1/p' "$tmp" | tr -cs 'A-Za-z0-9\n' _)
name=${name%_}
if [ -n "${2:-}$quick" ]; then  # a part or a trial is no result to keep
    "$python" bench/report.py "$tmp"
else
    cp "$tmp" "bench/results/$name.jsonl"
    "$python" bench/report.py "$tmp" | tee "bench/results/$name.md"
    echo "written: bench/results/$name.jsonl, $name.md" >&2
fi
exit $status
