# Sourced by the test scripts: check NAME COMMAND... runs one check and reports
# it as cmocka does; `finish` ends the script with the totals.
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

check() {
    local name=$1
    shift
    if "$@" >"$log" 2>&1; then
        echo "[       OK ] $name"
        passed=$((passed + 1))
    else
        cat "$log"
        echo "[  FAILED  ] $name"
        failed=$((failed + 1))
    fi
}

finish() {
    echo "[  PASSED  ] $passed test(s)."
    [ "$failed" = 0 ] || echo "[  FAILED  ] $failed test(s)."
    [ "$failed" = 0 ]
}
