"""Writes indexing.bin: calls by index arrays and NumPy's results.

    python make_indexing.py

Needs what make_golden.py needs; committed for the same reasons. Names:
    <k>/call            text: the function and its arguments, of which
                            :        GA_COLON
                            i<n>     index array n
                            a number, `all` for GA_ALL, `wrap`, `clip`
    <k>/x  /v  /i0 ...  operands
    <k>/out             the result; x afterwards, for those that write to it
Values are small whole numbers, so that every dtype holds their sums.
"""
import numpy as np
from make_golden import NAMES, Writer, rng, store

INDEX = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
         "uint64", "int32", "int64", "int64"]


def computed_in(t):
    if t in ("bool",) or t[:1] in "iu":
        return t
    return "complex128" if t.startswith("complex") else "float64"


def values(g, t, shape, lo=-4):
    if t == "bool":
        return g.random(shape) < .5
    if t.startswith("uint"):
        return g.integers(0, 5, shape).astype(t)
    x = g.integers(lo, 5, shape)
    if t.startswith("complex"):
        x = x + 1j * g.integers(lo, 5, shape)
    return x.astype(computed_in(t))


def indices(g, shape, n, low=True):
    """An index array into n elements, of a random dtype."""
    t = str(g.choice(INDEX))
    least = -n if low and t[:1] == "i" else 0
    return g.integers(least, n, shape).astype(t) if n else (
        np.zeros(shape if 0 in shape else (0,), t))


def outside(g, shape, n):
    return g.integers(-3 * n, 3 * n, shape).astype(g.choice(INDEX[2:4]))


def shape_of(g, least=1, most=4, empty=True):
    p = [.06 if empty else 0, .14, .25, .25, .2, .1 if empty else .16]
    return tuple(int(v) for v in g.choice(6, int(g.integers(least, most + 1)),
                                          p=p))


def broadcasting(g):
    """Shapes that broadcast together."""
    full = [int(v) for v in g.integers(1, 5, int(g.integers(0, 4)))]

    def one():
        cut = int(g.integers(0, len(full) + 1))
        return tuple(1 if g.random() < .25 else d for d in full[cut:])
    return tuple(full), one


def places(g, shape):
    """Places for the first axes, and as text; arrays."""
    n = int(g.integers(1, len(shape) + 1))
    full, one = broadcasting(g)
    at, text, arrays = [], [], []
    for d in range(n):
        r = g.random()
        if shape[d] and r < .2:
            at.append(int(g.integers(-shape[d], shape[d])))
            text.append(str(at[-1]))
        elif r < .45:
            at.append(slice(None))
            text.append(":")
        else:
            s = one() if shape[d] else (0,)
            at.append(indices(g, s if shape[d] else (0,), shape[d]))
            text.append(f"i{len(arrays)}")
            arrays.append(at[-1])
    return tuple(at), text, arrays


def usable(x, at):
    try:
        y = x[at]
    except (IndexError, ValueError):
        return None
    return y if y.ndim <= 6 and y.size <= 300 else None


