/* eval.h - the cases of fused expressions and of the guides' programs that use
   them; a part of bench.c. GA_EVAL reads its text once, checks and plans it, and
   runs it in one kernel; the unfused twins stand in bench.c, own kernels in
   the examples.                                                            */
#ifndef GPUARR_NO_CUDA
#include "../examples/own_kernels.h"
#endif

/* --------------------------------------------------------- element by element */
static void fused_sincos(state *s) {
    ga_array *x = s->x;
    GA_EVAL_INTO(s->out, cos(x)**2 + sin(x)**2, x);
}
static void fused_axpy(state *s) {
    ga_array *x = s->x, *y = s->y;
    double a = 2.5;
    GA_EVAL_INTO(s->out, a*x + y, a, x, y);
}
static void fused_poly(state *s) {       /* 20 operations, by Horner's rule */
    ga_array *x = s->x;
    GA_EVAL_INTO(s->out,
                 (((((((((0.1*x + 0.2)*x + 0.3)*x + 0.4)*x + 0.5)*x + 0.6)*x
                     + 0.7)*x + 0.8)*x + 0.9)*x + 1.0)*x + 1.1, x);
}
static void fused_add(state *s) {
    ga_array *x = s->x, *y = s->y;
    GA_EVAL_INTO(s->out, x + y, x, y);
}
static void fused_sumsq(state *s) {
    ga_array *x = s->x, *y = s->y;
    set_out(s, GA_EVAL(sum((x - y)**2), x, y));
}
/* The gradient of a mean of squares, alone and with the mean. */
static void slope(state *s) {
    ga_array *x = s->x;
    GA_EVAL_INTO(s->out, grad(mean(x**2), x), x);
}
static void value_slope(state *s) {
    ga_array *x = s->x, *g = s->out, *L = s->y;
    GA_EVAL_SET(L = mean(x**2); g = grad(L, x), L, g, x);
}
static void setup_slope(state *s) {
    setup(s);
    s->y = ga_empty(GA_SCALAR_SHAPE, F);
}
static void fused_selu(state *s) {
    ga_array *x = s->x;
    set_out(s, GA_EVAL(1.05 * where(x > 0, x, 1.67*exp(x) - 1.67), x));
}
/* The same, compiled by NVRTC in the first call; left out where that is not
   there, which the library says.                                           */
static bool compiled(state *s, const char *text, const char *names) {
    if (!s->expr && !s->skip) {
        ga_handler before = ga_on_error(GA_PRINT);
        s->expr = ga_expr_compile(text, names);
        s->skip = ga_expr_jit(s->expr) != GA_OK;
        ga_clear_error();
        ga_on_error(before);
    }
    return !s->skip;
}
static void run_compiled(state *s, const char *text) {
    if (compiled(s, text, "x")) GA_EXPR_RUN_INTO(s->out, s->expr, s->x);
}
static void jit_sincos(state *s) { run_compiled(s, "cos(x)**2 + sin(x)**2"); }
static void jit_poly(state *s) {
    run_compiled(s, "(((((((((0.1*x + 0.2)*x + 0.3)*x + 0.4)*x + 0.5)*x + 0.6)*x"
                    "+ 0.7)*x + 0.8)*x + 0.9)*x + 1.0)*x + 1.1");
}
REF(r_axpy, 2.5 * x + y)
static double r_poly(double x, double y) {
    double v = 0.1;
    (void)y;
    for (int k = 2; k <= 11; k++) v = v * x + k / 10.0;
    return v;
}
static bool check_sumsq(state *s) {
    double sum = 0, got = ga_item(s->out);
    for (int64_t i = 0; i < s->n; i++) {
        double d = (double)(float)(x_at(i) - y_at(i));
        sum += d * d;
    }
    return near(got / sum, 1, F) || wrong(s, 0, got, sum);
}

