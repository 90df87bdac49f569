/* Joining and changing arrays: golden/joining.bin in several layouts and into
   outputs; sizes at which vectors, runs and parts meet, against loops; errors
   and their texts; read-only views; launches counted; graphs.               */
#define _POSIX_C_SOURCE 200809L
#include "golden.h"
#include "child.h"

typedef const ga_array *const *operands;
enum { MOST = 16, NONE = -99 };

/* ----------------------------------------------------------- golden data */
/* One call: made with out NULL, else written to it. Results of one array. */
typedef struct call {
    const int64_t *arg;
    int64_t nargs;
    ga_array **x;
    int n;
} call;
static ga_axis axis_of(int64_t a) {
    return a == NONE ? GA_ALL : GA_AXIS((int)a);
}
static ga_shape shape_from(const int64_t *v, int64_t n) {
    ga_shape s = {(int)n, {0}};
    for (int64_t i = 0; i < n; i++) s.dim[i] = v[i];
    return s;
}
static ga_axis axes_from(const int64_t *v, int64_t n) {
    ga_axis a = {(int)n, false, {0}};
    for (int64_t i = 0; i < n; i++) a.axis[i] = (int)v[i];
    return a;
}
static const ga_pad_mode modes[] = {
    GA_PAD_CONSTANT, GA_PAD_EDGE, GA_PAD_LINEAR_RAMP, GA_PAD_MAXIMUM,
    GA_PAD_MEAN, GA_PAD_MEDIAN, GA_PAD_MINIMUM, GA_PAD_REFLECT,
    GA_PAD_SYMMETRIC, GA_PAD_WRAP, GA_PAD_EMPTY};

typedef ga_array *(*made_fn)(const call *c);
typedef ga_status (*into_fn)(ga_array *out, const call *c);
#define X0 c->x[0]
#define A c->arg
#define LISTED(name)                                                        \
    static ga_array *m_##name(const call *c) {                              \
        return (ga_##name)(c->n, (operands)c->x);                           \
    }                                                                       \
    static ga_status i_##name(ga_array *o, const call *c) {                 \
        return (ga_##name##_into)(o, c->n, (operands)c->x);                 \
    }
#define ALONG(name)                                                         \
    static ga_array *m_##name(const call *c) {                              \
        return (ga_##name)((int)A[0], c->n, (operands)c->x);                \
    }                                                                       \
    static ga_status i_##name(ga_array *o, const call *c) {                 \
        return (ga_##name##_into)(o, (int)A[0], c->n, (operands)c->x);      \
    }
#define BOTH(name, ...)                                                     \
    static ga_array *m_##name(const call *c) { return ga_##name(__VA_ARGS__); } \
    static ga_status i_##name(ga_array *o, const call *c) {                 \
        return ga_##name##_into(o, __VA_ARGS__);                            \
    }
#define MADE(name, ...)                                                     \
    static ga_array *m_##name(const call *c) { return __VA_ARGS__; }
ALONG(concatenate) ALONG(stack)
LISTED(vstack) LISTED(hstack) LISTED(dstack) LISTED(column_stack)
BOTH(tile, X0, shape_from(A, c->nargs))
BOTH(repeat, X0, A[0], axis_of(A[1]))
BOTH(repeat_counts, X0, c->x[1], axis_of(A[0]))
BOTH(append, X0, c->x[1], axis_of(A[0]))
BOTH(insert, X0, A[0], c->x[1], axis_of(A[1]))
BOTH(insert_at, X0, A + 1, c->nargs - 1, c->x[1], axis_of(A[0]))
BOTH(delete_at, X0, A + 1, c->nargs - 1, axis_of(A[0]))
BOTH(tril, X0, A[0])
BOTH(triu, X0, A[0])
BOTH(packbits, X0, axis_of(A[0]), (unsigned)A[1])
BOTH(unpackbits, X0, axis_of(A[0]), A[2] == 1000000000 ? GA_END : A[2],
     (unsigned)A[1])
static ga_array *m_resize(const call *c) {
    return ga_resize(X0, shape_from(A, c->nargs));
}
static ga_status i_resize(ga_array *o, const call *c) {
    return ga_resize_into(o, X0);
}
static ga_array *m_vander(const call *c) {
    return ga_vander(X0, A[0], (unsigned)A[1]);
}
static ga_status i_vander(ga_array *o, const call *c) {
    return ga_vander_into(o, X0, (unsigned)A[1]);
}
static ga_array *m_indices(const call *c) {
    return ga_indices(shape_from(A, c->nargs), X0->dtype);
}
static ga_status i_indices(ga_array *o, const call *c) {
    (void)c;
    return ga_indices_into(o);
}
static ga_array *m_roll(const call *c) {
    if (A[1] == NONE) return ga_roll(X0, A[0], GA_ALL);
    int64_t n = c->nargs / 2;
    if (n == 1) return ga_roll(X0, A[0], GA_AXIS((int)A[1]));
    return ga_roll_by(X0, shape_from(A, n), axes_from(A + n, n));
}
static ga_status i_roll(ga_array *o, const call *c) {
    if (A[1] == NONE) return ga_roll_into(o, X0, A[0], GA_ALL);
    int64_t n = c->nargs / 2;
    return ga_roll_by_into(o, X0, shape_from(A, n), axes_from(A + n, n));
}
static ga_array *m_pad(const call *c) {
    int r = X0->ndim;
    ga_shape b = shape_from(A + 3, r), e = shape_from(A + 3 + r, r);
    return A[2] ? ga_pad(X0, b, e, modes[A[0]], A[1])
                : ga_pad(X0, b, e, modes[A[0]], GA_NONE);
}
static ga_status i_pad(ga_array *o, const call *c) {
    int r = X0->ndim;
    ga_shape b = shape_from(A + 3, r), e = shape_from(A + 3 + r, r);
    return A[2] ? ga_pad_into(o, X0, b, e, modes[A[0]], A[1])
                : ga_pad_into(o, X0, b, e, modes[A[0]], GA_NONE);
}
MADE(trim_zeros, ga_trim_zeros(X0, (unsigned)A[0]))
MADE(rot90, ga_rot90(X0, (int)A[0], (int)A[1], (int)A[2]))
MADE(fliplr, ga_fliplr(X0))
MADE(flipud, ga_flipud(X0))
MADE(sliding_window_view,
     ga_sliding_window_view(X0, shape_from(A + c->nargs / 2, c->nargs / 2),
                            axes_from(A, c->nargs / 2)))
MADE(atleast, A[0] == 1 ? ga_atleast_1d(X0) : A[0] == 2 ? ga_atleast_2d(X0)
                                                        : ga_atleast_3d(X0))
MADE(as_strided, ga_as_strided(ga_copy(X0), shape_from(A, c->nargs / 2),
                               shape_from(A + c->nargs / 2, c->nargs / 2)))
MADE(tri, ga_tri(A[0], A[1], A[2], X0->dtype))
MADE(diag, ga_diag(X0, A[0]))
MADE(diagflat, ga_diagflat(X0, A[0]))
static ga_array *m_fill_diagonal(const call *c) {
    ga_array *y = t_laid_out(ga_copy(X0), 1);
    ga_fill_diagonal(y, c->x[1], A[0] ? GA_FILL_WRAP : 0u);
    return y;
}
static ga_array *m_copyto(const call *c) {
    ga_array *y = t_laid_out(ga_copy(X0), 2);
    ga_copyto(y, c->x[1], c->x[2]);
    return y;
}
#define ROW(name) {#name, m_##name, i_##name}
#define ROWM(name) {#name, m_##name, NULL}
static const struct {
    const char *name;
    made_fn made;
    into_fn into;
} rows[] = {
    ROW(concatenate), ROW(stack), ROW(vstack), ROW(hstack), ROW(dstack),
    ROW(column_stack), ROW(tile), ROW(repeat), ROW(repeat_counts), ROW(append),
    ROW(insert), ROW(insert_at), ROW(delete_at), ROW(tril), ROW(triu),
    ROW(packbits), ROW(unpackbits), ROW(resize), ROW(vander), ROW(indices),
    ROW(roll), ROW(pad), ROWM(trim_zeros), ROWM(rot90), ROWM(fliplr),
    ROWM(flipud), ROWM(sliding_window_view), ROWM(atleast), ROWM(as_strided),
    ROWM(tri), ROWM(diag), ROWM(diagflat), ROWM(fill_diagonal), ROWM(copyto)};

