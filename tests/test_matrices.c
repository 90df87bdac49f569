/* Matrices made of arrays; distances, against sums in long double; vecmat. */
#include "test.h"

static const ga_dtype all_types[] = {
    GA_BOOL, GA_INT8, GA_INT64, GA_UINT16, GA_FLOAT16, GA_BFLOAT16, GA_FLOAT32,
    GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};

/* ---------------------------------------------------------- block_diag ... */
TEST(blocks) {
    GA_SCOPE;
    for (size_t k = 0; k < T_COUNT(all_types); k++) {
        const ga_dtype t = all_types[k];
        ga_array *a = t_random_array(t, GA_SHAPE(3, 4), 0, 5);
        ga_array *b = t_random_array(t, GA_SHAPE(2), 0, 5);
        for (int how = 0; how < 4; how++) {
            t_context("%s, layout %d", ga_dtype_name(t), how);
            ga_array *u = t_laid_out(a, how), *v = t_laid_out(b, how);
            ga_array *y = ga_block_diag(u, v, ga_empty(GA_SHAPE(1, 0), t), u);
            if (!t_is(y, t, GA_SHAPE(8, 10))) continue;
            t_same_arrays(ga_slice(y, ":3, :4"), a, 0);
            t_same_arrays(ga_slice(y, "3, 4:6"), b, 0);
            t_same_arrays(ga_slice(y, "5:, 6:"), a, 0);
            T_CHECK(ga_item_i64(ga_count_nonzero(y, GA_ALL))
                    == 2 * ga_item_i64(ga_count_nonzero(a, GA_ALL))
                       + ga_item_i64(ga_count_nonzero(b, GA_ALL)));
            ga_array *out = t_laid_out(ga_ones(GA_SHAPE(8, 10), t), (how + 1) % 5);
            T_CHECK(ga_block_diag_into(out, u, v, ga_empty(GA_SHAPE(1, 0), t), u)
                    == GA_OK);
            t_same_arrays(out, y, 0);
        }
    }
    t_context("%s", "");
    float want[] = {1, 0, 0, 0, 2, 2};
    t_same(ga_block_diag(1, ga_full(GA_SHAPE(1, 2), 2, GA_FLOAT32)), GA_FLOAT32,
           GA_SHAPE(2, 3), want);
    T_CHECK(t_is(ga_block_diag(true, 3), GA_INT64, GA_SHAPE(2, 2)));
    /* batches broadcast                                                    */
    ga_array *x = ga_random(GA_SHAPE(5, 2, 3), GA_FLOAT64);
    ga_array *y = ga_random(GA_SHAPE(1, 1), GA_FLOAT64), *z = ga_block_diag(x, y);
    T_CHECK(t_is(z, GA_FLOAT64, GA_SHAPE(5, 3, 4)));
    t_same_arrays(ga_index_axis(z, 0, 3), ga_block_diag(ga_index_axis(x, 0, 3), y),
                  0);
    /* an operand in the output's place                                     */
    ga_array *m = ga_random(GA_SHAPE(4, 4), GA_FLOAT64), *c = ga_copy(m);
    ga_array *part = ga_slice(m, "1:3, 1:3");
    T_CHECK(ga_block_diag_into(m, part, part) == GA_OK);
    ga_array *old = ga_slice(c, "1:3, 1:3");
    t_same_arrays(m, ga_block_diag(old, old), 0);
}

