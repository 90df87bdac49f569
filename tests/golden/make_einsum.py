"""Writes einsum.bin: subscripts, operands and NumPy's results.

    python make_einsum.py

Needs what make_golden.py needs; committed for the same reasons. Names:
    <k>/text  <k>/0 <k>/1 ...   one call of einsum: subscripts, operands
    td/<k>/axes  /x /y          tensordot: the axes of x, then those of y; or
                                one number n
    md/<k>/0 ...                multi_dot
    .../out                     the result
    .../mag                     float32: the same of the absolute values, which
                                rounding errors are measured by; floats alone
Inexact results are computed in float64 or complex128 and rounded once;
integers and bool in their own dtype.
"""
import math

import numpy as np
from make_golden import NAMES, Bf16, Writer, promote, rng, store

CASES = 320
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def is_exact(t):
    return t[:1] in "iu" or t == "bool"


def values(g, t, shape, whole):
    """whole: the full range of integers, that sums may wrap."""
    if t == "bool":
        return g.random(shape) < .4
    if is_exact(t):
        i = np.iinfo(t)
        lo, hi = (i.min, i.max) if whole else (max(i.min, -9), 9)
        return g.integers(lo, hi, shape, t, endpoint=True)
    x = g.standard_normal(shape)
    if t.startswith("complex"):
        x = x + 1j * g.standard_normal(shape)
    return store(x, t)


def wide(x, t):
    """In the dtype the result is computed in."""
    if is_exact(t):
        return x.astype(t)
    w = np.complex128 if t.startswith("complex") else np.float64
    return x.to(w) if isinstance(x, Bf16) else x.astype(w)


def put(w, key, xs, types, f):
    """Operands and f of them; False if the result is not worth keeping."""
    t = "bool"                      # NumPy's: from the highest kind down
    for kind in "cfiub":
        for u in types:
            if (u[0] if u != "bfloat16" else "f") == kind:
                t = promote(t, u)
    if "bfloat16" not in types:
        assert t == np.result_type(*types).name, types
    y = f(*[wide(x, t) for x in xs])
    if y.size > 250 or y.ndim > 8:
        return False
    w.put(f"{key}/out", y if is_exact(t) else store(y, t))
    if not is_exact(t):
        mag = f(*[np.abs(wide(x, t)) for x in xs])
        w.put(f"{key}/mag", np.asarray(mag, np.float32))
    return True


def subscripts(g):
    """Terms, shapes and whether there is an output; a random problem."""
    n = int(g.choice([1, 1, 2, 2, 2, 3, 3, 4, 5]))
    pool = list(g.permutation(list(LETTERS))[:int(g.integers(2, 7))])
    length = {c: int(g.choice([0, 1, 2, 3, 4, 5],
                              p=[.01, .06, .28, .3, .25, .1])) for c in pool}
    dotted = int(g.choice([0, 0, 1, 2])) if g.random() < .35 else None
    under = [int(v) for v in g.integers(1, 4, dotted or 0)]
    terms, shapes = [], []
    for _ in range(n):
        rank = int(g.choice([0, 1, 2, 3, 4, 5], p=[.05, .2, .35, .2, .1, .1]))
        again = g.random() < .25 or rank > len(pool)
        term = [str(c) for c in g.choice(pool, rank, replace=again)]
        own = {c: 1 if g.random() < .08 else length[c] for c in term}
        shape = [own[c] for c in term]
        if dotted is not None and g.random() < .75:
            at = int(g.integers(0, len(term) + 1))
            skip = int(g.integers(0, dotted + 1)) if g.random() < .3 else 0
            axes = [1 if g.random() < .2 else v for v in under[skip:]]
            term[at:at] = ["..."]
            shape[at:at] = axes
        if len(shape) > 8:
            return None
        terms.append(term)
        shapes.append(tuple(shape))
    text = ",".join("".join(t) for t in terms)
    used = sorted({c for t in terms for c in t} - {"..."})
    if g.random() < .7:
        out = [str(c) for c in g.permutation(used)][:int(
            g.integers(0, len(used) + 1))] if used else []
        if "..." in text or g.random() < .1:
            out.insert(int(g.integers(0, len(out) + 1)), "...")
        text += "->" + "".join(out)
    if g.random() < .2:             # spaces anywhere but inside "..." and "->"
        parts = text.replace("->", ">").replace("...", ".")
        text = "".join(c + " " * int(g.integers(0, 3)) for c in parts)
        text = text.replace(">", "->").replace(".", "...")
    total = math.prod(length[c] or 1 for c in used) * math.prod(under)
    if total > 20000 or any(math.prod(s) > 120 for s in shapes):
        return None
    return text, shapes