/* What rounds: powers, means and ramps; all else moves bits. */
static double ulps_of(const char *fn, const call *c) {
    if (!strcmp(fn, "vander")) return 40;
    if (strcmp(fn, "pad")) return 0;
    ga_pad_mode m = modes[A[0]];
    return m == GA_PAD_MEAN || m == GA_PAD_MEDIAN || m == GA_PAD_LINEAR_RAMP ? 4
                                                                             : 0;
}
static bool near_want(const ga_array *y, const g_record *want, double ulps) {
    return t_near(y, want->dtype, want->shape, want->data, ulps);
}
/* Several arrays: views, made into a list. */
static int64_t parts_of(const char *fn, const call *c, ga_array **parts) {
    ga_status st;
    int64_t n;
    if (!strcmp(fn, "array_split")) {
        n = A[0];
        st = ga_array_split(X0, A[0], (int)A[1], parts);
    } else if (!strcmp(fn, "split_at")) {
        n = c->nargs;
        st = ga_split_at(X0, A + 1, c->nargs - 1, (int)A[0], parts);
    } else if (!strcmp(fn, "unstack")) {
        n = X0->shape[A[0] < 0 ? A[0] + X0->ndim : A[0]];
        st = ga_unstack(X0, (int)A[0], parts);
    } else if (!strcmp(fn, "meshgrid")) {
        n = c->n;
        st = (ga_meshgrid)(parts, (A[0] & 1 ? GA_IJ : 0)
                                      | (A[0] & 2 ? GA_SPARSE : 0), c->n,
                           (operands)c->x);
    } else {
        n = c->n;
        T_CHECKF(!strcmp(fn, "broadcast_arrays"), "no such function: %s", fn);
        st = (ga_broadcast_arrays)(parts, c->n, (operands)c->x);
    }
    T_CHECK(st == GA_OK);
    return n;
}
static void check_parts(const char *fn, const call *c, int k) {
    ga_array *parts[MOST] = {NULL};
    int64_t n = parts_of(fn, c, parts);
    for (int64_t i = 0; i < n; i++) {
        const g_record *want = g_find("%d/out%d", k, (int)i);
        T_CHECKF(want != NULL, "too many parts");
        if (want) near_want(parts[i], want, 0);
    }
    T_CHECK(!g_find("%d/out%d", k, (int)n));
}
static void check_into(int row, const call *c, const g_record *want,
                       double ulps) {
    for (int how = 0; how < 5; how++) {
        ga_array *out = t_laid_out(ga_full(want->shape, 1, want->dtype), how);
        T_CHECK(rows[row].into(out, c) == GA_OK);
        near_want(out, want, ulps);
    }
    ga_dtype t = want->dtype == GA_BOOL ? GA_INT16 : GA_COMPLEX128;
    ga_array *wide = ga_empty(want->shape, t);
    if (!strcmp(rows[row].name, "indices")) return;
    T_CHECK(rows[row].into(wide, c) == GA_OK);
    ga_array *back = ga_astype(wide, want->dtype);
    if (want->dtype != GA_INT64 && want->dtype != GA_UINT64)
        near_want(back, want, ulps);
}
/* Runs that are repeated: each again and again, also of rows that are apart. */
TEST(runs_again) {
    static const ga_dtype types[] = {GA_INT8, GA_INT64, GA_COMPLEX128};
    static const int64_t ns[] = {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 32, 33, 64, 65, 255, 256, 257};
    static const char *const layouts[] = {":", "::-1", "::2", "3:, 1:"};
    static const char *const every[] = {"::3", "1::3", "2::3"};
    for (size_t i = 0; i < T_COUNT(types); i++)
        for (size_t n = 0; n < T_COUNT(ns); n++)
            for (size_t l = 0; l < T_COUNT(layouts); l++) {
                GA_SCOPE;
                t_context("%s %d %s", ga_dtype_name(types[i]), (int)ns[n], layouts[l]);
                ga_array *x = t_random_array(types[i], GA_SHAPE(2111, ns[n] + 1), -9, 9);
                x = ga_slice(x, "%s", layouts[l]);
                ga_array *const y = ga_repeat(x, 3, GA_AXIS(0));
                for (int k = 0; k < 3; k++) t_same_arrays(ga_slice(y, "%s", every[k]), x, 0);
            }
    t_context("%s", "");
}
TEST(golden) {
    g_load("joining.bin");
    int k = 0;
    for (const g_record *fn; (fn = g_find("%d/fn", k)) != NULL; k++) {
        const char *name = (const char *)fn->data;
        const g_record *arg = g_find("%d/arg", k), *want = g_find("%d/out", k);
        int row = 0;
        while (row < (int)T_COUNT(rows) && strcmp(rows[row].name, name)) row++;
        for (int how = 0; how < 5; how++) {
            GA_SCOPE;
            ga_array *x[MOST];
            call c = {(const int64_t *)arg->data, arg->size, x, 0};
            for (const g_record *r; (r = g_find("%d/%d", k, c.n)) != NULL;)
                x[c.n++] = (ga_asarray_as)(r->data, r->dtype, r->shape);
            t_context("%d %s, layout %d", k, name, how);
            for (int i = 0; i < c.n; i++)
                x[i] = t_laid_out(x[i], how ? 1 + (how + i) % 4 : 0);
            if (!want) {
                check_parts(name, &c, k);
                continue;
            }
            T_CHECKF(row < (int)T_COUNT(rows), "no such function");
            if (row == (int)T_COUNT(rows)) break;
            double ulps = ulps_of(name, &c);
            near_want(rows[row].made(&c), want, ulps);
            if (rows[row].into && how < 2) check_into(row, &c, want, ulps);
        }
    }
    t_context("%s", "");
    T_CHECKF(k >= 800, "%d cases", k);
    g_free();
}

/* ---------------------------------------------------- larger, against loops */
static const ga_dtype widths[] = {GA_UINT8, GA_INT16, GA_FLOAT32, GA_FLOAT64,
                                  GA_COMPLEX128};
