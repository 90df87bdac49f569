/* The table of GPUARR_PROFILE, the ranges of GPUARR_NVTX, ga_time and
   GA_BENCH. What the environment asks for happens in child processes.       */
#define _POSIX_C_SOURCE 200809L
#include "test.h"
#include "child.h"

/* Where the implementation finds it, the library marks ranges. */
#if !defined(GPUARR_NO_CUDA) && defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define T_NVTX
#endif
#endif

#include <pthread.h>

/* -------------------------------------------------------- inside a child */
static int wrong;
#define IS(c) ((c) ? (void)0 : (wrong++, (void)printf("line %d: %s\n", \
                                                      __LINE__, #c)))
/* All rows of one name, added up; NaN of bytes stays. */
static ga_profile_row row_of(const char *op) {
    ga_profile_row r[100], sum = {op, -9, 0, 0, 0};
    int n = ga_profile_get(r, 100);
    for (int i = 0; i < n; i++) {
        IS(!i || r[i - 1].ms >= r[i].ms);
        if (strcmp(r[i].op, op) != 0) continue;
        sum.device = r[i].device;
        sum.calls += r[i].calls;
        sum.ms += r[i].ms;
        sum.bytes += r[i].bytes;
    }
    return sum;
}
static bool row_is(const char *op, int64_t calls, double bytes) {
    ga_profile_row r = row_of(op);
    bool good = r.calls == calls && (calls == 0 || r.device == ga_device())
                && (r.bytes == bytes || (isnan(bytes) && isnan(r.bytes)))
                && r.ms >= 0 && r.ms < 1e5;
    if (!good)
        printf("%s: %lld calls, %.17g bytes, %g ms on %d; %lld and %.17g "
               "expected\n", op, (long long)r.calls, r.bytes, r.ms, r.device,
               (long long)calls, bytes);
    return good;
}
static ga_array *in, *out;
static void step(void *unused) {
    (void)unused;
    ga_multiply_into(out, in, 2.0);
}
static int values(void) {
    GA_SCOPE;
    static float host[1000 * 1000];
    for (int i = 0; i < 1000 * 1000; i++) host[i] = (float)(i % 1000) / 8;
    ga_array *x = ga_asarray(host, GA_SHAPE(1000, 1000));
    ga_array *y = ga_add(x, 1.5), *z = ga_empty_like(x);
    IS(row_is("ga_asarray", 1, 4e6));
    IS(row_is("ga_add", 1, 8e6));
    for (int i = 0; i < 3; i++) ga_add_into(z, x, y);
    IS(row_is("ga_add_into", 3, 36e6));
    IS(row_of("ga_add_into").ms > 0);
    ga_profile_reset();
    IS(ga_profile_get(NULL, 0) == 0);

    /* broadcast and strided operands: what is touched */
    ga_array *line = ga_slice(x, "0"), *half = ga_slice(x, ":, ::2");
    ga_add_into(z, x, line);
    IS(row_is("ga_add_into", 1, 8e6 + 4e3));
    ga_multiply_into(half, half, half);             /* one operand, twice */
    IS(row_is("ga_multiply_into", 1, 4e6));
    ga_greater_into(ga_empty(GA_SHAPE(1000, 1000), GA_BOOL), x, y);
    IS(row_is("ga_greater_into", 1, 9e6));
    ga_sum(x, GA_AXIS(0));
    ga_sum(ga_broadcast_to(line, GA_SHAPE(1000, 1000)), GA_ALL);
    IS(row_is("ga_sum", 2, 4e6 + 4e3 + 4e3 + 4));
    ga_zeros(GA_SHAPE(10), GA_INT64);
    IS(row_is("ga_zeros", 1, 80));
    ga_arange(0, 100, 1);
    IS(row_is("ga_arange", 1, 800));
    ga_asnumpy(y, host);
    IS(row_is("ga_asnumpy", 1, 4e6));
    ga_item_at(x, GA_INDEX(1, 1));
    IS(row_is("ga_item_at", 1, 4));
    ga_random_seed(1);
    ga_random(GA_SHAPE(1001), GA_FLOAT64);
    IS(row_is("ga_random", 1, 8008));
    ga_array *a = ga_random(GA_SHAPE(64, 128), GA_FLOAT32);
    ga_array *b = ga_random(GA_SHAPE(128, 32), GA_FLOAT32);
    ga_matmul(a, b);
    IS(row_is("ga_matmul", 1, 4. * (64 * 128 + 128 * 32 + 64 * 32)));
    GA_EVAL(2*x + y, x, y);
    IS(row_is("ga_eval: 2*x + y", 1, 12e6));
    GA_EVAL_INTO(z, (x + 1)*(x + 2)*(x + 3)*(x + 4)*(x + 5)*(x + 6)*(x + 7)*x,
                 x);
    IS(row_is("ga_eval_into: (x + 1)*(x + 2)*(x + 3)*(x...", 1, 8e6));
    ga_inv(ga_random(GA_SHAPE(40, 40), GA_FLOAT64));
    if (ga_error()) ga_clear_error();   /* no LAPACK, no cuSOLVER           */
    else IS(row_of("ga_inv").calls > 1 && isnan(row_of("ga_inv").bytes));

    /* what failed before it reached the device */
    ga_profile_reset();
    ga_subtract(x, ga_slice(x, ":, :3"));
    IS(ga_error() == GA_ERR_SHAPE);
    ga_clear_error();
    IS(ga_profile_get(NULL, 0) == 0);

    /* a graph: on the GPU its steps are counted, not timed; the launch is */
    in = x, out = z;
    ga_graph *g = ga_graph_create(step, NULL);
    for (int i = 0; i < 5; i++) ga_graph_launch(g);
    IS(row_is("ga_graph_launch", 5, (double)NAN));
    IS(row_is("ga_multiply_into", ga_device() == GA_CPU ? 0 : 1, 0));
    IS(row_of("ga_multiply_into").ms == 0);
    ga_graph_destroy(g);
    IS(ga_item_at(z, GA_INDEX(0, 8)) == 2 * ga_item_at(x, GA_INDEX(0, 8)));
    ga_profile_reset();
    return wrong;
}

