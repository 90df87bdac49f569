/* linalg.h - the cases of linear algebra and random numbers; a part of bench.c.

   Matrices are made of bench.c's data, in [0.5, 2), or from it; the SVD's are
   uniform in [0, 1). Products are compared with sums computed here in double
   precision, decompositions and solutions by LAPACK's residuals (|A - U S Vh|
   and the like, in n eps |A|, below 30), random numbers by mean, variance and
   range.                                                                   */

static int64_t shrunk(int64_t n) { return quick && n > 64 ? (n + 15) / 16 : n; }
static int64_t dim(const state *s, int i) { return shrunk(s->c->dim[i]); }

/* Results of a call, in place of those of the one before. */
static void keep(state *s, ga_array *a, ga_array *b, ga_array *c) {
    ga_array *r[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        ga_free(s->r[i]);
        s->r[i] = r[i] ? ga_detach(r[i]) : NULL;
    }
}
static ga_array *matrix(const ga_array *base, int64_t m, int64_t n, ga_dtype t) {
    return shaped(base, m * n, GA_SHAPE(m, n), t);
}

/* ---------------------------------------------------------------- products */
/* dim: batch or 0, m, k, n */
static void setup_product(state *s) {
    int64_t b = dim(s, 0), m = dim(s, 1), k = dim(s, 2), n = dim(s, 3);
    ga_dtype t = s->c->t;
    if (b) {
        s->x = shaped(base_x, b * m * k, GA_SHAPE(b, m, k), t);
        s->y = shaped(base_y, b * k * n, GA_SHAPE(b, k, n), t);
        set_out(s, ga_empty(GA_SHAPE(b, m, n), t));
        s->n = b * m * n;
    } else {
        s->x = matrix(base_x, m, k, t);
        s->y = matrix(base_y, k, n, t);
        set_out(s, ga_empty(GA_SHAPE(m, n), t));
        s->n = m * n;
    }
}
static void setup_own_transpose(state *s) {
    setup_product(s);
    s->y = ga_transpose(s->x, GA_ALL);
}
static void run_matmul(state *s) { ga_matmul_into(s->out, s->x, s->y); }
static void run_tf32(state *s) {
    ga_precision before = ga_matmul_precision(GA_TF32);
    ga_matmul_into(s->out, s->x, s->y);
    ga_matmul_precision(before);
}
/* 60 elements, the first and the last among them. */
static bool check_product(state *s) {
    int64_t b = dim(s, 0), m = dim(s, 1), k = dim(s, 2), n = dim(s, 3);
    bool own = s->c->setup == setup_own_transpose;
    ga_array *flat = ga_reshape(s->out, GA_SHAPE(-1));
    for (int at = 0; at < 60; at++) {
        int64_t e = at == 0 ? 0 : at == 1 ? s->n - 1
                                          : (int64_t)(x_at(at) * 1e9) % s->n;
        int64_t g = b ? e / (m * n) : 0, i = e / n % m, j = e % n;
        double want = 0;
        for (int64_t p = 0; p < k; p++)
            want += rounded(x_at((g * m + i) * k + p), s->c->t)
                    * (own ? x_at(j * k + p)
                           : rounded(y_at((g * k + p) * n + j), s->c->t));
        double got = ga_item_at(flat, GA_INDEX(e));
        if (!(fabs(got - want) <= s->c->tolerance * want)) return wrong(s, e, got, want);
    }
    return true;
}

