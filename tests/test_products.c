/* Products: golden/products.bin in several layouts and into given outputs,
   larger ones against sums in double, C numbers, errors and their texts, graph
   capture, precision, threads.                                              */
#include "golden.h"

#include <pthread.h>

#define GA__X(n, ...) {#n, (ga_##n), (ga_##n##_into)},
static const struct {
    const char *name;
    ga_array *(*f)(const ga_array *, const ga_array *);
    ga_status (*into)(ga_array *, const ga_array *, const ga_array *);
} products[] = {GA_PRODUCTS(GA__X)};
#undef GA__X

static ga_array *array_of(const g_record *r) {
    return (ga_asarray_as)(r->data, r->dtype, r->shape);
}
/* The same values: 0 C order, 1 axes reversed in memory, 2 inside a larger
   array with steps, 3 backwards.                                            */
enum { LAYOUTS = 4 };
static ga_array *laid_out(const ga_array *x, int how) {
    if (how == 1 && x->ndim)
        return ga_transpose(ga_ascontiguousarray(ga_transpose(x, GA_ALL)),
                            GA_ALL);
    if (how == 3 && x->ndim) return ga_flip(ga_copy(ga_flip(x, GA_ALL)), GA_ALL);
    if (how != 2 || !x->ndim) return ga_copy(x);
    ga_shape s = ga_shape_of(x);
    for (int i = 0; i < s.ndim; i++) s.dim[i] = 2 * s.dim[i] + 1;
    ga_array *v = ga_full(s, 1, x->dtype);
    for (int i = 0; i < s.ndim; i++)
        v = ga_slice_axis(v, i, 1, 2 * x->shape[i], 2);
    ga_assign(v, x);
    return v;
}

/* ------------------------------------------------------------ golden data */
/* The golden values; a zero's sign depends on the order of a sum. */
static void same_values(const ga_array *r, const g_record *want) {
    bool zeros = r && (t_is_float(r->dtype) || t_is_complex(r->dtype));
    t_same(zeros ? ga_add(r, 0) : r, want->dtype, want->shape, want->data);
}
static void golden_case(size_t i, const char *a, const char *b, int k) {
    const char *n = products[i].name;
    const g_record *rx = g_find("%s/%s/%s/%d/x", n, a, b, k);
    if (!rx) return;
    const g_record *ry = g_find("%s/%s/%s/%d/y", n, a, b, k);
    const g_record *want = g_find("%s/%s/%s/%d", n, a, b, k);
    for (int l = 0; l < LAYOUTS * LAYOUTS; l++) {
        if (t_quick() && l % 5) continue;
        GA_SCOPE;
        t_context("%s %s %s %d, layouts %d", n, a, b, k, l);
        ga_array *x = laid_out(array_of(rx), l / LAYOUTS);
        ga_array *y = laid_out(array_of(ry), l % LAYOUTS);
        ga_array *r = products[i].f(x, y);
        same_values(r, want);
        T_CHECK(r && ga_is_contiguous(r));
        /* into an output of any layout, and into a wider dtype */
        ga_array *o = laid_out(ga_full(want->shape, 1, want->dtype),
                               l % LAYOUTS);
        T_CHECK(products[i].into(o, x, y) == GA_OK);
        same_values(o, want);
        if (l % 3) continue;
        o = ga_full(want->shape, 1, GA_COMPLEX128);
        T_CHECK(products[i].into(o, x, y) == GA_OK);
        t_same_arrays(o, ga_astype(r, GA_COMPLEX128), 0);
    }
}
static void golden(const char *name) {
    size_t i = 0;
    while (strcmp(products[i].name, name)) i++;
    for (int a = 0; a < GA_NUM_DTYPES; a++)
        for (int b = 0; b < GA_NUM_DTYPES; b++)
            for (int k = 0; k < 16; k++)
                golden_case(i, ga_dtype_name((ga_dtype)a),
                            ga_dtype_name((ga_dtype)b), k);
}
TEST(matmul) { golden("matmul"); }
TEST(dot) { golden("dot"); }
TEST(vdot) { golden("vdot"); }
TEST(vecdot) { golden("vecdot"); }
TEST(inner) { golden("inner"); }
TEST(outer) { golden("outer"); }
TEST(matvec) { golden("matvec"); }
TEST(kron) { golden("kron"); }

static const char *const some[] = {"int8", "int64", "float32", "float64",
                                   "complex64"};
TEST(cross) {
    for (size_t i = 0; i < T_COUNT(some); i++)
        for (int k = 0; k < 7; k++)
            for (int l = 0; l < LAYOUTS; l++) {
                GA_SCOPE;
                const g_record *want = g_find("cross/%s/%d", some[i], k);
                const g_record *x = g_find("cross/%s/%d/x", some[i], k);
                const g_record *y = g_find("cross/%s/%d/y", some[i], k);
                t_context("%s %d", some[i], k);
                same_values(ga_cross(laid_out(array_of(x), l), array_of(y),
                                     -1), want);
            }
    for (size_t i = 0; i < T_COUNT(some); i++) {
        GA_SCOPE;
        const g_record *want = g_find("cross_axis/%s", some[i]);
        ga_array *x = array_of(g_find("cross_axis/%s/x", some[i]));
        ga_array *r = ga_cross(x, ga_flip(x, GA_AXIS(1)), 1);
        same_values(r, want);
        T_CHECK(ga_is_contiguous(r));
    }
}
TEST(matrix_power) {
    static const int powers[] = {0, 1, 2, 3, 5, 6};
    for (size_t i = 0; i < T_COUNT(some); i++)
        for (size_t k = 0; k < T_COUNT(powers); k++)
            for (int l = 0; l < LAYOUTS; l++) {
                GA_SCOPE;
                const g_record *want = g_find("power/%s/%d", some[i], powers[k]);
                const g_record *x = g_find("power/%s/%d/x", some[i], powers[k]);
                t_context("%s %d", some[i], powers[k]);
                same_values(ga_matrix_power(laid_out(array_of(x), l),
                                            powers[k]), want);
            }
}
/* However large the power, three matrices at most are alive at once. */
TEST(memory_of_powers) {
    GA_SCOPE;
    ga_memory m;
    ga_array *x = ga_identity(64, GA_FLOAT64);
    assert_int_equal(ga_mem_info(ga_device(), &m), GA_OK);
    ga_mem_limit(m.used + 4 * 64 * 64 * sizeof(double));
    t_same_arrays(ga_matrix_power(x, INT64_MAX), x, 0);
    ga_mem_limit(0);
}
TEST(negative_powers) {
#ifndef GPUARR_USE_LAPACK
    if (!t_on_gpu()) skip();
#endif
    GA_SCOPE;
    double a[] = {2, 0, 0, 0, 4, 0, 1, 0, 8}, one[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ga_array *x = ga_asarray(a, GA_SHAPE(3, 3));
    ga_array *r = ga_matrix_power(x, -3);
    t_near(ga_matmul(r, ga_matrix_power(x, 3)), GA_FLOAT64, GA_SHAPE(3, 3), one,
           4);
    r = ga_matrix_power(ga_astype(x, GA_INT32), -1);
    t_near(ga_matmul(r, x), GA_FLOAT64, GA_SHAPE(3, 3), one, 4);
    ga_matrix_power(ga_zeros(GA_SHAPE(2, 2), GA_FLOAT64), -1);
    T_CHECK(strstr(ga_error_message(), "ga_matrix_power: "));
    T_ERROR(GA_ERR_SINGULAR);
}
TEST(trace) {
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        const g_record *rx = g_find("trace/%s/x", ga_dtype_name((ga_dtype)t));
        if (!rx) continue;
        for (int k = -4; k < 6; k++)
            for (int a = 0; a < 3; a++) {
                GA_SCOPE;
                static const int axes[3][2] = {{0, 1}, {1, 0}, {2, 1}};
                const g_record *want = g_find("trace/%s/%d/%d/%d",
                                              ga_dtype_name((ga_dtype)t), k,
                                              axes[a][0], axes[a][1]);
                t_context("%s %d %d", ga_dtype_name((ga_dtype)t), k, a);
                ga_array *r = ga_trace(laid_out(array_of(rx), a), k,
                                       axes[a][0] - (a ? 3 : 0), axes[a][1]);
                same_values(r, want);
            }
    }
}

