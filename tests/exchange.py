"""DLPack against the libraries that are there, without a copy: NumPy, and on a
GPU PyTorch, CuPy and JAX with work on two streams in flight; .npz and text
files against NumPy.

    python3 exchange.py LIBRARY     a shared one
"""
import ctypes as C
import os
import sys
import tempfile

import numpy as np

lib = C.CDLL(sys.argv[1])
py = C.pythonapi
P = C.c_void_p
for name, res, args in (
        ("ga_to_dlpack", P, [P, P]), ("ga_to_dlpack_unversioned", P, [P, P]),
        ("ga_from_dlpack", P, [P]), ("ga_from_dlpack_unversioned", P, [P]),
        ("ga_error_message", C.c_char_p, []), ("ga_item", C.c_double, [P]),
        ("ga_clear_error", None, []), ("ga_live_arrays", C.c_int64, []),
        ("ga_free", None, [P]), ("ga_asnumpy", P, [P, P]),
        ("ga_add_into", C.c_int, [P, P, P]), ("ga_copy", P, [P]),
        ("ga_device", C.c_int, []), ("ga_stream_create", P, [C.c_int]),
        ("ga_stream_handle", P, [P]), ("ga_set_stream", C.c_int, [P]),
        ("ga_save_npz", C.c_int, [C.c_char_p, P, P, C.c_int64, C.c_uint]),
        ("ga_load_npz_array", P, [C.c_char_p, C.c_char_p]),
        ("ga_savetxt", C.c_int, [C.c_char_p, P, C.c_char_p, P]),
        ("ga_loadtxt", P, [C.c_char_p, C.c_int, P]),
        ("ga_stream_destroy", None, [P]), ("ga_set_device", C.c_int, [C.c_int])):
    f = getattr(lib, name)
    f.restype, f.argtypes = res, args
py.PyCapsule_New.restype = C.py_object
py.PyCapsule_New.argtypes = [P, C.c_char_p, P]
py.PyCapsule_GetName.restype = C.c_char_p
py.PyCapsule_GetName.argtypes = [C.py_object]
py.PyCapsule_GetPointer.restype = P
py.PyCapsule_GetPointer.argtypes = [C.py_object, C.c_char_p]
py.PyCapsule_SetName.argtypes = [C.py_object, C.c_char_p]
NAMES = {True: b"dltensor_versioned", False: b"dltensor"}
USED = {True: b"used_dltensor_versioned", False: b"used_dltensor"}


class Array:
    """An array of the library's, as Python's libraries want it."""

    def __init__(self, p, device):
        if not p:
            message = lib.ga_error_message().decode()
            lib.ga_clear_error()
            raise BufferError(message)
        self.p, self.device = p, device

    def __dlpack_device__(self):
        return (1, 0) if self.device < 0 else (2, self.device)

    def __dlpack__(self, *, stream=None, max_version=None, **kw):
        versioned = max_version is not None and max_version[0] >= 1
        give = lib.ga_to_dlpack if versioned else lib.ga_to_dlpack_unversioned
        t = give(self.p, P(-1) if stream == -1 else P(stream))
        if not t:
            Array(None, 0)
        return py.PyCapsule_New(t, NAMES[versioned], None)

    def __del__(self):
        if hasattr(self, "p"):
            lib.ga_free(self.p)


def take(x, device, **kw):
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **kw)
    except TypeError:
        capsule = x.__dlpack__(**kw)
    versioned = py.PyCapsule_GetName(capsule) == NAMES[True]
    p = py.PyCapsule_GetPointer(capsule, NAMES[versioned])
    a = Array((lib.ga_from_dlpack if versioned
               else lib.ga_from_dlpack_unversioned)(p), device)
    py.PyCapsule_SetName(capsule, USED[versioned])
    return a


def host(a, like):
    out = np.empty_like(like, order="C")
    assert lib.ga_asnumpy(a.p, out.ctypes.data)
    return out


def refused(f, *a):
    try:
        f(*a)
    except (BufferError, ValueError, RuntimeError) as e:
        return str(e)
    raise AssertionError("not refused")


def numpy_both_ways():
    lib.ga_set_device(-1)
    for t in "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split():
        for x in (np.arange(24).reshape(2, 3, 4).astype(t),
                  np.arange(24).reshape(2, 3, 4).astype(t)[::-1, :, 1::2].T,
                  np.zeros((0, 3), t), np.ones((), t)):
            a = take(x, -1)
            assert (host(a, x) == x).all()
            y = np.from_dlpack(a)
            assert y.dtype == x.dtype and y.shape == x.shape
            assert x.size == 0 or y.ctypes.data == x.ctypes.data
            if x.size > 1:
                assert y.strides == x.strides and y.flags.writeable
                y[...] = 0
                assert (x == 0).all()
    x = np.arange(6.0)
    refs = sys.getrefcount(x)
    a = take(x, -1)
    assert sys.getrefcount(x) > refs
    del a
    assert sys.getrefcount(x) == refs
    x.flags.writeable = False
    a = take(x, -1)
    assert lib.ga_add_into(a.p, a.p, a.p) and b"read-only" in lib.ga_error_message()
    lib.ga_clear_error()
    assert not np.from_dlpack(a).flags.writeable
    x = np.frombuffer(b"\0" * 17, np.uint8)[1:].view("f8")
    assert "aligned" in refused(take, x, -1)
    assert "9 dimensions" in refused(take, np.ones((1,) * 9), -1)
    return "all dtypes, views, read-only, refusals"


