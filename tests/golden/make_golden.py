"""Writes the golden files: inputs and results that are not ours.

    python make_golden.py [promotion] [values] [reductions] [create] [views]
                          [print] [npy]          (default: all of them)

Needs NumPy 2, SciPy and mpmath. The files are committed, so that the tests
need no Python; run this again only to change them. The same versions write
the same bytes: every random number comes from a generator seeded with the
record's name. Format: see ../golden.h.

Where results come from
  promotion  NumPy's own ufuncs on arrays of ones. bfloat16, which NumPy does
             not have: as float16, but with float16 it gives float32.
  values     operations with an error bound: mpmath to 60 digits, kept as a
             float64, or two of them (value and remainder) for float64, so
             that the bound is measured against the truth. Where an operand
             or the result is zero, infinite or NaN: NumPy. Exact operations:
             NumPy in the same type; bfloat16 in float32, rounded once.
  reductions exact rational arithmetic for sums and moments, NumPy otherwise
  the rest   NumPy
Where the library's contract departs from NumPy on purpose the place says
"ours:".
"""
import fractions
import functools
import io
import math
import os
import sys
import warnings
import zlib

import mpmath
import numpy as np
import scipy.special as sp

warnings.simplefilter("ignore")
np.seterr(all="ignore")
mp = mpmath.mp
mp.dps = 60
HERE = os.path.dirname(os.path.abspath(__file__))

# In the order of the library's enumeration.
NAMES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 "
         "bfloat16 float32 float64 complex64 complex128").split()
CODE = {n: i for i, n in enumerate(NAMES)}
ERROR = 255
INTS = NAMES[1:9]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
NUMPY = [n for n in NAMES if n != "bfloat16"]


def rng(name):
    return np.random.default_rng(zlib.crc32(name.encode()))


# ------------------------------------------------------------ bfloat16
class Bf16:
    """bfloat16 data: an array of uint16 bits."""

    def __init__(self, bits):
        self.bits = np.asarray(bits, np.uint16)

    @staticmethod
    def of(values):
        """Rounds float32 or float64 values to nearest even, once."""
        v = np.asarray(values, np.float64)
        f = v.astype(np.float32)
        u = f.view(np.uint32).astype(np.uint64)
        # round to odd first, so that the second rounding is exact
        back = f.astype(np.float64)
        down = np.isfinite(v) & (np.abs(back) > np.abs(v))
        u = np.where(down, u - 1, u)
        u = np.where(np.isfinite(v) & (back != v), u | 1, u)
        r = (u + 0x7FFF + ((u >> 16) & 1)) >> 16
        r = np.where(np.isnan(v), 0x7FC0, r)
        return Bf16(r.astype(np.uint16))

    def to(self, dtype):
        u = self.bits.astype(np.uint32) << 16
        return u.view(np.float32).astype(dtype)


def wide(x):
    """A stored array (NumPy's or Bf16) as one NumPy computes with, exactly."""
    return x.to(np.float32) if isinstance(x, Bf16) else x


def store(values, name):
    return Bf16.of(values) if name == "bfloat16" else np.asarray(values).astype(name)


# ---------------------------------------------------------------- files
class Writer:
    def __init__(self, name):
        self.path = os.path.join(HERE, name)
        self.out = io.BytesIO()
        self.names = set()

    def put(self, name, x):
        assert name not in self.names and " " not in name, name
        self.names.add(name)
        if isinstance(x, (str, bytes)):
            raw = x.encode() if isinstance(x, str) else x
            head, shape = "text", (len(raw),)
        else:
            bits = x.bits if isinstance(x, Bf16) else np.asarray(x)
            head = "bfloat16" if isinstance(x, Bf16) else bits.dtype.name
            assert head in NAMES, head
            raw, shape = bits.tobytes(), bits.shape
        dims = "".join(f" {d}" for d in shape)
        self.out.write(f"{name} {head} {len(shape)}{dims}\n".encode())
        self.out.write(raw + b"\n")

    def close(self):
        data = self.out.getvalue()
        with open(self.path, "wb") as f:
            f.write(data)
        print(f"{os.path.basename(self.path)}: {len(self.names)} records, "
              f"{len(data)} bytes")


# ------------------------------------------- the operations, NumPy's names
def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x)))


def rsqrt(x):
    return 1 / np.sqrt(x)


UNARY = {n: getattr(np, n) for n in (
    "negative positive absolute sign reciprocal square sqrt cbrt exp exp2 "
    "expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh "
    "tanh arcsinh arccosh arctanh deg2rad rad2deg sinc floor ceil trunc rint "
    "conj angle bitwise_not bitwise_count logical_not isnan isinf isfinite "
    "signbit").split()}
UNARY.update(rsqrt=rsqrt, erf=sp.erf, erfc=sp.erfc, erfinv=sp.erfinv,
             gamma=sp.gamma, lgamma=sp.gammaln, sigmoid=sigmoid)
