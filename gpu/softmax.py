import torch, time
def timed(f):
    f(); torch.cuda.synchronize()
    best = 1e9
    for r in range(5):
        t = time.perf_counter()
        for i in range(10): f()
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - t) * 100)
    return best
T = {'f32': torch.float32, 'f16': torch.float16, 'bf16': torch.bfloat16, 'f64': torch.float64}
for n, m, t, ax in ((65536, 1024, 'f32', 1), (64, 1000000, 'f32', 1), (10000000, 8, 'f32', 1), (10000000, 7, 'f32', 1), (1000000, 100, 'f32', 1),
    (1000, 1000000, 'f32', 0), (1000000, 64, 'f32', 0), (10, 10000000, 'f32', 0), (65536, 1024, 'f16', 1), (65536, 1024, 'f64', 1), (64, 1000000, 'f16', 1),
    (65536, 1001, 'f32', 1), (4096, 16384, 'f32', 1), (2048, 30000, 'f32', 1), (1000003, 30, 'f32', 1), (16, 4096, 'f32', 1), (1, 100000, 'f32', 1), (4096, 50257, 'bf16', 1), (1000, 99999, 'f32', 0)):
    x = torch.rand(n, m, device='cuda', dtype=T[t])
    print('torch', t, n, m, ax, 'softmax %.4f lse %.4f' % (timed(lambda: torch.softmax(x, ax)), timed(lambda: torch.logsumexp(x, ax))), flush=True)
    del x
x = torch.rand(1 << 28, device='cuda'); y = x.clone()
print('torch allclose %.4f isclose %.4f equal %.4f' % (timed(lambda: torch.allclose(x, y)), timed(lambda: torch.isclose(x, y)), timed(lambda: torch.equal(x, y))))
