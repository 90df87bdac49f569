#!/usr/bin/env python3
"""Times two whole programs from start to exit, in turn, and prints a JSON line
for each: process.c (gpuarr) and process_cuda.cu (bare CUDA), which add arrays.

    process.py DEVICE_NAME build/cuda/bench/process build/cuda/bench/process_cuda
"""
import json
import subprocess
import sys
import time

device, *programs = sys.argv[1:]
times = {p: [] for p in programs}
for i in range(11):
    for p in programs:
        t = time.perf_counter()
        out = subprocess.run([p], capture_output=True, text=True)
        t = (time.perf_counter() - t) * 1e3
        if out.returncode != 0 or out.stdout.strip() != "3":
            sys.exit(f"{p}: exit status {out.returncode}: {out.stdout}{out.stderr}")
        times[p].append(t)
for p in programs:
    first, rest = times[p][0], sorted(times[p][1:])
    print(json.dumps({"case": "whole_process_add", "device": device,
                      "impl": "cuda" if p.endswith("_cuda") else "gpuarr",
                      "best_ms": round(rest[0], 3), "median_ms": round(rest[len(rest) // 2], 3),
                      "first_ms": round(first, 3), "limit_ms": None}))
