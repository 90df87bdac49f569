"""Writes joining.bin: calls of what joins and changes arrays, NumPy's results.

    python make_joining.py

Needs what make_golden.py needs; committed for the same reasons. Names:
    <k>/fn              the function's name
    <k>/arg             its integer arguments, as test_joining.c reads them
    <k>/0 <k>/1 ...     operands
    <k>/out             the result; of several results <k>/out0 ...
bfloat16 is moved as its bits; computed with (means, ramps, powers) it is not.
"""
import numpy as np
from make_golden import NAMES, NUMPY, Bf16, Writer, rng

NONE = -99                          # axis: GA_ALL
MODES = ("constant edge linear_ramp maximum mean median minimum reflect "
         "symmetric wrap empty").split()
g = rng("joining")
w = Writer("joining.bin")
count = 0


def put(fn, arg, xs, outs, bf=False):
    global count
    k = count
    count += 1
    own = lambda x: Bf16(x) if bf and x.dtype == np.uint16 else x
    w.put(f"{k}/fn", fn)
    w.put(f"{k}/arg", np.array(arg, np.int64))
    for i, x in enumerate(xs):
        w.put(f"{k}/{i}", own(np.ascontiguousarray(x).reshape(np.shape(x))))
    if isinstance(outs, (list, tuple)):
        for i, y in enumerate(outs):
            w.put(f"{k}/out{i}", own(np.asarray(y)))
    else:
        w.put(f"{k}/out", own(np.asarray(outs)))


def values(shape, t, lo=-9, hi=9):
    t = "uint16" if t == "bfloat16" else t
    if t == "bool":
        return g.random(shape) < .5
    if t[0] == "u":
        return g.integers(0, 200, shape).astype(t)
    if t[0] == "i":
        return g.integers(-100, 100, shape).astype(t)
    x = np.round(g.uniform(lo, hi, shape), 2)
    if t[0] == "c":
        x = x + 1j * np.round(g.uniform(lo, hi, shape), 2)
    return np.asarray(x).astype(t)


def shape_of(rank, least=1):
    return [int(v) for v in g.integers(least, 6, rank)]


def pick(xs, p=None):
    return xs[int(g.choice(len(xs), p=p))]


def dtype(k):
    t = NAMES[k % len(NAMES)]
    return t, t == "bfloat16"


def axis_or_none(rank, p=.3):
    return NONE if g.random() < p else int(g.integers(-rank, rank))


def np_axis(a):
    return None if a == NONE else a


def joined():
    for k in range(60):
        t, bf = dtype(k)
        rank, n = int(g.integers(1, 5)), int(g.integers(1, 6))
        shape, axis = shape_of(rank), int(g.integers(-rank, rank))
        xs = []
        for _ in range(n):
            s = list(shape)
            s[axis] = int(g.integers(0, 5))
            u = t if bf or g.random() < .7 else pick(NUMPY)
            xs.append(values(s, u))
        put("concatenate", [axis], xs, np.concatenate(xs, axis), bf)
    for k in range(30):
        t, bf = dtype(k)
        rank, n = int(g.integers(0, 5)), int(g.integers(1, 6))
        shape, axis = shape_of(rank), int(g.integers(-rank - 1, rank + 1))
        xs = [values(shape, t if bf or g.random() < .8 else pick(NUMPY))
              for _ in range(n)]
        put("stack", [axis], xs, np.stack(xs, axis), bf)
    for name, f in (("vstack", np.vstack), ("hstack", np.hstack),
                    ("dstack", np.dstack), ("column_stack", np.column_stack)):
        for rank in (0, 1, 2, 3, 4):
            t, bf = dtype(rank + len(name))
            shape = shape_of(rank)
            xs = [values(shape, t) for _ in range(3)]
            put(name, [], xs, f(xs), bf)
        xs = [values((4,), "int8"), values((4, 1), "float32")]
        if name == "column_stack":
            put(name, [], xs, f(xs))


