#!/usr/bin/env python3
"""The cases of bench.c in one other library, as JSON lines like bench.c's.

    peers.py cupy|pytorch|jax|numba|numpy [--cases=name,name] [--quick]

The same data, sizes and dtypes, results written into existing arrays where
bench.c does (out=) and the library can, each case as the library's own
documentation would have it fast: cupy.fuse, torch.compile, jax.jit,
numba.vectorize and cuda.jit. Queued work is timed by events without a pause for
the host (JAX: by the host's clock around many calls), calls that bring a result
to the host by its clock. Import time is not counted; first_ms is the first call
in this process, compilation included. "value" holds five elements of the
result, memory_mb what one call takes beyond what is there before it.
"""
import itertools
import json
import math
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import numpy as np

if not hasattr(np, "row_stack"):    # Numba asks for it, NumPy 2.4 has no more
    np.row_stack = np.vstack

QUICK = "--quick" in sys.argv
SAMPLES = 5 if QUICK else 50
ONLY = next((a[8:] for a in sys.argv[1:] if a.startswith("--cases=")), "")


def asked(case):    # --cases: pieces of names with commas between
    return not ONLY or any(c and c in case for c in ONLY.split(","))


SVD_CASES = ("seed000_svd_3000_f64", "seed000_svd_3000_f32", "seed000_svd_9000x1000_f32",
             "svd_reduced_9000x1000_f32")


def now():
    return time.perf_counter() * 1e3


def size(n):
    return n // 256 if QUICK and n > 65536 else n


def side(n):
    return (n + 15) // 16 if QUICK else n


def dim(n):
    return (n + 15) // 16 if QUICK and n > 64 else n


N28, N27, N26 = size(1 << 28), size(1 << 27), size(1 << 26)
K16, E8, E7, E6 = side(16384), size(100000000), size(10000000), size(1000000)


def data(n, second=False):
    """bench.c's data_at(): float32 in [0.5, 2) from the index alone."""
    out = np.empty(n, np.float32)
    step = 1 << 16

    def fill(start):
        i = np.arange(start, min(start + step, n), dtype=np.uint64)
        if second:
            i += np.uint64(1 << 40)
        i += np.uint64(0x9e3779b97f4a7c15)
        i = (i ^ i >> np.uint64(30)) * np.uint64(0xbf58476d1ce4e5b9)
        i = (i ^ i >> np.uint64(27)) * np.uint64(0x94d049bb133111eb)
        u = (i >> np.uint64(40)).astype(np.float32)
        out[start:start + step] = np.float32(0.5) + np.float32(1.5) * u / np.float32(1 << 24)
    with ThreadPoolExecutor() as pool:
        list(pool.map(fill, range(0, n, step)))
    return out


