/* Expressions: random ones against the separate calls, hand-written ones with
   NumPy's values, outputs that are or overlap operands, every error with its
   caret, expressions that are kept, in graphs, in threads, in the cache.    */
#define _GNU_SOURCE
#include "rows.h"
#include "child.h"

#include <locale.h>
#include <pthread.h>

typedef const ga_array *const *operands;

/* --------------------------------------------------------- random trees
   A tree is grown from its leaves on; with every part goes its text, its value
   by the separate calls and, on a GPU, the same value from operands that are
   all a few ulps off: how far rounding carries.                             */
enum { MOST = 20, DEPTH = 6 };
typedef struct part {
    const char *text;
    int level;                      /* of its operator: C's precedence      */
    const ga_array *v, *bent;       /* NULL behind an error                 */
    double known;                   /* of a literal                         */
} part;
enum { L_ANY, L_OR, L_AND, L_BOR, L_XOR, L_BAND, L_EQUAL, L_LESS, L_SHIFT,
       L_ADD, L_MUL, L_SIGN, L_POWER, L_ATOM };
static struct {
    ga_shape shape;
    int types;                      /* which the operands have              */
    ga_dtype one;
    const ga_array *operand[MOST];
    char names[200];
    int n;
    ga_status error;                /* of a separate call that was let fail */
    char *sets;                     /* statements before the expression     */
    int nsets;
    bool inexact, euler;            /* e stands for the constant            */
} g;