def mapped():
    for k in range(45):
        t, bf = dtype(k)
        x = values(shape_of(int(g.integers(0, 4)), 0 if k % 9 == 8 else 1), t)
        reps = [int(v) for v in g.integers(0 if k % 11 == 10 else 1, 4,
                                           int(g.integers(0, 5)))]
        put("tile", reps, [x], np.tile(x, reps), bf)
    for k in range(40):
        t, bf = dtype(k)
        rank = int(g.integers(1, 4))
        x = values(shape_of(rank), t)
        a, n = axis_or_none(rank), int(g.integers(0, 5))
        put("repeat", [n, a], [x], np.repeat(x, n, np_axis(a)), bf)
        a = axis_or_none(rank)
        m = x.size if a == NONE else x.shape[a]
        u = pick(["int64", "int32", "uint8", "bool", "int8", "uint32"])
        c = g.integers(0, 4, 1 if k % 5 == 0 else m).astype(u)
        put("repeat_counts", [a], [x, c], np.repeat(
            x, c.astype(np.int64), np_axis(a)), bf)
    for k in range(50):
        t, bf = dtype(k)
        rank = int(g.integers(0 if k == 7 else 1, 5))
        x = values(shape_of(rank, 0 if k % 10 == 9 else 1), t)
        n = int(g.integers(1, rank + 1)) if rank else 0
        axes = [int(v) for v in g.permutation(rank)[:n]]
        axes = [a - rank if g.random() < .4 else a for a in axes]
        shifts = [int(v) for v in g.integers(-9, 10, n)]
        if k % 3 == 0 or not n:
            s = int(g.integers(-30, 30))
            put("roll", [s, NONE], [x], np.roll(x, s), bf)
        else:
            put("roll", shifts + axes, [x], np.roll(x, shifts, axes), bf)
    for k in range(20):
        t, bf = dtype(k)
        x = values(shape_of(int(g.integers(0, 4)), 0 if k == 3 else 1), t)
        s = shape_of(int(g.integers(0, 4)), 0 if k == 5 else 1)
        put("resize", s, [x], np.resize(x, s), bf)


def padded():
    k = 0
    for mode in MODES:
        for r in range(16):
            k += 1
            t, bf = dtype(k)
            computes = mode in ("linear_ramp", "mean", "median")
            if bf and (computes or mode in ("constant", "maximum", "minimum")):
                t, bf = "float32", False
            rank = int(g.integers(1, 4))
            s = shape_of(rank)
            if r == 3:
                s[0] = 1
            x = values(s, t)
            wide = 12 if r % 4 == 0 and rank < 3 else 4
            widths = [[int(v) for v in g.integers(0, wide, 2)] for _ in s]
            if t[0] in "fc" and mode in ("mean", "median"):
                x = values(s, t, 1)             # so that nothing cancels
            if t == "bool" and mode == "median":
                x = values(s, "int8")           # NumPy refuses bool
            v, more = 0, {}
            if r % 2 and mode == "constant":
                v = int(g.integers(0, 2 if t == "bool" else 100))
                more = {"constant_values": v}
            if r % 2 and mode == "linear_ramp":
                v = int(g.integers(0, 2 if t == "bool" else 100))
                more = {"end_values": v}
            if r % 2 and mode in ("maximum", "mean", "median", "minimum"):
                v = int(g.integers(1, 4))
                more = {"stat_length": v}
            y = np.pad(x, widths, mode, **more)
            if mode == "empty":     # ours: zeros
                y = np.pad(x, widths)
            put("pad", [MODES.index(mode), v, bool(more)]
                + [p[0] for p in widths] + [p[1] for p in widths], [x], y, bf)
    x = np.array([[1, np.nan, 3], [4, 5, 6]], np.float32)
    put("pad", [MODES.index("median"), 0, 0, 1, 1, 1, 1], [x],
        np.pad(x, 1, "median"))
    x = np.zeros((0, 3), np.int16)
    put("pad", [0, 7, 1, 2, 0, 1, 1], [x],
        np.pad(x, ((2, 1), (0, 1)), constant_values=7))