/* x's elements at map[d][c[d]] for each c of the shape; -1: value. */
static void *gathered(const void *x, ga_dtype t, ga_shape in, ga_shape out,
                      int64_t *const *map, const void *value) {
    const size_t w = ga_dtype_size(t);
    const int64_t n = t_size(out);
    char *r = (char *)t_alloc((size_t)n * w);
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, at = 0, step = 1;
        bool outside = false;
        for (int d = out.ndim; d-- > 0;) {
            int64_t k = map[d][rest % out.dim[d]];
            rest /= out.dim[d];
            outside |= k < 0;
            at += k * step;
            step *= in.dim[d];
        }
        memcpy(r + (size_t)i * w, outside ? (const char *)value
                                          : (const char *)x + (size_t)at * w, w);
    }
    return r;
}
static int64_t continued(ga_pad_mode m, int64_t t, int64_t n) {
    int64_t p = m == GA_PAD_REFLECT ? 2 * n - 2 : m == GA_PAD_WRAP ? n : 2 * n;
    if (t >= 0 && t < n) return t;
    if (m == GA_PAD_CONSTANT) return -1;
    if (m == GA_PAD_EDGE || n == 1) return t < 0 ? 0 : n - 1;
    t = (t % p + p) % p;
    return t < n ? t : m == GA_PAD_REFLECT ? p - t : p - 1 - t;
}
/* Sources begin at elements that are not aligned to 16 bytes. */
static ga_array *offset_array(const void *p, ga_dtype t, ga_shape s,
                              int64_t off) {
    ga_array *all = ga_empty(GA_SHAPE(t_size(s) + off), t);
    ga_array *v = ga_slice_axis(all, 0, off, GA_END, 1);
    ga_assign(v, ga_asarray_as(p, t, GA_SHAPE(t_size(s))));
    return ga_reshape(v, s);
}
static void maps_of(ga_dtype t, ga_shape s, int64_t off, int how) {
    GA_SCOPE;
    static const ga_pad_mode of[] = {GA_PAD_CONSTANT, GA_PAD_EDGE,
                                     GA_PAD_REFLECT, GA_PAD_SYMMETRIC,
                                     GA_PAD_WRAP};
    const int64_t n = t_size(s);
    void *host = t_fill(t_alloc((size_t)n * ga_dtype_size(t)), t, n, -90, 90);
    ga_array *x = t_laid_out(offset_array(host, t, s, off), how);
    int64_t *map[GA_MAX_NDIM];
    unsigned char value[16];
    t_store(value, t, 0, 7, 0);
    for (int d = 0; d < s.ndim; d++)
        map[d] = (int64_t *)t_alloc((size_t)(8 * s.dim[d] + 80) * 8);
    for (size_t m = 0; m < T_COUNT(of); m++) {
        ga_shape before = s, after = s, out = s;
        for (int d = 0; d < s.ndim; d++) {
            before.dim[d] = d == 0 ? 3 : 1 + (int64_t)m;
            after.dim[d] = d == 1 ? 0 : 2;
            out.dim[d] = s.dim[d] + before.dim[d] + after.dim[d];
            for (int64_t i = 0; i < out.dim[d]; i++)
                map[d][i] = continued(of[m], i - before.dim[d], s.dim[d]);
        }
        t_context("pad %d %s %s +%d", (int)of[m], ga_dtype_name(t),
                  t_shape_text(s.ndim, s.dim), (int)off);
        t_same(ga_pad(x, before, after, of[m], 7), t, out,
               gathered(host, t, s, out, map, value));
    }
    for (int64_t k = 1; k < 8; k += 3) {
        ga_shape reps = s, out = s;
        for (int d = 0; d < s.ndim; d++) {
            reps.dim[d] = d + 1 == s.ndim ? k : 2;
            out.dim[d] = s.dim[d] * reps.dim[d];
            for (int64_t i = 0; i < out.dim[d]; i++) map[d][i] = i % s.dim[d];
        }
        t_context("tile %s %s", ga_dtype_name(t), t_shape_text(s.ndim, s.dim));
        t_same(ga_tile(x, reps), t, out, gathered(host, t, s, out, map, NULL));
        for (int a = 0; a < s.ndim; a++) {
            out = s;
            out.dim[a] *= k;
            for (int d = 0; d < s.ndim; d++)
                for (int64_t i = 0; i < out.dim[d]; i++)
                    map[d][i] = d == a ? i / k : i;
            t_context("repeat %d %s %s", a, ga_dtype_name(t),
                      t_shape_text(s.ndim, s.dim));
            t_same(ga_repeat(x, k, GA_AXIS(a)), t, out,
                   gathered(host, t, s, out, map, NULL));
            for (int d = 0; d < s.ndim; d++)
                for (int64_t i = 0; i < s.dim[d]; i++)
                    map[d][i] = d == a ? ((i - k * 5) % s.dim[d] + s.dim[d])
                                             % s.dim[d] : i;
            t_context("roll %d %s %s", a, ga_dtype_name(t),
                      t_shape_text(s.ndim, s.dim));
            const void *want = gathered(host, t, s, s, map, NULL);
            t_same(ga_roll(x, k * 5, GA_AXIS(a)), t, s, want);
            ga_array *self = ga_copy(x);    /* in place                     */
            T_CHECK(ga_roll_into(self, self, k * 5, GA_AXIS(a)) == GA_OK);
            t_same(self, t, s, want);
        }
    }
    t_release_host();
}
TEST(larger_maps) {
    for (size_t i = 0; i < T_COUNT(widths); i++)
        for (int64_t off = 0; off < (t_quick() ? 1 : 4); off += 3) {
            maps_of(widths[i], GA_SHAPE(5003), off, 0);
            maps_of(widths[i], GA_SHAPE(37, 509), off, 0);
            maps_of(widths[i], GA_SHAPE(400, 5), off, 0);
            maps_of(widths[i], GA_SHAPE(6, 7, 160), off, 0);
            maps_of(widths[i], GA_SHAPE(3, 11, 5, 9), off, 0);
        }
}
/* Rows of a few elements, in each layout: they go by boxes (gk_join_boxes). */
TEST(short_rows) {
    for (size_t i = 0; i < T_COUNT(widths); i++)
        for (int how = 0; how < 3; how++) {
            if (t_quick() && (i + (size_t)how) % 2) continue;
            const int64_t f = t_on_gpu() ? 1 : 8;
            maps_of(widths[i], GA_SHAPE(8000 / f, 3), how % 2, how);
            maps_of(widths[i], GA_SHAPE(3, 5, 1600 / f + 1), how % 3, how);
            maps_of(widths[i], GA_SHAPE(2, 150 / f + 1, 9, 4), how % 4, how);
            maps_of(widths[i], GA_SHAPE(20, 9000 / f, 1), how % 3, how);
            maps_of(widths[i], GA_SHAPE(5, 3, 700 / f), how % 2, how);
        }
}

/* Rows of one to a few elements, of which the CPU device lists the places. */
TEST(short_maps) {
    static const ga_shape of[] = {{1, {1}}, {1, {3}}, {2, {700, 3}}, {2, {3, 700}},
        {3, {126, 1, 1}}, {3, {40, 2, 8}}, {3, {9, 3, 13}}, {4, {7, 1, 5, 1}},
        {4, {2, 3, 2, 2}}, {2, {1500, 1}}, {3, {5, 30, 23}}};
    for (size_t i = 0; i < T_COUNT(widths); i++)
        for (size_t k = 0; k < T_COUNT(of); k++)
            maps_of(widths[i], of[k], (int64_t)(i + k) % 3, (int)(k % 3));
}

/* n parts along an axis, of lengths that differ, from places not aligned. */
static void parts_of_length(ga_dtype t, ga_shape s, int axis, int n) {
    GA_SCOPE;
    enum { ROOM = 150 };
    ga_array *x[ROOM];
    const size_t w = ga_dtype_size(t);
    int64_t outer = 1, inner = 1, total = 0, at = 0;
    for (int d = 0; d < axis; d++) outer *= s.dim[d];
    for (int d = axis + 1; d < s.ndim; d++) inner *= s.dim[d];
    for (int i = 0; i < n; i++) total += s.dim[axis] + (i * 7) % 5;
    char *want = (char *)t_alloc((size_t)(outer * total * inner) * w);
    for (int i = 0; i < n; i++) {
        ga_shape p = s;
        p.dim[axis] += (i * 7) % 5;
        const int64_t row = p.dim[axis] * inner, size = t_size(p);
        char *host = (char *)t_fill(t_alloc((size_t)size * w), t, size, -90, 90);
        for (int64_t o = 0; o < outer; o++)
            memcpy(want + (size_t)(o * total * inner + at * inner) * w,
                   host + (size_t)(o * row) * w, (size_t)row * w);
        x[i] = offset_array(host, t, p, i % 4);
        if (i % 6 == 5) x[i] = t_laid_out(x[i], 1 + i % 4);
        at += p.dim[axis];
    }
    s.dim[axis] = total;
    t_context("%d parts %s %s axis %d", n, ga_dtype_name(t),
              t_shape_text(s.ndim, s.dim), axis);
    t_same((ga_concatenate)(axis, n, (operands)x), t, s, want);
    ga_array *out = t_laid_out(ga_zeros(s, t), 2);
    T_CHECK((ga_concatenate_into)(out, axis, n, (operands)x) == GA_OK);
    t_same(out, t, s, want);
    t_release_host();
}
TEST(larger_parts) {
    const struct { ga_shape s; int axis; } part[] = {
        {GA_SHAPE(1001), 0}, {GA_SHAPE(30, 67), 0}, {GA_SHAPE(30, 67), 1},
        {GA_SHAPE(200, 2), 1}, {GA_SHAPE(5, 6, 70), 1},
        {GA_SHAPE(3000, 3), 1}, {GA_SHAPE(500, 2, 7), 1},
        {GA_SHAPE(300, 24), 1}, {GA_SHAPE(300, 48), 1}, {GA_SHAPE(9, 3, 32), 1},
        {GA_SHAPE(2, 3, 2, 3, 2, 1, 3, 5), 3}};
    for (size_t i = 0; i < T_COUNT(widths); i++)
        for (int n = 2; n < 150; n = n == 2 ? 7 : n * 9 + 1)
            for (size_t k = 0; k < T_COUNT(part); k++) {
                if (t_quick() && n > 7 && (i + k) % 3) continue;
                parts_of_length(widths[i], part[k].s, part[k].axis, n);
            }
}
static void triangles_of(ga_dtype t, ga_shape s, int64_t k) {
    GA_SCOPE;
    const size_t w = ga_dtype_size(t);
    const int64_t n = t_size(s), wide = s.dim[2];
    char *host = (char *)t_fill(t_alloc((size_t)n * w), t, n, -90, 90);
    char *lower = (char *)t_alloc((size_t)n * w);
    char *upper = (char *)t_alloc((size_t)n * w);
    memset(lower, 0, (size_t)n * w);
    memset(upper, 0, (size_t)n * w);
    for (int64_t e = 0; e < n; e++) {
        int64_t off = e % wide - e / wide % s.dim[1];
        size_t p = (size_t)e * w;
        if (off <= k) memcpy(lower + p, host + p, w);
        if (off >= k) memcpy(upper + p, host + p, w);
    }
    ga_array *x = offset_array(host, t, s, wide % 2);
    t_context("%s %s %d", ga_dtype_name(t), t_shape_text(3, s.dim), (int)k);
    for (int how = 0; how < 5; how++) {
        ga_array *v = t_laid_out(x, how);
        t_same(ga_tril(v, k), t, s, lower);
        t_same(ga_triu(v, k), t, s, upper);
        v = t_laid_out(ga_moveaxis(ga_copy(ga_moveaxis(
            x, GA_AXIS(0), GA_AXIS(2))), GA_AXIS(2), GA_AXIS(0)), 0);
        t_same(ga_tril(v, k), t, s, lower);
        v = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
        t_same(ga_triu(v, k), t, s, upper);
        ga_array *room = ga_full(GA_SHAPE(s.dim[0], s.dim[1], 2 * wide), 1, t);
        ga_array *out = ga_slice(room, ":, :, ::2");
        T_CHECK(!ga_tril_into(out, x, k));
        t_same(out, t, s, lower);
        T_CHECK(ga_item(ga_all(ga_equal(ga_slice(room, ":, :, 1::2"), 1), GA_ALL)) == 1);
    }
    t_release_host();
}
TEST(larger_triangles) {
    static const int64_t at[] = {-2000, -40, -3, 0, 5, 300, 2000};
    for (size_t i = 0; i < T_COUNT(widths); i++)
        for (size_t m = t_quick() ? i % 4 : 0; m < 4 * T_COUNT(at); m += t_quick() ? 5 : 1)
            triangles_of(widths[i], GA_SHAPE(3, (int[]){90, 90, 7300, 2001}[m % 4],
                                             (int[]){131, 144, 3, 11}[m % 4]),
                         at[m / 4]);
}
/* Rows and columns of a few elements. */
TEST(short_triangles) {
    static const int64_t at[] = {-140, -30, -1, 0, 1, 3, 140};
    static const ga_shape of[] = {{3, {2, 3, 300}}, {3, {70, 25, 1}}, {3, {21, 5, 8}}, {3, {9, 3, 40}},
                                  {3, {1, 400, 1}}, {3, {300, 4, 2}}, {3, {2, 700, 4}},
                                  {3, {40, 1, 70}}, {3, {1, 1, 1}}, {3, {1300, 2, 2}}};
    for (size_t i = 0; i < T_COUNT(widths); i++)
        for (size_t m = 0; m < T_COUNT(at); m++)
            for (size_t k = 0; k < T_COUNT(of); k++)
                if (!t_quick() || (i + m + k) % 3 == 0)
                    triangles_of(widths[i], of[k], at[m]);
}
TEST(larger_bits) {
    GA_SCOPE;
    const int64_t n = 100003;
    uint8_t *host = (uint8_t *)t_alloc((size_t)n);
    uint8_t *want = (uint8_t *)t_alloc((size_t)n / 8 + 1);
    memset(want, 0, (size_t)n / 8 + 1);
    for (int64_t i = 0; i < n; i++) {
        host[i] = t_random() & 1;
        want[i / 8] |= (uint8_t)(host[i] << (7 - i % 8));
    }
    ga_array *x = ga_asarray_as(host, GA_BOOL, GA_SHAPE(n));
    ga_array *y = ga_packbits(x, GA_ALL, 0);
    t_same(y, GA_UINT8, GA_SHAPE(n / 8 + 1), want);
    t_same(ga_unpackbits(y, GA_ALL, n, 0), GA_UINT8, GA_SHAPE(n), host);
    ga_array *m = ga_resize(x, GA_SHAPE(3, 1000, 7));
    t_same(ga_unpackbits(ga_packbits(m, GA_AXIS(1), GA_LITTLE), GA_AXIS(1), 1000,
                         GA_LITTLE), GA_UINT8, ga_shape_of(m), t_host(m));
    /* a row's bits side by side, of few and many columns, are those of a line */
    for (int k = 0; k < 4; k++) {
        const unsigned flags = k & 1 ? GA_LITTLE : 0;
        m = ga_resize(x, GA_SHAPE(2, 1003, k & 2 ? 40 : 3));
        ga_array *turned = ga_copy(ga_swapaxes(m, 1, 2));
        ga_array *line = ga_packbits(turned, GA_AXIS(2), flags);
        y = ga_packbits(m, GA_AXIS(1), flags);
        t_same_arrays(y, ga_swapaxes(line, 1, 2), 0);
        t_same_arrays(ga_unpackbits(y, GA_AXIS(1), 1003, flags), ga_astype(m, GA_UINT8), 0);
        t_same_arrays(ga_unpackbits(line, GA_AXIS(2), 1003, flags),
                      ga_astype(turned, GA_UINT8), 0);
    }
}

