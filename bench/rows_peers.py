#!/usr/bin/env python3
"""The grid of rows.c in one other library, as JSON lines like rows.c's.

    rows_peers.py cupy|pytorch|numpy --list=FILE [--out=FILE] [--class=ew,red]
        [--shard=k/n] [--every=n] [--budget=seconds] [--warm=processes] [--cpu-time]
        [--small]

FILE is what `rows --list` prints: cases, operands, shapes are its, so that a new
row of gpuarr.h's tables is asked of the peers by its name, which is NumPy's; only
names that differ stand in the tables below. The cases come in an order that is
shuffled, the same in every run: a run that ends early (--budget) is a fair
sample. --out adds to FILE and leaves out what it has; a case that the library
has no call for goes to FILE.none with the reason, and is no line of the result.

CuPy and torch.compile compile when something is first used: --warm=16 runs every
case once in so many processes, untimed, to fill the caches on disk; then run
again without. --cpu-time: the process's own time, as in rows.c.
--as=numpy runs CuPy's table on NumPy's functions: to test it without a GPU.
--verify compares results with NumPy's on the same operands: a list of `rows
--small` is enough.
"""
import json
import math
import os
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
np.seterr(all="ignore")


def option(name, default=None):
    """The last of that name counts, as in rows.c."""
    given = [a[len(name) + 3:] for a in sys.argv[1:] if a.startswith(f"--{name}=")]
    return given[-1] if given else default


CLOCK = time.process_time if "--cpu-time" in sys.argv else time.perf_counter


def now():
    return CLOCK() * 1e3


EXPRESSION_NAMES = "sin cos tanh exp log sqrt absolute where maximum minimum sum mean".split()
MOST_MS = 1000                  # as in rows.c
VOCABULARY = ("sort", "sel", "idx", "stat", "shape", "soft", "fft")     # rows_vocab.h's
CALLED = {"mask_rows": "mask", "take_i32": "take", "take_axis": "take",
          "scatter_rows": "scatter_add", "scatter_fast": "scatter_add",
          "scatter_rows_fast": "scatter_add", "bincount_weights": "bincount",
          "average_line": "average"}
WRITES = ("mask_assign", "mask_put", "copyto", "put", "put_along_axis", "assign_rows",
          "scatter_add", "fill_diagonal")       # into a copy of the first operand
TWINS = ("isclose", "allclose", "array_equal")  # of an array and its copy


class NoPeer(Exception):
    """The library has no such call."""


class Over(Exception):
    """It would take longer than MOST_MS."""


