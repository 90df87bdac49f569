/* Index arrays: golden/indexing.bin in several layouts and both forms; wrong
   indices on both kinds of device; repeated indices, many of them, whose results
   repeat; accuracy, graphs, sizes beyond 2**31.                             */
#include "golden.h"

enum { MOST = 10 };
static ga_array *made_of(const g_record *r) {
    return r ? (ga_asarray_as)(r->data, r->dtype, r->shape) : NULL;
}

/* ----------------------------------------------------------- golden data */
typedef struct call {
    char name[40];
    char arg[MOST][24];
    int n;
    unsigned flags;
} call;
static call parsed(const g_record *r) {
    call c;
    memset(&c, 0, sizeof c);
    int at = 0, more = 0;
    const char *s = (const char *)r->data;
    sscanf(s, "%39s%n", c.name, &at);
    while (sscanf(s + at, "%23s%n", c.arg[c.n], &more) == 1) {
        at += more;
        const char *a = c.arg[c.n];
        if (!strcmp(a, "wrap")) c.flags |= GA_WRAP;
        else if (!strcmp(a, "clip")) c.flags |= GA_CLIP;
        else if (!strcmp(a, "sorted")) c.flags |= GA_SORTED;
        else c.n++;
    }
    return c;
}
static ga_at at_of(const call *c, ga_array **i) {
    ga_subscript p[MOST];
    for (int k = 0; k < c->n; k++) {
        const char *a = c->arg[k];
        p[k] = *a == ':' ? GA_COLON : *a == 'i' ? ga__place_a(i[atoi(a + 1)])
               : ga__place_i(atoi(a));
    }
    return ga__at(c->n, p);
}
static ga_axis axis_of(const call *c) {
    return strcmp(c->arg[0], "all") ? GA_AXIS(atoi(c->arg[0])) : GA_ALL;
}
static ga_shape dims_of(const call *c) {
    ga_shape s = {c->n, {0}};
    for (int k = 0; k < c->n; k++) s.dim[k] = atoi(c->arg[k]);
    return s;
}
/* The function by name: a new array or, where there is an out, into it. */
typedef ga_array *(*segment_fn)(const ga_array *, const ga_array *, int64_t,
                                unsigned);
typedef ga_status (*segment_into_fn)(ga_array *, const ga_array *,
                                     const ga_array *, int64_t, unsigned);