static unsigned pick(unsigned n) { return (unsigned)(t_random() >> 33) % n; }
static char *say(const char *fmt, ...) GA__PRINTF(1, 2);
static char *say(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = (char *)t_alloc((size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return p;
}
static const char *gap(void) {
    static const char *const between[] = {"", " ", " ", " ", "\n", "  "};
    return between[pick(6)];
}
/* p as an operand of an operator that asks for `level`. */
static const char *inside(const part *p, int level) {
    return p->level >= level && pick(5) ? p->text
         : say("(%s%s%s)", gap(), p->text, gap());
}

/* Of all types, of floats and complex numbers, of one type. */
static ga_dtype random_dtype(void) {
    if (g.types == 1) return (ga_dtype)(GA_FLOAT16 + pick(6));
    return g.types == 2 ? g.one : (ga_dtype)pick(GA_NUM_DTYPES);
}
static ga_array *made(ga_dtype t, ga_shape s) {
    static const double range[][2] = {{-9, 9}, {-9, 9}, {0.1, 3}, {-1, 1},
                                      {0, 5}, {-100, 100}};
    static const double special[] = {0, -0.0, (double)INFINITY,
                                     (double)-INFINITY, (double)NAN, 1e-40, 1};
    const double *r = range[pick(6)];
    int64_t n = t_size(s);
    void *p = t_fill(t_alloc((size_t)n * ga_dtype_size(t)), t, n, r[0], r[1]);
    if (!t_is_int(t) && !pick(6))
        for (int64_t i = pick(4); i < n; i += 1 + pick(9))
            t_store(p, t, i, special[pick(7)], special[pick(7)]);
    ga_array *x = ga_asarray_as(p, t, s);
    return x ? t_laid_out(x, (int)pick(T_LAYOUTS + 3)) : x;
}
/* A new operand, its shape stretching to that of the expression. */
static int new_operand(bool number) {
    static const char *const name[MOST] = {
        "x", "y", "z", "a", "b", "u1", "e", "_w", "X", "sin", "pi_", "axis",
        "n", "t", "f0", "i", "j", "in_", "o", "last"};
    ga_array *t = (ga_array *)t_alloc(sizeof *t);
    const ga_array *x;
    if (number) {
        static const double real[] = {2, 0.5, -1.5, 3.25, 1e-3, 0};
        switch (pick(6)) {
        case 0: x = ga__arg_b(pick(2), t); break;
        case 1: x = ga__arg_c(t_c128(0.5, pick(3) - 1.0), t); break;
        case 2: x = ga__arg_f(real[pick(6)], t); break;
        default: x = ga__arg_i((int64_t)pick(8) - 2, t);
        }
    } else {
        ga_shape s = g.shape;
        int drop = s.ndim && !pick(4) ? (int)pick((unsigned)s.ndim + 1) : 0;
        s.ndim -= drop;
        for (int i = 0; i < s.ndim; i++)
            s.dim[i] = pick(6) ? g.shape.dim[i + drop] : 1;
        x = made(random_dtype(), s);
    }
    if (g.n) strcat(g.names, pick(2) ? ", " : ",");
    strcat(g.names, name[g.n]);
    if (g.euler && !strcmp(name[g.n], "e")) strcat(g.names, "_");
    g.operand[g.n] = x;
    return g.n++;
}
static const char *name_of(int k) {
    const char *p = g.names;
    for (; k; k--) p = strchr(p, ',') + 1;
    p += *p == ' ';
    return say("%.*s", (int)strcspn(p, ","), p);
}
static bool is_number(const ga_array *x) { return x && !x->ga__buf; }

static part literal(void) {
    part p = {NULL, L_ATOM, NULL, NULL, 0};
    ga_array *t = (ga_array *)t_alloc(sizeof *t);
    static const char *const real[] = {"0.5", "1.5", ".25", "3.", "1e-1",
                                       "2.5e+0", "1.25f", "6.25E-2"};
    unsigned k = pick(20), i = pick(5);
    if (k < 8) {
        p.text = say(pick(6) ? "%u" : pick(2) ? "0x%x" : "%uu", i);
        p.known = i;
        p.v = ga__arg_i((int64_t)i, t);
    } else if (k < 14) {
        p.text = real[pick(8)];
        p.known = strtod(p.text, NULL);
        p.v = ga__arg_f(p.known, t);
    } else if (k == 14) {
        p.text = say("%ui", i);
        p.v = ga__arg_c(t_c128(0, i), t);
    } else if (k == 15) {
        p.text = i & 1 ? "true" : "false";
        p.v = ga__arg_b(i & 1, t);
    } else if (k == 16 && g.n < 7) {
        p.text = "e";               /* the seventh operand has this name    */
        g.euler = true;
        p.v = ga__arg_f(2.718281828459045, t);
    } else if (k == 17) {
        p.text = i & 1 ? "inf" : "nan";
        p.v = ga__arg_f((double)(i & 1 ? INFINITY : NAN), t);
    } else if (k == 18) {
        p.known = -(double)i;
        p.text = say("-%u", i);
        p.level = L_SIGN;
        p.v = ga__arg_i(-(int64_t)i, t);
    } else {
        p.text = "pi";
        p.v = ga__arg_f(3.141592653589793, t);
    }
    return p;
}
static part leaf(bool array) {
    if (!array && pick(10) < 3) return literal();
    int k = -1;
    if (g.n == MOST - 6 || (g.n && pick(2))) {
        k = (int)pick((unsigned)g.n);
        if (array && is_number(g.operand[k])) k = -1;
    }
    if (k < 0 && g.n == MOST) k = 0;        /* the first one is an array    */
    if (k < 0) k = new_operand(!array && g.n && !pick(4));
    return (part){name_of(k), L_ATOM, g.operand[k], NULL, 0};
}

/* A few ulps up. */
static const ga_array *nudged(const ga_array *x, double ulps) {
    if (!x || ulps <= 0) return x;
    if (t_is_complex(x->dtype))
        return ga_mul(x, 1 + 2 * ulps * t_ulp(x->dtype, 1));
    for (; ulps > 0 && t_is_float(x->dtype); ulps--)
        x = ga_nextafter(x, (double)INFINITY);
    return x;
}
static const ga_array *bent_of(const part *p) {
    return p->bent ? p->bent : p->v;
}

/* What a node can be. */
enum { INFIX, FUNCTION1, FUNCTION2, SIGN, CAST, WHERE, CLIP };
typedef struct node {
    int kind;
    const r_row *row;
    ga_dtype t;
} node;
static const struct infix { const char *sign, *row; int level; } infixes[] = {
    {"+", "add", L_ADD}, {"-", "subtract", L_ADD}, {"*", "multiply", L_MUL},
    {"/", "divide", L_MUL}, {"||", "logical_or", L_OR},
    {"&&", "logical_and", L_AND}, {"|", "bitwise_or", L_BOR},
    {"^", "bitwise_xor", L_XOR}, {"&", "bitwise_and", L_BAND},
    {"==", "equal", L_EQUAL}, {"!=", "not_equal", L_EQUAL},
    {"<", "less", L_LESS}, {"<=", "less_equal", L_LESS},
    {">", "greater", L_LESS}, {">=", "greater_equal", L_LESS},
    {"<<", "left_shift", L_SHIFT}, {">>", "right_shift", L_SHIFT},
    {"%", "remainder", L_MUL}, {"**", "power", L_POWER}};
static const struct infix signs[] = {
    {"-", "negative", L_SIGN}, {"+", "positive", L_SIGN},
    {"~", "bitwise_not", L_SIGN}, {"!", "logical_not", L_SIGN}};

static const char *name_or_alias(const char *name) {
#define ALIAS(n, of) {#n, #of},
    static const struct { const char *n, *of; } alias[] = {
        GA_UNARY_ALIASES(ALIAS) GA_BINARY_ALIASES(ALIAS)};
#undef ALIAS
    for (size_t i = 0; i < T_COUNT(alias); i++)
        if (!strcmp(alias[i].of, name) && !pick(3)) return alias[i].n;
    return name;
}
static const ga_array *call(const node *n, const ga_array *x, const ga_array *y,
                            const ga_array *z) {
    switch (n->kind) {
    case CAST: return ga_astype(x, n->t);
    case WHERE: return (ga_where)(x, y, z);
    case CLIP: return (ga_clip)(x, y, z);
    default: return n->row->nin == 1 ? n->row->f1(x) : n->row->f2(x, y);
    }
}
static part grow(int depth, bool array);

/* One node over parts that are there already; v NULL where it fails. */
static part node_over(const part *in) {
    part p = {NULL, L_ATOM, NULL, NULL, 0};
    static const unsigned char often[] = {
        INFIX, INFIX, INFIX, INFIX, INFIX, INFIX, FUNCTION1, FUNCTION1,
        FUNCTION1, FUNCTION1, FUNCTION2, FUNCTION2, SIGN, CAST, WHERE, CLIP};
    node n = {often[pick(T_COUNT(often))], NULL, random_dtype()};
    const struct infix *s = NULL;
    if (n.kind == INFIX) {
        s = &infixes[pick(2) ? pick(4) : pick(T_COUNT(infixes))];
        n.row = r_row_of(s->row);
        p.level = s->level;
        bool power = p.level == L_POWER;
        p.text = say("%s%s%s%s%s", inside(&in[0], p.level + power), gap(),
                     s->sign, gap(), inside(&in[1], power ? L_SIGN
                                                          : p.level + 1));
    } else if (n.kind == SIGN) {
        s = &signs[pick(4)];
        n.row = r_row_of(s->row);
        p.level = L_SIGN;
        p.text = say("%s%s%s", s->sign, gap(), inside(&in[0], L_SIGN));
    } else if (n.kind == FUNCTION1 || n.kind == FUNCTION2) {
        n.row = n.kind == FUNCTION1 ? &r_unaries[pick(R_UNARIES)]
                                    : &r_binaries[pick(R_BINARIES)];
        const char *f = name_or_alias(n.row->name);
        p.text = n.kind == FUNCTION1
                 ? say("%s%s(%s)", f, gap(), inside(&in[0], 0))
                 : say("%s(%s,%s%s)", f, inside(&in[0], 0), gap(),
                       inside(&in[1], 0));
    } else if (n.kind == CAST) {
        p.text = say("%s(%s)", ga_dtype_name(n.t), in[0].text);
    } else if (n.kind == CLIP) {
        p.text = say("clip(%s, %s, %s)", in[0].text, in[1].text, in[2].text);
    } else if (pick(2)) {
        p.text = say("where(%s, %s, %s)", in[0].text, in[1].text, in[2].text);
    } else {
        p.level = L_ANY;
        p.text = say("%s%s?%s%s%s:%s%s", inside(&in[0], L_OR), gap(), gap(),
                     inside(&in[1], 0), gap(), gap(), inside(&in[2], 0));
    }
    int nin = n.kind >= WHERE ? 3 : n.kind == CAST ? 1 : n.row->nin;
    bool numbers = true, failed = false;
    for (int i = 0; i < nin; i++) {
        numbers &= is_number(in[i].v);
        failed |= !in[i].v;
    }
    if (numbers) p.text = NULL;     /* these fold: another test             */
    if (numbers || failed) return p;
    bool power = n.row && r_named(n.row, "power");
    p.v = call(&n, in[0].v, in[1].v, in[2].v);
    if (p.v && power && ga_synchronize()) p.v = NULL;   /* told of late     */
    if (!p.v) {
        ga_status st = ga_error();
        ga_clear_error();
        if (!g.error && !pick(30) && !(power && st == GA_ERR_VALUE))
            g.error = st;           /* this one stays                       */
        else
            p.text = NULL;
        return p;
    }
    g.inexact |= n.row && n.row->ulp > 0;
    if (power && !t_is_int(p.v->dtype)) {       /* as NumPy's ** does       */
        double y = in[1].known;
        const char *same = y == 2 ? "square" : y == 0.5 ? "sqrt"
                           : y == -1 ? "reciprocal" : NULL;
        const ga_dtype t = p.v->dtype;
        if (same) p.v = r_row_of(same)->f1(ga_astype(in[0].v, t));
        if ((y == 3 || y == 4) && (t == GA_FLOAT32 || t == GA_FLOAT64)) {
            ga_array *x = ga_astype(in[0].v, t), *square = ga_square(x);
            p.v = y == 3 ? ga_multiply(square, x) : ga_square(square);
        }
    }
    if (t_on_gpu()) {
        p.bent = call(&n, bent_of(&in[0]), bent_of(&in[1]), bent_of(&in[2]));
        p.bent = nudged(p.bent, n.row ? r_bound(n.row, p.v->dtype) : 0);
        if (power && ga_synchronize()) p.bent = NULL;
        ga_clear_error();
    }
    return p;
}
static part grow(int depth, bool array) {
    if (depth == 0 || (depth < DEPTH - 2 && !pick(8))) return leaf(array);
    part in[3] = {grow(depth - 1, true), grow(depth - 1, false),
                  pick(2) ? grow(depth / 2, false) : leaf(false)};
    if (!pick(6)) {                 /* the array need not be the first      */
        part t = in[0];
        in[0] = in[1];
        in[1] = t;
    }
    if (!pick(8)) in[1] = in[0];    /* something in common                  */
    part p = {NULL, 0, NULL, NULL, 0};
    for (int i = 0; i < 12 && !p.text; i++) p = node_over(in);
    if (!p.text) return in[is_number(in[0].v) ? 1 : 0];
    if (p.v && g.nsets < 4 && !pick(12)) {      /* give it a name           */
        const char *name = say("s%d", g.nsets++);
        g.sets = say("%s%s%s=%s%s;%s", g.sets, name, gap(), gap(), p.text,
                     gap());
        p.text = name;
        p.level = L_ATOM;
    }
    return p;
}

/* A result against the tree's. ulps and slack (absolute) are allowed; of an
   inexact tree on a GPU also four times what a few ulps change, and where
   rounding decides (floor, x < y) one element in 50 may fall otherwise.     */
static void agree(const ga_array *got, const ga_array *want,
                  const ga_array *bent, double ulps, double slack) {
    if (!want || !t_is(got, want->dtype, ga_shape_of(want))) return;
    ga_dtype t = want->dtype;
    const void *x = t_host(got), *y = t_host(want);
    const void *z = bent ? t_host(ga_astype(bent, t)) : NULL;
    int64_t off = 0, at = -1, n = want->size;
    for (int64_t i = 0; i < n; i++) {
        if (t_equal(x, y, t, i)
            || (ulps > 0 && t_distance(x, y, t, i) <= ulps))
            continue;
        double d = 0, room = slack;
        for (int k = 0; k < 1 + t_is_complex(t); k++) {
            double v = t_value(x, t, i, k), w = t_value(y, t, i, k);
            if (!(isnan(v) && isnan(w)) && v != w) d = hypot(d, v - w);
            if (z) room += 4 * fabs(t_value(z, t, i, k) - w);
        }
        if ((z || slack > 0) && d <= room) continue;    /* false for NaN    */
        off++;
        if (at < 0) at = i;
    }
    int64_t most = z && g.inexact ? 1 + n / 50 : 0;
    T_CHECKF(off <= most, "%lld of %lld %s differ; element %lld is %s, "
             "expected %s", (long long)off, (long long)n, ga_dtype_name(t),
             (long long)at, t_text(x, t, at), t_text(y, t, at));
}

/* A reduction around the whole, with axes at random. */
static const struct red {
    const char *name;
    ga_array *(*f)(const ga_array *, ga_axis);
} reds[] = {{"sum", (ga_sum)}, {"mean", (ga_mean)}, {"prod", (ga_prod)},
            {"max", (ga_max)}, {"min", (ga_min)}, {"all", (ga_all)},
            {"any", (ga_any)}};
static ga_axis random_axes(int ndim, const char **text) {
    ga_axis a = GA_ALL;
    char list[80] = "";
    if (ndim && pick(4)) {
        a.n = 0;
        for (int i = 0; i < ndim; i++)
            if (!pick(2)) a.axis[a.n++] = pick(2) ? i : i - ndim;
        if (!a.n) a.axis[a.n++] = (int)pick((unsigned)ndim);
        for (int i = 0; i < a.n; i++)
            snprintf(list + strlen(list), 20, "%s%d", i ? ", " : "",
                     a.axis[i]);
    }
    a.keepdims = !pick(3);
    *text = say("%s%s%s%s%s", a.n < 0 ? "" : a.n > 1 ? ", axis=(" : ",axis = ",
                list, a.n > 1 ? ")" : "",
                a.keepdims ? ", keepdims=true" : "", gap());
    return a;
}
static void reduced(const part *p, operands x) {
    const struct red *r = &reds[pick(T_COUNT(reds))];
    const char *text;
    ga_axis axis = random_axes(p->v->ndim, &text);
    ga_dtype t = p->v->dtype;
    const void *host = t_host(p->v);
    double total = 0, most = 0, least = 1;
    bool nan = false;
    for (int64_t i = 0; i < p->v->size; i++)
        for (int k = 0; k < 1 + t_is_complex(t); k++) {
            double v = fabs(t_value(host, t, i, k));
            nan |= isnan(v);
            if (!isfinite(v)) continue;
            total += v;
            most = fmax(most, v);
            if (v > 0) least = fmin(least, v);
        }
    /* where the order of evaluation would decide */
    if (!strcmp(r->name, "prod") && (t_is_float(t) || t_is_complex(t))
        && (p->v->size > 50 || most > 1e3 || least < 1e-3)) r = &reds[0];
    if (t_is_complex(t) && nan && r->name[0] == 'm') r = &reds[5];
    if (most > 1e30 && r->f != (ga_max) && r->f != (ga_min)) r = &reds[6];
    ga_array *want = r->f(p->v, axis);
    ga_status st = ga_error();
    ga_clear_error();
    char *whole = say("%s%s%s(%s%s)", g.sets, gap(), r->name, p->text, text);
    ga_array *y = (ga_eval)(whole, g.names, x, g.n);
    t_context("%s", whole);
    if (!want) {
        T_CHECKF(!y && ga_error() == st, "%s expected, not %s",
                 ga_status_name(st), ga_status_name(ga_error()));
        ga_clear_error();
        return;
    }
    bool wide = t == GA_FLOAT64 || t == GA_COMPLEX128;
    double n = (double)(p->v->size + 1);
    double ulps = r->f == (ga_max) || r->f == (ga_min) ? 1e-9   /* of 0, -0 */
                  : r->f == (ga_prod) && wide ? 4 * n : 2;
    double slack = r->f == (ga_sum) || r->f == (ga_mean)
                   ? total * ldexp(1, wide ? -90 : -48) : 0;
    if (t_is_int(t) || t == GA_BOOL) slack = r->f == (ga_mean) ? most * 4e-15
                                                               : 0;
    ga_array *bent = p->bent ? r->f(p->bent, axis) : NULL;
    agree(y, want, bent, ulps, slack);
    T_FINE();
}

/* Into outputs: of another layout, a wider dtype, or one of the operands. */
static void into(const part *p, operands x) {
    ga_dtype t = p->v->dtype, to = (ga_dtype)pick(GA_NUM_DTYPES);
    bool half = t == GA_FLOAT16 || t == GA_BFLOAT16;
    if (half || pick(2) || !ga_can_cast(t, to)) to = t;
    const ga_array *want = ga_astype(p->v, to), *bent = NULL;
    if (p->bent) bent = ga_astype(p->bent, to);
    ga_array *out = NULL;
    for (int i = 0; i < g.n && !pick(3); i++) {
        const ga_array *o = g.operand[i];
        bool same = !is_number(o) && o->dtype == to && o->ndim == p->v->ndim;
        for (int k = 0; k < o->ndim && same; k++)
            same = o->shape[k] == p->v->shape[k]
                   && (o->strides[k] || o->shape[k] < 2);
        if (same) out = (ga_array *)(uintptr_t)o;
    }
    if (!out) {
        out = t_random_array(to, ga_shape_of(p->v), -9, 9);
        out = t_laid_out(out, (int)pick(5));
    }
    char *text = say("%s%s", g.sets, p->text);
    t_context("into %s: %s", ga_dtype_name(to), text);
    T_CHECK(ga_eval_into(out, text, g.names, x, g.n) == GA_OK);
    agree(out, want, bent, 0, 0);
    T_FINE();
}

static void random_one(int k) {
    GA_SCOPE;
    static const struct { ga_shape s; int depth; } sizes[] = {
        {{2, {5, 7}}, DEPTH}, {{1, {9}}, DEPTH}, {{0, {0}}, DEPTH},
        {{3, {2, 3, 4}}, DEPTH}, {{2, {4, 3}}, DEPTH}, {{2, {0, 3}}, DEPTH},
        {{2, {1, 1}}, DEPTH}, {{2, {33, 65}}, 5}, {{2, {3, 700}}, 5},
        {{1, {5000}}, 4}, {{4, {2, 1, 3, 5}}, DEPTH}, {{2, {120, 20}}, 5},
        {{8, {1, 2, 1, 3, 1, 2, 2, 1}}, DEPTH}, {{2, {700, 300}}, 3}};
    unsigned s = pick(k % 100 == 99 ? T_COUNT(sizes) : T_COUNT(sizes) - 1);
    memset(&g, 0, sizeof g);
    g.shape = sizes[s].s;
    g.sets = say("%s", gap());
    g.types = (int)pick(4);
    g.one = (ga_dtype)pick(GA_NUM_DTYPES);
    part p = grow(sizes[s].depth - (int)pick(3), true);
    operands x = g.operand;
    char *text = say("%s%s", g.sets, p.text);
    t_context("%d: %s", k, text);
    T_FINE();
    int64_t live = ga_live_arrays();
    if (!p.v) {
        ga_array *y = (ga_eval)(text, g.names, x, g.n);
        T_CHECKF(!y && ga_error() == g.error, "%s expected, not %s (%s)",
                 ga_status_name(g.error), ga_status_name(ga_error()),
                 ga_error_message());
        T_CHECK(ga_live_arrays() == live);
        ga_clear_error();
        return;
    }
    ga_array *y = NULL;
    if (pick(8)) {
        y = (ga_eval)(text, g.names, x, g.n);
    } else {
        ga_expr *f = ga_expr_compile(text, g.names);
        T_CHECK(f);
        y = (ga_expr_run)(f, x, g.n);
        if (pick(2)) {
            ga_free(y);
            y = (ga_expr_run)(f, x, g.n);
        }
        ga_expr_free(f);
    }
    T_CHECK(ga_live_arrays() == live + 1);
    agree(y, p.v, p.bent, 0, 0);
    T_FINE();
    if (!pick(3)) reduced(&p, x);
    if (!pick(4)) into(&p, x);
}
static void random_many(int first, int n) {
    for (int k = first; k < first + n; k++) {
        if (t_quick() && k % 20) continue;
        t_seed = 88172645463325252u + 1000003u * (uint64_t)k;
        for (int i = 0; i < 4; i++) t_random();
        random_one(k);
        t_release_host();
    }
    t_context("%s", "");
}
#define RANDOM(k) TEST(random_##k) { random_many(k * 2000, 2000); }
RANDOM(0) RANDOM(1) RANDOM(2) RANDOM(3) RANDOM(4) RANDOM(5)

/* ----------------------------------------------------- values by hand
   Operands of three elements; the values are NumPy's.                       */
enum { HAND = 9 };
static const ga_array *hand[HAND];
static const char hand_names[] = "x, y, f, i, j, u, b, h, z";
static void make_hand(void) {
    double x[] = {-2, 0.5, 3}, y[] = {4, 2, 0.25};
    int32_t i[] = {5, -3, 12}, j[] = {3, 2, 7};
    uint8_t u[] = {200, 3, 255};
    bool b[] = {true, false, true};
    ga_shape s = GA_SHAPE(3);
    hand[0] = ga_asarray_as(x, GA_FLOAT64, s);
    hand[1] = ga_asarray_as(y, GA_FLOAT64, s);
    hand[2] = ga_astype(hand[0], GA_FLOAT32);
    hand[3] = ga_asarray_as(i, GA_INT32, s);
    hand[4] = ga_asarray_as(j, GA_INT32, s);
    hand[5] = ga_asarray_as(u, GA_UINT8, s);
    hand[6] = ga_asarray_as(b, GA_BOOL, s);
    hand[7] = ga_astype(hand[0], GA_FLOAT16);
    hand[8] = ga_multiply(hand[0], t_c128(0, 1));
}
static void gives(const char *text, ga_dtype t, double a, double b, double c) {
    t_context("%s", text);
    ga_array *y = (ga_eval)(text, hand_names, hand, HAND);
    double v[] = {a, b, c};
    char want[3 * 16];
    for (int k = 0; k < 3; k++) t_store(want, t, k, v[k], 0);
    t_near(y, t, GA_SHAPE(3), want, t_is_float(t) ? 4 : 0);
    T_FINE();
}
#define F8 GA_FLOAT64
#define F4 GA_FLOAT32
#define I4 GA_INT32
#define U1 GA_UINT8
#define B1 GA_BOOL
TEST(precedence) {
    GA_SCOPE;
    make_hand();
    gives("-x**2", F8, -4, -0.25, -9);
    gives("(-x)**2", F8, 4, 0.25, 9);
    gives("x**-2", F8, 0.25, 4, 1 / 9.0);
    gives("y**-x**2", F8, 1 / 256.0, 0.8408964152537145, 262144);
    gives("0*i + 2**3**2", I4, 512, 512, 512);
    gives("0*i + (2**3)**2", I4, 64, 64, 64);
    gives("0*i + -2**2", I4, -4, -4, -4);
    gives("i & j == 3", I4, 1, 0, 0);
    gives("(i & j) == 3", B1, 0, 0, 0);
    gives("i | j ^ j & i", I4, 7, -1, 15);
    gives("1 < x", B1, 0, 0, 1);
    gives("1<x", B1, 0, 0, 1);
    gives("- - i", I4, 5, -3, 12);
    gives("-~i", I4, 6, -2, 13);
    gives("~-i", I4, 4, -4, 11);
    gives("- + - + i", I4, 5, -3, 12);
    gives("!i", B1, 0, 0, 0);
    gives("!!x", B1, 1, 1, 1);
    gives("!b", B1, 0, 1, 0);
    gives("i << 1 + 1", I4, 20, -12, 48);
    gives("i + j << 1", I4, 16, -2, 38);
    gives("i - j - 1", I4, 1, -6, 4);
    gives("i / j / 2", F8, 5 / 6.0, -0.75, 6 / 7.0);
    gives("i / (j / 2)", F8, 10 / 3.0, -3, 24 / 7.0);
    gives("i % j", I4, 2, 1, 5);
    gives("-i % j", I4, 1, 1, 2);
    gives("i * j % 4", I4, 3, 2, 0);
    gives("i - -j", I4, 8, -1, 19);
    gives("i--j", I4, 8, -1, 19);
    gives("i*-j", I4, -15, 6, -84);
    gives("i < j == b", B1, 0, 0, 0);
    gives("i < (j == b)", B1, 0, 1, 0);
    gives("i > 3 || j > 3 && b", B1, 1, 0, 1);
    gives("(i > 3 || j > 3) && b", B1, 1, 0, 1);
    gives("x > 0 ? x : -x", F8, 2, 0.5, 3);
    gives("x < 0 ? 1 : x < 1 ? 2 : 3", GA_INT64, 1, 2, 3);
    gives("x < 1 ? x < 0 ? 1 : 2 : 3", GA_INT64, 1, 2, 3);
    gives("b ? i : j", I4, 5, 2, 12);
    gives("i ? b : x > 0", B1, 1, 0, 1);
    gives("i >= 5 != b", B1, 0, 0, 0);
    gives("i >> 1 & 3", I4, 2, 2, 2);
}
TEST(literals_and_types) {
    GA_SCOPE;
    make_hand();
    gives("pi*x", F8, -6.283185307179586, 1.5707963267948966,
          9.42477796076938);
    gives("e*x", F8, -5.43656365691809, 1.3591409142295225,
          8.154845485377136);
    gives("x*inf", F8, (double)-INFINITY, (double)INFINITY, (double)INFINITY);
    gives("x*nan", F8, (double)NAN, (double)NAN, (double)NAN);
    gives("isnan(nan + f)", B1, 1, 1, 1);
    gives("0x1f + i", I4, 36, 28, 43);
    gives("0XfF + j", I4, 258, 257, 262);
    gives("1e2*x", F8, -200, 50, 300);
    gives(".5*x + 1.", F8, 0, 1.25, 2.5);
    gives("1.5e+1f * f", F4, -30, 7.5, 45);
    gives("10u + i", I4, 15, 7, 22);
    gives("f * 2.0", F4, -4, 1, 6);
    gives("f * pi", F4, -6.2831855f, 1.5707964f, 9.424778f);
    gives("h / 3", GA_FLOAT16, -0.66650390625, 0.1666259765625, 1);
    gives("i + 2.0", F8, 7, -1, 14);
    gives("i / 2", F8, 2.5, -1.5, 6);
    gives("u + 5", U1, 205, 8, 4);
    gives("u * 2", U1, 144, 6, 254);
    gives("u + 1 - 1", U1, 200, 3, 255);
    gives("u + i", I4, 205, 0, 267);
    gives("b + b", B1, 1, 0, 1);
    gives("b + 1", GA_INT64, 2, 1, 2);
    gives("b + true", B1, 1, 1, 1);
    gives("u + false", U1, 200, 3, 255);
    gives("b * x", F8, -2, 0, 3);
    gives("int8(x)", GA_INT8, -2, 0, 3);
    gives("uint8(i)", U1, 5, 253, 12);
    gives("float32(x) / 3", F4, -2 / 3.0, 0.5f / 3, 1);
    gives("float32(x)*x", F8, 4, 0.25, 9);
    gives("bool(x - 3)", B1, 1, 1, 0);
    gives("int64(u) + 300", GA_INT64, 500, 303, 555);
    gives("bfloat16(i) / 2", GA_BFLOAT16, 2.5, -1.5, 6);
    gives("absolute(z)", F8, 2, 0.5, 3);
    gives("u == 300", B1, 0, 0, 0);     /* compares as numbers do          */
    gives("u < -1", B1, 0, 0, 0);
    gives("round(f * 1.5)", F4, -3, 1, 4);
    gives("round(i)", I4, 5, -3, 12);
    gives("rint(i)", F8, 5, -3, 12);
    gives("round(b)", GA_FLOAT16, 1, 0, 1);
    gives("clip(x, -1, 1)", F8, -1, 0.5, 1);
    gives("hypot(x, y)", F8, 4.47213595499958, 2.0615528128088303,
          3.010398644698074);
    gives("pow(x, 2) + fabs(x) + mod(i, 4)", F8, 7, 1.75, 12);
    gives("fmax(x, nan)", F8, -2, 0.5, 3);
    gives("1/4*f", F4, -0.5, 0.125, 0.75);
    gives("(2 + 3)*u", U1, 232, 15, 251);
    gives("u + 2**3", U1, 208, 11, 7);
}
#undef F8
#undef F4
#undef I4
#undef U1
#undef B1

/* --------------------------------------------------------- the macros */
TEST(macros) {
    GA_SCOPE;
    double v[] = {1.5, -2, 3};
    ga_array *x = ga_asarray_as(v, GA_FLOAT64, GA_SHAPE(3));
    ga_array *y = GA_EVAL(1.05 * where(x > 0, x, 1.67*exp(x) - 1.67), x);
    double selu[] = {1.575, -1.5161895808445998, 3.15};
    t_near(y, GA_FLOAT64, GA_SHAPE(3), selu, 4);
    y = GA_EVAL(cos(x)**2 + sin(x)**2, x);
    double one[] = {1, 1, 1};
    t_near(y, GA_FLOAT64, GA_SHAPE(3), one, 4);
    /* C numbers: weak as in the calls */
    double a = 2;
    int n = 3;
    ga_array *f = ga_astype(x, GA_FLOAT32);
    float axpy[] = {6, -1, 9};
    t_same(GA_EVAL(a * f + n, a, f, n), GA_FLOAT32, GA_SHAPE(3), axpy);
    bool yes = true;
    t_same_arrays(GA_EVAL(yes ? f : -f, yes, f), f, 0);
    ga_complex128 z = t_c128(0, 1);
    t_same_arrays(GA_EVAL(z * x, z, x), ga_mul(x, z), 0);
    ga_float16 half = ga_float16_from(0.5f);
    t_same_arrays(GA_EVAL(half * f, half, f), ga_mul(f, half), 0);
    unsigned char small = 200;
    t_same_arrays(GA_EVAL(f * small, f, small), ga_mul(f, small), 0);
    /* nothing but numbers: rank 0 */
    double six = 6;
    t_same(GA_EVAL(a * n, a, n), GA_FLOAT64, GA_SCALAR_SHAPE, &six);
    int64_t nine = 9;
    t_same(GA_EVAL(n * n, n), GA_INT64, GA_SCALAR_SHAPE, &nine);
    bool less = true;
    t_same(GA_EVAL(a < n, a, n), GA_BOOL, GA_SCALAR_SHAPE, &less);
    /* over several lines, with quotes nowhere */
    y = GA_EVAL(
        x
            * x     /* squared */
            - 1,
        x);
    t_same_arrays(y, ga_sub(ga_mul(x, x), 1), 0);
    ga_array *out = ga_full(GA_SHAPE(3), 7, GA_FLOAT64);
    T_CHECK(GA_EVAL_INTO(out, x + a, x, a) == GA_OK);
    t_same_arrays(out, ga_add(x, 2), 0);
    /* twenty-four operands */
    ga_array *p = ga_ones(GA_SHAPE(3), GA_INT32);
    int a0 = 0, a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6, a7 = 7, a8 = 8,
        a9 = 9, b0 = 10, b1 = 11, b2 = 12, b3 = 13, b4 = 14, b5 = 15, b6 = 16,
        b7 = 17, b8 = 18, b9 = 19, c0 = 20, c1 = 21, c2 = 22;
    y = GA_EVAL(p*a0 + p*a1 + p*a2 + p*a3 + p*a4 + p*a5 + p*a6 + p*a7 + p*a8
                + p*a9 + p*b0 + p*b1 + p*b2 + p*b3 + p*b4 + p*b5 + p*b6 + p*b7
                + p*b8 + p*b9 + p*c0 + p*c1 + p*c2, p, a0, a1, a2, a3, a4, a5,
                a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1,
                c2);
    t_same_arrays(y, ga_mul(p, 253), 0);
}
/* The value of a number decides where it must fit; the plan may be kept. */
TEST(numbers_that_fit_or_not) {
    GA_SCOPE;
    ga_array *u = ga_full(GA_SHAPE(3), 3, GA_UINT8);
    for (int round = 0; round < 2; round++) {
        static const int values[] = {5, 255, 256, -1, 0, 300, 127, 128};
        for (size_t k = 0; k < T_COUNT(values); k++) {
            int n = values[k], m = 0;
            t_context("n = %d", n);
            ga_array *y = GA_EVAL(u + n, u, n), *want = ga_add(u, n);
            T_CHECK(!y == !want);
            if (want) t_same_arrays(y, want, 0);
            ga_clear_error();
            y = GA_EVAL(u + (n - m), u, n, m);  /* computed from numbers    */
            if (want) t_same_arrays(y, want, 0);
            else T_CHECK(!y);
            ga_clear_error();
            t_same_arrays(GA_EVAL(u < n, u, n), ga_less(u, n), 0);
            double d = n;
            t_same_arrays(GA_EVAL(u * d, u, d), ga_mul(u, d), 0);
            /* what does not compute in uint8 takes any */
            t_same_arrays(GA_EVAL(u / n, u, n), ga_div(u, n), 0);
            t_same_arrays(GA_EVAL(hypot(n, u), u, n), ga_hypot(n, u), 0);
            t_same_arrays(GA_EVAL(u && n, u, n), ga_logical_and(u, n), 0);
            y = GA_EVAL(clip(u, n, 7), u, n), want = ga_clip(u, n, 7);
            T_CHECK(!y == !want && !want == (n > 255));
            if (want) t_same_arrays(y, want, 0);
            ga_clear_error();
            y = GA_EVAL(clip(u, 1, n), u, n), want = ga_clip(u, 1, n);
            T_CHECK(!y == !want && !want == (n < 0));
            if (want) t_same_arrays(y, want, 0);
            ga_clear_error();
        }
    }
    t_same_arrays(GA_EVAL(clip(u, -1, 300), u), u, 0);
}
/* As C reads them, and whatever the locale writes for the point. */
TEST(numbers_in_text) {
    GA_SCOPE;
    static const char *const number[] = {
        "0.1", "123.456e-7", "5e-324", "1e400", "1e-400", ".5e1", "3.", "1.e3",
        "0.30000000000000004", "2.2250738585072011e-308", "9007199254740993.0",
        "1e99999999999999999999", "0.1e-99999999999999999999", "0e5", "17",
        "1.7976931348623157e+308"};
    ga_array *x = ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT64);
    const ga_array *op[] = {x};
    for (size_t k = 0; k < T_COUNT(number); k++) {
        double want = strtod(number[k], NULL);
        const char *other = setlocale(LC_NUMERIC, "de_DE.UTF-8");
        t_context("%s%s", number[k], other ? " where a point is a comma" : "");
        char *text = say("float64(%s) + x", number[k]);
        ga_array *y = (ga_eval)(text, "x", op, 1);
        setlocale(LC_NUMERIC, "C");
        t_same(y, GA_FLOAT64, GA_SCALAR_SHAPE, &want);
    }
    t_context("%s", "");
}
/* Integers that fit their 64 bits at every step, signed or not. */
TEST(large_integers_in_text) {
    GA_SCOPE;
    ga_array *i = ga_zeros(GA_SHAPE(2), GA_INT64);
    ga_array *u = ga_zeros(GA_SHAPE(2), GA_UINT64);
    t_same_arrays(GA_EVAL(u + 2**63, u), ga_add(u, UINT64_C(1) << 63), 0);
    t_same_arrays(GA_EVAL(i + (2**63 - 1), i), ga_add(i, INT64_MAX), 0);
    t_same_arrays(GA_EVAL(u + (2**64.0 > 1), u), ga_ones_like(u), 0);
    t_same_arrays(GA_EVAL(i + -9223372036854775808, i), ga_add(i, INT64_MIN),
                  0);
    t_same_arrays(GA_EVAL(u + floor_divide(18446744073709551615, 3), u),
                  ga_add(u, UINT64_MAX / 3), 0);
    t_same_arrays(GA_EVAL(u + 9223372036854775808 % 10, u), ga_add(u, 8), 0);
    t_same_arrays(GA_EVAL(u + (4294967295*4294967297), u),
                  ga_add(u, UINT64_MAX), 0);
    t_same_arrays(GA_EVAL(i + (-5 % 3 + -2**3), i), ga_add(i, -7), 0);
}
/* To its operation's dtype, even where the same step in float32 stands by. */
TEST(numbers_round) {
    GA_SCOPE;
    ga_array *h = ga_full(GA_SHAPE(3), 0.1, GA_FLOAT16);
    t_same_arrays(GA_EVAL(int32(h < 0.1) + 2*int32(float32(h) < 0.1), h),
                  ga_full(GA_SHAPE(3), 2, GA_INT32), 0);
    ga_array *b = ga_full(GA_SHAPE(3), 0x1p-130, GA_BFLOAT16);
    t_same_arrays(GA_EVAL(ldexp(b, 257), b), ga_ldexp(b, 257), 0);
}
TEST(bools_beside_integers) {       /* a word of the program's class        */
    GA_SCOPE;
    const ga_array *x = ga_astype(ga_arange(3, 5003, 1), GA_UINT64);
    const ga_array *c = ga_less(ga_remainder(x, 3), 1);
    for (int k = 0; k < 2; k++) {
        const bool b = k;
        t_same_arrays(GA_EVAL(x - (c ? c : b), x, c, b),
                      ga_sub(x, ga_where(c, c, b)), 0);
    }
}
/* What is computed from C numbers: each once, at most 32, negative powers. */
TEST(computed_numbers) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3), GA_INT64), *w = ga_full(GA_SHAPE(3), 2,
                                                               GA_INT8);
    char *text = (char *)t_alloc(20000), *p = text + sprintf(text, "t = a+a;");
    ga_array number;
    const ga_array *op[] = {x, ga__arg_i(1, &number)};
    for (int k = 1; k < 30; k++) p += sprintf(p, "t = t+t;");
    sprintf(p, "x*t");
    t_same_arrays((ga_eval)(text, "x, a", op, 2), ga_mul(x, 1 << 30), 0);
    p = text + sprintf(text, "x*(a");
    for (int k = 0; k < 4000; k++) p += sprintf(p, "+a");
    sprintf(p, ")");
    T_CHECK(!(ga_eval)(text, "x, a", op, 2));
    T_ERROR(GA_ERR_SIZE);
    p = text + sprintf(text, "x*(a + (1");
    for (int k = 0; k < 40; k++) p += sprintf(p, "+1");
    sprintf(p, "))");
    t_same_arrays((ga_eval)(text, "x, a", op, 2), ga_mul(x, 42), 0);
    T_CHECK(!GA_EVAL(w**int8(-2), w));
    T_ERROR(GA_ERR_VALUE);
    ga_array *a = w, *b = ga_copy(w), *c = ga_copy(w), *d = ga_copy(w),
             *e = ga_copy(w), *f = ga_copy(w), *h = ga_copy(w), *i = ga_copy(w),
             *last = ga_neg(w);
    T_CHECK(!GA_EVAL(w**a + w**b + w**c + w**d + w**e + w**f + w**h + w**i
                     + w**last, w, a, b, c, d, e, f, h, i, last));
    T_ERROR(GA_ERR_VALUE);
}
TEST(names) {
    GA_SCOPE;
    ga_array *e = ga_full(GA_SHAPE(2), 5, GA_INT32), *pi = ga_mul(e, 2);
    ga_array *sin = ga_mul(e, 3), *_ = ga_mul(e, 4), *inf = ga_mul(e, 5);
    ga_array *float32 = ga_mul(e, 6), *sum = ga_mul(e, 7), *axis = ga_mul(e, 8);
    ga_array *a_name_of_thirty_one_letters_ab = e;
    t_same_arrays(GA_EVAL(e + pi + inf, e, pi, inf), ga_mul(e, 8), 0);
    t_same_arrays(GA_EVAL(sin + _, sin, _), ga_mul(e, 7), 0);
    t_same_arrays(GA_EVAL(sin(sin) + 0*sin, sin), ga_sin(sin), 0);
    t_same_arrays(GA_EVAL(float32(float32), float32),
                  ga_astype(float32, GA_FLOAT32), 0);
    t_same_arrays(GA_EVAL(sum(sum) + axis, sum, axis),
                  ga_add(ga_sum(sum, GA_ALL), axis), 0);
    t_same_arrays(GA_EVAL(sum(sum, axis=0), sum), ga_sum(sum, GA_ALL), 0);
    t_same_arrays(GA_EVAL(-a_name_of_thirty_one_letters_ab,
                          a_name_of_thirty_one_letters_ab), ga_neg(e), 0);
    const ga_array *x[] = {e, pi};
    t_same_arrays((ga_eval)("\n\t x \r\n +\t y\n ; ", "  x  ,y ", x, 2),
                  ga_add(e, pi), 0);
    /* a name of the text's own hides a constant from then on */
    t_same_arrays((ga_eval)("a = x*pi; pi = 2; a + x*pi", "x,y", x, 2),
                  ga_add(ga_mul(e, 3.141592653589793), ga_mul(e, 2)), 0);
    /* an operand that plays no part: its shape neither */
    const ga_array *z[] = {e, ga_ones(GA_SHAPE(7), GA_FLOAT64)};
    t_same_arrays((ga_eval)("x*x", "x, y", z, 2), ga_mul(e, e), 0);
}

