#!/usr/bin/env python3
"""Joins lines of bench.c and peers.py into tables, and draws two charts.

    report.py [--svg=results/DEVICE] results/DEVICE.jsonl > results/DEVICE.md

--svg writes DEVICE.svg, every case's ratio to its peers, and DEVICE_scaling.svg,
time against size. Ratios are of medians: a peer's time over gpuarr's.
"""
import fnmatch
import json
import math
import os
import sys

from chart import COLOURS, NAMES, Svg

PEERS = ["cupy", "pytorch", "jax", "numba", "numpy"]

# What a case has to reach, first match counts; all of its conditions: a share of
# the limit's rate, a multiple of the limit's time, of another case's, of an
# implementation's ("fastest": of the fastest peer's, "first": also in the first
# call), or milliseconds.
TARGETS = [
    ("seed000_svd_3000_f64", [("times:cupy", 1 / 5)]),
    ("seed000_svd_3000_f32", [("times:cupy", 1 / 3.5)]),
    ("seed000_svd_9000x1000_f32", [("times:cupy", 1 / 3.5)]),
    ("seed004_einsum_*", [("times:cupy", 1 / 5)]),
    ("seed003_vecadd_host_1e8", [("times:numba", 1 / 6)]),
    ("seed002_selu_1e6_jit", [("times:jax", 1 / 3), ("times:numpy", 1)]),
    ("seed002_vectorize_1e7_*", [("fastest", 1.05)]),
    ("seed003_integration2d", [("times:numba", 1)]),
    ("seed003_integration2d_own", [("times:numba", 1 / 2)]),
    ("seed004_diffusion_1000it*", [("times:numba", 1 / 2.5)]),
    ("diffusion_sliced_1000it_jit", [("times:pytorch", 1 / 1.1)]),
    ("sin2cos2_fused_f32_2^28", [("times:cuda", 1.3), ("times:cupy", 1), ("times:jax", 1)]),
    ("sin2cos2_jit_f32_2^28", [("times:cuda", 1.05)]),
    ("poly20_fused_f32_2^28", [("times:limit", 1.7)]),
    ("axpy_fused_f32_2^28", [("share", 0.95)]), ("sumsq_fused_f32_2^28", [("share", 0.92)]),
    ("eval_small_1k", [("times:small_add_1k", 1.5)]), ("first_eval", [("ms", 5)]),
    ("matmul_*_8192", [("fastest", 1.02)]), ("bmm_f32_4096x64", [("fastest", 1.02)]),
    ("solve_f64_4096", [("fastest", 1 / 1.3)]), ("inv_f64_4096", [("fastest", 1 / 1.3)]),
    ("*_f64_4096*", [("first", 1)]),
    ("norm_f32_2^28", [("share", 0.92)]),
    ("rand_f32_2^28", [("share", 0.85)]), ("rand_f64_2^27", [("times:cupy", 1)]),
    ("randn_*", [("times:cupy", 1)]), ("*_2^26", [("times:cupy", 1)]),
    ("*_1e6x16", [("share", 0.80)]),
    ("*_axis?_f32_16k", [("share", 0.92)]),
    ("sum_f32_2^28", [("share", 0.92)]), ("max_f32_2^28", [("share", 0.92)]),
    ("mean_f32_2^28", [("share", 0.92)]), ("argmax_f32_2^28", [("share", 0.92)]),
    ("var_f32_2^28", [("share", 0.92)]),
    ("sin2cos2_f32*", []), ("fill*", []),
    ("*_2^28", [("share", 0.95)]), ("*_2^27", [("share", 0.95)]), ("bcast_*", [("share", 0.95)]),
    ("small_add_1k", [("times:limit", 1.2)]), ("small_add_alloc_1k", [("times:limit", 1.4)]),
    ("small_sum_1k_sync", [("ms", 0.012)]), ("first_result", [("ms", 20)]),
    ("whole_process_add", [("times:cuda", 1.15)]),
    ("h2d_pageable_400MB", [("times:cuda", 1 / 2.5)]),
    ("d2h_pageable_400MB", [("times:cuda", 1 / 1.2)]),
    ("exp_f32_1e7", [("times:numpy", 1.5)]), ("log_f32_1e7", [("times:numpy", 1.5)]),
    ("sin_f32_1e7", [("times:numpy", 1.5)]), ("cos_f32_1e7", [("times:numpy", 1.5)]),
    ("*_1e7", [("times:numpy", 1)]), ("matmul_*00", [("times:numpy", 1)]),
    ("bmm_f32_1000*", [("times:numpy", 1)]), ("*_f64_1000*", [("times:numpy", 1)]),
    ("*_f64_500", [("times:numpy", 1)]), ("*_f32_500", [("times:numpy", 1)]),
]
# The cases whose geometric mean counts: plain operations, those of them that
# the library has.
PLAIN = """add_f32_2^28 exp_f32_2^28 sin2cos2_f32_2^28 sin2cos2_fused_f32_2^28
    bcast_add_row_f32_16k strided_add_f32_8k transpose_copy_f32_16k sum_f32_2^28 max_f32_2^28
    argmax_f32_2^28 mean_f32_2^28 var_f32_2^28 sum_axis0_f32_16k sum_axis1_f32_16k
    cumsum_f32_2^28 rand_f32_2^28 randn_f32_2^28 sort_f32_2^26 argsort_f32_2^26 median_f32_2^26
    percentile_f32_2^26 mask_select_f32_2^26 take_f32_2^26 histogram_f32_2^26_256 small_add_1k
    small_add_alloc_1k small_sum_1k_sync h2d_pageable_400MB d2h_pageable_400MB
    matmul_float64_8192 matmul_float32_8192 matmul_tf32_8192 matmul_float16_8192
    matmul_bfloat16_8192 bmm_f32_4096x64 solve_f64_4096 inv_f64_4096 cholesky_f64_4096
    qr_f64_4096 eigh_f64_4096 det_f64_4096 bsolve_f64_4096x32""".split()
