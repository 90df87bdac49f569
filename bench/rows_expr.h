/* rows_expr.h - expressions made from a fixed seed, by class of operations,
   dtype, broadcast and reduction; a part of rows.c. The text is Python's too
   (rows_peers.py evaluates it), and the tree it comes from is evaluated here
   in long double for the check.                                            */

enum { LEAF = 4, MOST_NODES = 96 };
typedef struct node { char op; short a, b, c; } node;
typedef struct tree {
    node n[MOST_NODES];
    int used, root;
    int reduction;                      /* index in folds, or -1            */
    char text[2048];
} tree;
/* op, how many operands, its text: $ stands for them in turn. */
static const struct op { char op; int n; const char *text; } ops[] = {
    {'+', 2, "($ + $)"}, {'-', 2, "($ - $)"}, {'*', 2, "($*$)"}, {'/', 2, "($/(1.5 + $**2))"},
    {'2', 1, "$**2"}, {'s', 1, "sin($)"}, {'c', 1, "cos($)"}, {'t', 1, "tanh($)"},
    {'e', 1, "exp(-absolute($))"}, {'l', 1, "log(1 + $**2)"}, {'r', 1, "sqrt(absolute($))"},
    {'w', 2, "where(x < y, $, $)"}, {'M', 2, "maximum($, $)"}, {'m', 2, "minimum($, $)"},
    {'&', 2, "($ & $)"}, {'|', 2, "($ | $)"}, {'^', 2, "($ ^ $)"}, {'>', 1, "($ >> 1)"},
    {'h', 1, "($*0.5 + 1.25)"}, {'3', 1, "($*3)"},
};
static const char *const folds[] = {"sum", "mean", "max", "min"};
static const struct kind { const char *name, *ops, *types; } kinds[] = {
    {"arith", "+-*/2h", "f32 f64 f16 c64 "}, {"trans", "scteslr*+h", "f32 f64 f16 "},
    {"where", "wMm+-*", "f32 f64 f16 i32 "}, {"poly", "+*h*+h", "f32 f64 "},
    {"int", "+-*&|^>3", "i32 i64 u8 "}, {"mixed", "+-*/w", "f32 "},
};
static uint64_t seed;
static int draw(int n) {
    seed += 0x9e3779b97f4a7c15u;
    uint64_t h = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return (int)((h >> 33) % (uint64_t)n);
}
static const struct op *op_of(char c) {
    const struct op *p = ops;
    while (p->op != c) p++;
    return p;
}
/* A tree of about `size` operations of the kind. */
static short grow(tree *t, const struct kind *k, int size) {
    short at = (short)t->used++;
    node *n = &t->n[at];
    if (size <= 0 || t->used > MOST_NODES - 8) {
        n->op = "xyzx"[draw(LEAF)];
        return at;
    }
    n->op = k->ops[draw((int)strlen(k->ops))];
    int two = op_of(n->op)->n == 2, part = two ? draw(size) : size - 1;
    n->a = grow(t, k, part);
    n->b = two ? grow(t, k, size - 1 - part) : 0;
    return at;
}
static bool is_leaf(const node *n) { return n->op >= 'x' && n->op <= 'z'; }
static void spell(const tree *t, int at, char **to) {
    const node *n = &t->n[at];
    if (is_leaf(n)) {
        *(*to)++ = n->op;
        return;
    }
    bool second = false;
    for (const char *p = op_of(n->op)->text; *p; p++)
        if (*p == '$') {
            spell(t, second ? n->b : n->a, to);
            second = true;
        } else {
            *(*to)++ = *p;
        }
    **to = 0;
}
/* The value for x, y, z; *most: the largest on the way, for the tolerance. */
static lc value_of(const tree *t, int at, const lc v[3], ld *most) {
    const node *n = &t->n[at];
    if (is_leaf(n)) return v[n->op - 'x'];
    lc a = value_of(t, n->a, v, most), b = op_of(n->op)->n == 2 ? value_of(t, n->b, v, most) : 0;
    ld r = creall(a), q = creall(b);
    int64_t i = (int64_t)r, j = (int64_t)q;
    switch (n->op) {
    case '+': a = a + b; break;
    case '-': a = a - b; break;
    case '*': a = a * b; break;
    case '/': a = a / (1.5L + b * b); break;
    case '2': a = a * a; break;
    case 's': a = sinl(r); break;
    case 'c': a = cosl(r); break;
    case 't': a = tanhl(r); break;
    case 'e': a = expl(-fabsl(r)); break;
    case 'l': a = logl(1 + r * r); break;
    case 'r': a = sqrtl(fabsl(r)); break;
    case 'w': a = creall(v[0]) < creall(v[1]) ? a : b; break;
    case 'M': a = r > q ? r : q; break;
    case 'm': a = r < q ? r : q; break;
    case '&': a = (ld)(i & j); break;
    case '|': a = (ld)(i | j); break;
    case '^': a = (ld)(i ^ j); break;
    case '>': a = (ld)(i >> 1); break;
    case '3': a = a * 3; break;
    case 'h': a = a * 0.5L + 1.25L; break;
    }
    if (is_int(ref_type)) a = (ld)wrapped((int64_t)creall(a), ref_type);
    if (cabsl(a) > *most) *most = cabsl(a);
    return a;
}

