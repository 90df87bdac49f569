#!/usr/bin/env bash
set -u
cc -std=gnu11 -O1 -I. -Ibuild -isystem /usr/local/cuda/include gpu/indexing.c build/cuda/libgpuarr.a -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt $(.ci/lapack cc 2>/dev/null | tr ' ' '\n' | grep '^-[lL]' | tr '\n' ' ') -fopenmp -lpthread -lm -o /tmp/ix_time || exit 1
timeout 15 /tmp/ix_time > /tmp/ix_c.txt 2>&1
timeout 25 python3 gpu/indexing.py > /tmp/ix_py.txt 2>&1
sed -n 1,200p /tmp/ix_c.txt /tmp/ix_py.txt
python3 - <<'P'
import re
t = {}
for f in ("/tmp/ix_c.txt", "/tmp/ix_py.txt"):
    for l in open(f):
        m = re.match(r"(\w+) +(.+?) +([0-9.]+) ms", l)
        if m: t.setdefault(m[2], {})[m[1]] = float(m[3])
print("case | gpuarr | torch | cupy | best peer / ours")
for k, v in t.items():
    if "gpuarr" in v and len(v) > 1:
        p = min(x for n, x in v.items() if n != "gpuarr")
        print(f"{k:34} {v['gpuarr']:9.4f} {v.get('torch', 0):9.4f} {v.get('cupy', 0):9.4f} {p / v['gpuarr']:6.2f}")
P
