/* linalg.h - what the suites of linear algebra share: matrices on the host in
   double precision, LAPACK's residual ratios, matrices with hard spectra.

   A test that needs LAPACK says T_LAPACK first, before GA_SCOPE: built without
   GPUARR_USE_LAPACK it is skipped on the CPU device.

   LAPACK calls a result good where its ratio is below 30:
       |A - B C| / (max(m,n) eps |A|),   |I - Q^H Q| / (n eps)
   in Frobenius norms, eps being the dtype's.                               */
#ifndef GPUARR_TEST_LINALG_H
#define GPUARR_TEST_LINALG_H

#include "test.h"

#define T_RATIO 30.0

#ifdef GPUARR_USE_LAPACK
#define T_LAPACK ((void)0)
#else
#define T_LAPACK                                                            \
    do {                                                                    \
        if (!t_on_gpu()) {                                                  \
            print_message("    built without LAPACK: skipped\n");           \
            skip();                                                         \
        }                                                                   \
    } while (0)
#endif

static const ga_dtype t_lapack_dtypes[] = {GA_FLOAT32, GA_FLOAT64,
                                           GA_COMPLEX64, GA_COMPLEX128};

static GA__UNUSED double t_eps(ga_dtype t) {
    return t_real_of(t) == GA_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
}

/* ------------------------------------------- matrices on the host, complex */
/* Element (i,j) is v[2(i n + j)] + i v[2(i n + j) + 1]; freed with the test. */
typedef struct t_mat { int64_t m, n; double *v; } t_mat;

static GA__UNUSED t_mat t_mat_new(int64_t m, int64_t n) {
    size_t bytes = (size_t)(m * n) * 2 * sizeof(double);
    t_mat a = {m, n, (double *)t_alloc(bytes)};
    memset(a.v, 0, bytes);
    return a;
}
/* Matrix b of an array (...,m,n), the batches counted in C order. */
static GA__UNUSED t_mat t_mat_at(const ga_array *x, int64_t b) {
    if (!x || x->ndim < 2) {
        t_bad("no matrix: %s", ga_error_message());
        ga_clear_error();
        return t_mat_new(0, 0);
    }
    t_mat a = t_mat_new(x->shape[x->ndim - 2], x->shape[x->ndim - 1]);
    const void *p = t_host(x);
    for (int64_t i = 0, n = a.m * a.n; i < n; i++)
        for (int k = 0; k < 1 + t_is_complex(x->dtype); k++)
            a.v[2 * i + k] = t_value(p, x->dtype, b * n + i, k);
    return a;
}
static GA__UNUSED t_mat t_mat_of(const ga_array *x) { return t_mat_at(x, 0); }
/* a times the diagonal matrix of n columns that x's last axis is; the b-th of a
   batch.                                                                   */
static GA__UNUSED t_mat t_mat_scaled(t_mat a, const ga_array *x, int64_t b,
                                     int64_t n) {
    t_mat c = t_mat_new(a.m, n);
    const void *p = t_host(x);
    int64_t k = x ? x->shape[x->ndim - 1] : 0;
    for (int64_t j = 0; j < n && j < a.n; j++) {
        double re = j < k ? t_value(p, x->dtype, b * k + j, 0) : 0;
        double im = j < k && t_is_complex(x->dtype) ? t_value(p, x->dtype, b * k + j, 1) : 0;
        for (int64_t i = 0; i < a.m; i++) {
            const double *y = a.v + 2 * (i * a.n + j);
            c.v[2 * (i * n + j)] = re * y[0] - im * y[1];
            c.v[2 * (i * n + j) + 1] = re * y[1] + im * y[0];
        }
    }
    return c;
}
static GA__UNUSED bool t_mat_real(t_mat a) {
    for (int64_t i = 0; i < a.m * a.n; i++)
        if (a.v[2 * i + 1] != 0) return false;
    return true;
}
/* Zeros times numbers are left out: imaginary parts, triangles, permutations. */
static GA__UNUSED t_mat t_mat_mul(t_mat a, t_mat b) {
    t_mat c = t_mat_new(a.m, b.n);
    bool real = t_mat_real(b), finite = true;
    for (int64_t i = 0; i < 2 * b.m * b.n; i++) finite &= !!isfinite(b.v[i]);
    for (int64_t i = 0; i < a.m; i++)
        for (int64_t k = 0; k < a.n; k++) {
            double re = a.v[2 * (i * a.n + k)], im = a.v[2 * (i * a.n + k) + 1];
            const double *y = b.v + 2 * k * b.n, *end = y + 2 * b.n;
            double *z = c.v + 2 * i * b.n;
            if (im == 0 && real && finite) {
                for (; re != 0 && y < end; y += 2, z += 2) *z += re * *y;
                continue;
            }
            for (; y < end; y += 2, z += 2) {
                z[0] += re * y[0] - im * y[1];
                z[1] += re * y[1] + im * y[0];
            }
        }
    return c;
}
/* The conjugate transpose. */
static GA__UNUSED t_mat t_mat_h(t_mat a) {
    t_mat c = t_mat_new(a.n, a.m);
    for (int64_t i = 0; i < a.m; i++)
        for (int64_t j = 0; j < a.n; j++) {
            c.v[2 * (j * a.m + i)] = a.v[2 * (i * a.n + j)];
            c.v[2 * (j * a.m + i) + 1] = -a.v[2 * (i * a.n + j) + 1];
        }
    return c;
}
static GA__UNUSED t_mat t_mat_sub(t_mat a, t_mat b) {
    t_mat c = t_mat_new(a.m, a.n);
    for (int64_t i = 0; i < 2 * a.m * a.n; i++) c.v[i] = a.v[i] - b.v[i];
    return c;
}
/* Frobenius norm, scaled: near overflow and underflow too; NaN stays NaN. */
static GA__UNUSED double t_mat_norm(t_mat a) {
    double big = 0, sum = 0;
    for (int64_t i = 0; i < 2 * a.m * a.n; i++) {
        if (isnan(a.v[i])) return (double)NAN;
        big = fmax(big, fabs(a.v[i]));
    }
    if (big == 0 || isinf(big)) return big;
    for (int64_t i = 0; i < 2 * a.m * a.n; i++)
        sum += (a.v[i] / big) * (a.v[i] / big);
    return big * sqrt(sum);
}

