/* Masks: golden/masks.bin in several layouts and with given capacities; sizes
   of many blocks against loops on the host; reductions by a mask; graphs;
   errors with their texts, overlap.                                         */
#define _POSIX_C_SOURCE 200809L
#include "golden.h"
#include "rows.h"
#include "child.h"

static ga_array *made_of(const g_record *r) {
    return r ? (ga_asarray_as)(r->data, r->dtype, r->shape) : NULL;
}
static bool is_record(const ga_array *x, const g_record *r) {
    return r && t_same(x, r->dtype, r->shape, r->data);
}
static ga_array *filled(const g_record *r, int how) {
    return t_laid_out(made_of(r), how);
}

/* ----------------------------------------------------------- golden data */
/* The first of out's rows are want's, the rest 7 still; count says how many. */
static void is_start(const ga_array *out, const ga_array *count,
                     const g_record *want, int axis) {
    int64_t n = want->shape.dim[axis], room = out->shape[axis];
    T_CHECKF(ga_item_i64(count) == n, "count %lld, not %lld",
             (long long)ga_item_i64(count), (long long)n);
    int64_t k = n < room ? n : room;
    ga_array *all = made_of(want);
    t_same_arrays(ga_slice_axis(out, axis, 0, k, 1),
                  ga_slice_axis(all, axis, 0, k, 1), 0);
    ga_array *rest = ga_slice_axis(out, axis, k, GA_END, 1);
    t_same_arrays(rest, ga_full_like(rest, 1), 0);
}
static ga_shape with_room(ga_shape s, int axis, int64_t room) {
    s.dim[axis] = room;
    return s;
}
static void golden_case(int k, int how) {
    GA_SCOPE;
    const g_record *x = g_find("%d/x", k), *want;
    ga_array *a = filled(x, how), *m = filled(g_find("%d/m", k), (how + 1) % 5);
    ga_array *e = filled(g_find("%d/e", k), 2 * (how % 2)), *at[GA_MAX_NDIM];
    ga_array *c = made_of(g_find("%d/c", k)), *p = made_of(g_find("%d/p", k));
    ga_array *count = ga_zeros(GA_SCALAR_SHAPE, GA_INT64), *y;
    int axis = (int)*(const int64_t *)g_find("%d/axis", k)->data;
    t_context("%d %s %s mask %s, layout %d", k, ga_dtype_name(x->dtype),
              t_shape_text(a->ndim, a->shape),
              t_shape_text(m->ndim, m->shape), how);
    is_record(ga_mask(a, m), g_find("%d/mask", k));
    is_record(ga_compress(c, a, GA_AXIS(axis - a->ndim)),
              g_find("%d/compress", k));
    is_record(ga_extract(e, a), g_find("%d/extract", k));
    is_record(ga_compress(e, a, GA_ALL), g_find("%d/extract", k));
    is_record(ga_argwhere(a), want = g_find("%d/where", k));
    T_CHECK(ga_nonzero(a, at) == GA_OK);
    for (int i = 0; i < a->ndim && at[i]; i++)
        t_same_arrays(at[i], ga_slice(made_of(want), ":, %d", i), 0);
    ga_array *flat = ga_flatnonzero(a);
    T_CHECK(flat && flat->size == want->shape.dim[0]);

    for (int over = -1; over < 2; over++) {     /* too small, right, ample  */
        want = g_find("%d/mask", k);
        int64_t room = want->shape.dim[0] + 2 * over;
        if (room < 0) continue;
        y = t_laid_out(ga_full(with_room(want->shape, 0, room), 1, x->dtype),
                       (how + over + 5) % 5);
        T_CHECK(ga_mask_into(y, count, a, m) == GA_OK);
        is_start(y, count, want, 0);
        want = g_find("%d/where", k);
        room = want->shape.dim[0] + 2 * over;
        if (room < 0) continue;
        y = t_laid_out(ga_full(GA_SHAPE(room, a->ndim), 1, GA_INT64), how % 5);
        T_CHECK(ga_argwhere_into(y, count, a) == GA_OK);
        is_start(y, count, want, 0);
        for (int i = 0; i < a->ndim; i++)
            at[i] = t_laid_out(ga_full(GA_SHAPE(room), 1, GA_INT64), i % 4);
        T_CHECK(ga_nonzero_into(at, NULL, a) == GA_OK);
        for (int i = 0; i < a->ndim; i++)
            t_same_arrays(at[i], ga_slice(y, ":, %d", i), 0);
        want = g_find("%d/compress", k);
        room = want->shape.dim[axis] + over;
        if (room < 0) continue;
        y = ga_full(with_room(want->shape, axis, room), 1, x->dtype);
        T_CHECK(ga_compress_into(y, count, c, a, GA_AXIS(axis)) == GA_OK);
        is_start(y, count, want, axis);
    }

    y = t_laid_out(ga_copy(a), how);
    ga_array *v = made_of(g_find("%d/v", k)), *r = made_of(g_find("%d/r", k));
    T_CHECK(ga_mask_assign(y, m, t_laid_out(v, (how + 2) % 5)) == GA_OK);
    is_record(y, g_find("%d/assign", k));
    y = t_laid_out(ga_copy(a), how);
    T_CHECK(ga_mask_assign(y, m, r) == GA_OK);
    is_record(y, g_find("%d/fill", k));
    e = ga_reshape(e, ga_shape_of(a));
    y = t_laid_out(ga_copy(a), how);
    T_CHECK(ga_place(y, e, p) == GA_OK);
    is_record(y, g_find("%d/place", k));
    y = t_laid_out(ga_copy(a), how);
    T_CHECK(ga_putmask(y, e, p) == GA_OK);
    is_record(y, g_find("%d/putmask", k));
}
TEST(golden) {
    g_load("masks.bin");
    int k = 0;
    for (; g_find("%d/x", k); k++)
        for (int how = 0; how < 5; how++) golden_case(k, how);
    t_context("%s", "");
    T_CHECKF(k >= 40, "%d cases", k);
    g_free();
}
TEST(selects) {
    g_load("masks.bin");
    int k = 0;
    for (const g_record *n; (n = g_find("s/%d/n", k)); k++) {
        GA_SCOPE;
        const ga_array *c[64], *x[64];
        int many = (int)*(const int64_t *)n->data;
        for (int i = 0; i < many; i++) {
            c[i] = made_of(g_find("s/%d/c%d", k, i));
            x[i] = filled(g_find("s/%d/x%d", k, i), i % 4);
        }
        const g_record *want = g_find("s/%d/out", k);
        t_context("select of %d", many);
        ga_array *d = made_of(g_find("s/%d/d", k));
        is_record(ga_select(many, c, x, d), want);
        ga_array *out = ga_zeros(want->shape, want->dtype);
        T_CHECK(ga_select_into(out, many, c, x, d) == GA_OK);
        is_record(out, want);
    }
    T_CHECKF(k >= 16, "%d cases", k);
    g_free();
}

