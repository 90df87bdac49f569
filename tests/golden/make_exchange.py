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
            z.writestr(zipfile.ZipInfo(name), b.getvalue() if v else "hello")
        z.comment = b"PK\5\6 and more"
    record(out, "npz/other", f.getvalue())
    zipfile.ZIP64_LIMIT, keep = 10, zipfile.ZIP64_LIMIT     # as one above 4 GB
    f = io.BytesIO()
    np.savez(f, arrays["x"], arrays["ints"])
    record(out, "npz/wide", f.getvalue())
    zipfile.ZIP64_LIMIT = keep
    f = io.BytesIO()
    zipfile.ZipFile(f, "w").close()
    record(out, "npz/empty", f.getvalue())
    for name, v in arrays.items():
        record(out, "npz/want/" + name.replace("\u00fc", "u"), v)


NUMBERS = ("1 -2.5 +3e2 .5 5. 1e400 1e-400 -0 nan -inf +Infinity INF NaN 0.1 1e23 "
           "9007199254740993 123456789012345678901234567890 1.7976931348623157e308 "
           "2.2250738585072011e-308 4.9e-324 2.4703282292062327e-324 "
           "2.4703282292062328e-324 0.000000000000000000000000000000000000000001")
TEXTS = [                                           # text, dtype, loadtxt's options
    ("", "f8", {}), ("# a\n\n", "f8", {}), ("1", "f8", {}), ("1 2", "f8", {}),
    ("1\n2", "f8", {}), ("1 2\n3 4", "f8", {}), ("1 2\n3", "f8", {}),
    ("1 2\n3 4 5\n", "f8", {}), ("1,,2", "f8", {"delimiter": ","}),
    ("1,2,", "f8", {"delimiter": ","}), (" 1 , 2 ", "f8", {"delimiter": ","}),
    ("1\t2 3", "f8", {"delimiter": "\t"}), ("1.5", "i8", {}), ("1.0", "i8", {}),
    ("300", "i1", {}), ("-128 127", "i1", {}), ("-129", "i1", {}), ("-1", "u1", {}),
    ("255 0 +7", "u1", {}), ("-32768 32767", "i2", {}), ("65536", "u2", {}),
    ("-2147483648 2147483647", "i4", {}), ("4294967295", "u4", {}),
    ("9223372036854775807 -9223372036854775808", "i8", {}),
    ("9223372036854775808", "i8", {}), ("99999999999999999999", "i8", {}),
    ("18446744073709551615", "u8", {}), ("18446744073709551616", "u8", {}),
    ("1+2j (3-4j) 2j (1) nan+infj 1e3-2e-3j -0-0j", "c16", {}), ("1+2j", "c8", {}),
    ("j", "c16", {}), ("1+j", "c16", {}), ("1+2i", "c16", {}), ("(1+2j", "c16", {}),
    ("2 0 -1", "?", {}), ("True", "?", {}), ("0.5", "?", {}), (NUMBERS, "f8", {}),
    (NUMBERS, "f4", {}), (NUMBERS, "f2", {}), ("0x10", "f8", {}), ("1_0", "f8", {}),
    ("1e", "f8", {}), (".", "f8", {}), ("-", "f8", {}), ("1d5", "f8", {}),
    ("infi", "f8", {}), ("nano", "f8", {}), ("1 2 # c\n#x\n3 4", "f8", {}),
    ("1 2#c\n3 4", "i4", {}), ("1 2 3\n4 5 6", "f8", {"usecols": (2, 0)}),
    ("1 2 3\n4 5 6", "f8", {"usecols": (-1,)}), ("1 x 3\n4 y 6", "i8", {"usecols": (2, 0, 2)}),
    ("1 2 3\n4 5", "f8", {"usecols": (0, 1)}), ("1 2 3\n4 5", "f8", {"usecols": (2,)}),
    ("1 2 3", "f8", {"usecols": (3,)}), ("1 2 3\n4 5 6 7", "f8", {"usecols": (1,)}),
    ("1,a,3\n4,,6", "f4", {"usecols": (0, 2), "delimiter": ","}),
    ("a\n1\n\n2\n3", "f8", {"skiprows": 1, "max_rows": 2}),
    ("1 2", "f8", {"ndmin": 2}), ("1\n2", "f8", {"ndmin": 2}), ("1", "f8", {"ndmin": 2}),
    ("1", "f8", {"ndmin": 1}), ("", "f8", {"ndmin": 2}), ("1 2\r\n3 4\r\n", "f8", {}),
    ("1,2\r\n3,4", "f8", {"delimiter": ","}), ("1 x\n", "f8", {}),
    ("1,2\n3,x", "f8", {"delimiter": ","}), ("1 2 //a\n//\n3 4", "f8", {"comments": "//"}),
    ("16777217", "f4", {}), (" \n1 2", "f8", {}), ("1,2\n,\n", "f8", {"delimiter": ","}),
    ("1\x0b2\x0c3", "f8", {}), ("1,#\n2,3", "f8", {"delimiter": ","}),
    ("1;2;3\n4;5;6\n", "f8", {"delimiter": ";", "skiprows": 1}),
    ("1 2\n3 4\n", "f8", {"skiprows": 9}), ("1 2\n3 4\n5 6", "f8", {"max_rows": 1}),
]


