/* Random numbers: Philox against Random123's known answers and an own copy; the
   layout of the counter; every distribution against golden/random.bin, SciPy's
   distribution functions; edges, ranges, parameters as arrays, determinism,
   generators, devices against one another, composites, errors.              */
#include "golden.h"
#include "linalg.h"
#include <pthread.h>

/* ------------------------------------------- Philox once more, on its own */
static void philox(int rounds, const uint32_t c[4], const uint32_t k[2],
                   uint32_t out[4]) {
    uint32_t x[4] = {c[0], c[1], c[2], c[3]}, a = k[0], b = k[1];
    while (rounds-- > 0) {
        uint64_t p = x[0] * UINT64_C(0xD2511F53);
        uint64_t q = x[2] * UINT64_C(0xCD9E8D57);
        uint32_t y[4] = {(uint32_t)(q >> 32) ^ x[1] ^ a, (uint32_t)q,
                         (uint32_t)(p >> 32) ^ x[3] ^ b, (uint32_t)p};
        memcpy(x, y, sizeof x);
        a += 0x9E3779B9u;
        b += 0xBB67AE85u;
    }
    memcpy(out, x, sizeof x);
}
/* Word `attempt` of element i by the documented layout. */
static uint32_t word_at(ga_rng_state s, uint64_t i, uint32_t attempt) {
    uint64_t block = i / 4 + ((s.call >> 32) << 48);
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32),
                     (uint32_t)s.call, s.substream << 8 | attempt};
    uint32_t k[2] = {(uint32_t)s.seed, (uint32_t)(s.seed >> 32)}, out[4];
    philox(10, c, k, out);
    return out[i % 4];
}
TEST(known_answers) {
    static const uint32_t kat[6][11] = {
        {7, 0, 0, 0, 0, 0, 0, 0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48},
        {7, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x5207ddc2, 0x45165e59, 0x4d8ee751,
         0x8c52f662},
        {7, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822,
         0x299f31d0, 0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a},
        {10, 0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {10, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
         0x6d5451fd},
        {10, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822,
         0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 6; i++) {
        uint32_t out[4];
        philox((int)kat[i][0], kat[i] + 1, kat[i] + 5, out);
        T_CHECKF(!memcmp(out, kat[i] + 7, sizeof out), "answer %d", i);
        /* the host's, which makes the keys of grandchildren                */
        const uint64_t key = (uint64_t)kat[i][6] << 32 | kat[i][5];
        ga_rng *c = NULL, *g = ga_rng_create(GA_PHILOX, key);
        ga_rng_state st = {key, 0, 41, 7 + (uint32_t)i};
        T_CHECK(!ga_rng_set_state(g, &st) && !ga_rng_spawn(g, 1, &c)
                && !ga_rng_get_state(c, &st));
        philox(10, (uint32_t[]){42, 0, 7 + (uint32_t)i, ~0u}, kat[i] + 5, out);
        T_CHECKF(st.seed == ((uint64_t)out[1] << 32 | out[0]),
                 "the library's key %d", i);
        ga_rng_destroy(c);
        ga_rng_destroy(g);
    }
    GA_SCOPE;                       /* a draw at counter 0, key 0            */
    ga_rng *g = ga_rng_create(GA_PHILOX, 0);
    GA_RNG(g);
    t_same(ga_random_bytes(16), GA_UINT8, GA_SHAPE(16), kat[3] + 7);
    ga_set_rng(NULL);
    ga_rng_destroy(g);
}
TEST(layout) {
    GA_SCOPE;
    static const ga_rng_state states[] = {
        {0x0123456789abcdefu, 0, 0, 0}, {42, 7, 0, 0}, {1, 3, 0, 0x123456},
        {~(uint64_t)0, UINT64_C(0x8fedcba987), 0, 0xfffffe}};
    ga_rng *g = ga_rng_create(GA_PHILOX, 5);
    GA_RNG(g);
    for (size_t k = 0; k < T_COUNT(states); k++) {
        enum { N = 1003 };
        uint32_t want[N];
        float f[N];
        double d[N];
        t_context("state %d", (int)k);
        for (int i = 0; i < N; i++) {
            uint32_t hi = want[i] = word_at(states[k], (uint64_t)i, 0);
            uint32_t lo = word_at(states[k], (uint64_t)i, 1);
            f[i] = (float)(hi >> 8) * 0x1p-24f;
            d[i] = (double)(((uint64_t)hi << 32 | lo) >> 11) * 0x1p-53;
        }
        T_CHECK(!ga_rng_set_state(g, &states[k]));
        ga_array *b = ga_random_bytes(4 * N - 1);
        void *p = t_host(b);
        T_CHECK(!memcmp(p, want, 4 * N - 1));
        ga_rng_set_state(g, &states[k]);
        t_same(ga_random(GA_SHAPE(N), GA_FLOAT32), GA_FLOAT32, GA_SHAPE(N), f);
        ga_rng_set_state(g, &states[k]);
        t_same(ga_random(GA_SHAPE(17, 59), GA_FLOAT64), GA_FLOAT64,
               GA_SHAPE(17, 59), d);
    }
    /* far apart elements of a large draw */
    int64_t n = t_quick() ? 100003 : 20000003;
    ga_rng_set_state(g, &states[1]);
    ga_array *x = ga_random(GA_SHAPE(n), GA_FLOAT32);
    for (int64_t i = 1; i < n; i = i * 5 + 2)
        T_CHECK(ga_item_at(x, GA_INDEX(i))
                == (double)(word_at(states[1], (uint64_t)i, 0) >> 8) * 0x1p-24);
    ga_set_rng(NULL);
    ga_rng_destroy(g);
}

/* --------------------------------------------------- all rows, by a table */
typedef ga_array *(*draw0)(ga_shape, ga_dtype);
typedef ga_array *(*draw1)(const ga_array *, ga_shape, ga_dtype);
typedef ga_array *(*draw2)(const ga_array *, const ga_array *, ga_shape,
                           ga_dtype);
typedef ga_array *(*draw3)(const ga_array *, const ga_array *, const ga_array *,
                           ga_shape, ga_dtype);
typedef ga_status (*into0)(ga_array *);
typedef ga_status (*into1)(ga_array *, const ga_array *);
typedef ga_status (*into2)(ga_array *, const ga_array *, const ga_array *);
typedef ga_status (*into3)(ga_array *, const ga_array *, const ga_array *,
                           const ga_array *);
typedef struct row {
    const char *name;
    char result, engines;
    int n;
    draw0 f0; draw1 f1; draw2 f2; draw3 f3;
    into0 i0; into1 i1; into2 i2; into3 i3;
} row;
enum { IS_F = 'F', IS_I = 'I', IS_E = 'E', IS_P = 'P' };
static const row rows[] = {
#define X(k, r, e) {#k, IS_##r, IS_##e, 0, (ga_random_##k), 0, 0, 0, \
                    (ga_random_##k##_into), 0, 0, 0},
    GA_DISTRIBUTIONS_0(X)
#undef X
#define X(k, r, e, ...) {#k, IS_##r, IS_##e, 1, 0, (ga_random_##k), 0, 0, \
                          0, (ga_random_##k##_into), 0, 0},
    GA_DISTRIBUTIONS_1(X)
#undef X
#define X(k, r, e, ...) {#k, IS_##r, IS_##e, 2, 0, 0, (ga_random_##k), 0, \
                          0, 0, (ga_random_##k##_into), 0},
    GA_DISTRIBUTIONS_2(X)
#undef X
#define X(k, r, e, ...) {#k, IS_##r, IS_##e, 3, 0, 0, 0, (ga_random_##k), \
                          0, 0, 0, (ga_random_##k##_into)},
    GA_DISTRIBUTIONS_3(X)
#undef X
};
static ga_array *draw(const row *r, const ga_array *const *p, ga_shape s,
                      ga_dtype t) {
    switch (r->n) {
    case 0: return r->f0(s, t);
    case 1: return r->f1(p[0], s, t);
    case 2: return r->f2(p[0], p[1], s, t);
    default: return r->f3(p[0], p[1], p[2], s, t);
    }
}
static ga_status draw_into(const row *r, ga_array *out,
                           const ga_array *const *p) {
    switch (r->n) {
    case 0: return r->i0(out);
    case 1: return r->i1(out, p[0]);
    case 2: return r->i2(out, p[0], p[1]);
    default: return r->i3(out, p[0], p[1], p[2]);
    }
}
/* Golden case k of a row: its parameters as C numbers. */
typedef struct params {
    ga_array number[3];
    const ga_array *x[3];
    double v[3];
} params;
static const g_record *case_of(const row *r, int k, params *p) {
    const g_record *g = g_find("%s/%d", r->name, k);
    for (int i = 0; g && i < r->n; i++) {
        p->v[i] = ((const double *)g->data)[i];
        p->x[i] = ga__arg_f(p->v[i], &p->number[i]);
    }
    return g;
}
static ga_dtype natural(const row *r) {
    return r->result == IS_I ? GA_INT64 : GA_FLOAT64;
}

/* --------------------------------------------------------- distributions */
static double *as_doubles(const ga_array *x) {
    const void *p = t_host(x);
    double *v = (double *)t_alloc((size_t)x->size * sizeof *v);
    for (int64_t i = 0; i < x->size; i++) v[i] = t_value(p, x->dtype, i, 0);
    return v;
}
/* Chi-square and Kolmogorov-Smirnov over the golden points, each at 1e-4. */
static void fits(const double *v, int64_t n, const double *x,
                 const double *cdf, int64_t m) {
    const double *limit = (const double *)g_find("chi2")->data;
    double ks = *(const double *)g_find("ks")->data / sqrt((double)n);
    double chi = 0, worst = 0, begun = 0;
    int64_t at = 0, from = 0, *count = (int64_t *)t_alloc(
        (size_t)(m + 1) * sizeof *count);
    int dof = -1;
    memset(count, 0, (size_t)(m + 1) * sizeof *count);
    for (int64_t i = 0; i < n; i++) {
        int64_t lo = 0, hi = m;     /* the first point at or above v[i]      */
        while (lo < hi) {
            int64_t mid = (lo + hi) / 2;
            if (v[i] <= x[mid]) hi = mid;
            else lo = mid + 1;
        }
        count[lo]++;
    }
    for (int64_t j = 0; j <= m; j++) {
        double upto = j < m ? cdf[j] : 1;
        at += count[j];
        worst = fmax(worst, fabs((double)at / (double)n - upto));
        /* a piece too unlikely joins the next; the last joins what is there */
        double expected = (double)n * (upto - begun), got = (double)(at - from);
        if (expected < 10 || (j < m && (double)n * (1 - upto) < 10)) continue;
        chi += (got - expected) * (got - expected) / expected;
        dof++;
        from = at;
        begun = upto;
    }
    T_CHECKF(worst < ks, "Kolmogorov-Smirnov %.3g, %.3g allowed", worst, ks);
    if (dof > 0)
        T_CHECKF(chi < limit[dof - 1], "chi-square %.4g of %d degrees, %.4g "
                 "allowed", chi, dof, limit[dof - 1]);
}
static void moments(const double *v, int64_t n, const double *mvk) {
    double mean = 0, var = 0;
    if (!isfinite(mvk[0]) || !isfinite(mvk[1])) return;
    for (int64_t i = 0; i < n; i++) mean += v[i];
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) var += (v[i] - mean) * (v[i] - mean);
    var /= (double)n;
    double sd = sqrt(mvk[1] / (double)n);
    T_CHECKF(fabs(mean - mvk[0]) < 5 * sd + 1e-12 * fabs(mvk[0]),
             "mean %.9g, expected %.9g +- %.2g", mean, mvk[0], sd);
    if (!isfinite(mvk[2]) || mvk[2] > 1000) return;
    sd = mvk[1] * sqrt((mvk[2] + 2) / (double)n);
    T_CHECKF(fabs(var - mvk[1]) < 5 * sd + 25 * mvk[1] / (double)n,
             "variance %.9g, expected %.9g +- %.2g",
             var, mvk[1], sd);
}
/* A GPU, with which the CPU device agrees (devices_agree), draws more of them. */
TEST(distributions) {
    int64_t n = t_quick() ? 100000 : t_on_gpu() ? 1000000 : 300000;
    for (size_t i = 0; i < T_COUNT(rows); i++) {
        const row *r = &rows[i];
        params p;
        int cases = 0;
        for (; case_of(r, cases, &p); cases++)
            for (int narrow = 0; narrow < 2; narrow++) {
                GA_SCOPE;
                ga_dtype t = !narrow ? natural(r)
                             : r->result == IS_F ? GA_FLOAT32 : GA_INT32;
                const g_record *x = g_find("%s/%d/x", r->name, cases);
                const g_record *u = g_find("%s/%d/cdf", r->name, cases);
                const g_record *m = g_find("%s/%d/mvk", r->name, cases);
                const double *last = (const double *)x->data + x->size - 1;
                if (narrow && r->result == IS_I && (cases || *last > 1e9))
                    continue;       /* the same path, rounded otherwise      */
                if (narrow && !strcmp(r->name, "uniform") && cases == 2)
                    continue;       /* float32 has too few values there      */
                t_context("%s/%d of %s", r->name, cases, ga_dtype_name(t));
                ga_random_seed(20240607 + (uint64_t)cases);
                ga_array *y = draw(r, p.x, GA_SHAPE(n), t);
                if (!t_is(y, t, GA_SHAPE(n))) continue;
                size_t mark = t_me.nhost;
                const double *v = as_doubles(y), *at = (double *)x->data;
                int64_t skip = 0;   /* points below what float32 holds       */
                while (narrow && at[skip] > 0 && at[skip] < 1e-35) skip++;
                if (!narrow) moments(v, n, (const double *)m->data);
                fits(v, n, at + skip, (const double *)u->data + skip,
                     x->size - skip);
                while (t_me.nhost > mark) free(t_me.host[--t_me.nhost]);
            }
        t_context("%s", r->name);
        T_CHECK(cases > 0);
    }
}

/* ------------------------------------------------------ edges and ranges */
TEST(unit_interval) {
    static const ga_dtype ts[] = {GA_FLOAT16, GA_BFLOAT16, GA_FLOAT32,
                                  GA_FLOAT64};
    int64_t n = t_quick() ? 100000 : 4000000;
    for (size_t i = 0; i < T_COUNT(ts); i++) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name(ts[i]));
        ga_random_seed(3);
        ga_array *x = ga_random(GA_SHAPE(n), ts[i]);
        T_CHECK(ga_item(ga_min(x, GA_ALL)) >= 0);
        T_CHECK(ga_item(ga_max(x, GA_ALL)) < 1);
        T_CHECK(fabs(ga_item(ga_mean(ga_astype(x, GA_FLOAT64), GA_ALL)) - 0.5)
                < (ts[i] == GA_BFLOAT16 ? 4e-3 : 1.5e-3));
        x = ga_random_uniform(-3, 5, GA_SHAPE(n), ts[i]);
        T_CHECK(ga_item(ga_min(x, GA_ALL)) >= -3);
        T_CHECK(ga_item(ga_max(x, GA_ALL)) < 5);
        T_FINE();
    }
}
/* Every element of x is v. */
static void all_are(const ga_array *x, double v) {
    if (!x) {
        t_bad("NULL: %s", ga_error_message());
        ga_clear_error();
        return;
    }
    const double *p = as_doubles(x);
    for (int64_t i = 0; i < x->size; i++)
        if (p[i] != v) {
            t_bad("element %lld is %.17g, expected %.17g", (long long)i, p[i],
                  v);
            return;
        }
}
TEST(edges) {
    GA_SCOPE;
    ga_shape s = GA_SHAPE(1000);
    const ga_dtype f = GA_FLOAT64, i = GA_INT64;
    ga_random_seed(1);
    all_are(ga_random_exponential(0, s, f), 0);
    all_are(ga_random_normal(2.5, 0, s, f), 2.5);
    all_are(ga_random_lognormal(0, 0, s, f), 1);
    all_are(ga_random_rayleigh(0, s, f), 0);
    all_are(ga_random_gamma(0, 3, s, f), 0);
    all_are(ga_random_gamma(2, 0, s, f), 0);
    all_are(ga_random_cauchy(-1, 0, s, f), -1);
    all_are(ga_random_laplace(-1, 0, s, f), -1);
    all_are(ga_random_logistic(4, 0, s, f), 4);
    all_are(ga_random_gumbel(4, 0, s, f), 4);
    all_are(ga_random_weibull(0, s, f), 0);
    all_are(ga_random_uniform(7, 7, s, f), 7);
    all_are(ga_random_poisson(0, s, i), 0);
    all_are(ga_random_geometric(1, s, i), 1);
    all_are(ga_random_logseries(0, s, i), 1);
    all_are(ga_random_binomial(0, 0.5, s, i), 0);
    all_are(ga_random_binomial(77, 0, s, i), 0);
    all_are(ga_random_binomial(77, 1, s, i), 77);
    all_are(ga_random_negative_binomial(3, 1, s, i), 0);
    all_are(ga_random_hypergeometric(0, 5, 3, s, i), 0);
    all_are(ga_random_hypergeometric(5, 0, 3, s, i), 3);
    all_are(ga_random_hypergeometric(5, 6, 11, s, i), 5);
    all_are(ga_random_hypergeometric(5, 6, 0, s, i), 0);
    all_are(ga_random_hypergeometric(0, 0, 0, s, i), 0);
    all_are(ga_random_integers(-9, -8, s, i), -9);
    T_FINE();

    ga_array *v = ga_random_vonmises(3, 0, s, f);
    T_CHECK(ga_item(ga_max(v, GA_ALL)) <= 3.1415926535897936
            && ga_item(ga_min(v, GA_ALL)) >= -3.1415926535897936);
    v = ga_random_beta(1e-3, 1e-3, s, GA_FLOAT32);
    T_CHECK(ga_item(ga_max(v, GA_ALL)) <= 1 && ga_item(ga_min(v, GA_ALL)) >= 0);
    v = ga_random_triangular(-1, 0, 2, s, f);
    T_CHECK(ga_item(ga_max(v, GA_ALL)) <= 2 && ga_item(ga_min(v,
                                                              GA_ALL)) >= -1);
    /* products of lengths would be infinite, or 0 */
    static const double far[] = {1e-300, 1e-38, 1e-25, 1e20, 1.5e38, 1e200,
                                 1.7e308};
    for (int k = 0; k < 7; k++)
        for (int wide = 0; wide < 2; wide++) {
            GA_SCOPE;
            ga_dtype t = wide ? GA_FLOAT64 : GA_FLOAT32;
            if (!wide && (far[k] < 1e-40 || far[k] > 1e39)) continue;
            ga_array *all[2] = {ga_random_triangular(-far[k], 0.5 * far[k], far[k],
                                                     GA_SHAPE(9999), t),
                                ga_random_triangular(
                                    ga_full(GA_SHAPE(9999), -far[k], GA_FLOAT64),
                                    0.5 * far[k], far[k], GA_SHAPE(9999), t)};
            for (int j = 0; j < 2; j++) {
                ga_array *x = ga_divide(ga_astype(all[j], GA_FLOAT64), far[k]);
                T_CHECK(fabs(ga_item(ga_mean(x, GA_ALL)) - 0.5 / 3) < 0.02
                        && fabs(ga_item(ga_std(x, GA_ALL, 0)) - 0.4249) < 0.02
                        && ga_item(ga_max(x, GA_ALL)) <= 1
                        && ga_item(ga_min(x, GA_ALL)) >= -1);
            }
        }
    v = ga_random_poisson(9.2e18, s, i);
    T_CHECK(ga_item(ga_min(v, GA_ALL)) > 9.19e18);
    v = ga_random_poisson(300, s, GA_UINT8);    /* saturates                 */
    T_CHECK(ga_item(ga_max(v, GA_ALL)) == 255);
    v = ga_random_geometric(1e-300, s, i);
    T_CHECK(ga_item(ga_min(v, GA_ALL)) > 9e18);
    v = ga_random_zipf(1.0001, s, i);
    T_CHECK(ga_item(ga_min(v, GA_ALL)) >= 1);
    v = ga_random_poisson(3, s, GA_FLOAT16);
    t_same_arrays(ga_floor(v), v, 0);

    const ga_dtype all[] = {GA_FLOAT16, GA_BFLOAT16, GA_FLOAT32, GA_FLOAT64};
    for (size_t k = 0; k < T_COUNT(rows); k++)          /* finite everywhere */
        for (size_t d = 0; d < T_COUNT(all); d++) {
            params p;
            GA_SCOPE;
            if (!strcmp(rows[k].name, "integers") || !case_of(&rows[k], 0, &p))
                continue;
            t_context("%s of %s", rows[k].name, ga_dtype_name(all[d]));
            ga_array *x = draw(&rows[k], p.x, GA_SHAPE(3, 0, 2), all[d]);
            t_is(x, all[d], GA_SHAPE(3, 0, 2));
            x = draw(&rows[k], p.x, GA_SCALAR_SHAPE, all[d]);
            t_is(x, all[d], GA_SCALAR_SHAPE);
            x = draw(&rows[k], p.x, GA_BROADCAST, all[d]);
            t_is(x, all[d], GA_SCALAR_SHAPE);
            x = draw(&rows[k], p.x, GA_SHAPE(5, 1, 3), all[d]);
            t_is(x, all[d], GA_SHAPE(5, 1, 3));
            T_CHECK(!ga_item(ga_any(ga_isnan(x), GA_ALL)));
        }
}
/* A narrow result is a wider one rounded, where both compute alike. */
TEST(rounding) {
    for (size_t k = 0; k < T_COUNT(rows); k++)
        for (int half = 0; half < 2; half++) {
            const row *r = &rows[k];
            params p;
            GA_SCOPE;
            if (!case_of(r, 0, &p) || r->result == IS_I
                || !strcmp(r->name, "random") || !strcmp(r->name, "uniform"))
                continue;
            ga_dtype t = half ? GA_BFLOAT16 : GA_FLOAT16;
            ga_dtype wide = r->engines == IS_E ? GA_FLOAT32 : GA_FLOAT64;
            t_context("%s of %s", r->name, ga_dtype_name(t));
            ga_random_seed(11);
            ga_array *x = draw(r, p.x, GA_SHAPE(4099), wide);
            ga_random_seed(11);
            ga_array *y = draw(r, p.x, GA_SHAPE(4099), t);
            t_same_arrays(y, ga_astype(x, t), 0);
        }
}

/* -------------------------------------------------------------- integers */
TEST(integer_ranges) {
    static const struct { ga_dtype t; int64_t low; uint64_t last; } full[] = {
        {GA_INT8, INT8_MIN, INT8_MAX}, {GA_INT16, INT16_MIN, INT16_MAX},
        {GA_INT32, INT32_MIN, INT32_MAX}, {GA_INT64, INT64_MIN, INT64_MAX},
        {GA_UINT8, 0, UINT8_MAX}, {GA_UINT16, 0, UINT16_MAX},
        {GA_UINT32, 0, UINT32_MAX}, {GA_UINT64, 0, UINT64_MAX - 1},
        {GA_BOOL, 0, 1}};
    int64_t n = 200000;
    for (size_t i = 0; i < T_COUNT(full); i++) {
        GA_SCOPE;
        ga_dtype t = full[i].t;
        t_context("%s", ga_dtype_name(t));
        ga_random_seed(17);
        ga_array *x = ga_random_integers(full[i].low, full[i].last + 1,
                                         GA_SHAPE(n), t);
        if (!t_is(x, t, GA_SHAPE(n))) continue;
        double *v = as_doubles(x), lo = (double)full[i].low;
        double w = (double)full[i].last - lo + 1, sum = 0, least = 1, most = 0;
        for (int64_t k = 0; k < n; k++) {
            double u = (v[k] - lo) / w;
            sum += u;
            least = fmin(least, u);
            most = fmax(most, u);
        }
        double half = (1 - 1 / w) / 2;
        T_CHECK(fabs(sum / (double)n - half) < 5 * 0.5 / sqrt((double)n));
        T_CHECK(least < 1e-4 && most > 1 - 1 / w - 1e-4);
        if (w <= 256) T_CHECK(least == 0 && most == 1 - 1 / w);
        /* the ends alone */
        x = ga_random_integers(full[i].low, full[i].low + 1, GA_SHAPE(3), t);
        all_are(x, lo);
        x = ga_random_integers(full[i].last, full[i].last + 1, GA_SHAPE(3), t);
        all_are(x, (double)full[i].last);
        /* one too far */
        if (t != GA_UINT64) {
            T_CHECK(!ga_random_integers(full[i].low, full[i].last + 2,
                                        GA_SHAPE(3), t));
            T_ERROR(GA_ERR_VALUE);
        }
        if (t != GA_INT64) {
            T_CHECK(!ga_random_integers(full[i].low - 1, 1, GA_SHAPE(3), t));
            T_ERROR(GA_ERR_VALUE);
        }
        T_FINE();
    }
}
/* Spans at which taking the remainder, or the high half once, is biased. */
TEST(integer_bias) {
    static const uint64_t spans[] = {UINT64_C(3) << 30, UINT64_C(3) << 62,
                                     UINT64_C(0xC0000001),
                                     UINT64_C(6) << 29, 5};
    int64_t n = t_quick() ? 60000 : 600000;
    for (size_t i = 0; i < T_COUNT(spans); i++) {
        GA_SCOPE;
        t_context("span %llu", (unsigned long long)spans[i]);
        ga_random_seed(23 + i);
        ga_array *x = ga_random_integers(0, spans[i], GA_SHAPE(n), GA_UINT64);
        const uint64_t *v = (const uint64_t *)t_host(x);
        double third[3] = {0, 0, 0}, odd = 0, chi = 0;
        for (int64_t k = 0; k < n; k++) {
            T_CHECK(v[k] < spans[i]);
            third[(int)(3 * ((double)v[k] / (double)spans[i]))]++;
            odd += (double)(v[k] & 1);
        }
        if (spans[i] == 5) continue;
        for (int k = 0; k < 3; k++) {
            double d = third[k] - (double)n / 3;
            chi += d * d / ((double)n / 3);
        }
        T_CHECKF(chi < 18.4, "thirds: chi-square %.3g", chi);
        T_CHECK(fabs(odd - (double)n / 2) < 4 * sqrt((double)n) / 2);
    }
}
TEST(integer_arrays) {
    GA_SCOPE;
    int64_t low[] = {INT64_MIN, -5, 0, 1000}, high[] = {INT64_MAX, -4, 7, 1001};
    ga_array *a = ga_asarray(low, GA_SHAPE(4, 1));
    ga_array *b = ga_asarray(high, GA_SHAPE(4, 1));
    ga_random_seed(9);
    ga_array *x = ga_random_integers(a, b, GA_SHAPE(4, 500), GA_INT64);
    T_CHECK(t_is(x, GA_INT64, GA_SHAPE(4, 500)));
    all_are(ga_slice(x, "1"), -5);
    all_are(ga_slice(x, "3"), 1000);
    T_CHECK(ga_item(ga_max(ga_slice(x, "2"), GA_ALL)) == 6);
    T_CHECK(ga_item(ga_min(ga_slice(x, "0"), GA_ALL)) < -8e18);
    /* the same numbers as by value */
    for (int i = 0; i < 3; i += 2) {
        ga_random_seed(9);
        ga_array *y = ga_random_integers(low[i], high[i], GA_SHAPE(4, 500),
                                         GA_INT64);
        t_same_arrays(ga_slice(x, "%d", i), ga_slice(y, "%d", i), 0);
    }
    ga_random_seed(9);
    x = ga_random_integers(ga_slice(a, "1:"), 1002, GA_SHAPE(3, 8), GA_INT16);
    t_is(x, GA_INT16, GA_SHAPE(3, 8));
    uint64_t most[] = {UINT64_MAX, 3};
    x = ga_random_integers(0, ga_asarray(most, GA_SHAPE(2)), GA_SHAPE(400, 2),
                           GA_UINT64);
    T_CHECK(ga_item(ga_max(x, GA_ALL)) > 1.8e19);
    T_CHECK(ga_item(ga_max(ga_slice(x, ":, 1"), GA_ALL)) == 2);
    T_FINE();
    ga_random_integers(a, 0, GA_BROADCAST, GA_INT64);
    T_CHECK(strstr(ga_error_message(), "low < high is wanted everywhere"));
    T_ERROR(GA_ERR_VALUE);
    ga_random_integers(0, b, GA_BROADCAST, GA_INT64);
    T_ERROR(GA_ERR_VALUE);
    ga_random_integers(-1, ga_asarray(most, GA_SHAPE(2)), GA_BROADCAST,
                       GA_UINT64);
    T_ERROR(GA_ERR_VALUE);
    ga_random_integers(0, ga_asarray(most, GA_SHAPE(2)), GA_BROADCAST,
                       GA_INT64);
    T_ERROR(GA_ERR_VALUE);
    ga_random_integers(0, ga_astype(b, GA_FLOAT64), GA_BROADCAST, GA_INT64);
    T_ERROR(GA_ERR_DTYPE);
}

/* ----------------------------------------------------------- determinism */
TEST(into_and_views) {
    for (size_t k = 0; k < T_COUNT(rows); k++) {
        const row *r = &rows[k];
        params p;
        ga_dtype ts[] = {natural(r), r->result == IS_I ? GA_INT16 : GA_FLOAT32};
        for (int d = 0; d < 2; d++) {
            GA_SCOPE;
            if (!case_of(r, 0, &p)) continue;
            ga_dtype t = ts[d];
            t_context("%s of %s", r->name, ga_dtype_name(t));
            ga_random_seed(77);
            ga_array *x = draw(r, p.x, GA_SHAPE(6, 7, 5), t);
            ga_random_seed(77);
            ga_array *y = draw(r, p.x, GA_SHAPE(210), t);
            t_same_arrays(ga_reshape(y, GA_SHAPE(6, 7, 5)), x, 0);
            ga_random_seed(77);                     /* a longer draw          */
            y = ga_slice(draw(r, p.x, GA_SHAPE(1001), t), ":210");
            t_same_arrays(ga_reshape(y, GA_SHAPE(6, 7, 5)), x, 0);
            ga_array *out = ga_full(GA_SHAPE(6, 7, 5), 1, t);
            ga_random_seed(77);
            T_CHECK(!draw_into(r, out, p.x));
            t_same_arrays(out, x, 0);
            ga_array *big = ga_full(GA_SHAPE(5, 12, 9), 1, t);
            out = ga_transpose(ga_slice(big, ":, ::-2, 1:8"), GA_AXIS(1, 2, 0));
            ga_random_seed(77);
            T_CHECK(!draw_into(r, out, p.x));
            t_same_arrays(out, x, 0);
            all_are(ga_slice(big, ":, ::2, :"), 1);
            T_FINE();
        }
    }
}
/* Arrays of one value draw what the value draws; rows of an array what each
   value draws at the same places.                                           */
TEST(array_parameters) {
    for (size_t k = 0; k < T_COUNT(rows); k++) {
        const row *r = &rows[k];
        params p, q;
        if (!r->n || !case_of(r, 0, &p) || !strcmp(r->name, "integers"))
            continue;
        if (!case_of(r, 1, &q)) q = p;
        for (int i = 0; i < r->n; i++) q.x[i] = &q.number[i];
        GA_SCOPE;
        t_context("%s", r->name);
        ga_dtype t = natural(r);
        ga_array *arrays[3];
        const ga_array *mixed[3] = {p.x[0], p.x[1], p.x[2]};
        ga_random_seed(31);
        ga_array *x = draw(r, p.x, GA_SHAPE(2, 3, 100), t);
        ga_random_seed(31);
        ga_array *y = draw(r, q.x, GA_SHAPE(2, 3, 100), t);
        for (int i = 0; i < r->n; i++) {
            double both[2] = {p.v[i], q.v[i]};
            arrays[i] = ga_asarray(both, GA_SHAPE(2, 1, 1));
        }
        ga_random_seed(31);
        ga_array *z = draw(r, (const ga_array *const *)arrays,
                           GA_SHAPE(2, 3, 100), t);
        /* by value a loop of vectors, else one by one: the last bits differ */
        /* one loop may contract a product where the other does not, and a
           small beta is a quotient of such                                 */
        double ulps = r->result == IS_F ? 64 : 0;
        t_same_arrays(ga_slice(z, "0"), ga_slice(x, "0"), ulps);
        t_same_arrays(ga_slice(z, "1"), ga_slice(y, "1"), ulps);
        /* a broadcast view; one number among arrays; float32 and strides */
        mixed[0] = ga_broadcast_to(ga_slice(arrays[0], "0"), GA_SHAPE(3, 100));
        ga_random_seed(31);
        t_same_arrays(draw(r, mixed, GA_SHAPE(2, 3, 100), t), x, ulps);
        mixed[0] = ga_slice(ga_full(GA_SHAPE(2, 6, 200), p.v[0], GA_FLOAT64),
                            ":, ::-2, ::2");
        ga_random_seed(31);
        t_same_arrays(draw(r, mixed, GA_BROADCAST, t), x, ulps);
        for (int i = 0; i < r->n; i++)      /* of one element: numbers       */
            arrays[i] = ga_full(i ? GA_SHAPE(1, 1) : GA_SCALAR_SHAPE, p.v[i],
                                GA_FLOAT64);
        ga_random_seed(31);
        t_same_arrays(draw(r, (const ga_array *const *)arrays,
                           GA_SHAPE(2, 3, 100), t), x, t_on_gpu() ? ulps : 0);
        /* the output may be a parameter */
        if (r->result == IS_F) {
            ga_array *own = ga_full(GA_SHAPE(2, 3, 100), p.v[0], GA_FLOAT64);
            mixed[0] = own;
            ga_random_seed(31);
            T_CHECK(!draw_into(r, own, mixed));
            t_same_arrays(own, x, ulps);
        }
        T_FINE();
        mixed[0] = ga_zeros(GA_SHAPE(0), GA_FLOAT64);
        t_is(draw(r, mixed, GA_BROADCAST, t), t, GA_SHAPE(0));
    }
}

/* The same seed on every device. */
TEST(devices_agree) {
    if (!t_on_gpu()) return;
    int here = ga_device();
    for (size_t k = 0; k < T_COUNT(rows); k++) {
        const row *r = &rows[k];
        params p;
        for (int c = 0; case_of(r, c, &p); c++)
            for (int d = 0; d < 2; d++) {
                GA_SCOPE;
                ga_dtype t = d ? r->result == IS_I ? GA_INT32 : GA_FLOAT32
                               : natural(r);
                int64_t n = t_quick() ? 5000 : 100000;
                t_context("%s/%d of %s", r->name, c, ga_dtype_name(t));
                ga_random_seed(101);
                ga_array *x = draw(r, p.x, GA_SHAPE(n), t), *y;
                ga_set_device(GA_CPU);
                ga_random_seed(101);
                y = draw(r, p.x, GA_SHAPE(n), t);
                const void *a = t_host(x), *b = t_host(y);
                int64_t off = 0;
                bool exact = !strcmp(r->name, "random")
                             || !strcmp(r->name, "integers");
                for (int64_t i = 0; i < n; i++) {
                    double u = t_value(a, t, i, 0), v = t_value(b, t, i, 0);
                    double bound = r->result == IS_I || exact ? 0
                        : 4 * t_ulp(t, 1) * fmax(1, fabs(v));
                    off += !(fabs(u - v) <= bound);
                }
                /* rejections within rounding, in a few of a million */
                T_CHECKF(off <= (exact ? 0 : r->engines == IS_P ? 1 + n / 50000
                                                                : 0),
                         "%lld of %lld differ", (long long)off, (long long)n);
                ga_free(y);
                ga_set_device(here);
            }
    }
    for (int c = 0; c < 7; c++) {   /* exactly: bytes and what is by sorting */
        GA_SCOPE;
        ga_array *x[2];
        double w[] = {0.1, 0.2, 0, 0.3, 0.4};
        t_context("composite %d", c);
        for (int d = 0; d < 2; d++) {
            ga_set_device(d ? GA_CPU : here);
            ga_random_seed(55);
            ga_array *p = ga_asarray(w, GA_SHAPE(5));
            ga_array *many = ga_remainder(ga_arange(0, 100003, 1), 7);
            many = ga_div(many, ga_sum(many, GA_ALL));
            x[d] = c == 0 ? ga_random_bytes(1001)
                 : c == 1 ? ga_random_permutation(100003)
                 : c == 2 ? ga_random_choice(5, GA_SHAPE(50, 7), true, p)
                 : c == 3 ? ga_random_choice(5, GA_SHAPE(4), false, p)
                 : c > 4 ? ga_random_choice(100003, GA_SHAPE(5000), c < 6, many)
                 : ga_random_choice(1000, GA_SHAPE(77), false, GA_NONE);
        }
        t_same_arrays(x[0], x[1], 0);
        ga_set_device(here);
    }
}

/* ------------------------------------------------------------ generators */
TEST(generators) {
    GA_SCOPE;
    ga_shape s = GA_SHAPE(100);
    ga_rng_state st, want = {12, 3, 0, 0};
    ga_rng *g = ga_rng_create(GA_PHILOX, 12), *h = ga_rng_create(GA_PHILOX, 12);
    T_CHECK(ga_rng_current() == NULL);
    ga_array *a[4];
    {
        GA_RNG(g);
        T_CHECK(ga_rng_current() == g);
        for (int i = 0; i < 4; i++) a[i] = ga_random(s, GA_FLOAT32);
        {
            GA_RNG(h);
            t_same_arrays(ga_random(s, GA_FLOAT32), a[0], 0);
            ga_random(GA_SHAPE(0), GA_FLOAT32);     /* a call all the same    */
            T_CHECK(!ga_rng_jump(h, 1));
            t_same_arrays(ga_random(s, GA_FLOAT32), a[3], 0);
        }
        T_CHECK(ga_rng_current() == g);
        T_CHECK(!ga_rng_get_state(g, &st));
        T_CHECK(st.seed == 12 && st.call == 4 && !st.substream && !st.spawned);
        T_CHECK(!ga_rng_set_state(g, &want));
        t_same_arrays(ga_random(s, GA_FLOAT32), a[3], 0);
        T_CHECK(!ga_random_seed(12));
        t_same_arrays(ga_random(s, GA_FLOAT32), a[0], 0);
        /* a failing call takes no number */
        T_CHECK(!ga_random_normal(0, -1, s, GA_FLOAT32));
        T_ERROR(GA_ERR_VALUE);
        t_same_arrays(ga_random(s, GA_FLOAT32), a[1], 0);
    }
    T_CHECK(ga_rng_current() == NULL);
    /* far away calls have a key of their own */
    want.call = (UINT64_C(5) << 40) + 3;
    ga_rng_set_state(g, &want);
    ga_set_rng(g);
    ga_array *far = ga_random(s, GA_FLOAT32);
    T_CHECK(ga_item(ga_any(ga_not_equal(far, a[3]), GA_ALL)));
    ga_rng_get_state(g, &st);
    T_CHECK(st.call == want.call + 1);
    ga_rng_destroy(g);              /* the current one: the default again    */
    T_CHECK(ga_rng_current() == NULL);
    ga_rng_destroy(h);
    ga_rng_destroy(NULL);
    T_FINE();
    /* the default: seeded by the system, then by us */
    T_CHECK(!ga_rng_get_state(NULL, &st));
    ga_random_seed(12);
    t_same_arrays(ga_random(s, GA_FLOAT32), a[0], 0);
    ga_rng_get_state(NULL, &st);
    T_CHECK(st.seed == 12 && st.call == 1);
    ga_rng_jump(NULL, 2);
    t_same_arrays(ga_random(s, GA_FLOAT32), a[3], 0);
}
TEST(spawning) {
    GA_SCOPE;
    enum { N = 6 };
    ga_rng *g = ga_rng_create(GA_PHILOX, 99), *c[N], *d[N];
    ga_rng_state st, seen[3 * N];
    T_CHECK(!ga_rng_spawn(g, 0, NULL));
    T_CHECK(!ga_rng_spawn(g, 2, c) && !ga_rng_spawn(g, N - 2, c + 2));
    for (int i = 0; i < N; i++) {
        ga_rng_get_state(c[i], &seen[i]);
        T_CHECK(seen[i].seed == 99 && seen[i].substream == (uint32_t)i + 1);
    }
    T_CHECK(!ga_rng_spawn(c[3], N,
                          d));             /* grandchildren: new keys */
    for (int i = 0; i < N; i++) {
        ga_rng_get_state(d[i], &seen[N + i]);
        T_CHECK(!seen[N + i].substream && seen[N + i].seed != 99);
        ga_rng_destroy(d[i]);
    }
    ga_rng_get_state(g, &st);                       /* the last substreams    */
    T_CHECK(st.spawned == N && st.call == 0);
    st.spawned = 0xfffffd;
    ga_rng_set_state(g, &st);
    T_CHECK(!ga_rng_spawn(g, 3, d));
    for (int i = 0; i < 3; i++) {
        ga_rng_get_state(d[i], &seen[2 * N + i]);
        T_CHECK((seen[2 * N + i].substream == 0xfffffe) == (i == 0));
        ga_rng_destroy(d[i]);
    }
    for (int i = 0; i < 2 * N + 3; i++)
        for (int j = 0; j < i; j++)
            T_CHECK(memcmp(&seen[i], &seen[j], sizeof st) != 0);
    /* independent: correlations of N children and their parent */
    ga_array *x[N + 1];
    int64_t n = 100000;
    for (int i = 0; i <= N; i++) {
        GA_RNG(i < N ? c[i] : g);
        x[i] = ga_random_normal(0, 1, GA_SHAPE(n), GA_FLOAT64);
    }
    for (int i = 0; i <= N; i++)
        for (int j = 0; j < i; j++)
            T_CHECK(fabs(ga_item(ga_mean(ga_mul(x[i], x[j]), GA_ALL)))
                    < 5 / sqrt((double)n));
    for (int i = 0; i < N; i++) ga_rng_destroy(c[i]);
    ga_rng_destroy(g);
}
/* Threads that share the default generator: every call has a number of its
   own, none twice.                                                          */
enum { THREADS = 4, CALLS = 50 };
static void *thread_main(void *arg) {
    uint64_t *first = (uint64_t *)arg;
    for (int i = 0; i < CALLS; i++) {
        ga_array *x = ga_random_bytes(8);
        if (!x || !ga_asnumpy(x, &first[i])) first[i] = 0;
        ga_free(x);
    }
    return NULL;
}
TEST(threads) {
    static uint64_t got[THREADS][CALLS];
    pthread_t th[THREADS];
    ga_random_seed(4);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&th[i], NULL, thread_main, got[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(th[i], NULL);
    for (uint64_t call = 0; call < THREADS * CALLS; call++) {
        ga_rng_state s = {4, call, 0, 0};
        uint64_t want = (uint64_t)word_at(s, 1, 0) << 32 | word_at(s, 0, 0);
        int found = 0;
        for (int i = 0; i < THREADS * CALLS; i++)
            found += got[i / CALLS][i % CALLS] == want;
        T_CHECKF(found == 1, "call %d was seen %d times", (int)call, found);
    }
    ga_rng_state s;
    ga_rng_get_state(NULL, &s);
    T_CHECK(s.call == THREADS * CALLS);
}

static void graph_step(void *arg) {
    ga_random_normal_into((ga_array *)arg, 1, 2);
}
TEST(graphs) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(1000), GA_FLOAT32);
    ga_random_seed(8);
    ga_array *want = ga_random_normal(1, 2, GA_SHAPE(1000), GA_FLOAT32);
    ga_random_seed(8);
    ga_graph *g = ga_graph_create(graph_step, x);
    for (int i = 0; i < 2; i++) {
        ga_assign(x, 0);
        if (!t_on_gpu()) ga_random_seed(8);         /* there it is a call     */
        T_CHECK(!ga_graph_launch(g));
        t_same_arrays(x, want, 0);
    }
    ga_graph_destroy(g);
}
static void bad_step(void *arg) {
    ga_array *x = (ga_array *)arg;
    ga_random_normal_into(x, x, 1);
}
TEST(graph_with_arrays) {
    if (!t_on_gpu()) return;
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(10), GA_FLOAT64);
    T_CHECK(!ga_graph_create(bad_step, x));
    T_ERROR(GA_ERR_CAPTURE);
}

/* ------------------------------------------------------------- composites */
TEST(permutations) {
    static const int64_t sizes[] = {0, 1, 2, 7, 48, 49, 1000, 5000, 300007};
    for (size_t i = 0; i < T_COUNT(sizes); i++) {
        GA_SCOPE;
        const int64_t n = sizes[i];
        t_context("%lld rows", (long long)n);
        ga_random_seed(i + 1);
        ga_array *x = ga_random_permutation(n);
        if (!t_is(x, GA_INT64, GA_SHAPE(n))) continue;
        const int64_t *v = (const int64_t *)t_host(x);
        char *seen = (char *)t_alloc((size_t)n);
        for (int64_t k = 0; k < n; k++) seen[k] = 0;
        for (int64_t k = 0; k < n; k++)
            if (v[k] < 0 || v[k] >= n
                || seen[v[k]]++) t_bad("not a permutation");
        /* by the documented rule: the order of the call's 64-bit keys */
        ga_rng_state s = {i + 1, 0, 0, 0};
        uint64_t before = 0;
        for (int64_t k = 0; k < n; k++) {
            uint64_t e = 2 * (uint64_t)v[k];
            uint64_t key = (uint64_t)word_at(s, e + 1, 0) << 32 | word_at(s, e,
                                                                          0);
            T_CHECK(key >= before);
            before = key;
        }
    }
    /* each of the 24 orders of four as often */
    GA_SCOPE;
    int count[256] = {0};
    ga_random_seed(6);
    int n = t_quick() ? 2400 : 24000;
    for (int k = 0; k < n; k++) {
        ga_array *x = ga_random_permutation(4);
        int64_t v[4];
        ga_asnumpy(x, v);
        count[v[0] << 6 | v[1] << 4 | v[2] << 2 | v[3]]++;
        ga_free(x);
    }
    double chi = 0, e = n / 24.0;
    int some = 0;
    for (int k = 0; k < 256; k++)
        if (count[k]) some++, chi += (count[k] - e) * (count[k] - e) / e;
    T_CHECK(some == 24 && chi < 58.6);              /* 23 degrees, 1e-4       */
}
TEST(rows_of_arrays) {
    static const ga_dtype ts[] = {GA_INT8, GA_FLOAT16, GA_FLOAT32, GA_INT64,
                                  GA_COMPLEX128};
    for (size_t i = 0; i < T_COUNT(ts); i++)
        for (int64_t width = 1; width < 40; width = width * 3 + 1) {
            GA_SCOPE;
            t_context("%s, rows of %d", ga_dtype_name(ts[i]), (int)width);
            ga_array *x = t_random_array(ts[i], GA_SHAPE(50, width), -9, 9);
            ga_random_seed(i);
            ga_array *o = ga_random_permutation(50);
            ga_random_seed(i);
            ga_array *y = ga_random_permutation(x);
            ga_array *t = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)),
                                       GA_ALL);
            ga_random_seed(i);
            t_same_arrays(ga_random_permutation(t), y, 0);
            const int64_t *at = (const int64_t *)t_host(o);
            for (int k = 0; k < 50; k++)
                t_same_arrays(ga_index_axis(y, 0, k), ga_index_axis(x, 0,
                                                                    at[k]),
                              0);
            ga_array *z = ga_copy(x);
            ga_random_seed(i);
            T_CHECK(!ga_random_shuffle(z, 0));
            t_same_arrays(z, y, 0);
            ga_array *big = ga_zeros(GA_SHAPE(width, 100), ts[i]);
            z = ga_slice(big, ":, ::-2");
            ga_assign(z, ga_transpose(x, GA_ALL));
            ga_random_seed(i);
            T_CHECK(!ga_random_shuffle(z, -1));
            t_same_arrays(ga_transpose(z, GA_ALL), y, 0);
        }
}
/* Few long rows, which are moved along their cycles; one; of any layout. */
TEST(long_rows) {
    for (int64_t n = 1; n < 70; n += n < 7 ? 1 : 31)
        for (int seed = 0; seed < 3; seed++) {
            GA_SCOPE;
            t_context("%d rows, seed %d", (int)n, seed);
            ga_array *x = t_random_array(GA_INT16, GA_SHAPE(n, 7, 90), -9, 9);
            ga_random_seed((uint64_t)seed);
            const int64_t *at = (const int64_t *)t_host(ga_random_permutation(n));
            ga_array *z = ga_copy(x);
            ga_array *s = ga_slice(ga_zeros(GA_SHAPE(90, 2 * n, 7), GA_INT16),
                                   ":, ::-2");
            ga_assign(s, ga_moveaxis(x, GA_AXIS(2), GA_AXIS(0)));
            ga_random_seed((uint64_t)seed);
            T_CHECK(!ga_random_shuffle(z, 0));
            ga_random_seed((uint64_t)seed);
            T_CHECK(!ga_random_shuffle(s, 1));
            for (int64_t k = 0; k < n; k++)
                t_same_arrays(ga_index_axis(z, 0, k), ga_index_axis(x, 0, at[k]), 0);
            t_same_arrays(ga_moveaxis(s, GA_AXIS(0), GA_AXIS(2)), z, 0);
        }
}
/* Keys that are all infinite but one come by place; few of many as all do. */
TEST(equal_keys) {
    for (int64_t n = 3; n < 40000; n *= 11) {
        GA_SCOPE;
        double *p = (double *)t_alloc((size_t)n * sizeof *p);
        for (int64_t k = 0; k < n; k++) p[k] = k == 1 ? 1 : 5e-324;
        ga_random_seed(4);
        ga_array *x = ga_random_choice(n, GA_SHAPE(n), false,
                                       ga_asarray(p, GA_SHAPE(n)));
        t_context("%d rows", (int)n);
        const int64_t *v = (const int64_t *)t_host(x);
        T_CHECK(v[0] == 1 && (n < 3 || v[1] == 0));
        for (int64_t k = 2; k < n; k++) T_CHECK(v[k] == k);
        for (int64_t take = 1; take < n; take = take * 5 + 1) {
            ga_random_seed(9);
            x = ga_random_choice(n, GA_SHAPE(n), false, GA_NONE);
            ga_random_seed(9);
            t_same_arrays(ga_random_choice(n, GA_SHAPE(take), false, GA_NONE),
                          ga_slice_axis(x, 0, 0, take, 1), 0);
        }
    }
}
/* No order of 2^31 rows is made, that would take 64 GB; a call is. */
TEST(empty_arrays_have_no_order) {
    GA_SCOPE;
    ga_memory before, after;
    ga_array *x = ga_zeros(GA_SHAPE((int64_t)1 << 31, 0), GA_INT8);
    ga_random_seed(3);
    ga_array *want = ga_random_permutation(0);
    want = ga_random(GA_SHAPE(9), GA_FLOAT64);
    T_CHECK(!ga_mem_info(ga_device(), &before));
    for (int i = 0; i < 3; i++) {
        ga_random_seed(3);
        if (i == 0) t_same_arrays(ga_random_permutation(x), x, 0);
        else T_CHECK(!ga_random_shuffle(x, i - 1));
        t_same_arrays(ga_random(GA_SHAPE(9), GA_FLOAT64), want, 0);
    }
    T_CHECK(!ga_mem_info(ga_device(), &after));
    T_CHECK(after.peak < before.peak + (1 << 20));
}
TEST(choices) {
    GA_SCOPE;
    int64_t n = t_quick() ? 100000 : 1000000;
    double w[] = {0.1, 0, 0.25, 0.05, 0.6, 0};
    ga_array *p = ga_asarray(w, GA_SHAPE(6));
    ga_random_seed(2);
    ga_array *x = ga_random_choice(6, GA_SHAPE(n), true, p);
    double v[6];
    for (int i = 0; i < 6; i++)
        v[i] = ga_item(ga_count_nonzero(ga_equal(x, i), GA_ALL)) / (double)n;
    for (int i = 0; i < 6; i++)
        T_CHECKF(fabs(v[i] - w[i]) <= 4 * sqrt(w[i] * (1 - w[i]) / (double)n),
                 "weight %g came %g", w[i], v[i]);
    x = ga_random_choice(6, GA_SHAPE(n), true, GA_NONE);
    for (int i = 0; i < 6; i++)
        T_CHECK(fabs(ga_item(ga_count_nonzero(ga_equal(x, i),
                                              GA_ALL)) / (double)n
                     - 1.0 / 6) < 4 * sqrt(5.0 / 36 / (double)n));
    /* without replacement: all different, none of weight 0; the first by w */
    int first[6] = {0}, rounds = t_quick() ? 500 : 5000;
    for (int k = 0; k < rounds; k++) {
        ga_array *c = ga_random_choice(6, GA_SHAPE(4), false, p);
        int64_t at[4];
        unsigned mask = 0;
        ga_asnumpy(c, at);
        for (int i = 0; i < 4; i++) mask |= 1u << at[i];
        T_CHECK(mask == 0x1d);
        first[at[0]]++;
        ga_free(c);
    }
    for (int i = 0; i < 6; i++)
        T_CHECK(fabs((double)first[i] / rounds - w[i])
                <= 4.5 * sqrt(w[i] * (1 - w[i]) / rounds));
    /* many weights, one of five not 0: these alone, evenly; float32's, too */
    for (int k = 0; k < 4; k++) {
        const int64_t rows = 5 << 15, draws = 30000;
        ga_array *i = ga_arange(0, rows, 1);
        ga_array *q = ga_where(ga_equal(ga_remainder(i, 5), 3),
                               0x1p-15, 0.0);
        if (k & 1) q = ga_astype(q, GA_FLOAT32);
        ga_random_seed(7);
        x = ga_random_choice(rows, GA_SHAPE(draws), k < 2, q);
        T_CHECK(ga_item(ga_all(ga_equal(ga_remainder(x, 5), 3), GA_ALL)));
        T_CHECK(fabs(ga_item(ga_mean(x, GA_ALL)) / (double)rows - 0.5)
                < 5 * sqrt(1.0 / 12 / (double)draws));
        if (k >= 2) {               /* all different                        */
            x = ga_diff(ga_sort(x, GA_AXIS(0), 0), 1, 0, GA_NONE, GA_NONE);
            T_CHECK(ga_item(ga_min(x, GA_ALL)) > 0);
        }
    }
    float rows3[] = {1, 2, 3, 4, 5, 6};
    ga_array *a = ga_asarray(rows3, GA_SHAPE(3, 2));
    x = ga_random_choice(a, GA_SHAPE(4, 5), true, GA_NONE);
    t_is(x, GA_FLOAT32, GA_SHAPE(4, 5, 2));
    T_CHECK(ga_item(ga_all(ga_equal(ga_sub(ga_slice(x, "..., 1"),
                                           ga_slice(x, "..., 0")), 1),
                                               GA_ALL)));
    x = ga_random_choice(a, GA_SHAPE(3), false, GA_NONE);
    T_CHECK(ga_item(ga_sum(x, GA_ALL)) == 21);
    x = ga_random_choice(a, GA_SCALAR_SHAPE, true, GA_NONE);
    t_is(x, GA_FLOAT32, GA_SHAPE(2));
    t_is(ga_random_choice(0, GA_SHAPE(0), true, GA_NONE), GA_INT64,
         GA_SHAPE(0));
    t_is(ga_random_choice(9, GA_SHAPE(3, 3), false, GA_NONE), GA_INT64,
         GA_SHAPE(3, 3));
    T_FINE();
    ga_random_choice(3, GA_SHAPE(4), false, GA_NONE);
    T_CHECK(strstr(ga_error_message(), "4 of 3 without replacement"));
    T_ERROR(GA_ERR_VALUE);
    ga_random_choice(0, GA_SHAPE(4), true, GA_NONE);
    T_ERROR(GA_ERR_VALUE);
    ga_random_choice(-2, GA_SHAPE(4), true, GA_NONE);
    T_ERROR(GA_ERR_VALUE);
    ga_random_choice(2.5, GA_SHAPE(4), true, GA_NONE);
    T_ERROR(GA_ERR_VALUE);
    ga_random_choice(5, GA_SHAPE(4), true, p);
    T_ERROR(GA_ERR_SHAPE);
    ga_random_choice(6, GA_SHAPE(5), false, p);
    T_CHECK(strstr(ga_error_message(), "5 of 4 with p > 0"));
    T_ERROR(GA_ERR_VALUE);
    ga_random_choice(6, GA_SHAPE(5), true, ga_mul(p, 1.01));
    T_CHECK(strstr(ga_error_message(), "p sums to 1.01"));
    T_ERROR(GA_ERR_VALUE);
    ga_random_choice(6, GA_SHAPE(5), true, ga_neg(p));
    T_ERROR(GA_ERR_VALUE);
    ga_random_choice(6, GA_SHAPE(5), true, NULL);
    T_ERROR(GA_ERR_NULL);
    ga_random_choice(ga_zeros(GA_SCALAR_SHAPE, GA_INT8), GA_SHAPE(5), true,
                     GA_NONE);
    T_ERROR(GA_ERR_SHAPE);
    ga_random_permutation(-1);
    T_ERROR(GA_ERR_VALUE);
    ga_random_shuffle(a, 2);
    T_ERROR(GA_ERR_AXIS);
    ga_random_shuffle(ga_broadcast_to(a, GA_SHAPE(2, 3, 2)), 0);
    T_ERROR(GA_ERR_READONLY);
    ga_random_bytes(-1);
    T_ERROR(GA_ERR_VALUE);
}
TEST(multinomials) {
    GA_SCOPE;
    int64_t n = t_quick() ? 20000 : 200000;
    double pv[] = {0.2, 0, 0.5, 0.3}, two[] = {1, 0, 0, 0, 0, 0.5, 0.5, 0};
    ga_array *p = ga_asarray(pv, GA_SHAPE(4));
    ga_random_seed(3);
    ga_array *x = ga_random_multinomial(20, p, GA_SHAPE(n), GA_INT64);
    t_is(x, GA_INT64, GA_SHAPE(n, 4));
    all_are(ga_slice(ga_sum(x, GA_AXIS(-1)), ":1000"), 20);
    for (int i = 0; i < 4; i++) {
        ga_array *c = ga_slice(x, ":, %d", i);
        double m = 20 * pv[i], var = m * (1 - pv[i]);
        T_CHECK(fabs(ga_item(ga_mean(c, GA_ALL)) - m)
                <= 4 * sqrt(var / (double)n));
        T_CHECK(fabs(ga_item(ga_var(c, GA_ALL, 0)) - var) <= 0.03 * var);
    }
    ga_array *c0 = ga_astype(ga_slice(x, ":, 0"), GA_FLOAT64);
    ga_array *c2 = ga_astype(ga_slice(x, ":, 2"), GA_FLOAT64);
    double cov = ga_item(ga_mean(ga_mul(ga_sub(c0, 4), ga_sub(c2, 10)),
                                 GA_ALL));
    T_CHECK(fabs(cov + 20 * 0.2 * 0.5) < 0.08);
    int32_t many[] = {3, 0, 1000};
    x = ga_random_multinomial(ga_asarray(many, GA_SHAPE(3, 1)),
                              ga_asarray(two, GA_SHAPE(2, 4)), GA_BROADCAST,
                              GA_INT32);
    t_is(x, GA_INT32, GA_SHAPE(3, 2, 4));
    int64_t sums[] = {3, 3, 0, 0, 1000, 1000};
    t_same(ga_sum(x, GA_AXIS(-1)), GA_INT64, GA_SHAPE(3, 2), sums);
    all_are(ga_slice(x, "2, 0, 1:"), 0);
    all_are(ga_slice(x, "2, 1, ::3"), 0);
    t_is(ga_random_multinomial(5, ga_ones(GA_SHAPE(1), GA_FLOAT32), GA_SHAPE(2),
                               GA_FLOAT32), GA_FLOAT32, GA_SHAPE(2, 1));
    t_is(ga_random_multinomial(5, p, GA_SHAPE(0), GA_INT8), GA_INT8,
         GA_SHAPE(0, 4));
    T_FINE();
    ga_random_multinomial(5, ga_mul(p, 2), GA_SHAPE(2), GA_INT64);
    T_CHECK(strstr(ga_error_message(), "pvals but the last sum to 1.4"));
    T_ERROR(GA_ERR_VALUE);
    ga_random_multinomial(5, ga_neg(p), GA_SHAPE(2), GA_INT64);
    T_ERROR(GA_ERR_VALUE);
    ga_random_multinomial(-5, p, GA_SHAPE(2), GA_INT64);
    T_ERROR(GA_ERR_VALUE);
    ga_random_multinomial(ga_asarray(many, GA_SHAPE(3)), p, GA_SHAPE(2),
                          GA_INT64);
    T_ERROR(GA_ERR_SHAPE);
    ga_random_multinomial(5, p, GA_SHAPE(2), GA_COMPLEX64);
    T_ERROR(GA_ERR_DTYPE);
}
TEST(dirichlets) {
    double a[2][3] = {{2, 3, 5}, {0.05, 0.02, 0.01}}, least[] = {1e-3, 2e-3};
    int64_t n = t_quick() ? 20000 : 200000;
    for (int i = 0; i < 2; i++) {
        GA_SCOPE;
        t_context("alpha %g ...", a[i][0]);
        ga_array *alpha = ga_asarray(&a[i][0], GA_SHAPE(3));
        ga_random_seed(14);
        ga_array *x = ga_random_dirichlet(alpha, GA_SHAPE(n), GA_FLOAT64);
        t_is(x, GA_FLOAT64, GA_SHAPE(n, 3));
        ga_array *sum = ga_sum(x, GA_AXIS(-1));
        T_CHECK(ga_item(ga_max(ga_abs(ga_sub(sum, 1)), GA_ALL)) < 1e-14);
        T_CHECK(ga_item(ga_min(x, GA_ALL)) >= 0);
        double all = a[i][0] + a[i][1] + a[i][2];
        for (int k = 0; k < 3; k++) {
            double m = a[i][k] / all, var = m * (1 - m) / (all + 1);
            ga_array *c = ga_slice(x, ":, %d", k);
            T_CHECK(fabs(ga_item(ga_mean(c, GA_ALL)) - m)
                    < 4 * sqrt(var / (double)n));
            T_CHECK(fabs(ga_item(ga_var(c, GA_ALL, 0)) - var) < 0.03 * var);
        }
    }
    GA_SCOPE;
    ga_array *tiny = ga_asarray(least, GA_SHAPE(2));
    ga_array *x = ga_random_dirichlet(tiny, GA_SHAPE(5000), GA_FLOAT32);
    T_CHECK(!ga_item(ga_any(ga_isnan(x), GA_ALL)));
    T_CHECK(fabs(ga_item(ga_mean(ga_slice(x, ":, 1"), GA_ALL)) - 2.0 / 3)
            < 0.03);
    double some[] = {0, 1, 0};
    x = ga_random_dirichlet(ga_asarray(some, GA_SHAPE(3)), GA_SHAPE(50),
                            GA_FLOAT64);
    all_are(ga_slice(x, ":, 1"), 1);
    t_is(ga_random_dirichlet(ga_ones(GA_SHAPE(2, 3), GA_INT8), GA_BROADCAST,
                             GA_FLOAT16), GA_FLOAT16, GA_SHAPE(2, 3));
    T_FINE();
    ga_random_dirichlet(ga_neg(tiny), GA_SHAPE(2), GA_FLOAT64);
    T_CHECK(!strcmp(ga_error_message(), "ga_random_dirichlet: alpha holds "
                    "-0.002; alpha >= 0 is wanted"));
    T_ERROR(GA_ERR_VALUE);
    ga_random_dirichlet(ga_ones(GA_SHAPE(2, 3), GA_INT8), GA_SHAPE(4),
                        GA_FLOAT64);
    T_ERROR(GA_ERR_SHAPE);
}
TEST(multivariate_normals) {
    T_LAPACK;
    GA_SCOPE;
    double mean[] = {1, -2, 0}, cov[] = {4, 1, 2, 1, 2, 0, 2, 0, 3};
    double flat[] = {1, 1, 0, 1, 1, 0, 0, 0, 0}, bad[] = {1, 2, 0, 2, 1, 0, 0,
                                                          0, 1};
    int64_t n = t_quick() ? 20000 : 400000;
    ga_array *m = ga_asarray(mean, GA_SHAPE(3));
    ga_array *c = ga_asarray(cov, GA_SHAPE(3, 3));
    for (int d = 0; d < 2; d++) {
        ga_dtype t = d ? GA_FLOAT32 : GA_FLOAT64;
        ga_random_seed(21);
        ga_array *x = ga_random_multivariate_normal(m, c, GA_SHAPE(n), t);
        if (!t_is(x, t, GA_SHAPE(n, 3))) continue;
        const double *v = as_doubles(x);
        for (int i = 0; i < 3; i++) {
            double s = 0;
            for (int64_t k = 0; k < n; k++) s += v[3 * k + i];
            T_CHECK(fabs(s / (double)n - mean[i])
                    < 4 * sqrt(cov[4 * i] / (double)n));
            for (int j = 0; j <= i; j++) {
                s = 0;
                for (int64_t k = 0; k < n; k++)
                    s += (v[3 * k + i] - mean[i]) * (v[3 * k + j] - mean[j]);
                double sd = sqrt((cov[4 * i] * cov[4 * j]
                                  + cov[3 * i + j] * cov[3 * i + j]) / (double)n);
                T_CHECK(fabs(s / (double)n - cov[3 * i + j]) < 4.5 * sd);
            }
        }
    }
    ga_array *x = ga_random_multivariate_normal(m, ga_asarray(flat, GA_SHAPE(3,
            3)),
                                                GA_SHAPE(4, 5), GA_FLOAT64);
    t_is(x, GA_FLOAT64, GA_SHAPE(4, 5, 3));
    all_are(ga_slice(x, "..., 2"), 0);
    T_CHECK(ga_item(ga_max(ga_abs(ga_sub(ga_sub(ga_slice(x, "..., 0"),
            ga_slice(x, "..., 1")), 3)), GA_ALL)) < 1e-7);
    t_is(ga_random_multivariate_normal(m, c, GA_SCALAR_SHAPE, GA_FLOAT16),
         GA_FLOAT16, GA_SHAPE(3));
    T_FINE();
    ga_random_multivariate_normal(m, ga_asarray(bad, GA_SHAPE(3, 3)),
                                  GA_SHAPE(2),
                                  GA_FLOAT64);
    T_CHECK(strstr(ga_error_message(), "cov has the eigenvalue -1"));
    T_ERROR(GA_ERR_NOT_POSITIVE_DEFINITE);
    bad[1] = 0;
    ga_random_multivariate_normal(m, ga_asarray(bad, GA_SHAPE(3, 3)),
                                  GA_SHAPE(2),
                                  GA_FLOAT64);
    T_ERROR(GA_ERR_VALUE);
    ga_random_multivariate_normal(m, m, GA_SHAPE(2), GA_FLOAT64);
    T_ERROR(GA_ERR_SHAPE);
}

