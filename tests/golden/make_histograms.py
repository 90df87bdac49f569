"""Writes histograms.bin: calls, operands and NumPy's results.

    python make_histograms.py

Needs what make_golden.py needs; committed for the same reasons. Names, k being
a call's number:
    <k>/call    its name, then numbers, as test_histograms.c reads them
    <k>/x /y /w operands
    <k>/b<i>    the bins of axis i: edges, or as text "count ranged lo hi rule"
    <k>/out     the result
    <k>/e<i>    the edges of axis i
"""
import warnings

import numpy as np
from make_golden import Writer, rng

RULES = ["", "auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"]
REAL = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
        "uint64", "float16", "float32", "float64"]


def data(g, t, n, spread=1.0):
    if t == "bool":
        return g.random(n) < .4
    if t[0] in "iu":
        i = np.iinfo(t)
        return g.integers(max(i.min, -40), min(i.max, 90), n).astype(t)
    return (g.standard_normal(n) * spread).astype(t)


class Calls:
    def __init__(self, w):
        self.w, self.k = w, 0

    def add(self, call, xs, out, bins=(), edges=()):
        k = self.k
        self.k += 1
        self.w.put(f"{k}/call", call)
        for name, x in xs.items():
            if x is not None:
                self.w.put(f"{k}/{name}", np.asarray(x))
        for i, b in enumerate(bins):
            if isinstance(b, str):
                self.w.put(f"{k}/b{i}", b)
            else:
                self.w.put(f"{k}/b{i}", np.asarray(b))
        self.w.put(f"{k}/out", np.asarray(out))
        for i, e in enumerate(edges):
            self.w.put(f"{k}/e{i}", np.asarray(e))


def histogram(c, x, bins, range=None, w=None, density=False):
    out, e = np.histogram(x, bins, range, density or None, w)
    if isinstance(bins, str):
        b = f"0 {int(range is not None)} {range[0] if range else 0!r} " \
            f"{range[1] if range else 0!r} {RULES.index(bins)}"
    elif np.ndim(bins):
        b = bins
    else:
        b = f"{bins} {int(range is not None)} {range[0] if range else 0!r} " \
            f"{range[1] if range else 0!r} 0"
    c.add(f"histogram {int(density)}", {"x": x, "w": w}, out, [b], [e])


def histogramdd(c, sample, bins, range=None, w=None, density=False):
    out, e = np.histogramdd(sample, bins, range, density, w)
    r = range or [None] * len(bins)
    texts = [b if np.ndim(b) else
             f"{b} {int(q is not None)} {q[0] if q else 0!r} "
             f"{q[1] if q else 0!r} 0" for b, q in zip(bins, r)]
    c.add(f"histogramdd {int(density)}", {"x": sample, "w": w}, out, texts, e)


def histograms(c, g):
    for t in REAL:
        x = data(g, t, 40)
        histogram(c, x, 7)
        histogram(c, x, 10, (0, 8))
        histogram(c, x.reshape(4, 10), [0, 1, 1, 2.5, 30] if t[0] == "f"
                  else np.array([0, 1, 1, 3, 70]).astype(
                      "uint8" if t == "bool" else t))
        histogram(c, x, 5, (-1.5, 1), x)
    for t in ["float16", "float32", "float64"]:
        e = np.linspace(-1, 1, 33).astype(t)    # on the edges, and beside them
        x = np.concatenate([e, np.nextafter(e, e.dtype.type(9)),
                            np.nextafter(e, e.dtype.type(-9))])
        histogram(c, x, 32, (-1, 1))
        histogram(c, x, e)
        histogram(c, np.append(x, [np.nan, np.inf, -np.inf]).astype(t), 32,
                  (-1, 1))
        histogram(c, x, 3, (.1, .7))
    x = (g.random(120) * 1e-3 + 1000).astype("float32")
    histogram(c, x, 4)
    histogram(c, np.full(5, 3, "float32"), 4)
    histogram(c, np.full(5, 3), 4)
    histogram(c, np.zeros(0, "float32"), 3)
    histogram(c, np.array([2**62, 2**62 + 1, 2**62 + 3, -5]),
              np.array([-9, 2**62 + 1, 2**62 + 2, 2**62 + 3]))
    histogram(c, g.integers(-2**63, 2**63 - 1, 50), 6)
    histogram(c, np.array([0, 5e-324, 1e-320]), 5)
    for t in ["int32", "uint8", "bool", "float32", "float64", "complex64",
              "complex128"]:
        x, w = data(g, "float64", 30), data(g, t[:1] == "c" and "float64" or t, 30)
        if t[0] == "c":
            w = (w + 1j * data(g, "float64", 30)).astype(t)
        histogram(c, x, 6, (-2, 2), w)
        if t != "bool":             # NumPy cannot
            histogram(c, x, [-2, 0, .25, 2], None, w)
            histogram(c, x, 6, None, w, True)
    histogram(c, data(g, "float32", 50), 6, None, None, True)
    for rule in RULES[1:]:
        for t in ["float32", "float64", "int32"]:
            histogram(c, data(g, t, 60, 3), rule)
        histogram(c, data(g, "float64", 50), rule, (-.5, 2))
        histogram(c, np.full(9, 2.5), rule)
        histogram(c, np.array([1.5]), rule)
    for d, t in [(1, "float64"), (2, "float32"), (3, "float64"), (2, "int32")]:
        s = data(g, t, 30 * d).reshape(30, d)
        histogramdd(c, s, [3, 4, 2][:d])
        histogramdd(c, s, [3, [-1., 0, .5, 2], 2][:d], None,
                    data(g, "float32", 30))
        histogramdd(c, s, [3, 4, 2][:d], [(-1, 1), (0, 2), (-3, 3)][:d], None,
                    True)


