#!/usr/bin/env bash
# Runs suites (cmocka programs, once on each device) and check scripts (*.sh,
# once), prints a line for each, the output of those that fail, and at the
# end the total of all: "N passed, N failed". A suite that crashes, hangs or
# reports nothing counts as a failure. `make test` is the usual caller.
#   DEVICES="cpu 0"  instead of those found    WRAP=cmd    before each program
#   TIMEOUT=300      seconds for one suite     VERBOSE=1   all output
set -u
# Idle threads that spin would hold up whatever else this machine is doing.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
devices=${DEVICES:-$("$B/tests/devices")}
mkdir -p "$B/logs"
passed=0 failed=0 skipped=0

count() { # the sum of cmocka's "[  WORD  ] N test" lines
    sed -nE "s/^\[ +$1 +\] ([0-9]+) test.*/\1/p" "$2" | awk '{n += $1} END {print n + 0}'
}
one() { # name log command...
    local name=$1 out=$2 start=$SECONDS rc p f s
    shift 2
    timeout -k 10 "${TIMEOUT:-300}" "$@" >"$out" 2>&1 </dev/null
    rc=$?
    p=$(count PASSED "$out") f=$(count FAILED "$out") s=$(count SKIPPED "$out")
    if [ "$f" = 0 ] && { [ $rc != 0 ] || [ $((p + s)) = 0 ]; }; then
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
    printf '  (%d s)\n' $((SECONDS - start))
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

for t in "$@"; do
    n=$(basename "$t" .sh)
    if [[ "$t" == *.sh ]]; then
        one "$n" "$B/logs/$n.log" "$t"
    else
        for d in $devices; do
            GPUARR_DEVICE=$d one "$n on $d" "$B/logs/$n-$d.log" ${WRAP:-} "$t"
        done
    fi
done
[ $# != 0 ] || { echo "run.sh: no suites"; failed=1; }
[ $skipped = 0 ] || echo "$skipped skipped: the suites' logs in $B/logs say why"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