def numpy_files():
    """What the library writes NumPy reads, and the other way round."""
    g = np.random.default_rng(1)
    x, n = g.standard_normal((50, 4)), np.arange(7, dtype="u2")
    a = [take(v, -1) for v in (x, n)]
    with tempfile.TemporaryDirectory() as d:
        f = os.path.join(d, "f").encode()
        names = (C.c_char_p * 2)(b"x", b"\xc3\xa4")
        arrays = (P * 2)(*(v.p for v in a))
        said = "plain and packed archives, text"
        for flags in 0, 1:
            if lib.ga_save_npz(f, names, arrays, 2, flags):
                assert b"GPUARR_USE_ZLIB" in lib.ga_error_message()
                lib.ga_clear_error()
                said = "plain archives, text"
                continue
            with np.load(f.decode()) as z:
                assert (z["x"] == x).all() and (z["\u00e4"] == n).all()
            save = np.savez_compressed if flags else np.savez
            with open(f, "wb") as out:
                save(out, x=x, n=n)
            b = Array(lib.ga_load_npz_array(f, b"n"), -1)
            assert (host(b, n) == n).all()
        assert lib.ga_savetxt(f, a[0].p, None, None) == 0
        assert (np.loadtxt(f.decode()) == x).all()
        np.savetxt(f.decode(), x, "%.17g")
        float64 = 12
        assert (host(Array(lib.ga_loadtxt(f, float64, None), -1), x) == x).all()
    return said


def both_ways(name, make, from_dlpack, pointer, synchronize, stream, handle):
    """A GPU's library: the same memory, and two streams in flight."""
    lib.ga_set_device(0)
    x = make(1 << 24)                               # float32 ones
    a = take(x, 0, stream=-1)
    y = from_dlpack(a)
    assert pointer(y) == pointer(x)
    del a, y
    mine = lib.ga_stream_create(0)
    for turn in range(10):
        with stream():
            y = x * 1
            for i in range(20):
                y += 1                              # theirs, in flight
            lib.ga_set_stream(mine)
            a = take(y, 0, stream=lib.ga_stream_handle(mine))
            b = Array(lib.ga_copy(a.p), 0)          # ours, in flight
            for i in range(20):
                assert lib.ga_add_into(b.p, b.p, a.p) == 0
            z = from_dlpack(b)                      # asks for its own stream
            z = z + 0
            ok = bool((z == 21 * 21).all())
        synchronize()
        assert ok, (turn, z)
        lib.ga_set_stream(None)
        del a, b, y, z
    lib.ga_stream_destroy(mine)
    return "one memory, two streams in flight"


def torch_both_ways():
    import torch
    s = torch.cuda.Stream()
    r = both_ways("torch", lambda n: torch.ones(n, device="cuda"),
                  torch.from_dlpack, lambda x: x.data_ptr(),
                  torch.cuda.synchronize, lambda: torch.cuda.stream(s), s)
    x = torch.arange(12, device="cuda").bfloat16().reshape(3, 4).T
    y = torch.from_dlpack(take(x, 0, stream=-1))
    assert y.dtype == x.dtype and (x == y).all() and y.stride() == x.stride()
    c = torch.from_dlpack(take(torch.ones(3), -1))
    assert c.tolist() == [1, 1, 1]
    return r + ", bfloat16"


def cupy_both_ways():
    import cupy
    s = cupy.cuda.Stream(non_blocking=True)
    return both_ways("cupy", lambda n: cupy.ones(n, "f4"), cupy.from_dlpack,
                     lambda x: x.data.ptr, cupy.cuda.Device().synchronize,
                     lambda: s, s)


def jax_both_ways():
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax
    import jax.numpy as jnp
    lib.ga_set_device(0)
    x = jnp.arange(1 << 20, dtype="float32") + 1
    x.block_until_ready()
    a = take(x, 0, stream=lib.ga_stream_handle(None) or 1)
    b = Array(lib.ga_copy(a.p), 0)
    assert lib.ga_add_into(b.p, b.p, a.p) == 0
    y = jnp.from_dlpack(b)
    assert bool((y == 2 * x).all())
    return "one memory"


status = 0
tests = [numpy_both_ways, numpy_files]
if lib.ga_device() >= 0:
    tests += [torch_both_ways, cupy_both_ways, jax_both_ways]
for test in tests:
    before = lib.ga_live_arrays()
    try:
        said = test()
        assert lib.ga_live_arrays() == before, "arrays left alive"
    except ImportError as e:
        said = f"skipped: {e}"
    except Exception as e:
        import traceback
        traceback.print_exc()
        said, status = f"FAILED: {e!r}", 1
    print(f"{test.__name__}: {said}")
sys.exit(status)
