/* Every element-wise operation in every layout and dtype: whatever the memory
   looks like the elements must be those of the plain contiguous call. Rows
   come from the header's tables, so a new operation is tested by its row.   */
#include <inttypes.h>

#include "rows.h"

enum { ROWS = 6, COLS = 10, N = ROWS * COLS, LINE = 80 };

/* One row on one dtype: operands, their contiguous result on the host. */
typedef struct job {
    const r_row *r;
    ga_dtype t, tx, ty, tr;         /* of x, y and the result               */
    ga_array *x, *y;                /* (ROWS, COLS)                         */
    ga_array *lx, *ly;              /* (LINE,)                              */
    void *want, *line;
    ga_dtype tw;                    /* the result before it was rounded to a */
    void *unrounded;                /* half type: float32                    */
} job;

static ga_array *call(const job *j, const ga_array *x, const ga_array *y) {
    return j->r->nin == 1 ? j->r->f1(x) : j->r->f2(x, y);
}
static ga_status call_into(const job *j, ga_array *out, const ga_array *x,
                           const ga_array *y) {
    return j->r->nin == 1 ? j->r->into1(out, x) : j->r->into2(out, x, y);
}
static ga_array *random_operand(const r_row *r, ga_dtype t, ga_shape s) {
    return t_random_array(t, s, r->lo, r->hi);
}
/* Arrays of one half type have functions of their own on a GPU, which round as
   well but not alike.                                                       */
static double slack(const job *j, ga_dtype t) {
    bool half = t == GA_FLOAT16 || t == GA_BFLOAT16;
    return t_on_gpu() && half && (r_own(j->r) || !strcmp(j->r->cost, "HEAVY")) ? 1 : 0;
}
/* False where the operation does not take the dtype (see test_promotion). */
static bool job_make(job *j, const r_row *r, ga_dtype t) {
    j->r = r;
    j->t = j->tx = j->ty = t;
    if (r_named(r, "ldexp")) j->ty = GA_INT32;
    j->x = random_operand(r, j->tx, GA_SHAPE(ROWS, COLS));
    j->y = random_operand(r, j->ty, GA_SHAPE(ROWS, COLS));
    j->lx = random_operand(r, j->tx, GA_SHAPE(LINE));
    j->ly = random_operand(r, j->ty, GA_SHAPE(LINE));
    int64_t live = ga_live_arrays();
    ga_array *a = call(j, j->x, j->y);
    if (!a) {
        T_CHECK(ga_error() == GA_ERR_DTYPE);
        T_CHECK(ga_live_arrays() == live);
        ga_clear_error();
        return false;
    }
    T_CHECKF(ga_live_arrays() == live + 1, "%lld handles made, not one",
             (long long)(ga_live_arrays() - live));
    j->tr = a->dtype;
    j->want = t_host(a);
    j->line = t_host(call(j, j->lx, j->ly));
    j->tw = j->tr;
    j->unrounded = j->want;
    if ((j->tr == GA_FLOAT16 || j->tr == GA_BFLOAT16)
        && !r_named(r, "nextafter")) {
        ga_array *x = ga_astype(j->x, GA_FLOAT32), *y = j->y;
        if (!r_named(r, "ldexp")) y = ga_astype(y, GA_FLOAT32);
        j->tw = GA_FLOAT32;
        j->unrounded = t_host(call(j, x, y));
    }
    return true;
}
static void expect(const job *j, const ga_array *got, const char *how) {
    t_context("%s %s, %s", j->r->name, ga_dtype_name(j->t), how);
    t_same(got, j->tr, GA_SHAPE(ROWS, COLS), j->want);
}

/* What a row does not take it computes in the next type that it does. */
static void goes_up(const job *j) {
    if (!(t_is_int(j->t) || j->t == GA_BOOL) || !t_is_float(j->tr)) return;
    ga_array *y = r_named(j->r, "ldexp") ? j->y : ga_astype(j->y, j->tr);
    t_context("%s %s, cast first", j->r->name, ga_dtype_name(j->t));
    t_same_arrays(call(j, ga_astype(j->x, j->tr), y),
                  ga_asarray_as(j->want, j->tr, GA_SHAPE(ROWS, COLS)),
                  slack(j, j->tr));
}

/* The elements of x in other places of memory. */
static ga_array *strided(const ga_array *x) {
    ga_array *big = ga_zeros(GA_SHAPE(2 * ROWS, 3 * COLS), x->dtype);
    ga_array *v = ga_slice(big, "1::2, 2::3");
    ga_assign(v, x);
    return v;
}
static ga_array *reversed(const ga_array *x) {
    return ga_flip(ga_copy(ga_flip(x, GA_ALL)), GA_ALL);
}
static ga_array *turned(const ga_array *x) {
    return ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
}
static ga_array *of_rank_8(const ga_array *x) {
    return ga_reshape(x, GA_SHAPE(1, 2, 3, 1, 5, 1, 2, 1));
}

static void layouts(const job *j) {
    ga_array *(*const make[])(const ga_array *) = {strided, reversed, turned};
    static const char *const name[] = {"strided", "reversed", "transposed"};
    for (int i = 0; i < 3; i++) {
        expect(j, call(j, make[i](j->x), j->y), name[i]);
        if (j->r->nin == 1) continue;
        expect(j, call(j, j->x, make[i](j->y)), name[i]);
        expect(j, call(j, make[i](j->x), make[(i + 1) % 3](j->y)), name[i]);
    }
    ga_array *t = call(j, turned(j->x), turned(j->y));
    t_context("%s %s", j->r->name, ga_dtype_name(j->t));
    T_CHECKF(t && t->strides[0] == 1, "the result of transposed operands is "
             "not laid out as they are");

    ga_array *x8 = of_rank_8(j->x), *y8 = of_rank_8(j->y);
    ga_array *r = call(j, x8, y8);
    expect(j, r ? ga_reshape(r, GA_SHAPE(ROWS, COLS)) : NULL, "rank 8");
    r = call(j, ga_transpose(x8, GA_ALL), ga_transpose(y8, GA_ALL));
    expect(j, r ? ga_reshape(ga_transpose(r, GA_ALL), GA_SHAPE(ROWS, COLS))
                : NULL, "rank 8 transposed");

    t_context("%s %s, one element", j->r->name, ga_dtype_name(j->t));
    r = call(j, ga_slice(j->x, "2, -3"), ga_slice(j->y, "2, -3"));
    size_t at = (2 * COLS + COLS - 3) * ga_dtype_size(j->tr);
    t_same(r, j->tr, GA_SCALAR_SHAPE, (char *)j->want + at);

    t_context("%s %s, empty", j->r->name, ga_dtype_name(j->t));
    ga_array *none = ga_slice(j->x, "3:3"), *ynone = ga_slice(j->y, "3:3");
    t_is(call(j, none, ynone), j->tr, GA_SHAPE(0, COLS));
    t_is(call(j, none, ga_slice(j->y, "0")), j->tr, GA_SHAPE(0, COLS));
}

/* Lengths around vectors of every width at offsets 0 to 3: heads and tails. */
static void lengths(const job *j) {
    static const int lengths[] = {1, 2, 3, 4, 5, 7, 9, 15, 17, 31, 34, 70};
    const int step = t_quick() ? 4 : 1;
    int total = 0, pos = 0;
    for (size_t i = 0; i < T_COUNT(lengths); i += step) total += 4 * (lengths[i] + 1);
    ga_array *out = ga_zeros(GA_SHAPE(total), j->tr);
    ga_array *want = ga_zeros(GA_SHAPE(total), j->tr);
    ga_array *line = ga_asarray_as(j->line, j->tr, GA_SHAPE(LINE));
    for (size_t i = 0; i < T_COUNT(lengths); i += step)
        for (int off = 0; off < 4; off++) {
            GA_SCOPE;
            const int n = lengths[i];
            int oy = (off + n) % 4;     /* operands aligned differently     */
            if (j->r->nin == 1 || i % 2) oy = off;
            ga_array *o = ga_slice_axis(out, 0, pos, pos + n, 1);
            ga_array *w = ga_slice_axis(want, 0, pos, pos + n, 1);
            ga_array *x = ga_slice_axis(j->lx, 0, off, off + n, 1);
            ga_array *y = ga_slice_axis(j->ly, 0, oy, oy + n, 1);
            call_into(j, o, x, y);
            if (oy == off) ga_assign(w, ga_slice_axis(line, 0, off, off + n, 1));
            else call_into(j, w, ga_copy(x), ga_copy(y));
            pos += n + 1;               /* one element between must stay 0  */
        }
    t_context("%s %s, lengths and offsets", j->r->name, ga_dtype_name(j->t));
    t_same_arrays(out, want, 0);
}

/* Operands that stretch, against copies of them stretched. */
static void broadcasts(const job *j) {
    if (j->r->nin == 1) {
        ga_array *row = ga_broadcast_to(ga_slice(j->x, "1"),
                                        GA_SHAPE(4, COLS));
        t_context("%s %s, broadcast", j->r->name, ga_dtype_name(j->t));
        t_same_arrays(call(j, row, NULL), call(j, ga_copy(row), NULL), 0);
        return;
    }
    static const char *const cut[] = {"1", "2:3", ":, 4:5", "2, 3", "5:, 2:3"};
    for (size_t i = 0; i < T_COUNT(cut); i++) {
        ga_shape s = GA_SHAPE(ROWS, COLS);
        ga_array *ys = ga_slice(j->y, "%s", cut[i]);
        ga_array *yf = ga_copy(ga_broadcast_to(ys, s));
        ga_array *xs = ga_slice(j->x, "%s", cut[i]);
        ga_array *xf = ga_copy(ga_broadcast_to(xs, s));
        t_context("%s %s, right operand [%s]", j->r->name,
                  ga_dtype_name(j->t), cut[i]);
        t_same_arrays(call(j, j->x, ys), call(j, j->x, yf), 0);
        t_context("%s %s, left operand [%s]", j->r->name,
                  ga_dtype_name(j->t), cut[i]);
        t_same_arrays(call(j, xs, j->y), call(j, xf, j->y), 0);
        t_same_arrays(call(j, xs, turned(j->y)), call(j, xf, j->y), 0);
    }
    t_context("%s %s, outer", j->r->name, ga_dtype_name(j->t));
    ga_array *col = ga_slice(j->x, ":, 3:4"), *row = ga_slice(j->y, "2");
    t_same_arrays(call(j, col, row),
                  call(j, ga_copy(ga_broadcast_to(col, GA_SHAPE(ROWS, COLS))),
                       ga_copy(ga_broadcast_to(row, GA_SHAPE(ROWS, COLS)))),
                  0);
}

/* C numbers give what a full array of the array's dtype gives. */
static void numbers(const job *j) {
    if (j->r->nin == 1 || r_named(j->r, "ldexp")) return;
    ga_array tmp, *full;
    const ga_array *v = j->t == GA_BOOL ? ga__arg_b(true, &tmp)
                        : t_is_int(j->t) ? ga__arg_i(2, &tmp)
                        : t_is_complex(j->t) ? ga__arg_c(t_c128(0.5, 1.5), &tmp)
                        : ga__arg_f(0.5, &tmp);
    full = (ga_full)(GA_SHAPE(ROWS, COLS), v, j->t);
    t_context("%s %s, number on the right", j->r->name, ga_dtype_name(j->t));
    if (r_named(j->r, "power") && t_is_float(j->t)) {   /* its square root   */
        t_same_arrays(call(j, j->x, v), call(j, j->x, full), r_bound(j->r, j->t));
        t_same_arrays(call(j, turned(j->x), v), (ga_sqrt)(j->x), 0);
    } else {
        t_same_arrays(call(j, j->x, v), call(j, j->x, full), 0);
        t_same_arrays(call(j, turned(j->x), v), call(j, j->x, full), 0);
    }
    t_context("%s %s, number on the left", j->r->name, ga_dtype_name(j->t));
    t_same_arrays(call(j, v, j->y), call(j, full, j->y), 0);
    t_same_arrays(call(j, v, strided(j->y)), call(j, full, j->y), 0);
}

/* Two dtypes: as if both had been cast to the promoted one. */
static void mixed(const job *j) {
    if (j->r->nin == 1 || r_named(j->r, "ldexp")) return;
    for (int k = 0; k < GA_NUM_DTYPES; k++) {
        GA_SCOPE;
        ga_dtype u = (ga_dtype)k, p = ga_promote_types(j->t, u);
        if (u == j->t) continue;
        ga_array *y = random_operand(j->r, u, GA_SHAPE(ROWS, COLS));
        ga_array *a = call(j, j->x, y);
        ga_array *b = a ? call(j, ga_astype(j->x, p), ga_astype(y, p)) : NULL;
        ga_clear_error();
        if (!a || !b || a->dtype != b->dtype) continue;
        t_context("%s %s with %s", j->r->name, ga_dtype_name(j->t),
                  ga_dtype_name(u));
        t_same_arrays(a, b, slack(j, p));
        t_same_arrays(call(j, strided(j->x), turned(y)), a, 0);
        t_same_arrays(call(j, y, j->x),
                      call(j, ga_astype(y, p), ga_astype(j->x, p)),
                      slack(j, p));
    }
}

/* ------------------------------------------------------------ _into forms */
/* out must hold the result cast to its dtype. (Half types compute in float32
   and round once, to the output's type.)                                   */
