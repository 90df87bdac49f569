/* gpuarr_sparse.h: golden/sparse.bin, SciPy's values; products against dense
   ones, layouts, dtypes, errors, lifetimes, graphs.                         */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>
#include "golden.h"
#include "gpuarr_sparse.h"

static ga_array *made(const g_record *r) {
    return r ? ga_asarray_as(r->data, r->dtype, r->shape) : NULL;
}
/* The largest difference is at most `ulps` units of the largest value. */
static void close_to(const char *what, const ga_array *x, const ga_array *want,
                     double ulps) {
    if (!x || !want || x->ndim != want->ndim || x->size != want->size
        || x->dtype != want->dtype) {
        t_bad("%s: no such result (%s)", what, ga_error_message());
        return;
    }
    if (!x->size) return;
    GA_SCOPE;
    double eps = x->dtype == GA_FLOAT32 || x->dtype == GA_COMPLEX64
                 ? FLT_EPSILON : DBL_EPSILON;
    double size = ga_item(ga_max(ga_abs(want), GA_ALL));
    double off = ga_item(ga_max(ga_abs(ga_sub(x, want)), GA_ALL));
    T_CHECKF(off <= ulps * eps * (size > 0 ? size : 1), "%s: off by %g of %g",
             what, off, size);
}
static const g_record *of(int k, const char *name) {
    return g_find("m%d/%s", k, name);
}
static ga_sparse *matrix(int k) {
    const int64_t *shape = (const int64_t *)of(k, "shape")->data;
    return ga_sparse_coo(made(of(k, "data")), made(of(k, "row")),
                         made(of(k, "col")), shape[0], shape[1]);
}
static void products(const char *what, const ga_sparse *a, int k) {
    static const struct { const char *x, *y; unsigned flags; } of_x[] = {
        {"x", "ax", 0}, {"X", "aX", 0}, {"y", "aty", GA_TRANS},
        {"y", "ahy", GA_CONJ_TRANS}, {"Y", "ahY", GA_CONJ_TRANS}};
    for (size_t i = 0; i < T_COUNT(of_x); i++) {
        GA_SCOPE;
        ga_array *x = made(of(k, of_x[i].x)), *want = made(of(k, of_x[i].y));
        t_context("m%d %s %s", k, what, of_x[i].y);
        close_to("matmul", ga_sparse_matmul(a, x, of_x[i].flags), want, 64);
        ga_array *out = ga_full_like(want, 7);
        T_CHECK(!ga_sparse_matmul_into(out, a, x, of_x[i].flags));
        close_to("into", out, want, 64);
        if (x->ndim < 2 || !x->size) continue;
        ga_array *wide = ga_zeros(GA_SHAPE(2 * x->shape[0], 2 * x->shape[1]),
                                  x->dtype);
        ga_array *view = ga_slice(wide, "::-2, 1::2");
        ga_assign(view, x);
        close_to("strided", ga_sparse_matmul(a, view, of_x[i].flags), want, 64);
    }
}
TEST(golden_products) {
    for (int k = 0; of(k, "shape"); k++) {
        GA_SCOPE;
        ga_sparse *a = matrix(k);
        if (!a) {
            t_bad("m%d: %s", k, ga_error_message());
            continue;
        }
        ga_array *dense = made(of(k, "dense"));
        t_context("m%d", k);
        close_to("toarray", ga_sparse_toarray(a), dense, 8);
        products("csr", a, k);
        ga_sparse *c = ga_sparse_to(a, GA_CSC);
        close_to("csc", ga_sparse_toarray(c), dense, 8);
        products("csc", c, k);
        close_to("transposed", ga_sparse_toarray(ga_sparse_transpose(a)),
                 ga_transpose(dense, GA_ALL), 8);
        ga_sparse *d = ga_sparse_dense(dense);
        close_to("dense", ga_sparse_toarray(d), dense, 0);
        products("dense", d, k);
        ga_array *row, *col, *v;
        T_CHECK(!ga_sparse_tocoo(c, &row, &col, &v));
        ga_sparse *e = ga_sparse_coo(v, row, col, a->shape[0], a->shape[1]);
        T_CHECK(e && e->nnz == a->nnz);
        close_to("coo", ga_sparse_toarray(e), dense, 8);
        e = ga_sparse_triplets(v, row, col, a->shape[0], a->shape[1]);
        products("triplets", e, k);
        ga_sparse *f = ga_sparse_csr(a->data, a->indices, a->indptr,
                                     a->shape[0], a->shape[1]);
        close_to("csr", ga_sparse_toarray(f), dense, 8);
        f = ga_sparse_csc(c->data, c->indices, c->indptr, a->shape[0],
                          a->shape[1]);
        T_CHECK(f && f->format == GA_CSC);
        close_to("csc", ga_sparse_toarray(f), dense, 8);
        f = ga_sparse_to_device(a, GA_CPU);
        T_CHECK(f && f->device == GA_CPU);
    }
}
TEST(unsorted_and_repeated) {
    GA_SCOPE;
    double v[] = {1, 2, 3, 4, 5};
    int idx[] = {2, 0, 2, 1, 1};
    short ptr[] = {0, 3, 3, 5};
    double want[] = {2, 0, 4, 0, 0, 0, 0, 9, 0};
    ga_sparse *a = ga_sparse_csr(ga_asarray(v, GA_SHAPE(5)),
                                 ga_asarray(idx, GA_SHAPE(5)),
                                 ga_asarray(ptr, GA_SHAPE(4)), 3, 3);
    T_CHECK(a && a->nnz == 3 && a->indices->dtype == GA_INT32);
    t_same(ga_sparse_toarray(a), GA_FLOAT64, GA_SHAPE(3, 3), want);
    ga_sparse *b = ga_sparse_with(a, ga_sqrt(a->data));
    T_CHECK(ga_item_at(ga_sparse_toarray(b), GA_INDEX(2, 1)) == 3);
    b = ga_sparse_astype(a, GA_COMPLEX64);
    T_CHECK(b && b->dtype == GA_COMPLEX64);
    ga_sparse *none = ga_sparse_coo(ga_zeros(GA_SHAPE(0), GA_INT8),
                                    ga_zeros(GA_SHAPE(0), GA_INT8),
                                    ga_zeros(GA_SHAPE(0), GA_INT8), 0, 0);
    T_CHECK(none && none->dtype == GA_FLOAT64 && none->nnz == 0);
    ga_sparse *wide = ga_sparse_coo(ga_ones(GA_SHAPE(1), GA_FLOAT32),
                                    ga_zeros(GA_SHAPE(1), GA_INT8),
                                    ga_full(GA_SHAPE(1), 5000000000, GA_INT64),
                                    2, 6000000000);
    T_CHECK(wide && wide->indices->dtype == GA_INT64);
}
TEST(diagonals) {
    GA_SCOPE;
    double below[] = {1, 2}, on[] = {7}, above[] = {5, 6, 8};
    double want[] = {7, 5, 0, 0, 1, 7, 6, 0, 0, 2, 7, 8};
    const ga_array *d[] = {ga_asarray(below, GA_SHAPE(2)),
                           ga_asarray(on, GA_SHAPE(1)),
                           ga_asarray(above, GA_SHAPE(3))};
    int64_t at[] = {-1, 0, 1}, twice[] = {0, 0}, far[] = {9};
    t_same(ga_sparse_toarray(ga_sparse_diags(3, d, at, 3, 4)), GA_FLOAT64,
           GA_SHAPE(3, 4), want);
    T_CHECK(!ga_sparse_diags(2, d + 1, twice, 3, 4));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_sparse_diags(1, d + 1, far, 3, 4));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_sparse_diags(1, d, at + 1, 3, 4));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_diags(0, d, at, 3, 4));
    T_ERROR(GA_ERR_VALUE);
    for (int64_t k = -4; k < 5; k++)
        t_same_arrays(ga_sparse_toarray(ga_sparse_eye(4, 5, k > 3 ? 0 : k,
                                                      GA_FLOAT32)),
                      ga_eye(4, 5, k > 3 ? 0 : k, GA_FLOAT32), 0);
}
static ga_sparse *tridiagonal(int64_t n) {
    const ga_array *d[] = {ga_full(GA_SHAPE(1), -1, GA_FLOAT64),
                           ga_full(GA_SHAPE(1), 2.5, GA_FLOAT64), NULL};
    int64_t at[] = {-1, 0, 1};
    d[2] = d[0];
    return ga_sparse_diags(3, d, at, n, n);
}
TEST(random_matrices) {
    static const double density[] = {0, 0.01, 0.3, 0.5, 0.9, 1};
    for (size_t i = 0; i < T_COUNT(density); i++) {
        GA_SCOPE;
        ga_sparse *a = ga_sparse_random(50, 40, density[i], GA_FLOAT32);
        T_CHECK(a && a->nnz == (int64_t)(density[i] * 2000 + 0.5));
        if (!a || !a->nnz) continue;
        T_CHECK(ga_item(ga_min(a->data, GA_ALL)) >= 0
                && ga_item(ga_max(a->data, GA_ALL)) < 1);
        /* half of the entries in each half */
        double upper = ga_item_at(a->indptr, GA_INDEX(25));
        double left = ga_item(ga_sum(ga_less(a->indices, 20), GA_ALL));
        T_CHECK(fabs(upper - 0.5 * (double)a->nnz) < 100);
        T_CHECK(fabs(left - 0.5 * (double)a->nnz) < 100);
    }
    T_CHECK(!ga_sparse_random(5, 5, 1.5, GA_FLOAT32));
    T_ERROR(GA_ERR_VALUE);
}
/* Rows of every length for which there is a kernel, and empty ones. */
TEST(row_lengths) {
    static const int mean[] = {1, 3, 12, 30, 200, 5000};
    const double part[] = {0.8, 0.6};
    ga_complex128 turn;
    memcpy(&turn, part, sizeof turn);
    for (size_t i = 0; i < T_COUNT(mean); i++)
        for (int w = 0; w < 4; w++) {
            GA_SCOPE;
            const ga_dtype t = (ga_dtype)(GA_FLOAT32 + w);
            const int64_t n = mean[i] < 1000 ? 700 : 6000;
            const int64_t m = mean[i] < 1000 ? 600 : 11;
            t_context("%d a row, %s", mean[i], ga_dtype_name(t));
            ga_array *x = ga_random(GA_SHAPE(n, 1), GA_FLOAT64);
            ga_sparse *a = ga_sparse_random(m, n, (double)mean[i] / (double)n,
                                            GA_FLOAT64);
            a = ga_sparse_with(a, ga_sub(a->data, 0.5));
            if (w > 1) a = ga_sparse_with(a, ga_mul(a->data, turn));
            a = ga_sparse_astype(a, t);
            x = ga_astype(x, t);
            ga_array *dense = ga_sparse_toarray(a);
            ga_array *want = ga_matmul(dense, x);
            close_to("matrix", ga_sparse_matmul(a, x, 0), want, 100);
            close_to("vector", ga_sparse_matmul(a, ga_ravel(x), 0),
                     ga_ravel(want), 100);
            ga_array *y = ga_ones(GA_SHAPE(m), t);
            close_to("transposed", ga_sparse_matmul(a, y, GA_TRANS),
                     ga_matmul(ga_transpose(dense, GA_ALL), y), 100);
        }
}
/* One row and one column are dense, the diagonal is 2; of few rows, all are. */
TEST(long_rows) {
    for (int prepared = 0; prepared < 2; prepared++)
        for (int w = 0; w < 2; w++) {
            GA_SCOPE;
            const ga_dtype t = w ? GA_COMPLEX64 : GA_FLOAT64;
            const int64_t n = 60000, at[] = {0};
            t_context("%s%s", ga_dtype_name(t), prepared ? ", prepared" : "");
            ga_array *row = ga_zeros(GA_SHAPE(n), GA_INT64);
            ga_array *i = ga_arange_as(0, n, 1, GA_INT64), *one = ga_ones(
                GA_SHAPE(n), t);
            const ga_array *two = ga_full(GA_SHAPE(1), 2, t);
            ga_sparse *a = ga_sparse_diags(1, &two, at, n, n);
            a = ga_sparse_add(a, ga_sparse_coo(one, row, i, n, n));
            a = ga_sparse_add(a, ga_sparse_coo(one, i, row, n, n));
            if (prepared) T_CHECK(!ga_sparse_prepare(a, 0)
                                  && !ga_sparse_prepare(a, GA_TRANS));
            ga_array *x = ga_astype(ga_random(GA_SHAPE(n), GA_FLOAT64), t);
            ga_array *want = ga_add(ga_mul(x, 2), ga_index_axis(x, 0, 0));
            ga_array *first = ga_add(ga_sum(x, GA_ALL),
                                     ga_mul(ga_index_axis(x, 0, 0), 3));
            ga_assign(ga_index_axis(want, 0, 0), first);
            want = ga_astype(want, t);
            ga_array *y = ga_sparse_matmul(a, x, 0);
            ga_array *z = ga_sparse_matmul(a, x, GA_TRANS);
            close_to("the long row", ga_copy(ga_slice(y, ":1")),
                     ga_copy(ga_slice(want, ":1")), 1e3);
            close_to("transposed", ga_copy(ga_slice(z, ":1")),
                     ga_copy(ga_slice(want, ":1")), 1e3);
            close_to("others", ga_copy(ga_slice(y, "1:")),
                     ga_copy(ga_slice(want, "1:")), 8);
            close_to("others, transposed", ga_copy(ga_slice(z, "1:")),
                     ga_copy(ga_slice(want, "1:")), 8);
            for (int k = 0; k < 3; k++)     /* bit for bit, from empty lists */
                t_same_arrays(ga_sparse_matmul(a, x, 0), y, 0);
            a = ga_sparse_random(3, n, 0.8, GA_FLOAT64);
            if (prepared) ga_sparse_prepare(a, 0);
            x = ga_random(GA_SHAPE(n), GA_FLOAT64);
            close_to("few rows", ga_sparse_matmul(a, x, 0),
                     ga_matmul(ga_sparse_toarray(a), x), 1e4);
        }
}
/* Indices beyond 2**31 want vectors as long. */
TEST(wide_indices) {
    ga_memory memory;
    const int64_t n = INT64_C(3) << 30;
    if (!t_on_gpu() || ga_mem_info(0, &memory)
        || memory.free < (size_t)40 << 30) return;
    GA_SCOPE;
    double v[] = {1, 2, 3};
    int64_t col[] = {5, n - 1, n - 7};
    int row[] = {0, 0, 2};
    ga_array *x = ga_zeros(GA_SHAPE(n), GA_FLOAT32);
    ga_assign(ga_slice_axis(x, 0, n - 10, n, 1), 0.5);
    ga_sparse *a = ga_sparse_coo(ga_asarray(v, GA_SHAPE(3)),
                                 ga_asarray(row, GA_SHAPE(3)),
                                 ga_asarray(col, GA_SHAPE(3)), 3, n);
    a = ga_sparse_astype(a, GA_FLOAT32);
    T_CHECK(a && a->indices->dtype == GA_INT64);
    float want[] = {1, 0, 1.5f};
    t_same(ga_sparse_matmul(a, x, 0), GA_FLOAT32, GA_SHAPE(3), want);
}
TEST(errors) {
    GA_SCOPE;
    double v[] = {1, 2};
    int r[] = {0, 3}, c[] = {0, -1}, p[] = {0, 2, 1, 2};
    ga_array *data = ga_asarray(v, GA_SHAPE(2));
    ga_array *row = ga_asarray(r, GA_SHAPE(2)), *col = ga_asarray(c, GA_SHAPE(2));
    T_CHECK(!ga_sparse_coo(data, row, row, 3, 4));
    T_CHECK(strstr(ga_error_message(), "row[1] is 3") != NULL);
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(!ga_sparse_coo(data, row, col, 4, 4));
    T_CHECK(strstr(ga_error_message(), "col[1] is -1") != NULL);
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(!ga_sparse_coo(data, data, row, 4, 4));
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(!ga_sparse_coo(data, row, ga_slice(row, ":1"), 4, 4));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_coo(data, row, row, -4, 4));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_coo(data, row, row, INT64_MAX, 4));
    T_ERROR(GA_ERR_SIZE);
    T_CHECK(!ga_sparse_csr(data, row, ga_asarray(p, GA_SHAPE(4)), 3, 4));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_sparse_csr(data, row, ga_asarray(p, GA_SHAPE(3)), 2, 4));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_sparse_csr(data, row, ga_asarray(p, GA_SHAPE(3)), 3, 4));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_coo(NULL, row, row, 3, 4));
    T_ERROR(GA_ERR_NULL);
    ga_sparse *a = ga_sparse_eye(2, 3, 0, GA_FLOAT64);
    T_CHECK(!ga_sparse_matmul(a, data, 0));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_matmul(a, data, 1));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_sparse_matmul(a, data, GA_TRANS | GA_CONJ_TRANS));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_sparse_matmul(NULL, data, 0));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_sparse_matmul_into(ga_zeros(GA_SHAPE(3), GA_FLOAT32), a, data,
                                  GA_TRANS) == GA_ERR_DTYPE
            || ga_error() == GA_OK);
    ga_clear_error();
    T_CHECK(!ga_sparse_with(a, ga_zeros(GA_SHAPE(3), GA_FLOAT32)));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_dense(data));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_to(a, (ga_sparse_format)7));
    T_ERROR(GA_ERR_VALUE);
    if (t_on_gpu()) {
        T_CHECK(!ga_sparse_matmul(ga_sparse_to_device(a, GA_CPU),
                                  ga_ones(GA_SHAPE(3), GA_FLOAT64), 0));
        T_ERROR(GA_ERR_DEVICE_MISMATCH);
    }
}
static ga_sparse *inner_scope(void) {
    GA_SCOPE;
    ga_sparse_eye(5, 5, 1, GA_FLOAT32);
    return ga_sparse_keep(ga_sparse_eye(3, 3, 0, GA_FLOAT32));
}
TEST(lifetimes) {
    const int64_t live = ga_live_arrays();
    {
        GA_SCOPE;
        ga_sparse *a = inner_scope();
        ga_sparse *t = ga_sparse_transpose(a);
        ga_sparse_free(a);
        T_CHECK(t && ga_item(ga_sum(ga_sparse_toarray(t), GA_ALL)) == 3);
    }
    T_CHECK(ga_live_arrays() == live);
    ga_sparse *b;
    {
        GA_SCOPE;
        b = ga_sparse_detach(ga_sparse_eye(3, 4, 0, GA_FLOAT64));
        T_CHECK(!ga_sparse_prepare(b, GA_TRANS));
    }
    T_CHECK(b && b->nnz == 3);
    ga_sparse_free(b);
    ga_sparse_free(NULL);
    T_CHECK(ga_live_arrays() == live);
    T_CHECK(!ga_sparse_keep(NULL));
    T_ERROR(GA_ERR_NULL);
}
typedef struct recorded { ga_sparse *a; ga_array *x, *y, *z; } recorded;
static void step(void *arg) {
    recorded *r = (recorded *)arg;
    ga_sparse_matmul_into(r->y, r->a, r->x, 0);
    ga_sparse_matmul_into(r->z, r->a, r->y, GA_TRANS);
}
TEST(graphs) {
    for (int before = 0; before < 2; before++) {
        GA_SCOPE;
        recorded r = {ga_sparse_random(300, 200, 0.1, GA_FLOAT64),
                      ga_ones(GA_SHAPE(200), GA_FLOAT64),
                      ga_zeros(GA_SHAPE(300), GA_FLOAT64),
                      ga_zeros(GA_SHAPE(200), GA_FLOAT64)};
        if (before) ga_sparse_prepare(r.a, GA_TRANS);
        ga_graph *g = ga_graph_create(step, &r);
        T_CHECK(g && !ga_graph_launch(g));
        ga_array *dense = ga_sparse_toarray(r.a);
        ga_array *y = ga_matmul(dense, r.x);
        close_to("y", r.y, y, 100);
        close_to("z", r.z, ga_matmul(ga_transpose(dense, GA_ALL), y), 100);
        ga_graph_destroy(g);
    }
}
TEST(arithmetic) {
    for (int k = 0; g_find("p%d/a", k); k++) {
        GA_SCOPE;
        t_context("p%d", k);
        ga_array *da = made(g_find("p%d/a", k)), *db = made(g_find("p%d/b", k));
        ga_sparse *c = ga_sparse_dense(made(g_find("p%d/c", k)));
        ga_array *column = ga_reshape(ga_arange(0, 14, 1), GA_SHAPE(14, 1));
        ga_array *line = ga_arange(0, 9, 1);
        for (int f = 0; f < 4; f++) {
            ga_sparse *a = ga_sparse_to(ga_sparse_dense(da), f & 1 ? GA_CSC
                                                                   : GA_CSR);
            ga_sparse *b = ga_sparse_to(ga_sparse_dense(db), f & 2 ? GA_CSC
                                                                   : GA_CSR);
            const ga_sparse *ab[] = {a, b}, *ba[] = {b, a};
            const struct { const char *name; ga_sparse *m; } made_of[] = {
                {"add", ga_sparse_add(a, b)}, {"sub", ga_sparse_sub(a, b)},
                {"mul", ga_sparse_multiply(a, b)},
                {"product", ga_sparse_product(a, c, 0)},
                {"product", ga_sparse_product(a, c, 1)},
                {"product", ga_sparse_product(a, c, 700)},
                {"vstack", ga_sparse_vstack(2, ab)},
                {"hstack", ga_sparse_hstack(2, ba)},
                {"rows", ga_sparse_rows(a, 3, 8)},
                {"rows", ga_sparse_rows(a, -11, -6)}};
            for (size_t i = 0; i < T_COUNT(made_of); i++) {
                ga_sparse *m = made_of[i].m;
                T_CHECK(m && (i > 2 || m->format == a->format));
                close_to(made_of[i].name, m ? ga_sparse_toarray(m) : NULL,
                         made(g_find("p%d/%s", k, made_of[i].name)), 32);
            }
            close_to("sum", ga_sparse_sum(a, GA_ALL), made(g_find("p%d/sum", k)),
                     32);
            close_to("sum0", ga_sparse_sum(a, GA_AXIS(0)),
                     made(g_find("p%d/sum0", k)), 32);
            close_to("sum1", ga_sparse_sum(a, GA_AXIS(-1)),
                     made(g_find("p%d/sum1", k)), 32);
            close_to("fro", ga_sparse_norm(a, GA_FRO), made(g_find("p%d/fro", k)),
                     32);
            close_to("norm1", ga_sparse_norm(a, 1),
                     made(g_find("p%d/norm1", k)), 32);
            close_to("norminf", ga_sparse_norm(a, INFINITY),
                     made(g_find("p%d/norminf", k)), 32);
            close_to("rows scaled", ga_sparse_toarray(ga_sparse_scale(
                         a, ga_astype(column, da->dtype))),
                     ga_astype(ga_mul(da, column), da->dtype), 4);
            close_to("columns scaled", ga_sparse_toarray(ga_sparse_scale(
                         a, ga_astype(line, da->dtype))),
                     ga_astype(ga_mul(da, line), da->dtype), 4);
            close_to("diagonal", ga_sparse_diagonal(a),
                     ga_copy(ga_diagonal(da, 0, 0, 1)), 0);
            T_CHECK(ga_sparse_work(a, c) > 0);
        }
    }
    GA_SCOPE;
    ga_sparse *a = ga_sparse_eye(3, 4, 0, GA_FLOAT32);
    const ga_sparse *both[] = {a, ga_sparse_transpose(a)};
    T_CHECK(!ga_sparse_add(a, both[1]));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_product(a, a, 0));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_product(a, both[1], -1));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_sparse_vstack(2, both));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_vstack(0, both));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_sparse_work(a, a) == -1);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_norm(a, 2));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_sparse_sum(a, GA_AXIS(2)));
    T_ERROR(GA_ERR_AXIS);
    ga_sparse *none = ga_sparse_rows(a, 2, 1);
    T_CHECK(none && none->shape[0] == 0 && none->nnz == 0);
    T_CHECK(ga_sparse_product(none, both[1], 0) != NULL);
}
/* ---------------------------------------------------------------- files */
static const char *written(const char *name, const void *p, size_t n) {
    static char path[300];
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/gpuarr_%ld_%s", dir ? dir : "/tmp",
             (long)getpid(), name);
    FILE *f = p ? fopen(path, "wb") : NULL;
    if (f && fwrite(p, 1, n, f) != n) t_bad("%s: not written", path);
    if (f) fclose(f);
    return path;
}
TEST(matrix_market) {
    const g_record *r;
    for (int k = 0; (r = g_find("f%d/text", k)) != NULL; k++) {
        GA_SCOPE;
        t_context("f%d", k);
        const char *path = written("a.mtx", r->data, (size_t)r->size);
        ga_sparse *a = ga_sparse_load_mtx(path);
        ga_array *want = made(g_find("f%d/want", k));
        close_to("loaded", a ? ga_sparse_toarray(a) : NULL, want, 0);
        if (!a) continue;
        T_CHECK(!ga_sparse_save_mtx(path, a));
        ga_sparse *b = ga_sparse_load_mtx(path);
        close_to("saved", b ? ga_sparse_toarray(b) : NULL, want, 0);
        remove(path);
    }
    static const struct { const char *text, *said; } bad[] = {
        {"", "header"}, {"%%MatrixMarket matrix coordinate real", "header"},
        {"%%MatrixMarket matrix array pattern general\n1 1\n", "pattern"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "square"},
        {"%%MatrixMarket matrix coordinate real general\n2 3\n", "lengths"},
        {"%%MatrixMarket matrix coordinate real general\n2 3 1\n3 1 5\n",
         "line 3: an entry lies outside"},
        {"%%MatrixMarket matrix coordinate real general\n2 3 1\n0 1 5\n",
         "outside"},
        {"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 x\n",
         "value"},
        {"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1\n",
         "value"},
        {"%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 5\n",
         "ends early"},
        {"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 5 6\n",
         "more than an entry"},
        {"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 5\n1 2 3\n",
         "more entries"},
        {"%%MatrixMarket matrix coordinate real general\n9 9 99999999999\n",
         "more entries than the file"},
        {"%%MatrixMarket matrix coordinate real general\n"
         "9999999999999999999 9 1\n1 1 1\n", "lengths"},
        {"%%MatrixMarket matrix coordinate real general\n"
         "9000000000 9000000000 1\n1 1 1\n", "too large"}};
    for (size_t i = 0; i < T_COUNT(bad); i++) {
        GA_SCOPE;
        const char *path = written("a.mtx", bad[i].text, strlen(bad[i].text));
        T_CHECK(!ga_sparse_load_mtx(path));
        T_CHECKF(strstr(ga_error_message(), bad[i].said) != NULL, "%s: %s",
                 bad[i].text, ga_error_message());
        T_ERROR(GA_ERR_FILE_FORMAT);
        remove(path);
    }
    T_CHECK(!ga_sparse_load_mtx("/nowhere/at/all.mtx"));
    T_ERROR(GA_ERR_FILE_OPEN);
}
TEST(archives) {
    static const char *const format[] = {"csc", "csr", "coo"};
    GA_SCOPE;
    ga_array *want = made(g_find("npz/want"));
    for (int k = 0; k < 3; k++) {
        const g_record *r = g_find("npz/%s", format[k]);
        const char *path = written("a.npz", r->data, (size_t)r->size);
        ga_sparse *a = ga_sparse_load_npz(path);
        if (!a && k && ga_error() == GA_ERR_LIBRARY) {  /* no zlib          */
            ga_clear_error();
            remove(path);
            continue;
        }
        close_to(format[k], a ? ga_sparse_toarray(a) : NULL, want, 0);
        T_CHECK(a && a->format == (k == 2 ? GA_COO : k ? GA_CSR : GA_CSC));
        T_CHECK(a && !ga_sparse_save_npz(path, a));
        ga_sparse *b = ga_sparse_load_npz(path);
        T_CHECK(b && b->format == a->format);
        close_to("saved", b ? ga_sparse_toarray(b) : NULL, want, 0);
        for (int64_t n = 0; n < r->size; n += 97) {     /* cut short        */
            written("a.npz", r->data, (size_t)n);
            T_CHECK(!ga_sparse_load_npz(path) && ga_error());
            ga_clear_error();
        }
        remove(path);
    }
    const char *path = written("a.npz", NULL, 0);
    ga_array *x[] = {want};
    T_CHECK(!ga_save_npz(path, NULL, x, 1, 0));
    T_CHECK(!ga_sparse_load_npz(path));
    T_ERROR(GA_ERR_FILE_FORMAT);
    remove(path);
}
/* Triplets as they are: every function has what their sum would give. */
TEST(triplets) {
    GA_SCOPE;
    double v[] = {1, 2, 3, 4, 5, -4};
    signed char row[] = {2, 0, 2, 1, 1, 1};
    int64_t col[] = {1, 3, 1, 0, 2, 0};
    double want[] = {0, 0, 0, 2, 0, 0, 5, 0, 0, 4, 0, 0};
    ga_array *data = ga_asarray(v, GA_SHAPE(6)), *r, *c, *d;
    ga_sparse *a = ga_sparse_triplets(data, ga_asarray(row, GA_SHAPE(6)),
                                      ga_asarray(col, GA_SHAPE(6)), 3, 4);
    T_CHECK(a && a->format == GA_COO && a->nnz == 6);
    T_CHECK(a && a->indices->dtype == GA_INT32);
    ga_array *dense = ga_asarray(want, GA_SHAPE(3, 4));
    T_CHECK(!ga_sparse_tocoo(a, &r, &c, &d));
    t_same(d, GA_FLOAT64, GA_SHAPE(6), v);
    t_same(c, GA_INT64, GA_SHAPE(6), col);
    T_CHECK(ga_item_at(r, GA_INDEX(0)) == 2 && ga_item_at(r, GA_INDEX(1)) == 0);
    close_to("toarray", ga_sparse_toarray(a), dense, 0);
    ga_sparse *t = ga_sparse_transpose(a);
    T_CHECK(t && t->format == GA_COO && t->shape[0] == 4);
    close_to("transposed", ga_sparse_toarray(t), ga_transpose(dense, GA_ALL), 0);
    ga_sparse *csr = ga_sparse_to(a, GA_CSR), *csc = ga_sparse_to(a, GA_CSC);
    T_CHECK(csr && csr->format == GA_CSR && csr->nnz == 4);     /* one is 0 */
    T_CHECK(csc && csc->format == GA_CSC && csc->nnz == 4);
    close_to("csc", ga_sparse_toarray(csc), dense, 0);
    ga_sparse *back = ga_sparse_to(csc, GA_COO);
    T_CHECK(back && back->format == GA_COO && back->nnz == 4);
    close_to("back", ga_sparse_toarray(back), dense, 0);
    ga_array *x = ga_arange_as(1, 5, 1, GA_FLOAT32), *y = ga_ones(GA_SHAPE(3),
                                                                  GA_FLOAT32);
    close_to("a x", ga_sparse_matmul(a, x, 0), ga_matmul(dense, x), 8);
    close_to("a^T y", ga_sparse_matmul(a, y, GA_TRANS), ga_matmul(y, dense), 8);
    close_to("sum", ga_sparse_sum(a, GA_AXIS(0)), ga_sum(dense, GA_AXIS(0)), 8);
    close_to("norm", ga_sparse_norm(a, GA_FRO), ga_norm(dense, GA_NORM, GA_ALL), 8);
    ga_sparse *b = ga_sparse_with(a, ga_mul(data, 2));
    T_CHECK(b && b->format == GA_COO);
    close_to("with", ga_sparse_toarray(b), ga_mul(dense, 2), 0);
    b = ga_sparse_add(a, csc);
    T_CHECK(b && b->format == GA_CSR);
    close_to("add", ga_sparse_toarray(b), ga_mul(dense, 2), 0);
    b = ga_sparse_product(a, t, 0);
    close_to("product", ga_sparse_toarray(b),
             ga_matmul(dense, ga_transpose(dense, GA_ALL)), 8);
    b = ga_sparse_vstack(2, (const ga_sparse *[]){a, a});
    T_CHECK(b && b->nnz == 8 && b->shape[0] == 6);
    b = ga_sparse_astype(ga_sparse_to_device(a, ga_device()), GA_COMPLEX64);
    T_CHECK(b && b->format == GA_COO && b->dtype == GA_COMPLEX64);
    const char *path = written("a.npz", NULL, 0);
    T_CHECK(!ga_sparse_save_npz(path, a));
    b = ga_sparse_load_npz(path);
    T_CHECK(b && b->format == GA_COO && b->nnz == 6);
    close_to("saved", b ? ga_sparse_toarray(b) : NULL, dense, 0);
    remove(path);
    T_CHECK(!ga_sparse_triplets(data, r, c, 2, 4));
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(!ga_sparse_to(a, (ga_sparse_format)3));
    T_ERROR(GA_ERR_VALUE);
    ga_sparse *none = ga_sparse_triplets(ga_zeros(GA_SHAPE(0), GA_FLOAT32),
        ga_zeros(GA_SHAPE(0), GA_INT32), ga_zeros(GA_SHAPE(0), GA_INT32), 2, 3);
    close_to("none", ga_sparse_toarray(none), ga_zeros(GA_SHAPE(2, 3), GA_FLOAT32),
             0);
}
/* ------------------------------------------------------------- solvers */
typedef ga_array *(*solver)(ga_operator, const ga_array *,
                            const ga_solve_options *, ga_solve_info *);
