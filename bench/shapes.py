#!/usr/bin/env python3
"""Calls of random shapes, layouts and dtypes beside other libraries: what nobody named.

    make bench-shapes                           # a minute on the current device
    make bench-shapes SEED=7 SECONDS=200 CLASSES='scan index'
    make bench-shapes SEED=7 CASES='12 340'     # these of them again, by the number behind #

On a GPU beside PyTorch, and CuPy where PyTorch has no such call (PEERS=all: always), on the
CPU device beside NumPy. Prints for each class the geometric mean of peer over gpuarr and how
many are behind, then those behind, the worst first: ratio, gpuarr's milliseconds, the peers',
the call. A layout is given by its strides in elements where it is not C order. gpuarr's
results are in C order; PyTorch's of element-wise work and transforms keep the operand's.
Calls of less than a few microseconds measure Python."""
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
GPU = os.environ.get('DEVICE', '') != 'cpu' and 'cuda' in os.path.basename(BUILD)
ffi = cffi.FFI()
ffi.cdef(open(os.path.join(BUILD, 'gpuarr_plain.h')).read())
ffi.cdef('const ga_array *ga__arg_i(int64_t v, ga_array *t); const ga_array *ga__arg_f(double v, ga_array *t);')
lib = ffi.dlopen(os.path.join(BUILD, 'libgpuarr.so'))
if GPU:
    import torch
    import cupy
    torch.backends.cuda.matmul.allow_tf32 = False
    if lib.ga_set_device(0):
        sys.exit('no GPU')
xp = cupy if GPU else np
SEED = int(os.environ.get('SEED') or 1)
rnd = random.Random(SEED)
numpy_rng = np.random.default_rng(SEED)
LOG2 = (21, 25) if GPU else (15, 19)        # elements of 4 bytes

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
        full = ffi.new('int64_t[8]', strides + [0] * (8 - len(strides)))
        self.ga = lib.ga_wrap(ffi.cast('void *', at), DTYPES.index(dtype), shape_of(self.shape), full,
                              0 if GPU else -1, ffi.NULL, ffi.NULL)
        c_order, n = [], 1
        for length in reversed(self.shape):
            c_order.insert(0, n)
            n *= length
        self.text = f'{dtype}{list(self.shape)}' + ('' if strides == c_order else f'st{strides}')

    def free(self):
        lib.ga_free(self.ga)


def values(n, dtype, low=1, high=50):
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


def lengths_of(total, ndim):
    """of about that product: uneven, some odd, some of a few elements"""
    weights = [rnd.random()**1.3 + .02 for _ in range(ndim)]
    of = sum(weights)
    return [max(1, int(math.exp(math.log(total) * w / of)) + rnd.choice([0, 0, 1, -1])) for w in weights]


