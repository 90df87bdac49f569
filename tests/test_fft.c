/* Transforms: golden/fft.bin, NumPy's and SciPy's values of every function; all
   lengths to 300 and large ones against sums in long double; layouts, outputs
   that overlap, graphs, errors.                                             */
#include "golden.h"
#include <math.h>

typedef ga_array *(*one_fn)(const ga_array *, int64_t, int, ga_fft_norm);
typedef ga_status (*one_into_fn)(ga_array *, const ga_array *, int64_t, int,
                                 ga_fft_norm);
typedef ga_array *(*many_fn)(const ga_array *, ga_shape, ga_axis, ga_fft_norm);
typedef ga_status (*many_into_fn)(ga_array *, const ga_array *, ga_shape,
                                  ga_axis, ga_fft_norm);
static const struct one { const char *name; one_fn f; one_into_fn into; }
ones[] = {
#define X(n) {#n, (ga_##n), (ga_##n##_into)},
    GA__FFTS(X)
};
static const struct many { const char *name; many_fn f; many_into_fn into; }
manys[] = {
    GA__FFTNS(X)
#undef X
};

typedef ga_array *(*dct_fn)(const ga_array *, int, int64_t, int, ga_fft_norm);
typedef ga_status (*dct_into_fn)(ga_array *, const ga_array *, int, int64_t,
                                 int, ga_fft_norm);
static const struct dct { const char *name; dct_fn f; dct_into_fn into; }
dcts[] = {
#define X(n) {#n, (ga_##n), (ga_##n##_into)},
    GA__DCTS(X)
};
typedef ga_array *(*dctn_fn)(const ga_array *, int, ga_shape, ga_axis,
                             ga_fft_norm);
typedef ga_status (*dctn_into_fn)(ga_array *, const ga_array *, int, ga_shape,
                                  ga_axis, ga_fft_norm);
static const struct dctn { const char *name; dctn_fn f; dctn_into_fn into; }
dctns[] = {
    GA__DCTNS(X)
#undef X
};

/* ------------------------------------------------------------- how far off */
/* The relative error of got, in the 2-norm. */
static double off(const void *got, ga_dtype t, const void *want, ga_dtype u,
                  int64_t n) {
    long double d = 0, m = 0;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k <= (int)t_is_complex(u); k++) {
            long double a = (long double)t_value(got, t, i, k);
            long double b = (long double)t_value(want, u, i, k);
            d += (a - b) * (a - b);
            m += b * b;
        }
    return m > 0 ? (double)sqrtl(d / m) : (double)sqrtl(d);
}
static bool is_wide(ga_dtype t) {
    return t == GA_FLOAT64 || t == GA_COMPLEX128;
}
static double bound(ga_dtype t, double n) {
    return (is_wide(t) ? 1e-15 : 1e-6) * log2(n < 2 ? 2 : n);
}

