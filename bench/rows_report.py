#!/usr/bin/env python3
"""Joins the shards of rows.c and rows_peers.py: a page and a chart.

    rows_report.py --out=results/DEVICE_rows [--note=TEXT] FILE...

writes DEVICE_rows.jsonl (one line a case and implementation; of a case measured
twice the last), DEVICE_rows.md and DEVICE_rows.svg. A file that exists already is
replaced: name it among FILEs to keep its lines. Shares of the floor are
limit_ms / median_ms, ratios the faster peer's time over gpuarr's. TEXT, what is
to be known of the run, stands above the page.
"""
import json
import math
import os
import sys
from collections import defaultdict

from chart import NAMES, Svg

CLASSES = {"ew": "element by element", "cast": "casts", "red": "reductions", "scan": "scans",
           "rand": "random draws", "small": "small calls", "prod": "products",
           "la": "solving, decompositions", "expr": "expressions",
           "jit": "expressions, compiled", "sort": "sorting, searching",
           "sel": "selecting", "idx": "index arrays", "stat": "statistics",
           "shape": "joining, moving", "soft": "softmax, comparing", "fft": "transforms"}
VOCABULARY = list(CLASSES)[-7:]
LAYOUTS = {"c": "contiguous", "row": "one operand a row", "col": "one operand a column",
           "off": "an unaligned view", "str": "every second element", "tr": "one transposed",
           "odd": "odd row length", "all": "all of it", "first": "first axis",
           "last": "last axis", "mid": "middle axis", "long": "16 long rows",
           "short": "rows of 16", "flat": "one vector"}
OWN = ("gpuarr", "gpuarr_1")


def read(files):
    """rows: what was timed, over: what was left out as too long, by case and impl."""
    about, versions, rows, over = [], {}, {}, {}
    for name in files:
        for s in open(name):
            d = json.loads(s)
            if "about" in d:
                about += [d["about"]] if d["about"] not in about else []
            elif "version" in d:
                versions.update(d["version"])
            else:
                (over if "over_ms" in d else rows).setdefault(d["case"], {})[d["impl"]] = d
    return about, versions, rows, over


def write(path, about, versions, rows, over):
    order = list(CLASSES)
    with open(path, "w") as f:
        for a in about:
            print(json.dumps({"about": a}), file=f)
        print(json.dumps({"version": versions}), file=f)
        for case in sorted(set(rows) | set(over), key=lambda c: (order.index(of_class(c)), c)):
            for d in [*rows.get(case, {}).values(), *over.get(case, {}).values()]:
                print(json.dumps(d, separators=(",", ":")), file=f)


def geometric(v):
    return math.exp(sum(map(math.log, v)) / len(v))


def base_name(impl):
    return NAMES.get(impl.removesuffix("_1"), impl)


class Grid:
    """The cases of one implementation of ours: shares of floors, ratios to peers."""

    def __init__(self, rows, own):
        self.share, self.ratio, self.peer, self.rows = {}, {}, {}, rows
        self.per = defaultdict(dict)            # peer: case: ratio
        one = own.endswith("_1")
        for case, impls in rows.items():
            if case.startswith("jit/"):         # the peers' are those of expr/
                impls = rows.get("expr/" + case[4:], {}) | impls
            d = impls.get(own)
            if not d or d["median_ms"] <= 0:
                continue
            if d.get("limit_ms"):
                self.share[case] = d["limit_ms"] / d["median_ms"]
            peers = {p: e["median_ms"] for p, e in impls.items() if p not in OWN
                     and e["median_ms"] > 0 and p.endswith("_1") == one}
            for p, ms in peers.items():
                self.per[p][case] = ms / d["median_ms"]
            if peers:
                p = min(peers, key=peers.get)
                self.ratio[case], self.peer[case] = peers[p] / d["median_ms"], p
        self.own = own


def groups(values, key):
    found = defaultdict(dict)
    for case, v in values.items():
        k = key(case)
        if k is not None:
            found[k][case] = v
    return found


def of_class(case):
    return case.split("/")[0]


def of_layout(case):
    part = case.split("/")
    if part[0] in VOCABULARY:
        return part[0], "small arrays" if part[3].endswith("_small") else part[3]
    return LAYOUTS.get(part[3]) and (part[0], part[3]) if part[0] in ("ew", "red") else None


def of_dtype(case):
    part = case.split("/")
    plain = ("ew", "red", "prod", "la", "rand", "expr", "jit", *VOCABULARY)
    return (part[0], part[2]) if part[0] in plain else None


def of_row(case):
    part = case.split("/")
    return (part[0], part[1]) if part[0] not in ("cast", "small") else None