def changed():
    for k in range(30):
        t, bf = dtype(k)
        rank = int(g.integers(1, 4))
        s, a = shape_of(rank), axis_or_none(rank)
        x = values(s, t)
        v = list(s)
        if a == NONE:
            v = shape_of(int(g.integers(0, 3)))
        else:
            v[a] = int(g.integers(0, 4))
        v = values(v, t if bf or k % 3 else pick(NUMPY))
        put("append", [a], [x, v], np.append(x, v, np_axis(a)), bf)
    for k in range(40):
        t, bf = dtype(k)
        rank = int(g.integers(1, 4))
        s, a = shape_of(rank), axis_or_none(rank)
        x = values(s, t)
        flat = x.ravel() if a == NONE else x
        at = 0 if a == NONE else a % rank
        n, m = flat.shape[at], int(g.integers(0, 5))
        i = [int(j) for j in g.integers(-n, n + 1, m)]
        if k % 2:                   # one place
            i = int(g.integers(-n, n + 1))
            v = values(shape_of(1 if k % 4 == 1 else 0), t)
            if rank > 1 and a != NONE and k % 4 == 1:
                v = values([x.shape[1 if at == 0 else 0]] if rank == 2 else [1],
                           t)
            put("insert", [i, a], [x, v], np.insert(x, i, v, np_axis(a)), bf)
        else:
            full = list(flat.shape)
            full[at] = m
            if k % 3 == 0:
                full[at] = 1
            v = values(full, t if bf else pick([t, "int8"]))
            if bf is False and v.dtype.name == "int8" and t == "bool":
                v = v > 0
            put("insert_at", [a] + i, [x, v], np.insert(x, i, v, np_axis(a)),
                bf)
        if flat.shape[at]:
            i = [int(j) for j in g.integers(-n, n, m)]
            put("delete_at", [a] + i, [x], np.delete(x, i, np_axis(a)), bf)
    for k in range(20):
        t, bf = dtype(k)
        rank = int(g.integers(1, 4))
        x = values(shape_of(rank), t)
        a, n = int(g.integers(-rank, rank)), int(g.integers(1, 5))
        put("array_split", [n, a], [x], np.array_split(x, n, a), bf)
        at = [int(v) for v in g.integers(-7, 8, n)]
        put("split_at", [a] + at, [x], np.split(x, at, a), bf)
        put("unstack", [a], [x], [np.take(x, i, a) for i in range(x.shape[a])],
            bf)
    for k in range(20):
        x = values(shape_of(int(g.integers(1, 4))), NUMPY[k % len(NUMPY)])
        keep = g.random(x.shape) < .35
        x = np.where(keep, x, np.zeros((), x.dtype))
        if k == 4:
            x = np.zeros_like(x)
        for flag, side in ((0, "fb"), (1, "f"), (2, "b")):
            put("trim_zeros", [flag], [x], np.trim_zeros(x, side))


def views():
    for k in range(16):
        t, bf = dtype(k)
        rank = int(g.integers(2, 5))
        x = values(shape_of(rank), t)
        a, b = (int(v) for v in g.permutation(rank)[:2])
        n = int(g.integers(-5, 6))
        put("rot90", [n, a, b - rank], [x], np.rot90(x, n, (a, b)), bf)
        put("fliplr", [], [x], np.fliplr(x), bf)
        put("flipud", [], [x], np.flipud(x), bf)
        axes = [int(v) for v in g.permutation(rank)[:int(g.integers(1, 3))]]
        size = [int(g.integers(1, x.shape[v] + 1)) for v in axes]
        put("sliding_window_view", axes + size, [x],
            np.lib.stride_tricks.sliding_window_view(x, size, axes), bf)
    for rank in range(5):
        x = values(shape_of(rank), "int32")
        put("atleast", [1], [x], np.atleast_1d(x))
        put("atleast", [2], [x], np.atleast_2d(x))
        put("atleast", [3], [x], np.atleast_3d(x))
    x = values((24,), "float64")
    for shape, strides in (((3, 4), (4, 1)), ((5, 3), (1, 1)), ((2, 2, 2),
                           (12, 0, 3)), ((), ()), ((4,), (6,)), ((0, 5), (9, 9))):
        put("as_strided", list(shape) + list(strides), [x],
            np.lib.stride_tricks.as_strided(x, shape, [8 * s for s in strides]))