/* ------------------------------------------------------------------ golden */
typedef struct call {
    char f[16];
    int type, norm, ns, na;
    ga_shape s;
    ga_axis axes;
} call;
static call parse(const char *text) {
    call c;
    int at = 0, more = 0;
    memset(&c, 0, sizeof c);
    sscanf(text, "%15s %d %d %d%n", c.f, &c.type, &c.norm, &c.ns, &at);
    c.s.ndim = c.ns;
    for (int i = 0; i < c.ns; i++, at += more) {
        long long v;
        sscanf(text + at, "%lld%n", &v, &more);
        c.s.dim[i] = v;
    }
    sscanf(text + at, "%d%n", &c.na, &more);
    at += more;
    c.axes.n = c.na;
    for (int i = 0; i < c.na; i++, at += more)
        sscanf(text + at, "%d%n", &c.axes.axis[i], &more);
    return c;
}
static ga_array *run(const call *c, const ga_array *x, ga_array *out) {
    const int64_t n = c->ns ? c->s.dim[0] : 0;
    const ga_fft_norm norm = (ga_fft_norm)c->norm;
    for (size_t i = 0; i < T_COUNT(ones); i++)
        if (!strcmp(ones[i].name, c->f)) {
            if (!out) return ones[i].f(x, n, c->axes.axis[0], norm);
            ones[i].into(out, x, n, c->axes.axis[0], norm);
            return out;
        }
    for (size_t i = 0; i < T_COUNT(manys); i++)
        if (!strcmp(manys[i].name, c->f)) {
            if (!out) return manys[i].f(x, c->s, c->axes, norm);
            manys[i].into(out, x, c->s, c->axes, norm);
            return out;
        }
    for (size_t i = 0; i < T_COUNT(dcts); i++)
        if (!strcmp(dcts[i].name, c->f)) {
            if (!out)
                return dcts[i].f(x, c->type, n, c->axes.axis[0], norm);
            dcts[i].into(out, x, c->type, n, c->axes.axis[0], norm);
            return out;
        }
    for (size_t i = 0; i < T_COUNT(dctns); i++)
        if (!strcmp(dctns[i].name, c->f)) {
            if (!out) return dctns[i].f(x, c->type, c->s, c->axes, norm);
            dctns[i].into(out, x, c->type, c->s, c->axes, norm);
            return out;
        }
    t_bad("no function %s", c->f);
    return NULL;
}
static bool right(const ga_array *y, const g_record *want) {
    ga_dtype t = y ? y->dtype : GA_FLOAT64;
    const bool wide = is_wide(t);
    ga_dtype u = t_is_complex(want->dtype) ? wide ? GA_COMPLEX128 : GA_COMPLEX64
                                           : wide ? GA_FLOAT64 : GA_FLOAT32;
    if (!t_is(y, u, want->shape)) return false;
    const double e = off(t_host(y), t, want->data, want->dtype, want->size);
    const double most = bound(t, 64);
    T_CHECKF(e <= most, "off by %g; %g is allowed", e, most);
    return e <= most;
}
static bool reads_wide(ga_dtype t) {
    return is_wide(t) || !(t_is_float(t) || t_is_complex(t));
}
TEST(golden) {
    g_load("fft.bin");
    int seen = 0;
    const g_record *text;
    for (int k = 0; (text = g_find("%d/text", k)); k++) {
        GA_SCOPE;
        const call c = parse((const char *)text->data);
        const g_record *x = g_find("%d/x", k), *want = g_find("%d/out", k);
        t_context("%s", (const char *)text->data);
        ga_array *a = (ga_asarray_as)(x->data, x->dtype, x->shape);
        for (int how = t_on_gpu() ? k % 3 : 0; how < 5; how += t_on_gpu() ? 3 : 1) {
            ga_array *v = t_laid_out(a, how), *y = run(&c, v, NULL);
            if (!y) { T_CHECK(ga_error() == GA_OK); break; }
            T_CHECK(is_wide(y->dtype) == reads_wide(x->dtype));
            if (!right(y, want)) break;
            ga_array *out = t_laid_out(ga_full(want->shape, 7, y->dtype), how);
            run(&c, v, out);
            if (!right(out, want)) break;
            seen++;
        }
    }
    T_CHECK(seen > 300);
    g_free();
}
TEST(convolved) {
    g_load("fft.bin");
    const g_record *text;
    int k = 0;
    for (; (text = g_find("c%d/text", k)); k++) {
        GA_SCOPE;
        int mode = 0, at = 0, more = 0;
        ga_axis axes = {0, false, {0}};
        sscanf((const char *)text->data, "%d %d%n", &mode, &axes.n, &at);
        for (int i = 0; i < axes.n; i++, at += more)
            sscanf((const char *)text->data + at, "%d%n", &axes.axis[i], &more);
        const g_record *x = g_find("c%d/x", k), *y = g_find("c%d/y", k);
        const g_record *want = g_find("c%d/out", k);
        t_context("%d: %s", k, (const char *)text->data);
        ga_array *a = (ga_asarray_as)(x->data, x->dtype, x->shape);
        ga_array *b = (ga_asarray_as)(y->data, y->dtype, y->shape);
        for (int how = 0; how < 5; how++) {
            ga_array *r = ga_fftconvolve(t_laid_out(a, how), t_laid_out(b, how),
                                         (ga_convolve_mode)mode, axes);
            if (!right(r, want)) break;
            ga_array *out = t_laid_out(ga_zeros_like(r), how);
            T_CHECK(ga_fftconvolve_into(out, a, b, (ga_convolve_mode)mode, axes)
                    == GA_OK);
            right(out, want);
        }
    }
    T_CHECK(k >= 18);
    g_free();
}
TEST(frequencies) {
    g_load("fft.bin");
    const g_record *r;
    for (int k = 0; (r = g_find("f%d/text", k)); k++) {
        GA_SCOPE;
        char f[16];
        long long n;
        double d;
        sscanf((const char *)r->data, "%15s %lld %lf", f, &n, &d);
        t_context("%s", (const char *)r->data);
        const g_record *want = g_find("f%d/out", k);
        t_same(f[0] == 'r' ? ga_rfftfreq(n, d) : ga_fftfreq(n, d), GA_FLOAT64,
               want->shape, want->data);
    }
    const g_record *len = g_find("len");
    const int64_t *p = (const int64_t *)len->data;
    for (int64_t i = 0; i < len->size; i += 2)
        T_CHECK(ga_next_fast_len(p[i]) == p[i + 1]);
    g_free();
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange(0, 15, 1), GA_SHAPE(3, 5));
    t_same_arrays(ga_fftshift(x, GA_ALL),
                  ga_roll_by(x, GA_SHAPE(1, 2), GA_AXIS(0, 1)), 0);
    t_same_arrays(ga_ifftshift(ga_fftshift(x, GA_AXIS(1)), GA_AXIS(1)), x, 0);
    ga_array *y = ga_zeros_like(x);
    T_CHECK(ga_ifftshift_into(y, x, GA_AXIS(-2)) == GA_OK);
    t_same_arrays(y, ga_roll(x, -1, GA_AXIS(0)), 0);
}