static bool result(const call *c, const ga_array *x, ga_array **i,
                   ga_array *const *choices, ga_array *out, ga_array **made) {
    const char *name = c->name;
    ga_status st = GA_OK;
    *made = NULL;
#define BOTH(f, ...) do {                                                   \
        if (out) st = (f##_into)(out, __VA_ARGS__);                         \
        else *made = (f)(__VA_ARGS__);                                      \
        return out ? st == GA_OK : *made != NULL;                           \
    } while (0)
    if (!strcmp(name, "index")) BOTH(ga_index, x, at_of(c, i));
    if (!strcmp(name, "take")) BOTH(ga_take, x, i[0], axis_of(c), c->flags);
    if (!strcmp(name, "take_along"))
        BOTH(ga_take_along_axis, x, i[0], axis_of(c));
    if (!strcmp(name, "choose"))
        BOTH(ga_choose, i[0], c->flags, atoi(c->arg[0]),
             (const ga_array *const *)choices);
    if (!strcmp(name, "ravel")) {
        ga_subscript p[MOST];
        for (int k = 0; k < c->n; k++) p[k] = ga__place_a(i[k]);
        BOTH(ga_ravel_multi_index, ga__at(c->n, p), dims_of(c), c->flags);
    }
#define SEGMENT(n, op) \
    if (!strcmp(name, "segment_" #n))                                       \
        BOTH(ga_segment_##n, x, i[0], atoi(c->arg[0]), c->flags);
    GA__SEGMENTS(SEGMENT)
    return false;
}
/* Those that write to x. */
static bool writes(const call *c, ga_array *x, ga_array **i, const ga_array *v,
                   unsigned more) {
    const char *name = c->name;
    if (!strcmp(name, "index_assign"))
        return (ga_index_assign)(x, at_of(c, i), v) == GA_OK;
    if (!strcmp(name, "scatter_add"))
        return (ga_scatter_add)(x, at_of(c, i), v, more) == GA_OK;
    if (!strcmp(name, "scatter_max"))
        return (ga_scatter_max)(x, at_of(c, i), v, 0) == GA_OK;
    if (!strcmp(name, "scatter_min"))
        return (ga_scatter_min)(x, at_of(c, i), v, 0) == GA_OK;
    if (!strcmp(name, "put")) return (ga_put)(x, i[0], v, c->flags) == GA_OK;
    if (!strcmp(name, "put_along"))
        return (ga_put_along_axis)(x, i[0], v, axis_of(c)) == GA_OK;
    return false;
}
static bool several(const call *c, ga_array **i, ga_array **out) {
    const int64_t n = atoi(c->arg[0]), k = atoi(c->arg[1]), m = atoi(c->arg[2]);
    if (!strcmp(c->name, "unravel"))
        return ga_unravel_index(i[0], dims_of(c), out) == GA_OK;
    if (!strcmp(c->name, "tril_indices"))
        return ga_tril_indices(n, k, m, out, out + 1) == GA_OK;
    return ga_triu_indices(n, k, m, out, out + 1) == GA_OK;
}
static void check_case(const call *c, int k) {
    ga_array *x = made_of(g_find("%d/x", k)), *v = made_of(g_find("%d/v", k));
    ga_array *i[MOST] = {NULL}, *choices[MOST] = {NULL}, *y;
    const g_record *want = g_find("%d/out", k), *r;
    for (int j = 0; j < MOST && (r = g_find("%d/i%d", k, j)); j++)
        i[j] = made_of(r);
    for (int j = 0; j < MOST && (r = g_find("%d/c%d", k, j)); j++)
        choices[j] = made_of(r);
    if (!want) {
        ga_array *out[MOST] = {NULL};
        T_CHECK(several(c, i, out));
        for (int j = 0; (r = g_find("%d/out%d", k, j)); j++)
            t_same(out[j], r->dtype, r->shape, r->data);
        return;
    }
    for (int how = 0; how < 5; how++) {
        ga_array *z = x ? t_laid_out(x, how) : NULL, *l[MOST] = {NULL};
        for (int j = 0; j < MOST && i[j]; j++)
            l[j] = t_laid_out(i[j], (how + j) % 5);
        if (v) {
            z = t_laid_out(ga_copy(x), how);
            T_CHECK(writes(c, z, l, t_laid_out(v, (how + 2) % 5),
                           how % 2 ? GA_FAST : 0));
            t_same(z, want->dtype, want->shape, want->data);
            continue;
        }
        T_CHECK(result(c, z, l, choices, NULL, &y));
        t_same(y, want->dtype, want->shape, want->data);
        ga_array *out = t_laid_out((ga_zeros)(want->shape, want->dtype), how);
        T_CHECK(result(c, z, l, choices, out, &y));
        t_same(out, want->dtype, want->shape, want->data);
    }
}
TEST(golden) {
    g_load("indexing.bin");
    int k = 0;
    for (const g_record *r; (r = g_find("%d/call", k)); k++) {
        GA_SCOPE;
        call c = parsed(r);
        t_context("%d: %s", k, (const char *)r->data);
        check_case(&c, k);
    }
    t_context("%s", "");
    T_CHECKF(k > 800, "%d cases", k);
    g_free();
}

/* ------------------------------------------------------ many, and repeated */
/* n indices into m places, most of them in a few. */
static void crowd(int64_t *p, int64_t n, int64_t m) {
    for (int64_t i = 0; i < n; i++)
        p[i] = t_random() % 4 ? (int64_t)(t_random() % (uint64_t)m)
                              : (int64_t)(t_random() % 3) % m;
}
static const int64_t sizes[][3] = {     /* indices, places, row             */
    {1, 5, 1}, {100000, 10, 1}, {100000, 200000, 1}, {70000, 7, 3},
    {3000, 1000, 40}, {5000, 4000000, 1}, {300, 50, 700}, {40000, 1, 2},
    {400000, 4500000, 1}, {300000, 4300000, 1}, {270000, 4200000, 1},
    {270000, 4200000, 1}, {270000, 4200000, 1}, {65536, 65536, 1},
    {65536, 3, 1}, {65535, 1000, 2}, {4096, 4096, 16}, {2000, 262144, 1},
    {1025, 1025, 1}, {33, 5000, 7}, {1500, 40, 256}, {4000, 3, 64},
    {66000, 90, 3}, {8192, 3000, 1}, {8193, 90000, 1}, {65536, 300000, 1},
    {30000, 2, 33}, {20000, 700, 5}, {50000, 64, 1}, {9000, 2, 24},
    {900, 3000000, 1}, {1024, 600000, 1}, {7, 5000000, 1}, {1000, 530000, 1}, {31, 4300000, 1}};

TEST(last_wins) {
    const size_t widths[] = {1, 2, 4, 8, 16};
    const ga_dtype types[] = {GA_UINT8, GA_INT16, GA_FLOAT32, GA_INT64,
                              GA_COMPLEX128};
    for (size_t s = 0; s < T_COUNT(sizes); s++) {
        GA_SCOPE;
        const int64_t n = sizes[s][0], m = sizes[s][1], row = sizes[s][2];
        int64_t *at = (int64_t *)t_alloc((size_t)n * 8);
        crowd(at, n, m);
        size_t t = s % T_COUNT(types), w = widths[t];
        char *v = (char *)t_alloc((size_t)(n * row) * w);
        char *want = (char *)t_alloc((size_t)(m * row) * w);
        t_fill(v, types[t], n * row, 0, 100);
        memset(want, 0, (size_t)(m * row) * w);
        for (int64_t i = 0; i < n; i++)
            memcpy(want + at[i] * row * (int64_t)w, v + i * row * (int64_t)w,
                   (size_t)row * w);
        t_context("%lld into %lld", (long long)n, (long long)m);
        ga_array *x = ga_zeros(GA_SHAPE(m, row), types[t]);
        T_CHECK(ga_index_assign(x, GA_AT(ga_asarray(at, GA_SHAPE(n))),
                                ga_asarray_as(v, types[t], GA_SHAPE(n, row)))
                == GA_OK);
        t_same(x, types[t], GA_SHAPE(m, row), want);
        ga_array *y = ga_zeros(GA_SHAPE(row, m), types[t]);
        ga_index_assign(y, GA_AT(GA_COLON, ga_asarray(at, GA_SHAPE(n))),
                        ga_transpose(ga_asarray_as(v, types[t],
                                                   GA_SHAPE(n, row)), GA_ALL));
        t_same(ga_transpose(y, GA_ALL), types[t], GA_SHAPE(m, row), want);
    }
    t_context("%s", "");
}
/* Lines long and short, few and many, as rows and as columns: what takes and
   puts along an axis by lines in shared memory, and beside its limits. m indices
   a line of n places, some of them often and some negative.                 */
static const int64_t lines_of[][4] = {  /* o, n, m, c                       */
    {600, 100, 100, 1}, {30, 257, 301, 1}, {3, 4096, 4096, 1}, {900, 7, 5, 1},
    {333, 33, 64, 1}, {1, 600, 900, 1}, {20, 9000, 2000, 1}, {150, 8, 8, 1},
    {1, 70000, 100, 1}, {40, 5, 1, 1}, {1, 90, 70, 3300}, {7, 41, 60, 500},
    {50, 31, 17, 70}, {1, 7000, 900, 800}, {3, 1, 9, 1100},
    {5000, 10, 12, 1}, {9000, 25, 25, 1}, {1, 5, 5, 20011}, {500, 13, 13, 50},
    {635, 11, 3, 36}, {2, 33, 20, 9001}, {700, 300, 90, 1}, {60, 70, 20, 144},
    {66, 37, 5, 301}, {1, 700, 9, 1601}, {2, 290, 7, 3700}, {30000, 3, 1, 1},
    {1, 2100001, 270000, 2}, {2, 900, 3000, 5}, {3, 9001, 7000, 2}, {1500, 3, 2, 4}, {2, 3, 3, 20},
    {1, 2, 2, 9}};
static int64_t *line_indices(int64_t n, int64_t lines, int64_t m) {
    int64_t *at = (int64_t *)t_alloc((size_t)(lines * m) * 8);
    for (int64_t i = 0; i < lines * m; i++) {
        at[i] = (int64_t)(t_random() % (uint64_t)(t_random() % 4 ? n : 1));
        if (t_random() % 2) at[i] -= n;
    }
    return at;
}
TEST(lines) {
    const ga_dtype types[] = {GA_UINT8, GA_FLOAT32, GA_FLOAT16, GA_COMPLEX128,
                              GA_INT64};
    for (size_t s = 0; s < T_COUNT(lines_of) * T_COUNT(types); s++) {
        const int64_t *d = lines_of[s / T_COUNT(types)];
        const int64_t o = d[0], n = d[1], m = d[2], c = d[3], all = o * m * c;
        const ga_dtype t = types[s % T_COUNT(types)];
        const size_t w = ga_dtype_size(t);
        if (t_quick() && s % 3 != (s / T_COUNT(types)) % 3) continue;
        GA_SCOPE;
        t_context("(%d,%d,%d) by %d, %s", (int)o, (int)n, (int)c, (int)m,
                  ga_dtype_name(t));
        const int how = (int)(s % 7 == 6 ? s % 5 : 0);  /* mostly as it is  */
        int64_t *at = line_indices(n, o * c, m);
        ga_array *x = t_random_array(t, GA_SHAPE(o, n, c), 0, 99);
        ga_array *v = t_random_array(t, GA_SHAPE(o, m, c), 0, 99);
        const char *px = (const char *)t_host(x), *pv = (const char *)t_host(v);
        char *taken = (char *)t_alloc((size_t)all * w);
        char *put = (char *)t_alloc((size_t)(o * n * c) * w);
        memcpy(put, px, (size_t)(o * n * c) * w);
        for (int64_t i = 0; i < all; i++) {
            const int64_t to = (i / (m * c) * n + (at[i] + n) % n) * c + i % c;
            memcpy(taken + (size_t)i * w, px + (size_t)to * w, w);
            memcpy(put + (size_t)to * w, pv + (size_t)i * w, w);
        }
        ga_array *i = ga_asarray(at, GA_SHAPE(o, m, c));
        if (s % 2) i = ga_astype(i, GA_INT32);
        i = t_laid_out(i, how);
        t_same(ga_take_along_axis(t_laid_out(x, how), i, GA_AXIS(1)), t,
               GA_SHAPE(o, m, c), taken);
        for (int k = 0; k < 2; k++) {   /* into all of an array, and of a part */
            ga_array *y = k ? ga_slice(ga_zeros(GA_SHAPE(o, n + 1, c + 1), t),
                                       ":, 1:, :-1") : ga_zeros(GA_SHAPE(o, n, c), t);
            ga_assign(y, x);
            T_CHECK(ga_put_along_axis(y, i, t_laid_out(v, how), GA_AXIS(1)) == GA_OK);
            t_same(y, t, GA_SHAPE(o, n, c), put);
        }
        if (c > 1) continue;            /* all lines by the first one's     */
        for (int64_t k = 0; k < o * m; k++)
            memcpy(taken + (size_t)k * w, px + (size_t)(k / m * n
                   + (at[k % m] + n) % n) * w, w);
        ga_array *rows = ga_reshape(x, GA_SHAPE(o, n));
        t_same(ga_take(rows, ga_reshape(ga_slice(i, ":1"), GA_SHAPE(m)),
                       GA_AXIS(1), 0), t, GA_SHAPE(o, m), taken);
    }
    t_context("%s", "");
}
/* Few places of a plane beyond a cache, which is read by stripes of its columns; so
   is one with many written.                                                 */
TEST(far_planes) {
    static const struct { ga_dtype t; int64_t o, n, m, c; } of[] = {
        {GA_FLOAT64, 1, 6, 4, 751003}, {GA_FLOAT32, 2, 5, 5, 1700004},
        {GA_INT16, 1, 9, 3, 1900001}, {GA_INT8, 1, 8, 4, 4300000},
        {GA_FLOAT32, 40, 130, 100, 1700}};
    for (size_t k = 0; k < T_COUNT(of) && !t_quick(); k++) {
        const int64_t o = of[k].o, n = of[k].n, m = of[k].m, c = of[k].c;
        const size_t w = ga_dtype_size(of[k].t);
        GA_SCOPE;
        t_context("%s", ga_dtype_name(of[k].t));
        ga_array *x = t_random_array(of[k].t, GA_SHAPE(o, n, c), 0, 99);
        const char *from = (const char *)t_host(x);
        int64_t *at = line_indices(n, o * c, m);
        char *want = (char *)t_alloc((size_t)(o * m * c) * w);
        for (int64_t i = 0; i < o * m * c; i++)
            memcpy(want + (size_t)i * w, from + (size_t)((i / (m * c) * n
                   + (at[i] + n) % n) * c + i % c) * w, w);
        ga_array *i = ga_asarray(at, GA_SHAPE(o, m, c));
        t_same(ga_take_along_axis(x, i, GA_AXIS(1)), of[k].t, GA_SHAPE(o, m, c), want);
        ga_array *v = t_random_array(of[k].t, GA_SHAPE(o, m, c), 0, 99);
        char *put = (char *)t_alloc((size_t)(o * n * c) * w);
        const char *pv = (const char *)t_host(v);
        memcpy(put, from, (size_t)(o * n * c) * w);
        for (int64_t e = 0; e < o * m * c; e++)
            memcpy(put + (size_t)((e / (m * c) * n + (at[e] + n) % n) * c + e % c) * w,
                   pv + (size_t)e * w, w);
        T_CHECK(ga_put_along_axis(x, i, v, GA_AXIS(1)) == GA_OK);
        t_same(x, of[k].t, GA_SHAPE(o, n, c), put);
        t_release_host();
    }
    t_context("%s", "");
}
/* Sums in any dtype: exact ones exactly, float32 to its last place, all twice
   the same.                                                                 */
static void sums(const int64_t *at, int64_t n, int64_t m, int64_t row,
                 ga_dtype t) {
    const bool exact = t_is_int(t);
    void *v = t_fill(t_alloc((size_t)(n * row) * 16), t, n * row, -5, 5);
    long double *sum = (long double *)t_alloc((size_t)(m * row) * 2
                                              * sizeof *sum);
    for (int64_t i = 0; i < 2 * m * row; i++) sum[i] = 0;
    const int parts = 1 + t_is_complex(t);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < row; j++)
            for (int p = 0; p < parts; p++)
                sum[(at[i] * row + j) * parts + p]
                    += (long double)t_value(v, t, i * row + j, p);
    ga_array *ids = ga_asarray(at, GA_SHAPE(n));
    ga_array *x = ga_asarray_as(v, t, GA_SHAPE(n, row)), *y[4];
    y[0] = ga_segment_sum(x, ids, m, 0);
    y[1] = ga_segment_sum(x, ids, m, 0);
    for (int k = 2; k < 4; k++) {
        y[k] = ga_zeros(GA_SHAPE(m, row), t);
        T_CHECK(ga_scatter_add(y[k], GA_AT(ids), x, 0) == GA_OK);
    }
    t_same_arrays(y[1], y[0], 0);
    t_same_arrays(y[3], y[2], 0);
    void *want = t_alloc((size_t)(m * row) * 16);
    ga_dtype to = y[0] ? y[0]->dtype : t;
    for (int64_t i = 0; i < m * row; i++)
        t_store(want, to, i, (double)sum[i * parts],
                (double)sum[i * parts + parts - 1]);
    t_near(y[0], to, GA_SHAPE(m, row), want, exact ? 0 : 1);
    if (exact) t_same_arrays(y[2], ga_astype(y[0], t), 0);
    else if (t_on_gpu()) t_same_arrays(y[2], y[0], 0);
    ids = ga_sort(ids, GA_AXIS(0), 0);
    t_same_arrays(ga_segment_sum(x, ids, m, GA_SORTED),
                  ga_segment_sum(x, ids, m, 0), 0);
    ids = ga_asarray(at, GA_SHAPE(n));
    ga_array *fast = ga_zeros(GA_SHAPE(m, row), t);
    T_CHECK(ga_scatter_add(fast, GA_AT(ids), x, GA_FAST) == GA_OK);
    if (exact) t_same_arrays(fast, y[2], 0);
    else if (!t_is_complex(t) && t != GA_FLOAT16 && t != GA_BFLOAT16)
        T_CHECK(ga_item(ga_max(ga_absolute(ga_sub(fast, y[2])), GA_ALL)) < 0.05);
}
TEST(sums_repeat) {
    const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64, GA_INT32,
                              GA_UINT8, GA_FLOAT16, GA_COMPLEX128, GA_INT64};
    for (size_t s = 0; s < T_COUNT(sizes); s++)
        for (size_t t = 0; t < T_COUNT(types); t++) {
            if (t_quick() && (s + t) % 3) continue;
            GA_SCOPE;
            const int64_t n = sizes[s][0], m = sizes[s][1];
            int64_t *at = (int64_t *)t_alloc((size_t)n * 8);
            crowd(at, n, m);
            t_context("%lld into %lld, %s", (long long)n, (long long)m,
                      ga_dtype_name(types[t]));
            if (m * sizes[s][2] <= 200000 || !t) sums(at, n, m, sizes[s][2],
                                                      types[t]);
        }
    t_context("%s", "");
}
/* Runs of one place, of any length, across the ends of lines. */
TEST(sums_of_runs) {
    const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64, GA_INT32,
                              GA_COMPLEX128, GA_INT64, GA_UINT64, GA_UINT8};
    for (size_t t = 0; t < T_COUNT(types); t++)
        for (int64_t row = 1; row < 6; row += 2) {
            GA_SCOPE;
            const int64_t n = 5003;
            int64_t *at = (int64_t *)t_alloc((size_t)n * 8), m = 0;
            for (int64_t i = 0, left = 0; i < n; i++) {
                if (!left--) left = (int64_t)(t_random() % (i < 2000 ? 9 : 900)), m++;
                at[i] = m - 1;
            }
            t_context("%s, rows of %lld", ga_dtype_name(types[t]), (long long)row);
            sums(at, n, m, row, types[t]);
            ga_array *x = t_random_array(types[t], GA_SHAPE(2 * n, row), -5, 5);
            ga_array *ids = ga_asarray(at, GA_SHAPE(n)), *half = ga_slice(x, "::2");
            t_same_arrays(ga_segment_sum(half, ids, m, 0),
                          ga_segment_sum(ga_copy(half), ids, m, 0),
                          t_is_int(types[t]) ? 0 : 2);
        }
    t_context("%s", "");
}
/* One list of places for many rows, longer than a line; rows of few elements. */
TEST(rows_and_places) {
    const ga_dtype types[] = {GA_UINT8, GA_FLOAT16, GA_FLOAT32, GA_FLOAT64,
                              GA_COMPLEX128};
    for (size_t t = 0; t < T_COUNT(types); t++)
        for (int64_t r = 1; r < 10; r++) {
            GA_SCOPE;
            const int64_t m = 700, n = 1300;
            const size_t w = ga_dtype_size(types[t]);
            int64_t *at = (int64_t *)t_alloc((size_t)n * 8);
            char *v = (char *)t_alloc((size_t)(m * r) * w);
            char *want = (char *)t_alloc((size_t)(n * r) * w);
            crowd(at, n, m);
            t_fill(v, types[t], m * r, 0, 100);
            for (int64_t i = 0; i < n; i++)
                memcpy(want + i * r * (int64_t)w, v + at[i] * r * (int64_t)w,
                       (size_t)r * w);
            for (int64_t i = 0; i < n; i += 3) at[i] -= m;
            t_context("%s, rows of %lld", ga_dtype_name(types[t]), (long long)r);
            ga_array *i = ga_asarray(at, GA_SHAPE(n));
            ga_array *x = ga_asarray_as(v, types[t], GA_SHAPE(m, r));
            t_same(ga_take(x, i, GA_AXIS(0), 0), types[t], GA_SHAPE(n, r), want);
            ga_array *y = ga_take(ga_copy(ga_transpose(x, GA_ALL)), i, GA_AXIS(1), 0);
            t_same(ga_transpose(y, GA_ALL), types[t], GA_SHAPE(n, r), want);
            ga_array *z = ga_zeros(GA_SHAPE(m + 3, r), types[t]);
            ga_array *order = ga_roll(ga_arange(0, (double)m, 1), 5, GA_AXIS(0));
            order = ga_astype(order, GA_INT64);
            ga_index_assign(ga_slice(z, "1:%lld", (long long)(m + 1)), GA_AT(order), x);
            t_same_arrays(ga_roll(ga_slice(z, "1:%lld", (long long)(m + 1)), 5,
                                  GA_AXIS(0)), x, 0);
        }
    t_context("%s", "");
}
TEST(extremes_repeat) {
    for (size_t s = 0; s < T_COUNT(sizes); s++) {
        GA_SCOPE;
        const int64_t n = sizes[s][0], m = sizes[s][1], row = sizes[s][2];
        const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_INT8, GA_UINT64,
                                  GA_FLOAT16, GA_INT32, GA_BFLOAT16};
        const ga_dtype t = types[s % T_COUNT(types)];
        int64_t *at = (int64_t *)t_alloc((size_t)n * 8);
        crowd(at, n, m);
        t_context("%lld into %lld, %s", (long long)n, (long long)m,
                  ga_dtype_name(t));
        ga_array *x = t_random_array(t, GA_SHAPE(n, row), -100, 100);
        ga_array *ids = ga_asarray(at, GA_SHAPE(n));
        ga_array *y = ga_segment_max(x, ids, m, 0);
        ga_array *z = ga_segment_min(x, ids, m, 0);
        ga_array *p = ga_segment_max(ga_slice(x, ":0"), ga_slice(ids, ":0"), m,
                                     0);
        ga_array *q = ga_segment_min(ga_slice(x, ":0"), ga_slice(ids, ":0"), m,
                                     0);
        ga_scatter_max(p, GA_AT(ids), x, 0);
        ga_scatter_min(q, GA_AT(ids), x, 0);
        t_same_arrays(p, y, 0);
        t_same_arrays(q, z, 0);
    }
    t_context("%s", "");
}
TEST(extremes_of_nan_and_zeros) {
    GA_SCOPE;
    float v[] = {1, NAN, -0.0f, 0.0f, -0.0f, -0.0f, 0.0f, -INFINITY};
    int64_t at[] = {0, 0, 1, 1, 2, 3, 3, 4};
    float most[] = {NAN, 0.0f, -0.0f, 0.0f, -INFINITY};
    float least[] = {NAN, -0.0f, -0.0f, -0.0f, -INFINITY};
    ga_array *x = ga_asarray(v, GA_SHAPE(8)), *ids = ga_asarray(at, GA_SHAPE(8));
    ga_array *p = ga_full(GA_SHAPE(5), -INFINITY, GA_FLOAT32);
    ga_array *q = ga_full(GA_SHAPE(5), INFINITY, GA_FLOAT32);
    t_same(ga_segment_max(x, ids, 5, 0), GA_FLOAT32, GA_SHAPE(5), most);
    t_same(ga_segment_min(x, ids, 5, GA_SORTED), GA_FLOAT32, GA_SHAPE(5), least);
    ga_scatter_max(p, GA_AT(ids), x, 0);
    ga_scatter_min(q, GA_AT(ids), x, 0);
    t_same(p, GA_FLOAT32, GA_SHAPE(5), most);
    t_same(q, GA_FLOAT32, GA_SHAPE(5), least);
    float inf[] = {INFINITY, 1, 1e38f, 3e38f}, sum[] = {INFINITY, INFINITY};
    int64_t two[] = {0, 0, 1, 1};
    t_same(ga_segment_sum(ga_asarray(inf, GA_SHAPE(4)),
                          ga_asarray(two, GA_SHAPE(4)), 2, 0), GA_FLOAT32,
           GA_SHAPE(2), sum);
    for (int t = 0; t < GA_NUM_DTYPES; t++) {   /* of nothing               */
        ga_array *none = ga_empty(GA_SHAPE(0, 2), (ga_dtype)t);
        ga_array *no = ga_empty(GA_SHAPE(0), GA_INT32);
        ga_array *one = ga_ones(GA_SHAPE(1, 2), (ga_dtype)t);
        ga_array *last = ga_full(GA_SHAPE(1), 1, GA_INT32);
        t_context("%s", ga_dtype_name((ga_dtype)t));
        t_same_arrays(ga_slice(ga_segment_max(one, last, 2, 0), ":1"),
                      ga_segment_max(none, no, 1, 0), 0);
        t_same_arrays(ga_slice(ga_segment_min(one, last, 2, 0), ":1"),
                      ga_segment_min(none, no, 1, 0), 0);
        t_same_arrays(ga_slice(ga_segment_sum(one, last, 2, 0), ":1"),
                      ga_segment_sum(none, no, 1, 0), 0);
        t_same_arrays(ga_slice(ga_segment_mean(one, last, 2, 0), ":1"),
                      ga_segment_mean(none, no, 1, 0), 0);
        T_FINE();
    }
    t_context("%s", "");
}