def grids():
    for k in range(12):
        n = int(g.integers(1, 4))
        xs = [values(shape_of(1), NUMPY[(k + i) % len(NUMPY)]) for i in range(n)]
        if k == 5:
            xs[0] = np.array(3)
        for flags in range(4):
            put("meshgrid", [flags], xs, np.meshgrid(
                *xs, indexing="ij" if flags & 1 else "xy",
                sparse=bool(flags & 2)))
    for shapes in ([(3, 1), (4,)], [(2, 1, 3), (1, 4, 1), ()], [(5,)],
                   [(0, 1), (3,)], [(1,), (1, 1)]):
        xs = [values(s, "int16") for s in shapes]
        put("broadcast_arrays", [], xs, np.broadcast_arrays(*xs))
    for s in ([3], [2, 3], [4, 1, 3], [], [0, 2]):
        for t in ("int64", "float32", "uint8"):
            put("indices", s, [np.zeros((), t)], np.indices(s, t))
    for n, m, k in ((3, 3, 0), (4, 2, 1), (2, 5, -1), (3, 4, 9), (3, 4, -9),
                    (0, 3, 0), (1, 1, 0)):
        for t in ("bool", "int16", "float64", "complex128"):
            put("tri", [n, m, k], [np.zeros((), t)], np.tri(n, m, k, t))
    for k in range(45):
        t, bf = dtype(k)
        x = values(shape_of(int(g.integers(1, 5)), 0 if k % 15 == 14 else 1), t)
        d = int(g.integers(-5, 6))
        put("tril", [d], [x], np.tril(x, d), bf)
        put("triu", [d], [x], np.triu(x, d), bf)
    for k in range(15):
        t, bf = dtype(k)
        d = int(g.integers(-4, 5))
        x = values(shape_of(1 + k % 2), t)
        put("diag", [d], [x], np.diag(x, d), bf)
        x = values(shape_of(int(g.integers(0, 4))), t)
        put("diagflat", [d], [x], np.diagflat(x, d), bf)
    for k, t in enumerate(NUMPY):
        x = np.clip(values((4,), t).real, -5, 5).astype(t)
        if t[0] == "c":
            x = np.array([0, 1 + 1j, -2, 1.5 - .5j], t)
        for n in (0, 1, 4, 6):
            put("vander", [n, k & 1], [x], np.vander(x, n, bool(k & 1)))
    for shape in ((3, 3), (3, 5), (5, 3), (9, 2), (8, 3), (11, 3), (4, 4, 4),
                  (2, 2, 2, 2), (1, 1), (12, 1), (4, 3)):
        for flag in (0, 1):
            x = values(shape, "int32")
            y = x.copy()
            np.fill_diagonal(y, 77, bool(flag))
            put("fill_diagonal", [flag], [x, np.array(77, np.int32)], y)
    x = values((4, 6), "float32")
    y, v = x.copy(), values((4,), "float64")
    np.fill_diagonal(y, v)
    put("fill_diagonal", [0], [x, v], y)


def bits():
    for k in range(24):
        rank = int(g.integers(1, 4))
        s = [int(v) for v in g.integers(1, 20, rank)]
        a = axis_or_none(rank)
        t = ["bool", "uint8", "int64", "int8", "uint16"][k % 5]
        x = values(s, t) * values(s, "bool")
        little = k & 1
        order = "little" if little else "big"
        put("packbits", [a, little], [x], np.packbits(x, np_axis(a), order))
        x = values([int(v) for v in g.integers(1, 5, rank)], "uint8")
        n = x.size if a == NONE else x.shape[a]
        c = [None, 8 * n - 3, 8 * n + 5, -2, 0, 11][k % 6]
        put("unpackbits", [a, little, 10**9 if c is None else c], [x],
            np.unpackbits(x, np_axis(a), c, order))
    put("packbits", [0, 0], [np.zeros((0, 3), bool)],
        np.packbits(np.zeros((0, 3), bool), 0))


def copied():
    for k in range(20):
        s = shape_of(int(g.integers(1, 4)))
        t, u = NUMPY[k % len(NUMPY)], pick(NUMPY)
        x = values(s, t)
        v = values(s if k % 3 else s[1:], t if k % 2 else "int8")
        m = values(s[-1:] if k % 4 == 0 else s, "bool" if k % 2 else "uint8")
        if k % 2 == 0:
            m = m % 2
        y = x.copy()
        np.copyto(y, v, "unsafe", m != 0)
        put("copyto", [], [x, v, m], y)


for part in (joined, mapped, padded, changed, views, grids, bits, copied):
    part()
w.close()
