#!/usr/bin/env bash
# Times what joins, indexes, scans and sorts on this device: some 20 s.
cd "$(dirname "$0")/.." || exit 1
export PATH=/usr/local/cuda/bin:$PATH
t=$(mktemp -d)
gcc -std=gnu11 -O1 gpu/tune.c -I. -I/usr/local/cuda/include -o "$t/tune" build/cuda/libgpuarr.a \
    -L/usr/local/cuda/lib64 -lcudart_static -ldl -lrt -lpthread -lm -fopenmp || exit 1
timeout 15 "$t/tune"
ncu=$(command -v ncu || echo /usr/local/cuda/bin/ncu)
for k in "rows argsort f32 1000" "cumsum f32 2^28" "scan cummax i8 all"; do
    echo "== $k"
    timeout 5 "$ncu" --csv --metrics gpu__time_duration.sum,launch__registers_per_thread,sm__warps_active.avg.pct_of_peak_sustained_active,sm__inst_executed.avg.per_cycle_elapsed,dram__bytes.sum \
        -k 'regex:gk_(ord|ix|join|scan)|DeviceRadix|Radix' "$t/tune" "$k" 1 2>/dev/null | python3 -c '
import csv, sys
rows = {}
for r in csv.reader(l for l in sys.stdin if l.startswith("\"")):
    if r[0] == "ID": head = r; continue
    d = dict(zip(head, r))
    rows.setdefault((int(d["ID"]), d["Kernel Name"][:60]), {})[d["Metric Name"].split(".")[0]] = d["Metric Value"]
for k, v in sorted(rows.items()): print(k[1], v)
' | tail -14
done
rm -r "$t"