/* ----------------------------------------------------- against plain sums */
/* The parts of each element and its size, looked at once. */
static const double *parts_of(const ga_array *x) {
    double *v = (double *)t_alloc((size_t)x->size * 3 * sizeof *v);
    const void *p = t_host(x);
    for (int64_t i = 0; i < x->size; i++) {
        v[3 * i] = t_value(p, x->dtype, i, 0);
        v[3 * i + 1] = t_is_complex(x->dtype) ? t_value(p, x->dtype, i, 1) : 0;
        v[3 * i + 2] = hypot(v[3 * i], v[3 * i + 1]);
    }
    return v;
}
/* out[i,j] and the sum of |x||y| in double from host copies; x conjugated on
   request. Integers: the low bits of wrapping sums.                         */
static void plain(const ga_array *r, const ga_array *x, const ga_array *y,
                  double factor) {
    if (!r) {
        t_bad("NULL: %s", ga_error_message());
        ga_clear_error();
        return;
    }
    const int nd = r->ndim;
    const int64_t m = x->shape[x->ndim - 2], k = x->shape[x->ndim - 1];
    const int64_t n = y->shape[y->ndim - 1];
    ga_shape sx = ga_shape_of(r), sy = sx;
    sx.dim[nd - 1] = k;
    sy.dim[nd - 2] = k;
    const double *px = parts_of(ga_broadcast_to(x, sx));
    const double *py = parts_of(ga_broadcast_to(y, sy));
    const void *pr = t_host(r);
    const ga_dtype t = r->dtype;
    const double eps = t_is_int(t) || t == GA_BOOL ? 0 : t_ulp(t, 1.0) / 2;
    const double acc = ga_dtype_size(t) == 2 ? 0x1p-24 : eps;
    for (int64_t e = 0; e < r->size; e++) {
        const int64_t b = e / (m * n), i = e / n % m, j = e % n;
        double s[2] = {0, 0}, size = 0;
        uint64_t sum = 0;
        for (int64_t p = 0; p < k; p++) {
            const double *u = px + 3 * ((b * m + i) * k + p);
            const double *v = py + 3 * ((b * k + p) * n + j);
            const double a0 = u[0], a1 = u[1], b0 = v[0], b1 = v[1];
            s[0] += a0 * b0 - a1 * b1;
            s[1] += a0 * b1 + a1 * b0;
            size += u[2] * v[2];
            sum += (uint64_t)(int64_t)a0 * (uint64_t)(int64_t)b0;
        }
        bool good;
        if (t == GA_BOOL) {
            good = (t_value(pr, t, e, 0) != 0) == (s[0] != 0);
        } else if (t_is_int(t)) {
            uint64_t got = 0;
            size_t bytes = ga_dtype_size(t);
            memcpy(&got, (const char *)pr + (size_t)e * bytes, bytes);
            good = !memcmp(&got, &sum, bytes);
        } else {
            double err = t_value(pr, t, e, 0) - s[0];
            if (t_is_complex(t)) err = hypot(err, t_value(pr, t, e, 1) - s[1]);
            good = fabs(err) <= factor * (double)(k + 2) * acc * size
                                    + 1.01 * eps * hypot(s[0], s[1]);
        }
        if (good) continue;
        t_bad("element %lld is %s, expected %.9g%+.9gi of %.3g",
              (long long)e, t_text(pr, t, e), s[0], s[1], size);
        return;
    }
}
/* Sizes around the tiles' edges, with x and y in every layout. */
TEST(sizes) {
    static const int64_t dims[][3] = {{1, 1, 300}, {65, 1, 70}, {1, 65, 70},
                                      {64, 64, 64}, {63, 65, 129},
                                      {130, 3, 260}, {3, 130, 17},
                                      {1, 1, 40000}, {5, 1, 9000}, {1, 5, 9000},
                                      {17, 33, 1}};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (size_t s = 0; s < T_COUNT(dims); s++)
            for (int l = 0; l < LAYOUTS * LAYOUTS; l++) {
                GA_SCOPE;
                if ((t_quick() || dims[s][2] > 1000) && l % 5) continue;
                const int64_t m = dims[s][0], n = dims[s][1], k = dims[s][2];
                const double top = t_is_int((ga_dtype)t) ? 120 : 1;
                t_context("%s %lldx%lldx%lld layouts %d",
                          ga_dtype_name((ga_dtype)t), (long long)m,
                          (long long)n, (long long)k, l);
                ga_array *x = laid_out(t_random_array((ga_dtype)t,
                                                      GA_SHAPE(m, k), -top, top),
                                       l / LAYOUTS);
                ga_array *y = laid_out(t_random_array((ga_dtype)t,
                                                      GA_SHAPE(k, n), -top, top),
                                       l % LAYOUTS);
                plain(ga_matmul(x, y), x, y, 1);
            }
}
/* Batches that fold, merge, need loops or copies. */
TEST(batches) {
    static const ga_dtype types[] = {GA_INT16, GA_BOOL, GA_FLOAT16, GA_FLOAT32,
                                     GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        GA_SCOPE;
        const ga_dtype t = types[i];
        t_context("%s", ga_dtype_name(t));
        ga_array *x = t_random_array(t, GA_SHAPE(11, 12, 3, 4), -9, 9);
        ga_array *y = t_random_array(t, GA_SHAPE(11, 12, 4, 5), -9, 9);
        ga_array *u = t_random_array(t, GA_SHAPE(4, 5), -9, 9);
        ga_array *v = t_random_array(t, GA_SHAPE(3, 4), -9, 9);
        plain(ga_matmul(x, y), x, y, 1);
        plain(ga_matmul(x, u), x, u, 1);
        plain(ga_matmul(v, y), v, y, 1);
        ga_array *xt = ga_swapaxes(t_random_array(t, GA_SHAPE(12, 11, 3, 4), -9,
                                                  9), 0, 1);
        plain(ga_matmul(xt, y), xt, y, 1);      /* batches across each other */
        ga_array *turned = ga_swapaxes(xt, -1, -2);
        plain(ga_matmul(xt, turned), xt, turned, 1);
        ga_array *a = ga_slice(x, ":, :1"), *b = ga_slice(y, ":1, :");
        plain(ga_matmul(a, b), a, b, 1);        /* an outer product of them  */
        a = ga_broadcast_to(v, GA_SHAPE(11, 12, 3, 4));
        plain(ga_matmul(a, y), a, y, 1);
        a = ga_flip(x, GA_AXIS(0));
        plain(ga_matmul(a, y), a, y, 1);
        a = ga_broadcast_to(ga_slice(x, ":, :, :1"), GA_SHAPE(11, 12, 3, 4));
        plain(ga_matmul(a, y), a, y, 1);        /* rows that share memory    */
        /* vectors in batches: a shared matrix is one product */
        a = ga_matvec(v, ga_slice(x, ":, :, 0"));
        t_same_arrays(a, ga_squeeze(ga_matmul(v, ga_expand_dims(ga_slice(
                      x, ":, :, 0"), GA_AXIS(-1))), GA_AXIS(-1)),
                      t_is_float(t) || t_is_complex(t) ? 1e9 : 0);
        plain(ga_expand_dims(a, GA_AXIS(-1)), v,
              ga_expand_dims(ga_slice(x, ":, :, 0"), GA_AXIS(-1)), 1);
    }
}
TEST(many_small) {
    static const ga_dtype types[] = {GA_INT32, GA_FLOAT16, GA_FLOAT32,
                                     GA_FLOAT64, GA_COMPLEX128, GA_BOOL,
                                     GA_UINT8, GA_INT64, GA_BFLOAT16,
                                     GA_COMPLEX64};
    static const int64_t dims[][4] = {{270, 8, 8, 8}, {270, 5, 7, 6},
                                      {70, 32, 32, 32}, {70, 31, 18, 29},
                                      {1, 2003, 9, 13}, {1, 12, 2003, 16},
                                      {1, 17, 20, 2100}, {3, 9, 13, 2500}};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        GA_SCOPE;
        for (size_t d = 0; d < T_COUNT(dims); d++)
            for (int l = 0; l < LAYOUTS * LAYOUTS; l += 7) {
                GA_SCOPE;
                const int64_t *n = dims[d];
                if (t_quick() && ((size_t)l + i + d) % 3) continue;
                t_context("%s %d layouts %d", ga_dtype_name(types[i]), (int)d,
                          l);
                ga_array *u = laid_out(t_random_array(types[i], GA_SHAPE(
                                           n[0], n[1], n[3]), -9, 9),
                                       l / LAYOUTS);
                ga_array *v = laid_out(t_random_array(types[i], GA_SHAPE(
                                           n[0], n[3], n[2]), -9, 9),
                                       l % LAYOUTS);
                plain(ga_matmul(u, v), u, v, 1);
            }
        t_context("%s", ga_dtype_name(types[i]));
        ga_array *x = t_random_array(types[i], GA_SHAPE(700, 3, 3), -9, 9);
        ga_array *y = t_random_array(types[i], GA_SHAPE(700, 3, 3), -9, 9);
        plain(ga_matmul(x, y), x, y, 1);
        x = t_random_array(types[i], GA_SHAPE(70, 17, 19), -9, 9);
        y = t_random_array(types[i], GA_SHAPE(70, 19, 16), -9, 9);
        plain(ga_matmul(x, y), x, y, 1);
        for (int64_t k = 1; k < 45; k += k < 6 || k > 36 ? 5 : 1) {
            t_context("%s, vectors of %d", ga_dtype_name(types[i]), (int)k);
            x = t_random_array(types[i], GA_SHAPE(90, 5, k), -9, 9);
            y = t_random_array(types[i], GA_SHAPE(90, k, 1), -9, 9);
            plain(ga_matmul(x, y), x, y, 1);
        }
    }
}
/* More in a batch than one grid dimension holds. */
TEST(large_batch) {
    GA_SCOPE;
    const int64_t n = 70001;
    static const ga_dtype types[] = {GA_INT32, GA_FLOAT32};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        ga_array *x = t_random_array(types[i], GA_SHAPE(n, 2, 2), -9, 9);
        ga_array *y = t_random_array(types[i], GA_SHAPE(n, 2, 2), -9, 9);
        plain(ga_matmul(x, y), x, y, 1);
        x = ga_reshape(x, GA_SHAPE(n, 4));
        y = ga_reshape(y, GA_SHAPE(n, 4));
        ga_array *want = ga_sum(ga_multiply(x, y), GA_AXIS(1));
        t_same_arrays(ga_astype(ga_vecdot(x, y), want->dtype), want,
                      types[i] == GA_INT32 ? 0 : 1e5);
    }
}
/* Long sums: several blocks a result, the same on every call. */
TEST(long_dots) {
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        const int64_t n = t_quick() ? 100001 : 1000003;
        t_context("%s", ga_dtype_name((ga_dtype)t));
        ga_array *x = t_random_array((ga_dtype)t, GA_SHAPE(n), -1, 1);
        ga_array *y = t_random_array((ga_dtype)t, GA_SHAPE(n), -1, 1);
        ga_array *r = ga_dot(x, y);
        plain(ga_reshape(r, GA_SHAPE(1, 1)), ga_reshape(x, GA_SHAPE(1, n)),
              ga_reshape(y, GA_SHAPE(n, 1)), 0.01);
        t_same_arrays(ga_dot(x, y), r, 0);
        x = ga_slice(x, "1:-1");                /* not aligned               */
        y = ga_slice(y, "2:");
        plain(ga_reshape(ga_dot(x, y), GA_SHAPE(1, 1)),
              ga_reshape(x, GA_SHAPE(1, n - 2)),
              ga_reshape(y, GA_SHAPE(n - 2, 1)), 0.01);
        x = ga_flip(x, GA_AXIS(0));
        plain(ga_reshape(ga_inner(x, y), GA_SHAPE(1, 1)),
              ga_reshape(x, GA_SHAPE(1, n - 2)),
              ga_reshape(y, GA_SHAPE(n - 2, 1)), 0.01);
    }
}
/* Sums over the first axis: the batch adjoins, the summed axis does not. */
TEST(across_the_batch) {
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        const int64_t k = 301, n = 203;
        t_context("%s", ga_dtype_name((ga_dtype)t));
        ga_array *x = t_random_array((ga_dtype)t, GA_SHAPE(k, n), -9, 9);
        ga_array *y = t_random_array((ga_dtype)t, GA_SHAPE(k, n), -9, 9);
        ga_array *xt = ga_transpose(x, GA_ALL), *yt = ga_transpose(y, GA_ALL);
        if (t_is_complex((ga_dtype)t)) x = ga_conj(x);
        plain(ga_reshape(ga_vecdot(xt, yt), GA_SHAPE(n, 1, 1)),
              ga_reshape(ga_copy(ga_transpose(x, GA_ALL)), GA_SHAPE(n, 1, k)),
              ga_reshape(ga_copy(yt), GA_SHAPE(n, k, 1)), 1);
    }
}
TEST(conjugation) {
    static const ga_dtype types[] = {GA_COMPLEX64, GA_COMPLEX128};
    for (size_t i = 0; i < 2; i++) {
        GA_SCOPE;
        ga_array *x = t_random_array(types[i], GA_SHAPE(3, 500), -1, 1);
        ga_array *y = t_random_array(types[i], GA_SHAPE(4, 1, 500), -1, 1);
        ga_array *want = ga_sum(ga_multiply(ga_conj(x), y), GA_AXIS(-1));
        ga_array *d = ga_absolute(ga_subtract(ga_vecdot(x, y), want));
        T_CHECK(ga_item(ga_max(d, GA_ALL)) < (i ? 1e-12 : 1e-3));
        d = ga_absolute(ga_subtract(ga_vdot(x, x), ga_sum(ga_multiply(
            ga_conj(x), x), GA_ALL)));
        T_CHECK(ga_item(d) < (i ? 1e-10 : 1e-1));
    }
}

