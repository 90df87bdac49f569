/* softmax.h - the cases of softmax and of comparing arrays; a part of bench.c.
   The limit is what must be read and written once.                          */
static ga_axis soft_axis(const state *s) { return GA_AXIS(s->c->axis); }
static void run_softmax(state *s) { set_out(s, ga_softmax(s->x, soft_axis(s))); }
static void run_log_softmax(state *s) {
    set_out(s, ga_log_softmax(s->x, soft_axis(s)));
}
static void run_logsumexp(state *s) {
    set_out(s, ga_logsumexp(s->x, soft_axis(s)));
}
static void setup_equals(state *s) {
    setup_x(s);
    s->y = ga_copy(s->x);
}
static void run_isclose(state *s) {
    set_out(s, ga_isclose(s->x, s->y, 1e-5, 1e-8, 0));
}
static void run_allclose(state *s) {
    set_out(s, ga_allclose_array(s->x, s->y, 1e-5, 1e-8, 0));
}
static void run_array_equal(state *s) {
    set_out(s, ga_array_equal_array(s->x, s->y, 0));
}
/* Three rows, or columns, from their elements. */
static bool check_soft(state *s) {
    const bool down = s->c->axis == 0;
    const int64_t n = down ? s->rows : s->cols, rows = down ? s->cols : s->rows;
    const double eps = s->c->t == GA_FLOAT16 ? 0x1p-10 : s->c->t == D ? 0x1p-52
                       : 0x1p-23;
    for (int64_t k = 0; k < 3; k++) {
        const int64_t r = k * (rows - 1) / 2;
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += exp(rounded(x_at(down ? i * s->cols + r : r * n + i), s->c->t));
        for (int64_t j = 0; j < 3; j++) {
            const int64_t i = j * (n - 1) / 2;
            double x = rounded(x_at(down ? i * s->cols + r : r * n + i), s->c->t);
            double want = s->c->body == run_softmax ? exp(x) / sum
                          : s->c->body == run_log_softmax ? x - log(sum)
                          : log(sum);
            double got = ga_item_at(s->out, s->out->ndim == 1 ? GA_INDEX(r)
                                    : down ? GA_INDEX(i, r) : GA_INDEX(r, i));
            if (!(fabs(got - want) <= 8 * eps * fabs(want)))
                return wrong(s, r, got, want);
        }
    }
    return true;
}
static bool check_agree(state *s) {
    double all = ga_item(ga_all(s->out, GA_ALL));
    return all == 1 || wrong(s, 0, all, 1);
}

#define SOFT(nm, w, run, type, r, c, ax, lim, by)                              \
    {.name = nm, .where = w, .setup = setup, .body = run, .check = check_soft,  \
     .limit = lim, .bytes = by, .rows = r, .cols = c, .t = type, .out = type,   \
     .axis = ax},
#define AGREE(nm, w, run, type, n, by)                                         \
    {.name = nm, .where = w, .setup = setup_equals, .body = run,                \
     .check = check_agree, .limit = READ, .bytes = by, .rows = 1, .cols = n,    \
     .t = type, .out = B, .axis = NONE},
static const bench_case soft_cases[] = {
    SOFT("softmax_f32_65536x1024", GPU, run_softmax, F, 65536, 1024, 1, COPY, 8)
    SOFT("softmax_f32_64x1e6", GPU, run_softmax, F, 64, 1000000, 1, COPY, 8)
    SOFT("softmax_f32_1e7x8", GPU, run_softmax, F, 10000000, 8, 1, COPY, 8)
    SOFT("softmax_f32_1e6x100", GPU, run_softmax, F, 1000000, 100, 1, COPY, 8)
    SOFT("softmax_f32_65536x1001", GPU, run_softmax, F, 65536, 1001, 1, COPY, 8)
    SOFT("softmax_axis0_f32_1000x262144", GPU, run_softmax, F, 1000, 262144, 0, COPY, 8)
    SOFT("softmax_f16_65536x1024", GPU, run_softmax, H, 65536, 1024, 1, COPY, 4)
    SOFT("softmax_f64_65536x1024", GPU, run_softmax, D, 65536, 1024, 1, COPY, 16)
    SOFT("log_softmax_f32_65536x1024", GPU, run_log_softmax, F, 65536, 1024, 1, COPY, 8)
    SOFT("logsumexp_f32_65536x1024", GPU, run_logsumexp, F, 65536, 1024, 1, READ, 4)
    SOFT("logsumexp_f32_64x1e6", GPU, run_logsumexp, F, 64, 1000000, 1, READ, 4)
    AGREE("allclose_f32_2^28", GPU, run_allclose, F, M28, 8)
    AGREE("array_equal_f32_2^28", GPU, run_array_equal, F, M28, 8)
    AGREE("isclose_f32_2^28", GPU, run_isclose, F, M28, 9)
    SOFT("softmax_f32_10000x1000", CPU, run_softmax, F, 10000, 1000, 1, COPY, 8)
    SOFT("softmax_axis0_f32_1000x10000", CPU, run_softmax, F, 1000, 10000, 0, COPY, 8)
    SOFT("softmax_f64_10000x1000", CPU, run_softmax, D, 10000, 1000, 1, COPY, 16)
    SOFT("logsumexp_f32_10000x1000", CPU, run_logsumexp, F, 10000, 1000, 1, READ, 4)
    AGREE("allclose_f32_1e7", CPU, run_allclose, F, E7, 8)
    AGREE("array_equal_f32_1e7", CPU, run_array_equal, F, E7, 8)
};
