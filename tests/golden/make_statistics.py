"""Writes statistics.bin: NumPy's order statistics, SciPy's scores.

    python make_statistics.py

Needs what make_golden.py needs. Names, t a dtype, k counting cases, m a method
by its place in the library's enumeration:
    t/k/x  t/k/q                rows, of floats the second with NaNs; q
    t/k/m/one  /array           of each q as a number, one below the other, and
                                of all of them as an array
    t/k/m/nan_one /nan_array    the same without NaNs
    t/k/median  /nanmedian
    w/k/x /w /q  /out /nan_out  with weights
    a/k/x /w  /out /sum         average along axis 1, w/k by the axis or by x
    c/k/x  [/y] [/f] [/a]  /out cov, /columns that of the transposes with ddof 0
    c/k/corr                    corrcoef
    z/k/x  /out /omit           zscore along axis 1 with ddof 1
"""
import warnings

import numpy as np
import scipy.stats
from make_golden import Writer, rng

METHODS = """linear inverted_cdf averaged_inverted_cdf closest_observation
    interpolated_inverted_cdf hazen weibull median_unbiased normal_unbiased
    lower higher midpoint nearest""".split()
PICKS = "inverted_cdf closest_observation lower higher nearest".split()
Q = np.array([0, .1, .25, .5, .77, 1])
FLOATS = ["float16", "float32", "float64"]


def values(g, t, n, k):
    if t == "bool":
        return g.random((2, n)) < .5
    if t[0] in "iu":
        hi = {"int64": 1 << 60, "uint64": 1 << 60}.get(t, 60)
        return g.integers(0 if t[0] == "u" else -hi, hi, (2, n), t)
    x = g.standard_normal((2, n)).astype(t) * 3
    x[0, g.integers(0, n, n // 4)] = 1.5
    if n > 1:
        x[1, g.integers(0, n, 1 + n // 5)] = np.nan
    if n > 7:
        x[0, :2] = -np.inf, np.inf
    return x


def quantiles(w, g):
    for t in ["bool", "int8", "int64", "uint64"] + FLOATS:
        for k, n in enumerate([1, 2, 5, 12]):
            x = values(g, t, n, k)
            key = f"{t}/{k}/"
            w.put(key + "x", x)
            w.put(key + "q", Q)
            w.put(key + "median", np.median(x, axis=1))
            if t in FLOATS:
                w.put(key + "nanmedian", np.nanmedian(x, axis=1))
            for m, method in enumerate(METHODS):
                # without weights NumPy has no differences of bool, and those
                # of int8 wrap
                y = x
                if t in ("bool", "int8") and method not in PICKS:
                    y = x.astype(float)

                def of(f, q):
                    return f(y, q, axis=1, method=method)
                for nan, f in [("", np.quantile), ("nan_", np.nanquantile)]:
                    if nan and t not in FLOATS:
                        continue
                    one = np.stack([of(f, float(q)) for q in Q])
                    w.put(f"{key}{m}/{nan}one", one)
                    if t in FLOATS:
                        w.put(f"{key}{m}/{nan}array", of(f, Q))


def weighted(w, g):
    for k, t in enumerate(["float64", "float32", "int16"]):
        x = values(g, t, 12, 3)
        weights = g.integers(0, 4, x.shape).astype("int32")
        if k == 1:
            weights = g.random(x.shape)
        key = f"w/{k}/"
        w.put(key + "x", x)
        w.put(key + "w", weights)
        w.put(key + "q", Q)
        for name, f in [("", np.quantile), ("nan_", np.nanquantile)]:
            w.put(key + name + "out", f(x, Q, axis=1, method="inverted_cdf",
                                        weights=weights))


def moments(w, g):
    for k, (t, u) in enumerate([("float64", "float64"), ("float32", "int16"),
                                ("int32", "uint8"), ("complex64", "float32"),
                                ("bool", "float16")]):
        x = (g.standard_normal((3, 7)) * 9).astype(t)
        weights = g.integers(1, 9, (3, 7) if k % 2 else 7).astype(u)
        key = f"a/{k}/"
        w.put(key + "x", x)
        w.put(key + "w", weights)
        out, total = np.average(x, 1, weights, returned=True)
        w.put(key + "out", out)
        w.put(key + "sum", np.ascontiguousarray(total))
    for k in range(8):
        t = ["float64", "float32", "complex64", "int16"][k % 4]
        x = g.standard_normal((1 if k == 4 else 4, 9)) * 5
        if t[0] == "c":
            x = x + 1j * g.standard_normal(x.shape)
        x = x.astype(t)
        y = (g.standard_normal((2, 9)) * 3).astype("float32")
        f = g.integers(0, 4, 9)
        a = g.random(9)
        key = f"c/{k}/"
        w.put(key + "x", x)
        more = {}
        if k in (1, 2, 4, 7):
            w.put(key + "y", y)
            more["y"] = y
        c = dict(more)
        if k in (2, 3, 5):
            w.put(key + "f", f)
            c["fweights"] = f
        if k in (3, 6):
            w.put(key + "a", a)
            c["aweights"] = a
        w.put(key + "out", np.cov(x, **c))
        w.put(key + "corr", np.corrcoef(x, **more))
        c["ddof"] = 0
        if more:
            c["y"] = y.T
        w.put(key + "columns", np.cov(x.T, rowvar=False, **c))
    for k, t in enumerate(["float64", "float32", "int8"]):
        x = (g.standard_normal((4, 8)) * 20).astype(t)
        x[1] = 7
        if k < 2:
            x[2, 3] = np.nan
        w.put(f"z/{k}/x", x)
        w.put(f"z/{k}/out", scipy.stats.zscore(x, 1, 1))
        w.put(f"z/{k}/omit", scipy.stats.zscore(x, 1, 1, "omit"))


def main():
    warnings.simplefilter("ignore")
    w = Writer("statistics.bin")
    quantiles(w, rng("quantiles"))
    weighted(w, rng("weights"))
    moments(w, rng("moments"))
    w.close()


if __name__ == "__main__":
    main()
