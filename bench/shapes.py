#!/usr/bin/env python3
"""Calls of random shapes, layouts and dtypes beside other libraries: what nobody named.

    make bench-shapes                           # a minute on the current device
    make bench-shapes SEED=7 SECONDS=200 CLASSES='scan index'
    make bench-shapes SEED=7 CASES='12 340'     # these of them again, by the number behind #
    make bench-shapes CHECK=1                   # results, not times; CHECK=2: at the sizes timed

On a GPU beside PyTorch, and CuPy where PyTorch has no such call (PEERS=all: always), on the
CPU device beside NumPy. Prints for each class the geometric mean of peer over gpuarr and how
many are behind, then those behind, the worst first: ratio, gpuarr's milliseconds, the peers',
the call. A layout is given by its strides in elements where it is not C order. gpuarr's
results are in C order; PyTorch's of element-wise work and transforms keep the operand's.
Calls of less than a few microseconds measure Python.

With CHECK each call runs once, and what it gives and writes is held against NumPy and SciPy on
copies in host memory, on a GPU too: shapes, dtypes, values by BOUNDS, the memory between and
around the operands. CHECK=1 draws small arrays, lengths of 0 to 3 and ranks to 6 among them, and
values from the ends of the dtypes; CHECK=2 the sizes that are timed, which other kernels take.
What differs by contract stands in CONTRACT, with its reason. Prints what differs, then totals;
exit status 1 if any does. CASES wants the CHECK and CLASSES that the numbers come from. With DRY
(`make dry CUDA=1`, on a runtime whose kernels compute nothing) nothing is compared: what does not
end the process holds."""
import collections
import itertools
import math
import os
import random
import sys
import time
import warnings

import cffi
import numpy as np

warnings.simplefilter('ignore')
HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get('BUILD', os.path.join(HERE, '..', 'build', 'cpu'))
CHECK = int(os.environ.get('CHECK') or 0)
DRY = bool(os.environ.get('DRY'))           # see `make dry`
DEVICE = 0 if os.environ.get('DEVICE', '') != 'cpu' and 'cuda' in os.path.basename(BUILD) else -1
GPU = DEVICE == 0 and not CHECK             # operands are PyTorch's
BIG, SMALL = DEVICE == 0 and CHECK != 1, CHECK == 1
ffi = cffi.FFI()
ffi.cdef(open(os.path.join(BUILD, 'gpuarr_plain.h')).read())
ffi.cdef('const ga_array *ga__arg_i(int64_t v, ga_array *t); const ga_array *ga__arg_f(double v, ga_array *t);')
lib = ffi.dlopen(os.path.join(BUILD, 'libgpuarr.so'))
if GPU:
    import torch
    import cupy
    torch.backends.cuda.matmul.allow_tf32 = False
if CHECK:
    import scipy
if lib.ga_set_device(DEVICE):
    sys.exit('no GPU')
xp = cupy if GPU else np
SEED = int(os.environ.get('SEED') or 1)
rnd = random.Random(SEED)
numpy_rng = np.random.default_rng(SEED)
LOG2 = (12, 21) if DRY and BIG else (21, 25) if BIG else (6, 11) if SMALL else (15, 19)    # elements of 4 bytes

DTYPES = ('bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 '
          'complex64 complex128').split()
HALVES, REALS = ['float16', 'bfloat16'], ['float32', 'float64']
FLOATS, COMPLEX = HALVES + REALS, ['complex64', 'complex128']
INTS = DTYPES[1:9]
NONE = ffi.addressof(lib, 'ga__none')


def itemsize(dtype):
    return 2 if dtype == 'bfloat16' else np.dtype(dtype).itemsize


def shape_of(lengths):
    s = ffi.new('ga_shape *')
    s.ndim = len(lengths)
    for i, n in enumerate(lengths):
        s.dim[i] = n
    return s[0]


_axes = {}


def axes_of(axes):
    if axes not in _axes:
        s = ffi.new('ga_axis *')
        listed = (axes,) if isinstance(axes, int) else axes or ()
        s.n = -1 if axes is None else len(listed)
        for i, a in enumerate(listed):
            s.axis[i] = a
        _axes[axes] = (s, s[0])
    return _axes[axes][1]