static bool check_slope(state *s) {
    const int64_t n = s->out->size, step = n / 2000 + 1;
    for (int64_t i = 0; i < n; i += step) {
        double got = ga_item_at(s->out, GA_INDEX(i)) * (double)n, want = 2 * x_at(i);
        if (!near(got, want, F)) return wrong(s, i, got, want);
    }
    return true;
}
static bool check_value_slope(state *s) {
    double sum = 0, got = ga_item(s->y);
    for (int64_t i = 0; i < s->n; i++) sum += x_at(i) * x_at(i);
    sum /= (double)s->n;
    return near(got / sum, 1, F) ? check_slope(s) : wrong(s, 0, got, sum);
}

/* Host arrays: in pieces to the device, through the kernel and back. */
static void setup_wrapped(state *s) {
    float *p[3];
    setup_host(s);
    p[0] = s->host, p[1] = s->host2, p[2] = s->back;
    for (int i = 0; i < 3; i++)
        s->side[0][i] = ga_wrap(p[i], F, GA_SHAPE(s->n), NULL, GA_CPU, NULL, NULL);
}
static void host_sincos(state *s) {
    ga_array *x = s->side[0][0];
    GA_EVAL_HOST_INTO(s->side[0][2], cos(x)**2 + sin(x)**2, x);
}
static void host_add(state *s) {
    ga_array *x = s->side[0][0], *y = s->side[0][1];
    GA_EVAL_HOST_INTO(s->side[0][2], x + y, x, y);
}

/* A matrix applied to ten vectors, the rows of x. */
static void setup_vmap(state *s) {
    int64_t b = 10, m = 150, n = 100;
    s->n = b * m;
    s->x = matrix(base_x, b, n, F);
    s->y = transposed(matrix(base_y, m, n, F));
    set_out(s, ga_empty(GA_SHAPE(b, m), F));
}
static bool check_vmap(state *s) {
    for (int64_t i = 0; i < 10; i++)
        for (int64_t j = 0; j < 150; j++) {
            double want = 0, got = ga_item_at(s->out, GA_INDEX(i, j));
            for (int64_t k = 0; k < 100; k++)
                want += x_at(i * 100 + k) * y_at(j * 100 + k);
            if (!near(got / want, 1, F)) return wrong(s, i * 150 + j, got, want);
        }
    return true;
}

/* ------------------------------------------------------------- integration
   sin(x + y) over [0, pi]^2 in n*n points: a sum for every x in one fused
   reduction, the sums added up here. In float64, as the guide's program.    */
static void setup_integration(state *s) {
    double h = acos(-1) / (double)s->n;
    ga_array *at = ga_mul(ga_add(ga_arange(0.0, s->n, 1), 0.5), h);
    s->x = ga_reshape(at, GA_SHAPE(s->n, 1));
    s->y = at;
    s->back = malloc((size_t)s->n * sizeof(double));
    if (!s->back) {
        perror("bench");
        exit(1);
    }
}
static double integral;
static void add_rows(state *s, const double *row) {
    double h = acos(-1) / (double)s->n, sum = 0;
    for (int64_t i = 0; i < s->n; i++) sum += row[i];
    integral = sum * h * h;
}
static double *rows_of(state *s) { return (double *)(void *)s->back; }
static void fused_integration(state *s) {
    GA_SCOPE;
    ga_array *x = s->x, *y = s->y;
    ga_asnumpy(GA_EVAL(sum(sin(x + y), axis=1), x, y), s->back);
    add_rows(s, rows_of(s));
}
static bool check_integration(state *s) {
    double h = acos(-1) / (double)s->n, off = s->c->tolerance;
    for (int64_t i = 0; i < s->n; i++) {
        double want = cos(h * ((double)i + 0.5)) / sin(h / 2);
        if (!(fabs(rows_of(s)[i] - want) <= off / h))
            return wrong(s, i, rows_of(s)[i], want);
    }
    return fabs(integral) < 4 * off || wrong(s, -1, integral, 0);
}
#ifndef GPUARR_NO_CUDA
static void setup_own_integration(state *s) {
    setup_integration(s);
    s->z[0] = ga_empty(GA_SHAPE(s->n), F);
    s->host = malloc((size_t)s->n * sizeof *s->host);
    if (!s->host) {
        perror("bench");
        exit(1);
    }
}
static void own_rows(state *s, bool exact) {
    integrate_rows(s->z[0], exact);
    ga_asnumpy(s->z[0], s->host);
    for (int64_t i = 0; i < s->n; i++) rows_of(s)[i] = (double)s->host[i];
    add_rows(s, rows_of(s));
}
static void own_integration(state *s) { own_rows(s, true); }
static void own_integration_f32(state *s) { own_rows(s, false); }
#endif

