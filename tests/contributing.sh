#!/usr/bin/env bash
# CONTRIBUTING.md, followed: its blocks go into a copy of the tree, each behind
# the first line that holds the rest of its fence, and what comes of it is built
# for the CPU device without optimisation and tested. Rows that lack something
# must not compile, or fail by name.
# PYTHON= has NumPy, SciPy and mpmath; without one no golden values are made.
set -u
. tests/check.sh
python=${PYTHON:-python3}
# clang compiles that in 10 s of CPU, gcc in 25. ISA_IS: for this processor alone.
! command -v clang++ >/dev/null || CC=clang CXX=clang++
tmp=$(mktemp -d)
trap 'rm -rf "$log" "$tmp"' EXIT
cp -r gpuarr.h kernels.cu tests "$tmp"
page=$PWD/CONTRIBUTING.md
cd "$tmp" || exit 1

# insert FILE ANCHOR BLOCK
insert() {
    awk -v anchor="$2" -v block="$3" '{ print }
        !done && index($0, anchor) { while ((getline line < block) > 0) print line; done = 1 }
        END { exit !done }' "$1" >new && mv new "$1"
}
follow() { # the blocks of the languages in $1
    local n=0 language file anchor line
    while read -r line; do
        [[ "$line" == '```'* ]] || continue
        read -r language file anchor <<<"${line#'```'}"
        n=$((n + 1))
        awk -v n=$n '/^```/ { if (open) open = 0; else open = ++k; next } open == n' "$page" >block
        while IFS= read -r line && [[ "$line" != '```' ]]; do :; done
        [[ " $1 " != *" $language "* ]] || insert "$file" "$anchor" block || { echo "no line holds $anchor"; return 1; }
    done <"$page"
    [ $n -gt 0 ]
}
cxx="$CXX -x c++ -std=c++17 -O0 ${ISA_IS:-} -DGPUARR_NO_CUDA -fno-exceptions -fno-rtti -fno-threadsafe-statics -Wno-unknown-pragmas"
cc="$CC -std=c11 -O0 -DGPUARR_NO_CUDA -I. -Itests"
fails_with() { # TEXT... -- COMMAND...: it fails and says each of these
    local said texts=()
    while [ "$1" != -- ]; do texts+=("$1"); shift; done
    shift
    if "$@" >said 2>&1; then echo "passed: $*"; return 1; fi
    for said in "${texts[@]}"; do grep -qF -- "$said" said || { tail -20 said; echo "no word of $said"; return 1; }; done
}
suite() { $cc "tests/test_$1.c" gpuarr.o kernels.o -o "$1" -lcmocka -lpthread -lm; }

check 'the rows go in' follow c
sed 's/ADD, logaddexp2/EXT, logaddexp2/' gpuarr.h >wrong.h
sed 's/"gpuarr.h"/"wrong.h"/' kernels.cu >wrong.cu
check 'a row without its element function, and one not of its family, do not compile' \
    fails_with gk_log1mexp 'log2sumexp2: not of this family' -- $cxx -fsyntax-only wrong.cu
check 'the element function goes in' follow cpp
printf '#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\n' >gpuarr.c
check 'the library builds' bash -c "$cc -c gpuarr.c & $cxx -c kernels.cu -o kernels.o && wait \$!"
cat >use.c <<'END'
#include "gpuarr.h"
#include <math.h>
int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_array *x = ga_linspace(0.5, 3, 6), *y = ga_log1mexp(x), *out = ga_empty_like(x);
    ga_log1mexp_into(out, x);
    double last = log(1 - exp(-3.0)), sum = ga_item(ga_log2(ga_sum(ga_exp2(x), GA_ALL)));
    return !(ga_item(ga_all(ga_equal(y, out), GA_ALL)) == 1 && fabs(ga_item(ga_slice(y, "-1")) - last) < 1e-15
             && fabs(ga_item(ga_log1mexp(3)) - last) < 1e-15 && ga_item(GA_EVAL(max(abs(log1mexp(x) - y)), x, y)) == 0
             && fabs(ga_item(ga_log2sumexp2(x, GA_ALL)) - sum) < 1e-14
             && ga_item(GA_EVAL(max(abs(grad(log1mexp(x), x) - 1/expm1(x))), x)) < 1e-14
             && fabs(ga_item(GA_EVAL(sum(grad(log2sumexp2(x), x)), x)) - 1) < 1e-14
             && fabs(ga_item(GA_EVAL(log2sumexp2(x), x)) - sum) < 1e-14
             && isinf(ga_item(ga_log2sumexp2(ga_empty(GA_SHAPE(0), GA_INT8), GA_ALL))));
}
END
check 'both are used' bash -c "$cc use.c gpuarr.o kernels.o -o use -lpthread -lm && ./use"
export GPUARR_DEVICE=cpu GA_TEST_QUICK=1
check 'the suites build' bash -c "$(declare -f suite); cc='$cc'; suite values && suite promotion && suite reductions"
check 'an operation without golden values is named' fails_with 'log1mexp: no golden values' -- ./values
check 'so are its dtypes' fails_with 'log1mexp has no golden row' -- ./promotion
check 'and a reduction' fails_with 'no golden record log2sumexp2' -- env GA_TEST_ONLY='golden_*' ./reductions
if "$python" -c 'import mpmath, numpy, scipy' 2>"$log"; then
    check 'the generator names it too' fails_with 'log1mexp has neither' -- "$python" tests/golden/make_golden.py values
    check 'the expressions go in' follow python
    cp -r tests/golden old
    check 'golden values are made' "$python" tests/golden/make_golden.py promotion values reductions
    for f in promotion values reductions; do
        check "those of others in $f.bin stay" cmp -n "$(stat -c %s old/$f.bin)" old/$f.bin tests/golden/$f.bin
        check "$f" ./$f
    done
else
    echo "no NumPy, SciPy and mpmath in $python: no golden values made"
    echo '[  SKIPPED ] 1 test(s).'
fi
finish