TEST(toeplitz) {
    GA_SCOPE;
    static const int64_t lens[][2] = {{4, 5}, {5, 3}, {1, 4}, {3, 1}, {0, 3},
                                      {3, 0}, {1, 1}, {200, 330}};
    for (size_t k = 0; k < T_COUNT(all_types) * T_COUNT(lens); k++) {
        const ga_dtype t = all_types[k % T_COUNT(all_types)];
        const int64_t m = lens[k / T_COUNT(all_types)][0];
        const int64_t n = lens[k / T_COUNT(all_types)][1];
        ga_array *c = t_random_array(t, GA_SHAPE(m), 0, 5);
        ga_array *r = t_random_array(t, GA_SHAPE(n), 0, 5);
        const size_t size = ga_dtype_size(t);
        const char *pc = (const char *)t_host(c), *pr = (const char *)t_host(r);
        char *want = (char *)t_alloc((size_t)(m * n) * size + 1);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                memcpy(want + (size_t)(i * n + j) * size,
                       i >= j ? pc + (size_t)(i - j) * size
                              : pr + (size_t)(j - i) * size, size);
        for (int how = 0; how < 4; how++) {
            t_context("%s (%d,%d), layout %d", ga_dtype_name(t), (int)m, (int)n,
                      how);
            ga_array *u = t_laid_out(c, how), *v = t_laid_out(r, how);
            t_same(ga_toeplitz(u, v), t, GA_SHAPE(m, n), want);
            ga_array *out = t_laid_out(ga_empty(GA_SHAPE(m, n), t), how);
            T_CHECK(ga_toeplitz_into(out, u, v) == GA_OK);
            t_same(out, t, GA_SHAPE(m, n), want);
            if (m != 4 || t == GA_BOOL) continue;
            ga_array *last = ga_toeplitz(u, GA_NONE);
            t_same_arrays(last, ga_toeplitz(u, ga_conj(u)), 0);
        }
        if (m > n || m > 9) continue;
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < m; j++)
                memcpy(want + (size_t)(i * m + j) * size,
                       pc + (size_t)((i - j + m) % m) * size, size);
        t_same(ga_circulant(c), t, GA_SHAPE(m, m), want);
    }
    t_context("%s", "");
    ga_array *c = ga_random(GA_SHAPE(3, 4), GA_FLOAT32), *y = ga_circulant(c);
    T_CHECK(t_is(y, GA_FLOAT32, GA_SHAPE(3, 4, 4)));
    t_same_arrays(ga_index_axis(y, 0, 1), ga_circulant(ga_index_axis(c, 0, 1)), 0);
    ga_array *out = ga_empty(GA_SHAPE(3, 4, 4), GA_FLOAT64);
    T_CHECK(ga_circulant_into(out, c) == GA_OK);
    t_same_arrays(out, ga_astype(y, GA_FLOAT64), 0);
    double want[] = {1, 2, 3};
    t_same(ga_toeplitz(1, ga_asarray(((double[]){9, 2, 3}), GA_SHAPE(3))),
           GA_FLOAT64, GA_SHAPE(1, 3), want);
    int64_t seven = 7;
    t_same(ga_circulant(7), GA_INT64, GA_SHAPE(1, 1), &seven);
}

/* ------------------------------------------------------------- distances */
static long double one_distance(const double *x, const double *y, int64_t k,
                                ga_metric m) {
    long double sum = 0, xx = 0, yy = 0;
    for (int64_t i = 0; i < k; i++) {
        long double d = (long double)x[i] - (long double)y[i];
        switch (m) {
        case GA_CITYBLOCK: sum += fabsl(d); break;
        case GA_CHEBYSHEV: sum = sum >= fabsl(d) || sum != sum ? sum : fabsl(d);
                           break;
        case GA_COSINE: sum += (long double)x[i] * y[i]; break;
        default: sum += d * d;
        }
        xx += (long double)x[i] * x[i];
        yy += (long double)y[i] * y[i];
    }
    return m == GA_EUCLIDEAN ? sqrtl(sum)
           : m == GA_COSINE ? 1 - sum / (sqrtl(xx) * sqrtl(yy)) : sum;
}
static double *wide_rows(const ga_array *x) {
    return (double *)t_host(ga_astype(x, GA_FLOAT64));
}
/* All pairs of rows, or those i < j; relative, of cosines absolute. */
static void check_distances(const ga_array *d, const ga_array *x,
                            const ga_array *y, ga_metric m, double units) {
    const int64_t nx = x->shape[0], ny = y->shape[0], k = x->shape[1];
    const bool pairs = d && d->ndim == 1;
    if (!d) { t_bad("%s", ga_error_message()); ga_clear_error(); return; }
    const double *u = wide_rows(x), *v = wide_rows(y);
    const void *p = t_host(d);
    int64_t at = 0;
    for (int64_t i = 0; i < nx; i++)
        for (int64_t j = pairs ? i + 1 : 0; j < ny; j++, at++) {
            double got = t_value(p, d->dtype, at, 0);
            double want = (double)one_distance(u + i * k, v + j * k, k, m);
            double most = m == GA_COSINE ? 2 : fabs(want);
            if (isnan(want) ? isnan(got) : got == want) continue;
            if (fabs(got - want) <= units * t_ulp(d->dtype, 1) * most) continue;
            t_bad("metric %d, rows %d and %d: %.9g, expected %.9g", (int)m,
                  (int)i, (int)j, got, want);
            return;
        }
}
TEST(distances) {
    GA_SCOPE;
    static const struct { int64_t m, n, k; } s[] = {
        {1, 1, 1}, {3, 5, 2}, {7, 70, 3}, {130, 129, 17}, {65, 33, 130},
        {128, 128, 8}, {2, 300, 65}, {257, 5, 24}, {9, 11, 3001}, {6, 140, 520}};
    static const ga_dtype t[] = {GA_FLOAT32, GA_FLOAT64, GA_INT16, GA_BOOL,
                                 GA_FLOAT16, GA_BFLOAT16};
    for (size_t i = 0; i < T_COUNT(s) * T_COUNT(t); i++) {
        GA_SCOPE;
        const ga_dtype u = t[i / T_COUNT(s)];
        const size_t c = i % T_COUNT(s);
        const double units = 8 * ((double)s[c].k + 2) / (u == GA_FLOAT32 ? 4 : 1);
        ga_array *x = t_random_array(u, GA_SHAPE(s[c].m, s[c].k), -2, 3);
        ga_array *y = t_random_array(u, GA_SHAPE(s[c].n, s[c].k), -2, 3);
        for (int m = GA_EUCLIDEAN; m <= GA_COSINE; m++) {
            t_context("%s (%d,%d) and %d", ga_dtype_name(u), (int)s[c].m,
                      (int)s[c].k, (int)s[c].n);
            const int how = (int)(i + (size_t)m) % 5;
            ga_array *v = t_laid_out(x, how), *w = t_laid_out(y, (how + 2) % 5);
            ga_array *d = ga_cdist(v, w, (ga_metric)m);
            check_distances(d, x, y, (ga_metric)m, units);
            T_CHECK(d && d->dtype == (u == GA_INT16 || u == GA_BOOL ? GA_FLOAT64
                                                                    : u));
            ga_array *out = t_laid_out(ga_zeros(GA_SHAPE(s[c].m, s[c].n),
                                                GA_FLOAT64), how);
            T_CHECK(ga_cdist_into(out, v, w, (ga_metric)m) == GA_OK);
            t_same_arrays(out, ga_astype(d, GA_FLOAT64), 0);
            if (s[c].m < 2) continue;
            ga_array *p = ga_pdist(v, (ga_metric)m);
            check_distances(p, x, x, (ga_metric)m, units);
        }
        t_release_host();
    }
}
/* Close rows, rows far from 0, of very different lengths, NaN and infinity:
   where a product of matrices would lose all.                               */
