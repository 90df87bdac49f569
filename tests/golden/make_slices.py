"""Writes slices.bin: expressions with slices, and NumPy's results.

    python make_slices.py

Needs what make_golden.py needs; committed for the same reasons. u and v are
int64 of one shape: u[k] = (37 k) mod 101, v[k] = (53 k) mod 97; i and j are C
numbers. Names:
    <k>/text  /shape  /ij       one expression, or statements
    <k>/out                     the result; where statements set slices, v
Text is Python's and the library's alike.
"""
import numpy as np
from make_golden import Writer, rng

VALUES, SETS = 240, 160


def bound(g, n, i, j):
    """An integer of a slice of n elements, maybe beyond its ends."""
    k = int(g.integers(-n - 2, n + 3))
    if g.random() < .75:
        return str(k)
    return ["i", "j", "i + 1", "-j", "j - i", "i*2 - 1"][g.integers(6)]


def index(g, shape, i, j):
    """The text of an index of an array of this shape."""
    items, dots = [], False
    left = list(shape)
    while left:
        p = g.random()
        if p < .1:
            items.append("newaxis" if g.random() < .5 else "None")
        elif p < .18 and not dots:
            items.append("...")
            dots = True
            drop = int(g.integers(0, len(left) + 1))
            left = left[drop:]
        elif p < .38 and left[0]:
            n = left.pop(0)
            k = int(g.integers(-n, n))
            items.append(str(k) if g.random() < .8 or not -n <= i < n else "i")
        elif p < .46:
            left.pop(0)
            items.append(":")
        else:
            n = left.pop(0)
            a, b = bound(g, n, i, j), bound(g, n, i, j)
            t = (a if g.random() < .7 else "") + ":"
            t += b if g.random() < .6 else ""
            if g.random() < .4:
                t += ":" + str(g.choice(["-1", "2", "-2", "3", "", "-7"]))
            items.append(t)
        if items and not dots and g.random() < .15:
            break
    return ", ".join(items) or "..."


def fits(a, b):
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


def term(g, env, name):
    for _ in range(50):
        text = f"{name}[{index(g, env[name].shape, env['i'], env['j'])}]"
        try:
            x = np.asarray(eval(text, dict(env)))
        except IndexError:
            continue
        if x.ndim <= 8:
            return text, x
    return name, env[name]


def expression(g, env):
    text, x = term(g, env, g.choice(["u", "v"]))
    for _ in range(int(g.integers(0, 4))):
        for _ in range(40):
            more, y = term(g, env, g.choice(["u", "v"]))
            shape = fits(x.shape, y.shape)
            if shape is not None and np.prod(shape) < 4000:
                break
        else:
            break
        op = g.choice(["+", "-", "*"])
        text = f"({text} {op} {more})"
        x = eval(text, dict(env))
    p = g.random()
    if p < .1:
        text = f"sum({text})"
    elif p < .2 and x.ndim:
        text = f"sum({text}, axis={int(g.integers(0, x.ndim))})"
    elif p < .3 and x.ndim:
        text = f"({text})[{g.choice(['::-1', '..., 0:1', '0:2', 'newaxis'])}]"
    return text


def statements(g, env):
    """Some that set v, or slices of it, and read it in between."""
    out = []
    for _ in range(int(g.integers(1, 5))):
        to, x = term(g, env, "v")
        if g.random() < .1:
            to, x = "v", env["v"]
        if g.random() < .15:
            out.append("t = u*2 - v")
        for _ in range(60):
            name = "t" if out and out[0][0] == "t" and g.random() < .4 else None
            if name:
                text, y = term(g, dict(env, t=env["u"]), name)
            else:
                text = expression(g, env)
                y = eval(text, dict(env))
            if fits(x.shape, np.shape(y)) == x.shape:
                break
        else:
            text = "i"
        out.append(f"{to} = {text}" + ("*2" if g.random() < .3 else " + 1"))
    return "; ".join(out)


def main():
    w = Writer("slices.bin")
    g = rng("slices")
    k = 0
    while k < VALUES + SETS:
        shape = tuple(int(n) for n in g.integers(1, 6, int(g.integers(1, 5))))
        if g.random() < .05:
            shape = shape[:-1] + (0,)
        n = np.arange(int(np.prod(shape)), dtype=np.int64)
        i, j = (int(n) for n in g.integers(0, 4, 2))
        env = dict(u=(37 * n % 101).reshape(shape),
                   v=(53 * n % 97).reshape(shape), i=i, j=j, sum=np.sum,
                   newaxis=None)
        if k < VALUES:
            text = expression(g, env)
            out = eval(text, env)
        else:
            text = statements(g, env)
            try:
                exec(text, env)
            except (IndexError, ValueError):
                continue
            out = env["v"]
        if env["v"].shape != shape or np.ndim(out) > 8:
            continue
        w.put(f"{k}/text", text)
        w.put(f"{k}/shape", np.array(shape, np.int64))
        w.put(f"{k}/ij", np.array([i, j], np.int64))
        w.put(f"{k}/out", np.asarray(out, np.int64))
        k += 1
    w.close()


if __name__ == "__main__":
    main()
