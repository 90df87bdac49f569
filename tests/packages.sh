#!/usr/bin/env bash
# Users' projects of ten lines, README's first program in them: CMake with what
# `make install` installed, shared and static, and with what this build was made
# without; this folder inside a project of CMake's or Meson's. Those compile all
# of it once more, for minutes: in CI alone (CI=1), unoptimised, for the CPU.
# What this machine has no CMake or Meson for is skipped.
set -u
. tests/check.sh
tmp=$(mktemp -d)
trap 'rm -rf "$log" "$tmp"' EXIT
root=$PWD
export GPUARR_DEVICE=cpu
block() { awk -v lang="^\`\`\`$1\$" '$0 ~ lang { n++; inside = n == 1; next } /^```/ { inside = 0 } inside' README.md; }
block c | sed 1d >"$tmp/main.c"             # no GPUARR_IMPLEMENTATION
block text >"$tmp/expected"

project() { # NAME LANGUAGES LINE...: a folder with the program
    local dir=$tmp/$1 languages=$2 file=main.c
    shift 2
    [ "$languages" != CXX ] || file=main.cpp
    mkdir -p "$dir"
    cp "$tmp/main.c" "$dir/$file"
    { echo 'cmake_minimum_required(VERSION 3.24)'
      echo "project(app $languages)"
      printf '%s\n' "$@"
      echo "add_executable(app $file)"
      echo 'target_link_libraries(app gpuarr::gpuarr)'; } >"$dir/CMakeLists.txt"
}
runs() { "$1" | diff "$tmp/expected" -; }
builds() { # NAME [cmake's options]: configured, built, run
    local dir=$tmp/$1
    shift
    cmake -S "$dir" -B "$dir/build" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" "$@" &&
        cmake --build "$dir/build" -j 2 && runs "$dir/build/app"
}
refused() { # NAME TEXT
    ! cmake -S "$tmp/$1" -B "$tmp/$1/build" -DCMAKE_PREFIX_PATH="$tmp/at" >"$tmp/said" 2>&1 &&
        grep -q "$2" "$tmp/said"
}
info() { # the installed one, on the device asked for, finds nothing wrong
    "$tmp/at/bin/gpuarr-info" && [ "$("$tmp/at/bin/gpuarr-info" | head -c 7)" = 'gpuarr ' ] &&
        "$tmp/at/bin/gpuarr-info" --help && { "$tmp/at/bin/gpuarr-info" --what; [ $? = 2 ]; }
}
# Without what this script was told in the environment: other flags build again.
env -u CFLAGS -u LIBS -u LAPACK make --no-print-directory B="$B" CUDA=$([ "$V" = cuda ]; echo $((!$?))) DEPS=0 \
    install DESTDIR= PREFIX="$tmp/at" >"$tmp/install" 2>&1 || cat "$tmp/install"
check 'gpuarr-info' info
if command -v python3 >/dev/null; then
    check 'every function has a contract: the reference' \
        python3 tools/reference.py gpuarr.h "$B/gpuarr_plain.h" "$tmp/docs" "$tmp/man"
    check 'and a man page' test -s "$tmp/man/ga_add.3" -a -s "$tmp/at/share/man/man3/ga_sort_into.3"
fi
if command -v gdb >/dev/null; then
    cat >"$tmp/stop.c" <<'END'
#include "gpuarr.h"
int main(void) {
    ga_array *x = ga_astype(ga_arange(0, 6, 1), GA_COMPLEX64);
    ga_array *y = ga_slice(ga_reshape(x, GA_SHAPE(2, 3)), ":, ::-2");
    return ga_print(y) != GA_OK;
}
END
    in_gdb() {
        $CC $CFLAGS -O0 -g "$tmp/stop.c" -o "$tmp/stop" "$B/libgpuarr.a" $LIBS &&
            gdb -q -nx -batch -ex 'source tools/gpuarr_gdb.py' -ex 'break ga_print' -ex run -ex up \
                -ex 'print *y' "$tmp/stop" 2>&1 | tee "$tmp/said" |
            grep -F '$1 = complex64 (2, 2) on the CPU {2+0j, 0+0j, 5+0j, 3+0j}' || { cat "$tmp/said"; return 1; }
    }
    check 'an array in gdb' in_gdb
fi
other=cuda
[ "$V" = cpu ] || other=fast
if command -v cmake >/dev/null; then
    project found C 'find_package(gpuarr 0.3 REQUIRED COMPONENTS cpu rtc sparse plot)'
    check 'CMake: an installed gpuarr' builds found -DCMAKE_PREFIX_PATH="$tmp/at"
    project found_cxx CXX 'find_package(gpuarr REQUIRED)'
    check 'CMake: the same in C++' builds found_cxx -DCMAKE_PREFIX_PATH="$tmp/at"
    project lacks C "find_package(gpuarr REQUIRED COMPONENTS $other)"
    check 'CMake: a component that is not there' refused lacks "built without $other"
    project newer C 'find_package(gpuarr 99 REQUIRED)'
    check 'CMake: a version that is not there' refused newer 'version: '
    rm -f "$tmp"/at/lib/libgpuarr.so*
    cp -r "$tmp/found" "$tmp/static" && rm -rf "$tmp/static/build"
    check 'CMake: the static library' builds static -DCMAKE_PREFIX_PATH="$tmp/at"
    if [ -n "${CI:-}" ]; then
        project inside 'C CXX' "add_subdirectory($root gpuarr)"
        check 'CMake: this folder in a project' builds inside -DGPUARR_CUDA=OFF -DCMAKE_BUILD_TYPE=Debug
    fi
else
    echo '[  SKIPPED ] CMake is not here'
fi
if command -v meson >/dev/null; then
    mkdir -p "$tmp/meson/subprojects"
    ln -s "$root" "$tmp/meson/subprojects/gpuarr"
    cp "$tmp/main.c" "$tmp/meson"
    cat >"$tmp/meson/meson.build" <<END
project('app', 'c', 'cpp', default_options: ['default_library=static'])
executable('app', 'main.c', dependencies: dependency('gpuarr', fallback: ['gpuarr', 'gpuarr_dep']))
END
    by_meson() {
        CC=$CC CXX=$CXX meson setup "$tmp/meson/build" "$tmp/meson" -Dgpuarr:cuda=disabled -Dgpuarr:buildtype=debug || return 1
        [ -z "${CI:-}" ] || { meson compile -C "$tmp/meson/build" && runs "$tmp/meson/build/app"; }
    }
    check 'Meson: this folder as a subproject' by_meson
else
    echo '[  SKIPPED ] Meson is not here'
fi
finish