def operand(dtype, lengths=None, layout=None, total=None, ndim=None, **kind):
    if lengths is None:
        total = (total or int(2**rnd.uniform(*LOG2))) // max(1, itemsize(dtype) // 4)
        lengths = lengths_of(total, ndim or rnd.choice([1, 2, 2, 2, 3, 3, 4]))
        if rnd.random() < .35:
            lengths = [(n + 7) // 8 * 8 if n > 32 else n for n in lengths]
    layout = layout or rnd.choice(['C', 'C', 'C', 'permuted', 'offset', 'strided', 'F'])
    n = len(lengths)
    order = list(range(n))
    if layout == 'permuted':
        rnd.shuffle(order)
    if layout == 'F':
        order.reverse()
    memory, part = [lengths[i] for i in order], [slice(None)] * n
    at = rnd.randrange(n) if n else 0
    if layout == 'offset':
        before, after = rnd.randint(0, 3), rnd.randint(0, 3)
        part[at] = slice(before, before + memory[at])
        memory[at] += before + after
    if layout == 'strided':
        by = rnd.choice([2, 2, 3])
        memory[at] *= by
        part[at] = slice(None, None, by)
    array = values(math.prod(memory), dtype, **kind).reshape(memory)[tuple(part)]
    back = [order.index(i) for i in range(n)]
    return Operand(array.permute(back) if GPU else array.transpose(back), dtype)


def beside(x, dtype, p=.5):
    """of x's shape, or one that broadcasts to it"""
    lengths = list(x.shape)
    if rnd.random() > p:
        lengths = [n if rnd.random() < .7 else 1 for n in lengths]
        if rnd.random() < .3:
            lengths = lengths[rnd.randint(0, len(lengths) - 1):]
    return operand(dtype, lengths)


_numbers = []


def number(value):
    """as a C program passes it"""
    _numbers.append(ffi.new('ga_array *'))
    return (lib.ga__arg_f if isinstance(value, float) else lib.ga__arg_i)(value, _numbers[-1])


def some_dtype(*of):
    if not GPU:
        of = [d for d in of if d != 'bfloat16']
    return rnd.choice(of)


# A case: its text, operands, gpuarr's call, PyTorch's or None, CuPy's and NumPy's or None.
def unary():
    name = rnd.choice('sqrt exp tanh absolute negative isnan sin floor log1p reciprocal square sign rint '
                      'copy'.split())
    x = operand(some_dtype(*(FLOATS if name in ('floor', 'rint') else FLOATS + COMPLEX)))
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
    x = operand(dtype)
    y = beside(x, dtype, .4)
    a, b = (x, y) if rnd.random() < .7 else (y, x)
    theirs = {'arctan2': 'atan2', 'power': 'pow', 'equal': 'eq'}.get(name, name)
    ours = getattr(lib, 'ga_' + name)
    return (name, [a, b], lambda: ours(a.ga, b.ga), lambda: getattr(torch, theirs)(a.torch, b.torch),
            lambda: getattr(xp, name)(a.xp, b.xp))


def choice():
    x = operand(some_dtype(*INTS, *FLOATS, *COMPLEX))
    y, c = beside(x, x.dtype), beside(x, 'bool')
    return ('where', [c, x, y], lambda: lib.ga_where(c.ga, x.ga, y.ga),
            lambda: torch.where(c.torch, x.torch, y.torch), lambda: xp.where(c.xp, x.xp, y.xp))


def reduction():
    name = rnd.choice('sum mean max min argmax var any all prod count_nonzero nansum argmin norm'.split())
    dtype = some_dtype(*(REALS if name == 'norm' else FLOATS + COMPLEX if name in ('mean', 'var', 'nansum')
                         else INTS + FLOATS))
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
    x = operand(some_dtype('int64', 'int32', *FLOATS, *([] if name == 'cummax' else COMPLEX)))
    a = rnd.randrange(len(x.shape))
    return (f'{name} {a}', [x], lambda: getattr(lib, 'ga_' + name)(x.ga, axes_of(a), 0),
            lambda: getattr(torch, name)(x.torch, a),
            None if name == 'cummax' else lambda: getattr(xp, name)(x.xp, axis=a))


def softmax():
    name = rnd.choice(['softmax', 'log_softmax'])
    x = operand(some_dtype(*FLOATS))
    a = rnd.randrange(len(x.shape))
    return (f'{name} {a}', [x], lambda: getattr(lib, 'ga_' + name)(x.ga, axes_of(a)),
            lambda: getattr(torch, name)(x.torch, a), None)


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
        k = min(rnd.choice([1, 10, n, 2 * n]), max(1, 2**LOG2[1] * n // math.prod(x.shape)))
        i = operand(rnd.choice(['int32', 'int64']), [k], 'C', low=0, high=n)
        return (f'take {a}', [x, i], lambda: lib.ga_take(x.ga, i.ga, axes_of(a), 0),
                lambda: torch.index_select(x.torch, a, i.torch), lambda: xp.take(x.xp, i.xp, a))
    lengths = list(x.shape)
    lengths[a] = rnd.choice([n, max(1, n // 3)])
    i = operand('int64', lengths, 'C', low=0, high=n)
    return (f'take_along_axis {a}', [x, i], lambda: lib.ga_take_along_axis(x.ga, i.ga, axes_of(a)),
            lambda: torch.gather(x.torch, a, i.torch), lambda: xp.take_along_axis(x.xp, i.xp, a))


def order():
    name = rnd.choice('sort argsort unique searchsorted nonzero'.split())
    x = operand(some_dtype('int8', 'uint8', 'int32', 'int64', *FLOATS), total=int(2**rnd.uniform(LOG2[0], LOG2[1] - 1)),
                high=120)
    a = rnd.randrange(len(x.shape))
    if name in ('sort', 'argsort'):
        return (f'{name} {a}', [x], lambda: getattr(lib, 'ga_' + name)(x.ga, axes_of(a), 0),
                lambda: getattr(torch, name)(x.torch, a), lambda: getattr(xp, name)(x.xp, a))
    if name == 'unique':
        return (name, [x], lambda: lib.ga_unique(x.ga, axes_of(None), ffi.NULL, ffi.NULL, ffi.NULL),
                lambda: torch.unique(x.torch), lambda: xp.unique(x.xp))
    if name == 'nonzero':
        found = ffi.new('ga_array *[8]')
        n = len(x.shape)

        def ours():
            status = lib.ga_nonzero(x.ga, found)
            for i in range(0 if status else n - 1):
                lib.ga_free(found[i])
            return ffi.NULL if status else found[n - 1]
        return (name, [x], ours, lambda: torch.nonzero(x.torch, as_tuple=True), lambda: xp.nonzero(x.xp))
    table = operand(x.dtype, [rnd.choice([7, 100, 1000, 100000])], 'C')
    ordered = Operand(table.keep.sort()[0] if GPU else np.sort(table.keep), x.dtype)
    table.free()
    return (name, [ordered, x], lambda: lib.ga_searchsorted(ordered.ga, x.ga, NONE, 0),
            lambda: torch.searchsorted(ordered.torch, x.torch), lambda: xp.searchsorted(ordered.xp, x.xp))


def product():
    dtype = some_dtype('float32', 'float64', 'complex64', 'complex128', *HALVES)
    most = 2**(31 if itemsize(dtype) <= 4 else 29) if GPU else 2**20
    while True:
        m, n, k = (int(2**rnd.uniform(0, 11)) for _ in range(3))
        batch = rnd.choice([1, 1, 1, int(2**rnd.uniform(1, 12))])
        if 2**12 <= m * n * k * batch <= most and batch * (m * n + n * k + m * k) < 2**(LOG2[1] + 1):
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
    x, to = operand(some_dtype(*DTYPES)), some_dtype(*DTYPES)
    return (f'astype {to}', [x], lambda: lib.ga_astype(x.ga, DTYPES.index(to)),
            lambda: x.torch.to(getattr(torch, to), memory_format=torch.contiguous_format, copy=True),
            lambda: x.xp.astype(to, order='C'))


def mixed():
    name = rnd.choice('add multiply subtract maximum less'.split())
    of = [d for d in DTYPES[1:] if d != 'bfloat16'][:None if name in ('add', 'multiply', 'subtract') else 10]
    x = operand(some_dtype(*of))
    ours = getattr(lib, 'ga_' + name)
    if rnd.random() < .3:
        v = rnd.choice([3, 2.5])
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
    x = operand(some_dtype(*DTYPES))
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
    i, v = operand('int64', lengths, 'C', low=0, high=x.shape[a]), operand(x.dtype, lengths)
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
        q = operand(x.dtype, [3], 'C')
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
        table = operand(x.dtype, [rnd.choice([5, 60, 5000])], 'C')
        edges = Operand(table.keep.sort()[0] if GPU else np.sort(table.keep), x.dtype)
        table.free()
        return (name, [x, edges], lambda: lib.ga_digitize(x.ga, edges.ga, 0),
                lambda: torch.bucketize(x.torch, edges.torch, right=True), lambda: xp.digitize(x.xp, edges.xp))
    if name == 'histogram':
        count = rnd.choice([10, 100, 3000])
        bins = ffi.new('ga_bins *', {'count': count})[0]
        return (f'histogram {count}', [x], lambda: lib.ga_histogram(x.ga, bins, NONE, 0, ffi.NULL),
                lambda: torch.histc(x.torch, count), lambda: xp.histogram(x.xp, count))
    if name == 'topk':
        k, made = min(n, rnd.choice([1, 5, 40])), ffi.new('ga_array *[2]')

        def ours():
            if lib.ga_topk(x.ga, k, on, 0, made, made + 1):
                return ffi.NULL
            lib.ga_free(made[1])
            return made[0]
        return f'topk {k} {a}', [x], ours, lambda: torch.topk(x.torch, k, a), None if GPU else numpys_topk(x, k, a)
    if name == 'partition':
        k = rnd.randrange(n)
        return (f'partition {k} {a}', [x], lambda: lib.ga_partition(x.ga, k, on, 0), None,
                lambda: xp.partition(x.xp, k, axis=a))
    return (name, [x], lambda: lib.ga_cov(x.ga, NONE, 1, ffi.NULL, 0), lambda: torch.cov(x.torch),
            lambda: xp.cov(x.xp))


def numpys_topk(x, k, a):
    return lambda: np.partition(x.xp, x.shape[a] - k, axis=a)


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
        numpys = lambda: getattr(numpy_rng, named)(*of, size=lengths, **typed)
    text = f'{name} {parameters} {dtype}{lengths}'
    return text, [], ours, theirs, numpys


def solving():
    name = rnd.choice('inv det cholesky qr svdvals svd eigh eigvalsh solve lstsq slogdet'.split())
    dtype = some_dtype(*REALS, *COMPLEX)
    n, batch = int(2**rnd.uniform(1, 9 if GPU else 8)), rnd.choice([1, 1, int(2**rnd.uniform(1, 13 if GPU else 9))])
    most = 2**(30 if GPU else 22)
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

    def several(count, call):
        def ours():
            if call():
                return ffi.NULL
            for i in range(1, count):
                lib.ga_free(made[i])
            return made[0]
        return ours
    if name in ('solve', 'lstsq'):
        b = operand(dtype, lengths[:-1] + [rnd.choice([1, 3, n])], 'C')
        if name == 'solve':
            return (name, [x, b], lambda: lib.ga_solve(x.ga, b.ga), lambda: la.solve(x.torch, b.torch),
                    lambda: xp.linalg.solve(x.xp, b.xp))
        return (name, [x, b], several(1, lambda: lib.ga_lstsq(x.ga, b.ga, -1., made, ffi.NULL, ffi.NULL, ffi.NULL)),
                lambda: la.lstsq(x.torch, b.torch),
                None if batch > 1 else lambda: xp.linalg.lstsq(x.xp, b.xp, rcond=None))
    ours = {'inv': lambda: lib.ga_inv(x.ga), 'det': lambda: lib.ga_det(x.ga), 'cholesky': lambda: lib.ga_cholesky(x.ga),
            'svdvals': lambda: lib.ga_svdvals(x.ga), 'eigvalsh': lambda: lib.ga_eigvalsh(x.ga),
            'qr': several(2, lambda: lib.ga_qr(x.ga, False, made, made + 1)),
            'svd': several(3, lambda: lib.ga_svd(x.ga, False, made, made + 1, made + 2)),
            'eigh': several(2, lambda: lib.ga_eigh(x.ga, made, made + 1)),
            'slogdet': several(2, lambda: lib.ga_slogdet(x.ga, made, made + 1))}[name]
    more = {'full_matrices': False} if name == 'svd' else {}
    numpys = {'svdvals': lambda: xp.linalg.svd(x.xp, compute_uv=False)}.get(
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

CLASSES = dict(unary=unary, binary=binary, choice=choice, reduction=reduction, scan=scan, softmax=softmax,
               moving=moving, index=index, order=order, product=product, cast=cast, mixed=mixed, assign=assign,
               mask=mask, put=put, statistic=statistic, draw=draw, solving=solving, transform=transform)


def ours_sync():
    if lib.ga_synchronize():
        raise RuntimeError(ffi.string(lib.ga_error_message()).decode())


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


def free(result):
    if isinstance(result, int) and not result:
        return                  # a status, not an array
    if isinstance(result, int) or result == ffi.NULL:
        raise RuntimeError(ffi.string(lib.ga_error_message()).decode())
    lib.ga_free(result)


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


def main():
    asked = os.environ.get('CLASSES', '').split() or list(CLASSES)
    found, end = collections.defaultdict(list), time.time() + float(os.environ.get('SECONDS') or 60)
    for case in map(int, os.environ['CASES'].split()) if os.environ.get('CASES') else itertools.count():
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