/* ------------------------------------------------------------ wrong indices */
/* The error of a wrong index: at once on the CPU, by the next wait on a GPU. */
static void late(ga_status want, const char *text) {
    if (t_on_gpu() && !ga_error()) ga_synchronize();
    T_CHECKF(!ga_error() || strstr(ga_error_message(), text), "\"%s\", not "
             "\"%s\"", ga_error_message(), text);
    T_ERROR(want);
}
TEST(wrong_indices) {
    GA_SCOPE;
    float data[12];
    for (int i = 0; i < 12; i++) data[i] = (float)i;
    ga_array *x = ga_asarray(data, GA_SHAPE(3, 4));
    int bad[] = {0, 2, 3, -4}, good[] = {0, 2, -3, -1};
    ga_array *b = ga_asarray(bad, GA_SHAPE(4)), *g = ga_asarray(good, GA_SHAPE(4));
    ga_array *wide = ga_astype(b, GA_INT64), *out = ga_zeros(GA_SHAPE(4, 4), GA_FLOAT32);
    float zero[16] = {0};
    ga_take(x, b, GA_AXIS(0), 0);
    late(GA_ERR_INDEX, "is out of bounds for axis 0 with size 3");
    ga_take_into(out, x, wide, GA_AXIS(0), 0);
    late(GA_ERR_INDEX, "ga_take_into: index");
    if (!t_on_gpu()) t_same(out, GA_FLOAT32, GA_SHAPE(4, 4), zero);
    ga_index(x, GA_AT(g, ga_add(g, 5)));
    late(GA_ERR_INDEX, "ga_index: index");
    int low[] = {5, -4, 1, 1};
    ga_take_along_axis(ga_slice(x, ":, 0"), ga_asarray(low, GA_SHAPE(4)), GA_AXIS(0));
    late(GA_ERR_INDEX, "size 3");
    ga_array *y = ga_copy(x);
    ga_index_assign(y, GA_AT(b), 7);
    late(GA_ERR_INDEX, "ga_index_assign: index");
    if (!t_on_gpu()) t_same(y, GA_FLOAT32, GA_SHAPE(3, 4), data);
    y = ga_copy(x);
    ga_scatter_add(y, GA_AT(GA_COLON, ga_asarray(low, GA_SHAPE(4))), 1, 0);
    late(GA_ERR_INDEX, "index 5 is out of bounds for axis 1 with size 4");
    if (!t_on_gpu()) t_same(y, GA_FLOAT32, GA_SHAPE(3, 4), data);
    ga_scatter_max(y, GA_AT(b), 1, 0);
    late(GA_ERR_INDEX, "ga_scatter_max: index");
    ga_put(y, ga_add(b, 10), 1, 0);
    late(GA_ERR_INDEX, "with size 12");
    ga_put_along_axis(y, ga_reshape(b, GA_SHAPE(4, 1)), 1, GA_AXIS(0));
    late(GA_ERR_INDEX, "ga_put_along_axis: index");
    ga_segment_sum(x, ga_slice(b, "1:"), 3, 0);
    late(GA_ERR_INDEX, "ga_segment_sum: index");
    ga_segment_mean(x, ga_slice(g, "1:"), 3, 0);    /* negative             */
    late(GA_ERR_INDEX, "ga_segment_mean: index -");
    ga_choose(b, 0, ga_slice(x, "0"), 1, 2);
    late(GA_ERR_INDEX, "with size 3");
    ga_ravel_multi_index(GA_AT(g, 1), GA_SHAPE(3, 4), 0);
    late(GA_ERR_INDEX, "ga_ravel_multi_index: index -3");
    ga_array *u[2] = {NULL, NULL};
    ga_unravel_index(ga_add(b, 10), GA_SHAPE(3, 4), u);
    late(GA_ERR_INDEX, "ga_unravel_index: index");
    if (!t_on_gpu()) T_CHECK(!u[0] && !u[1]);
    ga_synchronize();
    T_FINE();
}
/* Wrong indices among many right ones: a target keeps what it has there, and on a
   GPU the others are put and added, by each of the ways that there are.     */