# ------------------------------------------------------- NumPy, and CuPy like it
class NumpyLike:
    """np is numpy or cupy; sp its scipy.special, la its scipy.linalg."""
    names = {"conj": "conjugate"}
    special = {"erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "gamma": "gamma",
               "lgamma": "gammaln", "sigmoid": "expit",
               **{n: n for n in "digamma polygamma gammainc gammaincc beta betaln xlogy xlog1py "
                  "entr rel_entr ndtr ndtri log_ndtr logit j0 j1 y0 y1 i0 i1 i0e i1e "
                  "zeta".split()}}

    def __init__(self, np_, sp, la, extra, fft=None, distance=None):
        self.np, self.sp, self.la, self.extra = np_, sp, la, extra
        self.fft, self.distance = fft, distance
        self.bfloat16 = None
        self.rng = np_.random.default_rng(1)

    def dtype(self, name):
        if name == "bfloat16":
            if self.bfloat16 is None:
                raise NoPeer("bfloat16")
            return self.bfloat16
        return self.np.dtype(name)

    def uniform(self, shape, t, lo, hi):
        np_, k = self.np, self.dtype(t)
        if k.kind == "c":
            part = np.dtype("float32" if k.itemsize == 8 else "float64")
            return (self.real(shape, lo, hi, part) + 1j * self.real(shape, lo, hi, part)).astype(k)
        if k.kind == "f" or k is self.bfloat16:
            return self.real(shape, lo, hi, k)
        if k.kind == "b":
            return np_.random.randint(0, 2, shape).astype(k)
        lo, hi = (max(lo, 0), hi) if k.kind == "u" else (lo, hi)
        hi = min(hi, 120) if k.itemsize == 1 else hi
        return np_.random.randint(math.ceil(lo), math.floor(hi) + 1, shape).astype(k)

    def real(self, shape, lo, hi, t=None):
        if t is not None and t.itemsize == 2:
            return self.real(shape, lo, hi, self.np.dtype("float32")).astype(t)
        a = self.rng.random(shape, dtype=self.np.float32 if t is not None and t.itemsize <= 4
                            else self.np.float64)
        return (a * (hi - lo) + lo).astype(t or self.np.float64)

    def make(self, o):
        np_, shape, t, kind = self.np, tuple(o["base"]), o["t"], o["kind"]
        if kind in "01t":
            return np_.full(shape, int(kind == "1"), self.dtype(t))
        if kind == "i":
            return self.uniform(shape, "int32", o["lo"], o["hi"]).astype(self.dtype(t))
        if kind in "qQ":
            return np_.argsort(self.real(shape, 0, 1), axis=-1 if kind == "q" else 0)
        a = self.uniform(shape, t, o["lo"], o["hi"])
        if kind == "s":
            return np_.sort(a)
        if kind == "h":
            return a + a.conj().swapaxes(-1, -2)
        if kind == "p":
            return a @ a.conj().swapaxes(-1, -2) / shape[-1] + np_.eye(shape[-1], dtype=a.dtype)
        if kind == "l":
            return np_.tril(a, -1) / shape[-1] + np_.eye(shape[-1], dtype=a.dtype)
        return a

    def view(self, a, text):
        return a.T if text == "T" else eval(f"a[{text}]") if text else a

    def function(self, op):
        for where, name in ((self.extra, op), (self.sp, self.special.get(op, "")),
                            (self.np, self.names.get(op, op))):
            f = where.get(name) if isinstance(where, dict) else getattr(where, name, None)
            if f is not None:
                return f
        raise NoPeer("no such function")

    # Each gives a call that writes its result into an array where that can be.
    def element(self, op, x, fresh=False):
        np_ = self.np
        if op == "copy":
            o = np_.empty(x[0].shape, x[0].dtype)
            return lambda: (np_.copyto(o, x[0]), o)[1]
        if op == "clip":
            lo, hi = (False, True) if x[0].dtype.kind == "b" else (1, 5)
            return self.into(lambda **k: np_.clip(x[0], lo, hi, **k))
        if op == "round":
            return self.into(lambda **k: np_.round(x[0], 1, **k))
        if op in ("where", "nan_to_num", "angle", "sinc"):
            f = getattr(np_, op)
            return lambda: f(*x)
        f = self.function(op)
        return (lambda: f(*x)) if fresh else self.into(lambda **k: f(*x, **k))

    def into(self, f):
        r = f()
        o = self.np.empty(r.shape, r.dtype)
        try:
            f(out=o)
        except TypeError:
            return f
        return lambda: f(out=o)

    def cast(self, x, t):
        o = self.np.empty(x.shape, self.dtype(t))
        return lambda: (self.np.copyto(o, x, casting="unsafe"), o)[1]

    def reduce(self, op, x, axis):
        f = self.function(op)
        return lambda: f(x, axis=axis)

    def scan(self, op, x, axis):
        np_ = self.np
        f = {"cummax": lambda: np_.maximum.accumulate, "cummin": lambda: np_.minimum.accumulate,
             "logcumsumexp": lambda: np_.logaddexp.accumulate}.get(op, lambda: self.function(op))()
        if axis is None and op in ("cummax", "cummin", "logcumsumexp"):
            x, axis = x.ravel(), 0
        return lambda: f(x, axis=axis)

    def draw(self, op, n, t, par):
        t, fs = self.dtype(t), []
        par = list(par)
        if op == "integers":
            return lambda: self.rng.integers(int(par[0]), int(par[1]), n, dtype=t)
        if hasattr(self.rng, op):
            fs.append(getattr(self.rng, op))
        if op in ("exponential", "gamma") and par[-1] in (0, 1, 1.5):    # with a dtype
            unit = getattr(self.rng, "standard_" + op)
            fs.insert(0, (lambda size, dtype: unit(size, dtype=dtype) * dtype.type(par[0]))
                      if op == "exponential" else
                      (lambda size, dtype: unit(par[0], size, dtype=dtype)))
        if hasattr(self.np.random, op):
            fs.append(getattr(self.np.random, op))
        last = NoPeer("no such distribution")
        for i, f in enumerate(fs):
            a = [] if i == 0 and len(fs) > 1 and op in ("exponential", "gamma") else par
            for k in ({"dtype": t}, {}):
                try:
                    if f(*a, size=4, **k).dtype == t:
                        return lambda: f(*a, size=n, **k)
                    last = NoPeer("another dtype")
                except Exception as e:
                    last = e
        raise last

    def product(self, op, x, y):
        f = getattr(self.np, op, None) or getattr(self.np.linalg, op, None)
        if f is None and op == "matvec":
            return self.into(lambda **k: self.np.matmul(x, y[..., None], **k))
        if f is None:
            raise NoPeer("no such function")
        return self.into(lambda **k: f(x, y, **k)) if op in ("matmul", "dot") else lambda: f(x, y)

    def method(self, op, x):
        np_, la, a = self.np, self.la, x[0]
        many = a.ndim > 2
        b = x[1] if len(x) > 1 else None
        if op in ("solve", "solve16"):
            return lambda: np_.linalg.solve(a, b)
        if op in ("solve_triangular", "cho_solve", "lu", "lu_factor", "expm") and la is None:
            raise NoPeer("without scipy.linalg")
        if op == "solve_triangular":
            return lambda: la.solve_triangular(a, b, lower=True)
        if op == "cho_solve":
            return lambda: la.cho_solve((a, True), b)
        if op == "lu":
            return lambda: la.lu(a)
        if op in ("lu_factor", "expm"):
            if many and op == "lu_factor" and np_ is not np:
                raise NoPeer("one matrix alone")
            f = getattr(la, op)
            return lambda: f(a)
        if op == "svdvals":
            return lambda: np_.linalg.svd(a, compute_uv=False)
        if op == "svd":
            return lambda: np_.linalg.svd(a, full_matrices=False)
        if op == "lstsq":
            if many:
                raise NoPeer("one matrix alone")
            return lambda: np_.linalg.lstsq(a, b, rcond=None)
        if op == "norm":
            return lambda: np_.linalg.norm(a, "fro", axis=(-2, -1))
        if op == "trace":
            return lambda: np_.trace(a, axis1=-2, axis2=-1)
        if op == "matrix_power":
            return lambda: np_.linalg.matrix_power(a, 3)
        f = getattr(np_.linalg, op, None)
        if f is None:
            raise NoPeer("no such function")
        return lambda: f(a)

    def expression(self, text, x):
        """As its author would have it fast: CuPy by cupy.fuse, the reduction
        after it; NumPy step by step."""
        names = {n: getattr(self.np, n) for n in
                 EXPRESSION_NAMES + ["max", "min"]}
        if self.fuse is None:
            f = eval(f"lambda x, y, z: {text}", names)
            return lambda: f(*x)
        fold = text.split("(")[0] if text.split("(")[0] in ("sum", "mean", "max", "min") else None
        inner = text[len(fold) + 1:-1] if fold else text
        axis = None
        if fold and inner[-8:-1] == ", axis=":
            inner, axis = inner[:-8], int(inner[-1])
        f = self.fuse(eval(f"lambda x, y, z: {inner}", names))
        if not fold:
            return lambda: f(*x)
        g = getattr(self.np, fold)
        return lambda: g(f(*x), axis=axis)

    fuse = None

    def vocabulary(self, op, x, axis, par):
        """rows_vocab.h's: `plain` are NumPy's functions by their names."""
        np_, sp, fft, a = self.np, self.sp, self.fft, x[0]
        b, c, d = (x[1:] + [None] * 3)[:3]
        k, rows, cols = (int(p) for p in par)
        t = a.copy() if op in WRITES + TWINS else None

        def top():
            i = np_.argpartition(a, a.shape[axis] - k, axis)
            i = i[(slice(None),) * axis + (slice(-k, None),)]
            v = np_.take_along_axis(a, i, axis)
            o = np_.flip(np_.argsort(v, axis), axis)
            return np_.take_along_axis(v, o, axis), np_.take_along_axis(i, o, axis)

        def segments():
            if op == "segment_sorted" and np_ is np:
                return np.add.reduceat(a, np.searchsorted(b, np.arange(k)), 0)
            out = np_.zeros((k,) + a.shape[1:], "int64" if a.dtype.kind == "i" else a.dtype)
            np_.add.at(out, b, a)
            return out

        def halves():
            p = np_.split(a, 2, axis)
            return np_.concatenate((p[1], p[0]), axis)
        plain = {"partition": (a, k, axis), "argpartition": (a, k, axis), "unique": (a,),
                 "searchsorted": (b, a), "isin": (a, b), "nonzero": (a,), "argwhere": (a,),
                 "compress": (b, a, axis), "select": ([a, b], [c, d], 0), "take": (a, b, axis),
                 "take_along_axis": (a, b, axis), "bincount": (a, b), "quantile": (a, 0.9, axis),
                 "digitize": (a, b), "cov": (a,), "corrcoef": (a,), "average": (a, axis, b),
                 "interp": (a, b, c), "convolve": (a, b, "same"), "concatenate": ((a, b), axis),
                 "stack": ((a, b), axis), "tile": (a, (2, 2)), "repeat": (a, 2, axis),
                 "roll": (a, k, axis), "pad": (a, 2), "diff": (a, 1, axis), "tril": (a,),
                 "triu": (a,), "meshgrid": (a, b), "isclose": (a, t), "allclose": (a, t),
                 "array_equal": (a, t), "polyval": (b, a), "put": (t, b, c),
                 "put_along_axis": (t, b, c, axis), "fill_diagonal": (t, 1),
                 **{n: (a, axis) for n in ("sort", "argsort", "median", "nanmedian")}}
        own = {"lexsort": lambda: np_.lexsort((a, b)), "topk": top, "mask": lambda: a[b],
               "index": lambda: a[b, c], "mask_assign": lambda: t.__setitem__(b, 1),
               "mask_put": lambda: t.__setitem__(b, v),
               "copyto": lambda: np_.copyto(t, c, where=b),
               "assign_rows": lambda: t.__setitem__(b, c),
               "scatter_add": lambda: np_.add.at(t, b, c),
               "segment_sum": segments, "segment_sorted": segments, "swap_halves": halves,
               "percentile5": lambda: np_.percentile(a, (5, 25, 50, 75, 95), axis),
               "histogram": lambda: np_.histogram(a, 256)[0],
               "histogram_edges": lambda: np_.histogram(a, b)[0],
               "flip": lambda: np_.flip(a, axis).copy(), "rot90": lambda: np_.rot90(a).copy(),
               "pad_reflect": lambda: np_.pad(a, 2, "reflect"),
               "transpose": lambda: a.transpose(k, rows, cols).copy(),
               "gradient": lambda: np_.gradient(a, axis=axis),
               "broadcast_row": lambda: np_.broadcast_to(a, (rows, cols)).copy(),
               "broadcast_col": lambda: np_.broadcast_to(a[:, None], (rows, cols)).copy(),
               "softmax": lambda: sp.softmax(a, axis),
               "log_softmax": lambda: sp.log_softmax(a, axis),
               "logsumexp": lambda: sp.logsumexp(a, axis),
               "cdist": lambda: self.distance.cdist(a, b),
               "cdist_cityblock": lambda: self.distance.cdist(a, b, "cityblock"),
               "fft": lambda: fft.fft(a, axis=axis), "ifft": lambda: fft.ifft(a, axis=axis),
               "rfft": lambda: fft.rfft(a, axis=axis), "irfft": lambda: fft.irfft(a, k, axis),
               "dct": lambda: fft.dct(a, axis=axis), "fft2": lambda: fft.fft2(a),
               "rfft2": lambda: fft.rfft2(a)}
        v = (a + a)[b] if op == "mask_put" else None
        if op == "lexsort" and np_ is not np:   # CuPy's: one array, one axis
            if a.ndim > 1:
                raise NoPeer("one axis alone")
            keys = np_.stack((a, b))
            return lambda: np_.lexsort(keys)
        f = own.get(op) or (lambda f=getattr(np_, op): f(*plain[op]))
        return f if t is None or op in TWINS else lambda: (f(), t)[1]

    def host(self, a):
        return a.get() if hasattr(a, "get") else np.asarray(a)