/* ----------------------------------------------------------------- errors */
static void message(const char *text, ga_status st) {
    T_CHECKF(!strcmp(ga_error_message(), text), "message: %s",
             ga_error_message());
    T_ERROR(st);
}
TEST(errors) {
    GA_SCOPE;
    ga_shape s = GA_SHAPE(3);
    const ga_dtype f = GA_FLOAT32, i = GA_INT64;
    ga_random_normal(0, -1, s, f);
    message("ga_random_normal: scale is -1; scale >= 0 is wanted",
            GA_ERR_VALUE);
    ga_random_normal((double)NAN, 1, s, f);
    message("ga_random_normal: loc is nan; a finite loc is wanted",
            GA_ERR_VALUE);
    ga_random_exponential((double)INFINITY, s, f);
    message("ga_random_exponential: scale is inf; a finite scale is wanted",
            GA_ERR_VALUE);
    ga_random_gamma(ga_full(s, -2, f), 1, s, f);
    message("ga_random_gamma: shape holds -2; shape >= 0 is wanted",
            GA_ERR_VALUE);
    ga_random_beta(ga_full(s, (double)NAN, f), 1, s, f);
    message("ga_random_beta: a holds nan; a finite a is wanted", GA_ERR_VALUE);
    ga_random_beta(ga_ones(s, f), 0, s, f);
    message("ga_random_beta: b is 0; b > 0 is wanted", GA_ERR_VALUE);
    ga_random_geometric(0, s, i);
    message("ga_random_geometric: p is 0; 0 < p <= 1 is wanted", GA_ERR_VALUE);
    ga_random_logseries(1, s, i);
    message("ga_random_logseries: p is 1; 0 <= p < 1 is wanted", GA_ERR_VALUE);
    ga_random_zipf(1, s, i);
    message("ga_random_zipf: a is 1; a > 1 is wanted", GA_ERR_VALUE);
    ga_random_poisson(9.23e18, s, i);
    message("ga_random_poisson: lam is 9.23e+18; 0 <= lam <= 9.22e18 is wanted",
            GA_ERR_VALUE);
    ga_random_binomial(2.5, 0.5, s, i);
    message("ga_random_binomial: n is 2.5; an integer n >= 0 is wanted",
            GA_ERR_VALUE);
    ga_random_binomial(ga_full(s, 2.5, f), 0.5, s, i);
    message("ga_random_binomial: n holds fractions; an integer n >= 0 is wanted",
            GA_ERR_VALUE);
    ga_random_binomial(3, ga_full(s, 1.5, f), s, i);
    message("ga_random_binomial: p holds 1.5; 0 <= p <= 1 is wanted",
            GA_ERR_VALUE);
    ga_random_uniform(-1.5e308, 1.5e308, s, f);
    message("ga_random_uniform: low is -1.5e+308, high 1.5e+308; a finite high - "
            "low is wanted", GA_ERR_VALUE);
    ga_random_uniform(ga_full(s, -1.5e308, GA_FLOAT64), 1.5e308, s, f);
    message("ga_random_uniform: a finite high - low is wanted everywhere",
            GA_ERR_VALUE);
    ga_random_uniform(-3e38, 3e38, s, GA_FLOAT32);
    message("ga_random_uniform: low is -3e+38, high 3e+38; a finite high - low "
            "is wanted", GA_ERR_VALUE);
    ga_random_uniform(ga_full(s, -3e38, GA_FLOAT64), 3e38, s, GA_BFLOAT16);
    message("ga_random_uniform: a finite high - low is wanted everywhere",
            GA_ERR_VALUE);
    ga_random_uniform(2, 1, s, f);
    message("ga_random_uniform: low is 2, high 1; low <= high is wanted",
            GA_ERR_VALUE);
    ga_random_uniform(2, ga_ones(s, f), s, f);
    message("ga_random_uniform: low <= high is wanted everywhere",
            GA_ERR_VALUE);
    ga_random_triangular(0, 2, 1, s, f);
    message("ga_random_triangular: left is 0, mode 2, right 1; mode <= right is "
            "wanted", GA_ERR_VALUE);
    ga_random_triangular(0, 0, 0, s, f);
    message("ga_random_triangular: left is 0, mode 0, right 0; left < right is "
            "wanted", GA_ERR_VALUE);
    ga_random_triangular(ga_ones(s, f), 0, 3, s, f);
    message("ga_random_triangular: left <= mode is wanted everywhere",
            GA_ERR_VALUE);
    ga_random_hypergeometric(2, 3, 6, s, i);
    message("ga_random_hypergeometric: ngood is 2, nbad 3, nsample 6; nsample <= "
            "ngood + nbad is wanted", GA_ERR_VALUE);
    ga_random_hypergeometric(2, ga_full(s, 3, i), 6, s, i);
    message("ga_random_hypergeometric: nsample <= ngood + nbad is wanted "
            "everywhere", GA_ERR_VALUE);
    ga_random_hypergeometric(1e9, 3, 6, s, i);
    message("ga_random_hypergeometric: ngood is 1000000000; an integer 0 <= "
            "ngood < 1e9 is wanted", GA_ERR_VALUE);
    ga_random_negative_binomial(1e15, 1e-10, s, i);
    message("ga_random_negative_binomial: n is 1e+15, p 1e-10; a mean below "
            "9.22e18 is wanted", GA_ERR_VALUE);
    ga_random_negative_binomial(ga_full(s, 1e15, GA_FLOAT64), 1e-10, s, i);
    message("ga_random_negative_binomial: a mean below 9.22e18 is wanted "
            "everywhere", GA_ERR_VALUE);
    ga_random_integers(3, 3, s, i);
    message("ga_random_integers: low is 3, high 3; low < high is wanted",
            GA_ERR_VALUE);
    ga_random_integers(-1, 256, s, GA_UINT8);
    message("ga_random_integers: [-1, 256) is out of range for uint8",
            GA_ERR_VALUE);
    ga_random_integers(0, 257, s, GA_UINT8);
    message("ga_random_integers: [0, 257) is out of range for uint8",
            GA_ERR_VALUE);
    ga_random_integers(0, 3, s, GA_BOOL);
    T_ERROR(GA_ERR_VALUE);
    ga_random_integers(0.5, 3, s, i);
    message("ga_random_integers: low is 0.5; an integer low is wanted",
            GA_ERR_VALUE);
    ga_random_integers(0, 3, s, f);
    message("ga_random_integers: a result of float32 is not possible",
            GA_ERR_DTYPE);
    ga_random_normal(0, 1, s, i);
    message("ga_random_normal: a result of int64 is not possible",
            GA_ERR_DTYPE);
    ga_random(s, GA_COMPLEX64);
    message("ga_random: a result of complex64 is not possible", GA_ERR_DTYPE);
    ga_random(s, (ga_dtype)99);
    T_ERROR(GA_ERR_DTYPE);
    ga_random_normal(ga_zeros(s, GA_COMPLEX64), 1, s, f);
    message("ga_random_normal: loc is complex64", GA_ERR_DTYPE);
    ga_random_normal(ga_zeros(GA_SHAPE(4), f), 1, s, f);
    message("ga_random_normal: loc of shape (4,) does not broadcast to (3,)",
            GA_ERR_SHAPE);
    ga_random_normal(ga_zeros(GA_SHAPE(4), f), ga_ones(s, f), GA_BROADCAST, f);
    message("ga_random_normal: shapes (4,) and (3,) do not broadcast",
            GA_ERR_SHAPE);
    ga_random_normal(ga_zeros(s, f), 1, GA_SHAPE(1), f);
    T_ERROR(GA_ERR_SHAPE);
    ga_random(GA_SHAPE(-2), f);
    T_ERROR(GA_ERR_SHAPE);
    ga_random(GA_SHAPE((int64_t)1 << 62, 9), f);
    T_ERROR(GA_ERR_SIZE);
    ga_random_normal(NULL, 1, s, f);
    T_ERROR(GA_ERR_NULL);
    ga_random_normal(GA_NONE, 1, s, f);
    T_ERROR(GA_ERR_NULL);
    ga_random_normal_into(NULL, 0, 1);
    T_ERROR(GA_ERR_NULL);
    ga_array *x = ga_full(s, 5, f);
    ga_random_normal_into(x, 0, -1);
    message("ga_random_normal_into: scale is -1; scale >= 0 is wanted",
            GA_ERR_VALUE);
    all_are(x, 5);
    ga_random_normal_into(ga_broadcast_to(x, GA_SHAPE(2, 3)), 0, 1);
    T_ERROR(GA_ERR_READONLY);
    ga_random_normal_into(ga_zeros(s, i), 0, 1);
    T_ERROR(GA_ERR_DTYPE);

    ga_rng_state st = {0, 0, 0, 0xffffff};
    ga_rng *g = ga_rng_create(GA_PHILOX, 1);
    T_CHECK(ga_rng_set_state(g, &st) == GA_ERR_VALUE);
    message("ga_rng_set_state: substream is 16777215; below 2**24 - 1 is wanted",
            GA_ERR_VALUE);
    ga_rng_set_state(g, NULL);
    T_ERROR(GA_ERR_NULL);
    ga_rng_get_state(g, NULL);
    T_ERROR(GA_ERR_NULL);
    ga_rng_spawn(g, -1, NULL);
    T_ERROR(GA_ERR_VALUE);
    ga_rng_spawn(g, 1, NULL);
    T_ERROR(GA_ERR_NULL);
    ga_rng_destroy(g);
    T_CHECK(!ga_rng_create((ga_engine)99, 1));
    message("ga_rng_create: 99 is not an engine", GA_ERR_VALUE);
    /* what a failed creation returned passes in silence */
    T_CHECK(ga_rng_jump(ga_rng_create((ga_engine)99, 1), 5) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
}

/* ----------------------------------------------------- cuRAND's engines */
TEST(engines) {
    GA_SCOPE;
    if (!t_on_gpu()) {
        T_CHECK(!ga_rng_create(GA_XORWOW, 1));
        message("ga_rng_create: cuRAND's engines need a GPU",
                GA_ERR_UNSUPPORTED);
        return;
    }
    int64_t n = t_quick() ? 100000 : 1000000;
    for (int e = GA_XORWOW; e <= GA_SCRAMBLED_SOBOL64; e++) {
        bool quasi = e >= GA_SOBOL32;
        ga_rng *g = ga_rng_create((ga_engine)e, 7);
        t_context("engine %d", e);
        if (!g) {
            t_bad("%s", ga_error_message());
            ga_clear_error();
            continue;
        }
        GA_RNG(g);
        GA_SCOPE;
        ga_array *a = ga_random(GA_SHAPE(n), GA_FLOAT32);
        ga_array *b = ga_random(GA_SHAPE(n), GA_FLOAT32);
        T_CHECK(ga_item(ga_count_nonzero(ga_equal(a, b), GA_ALL))
                < 0.01 * (double)n);
        ga_random_seed(7);
        t_same_arrays(ga_random(GA_SHAPE(n), GA_FLOAT32), a, 0);
        for (size_t k = 0; k < T_COUNT(rows); k++) {
            const row *r = &rows[k];
            params p;
            GA_SCOPE;
            if (!case_of(r, 0, &p)) continue;
            t_context("engine %d, %s", e, r->name);
            ga_array *x = draw(r, p.x, GA_SHAPE(n), natural(r));
            if (r->engines == IS_P) {
                T_CHECK(!x && strstr(ga_error_message(), "GA_PHILOX can"));
                T_ERROR(GA_ERR_UNSUPPORTED);
                continue;
            }
            if (!t_is(x, natural(r), GA_SHAPE(n))) continue;
            const g_record *c = g_find("%s/0/x", r->name);
            const g_record *u = g_find("%s/0/cdf", r->name);
            size_t mark = t_me.nhost;
            fits(as_doubles(x), n, (const double *)c->data,
                 (const double *)u->data, c->size);
            while (t_me.nhost > mark) free(t_me.host[--t_me.nhost]);
        }
        ga_rng_state st;
        T_CHECK(ga_rng_get_state(g, &st) == GA_ERR_UNSUPPORTED);
        T_ERROR(GA_ERR_UNSUPPORTED);
        T_CHECK(ga_rng_jump(g, 1) == GA_ERR_UNSUPPORTED);
        T_ERROR(GA_ERR_UNSUPPORTED);
        T_CHECK(!ga_random_bytes(3));
        T_ERROR(GA_ERR_UNSUPPORTED);
        if (quasi) {                /* low discrepancy: the mean at once     */
            ga_random_seed(1);
            ga_array *q = ga_random(GA_SHAPE(65535), GA_FLOAT64);
            T_CHECK(fabs(ga_item(ga_mean(q, GA_ALL)) - 0.5) < 1e-4);
        }
        int here = ga_device();
        ga_set_device(GA_CPU);
        T_CHECK(!ga_random(GA_SHAPE(3), GA_FLOAT32));
        T_ERROR(GA_ERR_DEVICE_MISMATCH);
        ga_set_device(here);
        ga_stream *s = ga_stream_create(0);
        {
            GA_STREAM(s);           /* another stream goes on where it was   */
            ga_random_seed(7);
            ga_array *y = ga_random(GA_SHAPE(n), GA_FLOAT32);
            t_same_arrays(y, a, 0);
        }
        t_same_arrays(ga_random(GA_SHAPE(n), GA_FLOAT32), b, 0);
        ga_stream_destroy(s);
        ga_set_rng(NULL);
        ga_rng_destroy(g);
    }
}

int main(void) {
    g_load("random.bin");
    const struct CMUnitTest tests[] = {
        T(known_answers), T(layout), T(distributions), T(unit_interval),
        T(edges), T(rounding), T(integer_ranges), T(integer_bias),
        T(integer_arrays), T(into_and_views), T(array_parameters),
        T(devices_agree), T(generators), T(spawning), T(threads), T(graphs),
        T(graph_with_arrays), T(permutations), T(rows_of_arrays), T(long_rows), T(equal_keys),
        T(empty_arrays_have_no_order), T(choices),
        T(multinomials), T(dirichlets), T(multivariate_normals), T(errors),
        T(engines)};
    int bad = T_RUN("random", tests);
    g_free();
    return bad;
}