/* Column sums of a product, ten times, each to the host. */
static void setup_sums(state *s) {
    int64_t m = dim(s, 1), k = dim(s, 2), n = dim(s, 3);
    s->x = matrix(base_x, m, k, s->c->t);
    s->y = matrix(base_y, k, n, s->c->t);
    s->back = malloc((size_t)n * sizeof(double));
    if (!s->back) {
        perror("bench");
        exit(1);
    }
}
static void run_matmul_sum(state *s) {
    for (int i = 0; i < 10; i++) {
        GA_SCOPE;
        ga_asnumpy(ga_sum(ga_matmul(s->x, s->y), GA_AXIS(0)), s->back);
    }
}
static void run_einsum(state *s) {
    for (int i = 0; i < 10; i++) {
        GA_SCOPE;
        ga_asnumpy(ga_einsum("ij,jk->...k", s->x, s->y), s->back);
    }
}
static bool check_sums(state *s) {
    int64_t m = dim(s, 1), k = dim(s, 2), n = dim(s, 3);
    double *sum = calloc((size_t)k, sizeof *sum);
    bool good = sum != NULL;
    for (int64_t i = 0; good && i < m; i++)
        for (int64_t p = 0; p < k; p++) sum[p] += x_at(i * k + p);
    for (int64_t j = 0; good && j < n; j += n / 20) {
        double want = 0, got = s->c->t == GA_FLOAT64 ? ((double *)(void *)s->back)[j]
                                                     : (double)s->back[j];
        for (int64_t p = 0; p < k; p++) want += sum[p] * y_at(p * n + j);
        if (!(fabs(got - want) <= s->c->tolerance * want))
            good = wrong(s, j, got, want);
    }
    free(sum);
    return good;
}

/* ------------------------------------- decompositions, solving: dim: n, k */
static double size_of(const ga_array *x) {
    return ga_item(ga_norm(x, GA_NORM, GA_ALL));
}
static ga_array *transposed(const ga_array *x) {
    return ga_swapaxes(x, -2, -1);
}
/* off / size in n eps, below 30? Says so where not. */
static bool residual(const state *s, const char *what, double off, double size,
                     int64_t n) {
    double eps = s->c->t == GA_FLOAT32 ? 0x1p-23 : 0x1p-52;
    double ratio = off / size / (eps * (double)n);
    if (ratio < 30) return true;
    fprintf(stderr, "%s: %s is %g n eps\n", s->c->name, what, ratio);
    return false;
}
static bool orthonormal(const state *s, const char *what, const ga_array *q) {
    int64_t n = q->shape[1];
    ga_array *i = ga_eye(n, n, 0, q->dtype);
    return residual(s, what, size_of(ga_sub(ga_matmul(transposed(q), q), i)), 1,
                    q->shape[0]);
}

static void setup_square(state *s) {    /* centred, and a right-hand side   */
    int64_t n = dim(s, 0), k = dim(s, 1);
    s->x = ga_sub(matrix(base_x, n, n, s->c->t), 1.25);
    if (k) s->y = matrix(base_y, n, k, s->c->t);
}
static void setup_positive(state *s) {
    setup_square(s);
    int64_t n = dim(s, 0);
    s->x = ga_add(ga_div(ga_matmul(s->x, transposed(s->x)), (double)n),
                  ga_eye(n, n, 0, s->c->t));
}
static void setup_symmetric(state *s) {
    setup_square(s);
    s->x = ga_add(s->x, transposed(s->x));
}
static void setup_det(state *s) {       /* variance e/n: a det of some e    */
    setup_square(s);
    s->x = ga_mul(s->x, sqrt(exp(1) / 0.1875 / (double)dim(s, 0)));
}
static void setup_batch(state *s) {     /* dim: batch, n                    */
    int64_t b = dim(s, 0), n = dim(s, 1);
    s->x = ga_sub(shaped(base_x, b * n * n, GA_SHAPE(b, n, n), s->c->t), 1.25);
    s->y = shaped(base_y, b * n, GA_SHAPE(b, n, 1), s->c->t);
}
static void setup_svd(state *s) {       /* dim: m, n, full                  */
    ga_array *a = matrix(base_x, dim(s, 0), dim(s, 1), F);
    s->x = ga_astype(ga_div(ga_sub(a, 0.5), 1.5), s->c->t);
}

