/* Solving and what stands on it: residuals in LAPACK's measure on hard
   matrices, every dtype, batch, view and flag; golden/solve.bin (NumPy,
   mpmath) for norms, determinants, ranks, inverses, least squares and the
   exponential; NIST's Longley problem; the errors and their texts.         */
#include "golden.h"
#include "linalg.h"

#define FOR_DTYPES(t) \
    for (ga_dtype t = GA_FLOAT32; t <= GA_COMPLEX128; t = (ga_dtype)(t + 1))

/* ------------------------------------------------------------ comparisons */
/* x has dtype t and the record's shape and values, within tol eps of the
   largest; what is not finite is the same.                                 */
static void near_record(const ga_array *x, ga_dtype t, const g_record *w,
                        double tol) {
    if (!w || !t_is(x, t, w->shape)) {
        T_CHECKF(w, "no record");
        return;
    }
    const void *p = t_host(x);
    int parts = 1 + t_is_complex(w->dtype);
    double big = 0, eps = t == GA_FLOAT16 ? 0x1p-10 : t_eps(t);
    for (int64_t i = 0; i < w->size; i++)
        for (int k = 0; k < parts; k++) {
            double v = fabs(t_value(w->data, w->dtype, i, k));
            if (isfinite(v)) big = fmax(big, v);
        }
    for (int64_t i = 0; i < w->size; i++)
        for (int k = 0; k < parts; k++) {
            double v = t_value(w->data, w->dtype, i, k);
            double got = t_value(p, t, i, k);
            bool same = isnan(v) ? isnan(got) : isinf(v) ? got == v
                        : fabs(got - v) <= tol * eps * big;
            if (same) continue;
            t_bad("element %lld is %.17g, expected %.17g, off %.3g eps",
                  (long long)i, got, v, fabs(got - v) / (eps * big));
            return;
        }
}
static ga_array *array_of(const g_record *w) {
    if (w) return ga_asarray_as(w->data, w->dtype, w->shape);
    t_bad("no record");
    return NULL;
}
/* op(a) as flags of the triangular solve say, or all of a where not asked. */
static t_mat turned(t_mat a, unsigned flags, bool triangle) {
    t_mat c = t_mat_new(a.m, a.n);
    for (int64_t i = 0; i < a.m; i++)
        for (int64_t j = 0; j < a.n; j++) {
            bool in = !triangle || (flags & GA_LOWER ? j <= i : j >= i);
            bool turn = flags & (GA_TRANS | GA_CONJ_TRANS);
            double *to = c.v + 2 * (turn ? j * a.m + i : i * a.n + j);
            if (!in) continue;
            to[0] = a.v[2 * (i * a.n + j)];
            to[1] = a.v[2 * (i * a.n + j) + 1];
            if (flags & GA_CONJ_TRANS) to[1] = -to[1];
            if (i == j && triangle && flags & GA_UNIT_DIAGONAL)
                to[0] = 1, to[1] = 0;
        }
    return c;
}
/* |b - a x| / (n eps |a| |x|) */
static double residual(t_mat a, t_mat x, t_mat b, ga_dtype t) {
    double off = t_mat_norm(t_mat_sub(b, t_mat_mul(a, x)));
    if (off == 0) return 0;
    return off / t_mat_norm(a) / t_mat_norm(x) / ((double)a.n * t_eps(t));
}
/* A column for a vector. */
static ga_array *as_matrix(ga_array *x, bool vector) {
    return vector && x ? ga_expand_dims(x, GA_AXIS(-1)) : x;
}
/* x with the batch axes of `like`. */
static ga_array *to_shape(const ga_array *x, const ga_array *like) {
    ga_shape s = ga_shape_of(like);
    s.dim[s.ndim - 2] = x->shape[x->ndim - 2];
    s.dim[s.ndim - 1] = x->shape[x->ndim - 1];
    return ga_broadcast_to(x, s);
}
/* Every matrix of op(a) x = b, batches broadcast. */
static void solves(const ga_array *a, ga_array *b, ga_array *x, unsigned flags,
                   bool triangle) {
    if (!x) {
        t_bad("NULL: %s", ga_error_message());
        ga_clear_error();
        return;
    }
    GA_SCOPE;
    bool vector = b->ndim == 1;
    ga_array *y = as_matrix(x, vector), *c = as_matrix(b, vector);
    ga_array *as = to_shape(a, y), *bs = to_shape(c, y);
    T_CHECK(ga_is_contiguous(x));
    int64_t batch = 1;
    for (int i = 0; i < y->ndim - 2; i++) batch *= y->shape[i];
    for (int64_t i = 0; i < batch && y->size; i++) {
        t_mat m = turned(t_mat_at(as, i), flags, triangle);
        T_GOOD(residual(m, t_mat_at(y, i), t_mat_at(bs, i), x->dtype));
    }
}
/* Random with a heavy diagonal: well conditioned. */
static ga_array *tame_array(ga_dtype t, ga_shape s) {
    ga_array *x = t_random_array(t, s, -1, 1);
    int64_t n = s.dim[s.ndim - 1];
    if (!x->size) return x;
    ga_array *d = ga_diagonal(x, 0, -2, -1);
    ga_add_into(d, d, (double)n);
    return x;
}

/* ---------------------------------------------------------------- solving */
TEST(hard_matrices) {
    T_LAPACK;
    static const int64_t sizes[] = {1, 2, 5, 33, 70};
    FOR_DTYPES(t)
        for (int kind = 0; kind < T_KINDS; kind++)
            for (size_t i = 0; i < T_COUNT(sizes); i++) {
                GA_SCOPE;
                int64_t n = sizes[i];
                bool single = t_real_of(t) == GA_FLOAT32;
                if (kind == T_DEFICIENT || (kind == T_HILBERT && n > 12)
                    || (kind == T_GRADED && single)   /* singular to eps */
                    || (t_quick() && n > 33)) continue;
                t_context("%s %s %lld", t_kind_name[kind], ga_dtype_name(t),
                          (long long)n);
                ga_array *a = t_matrix((t_kind)kind, n, n, t);
                ga_array *b = t_random_array(t, GA_SHAPE(n, 3), -1, 1);
                solves(a, b, ga_solve(a, b), 0, false);
                ga_array *at = ga_swapaxes(a, 0, 1);
                solves(at, b, ga_solve(at, b), 0, false);
                /* the inverse: each column's residual is small */
                if (kind == T_HUGE || kind == T_TINY) continue;
                ga_array *id = ga_identity(n, t);
                solves(a, id, ga_inv(a), 0, false);
                t_release_host();
            }
}
TEST(broadcast_batches) {
    T_LAPACK;
    static const struct { ga_shape a, b, x; } rows[] = {
        {{2, {4, 4}}, {1, {4}}, {1, {4}}},
        {{2, {4, 4}}, {2, {4, 3}}, {2, {4, 3}}},
        {{3, {3, 4, 4}}, {1, {4}}, {2, {3, 4}}},
        {{3, {3, 4, 4}}, {2, {4, 2}}, {3, {3, 4, 2}}},
        {{2, {4, 4}}, {3, {3, 4, 2}}, {3, {3, 4, 2}}},
        {{4, {2, 1, 4, 4}}, {3, {3, 4, 2}}, {4, {2, 3, 4, 2}}},
        {{3, {3, 4, 4}}, {4, {2, 3, 4, 5}}, {4, {2, 3, 4, 5}}},
        {{4, {1, 3, 5, 5}}, {4, {4, 1, 5, 1}}, {4, {4, 3, 5, 1}}},
        {{5, {2, 1, 3, 2, 2}}, {5, {1, 2, 1, 2, 2}}, {5, {2, 2, 3, 2, 2}}},
        {{2, {0, 0}}, {1, {0}}, {1, {0}}},
        {{2, {3, 3}}, {2, {3, 0}}, {2, {3, 0}}},
        {{3, {0, 3, 3}}, {2, {3, 2}}, {3, {0, 3, 2}}},
        {{3, {5, 0, 0}}, {2, {0, 2}}, {3, {5, 0, 2}}},
    };
    FOR_DTYPES(t)
        for (size_t i = 0; i < T_COUNT(rows); i++) {
            GA_SCOPE;
            t_context("%s %s %s", ga_dtype_name(t),
                      t_shape_text(rows[i].a.ndim, rows[i].a.dim),
                      t_shape_text(rows[i].b.ndim, rows[i].b.dim));
            ga_array *a = tame_array(t, rows[i].a);
            ga_array *b = t_random_array(t, rows[i].b, -1, 1);
            ga_array *at = ga_swapaxes(ga_copy(ga_swapaxes(a, -1, -2)), -1, -2);
            ga_array *bt = b->ndim < 2 ? ga_flip(ga_copy(ga_flip(b, GA_ALL)),
                                                 GA_ALL)
                : ga_swapaxes(ga_copy(ga_swapaxes(b, -1, -2)), -1, -2);
            ga_array *x = ga_solve(a, b);
            t_is(x, t, rows[i].x);
            solves(a, b, x, 0, false);
            solves(a, b, ga_solve(at, bt), 0, false);
            ga_array *lu = NULL, *piv = NULL;
            T_CHECK(ga_lu_factor(at, &lu, &piv) == GA_OK);
            static const unsigned turns[] = {0, GA_TRANS, GA_CONJ_TRANS};
            for (int f = 0; f < 3; f++)
                solves(a, b, ga_lu_solve(lu, piv, b, turns[f]), turns[f],
                       false);
            for (unsigned f = 0; f < 16; f++) {
                if ((f & GA_TRANS) && (f & GA_CONJ_TRANS)) continue;
                ga_array *y = f & GA_UNIT_DIAGONAL ? ga_mul(a, 0.2) : a;
                solves(y, b, ga_solve_triangular(y, b, f), f, true);
                ga_array *v = ga_swapaxes(ga_copy(ga_swapaxes(y, -1, -2)), -1,
                                          -2);
                solves(y, b, ga_solve_triangular(v, bt, f), f, true);
            }
            ga_array *h = ga_matmul(a, ga_conj(ga_swapaxes(a, -1, -2)));
            solves(h, b, ga_cho_solve(ga_cho_factor(h), b), 0, false);
            t_release_host();
        }
}
/* Triangles of all sizes that have a way of their own on a device, with as many
   right-hand sides: dense, so that they are read where they lie.           */
