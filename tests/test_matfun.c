/* Square roots, logarithms, generalised eigenvalues: golden/matfun.bin, whose
   truths are held against the condition that stands with them; residuals;
   batches, errors with their texts.                                         */
#include "golden.h"
#include "linalg.h"

static ga_array *made_of(const g_record *r) {
    return (ga_asarray_as)(r->data, r->dtype, r->shape);
}
/* |got - want| / |want|, Frobenius. */
static double off_by(const ga_array *y, const g_record *want) {
    const void *p = t_host(y);
    double sum = 0, size = 0;
    for (int64_t i = 0; i < want->size; i++)
        for (int k = 0; k < 2; k++) {
            const bool w = k == 0 || t_is_complex(want->dtype);
            const bool g = k == 0 || t_is_complex(y->dtype);
            double b = w ? t_value(want->data, want->dtype, i, k) : 0;
            double a = g ? t_value(p, y->dtype, i, k) : 0;
            sum = hypot(sum, a - b);
            size = hypot(size, b);
        }
    return sum / size;
}
static const char *const names[] = {
    "positive", "spread", "large", "small", "negative", "all_negative", "spd",
    "hilbert", "symmetric", "jordan", "jordan_negative", "triangular",
    "rotation", "minus_one", "near_one", "hermitian", "near_axis"};