BINARY = {n: getattr(np, n) for n in (
    "add subtract multiply divide floor_divide remainder fmod power hypot "
    "copysign nextafter ldexp gcd lcm maximum minimum fmax fmin arctan2 "
    "logaddexp logaddexp2 heaviside bitwise_and bitwise_or bitwise_xor "
    "left_shift right_shift equal not_equal less less_equal greater "
    "greater_equal logical_and logical_or logical_xor").split()}


# ------------------------------------------------------------ promotion
def result_code(f, *args):
    try:
        return CODE[np.asarray(f(*args)).dtype.name]
    except TypeError:
        return ERROR


def as_bf16(code):
    return CODE["bfloat16"] if code == CODE["float16"] else code


def promote(a, b):
    if a == b:
        return a
    if "bfloat16" not in (a, b):
        return np.promote_types(a, b).name
    o = b if a == "bfloat16" else a
    if o == "bool" or o in INTS:
        return "bfloat16"
    return "float32" if o == "float16" else o


def unary_result(op, f, t):
    if op == "rsqrt":
        return unary_result("sqrt", lambda x: np.cbrt(x), t)
    if op in ("erf", "erfc", "erfinv", "gamma", "lgamma", "sigmoid"):
        # ours: floats keep their type, integers and bool give float64
        return (ERROR if t in COMPLEX else
                CODE[t] if t in FLOATS else CODE["float64"])
    if op == "angle" and t in INTS:
        return CODE["float64"]  # ours: NumPy gives float16 for int8
    if t == "bfloat16":
        return as_bf16(result_code(f, np.ones(1, np.float16)))
    return result_code(f, np.ones(1, t))


def binary_result(f, a, b):
    if f is np.ldexp and b == "uint64":
        b = "int64"  # ours: NumPy refuses uint64 exponents
    if "bfloat16" not in (a, b):
        return result_code(f, np.ones(1, a), np.ones(1, b))
    p = promote(a, b)
    if p == "bfloat16":
        s = [np.ones(1, "float16" if t == p else "int8" if t in INTS else t)
             for t in (a, b)]
        return as_bf16(result_code(f, *s))
    return result_code(f, np.ones(1, p), np.ones(1, p))


WEAK = [True, 3, 1.5, 1j]  # bool, int, float, complex


def weak_result(f, t, w, left):
    if f is np.ldexp and left:
        if t == "uint64":
            t = "int64"
        if w == 3 and w is not True:
            w = 1.5  # ours: NumPy takes a lone integer for an int8
    a = np.ones(1, "float16" if t == "bfloat16" else t)
    r = result_code(f, w, a) if left else result_code(f, a, w)
    return as_bf16(r) if t == "bfloat16" else r


def promotion():
    w = Writer("promotion.bin")
    n = len(NAMES)
    w.put("promote", np.array([[CODE[promote(a, b)] for b in NAMES]
                               for a in NAMES], np.uint8))
    f32 = {"bfloat16": "float32"}
    w.put("can_cast", np.array(
        [[np.can_cast(f32.get(a, a), f32.get(b, b), "same_kind")
          for b in NAMES] for a in NAMES], np.uint8))
    for op, f in UNARY.items():
        w.put(f"unary/{op}", np.array([unary_result(op, f, t) for t in NAMES],
                                      np.uint8))
        if op in np.__dict__:
            w.put(f"unary_weak/{op}", np.array(
                [result_code(f, v) for v in WEAK], np.uint8))
    for op, f in BINARY.items():
        w.put(f"binary/{op}", np.array(
            [[binary_result(f, a, b) for b in NAMES] for a in NAMES],
            np.uint8))
        w.put(f"weak/{op}", np.array(
            [[[weak_result(f, t, v, left) for left in (False, True)]
              for v in WEAK] for t in NAMES], np.uint8))
        w.put(f"binary_weak/{op}", np.array(
            [[result_code(f, v, u) for u in WEAK] for v in WEAK], np.uint8))
    assert n == 15
    w.close()


# --------------------------------------------------------------- values
TINY = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149,
        "float64": 2.0**-1074}
NORMAL = {"float16": 2.0**-14, "bfloat16": 2.0**-126, "float32": 2.0**-126,
          "float64": 2.0**-1022}
LARGEST = {"float16": 65504.0, "bfloat16": float(Bf16([0x7F7F]).to(np.float64)[0]),
           "float32": float(np.finfo(np.float32).max),
           "float64": float(np.finfo(np.float64).max)}
OVER = {"float16": 16, "bfloat16": 128, "float32": 128, "float64": 1024}
EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23,
       "float64": 2.0**-52}
PART = {"complex64": "float32", "complex128": "float64"}


def specials(t):
    v = [0, TINY[t], 5 * TINY[t], NORMAL[t], NORMAL[t] / 2, 3 * NORMAL[t],
         LARGEST[t], LARGEST[t] / 2, math.inf, 1, 1 + EPS[t], 1 - EPS[t] / 2,
         0.5, 1.5, 2, 2.5, 3, 3.5, 10, 100, 1000, math.pi, math.pi / 2,
         math.pi / 4, 0.25, 7, 16, 0.1]
    return np.array(v + [-x for x in v] + [math.nan])