static void run_solve(state *s) { keep(s, ga_solve(s->x, s->y), NULL, NULL); }
static void run_inv(state *s) { keep(s, ga_inv(s->x), NULL, NULL); }
static void run_cholesky(state *s) { keep(s, ga_cholesky(s->x), NULL, NULL); }
static void run_det(state *s) { keep(s, ga_det(s->x), NULL, NULL); }
static void run_qr(state *s) {
    ga_array *q = NULL, *r = NULL;
    ga_qr(s->x, false, &q, &r);
    keep(s, q, r, NULL);
}
static void run_eigh(state *s) {
    ga_array *w = NULL, *v = NULL;
    ga_eigh(s->x, &w, &v);
    keep(s, w, v, NULL);
}
static void run_svd(state *s) {
    ga_array *u = NULL, *w = NULL, *vh = NULL;
    ga_svd(s->x, s->c->dim[2] != 0, &u, &w, &vh);
    keep(s, u, w, vh);
}
static bool check_solve(state *s) {
    ga_array *off = ga_sub(ga_matmul(s->x, s->r[0]), s->y);
    return residual(s, "A X - B", size_of(off), size_of(s->x) * size_of(s->r[0]),
                    s->x->shape[s->x->ndim - 1]);
}
static bool check_inv(state *s) {
    int64_t n = dim(s, 0);
    ga_array *off = ga_sub(ga_matmul(s->x, s->r[0]), ga_eye(n, n, 0, s->c->t));
    return residual(s, "A inv(A) - I", size_of(off), size_of(s->x) * size_of(s->r[0]),
                    n);
}
static bool check_cholesky(state *s) {
    ga_array *off = ga_sub(ga_matmul(s->r[0], transposed(s->r[0])), s->x);
    return residual(s, "L L' - A", size_of(off), size_of(s->x), dim(s, 0));
}
static bool check_qr(state *s) {
    ga_array *off = ga_sub(ga_matmul(s->r[0], s->r[1]), s->x);
    return residual(s, "Q R - A", size_of(off), size_of(s->x), dim(s, 0))
           && orthonormal(s, "Q", s->r[0]);
}
static bool check_eigh(state *s) {
    ga_array *off = ga_sub(ga_matmul(s->x, s->r[1]), ga_mul(s->r[1], s->r[0]));
    return residual(s, "A V - V W", size_of(off), size_of(s->x), dim(s, 0))
           && orthonormal(s, "V", s->r[1]);
}
/* By another route: |det| is the product of R's diagonal. */
static bool check_det(state *s) {
    ga_array *r = NULL;
    ga_qr(s->x, false, NULL, &r);
    ga_array *logs = ga_log(ga_abs(ga_diagonal(r, 0, 0, 1)));
    double want = ga_item(ga_sum(logs, GA_ALL)), got = log(fabs(ga_item(s->r[0])));
    return fabs(got - want) < 1e-8 || wrong(s, 0, got, want);
}
static bool check_svd(state *s) {
    const ga_array *u = s->r[0], *w = s->r[1], *vh = s->r[2];
    int64_t k = w->shape[0], n = s->x->shape[s->x->shape[0] < s->x->shape[1]];
    ga_array *us = ga_mul(ga_slice_axis(u, 1, 0, k, 1), w);
    ga_array *off = ga_sub(ga_matmul(us, ga_slice_axis(vh, 0, 0, k, 1)), s->x);
    return residual(s, "U S Vh - A", size_of(off), size_of(s->x), n)
           && orthonormal(s, "U", u) && orthonormal(s, "V", transposed(vh));
}
static void setup_norm(state *s) { setup_x(s); }
static void run_norm(state *s) { set_out(s, ga_norm(s->x, GA_NORM, GA_ALL)); }
static bool check_norm(state *s) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) sum += x_at(i) * x_at(i);
    double got = ga_item(s->out);
    return near(got / sqrt(sum), 1, GA_FLOAT32) || wrong(s, 0, got, sqrt(sum));
}

