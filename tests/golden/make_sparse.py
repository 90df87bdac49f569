"""Writes sparse.bin: matrices and what SciPy makes of them.

    python make_sparse.py

Needs what make_golden.py needs; committed for the same reasons. Names:
    m<k>/row col data shape     entries in any order, some places twice
    m<k>/dense                  their matrix; /x /X right-hand sides, /y /Y of the
                                transposed
    m<k>/ax aX aty ahy ahY      the products
"""
import numpy as np
import scipy.sparse as sp
from make_golden import Writer, rng

SHAPES = [(1, 1, 1), (5, 7, 12), (20, 15, 90), (60, 3, 70), (3, 60, 90),
          (6, 6, 0), (0, 4, 0), (12, 10, 200)]
TYPES = ["float32", "float64", "complex64", "complex128"]


def values(g, t, shape):
    x = g.standard_normal(shape)
    if t.startswith("complex"):
        x = x + 1j * g.standard_normal(shape)
    return x.astype(t)


def products(w):
    k = 0
    for m, n, entries in SHAPES:
        for t in TYPES:
            g = rng(f"sparse{k}")
            row = g.integers(0, max(m, 1), entries)
            col = g.integers(0, max(n, 1), entries)
            a = sp.coo_array((values(g, t, entries), (row, col)), shape=(m, n))
            key = f"m{k}"
            w.put(f"{key}/shape", np.array([m, n]))
            w.put(f"{key}/row", row.astype(["int32", "int64", "int16",
                                            "uint16"][k % 4]))
            w.put(f"{key}/col", col.astype(["int64", "int32"][k % 2]))
            w.put(f"{key}/data", a.data)
            c = a.tocsr()
            wide = c.astype(np.result_type(t, "float64"))
            w.put(f"{key}/dense", wide.toarray().astype(t))
            x, xx = values(g, t, n), values(g, t, (n, 3))
            y, yy = values(g, t, m), values(g, t, (m, 5))
            for name, v in ("x", x), ("X", xx), ("y", y), ("Y", yy):
                w.put(f"{key}/{name}", v)
            for name, v in (("ax", wide @ x), ("aX", wide @ xx),
                            ("aty", wide.T @ y), ("ahy", wide.conj().T @ y),
                            ("ahY", wide.conj().T @ yy)):
                w.put(f"{key}/{name}", v.astype(t))
            k += 1


if __name__ == "__main__":
    out = Writer("sparse.bin")
    products(out)
    out.close()