static void holds(const job *j, const ga_array *out, const char *how) {
    ga_array *w = ga_asarray_as(j->unrounded, j->tw, GA_SHAPE(ROWS, COLS));
    t_context("%s_into %s, %s", j->r->name, ga_dtype_name(j->t), how);
    t_same_arrays(out, ga_astype(w, out->dtype),
                  out->dtype == j->tr ? slack(j, j->tr) : 0);
}
static void into(const job *j) {
    for (int k = 0; k < GA_NUM_DTYPES; k++) {
        GA_SCOPE;
        ga_dtype w = (ga_dtype)k;
        char how[60];
        snprintf(how, sizeof how, "out %s", ga_dtype_name(w));
        ga_array *out = t_random_array(w, GA_SHAPE(ROWS, COLS), -9, 9);
        void *before = t_host(out);
        ga_status s = call_into(j, out, j->x, j->y);
        if (ga_can_cast(j->tr, w)) {
            T_CHECK(s == GA_OK);
            holds(j, out, how);
            s = call_into(j, turned(out), turned(j->x), j->y);
            T_CHECK(s == GA_OK);
        } else {
            t_context("%s_into %s, %s", j->r->name, ga_dtype_name(j->t), how);
            T_CHECK(s == GA_ERR_DTYPE);
            T_ERROR(GA_ERR_DTYPE);
            t_same(out, w, GA_SHAPE(ROWS, COLS), before);
        }
    }
    GA_SCOPE;
    /* wrong shapes */
    static const ga_shape wrong[] = {{2, {ROWS, COLS + 1}}, {1, {COLS}},
                                     {3, {2, ROWS, COLS}}, {0, {0}},
                                     {2, {COLS, ROWS}}};
    for (size_t i = 0; i < T_COUNT(wrong); i++) {
        ga_array *out = ga_ones(wrong[i], j->tr);
        void *before = t_host(out);
        t_context("%s_into %s, wrong shape", j->r->name, ga_dtype_name(j->t));
        T_CHECK(call_into(j, out, j->x, j->y) == GA_ERR_SHAPE);
        T_ERROR(GA_ERR_SHAPE);
        t_same(out, j->tr, wrong[i], before);
    }
    ga_array *stretched = ga_broadcast_to(ga_ones(GA_SHAPE(COLS), j->tr),
                                          GA_SHAPE(ROWS, COLS));
    T_CHECK(call_into(j, stretched, j->x, j->y) == GA_ERR_READONLY);
    T_ERROR(GA_ERR_READONLY);

    /* a strided output; what lies between stays */
    ga_array *big = ga_ones(GA_SHAPE(2 * ROWS, 3 * COLS), j->tr);
    ga_array *expected = ga_ones(GA_SHAPE(2 * ROWS, 3 * COLS), j->tr);
    ga_array *w = ga_asarray_as(j->want, j->tr, GA_SHAPE(ROWS, COLS));
    ga_assign(ga_slice(expected, "::2, 1::3"), w);
    call_into(j, ga_slice(big, "::2, 1::3"), j->x, j->y);
    t_context("%s_into %s, strided", j->r->name, ga_dtype_name(j->t));
    t_same_arrays(big, expected, 0);
    ga_array *back = ga_ones(GA_SHAPE(ROWS, COLS), j->tr);
    call_into(j, ga_flip(back, GA_ALL), j->x, j->y);
    holds(j, ga_flip(back, GA_ALL), "reversed");
    back = ga_ones(GA_SHAPE(COLS, ROWS), j->tr);
    call_into(j, ga_transpose(back, GA_ALL), j->x, j->y);
    holds(j, ga_transpose(back, GA_ALL), "transposed");
}

/* Outputs that are, or share memory with, an operand. */
static void overlap(const job *j) {
    if (ga_can_cast(j->tr, j->tx)) {
        ga_array *a = ga_copy(j->x);
        T_CHECK(call_into(j, a, a, j->y) == GA_OK);
        holds(j, a, "into its left operand");
        a = ga_copy(j->x);
        ga_array *v = ga_view(a);
        T_CHECK(call_into(j, v, a, j->y) == GA_OK);
        holds(j, a, "into a view of its left operand");
        /* one further along the line, one back, and from the other end */
        static const int from[] = {1, 0, 0}, to[] = {0, 1, 0};
        for (int i = 0; i < 3; i++) {
            ga_array *line = ga_empty(GA_SHAPE(N + 1), j->tx);
            ga_array *in = ga_slice_axis(line, 0, from[i], from[i] + N, 1);
            ga_array *out = ga_slice_axis(line, 0, to[i], to[i] + N, 1);
            if (i == 2) out = ga_flip(out, GA_ALL);
            ga_assign(in, ga_ravel(j->x));
            T_CHECK(call_into(j, out, in, ga_ravel(j->y)) == GA_OK);
            holds(j, ga_reshape(ga_copy(out), GA_SHAPE(ROWS, COLS)),
                  i == 2 ? "reversed onto itself" : "onto its neighbours");
        }
        /* a square onto its own transpose */
        ga_array *sq = ga_copy(ga_slice(j->x, ":, :%d", ROWS));
        ga_array *ysq = ga_slice(j->y, ":, :%d", ROWS);
        ga_array *expected = ga_astype(call(j, ga_copy(sq), ysq), j->tx);
        T_CHECK(call_into(j, ga_transpose(sq, GA_ALL), sq, ysq) == GA_OK);
        t_context("%s_into %s, onto its transpose", j->r->name,
                  ga_dtype_name(j->t));
        t_same_arrays(ga_transpose(sq, GA_ALL), expected, 0);
    }
    if (j->r->nin == 2 && ga_can_cast(j->tr, j->ty)) {
        ga_array *b = ga_copy(j->y);
        T_CHECK(call_into(j, b, j->x, b) == GA_OK);
        holds(j, b, "into its right operand");
        /* a row of the output is the operand that stretches */
        b = ga_copy(j->y);
        ga_array *row = ga_slice(b, "2");
        ga_array *expected = ga_astype(call(j, j->x, ga_copy(row)), j->ty);
        T_CHECK(call_into(j, b, j->x, row) == GA_OK);
        t_context("%s_into %s, its own row", j->r->name, ga_dtype_name(j->t));
        t_same_arrays(b, expected, 0);
    }
}

/* In a quick run each row takes a fifth of the dtypes, its neighbours others. */
static void row(const r_row *r) {
    static int turn;
    turn++;
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        bool few = r_own(r) && t != GA_FLOAT32 && t != GA_FLOAT64;
        if ((t_quick() || few) && (t + turn) % 5) continue;
        job j;
        t_context("%s %s", r->name, ga_dtype_name((ga_dtype)t));
        if (!job_make(&j, r, (ga_dtype)t)) continue;
        goes_up(&j);
        layouts(&j);
        lengths(&j);
        broadcasts(&j);
        numbers(&j);
        if (!t_quick()) mixed(&j);
        into(&j);
        overlap(&j);
        t_context("%s %s", r->name, ga_dtype_name((ga_dtype)t));
        T_FINE();
        t_release_host();
    }
}
#define TEST_ROW(n, ...) TEST(row_##n) { row(r_row_of(#n)); }
GA_UNARY_OPS(TEST_ROW)
GA_BINARY_OPS(TEST_ROW)

/* ------------------------------------------------------- where and clip */
/* Of rows around whole vectors, with masks of their own or one for all. */
TEST(where_wide) {
    static const int64_t ns[] = {15, 16, 17, 77};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (size_t i = 0; i < 2 * T_COUNT(ns); i++) {
            GA_SCOPE;
            const ga_dtype d = (ga_dtype)t;
            const int64_t n = ns[i / 2], m = 5, own = i % 2 ? m : 1;
            const size_t size = ga_dtype_size(d);
            ga_array *c = t_random_array(GA_BOOL, GA_SHAPE(own, n), 0, 1);
            ga_array *x = t_random_array(d, GA_SHAPE(m, n), -9, 9);
            ga_array *y = t_random_array(d, GA_SHAPE(m, n), -9, 9);
            const char *const pc = t_host(c), *const px = t_host(x), *const py = t_host(y);
            const char *const got = t_host(ga_where(c, x, y));
            t_context("where %s %d", ga_dtype_name(d), (int)n);
            bool good = true;
            for (int64_t k = 0; k < m * n; k++)
                good &= !memcmp(got + size * (size_t)k,
                                (pc[k % (own * n)] ? px : py) + size * (size_t)k, size);
            T_CHECK(good);
        }
    t_context("%s", "");
}
TEST(where_layouts) {
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        ga_dtype d = (ga_dtype)t;
        ga_shape s = GA_SHAPE(ROWS, COLS);
        ga_array *c = t_random_array(GA_BOOL, s, 0, 1);
        ga_array *x = t_random_array(d, s, -9, 9);
        ga_array *y = t_random_array(d, s, -9, 9);
        ga_array *w = ga_where(c, x, y);
        t_context("where %s", ga_dtype_name(d));
        t_same_arrays(ga_where(turned(c), strided(x), reversed(y)), w, 0);
        t_same_arrays(ga_where(strided(c), turned(x), turned(y)), w, 0);
        ga_array *row0 = ga_slice(c, "0"), *col = ga_slice(x, ":, 2:3");
        t_same_arrays(ga_where(row0, col, y),
                      ga_where(ga_copy(ga_broadcast_to(row0, s)),
                               ga_copy(ga_broadcast_to(col, s)), y), 0);
        ga_array *o = ga_copy(x);
        T_CHECK(ga_where_into(o, c, o, y) == GA_OK);
        t_same_arrays(o, w, 0);
        o = ga_copy(x);
        T_CHECK(ga_where_into(ga_transpose(ga_copy(ga_transpose(o, GA_ALL)),
                                           GA_ALL), c, o, y) == GA_OK);
        t_same_arrays(ga_where(true, x, y), x, 0);
        t_same_arrays(ga_where(0.0, x, y), y, 0);

        ga_array *lo = t_random_array(d, s, -5, 0);
        ga_array *hi = t_random_array(d, s, 0, 5);
        w = ga_clip(x, lo, hi);
        t_context("clip %s", ga_dtype_name(d));
        t_same_arrays(w, ga_minimum(ga_maximum(x, lo), hi), 0);
        t_same_arrays(ga_clip(turned(x), strided(lo), reversed(hi)), w, 0);
        t_same_arrays(ga_clip(x, GA_NONE, hi), ga_minimum(x, hi), 0);
        t_same_arrays(ga_clip(x, lo, GA_NONE), ga_maximum(x, lo), 0);
        o = ga_copy(x);
        T_CHECK(ga_clip_into(o, o, lo, hi) == GA_OK);
        t_same_arrays(o, w, 0);
        if (d == GA_BOOL) continue;
        t_same_arrays(ga_clip(x, 1, 3),
                      ga_clip(x, ga_full(s, 1, d), ga_full(s, 3, d)), 0);
    }
    GA_SCOPE;
    t_context("a number is true before it is of the values' type");
    ga_array *u = ga_zeros(GA_SHAPE(2), GA_UINT8), *v = ga_ones_like(u);
    t_same_arrays(ga_where(256, v, u), v, 0);
    t_same_arrays(ga_where(0.5, v, u), v, 0);
    t_same_arrays(ga_where(NAN, v, u), v, 0);
    t_same_arrays(ga_where(0, v, u), u, 0);
    t_context("clip without limits");
    ga_array *x = ga_ones(GA_SHAPE(2), GA_INT8);
    ga_array *y = ga_clip(x, GA_NONE, GA_NONE);
    if (y) t_same_arrays(y, x, 0);
    else T_ERROR(GA_ERR_VALUE);
}
/* Integers by one divisor, beside a list of divisors in which it is not alone:
   all of them for bytes, else some of all sizes, the ends among them.        */
TEST(one_divisor) {
    enum { N = 2048 };
    for (int t = GA_INT8; t <= GA_UINT64; t++) {
        GA_SCOPE;
        const int64_t size = (int64_t)ga_dtype_size((ga_dtype)t);
        uint64_t s = 88172645463325252u;
        unsigned char bytes[(N + 1) * 8];
        for (int i = 0; i < (N + 1) * 8; i++) {
            s ^= s << 13, s ^= s >> 7, s ^= s << 17;
            bytes[i] = i % 5 ? (unsigned char)(s >> 8) : (unsigned char)-(s & 1);
        }
        ga_array *x = ga_asarray_as(bytes, (ga_dtype)t, GA_SHAPE(N + 1));
        for (int k = 0; k < 256; k++) {
            GA_SCOPE;
            unsigned char d[8] = {(unsigned char)k, 0, 0, 0, 0, 0, 0, 0};
            if (k >= 128 && t < GA_UINT8) memset(d + 1, 255, 7);
            if (size > 1 && k % 3 == 1) d[size - 1] = (unsigned char)(k & 0x80), d[1] ^= 77;
            ga_array *one = ga_asarray_as(d, (ga_dtype)t, GA_SHAPE(1));
            ga_array *all = ga_copy(ga_broadcast_to(one, GA_SHAPE(N + 1)));
            ga_assign(ga_slice(all, "::300"), 3);
            ga_array *rest = ga_slice(x, "1:300");
            t_context("%s by %d", ga_dtype_name((ga_dtype)t), k);
            t_same_arrays(ga_floor_divide(rest, one),
                          ga_slice(ga_floor_divide(x, all), "1:300"), 0);
            t_same_arrays(ga_mod(rest, one), ga_slice(ga_mod(x, all), "1:300"), 0);
            t_same_arrays(ga_fmod(rest, one), ga_slice(ga_fmod(x, all), "1:300"), 0);
        }
    }
}

/* ------------------------------------------- functions of other signatures */
TEST(other_functions) {
    ga_array *(*const make[])(const ga_array *) = {strided, reversed, turned,
                                                   of_rank_8};
    ga_shape s = GA_SHAPE(ROWS, COLS);
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++)
        for (size_t k = 0; k < T_COUNT(make); k++) {
            GA_SCOPE;
            ga_dtype t = (ga_dtype)ti;
            ga_array *x = t_random_array(t, s, -90, 90);
            ga_array *y = t_random_array(t, s, -9, 9), *v = make[k](x);
            ga_shape full = ga_shape_of(v);
            t_context("round %s, layout %d", ga_dtype_name(t), (int)k);
            for (int d = -1; d < 2; d++) {
                ga_array *w = ga_round(x, d);
                t_same_arrays(ga_round(v, d), ga_reshape(w, full), 0);
                ga_array *o = ga_copy(x);
                if (w && w->dtype != t) continue;
                T_CHECK(ga_round_into(o, o, d) == GA_OK);
                t_same_arrays(o, w, 0);
            }
            t_context("nan_to_num %s, layout %d", ga_dtype_name(t), (int)k);
            t_same_arrays(ga_nan_to_num(v, 0, 1, 2), ga_reshape(
                              ga_nan_to_num(x, 0, 1, 2), full), 0);
            t_is(ga_nan_to_num(ga_slice(x, "7:"), 0, 1, 2), t,
                 GA_SHAPE(0, COLS));
            if (t_is_complex(t)) continue;
            ga_array *a[2] = {NULL}, *b[2] = {NULL};
            t_context("divmod %s, layout %d", ga_dtype_name(t), (int)k);
            T_CHECK(ga_divmod(v, make[k](y), &a[0], &a[1]) == GA_OK);
            T_CHECK(ga_divmod(x, y, &b[0], &b[1]) == GA_OK);
            for (int i = 0; i < 2; i++)
                t_same_arrays(a[i], b[i] ? ga_reshape(b[i], full) : NULL, 0);
            t_context("modf %s, layout %d", ga_dtype_name(t), (int)k);
            T_CHECK(ga_modf(v, &a[0], &a[1]) == GA_OK);
            T_CHECK(ga_modf(x, &b[0], &b[1]) == GA_OK);
            for (int i = 0; i < 2; i++)
                t_same_arrays(a[i], b[i] ? ga_reshape(b[i], full) : NULL, 0);
            t_same_arrays(ga_add(b[0], b[1]), ga_astype(x, b[0]->dtype), 0);
            t_context("frexp %s, layout %d", ga_dtype_name(t), (int)k);
            T_CHECK(ga_frexp(v, &a[0], &a[1]) == GA_OK);
            T_CHECK(ga_frexp(x, &b[0], &b[1]) == GA_OK);
            for (int i = 0; i < 2; i++)
                t_same_arrays(a[i], b[i] ? ga_reshape(b[i], full) : NULL, 0);
            t_same_arrays(ga_ldexp(b[0], b[1]), ga_astype(x, b[0]->dtype), 0);
            /* broadcasting, and nothing at all */
            T_CHECK(ga_divmod(x, ga_slice(y, "0"), &a[0], &a[1]) == GA_OK);
            t_same_arrays(a[1], ga_remainder(x, ga_slice(y, "0")), 0);
            T_CHECK(ga_modf(ga_slice(x, "7:"), &a[0], NULL) == GA_OK);
            t_is(a[0], b[0]->dtype, GA_SHAPE(0, COLS));
            T_CHECK(ga_modf(x, NULL, NULL) == GA_OK);
        }
}
/* Powers of two that take more than one factor; one rounding below the normal
   numbers, where two would differ.                                          */
