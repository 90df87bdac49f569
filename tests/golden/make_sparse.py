"""Writes sparse.bin: matrices and what SciPy makes of them.

    python make_sparse.py

Needs what make_golden.py needs; committed for the same reasons. Names:
    m<k>/row col data shape     entries in any order, some places twice
    m<k>/dense                  their matrix; /x /X right-hand sides, /y /Y of the
                                transposed
    m<k>/ax aX aty ahy ahY      the products
    a/<name>                    a matrix; s<k>/of is the name of system k's
    s<k>/b                      its right-hand side, and what the solver
                                s<k>/method makes of it with s<k>/options (SOLVE's columns): x, and
                                info: reason, iterations (0: not told)
    p<k>/a b                    two matrices, dense; what SciPy makes of them
    f<k>/text                   Matrix Market files; /want their matrices
    npz/csr csc coo             scipy.sparse.save_npz of npz/want
    e<k>/a w0 w1 w2             four eigenvalues: LM, LA, SA
    v<k>/a s                    three singular values
    i<k>/a ilu ic               incomplete factors
    l<k>/a b x                  inv(a) b
    curve/a b damp x info       lsmr for ten dampings
"""
import io

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as la
from scipy.io import mmwrite
from make_golden import Writer, rng

SHAPES = [(1, 1, 1), (5, 7, 12), (20, 15, 90), (60, 3, 70), (3, 60, 90),
          (6, 6, 0), (0, 4, 0), (12, 10, 200)]
TYPES = ["float32", "float64", "complex64", "complex128"]


def values(g, t, shape):
    x = g.standard_normal(shape)
    if t.startswith("complex"):
        x = x + 1j * g.standard_normal(shape)
    return x.astype(t)


def products(w):
    k = 0
    for m, n, entries in SHAPES:
        for t in TYPES:
            g = rng(f"sparse{k}")
            row = g.integers(0, max(m, 1), entries)
            col = g.integers(0, max(n, 1), entries)
            a = sp.coo_array((values(g, t, entries), (row, col)), shape=(m, n))
            key = f"m{k}"
            w.put(f"{key}/shape", np.array([m, n]))
            w.put(f"{key}/row", row.astype(["int32", "int64", "int16",
                                            "uint16"][k % 4]))
            w.put(f"{key}/col", col.astype(["int64", "int32"][k % 2]))
            w.put(f"{key}/data", a.data)
            c = a.tocsr()
            wide = c.astype(np.result_type(t, "float64"))
            w.put(f"{key}/dense", wide.toarray().astype(t))
            x, xx = values(g, t, n), values(g, t, (n, 3))
            y, yy = values(g, t, m), values(g, t, (m, 5))
            for name, v in ("x", x), ("X", xx), ("y", y), ("Y", yy):
                w.put(f"{key}/{name}", v)
            for name, v in (("ax", wide @ x), ("aX", wide @ xx),
                            ("aty", wide.T @ y), ("ahy", wide.conj().T @ y),
                            ("ahY", wide.conj().T @ yy)):
                w.put(f"{key}/{name}", v.astype(t))
            k += 1


def laplacian(g, n=6):
    t = sp.diags_array([-1., 2., -1.], offsets=[-1, 0, 1], shape=(n, n))
    return (sp.kron(t, sp.eye_array(n)) + sp.kron(sp.eye_array(n), t)).toarray()


def hermitian(g):
    a = laplacian(g, 5).astype(complex)
    i = np.arange(24)
    a[i, i + 1] += .4j
    a[i + 1, i] -= .4j
    return a


def indefinite(g):
    return laplacian(g, 5) - 1.7 * np.eye(25)


def singular(g):
    t = np.diag(np.full(20, 2.)) - np.eye(20, k=1) - np.eye(20, k=-1)
    t[0, 0] = t[-1, -1] = 1
    return t


def convection(g):
    return laplacian(g, 5) + .8 * np.eye(25, k=1) - .3 * np.eye(25, k=-1)


def tall(g):
    return values(g, "float64", (40, 12)) * (g.random((40, 12)) < .4)


def wide(g):
    return tall(g).T.copy()


def graded(g):
    u, _ = np.linalg.qr(values(g, "float64", (30, 10)))
    v, _ = np.linalg.qr(values(g, "float64", (10, 10)))
    return u @ np.diag(10. ** (-.5 * np.arange(10))) @ v


def zeros(g):
    return np.zeros((6, 6))


def tall_complex(g):
    return tall(g) + 1j * tall(g)


def ill(g):
    """Symmetric, eigenvalues from 1e-11 to 1."""
    q, _ = np.linalg.qr(values(g, "float64", (25, 25)))
    return q @ np.diag(10. ** np.linspace(-11, 0, 25)) @ q.T