/* More than the events that a device has, from several threads and streams. */
static void *adds(void *n) {
    GA_SCOPE;
    ga_stream *s = ga_stream_create(0);
    GA_STREAM(s);
    ga_array *x = ga_full(GA_SHAPE(100), 1, GA_FLOAT32);
    for (int i = 0; i < *(int *)n; i++) ga_add_into(x, x, 1);
    IS(ga_item_at(x, GA_INDEX(99)) == *(int *)n + 1);
    ga_stream_destroy(s);
    return NULL;
}
static int many(void) {
    int n = 1500;
    pthread_t id[4];
    for (int i = 0; i < 4; i++) IS(!pthread_create(&id[i], NULL, adds, &n));
    for (int i = 0; i < 4; i++) pthread_join(id[i], NULL);
    IS(row_is("ga_add_into", 4 * n, 4. * n * 800));
    IS(row_is("ga_item_at", 4, 16));
    IS(row_of("ga_add_into").ms > 0);
    return wrong;
}
static int both_devices(void) {
    GA_SCOPE;
    ga_array *x = ga_full(GA_SHAPE(100), 1, GA_FLOAT32);
    ga_add(x, x);
    GA_DEVICE(GA_CPU);
    ga_array *y = ga_to_device(x, GA_CPU);
    ga_add(y, y);
    return ga_error();
}
static int to_a_file(void) {
    both_devices();
    FILE *f = tmpfile();
    if (!f) return 77;
    IS(ga_profile_print(f) == GA_OK);
    char line[200];
    int lines = 0;
    for (rewind(f); fgets(line, sizeof line, f); lines++) fputs(line, stdout);
    fclose(f);
    IS(ga_profile_reset() == GA_OK);
    return wrong ? -1 : lines;
}
static int fails(void) {
    ga_on_error(GA_EXIT);
    ga_array *x = ga_full(GA_SHAPE(100), 1, GA_FLOAT32);
    ga_add_into(x, x, x);
    ga_add(x, ga_zeros(GA_SHAPE(3), GA_FLOAT32));
    return 0;
}

#ifdef T_NVTX
/* A tool in this program: it is asked for the functions it stands behind. */
static char ranges[4096];
static int NVTX_API pushed(const char *name) {
    size_t n = strlen(ranges);
    snprintf(ranges + n, sizeof ranges - n, "%s(", name);
    return 0;
}
static int NVTX_API popped(void) {
    size_t n = strlen(ranges);
    snprintf(ranges + n, sizeof ranges - n, ")");
    return 0;
}
static int NVTX_API tool(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *t =
        (const NvtxExportTableCallbacks *)get(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable f = NULL;
    unsigned n = 0;
    if (!t || !t->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &f, &n)
        || n <= NVTX_CBID_CORE_RangePop) return 0;
    *f[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)pushed;
    *f[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)popped;
    return 1;
}
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = tool;