def spread(g, t, n, lo=None, hi=None):
    """Magnitudes uniform in the logarithm, signs random."""
    lo = math.log2(TINY[t]) if lo is None else lo
    hi = OVER[t] if hi is None else hi
    e = g.uniform(lo, hi, n)
    return np.where(g.random(n) < 0.5, -1, 1) * np.minimum(
        2.0 ** np.minimum(e, 1023.9), LARGEST[t])


DOMAIN = {  # the rows' test domains
    "negative": (-9, 9), "positive": (-9, 9), "absolute": (-9, 9),
    "sign": (-9, 9), "reciprocal": (0.1, 9), "square": (-9, 9),
    "sqrt": (0, 9), "rsqrt": (0.1, 9), "cbrt": (-9, 9), "exp": (-20, 20),
    "exp2": (-20, 20), "expm1": (-9, 9), "log": (0.01, 99),
    "log2": (0.01, 99), "log10": (0.01, 99), "log1p": (-0.9, 99),
    "sin": (-99, 99), "cos": (-99, 99), "tan": (-99, 99), "arcsin": (-1, 1),
    "arccos": (-1, 1), "arctan": (-9, 9), "sinh": (-9, 9), "cosh": (-9, 9),
    "tanh": (-9, 9), "arcsinh": (-9, 9), "arccosh": (1, 99),
    "arctanh": (-0.9, 0.9), "deg2rad": (-360, 360), "rad2deg": (-7, 7),
    "sinc": (-0.9, 0.9), "erf": (-3, 3), "erfc": (-3, 3),
    "erfinv": (-0.99, 0.99), "gamma": (0.1, 9), "lgamma": (3, 99),
    "sigmoid": (-9, 9), "divide": (0.1, 9), "power": (0.1, 5),
}
# A second range, where the row's bound must hold too.
BEYOND = {
    "exp": (-700, 700), "exp2": (-1070, 1023), "expm1": (-40, 700),
    "sinh": (-700, 700), "cosh": (-700, 700), "log1p": (-1, -0.9),
    "arcsin": (-0.1, 0.1), "arccos": (0.99, 1), "arctanh": (-1, 1),
    "arccosh": (1, 1.01), "erf": (-0.1, 0.1), "erfc": (3, 26),
    "erfinv": (0.99, 1), "gamma": (-8, 30), "lgamma": (0.01, 0.9),
    "sigmoid": (-80, 30), "log": (0.9, 1.1), "log2": (0.9, 1.1),
    "log10": (0.9, 1.1), "tanh": (-0.3, 0.3), "sin": (-1e5, 1e5),
    "cos": (-1e5, 1e5), "tan": (-1e5, 1e5), "arctan": (-0.1, 0.1),
    "arcsinh": (-0.1, 0.1),
}

ln2, ln10 = mp.log(2), mp.log(10)


def mp_cbrt(x):
    return mp.sign(x) * mp.cbrt(abs(x))


def mp_erfinv(x):
    if abs(x) >= 1:
        return None
    if abs(x) < mp.mpf(10) ** -30:
        return x * mp.sqrt(mp.pi) / 2
    return mp.erfinv(x)


def mp_lgamma(x):
    if x <= 0 and x == mp.floor(x):
        return None
    if x > 0:
        return mp.loggamma(x).real
    if x > -1000:
        return mp.log(abs(mp.gamma(x)))
    return None


def mp_gamma(x):
    if x <= 0 and x == mp.floor(x) or abs(x) > 1000:
        return None
    return mp.gamma(x)


def domain(lo, hi, f):
    return lambda x: f(x) if lo <= x <= hi else None


MP = {
    "absolute": abs, "reciprocal": lambda x: 1 / x, "square": lambda x: x * x,
    "sqrt": domain(0, mp.inf, mp.sqrt),
    "rsqrt": domain(0, mp.inf, lambda x: 1 / mp.sqrt(x)), "cbrt": mp_cbrt,
    "sign": mp.sign, "exp": mp.exp, "exp2": lambda x: mp.exp(x * ln2),
    "expm1": mp.expm1, "log": domain(0, mp.inf, mp.log),
    "log2": domain(0, mp.inf, lambda x: mp.log(x) / ln2),
    "log10": domain(0, mp.inf, lambda x: mp.log(x) / ln10),
    "log1p": domain(-1, mp.inf, mp.log1p), "sin": mp.sin, "cos": mp.cos,
    "tan": mp.tan, "arcsin": domain(-1, 1, mp.asin),
    "arccos": domain(-1, 1, mp.acos), "arctan": mp.atan, "sinh": mp.sinh,
    "cosh": mp.cosh, "tanh": mp.tanh, "arcsinh": mp.asinh,
    "arccosh": domain(1, mp.inf, mp.acosh),
    "arctanh": domain(-1, 1, mp.atanh),
    "deg2rad": lambda x: x * mp.pi / 180, "rad2deg": lambda x: x * 180 / mp.pi,
    "sinc": lambda x: mp.sinpi(x) / (mp.pi * x), "erf": mp.erf,
    "erfc": mp.erfc, "erfinv": mp_erfinv, "gamma": mp_gamma,
    "lgamma": mp_lgamma, "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "angle": lambda x: mp.pi if x < 0 else None,
}

