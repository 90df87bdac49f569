import torch, time
def t(name, f):
    best = 1e9
    for i in range(12):
        a, b = torch.cuda.Event(True), torch.cuda.Event(True)
        a.record(); f(); b.record(); b.synchronize()
        if i > 1: best = min(best, a.elapsed_time(b))
    print(f"torch {name:34s} {best:8.4f} ms", flush=True)
N = 1 << 28
x = torch.zeros(N, device="cuda")
t("clone", lambda: x.clone())
p = list(x.split(N // 8)); t("concat 8", lambda: torch.cat(p))
p = [x[i * (N // 64 - 1):(i + 1) * (N // 64 - 1) + 2] for i in range(64)]; t("concat 64 odd", lambda: torch.cat(p))
m = x.view(16384, 16384)
a, b = torch.zeros(16384, 8000, device="cuda"), torch.zeros(16384, 8001, device="cuda"); t("concat axis 1", lambda: torch.cat([a, b], 1))
a, b = torch.zeros(N // 8, 3, device="cuda"), torch.zeros(N // 8, 5, device="cuda"); t("concat axis 1 3+5", lambda: torch.cat([a, b], 1)); del a, b
a, b = x[:N // 2], x[N // 2:]; t("stack -1", lambda: torch.stack([a, b], -1))
t("roll flat", lambda: x.roll(12345)); t("roll axis 1", lambda: m.roll(1, 1)); t("roll axis 0", lambda: m.roll(1, 0))
t("tril", lambda: m.tril()); 
s = torch.zeros(1000, device="cuda"); t("tile 1000", lambda: s.tile(1 << 18))
s = torch.zeros(3, device="cuda"); t("tile 3", lambda: s.tile(100000000))
q = torch.zeros(4096, 4096, device="cuda"); t("tile 4,4", lambda: q.tile(4, 4))
import torch.nn.functional as F
t("pad constant 1", lambda: F.pad(m, (1, 1, 1, 1))); t("pad reflect 3", lambda: F.pad(m[None], (3, 3, 3, 3), mode="reflect"))
r = x[:N // 4]; t("repeat 3", lambda: r.repeat_interleave(3)); t("repeat 16", lambda: x[:N // 16].repeat_interleave(16))
r = x.view(65536, 4096)[:16384]; t("repeat rows 4", lambda: r.repeat_interleave(4, 0))
del x, m, r, a, b, p, q, s
torch.cuda.empty_cache()
import cupy as cp
def c(name, f):
    best = 1e9
    for i in range(8):
        a, b = cp.cuda.Event(), cp.cuda.Event()
        a.record(); f(); b.record(); b.synchronize()
        if i > 1: best = min(best, cp.cuda.get_elapsed_time(a, b))
    print(f"cupy {name:34s} {best:8.4f} ms", flush=True)
x = cp.zeros(N, "f"); m = x.reshape(16384, 16384)
p = cp.split(x, 8); c("concat 8", lambda: cp.concatenate(p)); c("roll flat", lambda: cp.roll(x, 12345)); c("roll axis 1", lambda: cp.roll(m, 1, 1))
c("tril", lambda: cp.tril(m)); c("pad constant 1", lambda: cp.pad(m, 1)); c("pad reflect 3", lambda: cp.pad(m, 3, "reflect")); s = cp.zeros(1000, "f"); c("tile 1000", lambda: cp.tile(s, 1 << 18)); c("repeat 3", lambda: cp.repeat(x[:N // 4], 3))
b = cp.zeros(N * 4, "u1"); c("packbits", lambda: cp.packbits(b))
