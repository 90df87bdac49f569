/* bench.c - times the library and prints one JSON line a case:

     {"case": "add_f32_2^28", "impl": "gpuarr", "device": "NVIDIA H200",
      "best_ms": ..., "median_ms": ..., "first_ms": ..., "limit_ms": ...,
      "memory_mb": ..., "value": [...]}

   bench [--device=cpu|0|1..] [--cases=name,name] [--quick]

   first_ms   the first call of it in this process, until its result is there
   limit_ms   what the card allows: the bytes moved at the rate of a plain
              CUDA copy, read or fill (limits.cu, measured in this process),
              or a bare kernel launch; null on the CPU
   memory_mb  what the pool took from the device for one call, beyond the
              operands and the outputs that are there before it
   value      five elements of the result, for the comparison with the peers
   Every result is checked against values computed here in double precision;
   a case that fails its check says so and the program ends with 1.
   --quick shrinks the arrays: to see that it works, not how fast.

   The times are ga_bench_next's (gpuarr.h, >>profile): work that is queued is
   timed by events, without a pause for the host, after two calls to warm up;
   calls that bring a result to the host by the host's clock. Element-wise cases write into an
   existing array (_into): allocation is a case of its own.                 */
#include "gpuarr.h"
#include "../ext/gpuarr_rtc.h"
#include "../ext/gpuarr_sparse.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- the limits */
#ifndef GPUARR_NO_CUDA
double limit_context_ms(void);
double limit_copy_rate(int64_t bytes);
double limit_fill_rate(int64_t bytes);
double limit_read_rate(int64_t bytes);
double limit_launch_ms(void);
double limit_value_ms(void);
double limit_transfer_ms(int64_t bytes, int up, int pinned);
double limit_sincos_ms(int64_t n);
double limit_axpy_ms(int64_t n);
#endif
static struct {
    double copy, read, fill;            /* bytes a millisecond              */
    double launch, value, up, down;     /* milliseconds                     */
} limits;

/* --------------------------------------------------------------- the data */
/* Element i of the two inputs: random-looking floats in [0.5, 2), from the
   index alone, so that a check can recompute any of them.                  */
static double data_at(uint64_t i) {
    i += 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 27) * 0x94d049bb133111ebu;
    return (double)(0.5f + 1.5f * (float)(i >> 40) / (1 << 24));
}
#define SECOND ((uint64_t)1 << 40)
static double x_at(int64_t i) { return data_at((uint64_t)i); }
static double y_at(int64_t i) { return data_at((uint64_t)i + SECOND); }

static bool quick;
static ga_array *base_x, *base_y;       /* flat float32, as long as needed  */

static ga_array *upload(int64_t n, uint64_t from) {
    float *h = malloc((size_t)n * sizeof *h);
    if (!h) {
        perror("bench");
        exit(1);
    }
    for (int64_t i = 0; i < n; i++) h[i] = (float)data_at((uint64_t)i + from);
    ga_array *a = ga_asarray(h, GA_SHAPE(n));
    free(h);
    return ga_detach(a);
}

/* v as an array of dtype t holds it. */
static double rounded(double v, ga_dtype t) {
    return t == GA_FLOAT16    ? ga_float16_to(ga_float16_from((float)v))
           : t == GA_BFLOAT16 ? ga_bfloat16_to(ga_bfloat16_from((float)v))
                              : v;
}

/* -------------------------------------------------------------- the cases */
typedef struct state state;
typedef struct bench_case bench_case;
typedef ga_status (*unary)(ga_array *, const ga_array *);
typedef ga_status (*binary)(ga_array *, const ga_array *, const ga_array *);
typedef ga_array *(*reduction)(const ga_array *, ga_axis);

enum limit_kind { NO_LIMIT, COPY, READ, FILL, LAUNCH, VALUE, UP, DOWN, STREAM };
enum { GPU = 1, CPU = 2 };

struct bench_case {
    const char *name;
    int where;                          /* GPU, CPU                         */
    void (*setup)(state *);
    void (*body)(state *);
    bool (*check)(state *);
    enum limit_kind limit;
    double bytes;                       /* moved, for an element of rows*cols */
    bool waits;                         /* the body ends with a result here */
    int64_t rows, cols;                 /* rows 1: a flat array             */
    ga_dtype t, out;
    unary un;
    binary bin;
    double (*ref)(double, double);
    reduction red;
    int axis;                           /* of red; NONE: all                */
    int64_t dim[4];                     /* linalg.h's sizes,                */
    int value;                          /* which of its results to show,    */
    double tolerance;                   /* relative, of its products,       */
    double mean, var, low, high;        /* and what its draws must have     */
};
#define NONE (-9)