TEST(ldexp_far) {
    static const double x[] = {0x1p-1074, 0x1.8p1, 0x1.8p1, 0x1.0000000000001p0,
        0x1.fffffffffffffp1023, -0x1p1023, 1, 1, -1, 0x1.0000000000001p-30,
        INFINITY, -0.0, 0x1.8p1000};
    static const int32_t n[] = {2097, -1076, -1075, -1075, -2098, -2099, 1024,
        -1075, INT32_MAX, -1045, INT32_MIN, INT32_MAX, -2075};
    enum { N = sizeof x / sizeof *x };
    GA_SCOPE;
    ga_array *got = ga_ldexp(ga_asarray_as(x, GA_FLOAT64, GA_SHAPE(N)),
                             ga_asarray_as(n, GA_INT32, GA_SHAPE(N)));
    double want[N];
    for (int i = 0; i < N; i++) want[i] = ldexp(x[i], n[i]);
    t_same_arrays(got, ga_asarray_as(want, GA_FLOAT64, GA_SHAPE(N)), 0);
}

/* Exponents that one factor of float32 does not hold, of numbers rounded once. */
TEST(ldexp_of_halves) {
    static const ga_dtype half[] = {GA_FLOAT16, GA_BFLOAT16};
    static const double v[] = {1, -1.5, 0, -0.0, INFINITY, NAN, 1e-7, 65504, 3e-39};
    for (int k = 0; k < 2; k++) {
        GA_SCOPE;
        ga_array *n = ga_reshape(ga_arange(-150, 151, 1), GA_SHAPE(301, 1));
        ga_array *x = ga_astype(ga_asarray(v, GA_SHAPE(9)), half[k]);
        ga_array *want = ga_astype(ga_ldexp(ga_astype(x, GA_FLOAT64), n), half[k]);
        t_same_arrays(ga_ldexp(x, n), want, 0);
        t_same_arrays(ga_ldexp(x, 141), ga_slice(want, "291"), 0);
    }
}

/* Near exponents and far ones beside one another, however the operands lie. */
TEST(ldexp_of_neighbours) {
    enum { R = 300, C = 301, N = R * C };
    static double v[N], exact[N];
    static int32_t e[N];
    for (int t = GA_FLOAT16; t <= GA_FLOAT64; t++) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name((ga_dtype)t));
        for (int i = 0; i < N; i++) {
            v[i] = 37 * i % 257 - 128;
            e[i] = (7919 * i % 661 - 330) * (t == GA_FLOAT64 ? 7 : 1);
            if (i % 97 < 48) e[i] /= 40;
            exact[i] = ldexp(v[i], e[i]);
        }
        ga_array *x = ga_astype(ga_asarray(v, GA_SHAPE(R, C)), (ga_dtype)t);
        ga_array *n = ga_asarray_as(e, GA_INT32, GA_SHAPE(R, C));
        ga_array *want = ga_astype(ga_asarray(exact, GA_SHAPE(R, C)), (ga_dtype)t);
        ga_array *xt = turned(x), *nt = turned(n);
        static const char *const part[] = {":", "1:, 1:", ":, ::2", ":, :256", "::-1, 3:13"};
        for (size_t k = 0; k < T_COUNT(part); k++) {
            ga_array *w = ga_slice(want, "%s", part[k]), *m = ga_slice(n, "%s", part[k]);
            t_same_arrays(ga_ldexp(ga_slice(x, "%s", part[k]), m), w, 0);
            t_same_arrays(ga_ldexp(ga_slice(x, "%s", part[k]), ga_copy(m)), w, 0);
            t_same_arrays(ga_ldexp(ga_slice(xt, "%s", part[k]), m), w, 0);
            t_same_arrays(ga_ldexp(ga_slice(x, "%s", part[k]), ga_slice(nt, "%s", part[k])), w, 0);
        }
        t_same_arrays(ga_slice(ga_ldexp(x, ga_slice(n, "5")), "5"), ga_slice(want, "5"), 0);
        t_same_arrays(ga_slice(ga_ldexp(x, ga_slice(n, ":, 5:6")), ":, 5"),
                      ga_slice(want, ":, 5"), 0);
        t_same_arrays(ga_slice(ga_ldexp(ga_slice(x, "5"), n), "5"), ga_slice(want, "5"), 0);
        t_same_arrays(ga_ldexp(x, 5000000000), ga_ldexp(x, 12000), 0);
        t_same_arrays(ga_ldexp(x, -5000000000), ga_ldexp(x, -12000), 0);
    }
}
/* Logarithms of halves, which a GPU computes in a way of their own: as of float32,
   rounded, of each with each, however they lie.                             */
TEST(logarithms_of_halves) {
    static const char *const rows[] = {"xlogy", "xlog1py", "rel_entr", "entr", "logit"};
    static const double v[] = {0, -0.0, 1, -1, 0.5, -0.5, 0.499, 0.51, 0.99, 1.01, 1.06, 1.07, 2,
        3e-5, 1e-7, 6e-8, 1e-39, 2e-40, 1e38, 3e38, 500, 501, 65504, INFINITY, -INFINITY, NAN};
    enum { N = sizeof v / sizeof *v };
    for (int t = GA_FLOAT16; t <= GA_BFLOAT16; t++)
        for (size_t k = 0; k < T_COUNT(rows); k++) {
            GA_SCOPE;
            const r_row *r = r_row_of(rows[k]);
            ga_array *one = ga_astype(ga_asarray(v, GA_SHAPE(N)), (ga_dtype)t);
            ga_array *x = ga_copy(ga_broadcast_to(one, GA_SHAPE(N, N)));
            ga_array *y = ga_transpose(x, GA_ALL);
            job j = {.r = r, .t = (ga_dtype)t};
            ga_array *want = ga_astype(call(&j, ga_astype(x, GA_FLOAT32),
                                            ga_astype(y, GA_FLOAT32)), (ga_dtype)t);
            t_context("%s %s", rows[k], ga_dtype_name((ga_dtype)t));
            t_same_arrays(call(&j, x, ga_copy(y)), want, 1);
            t_same_arrays(call(&j, x, y), want, 1);
            t_same_arrays(call(&j, ga_slice(x, ":, 3:22"), ga_slice(y, ":, 3:22")),
                          ga_slice(want, ":, 3:22"), 1);
        }
}

/* Halves that are chosen, two at a time on a GPU: signs of zeros, NaN.        */
TEST(chosen_halves) {
    static const double v[] = {0, -0.0, 1, -1, 1e-7, -1e-7, INFINITY, -INFINITY, NAN, 65504, 2};
    enum { N = sizeof v / sizeof *v };
    for (int t = GA_FLOAT16; t <= GA_BFLOAT16; t++) {
        GA_SCOPE;
        ga_array *one = ga_astype(ga_asarray(v, GA_SHAPE(N)), (ga_dtype)t);
        ga_array *a[3], *f[3];
        for (int k = 0; k < 3; k++) {
            ga_shape s = GA_SHAPE(k == 0 ? N : 1, k == 1 ? N : 1, k == 2 ? N : 1);
            a[k] = ga_copy(ga_broadcast_to(ga_reshape(one, s), GA_SHAPE(N, N, N)));
            f[k] = ga_astype(a[k], GA_FLOAT32);
        }
        t_context("%s", ga_dtype_name((ga_dtype)t));
        t_same_arrays(ga_maximum(a[0], a[2]), ga_astype(ga_maximum(f[0], f[2]), (ga_dtype)t), 0);
        t_same_arrays(ga_minimum(a[0], a[2]), ga_astype(ga_minimum(f[0], f[2]), (ga_dtype)t), 0);
        t_same_arrays(ga_clip(a[0], a[1], a[2]), ga_astype(ga_clip(f[0], f[1], f[2]),
                                                           (ga_dtype)t), 0);
        t_same_arrays(ga_clip(ga_slice(a[0], "1:"), -0.0, 1),
                      ga_astype(ga_clip(ga_slice(f[0], "1:"), -0.0, 1), (ga_dtype)t), 0);
    }
}

static double modulus(double a, double b) {
    double m = fmod(a, b);
    return b == 0 ? m : m == 0 ? copysign(0, b) : (b < 0) != (m < 0) ? m + b : m;
}
/* Quotients from nothing to beyond all bits, of equals and of half a divisor. */
TEST(moduli_of_any_quotient) {
    enum { N = 6000 };
    static const double far[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1e-310, 1e300,
                                 -3, 0.5, 1e-42};
    double x[N], y[N], w[N];
    for (int k = 0; k < 2; k++) {
        GA_SCOPE;
        for (int i = 0; i < N; i++) {
            const int e = k ? i * 7 % 901 - 450 : i * 7 % 61 - 30;
            y[i] = ldexp(1 + i % 89 / 128.0, i % 13 - 6) * (i % 3 ? 1 : -1);
            x[i] = i % 4 ? ldexp(1 + i % 101 / 128.0, e) * (i % 5 ? 1 : -1)
                         : y[i] * (i % 41 - 20) * 0.5;
            if (i % 17 == 0) x[i] = far[i / 17 % 10];
            if (i % 19 == 0) y[i] = far[i / 19 % 10];
            if (!k) x[i] = (float)x[i], y[i] = (float)y[i];
            w[i] = modulus(x[i], y[i]);
            if (!k) {
                const float m = fmodf((float)x[i], (float)y[i]);
                w[i] = m == 0 || m != m || (y[i] < 0) == (m < 0) || y[i] == 0
                           ? w[i] : m + (float)y[i];
            }
        }
        const ga_dtype t = k ? GA_FLOAT64 : GA_FLOAT32;
        ga_array *want = ga_astype(ga_asarray_as(w, GA_FLOAT64, GA_SHAPE(N)), t);
        ga_array *a = ga_astype(ga_asarray_as(x, GA_FLOAT64, GA_SHAPE(N)), t);
        ga_array *b = ga_astype(ga_asarray_as(y, GA_FLOAT64, GA_SHAPE(N)), t);
        t_same_arrays(ga_remainder(a, b), want, 0);
    }
}
/* Quotients of 8 bytes on both sides of 2^51, up to which doubles give them: whole
   ones, those just below, by nothing, by -1; by many divisors and by one.   */
TEST(long_quotients) {
    enum { N = 2500 };
    int64_t x[N], y[N], q[N], m[N], f[N];
    for (int k = 0; k < 8; k++) {
        GA_SCOPE;
        const bool sign = k & 1, one = k & 2, far = k & 4;
        for (int i = 0; i < N; i++) {
            const int64_t b = (int64_t)1 << i * 7 % (far ? 62 : 50);
            y[i] = one ? 7 + 4 * far : (i % 23 ? (int64_t)1 << i % 26 : 0) + i % 5 * (i % 23 > 0);
            x[i] = i % 3 ? b + i % 11 - 5 : y[i] * (b % 33554393) - i % 2;
            if (x[i] < 0) x[i] = -x[i];
            if (sign && i % 4 == 1) x[i] = -x[i];
            if (sign && !one && i % 5 == 2) y[i] = -y[i];
            if (sign && one && far) y[i] = -11;
            if (far && i % 97 == 0) x[i] = sign ? INT64_MIN : -1;
            const uint64_t a = (uint64_t)x[i], d = (uint64_t)y[i];
            const bool minus = sign && y[i] == -1;
            if (!sign) {
                q[i] = d ? (int64_t)(a / d) : 0;
                m[i] = f[i] = d ? (int64_t)(a % d) : 0;
                continue;
            }
            f[i] = y[i] && !minus ? x[i] % y[i] : 0;
            const bool turn = f[i] && (f[i] < 0) != (y[i] < 0);
            m[i] = turn ? f[i] + y[i] : f[i];
            q[i] = !y[i] ? 0 : minus ? (int64_t)(0 - a) : x[i] / y[i] - turn;
        }
        const ga_dtype t = sign ? GA_INT64 : GA_UINT64;
        ga_array *a = ga_asarray_as(x, t, GA_SHAPE(N)), *b = ga_asarray_as(y, t, GA_SHAPE(N));
        if (one) b = ga_slice(b, ":1");
        t_context("%s, %d", ga_dtype_name(t), k);
        t_same(ga_floor_divide(a, b), t, GA_SHAPE(N), q);
        t_same(ga_remainder(a, b), t, GA_SHAPE(N), m);
        t_same(ga_fmod(a, b), t, GA_SHAPE(N), f);
    }
    t_context("%s", "");
}
/* By one number and by each its own, beyond all bits and below none too. */
TEST(shifts_by_one) {
    for (int t = GA_INT8; t <= GA_UINT64; t++)
        for (int by = -2; by < 67; by++) {
            GA_SCOPE;
            const int bits = 8 * (int)ga_dtype_size((ga_dtype)t);
            const bool sign = t <= GA_INT64, in = by >= 0 && by < bits;
            ga_array *x = ga_astype(ga_asarray(((int64_t[]){-1, 1, -128, 77, INT64_MIN,
                INT64_MAX, 0, -12345678901}), GA_SHAPE(8)), (ga_dtype)t);
            x = ga_copy(ga_slice(ga_tile(x, GA_SHAPE(10)), ":75"));
            const int64_t *v = (const int64_t *)t_host(ga_astype(x, GA_INT64));
            int64_t l[75], r[75];
            for (int i = 0; i < 75; i++) {
                l[i] = in ? (int64_t)((uint64_t)v[i] << by) : 0;
                r[i] = in ? sign ? v[i] >> by : (int64_t)((uint64_t)v[i] >> by)
                          : sign && v[i] < 0 ? -1 : 0;
            }
            ga_array *left = ga_astype(ga_asarray(l, GA_SHAPE(75)), (ga_dtype)t);
            ga_array *right = ga_astype(ga_asarray(r, GA_SHAPE(75)), (ga_dtype)t);
            ga_array *n = ga_astype(ga_full(GA_SHAPE(1), by, GA_INT64), (ga_dtype)t);
            ga_array *each = ga_copy(ga_broadcast_to(n, GA_SHAPE(75)));
            t_context("%s by %d", ga_dtype_name((ga_dtype)t), by);
            t_same_arrays(ga_left_shift(x, n), left, 0);
            t_same_arrays(ga_right_shift(x, n), right, 0);
            t_same_arrays(ga_left_shift(x, each), left, 0);
            ga_assign(ga_slice(each, "5"), 0);
            ga_assign(ga_slice(left, "5"), ga_slice(x, "5"));
            t_same_arrays(ga_left_shift(x, each), left, 0);
        }
    t_context("%s", "");
}
/* Both sides of 2^20 and 2^32, to the ends of the range. */
TEST(divisors_of_any_size) {
    enum { N = 4000 };
    int64_t x[N], y[N], g[N], l[N];
    for (int i = 0; i < N; i++) {
        const int64_t a = (int64_t)1 << i % 59, b = (int64_t)1 << i * 5 % 60;
        x[i] = (a + i % 7 - 3) * (i % 9 + 1) * (i % 2 ? 1 : -1);
        y[i] = i % 5 ? (b + i % 11) * (i % 4 + 1) : x[i] / 3 * (i % 6);
        uint64_t u = x[i] < 0 ? 0 - (uint64_t)x[i] : (uint64_t)x[i], p = u;
        uint64_t v = y[i] < 0 ? 0 - (uint64_t)y[i] : (uint64_t)y[i], q = v;
        while (q) {
            const uint64_t r = p % q;
            p = q;
            q = r;
        }
        g[i] = (int64_t)p;
        l[i] = p ? (int64_t)(u / p * v) : 0;
    }
    GA_SCOPE;
    ga_array *a = ga_asarray_as(x, GA_INT64, GA_SHAPE(N));
    ga_array *b = ga_asarray_as(y, GA_INT64, GA_SHAPE(N));
    t_same_arrays(ga_gcd(a, b), ga_asarray_as(g, GA_INT64, GA_SHAPE(N)), 0);
    t_same_arrays(ga_lcm(a, b), ga_asarray_as(l, GA_INT64, GA_SHAPE(N)), 0);
}

