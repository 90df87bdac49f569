/* joining.h - the cases of joining and changing arrays; a part of bench.c. Each
   knows from which element of x an element of its result comes. Bytes moved:
   what must be read, and the result.                                       */
static int64_t side(const state *s) { return s->rows; }
static void result(state *s, int64_t rows, int64_t cols) {
    set_out(s, ga_empty(GA_SHAPE(rows, cols), s->c->t));
}
static void setup_same_shape(state *s) {
    setup(s);
    result(s, s->rows, s->cols);
}
/* Parts that do not begin where vectors do. */
static int64_t cut(const state *s) { return side(s) / 2 - 1; }
static void run_join(state *s, int axis) {
    GA_SCOPE;
    ga_array *a = ga_slice_axis(s->x, axis, 0, cut(s), 1);
    ga_array *b = ga_slice_axis(s->x, axis, cut(s), GA_END, 1);
    ga_concatenate_into(s->out, axis, b, a);
}
static void run_join_rows(state *s) { run_join(s, 0); }
static void run_join_columns(state *s) { run_join(s, 1); }
static void run_roll(state *s) { ga_roll_into(s->out, s->x, 1, GA_AXIS(1)); }
static void run_roll_all(state *s) { ga_roll_into(s->out, s->x, 12345, GA_ALL); }
static void run_tril(state *s) { ga_tril_into(s->out, s->x, 0); }
static void setup_padded(state *s) {
    setup(s);
    result(s, s->rows + 4, s->cols + 4);
}
static void run_pad(state *s) {
    ga_pad_into(s->out, s->x, GA_SHAPE(2), GA_SHAPE(2), GA_PAD_CONSTANT, 0);
}
static void run_pad_reflect(state *s) {
    ga_pad_into(s->out, s->x, GA_SHAPE(2), GA_SHAPE(2), GA_PAD_REFLECT, 0);
}
/* From a quarter of each side. */
static void setup_quarter(state *s) {
    setup(s);
    s->x = ga_slice_axis(s->x, 0, 0, s->rows / 4, 1);
    s->x = ga_ascontiguousarray(ga_slice_axis(s->x, 1, 0, s->cols / 4, 1));
    result(s, s->rows, s->cols);
}
static void run_tile(state *s) { ga_tile_into(s->out, s->x, GA_SHAPE(4, 4)); }
static void setup_fewer_rows(state *s) {
    setup(s);
    s->x = ga_slice_axis(s->x, 0, 0, s->rows / 4, 1);
    result(s, s->rows, s->cols);
}
static void run_repeat_rows(state *s) {
    ga_repeat_into(s->out, s->x, 4, GA_AXIS(0));
}
static void setup_fewer_columns(state *s) {
    setup(s);
    s->x = ga_ascontiguousarray(ga_slice_axis(s->x, 1, 0, s->cols / 4, 1));
    result(s, s->rows, s->cols);
}
static void run_repeat_each(state *s) {
    ga_repeat_into(s->out, s->x, 4, GA_AXIS(1));
}

static int64_t mirrored(int64_t i, int64_t n) {
    return i < 0 ? -i : i < n ? i : 2 * n - 2 - i;
}
/* The place in x of element (i,j) of the result; -1: zero. */
static int64_t place_of(const state *s, int64_t i, int64_t j) {
    const int64_t m = s->rows, n = s->cols, c = cut(s);
    void (*f)(state *) = s->c->body;
    if (f == run_join_rows) i = i < m - c ? i + c : i - (m - c);
    if (f == run_join_columns) j = j < n - c ? j + c : j - (n - c);
    if (f == run_roll) j = (j + n - 1) % n;
    if (f == run_roll_all) return (i * n + j + m * n - 12345 % (m * n)) % (m * n);
    if (f == run_tril && j > i) return -1;
    if (f == run_pad || f == run_pad_reflect) i -= 2, j -= 2;
    if (f == run_pad && (i < 0 || j < 0 || i >= m || j >= n)) return -1;
    if (f == run_pad_reflect) i = mirrored(i, m), j = mirrored(j, n);
    if (f == run_tile) i %= m / 4, j %= n / 4;
    if (f == run_repeat_rows) i /= 4;
    if (f == run_repeat_each) j /= 4;
    return i * n + j;
}
static bool check_places(state *s) {
    int64_t m = s->out->shape[0], n = s->out->shape[1];
    float *p = ga_asnumpy(s->out, NULL);
    bool good = p != NULL;
    for (int64_t i = 0; i < m && good; i += i < 4 || i > m - 6 ? 1 : m / 999 + 1)
        for (int64_t j = 0; j < n && good; j++) {
            int64_t at = place_of(s, i, j);
            double want = at < 0 ? 0 : rounded(x_at(at), s->c->t);
            double got = (double)p[i * n + j];
            if (got != want) good = wrong(s, i * n + j, got, want);
        }
    free(p);
    return good;
}
#define JOIN(nm, w, r, set, run, by)                                           \
    {.name = nm, .where = w, .setup = set, .body = run, .check = check_places,  \
     .limit = COPY, .bytes = by, .rows = r, .cols = r, .t = F, .out = F},
#define JOINS(w, r, size)                                                      \
    JOIN("concatenate_rows_f32_" size, w, r, setup_same_shape, run_join_rows, 8) \
    JOIN("concatenate_columns_f32_" size, w, r, setup_same_shape,               \
         run_join_columns, 8)                                                  \
    JOIN("roll_f32_" size, w, r, setup_same_shape, run_roll_all, 8)             \
    JOIN("roll_columns_f32_" size, w, r, setup_same_shape, run_roll, 8)         \
    JOIN("tril_f32_" size, w, r, setup_same_shape, run_tril, 6)                 \
    JOIN("pad_f32_" size, w, r, setup_padded, run_pad, 8)                       \
    JOIN("pad_reflect_f32_" size, w, r, setup_padded, run_pad_reflect, 8)       \
    JOIN("tile_f32_" size, w, r, setup_quarter, run_tile, 4.25)                 \
    JOIN("repeat_rows_f32_" size, w, r, setup_fewer_rows, run_repeat_rows, 5)   \
    JOIN("repeat_each_f32_" size, w, r, setup_fewer_columns, run_repeat_each, 5)
static const bench_case joining_cases[] = {
    JOINS(GPU, K16, "16k")
    JOINS(CPU, 3000, "3k")
};