struct state {
    const bench_case *c;
    int64_t rows, cols, n;
    ga_array *x, *y, *out;              /* out: the result checked          */
    ga_array *r[3];                     /* or these: of decompositions      */
    float *host, *host2, *back;
    ga_array *z[2], *side[2][5];        /* eval.h's diffusion               */
    ga_graph *graph;
    ga_expr *expr;
    bool skip;                          /* not possible here                */
};

static ga_axis axis_of(const state *s) {
    return s->c->axis == NONE ? GA_ALL : GA_AXIS(s->c->axis);
}
static void set_out(state *s, ga_array *a) {
    ga_free(s->out);
    s->out = ga_detach(a);
}

/* Set-ups. The arrays made die in the runner's scope. */
static ga_array *shaped(const ga_array *base, int64_t n, ga_shape shape,
                        ga_dtype t) {
    ga_array *a = ga_reshape(ga_slice_axis(base, 0, 0, n, 1), shape);
    return t == GA_FLOAT32 ? a : ga_astype(a, t);
}
static void setup(state *s) {
    ga_shape sh = s->c->rows == 1 ? GA_SHAPE(s->n) : GA_SHAPE(s->rows, s->cols);
    s->x = shaped(base_x, s->n, sh, s->c->t);
    if (s->c->bin) s->y = shaped(base_y, s->n, sh, s->c->t);
    if (s->c->bin || s->c->un) set_out(s, ga_empty(sh, s->c->out));
}
static void setup_x(state *s) {
    s->x = shaped(base_x, s->n, GA_SHAPE(s->n), s->c->t);
}
static void setup_xy(state *s) {
    setup_x(s);
    s->y = shaped(base_y, s->n, GA_SHAPE(s->n), s->c->t);
}
static void setup_row(state *s) {
    setup(s);
    s->y = shaped(base_y, s->cols, GA_SHAPE(s->cols), s->c->t);
}
static void setup_col(state *s) {
    setup(s);
    s->y = shaped(base_y, s->rows, GA_SHAPE(s->rows, 1), s->c->t);
}
static void setup_strided(state *s) {
    setup(s);
    s->x = ga_slice(s->x, "::2, ::2");
    s->y = ga_slice(s->y, "::2, ::2");
    set_out(s, ga_empty(ga_shape_of(s->x), s->c->out));
}
static void setup_transpose(state *s) {
    setup(s);
    set_out(s, ga_empty(GA_SHAPE(s->cols, s->rows), s->c->t));
    s->x = ga_transpose(s->x, GA_ALL);
}
static float *host_data(int64_t n, uint64_t from) {
    float *h = malloc((size_t)n * sizeof *h);
    for (int64_t i = 0; h && i < n; i++) h[i] = (float)data_at((uint64_t)i + from);
    return h;
}
static void setup_host(state *s) {
    setup_x(s);
    s->host = host_data(s->n, 0);
    s->host2 = host_data(s->n, SECOND);
    s->back = calloc((size_t)s->n, sizeof *s->back);
    if (!s->host || !s->host2 || !s->back) {
        perror("bench");
        exit(1);
    }
}

/* Bodies. */
static void run_unary(state *s) { s->c->un(s->out, s->x); }
static void run_binary(state *s) { s->c->bin(s->out, s->x, s->y); }
static void run_reduce(state *s) { set_out(s, s->c->red(s->x, axis_of(s))); }
static void run_copy(state *s) { ga_assign(s->out, s->x); }
static void run_fill(state *s) { ga_assign(s->out, 1.5); }
static void run_add_new(state *s) { set_out(s, ga_add(s->x, s->y)); }
static void run_sum_item(state *s) {
    ga_array *r = ga_sum(s->x, GA_ALL);
    s->back[0] = (float)ga_item(r);
    set_out(s, r);
}
static void run_up(state *s) { set_out(s, ga_asarray(s->host, GA_SHAPE(s->n))); }
static void run_down(state *s) { ga_asnumpy(s->x, s->back); }
/* cos(x)**2 + sin(x)**2 in five passes */
static void cos2sin2(ga_array *out, ga_array *t, const ga_array *x) {
    ga_cos_into(out, x);
    ga_square_into(out, out);
    ga_sin_into(t, x);
    ga_square_into(t, t);
    ga_add_into(out, out, t);
}
static void setup_sincos(state *s) {
    setup(s);
    s->y = ga_empty(GA_SHAPE(s->n), GA_FLOAT32);
}
static void run_sincos(state *s) { cos2sin2(s->out, s->y, s->x); }
static void run_selu(state *s) {
    GA_SCOPE;
    const double alpha = 1.67, lambda = 1.05;
    ga_array *e = ga_sub(ga_mul(alpha, ga_exp(s->x)), alpha);
    ga_array *r = ga_mul(lambda, ga_where(ga_greater(s->x, 0), s->x, e));
    set_out(s, r);
}
/* Five small calls, each of the result before it: the host's time counts. */
static void setup_round(state *s) {
    s->x = ga_mul(ga_sub(shaped(base_x, s->n, GA_SHAPE(64, 64), GA_FLOAT32), 1.25), 0.1);
    s->y = ga_sub(shaped(base_y, s->n, GA_SHAPE(64, 64), GA_FLOAT32), 0.5);
}
static void run_round(state *s) {
    GA_SCOPE;
    ga_array *t = ga_tanh(ga_add(ga_matmul(s->x, s->y), s->x));
    set_out(s, ga_div(t, ga_sum(t, GA_AXIS_KEEP(1))));
}
static void setup_selu(state *s) {      /* both signs                       */
    setup_x(s);
    s->x = ga_sub(s->x, 1.25);
}