/* Large ones, which a GPU takes in another way: broadcasting, in several orders, into
   an output beside the operands, and into one that is an operand.           */
TEST(selects_of_many) {
    const ga_dtype types[] = {GA_INT16, GA_FLOAT32, GA_COMPLEX128};
    const int64_t n = 701, m = 403;
    for (int k = 0; k < 3 * 5; k++) {
        GA_SCOPE;
        const ga_dtype t = types[k % 3];
        const int how = k / 3;
        t_context("%s %d", ga_dtype_name(t), how);
        ga_array *x = t_laid_out(t_random_array(t, GA_SHAPE(n, m), 0, 99), how);
        ga_array *y = t_random_array(t, GA_SHAPE(1, m), 0, 99), *z = t_random_array(t, GA_SHAPE(n, m), 0, 99);
        ga_array *p = t_random_array(GA_FLOAT32, GA_SHAPE(n, m), 0, 1), *q = t_random_array(GA_FLOAT32, GA_SHAPE(n, 1), 0, 1);
        const ga_array *c[2] = {t_laid_out(ga_less(p, .3), (how + 1) % 5), ga_less(q, .5)};
        const ga_array *from[2] = {x, y};
        const size_t w = ga_dtype_size(t);
        char *want = (char *)t_alloc((size_t)(n * m) * w);
        const bool *a = (const bool *)t_host(c[0]), *b = (const bool *)t_host(c[1]);
        const char *hx = (const char *)t_host(x), *hy = (const char *)t_host(y), *hz = (const char *)t_host(z);
        for (int64_t i = 0; i < n * m; i++)
            memcpy(want + (size_t)i * w, a[i] ? hx + (size_t)i * w
                                         : b[i / m] ? hy + (size_t)(i % m) * w : hz + (size_t)i * w, w);
        t_same(ga_select(2, c, from, z), t, GA_SHAPE(n, m), want);
        ga_array *out = t_laid_out((ga_zeros)(GA_SHAPE(n, m), t), how);
        T_CHECK(ga_select_into(out, 2, c, from, z) == GA_OK);
        t_same(out, t, GA_SHAPE(n, m), want);
        /* what is left to the last condition is narrow                        */
        const ga_array *narrow[2] = {c[0], ga_less(ga_slice(q, ":1"), .5)};
        const bool only = ((const bool *)t_host(narrow[1]))[0];
        ga_array *one = ga_astype(ga_add(ga_slice(y, ":, :1"), 0), t);
        const char *h1 = (const char *)t_host(one);
        char *w2 = (char *)t_alloc((size_t)(n * m) * w);
        for (int64_t i = 0; i < n * m; i++)
            memcpy(w2 + (size_t)i * w, a[i] ? hx + (size_t)i * w
                                       : only ? hy + (size_t)(i % m) * w : h1, w);
        t_same(ga_select(2, narrow, from, one), t, GA_SHAPE(n, m), w2);
        const ga_array *few[2] = {x, one};
        for (int64_t i = 0; i < n * m; i++)
            memcpy(w2 + (size_t)i * w, a[i] ? hx + (size_t)i * w : h1, w);
        t_same(ga_select(2, narrow, few, one), t, GA_SHAPE(n, m), w2);
        T_CHECK(ga_select_into(how % 2 ? x : z, 2, c, from, z) == GA_OK);
        t_same(how % 2 ? x : z, t, GA_SHAPE(n, m), want);
    }
    t_context("%s", "");
}

/* ------------------------------------------------------------ reductions */
typedef struct red {
    const char *name, *finish;
    ga_array *(*f)(const ga_array *, ga_axis);
    ga_status (*into)(ga_array *, const ga_array *, ga_axis);
    ga_array *(*m)(const ga_array *, ga_axis, double);
    ga_status (*minto)(ga_array *, const ga_array *, ga_axis, double);
} red;
static const red reds[] = {
#define ROW(n, ...) {#n, NULL, (ga_##n), (ga_##n##_into), NULL, NULL},
    GA_REDUCTIONS(ROW)
#undef ROW
#define ROW(n, ...) {#n, NULL, NULL, NULL, (ga_##n), (ga_##n##_into)},
    GA_REDUCTIONS_DDOF(ROW)
#undef ROW
};
/* y against a record: of a complex NaN either part may be a number. */
static void is_reduced(const ga_array *y, const g_record *want, double ulps) {
    ga_array *nan = y && t_is_complex(y->dtype) ? ga_isnan(y) : NULL;
    if (nan) y = ga_where(nan, t_c128(NAN, NAN), y);
    t_near(y, want->dtype, want->shape, want->data, ulps);
}
static void reduced(int k, const ga_array *x, const ga_array *m,
                    const char *key, ga_axis axis, ga_axis keep) {
    for (size_t i = 0; i < T_COUNT(reds); i++) {
        GA_SCOPE;
        const red *r = &reds[i];
        const g_record *want = g_find("r/%d/%s/%s", k, key, r->name);
        if (!want) continue;
        t_context("%s of %s, mask %s, axes %s", r->name,
                  ga_dtype_name(x->dtype), t_shape_text(m->ndim, m->shape),
                  key);
        /* small integers: sums are exact, but for the sign of a zero;
           quotients are rounded up to three times                           */
        double ulps = r->m ? 8 : strstr(r->name, "mean") ? 2 : 0.5;
        ga_array *y = r->f ? r->f(x, axis) : r->m(x, axis, 1);
        is_reduced(y, want, ulps);
        y = r->f ? r->f(x, keep) : r->m(x, keep, 1);
        T_CHECK(y && y->ndim == x->ndim);
        if (y)
            is_reduced(ga_reshape(y, want->shape), want, ulps);
        ga_array *out = ga_flip(ga_zeros(want->shape, want->dtype), GA_ALL);
        T_CHECK((r->into ? r->into(out, x, axis) : r->minto(out, x, axis, 1))
                == GA_OK);
        is_reduced(out, want, ulps);
    }
}
TEST(reductions) {
    g_load("masks.bin");
    int k = 0;
    for (const g_record *r; (r = g_find("r/%d/x", k)); k++)
        for (int how = 0; how < (t_quick() ? 1 : 3); how++) {
            GA_SCOPE;
            ga_array *x = t_laid_out(made_of(r), how);
            ga_array *m = t_laid_out(made_of(g_find("r/%d/m", k)), how);
            reduced(k, x, m, "all", GA_ALL_WHERE(m), GA_ALL_WHERE_KEEP(m));
            reduced(k, x, m, "1", GA_AXIS_WHERE(m, 1),
                    GA_AXIS_WHERE_KEEP(m, -2));
            reduced(k, x, m, "0,2", GA_AXIS_WHERE(m, 0, -1),
                    GA_AXIS_WHERE_KEEP(m, 2, 0));
        }
    T_CHECKF(k >= 30, "%d cases", k);
    g_free();
}
/* What counts the mask and not the values: means of more than float32 holds,
   far values beside it that must not tell.                                  */