TEST(hard_distances) {
    GA_SCOPE;
    static const ga_dtype t[] = {GA_FLOAT32, GA_FLOAT64};
    for (int i = 0; i < 8; i++) {
        GA_SCOPE;
        const ga_dtype u = t[i % 2];
        const int64_t n = 150, k = 64;
        ga_array *x = t_random_array(u, GA_SHAPE(n, k), -1, 1), *y = ga_copy(x);
        t_context("%s, case %d", ga_dtype_name(u), i / 2);
        if (i / 2 == 0) y = ga_mul(x, 1 + 1e-5);
        if (i / 2 == 1) x = ga_add(x, 1e4), y = ga_add(y, 1e4 + 1e-2);
        if (i / 2 == 2)
            x = ga_mul(x, ga_exp(ga_linspace(-30, 30, k))), x = ga_astype(x, u);
        if (i / 2 == 3) {
            double nan[] = {(double)NAN, (double)INFINITY, 1e200, -(double)INFINITY};
            for (int64_t j = 0; j < 4; j++)
                ga_assign(ga_slice(x, "%d, %d", (int)(3 + 40 * j), (int)(5 * j)),
                          ga_full(GA_SCALAR_SHAPE, nan[j], u));
            y = ga_copy(x);
        }
        for (int m = GA_EUCLIDEAN; m <= GA_COSINE; m++) {
            if (i / 2 == 3 && m == GA_COSINE) continue;
            if (i / 2 == 3 && u == GA_FLOAT64 && m < GA_CITYBLOCK) continue;
            ga_array *d = ga_cdist(x, y, (ga_metric)m);
            check_distances(d, x, y, (ga_metric)m, 8 * ((double)k + 2));
            check_distances(ga_pdist(x, (ga_metric)m), x, x, (ga_metric)m,
                            8 * ((double)k + 2));
            t_same_arrays(ga_cdist(x, y, (ga_metric)m), d, 0);
        }
        t_release_host();
    }
}
TEST(distance_forms) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(3, 0), GA_FLOAT64), *y;
    T_CHECK(ga_item(ga_sum(ga_cdist(x, x, GA_EUCLIDEAN), GA_ALL)) == 0);
    T_CHECK(isnan(ga_item(ga_sum(ga_cdist(x, x, GA_COSINE), GA_ALL))));
    y = ga_zeros(GA_SHAPE(0, 4), GA_FLOAT32);
    T_CHECK(t_is(ga_cdist(y, ga_ones(GA_SHAPE(5, 4), GA_FLOAT32), GA_EUCLIDEAN),
                 GA_FLOAT32, GA_SHAPE(0, 5)));
    T_CHECK(t_is(ga_pdist(y, GA_EUCLIDEAN), GA_FLOAT32, GA_SHAPE(0)));
    T_CHECK(t_is(ga_pdist(ga_ones(GA_SHAPE(1, 4), GA_INT8), GA_CITYBLOCK),
                 GA_FLOAT64, GA_SHAPE(0)));
    /* rows all the same, of stride 0                                       */
    ga_array *b = ga_broadcast_to(ga_asarray(((float[]){3, 4}), GA_SHAPE(2)),
                                  GA_SHAPE(5, 2));
    float want[] = {5, 5, 5, 5, 5};
    t_same(ga_cdist(ga_zeros(GA_SHAPE(1, 2), GA_FLOAT32), b, GA_EUCLIDEAN),
           GA_FLOAT32, GA_SHAPE(1, 5), want);
    /* an operand in the output's place                                     */
    T_CHECK(isnan(ga_item(ga_cdist(ga_zeros(GA_SHAPE(1, 400), GA_FLOAT32),
                                   ga_ones(GA_SHAPE(1, 400), GA_FLOAT32),
                                   GA_COSINE))));
    ga_array *s = ga_random(GA_SHAPE(40, 40), GA_FLOAT64);
    ga_array *d = ga_cdist(s, s, GA_CITYBLOCK);
    T_CHECK(ga_cdist_into(s, s, s, GA_CITYBLOCK) == GA_OK);
    t_same_arrays(s, d, 0);
    T_CHECK(t_is(ga_cdist(ga_ones(GA_SHAPE(2, 3), GA_INT8),
                          ga_ones(GA_SHAPE(2, 3), GA_FLOAT32), GA_EUCLIDEAN),
                 GA_FLOAT32, GA_SHAPE(2, 2)));
}

