"""Writes masks.bin: masks, what NumPy selects, places and reduces by them.

    python make_masks.py

Needs what make_golden.py needs; committed for the same reasons. Names:
    <k>/x /m /mask              x, a mask of its leading axes, x[m]
    <k>/v /assign               x[m] = v, a value for each place
    <k>/r /fill                 x[m] = r, the same at each place
    <k>/where                   argwhere(x)
    <k>/c /axis /compress       compress(c, x, axis)
    <k>/extract                 extract(m, x) of a mask of x's size, /e
    <k>/p /place /putmask       place(x, e, p), putmask(x, e, p)
    s/<k>/n /c0 /x0 ... /d /out select
    r/<k>/x /m, r/<k>/<axes>/<row>
                                reductions with where=m; of nothing: NaN, a
                                complex one in both parts.
                                Values are small: sums and products are exact.
"""
import numpy as np
from make_golden import NAMES, Bf16, Writer, promote, rng, store

AXES = {"all": None, "1": (1,), "0,2": (0, 2)}


def raw(x):
    return x.bits if isinstance(x, Bf16) else x


def like(y, t):
    return Bf16(y) if t == "bfloat16" else y


def some(g, t, shape, zeros=.3):
    """Values with zeros, and NaN and -0 among floats."""
    if t == "bool":
        return g.random(shape) < .6
    if t[0] in "iu":
        i = np.iinfo(t)
        x = g.integers(i.min, i.max, shape, t, endpoint=True)
        return np.where(g.random(shape) < zeros, 0, x).astype(t)
    x = g.standard_normal(shape)
    if t.startswith("complex"):
        x = x + 1j * g.standard_normal(shape) * (g.random(shape) < .7)
    u = g.random(shape)
    x = np.where(u < zeros, 0, np.where(u < zeros + .1, -0., x))
    return store(np.where(u > .95, np.nan, x), t)


def truth(x):
    return x.to(np.float64) != 0 if isinstance(x, Bf16) else x != 0


def moves(w, g, k):
    t = NAMES[k % 15]
    rank = int(g.integers(1, 5))
    shape = tuple(int(v) for v in g.choice([0, 1, 2, 3, 5, 7], rank,
                                           p=[.04, .1, .2, .3, .2, .16]))
    x = some(g, t, shape)
    m = g.random(shape[:int(g.integers(0, rank + 1))]) < g.choice([.1, .5, .9])
    m = np.asarray(m, bool)
    b = raw(x)
    put = lambda key, y: w.put(f"{k}/{key}", y)
    put("x", x)
    put("m", m)
    put("mask", like(b[m], t))
    for key, s, to in (("v", b[m].shape, "assign"),
                       ("r", shape[m.ndim:], "fill")):
        v = some(g, t, s, 0)
        y = b.copy()
        y[m] = raw(v)
        put(key, v)
        put(to, like(y, t))
    put("where", np.argwhere(truth(x)).astype(np.int64))
    axis = int(g.integers(0, rank))
    c = some(g, NAMES[(k * 7 + 3) % 15], (int(g.integers(0, shape[axis] + 1)),))
    put("c", c)
    put("axis", np.array(axis, np.int64))
    put("compress", like(np.compress(truth(c), b, axis), t))
    e = some(g, NAMES[(k * 11 + 5) % 15], (b.size,))
    put("e", e)
    put("extract", like(np.extract(truth(e), b), t))
    p = some(g, t, (int(g.integers(1, 6)),), 0)
    put("p", p)
    for name, f in ("place", np.place), ("putmask", np.putmask):
        y = b.copy()
        f(y, truth(e).reshape(shape), raw(p))
        put(name, like(y, t))


def selects(w, g, k):
    n = (1, 2, 3, 5, 11, 12, 23, 30)[k % 8]
    types = [t for t in NAMES if t != "bfloat16"]
    kinds = [str(v) for v in g.choice(types, n + 1)]
    shapes = [(4, 5), (5,), (4, 1), ()]
    c = [g.random(shapes[int(g.integers(0, 4))]) < 2 / n for _ in range(n)]
    x = [some(g, t, shapes[int(g.integers(0, 4))]) for t in kinds]
    c[0] = g.random((4, 5)) < .3
    t = kinds[0]                    # one after the other, as the library's
    for u in kinds[1:]:
        t = promote(t, u)
    with np.errstate(all="ignore"):
        y = np.select(c, x[:-1], x[-1])
    if y.dtype != t:
        y = np.select(c, [v.astype(t) for v in x[:-1]], x[-1].astype(t))
    w.put(f"s/{k}/n", np.array(n, np.int64))
    for i in range(n):
        w.put(f"s/{k}/c{i}", np.asarray(c[i]))
        w.put(f"s/{k}/x{i}", np.asarray(x[i]))
    w.put(f"s/{k}/d", np.asarray(x[-1]))
    w.put(f"s/{k}/out", y)