TEST(masked_values) {
    GA_SCOPE;
    const int64_t n = 100003;
    ga_array *i = ga_arange_as(0, n, 1, GA_INT64);
    ga_array *m = ga_equal(ga_remainder(i, 3), 1);
    ga_array *x = ga_where(m, 3e38, NAN), *f = ga_astype(x, GA_FLOAT32);
    T_CHECK(ga_item(ga_mean(f, GA_ALL_WHERE(m))) == (double)(float)3e38);
    T_CHECK(ga_item(ga_mean(x, GA_ALL_WHERE(m))) == 3e38);
    T_CHECK(ga_item(ga_max(f, GA_ALL_WHERE(m))) == (double)(float)3e38);
    T_CHECK(isnan(ga_item(ga_sum(x, GA_ALL_WHERE(ga_logical_not(m))))));
    ga_array *h = ga_full(GA_SHAPE(n), 3, GA_FLOAT16);  /* sums beyond 65504 */
    T_CHECK(ga_item(ga_mean(h, GA_ALL_WHERE(m))) == 3);
    T_CHECK(ga_item(ga_var(h, GA_ALL_WHERE(m), 0)) == 0);
    ga_array *far = ga_add(ga_astype(i, GA_FLOAT64), 1e9);
    double var = ga_item(ga_var(far, GA_ALL_WHERE(m), 0)), c = (n - 1) / 3;
    T_CHECKF(fabs(var / (9 * (c * c - 1) / 12) - 1) < 1e-9, "%.17g", var);
    ga_array *b = ga_full(GA_SHAPE(n), INT64_MAX, GA_INT64);
    T_CHECK(ga_item(ga_mean(b, GA_ALL_WHERE(m))) == (double)INT64_MAX);
    /* a row of the mask for all rows; a column for all columns */
    ga_array *s = ga_ones(GA_SHAPE(300, 500), GA_FLOAT32);
    ga_array *row = ga_less(ga_arange(0, 500, 1), 123);
    ga_array *col = ga_reshape(ga_less(ga_arange(0, 300, 1), 7),
                               GA_SHAPE(300, 1));
    T_CHECK(ga_item(ga_sum(s, GA_ALL_WHERE(row))) == 300 * 123);
    T_CHECK(ga_item(ga_sum(s, GA_ALL_WHERE(col))) == 500 * 7);
    t_same_arrays(ga_sum(s, GA_AXIS_WHERE(row, 1)),
                  ga_full(GA_SHAPE(300), 123, GA_FLOAT32), 0);
    t_same_arrays(ga_mean(s, GA_AXIS_WHERE(col, 0)),
                  ga_ones(GA_SHAPE(500), GA_FLOAT32), 0);
}
TEST(nothing_selected) {
    GA_SCOPE;
    static const ga_dtype types[] = {GA_BOOL, GA_INT8, GA_UINT64, GA_FLOAT16,
                                     GA_FLOAT64, GA_COMPLEX64};
    for (size_t i = 0; i < T_COUNT(types); i++) {
        t_context("%s", ga_dtype_name(types[i]));
        ga_array *x = ga_ones(GA_SHAPE(3, 4), types[i]), *y = NULL;
        ga_array *m = ga_equal(ga_arange(0, 4, 1), 2);
        ga_array *none = ga_zeros(GA_SHAPE(4), GA_BOOL);
        T_CHECK(ga_max(x, GA_AXIS_WHERE(m, 1)) != NULL);
        y = ga_max(x, GA_AXIS_WHERE(m, 0));
        ga_synchronize();
        if (types[i] >= GA_FLOAT16) {
            T_FINE();
            double z[8];
            ga_asnumpy(ga_astype(y, GA_COMPLEX128), z);
            T_CHECK(isnan(z[0]) && z[4] == 1 && isnan(z[6]));
        } else {
            T_CHECKF(strstr(ga_error_message(), "nothing for result ") != NULL
                     && strstr(ga_error_message(), " of 4") != NULL, "%s",
                     ga_error_message());   /* any of them on a GPU         */
            T_ERROR(GA_ERR_EMPTY);
        }
        T_CHECK(ga_item_c128(ga_sum(x, GA_ALL_WHERE(none))) == 0);
        T_CHECK(ga_item_c128(ga_prod(x, GA_ALL_WHERE(none))) == 1);
        ga_array *mean = ga_mean(x, GA_ALL_WHERE(none));
        t_same_arrays(ga_isnan(mean), ga_ones(GA_SCALAR_SHAPE, GA_BOOL), 0);
    }
}