/* --------------------------------------------------------------- behaviour */
static int64_t launches(const char *fn) {
    ga_profile_row r[100];
    int64_t calls = 0;
    int n = ga_profile_get(r, 100);
    for (int i = 0; i < n; i++)
        if (!strcmp(r[i].op, fn)) calls += r[i].calls;
    ga_profile_reset();
    return calls;
}
static int counted(void) {
    GA_SCOPE;
    int bad = 0;
    ga_array *x = ga_ones(GA_SHAPE(40, 50), GA_FLOAT32), *p[130], *y[130];
    for (int i = 0; i < 130; i++) p[i] = x;
    for (int i = 0; i < 130; i++) y[i] = i == 40 ? ga_astype(x, GA_INT8) : x;
    launches("");
#define LAUNCHES(n, fn, call) do {                                          \
        bool good_ = (call) != NULL;                                        \
        int64_t got_ = launches(fn);                                        \
        if (good_ && got_ == (n)) break;                                    \
        printf("%s: %d launches, %s\n", #call, (int)got_, ga_error_message()); \
        bad++;                                                              \
    } while (0)
    LAUNCHES(1, "ga_concatenate", (ga_concatenate)(0, 64, (operands)p));
    LAUNCHES(1, "ga_concatenate", (ga_concatenate)(1, 64, (operands)p));
    LAUNCHES(3, "ga_concatenate", (ga_concatenate)(1, 130, (operands)p));
    LAUNCHES(3, "ga_concatenate", (ga_concatenate)(0, 64, (operands)y));
    LAUNCHES(1, "ga_stack", (ga_stack)(1, 64, (operands)p));
    LAUNCHES(1, "ga_tile", ga_tile(x, GA_SHAPE(2, 1, 3)));
    LAUNCHES(1, "ga_roll", ga_roll(x, 7, GA_ALL));
    LAUNCHES(1, "ga_roll_by", ga_roll_by(x, GA_SHAPE(1, 2), GA_AXIS(0, 1)));
    LAUNCHES(1, "ga_repeat", ga_repeat(x, 3, GA_AXIS(1)));
    LAUNCHES(1, "ga_tril", ga_tril(ga_resize(x, GA_SHAPE(5, 20, 20)), 1));
    LAUNCHES(1, "ga_resize", ga_resize(x, GA_SHAPE(5)));
    LAUNCHES(1, "ga_pad", ga_pad(x, GA_SHAPE(1), GA_SHAPE(2), GA_PAD_REFLECT,
                                 GA_NONE));
    LAUNCHES(9, "ga_pad", ga_pad(x, GA_SHAPE(1), GA_SHAPE(2), GA_PAD_MEAN, 3));
    return bad;
}
TEST(one_launch) {
    T_CHECKF(T_CHILD("counted", "GPUARR_PROFILE=1") == 0, "%s", t_said);
}

