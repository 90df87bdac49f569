#!/usr/bin/env python3
"""Writes exchange.bin: what NumPy says of dtypes, .npz and text files. NumPy 2.4."""
import io
import os
import zipfile

import numpy as np

DTYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 "
          "bfloat16 float32 float64 complex64 complex128").split()
HERE = os.path.dirname(os.path.abspath(__file__))


def record(out, name, x):
    if isinstance(x, (bytes, str)):
        x = x.encode() if isinstance(x, str) else x
        out.write(f"{name} text 1 {len(x)}\n".encode() + x + b"\n")
        return
    x = np.array(x, order="C")
    shape = " ".join([str(x.ndim)] + [str(n) for n in x.shape])
    out.write(f"{name} {x.dtype} {shape}\n".encode() + x.tobytes() + b"\n")


def can_cast(a, b, rule):
    """NumPy's; bfloat16 is ml_dtypes': one more float of 16 bits."""
    if "bfloat16" not in (a, b):
        return np.can_cast(a, b, rule)
    if a == b or rule == "unsafe":
        return True
    if rule in ("no", "equiv"):
        return False
    if rule == "same_kind":
        c = lambda t: "float32" if t == "bfloat16" else t
        return np.can_cast(c(a), c(b), rule)
    if a == "bfloat16":
        return b in ("float32", "float64", "complex64", "complex128")
    return a in ("bool", "int8", "uint8")


def dtypes(out):
    for rule in "no equiv safe same_kind unsafe".split():
        record(out, f"can_cast/{rule}", np.array(
            [[can_cast(a, b, rule) for b in DTYPES] for a in DTYPES]))
    rows = []
    for a in DTYPES:
        x = np.ones(2, "float32" if a == "bfloat16" else a)
        rows.append([DTYPES.index(str(t)) for t in (
            np.result_type(x, 300), np.result_type(2.0, x), np.result_type(x, 1j),
            np.result_type(x, np.True_), np.result_type(x, np.int16, 1.5))])
    record(out, "result_type", np.array(rows, np.int32))
    for a in "float16 float32 float64 complex64 complex128".split():
        f = np.finfo(a)
        record(out, f"finfo/{a}", np.array(
            [f.bits, f.nmant, f.nexp, f.precision, f.machep, f.negep, f.minexp,
             f.maxexp, f.eps, f.epsneg, f.min, f.max, f.smallest_normal,
             f.smallest_subnormal, f.resolution], np.float64))


def npz(out):
    g = np.random.default_rng(7)
    arrays = {"x": g.standard_normal((3, 4)), "ints": np.arange(6, dtype="i2"),
              "none": np.zeros((0, 2), "f4"), "scalar": np.array(True),
              "turned": np.arange(6.0).reshape(2, 3),
              "\u00fc": np.arange(3) * 1j}
    for kind, save in ("plain", np.savez), ("packed", np.savez_compressed):
        f = io.BytesIO()
        if kind == "packed":        # ours, in C order, are to equal the plain
            arrays["turned"] = np.asfortranarray(arrays["turned"])
        save(f, **arrays)
        record(out, f"npz/{kind}", f.getvalue())
    f = io.BytesIO()
    np.savez(f, arrays["x"], arrays["ints"])
    record(out, "npz/numbered", f.getvalue())
    f = io.BytesIO()                # others' archives: a comment, other files,
    with zipfile.ZipFile(f, "w") as z:          # a name twice, no 64 bits
        for name, v in ("a.npy", 1), ("read.me", None), ("a.npy", 2):
            b = io.BytesIO()
            np.save(b, np.full(2, v or 0))
            z.writestr(name, b.getvalue() if v else "hello")
        z.comment = b"PK\5\6 and more"
    record(out, "npz/other", f.getvalue())
    f = io.BytesIO()
    zipfile.ZipFile(f, "w").close()
    record(out, "npz/empty", f.getvalue())
    for name, v in arrays.items():
        record(out, "npz/want/" + name.replace("\u00fc", "u"), v)


with open(os.path.join(HERE, "exchange.bin"), "wb") as f:
    dtypes(f)
    npz(f)