/* ------------------------------------------------------- against plain sums */
static long double *roots(int64_t n) {
    long double *r = (long double *)malloc((size_t)n * 2 * sizeof *r);
    for (int64_t k = 0; k < n; k++) {
        long double a = 2 * acosl(-1.0L) * (long double)k / (long double)n;
        r[2 * k] = cosl(a);
        r[2 * k + 1] = -sinl(a);
    }
    return r;
}
/* Frequency k of the n complex numbers of t at x. */
static void sum(const void *x, ga_dtype t, int64_t n, int64_t k,
                const long double *r, double *out) {
    long double re = 0, im = 0;
    for (int64_t i = 0, at = 0; i < n; i++, at = (at + k) % n) {
        long double a = (long double)t_value(x, t, i, 0);
        long double b = t_is_complex(t) ? (long double)t_value(x, t, i, 1) : 0;
        re += a * r[2 * at] - b * r[2 * at + 1];
        im += a * r[2 * at + 1] + b * r[2 * at];
    }
    out[0] = (double)re;
    out[1] = (double)im;
}
static void there_and_back(const ga_array *x, int axis) {
    const int64_t n = x->shape[axis];
    const ga_dtype t = x->dtype;
    ga_array *f = t_is_complex(t) ? ga_fft(x, 0, axis, GA_BACKWARD)
                                  : ga_rfft(x, 0, axis, GA_BACKWARD);
    ga_array *b = t_is_complex(t) ? ga_ifft(f, 0, axis, GA_BACKWARD)
                                  : ga_irfft(f, n, axis, GA_BACKWARD);
    if (!t_is(b, t, ga_shape_of(x))) return;
    const double e = off(t_host(b), t, t_host(x), t, x->size);
    T_CHECKF(e < bound(t, (double)n), "there and back: off by %g", e);
}
TEST(lengths) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_COMPLEX64,
                                     GA_COMPLEX128};
    /* cuFFT takes 10 ms for a plan                                         */
    for (int64_t n = 1; n <= 300; n += t_quick() ? 37 : !t_on_gpu() || n < 40
                                       ? 1 : 13) {
        long double *r = roots(n);
        double *want = (double *)malloc((size_t)n * 16);
        for (size_t k = 0; k < T_COUNT(types); k++) {
            GA_SCOPE;
            const ga_dtype t = types[k];
            const int64_t m = t_is_complex(t) ? n : n / 2 + 1;
            t_context("%s of %lld", ga_dtype_name(t), (long long)n);
            ga_array *x = t_random_array(t, GA_SHAPE(9, n), -1, 1);
            const char *p = (const char *)t_host(x)
                            + (size_t)(4 * n) * ga_dtype_size(t);
            for (int64_t i = 0; i < m; i++) sum(p, t, n, i, r, want + 2 * i);
            for (int how = 0; how < 2; how++) {
                ga_array *v = how ? ga_copy(ga_transpose(x, GA_ALL)) : x;
                ga_array *f = t_is_complex(t)
                    ? ga_fft(v, 0, how - 1, GA_BACKWARD)
                    : ga_rfft(v, 0, how - 1, GA_BACKWARD);
                f = ga_copy(ga_index_axis(f, how, 4));
                const double e = off(t_host(f), f->dtype, want, GA_COMPLEX128,
                                     m);
                T_CHECKF(e < bound(t, (double)n), "off by %g", e);
                there_and_back(v, 1 - how);
            }
        }
        free(r);
        free(want);
    }
}
/* Type `type` of the cosine transform of n numbers, or of the sine transform, as
   SciPy defines them: every angle is a whole number of parts of pi.         */