/* ----------------------------------------------------------------- vecmat */
TEST(vecmat) {
    GA_SCOPE;
    static const ga_dtype t[] = {GA_UINT8, GA_INT32, GA_FLOAT16, GA_FLOAT32,
                                 GA_FLOAT64, GA_COMPLEX64, GA_COMPLEX128};
    for (size_t i = 0; i < T_COUNT(t); i++) {
        t_context("%s", ga_dtype_name(t[i]));
        ga_array *v = t_random_array(t[i], GA_SHAPE(4, 1, 3), -3, 3);
        ga_array *m = t_random_array(t[i], GA_SHAPE(2, 3, 5), -3, 3);
        ga_array *want = ga_squeeze(ga_matmul(ga_expand_dims(ga_conj(v), GA_AXIS(2)), m),
                                    GA_AXIS(2));
        const double ulps = t_is_float(t[i]) || t_is_complex(t[i]) ? 64 : 0;
        for (int how = 0; how < 5; how++) {
            ga_array *u = t_laid_out(v, how), *w = t_laid_out(m, (how + 1) % 5);
            ga_array *y = ga_vecmat(u, w);
            if (!t_is(y, t[i], GA_SHAPE(4, 2, 5))) continue;
            ga_array *off = ga_absolute(ga_astype(ga_subtract(
                ga_astype(y, GA_COMPLEX128), ga_astype(want, GA_COMPLEX128)),
                GA_COMPLEX128));
            T_CHECK(ga_item(ga_max(off, GA_ALL)) <= ulps * t_ulp(t[i], 30.0));
            ga_array *out = t_laid_out(ga_zeros(GA_SHAPE(4, 2, 5), t[i]), how);
            T_CHECK(ga_vecmat_into(out, u, w) == GA_OK);
            t_same_arrays(out, y, ulps);
        }
    }
    double dot[] = {3, 3, 3};
    t_same(ga_vecmat(ga_ones(GA_SHAPE(3), GA_FLOAT64),
                     ga_ones(GA_SHAPE(3, 3), GA_FLOAT64)), GA_FLOAT64,
           GA_SHAPE(3), dot);
}