TEST(triangles) {
    T_LAPACK;
    static const int64_t sizes[] = {1, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 128,
                                    129, 160, 257};
    static const int64_t columns[] = {1, 2, 7, 8, 9, 17, 33, 64, 65};
    static const unsigned flags[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13};
    size_t next = 0;
    FOR_DTYPES(t)
        for (size_t i = 0; i < T_COUNT(sizes); i++)
            for (int64_t batch = 1; batch < 8; batch += 4) {
                GA_SCOPE;
                int64_t n = sizes[i], k = columns[next++ % T_COUNT(columns)];
                if (t_quick() && n > 129) continue;
                t_context("%s %d of (%d,%d), %d columns", ga_dtype_name(t),
                          (int)batch, (int)n, (int)n, (int)k);
                ga_array *a = ga_div(t_random_array(t, GA_SHAPE(batch, n, n),
                                                    -1, 1), (double)n);
                ga_array *d = ga_diagonal(a, 0, -2, -1);
                ga_array *b = t_random_array(t, GA_SHAPE(batch, n, k), -1, 1);
                ga_add_into(d, d, 1);
                ga_negative_into(ga_slice(d, "::2"), ga_slice(d, "::2"));
                for (int f = 0; f < 2; f++) {
                    unsigned how = flags[(next * 5 + (size_t)f * 7)
                                         % T_COUNT(flags)];
                    solves(a, b, ga_solve_triangular(a, b, how), how, true);
                }
                ga_array *l = ga_tril(ga_absolute(a), 0);
                l = ga_add(ga_astype(l, t), ga_tril(a, -1));
                ga_array *h = ga_matmul(l, ga_conj(ga_swapaxes(l, -1, -2)));
                solves(h, b, ga_cho_solve(l, b), 0, false);
                /* and one by the same, among them a singular one           */
                ga_array *one = ga_index_axis(a, 0, 0);
                ga_array *v = ga_index_axis(ga_index_axis(b, 0, 0), 1, 0);
                solves(one, v, ga_solve_triangular(one, v, 0), 0, true);
                ga_assign(ga_slice_axis(ga_index_axis(d, 0, batch - 1), 0,
                                        n - 1, n, 1), ga_zeros(GA_SHAPE(1), t));
                T_CHECK(!ga_solve_triangular(a, b, GA_LOWER));
                T_ERROR(GA_ERR_SINGULAR);
                solves(a, b, ga_solve_triangular(a, b, GA_UNIT_DIAGONAL),
                       GA_UNIT_DIAGONAL, true);
                t_release_host();
            }
}
TEST(factors) {
    T_LAPACK;
    static const ga_shape shapes[] = {{2, {5, 5}}, {2, {6, 3}}, {2, {3, 6}},
        {4, {2, 2, 3, 3}}, {2, {0, 0}}, {2, {0, 3}}, {3, {2, 3, 0}}};
    FOR_DTYPES(t)
        for (size_t i = 0; i < T_COUNT(shapes); i++) {
            GA_SCOPE;
            ga_array *a = t_random_array(t, shapes[i], -1, 1), *lu, *piv;
            int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
            int64_t k = m < n ? m : n, batch = a->size ? a->size / (m * n) : 0;
            ga_shape s = shapes[i];
            s.dim[--s.ndim - 1] = k;
            if (ga_lu_factor(a, &lu, &piv)) {
                t_bad("%s", ga_error_message());
                ga_clear_error();
                continue;
            }
            t_is(lu, t, shapes[i]);
            t_is(piv, GA_INT32, s);
            const int32_t *p = (const int32_t *)t_host(piv);
            for (int64_t b = 0; b < batch; b++) {
                t_mat x = t_mat_at(a, b), f = t_mat_at(lu, b);
                t_mat l = t_mat_new(m, k), u = t_mat_new(k, n);
                for (int64_t r = 0; r < m; r++)
                    for (int64_t c = 0; c < n; c++) {
                        t_mat *to = r > c ? &l : &u;
                        memcpy(to->v + 2 * (r * to->n + c),
                               f.v + 2 * (r * n + c), 16);
                    }
                for (int64_t r = 0; r < k; r++) l.v[2 * (r * k + r)] = 1;
                for (int64_t r = 0; r < k; r++) {   /* as the pivots say    */
                    int64_t q = p[b * k + r];
                    T_CHECK(q >= r && q < m);
                    for (int64_t c = 0; c < 2 * n && q != r; c++) {
                        double keep = x.v[2 * r * n + c];
                        x.v[2 * r * n + c] = x.v[2 * q * n + c];
                        x.v[2 * q * n + c] = keep;
                    }
                }
                T_GOOD(t_ratio(x, l, u, t));
            }
        }
}
TEST(other_dtypes) {
    T_LAPACK;
    GA_SCOPE;
    int v[] = {2, 1, 1, 3};
    bool truth[] = {true, false, true, true};
    float b[] = {3, 5};
    ga_array *a = ga_asarray(v, GA_SHAPE(2, 2));
    ga_array *f = ga_asarray(b, GA_SHAPE(2)), *h = ga_astype(f, GA_FLOAT16);
    double x[] = {0.8, 1.4};
    t_near(ga_solve(a, f), GA_FLOAT64, GA_SHAPE(2), x, 4);
    t_near(ga_solve(ga_astype(a, GA_UINT8), ga_astype(f, GA_INT64)),
           GA_FLOAT64, GA_SHAPE(2), x, 4);
    ga_array *c = ga_solve(ga_astype(a, GA_FLOAT32),
                           ga_astype(f, GA_COMPLEX64));
    t_is(c, GA_COMPLEX64, GA_SHAPE(2));
    t_is(ga_solve(a, c), GA_COMPLEX128, GA_SHAPE(2));
    double inverse[] = {1, 0, -1, 1};
    t_near(ga_inv(ga_asarray(truth, GA_SHAPE(2, 2))), GA_FLOAT64,
           GA_SHAPE(2, 2), inverse, 4);
    ga_array *hs[] = {h, ga_astype(h, GA_BFLOAT16)};
    for (int i = 0; i < 2; i++) {
        ga_array *m = ga_broadcast_to(hs[i], GA_SHAPE(2, 2));
        ga_solve(m, f), T_ERROR(GA_ERR_DTYPE);
        ga_solve(a, hs[i]), T_ERROR(GA_ERR_DTYPE);
        ga_inv(m), T_ERROR(GA_ERR_DTYPE);
        ga_det(m), T_ERROR(GA_ERR_DTYPE);
        ga_expm(m), T_ERROR(GA_ERR_DTYPE);
        ga_pinv(m, -1), T_ERROR(GA_ERR_DTYPE);
        ga_matrix_rank(m, -1), T_ERROR(GA_ERR_DTYPE);
        ga_cond(m, 1), T_ERROR(GA_ERR_DTYPE);
        ga_norm(m, 2, GA_ALL), T_ERROR(GA_ERR_DTYPE);
        T_CHECK(ga_norm(m, 1, GA_ALL)->dtype == hs[i]->dtype);
    }
}

