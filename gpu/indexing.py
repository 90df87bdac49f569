import time, sys
def run(lib, name, f, sync, times=3):
    f(); sync()
    best = 1e9
    for _ in range(4):
        t = time.perf_counter()
        for _ in range(times): f()
        sync()
        best = min(best, (time.perf_counter() - t) / times * 1e3)
    print(f"{lib:6} {name:34} {best:9.4f} ms", flush=True)
n = 1 << 26
try:
    import torch
    torch.manual_seed(0)
    S = torch.cuda.synchronize
    d = "cuda"
    x = torch.rand(n, device=d); out = torch.empty_like(x); y = torch.empty_like(x)
    i64 = torch.randint(0, n, (n,), device=d); i32 = i64.int()
    iss = torch.randint(0, 1 << 20, (n,), device=d); small = torch.rand(1 << 20, device=d)
    R = lambda name, f, k=3: run("torch", name, f, S, k)
    R("copy 2^26 f32", lambda: y.copy_(x))
    R("take 2^26 f32 i64", lambda: torch.index_select(x, 0, i64, out=out))
    R("take 2^26 f32 i64 (torch.take)", lambda: torch.take(x, i64, out=out))
    R("take 2^26 f32 i64 (x[i])", lambda: x[i64])
    R("take 2^26 f32 i32", lambda: torch.index_select(x, 0, i32, out=out))
    R("take 2^26 of 2^20 f32 i64", lambda: torch.index_select(small, 0, iss, out=out))
    m = x.view(8192, 8192); p = torch.randperm(8192, device=d); mo = out.view(8192, 8192)
    R("take rows 8192x8192 f32", lambda: torch.index_select(m, 0, p, out=mo))
    R("take cols 8192x8192 f32", lambda: torch.index_select(m, 1, p, out=mo))
    p8 = torch.randint(0, n // 8, (n // 8,), device=d)
    R("take rows 2^23x8 f32", lambda: torch.index_select(x.view(-1, 8), 0, p8, out=out.view(-1, 8)))
    al = torch.randint(0, 8192, (8192, 8192), device=d)
    R("take_along_axis -1 8192x8192", lambda: torch.gather(m, 1, al, out=mo))
    R("take_along_axis 0 8192x8192", lambda: torch.gather(m, 0, al, out=mo))
    ir = torch.randint(0, 8192, (n // 4,), device=d); ic = torch.randint(0, 8192, (n // 4,), device=d)
    R("index(r, c) 2^24 of 8192^2", lambda: m[ir, ic])
    R("index_assign 2^26 f32", lambda: y.index_put_((i64,), x))
    R("scatter_add 2^26 of 2^26 FAST", lambda: y.scatter_add_(0, i64, x))
    R("scatter_add 2^26 of 2^20 FAST", lambda: small.scatter_add_(0, iss, x))
    R("index_add 2^26 of 2^20 FAST", lambda: small.index_add_(0, iss, x))
    ig = torch.randint(0, 1000, (n,), device=d); g = torch.zeros(1000, device=d)
    R("scatter_add 2^26 of 1000 FAST", lambda: g.scatter_add_(0, ig, x), 1)
    R("scatter_max 2^26 of 2^20", lambda: small.scatter_reduce_(0, iss, x, "amax"))
    e = torch.zeros(100000, 256, device=d); ev = x.view(-1, 256); ei = torch.randint(0, 100000, (n // 256,), device=d)
    R("scatter_add rows 2^18x256 FAST", lambda: e.index_add_(0, ei, ev))
    torch.use_deterministic_algorithms(True)
    R("scatter_add 2^26 of 2^26", lambda: y.index_put_((i64,), x, accumulate=True), 1)
    R("scatter_add 2^26 of 2^20", lambda: small.index_put_((iss,), x, accumulate=True), 1)
    R("scatter_add rows 2^18x256", lambda: e.index_add_(0, ei, ev), 1)
    R("scatter_add 2^26 of 1000", lambda: g.index_put_((ig,), x, accumulate=True), 1)
    R("index_assign 2^26 f32 (det)", lambda: y.index_put_((i64,), x), 1)
    torch.use_deterministic_algorithms(False)
    sorted_ = torch.arange(n, device=d) // 65536
    lengths = torch.full((1024,), 65536, device=d)
    R("segment_sum sorted 2^26 in 1024", lambda: torch.segment_reduce(x, "sum", lengths=lengths, unsafe=True))
    del x, out, y, i64, i32, iss, small, m, mo, al, ir, ic, ig, ev, e, ei
    torch.cuda.empty_cache()
except Exception as err:
    print("torch:", err)
try:
    import cupy as cp, cupyx
    S = cp.cuda.runtime.deviceSynchronize
    x = cp.random.rand(n, dtype=cp.float32); out = cp.empty_like(x); y = cp.empty_like(x)
    i64 = cp.random.randint(0, n, n); iss = cp.random.randint(0, 1 << 20, n); small = cp.random.rand(1 << 20, dtype=cp.float32)
    R = lambda name, f, k=3: run("cupy", name, f, S, k)
    R("take 2^26 f32 i64", lambda: cp.take(x, i64, out=out))
    R("take 2^26 of 2^20 f32 i64", lambda: cp.take(small, iss, out=out))
    m = x.reshape(8192, 8192); p = cp.random.permutation(8192)
    R("take rows 8192x8192 f32", lambda: cp.take(m, p, axis=0))
    R("index_assign 2^26 f32", lambda: y.__setitem__(i64, x))
    R("scatter_add 2^26 of 2^26 FAST", lambda: cupyx.scatter_add(y, i64, x))
    R("scatter_add 2^26 of 2^20 FAST", lambda: cupyx.scatter_add(small, iss, x))
    R("scatter_max 2^26 of 2^20", lambda: cupyx.scatter_max(small, iss, x))
except Exception as err:
    print("cupy:", err)