TEST(wrong_ids_of_every_dtype) {
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (int how = 0; how < 6; how++) {
            GA_SCOPE;
            int64_t at[1000];
            for (int i = 0; i < 1000; i++) at[i] = i < 990 ? i / 100 : 9;
            for (int i = 990; i < 1000 && how % 3 < 2; i++)
                at[i] = how % 3 ? 100000000 : 10;
            t_context("%s, %d", ga_dtype_name((ga_dtype)t), how);
            ga_array *x = ga_ones(GA_SHAPE(1000), (ga_dtype)t);
            ga_array *y = ga_segment_sum(x, ga_asarray(at, GA_SHAPE(1000)), 10,
                                         how < 3 ? GA_SORTED : 0);
            if (how % 3 < 2) {
                late(GA_ERR_INDEX, "is out of bounds for axis");
            } else {
                t_same_arrays(y, ga_astype(ga_full(GA_SHAPE(10), 100, GA_INT64),
                                           y->dtype), 0);
            }
        }
    t_context("%s", "");
}
/* Segments in order that are longer or shorter than the one before; of float64 sums
   that the largest numbers leave nothing of unless what is lost is kept.      */
TEST(segments_of_any_length) {
    const int64_t lengths[] = {1, 9, 300, 301, 8, 0, 17, 2600, 2599, 16, 7, 262, 255,
                               0, 0, 10, 40000, 3, 300, 9, 9, 1, 1, 64};
    const ga_dtype types[] = {GA_INT32, GA_INT64, GA_FLOAT32, GA_FLOAT64, GA_COMPLEX128};
    const int64_t m = T_COUNT(lengths);
    int64_t n = 0;
    for (int64_t k = 0; k < m; k++) n += lengths[k];
    for (size_t t = 0; t < 2 * T_COUNT(types); t++) {
        GA_SCOPE;
        const ga_dtype type = types[t / 2];
        const int64_t large = type < GA_FLOAT64 ? 1 << 10
                                                : (int64_t)1 << (t_on_gpu() ? 38 : 60);
        const int64_t row = t % 2 ? 4 : 1;
        int64_t *at = (int64_t *)t_alloc((size_t)n * 8);
        int64_t *v = (int64_t *)t_alloc((size_t)(n * row) * 8);
        int64_t *want = (int64_t *)t_alloc((size_t)(m * row) * 8);
        memset(want, 0, (size_t)(m * row) * 8);
        for (int64_t k = 0, i = 0; k < m; k++)
            for (const int64_t end = i + lengths[k]; i < end; i++)
                for (int64_t j = 0; j < row; j++) {
                    at[i] = k;
                    v[i * row + j] = i % 3 ? i % 7 + j : i % 2 ? -large : large;
                    want[k * row + j] += v[i * row + j];
                }
        t_context("%s, %d", ga_dtype_name(type), (int)row);
        ga_array *x = ga_astype(ga_asarray(v, GA_SHAPE(n, row)), type);
        ga_array *y = ga_segment_sum(x, ga_asarray(at, GA_SHAPE(n)), m, GA_SORTED);
        ga_array *w = ga_astype(ga_asarray(want, GA_SHAPE(m, row)), type);
        t_same_arrays(y, ga_astype(w, y->dtype), 0);
    }
    t_context("%s", "");
}
TEST(wrong_among_many) {
    const int64_t shapes[][4] = {{500, 60, 60, 1}, {2, 40, 70, 900}, {1, 900, 700, 1},
                                 {1, 60000, 65000, 1}, {1, 4300000, 300000, 1},
                                 {1, 9, 50, 12000}, {2, 7, 1, 20000}};
    for (size_t s = 0; s < 2 * T_COUNT(shapes); s++) {
        GA_SCOPE;
        const int64_t *d = shapes[s / 2], o = d[0], n = d[1], m = d[2], c = d[3];
        const bool add = s % 2;
        if (add && o * c > 1) continue;
        t_context("(%d,%d,%d) by %d", (int)o, (int)n, (int)c, (int)m);
        int64_t *at = line_indices(n, o * c, m);
        for (int64_t i = m / 3; i < o * c * m; i += m > 1 ? m / 2 : 7001)
            at[i] = i % 2 ? n : -n - 1;
        float *v = (float *)t_fill(t_alloc((size_t)(o * m * c) * 4), GA_FLOAT32,
                                   o * m * c, 1, 9);
        float *want = (float *)t_alloc((size_t)(o * n * c) * 4);
        memset(want, 0, (size_t)(o * n * c) * 4);
        for (int64_t i = 0; i < o * m * c && t_on_gpu(); i++) {
            if (at[i] < -n || at[i] >= n) continue;
            float *to = want + (i / (m * c) * n + (at[i] + n) % n) * c + i % c;
            *to = add ? *to + (float)(int)v[i] : v[i];
        }
        ga_array *x = ga_zeros(GA_SHAPE(o, n, c), GA_FLOAT32);
        ga_array *i = ga_asarray(at, GA_SHAPE(o, m, c));
        ga_array *w = ga_asarray(v, GA_SHAPE(o, m, c));
        if (add) ga_scatter_add(ga_ravel(x), GA_AT(ga_ravel(i)), ga_floor(ga_ravel(w)), 0);
        else ga_put_along_axis(x, i, w, GA_AXIS(1));
        late(GA_ERR_INDEX, "is out of bounds for axis");
        t_same(x, GA_FLOAT32, GA_SHAPE(o, n, c), want);
        if (!add) continue;             /* as ids, which are not negative   */
        for (int64_t k = 0; k < m; k++) at[k] = at[k] < -n ? n + 3 : (at[k] + n) % n;
        for (int64_t k = m / 3; k < m; k += m / 2) at[k] = n;
        memset(want, 0, (size_t)n * 4);
        for (int64_t k = 0; k < m; k++) if (at[k] < n) want[at[k]] += (float)(int)v[k];
        ga_array *y = ga_ones(GA_SHAPE(n), GA_FLOAT32);
        ga_segment_sum_into(y, ga_floor(ga_ravel(w)), ga_asarray(at, GA_SHAPE(m)),
                            n, 0);
        late(GA_ERR_INDEX, "is out of bounds for axis");
        if (t_on_gpu()) t_same(y, GA_FLOAT32, GA_SHAPE(n), want);
        ga_array *ones = ga_ones(GA_SHAPE(n), GA_FLOAT32);
        if (!t_on_gpu()) t_same_arrays(y, ones, 0);
        ga_segment_sum_into(y, ga_floor(ga_ravel(w)),
                            ga_sort(ga_asarray(at, GA_SHAPE(m)), GA_AXIS(0), 0), n,
                            GA_SORTED);
        late(GA_ERR_INDEX, "is out of bounds for axis");
        if (!t_on_gpu()) t_same_arrays(y, ones, 0);
    }
    t_context("%s", "");
}
/* Many indices into few places, some of them wrong: the others' sums stand. */
TEST(wrong_in_a_crowd) {
    const ga_dtype types[] = {GA_INT32, GA_FLOAT32, GA_INT64, GA_FLOAT64};
    for (int k = 0; k < 16; k++) {
        GA_SCOPE;
        const ga_dtype t = types[k % 4];
        const int64_t n = 1 << 18, m = k & 4 ? 4 : 5, row = k & 8 ? 4 : 1;
        int64_t *at = (int64_t *)t_alloc((size_t)n * 8);
        double *want = (double *)t_alloc((size_t)(m * row) * 8);
        memset(want, 0, (size_t)(m * row) * 8);
        for (int64_t i = 0; i < n; i++) {
            at[i] = i % 1000 == 7 ? m + 3 : (int64_t)(t_random() % (uint64_t)m);
            for (int64_t c = 0; c < row && at[i] < m; c++)
                want[at[i] * row + c] += (double)((i * row + c) % 7 + 1);
        }
        t_context("%s, %d places, rows of %d", ga_dtype_name(t), (int)m, (int)row);
        ga_array *v = ga_add(ga_mod(ga_arange(0, (double)(n * row), 1), 7), 1);
        ga_array *x = ga_zeros(GA_SHAPE(m, row), t);
        ga_scatter_add(x, GA_AT(ga_asarray(at, GA_SHAPE(n))),
                       ga_astype(ga_reshape(v, GA_SHAPE(n, row)), t), GA_FAST);
        late(GA_ERR_INDEX, "is out of bounds for axis");
        if (t_on_gpu())
            t_same(ga_astype(x, GA_FLOAT64), GA_FLOAT64, GA_SHAPE(m, row), want);
    }
    t_context("%s", "");
}
#define REFUSED(call, status, text) do {                                    \
        T_CHECK(!(call));                                                   \
        T_CHECKF(strstr(ga_error_message(), text), "%s", ga_error_message()); \
        T_ERROR(status);                                                    \
    } while (0)
