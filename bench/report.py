#!/usr/bin/env python3
"""Joins lines of bench.c and peers.py into a markdown table.

    report.py results/DEVICE.jsonl > results/DEVICE.md
"""
import fnmatch
import json
import sys

# What a case has to reach, first match counts: of the limit (share of the rate),
# as a multiple of a limit (launch), of a peer's time ("fastest": the faster of
# CuPy and PyTorch, "first": also in the first call), or in milliseconds.
TARGETS = [
    ("seed000_svd_3000_f64", "times:cupy", 1 / 5), ("seed000_svd_3000_f32", "times:cupy", 1 / 3.5),
    ("seed000_svd_9000x1000_f32", "times:cupy", 1 / 3.5),
    ("seed004_einsum_*", "times:cupy", 1 / 5),
    ("matmul_*_8192", "fastest", 1.02), ("bmm_f32_4096x64", "fastest", 1.02),
    ("solve_f64_4096", "fastest", 1 / 1.3), ("inv_f64_4096", "fastest", 1 / 1.3),
    ("*_f64_4096*", "first", 1),
    ("norm_f32_2^28", "share", 0.92),
    ("rand_f32_2^28", "share", 0.85), ("rand_f64_2^27", "times:cupy", 1),
    ("randn_*", "times:cupy", 1), ("*_2^26", "times:cupy", 1),
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
    ("matmul_*00", "times:numpy", 1), ("bmm_f32_1000*", "times:numpy", 1),
    ("*_f64_1000*", "times:numpy", 1), ("*_f64_500", "times:numpy", 1),
    ("*_f32_500", "times:numpy", 1), ("*_1e7", "times:numpy", 1),
]
# The tables of a device: title and cases, first match counts.
GROUPS = [
    ("Programs of the guides", ["seed0*", "first_result", "cuda_context", "whole_process_add"]),
    ("Random numbers", ["rand*", "exponential*", "lognormal*", "gamma*", "beta*", "chisquare*",
                        "poisson*", "binomial*", "geometric*", "integers*", "permutation*"]),
    ("Linear algebra", ["matmul*", "bmm*", "svd*", "solve*", "bsolve*", "inv*", "cholesky*",
                        "qr*", "eigh*", "det*", "norm*"]),
    ("Element-wise operations, reductions, copies", ["*"]),
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
        if kind in ("fastest", "first"):
            ours = [t, own["first_ms"]] if kind == "first" else [t]
            peers = [row[p] for p in ("cupy", "pytorch") if p in row]
            if not peers:
                return "", ""
            best = [min(p[k] for p in peers) for k in ("median_ms", "first_ms")]
            words = (f"within {value - 1:.0%} of the faster peer" if value > 1
                     else f"{1 / value:.4g} × the faster peer" if value < 1
                     else "no slower than the faster peer, first call too")
            return words, all(o <= value * b for o, b in zip(ours, best))
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
    print(f"\n### {title}\n")
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
    print(f"\n## {device}\n")
    print("Median milliseconds; in brackets a peer's time as a multiple of gpuarr's.")
    groups = {}
    for case, row in rows.items():
        title = next(t for t, p in GROUPS if any(fnmatch.fnmatchcase(case, x) for x in p))
        groups.setdefault(title, {})[case] = row
    for title, _ in reversed(GROUPS):
        if title in groups:
            table(title, groups[title], ["cuda", "cupy", "pytorch", "numpy"])
    if limits:
        print("\nWhat the card allows, by plain CUDA in the same process:\n")
        print("| | ms |\n|---|---|")
        for name, line in limits.items():
            print(f"| {name[6:]} | {ms(line['median_ms'])} |")