TEST(trimming_nothing) {
    GA_SCOPE;
    t_is(ga_trim_zeros(ga_zeros(GA_SHAPE(0, 3), GA_INT8), 0), GA_INT8,
         GA_SHAPE(0, 0));
    t_is(ga_trim_zeros(ga_zeros(GA_SHAPE(2, 3), GA_INT8), 0), GA_INT8,
         GA_SHAPE(0, 0));
}
TEST(errors) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(2, 3), GA_FLOAT32), *y, *parts[9] = {NULL};
    ga_array *v = ga_ones(GA_SHAPE(4), GA_INT8), *one = ga_slice(v, "0");
    ga_array *u8 = ga_ones(GA_SHAPE(1), GA_UINT8), *half = ga_slice(v, ":2");
    ga_array *wide = ga_ones(GA_SHAPE(1), GA_FLOAT64);
    ga_array *three = ga_ones(GA_SHAPE(3), GA_INT8);
    ga_array *empty = ga_zeros(GA_SHAPE(0, 2), GA_INT8);
    ga_array *eight = ga_ones(GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1), GA_BOOL);
    int64_t at[] = {0, 5};
    const int64_t live = ga_live_arrays();
    T_NO((ga_concatenate)(0, 0, (operands)parts), GA_ERR_VALUE,
       "ga_concatenate: 0 operands to join");
    T_NO((ga_concatenate)(0, 1, NULL), GA_ERR_NULL,
       "ga_concatenate: the list of operands is NULL");
    T_NO(ga_concatenate(0, x, NULL), GA_ERR_NULL,
       "ga_concatenate: an array argument is NULL");
    T_NO(ga_concatenate(0, x, v), GA_ERR_SHAPE, "ga_concatenate: shapes (2,3) and "
       "(4,) of operands 0 and 1 do not agree but for the axis joined");
    T_NO(ga_concatenate(0, 1, 2), GA_ERR_AXIS, "ga_concatenate: an operand of "
       "rank 0 has no axis to join along");
    T_NO(ga_concatenate(2, x, x), GA_ERR_AXIS,
       "ga_concatenate: axis 2 is out of range for 2 dimensions");
    T_NO(ga_stack(3, x, x), GA_ERR_AXIS,
       "ga_stack: axis 3 is out of range for 3 dimensions");
    T_NO(ga_stack(0, x, v), GA_ERR_SHAPE, "ga_stack: shapes (2,3) and (4,) of "
       "operands 0 and 1 do not agree");
    T_NO(ga_stack(0, eight), GA_ERR_SHAPE,
       "ga_stack: 8 dimensions and one more; 8 are possible");
    T_NO(ga_hstack(u8, 300), GA_ERR_VALUE,
       "ga_hstack: 300 is out of range for uint8");
    T_FAILS(ga_concatenate_into(v, 0, x, x), GA_ERR_SHAPE, "ga_concatenate_into: "
        "the output has shape (4,), the result (4,3)");
    T_FAILS(ga_concatenate_into(half, 0, wide, wide), GA_ERR_DTYPE,
        "ga_concatenate_into: a result of float64 does not go into an output "
        "of int8");
    T_NO(ga_insert(v, 5, 1, GA_AXIS(0)), GA_ERR_INDEX,
       "ga_insert: index 5 is out of bounds for axis 0 with size 4");
    T_NO(ga_insert_at(v, at, 2, three, GA_ALL), GA_ERR_INDEX,
       "ga_insert_at: index 5 is out of bounds for axis 0 with size 4");
    at[1] = 1;
    T_NO(ga_insert_at(v, at, 2, three, GA_ALL), GA_ERR_SHAPE,
       "ga_insert_at: values of shape (3,) do not broadcast to 2 places along "
       "axis 0 of shape (4,)");
    T_NO(ga_insert(v, 0, 200, GA_ALL), GA_ERR_VALUE,
       "ga_insert: 200 is out of range for int8");
    T_NO(ga_insert(v, 0, 1, GA_AXIS(0, 1)), GA_ERR_AXIS,
       "ga_insert: axis 1 is out of range for 1 dimensions");
    T_NO(ga_delete(x, 2, GA_AXIS(0)), GA_ERR_INDEX,
       "ga_delete: index 2 is out of bounds for axis 0 with size 2");
    T_NO(ga_delete_at(x, NULL, 1, GA_ALL), GA_ERR_NULL,
       "ga_delete_at: the list of places is NULL");
    T_FAILS(ga_split(x, 2, 1, parts), GA_ERR_SHAPE, "ga_split: axis 1 of shape (2,3)"
        " does not divide into 2 equal parts");
    T_FAILS(ga_split(x, 0, 1, parts), GA_ERR_VALUE, "ga_split: 0 parts");
    T_FAILS(ga_array_split(x, 2, 2, parts), GA_ERR_AXIS,
        "ga_array_split: axis 2 is out of range for 2 dimensions");
    T_FAILS(ga_dsplit(x, 2, parts), GA_ERR_SHAPE,
        "ga_dsplit: shape (2,3) has fewer than 3 dimensions");
    T_FAILS(ga_unstack(x, 0, NULL), GA_ERR_NULL,
        "ga_unstack: where the parts go is NULL");
    T_NO(ga_tile(x, GA_SHAPE(-1)), GA_ERR_VALUE,
       "ga_tile: a negative count in (-1,)");
    T_NO(ga_tile(x, GA_SHAPE(INT64_MAX)), GA_ERR_SIZE,
       "ga_tile: shape (2,3) by (9223372036854775807,) is too large");
    T_NO(ga_repeat(x, -1, GA_ALL), GA_ERR_VALUE, "ga_repeat: the count is -1");
    T_NO(ga_repeat_counts(x, v, GA_ALL), GA_ERR_SHAPE,
       "ga_repeat_counts: counts of shape (4,) for 6 elements");
    T_NO(ga_repeat_counts(v, 1.5, GA_ALL), GA_ERR_DTYPE,
       "ga_repeat_counts: the counts are float64, not integers");
    T_NO(ga_repeat_counts(v, -1, GA_ALL), GA_ERR_VALUE,
       "ga_repeat_counts: a count is negative");
    T_NO(ga_roll_by(x, GA_SHAPE(1, 2, 3), GA_AXIS(0, 1)), GA_ERR_AXIS,
       "ga_roll_by: 3 shifts for 2 axes");
    T_NO(ga_roll_by(x, GA_SHAPE(1, 2), GA_ALL), GA_ERR_AXIS,
       "ga_roll_by: 2 shifts for GA_ALL; one is possible");
    T_NO(ga_pad(x, GA_SHAPE(1, 1, 1), GA_SHAPE(1), GA_PAD_EDGE, GA_NONE),
       GA_ERR_SHAPE, "ga_pad: widths (1,1,1) for shape (2,3)");
    T_NO(ga_pad(x, GA_SHAPE(-1), GA_SHAPE(1), GA_PAD_EDGE, GA_NONE), GA_ERR_VALUE,
       "ga_pad: the width -1 of axis 0 is negative");
    T_NO(ga_pad(empty, GA_SHAPE(1), GA_SHAPE(1), GA_PAD_WRAP, GA_NONE),
       GA_ERR_VALUE,
       "ga_pad: axis 0 of shape (0,2) has no element to continue");
    T_NO(ga_pad(v, GA_SHAPE(1), GA_SHAPE(1), GA_PAD_CONSTANT, 200), GA_ERR_VALUE,
       "ga_pad: 200 is out of range for int8");
    T_NO(ga_pad(v, GA_SHAPE(1), GA_SHAPE(1), GA_PAD_CONSTANT, v), GA_ERR_VALUE,
       "ga_pad: the value is an array; a C number is needed");
    T_NO(ga_pad(v, GA_SHAPE(1), GA_SHAPE(1), GA_PAD_MAXIMUM, 0), GA_ERR_VALUE,
       "ga_pad: a statistic of so few elements is not possible: an integer "
       "above 0 is needed");
    T_NO(ga_pad(v, GA_SHAPE(1), GA_SHAPE(1), (ga_pad_mode)99, 0), GA_ERR_VALUE,
       "ga_pad: 99 is no mode");
    T_NO(ga_trim_zeros(v, 4), GA_ERR_VALUE, "ga_trim_zeros: flags 0x4");
    T_NO(ga_rot90(x, 1, 1, -1), GA_ERR_AXIS, "ga_rot90: both axes are axis 1");
    T_NO(ga_fliplr(v), GA_ERR_SHAPE,
       "ga_fliplr: shape (4,) has fewer than 2 dimensions");
    T_NO(ga_sliding_window_view(v, GA_SHAPE(5), GA_AXIS(0)), GA_ERR_SHAPE,
       "ga_sliding_window_view: a window of 5 along axis 0 of shape (4,)");
    T_NO(ga_sliding_window_view(v, GA_SHAPE(1, 1), GA_AXIS(0)), GA_ERR_SHAPE,
       "ga_sliding_window_view: 2 lengths of windows for 1 axes");
    ga_shape s = GA_SHAPE(9);
    T_FAILS(ga_broadcast_shapes(&s, GA_SHAPE(3), GA_SHAPE(4)), GA_ERR_SHAPE,
        "ga_broadcast_shapes: shapes (3,) and (4,) do not broadcast");
    T_CHECK(s.ndim == 1 && s.dim[0] == 9);
    T_FAILS(ga_broadcast_arrays(parts, x, v), GA_ERR_SHAPE,
        "ga_broadcast_arrays: shapes (2,3) and (4,) do not broadcast");
    T_FAILS(ga_meshgrid(parts, 0, x, v), GA_ERR_SHAPE,
        "ga_meshgrid: operand 0 has shape (2,3); rank 0 or 1 is needed");
    T_FAILS(ga_meshgrid(parts, 8, v, v), GA_ERR_VALUE, "ga_meshgrid: flags 0x8");
    T_CHECK(!parts[0] && !parts[1]);
    T_NO(ga_tri(-1, 2, 0, GA_BOOL), GA_ERR_SHAPE,
       "ga_tri: negative length in shape (-1,2)");
    T_NO(ga_tril(one, 0), GA_ERR_SHAPE, "ga_tril: rank 0 is no matrix");
    T_NO(ga_diag(eight, 0), GA_ERR_SHAPE,
       "ga_diag: shape (1,1,1,1,1,1,1,1); rank 1 or 2 is needed");
    T_NO(ga_vander(x, 3, 0), GA_ERR_SHAPE,
       "ga_vander: shape (2,3); rank 1 is needed");
    T_FAILS(ga_fill_diagonal(v, 1, 0), GA_ERR_SHAPE, "ga_fill_diagonal: shape (4,); "
        "rank 2 or equal lengths are needed");
    T_NO(ga_packbits(x, GA_ALL, 0), GA_ERR_DTYPE,
       "ga_packbits: float32 is neither bool nor an integer");
    T_NO(ga_unpackbits(v, GA_ALL, GA_END, 0), GA_ERR_DTYPE,
       "ga_unpackbits: int8; uint8 is needed");
    T_NO(ga_unpackbits(u8, GA_ALL, -9, 0), GA_ERR_VALUE,
       "ga_unpackbits: 9 bits less than 8");
    T_FAILS(ga_copyto(v, x, true), GA_ERR_SHAPE,
        "ga_copyto: shape (2,3) does not broadcast to (4,)");
    T_FAILS(ga_copyto(v, 300, true), GA_ERR_VALUE,
        "ga_copyto: 300 is out of range for int8");
    T_CHECK(ga_live_arrays() == live);
    y = ga_sliding_window_view(v, GA_SHAPE(2), GA_ALL);
    T_FAILS(ga_assign(y, 1), GA_ERR_READONLY, "ga_assign: the output of shape (3,2) "
        "is broadcast: several elements share their memory");
    T_CHECK(ga_assign(ga_sliding_window_view(v, GA_SHAPE(4), GA_ALL), 1)
            == GA_OK);
    T_CHECK(ga_assign(ga_as_strided(v, GA_SHAPE(2, 2), GA_SHAPE(1, 2)), 1)
            == GA_OK);
}
/* as_strided stays inside: of our memory the whole block, of wrapped memory
   what the wrapped array has.                                              */