/* ---------------------------------------------------------- larger arrays */
/* Sizes about those of words, tiles and chunks; every width; densities. */
static void large(int64_t n, ga_dtype t, double density) {
    GA_SCOPE;
    size_t size = ga_dtype_size(t);
    t_context("%lld of %s, %g", (long long)n, ga_dtype_name(t), density);
    unsigned char *m = (unsigned char *)t_alloc((size_t)n);
    char *x = (char *)t_alloc((size_t)n * size), *y = (char *)t_alloc(
        (size_t)n * size);
    int64_t *at = (int64_t *)t_alloc((size_t)n * 8), k = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t v[2] = {t_random(), t_random()};
        m[i] = t_uniform(0, 1) < density;
        memcpy(x + (size_t)i * size, v, size);
        if (!m[i]) continue;
        memcpy(y + (size_t)k * size, v, size);
        at[k++] = i;
    }
    ga_array *a = (ga_asarray_as)(x, t, GA_SHAPE(n));
    ga_array *c = (ga_asarray_as)(m, GA_BOOL, GA_SHAPE(n));
    t_same(ga_mask(a, c), t, GA_SHAPE(k), y);
    t_same(ga_flatnonzero(c), GA_INT64, GA_SHAPE(k), at);
    if (n > 3) {                    /* no whole vectors                     */
        int64_t skip = m[0] != 0;
        t_same(ga_mask(ga_slice(a, "1:"), ga_slice(c, "1:")), t,
               GA_SHAPE(k - skip), y + (size_t)skip * size);
    }
    ga_array *z = ga_zeros_like(a), *v = (ga_asarray_as)(y, t, GA_SHAPE(k));
    T_CHECK(ga_mask_assign(z, c, v) == GA_OK);
    ga_array *w = ga_where(c, a, ga_zeros_like(a));
    t_same_arrays(z, w, 0);
    T_CHECK(ga_mask_assign(a, ga_logical_not(c), 0) == GA_OK);
    t_same_arrays(a, w, 0);
    t_release_host();
}
/* Rows of w bytes along the first and the last axis: those that a mask takes,
   with room for all and for fewer, and what is put there. */
static void check_rows(int64_t n, int64_t w, double density) {
    GA_SCOPE;
    t_context("%lld rows of %lld, %g", (long long)n, (long long)w, density);
    uint8_t *m = (uint8_t *)t_alloc((size_t)n), *x = (uint8_t *)t_alloc(
        (size_t)(n * w)), *y = (uint8_t *)t_alloc((size_t)(n * w));
    int64_t k = 0;
    for (int64_t i = 0; i < n * w; i++) x[i] = (uint8_t)(i * 7 + i / w);
    for (int64_t i = 0; i < n; i++) {
        m[i] = t_uniform(0, 1) < density;
        if (m[i]) memcpy(y + k++ * w, x + i * w, (size_t)w);
    }
    ga_array *a = (ga_asarray_as)(x, GA_UINT8, GA_SHAPE(n, w));
    ga_array *c = (ga_asarray_as)(m, GA_BOOL, GA_SHAPE(n));
    ga_array *got = ga_mask(a, c);
    t_same(got, GA_UINT8, GA_SHAPE(k, w), y);
    ga_array *turned = ga_copy(ga_transpose(a, GA_ALL));
    t_same_arrays(ga_compress(c, turned, GA_AXIS(1)),
                  ga_copy(ga_transpose(got, GA_ALL)), 0);
    const int64_t room = k / 2 + 1;
    ga_array *some = ga_full(GA_SHAPE(room, w), 3, GA_UINT8);
    ga_array *count = ga_empty(GA_SCALAR_SHAPE, GA_INT64);
    T_CHECK(!ga_mask_into(some, count, a, c) && ga_item_i64(count) == k);
    if (k)
        t_same_arrays(ga_slice(some, ":%d", (int)(room < k ? room : k)),
                      ga_slice(got, ":%d", (int)(room < k ? room : k)), 0);
    if (room > k) T_CHECK(ga_item(ga_max(ga_slice(some, "-1"), GA_ALL)) == 3);
    ga_array *z = ga_zeros_like(a);
    T_CHECK(!ga_mask_assign(z, c, got));
    t_same_arrays(z, ga_where(ga_expand_dims(c, GA_AXIS(1)), a,
                              ga_zeros_like(a)), 0);
    t_release_host();
}
TEST(rows) {
    static const int64_t n[] = {1, 7, 4096, 4097, 9000}, w[] = {2, 3, 16, 100,
                                                               1008};
    static const double p[] = {0, 0.002, 0.5, 1};
    for (int i = 0; i < (int)T_COUNT(n); i++)
        for (int j = 0; j < (int)T_COUNT(w); j++)
            for (int k = 0; k < (int)T_COUNT(p); k++)
                if (n[i] * w[j] < (t_quick() ? 100000 : 5000000))
                    check_rows(n[i], w[j], p[k]);
    check_rows(5, 70000, 0.5);
}
TEST(sizes) {
    static const ga_dtype types[] = {GA_UINT8, GA_INT16, GA_UINT32, GA_INT64,
                                     GA_COMPLEX128};
    static const int64_t n[] = {1, 63, 64, 65, 4095, 4096, 4097, 70001,
                                1000003};
    static const double p[] = {0, 0.01, 0.5, 0.99, 1};
    for (size_t i = 0; i < T_COUNT(n); i++)
        for (size_t j = 0; j < T_COUNT(types); j++)
            large(n[i], types[j], p[(i + j) % T_COUNT(p)]);
    if (t_quick()) return;
    large(((int64_t)1 << 24) + 5, GA_UINT8, 0.5);   /* chunks of two tiles  */
}
/* Rows of every length, one or several units, and along any axis. */
TEST(rows_of_bytes) {
    const int64_t dims[][3] = {{3000, 1, 3}, {100, 1, 70000}, {1, 5000, 8},
        {70, 90, 5}, {5, 4099, 2}, {40000, 7, 1}, {7, 3, 10007},
        {t_on_gpu() ? 9000 : 50, 1, 1300}};
    for (size_t i = 0; i < T_COUNT(dims); i++)
        for (int axis = 0; axis < 3; axis++) {
            GA_SCOPE;
            const int64_t *d = dims[i], n = d[axis];
            t_context("(%d,%d,%d), axis %d", (int)d[0], (int)d[1], (int)d[2],
                      axis);
            ga_array *x = ga_reshape(ga_arange_as(0, d[0] * d[1] * d[2], 1,
                                                  i % 2 ? GA_INT16 : GA_INT64),
                                     GA_SHAPE(d[0], d[1], d[2]));
            ga_array *c = ga_not_equal(ga_remainder(ga_arange(0, n, 1), 3), 1);
            ga_array *y = ga_compress(c, x, GA_AXIS(axis));
            static const ga_dtype types[] = {GA_INT8, GA_INT32, GA_COMPLEX128};
            for (size_t k = 0; k < T_COUNT(types); k++)
                t_same_arrays(ga_compress(c, ga_astype(x, types[k]), GA_AXIS(axis)),
                              ga_astype(y, types[k]), 0);
            for (int k = 0; k < 3 && k < n; k++) {      /* by its parts     */
                if (k == 1) continue;
                ga_array *from = ga_slice_axis(x, axis, k, GA_END, 3);
                t_same_arrays(ga_slice_axis(y, axis, k / 2, GA_END, 2), from,
                              0);
            }
        }
}