# Other ways of gpuarr to the same result: they are held against the peers' times
# of the case, and where one of them is ahead no peer is.
OTHER_WAYS = {
    "sin2cos2_jit_f32_2^28": "sin2cos2_fused_f32_2^28",
    "poly20_jit_f32_2^28": "poly20_fused_f32_2^28",
    "seed003_integration2d_own": "seed003_integration2d",
    "seed004_diffusion_1000it_jit": "seed004_diffusion_1000it",
    "seed004_diffusion_1000it_own": "seed004_diffusion_1000it",
    "diffusion_sliced_1000it_jit": "diffusion_sliced_1000it",
    "numba_matmul_reduce_own": "numba_matmul_reduce",
}
# The tables of a device: title and cases, first match counts.
GROUPS = [
    ("Programs of the guides", ["seed0*", "diffusion_*", "numba_*", "first_*",
                                "cuda_context", "whole_process_add"]),
    ("Fused expressions", ["*_fused_*", "*_jit_f32*", "eval_*", "sin2cos2*"]),
    ("Random numbers", ["rand*", "exponential*", "lognormal*", "gamma*", "beta*", "chisquare*",
                        "poisson*", "binomial*", "geometric*", "integers*", "permutation*"]),
    ("Linear algebra", ["matmul*", "bmm*", "svd*", "solve*", "bsolve*", "inv*", "cholesky*",
                        "qr*", "eigh*", "det*", "norm*"]),
    ("Element-wise operations, reductions, copies", ["*"]),
]


def ms(v):
    if v is None:
        return ""
    return f"{v:.4f}" if v < 1 else f"{v:.3f}" if v < 10 else f"{v:.1f}"


def time_of(row, name):
    return row[name]["median_ms"] if name in row else None


def best_peer(row, key="median_ms"):
    """(name, value) of the best peer, or None."""
    found = [(row[p][key], p) for p in PEERS if p in row and row[p].get(key) is not None]
    return min(found)[::-1] if found else None