static void plain_dct(const double *x, int64_t n, bool sine, int type,
                      double *y) {
    const int64_t parts = type == 1 ? sine ? n + 1 : n - 1 : 4 * n;
    long double *r = roots(2 * parts);
    for (int64_t k = 0; k < n; k++) {
        long double v = 0;
        for (int64_t i = 0; i < n; i++) {
            const int64_t odd = 2 * i + 1, kodd = 2 * k + 1, s = sine;
            const int64_t at = (type == 1 ? (k + s) * (i + s)
                                : type == 2 ? 2 * (k + s) * odd
                                : type == 3 ? 2 * kodd * (i + s) : kodd * odd)
                               % (2 * parts);
            const bool end = type == 1 ? !sine && (!i || i == n - 1)
                             : type == 3 && i == (sine ? n - 1 : 0);
            v += x[i] * (end ? 1 : 2) * (sine ? -r[2 * at + 1] : r[2 * at]);
        }
        y[k] = (double)v;
    }
    free(r);
}
TEST(lengths_of_the_others) {
    static const int64_t large[] = {509, 1021, 2053};
    for (int64_t j = 1; j <= 303; j += t_quick() ? 37 : !t_on_gpu() ? 1 : 13) {
        GA_SCOPE;
        const int64_t n = j <= 300 ? j : large[j - 301];
        const ga_fft_norm norm = (ga_fft_norm)(n % 3);
        double *want = (double *)malloc((size_t)n * sizeof *want);
        ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(n), -1, 1);
        for (int type = 1; type <= 4; type++)
            for (int sine = 0; sine < 2 && n + sine > (type == 1); sine++) {
                t_context("%s, type %d of %lld", sine ? "dst" : "dct", type,
                          (long long)n);
                plain_dct(t_host(x), n, sine, type, want);
                for (int wide = 0; wide < 2; wide++) {
                    GA_SCOPE;
                    const ga_dtype t = wide ? GA_FLOAT64 : GA_FLOAT32;
                    ga_array *v = ga_astype(x, t);
                    ga_array *y = sine ? ga_dst(v, type, 0, 0, GA_BACKWARD)
                                       : ga_dct(v, type, 0, 0, GA_BACKWARD);
                    if (!t_is(y, t, GA_SHAPE(n))) continue;
                    const double e = off(t_host(y), t, want, GA_FLOAT64, n);
                    T_CHECKF(e < bound(t, (double)n), "off by %g", e);
                    y = sine ? ga_idst(ga_dst(v, type, 0, 0, norm), type, 0, 0, norm)
                             : ga_idct(ga_dct(v, type, 0, 0, norm), type, 0, 0, norm);
                    const double b = off(t_host(y), t, t_host(v), t, n);
                    T_CHECKF(b < 2 * bound(t, (double)n), "there and back: off by %g", b);
                }
            }
        free(want);
        t_context("hfft of %lld", (long long)n);
        ga_array *half = ga_ihfft(x, 0, 0, norm), *back = ga_hfft(half, n, 0, norm);
        ga_array *all = ga_slice(ga_ifft(x, 0, 0, norm), ":%lld", (long long)(n / 2 + 1));
        if (!t_is(half, GA_COMPLEX128, GA_SHAPE(n / 2 + 1))) continue;
        const double e = off(t_host(half), GA_COMPLEX128, t_host(ga_copy(all)),
                             GA_COMPLEX128, n / 2 + 1);
        const double b = off(t_host(back), GA_FLOAT64, t_host(x), GA_FLOAT64, n);
        T_CHECKF(e < 2 * bound(GA_FLOAT64, (double)n), "off by %g", e);
        T_CHECKF(b < 2 * bound(GA_FLOAT64, (double)n), "there and back: off by %g", b);
    }
}
TEST(large) {
    static const int64_t lengths[] = {
        509, 512, 1000, 1021, 2018, 2039, 2048, 4093, 4096, 8192, 65536, 65537,
        59049, 15625, 16807, 100003, 131072, 1048576, 999983};
    for (size_t k = 0; k < T_COUNT(lengths) - (t_quick() ? 6 : 0); k++) {
        const int64_t n = lengths[k];
        const int some = n > 100000 ? 2 : 8;
        long double *r = roots(n);
        for (int wide = 0; wide < 2; wide++) {
            GA_SCOPE;
            const ga_dtype t = wide ? GA_COMPLEX128 : GA_COMPLEX64;
            t_context("%s of %lld", ga_dtype_name(t), (long long)n);
            ga_array *x = t_random_array(t, GA_SHAPE(n), -1, 1);
            ga_array *f = ga_fft(x, 0, 0, GA_ORTHO);
            if (!f) { T_FINE(); break; }
            const void *p = t_host(x), *q = t_host(f);
            long double e = 0;
            for (int i = 0; i < some; i++) {
                const int64_t at = (int64_t)(t_random() % (uint64_t)n);
                double want[2];
                sum(p, t, n, at, r, want);
                for (int j = 0; j < 2; j++) {
                    const long double d = t_value(q, t, at, j)
                        - (long double)want[j] / sqrtl((long double)n);
                    e += d * d;
                }
            }
            /* so many values of variance 1/3 a part                        */
            const double rel = (double)sqrtl(e / (some * 2 / 3.0L));
            T_CHECKF(rel < bound(t, (double)n), "off by %g", rel);
            there_and_back(x, 0);
            there_and_back(t_random_array(wide ? GA_FLOAT64 : GA_FLOAT32,
                                          GA_SHAPE(n), -1, 1), 0);
        }
        free(r);
    }
}