def row(name, x, m, axis):
    """In float64, complex128 or the integers' own way; nothing is NaN."""
    kind = x.dtype.kind
    skip = name.startswith("nan")
    if skip and kind in "fc":
        m = m & ~np.isnan(x)
    name = name[3 * skip:]
    n = np.sum(m, axis)
    if name in ("sum", "prod", "count_nonzero", "all", "any"):
        if name == "count_nonzero":
            return np.sum((x != 0) & m, axis).astype(np.int64)
        return np.asarray(getattr(np, name)(x, axis, where=m))
    if name in ("max", "min", "ptp"):
        if kind == "c":
            lo, hi = complex(-np.inf, -np.inf), complex(np.inf, np.inf)
        elif kind == "f":
            lo, hi = -np.inf, np.inf
        else:
            lo, hi = (False, True) if kind == "b" else (
                np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
        a = np.max(x, axis, where=m, initial=lo)
        b = np.min(x, axis, where=m, initial=hi)
        y = np.asarray(a if name == "max" else b if name == "min" else a - b)
        if kind not in "fc":
            return y
        return np.where(n == 0, np.nan, y).astype(y.dtype)
    with np.errstate(all="ignore"):
        if kind in "biu":
            x = x.astype(np.float64)
        mean = np.asarray(np.sum(x, axis, where=m) / n)
        if name == "mean":
            return mean
        k = np.sum(m, axis, keepdims=True)
        d = x - np.sum(x, axis, where=m, keepdims=True) / k
        v = np.asarray(np.sum((d * d.conj()).real, axis, where=m)
                       / np.maximum(n - 1, 0))
        if skip:
            v = np.where(n > 1, v, np.nan)
        return np.sqrt(v) if name == "std" else v


ROWS = ("sum prod max min all any mean ptp count_nonzero nansum nanprod nanmax "
        "nanmin nanmean var std nanvar nanstd").split()


def reductions(w, g, k):
    t = NAMES[k % 15]
    shape = (3, 4, 5)
    kind = "f" if t == "bfloat16" else np.dtype(t).kind
    x = g.integers(0 if kind in "bu" else -3, 4, shape).astype(np.float64)
    if kind == "c":
        x = x + 1j * g.integers(-2, 3, shape)
    if kind in "fc" and k >= 15:
        x[g.random(shape) < .1] = np.nan
    x[x == 0] = 1 if k % 2 else 0
    x = store(x, t)
    m = g.random(((3, 4, 5), (4, 1), (5,), (3, 1, 1))[k % 4]) < .6
    if kind in "biu":               # something for each result
        m = m | (np.arange(m.size).reshape(m.shape) % 5 == 0)
        m = np.broadcast_to(m, shape).copy()
        m[0, 0, :] = m[:, 0, 0] = m[0, :, 0] = m[:, 0] = m[0] = True
    w.put(f"r/{k}/x", x)
    w.put(f"r/{k}/m", m)
    wide = x.to(np.float64) if t == "bfloat16" else x
    if t == "float16" or t == "float32":
        wide = x.astype(np.float64)
    if t == "complex64":
        wide = x.astype(np.complex128)
    full = np.broadcast_to(m, shape)
    for key, axis in AXES.items():
        for name in ROWS:
            if t == "bool" and name == "ptp":
                continue
            y = row(name, wide, full, axis)
            if y.dtype.kind == "c":
                y = np.where(np.isnan(y), complex(np.nan, np.nan), y)
            if y.dtype.kind == "f" and kind in "fc" and t not in (
                    "float64", "complex128"):
                y = store(y, "float32" if kind == "c" else t)
            elif y.dtype.kind == "c" and t == "complex64":
                y = y.astype(t)
            w.put(f"r/{k}/{key}/{name}", y)


def main():
    w = Writer("masks.bin")
    g = rng("masks")
    for k in range(45):
        moves(w, g, k)
    for k in range(16):
        selects(w, g, k)
    with np.errstate(all="ignore"):
        for k in range(30):
            reductions(w, g, k)
    w.close()


if __name__ == "__main__":
    main()