def ratio(row):
    """Best peer's time over gpuarr's."""
    best, own = best_peer(row), time_of(row, "gpuarr")
    return best[1] / own if best and own else None


def groups_of(rows):
    groups = {title: {} for title, _ in reversed(GROUPS)}
    for case, row in rows.items():
        title = next(t for t, p in GROUPS if any(fnmatch.fnmatchcase(case, x) for x in p))
        groups[title][case] = row
    return {t: g for t, g in groups.items() if g}


# ------------------------------------------------------------------ targets
def condition(kind, value, row, rows):
    """The condition in words and whether it holds, or None where it cannot be
    said: what it compares with was not measured."""
    own = row["gpuarr"]
    t, limit = own["median_ms"], own["limit_ms"]
    if kind == "ms":
        return f"{value:g} ms", t <= value
    if kind == "share":
        return limit and (f"{value:.0%} of the limit", limit / t >= value)
    if kind in ("fastest", "first"):
        best, first = best_peer(row), best_peer(row, "first_ms")
        if not best:
            return None
        if kind == "first":
            return ("no slower than the fastest peer, first call too",
                    t <= best[1] and own["first_ms"] <= first[1])
        words = (f"within {value - 1:.0%} of the fastest peer" if value > 1
                 else f"{1 / value:.4g} × faster than any peer")
        return words, t <= value * best[1]
    other = kind[6:]
    if other == "limit":
        return limit and (f"{value:g} × the limit", t <= value * limit)
    than = time_of(row, other) or other in rows and time_of(rows[other], "gpuarr")
    name = NAMES.get(other, other)
    words = (f"{value:.4g} × {name}" if value > 1 else f"no slower than {name}" if value == 1
             else f"{1 / value:.4g} × faster than {name}")
    return than and (words, t <= value * than)


def target(case, row, rows):
    for pattern, conditions in TARGETS:
        if "gpuarr" in row and fnmatch.fnmatchcase(case, pattern):
            said = [c for c in (condition(*c, row, rows) for c in conditions) if c]
            return "; ".join(w for w, _ in said), all(ok for _, ok in said) if said else ""
    return "", ""


# ------------------------------------------------------------------- tables
def line(cells):
    print("| " + " | ".join(cells) + " |")


def table(title, group, rows):
    peers = [p for p in ["cuda"] + PEERS if any(p in r for r in group.values())]
    print(f"\n### {title}\n")
    head = ["case", "limit", "gpuarr", "of the limit", "best peer", "ratio", "first call",
            "peers' first"] + [NAMES[p] for p in peers] + ["target", "met"]
    line(head)
    print("|" + "---|" * len(head))
    for case, row in group.items():
        t, best, first = time_of(row, "gpuarr"), best_peer(row), best_peer(row, "first_ms")
        limit = row["gpuarr"]["limit_ms"] if t else None
        words, met = target(case, row, rows)
        line([case, ms(limit), ms(t), f"{limit / t:.0%}" if limit and t else "",
              NAMES[best[0]] if best else "", f"{ratio(row):.2f}" if best and t else "",
              ms(row["gpuarr"]["first_ms"]) if t else "", ms(first[1]) if first else ""]
             + [ms(time_of(row, p)) for p in peers]
             + [words, {True: "yes", False: "**no**", "": ""}[met]])


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def differing(rows):
    """Cases in which a peer's five elements are not gpuarr's. Of equal maxima a
    library may name any; the sign of Q's columns is free."""
    found = []
    for case, row in rows.items():
        own = row.get("gpuarr", {}).get("value")
        if not own or case.startswith("argmax"):
            continue
        tolerance = (2e-2 if any(k in case for k in ("f16", "float16", "tf32")) else
                     1e-6 if "f64" in case or "float64" in case else 1e-4)
        scale = max(map(abs, own)) or 1
        for p in PEERS:
            v = row.get(p, {}).get("value")
            if v and not all(abs(abs(a) - abs(b)) <= tolerance * scale for a, b in zip(own, v)):
                found.append(f"{case} ({NAMES[p]})")
    return found