def text(out):
    for k, (t, dtype, how) in enumerate(TEXTS):
        cols = list(how.get("usecols", ()))
        record(out, f"text/{k}/in", t)
        record(out, f"text/{k}/comments", how.get("comments", "#"))
        record(out, f"text/{k}/how", np.array(
            [DTYPES.index(np.dtype(dtype).name), ord(how.get("delimiter", "\0")),
             how.get("skiprows", 0), how.get("max_rows", 0), how.get("ndmin", 0)] + cols,
            np.int32))
        try:
            record(out, f"text/{k}/out", np.loadtxt(io.StringIO(t), dtype, **how))
        except ValueError:
            pass
    g = np.random.default_rng(8)
    f8 = g.standard_normal((3, 4)) * 10.0 ** g.integers(-300, 300, (3, 4))
    f8[0, :3] = np.nan, np.inf, -np.inf
    cases = [(f8, None, {}), (f8[0], "%.3g", {}), (f8, "%+12.4E", {"delimiter": ", "}),
             (np.arange(-3, 3), "%d", {}), (np.arange(6, dtype="u1").reshape(2, 3), "%05i", {}),
             (np.array([2**64 - 1, 5], "u8"), "%d", {}), (np.arange(3, dtype="f4") / 3, None, {}),
             (np.arange(6).reshape(2, 3) * 1.5, "%d|%.2f %g!", {}),
             (np.array([1 + 2j, -3 - 4j, np.nan]), "%.2f", {}),
             (np.arange(4).reshape(2, 2) * (1 - 1j), "%.1e %.2f; %g %+g", {}),
             (np.array([True, False]), "%d", {}), (np.arange(2), "%.1f", {}),
             (np.array([0.1, 2.5], "f2"), "%g", {"header": "a b\nc", "footer": "end"}),
             (np.zeros((0, 3)), None, {"header": "empty"}), (np.zeros((3, 0)), None, {})]
    for k, (x, fmt, how) in enumerate(cases):
        f = io.StringIO()
        np.savetxt(f, x, **({"fmt": fmt} if fmt else {}), **how)
        record(out, f"save/{k}/x", x)
        record(out, f"save/{k}/fmt", fmt or "")
        for w in "delimiter", "header", "footer":
            record(out, f"save/{k}/{w}", how.get(w, ""))
        record(out, f"save/{k}/out", f.getvalue())


with open(os.path.join(HERE, "exchange.bin"), "wb") as f:
    dtypes(f)
    npz(f)
    text(f)