# Far out these are 0, 1, 2 or infinite, which NumPy knows as well.
for _op in "exp exp2 expm1 sinh cosh tanh erf erfc sigmoid".split():
    MP[_op] = domain(-1e6, 1e6, MP[_op])


def mp_power(x, y):
    if x < 0 and y != mp.floor(y) or abs(y) > 1e6:
        return None
    return mp.sign(x) ** int(y) * abs(x) ** y if x < 0 else x ** y


def mp_logaddexp(base):
    def f(x, y):
        m, d = max(x, y), abs(x - y)
        return m + (mp.log1p(mp.exp(-d * base)) / base if d < 1e6 else 0)
    return f


MP2 = {
    "add": lambda x, y: x + y, "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y, "divide": lambda x, y: x / y,
    "power": mp_power, "hypot": lambda x, y: mp.sqrt(x * x + y * y),
    "arctan2": mp.atan2, "logaddexp": mp_logaddexp(1),
    "logaddexp2": mp_logaddexp(ln2),
}


def truth(r, t):
    """An mpf as (value, remainder), infinite where type t overflows."""
    if abs(r) >= mp.mpf(2) ** OVER[t]:
        return math.copysign(math.inf, r), 0.0
    hi = float(r)
    if math.isinf(hi):
        hi = math.copysign(float(np.finfo(np.float64).max), hi)
    lo = float(r - mp.mpf(hi))
    return hi, lo


def outside(*args):
    return any(not math.isfinite(a) or a == 0 for a in args)


def real_truth(op, t, fmp, fnp, *xs):
    """Arrays value, remainder of op on stored float arrays of type t."""
    xs = [wide(x).astype(np.float64) for x in xs]
    via = fnp(*xs)  # settles special values
    hi, lo = np.array(via, np.float64), np.zeros(len(via))
    for i, args in enumerate(zip(*xs)):
        if any(not math.isfinite(a) for a in args):
            continue
        if outside(*args) and (outside(hi[i]) or op == "arctan2"):
            continue
        try:
            r = fmp(*[mp.mpf(float(a)) for a in args])
        except (ValueError, ZeroDivisionError, mpmath.libmp.ComplexResult):
            r = None
        if r is None or not mp.isfinite(r) or mp.im(r) != 0:
            if math.isinf(hi[i]) or math.isnan(hi[i]) or hi[i] == 0:
                continue
            if r is None:  # no oracle here, NumPy's value will do
                continue
            raise AssertionError((op, t, args, r, hi[i]))
        if r == 0:
            assert hi[i] == 0 or op == "logaddexp", (op, t, args, hi[i])
            hi[i] = 0 * hi[i]
            continue
        v = truth(r, t)
        n = float(hi[i])
        # the two oracles watch each other
        if math.isfinite(n) and abs(n) > 1e-290 and math.isfinite(v[0]):
            slack = {"logaddexp": 1e-4, "logaddexp2": 1e-4}.get(op, 1e-6)
            if op not in ("sinc", "lgamma") and abs(n - v[0]) > slack * abs(v[0]):
                print("oracles differ:", op, t, args, n, v[0])
        hi[i], lo[i] = v
    return hi, lo


def put_truth(w, key, hi, lo, t):
    w.put(key + "/hi", hi)
    if t == "float64":
        w.put(key + "/lo", lo)


# Exact operations: NumPy in the type itself; bfloat16 in float32.
def exact(f, t, *xs):
    r = f(*[wide(x) for x in xs])
    if t == "bfloat16" and r.dtype == np.float32:
        return Bf16.of(r)
    return r


def bf16_nextafter(x, y):
    a, b = x.to(np.float32), y.to(np.float32)
    s = x.bits.astype(np.int32)
    key = np.where(s & 0x8000, -(s & 0x7FFF), s)
    key = np.where(a < b, key + 1, np.where(a > b, key - 1, key))
    r = np.where(key < 0, 0x8000 | -key, key)
    # a step towards zero from the least negative gives -0
    r = np.where((key == 0) & (a < 0), 0x8000, r)
    r = np.where(a == b, x.bits, r)  # as NumPy's float16
    r = np.where(np.isnan(a) | np.isnan(b), 0x7FC0, r)
    return Bf16(r.astype(np.uint16))


EXACT_UNARY = ("negative positive floor ceil trunc rint conj sign absolute "
               "reciprocal square sqrt logical_not isnan isinf isfinite "
               "signbit").split()
FLOAT_UNARY = EXACT_UNARY + [op for op in MP if op not in EXACT_UNARY]
EXACT_BINARY = ("add subtract multiply divide floor_divide remainder fmod "
                "copysign nextafter maximum minimum fmax fmin heaviside equal "
                "not_equal less less_equal greater greater_equal logical_and "
                "logical_or logical_xor").split()
FLOAT_BINARY = EXACT_BINARY + ["power", "hypot", "arctan2", "logaddexp",
                               "logaddexp2", "ldexp"]


