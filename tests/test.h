/* test.h - what every suite shares: checks, comparisons, a test's frame.

   A suite is one program. It includes this once, lists its tests and runs:

       #include "test.h"

       TEST(adds) {
           GA_SCOPE;
           float want[] = {2, 3};
           ga_array *x = ga_arange(1, 3, 1);
           t_same(ga_astype(ga_add(x, 1), GA_FLOAT32), GA_FLOAT32,
                  GA_SHAPE(2), want);
           ga_reshape(x, GA_SHAPE(7));
           T_ERROR(GA_ERR_SHAPE);
       }
       int main(void) {
           const struct CMUnitTest tests[] = {T(adds)};
           return T_RUN("example", tests);
       }

   TEST() puts a frame around the body: the test fails if at its end an error
   is pending, an array or device memory is left, or a check did not hold.
   Checks (T_CHECK, t_same, ...) note a failure and go on; GA_TEST_MAX_BAD of
   them (12), or cmocka's own assert_..., end the test at once.

   It is linked with the library; one that looks inside, or builds it with
   options of its own, defines GPUARR_IMPLEMENTATION first.

   Everything runs on the thread's default device: GPUARR_DEVICE chooses it.
   GA_TEST_QUICK=1 asks for a reduced run (t_quick), for slow checkers;
   GA_TEST_ONLY=pattern for the tests whose names are like it ("golden_*").  */
#ifndef GPUARR_TEST_H
#define GPUARR_TEST_H

#include "gpuarr.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define T_COUNT(a) (sizeof(a) / sizeof *(a))

/* ------------------------------------------------------- a test's frame */
static struct t_state {
    int bad;                        /* checks that did not hold             */
    bool begun;                     /* any test                             */
    int device;                     /* the first test's, and so all tests'  */
    int64_t live;                   /* arrays and bytes before the test     */
    size_t used;
    char context[512];              /* printed with every failure           */
    void **host;                    /* t_keep's blocks                      */
    size_t nhost, caphost;
} t_me;

/* A sanitizer or Valgrind looks on. */
static GA__UNUSED bool t_checked(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)     \
    || __has_feature(memory_sanitizer)
    return true;
#endif
#endif
    const char *pre = getenv("LD_PRELOAD");
    return pre && strstr(pre, "vgpreload");
}
static GA__UNUSED bool t_quick(void) {
    const char *s = getenv("GA_TEST_QUICK");
    return s && *s && *s != '0';
}
static GA__UNUSED bool t_on_gpu(void) { return ga_device() != GA_CPU; }

/* What the checks that follow are about; printed if one does not hold. */
static GA__UNUSED void t_context(const char *fmt, ...) GA__PRINTF(1, 2);
static GA__UNUSED void t_context(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(t_me.context, sizeof t_me.context, fmt, ap);
    va_end(ap);
}