/* By its own transpose: symmetric to the bit on the CPU. */
TEST(squares) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64,
                                     GA_COMPLEX128};
    static const int64_t n[] = {1, 5, 23, 24, 33, 100};
    for (size_t t = 0; t < 4; t++)
        for (size_t i = 0; i < T_COUNT(n); i++)
            for (int how = 0; how < 8; how++) {
                GA_SCOPE;
                const bool wide = types[t] == GA_FLOAT64 || types[t] == GA_COMPLEX128;
                ga_array *x = t_random_array(types[t], GA_SHAPE(2, n[i], 77), -1, 1);
                x = how & 1 ? x : ga_slice(x, "1");
                if (how & 2) x = ga_copy(ga_matrix_transpose(x));
                ga_array *y = ga_matrix_transpose(x);
                if (how & 2) x = y, y = ga_matrix_transpose(x);
                if (how & 4) y = ga_conj(y);
                ga_array *r = ga_matmul(x, y);
                ga_array *want = ga_matmul(x, ga_copy(ga_multiply(y, 1)));
                t_context("%s, %lld, %d", ga_dtype_name(types[t]), (long long)n[i], how);
                T_CHECK(ga_item(ga_max(ga_absolute(ga_subtract(r, want)), GA_ALL))
                        < (wide ? 1e-12 : 1e-4));
#ifdef GPUARR_USE_LAPACK            /* syrk's alone                         */
                if (!t_on_gpu() && !(how & 4) && n[i] > 23)
                    t_same_arrays(ga_matrix_transpose(r), r, 0);
#endif
            }
    t_context("%s", "");
}

