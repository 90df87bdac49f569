#!/bin/bash
B=build/cuda
gcc -O1 -I. $(grep -o -- '-isystem [^ ]*' $B/flags | head -1) gpu/grad.c -o /tmp/grad_time $B/libgpuarr.a $(grep -o -- ' -[lL][^ ]*' $B/flags) -lcudart_static -fopenmp -ldl -lrt -lpthread -lm || exit 1
/tmp/grad_time
timeout 60 python3 - <<'P'
import time
def t(what, f, sync, n=20):
    for _ in range(5): f()
    sync(); best = 1e9
    for _ in range(5):
        s = time.perf_counter()
        for _ in range(n): f()
        sync(); best = min(best, (time.perf_counter() - s)/n)
    print(f"{what:46s} {best*1e3:9.4f} ms", flush=True)
try:
    import jax, jax.numpy as jnp
    x = jax.random.uniform(jax.random.PRNGKey(0), (1 << 26,)); y = x + 1
    f = lambda x: jnp.mean(x*x)
    g = jax.jit(jax.grad(f)); vg = jax.jit(jax.value_and_grad(f))
    def wait(): (g(x)).block_until_ready()
    t("jax grad mean(x*x)", lambda: g(x).block_until_ready(), lambda: None)
    t("jax value_and_grad mean(x*x)", lambda: vg(x)[1].block_until_ready(), lambda: None)
    h = jax.jit(jax.value_and_grad(lambda x, y: jnp.mean(jnp.tanh(x*y)**2), (0, 1)))
    t("jax value_and_grad tanh", lambda: h(x, y)[0].block_until_ready(), lambda: None)
    l = jax.jit(jax.value_and_grad(lambda w, c: jnp.mean((w*x + c - y)**2), (0, 1)))
    t("jax linear fit", lambda: l(1., 1.)[0].block_until_ready(), lambda: None)
    m = x.reshape(8192, 8192)
    s = jax.jit(jax.grad(lambda m: jnp.sum((m[:, 1:] - m[:, :-1])**2) + jnp.sum((m[1:] - m[:-1])**2)))
    t("jax stencil", lambda: s(m).block_until_ready(), lambda: None)
except Exception as e: print("jax:", e)
try:
    import torch
    x = torch.rand(1 << 26, device="cuda", requires_grad=True)
    def f():
        x.grad = None; (x*x).mean().backward()
    t("torch eager value and grad mean(x*x)", f, torch.cuda.synchronize)
except Exception as e: print("torch:", e)
P
