#!/usr/bin/env python3
"""Joins lines of bench.c and peers.py into a markdown table.

    report.py results/DEVICE.jsonl > results/DEVICE.md
"""
import fnmatch
import json
import sys

# What a case has to reach, first match counts: of the limit (share of the rate),
# as a multiple of a limit (launch), of a peer's time, or in milliseconds.
TARGETS = [
    ("*_1e6x16", "share", 0.80),
    ("*_axis?_f32_16k", "share", 0.92),
    ("sum_f32_2^28", "share", 0.92), ("max_f32_2^28", "share", 0.92),
    ("mean_f32_2^28", "share", 0.92), ("argmax_f32_2^28", "share", 0.92),
    ("var_f32_2^28", "share", 0.92),
    ("sin2cos2*", None, 0), ("fill*", None, 0),
    ("*_2^28", "share", 0.95), ("*_2^27", "share", 0.95), ("bcast_*", "share", 0.95),
    ("small_add_1k", "times_limit", 1.2), ("small_add_alloc_1k", "times_limit", 1.4),
    ("small_sum_1k_sync", "ms", 0.012), ("first_result", "ms", 20),
    ("whole_process_add", "times:cuda", 1.15),
    ("h2d_pageable_400MB", "times:cuda", 1 / 2.5), ("d2h_pageable_400MB", "times:cuda", 1 / 1.2),
    ("exp_f32_1e7", "times:numpy", 1.5), ("log_f32_1e7", "times:numpy", 1.5),
    ("sin_f32_1e7", "times:numpy", 1.5), ("cos_f32_1e7", "times:numpy", 1.5),
    ("add_f32_1e7", "times:numpy", 1), ("multiply_f32_1e7", "times:numpy", 1),
    ("sum_f32_1e7", "times:numpy", 1), ("less_f32_1e7", "times:numpy", 1),
    ("equal_f32_1e7", "times:numpy", 1),
]
NAMES = {"gpuarr": "gpuarr", "cuda": "plain CUDA", "cupy": "CuPy", "pytorch": "PyTorch",
         "numpy": "NumPy"}


def ms(v):
    if v is None:
        return ""
    return f"{v:.4f}" if v < 1 else f"{v:.3f}" if v < 10 else f"{v:.1f}"


def target(case, row):
    """The target in words, and whether it is met; from the medians."""
    for pattern, kind, value in TARGETS:
        if not fnmatch.fnmatchcase(case, pattern):
            continue
        own = row.get("gpuarr")
        if kind is None or not own:
            return "", ""
        t, limit = own["median_ms"], own["limit_ms"]
        if kind == "share" and limit:
            return f"{value:.0%} of the limit", limit / t >= value
        if kind == "times_limit" and limit:
            return f"{value} × the limit", t / limit <= value
        if kind == "ms":
            return f"{ms(value)} ms", t <= value
        if kind.startswith("times:"):
            peer = row.get(kind[6:])
            if peer:
                ok = t / peer["median_ms"] <= value
                return (f"{value:.4g} × {NAMES[kind[6:]]}" if value >= 1
                        else f"{1 / value:.4g} × faster than {NAMES[kind[6:]]}"), ok
        return "", ""
    return "", ""


def table(title, rows, peers):
    peers = [p for p in peers if any(p in r for r in rows.values())]
    print(f"\n## {title}\n")
    print("Median milliseconds; in brackets a peer's time as a multiple of gpuarr's.\n")
    head = ["case", "limit", "gpuarr", "of the limit", "first call"]
    head += [NAMES.get(p, p) for p in peers] + ["target", "met"]
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for case, row in rows.items():
        own = row.get("gpuarr")
        t = own and own["median_ms"]
        limit = own and own["limit_ms"]
        cells = [case, ms(limit), ms(t), f"{limit / t:.0%}" if limit and t else "",
                 ms(own["first_ms"]) if own else ""]
        for p in peers:
            v = row[p]["median_ms"] if p in row else None
            cells.append(ms(v) + (f" ({v / t:.2f})" if v and t else ""))
        words, met = target(case, row)
        cells += [words, {True: "yes", False: "**no**", "": ""}[met]]
        print("| " + " | ".join(cells) + " |")


lines = [json.loads(line) for f in sys.argv[1:] for line in open(f) if line.startswith("{")]
print("# Benchmarks\n")
print("Made by `make bench`; bench/README.md says how. All of a table comes from one run on")
print("one machine.")
for device in dict.fromkeys(line["device"] for line in lines):
    rows, limits = {}, {}
    for line in lines:
        if line["device"] == device:
            if line["case"].startswith("limit_"):
                limits[line["case"]] = line
            else:
                rows.setdefault(line["case"], {})[line["impl"]] = line
    table(device, rows, ["cuda", "cupy", "pytorch", "numpy"])
    if limits:
        print("\nWhat the card allows, by plain CUDA in the same process:\n")
        print("| | ms |\n|---|---|")
        for name, line in limits.items():
            print(f"| {name[6:]} | {ms(line['median_ms'])} |")