# ------------------------------------------------------------------- PyTorch
class Torch:
    names = {"negative": "neg", "absolute": "abs", "rint": "round", "conj": "conj_physical",
             "power": "pow", "equal": "eq", "not_equal": "ne", "left_shift": "bitwise_left_shift",
             "right_shift": "bitwise_right_shift", "divide": "div", "max": "amax", "min": "amin",
             "erf": "erf", "erfc": "erfc", "erfinv": "erfinv"}
    special = {"j0": "bessel_j0", "j1": "bessel_j1", "y0": "bessel_y0", "y1": "bessel_y1",
               **{n: n for n in "digamma gammainc gammaincc xlogy xlog1py entr ndtr ndtri "
                  "log_ndtr logit i0 i1 i0e i1e zeta".split()}}

    def __init__(self, torch, device):
        self.t, self.device = torch, device
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False

    def dtype(self, name):
        return getattr(self.t, name)

    def empty(self, shape, t):
        return self.t.empty(shape, dtype=t, device=self.device)

    def uniform(self, shape, t, lo, hi):
        t, torch = self.dtype(t), self.t
        if t.is_complex:
            part = torch.float32 if t == torch.complex64 else torch.float64
            return torch.complex(self.empty(shape, part).uniform_(lo, hi),
                                 self.empty(shape, part).uniform_(lo, hi))
        if t.is_floating_point:
            return self.empty(shape, t).uniform_(lo, hi)
        if t == torch.bool:
            return torch.randint(0, 2, shape, device=self.device).to(t)
        lo, hi = (max(lo, 0), hi) if not t.is_signed else (lo, hi)
        hi = min(hi, 120) if t.itemsize == 1 else hi
        return torch.randint(math.ceil(lo), math.floor(hi) + 1, shape, device=self.device).to(t)

    def make(self, o):
        torch, shape, kind = self.t, tuple(o["base"]), o["kind"]
        if kind in "01t":
            return torch.full(shape, int(kind == "1"), dtype=self.dtype(o["t"]),
                              device=self.device)
        if kind == "i":
            return self.uniform(shape, "int32", o["lo"], o["hi"]).to(self.dtype(o["t"]))
        if kind in "qQ":
            return self.empty(shape, torch.float32).uniform_().argsort(-1 if kind == "q" else 0)
        a = self.uniform(shape, o["t"], o["lo"], o["hi"])
        if kind in "us":
            return a if kind == "u" else a.sort()[0]
        one = torch.eye(shape[-1], dtype=a.dtype, device=self.device)
        if kind == "h":
            return a + a.mH
        return a @ a.mH / shape[-1] + one if kind == "p" else a.tril(-1) / shape[-1] + one

    def view(self, a, text):
        return a.T if text == "T" else eval(f"a[{text}]") if text else a

    def function(self, op):
        f = getattr(self.t, self.names.get(op, op), None)
        if op in self.special:
            f = getattr(self.t.special, self.special[op])
        if f is None:
            raise NoPeer("no such function")
        return f

    def into(self, f):
        r = f()
        o = self.empty(r.shape, r.dtype)
        try:
            f(out=o)
        except (TypeError, RuntimeError):
            return f
        return lambda: f(out=o)

    def element(self, op, x, fresh=False):
        torch = self.t
        if op == "copy":
            o = self.empty(x[0].shape, x[0].dtype)
            return lambda: o.copy_(x[0])
        if op == "clip":
            return self.into(lambda **k: torch.clamp(x[0], 1, 5, **k))
        if op == "round":
            return self.into(lambda **k: torch.round(x[0], decimals=1, **k))
        if op == "positive" or op == "conj" and not x[0].is_complex():
            raise NoPeer("copies nothing")
        if op == "sign" and x[0].is_complex():
            op = "sgn"
        if op in ("gamma", "cbrt", "bitwise_count", "polygamma"):
            raise NoPeer("no such function")
        f = self.function(op)
        return (lambda: f(*x)) if fresh else self.into(lambda **k: f(*x, **k))

    def cast(self, x, t):
        o = self.empty(x.shape, self.dtype(t))
        return lambda: o.copy_(x)

    def reduce(self, op, x, axis):
        torch = self.t
        how = {} if axis is None else {"dim": axis}
        if op in ("var", "std"):
            f = getattr(torch, op)
            return lambda: f(x, correction=0, **how)
        if op.startswith("nan") and op not in ("nansum", "nanmean") or op == "ptp":
            raise NoPeer("no such function")
        f = self.function(op)
        return lambda: f(x, **how)

    def scan(self, op, x, axis):
        if op.startswith("nan"):
            raise NoPeer("no such function")
        f = self.function(op)
        if axis is None:
            x, axis = x.reshape(-1), 0
        return lambda: f(x, dim=axis)

    def draw(self, op, n, t, par):
        o = self.empty(n, self.dtype(t))
        fill = {"random": lambda: o.uniform_(), "standard_normal": lambda: o.normal_(),
                "uniform": lambda: o.uniform_(*par), "normal": lambda: o.normal_(*par),
                "exponential": lambda: o.exponential_(1 / par[0]),
                "lognormal": lambda: o.log_normal_(*par), "geometric": lambda: o.geometric_(par[0]),
                "cauchy": lambda: o.cauchy_(*par),
                "integers": lambda: o.random_(int(par[0]), int(par[1]))}.get(op)
        if op == "gamma":
            shape = self.t.full((n,), par[0], dtype=o.dtype, device=self.device)
            return lambda: self.t._standard_gamma(shape)
        if op == "poisson":
            lam = self.t.full((n,), par[0], dtype=o.dtype, device=self.device)
            return lambda: self.t.poisson(lam)
        if fill is None:
            raise NoPeer("no such distribution")
        return fill

    def product(self, op, x, y):
        torch = self.t
        if op == "matvec":
            return lambda: torch.matmul(x, y[..., None])
        if op in ("matmul", "dot"):
            return self.into(lambda **k: torch.matmul(x, y, **k))
        f = torch.linalg.vecdot if op == "vecdot" else self.function(op)
        return lambda: f(x, y)

    def method(self, op, x):
        torch, a = self.t, x[0]
        la, b = torch.linalg, x[1] if len(x) > 1 else None
        if op in ("solve", "solve16"):
            return lambda: la.solve(a, b)
        if op == "solve_triangular":
            return lambda: la.solve_triangular(a, b, upper=False)
        if op == "cho_solve":
            return lambda: torch.cholesky_solve(b, a)
        if op == "svd":
            return lambda: la.svd(a, full_matrices=False)
        if op == "lstsq":
            return lambda: la.lstsq(a, b)
        if op == "norm":
            return lambda: la.matrix_norm(a)
        if op == "trace":
            return lambda: torch.diagonal(a, dim1=-2, dim2=-1).sum(-1)
        if op == "expm":
            return lambda: la.matrix_exp(a)
        if op == "matrix_power":
            return lambda: la.matrix_power(a, 3)
        f = getattr(la, op, None)
        if f is None:
            raise NoPeer("no such function")
        return lambda: f(a)

    def expression(self, text, x):
        """By torch.compile."""
        torch = self.t
        names = {n: getattr(torch, n) for n in
                 EXPRESSION_NAMES}
        names.update(max=torch.amax, min=torch.amin)
        torch._dynamo.reset()
        f = torch.compile(eval(f"lambda x, y, z: {text.replace('axis', 'dim')}", names),
                          dynamic=False)
        f(*x)
        return lambda: f(*x)

    def vocabulary(self, op, x, axis, par):
        """rows_vocab.h's, where there is a call that means the same."""
        torch, a = self.t, x[0]
        b, c, d = (x[1:] + [None] * 3)[:3]
        k, rows, cols = (int(p) for p in par)
        pad = torch.nn.functional.pad
        t = a.clone(memory_format=torch.contiguous_format) if op in WRITES + TWINS else None
        v = (a + a)[b] if op == "mask_put" else None

        def segments():
            if a.dtype == torch.int32:
                raise NoPeer("another dtype")
            return a.new_zeros((k,) + a.shape[1:]).index_add_(0, b, a)

        def halves():
            p = torch.chunk(a, 2, axis)
            return torch.cat((p[1], p[0]), axis)

        def convolve():
            left = b.numel() - 1 - (b.numel() - 1) // 2
            return torch.nn.functional.conv1d(a[None, None], b.flip(0)[None, None],
                                              padding=left)[0, 0, :a.numel()]
        if op == "percentile5":
            d = torch.tensor((0.05, 0.25, 0.5, 0.75, 0.95), dtype=a.dtype, device=self.device)
        f = {"sort": lambda: torch.sort(a, axis)[0], "argsort": lambda: torch.argsort(a, axis),
             "topk": lambda: torch.topk(a, k, axis), "unique": lambda: torch.unique(a),
             "searchsorted": lambda: torch.searchsorted(b, a), "isin": lambda: torch.isin(a, b),
             "mask": lambda: a[b], "nonzero": lambda: torch.nonzero(a, as_tuple=True),
             "argwhere": lambda: torch.argwhere(a),
             "compress": lambda: a[:, b] if axis else a[b],
             "select": lambda: torch.where(a, c, torch.where(b, d, 0)),
             "mask_assign": lambda: t.masked_fill_(b, 1),
             "mask_put": lambda: t.masked_scatter_(b, v),
             "copyto": lambda: torch.where(b, c, t, out=t),
             "take": lambda: torch.index_select(a, axis, b),
             "take_along_axis": lambda: torch.gather(a, axis, b), "index": lambda: a[b, c],
             "put": lambda: t.put_(b, c), "put_along_axis": lambda: t.scatter_(axis, b, c),
             "assign_rows": lambda: t.index_copy_(0, b, c),
             "scatter_add": lambda: t.index_add_(0, b, c), "segment_sum": segments,
             "segment_sorted": segments, "bincount": lambda: torch.bincount(a, b),
             "median": lambda: torch.quantile(a, 0.5, axis),
             "nanmedian": lambda: torch.nanquantile(a, 0.5, axis),
             "quantile": lambda: torch.quantile(a, 0.9, axis),
             "percentile5": lambda: torch.quantile(a, d, axis),
             "histogram": lambda: torch.histc(a, 256),
             "digitize": lambda: torch.bucketize(a, b, right=True), "cov": lambda: torch.cov(a),
             "corrcoef": lambda: torch.corrcoef(a), "convolve": convolve,
             "concatenate": lambda: torch.cat((a, b), axis),
             "stack": lambda: torch.stack((a, b), axis), "tile": lambda: torch.tile(a, (2, 2)),
             "repeat": lambda: torch.repeat_interleave(a, 2, axis),
             "roll": lambda: torch.roll(a, k, axis), "flip": lambda: torch.flip(a, (axis,)),
             "rot90": lambda: torch.rot90(a).contiguous(), "pad": lambda: pad(a, (2,) * 4),
             "pad_reflect": lambda: pad(a[None], (2,) * 4, "reflect")[0],
             "transpose": lambda: a.permute(k, rows, cols).contiguous(),
             "diff": lambda: torch.diff(a, dim=axis),
             "gradient": lambda: torch.gradient(a, dim=axis)[0], "tril": lambda: torch.tril(a),
             "triu": lambda: torch.triu(a), "fill_diagonal": lambda: t.fill_diagonal_(1),
             "meshgrid": lambda: [g.contiguous() for g in torch.meshgrid(a, b, indexing="xy")],
             "broadcast_row": lambda: a.expand(rows, cols).contiguous(),
             "broadcast_col": lambda: a[:, None].expand(rows, cols).contiguous(),
             "swap_halves": halves, "softmax": lambda: torch.softmax(a, axis),
             "log_softmax": lambda: torch.log_softmax(a, axis),
             "logsumexp": lambda: torch.logsumexp(a, axis),
             "isclose": lambda: torch.isclose(a, t), "allclose": lambda: torch.allclose(a, t),
             "array_equal": lambda: torch.equal(a, t), "cdist": lambda: torch.cdist(a, b),
             "cdist_cityblock": lambda: torch.cdist(a, b, p=1),
             "fft": lambda: torch.fft.fft(a, dim=axis),
             "ifft": lambda: torch.fft.ifft(a, dim=axis),
             "rfft": lambda: torch.fft.rfft(a, dim=axis),
             "irfft": lambda: torch.fft.irfft(a, k, axis), "fft2": lambda: torch.fft.fft2(a),
             "rfft2": lambda: torch.fft.rfft2(a)}.get(op)
        if f is None:
            raise NoPeer("no such function")
        return f

    def host(self, a):
        if not hasattr(a, "resolve_conj"):
            return np.asarray(a)
        a = a.resolve_conj().cpu()
        return (a.float() if a.dtype == self.t.bfloat16 else a).numpy()