TEST(strided) {
    GA_SCOPE;
    static float host[64];
    GA_DEVICE(GA_CPU);
    ga_array *all = ga_wrap(host, GA_FLOAT32, GA_SHAPE(60), NULL, GA_CPU, NULL,
                            NULL);
    ga_array *x = ga_slice_axis(all, 0, 10, 20, 1);
    T_CHECK(ga_as_strided(all, GA_SHAPE(60), GA_SHAPE(1)) != NULL);
    T_CHECK(ga_as_strided(all, GA_SHAPE(20), GA_SHAPE(3)) != NULL);
    T_NO(ga_as_strided(all, GA_SHAPE(61), GA_SHAPE(1)), GA_ERR_INDEX,
       "ga_as_strided: shape (61,) with strides (1,) leaves the memory of the "
       "array, 0 elements before and 59 after its first");
    T_CHECK(ga_as_strided(x, GA_SHAPE(0, 9), GA_SHAPE(1000, 1000)) != NULL);
    ga_array *y = ga_copy(all), *z = ga_slice_axis(y, 0, 10, 20, 1);
    T_CHECK(ga_as_strided(z, GA_SHAPE(11), GA_SHAPE(-1)) != NULL);
    T_CHECK(!ga_as_strided(z, GA_SHAPE(12), GA_SHAPE(-1)));
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(!ga_as_strided(z, GA_SHAPE(2), GA_SHAPE(INT64_MIN)));
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(!ga_as_strided(z, GA_SHAPE(3, 3), GA_SHAPE(INT64_MAX / 2, 1)));
    T_ERROR(GA_ERR_INDEX);
    T_NO(ga_as_strided(z, GA_SHAPE(3, 3), GA_SHAPE(1)), GA_ERR_SHAPE,
       "ga_as_strided: 1 strides for 2 dimensions");
}

TEST(weak_numbers) {
    GA_SCOPE;
    ga_array *h = ga_ones(GA_SHAPE(2), GA_FLOAT16);
    T_CHECK(ga_append(h, 2.5, GA_ALL)->dtype == GA_FLOAT16);
    T_CHECK(ga_append(ga_ones(GA_SHAPE(2), GA_INT16), 2.5, GA_ALL)->dtype
            == GA_FLOAT64);
    T_CHECK(ga_stack(0, 1, 2)->dtype == GA_INT64);
    T_CHECK(ga_stack(0, 1, true, 2.5f)->dtype == GA_FLOAT64);
    T_CHECK(ga_vstack(ga_ones(GA_SHAPE(1, 1), GA_COMPLEX64), 3)->dtype
            == GA_COMPLEX64);
}
/* Outputs among the operands, and none of the results lost on the way. */
TEST(overlap) {
    GA_SCOPE;
    float v[] = {1, 2, 3, 4, 5, 6};
    ga_array *x = ga_asarray(v, GA_SHAPE(6));
    float want[] = {5, 6, 1, 2, 3, 4};
    T_CHECK(ga_concatenate_into(x, 0, ga_slice(x, "4:"), ga_slice(x, ":4"))
            == GA_OK);
    t_same(x, GA_FLOAT32, GA_SHAPE(6), want);
    T_CHECK(ga_tile_into(x, ga_slice(x, "2:4"), GA_SHAPE(3)) == GA_OK);
    t_same(x, GA_FLOAT32, GA_SHAPE(6), (float[]){1, 2, 1, 2, 1, 2});
    T_CHECK(ga_repeat_into(x, ga_slice(x, ":3"), 2, GA_ALL) == GA_OK);
    t_same(x, GA_FLOAT32, GA_SHAPE(6), (float[]){1, 1, 2, 2, 1, 1});
    T_CHECK(ga_copyto(x, ga_slice(x, "::-1"), ga_greater(x, 1)) == GA_OK);
    T_CHECK(ga_pad_into(x, ga_slice(x, "1:4"), GA_SHAPE(1), GA_SHAPE(2),
                        GA_PAD_LINEAR_RAMP, 0) == GA_OK);
    t_same(x, GA_FLOAT32, GA_SHAPE(6), (float[]){0, 1, 2, 2, 1, 0});
}
typedef struct captured {
    ga_array *x, *out[6];
} captured;
static void step(void *arg) {
    captured *c = (captured *)arg;
    GA_SCOPE;
    ga_concatenate_into(c->out[0], 0, c->x, c->x);
    ga_roll_into(c->out[1], c->x, 1, GA_ALL);
    ga_pad_into(c->out[2], c->x, GA_SHAPE(1), GA_SHAPE(1), GA_PAD_MEAN,
                GA_NONE);
    ga_tril_into(c->out[3], c->x, 0);
    ga_copyto(c->out[4], c->x, ga_greater(c->x, 1));
    ga_insert_into(c->out[5], c->x, 1, 7, GA_ALL);
}
TEST(graphs) {
    GA_SCOPE;
    float v[] = {1, 2, 3, 4}, w[] = {5, 6, 7, 9};
    captured c = {ga_asarray(v, GA_SHAPE(2, 2)), {NULL}};
    ga_shape s[] = {GA_SHAPE(4, 2), GA_SHAPE(2, 2), GA_SHAPE(4, 4),
                    GA_SHAPE(2, 2), GA_SHAPE(2, 2), GA_SHAPE(5)};
    for (int i = 0; i < 6; i++) c.out[i] = ga_zeros(s[i], GA_FLOAT32);
    ga_graph *g = ga_graph_create(step, &c);
    T_CHECK(g != NULL);
    ga_assign(c.x, ga_asarray(w, GA_SHAPE(2, 2)));
    T_CHECK(ga_graph_launch(g) == GA_OK);
    t_same(c.out[0], GA_FLOAT32, s[0], (float[]){5, 6, 7, 9, 5, 6, 7, 9});
    t_same(c.out[1], GA_FLOAT32, s[1], (float[]){9, 5, 6, 7});
    t_same(ga_slice(c.out[2], "0"), GA_FLOAT32, GA_SHAPE(4),
           (float[]){6.75f, 6, 7.5f, 6.75f});
    t_same(c.out[3], GA_FLOAT32, s[3], (float[]){5, 0, 7, 9});
    t_same(c.out[4], GA_FLOAT32, s[4], w);
    t_same(c.out[5], GA_FLOAT32, s[5], (float[]){5, 7, 6, 7, 9});
    ga_graph_destroy(g);
}

/* Narrow elements, of which four bytes go together or not: each part comes out
   of its place again. */
TEST(narrow_parts) {
    static const int len[][3] = {{100, 100, 4}, {8, 12, 1}, {100, 2, 34},
                                 {64, 3, 61}, {2, 2, 4000}};
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < (int)T_COUNT(len); i++)
            for (int axis = 0; axis < 2; axis++)
                for (int off = 0; off < 3; off++) {
                    GA_SCOPE;
                    const ga_array *part[3];
                    for (int k = 0; k < 3; k++) {
                        int n = axis ? 37 : len[i][k], m = axis ? len[i][k] : 36;
                        ga_array *x = t_random_array(t ? GA_INT16 : GA_UINT8,
                            GA_SHAPE(n, m + off), 0, 120);
                        part[k] = ga_slice(x, ":, %d:", off);
                    }
                    t_context("%d axis %d off %d", i, axis, off);
                    ga_array *r = (ga_concatenate)(axis, 3, part);
                    for (int k = 0, at = 0; k < 3; at += len[i][k++])
                        t_same_arrays(ga_slice_axis(r, axis, at, at + len[i][k],
                                                    1), part[k], 0);
                }
}

/* Large parts of short rows, with gaps in one of them, and parts that run across
   the result: each comes out of its place again, and nothing beside it.     */