/* Checks. */
static bool near(double got, double want, ga_dtype t) {
    double eps = t == GA_FLOAT16 ? 2e-3 : t == GA_FLOAT64 ? 1e-14 : 2e-6;
    return fabs(got - want) <= eps * fmax(fabs(want), 1);
}
static bool wrong(const state *s, int64_t i, double got, double want) {
    fprintf(stderr, "%s: element %" PRId64 " is %.17g, not %.17g\n", s->c->name, i,
            got, want);
    return false;
}
/* About 2000 elements, the first and last among them. */
static bool check(state *s) {
    int64_t n = s->out->size, step = n / 2000 + 1;
    ga_array *flat = ga_reshape(s->out, GA_SHAPE(-1));
    for (int64_t k = 0; k < n + step; k += step) {
        int64_t i = k < n ? k : n - 1;
        double x = rounded(x_at(i), s->c->t), y = rounded(y_at(i), s->c->t);
        double want = rounded(s->c->ref(x, y), s->c->out);
        double got = ga_item_at(flat, GA_INDEX(i));
        if (!near(got, want, s->c->out)) return wrong(s, i, got, want);
    }
    return true;
}
/* The same for two-dimensional cases: from which elements of x and y. */
static bool check_2d(state *s, int64_t xr, int64_t xc, int64_t yr, int64_t yc) {
    int64_t m = s->out->shape[0], n = s->out->shape[1];
    for (int k = 0; k < 2000; k++) {
        int64_t i = (int64_t)(x_at(k) * 1e9) % m, j = (int64_t)(y_at(k) * 1e9) % n;
        if (k < 2) i = j = 0;
        if (k == 1) i = m - 1, j = n - 1;
        double want = s->c->ref(x_at(xr * i + xc * j), y_at(yr * i + yc * j));
        double got = ga_item_at(s->out, GA_INDEX(i, j));
        if (!near(got, want, s->c->out)) return wrong(s, i * n + j, got, want);
    }
    return true;
}
static bool check_row(state *s) { return check_2d(s, s->cols, 1, 0, 1); }
static bool check_col(state *s) { return check_2d(s, s->cols, 1, 1, 0); }
static bool check_strided(state *s) {
    return check_2d(s, 2 * s->cols, 2, 2 * s->cols, 2);
}
static bool check_transpose(state *s) { return check_2d(s, 1, s->cols, 0, 0); }

/* What a reduction of `n` elements of x from `i`, `step` apart, must give. */
static double reduced(const state *s, int64_t i, int64_t step, int64_t n) {
    double sum = 0, best = -1, mean, m2 = 0;
    int64_t at = 0;
    for (int64_t k = 0; k < n; k++) {
        double v = x_at(i + k * step);
        sum += v;
        if (v > best) best = v, at = k;
    }
    mean = sum / (double)n;
    if (s->c->red == ga_max) return best;
    if (s->c->red == ga_argmax) return (double)at;
    if (s->c->red == ga_sum) return sum;
    if (s->c->red == ga_mean) return mean;
    for (int64_t k = 0; k < n; k++) {
        double d = x_at(i + k * step) - mean;
        m2 += d * d;
    }
    return m2 / (double)n;
}
static bool check_reduce(state *s) {
    int64_t outs = s->out->size;
    for (int64_t k = 0; k < 8 && k < outs; k++) {
        int64_t j = outs == 1 ? 0 : k * (outs - 1) / (outs < 8 ? outs - 1 : 7);
        double want = s->c->axis == NONE ? reduced(s, 0, 1, s->n)
                      : s->c->axis == 0  ? reduced(s, j, s->cols, s->rows)
                                         : reduced(s, j * s->cols, 1, s->cols);
        double got = s->out->ndim ? ga_item_at(s->out, GA_INDEX(j)) : ga_item(s->out);
        if (!near(got, want, GA_FLOAT32)) return wrong(s, j, got, want);
    }
    return true;
}
static bool check_round(state *s) {
    for (int64_t i = 0; i < 64; i += 9) {
        double row[64], sum = 0;
        for (int64_t j = 0; j < 64; j++) {
            double m = 0.1 * (x_at(i * 64 + j) - 1.25);
            for (int64_t k = 0; k < 64; k++)
                m += 0.1 * (x_at(i * 64 + k) - 1.25) * (y_at(k * 64 + j) - 0.5);
            sum += row[j] = tanh(m);
        }
        for (int64_t j = 0; j < 64; j++) {
            double got = ga_item_at(s->out, GA_INDEX(i, j)), want = row[j] / sum;
            if (fabs(got - want) > 1e-4 * fmax(fabs(want), 1))
                return wrong(s, i * 64 + j, got, want);
        }
    }
    return true;
}
static bool check_back(state *s) {      /* all of the host's copy           */
    for (int64_t i = 0; i < s->n; i += 97) {
        double want = s->c->ref(x_at(i), y_at(i));
        if (!near(s->back[i], want, GA_FLOAT32)) return wrong(s, i, s->back[i], want);
    }
    return true;
}
static bool check_item(state *s) {
    double want = reduced(s, 0, 1, s->n);
    return near(s->back[0], want, GA_FLOAT32) || wrong(s, 0, s->back[0], want);
}