static ga_array *solve(const char *method, ga_operator a, const ga_array *b,
                       const double *more, ga_solve_info *info) {
    const int precond = (int)more[3];
    const bool least = !strcmp(method, "lsqr") || !strcmp(method, "lsmr");
    const int64_t n = a.shape[1];
    ga_operator m;
    ga_solve_options o = {.maxiter = (int64_t)more[1]};
    if (precond) {
        const ga_sparse *of_a = (const ga_sparse *)a.arg;
        m = precond == 1 ? ga_diagonal_operator(ga_reciprocal(
                               ga_sparse_diagonal(of_a)))
            : precond == 2 ? ga_ilu0_operator(ga_sparse_ilu0(of_a))
            : ga_ic0_operator(ga_sparse_ic0(of_a));
        o.precond = &m;
    }
    if (more[4] != 0)
        o.x0 = ga_astype(ga_linspace(0, 1, n), b->dtype);
    if (least) {
        o.atol = o.btol = more[0];
        return (!strcmp(method, "lsqr") ? (ga_lsqr) : (ga_lsmr))(
            a, b, more[2], &o, info);
    }
    o.rtol = more[0];
    o.shift = more[2];
#define ROW(n) if (!strcmp(method, #n)) return (ga_##n)(a, b, &o, info);
    GA_SOLVERS(ROW)
#undef ROW
    return NULL;
}
TEST(golden_solvers) {
    const g_record *r;
    for (int k = 0; (r = g_find("s%d/method", k)) != NULL; k++) {
        GA_SCOPE;
        const char *method = (const char *)r->data;
        const char *of_a = (const char *)g_find("s%d/of", k)->data;
        const double *more = (const double *)g_find("s%d/options", k)->data;
        const int64_t *told = (const int64_t *)g_find("s%d/info", k)->data;
        ga_array *dense = made(g_find("a/%s", of_a));
        ga_array *b = made(g_find("s%d/b", k));
        ga_array *want = made(g_find("s%d/x", k));
        ga_sparse *a = ga_sparse_dense(dense);
        ga_solve_info info = {.reason = -77};
        const bool less = want->dtype == GA_FLOAT32;
        /* x itself, and so how many steps it takes, is not determined      */
        const bool loose = !strncmp(of_a, "graded", 6) || !strncmp(of_a, "ill", 3);
        t_context("s%d %s", k, method);
        ga_array *x = solve(method, GA_OPERATOR(a), b, more, &info);
        T_CHECKF(info.reason == told[0], "reason %d, not %d", (int)info.reason,
                 (int)told[0]);
        T_CHECKF(!told[1] || less || loose
                 || llabs(info.iterations - told[1]) <= 1,
                 "%d iterations, not %d", (int)info.iterations, (int)told[1]);
        if (loose) {
            /* cg's residual leaps by a thousand from step to step here, and with
               the last bit of b; what it makes small is x A x/2 - b x       */
            const bool cg = !strcmp(method, "cg");
            double off[2];
            for (int i = 0; i < 2; i++) {
                ga_array *y = i ? want : x, *ay = ga_matmul(dense, y);
                off[i] = cg ? ga_item(ga_vdot(y, ga_sub(ga_mul(ay, 0.5), b)))
                         : ga_item(ga_norm(ga_sub(b, ay), GA_NORM, GA_ALL));
            }
            T_CHECKF(cg ? fabs(off[0] - off[1]) <= 0.01 * fabs(off[1])
                        : off[0] <= 10 * off[1] + 1e-9,
                     "%s %g, SciPy's %g", cg ? "energy" : "residual", off[0],
                     off[1]);
            continue;
        }
        close_to("x", x, want, less ? 1e4 : 1e8);
        if (more[3] != 0) continue;
        ga_array *y = solve(method, GA_OPERATOR(dense), b, more, NULL);
        close_to("of a dense matrix", y, want, less ? 1e4 : 1e8);
    }
}
TEST(many_dampings) {
    static const double damp[] = {0, 0.1, 2, 500};
    GA_SCOPE;
    ga_sparse *a = ga_sparse_random(120, 80, 0.2, GA_FLOAT64);
    ga_array *b = ga_sub(ga_random(GA_SHAPE(120), GA_FLOAT64), 0.5);
    ga_solve_info all[4], one;
    ga_array *x = ga_lsmr_many(a, b, damp, 4, NULL, all);
    T_CHECK(x && x->ndim == 2 && x->shape[0] == 4 && x->shape[1] == 80);
    for (int i = 0; i < 4 && x; i++) {
        t_context("damp %g", damp[i]);
        ga_array *y = ga_lsmr(a, b, damp[i], NULL, &one);
        close_to("x", ga_index_axis(x, 0, i), y, 1e4);
        T_CHECK(one.reason == all[i].reason
                && one.iterations == all[i].iterations);
        T_CHECK(fabs(one.x_norm - ga_item(ga_norm(y, GA_NORM, GA_ALL)))
                < 1e-9 * (1 + one.x_norm));
    }
}
TEST(curve) {
    GA_SCOPE;
    ga_sparse *a = ga_sparse_dense(made(g_find("curve/a")));
    const double *damp = (const double *)g_find("curve/damp")->data;
    const int64_t *told = (const int64_t *)g_find("curve/info")->data;
    ga_array *want = made(g_find("curve/x"));
    ga_solve_info info[10];
    ga_array *x = ga_lsmr_many(a, made(g_find("curve/b")), damp, 10, NULL, info);
    for (int i = 0; i < 10 && x; i++) {
        t_context("damp %g", damp[i]);
        close_to("x", ga_copy(ga_index_axis(x, 0, i)),
                 ga_copy(ga_index_axis(want, 0, i)), 1e10);    /* atol 1e-6 */
        T_CHECKF(info[i].reason == told[2 * i]
                 && llabs(info[i].iterations - told[2 * i + 1]) <= 1,
                 "reason %d after %d, SciPy %d after %d", (int)info[i].reason,
                 (int)info[i].iterations, (int)told[2 * i],
                 (int)told[2 * i + 1]);
    }
    T_CHECK(x != NULL);
}
typedef struct watch { int calls; int64_t last; int stop; } watch;
static bool watched(void *arg, const ga_array *x, int64_t iteration,
                    double residual) {
    watch *w = (watch *)arg;
    w->calls++;
    T_CHECK(iteration == w->last + 1 && x->ndim == 1 && residual >= 0);
    w->last = iteration;
    return w->calls == w->stop;
}
static ga_status negated(void *arg, ga_array *y, const ga_array *x,
                         unsigned flags) {
    return ga_sparse_matmul_into(y, (const ga_sparse *)arg, ga_negative(x),
                                 flags);
}
TEST(operators_and_callbacks) {
    GA_SCOPE;
    ga_sparse *a = tridiagonal(60);
    ga_array *b = ga_ones(GA_SHAPE(60), GA_FLOAT64);
    ga_operator minus = {{60, 60}, GA_FLOAT64, negated, a};
    ga_solve_info info, plain;
    watch w = {0, 0, 0};
    ga_solve_options o = {.rtol = 1e-9, .callback = watched, .arg = &w};
    ga_solve_options quiet = {.rtol = 1e-9};
    ga_array *x = ga_cg(a, b, &o, &info);
    ga_array *y = ga_cg(a, b, &quiet, &plain);
    t_same_arrays(x, y, 0);
    T_CHECK(w.calls == info.iterations && info.iterations == plain.iterations);
    w = (watch){0, 0, 3};
    T_CHECK(ga_cg(a, b, &o, &info) && info.reason == -1 && w.calls == 3);
    close_to("operator", ga_gmres(minus, b, &quiet, NULL), ga_negative(x),
             1e8);
    x = ga_bicgstab(a, ga_zeros(GA_SHAPE(60), GA_FLOAT64),
                    &(ga_solve_options){.x0 = b}, &info);
    T_CHECK(x && info.reason == 0 && ga_item(ga_sum(x, GA_ALL)) == 0);
    T_CHECK(!ga_cg(a, ga_ones(GA_SHAPE(59), GA_FLOAT64), NULL, NULL));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_cg(ga_sparse_eye(4, 60, 0, GA_FLOAT32), b, NULL, NULL));
    T_ERROR(GA_ERR_SQUARE);
    T_CHECK(!ga_gmres(a, b, &(ga_solve_options){.restart = -1}, NULL));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_lsmr_many(a, b, NULL, 0, NULL, NULL));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_cg((const ga_sparse *)NULL, b, NULL, NULL));
    T_ERROR(GA_ERR_NULL);
    ga_array *none = ga_zeros(GA_SHAPE(0), GA_FLOAT64);
    ga_sparse *empty = ga_sparse_eye(0, 0, 0, GA_FLOAT64);
