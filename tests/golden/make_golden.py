"""Writes the golden files: inputs and results that are not ours.

    python make_golden.py [promotion] [values] [reductions] [create] [views]
                          [print] [npy] [products] [random]      (default: all)

Needs NumPy 2, SciPy and mpmath. The files are committed, so that the tests
need no Python; run this again only to change them. The same versions write
the same bytes: every random number comes from a generator seeded with the
record's name. Format: see ../golden.h.

Where results come from
  promotion  NumPy's own ufuncs on arrays of ones. bfloat16, which NumPy does
             not have: as float16, but with float16 it gives float32.
  values     operations with an error bound: mpmath to 60 digits (700 for
             EXPRESSIONS), kept as a float64, or two of them (value and
             remainder) for float64, so that the bound is measured against the
             truth. Where an operand
             or the result is zero, infinite or NaN: NumPy. Exact operations:
             NumPy in the same type; bfloat16 in float32, rounded once.
  reductions sums and moments in 400 digits, NumPy otherwise
  random     distribution functions and moments: scipy.stats
  products   NumPy; bfloat16 in float32, on values that make it exact
  the rest   NumPy
What there is comes from the tables of gpuarr.h, row by row: a row that is not
a function of NumPy needs an entry in EXPRESSIONS, or this program says so.
Records keep their places in a file; new ones follow at its end.
Where the library's contract departs from NumPy on purpose the place says
"ours:".
"""
import functools
import io
import math
import os
import re
import sys
import warnings
import zlib

import mpmath
import numpy as np
import scipy.special as sp
import scipy.stats as st

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
    if name == "bfloat16":
        return Bf16.of(values)
    return np.asarray(values).astype(name)


# ---------------------------------------------------------------- files
class Writer:
    def __init__(self, name):
        self.path = os.path.join(HERE, name)
        self.records = {}

    def put(self, name, x):
        assert name not in self.records and " " not in name, name
        if isinstance(x, (str, bytes)):
            raw = x.encode() if isinstance(x, str) else x
            head, shape = "text", (len(raw),)
        else:
            bits = x.bits if isinstance(x, Bf16) else np.asarray(x)
            head = "bfloat16" if isinstance(x, Bf16) else bits.dtype.name
            assert head in NAMES, head
            raw, shape = bits.tobytes(), bits.shape
        dims = "".join(f" {d}" for d in shape)
        self.records[name] = (
            f"{name} {head} {len(shape)}{dims}\n".encode() + raw + b"\n")

    def places(self):
        """The names in the file as it is."""
        try:
            data = open(self.path, "rb").read()
        except FileNotFoundError:
            return
        at = 0
        while at < len(data):
            end = data.index(b"\n", at)
            name, head, ndim, *dims = data[at:end].decode().split()
            size = 1 if head == "text" else 2 if head == "bfloat16" else (
                np.dtype(head).itemsize)
            at = end + 1 + math.prod(map(int, dims)) * size + 1
            yield name

    def close(self):
        old = [n for n in self.places() if n in self.records]
        data = b"".join(self.records[n] for n in dict.fromkeys(
            old + list(self.records)))
        with open(self.path, "wb") as f:
            f.write(data)
        print(f"{os.path.basename(self.path)}: {len(self.records)} records, "
              f"{len(data)} bytes")


# ------------------------------------------- the operations, NumPy's names
# What is no function of NumPy: of x, and y where there are two.
EXPRESSIONS = {
    "rsqrt": "1 / sqrt(x)", "sigmoid": "1 / (1 + exp(-x))", "erf": "erf(x)",
    "erfc": "erfc(x)", "erfinv": "erfinv(x)", "gamma": "gamma(x)",
    "lgamma": "gammaln(x)",
}


class Row:
    """One line of a table: its columns by name; types as a set of letters."""

    def __init__(self, columns, values):
        self.__dict__.update(zip(columns, values))
        self.types = set(self.types.replace("GA__", "").replace("|", ""))
        self.bound = float(getattr(self, "ulp", 0))


# What make_special.py writes beside the rows of cost OWN.
TRUTHS = "isposinf isneginf isreal iscomplex".split()


def table(macro, *columns, own=False):
    """The rows of a table: make_special.py's own, or the others."""
    text = open(os.path.join(HERE, "..", "..", "gpuarr.h")).read()
    body = re.search(rf"#define {macro}\(X\) \\\n((?:.*\\\n)*.*\n)", text)[1]
    rows = [Row(columns, re.split(r", *", v))
            for v in re.findall(r"X\(([^)\"\\]*)", body)]
    return {r.name: r for r in rows if own == (
        r.name in TRUTHS or getattr(r, "cost", "") == "OWN")}


COLUMNS = "name types result cost ulp lo hi".split()
UNARY_ROWS = table("GA_UNARY_OPS", *COLUMNS)
BINARY_ROWS = table("GA_BINARY_OPS", *COLUMNS)
OWN_UNARY = table("GA_UNARY_OPS", *COLUMNS, own=True)
OWN_BINARY = table("GA_BINARY_OPS", *COLUMNS, own=True)
ROWS = {**UNARY_ROWS, **BINARY_ROWS, **OWN_UNARY, **OWN_BINARY}
COLUMNS = "name types result family combine start finish nans".split()
REDUCTIONS = {**table("GA_REDUCTIONS", *COLUMNS),
              **table("GA_REDUCTIONS_DDOF", *COLUMNS)}


def expression(op, names, *args):
    """EXPRESSIONS[op] of args, by the functions in `names`."""
    return eval(EXPRESSIONS[op], names, dict(zip("xy", args)))


def numpy_of(op):
    if hasattr(np, op):
        return getattr(np, op)
    if op not in EXPRESSIONS:
        sys.exit(f"make_golden.py: {op} has neither a function of NumPy nor "
                 "an entry in EXPRESSIONS")
    return functools.partial(expression, op, {**vars(sp), **vars(np)})


UNARY = {op: numpy_of(op) for op in UNARY_ROWS}
BINARY = {op: numpy_of(op) for op in BINARY_ROWS}
REDUCE = {op: numpy_of(op.removeprefix("nan")) for op in REDUCTIONS}


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


def real_divide(x, y):
    """Takes and gives the dtypes of a special function of two numbers."""
    if np.iscomplexobj(x) or np.iscomplexobj(y):
        raise TypeError
    return np.divide(x, y)


def of_its_types(op, rows):
    """NumPy's function of that name, or one whose row has the same dtypes."""
    if op in OWN_BINARY:
        return real_divide
    if hasattr(np, op) and (op not in OWN_UNARY or op in TRUTHS):
        return getattr(np, op)
    same = [n for n, r in rows.items() if hasattr(np, n)
            and (r.types, r.result) == (ROWS[op].types, ROWS[op].result)]
    return getattr(np, same[0]) if same else None


