#!/usr/bin/env python3
"""comm.c's lines as a table: a case's median by the number of ranks, how many
times one rank's rate that is, NCCL by hand, and the share of the limit.

    comm.py results/DEVICE_ranks.jsonl > results/DEVICE_ranks.md
"""
import json
import sys

rows, ranks, device = {}, set(), ""
for line in open(sys.argv[1]):
    d = json.loads(line)
    device = d["device"]
    ranks.add(d["ranks"])
    rows.setdefault(d["case"], {})[d["impl"], d["ranks"]] = d
ranks = sorted(ranks)


def ms(v):
    return f"{v:.4f}" if v < 1 else f"{v:.3f}" if v < 10 else f"{v:.1f}"


print(f"# {device}: several ranks, arrays larger than memory\n")
print("Milliseconds, medians. `times`: one rank's time over that of the most ranks. `NCCL`: the same")
print("call by hand, in brackets its share of gpuarr's time. `limit`: a pinned copy of the bytes.\n")
heads = ["case"] + [f"{n} rank{'s' * (n > 1)}" for n in ranks] + ["times", "NCCL", "limit", "share"]
print("| " + " | ".join(heads) + " |")
print("|---" + "|---:" * (len(heads) - 1) + "|")
for case, of in rows.items():
    mine = {n: of["gpuarr", n]["median_ms"] for n in ranks if ("gpuarr", n) in of}
    most = max(mine)
    hand, limit = of.get(("nccl", most)), of["gpuarr", most]["limit_ms"]
    collective = case.startswith("comm_")       # one rank has nothing to move
    cells = [case] + [ms(mine[n]) if n in mine else "" for n in ranks]
    cells.append(f"{mine[1] / mine[most]:.2f}" if most > 1 and 1 in mine and not collective else "")
    cells.append(f"{ms(hand['median_ms'])} ({hand['median_ms'] / mine[most]:.0%})" if hand else "")
    cells += [ms(limit), f"{limit / mine[most]:.0%}"] if limit else ["", ""]
    print("| " + " | ".join(cells) + " |")