#define ROW(n) x = ga_##n(empty, none, NULL, &info); \
    T_CHECK(x && x->size == 0 && info.reason == 0);
    GA_SOLVERS(ROW)
#undef ROW
    x = ga_lsmr(empty, none, 0, NULL, &info);
    T_CHECK(x && x->size == 0 && info.reason == 0);
}
TEST(triangles) {
    for (int k = 0; k < 8; k++) {
        GA_SCOPE;
        const ga_dtype t = (ga_dtype)(GA_FLOAT32 + k % 4);
        const int64_t n = k < 4 ? 90 : 1;
        ga_sparse *r = ga_sparse_random(n, n, n > 1 ? 0.1 : 0, GA_FLOAT64);
        ga_sparse *a = ga_sparse_add(ga_sparse_astype(r, t), ga_sparse_scale(
            ga_sparse_eye(n, n, 0, t), ga_full(GA_SHAPE(1), 4, t)));
        if (t > GA_FLOAT64) {
            const double part[] = {0.6, -0.8};
            ga_complex128 turn;
            memcpy(&turn, part, sizeof turn);
            a = ga_sparse_with(a, ga_mul(a->data, turn));
        }
        ga_array *dense = ga_sparse_toarray(a);
        ga_array *b = ga_astype(ga_random(GA_SHAPE(n, 3), GA_FLOAT64), t);
        for (unsigned f = 0; f < 16; f++) {
            const unsigned flags = f;
            if ((f & GA_TRANS) && (f & GA_CONJ_TRANS)) continue;
            t_context("%s, flags %u", ga_dtype_name(t), f);
            ga_array *tri = f & GA_LOWER ? ga_tril(dense, 0) : ga_triu(dense, 0);
            if (f & GA_UNIT_DIAGONAL)
                ga_fill_diagonal(tri, 1, 0);
            if (f & (GA_TRANS | GA_CONJ_TRANS)) tri = ga_transpose(tri, GA_ALL);
            if (f & GA_CONJ_TRANS) tri = ga_conj(tri);
            for (int c = 0; c < 2; c++) {
                ga_sparse *m = ga_sparse_to(a, c ? GA_CSC : GA_CSR);
                ga_array *x = ga_sparse_solve_triangular(m, b, flags);
                close_to("solved", x ? ga_matmul(tri, x) : NULL, b, 1e5);
                x = ga_sparse_solve_triangular(m, ga_index_axis(b, 1, 0), flags);
                close_to("vector", x ? ga_matmul(tri, x) : NULL,
                         ga_copy(ga_index_axis(b, 1, 0)), 1e5);
            }
        }
    }
    GA_SCOPE;
    ga_sparse *a = ga_sparse_eye(5, 5, 1, GA_FLOAT32);
    ga_array *b = ga_ones(GA_SHAPE(5), GA_FLOAT32);
    T_CHECK(!ga_sparse_solve_triangular(a, b, 0));
    T_ERROR(GA_ERR_SINGULAR);
    T_CHECK(ga_sparse_solve_triangular(a, b, GA_UNIT_DIAGONAL) != NULL);
    T_CHECK(!ga_sparse_solve_triangular(ga_sparse_rows(a, 0, 4), b, 0));
    T_ERROR(GA_ERR_SQUARE);
    T_CHECK(!ga_sparse_solve_triangular(a, ga_slice(b, ":4"), 0));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_sparse_solve_triangular(a, b, 16));
    T_ERROR(GA_ERR_VALUE);
}
/* f's lower triangle, the ones of L on its diagonal, and its upper one. */
static ga_array *lower(const ga_array *f) {
    ga_array *l = ga_tril(f, 0);
    return l && !ga_fill_diagonal(l, 1, 0) ? l : NULL;
}
TEST(incomplete_factors) {
    const g_record *r;
    for (int k = 0; (r = g_find("i%d/a", k)) != NULL; k++)
        for (int c = 0; c < 2; c++) {
            GA_SCOPE;
            t_context("i%d, %s", k, c ? "csc" : "csr");
            ga_sparse *a = ga_sparse_to(ga_sparse_dense(made(r)),
                                        c ? GA_CSC : GA_CSR);
            ga_array *b = ga_astype(ga_arange_as(1, a->shape[0] + 1, 1, GA_FLOAT64),
                                    r->dtype);
            ga_array *y = ga_zeros_like(b);
            ga_sparse *f = ga_sparse_ilu0(a);
            ga_array *dense = f ? ga_sparse_toarray(f) : NULL;
            close_to("ilu", dense, made(g_find("i%d/ilu", k)), 32);
            ga_array *lu = ga_matmul(lower(dense), ga_triu(dense, 0));
            ga_operator m = ga_ilu0_operator(f);
            T_CHECK(!m.apply(m.arg, y, b, 0));
            close_to("inv(L U)", ga_matmul(lu, y), b, 1e4);
            T_CHECK(!m.apply(m.arg, y, b, GA_CONJ_TRANS));
            close_to("its transposed", ga_matmul(ga_conj(ga_transpose(
                         lu, GA_ALL)), y), b, 1e4);
            if (!g_find("i%d/ic", k)) continue;
            f = ga_sparse_ic0(a);
            dense = f ? ga_sparse_toarray(f) : NULL;
            close_to("ic", dense, made(g_find("i%d/ic", k)), 32);
            m = ga_ic0_operator(f);
            T_CHECK(!m.apply(m.arg, y, b, 0));
            close_to("inv(L L^H)", ga_matmul(ga_matmul(dense, ga_conj(
                         ga_transpose(dense, GA_ALL))), y), b, 1e4);
        }
    GA_SCOPE;
    double v[] = {1, 2, 2, 4, 1};
    int row[] = {0, 0, 1, 1, 2}, col[] = {0, 1, 0, 1, 2};
    ga_sparse *a = ga_sparse_coo(ga_asarray(v, GA_SHAPE(5)),
                                 ga_asarray(row, GA_SHAPE(5)),
                                 ga_asarray(col, GA_SHAPE(5)), 3, 3);
    T_CHECK(!ga_sparse_ilu0(a));
    T_CHECK(strstr(ga_error_message(), "row 1 is 0") != NULL);
    T_ERROR(GA_ERR_SINGULAR);
    T_CHECK(!ga_sparse_ic0(a));
    T_CHECK(strstr(ga_error_message(), "row 1") != NULL);
    T_ERROR(GA_ERR_NOT_POSITIVE_DEFINITE);
    T_CHECK(!ga_sparse_ilu0(ga_sparse_eye(3, 3, 1, GA_FLOAT32)));
    T_CHECK(strstr(ga_error_message(), "no place (0,0)") != NULL);
    T_ERROR(GA_ERR_SINGULAR);
    T_CHECK(!ga_sparse_ilu0(ga_sparse_rows(a, 0, 2)));
    T_ERROR(GA_ERR_SQUARE);
    T_CHECK(!ga_sparse_ic0(NULL));
    T_ERROR(GA_ERR_NULL);
    a = ga_sparse_ilu0(ga_sparse_eye(0, 0, 0, GA_FLOAT64));
    T_CHECK(a && a->nnz == 0);
}
/* A grid's matrix with its neighbours, and more on the diagonal. */
static ga_sparse *grid(int64_t side, double more) {
    const int64_t at[] = {-side, -1, 0, 1, side};
    ga_array *i = ga_arange_as(1, side * side, 1, GA_INT64);
    ga_array *edge = ga_negative(ga_astype(ga_not_equal(
        ga_remainder(i, side), 0), GA_FLOAT64));
    ga_array *one = ga_full(GA_SHAPE(1), -1, GA_FLOAT64);
    const ga_array *d[] = {one, edge, ga_full(GA_SHAPE(1), 4 + more,
                                              GA_FLOAT64), edge, one};
    return ga_sparse_diags(5, d, at, side * side, side * side);
}
TEST(direct) {
    const g_record *r;
    for (int k = 0; (r = g_find("l%d/a", k)) != NULL; k++) {
        GA_SCOPE;
        t_context("l%d", k);
        ga_array *dense = made(r), *b = made(g_find("l%d/b", k));
        ga_array *want = made(g_find("l%d/x", k));
        ga_sparse *a = ga_sparse_dense(dense);
        const double eps = k == 5 ? 1e12 : 1e4;     /* cond 1e11            */
        close_to("x", ga_spsolve(a, b), want, eps);
        close_to("A x", ga_matmul(dense, ga_spsolve(ga_sparse_to(a, GA_CSC), b)),
                 b, eps);
        close_to("vector", ga_spsolve(a, ga_index_axis(b, 1, 1)),
                 ga_copy(ga_index_axis(want, 1, 1)), eps);
    }
    GA_SCOPE;
    ga_sparse *a = grid(70, 0);
    ga_array *b = ga_random(GA_SHAPE(4900), GA_FLOAT64);
    close_to("grid", ga_sparse_matmul(a, ga_spsolve(a, b), 0), b, 1e5);
    T_CHECK(!ga_spsolve(ga_sparse_dense(ga_ones(GA_SHAPE(3, 3), GA_FLOAT64)),
                        ga_ones(GA_SHAPE(3), GA_FLOAT64)));
    T_CHECK(strstr(ga_error_message(), "has no pivot") != NULL);
    T_ERROR(GA_ERR_SINGULAR);
    T_CHECK(!ga_spsolve(ga_sparse_eye(3, 3, 1, GA_FLOAT64),
                        ga_ones(GA_SHAPE(3), GA_FLOAT64)));
    T_ERROR(GA_ERR_SINGULAR);
    T_CHECK(!ga_spsolve(a, ga_ones(GA_SHAPE(3), GA_FLOAT64)));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_spsolve(ga_sparse_rows(a, 0, 4), b));
    T_ERROR(GA_ERR_SQUARE);
    ga_array *x = ga_spsolve(ga_sparse_eye(0, 0, 0, GA_FLOAT32),
                             ga_zeros(GA_SHAPE(0), GA_FLOAT32));
    T_CHECK(x && x->size == 0 && x->dtype == GA_FLOAT32);
}
/* Values of either sign at random places, in every row and column one more; a
   shift leaves the diagonal mostly empty.                                  */