/* On the GPU functions run in registers where all of a thread's elements are
   within their steps, and are called where one is not: the same bits.       */
TEST(functions) {
    static const double ends[] = {0, -0.0, 1e-320, 1e-40, -1e-30, 1, -2, 87.5,
        89, -104, 708, 710, -709, -746, 105614, -105616, 2147483647,
        -2147483649., 1e22, 1e300, (double)INFINITY, -(double)INFINITY,
        (double)NAN};
    enum { N = 3001 };
    double v[N];
    for (int k = 0; k < N; k++)
        v[k] = k < 1500 ? 0.05 * k : ends[k % (int)T_COUNT(ends)];
    for (int k = 0; k < 2; k++) {
        GA_SCOPE;
        ga_dtype t = k ? GA_FLOAT64 : GA_FLOAT32;
        ga_array *x = ga_astype(ga_asarray(v, GA_SHAPE(N)), t);
        ga_array *s = ga_sin(x), *c = ga_cos(x), *e = ga_exp(x);
        ga_array *l = ga_log(x), *h = ga_tanh(x), *p = ga_copy(x);
        ga_array *q = ga_copy(x), *m = ga_greater(x, 1);
        t_same_arrays(GA_EVAL(sin(x), x), s, 0);
        t_same_arrays(GA_EVAL(cos(x), x), c, 0);
        t_same_arrays(GA_EVAL(exp(x), x), e, 0);
        t_same_arrays(GA_EVAL(log(x), x), l, 0);
        t_same_arrays(GA_EVAL(tanh(x), x), h, 0);
        T_CHECK(GA_EVAL_SET(p = sin(x); q = cos(x), p, q, x) == GA_OK);
        t_same_arrays(p, s, 0);
        t_same_arrays(q, c, 0);
        ga_array *one = ga_add(ga_square(c), ga_square(s));
        t_same_arrays(GA_EVAL(cos(x)**2 + sin(x)**2, x), one, 0);
        /* sums of products, and one that is used again */
        t_same_arrays(GA_EVAL(2*s + 3*c, s, c),
                      ga_add(ga_mul(s, 2), ga_mul(c, 3)), 0);
        ga_array *sc = ga_mul(s, c), *cc = ga_mul(c, c);
        t_same_arrays(GA_EVAL(a = s*c; c*c + a + a, s, c),
                      ga_add(ga_add(cc, sc), sc), 0);
        /* with integers and bools */
        ga_array *i = ga_astype(m, GA_INT16);
        t_same_arrays(GA_EVAL(where(i > 0, tanh(x), sin(x)), i, x),
                      ga_where(m, h, s), 0);
        t_same_arrays(GA_EVAL(where(m, log(x), cos(x)), m, x),
                      ga_where(m, l, c), 0);
        t_same_arrays(GA_EVAL(m + x*m, m, x), ga_add(m, ga_mul(x, m)), 0);
    }
}

/* ---------------------------------------------------- several results */
TEST(statements) {
    GA_SCOPE;
    ga_shape sh = GA_SHAPE(4, 6);
    ga_array *x = t_random_array(GA_FLOAT64, sh, -3, 3);
    ga_array *s = ga_zeros(sh, GA_FLOAT64), *c = ga_zeros(sh, GA_FLOAT64);
    T_CHECK(GA_EVAL_SET(s = sin(x); c = cos(x), s, c, x) == GA_OK);
    t_same_arrays(s, ga_sin(x), t_on_gpu() ? 2 : 0);
    t_same_arrays(c, ga_cos(x), t_on_gpu() ? 2 : 0);
    /* in place, again and again */
    ga_array *u = ga_copy(x);
    for (int k = 0; k < 3; k++) T_CHECK(GA_EVAL_SET(u = u + 1, u) == GA_OK);
    t_same_arrays(u, ga_add(ga_add(ga_add(x, 1), 1), 1), 0);
    /* a name that was set stands for its new value */
    ga_array *v = ga_mul(x, 10);
    u = ga_copy(x);
    T_CHECK(GA_EVAL_SET(u = v; v = u, u, v) == GA_OK);
    t_same_arrays(u, ga_mul(x, 10), 0);
    t_same_arrays(v, ga_mul(x, 10), 0);
    /* exchanged through a third name */
    u = ga_copy(x);
    T_CHECK(GA_EVAL_SET(t = u; u = v; v = t, u, v) == GA_OK);
    t_same_arrays(u, ga_mul(x, 10), 0);
    t_same_arrays(v, x, 0);
    u = ga_copy(x);
    T_CHECK(GA_EVAL_SET(t = u*2; u = v + t; v = u - t; u = u + v, u, v)
            == GA_OK);
    ga_array *t2 = ga_mul(x, 2), *u2 = ga_add(x, t2), *v2 = ga_sub(u2, t2);
    t_same_arrays(v, v2, 0);
    t_same_arrays(u, ga_add(u2, v2), 0);
    /* a result beside what is set */
    u = ga_zeros(sh, GA_FLOAT64);
    ga_array *y = GA_EVAL(u = x + 1; u*u, u, x);
    t_same_arrays(u, ga_add(x, 1), 0);
    t_same_arrays(y, ga_mul(u, u), 0);
    T_CHECK(GA_EVAL_INTO(y, u = x - 1; u*2, u, x) == GA_OK);
    t_same_arrays(u, ga_sub(x, 1), 0);
    t_same_arrays(y, ga_mul(u, 2), 0);
    /* what is set takes on its array's dtype, also for what follows */
    ga_array *f = ga_zeros(sh, GA_FLOAT32);
    y = GA_EVAL(f = x/3; f, f, x);
    t_same_arrays(f, ga_astype(ga_div(x, 3), GA_FLOAT32), 0);
    t_same_arrays(y, f, 0);
    /* copies, constants, one value in two places */
    y = ga_zeros(sh, GA_FLOAT64);
    v = ga_zeros(sh, GA_FLOAT64);
    T_CHECK(GA_EVAL_SET(u = 5; v = x; y = x, u, v, y, x) == GA_OK);
    t_same_arrays(u, ga_full(sh, 5, GA_FLOAT64), 0);
    t_same_arrays(v, x, 0);
    t_same_arrays(y, x, 0);
    T_CHECK(GA_EVAL_SET(u = x*3; v = x*3, u, v, x) == GA_OK);
    t_same_arrays(u, ga_mul(x, 3), 0);
    t_same_arrays(v, u, 0);
    /* layouts */
    for (int k = 1; k < 5; k++) {
        ga_array *p = t_laid_out(x, k), *q = t_laid_out(x, 1 + k % 4);
        t_context("layouts %d", k);
        T_CHECK(GA_EVAL_SET(p = p + q; q = p*q, p, q) == GA_OK);
        t_same_arrays(p, ga_add(x, x), 0);
        t_same_arrays(q, ga_mul(ga_add(x, x), x), 0);
    }
    t_context("%s", "");
    /* operands stretch to what is given */
    ga_array *row = ga_slice(x, "1"), *three = ga_zeros(GA_SHAPE(3, 4, 6),
                                                         GA_FLOAT64);
    T_CHECK(GA_EVAL_INTO(three, x + row, x, row) == GA_OK);
    t_same_arrays(three, ga_copy(ga_broadcast_to(ga_add(x, row),
                                                 GA_SHAPE(3, 4, 6))), 0);
    T_CHECK(GA_EVAL_SET(three = 7, three) == GA_OK);
    t_same_arrays(three, ga_full(GA_SHAPE(3, 4, 6), 7, GA_FLOAT64), 0);
    /* more results than one program stores */
    ga_array *o[9];
    for (int k = 0; k < 9; k++) o[k] = ga_zeros(sh, GA_FLOAT64);
    ga_array *a = o[0], *b = o[1], *d = o[2], *e = o[3], *g1 = o[4], *h = o[5],
             *i = o[6], *j = o[7], *k = o[8];
    T_CHECK(GA_EVAL_SET(a = x + 1; b = a*2; d = b + a; e = d - x; g1 = e*e;
                        h = g1 + a; i = h*b; j = i - d; k = j + e + x,
                        a, b, d, e, g1, h, i, j, k, x) == GA_OK);
    ga_array *w[9];
    w[0] = ga_add(x, 1);
    w[1] = ga_mul(w[0], 2);
    w[2] = ga_add(w[1], w[0]);
    w[3] = ga_sub(w[2], x);
    w[4] = ga_mul(w[3], w[3]);
    w[5] = ga_add(w[4], w[0]);
    w[6] = ga_mul(w[5], w[1]);
    w[7] = ga_sub(w[6], w[2]);
    w[8] = ga_add(ga_add(w[7], w[3]), x);
    for (int q = 0; q < 9; q++) {
        t_context("result %d of 9", q);
        t_same_arrays(o[q], w[q], 0);
    }
}

