#!/usr/bin/env bash
# Runs the examples on every device present and compares what does not depend on
# the machine with examples/expected/*.txt: each line there must appear, in that
# order. A line that begins with "cpu:" is for the CPU alone.
set -u
. tests/check.sh

in_order() { # expected-file command...
    local want=$B/expected out
    if [ "$GPUARR_DEVICE" = cpu ]; then sed 's/^cpu://' "$1"; else grep -v '^cpu:' "$1"; fi >"$want"
    shift
    out=$("$@") || { echo "$out"; return 1; }
    printf '%s\n' "$out" | awk -v want="$want" '
        BEGIN { while ((getline l < want) > 0) w[++n] = l; i = 1 }
        i <= n && $0 == w[i] { i++ }
        { print }
        END { if (i <= n) { print "missing line: " w[i]; exit 1 } }'
}
for d in $("$B/tests/devices"); do
    export GPUARR_DEVICE=$d
    for e in "$B"/examples/*; do
        case $e in *.d) continue ;; esac
        n=$(basename "$e")
        args=()
        [ "$n" != 02_npy ] || args=(examples/data/iris.npy "$B/iris_test.npy")
        check "example $n on $d" in_order "examples/expected/$n.txt" "$e" "${args[@]}"
    done
done
check 'example 02_npy without arguments' "$B/examples/02_npy"
refuses() { ! "$@" && "$@" 2>&1 | grep -q ga_load_npy; }
check 'example 02_npy on a missing file' refuses "$B/examples/02_npy" /no/such/file.npy
finish