/* ------------------------------------------------------------- the ratios */
/* How far b c is from a, in max(m,n) eps |a|. */
static GA__UNUSED double t_ratio(t_mat a, t_mat b, t_mat c, ga_dtype t) {
    double size = t_mat_norm(a), n = (double)(a.m > a.n ? a.m : a.n);
    double off = t_mat_norm(t_mat_sub(a, t_mat_mul(b, c)));
    return off == 0 ? 0 : off / size / (n * t_eps(t));
}
/* How far q's columns are from orthonormal, in n eps. */
static GA__UNUSED double t_ratio_columns(t_mat q, ga_dtype t) {
    t_mat g = t_mat_new(q.n, q.n);              /* Q^H Q: one half is the   */
    bool real = t_mat_real(q);                  /* other's conjugate        */
    for (int64_t k = 0; k < q.m; k++)
        for (int64_t i = 0; i < q.n; i++) {
            const double *x = q.v + 2 * (k * q.n + i), *y = x;
            double *z = g.v + 2 * (i * q.n + i);
            for (int64_t j = i; j < q.n; j++, y += 2, z += 2) {
                z[0] += x[0] * y[0];
                if (real) continue;
                z[0] += x[1] * y[1];
                z[1] += x[0] * y[1] - x[1] * y[0];
            }
        }
    for (int64_t i = 0; i < g.n; i++) {
        g.v[2 * (i * g.n + i)] -= 1;
        for (int64_t j = 0; j < 2 * i; j++)
            g.v[2 * i * g.n + j] = g.v[2 * (j / 2 * g.n + i) + j % 2];
    }
    return t_mat_norm(g) / ((double)(q.m ? q.m : 1) * t_eps(t));
}
static GA__UNUSED double t_ratio_rows(t_mat q, ga_dtype t) {
    return t_ratio_columns(t_mat_h(q), t);
}
#define T_GOOD(ratio) t_good(__FILE__, __LINE__, #ratio, (ratio))
static GA__UNUSED void t_good(const char *file, int line, const char *what,
                              double r) {
    T_CHECKF(r < T_RATIO, "%s:%d: %s is %.3g", file, line, what, r);
}