static ga_sparse *scattered(int64_t n, int64_t shift, ga_dtype t) {
    ga_sparse *a = ga_sparse_random(n, n, 6 / (double)n, GA_FLOAT64);
    a = ga_sparse_add(ga_sparse_with(a, ga_sub(a->data, 0.5)),
                      ga_sparse_eye(n, n, 0, GA_FLOAT64));
    if (t > GA_FLOAT64)
        a = ga_sparse_with(a, ga_add(a->data, ga_mul(ga_random(
            GA_SHAPE(a->nnz), GA_FLOAT64), t_c128(0, 1))));
    ga_array *row, *col;
    if (ga_sparse_tocoo(a, &row, &col, NULL)) return NULL;
    a = ga_sparse_coo(a->data, ga_remainder(ga_add(row, shift), n), col, n, n);
    return ga_sparse_astype(a, t);
}
/* |a x - b| beside |a| |x|, column by column. */
static void solves(const char *what, const ga_sparse *a, const ga_array *b) {
    GA_SCOPE;
    const double bound = ga_promote_types(a->dtype, b->dtype) == GA_FLOAT32
        || ga_promote_types(a->dtype, b->dtype) == GA_COMPLEX64 ? 1e-6 : 1e-12;
    ga_array *x = ga_spsolve(a, b), *kept = ga_copy(b);
    T_CHECKF(x && x->ndim == b->ndim && x->size == b->size, "%s: %s", what,
             ga_error_message());
    if (!x || !x->size) return;
    T_CHECK(x->dtype == ga_promote_types(ga_promote_types(a->dtype, b->dtype),
                                         GA_FLOAT32));
    ga_sparse *r = ga_sparse_astype(ga_sparse_to(a, GA_CSR), GA_COMPLEX128);
    x = ga_astype(x, GA_COMPLEX128);
    ga_array *off = ga_max(ga_abs(ga_sub(ga_sparse_matmul(r, x, 0), b)),
                           GA_AXIS(0));
    ga_array *most = ga_mul(ga_max(ga_abs(x), GA_AXIS(0)),
                            ga_sparse_norm(r, INFINITY));
    const double worst = ga_item(ga_max(ga_divide(off, most), GA_ALL));
    T_CHECKF(worst <= bound, "%s: %g", what, worst);
    t_same_arrays(b, kept, 0);
}
TEST(systems) {
    enum { N = 300 };
    GA_SCOPE;
    ga_sparse *h = scattered(N, 0, GA_COMPLEX128);
    ga_sparse *turned = ga_sparse_with(h, ga_conj(h->data));
    ga_array *i = ga_arange_as(0, N, 1, GA_INT32);
    ga_sparse *small = scattered(N, 5, GA_FLOAT64);
    const struct { const char *name; ga_sparse *a; } of[] = {
        {"scattered", scattered(N, 0, GA_FLOAT64)},
        {"no diagonal", scattered(N, 7, GA_FLOAT64)},
        {"complex", scattered(N, 3, GA_COMPLEX128)},
        {"hermitian", ga_sparse_add(h, ga_sparse_to(ga_sparse_transpose(
                                           turned), GA_CSR))},
        {"float32", scattered(N, 1, GA_FLOAT32)},
        {"complex64", scattered(N, 1, GA_COMPLEX64)},
        {"pairs", ga_sparse_coo(ga_ones(GA_SHAPE(N), GA_FLOAT64), i,
                                ga_bitwise_xor(i, 1), N, N)},
        {"grid", grid(N / 15, 0)},
        {"small", ga_sparse_with(small, ga_mul(small->data, 1e-20))},
        {"large", ga_sparse_with(small, ga_mul(small->data, 1e20))}};
    for (size_t k = 0; k < T_COUNT(of); k++)
        for (int f = 0; f < 3; f++) {
            GA_SCOPE;
            t_context("%s, format %d", of[k].name, f);
            ga_sparse *a = ga_sparse_to(of[k].a, (ga_sparse_format)f);
            const int64_t n = a->shape[0];
            ga_array *wide = ga_sub(ga_random(GA_SHAPE(2 * n, 8), GA_FLOAT64),
                                    0.5);
            ga_array *b = ga_copy(ga_slice(wide, ":%d, :3", (int)n));
            solves("vector", a, ga_index_axis(b, 1, 0));
            solves("C order", a, b);
            solves("by columns", a, ga_transpose(ga_copy(ga_transpose(
                                        b, GA_ALL)), GA_ALL));
            solves("strided", a, ga_slice(wide, "::-2, 1::3"));
            solves("integers", a, ga_astype(ga_mul(b, 100), GA_INT32));
            solves("float16", a, ga_astype(b, GA_FLOAT16));
            solves("complex64", a, ga_astype(b, GA_COMPLEX64));
            solves("no column", a, ga_slice(b, ":, :0"));
        }
}
static void solve_inside(void *arg) {
    recorded *r = (recorded *)arg;
    r->y = ga_spsolve(r->a, r->x);
}
TEST(systems_that_fail) {
    GA_SCOPE;
    ga_array *b = ga_ones(GA_SHAPE(6), GA_FLOAT64), *none;
    ga_sparse *eye = ga_sparse_eye(6, 6, 0, GA_FLOAT64);
    none = ga_zeros(GA_SHAPE(0), GA_INT64);
    double v[] = {1, 2, 2, 4, 1, 1, 1, 1};  /* rows 0 and 1 are in line     */
    int row[] = {0, 0, 1, 1, 2, 3, 4, 5}, col[] = {0, 1, 0, 1, 2, 3, 4, 5};
    ga_sparse *singular[] = {
        ga_sparse_coo(ga_zeros(GA_SHAPE(0), GA_FLOAT64), none, none, 6, 6),
        ga_sparse_with(eye, ga_zeros(GA_SHAPE(6), GA_FLOAT64)),
        ga_sparse_with(eye, ga_full(GA_SHAPE(6), NAN, GA_FLOAT64)),
        ga_sparse_eye(6, 6, -2, GA_COMPLEX64),
        ga_sparse_coo(ga_asarray(v, GA_SHAPE(8)), ga_asarray(row, GA_SHAPE(8)),
                      ga_asarray(col, GA_SHAPE(8)), 6, 6)};
    for (size_t i = 0; i < T_COUNT(singular); i++)
        for (int f = 0; f < 3; f++) {
            t_context("singular %d, format %d", (int)i, f);
            T_CHECK(!ga_spsolve(ga_sparse_to(singular[i], (ga_sparse_format)f),
                                b));
            T_CHECKF(strstr(ga_error_message(), "column ") != NULL, "%s",
                     ga_error_message());
            T_ERROR(GA_ERR_SINGULAR);
        }
    t_same_arrays(b, ga_ones(GA_SHAPE(6), GA_FLOAT64), 0);
    solves("one", ga_sparse_eye(1, 1, 0, GA_FLOAT64),
           ga_full(GA_SHAPE(1), 3, GA_FLOAT64));
    ga_array *x = ga_spsolve(eye, ga_full(GA_SHAPE(6), NAN, GA_FLOAT64));
    T_CHECK(x && isnan(ga_item_at(x, GA_INDEX(3))));
    /* An index out of range, which a GPU tells at the next wait. */
    ga_take_into(x, b, ga_full(GA_SHAPE(6), 9, GA_INT64), GA_AXIS(0), 0);
    ga_spsolve(eye, b);
    T_ERROR(GA_ERR_INDEX);
    if (!t_on_gpu()) return;
    recorded r = {eye, b, NULL, NULL};
    T_CHECK(!ga_graph_create(solve_inside, &r) && !r.y);
    T_ERROR(GA_ERR_CAPTURE);
}
/* So many iterations that a GPU has them as a graph; the same with a callback,
   which is called after each.                                              */