#define REFUSED_STATUS(call, status, text) REFUSED((call) == GA_OK, status, text)
TEST(wrong_arguments) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(3, 4), GA_FLOAT32), *o[4] = {NULL};
    ga_array *i = ga_zeros(GA_SHAPE(2), GA_INT64), *f = ga_zeros(GA_SHAPE(2), GA_FLOAT64);
    ga_array *three = ga_zeros(GA_SHAPE(3), GA_INT32), *e = ga_zeros(GA_SHAPE(0, 4), GA_INT8);
    REFUSED(ga_index(x, GA_AT(i, three)), GA_ERR_SHAPE, "(2,) and (3,) do not broadcast");
    REFUSED(ga_index(x, GA_AT(i, i, i)), GA_ERR_AXIS, "3 places for 2 axes");
    REFUSED(ga_index(x, GA_AT(i, 0, 0, 0, 0, 0, 0, 0, 0)), GA_ERR_AXIS, "9 places");
    REFUSED(ga_index(x, GA_AT(f)), GA_ERR_DTYPE, "indices of float64");
    REFUSED(ga_index(x, GA_AT(3)), GA_ERR_INDEX, "index 3 is out of bounds for axis 0 with size 3");
    REFUSED(ga_index(x, GA_AT(GA_COLON, -5)), GA_ERR_INDEX, "index -5 is out of bounds for axis 1");
    REFUSED(ga_index(e, GA_AT(i)), GA_ERR_INDEX, "axis 0 with size 0");
    REFUSED(ga_index(x, GA_AT((ga_array *)NULL)), GA_ERR_NULL, "NULL");
    REFUSED((ga_index)(GA_ARG(1), GA_AT(0)), GA_ERR_AXIS, "1 places for 0 axes");
    REFUSED(ga_take(x, i, GA_AXIS(2), 0), GA_ERR_AXIS, "axis 2 is out of range");
    REFUSED(ga_take(x, i, GA_AXIS(0, 1), 0), GA_ERR_AXIS, "2 axes given");
    REFUSED(ga_take(x, i, GA_AXIS(0), 64), GA_ERR_VALUE, "flags 0x40");
    REFUSED(ga_take(x, i, GA_AXIS(0), GA_WRAP | GA_CLIP), GA_ERR_VALUE, "flags 0x3");
    REFUSED(ga_take(x, 1.5, GA_AXIS(0), 0), GA_ERR_DTYPE, "indices of float64");
    REFUSED(ga_take(ga_broadcast_to(i, GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 2)),
                    ga_zeros(GA_SHAPE(1, 1), GA_INT32), GA_AXIS(0), 0),
            GA_ERR_SHAPE, "9 dimensions");
    REFUSED(ga_take_along_axis(x, i, GA_AXIS(0)), GA_ERR_SHAPE, "do not fit shape (3,4)");
    REFUSED(ga_take_along_axis(x, ga_reshape(i, GA_SHAPE(2, 1)), GA_AXIS(1)), GA_ERR_SHAPE, "along axis 1");
    REFUSED_STATUS(ga_take_into(ga_zeros(GA_SHAPE(2, 3), GA_FLOAT32), x, i, GA_AXIS(0), 0),
                   GA_ERR_SHAPE, "the output has shape (2,3), the result (2,4)");
    REFUSED_STATUS(ga_take_into(ga_zeros(GA_SHAPE(2, 4), GA_INT32), x, i, GA_AXIS(0), 0),
                   GA_ERR_DTYPE, "float32");
    REFUSED_STATUS(ga_index_assign(x, GA_AT(i), three), GA_ERR_SHAPE, "(3,) does not broadcast to (2,4)");
    REFUSED_STATUS(ga_index_assign(ga_broadcast_to(i, GA_SHAPE(3, 2)), GA_AT(0), 1), GA_ERR_READONLY, "broadcast");
    REFUSED_STATUS(ga_index_assign(e, GA_AT(three), 1), GA_ERR_INDEX, "size 0");
    REFUSED_STATUS(ga_index_assign(ga_zeros(GA_SHAPE(2), GA_INT8), GA_AT(0), 300), GA_ERR_VALUE, "300");
    REFUSED_STATUS(ga_scatter_add(three, GA_AT(i), f, 0), GA_ERR_DTYPE, "values of float64");
    REFUSED_STATUS(ga_scatter_add(three, GA_AT(i), 0.5, 0), GA_ERR_DTYPE, "values of float64");
    REFUSED_STATUS(ga_scatter_max(x, GA_AT(i), 1, GA_FAST), GA_ERR_VALUE, "flags 0x4");
    REFUSED_STATUS(ga_put(x, f, 1, 0), GA_ERR_DTYPE, "indices of float64");
    REFUSED_STATUS(ga_put(e, i, ga_zeros(GA_SHAPE(0), GA_INT8), GA_WRAP), GA_ERR_INDEX, "size 0");
    T_CHECK(ga_put(x, i, ga_zeros(GA_SHAPE(0), GA_INT8), 0) == GA_OK);
    REFUSED(ga_segment_sum(x, i, 4, 0), GA_ERR_SHAPE, "(2,) do not fit shape (3,4)");
    REFUSED(ga_segment_sum(x, three, -1, 0), GA_ERR_VALUE, "-1 segments");
    REFUSED(ga_segment_sum(x, three, 0, 0), GA_ERR_INDEX, "size 0");
    REFUSED(ga_segment_max(x, three, 4, GA_WRAP), GA_ERR_VALUE, "flags 0x1");
    REFUSED(ga_ravel_multi_index(GA_AT(i), GA_SHAPE(3, 4), 0), GA_ERR_SHAPE, "1 places for shape (3,4)");
    REFUSED(ga_ravel_multi_index(GA_AT(i, GA_COLON), GA_SHAPE(3, 4), 0), GA_ERR_SHAPE, "each axis");
    REFUSED(ga_ravel_multi_index(GA_AT(i, 4), GA_SHAPE(3, 4), 0), GA_ERR_INDEX, "index 4");
    REFUSED(ga_ravel_multi_index(GA_AT(i, 4), GA_SHAPE(INT64_MAX, 4), 0), GA_ERR_SIZE, "too large");
    REFUSED_STATUS(ga_unravel_index(f, GA_SHAPE(3, 4), o), GA_ERR_DTYPE, "float64");
    REFUSED_STATUS(ga_unravel_index(i, GA_SHAPE(0, 4), o), GA_ERR_INDEX, "(0,4)");
    REFUSED_STATUS(ga_diag_indices(-1, 2, o), GA_ERR_VALUE, "-1");
    REFUSED_STATUS(ga_diag_indices(2, 9, o), GA_ERR_VALUE, "9 axes");
    REFUSED_STATUS(ga_tril_indices(-1, 0, 2, o, o + 1), GA_ERR_SHAPE, "(-1,2)");
    REFUSED_STATUS(ga_ix(o, i, x), GA_ERR_SHAPE, "array 1 has shape (3,4)");
    REFUSED_STATUS((ga_ix)(o, 2, NULL), GA_ERR_NULL, "a list is NULL");
    REFUSED((ga_choose)(i, 0, 0, NULL), GA_ERR_VALUE, "0 choices");
    REFUSED(ga_choose(i, 0, x, three), GA_ERR_SHAPE, "do not broadcast");
    T_CHECK(!o[0] && !o[1]);
}

/* --------------------------------------------------------------- the rest */
TEST(open_mesh_and_diagonals) {
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange(0, 12, 1), GA_SHAPE(3, 4)), *o[3];
    int r[] = {2, 0}, c[] = {1, 3, -1};
    int64_t mesh[] = {9, 11, 11, 1, 3, 3}, diagonal[] = {0, 5, 10};
    int64_t low[] = {0, 4, 5, 8, 9, 10}, up[] = {1, 2, 3, 6, 7, 11};
    T_CHECK(ga_ix(o, ga_asarray(r, GA_SHAPE(2)), ga_asarray(c, GA_SHAPE(3)))
            == GA_OK);
    t_same(ga_index(x, GA_AT(o[0], o[1])), GA_INT64, GA_SHAPE(2, 3), mesh);
    T_CHECK(ga_diag_indices(3, 2, o) == GA_OK);
    t_same(ga_index(x, GA_AT(o[0], o[1])), GA_INT64, GA_SHAPE(3), diagonal);
    ga_tril_indices(3, 0, 4, &o[0], &o[1]);
    t_same(ga_index(x, GA_AT(o[0], o[1])), GA_INT64, GA_SHAPE(6), low);
    ga_triu_indices(3, 1, 4, &o[0], &o[1]);
    t_same(ga_index(x, GA_AT(o[0], o[1])), GA_INT64, GA_SHAPE(6), up);
    o[2] = NULL;
    T_CHECK(ga_triu_indices(3, 1, 4, NULL, &o[2]) == GA_OK && o[2]);
}
TEST(numbers_and_overlap) {
    GA_SCOPE;
    ga_array *x = ga_arange(0, 6, 1), *i = ga_asarray(((int[]){5, 4, 3}), GA_SHAPE(3));
    int64_t moved[] = {0, 1, 2, 2, 1, 0}, taken[] = {5, 4, 3, 3, 4, 5};
    T_CHECK(ga_item(ga_take(x, 4, GA_ALL, 0)) == 4);
    T_CHECK(ga_item(ga_take(x, -1, GA_AXIS(0), 0)) == 5);
    T_CHECK(ga_item(ga_take(x, 20, GA_ALL, GA_CLIP)) == 5);
    T_CHECK(ga_item(ga_take(x, -7, GA_ALL, GA_WRAP)) == 5);
    ga_index_assign(x, GA_AT(i), ga_slice(x, ":3"));
    t_same(x, GA_INT64, GA_SHAPE(6), moved);
    ga_array *y = ga_arange(0, 6, 1), *half = ga_slice(y, ":3");
    ga_take_into(half, y, i, GA_ALL, 0);
    t_same(y, GA_INT64, GA_SHAPE(6), taken);
    ga_array *z = ga_arange(0, 4, 1);       /* indices from what is written  */
    int64_t self[] = {10, 11, 12, 13};
    ga_scatter_add(z, GA_AT(z), 10, 0);
    t_same(z, GA_INT64, GA_SHAPE(4), self);
    ga_put(z, 1, 0.5, 0);
    T_CHECK(ga_item_at(z, GA_INDEX(1)) == 0);
    ga_array *b = ga_zeros(GA_SHAPE(3), GA_BOOL);
    bool ors[] = {true, false, true};
    ga_scatter_add(b, GA_AT(ga_asarray(((int[]){0, 2, 2}), GA_SHAPE(3))),
                   (bool)1, 0);
    t_same(b, GA_BOOL, GA_SHAPE(3), ors);
    double pick[] = {0, 2.5, 1};
    t_same(ga_choose(ga_asarray(((int[]){0, 2, 1}), GA_SHAPE(3)), 0, 0, 1, 2.5),
           GA_FLOAT64, GA_SHAPE(3), pick);
}