def ilu(a):
    """L and U of ILU(0) in one matrix, by its definition."""
    f, places = a.copy(), a != 0
    for i in range(len(f)):
        for k in np.flatnonzero(places[i, :i]):
            f[i, k] /= f[k, k]
            f[i, k + 1:] -= f[i, k] * f[k, k + 1:] * places[i, k + 1:]
    return f


def ic(a):
    """L of IC(0), column by column."""
    f, places = np.tril(a), np.tril(a) != 0
    for k in range(len(f)):
        f[k, k] = np.sqrt(f[k, k].real)
        f[k + 1:, k] /= f[k, k]
        for j in range(k + 1, len(f)):
            f[j:, j] -= f[j:, k] * f[j, k].conj() * places[j:, j]
    return f


def dense_inverse(m):
    return la.aslinearoperator(np.linalg.inv(m))


def near_ilu(a):
    f = ilu(a)
    return dense_inverse((np.tril(f, -1) + np.eye(len(f))) @ np.triu(f))


def near_ic(a):
    f = ic(a)
    return dense_inverse(f @ f.conj().T)


PRECOND = [lambda a: None, lambda a: sp.diags_array(1 / np.diag(a)), near_ilu,
           near_ic]

# method, matrix, dtype, rtol or atol, maxiter, damp or shift, PRECOND, x0
SOLVE = [
    ("cg", laplacian, "float64", 1e-10, 0, 0, 0, 0),
    ("cg", laplacian, "float32", 1e-4, 0, 0, 0, 0),
    ("cg", laplacian, "float64", 1e-8, 0, 0, 1, 0),
    ("cg", laplacian, "float64", 1e-8, 0, 0, 0, 1),
    ("cg", laplacian, "float64", 1e-12, 4, 0, 0, 0),
    ("cg", hermitian, "complex128", 1e-9, 0, 0, 0, 0),
    ("cg", singular, "float64", 1e-8, 0, 0, 0, 0),
    ("minres", laplacian, "float64", 1e-9, 0, 0, 0, 0),
    ("minres", indefinite, "float64", 1e-9, 0, 0, 0, 0),
    ("minres", indefinite, "float64", 1e-9, 5, 0, 0, 0),
    ("minres", laplacian, "float64", 1e-9, 0, 1.1, 0, 0),
    ("minres", laplacian, "float64", 1e-9, 0, 0, 1, 1),
    ("minres", singular, "float64", 1e-8, 0, 0, 0, 0),
    ("minres", laplacian, "float32", 1e-4, 0, 0, 0, 0),
    ("bicgstab", convection, "float64", 1e-9, 0, 0, 0, 0),
    ("bicgstab", convection, "float64", 1e-9, 0, 0, 1, 1),
    ("bicgstab", convection, "float64", 1e-12, 3, 0, 0, 0),
    ("bicgstab", hermitian, "complex128", 1e-8, 0, 0, 0, 0),
    ("bicgstab", zeros, "float64", 1e-8, 0, 0, 0, 0),
    ("gmres", convection, "float64", 1e-9, 0, 0, 0, 0),
    ("gmres", convection, "float64", 1e-9, 0, 0, 1, 1),
    ("gmres", hermitian, "complex128", 1e-9, 0, 0, 0, 0),
    ("gmres", laplacian, "float64", 1e-12, 1, 0, 0, 0),
    ("lsqr", tall, "float64", 1e-10, 0, 0, 0, 0),
    ("lsqr", tall, "float64", 1e-10, 0, .7, 0, 0),
    ("lsqr", wide, "float64", 1e-10, 0, 0, 0, 1),
    ("lsqr", graded, "float64", 1e-11, 200, 0, 0, 0),
    ("lsqr", convection, "float64", 1e-9, 0, 0, 0, 0),
    ("lsqr", tall, "float64", 1e-12, 3, 0, 0, 0),
    ("lsqr", zeros, "float64", 1e-9, 0, 0, 0, 0),
    ("lsmr", tall, "float64", 1e-10, 30, 0, 0, 0),
    ("lsmr", tall, "float64", 1e-10, 30, .7, 0, 0),
    ("lsmr", tall, "float64", 1e-10, 30, 30, 0, 0),
    ("lsmr", wide, "float64", 1e-10, 30, 0, 0, 1),
    ("lsmr", graded, "float64", 1e-11, 200, 0, 0, 0),
    ("lsmr", convection, "float64", 1e-9, 100, 0, 0, 0),
    ("lsmr", tall, "float64", 1e-12, 3, 0, 0, 0),
    ("lsmr", zeros, "float64", 1e-9, 0, 0, 0, 0),
    ("lsmr", tall_complex, "complex128", 1e-9, 40, .3, 0, 0),
    ("lsmr", tall, "float32", 1e-4, 30, .3, 0, 0),
    ("cg", laplacian, "float64", 1e-10, 0, 0, 3, 0),
    ("cg", hermitian, "complex128", 1e-9, 0, 0, 3, 0),
    ("minres", laplacian, "float64", 1e-9, 0, 0, 3, 0),
    ("bicgstab", convection, "float64", 1e-10, 0, 0, 2, 0),
    ("gmres", convection, "float64", 1e-10, 0, 0, 2, 1),
    ("cg", ill, "float64", 1e-4, 0, 0, 0, 0),
    ("minres", ill, "float64", 1e-6, 0, 0, 0, 0),
    ("minres", ill, "float64", 1e-14, 400, 0, 0, 0),
    ("gmres", ill, "float64", 1e-6, 30, 0, 0, 0),
    ("lsqr", ill, "float64", 1e-9, 300, 0, 0, 0),
    ("lsmr", ill, "float64", 1e-9, 300, 0, 0, 0),
    ("lsqr", singular, "float64", 1e-10, 0, 0, 0, 0),
    ("lsmr", singular, "float64", 1e-10, 100, 0, 0, 0),
]