def summary(rows, cpu):
    ratios = {case: ratio(row) for case, row in rows.items() if ratio(row)}
    if not ratios:
        return
    met = [m for m in (target(c, r, rows)[1] for c, r in rows.items()) if m != ""]
    counted = ratios if cpu else {c: r for c, r in ratios.items() if c in PLAIN}
    print()
    if counted:
        print(f"- Geometric mean of the ratio to the best peer over "
              f"{'all' if cpu else 'the'} {len(counted)} {'' if cpu else 'plain '}cases: "
              f"**{geometric(list(counted.values())):.2f}**; over all {len(ratios)}: "
              f"{geometric(list(ratios.values())):.2f}.")
    print(f"- Targets met: {sum(met)} of {len(met)}.")
    best = {}
    for case, r in ratios.items():
        base = OTHER_WAYS.get(case, case)
        best[base] = max(r, best.get(base, 0))
    behind = sorted((r, c) for c, r in best.items() if r < (1 / 1.5 if cpu else 1 / 1.05))
    print(f"- A peer is more than {'1.5 times as fast' if cpu else '5% faster'} (than the fastest "
          f"way here, where there are several) in: "
          + (", ".join(f"{c} ({NAMES[best_peer(rows[c])[0]]}, {r:.2f})" for r, c in behind)
             or "none") + ".")
    off = differing(rows)
    print("- Results that differ from a peer's: " + (", ".join(off) or "none") + ".")


def memory_table(rows):
    key = "memory_mb"
    asked = {c: r for c, r in rows.items()
             if r.get("gpuarr", {}).get(key) is not None and best_peer(r, key)
             and max(v.get(key) or 0 for v in r.values()) >= 1}
    if not asked:
        return
    peers = [p for p in PEERS if any(r.get(p, {}).get(key) is not None for r in asked.values())]
    print("\n### Memory\n\nMegabytes of device memory that one call takes beyond what is there "
          "before it: a new\nresult and scratch. gpuarr's pool grows in steps of 32 MB.\n")
    line(["case", "gpuarr"] + [NAMES[p] for p in peers] + ["more than the best peer"])
    print("|" + "---|" * (len(peers) + 3))
    for case, row in asked.items():
        own, best = row["gpuarr"][key], best_peer(row, key)[1]
        cells = [row.get(p, {}).get(key) for p in peers]
        line([case, f"{own:.0f}"] + ["" if v is None else f"{v:.0f}" for v in cells]
             + ["**yes**" if own > best + 34 else ""])


# ------------------------------------------------------------------- charts
def ratio_chart(path, device, rows):
    """Two columns of cases; a dot for each peer at its time over gpuarr's."""
    groups = groups_of({c: r for c, r in rows.items()
                        if "gpuarr" in r and any(p in r for p in PEERS)})
    lines = [("", title) if not case else (case, group[case])
             for title, group in groups.items() for case in [""] + list(group)]
    if not lines:
        return
    half, step, label, plot, top = (len(lines) + 1) // 2, 14, 190, 270, 66
    column = label + plot + 30
    low, high = 0.5, 32
    svg = Svg(2 * column, top + half * step + 24, "gpuarr's speed beside its peers'")
    svg.text(8, 20, f"How many times as long each peer takes as gpuarr on one {device}; "
                    "right of the line 1 gpuarr is faster", "title")
    x = 8
    for p in (p for p in PEERS if any(p in r for r in rows.values())):
        svg.dot(x + 5, 38, COLOURS[p])
        svg.text(x + 14, 42, NAMES[p])
        x += 80

    def at(v, left):
        return left + plot * math.log(min(max(v, low), high) / low) / math.log(high / low)
    for k in range(2):
        left, part = k * column + label + 8, lines[k * half:(k + 1) * half]
        bottom = top + len(part) * step + 2
        for v in (0.5, 1, 2, 4, 8, 16, 32):
            svg.line(at(v, left), top - 4, at(v, left), bottom, "one" if v == 1 else "grid")
            svg.text(at(v, left), top - 8, f"{v:g}", "m")
        for i, (case, row) in enumerate(part):
            y = top + i * step + 10
            if not case:
                svg.text(k * column + 8, y, row, "head")
                continue
            svg.text(left - 8, y, case, "r")
            for p in PEERS:
                if p in row:
                    v = time_of(row, p) / time_of(row, "gpuarr")
                    svg.dot(at(v, left), y - 4, COLOURS[p], f"{case}: {NAMES[p]} {v:.2f}")
                    if v > high:
                        svg.text(at(v, left) + 6, y, f"{v:.0f}")
    svg.write(path)