/* --------------------------------------------------------------- diffusion
   z[0] and z[1]: the field with a border of zeros, before and after a step;
   side[k]: the views of z[k] that a step reads; x: the Laplacian, kept as in
   the guide's kernel. A graph holds two steps, there and back.             */
enum { STEPS = 1000 };
static void setup_field(state *s) {
    int64_t n = shrunk(2000);
    const int64_t at[5][2] = {{1, 1}, {0, 1}, {2, 1}, {1, 0}, {1, 2}};
    s->n = n * n;
    s->y = matrix(base_x, n, n, F);
    s->x = ga_empty(GA_SHAPE(n, n), F);
    for (int k = 0; k < 2; k++) {
        s->z[k] = ga_zeros(GA_SHAPE(n + 2, n + 2), F);
        for (int i = 0; i < 5; i++) {
            ga_array *rows = ga_slice_axis(s->z[k], 0, at[i][0], at[i][0] + n, 1);
            s->side[k][i] = ga_slice_axis(rows, 1, at[i][1], at[i][1] + n, 1);
        }
    }
    ga_assign(s->side[0][0], s->y);
}
static void two_steps(void *arg) {
    state *s = arg;
    ga_array *l = s->x;
    for (int k = 0; k < 2; k++) {
        ga_array *u = s->side[k][0], *n = s->side[k][1], *o = s->side[k][2];
        ga_array *w = s->side[k][3], *e = s->side[k][4], *v = s->side[1 - k][0];
        if (s->expr) GA_EXPR_RUN_INTO(NULL, s->expr, l, v, u, n, o, w, e);
        else GA_EVAL_SET(l = 4*u - n - o - w - e; v = u - 0.25*l, l, v, u, n, o, w, e);
    }
}
static void setup_diffusion(state *s) {
    setup_field(s);
    two_steps(s);                       /* planned before it is captured    */
    s->graph = ga_graph_create(two_steps, s);
}
static void setup_jit_diffusion(state *s) {
    if (compiled(s, "l = 4*u - n - o - w - e; v = u - 0.25*l", "l, v, u, n, o, w, e"))
        setup_diffusion(s);
}
/* By slices of the whole fields in one expression; no Laplacian is kept. */
#define SLICED "v[1:-1, 1:-1] = u[1:-1, 1:-1] - 0.25*(4*u[1:-1, 1:-1] - u[:-2, 1:-1]" \
               "- u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:])"
static void two_sliced(void *arg) {
    state *s = arg;
    for (int k = 0; k < 2; k++) {
        const ga_array *x[] = {s->z[k], s->z[1 - k]};
        if (s->expr) ga_expr_run_into(NULL, s->expr, x, 2);
        else ga_eval_into(NULL, SLICED, "u, v", x, 2);
    }
}
static void setup_sliced(state *s) {
    setup_field(s);
    two_sliced(s);
    s->graph = ga_graph_create(two_sliced, s);
}
static void setup_jit_sliced(state *s) {
    if (compiled(s, SLICED, "u, v")) setup_sliced(s);
}
static void run_diffusion(state *s) {
    if (s->skip) return;
    for (int i = 0; i < STEPS / 2; i++) ga_graph_launch(s->graph);
}
/* Twenty steps from the start, beside the same on a corner here: what is
   beyond reach of the corner's middle in that time does not matter.        */