def main():
    w = Writer("indexing.bin")
    g = rng("indexing")
    k = 0

    def case(call, t, x, arrays, out, v=None, to=None):
        nonlocal k
        w.put(f"{k}/call", " ".join(call))
        if x is not None:
            w.put(f"{k}/x", store(x, t))
        if v is not None:
            w.put(f"{k}/v", store(v, t))
        for i, a in enumerate(arrays):
            w.put(f"{k}/i{i}", a)
        if isinstance(out, list):
            for i, a in enumerate(out):
                w.put(f"{k}/out{i}", a)
        else:
            w.put(f"{k}/out", store(out, to or t))
        k += 1

    n = 0
    while n < 90:                   # index and what writes there
        t = NAMES[n % len(NAMES)]
        x = values(g, t, shape_of(g))
        at, text, arrays = places(g, x.shape)
        y = usable(x, at)
        if y is None:
            continue
        case(["index"] + text, t, x, arrays, y)
        full = np.asarray(y).shape
        cut = int(g.integers(0, len(full) + 1))
        v = values(g, t, tuple(1 if g.random() < .2 else d
                               for d in full[cut:]))
        z = x.copy()
        z[at] = v
        case(["index_assign"] + text, t, x, arrays, z, v)
        for name, f in (("add", np.add), ("max", np.maximum),
                        ("min", np.minimum)):
            z = x.copy()
            u = v.copy()
            if name != "add" and t.startswith("float") and u.size:
                u[g.random(u.shape) < .1] = np.nan
            f.at(z, at, u)
            case(["scatter_" + name] + text, t, x, arrays, z, u)
        n += 1
    for n in range(60):             # along an axis
        t = NAMES[n % len(NAMES)]
        x = values(g, t, shape_of(g))
        axis = int(g.integers(-x.ndim, x.ndim))
        flat = g.random() < .25
        length = x.size if flat else x.shape[axis]
        mode = str(g.choice(["raise", "wrap", "clip"]))
        s = shape_of(g, 0, 2) if length else (0,)
        if x.ndim + len(s) > 6:
            continue
        i = (indices(g, s, length) if mode == "raise" or not length
             else outside(g, s, length))
        a = i.astype(np.int64)
        rest = [] if mode == "raise" else [mode]
        case(["take", "all" if flat else str(axis)] + rest, t, x, [i],
             np.take(x, a, None if flat else axis, mode=mode))
        if x.size and i.size:
            v = values(g, t, shape_of(g, 1, 2, False))
            j = (indices(g, s, x.size) if mode == "raise"
                 else outside(g, s, x.size))
            z = x.copy()
            np.put(z, j.astype(np.int64), v, mode=mode)
            case(["put"] + rest, t, x, [j], z, v)
        s = list(x.shape)
        s[axis] = int(g.integers(0, 6)) if x.shape[axis] else 0
        if flat:
            s = [s[axis]] if x.size else [0]
        elif x.ndim > 1 and g.random() < .3:
            s[axis % x.ndim - 1] = 1
        i = indices(g, tuple(s), length)
        if i.ndim != len(s):
            continue
        where = None if flat else axis
        name = "all" if flat else str(axis)
        y = np.take_along_axis(x, i.astype(np.int64), where)
        case(["take_along", name], t, x, [i], y)
        v = values(g, t, y.shape)
        z = x.copy()
        np.put_along_axis(z, i.astype(np.int64), v, where)
        case(["put_along", name], t, x, [i], z, v)
    for n in range(45):             # segments
        t = NAMES[n % len(NAMES)]
        x = values(g, t, shape_of(g, 1, 3))
        count = int(g.integers(1, 7))
        i = indices(g, x.shape[:1], count, False)
        if n % 3 == 0:
            i = np.sort(i)
        end = ["sorted"] if n % 3 == 0 else []
        s = (count,) + x.shape[1:]
        whole = t == "bool" or t[:1] in "iu"
        wide = "uint64" if t[:1] == "u" else "int64"
        y = np.zeros(s, wide if whole else computed_in(t))
        np.add.at(y, i, x)
        case(["segment_sum", str(count)] + end, t, x, [i], y,
             to=wide if whole else t)
        rows = np.bincount(i, minlength=count).reshape(
            (count,) + (1,) * (x.ndim - 1))
        with np.errstate(all="ignore"):
            m = (y / np.where(rows, rows, 1).astype(np.float64))
            m = np.where(rows, m, np.nan * (1 + 1j) if np.iscomplexobj(m)
                         else np.nan)
        case(["segment_mean", str(count)] + end, t, x, [i], m,
             to="float64" if whole else t)
        c = computed_in(t)
        for name, f, sign in (("max", np.maximum, -1), ("min", np.minimum, 1)):
            if t == "bool":
                start = sign > 0
            elif whole:
                start = (np.iinfo(t).min if sign < 0 else np.iinfo(t).max)
            elif t.startswith("complex"):
                start = complex(sign * np.inf, sign * np.inf)
            else:
                start = sign * np.inf
            y = np.full(s, start, c)
            f.at(y, i, x)
            case(["segment_" + name, str(count)] + end, t, x, [i], y)
    for n in range(30):             # choose, places
        t = NAMES[n % len(NAMES)]
        full, one = broadcasting(g)
        count = int(g.integers(1, 7))
        mode = str(g.choice(["raise", "wrap", "clip"]))
        i = (indices(g, one(), count, False) if mode == "raise"
             else outside(g, one(), count))
        parts = [values(g, t, one()) for _ in range(count)]
        rest = [] if mode == "raise" else [mode]
        for j, part in enumerate(parts):
            w.put(f"{k}/c{j}", store(part, t))
        case(["choose", str(count)] + rest, t, None, [i],
             np.choose(i.astype(np.int64), parts, mode=mode))
        s = shape_of(g, 1, 5, False)
        j = [indices(g, one(), d, False) if mode == "raise"
             else outside(g, one(), d) for d in s]
        case(["ravel"] + [str(d) for d in s] + rest, "int64", None, j,
             np.ravel_multi_index([a.astype(np.int64) for a in
                                   np.broadcast_arrays(*j)], s, mode=mode))
        i = indices(g, full, int(np.prod(s)), False)
        case(["unravel"] + [str(d) for d in s], "int64", None, [i],
             [np.asarray(a, np.int64) for a in
              np.unravel_index(i.astype(np.int64), s)])
    for n, m in ((1, 1), (3, 4), (4, 3), (0, 3), (5, 0), (5, 5)):
        for d in (-7, -2, -1, 0, 1, 3, 7):
            for f in (np.tril_indices, np.triu_indices):
                case([f.__name__, str(n), str(d), str(m)], "int64", None, [],
                     [a.astype(np.int64) for a in f(n, d, m)])
    w.close()


if __name__ == "__main__":
    main()