/* What was set has the shape of its array, also for reductions. */
TEST(set_then_reduced) {
    GA_SCOPE;
    ga_array *u = ga_zeros(GA_SHAPE(2, 3), GA_FLOAT64);
    ga_array *row = ga_arange(0, 3, 1);
    ga_array *y = GA_EVAL(u = 5; u + sum(u), u);
    t_same_arrays(y, ga_full(GA_SHAPE(2, 3), 35, GA_FLOAT64), 0);
    y = GA_EVAL(u = row; t = u*2; u + sum(t, axis=0), u, row);
    t_same_arrays(u, ga_copy(ga_broadcast_to(ga_astype(row, GA_FLOAT64),
                                             GA_SHAPE(2, 3))), 0);
    t_same_arrays(y, ga_mul(u, 5), 0);
    ga_array *four = ga_ones(GA_SHAPE(4), GA_FLOAT64);
    T_CHECK(GA_EVAL_SET(u = four; u = u + sum(u), u, four) == GA_ERR_SHAPE);
    T_CHECK(strstr(ga_error_message(), "\n  ^"));
    T_ERROR(GA_ERR_SHAPE);
}
/* Sums and products that wrap, then are compared, shifted, widened or chosen:
   in programs of 4 bytes, and of 8 beside int64.                            */
TEST(narrow_integers) {
    static const ga_dtype types[] = {GA_INT8, GA_UINT8, GA_INT16, GA_UINT16,
                                     GA_INT32, GA_UINT32};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        GA_SCOPE;
        const ga_dtype t = types[i];
        t_context("%s", ga_dtype_name(t));
        const ga_shape s = GA_SHAPE(37, 29);
        ga_array *x = ga_astype(ga_random_integers(-40000, 40000, s, GA_INT64), t);
        ga_array *y = ga_astype(ga_random_integers(-40000, 40000, s, GA_INT64), t);
        ga_array *z = ga_random_integers(-5, 5, s, GA_INT64);
        ga_array *few = ga_astype(ga_random_integers(0, 9, s, GA_INT64), t);
        ga_array *sum = ga_add(x, y), *off = ga_sub(x, y), *by = ga_mul(x, y);
        t_same_arrays(GA_EVAL(x + y > y, x, y), ga_greater(sum, y), 0);
        t_same_arrays(GA_EVAL(x*y <= x, x, y), ga_less_equal(by, x), 0);
        t_same_arrays(GA_EVAL((x*y) >> 1, x, y), ga_right_shift(by, 1), 0);
        t_same_arrays(GA_EVAL((x - y) >> n, x, y, (n, few)),
                      ga_right_shift(off, few), 0);
        t_same_arrays(GA_EVAL((x << n) >= y, x, y, (n, few)),
                      ga_greater_equal(ga_left_shift(x, few), y), 0);
        t_same_arrays(GA_EVAL(x << (y - 3), x, y),
                      ga_left_shift(x, ga_sub(y, 3)), 0);
        t_same_arrays(GA_EVAL(maximum(x - y, y) + minimum(~x, -y), x, y),
                      ga_add(ga_maximum(off, y),
                             ga_minimum(ga_invert(x), ga_neg(y))), 0);
        t_same_arrays(GA_EVAL(clip(x*y, -3, 100), x, y),
                      ga_clip(by, -3, 100), 0);
        t_same_arrays(GA_EVAL(where(x == y, x + y, y - 7) < x, x, y),
                      ga_less(ga_where(ga_equal(x, y), sum, ga_sub(y, 7)), x), 0);
        t_same_arrays(GA_EVAL((x + y) + z, x, y, z), ga_add(sum, z), 0);
        t_same_arrays(GA_EVAL((x - y > y) + z, x, y, z),
                      ga_add(ga_greater(off, y), z), 0);
        t_same_arrays(GA_EVAL(maximum(x*y, z) >> 2, x, y, z),
                      ga_right_shift(ga_maximum(by, z), 2), 0);
        /* the count in the accumulator; truths of narrow numbers as words   */
        ga_array *down = ga_right_shift(x, ga_bitwise_and(few, 3));
        ga_array *none = ga_logical_not(off);
        t_same_arrays(GA_EVAL((x >> (n & 3)) < y, x, y, (n, few)),
                      ga_less(down, y), 0);
        t_same_arrays(GA_EVAL(((x >> (n & 3)) < y) + z, x, y, z, (n, few)),
                      ga_add(ga_less(down, y), z), 0);
        t_same_arrays(GA_EVAL((x >> (n & 3)) + z, x, z, (n, few)),
                      ga_add(down, z), 0);
        t_same_arrays(GA_EVAL(!(x - y) + z, x, y, z), ga_add(none, z), 0);
        t_same_arrays(GA_EVAL((!(x - y) == (x > y)) + z, x, y, z),
                      ga_add(ga_equal(none, ga_greater(x, y)), z), 0);
        t_same_arrays(GA_EVAL((x + y)*0.5, x, y), ga_mul(sum, 0.5), 0);
        t_same_arrays(GA_EVAL(max(x + y, axis=0), x, y),
                      ga_max(sum, GA_AXIS(0)), 0);
        t_same_arrays(GA_EVAL(min((x - y) + z), x, y, z),
                      ga_min(ga_add(off, z), GA_ALL), 0);
        t_same_arrays(GA_EVAL(sum(x*y, axis=1), x, y),
                      ga_sum(by, GA_AXIS(1)), 0);
    }
}
/* Words of two halves or four bytes: every layout that their loads know, long
   rows and short ones; folds of each sort; not 0 and 1 alone.               */
static void packed_layouts(ga_array *x, ga_array *y, ga_array *z) {
    const bool real = x->dtype != GA_INT8 && x->dtype != GA_UINT8;
    ga_array *by = ga_sub(ga_mul(x, z), y), *top = ga_maximum(x, ga_add(y, z));
    ga_array *one = ga_where(ga_less(x, y), by, top);
    t_same_arrays(GA_EVAL(where(x < y, x*z - y, maximum(x, y + z)), x, y, z),
                  one, 0);
    t_same_arrays(GA_EVAL(minimum(y, where(x*z - y >= z, -x, 3)), x, y, z),
                  ga_minimum(y, ga_where(ga_greater_equal(by, z), ga_neg(x),
                                         3)),
                  0);
    t_same_arrays(GA_EVAL((x <= y) != (z > x) || !(y - z), x, y, z),
                  ga_logical_or(ga_not_equal(ga_less_equal(x, y),
                                             ga_greater(z, x)),
                                ga_logical_not(ga_sub(y, z))), 0);
    if (real) {
        t_same_arrays(GA_EVAL(exp(-fabs(x))/(1 + y**2) + sqrt(z*z), x, y, z),
                      ga_add(ga_div(ga_exp(ga_neg(ga_abs(x))),
                                    ga_add(1, ga_square(y))),
                             ga_sqrt(ga_mul(z, z))), 2);
        t_same_arrays(GA_EVAL(tanh(log(sin(x)*cos(x) + 2)/y), x, y),
                      ga_tanh(ga_div(ga_log(ga_add(ga_mul(ga_sin(x), ga_cos(x)),
                                                   2)), y)), 4);
    }
    for (int a = -1; a < 2; a++) {
        const ga_axis axes = a < 0 ? GA_ALL : GA_AXIS(a);
        ga_array *of[4] = {
            a < 0 ? GA_EVAL(max(maximum(x, y + z)), x, y, z)
            : a ? GA_EVAL(max(maximum(x, y + z), axis=1), x, y, z)
                : GA_EVAL(max(maximum(x, y + z), axis=0), x, y, z),
            a < 0 ? GA_EVAL(min(maximum(x, y + z)), x, y, z)
            : a ? GA_EVAL(min(maximum(x, y + z), axis=1), x, y, z)
                : GA_EVAL(min(maximum(x, y + z), axis=0), x, y, z),
            a < 0 ? GA_EVAL(any(x > y + z), x, y, z)
            : a ? GA_EVAL(any(x > y + z, axis=1), x, y, z)
                : GA_EVAL(any(x > y + z, axis=0), x, y, z),
            a < 0 ? GA_EVAL(sum(x < y), x, y)
            : a ? GA_EVAL(sum(x < y, axis=1), x, y)
                : GA_EVAL(sum(x < y, axis=0), x, y)};
        t_same_arrays(of[0], ga_max(top, axes), 0);
        t_same_arrays(of[1], ga_min(top, axes), 0);
        t_same_arrays(of[2], ga_any(ga_greater(x, ga_add(y, z)), axes), 0);
        t_same_arrays(of[3], ga_sum(ga_less(x, y), axes), 0);
        if (!real)
            t_same_arrays(a < 0 ? GA_EVAL(sum(x*z - y), x, y, z)
                          : a ? GA_EVAL(sum(x*z - y, axis=1), x, y, z)
                              : GA_EVAL(sum(x*z - y, axis=0), x, y, z),
                          ga_sum(by, axes), 0);
    }
}
/* 0.1f is no half: a half's 0.1 is below it. */
static void packed_constants(void) {
    GA_SCOPE;
    ga_array *h = ga_full(GA_SHAPE(3, 2000), 0.1, GA_FLOAT16);
    ga_array *f = ga_astype(h, GA_FLOAT32), *on = ga_less(f, 0.1);
    t_same_arrays(GA_EVAL(float32(h) < 0.1, h), on, 0);
    t_same_arrays(GA_EVAL(sum(float32(h) < 0.1, axis=1), h),
                  ga_sum(on, GA_AXIS(1)), 0);
    t_same_arrays(GA_EVAL(where(float32(h) < 0.1, h, -h), h), h, 0);
    t_same_arrays(GA_EVAL(h < 0.1, h), ga_less(h, 0.1), 0);
    t_same_arrays(GA_EVAL(float32(h)*0.1, h), ga_mul(f, 0.1), 0);
}
TEST(packed_words) {
    packed_constants();
    static const ga_dtype types[] = {GA_INT8, GA_UINT8, GA_FLOAT16,
                                     GA_BFLOAT16};
    static const int64_t columns[] = {16, 100, 1030, 4103, 8192};
    for (size_t i = 0; i < T_COUNT(types); i++)
        for (size_t k = 0; k < T_COUNT(columns); k++) {
            GA_SCOPE;
            if (t_quick() && (i + k) % 2) continue;
            const int64_t n = columns[k], rows = n > 4000 ? 7 : 70;
            t_context("%s, %d columns", ga_dtype_name(types[i]), (int)n);
            const double low = i > 1 ? -3 : i ? 0 : -128;
            const double high = i > 1 ? 3 : i ? 256 : 128;
            ga_array *x = ga_astype(ga_random_uniform(low, high, GA_SHAPE(rows,
                                        n + 5), GA_FLOAT32), types[i]);
            ga_array *y = ga_astype(ga_random_uniform(low, high, GA_SHAPE(rows,
                                        n), GA_FLOAT32), types[i]);
            ga_array *off = ga_slice_axis(x, 1, 3, n + 3, 1);
            ga_array *row = ga_slice_axis(y, 0, 0, 1, 1);
            ga_array *column = ga_slice_axis(y, 1, 2, 3, 1);
            x = ga_slice_axis(x, 1, 0, n, 1);
            packed_layouts(ga_copy(x), y, ga_copy(off));
            packed_layouts(ga_copy(x), row, column);
            packed_layouts(off, y, column);
            packed_layouts(ga_swapaxes(off, 0, 1), ga_swapaxes(y, 0, 1),
                           ga_swapaxes(row, 0, 1));
            packed_layouts(ga_slice_axis(off, 1, 0, n, 2),
                           ga_slice_axis(y, 1, 0, n, 2), column);
        }
}
/* Programs that a GPU runs by the launches of their operations: the same bits as
   these, in layouts that those take.                                        */
TEST(own_launches) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16,
                                     GA_BFLOAT16, GA_INT8, GA_COMPLEX64};
    for (size_t k = 0; k < T_COUNT(types); k++)
        for (int how = 0; how < 4; how++) {
            GA_SCOPE;
            const ga_dtype t = types[k];
            ga_array *x = t_random_array(t, GA_SHAPE(61, 77), -3, 3);
            ga_array *y = t_random_array(t, GA_SHAPE(61, 77), 1, 3);
            if (how == 1) x = ga_slice(x, ":, ::-2"), y = ga_slice(y, ":, :39");
            if (how == 2) y = ga_slice(y, "3");
            if (how == 3) x = ga_transpose(x, GA_ALL), y = ga_slice(y, ":, :1");
            if (how == 3) y = ga_reshape(y, GA_SHAPE(61));
            t_context("%s, layout %d", ga_dtype_name(t), how);
            t_same_arrays(GA_EVAL(x*y, x, y), ga_mul(x, y), 0);
            t_same_arrays(GA_EVAL(x + 1.5, x), ga_add(x, 1.5), 0);
            t_same_arrays(GA_EVAL(x == y, x, y), ga_equal(x, y), 0);
            t_same_arrays(GA_EVAL(absolute(x), x), ga_absolute(x), 0);
            t_same_arrays(GA_EVAL(where(x == y, x, y), x, y),
                          ga_where(ga_equal(x, y), x, y), 0);
            t_same_arrays(GA_EVAL(isfinite(x), x), ga_isfinite(x), 0);
            if (t == GA_COMPLEX64) continue;
            t_same_arrays(GA_EVAL(floor_divide(x, y), x, y),
                          ga_floor_divide(x, y), 0);
            t_same_arrays(GA_EVAL(clip(x, -1, 2), x), ga_clip(x, -1, 2), 0);
            if (t == GA_FLOAT16 || t == GA_BFLOAT16)    /* 0.1 is not one   */
                t_same_arrays(GA_EVAL(float32(x) < 0.1, x),
                              ga_less(ga_astype(x, GA_FLOAT32), 0.1), 0);
            ga_array *out = ga_zeros(ga_shape_of(x), GA_FLOAT64);
            T_CHECK(!GA_EVAL_INTO(out, rint(x), x));
            t_same_arrays(out, ga_astype(ga_rint(x), GA_FLOAT64), 0);
        }
    if (t_quick()) return;
    for (int k = 0; k < 2; k++) {
        GA_SCOPE;
        ga_array *x = ga_astype(ga_random_uniform(-4, 4, GA_SHAPE(2051, 2053),
                                    GA_FLOAT32), k ? GA_BFLOAT16 : GA_FLOAT16);
        ga_expr *e = ga_expr_compile("x*sigmoid(x)", "x");
        ga_array *want = ga_mul(x, ga_sigmoid(x));
        t_same_arrays(GA_EXPR_RUN(e, x), want, 0);
        T_CHECK(!GA_EXPR_RUN_INTO(x, e, x));
        t_same_arrays(x, want, 0);
        char *way = GA_EXPR_DESCRIBE(e, x);
        if (t_on_gpu()) T_CHECKF(way && strstr(way, "launches"), "%s", way);
        free(way);
        ga_expr_free(e);
    }
    t_context("%s", "");
}
/* One value for more outputs than a program has; outputs on one another: the
   statement that stands last counts, whatever was computed first.          */
TEST(same_outputs) {
    GA_SCOPE;
    ga_shape sh = GA_SHAPE(40);
    ga_array *x = t_random_array(GA_FLOAT32, sh, 1, 9), *o[8];
    for (int k = 0; k < 8; k++) o[k] = ga_zeros(sh, GA_FLOAT32);
    ga_array *a = o[0], *b = o[1], *c = o[2], *d = o[3], *e = o[4], *f = o[5],
             *h = o[6], *i = o[7];
    T_CHECK(GA_EVAL_SET(a = x*2; b = x*2; c = x*2; d = x*2; e = x*2; f = x*2;
                        h = x*2; i = x*2, a, b, c, d, e, f, h, i, x) == GA_OK);
    for (int k = 0; k < 8; k++) t_same_arrays(o[k], ga_mul(x, 2), 0);
    b = a;
    T_CHECK(GA_EVAL_SET(a = sqrt(x*3); b = x*3, a, b, x) == GA_OK);
    t_same_arrays(a, ga_mul(x, 3), 0);
    T_CHECK(GA_EVAL_INTO(a, b = sqrt(x*4); x*4, b, x) == GA_OK);
    t_same_arrays(a, ga_mul(x, 4), 0);
    b = ga_slice(c, ":-1");
    d = ga_slice(c, "1:");
    h = ga_slice(x, "1:");
    T_CHECK(GA_EVAL_SET(b = sqrt(h*3); d = h*3, b, d, h) == GA_OK);
    t_same_arrays(d, ga_mul(h, 3), 0);
    T_CHECK(GA_EVAL_SET(d = 1; b = sqrt(h*5); d = h*5, b, d, h) == GA_OK);
    t_same_arrays(d, ga_mul(h, 5), 0);
}

