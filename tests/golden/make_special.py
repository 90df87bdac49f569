"""Writes special.bin: the rows of cost OWN, and what NumPy asks of infinities
and complex numbers.

    python make_special.py

Needs what make_golden.py needs, which test_values.c reads too; names as there:
<op>/<dtype>/x, /x2, and /hi, /lo or, of truth values, /y. Truth is mpmath's to
60 digits or more; SciPy's where an operand or the result is 0, infinite or
NaN. Beside them
    .../size    what errors are relative to where that is not the result: the
                amplitude of a Bessel function, the largest of what cancels,
                the result and more of it where operands are ill-conditioned
"""
import math

import numpy as np
import scipy.special as sp
from make_golden import (FLOATS, LARGEST, NAMES, NORMAL, OWN_UNARY, ROWS, TINY,
                         TRUTHS, Writer, mp, put_truth, real_truth, rng, spread,
                         store, wide)


def mp_digamma(x):
    if x <= 0 and x == mp.floor(x) or abs(x) > 1e15:
        return None if x <= 0 else mp.log(x)
    return mp.digamma(x)


def mp_ndtr(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2 if abs(x) < 1e3 else None


def mp_log_ndtr(x):
    if x < -1e3:                    # Mills' ratio
        s = mp.fsum((-1) ** k * mp.fac2(2 * k - 1) / x ** (2 * k)
                    for k in range(9))
        return -x * x / 2 - mp.log(-x) - mp.log(2 * mp.pi) / 2 + mp.log(s)
    if x > 1e3:
        return None
    r = mp.erfc(abs(x) / mp.sqrt(2)) / 2
    return mp.log(r) if x < 0 else mp.log1p(-r)


def mp_ndtri(p):
    if not 0 < p < 1:
        return None
    if p == 0.5:
        return mp.mpf(0)
    q = min(p, 1 - p)
    z = -mp.mpf(float(sp.ndtri(float(q))))
    for _ in range(8):              # Newton's, on the logarithm of the tail
        t = mp.erfc(z / mp.sqrt(2)) / 2
        z += mp.log(t / q) * t * mp.sqrt(2 * mp.pi) * mp.exp(z * z / 2)
    return -z if p < 0.5 else z


def mp_logit(x):
    return mp.log(x / (1 - x)) if 0 < x < 1 else None


def mp_entr(x):
    return -x * mp.log(x) if x > 0 else None


def bessel(f, n, lo=None):
    def g(x):
        if abs(x) > 1e12 or (lo is not None and x <= lo):
            return None
        return f(n, x).real
    return g


def scaled(n):
    def g(x):
        if abs(x) > 1e6:
            return None
        with mp.workdps(60 + int(abs(x) if abs(x) < 300 else 300)):
            return mp.besseli(n, x) * mp.exp(-abs(x))
    return g


def mp_besseli(n):
    return lambda x: mp.besseli(n, x) if abs(x) < 800 else None


def mp_xlogy(x, y):
    return x * mp.log(y) if y > 0 else None


def mp_xlog1py(x, y):
    return x * mp.log1p(y) if y > -1 else None


def mp_rel_entr(x, y):
    return x * mp.log(x / y) if x > 0 and y > 0 else None


def mp_beta(a, b):
    for v in (a, b, a + b):
        if v <= 0 and v == mp.floor(v) or abs(v) > 1e18:
            return None
    if max(a, b) > 1e5 and min(a, b) > 0:
        with mp.workdps(100):
            return mp.exp(mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b))
    with mp.workdps(100):
        return mp.gamma(a) * mp.gamma(b) / mp.gamma(a + b)


def mp_betaln(a, b):
    r = mp_beta(a, b)
    return None if r is None else mp.log(abs(r))


def mp_lower(a, x):
    """The regularized lower function by its series of positive terms."""
    with mp.workdps(500):
        t = s = 1 / a
        r = a
        while t > s * mp.mpf(10) ** -480:
            r += 1
            t *= x / r
            s += t
        return s * mp.exp(a * mp.log(x) - x - mp.loggamma(a))


