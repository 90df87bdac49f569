#!/usr/bin/env python3
"""alloc.c's arrays in CuPy and PyTorch, whichever are there: one JSON line a case.

    alloc.py [cupy|torch ...]
"""
import json
import math
import os
import sys
import time

ALIVE, ALL = 400, 20000


def sizes_and_places(logarithmic, most):
    """What alloc.c draws."""
    state, made = 1, []

    def draw():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 11) / 2.0**53

    for i in range(ALL):
        at = i if i < ALIVE else int(draw() * ALIVE)
        u = draw()
        made.append((at, int(512 * 2 ** (u * math.log2(most / 512))) if logarithmic
                     else int(1 + u * (most - 1))))
    return made


def cupy_peer():
    import cupy
    pool = cupy.get_default_memory_pool()
    streams = [cupy.cuda.Stream.null] + [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]

    def use(i):
        streams[i].use()

    def reset():
        pool.free_all_blocks()

    return (lambda n: cupy.empty(n, cupy.uint8)), use, reset, pool.total_bytes, \
        cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()


def torch_peer():
    import torch
    streams = [torch.cuda.current_stream()] + [torch.cuda.Stream() for _ in range(2)]
    torch.empty(1, device="cuda")
    return (lambda n: torch.empty(n, dtype=torch.uint8, device="cuda")), \
        (lambda i: torch.cuda.set_stream(streams[i])), torch.cuda.empty_cache, \
        torch.cuda.memory_reserved, torch.cuda.get_device_name()


def run(impl, peer, name, logarithmic, most, n):
    empty, use, reset, held, device = peer
    made = sizes_and_places(logarithmic, most)
    x, used, peak = [None] * ALIVE, 0, 0
    reset()
    use(0)
    t = time.perf_counter()
    for i, (at, size) in enumerate(made):
        if n > 1:
            use(i % n)
        x[at] = None
        x[at] = empty(size)
    t = (time.perf_counter() - t) * 1e3 / ALL
    alive = [0] * ALIVE
    for at, size in made:
        used += size - alive[at]
        alive[at] = size
        peak = max(peak, used)
    use(0)
    print(json.dumps({"case": f"alloc_{name}_s{n}", "impl": impl, "device": device,
                      "best_ms": round(t, 5), "median_ms": round(t, 5), "first_ms": None,
                      "limit_ms": None, "held": round(held() / peak, 3),
                      "held_mb": round(held() / 1e6, 1)}), flush=True)
    del x
    reset()


CASES = (("uniform_16M", False, 2.0**24), ("log_16M", True, 2.0**24),
         ("uniform_256M", False, 2.0**28), ("log_1G", True, 2.0**30))
for impl in sys.argv[1:] or ["cupy", "torch"]:
    for n in (1, 3):
        for name, logarithmic, most in CASES:   # each in a process of its own
            child = os.fork()
            if child:
                os.waitpid(child, 0)
                continue
            try:
                run(impl, {"cupy": cupy_peer, "torch": torch_peer}[impl](), name,
                    logarithmic, most, n)
            except Exception as e:
                print(f"{impl}: alloc_{name}_s{n}: {e}", file=sys.stderr)
            sys.stdout.flush()
            os._exit(0)
