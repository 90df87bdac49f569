/* sparse.h - products of sparse matrices and the L-curve; a part of bench.c. A
   matrix of five points a row (the Laplacian of a square), random ones with
   twelve a row and with a tenth of its places. The limit is every array once, with the indices of 16
   bits that a prepared matrix has on a GPU.                                 */
static struct {
    ga_sparse *a;
    ga_solve_info info[10];
} sparse;
static void setup_laplacian(state *s) {
    const int64_t side = (int64_t)sqrt((double)s->n);
    const ga_dtype t = s->c->t;
    s->n = s->cols = side * side;
    int64_t at[] = {-side, -1, 0, 1, side};
    ga_array *i = ga_arange_as(1, s->n, 1, GA_INT64);
    ga_array *edge = ga_negative(ga_astype(ga_not_equal(ga_remainder(i, side), 0),
                                           t));
    ga_array *one = ga_full(GA_SHAPE(1), -1, t);
    const ga_array *d[] = {one, edge, ga_full(GA_SHAPE(1), 4, t), edge, one};
    sparse.a = ga_sparse_diags(5, d, at, s->n, s->n);
    ga_sparse_prepare(sparse.a, 0);
    setup_x(s);
    s->x = ga_astype(s->x, t);
    s->out = ga_zeros(GA_SHAPE(s->n), t);
}
static void setup_random(state *s, double density) {
    sparse.a = ga_sparse_random(s->n, s->n, density, s->c->t);
    ga_sparse_prepare(sparse.a, 0);
    ga_sparse_prepare(sparse.a, GA_TRANS);
    setup_x(s);
    s->x = ga_astype(s->x, s->c->t);
    s->out = ga_zeros(GA_SHAPE(s->n), s->c->t);
}
static void setup_tenth(state *s) { setup_random(s, 0.1); }
static void setup_twelve(state *s) { setup_random(s, 12 / (double)s->n); }
static void run_spmv(state *s) {
    ga_sparse_matmul_into(s->out, sparse.a, s->x, s->c->axis == 0 ? GA_TRANS : 0);
}
static void run_cg(state *s) {          /* 20 iterations                    */
    const ga_solve_options o = {.rtol = -1, .maxiter = 20};
    set_out(s, ga_cg(sparse.a, s->x, &o, &sparse.info[0]));
}
static void run_lcurve(state *s) {
    double damp[10];
    for (int i = 0; i < 10; i++) damp[i] = 0.1 * pow(50000, i / 9.0);
    set_out(s, ga_lsmr_many(sparse.a, s->x, damp, 10, NULL, sparse.info));
}
static void run_lsmr(state *s) {
    set_out(s, ga_lsmr(sparse.a, s->x, 1, NULL, sparse.info));
}
static bool check_laplacian(state *s) {
    const int64_t side = (int64_t)sqrt((double)s->n);
    ga_array *y = ga_astype(s->out, GA_FLOAT64);
    double *got = ga_asnumpy(y, NULL);
    bool good = got != NULL;
    for (int64_t i = 0; i < s->n && good; i++) {
        double want = 4 * x_at(i);
        if (i >= side) want -= x_at(i - side);
        if (i + side < s->n) want -= x_at(i + side);
        if (i % side) want -= x_at(i - 1);
        if ((i + 1) % side && i + 1 < s->n) want -= x_at(i + 1);
        good = fabs(got[i] - want) < 1e-5 || wrong(s, i, got[i], want);
    }
    free(got);
    return good;
}
/* The sum of the result is that of the columns' sums times x. */
static bool check_tenth(state *s) {
    const bool t = s->c->axis == 0;
    ga_array *sums = ga_sparse_sum(sparse.a, GA_AXIS(t ? 1 : 0));
    double want = ga_item(ga_sum(ga_mul(ga_astype(sums, GA_FLOAT64), s->x), GA_ALL));
    double got = ga_item(ga_sum(ga_astype(s->out, GA_FLOAT64), GA_ALL));
    return fabs(got - want) < 1e-5 * fabs(want) || wrong(s, 0, got, want);
}
/* b - A x is as long as the method says. */
static bool check_solved(state *s) {
    const bool cg = s->c->body == run_cg, one = cg || s->c->body == run_lsmr;
    bool good = s->out != NULL;
    for (int i = 0; i < (one ? 1 : 10) && good; i++) {
        ga_array *x = one ? s->out : ga_index_axis(s->out, 0, i);
        ga_array *r = ga_sub(s->x, ga_sparse_matmul(sparse.a, x, 0));
        double damp = cg ? 0 : one ? 1 : 0.1 * pow(50000, i / 9.0);
        double got = hypot(ga_item(ga_norm(r, GA_NORM, GA_ALL)),
                           damp * ga_item(ga_norm(x, GA_NORM, GA_ALL)));
        double want = sparse.info[i].residual;
        good = cg ? sparse.info[0].iterations == 20
               : fabs(got - want) < 1e-2 * want || wrong(s, i, got, want);
    }
    return good;
}
#define SPARSE(nm, w, set, run, chk, by, n, ty, ax)                            \
    {.name = nm, .where = w, .setup = set, .body = run, .check = chk,           \
     .limit = READ, .bytes = by, .rows = 1, .cols = n, .t = ty, .out = ty,      \
     .axis = ax, .waits = run != run_spmv},
static const bench_case sparse_cases[] = {
    SPARSE("spmv_laplacian_f64_1e7", GPU, setup_laplacian, run_spmv,
           check_laplacian, 80, 3163 * 3163, GA_FLOAT64, NONE)
    SPARSE("spmv_laplacian_f32_1e7", GPU, setup_laplacian, run_spmv,
           check_laplacian, 52, 3163 * 3163, GA_FLOAT32, NONE)
    SPARSE("cg20_laplacian_f64_1e7", GPU, setup_laplacian, run_cg, check_solved,
           20 * 240, 3163 * 3163, GA_FLOAT64, NONE)
    SPARSE("spmv_tenth_f32_15k", GPU, setup_tenth, run_spmv, check_tenth, 9000,
           15000, GA_FLOAT32, NONE)
    SPARSE("spmv_tenth_transposed_f32_15k", GPU, setup_tenth, run_spmv,
           check_tenth, 9000, 15000, GA_FLOAT32, 0)
    SPARSE("spmv_twelve_f64_1e6", GPU | CPU, setup_twelve, run_spmv, check_tenth,
           164, 1000000, GA_FLOAT64, NONE)
    SPARSE("lsmr_tenth_f32_15k", GPU, setup_tenth, run_lsmr, check_solved, 0,
           15000, GA_FLOAT32, NONE)
    SPARSE("seed004_lcurve", GPU, setup_tenth, run_lcurve, check_solved, 0, 15000,
           GA_FLOAT32, NONE)
    SPARSE("spmv_laplacian_f64_1e6", CPU, setup_laplacian, run_spmv,
           check_laplacian, 80, 1000 * 1000, GA_FLOAT64, NONE)
    SPARSE("spmv_tenth_f32_4k", CPU, setup_tenth, run_spmv, check_tenth, 3200,
           4000, GA_FLOAT32, NONE)
};
