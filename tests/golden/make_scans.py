"""Writes scans.bin: operands and NumPy's results.

    python make_scans.py

Needs what make_golden.py needs; committed for the same reasons. Names:
    <dtype>/x  <dtype>/special  operands: ordinary values; NaN, infinities, zeros
    <row>/<dtype>/<operand>/<axis>   NumPy's accumulate of the row; axis -1: of
                                all elements. Floats in float64 or complex128
    <k>/text  <k>/0 ...  <k>/out     a call of diff, ediff1d, trapezoid or
                                gradient: its name and parameters, operands
The scans of floats are accumulated in long double and rounded to float64.
"""
import numpy as np
from make_golden import NAMES, Bf16, Writer, rng, store, table

ROWS = table("GA_SCANS", *"name types result combine start nans".split())


def operand(g, t, special):
    shape = (3, 4, 5)
    if t == "bool":
        return g.random(shape) < .4
    if t[:1] in "iu":
        i = np.iinfo(t)
        lo, hi = (i.min, i.max) if special else (max(i.min, -9), 9)
        return g.integers(lo, hi, shape, t, endpoint=True)
    x = g.standard_normal(shape)
    if t.startswith("complex"):
        x = x + 1j * g.standard_normal(shape)
    if special:
        for v in (np.nan, np.inf, -np.inf, 0., -0.):
            x[g.random(shape) < .04] = v
    return store(x, t)


def wide(x):
    x = x.to(np.float64) if isinstance(x, Bf16) else x
    if x.dtype.kind in "bui":
        return x
    return x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)


def scan(row, x, axis):
    r = ROWS[row]
    y = wide(x)
    if r.nans == "SKIP" and y.dtype.kind in "fc":
        y = np.where(np.isnan(y), y.dtype.type(float(r.start)), y)
    if r.combine == "logaddexp" and y.dtype.kind != "f":
        y = y.astype(np.float64).astype(np.longdouble)
    if axis < 0:
        y, axis = y.ravel(), 0
    t = y.dtype
    if r.result == "SUM" and t.kind in "bui":
        t = np.dtype(np.uint64 if t.kind == "u" else np.int64)
    with np.errstate(all="ignore"):
        y = getattr(np, r.combine).accumulate(y, axis=axis, dtype=t)
    return (y if y.dtype.kind in "bui"
            else y.astype(np.complex128 if y.dtype.kind == "c" else np.float64))


def calls(g, w):
    """Of float64, int32 and float32: what NumPy says."""
    k = 0

    def put(text, y, *xs):
        nonlocal k
        w.put(f"{k}/text", text)
        for i, x in enumerate(xs):
            w.put(f"{k}/{i}", np.asarray(x))
        w.put(f"{k}/out", np.asarray(y))
        k += 1

    for t in NAMES:
        if t == "bfloat16":
            continue
        x = operand(g, t, False)
        for n in range(4):
            for a in (0, 2):
                put(f"diff {n} {a}", np.diff(x, n, a), x)
        put("diff_ends 2 1", np.diff(x, 2, 1, x[:, :1], x[:, 1:3]), x,
            x[:, :1], x[:, 1:3])
        if t == "bool":
            continue
        put("ediff1d", np.ediff1d(x), x)
        put("ediff1d_ends", np.ediff1d(x, x[0, :1], x[1]), x, x[0, :1], x[1])
        for a in (0, 1, -1):
            c = np.sort(g.random(x.shape[a]))
            if t in ("float16", "float32", "complex64"):
                c = c.astype(np.float32)
            put(f"trapezoid {a}", np.trapezoid(x, dx=.5, axis=a), x)
            put(f"trapezoid_x {a}", np.trapezoid(x, c, axis=a), x, c)
            for e in (1, 2):
                put(f"gradient {e} {a}",
                    np.gradient(x, .5, axis=a, edge_order=e), x)
                put(f"gradient_x {e} {a}",
                    np.gradient(x, c, axis=a, edge_order=e), x, c)


def main():
    w = Writer("scans.bin")
    g = rng("scans")
    for t in NAMES:
        for kind in "x", "special":
            x = operand(g, t, kind == "special")
            w.put(f"{t}/{kind}", x)
            for row in ROWS:
                if (ROWS[row].combine == "logaddexp"
                        and t.startswith("complex")):
                    continue
                for a in range(-1, 3):
                    w.put(f"{row}/{t}/{kind}/{a}", scan(row, x, a))
    calls(rng("differences"), w)
    w.close()


if __name__ == "__main__":
    main()
