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
"""
import warnings

import numpy as np
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


def main():
    warnings.simplefilter("ignore")
    w = Writer("statistics.bin")
    quantiles(w, rng("quantiles"))
    weighted(w, rng("weights"))
    w.close()


if __name__ == "__main__":
    main()