/* Outputs that share memory with operands: as if these were copies. */
TEST(overlap) {
    GA_SCOPE;
    static const int lengths[] = {7, 100, 3000, 70001};
    for (size_t l = 0; l < T_COUNT(lengths); l++) {
        int n = lengths[l];
        t_context("%d elements", n);
        ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(n + 2), -5, 5);
        ga_array *a = ga_copy(x), *b, *c, *o;
        /* one further, one back, reversed */
        ga_array *in = ga_slice_axis(a, 0, 0, n, 1);
        ga_array *out = ga_slice_axis(a, 0, 1, n + 1, 1);
        ga_array *want = ga_add(ga_mul(in, 2), 1);
        T_CHECK(GA_EVAL_INTO(out, in*2 + 1, in) == GA_OK);
        t_same_arrays(out, want, 0);
        in = ga_slice_axis(a, 0, 2, n + 2, 1);
        want = ga_add(ga_mul(in, 2), 1);
        T_CHECK(GA_EVAL_INTO(out, in*2 + 1, in) == GA_OK);
        t_same_arrays(out, want, 0);
        out = ga_flip(in, GA_ALL);
        want = ga_add(ga_mul(in, 2), 1);
        T_CHECK(GA_EVAL_INTO(out, in*2 + 1, in) == GA_OK);
        t_same_arrays(out, want, 0);
        /* diffusion: the middle from its neighbours */
        a = ga_slice_axis(x, 0, 0, n, 1);
        b = ga_slice_axis(x, 0, 1, n + 1, 1);
        c = ga_slice_axis(x, 0, 2, n + 2, 1);
        want = ga_add(b, ga_mul(ga_add(ga_sub(a, ga_mul(b, 2)), c), 0.25));
        T_CHECK(GA_EVAL_SET(b = b + (a - b*2 + c)*0.25, a, b, c) == GA_OK);
        t_same_arrays(b, want, 0);
        /* two outputs on one another, each other's operands */
        o = ga_copy(x);
        a = ga_slice_axis(o, 0, 0, n, 1);
        b = ga_slice_axis(o, 0, 2, n + 2, 1);
        c = ga_copy(a);
        T_CHECK(GA_EVAL_SET(a = b*2, a, b) == GA_OK);
        t_same_arrays(a, ga_mul(ga_slice_axis(x, 0, 2, n + 2, 1), 2), 0);
        /* statements in turn: a's new values are not seen through b */
        o = ga_copy(x);
        a = ga_slice_axis(o, 0, 0, n, 1);
        c = ga_zeros(GA_SHAPE(n), GA_FLOAT32);
        b = ga_slice_axis(o, 0, 2, n + 2, 1);
        want = ga_add(b, 1);
        T_CHECK(GA_EVAL_SET(a = a*0; c = b + 1, a, b, c) == GA_OK);
        t_same_arrays(c, want, 0);
    }
    ga_array *sq = t_random_array(GA_INT64, GA_SHAPE(130, 130), -99, 99);
    ga_array *x = ga_copy(sq), *out = ga_transpose(sq, GA_ALL);
    T_CHECK(GA_EVAL_INTO(out, sq - 2, sq) == GA_OK);
    t_same_arrays(out, ga_sub(x, 2), 0);
    ga_array *row = ga_slice(sq, "3");      /* the output's own row         */
    x = ga_add(sq, ga_copy(row));
    T_CHECK(GA_EVAL_SET(sq = sq + row, sq, row) == GA_OK);
    t_same_arrays(sq, x, 0);
    ga_array *first = ga_slice(sq, "0, 0");
    x = ga_sub(sq, ga_copy(first));
    T_CHECK(GA_EVAL_SET(sq = sq - first, sq, first) == GA_OK);
    t_same_arrays(sq, x, 0);
    /* a reduction into a part of what it reduces */
    ga_array *f = t_random_array(GA_FLOAT64, GA_SHAPE(5, 4), -9, 9);
    row = ga_slice(f, "2");
    x = ga_sum(ga_mul(f, 2), GA_AXIS(0));
    T_CHECK(GA_EVAL_INTO(row, sum(f*2, axis=0), f) == GA_OK);
    t_same_arrays(row, x, 1);
}

/* Functions of complex numbers, which the GPU's interpreter calls, some of them by
   another's text with the parts exchanged.                                  */
TEST(complex_functions) {
    GA_SCOPE;
    static const ga_dtype type[] = {GA_COMPLEX64, GA_COMPLEX128};
    for (int t = 0; t < 2; t++) {
        ga_array *z = t_random_array(type[t], GA_SHAPE(1037), -3, 3);
        ga_array *w = ga_roll(z, 100, GA_ALL);
        const double worst = t ? 1e-13 : 1e-5;
#define GA__X(f) \
        T_CHECKF(ga_allclose(GA_EVAL(f(z)*2 - w, z, w), \
                             ga_sub(ga_mul(ga_##f(z), 2), w), worst, worst, 0), \
                 "%s of %s", #f, ga_dtype_name(type[t]));
        GA__X(exp) GA__X(exp2) GA__X(log) GA__X(log2) GA__X(log10) GA__X(sqrt)
        GA__X(sin) GA__X(cos) GA__X(tan) GA__X(sinh) GA__X(cosh) GA__X(tanh)
        GA__X(arcsin) GA__X(arccos) GA__X(arctan) GA__X(arcsinh)
        GA__X(arccosh) GA__X(arctanh) GA__X(expm1) GA__X(log1p) GA__X(sign)
        GA__X(reciprocal) GA__X(square) GA__X(sinc) GA__X(rint)
#undef GA__X
        t_same_arrays(GA_EVAL(absolute(z) + angle(w), z, w),
                      ga_add(ga_absolute(z), ga_angle(w)), 1);
    }
}

/* Quotients and roots where all of a thread's elements are within the row's
   steps, where a few are not, and of any bits: those of the separate calls. */
static ga_array *any_bits(ga_dtype t, int64_t n, int kind) {
    static uint64_t s = 88172645463325252u;
    const size_t size = ga_dtype_size(t);
    const int top = t == GA_FLOAT64 ? 52 : t == GA_FLOAT32 ? 23 : t == GA_FLOAT16 ? 10 : 7;
    const uint64_t mask = (UINT64_C(1) << top) - 1, sign = UINT64_C(1) << (size * 8 - 1);
    const uint64_t one = ((sign - 1) & ~mask) / 2 & ~mask;      /* 1.0      */
    unsigned char *p = malloc((size_t)n * size);
    assert_non_null(p);
    for (int64_t i = 0; i < n; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        uint64_t v = s;
        if (kind > 0) v = one ^ (v & (sign | mask));
        if (kind > 1 && s >> 40 & 1 && i % 97 == 0) v &= sign;
        for (size_t b = 0; b < size; b++)
            p[(size_t)i * size + b] = (unsigned char)(v >> 8 * b);
    }
    ga_array *x = ga_asarray_as(p, t, GA_SHAPE(n));
    free(p);
    return x;
}
TEST(quotients_and_roots) {
    static const ga_dtype real[] = {GA_FLOAT16, GA_BFLOAT16, GA_FLOAT32, GA_FLOAT64};
    enum { N = 70001 };
    for (int t = 0; t < 4; t++)
        for (int kind = 0; kind < 3; kind++) {
            GA_SCOPE;
            ga_array *x = any_bits(real[t], N, kind), *y = any_bits(real[t], N, kind);
            ga_array *q = ga_divide(x, y);
            t_same_arrays(GA_EVAL(x/y, x, y), q, 0);
            t_same_arrays(GA_EVAL((-y)/x, x, y), ga_divide(ga_negative(y), x), 0);
            t_same_arrays(GA_EVAL(x/3 + 2.5/y, x, y),
                          ga_add(ga_divide(x, 3), ga_divide(2.5, y)), 0);
            if (t < 2) continue;
            ga_array *k = t_random_array(GA_INT32, GA_SHAPE(N), -9, 9);
            t_same_arrays(GA_EVAL(sqrt(absolute(x)) + k, x, k),
                          ga_add(ga_sqrt(ga_absolute(x)), k), 0);
            t_same_arrays(GA_EVAL(sqrt(y), y), ga_sqrt(y), 0);
            t_same_arrays(GA_EVAL(k + x/y, k, x, y), ga_add(k, q), 0);
            t_same_arrays(GA_EVAL(where(k > 0, x/y, y/x), k, x, y),
                          ga_where(ga_greater(k, 0), q, ga_divide(y, x)), 0);
        }
}
/* Rows of the GPU's interpreter for operands that are numbers, or with steps of
   their own: the bits of the separate calls, where they come back too.      */
TEST(numbers) {
    GA_SCOPE;
    static const double power[] = {3, 4, 7, 32, 33, 2.5, -2, 1e9};
    static const ga_dtype real[] = {GA_FLOAT16, GA_FLOAT32, GA_FLOAT64},
                          byte[] = {GA_INT8, GA_UINT8};
    for (int t = 0; t < 3; t++) {
        ga_array *x = t_random_array(real[t], GA_SHAPE(1037), -3, 3);
        for (int i = 0; i < 8; i++) {
            const double n = power[i];
            t_same_arrays(GA_EVAL(x**n - 1, x, n), ga_sub(ga_power(x, n), 1),
                          0);
        }
        /* ends: zeros, infinities, NaN, results below the normal numbers   */
        static const double end[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1, -1,
                                     1e-5, -3e-4, 2e-13, -1e-103, 6e4, -7e18};
        ga_array *ends = ga_tile(ga_astype(ga_asarray(end, GA_SHAPE(13)),
                                           real[t]), GA_SHAPE(80));
        for (int i = 0; i < 8; i++) {
            const double n = power[i];
            t_same_arrays(GA_EVAL(-(x**n), (x, ends), n),
                          ga_negative(ga_power(ends, n)), 0);
        }
        for (double s = 1e-300; s < 1e300; s *= 1e75)
            t_same_arrays(GA_EVAL(tanh(x*s) + x, x, s),
                          ga_add(ga_tanh(ga_mul(x, s)), x), 0);
    }
    for (int t = 0; t < 2; t++) {
        ga_array *v = t_random_array(byte[t], GA_SHAPE(1037), -128, 255);
        static const int count[] = {0, 1, 3, 7, 8, 9};
        for (int i = 0; i < 6; i++) {
            const int n = count[i];
            t_same_arrays(GA_EVAL((v*n ^ v) >> n, v, n),
                          ga_right_shift(ga_bitwise_xor(ga_mul(v, n), v), n),
                          0);
            t_same_arrays(GA_EVAL(v << n | v, v, n),
                          ga_bitwise_or(ga_left_shift(v, n), v), 0);
        }
    }
    ga_array *z = t_random_array(GA_COMPLEX64, GA_SHAPE(1037), -3, 3);
    ga_array *w = ga_roll(z, 100, GA_ALL);
    for (int i = 0; i < 2; i++) {
        t_same_arrays(GA_EVAL(w + z/w, z, w), ga_add(w, ga_divide(z, w)), 0);
        t_same_arrays(GA_EVAL(1 - 2.0/(z*w), z, w),
                      ga_sub(1, ga_divide(2.0, ga_mul(z, w))), 0);
        t_same_arrays(GA_EVAL(w - w**4, w), ga_sub(w, ga_power(w, 4)), 0);
        w = ga_mul(w, ga_greater(ga_real(z), 2));       /* many are 0       */
    }
    /* int32 and float32 as float64, each once and twice */
    ga_array *f = t_random_array(GA_FLOAT32, GA_SHAPE(1037), -3, 3);
    ga_array *k = t_random_array(GA_INT32, GA_SHAPE(1037), -9, 9);
    t_same_arrays(GA_EVAL(f*k + k, f, k), ga_add(ga_mul(f, k), k), 0);
    t_same_arrays(GA_EVAL(f*f - k/(f + k), f, k),
                  ga_sub(ga_mul(f, f), ga_divide(k, ga_add(f, k))), 0);
}
/* Reductions over the first axis, fused where a GPU takes them, of words and
   rows that fill chunks and that do not.                                    */
TEST(columns) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_INT32,
                                     GA_UINT32, GA_INT64, GA_UINT64,
                                     GA_FLOAT16};
    for (int t = 0; t < 7; t++)
        for (int c = 1023; c < 1025; c++) {
            GA_SCOPE;
            if (t_quick() && (t + c) % 2) continue;
            ga_array *x = t_random_array(types[t], GA_SHAPE(1031, c), 0, 9);
            ga_array *y = t_random_array(types[t], GA_SHAPE(1031, c), 0, 9);
            ga_array *v = ga_mul(ga_add(x, y), y);
            t_same_arrays(GA_EVAL(sum((x + y)*y, axis=0), x, y),
                          ga_sum(v, GA_AXIS(0)), 2);
            t_same_arrays(GA_EVAL(mean((x + y)*y, axis=0), x, y),
                          ga_mean(v, GA_AXIS(0)), 2);
            t_same_arrays(GA_EVAL(max((x + y)*y, axis=0), x, y),
                          ga_max(v, GA_AXIS(0)), 0);
            t_same_arrays(GA_EVAL(min((x + y)*y, axis=0), x, y),
                          ga_min(v, GA_AXIS(0)), 0);
            t_same_arrays(GA_EVAL(sum((x + y)*y), x, y),
                          ga_sum(v, GA_ALL), 2);
            t_same_arrays(GA_EVAL(max((x + y)*y), x, y),
                          ga_max(v, GA_ALL), 0);
        }
}

/* ----------------------------------------------------------- reductions */
TEST(reductions) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(37, 50), -3, 3);
    ga_array *y = t_random_array(GA_FLOAT64, GA_SHAPE(50), -3, 3), *want;
    ga_array *d = ga_sub(x, y);
    /* whole, fused, every axis */
    t_same_arrays(GA_EVAL(sum((x - y)**2, axis=1), x, y),
                  ga_sum(ga_square(d), GA_AXIS(1)), 2);
    t_same_arrays(GA_EVAL(sum((x - y)**2, axis=0), x, y),
                  ga_sum(ga_square(d), GA_AXIS(0)), 2);
    t_same_arrays(GA_EVAL(sum((x - y)**2), x, y),
                  ga_sum(ga_square(d), GA_ALL), 2);
    t_same_arrays(GA_EVAL(mean(x*x, axis=(0, -1), keepdims=true), x),
                  ga_mean(ga_mul(x, x), GA_ALL_KEEP), 2);
    t_same_arrays(GA_EVAL(max(x - y, axis=-2, keepdims=True), x, y),
                  ga_max(d, GA_AXIS_KEEP(0)), 0);
    t_same_arrays(GA_EVAL(all(x < 4) , x), ga_all(ga_less(x, 4), GA_ALL), 0);
    t_same_arrays(GA_EVAL(any(x > 2, axis=1), x),
                  ga_any(ga_greater(x, 2), GA_AXIS(1)), 0);
    t_same_arrays(GA_EVAL(prod(sign(x), axis=(1,)), x),
                  ga_prod(ga_sign(x), GA_AXIS(1)), 0);
    t_same_arrays(GA_EVAL(sum(x > 0), x),
                  ga_sum(ga_greater(x, 0), GA_ALL), 0);
    t_same_arrays(GA_EVAL(sum(x), x), ga_sum(x, GA_ALL), 2);
    t_same_arrays(GA_EVAL(sum(x*2, axis=()), x), ga_mul(x, 2), 0);
    /* those that are not fused, and inner ones */
    t_same_arrays(GA_EVAL(std(x - y, axis=0), x, y), ga_std(d, GA_AXIS(0), 0),
                  2);
    t_same_arrays(GA_EVAL(argmax(x - y, axis=1), x, y),
                  ga_argmax(d, GA_AXIS(1)), 0);
    want = ga_div(ga_sub(x, ga_mean(x, GA_AXIS_KEEP(0))),
                  ga_std(x, GA_AXIS_KEEP(0), 0));
    t_same_arrays(GA_EVAL((x - mean(x, axis=0, keepdims=true))
                          / std(x, axis=0, keepdims=true), x), want,
                  t_on_gpu() ? 8 : 0);
    ga_array *ex = ga_exp(ga_sub(d, ga_max(d, GA_AXIS_KEEP(1))));
    t_same_arrays(GA_EVAL(t = x - y; t = exp(t - max(t, axis=1, keepdims=true));
                          t / sum(t, axis=-1, keepdims=true), x, y),
                  ga_div(ex, ga_sum(ex, GA_AXIS_KEEP(1))), t_on_gpu() ? 8 : 2);
    t_same_arrays(GA_EVAL(sum(x) / 3 + y, x, y),
                  ga_add(ga_div(ga_sum(x, GA_ALL), 3), y), 2);
    t_same_arrays(GA_EVAL(sum(x - mean(x)), x),
                  ga_sum(ga_sub(x, ga_mean(x, GA_ALL)), GA_ALL), 1e6);
    T_FINE();
    /* into given outputs */
    ga_array *out = ga_full(GA_SHAPE(37), 7, GA_FLOAT64);
    T_CHECK(GA_EVAL_INTO(out, sum(x*y, axis=1), x, y) == GA_OK);
    want = ga_sum(ga_mul(x, y), GA_AXIS(1));
    t_same_arrays(out, want, 2);
    ga_array *back = ga_flip(ga_full(GA_SHAPE(37), 7, GA_FLOAT64), GA_ALL);
    T_CHECK(GA_EVAL_INTO(back, sum(x*y, axis=1), x, y) == GA_OK);
    t_same_arrays(back, out, 0);
    ga_array *narrow = ga_full(GA_SHAPE(37), 7, GA_FLOAT32);
    T_CHECK(GA_EVAL_INTO(narrow, sum(x*y, axis=1), x, y) == GA_OK);
    t_same_arrays(narrow, ga_astype(out, GA_FLOAT32), 0);
    T_CHECK(GA_EVAL_SET(out = sum(x*y, axis=1), out, x, y) == GA_OK);
    t_same_arrays(out, want, 2);
    /* nothing to reduce */
    ga_array *none = ga_ones(GA_SHAPE(0, 3), GA_FLOAT32);
    t_same_arrays(GA_EVAL(sum(none*2, axis=0), none),
                  ga_zeros(GA_SHAPE(3), GA_FLOAT32), 0);
    t_same_arrays(GA_EVAL(sum(none*2, axis=1), none),
                  ga_zeros(GA_SHAPE(0), GA_FLOAT32), 0);
    T_CHECK(!GA_EVAL(max(none*2), none));
    T_ERROR(GA_ERR_EMPTY);
    /* what is wrong first is the same with and without fusing */
    ga_array *wrong = ga_zeros(GA_SHAPE(3), GA_INT8);
    T_CHECK(ga_max_into(wrong, none, GA_AXIS(0)) == GA_ERR_EMPTY);
    T_ERROR(GA_ERR_EMPTY);
    T_CHECK(GA_EVAL_INTO(wrong, max(none*2, axis=0), none) == GA_ERR_EMPTY);
    T_ERROR(GA_ERR_EMPTY);
    T_CHECK(GA_EVAL_INTO(wrong, sum(none*2, axis=0), none) == GA_ERR_DTYPE);
    T_ERROR(GA_ERR_DTYPE);
    ga_array *no = ga_zeros(GA_SHAPE(0), GA_BOOL);
    T_CHECK(!GA_EVAL(ptp(no || no), no));
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(!GA_EVAL(ptp(no || no) & 1.5, no));
    T_CHECK(strstr(ga_error_message(), "bool") != NULL);
    T_ERROR(GA_ERR_DTYPE);
}
/* A product rounds at every step: its order is that of the separate calls. */
TEST(order_of_products) {
    GA_SCOPE;
    ga_array *c = t_random_array(GA_FLOAT64, GA_SHAPE(5, 7, 33), 0.7, 1.4);
    ga_array *v[] = {c, ga_transpose(c, GA_ALL), ga_swapaxes(c, 0, 1),
                     ga_flip(ga_transpose(c, GA_ALL), GA_ALL),
                     ga_slice(ga_transpose(c, GA_ALL), "::2, :, 1:"),
                     ga_transpose(ga_astype(c, GA_COMPLEX128), GA_ALL)};
    for (size_t k = 0; k < T_COUNT(v); k++) {
        ga_array *x = v[k], *y = ga_mul(x, 1.01);
        t_context("view %d", (int)k);
        t_same_arrays(GA_EVAL(prod(x*1.01), x), ga_prod(y, GA_ALL), 0);
        t_same_arrays(GA_EVAL(prod(x*1.01, axis=(0, 2)), x),
                      ga_prod(y, GA_AXIS(0, 2)), 0);
        t_same_arrays(GA_EVAL(prod(x*1.01, axis=1), x), ga_prod(y, GA_AXIS(1)),
                      t_on_gpu() ? 4 : 0);
        t_same_arrays(GA_EVAL(nanprod(x*1.01), x), ga_nanprod(y, GA_ALL), 0);
    }
}
/* Lengths around the blocks and parts of the fused reductions; every dtype. */
TEST(reduction_lengths) {
    static const int64_t length[][2] = {
        {1, 1}, {1, 31}, {1, 33}, {3, 32}, {40, 7}, {1, 1023}, {1, 1025},
        {2, 2049}, {5, 4100}, {700, 31}, {300, 257}, {1, 32769}, {3, 40000},
        {1, 300001}, {3000, 100}, {70, 5000}};
    for (size_t k = 0; k < T_COUNT(length); k++)
        for (int t = 0; t < GA_NUM_DTYPES; t++) {
            GA_SCOPE;
            if (t_quick() && (k + (size_t)t) % 5) continue;
            ga_dtype d = (ga_dtype)t;
            ga_shape s = GA_SHAPE(length[k][0], length[k][1]);
            ga_array *x = t_random_array(d, s, -9, 9);
            ga_array *y = t_random_array(d, GA_SHAPE(s.dim[1]), -9, 9);
            ga_array *p = ga_mul(x, y);
            t_context("%s %s", ga_dtype_name(d), t_shape_text(2, s.dim));
            double eps = d == GA_FLOAT64 || d == GA_COMPLEX128 ? 2 : 1;
            t_same_arrays(GA_EVAL(sum(x*y, axis=1), x, y),
                          ga_sum(p, GA_AXIS(1)), eps);
            /* (ga_mean of 64-bit integers, whose sums may overflow, is within
               an ulp of the elements, not of a mean near zero)             */
            t_same_arrays(GA_EVAL(mean(x*y, axis=1), x, y),
                          d == GA_INT64 || d == GA_UINT64
                          ? ga_div(ga_sum(p, GA_AXIS(1)), (double)s.dim[1])
                          : ga_mean(p, GA_AXIS(1)), 2);
            t_same_arrays(GA_EVAL(max(x*y, axis=1), x, y),
                          ga_max(p, GA_AXIS(1)), 1e-9);
            t_same_arrays(GA_EVAL(min(x*y), x, y), ga_min(p, GA_ALL), 1e-9);
            t_same_arrays(GA_EVAL(all(x*y, axis=1), x, y),
                          ga_all(p, GA_AXIS(1)), 0);
            t_same_arrays(GA_EVAL(any(x*y), x, y), ga_any(p, GA_ALL), 0);
            t_same_arrays(GA_EVAL(sum(x*y), x, y), ga_sum(p, GA_ALL), eps);
            ga_array *xt = t_laid_out(x, 1 + (int)k % 4);
            t_same_arrays(GA_EVAL(sum(xt*y, axis=1), xt, y),
                          ga_sum(p, GA_AXIS(1)), eps);
            t_same_arrays(GA_EVAL(sum(xt*y, axis=0), xt, y),
                          ga_sum(p, GA_AXIS(0)), eps);
            t_release_host();
        }
}
/* So many rows that a GPU has blocks for some of them at a time. */
TEST(many_rows) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_INT32, GA_INT64, GA_FLOAT16, GA_UINT8};
    static const int64_t length[][2] = {{2050, 4096}, {70000, 64}, {5003, 1000}, {40001, 131}};
    for (size_t k = 0; k < T_COUNT(length); k++)
        for (size_t i = 0; i < T_COUNT(types); i++) {
            GA_SCOPE;
            const int64_t rows = length[k][0] / (t_on_gpu() && !t_quick() ? 1 : 20);
            ga_shape s = GA_SHAPE(rows, length[k][1]);
            ga_array *x = t_random_array(types[i], s, 0, 9), *y = t_random_array(types[i], s, 0, 9);
            t_context("%s %s", ga_dtype_name(types[i]), t_shape_text(2, s.dim));
            ga_array *sum = ga_add(x, y), *less = ga_minimum(x, y);
            t_same_arrays(GA_EVAL(max(x + y, axis=1), x, y), ga_max(sum, GA_AXIS(1)), 0);
            t_same_arrays(GA_EVAL(min(x + y, axis=1), x, y), ga_min(sum, GA_AXIS(1)), 0);
            t_same_arrays(GA_EVAL(sum(minimum(x, y), axis=1), x, y), ga_sum(less, GA_AXIS(1)), 2);
            /* chunks that are not whole ones of 16 bytes */
            ga_array *a = ga_slice(x, ":, 1:"), *b = ga_slice(y, ":, :-1");
            t_same_arrays(GA_EVAL(max(a + b, axis=1), a, b), ga_max(ga_add(a, b), GA_AXIS(1)), 0);
            t_release_host();
        }
}
/* -------------------------------------------------------- long expressions */
TEST(long_expressions) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(3, 100), 0.5, 2);
    const ga_array *op[] = {x};
    char *text = (char *)t_alloc(40000);
    /* 500 equal terms */
    strcpy(text, "x");
    ga_array *want = x;
    for (int k = 1; k < 500; k++) {
        strcat(text, " + x");
        want = ga_add(want, x);
    }
    t_same_arrays((ga_eval)(text, "x", op, 1), want, 0);
    /* 500 others, with more constants than a program holds */
    char *p = text + sprintf(text, "0*x");
    want = ga_mul(x, 0);
    for (int k = 1; k < 500; k++) {
        p += sprintf(p, " + %d.5*x", k);
        want = ga_add(want, ga_mul(x, k + 0.5));
    }
    t_same_arrays((ga_eval)(text, "x", op, 1), want, 0);
    t_same_arrays((ga_eval)(text, "x", op, 1), want, 0);
    /* many values alive: the sums are all needed again, last one first */
    p = text;
    ga_array *v[60];
    for (int k = 0; k < 60; k++) {
        p += sprintf(p, "t = x*%d; u%d = sqrt(t + %d);", k + 2, k % 9, k);
        v[k] = ga_sqrt(ga_add(ga_mul(x, k + 2), k));
    }
    sprintf(p, "u0 - (u1 - (u2 - (u3 - (u4 - (u5 - (u6 - (u7 - u8)))))))");
    want = v[60 - 60 % 9 - 1];
    for (int k = 7; k >= 0; k--) want = ga_sub(v[k + 54 < 60 ? k + 54 : k + 45],
                                               want);
    t_same_arrays((ga_eval)(text, "x", op, 1), want, 0);
    /* to the right: each sum waits for the next, 80 deep */
    p = text;
    for (int k = 0; k < 80; k++) p += sprintf(p, "%d*x + sin(%d*x)*(", k, k);
    p += sprintf(p, "x");
    want = x;
    for (int k = 79; k >= 0; k--) {
        *p++ = ')';
        want = ga_add(ga_mul(k, x), ga_mul(ga_sin(ga_mul(k, x)), want));
    }
    *p = 0;
    t_near((ga_eval)(text, "x", op, 1), GA_FLOAT64, ga_shape_of(x),
           t_host(want), t_on_gpu() ? 1e6 : 0);
    /* the same reduced, and set in place */
    sprintf(text + 39000, "%s", "");
    char *sum = say("sum(%s, axis=1)", text);
    t_same_arrays((ga_eval)(sum, "x", op, 1), ga_sum(want, GA_AXIS(1)),
                  t_on_gpu() ? 1e6 : 2);
    ga_array *y = ga_copy(x);
    const ga_array *in_place[] = {y};
    T_CHECK(ga_eval_into(NULL, say("x = %s", text), "x", in_place, 1) == GA_OK);
    t_near(y, GA_FLOAT64, ga_shape_of(x), t_host(want), t_on_gpu() ? 1e6 : 0);
    /* cut: a few arrays at a time, and outputs written at the end */
    ga_array *big = ga_ones(GA_SHAPE(1 << 16), GA_FLOAT64), *u = ga_copy(big);
    const ga_array *both[] = {u, big};
    p = text + sprintf(text, "u = x*2; 0*u");
    for (int k = 1; k < 1000; k++) p += sprintf(p, " + %d.5*(x + u)", k);
    size_t used = t_used();
    ga_synchronize();
    for (int few = 1; few >= 0; few--) {
        ga_mem_limit(used + (few ? 1 : 12) * ((size_t)1 << 19) + 4096);
        ga_array *y = (ga_eval)(text, "u, x", both, 2);
        t_context("%s arrays", few ? "few" : "enough");
        T_CHECK(few ? !y : y != NULL);
        ga_clear_error();
        T_CHECK(ga_item(ga_index_axis(u, 0, 7)) == (few ? 1 : 2));
        if (!few) T_CHECK(ga_item(ga_index_axis(y, 0, 7)) == 1499998.5);
    }
    ga_mem_limit(0);
    t_context("%s", "");
    /* one value in many places */
    p = text + sprintf(text, "x");
    want = x;
    for (int k = 0; k < 9; k++) {
        char *twice = say("(%s)*0.5 + sqrt(%s)", text, text);
        strcpy(text, twice);
        want = ga_add(ga_mul(want, 0.5), ga_sqrt(want));
    }
    t_same_arrays((ga_eval)(text, "x", op, 1), want, 0);
}

