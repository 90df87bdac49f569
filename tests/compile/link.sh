# Sourced by tests/compile.sh: links the files here to programs and runs them on
# the CPU, and sees that what must not compile (bad/*) does not, for the reason
# that its first line names.
export GPUARR_DEVICE=cpu
here=tests/compile

# CFLAGS of C++: without the language, with its own.
cxxflags="-std=c++17 $(printf '%s\n' $CFLAGS | grep -v '^-std=' | tr '\n' ' ')"
object() { # name source flags...: $tmp/name.o, fast; the warnings are compile.sh's
    local o=$tmp/$1.o s=$2
    shift 2
    case $s in
    *.cpp) $CXX $cxxflags -O0 -w "$@" -c "$here/$s" -o "$o" ;;
    macros.c | plain.c) $CC $CFLAGS -O0 -w "$@" -c "$here/$s" -o "$o" ;;
    *) $maker $CFLAGS -O0 -w "$@" -c "$here/$s" -o "$o" ;;
    esac
}
runs() { # linker objects-and-libraries...: links, and the program ends with 0
    "$@" $LIBS -o "$tmp/program" && "$tmp/program" >"$tmp/said" 2>&1 \
        || { cat "$tmp/said"; return 1; }
}
lib=$B/libgpuarr.a
for f in macros.c plain.c macros.cpp; do check "compile/$f" object "$f" "$f"; done
check 'compile/main.c for C' object c_alone main.c -DC_ALONE
check 'three C files, one with the implementation' runs $CC $CFLAGS "$tmp"/{c_alone,macros.c,plain.c}.o "$lib"
for f in main.c macros.c plain.c macros.cpp; do
    check "compile/$f -DGPUARR_DEBUG" object "debug_$f" "$f" -DGPUARR_DEBUG
done
check 'three C files and one in C++, -DGPUARR_DEBUG' runs $CXX $cxxflags \
    "$tmp"/debug_{main.c,macros.c,plain.c,macros.cpp}.o "$lib"
# the same against the library, static and shared
check 'compile/main.c for the library' object library main.c -DLIBRARY -DC_ALONE
check 'compile/main.c for the library and C++' object library_cpp main.c -DLIBRARY
check 'against libgpuarr.a, with C++' runs $CXX $cxxflags "$tmp"/{library_cpp,macros.c,plain.c,macros.cpp}.o "$lib"
check 'against libgpuarr.a' runs $CC $CFLAGS "$tmp"/{library,macros.c,plain.c}.o "$lib"
ln -sf "$PWD/$B/libgpuarr.so" "$tmp/libgpuarr.so"
soname=$(objdump -p "$B/libgpuarr.so" | awk '$1 == "SONAME" {print $2}')
ln -sf "$PWD/$B/libgpuarr.so" "$tmp/${soname:-none}"
check 'against libgpuarr.so' runs $CC $CFLAGS "$tmp"/{library,macros.c,plain.c}.o \
    -L"$tmp" -lgpuarr -Wl,-rpath,"$tmp"
check 'compile/private.c' object private private.c
check 'compile/private.c, second' object second private.c -DSECOND
check 'GPUARR_STATIC in two files' runs $CC $CFLAGS "$tmp"/{private,second}.o "$lib"
for f in debug allocator strict gnu no_lapack; do
    check "compile/$f.c" object $f $f.c
    check "compile/$f.c runs" runs $CC $CFLAGS "$tmp/$f.o" "$lib"
done
# a debugging program, and kernels from a string, with the installed library
check 'GPUARR_DEBUG and gpuarr_rtc.h for the library' object installed installed.c -DGPUARR_DEBUG
for l in "$lib" "-L$tmp -lgpuarr -Wl,-rpath,$tmp"; do
    check "... against ${l%% *}" runs $CC $CFLAGS "$tmp/installed.o" $l
