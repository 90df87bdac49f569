#!/bin/bash
# The grid's element-wise cases, every second.
export OUT=${OUT:-/tmp/ew_out}; mkdir -p $OUT
build/cuda/bench/rows --device=0 --class=ew,cast --every=2 --budget=10 --out=$OUT/ew.jsonl 2>&1 | tail -6
python3 - <<'P'
import json,os,collections
L=[json.loads(l) for l in open(os.environ['OUT']+'/ew.jsonl')]
T=collections.defaultdict(lambda: collections.defaultdict(list))
for d in L:
    if d.get('limit_ms') and d['case'].startswith('ew/'):
        _,r,t,l=d['case'].split('/'); T[l][t].append(d['limit_ms']/d['median_ms'])
ts='b1 i8 u8 i16 u16 f16 bf16 i32 u32 f32 i64 u64 f64 c64 c128'.split()
print(len(L)); print('    ',*['%5s'%t for t in ts])
for l in T: print('%4s '%l,*['%5s'%('%.2f'%(sum(T[l][t])/len(T[l][t])) if t in T[l] else '') for t in ts])
P