def line(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |")


def head(*cells):
    line(*cells)
    print("|" + "---|" * len(cells))


def spread(v):
    """How many, the geometric mean, how many below 0.95, 0.92, 0.8."""
    n = len(v)
    below = [sum(x < b for x in v.values()) for b in (0.95, 0.92, 0.8)]
    return [n, f"{geometric(list(v.values())):.2f}"] + [f"{b} ({b / n:.0%})" for b in below]


def table(title, values, key, say, order=None):
    found = groups(values, key)
    if not found:
        return
    names = sorted(found, key=order or (lambda k: geometric(list(found[k].values()))))
    print(f"\n{title}\n")
    head("", "cases", "mean", "< 0.95", "< 0.92", "< 0.8")
    for k in names:
        line(say(k), *spread(found[k]))


def by_dtype(values):
    """Means, a dtype a line, the farthest first, a class a column."""
    found, whole = groups(values, of_dtype), groups(values, lambda c: (of_dtype(c) or (0, None))[1])
    classes = [c for c in CLASSES if any(k[0] == c for k in found)]
    if not classes:
        return
    print("\nBy dtype, the farthest first: means\n")
    head("", "cases", "all", *(CLASSES[c] for c in classes))
    for t in sorted(whole, key=lambda t: geometric(list(whole[t].values()))):
        cells = [found.get((c, t)) for c in classes]
        line(t, *spread(whole[t])[:2], *(spread(v)[1] if v else "" for v in cells))


def ms(v):
    return f"{v:.4f}" if v < 1 else f"{v:.3g}"


def worst(grid, values, against, n=10):
    """The n lowest of each class, at most two of a row, with the times."""
    for c, name in CLASSES.items():
        mine = {k: v for k, v in values.items() if of_class(k) == c}
        low, seen = [], defaultdict(int)
        for case in sorted(mine, key=mine.get):
            row = case.split("/")[1]
            seen[row] += 1
            if seen[row] <= 2 and len(low) < n:
                low.append(case)
        if not low:
            continue
        print(f"\n{name[0].upper()}{name[1:]}:\n")
        head("case", "gpuarr ms", against, "ratio")
        for case in low:
            d = grid.rows[case]
            than = (ms(d[grid.own]["limit_ms"]) if against == "floor ms" else
                    f"{ms(d[grid.own]['median_ms'] * mine[case])} {base_name(grid.peer[case])}")
            line(f"`{case}`", ms(d[grid.own]["median_ms"]), than, f"{mine[case]:.2f}")


def say_class(k):
    return CLASSES.get(k, k)


def say_pair(k):
    return f"{CLASSES[k[0]]}: {LAYOUTS.get(k[1], k[1])}"


def part(grid, values, title, against, names):
    if not values:
        return
    print(f"\n## {title}")
    order = list(CLASSES)
    table("By class:", values, of_class, say_class, order.index)
    table("By layout, the farthest first:", values, of_layout, say_pair)
    by_dtype(values)
    rows = groups(values, of_row)
    low = set()
    for c in CLASSES:
        mine = [k for k in rows if k[0] == c and len(rows[k]) > 1]
        low |= set(sorted(mine, key=lambda k: geometric(list(rows[k].values())))[:10])
    table("The ten farthest rows of each class:", {c: v for c, v in values.items() if of_row(c) in low},
          of_row, lambda k: f"{k[0]}/{k[1]}")
    print(f"\n### The farthest cases of each class ({names})")
    worst(grid, values, against)


def coverage(grid, over):
    """How many cases of each class were timed, also by the peers, and left out."""
    peers = sorted(grid.per)
    print("\nCases timed, beside which peers, and left out because a call would take more than a "
          "second:\n")
    head("", grid.own, *(f"beside {base_name(p)}" for p in peers), "left out")
    for c, name in CLASSES.items():
        n = [sum(of_class(k) == c for k in v) for v in
             ([k for k, r in grid.rows.items() if grid.own in r], *(grid.per[p] for p in peers),
              [k for k, r in over.items() if grid.own in r])]
        if n[0]:
            line(name, *n)
    for p in peers:
        r = list(grid.per[p].values())
        print(f"\nBeside {base_name(p)}: {len(r)} cases, {geometric(r):.2f} times as fast "
              f"(geometric mean), slower by more than 5% in {sum(x < 0.95 for x in r)}.")


def left_out(own, over):
    long = {c: r[own]["over_ms"] for c, r in over.items() if own in r}
    if long:
        print("\n## Left out\n\nWhat a call would take, by one on a part of the operands, "
              "the longest first:\n")
        head("case", "s")
        for c in sorted(long, key=long.get, reverse=True):
            line(f"`{c}`", f"{long[c] / 1e3:.3g}")


# -------------------------------------------------------------------- the chart
def quantile(v, q):
    at = q * (len(v) - 1)
    i = int(at)
    return v[i] + (v[min(i + 1, len(v) - 1)] - v[i]) * (at - i)


def chart(path, grids, device):
    """A strip for each class: 5th, 25th, 50th, 75th, 95th of a hundred cases."""
    panels = []
    for g, name in grids:
        for values, title, low, high, marks in (
                (g.share, "share of the floor's speed", 0.1, 1.5, (0.1, 0.2, 0.5, 0.8, 0.95, 1.2)),
                (g.ratio, "the faster peer's time over gpuarr's", 0.25, 32,
                 (0.25, 0.5, 1, 2, 4, 8, 16, 32))):
            found = groups(values, of_class)
            if found:
                panels.append((f"{name}: {title}", found, low, high, marks))
    step, left, width, top = 20, 190, 420, 48
    height = sum(70 + step * len(p[1]) for p in panels) + top
    svg = Svg(left + width + 90, height, "the grid by class")
    svg.text(8, 20, f"The grid on {device}", "title")
    svg.text(8, 36, "Half of the cases lie within the bar, 9 in 10 within the line, the dot is the "
                    "median")
    y = top + 24
    for title, found, low, high, marks in panels:
        def at(v):
            return left + width * math.log(min(max(v, low), high) / low) / math.log(high / low)
        svg.text(8, y, title, "head")
        y += 26
        bottom = y + step * len(found)
        for m in marks:
            svg.line(at(m), y - 6, at(m), bottom, "one" if m in (1, 0.95) else "grid")
            svg.text(at(m), y - 10, ("\u2264" if m == low else "") + f"{m:g}", "m")
        for c in CLASSES:
            if c not in found:
                continue
            v = sorted(found[c].values())
            q = [quantile(v, k) for k in (0.05, 0.25, 0.5, 0.75, 0.95)]
            svg.text(left - 8, y + 12, f"{CLASSES[c]} ({len(v)})", "r")
            svg.line(at(q[0]), y + 8, at(q[4]), y + 8, "one")
            svg.path([(at(q[1]), y + 8), (max(at(q[3]), at(q[1]) + 1), y + 8)], "#3f8fd9", 7)
            svg.dot(at(q[2]), y + 8, "#d1425b", f"{CLASSES[c]}: median {q[2]:.2f}")
            svg.text(left + width + 12, y + 12, f"{q[2]:.2f}")
            y += step
        y += 44
    svg.write(path)


def main():
    prefix = next((a[6:] for a in sys.argv[1:] if a.startswith("--out=")), None)
    note = next((a[7:] for a in sys.argv[1:] if a.startswith("--note=")), None)
    about, versions, rows, over = read([a for a in sys.argv[1:] if not a.startswith("--")])
    if prefix is None or not rows:
        sys.exit(__doc__)
    write(prefix + ".jsonl", about, versions, rows, over)
    grids = [(Grid(rows, own), name) for own, name in
             (("gpuarr", "gpuarr"), ("gpuarr_1", "gpuarr, one thread")) if
             any(own in r for r in rows.values())]
    device = next((a["device"] for a in about if "device" in a), "?")
    chart(prefix + ".svg", grids, device)
    sys.stdout = open(prefix + ".md", "w")
    print(f"# The grid: {device}\n\nMade by `make bench-rows`; bench/README.md says how to read "
          "it.\n")
    commits = sorted({a["commit"] for a in about if a.get("commit")})
    if commits:
        print(f"commit: {', '.join(commits)}  ")
    print(", ".join(sorted({f"{base_name(k)} {v}" for k, v in versions.items()})))
    if note:
        print(f"\n{note}")
    print(f"\n![by class]({os.path.basename(prefix)}.svg)")
    for g, name in grids:
        unchecked = [c for c, r in rows.items() if r.get(g.own, {}).get("check") == 0]
        n = sum(g.own in r for r in rows.values())
        print(f"\n{name}: {n} cases, of which {len(unchecked)} have no check of their result; "
              f"{len(g.share) or 'none'} with a floor, {len(g.ratio) or 'none'} with a peer.")
        coverage(g, over)
        part(g, g.share, f"Against the floor: {name}", "floor ms", "limit_ms / median_ms")
        part(g, g.ratio, f"Against the faster peer: {name}", "faster peer", "its time over ours")
        left_out(g.own, over)


main()