static void close_to(const ga_array *x, const ga_array *want) {
    if (!t_is(x, want->dtype, ga_shape_of(want))) return;
    const double e = off(t_host(x), x->dtype, t_host(want), x->dtype, x->size);
    T_CHECKF(e < bound(x->dtype, (double)x->size), "off by %g", e);
}
/* Across memory, beside the same rows side by side; lengths of one launch, of
   two, and of neither.                                                      */
TEST(columns) {
    static const int64_t lengths[] = {243, 1000, 1009, 2018, 3000, 4096, 5000,
                                      2187, 4036, 4099, 1 << 14};
    for (size_t k = 0; k < T_COUNT(lengths) - (t_quick() ? 4 : 0); k++)
        for (int wide = 0; wide < 2; wide++) {
            GA_SCOPE;
            if (t_quick() && (k + (size_t)wide) % 2) continue;
            const int64_t n = lengths[k];
            const int64_t m = n == 1009 ? 270 : 9;
            const ga_dtype t = wide ? GA_COMPLEX128 : GA_COMPLEX64;
            t_context("%s of %lld", ga_dtype_name(t), (long long)n);
            ga_array *x = t_random_array(t, GA_SHAPE(2, n, m), -1, 1);
            ga_array *rows = ga_copy(ga_swapaxes(x, 1, 2));
            ga_array *want = ga_swapaxes(ga_fft(rows, 0, 2, GA_ORTHO), 1, 2);
            for (int how = 0; how < 3; how++) {
                ga_array *y = how == 2 ? ga_zeros(GA_SHAPE(m, n, 2), t) : NULL;
                if (y) y = ga_transpose(y, GA_ALL);
                if (how == 1) x = ga_flip(ga_copy(ga_flip(x, GA_ALL)), GA_ALL);
                if (y) ga_fft_into(y, x, 0, 1, GA_ORTHO);
                else y = ga_fft(x, 0, 1, GA_ORTHO);
                close_to(y, want);
            }
            there_and_back(x, 1);
            ga_array *real = wide ? ga_real(x) : ga_copy(ga_real(x));
            there_and_back(real, 1);
            /* the first half, its conjugate, and back from too little of it */
            want = ga_slice_axis(ga_fft(real, 0, 1, GA_BACKWARD), 1, 0,
                                 n / 2 + 1, 1);
            close_to(ga_rfft(real, 0, 1, GA_BACKWARD), want);
            close_to(ga_ihfft(real, 0, 1, GA_FORWARD), ga_conj(want));
            ga_array *some = ga_slice_axis(want, 1, 0, n / 3, 1);
            rows = ga_copy(ga_swapaxes(some, 1, 2));
            close_to(ga_irfft(some, n, 1, GA_BACKWARD),
                     ga_swapaxes(ga_irfft(rows, n, 2, GA_BACKWARD), 1, 2));
            close_to(ga_hfft(want, n, 1, GA_FORWARD),
                     ga_irfft(ga_conj(want), n, 1, GA_BACKWARD));
        }
}
/* So many columns that how they are read is asked for: of one pass and several,
   to results of any layout, in several calls, and strided rows; a result whose
   complex numbers begin between two.                                        */
TEST(many_columns) {
    static const int64_t lengths[] = {286, 209, 258, 262, 95, 76, 690, 1430, 2035};
    for (size_t k = 0; k < T_COUNT(lengths) && t_on_gpu(); k++)
        for (int wide = 0; wide < 2; wide++) {
            GA_SCOPE;
            const int64_t n = lengths[k], m = ((int64_t)1 << 20) / n + 3;
            const ga_dtype t = wide ? GA_COMPLEX128 : GA_COMPLEX64;
            t_context("%s of %lld", ga_dtype_name(t), (long long)n);
            ga_array *x = t_random_array(t, GA_SHAPE(n, m), -1, 1);
            ga_array *rows = ga_copy(ga_transpose(x, GA_ALL));
            ga_array *want = ga_transpose(ga_fft(rows, 0, 1, GA_BACKWARD), GA_ALL);
            close_to(ga_fft(x, 0, 0, GA_BACKWARD), want);
            close_to(ga_fft(ga_transpose(x, GA_ALL), 0, 1, GA_BACKWARD),
                     ga_transpose(want, GA_ALL));
            ga_array *y = ga_slice(ga_zeros(GA_SHAPE(n, m + 2), t), ":, 1:-1");
            ga_fft_into(y, x, 0, 0, GA_BACKWARD);
            close_to(y, want);
            ga_array *twice = ga_stack(0, x, ga_multiply(x, 2));
            close_to(ga_index_axis(ga_fft(twice, 0, 1, GA_BACKWARD), 0, 1),
                     ga_multiply(want, 2));
            ga_array *real = ga_copy(ga_real(x));
            want = ga_rfft(ga_copy(ga_transpose(real, GA_ALL)), 0, 1, GA_BACKWARD);
            close_to(ga_rfft(real, 0, 0, GA_BACKWARD), ga_transpose(want, GA_ALL));
            close_to(ga_rfft(ga_transpose(real, GA_ALL), 0, 1, GA_BACKWARD), want);
        }
    GA_SCOPE;
    t_context("results between two");
    ga_array *x = t_random_array(GA_COMPLEX128, GA_SHAPE(2, 1500000), -1, 1);
    if (!t_on_gpu()) x = ga_slice(x, ":, :3000");
    ga_array *room = ga_zeros(GA_SHAPE(2 * x->shape[1] + 2), GA_FLOAT64);
    ga_array *from = ga_slice(x, "0, ::2");
    ga_array *to = ga_wrap((double *)room->data + 1, GA_COMPLEX128, ga_shape_of(from),
                           NULL, ga_device(), NULL, NULL);
    T_CHECK(!ga_fft_into(to, from, 0, 0, GA_BACKWARD));
    close_to(to, ga_fft(ga_copy(from), 0, 0, GA_BACKWARD));
    t_context("%s", "");
}

