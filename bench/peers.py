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
        samples = int(min(100, 300 / (once * inner)))
        if samples < 10:
            samples = int(max(3, min(10, 700 / once)))
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


def dim(n):
    return (n + 15) // 16 if QUICK and n > 64 else n


def linalg_cases(go, xp, one, two, cpu, dtypes, f):
    """Products, decompositions, solving: the cases of linalg.h for one library.

    one(n), two(n): flat float32 data in [0.5, 2); f: what the libraries call
    differently; dtypes: the names of theirs by ours.
    """
    def mat(data, *shape, t="float64"):
        n = 1
        for d in shape:
            n *= d
        return f["cast"](data(n).reshape(*shape), dtypes[t])

    def product(case, t, *d):
        if ONLY not in case or t not in dtypes:
            return
        m, k, n = (dim(i) for i in d[-3:])
        b = [dim(d[0])] if len(d) == 4 else []
        x, y = mat(one, *b, m, k, t=t), mat(two, *b, k, n, t=t)
        o = f["empty"]((*b, m, n), dtypes[t])
        go(case, lambda: xp.matmul(x, y, out=o))

    def later(case, make):      # data made only for a case that is asked for
        if ONLY in case:
            try:
                go(case, make())
            except Exception as e:
                print(f"peers.py: {case}: {e}", file=sys.stderr)

    def square(n, k=0):
        a = mat(one, n, n) - 1.25
        return (a, mat(two, n, k)) if k else a

    def solve(n, k):
        a, b = square(dim(n), dim(k))
        return lambda: xp.linalg.solve(a, b)

    def bsolve(b, n):
        a = mat(one, dim(b), n, n) - 1.25
        c = mat(two, dim(b), n, 1)
        return lambda: xp.linalg.solve(a, c)

    def of(name, make, n):
        def set_up():
            a, g = make(dim(n)), getattr(xp.linalg, name)
            return lambda: g(a)
        return set_up

    def positive(n):
        a = square(n)
        return a @ a.T / n + f["eye"](n)

    def symmetric(n):
        a = square(n)
        return a + a.T

    def det(n):
        return square(n) * (2.718281828459045 / 0.1875 / n) ** 0.5

    def svd(m, n, full, t):
        def set_up():
            a = f["cast"]((one(dim(m) * dim(n)).reshape(dim(m), dim(n)) - 0.5) / 1.5, dtypes[t])
            return lambda: xp.linalg.svd(a, full_matrices=full)
        return set_up

    product("seed002_dot_f64_1000", "float64", 1000, 1000, 1000)
    if cpu:
        product("matmul_float32_1000", "float32", 1000, 1000, 1000)
        product("matmul_float64_2000", "float64", 2000, 2000, 2000)
        product("matmul_float32_2000", "float32", 2000, 2000, 2000)
        product("bmm_f32_1000x32", "float32", 1000, 32, 32, 32)
        n, small, batch = 1000, 500, (1000, 16)
        later("svd_f64_500", svd(500, 500, True, "float64"))
        later("svd_f32_500", svd(500, 500, True, "float32"))
    else:
        if ONLY in "seed002_dot3000T_f32":
            x = mat(one, dim(3000), dim(3000), t="float32")
            o = f["empty"](x.shape, dtypes["float32"])
            go("seed002_dot3000T_f32", lambda: xp.matmul(x, x.T, out=o))
        for t in ("float64", "float32", "float16", "bfloat16"):
            product(f"matmul_{t}_8192", t, 8192, 8192, 8192)
        try:
            f["tf32"](True)
            product("matmul_tf32_8192", "float32", 8192, 8192, 8192)
            f["tf32"](False)
        except Exception as e:  # a switch that another version lacks
            print(f"peers.py: matmul_tf32_8192: {e}", file=sys.stderr)
        product("bmm_f32_4096x64", "float32", 4096, 64, 64, 64)
        for t in ("float32", "float64"):
            if ONLY not in f"seed004_matmulsum_{t}" and ONLY not in f"seed004_einsum_{t}":
                continue
            a, b = mat(one, dim(10000), dim(5000), t=t), mat(two, dim(5000), dim(7000), t=t)

            def matmulsum():
                for _ in range(10):
                    f["host"]((a @ b).sum(0))

            def einsum():
                for _ in range(10):
                    f["host"](xp.einsum("ij,jk->" + f["dots"] + "k", a, b))
            go(f"seed004_matmulsum_{t}", matmulsum, None)
            go(f"seed004_einsum_{t}", einsum, None)
            del a, b
        later("seed000_svd_3000_f64", svd(3000, 3000, True, "float64"))
        later("seed000_svd_3000_f32", svd(3000, 3000, True, "float32"))
        later("seed000_svd_9000x1000_f32", svd(9000, 1000, True, "float32"))
        later("svd_reduced_9000x1000_f32", svd(9000, 1000, False, "float32"))
        n, small, batch = 4096, 4096, (4096, 32)
    later(f"solve_f64_{n}", lambda: solve(n, 16))
    later(f"inv_f64_{n}", of("inv", square, n))
    later(f"cholesky_f64_{n}", of("cholesky", positive, n))
    later(f"qr_f64_{n}", of("qr", square, n))
    later(f"eigh_f64_{small}", of("eigh", symmetric, small))
    later(f"det_f64_{n}", of("det", det, n))
    later("bsolve_f64_%dx%d" % batch, lambda: bsolve(*batch))


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

    go("norm_f32_2^28", lambda: cp.linalg.norm(x))
    del h, h2, back, d, h7, back7, o7, t7, m, mo, p, q, o, b

    def tf32(on):               # CuPy's own switch, as CUPY_TF32=1 sets it
        from cupy._core import _routines_linalg as r
        r.set_compute_type(cp.float32, r.COMPUTE_TYPE_TF32 if on else r.COMPUTE_TYPE_DEFAULT)
    linalg_cases(go, cp, lambda n: x[:n], lambda n: y[:n], False,
                 {t: getattr(cp, t) for t in ("float64", "float32", "float16")},
                 {"cast": lambda a, t: a.astype(t), "empty": cp.empty, "eye": cp.eye,
                  "host": cp.asnumpy, "tf32": tf32, "dots": "..."})
    del x, y
    cp.get_default_memory_pool().free_all_blocks()

    # Without out=: with it CuPy draws into a new array all the same, and copies.
    g, n = cp.random.default_rng(1), size(1 << 26)
    go("rand_f32_2^28", lambda: g.random(N28, dtype=cp.float32))
    go("rand_f64_2^27", lambda: g.random(N27))
    go("randn_f32_2^28", lambda: g.standard_normal(N28, dtype=cp.float32))
    go("randn_f64_2^27", lambda: g.standard_normal(N27))
    go("exponential_f32_2^26", lambda: g.standard_exponential(n, dtype=cp.float32))
    go("lognormal_f32_2^26", lambda: cp.random.lognormal(0, 0.5, n, dtype=cp.float32))
    go("gamma_f32_2^26", lambda: g.standard_gamma(2.5, n, dtype=cp.float32))
    go("beta_f64_2^26", lambda: g.beta(2, 5, n))
    go("chisquare_f64_2^26", lambda: g.chisquare(3, n))
    go("poisson4_i64_2^26", lambda: g.poisson(4, n))
    go("poisson100_i64_2^26", lambda: g.poisson(100, n))
    go("binomial_i64_2^26", lambda: g.binomial(100, 0.3, n))
    go("geometric_i64_2^26", lambda: g.geometric(0.2, n))
    go("integers_i64_2^26", lambda: g.integers(0, 1000, n))
    go("integers_i32_2^26", lambda: g.integers(0, 1000, n, dtype=cp.int32))
    n7 = size(10000000)
    go("permutation_1e7", lambda: cp.random.permutation(n7))


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

    go("norm_f32_2^28", lambda: torch.linalg.vector_norm(x))
    del h, h2, back, d, h7, back7, o7, t7, m, mo, p, q, o, b
    matmul = torch.backends.cuda.matmul
    # sums of halves in float32 alone, as gpuarr's
    matmul.allow_fp16_reduced_precision_reduction = False
    matmul.allow_bf16_reduced_precision_reduction = False

    def tf32(on):
        matmul.allow_tf32 = on
    tf32(False)
    linalg_cases(go, torch, lambda n: x[:n], lambda n: y[:n], False,
                 {t: getattr(torch, t) for t in ("float64", "float32", "float16", "bfloat16")},
                 {"cast": lambda a, t: a.to(t),
                  "empty": lambda shape, t: torch.empty(shape, dtype=t, device="cuda"),
                  "eye": lambda n: torch.eye(n, dtype=torch.float64, device="cuda"),
                  "host": lambda a: a.cpu(), "tf32": tf32, "dots": ""})
    del x, y
    torch.cuda.empty_cache()

    f32 = torch.empty(N28, device="cuda")
    f64 = torch.empty(N27, dtype=torch.float64, device="cuda")
    n = size(1 << 26)
    s32, s64, i64 = f32[:n], f64[:n], torch.empty(n, dtype=torch.int64, device="cuda")
    i32 = torch.empty(n, dtype=torch.int32, device="cuda")
    go("rand_f32_2^28", lambda: f32.uniform_())
    go("rand_f64_2^27", lambda: f64.uniform_())
    go("randn_f32_2^28", lambda: f32.normal_())
    go("randn_f64_2^27", lambda: f64.normal_())
    go("exponential_f32_2^26", lambda: s32.exponential_())
    go("lognormal_f32_2^26", lambda: s32.log_normal_(0, 0.5))
    go("geometric_i64_2^26", lambda: i64.geometric_(0.2))
    go("integers_i64_2^26", lambda: i64.random_(0, 1000))
    go("integers_i32_2^26", lambda: i32.random_(0, 1000))
    shape = torch.full((n,), 2.5, device="cuda")
    go("gamma_f32_2^26", lambda: torch._standard_gamma(shape))
    del shape
    n7 = size(10000000)
    go("permutation_1e7", lambda: torch.randperm(n7, device="cuda"))



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

    go("norm_f32_1e7", lambda: np.linalg.norm(x))
    linalg_cases(go, np, lambda k: x[:k] if k <= x.size else uniform(np, k),
                 lambda k: y[:k] if k <= y.size else uniform(np, k), True,
                 {"float64": np.float64, "float32": np.float32},
                 {"cast": lambda a, t: a.astype(t), "empty": np.empty, "eye": np.eye})
    g = np.random.default_rng(1)
    d = np.empty(n)
    go("rand_f32_1e7", lambda: g.random(dtype=np.float32, out=o))
    go("rand_f64_1e7", lambda: g.random(out=d))
    go("randn_f32_1e7", lambda: g.standard_normal(dtype=np.float32, out=o))
    go("randn_f64_1e7", lambda: g.standard_normal(out=d))
    go("exponential_f32_1e7", lambda: g.standard_exponential(dtype=np.float32, out=o))
    go("gamma_f32_1e7", lambda: g.standard_gamma(2.5, dtype=np.float32, out=o))
    go("poisson4_i64_1e7", lambda: g.poisson(4, n))
    go("binomial_i64_1e7", lambda: g.binomial(100, 0.3, n))
    go("integers_i64_1e7", lambda: g.integers(0, 1000, n))
    go("permutation_1e7", lambda: g.permutation(n))


todo = [numpy_cases] if option("device", "gpu") == "cpu" else [cupy_cases, torch_cases]
for f in todo:
    try:
        f()
    except Exception as e:
        print(f"peers.py: {f.__name__}: {e}", file=sys.stderr)
