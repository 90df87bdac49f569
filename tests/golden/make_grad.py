"""Writes grad.bin: expressions and JAX's gradients of them.

    python make_grad.py

Needs NumPy and JAX (pip install jax; 0.10 on the CPU); committed for the same
reasons as make_golden.py. The texts are GA_EVAL's and Python's at once. Names:
    <name>              an operand: x (3,4), b (4), c (3,1), s (), t, u (4,5)
                        with ties and zeros, z complex (3,4), m a mask (3,4)
    <k>/text            an expression; its gradient is that of its sum
    <k>/value           the expression
    <k>/<name>          the gradient of its sum by this operand
    <k>/twice/x         the gradient by x of the sum of the squares of that
The first are of rows and rules at their ties and kinks, the others generated.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special
from make_golden import Writer, rng

jax.config.update("jax_enable_x64", True)
G = 200                                 # generated
NAMES = ["x", "b", "c", "s", "t", "u", "z"]


def operands(g):
    ties = np.array([[1, 1, 0, -2, 3], [0, 3, 3, -2, 0], [2, 2, 2, 2, 2],
                     [-1, 4, 0.5, 4, 1.]])
    return {"x": g.uniform(-1.5, 1.5, (3, 4)), "b": g.uniform(-1, 1, 4),
            "c": g.uniform(0.5, 2, (3, 1)), "s": np.array(0.75), "t": ties,
            "u": np.roll(ties, 1, 0), "z": g.standard_normal((3, 4))
            + 1j * g.standard_normal((3, 4)), "m": g.random((3, 4)) < .6}


def round_(x):
    return jnp.round(x)


def reduction(f):
    """Of arrays, by masks of their shape: others mean different things."""
    def g(x, where=None, **more):
        if not hasattr(x, "ndim"):
            raise TypeError("a number has no axes")
        if where is None:
            return f(x, **more)
        if where.shape != x.shape:
            raise ValueError("the mask has another shape")
        return f(x, where=where, **more)
    return g


WORDS = {n: getattr(jnp, n) for n in """where maximum minimum fmax fmin sum prod
    max min mean var std ptp nansum nanmax nanmin nanmean nanvar nanprod sin cos
    tan exp expm1 exp2 log log1p log2 log10 sqrt cbrt square tanh sinh cosh
    arctan arcsinh arcsin arccos arctanh arccosh arctan2 hypot logaddexp
    logaddexp2 sign floor ceil trunc rint remainder fmod floor_divide copysign
    conj angle isnan heaviside reciprocal sinc deg2rad power absolute float32
    nextafter""".split()}
WORDS.update({n: reduction(WORDS[n]) for n in
              "sum prod max min mean var std ptp nansum nanmax nanmin".split()})
WORDS.update(abs=jnp.abs, clip=jnp.clip, round=round_, pi=np.pi, nan=np.nan,
             inf=np.inf, sigmoid=jax.nn.sigmoid, rsqrt=jax.lax.rsqrt,
             float64=lambda v: v.astype(jnp.float64) if v.dtype != jnp.complex128
             else jnp.real(v), int32=lambda v: v.astype(jnp.int32),
             complex128=lambda v: v.astype(jnp.complex128),
             true=True, false=False,
             **{n: getattr(special, n) for n in """erf erfc entr ndtr ndtri
             log_ndtr logit digamma xlogy xlog1py rel_entr i0 i0e i1 i1e
             betaln polygamma zeta gammainc""".split()})

HAND = """
maximum(t, u)           minimum(t, u)           maximum(t, 2)
minimum(t, 2)           maximum(t, t)           fmax(t, u)
fmin(t, u)              clip(t, 0, 2)           clip(t, u, 2)
clip(t, 3, 2)           clip(t, u, u)           abs(t)
sign(t)*t               max(t)                  min(t)
max(t, axis=1)**2       min(t, axis=0)**2
max(t, axis=1, keepdims=true)*t
ptp(t)                  ptp(t, axis=1)          prod(t)
prod(t, axis=1)         prod(t, axis=0)         prod(t[1:2])
t**2                    t**3                    t**0
t**1                    t**2.0                  u**t[2:3]
(t + 3)**0.5            abs(t)**u               where(t == 0, 1, t)**-2
where(t > 0, t, t*t)    where(t > u, t*u, u)    heaviside(t, u)
t*heaviside(t, 0.5)     floor(t)*t              ceil(t)*t
trunc(t)*t              rint(t)*t               round(t)*t
remainder(t, 1.5)       remainder(t, u*u + 1)   fmod(t, u*u + 1)
floor_divide(t, 2)*t    copysign(t, u - 0.5)    hypot(t, u*u + 1)
arctan2(t, u*u + 1)     logaddexp(t, u)         logaddexp2(t, u)
sinc(t/3)               exp(-t*t)*u             var(t)
var(t, axis=0)*t        std(t[:, 1:], axis=0)   std(t[3])*u
mean(t, axis=(0, 1))*t  mean(t)*mean(u)
nansum(where(t == 0, nan, t)**2)
nanmax(where(t == 0, nan, t))
nanmean(where(t == 0, nan, t)**2)
nanvar(where(t == 0, nan, t), axis=1)
nanprod(where(t == 0, nan, t))
sum(x, where=m)**2      sum(x*x, axis=1, where=m)
mean(x*x, where=m)      mean(x, axis=1, where=m)**2
prod(x, axis=1, where=m)
sum(x[1:, ::2]*b[::2])  x[:, 1:] - x[:, :-1]    x[::-1]*x
(x[1:-1] + x[:-2])*x[2:]                        x[0, 1]**2 + x[-1, -1]
x[1]*b                  x[..., 2]*c[:, 0]       (x*b)[1:, 1:-1]**2
x[:, 0:0]               b[::-2]*s               sum(x, axis=0)[1:3]**3
erf(x)*erfc(b)          entr(c)*x               ndtr(x)*log_ndtr(b)
ndtri(sigmoid(x))       logit(sigmoid(x))       digamma(c + 1)*x
xlogy(x, c)             xlog1py(x, c)           rel_entr(c, c*c)
xlogy(t, u*u + 1)       i0(x) + i1(x)           i0e(x)*i1e(b)
betaln(c, c + 1)        polygamma(1, c)         zeta(3.5, c + 1)
gammainc(2.5, c)        rsqrt(c)*x              cbrt(c + x*x)
expm1(x)/exp2(b)        log1p(x*x)*log2(c)      log10(c)*tan(x/3)
arcsinh(x)*arctanh(b/2)                 arccosh(c + 1)
arcsin(b/2)*arccos(x/2)
sinh(x)*cosh(b)         deg2rad(x)*x            reciprocal(c)*x
abs(z)                  abs(z*z + x)**2         abs(exp(z)*b)
float64(z*z*z)          abs(conj(z)*z + x)      angle(z)
abs(z/(z + 3))          abs(sin(z)) + abs(tanh(z))
abs(log(z))             abs(sqrt(z)*x)          abs(z**3)
abs(sum(z, axis=0))     abs(prod(z, axis=1))    abs(mean(z*x))
var(z)                  std(z, axis=0)          abs(where(m, z, x))
abs(complex128(x)*z)    float64(float32(x)*2)   x*int32(x*3)
sum(max(x, axis=1, keepdims=true) - x*b)        sum(x, axis=1)*s
mean((x*b + c)**2)      sum(tanh(x*b + s)**2)   sum(c)*sum(b)*s
log(sum(exp(x - max(x, axis=1, keepdims=true)), axis=1))
exp(x)/sum(exp(x), axis=1, keepdims=true)*b     s*s*s
-mean(log(sigmoid(x*2 - b)))                    b*2 + 3
"""
UNARY = """sin({}) cos({}) tanh({}) exp(-{}*{}) sqrt(1+{}*{}) abs({}) sigmoid({})
    arctan({}) square({}) log1p({}*{}) (-{}) {}**2 {}**3 arcsinh({}) erf({})
    logaddexp({},0.5) 1/(1+{}*{}) cbrt(2+tanh({}))""".split()
BINARY = """{}+{} {}-{} {}*{} {}*{} {}/(1.5+sin({})) maximum({},{}) minimum({},{})
    where({}>0.2,{},0.3) hypot({},{}) logaddexp({},{}) arctan2({},2+cos({}))
    (2+cos({}))**{} clip({},-0.5,0.5+abs({}))""".split()
REDUCE = """mean({},axis=1,keepdims=true) max({},axis=1,keepdims=true)
    min({},axis=0) sum({},axis=0) sum({},axis=-1,keepdims=true) mean({})
    std({},axis=0) var({}) sum({},where=m) max({}) prod({},axis=0)
    mean({},axis=(0,1))""".split()
SLICE = "{}[1:] {}[:,::-1] {}[:2,1:] {}[::2] {}[...,1:3]".split()


def tree(g, depth):
    def one():
        return tree(g, depth - 1)

    if depth == 0 or g.random() < .12:
        return g.choice(["x", "x", "x", "b", "c", "s", "0.7", "2"])
    kind = g.random()
    form = g.choice(UNARY if kind < .3 else BINARY if kind < .8 else REDUCE
                    if kind < .95 else SLICE)
    n = form.count("{}")
    if kind < .3:
        return "(" + form.format(*[one()] * n) + ")"
    if kind >= .8:
        return form.format("(" + one() + ")")
    return "(" + form.format(*[one() for _ in range(n)]) + ")"


def evaluate(text, ops):
    env = dict(WORDS)
    env.update(ops)
    text = text.replace("keepdims=true", "keepdims=True")
    return eval(text, env)


def uses(text):
    code = compile(text.replace("true", "True"), text, "eval")
    return [n for n in NAMES if n in code.co_names]


def record(w, k, text, ops):
    names = uses(text)
    if not names:
        return False

    def total(*args):
        v = evaluate(text, {**ops, **dict(zip(names, args))})
        return jnp.sum(v)

    args = [jnp.asarray(ops[n]) for n in names]
    try:
        value = np.asarray(evaluate(text, {n: jnp.asarray(v)
                                           for n, v in ops.items()}))
        grads = jax.grad(total, tuple(range(len(names))))(*args)
    except (TypeError, ValueError, IndexError) as error:
        if k < 0:
            raise
        return str(error)[:80] or "?"
    if not all(np.isfinite(v).all() for v in grads) and text not in HAND:
        return "not finite"
    w.put(f"{k}/text", text)
    w.put(f"{k}/value", value)
    for n, v in zip(names, grads):
        w.put(f"{k}/{n}", np.asarray(v))
    if "x" in names and "z" not in names:
        def squares(x):
            a = [x if n == "x" else v for n, v in zip(names, args)]
            d = jax.grad(total, names.index("x"))(*a)
            return jnp.sum(d * d)
        second = np.asarray(jax.grad(squares)(args[names.index("x")]))
        if np.isfinite(second).all():
            w.put(f"{k}/twice/x", second)
    return True


def main():
    g = rng("grad")
    ops = operands(g)
    w = Writer("grad.bin")
    for n, v in ops.items():
        w.put(n, v)
    k = 0
    for line in HAND.strip().splitlines():
        for text in line.split("  "):
            if not text.strip():
                continue
            ok = record(w, k, text.strip(), ops)
            if ok is not True:
                raise SystemExit(f"{text.strip()}: {ok}")
            k += 1
    end = k + G
    seen = set()
    while k < end:
        text = tree(g, int(g.integers(2, 6)))
        if len(text) > 300 or text in seen or record(w, k, text, ops) is not True:
            continue
        seen.add(text)
        k += 1
    w.close()


main()
