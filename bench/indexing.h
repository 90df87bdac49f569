/* indexing.h - the cases of index arrays; a part of bench.c. Indices go over all
   elements, each somewhere, some several times; groups are a thousand. Bytes
   moved: indices and elements once, as if places lay one after the other.    */
static void setup_places(state *s) {
    GA_SCOPE;
    const int64_t side = (int64_t)sqrt((double)s->n);
    ga_array *at[2], *base[] = {base_x, base_y};
    for (int k = 0; k < 2; k++)
        at[k] = ga_astype(ga_mul(ga_sub(shaped(base[k], s->n, GA_SHAPE(s->n), F),
                                        0.5), (double)side / 1.5), I);
    ga_array *i = ga_add(ga_mul(ga_minimum(at[0], side - 1), side),
                         ga_minimum(at[1], side - 1));
    if (s->c->dim[0]) i = ga_mod(i, s->c->dim[0]);
    set_out(s, ga_zeros(GA_SHAPE(s->n), F));
    s->r[0] = ga_detach(i);
    s->x = ga_keep(shaped(base_x, s->n, GA_SHAPE(s->n), F));
}
static void run_take(state *s) {
    ga_take_into(s->out, s->x, s->r[0], GA_AXIS(0), 0);
}
static void run_index_assign(state *s) {
    ga_index_assign(s->out, GA_AT(s->r[0]), s->x);
}
static void run_scatter_add(state *s) {
    ga_scatter_add(s->out, GA_AT(s->r[0]), s->x, 0);
}
static void run_scatter_fast(state *s) {
    ga_scatter_add(s->out, GA_AT(s->r[0]), s->x, GA_FAST);
}
static void run_segments(state *s) {
    set_out(s, ga_segment_sum(s->x, s->r[0], s->c->dim[0], 0));
}
static bool check_indexed(state *s) {
    const bool take = s->c->body == run_take, put = s->c->body == run_index_assign;
    enum { FEW = 1000 };            /* places: whoever went there           */
    double want[FEW] = {0};
    bool good = true;
    ga_assign(s->out, 0);
    s->c->body(s);
    int64_t *at = ga_asnumpy(s->r[0], NULL), n = s->out->size;
    float *got = ga_asnumpy(s->out, NULL);
    for (int64_t i = 0; i < s->n && at && got && good; i++) {
        if (take) good = got[i] == (float)x_at(at[i]) || wrong(s, i, got[i], x_at(at[i]));
        else if (at[i] < FEW) want[at[i]] = x_at(i) + (put ? 0 : want[at[i]]);
    }
    for (int64_t k = 0; k < FEW && k < n && !take && good; k++)
        good = near(got[k] / fmax(want[k], 1), want[k] / fmax(want[k], 1), F)
               || wrong(s, k, got[k], want[k]);
    good &= at && got;
    free(at);
    free(got);
    return good;
}

#define PLACES(nm, w, n, run, b, groups)                                       \
    {.name = nm, .where = w, .setup = setup_places, .body = run,                \
     .check = check_indexed, .limit = COPY, .bytes = b, .rows = 1, .cols = n,    \
     .t = F, .out = F, .dim = {groups, 0, 0, 0}},
#define INDEXING(w, n, size)                                                   \
    PLACES("take_f32_" size, w, n, run_take, 16, 0)                            \
    PLACES("index_assign_f32_" size, w, n, run_index_assign, 16, 0)            \
    PLACES("scatter_add_f32_" size, w, n, run_scatter_add, 20, 0)              \
    PLACES("scatter_add_fast_f32_" size, w, n, run_scatter_fast, 20, 0)        \
    PLACES("segment_sum_f32_" size, w, n, run_segments, 12, 1000)
static const bench_case indexing_cases[] = {
    INDEXING(GPU, M26, "2^26")
    INDEXING(CPU, E7, "1e7")
};
