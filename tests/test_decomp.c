/* Decompositions: LAPACK's residual ratios, computed on the host by plain
   loops, for hard spectra, every shape and dtype, batches and views; known
   singular values and eigenvalues; errors and their texts.                 */
#include "linalg.h"

static const int64_t sizes[][2] = {{1, 1}, {1, 6}, {6, 1}, {5, 5}, {9, 4},
                                   {4, 9}, {32, 32}, {40, 33}, {33, 40},
                                   {70, 12}};

/* Everything strictly above (or below) the diagonal is 0, bit for bit. */
static void is_triangle(t_mat a, bool lower, bool unit) {
    for (int64_t i = 0; i < a.m; i++)
        for (int64_t j = 0; j < a.n; j++) {
            const double *v = a.v + 2 * (i * a.n + j);
            if (lower ? j > i : j < i) T_CHECK(v[0] == 0 && v[1] == 0);
            if (unit && i == j) T_CHECK(v[0] == 1 && v[1] == 0);
        }
}
/* The shape of x with other last axes; n < 0: one axis in place of two. */
static ga_shape shaped(const ga_array *x, int64_t m, int64_t n) {
    ga_shape s = ga_shape_of(x);
    s.dim[s.ndim - 2] = m;
    s.dim[s.ndim - 1] = n;
    if (n < 0) s.ndim--, s.dim[s.ndim] = 0;
    return s;
}
static int64_t rows_of(const ga_array *x) { return x->shape[x->ndim - 2]; }
static int64_t cols_of(const ga_array *x) { return x->shape[x->ndim - 1]; }
static int64_t batch_of(const ga_array *x) {
    int64_t b = 1;
    for (int i = 0; i < x->ndim - 2; i++) b *= x->shape[i];
    return b;
}
/* The dtype that results have. */
static ga_dtype worked(ga_dtype t) {
    return t_is_int(t) || t == GA_BOOL ? GA_FLOAT64 : t;
}
/* max |got - want| / (n eps max |want|) of real vectors. */
static double off_by(const double *got, const double *want, int64_t n,
                     int64_t size, ga_dtype t) {
    double most = 0, off = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(want[i]));
        off = fmax(off, isnan(got[i]) ? (double)INFINITY
                                      : fabs(got[i] - want[i]));
    }
    return off == 0 ? 0 : off / most / ((double)size * t_eps(t));
}
static double *reals(const ga_array *x, int64_t b, int64_t n) {
    double *v = (double *)t_alloc((size_t)(n + 1) * sizeof *v);
    const void *p = t_host(x);
    for (int64_t i = 0; i < n && x; i++)
        v[i] = t_value(p, x->dtype, b * n + i, 0);
    return v;
}

/* ------------------------------------------- each routine on one operand */
static void check_qr(const ga_array *x) {
    ga_dtype t = worked(x->dtype);
    int64_t m = rows_of(x), n = cols_of(x), k = m < n ? m : n;
    for (int complete = 0; complete < 2; complete++) {
        ga_array *q = NULL, *r = NULL, *alone = NULL;
        int64_t c = complete ? m : k;
        T_CHECK(ga_qr(x, complete, &q, &r) == GA_OK);
        if (!t_is(q, t, shaped(x, m, c)) || !t_is(r, t, shaped(x, c, n)))
            return;
        T_CHECK(ga_is_contiguous(q) && ga_is_contiguous(r));
        for (int64_t b = 0; b < batch_of(x); b++) {
            t_mat mq = t_mat_at(q, b), mr = t_mat_at(r, b);
            T_GOOD(t_ratio(t_mat_at(x, b), mq, mr, t));
            T_GOOD(t_ratio_columns(mq, t));
            is_triangle(mr, false, false);
        }
        T_CHECK(ga_qr(x, complete, NULL, &alone) == GA_OK);
        t_same_arrays(alone, r, 0);
        ga_free(alone);
        T_CHECK(ga_qr(x, complete, &alone, NULL) == GA_OK);
        t_same_arrays(alone, q, 0);
        ga_free(alone);
        ga_free(q);
        ga_free(r);
    }
}
static void check_lu(const ga_array *x) {
    ga_dtype t = worked(x->dtype);
    int64_t m = rows_of(x), n = cols_of(x), k = m < n ? m : n;
    ga_array *p = NULL, *l = NULL, *u = NULL, *alone = NULL;
    T_CHECK(ga_lu(x, &p, &l, &u) == GA_OK);
    if (!t_is(p, t, shaped(x, m, m)) || !t_is(l, t, shaped(x, m, k))
        || !t_is(u, t, shaped(x, k, n)))
        return;
    for (int64_t b = 0; b < batch_of(x); b++) {
        t_mat mp = t_mat_at(p, b), ml = t_mat_at(l, b), mu = t_mat_at(u, b);
        T_CHECK(t_ratio_columns(mp, t) == 0);   /* a permutation            */
        for (int64_t i = 0; i < m * m; i++)
            T_CHECK(mp.v[2 * i] == 0 || mp.v[2 * i] == 1);
        T_GOOD(t_ratio(t_mat_at(x, b), t_mat_mul(mp, ml), mu, t));
        is_triangle(ml, true, true);
        is_triangle(mu, false, false);
        for (int64_t i = 0; i < m * k; i++)     /* partial pivoting         */
            T_CHECK(hypot(ml.v[2 * i], ml.v[2 * i + 1]) < 1.4143);
    }
    T_CHECK(ga_lu(x, NULL, &alone, NULL) == GA_OK);
    t_same_arrays(alone, l, 0);
    ga_free(p);
    ga_free(l);
    ga_free(u);
    ga_free(alone);
}
/* known: the singular values, descending, or NULL. */
static void check_svd(const ga_array *x, const double *known) {
    ga_dtype t = worked(x->dtype);
    int64_t m = rows_of(x), n = cols_of(x), k = m < n ? m : n;
    for (int full = 0; full < 2; full++) {
        ga_array *u = NULL, *s = NULL, *vh = NULL, *alone = NULL;
        int64_t cu = full ? m : k, rv = full ? n : k;
        T_CHECK(ga_svd(x, full, &u, &s, &vh) == GA_OK);
        if (!t_is(u, t, shaped(x, m, cu)) || !t_is(vh, t, shaped(x, rv, n))
            || !t_is(s, t_real_of(t), shaped(x, k, -1)))
            return;
        for (int64_t b = 0; b < batch_of(x); b++) {
            t_mat mu = t_mat_at(u, b), mv = t_mat_at(vh, b);
            t_mat us = t_mat_scaled(mu, s, b, rv);
            double *v = reals(s, b, k);
            T_GOOD(t_ratio(t_mat_at(x, b), us, mv, t));
            T_GOOD(t_ratio_columns(mu, t));
            T_GOOD(t_ratio_rows(mv, t));
            for (int64_t i = 0; i < k; i++)
                T_CHECK(v[i] >= 0 && (i == 0 || v[i] <= v[i - 1]));
            if (known) T_GOOD(off_by(v, known, k, m > n ? m : n, t));
        }
        T_CHECK(ga_svd(x, full, NULL, NULL, &alone) == GA_OK);
        t_same_arrays(alone, vh, 0);
        ga_free(alone);
        alone = ga_svdvals(x);
        if (t_is(alone, t_real_of(t), shaped(x, k, -1)))
            for (int64_t b = 0; b < batch_of(x); b++)
                T_GOOD(off_by(reals(alone, b, k), reals(s, b, k), k,
                              m > n ? m : n, t));
        ga_free(alone);
        ga_free(u);
        ga_free(s);
        ga_free(vh);
    }
}
/* x Hermitian in its lower triangle; h: what stands for it. */
static void check_eigh(const ga_array *x, const ga_array *h,
                       const double *known) {
    ga_dtype t = worked(x->dtype);
    int64_t n = cols_of(x);
    ga_array *w = NULL, *v = NULL, *alone = NULL;
    T_CHECK(ga_eigh(x, &w, &v) == GA_OK);
    if (!t_is(w, t_real_of(t), shaped(x, n, -1))
        || !t_is(v, t, shaped(x, n, n)))
        return;
    alone = ga_eigvalsh(x);
    for (int64_t b = 0; b < batch_of(x); b++) {
        t_mat mv = t_mat_at(v, b);
        double *value = reals(w, b, n);
        T_GOOD(t_ratio(t_mat_at(h, b),
                       t_mat_scaled(mv, w, b, n), t_mat_h(mv), t));
        T_GOOD(t_ratio_columns(mv, t));
        for (int64_t i = 1; i < n; i++) T_CHECK(value[i] >= value[i - 1]);
        if (known) T_GOOD(off_by(value, known, n, n, t));
        if (alone) T_GOOD(off_by(reals(alone, b, n), value, n, n, t));
    }
    T_CHECK(alone != NULL);
    ga_free(alone);
    alone = NULL;
    T_CHECK(ga_eigh(x, NULL, &alone) == GA_OK);
    t_same_arrays(alone, v, 0);
    ga_free(alone);
    ga_free(w);
    ga_free(v);
}
static void check_eig(const ga_array *x) {
    ga_dtype t = worked(x->dtype);
    ga_dtype z = t_real_of(t) == GA_FLOAT32 ? GA_COMPLEX64 : GA_COMPLEX128;
    int64_t n = cols_of(x);
    ga_array *w = NULL, *v = NULL, *alone = NULL;
    T_CHECK(ga_eig(x, &w, &v) == GA_OK);
    if (!t_is(w, z, shaped(x, n, -1)) || !t_is(v, z, shaped(x, n, n))) return;
    const void *mw = t_host(w);
    for (int64_t b = 0; b < batch_of(x); b++) {
        t_mat a = t_mat_at(x, b), mv = t_mat_at(v, b);
        t_mat off = t_mat_sub(t_mat_mul(a, mv), t_mat_scaled(mv, w, b, n));
        double size = t_mat_norm(a);
        T_GOOD(size > 0 ? t_mat_norm(off) / size / ((double)n * t_eps(t)) : 0);
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++)
                sum += mv.v[2 * (i * n + j)] * mv.v[2 * (i * n + j)]
                     + mv.v[2 * (i * n + j) + 1] * mv.v[2 * (i * n + j) + 1];
            T_GOOD(fabs(sum - 1) / t_eps(t) / (double)n);
        }
        for (int64_t j = 0; j < n && !t_is_complex(t); j++) {
            double re = t_value(mw, z, b * n + j, 0), im = t_value(mw, z, b * n + j, 1);
            if (im > 0) T_CHECK(t_value(mw, z, b * n + j + 1, 0) == re
                                && t_value(mw, z, b * n + j + 1, 1) == -im);
        }
    }
    alone = ga_eigvals(x);
    t_is(alone, z, shaped(x, n, -1));
    ga_free(alone);
    ga_free(w);
    ga_free(v);
}
/* h positive definite; x has its lower triangle. */
static void check_cholesky(const ga_array *x, const ga_array *h) {
    ga_dtype t = worked(x->dtype);
    ga_array *l = ga_cholesky(x);
    if (!t_is(l, t, shaped(x, rows_of(x), cols_of(x)))) return;
    T_CHECK(ga_is_contiguous(l));
    for (int64_t b = 0; b < batch_of(x); b++) {
        t_mat ml = t_mat_at(l, b);
        T_GOOD(t_ratio(t_mat_at(h, b), ml, t_mat_h(ml), t));
        is_triangle(ml, true, false);
        for (int64_t i = 0; i < ml.n; i++)
            T_CHECK(ml.v[2 * (i * ml.n + i)] > 0);
    }
    ga_free(l);
}
/* h with NaN above the diagonal: what must not be read. */
static ga_array *lower_alone(const ga_array *h) {
    int64_t n = cols_of(h);
    ga_array *x = ga_copy(h);
    for (int64_t i = 0; i + 1 < n; i++) {
        ga_array *row = ga_slice_axis(ga_index_axis(x, -2, i), -1, i + 1, n, 1);
        ga_assign(row, NAN);
    }
    return x;
}
/* Eigenvalues, ascending, of a kind. */
static double *spectrum(t_kind kind, int64_t n, bool positive) {
    double *w = (double *)t_alloc((size_t)(n + 1) * sizeof *w);
    for (int64_t i = 0; i < n; i++) {
        double f = (double)i / (double)(n > 1 ? n - 1 : 1);
        w[i] = kind == T_GRADED ? pow(1e-14, 1 - f)
             : kind == T_CLUSTERED ? (double)(1 + 3 * i / n)
             : kind == T_DEFICIENT ? (2 * i < n && !positive ? 0 : 1 + f)
             : kind == T_HUGE ? 1e30 * (1 + f)
             : kind == T_TINY ? 1e-30 * (1 + f)
             : 1 + 10 * f - (positive ? 0 : 5);
    }
    return w;
}

