"""The cases of expressions.c by others, in the same JSON lines:
    python3 bench/expressions.py torch|jax|cupy|numba [substring] [--quick]
torch.compile, jax.jit, cupy.fuse (its reductions too), numba.vectorize for CUDA (one
element's functions alone). What a library cannot do is left out."""
import json
import sys
import time

CASES = {  # the formula, its operands: dtype and shape as in expressions.c
    "gauss_f64": ("exp(-0.5*((x - 0.3)/0.2)**2)/0.7", "x", ["f8 N"]),
    "blend_f16": ("x*0.3 + y*0.7", "x, y", ["f2 N", "f2 N"]),
    "relu_bf16": ("maximum(x, half(0.5))*1.5 + 0.25", "x", ["bf N"]),
    "julia_c64": ("x*x + (0.3 + 0.5j)", "x", ["c8 N"]),
    "hash_i32": ("(x*3 ^ (x >> 2)) & 0xffff", "x", ["i4 N"]),
    "step_u8": ("where(x > 50, x + 1, x & 7)", "x", ["u1 N"]),
    "logs_f32": ("erf(x)*log(y + 1) + z", "x, y, z", ["f4 N"] * 3),
    "compare_f32": ("where(((x > 0.2) & (y < 0.7)) | (x*y > 0.5), x, y)", "x, y", ["f4 N"] * 2),
    "twelve_f32": ("a*b + c*d + e*f + g*h + i*j + k*l", "a, b, c, d, e, f, g, h, i, j, k, l",
                   ["f4 N"] * 12),
    "outer_f64": ("sqrt((x - y)**2 + 1)", "x, y", ["f8 r", "f8 c"]),
    "cube_f32": ("x*a + b - d", "x, a, b, d", ["f4 3", "f4 a", "f4 b", "f4 d"]),
    "stencil_f32": ("u + 0.1*(n + s + e + w - 4*u)", "u, n, s, e, w",
                    ["f4 i", "f4 n", "f4 s", "f4 e", "f4 w"]),
    "sumsq_f32": ("sum((x - y)**2)", "x, y", ["f4 N"] * 2),
    "meansq_f64": ("mean(x*x)", "x", ["f8 N"]),
    "mean_f16": ("mean(x*x)", "x", ["f2 N"]),
    "cube_max_0": ("amax(x*2 - 1, 0)", "x", ["f4 3"]),
    "cube_sum_1": ("sum(x*x, 1)", "x", ["f4 3"]),
    "cube_sum_2": ("sum(x*x, 2)", "x", ["f4 3"]),
    "cube_any_02": ("any(x > 0.999, (0, 2))", "x", ["f4 3"]),
    "distance_f32": ("sum((x - y)**2, 1)", "x, y", ["f4 H", "f4 r"]),
}
QUICK = "--quick" in sys.argv
ARGS = [a for a in sys.argv[1:] if not a.startswith("--")]
WHO, PART = ARGS[0], ARGS[1] if len(ARGS) > 1 else ""
N, SIDE, W = (1 << 18, 64, 512) if QUICK else (1 << 27, 512, 8192)
H = N // 2 // W
SHAPES = {"N": (N,), "3": (N // SIDE // SIDE, SIDE, SIDE), "a": (N // SIDE // SIDE, 1, 1),
          "b": (SIDE, 1), "d": (SIDE,), "r": (W,), "c": (H, 1), "H": (H, W)}
INSIDE = {"i": (slice(1, -1), slice(1, -1)), "n": (slice(0, -2), slice(1, -1)),
          "s": (slice(2, None), slice(1, -1)), "w": (slice(1, -1), slice(0, -2)),
          "e": (slice(1, -1), slice(2, None))}
SCALE = {"u1": 100, "i4": 1e6}


def measure(name, f, args, sync):
    start = time.perf_counter()
    f(*args)
    sync()
    first = (time.perf_counter() - start) * 1e3
    f(*args)
    sync()
    t = []
    for _ in range(9):
        start = time.perf_counter()
        for _ in range(10):
            f(*args)
        sync()
        t.append((time.perf_counter() - start) * 100)
    print(json.dumps({"case": "expr_" + name, "impl": IMPL, "median_ms": round(sorted(t)[4], 4),
                      "first_ms": round(first, 1)}), flush=True)


def run(space, random, jit, sync):
    for name, (text, names, operands) in CASES.items():
        if PART not in name:
            continue
        try:
            args = []
            for o in operands:
                dtype, shape = o.split()
                if shape in SHAPES:
                    args.append(random(SHAPES[shape], dtype, SCALE.get(dtype, 1)))
                else:
                    args.append(random((H + 2, W), dtype, 1)[INSIDE[shape]])
            measure(name, jit(eval(f"lambda {names}: {text}", dict(space))), args, sync)
            del args
        except Exception as e:  # the next one may do
            print(name, type(e).__name__, str(e)[:200], file=sys.stderr)


if WHO == "torch":
    import torch
    IMPL = "torch.compile"
    types = {"f8": torch.float64, "f4": torch.float32, "f2": torch.float16, "bf": torch.bfloat16,
             "c8": torch.complex64, "i4": torch.int32, "u1": torch.uint8}
    space = {k: getattr(torch, k) for k in "exp erf log where sqrt sum mean amax any".split()}
    space["half"] = lambda v: v
    space["maximum"] = lambda x, v: torch.clamp(x, min=v)
    run(space, lambda s, t, k: (torch.rand(s, device="cuda") * k).to(types[t]),
        torch.compile, torch.cuda.synchronize)
elif WHO == "jax":
    import jax
    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    from jax.scipy.special import erf
    IMPL = "jax.jit"
    types = {"f8": "float64", "f4": "float32", "f2": "float16", "bf": "bfloat16",
             "c8": "complex64", "i4": "int32", "u1": "uint8"}
    space = {k: getattr(jnp, k) for k in "exp log where sqrt sum mean amax any maximum".split()}
    space.update(erf=erf, half=lambda v: v)
    last = [None]

    def jitted(f):
        g = jax.jit(f)

        def call(*a):
            last[0] = g(*a)
        return call
    key = jax.random.PRNGKey(1)
    run(space, lambda s, t, k: (jax.random.uniform(key, s, "float32") * k).astype(types[t]),
        jitted, lambda: last[0].block_until_ready())
elif WHO == "cupy":
    import cupy
    from cupyx.scipy.special import erf
    IMPL = "cupy.fuse"
    space = {k: getattr(cupy, k) for k in "exp log where sqrt sum mean amax any maximum".split()}
    space.update(erf=erf, half=lambda v: v)
    run(space, lambda s, t, k: (cupy.random.rand(*s, dtype="f4") * k).astype(t), cupy.fuse,
        cupy.cuda.Device().synchronize)
elif WHO == "numba":
    import math
    import numpy
    from numba import cuda, vectorize
    IMPL = "Numba vectorize"
    space = {k: getattr(math, k) for k in "exp erf log sqrt".split()}
    space["where"] = lambda c, a, b: a if c else b
    letters = {"f8": "float64", "f4": "float32", "i4": "int32", "u1": "uint8", "c8": "complex64"}
    wanted = {k: v for k, v in CASES.items() if "where" not in v[0] and "(x*x" not in v[0]
              and not v[0].startswith(("sum", "mean", "amax", "any", "maximum"))}
    CASES = {k: v for k, v in wanted.items() if all(o.split()[0] in letters for o in v[2])}
    for name, (text, names, operands) in CASES.items():
        if PART not in name:
            continue
        try:
            types = [letters[o.split()[0]] for o in operands]
            f = vectorize([f"{types[0]}({', '.join(types)})"], target="cuda")(
                eval(f"lambda {names}: {text}", dict(space)))
            args = [cuda.to_device((numpy.random.rand(*SHAPES[o.split()[1]])
                                    * SCALE.get(o.split()[0], 1)).astype(o.split()[0]))
                    for o in operands]
            measure(name, f, args, cuda.synchronize)
        except Exception as e:
            print(name, type(e).__name__, str(e)[:200], file=sys.stderr)
else:
    sys.exit(__doc__)
