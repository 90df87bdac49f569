#!/usr/bin/env bash
# Users' projects of ten lines, README's first program in them: CMake with what
# `make install` installed, shared and static, and with what this build was made
# without; the recipes of packages/. What this machine has no CMake for is skipped.
set -u
. tests/check.sh
tmp=$(mktemp -d)
trap 'rm -rf "$log" "$tmp"' EXIT
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
info() { # the installed one; what is wrong with this machine is said, and its status
    local rc=0
    "$tmp/at/bin/gpuarr-info" >"$tmp/info" || rc=$?
    cat "$tmp/info"
    [ $rc = $(($(grep -c '^  ! ' "$tmp/info") > 0)) ] && [ "$("$tmp/at/bin/gpuarr-info" | head -c 7)" = 'gpuarr ' ] &&
        "$tmp/at/bin/gpuarr-info" --help && { "$tmp/at/bin/gpuarr-info" --what; [ $? = 2 ]; } &&
        [ "$(timeout 1 "$tmp/at/bin/gpuarr-info" --watch 0.2 | grep -cE '^(cpu  use|[0-9]+ .* kernels) +[0-9]+%')" -gt 1 ]
}
# Without what this script was told in the environment: other flags build again.
env -u CFLAGS -u LIBS -u LAPACK make --no-print-directory B="$B" CUDA=$([ "$V" = cuda ]; echo $((!$?))) DEPS=0 \
    install DESTDIR= PREFIX="$tmp/at" >"$tmp/install" 2>&1 || cat "$tmp/install"
check 'gpuarr-info' info
if command -v python3 >/dev/null; then
    check 'a man page, the reference' test -s "$tmp/at/share/man/man3/ga_sort_into.3" -a \
        -s "$tmp/at/share/doc/gpuarr/reference/index.html"
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
    mkdir -p "$tmp/at/share/gpuarr" && mv "$tmp"/at/lib/cmake/gpuarr/* "$tmp/at/share/gpuarr"
    cp -r "$tmp/found" "$tmp/moved" && rm -rf "$tmp/moved/build"
    check 'CMake: its file moved to share, as vcpkg does' builds moved -DCMAKE_PREFIX_PATH="$tmp/at"
else
    echo '[  SKIPPED ] CMake is not here'
fi
# Recipes: what can be said without their tools, and with those that are here.
version=$(sed -n 's/^#define GA_VERSION_[A-Z]* \([0-9]*\)$/\1/p' gpuarr.h | paste -sd.)
check 'the recipes are of this version' grep -qF "\"version\": \"$version\"" packages/vcpkg/gpuarr/vcpkg.json
check 'the conda recipe too' grep -qF "version: \"$version\"" packages/conda/recipe.yaml
if command -v python3 >/dev/null; then
    parses() { # Python, JSON
        python3 - <<'END'
import ast, glob, json
for name in glob.glob("packages/**/*.py", recursive=True):
    ast.parse(open(name).read(), name)
json.load(open("packages/vcpkg/gpuarr/vcpkg.json"))
END
    }
    check 'the recipes parse' parses
fi
for tool in conan rattler-build spack vcpkg; do
    if ! command -v $tool >/dev/null; then
        echo "no $tool here: its recipe is not tried"
    elif [ $tool = conan ]; then
        inspected() { CONAN_HOME=$tmp/conan conan inspect packages/conan | grep -F "version: $version"; }
        check 'Conan reads its recipe' inspected
    elif [ $tool = rattler-build ]; then
        check 'rattler-build reads its recipe' rattler-build build -r packages/conda --render-only
    fi
done
finish
