#!/usr/bin/env bash
# repository root; interpreter, recorded, torch.compile beside each other
set -u
B=build/cuda; W=$(mktemp -d)
LIBS="-L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -llapacke -lopenblas -lz -fopenmp -lpthread -lm"
[ -e $B/libgpuarr.a ] || exit 1
link() { cc "$@" $B/libgpuarr.a $LIBS 2> $W/err || cc "$@" $B/libgpuarr.a ${LIBS/-llapacke -lopenblas -lz/} || head -5 $W/err; }
cc -std=c11 -O1 -iquote $B/linked -I. -Iext -isystem /usr/local/cuda/include -c bench/expressions.c -o $W/r.o || exit 1
(timeout 24 python3 bench/expressions.py torch > $W/torch.txt 2>$W/torch.err) & T=$!
link $W/r.o -o $W/plain
GPUARR_RECORD=$W/fused.cu timeout 20 $W/plain --quick --no-check > /dev/null 2> $W/rec.err; head -3 $W/rec.err
( time nvcc -O3 -arch=sm_90 -I. -Xcompiler -fno-exceptions,-fno-threadsafe-statics -c $W/fused.cu -o $W/fused.o ) 2>&1 | grep -vE '^$|sys' | head -20
link $W/r.o $W/fused.o -o $W/fast
wait $T
$W/plain --no-check > $W/plain.txt 2>$W/plain.err; head -3 $W/plain.err
$W/fast --no-check > $W/fast.txt 2>$W/fast.err; head -3 $W/fast.err
$W/fast --quick > $W/quick.txt 2>$W/quick.err; grep -E 'wrong' $W/quick.txt; head -3 $W/quick.err
timeout 8 $W/plain --jit --no-check > $W/jit.txt 2>$W/jit.err; head -3 $W/jit.err
python3 - $W <<'P'
import json, sys
t = {}
for f in "plain fast jit torch".split():
    for l in open(f"{sys.argv[1]}/{f}.txt"):
        try: d = json.loads(l)
        except Exception: continue
        t.setdefault(d["case"], {})[f] = d["median_ms"]
        if "limit_ms" in d: t[d["case"]]["limit"] = d["limit_ms"]
        if f in ("fast", "plain"): t[d["case"]][f + "_impl"] = d["impl"]; t[d["case"]][f + "_first"] = d["first_ms"]
print(f"{'case':20} {'interp':>8} {'record':>8} {'jit':>8} {'torch':>8} {'limit':>8}  lim/rec torch/rec  first")
for c, d in t.items():
    g = lambda k: d.get(k, float('nan'))
    print(f"{c[5:]:20} {g('plain'):8.4f} {g('fast'):8.4f} {g('jit'):8.4f} {g('torch'):8.4f} {g('limit'):8.4f}  {g('limit')/g('fast'):7.2f} {g('torch')/g('fast'):7.2f} {g('plain_first'):7.2f} {d.get('fast_impl','')}")
P
head -3 $W/torch.err
cuobjdump -res-usage $W/fused.o 2>&1 | grep -oE 'gk_r_[a-z]+|REG:[0-9]+' | paste -sd' ' | fold -w 160 | head -8
rm -r $W