/* Of arrays that are dense in another order than C's, or not. */
TEST(rows_in_layouts) {
    static const int64_t dims[][3] = {{31, 40, 50}, {3, 500, 64}, {65, 1, 70},
                                      {1, 9, 33}};
    static const int turns[][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1},
                                   {2, 1, 0}};
    for (size_t i = 0; i < T_COUNT(dims); i++)
        for (size_t k = 0; k < T_COUNT(turns); k++)
            for (int axis = 0; axis < 3; axis++) {
                GA_SCOPE;
                const int64_t *d = dims[i];
                t_context("(%d,%d,%d), turn %d, axis %d", (int)d[0], (int)d[1],
                          (int)d[2], (int)k, axis);
                ga_array *x = ga_reshape(ga_arange_as(0, d[0] * d[1] * d[2], 1,
                                                      k % 2 ? GA_INT16 : GA_FLOAT64),
                                         GA_SHAPE(d[0], d[1], d[2]));
                x = ga_transpose(x, GA_AXIS(turns[k][0], turns[k][1], turns[k][2]));
                ga_array *of[] = {x, ga_slice(x, "::-1"), ga_slice(x, ":, :, 1:")};
                for (size_t j = 0; j < T_COUNT(of); j++) {
                    const int64_t n = of[j]->shape[axis], most = n - (j == 0 && n > 5);
                    ga_array *c = ga_not_equal(ga_remainder(ga_arange(0, most, 1), 3),
                                               1);
                    ga_array *got = ga_compress(c, of[j], GA_AXIS(axis));
                    T_CHECK(ga_is_contiguous(got));
                    t_same_arrays(got, ga_compress(c, ga_copy(of[j]), GA_AXIS(axis)),
                                  0);
                    t_same_arrays(ga_compress(ga_zeros(GA_SHAPE(n), GA_BOOL), of[j],
                                              GA_AXIS(axis)),
                                  ga_slice_axis(of[j], axis, 0, 0, 1), 0);
                }
            }
}