# ----------------------------------------------------------------- the timing
class Runner:
    def __init__(self, impl, lib, sync, event=None, elapsed=None, free=lambda: None, most=2 ** 28):
        self.impl, self.lib, self.sync = impl, lib, sync
        self.event, self.elapsed, self.free = event, elapsed, free
        self.kept, self.bytes, self.most = {}, 0, most
        self.small = "--small" in sys.argv

    def operand(self, o, nth):
        """The array under it, kept for other cases while there is room."""
        key = json.dumps([o["t"], o["base"], o["lo"], o["hi"], o["kind"], nth])
        if key not in self.kept:
            a = self.lib.make(o)
            self.bytes += math.prod(a.shape) * a.dtype.itemsize
            if self.bytes > self.most:
                self.kept.clear()
                self.free()
                self.bytes = math.prod(a.shape) * a.dtype.itemsize
            self.kept[key] = a
        return self.lib.view(self.kept[key], o["view"])

    def operands(self, c):
        return [self.operand(o, i) for i, o in enumerate(c["in"]) if o["kind"] != "-"]

    def call(self, c, x=None):
        """What is timed: a function without arguments."""
        kind, op, *rest = c["case"].split("/")
        x = self.operands(c) if x is None else x
        lib = self.lib
        if kind == "ew":
            return lib.element(c["form"], x)
        if kind == "cast":
            return lib.cast(x[0], c["form"])
        if kind == "red":
            return lib.reduce(c["form"], x[0], c["axis"])
        if kind == "scan":
            return lib.scan(c["form"], x[0], c["axis"])
        if kind == "rand":
            return lib.draw(c["form"], c["in"][0]["base"][0], c["in"][0]["t"], c["par"])
        if kind == "small":
            if c["of"] == "red":
                return lib.reduce(c["form"], x[0], None)
            return lib.element(c["form"], x, rest[1] == "new")
        if kind == "prod":
            return lib.product(c["form"], *x)
        if kind == "la":
            return lib.method(c["form"], x)
        if kind in VOCABULARY:
            return lib.vocabulary(CALLED.get(op, op), x, c["axis"], c["par"])
        return lib.expression(c["form"], x)

    def once(self, f):
        t = now()
        f()
        self.sync()
        return now() - t

    def capped(self, c):
        """call(), if rows.c's part_ms() allows it."""
        if not c["case"].startswith("la/") or self.small:
            return self.call(c)
        x = self.operands(c)
        n, b = x[0].shape[-1], x[0].shape[0] if x[0].ndim > 2 else 1
        if b > 1 or n >= 512:
            part = max(1, min(100, b // 100))
            times = b / part if b > 1 else 8
            few = [a[:part] if b > 1 else a[:a.shape[0] // 2] for a in x]
            if b == 1:
                few[0] = few[0][:, :n // 2]
            f = self.call(c, few)
            ms = self.once(f) * times
            ms = self.once(f) * times if ms > MOST_MS else ms
            if ms > MOST_MS:
                raise Over(ms)
        return self.call(c, x)

    def sample(self, f, n, inner, host):
        if self.event and not host:
            e = [self.event()]
            for _ in range(n):
                for _ in range(inner):
                    f()
                e.append(self.event())
            self.sync()
            return [self.elapsed(e[i], e[i + 1]) / inner for i in range(n)]
        ms = []
        for _ in range(n):
            t = now()
            for _ in range(inner):
                f()
            if not host:
                self.sync()
            ms.append((now() - t) / inner)
            if host:
                self.sync()
        return ms

    def time(self, f, kind):
        """As rows.c's time_case()."""
        gpu, small = self.event is not None, self.small
        most, batch = (2, 1) if small else (25, 7 if gpu else 3)
        host, once = kind == "small", self.once(f)
        if kind != "la" or once < 2 * MOST_MS:
            once = self.once(f)
        if once > 100:
            return once
        least = (0.02 if small else 0.5) if host else 0.1 if gpu else 0.05
        inner = 1 if once >= least else int(least / max(once, 2e-4)) + 1
        if host:
            inner = min(inner, 256)
        ms, began = [], now()
        while True:
            ms += self.sample(f, (1 if small else 2) if once > most else batch, inner, host)
            ms.sort()
            n = len(ms)
            if (n >= 35 or now() - began >= most
                    or ms[n * 3 // 4] - ms[n // 4] <= 0.02 * ms[n // 2]):
                return ms[n // 2]


def numpy_runner():
    import scipy.fft
    import scipy.linalg
    import scipy.spatial.distance
    import scipy.special
    lib = NumpyLike(np, scipy.special, scipy.linalg, {}, scipy.fft, scipy.spatial.distance)
    one = os.environ.get("OMP_NUM_THREADS") == "1"
    return Runner("numpy_1" if one else "numpy", lib, lambda: None), np.__version__


def cupy_runner():
    if option("as") == "numpy":
        r = numpy_runner()[0]
        r.impl = "cupy"
        r.lib.fuse = lambda f: f
        return r, "of NumPy"
    import cupy as cp
    import cupyx
    import cupyx.scipy.fft as fft
    import cupyx.scipy.special as sp
    la = distance = None
    try:
        import cupyx.scipy.linalg as la
        import cupyx.scipy.spatial.distance as distance
    except ImportError:
        pass
    lib = NumpyLike(cp, sp, la, {"rsqrt": cupyx.rsqrt}, fft, distance)
    lib.fuse = lambda f: cp.fuse(kernel_name="fused")(f)
    try:                        # CuPy 14 knows it where this is installed
        import ml_dtypes
        lib.bfloat16 = np.dtype(ml_dtypes.bfloat16)
    except ImportError:
        pass

    def event():
        e = cp.cuda.Event()
        e.record()
        return e
    pool = cp.get_default_memory_pool()
    return Runner("cupy", lib, cp.cuda.Device().synchronize, event, cp.cuda.get_elapsed_time,
                  pool.free_all_blocks, 2 ** 30 if option("warm") else 2 ** 34), cp.__version__


def torch_runner():
    import torch
    if not torch.cuda.is_available():
        return Runner("pytorch", Torch(torch, "cpu"), lambda: None), torch.__version__

    def event():
        e = torch.cuda.Event(enable_timing=True)
        e.record()
        return e
    runner = Runner("pytorch", Torch(torch, "cuda"), torch.cuda.synchronize, event,
                    lambda a, b: a.elapsed_time(b), torch.cuda.empty_cache,
                    2 ** 30 if option("warm") else 2 ** 34)
    return runner, torch.__version__


RUNNERS = {"numpy": numpy_runner, "cupy": cupy_runner, "pytorch": torch_runner}


def hashed(name):
    """rows.c's hash(), so that --every takes the same cases."""
    h, most = 0xcbf29ce484222325, 2 ** 64 - 1
    for b in name.encode():
        h = ((h ^ b) * 0x100000001b3) & most
    h = ((h ^ h >> 30) * 0xbf58476d1ce4e5b9) & most
    return h ^ h >> 31


def selected():
    wanted, part = option("class"), option("cases", "")
    shard, shards = (int(v) for v in option("shard", "1/1").split("/"))
    cases = [json.loads(s) for s in open(option("list"))]
    cases = [c for c in cases if part in c["case"]
             and (not wanted or c["case"].split("/")[0] in wanted.split(","))]
    cases = [c for c in cases if hashed(c["case"]) % int(option("every", 1)) == 0]
    cases.sort(key=lambda c: hashed(c["case"][::-1]))
    return cases[shard - 1::shards]


def reason(e):
    return f"{type(e).__name__}: {str(e).strip().splitlines()[0] if str(e).strip() else ''}"[:160]


def warm(runner, cases, deadline):
    """Once each, so that what the library compiles is on disk."""
    n = 0
    for c in cases:
        if time.time() > deadline:
            break
        try:
            runner.capped(c)()
            runner.sync()
            n += 1
        except Exception:
            pass
    return n


def verify(runner, cases):
    """Are the tables right? The calls' results beside NumPy's on the same
    operands; where more than a fifth of the elements differ it says so."""
    numpy_, n, wrong = numpy_runner()[0], 0, 0
    numpy_.lib.fuse = None
    for c in cases:
        kind = c["case"].split("/")[0]
        op = c["case"].split("/")[1]            # draws, factors, places are not unique
        if kind in ("rand", "la", "small") or op in ("partition", "argpartition", "argsort"):
            continue
        try:
            x = [runner.lib.host(a) for a in runner.operands(c)]
            got, want = (r[0] if isinstance(r, (tuple, list)) else r
                         for r in (runner.call(c)(), numpy_.call(c, x)()))
            got, want = runner.lib.host(got), np.asarray(want)
        except Exception:
            continue
        n += 1
        rough = 0.05 if "f16" in c["case"] else 1e-3
        same = np.isclose(got.reshape(-1).astype(complex), want.reshape(-1).astype(complex), rough,
                          rough, equal_nan=True) if got.size == want.size else np.zeros(1)
        if same.mean() < 0.8:
            wrong += 1
            print(f"rows_peers: {runner.impl} {c['case']}: {1 - same.mean():.0%} differ from "
                  f"NumPy's: {got.reshape(-1)[:3]}, {want.reshape(-1)[:3]}", file=sys.stderr)
    print(f"rows_peers: {runner.impl}: {n} cases beside NumPy, {wrong} of them wrong",
          file=sys.stderr)


def main():
    began = time.time()
    budget = float(option("budget", 1e9))
    cases = selected()
    processes = int(option("warm", 0))
    make = RUNNERS[sys.argv[1]]
    if processes:
        import subprocess
        if "--worker" not in sys.argv:
            child = [subprocess.Popen([sys.executable] + sys.argv + ["--worker", f"--part={i}"])
                     for i in range(processes)]
            status = [p.wait() for p in child]
            print(f"rows_peers: {len(cases)} cases warmed by {processes} processes in "
                  f"{time.time() - began:.0f} s, {sum(s != 0 for s in status)} of them failed",
                  file=sys.stderr)
            return
        # the cases of one row and dtype share kernels: one process has them
        mine = [c for c in cases if hashed(c["case"].rsplit("/", 1)[0]) % processes
                == int(option("part"))]
        runner, _ = make()
        warm(runner, mine, began + budget)
        return
    path = option("out")
    runner, version = make()
    if "--verify" in sys.argv:
        return verify(runner, cases)
    done = set()
    for p in (path, f"{path}.none"):
        if path and os.path.exists(p):
            for s in open(p):
                d = json.loads(s)
                if d.get("impl") == runner.impl:
                    done.add(d["case"])
    out = open(path, "a") if path else sys.stdout
    none = open(f"{path}.none", "a") if path else sys.stderr
    print(json.dumps({"version": {runner.impl: version}}), file=out)
    ran = missing = left = over = 0
    for c in cases:
        if c["case"] in done:
            continue
        if time.time() - began > budget:
            left += 1
            continue
        try:
            ms = runner.time(runner.capped(c), c["case"].split("/")[0])
            print(f'{{"case": "{c["case"]}", "impl": "{runner.impl}", "median_ms": {ms:.4g}}}',
                  file=out, flush=True)
            ran += 1
        except Over as e:
            print(f'{{"case": "{c["case"]}", "impl": "{runner.impl}", "over_ms": {e.args[0]:.3g}}}',
                  file=out, flush=True)
            over += 1
        except Exception as e:      # not there, another dtype, out of memory
            print(json.dumps({"case": c["case"], "impl": runner.impl, "none": reason(e)}),
                  file=none, flush=True)
            missing += 1
            if "out of memory" in str(e).lower() or type(e).__name__ == "OutOfMemoryError":
                runner.kept.clear()
                runner.bytes = 0
                runner.free()
            if any(w in str(e) for w in ("illegal memory", "device-side assert", "launch failure")):
                print(f"rows_peers: {c['case']} broke the device's context: {e}", file=sys.stderr)
                return
    print(f"rows_peers: {runner.impl}: {ran} cases in {time.time() - began:.0f} s, {missing} not "
          f"there, {over} over, {left} left", file=sys.stderr)


main()