/* ---------------------------------------------------- outputs and numbers */
TEST(into_overlap) {
    static const ga_dtype types[] = {GA_INT64, GA_FLOAT32, GA_FLOAT64,
                                     GA_COMPLEX64};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        GA_SCOPE;
        ga_array *x = t_random_array(types[i], GA_SHAPE(5, 5), -9, 9);
        ga_array *y = t_random_array(types[i], GA_SHAPE(5, 5), -9, 9);
        ga_array *want = ga_matmul(x, y), *a = ga_copy(x), *b = ga_copy(y);
        T_CHECK(ga_matmul_into(a, a, y) == GA_OK);
        t_same_arrays(a, want, 4e6);
        T_CHECK(ga_matmul_into(b, x, b) == GA_OK);
        t_same_arrays(b, want, 4e6);
        a = ga_copy(x);
        T_CHECK(ga_matmul_into(ga_transpose(a, GA_ALL), a, y) == GA_OK);
        t_same_arrays(ga_transpose(a, GA_ALL), want, 4e6);
        ga_array *big = ga_zeros(GA_SHAPE(6, 5), types[i]);
        ga_assign(ga_slice(big, ":5"), x);
        T_CHECK(ga_matmul_into(ga_slice(big, "1:"), ga_slice(big, ":5"), y)
                == GA_OK);
        t_same_arrays(ga_slice(big, "1:"), want, 4e6);
        a = ga_zeros(GA_SHAPE(5, 5), types[i]);
        ga_assign(ga_slice(a, "0"), ga_slice(x, "0"));
        ga_array *o = ga_outer(ga_slice(x, "0"), ga_slice(y, "0"));
        T_CHECK(ga_outer_into(a, ga_slice(a, "0"), ga_slice(y, "0")) == GA_OK);
        t_same_arrays(a, o, 0);
        a = ga_zeros(GA_SHAPE(4, 4), types[i]);
        ga_assign(ga_slice(a, ":2, :2"), ga_slice(x, ":2, :2"));
        o = ga_kron(ga_slice(x, ":2, :2"), ga_slice(y, ":2, :2"));
        T_CHECK(ga_kron_into(a, ga_slice(a, ":2, :2"), ga_slice(y, ":2, :2"))
                == GA_OK);
        t_same_arrays(a, o, 0);
    }
}
TEST(into_keeps_the_rest) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(3, 4), -9, 9);
    ga_array *y = t_random_array(GA_FLOAT32, GA_SHAPE(4, 2), -9, 9);
    ga_array *big = ga_full(GA_SHAPE(5, 7), 77, GA_FLOAT32);
    ga_array *o = ga_slice(big, "1:4, 2:4");
    T_CHECK(ga_matmul_into(o, x, y) == GA_OK);
    plain(ga_copy(o), x, y, 1);
    ga_assign(o, 77);
    t_same_arrays(big, ga_full(GA_SHAPE(5, 7), 77, GA_FLOAT32), 0);
    big = ga_full(GA_SHAPE(2, 9), NAN, GA_FLOAT32);     /* column-major      */
    o = ga_transpose(ga_slice(big, ":, 3:6"), GA_ALL);
    T_CHECK(ga_matmul_into(o, x, y) == GA_OK);
    plain(ga_copy(o), x, y, 1);
    T_CHECK(ga_item_i64(ga_sum(ga_isnan(big), GA_ALL)) == 12);
    x = ga_zeros(GA_SHAPE(3, 0), GA_FLOAT32);           /* k = 0             */
    T_CHECK(ga_matmul_into(o, x, ga_zeros(GA_SHAPE(0, 2), GA_FLOAT32))
            == GA_OK);
    t_same_arrays(o, ga_zeros(GA_SHAPE(3, 2), GA_FLOAT32), 0);
}
TEST(numbers) {
    GA_SCOPE;
    float a[] = {1, 2, 3}, twice[] = {2, 4, 6};
    int8_t c[] = {1, -2}, ct[] = {3, -6};
    ga_array *x = ga_asarray(a, GA_SHAPE(3)), *i = ga_asarray(c, GA_SHAPE(2));
    t_same(ga_dot(x, 2), GA_FLOAT32, GA_SHAPE(3), twice);
    t_same(ga_dot(2.0, x), GA_FLOAT32, GA_SHAPE(3), twice);
    t_same(ga_inner(2, x), GA_FLOAT32, GA_SHAPE(3), twice);
    t_same(ga_outer(x, 2), GA_FLOAT32, GA_SHAPE(3, 1), twice);
    t_same(ga_outer(2, x), GA_FLOAT32, GA_SHAPE(1, 3), twice);
    t_same(ga_kron(x, 2), GA_FLOAT32, GA_SHAPE(3), twice);
    t_same(ga_kron(3, i), GA_INT8, GA_SHAPE(2), ct);
    t_same(ga_dot(3, i), GA_INT8, GA_SHAPE(2), ct);
    T_CHECK(ga_item_i64(ga_dot(2, 3)) == 6);
    T_CHECK(ga_item_i64(ga_kron(2, 3)) == 6);
    T_CHECK(ga_item(ga_vdot(2, 3.5)) == 7);
    ga_array *f = ga_transpose(t_random_array(GA_FLOAT32, GA_SHAPE(3, 2), 1, 9),
                               GA_ALL);
    T_CHECK(ga_is_contiguous(ga_dot(f, 2)) && ga_is_contiguous(ga_kron(f, 2)));
    ga_array *o = ga_empty(GA_SHAPE(3), GA_FLOAT64);
    T_CHECK(ga_dot_into(o, x, 2) == GA_OK);
    t_same_arrays(o, ga_astype(ga_asarray(twice, GA_SHAPE(3)), GA_FLOAT64), 0);
    ga_dot(i, 300);
    T_ERROR(GA_ERR_VALUE);
    ga_kron(i, 300);
    T_ERROR(GA_ERR_VALUE);
    ga_matmul(x, 2);
    T_CHECK(strstr(ga_error_message(), "ga_matmul: a C number"));
    T_ERROR(GA_ERR_VALUE);
    ga_vecdot(2, x);
    T_ERROR(GA_ERR_VALUE);
    ga_matvec(x, 2);
    T_ERROR(GA_ERR_VALUE);
}
/* Rows from one element to many, in any order, against the products one by one. */
TEST(kron_of_matrices) {
    static const int64_t sizes[][4] = {{20, 30, 30, 20}, {9, 64, 70, 9},
                                       {40, 11, 33, 21}, {8, 2, 130, 63},
                                       {300, 1, 30, 31}, {7, 70, 11, 65}};
    static const ga_dtype types[] = {GA_COMPLEX64, GA_COMPLEX128, GA_FLOAT32};
    for (size_t i = 0; i < T_COUNT(sizes); i++)
        for (size_t k = 0; k < 2 * T_COUNT(types); k++) {
            GA_SCOPE;
            const int64_t a = sizes[i][0], b = sizes[i][1], c = sizes[i][2];
            const int64_t e = sizes[i][3];
            const ga_dtype t = types[k / 2];
            ga_array *x = t_random_array(GA_INT32, GA_SHAPE(a, b), -9, 9);
            ga_array *y = t_random_array(GA_INT32, GA_SHAPE(c, e), -9, 9);
            ga_array *u = ga_astype(x, t), *v = ga_astype(y, t);
            if (t != GA_FLOAT32) {
                u = ga_mul(u, t_c128(1, 2));
                v = ga_mul(v, t_c128(3, -1));
            }
            if (k & 1) u = ga_transpose(ga_copy(ga_transpose(u, GA_ALL)), GA_ALL);
            if (k & 1) v = ga_slice(ga_repeat(v, 2, GA_AXIS(1)), ":, ::2");
            const int32_t *p = (const int32_t *)ga_asnumpy(x, NULL);
            const int32_t *q = (const int32_t *)ga_asnumpy(y, NULL);
            t_context("%s, %lld by %lld and %lld by %lld, %d", ga_dtype_name(t),
                      (long long)a, (long long)b, (long long)c, (long long)e,
                      (int)k & 1);
            ga_array *r = ga_kron(u, v);
            if (t_is(r, t, GA_SHAPE(a * c, b * e))) {
                const void *is = t_host(r);
                int64_t bad = 0;
                for (int64_t z = 0; z < r->size; z++) {
                    const int64_t row = z / (b * e), col = z % (b * e);
                    const double w = p[row / c * b + col / e]
                                     * q[row % c * e + col % e];
                    bad += t == GA_FLOAT32 ? t_value(is, t, z, 0) != w
                           : t_value(is, t, z, 0) != 5 * w
                             || t_value(is, t, z, 1) != 5 * w;
                }
                T_CHECKF(!bad, "%lld differ", (long long)bad);
                t_release_host();
            }
            free((void *)(uintptr_t)p);
            free((void *)(uintptr_t)q);
        }
}
TEST(kron_of_high_rank) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_INT32, GA_SHAPE(2, 1, 3, 2, 2), -9, 9);
    ga_array *y = t_random_array(GA_INT32, GA_SHAPE(2, 2), -9, 9);
    ga_array *r = ga_kron(x, y), *o = ga_zeros(GA_SHAPE(2, 1, 3, 4, 4), GA_INT32);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            ga_assign(ga_slice(o, "%d, 0, %d", i, k),
                      ga_kron(ga_slice(x, "%d, 0, %d", i, k), y));
    t_same_arrays(r, o, 0);
    r = ga_kron(y, x);
    T_CHECK(r && r->ndim == 5 && r->shape[3] == 4);
}