static int named_ranges(void) {
    GA_SCOPE;
    ga_array *x = ga_full(GA_SHAPE(100), 1, GA_FLOAT32);
    ga_sum(ga_add(x, 1), GA_ALL);
    puts(ranges);
    const char *want = getenv("GPUARR_NVTX") ? "ga_full()ga_add()ga_sum()" : "";
    return strcmp(ranges, want) != 0;
}
#else
static int named_ranges(void) { return both_devices(); }
#endif

/* ------------------------------------------------------------- the suite */
TEST(the_table_has_calls_and_bytes) {
    T_CHECKF(T_CHILD("values", "GPUARR_PROFILE=1") == 0, "%s", t_said);
    T_CHECKF(!*t_said, "%s", t_said);
    T_CHECKF(T_CHILD("values", "GPUARR_PROFILE=1", "GPUARR_SYNC=1") == 0, "%s",
             t_said);
}
TEST(many_calls_of_many_threads) {
    T_CHECKF(T_CHILD("many", "GPUARR_PROFILE=1") == 0, "%s", t_said);
}
/* The columns of an operation's line; false if there is none. */
static bool line_of(const char *op, const char *device, long long *calls,
                    double v[4]) {
    char name[64], dev[8], rate[16], mb[16];
    for (const char *l = t_said; l && *l; l = strchr(l, '\n')) {
        l += *l == '\n';
        if (sscanf(l, "%63s %7s %lld %lf %lf%% %15s %15s", name, dev, calls,
                   &v[0], &v[1], mb, rate) != 7
            || strcmp(name, op) != 0 || strcmp(dev, device) != 0) continue;
        v[2] = *mb == '-' ? NAN : atof(mb);
        v[3] = *rate == '-' ? NAN : atof(rate);
        return true;
    }
    return false;
}
TEST(it_is_printed_at_exit) {
    long long calls;
    double v[4], share = 0;
    const char *here = t_on_gpu() ? "0" : "cpu";
    for (int fail = 0; fail < 2; fail++) {
        T_CHECK(T_CHILD(fail ? "fails" : "both devices", "GPUARR_PROFILE=1")
                == fail);
        T_CHECK(!strncmp(t_said, "operation ", 10) == !fail);
        T_CHECKF(!strstr(t_said, "do not broadcast") == !fail, "%s", t_said);
        const char *op = fail ? "ga_add_into" : "ga_add";
        T_CHECKF(line_of(op, here, &calls, v), "%s", t_said);
        T_CHECK(calls == (fail || t_on_gpu() ? 1 : 2));
        T_CHECK(v[0] >= 0 && v[1] >= 0 && v[1] <= 100);
        share += v[1];
        T_CHECK(line_of("ga_full", here, &calls, v) && calls == 1);
    }
    T_CHECK(share > 0);
    T_CHILD("both devices", "GPUARR_PROFILE=1");
    T_CHECK(line_of("ga_add", "cpu", &calls, v));
    T_CHECK(!t_on_gpu() || line_of("ga_to_device", here, &calls, v));
}
TEST(and_when_asked) {
    int n = T_CHILD("file", "GPUARR_PROFILE=1");
    T_CHECKF(n == (t_on_gpu() ? 5 : 3), "%d lines: %s", n, t_said);
    T_CHECK(strstr(t_said, "ga_full"));
    T_CHECK(T_CHILD("file", "GPUARR_PROFILE") == 0);
    T_CHECKF(!*t_said, "%s", t_said);
    ga_profile_print(NULL);
    T_ERROR(GA_ERR_NULL);
}
TEST(nothing_without_the_variables) {
    T_CHECK(T_CHILD("both devices", "GPUARR_PROFILE", "GPUARR_NVTX") == 0);
    T_CHECKF(!*t_said, "%s", t_said);
    T_CHECK(T_CHILD("both devices", "GPUARR_PROFILE=0", "GPUARR_NVTX=") == 0);
    T_CHECKF(!*t_said, "%s", t_said);
    T_CHECK(ga_profile_get(NULL, 0) == 0);
    T_CHECK(ga_profile_reset() == GA_OK);
}
TEST(ranges_for_tools) {
#ifdef T_NVTX
    T_CHECKF(T_CHILD("ranges", "GPUARR_NVTX=1", "GPUARR_PROFILE") == 0, "%s",
             t_said);
    T_CHECKF(T_CHILD("ranges", "GPUARR_NVTX=1", "GPUARR_PROFILE=1") == 0, "%s",
             t_said);
    T_CHECK(strstr(t_said, "operation"));
    T_CHECK(T_CHILD("ranges", "GPUARR_NVTX", "GPUARR_PROFILE=1") == 0);
#else
    T_CHECK(T_CHILD("ranges", "GPUARR_NVTX=1") == 0);
    T_CHECKF(strstr(t_said, "nvtx3/nvToolsExt.h"), "%s", t_said);
#endif
}