def float_inputs(op, t, n=100):
    g = rng(f"{op}/{t}")
    lo, hi = DOMAIN.get(op, (-9, 9))
    parts = [specials(t), g.uniform(lo, hi, n)]
    if op in BEYOND:
        b = np.array(BEYOND[op], float)
        if t != "float64" and abs(b).max() > 300:
            b = b * {"float16": 0.016, "bfloat16": 0.127, "float32": 0.127}[t]
        if t == "float16" and abs(b).max() > 6e4:
            b = b / 10
        parts.append(g.uniform(b[0], b[1], n))
    if op not in ("lgamma", "gamma", "sinc"):
        parts.append(spread(g, t, 50))
    elif op == "lgamma":
        parts.append(np.abs(spread(g, t, 50)))
    x = np.concatenate(parts)
    if op == "lgamma":  # relative accuracy is lost at the negative zeros
        x = x[~((x > -12) & (x < -2)) & ~((x > 0.9) & (x < 2.4) & (x != 1) & (x != 2))
              & ~((x < -12) & np.isfinite(x))]
    if op == "sinc":
        x = x[((abs(x) < 3.6) & ((x != np.round(x)) | (x == 0)))
              | ~np.isfinite(x)]
    if op == "gamma":
        x = x[(abs(x) < 200) | ~np.isfinite(x) | (x > 0)]
    return store(x, t)


def float_values(w):
    for op in FLOAT_UNARY:
        f = UNARY[op]
        for t in FLOATS:
            x = float_inputs(op, t)
            w.put(f"{op}/{t}/x", x)
            if op in EXACT_UNARY:
                w.put(f"{op}/{t}/y", exact(f, t, x))
            else:
                put_truth(w, f"{op}/{t}", *real_truth(op, t, MP[op], f, x), t)
    for op in FLOAT_BINARY:
        f = BINARY[op]
        for t in FLOATS:
            g = rng(f"{op}/{t}")
            s = np.array([0, 1, 0.5, 2, 3, math.inf, LARGEST[t], TINY[t],
                          NORMAL[t]])
            s = np.concatenate([s, -s, [math.nan]])
            a, b = [v.ravel() for v in np.meshgrid(s, s)]
            lo, hi = DOMAIN.get(op, (-9, 9))
            a = np.concatenate([a, g.uniform(lo, hi, 100), spread(g, t, 60)])
            if op == "power":
                far = spread(g, t, 60, -6, 6)
                far[::2] = np.round(far[::2])
            elif op in ("hypot", "arctan2", "add", "subtract"):
                far = a[-60:] * g.uniform(-3, 3, 60)  # of like size
            elif op.startswith("logaddexp"):
                far = a[-60:] + g.uniform(-30, 30, 60)
            else:
                far = spread(g, t, 60)
            b = np.concatenate([b, g.uniform(lo, hi, 100), far])
            if op in ("maximum", "minimum", "fmax", "fmin"):
                # which of two zeros comes out is not fixed by NumPy
                keep = ~((a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b)))
                a, b = a[keep], b[keep]
            if op.startswith("logaddexp"):
                # near a result of 0 no algorithm without more digits is exact
                with mpmath.workdps(30):
                    r = real_truth(op, "float64", MP2[op], f, a, b)[0]
                big = np.maximum(abs(a), abs(b))
                keep = ~(abs(r) < 0.5 * big) | (big == 0) | ~np.isfinite(big)
                a, b = a[keep], b[keep]
            a = store(a, t)
            w.put(f"{op}/{t}/x", a)
            if op == "ldexp":
                e = np.round(b / 1e3 if t != "float64" else b)
                e = np.where(np.isfinite(e), e, 7).clip(-3000, 3000)
                b = e.astype(np.int32)
                w.put(f"{op}/{t}/x2", b)
                w.put(f"{op}/{t}/y", exact(f, t, a, b))
                continue
            b = store(b, t)
            w.put(f"{op}/{t}/x2", b)
            if op == "nextafter" and t == "bfloat16":
                w.put(f"{op}/{t}/y", bf16_nextafter(a, b))
            elif op in EXACT_BINARY:
                w.put(f"{op}/{t}/y", exact(f, t, a, b))
            else:
                put_truth(w, f"{op}/{t}",
                          *real_truth(op, t, MP2[op], f, a, b), t)


# ------------------------------------------------------------- complex
MPC = {
    "sqrt": mp.sqrt, "exp": mp.exp, "exp2": lambda z: mp.exp(z * ln2),
    "expm1": mp.expm1, "log": mp.log, "log2": lambda z: mp.log(z) / ln2,
    "log10": lambda z: mp.log(z) / ln10, "log1p": lambda z: mp.log(1 + z),
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "arcsin": mp.asin,
    "arccos": mp.acos, "arctan": mp.atan, "sinh": mp.sinh, "cosh": mp.cosh,
    "tanh": mp.tanh, "arcsinh": mp.asinh, "arccosh": mp.acosh,
    "arctanh": mp.atanh, "reciprocal": lambda z: 1 / z,
    "square": lambda z: z * z, "sign": lambda z: z / abs(z),
    "sinc": lambda z: mp.sin(mp.pi * z) / (mp.pi * z),
    "absolute": abs, "angle": mp.arg,
}
MPC2 = {"multiply": MP2["multiply"], "divide": MP2["divide"],
        "power": lambda z, w: z ** w}
