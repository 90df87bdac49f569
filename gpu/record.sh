#!/usr/bin/env bash
# repository root; 12 s: interpreter and recorded kernels beside the copy and read rate
set -u
B=build/cuda; W=$(mktemp -d)
LIBS="-L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -llapacke -lopenblas -lz -fopenmp -lpthread -lm"
link() { cc "$@" $B/libgpuarr.a $LIBS 2> $W/err || cc "$@" $B/libgpuarr.a ${LIBS/-llapacke -lopenblas -lz/} || head -5 $W/err; }
cc -std=c11 -O1 -iquote $B/linked -I. -Iext -isystem /usr/local/cuda/include -c bench/expressions.c -o $W/r.o || exit 1
link $W/r.o -o $W/plain
GPUARR_RECORD=$W/fused.cu timeout 5 $W/plain --quick --no-check > /dev/null 2> $W/rec.err; head -3 $W/rec.err
nvcc -O3 -arch=sm_90 -I. -Xcompiler -fno-exceptions,-fno-threadsafe-statics -c $W/fused.cu -o $W/fused.o 2>&1 | head -20
link $W/r.o $W/fused.o -o $W/fast
timeout 6 $W/fast --no-check > $W/fast.txt 2>$W/fast.err; head -3 $W/fast.err
timeout 4 $W/fast --quick > $W/quick.txt 2>$W/quick.err; grep -E 'wrong' $W/quick.txt; head -3 $W/quick.err
timeout 5 $W/plain --no-check > $W/plain.txt 2>$W/plain.err; head -3 $W/plain.err
python3 - $W <<'P'
import json, sys
t = {}
for f in ("plain", "fast"):
    for l in open(f"{sys.argv[1]}/{f}.txt"):
        d = json.loads(l)
        t.setdefault(d["case"], {})[f] = d["median_ms"]
        t[d["case"]][f + "_first"] = d["first_ms"]
        t[d["case"]]["impl"] = d["impl"]
        t[d["case"]]["limit"] = d["limit_ms"]
print(f"{'case':20} {'interp':>8} {'record':>8} {'limit':>8} lim/rec  first")
for c, d in t.items():
    g = lambda k: d.get(k, float('nan'))
    print(f"{c[5:]:20} {g('plain'):8.4f} {g('fast'):8.4f} {g('limit'):8.4f} {g('limit')/g('fast'):7.2f} {g('fast_first'):7.2f} {d['impl']}")
P
rm -r $W