def solve(method, a, b, tol, maxiter, shift, precond, start):
    count = [0]

    def called(_):
        count[0] += 1
    x0 = np.linspace(0, 1, a.shape[1]).astype(b.dtype) if start else None
    s = sp.csr_array(a)
    if method in ("lsqr", "lsmr"):
        limit = {"lsqr": "iter_lim", "lsmr": "maxiter"}[method]
        return getattr(la, method)(s, b, damp=shift, atol=tol, btol=tol, x0=x0,
                                   **{limit: maxiter or None})[:3]
    m = PRECOND[precond](a)
    more = {"maxiter": maxiter or None, "x0": x0, "M": m, "rtol": tol}
    if method == "minres":
        more["shift"] = shift
    if method == "gmres":
        more.update(restart=20, callback_type="x")
    x, info = getattr(la, method)(s, b, callback=called, **more)
    return x, info, count[0] if method != "gmres" else 0


def solutions(w):
    for k, (method, make, t, *more) in enumerate(SOLVE):
        a = make(rng(make.__name__))
        g = rng(f"solve{k}")
        name = f"{make.__name__}/{t}"
        if f"a/{name}" not in w.records:
            w.put(f"a/{name}", a.astype(t))
        if make is singular:
            b = values(g, t, 20)
            b -= b.mean()
        else:
            b = values(g, t, a.shape[0])
        x, info, count = solve(method, a, b.astype(np.result_type(t, "f8")),
                               *more)
        w.put(f"s{k}/method", method)
        w.put(f"s{k}/of", name)
        w.put(f"s{k}/b", b)
        w.put(f"s{k}/options", np.array(more, float))
        w.put(f"s{k}/x", x.astype(t))
        w.put(f"s{k}/info", np.array([info, count]))


def factors(w):
    for k, (make, t) in enumerate([(laplacian, "float64"),
                                   (laplacian, "float32"),
                                   (hermitian, "complex128"),
                                   (hermitian, "complex64"),
                                   (convection, "float64")]):
        a = make(rng(f"factors{k}"))
        w.put(f"i{k}/a", a.astype(t))
        w.put(f"i{k}/ilu", ilu(a).astype(t))
        if make is not convection:
            w.put(f"i{k}/ic", ic(a).astype(t))


def shuffled(g):
    """A diagonal that is 0 in most places."""
    a = values(g, "float64", (60, 60)) * (g.random((60, 60)) < .05)
    return (a + 5 * np.eye(60))[g.permutation(60)]


def blocks(g):
    return np.kron(np.eye(15), values(g, "float64", (4, 4)))


def grid(g):
    return laplacian(g, 10) + np.diag(g.random(100))


def direct(w):
    for k, (make, t) in enumerate([(grid, "float64"), (shuffled, "float64"),
                                   (hermitian, "complex128"),
                                   (blocks, "float64"), (grid, "float32"),
                                   (ill, "float64"),
                                   (hermitian, "complex64")]):
        g = rng(f"direct{k}")
        a, wide = make(g).astype(t), np.result_type(t, "f8")
        b = values(g, t, (len(a), 3))
        w.put(f"l{k}/a", a)
        w.put(f"l{k}/b", b)
        x = la.spsolve(sp.csc_array(a.astype(wide)), b.astype(wide))
        w.put(f"l{k}/x", x.astype(t))


