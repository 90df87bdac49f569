#!/usr/bin/env bash
# The files as they are read: every room (>>name at a line's head) stands in
# the contents and the other way round, rooms and functions keep their length,
# and a kernel is launched in one way alone.
set -u
. tests/check.sh
trap 'rm -f "$log"' EXIT
# Longer by nature: one method each.
long='products random reductions math eval eval-cpu eval-cuda reduce'

anchors() { sed -n 's|^/\* =\{10,\} >>\([a-z0-9-]*\).*|\1|p' "$1"; }
contents() { # the anchors that the file's first comment names
    awk '/CONTENTS/ { on = 1 } on; on && /THE RULES|-DGK_PART/ { exit }' "$1" |
        grep -oE '>>[a-z][a-z0-9-]*' | tr -d '>' | grep -v '^i-name$\|^i-reductions$'
}
same_contents() { # an implementation room stands for the public one's name
    diff <(contents "$1" | sort -u) \
         <(for a in $(anchors "$1"); do
               case $a in
               i-*) anchors "$1" | grep -qx "${a#i-}" || echo "$a" ;;
               *) echo "$a" ;;
               esac
           done | sort -u)
}
room_lengths() {
    awk -v long="$long" 'BEGIN { split(long, l, " "); for (i in l) ok[l[i]] = ok["i-" l[i]] = 1 }
        function done() { if (n > 1200 && !(name in ok)) { print name ": " n " lines"; bad = 1 } }
        /^\/\* ==========+ >>/ { done(); name = $3; gsub(/>>|\*\//, "", name); n = 0 }
        { n++ }
        END { done(); exit bad }' "$1"
}
function_lengths() {
    awk '/^[A-Za-z]/ && !inside { start = FNR; text = $0 }
        start && /\{$/ { inside = 1 }
        start && !inside && /;$/ { start = 0 }
        /^}/ { if (start && FNR - start >= 100 && text !~ /struct|enum/) {
                   print text ": " FNR - start + 1 " lines"; bad = 1 }
               start = inside = 0 }
        END { exit bad }' "$1"
}
one_way() { # kernels' entries are called by the runner, and by what is named here
    ! grep -nE 'gk_(cpu|cuda)_[a-z0-9_]+\(' gpuarr.h ext/*.h |
        grep -vE 'gk_(cpu|cuda)_(##n|threads|limit|share|tiny|tiny_expm|move|fetch|probe|eval_code)\(|GA__EXTERN|[0-9]: {5}(void|int|size_t) ' |
        grep -vE 'gk_cpu_(elementwise|random|sort)\(&|gk_cuda_eval\(&v, s, h->mps'
}
all_wait() { # gk_go launches a kernel before the one ahead of it is done
    awk '/<<</ { print FNR ": not by gk_go"; bad = 1 }
        wait { if ($1 != "gk_wait();") { print FNR ": no gk_wait"; bad = 1 }
               wait = 0; n++ }
        /__global__/ { head = 1 }
        head && /\{$/ { wait = 1; head = 0 }
        END { if (n < 100) print n " kernels"; exit bad || n < 100 }' kernels.cu
}
for f in gpuarr.h kernels.cu; do
    check "contents of $f" same_contents $f
    check "rooms of $f" room_lengths $f
done
check 'functions of gpuarr.h' function_lengths gpuarr.h
check 'kernels are launched by the runner' one_way
check 'kernels wait for those before them' all_wait
finish