static bool check_field(state *s, const ga_array *field) {
    enum { W = 64, GOOD = 40 };
    static double f[2][W + 2][W + 2];
    int64_t n = field->shape[0];
    memset(f, 0, sizeof f);
    for (int64_t i = 0; i < W; i++)
        for (int64_t j = 0; j < W; j++) f[0][i + 1][j + 1] = x_at(i * n + j);
    for (int t = 0; t < 20; t++)
        for (int i = 1; i <= W; i++)
            for (int j = 1; j <= W; j++) {
                double(*u)[W + 2] = f[t % 2];
                f[1 - t % 2][i][j] = u[i][j] - 0.25 * (4 * u[i][j] - u[i - 1][j] - u[i + 1][j]
                                                       - u[i][j - 1] - u[i][j + 1]);
            }
    set_out(s, ga_copy(field));
    for (int i = 0; i < GOOD; i += 3)
        for (int j = 0; j < GOOD; j += 3) {
            double got = ga_item_at(s->out, GA_INDEX(i, j)), want = f[0][i + 1][j + 1];
            if (!near(got, want, F)) return wrong(s, i * n + j, got, want);
        }
    return true;
}
static bool check_diffusion(state *s) {
    ga_assign(s->side[0][0], s->y);
    for (int t = 0; t < 10; t++) ga_graph_launch(s->graph);
    return check_field(s, s->side[0][0]);
}
#ifndef GPUARR_NO_CUDA
static void setup_own_diffusion(state *s) {
    int64_t n = shrunk(2000);
    s->n = n * n;
    s->y = matrix(base_x, n, n, F);
    for (int k = 0; k < 2; k++) s->z[k] = ga_copy(s->y);
}
static void own_diffusion(state *s) { diffuse(s->z[0], s->z[1], 0.25f, STEPS); }
static bool check_own_diffusion(state *s) {
    ga_assign(s->z[0], s->y);
    diffuse(s->z[0], s->z[1], 0.25f, 20);
    return check_field(s, s->z[0]);
}
#endif

/* One product and its column sums, to the host: what the guide's tiled kernel,
   the counter-example, computes; by cuBLAS, and by such a kernel.           */
static void run_matmul_reduce(state *s) {
    GA_SCOPE;
    ga_asnumpy(ga_sum(ga_matmul(s->x, s->y), GA_AXIS(0)), s->back);
}
#ifndef GPUARR_NO_CUDA
static void own_matmul_reduce(state *s) {
    GA_SCOPE;
    ga_array *sums = ga_empty(GA_SHAPE(s->y->shape[1]), F);
    tiled_product_sums(s->x, s->y, sums);
    ga_asnumpy(sums, s->back);
}
#endif

/* ---------------------------------------------------------------- the rows */
#define FUSED(nm, w, set, run, chk, lim, by, n, f)                             \
    {.name = nm, .where = w, .setup = set, .body = run, .check = chk,           \
     .limit = lim, .bytes = by, .rows = 1, .cols = n, .t = F, .out = F,         \
     .un = cast_into, .bin = ga_add_into, .ref = f},
#define INTEGRATION(nm, set, run, tol)                                         \
    {.name = nm, .where = GPU, .setup = set, .body = run, .check = check_integration, \
     .waits = true, .rows = 1, .cols = 102400, .t = D, .tolerance = tol},
#define REDUCE(nm, run)                                                        \
    {.name = nm, .where = GPU, .setup = setup_sums, .body = run, .check = check_sums, \
     .waits = true, .t = F, .dim = {0, 10000, 5000, 7000}, .tolerance = 1e-4},
