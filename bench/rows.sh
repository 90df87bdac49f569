#!/usr/bin/env bash
# The grid (rows.c) in steps that a machine had for minutes can run one by one:
#   bench/rows.sh BUILD STEP [options of the program]
#
#   gpu-1 gpu-2     gpuarr on the GPU: tables; scans, products, solving, expressions
#   gpu-3           sorting, selecting, indexing, statistics, joining, softmax, transforms
#   gpu-jit         the expressions compiled at run time, as the peers' are: first
#                   all by 8 processes, whose times are dropped
#   cupy-warm torch-warm: they compile what they need, in 16 processes; then
#   cupy-1 -2 -3    CuPy:     tables, small calls; products and the like; sorting and on
#   torch-1 -2 -3   PyTorch:  the same
#   verify          are the peers' tables right? Their results beside NumPy's
#   cpu cpu1        gpuarr on the CPU device, all cores and one thread
#   numpy numpy1    NumPy and SciPy, the same
#   report          joins what is in $ROWS/gpu, and in cpu: bench/results/DEVICE_rows.*
#   all             every step that this machine can do, and the report
#   small           a minute of everything on the CPU device, kept nowhere
#
# Each adds its lines to $ROWS/gpu/STEP.jsonl, or cpu/ (ROWS: build/rows): begun
# again it goes on where it ended. BUDGET: seconds after which a step begins no more (220).
# EVERY=n: one case of n (of the CPU's steps 1, of the peers' on the GPU 1).
# NOTE: what the page says of the run. PYTHON: the one with the peers. A GPU's
# machine needs BUILD/bench/rows and bench/ alone; COMMIT says of which commit
# they are.
set -u
build=$1 step=$2
shift 2
python=${PYTHON:-python3}
rows=${ROWS:-build/rows}/gpu
case $step in cpu* | numpy*) rows=${rows%gpu}cpu ;; esac
every=${EVERY:-1}
budget=${BUDGET:-220}
tables=ew,cast,red,rand,small
rest=scan,prod,la,expr
vocabulary=sort,sel,idx,stat,shape,soft,fft
status=0 small=
export COMMIT=${COMMIT:-$(git describe --always --dirty 2>/dev/null)}
export PYTHONDONTWRITEBYTECODE=1

ours() { # step, device, options...
    local name=$1 device=$2
    shift 2
    mkdir -p "$rows"
    "$build/bench/${program:-rows}" --device="$device" --out="$rows/$name.jsonl" \
        --every="$every" --budget="$budget" $small "$@" || status=1
}
peer() { # step, library, device of the list, options...
    local name=$1 library=$2 device=$3
    shift 3
    mkdir -p "$rows"
    "$build/bench/rows" --device="$device" --list $small >"$rows/$name.list" 2>/dev/null
    "$python" bench/rows_peers.py "$library" --list="$rows/$name.list" \
        --out="$rows/$name.jsonl" --every="$every" --budget="$budget" $small "$@" || status=1
    rm -f "$rows/$name.list"
}
report() {
    local name
    [ -n "$(ls "$rows"/*.jsonl 2>/dev/null)" ] || return
    name=$(sed -n 's/.*"device": "\([^"]*\)".*/\1/p' "$rows"/*.jsonl | head -1 |
        tr -cs 'A-Za-z0-9\n' _)
    name=bench/results/${name%_}_rows
    "$python" bench/rows_report.py --out="$name" ${NOTE:+--note="$NOTE"} "$rows"/*.jsonl || status=1
    grep -E '^(gpuarr|Beside)' "$name.md"
    echo "written: $name.jsonl, .md, .svg"
}
small_run() {
    local dir
    dir=$(mktemp -d)
    rows=$dir small=--small budget=60
    ours cpu cpu --every=6
    if "$python" -c 'import numpy, scipy' 2>/dev/null; then
        peer numpy numpy cpu --every=20
    fi
    "$python" bench/rows_report.py --out="$dir/page" "$dir"/*.jsonl &&
        grep -E '^(gpuarr|Beside)' "$dir/page.md" || status=1
    rm -r "$dir"
}
do_step() {
    echo "== $1"
    case $1 in
    gpu-1) ours gpu-1 0 --class=$tables "${@:2}" ;;
    gpu-2) ours gpu-2 0 --class=$rest "${@:2}" ;;
    gpu-3) ours gpu-3 0 --class=$vocabulary "${@:2}" ;;
    gpu-jit)
        for k in {1..8}; do
            "$build/bench/rows_jit" --device=0 --shard="$k/8" --budget="$budget" >/dev/null 2>&1 &
        done
        wait
        program=rows_jit ours gpu-jit 0 "${@:2}"
        ;;
    cupy-warm) peer cupy-warm cupy 0 --warm=16 "${@:2}" ;;
    torch-warm) peer torch-warm pytorch 0 --class=red,expr --warm=16 "${@:2}" ;;
    cupy-1) peer cupy-1 cupy 0 --class=$tables "${@:2}" ;;
    cupy-2) peer cupy-2 cupy 0 --class=$rest "${@:2}" ;;
    cupy-3) peer cupy-3 cupy 0 --class=$vocabulary "${@:2}" ;;
    torch-1) peer torch-1 pytorch 0 --class=$tables "${@:2}" ;;
    torch-2) peer torch-2 pytorch 0 --class=$rest "${@:2}" ;;
    torch-3) peer torch-3 pytorch 0 --class=$vocabulary "${@:2}" ;;
    verify)
        small=--small
        peer verify cupy 0 --verify --every=3 "${@:2}"
        peer verify pytorch 0 --verify "${@:2}"
        ;;
    cpu) ours cpu cpu "${@:2}" ;;
    cpu1) OMP_NUM_THREADS=1 ours cpu1 cpu "${@:2}" ;;
    numpy) peer numpy numpy cpu "${@:2}" ;;
    numpy1) OMP_NUM_THREADS=1 peer numpy1 numpy cpu "${@:2}" ;;
    report)
        report
        rows=${rows%gpu}cpu
        report
        ;;
    small) small_run ;;
    all)
        if "$build/bench/rows" --device=0 --cases=- >/dev/null 2>&1; then
            for s in gpu-{1,2,3,jit} cupy-{warm,1,2,3} torch-{warm,1,2,3}; do do_step $s "${@:2}"; done
        else
            budget=${BUDGET:-600} rows=${rows%gpu}cpu
            for s in cpu cpu1 numpy numpy1; do do_step $s "${@:2}"; done
        fi
        report
        ;;
    *)
        echo "rows.sh: $1? See its head" >&2
        status=2
        ;;
    esac
}
{ # read as a whole: the file may change while it runs
    do_step "$step" "$@"
    exit $status
}