CEXACT_UNARY = "negative positive conj rint logical_not isnan isinf isfinite".split()
CEXACT_BINARY = ("add subtract maximum minimum fmax fmin equal not_equal less less_equal "
                 "greater greater_equal logical_and logical_or "
                 "logical_xor").split()


def complex_of(re, im):
    z = np.empty(np.shape(re), np.complex128)
    z.real, z.imag = re, im
    return z


# How an element is to be compared
GENERIC, SPECIAL, SIGNS, INFINITE, ZERO = range(5)


def how(op, args, r):
    """SPECIAL: zeros, infinities and NaN exactly; SIGNS: their signs are not
    specified; INFINITE, ZERO: that, or what NumPy gives (NumPy's division
    makes NaN where C's Annex G asks for an infinity or a zero)."""
    if not np.iscomplexobj(r):
        return SPECIAL
    r = complex(r)
    if op in ("divide", "reciprocal"):
        a, b = args if op == "divide" else (1, args[0])
        inf = [math.isinf(z.real) or math.isinf(z.imag)
               for z in (complex(a), complex(b))]
        nan = [not i and z != z for i, z in zip(inf, (a, b))]
        if inf[0] and not inf[1] and not nan[1] or (
                b == 0 and a != 0 and not nan[0]):
            return INFINITE
        if inf[1] and not inf[0] and not nan[0]:
            return ZERO
        return SIGNS
    if op in ("power", "sinc"):
        return SIGNS  # of zeros, left by a division or a logarithm
    ends = not np.isfinite(args[0])
    if ends and (math.isnan(r.real) or math.isnan(r.imag)):
        return SIGNS  # C99: mostly unspecified beside a NaN
    if ends and op in ("exp", "exp2", "expm1", "tan", "tanh") and not (
            math.isfinite(args[0].imag) and math.isfinite(args[0].real)):
        return SIGNS
    return SPECIAL


def special_value(op, args, r):
    if op == "expm1" and not np.isfinite(args[0]):
        e = np.exp(args[0])  # C's rules; NumPy's formula makes NaN of them
        return complex(e.real - 1, e.imag)
    return r


def complex_truth(op, t, fmp, fnp, *zs):
    """value, remainder; complex or real as fnp is; how to compare; and which
    elements to keep: those that do not overflow."""
    p = PART[t]
    zs = [z.astype(np.complex128) for z in zs]
    via = fnp(*zs)
    hi, lo = via.copy(), np.zeros_like(via)
    keep = np.ones(len(via), bool)
    special = np.zeros(len(via), np.uint8)
    for i, args in enumerate(zip(*zs)):
        if any(outside(a.real, a.imag) for a in args):
            special[i] = how(op, args, via[i])
            hi[i] = special_value(op, args, via[i])
            # C99 leaves powers of infinities and NaN open
            keep[i] = (op != "power" or args[1] == 0
                       or bool(np.isfinite(args).all()))
            continue
        with mpmath.workdps(700 if t == "complex128" else 120):
            r = fmp(*[mp.mpc(a.real, a.imag) for a in args])
            if np.iscomplexobj(via):
                a, b = truth(r.real, p), truth(r.imag, p)
                v, rest = complex(a[0], b[0]), complex(a[1], b[1])
            else:
                v, rest = truth(r, p)
        keep[i] = bool(np.isfinite(v))
        n = complex(hi[i])
        if keep[i] and np.isfinite(n) and abs(n) > 1e-290:
            if abs(n - v) > 1e-6 * abs(v) and op not in (
                    "log1p", "expm1", "sinc", "log2", "log10", "arctanh"):
                print("oracles differ:", op, t, args, n, v)
        hi[i], lo[i] = v, rest
    return hi, lo, special, keep


def put_complex(w, key, t, xs, hi, lo, special, keep):
    for x, tail in zip(xs, ("x", "x2")):
        w.put(f"{key}/{tail}", x[keep])
    w.put(f"{key}/hi", hi[keep])
    if t == "complex128":
        w.put(f"{key}/lo", lo[keep])
    w.put(f"{key}/special", special[keep])


GRID = np.array([0.0, -0.0, 1, -1, 0.5, math.inf, -math.inf, math.nan])


def complex_inputs(op, t, n=80):
    g = rng(f"{op}/{t}")
    lo, hi = DOMAIN.get(op, (-9, 9))
    lo, hi = max(lo, -9), min(hi, 9)
    re, im = [v.ravel() for v in np.meshgrid(GRID, GRID)]
    more = [(2, 0), (2, -0.0), (-2, 0), (-2, -0.0), (0, 2), (-0.0, 2),
            (0, -2), (-0.0, -2)]
    zs = [complex_of(re, im), complex_of(*np.array(more).T),
          complex_of(g.uniform(lo, hi, n), g.uniform(-9, 9, n)),
          complex_of(g.uniform(-1.2, 1.2, n), g.uniform(-1.2, 1.2, n))]
    if op == "sinc":  # away from the domain the bound is not meant
        zs[2] = zs[2] / 9
    if op not in ("sinc", "exp", "exp2", "expm1", "sin", "cos", "sinh",
                  "cosh"):
        m = math.log2(LARGEST[PART[t]]) / 4
        zs.append(complex_of(spread(g, PART[t], n, -m, m),
                             spread(g, PART[t], n, -m, m)))
    if op == "rint":
        zs[2] = np.round(zs[2] * 2) / 2
    return np.concatenate(zs).astype(t)


