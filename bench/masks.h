/* masks.h - the cases of masks, half of whose elements are true; a part of
   bench.c. Bytes moved: what must be read, and what is selected written.     */
#define HALF(x) ((x) < 1.25)
static void setup_mask(state *s) {
    setup_x(s);
    s->y = ga_less(s->x, 1.25);
}
static void setup_assigned(state *s) {      /* x is not this case's alone   */
    setup_mask(s);
    s->x = ga_copy(s->x);
}
static void setup_zeros(state *s) {
    setup_mask(s);
    s->x = ga_where(s->y, s->x, 0);
}
static void run_mask(state *s) { set_out(s, ga_mask(s->x, s->y)); }
static void run_nonzero(state *s) {
    GA_SCOPE;
    ga_array *at;
    ga_nonzero(s->c->out == B ? s->y : s->x, &at);
    set_out(s, at);
}
static void run_mask_assign(state *s) { ga_mask_assign(s->x, s->y, 1.5); }
static void run_sum_where(state *s) {
    set_out(s, ga_sum(s->x, GA_ALL_WHERE(s->y)));
}
static void run_mean_where(state *s) {
    set_out(s, ga_mean(s->x, GA_ALL_WHERE(s->y)));
}

/* All the elements selected, or their places. */
static bool check_selected(state *s) {
    int64_t k = 0, n = s->out->size;
    char *p = ga_asnumpy(s->out, NULL);
    bool places = s->out->dtype == I, good = p != NULL;
    for (int64_t i = 0; i < s->n && good; i++) {
        if (!HALF(x_at(i))) continue;
        double want = places ? (double)i : x_at(i), got;
        good = k < n;
        if (!good) break;
        got = places ? (double)((int64_t *)(void *)p)[k]
                     : (double)((float *)(void *)p)[k];
        if (got != want) good = wrong(s, k, got, want);
        k++;
    }
    free(p);
    return good && (k == n || wrong(s, k, (double)n, (double)k));
}
static bool check_assigned(state *s) {
    float *p = ga_asnumpy(s->x, NULL);
    bool good = p != NULL;
    for (int64_t i = 0; i < s->n && good; i++)
        if (p[i] != (float)(HALF(x_at(i)) ? 1.5 : x_at(i)))
            good = wrong(s, i, p[i], HALF(x_at(i)) ? 1.5 : x_at(i));
    free(p);
    return good;
}
static bool check_where(state *s) {
    double sum = 0, many = 0, got = ga_item(s->out);
    for (int64_t i = 0; i < s->n; i++)
        if (HALF(x_at(i))) sum += x_at(i), many++;
    if (s->c->body == run_mean_where) sum /= many;
    return near(got / sum, 1, F) || wrong(s, 0, got, sum);
}

#define M26 ((int64_t)1 << 26)
#define MASKS(w, n, size)                                                      \
    CASE("mask_f32_" size, w, setup_mask, run_mask, check_selected, COPY, 7, true,  \
         n, F, NULL, NULL)                                                     \
    CASE("nonzero_bool_" size, w, setup_mask, run_nonzero, check_selected, COPY, 5, \
         true, n, B, NULL, NULL)                                               \
    CASE("nonzero_f32_" size, w, setup_zeros, run_nonzero, check_selected, COPY, 8, \
         true, n, F, NULL, NULL)                                               \
    CASE("mask_assign_f32_" size, w, setup_assigned, run_mask_assign,             \
         check_assigned, COPY, 9, false, n, F, NULL, NULL)                        \
    CASE("sum_where_f32_" size, w, setup_mask, run_sum_where, check_where, READ, 5, \
         false, n, F, NULL, NULL)                                              \
    CASE("mean_where_f32_" size, w, setup_mask, run_mean_where, check_where, READ,  \
         5, false, n, F, NULL, NULL)
static const bench_case mask_cases[] = {
    MASKS(GPU, M26, "2^26")
    MASKS(CPU, E7, "1e7")
};
