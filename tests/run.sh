#!/usr/bin/env bash
# Runs suites (cmocka programs, once on each device) and check scripts (*.sh,
# once, beside them), prints a line for each, the output of those that fail,
# and at the end the total of all: "N passed, N failed". A suite that crashes,
# hangs or reports nothing counts as a failure. `make test` is the usual caller.
#   DEVICES="cpu 0"  instead of those found    WRAP=cmd    before each program
#   TIMEOUT=300      seconds for one suite     VERBOSE=1   all output
#   GA_TEST_JOBS=2   so many at a time, the scripts as one, where no suite measures a GPU
set -u
# Idle threads that spin would hold up whatever else this machine is doing.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
devices=${DEVICES:-$("$B/tests/devices")}
logs=$B/logs
mkdir -p "$logs"
passed=0 failed=0 skipped=0

run() { # log command...: its output, then its exit status and seconds
    local out=$1 start=$SECONDS
    shift
    timeout -k 10 "${TIMEOUT:-300}" "$@" >"$out" 2>&1 </dev/null
    echo "$? $((SECONDS - start))" >"$out.status"
}
count() { # the sum of cmocka's "[  WORD  ] N test" lines
    sed -nE "s/^\[ +$1 +\] ([0-9]+) test.*/\1/p" "$2" | awk '{n += $1} END {print n + 0}'
}
tell() { # name log
    local name=$1 out=$2 rc=1 seconds=0 p f s
    [ -f "$out.status" ] && read -r rc seconds <"$out.status"
    p=$(count PASSED "$out") f=$(count FAILED "$out") s=$(count SKIPPED "$out")
    if [ "$f" = 0 ] && { [ "$rc" != 0 ] || [ $((p + s)) = 0 ]; }; then
        f=1
        echo "$name: exit status $rc, no failed test named" >>"$out"
    fi
    if [ -n "${VERBOSE:-}" ]; then
        cat "$out"
    elif [ "$f" != 0 ]; then
        grep -vE '^\[ (RUN|      OK) ' "$out"
    fi
    printf '%-34s %4d passed, %d failed' "$name" "$p" "$f"
    [ "$s" = 0 ] || printf ', %d skipped' "$s"
    printf '  (%d s)\n' "$seconds"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

suites=() scripts=()
for t in "$@"; do
    if [[ "$t" == *.sh ]]; then scripts+=("$t"); else suites+=("$t"); fi
done
rm -f "$logs"/*.status
for t in "${scripts[@]}"; do
    run "$logs/$(basename "$t" .sh).log" "$t"
done &
beside=$! told=0 names=() outs=()
idle() { # until fewer than $1 run, scripts as one, or no suite; what is done is told, in their order
    while [ "$(jobs -rp | grep -cvx $beside)" -gt 0 ] && [ "$(jobs -rp | wc -l)" -ge "$1" ]; do sleep 0.1; done
    while [ $told -lt ${#outs[@]} ] && { [ -s "${outs[told]}.status" ] || [ "$1" = 1 ]; }; do
        tell "${names[told]}" "${outs[told]}"
        told=$((told + 1))
    done
}
for t in "${suites[@]}"; do
    n=$(basename "$t")
    for d in $devices; do
        names+=("$n on $d") outs+=("$logs/$n-$d.log")
        if [ "${GA_TEST_JOBS:-1}" = 1 ]; then
            GPUARR_DEVICE=$d run "$logs/$n-$d.log" ${WRAP:-} "$t"
        else
            GPUARR_DEVICE=$d run "$logs/$n-$d.log" ${WRAP:-} "$t" &
        fi
        idle "${GA_TEST_JOBS:-1}"
    done
done
idle 1
wait
for t in "${scripts[@]}"; do
    n=$(basename "$t" .sh)
    tell "$n" "$logs/$n.log"
done
[ $# != 0 ] || { echo "run.sh: no suites"; failed=1; }
[ $skipped = 0 ] || echo "$skipped skipped: the logs in $logs say why"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
