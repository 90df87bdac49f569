#!/usr/bin/env bash
# What the documents promise who has just cloned this: each way, from their words
# alone, to the ten lines that README.md prints. The commands are taken from the
# pages. Each way has a room of its own: this system's compilers and libraries,
# an empty home, only the tools that are named, nothing of /usr/local (no CUDA)
# and, but for pip, no network. Where the kernel allows no such room, a clean
# environment with those tools is as near as it gets.
#   tests/newcomer.sh [cpu] [pip] [installed] [cmake] [meson] [dist]
# Without a name: dist, as in `make test`; the others, which compile the library
# anew, are steps of .ci/run. Says how long each took from the clone to the
# result. CI=1: the compilers do not optimise, and of two ways, cpu and cmake,
# are clang's, where it is, which takes half of gcc's time. B, V, CC, CUDA_LIB:
# as make sets them.
set -u
. tests/check.sh
work=$(mktemp -d)
trap 'rm -rf "$log" "$work"' EXIT
: "${B:=build/cpu}" "${V:=cpu}" "${CC:=cc}" "${CUDA_LIB:=}"

block() { # PAGE LANGUAGE K [HEADING]: the K-th such block, of those after the heading
    awk -v lang="^\`\`\`$2\$" -v k="$3" -v after="${4:-}" 'BEGIN { here = after == "" }
        after != "" && index($0, after) == 1 { here = 1 }
        here && $0 ~ lang { inside = ++n == k; next } /^```/ { inside = 0 } inside' "$1"
}
projects() { block docs/projects.md "$1" "$2" "## $3"; }
block README.md text 1 >"$work/expected"
block README.md c 1 >"$work/main.c"
[ -s "$work/expected" ] && [ -s "$work/main.c" ] || { echo 'no program in README.md'; exit 1; }

# ROOT LOCAL HOME FOLDER... -- COMMAND: in namespaces of its own
cat >"$work/enter" <<'END_ENTER'
set -eu
root=$1 local=$2 home=$3
shift 3
mount -t tmpfs newcomer "$root"
mkdir -p "$root/tmp" "$root/home/newcomer"
while [ "$1" != -- ]; do
    if [ -L "$1" ]; then
        cp -P "$1" "$root$1"
    elif [ -d "$1" ]; then
        mkdir -p "$root$1"
        mount --rbind "$1" "$root$1"
    fi
    shift
done
shift
mount --rbind "$local" "$root/usr/local"
mount --rbind "$home" "$root/home/newcomer"
exec chroot "$root" "$@"
END_ENTER
mkdir "$work/root" "$work/local"
unshare=(unshare --mount)
[ "$(id -u)" = 0 ] || unshare+=(--map-root-user)
# room HOME NETWORK COMMAND...: in a room, or as near to one as it gets
room() {
    local home=$1 net=() at=/home/newcomer
    [ "$2" = network ] || net=(--net)
    shift 2
    [ -n "$rooms" ] || at=$home
    set -- env -i HOME="$at" PATH="$at/.tools" TMPDIR=/tmp GPUARR_DEVICE=cpu "${settings[@]}" "$at/.tools/bash" -c \
        'cd && "$@"' room "$@"
    if [ -n "$rooms" ]; then
        "${unshare[@]}" "${net[@]}" bash "$work/enter" "$work/root" "$work/local" "$home" \
            /usr /etc /bin /sbin /lib /lib64 /dev /proc "${folders[@]}" -- "$@"
    else
        "$@"
    fi
}

essential='awk basename bash cat chmod cksum cmp cp cut date diff dirname env expr find grep gzip head
    id install ln ls mkdir mktemp mv nproc od paste printf pwd readlink rm rmdir sed sh sha256sum sleep
    sort stat tail tar tee test touch tr true uname uniq wc xargs'
c='cc gcc as ld ar nm objcopy objdump ranlib readelf strip'
cxx="$c c++ g++"
# tools HOME NAME...: the PATH of a home. Python, and what is written in it, brings
# its folders along. Fails, and says so, where one is not here.
tools() {
    local bin=$1/.tools t at python
    mkdir -p "$bin"
    folders=() settings=()
    shift
    for t in $essential "$@"; do
        at=$(PATH=/usr/bin:/bin:$PATH type -P "$t") python=
        case $t in
        python3) at=$(python3 -c 'import sys; print(sys.executable)') python=$at ;;
        meson | ninja)
            at=$(readlink -f "$at")
            python=$(sed -n '1s/^#! *\([^ ]*python[^ ]*\).*/\1/p' "$at") ;;
        esac
        if [ -z "$at" ]; then
            [[ " $essential " != *[[:space:]]${t}[[:space:]]* ]] || continue
            echo "no $t here"
            return 1
        fi
        [ -z "$python" ] || folders+=($("$python" -c 'import sys; print(sys.prefix, sys.base_prefix)'))
        case ${CI:+${other:-}}:$t in
        clang:cc) at=$(PATH=/usr/bin:/bin type -P clang || echo "$at") ;;
        clang:c++) at=$(PATH=/usr/bin:/bin type -P clang++ || echo "$at") ;;
        esac
        case ${CI:+quick}:$t in
        quick:cc | quick:gcc | quick:c++ | quick:g++)
            printf '#!/bin/sh\nexec %s "$@" -O0\n' "$at" >"$bin/$t"
            chmod +x "$bin/$t" ;;
        *) ln -sf "$at" "$bin/$t" ;;
        esac
    done
}
clone() { # HOME/FOLDER
    mkdir -p "$1"
    if git rev-parse >/dev/null 2>&1; then
        git ls-files -z -co --exclude-standard | xargs -0 ls -d 2>/dev/null | tar -c -T - | tar -x -C "$1"
    else
        tar -c --exclude=./build . | tar -x -C "$1"
    fi
}
# way NAME NETWORK [SECONDS]: the words of its home print the ten lines at the end.
way() {
    local home=$work/$1 took TIMEFORMAT=%U
    cat "$home/words"
    { time room "$home" "$2" bash -eu words >"$home/said" 2>&3; } 3>&2 2>"$home/cpu" || return 1
    tail -n "$(wc -l <"$work/expected")" "$home/said" | diff "$work/expected" - || return 1
    took=$((SECONDS - began))
    echo "$1: $took s, $(cat "$home/cpu") s of CPU time" >>"$work/took"
    [ "$took" -le "${3:-$took}" ] || { echo "$took s, more than $3"; return 1; }
}
# words HOME [COMMAND...]: what it reads, all that the page says, after the command
words() {
    cat >"$1/text"
    [ -s "$1/text" ] || { echo 'the page has no such words'; return 1; }
    { echo "${@:2}"; cat "$1/text"; } >>"$1/words"
}

by_cpu() {
    clone "$1/gpuarr"
    cp "$work/main.c" "$1"
    block README.md sh 3 | words "$1" cp gpuarr/{gpuarr.h,kernels.cu} . && way cpu -
}
by_pip() {
    local s
    for s in $(compgen -e | grep -iE '^(pip_(cert|index_url|extra_index_url|default_timeout)|ssl_cert_file|nvcc_append_flags|[a-z]+_proxy)$'); do
        settings+=("$s=${!s}")
    done
    folders+=(/run)                             # where resolv.conf may lead to
    clone "$1/gpuarr"
    cp "$work/main.c" "$1"
    projects sh 1 'CUDA from pip' | words "$1" cp gpuarr/{gpuarr.h,kernels.cu} . &&
        block README.md sh 2 | words "$1" && way pip network
}
by_installed() {
    clone "$1/gpuarr"
    cp "$work/main.c" "$1"
    projects sh 1 Installed | words "$1" cd gpuarr && projects sh 2 Installed | words "$1" cd .. && way installed -
}
by_cmake() {
    clone "$1/gpuarr"
    sed 1d "$work/main.c" >"$1/main.c"
    projects cmake 1 CMake >"$1/CMakeLists.txt"
    projects sh 1 CMake | words "$1" && way cmake -
}
by_meson() {
    clone "$1/subprojects/gpuarr"
    sed 1d "$work/main.c" >"$1/main.c"
    projects meson 1 Meson >"$1/meson.build"
    projects sh 1 Meson | words "$1" && way meson -
}
by_dist() { # K: the page's blocks as far as the K-th
    local k
    cp "$B"/newcomer/gpuarr-*.tar.gz "$1" || return 1
    for ((k = 1; k <= $2; k++)); do projects sh $k 'From a release' | words "$1" || return 1; done
    way "${1##*/}" - 20
}
make_dist() {
    env -u CFLAGS -u LIBS -u LAPACK make --no-print-directory B="$B" DEPS=0 \
        CUDA=$([ "$V" = cuda ]; echo $((!$?))) dist DIST="$B/newcomer" DIST_OPT=-O0 DIST_GZIP=1
}
# What goes to other machines, unasked; the release here is of what the suites ran.
for_all() {
    local to
    for to in dist "$work/none/libgpuarr.so DESTDIR=$work/packaged"; do
        env -u ISA -u MAKEFLAGS -u MAKELEVEL -u CFLAGS -u LIBS -u LAPACK make -Bn CUDA=0 DEPS=0 B="$work/none" $to >"$work/plan"
        grep -q 'GK_PART_join ' "$work/plan" || return 1
        ! grep GK_ISA_IS "$work/plan" || return 1
    done
}
same_archive() {
    cp "$B"/newcomer/gpuarr-*.tar.gz "$work/before" && sleep 1 && make_dist && cmp "$work/before" "$B"/newcomer/gpuarr-*.tar.gz
}
listed() { # every file but two; by SPDX's own tool, where it is here
    local in
    in=$(echo "$B"/newcomer/gpuarr-*/)
    diff <(cd "$in" && find . -type f | grep -v -e '\.spdx$' -e SUMS | sort) <(sed -n 's/^FileName: //p' "$in"/*.spdx) &&
        { ! command -v pyspdxtools >/dev/null || pyspdxtools -i "$in"/*.spdx; }
}
# try NAME 'TOOLS' DESCRIPTION [K]
try() {
    local home=$work/$1
    mkdir "$home"
    if tools "$home" $2; then
        began=$SECONDS
        check "$3" by_"${1%[0-9]}" "$home" ${4:-}
    else
        echo '[  SKIPPED ] 1 test(s).'
    fi
}

rooms=1 folders=() settings=()
mkdir "$work/room"
tools "$work/room" || exit 1
if ! room "$work/room" - true 2>"$work/why"; then
    echo "no rooms here, clean environments: $(tail -n 1 "$work/why")"
    rooms=
else
    # It is one: what is not named is not there.
    empty() { ! room "$work/room" - sh -c 'command -v cc || ls /usr/local/* /root/* || grep -v -e lo: -e "|" /proc/net/dev'; }
    check 'a room has nothing but what it is given' empty
fi
for w in ${*:-dist}; do
    case $w in
    cpu) other=clang try cpu "$cxx" 'without CUDA: two files' ;;
    pip) try pip "$cxx python3" 'CUDA from pip, then the two files' ;;
    installed) try installed "$cxx make pkg-config" 'make install, pkg-config' ;;
    cmake) other=clang try cmake "$cxx make cmake" 'CMake: the folder in a project' ;;
    meson) try meson "$cxx ninja meson" 'Meson: a subproject' ;;
    dist)
        # What it says of the libraries is read off gcc's OpenMP and glibc.
        if "$CC" --version | grep -q clang || [ ! -e "$("$CC" -print-file-name=libc.so.6)" ]; then
            printf '%s\n' 'a release is made with gcc and glibc' '[  SKIPPED ] 1 test(s).'
            continue
        fi
        check 'a release is for all processors' for_all
        check 'a release is made' make_dist
        check 'the same files, the same archive' same_archive
        check 'its SPDX list' listed
        try dist1 "$c" 'a release, no C++ compiler' 1
        if [ "$V" = cuda ]; then
            mkdir -p "$work/local/cuda/lib64"
            cp "$CUDA_LIB/libcudart_static.a" "$work/local/cuda/lib64"
            try dist2 "$c" 'a release with CUDA, of which the runtime library is here' 2
        fi ;;
    *) echo "no way $w"; exit 1 ;;
    esac
done
[ ! -f "$work/took" ] || { echo 'From the clone to the ten lines:'; cat "$work/took"; }
finish