/* ---------------------------------------------------------- random numbers */
static void setup_draw(state *s) {
    ga_random_seed(1);
    set_out(s, ga_empty(GA_SHAPE(s->n), s->c->t));
}
#define DRAW(name, call) \
    static void draw_##name(state *s) { ga_random_##call; }
DRAW(uniform, random_into(s->out))
DRAW(normal, standard_normal_into(s->out))
DRAW(exponential, exponential_into(s->out, 1))
DRAW(lognormal, lognormal_into(s->out, 0, 0.5))
DRAW(gamma, gamma_into(s->out, 2.5, 1))
DRAW(beta, beta_into(s->out, 2, 5))
DRAW(chisquare, chisquare_into(s->out, 3))
DRAW(poisson4, poisson_into(s->out, 4))
DRAW(poisson100, poisson_into(s->out, 100))
DRAW(binomial, binomial_into(s->out, 100, 0.3))
DRAW(geometric, geometric_into(s->out, 0.2))
DRAW(integers, integers_into(s->out, 0, 1000))

/* Mean within 5 deviations of its own, variance within 3%, range. */
static bool check_draw(state *s) {
    const bench_case *c = s->c;
    double n = (double)s->n, mean = ga_item(ga_mean(s->out, GA_ALL));
    double var = ga_item(ga_var(s->out, GA_ALL, 0));
    double low = ga_item(ga_min(s->out, GA_ALL)), high = ga_item(ga_max(s->out, GA_ALL));
    if (!(fabs(mean - c->mean) <= 5 * sqrt(c->var / n) + 1e-6 * fabs(c->mean)))
        return wrong(s, -1, mean, c->mean);
    if (!(fabs(var / c->var - 1) <= 0.03)) return wrong(s, -2, var, c->var);
    return (low >= c->low && high <= c->high) || wrong(s, -3, low, high);
}

static void setup_nothing(state *s) {
    (void)s;
    ga_random_seed(1);
}
static void run_permutation(state *s) {
    keep(s, ga_random_permutation(s->n), NULL, NULL);
}
/* Every number once: the sums of them and of their squares are right. */
static bool check_permutation(state *s) {
    double n = (double)s->n, off = ga_item_at(s->r[0], GA_INDEX(0));
    ga_array *x = ga_astype(s->r[0], GA_FLOAT64);
    double sum = ga_item(ga_sum(x, GA_ALL)), want = n * (n - 1) / 2;
    double squares = ga_item(ga_sum(ga_square(x), GA_ALL));
    double all = want * (2 * n - 1) / 3;
    return (fabs(sum / want - 1) < 1e-12 && fabs(squares / all - 1) < 1e-12 && off != 0)
           || wrong(s, 0, sum, want);
}

/* ---------------------------------------------------------------- the rows */
#define PROD(nm, w, b, m, k, n, ty, tol) \
    {.name = nm, .where = w, .setup = setup_product, .body = run_matmul, \
     .check = check_product, .t = ty, .dim = {b, m, k, n}, .tolerance = tol},
#define SUMS(nm, run_, ty, tol) \
    {.name = nm, .where = GPU, .setup = setup_sums, .body = run_, .check = check_sums, \
     .waits = true, .t = ty, .dim = {0, 10000, 5000, 7000}, .tolerance = tol},