/* Rows, columns and middles, wide and narrow: against one element at a time. */
TEST(along_any_axis) {
    const int64_t shapes[][3] = {{1, 70, 3}, {1, 50, 1024}, {1, 9, 515},
                                 {40, 30, 20}, {1, 600, 700}, {7, 300, 4},
                                 {600, 40, 1}, {1, 1, 5000}, {3, 2, 1300}};
    const ga_dtype types[] = {GA_FLOAT32, GA_INT8, GA_COMPLEX128, GA_INT16,
                              GA_FLOAT64};
    for (size_t s = 0; s < T_COUNT(shapes); s++) {
        GA_SCOPE;
        const int64_t *d = shapes[s], m = 37;
        const ga_dtype t = types[s % T_COUNT(types)];
        const size_t w = ga_dtype_size(t);
        t_context("(%lld,%lld,%lld) %s", (long long)d[0], (long long)d[1],
                  (long long)d[2], ga_dtype_name(t));
        ga_array *x = t_random_array(t, GA_SHAPE(d[0], d[1], d[2]), -9, 9);
        const char *p = (const char *)t_host(x);
        int64_t at[37];
        for (int64_t i = 0; i < m; i++)
            at[i] = (int64_t)(t_random() % (uint64_t)(2 * d[1])) - d[1];
        char *want = (char *)t_alloc((size_t)(d[0] * m * d[2]) * w);
        for (int64_t o = 0; o < d[0]; o++)
            for (int64_t i = 0; i < m; i++)
                memcpy(want + (size_t)((o * m + i) * d[2]) * w,
                       p + (size_t)((o * d[1] + (at[i] + d[1]) % d[1]) * d[2])
                           * w, (size_t)d[2] * w);
        ga_array *i = ga_asarray(at, GA_SHAPE(m));
        t_same(ga_take(x, i, GA_AXIS(1), 0), t, GA_SHAPE(d[0], m, d[2]), want);
        ga_array *y = ga_zeros(GA_SHAPE(d[0], m, d[2]), t);
        ga_take_into(ga_flip(y, GA_AXIS(1)), ga_copy(ga_flip(x, GA_AXIS(2))),
                     ga_flip(i, GA_ALL), GA_AXIS(1), 0);
        t_same(ga_flip(y, GA_AXIS(2)), t, GA_SHAPE(d[0], m, d[2]), want);
        ga_array *z = ga_zeros_like(x), *f = ga_zeros_like(x);
        ga_array *v = ga_take(x, i, GA_AXIS(1), 0);
        ga_scatter_add(z, GA_AT(GA_COLON, i), v, 0);
        ga_scatter_add(f, GA_AT(GA_COLON, i), ga_flip(ga_copy(ga_flip(v, GA_ALL)),
                                                      GA_ALL), GA_FAST);
        if (t_is_int(t)) t_same_arrays(f, z, 0);
        else T_CHECK(ga_item(ga_max(ga_absolute(ga_sub(f, z)), GA_ALL)) < 1e-3);
        ga_put_along_axis(z, ga_reshape(i, GA_SHAPE(1, m, 1)), v, GA_AXIS(1));
        t_same_arrays(ga_take(z, i, GA_AXIS(1), 0), v, 0);
    }
    t_context("%s", "");
}
/* Rows of any width, some named more than once: the last one stands. */
TEST(repeated_rows) {
    static const int64_t widths[] = {15, 16, 37, 130, 843};
    const int64_t many = t_on_gpu() ? 70000 : 1300;     /* none is owned     */
    const ga_dtype types[] = {GA_UINT8, GA_FLOAT16, GA_FLOAT32, GA_INT64, GA_COMPLEX128};
    for (size_t c = 0; c < T_COUNT(widths) * T_COUNT(types); c++) {
        GA_SCOPE;
        const int64_t w = widths[c / T_COUNT(types)], n = w < 100 ? many : 1300;
        const int64_t m = c % 2 ? 40 : n == 70000 ? 3000 : 700;
        const ga_dtype t = types[c % T_COUNT(types)];
        const size_t row = (size_t)w * ga_dtype_size(t);
        t_context("%s, rows of %lld", ga_dtype_name(t), (long long)w);
        int64_t *at = (int64_t *)t_alloc((size_t)n * 8);
        crowd(at, n, m);
        ga_array *v = t_random_array(t, GA_SHAPE(n, w), 0, 100);
        ga_array *x = t_random_array(t, GA_SHAPE(m, w), 0, 100);
        const char *from = (const char *)t_host(v);
        char *want = (char *)t_alloc((size_t)m * row);
        memcpy(want, t_host(x), (size_t)m * row);
        for (int64_t i = 0; i < n; i++)
            memcpy(want + (size_t)at[i] * row, from + (size_t)i * row, row);
        for (int64_t i = 0; i < n; i += 3) at[i] -= m;
        ga_array *i = ga_asarray(at, GA_SHAPE(n));
        ga_array *planes = ga_empty(GA_SHAPE(3, m, w + 2), t);
        ga_array *y = ga_slice(planes, ":, :, 1:-1");
        ga_assign(y, x);
        ga_index_assign(y, GA_AT(GA_COLON, i), v);
        for (int k = 0; k < 3; k++)
            t_same(ga_copy(ga_slice(y, "%d", k)), t, GA_SHAPE(m, w), want);
        ga_array *z = ga_flip(ga_copy(ga_flip(x, GA_ALL)), GA_ALL);
        ga_index_assign(z, GA_AT(ga_astype(i, GA_INT32)),
                        ga_transpose(ga_copy(ga_transpose(v, GA_ALL)), GA_ALL));
        t_same(ga_copy(z), t, GA_SHAPE(m, w), want);
        at[n / 2] = m;
        ga_index_assign(x, GA_AT(ga_asarray(at, GA_SHAPE(n))), v);
        late(GA_ERR_INDEX, "ga_index_assign: index");
    }
    t_context("%s", "");
}
/* Rows that begin and end anywhere, of a few elements and of many. */
TEST(rows_anywhere) {
    const int64_t shapes[][3] = {{1, 62, 1351}, {9, 24, 917}, {3, 40, 8},
                                 {200, 5, 15}, {1, 4, 30001}, {7, 50, 4}};
    const ga_dtype types[] = {GA_INT8, GA_INT16, GA_FLOAT32};
    for (size_t s = 0; s < T_COUNT(shapes) * T_COUNT(types) * 4; s++) {
        GA_SCOPE;
        const int64_t *d = shapes[s / 4 % T_COUNT(shapes)], m = 2 * d[1] + 1;
        const ga_dtype t = types[s / 4 / T_COUNT(shapes)];
        const size_t w = ga_dtype_size(t), row = (size_t)d[2] * w;
        const int off = (int)(s % 4), end = off + (int)d[2];
        t_context("(%d,%d,%d) from %d, %s", (int)d[0], (int)d[1], (int)d[2], off,
                  ga_dtype_name(t));
        ga_array *all = t_random_array(t, GA_SHAPE(d[0], d[1] + 1, end + 1), -99,
                                       99);
        ga_array *x = ga_slice(all, ":, 1:, %d:%d", off, end);
        const char *p = (const char *)t_host(ga_copy(x));
        int64_t *at = line_indices(d[1], 1, m);
        char *want = (char *)t_alloc((size_t)(d[0] * m) * row);
        for (int64_t r = 0; r < d[0] * m; r++)
            memcpy(want + (size_t)r * row, p + (size_t)(r / m * d[1]
                   + (at[r % m] + d[1]) % d[1]) * row, row);
        ga_array *i = ga_asarray(at, GA_SHAPE(m));
        if (s % 2) i = ga_astype(i, GA_INT32);
        t_same(ga_take(x, i, GA_AXIS(1), 0), t, GA_SHAPE(d[0], m, d[2]), want);
        ga_array *y = ga_full(GA_SHAPE(d[0], m, d[2] + 2), 77, t);
        ga_take_into(ga_slice(y, ":, :, 1:-1"), x, i, GA_AXIS(1), 0);
        t_same(ga_slice(y, ":, :, 1:-1"), t, GA_SHAPE(d[0], m, d[2]), want);
        T_CHECK(ga_item(ga_min(ga_slice(y, ":, :, ::%d", (int)d[2] + 1),
                               GA_ALL)) == 77);
        at[m / 2] = d[1];
        ga_take(x, ga_asarray(at, GA_SHAPE(m)), GA_AXIS(1), 0);
        late(GA_ERR_INDEX, "ga_take: index");
    }
    t_context("%s", "");
}
/* Four axes in each layout, fewer places than an axis has and more; lines that lie
   apart, each with a list of its own or all with one: as a copy in C order has
   them, and one element at a time.                                          */
static void take_as(const ga_array *x, const ga_array *v, int axis, int64_t m) {
    ga_shape s = ga_shape_of(x), one = GA_SHAPE(1, 1, 1, 1);
    one.ndim = s.ndim;
    one.dim[axis] = m;
    ga_array *i = ga_asarray(line_indices(s.dim[axis], 1, m), GA_SHAPE(m));
    s.dim[axis] = m;
    ga_array *all = ga_copy(ga_broadcast_to(ga_reshape(i, one), s));
    ga_array *want = ga_take(x, i, GA_AXIS(axis), 0);
    t_same_arrays(ga_take(v, i, GA_AXIS(axis), 0), want, 0);
    t_same_arrays(ga_take_along_axis(v, all, GA_AXIS(axis)), want, 0);
    t_same_arrays(ga_take_along_axis(x, ga_astype(all, GA_INT32), GA_AXIS(axis)),
                  want, 0);
    ga_array *out = ga_zeros(s, x->dtype);
    T_CHECK(!ga_take_into(ga_flip(out, GA_AXIS(0)), ga_flip(v, GA_AXIS(0)), i,
                          GA_AXIS(axis), axis ? 0 : GA_WRAP));
    if (axis) t_same_arrays(out, want, 0);
    const int64_t at[] = {0, m / 2, m - 1}, len = x->shape[axis];
    for (int k = 0; k < 3; k++) {
        const int64_t p = (ga_item_i64(ga_slice(i, "%d", (int)at[k])) + len) % len;
        t_same_arrays(ga_slice_axis(want, axis, at[k], at[k] + 1, 1),
                      ga_slice_axis(x, axis, p, p + 1, 1), 0);
    }
}
TEST(layouts) {
    const ga_dtype types[] = {GA_BOOL, GA_FLOAT16, GA_FLOAT32, GA_INT64,
                              GA_COMPLEX128};
    for (size_t k = 0; k < T_COUNT(types); k++)
        for (int how = 0; how < 5; how++) {
            GA_SCOPE;
            if (t_quick() && (k + (size_t)how) % 3) continue;
            t_context("%s laid out %d", ga_dtype_name(types[k]), how);
            ga_array *x = t_random_array(types[k], GA_SHAPE(6, 4, 41, 67), 0, 99);
            ga_array *v = t_laid_out(x, how);
            for (int axis = 0; axis < 4; axis++) {
                take_as(x, v, axis, 3);
                take_as(x, v, axis, 2 * x->shape[axis] + 1);
            }
            x = t_random_array(types[k], GA_SHAPE(6000, 103), 0, 99);
            v = ga_slice(x, ":, %d:%d", 1 + how, 101);
            take_as(ga_copy(v), v, 1, 100 - how);
            v = ga_reshape(x, GA_SHAPE(103, 6000));
            v = ga_slice(v, ":, :%d", 5990 + how);
            take_as(ga_copy(v), v, 1, 4001);
        }
    t_context("%s", "");
}
/* Few indices, few of a row, short rows, in views too, against plain loops: take,
   compress, take_along_axis with a list for each row.                       */