/* --------------------------------------------------------- one by one */
typedef struct step { ga_array *x, *m, *out, *count, *at, *sum, *y; } step;
static void steps(void *arg) {
    step *s = (step *)arg;
    ga_mask_into(s->out, s->count, s->x, s->m);
    ga_flatnonzero_into(s->at, NULL, s->m);
    ga_sum_into(s->sum, s->x, GA_ALL_WHERE(s->m));
    ga_mask_assign(s->y, s->m, 5);
    ga_place(s->y, s->m, s->x);
}
TEST(captured) {
    GA_SCOPE;
    const int64_t n = 10000;
    step s = {ga_arange_as(0, n, 1, GA_FLOAT32), ga_zeros(GA_SHAPE(n), GA_BOOL),
              ga_full(GA_SHAPE(30), -1, GA_FLOAT32),
              ga_zeros(GA_SCALAR_SHAPE, GA_INT64),
              ga_full(GA_SHAPE(30), -1, GA_INT64),
              ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT32),
              ga_zeros(GA_SHAPE(n), GA_FLOAT32)};
    ga_graph *g = ga_graph_create(steps, &s);
    T_CHECKF(g != NULL, "%s", ga_error_message());
    ga_assign(ga_slice(s.m, "100:600:20"), true);
    T_CHECK(ga_graph_launch(g) == GA_OK);
    T_CHECK(ga_item_i64(s.count) == 25);
    t_same_arrays(ga_slice(s.out, ":25"),
                  ga_arange_as(100, 600, 20, GA_FLOAT32), 0);
    t_same_arrays(ga_slice(s.at, "25:"), ga_full(GA_SHAPE(5), -1, GA_INT64), 0);
    T_CHECK(ga_item(s.sum) == 25 * 340);
    T_CHECK(ga_item(ga_sum(s.y, GA_ALL)) == 24 * 25 / 2);
    ga_graph_destroy(g);
}
TEST(operands) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(0, 6, 1, GA_INT32), *m = ga_greater(x, 3);
    ga_array *r = ga_reshape(x, GA_SHAPE(2, 3)), *y;
    /* rank 0: an axis more, of no or one row */
    ga_array *t = ga_full(GA_SCALAR_SHAPE, true, GA_BOOL);
    t_same_arrays(ga_mask(r, t), ga_reshape(x, GA_SHAPE(1, 2, 3)), 0);
    t_is(ga_mask(r, ga_logical_not(t)), GA_INT32, GA_SHAPE(0, 2, 3));
    t_is(ga_argwhere(t), GA_INT64, GA_SHAPE(1, 0));
    t_is(ga_flatnonzero(t), GA_INT64, GA_SHAPE(1));
    /* a condition longer than the axis, where that is no harm */
    ga_array *c = ga_zeros(GA_SHAPE(9), GA_FLOAT16);
    ga_assign(ga_slice(c, "1"), 2);
    t_same_arrays(ga_compress(c, x, GA_ALL), ga_arange_as(1, 2, 1, GA_INT32),
                  0);
    /* casts of values and of results; its own elements */
    y = ga_copy(x);
    T_CHECK(ga_mask_assign(y, m, 2.75) == GA_OK);
    T_CHECK(ga_item_at(y, GA_INDEX(5)) == 2);
    T_CHECK(ga_mask_assign(y, m, ga_full(GA_SHAPE(2), 7.5, GA_FLOAT64))
            == GA_OK);
    T_CHECK(ga_item_at(y, GA_INDEX(4)) == 7);
    y = ga_copy(x);
    T_CHECK(ga_mask_assign(y, m, ga_slice(y, "1:3")) == GA_OK);
    T_CHECK(ga_item_at(y, GA_INDEX(4)) == 1 && ga_item_at(y, GA_INDEX(5)) == 2);
    y = ga_zeros(GA_SHAPE(3), GA_FLOAT64);
    T_CHECK(ga_mask_into(y, NULL, x, m) == GA_OK);
    T_CHECK(ga_item_at(y, GA_INDEX(1)) == 5 && ga_item_at(y, GA_INDEX(2)) == 0);
    T_CHECK(ga_mask_into(ga_slice(x, "::-1"), NULL, x, m) == GA_OK);
    T_CHECK(ga_item_at(x, GA_INDEX(5)) == 4 && ga_item_at(x, GA_INDEX(0)) == 0);
    /* the mask itself */
    y = ga_copy(m);
    T_CHECK(ga_mask_assign(y, y, false) == GA_OK);
    T_CHECK(!ga_item(ga_any(y, GA_ALL)));
    T_CHECK(ga_place(x, ga_zeros(GA_SHAPE(6), GA_BOOL),
                     ga_zeros(GA_SHAPE(0), GA_INT32)) == GA_OK);
    T_CHECK(ga_putmask(x, m, ga_zeros(GA_SHAPE(0), GA_INT32)) == GA_OK);
}
static ga_array *half(const ga_array *x, void *arg) {
    return ga_mul(x, *(double *)arg);
}
static ga_array *no_piece(const ga_array *x, void *arg) {
    (void)x;
    return (ga_array *)arg;
}
TEST(pieces) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(-4, 4, 1, GA_FLOAT32);
    const ga_array *c[2] = {ga_less(x, 0), ga_less(x, -2)};
    double by = 0.5;
    ga_piece p[3] = {{half, &by, 0}, {NULL, NULL, 9}, {NULL, NULL, -1}};
    static const float want[] = {9, 9, -1, -0.5f, -1, -1, -1, -1};
    static const float none[] = {9, 9, -1, -0.5f, 0, 0, 0, 0};
    t_same(ga_piecewise(x, 2, c, 3, p), GA_FLOAT32, GA_SHAPE(8), want);
    t_same(ga_piecewise(x, 2, c, 2, p), GA_FLOAT32, GA_SHAPE(8), none);
    T_CHECK(!ga_piecewise(x, 2, c, 4, p));
    T_ERROR(GA_ERR_VALUE);
    p[1].f = no_piece;
    T_CHECK(!ga_piecewise(x, 2, c, 2, p));
    T_ERROR(GA_ERR_NULL);
    p[1].arg = x;                   /* which stays the caller's             */
    static const float itself[] = {-4, -3, -1, -0.5f, -1, -1, -1, -1};
    t_same(ga_piecewise(x, 2, c, 3, p), GA_FLOAT32, GA_SHAPE(8), itself);
    T_CHECK(ga_item_at(x, GA_INDEX(1)) == -3);
    p[1].arg = ga_zeros(GA_SHAPE(3), GA_FLOAT32);
    T_CHECK(!ga_piecewise(x, 2, c, 2, p));
    T_ERROR(GA_ERR_SHAPE);
    c[1] = x;
    T_CHECK(!ga_piecewise(x, 2, c, 2, p));
    T_ERROR(GA_ERR_DTYPE);
}