/* --------------------------------------------------------------- errors */
/* The call fails with st, says it, and the caret stands under text[at]. */
static void fails_with(operands x, int n, const char *names, const char *text,
                       ga_status st, const char *says, int at) {
    t_context("%s", text);
    int64_t live = ga_live_arrays();
    size_t used = t_used();
    ga_array *y = (ga_eval)(text, names, x, n);
    T_CHECK(!y);
    T_CHECKF(ga_error() == st, "%s expected, got %s", ga_status_name(st),
             ga_status_name(ga_error()));
    const char *m = ga_error_message();
    T_CHECKF(!strncmp(m, "ga_eval: ", 9) && strstr(m, says),
             "\"%s\" expected in \"%s\"", says, m);
    T_CHECK(ga_live_arrays() == live);
    T_CHECK(t_used() == used);
    const char *caret = strrchr(m, '\n');
    if (at < 0) {
        T_CHECKF(!caret, "a caret in \"%s\"", m);
    } else if (!caret || caret[1 + strspn(caret + 1, " ")] != '^') {
        t_bad("no caret in \"%s\"", m);
    } else {
        size_t column = strspn(caret + 1, " "), k = 0;
        const char *line = caret;
        while (line > m && line[-1] != '\n') line--;
        /* what stands above it is the text from there on, blanks alike */
        line += column;
        while (k < 5 && text[at + (int)k] && line[k] != '\n'
               && (line[k] == text[at + (int)k]
                   || (line[k] == ' ' && text[at + (int)k] == '\n'))) k++;
        bool end = !text[at + (int)k] && line[k] == '\n';
        T_CHECKF(k == 5 || end || (k && !strncmp(line + k, "...", 3)),
                 "the caret is not under '%s': %s", text + at, m);
    }
    ga_clear_error();
}
/* `at`: the part of the text that the caret shows (its last occurrence). */
static void fails(const char *text, ga_status st, const char *says,
                  const char *at) {
    int place = -1, n = (int)strlen(text);
    for (int k = 0; at && k <= n; k++)
        if (!strncmp(text + k, at, strlen(at)) && (*at || k == n)) place = k;
    fails_with(hand, HAND, hand_names, text, st, says, place);
}
TEST(errors) {
    GA_SCOPE;
    make_hand();
    ga_status SYN = GA_ERR_SYNTAX, TYPE = GA_ERR_DTYPE;
    fails("x + q", SYN, "unknown name 'q'", "q");
    fails("1.5 * (x + zz)", SYN, "unknown name 'zz'", "zz");
    fails("foo(x)", SYN, "unknown function 'foo'", "foo");
    fails("x + Sin(x)", SYN, "unknown function 'Sin'", "Sin");
    fails("sin(x, y)", SYN, "sin takes 1 argument, not 2", "sin");
    fails("y + where(x, y)", SYN, "where takes 3 arguments, not 2", "where");
    fails("hypot()", SYN, "hypot takes 2 arguments, not 0", "hypot");
    fails("clip(x, 1, 2, 3)", SYN, "clip takes 3 arguments, not 4", "clip");
    fails("float32(x, y)", SYN, "float32 takes 1 argument, not 2", "float32");
    fails("sum()", SYN, "sum takes 1 argument, not 0", "sum");
    fails("(x + 1", SYN, "')' is missing", "");
    fails("2*(x + (y - 1)", SYN, "')' is missing", "");
    fails("sin(x", SYN, "')' is missing", "");
    fails("x + 1)", SYN, "')' without '('", ")");
    fails("(x y)", SYN, "')' is expected", "y)");
    fails("x y", SYN, "unexpected 'y'", "y");
    fails("x + $", SYN, "unexpected '$'", "$");
    fails("x + \"a\"", SYN, "unexpected '\"'", "\"a\"");
    fails("x @ y", SYN, "unexpected '@'", "@");
    fails("x // 2", SYN, "unexpected '/'", "/ 2");
    fails("x +", SYN, "the expression ends too early", "");
    fails("", SYN, "the expression ends too early", "");
    fails("  ", SYN, "the expression ends too early", "");
    fails("x * (", SYN, "the expression ends too early", "");
    fails("x, y", SYN, "unexpected ','", ",");
    fails("()", SYN, "unexpected ')'", ")");
    fails("x = ", SYN, "the expression ends too early", "");
    fails("p->u->v-1", SYN, "give it one where it is passed, (name, p->u->v)",
          "p->u");
    fails("x + s.u", SYN, "(name, s.u)", "s.u");
    fails("x + s[1]", SYN, "unknown name 's'", "s[1]");
    fails("x ? 1", SYN, "':' is missing after '?'", "");
    fails("x ? 1 ; 2", SYN, "':' is missing after '?'", "; 2");
    fails("x : 1", SYN, "unexpected ':'", ": 1");
    fails("1.2.3 + x", SYN, "unexpected '.' in a number", ".3");
    fails("12abc + x", SYN, "unexpected 'a' in a number", "abc");
    fails("1e + x", SYN, "unexpected 'e' in a number", "e + x");
    fails("x + 010", SYN, "octal numbers are not read", "010");
    fails("x + 1e+", SYN, "unexpected 'e' in a number", "e+");
    fails("0x1.8 + x", SYN, "unexpected '.' in a number", ".8");
    fails("x*99999999999999999999 ", GA_ERR_SIZE, "beyond 64 bits",
          "99999999999999999999");
    fails("x + 1 = y", SYN, "only a name can be set", "= y");
    fails("x; y", SYN, "only the last expression", "x; y");
    fails("sum(x, axis=)", SYN, "an axis is expected", ")");
    fails("sum(x, axis=y)", SYN, "an axis is expected", "y)");
    fails("sum(x, foo=1)", SYN, "axis=, keepdims= or where=", "foo");
    fails("sum(x, 1)", SYN, "axis=, keepdims= or where=", "1)");
    fails("sum(x, axis=(0", SYN, "')' is missing after the axes", "");
    fails("sum(x, keepdims=maybe)", SYN, "keepdims is true or false", "maybe");
    fails("sum(x, axis=0) + sum(y, axis=1)", GA_ERR_AXIS, "axis 1", "sum(y");
    fails("sum(x, axis=(0, 0))", GA_ERR_AXIS, "", "sum");
    fails("b - b", TYPE, "bool", "-");
    fails("y*(b - b)", TYPE, "bool", "- b");
    fails("-b", TYPE, "bool", "-");
    fails("x & i", TYPE, "float64", "&");
    fails("i + ~x", TYPE, "float64", "~");
    fails("x < 1 ? gcd(x, i) : i", TYPE, "float64", "gcd");
    fails("floor(z)", TYPE, "complex128", "floor");
    fails("z % 2", TYPE, "complex128", "%");
    fails("1 + 2*(u + 300)", GA_ERR_VALUE, "300", "+ 300");
    fails("u + (100 + 200)", GA_ERR_VALUE, "300", "+ (100");
    fails("u + -3", GA_ERR_VALUE, "-3", "+ -3");
    fails("x + i**-2", GA_ERR_VALUE, "negative", "**");
    fails("j + power(i, i)", GA_ERR_VALUE, "negative", "power");
    fails("1 = 2", SYN, "only a name can be set", "= 2");
    /* integers of the text have no dtype to wrap in */
    fails("u + 2**64", GA_ERR_VALUE, "beyond 64 bits", "**64");
    fails("x + (1 - 2**63*2)", GA_ERR_VALUE, "beyond 64 bits", "*2)");
    fails("x + (9223372036854775807 + 9223372036854775809)", GA_ERR_VALUE,
          "beyond 64 bits", "+ 9223372036854775809");
    fails("x - (-9223372036854775808 - 1)", GA_ERR_VALUE, "beyond 64 bits",
          "- 1)");
    fails("x + -9223372036854775809", GA_ERR_VALUE, "beyond 64 bits", "-9");
    fails("x + (3 << 64)", GA_ERR_VALUE, "beyond 64 bits", "<<");
    fails("x + square(5000000000)", GA_ERR_VALUE, "beyond 64 bits", "square");
    fails("x + 1%0", GA_ERR_VALUE, "divided by 0", "%0");
    fails("x + floor_divide(1, 0)", GA_ERR_VALUE, "divided by 0", "floor");
    fails("x + fmod(1, 2 - 2)", GA_ERR_VALUE, "divided by 0", "fmod");
    /* deep ones */
    char deep[1400];
    for (int k = 0; k < 4; k++) {
        static const char *const open[] = {"(", "-", "sin(", "x ? x : "};
        deep[0] = 0;
        for (int i = 0; i < 150; i++) strcat(deep, open[k]);
        strcat(deep, "x");
        for (int i = 0; i < 150 && k != 1 && k != 3; i++) strcat(deep, ")");
        t_context("%.40s", deep);
        T_CHECK(!(ga_eval)(deep, hand_names, hand, HAND));
        T_CHECK(strstr(ga_error_message(), "nested deeper than"));
        T_ERROR(GA_ERR_SIZE);
    }
    strcpy(deep, "x");
    for (int i = 0; i < 150; i++) strcat(deep, "**x");
    T_CHECK(!(ga_eval)(deep, hand_names, hand, HAND));
    T_ERROR(GA_ERR_SIZE);
    /* a long text is shown in part, the caret where it belongs */
    char *text = (char *)t_alloc(2000);
    strcpy(text, "x");
    for (int k = 0; k < 60; k++) strcat(text, k == 40 ? " + qq" : " + x*y");
    fails(text, SYN, "unknown name 'qq'", "qq");
    strcpy(text + strlen(text), " + rr");
    text[strstr(text, "qq") - text] = 'x';
    text[strstr(text, "xq") - text + 1] = ' ';
    fails(text, SYN, "unknown name 'rr'", "rr");
    /* over several lines */
    fails("x +\n  (y -\n   ww) * 2", SYN, "unknown name 'ww'", "ww");
    fails("x\t+\tww", SYN, "unknown name 'ww'", "ww");
    /* more words than fit */
    char *many = (char *)t_alloc(400000);
    char *p = many + sprintf(many, "x");
    for (int k = 0; k < 20000; k++) p += sprintf(p, "+%d*x", k);
    t_context("twenty thousand terms");
    T_CHECK(!(ga_eval)(many, hand_names, hand, HAND));
    T_ERROR(GA_ERR_SIZE);
    T_CHECK(!(ga_eval)("abcdefghijabcdefghijabcdefghijab = x; x", hand_names,
                       hand, HAND));
    T_ERROR(GA_ERR_SIZE);
    p = many;
    for (int k = 0; k < 60; k++) p += sprintf(p, "name%d = x + %d;", k, k);
    sprintf(p, "x");
    T_CHECK(!(ga_eval)(many, hand_names, hand, HAND));
    T_ERROR(GA_ERR_SIZE);
}