/* ----------------------------------------------------------- golden files */
static ga_axis axes_of(const char *s) {
    ga_axis a = GA_ALL;
    if (strcmp(s, "all")) a.n = sscanf(s, "%d,%d", &a.axis[0], &a.axis[1]);
    return a;
}
static double order_of(const char *s) {
    return !strcmp(s, "none") ? GA_NORM : !strcmp(s, "fro") ? GA_FRO
         : !strcmp(s, "nuc") ? GA_NUC : strtod(s, NULL);
}
static const char *const axes_names[] = {"all", "0", "1", "-1", "0,1", "1,0",
                                         "-1,0", "2,1"};
static const char *const orders[] = {"none", "fro", "nuc", "inf", "-inf", "0",
    "1", "-1", "2", "-2", "3", "0.5", "-1.5"};

TEST(golden_norms) {
    static const ga_dtype types[] = {GA_BOOL, GA_UINT8, GA_INT32, GA_FLOAT16,
        GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    T_LAPACK;
    for (size_t ti = 0; ti < T_COUNT(types); ti++)
        for (int rank = 1; rank <= 3; rank++)
            for (size_t ai = 0; ai < T_COUNT(axes_names); ai++)
                for (size_t oi = 0; oi < T_COUNT(orders); oi++) {
                    GA_SCOPE;
                    ga_dtype t = types[ti];
                    const char *name = ga_dtype_name(t), *ax = axes_names[ai];
                    if (rank < 3 && ai) continue;
                    t_context("norm of %s, rank %d, axes %s, order %s", name,
                              rank, ax, orders[oi]);
                    ga_array *x = array_of(g_find("norm/%s/x", name));
                    const g_record *w = g_find("norm/%s/%d/%s/%s", name, rank,
                                               ax, orders[oi]);
                    for (int i = rank; i < 3; i++) x = ga_index_axis(x, 0, 0);
                    ga_axis a = axes_of(ax);
                    double ord = order_of(orders[oi]);
                    ga_array *r = ga_norm(x, ord, a);
                    if (!w) {
                        T_CHECK(!r && ga_error());
                        ga_clear_error();
                        continue;
                    }
                    ga_dtype want = t < GA_FLOAT16 ? GA_FLOAT64 : t_real_of(t);
                    /* a sum of two roundings, and x**p in the dtype */
                    near_record(r, want, w, ord == -2 ? 60 : 8);
                    a.keepdims = true;
                    ga_array *kept = ga_norm(x, ord, a);
                    T_CHECK(kept && kept->ndim == rank);
                    if (kept) near_record(ga_reshape(kept, w->shape), want, w,
                                          ord == -2 ? 60 : 8);
                    ga_array *v = ga_flip(ga_copy(ga_flip(x, GA_ALL)), GA_ALL);
                    near_record(ga_norm(v, ord, axes_of(ax)), want, w,
                                ord == -2 ? 60 : 8);
                    v = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
                    near_record(ga_norm(v, ord, axes_of(ax)), want, w,
                                ord == -2 ? 60 : 8);
                    t_release_host();
                }
}
TEST(golden_norms_of_nothing) {
    static const ga_shape shapes[] = {{1, {0}}, {2, {0, 3}}, {2, {3, 0}},
                                      {3, {2, 0, 3}}};
    static const char *const ax[] = {"all", "0", "0,1"};
    T_LAPACK;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            for (size_t oi = 0; oi < T_COUNT(orders); oi++) {
                GA_SCOPE;
                t_context("norm of %s, axes %s, order %s",
                          t_shape_text(shapes[i].ndim, shapes[i].dim), ax[k],
                          orders[oi]);
                const g_record *w = g_find("empty/%d/%s/%s", i, ax[k],
                                           orders[oi]);
                ga_array *r = ga_norm(ga_zeros(shapes[i], GA_FLOAT64),
                                      order_of(orders[oi]), axes_of(ax[k]));
                if (w) near_record(r, GA_FLOAT64, w, 0);
                else T_CHECK(!r && ga_error());
                ga_clear_error();
            }
}
/* Along every axis, of arrays in any order, beside sums of squares; a NaN, and
   what is too large or too small to be squared, in columns of their own.    */
TEST(norm_axes) {
    static const ga_dtype types[] = {GA_FLOAT16, GA_BFLOAT16, GA_FLOAT32,
        GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128, GA_INT32};
    static const char *const views[] = {":", ":, 1:", ":, :, 1::2", "::-1, ::2"};
    for (size_t i = 0; i < T_COUNT(types) * T_COUNT(views) * 3; i++) {
        const ga_dtype t = types[i / 3 / T_COUNT(views)];
        GA_SCOPE;
        ga_array *x = t_random_array(t, i % 3 > 1 ? GA_SHAPE(613, 7, 9)
                                     : GA_SHAPE(i % 3 ? 5 : 301, 37, 66), 1, 9);
        x = ga_slice(x, "%s", views[i / 3 % T_COUNT(views)]);
        for (int axis = 0; axis < 4; axis++) {
            const ga_axis a = axis == 3 ? GA_ALL : GA_AXIS(axis);
            t_context("%s, %s, axis %d", ga_dtype_name(t),
                      views[i / 3 % T_COUNT(views)], axis);
            ga_array *r = ga_norm(x, axis == 3 ? GA_NORM : 2, a);
            ga_array *w = ga_astype(ga_absolute(ga_astype(x, GA_COMPLEX128)),
                                    GA_FLOAT64);
            w = ga_sqrt(ga_sum(ga_square(w), a));
            T_CHECK(r && w && r->ndim == w->ndim);
            if (r) t_same_arrays(r, ga_astype(w, r->dtype), 8);
        }
    }
    GA_SCOPE;
    t_context("range, axis 0");
    double v[3][1200], want[1200];
    static const double rows[][4] = {{3e200, 4e200, 0, 5e200},
        {3e-200, 4e-200, 0, 5e-200}, {1, (double)NAN, 2, (double)NAN}, {3, 4, 0, 5}};
    for (int j = 0; j < 1200; j++) {
        for (int k = 0; k < 3; k++) v[k][j] = rows[j % 4][k];
        want[j] = rows[j % 4][3];
    }
    t_near(ga_norm(ga_asarray_as(v, GA_FLOAT64, GA_SHAPE(3, 1200)), 2, GA_AXIS(0)),
           GA_FLOAT64, GA_SHAPE(1200), want, 2);
}
TEST(norm_range) {
    GA_SCOPE;
    static const double rows[][4] = {
        {3e200, 4e200, 0, 5e200}, {3e-200, 4e-200, 0, 5e-200},
        {3e-320, 4e-320, 0, 5e-320}, {1e160, 1e-160, 1, 1e160},
        {3e-160, 0, 4e-160, 5e-160}, {INFINITY, 1, 2, INFINITY},
        {1, NAN, 2, NAN}, {INFINITY, 1, NAN, NAN}, {0, 0, 0, 0},
        {3, 4e-180, 4, 5}, {3e153, 4e153, 1, 5e153}};
    for (size_t i = 0; i < T_COUNT(rows); i++) {
        t_context("row %zu", i);
        ga_array *x = ga_asarray(rows[i], GA_SHAPE(3));
        t_near(ga_norm(x, GA_NORM, GA_ALL), GA_FLOAT64, GA_SCALAR_SHAPE,
               &rows[i][3], 2);
        t_near(ga_norm(ga_astype(x, GA_COMPLEX128), 2, GA_AXIS(0)), GA_FLOAT64,
               GA_SCALAR_SHAPE, &rows[i][3], 2);
    }
    t_context(" ");
    float big[] = {3e30f, 4e30f}, tiny[] = {3e-30f, 4e-30f};
    float want[] = {5e30f, 5e-30f};
    t_near(ga_norm(ga_asarray(big, GA_SHAPE(2)), 2, GA_ALL), GA_FLOAT32,
           GA_SCALAR_SHAPE, &want[0], 1);
    t_near(ga_norm(ga_asarray(tiny, GA_SHAPE(2)), 2, GA_ALL), GA_FLOAT32,
           GA_SCALAR_SHAPE, &want[1], 1);
    uint16_t half[] = {t_to_half(300), t_to_half(400)}, h = t_to_half(500);
    t_same(ga_norm(ga_asarray_as(half, GA_FLOAT16, GA_SHAPE(2)), 2, GA_ALL),
           GA_FLOAT16, GA_SCALAR_SHAPE, &h);
    /* long: several blocks, several parts, odd lengths, off the alignment */
    static const int64_t sizes[] = {1, 31, 4095, 4097, 16385, 100003, 3000017};
    for (size_t i = 0; i < T_COUNT(sizes); i++)
        for (int off = 0; off < 2; off++) {
            GA_SCOPE;
            int64_t n = sizes[i];
            if (t_quick() && n > 200000) continue;
            ga_array *f = t_random_array(GA_FLOAT32, GA_SHAPE(n + off), -1, 1);
            f = ga_slice_axis(f, 0, off, GA_END, 1);
            ga_array *d = ga_mul(ga_astype(f, GA_FLOAT64), 0x1p-520);
            double sum = 0;
            const float *p = (const float *)t_host(f);
            for (int64_t k = 0; k < n; k++) sum += (double)p[k] * (double)p[k];
            sum = sqrt(sum);
            float single = (float)sum;
            t_context("%lld elements", (long long)n);
            t_near(ga_norm(f, GA_NORM, GA_ALL), GA_FLOAT32, GA_SCALAR_SHAPE,
                   &single, 1);
            double small = sum * 0x1p-520, large = sum * 0x1p+500;
            t_near(ga_norm(d, GA_NORM, GA_ALL), GA_FLOAT64, GA_SCALAR_SHAPE,
                   &small, 2000);
            t_near(ga_norm(ga_mul(ga_astype(f, GA_FLOAT64), 0x1p+500), GA_NORM,
                           GA_ALL), GA_FLOAT64, GA_SCALAR_SHAPE, &large, 2000);
            t_release_host();
        }
    /* many rows, of every width that has its own layout */
    static const int64_t wide[] = {1, 2, 3, 8, 33, 100, 5000};
    for (size_t i = 0; i < T_COUNT(wide); i++) {
        GA_SCOPE;
        int64_t n = wide[i], rows_n = 3 + 2000 / n;
        ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(rows_n, n), -1, 1);
        ga_array *y = ga_sqrt(ga_sum(ga_square(x), GA_AXIS(1)));
        t_same_arrays(ga_norm(x, 2, GA_AXIS(1)), y, 8);
        t_same_arrays(ga_norm(ga_swapaxes(x, 0, 1), 2, GA_AXIS(0)), y, 8);
    }
}

