#!/usr/bin/env python3
"""The cases of bench.c in CuPy, PyTorch and NumPy, whichever are installed:
one JSON line a case, as bench.c prints them.

    peers.py [--device=gpu|cpu] [--cases=substring] [--quick]

The same sizes, dtypes and distribution of the data, results written into
existing arrays where bench.c does (out=), queued work timed by events without
a pause for the host, calls that bring a result to the host by its clock.
Import time is not counted; first_ms is the first call in this process.
"""
import json
import sys
import time

QUICK = "--quick" in sys.argv


def option(name, default):
    for a in sys.argv[1:]:
        if a.startswith(f"--{name}="):
            return a.split("=", 1)[1]
    return default


ONLY = option("cases", "")


def report(case, impl, device, best, median, first):
    print(json.dumps({"case": case, "impl": impl, "device": device, "best_ms": round(best, 6),
                      "median_ms": round(median, 6), "first_ms": round(first, 6),
                      "limit_ms": None}), flush=True)


def now():
    return time.perf_counter() * 1e3


def run(case, impl, device, body, sync, events=None):
    """events(samples, inner, body) -> list of ms, or None: the host's clock."""
    if ONLY not in case:
        return
    try:
        t = now()
        body()
        sync()
        first = now() - t
        body()
        sync()
        t = now()
        body()
        sync()
        once = max(now() - t, 1e-4)
        inner = 1 if once > 0.2 else int(0.2 / once) + 1
        samples = int(min(100, max(10, 500 / (once * inner))))
        if once < 0.2:
            inner *= 4
        if QUICK:
            samples = 5
        if events:
            ms = events(samples, inner, body)
        else:
            ms = []
            for _ in range(samples):
                t = now()
                for _ in range(inner):
                    body()
                sync()
                ms.append((now() - t) / inner)
        ms.sort()
        report(case, impl, device, ms[0], ms[len(ms) // 2], first)
    except Exception as e:  # out of memory, an operation a version lacks
        print(f"peers.py: {impl} {case}: {e}", file=sys.stderr)


def size(n):
    return n // 256 if QUICK and n > 65536 else n


def side(n):
    return (n + 15) // 16 if QUICK else n


N28, N27, K16 = size(1 << 28), size(1 << 27), side(16384)


def uniform(np, n):
    r = np.random.default_rng(1)
    return (r.random(n, dtype=np.float32) * np.float32(1.5) + np.float32(0.5))


def cupy_cases():
    import cupy as cp
    import numpy as np
    t = now()
    v = float((cp.full(1000, 1, cp.float32) + 2).sum())
    first = now() - t
    assert v == 3000
    props = cp.cuda.runtime.getDeviceProperties(0)
    device = props["name"].decode()
    if ONLY in "first_result":
        report("first_result", "cupy", device, first, first, first)

    def sync():
        cp.cuda.Device().synchronize()

    def events(samples, inner, body):
        e = [cp.cuda.Event() for _ in range(samples + 1)]
        e[0].record()
        for i in range(samples):
            for _ in range(inner):
                body()
            e[i + 1].record()
        sync()
        return [cp.cuda.get_elapsed_time(e[i], e[i + 1]) / inner for i in range(samples)]

    def go(case, body, ev=events):
        run(case, "cupy", device, body, sync, ev)

    x, y = cp.asarray(uniform(np, N28)), cp.asarray(uniform(np, N28))
    o, b = cp.empty_like(x), cp.empty(x.shape, bool)
    go("add_f32_2^28", lambda: cp.add(x, y, out=o))
    go("multiply_f32_2^28", lambda: cp.multiply(x, y, out=o))
    go("exp_f32_2^28", lambda: cp.exp(x, out=o))
    go("sqrt_f32_2^28", lambda: cp.sqrt(x, out=o))
    go("less_f32_2^28", lambda: cp.less(x, y, out=b))
    o64 = cp.empty(N28, cp.float64)
    go("cast_f32_f64_2^28", lambda: cp.copyto(o64, x))
    go("copy_f32_2^28", lambda: cp.copyto(o, x))
    go("fill_f32_2^28", lambda: o.fill(1.5))

    def sincos(out, tmp, v):
        cp.cos(v, out=out)
        cp.square(out, out=out)
        cp.sin(v, out=tmp)
        cp.square(tmp, out=tmp)
        cp.add(out, tmp, out=out)
    tmp = cp.empty_like(o)
    go("sin2cos2_f32_2^28", lambda: sincos(o, tmp, x))
    del o64, tmp
    for name, t, n in (("f64_2^27", cp.float64, N27), ("f16_2^28", cp.float16, N28)):
        u, v = x[:n].astype(t), y[:n].astype(t)
        w, bb = cp.empty_like(u), cp.empty(n, bool)
        go("add_" + name, lambda: cp.add(u, v, out=w))
        go("multiply_" + name, lambda: cp.multiply(u, v, out=w))
        go("exp_" + name, lambda: cp.exp(u, out=w))
        go("sqrt_" + name, lambda: cp.sqrt(u, out=w))
        go("less_" + name, lambda: cp.less(u, v, out=bb))
        go("copy_" + name, lambda: cp.copyto(w, u))
    del u, v, w, bb
    m, mo = x[:K16 * K16].reshape(K16, K16), o[:K16 * K16].reshape(K16, K16)
    row, col = y[:K16], y[:K16].reshape(-1, 1)
    go("bcast_add_row_f32_16k", lambda: cp.add(m, row, out=mo))
    go("bcast_add_col_f32_16k", lambda: cp.add(m, col, out=mo))
    n8 = side(8192)
    p, q = (a[:n8 * n8].reshape(n8, n8)[::2, ::2] for a in (x, y))
    po = cp.empty(p.shape, cp.float32)
    go("strided_add_f32_8k", lambda: cp.add(p, q, out=po))
    go("transpose_copy_f32_16k", lambda: cp.copyto(mo, m.T))
    reductions = (("sum", cp.sum), ("max", cp.max), ("mean", cp.mean), ("argmax", cp.argmax),
                  ("var", cp.var))
    for name, f in reductions:
        go(name + "_f32_2^28", lambda: f(m))
        go(name + "_axis0_f32_16k", lambda: f(m, axis=0))
        go(name + "_axis1_f32_16k", lambda: f(m, axis=1))
    s = x[:size(1000000) * 16].reshape(-1, 16)
    go("sum_axis0_f32_1e6x16", lambda: cp.sum(s, axis=0))
    go("sum_axis1_f32_1e6x16", lambda: cp.sum(s, axis=1))
    a1, b1, o1 = x[:1024].copy(), y[:1024].copy(), cp.empty(1024, cp.float32)
    go("small_add_1k", lambda: cp.add(a1, b1, out=o1))
    go("small_add_alloc_1k", lambda: a1 + b1)
    go("small_sum_1k_sync", lambda: float(a1.sum()), None)
    n = size(100000000)
    h, h2 = uniform(np, n), uniform(np, n)
    back, d = np.empty(n, np.float32), x[:n]
    go("h2d_pageable_400MB", lambda: cp.asarray(h), None)
    go("d2h_pageable_400MB", lambda: d.get(out=back), None)
    go("seed003_vecadd_host_1e8", lambda: (cp.asarray(h) + cp.asarray(h2)).get(out=back), None)
    n7 = size(10000000)
    h7, back7 = h[:n7], back[:n7]

    def host7():
        v = cp.asarray(h7)
        out, t = cp.empty_like(v), cp.empty_like(v)
        sincos(out, t, v)
        out.get(out=back7)
    go("seed002_vectorize_1e7_host", host7, None)
    x7 = x[:n7]
    o7, t7 = cp.empty_like(x7), cp.empty_like(x7)
    go("seed002_vectorize_1e7_device", lambda: sincos(o7, t7, x7))
    x6 = x[:size(1000000)] - cp.float32(1.25)
    go("seed002_selu_1e6_eager",
       lambda: 1.05 * cp.where(x6 > 0, x6, 1.67 * cp.exp(x6) - 1.67))


def torch_cases():
    import numpy as np
    import torch
    if not torch.cuda.is_available():
        return
    t = now()
    v = float((torch.full((1000,), 1.0, device="cuda") + 2).sum())
    first = now() - t
    assert v == 3000
    device = torch.cuda.get_device_name(0)
    if ONLY in "first_result":
        report("first_result", "pytorch", device, first, first, first)
    sync = torch.cuda.synchronize

    def events(samples, inner, body):
        e = [torch.cuda.Event(enable_timing=True) for _ in range(samples + 1)]
        e[0].record()
        for i in range(samples):
            for _ in range(inner):
                body()
            e[i + 1].record()
        sync()
        return [e[i].elapsed_time(e[i + 1]) / inner for i in range(samples)]

    def go(case, body, ev=events):
        run(case, "pytorch", device, body, sync, ev)

    x, y = (torch.from_numpy(uniform(np, N28)).cuda() for _ in range(2))
    o, b = torch.empty_like(x), torch.empty(N28, dtype=torch.bool, device="cuda")
    go("add_f32_2^28", lambda: torch.add(x, y, out=o))
    go("multiply_f32_2^28", lambda: torch.mul(x, y, out=o))
    go("exp_f32_2^28", lambda: torch.exp(x, out=o))
    go("sqrt_f32_2^28", lambda: torch.sqrt(x, out=o))
    go("less_f32_2^28", lambda: torch.lt(x, y, out=b))
    o64 = torch.empty(N28, dtype=torch.float64, device="cuda")
    go("cast_f32_f64_2^28", lambda: o64.copy_(x))
    go("copy_f32_2^28", lambda: o.copy_(x))
    go("fill_f32_2^28", lambda: o.fill_(1.5))

    def sincos(out, tmp, v):
        torch.cos(v, out=out)
        torch.square(out, out=out)
        torch.sin(v, out=tmp)
        torch.square(tmp, out=tmp)
        torch.add(out, tmp, out=out)
    tmp = torch.empty_like(o)
    go("sin2cos2_f32_2^28", lambda: sincos(o, tmp, x))
    del o64, tmp
    for name, t, n in (("f64_2^27", torch.float64, N27), ("f16_2^28", torch.float16, N28)):
        u, v = x[:n].to(t), y[:n].to(t)
        w, bb = torch.empty_like(u), torch.empty(n, dtype=torch.bool, device="cuda")
        go("add_" + name, lambda: torch.add(u, v, out=w))
        go("multiply_" + name, lambda: torch.mul(u, v, out=w))
        go("exp_" + name, lambda: torch.exp(u, out=w))
        go("sqrt_" + name, lambda: torch.sqrt(u, out=w))
        go("less_" + name, lambda: torch.lt(u, v, out=bb))
        go("copy_" + name, lambda: w.copy_(u))
    del u, v, w, bb
    m, mo = x[:K16 * K16].view(K16, K16), o[:K16 * K16].view(K16, K16)
    row, col = y[:K16], y[:K16].view(-1, 1)
    go("bcast_add_row_f32_16k", lambda: torch.add(m, row, out=mo))
    go("bcast_add_col_f32_16k", lambda: torch.add(m, col, out=mo))
    n8 = side(8192)
    p, q = (a[:n8 * n8].view(n8, n8)[::2, ::2] for a in (x, y))
    po = torch.empty(p.shape, device="cuda")
    go("strided_add_f32_8k", lambda: torch.add(p, q, out=po))
    go("transpose_copy_f32_16k", lambda: mo.copy_(m.T))

    def var(a, **k):
        return torch.var(a, correction=0, **k)
    reductions = (("sum", torch.sum), ("max", torch.amax), ("mean", torch.mean),
                  ("argmax", torch.argmax), ("var", var))
    for name, f in reductions:
        go(name + "_f32_2^28", lambda: f(m))
        go(name + "_axis0_f32_16k", lambda: f(m, dim=0))
        go(name + "_axis1_f32_16k", lambda: f(m, dim=1))
    s = x[:size(1000000) * 16].view(-1, 16)
    go("sum_axis0_f32_1e6x16", lambda: torch.sum(s, dim=0))
    go("sum_axis1_f32_1e6x16", lambda: torch.sum(s, dim=1))
    a1, b1, o1 = x[:1024].clone(), y[:1024].clone(), torch.empty(1024, device="cuda")
    go("small_add_1k", lambda: torch.add(a1, b1, out=o1))
    go("small_add_alloc_1k", lambda: a1 + b1)
    go("small_sum_1k_sync", lambda: float(a1.sum()), None)
    n = size(100000000)
    h, h2 = torch.from_numpy(uniform(np, n)), torch.from_numpy(uniform(np, n))
    back, d = torch.empty(n), x[:n]
    go("h2d_pageable_400MB", lambda: h.cuda(), None)
    go("d2h_pageable_400MB", lambda: back.copy_(d), None)
    go("seed003_vecadd_host_1e8", lambda: back.copy_(h.cuda() + h2.cuda()), None)
    n7 = size(10000000)
    h7, back7 = h[:n7], back[:n7]

    def host7():
        v = h7.cuda()
        out, t = torch.empty_like(v), torch.empty_like(v)
        sincos(out, t, v)
        back7.copy_(out)
    go("seed002_vectorize_1e7_host", host7, None)
    x7 = x[:n7]
    o7, t7 = torch.empty_like(x7), torch.empty_like(x7)
    go("seed002_vectorize_1e7_device", lambda: sincos(o7, t7, x7))
    x6 = x[:size(1000000)] - 1.25
    go("seed002_selu_1e6_eager",
       lambda: 1.05 * torch.where(x6 > 0, x6, 1.67 * torch.exp(x6) - 1.67))


def numpy_cases():
    import os

    import numpy as np
    device = "CPU"
    if os.path.exists("/proc/cpuinfo"):
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                device = line.split(":", 1)[1].strip()
                break

    def go(case, body):
        run(case, "numpy", device, body, lambda: None)

    n = size(10000000)
    x, y = uniform(np, n), uniform(np, n)
    o, b, t = np.empty_like(x), np.empty(n, bool), np.empty_like(x)
    go("add_f32_1e7", lambda: np.add(x, y, out=o))
    go("multiply_f32_1e7", lambda: np.multiply(x, y, out=o))
    go("less_f32_1e7", lambda: np.less(x, y, out=b))
    go("equal_f32_1e7", lambda: np.equal(x, y, out=b))
    for f in ("sqrt", "exp", "log", "sin", "cos"):
        g = getattr(np, f)
        go(f + "_f32_1e7", lambda: g(x, out=o))
    go("sum_f32_1e7", lambda: np.sum(x))
    go("max_f32_1e7", lambda: np.max(x))
    go("var_f32_1e7", lambda: np.var(x))
    m = x[:size(1000000) * 10].reshape(-1, 10)
    go("sum_axis0_f32_1e6x10", lambda: np.sum(m, axis=0))
    go("sum_axis1_f32_1e6x10", lambda: np.sum(m, axis=1))

    def sincos():
        np.cos(x, out=o)
        np.square(o, out=o)
        np.sin(x, out=t)
        np.square(t, out=t)
        np.add(o, t, out=o)
    go("seed002_vectorize_1e7_host", sincos)
    z = x[:size(1000000)] - np.float32(1.25)
    one, two = np.float32(1.05), np.float32(1.67)
    go("seed002_selu_1e6_eager", lambda: one * np.where(z > 0, z, two * np.exp(z) - two))


todo = [numpy_cases] if option("device", "gpu") == "cpu" else [cupy_cases, torch_cases]
for f in todo:
    try:
        f()
    except Exception as e:
        print(f"peers.py: {f.__name__}: {e}", file=sys.stderr)