TEST(many_iterations) {
    static const char *const method[] = {"cg", "minres", "bicgstab", "gmres",
                                         "lsqr", "lsmr"};
    GA_SCOPE;
    ga_sparse *a = grid(30, 0.02);
    ga_array *dense = ga_sparse_toarray(a);
    ga_array *b = ga_random(GA_SHAPE(900), GA_FLOAT64);
    ga_array *want = ga_spsolve(a, b);
    ga_operator of[] = {GA_OPERATOR(a), GA_OPERATOR(dense)};
    for (size_t i = 0; i < T_COUNT(method); i++)
        for (int precond = 0; precond < (i < 4 ? 4 : 1); precond++) {
            const double more[] = {1e-11, i < 3 ? 0 : 600, 0, precond, 0};
            ga_solve_info info[2];
            t_context("%s, preconditioner %d", method[i], precond);
            ga_array *x = solve(method[i], of[0], b, more, &info[0]);
            close_to("x", x, want, 1e9);
            T_CHECK(info[0].iterations > 10);
            if (precond) continue;
            ga_array *y = solve(method[i], of[1], b, more, &info[1]);
            close_to("dense", y, want, 1e9);
            T_CHECK(llabs(info[0].iterations - info[1].iterations) < 9);
        }
    watch w = {0, 0, 0};
    ga_solve_options o = {.rtol = 1e-11, .callback = watched, .arg = &w};
    ga_solve_options quiet = {.rtol = 1e-11};
    ga_solve_info info;
    ga_array *x = ga_minres(a, b, &o, NULL);
    t_same_arrays(ga_minres(a, b, &quiet, &info), x, 0);
    T_CHECK(info.iterations == w.calls && w.calls > 40);
}
/* An operator whose function fails and says no more. */
static ga_status refuse(void *arg, ga_array *y, const ga_array *x,
                        unsigned flags) {
    (void)arg, (void)y, (void)x, (void)flags;
    return GA_ERR_SHAPE;
}
TEST(eigenvalues) {
    static const ga_which which[] = {GA_LARGEST_MAGNITUDE, GA_LARGEST_ALGEBRAIC,
                                     GA_SMALLEST_ALGEBRAIC};
    for (int k = 0; g_find("e%d/a", k); k++)
        for (int i = 0; i < 3; i++) {
            GA_SCOPE;
            t_context("e%d, %d", k, i);
            ga_sparse *a = ga_sparse_dense(made(g_find("e%d/a", k)));
            ga_array *want = made(g_find("e%d/w%d", k, i)), *w, *v;
            T_CHECK(!ga_eigsh(a, 4, which[i], NULL, &w, &v));
            if (ga_error()) {
                T_FINE();
                continue;
            }
            close_to("w", w, want, 1e4);
            ga_array *av = ga_sparse_matmul(a, v, 0);
            close_to("A v", av, ga_astype(ga_mul(v, w), v->dtype), 1e8);
            ga_array *one = ga_matmul(ga_conj(ga_transpose(v, GA_ALL)), v);
            close_to("v v", one, ga_eye(4, 4, 0, one->dtype), 1e5);
        }
    for (int k = 0; g_find("v%d/a", k); k++) {
        GA_SCOPE;
        t_context("v%d", k);
        ga_array *dense = made(g_find("v%d/a", k)), *u, *s, *vh;
        T_CHECK(!ga_svds(ga_sparse_dense(dense), 3, NULL, &u, &s, &vh));
        close_to("s", s, made(g_find("v%d/s", k)), 1e5);
        close_to("A v", ga_matmul(dense, ga_conj(ga_transpose(vh, GA_ALL))),
                 ga_astype(ga_mul(u, s), u->dtype), 1e8);
    }
    GA_SCOPE;
    ga_array *w;
    ga_sparse *a = tridiagonal(30);
    const ga_operator deaf = {{9, 9}, GA_FLOAT64, refuse, NULL};
    const ga_operator none = {{9, 9}, GA_FLOAT64, NULL, NULL};
    ga_array *b = ga_ones(GA_SHAPE(9), GA_FLOAT64);
    T_CHECK(!ga_cg(deaf, b, NULL, NULL));
    T_CHECK(strstr(ga_error_message(), "ga_cg: the operator's function gave "
                                       "GA_ERR_SHAPE"));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_cg(ga_dense_operator(ga_eye(9, 9, 0, GA_FLOAT64)), b,
                   &(ga_solve_options){.precond = &deaf}, NULL));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_eigsh(deaf, 2, GA_LARGEST_ALGEBRAIC, NULL, &w, NULL));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_svds(deaf, 2, NULL, NULL, &w, NULL));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_svds(none, 2, NULL, NULL, &w, NULL));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_arange(0, 3, 0));   /* an error of before stays the first one */
    T_CHECK(ga_eigsh(deaf, 2, GA_LARGEST_ALGEBRAIC, NULL, &w, NULL) == GA_ERR_SHAPE);
    T_CHECK(ga_svds(deaf, 2, NULL, NULL, &w, NULL) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_eigsh(a, 0, GA_LARGEST_ALGEBRAIC, NULL, &w, NULL));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_eigsh(a, 30, GA_LARGEST_ALGEBRAIC, NULL, &w, NULL));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_eigsh(ga_sparse_rows(a, 0, 20), 3, GA_LARGEST_ALGEBRAIC, NULL,
                     &w, NULL));
    T_ERROR(GA_ERR_SQUARE);
    T_CHECK(ga_eigsh(a, 3, GA_LARGEST_ALGEBRAIC,
                     &(ga_eigs_options){.ncv = 5, .maxiter = 1}, &w, NULL));
    T_ERROR(GA_ERR_NOT_CONVERGED);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        T(golden_products), T(unsorted_and_repeated), T(diagonals),
        T(random_matrices), T(row_lengths), T(long_rows), T(wide_indices),
        T(errors), T(lifetimes), T(graphs),
        T(arithmetic), T(matrix_market), T(archives), T(triplets),
        T(golden_solvers), T(many_dampings), T(curve), T(operators_and_callbacks),
        T(triangles), T(incomplete_factors), T(direct), T(systems),
        T(systems_that_fail), T(many_iterations), T(eigenvalues)};
    g_load("sparse.bin");
    int failed = T_RUN("sparse", tests);
    g_free();
    return failed;
}