/* ----------------------------------------------------------------- errors */
static void says(ga_status want, const char *text) {
    if (strcmp(ga_error_message(), text))
        t_bad("\"%s\", expected \"%s\"", ga_error_message(), text);
    T_ERROR(want);
}
TEST(errors) {
    GA_SCOPE;
    ga_array *a = ga_zeros(GA_SHAPE(3, 4), GA_FLOAT32);
    ga_array *b = ga_zeros(GA_SHAPE(5, 6), GA_FLOAT32);
    ga_array *s = ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT32);
    T_CHECK(!ga_matmul(a, b));
    says(GA_ERR_SHAPE, "ga_matmul: shapes (3,4) and (5,6): 4 and 5 differ");
    T_CHECK(!ga_dot(a, ga_zeros(GA_SHAPE(3), GA_INT8)));
    says(GA_ERR_SHAPE, "ga_dot: shapes (3,4) and (3,): 4 and 3 differ");
    T_CHECK(!ga_inner(a, b));
    says(GA_ERR_SHAPE, "ga_inner: shapes (3,4) and (5,6): 4 and 6 differ");
    T_CHECK(!ga_vdot(a, b));
    says(GA_ERR_SHAPE, "ga_vdot: shapes (3,4) and (5,6): 12 and 30 elements");
    T_CHECK(!ga_matmul(a, s));
    says(GA_ERR_SHAPE, "ga_matmul: a vector or matrix is wanted, not shape ()");
    T_CHECK(!ga_matvec(ga_slice(a, "0"), ga_slice(a, "0")));
    says(GA_ERR_SHAPE, "ga_matvec: a matrix is wanted, not shape (4,)");
    T_CHECK(!ga_vecdot(s, a));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_matmul(ga_zeros(GA_SHAPE(2, 3, 4), GA_FLOAT32),
                       ga_zeros(GA_SHAPE(3, 4, 5), GA_FLOAT32)));
    says(GA_ERR_SHAPE, "ga_matmul: shapes (2,3,4) and (3,4,5): their batches "
         "do not broadcast");
    ga_array *c = ga_zeros(GA_SHAPE(4, 5), GA_FLOAT32);
    ga_array *o = ga_full(GA_SHAPE(3, 4), 7, GA_FLOAT32);
    T_CHECK(ga_matmul_into(o, a, c) == GA_ERR_SHAPE);
    says(GA_ERR_SHAPE, "ga_matmul_into: the output has shape (3,4), the result "
         "(3,5)");
    o = ga_full(GA_SHAPE(3, 5), 7, GA_INT32);
    T_CHECK(ga_matmul_into(o, a, c) == GA_ERR_DTYPE);
    says(GA_ERR_DTYPE, "ga_matmul_into: a result of float32 does not go into "
         "an output of int32");
    t_same_arrays(o, ga_full(GA_SHAPE(3, 5), 7, GA_INT32), 0);
    T_CHECK(ga_matmul_into(ga_broadcast_to(ga_zeros(GA_SHAPE(5), GA_FLOAT32),
                                           GA_SHAPE(3, 5)), a, c)
            == GA_ERR_READONLY);
    T_ERROR(GA_ERR_READONLY);
    T_CHECK(ga_kron_into(o, a, c) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_matmul(NULL, a));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_dot(ga_zeros(GA_SHAPE(1, 1, 1, 1, 1, 1), GA_INT8),
                    ga_zeros(GA_SHAPE(1, 1, 1, 1, 1, 1), GA_INT8)));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_cross(ga_zeros(GA_SHAPE(4), GA_INT8),
                      ga_zeros(GA_SHAPE(3), GA_INT8), 0));
    says(GA_ERR_SHAPE, "ga_cross: vectors of 4 and 3 components; 2 or 3 are "
         "possible");
    T_CHECK(!ga_cross(ga_zeros(GA_SHAPE(3), GA_BOOL),
                      ga_zeros(GA_SHAPE(3), GA_BOOL), 0));
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(!ga_cross(ga_zeros(GA_SHAPE(3), GA_INT8),
                      ga_zeros(GA_SHAPE(3), GA_INT8), 1));
    T_ERROR(GA_ERR_AXIS);
    T_CHECK(!ga_cross(ga_zeros(GA_SHAPE(2, 3), GA_INT8),
                      ga_zeros(GA_SHAPE(4, 3), GA_INT8), -1));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_matrix_power(a, 2));
    says(GA_ERR_SQUARE, "ga_matrix_power: square matrices are wanted, not "
         "shape (3,4)");
    T_CHECK(!ga_trace(ga_zeros(GA_SHAPE(3), GA_INT8), 0, 0, 1));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_trace(a, 0, 0, 2));
    T_ERROR(GA_ERR_AXIS);
    T_CHECK(!ga_trace(a, 0, 1, -1));
    says(GA_ERR_AXIS, "ga_trace: axis1 and axis2 are both axis 1");
}
TEST(other_device) {
    GA_SCOPE;
    if (!t_on_gpu()) skip();
    ga_array *x = ga_zeros(GA_SHAPE(2, 2), GA_FLOAT32);
    ga_array *y = ga_to_device(x, GA_CPU);
    ga_matmul(x, y);
    T_ERROR(GA_ERR_DEVICE_MISMATCH);
    ga_kron(x, y);
    T_ERROR(GA_ERR_DEVICE_MISMATCH);
    ga_matmul_into(y, x, x);
    T_ERROR(GA_ERR_DEVICE_MISMATCH);
}
/* NaN and infinity pass through; an output's old NaN does not. */
/* Large products of integers, which a GPU makes of products of bytes: C v
   against A (B v), modulo 2**(bits); of bool against those of float32.       */