def mp_gammainc(upper):
    def f(a, x):
        if a <= 0 or x <= 0 or x > 3e4 or a > 3e4:
            return None
        if upper and x > a + 1000:
            with mp.workdps(80):
                return mp.gammainc(a, x, mp.inf, regularized=True)
        r = mp_lower(a, x)
        with mp.workdps(500):
            return 1 - r if upper else r
    return f


def mp_zeta(s, q):
    if s <= 1 or q <= 0 and (q == mp.floor(q) or s != mp.floor(s)):
        return None
    if q < 0:
        n = int(-mp.floor(q))
        return mp.zeta(s, q + n) + mp.fsum((q + k) ** -s for k in range(n))
    if s > 300:
        return mp.fsum((q + k) ** -s for k in range(100)) if q < 1e3 else None
    with mp.workdps(60 + int(s * (2 + abs(mp.log10(q))))):
        return mp.zeta(s, q)


def mp_polygamma(n, x):
    if n != mp.floor(n) or n < 0:
        return None
    if n == 0:
        return mp_digamma(x)
    r = mp_zeta(n + 1, x)
    return None if r is None else -(-1) ** int(n) * mp.factorial(n) * r


MP = {
    "digamma": mp_digamma, "entr": mp_entr, "ndtr": mp_ndtr,
    "ndtri": mp_ndtri, "log_ndtr": mp_log_ndtr, "logit": mp_logit,
    "j0": bessel(mp.besselj, 0), "j1": bessel(mp.besselj, 1),
    "y0": bessel(mp.bessely, 0, 0), "y1": bessel(mp.bessely, 1, 0),
    "i0": mp_besseli(0), "i1": mp_besseli(1), "i0e": scaled(0),
    "i1e": scaled(1), "xlogy": mp_xlogy, "xlog1py": mp_xlog1py,
    "rel_entr": mp_rel_entr, "beta": mp_beta, "betaln": mp_betaln,
    "gammainc": mp_gammainc(False), "gammaincc": mp_gammainc(True),
    "zeta": mp_zeta, "polygamma": mp_polygamma,
}


# What errors are relative to: of the result r and the operands.
def amplitude(r, x):
    return max(abs(r), math.sqrt(2 / math.pi / abs(x)) if x else 0)


def gamma_size(r, a, x):
    return abs(r) * (1 + (abs(math.log(abs(r))) / 4 if r and a > 500 else 0))


def digamma_size(r, x):
    return max(abs(r), abs(math.log(1 - x))) if x < 0 else abs(r)


def zeta_size(r, s, q):
    if q > 0:
        return abs(r)
    f = q - math.floor(q)
    return max(abs(r), f ** -s, (1 - f) ** -s)


def polygamma_size(r, n, x):
    if n == 0:
        return digamma_size(r, x)
    return zeta_size(r, n + 1, x) if x > 0 else max(
        abs(r), math.gamma(n + 1) * zeta_size(0, n + 1, x))


def sensitive(*args):
    """How much relative changes of gamma's arguments change its logarithm."""
    return sum(abs(v * float(sp.digamma(v))) for v in args
               if v > 0 or v != math.floor(v))


def beta_size(r, a, b):
    return abs(r) * (1 if min(a, b) > 0 else 1 + sensitive(a, b, a + b) / 4)


def betaln_size(r, a, b):
    m = min(a, b)
    return max(1, abs(r), m if m > 0 else sensitive(a, b, a + b))


SIZE = {"j0": amplitude, "j1": amplitude, "y0": amplitude, "y1": amplitude,
        "digamma": digamma_size, "zeta": zeta_size, "beta": beta_size,
        "polygamma": polygamma_size, "betaln": betaln_size,
        "gammainc": gamma_size, "gammaincc": gamma_size}