def curve(w):
    g = rng("curve")
    a = g.random((70, 60)) * (g.random((70, 60)) < .1)
    b = g.normal(3, 1, 70)
    damp = np.geomspace(.1, 5000, 10)
    r = [la.lsmr(sp.csr_array(a), b, damp=d) for d in damp]
    for name, v in (("a", a), ("b", b), ("damp", damp),
                    ("x", np.array([x[0] for x in r])),
                    ("info", np.array([x[1:3] for x in r]))):
        w.put(f"curve/{name}", v)


def pairs(w):
    for k, t in enumerate(TYPES):
        g = rng(f"pair{k}")
        a, b, c = (values(g, t, s) * (g.random(s) < .2)
                   for s in ((14, 9), (14, 9), (9, 11)))
        x, y, z = (sp.csr_array(v.astype(np.result_type(t, "f8")))
                   for v in (a, b, c))
        w.put(f"p{k}/a", a.astype(t))
        w.put(f"p{k}/b", b.astype(t))
        w.put(f"p{k}/c", c.astype(t))
        for name, v in (("add", x + y), ("sub", x - y), ("mul", x * y),
                        ("product", x @ z), ("vstack", sp.vstack([x, y])),
                        ("hstack", sp.hstack([y, x])), ("rows", x[3:8])):
            w.put(f"p{k}/{name}", v.toarray().astype(t))
        for name, v in (("sum", x.sum()), ("sum0", x.sum(axis=0)),
                        ("sum1", x.sum(axis=1))):
            w.put(f"p{k}/{name}", np.asarray(v).astype(t))
        real = {"complex64": "float32", "complex128": "float64"}.get(t, t)
        for name, o in ("fro", "fro"), ("norm1", 1), ("norminf", np.inf):
            w.put(f"p{k}/{name}", np.asarray(la.norm(x, o)).astype(real))


def files(w):
    g = rng("files")
    a = values(g, "float64", (7, 5)) * (g.random((7, 5)) < .4)
    s = values(g, "float64", (6, 6)) * (g.random((6, 6)) < .4)
    c = values(g, "complex128", (4, 4))
    i = g.integers(-9, 9, (5, 3))
    texts = [(sp.coo_array(a), {}), (a, {}), (sp.coo_array(s + s.T), {}),
             (s + s.T, {}), (sp.coo_array(s - s.T), {}), (s - s.T, {}),
             (sp.coo_array(c), {}), (c + c.conj().T, {}),
             (sp.coo_array(c + c.conj().T), {}), (sp.coo_array(i), {}),
             (sp.coo_array(a), {"field": "pattern"})]
    for k, (m, more) in enumerate(texts):
        f = io.BytesIO()
        mmwrite(f, m, comment="made by SciPy", **more)
        w.put(f"f{k}/text", f.getvalue())
        d = m.toarray() if sp.issparse(m) else m
        if more:
            d = (d != 0).astype(float)
        w.put(f"f{k}/want", d.astype(np.result_type(d, "f8")))
    w.put("npz/want", a)
    for make in sp.csr_array, sp.csc_array, sp.coo_array:
        m = make(a)
        f = io.BytesIO()
        sp.save_npz(f, m, compressed=make is not sp.csc_array)
        w.put(f"npz/{m.format}", f.getvalue())


def spectra(w):
    for k, (make, t) in enumerate([(laplacian, "float64"),
                                   (indefinite, "float64"),
                                   (hermitian, "complex128"),
                                   (laplacian, "float32")]):
        g = rng(f"spectrum{k}")
        a = make(g)
        a = a + np.diag(np.linspace(0, 1, len(a)))      # simple eigenvalues
        w.put(f"e{k}/a", a.astype(t))
        for i, which in enumerate(("LM", "LA", "SA")):
            e = la.eigsh(sp.csr_array(a.astype(t).astype(a.dtype)), 4,
                         which=which, return_eigenvectors=False)
            real = "float32" if t == "float32" else "float64"
            w.put(f"e{k}/w{i}", np.sort(e).astype(real))
    for k, make in enumerate((tall, wide, tall_complex)):
        a = make(rng(f"singular{k}"))
        s = la.svds(sp.csr_array(a), 3, return_singular_vectors=False)
        w.put(f"v{k}/a", a)
        w.put(f"v{k}/s", np.sort(s)[::-1].copy())


if __name__ == "__main__":
    out = Writer("sparse.bin")
    products(out)
    solutions(out)
    pairs(out)
    files(out)
    spectra(out)
    factors(out)
    direct(out)
    curve(out)
    out.close()
