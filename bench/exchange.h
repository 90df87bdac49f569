/* exchange.h - the cases of text files, 1e6 numbers of float64 in 8 columns, 19
   bytes each; a part of bench.c. The file lies in memory (/dev/shm) where there
   is such a place: the disk is not what is measured.                        */
static char text_path[64];
static void text_remove(void) { remove(text_path); }
static void setup_text(state *s) {
    if (!*text_path) {
        FILE *f = fopen("/dev/shm/gpuarr-bench.txt", "w");
        snprintf(text_path, sizeof text_path, "%s/gpuarr-bench.txt",
                 f ? "/dev/shm" : "/tmp");
        if (f) fclose(f);
        atexit(text_remove);
    }
    s->n -= s->n % 8;                   /* rows of 8                        */
    s->x = ga_reshape(ga_divide(shaped(base_x, s->n, GA_SHAPE(s->n), GA_FLOAT64),
                                3), GA_SHAPE(-1, 8));
    ga_savetxt(text_path, s->x, "%.17g", NULL);
}
static void run_loadtxt(state *s) {
    set_out(s, ga_loadtxt(text_path, GA_FLOAT64, NULL));
}
static void run_savetxt(state *s) {
    ga_savetxt(text_path, s->x, "%.17g", NULL);
}
/* What the file says is x, to the bit. */
static bool check_text(state *s) {
    run_loadtxt(s);
    return s->out && ga_item_i64(ga_all(ga_equal(s->out, s->x), GA_ALL));
}

static const bench_case exchange_cases[] = {
    CASE("loadtxt_f64_1e6", GPU | CPU, setup_text, run_loadtxt, check_text, NO_LIMIT,
         0, true, 1000000, F, NULL, NULL)
    CASE("savetxt_f64_1e6", GPU | CPU, setup_text, run_savetxt, check_text, NO_LIMIT,
         0, true, 1000000, F, NULL, NULL)
};