TEST(parts_apart) {
    static const ga_dtype of[] = {GA_UINT8, GA_FLOAT16, GA_FLOAT32, GA_COMPLEX128};
    for (size_t i = 0; i < T_COUNT(of); i++)
        for (int axis = 0; axis < 3; axis++)
            for (int across = 0; across < 2; across++) {
                GA_SCOPE;
                const ga_array *part[3];
                const int64_t wide = 1200000 / (int64_t)ga_dtype_size(of[i]) / 6;
                for (int k = 0; k < 3; k++) {
                    ga_array *x = t_random_array(of[i], GA_SHAPE(2, wide, 4), 0,
                                                 120);
                    if (across && k == 0) x = t_laid_out(x, 1);
                    part[k] = ga_slice(x, k == 1 ? ":, :, ::-1" : ":, :, :");
                    part[k] = ga_slice(part[k], k == 2 ? ":, :, :3" : ":, :, 1:");
                }
                t_context("%s axis %d across %d", ga_dtype_name(of[i]), axis,
                          across);
                ga_array *r = (ga_concatenate)(axis, 3, part);
                ga_shape s = ga_shape_of(r);
                s.dim[1] += 2;
                ga_array *all = ga_ones(s, of[i]), *out;
                out = ga_slice_axis(all, 1, 1, s.dim[1] - 1, 1);
                T_CHECK((ga_concatenate_into)(out, axis, 3, part) == GA_OK);
                T_CHECK(ga_array_equal(out, r, 0));
                for (int64_t c = 0; c < s.dim[1]; c += s.dim[1] - 1)
                    T_CHECK(ga_item_i64(ga_all(ga_equal(ga_slice_axis(
                        all, 1, c, c + 1, 1), 1), GA_ALL)));
                for (int64_t k = 0, at = 0; k < 3; k++) {
                    const int64_t len = part[k]->shape[axis];
                    t_same_arrays(ga_slice_axis(r, axis, at, at + len, 1),
                                  part[k], 0);
                    at += len;
                }
            }
}

/* Few amid many, and short rows of parts in any layout: each comes out of its
   place again, and nothing else is there.                                   */
TEST(amid) {
    static const ga_dtype of[] = {GA_UINT8, GA_BFLOAT16};
    for (size_t i = 0; i < T_COUNT(of); i++)
        for (int how = 0; how < 2; how++) {
            GA_SCOPE;
            const int rows = t_quick() ? 100 : 500;
            t_context("%s, layout %d", ga_dtype_name(of[i]), how);
            ga_array *x = t_laid_out(t_random_array(of[i], GA_SHAPE(rows, 1, 40, 5),
                                                    0, 99), how);
            ga_array *r = ga_pad(x, GA_SHAPE(3, 1, 1, 0), GA_SHAPE(0, 30, 2, 4),
                                 GA_PAD_CONSTANT, 7);
            ga_array *in = ga_slice(r, "3:, 1:2, 1:-2, :5");
            t_same_arrays(in, x, 0);
            ga_assign(in, 7);
            T_CHECK(ga_item_i64(ga_all(ga_equal(r, 7), GA_ALL)));
        }
}
TEST(stacked_rows) {
    static const ga_dtype of[] = {GA_UINT8, GA_FLOAT16, GA_FLOAT32};
    const int64_t n = t_quick() ? 3000 : 150000;
    for (size_t i = 0; i < T_COUNT(of); i++)
        for (int wide = 5; wide < 9; wide += 3) {
            GA_SCOPE;
            t_context("%s of %d", ga_dtype_name(of[i]), wide);
            const ga_array *wider = t_random_array(of[i], GA_SHAPE(n, 2 * wide), 0, 99);
            const ga_array *part[] = {
                t_random_array(of[i], GA_SHAPE(n, wide), 0, 99),
                t_laid_out(ga_slice(wider, ":, :%d", wide), 1),
                ga_slice(wider, ":, ::2"), ga_slice(wider, ":, 3:%d", wide + 3),
                ga_slice(wider, "::-1, 1:%d", wide + 1)};
            for (int axis = 0; axis < 3; axis++) {
                ga_array *r = (ga_stack)(axis, 5, part);
                for (int k = 0; k < 5; k++)
                    t_same_arrays(ga_squeeze(ga_slice_axis(r, axis, k, k + 1, 1),
                                             GA_AXIS(axis)), part[k], 0);
            }
        }
}

/* Parts of few elements beside each other that lie in all orders, backwards, with gaps and
   again and again: element by element.                                       */
TEST(parts_unlike) {
    static const ga_dtype of[] = {GA_BOOL, GA_UINT16, GA_FLOAT32, GA_INT64, GA_COMPLEX128};
    static const int order[][3] = {{0, 2, 1}, {0, 1, 2}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}};
    enum { N = 1203 };
    for (int k = 0; k < 5 * 3 * 2; k++) {
        GA_SCOPE;
        const ga_dtype t = of[k % 5];
        const int axis = k / 5 % 3, many = k / 15 ? 11 : 5;
        const size_t w = ga_dtype_size(t);
        ga_shape s = GA_SHAPE(N, 3, 2);
        s.dim[axis] = 0;
        ga_array *x[11];
        const char *host[11];               /* each part's first element    */
        for (int p = 0; p < many; p++) {
            ga_shape shape = GA_SHAPE(N, 3, 2), memory;
            shape.dim[axis] += p % 3;
            s.dim[axis] += shape.dim[axis];
            const int *by = order[p % 5];
            memory.ndim = 3;
            for (int d = 0; d < 3; d++) memory.dim[d] = shape.dim[by[d]] * (p % 4 == d ? 2 : 1);
            const int64_t n = t_size(memory);
            host[p] = (const char *)t_fill(t_alloc((size_t)n * w), t, n, 0, 99);
            ga_array *all = ga_asarray_as(host[p], t, memory);
            const char *begin = (const char *)all->data;
            if (p % 4 < 3)
                all = ga_slice(all, p % 4 == 0 ? "::2" : p % 4 == 1 ? ":, ::-2" : ":, :, ::2");
            int back[3];
            for (int d = 0; d < 3; d++) back[by[d]] = d;
            x[p] = ga_transpose(all, GA_AXIS(back[0], back[1], back[2]));
            if (p == 4) x[p] = ga_broadcast_to(ga_slice(x[p], ":, :1"), shape);
            host[p] += (const char *)x[p]->data - begin;
        }
        char *want = (char *)t_alloc((size_t)t_size(s) * w), *to = want;
        int64_t at[3];
        for (at[0] = 0; at[0] < s.dim[0]; at[0]++)
            for (at[1] = 0; at[1] < s.dim[1]; at[1]++)
                for (at[2] = 0; at[2] < s.dim[2]; at[2]++, to += w) {
                    int64_t own[3] = {at[0], at[1], at[2]}, from = 0;
                    int p = 0;
                    for (; own[axis] >= x[p]->shape[axis]; p++) own[axis] -= x[p]->shape[axis];
                    for (int d = 0; d < 3; d++) from += own[d] * x[p]->strides[d];
                    memcpy(to, host[p] + from * (int64_t)w, w);
                }
        t_context("%d parts %s axis %d", many, ga_dtype_name(t), axis);
        t_same((ga_concatenate)(axis, many, (operands)x), t, s, want);
        ga_array *out = t_laid_out(ga_zeros(s, t), 2);
        T_CHECK((ga_concatenate_into)(out, axis, many, (operands)x) == GA_OK);
        t_same(out, t, s, want);
        t_release_host();
    }
    t_context("%s", "");
}
/* The result's dtype is that of all together, whatever their order. */
TEST(dtypes_in_any_order) {
    GA_SCOPE;
    const ga_dtype of[][4] = {
        {GA_INT8, GA_UINT8, GA_FLOAT16, GA_FLOAT16},
        {GA_UINT16, GA_INT8, GA_FLOAT32, GA_FLOAT32},
        {GA_UINT16, GA_INT16, GA_COMPLEX64, GA_COMPLEX64}};
    for (int i = 0; i < 3; i++)
        for (int first = 0; first < 3; first++) {
            const ga_array *x[3];
            for (int k = 0; k < 3; k++)
                x[k] = ga_ones(GA_SHAPE(2), of[i][(first + k) % 3]);
            ga_array *y = (ga_concatenate)(0, 3, x);
            T_CHECK(y != NULL && y->dtype == of[i][3]);
        }
}

/* Long rows of a short period, whatever its place where a row or a thread's part
   of one begins: np.resize(np.arange(7), n) == np.arange(n) % 7.            */
/* Short rows of many, which go by whole lines of 64 bytes where the processor can: each
   element of the result from its place, in three layouts of x.               */