/* -------------------------------------------------------------- behaviour */
/* Cosines and sines of many rows, by rows, columns and strides: each as alone. */
TEST(many_cosines) {
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16};
    static const int64_t n[] = {1, 2, 9, 64, 250, 9001};
    for (size_t t = 0; t < T_COUNT(types); t++)
        for (size_t i = 0; i < T_COUNT(n); i++)
            for (int type = 2; type < 4; type++)
                for (int how = 0; how < 4; how++) {
                    GA_SCOPE;
                    const bool sine = how & 1;
                    const int64_t rows = n[i] > 1000 ? 3 : 37;
                    const int64_t cut = how & 2 ? n[i] + 2 : n[i];
                    ga_array *x = t_random_array(types[t], GA_SHAPE(rows, n[i]), -1, 1);
                    ga_array *c = ga_copy(ga_transpose(x, GA_ALL));
                    ga_array *y, *z;
                    y = sine ? ga_dst(x, type, cut, 1, GA_ORTHO)
                             : ga_dct(x, type, cut, 1, GA_ORTHO);
                    z = sine ? ga_dst(c, type, cut, 0, GA_ORTHO)
                             : ga_dct(c, type, cut, 0, GA_ORTHO);
                    t_context("%s, type %d of %lld, %d", ga_dtype_name(types[t]), type,
                              (long long)n[i], how);
                    const double far = types[t] == GA_FLOAT16 ? 0.05
                                       : types[t] == GA_FLOAT32 ? 1e-4 : 1e-11;
                    T_CHECK(ga_item(ga_max(ga_absolute(ga_subtract(
                        y, ga_transpose(z, GA_ALL))), GA_ALL)) < far);
                    for (int64_t k = 0; k < rows; k += 12) {
                        ga_array *v = ga_index_axis(x, 0, k);
                        v = sine ? ga_dst(v, type, cut, 0, GA_ORTHO)
                                 : ga_dct(v, type, cut, 0, GA_ORTHO);
                        T_CHECK(ga_item(ga_max(ga_absolute(ga_subtract(
                            v, ga_index_axis(y, 0, k))), GA_ALL)) < far);
                    }
                }
    t_context("%s", "");
}
TEST(in_place) {
    GA_SCOPE;
    for (int64_t n = 60; n < 5000; n += 964) {
        ga_array *x = t_random_array(GA_COMPLEX64, GA_SHAPE(5, n), -1, 1);
        ga_array *want = ga_fft(x, 0, 1, GA_BACKWARD), *y = ga_copy(x);
        T_CHECK(ga_fft_into(y, y, 0, 1, GA_BACKWARD) == GA_OK);
        close_to(y, want);
        y = ga_copy(x);             /* one row into the next                */
        T_CHECK(ga_fft_into(ga_slice(y, "1:"), ga_slice(y, ":-1"), 0, 1,
                            GA_BACKWARD) == GA_OK);
        close_to(ga_slice(y, "1:"), ga_slice(want, ":-1"));
        want = ga_fftn(x, GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD);
        y = ga_copy(x);
        T_CHECK(ga_fftn_into(y, y, GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD)
                == GA_OK);
        close_to(y, want);
    }
}
typedef struct work { ga_array *x, *r, *y[4]; } work;
static void step(void *arg) {
    work *w = (work *)arg;
    ga_fft_into(w->y[0], w->x, 0, 1, GA_BACKWARD);
    ga_ifft_into(w->y[1], w->x, 0, 0, GA_BACKWARD);
    ga_rfft_into(w->y[2], w->r, 0, 1, GA_BACKWARD);
    ga_irfft_into(w->y[3], w->x, 99, 1, GA_ORTHO);
}
TEST(captured) {                    /* plans are made inside                */
    GA_SCOPE;
    work w = {t_random_array(GA_COMPLEX64, GA_SHAPE(37, 93), -1, 1),
              t_random_array(GA_FLOAT32, GA_SHAPE(5, 78), -1, 1), {NULL}};
    w.y[0] = ga_zeros_like(w.x);
    w.y[1] = ga_zeros_like(w.x);
    w.y[2] = ga_zeros(GA_SHAPE(5, 40), GA_COMPLEX64);
    w.y[3] = ga_zeros(GA_SHAPE(37, 99), GA_FLOAT32);
    if (t_quick()) step(&w);        /* sanitizers load no kernel inside     */
    ga_graph *g = ga_graph_create(step, &w);
    T_CHECK(g != NULL);
    for (int i = 0; i < 3 && g; i++) {
        ga_assign(w.x, t_random_array(GA_COMPLEX64, GA_SHAPE(37, 93), -1, 1));
        T_CHECK(ga_graph_launch(g) == GA_OK);
    }
    t_same_arrays(w.y[0], ga_fft(w.x, 0, 1, GA_BACKWARD), 0);
    t_same_arrays(w.y[1], ga_ifft(w.x, 0, 0, GA_BACKWARD), 0);
    t_same_arrays(w.y[2], ga_rfft(w.r, 0, 1, GA_BACKWARD), 0);
    t_same_arrays(w.y[3], ga_irfft(w.x, 99, 1, GA_ORTHO), 0);
    ga_graph_destroy(g);
}
/* A graph after its plans have made room for others; lengths of none. */
static void one_row(void *arg) {
    work *w = (work *)arg;
    ga_fft_into(w->y[0], w->x, 0, 1, GA_BACKWARD);
}
TEST(graph_outlives_plans) {
    GA_SCOPE;
    work w = {t_random_array(GA_COMPLEX64, GA_SHAPE(3, 11 * 13 * 31), -1, 1),
              NULL, {NULL}};
    w.y[0] = ga_zeros_like(w.x);
    if (t_quick()) one_row(&w);
    ga_graph *g = ga_graph_create(one_row, &w);
    T_CHECK(g != NULL);
    ga_array *want = ga_fft(w.x, 0, 1, GA_BACKWARD);
    for (int64_t n = 1009; n < 1009 + 24; n++)
        ga_fft(t_random_array(GA_COMPLEX64, GA_SHAPE(2, n), -1, 1), 0, 1,
               GA_BACKWARD);
    ga_full(GA_SHAPE(1 << 22), NAN, GA_FLOAT64);    /* where they were      */
    for (int i = 0; i < 2 && g; i++) T_CHECK(ga_graph_launch(g) == GA_OK);
    t_same_arrays(w.y[0], want, 0);
    ga_graph_destroy(g);
    if (!t_on_gpu()) return;
    w.x = t_random_array(GA_COMPLEX64, GA_SHAPE(3, 4099), -1, 1);
    w.y[0] = ga_zeros_like(w.x);
    T_NO(ga_graph_create(one_row, &w), GA_ERR_CAPTURE,
         "ga_fft_into: a length of 4099, of a prime factor above 127: cuFFT "
         "(status 5) has none of these in graphs");
}
/* More plans than are kept, and threads that have their own. */
TEST(plans) {
    for (int turn = 0; turn < 2; turn++)
        for (int64_t n = 17; n < 17 + 40; n++) {
            GA_SCOPE;
            there_and_back(t_random_array(GA_COMPLEX128, GA_SHAPE(2, n), -1, 1),
                           1);
        }
}
TEST(errors) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(4, 6), GA_FLOAT32);
    ga_array *z = ga_zeros(GA_SHAPE(4, 6), GA_COMPLEX64);
    ga_array *none = ga_zeros(GA_SHAPE(4, 0), GA_FLOAT32);
    T_NO(ga_fft(x, 0, 2, GA_BACKWARD), GA_ERR_AXIS,
       "ga_fft: axis 2 is out of range for 2 dimensions");
    T_NO(ga_fft(x, -2, 0, GA_BACKWARD), GA_ERR_VALUE,
       "ga_fft: a length of -2 along axis 0 of shape (4,6); 1 or more is "
       "possible");
    T_NO(ga_fft(none, 0, -1, GA_BACKWARD), GA_ERR_VALUE,
       "ga_fft: a length of 0 along axis 1 of shape (4,0); 1 or more is "
       "possible");
    T_NO(ga_rfft(z, 0, 1, GA_BACKWARD), GA_ERR_DTYPE,
       "ga_rfft: complex64 is not supported: reals are needed");
    T_NO(ga_fft(x, 0, 0, (ga_fft_norm)3), GA_ERR_VALUE,
       "ga_fft: 3 is not a norm");
    T_NO(ga_fftn(x, GA_SHAPE(1, 2), GA_AXIS(0), GA_BACKWARD), GA_ERR_VALUE,
       "ga_fftn: 2 lengths for 1 axes");
    T_NO(ga_fftn(x, GA_SCALAR_SHAPE, GA_AXIS(0, 0), GA_BACKWARD), GA_ERR_AXIS,
       "ga_fftn: axis 0 is given twice");
    T_NO(ga_fft2(ga_index_axis(x, 0, 0), GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD),
       GA_ERR_AXIS, "ga_fft2: shape (6,) has no 2 axes");
    T_NO(ga_fftfreq(0, 1), GA_ERR_VALUE,
       "ga_fftfreq: 0 samples 1 apart have no frequencies");
    T_CHECK(ga_next_fast_len(0) == 0);
    T_ERROR(GA_ERR_VALUE);
    T_NO(ga_dct(x, 5, 0, 0, GA_BACKWARD), GA_ERR_VALUE,
       "ga_dct: a transform of type 5; 1 to 4 are possible");
    T_NO(ga_dct(x, 1, 1, 0, GA_BACKWARD), GA_ERR_VALUE,
       "ga_dct: cosines of type 1 of 1 element; 2 or more are possible");
    T_NO(ga_fftconvolve(x, ga_index_axis(x, 0, 0), GA_FULL, GA_ALL), GA_ERR_SHAPE,
       "ga_fftconvolve: shapes (4,6) and (6,): their ranks differ");
    T_NO(ga_fftconvolve(x, ga_zeros(GA_SHAPE(3, 7), GA_FLOAT32), GA_VALID, GA_ALL),
       GA_ERR_SHAPE, "ga_fftconvolve: shapes (4,6) and (3,7): neither is at "
       "least as long as the other along every axis");
    T_NO(ga_fftconvolve(x, none, GA_FULL, GA_ALL), GA_ERR_EMPTY,
       "ga_fftconvolve: shapes (4,6) and (4,0): nothing along axis 1");
    T_NO(ga_fftconvolve(x, ga_zeros(GA_SHAPE(3, 6), GA_FLOAT32), GA_FULL,
                      GA_AXIS(1)), GA_ERR_SHAPE,
       "ga_fftconvolve: shapes (4,6) and (3,6): they do not broadcast beside "
       "the axes");
    T_CHECK(ga_fft_into(x, x, 0, 0, GA_BACKWARD) == GA_ERR_DTYPE);
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(ga_fft_into(z, x, 3, 0, GA_BACKWARD) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    /* an empty axis beside, or filled up                                   */
    ga_array *y = ga_fft(none, 0, 0, GA_BACKWARD);
    t_is(y, GA_COMPLEX64, GA_SHAPE(4, 0));
    y = ga_rfft(none, 8, 1, GA_BACKWARD);
    t_same_arrays(y, ga_zeros(GA_SHAPE(4, 5), GA_COMPLEX64), 0);
}

