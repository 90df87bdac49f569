/* Joining and changing arrays: golden/joining.bin in several layouts and into
   outputs; sizes at which vectors, runs and parts meet, against loops; errors
   and their texts; read-only views; launches counted; graphs.               */
#include "golden.h"

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
    GA_PAD_MEAN, GA_PAD_MINIMUM, GA_PAD_REFLECT, GA_PAD_SYMMETRIC, GA_PAD_WRAP,
    GA_PAD_EMPTY};

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
    bool rounds = !strcmp(fn, "pad") && (modes[A[0]] == GA_PAD_MEAN
                                         || modes[A[0]] == GA_PAD_LINEAR_RAMP);
    return rounds ? 4 : 0;
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

int main(void) {
    const struct CMUnitTest tests[] = {T(golden)};
    return T_RUN("joining", tests);
}
