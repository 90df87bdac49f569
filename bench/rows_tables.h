/* rows_tables.h - the cases that gpuarr.h's operation tables make: element by
   element, casts, reductions, scans, random draws, small calls; a part of rows.c.  */

/* ------------------------------------------------------------ the tables */
static void special_copy(state *s) { ga_assign(s->out, s->x[0]); }
static void special_round(state *s) { (ga_round_into)(s->out, s->x[0], 1); }
static void special_nan_to_num(state *s) {
    (ga_nan_to_num_into)(s->out, s->x[0], 0, (double)NAN, (double)NAN);
}
static void special_where(state *s) { ga_where_into(s->out, s->x[0], s->x[1], s->x[2]); }
static void special_clip(state *s) {
    const bool lo = false, hi = true;   /* the words alone are ints in C11  */
    if (s->c->t == GA_BOOL) ga_clip_into(s->out, s->x[0], lo, hi);
    else ga_clip_into(s->out, s->x[0], 1, 5);
}

#define UNARY(n, types, result, cost, ulp, lo, hi, ...) \
    {#n, types, 1, ulp, lo, hi, (ga_##n), (ga_##n##_into), NULL, NULL, NULL},
#define BINARY(n, types, result, cost, ulp, lo, hi, ...) \
    {#n, types, 2, ulp, lo, hi, NULL, NULL, (ga_##n), (ga_##n##_into), NULL},
#define SPECIAL(n, types, result, cost) \
    {#n, types, sizeof #n == sizeof "where" && #n[0] == 'w' ? 3 : 1, 2, -9, 9, NULL, NULL, \
     NULL, NULL, special_##n},
static const row element_rows[] = {
    GA_UNARY_OPS(UNARY) GA_BINARY_OPS(BINARY) GA__SPECIAL_ROWS(SPECIAL)
};
#define ROWS(table) (sizeof(table) / sizeof *(table))

/* ------------------------------------------------------ element by element */
/* Bytes of an operand: beyond the L2 of a GPU, but for the small mode. */
static int64_t operand_bytes(void) {
    return gpu ? opt.small ? 1 << 18 : 64 << 20 : opt.small ? 1 << 16 : 2 << 20;
}
static int64_t columns(void) { return gpu && !opt.small ? 4096 : 1024 / (opt.small ? 8 : 1); }

static void run_element(state *s) {
    const row *r = s->c->r;
    if (r->special) {
        if (!s->out) set_out(s, ga_empty(ga_shape_of(s->x[r->nin == 3]), s->c->t));
        r->special(s);
        return;
    }
    if (!s->out) {                      /* the first call says shape and dtype */
        ga_array *a = r->nin == 1 ? r->f1(s->x[0]) : r->f2(s->x[0], s->x[1]);
        if (a) set_out(s, ga_empty(ga_shape_of(a), a->dtype));
        ga_free(a);
    }
    if (r->nin == 1) r->into1(s->out, s->x[0]);
    else r->into2(s->out, s->x[0], s->x[1]);
}
/* Where the operands lie: bases of R rows and C columns (`swapped`: the other
   way round), and views of them; the last operand of two or three may be a row
   or a column. `first`: only the first is viewed so, the others as `rest`.  */
static const struct layout {
    const char *name, *view, *rest;
    bool swapped, flat, broadcast;
} layouts[] = {
    {"c", "", "", false, false, false},
    {"row", "", "", false, false, true},
    {"col", "", "", false, false, true},
    {"off", "1:", "", false, true, false},
    {"str", ":, ::2", ":, ::2", false, false, false},
    {"tr", "T", "", true, false, false},
    {"odd", ":, :-1", "", false, false, false},
};
/* ldexp's exponents are integers, and so are polygamma's orders. */
static ga_dtype type_of(const row *r, ga_dtype t, int i) {
    if (i == 0 && !strcmp(r->name, "polygamma")) return GA_INT8;
    return i == 1 && !strcmp(r->name, "ldexp") ? GA_INT32 : t;
}
static void element_case(const row *r, ga_dtype t, const struct layout *l) {
    int64_t cols = columns(), rows = operand_bytes() / (int64_t)ga_dtype_size(t) / cols;
    rcase c = {.r = r, .t = t, .nin = r->nin, .body = run_element, .check = check_row,
               .limit = COPY, .form = r->name};
    bool last = true;                   /* the one that may be a row        */
    for (int i = r->nin - 1; i >= 0; i--) {
        operand *o = &c.in[i];
        bool cond = r->nin == 3 && i == 0, first = i == (r->nin == 3);
        *o = operand_of(cond ? GA_BOOL : type_of(r, t, i), GA_SHAPE(rows, cols),
                        first ? l->view : l->rest, r->lo, r->hi, 'u');
        if (l->broadcast && last)
            o->base = *l->name == 'r' ? GA_SHAPE(cols) : GA_SHAPE(rows, 1);
        else if (l->flat)
            o->base = GA_SHAPE(rows * cols + first);
        else if (l->swapped && first)
            o->base = GA_SHAPE(cols, rows);
        else if (*l->name == 'o' && !first)
            o->base = GA_SHAPE(rows, cols - 1);
        last = false;
    }
    snprintf(c.name, sizeof c.name, "ew/%s/%s/%s", r->name, short_name(t), l->name);
    run(&c);
}
static void elementwise_cases(void) {
    for (size_t i = 0; i < ROWS(element_rows); i++)
        for (int t = 0; t < GA_NUM_DTYPES; t++)
            for (size_t k = 0; k < ROWS(layouts); k++)
                if (native(element_rows[i].types, (ga_dtype)t)
                    && !(layouts[k].broadcast && element_rows[i].nin == 1))
                    element_case(&element_rows[i], (ga_dtype)t, &layouts[k]);
}

/* ------------------------------------------------------------------- casts */
static ga_dtype cast_to[GA_NUM_DTYPES];
static void run_cast(state *s) {
    if (!s->out) set_out(s, ga_empty(ga_shape_of(s->x[0]), *(const ga_dtype *)s->c->more));
    ga_assign(s->out, s->x[0]);
}
static enum verdict check_cast(state *s) {
    ga_dtype t = s->out->dtype;
    for (int k = 0; k < PLACES; k++) {
        int64_t idx[GA_MAX_NDIM];
        place(s->out, k, idx);
        lc v = element(s->x[0], 2, idx), got = element(s->out, 2, idx), want = v;
        if (t == GA_BOOL) want = v != 0;
        else if (is_int(t)) want = (ld)wrapped((int64_t)creall(v), t);
        else if (!is_complex(t)) want = creall(v);
        if (is_int(t) ? got != want : !close_to(got, want, t, 0)) return off(s, k, got, want);
    }
    return RIGHT;
}
static void cast_cases(void) {
    for (int from = 0; from < GA_NUM_DTYPES; from++)
        for (int t = 0; t < GA_NUM_DTYPES; t++) {
            size_t size = ga_dtype_size((ga_dtype)(ga_dtype_size((ga_dtype)t)
                                                   > ga_dtype_size((ga_dtype)from) ? t : from));
            int64_t cols = columns(), rows = operand_bytes() / (int64_t)size / cols;
            rcase c = {.nin = 1, .body = run_cast, .check = check_cast, .limit = COPY,
                       .form = ga_dtype_name((ga_dtype)t), .more = &cast_to[t]};
            if (t == from) continue;
            cast_to[t] = (ga_dtype)t;
            c.in[0] = operand_of((ga_dtype)from, GA_SHAPE(rows, cols), "", 0, 9, 'u');
            snprintf(c.name, sizeof c.name, "cast/%s/%s", short_name((ga_dtype)from),
                     short_name((ga_dtype)t));
            run(&c);
        }
}

/* -------------------------------------------------------------- reductions */
typedef struct reduction {
    const char *name;
    int types;
    ga_array *(*f)(const ga_array *, ga_axis);
    ga_status (*into)(ga_array *, const ga_array *, ga_axis);
    ga_array *(*fd)(const ga_array *, ga_axis, double);
    ga_status (*intod)(ga_array *, const ga_array *, ga_axis, double);
} reduction;
#define PLAIN(n, types, result, ...) {#n, types, (ga_##n), (ga_##n##_into), NULL, NULL},
#define DDOF(n, types, result, ...) {#n, types, NULL, NULL, (ga_##n), (ga_##n##_into)},
static const reduction reductions[] = {GA_REDUCTIONS(PLAIN) GA_REDUCTIONS_DDOF(DDOF)};

static void run_reduction(state *s) {
    const reduction *r = s->c->more;
    if (!s->out)
        set_out(s, r->f ? r->f(s->x[0], s->c->axis) : r->fd(s->x[0], s->c->axis, 0));
    else if (r->into) r->into(s->out, s->x[0], s->c->axis);
    else r->intod(s->out, s->x[0], s->c->axis, 0);
}
/* All that the tables' reductions say of one slice, in long double. */
typedef struct facts {
    int64_t n, nonzero, argmax, argmin;
    lc sum, prod, max, min;
    ld size, var;                       /* size: sum of |v|                 */
} facts;
static lc host_value(const void *p, ga_dtype t, int64_t i) {
    switch (t) {
    case GA_BOOL: case GA_UINT8: return ((const uint8_t *)p)[i];
    case GA_INT8: return ((const int8_t *)p)[i];
    case GA_INT16: return ((const int16_t *)p)[i];
    case GA_UINT16: return ((const uint16_t *)p)[i];
    case GA_INT32: return ((const int32_t *)p)[i];
    case GA_UINT32: return ((const uint32_t *)p)[i];
    case GA_INT64: return (ld)((const int64_t *)p)[i];
    case GA_UINT64: return (ld)((const uint64_t *)p)[i];
    case GA_FLOAT16: return (ld)ga_float16_to(((const ga_float16 *)p)[i]);
    case GA_BFLOAT16: return (ld)ga_bfloat16_to(((const ga_bfloat16 *)p)[i]);
    case GA_FLOAT32: return (ld)((const float *)p)[i];
    case GA_FLOAT64: return (ld)((const double *)p)[i];
    case GA_COMPLEX64: return (lc)((const ga_complex64 *)p)[i];
    default: return (lc)((const ga_complex128 *)p)[i];
    }
}
/* Elements i to i + n of a real array as doubles. */
static void block_of(const void *p, ga_dtype t, int64_t i, int64_t n, double *v) {
#define BLOCK(C) \
    for (int64_t k = 0; k < n; k++) v[k] = (double)((const C *)p)[i + k]; \
    break
    switch (t) {
    case GA_INT8: BLOCK(int8_t);
    case GA_BOOL: case GA_UINT8: BLOCK(uint8_t);
    case GA_INT16: BLOCK(int16_t);
    case GA_UINT16: BLOCK(uint16_t);
    case GA_INT32: BLOCK(int32_t);
    case GA_UINT32: BLOCK(uint32_t);
    case GA_FLOAT32: BLOCK(float);
    case GA_FLOAT64: BLOCK(double);
    default: for (int64_t k = 0; k < n; k++) v[k] = (double)creall(host_value(p, t, i + k));
    }
#undef BLOCK
}
enum { BLOCK_SIZE = 1024 };
static facts real_facts(const void *p, ga_dtype t, int64_t n) {
    facts f = {.n = n};
    double v[BLOCK_SIZE], max = 0, min = 0;
    ld sum = 0, size = 0, prod = 1;
    for (int64_t i = 0; i < n; i += BLOCK_SIZE) {
        int64_t m = n - i < BLOCK_SIZE ? n - i : BLOCK_SIZE;
        block_of(p, t, i, m, v);
        for (int64_t k = 0; k < m; k++) {
            sum += (ld)v[k];
            size += (ld)fabs(v[k]);
            prod *= (ld)v[k];
            f.nonzero += v[k] != 0;
            if (i + k == 0 || v[k] > max) max = v[k], f.argmax = i + k;
            if (i + k == 0 || v[k] < min) min = v[k], f.argmin = i + k;
        }
    }
    ld mean = sum / (ld)n;
    for (int64_t i = 0; i < n; i += BLOCK_SIZE) {
        int64_t m = n - i < BLOCK_SIZE ? n - i : BLOCK_SIZE;
        block_of(p, t, i, m, v);
        for (int64_t k = 0; k < m; k++) f.var += ((ld)v[k] - mean) * ((ld)v[k] - mean);
    }
    f.var /= (ld)n;
    f.sum = sum, f.prod = prod, f.size = size, f.max = (ld)max, f.min = (ld)min;
    return f;
}
static facts complex_facts(const void *p, ga_dtype t, int64_t n) {
    facts f = {.n = n, .prod = 1};
    for (int64_t i = 0; i < n; i++) {
        lc v = host_value(p, t, i);
        f.sum += v;
        f.prod *= v;
        f.size += cabsl(v);
        f.nonzero += v != 0;
        if (i == 0 || z_less(f.max, v)) f.max = v, f.argmax = i;
        if (i == 0 || z_less(v, f.min)) f.min = v, f.argmin = i;
    }
    lc mean = f.sum / (ld)n;
    for (int64_t i = 0; i < n; i++) {
        lc d = host_value(p, t, i) - mean;
        f.var += creall(d) * creall(d) + cimagl(d) * cimagl(d);
    }
    f.var /= (ld)n;
    return f;
}
static facts facts_of(const void *p, ga_dtype t, int64_t n) {
    return is_complex(t) ? complex_facts(p, t, n) : real_facts(p, t, n);
}
/* The facts of what makes element k of the result; the last are kept, of large
   slices above all.                                                        */
static facts slice_facts(const state *s, int k) {
    static struct { operand o; char view[16]; ga_axis axis; int k; facts f; } memo[8];
    static int next;
    const operand *o = &s->c->in[0];
    for (int i = 0; i < 8; i++)
        if (memo[i].f.n && same_operand(&memo[i].o, o) && !strcmp(memo[i].view, o->view)
            && !memcmp(&memo[i].axis, &s->c->axis, sizeof(ga_axis)) && memo[i].k == k)
            return memo[i].f;
    GA_SCOPE;
    int64_t idx[GA_MAX_NDIM];
    const ga_array *v = s->x[0];
    int axis = s->c->axis.n < 0 ? -1 : s->c->axis.axis[0];
    place(s->out, k, idx);
    if (axis >= 0)
        for (int i = v->ndim - 1, j = s->out->ndim - 1; i >= 0; i--)
            if (i != axis) v = ga_index_axis(v, i, idx[j--]);
    void *p = ga_asnumpy(v, NULL);
    facts f = facts_of(p, v->dtype, v->size);
    free(p);
    next = (next + 1) % 8;
    memo[next].o = *o;
    snprintf(memo[next].view, sizeof memo[next].view, "%s", o->view);
    memo[next].axis = s->c->axis;
    memo[next].k = k;
    memo[next].f = f;
    return f;
}
/* The operands hold no NaN: with and without "nan" it is the same number. */
static bool reduced(const char *name, const facts *f, lc *want) {
    if (!strncmp(name, "nan", 3)) name += 3;
    if (!strcmp(name, "sum")) *want = f->sum;
    else if (!strcmp(name, "prod")) *want = f->prod;
    else if (!strcmp(name, "max")) *want = f->max;
    else if (!strcmp(name, "min")) *want = f->min;
    else if (!strcmp(name, "argmax")) *want = (ld)f->argmax;
    else if (!strcmp(name, "argmin")) *want = (ld)f->argmin;
    else if (!strcmp(name, "all")) *want = f->nonzero == f->n;
    else if (!strcmp(name, "any")) *want = f->nonzero > 0;
    else if (!strcmp(name, "mean")) *want = f->sum / (ld)f->n;
    else if (!strcmp(name, "ptp")) *want = f->max - f->min;
    else if (!strcmp(name, "count_nonzero")) *want = (ld)f->nonzero;
    else if (!strcmp(name, "var")) *want = f->var;
    else if (!strcmp(name, "std")) *want = sqrtl(f->var);
    else return false;
    return true;
}
static enum verdict check_reduction(state *s) {
    const reduction *r = s->c->more;
    ga_dtype t = s->out->dtype;
    /* Operands without a zero, or with nothing else: see reduction_case(). */
    bool logical = !strcmp(r->name, "all") || !strcmp(r->name, "any");
    bool zeros = s->c->in[0].kind == '0';
    for (int k = 0; k < (s->out->size > 1 ? 2 : 1); k++) {
        int64_t idx[GA_MAX_NDIM];
        facts f = logical ? (facts){.n = 1, .nonzero = !zeros} : slice_facts(s, k);
        lc want;
        place(s->out, k, idx);
        lc got = element(s->out, s->out->ndim, idx);
        if (!reduced(r->name, &f, &want)) return UNCHECKED;
        if (!is_float(t) && !is_complex(t)) {
            if (is_int(t)) want = (ld)wrapped((int64_t)creall(want), t);
            if (got != want) return off(s, k, got, want);
            continue;
        }
        bool prod = strstr(r->name, "prod") != NULL;
        ld slack = prod ? cabsl(want) * (ld)f.n * 0x1p-52L
                        : f.size * 0x1p-50L / (strstr(r->name, "sum") ? 1 : (ld)f.n);
        if (strstr(r->name, "var") || strstr(r->name, "std")) slack += cabsl(want) * 1e-10L;
        if (prod && (!isfinite(cabsl(want)) || cabsl(want) < 1e-30L)) continue;
        if (cabsl(got - want) <= slack || close_to(got, want, t, 3)) continue;
        return off(s, k, got, want);
    }
    return RIGHT;
}
/* The shape of one operand and the axis, by the case's word for it. */
static ga_shape along(ga_dtype t, const char *shape, ga_axis *axis) {
    int64_t cols = columns(), n = operand_bytes() / (int64_t)ga_dtype_size(t), thin = 16;
    int64_t side = gpu && !opt.small ? 256 : 32;
    *axis = !strcmp(shape, "all") ? GA_ALL : GA_AXIS(strcmp(shape, "first") != 0);
    if (!strcmp(shape, "mid")) return GA_SHAPE(side, n / (side * side), side);
    if (!strcmp(shape, "long")) return GA_SHAPE(thin, n / thin);
    if (!strcmp(shape, "short")) return GA_SHAPE(n / thin, thin);
    return GA_SHAPE(n / cols, cols);
}
static void reduction_case(const reduction *r, ga_dtype t, const char *shape) {
    bool wide = is_int(t) || t == GA_BOOL;
    const char *view = !strcmp(shape, "str") ? ":, ::2" : "";
    rcase c = {.nin = 1, .body = run_reduction, .check = check_reduction, .limit = READ,
               .form = r->name, .more = r};
    ga_shape s = along(t, shape, &c.axis);
    /* any ends at the first nonzero: it gets none, all none that is zero   */
    bool any = !strcmp(r->name, "any"), all = !strcmp(r->name, "all");
    c.in[0] = operand_of(t, s, view, wide ? all ? 1 : -9 : 0.5, wide ? 9 : 1.5, any ? '0' : 'u');
    if (t == GA_BOOL && all) c.in[0].kind = '1';
    snprintf(c.name, sizeof c.name, "red/%s/%s/%s", r->name, short_name(t), shape);
    run(&c);
}
static void reduction_cases(void) {
    static const char *const shapes[] = {"all", "first", "last", "mid", "long", "short", "str"};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (size_t k = 0; k < ROWS(shapes); k++)
            for (size_t i = 0; i < ROWS(reductions); i++)
                if (native(reductions[i].types, (ga_dtype)t))
                    reduction_case(&reductions[i], (ga_dtype)t, shapes[k]);
}

/* ------------------------------------------------------------------- scans */
typedef struct scan {
    const char *name;
    int types;
    ga_array *(*f)(const ga_array *, ga_axis, unsigned);
    ga_status (*into)(ga_array *, const ga_array *, ga_axis, unsigned);
} scan;
#define SCAN(n, types, ...) {#n, types, (ga_##n), (ga_##n##_into)},
static const scan scans[] = {GA_SCANS(SCAN)};

static void run_scan(state *s) {
    const scan *r = s->c->more;
    if (!s->out) set_out(s, r->f(s->x[0], s->c->axis, 0));
    else r->into(s->out, s->x[0], s->c->axis, 0);
}
/* Some places, by what reductions say of all that lies before them. */
static enum verdict check_scan(state *s) {
    const scan *r = s->c->more;
    const char *name = strstr(r->name, "cum") + 3;
    ga_dtype t = s->out->dtype;
    bool prod = !strcmp(name, "prod");
    for (int k = 0; k < 2; k++) {
        GA_SCOPE;
        int64_t idx[GA_MAX_NDIM];
        const ga_array *v = s->x[0];
        int axis = s->c->axis.n < 0 ? 0 : s->c->axis.axis[0];
        lc want;
        place(s->out, k, idx);
        if (s->c->axis.n < 0) v = ga_reshape(v, GA_SHAPE(-1));
        v = ga_slice_axis(v, axis, 0, idx[axis] + 1, 1);
        for (int i = v->ndim - 1; i >= 0; i--)
            if (i != axis) v = ga_index_axis(v, i, idx[i]);
        void *p = ga_asnumpy(v, NULL);
        facts f = facts_of(p, v->dtype, v->size);
        free(p);
        if (!reduced(name, &f, &want)) return UNCHECKED;
        lc got = element(s->out, s->out->ndim, idx);
        if (!is_float(t) && !is_complex(t)) {
            if (is_int(t)) want = (ld)wrapped((int64_t)creall(want), t);
            if (got != want) return off(s, k, got, want);
            continue;
        }
        ld slack = prod ? cabsl(want) * (ld)f.n * 0x1p-52L : f.size * 0x1p-48L;
        if (prod && (!isfinite(cabsl(want)) || cabsl(want) < 1e-30L)) continue;
        if (cabsl(got - want) <= slack || close_to(got, want, t, 3)) continue;
        return off(s, k, got, want);
    }
    return RIGHT;
}
static void scan_case(const scan *r, ga_dtype t, const char *shape) {
    const char *view = !strcmp(shape, "str") ? ":, ::2" : "";
    rcase c = {.nin = 1, .body = run_scan, .check = check_scan, .limit = COPY,
               .form = r->name, .more = r};
    ga_shape s = along(t, shape, &c.axis);
    c.in[0] = operand_of(t, s, view, is_int(t) ? -9 : 0.5, is_int(t) ? 9 : 1.5, 'u');
    snprintf(c.name, sizeof c.name, "scan/%s/%s/%s", r->name, short_name(t), shape);
    run(&c);
}
static void scan_cases(void) {
    static const char *const shapes[] = {"all", "first", "last", "mid", "long", "short", "str"};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (size_t k = 0; k < ROWS(shapes); k++)
            for (size_t i = 0; i < ROWS(scans); i++)
                if (native(scans[i].types, (ga_dtype)t))
                    scan_case(&scans[i], (ga_dtype)t, shapes[k]);
}

/* ------------------------------------------------------------------ random */
typedef struct distribution {
    const char *name;
    char result;
    int npar;
    ga_status (*f0)(ga_array *);
    ga_status (*f1)(ga_array *, const ga_array *);
    ga_status (*f2)(ga_array *, const ga_array *, const ga_array *);
    ga_status (*f3)(ga_array *, const ga_array *, const ga_array *, const ga_array *);
} distribution;
enum { OF_F = 'F', OF_I = 'I' };
static const distribution distributions[] = {
#define X(n, r, ...) {#n, OF_##r, 0, (ga_random_##n##_into), NULL, NULL, NULL},
    GA_DISTRIBUTIONS_0(X)
#undef X
#define X(n, r, ...) {#n, OF_##r, 1, NULL, (ga_random_##n##_into), NULL, NULL},
    GA_DISTRIBUTIONS_1(X)
#undef X
#define X(n, r, ...) {#n, OF_##r, 2, NULL, NULL, (ga_random_##n##_into), NULL},
    GA_DISTRIBUTIONS_2(X)
#undef X
#define X(n, r, ...) {#n, OF_##r, 3, NULL, NULL, NULL, (ga_random_##n##_into)},
    GA_DISTRIBUTIONS_3(X)
#undef X
};
/* Parameters, and mean and variance for the check; one that is not here gets
   0.4, 0.5, 0.6 and no check.                                              */
static const struct moments { const char *name; double par[3], mean, var; } moments[] = {
    {"random", {0}, 0.5, 1 / 12.}, {"standard_normal", {0}, 0, 1},
    {"exponential", {1.5}, 1.5, 2.25}, {"chisquare", {3}, 3, 6}, {"standard_t", {5}, 0, 5 / 3.},
    {"weibull", {2}, 0.886227, 0.214602}, {"pareto", {3}, 0.5, 0.75},
    {"power", {2}, 2 / 3., 1 / 18.}, {"rayleigh", {1}, 1.253314, 0.429204},
    {"zipf", {4}, 1.110626, 0.286326}, {"poisson", {4}, 4, 4}, {"geometric", {0.2}, 5, 20},
    {"logseries", {0.6}, 1.637035, 1.412703}, {"uniform", {-1, 1}, 0, 1 / 3.},
    {"normal", {1, 2}, 1, 4}, {"lognormal", {0, 0.5}, 1.133148, 0.364696},
    {"gamma", {2.5, 1}, 2.5, 2.5}, {"beta", {2, 5}, 2 / 7., 0.0255102},
    {"f", {5, 10}, 1.25, 1.354167}, {"cauchy", {0, 1}, 0, NAN}, {"laplace", {0, 1}, 0, 2},
    {"logistic", {0, 1}, 0, 3.289868}, {"gumbel", {0, 1}, 0.577216, 1.644934},
    {"vonmises", {0, 4}, 0, 0.3}, {"wald", {1, 2}, 1, 0.5}, {"binomial", {100, 0.3}, 30, 21},
    {"negative_binomial", {5, 0.4}, 7.5, 18.75}, {"integers", {0, 100}, 49.5, 833.25},
    {"triangular", {0, 1, 3}, 4 / 3., 7 / 18.}, {"hypergeometric", {20, 30, 10}, 4, 1.959184},
};
static const struct moments *moments_of(const char *name) {
    for (size_t i = 0; i < ROWS(moments); i++)
        if (!strcmp(moments[i].name, name)) return &moments[i];
    return NULL;
}
static void run_draw(state *s) {
    const distribution *d = s->c->more;
    const double *p = s->c->par;
    if (!s->out) set_out(s, ga_empty(s->c->in[0].base, s->c->in[0].t));
    if (d->f0) d->f0(s->out);
    else if (!strcmp(d->name, "integers"))
        d->f2(s->out, GA_ARG((int64_t)p[0]), GA_ARG((int64_t)p[1]));
    else if (d->f1) d->f1(s->out, GA_ARG(p[0]));
    else if (d->f2) d->f2(s->out, GA_ARG(p[0]), GA_ARG(p[1]));
    else d->f3(s->out, GA_ARG(p[0]), GA_ARG(p[1]), GA_ARG(p[2]));
}
/* The mean of the first elements, within 6 of its own deviations and of what
   the dtype rounds.                                                        */
static enum verdict check_draw(state *s) {
    const distribution *d = s->c->more;
    const struct moments *m = moments_of(d->name);
    if (!m || isnan(m->var) || s->out->dtype == GA_BOOL) return UNCHECKED;
    int64_t n = s->out->size < 65536 ? s->out->size : 65536;
    ga_array *part = ga_slice_axis(s->out, 0, 0, n, 1);
    void *p = ga_asnumpy(part, NULL);
    facts f = facts_of(p, part->dtype, n);
    free(p);
    ld got = creall(f.sum) / (ld)n, rough = digits(s->out->dtype) < 24 ? 0.01L : 0;
    ld slack = 6 * sqrtl((ld)m->var / (ld)n) + rough * (1 + fabsl((ld)m->mean));
    return fabsl(got - (ld)m->mean) <= slack ? RIGHT : off(s, 0, got, (ld)m->mean);
}
static void random_cases(void) {
    for (size_t i = 0; i < ROWS(distributions); i++)
        for (int t = 0; t < GA_NUM_DTYPES; t++) {
            const distribution *d = &distributions[i];
            ga_dtype u = (ga_dtype)t;
            const struct moments *m = moments_of(d->name);
            bool exact = !strcmp(d->name, "integers");      /* no floats     */
            if (!(is_float(u) && !exact) && !(d->result == 'I' && is_int(u))) continue;
            rcase c = {.nin = 1, .body = run_draw, .check = check_draw, .limit = FILL,
                       .form = d->name, .more = d, .par = {0.4, 0.5, 0.6},
                       .npar = d->npar};
            if (m) memcpy(c.par, m->par, sizeof c.par);
            c.in[0] = operand_of(u, GA_SHAPE(operand_bytes() / (int64_t)ga_dtype_size(u)
                                            / (gpu ? 1 : 4)), "", 0, 0, '-');
            snprintf(c.name, sizeof c.name, "rand/%s/%s", d->name, short_name(u));
            run(&c);
        }
}

/* ------------------------------------------------------------- small calls */
/* The host's time of a call on 1024 elements: into an array, and to a new one. */
static void run_small_new(state *s) {
    const row *r = s->c->r;
    const reduction *d = s->c->more;
    set_out(s, d ? d->f ? d->f(s->x[0], GA_ALL) : d->fd(s->x[0], GA_ALL, 0)
               : r->nin == 1 ? r->f1(s->x[0]) : r->f2(s->x[0], s->x[1]));
}
static void small_case(const row *r, const reduction *d, ga_dtype t, bool fresh) {
    rcase c = {.r = r, .t = t, .more = d, .nin = r ? r->nin : 1, .limit = LAUNCH,
               .host = true, .form = r ? r->name : d->name, .axis = GA_ALL,
               .check = r ? check_row : check_reduction,
               .body = fresh ? run_small_new : r ? run_element : run_reduction};
    for (int i = 0; i < c.nin; i++)
        c.in[i] = operand_of(c.nin == 3 && i == 0 ? GA_BOOL : r ? type_of(r, t, i) : t,
                             GA_SHAPE(1024), "", r ? r->lo : 0.5, r ? r->hi : 1.5, 'u');
    snprintf(c.name, sizeof c.name, "small/%s/%s/%s", c.form, short_name(t),
             fresh ? "new" : "into");
    run(&c);
}
static void small_cases(void) {
    for (int fresh = 0; fresh < 2; fresh++) {
        for (size_t i = 0; i < ROWS(element_rows); i++) {
            const row *r = &element_rows[i];
            ga_dtype t = native(r->types, GA_FLOAT32) ? GA_FLOAT32 : GA_INT32;
            if (!fresh || !r->special) small_case(r, NULL, t, fresh);
        }
        for (size_t i = 0; i < ROWS(reductions); i++)
            small_case(NULL, &reductions[i], GA_FLOAT32, fresh);
    }
}
