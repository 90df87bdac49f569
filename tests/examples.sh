#!/usr/bin/env bash
# Runs the examples on the CPU and compares what does not depend on the machine
# with examples/expected/*.txt: each line there must appear, in that order.
set -u
. tests/check.sh
export GPUARR_DEVICE=cpu

in_order() { # expected-file command...
    local want=$1 out
    shift
    out=$("$@") || { echo "$out"; return 1; }
    printf '%s\n' "$out" | awk -v want="$want" '
        BEGIN { while ((getline l < want) > 0) w[++n] = l; i = 1 }
        i <= n && $0 == w[i] { i++ }
        { print }
        END { if (i <= n) { print "missing line: " w[i]; exit 1 } }'
}
for e in "$B"/examples/*; do
    case $e in *.d) continue ;; esac
    n=$(basename "$e")
    args=()
    [ "$n" != 02_npy ] || args=(examples/data/iris.npy "$B/iris_test.npy")
    check "example $n" in_order "examples/expected/$n.txt" "$e" "${args[@]}"
done
check 'example 02_npy without arguments' "$B/examples/02_npy"
refuses() { ! "$@" && "$@" 2>&1 | grep -q ga_load_npy; }
check 'example 02_npy on a missing file' refuses "$B/examples/02_npy" /no/such/file.npy
finish
