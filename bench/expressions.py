"""The cases of expressions.c by others, in the same JSON lines:
    python3 bench/expressions.py torch|jax|cupy|numba [substring,...] [--quick] [--warm[=16]]
torch.compile, jax.jit, cupy.fuse (its reductions too), numba.vectorize for CUDA (one
element's functions alone). What a library cannot do is left out. --warm measures
nothing: it has everything compiled, in that many processes, and kept where the
libraries keep it (jax: JAX_COMPILATION_CACHE_DIR).
    python3 bench/expressions.py report ours.jsonl theirs.jsonl ... >results/DEVICE_expressions.md
NOTE: what the page says of the machine and the run."""
import json
import os
import subprocess
import sys
import time

CASES = {  # the formula, its operands: dtype and shape as in expressions.c; of a
    # value with gradients, by which operands
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
    "meansq_rows_f32": ("mean(x*x, 1)", "x", ["f4 H"]),
    "softmax_f32": ("(lambda e: e/sum(e, 1)[:, None])(exp(x - amax(x, 1)[:, None]))", "x",
                    ["f4 H"]),
    "norm_f32": ("(lambda d: d/sqrt(mean(d*d, 1)[:, None] + 1e-5))(x - mean(x, 1)[:, None])", "x",
                 ["f4 H"]),
    "diffusion_f32": ("u[1:-1, 1:-1] - 0.25*(4*u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1]"
                      " - u[1:-1, :-2] - u[1:-1, 2:])", "u", ["f4 W"]),
    "meansq_grad_f32": ("mean(x*x)", "x", ["f4 N"], (0,)),
    "fit_grad_f32": ("mean((w*x + c - y)**2)", "w, c, x, y", ["f4 0", "f4 0", "f4 N", "f4 N"],
                     (0, 1)),
    "logistic_grad_f32": ("(lambda z: mean(log1p(exp(-z)) + (1 - y)*z))(w*x + c)", "w, c, x, y",
                          ["f4 0", "f4 0", "f4 N", "f4 N"], (0, 1)),
    "rows_grad_f32": ("mean(tanh(x*w + c)**2)", "w, c, x", ["f4 r", "f4 r", "f4 H"], (0, 1)),
    "stencil_grad_f32": ("sum((4*u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2]"
                         " - u[1:-1, 2:])**2)", "u", ["f4 W"], (0,)),
}
QUICK = "--quick" in sys.argv
WARM = [a for a in sys.argv if a.startswith("--warm")]
ARGS = [a for a in sys.argv[1:] if not a.startswith("--")]
WHO = ARGS[0] if ARGS else ""
PART = ARGS[1].split(",") if len(ARGS) > 1 else [""]
N, SIDE, W = (1 << 18, 64, 512) if QUICK else (1 << 27, 512, 8192)
H = N // 2 // W
SHAPES = {"N": (N,), "3": (N // SIDE // SIDE, SIDE, SIDE), "a": (N // SIDE // SIDE, 1, 1),
          "b": (SIDE, 1), "d": (SIDE,), "r": (W,), "c": (H, 1), "H": (H, W), "0": (),
          "W": (H + 2, W)}
INSIDE = {"i": (slice(1, -1), slice(1, -1)), "n": (slice(0, -2), slice(1, -1)),
          "s": (slice(2, None), slice(1, -1)), "w": (slice(1, -1), slice(0, -2)),
          "e": (slice(1, -1), slice(2, None))}
SCALE = {"u1": 100, "i4": 1e6}
FUNCTIONS = "exp log log1p tanh where sqrt sum mean amax any"


def measure(name, f, args, sync):
    start = time.perf_counter()
    f(*args)
    sync()
    first = (time.perf_counter() - start) * 1e3
    if WARM:
        return
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


def run(space, random, jit, gradients, sync):
    for name, (text, names, operands, *by) in CASES.items():
        if not any(p in name for p in PART) or (by and not gradients):
            continue
        try:
            args = []
            for o in operands:
                dtype, shape = o.split()
                if shape in SHAPES:
                    args.append(random(SHAPES[shape], dtype, SCALE.get(dtype, 1)))
                else:
                    args.append(random((H + 2, W), dtype, 1)[INSIDE[shape]])
            f = eval(f"lambda {names}: {text}", dict(space))
            measure(name, jit(gradients(f, by[0]) if by else f), args, sync)
            del args
        except Exception as e:  # the next one may do
            print(name, type(e).__name__, str(e)[:200], file=sys.stderr)


if WHO == "report":
    lines = [json.loads(line) for f in ARGS[1:] for line in open(f) if line.startswith("{")]
    who = ["gpuarr", "gpuarr recorded", "gpuarr jit", "torch.compile", "jax.jit", "cupy.fuse",
           "Numba vectorize"]
    who = [w for w in who if any(j["impl"] == w for j in lines)]
    rows = {}
    for j in lines:
        row = rows.setdefault(j["case"][5:], {})
        row[j["impl"]] = j["median_ms"]
        row["limit"] = j.get("limit_ms", row.get("limit"))
    best = [w for w in who if w.startswith("gpuarr ")]
    print("# Expressions as they come (bench/expressions.c)\n")
    print(os.environ.get("NOTE", "Arrays of 2^27 elements or 8192 x 8192; medians, ms."))
    print("*limit*: the bytes at the copy rate, for reductions at the read rate, of the same run. "
          "--quick holds results against the\nCPU device's.\n")
    print("| case |", " | ".join(w.replace("gpuarr", "interpreter", w == "gpuarr").replace(
        "gpuarr ", "") for w in who), "| limit | limit / ours | best other / ours |")
    print("|---|" + "---:|" * (len(who) + 3))
    for name, row in rows.items():
        ours = min((row[w] for w in best if w in row), default=row.get("gpuarr"))
        if not ours:
            continue
        other = min((row[w] for w in who if not w.startswith("gpuarr") and w in row), default=0)
        cells = [f"{row[w]:.4f}" if w in row else "" for w in who]
        print(f"| {name} |", " | ".join(cells), f"| {row['limit']:.4f} |",
              f"{row['limit'] / ours:.2f} |", f"{other / ours:.2f} |" if other else " |")
    sys.exit()
if WARM and PART == [""]:
    many, names = int((WARM[0].split("=") + ["16"])[1]), list(CASES)
    busy = [subprocess.Popen([sys.executable, __file__, WHO, ",".join(names[i::many]), "--warm"])
            for i in range(min(many, len(names)))]
    sys.exit(max(p.wait() for p in busy))
if WHO == "torch":
    import torch
    IMPL = "torch.compile"
    types = {"f8": torch.float64, "f4": torch.float32, "f2": torch.float16, "bf": torch.bfloat16,
             "c8": torch.complex64, "i4": torch.int32, "u1": torch.uint8}
    space = {k: getattr(torch, k) for k in (FUNCTIONS + " erf").split()}
    space["half"] = lambda v: v
    space["maximum"] = lambda x, v: torch.clamp(x, min=v)
    run(space, lambda s, t, k: (torch.rand(s, device="cuda") * k).to(types[t]),
        lambda f: (torch._dynamo.reset(), torch.compile(f, dynamic=False))[1],
        lambda f, by: torch.func.grad_and_value(f, by), torch.cuda.synchronize)
elif WHO == "jax":
    import jax
    jax.config.update("jax_enable_x64", True)
    if os.environ.get("JAX_COMPILATION_CACHE_DIR"):
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    import jax.numpy as jnp
    from jax.scipy.special import erf
    IMPL = "jax.jit"
    types = {"f8": "float64", "f4": "float32", "f2": "float16", "bf": "bfloat16",
             "c8": "complex64", "i4": "int32", "u1": "uint8"}
    space = {k: getattr(jnp, k) for k in (FUNCTIONS + " maximum").split()}
    space.update(erf=erf, half=lambda v: v)
    last = [None]

    def jitted(f):
        g = jax.jit(f)

        def call(*a):
            last[0] = g(*a)
        return call
    key = jax.random.PRNGKey(1)
    run(space, lambda s, t, k: (jax.random.uniform(key, s, "float32") * k).astype(types[t]),
        jitted, jax.value_and_grad, lambda: jax.block_until_ready(last[0]))
elif WHO == "cupy":
    import cupy
    from cupyx.scipy.special import erf
    IMPL = "cupy.fuse"
    space = {k: getattr(cupy, k) for k in (FUNCTIONS + " maximum").split()}
    space.update(erf=erf, half=lambda v: v)
    run(space, lambda s, t, k: (cupy.random.rand(*s, dtype="f4") * k).astype(t), cupy.fuse,
        None, cupy.cuda.Device().synchronize)
elif WHO == "numba":
    import math
    import numpy
    from numba import cuda, vectorize
    IMPL = "Numba vectorize"
    space = {k: getattr(math, k) for k in "exp erf log sqrt".split()}
    space["where"] = lambda c, a, b: a if c else b
    letters = {"f8": "float64", "f4": "float32", "i4": "int32", "u1": "uint8", "c8": "complex64"}
    wanted = {k: v for k, v in CASES.items()
              if not any(t in v[0] for t in ("where", "(x*x", "["))
              and not v[0].startswith(("sum", "mean", "amax", "any", "maximum", "(lambda"))}
    CASES = {k: v for k, v in wanted.items() if all(o.split()[0] in letters for o in v[2])}
    for name, (text, names, operands, *_) in CASES.items():
        if not any(p in name for p in PART):
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