TEST(errors_of_calls) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(2, 3), -1, 1), *y;
    ga_array *four = ga_ones(GA_SHAPE(4), GA_FLOAT64);
    const ga_array *op[] = {x, four, x};
    /* shapes */
    fails_with(op, 2, "x, y", "x*2 + y", GA_ERR_SHAPE, "(2,3)", 4);
    fails_with(op, 2, "x, y", "exp(x) + 3*(x - y)", GA_ERR_SHAPE, "(4,)", 14);
    fails_with(op, 2, "x, y", "t = y*2; x*t", GA_ERR_SHAPE, "(4,)", 10);
    fails_with(op, 2, "x, y", "sum(x*y)", GA_ERR_SHAPE, "(4,)", 5);
    fails_with(op, 2, "x, y", "x > 0 ? x : y", GA_ERR_SHAPE, "(4,)", 6);
    /* more elements than can be counted */
    ga_array *p = ga_ones(GA_SHAPE(1 << 22, 1, 1), GA_UINT8);
    const ga_array *huge[] = {p, ga_reshape(p, GA_SHAPE(1, 1 << 22, 1)),
                              ga_reshape(p, GA_SHAPE(1, 1, 1 << 22))};
    fails_with(huge, 3, "p, q, r", "p + q + r", GA_ERR_SIZE, "too large", 0);
    fails_with(huge, 3, "p, q, r", "sum(p + q + r)", GA_ERR_SIZE, "too large",
               0);
    /* names and how many operands */
    t_context("%s", "");
    fails_with(op, 1, "x, y", "x + y", GA_ERR_VALUE, "1 operands for", -1);
    fails_with(op, 3, "x, y", "x + x", GA_ERR_VALUE, "3 operands for", -1);
    fails_with(op, 0, "x", "x", GA_ERR_VALUE, "0 operands for", -1);
    fails_with(NULL, 1, "x", "x", GA_ERR_NULL, "list of operands is NULL", -1);
    ga_expr *e = ga_expr_compile("x + x", "x");
    T_CHECK(!(ga_expr_run)(e, NULL, 1));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_expr_run_into(x, e, NULL, 1) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_eval_host_into(x, "x", "x", NULL, 1) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    ga_expr_free(e);
    fails_with(op, 2, "x, x", "x", GA_ERR_SYNTAX, "given twice", -1);
    fails_with(op, 2, "x, 2", "x", GA_ERR_SYNTAX, "'2' is not a plain name",
               -1);
    fails_with(op, 2, "x, p->u", "x", GA_ERR_SYNTAX, "'p->u' is not a plain "
               "name", -1);
    fails_with(op, 2, "x, y + 1", "x", GA_ERR_SYNTAX, "is not a plain name",
               -1);
    fails_with(op, 2, "x,", "x", GA_ERR_SYNTAX, "is not a plain name", -1);
    fails_with(op, 1, "", "1", GA_ERR_SYNTAX, "is not a plain name", -1);
    T_CHECK(!GA_EVAL(x + four[0], x));
    T_CHECK(strstr(ga_error_message(), "unknown name 'four'"));
    T_ERROR(GA_ERR_SYNTAX);
    T_CHECK(!(ga_eval)(NULL, "x", op, 1));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!(ga_eval)("x", NULL, op, 1));
    T_ERROR(GA_ERR_VALUE);
    /* NULL: in silence behind another error */
    const ga_array *null[] = {x, NULL};
    T_CHECK(!(ga_eval)("x + y", "x, y", null, 2));
    T_ERROR(GA_ERR_NULL);
    y = NULL;
    T_CHECK(!GA_EVAL(x + y, x, y));
    T_ERROR(GA_ERR_NULL);
    ga_reshape(x, GA_SHAPE(7));
    T_CHECK(!GA_EVAL(x + y, x, y));
    T_ERROR(GA_ERR_SHAPE);
    /* numbers have no axes and cannot be set */
    double a = 2;
    T_CHECK(!GA_EVAL(sum(a), a));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(GA_EVAL_SET(a = a + 1, a) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    /* a result is needed, or must not be there */
    T_CHECK(GA_EVAL_SET(x + 1, x) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!GA_EVAL(x = x + 1, x));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(GA_EVAL_INTO(x, x = x + 1, x) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(GA_EVAL_SET(t = x + 1, x) != GA_OK);
    T_CHECK(ga_error());
    ga_clear_error();
    /* outputs stay as they are */
    ga_array *out = t_random_array(GA_FLOAT32, GA_SHAPE(2, 3), -9, 9);
    ga_array *before = ga_copy(out), *x0 = ga_copy(x);
    ga_array *i = ga_ones(GA_SHAPE(2, 3), GA_INT32), *i0 = ga_copy(i);
    T_CHECK(GA_EVAL_INTO(i, x*2, x) == GA_ERR_DTYPE);
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(GA_EVAL_SET(x = x + 1; i = x, x, i) == GA_ERR_DTYPE);
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(GA_EVAL_INTO(out, x + four, x, four) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(GA_EVAL_INTO(out, four, four) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(GA_EVAL_INTO(out, sum(x, axis=0), x) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(GA_EVAL_SET(out = x; four = four*2, out, x, four) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(GA_EVAL_INTO(out, x + qqq, x) == GA_ERR_SYNTAX);
    T_CHECK(strstr(ga_error_message(), "ga_eval_into"));
    T_ERROR(GA_ERR_SYNTAX);
    T_CHECK(GA_EVAL_INTO(NULL, x + 1, x) != GA_OK);
    T_CHECK(ga_error());
    ga_clear_error();
    ga_array *wide = ga_broadcast_to(ga_ones(GA_SHAPE(3), GA_FLOAT64),
                                     GA_SHAPE(2, 3));
    T_CHECK(GA_EVAL_INTO(wide, x + 1, x) == GA_ERR_READONLY);
    T_ERROR(GA_ERR_READONLY);
    T_CHECK(GA_EVAL_SET(x = x + 1; wide = x, x, wide) == GA_ERR_READONLY);
    T_ERROR(GA_ERR_READONLY);
    ga_array *u = ga_ones(GA_SHAPE(2, 3), GA_UINT8);
    T_CHECK(GA_EVAL_SET(u = 300, u) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    t_same_arrays(u, ga_ones(GA_SHAPE(2, 3), GA_UINT8), 0);
    t_same_arrays(out, before, 0);
    t_same_arrays(x, x0, 0);
    t_same_arrays(i, i0, 0);
    t_same_arrays(four, ga_ones(GA_SHAPE(4), GA_FLOAT64), 0);
    /* another device's */
    if (t_on_gpu()) {
        y = ga_to_device(x, GA_CPU);
        T_CHECK(!GA_EVAL(x + y, x, y));
        T_ERROR(GA_ERR_DEVICE_MISMATCH);
        T_CHECK(GA_EVAL_INTO(y, x + 1, x) == GA_ERR_DEVICE_MISMATCH);
        T_ERROR(GA_ERR_DEVICE_MISMATCH);
    }
    GA_DEVICE(GA_CPU);
    y = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    ga_array *z = GA_EVAL(y*2 + 1, y);  /* the same text on either device   */
    float three[] = {3, 3, 3};
    t_same(z, GA_FLOAT32, GA_SHAPE(3), three);
}

/* ---------------------------------------------------------------- kept */
TEST(kept) {
    GA_SCOPE;
    ga_expr *f = ga_expr_compile("a*x + y", "a, x, y");
    assert_non_null(f);
    /* other dtypes, shapes and numbers at every call, then again */
    for (int round = 0; round < 2; round++)
        for (int t = 0; t < GA_NUM_DTYPES; t++) {
            ga_dtype d = (ga_dtype)t, other = (ga_dtype)((t * 7) % 15);
            t_context("kept, %s", ga_dtype_name(d));
            ga_array *x = t_random_array(d, GA_SHAPE(4, 1 + t), -9, 9);
            ga_array *y = t_random_array(other, GA_SHAPE(1 + t), -9, 9);
            t_same_arrays(GA_EXPR_RUN(f, 2, x, y), ga_add(ga_mul(2, x), y), 0);
            t_same_arrays(GA_EXPR_RUN(f, 1.5, x, y),
                          ga_add(ga_mul(1.5, x), y), 0);
            t_same_arrays(GA_EXPR_RUN(f, y, x, y), ga_add(ga_mul(y, x), y), 0);
            ga_array *out = ga_zeros(GA_SHAPE(4, 1 + t), GA_COMPLEX128);
            T_CHECK(GA_EXPR_RUN_INTO(out, f, y, x, y) == GA_OK);
            t_same_arrays(out, ga_astype(ga_add(ga_mul(y, x), y),
                                         GA_COMPLEX128), 0);
        }
    t_context("%s", "");
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT64);
    T_CHECK(!GA_EXPR_RUN(f, x, x));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!GA_EXPR_RUN(f, x, x, ga_ones(GA_SHAPE(4), GA_BOOL)));
    T_CHECK(strstr(ga_error_message(), "ga_expr_run"));
    T_ERROR(GA_ERR_SHAPE);
    ga_expr_free(f);
    ga_expr_free(NULL);
    T_CHECK(!(ga_expr_run)(NULL, NULL, 0));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_expr_compile("a*x + ", "a, x"));
    T_CHECK(strstr(ga_error_message(), "ga_expr_compile"));
    T_ERROR(GA_ERR_SYNTAX);
}
/* Two and a half times as many texts as the cache keeps, twice. */
TEST(many_texts) {
    GA_SCOPE;
    ga_array *x = ga_arange(0, 5, 1);
    const ga_array *op[] = {x};
    for (int k = 0; k < 1300; k++) {
        GA_SCOPE;
        int n = k % 650;
        t_same_arrays((ga_eval)(say("x*%d + %d", n, n % 7), "x", op, 1),
                      ga_add(ga_mul(x, n), n % 7), 0);
        t_release_host();
    }
}

/* A handler that goes on, or leaves by a jump: later errors have no caret. */
static int handled;
static void goes_on(ga_status st, const char *message) {
    T_CHECK(++handled == 1 ? st == GA_ERR_DTYPE && strchr(message, '^')
                           : st == GA_ERR_SHAPE && !strchr(message, '\n'));
    if (handled > 1) return;
    ga_clear_error();
    ga_array *y = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    t_same_arrays(GA_EVAL(y + y, y), ga_add(y, y), 0);
    ga_reshape(y, GA_SHAPE(7));
    ga_clear_error();
}
TEST(handler_goes_on) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    ga_handler before = ga_on_error(goes_on);
    T_CHECK(!GA_EVAL(x + !x + ~x, x));
    ga_on_error(before);
    T_CHECK(handled == 2);
    T_FINE();
}

/* --------------------------------------------------------------- graphs */
typedef struct step {
    ga_array *u, *v;
    ga_expr *f;
    double a;
} step;
static void diffuse(void *arg) {
    step *s = (step *)arg;
    GA_SCOPE;
    ga_array *u = s->u, *v = s->v;
    ga_array *c = ga_slice(u, "1:-1"), *l = ga_slice(u, ":-2"),
             *r = ga_slice(u, "2:"), *w = ga_slice(v, "1:-1");
    double a = s->a;
    GA_EVAL_INTO(w, c + a*(l - 2*c + r), c, l, r, a);
    ga_array *t = GA_EVAL(v*1, v);
    GA_EVAL_SET(u = t, u, t);
    GA_EXPR_RUN_INTO(v, s->f, u, v);
}
/* A reduction that would store its values first does without where they do not
   fit, and nobody hears of it.                                              */
static int heard;
static void hears(ga_status s, const char *message) {
    (void)s, (void)message;
    heard++;
}
TEST(reductions_without_room) {
    if (!t_on_gpu()) {
        print_message("    skipped: on the CPU there is one way\n");
        skip();
    }
    GA_SCOPE;
    ga_array *x = ga_random(GA_SHAPE(2048, 1024), GA_FLOAT32);
    ga_array *want[2] = {GA_EVAL(max(x*2 - 1, axis=0), x),
                         GA_EVAL(min(x*2 - 1, axis=1), x)};
    ga_mem_trim();
    ga_handler before = ga_on_error(hears);
    heard = 0;
    T_CHECK(ga_mem_limit(t_used() + ((size_t)1 << 20)) == GA_OK);
    ga_array *got[2] = {GA_EVAL(max(x*2 - 1, axis=0), x),
                        GA_EVAL(min(x*2 - 1, axis=1), x)};
    ga_mem_limit(0);
    ga_on_error(before);
    T_CHECK(!heard && !ga_error());
    for (int k = 0; k < 2; k++) t_same_arrays(got[k], want[k], 0);
}

TEST(graphs) {
    GA_SCOPE;
    ga_array *u = t_random_array(GA_FLOAT32, GA_SHAPE(1000), 0, 1);
    ga_expr *f = ga_expr_compile("u*0.5 + v*0.5", "u, v");
    step s = {u, ga_copy(u), f, 0.25}, d = {ga_copy(u), ga_copy(u), f, 0.25};
    ga_graph *graph = ga_graph_create(diffuse, &s);
    T_FINE();
    assert_non_null(graph);
    for (int k = 0; k < 10; k++) {
        T_CHECK(ga_graph_launch(graph) == GA_OK);
        diffuse(&d);
    }
    t_same_arrays(s.u, d.u, 0);
    t_same_arrays(s.v, d.v, 0);
    ga_graph_destroy(graph);
    ga_expr_free(f);
}

/* -------------------------------------------------------------- threads */
typedef struct worker {
    pthread_t id;
    int index, bad;
    ga_expr *f;
} worker;
/* One kept expression, texts in common, texts of a thread's own, errors. */
static void *works(void *arg) {
    worker *w = (worker *)arg;
    for (int k = 0; k < (t_quick() ? 30 : 300); k++) {
        GA_SCOPE;
        int n = 10 + k % 7;
        ga_dtype t = k % 3 ? GA_FLOAT32 : GA_INT16;
        ga_array *x = ga_full(GA_SHAPE(n), k % 50 + w->index, t);
        const ga_array *op[] = {x};
        char text[60];
        snprintf(text, sizeof text, "x*%d + 1", w->index * 1000 + k);
        ga_array *a = GA_EXPR_RUN(w->f, x), *b = GA_EVAL(x*2 - 1, x);
        ga_array *c = (ga_eval)(text, "x", op, 1);
        double v = k % 50 + w->index;
        int64_t m = w->index * 1000 + k;
        double want = v * (double)m + 1;
        if (t == GA_INT16) want = (int16_t)((int64_t)v * m + 1);
        if (!a || ga_item(ga_index_axis(a, 0, 3)) != v * v + v
            || !b || ga_item(ga_index_axis(b, 0, n - 1)) != 2 * v - 1
            || !c || ga_item(ga_index_axis(c, 0, 0)) != want)
            w->bad++;
        if (GA_EVAL(x + nosuch, x) || ga_error() != GA_ERR_SYNTAX) w->bad++;
        ga_clear_error();
    }
    return NULL;
}
TEST(threads) {
    worker w[4];
    ga_expr *f = ga_expr_compile("x*x + x", "x");
    for (int i = 0; i < 4; i++) {
        w[i].index = i;
        w[i].bad = 0;
        w[i].f = f;
        assert_int_equal(pthread_create(&w[i].id, NULL, works, &w[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(w[i].id, NULL);
        T_CHECKF(!w[i].bad, "thread %d: %d wrong", i, w[i].bad);
    }
    ga_expr_free(f);
}

/* Functions of so many halves that a table has them, between other steps, in place
   and of what other steps read too: to the bit what separate calls give. (On a
   GPU, which has no tables, a half's last bit is free.) */
TEST(functions_of_halves) {
    GA_DEVICE(GA_CPU);
    const int64_t n = t_quick() ? 9001 : 90001;
    for (int t = GA_FLOAT16; t <= GA_BFLOAT16; t++)
        for (int turn = 0; turn < 4; turn++) {
            GA_SCOPE;
            t_context("%s turn %d", ga_dtype_name((ga_dtype)t), turn);
            ga_array *x = t_random_array((ga_dtype)t, GA_SHAPE(n), -3, 3);
            ga_array *y = t_random_array((ga_dtype)t, GA_SHAPE(n), -3, 3);
            ga_assign(ga_slice(x, "::7"), turn & 1 ? NAN : -0.0);
            ga_assign(ga_slice(y, "::5"), turn & 2 ? -INFINITY : 70);
            if (turn == 3) x = ga_slice(ga_repeat(x, 2, GA_AXIS(0)), "::2");
            ga_array *p = ga_mul(x, y), *e = ga_exp(ga_negative(p));
            t_same_arrays(GA_EVAL(exp(-(x*y)), x, y), e, 0);
            t_same_arrays(GA_EVAL(exp(-(x*y)) + tanh(x)*y - tanh(x*y), x, y),
                          ga_sub(ga_add(e, ga_mul(ga_tanh(x), y)), ga_tanh(p)), 0);
            ga_array *u = ga_empty(GA_SHAPE(n), (ga_dtype)t), *v = ga_copy(u), *w = ga_copy(u);
            T_CHECK(!GA_EVAL_SET(u = x*y; v = tanh(u); w = exp(v - u) + log1p(v*v)*u, u, v,
                                 w, x, y));
            t_same_arrays(u, p, 0);
            t_same_arrays(v, ga_tanh(p), 0);
            t_same_arrays(w, ga_add(ga_exp(ga_sub(v, u)),
                                    ga_mul(ga_log1p(ga_mul(v, v)), u)), 0);
            t_same_arrays(GA_EVAL(max(tanh(x*y)), x, y), ga_max(ga_tanh(p), GA_ALL), 0);
            ga_array *s = ga_copy(x);
            T_CHECK(!GA_EVAL_INTO(s, exp(tanh(s)*s), s));
            t_same_arrays(s, ga_exp(ga_mul(ga_tanh(x), x)), 0);
            s = ga_tanh(x);
            u = ga_view(x);
            ga_array *more = ga_add(x, y);
            T_CHECK(!GA_EVAL_SET(u = x + y; v = tanh(x), u, v, x, y));
            t_same_arrays(u, more, 0);
            t_same_arrays(v, s, 0);
            s = ga_tanh(x);
            T_CHECK(!GA_EVAL_INTO(x, tanh(x), x));
            t_same_arrays(x, s, 0);
        }
}
/* Every half by some others, in a program of several steps: what a division
   gives, to the bit. */
TEST(quotients_of_halves) {
    enum { MANY = 24 };
    static const uint16_t ends[] = {0, 0x8000, 1, 0x83ff, 0x400, 0x3c00, 0xbc01, 0x7bff,
                                    0x7c00, 0xfc00, 0x7e00, 0x7f7f, 0xff80, 0x3555};
    uint16_t *all = malloc(65536 * sizeof *all), some[MANY];
    assert_non_null(all);
    for (int i = 0; i < 65536; i++) all[i] = (uint16_t)i;
    for (int i = 0; i < MANY; i++)
        some[i] = i < (int)(sizeof ends / sizeof *ends) ? ends[i] : (uint16_t)t_random();
    for (int t = GA_FLOAT16; t <= GA_BFLOAT16; t++) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name((ga_dtype)t));
        ga_array *x = ga_asarray_as(all, (ga_dtype)t, GA_SHAPE(65536));
        for (int i = 0; i < MANY; i++) {
            GA_SCOPE;
            ga_array *y = ga_asarray_as(&some[i], (ga_dtype)t, GA_SHAPE(1));
            y = ga_copy(ga_broadcast_to(y, GA_SHAPE(65536)));
            t_same_arrays(GA_EVAL(-(x/y), x, y), ga_negative(ga_div(x, y)), 0);
            t_same_arrays(GA_EVAL(-(y/x), x, y), ga_negative(ga_div(y, x)), 0);
        }
    }
    free(all);
}
/* Sums of halves, with what float32 has no room for, and their largest with NaN;
   sums of complex numbers by rows and columns: as of stored values. */
TEST(folds_in_registers) {
    const int64_t rows = t_quick() ? 67 : 1003;
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        if (t != GA_FLOAT16 && t != GA_BFLOAT16 && t != GA_COMPLEX64) continue;
        const ga_dtype of = t == GA_COMPLEX64 ? GA_COMPLEX128 : GA_FLOAT64;
        for (int n = 1000; n <= 1024; n += 24)
            for (int axis = -1; axis < 2; axis++) {
                GA_SCOPE;
                t_context("%s columns %d axis %d", ga_dtype_name((ga_dtype)t), n, axis);
                const ga_axis axes = axis < 0 ? GA_ALL : GA_AXIS(axis);
                ga_array *x = t_random_array((ga_dtype)t, GA_SHAPE(rows, n), -3, 3);
                ga_array *y = t_random_array((ga_dtype)t, GA_SHAPE(rows, n), -3, 3);
                ga_array *z = ga_sub(ga_mul(x, y), y), *wide = ga_astype(z, of);
                t_same_arrays(axis < 0 ? GA_EVAL(sum(x*y - y), x, y)
                              : axis ? GA_EVAL(sum(x*y - y, axis=1), x, y)
                                     : GA_EVAL(sum(x*y - y, axis=0), x, y),
                              ga_astype(ga_sum(wide, axes), (ga_dtype)t), 1);
                t_same_arrays(axis < 0 ? GA_EVAL(mean(x*y - y), x, y)
                              : axis ? GA_EVAL(mean(x*y - y, axis=1), x, y)
                                     : GA_EVAL(mean(x*y - y, axis=0), x, y),
                              ga_astype(ga_mean(wide, axes), (ga_dtype)t), 1);
                if (t == GA_COMPLEX64) continue;
                ga_assign(ga_slice(x, "3, ::5"), NAN);
                z = ga_sub(ga_mul(x, y), y);
                t_same_arrays(axis < 0 ? GA_EVAL(max(x*y - y), x, y)
                              : axis ? GA_EVAL(max(x*y - y, axis=1), x, y)
                                     : GA_EVAL(max(x*y - y, axis=0), x, y),
                              ga_max(z, axes), 0);
                t_same_arrays(axis < 0 ? GA_EVAL(min(x*y - y), x, y)
                              : axis ? GA_EVAL(min(x*y - y, axis=1), x, y)
                                     : GA_EVAL(min(x*y - y, axis=0), x, y),
                              ga_min(z, axes), 0);
            }
    }
    GA_SCOPE;
    ga_array *x = ga_full(GA_SHAPE(8, 1024), 3e38, GA_BFLOAT16), *y = ga_ones_like(x);
    ga_assign(ga_slice(x, ":, 1::2"), -3e38);
    T_CHECK(ga_item(GA_EVAL(sum(x*y + x*0), x, y)) == 0);
}
/* One operation, whatever its operands' layouts, types and numbers. */
TEST(one_operation) {
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (int how = 0; how < 5; how++) {
            GA_SCOPE;
            t_context("%s laid out %d", ga_dtype_name((ga_dtype)t), how);
            ga_array *a = t_random_array((ga_dtype)t, GA_SHAPE(130, 71), 1, 9);
            ga_array *x = t_laid_out(ga_copy(a), how), *k = ga_astype(a, GA_INT16);
            ga_array *y = t_laid_out(t_random_array((ga_dtype)t, GA_SHAPE(130, 71), 1, 9),
                                     (how + 2) % 5);
            ga_array *row = ga_slice(y, "3:4"), *column = ga_slice(y, ":, 5:6");
            ga_array *c = ga_greater(ga_real(x), 4);
            t_same_arrays(GA_EVAL(x + y, x, y), ga_add(x, y), 0);
            t_same_arrays(GA_EVAL(x*k, x, k), ga_mul(x, k), 0);
            t_same_arrays(GA_EVAL(x*row, x, row), ga_mul(x, row), 0);
            t_same_arrays(GA_EVAL(column + row, column, row), ga_add(column, row), 0);
            t_same_arrays(GA_EVAL(2 + x, x), ga_add(2, x), 0);
            t_same_arrays(GA_EVAL(x == 3, x), ga_equal(x, 3), 0);
            t_same_arrays(GA_EVAL(where(c, x, 1), c, x), ga_where(c, x, 1), 0);
            ga_array *out = t_laid_out(ga_zeros(GA_SHAPE(130, 71), (ga_dtype)t), how);
            T_CHECK(!GA_EVAL_INTO(out, x + y, x, y));
            t_same_arrays(out, ga_add(x, y), 0);
            T_CHECK(!GA_EVAL_INTO(x, x*y, x, y));
            t_same_arrays(x, ga_mul(a, y), 0);
        }
}

/* A column or a row beside rows of whole vectors is read as it lies, by one launch. */
static int launches(void) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_INT32, GA_UINT8};
    int bad = 0;
    for (size_t k = 0; k < T_COUNT(types); k++) {
        GA_SCOPE;
        const int64_t rows = t_on_gpu() ? 2048 : 64;
        ga_array *x = ga_ones(GA_SHAPE(rows, 1024), types[k]);
        ga_array *row = ga_ones(GA_SHAPE(1, 1024), types[k]), *column = ga_ones(GA_SHAPE(rows, 1), types[k]);
        int64_t calls = 0;
        ga_profile_reset();
        GA_EVAL((row + column*x)*x - column, x, row, column);
        ga_profile_row r[8];
        const int n = ga_profile_get(r, 8);
        for (int i = 0; i < n && i < 8; i++) calls += r[i].calls;
        bad += calls != 1;
        if (calls != 1) printf("%s: %d launches\n", ga_dtype_name(types[k]), (int)calls);
    }
    return bad;
}
TEST(few_launches) {
    T_CHECKF(T_CHILD("launches", "GPUARR_PROFILE=1") == 0, "%s", t_said);
}
/* What is computed of small operands alone is an array: the values are those of
   the separate calls, in all shapes, statements and overlaps.               */