/* What they compute. */
#define REF(name, value) \
    static double name(double x, double y) { return (void)x, (void)y, (value); }
REF(r_add, x + y)
REF(r_multiply, x * y)
REF(r_less, x < y)
REF(r_equal, x == y)
REF(r_exp, exp(x))
REF(r_log, log(x))
REF(r_sin, sin(x))
REF(r_cos, cos(x))
REF(r_sqrt, sqrt(x))
REF(r_same, x)
REF(r_fill, 1.5)
REF(r_one, cos(x) * cos(x) + sin(x) * sin(x))
REF(r_selu, 1.05 * (x - 1.25 > 0 ? x - 1.25 : 1.67 * exp(x - 1.25) - 1.67))
static ga_array *var0(const ga_array *x, ga_axis a) { return ga_var(x, a, 0); }

#define M28 ((int64_t)1 << 28)
#define M27 ((int64_t)1 << 27)
#define E7 ((int64_t)10000000)
#define K16 16384
#define H GA_FLOAT16
#define F GA_FLOAT32
#define D GA_FLOAT64
#define B GA_BOOL
#define I GA_INT64
/* One row a case. UN and BIN: an element-wise operation on n elements of dtype
   t with results of dtype o, `b` bytes an element. RED: a reduction of an
   (r, c) array. CASE: any other.                                           */