static void check_functions(const char *key) {
    GA_SCOPE;
    const g_record *r = g_find("%s/a", key);
    if (!r) { t_bad("no %s", key); return; }
    ga_array *a = made_of(r);
    const double eps = t_eps(a->dtype), n = (double)a->shape[0];
    for (int log = 0; log < 2; log++) {
        const char *what = log ? "log" : "root";
        const g_record *want = g_find("%s/%s", key, what);
        double cond = *(const double *)g_find("%s/%scond", key, what)->data;
        if (t_real_of(a->dtype) == GA_FLOAT32) cond *= 0x1p-29;
        cond = fmax(cond, 1);
        for (int how = 0; how < 4; how++) {
            t_context("%s %s, layout %d", key, what, how);
            ga_array *u = t_laid_out(a, how);
            ga_array *y = log ? ga_logm(u) : ga_sqrtm(u);
            if (!y) { t_bad("%s", ga_error_message()); ga_clear_error(); return; }
            T_CHECKF(t_is_complex(y->dtype) == t_is_complex(want->dtype)
                     && t_real_of(y->dtype) == t_real_of(a->dtype)
                     && ga_is_contiguous(y), "%s", ga_dtype_name(y->dtype));
            const double off = off_by(y, want);
            T_CHECKF(off <= 30 * n * eps * cond, "off by %g, %g of what the "
                     "condition allows", off, off / (n * eps * cond));
        }
    }
}
TEST(functions) {
    T_LAPACK;
    g_load("matfun.bin");
    for (size_t i = 0; i < T_COUNT(names); i++) check_functions(names[i]);
    static const int sizes[] = {1, 2, 5};
    for (size_t i = 0; i < 4 * T_COUNT(sizes); i++) {
        char key[60];
        snprintf(key, sizeof key, "plain_%s_%d",
                 ga_dtype_name(t_lapack_dtypes[i / 3]), sizes[i % 3]);
        check_functions(key);
    }
    g_free();
}
/* A batch is its matrices one by one; integers; nothing. */
TEST(batches) {
    T_LAPACK;
    GA_SCOPE;
    ga_array *x = ga_random(GA_SHAPE(3, 2, 6, 6), GA_FLOAT64);
    ga_array *one = ga_identity(6, GA_FLOAT64);
    ga_assign(ga_slice(x, "1, 1"), one);
    ga_assign(ga_slice(x, "2, 0"), ga_add(ga_mul(one, 1e4), ga_slice(x, "2, 0")));
    ga_array *r = ga_sqrtm(x), *l = ga_logm(x);
    T_CHECK(t_is(r, GA_COMPLEX128, GA_SHAPE(3, 2, 6, 6)));
    T_CHECK(t_is(l, GA_COMPLEX128, GA_SHAPE(3, 2, 6, 6)));
    for (int i = 0; i < 3 && r && l; i++)
        for (int j = 0; j < 2; j++) {
            t_context("matrix (%d,%d)", i, j);
            ga_array *a = ga_slice(x, "%d, %d", i, j);
            ga_array *both[] = {ga_slice(r, "%d, %d", i, j), ga_sqrtm(a),
                                ga_slice(l, "%d, %d", i, j), ga_logm(a)};
            for (int k = 0; k < 4; k += 2) {
                double off = ga_item(ga_norm(ga_sub(both[k], both[k + 1]), GA_FRO,
                                             GA_ALL));
                double size = ga_item(ga_norm(both[k], GA_FRO, GA_ALL));
                T_CHECKF(off <= 1e-10 * (size + 1), "%g of %g", off, size);
            }
        }
    int32_t four[] = {4, 0, 1, 4};
    double two[] = {2, 0, .25, 2};
    ga_array *y = ga_sqrtm(ga_asarray(four, GA_SHAPE(2, 2)));
    t_near(y, GA_FLOAT64, GA_SHAPE(2, 2), two, 4);
    T_CHECK(t_is(ga_sqrtm(ga_zeros(GA_SHAPE(0, 0), GA_INT8)), GA_FLOAT64,
                 GA_SHAPE(0, 0)));
    T_CHECK(t_is(ga_logm(ga_zeros(GA_SHAPE(0, 3, 3), GA_COMPLEX64)), GA_COMPLEX64,
                 GA_SHAPE(0, 3, 3)));
    /* semidefinite: what rounding makes negative is 0                      */
    ga_array *v = ga_random(GA_SHAPE(6, 2), GA_FLOAT64);
    ga_array *p = ga_matmul(v, ga_transpose(v, GA_ALL)), *q = ga_sqrtm(p);
    p = ga_mul(ga_add(p, ga_transpose(p, GA_ALL)), .5);
    T_CHECK((q = ga_sqrtm(p)) && q->dtype == GA_FLOAT64);
    if (q) T_CHECK(t_ratio(t_mat_of(p), t_mat_of(q), t_mat_of(q), GA_FLOAT64)
                   < T_RATIO);
}
/* Larger ones: the square is what it was. */
TEST(residuals) {
    T_LAPACK;
    for (size_t i = 0; i < 4; i++) {
        GA_SCOPE;
        const ga_dtype t = t_lapack_dtypes[i];
        t_context("%s", ga_dtype_name(t));
        ga_array *x = t_random_array(t, GA_SHAPE(40, 40), -1, 1);
        x = ga_add(x, ga_mul(ga_identity(40, t), 9));
        ga_array *r = ga_sqrtm(x), *l = ga_logm(x);
        if (!r || !l) { t_bad("%s", ga_error_message()); ga_clear_error(); continue; }
        T_CHECK(r->dtype == t && l->dtype == t);
        t_mat m = t_mat_of(r);
        T_CHECK(t_ratio(t_mat_of(x), m, m, t) < T_RATIO);
        ga_array *back = ga_expm(l);
        double off = ga_item(ga_norm(ga_sub(back, x), GA_FRO, GA_ALL));
        T_CHECK(off <= 200 * t_eps(t) * ga_item(ga_norm(x, GA_FRO, GA_ALL)));
        t_release_host();
    }
}

