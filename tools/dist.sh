#!/usr/bin/env bash
# Packs a release of what `make dist` has built, FOLDER/*/libgpuarr.a:
#   tools/dist.sh FOLDER VERSION cpu|cuda
# The two files and ext/ for who compiles, the libraries for who does not, a
# page of how to (docs/projects.md's section and what the libraries need), the
# README's program, the licence, an SPDX list and checksums. The same files give
# the same archive, to the byte: SOURCE_DATE_EPOCH, or the last commit, dates it.
# Fails where a library needs what the page does not say.
set -eu -o pipefail
export LC_ALL=C
folder=$1 version=$2 variant=$3
cc=${CC:-cc}
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
system=$($cc -dumpmachine | awk -F- '{ print $(NF-1) == "linux" ? "linux-" $1 : $0 }')
name=gpuarr-$version
top=$folder/$name
kinds=cpu
[ "$variant" = cpu ] || kinds='cpu cuda'

wanted() { # the names that an object or archive needs of others
    comm -23 <(nm -u "$1" | awk 'NF == 2 { print $2 }' | sort -u) <(nm --defined-only -g "$1" | awk 'NF == 3 { print $3 }' | sort -u) |
        grep -v '^_GLOBAL_OFFSET_TABLE_$'
}
# Shared libraries: each name and the oldest version of the library that has it.
since() {
    local lib
    for lib in "$@"; do
        readelf -W --dyn-syms "$($cc -print-file-name="$lib")"
    done | awk '$7 != "UND" && split($8, part, /@+/) == 2 { print part[2], part[1] }' | sort -V |
        awk '!seen[$2]++ { print $2, $1 }' | sort
}
has() { nm --defined-only -g "$@" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u; }
newest() { sed -n "s/^[^ ]* $1_//p" | sort -V | tail -n 1; }
loader=$(readelf -d "$($cc -print-file-name=libc.so.6)" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
# Not atexit, nor stat and its kin: a part of glibc that is linked has or had them.
libc=$(since libc.so.6 libm.so.6 $loader | grep -v '^[fl]*stat ')
inside=$(printf '%s\n' atexit stat fstat lstat)
gomp=$(since libgomp.so.1)
gcc=$(has "$($cc -print-libgcc-file-name)")
runtime=
[ "$variant" = cpu ] || runtime=$(has "$CUDA_LIB/libcudart_static.a")
# NAME OBJECT: the row of the page's table
needs() {
    local names left
    names=$(wanted "$2")
    left=$(comm -23 <(echo "$names") <(printf '%s\n' "$libc" "$gomp" "$gcc" "$inside" "$runtime" | cut -d' ' -f1 | sort -u))
    if [ -n "$left" ]; then
        echo "dist.sh: $2 needs what no library here has:" $left >&2
        return 1
    fi
    printf '| `%s` | %s | %s | %s |\n' "$1" "$(join <(echo "$names") <(echo "$libc") | newest GLIBC)" \
        "$(join <(echo "$names") <(echo "$gomp") | newest '[A-Z]*MP')" \
        "$([ -z "$(comm -12 <(echo "$names") <(echo "$runtime"))" ] && echo no || echo yes)"
}

rm -rf "$folder"/gpuarr-*
mkdir -p "$top/ext"
cp gpuarr.h kernels.cu LICENSE CHANGELOG.md "$top"
cp ext/*.h ext/*.cu "$top/ext"
awk '/^```c$/ { on = 1; next } on && /^```/ { exit } on' README.md | sed 1d >"$top/example.c"
for kind in $kinds; do
    mkdir -p "$top/lib/$kind"
    cp "$folder/$kind/libgpuarr.a" "$top/lib/$kind"
done
{   echo "# gpuarr $version, built for $system"
    awk '/^##/ { on = $0 == "## From a release"; next } on' docs/projects.md
    echo '## What the libraries need'
    echo
    echo '| | glibc from | OpenMP from | CUDA runtime |'
    echo '|---|---|---|---|'
    for kind in $kinds; do
        needs "lib/$kind/libgpuarr.a" "$folder/$kind/libgpuarr.a"
        kernels=$folder/$kind/kernels.o
        [ -f "$kernels" ] || kernels=$folder/../kernels.o
        needs "kernels.o in lib/$kind" "$kernels"
    done
    echo
    echo 'OpenMP is libgomp or, with clang, libomp. No C++ runtime. A program that defines `GPUARR_IMPLEMENTATION` takes'
    echo "\`kernels.o\` alone. Compiled by $($cc --version | head -n 1)$([ "$variant" = cpu ] ||
        echo ", nvcc $("$NVCC" --version | sed -n 's/.*V\([0-9.]*\)$/\1/p'), for $ARCH")."
} >"$top/README.md"

# SPDX 2.3, tag and value, of all but itself and the checksums.
files() { (cd "$top" && find . -type f ! -name SHA256SUMS ! -name "$name.spdx" | sort); }
sum() { (cd "$top" && "$1sum" "$2" | cut -d' ' -f1); }
all=$(for f in $(files); do sum sha1 "$f"; done | sort | tr -d '\n' | sha1sum | cut -d' ' -f1)
copyright=$(grep '^Copyright' LICENSE)
{   cat <<SPDX
SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: $name-$system
DocumentNamespace: urn:gpuarr:$version:$system:$all
Creator: Tool: gpuarr-tools/dist.sh
Created: $(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)

PackageName: gpuarr
SPDXID: SPDXRef-gpuarr
PackageVersion: $version
PackageFileName: $name-$system.tar.gz
PackageDownloadLocation: NOASSERTION
FilesAnalyzed: true
PackageVerificationCode: $all (excludes: ./$name.spdx, ./SHA256SUMS)
PackageLicenseConcluded: MIT
PackageLicenseInfoFromFiles: NOASSERTION
PackageLicenseDeclared: MIT
PackageCopyrightText: <text>$copyright</text>
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-gpuarr
SPDX
    for f in $(files); do
        id=SPDXRef-$(tr '/_' '--' <<<"${f#./}")
        kind=SOURCE
        case $f in *.a) kind=BINARY ;; *.md | */LICENSE) kind=DOCUMENTATION ;; esac
        echo
        printf '%s: %s\n' FileName "$f" SPDXID "$id" FileType $kind
        printf 'FileChecksum: %s: %s\n' SHA1 "$(sum sha1 "$f")" SHA256 "$(sum sha256 "$f")"
        printf '%s\n' 'LicenseConcluded: MIT' 'LicenseInfoInFile: NOASSERTION' "FileCopyrightText: <text>$copyright</text>"
        if [ $kind = BINARY ]; then
            [[ $f != */cuda/* ]] || echo 'FileComment: <text>With what nvcc compiles in of the CUDA device library.</text>'
            for source in gpuarr.h kernels.cu ext-gpuarr-sparse.cu; do
                echo "Relationship: $id GENERATED_FROM SPDXRef-$source"
            done
        fi
    done
} >"$top/$name.spdx"
(cd "$top" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)

archive=$folder/$name-$system.tar.gz
tar --sort=name --format=ustar --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    -C "$folder" -c "$name" | gzip -n"${DIST_GZIP:-9}" >"$archive"
echo "$archive ($(du -k "$archive" | cut -f1) KB)"