static const bench_case eval_cases[] = {
    FUSED("sin2cos2_fused_f32_2^28", GPU, setup, fused_sincos, check, COPY, 8, M28, r_one)
    FUSED("axpy_fused_f32_2^28", GPU, setup, fused_axpy, check, COPY, 12, M28, r_axpy)
    FUSED("poly20_fused_f32_2^28", GPU, setup, fused_poly, check, COPY, 8, M28, r_poly)
    FUSED("sumsq_fused_f32_2^28", GPU, setup_xy, fused_sumsq, check_sumsq, READ, 8, M28, NULL)
    FUSED("meansq_grad_f32_2^26", GPU, setup, slope, check_slope, COPY, 8, M28 / 4, NULL)
    FUSED("meansq_value_grad_f32_2^26", GPU, setup_slope, value_slope, check_value_slope, COPY, 8,
          M28 / 4, NULL)
    FUSED("eval_small_1k", GPU, setup, fused_add, check, LAUNCH, 0, 1024, r_add)
    CASE("seed002_vectorize_1e7_host", GPU | CPU, setup_wrapped, host_sincos, check_back,
         STREAM, 4, true, E7, F, r_one, NULL)
    FUSED("seed002_vectorize_1e7_device", GPU, setup, fused_sincos, check, COPY, 8, E7, r_one)
    CASE("seed002_selu_1e6_jit", GPU | CPU, setup_selu, fused_selu, check, COPY, 8, false,
         1000000, F, r_selu, NULL)
    {.name = "seed002_vmap_jit", .where = GPU, .setup = setup_vmap, .body = run_binary,
     .check = check_vmap, .limit = LAUNCH, .t = F, .bin = ga_matmul_into},
    CASE("seed003_vecadd_host_1e8", GPU, setup_wrapped, host_add, check_back, STREAM, 8,
         true, 100000000, F, r_add, NULL)
    INTEGRATION("seed003_integration2d", setup_integration, fused_integration, 1e-9)
    {.name = "seed004_diffusion_1000it", .where = GPU, .setup = setup_diffusion,
     .body = run_diffusion, .check = check_diffusion, .t = F},
    {.name = "diffusion_sliced_1000it", .where = GPU, .setup = setup_sliced,
     .body = run_diffusion, .check = check_diffusion, .t = F},
    REDUCE("numba_matmul_reduce", run_matmul_reduce)
#ifndef GPUARR_NO_CUDA
    INTEGRATION("seed003_integration2d_own", setup_own_integration, own_integration, 1e-6)
    INTEGRATION("seed003_integration2d_own_f32", setup_own_integration, own_integration_f32,
                1e-4)
    {.name = "seed004_diffusion_1000it_own", .where = GPU, .setup = setup_own_diffusion,
     .body = own_diffusion, .check = check_own_diffusion, .t = F},
    REDUCE("numba_matmul_reduce_own", own_matmul_reduce)
#endif

    FUSED("sin2cos2_fused_f32_1e7", CPU, setup, fused_sincos, check, COPY, 8, E7, r_one)
    FUSED("axpy_fused_f32_1e7", CPU, setup, fused_axpy, check, COPY, 12, E7, r_axpy)
    FUSED("poly20_fused_f32_1e7", CPU, setup, fused_poly, check, COPY, 8, E7, r_poly)
    FUSED("sumsq_fused_f32_1e7", CPU, setup_xy, fused_sumsq, check_sumsq, READ, 8, E7, NULL)
    FUSED("meansq_grad_f32_1e7", CPU, setup, slope, check_slope, COPY, 8, E7, NULL)
    FUSED("meansq_value_grad_f32_1e7", CPU, setup_slope, value_slope, check_value_slope, COPY, 8,
          E7, NULL)
};
static const bench_case jit_cases[] = {
    FUSED("sin2cos2_jit_f32_2^28", GPU, setup, jit_sincos, check, COPY, 8, M28, r_one)
    FUSED("poly20_jit_f32_2^28", GPU, setup, jit_poly, check, COPY, 8, M28, r_poly)
    {.name = "seed004_diffusion_1000it_jit", .where = GPU, .setup = setup_jit_diffusion,
     .body = run_diffusion, .check = check_diffusion, .t = F},
    {.name = "diffusion_sliced_1000it_jit", .where = GPU, .setup = setup_jit_sliced,
     .body = run_diffusion, .check = check_diffusion, .t = F},
};