static const char *const squares[] = {"random", "batch", "one", "singular",
    "mixed", "zeros", "hilbert", "scaled"};
TEST(golden_numbers) {
    static const char *const conds[] = {"none", "fro", "nuc", "inf", "-inf",
                                        "1", "-1", "2", "-2"};
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64,
                                     GA_COMPLEX128, GA_INT32};
    T_LAPACK;
    for (size_t ti = 0; ti < T_COUNT(types); ti++)
        for (size_t k = 0; k < T_COUNT(squares); k++) {
            GA_SCOPE;
            const char *name = ga_dtype_name(types[ti]), *kind = squares[k];
            const g_record *a = g_find("square/%s/%s", kind, name);
            if (!a) continue;       /* int32 has not all                    */
            ga_dtype t = a->dtype == GA_INT32 ? GA_FLOAT64 : a->dtype;
            ga_dtype r = t_real_of(t);
            ga_array *x = array_of(a), *sign, *log;
            bool hard = !strcmp(kind, "hilbert");
            double tol = hard ? 1e6 : 200;
            t_context("det of %s %s", kind, name);
            near_record(ga_det(x), t, g_find("det/%s/%s", kind, name), tol);
            if (ga_slogdet(x, &sign, &log)) t_bad("%s", ga_error_message());
            else {
                near_record(sign, t, g_find("sign/%s/%s", kind, name), 50);
                near_record(log, r, g_find("logdet/%s/%s", kind, name), tol);
            }
            for (size_t i = 0; i < T_COUNT(conds); i++) {
                const g_record *w = g_find("cond/%s/%s/%s", kind, name,
                                           conds[i]);
                bool svd = order_of(conds[i]) == GA_NORM || conds[i][0] == '2'
                           || !strcmp(conds[i], "nuc");
                t_context("cond of %s %s, order %s", kind, name, conds[i]);
                ga_array *c = ga_cond(x, order_of(conds[i]));
                T_CHECK(c && c->dtype == r);
                /* a singular matrix: infinite, or the rounding's reciprocal */
                if (w && !(svd && !strcmp(kind, "singular"))
                    && !(conds[i][0] == '-' && conds[i][1] == '2'
                         && !strcmp(kind, "singular")))
                    near_record(c, r, w, hard ? 1e6 : 2000);
            }
        }
}
TEST(golden_ranks_and_least_squares) {
    static const char *const sizes[] = {"5x3", "3x5", "4x4"};
    static const char *const kinds[] = {"0v", "0m", "1v", "1m"};
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64,
                                     GA_COMPLEX128, GA_INT32};
    T_LAPACK;
    for (size_t ti = 0; ti < T_COUNT(types); ti++)
        for (int i = 0; i < 3; i++) {
            GA_SCOPE;
            const char *name = ga_dtype_name(types[ti]), *s = sizes[i];
            ga_dtype t = types[ti] == GA_INT32 ? GA_FLOAT64 : types[ti];
            t_context("%s %s", s, name);
            ga_array *x = array_of(g_find("rank/%s/%s/x", name, s));
            const g_record *w = g_find("rank/%s/%s", name, s);
            t_same(ga_matrix_rank(x, -1), GA_INT64, w->shape, w->data);
            near_record(ga_pinv(x, -1), t, g_find("pinv/%s/%s", name, s), 300);
            ga_array *y = ga_swapaxes(ga_copy(ga_swapaxes(x, -1, -2)), -1, -2);
            near_record(ga_pinv(y, -1), t, g_find("pinv/%s/%s", name, s), 300);
            for (int k = 0; k < 4; k++) {
                ga_array *b, *r[4];
                t_context("least squares, %s %s %s", s, name, kinds[k]);
                b = array_of(g_find("lstsq/%s/%s/%s/b", name, s, kinds[k]));
                ga_array *a = ga_index_axis(y, 0, kinds[k][0] - '0');
                if (ga_lstsq(a, b, -1, &r[0], &r[1], &r[2], &r[3])) {
                    t_bad("%s", ga_error_message());
                    ga_clear_error();
                    continue;
                }
                near_record(r[0], t, g_find("lstsq/%s/%s/%s/x", name, s,
                                            kinds[k]), 1000);
                near_record(r[1], t_real_of(t),
                            g_find("lstsq/%s/%s/%s/residuals", name, s,
                                   kinds[k]), 1000);
                w = g_find("lstsq/%s/%s/%s/rank", name, s, kinds[k]);
                t_same(r[2], GA_INT64, w->shape, w->data);
                near_record(r[3], t_real_of(t), g_find("lstsq/%s/%s/%s/s",
                            name, s, kinds[k]), 50);
            }
        }
}
TEST(golden_exponentials) {
    static const char *const scales[] = {"1e-9", "0.01", "0.2", "0.9", "2",
                                         "5", "40"};
    T_LAPACK;
    FOR_DTYPES(t) {
        GA_SCOPE;
        ga_array *all = ga_empty(GA_SHAPE(7, 4, 4), t), *each[7];
        for (int i = 0; i < 7; i++) {
            t_context("expm of %s, scale %s", ga_dtype_name(t), scales[i]);
            ga_array *x = array_of(g_find("expm/%s/%s/x", ga_dtype_name(t),
                                          scales[i]));
            each[i] = ga_expm(x);
            near_record(each[i], t, g_find("expm/%s/%s", ga_dtype_name(t),
                                           scales[i]),
                        20 + 5 * atof(scales[i]));
            ga_assign(ga_index_axis(all, 0, i), x);
        }
        /* a batch: each by its own scaling */
        ga_array *r = ga_expm(ga_flip(all, GA_AXIS(0)));
        t_is(r, t, GA_SHAPE(7, 4, 4));
        for (int i = 0; r && i < 7; i++) {
            t_context("expm of a batch of %s, scale %s", ga_dtype_name(t),
                      scales[i]);
            near_record(ga_index_axis(r, 0, 6 - i), t,
                        g_find("expm/%s/%s", ga_dtype_name(t), scales[i]),
                        20 + 5 * atof(scales[i]));
        }
    }
}
TEST(exponentials) {
    T_LAPACK;
    GA_SCOPE;
    t_is(ga_expm(ga_zeros(GA_SHAPE(0, 0), GA_FLOAT32)), GA_FLOAT32,
         GA_SHAPE(0, 0));
    t_is(ga_expm(ga_zeros(GA_SHAPE(0, 3, 3), GA_INT8)), GA_FLOAT64,
         GA_SHAPE(0, 3, 3));
    double one[] = {-700}, e = exp(-700);
    t_near(ga_expm(ga_asarray(one, GA_SHAPE(1, 1))), GA_FLOAT64, GA_SHAPE(1, 1),
           &e, 2);
    /* no halving where the powers vanish, though |x| is large */
    FOR_DTYPES(t) {
        bool single = t_real_of(t) == GA_FLOAT32;
        double top = single ? 1e6 : 1e40, far[] = {0, top, 0, 0};
        double want[] = {1, top, 0, 1}, at_most[] = {1, top, 1, 1};
        ga_array *x = ga_astype(ga_asarray(far, GA_SHAPE(2, 2)), t);
        const void *r = t_host(ga_expm(x));
        t_context("a vanishing square, %s", ga_dtype_name(t));
        for (int i = 0; i < 4; i++)
            T_CHECK(fabs(t_value(r, t, i, 0) - want[i])
                    <= 8 * t_eps(t) * at_most[i]);
    }
    double nil[] = {0, 1e6, 1e9, 0, 0, 1e3, 0, 0, 0};
    double powers[] = {1, 1e6, 1e9 + 5e8, 0, 1, 1e3, 0, 0, 1};
    g_record nilpotent = {"", GA_FLOAT64, GA_SHAPE(3, 3), 9, powers};
    near_record(ga_expm(ga_asarray(nil, GA_SHAPE(3, 3))), GA_FLOAT64,
                &nilpotent, 8);
    /* a rotation, larger than the small cases */
    FOR_DTYPES(t) {
        ga_array *a = t_random_array(t, GA_SHAPE(40, 40), -1, 1);
        ga_array *k = ga_sub(a, ga_conj(ga_swapaxes(a, 0, 1)));
        t_context("rotation, %s", ga_dtype_name(t));
        t_mat q = t_mat_of(ga_expm(k));
        T_CHECKF(t_ratio_columns(q, t) < T_RATIO, "ratio %g",
                 t_ratio_columns(q, t));
    }
}
TEST(golden_tensors) {
    static const char *const ax[] = {"1,3", "3,1"};
    T_LAPACK;
    FOR_DTYPES(t) {
        GA_SCOPE;
        const char *name = ga_dtype_name(t);
        t_context("tensors of %s", name);
        ga_array *a = array_of(g_find("tensorsolve/%s/a", name));
        ga_array *b = array_of(g_find("tensorsolve/%s/b", name));
        for (int i = 0; i < 2; i++)
            near_record(ga_tensorsolve(a, b, axes_of(ax[i])), t,
                        g_find("tensorsolve/%s/%s", name, ax[i]), 5000);
        a = ga_moveaxis(a, GA_AXIS(2), GA_AXIS(1));
        near_record(ga_tensorsolve(a, b, GA_ALL), t,
                    g_find("tensorsolve/%s/none", name), 5000);
        near_record(ga_tensorinv(a, 2), t, g_find("tensorinv/%s", name), 5000);
    }
}

