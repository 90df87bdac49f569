"""Writes solve.bin: what NumPy, SciPy and mpmath make of solving, norms, ...

    python make_solve.py

Needs NumPy 2 and mpmath; the helpers are make_golden.py's. Results are
computed in float64 or complex128 from the inputs as stored, whatever their
dtype, so that the test's tolerance is the library's error alone; matrix
exponentials in 60 digits. Where NumPy raises there is no record.
"""
import mpmath
import numpy as np

from make_golden import Writer, rng

FOUR = ["float32", "float64", "complex64", "complex128"]
NORMED = ["bool", "uint8", "int32", "float16"] + FOUR
ORDERS = {"none": None, "fro": "fro", "nuc": "nuc", "inf": np.inf,
          "-inf": -np.inf, "0": 0, "1": 1, "-1": -1, "2": 2, "-2": -2, "3": 3,
          "0.5": 0.5, "-1.5": -1.5}
AXES = {"all": None, "0": 0, "1": 1, "-1": -1, "0,1": (0, 1), "1,0": (1, 0),
        "-1,0": (-1, 0), "2,1": (2, 1)}


def wide(x):
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def make(key, t, shape):
    r = rng(key)
    x = r.standard_normal(shape)
    if t.startswith("complex"):
        x = x + 1j * r.standard_normal(shape)
    if t == "bool":
        return x > 0
    return np.round(9 * np.abs(x) if t[0] == "u" else
                    9 * x if t[0] == "i" else 64 * x).astype(t) / (
                        np.array(64 if t[0] in "fc" else 1).astype(t))


def put(w, key, f):
    try:
        r = f()
    except (ValueError, TypeError, np.linalg.LinAlgError):
        return
    w.put(key, np.asarray(r))


def norms(w):
    for t in NORMED:
        x = make(f"norm/{t}", t, (3, 4, 5)).astype(t)
        w.put(f"norm/{t}/x", x)
        for rank, y in ((1, x[0, 0]), (2, x[0]), (3, x)):
            for axis, a in AXES.items():
                if axis != "all" and rank < 3:
                    continue
                for name, o in ORDERS.items():
                    matrix = isinstance(a, tuple) or a is None and rank == 2
                    if t == "float16" and matrix and name in ("2", "-2",
                                                              "nuc"):
                        continue
                    put(w, f"norm/{t}/{rank}/{axis}/{name}",
                        lambda: np.linalg.norm(wide(y), o, a))
    for i, s in enumerate([(0,), (0, 3), (3, 0), (2, 0, 3)]):
        for axis, a in AXES.items():
            if axis in ("all", "0", "0,1"):
                for name, o in ORDERS.items():
                    put(w, f"empty/{i}/{axis}/{name}",
                        lambda: np.linalg.norm(np.zeros(s), o, a))


def squares(t):
    """name, a square matrix or a batch of them"""
    yield "random", make(f"square/{t}", t, (5, 5))
    yield "batch", make(f"squares/{t}", t, (2, 3, 4, 4))
    yield "one", make(f"one/{t}", t, (3, 1, 1))
    # exactly so, whatever the pivots: all quotients are powers of 2
    yield "singular", np.array([[1, 2, 4], [2, 4, 8], [1, 0, 1]], t)
    yield "mixed", np.stack([np.eye(3), np.diag([1, 0, 2])]).astype(t)
    yield "zeros", np.zeros((3, 3), t)
    if t != "int32":
        n = np.arange(5)
        yield "hilbert", (1 / (n[:, None] + n + 1)).astype(t)
        yield "scaled", make(f"scaled/{t}", t, (4, 4)) * np.array(1e-6, t)


def numbers(w):
    for t in FOUR + ["int32"]:
        for name, x in squares(t):
            key = f"{name}/{t}"
            w.put(f"square/{key}", x)
            put(w, f"det/{key}", lambda: np.linalg.det(wide(x)))
            s, v = np.linalg.slogdet(wide(x))
            w.put(f"sign/{key}", np.asarray(s))
            w.put(f"logdet/{key}", np.asarray(v))
            for o in ("none", "fro", "nuc", "inf", "-inf", "1", "-1", "2",
                      "-2"):
                put(w, f"cond/{key}/{o}",
                    lambda: np.linalg.cond(wide(x), ORDERS[o]))
        for m, n in ((5, 3), (3, 5), (4, 4)):
            x = make(f"rank/{t}/{m}/{n}", t, (2, m, n)).astype(t)
            x[1, :, 1] = x[1, :, 0]
            x[1, :, 2] = x[1, :, 0]
            w.put(f"rank/{t}/{m}x{n}/x", x)
            eps = np.finfo(x.dtype if t != "int32" else "float64").eps
            rtol = 5 * eps
            w.put(f"rank/{t}/{m}x{n}",
                  np.linalg.matrix_rank(wide(x), rtol=rtol))
            w.put(f"pinv/{t}/{m}x{n}", np.linalg.pinv(wide(x), rtol=rtol))
            for i in (0, 1):
                for name, shape in (("v", (m,)), ("m", (m, 2))):
                    b = make(f"lstsq/{t}/{m}/{n}/{name}", t, shape).astype(t)
                    key = f"lstsq/{t}/{m}x{n}/{i}{name}"
                    w.put(key + "/b", b)
                    r = np.linalg.lstsq(wide(x[i]), wide(b), rtol)
                    for part, v in zip(("x", "residuals", "rank", "s"), r):
                        v = np.asarray(v)
                        w.put(f"{key}/{part}", v.astype(np.int64)
                              if part == "rank" else v)


def exponentials(w):
    mpmath.mp.dps = 60
    for t in FOUR:
        for scale in ("1e-9", "0.01", "0.2", "0.9", "2", "5", "40"):
            key = f"expm/{t}/{scale}"
            x = make(key, t, (4, 4))
            x = (x * (float(scale) / np.linalg.norm(x, 1))).astype(t)
            w.put(key + "/x", x)
            r = mpmath.expm(mpmath.matrix(x.astype(complex).tolist()))
            r = np.array(r.tolist(), complex)
            w.put(key, r if t[0] == "c" else r.real)


def tensors(w):
    for t in FOUR:
        a = make(f"tensor/{t}", t, (2, 4, 6, 3))
        b = make(f"tensor_b/{t}", t, (2, 6))
        w.put(f"tensorsolve/{t}/a", a)
        w.put(f"tensorsolve/{t}/b", b)
        for name, axes in (("1,3", (1, 3)), ("3,1", (3, 1))):
            w.put(f"tensorsolve/{t}/{name}",
                  np.linalg.tensorsolve(wide(a), wide(b), axes))
        a = np.ascontiguousarray(np.moveaxis(a, 2, 1))
        w.put(f"tensorsolve/{t}/none",
              np.linalg.tensorsolve(wide(a), wide(b)))
        w.put(f"tensorinv/{t}", np.linalg.tensorinv(wide(a)))


if __name__ == "__main__":
    out = Writer("solve.bin")
    norms(out)
    numbers(out)
    exponentials(out)
    tensors(out)
    out.close()