def unary_result(op, f, t):
    if f is None and ROWS[op].types == set("FD"):
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
    for op in [*UNARY, *OWN_UNARY]:
        f = of_its_types(op, UNARY_ROWS)
        w.put(f"unary/{op}", np.array([unary_result(op, f, t) for t in NAMES],
                                      np.uint8))
        if op in np.__dict__ and (op in UNARY or op in TRUTHS):
            w.put(f"unary_weak/{op}", np.array(
                [result_code(f, v) for v in WEAK], np.uint8))
    for op in [*BINARY, *OWN_BINARY]:
        f = of_its_types(op, BINARY_ROWS)
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
LARGEST = {"float16": 65504.0,
           "bfloat16": float(Bf16([0x7F7F]).to(np.float64)[0]),
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


def domain_of(op):
    """The row's test domain, where it has a bound."""
    r = ROWS.get(op)
    return (float(r.lo), float(r.hi)) if r and r.bound else (-9, 9)


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
        if r is not None and mp.im(r) != 0:  # NumPy may have rounded past it
            hi[i] = math.nan
            continue
        if r is None or not mp.isfinite(r):
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
            if op not in ("sinc", "lgamma") and (
                    abs(n - v[0]) > slack * abs(v[0])):
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


# Exact: rows without a bound, and those whose bound is for complex alone.
IEEE = "absolute sign reciprocal square sqrt multiply divide".split()


def rows_with(rows, letter, exact):
    return [op for op, r in rows.items() if letter in r.types
            and (r.bound == 0 or letter == "F" and op in IEEE) == exact]


EXACT_UNARY = rows_with(UNARY_ROWS, "F", True)
FLOAT_UNARY = EXACT_UNARY + rows_with(UNARY_ROWS, "F", False)
EXACT_BINARY = rows_with(BINARY_ROWS, "F", True)
FLOAT_BINARY = EXACT_BINARY + rows_with(BINARY_ROWS, "F", False)


def object_function(f):
    return np.frompyfunc(f, 1, 1)


def truth_of(op, functions):
    """op with many digits: of scalars, or of an array to be reduced."""
    if op in functions:
        return functions[op]
    if op not in EXPRESSIONS:
        sys.exit(f"make_golden.py: neither mpmath nor EXPRESSIONS has {op}")
    names = {n: object_function(f) for n, f in {**MP, **MPC}.items()}
    names.update(sum=mp.fsum, max=max, pi=mp.pi)

    def f(*args):
        with mpmath.workdps(700):
            return +expression(op, names, *args)
    return f


def float_inputs(op, t, n=100):
    g = rng(f"{op}/{t}")
    lo, hi = domain_of(op)
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
        zeros = (x > 0.9) & (x < 2.4) & (x != 1) & (x != 2)
        x = x[~((x > -12) & (x < -2)) & ~zeros
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
                put_truth(w, f"{op}/{t}", *real_truth(
                    op, t, truth_of(op, MP), f, x), t)
    for op in FLOAT_BINARY:
        f = BINARY[op]
        for t in FLOATS:
            g = rng(f"{op}/{t}")
            s = np.array([0, 1, 0.5, 2, 3, math.inf, LARGEST[t], TINY[t],
                          NORMAL[t]])
            s = np.concatenate([s, -s, [math.nan]])
            a, b = [v.ravel() for v in np.meshgrid(s, s)]
            lo, hi = domain_of(op)
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
                          *real_truth(op, t, truth_of(op, {**MP, **MP2}), f,
                                      a, b), t)


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
CEXACT_UNARY = rows_with(UNARY_ROWS, "C", True)
CEXACT_BINARY = rows_with(BINARY_ROWS, "C", True)


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
    z = args[0]
    if op == "sinc" and z.imag == 0 and z != 0 and z.real == np.round(z.real):
        return 0j if np.isfinite(z) else r  # where NumPy rounds pi
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
    lo, hi = domain_of(op)
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


# Beyond where functions settle or overflow, beside what is no number.
FAR = np.array([0.0, -0.0, 1, 30, -30, 800, math.inf, -math.inf, math.nan])


def far_values(w):
    for op in rows_with(UNARY_ROWS, "C", False):
        if op in ("exp2", "expm1", "sinc"):  # NumPy's formulas lose it all
            continue
        for t in COMPLEX:
            re, im = [v.ravel() for v in np.meshgrid(FAR, FAR)]
            # a part zero, infinite or NaN: there NumPy is the truth
            keep = ~np.isfinite(re) | (re == 0) | ~np.isfinite(im) | (im == 0)
            z = complex_of(re[keep], im[keep]).astype(t)
            hi, lo, special, keep = complex_truth(op, t, truth_of(op, MPC),
                                                  UNARY[op], z)
            keep &= ~(np.isfinite(hi) & (abs(hi) > LARGEST[PART[t]]))
            if op == "reciprocal":
                special[np.isfinite(z) & (z != 0)] = SPECIAL
            put_complex(w, f"far/{op}/{t}", t, [z], hi, lo, special, keep)


def complex_values(w):
    for op in rows_with(UNARY_ROWS, "C", False) + CEXACT_UNARY:
        f = UNARY[op]
        for t in COMPLEX:
            z = complex_inputs(op, t)
            if op not in CEXACT_UNARY:
                put_complex(w, f"{op}/{t}", t, [z], *complex_truth(
                    op, t, truth_of(op, MPC), f, z))
            else:
                w.put(f"{op}/{t}/x", z)
                w.put(f"{op}/{t}/y", f(z))
    for op in rows_with(BINARY_ROWS, "C", False) + CEXACT_BINARY:
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
            if op not in CEXACT_BINARY:
                put_complex(w, f"{op}/{t}", t, [a, b], *complex_truth(
                    op, t, truth_of(op, {**MPC, **MPC2}), f, a, b))
            else:
                w.put(f"{op}/{t}/x", a)
                w.put(f"{op}/{t}/x2", b)
                w.put(f"{op}/{t}/y", f(a, b))


# ------------------------------------------------------------- integers
INT_UNARY = [op for op, r in UNARY_ROWS.items() if "I" in r.types]
INT_BINARY = [op for op, r in BINARY_ROWS.items() if "I" in r.types
              or op == "divide"]
# What has no bool goes up to int8, where that is no error.
BOOL_UNARY, BOOL_BINARY = [
    [op for op in ops if "B" in ROWS[op].types or "N" not in ROWS[op].types]
    for ops in (INT_UNARY, INT_BINARY)]


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
    far_values(w)
    int_values(w)
    other_values(w)
    w.close()


# ----------------------------------------------------------- reductions
AXES = [(0, 1, 2), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
SHAPE = (3, 4, 5)
EXACT_REDUCTIONS = [op for op, r in REDUCTIONS.items()
                    if r.family in ("EXT", "ARG", "COUNT")]
MOMENTS = [op for op, r in REDUCTIONS.items() if r.family == "VAR"]
SUMS = [op for op in REDUCTIONS if op not in EXACT_REDUCTIONS + MOMENTS]


def is_nan(v):
    return v != v


def exact_number(v):
    v = v.item() if isinstance(v, np.generic) else v
    if isinstance(v, complex):
        return mp.mpc(v.real, v.imag)
    return mp.mpf(v)


def reduce_truth(op, t, values, ddof):
    """One result from a list of NumPy scalars: (hi, lo, magnitude)."""
    part = PART.get(t, "float64" if t in INTS or t == "bool" else t)
    row, f = REDUCTIONS[op], REDUCE[op]
    if row.nans == "SKIP":
        values, op = [v for v in values if not is_nan(v)], op[3:]
    n = len(values)
    cplx = t in COMPLEX
    if not all(np.isfinite(v) for v in values):
        u = np.array(values, complex if cplx else float)
        if cplx and op == "prod":
            return None  # depends on the order
        if cplx and op == "mean":  # by parts: no NaN from a division
            return complex(f(u.real), f(u.imag)), 0, 0
        return f(u), 0, 0
    with mpmath.workdps(400):
        x = [exact_number(v) for v in values]
        mag = float(mp.fsum(abs(v) for v in x)) if n else 0.0
        if op == "sum":
            r = mp.fsum(x)
        elif op == "prod":
            r = functools.reduce(lambda a, b: a * b, x, mp.mpf(1))
            mag = 0.0
        elif op not in ("mean", "var", "std"):
            r, mag = truth_of(op, MP)(np.array(x, object)) if n else (
                mp.mpf(row.start.replace("HUGE_VAL", "inf"))), 0.0
        elif n == 0 or op in ("var", "std") and n - ddof <= 0:
            nan = complex(math.nan, math.nan) if cplx and op == "mean" else (
                math.nan)
            return nan, 0, 0
        else:
            mean = mp.fsum(x) / n
            mag /= n
            if op == "mean":
                r = mean
            else:
                r = mp.fsum(abs(v - mean) ** 2 for v in x) / (n - ddof)
                r, mag = (mp.sqrt(r) if op == "std" else r), 0.0
        if isinstance(r, mpmath.mpc) or cplx and op not in ("var", "std"):
            a, b = truth(mp.re(r), part), truth(mp.im(r), part)
            return complex(a[0], b[0]), complex(a[1], b[1]), mag
        return (*truth(r, part), mag)


def slices_of(x, axes):
    """The reduced elements, one list an output element, in C order."""
    keep = [a for a in range(3) if a not in axes]
    y = np.transpose(x, keep + list(axes))
    return y.reshape(int(np.prod([SHAPE[a] for a in keep])), -1)


def exact_reduction(op, t, x, axes):
    if op in ("argmax", "argmin", "nanargmax", "nanargmin"):
        rows, r = slices_of(x, axes), []
        for v in rows:
            if op.startswith("nan"):
                # ours: -1 where all are NaN
                ok = [i for i, u in enumerate(v) if not is_nan(u)]
                f = np.argmax if op == "nanargmax" else np.argmin
                r.append(ok[int(f(v[ok]))] if ok else -1)
            else:
                r.append(int(getattr(np, op)(v)))
        return np.array(r, np.int64)
    if op == "count_nonzero":
        return np.asarray(np.count_nonzero(x, axes)).ravel().astype(np.int64)
    return np.asarray(getattr(np, op)(x, axes)).ravel()


def is_sum(op):
    return REDUCTIONS[op].result == "SUM"


def reduction_inputs(t, kind):
    g = rng(f"reduce/{t}/{kind}")
    if t == "bool":
        return g.random(SHAPE) < (0.8 if kind == "plain" else 0.1)
    if t in INTS:
        i = np.iinfo(t)
        if kind == "plain":
            return g.integers(i.min, i.max, SHAPE, t, True)
        return g.integers(max(i.min, -1), 3, SHAPE).astype(t)
    if kind == "plain":
        v = g.uniform(-2, 3, SHAPE)
        if t in COMPLEX:
            v = complex_of(v, g.uniform(-2, 3, SHAPE))
        return store(v, t)
    s = np.array([0, -0.0, 1, -1, 2, 2, 0.5, -3])
    v = g.choice(s, SHAPE)
    if t in COMPLEX:
        v = complex_of(v, g.choice(s, SHAPE))
    v[g.random(SHAPE) < 0.25] = math.nan
    v[1, :, 2] = math.nan
    v[0, 3, 1] = math.inf
    v[2, 0, 4] = -math.inf
    v[2, 2, :] = math.nan
    v[1, 1, :] = [2, 1, 2, 0, 2]
    if t in COMPLEX:
        v[0, 0, 0] = complex(math.nan, 1)
        v[1, 2, 3] = complex(1, math.nan)
    return store(v, t)


def reductions():
    w = Writer("reductions.bin")
    for t in NAMES:
        for kind in ("plain", "special"):
            x = reduction_inputs(t, kind)
            w.put(f"{t}/{kind}", x if isinstance(x, Bf16) else x)
            v = wide(x)
            for op in EXACT_REDUCTIONS:
                if t == "bool" and "N" in REDUCTIONS[op].types:
                    continue
                r = np.concatenate([exact_reduction(op, t, v, a)
                                    for a in AXES])
                if t == "bfloat16" and r.dtype == np.float32:
                    r = Bf16.of(r)
                w.put(f"{op}/{t}/{kind}", r)
            for op in SUMS:
                if (t in INTS or t == "bool") and is_sum(op):
                    r = [np.asarray(getattr(np, op)(v, a)).ravel()
                         for a in AXES]
                    w.put(f"{op}/{t}/{kind}", np.concatenate(r))
            for op in SUMS + MOMENTS:
                if (t in INTS or t == "bool") and is_sum(op) or (
                        t in COMPLEX and "C" not in REDUCTIONS[op].types):
                    continue
                for ddof in (0, 1) if op in MOMENTS else (0,):
                    r = [reduce_truth(op, t, list(u), ddof)
                         for a in AXES for u in slices_of(v, a)]
                    skip = np.array([u is None for u in r], np.uint8)
                    r = [(0, 0, 0) if u is None else u for u in r]
                    key = f"{op}/{t}/{kind}" + (f"/{ddof}" if op in MOMENTS
                                                else "")
                    c = t in COMPLEX and op not in MOMENTS
                    ct = np.complex128 if c else np.float64
                    w.put(key + "/hi", np.array([u[0] for u in r], ct))
                    w.put(key + "/lo", np.array([u[1] for u in r], ct))
                    w.put(key + "/mag", np.array([u[2] for u in r], np.float64))
                    if skip.any():
                        w.put(key + "/skip", skip)
    w.close()


# --------------------------------------------------------------- create
def cast(x, a, b):
    """x of stored type a as type b: integers wrap as in C; ours: float to
    integer saturates, NaN gives 0 (NumPy leaves both undefined)."""
    v = wide(x)
    if b == "bool":
        return v != 0
    if a in COMPLEX and b not in COMPLEX:
        v = v.real
    if b in INTS and v.dtype.kind == "f":
        i = np.iinfo(b)
        d = np.trunc(v.astype(np.float64))
        r = [0 if math.isnan(u) else i.min if u < i.min else
             i.max if u > i.max else int(u) for u in map(float, d)]
        return np.array(r, b)
    if b == "bfloat16":
        return Bf16.of(v.astype(np.float64))
    if a == "bfloat16" and b in FLOATS:
        return v.astype(b)
    return v.astype(b)


def cast_inputs(t):
    g = rng("cast/" + t)
    if t == "bool":
        return np.array([False, True, True])
    if t in INTS:
        i = np.iinfo(t)
        return np.concatenate([int_specials(t),
                               g.integers(i.min, i.max, 20, t, True),
                               g.integers(max(i.min, -300), min(i.max, 300),
                                          20).astype(t)])
    p = PART.get(t, t)
    edges = [s * (2.0 ** k + d) for k in (7, 8, 15, 16, 31, 32, 63, 64)
             for d in (-1, -0.5, 0, 0.5, 1) for s in (1, -1)]
    v = np.concatenate([specials(p), edges, [65504, 65519.99, 65520, 65536],
                        g.uniform(-300, 300, 30), spread(g, p, 30),
                        [1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8,
                         1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-24 + 2.0**-50,
                         2.0**-25, 1.5 * 2.0**-25, 2.0**-134, 3 * 2.0**-135]])
    if t in COMPLEX:
        v = complex_of(v, v[::-1])
    return store(v, t)


def create():
    w = Writer("create.bin")
    ranges = [(0, 10, 1), (5, 5, 1), (10, 0, -3), (0, 10, 3), (-5, 5, 2),
              (0, -1, 1), (3, -8, -4), (2**40, 2**40 + 3, 1), (0, 1, 0.1),
              (0, 1, 0.3), (1, 1.3, 0.1), (1, 0, -0.1), (0, 0.6, 0.2),
              (0.5, 5.5, 0.5), (0.1, 0.8, 0.1), (-1, 1, 0.25), (0, 5, 1.5),
              (0.0, 3, 1), (3, 0, 0.5), (1e10, 1e10 + 1, 0.25),
              (0, 100, 0.7)]
    for i, r in enumerate(ranges):
        w.put(f"arange/{i}", np.array(r, np.float64))
        w.put(f"arange/{i}/y", np.arange(*r))
    i = 0
    for r in ranges[:7] + ranges[13:18]:
        for t in NAMES[1:]:
            if t in COMPLEX or t.startswith("u") and min(r) < 0:
                continue
            if t == "bfloat16":
                y = Bf16.of(np.arange(*r))
            else:
                y = np.arange(*r, dtype=t)
            whole = all(isinstance(v, int) for v in r)
            if t in INTS and not whole and r[2] != int(r[2]):
                continue  # ours: start + i*step, then cast
            w.put(f"arange_as/{i}", np.array(r, np.float64))
            w.put(f"arange_as/{i}/int", np.array([whole]))
            w.put(f"arange_as/{i}/y", y)
            i += 1
    lines = [(0, 1, 5), (0, 1, 11), (2, 3, 1), (2, 3, 0), (-1, 1, 50),
             (5, 0, 6), (1e10, 1e10 + 1, 7), (0.1, 0.7, 7), (0, 3, 1000),
             (3, 3, 4), (0, 1e-300, 3)]
    for i, (a, b, n) in enumerate(lines):
        w.put(f"linspace/{i}", np.array([a, b, n], np.float64))
        w.put(f"linspace/{i}/y", np.linspace(a, b, n))
        w.put(f"linspace/{i}/open", np.linspace(a, b, n, endpoint=False))
        for t in ("int32", "float32", "float16"):
            if abs(a) < 100 and b < 100:
                w.put(f"linspace/{i}/{t}", np.linspace(10 * a, 10 * b, n,
                                                       dtype=t))
    logs = [(0, 3, 4, 10), (2, 3, 4, 2), (-2, 2, 9, 10), (0, 1, 1, 10),
            (0, 1, 0, 10), (1, 0, 5, 2.5)]
    for i, r in enumerate(logs):
        w.put(f"logspace/{i}", np.array(r, np.float64))
        w.put(f"logspace/{i}/y", np.logspace(r[0], r[1], r[2], base=r[3]))
    geoms = [(1, 1000, 4), (1, 256, 9), (1000, 1, 7), (-1, -1000, 4),
             (0.1, 0.7, 5), (3, 3, 3), (1e-5, 1e5, 11), (2, 9, 1), (2, 9, 0),
             (1, 10, 2)]
    for i, r in enumerate(geoms):
        w.put(f"geomspace/{i}", np.array(r, np.float64))
        w.put(f"geomspace/{i}/y", np.geomspace(*r))
    i = 0
    for n, m in ((3, 3), (2, 5), (5, 2), (1, 1), (4, 1), (0, 3), (3, 0)):
        for k in (0, 1, -1, 4, -4, 2, -7):
            w.put(f"eye/{i}", np.array([n, m, k]))
            w.put(f"eye/{i}/y", np.eye(n, m, k, dtype=np.int32))
            i += 1
    for a in NAMES:
        x = cast_inputs(a)
        w.put(f"cast/{a}", x)
        for b in NAMES:
            w.put(f"cast/{a}/{b}", cast(x, a, b))
    w.close()


# ---------------------------------------------------------------- views
def slice_text(g, rich):
    """A random index string: what NumPy's basic indexing is made of."""
    big = ["9223372036854775807", "-9223372036854775808", "100", "-100"]

    def num():
        return (str(g.integers(-6, 7)) if g.random() < 0.9
                else str(g.choice(big)))

    def sp():
        return " " * int(g.choice([0, 0, 0, 1, 2]))

    def item():
        r = g.random()
        if r < 0.25:
            return num()
        if r < 0.82:
            s = (num() if g.random() < 0.5 else "") + sp() + ":" + sp()
            s += num() if g.random() < 0.5 else ""
            if g.random() < 0.6:
                s += sp() + ":" + sp()
                if g.random() < 0.8:
                    s += str(g.choice([-3, -2, -1, 1, 2, 3]))
            return s
        return "..." if r < 0.9 else str(g.choice(["newaxis", "None"]))

    n = int(g.integers(1, 5 if not rich else 9))
    s = ",".join(sp() + item() + sp() for _ in range(n))
    return s + ("," if g.random() < 0.1 else "")


FAULTS = [  # text, for a (4, 5) array, and its status
    ("", "GA_ERR_SYNTAX"), (",", "GA_ERR_SYNTAX"), (":,,:", "GA_ERR_SYNTAX"),
    ("a", "GA_ERR_SYNTAX"), ("1 2", "GA_ERR_SYNTAX"),
    ("1:2:3:4", "GA_ERR_SYNTAX"),
    ("..", "GA_ERR_SYNTAX"), ("....", "GA_ERR_SYNTAX"),
    ("1.5", "GA_ERR_SYNTAX"),
    ("--1", "GA_ERR_SYNTAX"), ("- 1 :", None), ("1-", "GA_ERR_SYNTAX"),
    ("newaxi", "GA_ERR_SYNTAX"), ("newaxis1", "GA_ERR_SYNTAX"),
    ("[1]", "GA_ERR_SYNTAX"), (":;", "GA_ERR_SYNTAX"), ("0x1", "GA_ERR_SYNTAX"),
    ("..., ...", "GA_ERR_SYNTAX"), ("1,2,3", "GA_ERR_INDEX"),
    (":,:,:", "GA_ERR_INDEX"), ("4", "GA_ERR_INDEX"), ("-5", "GA_ERR_INDEX"),
    (":, 5", "GA_ERR_INDEX"), ("..., -6", "GA_ERR_INDEX"),
    ("9223372036854775807", "GA_ERR_INDEX"),
    ("-9223372036854775808", "GA_ERR_INDEX"), ("::0", "GA_ERR_VALUE"),
    (":, 1:2:0", "GA_ERR_VALUE"),
    ("None,None,None,None,None,None,None", "GA_ERR_SHAPE"),
    ("\t1", None), ("1\n", None),
]


def view_cases(g):
    """(function, shape, base, arguments, result or status) at random."""
    n = int(g.integers(0, 5))
    shape = tuple(int(v) for v in g.choice([0, 1, 2, 3, 4, 5], n,
                                           p=[.05, .25, .2, .2, .2, .1]))
    base = int(g.integers(0, 3))
    x = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
    x = x.T if base == 1 else np.flip(x) if base == 2 else x
    f = str(g.choice("reshape ravel transpose reverse swapaxes moveaxis "
                     "expand_dims squeeze squeeze_all broadcast_to flip "
                     "flip_all diagonal slice_axis index_axis".split()))

    def axis():
        return int(g.integers(-n - (g.random() < .1), n + (g.random() < .1))
                   if n else g.integers(-1, 2))

    def axes(k):
        return [axis() for _ in range(k)]

    status = "GA_ERR_AXIS"
    if f == "reshape":
        k, left, a = int(g.integers(0, 5)), x.size, []
        for i in range(k):
            d = [v for v in range(1, 61) if left and left % v == 0] or [0, 1, 2]
            v = int(g.choice(d)) if i < k - 1 else left
            a.append(v)
            left //= max(v, 1)
        a = [int(v) for v in g.permutation(a)] if k else a
        if k and g.random() < .4:
            a[int(g.integers(k))] = -1
        if k and g.random() < .1:
            a[int(g.integers(k))] = int(g.integers(-2, 4))
        if min(a, default=0) < -1:
            return None  # ours: only -1 may stand for a length
        r, status = lambda: x.reshape(a), "GA_ERR_SHAPE"
    elif f == "ravel":
        a, r = [], lambda: x.ravel()
    elif f == "transpose":
        a = [int(v) for v in g.permutation(n)]
        a = [v - n if g.random() < .3 else v for v in a]
        if n and g.random() < .15:
            a[int(g.integers(n))] = axis()
        if g.random() < .05:
            a = a[:-1]
        if not a:
            return None
        r = lambda: x.transpose(a)
    elif f == "reverse":
        a, r = [], lambda: x.T
    elif f == "swapaxes":
        a = axes(2)
        r = lambda: x.swapaxes(*a)
    elif f == "moveaxis":
        k = int(g.integers(1, 3))
        a = axes(2 * k)
        r = lambda: np.moveaxis(x, a[:k], a[k:])
    elif f == "expand_dims":
        k = int(g.integers(1, 4))
        m = n + k
        a = [int(v) for v in g.integers(-m - (g.random() < .1),
                                        m + (g.random() < .1), k)]
        r = lambda: np.expand_dims(x, tuple(a))
    elif f == "squeeze":
        a = axes(int(g.integers(1, 3)))
        ones = [i for i, v in enumerate(x.shape) if v == 1]
        if ones and g.random() < .7:
            a = [int(v) for v in g.permutation(ones)[:2]]
        r = lambda: np.squeeze(x, tuple(a))
    elif f == "squeeze_all":
        a, r = [], lambda: np.squeeze(x)
    elif f == "broadcast_to":
        a = [int(v) for v in g.integers(0, 4, int(g.integers(0, 3)))]
        a += [int(g.integers(0, 4)) if v == 1 and g.random() < .7 else v
              for v in x.shape]
        if a and g.random() < .15:
            a[int(g.integers(len(a)))] = int(g.integers(-1, 6))
        r, status = lambda: np.broadcast_to(x, a), "GA_ERR_SHAPE"
    elif f == "flip":
        a = axes(int(g.integers(1, 3)))
        r = lambda: np.flip(x, tuple(a))
    elif f == "flip_all":
        a, r = [], lambda: np.flip(x)
    elif f == "diagonal":
        a = [int(g.integers(-6, 7)), axis(), axis()]
        if n < 2:
            return None
        r = lambda: x.diagonal(*a)
    elif f == "slice_axis":
        v = [int(g.integers(-7, 8)) for _ in range(2)]
        v = [END if g.random() < .25 else u for u in v]
        step = int(g.choice([-3, -2, -1, 0, 1, 2, 3], p=[.1, .15, .2, .05, .2,
                                                         .2, .1]))
        a = [axis(), *v, step]
        if n == 0 or not -n <= a[0] < n:
            r = lambda: np.moveaxis(x, a[0], 0)
        else:
            status = "GA_ERR_VALUE"
            s = slice(*[None if u == END else u for u in v], step)
            key = (slice(None),) * (a[0] % n) + (s,)
            r = lambda: x[key]
    else:
        a = [axis(), int(g.integers(-6, 7))]
        if n == 0 or not -n <= a[0] < n:
            r = lambda: np.moveaxis(x, a[0], 0)
        else:
            status = "GA_ERR_INDEX"
            r = lambda: x.take(a[1], a[0])
    try:
        y = np.asarray(r())
        if f == "index_axis" and not -x.shape[a[0]] <= a[1] < x.shape[a[0]]:
            raise IndexError
        return f, shape, base, a, y.astype(np.int32)
    except (ValueError, IndexError, np.exceptions.AxisError) as e:
        if f == "squeeze" and "size not equal to one" in str(e):
            status = "GA_ERR_SHAPE"
        return f, shape, base, a, status


END = 2**63 - 1


def views():
    w = Writer("views.bin")
    g = rng("slices")
    k = 0
    while k < 400:
        n = int(g.choice([0, 1, 1, 2, 2, 3, 3, 4, 8]))
        shape = tuple(int(v) for v in g.integers(0 if n < 8 else 1,
                                                 6 if n < 8 else 3, n))
        s = slice_text(g, k % 10 == 0)
        x = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
        try:
            y = np.asarray(eval(f"x[{s.strip()}]", {"x": x, "newaxis": None}))
        except (IndexError, OverflowError, ValueError):
            continue
        if y.ndim > 8:
            continue
        w.put(f"slice/{k}/shape", np.array(shape, np.int64))
        w.put(f"slice/{k}/text", s)
        w.put(f"slice/{k}/out", y.astype(np.int32))
        k += 1
    for i, (s, status) in enumerate(FAULTS):
        if status:
            w.put(f"fault/{i}/text", s)
            w.put(f"fault/{i}/status", status)
    g = rng("views")
    k = 0
    while k < 1500:
        c = view_cases(g)
        if c is None or isinstance(c[4], str) and g.random() < .5:
            continue
        w.put(f"{k}/call", c[0])
        w.put(f"{k}/shape", np.array([c[2], *c[1]], np.int64))
        w.put(f"{k}/args", np.array(c[3], np.int64))
        w.put(f"{k}/status" if isinstance(c[4], str) else f"{k}/out", c[4])
        k += 1
    w.close()


# ---------------------------------------------------------------- print
def print_values(g, t, n):
    """Numbers of the sorts that make printing choose."""
    if t == "bool":
        return g.random(n) < 0.5
    if t in INTS:
        i = np.iinfo(t)
        if g.random() < 0.3:
            return g.integers(i.min, i.max, n, t, True)
        hi = min(i.max, 10 ** int(g.integers(1, 6)))
        return g.integers(max(i.min, -hi) if g.random() < 0.5 else 0, hi,
                          n).astype(t)
    if t in COMPLEX:
        z = complex_of(print_values(g, PART[t], n), print_values(g, PART[t], n))
        return z.astype(t)
    m = int(g.integers(0, 10))
    if m == 0:
        v = g.random(n)
    elif m == 1:
        v = g.normal(size=n) * 10.0 ** g.integers(-6, 10)
    elif m == 2:
        v = g.integers(-1000, 1000, n).astype(float)
    elif m == 3:
        v = g.integers(-9, 9, n) / g.choice([2, 4, 10, 100, 1000])
    elif m == 4:
        v = 10.0 ** g.uniform(-g.integers(1, 12), g.integers(1, 12), n)
    elif m == 5:
        v = np.round(g.normal(size=n) * 10.0 ** g.integers(0, 4),
                     int(g.integers(0, 3)))
    elif m == 6:
        v = 2.0 ** g.integers(-20, 20, n) * g.choice([1, -1])
    elif m == 7:
        v = g.choice([0.0, -0.0, 1e8, 99999999.9999, 999999.9, 1e16, 9.99e15,
                      1e-4, 9.9e-5, 999.5, 1000, 1 / 3, 1e-320, 123456.789],
                     n)
    elif m == 8:
        v = np.full(n, g.choice([0.0, -0.0, 1.0, 1e8, 1e-4, 1 / 3, math.nan,
                                 math.inf, -math.inf, 1e-7]))
    else:
        v = np.arange(n) * g.choice([1, 0.1, 0.5, 1e-3, 1e5])
    v = np.asarray(v, float).astype(t)
    if g.random() < 0.25:
        at = g.random(n) < 0.2
        v[at] = g.choice(np.array([math.nan, math.inf, -math.inf, 0, -0.0]),
                         int(at.sum())).astype(t)
    return v


def options(g):
    o = dict(precision=8, threshold=1000, edgeitems=3, linewidth=75,
             suppress=False, floatmode="maxprec", sign="-", nanstr="nan",
             infstr="inf")

    def maybe(p, key, values):
        if g.random() < p:
            v = g.choice(np.array(values, object))
            o[key] = v
    maybe(.5, "precision", [0, 1, 2, 3, 4, 6, 10, 16, 17, 20])
    maybe(.3, "threshold", [0, 5, 10, 100])
    maybe(.3, "edgeitems", [1, 2, 4, 10])
    maybe(.3, "linewidth", [1, 10, 20, 40, 120, 200])
    maybe(.3, "suppress", [True])
    maybe(.2, "floatmode", ["fixed"])
    maybe(.3, "sign", ["+", " "])
    maybe(.1, "nanstr", ["notanumber"])
    maybe(.1, "infstr", ["Infinity"])
    return o


def printing():
    w = Writer("print.bin")
    g = rng("print")
    big = [(1001,), (1000,), (300, 4), (4, 300), (11, 11, 11), (2, 600),
           (5, 6, 7, 8), (1, 1200), (1200, 1), (2, 7, 2, 7, 2, 7)]
    kinds = NUMPY + ["float16", "float32", "float64"] * 3 + COMPLEX
    for k in range(480):
        t = str(g.choice(kinds))
        n = int(g.choice([0, 1, 1, 1, 2, 2, 3, 3, 4, 5]))
        shape = tuple(int(v) for v in g.choice(
            [0, 1, 2, 3, 4, 5, 7], n, p=[.03, .17, .2, .2, .2, .1, .1]))
        if k % 24 == 0:
            shape = big[k // 24 % len(big)]
            t = str(g.choice(["int8", "float16", "bool", "int16", "float32"]))
        x = print_values(g, t, math.prod(shape)).astype(t).reshape(shape)
        o = options(g) if k % 2 else options(rng("none"))
        if k % 2 == 0:
            o = dict(o, precision=8, threshold=1000, edgeitems=3, linewidth=75,
                     suppress=False, floatmode="maxprec", sign="-",
                     nanstr="nan", infstr="inf")
        with np.printoptions(**o):
            s, r = str(x), repr(x)
        w.put(f"{k}/x", x)
        w.put(f"{k}/options", "%d %d %d %d %d %d %d|%s|%s" % (
            o["precision"], o["threshold"], o["edgeitems"], o["linewidth"],
            o["suppress"], o["floatmode"] == "fixed", ord(o["sign"]),
            o["nanstr"], o["infstr"]))
        w.put(f"{k}/str", s)
        w.put(f"{k}/repr", r)
    # numbers alone, one line each
    special = [0.0, -0.0, 1, -1, math.nan, math.inf, -math.inf, 1e16, 9.999e15,
               1e-4, 9.9e-5, 1e6, 999999.9, 1000, 999.5, 1 / 3, 2.5,
               123456789.0, 1e8, 1e-7]
    for t, u, mant in (("float16", "u2", 10), ("float32", "u4", 23),
                       ("float64", "u8", 52)):
        bits = np.dtype(u).itemsize * 8
        edge = [max(0, (e << mant) + d)
                for e in range(0, 1 << (bits - 1 - mant),
                               1 if bits < 64 else 16)
                for d in (-1, 0, 1)]
        x = np.concatenate([np.array(special, t), np.array(edge, u).view(t),
                            g.integers(0, 2 ** (bits - 1), 300,
                                       dtype=u).view(t),
                            (10.0 ** g.uniform(-6, 18, 200)).astype(t)])
        put_scalars(w, x)
    parts = [0.0, -0.0, 1, -2.5, math.nan, math.inf, -math.inf, 1e20, 1e-9,
             1 / 3, 123456789.0]
    for t in COMPLEX:
        put_scalars(w, np.array([complex(a, b) for a in parts for b in parts],
                                t))
    for t in INTS:
        put_scalars(w, int_specials(t))
    put_scalars(w, np.array([False, True]))
    w.close()


def put_scalars(w, x):
    t = x.dtype.name
    w.put(f"scalars/{t}", x)
    w.put(f"scalars/{t}/str", "\n".join(str(v) for v in x))
    w.put(f"scalars/{t}/repr", "\n".join(repr(np.array(v)) for v in x))


# ------------------------------------------------------------------ npy
NPY_SHAPES = [(), (3,), (2, 3), (0,), (2, 0, 3), (2, 1, 2, 1, 2, 1, 2, 1)]


def npy_bytes(x, version=(1, 0)):
    f = io.BytesIO()
    np.lib.format.write_array(f, x, version)
    return f.getvalue()


def raw_npy(header, data=b"", version=1, magic=b"\x93NUMPY", length=None):
    """A file with this header as it stands."""
    h = header.encode("latin1")
    n = len(h) if length is None else length
    return (magic + bytes([version, 0])
            + n.to_bytes(2 if version == 1 else 4, "little") + h + data)


def npy():
    w = Writer("npy.bin")
    g = rng("npy")
    k = 0
    for t in NUMPY:
        for shape in NPY_SHAPES:
            x = np.asarray(print_values(g, t, math.prod(shape))).astype(
                t).reshape(shape)
            files = [npy_bytes(np.ascontiguousarray(x).reshape(shape))]
            if len(shape) > 1:
                files.append(npy_bytes(np.asfortranarray(x)))
            if x.dtype.itemsize > 1:
                files.append(npy_bytes(x.astype(x.dtype.newbyteorder(">"))))
                if shape == (2, 3):
                    files.append(npy_bytes(np.asfortranarray(
                        x.astype(x.dtype.newbyteorder(">")))))
            if shape == (2, 3):
                files += [npy_bytes(x, (2, 0)), npy_bytes(x, (3, 0))]
            w.put(f"{k}/x", x)
            for i, f in enumerate(files):
                assert (x.dtype.kind in "fc"
                        or (np.load(io.BytesIO(f)) == x).all())
                w.put(f"{k}/file/{i}", f)
            k += 1
    # headers as others write them: NumPy takes them all
    x = np.array([[1, 2, 3], [4, 5, 6]], "<i4")
    d = x.tobytes()
    good = [
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'shape': (2, 3), 'fortran_order': False, 'descr': '<i4'}\n",
        '{"descr": "<i4", "fortran_order": False, "shape": (2, 3)}\n',
        "  {  'descr':'<i4','fortran_order':False,'shape':(2,3)  }     \n",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3,)}\n",
        "{'descr': '=i4', 'fortran_order': False, 'shape': (2, 3)}\n",
        "{'descr': 'i4', 'fortran_order': False, 'shape': (2, 3)}\n",
    ]
    for i, h in enumerate(good):
        f = raw_npy(h, d)
        try:
            assert (np.load(io.BytesIO(f)) == x).all()
        except ValueError:
            print("NumPy refuses", h)
            continue
        w.put(f"good/{i}", f)
    w.put("good/long", raw_npy(good[0] + " " * 9000 + "\n", d))
    w.put("good/after", raw_npy(good[0], d + b"more"))
    h = good[0]
    bad = [
        b"", b"\x93NUMP", b"\x93NUMPY", b"\x93NUMPY\x01\x00",
        b"\x93NUMPY\x01\x00\x10", raw_npy(h, d, magic=b"\x93NUMPX"),
        raw_npy(h, d, magic=b"NUMPY\x93"), raw_npy(h, d, version=4),
        raw_npy(h, d, version=0), raw_npy(h, d, length=60000),
        raw_npy(h, d, version=2, length=2**32 - 1), raw_npy(h, d, length=0),
        raw_npy(h, d, length=10), raw_npy(h, d[:-1]), raw_npy(h, b""),
        raw_npy("", d), raw_npy("{}", d), raw_npy("[]", d),
        raw_npy("{'descr': '<i4', 'fortran_order': False}", d),
        raw_npy("{'descr': '<i4', 'shape': (2, 3)}", d),
        raw_npy("{'fortran_order': False, 'shape': (2, 3)}", d),
        raw_npy(h[:-1], d), raw_npy(h + "}", d), raw_npy(h + " x", d),
        raw_npy(h.replace("}", ", 'more': 1}"), d),
        raw_npy(h.replace("False", "0"), d),
        raw_npy(h.replace("False", "Maybe"), d),
        raw_npy(h.replace("(2, 3)", "(2, -3)"), d),
        raw_npy(h.replace("(2, 3)", "6"), d),
        raw_npy(h.replace("(2, 3)", "(2, 3"), d),
        raw_npy(h.replace("(2, 3)", "(2 3)"), d),
        raw_npy(h.replace("(2, 3)", "(2, 3.0)"), d),
        raw_npy(h.replace("(2, 3)", "(2, 'a')"), d),
        raw_npy(h.replace("(2, 3)", "(2, 99999999999999999999)"), d),
        raw_npy(h.replace("(2, 3)", "(4294967296, 4294967296)"), d),
        raw_npy(h.replace("(2, 3)", "(9223372036854775807,)"), d),
        raw_npy(h.replace("(2, 3)", "(4611686018427387904,)"), d),
        raw_npy(h.replace("(2, 3)", "(1000000000000,)"), d),
        raw_npy(h.replace("(2, 3)", "(1,1,1,1,1,1,1,2,3)"), d),
        raw_npy(h.replace("<i4", "<i3"), d), raw_npy(h.replace("<i4", "|O"), d),
        raw_npy(h.replace("<i4", "<M8[ns]"), d),
        raw_npy(h.replace("<i4", "<U3"), d),
        raw_npy(h.replace("<i4", "|S4"), d),
        raw_npy(h.replace("<i4", "<f16"), d), raw_npy(h.replace("<i4", ""), d),
        raw_npy(h.replace("<i4", "<i44444444444444444444444"), d),
        raw_npy(h.replace("'<i4'", "[('a', '<i2'), ('b', '<i2')]"), d),
        raw_npy(h.replace("'<i4'", "<i4"), d),
        raw_npy(h.replace("'<i4'", "'<i4"), d),
        raw_npy(h.replace("<i4", "<i4\0"), d),
        raw_npy("{" * 5000, d), raw_npy("(" * 5000, d), raw_npy("'" * 3, d),
        b"\0" * 200, bytes(range(256)),
    ]
    for i, f in enumerate(bad):
        w.put(f"bad/{i}", f)
    w.close()