#define LAPACK(nm, w, what, set, n, k) \
    {.name = nm, .where = w, .setup = set, .body = run_##what, \
     .check = check_##what, .t = D, .dim = {n, k}},
#define SVD(nm, w, m, n, full, ty) \
    {.name = nm, .where = w, .setup = setup_svd, .body = run_svd, .check = check_svd, \
     .t = ty, .dim = {m, n, full}, .value = 1},
#define RAND(nm, w, what, size, ty, by, mu, v, lo, hi) \
    {.name = nm, .where = w, .setup = setup_draw, .body = draw_##what, \
     .check = check_draw, .limit = FILL, .bytes = by, .rows = 1, .cols = size, \
     .t = ty, .mean = mu, .var = v, .low = lo, .high = hi},
#define PERMUTATION(nm, w, n) \
    {.name = nm, .where = w, .setup = setup_nothing, .body = run_permutation, \
     .check = check_permutation, .rows = 1, .cols = n},
#define M26 ((int64_t)1 << 26)
static const bench_case linalg_cases[] = {
    PROD("seed002_dot_f64_1000", GPU | CPU, 0, 1000, 1000, 1000, D, 1e-13)
    {.name = "seed002_dot3000T_f32", .where = GPU, .setup = setup_own_transpose,
     .body = run_matmul, .check = check_product, .t = F, .dim = {0, 3000, 3000, 3000},
     .tolerance = 1e-5},
    PROD("matmul_float64_8192", GPU, 0, 8192, 8192, 8192, D, 1e-13)
    PROD("matmul_float32_8192", GPU, 0, 8192, 8192, 8192, F, 1e-5)
    {.name = "matmul_tf32_8192", .where = GPU, .setup = setup_product, .body = run_tf32,
     .check = check_product, .t = F, .dim = {0, 8192, 8192, 8192}, .tolerance = 1e-3},
    PROD("matmul_float16_8192", GPU, 0, 8192, 8192, 8192, H, 2e-3)
    PROD("matmul_bfloat16_8192", GPU, 0, 8192, 8192, 8192, GA_BFLOAT16, 1e-2)
    PROD("bmm_f32_4096x64", GPU, 4096, 64, 64, 64, F, 1e-5)
    SUMS("seed004_matmulsum_float32", run_matmul_sum, F, 1e-4)
    SUMS("seed004_matmulsum_float64", run_matmul_sum, D, 1e-12)
    SUMS("seed004_einsum_float32", run_einsum, F, 1e-4)
    SUMS("seed004_einsum_float64", run_einsum, D, 1e-12)
    SVD("seed000_svd_3000_f64", GPU, 3000, 3000, 1, D)
    SVD("seed000_svd_3000_f32", GPU, 3000, 3000, 1, F)
    SVD("seed000_svd_9000x1000_f32", GPU, 9000, 1000, 1, F)
    SVD("svd_reduced_9000x1000_f32", GPU, 9000, 1000, 0, F)
    LAPACK("solve_f64_4096", GPU, solve, setup_square, 4096, 16)
    LAPACK("inv_f64_4096", GPU, inv, setup_square, 4096, 0)
    LAPACK("cholesky_f64_4096", GPU, cholesky, setup_positive, 4096, 0)
    LAPACK("qr_f64_4096", GPU, qr, setup_square, 4096, 0)
    LAPACK("eigh_f64_4096", GPU, eigh, setup_symmetric, 4096, 0)
    LAPACK("det_f64_4096", GPU, det, setup_det, 4096, 0)
    LAPACK("bsolve_f64_4096x32", GPU, solve, setup_batch, 4096, 32)
    {.name = "norm_f32_2^28", .where = GPU, .setup = setup_norm, .body = run_norm,
     .check = check_norm, .limit = READ, .bytes = 4, .rows = 1, .cols = M28, .t = F},
    RAND("rand_f32_2^28", GPU, uniform, M28, F, 4, 0.5, 1.0 / 12, 0, 0.99999995)
    RAND("rand_f64_2^27", GPU, uniform, M27, D, 8, 0.5, 1.0 / 12, 0, 1 - 0x1p-53)
    RAND("randn_f32_2^28", GPU, normal, M28, F, 4, 0, 1, -7, 7)
    RAND("randn_f64_2^27", GPU, normal, M27, D, 8, 0, 1, -9, 9)
    RAND("exponential_f32_2^26", GPU, exponential, M26, F, 4, 1, 1, 0, 40)
    RAND("lognormal_f32_2^26", GPU, lognormal, M26, F, 4, 1.1331484530668263,
         0.3646958540123867, 0, 40)
    RAND("gamma_f32_2^26", GPU, gamma, M26, F, 4, 2.5, 2.5, 0, 60)
    RAND("beta_f64_2^26", GPU, beta, M26, D, 8, 2.0 / 7, 10.0 / 392, 0, 1)
    RAND("chisquare_f64_2^26", GPU, chisquare, M26, D, 8, 3, 6, 0, 80)
    RAND("poisson4_i64_2^26", GPU, poisson4, M26, I, 8, 4, 4, 0, 40)
    RAND("poisson100_i64_2^26", GPU, poisson100, M26, I, 8, 100, 100, 20, 200)
    RAND("binomial_i64_2^26", GPU, binomial, M26, I, 8, 30, 21, 0, 100)
    RAND("geometric_i64_2^26", GPU, geometric, M26, I, 8, 5, 20, 1, 200)
    RAND("integers_i64_2^26", GPU, integers, M26, I, 8, 499.5, 83333.25, 0, 999)
    RAND("integers_i32_2^26", GPU, integers, M26, GA_INT32, 4, 499.5, 83333.25, 0, 999)
    PERMUTATION("permutation_1e7", GPU | CPU, E7)

    PROD("matmul_float32_1000", CPU, 0, 1000, 1000, 1000, F, 1e-5)
    PROD("matmul_float64_2000", CPU, 0, 2000, 2000, 2000, D, 1e-13)
    PROD("matmul_float32_2000", CPU, 0, 2000, 2000, 2000, F, 1e-5)
    PROD("bmm_f32_1000x32", CPU, 1000, 32, 32, 32, F, 1e-5)
    LAPACK("solve_f64_1000", CPU, solve, setup_square, 1000, 16)
    LAPACK("inv_f64_1000", CPU, inv, setup_square, 1000, 0)
    LAPACK("cholesky_f64_1000", CPU, cholesky, setup_positive, 1000, 0)
    LAPACK("qr_f64_1000", CPU, qr, setup_square, 1000, 0)
    LAPACK("eigh_f64_500", CPU, eigh, setup_symmetric, 500, 0)
    LAPACK("det_f64_1000", CPU, det, setup_det, 1000, 0)
    LAPACK("bsolve_f64_1000x16", CPU, solve, setup_batch, 1000, 16)
    SVD("svd_f64_500", CPU, 500, 500, 1, D)
    SVD("svd_f32_500", CPU, 500, 500, 1, F)
    {.name = "norm_f32_1e7", .where = CPU, .setup = setup_norm, .body = run_norm,
     .check = check_norm, .limit = READ, .bytes = 4, .rows = 1, .cols = E7, .t = F},
    RAND("rand_f32_1e7", CPU, uniform, E7, F, 4, 0.5, 1.0 / 12, 0, 0.99999995)
    RAND("rand_f64_1e7", CPU, uniform, E7, D, 8, 0.5, 1.0 / 12, 0, 1 - 0x1p-53)
    RAND("randn_f32_1e7", CPU, normal, E7, F, 4, 0, 1, -7, 7)
    RAND("randn_f64_1e7", CPU, normal, E7, D, 8, 0, 1, -9, 9)
    RAND("exponential_f32_1e7", CPU, exponential, E7, F, 4, 1, 1, 0, 40)
    RAND("gamma_f32_1e7", CPU, gamma, E7, F, 4, 2.5, 2.5, 0, 60)
    RAND("poisson4_i64_1e7", CPU, poisson4, E7, I, 8, 4, 4, 0, 40)
    RAND("binomial_i64_1e7", CPU, binomial, E7, I, 8, 30, 21, 0, 100)
    RAND("integers_i64_1e7", CPU, integers, E7, I, 8, 499.5, 83333.25, 0, 999)
};
