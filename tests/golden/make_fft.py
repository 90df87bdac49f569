"""Writes fft.bin: calls of transforms, their operands and what NumPy and SciPy
give in float64 and complex128.

    python make_fft.py

Needs what make_golden.py needs; committed for the same reasons. Names:
    <k>/text  the call: function, type (of dct and its kin, else 0), norm,
              number of lengths, the lengths, number of axes, the axes; -1 axes:
              none given. One length or axis of a one-dimensional function too
    <k>/x     the operand
    <k>/out   the result, in double precision
    c<k>/text fftconvolve: mode, number of axes, the axes;  /x /y  /out
    f<k>/text frequencies: function, n, d;  /out
    len       next_fast_len: pairs
"""
import numpy as np
import scipy.fft
import scipy.signal
from make_golden import Bf16, Writer, rng, store

NORMS = ["backward", "ortho", "forward"]
DTYPES = ["float32", "float64", "complex64", "complex128", "float32", "float64",
          "complex64", "complex128", "float16", "bfloat16", "int32", "uint8", "bool"]
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MANY = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]
REAL = ["rfft", "ihfft", "rfft2", "rfftn"]


def operand(g, t, shape):
    if t == "bool":
        return g.random(shape) < .5
    if t[:1] in "iu":
        return g.integers(0, 100, shape).astype(t)
    x = g.standard_normal(shape)
    if t.startswith("complex"):
        x = x + 1j * g.standard_normal(shape)
    return store(x, t)


def wide(x):
    if isinstance(x, Bf16):
        return x.to(np.float64)
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def dtype_for(g, f):
    while True:
        t = DTYPES[g.integers(len(DTYPES))]
        if not (f in REAL and t.startswith("complex")):
            return t


def main():
    w = Writer("fft.bin")
    g = rng("fft")
    k = 0

    def call(f, t, kind, norm, s, axes, shape):
        nonlocal k
        x = operand(g, t, shape)
        y = wide(x)
        if f in ONE:
            out = getattr(np.fft, f)(y, s[0] if s else None, axes[0], norm)
        elif f in MANY:
            kw = {} if axes is None else {"axes": axes}
            if s and axes is None and f not in ("fft2", "ifft2", "rfft2", "irfft2"):
                kw["axes"] = tuple(range(-len(s), 0))
            out = getattr(np.fft, f)(y, s, norm=norm, **kw)
        elif f[-1] == "n":
            out = getattr(scipy.fft, f)(y, kind, s, axes, norm)
        else:
            out = getattr(scipy.fft, f)(y, kind, s[0] if s else None, axes[0], norm)
        s = list(s or [])
        a = [-1] if axes is None else [len(axes)] + list(axes)
        w.put(f"{k}/text", " ".join(map(str, [f, kind, NORMS.index(norm), len(s)]
                                        + s + a)))
        w.put(f"{k}/x", x)
        w.put(f"{k}/out", out)
        k += 1

    for f in ONE:
        for i in range(12):
            norm = NORMS[i % 3]
            ndim = int(g.integers(1, 4))
            shape = tuple(int(v) for v in g.integers(1, 5, ndim))
            axis = int(g.integers(-ndim, ndim))
            n = int(g.integers(1, 30)) if i % 2 else None
            if n is None:
                m = list(shape)
                m[axis] = int(g.integers(2, 25))
                shape = tuple(m)
            call(f, dtype_for(g, f), 0, norm, (n,) if n else None, (axis,), shape)
    for f in MANY:
        for i in range(9):
            norm = NORMS[i % 3]
            ndim = int(g.integers(2, 4))
            shape = tuple(int(v) for v in g.integers(2, 6, ndim))
            axes = s = None
            count = 2
            if i % 2:
                count = 2 if f[-1] == "2" else int(g.integers(1, ndim + 1))
                axes = tuple(int(v) for v in g.permutation(ndim)[:count])
            if i % 3 == 1 and (axes is not None or f[-1] == "2"):
                s = tuple(int(v) for v in g.integers(1, 7, count))
            call(f, dtype_for(g, f), 0, norm, s, axes, shape)
    for f in ["dct", "idct", "dst", "idst"]:
        for kind in range(1, 5):
            for i in range(6):
                ndim = int(g.integers(1, 3))
                shape = [int(v) for v in g.integers(1, 4, ndim)]
                axis = int(g.integers(-ndim, ndim))
                shape[axis] = int(g.integers(2, 16))
                n = int(g.integers(2, 16)) if i > 3 else None
                call(f, dtype_for(g, f), kind, NORMS[i % 3], (n,) if n else None,
                     (axis,), tuple(shape))
    for f in ["dctn", "idctn"]:
        for kind in range(1, 5):
            for i in range(3):
                shape = tuple(int(v) for v in g.integers(2, 5, 3))
                axes = (2, 0) if i == 1 else None
                s = (5, 4) if i == 1 else None
                call(f, dtype_for(g, f), kind, NORMS[i], s, axes, shape)

    for i in range(18):
        mode = ["full", "same", "valid"][i % 3]
        ndim = 1 + i % 3
        a = [int(v) for v in g.integers(3, 8, ndim)]
        b = [int(g.integers(1, v + 1)) for v in a]
        axes = None if i % 2 else (int(g.integers(ndim)),)
        if axes:
            b = [b[j] if j in axes else a[j] for j in range(ndim)]
        if i % 6 == 5:
            a, b = b, a
        tx, ty = dtype_for(g, ""), dtype_for(g, "")
        x, y = operand(g, tx, tuple(a)), operand(g, ty, tuple(b))
        out = scipy.signal.fftconvolve(wide(x), wide(y), mode, axes)
        w.put(f"c{i}/text", " ".join(map(str, [i % 3, -1] if axes is None
                                         else [i % 3, len(axes), *axes])))
        w.put(f"c{i}/x", x)
        w.put(f"c{i}/y", y)
        w.put(f"c{i}/out", out)
    for i, (f, n, d) in enumerate([("fftfreq", 1, 1.), ("fftfreq", 8, .1),
                                   ("fftfreq", 9, -3.), ("rfftfreq", 1, 2.),
                                   ("rfftfreq", 8, .1), ("rfftfreq", 9, .7)]):
        w.put(f"f{i}/text", f"{f} {n} {d}")
        w.put(f"f{i}/out", getattr(np.fft, f)(n, d))

    def smooth(n):
        for p in (2, 3, 5, 7):
            while n % p == 0:
                n //= p
        return n == 1

    ns = list(range(1, 60)) + [127, 509, 1021, 2049, 65537, 1000003, 2**31 + 1]
    pairs = []
    for n in ns:
        m = n
        while not smooth(m):
            m += 1
        pairs.append((n, m))
    w.put("len", np.array(pairs, np.int64))
    w.close()


main()
