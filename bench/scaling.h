/* scaling.h - time against size, 10^3 to 10^9 float32 elements; a part of
   bench.c. The cases are named scaling_OPERATION_1eK. Products and SVDs are of
   square matrices of that many elements. A series ends where the next call
   would take longer than half a second, on the CPU at 10^8 elements.        */

static void setup_scaling(state *s) {
    const bench_case *c = s->c;
    ga_random_seed(1);
    bool flat = c->rows == 1;
    ga_shape sh = flat ? GA_SHAPE(s->n) : GA_SHAPE(s->rows, s->cols);
    s->x = ga_random(sh, F);
    if (c->bin) {
        s->y = ga_random(sh, F);
        set_out(s, ga_empty(sh, F));
    }
}
/* Each in one place: the rest is the other cases' business. */
static bool check_scaling(state *s) {
    double got, want = 0;
    if (s->c->body == run_binary && s->c->rows == 1) {
        got = ga_item_at(s->out, GA_INDEX(s->n - 1));
        want = ga_item_at(s->x, GA_INDEX(s->n - 1)) + ga_item_at(s->y, GA_INDEX(s->n - 1));
    } else if (s->c->body == run_binary) {
        got = ga_item_at(s->out, GA_INDEX(s->rows - 1, 0));
        for (int64_t k = 0; k < s->cols; k++)
            want += ga_item_at(s->x, GA_INDEX(s->rows - 1, k))
                    * ga_item_at(s->y, GA_INDEX(k, 0));
    } else if (s->c->body == run_reduce) {
        got = ga_item(s->out) / (double)s->n;
        want = ga_item(ga_mean(ga_astype(s->x, D), GA_ALL));
    } else {
        got = ga_item(ga_sum(ga_square(s->r[1]), GA_ALL));
        want = ga_item(ga_sum(ga_square(s->x), GA_ALL));
    }
    return fabs(got - want) <= 1e-4 * fabs(want) || wrong(s, 0, got, want);
}

static bool time_case(const bench_case *c);
static double last_ms;                  /* of the case that was timed last  */

static bool scaling(const char *only) {
    static const struct {
        const char *name;
        bool square;
        double growth;                  /* of the time in ten times the size */
        bench_case c;
    } series[] = {
        {"add", false, 10, {.body = run_binary, .bin = ga_add_into}},
        {"sum", false, 10, {.body = run_reduce, .red = ga_sum, .axis = NONE}},
        {"matmul", true, 31.6, {.body = run_binary, .bin = ga_matmul_into}},
        {"svd", true, 31.6, {.body = run_svd, .value = 1, .dim = {0, 0, 1}}},
    };
    bool good = true, cpu = ga_device() == GA_CPU;
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        double n = 1000;
        for (int k = 3; k <= (quick ? 4 : cpu ? 8 : 9); k++, n *= 10) {
            char name[64];
            snprintf(name, sizeof name, "scaling_%s_1e%d", series[i].name, k);
            if (!asked(name, only)) continue;
            bench_case c = series[i].c;
            c.name = name;
            c.t = c.out = F;
            c.setup = setup_scaling;
            c.check = check_scaling;
            c.cols = (int64_t)(series[i].square ? sqrt(n) + 0.5 : n);
            c.rows = series[i].square ? c.cols : 1;
            bool ok = time_case(&c);
            good &= ok;
            if (!ok || last_ms * series[i].growth > 500) break;
        }
    }
    return good;
}