static void check_taken(const ga_array *x, int64_t k, uint64_t bits) {
    const ga_dtype t = x->dtype;
    const size_t size = ga_dtype_size(t);
    const int64_t a = x->shape[0], s = x->shape[1], b = x->shape[2];
    int64_t *at = (int64_t *)t_alloc((size_t)(a * k * b) * sizeof *at), n = 0;
    bool *mask = (bool *)t_alloc((size_t)s);
    for (int64_t i = 0; i < a * k * b; i++) at[i] = (int64_t)(t_random() % (uint64_t)(2 * s)) - s;
    for (int64_t i = 0; i < s; i++) n += mask[i] = bits >> i % 64 & 1;
    const ga_array *list = ga_asarray(at, GA_SHAPE(k));
    const ga_array *lists = ga_asarray(at, GA_SHAPE(a, k, b));
    const ga_array *m = ga_asarray(mask, GA_SHAPE(s));
    const char *from = (const char *)t_host(x);
    char *want[3];
    for (int w = 0; w < 3; w++) want[w] = (char *)t_alloc((size_t)(a * (k + s) * b) * size);
    for (int64_t i = 0; i < a; i++)
        for (int64_t r = 0; r < b; r++) {
            int64_t to = 0;
            for (int64_t j = 0; j < k; j++)
                for (int w = 0; w < 2; w++) {
                    const int64_t p = at[w ? (i * k + j) * b + r : j];
                    memcpy(want[w] + (size_t)((i * k + j) * b + r) * size, from
                               + (size_t)((i * s + (p < 0 ? p + s : p)) * b + r) * size,
                           size);
                }
            for (int64_t j = 0; j < s; j++)
                if (mask[j])
                    memcpy(want[2] + (size_t)((i * n + to++) * b + r) * size,
                           from + (size_t)((i * s + j) * b + r) * size, size);
        }
    t_same(ga_take(x, list, GA_AXIS(1), 0), t, GA_SHAPE(a, k, b), want[0]);
    t_same(ga_take(x, ga_astype(list, GA_INT32), GA_AXIS(1), GA_WRAP), t,
           GA_SHAPE(a, k, b), want[0]);
    t_same(ga_take_along_axis(x, lists, GA_AXIS(1)), t, GA_SHAPE(a, k, b), want[1]);
    t_same(ga_compress(m, x, GA_AXIS(1)), t, GA_SHAPE(a, n, b), want[2]);
    ga_array *room = ga_full(GA_SHAPE(a, 2 * k, b), 1, t);
    T_CHECK(!ga_take_into(ga_slice(room, ":, ::2"), x, list, GA_AXIS(1), 0));
    t_same(ga_slice(room, ":, ::2"), t, GA_SHAPE(a, k, b), want[0]);
    T_CHECK(ga_item(ga_all(ga_equal(ga_slice(room, ":, 1::2"), 1), GA_ALL)) == 1);
    t_release_host();
}
TEST(few_of_short_rows) {
    static const ga_dtype types[] = {GA_INT8, GA_UINT16, GA_FLOAT32, GA_FLOAT64,
                                     GA_COMPLEX128};
    static const int64_t runs[] = {1, 2, 3, 5, 8, 13, 31, 40}, extents[] = {
        1, 2, 3, 4, 7, 24, 65}, ks[] = {1, 2, 3, 4, 5, 40};
    for (size_t t = 0; t < T_COUNT(types); t++)
        for (size_t r = 0; r < T_COUNT(runs); r++)
            for (size_t e = 0; e < T_COUNT(extents); e++) {
                GA_SCOPE;
                const int64_t k = ks[(t + r + e) % T_COUNT(ks)];
                const int64_t a = (r + e) % 4 ? 29 : 1, n = extents[e];
                t_context("%s (%d,%d,%d) %d", ga_dtype_name(types[t]), (int)a, (int)n,
                          (int)runs[r], (int)k);
                ga_array *x = t_random_array(types[t], GA_SHAPE(a, n, runs[r]), 0, 100);
                check_taken(x, k, t_random() & t_random());
                check_taken(t_laid_out(x, 1 + (int)(r + e) % 3), k, ~(uint64_t)0 << r % 3);
                check_taken(ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL), k, 5);
            }
}
TEST(masks_among_places) {
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange(0, 12, 1), GA_SHAPE(3, 4));
    ga_array *rows = ga_asarray(((bool[]){true, false, true}), GA_SHAPE(3));
    ga_array *cols = ga_asarray(((bool[]){false, true, true, false}), GA_SHAPE(4));
    ga_array *i = ga_asarray(((int[]){3, 0}), GA_SHAPE(2));
    int64_t taken[] = {0, 1, 2, 3, 8, 9, 10, 11}, pairs[] = {3, 8}, both[] = {1, 10};
    int64_t right[] = {1, 2, 5, 6, 9, 10}, large[] = {9, 10, 11};
    t_same(ga_index(x, GA_AT(rows)), GA_INT64, GA_SHAPE(2, 4), taken);
    t_same(ga_index(x, GA_AT(rows, i)), GA_INT64, GA_SHAPE(2), pairs);
    t_same(ga_index(x, GA_AT(rows, cols)), GA_INT64, GA_SHAPE(2), both);
    t_same(ga_index(x, GA_AT(GA_COLON, cols)), GA_INT64, GA_SHAPE(3, 2), right);
    t_same(ga_index(x, GA_AT(ga_greater(x, 8))), GA_INT64, GA_SHAPE(3), large);
    t_is(ga_index(x, GA_AT(ga_greater(x, 80))), GA_INT64, GA_SHAPE(0));
    int64_t zeroed[] = {0, 0, 0, 3, 4, 5, 6, 7, 8, 0, 0, 11};
    T_CHECK(ga_index_assign(x, GA_AT(rows, ga_reshape(ga_asarray(((int[]){1, 2}),
            GA_SHAPE(2)), GA_SHAPE(2, 1))), 0) == GA_OK);
    t_same(x, GA_INT64, GA_SHAPE(3, 4), zeroed);
    T_CHECK(ga_scatter_add(x, GA_AT(ga_equal(x, 0)), 7, 0) == GA_OK);
    T_CHECK(ga_item(ga_count_nonzero(ga_equal(x, 7), GA_ALL)) == 6);
    REFUSED(ga_index(x, GA_AT(cols)), GA_ERR_SHAPE, "a mask of shape (4,) does not fit shape (3,4) from axis 0");
    REFUSED(ga_index(x, GA_AT(0, ga_greater(x, 8))), GA_ERR_SHAPE, "from axis 1");
    REFUSED(ga_index(x, GA_AT(rows, ga_ones(GA_SHAPE(3), GA_INT8))), GA_ERR_SHAPE, "do not broadcast");
}
/* One place for many values: indices that are broadcast. */
TEST(one_place) {
    GA_SCOPE;
    const int64_t n = 3000;
    ga_array *zero = ga_zeros(GA_SHAPE(1), GA_INT32);
    ga_array *one = ga_broadcast_to(ga_add(zero, 1), GA_SHAPE(n));
    ga_array *v = ga_astype(ga_arange(0, n, 1), GA_FLOAT32);
    ga_array *x = ga_zeros(GA_SHAPE(3), GA_FLOAT32);
    float sum[] = {0, 4498500, 0}, last[] = {0, 2999, 0}, least[] = {0, -1, 0};
    ga_scatter_add(x, GA_AT(one), v, 0);
    t_same(x, GA_FLOAT32, GA_SHAPE(3), sum);
    t_same(ga_segment_sum(v, one, 3, GA_SORTED), GA_FLOAT32, GA_SHAPE(3), sum);
    t_same(ga_segment_sum(v, one, 3, 0), GA_FLOAT32, GA_SHAPE(3), sum);
    ga_index_assign(x, GA_AT(one), v);
    t_same(x, GA_FLOAT32, GA_SHAPE(3), last);
    ga_scatter_min(x, GA_AT(one), ga_sub(v, 1), 0);
    t_same(x, GA_FLOAT32, GA_SHAPE(3), least);
    double mean[] = {NAN, 1499.5, NAN};
    t_same(ga_segment_mean(ga_arange(0, n, 1), one, 3, GA_SORTED), GA_FLOAT64,
           GA_SHAPE(3), mean);
}
/* All that does not wait, replayed, against the same called. */
static struct {
    ga_array *x, *at, *v, *taken, *sum, *mean, *picked;
} s;
static void step(void *arg) {
    (void)arg;
    GA_SCOPE;
    ga_array *rows, *cols;
    ga_take_into(s.taken, s.x, s.at, GA_AXIS(0), 0);
    ga_index_assign(s.x, GA_AT(s.at), s.v);
    ga_scatter_add(s.x, GA_AT(s.at), s.v, 0);
    ga_scatter_add(s.x, GA_AT(s.at, 1), 2, GA_FAST);
    ga_scatter_max(s.x, GA_AT(1), ga_take(s.x, 2, GA_AXIS(0), 0), 0);
    ga_segment_sum_into(s.sum, s.v, ga_mod(s.at, 4), 4, 0);
    ga_segment_mean_into(s.mean, s.v, ga_mod(s.at, 4), 4, 0);
    ga_tril_indices(3, 0, 3, &rows, &cols);
    ga_add_into(s.picked, rows, ga_choose(cols, 0, 4, rows, cols));
}
static void fresh(void) {
    int at[] = {4, 1, 1, 0, 3, 1};
    float v[18];
    for (int i = 0; i < 18; i++) v[i] = (float)(i * i) / 3;
    s.x = ga_astype(ga_reshape(ga_arange(0, 15, 1), GA_SHAPE(5, 3)), GA_FLOAT32);
    s.at = ga_asarray(at, GA_SHAPE(6));
    s.v = ga_asarray(v, GA_SHAPE(6, 3));
    s.taken = ga_zeros(GA_SHAPE(6, 3), GA_FLOAT32);
    s.sum = ga_zeros(GA_SHAPE(4, 3), GA_FLOAT32);
    s.mean = ga_zeros(GA_SHAPE(4, 3), GA_FLOAT32);
    s.picked = ga_zeros(GA_SHAPE(6), GA_INT64);
}
TEST(graphs) {
    GA_SCOPE;
    fresh();
    ga_array *x0 = ga_copy(s.x);
    step(NULL);
    ga_array *want[] = {ga_copy(s.x), ga_copy(s.taken), ga_copy(s.sum),
                        ga_copy(s.mean), ga_copy(s.picked)};
    fresh();
    ga_graph *g = ga_graph_create(step, NULL);
    T_CHECK(g != NULL);
    for (int turn = 0; turn < 3 && g; turn++) {
        ga_assign(s.x, x0);
        T_CHECK(ga_graph_launch(g) == GA_OK);
        ga_array *got[] = {s.x, s.taken, s.sum, s.mean, s.picked};
        for (size_t k = 0; k < T_COUNT(want); k++)
            t_same_arrays(got[k], want[k], 0);
    }
    ga_graph_destroy(g);
}

/* Of float32 summed in double, rounded once; NumPy's order is further off. */
TEST(accuracy) {
    GA_SCOPE;
    const int64_t n = 300000;
    ga_array *x = ga_full(GA_SHAPE(n), 0.1, GA_FLOAT32);
    ga_array *ids = ga_mod(ga_arange(0, n, 1), 3);
    float want[3];
    for (int i = 0; i < 3; i++) want[i] = (float)(100000 * (double)0.1f);
    t_same(ga_segment_sum(x, ids, 3, 0), GA_FLOAT32, GA_SHAPE(3), want);
    double big[] = {1e16, 1, -1e16, 1}, two[] = {2};
    t_same(ga_segment_sum(ga_asarray(big, GA_SHAPE(4)),
                          ga_zeros(GA_SHAPE(4), GA_INT32), 1, GA_SORTED),
           GA_FLOAT64, GA_SHAPE(1), two);
}
/* Beyond 2**31 elements; 2 GB, so on a GPU alone. */
TEST(large) {
    GA_SCOPE;
    if (!t_on_gpu() || t_quick()) return;
    const int64_t n = ((int64_t)1 << 31) + 77;
    ga_array *x = ga_astype(ga_arange(0, 100, 1), GA_INT8);
    ga_array *i = ga_broadcast_to(ga_asarray(((int[]){42}), GA_SHAPE(1)),
                                  GA_SHAPE(n));
    ga_array *y = ga_take(x, i, GA_AXIS(0), 0);
    T_CHECK(y && y->size == n);
    T_CHECK(ga_item(ga_min(y, GA_ALL)) == 42 && ga_item(ga_max(y, GA_ALL)) == 42);
    ga_array *far = ga_asarray(((int64_t[]){n - 1, -2, 5, n - 1}), GA_SHAPE(4));
    ga_array *few = ga_asarray(((int[]){1, 2, 3, 4}), GA_SHAPE(4));
    T_CHECK(ga_index_assign(y, GA_AT(far), few) == GA_OK);
    int8_t want[] = {4, 2, 3, 4};
    t_same(ga_take(y, far, GA_AXIS(0), 0), GA_INT8, GA_SHAPE(4), want);
    T_CHECK(ga_scatter_add(y, GA_AT(far), 1, 0) == GA_OK);
    int8_t more[] = {6, 3, 4, 6};
    t_same(ga_index(y, GA_AT(far)), GA_INT8, GA_SHAPE(4), more);
    ga_array *total = ga_zeros(GA_SHAPE(2), GA_INT64);
    T_CHECK(ga_scatter_add(total, GA_AT(ga_broadcast_to(ga_ones(GA_SHAPE(1), GA_INT32),
                                                        GA_SHAPE(n))), 1, 0) == GA_OK);
    T_CHECK(ga_item_at(total, GA_INDEX(1)) == (double)n);
    ga_array *s2 = ga_segment_sum(y, ga_broadcast_to(ga_zeros(GA_SHAPE(1), GA_INT32),
                                                     GA_SHAPE(n)), 1, 0);
    T_CHECK(ga_item(s2) == ga_item(ga_sum(y, GA_ALL)));
}