def crossing(a, b):
    """The size from which series a is faster than b for good; None if never."""
    sizes = sorted(set(a) & set(b))
    behind = [n for n in sizes if a[n] >= b[n]]
    if not sizes or behind and behind[-1] == sizes[-1]:
        return None
    if not behind:
        return sizes[0]
    n, m = behind[-1], sizes[sizes.index(behind[-1]) + 1]
    f, g = math.log(a[n] / b[n]), math.log(a[m] / b[m])
    return math.exp(math.log(n) + math.log(m / n) * f / (f - g))


def spoken(n):
    digit, k = f"{n:.0e}".split("e")
    return f"10^{int(k)}" if digit == "1" else f"{digit}·10^{int(k)}"


def scaling(devices):
    """{operation: {series: {size: ms}}} of the devices of a run."""
    found = {}
    for device, rows in devices.items():
        cpu = all("numpy" in r or "gpuarr" in r and len(r) == 1 for r in rows.values())
        for case, row in rows.items():
            if case.startswith("scaling_"):
                _, op, n = case.split("_")
                for impl in row:
                    name = impl + "_cpu" if impl == "gpuarr" and cpu else impl
                    found.setdefault(op, {}).setdefault(name, {})[float(n)] = time_of(row, impl)
    return found


SERIES = {"gpuarr": "gpuarr, GPU", "gpuarr_cpu": "gpuarr, CPU", "cupy": "CuPy",
          "pytorch": "PyTorch", "numpy": "NumPy"}


def scaling_chart(path, found):
    width, height, left, top, gap = 330, 220, 52, 66, 46
    svg = Svg(2 * (width + left) + 30, top + 2 * (height + gap) + 6, "time against size")
    svg.text(8, 20, "Milliseconds against the number of float32 elements", "title")
    x = 8
    for name in SERIES:
        if any(name in s for s in found.values()):
            svg.dot(x + 5, 38, COLOURS[name])
            svg.text(x + 14, 42, SERIES[name])
            x += 100
    for i, op in enumerate(op for op in ("add", "sum", "matmul", "svd") if op in found):
        x0, y0 = i % 2 * (width + left + 10) + left, top + i // 2 * (height + gap)
        series = found[op]
        all_ms = [v for s in series.values() for v in s.values()]
        low, high = (f(math.log10(v)) for f, v in ((math.floor, min(all_ms)),
                                                   (math.ceil, max(all_ms))))

        def px(n):
            return x0 + width * (math.log10(n) - 3) / 6

        def py(v):
            return y0 + height - height * (math.log10(v) - low) / max(1, high - low)
        for k in range(3, 10):
            svg.line(px(10 ** k), y0, px(10 ** k), y0 + height)
            svg.text(px(10 ** k), y0 + height + 14, f"1e{k}", "m")
        for k in range(low, high + 1):
            svg.line(x0, py(10 ** k), x0 + width, py(10 ** k))
            svg.text(x0 - 5, py(10 ** k) + 4, f"{10.0 ** k:g}", "r")
        svg.text(x0 + 6, y0 + 14, op, "head")
        for name in reversed(SERIES):
            if name in series:
                points = [(px(n), py(v)) for n, v in sorted(series[name].items())]
                svg.path(points, COLOURS[name])
                for (x, y), (n, v) in zip(points, sorted(series[name].items())):
                    svg.dot(x, y, COLOURS[name], f"{SERIES[name]}: {n:.0e}: {ms(v)} ms", 2.8)
    svg.write(path)