/* ------------------------------------------------------- clock and bench */
TEST(time_runs) {
    double a = ga_time(), b = ga_time();
    for (int i = 0; i < 1000 && b == a; i++) b = ga_time();
    T_CHECK(a >= 0 && b > a && b - a < 1);
}
static void sane(ga_bench b) {
    T_CHECKF(b.best_ms > 0 && b.median_ms >= b.best_ms && b.first_ms > 0
             && b.median_ms < 1000 && b.runs > 0 && !b.ga__state,
             "first %g, best %g, median %g ms, %lld runs", b.first_ms,
             b.best_ms, b.median_ms, (long long)b.runs);
}
static void failed(ga_bench b) {
    T_CHECK(isnan(b.best_ms) && isnan(b.median_ms) && isnan(b.first_ms)
            && b.runs == 0 && !b.ga__state);
}
TEST(benchmarks) {
    GA_SCOPE;
    ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(2000, 2000), -1, 1);
    ga_array *z = ga_empty_like(x), *few = ga_zeros(GA_SHAPE(8), GA_INT32);
    int64_t live = ga_live_arrays();
    ga_bench large = GA_BENCH(ga_add_into(z, x, x));
    ga_bench small = GA_BENCH(ga_add_into(few, few, 1));
    sane(large), sane(small);
    T_CHECK(small.best_ms < large.best_ms);
    /* every run counted: 3 before those that are timed */
    T_CHECK(ga_item_at(few, GA_INDEX(7)) == (double)small.runs + 3);
    sane(GA_BENCH(ga_add(ga_mul(x, 2), x)));
    T_CHECK(ga_live_arrays() == live);

    double sum = 0;
    ga_bench b = {.wall = true, .samples = 4};
    while (ga_bench_next(&b)) {
        GA_SCOPE;
        ga_asnumpy(ga_sum(ga_astype(ga_slice(x, ":50"), GA_FLOAT64), GA_ALL), &sum);
    }
    sane(b);
    T_CHECK(b.runs % 4 == 0 && sum != 0);
    ga_stream *s = ga_stream_create(0);
    {
        GA_STREAM(s);
        sane(GA_BENCH(ga_add_into(z, x, 1)));
    }
    ga_stream_destroy(s);
    /* what takes long: three samples */
    int runs = 0;
    b = (ga_bench){.wall = true};
    while (ga_bench_next(&b))
        for (double t = (runs++, ga_time()); ga_time() - t < 0.3;) {}
    T_CHECK(b.runs == 3 && runs == 6 && b.best_ms >= 300);
}
static void clearing(ga_status st, const char *text) {
    (void)st, (void)text;
    ga_clear_error();
}
static int calls;
static ga_status fails_at(int n) {
    ga_memory m;
    return ga_mem_info(ga_device(), ++calls < n ? &m : NULL);
}
static void bench_step(void *b) { *(ga_bench *)b = GA_BENCH(calls++); }
TEST(benchmarks_of_what_fails) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(8), GA_INT32);
    for (int at = 1; at < 8; at++) {
        calls = 0;
        failed(GA_BENCH(fails_at(at)));
        T_CHECK(calls == at);
        T_ERROR(GA_ERR_NULL);
    }
    failed(GA_BENCH(ga_add(x, NULL)));
    failed(GA_BENCH(ga_add(x, x)));     /* while that error is pending      */
    T_ERROR(GA_ERR_NULL);
    calls = 0;
    ga_on_error(clearing);
    failed(GA_BENCH(fails_at(5)));
    T_FINE();
    ga_on_error(NULL);
    T_CHECK(calls == 5);
    ga_bench b = {0};
    ga_graph *g = ga_graph_create(bench_step, &b);
    if (t_on_gpu()) {
        T_ERROR(GA_ERR_CAPTURE);
        failed(b);
    }
    ga_graph_destroy(g);
}

int main(int argc, char **argv) {
    static const t_case cases[] = {
        {"values", values}, {"many", many}, {"both devices", both_devices},
        {"file", to_a_file}, {"fails", fails}, {"ranges", named_ranges},
    };
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(the_table_has_calls_and_bytes), T(many_calls_of_many_threads),
        T(it_is_printed_at_exit), T(and_when_asked),
        T(nothing_without_the_variables), T(ranges_for_tools), T(time_runs),
        T(benchmarks), T(benchmarks_of_what_fails),
    };
    return T_RUN("profile", tests);
}