/* ---------------------------------------------------------------- errors */
static void fails(bool failed, ga_status s, const char *text) {
    T_CHECKF(failed, "no failure: \"%s\"", text);
    T_CHECKF(strstr(ga_error_message(), text) != NULL, "\"%s\", not \"%s\"",
             ga_error_message(), text);
    T_ERROR(s);
}
TEST(errors) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(0, 6, 1, GA_INT32), *at[2];
    ga_array *m = ga_greater(x, 3);
    ga_array *r = ga_reshape(x, GA_SHAPE(2, 3)), *y = ga_copy(x), *v;
    ga_array *d = ga_zeros(GA_SCALAR_SHAPE, GA_INT32);
    const ga_array *c[2] = {m, m}, *z[2] = {x, x};
    fails(!ga_mask(x, x), GA_ERR_DTYPE, "ga_mask: the mask is int32, not bool");
    fails(!ga_mask(r, m), GA_ERR_SHAPE, "a mask of shape (6,) does not fit "
          "shape (2,3)");
    fails(!ga_mask(NULL, m), GA_ERR_NULL, "ga_mask: an array");
    fails(!(ga_mask)(GA_ARG(1), m), GA_ERR_VALUE, "C number");
    fails(ga_mask_into(r, NULL, x, m), GA_ERR_SHAPE, "output has shape (2,3)");
    fails(ga_mask_into(m, NULL, x, m), GA_ERR_DTYPE, "int32 does not go into");
    fails(ga_mask_into(y, d, x, m), GA_ERR_DTYPE, "is int32, not () and int64");
    fails(ga_mask_into(y, y, x, m), GA_ERR_SHAPE, "the count has shape (6,)");
    fails(ga_mask_into(ga_broadcast_to(d, GA_SHAPE(3)), NULL, x, m),
          GA_ERR_READONLY, "broadcast");
    v = ga_zeros(GA_SHAPE(3), GA_INT32);
    fails(ga_mask_assign(y, m, v), GA_ERR_SHAPE, "3 values for 2 places");
    fails(ga_mask_assign(r, ga_zeros(GA_SHAPE(2), GA_BOOL),
                         ga_zeros(GA_SHAPE(2), GA_INT32)),
          GA_ERR_SHAPE, "shape (2,) do not broadcast to places of shape (3,)");
    fails(ga_mask_assign(y, m, (int64_t)1 << 40), GA_ERR_VALUE, "out of range");
    fails(ga_mask_assign(ga_astype(x, GA_UINT8), m, -1), GA_ERR_VALUE, "-1");
    fails(ga_place(y, v, 1), GA_ERR_SHAPE, "a mask of shape (3,)");
    fails(ga_place(y, m, ga_zeros(GA_SHAPE(0), GA_INT8)), GA_ERR_EMPTY,
          "no values for 2 places");
    fails(ga_putmask(y, v, 1), GA_ERR_SHAPE, "ga_putmask: a mask");
    fails(!ga_compress(r, x, GA_ALL), GA_ERR_SHAPE,
          "condition has shape (2,3)");
    fails(!ga_compress(m, r, GA_AXIS(1)), GA_ERR_INDEX, "index 4 is out of "
          "bounds for axis 1 with size 3");
    fails(!ga_compress(m, r, GA_AXIS(2)), GA_ERR_AXIS, "axis 2");
    fails(!ga_compress(m, r, GA_AXIS(0, 1)), GA_ERR_AXIS, "2 axes given");
    fails(!ga_compress(m, x, GA_ALL_WHERE(m)), GA_ERR_VALUE, "no meaning");
    fails(!ga_extract(m, v), GA_ERR_INDEX, "index 4");
    fails(ga_nonzero(d, at), GA_ERR_SHAPE, "rank 0");
    fails(ga_nonzero(x, NULL), GA_ERR_NULL, "outputs");
    at[0] = ga_zeros(GA_SHAPE(3), GA_INT64);
    at[1] = v;
    fails(ga_nonzero_into(at, NULL, r), GA_ERR_DTYPE, "output 1");
    at[1] = ga_zeros(GA_SHAPE(4), GA_INT64);
    fails(ga_nonzero_into(at, NULL, r), GA_ERR_SHAPE, "output 1");
    fails(ga_argwhere_into(at[0], NULL, r), GA_ERR_SHAPE, "the result (3,2)");
    fails(!ga_select(0, c, z, 1), GA_ERR_VALUE, "0 conditions; 1 to 64");
    fails(!ga_select(1, z, z, 1), GA_ERR_DTYPE, "the mask is int32");
    z[1] = at[0];
    fails(!ga_select(2, c, z, 1), GA_ERR_SHAPE, "(6,) and (3,) do not");
    fails(!ga_select(1, c, z, (int64_t)1 << 40), GA_ERR_VALUE, "out of range");
    t_same_arrays(y, x, 0);
}
TEST(where_errors) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(2, 3), GA_FLOAT32), *out;
    ga_array *m = ga_ones(GA_SHAPE(3), GA_BOOL);
    fails(!ga_sum(x, GA_ALL_WHERE(NULL)), GA_ERR_NULL, "ga_sum");
    fails(!ga_sum(x, GA_ALL_WHERE(x)), GA_ERR_DTYPE, "float32, not bool");
    fails(!ga_sum(x, GA_ALL_WHERE(ga_ones(GA_SHAPE(2), GA_BOOL))), GA_ERR_SHAPE,
          "a mask of shape (2,) does not broadcast to (2,3)");
    fails(!ga_sum(x, GA_AXIS_WHERE(m, 2)), GA_ERR_AXIS, "axis 2");
    fails(!ga_argmax(x, GA_ALL_WHERE(m)), GA_ERR_VALUE, "ga_argmax: a mask");
    fails(!ga_nanargmin(x, GA_AXIS_WHERE(m, 0)), GA_ERR_VALUE, "no meaning");
    fails(!ga_transpose(x, GA_ALL_WHERE(m)), GA_ERR_VALUE, "ga_transpose: a");
    fails(!ga_squeeze(x, GA_ALL_WHERE(m)), GA_ERR_VALUE, "ga_squeeze");
    fails(!ga_flip(x, GA_AXIS_WHERE(m, 0)), GA_ERR_VALUE, "ga_flip");
    fails(!ga_expand_dims(x, GA_AXIS_WHERE(m, 0)), GA_ERR_VALUE, "no meaning");
    fails(!ga_moveaxis(x, GA_AXIS(0), GA_AXIS_WHERE(m, 1)), GA_ERR_VALUE,
          "mask");
    fails(!ga_norm(x, GA_NORM, GA_ALL_WHERE(m)), GA_ERR_VALUE, "ga_norm");
    fails(!ga_tensordot_axes(x, x, GA_AXIS_WHERE(m, 0), GA_AXIS(0)),
          GA_ERR_VALUE, "mask");
    out = ga_zeros(GA_SHAPE(2), GA_INT8);
    fails(ga_sum_into(out, x, GA_AXIS_WHERE(m, 1)), GA_ERR_DTYPE, "int8");
    /* an error that is pending goes by, and a NULL mask with it */
    T_CHECK(!ga_reshape(x, GA_SHAPE(4)));
    T_CHECK(!ga_sum(x, GA_ALL_WHERE(NULL)) && strstr(ga_error_message(),
                                                     "reshape"));
    ga_clear_error();
    ga_axis old = {-1, false, {0}};     /* as ever                          */
    T_CHECK(ga_item(ga_sum(x, old)) == 6);
}

/* sum(x, where=m) in expressions: what the calls give. */
TEST(expressions) {
    GA_SCOPE;
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        ga_array *x = t_random_array((ga_dtype)t, GA_SHAPE(40, 130), 0, 3);
        ga_array *y = ga_zeros(GA_SHAPE(130), (ga_dtype)t);
        ga_assign(ga_slice(y, "::2"), 1);
        ga_array *m = t_random_array(GA_BOOL, GA_SHAPE(40, 130), 0, 1);
        t_context("%s", ga_dtype_name((ga_dtype)t));
#define SAME(f, ddof) \
        t_same_arrays(GA_EVAL(f(x, where=m), x, m), \
                      ga_##f(x, GA_ALL_WHERE(m) ddof), #f[0] == 'p' ? 99 : 1); \
        t_same_arrays(GA_EVAL(f(x, axis=1, where=m), x, m), \
                      ga_##f(x, GA_AXIS_WHERE(m, 1) ddof), \
                      #f[0] == 'p' ? 99 : 1); \
        t_same_arrays(GA_EVAL(true & f(x*y, where=m & x >= y, axis=0) > 1, x, \
                              m, y), \
                      ga_greater(ga_##f(ga_mul(x, y), GA_AXIS_WHERE( \
                          ga_bitwise_and(m, ga_greater_equal(x, y)), 0) ddof), \
                          1), 0);
#define COMMA ,
        SAME(sum,) SAME(prod,) SAME(max,) SAME(all,) SAME(any,) SAME(mean,)
        SAME(count_nonzero,) SAME(nanmin,) SAME(var, COMMA 0)
        if (t != GA_BOOL) { SAME(ptp,) }
    }
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32), *m = ga_isnan(x);
    T_CHECK(ga_item(GA_EVAL(sum(x, where=m), x, m)) == 0);
    T_CHECK(isnan(ga_item(GA_EVAL(1 + max(2*x, where=m & x > 0), x, m))));
    fails(!GA_EVAL(sum(x, where=x), x), GA_ERR_DTYPE, "the mask is float32");
    fails(!GA_EVAL(mean(x, where=true), x), GA_ERR_VALUE, "is no mask");
    fails(!GA_EVAL(argmax(x, where=m), x, m), GA_ERR_VALUE, "no meaning");
    fails(!(ga_eval)("sum(x, where=)", "x", (const ga_array *const[]){x}, 1),
          GA_ERR_SYNTAX, "unexpected ')'");
}