def scaling_text(found):
    print("\n## Time against size\n\nMatrices (matmul, svd) of that many elements; sorting is "
          "not there yet. A series ends where a\ncall would take more than half a second.\n")
    for op, series in found.items():
        own, said = series.get("gpuarr", {}), []
        for other, name in (("gpuarr_cpu", "its own CPU device"), ("numpy", "NumPy")):
            if own and other in series:
                n = crossing(own, series[other])
                said.append(f"is ahead of {name} from {spoken(n)} elements" if n
                            else f"stays behind {name}")
        grown = [n for n in sorted(own) if own[n] > 2 * own[min(own)]]
        if grown:
            said.append(f"takes more than twice a small call's time from {spoken(grown[0])}")
        if said:
            print(f"- {op}: the GPU " + ", ".join(said) + ".")
    print()
    names = [n for n in SERIES if any(n in s for s in found.values())]
    line(["", "elements"] + [SERIES[n] for n in names])
    print("|" + "---|" * (len(names) + 2))
    for op, series in found.items():
        for n in sorted({n for s in series.values() for n in s}):
            line([op, f"{n:.0e}".replace("+0", "")] + [ms(series.get(s, {}).get(n))
                                                       for s in names])


# --------------------------------------------------------------------- all
prefix = next((a[6:] for a in sys.argv[1:] if a.startswith("--svg=")), None)
lines = [json.loads(s) for f in sys.argv[1:] if not f.startswith("--")
         for s in open(f) if s.startswith("{")]
about, versions, devices, limits = {}, {}, {}, {}
for d in lines:
    if "about" in d:
        about.update(d["about"])
    elif "version" in d:
        versions.update(d["version"])
    elif d["case"].startswith("limit_"):
        limits.setdefault(d["device"], {})[d["case"][6:]] = d
    else:
        devices.setdefault(d["device"], {}).setdefault(d["case"], {})[d["impl"]] = d

print("# Benchmarks\n")
print("Made by `make bench`; bench/README.md says how. All of a table comes from one run on one "
      "machine.")
said = [f"{k} {v}" for k, v in about.items() if v] + [f"{NAMES.get(k, k)} {v}"
                                                      for k, v in versions.items()]
if said:
    print("\n" + ", ".join(said) + ".")
first = True
for device, every in devices.items():
    rows = {c: r for c, r in every.items() if not c.startswith("scaling_")}
    for way, case in OTHER_WAYS.items():
        if way in rows:
            rows[way] = {**{p: d for p, d in rows.get(case, {}).items() if p != "gpuarr"},
                         **rows[way]}
    cpu = not any(p in r for r in rows.values() for p in PEERS[:-1] + ["cuda"])
    print(f"\n## {device}\n")
    print("Median milliseconds. The ratio is the best peer's time over gpuarr's: above 1 gpuarr is "
          "faster.")
    summary(rows, cpu)
    if prefix and first:
        print(f"\n![ratios]({os.path.basename(prefix)}.svg)")
        ratio_chart(prefix + ".svg", device, rows)
    first = False
    for title, group in groups_of(rows).items():
        table(title, group, rows)
    memory_table(rows)
    if device in limits:
        print("\nWhat the card allows, by plain CUDA in the same process:\n")
        print("| | ms |\n|---|---|")
        for name, d in limits[device].items():
            print(f"| {name} | {ms(d['median_ms'])} |")
found = scaling(devices)
if found:
    scaling_text(found)
    if prefix:
        scaling_chart(prefix + "_scaling.svg", found)
        print(f"\n![time against size]({os.path.basename(prefix)}_scaling.svg)")
