/* Every macro of linear algebra and random numbers, called; the same text in C
   and in C++. check() is the including file's.                             */

/* It works, or says that this build has no LAPACK for the CPU device. */
static void lapack(bool ok, const char *what) {
    check(ok || ga_error() == GA_ERR_LIBRARY, what);
}
static bool good(ga_status s) { return s == GA_OK; }

#define PRODUCT(n, ...)                                                          \
    check(ga_##n(A, A) && good(ga_##n##_into(ga_empty_like(ga_##n(A, A)),   \
                                             A, A)), "ga_" #n);
#define WITH_NUMBER(n)                                                      \
    check(ga_##n(A, 2) && ga_##n(1.5, A)                                    \
          && good(ga_##n##_into(ga_empty_like(ga_##n(A, 2)), A, 2)),        \
          "ga_" #n " with a number");
static void linear_algebra(void) {
    GA_SCOPE;
    ga_array *A = ga_add(ga_eye(4, 4, 0, GA_FLOAT64), 0.25), *p, *q, *r, *s;
    ga_array *v = ga_ones(GA_SHAPE(4), GA_FLOAT64);
    GA_PRODUCTS(PRODUCT)
    WITH_NUMBER(dot)
    WITH_NUMBER(inner)
    WITH_NUMBER(outer)
    WITH_NUMBER(kron)
    check(ga_einsum("ij,jk->ik", A, A) && ga_einsum("ii", A), "ga_einsum");
    check(ga_einsum("i,i,i,i", v, v, v, v) != NULL, "ga_einsum of four");
    check(good(ga_einsum_into(v, "ij,j->i", A, v)), "ga_einsum_into");
    check(ga_multi_dot(A, A, A, v) != NULL, "ga_multi_dot");
    check(ga_tensordot(A, A, 1) != NULL, "ga_tensordot");
    check(ga_tensordot_axes(A, A, GA_AXIS(0), GA_AXIS(1)) != NULL,
          "ga_tensordot_axes");
    check(ga_cross(ga_ones(GA_SHAPE(3), GA_FLOAT32),
                   ga_ones(GA_SHAPE(3), GA_FLOAT32), -1) != NULL, "ga_cross");
    check(ga_matrix_power(A, 3) && ga_trace(A, 0, -2, -1), "ga_trace");
    check(ga_norm(A, GA_NORM, GA_ALL) && ga_norm(A, 1, GA_AXIS(0)), "ga_norm");
    lapack(ga_cholesky(A) != NULL, "ga_cholesky");
    lapack(good(ga_qr(A, false, &q, &r)), "ga_qr");
    lapack(good(ga_lu(A, &p, &q, &r)), "ga_lu");
    lapack(good(ga_svd(A, true, &p, &s, &q)), "ga_svd");
    lapack(ga_svdvals(A) != NULL, "ga_svdvals");
    lapack(good(ga_eigh(A, &p, &q)), "ga_eigh");
    lapack(ga_eigvalsh(A) != NULL, "ga_eigvalsh");
    lapack(good(ga_eig(A, &p, &q)), "ga_eig");
    lapack(ga_eigvals(A) != NULL, "ga_eigvals");
    lapack(ga_solve(A, v) != NULL, "ga_solve");
    lapack(ga_solve_triangular(A, v, GA_LOWER | GA_TRANS) != NULL,
           "ga_solve_triangular");
    lapack(good(ga_lu_factor(A, &p, &q)) && ga_lu_solve(p, q, v, 0),
           "ga_lu_solve");
    lapack((p = ga_cho_factor(A)) != NULL && ga_cho_solve(p, v),
           "ga_cho_solve");
    lapack(good(ga_lstsq(A, v, -1, &p, NULL, NULL, &s)), "ga_lstsq");
    lapack(ga_inv(A) && ga_pinv(A, -1), "ga_inv");
    lapack(ga_tensorsolve(A, v, GA_ALL) && ga_tensorinv(A, 1),
           "ga_tensorsolve");
    lapack(ga_det(A) && good(ga_slogdet(A, &p, &q)), "ga_det");
    lapack(ga_cond(A, GA_NORM) && ga_matrix_rank(A, -1), "ga_cond");
    lapack(ga_expm(A) != NULL, "ga_expm");
    ga_matmul_precision(ga_matmul_precision(GA_TF32));
    ga_svd_driver(ga_svd_driver(GA_SVD_QR));
}

#define DRAW_0(n, result, engines)                                          \
    check(ga_random_##n(S, GA_FLOAT32)                                      \
          && good(ga_random_##n##_into(O)), "ga_random_" #n);
#define DRAW_1(n, ...)      /* a probability or not: one of the two will do */ \
    check(ga_random_##n(0.5, S, GA_FLOAT32) || ga_random_##n(1.5, S, GA_FLOAT32), \
          "ga_random_" #n);                                                 \
    check(ga_random_##n(half, S, GA_FLOAT32)                                \
          || ga_random_##n(more, S, GA_FLOAT32), "ga_random_" #n);          \
    check(good(ga_random_##n##_into(O, half))                               \
          || good(ga_random_##n##_into(O, 1.5)), "ga_random_" #n "_into");
#define DRAW_2(n, ...)      /* integers: two of them, in order               */ \
    check(ga_random_##n(1, 1, S, GA_FLOAT32)                                \
          || ga_random_##n(1, 2, S, GA_INT32), "ga_random_" #n);            \
    check(ga_random_##n(more, 1, S, GA_FLOAT32)                             \
          || ga_random_##n(one, 1, S, GA_FLOAT32)                           \
          || ga_random_##n(one, 2, S, GA_INT32), "ga_random_" #n);          \
    check(good(ga_random_##n##_into(O, 1, 1))                               \
          || good(ga_random_##n##_into(P, 1, 2)), "ga_random_" #n "_into");
#define DRAW_3(n, ...)                                                      \
    check(ga_random_##n(1, 2, 3, S, GA_FLOAT32)                             \
          && good(ga_random_##n##_into(O, 1, 2, 3)), "ga_random_" #n);
static void random_numbers(void) {
    GA_SCOPE;
    ga_shape S = GA_SHAPE(2, 3);
    ga_array *O = ga_zeros(S, GA_FLOAT64), *P = ga_zeros(S, GA_INT64);
    ga_array *x = ga_arange(0, 6, 1), *one = ga_ones(S, GA_INT64);
    ga_rng *g = ga_rng_create(GA_PHILOX, 7), *sub[2];
    check(g && good(ga_rng_spawn(g, 2, sub)), "ga_rng_spawn");
    {
        GA_RNG(sub[1]);
        check(ga_rng_current() == sub[1], "GA_RNG");
        ga_array *half = ga_full(S, 0.5, GA_FLOAT64);
        ga_array *more = ga_add(half, 1);
        GA_DISTRIBUTIONS_0(DRAW_0)
        GA_DISTRIBUTIONS_1(DRAW_1)
        GA_DISTRIBUTIONS_2(DRAW_2)
        GA_DISTRIBUTIONS_3(DRAW_3)
    }
    check(ga_random(S, GA_FLOAT16) != NULL, "ga_random");
    check(ga_random_bytes(5) != NULL, "ga_random_bytes");
    check(ga_random_multinomial(10, ga_full(GA_SHAPE(4), 0.25, GA_FLOAT64), S,
                                GA_INT64) != NULL, "ga_random_multinomial");
    check(ga_random_dirichlet(ga_ones(GA_SHAPE(4), GA_FLOAT64), S, GA_FLOAT64)
          != NULL, "ga_random_dirichlet");
    lapack(ga_random_multivariate_normal(ga_zeros(GA_SHAPE(2), GA_FLOAT64),
               ga_eye(2, 2, 0, GA_FLOAT64), S, GA_FLOAT64) != NULL,
           "ga_random_multivariate_normal");
    check(ga_random_permutation(x) && ga_random_permutation(9),
          "ga_random_permutation");
    check(good(ga_random_shuffle(x, 0)), "ga_random_shuffle");
    check(ga_random_choice(x, S, true, GA_NONE)
          && ga_random_choice(20, S, false, GA_NONE), "ga_random_choice");
    ga_rng_destroy(sub[0]);
    ga_rng_destroy(sub[1]);
    ga_rng_destroy(g);
}