class Operand:
    """The same memory for all: .ga, .torch (None where PyTorch has no such dtype), .xp"""

    def __init__(self, array, dtype):
        self.keep, self.dtype, self.shape = array, dtype, tuple(array.shape)
        if GPU:
            at, strides = array.data_ptr(), list(array.stride())
            wide = dtype in ('uint16', 'uint32', 'uint64')
            self.torch = None if wide else array
            self.xp = None if dtype == 'bfloat16' else cupy.asarray(array)
            if wide:
                self.xp = self.xp.view(dtype)
        else:
            at, strides = array.ctypes.data, [s // array.itemsize for s in array.strides]
            self.torch, self.xp = None, array
            if CHECK:
                at += self.place()
        full = ffi.new('int64_t[8]', strides + [0] * (8 - len(strides)))
        self.ga = lib.ga_wrap(ffi.cast('void *', at), DTYPES.index(dtype), shape_of(self.shape), full,
                              DEVICE, ffi.NULL, ffi.NULL)
        c_order, n = [], 1
        for length in reversed(self.shape):
            c_order.insert(0, n)
            n *= length
        self.text = f'{dtype}{list(self.shape)}' + ('' if strides == c_order else f'st{strides}')

    def free(self):
        lib.ga_free(self.ga)
        if self.there != ffi.NULL:
            lib.ga_free(self.there)

    # What checking takes: the block of memory that it lies in, on the host and on the device.
    there = ffi.NULL

    def place(self):
        """How far from here the device has it"""
        self.block = self.keep
        while self.block.base is not None:
            self.block = self.block.base
        self.bytes, self.xp = ffi.cast('char *', self.block.ctypes.data), self.host()
        if DEVICE < 0 or not self.block.nbytes:
            return 0
        self.there = lib.ga_asarray_as(self.bytes, DTYPES.index('uint8'), shape_of([self.block.nbytes]))
        return int(ffi.cast('intptr_t', self.there.data)) - self.block.ctypes.data

    def host(self):
        """a copy that NumPy computes with"""
        return as_float32(self.keep) if self.dtype == 'bfloat16' else self.keep.copy()

    def send(self):
        self.before, self.memory = self.host(), ffi.buffer(self.bytes, self.block.nbytes)[:]
        if self.there != ffi.NULL:
            here = lib.ga_asarray_as(self.bytes, DTYPES.index('uint8'), shape_of([self.block.nbytes]))
            lib.ga_assign(self.there, here)
            lib.ga_free(here)

    def fetch(self):
        """.after: what it is now; whether the block's other elements are what they were"""
        if self.there != ffi.NULL and not lib.ga_asnumpy(self.there, self.bytes):
            raise RuntimeError(error())
        self.after, was = self.host(), np.frombuffer(self.memory, self.block.dtype)
        if self.keep.flags.writeable:
            at = (self.keep.ctypes.data - self.block.ctypes.data) // self.keep.itemsize
            self.keep[...] = np.lib.stride_tricks.as_strided(was[at:], self.keep.shape, self.keep.strides)
        return ffi.buffer(self.bytes, self.block.nbytes)[:] == self.memory


def as_float32(bits):
    return np.asarray(bits.astype('uint32') << 16).view('float32')


def as_bfloat16(x):
    """the nearest ones, as bits"""
    bits = np.array(x, 'float32', order='C').view('uint32')
    return np.asarray(np.where(np.isnan(x), 0x7fc0, (bits + 0x7fff + (bits >> 16 & 1)) >> 16), 'uint16')


STYLE = 'plain'                 # of a checked case's values: plain, any, ends


def values_checked(n, dtype, low, high, style):
    """with some room before and behind"""
    n += 16
    if dtype == 'bool':
        return (numpy_rng.random(n) < rnd.choice([.5, .5, .03, 0, 1]))[8:-8]
    kind = np.dtype('float32' if dtype == 'bfloat16' else dtype)
    if kind.kind in 'iu':
        ends, most = np.iinfo(kind), rnd.choice([3, 50, 50])
        if low is None:
            low, high = 1 if style == 'plain' else max(-most, ends.min), most
        else:
            style = 'plain'
        v = numpy_rng.integers(low, max(high, low + 1), n).astype(kind)
        rare = np.array([ends.min, ends.min + 1, ends.max - 1, ends.max, 0, 1], kind)
    else:
        def part():
            if style == 'plain':
                return numpy_rng.random(n) * (1 if kind.kind == 'c' else 4) + (0 if kind.kind == 'c' else .1)
            return numpy_rng.standard_normal(n) * 2
        v, ends = part(), np.finfo(kind)
        if kind.kind == 'c':
            v = v + 1j * part()
        if style != 'plain' and rnd.random() < .3:
            v = np.rint(v)      # equal ones
        v = v.astype(kind)
        most = 1e300 if dtype == 'float64' else float(ends.max) # sums stay finite in float64
        rare = np.array([np.nan, -0., 0., 1] if kind.kind == 'c' else
                        [np.nan, np.inf, -np.inf, -0., 0., float(ends.tiny) / 4, most, -most], kind)
    if style == 'ends':
        v = np.where(numpy_rng.random(n) < rnd.choice([.02, .2]), numpy_rng.choice(rare, n), v)
    return (as_bfloat16(v) if dtype == 'bfloat16' else v)[8:-8]


def values(n, dtype, low=None, high=50, plain=False):
    if CHECK:
        return values_checked(n, dtype, low, high, 'plain' if plain else STYLE)
    low = 1 if low is None else low
    if GPU:
        plain = 'int' + dtype[4:] if dtype in ('uint16', 'uint32', 'uint64') else dtype
        if dtype == 'bool':
            return torch.rand(n, device='cuda') > .5
        t = getattr(torch, plain)
        if dtype in COMPLEX:
            return torch.randn(n, dtype=t, device='cuda')
        if 'int' in dtype:
            return torch.randint(low, high, (n,), device='cuda').to(t)
        return (torch.rand(n, device='cuda') * 4 + .1).to(t)
    if dtype == 'bool':
        return numpy_rng.random(n) > .5
    if dtype in COMPLEX:
        return (numpy_rng.random(n) + 1j * numpy_rng.random(n)).astype(dtype)
    if 'int' in dtype:
        return numpy_rng.integers(low, high, n).astype(dtype)
    return (numpy_rng.random(n) * 4 + .1).astype(dtype)


LENGTHS = [1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 129, 257, 700, 2000]


def sized(gpu, cpu, small):
    return gpu if BIG else small if SMALL else cpu


def few(*of):
    """one of these numbers, when little is drawn a little one"""
    return rnd.choice([0, 1, 2, 3, 7, 40] if SMALL else of)


def lengths_of(total, ndim):
    """of about that product: uneven, some odd, some of a few elements"""
    if SMALL:
        lengths = []
        for _ in range(ndim):
            most = max(1, 2**LOG2[1] // math.prod(n or 1 for n in lengths))
            lengths.append(0 if rnd.random() < .02 else rnd.choice([n for n in LENGTHS if n <= most]))
        rnd.shuffle(lengths)
        return lengths
    weights = [rnd.random()**1.3 + .02 for _ in range(ndim)]
    of = sum(weights)
    return [max(1, int(math.exp(math.log(total) * w / of)) + rnd.choice([0, 0, 1, -1])) for w in weights]


def operand(dtype, lengths=None, layout=None, total=None, ndim=None, scalar=False, index=None, **kind):
    """scalar: rank 0 among others; index: values that are one of so many places"""
    if lengths is None:
        total = (total or int(2**rnd.uniform(*LOG2))) // max(1, itemsize(dtype) // 4)
        if SMALL and ndim is None:
            ndim = rnd.choice([0 if scalar else 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6])
        lengths = lengths_of(total, rnd.choice([1, 2, 2, 2, 3, 3, 4]) if ndim is None else ndim)
        if rnd.random() < .35:
            lengths = [(n + 7) // 8 * 8 if n > 32 else n for n in lengths]
    if index is not None:
        kind = {'low': -index if CHECK and rnd.random() < .3 else 0, 'high': index}
    layout = layout or rnd.choice(['C', 'C', 'C', 'permuted', 'offset', 'strided', 'F'] + ['reversed'] * bool(CHECK))
    n = len(lengths)
    order = list(range(n))
    if layout == 'permuted':
        rnd.shuffle(order)
    if layout == 'F':
        order.reverse()
    memory, part = [lengths[i] for i in order], [slice(None)] * n
    at = rnd.randrange(n) if n else 0
    layout = layout if n else 'C'
    if layout == 'offset':
        before, after = rnd.randint(0, 3), rnd.randint(0, 3)
        part[at] = slice(before, before + memory[at])
        memory[at] += before + after
    if layout == 'strided':
        by = rnd.choice([2, 2, 3])
        memory[at] *= by
        part[at] = slice(None, None, by)
    if layout == 'reversed' and n:
        part[at] = slice(None, None, -1)
    array = values(math.prod(memory), dtype, **kind).reshape(memory)[(*part, ...)]
    back = [order.index(i) for i in range(n)]
    return Operand(array.permute(back) if GPU else array.transpose(back), dtype)


def beside(x, dtype, p=.5):
    """of x's shape, or one that broadcasts to it"""
    lengths = list(x.shape)
    if rnd.random() > p:
        lengths = [n if rnd.random() < .7 else 1 for n in lengths]
        if lengths and rnd.random() < .3:
            lengths = lengths[rnd.randint(0, len(lengths) - 1):]
    if CHECK and lengths and rnd.random() < .1:
        one = operand(dtype, [1 if rnd.random() < .5 else n for n in lengths])
        one.free()
        return Operand(np.broadcast_to(one.keep, lengths), dtype)
    return operand(dtype, lengths)


_numbers = []


def number(value):
    """as a C program passes it"""
    _numbers.append(ffi.new('ga_array *'))
    return (lib.ga__arg_f if isinstance(value, float) else lib.ga__arg_i)(value, _numbers[-1])


def some_dtype(*of, also=()):
    """also: when results are checked"""
    of += tuple(also) if CHECK else ()
    if not GPU and not CHECK:
        of = [d for d in of if d != 'bfloat16']
    return rnd.choice(of)


def checked(call):
    """a peer's call that is not one to be timed"""
    return call if CHECK else None


# A case: its text, operands, gpuarr's call, PyTorch's or None, CuPy's and NumPy's or None. What
# gpuarr's gives is an array, several or, of one that writes to the first operand, a status.
def unary():
    name = rnd.choice('sqrt exp tanh absolute negative isnan sin floor log1p reciprocal square sign rint '
                      'copy'.split())
    x = operand(some_dtype(*(FLOATS if name in ('floor', 'rint') else FLOATS + COMPLEX), also=INTS), scalar=True)
    theirs = {'absolute': 'abs', 'negative': 'neg', 'rint': 'round'}.get(name, name)
    ours = getattr(lib, 'ga_' + name)
    if name == 'copy':
        return (name, [x], lambda: ours(x.ga), lambda: x.torch.clone(memory_format=torch.contiguous_format),
                lambda: x.xp.copy(order='C'))
    return (name, [x], lambda: ours(x.ga), lambda: getattr(torch, theirs)(x.torch),
            lambda: getattr(xp, name)(x.xp))


def binary():
    name = rnd.choice('add multiply divide maximum less power arctan2 hypot subtract equal remainder '
                      'copysign'.split())
    only = name in ('power', 'arctan2', 'hypot', 'copysign', 'divide')
    dtype = some_dtype(*(FLOATS if only else INTS + FLOATS))
    x = operand(dtype, scalar=True)
    y = beside(x, dtype, .4)
    a, b = (x, y) if rnd.random() < .7 else (y, x)
    theirs = {'arctan2': 'atan2', 'power': 'pow', 'equal': 'eq'}.get(name, name)
    ours = getattr(lib, 'ga_' + name)
    return (name, [a, b], lambda: ours(a.ga, b.ga), lambda: getattr(torch, theirs)(a.torch, b.torch),
            lambda: getattr(xp, name)(a.xp, b.xp))


def choice():
    x = operand(some_dtype(*INTS, *FLOATS, *COMPLEX), scalar=True)
    y, c = beside(x, x.dtype), beside(x, 'bool')
    return ('where', [c, x, y], lambda: lib.ga_where(c.ga, x.ga, y.ga),
            lambda: torch.where(c.torch, x.torch, y.torch), lambda: xp.where(c.xp, x.xp, y.xp))


def reduction():
    name = rnd.choice('sum mean max min argmax var any all prod count_nonzero nansum argmin norm'.split())
    dtype = some_dtype(*(REALS if name == 'norm' else FLOATS + COMPLEX if name in ('mean', 'var', 'nansum')
                         else INTS + FLOATS), also=[] if name == 'norm' else ['bool', *COMPLEX])
    x = operand(dtype)
    n = len(x.shape)
    axes = tuple(sorted(rnd.sample(range(n), min(n, rnd.choice([1, 1, 1, 1, 2, 2, 3])))))
    if name in ('argmax', 'argmin', 'norm'):
        axes = axes[:1]
    f = getattr(lib, 'ga_' + name)
    on = axes_of(axes)
    ours = {'var': lambda: f(x.ga, on, 0.), 'norm': lambda: f(x.ga, 2., on)}.get(name, lambda: f(x.ga, on))

    def theirs():
        if name in ('max', 'min'):
            return getattr(torch, 'a' + name)(x.torch, axes)
        if name == 'var':
            return torch.var(x.torch, axes, correction=0)
        if name == 'norm':
            return torch.linalg.vector_norm(x.torch, 2., axes)
        if name in ('argmax', 'argmin', 'prod'):
            (one,) = axes           # of several there is none
            return getattr(torch, name)(x.torch, one)
        return getattr(torch, name)(x.torch, axes)

    def numpys():
        if name == 'norm':
            return xp.linalg.norm(x.xp, axis=axes[0])
        return getattr(xp, name)(x.xp, axis=axes[0] if len(axes) == 1 else axes)
    return f'{name} {axes}', [x], ours, theirs, numpys


def scan():
    name = rnd.choice(['cumsum', 'cumsum', 'cumprod', 'cummax'])
    x = operand(some_dtype('int64', 'int32', *FLOATS, *([] if name == 'cummax' else COMPLEX), also=['bool', *INTS]))
    a = rnd.randrange(len(x.shape))
    return (f'{name} {a}', [x], lambda: getattr(lib, 'ga_' + name)(x.ga, axes_of(a), 0),
            lambda: getattr(torch, name)(x.torch, a),
            checked(lambda: np.maximum.accumulate(x.xp, a)) if name == 'cummax' else
            lambda: getattr(xp, name)(x.xp, axis=a))


def softmax():
    name = rnd.choice(['softmax', 'log_softmax'])
    x = operand(some_dtype(*FLOATS))
    a = rnd.randrange(len(x.shape))
    return (f'{name} {a}', [x], lambda: getattr(lib, 'ga_' + name)(x.ga, axes_of(a)),
            lambda: getattr(torch, name)(x.torch, a),
            checked(lambda: getattr(scipy.special, name)(x.xp, a) if x.xp.size else x.xp))


def moving():
    name = rnd.choice('roll concatenate stack repeat tile pad tril'.split())
    dtype = some_dtype(*DTYPES)
    x = operand(dtype, total=2**(LOG2[1] - 3) if name in ('repeat', 'tile') else None,
                ndim=rnd.choice([2, 3]) if name == 'tril' else None)
    n = len(x.shape)
    a, k = rnd.randrange(n), rnd.choice([2, 3, 5, 8])
    if name in ('concatenate', 'stack'):
        parts = [x] + [operand(dtype, list(x.shape)) for _ in range(k - 1)]
        of = ffi.new('ga_array *[]', [p.ga for p in parts])
        theirs = {'concatenate': 'cat'}.get(name, name)
        return (f'{name} {a}', parts, lambda: getattr(lib, 'ga_' + name)(a, k, of),
                lambda: getattr(torch, theirs)([p.torch for p in parts], a),
                lambda: getattr(xp, name)([p.xp for p in parts], a))
    if name == 'roll':
        return (f'roll {k} {a}', [x], lambda: lib.ga_roll(x.ga, k, axes_of(a)),
                lambda: torch.roll(x.torch, k, a), lambda: xp.roll(x.xp, k, a))
    if name == 'repeat':
        return (f'repeat {k} {a}', [x], lambda: lib.ga_repeat(x.ga, k, axes_of(a)),
                lambda: torch.repeat_interleave(x.torch, k, a), lambda: xp.repeat(x.xp, k, a))
    if name == 'tile':
        times = [rnd.choice([1, 2, 3]) for _ in range(n)]
        counts = shape_of(times)
        return (f'tile {times}', [x], lambda: lib.ga_tile(x.ga, counts),
                lambda: torch.tile(x.torch, times), lambda: xp.tile(x.xp, times))
    if name == 'tril':
        return ('tril', [x], lambda: lib.ga_tril(x.ga, 1), lambda: torch.tril(x.torch, 1),
                lambda: xp.tril(x.xp, 1))
    before, after = ([rnd.randint(0, 5) for _ in range(n)] for _ in range(2))
    backwards = [w for i in reversed(range(n)) for w in (before[i], after[i])]
    first, last = shape_of(before), shape_of(after)
    return (f'pad {before} {after}', [x],
            lambda: lib.ga_pad(x.ga, first, last, 0, NONE),
            lambda: torch.nn.functional.pad(x.torch, backwards),
            lambda: xp.pad(x.xp, list(zip(before, after))))


def index():
    x = operand(some_dtype(*DTYPES))
    a = rnd.randrange(len(x.shape))
    n = x.shape[a]
    if rnd.random() < .6:
        k = min(rnd.choice([1, 10, n, 2 * n]), max(1, 2**LOG2[1] * n // max(1, math.prod(x.shape))))
        i = operand(rnd.choice(['int32', 'int64']), [k], 'C', index=n)
        return (f'take {a}', [x, i], lambda: lib.ga_take(x.ga, i.ga, axes_of(a), 0),
                lambda: torch.index_select(x.torch, a, i.torch), lambda: xp.take(x.xp, i.xp, a))
    lengths = list(x.shape)
    lengths[a] = rnd.choice([n, max(1, n // 3)])
    i = operand('int64', lengths, 'C', index=n)
    return (f'take_along_axis {a}', [x, i], lambda: lib.ga_take_along_axis(x.ga, i.ga, axes_of(a)),
            lambda: torch.gather(x.torch, a, i.torch), lambda: xp.take_along_axis(x.xp, i.xp, a))


def ascending(table):
    table.free()
    v = table.keep
    return Operand(v.sort()[0] if GPU else as_bfloat16(np.sort(as_float32(v))) if table.dtype == 'bfloat16' else
                   np.sort(v), table.dtype)


def order():
    name = rnd.choice('sort argsort unique searchsorted nonzero'.split())
    x = operand(some_dtype('int8', 'uint8', 'int32', 'int64', *FLOATS), total=int(2**rnd.uniform(LOG2[0], LOG2[1] - 1)),
                **({} if CHECK else {'high': 120}))
    a = rnd.randrange(len(x.shape))
    if name in ('sort', 'argsort'):
        return (f'{name} {a}', [x], lambda: getattr(lib, 'ga_' + name)(x.ga, axes_of(a), 0),
                lambda: getattr(torch, name)(x.torch, a),
                lambda: getattr(xp, name)(x.xp, a, **({'kind': 'stable'} if CHECK else {})))
    if name == 'unique':
        return (name, [x], lambda: lib.ga_unique(x.ga, axes_of(None), ffi.NULL, ffi.NULL, ffi.NULL),
                lambda: torch.unique(x.torch), lambda: xp.unique(x.xp))
    if name == 'nonzero':
        found = ffi.new('ga_array *[8]')
        return (name, [x], several(found, len(x.shape), lambda: lib.ga_nonzero(x.ga, found)),
                lambda: torch.nonzero(x.torch, as_tuple=True), lambda: xp.nonzero(x.xp))
    ordered = ascending(operand(x.dtype, [few(7, 100, 1000, 100000)], 'C'))
    return (name, [ordered, x], lambda: lib.ga_searchsorted(ordered.ga, x.ga, NONE, 0),
            lambda: torch.searchsorted(ordered.torch, x.torch), lambda: xp.searchsorted(ordered.xp, x.xp))


def product():
    dtype = some_dtype('float32', 'float64', 'complex64', 'complex128', *HALVES)
    most = 2**(31 if itemsize(dtype) <= 4 else 29) if BIG else 2**sized(0, 20, 15)
    while True:
        m, n, k = (int(2**rnd.uniform(sized(0, 0, -.1), 11)) for _ in range(3))
        batch = rnd.choice([1, 1, 1, int(2**rnd.uniform(1, 12))])
        if sized(2**12, 2**12, 0) <= m * n * k * batch <= most and batch * (m * n + n * k + m * k) < 2**(LOG2[1] + 1):
            break

    def matrix(rows, columns, many):
        turned = rnd.random() < .35
        lengths = ([batch] if many else []) + ([columns, rows] if turned else [rows, columns])
        x = operand(dtype, lengths, 'C')
        if not turned:
            return x
        x.free()
        return Operand(x.keep.transpose(-1, -2) if GPU else x.keep.swapaxes(-1, -2), dtype)
    x, y = matrix(m, k, batch > 1), matrix(k, n, batch > 1 and rnd.random() < .7)
    return ('matmul', [x, y], lambda: lib.ga_matmul(x.ga, y.ga), lambda: torch.matmul(x.torch, y.torch),
            lambda: xp.matmul(x.xp, y.xp))


def cast():
    of, to = some_dtype(*DTYPES), some_dtype(*DTYPES)
    x = operand(of, scalar=True, plain=of in FLOATS + COMPLEX and to in INTS)   # others: each has its own
    return (f'astype {to}', [x], lambda: lib.ga_astype(x.ga, DTYPES.index(to)),
            lambda: x.torch.to(getattr(torch, to), memory_format=torch.contiguous_format, copy=True),
            lambda: x.xp.astype('float32' if to == 'bfloat16' else to, order='C'))


def mixed():
    name = rnd.choice('add multiply subtract maximum less'.split() + CHECK * (
        'minimum equal greater_equal not_equal floor_divide remainder divide arctan2 hypot logical_and'.split()))
    of = [d for d in DTYPES[1:] if d != 'bfloat16'][:None if name in ('add', 'multiply', 'subtract', 'equal') else 10]
    x = operand(some_dtype(*of), scalar=True)
    ours = getattr(lib, 'ga_' + name)
    if rnd.random() < .3:
        v = rnd.choice([3, 2.5] + [-1, 200, 70000, -2**40, 2**63 - 1, 0., -1e300, float('nan')] * bool(CHECK))
        y = number(v)
        return (f'{name} {v}', [x], lambda: ours(x.ga, y), lambda: getattr(torch, name)(x.torch, v),
                lambda: getattr(xp, name)(x.xp, v))
    y = beside(x, some_dtype(*of), .4)
    theirs = None               # it has rules of its own for what the result is
    if GPU and x.torch is not None and y.torch is not None:
        if str(torch.promote_types(x.torch.dtype, y.torch.dtype))[6:] == str(np.result_type(x.xp.dtype, y.xp.dtype)):
            theirs = lambda: getattr(torch, name)(x.torch, y.torch)
    return name, [x, y], lambda: ours(x.ga, y.ga), theirs, lambda: getattr(xp, name)(x.xp, y.xp)


def assign():
    x = operand(some_dtype(*DTYPES), scalar=True)
    y = beside(x, x.dtype)
    if rnd.random() < .5:
        return ('assign', [x, y], lambda: lib.ga_assign(x.ga, y.ga), lambda: x.torch.copy_(y.torch),
                lambda: xp.copyto(x.xp, y.xp))
    m = beside(x, 'bool')
    return ('copyto where', [x, y, m], lambda: lib.ga_copyto(x.ga, y.ga, m.ga),
            lambda: x.torch.copy_(torch.where(m.torch, y.torch, x.torch)),
            lambda: xp.copyto(x.xp, y.xp, where=m.xp))


def mask():
    x = operand(some_dtype(*DTYPES))
    if rnd.random() < .5:
        m = operand('bool', list(x.shape))
        return ('extract', [m, x], lambda: lib.ga_extract(m.ga, x.ga),
                lambda: torch.masked_select(x.torch, m.torch), lambda: x.xp[m.xp])
    a = rnd.randrange(len(x.shape))
    m = operand('bool', [x.shape[a]], 'C')
    return (f'compress {a}', [m, x], lambda: lib.ga_compress(m.ga, x.ga, axes_of(a)),
            lambda: x.torch[(slice(None),) * a + (m.torch,)], lambda: xp.compress(m.xp, x.xp, axis=a))


def put():
    x = operand(some_dtype(*DTYPES))
    a = rnd.randrange(len(x.shape))
    lengths = list(x.shape)
    lengths[a] = rnd.choice([x.shape[a], max(1, x.shape[a] // 3)])
    i, v = operand('int64', lengths, 'C', index=x.shape[a]), operand(x.dtype, lengths)
    return (f'put_along_axis {a}', [x, i, v], lambda: lib.ga_put_along_axis(x.ga, i.ga, v.ga, axes_of(a)),
            lambda: x.torch.scatter_(a, i.torch, v.torch), lambda: xp.put_along_axis(x.xp, i.xp, v.xp, a))


def statistic():
    name = rnd.choice('median percentile std diff clip bincount digitize histogram topk partition cov'.split())
    if name == 'bincount':
        x = operand(rnd.choice(['int32', 'int64', 'uint8']), ndim=1, low=0, high=rnd.choice([7, 100, 10000]))
        return (name, [x], lambda: lib.ga_bincount(x.ga, NONE, 0), lambda: torch.bincount(x.torch),
                lambda: xp.bincount(x.xp))
    x = operand(some_dtype(*REALS, *(['float16', 'int32'] if name in ('clip', 'diff', 'topk', 'partition') else [])),
                [rnd.randint(2, 300), rnd.randint(2, 3000)] if name == 'cov' else None,
                total=int(2**rnd.uniform(LOG2[0] - 2, LOG2[1] - 1)))
    a = rnd.randrange(len(x.shape))
    n, on = x.shape[a], axes_of(a)
    if name == 'median':
        return (f'median {a}', [x], lambda: lib.ga_median(x.ga, on), lambda: torch.quantile(x.torch, .5, a),
                lambda: xp.median(x.xp, axis=a))
    if name == 'percentile':
        q = operand('float64' if CHECK else x.dtype, [3], 'C', plain=True)   # places are computed in that
        return (f'percentile {a}', [x, q], lambda: lib.ga_percentile(x.ga, q.ga, on, 0, NONE),
                lambda: torch.quantile(x.torch, q.torch / 100, a), lambda: xp.percentile(x.xp, q.xp, axis=a))
    if name == 'std':
        return (f'std {a}', [x], lambda: lib.ga_std(x.ga, on, 1.), lambda: torch.std(x.torch, a),
                lambda: xp.std(x.xp, axis=a, ddof=1))
    if name == 'diff':
        return (f'diff {a}', [x], lambda: lib.ga_diff(x.ga, 1, a, NONE, NONE), lambda: torch.diff(x.torch, dim=a),
                lambda: xp.diff(x.xp, axis=a))
    if name == 'clip':
        lo, hi = beside(x, x.dtype), beside(x, x.dtype)
        return (name, [x, lo, hi], lambda: lib.ga_clip(x.ga, lo.ga, hi.ga),
                lambda: torch.clamp(x.torch, lo.torch, hi.torch), lambda: xp.clip(x.xp, lo.xp, hi.xp))
    if name == 'digitize':
        edges = ascending(operand(x.dtype, [few(5, 60, 5000)], 'C', plain=True))
        return (name, [x, edges], lambda: lib.ga_digitize(x.ga, edges.ga, 0),
                lambda: torch.bucketize(x.torch, edges.torch, right=True), lambda: xp.digitize(x.xp, edges.xp))
    if name == 'histogram':
        count = few(10, 100, 3000)
        bins = ffi.new('ga_bins *', {'count': count})[0]
        return (f'histogram {count}', [x], lambda: lib.ga_histogram(x.ga, bins, NONE, 0, ffi.NULL),
                lambda: torch.histc(x.torch, count), lambda: xp.histogram(x.xp, count))
    if name == 'topk':
        k, made = min(n, rnd.choice([1, 5, 40])), ffi.new('ga_array *[2]')
        return (f'topk {k} {a}', [x], several(made, 2, lambda: lib.ga_topk(x.ga, k, on, 0, made, made + 1)),
                lambda: torch.topk(x.torch, k, a), None if GPU else numpys_topk(x, k, a))
    if name == 'partition':
        k = rnd.randrange(n)
        return (f'partition {k} {a}', [x], lambda: lib.ga_partition(x.ga, k, on, 0), None,
                lambda: xp.partition(x.xp, k, axis=a))
    return (name, [x], lambda: lib.ga_cov(x.ga, NONE, 1, ffi.NULL, 0), lambda: torch.cov(x.torch),
            lambda: xp.cov(x.xp))


def numpys_topk(x, k, a):
    if not CHECK:
        return lambda: np.partition(x.xp, x.shape[a] - k, axis=a)

    def largest():              # first those of the largest, of equals the first
        v = np.flip(x.xp, a)
        numbers = (~np.isnan(v)).sum(a, keepdims=True)
        at, i = np.argsort(v, a, kind='stable'), np.arange(v.shape[a]).reshape([-1 if j == a else 1 for j in range(v.ndim)])
        at = np.take_along_axis(at, np.where(i < numbers, numbers - 1 - i, numbers + v.shape[a] - 1 - i), a)
        at = v.shape[a] - 1 - np.take(at, range(k), a)
        return np.take_along_axis(x.xp, at, a), at
    return largest


def draw():
    name = rnd.choice('random standard_normal exponential integers gamma poisson binomial'.split())
    dtype = 'int64' if name in ('integers', 'poisson', 'binomial') else rnd.choice(REALS)
    lengths = lengths_of(int(2**rnd.uniform(*LOG2)), rnd.choice([1, 2]))
    shape, at = shape_of(lengths), DTYPES.index(dtype)
    parameters = {'exponential': [1.5], 'integers': [0, 1000], 'gamma': [rnd.choice([.4, 2.5]), 1.],
                  'poisson': [rnd.choice([.7, 30.])], 'binomial': [rnd.choice([9, 200]), .3]}.get(name, [])
    given, f = [number(p) for p in parameters], getattr(lib, 'ga_random_' + name)
    ours = lambda: f(*given, shape, at)
    if GPU:
        t, new = getattr(torch, dtype), torch.empty(lengths, dtype=getattr(torch, dtype), device='cuda')
        g = cupy.random.Generator(cupy.random.Philox4x3210(1))
        numpys = None if name == 'binomial' else lambda: getattr(g, name)(*parameters, size=lengths, **(
            {} if name in ('integers', 'poisson') else {'dtype': dtype}))
        theirs = {'random': lambda: torch.rand(lengths, dtype=t, device='cuda'),
                  'standard_normal': lambda: torch.randn(lengths, dtype=t, device='cuda'),
                  'exponential': lambda: torch.empty_like(new).exponential_(1.5),
                  'integers': lambda: torch.randint(0, 1000, lengths, device='cuda')}.get(name)
    else:
        theirs = None
        typed = {} if name in ('integers', 'poisson', 'binomial') or (name, dtype) == ('exponential', 'float32') else {
            'dtype': dtype}
        of = {('gamma', 'float32'): [parameters[0]] if parameters else []}.get((name, dtype), parameters)
        named = {'gamma': 'standard_gamma', 'exponential': 'standard_exponential'}.get(name, name)
        of = of[:1] if named == 'standard_gamma' else [] if named == 'standard_exponential' else of
        numpys = (lambda: np.ones(lengths, dtype)) if CHECK else lambda: getattr(numpy_rng, named)(
            *of, size=lengths, **typed)
    text = f'{name} {parameters} {dtype}{lengths}'
    return text, [], ours, theirs, numpys


def several(made, count, call):
    """a call that writes as many arrays"""
    return lambda: ffi.NULL if call() else list(made[0:count])


def solving():
    name = rnd.choice('inv det cholesky qr svdvals svd eigh eigvalsh solve lstsq slogdet'.split())
    dtype = some_dtype(*REALS, *COMPLEX)
    n = int(2**rnd.uniform(sized(1, 1, -.2), sized(9, 8, 5.3)))
    batch = rnd.choice([1, 1, int(2**rnd.uniform(1, sized(13, 9, 5)))])
    most = 2**sized(30, 22, 18)
    n, batch = (n, batch) if n**3 * batch <= most else (max(2, int((most / batch)**(1 / 3))), batch)
    if batch * n * n > 2**LOG2[1]:
        batch = max(1, 2**LOG2[1] // (n * n))
    tall = name in ('qr', 'svdvals', 'svd', 'lstsq') and rnd.random() < .5
    lengths = ([batch] if batch > 1 else []) + [n * rnd.choice([2, 5]) if tall else n, n]
    x = operand(dtype, lengths, 'C')
    keep = x.keep
    if not tall:
        if name in ('cholesky', 'eigh', 'eigvalsh'):
            keep = keep + (keep.mH if GPU else np.conj(np.swapaxes(keep, -1, -2)))
        eye = torch.eye(n, device='cuda', dtype=keep.dtype) if GPU else np.eye(n, dtype=dtype)
        x.free()
        x = Operand(keep + 4 * n * eye if name not in ('svdvals', 'svd', 'eigh', 'eigvalsh') else keep + 0 * eye, dtype)
    made = ffi.new('ga_array *[4]')
    la = torch.linalg if GPU else np.linalg
    if name in ('solve', 'lstsq'):
        b = operand(dtype, lengths[:-1] + [rnd.choice([1, 3, n])], 'C')
        if name == 'solve':
            return (name, [x, b], lambda: lib.ga_solve(x.ga, b.ga), lambda: la.solve(x.torch, b.torch),
                    lambda: xp.linalg.solve(x.xp, b.xp))
        least = lambda: lib.ga_lstsq(x.ga, b.ga, -1., made, ffi.NULL, ffi.NULL, ffi.NULL)
        return (name, [x, b], several(made, 1, least),
                lambda: la.lstsq(x.torch, b.torch),
                checked(lambda: np.linalg.pinv(x.xp) @ b.xp) if batch > 1 else
                lambda: xp.linalg.lstsq(x.xp, b.xp, rcond=None))
    ours = {'inv': lambda: lib.ga_inv(x.ga), 'det': lambda: lib.ga_det(x.ga), 'cholesky': lambda: lib.ga_cholesky(x.ga),
            'svdvals': lambda: lib.ga_svdvals(x.ga), 'eigvalsh': lambda: lib.ga_eigvalsh(x.ga),
            'qr': several(made, 2, lambda: lib.ga_qr(x.ga, False, made, made + 1)),
            'svd': several(made, 3, lambda: lib.ga_svd(x.ga, False, made, made + 1, made + 2)),
            'eigh': several(made, 2, lambda: lib.ga_eigh(x.ga, made, made + 1)),
            'slogdet': several(made, 2, lambda: lib.ga_slogdet(x.ga, made, made + 1))}[name]
    more = {'full_matrices': False} if name == 'svd' else {}
    numpys = {'svdvals': lambda: xp.linalg.svd(x.xp, compute_uv=False),
              'det': (lambda: np.asarray(scipy.linalg.det(x.xp)).astype(x.xp.dtype)) if CHECK else lambda: xp.linalg.det(x.xp)}.get(
        name, lambda: getattr(xp.linalg, name)(x.xp, **more))
    return name, [x], ours, lambda: getattr(la, name)(x.torch, **more), numpys


def transform():
    name = rnd.choice('fft ifft rfft irfft fft2'.split())
    dtype = some_dtype(*(REALS if name == 'rfft' else COMPLEX))
    x = operand(dtype, ndim=rnd.choice([2, 2, 3]) if name == 'fft2' else None)
    if name == 'fft2':
        return (name, [x], lambda: lib.ga_fft2(x.ga, shape_of([]), axes_of((-2, -1)), 0), lambda: torch.fft.fft2(x.torch),
                lambda: xp.fft.fft2(x.xp))
    a = rnd.randrange(len(x.shape))
    return (f'{name} {a}', [x], lambda: getattr(lib, 'ga_' + name)(x.ga, 0, a, 0),
            lambda: getattr(torch.fft, name)(x.torch, dim=a), lambda: getattr(xp.fft, name)(x.xp, axis=a))


# The rest of the vocabulary.
def function():
    of = {'cbrt': 0, 'exp2': 'exp2', 'log2': 'log2', 'expm1': 'expm1', 'arcsinh': 'asinh', 'cosh': 'cosh', 'tan': 'tan',
          'arctan': 'atan', 'log10': 'log10', 'trunc': 'trunc', 'isfinite': 'isfinite', 'signbit': 'signbit',
          'logical_not': 'logical_not', 'erf': 'erf', 'lgamma': 'lgamma', 'digamma': 'digamma', 'sinc': 'sinc',
          'degrees': 'rad2deg', 'nan_to_num': 'nan_to_num', 'angle': 'angle', 'conj': 'conj_physical', 'i0': 'i0',
          'cos': 'cos', 'log': 'log', 'arccos': 'acos', 'arctanh': 'atanh', 'invert': 'bitwise_not', 'sign': 'sign'}
    name = rnd.choice(list(of))
    x = operand(some_dtype(*(COMPLEX if name in ('angle', 'conj') else INTS if name == 'invert' else INTS + FLOATS
                             if name in ('logical_not', 'isfinite', 'sign') else FLOATS)), scalar=True)
    f, theirs = getattr(lib, 'ga_' + name), of[name]
    ours = (lambda: f(x.ga, 0., 1., -1.)) if name == 'nan_to_num' else lambda: f(x.ga)
    numpys = getattr(xp, name, None)
    if CHECK and not numpys:
        numpys = lambda v: getattr(scipy.special, {'lgamma': 'gammaln'}.get(name, name))(v).astype(v.dtype)
    if CHECK and name == 'sinc':                    # NumPy's is of pi*x, rounded
        numpys = lambda v: np.where(v == 0, 1, np.sin(np.pi * (v - np.rint(v))) * (
            1 - 2 * (np.rint(v) % 2)) / np.where(v == 0, 1, np.pi * np.sign(v) * np.minimum(abs(v), 1e4)
                     if v.dtype == 'float16' else np.pi * v)).astype(v.dtype)
    more = {'nan': 0., 'posinf': 1., 'neginf': -1.} if name == 'nan_to_num' else {}
    return (name, [x], ours, theirs and (lambda: getattr(torch, theirs)(x.torch)), lambda: numpys(x.xp, **more))


def pair():
    of = {'floor_divide': 'floor_divide', 'bitwise_and': 'bitwise_and', 'bitwise_xor': 'bitwise_xor',
          'left_shift': 'bitwise_left_shift', 'gcd': 'gcd', 'lcm': 'lcm', 'logical_and': 'logical_and',
          'logical_xor': 'logical_xor', 'remainder': 'remainder', 'fmod': 'fmod', 'heaviside': 'heaviside',
          'nextafter': 'nextafter', 'logaddexp': 'logaddexp', 'ldexp': 'ldexp', 'isclose': 'isclose',
          'minimum': 'minimum', 'fmax': 'fmax', 'greater_equal': 'ge', 'not_equal': 'ne', 'multiply': 'mul'}
    name = rnd.choice(list(of))
    dtype = some_dtype(*(INTS if name in ('bitwise_and', 'bitwise_xor', 'left_shift', 'gcd', 'lcm') else COMPLEX
                         if name == 'multiply' else REALS if name in ('heaviside', 'nextafter', 'logaddexp', 'ldexp')
                         else INTS + FLOATS))
    x = operand(dtype, scalar=True)
    y = beside(x, 'int32' if name == 'ldexp' else dtype, .4)
    f, theirs = getattr(lib, 'ga_' + name), of[name]
    ours = (lambda: f(x.ga, y.ga, 1e-5, 1e-8, 0)) if name == 'isclose' else lambda: f(x.ga, y.ga)
    return (name, [x, y], ours, lambda: getattr(torch, theirs)(x.torch, y.torch), lambda: getattr(xp, name)(x.xp, y.xp))


def expression():
    global STYLE

    def grow(size):
        if size < 1:
            return rnd.choice('xyz') if not CHECK or rnd.random() < .7 else rnd.choice([
                'x[..., ::-1]', 'max(x, axis=-1, keepdims=true)', '(x - mean(x, axis=-1, keepdims=true))',
                'sum(x*x, axis=0, keepdims=true)', 'y[..., -1:]', 'x[:1]', 'min(x)', 'sqrt(sum(square(x)))'])
        form = rnd.choice(['({} + {})', '({}*{})', '({} - {})', 'maximum({}, {})', 'sqrt(absolute({}))', 'tanh({})',
                           *['minimum({}, {})', '(absolute({}) - {})', 'clip({}, 0, {})'] * bool(CHECK), 'where(x < y, {}, {})',
                           '({}*0.5 + 1.25)', 'exp(-absolute({}))', '({}/(1.5 + {}**2))'])
        part = rnd.randrange(size)
        return form.format(grow(part), grow(size - 1 - part))
    text = grow(rnd.choice([3, 5, 8, 12]))
    fold = rnd.random() < .3
    if fold or 'sum(' in text or 'mean(' in text:
        STYLE = 'any'           # what cancels in a wider dtype is another thing
    x = operand(some_dtype(*FLOATS, 'float32', 'float32'))
    other = [x.dtype, x.dtype, 'int32', 'uint8', 'float64', 'bool'] if CHECK and x.dtype not in HALVES else [x.dtype]
    y, z = beside(x, rnd.choice(other), .6), beside(x, rnd.choice(other), .6)
    a = rnd.randrange(len(x.shape))
    if CHECK or 'x' not in text.replace('exp', '').replace('maximum', ''):
        text = f'({text} + x)'  # x has the result's shape
    e = lib.ga_expr_compile((f'sum({text}, axis={a})' if fold else text).encode(), b'x, y, z')
    on = ffi.new('ga_array *[]', [x.ga, y.ga, z.ga])

    def run(of, made):
        names = {f: getattr(of, f) for f in 'maximum minimum sqrt absolute tanh where exp max min mean sum square floor '
                 'clip'.split()}
        value = eval(text, names | made | {'true': True})
        return value.sum(a) if fold else value
    return (text + (f' summed over {a}' if fold else ''), [x, y, z], lambda: lib.ga_expr_run(e, on, 3),
            lambda: run(torch, {'x': x.torch, 'y': y.torch, 'z': z.torch}),
            lambda: run(xp, {k: v.xp.view(Rounding) if v.dtype == 'bfloat16' and v.xp.dtype == 'float32' else v.xp
                             for k, v in (('x', x), ('y', y), ('z', z))}))


class Rounding(np.ndarray):
    """to bfloat16 at each step"""
    def __array_ufunc__(self, ufunc, method, *inputs, **more):
        more = {k: tuple(map(np.asarray, v)) if k == 'out' else v for k, v in more.items()}
        r = getattr(ufunc, method)(*(np.asarray(i) if isinstance(i, Rounding) else i for i in inputs), **more)
        return rounded(np.asarray(r), 'bfloat16').view(Rounding)


def fold():
    name = rnd.choice('nanmean nanmax nanstd nanmedian nanprod nanargmax nancumsum ptp average logsumexp trapezoid '
                      'quantile allclose trace'.split())
    dtype = some_dtype(*(REALS if name in ('nanmedian', 'quantile', 'logsumexp') else FLOATS))
    x = operand(dtype, ndim=rnd.choice([2, 3]) if name == 'trace' else None)
    a, n = rnd.randrange(len(x.shape)), len(x.shape)
    on = axes_of(a)
    f = getattr(lib, 'ga_' + name)
    if name == 'nanstd':
        return f'{name} {a}', [x], lambda: f(x.ga, on, 0.), None, lambda: xp.nanstd(x.xp, axis=a)
    if name == 'average':
        w = operand(dtype, [x.shape[a]], 'C', plain=True)
        return f'{name} {a}', [x, w], lambda: f(x.ga, on, w.ga, ffi.NULL), None, lambda: xp.average(x.xp, a, w.xp)
    if name == 'trapezoid':
        return (f'{name} {a}', [x], lambda: f(x.ga, NONE, .5, a), lambda: torch.trapezoid(x.torch, dx=.5, dim=a),
                lambda: xp.trapezoid(x.xp, dx=.5, axis=a))
    if name == 'quantile':
        q = operand('float64' if CHECK else dtype, [3], 'C', plain=True)
        q.keep[:] = q.keep / 5
        return (f'{name} {a}', [x, q], lambda: f(x.ga, q.ga, on, 0, NONE), lambda: torch.quantile(x.torch, q.torch, a),
                lambda: xp.quantile(x.xp, q.xp, axis=a))
    if name == 'allclose':
        y = operand(dtype, list(x.shape))
        y.keep[:] = x.keep
        return (name, [x, y], lambda: lib.ga_allclose_array(x.ga, y.ga, 1e-5, 1e-8, 0),
                lambda: torch.allclose(x.torch, y.torch), lambda: xp.allclose(x.xp, y.xp))
    if name == 'trace':
        return (name, [x], lambda: f(x.ga, 1, 0, n - 1), None if n > 2 else lambda: torch.diagonal(x.torch, 1).sum(),
                lambda: xp.trace(x.xp, 1, 0, n - 1))
    if name == 'nancumsum':
        return f'{name} {a}', [x], lambda: f(x.ga, on, 0), None, lambda: xp.nancumsum(x.xp, a)
    theirs = {'nanmean': lambda: torch.nanmean(x.torch, a), 'logsumexp': lambda: torch.logsumexp(x.torch, a),
              'nanmedian': lambda: torch.nanmedian(x.torch, a),
              'ptp': lambda: torch.sub(*reversed(torch.aminmax(x.torch, dim=a)))}.get(name)
    return (f'{name} {a}', [x], lambda: f(x.ga, on), theirs,
            checked(lambda: scipy.special.logsumexp(x.xp, a)) if name == 'logsumexp' else
            lambda: getattr(xp, name)(x.xp, axis=a))


def places(*arrays):
    at = ffi.new('ga_at *')
    at.n = len(arrays)
    for i, a in enumerate(arrays):
        if a is None:
            at.place[i].colon = True
        else:
            at.place[i].array = a.ga
    return at[0]


def fancy():
    name = rnd.choice('index index_assign scatter_add scatter_max flatnonzero argwhere choose select put putmask place '
                      'isin union1d intersect1d setdiff1d lexsort argpartition unravel_index ravel_multi_index'.split())
    if name in ('index', 'index_assign', 'scatter_add', 'scatter_max'):
        x = operand(some_dtype(*(['int32', 'int64', 'float32', 'float64'] if 'scatter' in name else DTYPES)),
                    ndim=rnd.choice([2, 2, 3]))
        n = len(x.shape)
        at = rnd.choice([[0], [0, 1], [n - 1], [0, n - 1], list(range(n))])
        rest = math.prod(x.shape) // max(1, math.prod(x.shape[a] for a in at))
        k = max(1, min(2**LOG2[1] // max(1, rest), rnd.choice([10, 1000, 100000, 2**LOG2[1] // 16])))
        i = [operand('int64', [k], 'C', index=x.shape[a]) for a in at]
        where = places(*(i[at.index(a)] if a in at else None for a in range(max(at) + 1)))
        t = tuple(i[at.index(a)].torch if a in at else slice(None) for a in range(max(at) + 1))
        c = tuple(i[at.index(a)].xp if a in at else slice(None) for a in range(max(at) + 1))
        if name == 'index':
            return (f'index {at}', [x] + i, lambda: lib.ga_index(x.ga, where), lambda: x.torch[t], lambda: x.xp[c])
        v = operand(x.dtype, list(x.torch[t].shape if GPU and x.torch is not None else x.xp[c].shape), 'C')
        if name == 'index_assign':
            return (f'index_assign {at}', [x, v] + i, lambda: lib.ga_index_assign(x.ga, where, v.ga),
                    lambda: x.torch.__setitem__(t, v.torch), lambda: x.xp.__setitem__(c, v.xp))
        numpys = lambda: getattr(xp, {'scatter_add': 'add', 'scatter_max': 'maximum'}[name]).at(x.xp, c, v.xp)
        plain = all(a in at for a in range(n)) or at == [0]
        return (f'{name} {at}', [x, v] + i, lambda: getattr(lib, 'ga_' + name)(x.ga, where, v.ga, 0),
                (lambda: x.torch.index_put_(t, v.torch, accumulate=True)) if name == 'scatter_add' and plain else None,
                numpys)
    if name in ('flatnonzero', 'argwhere'):
        x = operand(some_dtype('bool', 'uint8', 'int32', 'float32', 'float64'), low=0, high=2)
        return (name, [x], lambda: getattr(lib, 'ga_' + name)(x.ga), lambda: torch.nonzero(
            x.torch if name == 'argwhere' else x.torch.reshape(-1)), lambda: getattr(xp, name)(x.xp))
    if name in ('choose', 'select'):
        x = operand(some_dtype(*DTYPES))
        y, z = beside(x, x.dtype), beside(x, x.dtype)
        if name == 'choose':
            i = operand(rnd.choice(['int64', 'uint8']), list(x.shape), low=0, high=3)
            of = ffi.new('ga_array *[]', [x.ga, y.ga, z.ga])
            return (name, [i, x, y, z], lambda: lib.ga_choose(i.ga, 0, 3, of), None,
                    lambda: xp.choose(i.xp, [x.xp, y.xp, z.xp]))
        c, d = beside(x, 'bool'), beside(x, 'bool')
        of, to = ffi.new('ga_array *[]', [c.ga, d.ga]), ffi.new('ga_array *[]', [x.ga, y.ga])
        return (name, [c, d, x, y, z], lambda: lib.ga_select(2, of, to, z.ga),
                lambda: torch.where(c.torch, x.torch, torch.where(d.torch, y.torch, z.torch)),
                checked(lambda: np.select([c.xp, d.xp], [x.xp, y.xp], z.xp)))
    if name in ('put', 'putmask', 'place'):
        x = operand(some_dtype(*DTYPES))
        if name == 'put':
            k = few(10, 1000, 2**LOG2[0] // 4)
            i, v = operand('int64', [k], 'C', index=math.prod(x.shape)), operand(x.dtype, [k], 'C')
            return (name, [x, i, v], lambda: lib.ga_put(x.ga, i.ga, v.ga, 0), lambda: x.torch.put_(i.torch, v.torch),
                    lambda: xp.put(x.xp, i.xp, v.xp))
        m, v = operand('bool', list(x.shape)), operand(x.dtype, [few(1, 7, 1000)], 'C')
        return (name, [x, m, v], lambda: getattr(lib, 'ga_' + name)(x.ga, m.ga, v.ga), None,
                lambda: getattr(xp, name)(x.xp, m.xp, v.xp))
    if name in ('isin', 'union1d', 'intersect1d', 'setdiff1d'):
        dtype = some_dtype('int32', 'int64', 'uint8', *REALS)
        of = {} if CHECK else {'high': 100000}
        x, y = operand(dtype, **of), operand(dtype, [few(10, 1000, 100000)], 'C', **of)
        if name == 'isin':
            return (name, [x, y], lambda: lib.ga_isin(x.ga, y.ga, 0), lambda: torch.isin(x.torch, y.torch),
                    lambda: xp.isin(x.xp, y.xp))
        return name, [x, y], lambda: getattr(lib, 'ga_' + name)(x.ga, y.ga), None, lambda: getattr(xp, name)(x.xp, y.xp)
    if name == 'lexsort':
        of = {} if CHECK else {'high': 100}
        x = operand(some_dtype('int32', 'float32', 'float64'), ndim=1, total=2**LOG2[0], **of)
        y = operand(some_dtype('int32', 'float32', 'int64'), list(x.shape), 'C', **of)
        of = ffi.new('ga_array *[]', [x.ga, y.ga])
        return name, [x, y], lambda: lib.ga_lexsort(axes_of(0), 2, of), None, lambda: xp.lexsort(
            xp.stack([x.xp.astype(y.dtype), y.xp]) if GPU else (x.xp, y.xp))
    if name == 'argpartition':
        x = operand(some_dtype('int32', *REALS), total=2**LOG2[0])
        a = rnd.randrange(len(x.shape))
        k = rnd.randrange(x.shape[a])
        return (f'{name} {k} {a}', [x], lambda: lib.ga_argpartition(x.ga, k, axes_of(a), 0),
                lambda: torch.argsort(x.torch, a), lambda: xp.argpartition(x.xp, k, axis=a))
    lengths = rnd.choice([[300, 400], [70, 50, 60], [7, 11, 5, 300]])
    if name == 'unravel_index':
        x = operand('int64', low=0, high=math.prod(lengths))
        made, shape = ffi.new('ga_array *[8]'), shape_of(lengths)
        return (name, [x], several(made, len(lengths), lambda: lib.ga_unravel_index(x.ga, shape, made)),
                lambda: torch.unravel_index(x.torch, lengths), lambda: xp.unravel_index(x.xp, lengths))
    x = operand('int64', low=0, high=lengths[0])
    i = [x] + [operand('int64', list(x.shape), low=0, high=n) for n in lengths[1:]]
    at, shape = places(*i), shape_of(lengths)
    return (name, i, lambda: lib.ga_ravel_multi_index(at, shape, 0), None,
            lambda: xp.ravel_multi_index(tuple(o.xp for o in i), lengths))


def shaping():
    name = rnd.choice('flip rot90 insert delete append resize triu packbits unpackbits diagonal transpose broadcast '
                      'meshgrid eye hstack split'.split())
    if name in ('packbits', 'unpackbits'):
        x = operand('bool' if name == 'packbits' else 'uint8')
        a = rnd.randrange(len(x.shape))
        return (f'{name} {a}', [x], (lambda: lib.ga_packbits(x.ga, axes_of(a), 0)) if name == 'packbits' else
                lambda: lib.ga_unpackbits(x.ga, axes_of(a), 2**63 - 1, 0), None,
                (lambda: getattr(xp, name)(x.xp)) if GPU and len(x.shape) == 1 else None if GPU else
                lambda: getattr(xp, name)(x.xp, axis=a))
    if name == 'eye':
        n, m, t = rnd.randint(100, 4000), rnd.randint(100, 4000), some_dtype(*REALS, 'int64', 'uint8')
        if not BIG:
            n, m = (v // sized(0, 8, 100) + sized(0, 1, -1) for v in (n, m))
        return (f'eye {n} {m} {t}', [], lambda: lib.ga_eye(n, m, 0, DTYPES.index(t)),
                lambda: torch.eye(n, m, dtype=getattr(torch, t), device='cuda'), lambda: xp.eye(n, m, dtype=t))
    x = operand(some_dtype(*DTYPES), ndim={'rot90': rnd.choice([2, 3]), 'diagonal': 3, 'meshgrid': 1,
                                           'triu': rnd.choice([2, 3])}.get(name))
    n = len(x.shape)
    a = rnd.randrange(n)

    def copied(view):           # ours: a copy of a view
        def ours():
            v = view()
            y = lib.ga_copy(v)
            lib.ga_free(v)
            return y
        return ours
    if name == 'flip':
        return (f'flip {a}', [x], copied(lambda: lib.ga_flip(x.ga, axes_of(a))), lambda: torch.flip(x.torch, [a]),
                lambda: xp.flip(x.xp, a).copy())
    if name == 'rot90':
        return (name, [x], copied(lambda: lib.ga_rot90(x.ga, 1, 0, 1)),
                lambda: torch.rot90(x.torch, 1, [0, 1]).contiguous(), lambda: xp.rot90(x.xp).copy())
    if name == 'transpose':
        b = rnd.randrange(n)
        return (f'swapaxes {a} {b}', [x], copied(lambda: lib.ga_swapaxes(x.ga, a, b)),
                lambda: x.torch.swapaxes(a, b).clone(memory_format=torch.contiguous_format),
                lambda: xp.swapaxes(x.xp, a, b).copy(order='C'))
    if name == 'diagonal':
        return (name, [x], copied(lambda: lib.ga_diagonal(x.ga, 0, 0, 2)),
                lambda: torch.diagonal(x.torch, 0, 0, 2).clone(memory_format=torch.contiguous_format),
                lambda: xp.diagonal(x.xp, 0, 0, 2).copy(order='C'))
    if name == 'broadcast':
        x.free()
        k = few(2, 7, 100)
        x = operand(x.dtype, total=2**LOG2[1] // max(1, k))
        to = shape_of([k] + list(x.shape))
        return (f'broadcast {k}', [x], copied(lambda: lib.ga_broadcast_to(x.ga, to)),
                lambda: x.torch.expand(k, *x.shape).clone(memory_format=torch.contiguous_format),
                lambda: xp.broadcast_to(x.xp, [k] + list(x.shape)).copy(order='C'))
    if name in ('insert', 'delete'):
        at = rnd.randrange(x.shape[a])
        if name == 'delete':
            return (f'delete {at} {a}', [x], lambda: lib.ga_delete(x.ga, at, axes_of(a)), None,
                    lambda: xp.delete(x.xp, at, a))
        v = operand(x.dtype, [x.shape[i] if i > a else 1 for i in range(n)][a:], 'C')
        return (f'insert {at} {a}', [x, v], lambda: lib.ga_insert(x.ga, at, v.ga, axes_of(a)), None,
                None if GPU else lambda: xp.insert(x.xp, at, v.xp[0], a))
    if name in ('append', 'hstack'):
        lengths = list(x.shape)
        axis = a if name == 'append' else min(1, n - 1)
        lengths[axis] = max(1, lengths[axis] // 3)
        y = operand(x.dtype, lengths)
        of = ffi.new('ga_array *[]', [x.ga, y.ga])
        return (f'{name} {axis}', [x, y], (lambda: lib.ga_append(x.ga, y.ga, axes_of(a))) if name == 'append' else
                lambda: lib.ga_hstack(2, of), lambda: torch.cat([x.torch, y.torch], axis),
                lambda: xp.concatenate([x.xp, y.xp], axis))
    if name == 'resize':
        lengths = [max(1, m - rnd.choice([0, 1, 3])) for m in x.shape]
        to = shape_of(lengths)
        return name, [x], lambda: lib.ga_resize(x.ga, to), None, lambda: xp.resize(x.xp, lengths)
    if name == 'split':
        k = rnd.choice([2, 3, 5])
        made = ffi.new('ga_array *[8]')

        def ours():
            if lib.ga_array_split(x.ga, k, a, made):
                return ffi.NULL
            first = lib.ga_copy(made[0])
            for i in range(k):
                lib.ga_free(made[i])
            return first
        return (f'split {k} {a}', [x], ours, lambda: torch.tensor_split(x.torch, k, a)[0].clone(
            memory_format=torch.contiguous_format), lambda: xp.array_split(x.xp, k, a)[0].copy(order='C'))
    if name == 'meshgrid':
        x.free()
        x, y = (operand(x.dtype, [rnd.randint(*sized((3, 4000), (3, 500), (0, 20)))], 'C') for _ in range(2))
        of, made = ffi.new('ga_array *[]', [x.ga, y.ga]), ffi.new('ga_array *[2]')
        return (name, [x, y], several(made, 2, lambda: lib.ga_meshgrid(made, 0, 2, of)),
                lambda: [t.contiguous() for t in torch.meshgrid(x.torch, y.torch, indexing='xy')],
                lambda: xp.meshgrid(x.xp, y.xp))
    k = rnd.choice([-3, 0, 1])
    return f'triu {k}', [x], lambda: lib.ga_triu(x.ga, k), lambda: torch.triu(x.torch, k), lambda: xp.triu(x.xp, k)


def contraction():
    name = rnd.choice('dot inner outer vecdot matvec vecmat kron tensordot einsum cross matrix_power cdist vdot'.split())
    dtype = some_dtype(*REALS, *COMPLEX, *(HALVES if name in ('dot', 'inner', 'outer', 'matvec', 'einsum') else []))
    side, many = sized((4000, 2000000), (300, 50000), (30, 1000))
    m, n, k = (int(2**rnd.uniform(sized(0, 0, -.1), math.log2(side))) for _ in range(3))
    if name in ('dot', 'vdot'):
        x = operand(dtype, [rnd.randint(sized(10, 10, 0), many)], rnd.choice(['C', 'offset', 'strided']))
        y = operand(dtype, list(x.shape))
        return (name, [x, y], lambda: getattr(lib, 'ga_' + name)(x.ga, y.ga),
                lambda: getattr(torch, name)(x.torch, y.torch), lambda: getattr(xp, name)(x.xp, y.xp))
    if name == 'outer':
        x, y = operand(dtype, [m]), operand(dtype, [n])
        return (name, [x, y], lambda: lib.ga_outer(x.ga, y.ga), lambda: torch.outer(x.torch, y.torch),
                lambda: xp.outer(x.xp, y.xp))
    if name == 'kron':
        m, n = (int(2**rnd.uniform(0, sized(6, 4, 3))) for _ in range(2))
        x, y = operand(dtype, [m, n]), operand(dtype, [n, m])
        return (name, [x, y], lambda: lib.ga_kron(x.ga, y.ga), lambda: torch.kron(x.torch, y.torch),
                lambda: xp.kron(x.xp, y.xp))
    if name in ('vecdot', 'cross'):
        x = operand(dtype, lengths_of(int(2**rnd.uniform(LOG2[0] - 2, LOG2[1] - 2)), 2)[:2] if name == 'vecdot' else
                    [int(2**rnd.uniform(LOG2[0] - 4, LOG2[1] - 4)), 3])
        y = operand(dtype, list(x.shape))
        if name == 'cross':
            return (name, [x, y], lambda: lib.ga_cross(x.ga, y.ga, -1), lambda: torch.linalg.cross(x.torch, y.torch),
                    lambda: xp.cross(x.xp, y.xp))
        return (name, [x, y], lambda: lib.ga_vecdot(x.ga, y.ga), lambda: torch.linalg.vecdot(x.torch, y.torch),
                None if GPU else lambda: xp.vecdot(x.xp, y.xp))
    if name in ('matvec', 'vecmat'):
        b = rnd.choice([1, 1, 5, 200])
        m, n = (max(1, int(v / b**.5)) for v in (m, n))
        many = [b] if b > 1 else []
        x, y = operand(dtype, many + [m, n]), operand(dtype, many + [n if name == 'matvec' else m])
        if name == 'matvec':
            return (name, [x, y], lambda: lib.ga_matvec(x.ga, y.ga), lambda: (x.torch @ y.torch[..., None])[..., 0],
                    lambda: (x.xp @ y.xp[..., None])[..., 0])
        return (name, [y, x], lambda: lib.ga_vecmat(y.ga, x.ga), lambda: (y.torch[..., None, :] @ x.torch)[..., 0, :],
                (lambda: xp.vecmat(y.xp, x.xp)) if CHECK else lambda: (y.xp[..., None, :] @ x.xp)[..., 0, :])
    if name == 'inner':
        x, y = operand(dtype, [m, k]), operand(dtype, [n, k])
        return (name, [x, y], lambda: lib.ga_inner(x.ga, y.ga), lambda: torch.inner(x.torch, y.torch),
                lambda: xp.inner(x.xp, y.xp))
    if name == 'matrix_power':
        n, b = int(2**rnd.uniform(1, sized(9, 7, 4))), rnd.choice([1, 1, 20])
        p = rnd.choice([2, 3, 7])
        x = operand(dtype, ([b] if b > 1 else []) + [n, n], 'C')
        return (f'{name} {p}', [x], lambda: lib.ga_matrix_power(x.ga, p), lambda: torch.linalg.matrix_power(x.torch, p),
                lambda: xp.linalg.matrix_power(x.xp, p))
    if name == 'cdist':
        k = rnd.choice([2, 3, 16, 100])
        real = 'float64' if dtype in COMPLEX else dtype
        x, y = operand(real, [m, k], 'C'), operand(real, [n, k], 'C')
        return (name, [x, y], lambda: lib.ga_cdist(x.ga, y.ga, 0), lambda: torch.cdist(x.torch, y.torch),
                checked(lambda: scipy.spatial.distance.cdist(x.xp, y.xp).astype(x.xp.dtype)))
    if name == 'tensordot':
        a, b, c, d = (int(2**rnd.uniform(0, sized(7, 4, 3))) for _ in range(4))
        x, y = operand(dtype, [a, b, c]), operand(dtype, [b, c, d])
        return (name, [x, y], lambda: lib.ga_tensordot(x.ga, y.ga, 2), lambda: torch.tensordot(x.torch, y.torch, 2),
                lambda: xp.tensordot(x.xp, y.xp, 2))
    form = rnd.choice(['ij,jk->ik', 'ij,kj->ki', 'bij,bjk->bik', 'ij,ij->i', 'ijk->ki', 'ij,j->i', 'bij,bkj->bk',
                       'abc,cd->abd', 'abc,abd->acd', 'ii->i', 'ij,ij->', 'i,j,k->ijk', 'ijk,jk->i', 'abij,abjk->abik'])
    small = sized(40, 12, 6) if len(set(form) - set(',->')) > 3 else sized(200, 40, 12)
    of = {c: rnd.randint(1, small) for c in set(form) - set(',->')}
    x = [operand(dtype, [of[c] for c in t]) for t in form.split('->')[0].split(',')]
    text, list_of = form.encode(), ffi.new('ga_array *[]', [o.ga for o in x])
    return (f'einsum {form}', x, lambda: lib.ga_einsum(text, len(x), list_of),
            lambda: torch.einsum(form, *[o.torch for o in x]), lambda: xp.einsum(form, *[o.xp for o in x]))


def signal():
    name = rnd.choice('convolve correlate interp unwrap gradient polyval dct fftconvolve histogram2d'.split())
    dtype = some_dtype(*REALS)
    if name in ('convolve', 'correlate', 'fftconvolve'):
        x = operand(dtype, ndim=1, total=int(2**rnd.uniform(LOG2[0] - 6, LOG2[1] - 1)))
        y = operand(dtype, [few(3, 17, 200, 3000)], 'C')
        mode = rnd.choice([0, 1, 2])
        text = ('full', 'same', 'valid')[mode]
        if name == 'fftconvolve':
            return (f'{name} {text}', [x, y], lambda: lib.ga_fftconvolve(x.ga, y.ga, mode, axes_of(None)), None,
                    checked(lambda: scipy.signal.fftconvolve(x.xp, y.xp, text)))
        return (f'{name} {text}', [x, y], lambda: getattr(lib, 'ga_' + name)(x.ga, y.ga, mode), None,
                lambda: getattr(xp, name)(x.xp, y.xp, text))
    x = operand(dtype, total=int(2**rnd.uniform(LOG2[0] - 2, LOG2[1] - 1)))
    a = rnd.randrange(len(x.shape))
    if name == 'interp':
        n = few(5, 100, 10000)
        at, f = operand(dtype, [n], 'C'), operand(dtype, [n], 'C')
        at.keep[:] = at.keep.sort()[0] if GPU else np.sort(at.keep)
        return (name, [x, at, f], lambda: lib.ga_interp(x.ga, at.ga, f.ga, ffi.NULL), None,
                lambda: xp.interp(x.xp, at.xp, f.xp))
    if name == 'unwrap':
        return f'{name} {a}', [x], lambda: lib.ga_unwrap(x.ga, NONE, a, NONE), None, lambda: xp.unwrap(
            x.xp, axis=a, **({'period': float(np.dtype(dtype).type(2 * np.pi))} if CHECK else {}))
    if name == 'polyval':
        p = operand(dtype, [few(2, 4, 9) % 10], 'C')
        return name, [p, x], lambda: lib.ga_polyval(p.ga, x.ga), None, lambda: xp.polyval(p.xp, x.xp)
    if name == 'dct':
        return f'{name} {a}', [x], lambda: lib.ga_dct(x.ga, 2, 0, a, 0), None, checked(lambda: scipy.fft.dct(x.xp, axis=a))
    if name == 'histogram2d':
        y = operand(dtype, [math.prod(x.shape)], 'C')
        x.free()
        x = operand(dtype, list(y.shape))
        k = few(10, 100)
        bins = ffi.new('ga_bins *', {'count': k})[0]
        return (f'{name} {k}', [x, y], lambda: lib.ga_histogram2d(x.ga, y.ga, bins, bins, NONE, 0, ffi.NULL), None,
                lambda: xp.histogram2d(x.xp, y.xp, k))
    if x.shape[a] < 2:
        x.free()
        x = operand(dtype, [300, 2000])
        a = a % 2
    made = ffi.new('ga_array *[8]')
    return (f'gradient {a}', [x], several(made, 1, lambda: lib.ga_gradient(x.ga, 0, ffi.NULL, axes_of(a), 1, made)),
            lambda: torch.gradient(x.torch, dim=a), lambda: xp.gradient(x.xp, axis=a))


def exponential(x):
    """e to the matrix x; SciPy's is a thousand times less exact"""
    a = x.astype('clongdouble' if x.dtype.kind == 'c' else 'longdouble') / 2**12
    e = term = np.eye(x.shape[-1]) + 0 * a
    for k in range(1, 24):
        term = np.matmul(term, a) / k
        e = e + term
    for _ in range(12):
        e = np.matmul(e, e)
    return e.astype(x.dtype)


def factoring():
    name = rnd.choice('pinv norm cond matrix_rank expm eigvals eig lu_factor solve_triangular lu'.split())
    dtype = some_dtype(*REALS, *COMPLEX)
    n = int(2**rnd.uniform(sized(1, 1, -.2), sized(9, 7, 5)))
    b = rnd.choice([1, 1, int(2**rnd.uniform(1, sized(11, 7, 5)))])
    most = 2**sized(28, 21, 17)
    n = n if n**3 * b <= most else max(2, int((most / b)**(1 / 3)))
    if name in ('eig', 'eigvals'):
        n, b = min(n, 200), min(b, 20)
    x = operand(dtype, ([b] if b > 1 else []) + [n, n], 'C')
    made, la = ffi.new('ga_array *[4]'), torch.linalg if GPU else None
    if name == 'norm':
        order = rnd.choice(['fro', 2, 1])
        ord_of = 2e300 if order == 'fro' else float(order)
        return (f'norm {order}', [x], lambda: lib.ga_norm(x.ga, ord_of, axes_of((-2, -1))),
                lambda: la.matrix_norm(x.torch, order), lambda: xp.linalg.norm(x.xp, order, (-2, -1)))
    if name == 'expm':
        return name, [x], lambda: lib.ga_expm(x.ga), lambda: torch.linalg.matrix_exp(x.torch), checked(
            None if n > 64 else lambda: exponential(x.xp))
    if name in ('lu', 'lu_factor'):
        return (name, [x], several(made, 2, lambda: lib.ga_lu_factor(x.ga, made, made + 1)) if name == 'lu_factor' else
                several(made, 3, lambda: lib.ga_lu(x.ga, made, made + 1, made + 2)),
                lambda: getattr(la, name)(x.torch), checked(
                    lambda: [v if v.dtype.kind == 'i' else v.astype(x.xp.dtype) for v in getattr(scipy.linalg, name)(x.xp)]))
    if name == 'solve_triangular':
        y = operand(dtype, list(x.shape[:-1]) + [rnd.choice([1, 5, n])], 'C')
        eye = torch.eye(n, device='cuda', dtype=x.keep.dtype) if GPU else np.eye(n, dtype=dtype)
        x.keep[:] = x.keep + 2 * n * eye
        return (name, [x, y], lambda: lib.ga_solve_triangular(x.ga, y.ga, 0),
                lambda: la.solve_triangular(x.torch, y.torch, upper=True),
                checked(lambda: scipy.linalg.solve_triangular(x.xp, y.xp)))
    ours = {'pinv': lambda: lib.ga_pinv(x.ga, -1.), 'cond': lambda: lib.ga_cond(x.ga, 2.),
            'matrix_rank': lambda: lib.ga_matrix_rank(x.ga, -1.), 'eigvals': lambda: lib.ga_eigvals(x.ga),
            'eig': several(made, 2, lambda: lib.ga_eig(x.ga, made, made + 1))}[name]
    return (name, [x], ours, lambda: getattr(la, name)(x.torch),
            None if GPU else lambda: getattr(np.linalg, name)(x.xp + 0j if name in ('eig', 'eigvals') and CHECK else x.xp))


def shuffling():
    name = rnd.choice('permutation shuffle choice choice_p'.split())
    x = operand(some_dtype(*DTYPES), total=int(2**rnd.uniform(LOG2[0] - 3, LOG2[1] - 1)), layout='C')
    n = x.shape[0]
    if name == 'permutation':
        return (name, [x], lambda: lib.ga_random_permutation(x.ga), lambda: x.torch[torch.randperm(n, device='cuda')],
                lambda: xp.random.permutation(x.xp))
    if name == 'shuffle':
        return (name, [x], lambda: lib.ga_random_shuffle(x.ga, 0),
                lambda: x.torch.copy_(x.torch[torch.randperm(n, device='cuda')]), lambda: xp.random.shuffle(x.xp))
    k = max(1, min(n, rnd.choice([10, 1000, n])))
    to = shape_of([k])
    if name == 'choice':
        return (f'choice {k}', [x], lambda: lib.ga_random_choice(x.ga, to, True, NONE),
                lambda: x.torch[torch.randint(0, n, (k,), device='cuda')],
                None if GPU else lambda: numpy_rng.choice(x.xp, k))
    p = operand('float64', [n], 'C')
    p.keep[:] = p.keep / p.keep.sum()
    return (f'choice by weights {k}', [x, p], lambda: lib.ga_random_choice(x.ga, to, True, p.ga),
            lambda: x.torch[torch.multinomial(p.torch, k, True)],
            None if GPU else lambda: numpy_rng.choice(x.xp, k, p=p.xp))


# What is checked alone: flags, modes, outputs that overlap operands.
def overlap():
    """out's memory is some of the operands'"""
    of = {'add': 2, 'subtract': 2, 'maximum': 2, 'multiply': 2, 'negative': 1, 'absolute': 1, 'square': 1, 'copyto': 1,
          'cumsum': 1, 'cummax': 1, 'sort': 1, 'argsort': 1, 'roll': 1, 'where': 2, 'clip': 2, 'sum': 1, 'take': 1,
          'concatenate': 2, 'repeat': 1, 'tile': 1}
    name = rnd.choice(list(of))
    x = operand(some_dtype('int64', 'int8', 'float32', 'float64', 'int16', *([] if name in (
        'maximum', 'clip', 'absolute', 'cummax', 'where') else ['complex64'])))
    a = rnd.randrange(len(x.shape))
    n = x.shape[a]
    k = min(n - 1, rnd.choice([0, 1, 1, 2, 3, n // 2]))
    m = n - k
    cuts = [f':{m}', f'{k}:', f'{m - 1}::-1', f'{n - 1}:{k - 1}:-1' if k else '::-1']
    parts = [', '.join([':'] * a + [rnd.choice(cuts)]) for _ in range(3)]
    if name == 'sum' or n < 1:          # of one slice, which it may be
        parts[0] = ', '.join([':'] * a + ['0:1'])
    if name in ('concatenate', 'repeat', 'tile'):
        parts = [', '.join([':'] * a + [c]) for c in (':', *rnd.sample([f':{n // 2}', f'{n - n // 2}:', '1::2'], 2))]
    out, v, w = ([lib.ga_slice(x.ga, ffi.new('char[]', p.encode())) for p in parts])
    on, two, f = axes_of(a), ffi.new('ga_array *[]', [v, w]), getattr(lib, f'ga_{name}_into', None)
    times = [1] * a + [2] + [1] * (len(x.shape) - a - 1)
    i = operand('int64', [m], 'C', index=m) if name == 'take' else None
    ours = {'copyto': lambda: lib.ga_copyto(out, v, NONE), 'cumsum': lambda: f(out, v, on, 0),
            'cummax': lambda: f(out, v, on, 0), 'sort': lambda: f(out, v, on, 0), 'argsort': lambda: f(out, v, on, 0),
            'roll': lambda: f(out, v, 1, on), 'where': lambda: f(out, v, v, w), 'clip': lambda: f(out, v, NONE, w),
            'sum': lambda: f(out, v, keep_of(on)), 'take': lambda: f(out, v, i.ga, on, 0),
            'concatenate': lambda: f(out, a, 2, two), 'repeat': lambda: f(out, v, 2, on),
            'tile': lambda: f(out, v, shape_of(times))}.get(
                name, lambda: f(out, v, w) if of[name] == 2 else f(out, v))

    def numpys():
        to, p, q = (eval(f'x[{part}]', {'x': x.xp}) for part in parts)
        p, q = p.copy(), q.copy()
        r = {'copyto': lambda: p, 'cumsum': lambda: np.cumsum(p, a), 'cummax': lambda: np.maximum.accumulate(p, a),
             'sort': lambda: np.sort(p, a), 'argsort': lambda: np.argsort(p, a, kind='stable'),
             'roll': lambda: np.roll(p, 1, a), 'where': lambda: np.where(p, p, q), 'clip': lambda: np.minimum(p, q),
             'sum': lambda: np.sum(p, a, keepdims=True), 'take': lambda: np.take(p, i.xp, a),
             'concatenate': lambda: np.concatenate([p, q], a), 'repeat': lambda: np.repeat(p, 2, a),
             'tile': lambda: np.tile(p, times)}.get(name, lambda: getattr(np, name)(*[p, q][:of[name]]))()
        if r.shape != to.shape or not np.can_cast(r.dtype, to.dtype, 'same_kind'):
            raise ValueError('output')
        to[...] = r
    return f'{name} into {a}: ' + ' | '.join(parts), [x] + ([i] if i else []), ours, None, numpys


def keep_of(on):
    kept = ffi.new('ga_axis *', on)
    kept.keepdims = True
    return kept[0]


def flag():
    global STYLE
    name = rnd.choice('reduce reduce reduce scan scan sort argsort searchsorted unique pad pad take put choose isin fft rfft '
                      'irfft fftn dct norm round divmod modf frexp roll diff repeat setxor1d trapezoid percentile segment '
                      'index index_assign mask_assign round insert delete topk'.split())
    if name == 'reduce':
        name = rnd.choice('sum prod mean var std any all nansum nanmean max min argmax argmin nanvar nanmax nanprod ptp '
                          'count_nonzero'.split())
        x = operand(some_dtype(*INTS, *FLOATS, 'bool', *COMPLEX))
        n, keep = len(x.shape), rnd.random() < .5
        axes = rnd.choice([None, tuple(rnd.sample(range(-n, 0), rnd.randint(1, n)))])
        if name.startswith('arg') and axes:
            axes = axes[:1]
        on, more, also = ffi.new('ga_axis *', axes_of(axes)), {'keepdims': keep}, []
        on.keepdims = keep
        if name in 'sum prod mean var std any all nansum nanmean nanprod nanvar' and rnd.random() < .6:
            also = [beside(x, 'bool')]
            at = int(ffi.cast('intptr_t', also[0].ga))
            on.axis[8], on.axis[9], on.axis[10] = 1, (at & 0xffffffff) - ((at & 0x80000000) << 1), at >> 32
        axis = axes[0] if axes and len(axes) == 1 else axes
        dof = rnd.choice([0, 1, .5])
        if name.endswith(('var', 'std', 'mean')) and x.dtype in ('int64', 'uint64'):
            raise ValueError        # NumPy's are rounded, these exact
        f = getattr(lib, 'ga_' + name)
        more |= {'ddof': dof} if name.endswith(('var', 'std')) else {}
        return (f'{name} {axes} {more} {"where" * len(also)}', [x] + also,
                (lambda: f(x.ga, on[0], dof)) if 'ddof' in more else lambda: f(x.ga, on[0]), None,
                lambda: getattr(np, name)(x.xp, axis=axis, **more, **({'where': also[0].xp} if also else {})))
    if name == 'scan':
        name = rnd.choice('cumsum cumprod cummax cummin nancumsum nancumprod'.split())
        x = operand(some_dtype(*INTS, *FLOATS, 'bool', *([] if 'm' in name[3:4] else [])))
        a, flags = rnd.choice([None, rnd.randrange(len(x.shape))]), rnd.randrange(4)
        start = {'cummax': -np.inf, 'cummin': np.inf}.get(name, int('prod' in name))

        def numpys():
            v, axis = (x.xp.ravel(), 0) if a is None else (x.xp, a)
            v = np.flip(v, axis) if flags & 2 else v
            r = {'cummax': np.maximum.accumulate, 'cummin': np.minimum.accumulate}.get(name, getattr(np, name, None))(v, axis)
            if flags & 1 and r.shape[axis]:
                first = np.take(r, [0], axis)
                ends = np.iinfo(r.dtype) if r.dtype.kind in 'iu' else None
                first[...] = start if not ends or np.isfinite(start) else ends.min if start < 0 else ends.max
                if r.dtype.kind == 'b':
                    first[...] = start > 0
                r = np.concatenate([first, np.take(r, range(r.shape[axis] - 1), axis)], axis)
            return np.flip(r, axis) if flags & 2 else r
        return f'{name} {a} flags {flags}', [x], lambda: getattr(lib, 'ga_' + name)(x.ga, axes_of(a), flags), None, numpys
    if name in ('fft', 'rfft', 'irfft', 'fftn', 'dct', 'percentile', 'round', 'trapezoid'):
        STYLE = 'any'
    halves = [] if name in ('percentile', 'diff', 'trapezoid', 'round') else HALVES     # of several steps: rounded by each
    x = operand(some_dtype('int8', 'int32', 'uint16', 'int64', *REALS, *halves, **({'also': ['bool', *COMPLEX]} if name in (
        'sort', 'argsort', 'unique', 'pad', 'take', 'put', 'roll', 'repeat', 'choose', 'index', 'index_assign',
        'mask_assign', 'insert', 'delete', 'segment') else {})))
    n = len(x.shape)
    a = rnd.randrange(n)
    m, on = x.shape[a], axes_of(a)
    if name in ('sort', 'argsort'):
        if x.dtype in COMPLEX:
            raise ValueError
        k = numpys_topk(x, m, a)
        return (f'{name} descending {a}', [x], lambda: getattr(lib, 'ga_' + name)(x.ga, on, 1), None,
                lambda: k()[name == 'argsort'])
    if name == 'topk':
        k, made = rnd.randint(0, m), ffi.new('ga_array *[2]')
        def smallest():
            i = np.argsort(x.xp, a, kind='stable')
            i = np.take(i, range(k), a)
            return np.take_along_axis(x.xp, i, a), i
        return (f'{name} smallest {k} {a}', [x], several(made, 2, lambda: lib.ga_topk(x.ga, k, on, 2, made, made + 1)), None,
                smallest)
    if name == 'searchsorted':
        table, right = operand(x.dtype, [few(1)], 'C'), rnd.random() < .5
        order = Operand(np.argsort(table.host(), kind='stable'), 'int64')
        return (f'{name} right {right}', [table, x, order],
                lambda: lib.ga_searchsorted(table.ga, x.ga, order.ga, 4 * right), None,
                lambda: np.searchsorted(table.xp, x.xp, 'right' if right else 'left', sorter=order.xp))
    if name == 'unique':
        made, axis = ffi.new('ga_array *[4]'), rnd.choice([None, a])

        def ours():
            made[0] = lib.ga_unique(x.ga, axes_of(axis), made + 1, made + 2, made + 3)
            return list(made) if made[0] != ffi.NULL else ffi.NULL
        return (f'{name} {axis}', [x], ours, None, lambda: np.unique(x.xp, True, True, True, axis=axis))
    if name == 'pad':
        before, after = ([rnd.choice([0, 1, 2, 5, 9]) for _ in range(n)] for _ in range(2))
        modes = 'constant edge linear_ramp maximum mean median minimum reflect symmetric wrap'.split()
        mode = rnd.randrange(len(modes))
        if mode in (2, 4, 5) and x.dtype not in REALS + COMPLEX:
            STYLE = 'any'
            x = operand(rnd.choice(['int8', 'int32', 'float16']), list(x.shape))    # steps of float64, and of halves
        first, last = shape_of(before), shape_of(after)
        return (f'pad_{modes[mode]} {before} {after}', [x], lambda: lib.ga_pad(x.ga, first, last, mode, NONE), None,
                lambda: np.pad(x.xp, list(zip(before, after)), modes[mode]))
    if name in ('take', 'put', 'choose'):
        mode = rnd.randrange(3)
        text, size = ['raise', 'wrap', 'clip'][mode], max(1, 3 if name == 'choose' else math.prod(x.shape) if name == 'put' else m)
        wide = (size if not mode else 3 * size)
        lengths = list(x.shape) if name == 'choose' else [few(1)] if name == 'put' else [rnd.randint(0, 5) for _ in range(
            rnd.randint(0, 2))]
        i = operand(rnd.choice(['int64', 'int32', 'int16', 'int8'] if wide < 100 else ['int64']), lengths, index=wide)
        if name == 'take':
            return (f'{name} {a} {text}', [x, i], lambda: lib.ga_take(x.ga, i.ga, on, mode), None,
                    lambda: np.take(x.xp, i.xp, a, mode=text))
        if name == 'put':
            v = operand(x.dtype, [few(1)], 'C')
            return (f'{name} {text}', [x, i, v], lambda: lib.ga_put(x.ga, i.ga, v.ga, mode), None,
                    lambda: np.put(x.xp, i.xp, v.xp, text))
        y, z = beside(x, x.dtype), beside(x, x.dtype)
        of = ffi.new('ga_array *[]', [x.ga, y.ga, z.ga])
        return (f'{name} {text}', [i, x, y, z], lambda: lib.ga_choose(i.ga, mode, 3, of), None,
                lambda: np.choose(i.xp, [x.xp, y.xp, z.xp], mode=text))
    if name == 'isin':
        y = beside(x, x.dtype)
        return f'{name} invert', [x, y], lambda: lib.ga_isin(x.ga, y.ga, 8), None, lambda: np.isin(x.xp, y.xp, invert=True)
    if name in ('index', 'index_assign'):
        lengths, rest = [rnd.choice([1, 2, 3]) for _ in range(rnd.randint(0, 2))], []
        count = rnd.randint(1, n)
        for j in range(count):
            use = rnd.random()
            if use < .25:
                rest.append((operand('bool', [x.shape[j]], 'C') if not any(
                    o and o.dtype == 'bool' for o in rest) and len(lengths) < 2 else None))
            else:
                rest.append(None if use < .5 else operand(rnd.choice(['int64', 'int32']), [
                    v if rnd.random() < .7 else 1 for v in lengths], index=x.shape[j]))
        where, given = places(*rest), [o for o in rest if o]
        at = lambda: tuple(o.xp if o else slice(None) for o in rest)
        kinds = ''.join('b' if o and o.dtype == 'bool' else 'i' if o else ':' for o in rest)
        if name == 'index':
            return f'{name} {kinds}', [x] + given, lambda: lib.ga_index(x.ga, where), None, lambda: x.xp[at()]
        shape = [v if rnd.random() < .7 else 1 for v in x.xp[at()].shape]
        v = operand(x.dtype, shape)
        return (f'{name} {kinds}', [x, v] + given, lambda: lib.ga_index_assign(x.ga, where, v.ga), None,
                lambda: x.xp.__setitem__(at(), v.xp))
    if name == 'mask_assign':
        c = operand('bool', list(x.shape[:rnd.randint(1, n)]))
        rest = [int(c.xp.sum())] + list(x.shape[len(c.shape):])
        v = operand(x.dtype, [u if rnd.random() < .7 else 1 for u in rest[rnd.randrange(len(rest)):]])
        return name, [x, c, v], lambda: lib.ga_mask_assign(x.ga, c.ga, v.ga), None, lambda: x.xp.__setitem__(c.xp, v.xp)
    if name in ('fft', 'rfft', 'irfft'):
        k, norm = rnd.choice([0, 1, 2, m, m + 1, 2 * m, 7]), rnd.randrange(3)
        if not m:
            raise ValueError        # NumPy's are of any memory
        y = operand(some_dtype(*(REALS if name == 'rfft' else REALS + COMPLEX)), list(x.shape))
        return (f'{name} {k} {a} {norm}', [y], lambda: getattr(lib, 'ga_' + name)(y.ga, k, a, norm), None,
                lambda: getattr(np.fft, name)(y.xp, k or None, a, NORMS[norm]))
    if name == 'fftn':
        y = operand(some_dtype(*REALS, *COMPLEX), list(x.shape))
        axes = tuple(rnd.sample(range(n), rnd.randint(1, min(n, 3))))
        f = rnd.choice(['fftn', 'ifftn', 'rfftn'])
        if f == 'rfftn':
            y = operand(some_dtype(*REALS), list(x.shape))
        return (f'{f} {axes}', [y], lambda: getattr(lib, 'ga_' + f)(y.ga, shape_of([]), axes_of(axes), 0), None,
                lambda: getattr(np.fft, f)(y.xp, axes=axes))
    if name == 'dct':
        f, kind = rnd.choice(['dct', 'idct', 'dst', 'idst']), rnd.randint(1, 4)
        y, norm = operand(some_dtype(*REALS), list(x.shape)), rnd.randrange(3)
        return (f'{f} {kind} {a} {norm}', [y], lambda: getattr(lib, 'ga_' + f)(y.ga, kind, 0, a, norm), None,
                lambda: getattr(scipy.fft, f)(y.xp, kind, axis=a, norm=NORMS[norm]))
    if name == 'norm':
        y, order = operand(some_dtype(*REALS, *COMPLEX), list(x.shape)), rnd.choice([1., 3., np.inf, -np.inf, 0., -1., .5])
        return (f'{name} {order} {a}', [y], lambda: lib.ga_norm(y.ga, order, on), None,
                lambda: np.linalg.norm(y.xp, order, a))
    if name == 'round':
        k = rnd.choice([0, 1, 2, -1])
        return f'{name} {k}', [x], lambda: lib.ga_round(x.ga, k), None, lambda: np.round(x.xp, k)
    if name in ('divmod', 'modf', 'frexp'):
        made, y = ffi.new('ga_array *[2]'), beside(x, x.dtype)
        f = getattr(lib, 'ga_' + name)
        return (name, [x, y], several(made, 2, (lambda: f(x.ga, y.ga, made, made + 1)) if name == 'divmod' else
                                      lambda: f(x.ga, made, made + 1)), None,
                lambda: getattr(np, name)(*[x.xp, y.xp][:1 + (name == 'divmod')]))
    if name == 'roll':
        axes, by = [rnd.randrange(n) for _ in range(rnd.randint(1, n))], rnd.choice([-1, 0, 5, 1000])
        axes = tuple(dict.fromkeys(axes))
        axes = rnd.choice([None, axes])
        return f'{name} {by} {axes}', [x], lambda: lib.ga_roll(x.ga, by, axes_of(axes)), None, lambda: np.roll(x.xp, by, axes)
    if name == 'diff':
        k = rnd.randint(0, 3)
        y = operand(x.dtype, [rnd.randint(0, 2) if j == a else u for j, u in enumerate(x.shape)])
        return (f'{name} {k} {a}', [x, y], lambda: lib.ga_diff(x.ga, k, a, NONE, y.ga), None,
                lambda: np.diff(x.xp, k, a, append=y.xp))
    if name == 'repeat':
        i = operand('int64', [rnd.choice([m, m, 1])], low=0, high=4)
        return (f'{name} counts {a}', [x, i], lambda: lib.ga_repeat_counts(x.ga, i.ga, on), None,
                lambda: np.repeat(x.xp, i.xp, a))
    if name == 'setxor1d':
        y = beside(x, x.dtype)
        return name, [x, y], lambda: lib.ga_setxor1d(x.ga, y.ga), None, lambda: np.setxor1d(x.xp, y.xp)
    if name == 'trapezoid':
        y = operand('float64', [m] if rnd.random() < .5 else list(x.shape))
        return (f'{name} at {a}', [x, y], lambda: lib.ga_trapezoid(x.ga, y.ga, 1., a), None,
                lambda: np.trapezoid(x.xp, y.xp, axis=a))
    if name == 'percentile':
        q, method = operand('float64', rnd.choice([[], [2], [2, 2]]), plain=True), rnd.randrange(13)
        text = ('linear inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull '
                'median_unbiased normal_unbiased lower higher midpoint nearest').split()[method]
        q.keep[...] = q.keep * 20
        axes = rnd.choice([None, (a,), tuple(range(n))[:2]])
        return (f'{name} {text} {axes}', [x, q], lambda: lib.ga_percentile(x.ga, q.ga, axes_of(axes), method, NONE), None,
                lambda: np.percentile(x.xp, q.xp, axes, method=text))
    if name == 'segment':
        f, k = rnd.choice(['sum', 'max', 'min']), rnd.randint(1, 9)
        i = operand('int64', [x.shape[0]], low=0, high=k)

        def numpys():
            v = x.xp
            r = np.zeros([k, *v.shape[1:]], (np.sum(v[:0]) if f == 'sum' else v).dtype)
            if f != 'sum':
                r[...] = (-np.inf if f == 'max' else np.inf) if v.dtype.kind == 'f' else f == 'min' if v.dtype.kind == 'b' else (
                    np.iinfo(v.dtype).min if f == 'max' else np.iinfo(v.dtype).max)
            getattr(np, {'sum': 'add', 'max': 'maximum', 'min': 'minimum'}[f]).at(r, i.xp, v)
            return r
        if x.dtype in COMPLEX and f != 'sum':
            raise ValueError
        return (f'segment_{f} {k}', [x, i], lambda: getattr(lib, 'ga_segment_' + f)(x.ga, i.ga, k, 0), None, numpys)
    places_of = [rnd.randint(-m, m - (name == 'delete')) for _ in range(rnd.randint(1, 3))]
    at = ffi.new('int64_t[]', places_of)
    if name == 'delete':
        return (f'{name} {places_of} {a}', [x], lambda: lib.ga_delete_at(x.ga, at, len(places_of), on), None,
                lambda: np.delete(x.xp, places_of, a))
    v = operand(x.dtype, [len(places_of) if j == a else u for j, u in enumerate(x.shape)])
    return (f'{name} {places_of} {a}', [x, v], lambda: lib.ga_insert_at(x.ga, at, len(places_of), v.ga, on), None,
            lambda: np.insert(x.xp, places_of, v.xp, a))


NORMS = 'backward ortho forward'.split()
CLASSES = dict(unary=unary, binary=binary, choice=choice, reduction=reduction, scan=scan, softmax=softmax,
               moving=moving, index=index, order=order, product=product, cast=cast, mixed=mixed, assign=assign,
               mask=mask, put=put, statistic=statistic, draw=draw, solving=solving, transform=transform, function=function,
               pair=pair, expression=expression, fold=fold, fancy=fancy, shaping=shaping, contraction=contraction,
               signal=signal, factoring=factoring, shuffling=shuffling,
               **({'overlap': overlap, 'flag': flag} if CHECK else {}))


def ours_sync():
    if lib.ga_synchronize():
        raise RuntimeError(error())


def theirs_sync():
    if GPU:
        torch.cuda.synchronize()


def milliseconds(call, sync, done):
    done(call())
    sync()
    start = time.perf_counter()
    done(call())
    sync()
    once = time.perf_counter() - start
    calls = max(1, min(50, int(.0005 / max(once, 1e-6))))
    samples = []
    for _ in range(3 if once > .02 else 7):
        sync()
        start = time.perf_counter()
        for _ in range(calls):
            done(call())
        sync()
        samples.append((time.perf_counter() - start) / calls)
    return sorted(samples)[len(samples) // 2] * 1e3


def error():
    return ffi.string(lib.ga_error_message()).decode()


def free(result):
    for r in result if isinstance(result, list) else [result]:
        if isinstance(r, int) and not r:
            continue            # a status, not an array
        if isinstance(r, int) or r == ffi.NULL:
            raise RuntimeError(error())
        lib.ga_free(r)


def peer(call):
    try:
        return call and milliseconds(call, theirs_sync, lambda result: None)
    except Exception:           # no such dtype or layout there
        return None


def one(name, case, found):
    text, operands, ours, theirs, numpys = CLASSES[name]()
    text = f'#{case} {text} ' + ' '.join(x.text for x in operands)
    theirs_sync()
    try:
        mine = milliseconds(ours, ours_sync, free)
        t = peer(theirs) if all(x.torch is not None for x in operands) else None
        n = None
        if all(x.xp is not None for x in operands) and (t is None or os.environ.get('PEERS') == 'all'):
            n = peer(numpys)
        if t or n:
            found[name].append((min(p for p in (t, n) if p) / mine, mine, t, n, text))
    except RuntimeError as e:
        lib.ga_clear_error()
        print(f'{text}: {e}')
    for x in operands:
        x.free()


# ------------------------------------------------------------------ checking
# How near a result is to the peer's. exact: it is that. near: within ULPS units in the last place
# of what NumPy computes in the same dtype. moved: of what it computes in a wider one, within these
# (of 1 at least) and MOVES times what that moves when the operands do by BITS of theirs: the condition of sums
# and solutions. whole: the same, and MOVES times what NumPy is off itself, of the array's largest. By name, else by class.
ULPS, MOVES, BITS = 16, 4, 16
BOUNDS = {name: bound for bound, names in {
    'exact': 'overlap flag choice moving index order cast assign mask put shaping fancy draw shuffling copy max min argmax argmin any '
             'all count_nonzero cummax nanmax nanargmax median nanmedian percentile quantile clip bincount digitize '
             'histogram topk partition allclose matrix_rank',
    'near': 'multiply unary binary mixed function pair ptp diff square absolute round divmod modf pad_median',
    'moved': 'log1p digamma lgamma sinc sum prod mean var std nanvar nansum nanmean nanprod cumsum cumprod nancumsum '
             'nancumprod norm trapezoid segment_sum pad_mean pad_linear_ramp reduction scan product statistic '
             'expression fold contraction signal scatter_add',
    'whole': 'fft rfft irfft fftn ifftn rfftn idct dst idst transform solving factoring softmax fftconvolve dct unwrap '
             'logaddexp'}.items() for name in names.split()}


def slices(v):
    return np.sort(np.ascontiguousarray(v).reshape(len(v), -1).view(f'S{v[0].nbytes}'), 0).view('uint8') if v.size else v


# Where many results are right: what is compared of them, made of the operands, the text's numbers
# and the results.
INSTEAD = {
    'qr': lambda x, k, q, r: [q @ r, np.abs(r)],
    'svd': lambda x, k, u, s, v: [s, (u * s[..., None, :]) @ v],
    'eigh': lambda x, k, w, v: [w, (v * w[..., None, :]) @ np.conj(np.swapaxes(v, -1, -2))],
    'eig': lambda x, k, w, v: [x[0].xp @ v - v * w[..., None, :] + np.linalg.norm(x[0].xp), np.linalg.norm(v, axis=-2),
                                w.prod(-1), w.sum(-1)],
    'eigvals': lambda x, k, w: [w.prod(-1), w.sum(-1)],
    'partition': lambda x, k, v: [np.sort(part, k[1]) for part in np.split(v, [k[0], k[0] + 1], k[1])],
    'argpartition': lambda x, k, i: INSTEAD['partition'](x, k, np.take_along_axis(x[0].xp, i, k[1])),
    'permutation': lambda x, k, v: [slices(v)],
    'shuffle': lambda x, k, v: [slices(v)],
    'choice': lambda x, k, v: [np.isin(v, x[0].xp)],
    **{name: lambda x, k, v: [np.isfinite(v)] for name in
       'random standard_normal exponential integers gamma poisson binomial'.split()}}

# What differs by contract: why, and whether it is that, of a class, a name, operands, what was found.
CONTRACT = [
    ('weights that sum to 0', lambda kind, name, x, found: name == 'average' and 'Weights sum to zero' in found),
    ('nanargmax of NaN is -1', lambda kind, name, x, found: name == 'nanargmax' and 'All-NaN slice' in found),
    ('reciprocal of integer 0 is 0', lambda kind, name, x, found: name == 'reciprocal' and x[0].dtype in INTS),
    ('norm does not underflow', lambda kind, name, x, found: name == 'norm' and 'e-3' in found),
    ('NaN of nothing but NaN, in one part or both', lambda kind, name, x, found: name == 'nanmax' and 'nan, not 0' in found),
    ('indices that meet no others', lambda kind, name, x, found: kind == 'flag' and 'index' in name and 'out of bounds' in found),
    ('index of no places', lambda kind, name, x, found: 'has no elements to index' in found),
    ('convolution with nothing', lambda kind, name, x, found: name == 'fftconvolve' and 'nothing along axis' in found),
    ('middle of one is doubled there', lambda kind, name, x, found: name == 'nanmedian' and 'inf at' in found),
    ('order of slices with NaN', lambda kind, name, x, found: kind == 'flag' and name == 'unique' and 'nan' in found),
    ('an integer beyond the range saturates', lambda kind, name, x, found: '9223372036854775807, not -9' in found),
    ('points that are not there', lambda kind, name, x, found: name == 'interp' and 'there are no points' in found),
    ('cosines of type 1 of one element', lambda kind, name, x, found: 'or more are possible' in found),
    ('of no elements, which NumPy cannot reshape', lambda kind, name, x, found: 'cannot reshape array of size 0' in found),
    ('running sums that overflow on the way', lambda kind, name, x, found: 'cumsum' in name and 'inf' in found.split(' at ')[0]),
    ('i0 of infinity', lambda kind, name, x, found: name == 'i0' and 'inf, not nan' in found)]


def widest(v):
    return v.astype('complex128' if v.dtype.kind == 'c' else 'float64') if v.dtype.kind in 'fc' else v


def rounded(v, dtype):
    return v if v.dtype.kind not in 'fc' else as_float32(as_bfloat16(v)) if dtype == 'bfloat16' else v.astype(dtype)


def moved(v, dtype):
    """by its last bits"""
    if v.dtype.kind not in 'fc':
        return v.copy()
    eps = 2**-7 if dtype == 'bfloat16' else float(np.finfo(dtype).eps)
    return widest(v) * (1 + BITS * eps * numpy_rng.standard_normal(v.shape))


def taken(r):
    """gpuarr's array here, and its dtype"""
    dtype = DTYPES[r.dtype]
    v = np.empty(tuple(r.shape[0:r.ndim]), 'uint16' if dtype == 'bfloat16' else dtype)
    if not lib.ga_asnumpy(r, ffi.cast('void *', v.ctypes.data)):
        raise RuntimeError(error())
    return as_float32(v) if dtype == 'bfloat16' else v, dtype


def results(operands, call):
    """of gpuarr's call, with their dtypes; whether it wrote to the first operand"""
    for x in operands:
        x.send()
    try:
        given = call()
        listed = given if isinstance(given, list) else [given]
        ours_sync()
        written = listed == [0]
        found = [taken(r) for r in listed if not isinstance(r, int) and r != ffi.NULL]
        free(given)
    finally:
        lib.ga_synchronize()
        lib.ga_clear_error()
    for i, x in enumerate(operands):
        if not x.fetch():
            return f'operand {i}: written beside it', written
        if x.after.tobytes() != x.before.tobytes() and (i or not written):
            return f'operand {i}: changed', written
    return [(operands[0].after, operands[0].dtype)] if written else found, written


def difference(got, want, plain, dtype, bound, moves):
    """the largest of two arrays, in words, or None; plain: as want, in the dtype itself"""
    if got.shape != want.shape:
        return f'shape {list(got.shape)}, not {list(want.shape)}'
    by = near = 0
    if got.dtype.kind in 'fc':
        if bound == 'exact' and got.dtype.kind == 'c':
            got, want, plain = (np.array(v, order='C')[..., None].view(v.real.dtype) for v in (got, want, plain))
        dtype = dtype if dtype in FLOATS + COMPLEX else got.dtype
        eps, least = (2**-7, 2.**-133) if dtype == 'bfloat16' else map(float, (
            np.finfo(dtype).eps, np.finfo(dtype).smallest_subnormal))
        got, want, plain = widest(got), widest(want), widest(plain)
        if bound != 'exact':
            moves = moves + np.median(moves[np.isfinite(moves)]) if np.isfinite(moves).any() else moves
            near = ULPS * (eps * (np.abs(want) + (bound == 'moved')) + least) + MOVES * moves
            if bound == 'whole':
                near = near + MOVES * np.abs(plain - want)
                near = near.max(where=np.isfinite(near), initial=0)
        by = np.abs(got - want)
        same = (got == want) | np.isnan(got) & np.isnan(want) | (by <= near)
        if bound != 'exact' and want.dtype.kind == 'c':         # products overflow to either
            same |= ~np.isfinite(got) & ~np.isfinite(want)
        if bound != 'exact':    # and what overflows on the way
            same |= (got == plain) | np.isnan(got) & np.isnan(plain) | (np.abs(got - plain) <= ULPS * eps * np.abs(plain))
    else:
        same = got == want
    if same.all():
        return None
    at = np.unravel_index(np.argmax(np.where(same, -1, np.nan_to_num(by, nan=np.inf))), got.shape)
    return (f'{got[at]!s}, not {want[at]!s} at {list(map(int, at))}; {np.count_nonzero(~same)} of {same.size} '
            f'differ by up to {np.where(same, 0, by).max():.3g}')


def differs(kind, text, operands, ours, numpys):
    name, *words = text.split()
    bound = BOUNDS.get(name, BOUNDS[kind])
    if name == 'astype' and 'bfloat16' in text:
        bound = 'near'          # by way of float32
    numbers, has = [int(w) for w in words if w.isdecimal()], [x.dtype for x in operands] + words
    seen = INSTEAD.get(name, lambda x, k, *r: r)

    def peers(change):
        for x in operands:
            x.xp = change(x.before, x.dtype)
        r = numpys()
        r = operands[0].xp if written else r
        r = [np.asarray(v) for v in (r if isinstance(r, (tuple, list)) else [r])]
        return r, [np.asarray(v) for v in seen(operands, numbers, *r)]
    wrong = None
    try:
        mine, written = results(operands, ours)
        if isinstance(mine, str) and not DRY:
            return mine
    except RuntimeError as e:
        wrong, written = str(e), False
    if DRY:
        return None
    try:
        plain, theirs = peers(lambda v, dtype: v.copy())
        narrow = theirs
    except Exception as e:
        return None if wrong else f'a result; the peer: {e}'
    if wrong:
        return f'error: {wrong}'
    for (v, dtype), p in zip(mine, plain):
        like = 'bfloat16' if dtype == 'bfloat16' and p.dtype == 'float32' and dtype in has else p.dtype
        if dtype != like or v.shape != p.shape:
            return f'{dtype}{list(v.shape)}, not {like}{list(p.shape)}'
    dtype, moves = mine[0][1], [np.zeros(())] * len(theirs)
    if kind == 'expression' and 'float32' in has and dtype == 'float64':
        dtype = 'float32'       # of its parts
    mine = [np.asarray(v) for v in seen(operands, numbers, *(v for v, _ in mine))]
    if bound in ('moved', 'whole'):
        _, theirs = peers(lambda v, dtype: widest(v))
        for _ in range(3):
            _, others = peers(moved)
            moves = [m if t.dtype.kind not in 'fc' else np.maximum(m, np.nan_to_num(np.abs(widest(o) - widest(t)), nan=np.inf))
                     if o.shape == t.shape else np.inf for m, o, t in zip(moves, others, theirs)]
    for m, t, n, by in zip(mine, theirs, narrow, moves):
        t, n = (rounded(v, dtype if dtype == 'bfloat16' else m.dtype) for v in (t, n))
        found = difference(m, t, n, dtype, bound, by)
        if found:
            return found
    return None


# Values from the ends of the dtypes go to these alone; to those of PLAIN positive numbers.
ENDS = set('overlap flag unary binary choice reduction scan softmax moving index order cast mixed assign mask put statistic function '
           'pair expression fold fancy shaping'.split())
PLAIN = {'solving', 'factoring', 'draw', 'shuffling'}


def check(asked, end):
    """each case once: 1 if any differs"""
    global STYLE, numpy_rng
    count = collections.defaultdict(collections.Counter)
    for case in cases():
        if time.time() >= end:
            break
        rnd.seed(f'{SEED} {case}')
        numpy_rng = np.random.default_rng([SEED, case])
        kind = rnd.choice(asked)
        STYLE = 'plain' if kind in PLAIN else rnd.choice(['any', 'ends'] if kind in ENDS else ['any'])
        try:
            text, operands, ours, _, numpys = CLASSES[kind]()
        except (ValueError, IndexError, ZeroDivisionError):     # no such call: of an array without elements, say
            count[kind]['not drawn'] += 1
            lib.ga_clear_error()
            continue
        found = differs(kind, text, operands, ours, numpys) if numpys else 'no peer'
        name = text.split()[0]
        why = [reason for reason, is_it in CONTRACT if found and is_it(kind, name, operands, found)]
        count[kind][why[0] if why else 'no peer' if not numpys else 'differ' if found else 'agree'] += 1
        if found and numpys and (not why or os.environ.get('CASES')):
            print(f'#{case} {kind}: {text} ' + ' '.join(x.text for x in operands) + f': {found}', flush=True)
        for x in operands:
            x.free()
    for kind in count:
        print(f'{kind:12}' + ', '.join(f'{n} {what}' for what, n in sorted(count[kind].items())))
    return int(any(of['differ'] for of in count.values()))


def cases():
    return map(int, os.environ['CASES'].split()) if os.environ.get('CASES') else itertools.count()


def main():
    asked = os.environ.get('CLASSES', '').split() or list(CLASSES)
    found, end = collections.defaultdict(list), time.time() + float(os.environ.get('SECONDS') or 60)
    if CHECK:
        sys.exit(check(asked, end))
    for case in cases():
        if time.time() >= end:
            break
        rnd.seed(f'{SEED} {case}')
        one(rnd.choice(asked), case, found)
    for name, rows in found.items():
        ratios = [r[0] for r in rows]
        print(f'{name:10} {len(rows):5} calls, {math.exp(sum(map(math.log, ratios)) / len(rows)):.2f} times the '
              f'faster peer, behind by more than 5% in {sum(r < .95 for r in ratios)}, 20% in '
              f'{sum(r < .8 for r in ratios)}')
    show = lambda ms: '-' if ms is None else f'{ms:.4f}'
    most = 9 if os.environ.get('CASES') else .95
    for ratio, mine, t, n, text in sorted(r for rows in found.values() for r in rows if r[0] < most):
        print(f'{ratio:.2f} {mine:.4f} {show(t)} {show(n)} {text[:200]}')


if __name__ == '__main__':
    main()