static void run_expr(state *s) {
    const ga_array *x[] = {s->x[0], s->x[1], s->x[2]};
    if (!s->out) set_out(s, ga_expr_run(s->expr, x, 3));
    else ga_expr_run_into(s->out, s->expr, x, 3);
}
/* Rounding errors of the steps, with a margin for what a step makes of them. */
static bool near(lc got, lc want, ga_dtype t, ld most) {
    if (is_int(t)) return got == want;
    ld eps = digits(t) == 11 ? 0x1p-6L : digits(t) == 24 ? 0x1p-16L : 0x1p-42L;
    return cabsl(got - want) <= eps * (1 + most) || (digits(t) == 11 && most > 6e4L)
           || most > 1e30L;
}
static enum verdict check_expr(state *s) {
    const tree *t = s->c->more;
    ref_type = s->c->t;
    if (t->reduction >= 0) {            /* on the first rows alone          */
        GA_SCOPE;
        const ga_array *x[3];
        int64_t rows = s->x[0]->shape[0] < 8 ? s->x[0]->shape[0] : 8, cols = s->x[0]->shape[1];
        void *p[3];
        for (int i = 0; i < 3; i++) {
            x[i] = ga_slice_axis(s->x[i], 0, 0, rows, 1);
            p[i] = ga_asnumpy(x[i], NULL);
        }
        ga_array *out = ga_expr_run(s->expr, x, 3);
        int axis = s->c->axis.n < 0 ? -1 : s->c->axis.axis[0];
        lc got = out ? element(out, out->ndim, (int64_t[]){0, 0}) : 0, sum = 0, best = 0;
        ld most = 0, total = 0;
        int64_t n = axis == 0 ? rows : axis == 1 ? cols : rows * cols;
        for (int64_t k = 0; k < n && out; k++) {
            lc v[3];
            for (int i = 0; i < 3; i++)
                v[i] = host_value(p[i], x[i]->dtype, axis == 0 ? k * cols : k);
            lc w = value_of(t, t->root, v, &most);
            sum += w;
            total += cabsl(w);
            bool max = folds[t->reduction][1] == 'a';
            if (k == 0 || (max ? z_less(best, w) : z_less(w, best))) best = w;
        }
        for (int i = 0; i < 3; i++) free(p[i]);
        if (!out) return WRONG;
        const char *f = folds[t->reduction];
        lc want = *f == 's' ? sum : f[1] == 'e' ? sum / (ld)n : best;
        most = fmaxl(most, *f == 's' ? total : 0);
        ga_dtype o = out->dtype;
        return near(got, want, is_int(o) ? o : s->c->t, most) ? RIGHT : off(s, 0, got, want);
    }
    for (int k = 0; k < PLACES; k++) {
        int64_t idx[GA_MAX_NDIM];
        lc v[3];
        ld most = 0;
        place(s->out, k, idx);
        for (int i = 0; i < 3; i++) v[i] = element(s->x[i], 2, idx);
        lc want = value_of(t, t->root, v, &most), got = element(s->out, 2, idx);
        if (!near(got, want, s->c->t, most)) return off(s, k, got, want);
    }
    return RIGHT;
}
/* form: "n" all of one shape, "b" y a row and z a column, "r", "0", "1"
   reduced over all, the first, the last axis. class: expr, or jit for the same
   expressions compiled at run time.                                         */
static void expr_case(const char *class, const struct kind *k, ga_dtype t, char form, int nth) {
    tree e = {.reduction = -1};
    char *end = e.text;
    int64_t cols = columns(), rows = operand_bytes() / (int64_t)ga_dtype_size(t) / cols;
    rcase c = {.t = t, .nin = 3, .body = run_expr, .check = check_expr, .limit = COPY,
               .form = e.text, .more = &e, .expr = true, .axis = GA_ALL};
    snprintf(c.name, sizeof c.name, "expr/%s/%s/%c%d", k->name, short_name(t), form, nth);
    seed = hash(c.name);
    snprintf(c.name, sizeof c.name, "%s/%s/%s/%c%d", class, k->name, short_name(t), form, nth);
    bool reduces = strchr("r01", form) != NULL;
    if (reduces) {
        e.reduction = draw(is_complex(t) ? 2 : 4);
        end += sprintf(end, "%s(", folds[e.reduction]);
        c.limit = READ;
    }
    e.root = grow(&e, k, nth == 0 ? 2 + draw(3) : *k->name == 'p' ? 16 : 7 + draw(6));
    spell(&e, e.root, &end);
    if (form == 'r') end += sprintf(end, ")");
    else if (reduces) end += sprintf(end, ", axis=%c)", form);
    if (form == '0' || form == '1') c.axis = GA_AXIS(form - '0');
    for (int i = 0; i < 3; i++) {
        bool exponent = *k->name == 'm' && i == 1;      /* mixed: y is int32 */
        ga_shape s = form != 'b' || i == 0 ? GA_SHAPE(rows, cols)
                     : i == 1 ? GA_SHAPE(1, cols) : GA_SHAPE(rows, 1);
        c.in[i] = operand_of(exponent ? GA_INT32 : t, s, "", is_int(t) || exponent ? 0 : 0.5,
                            is_int(t) || exponent ? 9 : 2, 'u');
    }
    *end = 0;
    run(&c);
}
static void expression_cases(const char *class) {
    for (size_t i = 0; i < ROWS(kinds); i++)
        for (int t = 0; t < GA_NUM_DTYPES; t++) {
            char name[8];
            snprintf(name, sizeof name, "%s ", short_name((ga_dtype)t));
            for (const char *f = "nbr01"; *f && strstr(kinds[i].types, name); f++)
                for (int nth = 0; nth < 2; nth++)
                    expr_case(class, &kinds[i], (ga_dtype)t, *f, nth);
        }
}
