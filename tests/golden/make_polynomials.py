"""Writes polynomials.bin: what NumPy makes of polynomials and windows.

    python make_polynomials.py

Needs what make_golden.py needs. Names: <function>/<k>/<operand>, and /out,
/out2 ... for the results; values of polynomials in floating point are computed
in float64 or complex128 and rounded once, their rounding errors are measured
by /mag, the same of absolute values. Windows: mpmath's, in 40 digits.
"""
import mpmath
import numpy as np

from make_golden import Writer, rng

TYPES = ["bool", "int8", "uint16", "int32", "uint64", "int64", "float16",
         "float32", "float64", "complex64", "complex128"]


def values(key, t, shape):
    g = rng(key)
    if t == "bool":
        return g.random(shape) < .6
    if t[0] in "iu":
        i = np.iinfo(t)
        return g.integers(max(i.min, -99), min(i.max, 99), shape, t,
                          endpoint=True)
    x = g.standard_normal(shape)
    if t[0] == "c":
        x = x + 1j * g.standard_normal(shape)
    return x.astype(t)


def wide(x):
    return x.astype({"c": np.complex128, "f": np.float64}.get(x.dtype.kind,
                                                              x.dtype))


def polyval(w):
    k = 0
    for tp in TYPES:
        for tx in (tp, "float32", "int64"):
            for n, shape in ((7, (5, 6)), (1, (3,)), (0, (4,)), (12, ())):
                if tx != tp and n != 7:
                    continue
                p, x = values(f"p{k}", tp, (n,)), values(f"x{k}", tx, shape)
                t = np.result_type(p, x)
                if n == 0 and tp == "bool":
                    continue
                if t.kind in "fc":
                    out = np.polyval(wide(p), wide(x)).astype(t)
                    mag = np.polyval(abs(wide(p)), abs(wide(x)))
                    w.put(f"polyval/{k}/mag", np.asarray(mag, np.float64))
                else:
                    out = np.asarray(np.polyval(p, x)).astype(t)
                w.put(f"polyval/{k}/p", p)
                w.put(f"polyval/{k}/x", x)
                w.put(f"polyval/{k}/out", out)
                k += 1


PAIRS = [([1, 2, 3], [9, 5, 1]), ([0, 0, 1, 2], [3]), ([1.5, 0, -2], [0, 0]),
         ([2], [1, 2, 3, 4, 5]), ([1 + 2j, 3, 4j], [1, -1j]),
         ([1., 2., 0., 0.], [2., 1.]), ([0, 0], [0]),
         (np.array([1, 2, 3], np.int8), np.array([100, 50], np.int8)),
         (np.array([1, -2, 3, 7], np.float32), np.array([3, 1], np.float32)),
         (np.array([1, -2, 3, 7], np.complex64), np.array([3, 1], np.float32)),
         (np.array([True, False, True]), np.array([True, True]))]


def pairs(w):
    for k, (a, b) in enumerate(PAIRS):
        a, b = np.array(a), np.array(b)
        w.put(f"pair/{k}/a", a)
        w.put(f"pair/{k}/b", b)
        w.put(f"pair/{k}/add", np.polyadd(a, b))
        w.put(f"pair/{k}/mul", np.polymul(a, b))
        if b.size and b[0] != 0:
            q, r = np.polydiv(a, b)
            w.put(f"pair/{k}/div", q)
            w.put(f"pair/{k}/rest", r)
    g = rng("long")
    a, b = g.standard_normal(300), g.standard_normal(21)
    b[0] = 40
    q, r = np.polydiv(a, b)
    for name, v in (("a", a), ("b", b), ("add", np.polyadd(a, b)),
                    ("mul", np.polymul(a, b)), ("div", q), ("rest", r)):
        w.put(f"pair/{len(PAIRS)}/{name}", v)