/* Of one element along the axis, in every dtype: that element, or its real part. */
TEST(one_element) {
    for (int t = GA_BOOL; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name((ga_dtype)t));
        const ga_dtype z = t == GA_FLOAT64 || t == GA_COMPLEX128 || t < GA_FLOAT16
                           ? GA_COMPLEX128 : GA_COMPLEX64;
        const bool complex = t >= GA_COMPLEX64;
        ga_array *wide = t_random_array((ga_dtype)t, GA_SHAPE(70, 3, 41), 0, 9);
        ga_array *x = ga_slice(wide, ":, 1:2");
        ga_array *want = ga_astype(x, z), *part = ga_copy(ga_real(want));
        t_same_arrays(ga_fft(x, 0, 1, GA_BACKWARD), want, 0);
        t_same_arrays(ga_ifft(x, 1, 1, GA_ORTHO), want, 0);
        t_same_arrays(ga_irfft(x, 1, 1, GA_BACKWARD), part, 0);
        t_same_arrays(ga_irfft(ga_slice(wide, ":, 1:"), 1, 1, GA_BACKWARD), part, 0);
        t_same_arrays(ga_hfft(x, 1, 1, GA_FORWARD), part, 0);
        if (!complex) t_same_arrays(ga_rfft(x, 0, 1, GA_BACKWARD), want, 0);
        close_to(ga_fft2(x, GA_SCALAR_SHAPE, GA_AXIS(2, 1), GA_ORTHO),
                 ga_fft(x, 0, 2, GA_ORTHO));
        if (t == (int)z) {
            T_CHECK(!ga_fft_into(x, x, 0, 1, GA_BACKWARD));
            t_same_arrays(x, want, 0);
        }
    }
    t_context("%s", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(golden), T(convolved), T(frequencies), T(lengths), T(one_element),
        T(lengths_of_the_others), T(large), T(columns), T(many_columns), T(many_cosines),
        T(in_place), T(captured), T(graph_outlives_plans), T(plans),
        T(errors)};
    return T_RUN("fft", tests);
}