TEST(short_rows_by_lines) {
    const ga_dtype types[] = {GA_UINT8, GA_UINT16, GA_FLOAT32, GA_INT64, GA_COMPLEX128};
    const int64_t n = 2501, m = 7;
    for (int k = 0; k < 5 * 3 * 6; k++) {
        GA_SCOPE;
        const ga_dtype t = types[k % 5];
        const int layout = k / 5 % 3, what = k / 15;
        const size_t w = ga_dtype_size(t);
        const int64_t shapes[6][2] = {{n, 5 * m}, {3 * n, 2 * m}, {n + 3, m + 3}, {n, m},
                                      {n, 3 * m}, {n, 3 * m}};
        const int64_t h = shapes[what][0], l = shapes[what][1];
        unsigned char *v = (unsigned char *)t_alloc((size_t)(2 * n * m) * w);
        unsigned char *want = (unsigned char *)t_alloc((size_t)(h * l) * w);
        t_context("%s, layout %d, %d", ga_dtype_name(t), layout, what);
        t_fill(v, t, 2 * n * m, 1, 99);
        ga_array *x = layout == 0 ? ga_asarray_as(v, t, GA_SHAPE(n, m))
            : layout == 1 ? ga_transpose(ga_asarray_as(v, t, GA_SHAPE(m, n)), GA_ALL)
                          : ga_slice(ga_asarray_as(v, t, GA_SHAPE(n, 2 * m)), ":,::2");
        const int64_t step[2] = {layout == 0 ? m : layout == 1 ? 1 : 2 * m,
                                 layout == 0 ? 1 : layout == 1 ? n : 2};
        for (int64_t i = 0; i < h; i++)
            for (int64_t j = 0; j < l; j++) {
                const int64_t r = what == 1 ? i % n : what == 2 ? i - 1 : i;
                const int64_t c = what == 0 ? j / 5 : what == 2 ? j - 2
                                  : what == 5 ? j / 3 : j % m;
                const bool in = r >= 0 && r < n && c >= 0 && c < m && (what != 3 || j <= i - 1);
                unsigned char *to = want + (size_t)(i * l + j) * w;
                if (in) memcpy(to, v + (size_t)(r * step[0] + c * step[1]) * w, w);
                else memset(to, 0, w);
            }
        ga_array *parts[3] = {x, x, x};
        ga_array *y = what == 0 ? ga_repeat(x, 5, GA_AXIS(1))
                      : what == 1 ? ga_tile(x, GA_SHAPE(3, 2))
                      : what == 2 ? ga_pad(x, GA_SHAPE(1, 2), GA_SHAPE(2, 1), GA_PAD_CONSTANT,
                                           GA_NONE)
                      : what == 3 ? ga_tril(x, -1)
                      : what == 4 ? (ga_concatenate)(1, 3, (operands)parts)
                                  : ga_reshape((ga_stack)(2, 3, (operands)parts),
                                               GA_SHAPE(n, 3 * m));
        t_same(y, t, GA_SHAPE(h, l), want);
    }
    t_context("%s", "");
}
/* Parts of a few columns each, of all widths: lines of 64 bytes from as many as four. */
TEST(narrow_columns) {
    const ga_dtype types[] = {GA_UINT8, GA_UINT16, GA_FLOAT32, GA_INT64, GA_COMPLEX128};
    for (int k = 0; k < 625; k += t_quick() ? 3 : 1) {
        GA_SCOPE;
        const ga_dtype t = types[k % 5];
        const int64_t wide[4] = {1 + k % 5, 1 + k / 5 % 5, k / 25 % 5, k / 125};
        const int count = wide[3] ? 4 : wide[2] ? 3 : 2;
        const int64_t all = wide[0] + wide[1] + (count > 2 ? wide[2] : 0)
                            + (count > 3 ? wide[3] : 0);
        const size_t w = ga_dtype_size(t);
        const int64_t n = (33000 + 113 * k) / (all * (int64_t)w) + 1;
        unsigned char *want = (unsigned char *)t_alloc((size_t)(n * all) * w);
        ga_array *parts[4];
        int64_t at = 0;
        t_context("%s, %d + %d + %d + %d", ga_dtype_name(t), (int)wide[0], (int)wide[1],
                  (int)wide[2], (int)wide[3]);
        for (int p = 0; p < count; p++) {
            unsigned char *v = (unsigned char *)t_alloc((size_t)(n * wide[p]) * w + 1);
            t_fill(v, t, n * wide[p], 1, 99);
            parts[p] = ga_asarray_as(v, t, GA_SHAPE(n, wide[p]));
            for (int64_t i = 0; i < n; i++)
                memcpy(want + (size_t)(i * all + at) * w, v + (size_t)(i * wide[p]) * w,
                       (size_t)wide[p] * w);
            at += wide[p];
        }
        t_same((ga_concatenate)(1, count, (operands)parts), t, GA_SHAPE(n, all), want);
    }
    t_context("%s", "");
}
/* Of what lies in another order, up to within a row, to its end, and beyond. */
TEST(resized_views) {
    static const int64_t sizes[] = {0, 1, 6, 7, 41, 42, 43, 100, 209, 210, 211,
                                    500, 840, 5000};
    for (size_t k = 0; k < T_COUNT(sizes); k++)
        for (int way = 0; way < 4; way++) {
            GA_SCOPE;
            ga_array *x = ga_reshape(ga_arange(0, 1680.0, 1), GA_SHAPE(14, 12, 10));
            x = way == 0   ? ga_transpose(ga_slice(x, ":5, :6, :7"),
                                          GA_AXIS(0, 2, 1))
                : way == 1 ? ga_slice(x, ":10:2, ::2, 1:8")
                : way == 2 ? ga_transpose(ga_slice(x, ":7, :6, ::-2"), GA_ALL)
                           : ga_broadcast_to(ga_slice(x, "0, 0, :7"),
                                             GA_SHAPE(5, 6, 7));
            const int64_t n = sizes[k];
            double *p = (double *)ga_asnumpy(ga_copy(x), NULL);
            double *want = (double *)t_alloc((size_t)(n + 1) * 8);
            for (int64_t i = 0; i < n; i++) want[i] = p[i % 210];
            free(p);
            t_context("way %d, %lld", way, (long long)n);
            t_same(ga_resize(x, GA_SHAPE(n)), GA_FLOAT64, GA_SHAPE(n), want);
            ga_array *out = ga_zeros(GA_SHAPE(2 * n), GA_FLOAT64);
            T_CHECK(ga_resize_into(ga_slice(out, "::-2"), x) == GA_OK);
            t_same(ga_copy(ga_slice(out, "::-2")), GA_FLOAT64, GA_SHAPE(n), want);
        }
}
TEST(short_periods) {
    static const ga_dtype types[] = {GA_INT16, GA_INT32, GA_FLOAT64, GA_COMPLEX128};
    static const int periods[] = {1, 2, 3, 5, 7, 41, 64, 500, 511, 513};
    const int64_t n = 200003;
    for (size_t i = 0; i < T_COUNT(types); i++)
        for (size_t k = 0; k < T_COUNT(periods); k++) {
            GA_SCOPE;
            const int m = periods[k];
            t_context("%s, %d", ga_dtype_name(types[i]), m);
            ga_array *x = ga_arange_as(0, m, 1, types[i]);
            ga_array *want = ga_astype(ga_mod(ga_arange(0, n, 1), m), types[i]);
            T_CHECK(ga_array_equal(ga_resize(x, GA_SHAPE(n)), want, 0));
            ga_array *out = ga_zeros(GA_SHAPE(2 * n), types[i]);
            T_CHECK(ga_resize_into(ga_slice(out, "::-2"), x) == GA_OK);
            T_CHECK(ga_array_equal(ga_slice(out, "::-2"), want, 0));
            T_CHECK(!ga_item_i64(ga_any(ga_slice(out, "::2"), GA_ALL)));
            T_CHECK(ga_array_equal(ga_tile(x, GA_SHAPE(n / m)),
                                   ga_slice_axis(want, 0, 0, n / m * m, 1), 0));
            /* ... and where a row begins within a period                    */
            ga_array *padded = ga_pad(ga_broadcast_to(x, GA_SHAPE(3, m)),
                GA_SHAPE(0, m / 3 + 1), GA_SHAPE(0, 9000), GA_PAD_WRAP, GA_NONE);
            want = ga_astype(ga_mod(ga_arange(-(m / 3 + 1), m + 9000, 1), m),
                             types[i]);
            T_CHECK(ga_array_equal(padded, ga_broadcast_to(want,
                                                           ga_shape_of(padded)), 0));
        }
}

int main(int argc, char **argv) {
    const t_case cases[] = {{"counted", counted}};
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(golden), T(larger_maps), T(short_rows), T(short_maps), T(larger_parts),
        T(larger_triangles), T(short_triangles), T(parts_unlike),
        T(larger_bits), T(one_launch), T(trimming_nothing), T(errors), T(strided), T(weak_numbers),
        T(overlap), T(graphs),
        T(narrow_parts), T(parts_apart), T(amid), T(stacked_rows),
        T(dtypes_in_any_order), T(resized_views), T(short_periods), T(short_rows_by_lines),
        T(narrow_columns), T(runs_again)};
    return T_RUN("joining", tests);
}