/* ----------------------------------------------------------- least squares */
/* NIST's Longley problem and its certified coefficients. */
TEST(longley) {
    static const double y[] = {60323, 61122, 60171, 61187, 63221, 63639, 64989,
        63761, 66019, 67857, 68169, 66513, 68655, 69564, 69331, 70551};
    static const double x[16][7] = {
        {1, 83.0, 234289, 2356, 1590, 107608, 1947},
        {1, 88.5, 259426, 2325, 1456, 108632, 1948},
        {1, 88.2, 258054, 3682, 1616, 109773, 1949},
        {1, 89.5, 284599, 3351, 1650, 110929, 1950},
        {1, 96.2, 328975, 2099, 3099, 112075, 1951},
        {1, 98.1, 346999, 1932, 3594, 113270, 1952},
        {1, 99.0, 365385, 1870, 3547, 115094, 1953},
        {1, 100.0, 363112, 3578, 3350, 116219, 1954},
        {1, 101.2, 397469, 2904, 3048, 117388, 1955},
        {1, 104.6, 419180, 2822, 2857, 118734, 1956},
        {1, 108.4, 442769, 2936, 2798, 120445, 1957},
        {1, 110.8, 444546, 4681, 2637, 121950, 1958},
        {1, 112.6, 482704, 3813, 2552, 123366, 1959},
        {1, 114.2, 502601, 3931, 2514, 125368, 1960},
        {1, 115.7, 518173, 4806, 2572, 127852, 1961},
        {1, 116.9, 554894, 4007, 2827, 130081, 1962}};
    static const double certified[] = {-3482258.63459582, 15.0618722713733,
        -0.358191792925910e-01, -2.02022980381683, -1.03322686717359,
        -0.511041056535807e-01, 1829.15146461355};
    T_LAPACK;
    GA_SCOPE;
    ga_array *a = ga_asarray(&x[0][0], GA_SHAPE(16, 7));
    ga_array *b = ga_asarray(y, GA_SHAPE(16)), *r, *rss;
    if (ga_lstsq(a, b, -1, &r, &rss, NULL, NULL)) {
        t_bad("%s", ga_error_message());
        return;
    }
    const double *got = (const double *)t_host(r);
    for (int i = 0; i < 7; i++) {
        double digits = -log10(fabs(got[i] / certified[i] - 1) + 1e-16);
        T_CHECKF(digits >= 8, "coefficient %d is %.15g, certified %.15g", i,
                 got[i], certified[i]);
    }
    T_CHECK(fabs(ga_item(rss) / 836424.055505915 - 1) < 1e-8);
}
TEST(least_squares_batches) {
    T_LAPACK;
    FOR_DTYPES(t) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name(t));
        ga_array *a = t_random_array(t, GA_SHAPE(2, 6, 3), -1, 1);
        ga_assign(ga_slice(a, "1, :, 2"), ga_slice(a, "1, :, 0"));
        ga_array *b = t_random_array(t, GA_SHAPE(4, 1, 6, 2), -1, 1);
        ga_array *x, *res, *rank, *s, *y[4], *only;
        int64_t ranks[] = {3, 2};
        if (ga_lstsq(a, b, -1, &x, &res, &rank, &s)) {
            t_bad("%s", ga_error_message());
            ga_clear_error();
            continue;
        }
        t_is(x, t, GA_SHAPE(4, 2, 3, 2));
        t_is(res, t_real_of(t), GA_SHAPE(4, 2, 2));
        t_is(s, t_real_of(t), GA_SHAPE(2, 3));
        t_same(rank, GA_INT64, GA_SHAPE(2), ranks);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 2; k++) {
                ga_array *bi = ga_slice(b, "%d, 0", i);
                if (ga_lstsq(ga_index_axis(a, 0, k), bi, -1, &y[0], &y[1],
                             &y[2], &y[3])) continue;
                double tol = t_real_of(t) == GA_FLOAT32 ? 1e-4 : 1e-12;
                ga_array *xi = ga_slice(x, "%d, %d", i, k);
                ga_array *off = ga_abs(ga_sub(y[0], xi));
                T_CHECK(ga_item(ga_max(off, GA_ALL)) < tol);
                ga_array *left = ga_slice(res, "%d, %d", i, k);
                if (k) {
                    T_CHECK(y[1]->size == 0);
                    T_CHECK(ga_item(ga_all(ga_isnan(left), GA_ALL)) == 1);
                } else {
                    off = ga_abs(ga_sub(y[1], left));
                    T_CHECK(ga_item(ga_max(off, GA_ALL)) < tol);
                }
            }
        /* one result alone is the same; a deficient batch has no residuals */
        T_CHECK(ga_lstsq(a, b, -1, NULL, &only, NULL, NULL) == GA_OK);
        t_same_arrays(only, res, 0);
        T_CHECK(ga_lstsq(a, b, -1, NULL, NULL, NULL, &only) == GA_OK);
        t_same_arrays(only, s, 0);
        T_CHECK(ga_lstsq(a, b, -1, NULL, NULL, NULL, NULL) == GA_OK);
        T_CHECK(ga_lstsq(ga_slice(a, "1:"), b, -1, NULL, &only, NULL, NULL)
                == GA_OK);
        t_is(only, t_real_of(t), GA_SHAPE(4, 1, 0));
        /* rcond decides the rank */
        T_CHECK(ga_lstsq(ga_index_axis(a, 0, 0), ga_slice(b, "0, 0"), 0.999,
                         NULL, NULL, &only, NULL) == GA_OK);
        T_CHECK(ga_item_i64(only) == 1);
        /* and it is the same whether singular values are asked for or not */
        for (double cut = 1e-8; cut < 1; cut *= 1.7) {
            ga_array *values, *rank, *same, *m = ga_index_axis(a, 0, 0);
            T_CHECK(ga_lstsq(m, ga_slice(b, "0, 0"), cut, NULL, NULL, &rank,
                             &values) == GA_OK);
            T_CHECK(ga_lstsq(m, ga_slice(b, "0, 0"), cut, NULL, NULL, &same,
                             NULL) == GA_OK);
            t_same_arrays(same, rank, 0);
        }
    }
    GA_SCOPE;
    static const struct { int64_t m, n, k, residuals; } rows[] = {
        {3, 0, 2, 2}, {0, 3, 2, 0}, {0, 0, 1, 0}, {4, 2, 0, 0}};
    for (size_t i = 0; i < T_COUNT(rows); i++) {
        int64_t m = rows[i].m, n = rows[i].n, k = rows[i].k;
        ga_array *x, *res, *rank, *s;
        t_context("%lld by %lld", (long long)m, (long long)n);
        if (ga_lstsq(ga_add(ga_zeros(GA_SHAPE(m, n), GA_FLOAT64),
                            ga_eye(m, n, 0, GA_FLOAT64)),
                     ga_ones(GA_SHAPE(m, k), GA_FLOAT64), -1, &x, &res, &rank,
                     &s)) {
            t_bad("%s", ga_error_message());
            ga_clear_error();
            continue;
        }
        t_is(x, GA_FLOAT64, GA_SHAPE(n, k));
        t_is(res, GA_FLOAT64, GA_SHAPE(rows[i].residuals));
        T_CHECK(ga_item_i64(rank) == (m < n ? m : n));
        t_is(s, GA_FLOAT64, GA_SHAPE(m < n ? m : n));
        if (m == 3) T_CHECK(ga_item_at(res, GA_INDEX(1)) == 3);
    }
}
/* Large enough that samples are asked for the condition: of full rank, without
   it, and with a singular value below the rest by more than eps.           */