/* ----------------------------------------- macros, functions and aliases */
TEST(macros) {
    GA_SCOPE;
    ga_array *x = ga_full(GA_SHAPE(3), 0.5, GA_FLOAT64), *o;
    ga_array *i = ga_full(GA_SHAPE(3), 2, GA_INT32);
    ga_clear_error();
    /* an operation takes floats or, failing that, integers */
#define ONE(n, types, ...)                                                  \
    t_context("ga_" #n);                                                    \
    if ((types) & GA__F) {                                                  \
        ga_array *a = ga_##n(x), *b = (ga_##n)(x), *c = ga_##n(0.5);        \
        t_same_arrays(a, b, 0);                                             \
        T_CHECK(c && c->ndim == 0);                                         \
        t_same_arrays(c, a ? ga_slice(a, "0") : NULL, 0);                   \
        o = a ? ga_zeros_like(a) : NULL;                                    \
        T_CHECK(ga_##n##_into(o, x) == GA_OK);                              \
        t_same_arrays(o, a, 0);                                             \
        T_CHECK((ga_##n##_into)(o, x) == GA_OK);                            \
    } else {                                                                \
        ga_array *a = ga_##n(i), *b = (ga_##n)(i), *c = ga_##n(2);          \
        t_same_arrays(a, b, 0);                                             \
        T_CHECK(c && c->ndim == 0);                                         \
        o = a ? ga_zeros_like(a) : NULL;                                    \
        T_CHECK(ga_##n##_into(o, i) == GA_OK);                              \
        t_same_arrays(o, a, 0);                                             \
    }
    GA_UNARY_OPS(ONE)
#undef ONE
#define TWO(n, types, ...)                                                  \
    t_context("ga_" #n);                                                    \
    {                                                                       \
        bool f = (types) & GA__F && strcmp(#n, "ldexp");                    \
        ga_array *u = f || !strcmp(#n, "ldexp") ? x : i, *v = f ? x : i;    \
        ga_array *a = ga_##n(u, v), *b = (ga_##n)(u, v);                    \
        const double near = !strncmp(#n, "pow", 3) ? 4 : 0; /* by sqrt      */ \
        ga_array *c = f ? ga_##n(u, 0.5) : ga_##n(u, 2);                    \
        ga_array *d = u == x ? ga_##n(0.5, v) : ga_##n(2, v);               \
        ga_array *e = f ? ga_##n(0.5, 0.5) : ga_##n(2, 2);                  \
        t_same_arrays(a, b, 0);                                             \
        t_same_arrays(c, a, near);                                            \
        t_same_arrays(d, a, 0);                                             \
        T_CHECK(e && e->ndim == 0);                                         \
        o = a ? ga_zeros_like(a) : NULL;                                    \
        T_CHECK(ga_##n##_into(o, u, v) == GA_OK);                           \
        t_same_arrays(o, a, 0);                                             \
        T_CHECK((f ? ga_##n##_into(o, u, 0.5) : ga_##n##_into(o, u, 2))     \
                == GA_OK);                                                  \
        t_same_arrays(o, a, near);                                          \
    }
    GA_BINARY_OPS(TWO)
#undef TWO
}
TEST(aliases) {
    GA_SCOPE;
    ga_array *x = ga_full(GA_SHAPE(3), 0.5, GA_FLOAT64);
    ga_array *i = ga_full(GA_SHAPE(3), 2, GA_INT32), *a, *o;
#define ONE(n, of)                                                          \
    t_context("ga_" #n);                                                    \
    {                                                                       \
        ga_array *v = strstr(#n, "invert") ? i : x;                         \
        a = ga_##of(v);                                                     \
        t_same_arrays(ga_##n(v), a, 0);                                     \
        t_same_arrays((ga_##n)(v), a, 0);                                   \
        o = ga_zeros_like(a);                                               \
        T_CHECK((ga_##n##_into)(o, v) == GA_OK);                            \
        t_same_arrays(o, a, 0);                                             \
    }
    GA_UNARY_ALIASES(ONE)
    /* acosh of 0.5 is NaN: equal all the same */
#undef ONE
#define TWO(n, of)                                                          \
    t_context("ga_" #n);                                                    \
    {                                                                       \
        ga_array *v = strncmp(#n, "bitwise", 7) ? x : i;                    \
        a = ga_##of(v, v);                                                  \
        t_same_arrays(ga_##n(v, v), a, 0);                                  \
        t_same_arrays((ga_##n)(v, v), a, 0);                                \
        t_same_arrays(ga_##n(v, 2), ga_##of(v, 2), 0);                      \
        o = ga_zeros_like(a);                                               \
        T_CHECK((ga_##n##_into)(o, v, v) == GA_OK);                         \
        t_same_arrays(o, a, 0);                                             \
    }
    GA_BINARY_ALIASES(TWO)
#undef TWO
    t_context("nested");
    ga_array *y = ga_add(ga_mul(x, ga_sub(3, ga_neg(x))), ga_div(1, x));
    T_CHECK(ga_item_at(y, GA_INDEX(1)) == 0.5 * 3.5 + 2);
}

/* -------------------------------------------- layouts of larger arrays */
/* Sizes from which a device takes other paths: vectors with heads and tails,
   rows and columns that stretch, tiles, many axes.                          */
static const ga_shape large_shapes[] = {
    {2, {259, 263}},       {2, {3, 7001}},    {2, {7001, 3}},
    {3, {37, 41, 47}},     {3, {128, 16, 33}}, {4, {7, 17, 9, 19}},
    {8, {2, 3, 5, 3, 2, 5, 4, 5}},
};
static ga_array *cut_out(const ga_array *x) {     /* from a larger array     */
    ga_shape s = ga_shape_of(x);
    for (int d = 0; d < s.ndim; d++) s.dim[d] += d % 2 + 2;
    ga_array *v = ga_zeros(s, x->dtype);
    for (int d = 0; d < s.ndim; d++)
        v = ga_slice_axis(v, d, 1, 1 + x->shape[d], 1);
    ga_assign(v, x);
    return v;
}
static ga_array *every_other(const ga_array *x) { /* along the last axis     */
    ga_shape s = ga_shape_of(x);
    s.dim[s.ndim - 1] *= 2;
    ga_array *v = ga_slice_axis(ga_zeros(s, x->dtype), -1, 0, GA_END, 2);
    ga_assign(v, x);
    return v;
}
static ga_array *rotated(const ga_array *x) {     /* last axis slowest       */
    int last = x->ndim - 1;
    return ga_moveaxis(ga_copy(ga_moveaxis(x, GA_AXIS(last), GA_AXIS(0))),
                       GA_AXIS(0), GA_AXIS(last));
}
TEST(large_layouts) {
    ga_array *(*const make[])(const ga_array *) = {turned, reversed, cut_out,
                                                   every_other, rotated};
    static const char *const how[] = {"transposed", "reversed", "cut out",
                                      "every other", "rotated"};
    static const char *const ops[] = {"add", "less"};
    static const ga_dtype types[] = {GA_INT8, GA_FLOAT16, GA_FLOAT32,
                                     GA_COMPLEX128};
    for (size_t si = 0; si < T_COUNT(large_shapes); si++)
        for (size_t ti = 0; ti < T_COUNT(types); ti++) {
            GA_SCOPE;
            ga_shape s = large_shapes[si];
            ga_dtype t = types[ti];
            if (t_quick() && (si % 3 || ti % 2)) continue;
            ga_array *x = t_random_array(t, s, -60, 60);
            ga_array *y = t_random_array(t, s, -60, 60);
            for (size_t k = 0; k < T_COUNT(make); k++) {
                GA_SCOPE;
                ga_array *v = make[k](x);
                t_context("copy %s %s, %s", ga_dtype_name(t),
                          t_shape_text(s.ndim, s.dim), how[k]);
                t_same_arrays(v, x, 0);
                t_same_arrays(ga_copy(v), x, 0);
                t_same_arrays(ga_astype(v, GA_COMPLEX64),
                              ga_astype(x, GA_COMPLEX64), 0);
                t_same_arrays(ga_exp(v), ga_exp(x), 0);
                ga_array *o = make[(k + 1) % 5](y);
                T_CHECK(ga_assign(o, v) == GA_OK);
                t_same_arrays(o, x, 0);
            }
            for (size_t j = 0; j < T_COUNT(ops); j++) {
                GA_SCOPE;
                const r_row *r = r_row_of(ops[j]);
                ga_array *want = r->f2(x, y);
                for (size_t k = 0; k < T_COUNT(make); k++) {
                    GA_SCOPE;
                    t_context("%s %s %s, %s", ops[j], ga_dtype_name(t),
                              t_shape_text(s.ndim, s.dim), how[k]);
                    t_same_arrays(r->f2(make[k](x), y), want, 0);
                    t_same_arrays(r->f2(x, make[k](y)), want, 0);
                    t_same_arrays(r->f2(make[k](x), make[(k + 2) % 5](y)),
                                  want, 0);
                    ga_array *o = make[k](want);
                    ga_assign(o, 0);
                    T_CHECK(r->into2(o, x, make[(k + 1) % 5](y)) == GA_OK);
                    t_same_arrays(o, want, 0);
                }
                /* one axis of the operand has length 1, or all but one */
                for (int d = 0; d < s.ndim && (si + ti + j) % 2 == 0; d++)
                    for (int but = 0; but < 2; but++) {
                        GA_SCOPE;
                        ga_array *c = ga_view(y);
                        for (int e = 0; e < s.ndim; e++)
                            if ((e == d) != but)
                                c = ga_slice_axis(c, e, 1, 2, 1);
                        ga_array *full = ga_copy(ga_broadcast_to(c, s));
                        t_context("%s %s %s, axis %d %s", ops[j],
                                  ga_dtype_name(t),
                                  t_shape_text(s.ndim, s.dim), d,
                                  but ? "alone" : "stretched");
                        t_same_arrays(r->f2(x, c), r->f2(x, full), 0);
                        t_same_arrays(r->f2(x, turned(c)), r->f2(x, full), 0);
                        t_same_arrays(r->f2(c, turned(x)), r->f2(full, x), 0);
                        t_same_arrays(r->f2(ga_copy(c), rotated(x)),
                                      r->f2(full, x), 0);
                    }
            }
            ga_array *c = t_random_array(GA_BOOL, s, 0, 1);
            ga_array *want = ga_where(c, x, y);
            t_context("where %s %s", ga_dtype_name(t),
                      t_shape_text(s.ndim, s.dim));
            t_same_arrays(ga_where(turned(c), rotated(x), y), want, 0);
            t_same_arrays(ga_where(c, cut_out(x), turned(y)), want, 0);
        }
}

/* Each set of operands that run along the other axis, of planes that tiles fill and
   do not, from addresses that vectors share and do not; the last of short axes
   beside rows that are cut, and of short rows, which are the GPU's concern.  */
TEST(turned_operands) {
    static const ga_shape shapes[] = {{2, {259, 263}}, {2, {64, 128}}, {2, {9, 70}},
                                      {3, {3, 40, 33}}, {3, {300, 6, 9}}, {4, {8, 3, 37, 19}},
                                      {2, {12, 6007}}, {2, {6001, 12}}, {2, {2, 70003}},
                                      {3, {5, 50, 299}}};
    static const char *const rows[] = {"power", "gcd", "left_shift", "xlogy", "rel_entr",
                                       "arctan2", "ldexp", "entr", "logit", "exp", "sinc"};
    static const ga_dtype types[] = {GA_UINT8, GA_INT16, GA_INT32, GA_INT64, GA_FLOAT16,
                                     GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    for (size_t si = 0; si < T_COUNT(shapes); si++)
        for (size_t ti = 0; ti < T_COUNT(types); ti++) {
            GA_SCOPE;
            const ga_dtype t = types[ti];
            const ga_shape s = shapes[si];
            if ((t_quick() && (si + ti) % 3) || (si > 5 && (!t_on_gpu() || ti % 2))) continue;
            ga_array *x[3] = {t_random_array(t, s, 0, 7), t_random_array(t, s, 0, 5),
                              t_random_array(t, s, 3, 6)};
            ga_array *c = t_random_array(GA_BOOL, s, 0, 1);
            ga_array *n = t_random_array(GA_INT32, s, -3, 9), *o = ga_empty(s, t);
            ga_array *clipped = ga_clip(x[0], x[1], x[2]), *chosen = ga_where(c, x[0], x[1]);
            for (int set = 1; set < 16; set++) {        /* bit 3: cut out       */
                GA_SCOPE;
                ga_array *v[3], *choice = set & 4 ? turned(c) : c;
                for (int k = 0; k < 3; k++) {
                    v[k] = set & 8 ? cut_out(x[k]) : x[k];
                    if (set >> k & 1) v[k] = turned(v[k]);
                    if ((set >> k & 1) && (set & 8)) {  /* off by one element   */
                        ga_array *y = ga_transpose(v[k], GA_ALL);
                        v[k] = ga_transpose(cut_out(y), GA_ALL);
                    }
                }
                t_context("%s %s, set %d", ga_dtype_name(t), t_shape_text(s.ndim, s.dim), set);
                T_CHECK(!ga_clip_into(o, v[0], v[1], v[2]));
                t_same_arrays(o, clipped, 0);
                T_CHECK(!ga_where_into(o, choice, v[0], v[1]));
                t_same_arrays(o, chosen, 0);
                for (size_t k = 0; k < T_COUNT(rows) && set != 4 && set != 12; k++) {
                    const r_row *r = r_row_of(rows[k]);
                    const bool exponents = !strcmp(rows[k], "ldexp");
                    const job j = {.r = r, .t = t};
                    const ga_array *y = exponents ? set & 2 ? turned(n) : n : v[1];
                    ga_array *want = r->nin == 1 ? r->f1(x[0])
                                     : r->f2(x[0], exponents ? n : x[1]);
                    if (!want) {
                        T_ERROR(GA_ERR_DTYPE);
                        continue;
                    }
                    ga_array *got = ga_empty(s, want->dtype);
                    t_context("%s %s %s, set %d", rows[k], ga_dtype_name(t),
                              t_shape_text(s.ndim, s.dim), set);
                    T_CHECK(!(r->nin == 1 ? r->into1(got, v[0]) : r->into2(got, v[0], y)));
                    t_same_arrays(got, want, slack(&j, t));
                }
            }
        }
}

/* x's elements `gap` apart along its first axis and its last far apart. */
static ga_array *apart(const ga_array *x, int64_t gap) {
    ga_array *t = ga_transpose(x, GA_ALL);
    ga_shape s = ga_shape_of(t);
    const int last = s.ndim - 1;
    s.dim[last] = s.dim[last] * gap + 1;
    ga_array *room = ga_full(s, 3, x->dtype);
    ga_array *v = ga_slice_axis(room, last, 1, s.dim[last], gap);
    ga_assign(v, t);
    return ga_transpose(v, GA_ALL);
}
/* Operands whose elements are a few apart along another axis than the result's
   last, of long rows and short ones; conditions that run along it.            */
TEST(operands_with_gaps) {
    static const ga_shape shapes[] = {{2, {270, 900}}, {2, {11, 9001}}, {2, {4000, 70}},
                                      {3, {3, 300, 301}}, {2, {1030, 1031}}};
    static const ga_dtype types[] = {GA_UINT8, GA_INT16, GA_FLOAT16, GA_FLOAT32, GA_INT64,
                                     GA_COMPLEX128};
    for (size_t c = 0; c < T_COUNT(shapes) * T_COUNT(types); c++) {
        GA_SCOPE;
        const ga_shape s = shapes[c / T_COUNT(types)];
        const ga_dtype t = types[c % T_COUNT(types)];
        if ((t_quick() && c % 4) || (c / T_COUNT(types) == 4 && !t_on_gpu())) continue;
        ga_array *x = t_random_array(t, s, 0, 7), *y = t_random_array(t, s, 0, 5);
        ga_array *b = t_random_array(GA_BOOL, s, 0, 1), *o = ga_empty(s, t);
        ga_array *sum = ga_add(x, y), *less = ga_less(y, x), *chosen = ga_where(b, x, y);
        for (int gap = 1; gap < 6; gap++) {
            GA_SCOPE;
            t_context("%s %s, %d apart", ga_dtype_name(t), t_shape_text(s.ndim, s.dim), gap);
            ga_array *v = apart(y, gap), *w = apart(b, gap);
            t_same_arrays(ga_copy(v), y, 0);
            t_same_arrays(ga_copy(ga_flip(v, GA_ALL)), ga_flip(y, GA_ALL), 0);
            T_CHECK(!ga_add_into(o, x, v));
            t_same_arrays(o, sum, 0);
            t_same_arrays(ga_less(v, x), less, 0);
            T_CHECK(!ga_where_into(o, w, x, v));
            t_same_arrays(o, chosen, 0);
            T_CHECK(!ga_where_into(o, turned(b), turned(x), v));
            t_same_arrays(o, chosen, 0);
            T_CHECK(!ga_where_into(o, w, x, turned(y)));
            t_same_arrays(o, chosen, 0);
            ga_array *in_rows = turned(ga_empty(s, t));
            T_CHECK(!ga_where_into(in_rows, turned(b), cut_out(x), turned(y)));
            t_same_arrays(in_rows, chosen, 0);
            if (t != GA_COMPLEX128)
                t_same_arrays(ga_astype(v, GA_FLOAT64), ga_astype(y, GA_FLOAT64), 0);
        }
    }
}

/* A condition of one element chooses an operand, and the other is not read; an
   exponent of one element beside rows of a few is not written out.           */
TEST(one_for_all) {
    static const ga_dtype types[] = {GA_UINT8, GA_BFLOAT16, GA_FLOAT32, GA_INT64, GA_COMPLEX64,
                                     GA_COMPLEX128};
    static const char *const parts[] = {":, :", ":, ::2", "::2, :", ":, 1:-2", "1:, ::3", "::-1, :"};
    const size_t step = t_quick() ? 5 : 1;
    for (size_t k = 0; k < T_COUNT(types) * T_COUNT(parts) * T_COUNT(parts); k += step) {
        GA_SCOPE;
        const ga_dtype t = types[k % T_COUNT(types)];
        const char *px = parts[k / T_COUNT(types) % T_COUNT(parts)];
        const char *py = parts[k / T_COUNT(types) / T_COUNT(parts)];
        ga_array *x = ga_slice(t_random_array(t, GA_SHAPE(211, 330), 0, 9), "%s", px);
        ga_array *y = ga_slice(t_random_array(t, GA_SHAPE(211, 330), 0, 9), "%s", py);
        const int64_t rows = x->shape[0] < y->shape[0] ? x->shape[0] : y->shape[0];
        const int64_t n = x->shape[1] < y->shape[1] ? x->shape[1] : y->shape[1];
        x = ga_slice_axis(ga_slice_axis(x, 0, 0, rows, 1), 1, 0, n, 1);
        y = ga_slice_axis(ga_slice_axis(y, 0, 0, rows, 1), 1, 0, n, 1);
        t_context("%s, %s beside %s", ga_dtype_name(t), px, py);
        for (int is = 0; is < 2; is++) {
            ga_array *c = ga_full(GA_SHAPE(1), is, GA_BOOL), *o = ga_copy(y);
            t_same_arrays(ga_where(c, x, y), is ? x : y, 0);
            t_same_arrays(ga_where(c, y, 7), is ? y : ga_full(GA_SHAPE(rows, n), 7, t), 0);
            t_same_arrays(ga_where(c, ga_transpose(x, GA_ALL), ga_transpose(y, GA_ALL)),
                          ga_transpose(is ? x : y, GA_ALL), 0);
            T_CHECK(!ga_where_into(o, c, x, o));
            t_same_arrays(o, is ? x : y, 0);
        }
        if (t != GA_FLOAT32 && t != GA_BFLOAT16) continue;
        ga_array *few = ga_slice(t_random_array(t, GA_SHAPE(34001, 6), 0, 3), ":, :2");
        ga_array *by = ga_slice(t_random_array(t, GA_SHAPE(2), 0, 3), "::2");
        ga_array *all = ga_copy(ga_broadcast_to(by, GA_SHAPE(34001, 2)));
        t_same_arrays(ga_power(few, by), ga_power(ga_copy(few), all), 0);
        t_same_arrays(ga_power(by, few), ga_power(all, ga_copy(few)), 0);
    }
}

/* Rows of a few bytes, from and to wider ones. */
TEST(lines) {
    static const ga_dtype types[] = {GA_UINT8, GA_INT16, GA_FLOAT32, GA_INT64,
                                     GA_COMPLEX128};
    for (size_t k = 0; k < T_COUNT(types); k++) {
        const ga_dtype t = types[k];
        const int64_t most = 70 / (int64_t)ga_dtype_size(t), rows = 300;
        for (int64_t n = 1; n <= most; n += t_quick() ? 5 : 1) {
            GA_SCOPE;
            t_context("%s, %d", ga_dtype_name(t), (int)n);
            ga_array *x = t_random_array(t, GA_SHAPE(2, rows, n + 3), 0, 50);
            ga_array *r = t_random_array(t, GA_SHAPE(2, rows, n + 2), 0, 50);
            ga_array *from = ga_slice_axis(x, 2, 1, n + 1, 1), *was = ga_copy(r);
            ga_array *to = ga_slice_axis(r, 2, 2, GA_END, 1);
            T_CHECK(!ga_assign(to, from));
            for (int64_t c = 0; c < n; c++)     /* a column is no row       */
                t_same_arrays(ga_slice_axis(to, 2, c, c + 1, 1),
                              ga_slice_axis(from, 2, c, c + 1, 1), 0);
            t_same_arrays(ga_slice_axis(r, 2, 0, 2, 1),
                          ga_slice_axis(was, 2, 0, 2, 1), 0);
            ga_array *flat = ga_copy(from), *other = ga_copy(to);
            t_same_arrays(ga_add(from, flat), ga_add(flat, flat), 0);
            T_CHECK(!ga_add_into(to, from, to));
            t_same_arrays(to, ga_add(flat, other), 0);
            t_same_arrays(ga_concatenate(1, from, to),
                          ga_concatenate(1, flat, ga_copy(to)), 0);
        }
    }
}

/* Vectors and tiles from every start and with every step, against bytes moved
   by the host; what lies around out stays as it was.                        */
typedef struct strip {              /* rows x n elements within an array    */
    ga_array *all, *view;
    unsigned char *host;
    int64_t first, pitch, step;     /* in elements                          */
} strip;
static strip strip_of(ga_dtype t, int64_t rows, int64_t n, int64_t skip,
                      int64_t step, int64_t pad, bool turned) {
    strip s = {.step = turned ? rows + pad : step};
    int64_t reach = step < 0 ? -step : step, len = reach * n + skip + pad + 1;
    int64_t size = (int64_t)ga_dtype_size(t);
    int64_t outer = turned ? n : rows, inner = turned ? rows + pad : len;
    s.host = t_fill(t_alloc((size_t)(outer * inner * size)), t, outer * inner,
                    0, 3);
    s.all = ga_asarray_as(s.host, t, GA_SHAPE(outer, inner));
    s.pitch = turned ? 1 : inner;
    if (turned) {
        s.first = skip % (pad + 1);
        s.view = ga_transpose(ga_slice_axis(s.all, 1, s.first, s.first + rows, 1),
                              GA_ALL);
        return s;
    }
    s.first = step < 0 ? skip + reach * (n - 1) : skip;
    s.view = step ? ga_slice_axis(s.all, 1, skip, skip + reach * (n - 1) + 1, reach)
                  : ga_broadcast_to(ga_slice_axis(s.all, 1, skip, skip + 1, 1),
                                    GA_SHAPE(rows, n));
    if (step < 0) s.view = ga_flip(s.view, GA_AXIS(1));
    return s;
}
static const unsigned char *strip_at(const strip *s, size_t size, int64_t i,
                                     int64_t j) {
    return s->host + (size_t)(s->first + i * s->pitch + j * s->step) * size;
}
static void strip_case(ga_dtype t, int64_t rows, int64_t n, const int64_t *skip,
                       const int64_t *step, bool turned) {
    GA_SCOPE;
    size_t size = ga_dtype_size(t);
    strip x = strip_of(t, rows, n, skip[0], step[0], 1, turned);
    strip y = strip_of(t, rows, n, skip[1], step[1], 2, false);
    strip c = strip_of(GA_BOOL, rows, n, skip[1], 1, 0, false);
    strip o = strip_of(t, rows, n, skip[2], step[2], skip[2] % 2, false);
    strip e = strip_of(GA_BOOL, rows, n, skip[2], step[2], 1, false);
    T_CHECK(ga_where_into(o.view, c.view, x.view, y.view) == GA_OK);
    T_CHECK(ga_equal_into(e.view, x.view, y.view) == GA_OK);
    bool real = !t_is_complex(t);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) {
            const unsigned char *a = strip_at(&x, size, i, j);
            const unsigned char *b = strip_at(&y, size, i, j);
            memcpy((void *)(uintptr_t)strip_at(&o, size, i, j),
                   *strip_at(&c, 1, i, j) ? a : b, size);
            bool same = t_value(a, t, 0, 0) == t_value(b, t, 0, 0)
                        && (real || t_value(a, t, 0, 1) == t_value(b, t, 0, 1));
            *(unsigned char *)(uintptr_t)strip_at(&e, 1, i, j) = same;
        }
    T_CHECK(!memcmp(t_host(o.all), o.host, (size_t)o.all->size * size));
    T_CHECK(!memcmp(t_host(e.all), e.host, (size_t)e.all->size));
    /* a cast and a plain copy */
    strip d = strip_of(t == GA_FLOAT64 ? GA_FLOAT32 : GA_FLOAT64, rows, n,
                       skip[2], step[2], 1, false);
    if (real) T_CHECK(ga_assign(d.view, x.view) == GA_OK);
    T_CHECK(ga_assign(o.view, y.view) == GA_OK);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < n; j++) {
            t_store((void *)(uintptr_t)strip_at(&d, ga_dtype_size(d.all->dtype), i,
                                                j), d.all->dtype, 0,
                    t_value(strip_at(&x, size, i, j), t, 0, 0), 0);
            memcpy((void *)(uintptr_t)strip_at(&o, size, i, j),
                   strip_at(&y, size, i, j), size);
        }
    if (real) T_CHECK(!memcmp(t_host(d.all), d.host, (size_t)d.all->size
                                            * ga_dtype_size(d.all->dtype)));
    T_CHECK(!memcmp(t_host(o.all), o.host, (size_t)o.all->size * size));
}
/* Operands that repeat along the first axis, of a GPU's large arrays so many times
   that their rows are whole vectors, with rows left over; in them columns and
   steps, numbers and operands of all elements: as if they were written out.  */
TEST(repeated_operands) {
    static const struct { ga_dtype t; ga_shape block, row; const char *part; } at[] = {
        {GA_FLOAT16, {1, {36}}, {1, {36}}, NULL}, {GA_UINT8, {1, {501}}, {1, {501}}, NULL},
        {GA_INT16, {2, {11, 31}}, {2, {11, 1}}, NULL},
        {GA_FLOAT32, {1, {3}}, {1, {3}}, NULL}, {GA_FLOAT64, {1, {15}}, {1, {15}}, NULL},
        {GA_BFLOAT16, {2, {7, 6}}, {2, {7, 18}}, ":, ::3"},
        {GA_COMPLEX64, {3, {2, 3, 5}}, {3, {2, 1, 5}}, NULL}};
    for (size_t k = 0; k < T_COUNT(at); k++) {
        GA_SCOPE;
        const ga_dtype t = at[k].t;
        ga_shape all = {at[k].block.ndim + 1, {1}};
        int64_t n = 1;
        for (int i = 0; i < at[k].block.ndim; i++)
            n *= all.dim[i + 1] = at[k].block.dim[i];
        all.dim[0] = (t_on_gpu() ? 8100000 : 20000) / n + 3;
        t_context("%s case %d", ga_dtype_name(t), (int)k);
        ga_array *x = ga_astype(ga_random_uniform(1, 99, all, GA_FLOAT32), t);
        ga_array *row = ga_astype(ga_random_uniform(1, 99, at[k].row, GA_FLOAT32), t);
        if (at[k].part) row = ga_slice(row, "%s", at[k].part);
        ga_array *y = ga_copy(ga_broadcast_to(row, all));
        ga_array *less = ga_less_equal(ga_real(row), 50), *out = ga_copy(x);
        ga_array *lesses = ga_copy(ga_broadcast_to(less, all));
        t_same_arrays(ga_subtract(x, row), ga_subtract(x, y), 0);
        t_same_arrays(ga_divide(row, x), ga_divide(y, x), 0);
        t_same_arrays(ga_equal(x, row), ga_equal(x, y), 0);
        t_same_arrays(ga_where(less, x, row), ga_where(lesses, x, y), 0);
        t_same_arrays(ga_where(less, 3, x), ga_where(lesses, 3, x), 0);
        t_same_arrays(ga_clip(ga_real(x), ga_real(row), 70),
                      ga_clip(ga_real(x), ga_real(y), 70), 0);
        T_CHECK(!ga_multiply_into(out, out, row));
        t_same_arrays(out, ga_multiply(x, y), 0);
    }
}
/* Rows of a few elements, which begin anywhere: put together by words, or laid
   out in one row before an operation. */
TEST(brief_rows) {
    static const ga_dtype types[] = {GA_UINT8, GA_INT16, GA_FLOAT16, GA_BFLOAT16,
                                     GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64};
    static const int64_t rows[] = {2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 63};
    for (size_t k = 0; k < T_COUNT(types) * T_COUNT(rows); k++) {
        GA_SCOPE;
        const ga_dtype t = types[k % T_COUNT(types)];
        const int64_t c = rows[k / T_COUNT(types)], p = c + 2;
        /* where bytes and halves are laid out before sums, too              */
        const bool long_ = ga_dtype_size(t) < 3 && (c == 3 || c == 17);
        const int64_t n = (long_ && !t_quick() ? 710001 : 70001) / c;
        if (t_quick() && k % 5) continue;
        t_context("%s, rows of %d", ga_dtype_name(t), (int)c);
        ga_array *all = ga_astype(ga_random_uniform(1, 99, GA_SHAPE(3, n, p),
                                                    GA_FLOAT32), t);
        const size_t size = ga_dtype_size(t);
        const char *from = t_host(all);
        char *want = malloc((size_t)(3 * n * c) * size);
        assert_non_null(want);
        for (int64_t i = 0; i < 3 * n * c; i++)
            memcpy(want + (size_t)i * size,
                   from + (size_t)(i / c * p + 1 + i % c) * size, size);
        ga_array *x = ga_slice(all, ":, :, 1:-1"), *y = ga_copy(x);
        t_same(y, t, GA_SHAPE(3, n, c), want);
        for (int64_t i = 0; i < 3 * n * c; i++) {
            const int64_t of = i / c, j = of % n * 3 + of / n;
            memcpy(want + (size_t)(j * c + c - 1 - i % c) * size,
                   from + (size_t)(of * p + 1 + i % c) * size, size);
        }
        ga_array *turned = ga_transpose(ga_flip(x, GA_AXIS(2)), GA_AXIS(1, 0, 2));
        t_same(ga_copy(turned), t, GA_SHAPE(n, 3, c), want);
        free(want);
        ga_array *z = ga_copy(ga_transpose(y, GA_AXIS(0, 2, 1)));
        z = ga_transpose(z, GA_AXIS(0, 2, 1));
        ga_array *row = ga_slice(all, "1, 2, :-2"), *col = ga_slice(all, ":, :, :1");
        t_same_arrays(ga_add(x, z), ga_add(y, y), 0);
        t_same_arrays(ga_mul(x, row), ga_mul(y, ga_copy(row)), 0);
        t_same_arrays(ga_sub(col, x), ga_sub(ga_copy(col), y), 0);
        t_same_arrays(ga_equal(x, row), ga_equal(y, row), 0);
        t_same_arrays(ga_where(ga_equal(x, row), x, z),
                      ga_where(ga_equal(y, row), y, y), 0);
        t_same_arrays(ga_power(x, 2), ga_mul(y, y), 0);
        t_same_arrays(ga_add(x, 3), ga_add(y, 3), 0);
        t_same_arrays(ga_astype(x, GA_COMPLEX64), ga_astype(y, GA_COMPLEX64), 0);
        t_same_arrays(ga_astype(z, GA_COMPLEX64), ga_astype(y, GA_COMPLEX64), 0);
        ga_array *from_1 = ga_slice(ga_ravel(all), "1:");
        t_same_arrays(ga_astype(from_1, GA_COMPLEX64),
                      ga_astype(ga_copy(from_1), GA_COMPLEX64), 0);
        if (t == GA_COMPLEX64) continue;
        t_same_arrays(ga_arctan2(x, row), ga_arctan2(y, ga_broadcast_to(row,
                                                     ga_shape_of(y))), 0);
        t_same_arrays(ga_arctan2(z, col), ga_arctan2(y, ga_copy(ga_broadcast_to(
                                                     col, ga_shape_of(y)))), 0);
        ga_array *out = ga_zeros_like(y);
        for (int d = 0; d < 3; d++) {       /* outputs that run backwards    */
            ga_array *up = ga_flip(ga_zeros_like(y), GA_AXIS(d));
            T_CHECK(!ga_power_into(up, x, row));
            t_same_arrays(up, ga_power(y, ga_copy(ga_broadcast_to(row,
                                       ga_shape_of(y)))), 0);
            T_CHECK(!ga_assign(up, y) && !ga_power_into(up, up, row));
            t_same_arrays(up, ga_power(y, ga_copy(ga_broadcast_to(row,
                                       ga_shape_of(y)))), 0);
        }
        T_CHECK(!ga_floor_divide_into(out, x, row));
        t_same_arrays(out, ga_floor_divide(y, ga_copy(ga_broadcast_to(row,
                                           ga_shape_of(y)))), 0);
    }
}
/* Copies of what lies across, in rows that begin anywhere, beside the places
   that the elements come from.                                              */
TEST(crossed_copies) {
    static const ga_dtype types[] = {GA_UINT8, GA_FLOAT16, GA_FLOAT32,
                                     GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    static const int64_t shapes[][3] = {{1, 1001, 67}, {1, 7, 9401}, {1, 9401, 7},
        {1, 63, 1100}, {3, 129, 257}, {37, 45, 51}, {257, 5, 67}, {1, 300, 1000},
        {2, 128, 260}, {1, 4, 33000}, {1, 9000, 16}, {3, 31, 1200}, {2, 6000, 24}};
    static const int orders[][3] = {{0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1},
                                    {1, 0, 2}};
    for (size_t s = 0; s < T_COUNT(shapes); s++)
        for (size_t k = 0; k < T_COUNT(types) * T_COUNT(orders); k++) {
            GA_SCOPE;
            const ga_dtype t = types[k % T_COUNT(types)];
            const int *order = orders[k / T_COUNT(types)];
            if (t_quick() && (s + k) % 7) continue;
            const int64_t *n = shapes[s], m[3] = {n[0] + 1, n[1], n[2] + 3};
            t_context("%s, (%d, %d, %d) as %d %d %d", ga_dtype_name(t), (int)n[0],
                      (int)n[1], (int)n[2], order[0], order[1], order[2]);
            ga_array *x = ga_astype(ga_random_uniform(0, 250,
                GA_SHAPE(m[0], m[1], m[2]), GA_FLOAT32), t);
            const size_t size = ga_dtype_size(t);
            const char *from = t_host(x);
            char *want = malloc((size_t)x->size * size), *to = want;
            assert_non_null(want);
            const int64_t step[3] = {m[1] * m[2], m[2], 1};
            const int *o = order;
            /* but the first of the first axis and three of the last         */
            for (int64_t a = 0; a < n[o[0]]; a++)
                for (int64_t b = 0; b < n[o[1]]; b++)
                    for (int64_t c = 0; c < n[o[2]]; c++, to += size)
                        memcpy(to, from + (size_t)(step[0] + 3 + a * step[o[0]]
                                   + b * step[o[1]] + c * step[o[2]]) * size,
                               size);
            ga_array *y = ga_slice(x, "1:, :, 3:");
            y = ga_transpose(y, GA_AXIS(o[0], o[1], o[2]));
            t_same(ga_copy(y), t, ga_shape_of(y), want);
            for (int d = 0; d < 3; d++) {       /* from the other end        */
                ga_array *up = ga_copy(ga_flip(y, GA_AXIS(d)));
                t_same(ga_copy(ga_flip(up, GA_AXIS(d))), t, ga_shape_of(y), want);
            }
            /* into rows that begin elsewhere, backwards                     */
            const int64_t *q = y->shape;
            ga_array *room = ga_full(GA_SHAPE(q[0], q[1], q[2] + 2), 1, t);
            ga_array *part = ga_slice(room, ":, :, 1:-1");
            T_CHECK(!ga_assign(ga_flip(part, GA_AXIS(1)), ga_flip(y, GA_AXIS(1))));
            t_same(ga_copy(part), t, ga_shape_of(y), want);
            t_same_arrays(ga_slice(room, ":, :, 0"),
                          ga_ones(GA_SHAPE(q[0], q[1]), t), 0);
            t_same_arrays(ga_slice(room, ":, :, -1"),
                          ga_ones(GA_SHAPE(q[0], q[1]), t), 0);
            t_same_arrays(ga_add(y, 1), ga_add(ga_copy(y), 1), 0);
            free(want);
        }
    for (size_t k = 0; k < T_COUNT(types); k++) {       /* what lies near by */
        GA_SCOPE;
        t_context("%s", ga_dtype_name(types[k]));
        ga_array *x = ga_astype(ga_arange(0, 3007, 1), types[k]);
        ga_array *w = ga_sliding_window_view(x, GA_SHAPE(7), GA_AXIS(0));
        ga_array *all = ga_copy(w);
        t_same_arrays(ga_slice(all, ":, 5"), ga_slice(x, "5:-1"), 0);
        t_same_arrays(ga_slice(all, "17"), ga_slice(x, "17:24"), 0);
        t_same_arrays(ga_copy(ga_transpose(w, GA_ALL)),
                      ga_transpose(all, GA_ALL), 0);
        ga_array *b = ga_broadcast_to(ga_reshape(x, GA_SHAPE(3007, 1)),
                                      GA_SHAPE(3007, 33));
        t_same_arrays(ga_slice(ga_copy(b), ":, 32"), x, 0);
    }
    t_context("%s", "");
}
/* What has no easy form (zeros, NaN, ends of the range) among what has one:
   each as alone, blocks with and without. */
TEST(hard_elements_among_easy) {
    static const double hard[] = {0, -0.0, -2, INFINITY, -INFINITY, NAN, 1e-310,
                                  1e-40, 1e300};
    double v[4000], w[4000];
    for (int i = 0; i < 4000; i++) {
        v[i] = 0.1 + i % 97 * 0.05;
        w[i] = 0.3 + i % 31 * 0.15;
        if (i > 1200 && i % 83 == 0) v[i] = hard[i / 83 % 9];
        if (i > 1200 && i % 101 == 0) w[i] = hard[i / 101 % 9];
        if (i > 3000 && i % 59 == 0) w[i] = 900;
    }
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX128};
    for (int k = 0; k < 3; k++) {
        GA_SCOPE;
        ga_array *x = ga_astype(ga_asarray(v, GA_SHAPE(4000)), types[k]);
        ga_array *y = ga_astype(ga_asarray(w, GA_SHAPE(4000)), types[k]);
        if (k == 2) x = ga_add(x, ga_mul(y, t_c128(0, 1)));
        ga_array *made[2][5];
        for (int i = -1; i < 4000; i += i < 0 ? 1 : 7) {
            GA_SCOPE;
            const ga_array *a = x, *b = y;
            if (i >= 0) a = ga_slice_axis(x, 0, i, i + 1, 1);
            if (i >= 0) b = ga_slice_axis(y, 0, i, i + 1, 1);
            ga_array **to = made[i >= 0];
            to[0] = k == 2 ? ga_reciprocal(a) : ga_log(a);
            to[1] = k == 2 ? ga_div(b, a) : ga_log2(a);
            to[2] = k == 2 ? ga_div(a, b) : ga_log10(a);
            to[3] = k == 2 ? ga_clip(a, 0.5, 2) : ga_pow(a, b);
            to[4] = k == 2 ? ga_reciprocal(b) : ga_clip(a, 0.5, 2);
            for (int j = 0; j < 5; j++) {
                t_context("call %d, %s, element %d", j, ga_dtype_name(types[k]),
                          i);
                if (i < 0) to[j] = ga_keep(to[j]);
                else t_same_arrays(ga_slice_axis(made[0][j], 0, i, i + 1, 1),
                                   to[j], 0);
            }
        }
    }
}
/* Casts to integers saturate, and NaN is 0, wherever among others: runs of
   moderate numbers, then with one beyond each type here and there. */
TEST(far_elements_among_near) {
    static const double far[] = {-0.5, -0.0, 127, 128, -128, -129, 255, 256,
                                 32767.5, 32768, -32768, -32769, 65535, 65536,
                                 0x1p31, -0x1p31, 0x1.fffffep30, -0x1.8p31,
                                 0x1p31 - 0.5, 0x1p32 - 0.5, 0x1p51 - 0.5,
                                 0x1p51, 0.5 - 0x1p51, 0x1p52 + 1, -0x1p52,
                                 0x1p53 - 1, 0x1.123456789abcdp60,
                                 -0x1.fedcba9876543p62, 0x1.fffffffffffffp63,
                                 0x1.fffffffffffffp62, 0x1.fffffep63, 0x1p64,
                                 0x1p32, 0x1p63, -0x1p63, 1e300, -1e300,
                                 INFINITY, -INFINITY, NAN};
    static const ga_dtype from[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64,
                                    GA_COMPLEX128};
    double v[5000];
    for (int i = 0; i < 5000; i++)
        v[i] = i > 1600 && i % 61 == 0 ? far[i / 61 % T_COUNT(far)] : i % 128;
    for (size_t k = 0; k < T_COUNT(from); k++)
        for (int t = GA_INT8; t <= GA_UINT64; t++) {
            GA_SCOPE;
            const bool sign = t <= GA_INT64;
            const double top = ldexp(1, 8 * (int)ga_dtype_size((ga_dtype)t)
                                        - sign);
            ga_array *x = ga_astype(ga_asarray(v, GA_SHAPE(5000)), from[k]);
            const void *r = t_host(ga_astype(x, (ga_dtype)t));
            for (int i = 0; i < 5000; i++) {
                const double a = k % 2 ? v[i] : (double)(float)v[i];
                const double low = sign ? -top : 0;
                const double want = !(a == a) ? 0 : a >= top ? top - 1
                                  : a < low ? low : trunc(a);
                t_context("%s to %s, %g", ga_dtype_name(from[k]),
                          ga_dtype_name((ga_dtype)t), a);
                T_CHECK(t_value(r, (ga_dtype)t, i, 0) == want);
            }
        }
}
/* From every type to every other, whatever the memory looks like and however
   many are left of a vector: as one by one. */
TEST(casts_of_views) {
    static const double v[] = {0, 1, -1, 0.5, -0.75, 3, 100.25, 127, 128, 200,
                               255, 256, 999, -3, -128, 4095, 65504, 32767.5};
    static const int lengths[] = {1440, 603, 95, 61, 33, 31, 4};
    for (int s = 0; s < GA_NUM_DTYPES; s++)
        for (int t = 0; t < GA_NUM_DTYPES; t++) {
            GA_SCOPE;
            ga_array *one = ga_astype(ga_asarray(v, GA_SHAPE(T_COUNT(v))),
                                      (ga_dtype)s);
            const ga_array *parts[T_COUNT(v)];
            for (int i = 0; i < (int)T_COUNT(v); i++)
                parts[i] = ga_astype(ga_slice_axis(one, 0, i, i + 1, 1),
                                     (ga_dtype)t);
            ga_array *x = ga_tile(one, GA_SHAPE(80));
            ga_array *all = ga_tile((ga_concatenate)(0, T_COUNT(v), parts),
                                    GA_SHAPE(80));
            for (int i = 0; i < (int)T_COUNT(lengths); i++)
                for (int how = 0; how < 6; how++) {
                    const int n = lengths[i];
                    const int rows = n % 3 ? 1 : 3;
                    const ga_shape shape = GA_SHAPE(rows, n / rows);
                    ga_array *part = ga_slice_axis(x, 0, 0, n, 1);
                    ga_array *want = ga_slice_axis(all, 0, 0, n, 1);
                    part = ga_reshape(part, shape);
                    want = ga_reshape(want, shape);
                    t_context("%s to %s, %d, layout %d",
                              ga_dtype_name((ga_dtype)s),
                              ga_dtype_name((ga_dtype)t), n, how);
                    if (how == 5) want = ga_copy(t_laid_out(want, how));
                    t_same_arrays(ga_astype(t_laid_out(part, how), (ga_dtype)t),
                                  want, 0);
                }
            t_release_host();
        }
}
/* An operand of another type that repeats itself: as all of it. */
TEST(repeated_operands_of_other_types) {
    static const int shapes[][3] = {{1, 1, 40}, {30, 1, 1}, {1, 20, 1},
                                    {1, 20, 40}, {30, 1, 40}, {30, 20, 1},
                                    {1, 1, 1}};
    const ga_shape all = {3, {30, 20, 40}};
    for (int s = GA_INT8; s < GA_NUM_DTYPES; s++)
        for (int t = GA_INT8; t < GA_NUM_DTYPES; t++)
            for (int k = 0; k < (int)T_COUNT(shapes); k++) {
                if (t_quick() && (s + t + k) % 3) continue;
                GA_SCOPE;
                const int *f = shapes[k];
                const ga_shape few = {3, {f[0], f[1], f[2]}};
                t_context("%s and %s(%d,%d,%d)", ga_dtype_name((ga_dtype)s),
                          ga_dtype_name((ga_dtype)t), f[0], f[1], f[2]);
                ga_array *x = t_random_array((ga_dtype)s, all, 1, 9);
                ga_array *y = t_laid_out(t_random_array((ga_dtype)t, few, 1, 9),
                                         (s + t + k) % 5);
                ga_array *full = ga_copy(ga_broadcast_to(y, all));
                t_same_arrays(ga_add(x, y), ga_add(x, full), 0);
                t_same_arrays(ga_equal(y, x), ga_equal(full, x), 0);
                ga_array *yes = ga_equal(y, 2);
                ga_array *each = ga_copy(ga_broadcast_to(yes, all));
                t_same_arrays(ga_where(yes, x, y), ga_where(each, x, full), 0);
                t_release_host();
            }
}
/* Numbers of 64 bits to floats are rounded once, whichever of their bits say
   where to. */
TEST(floats_of_64_bits) {
    uint64_t v[4096];
    uint64_t state = 1;
    for (int i = 0; i < 4096; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int at = i % 64;      /* ties of doubles or floats, and others */
        const uint64_t top = (uint64_t)1 << at;
        const uint64_t tie = top >> (i & 64 ? 24 : 53);
        const uint64_t odd = i & 128 ? top >> (i & 64 ? 23 : 52) : 0;
        v[i] = i & 512 ? state >> at : (top | odd | tie) + (i >> 8 & 1);
        if (i & 1024) v[i] = 0 - v[i];
        if (i & 2048) v[i]--;
    }
    for (int n = 4096; n > 0; n = n > 100 ? n - 997 : n - 9) {
        GA_SCOPE;
        const ga_shape shape = GA_SHAPE(n);
        ga_array *u = ga_asarray_as(v, GA_UINT64, shape);
        ga_array *s = ga_asarray_as(v, GA_INT64, shape);
        const float *uf = t_host(ga_astype(u, GA_FLOAT32));
        const float *sf = t_host(ga_astype(s, GA_FLOAT32));
        const double *ud = t_host(ga_astype(u, GA_FLOAT64));
        const double *sd = t_host(ga_astype(s, GA_FLOAT64));
        const float *uc = t_host(ga_astype(u, GA_COMPLEX64));
        const float *sh = t_host(ga_astype(s, GA_COMPLEX64));
        const double *sc = t_host(ga_astype(s, GA_COMPLEX128));
        for (int i = 0; i < n; i++) {
            const int64_t w = (int64_t)v[i];
            t_context("%016" PRIx64 ", %d of %d", v[i], i, n);
            T_CHECK(uf[i] == (float)v[i] && sf[i] == (float)w);
            T_CHECK(ud[i] == (double)v[i] && sd[i] == (double)w);
            T_CHECK(uc[2 * i] == (float)v[i] && uc[2 * i + 1] == 0);
            T_CHECK(sc[2 * i] == (double)w && sc[2 * i + 1] == 0);
            T_CHECK(sh[2 * i] == (float)w && sh[2 * i + 1] == 0);
        }
    }
}
/* So many halves that a table stands for the function: as few of them. */
static ga_array *of_halves(int k, const ga_array *x) {
    switch (k) {
    case 0: return ga_sin(x);
    case 1: return ga_exp(x);
    case 2: return ga_log(x);
    case 3: return ga_cbrt(x);
    case 4: return ga_ndtr(x);
    case 5: return ga_pow(x, 1.5);
    case 6: return ga_pow(2, x);
    default: return ga_sigmoid(x);
    }
}
TEST(many_halves) {
    enum { CODES = 65536, TIMES = 8 };
    uint16_t *bits = malloc(CODES * TIMES * 2);
    assert_non_null(bits);
    for (int i = 0; i < CODES * TIMES; i++) bits[i] = (uint16_t)i;
    for (int t = GA_FLOAT16; t <= GA_BFLOAT16; t++)
        for (int k = 0; k < 8; k++) {
            GA_SCOPE;
            ga_array *few = ga_asarray_as(bits, (ga_dtype)t, GA_SHAPE(CODES));
            ga_array *all = ga_asarray_as(bits, (ga_dtype)t,
                                          GA_SHAPE(TIMES, 256, 256));
            ga_array *want = ga_reshape(ga_broadcast_to(of_halves(k, few),
                GA_SHAPE(TIMES, CODES)), GA_SHAPE(TIMES, 256, 256));
            for (int how = 0; how < 5; how++) {
                t_context("%s, call %d, layout %d",
                          ga_dtype_name((ga_dtype)t), k, how);
                t_same_arrays(of_halves(k, t_laid_out(all, how)), want, 0);
            }
            if (k) continue;
            T_CHECK(ga_sin_into(all, all) == GA_OK);
            t_same_arrays(all, want, 0);
        }
    free(bits);
}

TEST(vector_edges) {
    static const ga_dtype types[] = {GA_UINT8, GA_INT16, GA_FLOAT16, GA_FLOAT32,
                                     GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    static const int64_t skips[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 3, 1},
                                       {2, 1, 3}, {5, 7, 0}, {1, 1, 1}};
    static const int64_t steps[][3] = {{1, 1, 1}, {2, 1, 1}, {-1, 2, 1},
                                       {0, 1, 1}, {1, 0, 2}, {3, -2, -1}};
    for (size_t ti = 0; ti < T_COUNT(types); ti++) {
        const int64_t v = 16 / (int64_t)ga_dtype_size(types[ti]);
        const int64_t lengths[] = {1, v - 1, v, v + 1, 2 * v + 3, 33 * v + 1};
        for (size_t ni = 0; ni < T_COUNT(lengths); ni++)
            for (size_t k = 0; lengths[ni] && k < T_COUNT(skips); k++)
                for (size_t m = 0; m < T_COUNT(steps); m++) {
                    if ((k + m + ni) % (t_quick() ? 5 : 2)) continue;
                    t_context("%s of %d, skips %d, steps %d",
                              ga_dtype_name(types[ti]), (int)lengths[ni], (int)k,
                              (int)m);
                    strip_case(types[ti], 1 + (int64_t)(k + m) % 3, lengths[ni],
                               skips[k], steps[m], false);
                }
        /* tiles are 32 to 128 high and wide */
        const int64_t wide[] = {8, 8 * v - 1, 8 * v, 8 * v + 1, 17 * v};
        const int64_t high[] = {8, 63, 64, 65, 130};
        for (size_t ni = 0; ni < T_COUNT(wide); ni++)
            for (size_t k = 0; k < T_COUNT(skips); k++) {
                if (t_quick() && (k + ni) % 3) continue;
                t_context("%s, tile %dx%d, skips %d", ga_dtype_name(types[ti]),
                          (int)high[(ni + k) % 5], (int)wide[ni], (int)k);
                strip_case(types[ti], high[(ni + k) % 5],
                           wide[ni] < 8 ? 8 : wide[ni], skips[k], steps[0], true);
            }
    }
}

/* A C number is the only operand, and out no place for a vector. */
TEST(truths_of_numbers_at_odd_places) {
    GA_SCOPE;
    ga_array *b = ga_zeros(GA_SHAPE(64), GA_BOOL);
    uint8_t want[64] = {0};
    for (int i = 1; i < 64; i += 5) {
        ga_array *at = ga_index_axis(b, 0, i);
        T_CHECK(!ga_isnan_into(at, NAN) && !ga_logical_not_into(at, 0.0)
                && !ga_signbit_into(at, -2.5));
        want[i] = 1;
    }
    t_same(b, GA_BOOL, GA_SHAPE(64), want);
}

/* Large arrays of halves are looked up in a table on a GPU, the first in one that
   the same stream makes before; parts of them are computed. NaN and all.    */
TEST(functions_of_many_halves) {
    static const char *const views[] = {":1050", "1:", ":, 1:2051", ":, 3:2050",
                                        ":, ::2", "::-1, 1::2"};
    const int64_t rows = t_on_gpu() ? 2050 : 3, columns = 4100;
    uint16_t *bits = malloc((size_t)(rows * columns) * 2);
    assert_non_null(bits);
    t_keep(bits);
    for (int64_t i = 0; i < rows * columns; i++)
        bits[i] = (uint16_t)(t_random() >> 40);
    for (size_t i = 0; i < 2 * R_UNARIES; i++) {
        const r_row *r = &r_unaries[i / 2];
        const ga_dtype t = i % 2 ? GA_BFLOAT16 : GA_FLOAT16;
        if (!strcmp(r->cost, "LIGHT") || strcmp(r->result, "SAME")
            || !(r->types & GA__F)) continue;
        GA_SCOPE;
        ga_array *x = ga_asarray_as(bits, t, GA_SHAPE(rows, columns));
        ga_array *want = ga_empty(GA_SHAPE(rows, columns), t);
        for (int64_t at = 0; at < rows; at += 512)
            T_CHECK(!r->into1(ga_slice_axis(want, 0, at, at + 512, 1),
                              ga_slice_axis(x, 0, at, at + 512, 1)));
        for (size_t v = 0; v < T_COUNT(views); v++) /* of tan all: time      */
            if (v == i % T_COUNT(views) || r_named(r, "tan"))
                t_same_arrays(r->f1(ga_slice(x, "%s", views[v])),
                              ga_slice(want, "%s", views[v]), 0);
        if (t_on_gpu() || strcmp(r->cost, "HEAVY")) continue;
        for (int k = 0; k < 22; k++)    /* so many that a table is kept     */
            t_same_arrays(r->f1(x), want, 0);
        t_same_arrays(r->f1(ga_transpose(x, GA_ALL)), ga_transpose(want, GA_ALL), 0);
        t_same_arrays(r->f1(ga_slice(x, ":, 5::3")), ga_slice(want, ":, 5::3"), 0);
        T_CHECK(!r->into1(x, x));
        t_same_arrays(x, want, 0);
    }
    GA_SCOPE;
    const int64_t n = rows * columns;
    ga_array *x = ga_asarray_as(bits, GA_FLOAT16, GA_SHAPE(n));
    ga_array *want = ga_empty(GA_SHAPE(n), GA_FLOAT16);
    for (int64_t at = 0; at < n; at += 1 << 21)
        T_CHECK(!ga_tan_into(ga_slice_axis(want, 0, at, at + (1 << 21), 1),
                             ga_slice_axis(x, 0, at, at + (1 << 21), 1)));
    for (int by = 1; by < 8; by++)  /* from each place between vectors on   */
        t_same_arrays(ga_tan(ga_slice_axis(x, 0, by, GA_END, 1)),
                      ga_slice_axis(want, 0, by, GA_END, 1), 0);
    T_CHECK(!ga_tan_into(x, x));
    t_same_arrays(x, want, 0);
    t_me.nhost--;
    free(bits);
}

/* ------------------------------------------------- one device, another */
/* An operand across the output, with an axis of length 1 between; and a new
   array's layout, to which a broadcast operand has nothing to say.         */
TEST(axes_without_a_say) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(300, 1, 400), -9, 9);
    ga_array *o = ga_transpose(ga_zeros(GA_SHAPE(400, 1, 300), GA_FLOAT32),
                               GA_ALL);
    T_CHECK(ga_add_into(o, x, 1) == GA_OK);
    t_same_arrays(o, ga_add(x, 1), 0);
    ga_array *like = ga_empty_like(o);
    T_CHECK(like && like->strides[0] == 1 && like->strides[2] == 300);
    ga_array *row = ga_arange(0, 4, 1), *full = ga_ones(GA_SHAPE(3, 4),
                                                        GA_INT64);
    T_CHECK(ga_is_contiguous(ga_add(ga_broadcast_to(row, GA_SHAPE(3, 4)),
                                    full)));
}

TEST(cpu_and_device_agree) {
    if (!t_on_gpu()) {
        print_message("    skipped: the current device is the CPU\n");
        return;
    }
    int device = ga_device();
    for (size_t i = 0; i < R_UNARIES + R_BINARIES; i++) {
        const r_row *r = i < R_UNARIES ? &r_unaries[i]
                                       : &r_binaries[i - R_UNARIES];
        for (int t = 0; t < GA_NUM_DTYPES; t++) {
            GA_SCOPE;
            int64_t n = t_quick() || r_own(r) ? 2000 : 100000;
            job j = {.r = r, .t = (ga_dtype)t};
            ga_dtype ty = r_named(r, "ldexp") ? GA_INT32 : j.t;
            ga_array *x = random_operand(r, j.t, GA_SHAPE(n));
            ga_array *y = random_operand(r, ty, GA_SHAPE(n));
            /* both are within the bound of the truth; logaddexp's is relative
               to operands that may cancel, complex power's grows with
               |y log x|, here below 16                                     */
            double bound = 2 * r_bound(r, j.t);
            if (r_named(r, "logaddexp") || r_named(r, "logaddexp2")) {
                x = ga_abs(x);
                y = ga_abs(y);
            }
            if (r_named(r, "power") && j.t == GA_COMPLEX128) bound *= 1 + 16;
            ga_array *there = call(&j, x, y), *here = NULL;
            ga_clear_error();
            if (!there) continue;
            ga_array *cx = ga_to_device(x, GA_CPU);
            ga_array *cy = ga_to_device(y, GA_CPU);
            {
                GA_DEVICE(GA_CPU);
                here = call(&j, cx, cy);
            }
            /* errors near a zero are relative to what cancels there        */
            int far = r_named(r, "betaln") ? 16
                      : !strchr("jy", *r->name) || !strchr("01", r->name[1]) ? 0
                      : *r->name == 'j' ? 1 : -1;   /* J >= -0.6, Y <= 0.6  */
            if (far) {
                GA_DEVICE(GA_CPU);
                here = ga_add(here, far);
                there = ga_add(ga_to_device(there, GA_CPU), far);
            }
            t_context("%s %s, CPU and device", r->name, ga_dtype_name(j.t));
            if (bound < 2 * r_bound(r, there->dtype))
                bound = 2 * r_bound(r, there->dtype);
            t_same_arrays(there, here, bound);
        }
    }
    T_CHECK(ga_device() == device);
}

/* More elements than 32 bits count. */
TEST(beyond_two_to_the_31) {
    ga_memory m;
    if (!t_on_gpu() || t_quick() || ga_mem_info(ga_device(), &m) != GA_OK
        || m.free < (size_t)12 << 30) {
        print_message("    skipped: a GPU with 12 GB free is needed\n");
        return;
    }
    GA_SCOPE;
    int64_t n = ((int64_t)1 << 31) + 77;
    ga_array *x = ga_full(GA_SHAPE(n), 3, GA_INT8);
    ga_assign(ga_slice_axis(x, 0, n - 2, n, 1), 5);
    ga_array *y = ga_add(x, 1);
    T_CHECK(ga_item_at(y, GA_INDEX(0)) == 4);
    T_CHECK(ga_item_at(y, GA_INDEX(n - 3)) == 4);
    T_CHECK(ga_item_at(y, GA_INDEX(-1)) == 6);
    T_CHECK(ga_item_i64(ga_sum(y, GA_ALL)) == 4 * n + 4);
    T_CHECK(ga_item_i64(ga_argmax(y, GA_ALL)) == n - 2);
    T_CHECK(ga_item_i64(ga_count_nonzero(ga_equal(x, 5), GA_ALL)) == 2);
    /* backwards, in place, and from an odd address */
    T_CHECK(ga_add_into(y, y, ga_flip(x, GA_ALL)) == GA_OK);
    T_CHECK(ga_item_at(y, GA_INDEX(0)) == 9);
    T_CHECK(ga_item_at(y, GA_INDEX(1)) == 9);
    T_CHECK(ga_item_at(y, GA_INDEX(-1)) == 9);
    T_CHECK(ga_item_i64(ga_sum(y, GA_ALL)) == 7 * n + 8);
    ga_array *half = ga_slice(x, "1::2");
    T_CHECK(half && half->size == n / 2);
    T_CHECK(ga_item_i64(ga_sum(ga_multiply(half, 2), GA_ALL))
            == 6 * (n / 2) + 4);
    /* a row and a column over 2**31 elements */
    ga_array *a = ga_full(GA_SHAPE(65539, 32771), 3, GA_INT8);
    ga_array *col = ga_astype(ga_arange(0, 65539, 1), GA_INT8);
    ga_array *z = ga_add(a, ga_expand_dims(col, GA_AXIS(1)));
    T_CHECK(ga_item_at(z, GA_INDEX(65538, 32770)) == 5);
    ga_array *by_row = ga_sum(z, GA_AXIS(1));
    T_CHECK(ga_item_at(by_row, GA_INDEX(65537)) == 4. * 32771);
    ga_array *t = ga_copy(ga_transpose(z, GA_ALL));
    T_CHECK(ga_item_at(t, GA_INDEX(32770, 65537)) == 4);
    T_CHECK(ga_item_at(t, GA_INDEX(12345, 65400)) == 123);
}

/* Results larger than a CPU's caches, which leave by another way, are those of
   their parts: at any place, in rows, one value or a cast, in place. */
static ga_array *one_way(int how, const ga_array *x, const ga_array *y) {
    switch (how) {
    case 0: return ga_add(x, y);
    case 1: return ga_multiply(x, 3);
    case 2: return ga_sqrt(x);
    case 3: return ga_copy(x);
    case 4: return ga_astype(x, GA_FLOAT64);
    case 5: return ga_less(x, y);
    case 6: return ga_where(ga_less(x, 2), x, y);
    case 7:
        return ga_where(ga_less(x, y), ga_astype(x, GA_FLOAT64), ga_astype(y, GA_FLOAT64));
    default: return ga_full(ga_shape_of(x), 2.5, x->dtype);
    }
}
TEST(larger_than_caches) {
    const int64_t cols = 2011, rows = 6600, n = rows * cols;   /* 53 MB    */
    GA_SCOPE;
    ga_array *x = ga_add(ga_mod(ga_arange(0, (double)n + 9, 1), 1021), 0.25);
    x = ga_astype(x, GA_FLOAT32);
    ga_array *y = ga_astype(ga_flip(x, GA_ALL), GA_FLOAT32);
    for (int how = 0; how < 9; how++) {
        if (t_quick() && how % 4) continue;
        GA_SCOPE;
        t_context("way %d", how);
        ga_array *a = ga_slice(x, "%d:%lld", how % 3, (long long)(n + how % 3));
        ga_array *b = ga_slice(y, ":%lld", (long long)n);
        ga_array *z = one_way(how, a, b), *parts[5];
        for (int64_t i = 0; i < 5; i++)
            parts[i] = one_way(how, ga_slice(a, "%lld:%lld", (long long)(i * n / 5),
                                             (long long)((i + 1) * n / 5)),
                               ga_slice(b, "%lld:%lld", (long long)(i * n / 5),
                                        (long long)((i + 1) * n / 5)));
        ga_array *want = (ga_concatenate)(0, 5, (const ga_array *const *)parts);
        T_CHECK(ga_array_equal(z, want, 0));
        ga_array *o = ga_empty(GA_SHAPE(n + 3), z->dtype);  /* at odd places */
        ga_array *in = ga_slice(o, "1:%lld", (long long)(n + 1));
        ga_assign(o, 7);
        ga_assign(in, z);
        T_CHECK(ga_array_equal(in, want, 0) && ga_item_at(o, GA_INDEX(0))
                == ga_item_at(o, GA_INDEX(n + 1)));
    }
    t_context("%s", "");
    ga_array *col = ga_astype(ga_arange(0, (double)rows, 1), GA_FLOAT32);
    ga_array *row = ga_slice(x, ":%lld", (long long)cols);
    ga_array *z = ga_multiply(ga_expand_dims(col, GA_AXIS(1)), row);
    for (int64_t r = 0; r < rows; r += 1319)
        T_CHECK(ga_array_equal(ga_slice(z, "%lld", (long long)r),
                               ga_multiply(row, (double)r), 0));
    ga_array *w = ga_copy(z), *u = ga_copy(z), *v = ga_copy(z);
    GA_EVAL_SET(v = sqrt(z) + z*0.5; u = v*2 - 1, v, u, z);
    for (int64_t r = 0; r < rows; r += 1319) {
        ga_array *q = ga_slice(z, "%lld", (long long)r), *p = NULL;
        p = GA_EVAL((sqrt(q) + q*0.5)*2 - 1, q);
        T_CHECK(ga_array_equal(ga_slice(u, "%lld", (long long)r), p, 0));
    }
    GA_EVAL_INTO(u, sqrt(w)*2 + z, w, z);
    for (int64_t r = 0; r < rows; r += 1319) {
        ga_array *q = ga_slice(z, "%lld", (long long)r);
        T_CHECK(ga_array_equal(ga_slice(u, "%lld", (long long)r),
                               GA_EVAL(sqrt(q)*2 + q, q), 0));
    }
    ga_add_into(w, w, 1);
    T_CHECK(ga_array_equal(ga_subtract(w, 1), ga_subtract(ga_add(z, 1), 1), 0));
}

/* Beside the largest number a small one does not count, nor is the distance inf:
   of an array, of two, of a complex number.                                 */
TEST(distances_of_the_largest) {
    GA_SCOPE;
    static const double most[] = {0x1.fffffep127, 0x1.fffffffffffffp1023};
    static const ga_dtype real[] = {GA_FLOAT32, GA_FLOAT64},
                          complex[] = {GA_COMPLEX64, GA_COMPLEX128};
    static const double little[] = {0, 1, -3, 1e5, -0x1p100};
    for (int t = 0; t < 2; t++) {
        ga_array *x = ga_full(GA_SHAPE(1037), most[t], real[t]);
        ga_array *y = ga_astype(ga_resize(ga_asarray(little, GA_SHAPE(5)),
                                          GA_SHAPE(1037)), real[t]);
        t_same_arrays(ga_hypot(x, y), x, 0);
        t_same_arrays(ga_hypot(y, ga_negative(x)), x, 0);
        ga_array *z = GA_EVAL(x + 1i*y, x, y);
        t_is(z, complex[t], GA_SHAPE(1037));
        t_same_arrays(ga_abs(z), x, 0);
        t_same_arrays(GA_EVAL(abs(z), z), x, 0);
    }
}

/* Numbers, and columns, beside rows with gaps, of which threads take parts. */
TEST(numbers_beside_rows) {
    static const int64_t lengths[] = {500, 1020, 5000};
    for (size_t k = 0; k < T_COUNT(lengths); k++) {
        GA_SCOPE;
        const int64_t m = 1237, n = lengths[k];
        t_context("%lld", (long long)n);
        ga_array *u = t_random_array(GA_FLOAT32, GA_SHAPE(m, n + 2), -1, 1);
        ga_array *x = ga_slice(u, ":, 1:-1"), *c = ga_slice(u, ":, :1");
        const float *host = (const float *)t_host(u);
        float *want = (float *)t_alloc((size_t)(m * n) * sizeof *want);
        for (int how = 0; how < 3; how++) {
            for (int64_t i = 0; i < m * n; i++) {
                const float *row = host + i / n * (n + 2), v = row[i % n + 1];
                want[i] = how == 0 ? 4 * v : how == 1 ? v - row[0] : row[0] - v;
            }
            t_same(how == 0 ? ga_mul(4, x) : how == 1 ? ga_sub(x, c) : ga_sub(c, x),
                   GA_FLOAT32, GA_SHAPE(m, n), want);
        }
    }
    t_context("%s", "");
}

#define LIST_ROW(n, ...) T(row_##n),
int main(void) {
    const struct CMUnitTest tests[] = {
        T(macros), T(aliases), T(where_wide), T(where_layouts), T(one_divisor),
        T(other_functions), T(ldexp_far),
        T(ldexp_of_halves), T(ldexp_of_neighbours), T(logarithms_of_halves), T(chosen_halves),
        T(moduli_of_any_quotient), T(divisors_of_any_size), T(long_quotients), T(shifts_by_one),
        GA_UNARY_OPS(LIST_ROW)
        GA_BINARY_OPS(LIST_ROW)
        T(large_layouts), T(turned_operands), T(operands_with_gaps), T(one_for_all),
        T(crossed_copies),
        T(repeated_operands), T(brief_rows), T(lines),
        T(hard_elements_among_easy),
        T(far_elements_among_near), T(floats_of_64_bits), T(casts_of_views),
        T(repeated_operands_of_other_types), T(many_halves),
        T(vector_edges), T(truths_of_numbers_at_odd_places),
        T(functions_of_many_halves),
        T(axes_without_a_say), T(larger_than_caches), T(distances_of_the_largest),
        T(cpu_and_device_agree), T(beyond_two_to_the_31), T(numbers_beside_rows),
    };
    return T_RUN("elementwise", tests);
}