def calculus(w):
    k = 0
    for t in ("bool", "int32", "int64", "float32", "float64", "complex64"):
        for n in (0, 1, 2, 6):
            for m in (0, 1, 2, 3):
                p = values(f"c{t}{n}", t, (n,))
                w.put(f"calc/{k}/p", p)
                w.put(f"calc/{k}/m", np.int64(m))
                if n or m == 0:
                    w.put(f"calc/{k}/der", np.polyder(p, m))
                w.put(f"calc/{k}/int", np.polyint(p, m))
                w.put(f"calc/{k}/int5", np.polyint(p, m, 5))
                w.put(f"calc/{k}/intk", np.polyint(p, m, [1.5, 2, -3]))
                k += 1


def roots(w):
    lists = [[1, -6, 11, -6], [0, 0, 1, 0, -4, 0, 0], [], [0, 0], [5], [5, 0],
             [1, 0, 1], [1j, 2, 3 - 1j, 4], list(np.poly(np.arange(1, 8.))),
             [2, -3]]
    for k, p in enumerate(lists):
        p = np.array(p, float) if not p else np.array(p)
        w.put(f"roots/{k}/p", p)
        mpmath.mp.dps = 60
        s = np.trim_zeros(p)
        r = [] if s.size < 2 else mpmath.polyroots(
            [mpmath.mpc(complex(v)) for v in s], 500, extraprec=300)
        r = [complex(v) for v in r]
        nz = np.flatnonzero(p)
        r += [0j] * (p.size - 1 - nz[-1] if nz.size else 0)
        w.put(f"roots/{k}/out", np.array(r, complex))


def fits(w):
    g = rng("fit")
    k = 0
    for t in ("float64", "float32", "int32", "complex128", "float16"):
        for deg in (0, 1, 3):
            for cols in (0, 2):
                n = 12
                x = (np.linspace(-2, 3, n) * (10 if t == "int32" else 1)
                     ).astype(t)
                if t[0] == "c":
                    x = x + 1j * g.standard_normal(n)
                y = g.standard_normal((n, cols) if cols else n)
                y = (y * 20).astype("int32" if t == "int32" else
                                    t if t[0] == "c" else "float64")
                for wt in (None, g.random(n) + .5):
                    key = f"fit/{k}"
                    X = x.astype("float64") if t == "float16" else x
                    real = t[0] != "c"
                    c, res, rank, s, rcond = np.polyfit(X, y, deg, full=True,
                                                        w=wt)
                    w.put(f"{key}/x", x)
                    w.put(f"{key}/y", y)
                    w.put(f"{key}/deg", np.int64(deg))
                    if wt is not None:
                        w.put(f"{key}/w", wt)
                    w.put(f"{key}/out", c)
                    w.put(f"{key}/residuals", np.asarray(res))
                    w.put(f"{key}/rank", np.int64(rank))
                    if real:
                        w.put(f"{key}/s", s)
                        w.put(f"{key}/cov", np.polyfit(X, y, deg, w=wt,
                                                       cov=True)[1])
                        w.put(f"{key}/unscaled",
                              np.polyfit(X, y, deg, w=wt, cov="unscaled")[1])
                    k += 1


def windows(w):
    mpmath.mp.dps = 40
    pi, cos = mpmath.pi, mpmath.cos
    for m in (2, 3, 8, 51):
        r = [mpmath.mpf(2 * i - (m - 1)) / (m - 1) for i in range(m)]

        def put(name, f):
            w.put(f"{name}/{m}", np.array([float(f(v)) for v in r]))
        put("bartlett", lambda v: 1 - abs(v))
        put("hanning", lambda v: (1 + cos(pi * v)) / 2)
        put("hamming", lambda v: mpmath.mpf("0.54") + mpmath.mpf("0.46")
            * cos(pi * v))
        put("blackman", lambda v: mpmath.mpf("0.42") + cos(pi * v) / 2
            + mpmath.mpf("0.08") * cos(2 * pi * v))
        for b in (0, 1, -5, 8, 14, 300):
            put(f"kaiser/{b}", lambda v: mpmath.besseli(0, b * mpmath.sqrt(
                1 - v * v)) / mpmath.besseli(0, b))


w = Writer("polynomials.bin")
polyval(w)
pairs(w)
calculus(w)
roots(w)
fits(w)
windows(w)
w.close()