TEST(errors) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(2, 3), GA_FLOAT32);
    ga_array *y = ga_ones(GA_SHAPE(2, 4), GA_FLOAT32);
    T_NO((ga_block_diag)(0, NULL), GA_ERR_VALUE, "ga_block_diag: 0 operands to join");
    T_NO(ga_block_diag(x, NULL), GA_ERR_NULL,
       "ga_block_diag: an array argument is NULL");
    T_NO(ga_block_diag(ga_ones(GA_SHAPE(2, 1, 1), GA_INT8),
                     ga_ones(GA_SHAPE(3, 1, 1), GA_INT8)), GA_ERR_SHAPE,
       "ga_block_diag: shapes (2,) and (3,) do not broadcast");
    T_FAILS(ga_block_diag_into(x, y), GA_ERR_SHAPE, "ga_block_diag_into: the output "
          "has shape (2,3), the result (2,4)");
    T_NO(ga_toeplitz(x, ga_ones(GA_SHAPE(3), GA_FLOAT32)), GA_ERR_SHAPE,
       "ga_toeplitz: shapes (2,3) and (2,) of operands 0 and 1 do not agree but "
       "for the axis joined");
    T_NO(ga_circulant(ga_ones(GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 2), GA_INT8)),
       GA_ERR_SHAPE, "ga_circulant: 8 dimensions and one more; 8 are possible");
    T_NO(ga_cdist(x, y, GA_EUCLIDEAN), GA_ERR_SHAPE,
       "ga_cdist: rows of shapes (2,3) and (2,4): 3 and 4 elements");
    T_NO(ga_cdist(x, ga_ones(GA_SHAPE(3), GA_FLOAT32), GA_EUCLIDEAN), GA_ERR_SHAPE,
       "ga_cdist: rows of shape (3,); rank 2 is needed");
    T_NO(ga_cdist(x, NULL, GA_EUCLIDEAN), GA_ERR_NULL,
       "ga_cdist: an array argument is NULL");
    T_NO(ga_cdist(x, x, (ga_metric)9), GA_ERR_VALUE, "ga_cdist: 9 is no metric");
    T_NO(ga_pdist(ga_astype(x, GA_COMPLEX64), GA_EUCLIDEAN), GA_ERR_DTYPE,
       "ga_pdist: complex64 is not supported");
    T_FAILS(ga_pdist_into(x, x, GA_EUCLIDEAN), GA_ERR_SHAPE,
          "ga_pdist_into: the output has shape (2,3), the result (1,)");
    T_NO(ga_vecmat(ga_ones(GA_SHAPE(2), GA_INT8), ga_ones(GA_SHAPE(2), GA_INT8)),
       GA_ERR_SHAPE, "ga_vecmat: a matrix is wanted, not shape (2,)");
    T_NO(ga_vecmat(ga_ones(GA_SHAPE(2), GA_FLOAT32), ga_ones(GA_SHAPE(3, 2),
                                                           GA_FLOAT32)),
       GA_ERR_SHAPE, "ga_vecmat: shapes (2,) and (3,2): 2 and 3 differ");
}

typedef struct step { ga_array *x, *c, *out[4]; } step;
static void steps(void *arg) {
    step *s = (step *)arg;
    ga_cdist_into(s->out[0], s->x, s->x, GA_CITYBLOCK);
    ga_pdist_into(s->out[1], s->x, GA_EUCLIDEAN);
    ga_toeplitz_into(s->out[2], s->c, GA_NONE);
    ga_block_diag_into(s->out[3], s->x, s->x);
}
TEST(captured) {
    GA_SCOPE;
    step s = {ga_ones(GA_SHAPE(3, 2), GA_FLOAT64), ga_ones(GA_SHAPE(4), GA_INT32),
              {ga_ones(GA_SHAPE(3, 3), GA_FLOAT64),
               ga_ones(GA_SHAPE(3), GA_FLOAT64), ga_zeros(GA_SHAPE(4, 4), GA_INT32),
               ga_zeros(GA_SHAPE(6, 4), GA_FLOAT64)}};
    steps(&s);
    ga_graph *g = ga_graph_create(steps, &s);
    T_CHECK(g != NULL);
    ga_assign(ga_slice(s.x, "0"), ga_asarray(((double[]){4, 5}), GA_SHAPE(2)));
    ga_assign(s.c, ga_arange_as(0, 4, 1, GA_INT32));
    T_CHECK(ga_graph_launch(g) == GA_OK);
    double city[] = {0, 7, 7, 7, 0, 0, 7, 0, 0}, pairs[] = {5, 5, 0};
    t_same(s.out[0], GA_FLOAT64, GA_SHAPE(3, 3), city);
    t_same(s.out[1], GA_FLOAT64, GA_SHAPE(3), pairs);
    t_same_arrays(s.out[2], ga_toeplitz(s.c, GA_NONE), 0);
    t_same_arrays(s.out[3], ga_block_diag(s.x, s.x), 0);
    ga_graph_destroy(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(blocks), T(toeplitz), T(distances), T(hard_distances),
        T(distance_forms), T(vecmat), T(errors), T(captured)};
    return T_RUN("matrices", tests);
}
