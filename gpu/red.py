import json,collections,math,sys
d={}
for f in sys.argv[2:] or ['bench/results/NVIDIA_H200_rows.jsonl']:
  for l in open(f):
    try: r=json.loads(l)
    except: continue
    if r.get('case','').startswith('red/') and r['impl']=='gpuarr' and r.get('limit_ms'):
        d[r['case']]=r['limit_ms']/r['median_ms'], r['median_ms'], r['limit_ms']
g=lambda v: math.exp(sum(map(math.log,v))/len(v))
lays=sys.argv[1].split(',') if len(sys.argv)>1 else ['all']
for lay in lays:
    cells=collections.defaultdict(list)
    for c,v in d.items():
        p=c.split('/')
        if p[3]==lay: cells[(p[1],p[2])].append(v[0])
    ty=['b1','i8','u8','i16','f16','bf16','i32','f32','i64','f64','c64','c128']
    print(lay.ljust(14),*[t.rjust(5) for t in ty])
    for o in sorted({k[0] for k in cells}): print(o.ljust(14),*[('%.2f'%g(cells[(o,t)]) if cells[(o,t)] else '').rjust(5) for t in ty])
v=[x[0] for x in d.values()]
print(len(v),'cases, mean %.2f, >=0.9: %.0f%%, <0.6: %d'%(g(v),100*sum(x>=.9 for x in v)/len(v),sum(x<.6 for x in v)))