/* Many elements by an index array for each axis, and by one beside an axis of their
   own, into arrays of every memory order; all of them into few places, too. */
TEST(many_of_them) {
    const int64_t of[][3] = {{300, 500, 100000}, {7, 100003, 90001}, {2, 3, 70000},
                             {70001, 40, 300000}};
    const ga_dtype types[] = {GA_UINT8, GA_FLOAT16, GA_FLOAT32, GA_INT64,
                              GA_COMPLEX128};
    for (size_t s = 0; s < T_COUNT(of) * T_COUNT(types); s++) {
        const int64_t m = of[s / T_COUNT(types)][0], n = of[s / T_COUNT(types)][1];
        const int64_t k = of[s / T_COUNT(types)][2];
        const ga_dtype t = types[s % T_COUNT(types)];
        const size_t w = ga_dtype_size(t);
        if (t_quick() && s % 3) continue;
        GA_SCOPE;
        t_context("%d into (%d,%d) %s", (int)k, (int)m, (int)n, ga_dtype_name(t));
        int64_t *i = (int64_t *)t_alloc((size_t)k * 8), *j = (int64_t *)t_alloc((size_t)k * 8);
        int64_t *flat = (int64_t *)t_alloc((size_t)k * 8);
        crowd(i, k, m);
        crowd(j, k, n);
        ga_array *x = t_random_array(t, GA_SHAPE(m, n), 0, 99);
        ga_array *v = t_random_array(t, GA_SHAPE(k), 0, 99);
        char *want = (char *)t_alloc((size_t)(m * n) * w);
        memcpy(want, t_host(x), (size_t)(m * n) * w);
        const char *pv = (const char *)t_host(v);
        for (int64_t e = 0; e < k; e++) {
            flat[e] = i[e] * n + j[e];
            memcpy(want + (size_t)flat[e] * w, pv + (size_t)e * w, w);
        }
        ga_array *a = ga_asarray(i, GA_SHAPE(k)), *b = ga_asarray(j, GA_SHAPE(k));
        ga_array *c = ga_asarray(flat, GA_SHAPE(k));
        for (int how = 0; how < 5; how++) {
            ga_array *y = t_laid_out(ga_copy(x), how), *z = t_laid_out(ga_copy(x), how);
            T_CHECK(ga_index_assign(y, GA_AT(a, b), v) == GA_OK);
            t_same(y, t, GA_SHAPE(m, n), want);
            T_CHECK(ga_put(z, how % 2 ? ga_subtract(c, m * n) : c, v, 0) == GA_OK);
            t_same(z, t, GA_SHAPE(m, n), want);
        }
    }
    t_context("%s", "");
}
/* Lines along the last axis of planes that do not adjoin, everything with gaps. */
TEST(planes) {
    const int64_t of[][4] = {{40, 3, 100, 100}, {7, 41, 33, 9}, {300, 4, 129, 130},
                             {3, 2, 5000, 4000}, {500, 2, 3, 3}, {200, 50, 7, 20},
                             {2, 700, 64, 64}};     /* planes, lines, n, m  */
    const ga_dtype types[] = {GA_UINT8, GA_INT16, GA_FLOAT32, GA_FLOAT64,
                              GA_COMPLEX128};
    for (size_t s = 0; s < T_COUNT(of) * T_COUNT(types); s++) {
        const int64_t *d = of[s / T_COUNT(types)], p = d[0], l = d[1], n = d[2], m = d[3];
        const ga_dtype t = types[s % T_COUNT(types)];
        const size_t w = ga_dtype_size(t);
        if (t_quick() && s % 3) continue;
        GA_SCOPE;
        t_context("(%d,%d,%d) by %d %s", (int)p, (int)l, (int)n, (int)m, ga_dtype_name(t));
        int64_t *at = line_indices(n, p * l, m);
        ga_array *v = t_random_array(t, GA_SHAPE(p, l, m), 0, 99);
        char *want = (char *)t_alloc((size_t)(p * l * n) * w);
        const char *pv = (const char *)t_host(v);
        memset(want, 0, (size_t)(p * l * n) * w);
        for (int64_t e = 0; e < p * l * m; e++)
            memcpy(want + (size_t)(e / m * n + (at[e] + n) % n) * w, pv + (size_t)e * w, w);
        for (int how = 0; how < 6; how++) {
            ga_array *x = how == 0 ? ga_slice(ga_zeros(GA_SHAPE(p, l + 1, n), t), ":, 1:")
                          : how == 1 ? ga_slice(ga_zeros(GA_SHAPE(p, l + 1, n + 3), t),
                                                ":, 1:, 1:-2")
                          : how == 2 ? ga_slice(ga_zeros(GA_SHAPE(p, l + 2, 3*n), t),
                                                ":, 2:, ::3")
                          : how == 3 ? ga_transpose(ga_zeros(GA_SHAPE(l, p, n), t),
                                                    GA_AXIS(1, 0, 2))
                          : ga_zeros(GA_SHAPE(p, l, n), t);
            ga_array *i = ga_asarray(at, GA_SHAPE(p, l, m));
            T_CHECK(ga_put_along_axis(x, how == 5 ? t_laid_out(i, 3) : i,
                                      t_laid_out(v, how % 5), GA_AXIS(-1)) == GA_OK);
            t_same(x, t, GA_SHAPE(p, l, n), want);
        }
    }
    t_context("%s", "");
}
/* Few elements of a large array in another memory order than C, by their numbers
   in it: wrapped, clipped, from the end and wrong.                          */
TEST(few_of_many) {
    const int64_t m = 301, n = 70, k = 500;
    GA_SCOPE;
    int64_t *p = (int64_t *)t_alloc((size_t)k * 8), *wild = (int64_t *)t_alloc((size_t)k * 8);
    int64_t *clip = (int64_t *)t_alloc((size_t)k * 8);
    for (int64_t i = 0; i < k; i++) {
        p[i] = (int64_t)(t_random() % (uint64_t)(m * n));
        wild[i] = p[i] + ((int64_t)(t_random() % 5) - 2) * m * n;
        clip[i] = wild[i] < 0 ? 0 : wild[i] >= m * n ? m * n - 1 : wild[i];
    }
    ga_array *x = t_random_array(GA_INT32, GA_SHAPE(m, n), 0, 1 << 20);
    ga_array *v = t_random_array(GA_INT32, GA_SHAPE(k), 0, 99);
    const int32_t *px = (const int32_t *)t_host(x), *pv = (const int32_t *)t_host(v);
    for (int how = 0; how < 5; how++)
        for (int flags = 0; flags < 3; flags++) {
            const int64_t *at = flags == 2 ? clip : p;
            int32_t *want = (int32_t *)t_alloc((size_t)(m * n) * 4);
            int32_t *taken = (int32_t *)t_alloc((size_t)k * 4);
            memcpy(want, px, (size_t)(m * n) * 4);
            for (int64_t i = 0; i < k; i++) taken[i] = px[at[i]];
            for (int64_t i = 0; i < k; i++) want[at[i]] = pv[i];
            ga_array *i = ga_asarray(flags ? wild : p, GA_SHAPE(k));
            if (how % 2) i = ga_astype(i, GA_INT32);
            const unsigned f = flags == 2 ? GA_CLIP : flags ? GA_WRAP : 0;
            ga_array *y = t_laid_out(ga_copy(x), how);
            t_same(ga_take(y, i, GA_ALL, f), GA_INT32, GA_SHAPE(k), taken);
            T_CHECK(ga_put(y, i, v, f) == GA_OK);
            t_same(y, GA_INT32, GA_SHAPE(m, n), want);
            if (flags) continue;
            y = t_laid_out(ga_copy(x), how);
            T_CHECK(ga_put_along_axis(y, i, v, GA_ALL) == GA_OK);
            t_same(y, GA_INT32, GA_SHAPE(m, n), want);
        }
    p[7] = m * n;
    for (int how = 0; how < 5; how++) {
        ga_array *y = t_laid_out(ga_copy(x), how), *i = ga_asarray(p, GA_SHAPE(k));
        ga_take(y, i, GA_ALL, 0);
        late(GA_ERR_INDEX, "index 21070 is out of bounds for axis 0 with size 21070");
        ga_put(y, i, v, 0);
        late(GA_ERR_INDEX, "index 21070 is out of bounds for axis 0 with size 21070");
        if (!t_on_gpu()) t_same_arrays(y, x, 0);
    }
}
/* Of every dtype, whose sums go different ways: reported, and nothing written. */

/* Places around a length's multiples, to the last one of 2^31 - 1 and beyond, are
   split as divisions of integers say.                                       */
TEST(coordinates_of_far_places) {
    static const int64_t shapes[][3] = {
        {1, 1, 2147483647}, {2147483647, 1, 1}, {1, 46341, 46340}, {3, 1, 715827882},
        {7, 306783378, 1}, {1290, 1290, 1290}, {65537, 32767, 1}, {5, 3, 1000003},
        {4000, 4000, 4000}};
    for (size_t k = 0; k < T_COUNT(shapes); k++) {
        GA_SCOPE;
        const int64_t *s = shapes[k], all = s[0] * s[1] * s[2];
        int64_t at[1200], want[3][1200], n = 0;
        for (int64_t i = 0; n < 1190; i++) {
            const int64_t len = s[1 + i % 2], by = i % 4 < 2 ? len : len * (1 + (all / len - 1) / 150);
            for (int64_t p = i / 4 % 150 * by - 2, end = p + 5; p < end && n < 1190; p++)
                at[n++] = p < 0 ? 0 : p >= all ? all - 1 : p;
        }
        for (int64_t i = 0; i < n; i++) {
            want[0][i] = at[i] / s[2] / s[1];
            want[1][i] = at[i] / s[2] % s[1];
            want[2][i] = at[i] % s[2];
        }
        t_context("(%lld,%lld,%lld)", (long long)s[0], (long long)s[1], (long long)s[2]);
        ga_array *to[3];
        T_CHECK(!ga_unravel_index(ga_asarray(at, GA_SHAPE(n)), GA_SHAPE(s[0], s[1], s[2]), to));
        for (int d = 0; d < 3; d++) t_same(to[d], GA_INT64, GA_SHAPE(n), want[d]);
    }
    t_context("%s", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(golden), T(last_wins), T(many_of_them), T(few_of_many), T(planes), T(lines),
        T(sums_repeat),
        T(sums_of_runs), T(rows_and_places), T(repeated_rows), T(extremes_repeat),
        T(extremes_of_nan_and_zeros), T(wrong_indices),
        T(wrong_arguments), T(wrong_ids_of_every_dtype), T(segments_of_any_length),
        T(wrong_among_many),
        T(wrong_in_a_crowd),
        T(open_mesh_and_diagonals), T(numbers_and_overlap), T(far_planes), T(along_any_axis),
        T(rows_anywhere), T(layouts), T(few_of_short_rows),
        T(one_place), T(masks_among_places), T(graphs),
        T(accuracy), T(large), T(coordinates_of_far_places),
    };
    return T_RUN("indexing", tests);
}