/* Launches: the mask's pass and the rows', one for what is element by element
   and for reductions; on the CPU these count where they have to.             */
static int launches(void) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(256, 256), GA_FLOAT32);
    ga_array *m = ga_greater(x, 0);
    const ga_array *c[3] = {m, m, m}, *y[3] = {x, x, x};
    const int some = t_on_gpu() ? 1 : 3;
    const struct { const char *op; int calls; } want[] = {
        {"ga_mask_into", 2}, {"ga_mask_assign", 1}, {"ga_putmask", 2},
        {"ga_select", 1}, {"ga_sum", 1}, {"ga_max", some}, {"ga_mean", some}};
    ga_array *out = ga_empty(GA_SHAPE(65536), GA_FLOAT32);
    ga_profile_reset();
    ga_mask_into(out, NULL, x, m);
    ga_mask_assign(x, m, 1);
    ga_putmask(x, m, ga_slice(out, ":5"));
    ga_select(3, c, y, 0);
    ga_sum(x, GA_AXIS_WHERE(m, 1));
    ga_max(x, GA_AXIS_WHERE(m, 1));
    ga_mean(x, GA_AXIS_WHERE(m, 1));
    ga_profile_row r[50];
    int n = ga_profile_get(r, 50), bad = n > 50 || n < 7;
    for (size_t k = 0; k < T_COUNT(want); k++) {
        int64_t calls = 0;
        size_t length = strlen(want[k].op);
        for (int i = 0; i < n && i < 50; i++)   /* expressions: "ga_sum: ..." */
            if (!strncmp(r[i].op, want[k].op, length)
                && (!r[i].op[length] || r[i].op[length] == ':'))
                calls += r[i].calls;
        bad += calls != want[k].calls;
        if (calls != want[k].calls)
            printf("%s: %lld launches, not %d\n", want[k].op, (long long)calls,
                   want[k].calls);
    }
    ga_profile_reset();
    return bad;
}
TEST(few_launches) {
    T_CHECKF(T_CHILD("launches", "GPUARR_PROFILE=1") == 0, "%s", t_said);
}
TEST(no_elements) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(0, 3), GA_FLOAT32);
    ga_array *m = ga_zeros(GA_SHAPE(0, 3), GA_BOOL), *at[2];
    t_is(ga_mask(x, m), GA_FLOAT32, GA_SHAPE(0));
    t_is(ga_mask(x, ga_zeros(GA_SHAPE(0), GA_BOOL)), GA_FLOAT32,
         GA_SHAPE(0, 3));
    T_CHECK(ga_nonzero(x, at) == GA_OK && at[1] && at[1]->size == 0);
    T_CHECK(ga_mask_assign(x, m, 1) == GA_OK && ga_place(x, m, 1) == GA_OK);
    t_same_arrays(ga_sum(x, GA_AXIS_WHERE(m, 0)),
                  ga_zeros(GA_SHAPE(3), GA_FLOAT32), 0);
    t_is(ga_max(x, GA_AXIS_WHERE(m, 1)), GA_FLOAT32, GA_SHAPE(0));
    ga_array *mean = ga_mean(x, GA_AXIS_WHERE(m, 0));
    T_CHECK(mean && isnan(ga_item_at(mean, GA_INDEX(2))));
    fails(!ga_max(x, GA_AXIS_WHERE(m, 0)), GA_ERR_EMPTY, "no elements");
}
/* More than 2^32 places; the CPU's loops are the same for all sizes. */
TEST(huge) {
    if (!t_on_gpu() || t_quick()) return;
    GA_SCOPE;
    const int64_t n = ((int64_t)1 << 32) + 4099, step = 1000000007;
    ga_array *m = ga_zeros(GA_SHAPE(n), GA_BOOL);
    if (!m && ga_error() == GA_ERR_DEVICE_MEMORY) {
        ga_clear_error();
        return;
    }
    ga_assign(ga_slice_axis(m, 0, n - 1, 0, -step), true);
    ga_array *want = ga_arange(n - 1 - 4 * step, n, step);
    t_same_arrays(ga_flatnonzero(m), want, 0);
    ga_array *x = ga_astype(m, GA_UINT8);
    t_same_arrays(ga_mask(x, m), ga_ones(GA_SHAPE(5), GA_UINT8), 0);
    T_CHECK(ga_mask_assign(x, m, ga_arange_as(1, 6, 1, GA_UINT8)) == GA_OK);
    T_CHECK(ga_item_at(x, GA_INDEX(n - 1)) == 5);
    T_CHECK(ga_item(ga_sum(x, GA_ALL_WHERE(m))) == 15);
}

int main(int argc, char **argv) {
    static const t_case cases[] = {{"launches", launches}};
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(golden), T(selects), T(selects_of_many), T(reductions), T(masked_values),
        T(nothing_selected), T(rows), T(sizes), T(rows_of_bytes), T(rows_in_layouts), T(captured),
        T(operands), T(pieces), T(errors), T(where_errors),
        T(expressions), T(few_launches), T(no_elements), T(huge)};
    return T_RUN("masks", tests);
}