#define UN(nm, w, n, ty, o, b, f)                                              \
    {.name = nm, .where = w, .setup = setup, .body = run_unary, .check = check, \
     .limit = COPY, .bytes = b, .rows = 1, .cols = n, .t = ty, .out = o,        \
     .un = ga_##f##_into, .ref = r_##f},
#define BIN(nm, w, n, ty, o, b, f)                                             \
    {.name = nm, .where = w, .setup = setup, .body = run_binary, .check = check, \
     .limit = COPY, .bytes = b, .rows = 1, .cols = n, .t = ty, .out = o,        \
     .bin = ga_##f##_into, .ref = r_##f},
#define BIN2(nm, w, r, c, b, f, set, chk)                                      \
    {.name = nm, .where = w, .setup = set, .body = run_binary, .check = chk,    \
     .limit = COPY, .bytes = b, .rows = r, .cols = c, .t = F, .out = F,         \
     .bin = ga_##f##_into, .ref = r_##f},
#define RED(nm, w, r, c, f, ax)                                                \
    {.name = nm, .where = w, .setup = setup, .body = run_reduce,                \
     .check = check_reduce, .limit = READ, .bytes = 4, .rows = r, .cols = c,    \
     .t = F, .out = F, .red = f, .axis = ax},
#define CASE(nm, w, set, run, chk, lim, by, wait, n, o, f, rd)                  \
    {.name = nm, .where = w, .setup = set, .body = run, .check = chk,           \
     .limit = lim, .bytes = by, .waits = wait, .rows = 1, .cols = n, .t = F,    \
     .out = o, .ref = f, .red = rd, .axis = NONE},
#define SINCOS(nm, n)                                                          \
    {.name = nm, .where = GPU, .setup = setup_sincos, .body = run_sincos,       \
     .check = check, .limit = COPY, .bytes = 44, .rows = 1, .cols = n, .t = F,  \
     .out = F, .un = cast_into, .ref = r_one},
static ga_status cast_into(ga_array *out, const ga_array *x) {
    return (ga_assign)(out, x);
}
#define ga_same_into cast_into          /* for UN: copy and cast            */
static const bench_case cases[] = {
    BIN("add_f32_2^28", GPU, M28, F, F, 12, add)
    BIN("multiply_f32_2^28", GPU, M28, F, F, 12, multiply)
    UN("exp_f32_2^28", GPU, M28, F, F, 8, exp)
    UN("sqrt_f32_2^28", GPU, M28, F, F, 8, sqrt)
    BIN("less_f32_2^28", GPU, M28, F, B, 9, less)
    UN("cast_f32_f64_2^28", GPU, M28, F, D, 12, same)
    UN("copy_f32_2^28", GPU, M28, F, F, 8, same)
    BIN("add_f64_2^27", GPU, M27, D, D, 24, add)
    BIN("multiply_f64_2^27", GPU, M27, D, D, 24, multiply)
    UN("exp_f64_2^27", GPU, M27, D, D, 16, exp)
    UN("sqrt_f64_2^27", GPU, M27, D, D, 16, sqrt)
    BIN("less_f64_2^27", GPU, M27, D, B, 17, less)
    UN("copy_f64_2^27", GPU, M27, D, D, 16, same)
    BIN("add_f16_2^28", GPU, M28, H, H, 6, add)
    BIN("multiply_f16_2^28", GPU, M28, H, H, 6, multiply)
    UN("exp_f16_2^28", GPU, M28, H, H, 4, exp)
    UN("sqrt_f16_2^28", GPU, M28, H, H, 4, sqrt)
    BIN("less_f16_2^28", GPU, M28, H, B, 5, less)
    UN("copy_f16_2^28", GPU, M28, H, H, 4, same)
    {.name = "fill_f32_2^28", .where = GPU, .setup = setup, .body = run_fill,
     .check = check, .limit = FILL, .bytes = 4, .rows = 1, .cols = M28, .t = F,
     .out = F, .un = cast_into, .ref = r_fill},
    BIN2("bcast_add_row_f32_16k", GPU, K16, K16, 8, add, setup_row, check_row)
    BIN2("bcast_add_col_f32_16k", GPU, K16, K16, 8, add, setup_col, check_col)
    /* half of the rows of two arrays, whole lines, and a quarter written   */
    BIN2("strided_add_f32_8k", GPU, 8192, 8192, 5, add, setup_strided, check_strided)
    {.name = "transpose_copy_f32_16k", .where = GPU, .setup = setup_transpose,
     .body = run_copy, .check = check_transpose, .limit = COPY, .bytes = 8,
     .rows = K16, .cols = K16, .t = F, .out = F, .ref = r_same},
    SINCOS("sin2cos2_f32_2^28", M28)
    RED("sum_f32_2^28", GPU, K16, K16, ga_sum, NONE)
    RED("max_f32_2^28", GPU, K16, K16, ga_max, NONE)
    RED("mean_f32_2^28", GPU, K16, K16, ga_mean, NONE)
    RED("argmax_f32_2^28", GPU, K16, K16, ga_argmax, NONE)
    RED("var_f32_2^28", GPU, K16, K16, var0, NONE)
    RED("sum_axis0_f32_16k", GPU, K16, K16, ga_sum, 0)
    RED("max_axis0_f32_16k", GPU, K16, K16, ga_max, 0)
    RED("mean_axis0_f32_16k", GPU, K16, K16, ga_mean, 0)
    RED("argmax_axis0_f32_16k", GPU, K16, K16, ga_argmax, 0)
    RED("var_axis0_f32_16k", GPU, K16, K16, var0, 0)
    RED("sum_axis1_f32_16k", GPU, K16, K16, ga_sum, 1)
    RED("max_axis1_f32_16k", GPU, K16, K16, ga_max, 1)
    RED("mean_axis1_f32_16k", GPU, K16, K16, ga_mean, 1)
    RED("argmax_axis1_f32_16k", GPU, K16, K16, ga_argmax, 1)
    RED("var_axis1_f32_16k", GPU, K16, K16, var0, 1)
    RED("sum_axis0_f32_1e6x16", GPU, 1000000, 16, ga_sum, 0)
    RED("sum_axis1_f32_1e6x16", GPU, 1000000, 16, ga_sum, 1)
    {.name = "small_add_1k", .where = GPU, .setup = setup, .body = run_binary,
     .check = check, .limit = LAUNCH, .rows = 1, .cols = 1024, .t = F, .out = F,
     .bin = ga_add_into, .ref = r_add},
    CASE("small_add_alloc_1k", GPU, setup_xy, run_add_new, check, LAUNCH, 0, false, 1024,
         F, r_add, NULL)
    CASE("small_sum_1k_sync", GPU, setup_host, run_sum_item, check_item, VALUE, 0, true,
         1024, F, NULL, ga_sum)
    CASE("small_round_64", GPU | CPU, setup_round, run_round, check_round, NO_LIMIT, 0,
         false, 4096, F, NULL, NULL)
    CASE("h2d_pageable_400MB", GPU, setup_host, run_up, check, UP, 0, true, 100000000, F,
         r_same, NULL)
    CASE("d2h_pageable_400MB", GPU, setup_host, run_down, check_back, DOWN, 0, true,
         100000000, F, r_same, NULL)
    CASE("seed002_selu_1e6_eager", GPU | CPU, setup_selu, run_selu, check, NO_LIMIT, 0,
         false, 1000000, F, r_selu, NULL)
    BIN("add_f32_1e7", CPU, E7, F, F, 12, add)
    BIN("multiply_f32_1e7", CPU, E7, F, F, 12, multiply)
    BIN("less_f32_1e7", CPU, E7, F, B, 9, less)
    BIN("equal_f32_1e7", CPU, E7, F, B, 9, equal)
    UN("sqrt_f32_1e7", CPU, E7, F, F, 8, sqrt)
    UN("exp_f32_1e7", CPU, E7, F, F, 8, exp)
    UN("log_f32_1e7", CPU, E7, F, F, 8, log)
    UN("sin_f32_1e7", CPU, E7, F, F, 8, sin)
    UN("cos_f32_1e7", CPU, E7, F, F, 8, cos)
    RED("sum_f32_1e7", CPU, 1, E7, ga_sum, NONE)
    RED("max_f32_1e7", CPU, 1, E7, ga_max, NONE)
    RED("var_f32_1e7", CPU, 1, E7, var0, NONE)
    RED("sum_axis0_f32_1e6x10", CPU, 1000000, 10, ga_sum, 0)
    RED("sum_axis1_f32_1e6x10", CPU, 1000000, 10, ga_sum, 1)
};

/* The case is one of --cases: pieces of names with commas between; "": all. */
static bool asked(const char *name, const char *only) {
    size_t n;
    if (!*only) return true;
    for (; *only; only += n + (only[n] == ',')) {
        char piece[64];
        n = strcspn(only, ",");
        snprintf(piece, sizeof piece, "%.*s", (int)n, only);
        if (n && strstr(name, piece)) return true;
    }
    return false;
}

#include "linalg.h"
#include "eval.h"
#include "masks.h"
#include "exchange.h"
#include "sorting.h"
#include "statistics.h"
#include "histograms.h"
#include "softmax.h"
#include "matrices.h"
#include "fft.h"
#include "joining.h"
#include "indexing.h"
#include "sparse.h"
#include "scaling.h"

/* ------------------------------------------------------------- the timing */
static char device_name[256];

static double now_ms(void) { return 1e3 * ga_time(); }
/* The first fused expression of the process: read, planned, run. */
static double first_eval(void) {
    GA_SCOPE;
    ga_array *x = ga_full(GA_SHAPE(1000), 0.5, GA_FLOAT32);
    ga_synchronize();
    double t = now_ms();
    GA_EVAL(cos(x)**2 + sin(x)**2, x);
    ga_synchronize();
    return now_ms() - t;
}
/* Five elements of the result as JSON; draws have none. */
static void print_value(state *s) {
    if (s->c->var > 0 || s->c->setup == setup_nothing) return;
    ga_array *from = s->r[0] ? s->r[s->c->value] : s->out;
    if (!from && !s->back) return;
    int64_t n = from ? from->size : s->c->check == check_sums ? dim(s, 3) : s->n;
    if (from) from = ga_real(ga_reshape(from, GA_SHAPE(-1)));
    int64_t at[] = {0, n / 3, n / 2, n * 2 / 3, n - 1};
    printf(", \"value\": [");
    for (int i = 0; i < 5; i++) {
        double v = from ? ga_item_at(from, GA_INDEX(at[i]))
                   : s->c->t == GA_FLOAT64 ? ((double *)(void *)s->back)[at[i]]
                                           : (double)s->back[at[i]];
        printf("%s%.9g", i ? ", " : "", v);
    }
    printf("]");
}
/* Megabytes that the pool takes for one call, empty before it. */
static double memory_of(state *s) {
    ga_memory before, after;
    ga_mem_trim();
    ga_mem_info(ga_device(), &before);
    s->c->body(s);
    ga_synchronize();
    ga_mem_info(ga_device(), &after);
    return ((double)after.reserved - (double)before.reserved) / 1e6;
}
static void report(const char *name, const char *impl, double best, double median,
                   double first, double limit, state *s) {
    printf("{\"case\": \"%s\", \"impl\": \"%s\", \"device\": \"%s\", \"best_ms\": %.6g, "
           "\"median_ms\": %.6g, ",
           name, impl, device_name, best, median);
    if (first >= 0) printf("\"first_ms\": %.6g, ", first);
    else printf("\"first_ms\": null, ");
    if (limit > 0) printf("\"limit_ms\": %.6g", limit);
    else printf("\"limit_ms\": null");
    if (s) {
        print_value(s);
        if (ga_device() != GA_CPU) printf(", \"memory_mb\": %.6g", memory_of(s));
    }
    last_ms = median;
    printf("}\n");
    fflush(stdout);
}
static double limit_of(const bench_case *c, double n) {
    switch (c->limit) {
    case COPY: return limits.copy > 0 ? c->bytes * n / limits.copy : 0;
    case READ: return limits.read > 0 ? c->bytes * n / limits.read : 0;
    case FILL: return limits.fill > 0 ? c->bytes * n / limits.fill : 0;
    case LAUNCH: return limits.launch;
    case VALUE: return limits.value;
    case UP: return limits.up;
    case DOWN: return limits.down;
    case STREAM: return limits.up / 4e8 * c->bytes * n;     /* the way there */
    case NO_LIMIT: break;
    }
    return 0;
}

static bool time_case(const bench_case *c) {
    GA_SCOPE;
    state s = {.c = c, .rows = c->rows, .cols = c->cols};
    if (quick && s.rows > 1) s.rows = (s.rows + 15) / 16, s.cols = (s.cols + 15) / 16;
    else if (quick && s.cols > 65536) s.cols /= 256;
    s.n = s.rows * s.cols;
    c->setup(&s);
    ga_synchronize();

    ga_bench b = {.wall = c->waits, .samples = quick ? 5 : 50};
    while (ga_bench_next(&b)) c->body(&s);
    bool good = s.skip || c->check(&s);
    if (good && !s.skip)
        report(c->name, "gpuarr", b.best_ms, b.median_ms, b.first_ms,
               limit_of(c, (double)s.n), &s);
    ga_graph_destroy(s.graph);
    ga_expr_free(s.expr);
    ga_free(s.out);
    for (int i = 0; i < 3; i++) ga_free(s.r[i]);
    free(s.host);
    free(s.host2);
    free(s.back);
    return good;
}

#ifndef GPUARR_NO_CUDA
static void by_hand(const char *only, const char *name, double ms) {
    if (asked(name, only)) report(name, "cuda", ms, ms, -1, 0, NULL);
}
static void measure_limits(const char *only) {
    int64_t bytes = quick ? 4 << 20 : (int64_t)4 << 28;
    int64_t host = quick ? 4000000 : 400000000;
    limits.copy = limit_copy_rate(bytes);
    limits.read = limit_read_rate(bytes);
    limits.fill = limit_fill_rate(bytes);
    limits.launch = limit_launch_ms();
    limits.value = limit_value_ms();
    limits.up = limit_transfer_ms(host, 1, 1);
    limits.down = limit_transfer_ms(host, 0, 1);
    double v[] = {2.0 * (double)bytes / limits.copy, (double)bytes / limits.read,
                  (double)bytes / limits.fill, limits.launch, limits.value, limits.up,
                  limits.down, limit_transfer_ms(host, 1, 0),
                  limit_transfer_ms(host, 0, 0)};
    const char *name[] = {"limit_copy_f32_2^28", "limit_read_f32_2^28",
                          "limit_fill_f32_2^28", "limit_launch", "limit_value_to_host",
                          "limit_h2d_pinned_400MB", "limit_d2h_pinned_400MB",
                          "h2d_pageable_400MB", "d2h_pageable_400MB"};
    int64_t n = quick ? M28 / 256 : M28;
    by_hand(only, "sin2cos2_fused_f32_2^28", limit_sincos_ms(n));
    by_hand(only, "axpy_fused_f32_2^28", limit_axpy_ms(n));
    for (int i = 0; i < 9; i++) report(name[i], "cuda", v[i], v[i], -1, 0, NULL);
}
#endif

int main(int argc, char **argv) {
    const char *only = "", *device = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--cases=", 8)) only = argv[i] + 8;
        else if (!strncmp(argv[i], "--device=", 9)) device = argv[i] + 9;
        else if (!strcmp(argv[i], "--quick")) quick = true;
        else {
            fprintf(stderr, "bench [--device=cpu|0|1..] [--cases=name,name] [--quick]\n");
            return 2;
        }
    }
    ga_on_error(GA_EXIT);
    bool cpu = device ? !strcmp(device, "cpu") : ga_device_count() == 0;
#ifndef GPUARR_NO_CUDA
    double context = cpu ? 0 : limit_context_ms();
#endif
    double t = now_ms();
    ga_set_device(cpu ? GA_CPU : device ? atoi(device) : 0);
    double v;
    {
        GA_SCOPE;
        ga_array *a = ga_full(GA_SHAPE(1000), 1, GA_FLOAT32);
        v = ga_item(ga_sum(ga_add(a, 2), GA_ALL));
    }
    double first = now_ms() - t;
    ga_device_properties p;
    ga_device_info(ga_device(), &p);
    snprintf(device_name, sizeof device_name, "%s", p.name);
    if (v != 3000) {
        fprintf(stderr, "first_result: %g, not 3000\n", v);
        return 1;
    }
    if (asked("first_result", only))
        report("first_result", "gpuarr", first, first, first, 0, NULL);
    if (asked("first_eval", only)) {
        first = first_eval();
        report("first_eval", "gpuarr", first, first, first, 0, NULL);
    }
#ifndef GPUARR_NO_CUDA
    if (!cpu) {
        report("cuda_context", "cuda", context, context, context, 0, NULL);
        measure_limits(only);
    }
#endif

    int64_t n = cpu ? E7 : quick ? 100000000 / 256 + M28 / 64 : M28;
    base_x = upload(n, 0);
    base_y = upload(n, SECOND);
    bool good = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].where & (cpu ? CPU : GPU) && asked(cases[i].name, only))
            good &= time_case(&cases[i]);
    for (size_t i = 0; i < sizeof linalg_cases / sizeof *linalg_cases; i++)
        if (linalg_cases[i].where & (cpu ? CPU : GPU) && asked(linalg_cases[i].name, only))
            good &= time_case(&linalg_cases[i]);
    for (size_t i = 0; i < sizeof eval_cases / sizeof *eval_cases; i++)
        if (eval_cases[i].where & (cpu ? CPU : GPU) && asked(eval_cases[i].name, only))
            good &= time_case(&eval_cases[i]);
    for (size_t i = 0; i < sizeof mask_cases / sizeof *mask_cases; i++)
        if (mask_cases[i].where & (cpu ? CPU : GPU) && asked(mask_cases[i].name, only))
            good &= time_case(&mask_cases[i]);
    for (size_t i = 0; i < sizeof exchange_cases / sizeof *exchange_cases; i++)
        if (exchange_cases[i].where & (cpu ? CPU : GPU) && asked(exchange_cases[i].name, only))
            good &= time_case(&exchange_cases[i]);
    for (size_t i = 0; i < sizeof sort_cases / sizeof *sort_cases; i++)
        if (sort_cases[i].where & (cpu ? CPU : GPU) && asked(sort_cases[i].name, only))
            good &= time_case(&sort_cases[i]);
    for (size_t i = 0; i < sizeof statistics_cases / sizeof *statistics_cases; i++)
        if (statistics_cases[i].where & (cpu ? CPU : GPU)
            && asked(statistics_cases[i].name, only))
            good &= time_case(&statistics_cases[i]);
    for (size_t i = 0; i < sizeof histogram_cases / sizeof *histogram_cases; i++)
        if (histogram_cases[i].where & (cpu ? CPU : GPU)
            && asked(histogram_cases[i].name, only))
            good &= time_case(&histogram_cases[i]);
    for (size_t i = 0; i < sizeof soft_cases / sizeof *soft_cases; i++)
        if (soft_cases[i].where & (cpu ? CPU : GPU) && asked(soft_cases[i].name, only))
            good &= time_case(&soft_cases[i]);
    for (size_t i = 0; i < sizeof matrix_cases / sizeof *matrix_cases; i++)
        if (matrix_cases[i].where & (cpu ? CPU : GPU) && asked(matrix_cases[i].name, only))
            good &= time_case(&matrix_cases[i]);
    for (size_t i = 0; i < sizeof fft_cases / sizeof *fft_cases; i++)
        if (fft_cases[i].where & (cpu ? CPU : GPU) && asked(fft_cases[i].name, only))
            good &= time_case(&fft_cases[i]);
    for (size_t i = 0; i < sizeof joining_cases / sizeof *joining_cases; i++)
        if (joining_cases[i].where & (cpu ? CPU : GPU) && asked(joining_cases[i].name, only))
            good &= time_case(&joining_cases[i]);
    for (size_t i = 0; i < sizeof indexing_cases / sizeof *indexing_cases; i++)
        if (indexing_cases[i].where & (cpu ? CPU : GPU)
            && asked(indexing_cases[i].name, only))
            good &= time_case(&indexing_cases[i]);
    for (size_t i = 0; i < sizeof sparse_cases / sizeof *sparse_cases; i++)
        if (sparse_cases[i].where & (cpu ? CPU : GPU) && asked(sparse_cases[i].name, only))
            good &= time_case(&sparse_cases[i]);
    if (!cpu) good &= fft_classes(only);
    good &= scaling(only);
    for (size_t i = 0; i < sizeof jit_cases / sizeof *jit_cases; i++)
        if (!cpu && asked(jit_cases[i].name, only)) good &= time_case(&jit_cases[i]);
    ga_free(base_x);
    ga_free(base_y);
    return good ? 0 : 1;
}