# --------------------------------------------------------------- random
def vonmises_on_circle(mu, kappa):
    """On [-pi, pi), as draws are: SciPy's distribution function runs on."""
    d = st.vonmises(kappa, loc=mu)
    return lambda x: d.cdf(x) - d.cdf(-np.pi)


def zipf_cdf(a):
    return lambda k: 1 - sp.zeta(a, np.asarray(k) + 1) / sp.zeta(a, 1)


def random_cases():
    """name, parameters, SciPy's frozen distribution, is it discrete."""
    F, I = False, True
    return [
        *[("random", (), st.uniform(), F), ("standard_normal", (), st.norm(), F)],
        *[("exponential", (s,), st.expon(scale=s), F) for s in (1, 0.3)],
        *[("chisquare", (k,), st.chi2(k), F) for k in (0.3, 1, 2, 7.5, 100)],
        *[("standard_t", (k,), st.t(k), F) for k in (0.7, 3, 30)],
        *[("weibull", (a,), st.weibull_min(a), F) for a in (0.5, 1, 3)],
        *[("pareto", (a,), st.lomax(a), F) for a in (0.8, 3, 20)],
        *[("power", (a,), st.powerlaw(a), F) for a in (0.3, 1, 5)],
        *[("rayleigh", (s,), st.rayleigh(scale=s), F) for s in (1, 2.5)],
        *[("zipf", (a,), st.zipf(a), I) for a in (1.5, 2, 3.7, 8)],
        *[("poisson", (m,), st.poisson(m), I)
          for m in (0.02, 0.5, 3, 9.9, 10.1, 31.7, 1000, 1e6, 1e12)],
        *[("geometric", (p,), st.geom(p), I)
          for p in (1e-6, 0.02, 0.3, 0.34, 0.5, 0.9)],
        *[("logseries", (p,), st.logser(p), I)
          for p in (0.01, 0.5, 0.95, 0.999)],
        *[("uniform", (a, b), st.uniform(a, b - a), F)
          for a, b in ((-2, 5), (0, 1e-3), (1e6, 1e6 + 64))],
        *[("normal", (m, s), st.norm(m, s), F) for m, s in ((0, 1), (3, 0.5))],
        *[("lognormal", (m, s), st.lognorm(s, scale=np.exp(m)), F)
          for m, s in ((0, 1), (1, 0.25))],
        *[("gamma", (a, s), st.gamma(a, scale=s), F)
          for a, s in ((0.05, 1), (0.3, 1), (0.9, 2), (1, 1), (1.5, 0.1),
                       (5, 1), (200, 3), (1e6, 1))],
        *[("beta", (a, b), st.beta(a, b), F)
          for a, b in ((0.3, 0.4), (0.5, 0.5), (1, 1), (2, 5), (0.2, 3),
                       (1, 0.7), (100, 40), (3e4, 5e4))],
        *[("f", (a, b), st.f(a, b), F) for a, b in ((1, 2), (5, 7), (30, 40))],
        *[("cauchy", (m, s), st.cauchy(m, s), F) for m, s in ((0, 1), (2, 0.5))],
        *[("laplace", (m, s), st.laplace(m, s), F) for m, s in ((0, 1), (1, 3))],
        *[("logistic", (m, s), st.logistic(m, s), F)
          for m, s in ((0, 1), (-2, 0.2))],
        *[("gumbel", (m, s), st.gumbel_r(m, s), F) for m, s in ((0, 1), (5, 2))],
        *[("vonmises", (m, k), vonmises_on_circle(m, k), F)
          for m, k in ((0, 0.001), (0, 0.5), (1, 4), (2.5, 50), (-1, 2000),
                       (0.5, 3e6))],
        *[("wald", (m, s), st.invgauss(m / s, scale=s), F)
          for m, s in ((1, 1), (2, 0.5), (0.3, 30))],
        *[("binomial", (n, p), st.binom(n, p), I)
          for n, p in ((1, 0.3), (10, 0.5), (20, 0.01), (40, 0.9), (59, 0.5),
                       (61, 0.5), (100, 0.25), (1000, 0.4), (10**6, 1e-5),
                       (10**6, 0.7), (10**12, 0.5))],
        *[("negative_binomial", (n, p), st.nbinom(n, p), I)
          for n, p in ((1, 0.5), (0.4, 0.2), (5.5, 0.7), (100, 0.01))],
        *[("integers", (a, b), st.randint(a, b), I)
          for a, b in ((0, 2), (-3, 4), (0, 100), (-7, 193))],
        *[("triangular", (a, c, b), st.triang((c - a) / (b - a), a, b - a), F)
          for a, c, b in ((0, 0.3, 1), (-3, -3, 2), (1, 4, 4))],
        *[("hypergeometric", (g, b, n), st.hypergeom(g + b, g, n), I)
          for g, b, n in ((10, 5, 7), (50, 40, 3), (500, 300, 200),
                          (10**5, 2 * 10**5, 3 * 10**4), (5, 10**5, 100),
                          (10**8, 10**8, 10**7), (30, 5, 31))],
    ]


