#!/usr/bin/env bash
# Runs the examples on every device present and compares what does not depend on
# the machine with examples/expected/*.txt: each line there must appear, in that
# order. A line that begins with "cpu:" or "gpu:" is for that device alone.
set -u
. tests/check.sh

in_order() { # expected-file command...
    local want=$B/expected out
    [ -s "$1" ] || { echo "no $1"; return 1; }
    local this=gpu other=cpu
    if [ "$GPUARR_DEVICE" = cpu ]; then this=cpu other=gpu; fi
    sed "/^$other:/d; s/^$this://" "$1" >"$want"
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
        case $n in              # small sizes, and files apart from `make run`'s
        02_npy) args=(examples/data/iris.npy "$B/iris_test.npy") ;;
        04_timings) args=(10) ;;
        05_matmul_sum) args=(20) ;;
        06_pca) args=("$B/iris_test.svg") ;;
        11_tiled_product) args=(20) ;;
        12_integration) args=(2000) ;;
        13_diffusion) args=(100 "$B/diffusion.svg") ;;
        20_fft_crossover) args=(12 "$B/crossover.svg") ;;
        21_l_curve) args=(1500 "$B/l_curve.svg") ;;
        23_out_of_core) args=("$B") ;;
        *) args=() ;;
        esac
        case $n:$d:${LAPACK:+there} in      # 04 uses the CPU beside the GPU
        04_timings:*: | 0[67]_*:cpu:)
            echo "[  SKIPPED ] example $n on $d: built without LAPACK"
            continue
            ;;
        esac
        check "example $n on $d" in_order "examples/expected/$n.txt" "$e" "${args[@]}"
    done
done
check 'example 02_npy without arguments' "$B/examples/02_npy"
refuses() { ! "$@" && "$@" 2>&1 | grep -q ga_load_npy; }
check 'example 02_npy on a missing file' refuses "$B/examples/02_npy" /no/such/file.npy
well_formed() { # one root, every element closed
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
}
if [ -n "${LAPACK:-}" ] && command -v python3 >/dev/null; then
    check "06_pca's picture is XML" well_formed "$B/iris_test.svg"
fi
if command -v python3 >/dev/null; then
    check "13_diffusion's picture is XML" well_formed "$B/diffusion.svg"
fi
standardised() { # rows 0..3, 4..7, 8..11 become the same
    $CC $CFLAGS -fPIC -shared examples/19_from_python/standardise.c -o "$B/standardise.so" \
        "$B/libgpuarr.a" $LIBS || return 1
    local out
    out=$(python3 examples/19_from_python/from_python.py "$B/standardise.so") || return 1
    echo "$out"
    [ "$(grep -c -- '-1.341[0-9]*,* *-0.447[0-9]*,* *0.447[0-9]*,* *1.341' <<<"$out")" = 3 ]
}
if python3 -c 'import numpy' 2>/dev/null; then
    unset GPUARR_DEVICE
    check 'example 19_from_python' standardised
    check 'DLPack, .npz and text files with Python' python3 tests/exchange.py "$B/libgpuarr.so"
else
    echo '[  SKIPPED ] example 19_from_python: Python has no NumPy'
fi
finish