def main():
    w = Writer("einsum.bin")
    g = rng("einsum")
    fixed = [  # what a random choice seldom makes
        ("", [()]), ("->", [()]), (",", [(), ()]), ("ij->...", [(2, 3)]),
        ("ij,jk->...k", [(7, 6), (6, 5)]), ("iijjk->jk", [(2, 2, 3, 3, 2)]),
        ("abcdefgh->hgfedcba", [(1, 2, 1, 2, 3, 1, 2, 2)]),
        ("abcdefgh,abcdefgh->", [(2, 1, 2, 2, 1, 2, 2, 2)] * 2),
        ("abcd,efgh->hbfd", [(2, 3, 2, 3), (2, 2, 3, 2)]),
        ("abcdij,efghjk->aceg", [(2, 2, 2, 2, 2, 2)] * 2),
        ("zyx,Zyx", [(2, 3, 4), (3, 3, 4)]), ("...,...", [(3, 1), (2, 1, 4)]),
        ("i...,...i->...", [(3, 2), (2, 3)]), ("ab,ab->ba", [(4, 5)] * 2),
        ("bij,bjk->ikb", [(3, 4, 5), (3, 5, 2)]),
        ("ib,ib->b", [(6, 5), (6, 5)]), ("abc,cd->adb", [(3, 4, 5), (5, 6)]),
        ("ij,jk,kl,lm->im", [(3, 4), (4, 5), (5, 2), (2, 6)]),
        ("a,b,c,d,e", [(2,), (3,), (2,), (3,), (4,)]),
        ("ij,ij->", [(1, 4), (5, 1)]), ("ii,jj->ij", [(3, 3), (4, 4)]),
    ]
    k = 0
    while k < CASES:
        case = fixed[k] if k < len(fixed) else subscripts(g)
        if case is None:
            continue
        text, shapes = case
        types = [NAMES[k % len(NAMES)]] * len(shapes)
        if g.random() < .3:
            others = [t for t in NAMES if "bfloat16" not in types
                      or t not in ("complex64", "complex128", "float64")]
            for i in range(1, len(types)):
                if g.random() < .6:
                    types[i] = str(g.choice(others))
        whole = all(is_exact(t) for t in types)
        xs = [values(g, t, s, whole) for t, s in zip(types, shapes)]
        f = lambda *a: np.asarray(np.einsum(text, *a, optimize=False))
        try:
            if not put(w, str(k), xs, types, f):
                continue
        except ValueError:          # lengths that do not fit
            continue
        w.put(f"{k}/text", text)
        for i, x in enumerate(xs):
            w.put(f"{k}/{i}", x)
        k += 1
    g = rng("tensordot")
    k = 0
    while k < 45:
        nx, ny = (int(v) for v in g.integers(0, 5, 2))
        t = NAMES[k % len(NAMES)]
        n = int(g.integers(0, min(nx, ny, 3) + 1))
        sx = [int(v) for v in g.integers(1, 5, nx)]
        sy = [int(v) for v in g.integers(1, 5, ny)]
        a, b = ([int(v) for v in g.permutation(m)[:n]] for m in (nx, ny))
        if k % 3 == 0:
            a, b = list(range(nx - n, nx)), list(range(n))
        for i, j in zip(a, b):
            sy[j] = sx[i]
        xs = [values(g, t, s, True) for s in (sx, sy)]
        key = f"td/{k}"
        if not put(w, key, xs, [t, t],
                   lambda x, y: np.asarray(np.tensordot(x, y, (a, b)))):
            continue
        axes = [n] if k % 3 == 0 else [
            i - nx if g.random() < .4 else i for i in a] + [
            j - ny if g.random() < .4 else j for j in b]
        w.put(f"{key}/axes", np.array(axes, np.int64))
        w.put(f"{key}/x", xs[0])
        w.put(f"{key}/y", xs[1])
        k += 1
    g = rng("multi_dot")
    for k in range(30):
        t = NAMES[k % len(NAMES)]
        n = int(g.integers(2, 8))
        d = [int(v) for v in g.integers(1, 7, n + 1)]
        shapes = [(d[i], d[i + 1]) for i in range(n)]
        if g.random() < .3:
            shapes[0] = (d[1],)
        if g.random() < .3:
            shapes[-1] = (d[n - 1],)
        xs = [values(g, t, s, True) for s in shapes]
        assert put(w, f"md/{k}", xs, [t] * n,
                   lambda *a: np.asarray(np.linalg.multi_dot(a)))
        for i, x in enumerate(xs):
            w.put(f"md/{k}/{i}", x)
    w.close()


if __name__ == "__main__":
    main()