def random_points(d, discrete):
    """Up to 200 points that part the distribution into likely pieces."""
    if not hasattr(d, "ppf"):                   # on the circle: even parts
        x = np.linspace(-np.pi, np.pi, 20001)[1:-1]
        u = d(x)
        i = np.unique(np.searchsorted(u, np.linspace(0.005, 0.995, 200)))
        x = x[i[i < x.size]]
        return x, d(x)
    q = np.concatenate([[1e-5, 1e-4, 1e-3], np.linspace(0.005, 0.995, 190),
                        [1 - 1e-3, 1 - 1e-4, 1 - 1e-5]])
    if discrete:                                # ppf is not for all of these
        low, far = max(d.support()[0], -1000), min(d.support()[1], 1e18)
        if d.dist.name == "logser":
            far = 2e4                           # SciPy sums term by term
        m, sd = d.mean(), d.std()
        x = low + np.arange(60)
        if np.isfinite(sd):
            x = np.concatenate([x, m + sd * np.linspace(-6, 6, 120)])
        x = np.unique(np.concatenate([x, low + np.geomspace(60, 1e9, 60)])
                      .round())
        x = x[(x >= low) & (x < far)]
        u = (zipf_cdf(*d.args) if d.dist.name == "zipf" else d.cdf)(x)
        keep = (u > 1e-6) & (u < 1 - 1e-6) & (np.diff(u, prepend=0) > 1e-6)
        return x[keep], u[keep]
    x = np.unique(d.ppf(q))
    x = x[np.isfinite(x)]
    u = d.cdf(x)
    keep = np.diff(x, prepend=-np.inf) > 1e-5 * np.abs(x)   # float32 can tell
    x, u = x[keep], u[keep]
    keep = np.diff(u, prepend=0) > 1e-6
    return x[keep], u[keep]


