#!/usr/bin/env bash
# Compiles and runs what the documentation prints: every whole C program of
# README.md (its output must be the text block after it), the program at the
# top of gpuarr.h, and every other C block inside a function. Every ga_ name
# that it mentions must exist.
set -u
. tests/check.sh
export GPUARR_DEVICE=cpu
tmp=$(mktemp -d)
trap 'rm -rf "$log" "$tmp"' EXIT

# README.md: block k of language l becomes $tmp/k.l
awk -v dir="$tmp" '
    /^```/ { if (open) { open = 0; close(file) }
             else { open = 1; k++; lang = substr($1, 4)
                    file = sprintf("%s/%02d.%s", dir, k, lang == "" ? "none" : lang)
                    printf "" > file }
             next }
    open { print > file }' README.md
sed -n '/^       #define GPUARR_IMPLEMENTATION/,/^       }/s/^       //p' gpuarr.h >"$tmp/90.c"

build() { $CC $CFLAGS -O0 "$1" -o "$2" "$B/libgpuarr.a" $LIBS; }
runs() { # source [expected output]
    build "$1" "$tmp/a" && "$tmp/a" >"$tmp/out" || return 1
    [ $# = 1 ] || diff "$2" "$tmp/out"
}
for f in "$tmp"/*.c; do
    n=$(basename "$f")
    next=$tmp/$(printf %02d $((10#${n%.c} + 1))).text
    if grep -q '^int main' "$f"; then
        [ -f "$next" ] || next=
        check "program $n of the documentation" runs "$f" $next
    else
        # an excerpt: x, y are float arrays, i an int64_t
        { printf '#include <stdlib.h>\n#include "gpuarr.h"\n'
          printf '#include "gpuarr_%s.h"\n' rtc plot sparse comm
          echo 'ga_array *excerpt(ga_array *x, ga_array *y, int64_t i);'
          echo 'ga_array *excerpt(ga_array *x, ga_array *y, int64_t i) {'
          echo '(void)x; (void)y; (void)i;'
          cat "$f"
          echo 'return NULL; }'; } >"$tmp/excerpt_$n"
        check "excerpt $n of the documentation" $CC $CFLAGS -Wno-unused -c "$tmp/excerpt_$n" -o "$tmp/a.o"
    fi
done
for f in "$tmp"/*.cuda; do
    [ -f "$f" ] && [ "$V" = cuda ] || continue
    check "kernel $(basename "$f" .cuda) of the documentation" "$NVCC" -std=c++17 -arch=sm_90 -I. -x cu -c "$f" -o "$tmp/a.o"
done
# The build lines at the top of gpuarr.h, joined, are README.md's.
same_build() {
    local line n=0
    while read -r line; do
        n=$((n + 1))
        grep -qxF "$line" README.md || { echo "not in README.md: $line"; return 1; }
    done < <(sed -n '/^   BUILD/,/^   Linear algebra/p' gpuarr.h | grep '^       ' |
        awk '/^       [^ ]/ { if (line) print line; line = "" }
             { sub(/^ */, ""); line = line (line ? " " : "") $0 } END { print line }')
    [ $n = 4 ]
}
check 'gpuarr.h and README.md build alike' same_build
names_exist() {
    local n all
    all=$(nm -g --defined-only "$B/libgpuarr.a")
    for n in $(grep -ohE '\bga_[a-z0-9_]+' README.md bench/README.md | sort -u); do
        grep -qw "$n" <<<"$all" || grep -qE "(define|}|struct $n) ?$n\b|struct $n \{|inline.* $n\(|^GA_API .*\b$n\)?\(" gpuarr.h ext/*.h ||
            { echo "no such name: $n"; return 1; }
    done
}
check 'every name in the documentation exists' names_exist
finish
