#!/usr/bin/env bash
# Compiles gpuarr.h, declarations and implementation, and tests/compile/* with
# every compiler here, in C11 and C++17, with and without CUDA, warnings as
# errors; then looks at what the library links to and how large it is.
# CUDA12=folder names CUDA 12's headers to try as well.
set -u
. tests/check.sh
warn='-Wall -Wextra -Wpedantic -Werror -I.'
tmp=$(mktemp -d)
trap 'rm -rf "$log" "$tmp"' EXIT
printf '#define GPUARR_IMPLEMENTATION\n#include "gpuarr.h"\n' >"$tmp/implementation.c"

variants=(-DGPUARR_NO_CUDA)
[ -z "${CUDA_INC:-}" ] || variants+=("-isystem $CUDA_INC")
[ -z "${CUDA12:-}" ] || variants+=("-isystem $CUDA12")
options=('' -DGPUARR_DEBUG -DNDEBUG)
[ -z "${LAPACK:-}" ] || # where CBLAS and LAPACKE are
    options+=("-DGPUARR_USE_LAPACK $(grep -oE -- '-[ID][^ ]*' <<<"$LAPACK" | tr '\n' ' ')")
[ ! -e /usr/include/fftw3.h ] || options+=(-DGPUARR_USE_FFTW)
# clang makes link.sh's objects in half of gcc's time. One of gcc's warnings takes
# thirteen times as long as all the rest of reading the implementation, 2 s: it
# is asked for once, and of clang each time. Of the files here clang alone, where it
# is, asks what CUDA's headers do to them.
maker=$CC with=("${variants[@]}")
! command -v clang >/dev/null || maker=clang with=(-DGPUARR_NO_CUDA)
for comp in gcc clang; do
    command -v $comp >/dev/null || continue
    std="$comp -std=c11 $warn"
    if [ $comp = gcc ]; then
        check 'gcc, all of -Wall' $std -DGPUARR_NO_CUDA -fsyntax-only "$tmp/implementation.c"
        std+=' -Wno-misleading-indentation'
    fi
    for v in "${variants[@]}"; do
        linked=
        [ "$v" = -DGPUARR_NO_CUDA ] || linked=-DGPUARR_LINK_LIBS
        for o in "${options[@]}" $linked; do
            check "$comp implementation $v $o" $std $v $o -fsyntax-only "$tmp/implementation.c"
        done
    done
    for f in tests/compile/*.c tests/compile/*.cpp; do
        [ -f "$f" ] || continue
        std="$comp -std=c11 $warn"
        [ "${f##*.}" = c ] || std="$comp -x c++ -std=c++17 $warn"
        if [ $comp = gcc ]; then std+=' -Wno-misleading-indentation'; else with=("${variants[@]}"); fi
        # a file that chooses its own options is compiled as it is
        if grep -q 'define GPUARR_NO_CUDA' "$f"; then
            check "$comp $f" $std -fsyntax-only "$f"
        else
            for v in "${with[@]}"; do
                check "$comp $f $v" $std $v -fsyntax-only "$f"
            done
        fi
    done
done

# Most of the implementation is not optimised, where glibc's checks would warn.
check 'implementation and kin, -O2, fortified' $CC -std=c11 $warn -Wno-misleading-indentation -Iext \
    -DGPUARR_NO_CUDA -O2 -D_FORTIFY_SOURCE=3 -c packages/gpuarr.c -o "$tmp/fortified.o"

unseen() { # nobody looks at a text that nobody else frees
    printf '#include "gpuarr.h"\nvoid f(const ga_array *x);\nvoid f(const ga_array *x) { %s; }\n' "$1" |
        $CC -std=c11 $warn -Wno-unused-parameter -DGPUARR_NO_CUDA -c -x c - -o "$tmp/dropped.o"
}
dropped() { unseen 'ga_print(x)' && ! unseen 'ga_repr(x)' && ! unseen 'ga_stream_create(0)'; }
check 'a result that must be looked at, and is not, is an error with -Werror' dropped
no_runtime() { # neither a C++ runtime nor any CUDA library
    ! ldd "$1" | grep -E 'libstdc|libc\+\+|libcuda|libcu[bsr]|libnv'
}
small() { [ "$(stat -c %s "$1")" -lt 18000000 ]; }
no_static_names() { # the shared library shows ga_* and nothing else
    ! nm -D --defined-only "$1" | awk '{print $3}' | grep -v '^ga_'
}
check 'a program links no C++ and no CUDA library' no_runtime "$B/examples/01_walkthrough"
if [ -x "$B/examples/10_own_kernel" ]; then
    check 'nor does one with a kernel of its own' no_runtime "$B/examples/10_own_kernel"
fi
check 'neither does libgpuarr.so' no_runtime "$B/libgpuarr.so"
check 'libgpuarr.so exports ga_* alone' no_static_names "$B/libgpuarr.so"
check 'kernels.o is below 18 MB' small "$B/kernels.o"
# Loops compiled for what no processor has (3): no call may come to them.
lesser() {
    awk '/^```c$/ { on = 1; next } on && /^```/ { exit } on' README.md | sed 1d >"$tmp/ten.c"
    $CXX -x c++ -std=c++17 -O0 -DGPUARR_NO_CUDA -DGK_ISA_IS=3 -fPIC -fno-exceptions -fno-rtti -fno-threadsafe-statics \
        -DGK_PART -DGK_PART_solve -c kernels.cu -o "$tmp/solve.o" &&
        $CC $CFLAGS -O0 -Wl,--allow-multiple-definition "$tmp/ten.c" "$tmp/solve.o" "$B/libgpuarr.a" $LIBS -o "$tmp/ten" &&
        ! GPUARR_DEVICE=cpu "$tmp/ten" 2>"$tmp/said" && cat "$tmp/said" && grep -q 'processors with AVX-512 alone.*ISA=all' "$tmp/said"
}
[[ "$($CC -dumpmachine)" != x86_64-*linux* ]] || check 'loops for another processor say so' lesser
. tests/compile/link.sh
finish