def random_golden():
    w = Writer("random.bin")
    w.put("chi2", st.chi2.isf(1e-4, np.arange(1, 401)))   # [dof - 1]
    w.put("ks", np.float64(st.kstwobign.isf(1e-4)).reshape(1))
    count = {}
    for name, params, d, discrete in random_cases():
        k = count[name] = count.get(name, -1) + 1
        key = f"{name}/{k}"
        x, u = random_points(d, discrete)
        assert np.all(np.diff(u) > 0) and np.all(np.diff(x) > 0), key
        w.put(key, np.array(params, np.float64))
        w.put(key + "/x", x.astype(np.float64))
        w.put(key + "/cdf", u.astype(np.float64))
        m = [np.nan] * 3                        # mean, variance, kurtosis
        if hasattr(d, "stats"):
            m = [float(v) for v in d.stats("mvk")]
        w.put(key + "/mvk", np.array(m, np.float64))
    w.close()


# ------------------------------------------------------------- products
PRODUCT_SHAPES = {
    "matmul": ["3 4/4 5", "4/4", "4/4 3", "3 4/4", "2 3 4/4 5", "3 4/2 4 5",
               "2 1 2 3/3 3 2", "4/2 4 3", "2 3 4/4", "1 3 1/1 4", "0 3/3 2",
               "2 0/0 3", "2 3 2 0/0 4", "0 2 3/3 2"],
    "dot": ["3 4/4 5", "4/4", "2 3 4/4", "4/3 4 2", "2 3 4/2 4 3", "/3 2",
            "2 2/", "0/0"],
    "vdot": ["5/5", "2 3/3 2", "/", "0/0", "2 2 2/8"],
    "vecdot": ["4/4", "2 3 4/3 4", "3 1 4/2 4", "3 0/0", "2 3/2 3"],
    "inner": ["4/4", "3 4/2 4", "2 3 4/4", "4/2 2 4", "2 2 3/3 3", "/2 3",
              "2 0/3 0"],
    "outer": ["3/4", "2 2/3", "/3", "0/2"],
    "matvec": ["3 4/4", "2 3 4/4", "3 4/2 4", "2 1 2 3/2 3", "2 0/0"],
    "kron": ["2 3/2 2", "3/2", "2/2 3", "2 1 2/1 3 2", "/2 2", "0 2/2 2"],
}
PRODUCT_MIXED = [("bool", "int8"), ("int8", "uint8"), ("int64", "uint64"),
                 ("int8", "float16"), ("int32", "float32"),
                 ("uint16", "complex64"), ("float32", "float64"),
                 ("complex64", "float64"), ("float16", "bfloat16"),
                 ("bfloat16", "int64")]