static uint64_t element(const void *p, ga_dtype t, int64_t i) {
    switch (ga_dtype_size(t)) {
    case 1: return ((const uint8_t *)p)[i];
    case 2: return ((const uint16_t *)p)[i];
    case 4: return ((const uint32_t *)p)[i];
    default: return ((const uint64_t *)p)[i];
    }
}
static ga_array *any_bits(ga_shape s, ga_dtype t) {
    size_t n = 1, size = ga_dtype_size(t);
    for (int i = 0; i < s.ndim; i++) n *= (size_t)s.dim[i];
    uint8_t *p = malloc(n * size);
    for (size_t i = 0; i < n * size; i++)
        p[i] = (uint8_t)(t == GA_BOOL ? t_random() % 32 == 0 : t_random() >> 40);
    for (size_t i = 0; i < 64 && i < n * size; i++) /* the extremes         */
        p[n * size - 1 - i] = t == GA_BOOL ? 1 : i / size % 2 ? 0x80 : 0xff;
    ga_array *x = (ga_asarray_as)(p, t, s);
    free(p);
    return x;
}
/* v's products with the lines of a host copy of one matrix, (rows, n). */
static void times(uint64_t *to, const void *p, ga_dtype t, int64_t rows,
                  int64_t n, const uint64_t *v) {
    for (int64_t r = 0; r < rows; r++) {
        uint64_t sum = 0;
        for (int64_t i = 0; i < n; i++) sum += element(p, t, r * n + i) * v[i];
        to[r] = sum;
    }
}
static void integer_product(const ga_array *x, const ga_array *y,
                            const ga_array *z) {
    const ga_dtype t = x->dtype;
    const int xa = x->ndim - 2, ya = y->ndim - 2;
    const int64_t m = x->shape[xa], k = x->shape[xa + 1], n = y->shape[ya + 1];
    const int64_t b = z ? z->size / (m * n) : 0;
    const size_t size = ga_dtype_size(t);
    T_CHECK(z && z->dtype == t);
    if (t == GA_BOOL && z) {
        ga_array *want = ga_greater(ga_matmul(ga_astype(x, GA_FLOAT32),
                                              ga_astype(y, GA_FLOAT32)), 0);
        T_CHECK(ga_array_equal(z, want, 0));
        const double share = ga_item(ga_mean(want, GA_ALL));
        T_CHECK(share > 0.02 && share < 0.98);
        return;
    }
    uint64_t *v = calloc((size_t)(n + k + 2 * m), sizeof *v);
    uint64_t *bv = v + n, *abv = bv + k, *cv = abv + m;
    char *px = ga_asnumpy(x, NULL), *py = ga_asnumpy(y, NULL);
    char *pz = ga_asnumpy(z, NULL);
    const uint64_t mask = ~(uint64_t)0 >> (64 - 8 * size);
    for (int64_t i = 0; i < n; i++) v[i] = t_random();
    for (int64_t z0 = 0; z0 < b && px && py && pz; z0++) {
        times(bv, py + (ya ? z0 : 0) * k * n * (int64_t)size, t, k, n, v);
        times(abv, px + (xa ? z0 : 0) * m * k * (int64_t)size, t, m, k, bv);
        times(cv, pz + z0 * m * n * (int64_t)size, t, m, n, v);
        int64_t bad = 0;
        for (int64_t i = 0; i < m; i++) bad += ((abv[i] ^ cv[i]) & mask) != 0;
        T_CHECK(bad == 0);
    }
    free(px), free(py), free(pz), free(v);
}
/* Two to four columns, and one more, in every order of both. */
TEST(thin_integer_products) {
    static const ga_dtype types[] = {GA_INT8, GA_UINT16, GA_INT32, GA_UINT64};
    static const int64_t ks[] = {1, 3, 31, 139, 300};
    for (size_t i = 0; i < T_COUNT(types); i++)
        for (size_t k = 0; k < T_COUNT(ks); k++)
            for (int64_t n = 2; n < 6; n++)
                for (int l = 0; l < 4; l++) {
                    GA_SCOPE;
                    const ga_dtype t = types[i];
                    t_context("%s k %d n %d layout %d", ga_dtype_name(t), (int)ks[k],
                              (int)n, l);
                    ga_array *x = any_bits(GA_SHAPE(5, 2 + 3 * l, ks[k]), t);
                    ga_array *y = any_bits(GA_SHAPE(5, ks[k], n), t);
                    if (l & 1) x = ga_swapaxes(ga_copy(ga_swapaxes(x, 1, 2)), 1, 2);
                    if (l & 2) y = ga_swapaxes(ga_copy(ga_swapaxes(y, 1, 2)), 1, 2);
                    integer_product(x, y, ga_matmul(x, y));
                    integer_product(x, ga_slice(y, "1"), ga_matmul(x, ga_slice(y, "1")));
                }
}
/* Of floats, around whole vectors and halves of them, in every order of both, from places
   that are not aligned.                                                      */
TEST(thin_float_products) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    static const int64_t ms[] = {1, 2, 4, 5, 17}, ks[] = {1, 2, 3, 4, 7, 8, 13, 16, 130};
    static const int64_t ns[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1100};
    int at = 0;
    for (size_t i = 0; i < T_COUNT(types); i++)
        for (size_t m = 0; m < T_COUNT(ms); m++)
            for (size_t k = 0; k < T_COUNT(ks); k++)
                for (size_t n = 0; n < T_COUNT(ns); n++) {
                    GA_SCOPE;
                    const int l = at++ % 8;
                    if (t_quick() && at % 5) continue;
                    t_context("%s %dx%dx%d layout %d", ga_dtype_name(types[i]), (int)ms[m],
                              (int)ks[k], (int)ns[n], l);
                    ga_array *x = t_random_array(types[i], GA_SHAPE(3, ms[m], ks[k] + 1), -9, 9);
                    ga_array *y = t_random_array(types[i], GA_SHAPE(3, ks[k], ns[n] + 3), -9, 9);
                    if (l & 1) x = ga_swapaxes(ga_copy(ga_swapaxes(x, 1, 2)), 1, 2);
                    if (l & 2) y = ga_swapaxes(ga_copy(ga_swapaxes(y, 1, 2)), 1, 2);
                    x = ga_slice(x, ":, :, 1:");
                    y = ga_slice(y, ":, :, 1:-2");
                    if (l & 4) y = ga_slice(y, "1");
                    plain(ga_matmul(x, y), x, y, 1);
                    if (l & 4) plain(ga_matmul(ga_slice(x, "2"), y), ga_slice(x, "2"), y, 1);
                    if (!t_is_complex(types[i]) || l & 4) continue;
                    ga_array *const column = ga_slice(y, ":, :, 0");
                    plain(ga_reshape(ga_vecmat(column, y), GA_SHAPE(3, 1, ns[n])),
                          ga_expand_dims(ga_conj(column), GA_AXIS(1)), y, 1);
                }
    t_context("%s", "");
}
/* More rows of few than BLAS has loops for: by pieces. */
TEST(many_short_rows) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64};
    static const int64_t ks[] = {2, 5, 8, 9};
    for (size_t i = 0; i < T_COUNT(types); i++)
        for (size_t k = 0; k < T_COUNT(ks); k++) {
            GA_SCOPE;
            t_context("%s %d", ga_dtype_name(types[i]), (int)ks[k]);
            ga_array *x = t_random_array(types[i], GA_SHAPE(40003, ks[k] + 1), -9, 9);
            ga_array *y = t_random_array(types[i], GA_SHAPE(ks[k], 1), -9, 9);
            x = ga_slice(x, ":, 1:");
            plain(ga_matmul(x, y), x, y, 1);
            x = ga_swapaxes(x, 0, 1), y = ga_swapaxes(y, 0, 1);
            plain(ga_matmul(y, x), y, x, 1);
        }
    t_context("%s", "");
}
/* Rows enough that a GPU sums several of them side by side: whole vectors, with
   elements left over, from anywhere in memory; each with a vector of its matrix or
   one of all.                                                              */