done
other_header() { # a file compiled with another version's header
    mkdir -p "$tmp/other"
    sed 's/^\(#define GA_VERSION_MINOR\) .*/\1 99/' gpuarr.h >"$tmp/other/gpuarr.h"
    echo '#include "gpuarr.h"
        int main(void) { return ga_ones(GA_SHAPE(2), GA_INT8) || ga_error() != GA_ERR_VERSION; }' >"$tmp/other.c"
    $CC -I"$tmp/other" $CFLAGS -O0 -c "$tmp/other.c" -o "$tmp/other.o" && runs $CC $CFLAGS "$tmp/other.o" "$lib"
}
check 'a header of another version is refused' other_header
# What the shared library gives. A name that is gone, or another signature, needs
# a new SONAME (GA_VERSION_MAJOR); a new one goes into the list.
exported() {
    nm -D --defined-only "$B/libgpuarr.so" | awk '{ print $3 }' | LC_ALL=C sort >"$tmp/exported"
    awk -v v="$V" '$2 == "" || $2 == v { print $1 }' tests/exported.txt |
        diff - "$tmp/exported" || {
        echo 'exported.txt: "<" is gone (SONAME must change), ">" is new (add it)'
        return 1
    }
}
check 'exported symbols' exported
plain_header() { # compiles, and declares what the library exports
    { printf '#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n'
      cat "$B/gpuarr_plain.h"; } >"$tmp/plain.c"
    $CC -std=c11 $warn -fsyntax-only "$tmp/plain.c" || return 1
    nm -D --defined-only "$B/libgpuarr.so" | awk '$3 !~ /^ga__/ { print $3 }' >"$tmp/exported"
    [ -s "$tmp/exported" ] || return 1
    ! grep -oE '\bga_[a-z0-9_]+\(' "$B/gpuarr_plain.h" | tr -d '(' |
        grep -vxFf - "$tmp/exported"
}
from_python() { # cffi reads it and calls the library
    "$python" - "$B/gpuarr_plain.h" "$tmp/libgpuarr.so" <<'END'
import sys, cffi
ffi = cffi.FFI()
ffi.cdef(open(sys.argv[1]).read())
lib = ffi.dlopen(sys.argv[2])
x = lib.ga_linspace(0, 1, 5)
y = lib.ga_add(x, x)
everything = (-1, False, [0] * lib.GA_MAX_NDIM)
assert y.shape[0] == 5 and y.dtype == lib.GA_FLOAT64
assert lib.ga_item(lib.ga_sum(y, everything)) == 5
END
}
check 'gpuarr_plain.h' plain_header
python=${PYTHON:-python3}
if "$python" -c 'import cffi' 2>/dev/null; then
    check 'gpuarr_plain.h by cffi' from_python
fi

# calls inside calls: twenty of them, five times, in 0.3 MB with the header
linear() { # compiler options...
    [ "$("$@" -std=c11 -DGPUARR_NO_CUDA -I. -E -P $here/nested.c | wc -c)" -lt 300000 ]
}
asan='-O1 -fsanitize=address -fsanitize-address-use-after-scope'
# each compiler links the OpenMP that the library was built with
omp=$(ldd "$B/examples/01_walkthrough" | awk '/lib[gi]?omp/ { print $3 }')
for comp in gcc clang; do
    command -v $comp >/dev/null || continue
    for o in '' -DGPUARR_DEBUG; do
        check "$comp: the text of nested calls is short $o" linear $comp $o
    done
    for o in -O0 '-O2 -Wshadow' "$asan"; do
        echo 'int main(void) { return 0; }' | $comp $o -x c - -o "$tmp/program" 2>/dev/null ||
            continue                # no sanitizer here
        LIBS=${LIBS/-fopenmp/$omp} check "$comp: nested calls $o" runs $comp -std=c11 $warn $o -DGPUARR_NO_CUDA \
            $here/nested.c "$lib"
    done
done
check 'operands where a macro cannot hold its argument once' object twice macros.c \
    -U__COUNTER__ -Wno-error -Wno-builtin-macro-redefined
check 'compile/user.cpp without exceptions' object user user.cpp -fno-exceptions
if [ "$V" = cuda ] && [ -e "${CUDA_LIB:-}/libcusolver.so" ]; then
    links_cublas() { # and cuSOLVER and cuRAND, and runs
        runs $CC $CFLAGS "$tmp/linked.o" "$lib" "-Wl,-rpath,$CUDA_LIB" "-L$CUDA_LIB" \
            -lcublas -lcusolver -lcurand -lcufft &&
            [ "$(ldd "$tmp/program" | grep -cE 'lib(cublas|cusolver|curand|cufft)\.so')" = 4 ]
    }
    check 'compile/no_lapack.c, GPUARR_LINK_LIBS' object linked no_lapack.c -DGPUARR_LINK_LIBS
    check 'GPUARR_LINK_LIBS links the libraries' links_cublas
fi
if [ "$V" = cpu ]; then
    check 'compile/no_cuda.c' object no_cuda no_cuda.c
    check 'compile/no_cuda.c runs' runs $CC $CFLAGS "$tmp/no_cuda.o" "$lib"
fi

refused() { # compiler source: an error that matches the source's first line
    local why
    why=$(sed -n '1s|^/\* error: \(.*\) \*/$|\1|p' "$2")
    [ -n "$why" ] || return 1
    if $1 $warn $most -DGPUARR_NO_CUDA -c "$2" -o "$tmp/bad.o" 2>"$tmp/said"; then
        echo "$2 compiles"
        return 1
    fi
    grep 'error' "$tmp/said" | grep -qE "$why" || { cat "$tmp/said"; return 1; }
}
for f in $here/bad/*; do
    for comp in gcc clang; do
        command -v $comp >/dev/null || continue
        most=                       # errors; what follows an #error is all text
        [ $comp = clang ] || most='-fmax-errors=20 -Wno-misleading-indentation'
        case $f in
        *.cpp) check "$comp refuses $f" refused "$comp -x c++ -std=c++17" "$f" ;;
        *) check "$comp refuses $f" refused "$comp -std=c11" "$f" ;;
        esac
    done
done