/* A failure: said, counted, and the test goes on up to T_MAX_BAD of them. */
static GA__UNUSED void t_bad(const char *fmt, ...) GA__PRINTF(1, 2);
static GA__UNUSED void t_bad(const char *fmt, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    print_error("    %s%s%s\n", t_me.context, *t_me.context ? ": " : "",
                text);
    const char *most = getenv("GA_TEST_MAX_BAD");
    if (++t_me.bad >= (most ? atoi(most) : 12)) {
        print_error("    ... and so on\n");
        fail();
    }
}
#define T_CHECK(c) \
    ((c) ? (void)0 : t_bad("%s:%d: %s", __FILE__, __LINE__, #c))
#define T_CHECKF(c, ...) ((c) ? (void)0 : t_bad(__VA_ARGS__))
/* The pending error must be `status`; clears it. T_FINE: none may pend. */
#define T_ERROR(status) t_error(__FILE__, __LINE__, status)
#define T_FINE() t_error(__FILE__, __LINE__, GA_OK)
/* The call gives NULL, or a status that is none, with this error and message. */
#define T_NO(call, status, message)                                         \
    do {                                                                    \
        T_CHECK(!(call));                                                   \
        T_CHECKF(!strcmp(ga_error_message(), message), "%s",                \
                 ga_error_message());                                       \
        T_ERROR(status);                                                    \
    } while (0)
#define T_FAILS(call, status, message) T_NO(!(call), status, message)
static GA__UNUSED void t_error(const char *file, int line, ga_status want) {
    ga_status got = ga_error();
    if (got != want)
        t_bad("%s:%d: %s expected, got %s (%s)", file, line,
              ga_status_name(want), ga_status_name(got), ga_error_message());
    ga_clear_error();
}

/* A malloc'ed block to be freed with the test. */
static GA__UNUSED void *t_keep(void *p) {
    if (t_me.nhost == t_me.caphost) {
        size_t cap = t_me.caphost ? 2 * t_me.caphost : 64;
        void **h = (void **)realloc(t_me.host, cap * sizeof *h);
        assert_non_null(h);
        t_me.host = h;
        t_me.caphost = cap;
    }
    t_me.host[t_me.nhost++] = p;
    return p;
}
static GA__UNUSED void t_release_host(void) {
    while (t_me.nhost) free(t_me.host[--t_me.nhost]);
    free(t_me.host);
    t_me.host = NULL;
    t_me.caphost = 0;
}
static GA__UNUSED void *t_alloc(size_t bytes) {
    void *p = malloc(bytes ? bytes : 1);
    assert_non_null(p);
    return t_keep(p);
}

static GA__UNUSED size_t t_used(void) {
    ga_memory m;
    memset(&m, 0, sizeof m);
    return ga_mem_info(ga_device(), &m) == GA_OK ? m.used : 0;
}
static GA__UNUSED void t_begin(void) {
    ga_scope none = {NULL, NULL};   /* a failed test jumped out of its own  */
    ga_scope_end(&none);
    t_release_host();
    ga_clear_error();
    ga_on_error(NULL);
    t_me.bad = 0;
    t_me.context[0] = 0;
    t_me.live = ga_live_arrays();
    t_me.used = t_used();
}
static GA__UNUSED void t_end(void) {
    if (ga_error()) {
        t_bad("error pending at the test's end: %s", ga_error_message());
        ga_clear_error();
    }
    t_context("at the test's end");
    int64_t left = ga_live_arrays() - t_me.live;
    if (left) {
        ga_list_arrays(stderr);
        t_bad("%lld arrays left alive", (long long)left);
    }
    size_t used = t_used();
    T_CHECKF(used == t_me.used, "%zu bytes in use, %zu before", used,
             t_me.used);
    t_release_host();
    if (t_me.bad) fail();
}
#define TEST(name)                                                          \
    static void t_body_##name(void);                                        \
    static void name(void **state) {                                        \
        (void)state;                                                        \
        t_begin();                                                          \
        t_body_##name();                                                    \
        t_end();                                                            \
    }                                                                       \
    static void t_body_##name(void)
#define T(name) cmocka_unit_test(name)

/* The frame as cmocka's setup and teardown, for tests of cmocka's form. */
static GA__UNUSED int t_setup(void **state) {
    (void)state;
    t_begin();
    return 0;
}
static GA__UNUSED int t_teardown(void **state) {
    (void)state;
    bool ok = !ga_error() && ga_live_arrays() == t_me.live
              && t_used() == t_me.used;
    if (!ok) print_error("    %s; %lld arrays left alive\n",
                         ga_error() ? ga_error_message() : "no error pending",
                         (long long)(ga_live_arrays() - t_me.live));
    ga_clear_error();
    t_release_host();
    return ok && !t_me.bad ? 0 : -1;
}
#define T_WITH_FRAME(f) \
    cmocka_unit_test_setup_teardown(f, t_setup, t_teardown)

/* Says the device, runs the tests; the exit status is 0 if all passed. */
static GA__UNUSED void t_start(const char *suite) {
    const char *only = getenv("GA_TEST_ONLY");
    if (only) cmocka_set_test_filter(only);
    ga_device_properties p;
    memset(&p, 0, sizeof p);
    int d = ga_device();
    if (ga_device_info(d, &p) != GA_OK) ga_clear_error();
    printf("%s on device %d (%s)%s\n", suite, d, p.name,
           t_quick() ? ", quick" : "");
    fflush(stdout);
}
#define T_RUN(suite, tests)                                                 \
    (t_start(suite),                                                        \
     cmocka_run_group_tests_name(suite, tests, NULL, NULL))

/* -------------------------------------------------------------- numbers */
/* Loops over millions of elements, in suites that are not optimised.       */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#pragma GCC push_options
#pragma GCC optimize("O2")
#define T_HURRIED
#endif
static GA__UNUSED ga_complex128 t_c128(double re, double im) {
    ga_complex128 z;
    double v[2] = {re, im};
    memcpy(&z, v, sizeof z);
    return z;
}
static GA__UNUSED ga_complex64 t_c64(float re, float im) {
    ga_complex64 z;
    float v[2] = {re, im};
    memcpy(&z, v, sizeof z);
    return z;
}
static GA__UNUSED bool t_is_float(ga_dtype t) {
    return t >= GA_FLOAT16 && t <= GA_FLOAT64;
}
static GA__UNUSED bool t_is_complex(ga_dtype t) {
    return t == GA_COMPLEX64 || t == GA_COMPLEX128;
}
static GA__UNUSED bool t_is_int(ga_dtype t) {
    return t >= GA_INT8 && t <= GA_UINT64;
}
/* The type of a complex dtype's parts; others are their own. */
static GA__UNUSED ga_dtype t_real_of(ga_dtype t) {
    return t == GA_COMPLEX64 ? GA_FLOAT32
         : t == GA_COMPLEX128 ? GA_FLOAT64 : t;
}

/* Bits to values and back, independent of the library's conversions. */
static GA__UNUSED double t_from_half(uint16_t h) {
    int e = h >> 10 & 31, m = h & 1023;
    double v = e == 31 ? (m ? (double)NAN : (double)INFINITY)
             : e ? ldexp(m + 1024, e - 25) : ldexp(m, -24);
    return h & 0x8000 ? -v : v;
}
static GA__UNUSED double t_from_bf16(uint16_t h) {
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, 4);
    return (double)f;
}
/* Element i of host data as double; a complex one's `part` 0 or 1. */
static GA__UNUSED double t_value(const void *p, ga_dtype t, int64_t i,
                                 int part) {
    size_t k = (size_t)i;
    switch (t) {
    case GA_BOOL: return ((const unsigned char *)p)[k] != 0;
    case GA_INT8: return ((const int8_t *)p)[k];
    case GA_INT16: return ((const int16_t *)p)[k];
    case GA_INT32: return ((const int32_t *)p)[k];
    case GA_INT64: return (double)((const int64_t *)p)[k];
    case GA_UINT8: return ((const uint8_t *)p)[k];
    case GA_UINT16: return ((const uint16_t *)p)[k];
    case GA_UINT32: return ((const uint32_t *)p)[k];
    case GA_UINT64: return (double)((const uint64_t *)p)[k];
    case GA_FLOAT16: return t_from_half(((const uint16_t *)p)[k]);
    case GA_BFLOAT16: return t_from_bf16(((const uint16_t *)p)[k]);
    case GA_FLOAT32: return (double)((const float *)p)[k];
    case GA_FLOAT64: return ((const double *)p)[k];
    case GA_COMPLEX64: return (double)((const float *)p)[2 * k + (size_t)part];
    case GA_COMPLEX128: return ((const double *)p)[2 * k + (size_t)part];
    default: return (double)NAN;
    }
}
static GA__UNUSED uint16_t t_to_half(double v) {
    union { float f; uint32_t u; } s;
    s.f = (float)v;
    uint16_t sign = (uint16_t)(s.u >> 16 & 0x8000);
    double a = fabs(v);
    if (isnan(v)) return sign | 0x7e00;
    if (a >= 65520) return sign | 0x7c00;
    if (a == 0) return sign;
    int e;
    frexp(a, &e);
    int q = (e < -13 ? -13 : e) - 11;           /* exponent of the last bit */
    uint16_t m = (uint16_t)nearbyint(ldexp(a, -q));
    return (uint16_t)(sign | (m + (q > -24 || m >= 1024 ? (q + 24) << 10 : 0)));
}
static GA__UNUSED uint16_t t_to_bf16(double v) {
    union { float f; uint32_t u; } s;
    s.f = (float)v;
    if (isnan(v)) return 0x7fc0;
    return (uint16_t)((s.u + 0x7fff + (s.u >> 16 & 1)) >> 16);
}
/* Stores v (and im) as element i; integers truncate. */
static GA__UNUSED void t_store(void *p, ga_dtype t, int64_t i, double v,
                               double im) {
    size_t k = (size_t)i;
    switch (t) {
    case GA_BOOL: ((unsigned char *)p)[k] = v != 0; break;
    case GA_INT8: ((int8_t *)p)[k] = (int8_t)(int64_t)v; break;
    case GA_INT16: ((int16_t *)p)[k] = (int16_t)(int64_t)v; break;
    case GA_INT32: ((int32_t *)p)[k] = (int32_t)(int64_t)v; break;
    case GA_INT64: ((int64_t *)p)[k] = (int64_t)v; break;
    case GA_UINT8: ((uint8_t *)p)[k] = (uint8_t)(int64_t)v; break;
    case GA_UINT16: ((uint16_t *)p)[k] = (uint16_t)(int64_t)v; break;
    case GA_UINT32: ((uint32_t *)p)[k] = (uint32_t)(int64_t)v; break;
    case GA_UINT64: ((uint64_t *)p)[k] = (uint64_t)v; break;
    case GA_FLOAT16: ((uint16_t *)p)[k] = t_to_half(v); break;
    case GA_BFLOAT16: ((uint16_t *)p)[k] = t_to_bf16(v); break;
    case GA_FLOAT32: ((float *)p)[k] = (float)v; break;
    case GA_FLOAT64: ((double *)p)[k] = v; break;
    case GA_COMPLEX64:
        ((float *)p)[2 * k] = (float)v;
        ((float *)p)[2 * k + 1] = (float)im;
        break;
    case GA_COMPLEX128:
        ((double *)p)[2 * k] = v;
        ((double *)p)[2 * k + 1] = im;
        break;
    default: break;
    }
}
/* An element as text, for messages; one of a few buffers. */
static GA__UNUSED const char *t_text(const void *p, ga_dtype t, int64_t i) {
    static char text[4][80];
    static unsigned turn;
    char *b = text[turn++ % 4];
    size_t k = (size_t)i;
    if (t == GA_INT64)
        snprintf(b, 80, "%lld", (long long)((const int64_t *)p)[k]);
    else if (t == GA_UINT64)
        snprintf(b, 80, "%llu", (unsigned long long)((const uint64_t *)p)[k]);
    else if (t_is_complex(t))
        snprintf(b, 80, "%.17g%+.17gj", t_value(p, t, i, 0),
                 t_value(p, t, i, 1));
    else
        snprintf(b, 80, "%.17g", t_value(p, t, i, 0));
    return b;
}
/* Equal bits, any NaN equal to any other; complex by parts. */
static GA__UNUSED bool t_equal(const void *a, const void *b, ga_dtype t,
                               int64_t i) {
    size_t n = ga_dtype_size(t), k = (size_t)i * n;
    if (!memcmp((const char *)a + k, (const char *)b + k, n)) return true;
    for (int part = 0; part < 1 + t_is_complex(t); part++) {
        double x = t_value(a, t, i, part), y = t_value(b, t, i, part);
        if (t_is_int(t) || t == GA_BOOL) return false;
        if (isnan(x) && isnan(y)) continue;
        if (!(x == y) || !signbit(x) != !signbit(y)) return false;
    }
    return true;
}

/* Distance of neighbours at v in a float type, subnormals included. */
static GA__UNUSED double t_ulp(ga_dtype t, double v) {
    int digits = t == GA_FLOAT16 ? 11 : t == GA_BFLOAT16 ? 8
               : t_real_of(t) == GA_FLOAT32 ? 24 : 53;
    int low = t == GA_FLOAT16 ? -14 : t_real_of(t) == GA_FLOAT64 ? -1022
            : -126, high = t == GA_FLOAT16 ? 15
            : t_real_of(t) == GA_FLOAT64 ? 1023 : 127, e;
    frexp(v, &e);
    e = isinf(v) || e - 1 > high ? high : v == 0 || e - 1 < low ? low : e - 1;
    return ldexp(1, e - digits + 1);
}
/* 2**(largest exponent + 1) / 2: what an infinite result is taken for. */
static GA__UNUSED double t_half_over(ga_dtype t) {
    return ldexp(1, t == GA_FLOAT16 ? 15 : t_real_of(t) == GA_FLOAT64 ? 1023
                                                                      : 127);
}
/* Error of `got` against hi + lo in units in the last place of type t at the
   true value. NaN must be NaN, an infinite truth be met exactly; where the
   truth is finite an infinity counts as the first power of 2 beyond.       */
static GA__UNUSED double t_ulps(ga_dtype t, double got, double hi, double lo) {
    if (isnan(hi) || isnan(got))
        return isnan(hi) && isnan(got) ? 0 : (double)INFINITY;
    if (isinf(hi)) return got == hi ? 0 : (double)INFINITY;
    if (got == hi && lo == 0) return 0;
    if (fabs(hi) < 1e300 && isfinite(got))
        return fabs((got - hi) - lo) / t_ulp(t, hi);
    double half = isinf(got) ? copysign(t_half_over(t), got) : got / 2;
    return fabs((half - hi / 2) - lo / 2) / (t_ulp(t, hi) / 2);
}
/* The same for complex numbers, relative to |z|. Parts that are not finite
   must agree exactly.                                                      */
static GA__UNUSED double t_ulps_complex(ga_dtype t, const double got[2],
                                        const double hi[2],
                                        const double lo[2]) {
    double err[2], size = 0, s = 1;
    t = t_real_of(t);
    for (int i = 0; i < 2; i++)     /* halved, where all could overflow     */
        if (isinf(got[i]) || fabs(hi[i]) > 1e300) s = 0.5;
    for (int i = 0; i < 2; i++) {
        if (!isfinite(hi[i]) || isnan(got[i])) {
            if (t_ulps(t, got[i], hi[i], 0) != 0) return (double)INFINITY;
            err[i] = 0;
            continue;
        }
        double g = isinf(got[i]) ? copysign(t_half_over(t), got[i]) * 2 * s
                                 : got[i] * s;
        err[i] = (g - hi[i] * s) - lo[i] * s;
        size = hypot(size, hi[i] * s);
    }
    double e = hypot(err[0], err[1]);
    return e == 0 ? 0 : e / (t_ulp(t, size / s) * s);
}
/* Distance of host elements of one dtype: 0, infinite or in ulps; for integer
   types 0 or infinite.                                                     */
static GA__UNUSED double t_distance(const void *got, const void *want,
                                    ga_dtype t, int64_t i) {
    if (t_equal(got, want, t, i)) return 0;
    if (t_is_complex(t)) {
        double g[2] = {t_value(got, t, i, 0), t_value(got, t, i, 1)};
        double w[2] = {t_value(want, t, i, 0), t_value(want, t, i, 1)};
        double zero[2] = {0, 0};
        return t_ulps_complex(t, g, w, zero);
    }
    if (!t_is_float(t)) return (double)INFINITY;
    return t_ulps(t, t_value(got, t, i, 0), t_value(want, t, i, 0), 0);
}

/* --------------------------------------------------------- whole arrays */
static GA__UNUSED int64_t t_size(ga_shape s) {
    int64_t n = 1;
    for (int i = 0; i < s.ndim; i++) n *= s.dim[i];
    return n;
}
static GA__UNUSED const char *t_shape_text(int ndim, const int64_t *d) {
    static char text[4][200];
    static unsigned turn;
    char *b = text[turn++ % 4];
    size_t n = (size_t)snprintf(b, 200, "(");
    for (int i = 0; i < ndim; i++)
        n += (size_t)snprintf(b + n, 200 - n, "%s%lld", i ? "," : "",
                              (long long)d[i]);
    snprintf(b + n, 200 - n, ndim == 1 ? ",)" : ")");
    return b;
}
/* Dtype and shape; false (and a failure) where they differ. */
static GA__UNUSED bool t_is(const ga_array *x, ga_dtype t, ga_shape s) {
    if (!x) {
        t_bad("NULL: %s", ga_error_message());
        ga_clear_error();
        return false;
    }
    bool same = x->ndim == s.ndim && x->size == t_size(s);
    for (int i = 0; same && i < s.ndim; i++) same = x->shape[i] == s.dim[i];
    if (same && x->dtype == t) return true;
    t_bad("%s %s, expected %s %s", ga_dtype_name(x->dtype),
          t_shape_text(x->ndim, x->shape), ga_dtype_name(t),
          t_shape_text(s.ndim, s.dim));
    return false;
}
/* The elements in C order, freed with the test. */
static GA__UNUSED void *t_host(const ga_array *x) {
    size_t bytes = x ? (size_t)x->size * ga_dtype_size(x->dtype) : 0;
    void *p = t_alloc(bytes);
    if (x && bytes && !ga_asnumpy(x, p)) {
        t_bad("ga_asnumpy: %s", ga_error_message());
        memset(p, 0xee, bytes);
        ga_clear_error();
    }
    return p;
}
/* n host elements against n others, within `ulps` (0: the same bits). */
static GA__UNUSED bool t_compare(const void *got, const void *want, ga_dtype t,
                                 int64_t n, double ulps) {
    int64_t at = -1, count = 0;
    double worst = 0;
    if (!n || !memcmp(got, want, (size_t)n * ga_dtype_size(t))) return true;
    for (int64_t i = 0; i < n; i++) {
        if (t_equal(got, want, t, i)) continue;
        double d = ulps > 0 ? t_distance(got, want, t, i) : (double)INFINITY;
        if (d <= ulps) continue;
        count++;
        if (at < 0 || d > worst) at = i, worst = d;
    }
    if (at < 0) return true;
    t_bad("%lld of %lld %s differ; element %lld is %s, expected %s "
          "(%.3g ulp, %g allowed)", (long long)count, (long long)n,
          ga_dtype_name(t), (long long)at, t_text(got, t, at),
          t_text(want, t, at), worst, ulps);
    return false;
}
/* dtype, shape and elements: the same bits, NaN equal to NaN. */
static GA__UNUSED bool t_near(const ga_array *x, ga_dtype t, ga_shape s,
                              const void *want, double ulps) {
    if (!t_is(x, t, s)) return false;
    size_t bytes = (size_t)x->size * ga_dtype_size(t);
    void *p = malloc(bytes ? bytes : 1);
    assert_non_null(p);
    bool ok = !bytes || ga_asnumpy(x, p);
    if (!ok) {
        t_bad("ga_asnumpy: %s", ga_error_message());
        ga_clear_error();
    }
    /* t_bad may leave the test: the block must not depend on its return */
    t_keep(p);
    ok = ok && t_compare(p, want, t, x->size, ulps);
    t_me.nhost--;
    free(p);
    return ok;
}
static GA__UNUSED bool t_same(const ga_array *x, ga_dtype t, ga_shape s,
                              const void *want) {
    return t_near(x, t, s, want, 0);
}
/* Two arrays: equal dtype, shape, and elements within ulps. */
static GA__UNUSED bool t_same_arrays(const ga_array *x, const ga_array *y,
                                     double ulps) {
    if (!x || !y) {
        t_bad("NULL: %s", ga_error_message());
        ga_clear_error();
        return false;
    }
    size_t bytes = (size_t)y->size * ga_dtype_size(y->dtype);
    void *p = malloc(bytes ? bytes : 1);
    assert_non_null(p);
    if (bytes && !ga_asnumpy(y, p)) memset(p, 0xee, bytes);
    t_keep(p);
    size_t mark = t_me.nhost;
    bool ok = t_near(x, y->dtype, ga_shape_of(y), p, ulps);
    if (t_me.nhost == mark) t_me.nhost--, free(p);
    return ok;
}

/* --------------------------------------------------------- test data */
/* A fixed sequence: xorshift64*, the same on every run. */
static uint64_t t_seed = 88172645463325252u;
static GA__UNUSED uint64_t t_random(void) {
    t_seed ^= t_seed >> 12;
    t_seed ^= t_seed << 25;
    t_seed ^= t_seed >> 27;
    return t_seed * 2685821657736338717u;
}
static GA__UNUSED double t_uniform(double lo, double hi) {
    return lo + (hi - lo) * (double)(t_random() >> 11) * 0x1p-53;
}
/* n random elements in [lo, hi]; unsigned types take the part >= 0. */
static GA__UNUSED void *t_fill(void *p, ga_dtype t, int64_t n, double lo,
                               double hi) {
    if (t >= GA_UINT8 && t <= GA_UINT64 && lo < 0) lo = 0;
    for (int64_t i = 0; i < n; i++) {
        double re = t_uniform(lo, hi), im = t_uniform(lo, hi);
        if (t == GA_BOOL) re = re > (lo + hi) / 2;
        if (t_is_int(t)) re = floor(re + 0.5);
        t_store(p, t, i, re, im);
    }
    return p;
}
/* An array of random elements on the current device. */
static GA__UNUSED ga_array *t_random_array(ga_dtype t, ga_shape s, double lo,
                                           double hi) {
    int64_t n = t_size(s);
    void *p = malloc((size_t)n * ga_dtype_size(t) + 1);
    assert_non_null(p);
    ga_array *x = ga_asarray_as(t_fill(p, t, n, lo, hi), t, s);
    free(p);
    return x;
}
#ifdef T_HURRIED
#pragma GCC pop_options
#endif
/* The same elements laid out otherwise: 0 as they are, 1 the axes reversed in
   memory, 2 every other element of a larger array, 3 backwards, 4 rotated
   axes; length 1 broadcast from nothing in 5.                               */
enum { T_LAYOUTS = 6 };
static GA__UNUSED ga_array *t_laid_out(const ga_array *x, int how) {
    int n = x->ndim;
    if (how == 1) return ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
    if (how == 2 && n) {
        ga_shape big = ga_shape_of(x);
        for (int i = 0; i < n; i++) big.dim[i] = 2 * big.dim[i] + 1;
        ga_array *v = ga_full(big, 1, x->dtype);
        for (int i = 0; i < n; i++) v = ga_slice_axis(v, i, 1, GA_END, 2);
        ga_assign(v, x);
        return v;
    }
    if (how == 3 && n) return ga_flip(ga_copy(ga_flip(x, GA_ALL)), GA_ALL);
    if (how == 4 && n > 1)
        return ga_moveaxis(ga_copy(ga_moveaxis(x, GA_AXIS(0), GA_AXIS(-1))),
                           GA_AXIS(-1), GA_AXIS(0));
    if (how == 5 && n) {            /* the first element for all of them    */
        ga_array *v = ga_view(x);
        for (int i = 0; i < n && x->size; i++) v = ga_slice_axis(v, i, 0, 1, 1);
        return x->size ? ga_broadcast_to(v, ga_shape_of(x)) : v;
    }
    return ga_view(x);
}
#endif /* GPUARR_TEST_H */
