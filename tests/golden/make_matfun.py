"""Writes matfun.bin: square roots and logarithms of matrices, generalised
eigenvalues, of matrices that make them hard.

    python make_matfun.py

Needs NumPy 2, SciPy and mpmath; the helpers are make_golden.py's. Roots and
logarithms are mpmath's, of the matrices as stored; /rootcond and
/logcond, the condition numbers of either, say how much of the input's last
digit an answer may lose. Eigenvalues: SciPy's.
"""
import mpmath
import numpy as np
import scipy.linalg as la

from make_golden import Writer, rng


def matrices():
    for t in ("float32", "float64", "complex64", "complex128"):
        for n in (1, 2, 5):
            g = rng(f"plain{t}{n}")
            x = g.standard_normal((n, n))
            if t[0] == "c":
                x = x + 1j * g.standard_normal((n, n))
            yield f"plain_{t}_{n}", x.astype(t)
    g = rng("hard")
    n = 6
    q = la.qr(g.standard_normal((n, n)))[0]
    s = np.eye(n) + .5 * g.standard_normal((n, n))
    yield "positive", s @ np.diag([1., 2, 3, 4, 5, 6]) @ la.inv(s)
    yield "spread", s @ np.diag(10. ** np.arange(-4, 2)) @ la.inv(s)
    yield "large", 1e150 * (s @ np.diag([1., 2, 3, 4, 5, 6]) @ la.inv(s))
    yield "small", 1e-150 * (s @ np.diag([1., 2, 3, 4, 5, 6]) @ la.inv(s))
    yield "negative", s @ np.diag([-1., -2, 3, 4, 5, 6]) @ la.inv(s)
    yield "all_negative", s @ np.diag([-1., -2, -3, -4, -5, -6]) @ la.inv(s)
    yield "spd", q @ np.diag([1e-3, 1, 2, 3, 4, 50]) @ q.T
    yield "hilbert", la.hilbert(6)
    yield "symmetric", la.hilbert(5) - np.eye(5)
    yield "jordan", 4 * np.eye(5) + np.diag(np.ones(4), 1)
    yield "jordan_negative", -4 * np.eye(3) + np.diag(np.ones(2), 1)
    yield "triangular", np.triu(g.standard_normal((n, n)) * 20) + np.diag(
        np.arange(1., n + 1) - np.diag(np.triu(g.standard_normal((n, n))) * 0))
    a = 3.1
    yield "rotation", np.array([[np.cos(a), -np.sin(a)],
                                [np.sin(a), np.cos(a)]])
    yield "minus_one", -np.eye(3)
    yield "near_one", np.eye(4) + 1e-9 * g.standard_normal((4, 4))
    yield "hermitian", (lambda z: z @ z.conj().T + 1e-2 * np.eye(5))(
        g.standard_normal((5, 5)) + 1j * g.standard_normal((5, 5)))
    yield "near_axis", s @ np.diag([1, 2, 3, 4, -1 + 1e-3j, 5 + 2j]) @ la.inv(s)


def norm(x):
    return la.norm(x, 2)


def root_condition(a, x):
    n = len(a)
    k = np.kron(np.eye(n), x) + np.kron(x.T, np.eye(n))
    return norm(la.inv(k)) * norm(a) / norm(x)


def log_condition(a, y):
    n = len(a)
    k = np.zeros((n * n, n * n), complex)
    for i in range(n * n):
        e = np.zeros(n * n)
        e[i] = 1
        k[:, i] = la.expm_frechet(y.astype(complex), e.reshape(n, n).astype(complex),
                                  compute_expm=False).ravel()
    return norm(la.inv(k)) * norm(a) / max(norm(y), 1e-300)


def to_mp(a):
    return mpmath.matrix([[mpmath.mpmathify(complex(v)) for v in r] for r in a])


def of_mp(m):
    return np.array([[complex(m[i, j]) for j in range(m.cols)]
                     for i in range(m.rows)])


def function(a, f):
    """By eigenvalues, those of a defective matrix moved apart by 1e-25."""
    n = len(a)
    defective = n > 1 and np.linalg.cond(np.linalg.eig(a)[1]) > 1e7
    mpmath.mp.dps = 300 if defective else 80
    m = to_mp(a)
    if defective:
        for i in range(n):
            m[i, i] += mpmath.mpf(i) * mpmath.mpf(10) ** -25 * abs(m[0, 0])
    e, v = mpmath.eig(m)
    d = mpmath.zeros(n)
    for i in range(n):
        z = mpmath.mpc(e[i])
        if abs(z.imag) < abs(z) * mpmath.mpf(10) ** -20:
            z = mpmath.mpc(z.real, 0)
        d[i, i] = f(z)
    return of_mp(v * d * v ** -1)


w = Writer("matfun.bin")
for name, a in matrices():
    wide = a.astype(np.complex128)
    ew = np.linalg.eigvals(wide)
    negative = np.any((abs(ew.imag) < 1e-12 * abs(ew)) & (ew.real < 0))
    complex_out = negative or a.dtype.kind == "c"
    w.put(f"{name}/a", a)
    for what, f, cond in (("root", mpmath.sqrt, root_condition),
                          ("log", mpmath.log, log_condition)):
        y = function(wide, f)
        assert complex_out or abs(y.imag).max() < 1e-14 * abs(y).max(), name
        c = cond(wide, y)
        assert np.isfinite(c), name
        w.put(f"{name}/{what}", y if complex_out else y.real)
        w.put(f"{name}/{what}cond", np.float64(c))
for t in ("float32", "float64", "complex64", "complex128"):
    for n in (1, 4, 9):
        g = rng(f"gen{t}{n}")
        a, b = g.standard_normal((2, n, n))
        if t[0] == "c":
            a = a + 1j * g.standard_normal((n, n))
            b = b + 1j * g.standard_normal((n, n))
        b = b @ b.conj().T + np.eye(n)
        a, b = a.astype(t), b.astype(t)
        for kind in (1, 2, 3):
            w.put(f"gen_{t}_{n}/w{kind}", la.eigh(
                a.astype(np.complex128), b.astype(np.complex128), type=kind,
                eigvals_only=True))
        w.put(f"gen_{t}_{n}/a", a)
        w.put(f"gen_{t}_{n}/b", b)
w.close()
