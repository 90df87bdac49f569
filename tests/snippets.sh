#!/usr/bin/env bash
# Compiles and runs what the documentation prints (README.md, docs): every whole
# C program (its output must be the text block after it), the program at the top
# of gpuarr.h, and every other C block inside a function, of two arrays. Every
# ga_ name and file that it mentions must exist.
set -u
. tests/check.sh
export GPUARR_DEVICE=cpu
tmp=$(mktemp -d)
trap 'rm -rf "$log" "$tmp"' EXIT

pages='README.md docs/*.md'
# block k of language l becomes $tmp/k.l
awk -v dir="$tmp" '
    /^```/ { if (open) { open = 0; close(file) }
             else { open = 1; k++; lang = substr($1, 4)
                    file = sprintf("%s/%02d.%s", dir, k, lang == "" ? "none" : lang)
                    printf "" > file }
             next }
    open { print > file }' $pages
sed -n '/^       #define GPUARR_IMPLEMENTATION/,/^       }/s/^       //p' gpuarr.h >"$tmp/90.c"

# The library's implementation stands in for a program's own, which takes three
# seconds, sanitized seven: tests/compile/main.c and a newcomer's have theirs.
build() { $CC $CFLAGS -O0 "${@:3}" "$1" -o "$2" -iquote "$B/linked" "$B/libgpuarr.a" $LIBS; }
runs() { # source [expected output]
    build "$1" "$tmp/a" && "$tmp/a" >"$tmp/out" || return 1
    [ $# = 1 ] || diff "$2" "$tmp/out"
}
in_tmp() { # an excerpt may write files
    build "$1" "$tmp/a" -Wno-unused && (cd "$tmp" && ./a)
}
for f in "$tmp"/*.c; do
    n=$(basename "$f")
    next=$tmp/$(printf %02d $((10#${n%.c} + 1))).text
    if grep -q '^int main' "$f"; then
        [ -f "$next" ] || next=
        check "program $n of the documentation" runs "$f" $next
    else
        # an excerpt: x, y are float arrays, i their length
        { printf '#include <stdlib.h>\n#include "gpuarr.h"\n'
          printf '#include "gpuarr_%s.h"\n' rtc plot sparse comm
          echo 'int main(void) { GA_SCOPE; ga_on_error(GA_PRINT); const int64_t i = 64;'
          echo 'ga_array *x = ga_random(GA_SHAPE(i), GA_FLOAT32), *y = ga_random(GA_SHAPE(i), GA_FLOAT32);'
          echo '(void)x; (void)y; (void)i; {'
          cat "$f"
          echo '} return ga_error() != GA_OK; }'; } >"$tmp/excerpt_$n"
        if grep -qE 'ga_kernel|ga_ufunc' "$f"; then     # wants a GPU
            check "excerpt $n of the documentation" $CC $CFLAGS -Wno-unused -c "$tmp/excerpt_$n" -o "$tmp/a.o"
        else
            check "excerpt $n of the documentation" in_tmp "$tmp/excerpt_$n"
        fi
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
    for n in $(grep -ohE '\bga_[a-z0-9_]+' $pages bench/README.md | sort -u); do
        grep -qw "$n" <<<"$all" || grep -qE "(define|}|struct $n) ?$n\b|struct $n \{|inline.* $n\(|^(/\*.*\*/ )?GA_API .*\b$n\)?\(" gpuarr.h ext/*.h ||
            { echo "no such name: $n"; return 1; }
    done
}
check 'every name in the documentation exists' names_exist
links_lead() {
    local f to
    for f in $pages bench/README.md CONTRIBUTING.md; do
        for to in $(grep -oE '\]\([^)#]+' "$f" | cut -c3- | grep -v '^http'); do
            [ -e "$(dirname "$f")/$to" ] || { echo "$f: no $to"; return 1; }
        done
    done
}
check 'every link in the documentation leads somewhere' links_lead
finish