TEST(many_rows) {
    static const ga_dtype types[] = {GA_UINT8, GA_BOOL, GA_INT64, GA_FLOAT16, GA_FLOAT32,
                                     GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    static const int64_t dims[][3] = {{521, 67, 16}, {260, 67, 33}, {67, 66, 130},
                                      {66, 65, 309}};
    for (size_t i = 0; i < T_COUNT(types); i++)
        for (size_t d = 0; d < T_COUNT(dims); d++)
            for (int gap = 0; gap < 3; gap++) {
                GA_SCOPE;
                if ((t_quick() || !t_on_gpu()) && (i + d + (size_t)gap) % 5) continue;
                const int64_t *n = dims[d];
                const int64_t wide = gap == 2 ? n[2] + 1 : gap ? (n[2] + 31) / 16 * 16 : n[2];
                t_context("%s %d, rows of %d in %d", ga_dtype_name(types[i]), (int)n[0],
                          (int)n[2], (int)wide);
                ga_array *x = t_random_array(types[i], GA_SHAPE(n[0], n[1], wide), -9, 9);
                ga_array *y = t_random_array(types[i], GA_SHAPE(n[0], n[2], 1), -9, 9);
                x = ga_slice_axis(x, 2, gap == 2, gap == 2 ? n[2] + 1 : n[2], 1);
                ga_array *r = ga_matvec(x, ga_index_axis(y, 2, 0));
                plain(ga_expand_dims(r, GA_AXIS(-1)), x, y, 1);
                y = ga_slice(y, ":1");
                r = ga_matvec(x, ga_index_axis(ga_index_axis(y, 2, 0), 0, 0));
                plain(ga_expand_dims(r, GA_AXIS(-1)), x, y, 1);
            }
    t_context("%s", "");
}
/* complex128 that begins between vectors of 16 bytes, as the imaginary part of
   another array may.                                                        */
TEST(begun_anywhere) {
    static const int64_t dims[][3] = {{1, 1, 300}, {1, 90, 40}, {1, 5000, 35}, {70, 70, 19},
                                      {3, 2, 9000}, {2000, 6, 8}};
    for (size_t d = 0; d < T_COUNT(dims); d++)
        for (int which = 1; which < 4; which++) {
            GA_SCOPE;
            const int64_t *n = dims[d];
            t_context("%d matrices of %d by %d, %d", (int)n[0], (int)n[1], (int)n[2], which);
            ga_array *v[2];
            for (int k = 0; k < 2; k++) {
                const int64_t m = k ? n[2] : n[1], w = k ? 1 : n[2];
                ga_array *all = t_random_array(GA_FLOAT64, GA_SHAPE(2 * n[0] * m * w + 2), -9, 9);
                v[k] = ga_wrap((double *)all->data + (which >> k & 1), GA_COMPLEX128,
                               GA_SHAPE(n[0], m, w), NULL, all->device, NULL, NULL);
            }
            plain(ga_matmul(v[0], v[1]), v[0], v[1], 1);
            ga_array *x = ga_reshape(v[0], GA_SHAPE(n[0], n[2], n[1]));
            ga_array *y = ga_reshape(v[1], GA_SHAPE(n[0], 1, n[2]));
            plain(ga_matmul(y, x), y, x, 1);
            if (n[1] < 20) plain(ga_matmul(v[0], x), v[0], x, 1);
        }
    t_context("%s", "");
}
/* Columns times rows: nothing is summed. Into steps, and of as many axes as
   there can be.                                                            */
TEST(without_a_sum) {
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name((ga_dtype)t));
        ga_array *x = t_random_array((ga_dtype)t, GA_SHAPE(3, 1, 14, 1), -9, 9);
        ga_array *y = t_random_array((ga_dtype)t, GA_SHAPE(2, 1, 26), -9, 9);
        plain(ga_matmul(x, y), x, y, 1);
        ga_array *o = ga_slice(ga_zeros(GA_SHAPE(3, 2, 28, 52), (ga_dtype)t),
                               "..., ::-2, 1::2");
        T_CHECK(!ga_matmul_into(o, x, y));
        plain(o, x, y, 1);
        y = ga_swapaxes(ga_slice(y, "..., ::3"), 0, 1);
        plain(ga_matmul(ga_slice(x, "1, 0"), ga_slice(y, "0, :1")),
              ga_slice(x, "1, 0"), ga_slice(y, "0, :1"), 1);
        x = ga_reshape(x, GA_SHAPE(3, 1, 1, 1, 2, 1, 7, 1));
        y = t_random_array((ga_dtype)t, GA_SHAPE(2, 1, 1, 1, 3, 1, 5), -9, 9);
        plain(ga_matmul(x, y), x, y, 1);
    }
    t_context("%s", "");
}
TEST(integer_products) {
    static const ga_dtype types[] = {GA_BOOL, GA_INT8, GA_UINT8, GA_INT16,
        GA_UINT16, GA_INT32, GA_UINT32, GA_INT64, GA_UINT64};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        const ga_dtype t = types[i];
        const int64_t size = (int64_t)ga_dtype_size(t), m = 261, n = 331;
        const int64_t k = t_on_gpu() ? (size << 27) / (m * n) + 5
                                     : 70 + (int64_t)i;
        for (int l = 0; l < 4; l++) {
            GA_SCOPE;
            t_context("%s layout %d", ga_dtype_name(t), l);
            ga_array *x = laid_out(any_bits(GA_SHAPE(m, k), t), l);
            ga_array *y = laid_out(any_bits(GA_SHAPE(k, n), t), (l + 1) % 4);
            integer_product(x, y, ga_matmul(x, y));
            ga_array *o = laid_out(ga_full(GA_SHAPE(m, n), 1, t), 3 - l);
            T_CHECK(ga_matmul_into(o, x, y) == GA_OK);
            integer_product(x, y, o);
        }
        GA_SCOPE;
        t_context("%s batches", ga_dtype_name(t));
        ga_array *x = any_bits(GA_SHAPE(3, m, k / 2), t);
        ga_array *y = any_bits(GA_SHAPE(3, k / 2, n), t);
        integer_product(x, y, ga_matmul(x, y));
        y = ga_slice(y, "1");
        integer_product(x, y, ga_matmul(x, y));
        y = ga_transpose(y, GA_ALL);
        x = ga_swapaxes(x, 1, 2);
        integer_product(y, x, ga_matmul(y, x));
    }
}
TEST(special_values) {
    GA_SCOPE;
    double a[] = {1, NAN, 0, INFINITY}, b[] = {1, 0, 0, 1};
    ga_array *x = ga_asarray(a, GA_SHAPE(2, 2)), *y = ga_asarray(b, GA_SHAPE(2,
                                                                        2));
    ga_array *r = ga_matmul(x, y);
    T_CHECK(isnan(ga_item_at(r, GA_SHAPE(0, 1)))
            && isinf(ga_item_at(r, GA_SHAPE(1, 1))));
    ga_array *o = ga_full(GA_SHAPE(2, 2), NAN, GA_FLOAT64);
    T_CHECK(ga_matmul_into(o, y, y) == GA_OK);
    t_same(o, GA_FLOAT64, GA_SHAPE(2, 2), b);
    o = ga_full(GA_SHAPE(2), NAN, GA_FLOAT64);
    T_CHECK(ga_matvec_into(o, y, ga_slice(y, "0")) == GA_OK);
    T_CHECK(ga_item_at(o, GA_SHAPE(0)) == 1);
}
TEST(precision) {
    GA_SCOPE;
    T_CHECK(ga_matmul_precision(GA_TF32) == GA_HIGHEST);
    ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(256, 256), 0, 1);
    ga_array *coarse = ga_matmul(x, x);
    T_CHECK(ga_matmul_precision(GA_HIGHEST) == GA_TF32);
    ga_array *fine = ga_matmul(x, x);
    plain(fine, x, x, 1);
    double d = ga_item(ga_max(ga_absolute(ga_subtract(coarse, fine)), GA_ALL));
    T_CHECK(d < 0.1);
    if (!t_on_gpu()) T_CHECK(d == 0);
}