TEST(small_operands) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16, GA_INT32, GA_COMPLEX64};
    const int64_t rows = ga_device() == GA_CPU ? 150 : 12000, cols = 191;
    for (size_t k = 0; k < T_COUNT(types); k++) {
        GA_SCOPE;
        const ga_dtype t = types[k];
        t_context("%s", ga_dtype_name(t));
        ga_array *x = t_random_array(t, GA_SHAPE(rows, cols), 1, 3), *r = t_random_array(t, GA_SHAPE(cols), 1, 3);
        ga_array *q = t_random_array(t, GA_SHAPE(cols), 1, 3), *c = t_random_array(t, GA_SHAPE(rows, 1), 1, 3);
        ga_array *s = t_random_array(t, GA_SCALAR_SHAPE, 1, 3), *sq = ga_square(r), *cube = ga_multiply(sq, r);
        t_same_arrays(GA_EVAL(r*r + x, x, r), ga_add(sq, x), 0);
        t_same_arrays(GA_EVAL(x - r*r, x, r), ga_subtract(x, sq), 0);
        t_same_arrays(GA_EVAL(x*(r*r*r) + r*r, x, r), ga_add(ga_multiply(x, cube), sq), 0);
        t_same_arrays(GA_EVAL(r*q*x + c*s, x, r, q, c, s),
                      ga_add(ga_multiply(ga_multiply(r, q), x), ga_multiply(c, s)), 0);
        t_same_arrays(GA_EVAL((c + 1)*(r - 1), r, c), ga_multiply(ga_add(c, 1), ga_subtract(r, 1)), 0);
        t_same_arrays(GA_EVAL(where(r*r > 4, r*r, x), x, r), ga_where(ga_greater(sq, 4), sq, x), 0);
        t_same_arrays(GA_EVAL("h = r*r; x + h - c*c", x, r, c),
                      ga_subtract(ga_add(x, sq), ga_square(c)), 0);
        t_same_arrays(GA_EVAL("(r*r)[1:] + x[:, 1:]", x, r),
                      ga_add(ga_slice(sq, "1:"), ga_slice(x, ":, 1:")), 0);
        t_same_arrays(GA_EVAL(max(x + r*r, axis=1), x, r), ga_max(ga_add(x, sq), GA_AXIS(1)), 0);
        /* what is written is read before: row 3 of x is r's, then c's column     */
        ga_array *y = ga_copy(x), *row = ga_slice(y, "3");
        ga_array *want = ga_add(ga_multiply(row, row), y);
        T_CHECK(!GA_EVAL_INTO(y, row*row + y, y, row));
        t_same_arrays(y, want, 0);
        ga_array *z = ga_copy(x), *o = ga_copy(x);
        want = ga_multiply(ga_add(z, 1), sq);
        T_CHECK(!GA_EVAL_SET(z = z + 1; o = z*(r*r), z, o, r));
        t_same_arrays(z, ga_add(x, 1), 0);
        t_same_arrays(o, want, 0);
        T_CHECK(!GA_EVAL(x + (r*c)*q, x, (r, ga_slice(r, "1:")), c, q) && ga_error() == GA_ERR_SHAPE);
        ga_clear_error();
    }
    GA_SCOPE;                       /* more of them than a program has room for */
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(rows, cols), 1, 2), *r = ga_slice(x, "0");
    ga_array *want = ga_multiply(ga_add(1, r), x);
    char text[8000] = "(1 + r)*x";
    for (int i = 2; i <= 190; i++) {
        sprintf(text + strlen(text), " + (%d + r)*x", i);
        GA_SCOPE;
        ga_add_into(want, want, ga_multiply(ga_add(i, r), x));
    }
    ga_expr *e = ga_expr_compile(text, "x, r");
    t_same_arrays(GA_EXPR_RUN(e, x, r), want, 0);
    ga_expr_free(e);
}

int main(int argc, char **argv) {
    static const t_case cases[] = {{"launches", launches}};
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(precedence), T(literals_and_types), T(macros),
        T(numbers_that_fit_or_not), T(numbers_round), T(numbers_in_text),
        T(large_integers_in_text), T(bools_beside_integers), T(computed_numbers),
        T(names), T(functions), T(statements), T(set_then_reduced), T(narrow_integers),
        T(packed_words), T(own_launches), T(same_outputs), T(overlap),
        T(complex_functions), T(numbers),
        T(quotients_and_roots), T(columns), T(reductions),
        T(order_of_products), T(reduction_lengths), T(many_rows), T(long_expressions),
        T(errors),
        T(errors_of_calls), T(handler_goes_on), T(kept),
        T(many_texts), T(reductions_without_room), T(graphs), T(threads),
        T(functions_of_halves), T(quotients_of_halves),
        T(folds_in_registers), T(one_operation), T(few_launches), T(small_operands),
        T(random_0), T(random_1), T(random_2), T(random_3), T(random_4),
        T(random_5)};
    return T_RUN("eval", tests);
}