TEST(least_squares_large) {
    T_LAPACK;
    FOR_DTYPES(t)
        for (int kind = 0; kind < 3; kind++) {
            GA_SCOPE;
            const int64_t m = 300, n = 260, less = kind > 0;
            ga_array *a = t_random_array(t, GA_SHAPE(m, n), -1, 1), *x = NULL;
            ga_array *b = t_random_array(t, GA_SHAPE(m), -1, 1), *rank = NULL;
            t_context("%s %d", ga_dtype_name(t), kind);
            ga_array *last = ga_slice(a, ":, 259");
            if (kind) ga_assign(last, ga_slice(a, ":, 7"));
            if (kind == 2) {
                ga_array *u = ga_slice(a, ":1, 259");
                ga_multiply_into(u, u, 1 + t_ulp(t, 1.0));
            }
            T_CHECK(ga_lstsq(a, b, -1, &x, NULL, &rank, NULL) == GA_OK);
            T_CHECK(rank && ga_item(rank) == (double)(n - less));
            if (less || !x) continue;
            /* what is left is orthogonal to all columns                    */
            ga_array *r = ga_sub(b, ga_matvec(a, x));
            ga_array *g = ga_matvec(ga_conj(ga_transpose(a, GA_ALL)), r);
            T_CHECK(ga_item(ga_norm(g, GA_NORM, GA_ALL))
                    <= 1e4 * t_ulp(t, 1.0));
        }
}
TEST(least_squares_hard) {
    T_LAPACK;
    static const t_kind kinds[] = {T_UNIFORM, T_NORMAL, T_CLUSTERED, T_HUGE,
                                   T_TINY};
    FOR_DTYPES(t)
        for (size_t i = 0; i < T_COUNT(kinds); i++) {
            GA_SCOPE;
            t_context("%s %s", t_kind_name[kinds[i]], ga_dtype_name(t));
            ga_array *a = t_matrix(kinds[i], 40, 17, t), *x;
            ga_array *b = t_random_array(t, GA_SHAPE(40, 2), -1, 1);
            if (ga_lstsq(a, b, -1, &x, NULL, NULL, NULL)) {
                t_bad("%s", ga_error_message());
                ga_clear_error();
                continue;
            }
            /* what is left is at right angles to a */
            t_mat m = t_mat_of(a), y = t_mat_of(x);
            t_mat r = t_mat_sub(t_mat_of(b), t_mat_mul(m, y));
            double scale = 1 / t_mat_norm(m);
            for (int64_t k = 0; k < 2 * m.m * m.n; k++) m.v[k] *= scale;
            double size = t_mat_norm(t_mat_of(b)) + t_mat_norm(y) / scale;
            T_GOOD(t_mat_norm(t_mat_mul(t_mat_h(m), r)) / size
                   / (40 * t_eps(t)));
        }
}

