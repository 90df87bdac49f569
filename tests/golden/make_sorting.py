"""Writes sorting.bin: what NumPy makes of small arrays with equal elements,
NaNs and both zeros.

    python make_sorting.py

Needs what make_golden.py needs. Names, k counting cases and t a dtype:
    t/k/x  /sort  /argsort      along the last axis
    t/k/y  /left  /right        searchsorted of y in the sorted x
    t/k/unique /index /inverse /counts      of x, flattened
    t/k/isin                    is each of x in y
    t/k/intersect /union /setdiff /setxor   of x and y
    t/k/rows  /rows_index ...   unique along axis 0, real numbers without NaN
    lex/k/0 ...  /out           lexsort of keys
NumPy has no bfloat16: its sets are those of float32.
"""
import numpy as np
from make_golden import NAMES, Bf16, Writer, rng, store

SHAPES = [(), (1,), (7,), (3, 40), (2, 3, 33), (150,), (0,), (2, 0)]


def values(g, t, shape, nan):
    if t == "bool":
        return g.random(shape) < .5
    if t[0] in "iu":
        return g.integers(0 if t[0] == "u" else -9, 12, shape, t)

    def real():
        x = g.integers(-5, 6, shape) * .5
        x = np.where(g.random(shape) < .1, -0., x)
        return np.where(g.random(shape) < nan, np.nan, x)
    x = real()
    if t.startswith("complex"):
        z = np.empty(shape, np.complex128)
        z.real, z.imag = x, real()
        x = z
    return store(x, t)


def main():
    w = Writer("sorting.bin")
    for t in NAMES:
        g = rng("sorting " + t)

        def wide(x):
            return x.to(np.float32) if isinstance(x, Bf16) else x

        def put(key, y):
            w.put(key, store(y, t) if t == "bfloat16" else y)
        for k, shape in enumerate(SHAPES):
            key = f"{t}/{k}/"
            x = values(g, t, shape, .1)
            y = values(g, t, (25,), .05)
            w.put(key + "x", x)
            w.put(key + "y", y)
            x, y = wide(x), wide(y)
            if shape:
                put(key + "sort", np.sort(x, kind="stable"))
                w.put(key + "argsort", np.argsort(x, kind="stable"))
            flat = np.sort(x, axis=None, kind="stable")
            w.put(key + "left", np.searchsorted(flat, y))
            w.put(key + "right", np.searchsorted(flat, y, "right"))
            v, i, n, c = np.unique(x, True, True, True)
            put(key + "unique", v)
            w.put(key + "index", i)
            w.put(key + "inverse", n.reshape(shape))
            w.put(key + "counts", c)
            w.put(key + "isin", np.isin(x, y))
            put(key + "intersect", np.intersect1d(x, y))
            put(key + "union", np.union1d(x, y))
            put(key + "setdiff", np.setdiff1d(x, y))
            put(key + "setxor", np.setxor1d(x, y))
        for k, shape in enumerate([(30, 2), (40, 3), (12, 1), (20, 2, 2)]):
            key = f"{t}/r{k}/"
            x = values(g, t, shape, 0)
            w.put(key + "x", x)
            for axis in range(2):
                v, i, n, c = np.unique(wide(x), True, True, True, axis=axis)
                put(f"{key}{axis}/unique", v)
                w.put(f"{key}{axis}/index", i)
                w.put(f"{key}{axis}/inverse", n.ravel())
                w.put(f"{key}{axis}/counts", c)
    g = rng("lexsort")
    for k in range(20):
        shape = [(60,), (4, 30), (3, 2, 20)][k % 3]
        keys = [values(g, t, shape, .1)
                for t in g.choice(["int8", "float32", "float64", "uint16",
                                   "complex64", "bool"], 1 + k % 4)]
        for i, x in enumerate(keys):
            w.put(f"lex/{k}/{i}", x)
        w.put(f"lex/{k}/out", np.lexsort(keys, axis=-1))
    w.close()


if __name__ == "__main__":
    main()