def complex_values(w):
    for op in list(MPC) + CEXACT_UNARY:
        f = UNARY[op]
        for t in COMPLEX:
            z = complex_inputs(op, t)
            if op in MPC:
                put_complex(w, f"{op}/{t}", t, [z],
                            *complex_truth(op, t, MPC[op], f, z))
            else:
                w.put(f"{op}/{t}/x", z)
                w.put(f"{op}/{t}/y", f(z))
    for op in list(MPC2) + CEXACT_BINARY:
        f = BINARY[op]
        for t in COMPLEX:
            g = rng(f"{op}/{t}")
            n = 200
            g4 = g.choice(np.append(GRID, [2, -3]), (4, n))
            a, b = complex_of(g4[0], g4[1]), complex_of(g4[2], g4[3])
            u = g.uniform(-3, 3, (4, 120))
            if op in CEXACT_BINARY[2:]:
                u = np.round(u)
            a = np.concatenate([a, complex_of(u[0], u[1])]).astype(t)
            b = np.concatenate([b, complex_of(u[2], u[3])]).astype(t)
            if op in MPC2:
                put_complex(w, f"{op}/{t}", t, [a, b],
                            *complex_truth(op, t, MPC2[op], f, a, b))
            else:
                w.put(f"{op}/{t}/x", a)
                w.put(f"{op}/{t}/x2", b)
                w.put(f"{op}/{t}/y", f(a, b))


# ------------------------------------------------------------- integers
INT_UNARY = ("negative positive absolute sign reciprocal square floor ceil "
             "trunc conj bitwise_not bitwise_count logical_not isnan isinf "
             "isfinite").split()
INT_BINARY = ("add subtract multiply divide floor_divide remainder fmod "
              "power gcd lcm maximum minimum fmax fmin bitwise_and bitwise_or "
              "bitwise_xor left_shift right_shift equal not_equal less "
              "less_equal greater greater_equal logical_and logical_or "
              "logical_xor").split()
BOOL_UNARY = ("absolute floor ceil trunc bitwise_not logical_not isnan isinf "
              "isfinite reciprocal square conj").split()
BOOL_BINARY = ("add multiply divide floor_divide remainder fmod power maximum "
               "minimum fmax fmin bitwise_and bitwise_or bitwise_xor "
               "left_shift right_shift equal not_equal less less_equal greater "
               "greater_equal logical_and logical_or logical_xor").split()