/* ------------------------------------------------- generalised eigenvalues */
static ga_array *adjoint(const ga_array *x) {
    return ga_conj(ga_swapaxes(x, -2, -1));
}
static double size_of(const ga_array *x) {
    return ga_item(ga_norm(x, GA_NORM, GA_ALL));
}
/* b or a b or b a by the kind: 1, 2, 3. */
static void check_pair(const ga_array *a, const ga_array *b, int kind,
                       const g_record *want) {
    static const unsigned flags[] = {0, 0, GA_EIGH_AB, GA_EIGH_BA};
    ga_array *w = NULL, *v = NULL, *alone = NULL;
    const ga_dtype t = a->dtype;
    const int64_t n = a->shape[a->ndim - 1];
    T_CHECK(ga_eigh_generalized(a, b, &w, &v, flags[kind]) == GA_OK);
    if (!w || !v) { t_bad("%s", ga_error_message()); ga_clear_error(); return; }
    T_CHECK(v->dtype == t && w->dtype == t_real_of(t));
    T_CHECK(ga_eigh_generalized(a, b, &alone, NULL, flags[kind]) == GA_OK);
    const double cond = ga_item(ga_max(ga_cond(b, 2), GA_ALL));
    const double allowed = 20 * (double)n * t_eps(t) * cond;
    T_CHECK(size_of(ga_sub(alone, w)) <= allowed * size_of(w));
    if (want)
        T_CHECK(size_of(ga_sub(w, made_of(want))) <= allowed * size_of(w));
    ga_array *vw = ga_mul(v, ga_expand_dims(w, GA_AXIS(-2)));
    ga_array *left = kind == 1 ? ga_matmul(a, v)
                     : kind == 2 ? ga_matmul(a, ga_matmul(b, v))
                                 : ga_matmul(b, ga_matmul(a, v));
    ga_array *right = kind == 1 ? ga_matmul(b, vw) : vw;
    T_CHECKF(size_of(ga_sub(left, right)) <= allowed * (size_of(left) + 1e-30),
             "residual %g", size_of(ga_sub(left, right)) / size_of(left));
    ga_array *unit = ga_matmul(adjoint(v), kind == 3 ? ga_solve(b, v)
                                                     : ga_matmul(b, v));
    T_CHECKF(size_of(ga_sub(unit, ga_identity(n, t)))
             <= allowed * sqrt((double)n * (double)a->size), "not orthogonal");
}
TEST(generalised) {
    T_LAPACK;
    g_load("matfun.bin");
    static const int sizes[] = {1, 4, 9};
    for (size_t i = 0; i < 4 * T_COUNT(sizes); i++) {
        GA_SCOPE;
        char key[60];
        snprintf(key, sizeof key, "gen_%s_%d",
                 ga_dtype_name(t_lapack_dtypes[i / 3]), sizes[i % 3]);
        ga_array *x = made_of(g_find("%s/a", key));     /* its lower half   */
        ga_array *b = made_of(g_find("%s/b", key));
        ga_array *low = ga_tril(x, -1);
        ga_array *a = ga_add(low, adjoint(low));
        ga_assign(ga_diagonal(a, 0, 0, 1), ga_real(ga_diagonal(x, 0, 0, 1)));
        for (int kind = 1; kind < 4; kind++) {
            t_context("%s, type %d", key, kind);
            check_pair(a, b, kind, g_find("%s/w%d", key, kind));
            ga_array *w = NULL, *u = NULL;  /* what is above is not read    */
            static const unsigned flags[] = {0, GA_EIGH_AB, GA_EIGH_BA};
            ga_array *junk = ga_tril(b, 0);
            T_CHECK(ga_eigh_generalized(x, junk, &w, NULL, flags[kind - 1])
                    == GA_OK);
            T_CHECK(ga_eigh_generalized(a, b, &u, NULL, flags[kind - 1]) == GA_OK);
            t_same_arrays(w, u, 0);
        }
    }
    g_free();
    GA_SCOPE;                       /* batches broadcast                    */
    t_context("%s", "batch");
    ga_array *a = ga_random(GA_SHAPE(3, 1, 5, 5), GA_FLOAT64);
    a = ga_add(a, adjoint(a));
    ga_array *b = ga_random(GA_SHAPE(2, 5, 5), GA_FLOAT64), *w, *v;
    b = ga_add(ga_matmul(b, adjoint(b)), ga_identity(5, GA_FLOAT64));
    check_pair(a, b, 1, NULL);
    T_CHECK(ga_eigh_generalized(a, b, &w, &v, 0) == GA_OK);
    T_CHECK(t_is(w, GA_FLOAT64, GA_SHAPE(3, 2, 5)));
    T_CHECK(t_is(v, GA_FLOAT64, GA_SHAPE(3, 2, 5, 5)));
    T_CHECK(ga_eigh_generalized(ga_ones(GA_SHAPE(0, 0), GA_INT8),
                                ga_ones(GA_SHAPE(0, 0), GA_FLOAT32), &w, &v, 0)
            == GA_OK && t_is(w, GA_FLOAT64, GA_SHAPE(0)));
}