def counts(c, g):
    for t in ["bool", "int8", "uint8", "int16", "int32", "uint32", "int64",
              "uint64"]:
        x = np.abs(data(g, t, 25)) if t != "bool" else data(g, t, 25)
        safe = x.astype("int64") if t == "uint64" else x
        c.add("bincount 0", {"x": x}, np.bincount(safe))
        c.add("bincount 120", {"x": x}, np.bincount(safe, minlength=120))
        w = data(g, "float32", 25)
        c.add("bincount 3", {"x": x, "w": w}, np.bincount(safe, w, 3))
    c.add("bincount 4", {"x": np.zeros(0, "int64")},
          np.bincount(np.zeros(0, "int64"), minlength=4))
    for t in ["int16", "int64", "float16", "float32", "float64"]:
        x = data(g, t, 20, 20)
        for e in [[-3, 0, 0, 4, 30], [30, 4, 4, 1, -20], [2], [5, 5]]:
            for right in 0, 1:
                c.add(f"digitize {right}", {"x": x.reshape(2, 10),
                                            "y": np.array(e, t)},
                      np.digitize(x.reshape(2, 10), np.array(e, t), right))


def products(c, g):
    sizes = [(1, 1), (5, 2), (2, 5), (7, 7), (20, 4), (4, 20), (21, 5)]
    for t in REAL + ["complex64", "complex128"]:
        for n, m in sizes:
            for i, mode in enumerate(["full", "same", "valid"]):
                if (n + m + i) % 5 and t not in ("float32", "complex128"):
                    continue
                a, v = (data(g, t if t[0] != "c" else "float64", k, 3)
                        for k in (n, m))
                if t[0] == "c":
                    a = (a + 1j * data(g, "float64", n)).astype(t)
                    v = (v - 2j * data(g, "float64", m)).astype(t)
                c.add(f"correlate {i}", {"x": a, "y": v},
                      np.correlate(a, v, mode))
                c.add(f"convolve {i}", {"x": a, "y": v},
                      np.convolve(a, v, mode))


def interps(c, g):
    def one(x, xp, fp, left=None, right=None, period=None):
        out = np.interp(x, xp, fp, left, right, period)
        z = [0 if v is None else v for v in (left, right)]
        c.add(f"interp {int(left is not None)} {z[0].real} {z[0].imag} "
              f"{int(right is not None)} {z[1].real} {z[1].imag} "
              f"{period or 0}",
              {"x": x, "y": xp, "w": fp}, out)

    xp = np.sort(g.standard_normal(9))
    for t in REAL:
        one(data(g, t, 40).reshape(5, 8), xp, g.random(9))
    x = np.array([np.nan, -np.inf, np.inf, -1, 0, 1, 1.5, 2, 2.5, 3, 4])
    for fp in [[1, 2, 3], [1, np.nan, 3], [np.inf, np.inf, 3],
               [1, np.inf, -np.inf], [1 + 2j, 3 - 1j, np.inf]]:
        fp = np.array(fp)
        one(x, np.array([0, 2., 3.]), fp)
        one(x, np.array([-np.inf, 2., np.inf]), fp)
        one(x, np.array([0, 2., 2.]), fp, 7.0, -7.0)
    one(x, np.array([1]), np.array([5.0]), -1.0, None)
    one(x, np.array([1]), np.array([5 + 1j]), None, 2 - 3j)
    one(x[3:], np.array([190.5, -190, 350, -350]), np.array([5, 10, 3, 4]),
        None, None, 360.0)
    one(np.linspace(-900, 900, 50), np.array([190.5, -190, 350, -350]),
        np.array([5, 10, 3, 4j]), None, None, -360.0)
    one(g.standard_normal(300).astype("float32"),
        np.sort(g.standard_normal(800)).astype("float32"),
        g.random(800).astype("float32"))


def unwraps(c, g):
    for t in [t for t in REAL if t[0] in "if"]:
        x = data(g, t, 24, 9).reshape(3, 8)
        for axis in 0, 1:
            for period in ([7, 8] if t[0] != "f" else [2 * np.pi, 3.5]):
                for discont in None, 5:
                    text = f"unwrap {axis} {int(t[0] != 'f')} {period!r} " \
                        f"{0 if discont is None else discont!r}"
                    c.add(text, {"x": x}, np.unwrap(x, discont, axis,
                                                    period=period))
    x = np.array([0, np.pi, 0, -np.pi, 5, -5, 40])
    c.add("unwrap 0 0 0 0", {"x": x}, np.unwrap(x))


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    g = rng("histograms")
    w = Writer("histograms.bin")
    c = Calls(w)
    histograms(c, g)
    counts(c, g)
    products(c, g)
    interps(c, g)
    unwraps(c, g)
    w.close()


if __name__ == "__main__":
    main()