def int_specials(t):
    i = np.iinfo(t)
    v = [i.min, i.min + 1, i.max, i.max - 1, 0, 1, 2, 3, 7, 10, i.max // 2,
         i.bits - 1, i.bits, i.bits + 1]
    if i.min < 0:
        v += [-1, -2, -3, -7, i.min // 2]
    return np.array(sorted(set(v)), t)


def int_values(w):
    for t in INTS:
        g = rng(t)
        i = np.iinfo(t)
        any_ = g.integers(i.min, i.max, 60, t, True)
        small = g.integers(max(i.min, -20), 21, 60).astype(t)
        x = np.concatenate([int_specials(t), any_, small])
        w.put(f"{t}/x", x)
        for op in INT_UNARY:
            y = UNARY[op](x)
            if op == "reciprocal":
                y[x == 0] = 0  # ours: division by zero gives 0
            w.put(f"{op}/{t}/y", y)
        s = int_specials(t)
        a, b = [v.ravel() for v in np.meshgrid(s, s)]
        a = np.concatenate([a, any_, any_[::-1], small])
        b = np.concatenate([b, any_[::-1] // 3, small, small[::-1]])
        w.put(f"{t}/a", a)
        w.put(f"{t}/b", b)
        for op in INT_BINARY:
            if op == "power":
                e = (abs(b.astype(np.float64)) % 71).astype(t)
                w.put(f"{op}/{t}/e", e)
                w.put(f"{op}/{t}/y", np.power(a, e))
            else:
                w.put(f"{op}/{t}/y", BINARY[op](a, b))
    x = np.array([False, True])
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    w.put("bool/x", x)
    w.put("bool/a", a)
    w.put("bool/b", b)
    for op in BOOL_UNARY:
        y = UNARY[op](x)
        if op == "reciprocal":
            y[~x] = 0
        w.put(f"{op}/bool/y", y)
    for op in BOOL_BINARY:
        w.put(f"{op}/bool/y", BINARY[op](a, b))


# ----------------------------------- functions of other signatures
def other_values(w):
    for t in FLOATS:
        x = float_inputs("modf", t, 60)
        w.put(f"modf/{t}/x", x)
        for k, name in enumerate(("fraction", "integer")):
            w.put(f"modf/{t}/{name}", exact(lambda v: np.modf(v)[k], t, x))
        x = float_inputs("frexp", t, 60)
        w.put(f"frexp/{t}/x", x)
        w.put(f"frexp/{t}/mantissa", exact(lambda v: np.frexp(v)[0], t, x))
        w.put(f"frexp/{t}/exponent", np.frexp(wide(x))[1].astype(np.int32))
    for t in NAMES:
        g = rng("round/" + t)
        if t == "bool":
            continue
        if t in INTS:
            i = np.iinfo(t)
            x = np.concatenate([g.integers(max(i.min, -2**40),
                                           min(i.max, 2**40), 60).astype(t),
                                np.array([5, 15, 25, 35, 45, 55, 0, 50, 100,
                                          120], t)])
        else:
            v = np.concatenate([g.uniform(-50, 50, 60), g.uniform(-1, 1, 40),
                                [0.5, 1.5, 2.5, -0.5, -1.5, 0.25, 0.125,
                                 0.375, 25, 35, -15, 0, -0.0, math.inf,
                                 -math.inf, math.nan, 1234.5, 2675.0]])
            x = store(complex_of(v, v[::-1]) if t in COMPLEX else v, t)
        w.put(f"round/{t}/x", x)
        for d in (0, 1, 2, 3, -1, -2):
            # half precision: computed in float32 and rounded once, where
            # NumPy rounds (and overflows) at every step
            v = wide(x)
            if t == "float16":
                v = v.astype(np.float32)
            r = np.round(v, d)
            w.put(f"round/{t}/{d}", Bf16.of(r) if t == "bfloat16"
                  else r.astype(t))
    for t in NAMES:
        if t == "bool" or t in INTS:
            x = np.array([0, 1, 1], t)
        else:
            v = np.array([0, -0.0, 1.5, math.nan, math.inf, -math.inf, -2.5])
            if t in COMPLEX:
                v = complex_of(*[u.ravel() for u in np.meshgrid(v, v)])
            x = store(v, t)
        w.put(f"nan_to_num/{t}/x", x)
        for k, args in enumerate([dict(), dict(nan=7.0),
                                  dict(nan=-1.0, posinf=5.0, neginf=-6.0)]):
            if t == "bfloat16":
                args = {"posinf": LARGEST[t], "neginf": -LARGEST[t], **args}
            y = np.nan_to_num(wide(x), **args)
            w.put(f"nan_to_num/{t}/{k}",
                  Bf16.of(y) if t == "bfloat16" else y)
    for t in NAMES:
        g = rng("clip/" + t)
        if t == "bool":
            x, lo, hi = [g.random(16) < 0.5 for _ in range(3)]
        elif t in INTS:
            i = np.iinfo(t)
            x, lo, hi = [g.integers(i.min, i.max, 40, t, True)
                         for _ in range(3)]
        else:
            s = np.array([1, -1, 2, 3, -4, math.inf, -math.inf, math.nan,
                          0.5])
            x, lo, hi = [g.choice(s, 80) for _ in range(3)]
            if t in COMPLEX:
                x, lo, hi = [complex_of(v, g.choice(s, 80))
                             for v in (x, lo, hi)]
            x, lo, hi = [store(v, t) for v in (x, lo, hi)]
        c = g.random(len(x.bits if isinstance(x, Bf16) else x)) < 0.5
        for k, v in (("x", x), ("lo", lo), ("hi", hi), ("cond", c)):
            w.put(f"clip/{t}/{k}", v)
        # np.clip in so many words (which loses a complex limit's NaN)
        w.put(f"clip/{t}/both", exact(
            lambda a, b, c: np.minimum(np.maximum(a, b), c), t, x, lo, hi))
        w.put(f"clip/{t}/low", exact(np.maximum, t, x, lo))
        w.put(f"clip/{t}/high", exact(np.minimum, t, x, hi))
        w.put(f"clip/{t}/where", exact(lambda a, b: np.where(c, a, b), t, x,
                                       lo))
    # int64 against uint64, exactly
    a = np.array([-2**63, -1, 0, 1, 2**62, 2**63 - 1], np.int64)
    b = np.array([0, 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)
    a, b = [v.ravel() for v in np.meshgrid(a, b)]
    w.put("iu/a", a)
    w.put("iu/b", b)
    for op in ("equal not_equal less less_equal greater greater_equal").split():
        f = {"equal": "__eq__", "not_equal": "__ne__", "less": "__lt__",
             "less_equal": "__le__", "greater": "__gt__",
             "greater_equal": "__ge__"}[op]
        w.put(f"iu/{op}", np.array([getattr(int(u), f)(int(v))
                                    for u, v in zip(a, b)]))
        w.put(f"ui/{op}", np.array([getattr(int(v), f)(int(u))
                                    for u, v in zip(a, b)]))


def values():
    w = Writer("values.bin")
    float_values(w)
    complex_values(w)
    int_values(w)
    other_values(w)
    w.close()


SECTIONS = {"promotion": promotion, "values": values}

if __name__ == "__main__":
    for name in sys.argv[1:] or SECTIONS:
        SECTIONS[name]()