def unary_inputs(op, t, n):
    g = rng(f"{op}/{t}")
    r = ROWS[op]
    lo, hi = float(r.lo), float(r.hi)
    inf = math.inf
    parts = [[0.0, -0.0, 1, -1, 0.5, 2, inf, -inf, math.nan, LARGEST[t],
              -LARGEST[t], TINY[t], NORMAL[t], -NORMAL[t]],
             g.uniform(lo, hi, n), spread(g, t, n // 2)]
    near = {
        "digamma": [1.4616321449683622, 1.46, 1.4617, 1.99999, 2.00001, 10,
                    -0.504, -0.5, -1.5734984731623904, -2.61, -10.3, -99.9,
                    1e-5, 0.999, 1.001, -1e-5, -1e-3],
        "entr": [0.99, 1.01, 1e-30, 2.718],
        "ndtr": [-5, -14, -37, -38, 5, 8.2, 1e-8],
        "ndtri": [1e-5, 1e-10, 1e-37, 1e-300, 5e-324, 0.499, 0.501, 0.99,
                  0.9999, 1 - 1e-6, 1 - 1e-15, 0.02425, 0.0006, 2e-8, 6e-44],
        "log_ndtr": [-1e3, -50, -500, 5, 8, 12, -1e-3, 1e-3],
        "logit": [1e-300, 1e-30, 0.299, 0.301, 0.649, 0.651, 0.49999, 0.50001,
                  0.99999, 1 - 1e-15],
    }.get(op, [])
    if op[0] in "jy":
        zeros = sp.jn_zeros(int(op[1]), 12) if op[0] == "j" else (
            sp.yn_zeros(int(op[1]), 12))
        near = [*zeros, *(zeros * (1 + 1e-6)), 4.999, 5.001, 8, 100, 1e3, 1e5,
                12345.678, 1e-3, 1e-8, 4e4]
    if op[0] == "i":
        near = [7.999, 8.001, -7.999, 50, -80, 88, 95, 500, 700, 712, -715,
                1e-3, 1e-8, 30, 1e5]
    parts.append(near)
    if op in ("digamma", "logit", "ndtri", "entr"):
        parts.append(np.abs(spread(g, t, n // 2)))
    x = np.concatenate([np.asarray(p, float) for p in parts])
    if op == "digamma":             # where x itself is coarser than a period
        x = x[~((x < -200) & np.isfinite(x))]
    if op[0] in "jy":
        x = x[~((abs(x) > 1e6) & np.isfinite(x))]
    return [store(x, t)]


def binary_inputs(op, t, n):
    g = rng(f"{op}/{t}")
    r = ROWS[op]
    lo, hi = float(r.lo), float(r.hi)
    inf = math.inf
    s = np.array([0, 1, 2.5, inf, math.nan, NORMAL[t]])
    a, b = [v.ravel() for v in np.meshgrid(s, s)]
    pairs = [(a, b), (g.uniform(lo, hi, n), g.uniform(lo, hi, n))]
    far = (abs(spread(g, t, n // 2)), abs(spread(g, t, n // 2)))
    if op in ("xlogy", "xlog1py", "rel_entr"):
        x = g.uniform(lo, hi, n // 2)
        pairs += [far, (x, x * g.uniform(0.99, 1.01, n // 2)),
                  (x, g.uniform(0.9, 1.1, n // 2)), (-x, x),
                  (x, 1e-6 * x), (x, -x)]
    if op in ("beta", "betaln"):
        e = np.exp(g.uniform(-9, 9, (2, n)))
        pairs += [(e[0], e[1]), (g.uniform(0, 1, n // 2), e[0, :n // 2]),
                  (-e[1, :10] % 7 - 7, e[0, :10] % 5),
                  ([1, 1, 2, -3, -3, 1, 40], [1, 7, 2, 2, 2.5, 1.001, 50])]
    if op.startswith("gammainc"):
        e = np.exp(g.uniform(-6, 6, n))
        m = np.exp(g.uniform(3, 8, n))
        pairs += [(e, e * np.exp(g.uniform(-2, 2, n))),
                  (m, m * g.uniform(0.55, 1.45, n)),
                  (m, m + np.sqrt(m) * g.uniform(-6, 6, n)),
                  (g.uniform(0, 1.2, n), g.uniform(0, 1.2, n)),
                  (g.uniform(0, 1.2, n), g.uniform(0, 12, n)),
                  ([1e-5, 1e-10, 0.5, 20, 20.1, 150, 150], [1, 1e-5, 1e-9, 20,
                                                           20.1, 1, 700])]
    if op == "zeta":
        pairs += [(1 + np.exp(g.uniform(-9, 4, n)), np.exp(g.uniform(-5, 6, n))),
                  (np.round(g.uniform(2, 9, 12)), g.uniform(-9, 0, 12)),
                  ([2, 4, 1.5, 2, 60, 30, 2], [1, 1, 1, 1e5, 1, 10, 11])]
    if op == "polygamma":
        pairs[1] = (np.round(pairs[1][0]), pairs[1][1])
        pairs += [(np.round(g.uniform(0, 5, n)), np.exp(g.uniform(-3, 6, n))),
                  (np.round(g.uniform(1, 5, 12)), g.uniform(-9, 0, 12)),
                  ([1, 2, 3, 20, 1.5, -1], [1, 1, 0.5, 30, 2, 2])]
    a, b = [np.concatenate([np.asarray(p[i], float) for p in pairs])
            for i in range(2)]
    if op in ("beta", "betaln") or op.startswith("gammainc") or op in (
            "zeta", "polygamma"):
        keep = ~((a == NORMAL[t]) & (b == NORMAL[t]))
        a, b = a[keep], b[keep]
    return [store(a, t), store(b, t)]


def scipy_of(op):
    if op == "polygamma":
        return lambda n, x: np.where(
            (n == np.floor(n)) & (n >= 0), sp.polygamma(n, x), math.nan)
    return getattr(sp, {"digamma": "digamma"}.get(op, op))


def ours(op, *args):
    """What the library gives where SciPy's answer is none, or None."""
    inf, x = math.inf, args[0]
    if any(map(math.isnan, args)):
        return math.nan
    if op in ("j0", "j1", "y0", "y1") and abs(x) == inf and (
            op[0] == "j" or x > 0):
        return math.copysign(0, x) if op == "j1" else 0
    if op in ("i0", "i1") and abs(x) == inf:
        return x if op == "i1" else inf
    if op in ("i1", "i1e") and x == 0:
        return x
    if op == "beta" and args == (inf, inf):
        return 0
    if op == "betaln" and args == (inf, inf):
        return -inf
    if op == "zeta" and x == inf and args[1] > 1:
        return 0
    return None


def put_row(w, op):
    for t in FLOATS:
        n = {"float64": 40, "float32": 30}.get(t, 10)
        xs = (unary_inputs if op in UNARY else binary_inputs)(op, t, n)
        key = f"{op}/{t}"
        with np.errstate(all="ignore"):
            hi, lo = real_truth(op, t, MP[op], scipy_of(op), *xs)
        for i, args in enumerate(zip(*[wide(x).astype(float) for x in xs])):
            if (v := ours(op, *args)) is not None:
                hi[i], lo[i] = v, 0
        for name, x in zip(("x", "x2"), xs):
            w.put(f"{key}/{name}", x)
        put_truth(w, key, hi, lo, t)
        if op in SIZE:
            args = zip(*[wide(x).astype(float) for x in xs])
            w.put(f"{key}/size", np.array(
                [SIZE[op](r, *a) if math.isfinite(r) and all(
                    map(math.isfinite, a)) else abs(r)
                 for r, a in zip(hi, args)]))


UNARY = [n for n in MP if n in OWN_UNARY]
def put_truths(w):
    inf, nan = math.inf, math.nan
    for op in TRUTHS:
        f = getattr(np, op)
        for t in NAMES:
            if t.startswith("complex") and "inf" in op:
                continue
            v = np.array([0, 1, 2, 3, 0, 1, 1], float)
            if t[0] in "fbc" and t != "bool":
                v = np.array([0.0, -0.0, 1, inf, -inf, nan, -2])
            if t.startswith("complex"):
                v = v + np.array([0, 1, 0, inf, nan, -0.0, -3]) * 1j
                v[0] = complex(0.0, -0.0)
            x = store(v, t)
            w.put(f"{op}/{t}/x", x)
            w.put(f"{op}/{t}/y", f(wide(x)))


if __name__ == "__main__":
    w = Writer("special.bin")
    for op in MP:
        print(op, flush=True)
        put_row(w, op)
    put_truths(w)
    w.close()