/* --------------------------------------------------------------- spectra */
#define EACH_DTYPE(name)                                                    \
    TEST(name##_float32) { name(GA_FLOAT32); }                              \
    TEST(name##_float64) { name(GA_FLOAT64); }                              \
    TEST(name##_complex64) { name(GA_COMPLEX64); }                          \
    TEST(name##_complex128) { name(GA_COMPLEX128); }
#define T_EACH(name) \
    T(name##_float32), T(name##_float64), T(name##_complex64), \
    T(name##_complex128)

static void spectra(ga_dtype t) {
    T_LAPACK;
    for (int kind = 0; kind < T_KINDS; kind++)
        for (size_t i = 0; i < T_COUNT(sizes); i++) {
            if (t_quick() && ((size_t)kind + i) % 5) continue;
            GA_SCOPE;
            ga_array *x = t_matrix((t_kind)kind, sizes[i][0], sizes[i][1], t);
            t_context("%s %s (%d,%d)", ga_dtype_name(t), t_kind_name[kind],
                      (int)sizes[i][0], (int)sizes[i][1]);
            check_qr(x);
            check_lu(x);
            check_svd(x, NULL);
            if (sizes[i][0] == sizes[i][1]) check_eig(x);
        }
}
EACH_DTYPE(spectra)

static void hermitian(ga_dtype t) {
    T_LAPACK;
    static const t_kind kinds[] = {T_UNIFORM, T_GRADED, T_CLUSTERED,
                                   T_DEFICIENT, T_HUGE, T_TINY};
    static const int64_t order[] = {1, 2, 5, 32, 47};
    for (size_t k = 0; k < T_COUNT(kinds); k++)
        for (size_t i = 0; i < T_COUNT(order); i++) {
            if (t_quick() && (k + i) % 5) continue;
            GA_SCOPE;
            double *w = spectrum(kinds[k], order[i], false);
            ga_array *h = t_hermitian(order[i], w, t);
            t_context("%s %s of order %d", ga_dtype_name(t),
                      t_kind_name[kinds[k]], (int)order[i]);
            check_eigh(h, h, w);
            check_eigh(lower_alone(h), h, w);
            if (kinds[k] == T_GRADED) continue;  /* not positive, rounded   */
            h = t_hermitian(order[i], spectrum(kinds[k], order[i], true), t);
            check_cholesky(h, h);
            check_cholesky(lower_alone(h), h);
        }
}
EACH_DTYPE(hermitian)

/* Chosen singular values, through every driver. */
static void known_values(ga_dtype t) {
    T_LAPACK;
    static const int64_t shape[][2] = {{20, 20}, {50, 20}, {20, 50}, {64, 64}};
    for (int way = GA_SVD_AUTO; way <= GA_SVD_JACOBI; way++)
        for (size_t i = 0; i < T_COUNT(shape); i++) {
            GA_SCOPE;
            int64_t m = shape[i][0], n = shape[i][1], k = m < n ? m : n;
            double *s = (double *)t_alloc((size_t)k * sizeof *s);
            for (int64_t j = 0; j < k; j++) s[j] = 1 + 9.0 * (double)(k - j);
            t_mat a = t_mat_spectrum(m, n, s, t, false);
            t_context("driver %d, %s (%d,%d)", way, ga_dtype_name(t), (int)m,
                      (int)n);
            T_CHECK(ga_svd_driver((ga_svd_method)way) == GA_SVD_AUTO);
            check_svd(t_mat_array(&a, 1, t, GA_SHAPE(m, n)), s);
            T_CHECK(ga_svd_driver(GA_SVD_AUTO) == (ga_svd_method)way);
        }
}
EACH_DTYPE(known_values)

/* Larger, where blocked code runs and the GPU's small routines do not. */
static void larger(ga_dtype t) {
    T_LAPACK;
    static const int64_t shape[][2] = {{130, 130}, {300, 60}, {60, 300}};
    for (int kind = 0; kind < T_KINDS; kind += t_quick() ? 2 : 1)
        for (size_t i = 0; i < (t_quick() ? 1 : T_COUNT(shape)); i++) {
            GA_SCOPE;
            ga_array *x = t_matrix((t_kind)kind, shape[i][0], shape[i][1], t);
            t_context("%s %s (%d,%d)", ga_dtype_name(t), t_kind_name[kind],
                      (int)shape[i][0], (int)shape[i][1]);
            check_qr(x);
            check_svd(x, NULL);
        }
    static const int64_t thin[][2] = {{140, 9}, {20, 200}, {300, 70}};
    for (size_t i = 0; i < (t_quick() ? 2 : T_COUNT(thin)); i++) {
        GA_SCOPE;
        int64_t m = thin[i][0], n = thin[i][1];
        ga_array *x = t_random_array(t, GA_SHAPE(3, m, n), -1, 1);
        ga_assign(ga_slice(x, "1, :, 1"), ga_slice(x, "1, :, 0"));
        t_context("%s (3,%d,%d)", ga_dtype_name(t), (int)m, (int)n);
        check_svd(x, NULL);
    }
    GA_SCOPE;
    double *w = spectrum(T_UNIFORM, 150, true);
    ga_array *h = t_hermitian(150, w, t);
    t_context("%s of order 150", ga_dtype_name(t));
    check_eigh(h, h, w);
    check_cholesky(h, h);
    check_lu(h);
    check_eig(t_matrix(T_UNIFORM, 90, 90, t));
    /* a batch, by blocks; of the second a minor of the second block is not
       positive definite                                                     */
    ga_array *pair = ga_copy(ga_broadcast_to(h, GA_SHAPE(2, 150, 150)));
    check_cholesky(lower_alone(pair), pair);
    ga_assign(ga_slice(pair, "1, 139, 139"), -1);
    T_CHECK(ga_cholesky(pair) == NULL);
    T_CHECK(ga_error() == GA_ERR_NOT_POSITIVE_DEFINITE
            && !strcmp(ga_error_message(), "ga_cholesky: the leading minor of "
                       "order 140 of matrix (1,) is not positive definite"));
    ga_clear_error();
}
EACH_DTYPE(larger)

/* Reflectors that are the identity, several blocks of them, singular vectors
   that are unit vectors: what the GPU's products and completions of a basis
   could divide by.                                                         */
static void structured(ga_dtype t) {
    T_LAPACK;
    static const int64_t shape[][2] = {{40, 40}, {90, 40}, {40, 90},
                                       {150, 140}, {300, 140}, {300, 290}};
    for (size_t i = 0; i < (t_quick() ? 3 : T_COUNT(shape)); i++)
        for (int kind = 0; kind < 7; kind++) {
            GA_SCOPE;
            int64_t m = shape[i][0], n = shape[i][1], k = m < n ? m : n;
            ga_array *x = ga_eye(m, n, 0, t), *part;
            if (kind == 1) x = ga_neg(x);
            if (kind == 2) x = ga_eye(m, n, 1, t);
            if (kind == 3) x = ga_flip(x, GA_AXIS(1));
            if (kind == 4) x = ga_eye(m, n, k / 2, t);
            if (kind >= 5) x = t_random_array(t, GA_SHAPE(m, n), -1, 1);
            part = kind == 5 ? ga_slice_axis(x, 1, k / 3, k / 2, 1)
                             : ga_slice_axis(x, 0, k / 2, m, 1);
            if (kind >= 5) ga_assign(part, 0);
            t_context("%s (%d,%d), structure %d", ga_dtype_name(t), (int)m,
                      (int)n, kind);
            check_qr(x);
            if (m != 300) check_svd(x, NULL);
        }
}
EACH_DTYPE(structured)

/* ------------------------------------------------------ batches and views */
static void batches(ga_dtype t) {
    T_LAPACK;
    GA_SCOPE;
    ga_array *x = t_random_array(t, GA_SHAPE(2, 3, 6, 4), -1, 1);
    ga_array *square = t_random_array(t, GA_SHAPE(3, 7, 7), -1, 1);
    ga_array *big = t_random_array(t, GA_SHAPE(2, 40, 36), -1, 1);
    ga_array *view[] = {
        x, big, square, ga_transpose(x, GA_ALL), ga_swapaxes(x, -1, -2),
        ga_slice(x, "::-1, 1:, ::-2, ::2"), ga_slice(x, "..., 1:4, :"),
        ga_broadcast_to(ga_slice(square, "0"), GA_SHAPE(2, 2, 7, 7)),
        ga_slice(big, "1, ::3, 5"), ga_slice(square, "0:0"),
    };
    view[8] = ga_reshape(view[8], GA_SHAPE(1, 1, 14, 1));
    for (size_t i = 0; i < T_COUNT(view); i++) {
        t_context("%s, view %d", ga_dtype_name(t), (int)i);
        check_qr(view[i]);
        check_lu(view[i]);
        check_svd(view[i], NULL);
    }
    check_eig(square);
    check_eig(view[7]);
    /* positive definite ones, differing over the batch */
    double *w = spectrum(T_UNIFORM, 6, true);
    t_mat a[4];
    for (int i = 0; i < 4; i++) a[i] = t_mat_spectrum(6, 6, w, t, true);
    ga_array *h = t_mat_array(a, 4, t, GA_SHAPE(2, 2, 6, 6));
    t_context("%s, positive definite", ga_dtype_name(t));
    check_cholesky(h, h);
    check_eigh(h, h, w);
    check_cholesky(lower_alone(h), h);
    check_eigh(lower_alone(h), h, w);
    ga_array *v = ga_slice(h, "::-1, 1");
    check_cholesky(v, v);
    check_eigh(v, v, w);
    /* one matrix of the batch near the end of the range, one near the other */
    bool single = t_real_of(t) == GA_FLOAT32;
    const double ends[] = {single ? 1e34 : 1e300, 1, single ? 1e-34 : 1e-300};
    ga_array *scale = ga_asarray_as(ends, GA_FLOAT64, GA_SHAPE(3, 1, 1));
    ga_array *wild = ga_mul(square, ga_astype(scale, t));
    t_context("%s, one huge, one tiny", ga_dtype_name(t));
    check_svd(wild, NULL);
    check_qr(wild);
    check_eig(wild);
}
EACH_DTYPE(batches)

/* More matrices than cuSOLVER takes at once. */
TEST(many_small_matrices) {
    T_LAPACK;
    GA_SCOPE;
    const int64_t batch = t_quick() ? 1000 : 100000;
    ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(batch, 8, 8), -1, 1), *w, *v;
    ga_array *h = ga_add(x, ga_swapaxes(x, -1, -2));
    T_CHECK(ga_eigh(h, &w, &v) == GA_OK);
    ga_array *back = ga_matmul(ga_mul(v, ga_expand_dims(w, GA_AXIS(-2))),
                               ga_swapaxes(v, -1, -2));
    T_CHECK(ga_item(ga_max(ga_abs(ga_sub(back, h)), GA_ALL)) < 1e-4);
}

/* Batches small enough for one launch of the GPU, of hard spectra. */
static void small_batches(ga_dtype t) {
    T_LAPACK;
    static const int64_t shape[][2] = {{32, 32}, {9, 31}, {12, 8}, {3, 3}};
    for (int kind = 0; kind < T_KINDS; kind++)
        for (size_t i = 0; i < T_COUNT(shape); i++) {
            GA_SCOPE;
            t_mat a[5];
            int64_t m = shape[i][0], n = shape[i][1];
            for (int b = 0; b < 5; b++)
                a[b] = t_mat_kind((t_kind)kind, m, n, t);
            t_context("%s %s (5,%d,%d)", ga_dtype_name(t), t_kind_name[kind],
                      (int)m, (int)n);
            check_svd(t_mat_array(a, 5, t, GA_SHAPE(5, m, n)), NULL);
        }
}
EACH_DTYPE(small_batches)

/* Of a pair of columns, or one, a whole U: more than a GPU's block has room
   for, though a warp does all the work.                                     */
static void narrow_batches(ga_dtype t) {
    T_LAPACK;
    static const int64_t shape[][2] = {{128, 2}, {2, 127}, {120, 1}};
    for (size_t i = 0; i < T_COUNT(shape); i++) {
        GA_SCOPE;
        t_mat a[9];
        int64_t m = shape[i][0], n = shape[i][1];
        for (int b = 0; b < 9; b++) a[b] = t_mat_kind((t_kind)0, m, n, t);
        t_context("%s (9,%d,%d)", ga_dtype_name(t), (int)m, (int)n);
        check_svd(t_mat_array(a, 9, t, GA_SHAPE(9, m, n)), NULL);
    }
}
EACH_DTYPE(narrow_batches)

/* On either side of where the GPU's small kernels go from lanes of a warp to a
   block, from shared memory to global memory, to cuSOLVER.                  */
static void orders(ga_dtype t) {
    T_LAPACK;
    static const int64_t order[] = {4, 7, 8, 16, 17, 33, 64, 65, 100, 128, 129};
    for (size_t i = 0; i < T_COUNT(order); i++) {
        if (t_quick() ? i % 3 != (size_t)t % 3 : !t_on_gpu() && order[i] > 65)
            continue;
        GA_SCOPE;
        int64_t n = order[i], thin = n / 2 + 1;
        ga_array *x = t_random_array(t, GA_SHAPE(2, n, n), -1, 1);
        ga_array *h = t_hermitian(n, spectrum(T_UNIFORM, n, true), t);
        t_context("%s of order %d", ga_dtype_name(t), (int)n);
        check_svd(x, NULL);
        check_svd(ga_slice_axis(x, -1, 0, thin, 1), NULL);
        check_svd(ga_slice_axis(x, -2, 0, thin, 1), NULL);
        check_qr(x);
        check_qr(ga_slice_axis(x, -1, 0, thin, 1));
        check_qr(ga_slice_axis(x, -2, 0, thin, 1));
        check_lu(x);
        check_eigh(h, h, NULL);
        check_cholesky(lower_alone(h), h);
    }
}
EACH_DTYPE(orders)

/* A matrix up to 32x32 gives the same bits alone and among a few; a larger one by
   QR and Cholesky's, of 40 rows also by the SVD, eigh and eig.              */
static void alone_and_among(ga_dtype t) {
    T_LAPACK;
    static const int64_t order[] = {3, 8, 16, 20, 40, 70};
    for (size_t i = 0; i < T_COUNT(order); i++) {
        GA_SCOPE;
        int64_t n = order[i], at = 17;
        ga_array *x = t_random_array(t, GA_SHAPE(19, n, n), -1, 1);
        ga_array *one = ga_index_axis(x, 0, at), *r[2][13] = {{NULL}};
        ga_array *h = ga_add(ga_matmul(x, ga_conj(ga_swapaxes(x, -1, -2))),
                             ga_eye(n, n, 0, t));
        t_context("%s of order %d", ga_dtype_name(t), (int)n);
        for (int k = 0; k < 2; k++) {
            const ga_array *a = k ? one : x;
            T_CHECK(ga_svd(a, false, &r[k][0], &r[k][1], &r[k][2]) == GA_OK);
            T_CHECK(ga_eigh(a, &r[k][3], &r[k][4]) == GA_OK);
            T_CHECK(ga_qr(a, false, &r[k][5], &r[k][6]) == GA_OK);
            r[k][7] = ga_cholesky(k ? ga_index_axis(h, 0, at) : h);
            T_CHECK(ga_eig(a, &r[k][8], &r[k][9]) == GA_OK);
            r[k][10] = ga_eigvals(a);
            r[k][11] = ga_inv(a);
            r[k][12] = n <= 32 ? ga_det(a) : NULL;  /* else by products      */
        }
        const int of = n <= 32 ? 13 : n <= 64 ? 11 : 8;
        for (int f = n <= 64 ? 0 : 5; f < of; f++)
            t_same_arrays(ga_index_axis(r[0][f], 0, at), r[1][f], 0);
    }
}
EACH_DTYPE(alone_and_among)

/* ------------------------------------------------- matrices of all kinds */
/* The sum of x's b-th diagonal or, one axis less, of its b-th row. */
static void sum_of(const ga_array *x, int64_t b, int64_t n, bool row,
                   double *sum) {
    const void *p = t_host(x);
    sum[0] = sum[1] = 0;
    for (int64_t i = 0; i < n && x; i++)
        for (int k = 0; k < 1 + t_is_complex(x->dtype); k++)
            sum[k] += t_value(p, x->dtype, row ? b * n + i
                                               : (b * n + i) * n + i, k);
}
/* The eigenvalues of each add up to its trace. */
static void check_trace(const ga_array *x, const ga_array *w) {
    const int64_t n = cols_of(x);
    for (int64_t b = 0; b < batch_of(x) && w; b++) {
        double want[2], got[2];
        sum_of(x, b, n, false, want);
        sum_of(w, b, n, true, got);
        const double size = t_mat_norm(t_mat_at(x, b)) * (double)n;
        T_GOOD(size > 0 ? hypot(want[0] / size - got[0] / size,
                                want[1] / size - got[1] / size)
                              / t_eps(x->dtype) : 0);
    }
}
/* Each of the n numbers of `want` is among the b-th eigenvalues, within `most`
   n eps of the largest.                                                     */
static void check_among(const ga_array *w, int64_t b, const double *want,
                        int64_t n, double most) {
    const void *p = t_host(w);
    double size = 0, off = 0;
    for (int64_t i = 0; i < 2 * n; i++) size = fmax(size, fabs(want[i]));
    for (int64_t i = 0; i < n && w; i++) {
        double best = INFINITY;
        for (int64_t k = 0; k < n; k++)
            best = fmin(best, hypot(
                t_value(p, w->dtype, b * n + k, 0) - want[2 * i],
                t_value(p, w->dtype, b * n + k, 1) - want[2 * i + 1]));
        off = fmax(off, best);
    }
    T_CHECKF(off <= most * (double)n * t_eps(w->dtype) * size,
             "eigenvalues of %d are off by %g", (int)b, off);
}
enum { UPPER, LOWER, MIXED, CYCLE, CYCLE_BACK, ROOTS, JORDAN, JORDAN_BACK,
       NIL, TURNED, SKEW, ORTHOGONAL, BLOCKS, FRANK, ONES, ZERO, EYE, GRADED,
       SIMILAR, SPARSE, RANDOM, POSITIVE, GENERAL_KINDS };
/* The matrix of a kind, of norm 1 to 100 or so. */
static t_mat general_kind(int kind, int64_t n, ga_dtype t) {
    t_mat a = t_mat_new(n, n);
    const bool single = t_real_of(t) == GA_FLOAT32;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            double *v = a.v + 2 * (i * n + j), r = t_uniform(-1, 1);
            const double s = t_is_complex(t) ? t_uniform(-1, 1) : 0;
            const int64_t p = i * 5 % n, q = j * 5 % n; /* n is not 5, 10 ..  */
            const bool chain = kind == JORDAN || kind == TURNED;
            const bool full = kind >= RANDOM || kind == GRADED
                              || kind == SIMILAR || (kind == UPPER && j >= i)
                              || (kind == LOWER && j <= i)
                              || (kind == MIXED && q >= p)
                              || (kind == SPARSE && t_uniform(0, 1) < 0.2);
            if (full) v[0] = r, v[1] = kind == POSITIVE ? 0 : s;
            if (kind == POSITIVE) v[0] = fabs(r);
            if (kind == CYCLE) v[0] = j == (i + 1) % n;
            if (kind == CYCLE_BACK) v[0] = i == (j + 1) % n;
            if (kind == ROOTS) v[0] = j + 1 == i;
            if (kind == ROOTS && i == 0) v[0] = r, v[1] = s;
            if (chain || kind == JORDAN_BACK)
                v[0] = i == j ? 2 : (chain ? j - i : i - j) == 1;
            if (kind == NIL) v[0] = j == i + 1;
            if (kind == ORTHOGONAL || kind == EYE) v[0] = i == j;
            if (kind == SKEW)
                v[0] = i == j ? 0 : i > j ? r : -a.v[2 * (j * n + i)];
            if (kind == BLOCKS)     /* many a pair of the same               */
                v[0] = i / 2 == j / 2 ? i > j ? -1 : 1 : 0;
            if (kind == FRANK)
                v[0] = j + 1 < i ? 0
                       : (double)(n - (i > j ? i : j)) / (double)n;
            if (kind == ONES) v[0] = 1;
            if (kind == GRADED) {
                const double f = pow(single ? 1e-5 : 1e-12,
                                     (double)i / (double)n);
                v[0] *= f, v[1] *= f;
            }
            if (kind == SIMILAR) {
                const double f = pow(single ? 1e2 : 1e4,
                                     (double)(i * 7 % 5 - j * 7 % 5) / 4);
                v[0] *= f, v[1] *= f;
            }
        }
    for (int k = 0; k < 3 && (kind == TURNED || kind == ORTHOGONAL); k++) {
        const uint64_t seed = t_seed;
        t_reflect(a, t_is_complex(t));
        if (kind == ORTHOGONAL) continue;
        t_seed = seed;
        a = t_mat_h(a);
        t_reflect(a, t_is_complex(t));
        a = t_mat_h(a);
    }
    return a;
}
static void general(ga_dtype t) {
    T_LAPACK;
    static const int64_t order[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 47,
                                    64, 66};
    for (size_t k = 0; k < T_COUNT(order); k++) {
        if (order[k] > 8 && (k + (size_t)t) % (t_quick() ? 5 : t_on_gpu() ? 1 : 2))
            continue;
        GA_SCOPE;
        const int64_t n = order[k];
        t_mat a[GENERAL_KINDS];
        for (int i = 0; i < GENERAL_KINDS; i++) a[i] = general_kind(i, n, t);
        ga_array *x = t_mat_array(a, GENERAL_KINDS, t,
                                  GA_SHAPE(GENERAL_KINDS, n, n));
        ga_array *w[2] = {ga_eigvals(x)}, *v = NULL;
        t_context("%s of order %d", ga_dtype_name(t), (int)n);
        check_eig(x);
        T_CHECK(ga_eig(x, &w[1], &v) == GA_OK);
        for (int i = 0; i < 2; i++) {
            double *want = (double *)t_alloc((size_t)n * 2 * sizeof *want);
            check_trace(x, w[i]);
            for (int b = UPPER; b <= MIXED; b++) {  /* to the bit           */
                const t_mat m = t_mat_at(x, b);
                for (int64_t j = 0; j < 2 * n; j++)
                    want[j] = m.v[2 * (j / 2 * (n + 1)) + j % 2];
                check_among(w[i], b, want, n, 0);
            }
            for (int64_t j = 0; j < n; j++) {
                const double angle = 6.283185307179586 * (double)j / (double)n;
                want[2 * j] = cos(angle);
                want[2 * j + 1] = sin(angle);
            }
            check_among(w[i], CYCLE, want, n, T_RATIO);
            check_among(w[i], CYCLE_BACK, want, n, T_RATIO);
            for (int64_t j = 0; j < 2 * n; j++)
                want[j] = j % 2 ? 0 : 2;
            check_among(w[i], JORDAN, want, n, 0);
            check_among(w[i], JORDAN_BACK, want, n, 0);
            memset(want, 0, (size_t)n * 2 * sizeof *want);
            check_among(w[i], NIL, want, n, 0);
            check_among(w[i], ZERO, want, n, 0);
        }
        /* rows of sizes far apart, where the rounding of the largest is all of
           the smallest: their sum is that of the diagonal                   */
        ga_array *far = ga_power(10.0, ga_multiply(ga_subtract(
            ga_remainder(ga_arange_as(0, (double)n, 1, GA_FLOAT64), 3), 1), 10));
        far = ga_multiply(ga_slice(x, "-1"), ga_astype(
            ga_reshape(far, GA_SHAPE(-1, 1)), t));
        check_trace(far, ga_eigvals(far));
        T_CHECK(ga_eig(far, &w[1], &v) == GA_OK);
        check_trace(far, w[1]);
        /* near the ends of the range, and what no result is made of         */
        const bool single = t_real_of(t) == GA_FLOAT32;
        check_eig(ga_multiply(x, ga_astype(ga_full(
            GA_SHAPE(1), single ? 1e34 : 1e300, GA_FLOAT64), t)));
        check_eig(ga_multiply(ga_slice(x, "-3:"), ga_astype(ga_full(
            GA_SHAPE(1), single ? 1e-33 : 1e-300, GA_FLOAT64), t)));
        ga_assign(ga_slice_axis(ga_slice(x, "5, -1"), 0, n / 2, n / 2 + 1, 1),
                  n % 2 ? NAN : INFINITY);
        T_CHECK(ga_eigvals(x) == NULL);
        T_ERROR(GA_ERR_NAN);
        T_CHECK(ga_eig(x, &w[1], &v) == GA_ERR_NAN
                && strstr(ga_error_message(), "an element of matrix (5,) is "
                          "NaN or infinite") != NULL);
        ga_clear_error();
    }
}
EACH_DTYPE(general)

/* Enough that matrices share the GPU's warps: the same bits as alone. */
static void many_general(ga_dtype t) {
    T_LAPACK;
    static const int64_t order[] = {2, 3, 6, 8, 13};
    for (size_t k = 0; k < T_COUNT(order); k++) {
        GA_SCOPE;
        const int64_t n = order[k], many = t_quick() ? 400 : t_on_gpu() ? 9000 : 3000;
        ga_array *x = t_random_array(t, GA_SHAPE(many, n, n), -1, 1), *w, *v;
        ga_array *shear = ga_slice(x, "7::9");  /* defective ones among them  */
        ga_assign(shear, ga_astype(ga_eye(n, n, 1, GA_FLOAT64), t));
        t_context("%s of order %d", ga_dtype_name(t), (int)n);
        T_CHECK(ga_eig(x, &w, &v) == GA_OK);
        ga_array *only = ga_eigvals(x);
        ga_array *off = ga_subtract(ga_matmul(ga_astype(x, v->dtype), v),
            ga_multiply(v, ga_expand_dims(w, GA_AXIS(-2))));
        T_CHECK(ga_item(ga_max(ga_abs(off), GA_ALL))
                < 100 * (double)n * t_eps(t));
        for (int64_t i = 0; i < many; i += many / 7) {
            ga_array *w1, *v1, *one = ga_index_axis(x, 0, i);
            T_CHECK(ga_eig(one, &w1, &v1) == GA_OK);
            t_same_arrays(ga_index_axis(w, 0, i), w1, 0);
            t_same_arrays(ga_index_axis(v, 0, i), v1, 0);
            t_same_arrays(ga_index_axis(only, 0, i), ga_eigvals(one), 0);
        }
    }
}
EACH_DTYPE(many_general)
/* One matrix at the edges of what the GPU's kernels give to a warp, a few and
   many, and a cluster of blocks: its factors, and where it has none.        */
static void one_matrix(ga_dtype t) {
    T_LAPACK;
    static const int64_t order[] = {1, 8, 9, 24, 25, 32, 33, 63, 64, 65, 96, 97,
                                    112, 127, 128};
    const bool all = t_on_gpu() && !t_quick();
    for (size_t i = 0; i < T_COUNT(order); i++) {
        if (!all && i % 4 != (size_t)t % 4) continue;
        GA_SCOPE;
        const int64_t n = order[i];
        ga_array *h = t_hermitian(n, spectrum(T_CLUSTERED, n, true), t);
        t_context("%s of order %d", ga_dtype_name(t), (int)n);
        check_cholesky(lower_alone(h), h);
        for (int way = 0; way < 3; way++) {     /* NaN below: either error   */
            const int64_t k = way == 2 ? n - 1 : n / 2, j = way ? k : k / 2;
            ga_array *x = ga_copy(h);
            ga_array *row = ga_index_axis(x, 0, k);
            ga_assign(ga_slice_axis(row, 0, j, j + 1, 1), way ? -1 : NAN);
            T_CHECK(ga_cholesky(x) == NULL);
            T_CHECK(ga_error() == (way ? GA_ERR_NOT_POSITIVE_DEFINITE
                                       : GA_ERR_NAN));
            char text[40];
            snprintf(text, sizeof text, " order %d is", (int)k + 1);
            T_CHECK(!way || strstr(ga_error_message(), text));
            ga_clear_error();
        }
    }
    static const int64_t shape[][2] = {
        {128, 128}, {65, 33}, {33, 65}, {128, 1}, {1, 128}, {127, 64}, {17, 128},
        {70, 70}, {128, 40}, {97, 96}, {16, 90}, {66, 64}, {64, 66}, {129, 128}};
    for (int kind = 0; kind < T_KINDS; kind++)
        for (size_t i = 0; i < T_COUNT(shape); i++) {
            if (!all && ((size_t)kind + i) % 13) continue;
            GA_SCOPE;
            const int64_t m = shape[i][0], n = shape[i][1];
            ga_array *x = t_matrix((t_kind)kind, m, n, t);
            t_context("%s %s (%d,%d)", ga_dtype_name(t), t_kind_name[kind],
                      (int)m, (int)n);
            check_qr(x);
            check_svd(x, NULL);
        }
}
EACH_DTYPE(one_matrix)

/* c times a matrix of ones, whose singular value is c sqrt(mn), for c from the
   smallest subnormal to near the largest number.                           */
static void any_size(ga_dtype t) {
    T_LAPACK;
    bool single = t == GA_FLOAT32 || t == GA_COMPLEX64;
    const double least = single ? 0x1p-149 : 0x1p-1074;
    const double eps = single ? 1e-6 : 1e-14;
    const double c[] = {least, single ? 3e-40 : 3e-310, single ? 1e-25 : 1e-170,
                        1, single ? 1e15 : 4.7e126, single ? 1e25 : 1e200,
                        single ? 1e37 : 1e307};
    for (size_t i = 0; i < T_COUNT(c); i++) {
        GA_SCOPE;
        ga_array *u, *s, *vt, *x = ga_mul(ga_ones(GA_SHAPE(2, 3, 6), t), c[i]);
        double want = c[i] * sqrt(18), room = eps * want + 4 * least;
        t_context("%s (2,3,6) of %g", ga_dtype_name(t), c[i]);
        T_CHECK(fabs(ga_item(ga_norm(ga_index_axis(x, 0, 1), 2, GA_ALL)) - want)
                <= room);
        T_CHECK(ga_svd(x, false, &u, &s, &vt) == GA_OK);
        T_CHECK(fabs(ga_item(ga_slice(s, "1, 0")) - want) <= room);
        T_CHECK(fabs(ga_item(ga_slice(s, "0, 1"))) <= room);
        T_CHECK(fabs(ga_item(ga_absolute(ga_slice(u, "0, 0, 0")))
                     - sqrt(1. / 3)) < 1e-6);
        T_CHECK(fabs(ga_item(ga_absolute(ga_slice(vt, "1, 0, 5")))
                     - sqrt(1. / 6)) < 1e-6);
    }
}
EACH_DTYPE(any_size)

/* Lower dtypes become float64. */
TEST(integers) {
    T_LAPACK;
    static const ga_dtype types[] = {GA_BOOL, GA_INT8, GA_UINT16, GA_INT32,
                                     GA_INT64, GA_UINT64};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name(types[i]));
        ga_array *x = t_random_array(types[i], GA_SHAPE(5, 4), -9, 9);
        check_qr(x);
        check_lu(x);
        check_svd(x, NULL);
        check_eig(ga_slice(x, "1:"));
        ga_array *e = ga_astype(ga_eye(4, 4, 0, GA_FLOAT64), types[i]);
        check_eigh(e, e, NULL);
        check_cholesky(e, e);
    }
}

/* Orthonormal, whatever the rank: zeros and ones throughout. */
TEST(zero_matrices) {
    T_LAPACK;
    for (int i = 0; i < 4; i++) {
        GA_SCOPE;
        ga_dtype t = t_lapack_dtypes[i];
        ga_array *z = ga_zeros(GA_SHAPE(2, 5, 3), t);
        t_context("%s", ga_dtype_name(t));
        check_qr(z);
        check_lu(z);
        check_svd(z, (double[]){0, 0, 0});
        check_svd(ga_ones(GA_SHAPE(40, 35), t), NULL);
        ga_array *s = ga_zeros(GA_SHAPE(4, 4), t);
        check_eigh(s, s, (double[]){0, 0, 0, 0});
        check_eig(s);
    }
}

/* Values that fall together, elements below the rounding of the rest, blocks
   that are of other sizes: of one warp's rows and of more.                  */
TEST(clustered_eigenvalues) {
    T_LAPACK;
    static const int rows[] = {1, 2, 3, 7, 8, 16, 17, 31, 32, 33};
    for (size_t k = 0; k < T_COUNT(rows); k++) {
        GA_SCOPE;
        const int64_t n = rows[k];
        ga_array *one = ga_ones(GA_SHAPE(n, n), GA_FLOAT64);
        ga_array *eye = ga_eye(n, n, 0, GA_FLOAT64);
        ga_array *col = ga_arange_as(0, (double)n, 1, GA_FLOAT64);
        ga_array *row = ga_reshape(col, GA_SHAPE(-1, 1));
        ga_array *chain = ga_add(ga_eye(n, n, 1, GA_FLOAT64),
                                 ga_eye(n, n, -1, GA_FLOAT64));
        ga_array *apart = ga_not_equal(ga_less(row, n / 2),
                                       ga_less(col, n / 2));
        ga_array *x = ga_stack(0,
            one, ga_add(eye, ga_multiply(one, 1e-9)), eye, chain,
            ga_power(10.0, ga_negative(ga_add(row, col))),
            ga_add(eye, ga_multiply(apart, 1e-25)), ga_multiply(chain, 1e-30));
        for (int i = 0; i < 4; i++) {
            ga_array *y = ga_astype(x, t_lapack_dtypes[i]);
            t_context("%s, %d rows", ga_dtype_name(y->dtype), rows[k]);
            check_eigh(y, y, NULL);
        }
    }
}

TEST(empty) {
    T_LAPACK;
    static const int64_t shape[][2] = {{0, 0}, {0, 3}, {3, 0}};
    for (int i = 0; i < 4; i++)
        for (size_t k = 0; k < T_COUNT(shape); k++) {
            GA_SCOPE;
            ga_dtype t = t_lapack_dtypes[i];
            ga_array *x = ga_zeros(GA_SHAPE(2, shape[k][0], shape[k][1]), t);
            t_context("%s (2,%d,%d)", ga_dtype_name(t), (int)shape[k][0],
                      (int)shape[k][1]);
            check_qr(x);            /* the full Q, U, Vh are identities     */
            check_lu(x);
            check_svd(x, NULL);
            if (k) continue;
            check_eigh(x, x, NULL);
            check_eig(x);
            check_cholesky(x, x);
        }
    GA_SCOPE;
    ga_array *none = ga_zeros(GA_SHAPE(0, 4, 3), GA_FLOAT32);
    check_qr(none);
    check_lu(none);
    check_svd(none, NULL);
    ga_array *square = ga_zeros(GA_SHAPE(2, 0, 4, 4), GA_COMPLEX64);
    check_eigh(square, square, NULL);
    check_eig(square);
    check_cholesky(square, square);
}

/* ------------------------------------------------------ known eigenvalues */
TEST(known_eigenvalues) {
    T_LAPACK;
    GA_SCOPE;
    /* blocks [a b; -b a] under an orthogonal similarity: a +- ib */
    enum { N = 12 };
    t_mat a = t_mat_new(N, N);
    for (int i = 0; i < N; i += 2) {
        double re = i, im = i == 4 ? 0 : 1 + i / 2.0;
        double *p = a.v + 2 * (i * N + i), *q = p + 2 * N;
        p[0] = q[2] = re;
        p[2] = im;
        q[0] = -im;
    }
    for (int k = 0; k < 3; k++) {
        uint64_t seed = t_seed;
        t_reflect(a, false);
        t_seed = seed;
        a = t_mat_h(a);
        t_reflect(a, false);
        a = t_mat_h(a);
    }
    for (int i = 0; i < 4; i++) {
        ga_dtype t = t_lapack_dtypes[i];
        ga_array *x = t_mat_array(&a, 1, t, GA_SHAPE(N, N)), *w = ga_eigvals(x);
        t_context("%s", ga_dtype_name(t));
        check_eig(x);
        const void *p = t_host(w);
        for (int j = 0; j < N && w; j++) {      /* each has its match       */
            double re = j / 2 * 2, im = j / 2 == 2 ? 0 : 1 + j / 2;
            double best = INFINITY;
            if (j % 2) im = -im;
            for (int k = 0; k < N; k++)
                best = fmin(best, hypot(t_value(p, w->dtype, k, 0) - re,
                                        t_value(p, w->dtype, k, 1) - im));
            /* the double one is defective in nothing: |a| n eps            */
            T_GOOD(best / (12.0 * N * t_eps(t)));
        }
    }
}

/* ----------------------------------------------------------------- errors */
#define FAILS(call, status, text)                                           \
    do {                                                                    \
        (void)(call);                                                       \
        const char *message_ = ga_error_message();                          \
        T_CHECKF(strstr(message_, text) != NULL, "%s:%d: \"%s\" has no "    \
                 "\"%s\"", __FILE__, __LINE__, message_, text);             \
        T_ERROR(status);                                                    \
    } while (0)

TEST(errors_of_shape_and_dtype) {
    GA_SCOPE;
    ga_array *v = ga_ones(GA_SHAPE(3), GA_FLOAT64), *q = v, *r = v, *s = v;
    ga_array *wide = ga_ones(GA_SHAPE(2, 3, 4), GA_FLOAT32);
    ga_array *half = ga_ones(GA_SHAPE(2, 2), GA_FLOAT16);
    FAILS(ga_qr(v, false, &q, &r), GA_ERR_SHAPE,
          "ga_qr: a matrix or a batch of them is wanted, not shape (3,)");
    FAILS(ga_svd(v, false, &q, &r, &s), GA_ERR_SHAPE, "ga_svd: ");
    FAILS(ga_lu(v, &q, &r, &s), GA_ERR_SHAPE, "ga_lu: ");
    FAILS(ga_svdvals(v), GA_ERR_SHAPE, "ga_svdvals: ");
    FAILS(ga_cholesky(wide), GA_ERR_SQUARE,
          "ga_cholesky: the last two axes of shape (2,3,4) are not square");
    FAILS(ga_eigh(wide, &q, &r), GA_ERR_SQUARE, "ga_eigh: ");
    FAILS(ga_eigvalsh(wide), GA_ERR_SQUARE, "ga_eigvalsh: ");
    FAILS(ga_eig(wide, &q, &r), GA_ERR_SQUARE, "ga_eig: ");
    FAILS(ga_eigvals(wide), GA_ERR_SQUARE, "ga_eigvals: ");
    FAILS(ga_qr(half, true, &q, &r), GA_ERR_DTYPE,
          "ga_qr: float16 is not supported");
    FAILS(ga_cholesky(ga_astype(half, GA_BFLOAT16)), GA_ERR_DTYPE, "bfloat16");
    FAILS(ga_svd(NULL, true, &q, &r, &s), GA_ERR_NULL, "ga_svd: ");
    FAILS(ga_svd_driver((ga_svd_method)9), GA_ERR_VALUE,
          "ga_svd_driver: 9 is not a method");
    T_CHECK(q == v && r == v && s == v);        /* as they were             */
}
TEST(errors_of_values) {
    T_LAPACK;
    for (int i = 0; i < 4; i++) {
        GA_SCOPE;
        ga_dtype t = t_lapack_dtypes[i];
        ga_array *x = ga_astype(ga_mul(ga_eye(4, 4, 0, GA_FLOAT64), 2), t);
        ga_array *b = ga_copy(ga_broadcast_to(x, GA_SHAPE(2, 2, 4, 4)));
        ga_array *q = x, *r = x, *s = x;
        t_context("%s", ga_dtype_name(t));
        ga_assign(ga_slice(x, "2, 2"), -1);
        FAILS(ga_cholesky(x), GA_ERR_NOT_POSITIVE_DEFINITE,
              "ga_cholesky: the leading minor of order 3 is not positive "
              "definite");
        FAILS(ga_cholesky(lower_alone(x)), GA_ERR_NOT_POSITIVE_DEFINITE,
              "order 3");           /* NaN that is not read is not blamed   */
        ga_assign(ga_slice(b, "1, 0, 1, 1"), 0);
        ga_assign(ga_slice(b, "1, 1, 0, 0"), 0);
        FAILS(ga_cholesky(b), GA_ERR_NOT_POSITIVE_DEFINITE,
              "ga_cholesky: the leading minor of order 2 of matrix (1,0) is "
              "not positive definite");
        for (int k = 0; k < 2; k++) {
            ga_array *bad = ga_copy(b);
            ga_assign(ga_slice(bad, "0, 1, 3, 2"), k ? -INFINITY : NAN);
            FAILS(ga_svd(bad, true, &q, &r, &s), GA_ERR_NAN,
                  "ga_svd: an element of matrix (0,1) is NaN or infinite");
            FAILS(ga_svdvals(bad), GA_ERR_NAN, "ga_svdvals: ");
            FAILS(ga_qr(bad, true, &q, &r), GA_ERR_NAN, "ga_qr: ");
            FAILS(ga_eigh(bad, &q, &r), GA_ERR_NAN, "ga_eigh: ");
            FAILS(ga_eigvalsh(bad), GA_ERR_NAN, "ga_eigvalsh: ");
            FAILS(ga_eig(bad, &q, &r), GA_ERR_NAN, "ga_eig: ");
            FAILS(ga_eigvals(bad), GA_ERR_NAN, "ga_eigvals: ");
            FAILS(ga_lu(bad, &q, &r, &s), GA_ERR_NAN, "ga_lu: ");
            FAILS(ga_cholesky(ga_slice(bad, "0, 1")), GA_ERR_NAN,
                  "ga_cholesky: NaN or infinity in the input");
            FAILS(ga_svdvals(ga_slice(bad, "0, 1")), GA_ERR_NAN,
                  "ga_svdvals: an element is NaN or infinite");
        }
        T_CHECK(q == x && r == x && s == x);
    }
}
/* NaN anywhere in the triangle that is read is found, in blocked code too:
   LAPACK's info does not tell, and no element alone shows it.              */
TEST(cholesky_finds_nan) {
    T_LAPACK;
    static const int64_t order[] = {1, 2, 3, 5, 40, 200};
    for (int t = 0; t < 4; t++)
        for (size_t k = 0; k < T_COUNT(order); k++)
            for (int way = 0; way < 12; way++) {
                GA_SCOPE;
                int64_t n = order[k], i = way * 7 % n, j = way * 5 % (i + 1);
                ga_array *h = ga_eye(n, n, 0, t_lapack_dtypes[t]);
                h = ga_add(ga_mul(h, 2), 0x1p-20);
                ga_array *row = ga_index_axis(h, 0, i);
                ga_assign(ga_slice_axis(row, 0, j, j + 1, 1),
                          way % 2 ? INFINITY : NAN);
                t_context("%s, (%d,%d) of order %d", ga_dtype_name(h->dtype),
                          (int)i, (int)j, (int)n);
                FAILS(ga_cholesky(h), GA_ERR_NAN, "ga_cholesky: ");
            }
}

/* Operands stay as they are, every result is in C order, and each may be left
   out: what is asked for does not change what is had.                      */
static void untouched(const ga_array *x) {
    const void *before = t_host(x);
    bool square = rows_of(x) == cols_of(x);
    for (int mask = 0; mask < 8; mask++)
        for (int which = 0; which < 7; which++) {
            GA_SCOPE;
            ga_array *made[3] = {NULL, NULL, NULL}, **to[3];
            for (int i = 0; i < 3; i++)
                to[i] = mask >> i & 1 ? &made[i] : NULL;
            if (which > 4 && !square) continue;
            ga_status st = GA_OK;
            int n = which < 2 || which > 4 ? 2 : 3;
            switch (which) {
            case 0: st = ga_qr(x, false, to[0], to[1]); break;
            case 1: st = ga_qr(x, true, to[0], to[1]); break;
            case 2: st = ga_lu(x, to[0], to[1], to[2]); break;
            case 3: st = ga_svd(x, false, to[0], to[1], to[2]); break;
            case 4: st = ga_svd(x, true, to[0], to[1], to[2]); break;
            case 5: st = ga_eigh(x, to[0], to[1]); break;
            default: st = ga_eig(x, to[0], to[1]);
            }
            T_CHECK(st == GA_OK);
            for (int i = 0; i < n; i++) {
                T_CHECK((made[i] != NULL) == (to[i] != NULL));
                int64_t step = 1;
                for (int a = made[i] ? made[i]->ndim : 0; a-- > 0;) {
                    T_CHECK(made[i]->strides[a] == step);
                    if (made[i]->size) step *= made[i]->shape[a];
                }
            }
        }
    T_CHECK(!memcmp(before, t_host(x), (size_t)x->size
                                       * ga_dtype_size(x->dtype)));
}
TEST(operands_and_layouts) {
    T_LAPACK;
    static const ga_dtype types[] = {GA_BOOL, GA_UINT64, GA_FLOAT32,
                                     GA_COMPLEX128};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        GA_SCOPE;
        ga_array *x = t_random_array(types[i], GA_SHAPE(2, 5, 6), 0, 9);
        ga_array *view[] = {
            x, ga_slice(x, "..., ::-1, ::2"), ga_slice(x, "::-1, :, :5"),
            ga_broadcast_to(ga_slice(x, "0, 0, 0"), GA_SHAPE(3, 4, 4)),
            ga_transpose(x, GA_ALL), ga_slice(x, "0, :1, :1"),
            ga_slice(x, "0, :, 1:1"), ga_slice(x, "0, 1:1"),
            ga_slice(x, "1:1"),
            ga_reshape(ga_slice(x, "..., :4, :4"),
                       GA_SHAPE(1, 1, 2, 1, 1, 1, 4, 4)),
        };
        for (size_t k = 0; k < T_COUNT(view); k++) {
            t_context("%s, view %d", ga_dtype_name(types[i]), (int)k);
            untouched(view[k]);
        }
    }
}

/* Batches that cannot be counted, though nothing is in them. */
TEST(empty_and_huge) {
    T_LAPACK;
    GA_SCOPE;
    int64_t many = (int64_t)1 << 28;
    ga_array *x = ga_zeros(GA_SHAPE(1000, 0, 0), GA_FLOAT32), *q, *r;
    T_CHECK(ga_qr(x, false, &q, &r) == GA_OK && ga_eigvals(x) != NULL);
    x = ga_zeros(GA_SHAPE(many, many, 0, 3, 3), GA_FLOAT32);
    T_CHECK(ga_cholesky(x) != NULL && ga_svdvals(x) != NULL);
}
#ifndef GPUARR_USE_LAPACK
TEST(errors_without_lapack) {
    GA_SCOPE;
    if (t_on_gpu()) skip();
    ga_array *x = ga_eye(3, 3, 0, GA_FLOAT64), *q = x, *r = x, *s = x;
    const char *why = "linear algebra on the CPU device needs "
                      "GPUARR_USE_LAPACK";
    FAILS(ga_cholesky(x), GA_ERR_LIBRARY, why);
    FAILS(ga_qr(x, true, &q, &r), GA_ERR_LIBRARY, why);
    FAILS(ga_lu(x, &q, &r, &s), GA_ERR_LIBRARY, why);
    FAILS(ga_svd(x, true, &q, &r, &s), GA_ERR_LIBRARY, why);
    FAILS(ga_eigh(x, &q, &r), GA_ERR_LIBRARY, why);
    FAILS(ga_eig(x, &q, &r), GA_ERR_LIBRARY, why);
    T_CHECK(q == x && r == x && s == x);
}
#endif

/* Out of memory at any point: an error, outputs as they were, no leak. */
TEST(memory_limits) {
    T_LAPACK;
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(2, 8, 6), -1, 1);
    ga_array *h = ga_eye(8, 8, 0, GA_FLOAT64);
    for (int which = 0; which < 6; which++) {
        ga_array *q = x, *r = x, *s = x;
        ga_status st = GA_ERR_MEM_LIMIT;
        for (size_t room = 1; st && room >> 30 == 0; room += room / 3 + 64) {
            ga_mem_limit(t_used() + room);
            switch (which) {
            case 0: st = ga_qr(x, true, &q, &r); break;
            case 1: st = ga_lu(x, &q, &r, &s); break;
            case 2: st = ga_svd(x, true, &q, &r, &s); break;
            case 3: st = ga_eigh(h, &q, &r); break;
            case 4: st = ga_eig(h, &q, &r); break;
            default: q = ga_cholesky(h); st = q ? GA_OK : ga_error();
            }
            ga_mem_limit(0);
            if (!st) break;
            if (which == 5) q = x;
            T_ERROR(GA_ERR_MEM_LIMIT);
            T_CHECK(q == x && r == x && s == x);
        }
        T_CHECK(st == GA_OK);
        T_FINE();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T_EACH(spectra), T_EACH(hermitian), T_EACH(known_values),
        T_EACH(larger), T_EACH(structured), T_EACH(batches),
        T_EACH(small_batches), T_EACH(narrow_batches), T_EACH(orders),
        T_EACH(alone_and_among), T_EACH(general), T_EACH(many_general),
        T_EACH(one_matrix),
        T_EACH(any_size), T(many_small_matrices),
        T(integers),
        T(zero_matrices),
        T(clustered_eigenvalues), T(empty), T(known_eigenvalues),
        T(errors_of_shape_and_dtype),
        T(errors_of_values), T(cholesky_finds_nan), T(operands_and_layouts),
        T(empty_and_huge),
#ifndef GPUARR_USE_LAPACK
        T(errors_without_lapack),
#endif
        T(memory_limits),
    };
    return T_RUN("decomp", tests);
}