/* ----------------------------------------------------------------- numbers */
TEST(determinants) {
    T_LAPACK;
    GA_SCOPE;
    double one = 1, zero = 0, ones[] = {1, 1};
    t_same(ga_det(ga_zeros(GA_SHAPE(0, 0), GA_INT8)), GA_FLOAT64,
           GA_SCALAR_SHAPE, &one);
    t_same(ga_det(ga_zeros(GA_SHAPE(2, 0, 0), GA_FLOAT64)), GA_FLOAT64,
           GA_SHAPE(2), ones);
    t_is(ga_det(ga_zeros(GA_SHAPE(0, 2, 2), GA_FLOAT32)), GA_FLOAT32,
         GA_SHAPE(0));
    /* neither product overflows on the way */
    double d[] = {1e200, 1e200, 1e-200, 1e-200};
    ga_array *x = ga_zeros(GA_SHAPE(4, 4), GA_FLOAT64);
    ga_assign(ga_diagonal(x, 0, 0, 1), ga_asarray(d, GA_SHAPE(4)));
    t_near(ga_det(x), GA_FLOAT64, GA_SCALAR_SHAPE, &one, 4);
    x = ga_mul(ga_eye(400, 400, 0, GA_FLOAT64), 1e-200);
    double log = 400 * -200 * 2.302585092994045684;
    ga_array *l = NULL, *sign = NULL;
    t_same(ga_det(x), GA_FLOAT64, GA_SCALAR_SHAPE, &zero);
    T_CHECK(ga_slogdet(x, NULL, &l) == GA_OK);
    t_near(l, GA_FLOAT64, GA_SCALAR_SHAPE, &log, 4);
    T_CHECK(ga_slogdet(x, &sign, NULL) == GA_OK);
    t_same(sign, GA_FLOAT64, GA_SCALAR_SHAPE, &one);
    T_CHECK(ga_slogdet(x, NULL, NULL) == GA_OK);
    double bad[] = {1, NAN, 0, 1}, nan = NAN;
    ga_array *y = ga_asarray(bad, GA_SHAPE(2, 2));
    t_same(ga_det(y), GA_FLOAT64, GA_SCALAR_SHAPE, &nan);
    /* sizes on both sides of a block, odd permutations */
    static const int64_t sizes[] = {2, 31, 32, 33, 128, 129, 300};
    for (size_t i = 0; i < T_COUNT(sizes); i++) {
        GA_SCOPE;
        int64_t n = sizes[i];
        double want = (n - 1) % 2 ? -1 : 1;
        ga_array *p = ga_zeros(GA_SHAPE(3, n, n), GA_FLOAT64);  /* a cycle  */
        ga_assign(ga_diagonal(p, 1, -2, -1), ga_ones(GA_SHAPE(1), GA_FLOAT64));
        ga_assign(ga_slice(p, ":, -1, 0"), ga_ones(GA_SHAPE(1), GA_FLOAT64));
        double three[] = {want, want, want};
        t_context("a cycle of %lld", (long long)n);
        t_same(ga_det(p), GA_FLOAT64, GA_SHAPE(3), three);
    }
}
TEST(ranks) {
    T_LAPACK;
    GA_SCOPE;
    double d[] = {1, 1e-3, 1e-9};
    ga_array *x = ga_zeros(GA_SHAPE(3, 3), GA_FLOAT64);
    ga_assign(ga_diagonal(x, 0, 0, 1), ga_asarray(d, GA_SHAPE(3)));
    T_CHECK(ga_item_i64(ga_matrix_rank(x, -1)) == 3);
    T_CHECK(ga_item_i64(ga_matrix_rank(x, 1e-5)) == 2);
    T_CHECK(ga_item_i64(ga_matrix_rank(x, 2)) == 0);
    T_CHECK(ga_item_i64(ga_matrix_rank(ga_zeros(GA_SHAPE(2), GA_FLOAT64), -1))
            == 0);
    T_CHECK(ga_item_i64(ga_matrix_rank(ga_ones(GA_SHAPE(2), GA_INT8), -1))
            == 1);
    T_CHECK(ga_item_i64(ga_matrix_rank(ga_zeros(GA_SHAPE(0, 3), GA_FLOAT64),
                                       -1)) == 0);
    t_is(ga_matrix_rank(ga_zeros(GA_SHAPE(0, 3, 3), GA_FLOAT64), -1), GA_INT64,
         GA_SHAPE(0));
    t_is(ga_pinv(ga_zeros(GA_SHAPE(2, 0, 3), GA_FLOAT32), -1), GA_FLOAT32,
         GA_SHAPE(2, 3, 0));
    double none[4] = {0, 0, 0, 0};
    t_same(ga_pinv(ga_zeros(GA_SHAPE(2, 2), GA_FLOAT64), -1), GA_FLOAT64,
           GA_SHAPE(2, 2), none);
}

/* ------------------------------------------------------------------ errors */
#define SAYS(call, status, text) \
    do { call; says(__LINE__, status, text); } while (0)