def product_operand(r, t, shape):
    """Integers over their whole range, so that they wrap; floats small, so
    that every order of summation is exact, in float16 and bfloat16 too."""
    if t in INTS:
        i = np.iinfo(t)
        return r.integers(i.min, i.max, shape, t, endpoint=True)
    if t == "bool":
        return r.random(shape) < 0.4
    x = r.integers(-4, 5, shape).astype(np.float64)
    if t in COMPLEX:
        x = x + 1j * r.integers(-4, 5, shape)
    return store(x, t)


def products():
    w = Writer("products.bin")
    for op, shapes in PRODUCT_SHAPES.items():
        f = getattr(np, op)
        for a, b in [(t, t) for t in NAMES] + PRODUCT_MIXED:
            for k, s in enumerate(shapes):
                if a != b and k % 3:
                    continue
                key = f"{op}/{a}/{b}/{k}"
                r = rng(key)
                sx, sy = (tuple(map(int, q.split())) for q in s.split("/"))
                x = product_operand(r, a, sx)
                y = product_operand(r, b, sy)
                if a != b and a in INTS and b not in INTS:
                    x = np.asarray(r.integers(0, 5, sx), a)
                if a != b and b in INTS and a not in INTS + ["bool"]:
                    y = np.asarray(r.integers(0, 5, sy), b)
                if {a, b} == {"int64", "uint64"}:
                    x, y = x // 2**50, y // 2**50
                w.put(key + "/x", x)
                w.put(key + "/y", y)
                # + 0: the sign of a zero depends on the order of a sum
                r = f(wide(x), wide(y))
                if promote(a, b) != "bool":
                    r = r + 0
                w.put(key, store(r, promote(a, b)))
    for t in ["int8", "int64", "float32", "float64", "complex64"]:
        for k, s in enumerate(["3/3", "2 3/2 3", "4 3/3", "2/2", "3 2/2",
                               "2/4 3", "3/3 2"]):
            key = f"cross/{t}/{k}"
            r = rng(key)
            sx, sy = (tuple(map(int, q.split())) for q in s.split("/"))
            x, y = product_operand(r, t, sx), product_operand(r, t, sy)
            w.put(key + "/x", x)
            w.put(key + "/y", y)
            w.put(key, np.cross(x, y) + 0)
        x = product_operand(rng(f"cross/{t}"), t, (2, 3, 4))
        w.put(f"cross_axis/{t}/x", x)
        w.put(f"cross_axis/{t}", np.cross(x, x[:, ::-1], axis=1) + 0)
        for n in (0, 1, 2, 3, 5, 6):
            x = product_operand(rng(f"power/{t}"), t, (2, 3, 3))
            w.put(f"power/{t}/{n}/x", x)
            w.put(f"power/{t}/{n}", np.linalg.matrix_power(x, n) + 0)
    for t in NUMPY:
        x = product_operand(rng(f"trace/{t}"), t, (3, 4, 2))
        w.put(f"trace/{t}/x", x)
        for k in range(-4, 6):
            for a, b in ((0, 1), (1, 0), (2, 1)):
                w.put(f"trace/{t}/{k}/{a}/{b}",
                      np.asarray(np.trace(x, k, a, b)))
    w.close()


SECTIONS = {"promotion": promotion, "values": values, "reductions": reductions,
            "create": create,
            "views": views, "print": printing, "npy": npy,
            "products": products,
            "random": random_golden}

if __name__ == "__main__":
    for name in sys.argv[1:] or SECTIONS:
        SECTIONS[name]()