TEST(errors) {
    T_LAPACK;
    GA_SCOPE;
    ga_array *x = ga_asarray(((double[]){0, 1, 0, 0}), GA_SHAPE(2, 2));
    ga_array *wide = ga_ones(GA_SHAPE(2, 3), GA_FLOAT64), *w = NULL, *v = NULL;
    T_NO(ga_sqrtm(NULL), GA_ERR_NULL, "ga_sqrtm: an array argument is NULL");
    T_NO(ga_sqrtm(wide), GA_ERR_SQUARE,
       "ga_sqrtm: the last two axes of shape (2,3) are not square");
    T_NO(ga_logm(ga_ones(GA_SHAPE(2, 2), GA_BFLOAT16)), GA_ERR_DTYPE,
       "ga_logm: bfloat16 is not supported");
    T_NO(ga_sqrtm(x), GA_ERR_SINGULAR, "ga_sqrtm: a matrix is singular");
    T_NO(ga_logm(x), GA_ERR_SINGULAR, "ga_logm: a matrix is singular");
    T_NO(ga_logm(ga_zeros(GA_SHAPE(2, 2), GA_FLOAT64)), GA_ERR_SINGULAR,
       "ga_logm: an eigenvalue is 0");
    T_NO(ga_sqrtm(ga_full(GA_SHAPE(2, 2), (double)INFINITY, GA_FLOAT64)),
       GA_ERR_NAN, "ga_sqrtm: NaN or infinity in the input");
    T_NO(ga_logm(ga_full(GA_SHAPE(2, 2), (double)NAN, GA_FLOAT64)), GA_ERR_NAN,
       "ga_logm: NaN or infinity in the input");
    ga_array *one = ga_identity(2, GA_FLOAT64);
    ga_array *b = ga_asarray(((double[]){1, 0, 0, -1}), GA_SHAPE(2, 2));
    T_FAILS(ga_eigh_generalized(one, b, &w, &v, 0), GA_ERR_NOT_POSITIVE_DEFINITE,
          "ga_eigh_generalized: the leading minor of order 2 is not positive "
          "definite");
    T_FAILS(ga_eigh_generalized(one, one, &w, &v, 8), GA_ERR_VALUE,
          "ga_eigh_generalized: flags 0x8: 0x8 mean nothing here");
    T_FAILS(ga_eigh_generalized(one, one, &w, &v, GA_EIGH_AB | GA_EIGH_BA),
          GA_ERR_VALUE, "ga_eigh_generalized: GA_EIGH_AB and GA_EIGH_BA exclude "
          "each other");
    T_FAILS(ga_eigh_generalized(one, wide, &w, &v, 0), GA_ERR_SQUARE,
          "ga_eigh_generalized: the last two axes of shape (2,3) are not square");
    T_FAILS(ga_eigh_generalized(one, ga_identity(3, GA_FLOAT64), &w, &v, 0),
          GA_ERR_SHAPE, "ga_eigh_generalized: shapes (2,2) and (3,3) differ in "
          "their matrices");
    T_CHECK(!w && !v);
}

int main(void) {
    const struct CMUnitTest tests[] = {T(functions), T(batches), T(residuals),
                                       T(generalised), T(errors)};
    return T_RUN("matfun", tests);
}