/* ------------------------------------------------------ capture, threads */
typedef struct job {
    ga_array *x, *y, *v, *i, *out, *dots, *ints;
} job;
static void step(void *arg) {
    job *j = (job *)arg;
    ga_matmul_into(j->out, ga_matmul(j->x, j->y), j->y);
    ga_dot_into(j->dots, j->v, j->v);
    ga_matmul_into(j->ints, j->i, ga_transpose(j->i, GA_ALL));
}
static job job_make(int64_t n) {
    job j = {t_random_array(GA_FLOAT32, GA_SHAPE(40, 30), -1, 1),
             t_random_array(GA_FLOAT32, GA_SHAPE(30, 30), -1, 1),
             t_random_array(GA_FLOAT64, GA_SHAPE(n), -1, 1),
             t_random_array(GA_INT32, GA_SHAPE(20, 30), -9, 9),
             ga_zeros(GA_SHAPE(40, 30), GA_FLOAT32),
             ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT64),
             ga_zeros(GA_SHAPE(20, 20), GA_INT32)};
    return j;
}
TEST(capture) {
    GA_SCOPE;
    job j = job_make(100000);
    ga_graph *g = ga_graph_create(step, &j);
    T_CHECK(g != NULL);
    for (int round = 0; round < 3 && g; round++) {
        ga_assign(j.x, t_random_array(GA_FLOAT32, GA_SHAPE(40, 30), -1, 1));
        ga_assign(j.i, t_random_array(GA_INT32, GA_SHAPE(20, 30), -9, 9));
        T_CHECK(ga_graph_launch(g) == GA_OK);
        t_same_arrays(j.out, ga_matmul(ga_matmul(j.x, j.y), j.y), 0);
        t_same_arrays(j.dots, ga_dot(j.v, j.v), 0);
        plain(j.ints, j.i, ga_transpose(j.i, GA_ALL), 1);
    }
    ga_graph_destroy(g);
}
/* A thread whose first product is inside a capture: its handle is made then. */
static void *worker(void *arg) {
    (void)arg;
    GA_SCOPE;
    job j = job_make(1000);
    ga_graph *g = ga_graph_create(step, &j);
    bool ok = g && ga_graph_launch(g) == GA_OK;
    if (ok) {
        ga_array *d = ga_subtract(j.out, ga_matmul(ga_matmul(j.x, j.y), j.y));
        ok = ga_item(ga_max(ga_absolute(d), GA_ALL)) == 0;
    }
    ga_graph_destroy(g);
    if (ga_error()) fprintf(stderr, "    %s\n", ga_error_message());
    return ok && !ga_error() ? (void *)1 : NULL;
}
TEST(threads) {
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        void *ok = NULL;
        assert_int_equal(pthread_create(&t, NULL, worker, NULL), 0);
        pthread_join(t, &ok);
        T_CHECK(ok != NULL);
    }
}

/* Nothing past an operand is read: its last element is the last of a page whose
   neighbour is nobody's (OpenBLAS 0.3.21 reads on in two of its functions). Small
   integers, so that sums are exact in any order.                            */
#ifdef __linux__
#include <sys/mman.h>
enum { PAGE = 4096, ROOM = 16 * PAGE };
static int part_of(int64_t i, bool imaginary) { return (int)((i * 7 + imaginary) % 11) - 5; }
/* Elements part_of(i) of shape (rows,n), `step` apart, up to the end of a page. */
static ga_array *up_to(char *end, ga_dtype t, int64_t rows, int64_t n, int64_t step) {
    const int64_t size = (int64_t)ga_dtype_size(t), all = rows * n, strides[] = {n * step, step};
    char *at = end - (all - 1) * step * size - size;
    for (int64_t i = 0; i < all; i++)
        for (int k = 0; k < (t_is_complex(t) ? 2 : 1); k++) {
            void *to = at + i * step * size + k * size / 2;
            const int v = part_of(i, k);
            if (t == GA_FLOAT32 || t == GA_COMPLEX64) *(float *)to = (float)v;
            else if (t == GA_INT32) *(int32_t *)to = v;
            else *(double *)to = v;
        }
    return ga_wrap(at, t, GA_SHAPE(rows, n), strides, GA_CPU, NULL, NULL);
}
/* conj(x) y summed along the last axis: of the first vector with each. */
static void check_products(ga_array *x, ga_array *y, const ga_array *got, bool conj) {
    T_CHECK(got && got->size == y->shape[0]);
    for (int64_t r = 0; got && r < y->shape[0]; r++) {
        int64_t re = 0, im = 0;
        for (int64_t i = 0; i < x->shape[1]; i++) {
            const int a = part_of(i, false), b = t_is_complex(x->dtype) ? part_of(i, true) : 0;
            const int64_t j = r * y->shape[1] + i;
            const int c = part_of(j, false), d = t_is_complex(x->dtype) ? part_of(j, true) : 0;
            re += a * c - (conj ? -b : b) * d;
            im += a * d + (conj ? -b : b) * c;
        }
        const ga_array *item = ga_index_axis(got, 0, r);
        T_CHECK(ga_item(ga_real(item)) == (double)re);
        T_CHECK(!t_is_complex(x->dtype) || ga_item(ga_imag(item)) == (double)im);
    }
}
TEST(nothing_past_the_end) {
    static const ga_dtype types[] = {GA_INT32, GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    static const int64_t sizes[][2] = {{1, 1}, {1, 5}, {1, 700}, {6, 77}, {77, 6}, {30, 30}};
    char *room[2];
    for (int i = 0; i < 2; i++) {
        room[i] = aligned_alloc(PAGE, ROOM + PAGE);
        assert_true(room[i] && !mprotect(room[i] + ROOM, PAGE, PROT_NONE));
    }
    const int was = ga_device();
    ga_set_device(GA_CPU);
    for (size_t k = 0; k < T_COUNT(types) * T_COUNT(sizes); k++)
        for (int64_t step = 1; step <= 3; step++) {
            GA_SCOPE;
            const ga_dtype t = types[k / T_COUNT(sizes)];
            const int64_t *s = sizes[k % T_COUNT(sizes)];
            t_context("%s (%d,%d), step %d", ga_dtype_name(t), (int)s[0], (int)s[1], (int)step);
            ga_array *y = up_to(room[1] + ROOM, t, s[0], s[1], step);
            ga_array *x = up_to(room[0] + ROOM, t, 1, s[1], step), *v = ga_index_axis(x, 0, 0);
            check_products(x, y, ga_vecdot(x, y), true);
            check_products(x, y, ga_matvec(y, v), false);
            check_products(x, y, ga_vecmat(v, ga_matrix_transpose(y)), true);
            check_products(x, y, ga_index_axis(ga_matmul(x, ga_matrix_transpose(y)), 0, 0), false);
            if (s[0] == 1) check_products(x, y, ga_reshape(ga_vdot(x, y), GA_SHAPE(1)), true);
        }
    ga_set_device(was);
    for (int i = 0; i < 2; i++) {
        mprotect(room[i] + ROOM, PAGE, PROT_READ | PROT_WRITE);
        free(room[i]);
    }
}
#else
TEST(nothing_past_the_end) { skip(); }
#endif

/* An OpenBLAS that takes this processor for an old one is told better. */
#if defined(GPUARR_USE_LAPACK) && defined(__linux__) && defined(__x86_64__)
static char *blas_core(void) __attribute__((weakref("openblas_get_corename")));
TEST(blas_knows_the_processor) {
    __builtin_cpu_init();
    if (!blas_core || getenv("OPENBLAS_CORETYPE") || !__builtin_cpu_supports("fma")) skip();
    assert_string_not_equal(blas_core(), "Prescott");
}
#else
TEST(blas_knows_the_processor) { skip(); }
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        T(blas_knows_the_processor), T(threads), T(matmul), T(dot), T(vdot), T(vecdot), T(inner), T(outer),
        T(matvec), T(kron), T(cross), T(matrix_power),
        T(memory_of_powers), T(negative_powers),
        T(trace), T(sizes), T(batches), T(many_small), T(large_batch),
        T(long_dots), T(across_the_batch),
        T(conjugation), T(squares), T(into_overlap), T(into_keeps_the_rest),
        T(numbers), T(kron_of_matrices), T(kron_of_high_rank), T(errors), T(other_device),
        T(many_short_rows), T(many_rows), T(begun_anywhere), T(without_a_sum),
        T(integer_products), T(thin_integer_products), T(thin_float_products),
        T(special_values), T(precision), T(capture), T(nothing_past_the_end)};
    g_load("products.bin");
    int bad = T_RUN("products", tests);
    g_free();
    return bad;
}