class Peer:
    """One library: its names, how it is waited for, timed and asked for memory."""

    def __init__(self, impl, device, version, sync=lambda: None, events=None, memory=None,
                 get=lambda a: a, call=lambda f, *a: lambda: f(*a)):
        self.impl, self.device, self.sync, self.events = impl, device, sync, events
        self.memory, self.get, self.call = memory, get, call
        print(json.dumps({"version": {impl: version}}), flush=True)

    def report(self, case, best, median, first, **more):
        print(json.dumps({"case": case, "impl": self.impl, "device": self.device,
                          "best_ms": round(best, 6), "median_ms": round(median, 6),
                          "first_ms": round(first, 6), "limit_ms": None, **more}), flush=True)

    def values(self, a):
        a = self.get(a)
        n = math.prod(a.shape)
        at = (0, n // 3, n // 2, n * 2 // 3, n - 1)
        return [float(f"{complex(a[np.unravel_index(i, a.shape)]).real:.9g}") for i in at]

    def go(self, case, body, pick=lambda r: r, host=False):
        """Times body(); pick: of what it returns, what bench.c shows the values
        of (None: nothing). host: it ends with its result here."""
        if not asked(case):
            return None
        try:
            t = now()
            r = body()
            self.sync()
            first = now() - t
            value = pick and pick(r)
            more = {} if value is None else {"value": self.values(value)}
            del r, value
            calls = []
            for _ in range(2):
                t = now()
                body()
                self.sync()
                calls.append(now() - t)
            once = max(calls[1], 1e-4)
            inner = 1 if once > 0.2 else int(0.2 / once) + 1
            samples = int(min(SAMPLES, 300 / (once * inner)))
            if samples < 10:
                samples = int(max(3, min(10, 700 / once)))
            if once < 0.2:
                inner *= 4
            if once > 700:              # long enough to be sure
                ms = calls
            elif self.events and not host:
                ms = self.events(samples, inner, body)
            else:
                ms = []
                for _ in range(samples):
                    t = now()
                    for _ in range(inner):
                        body()
                    self.sync()
                    ms.append((now() - t) / inner)
            ms.sort()
            if self.memory:
                more["memory_mb"] = round(self.memory(body) / 1e6, 3)
            self.report(case, ms[0], ms[len(ms) // 2], first, **more)
            return ms[len(ms) // 2]
        except Exception as e:  # out of memory, an operation that a version lacks
            text = str(e).strip().splitlines() or [""]
            print(f"peers.py: {self.impl} {case}: {type(e).__name__}: {text[0][:200]}",
                  file=sys.stderr)
            return None

    def first_result(self, f):
        t = now()
        assert float(f()) == 3000
        t = now() - t
        if asked("first_result"):
            self.report("first_result", t, t, t)


# ------------------------------------------------------ cases that several share
def linalg_cases(p, xp, one, two, dtypes, cast, empty, eye, tf32=None, host=None, dots="...",
                 cpu=False, out=True):
    """Products, decompositions, solving: the cases of linalg.h.

    one(n), two(n): flat float32 data; dtypes: the library's names of ours.
    """
    def mat(flat, *shape, t="float64"):
        return cast(flat(math.prod(shape)).reshape(*shape), dtypes[t])

    def later(case, make, **how):   # data made only for a case that is asked for
        if asked(case):
            try:
                f, *args = make()
                p.go(case, p.call(f, *args), **how)
            except Exception as e:
                print(f"peers.py: {p.impl} {case}: {e}", file=sys.stderr)

    def product(case, t, *d):
        def make():
            m, k, n = (dim(i) for i in d[-3:])
            b = [dim(d[0])] if len(d) == 4 else []
            x, y = mat(one, *b, m, k, t=t), mat(two, *b, k, n, t=t)
            if not out:
                return xp.matmul, x, y
            o = empty((*b, m, n), dtypes[t])
            return lambda: xp.matmul(x, y, out=o),
        if t in dtypes:
            later(case, make)

    def own_transpose():
        x = mat(one, dim(3000), dim(3000), t="float32")
        if not out:
            return lambda a: xp.matmul(a, a.T), x
        o = empty(x.shape, dtypes["float32"])
        return lambda: xp.matmul(x, x.T, out=o),

    def solve(n, k):
        return lambda: (xp.linalg.solve, mat(one, n, n) - 1.25, mat(two, n, k))

    def bsolve(b, n):
        return lambda: (xp.linalg.solve, mat(one, b, n, n) - 1.25, mat(two, b, n, 1))

    def positive(n):
        a = mat(one, n, n) - 1.25
        return a @ a.T / n + eye(n)

    def symmetric(n):
        a = mat(one, n, n) - 1.25
        return a + a.T

    def svd(m, n, full, t):
        def make():
            a = cast((one(dim(m) * dim(n)).reshape(dim(m), dim(n)) - 0.5) / 1.5, dtypes[t])
            return lambda a: xp.linalg.svd(a, full_matrices=full), a
        return make

    product("seed002_dot_f64_1000", "float64", 1000, 1000, 1000)
    if cpu:
        product("matmul_float32_1000", "float32", 1000, 1000, 1000)
        product("matmul_float64_2000", "float64", 2000, 2000, 2000)
        product("matmul_float32_2000", "float32", 2000, 2000, 2000)
        product("bmm_f32_1000x32", "float32", 1000, 32, 32, 32)
        later("svd_f64_500", svd(500, 500, True, "float64"), pick=lambda r: r[1])
        later("svd_f32_500", svd(500, 500, True, "float32"), pick=lambda r: r[1])
        n, small, batch = 1000, 500, (1000, 16)
    else:
        later("seed002_dot3000T_f32", own_transpose)
        for t in ("float64", "float32", "float16", "bfloat16"):
            product(f"matmul_{t}_8192", t, 8192, 8192, 8192)
        try:
            tf32(True)
            product("matmul_tf32_8192", "float32", 8192, 8192, 8192)
            tf32(False)
        except Exception as e:      # a switch that another version lacks
            print(f"peers.py: {p.impl} matmul_tf32_8192: {e}", file=sys.stderr)
        product("bmm_f32_4096x64", "float32", 4096, 64, 64, 64)
        for t in ("float32", "float64"):
            names = [f"seed004_matmulsum_{t}", f"seed004_einsum_{t}"]
            if t == "float32":
                names.append("numba_matmul_reduce")
            if not any(asked(name) for name in names):
                continue
            a, b = mat(one, dim(10000), dim(5000), t=t), mat(two, dim(5000), dim(7000), t=t)
            matmulsum = p.call(lambda a, b: (a @ b).sum(0), a, b)
            einsum = p.call(lambda a, b: xp.einsum("ij,jk->" + dots + "k", a, b), a, b)

            def ten(f):
                for _ in range(10):
                    r = host(f())
                return r
            p.go(names[0], lambda: ten(matmulsum), host=True)
            p.go(names[1], lambda: ten(einsum), host=True)
            if t == "float32":
                p.go(names[2], lambda: host(matmulsum()), host=True)
            del a, b, matmulsum, einsum
        for case, make in zip(SVD_CASES, (svd(3000, 3000, True, "float64"),
                                          svd(3000, 3000, True, "float32"),
                                          svd(9000, 1000, True, "float32"),
                                          svd(9000, 1000, False, "float32"))):
            later(case, make, pick=lambda r: r[1])
        n, small, batch = 4096, 4096, (4096, 32)
    k, m = dim(n), dim(small)
    later(f"solve_f64_{n}", solve(k, dim(16)))
    later(f"inv_f64_{n}", lambda: (xp.linalg.inv, mat(one, k, k) - 1.25))
    later(f"cholesky_f64_{n}", lambda: (xp.linalg.cholesky, positive(k)))
    later(f"qr_f64_{n}", lambda: (xp.linalg.qr, mat(one, k, k) - 1.25), pick=lambda r: r[0])
    later(f"eigh_f64_{small}", lambda: (xp.linalg.eigh, symmetric(m)), pick=lambda r: r[0])
    later(f"det_f64_{n}", lambda: (xp.linalg.det, (mat(one, k, k) - 1.25)
                                   * (math.e / 0.1875 / k) ** 0.5))
    later("bsolve_f64_%dx%d" % batch, bsolve(dim(batch[0]), dim(batch[1])))


def sparse_cases(p, xp, sp, la, x, square, square_name, tenth, tenth_name):
    """sparse.h's, by SciPy's modules or CuPy's of their names."""
    n, cupy = square * square, p.impl == "cupy"
    for short, t in (("f64", "float64"), ("f32", "float32")):
        spmv, cg = (f"{c}_laplacian_{short}_{square_name}" for c in ("spmv", "cg20"))
        if not asked(spmv) and not asked(cg):
            continue
        edge = -(xp.arange(1, n) % square != 0).astype(t)
        one = xp.full(n - square, -1, t)
        a = sp.diags([one, edge, xp.full(n, 4, t), edge, one],
                     [-square, -1, 0, 1, square], format="csr")
        v = x[:n].astype(t)
        if cupy or t == "float64":
            p.go(spmv, lambda: a @ v)
        if cupy and t == "float64":
            p.go(cg, lambda: la.cg(a, v, tol=0, maxiter=20)[0], pick=None)
    case, k = "spmv_twelve_f64_1e6", 1000000
    if asked(case):
        i = np.random.default_rng(1).integers(0, k, (2, 12 * k))
        a = sp.coo_matrix((xp.ones(12 * k), (xp.asarray(i[0]), xp.asarray(i[1]))),
                          shape=(k, k)).tocsr()
        v = x[:k].astype("float64")
        p.go(case, lambda: a @ v, pick=None)
    names = [f"spmv_tenth_f32_{tenth_name}", f"spmv_tenth_transposed_f32_{tenth_name}",
             "seed004_lcurve", f"lsmr_tenth_f32_{tenth_name}"]
    if not any(map(asked, names)):
        return
    a, v = sp.random(tenth, tenth, 0.1, format="csr", dtype=np.float32), x[:tenth]
    p.go(names[0], lambda: a @ v, pick=None)
    if cupy:
        p.go(names[1], lambda: a.T @ v, pick=None)
        p.go(names[3], lambda: la.lsmr(a, v, damp=1)[0], pick=None, host=True)
        p.go(names[2], lambda: [la.lsmr(a, v, damp=d)[0]
                                for d in np.geomspace(0.1, 5000, 10)], pick=None, host=True)


def scaling_cases(p, xp, rand, svd, out=True, last=9):
    """scaling.h's: time against size, up to half a second a call."""
    def add(x, y):
        o = xp.empty_like(x)
        return lambda: xp.add(x, y, out=o)

    def matmul(x, y):
        o = xp.empty_like(x)
        return lambda: xp.matmul(x, y, out=o)

    series = (("add", False, 10, lambda s: add(rand(s), rand(s)) if out
               else p.call(xp.add, rand(s), rand(s))),
              ("sum", False, 10, lambda s: p.call(xp.sum, rand(s))),
              ("matmul", True, 31.6, lambda s: matmul(rand(s), rand(s)) if out
               else p.call(xp.matmul, rand(s), rand(s))),
              ("svd", True, 31.6, lambda s: p.call(svd, rand(s))))
    memory, p.memory = p.memory, None
    for name, square, growth, make in series:
        for k in range(3, (4 if QUICK else last) + 1):
            case = f"scaling_{name}_1e{k}"
            if not asked(case):
                continue
            n = int((10.0 ** k) ** 0.5 + 0.5) if square else 10 ** k
            try:
                ms = p.go(case, make((n, n) if square else (n,)), pick=None)
            except Exception as e:
                print(f"peers.py: {p.impl} {case}: {e}", file=sys.stderr)
                break
            if ms is None or ms * growth > 500:
                break
    p.memory = memory


def places(n, groups=0):
    """indexing.h's index arrays."""
    side = int(n ** .5)
    a, b = (np.minimum(((data(n, k) - np.float32(.5)) * np.float32(side / 1.5)).astype(
        np.int64), side - 1) for k in (False, True))
    return (a * side + b) % groups if groups else a * side + b


def indexing_cases(p, n, size, send, take, add, fast, groups):
    """indexing.h's; take, add and fast write into their first argument, groups
    gives the sums of a thousand."""
    x, at = send(data(n)), send(places(n))
    o = x * 0

    def assign():
        o[at] = x
    p.go(f"take_f32_{size}", lambda: take(o, x, at), pick=None)
    p.go(f"index_assign_f32_{size}", assign, pick=None)
    if add:
        p.go(f"scatter_add_f32_{size}", lambda: add(o, at, x), pick=None)
    if fast:
        p.go(f"scatter_add_fast_f32_{size}", lambda: fast(o, at, x), pick=None)
    if groups:
        g = send(places(n, 1000))
        p.go(f"segment_sum_f32_{size}", lambda: groups(g, x), pick=None)


def mask_cases(p, x, where, nonzero, size):
    """masks.h's; where: NumPy's, nonzero gives the places along the one axis."""
    m = x < 1.25
    z, o = where(m, x, x * 0), x + 0

    def assign():
        o[m] = 1.5
        return o
    p.go(f"mask_f32_{size}", lambda: x[m], host=True)
    p.go(f"nonzero_bool_{size}", lambda: nonzero(m), host=True)
    p.go(f"nonzero_f32_{size}", lambda: nonzero(z), host=True)
    p.go(f"mask_assign_f32_{size}", assign)
    total = (lambda: x.sum(where=m)) if p.impl == "numpy" else lambda: where(m, x, 0).sum()
    p.go(f"sum_where_f32_{size}", total)
    p.go(f"mean_where_f32_{size}", (lambda: x.mean(where=m)) if p.impl == "numpy"
         else lambda: total() / m.sum())


def text_cases(p):
    """exchange.h's."""
    path = "/dev/shm/peers-bench.txt" if os.path.isdir("/dev/shm") else "/tmp/peers-bench.txt"
    x = (data(10**6).astype("f8") / 3).reshape(-1, 8)
    if not any(asked(c) for c in ("savetxt_f64_1e6", "loadtxt_f64_1e6")):
        return
    np.savetxt(path, x, "%.17g")
    p.go("savetxt_f64_1e6", lambda: np.savetxt(path, x, "%.17g"), pick=None)
    p.go("loadtxt_f64_1e6", lambda: np.loadtxt(path), pick=None)
    os.remove(path)


def joining_cases(p, m, np, size, repeat):
    """joining.h's, and sorting.h's sums: m is square, np NumPy's vocabulary,
    repeat its repeat."""
    n = m.shape[0]
    c = n // 2 - 1
    rows, columns, quarter = m[:n // 4], m[:, :n // 4] + 0, m[:n // 4, :n // 4] + 0
    p.go(f"concatenate_rows_f32_{size}", lambda: np.concatenate([m[c:], m[:c]], 0))
    p.go(f"concatenate_columns_f32_{size}", lambda: np.concatenate([m[:, c:], m[:, :c]], 1))
    p.go(f"roll_f32_{size}", lambda: np.roll(m, 12345))
    p.go(f"roll_columns_f32_{size}", lambda: np.roll(m, 1, 1))
    p.go(f"tril_f32_{size}", lambda: np.tril(m))
    if hasattr(np, "pad"):
        p.go(f"pad_f32_{size}", lambda: np.pad(m, 2))
        p.go(f"pad_reflect_f32_{size}", lambda: np.pad(m, 2, "reflect"))
    else:
        pad = np.nn.functional.pad
        p.go(f"pad_f32_{size}", lambda: pad(m, (2, 2, 2, 2)))
        p.go(f"pad_reflect_f32_{size}", lambda: pad(m[None], (2, 2, 2, 2), "reflect")[0])
    p.go(f"tile_f32_{size}", lambda: np.tile(quarter, (4, 4)))
    p.go(f"repeat_rows_f32_{size}", lambda: repeat(rows, 4, 0))
    p.go(f"repeat_each_f32_{size}", lambda: repeat(columns, 4, 1))
    p.go(f"cumsum_flat_f32_{size}", lambda: np.cumsum(m.reshape(-1), 0))
    p.go(f"cumsum_columns_f32_{size}", lambda: np.cumsum(m, 0))
    p.go(f"cumsum_rows_f32_{size}", lambda: np.cumsum(m, 1))


def sort_cases(p, m, x, rows, size, rows_name):
    """sorting.h's, by the functions of m: NumPy's names, or PyTorch's."""
    torch = p.impl == "pytorch"
    rows = min(rows, len(x) // 1000)
    r = x[:rows * 1000].reshape(rows, 1000)
    i = (x - 0.5) * ((1 << 24) / 1.5)
    i = i.int() if torch else i.astype(np.int32)
    table = m.sort(x[:len(x) // 64])
    table = table[0] if torch else table
    p.go(f"sort_f32_{size}", lambda: m.sort(x)[0] if torch else m.sort(x))
    p.go(f"argsort_f32_{size}", lambda: m.argsort(x))
    p.go(f"sort_rows_f32_{rows_name}", lambda: m.sort(r)[0] if torch else m.sort(r))
    p.go(f"argsort_rows_f32_{rows_name}", lambda: m.argsort(r))
    if torch:
        p.go(f"topk100_f32_{size}", lambda: m.topk(x, 100)[0])
    else:
        p.go(f"topk100_f32_{size}",
             lambda: m.sort(m.partition(x, len(x) - 100)[len(x) - 100:])[::-1])
    p.go(f"unique_i32_{size}", lambda: m.unique(i), host=True)
    p.go(f"searchsorted_f32_{size}", lambda: m.searchsorted(table, x))
    p.go(f"isin_f32_{size}", lambda: m.isin(x, table))


def statistics_cases(p, m, x, rows, size, rows_name, normal):
    """statistics.h's; normal makes a matrix of such numbers."""
    torch = p.impl == "pytorch"
    rows = min(rows, len(x) // 1000)
    r = x[:rows * 1000].reshape(rows, 1000)
    same, wide, across = x * 0 + 1.5, x.double() if torch else x.astype("f8"), r.reshape(1000, rows)
    q = [.05, .25, .5, .75, .95]
    axis = "dim" if torch else "axis"

    def median(v, **how):           # of an even number PyTorch's is the lower one
        got = m.median(v, **how)
        return got[0] if torch and how else got
    p.go(f"median_f32_{size}", lambda: median(x))
    p.go(f"median_same_f32_{size}", lambda: median(same))
    p.go(f"median_f64_{size}", lambda: median(wide))
    if not torch:                   # its quantile takes 16 million elements
        p.go(f"percentile_f32_{size}", lambda: m.percentile(x, 90))
        p.go(f"quantiles5_f32_{size}", lambda: m.quantile(x, m.asarray(q)), pick=None)
    p.go(f"median_rows_f32_{rows_name}", lambda: median(r, **{axis: 1}))
    p.go(f"median_columns_f32_{rows_name}", lambda: median(across, **{axis: 0}))
    p.go(f"median_long_columns_f32_{rows_name}", lambda: median(r, **{axis: 0}))
    if p.impl == "numpy":
        from scipy import stats
        p.go(f"zscore_rows_f32_{rows_name}", lambda: stats.zscore(r, 1))
        c = normal(200, 50000)
        p.go("cov_f64_200x50000", lambda: m.cov(c), pick=None)
        return
    p.go(f"zscore_rows_f32_{rows_name}",
         lambda: (r - r.mean(1)[:, None]) / (r.std(1, correction=0) if torch
                                             else r.std(1))[:, None])
    if not any(asked(f"cov_f{bits}_1000x1e6") for bits in (32, 64)):
        return
    c = normal(1000, 1000000)
    p.go("cov_f32_1000x1e6", lambda: m.cov(c) if torch else m.cov(c, dtype="f4"), pick=None)
    p.go("cov_f64_1000x1e6", lambda: m.cov(c.double() if torch else c), pick=None)
def histogram_cases(p, m, x, size, small, small_size):
    """histograms.h's, by the functions of m: NumPy's names, or PyTorch's."""
    torch = p.impl == "pytorch"
    cast = (lambda a, t: a.to(getattr(m, t))) if torch else lambda a, t: a.astype(t)
    few = (lambda a, n: m.histc(a, n, 0.5, 2)) if torch else (
        lambda a, n: m.histogram(a, n, (0.5, 2))[0])
    constant = m.full_like(x, 0.75)
    edges = m.sqrt(m.linspace(0.25, 4, 257))
    edges = cast(edges.cuda() if torch else edges, "float32")
    p.go(f"histogram_f32_{size}", lambda: few(x, 256))
    p.go(f"histogram_constant_f32_{size}", lambda: few(constant, 256))
    p.go(f"histogram_1e5_f32_{size}", lambda: few(x, 100000))
    del constant
    if torch:
        p.go(f"histogram_range_f32_{size}", lambda: m.histc(x, 256))
    else:
        p.go(f"histogram_range_f32_{size}", lambda: m.histogram(x, 256)[0])
        p.go(f"histogram_edges_f32_{size}", lambda: m.histogram(x, edges)[0])
        p.go(f"histogram_weights_f32_{size}",
             lambda: m.histogram(x, 256, (0.5, 2), weights=x)[0])
    b = cast((x - 0.5) * (256 / 1.5), "uint8")
    p.go(f"bincount_u8_{size}", lambda: m.bincount(b), host=True)
    b = cast((x - 0.5) * (1000 / 1.5), "int32")
    p.go(f"bincount_i32_{size}", lambda: m.bincount(b), host=True)
    del b
    taps = small[:64] + 0
    p.go(f"digitize_f32_{small_size}", (lambda: m.bucketize(small, edges, right=True)) if torch
         else lambda: m.digitize(small, edges))
    if torch:
        p.go(f"convolve64_f32_{small_size}", lambda: m.nn.functional.conv1d(
            small[None, None], taps.flip(0)[None, None], padding="same")[0, 0])
        return
    p.go(f"convolve64_f32_{small_size}", lambda: m.convolve(small, taps, "same"))
    points = m.linspace(0.5, 2, 1000)
    heights = points * points
    p.go(f"interp_f32_{small_size}", lambda: m.interp(small, points, heights))
def soft_cases(p, x, softmax, log_softmax, logsumexp, types, sizes, axis0):
    """softmax.h's rows: of the first elements of x."""
    f16, f32, f64 = types
    for case, f, t, rows, cols, axis in (
            *((f"softmax_f32_{r}", softmax, f32, n, m, 1) for r, n, m in sizes),
            (f"softmax_axis0_f32_1000x{axis0}", softmax, f32, 1000, axis0, 0),
            ("softmax_f16_65536x1024", softmax, f16, 65536, 1024, 1),
            ("softmax_f64_65536x1024", softmax, f64, 65536, 1024, 1),
            ("softmax_f64_10000x1000", softmax, f64, 10000, 1000, 1),
            ("log_softmax_f32_65536x1024", log_softmax, f32, 65536, 1024, 1),
            ("logsumexp_f32_65536x1024", logsumexp, f32, 65536, 1024, 1),
            ("logsumexp_f32_64x1e6", logsumexp, f32, 64, 1000000, 1),
            ("logsumexp_f32_10000x1000", logsumexp, f32, 10000, 1000, 1)):
        if rows * cols > len(x) or not asked(case):
            continue
        v = x[:rows * cols].reshape(rows, cols)
        if t is not f32:
            v = v.to(t) if p.impl == "pytorch" else v.astype(t)
        p.go(case, lambda: f(v, axis))


def agree_cases(p, m, x, size):
    """softmax.h's comparisons, by the functions of m."""
    y = x.clone() if p.impl == "pytorch" else x.copy()
    equal = m.equal if p.impl == "pytorch" else m.array_equal
    p.go(f"allclose_f32_{size}", lambda: m.allclose(x, y), pick=None)
    p.go(f"array_equal_f32_{size}", lambda: equal(x, y), pick=None)
    p.go(f"isclose_f32_{size}", lambda: m.isclose(x, y))


def matrix_cases(p, m, x, y, rows, size, n, count, points, points_name, square):
    """matrices.h's, by the functions of m; distances, matrices and matrix functions
    by SciPy's names where they are, or PyTorch's."""
    torch = p.impl == "pytorch"
    a, b = x[:rows * 128].reshape(rows, 128), y[:rows * 128].reshape(rows, 128)
    u, v = (z[:1000 * 1024].reshape(1000, 1024) for z in (x, y))
    if torch:
        pdist = m.nn.functional.pdist
        p.go(f"cdist_f32_{size}", lambda: m.cdist(a, b))
        p.go(f"cdist_cityblock_f32_{size}", lambda: m.cdist(a, b, p=1))
        p.go(f"pdist_f32_{size}", lambda: pdist(a))
        p.go("cdist_f32_1000x1024", lambda: m.cdist(u, v))
        p.go(f"kaiser_f64_{points_name}", lambda: m.kaiser_window(
            points, beta=14., periodic=False, dtype=m.float64, device=x.device))
        return
    c = m.arange(1, 9, dtype=m.float32)
    p.go(f"polyval8_f32_{count}", lambda: m.polyval(c, x[:n]))
    p.go(f"kaiser_f64_{points_name}", lambda: m.kaiser(points, 14))
    if m is not np:
        import cupyx.scipy.linalg as linalg
        p.go(f"toeplitz_f32_{square}", lambda: linalg.toeplitz(x[:square]))
        return
    try:
        import scipy.linalg as linalg
        import scipy.spatial.distance as distance
    except ImportError:
        return
    p.go(f"cdist_f32_{size}", lambda: distance.cdist(a, b))
    p.go(f"cdist_cityblock_f32_{size}", lambda: distance.cdist(a, b, "cityblock"))
    p.go(f"pdist_f32_{size}", lambda: distance.pdist(a))
    p.go("cdist_f32_1000x1024", lambda: distance.cdist(u, v))
    p.go(f"toeplitz_f32_{square}", lambda: linalg.toeplitz(x[:square]))
    e = x[:40000].reshape(200, 200).astype(np.float64) + 200 * np.eye(200)
    p.go("sqrtm_f64_200", lambda: linalg.sqrtm(e))
    p.go("logm_f64_200", lambda: linalg.logm(e))
def fft_cases(p, m, make, gpu):
    """fft.h's; m: NumPy, CuPy or PyTorch, make: an array of the host, there."""
    c64, c128 = np.complex64, np.complex128
    cases = [("fft_c64_2^24", (1 << 24,), c64), ("fft_c64_1000x4096", (1000, 4096), c64),
             ("fft_c64_65536x1024", (65536, 1024), c64),
             ("fft_c64_1024x65536_axis0", (1024, 65536), c64),
             ("fft_c64_1000x65536_axis0", (1000, 65536), c64),
             ("fft_c128_65536x1024", (65536, 1024), c128),
             ("fft_c64_1000x1021", (1000, 1021), c64),
             ("rfft_f32_2^26", (1 << 26,), np.float32),
             ("rfft_f32_65536x1024", (65536, 1024), np.float32),
             ("fft2_c64_2000x2000", (2000, 2000), c64),
             ("fft2_c64_8192x8192", (8192, 8192), c64)] if gpu else [
             ("fft_c64_1024", (1024,), c64), ("fft_c128_2^20", (1 << 20,), c128),
             ("fft_c64_2^22", (1 << 22,), c64), ("fft_c64_1000x1024", (1000, 1024), c64),
             ("fft_c128_1000x243", (1000, 243), c128), ("fft_c128_999983", (999983,), c128),
             ("rfft_f32_2^20", (1 << 20,), np.float32),
             ("fft_c64_1024x1000_axis0", (1024, 1000), c64)]
    for name, shape, t in cases:
        x = make(data(math.prod(shape)).reshape(shape).astype(t))
        axis = 0 if name.endswith("axis0") else -1
        if name.startswith("fft2"):
            p.go(name, lambda: m.fft2(x))
        elif name.startswith("rfft"):
            p.go(name, lambda: m.rfft(x))
        else:
            p.go(name, lambda: m.fft(x, None, axis))
    if gpu and ONLY:
        fft_classes(p, m, make)


def fft_classes(p, m, make):
    for kind, way, k, n in itertools.product(
            ("c2c", "r2c", "c2r"), ("last", "first", "middle"), range(3),
            (64, 100, 240, 1000, 1009, 1024, 2000, 4096, 16384, 65537, 1 << 20)):
        t = (("float16" if k == 0 else "complex64" if k == 1 else "complex128") if kind != "r2c"
             else ("float16", "float32", "float64")[k])
        case = f"fft_class_{kind}_{t}_{way}_{n}"
        rows = max((64 << 20) // np.dtype(t).itemsize // n, 1)
        if not asked(case) or (kind == "c2r" and k == 0) or (way == "middle" and rows < 4):
            continue
        outer = 2 if rows < 64 else 8
        shape = {"last": (rows, n), "first": (n, rows),
                 "middle": (outer, n, rows // outer)}[way]
        axis = {"last": -1, "first": 0, "middle": 1}[way]
        real = {"complex64": np.float32, "complex128": np.float64}.get(t, t)
        x = make(data(math.prod(shape)).reshape(shape).astype(real if kind == "c2r" else t))
        try:
            if kind == "c2r":
                x = m.rfft(x, None, axis)
                p.go(case, lambda: m.irfft(x, n, axis))
            elif kind == "r2c":
                p.go(case, lambda: m.rfft(x, None, axis))
            else:
                p.go(case, lambda: m.fft(x, None, axis))
        except (RuntimeError, TypeError, ValueError) as e:      # halves of odd lengths
            print(f"peers.py: {p.impl} {case}: {e}", file=sys.stderr)


def polynomial(x):                  # 20 operations
    v = 0.1
    for k in range(2, 12):
        v = v * x + k / 10
    return v


def step_by_slices(u):
    """The Laplacian of u, an array with a border, and u a step later."""
    c = u[1:-1, 1:-1]
    lapl = 4 * c - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]
    return lapl, c - 0.25 * lapl


def grid(n):
    return (np.arange(n) + 0.5) * (math.pi / n)


integral = 0.0


def add_rows(rows, n):
    global integral
    integral = float(rows.sum()) * (math.pi / n) ** 2
    return rows


# --------------------------------------------------------------------- CuPy
def cupy_cases():
    import cupy as cp
    device = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    pool = cp.get_default_memory_pool()

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

    def memory(body):
        pool.free_all_blocks()
        before = pool.total_bytes()
        r = body()
        sync()
        return pool.total_bytes() - before

    p = Peer("cupy", device, cp.__version__, sync, events, memory)
    p.first_result(lambda: (cp.full(1000, 1, cp.float32) + 2).sum())
    go = p.go

    h28 = data(N28), data(N28, True)
    x, y = cp.asarray(h28[0]), cp.asarray(h28[1])
    o, b = cp.empty_like(x), cp.empty(x.shape, bool)
    go("add_f32_2^28", lambda: cp.add(x, y, out=o))
    go("multiply_f32_2^28", lambda: cp.multiply(x, y, out=o))
    go("exp_f32_2^28", lambda: cp.exp(x, out=o))
    go("sqrt_f32_2^28", lambda: cp.sqrt(x, out=o))
    go("less_f32_2^28", lambda: cp.less(x, y, out=b))
    o64 = cp.empty(N28, cp.float64)
    go("cast_f32_f64_2^28", lambda: cp.copyto(o64, x), pick=lambda r: o64)
    go("copy_f32_2^28", lambda: cp.copyto(o, x), pick=lambda r: o)
    go("fill_f32_2^28", lambda: o.fill(1.5), pick=lambda r: o)

    def sincos(out, tmp, v):
        cp.cos(v, out=out)
        cp.square(out, out=out)
        cp.sin(v, out=tmp)
        cp.square(tmp, out=tmp)
        return cp.add(out, tmp, out=out)
    tmp = cp.empty_like(o)
    go("sin2cos2_f32_2^28", lambda: sincos(o, tmp, x))
    del o64, tmp

    def fuse(f):                # the kernel's name: a lambda's own is not C
        return cp.fuse(kernel_name="fused")(f)
    fused = fuse(lambda v: cp.cos(v) ** 2 + cp.sin(v) ** 2)
    axpy = fuse(lambda u, v: 2.5 * u + v)
    poly = fuse(polynomial)
    squares = fuse(lambda u, v: (u - v) ** 2)     # its own sum: 200 times slower
    selu = fuse(lambda v: 1.05 * cp.where(v > 0, v, 1.67 * cp.exp(v) - 1.67))
    plus = fuse(lambda u, v: u + v)
    go("sin2cos2_fused_f32_2^28", lambda: fused(x))
    go("axpy_fused_f32_2^28", lambda: axpy(x, y))
    go("poly20_fused_f32_2^28", lambda: poly(x))
    go("sumsq_fused_f32_2^28", lambda: cp.sum(squares(x, y)))

    for name, t, n in (("f64_2^27", cp.float64, N27), ("f16_2^28", cp.float16, N28)):
        u, v = x[:n].astype(t), y[:n].astype(t)
        w, bb = cp.empty_like(u), cp.empty(n, bool)
        go("add_" + name, lambda: cp.add(u, v, out=w))
        go("multiply_" + name, lambda: cp.multiply(u, v, out=w))
        go("exp_" + name, lambda: cp.exp(u, out=w))
        go("sqrt_" + name, lambda: cp.sqrt(u, out=w))
        go("less_" + name, lambda: cp.less(u, v, out=bb))
        go("copy_" + name, lambda: cp.copyto(w, u), pick=lambda r: w)
    del u, v, w, bb
    m, mo = x[:K16 * K16].reshape(K16, K16), o[:K16 * K16].reshape(K16, K16)
    row, col = y[:K16], y[:K16].reshape(-1, 1)
    go("bcast_add_row_f32_16k", lambda: cp.add(m, row, out=mo))
    go("bcast_add_col_f32_16k", lambda: cp.add(m, col, out=mo))
    n8 = side(8192)
    s, q = (a[:n8 * n8].reshape(n8, n8)[::2, ::2] for a in (x, y))
    so = cp.empty(s.shape, cp.float32)
    go("strided_add_f32_8k", lambda: cp.add(s, q, out=so))
    go("transpose_copy_f32_16k", lambda: cp.copyto(mo, m.T), pick=lambda r: mo)
    for name, f in (("sum", cp.sum), ("max", cp.max), ("mean", cp.mean), ("argmax", cp.argmax),
                    ("var", cp.var)):
        go(name + "_f32_2^28", lambda: f(m))
        go(name + "_axis0_f32_16k", lambda: f(m, axis=0))
        go(name + "_axis1_f32_16k", lambda: f(m, axis=1))
    thin = x[:side(1000000) * side(16)].reshape(-1, side(16))
    go("sum_axis0_f32_1e6x16", lambda: cp.sum(thin, axis=0))
    go("sum_axis1_f32_1e6x16", lambda: cp.sum(thin, axis=1))
    a1, b1, o1 = x[:1024].copy(), y[:1024].copy(), cp.empty(1024, cp.float32)
    go("small_add_1k", lambda: cp.add(a1, b1, out=o1))
    x64, y64 = (x[:4096].reshape(64, 64) - 1.25) * 0.1, y[:4096].reshape(64, 64) - 0.5

    def small_round():
        t = cp.tanh(x64 @ y64 + x64)
        return t / t.sum(1, keepdims=True)
    go("small_round_64", small_round)
    go("small_add_alloc_1k", lambda: a1 + b1)
    go("eval_small_1k", lambda: plus(a1, b1))
    go("small_sum_1k_sync", lambda: np.float32(a1.sum().item()), host=True)

    h, h2 = h28[0][:E8], h28[1][:E8]
    back, d = np.empty(E8, np.float32), x[:E8]
    go("h2d_pageable_400MB", lambda: cp.asarray(h), host=True)
    go("d2h_pageable_400MB", lambda: d.get(out=back), host=True)
    go("seed003_vecadd_host_1e8", lambda: (cp.asarray(h) + cp.asarray(h2)).get(out=back),
       host=True)
    h7, back7, x7 = h[:E7], back[:E7], x[:E7]
    go("seed002_vectorize_1e7_host", lambda: fused(cp.asarray(h7)).get(out=back7), host=True)
    go("seed002_vectorize_1e7_device", lambda: fused(x7))
    x6 = x[:E6] - cp.float32(1.25)
    go("seed002_selu_1e6_eager",
       lambda: 1.05 * cp.where(x6 > 0, x6, 1.67 * cp.exp(x6) - 1.67))
    go("seed002_selu_1e6_jit", lambda: selu(x6))
    vectors, matrix = x[:1000].reshape(10, 100), y[:15000].reshape(150, 100).T
    vo = cp.empty((10, 150), cp.float32)
    go("seed002_vmap_jit", lambda: cp.matmul(vectors, matrix, out=vo))

    n = size(102400)
    gx = cp.asarray(grid(n))
    rows = fuse(lambda u, v: cp.sum(cp.sin(u + v), axis=1))
    go("seed003_integration2d", lambda: add_rows(cp.asnumpy(rows(gx[:, None], gx[None, :])), n),
       host=True)
    del gx

    n = dim(2000)
    start = x[:n * n].reshape(n, n)
    pair, lapl = [cp.zeros((n + 2, n + 2), cp.float32) for _ in range(2)], cp.empty_like(start)
    new = cp.ElementwiseKernel(
        "T c, T n, T s, T w, T e", "T l, T v", "l = 4*c - n - s - w - e; v = c - T(0.25)*l")

    def step(u, v):
        new(u[1:-1, 1:-1], u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:], lapl,
            v[1:-1, 1:-1])

    def steps(times):
        for _ in range(times // 2):
            step(pair[0], pair[1])
            step(pair[1], pair[0])

    def twenty(r):
        pair[0][1:-1, 1:-1] = start
        steps(20)
        return pair[0][1:-1, 1:-1]
    pair[0][1:-1, 1:-1] = start
    go("seed004_diffusion_1000it", lambda: steps(1000), pick=twenty)

    go("norm_f32_2^28", lambda: cp.linalg.norm(x))
    del h, h2, back, d, h7, back7, m, mo, s, q, o, b, h28

    def tf32(on):               # CuPy's own switch, as CUPY_TF32=1 sets it
        from cupy._core import _routines_linalg as r
        r.set_compute_type(cp.float32, r.COMPUTE_TYPE_TF32 if on else r.COMPUTE_TYPE_DEFAULT)
    linalg_cases(p, cp, lambda n: x[:n], lambda n: y[:n],
                 {t: getattr(cp, t) for t in ("float64", "float32", "float16")},
                 lambda a, t: a.astype(t), cp.empty, cp.eye, tf32, cp.asnumpy)
    del x, y
    pool.free_all_blocks()

    # Without out=: with it CuPy draws into a new array all the same, and copies.
    g = cp.random.default_rng(1)
    for case, draw in (
            ("rand_f32_2^28", lambda: g.random(N28, dtype=cp.float32)),
            ("rand_f64_2^27", lambda: g.random(N27)),
            ("randn_f32_2^28", lambda: g.standard_normal(N28, dtype=cp.float32)),
            ("randn_f64_2^27", lambda: g.standard_normal(N27)),
            ("exponential_f32_2^26", lambda: g.standard_exponential(N26, dtype=cp.float32)),
            ("lognormal_f32_2^26", lambda: cp.random.lognormal(0, 0.5, N26, dtype=cp.float32)),
            ("gamma_f32_2^26", lambda: g.standard_gamma(2.5, N26, dtype=cp.float32)),
            ("beta_f64_2^26", lambda: g.beta(2, 5, N26)),
            ("chisquare_f64_2^26", lambda: g.chisquare(3, N26)),
            ("poisson4_i64_2^26", lambda: g.poisson(4, N26)),
            ("poisson100_i64_2^26", lambda: g.poisson(100, N26)),
            ("binomial_i64_2^26", lambda: g.binomial(100, 0.3, N26)),
            ("geometric_i64_2^26", lambda: g.geometric(0.2, N26)),
            ("integers_i64_2^26", lambda: g.integers(0, 1000, N26)),
            ("integers_i32_2^26", lambda: g.integers(0, 1000, N26, dtype=cp.int32)),
            ("permutation_1e7", lambda: cp.random.permutation(E7))):
        go(case, draw, pick=None)
    pool.free_all_blocks()
    mask_cases(p, cp.asarray(data(N26)), cp.where, lambda a: cp.nonzero(a)[0], "2^26")
    sort_cases(p, cp, cp.asarray(data(N26)), 65536, "2^26", "65536x1000")
    statistics_cases(p, cp, cp.asarray(data(N26)), 65536, "2^26", "65536x1000",
                     lambda *s: cp.random.standard_normal(s, dtype="f4"))
    histogram_cases(p, cp, cp.asarray(data(N28)), "2^28", cp.asarray(data(N26)), "2^26")
    x = cp.asarray(data(N28))
    from cupyx.scipy import special
    soft_cases(p, x, special.softmax, special.log_softmax,
               lambda v, axis: special.logsumexp(v, axis),
               (cp.float16, cp.float32, cp.float64),
               (("65536x1024", 65536, 1024), ("64x1e6", 64, 1000000), ("1e7x8", 10000000, 8),
                ("1e6x100", 1000000, 100), ("65536x1001", 65536, 1001)), 262144)
    agree_cases(p, cp, x, "2^28")
    del x
    pool.free_all_blocks()
    fft_cases(p, cp.fft, cp.asarray, True)
    joining_cases(p, cp.asarray(data(K16 * K16)).reshape(K16, K16), cp, "16k", cp.repeat)
    matrix_cases(p, cp, cp.asarray(data(N28)), cp.asarray(data(N26, True)), 4096, "4096x128", N28,
                 "2^28", 10**7, "1e7", 8192)
    pool.free_all_blocks()
    indexing_cases(p, N26, "2^26", cp.asarray, lambda o, x, i: cp.take(x, i, out=o), None,
                   lambda o, i, x: cp.add.at(o, i, x),
                   lambda i, x: cp.bincount(i, x, 1000))
    pool.free_all_blocks()
    from cupyx.scipy import sparse
    import cupyx.scipy.sparse.linalg
    sparse_cases(p, cp, sparse, sparse.linalg, cp.asarray(data(3163 * 3163)), 3163, "1e7",
                 15000, "15k")
    scaling_cases(p, cp, lambda s: g.random(s, dtype=cp.float32), cp.linalg.svd)


# ------------------------------------------------------------------ PyTorch
def pytorch_cases():
    import torch
    if not torch.cuda.is_available():
        return
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

    def memory(body):
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        r = body()
        sync()
        return torch.cuda.max_memory_allocated() - before

    p = Peer("pytorch", torch.cuda.get_device_name(0), torch.__version__, sync, events, memory)
    p.first_result(lambda: (torch.full((1000,), 1.0, device="cuda") + 2).sum())
    go = p.go

    def compiled(f):
        return torch.compile(f, dynamic=False)

    h28 = [torch.from_numpy(data(N28, second)) for second in (False, True)]
    x, y = h28[0].cuda(), h28[1].cuda()
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
        return torch.add(out, tmp, out=out)
    tmp = torch.empty_like(o)
    go("sin2cos2_f32_2^28", lambda: sincos(o, tmp, x))
    del o64, tmp

    def one(v):
        return torch.cos(v) ** 2 + torch.sin(v) ** 2

    def selu(v):
        return 1.05 * torch.where(v > 0, v, 1.67 * torch.exp(v) - 1.67)
    fused, axpy = compiled(one), compiled(lambda u, v: 2.5 * u + v)
    poly, sumsq = compiled(polynomial), compiled(lambda u, v: ((u - v) ** 2).sum())
    plus = compiled(lambda u, v: u + v)
    go("sin2cos2_fused_f32_2^28", lambda: fused(x))
    go("axpy_fused_f32_2^28", lambda: axpy(x, y))
    go("poly20_fused_f32_2^28", lambda: poly(x))
    go("sumsq_fused_f32_2^28", lambda: sumsq(x, y))
    n26 = x[:N28 // 4]

    def meansq(v):
        return (v ** 2).mean()
    slope = compiled(torch.func.grad(meansq))
    value_slope = compiled(torch.func.grad_and_value(meansq))
    go("meansq_grad_f32_2^26", lambda: slope(n26))
    go("meansq_value_grad_f32_2^26", lambda: value_slope(n26), pick=lambda r: r[0])

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
    s, q = (a[:n8 * n8].view(n8, n8)[::2, ::2] for a in (x, y))
    so = torch.empty(s.shape, device="cuda")
    go("strided_add_f32_8k", lambda: torch.add(s, q, out=so))
    go("transpose_copy_f32_16k", lambda: mo.copy_(m.T))

    def var(a, **k):
        return torch.var(a, correction=0, **k)
    for name, f in (("sum", torch.sum), ("max", torch.amax), ("mean", torch.mean),
                    ("argmax", torch.argmax), ("var", var)):
        go(name + "_f32_2^28", lambda: f(m))
        go(name + "_axis0_f32_16k", lambda: f(m, dim=0))
        go(name + "_axis1_f32_16k", lambda: f(m, dim=1))
    thin = x[:side(1000000) * side(16)].view(-1, side(16))
    go("sum_axis0_f32_1e6x16", lambda: torch.sum(thin, dim=0))
    go("sum_axis1_f32_1e6x16", lambda: torch.sum(thin, dim=1))
    a1, b1, o1 = x[:1024].clone(), y[:1024].clone(), torch.empty(1024, device="cuda")
    go("small_add_1k", lambda: torch.add(a1, b1, out=o1))
    x64, y64 = (x[:4096].reshape(64, 64) - 1.25) * 0.1, y[:4096].reshape(64, 64) - 0.5

    def small_round():
        t = torch.tanh(x64 @ y64 + x64)
        return t / t.sum(1, keepdim=True)
    go("small_round_64", small_round)
    go("small_add_alloc_1k", lambda: a1 + b1)
    go("eval_small_1k", lambda: plus(a1, b1))
    go("small_sum_1k_sync", lambda: np.float32(a1.sum().item()), host=True)

    h, h2, back, d = h28[0][:E8], h28[1][:E8], torch.empty(E8), x[:E8]
    go("h2d_pageable_400MB", lambda: h.cuda(), host=True)
    go("d2h_pageable_400MB", lambda: back.copy_(d), host=True)
    go("seed003_vecadd_host_1e8", lambda: back.copy_(h.cuda() + h2.cuda()), host=True)
    h7, back7, x7 = h[:E7], back[:E7], x[:E7]
    fused7 = compiled(lambda v: one(v))
    go("seed002_vectorize_1e7_device", lambda: fused7(x7))
    go("seed002_vectorize_1e7_host", lambda: back7.copy_(fused7(h7.cuda())), host=True)
    x6 = x[:E6] - 1.25
    selu_jit = compiled(lambda v: selu(v))
    go("seed002_selu_1e6_eager", lambda: selu(x6))
    go("seed002_selu_1e6_jit", lambda: selu_jit(x6))
    vectors, matrix = x[:1000].view(10, 100), y[:15000].view(150, 100).T
    vo = torch.empty((10, 150), device="cuda")
    go("seed002_vmap_jit", lambda: torch.matmul(vectors, matrix, out=vo))

    n = size(102400)
    gx = torch.from_numpy(grid(n)).cuda()
    rows = compiled(lambda u, v: torch.sin(u + v).sum(1))
    go("seed003_integration2d",
       lambda: add_rows(rows(gx[:, None], gx[None, :]).cpu().numpy(), n), host=True)
    del gx

    n = dim(2000)
    start = x[:n * n].view(n, n)
    pair = [torch.zeros((n + 2, n + 2), device="cuda") for _ in range(2)]
    lapl = torch.empty_like(start)

    def slices(u, v, lapl):
        lapl[:], v[1:-1, 1:-1] = step_by_slices(u)
    step = compiled(slices)

    def two():
        step(pair[0], pair[1], lapl)
        step(pair[1], pair[0], lapl)

    def reset():
        pair[0][1:-1, 1:-1] = start

    def twenty(r):
        reset()
        for _ in range(10):
            graph.replay()
        return pair[0][1:-1, 1:-1]
    if asked("seed004_diffusion_1000it"):
        try:
            reset()
            two()
            sync()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                two()
            go("seed004_diffusion_1000it", lambda: [graph.replay() for _ in range(500)],
               pick=twenty)
            del graph
        except Exception as e:
            print(f"peers.py: pytorch seed004_diffusion_1000it: {e}", file=sys.stderr)
    if asked("diffusion_sliced_1000it"):
        def sliced(u, v):
            v[1:-1, 1:-1] = step_by_slices(u)[1]
        alone = compiled(sliced)

        def both():
            alone(pair[0], pair[1])
            alone(pair[1], pair[0])
        try:
            reset()
            both()
            sync()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                both()
            go("diffusion_sliced_1000it", lambda: [graph.replay() for _ in range(500)],
               pick=twenty)
            del graph
        except Exception as e:
            print(f"peers.py: pytorch diffusion_sliced_1000it: {e}", file=sys.stderr)

    go("norm_f32_2^28", lambda: torch.linalg.vector_norm(x))
    del h, h2, back, d, h7, back7, m, mo, s, q, o, b, h28
    matmul = torch.backends.cuda.matmul
    # sums of halves in float32 alone, as gpuarr's
    matmul.allow_fp16_reduced_precision_reduction = False
    matmul.allow_bf16_reduced_precision_reduction = False

    def tf32(on):
        matmul.allow_tf32 = on
    tf32(False)
    linalg_cases(p, torch, lambda n: x[:n], lambda n: y[:n],
                 {t: getattr(torch, t) for t in ("float64", "float32", "float16", "bfloat16")},
                 lambda a, t: a.to(t),
                 lambda shape, t: torch.empty(shape, dtype=t, device="cuda"),
                 lambda n: torch.eye(n, dtype=torch.float64, device="cuda"), tf32,
                 lambda a: a.cpu(), "")
    del x, y
    torch.cuda.empty_cache()

    f32 = torch.empty(N28, device="cuda")
    f64 = torch.empty(N27, dtype=torch.float64, device="cuda")
    s32, s64, i64 = f32[:N26], f64[:N26], torch.empty(N26, dtype=torch.int64, device="cuda")
    i32 = torch.empty(N26, dtype=torch.int32, device="cuda")
    shape = torch.full((N26,), 2.5, device="cuda")
    for case, draw in (("rand_f32_2^28", lambda: f32.uniform_()),
                       ("rand_f64_2^27", lambda: f64.uniform_()),
                       ("randn_f32_2^28", lambda: f32.normal_()),
                       ("randn_f64_2^27", lambda: f64.normal_()),
                       ("exponential_f32_2^26", lambda: s32.exponential_()),
                       ("lognormal_f32_2^26", lambda: s32.log_normal_(0, 0.5)),
                       ("geometric_i64_2^26", lambda: i64.geometric_(0.2)),
                       ("integers_i64_2^26", lambda: i64.random_(0, 1000)),
                       ("integers_i32_2^26", lambda: i32.random_(0, 1000)),
                       ("gamma_f32_2^26", lambda: torch._standard_gamma(shape)),
                       ("permutation_1e7", lambda: torch.randperm(E7, device="cuda"))):
        go(case, draw, pick=None)
    del f32, f64, s32, s64, i64, i32, shape
    torch.cuda.empty_cache()
    mask_cases(p, torch.from_numpy(data(N26)).cuda(), torch.where,
               lambda a: torch.nonzero(a)[:, 0], "2^26")
    sort_cases(p, torch, torch.from_numpy(data(N26)).cuda(), 65536, "2^26", "65536x1000")
    statistics_cases(p, torch, torch.from_numpy(data(N26)).cuda(), 65536, "2^26", "65536x1000",
                     lambda *s: torch.randn(s, device="cuda"))
    histogram_cases(p, torch, torch.from_numpy(data(N28)).cuda(), "2^28",
                    torch.from_numpy(data(N26)).cuda(), "2^26")
    x = torch.from_numpy(data(N28)).cuda()
    soft_cases(p, x, torch.softmax, torch.log_softmax, torch.logsumexp,
               (torch.float16, torch.float32, torch.float64),
               (("65536x1024", 65536, 1024), ("64x1e6", 64, 1000000), ("1e7x8", 10000000, 8),
                ("1e6x100", 1000000, 100), ("65536x1001", 65536, 1001)), 262144)
    agree_cases(p, torch, x, "2^28")
    del x
    torch.cuda.empty_cache()
    matrix_cases(p, torch, torch.from_numpy(data(N26)).cuda(),
                 torch.from_numpy(data(N26, True)).cuda(), 4096, "4096x128", N26, "2^26", 10**7,
                 "1e7", 8192)
    fft_cases(p, torch.fft, lambda a: torch.from_numpy(a).cuda(), True)
    joining_cases(p, torch.from_numpy(data(K16 * K16)).cuda().reshape(K16, K16), torch,
                  "16k", torch.repeat_interleave)
    torch.cuda.empty_cache()

    def repeatable(o, i, x):
        torch.use_deterministic_algorithms(True)
        o.index_put_((i,), x, accumulate=True)
        torch.use_deterministic_algorithms(False)
    indexing_cases(p, N26, "2^26", lambda a: torch.from_numpy(a).cuda(),
                   lambda o, x, i: torch.index_select(x, 0, i, out=o), repeatable,
                   lambda o, i, x: o.scatter_add_(0, i, x),
                   lambda i, x: x.new_zeros(1000).index_add_(0, i, x))
    torch.cuda.empty_cache()
    scaling_cases(p, torch, lambda s: torch.rand(s, device="cuda"), torch.linalg.svd)


# ---------------------------------------------------------------------- JAX
def jax_cases():
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    d0 = jax.devices()[0]
    device = d0.device_kind
    last = [None]               # what the last call returned

    def sync():
        jax.block_until_ready(last[0])

    def events(samples, inner, body):   # many calls, so that waiting does not count
        t = now()
        body()
        sync()
        inner = max(inner, min(200, int(4 / max(now() - t, 1e-3)) + 1))
        ms = []
        for _ in range(max(3, samples // 4)):
            t = now()
            for _ in range(inner):
                body()
            sync()
            ms.append((now() - t) / inner)
        return ms

    def jit(f, *args):
        j = jax.jit(f)

        def body():
            last[0] = j(*args)
            return last[0]
        body.size = lambda: j.lower(*args).compile().memory_analysis()
        return body

    def memory(body):
        if not hasattr(body, "size"):
            return 0
        a = body.size()
        return a.temp_size_in_bytes + a.output_size_in_bytes

    def get(a):
        try:
            if a.size > 1000000:        # in place: indexing would compile
                import cupy
                return cupy.from_dlpack(a)
        except Exception:
            pass
        return np.asarray(a)

    p = Peer("jax", device, jax.__version__, sync, events, memory, get, jit)
    p.first_result(lambda: (jnp.full(1000, 1, jnp.float32) + 2).sum())

    def go(case, f, *args, **how):
        p.go(case, jit(f, *args), **how)

    def sent(case, f):          # the result at the host
        memory, p.memory = p.memory, None
        p.go(case, f, host=True)
        p.memory = memory

    h28 = data(N28), data(N28, True)
    x, y = jnp.asarray(h28[0]), jnp.asarray(h28[1])

    def one(v):
        return jnp.cos(v) ** 2 + jnp.sin(v) ** 2

    def selu(v):
        return 1.05 * jnp.where(v > 0, v, 1.67 * jnp.exp(v) - 1.67)

    def binary(name, u, v):
        go("add_" + name, jnp.add, u, v)
        go("multiply_" + name, jnp.multiply, u, v)
        go("exp_" + name, jnp.exp, u)
        go("sqrt_" + name, jnp.sqrt, u)
        go("less_" + name, jnp.less, u, v)
    binary("f32_2^28", x, y)
    go("cast_f32_f64_2^28", lambda v: v.astype(jnp.float64), x)
    go("fill_f32_2^28", lambda: jnp.full(N28, 1.5, jnp.float32))
    go("sin2cos2_fused_f32_2^28", one, x)
    go("axpy_fused_f32_2^28", lambda u, v: 2.5 * u + v, x, y)
    go("poly20_fused_f32_2^28", polynomial, x)
    go("sumsq_fused_f32_2^28", lambda u, v: jnp.sum((u - v) ** 2), x, y)

    def meansq(v):
        return jnp.mean(v ** 2)
    go("meansq_grad_f32_2^26", jax.grad(meansq), x[:N28 // 4])
    go("meansq_value_grad_f32_2^26", jax.value_and_grad(meansq), x[:N28 // 4],
       pick=lambda r: r[1])
    for name, t, n in (("f64_2^27", jnp.float64, N27), ("f16_2^28", jnp.float16, N28)):
        binary(name, x[:n].astype(t), y[:n].astype(t))
    m, row = x[:K16 * K16].reshape(K16, K16), y[:K16]
    go("bcast_add_row_f32_16k", jnp.add, m, row)
    go("bcast_add_col_f32_16k", lambda u, v: u + v[:, None], m, row)
    n8 = side(8192)
    go("strided_add_f32_8k", lambda u, v: u[::2, ::2] + v[::2, ::2],
       x[:n8 * n8].reshape(n8, n8), y[:n8 * n8].reshape(n8, n8))
    go("transpose_copy_f32_16k", lambda u: u.T, m)
    for name, f in (("sum", jnp.sum), ("max", jnp.max), ("mean", jnp.mean),
                    ("argmax", jnp.argmax), ("var", jnp.var)):
        go(name + "_f32_2^28", lambda u: f(u), m)
        go(name + "_axis0_f32_16k", lambda u: f(u, axis=0), m)
        go(name + "_axis1_f32_16k", lambda u: f(u, axis=1), m)
    thin = x[:side(1000000) * side(16)].reshape(-1, side(16))
    go("sum_axis0_f32_1e6x16", lambda u: u.sum(0), thin)
    go("sum_axis1_f32_1e6x16", lambda u: u.sum(1), thin)
    del m, thin
    a1, b1 = x[:1024], y[:1024]
    go("small_add_alloc_1k", jnp.add, a1, b1)
    go("eval_small_1k", lambda u, v: u + v, a1, b1)
    total = jax.jit(jnp.sum)
    sent("small_sum_1k_sync", lambda: np.float32(total(a1)))

    h, h2, h7 = h28[0][:E8], h28[1][:E8], h28[0][:E7]
    add, one_jit = jax.jit(jnp.add), jax.jit(one)
    sent("h2d_pageable_400MB", lambda: jax.device_put(h, d0).block_until_ready())
    sent("seed003_vecadd_host_1e8", lambda: np.asarray(add(h, h2)))
    sent("seed002_vectorize_1e7_host", lambda: np.asarray(one_jit(h7)))
    go("seed002_vectorize_1e7_device", lambda v: one(v), x[:E7])
    x6 = x[:E6] - jnp.float32(1.25)

    def eager():
        last[0] = selu(x6)
        return last[0]
    p.go("seed002_selu_1e6_eager", eager)
    go("seed002_selu_1e6_jit", selu, x6)
    go("seed002_vmap_jit", lambda mat, v: jax.vmap(lambda u: jnp.dot(mat, u))(v),
       y[:15000].reshape(150, 100), x[:1000].reshape(10, 100))
    go("norm_f32_2^28", jnp.linalg.norm, x)

    def tf32(on):
        jax.config.update("jax_default_matmul_precision", "tensorfloat32" if on else "highest")
    linalg_cases(p, jnp, lambda n: x[:n], lambda n: y[:n],
                 {t: getattr(jnp, t) for t in ("float64", "float32", "float16", "bfloat16")},
                 lambda a, t: a.astype(t), None, jnp.eye, tf32, np.asarray, "", out=False)
    del x, y
    last[0] = None

    from jax import random
    key = random.key(1)
    for case, draw in (
            ("rand_f32_2^28", lambda k: random.uniform(k, (N28,), jnp.float32)),
            ("rand_f64_2^27", lambda k: random.uniform(k, (N27,), jnp.float64)),
            ("randn_f32_2^28", lambda k: random.normal(k, (N28,), jnp.float32)),
            ("randn_f64_2^27", lambda k: random.normal(k, (N27,), jnp.float64)),
            ("exponential_f32_2^26", lambda k: random.exponential(k, (N26,), jnp.float32)),
            ("lognormal_f32_2^26",
             lambda k: random.lognormal(k, jnp.float32(0.5), (N26,), jnp.float32)),
            ("integers_i64_2^26", lambda k: random.randint(k, (N26,), 0, 1000, jnp.int64)),
            ("integers_i32_2^26", lambda k: random.randint(k, (N26,), 0, 1000, jnp.int32)),
            ("permutation_1e7", lambda k: random.permutation(k, E7))):
        go(case, draw, key, pick=None)

    # Last, for what takes too long would take the others' time.
    def diffuse(u, times):
        def step(_, a):
            lapl, new = step_by_slices(jnp.pad(a[0], 1))
            return new, lapl
        return jax.lax.fori_loop(0, times, step, (u, u))
    n = dim(2000)
    start = jnp.asarray(data(n * n).reshape(n, n))
    go("seed004_diffusion_1000it", lambda u: diffuse(u, 1000), start,
       pick=lambda r: jax.jit(lambda u: diffuse(u, 20))(start)[0])
    n = size(102400)
    gx = jnp.asarray(grid(n))
    rows = jax.jit(lambda u: jax.lax.map(lambda v: jnp.sin(v + u).sum(), u, batch_size=256))
    sent("seed003_integration2d", lambda: add_rows(np.asarray(rows(gx)), n))


# -------------------------------------------------------------------- Numba
def numba_cases():
    import warnings
    import numba
    from numba import cuda, float32, vectorize
    warnings.simplefilter("ignore")     # small grids
    name = cuda.get_current_device().name
    device = name.decode() if isinstance(name, bytes) else str(name)
    sync = cuda.synchronize

    def events(samples, inner, body):
        e = [cuda.event() for _ in range(samples + 1)]
        e[0].record()
        for i in range(samples):
            for _ in range(inner):
                body()
            e[i + 1].record()
        sync()
        return [cuda.event_elapsed_time(e[i], e[i + 1]) / inner for i in range(samples)]

    p = Peer("numba", device, numba.__version__, sync, events,
             get=lambda a: a.copy_to_host() if hasattr(a, "copy_to_host") else a)
    go = p.go
    t = now()
    one_add = cuda.to_device(np.full(1000, 3, np.float32)).copy_to_host().sum()
    t = now() - t
    assert one_add == 3000

    @vectorize(["float32(float32)"], target="cuda")
    def one(v):
        return math.cos(v) ** 2 + math.sin(v) ** 2

    @vectorize(["float32(float32, float32)"], target="cuda")
    def axpy(u, v):
        return float32(2.5) * u + v

    @vectorize(["float32(float32)"], target="cuda")
    def poly(v):
        r = float32(0.1) * v + float32(0.2)
        r = r * v + float32(0.3)
        r = r * v + float32(0.4)
        r = r * v + float32(0.5)
        r = r * v + float32(0.6)
        r = r * v + float32(0.7)
        r = r * v + float32(0.8)
        r = r * v + float32(0.9)
        r = r * v + float32(1.0)
        return r * v + float32(1.1)

    @vectorize(["float32(float32)"], target="cuda")
    def selu(v):
        if v > 0:
            return float32(1.05) * v
        return float32(1.05) * (float32(1.67) * math.exp(v) - float32(1.67))

    @vectorize(["float32(float32, float32)"], target="cuda")
    def add(u, v):
        return u + v

    h28 = data(N28), data(N28, True)
    x, y = cuda.to_device(h28[0]), cuda.to_device(h28[1])
    o = cuda.device_array(N28, np.float32)

    def write(f, *args, out):           # a ufunc's call, its result in out
        f(*args, out=out)
        return out
    go("add_f32_2^28", lambda: write(add, x, y, out=o))
    go("sin2cos2_fused_f32_2^28", lambda: write(one, x, out=o))
    go("axpy_fused_f32_2^28", lambda: write(axpy, x, y, out=o))
    go("poly20_fused_f32_2^28", lambda: write(poly, x, out=o))
    a1, b1, o1 = x[:1024], y[:1024], cuda.device_array(1024, np.float32)

    @cuda.jit
    def add_kernel(u, v, w):
        i = cuda.grid(1)
        if i < w.size:
            w[i] = u[i] + v[i]

    def small():
        add_kernel[8, 128](a1, b1, o1)
        return o1
    go("small_add_1k", small)
    go("eval_small_1k", lambda: write(add, a1, b1, out=o1))
    h7, x7, o7 = h28[0][:E7], x[:E7], o[:E7]
    go("seed002_vectorize_1e7_host", lambda: one(h7), host=True)
    go("seed002_vectorize_1e7_device", lambda: write(one, x7, out=o7))
    x6 = cuda.to_device(h28[0][:E6] - np.float32(1.25))
    go("seed002_selu_1e6_jit", lambda: write(selu, x6, out=o[:E6]))
    h, h2, back = h28[0][:E8], h28[1][:E8], np.empty(E8, np.float32)

    def host_add():
        add(cuda.to_device(h), cuda.to_device(h2)).copy_to_host(back)
        return back
    go("seed003_vecadd_host_1e8", host_add, host=True)

    # The guide's integration, a row a thread, and its sums to the host.
    n = size(102400)
    step = math.pi / n

    @cuda.jit
    def integrate(sums):
        i = cuda.grid(1)
        if i < n:
            total = 0.0
            u = step * (i + 0.5)
            for j in range(n):
                total += math.sin(u + step * (j + 0.5))
            sums[i] = total
    sums = cuda.device_array(n, np.float32)

    def integral():
        integrate[(n + 15) // 16, 16](sums)
        return add_rows(sums.copy_to_host(), n)
    go("seed003_integration2d", integral, host=True)

    # Its diffusion, blocks of 8x8 points through shared memory; the field before
    # and after a step in two arrays, so that no block reads what another wrote.
    @cuda.jit
    def diffuse(u, v, lapl):
        i, j = cuda.grid(2)
        s = cuda.shared.array((10, 10), float32)
        a, b = cuda.threadIdx.x + 1, cuda.threadIdx.y + 1
        inside = i < u.shape[0] and j < u.shape[1]
        if inside:
            s[a, b] = u[i, j]
            if a == 1 and i > 0:
                s[0, b] = u[i - 1, j]
            if b == 1 and j > 0:
                s[a, 0] = u[i, j - 1]
            if a == 8 and i < u.shape[0] - 1:
                s[9, b] = u[i + 1, j]
            if b == 8 and j < u.shape[1] - 1:
                s[a, 9] = u[i, j + 1]
        cuda.syncthreads()
        if inside:
            r = float32(4) * s[a, b]
            if i > 0:
                r -= s[a - 1, b]
            if j > 0:
                r -= s[a, b - 1]
            if i < u.shape[0] - 1:
                r -= s[a + 1, b]
            if j < u.shape[1] - 1:
                r -= s[a, b + 1]
            lapl[i, j] = r
            v[i, j] = s[a, b] - float32(0.25) * r
    n = dim(2000)
    start = np.ascontiguousarray(h28[0][:n * n].reshape(n, n))
    pair = [cuda.to_device(start), cuda.to_device(start)]
    lapl, blocks = cuda.device_array((n, n), np.float32), ((n + 7) // 8, (n + 7) // 8)

    def steps(times):
        for _ in range(times // 2):
            diffuse[blocks, (8, 8)](pair[0], pair[1], lapl)
            diffuse[blocks, (8, 8)](pair[1], pair[0], lapl)

    def twenty(r):
        pair[0].copy_to_device(start)
        steps(20)
        return pair[0]
    go("seed004_diffusion_1000it", lambda: steps(1000), pick=twenty)

    # Its counter-example: a tiled product whose tiles are summed on the spot.
    T = 16

    @cuda.jit
    def matmul_reduce(A, B, out):
        sA = cuda.shared.array((T, T), float32)
        sB = cuda.shared.array((T, T), float32)
        i, j = cuda.grid(2)
        a, b = cuda.threadIdx.x, cuda.threadIdx.y
        total = float32(0)
        for k in range((A.shape[1] + T - 1) // T):
            sA[a, b] = 0
            sB[a, b] = 0
            if i < A.shape[0] and b + k * T < A.shape[1]:
                sA[a, b] = A[i, b + k * T]
            if a + k * T < B.shape[0] and j < B.shape[1]:
                sB[a, b] = B[a + k * T, j]
            cuda.syncthreads()
            for l in range(T):
                total += sA[a, l] * sB[l, b]
            cuda.syncthreads()
        sA[a, b] = total
        cuda.syncthreads()
        s = 1
        while s < T:
            if a % (2 * s) == 0:
                sA[a, b] += sA[a + s, b]
            s *= 2
            cuda.syncthreads()
        if a == 0 and j < out.size:
            cuda.atomic.add(out, j, sA[0, b])
    if asked("numba_matmul_reduce"):
        rows, mid, cols = dim(10000), dim(5000), dim(7000)
        A, B = x[:rows * mid].reshape(rows, mid), y[:mid * cols].reshape(mid, cols)
        zeros, out = np.zeros(cols, np.float32), cuda.device_array(cols, np.float32)

        def reduce():
            out.copy_to_device(zeros)
            matmul_reduce[((rows + T - 1) // T, (cols + T - 1) // T), (T, T)](A, B, out)
            return out.copy_to_host()
        go("numba_matmul_reduce", reduce, host=True)


# -------------------------------------------------------------------- NumPy
def numpy_cases():
    device = "CPU"
    if os.path.exists("/proc/cpuinfo"):
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                device = line.split(":", 1)[1].strip()
                break
    p = Peer("numpy", device, np.__version__)
    go = p.go
    x, y = data(E7), data(E7, True)
    o, b, t = np.empty_like(x), np.empty(E7, bool), np.empty_like(x)
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
    m = data(side(1000000) * side(10)).reshape(-1, side(10))
    go("sum_axis0_f32_1e6x10", lambda: np.sum(m, axis=0))
    go("sum_axis1_f32_1e6x10", lambda: np.sum(m, axis=1))

    def sincos():
        np.cos(x, out=o)
        np.square(o, out=o)
        np.sin(x, out=t)
        np.square(t, out=t)
        return np.add(o, t, out=o)

    def axpy():
        np.multiply(x, np.float32(2.5), out=o)
        return np.add(o, y, out=o)

    def poly():
        np.multiply(x, np.float32(0.1), out=o)
        for k in range(2, 12):
            np.add(o, np.float32(k / 10), out=o)
            if k < 11:
                np.multiply(o, x, out=o)
        return o

    def sumsq():
        np.subtract(x, y, out=o)
        np.square(o, out=o)
        return o.sum()
    go("seed002_vectorize_1e7_host", sincos)
    go("sin2cos2_fused_f32_1e7", sincos)
    go("axpy_fused_f32_1e7", axpy)
    go("poly20_fused_f32_1e7", poly)
    go("sumsq_fused_f32_1e7", sumsq)
    z = x[:E6] - np.float32(1.25)
    one, two = np.float32(1.05), np.float32(1.67)

    def selu():
        return one * np.where(z > 0, z, two * np.exp(z) - two)
    go("seed002_selu_1e6_eager", selu)
    go("seed002_selu_1e6_jit", selu)
    go("norm_f32_1e7", lambda: np.linalg.norm(x))
    linalg_cases(p, np, lambda k: x[:k] if k <= x.size else data(k),
                 lambda k: y[:k] if k <= y.size else data(k, True),
                 {"float64": np.float64, "float32": np.float32}, lambda a, t: a.astype(t),
                 np.empty, np.eye, cpu=True)
    g = np.random.default_rng(1)
    d = np.empty(E7)
    for case, draw in (
            ("rand_f32_1e7", lambda: g.random(dtype=np.float32, out=o)),
            ("rand_f64_1e7", lambda: g.random(out=d)),
            ("randn_f32_1e7", lambda: g.standard_normal(dtype=np.float32, out=o)),
            ("randn_f64_1e7", lambda: g.standard_normal(out=d)),
            ("exponential_f32_1e7", lambda: g.standard_exponential(dtype=np.float32, out=o)),
            ("gamma_f32_1e7", lambda: g.standard_gamma(2.5, E7, dtype=np.float32)),
            ("poisson4_i64_1e7", lambda: g.poisson(4, E7)),
            ("binomial_i64_1e7", lambda: g.binomial(100, 0.3, E7)),
            ("integers_i64_1e7", lambda: g.integers(0, 1000, E7)),
            ("permutation_1e7", lambda: g.permutation(E7))):
        go(case, draw, pick=None)
    mask_cases(p, x, np.where, np.flatnonzero, "1e7")
    text_cases(p)
    sort_cases(p, np, x, 10000, "1e7", "10000x1000")
    statistics_cases(p, np, x, 10000, "1e7", "10000x1000",
                     lambda *s: np.random.default_rng(0).standard_normal(s, "f4"))
    histogram_cases(p, np, x, "1e7", x, "1e7")
    from scipy import special
    soft_cases(p, x, special.softmax, special.log_softmax, special.logsumexp,
               (np.float16, np.float32, np.float64), (("10000x1000", 10000, 1000),), 10000)
    agree_cases(p, np, x, "1e7")
    matrix_cases(p, np, x, y, 1000, "1000x128", E7, "1e7", 10**6, "1e6", 2000)
    fft_cases(p, np.fft, lambda a: a, False)
    joining_cases(p, x[:9000000].reshape(3000, 3000), np, "3k", np.repeat)
    indexing_cases(p, E7, "1e7", lambda a: a, lambda o, x, i: np.take(x, i, out=o), np.add.at,
                   None, lambda i, x: np.bincount(i, x, 1000))
    from scipy import sparse
    import scipy.sparse.linalg
    sparse_cases(p, np, sparse, sparse.linalg, x, 1000, "1e6", 4000, "4k")
    scaling_cases(p, np, lambda s: g.random(s, dtype=np.float32), np.linalg.svd, last=8)


if len(sys.argv) < 2 or sys.argv[1] + "_cases" not in globals():
    sys.exit(__doc__)
try:
    globals()[sys.argv[1] + "_cases"]()
except ImportError as e:
    print(f"peers.py: {e}: {sys.argv[1]} is left out", file=sys.stderr)