static void says(int line, ga_status status, const char *text) {
    if (ga_error() != status || strcmp(ga_error_message(), text))
        t_bad("line %d: %s expected (%s), got %s (%s)", line,
              ga_status_name(status), text, ga_status_name(ga_error()),
              ga_error_message());
    ga_clear_error();
}
TEST(errors) {
    T_LAPACK;
    GA_SCOPE;
    double s[] = {1, 2, 2, 4}, n[] = {1, 0, 0, NAN};
    ga_array *sing = ga_asarray(s, GA_SHAPE(2, 2));
    ga_array *nan = ga_asarray(n, GA_SHAPE(2, 2));
    ga_array *id = ga_identity(2, GA_FLOAT64), *v = ga_ones(GA_SHAPE(2),
                                                            GA_FLOAT64);
    ga_array *flat = ga_ones(GA_SHAPE(2, 3), GA_FLOAT64);
    ga_array *many = ga_copy(ga_broadcast_to(id, GA_SHAPE(2, 3, 2, 2)));
    ga_assign(ga_slice(many, "1, 1"), sing);
    ga_assign(ga_slice(many, "1, 2"), sing);
    SAYS(ga_solve(sing, v), GA_ERR_SINGULAR,
         "ga_solve: the matrix is singular: U(2,2) is zero");
    SAYS(ga_solve(many, v), GA_ERR_SINGULAR, "ga_solve: the matrix is "
         "singular: U(2,2) of matrix (1,1) is zero");
    SAYS(ga_solve(nan, v), GA_ERR_NAN, "ga_solve: NaN or infinity in the "
         "matrix: U(2,2) is NaN");
    SAYS(ga_solve(flat, v), GA_ERR_SQUARE, "ga_solve: the last two axes of "
         "shape (2,3) are not square");
    SAYS(ga_solve(id, ga_ones(GA_SHAPE(3), GA_FLOAT64)), GA_ERR_SHAPE,
         "ga_solve: shapes (2,2) and (3,) do not fit");
    SAYS(ga_solve(many, ga_ones(GA_SHAPE(4, 2, 1), GA_FLOAT64)), GA_ERR_SHAPE,
         "ga_solve: shapes (2,3,2,2) and (4,2,1) do not fit");
    SAYS(ga_solve(v, v), GA_ERR_SHAPE, "ga_solve: a matrix or a batch of them "
         "is wanted, not shape (2,)");
    SAYS(ga_solve(id, ga_ones(GA_SCALAR_SHAPE, GA_FLOAT64)), GA_ERR_SHAPE,
         "ga_solve: shapes (2,2) and () do not fit");
    SAYS(ga_inv(sing), GA_ERR_SINGULAR,
         "ga_inv: the matrix is singular: U(2,2) is zero");
    SAYS(ga_inv(nan), GA_ERR_NAN,
         "ga_inv: NaN or infinity in the matrix: U(2,2) is NaN");
    SAYS(ga_solve_triangular(ga_zeros(GA_SHAPE(2, 2), GA_FLOAT32), v, 0),
         GA_ERR_SINGULAR,
         "ga_solve_triangular: the matrix is singular: a(1,1) is zero");
    SAYS(ga_solve_triangular(id, v, GA_TRANS | GA_CONJ_TRANS), GA_ERR_VALUE,
         "ga_solve_triangular: flags 6 are not known here or exclude each "
         "other");
    SAYS(ga_cho_solve(ga_zeros(GA_SHAPE(2, 2), GA_FLOAT64), v),
         GA_ERR_SINGULAR,
         "ga_cho_solve: the matrix is singular: c(1,1) is zero");
    SAYS(ga_cho_factor(ga_mul(id, -1)), GA_ERR_NOT_POSITIVE_DEFINITE,
         "ga_cho_factor: the leading minor of order 1 is not positive "
         "definite");
    ga_array *lu = NULL, *piv = NULL;
    T_CHECK(ga_lu_factor(sing, &lu, &piv) == GA_OK);
    SAYS(ga_lu_solve(lu, piv, v, 0), GA_ERR_SINGULAR,
         "ga_lu_solve: the matrix is singular: U(2,2) is zero");
    SAYS(ga_lu_solve(id, ga_add(piv, 1), v, 0), GA_ERR_INDEX,
         "ga_lu_solve: a pivot is out of range: i to 1 for row i");
    ga_array *one = ga_ones(GA_SHAPE(2), GA_INT8);  /* narrow, and in range */
    t_same_arrays(ga_lu_solve(id, one, v, 0), v, 0);
    static const int64_t lengths[] = {2, 40, 300};  /* no LU swaps upwards  */
    for (int i = 0; i < 3; i++) {
        int64_t k = lengths[i];
        char text[80];
        snprintf(text, sizeof text, "ga_lu_solve: a pivot is out of range: i "
                 "to %d for row i", (int)k - 1);
        SAYS(ga_lu_solve(ga_identity(k, GA_FLOAT64),
                         ga_zeros(GA_SHAPE(k), GA_INT8),
                         ga_ones(GA_SHAPE(k), GA_FLOAT64), 0),
             GA_ERR_INDEX, text);
    }
    SAYS(ga_lu_solve(id, v, v, 0), GA_ERR_DTYPE,
         "ga_lu_solve: the pivots are float64, not integers");
    SAYS(ga_lu_solve(many, piv, v, 0), GA_ERR_SHAPE, "ga_lu_solve: pivots of "
         "shape (2,) for factors of shape (2,3,2,2)");
    SAYS(ga_lu_solve(id, piv, v, GA_LOWER), GA_ERR_VALUE, "ga_lu_solve: flags "
         "1 are not known here or exclude each other");
    SAYS(ga_norm(sing, 3, GA_ALL), GA_ERR_VALUE,
         "ga_norm: 3 is not an order of a matrix norm");
    SAYS(ga_norm(v, GA_FRO, GA_ALL), GA_ERR_VALUE,
         "ga_norm: GA_FRO, 2e+300 is not an order of a vector norm");
    SAYS(ga_norm(many, 1, GA_ALL), GA_ERR_AXIS, "ga_norm: 4 axes: norms of an "
         "order are of vectors, over one, or of matrices, over two");
    SAYS(ga_norm(sing, GA_NORM, GA_AXIS(0, 0)), GA_ERR_AXIS,
         "ga_norm: axis 0 is given twice");
    SAYS(ga_norm(v, 2, GA_AXIS(1)), GA_ERR_AXIS,
         "ga_norm: axis 1 is out of range for 1 dimensions");
    SAYS(ga_norm(ga_zeros(GA_SHAPE(0), GA_FLOAT64), -INFINITY, GA_ALL),
         GA_ERR_EMPTY, "ga_norm: shape (0,) has no elements along axis 0");
    SAYS(ga_cond(flat, 1), GA_ERR_SQUARE,
         "ga_cond: the last two axes of shape (2,3) are not square");
    SAYS(ga_cond(id, 7), GA_ERR_VALUE,
         "ga_cond: 7 is not an order of a matrix norm");
    SAYS(ga_cond(ga_zeros(GA_SHAPE(0, 0), GA_FLOAT64), 2), GA_ERR_EMPTY,
         "ga_cond: matrices of shape (0,0) have no condition number");
    T_CHECK(isnan(ga_item(ga_cond(nan, 1))));
    T_CHECK(isinf(ga_item(ga_cond(sing, INFINITY))));
    ga_cond(nan, 2), T_ERROR(GA_ERR_NAN);
    ga_pinv(nan, -1), T_ERROR(GA_ERR_NAN);
    ga_matrix_rank(nan, -1), T_ERROR(GA_ERR_NAN);
    ga_norm(nan, GA_NUC, GA_ALL), T_ERROR(GA_ERR_NAN);
    ga_array *x = id;
    ga_lstsq(nan, v, -1, &x, NULL, NULL, NULL), T_ERROR(GA_ERR_NAN);
    ga_lstsq(id, flat, -1, &x, &x, &x, &x), T_FINE();
    x = id;
    ga_lstsq(flat, ga_ones(GA_SHAPE(3), GA_FLOAT64), -1, &x, &x, &x, &x);
    says(__LINE__, GA_ERR_SHAPE, "ga_lstsq: shapes (2,3) and (3,) do not fit");
    T_CHECK(x == id);
    SAYS(ga_expm(nan), GA_ERR_NAN, "ga_expm: NaN or infinity in the matrix: "
         "the 1-norm is nan");
    SAYS(ga_expm(flat), GA_ERR_SQUARE,
         "ga_expm: the last two axes of shape (2,3) are not square");
    SAYS(ga_det(flat), GA_ERR_SQUARE,
         "ga_det: the last two axes of shape (2,3) are not square");
    SAYS(ga_tensorinv(flat, 0), GA_ERR_VALUE,
         "ga_tensorinv: ind 0; 1 to 2 are possible");
    SAYS(ga_tensorinv(flat, 1), GA_ERR_SQUARE, "ga_tensorinv: the first 1 axes "
         "of shape (2,3) have 2 elements, the rest 3");
    SAYS(ga_tensorsolve(flat, v, GA_ALL), GA_ERR_SHAPE, "ga_tensorsolve: "
         "shapes (2,3) and (2,) do not fit: a's first axes must have as many "
         "elements as b, and as its last ones");
    SAYS(ga_tensorsolve(flat, v, GA_AXIS(2)), GA_ERR_AXIS,
         "ga_tensorsolve: axis 2 is out of range for 2 dimensions");
    SAYS(ga_tensorinv(ga_asarray(s, GA_SHAPE(2, 2)), 1), GA_ERR_SINGULAR,
         "ga_tensorinv: the matrix is singular: U(2,2) is zero");
    ga_solve(NULL, v), T_ERROR(GA_ERR_NULL);
    ga_solve(id, NULL), T_ERROR(GA_ERR_NULL);
    ga_norm(NULL, 2, GA_ALL), T_ERROR(GA_ERR_NULL);
}
/* A limit that stops each function somewhere: all is freed, and the result
   without a limit is right.                                                */
static ga_status step(int which, const ga_array *a, const ga_array *b) {
    ga_array *x[4] = {NULL, NULL, NULL, NULL};
    GA_SCOPE;
    switch (which) {
    case 0: return ga_solve(a, b) ? GA_OK : ga_error();
    case 1: return ga_inv(a) ? GA_OK : ga_error();
    case 2: return ga_lstsq(a, b, -1, &x[0], &x[1], &x[2], &x[3]);
    case 3: return ga_expm(a) ? GA_OK : ga_error();
    case 4: return ga_pinv(a, -1) ? GA_OK : ga_error();
    case 5: return ga_lu_factor(a, &x[0], &x[1]);
    case 6: return ga_slogdet(a, &x[0], &x[1]);
    case 7: return ga_norm(ga_swapaxes(a, 0, 1), GA_NUC, GA_ALL) ? GA_OK
                                                                 : ga_error();
    case 8: return ga_cond(a, 1) ? GA_OK : ga_error();
    case 9: return ga_solve_triangular(ga_flip(a, GA_AXIS(0)), b, 0)
                       ? GA_OK : ga_error();
    default: return ga_cho_solve(a, b) ? GA_OK : ga_error();
    }
}
TEST(memory_limits) {
    T_LAPACK;
    GA_SCOPE;
    ga_array *a = tame_array(GA_FLOAT64, GA_SHAPE(7, 7));
    ga_array *b = t_random_array(GA_FLOAT64, GA_SHAPE(7, 2), -1, 1);
    for (int which = 0; which < 11; which++) {
        size_t used = t_used();
        int64_t live = ga_live_arrays();
        ga_status st = GA_ERR_MEM_LIMIT;
        for (size_t more = 1; st == GA_ERR_MEM_LIMIT && more < (size_t)1 << 30;
             more += 100 + more / 16) {
            ga_mem_limit(used + more);
            st = step(which, a, b);
            if (st == GA_ERR_MEM_LIMIT) T_ERROR(GA_ERR_MEM_LIMIT);
            T_CHECK(t_used() == used && ga_live_arrays() == live);
        }
        ga_mem_limit(0);
        T_CHECKF(st == GA_OK, "step %d: %s", which, ga_error_message());
        ga_clear_error();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(hard_matrices), T(broadcast_batches), T(triangles), T(factors),
        T(other_dtypes), T(golden_norms), T(golden_norms_of_nothing), T(norm_range), T(norm_axes),
        T(golden_numbers), T(golden_ranks_and_least_squares),
        T(golden_exponentials), T(exponentials), T(golden_tensors), T(longley),
        T(least_squares_batches), T(least_squares_large),
        T(least_squares_hard), T(determinants), T(ranks), T(errors), T(memory_limits)};
    g_load("solve.bin");
    int failed = T_RUN("solve", tests);
    g_free();
    return failed;
}