/* ---------------------------------------------------- matrices of a kind */
typedef enum t_kind {
    T_UNIFORM, T_NORMAL, T_GRADED, T_DEFICIENT, T_CLUSTERED, T_HILBERT,
    T_HUGE, T_TINY, T_KINDS
} t_kind;
static const char *const t_kind_name[T_KINDS] = {
    "uniform", "normal", "graded", "rank-deficient", "clustered", "Hilbert",
    "near overflow", "near underflow"
};
static GA__UNUSED double t_normal(void) {
    return sqrt(-2 * log(t_uniform(0x1p-53, 1)))
           * cos(6.283185307179586 * t_uniform(0, 1));
}
/* a := (I - 2 w w^H) a, w random of length 1; complex if asked. */
static GA__UNUSED void t_reflect(t_mat a, bool complex_w) {
    double *w = (double *)t_alloc((size_t)a.m * 2 * sizeof *w), size = 0;
    for (int64_t i = 0; i < a.m; i++) {
        w[2 * i] = t_normal();
        w[2 * i + 1] = complex_w ? t_normal() : 0;
        size += w[2 * i] * w[2 * i] + w[2 * i + 1] * w[2 * i + 1];
    }
    for (int64_t j = 0; j < a.n; j++) {
        double re = 0, im = 0;                  /* w^H times the column     */
        for (int64_t i = 0; i < a.m; i++) {
            const double *x = a.v + 2 * (i * a.n + j);
            re += w[2 * i] * x[0] + w[2 * i + 1] * x[1];
            im += w[2 * i] * x[1] - w[2 * i + 1] * x[0];
        }
        re *= 2 / size;
        im *= 2 / size;
        for (int64_t i = 0; i < a.m; i++) {
            double *x = a.v + 2 * (i * a.n + j);
            x[0] -= w[2 * i] * re - w[2 * i + 1] * im;
            x[1] -= w[2 * i] * im + w[2 * i + 1] * re;
        }
    }
}
/* U diag(s) V^H of (m,n), U and V products of four random reflections; s
   min(m,n) long. hermitian: V = U, m = n.                                  */
static GA__UNUSED t_mat t_mat_spectrum(int64_t m, int64_t n, const double *s,
                                       ga_dtype t, bool hermitian) {
    t_mat a = t_mat_new(m, n);
    for (int64_t i = 0; i < m && i < n; i++) a.v[2 * (i * n + i)] = s[i];
    for (int k = 0; k < 4; k++) {
        uint64_t seed = t_seed;
        t_reflect(a, t_is_complex(t));
        if (hermitian) t_seed = seed;           /* the same w again         */
        a = t_mat_h(a);
        t_reflect(a, t_is_complex(t));
        a = t_mat_h(a);
    }
    return a;
}
/* The matrices a[0 .. batch) as one array of `shape`, on the device. */
static GA__UNUSED ga_array *t_mat_array(const t_mat *a, int64_t batch,
                                        ga_dtype t, ga_shape shape) {
    int64_t n = t_size(shape) / (batch ? batch : 1);
    void *p = t_alloc((size_t)(n * batch) * ga_dtype_size(t));
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < n; i++)
            t_store(p, t, b * n + i, a[b].v[2 * i], a[b].v[2 * i + 1]);
    return ga_asarray_as(p, t, shape);
}
/* An (m,n) matrix of a kind. Graded falls to 1e-14, clustered stands in three
   heaps 1e-12 wide, rank-deficient has half its rank, huge and tiny are
   uniform, some 1e4 from the ends of the dtype's range.                    */
static GA__UNUSED t_mat t_mat_kind(t_kind kind, int64_t m, int64_t n,
                                   ga_dtype t) {
    t_mat a = t_mat_new(m, n);
    int64_t k = m < n ? m : n;
    double *s = (double *)t_alloc((size_t)(k + 1) * sizeof *s);
    bool single = t_real_of(t) == GA_FLOAT32;
    double scale = kind == T_HUGE ? (single ? 1e34 : 1e304)
                 : kind == T_TINY ? (single ? 1e-34 : 1e-304) : 1;
    switch (kind) {
    case T_HILBERT:
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                a.v[2 * (i * n + j)] = 1.0 / (double)(i + j + 1);
        return a;
    case T_GRADED: case T_DEFICIENT: case T_CLUSTERED:
        for (int64_t i = 0; i < k; i++)
            s[i] = kind == T_GRADED
                       ? pow(1e-14, (double)i / (double)(k > 1 ? k - 1 : 1))
                 : kind == T_DEFICIENT ? (i < (k + 1) / 2 ? 1 + t_uniform(0, 1) : 0)
                 : pow(1e-3, (double)(3 * i / k)) * (1 + t_uniform(0, 1e-12));
        return t_mat_spectrum(m, n, s, t, false);
    default:
        for (int64_t i = 0; i < m * n; i++)
            for (int part = 0; part < 1 + t_is_complex(t); part++)
                a.v[2 * i + part] = scale * (kind == T_NORMAL
                    ? t_normal() : t_uniform(-1, 1));
        return a;
    }
}
/* The same, on the device. */
static GA__UNUSED ga_array *t_matrix(t_kind kind, int64_t m, int64_t n,
                                     ga_dtype t) {
    t_mat a = t_mat_kind(kind, m, n, t);
    return t_mat_array(&a, 1, t, GA_SHAPE(m, n));
}
/* Hermitian with the eigenvalues w[0 .. n). */
static GA__UNUSED ga_array *t_hermitian(int64_t n, const double *w,
                                        ga_dtype t) {
    t_mat a = t_mat_spectrum(n, n, w, t, true);
    return t_mat_array(&a, 1, t, GA_SHAPE(n, n));
}
#endif /* GPUARR_TEST_LINALG_H */
