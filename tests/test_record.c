/* Recorded kernels: the generated expressions of test_eval.c once more, with
   what a run of theirs has recorded, compiled and loaded, and with kernels that
   are compiled at run time (gpuarr_rtc.h); the file, merged by
   runs and processes at once; stale and foreign files, paths that cannot be
   written; an object in an archive; what ga_expr_describe says; chains, which
   are launches over the same rows in one kernel of a GPU.

   A process takes its recorded kernels at its first expression, so each part
   runs in a child. The compilers are those of the build, by tests/run.sh.    */
#define _DEFAULT_SOURCE
#define GA__E_COSTLY -1             /* an expression is compiled at once    */
#define GPUARR_IMPLEMENTATION
#define main t_eval_main
#include "test_eval.c"
#undef main
#include "gpuarr_rtc.h"
#include "child.h"

#include <dlfcn.h>
#include <sys/stat.h>

static char t_dir[64];
static const char *t_path(const char *name) {
    return say("%s/%s", t_dir, name);
}
static const char *t_env(const char *name, const char *otherwise) {
    const char *v = getenv(name);
    return v && *v ? v : otherwise;
}
/* The text of a file; NULL: there is none. */
static char *t_file(const char *name) {
    FILE *f = fopen(t_path(name), "rb");
    if (!f) return NULL;
    char *p = (char *)t_alloc(1 << 22);
    p[fread(p, 1, (1 << 22) - 1, f)] = '\0';
    fclose(f);
    return p;
}
static void t_write(const char *name, const char *text) {
    FILE *f = fopen(t_path(name), "wb");
    T_CHECK(f && fputs(text, f) >= 0);
    if (f) fclose(f);
}
static int t_count(const char *text, const char *what) {
    int n = 0;
    for (; text && (text = strstr(text, what)) != NULL; text++) n++;
    return n;
}
/* A command of the shell; what it says is the check's text. */
static bool t_shell(const char *command) {
    char *line = say("( %s ) > %s 2>&1", command, t_path("said"));
    const int rc = system(line);
    T_CHECKF(rc == 0, "%s\n%s", command, t_file("said"));
    return rc == 0;
}
/* file.cu as file.so, or with `object` as file.o. */
static bool t_compile(const char *name, bool object) {
    const bool cuda = t_on_gpu();
    const char *how = cuda
        ? say("%s -O1 -arch=native -Xcompiler -fno-exceptions,-fno-threadsafe-statics,-fPIC",
              t_env("NVCC", "nvcc"))
        : say("%s -x c++ -std=c++17 -O1 -fPIC -DGPUARR_NO_CUDA",
              t_env("CXX", "c++"));
    return t_shell(say("%s -I. %s -o %s/%s.%s %s/%s.cu", how,
                       object ? "-c" : cuda ? "-shared -cudart static"
                                            : "-shared",
                       t_dir, name, object ? "o" : "so", t_dir, name));
}
static const char *t_at(const char *variable, const char *name) {
    return say("%s=%s/%s", variable, t_dir, name);
}

/* ------------------------------------------------------------- the children */
static uint64_t t_bits64(double v) {
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    return u;
}
static bool t_load(void) {
    const char *v = getenv("T_RECORDED");
    if (!v || dlopen(v, RTLD_NOW)) return true;
    fprintf(stderr, "%s\n", dlerror());
    return false;
}
static void t_generated(void **state) {
    (void)state;
    random_many(0, t_quick() ? 200 : t_on_gpu() ? 15 : 40);
}
static int t_run_expressions(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(t_generated)};
    if (!t_load()) return 1;
    return cmocka_run_group_tests_name("recorded", tests, NULL, NULL);
}
/* Each expression by kernels compiled before its first launch. */
static int t_jits;
static void t_jit(ga_expr *e) {
    if (ga_expr_jit(e)) ga_clear_error();       /* a row is the library's   */
    else t_jits++;
}
static void t_generated_jitted(void **state) {
    (void)state;
    random_many(0, t_quick() ? 60 : 12);
    T_CHECK(t_jits > 2);
}
static int t_run_jitted(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(t_generated_jitted)};
    char arch[32];
    int version[2];
    if (ga__nvrtc_target("t", NULL, 90, arch, sizeof arch, version)) {
        printf("no NVRTC: not tested\n");
        return 0;
    }
    atomic_store(&ga__e_auto, t_jit);
    return cmocka_run_group_tests_name("jitted", tests, NULL, NULL);
}
/* A few expressions of one's own, T_WHICH of them; prints their values' bits
   and how they ran.                                                         */
static int t_run_few(void) {
    static const char *const text[] = {
        "2.5*x + y", "where(x > y, exp(x), -1)", "sum(x*y, axis=0)",
        "max(x - y)", "x*x; /*/"};
    const char *which = t_env("T_WHICH", "0123");
    GA_SCOPE;
    if (!t_load()) return 1;
    ga_array *x = ga_reshape(ga_linspace(0, 3, 600), GA_SHAPE(20, 30));
    const ga_array *of[] = {ga_astype(x, GA_FLOAT32), ga_flip(x, GA_AXIS(0))};
    for (; *which; which++) {
        ga_expr *e = ga_expr_compile(text[*which - '0'], "x, y");
        ga_array *y = (ga_expr_run)(e, of, 2);
        char *way = (ga_expr_describe)(e, of, 2);
        double *v = ga_asnumpy(ga_astype(y, GA_FLOAT64), NULL);
        uint64_t bits = 0;
        for (int64_t i = 0; i < y->size; i++)
            bits = bits * 31 + t_bits64(v[i]);
        free(v);
        printf("%c %016llx %s", *which, (unsigned long long)bits, way);
        free(way);
        ga_expr_free(e);
    }
    fflush(stdout);
    return ga_error() != GA_OK;
}
/* Classes of layout, dtypes and reductions beside the CPU device's values. */
static ga_array *t_operand(int kind) {
    ga_array *m = t_random_array(GA_FLOAT32, GA_SHAPE(300, 520), -2, 2);
    switch (kind) {
    case 0: return m;
    case 1: return ga_transpose(t_random_array(GA_FLOAT32, GA_SHAPE(520, 300),
                                               -2, 2), GA_ALL);
    case 2: return t_random_array(GA_FLOAT32, GA_SHAPE(300, 1), -2, 2);
    case 3: return t_random_array(GA_FLOAT32, GA_SHAPE(520), -2, 2);
    case 4: return ga_slice(t_random_array(GA_FLOAT32, GA_SHAPE(302, 522), -2,
                                           2), "1:-1, 1:-1");
    case 5: return ga_slice(t_random_array(GA_FLOAT32, GA_SHAPE(300, 1040), -2,
                                           2), "::-1, ::2");
    case 6: return t_random_array(GA_FLOAT64, GA_SHAPE(300, 520), -2, 2);
    case 7: return t_random_array(GA_FLOAT16, GA_SHAPE(300, 520), -2, 2);
    case 8: return t_random_array(GA_COMPLEX64, GA_SHAPE(300, 520), -2, 2);
    case 9: return t_random_array(GA_INT16, GA_SHAPE(300, 520), -9, 9);
    case 10: return t_random_array(GA_FLOAT32, GA_SHAPE(1000003), -2, 2);
    case 11: return t_random_array(GA_FLOAT32, GA_SHAPE(30, 40, 52), -2, 2);
    case 13: return ga_slice(t_random_array(GA_FLOAT32, GA_SHAPE(31, 43, 54),
                                            -2, 2), "1:, 2:-1, 1:-1");
    default: return t_random_array(GA_BOOL, GA_SHAPE(300, 520), 0, 1);
    }
}
static int t_run_layouts(void) {
    static const struct { const char *text; int x, y; double tolerance; } of[] = {
        {"x*2 + y", 0, 0, 0}, {"x*2 + y", 0, 1, 0}, {"x - y", 1, 1, 0},
        {"x*y - 1", 2, 3, 0}, {"x*y - 1", 0, 3, 0}, {"x + y*y", 4, 0, 0},
        {"x + y*y", 5, 4, 0}, {"x*y", 6, 1, 0}, {"x*0.5 + y", 7, 7, 0},
        {"x*y + 1i", 8, 8, 1e-6}, {"x*3 + y", 9, 9, 0}, {"where(x, y, 1)", 12, 0, 0},
        {"sin(x)**2 + cos(x)**2 + y", 0, 6, 1e-6}, {"x*2 + 1", 10, 10, 0},
        {"sum(x*y)", 0, 0, 1e-6}, {"sum(x*y)", 10, 10, 1e-6},
        {"mean(x*y)", 6, 6, 1e-13}, {"sum(x*y, axis=0)", 0, 4, 1e-5},
        {"sum(x*y, axis=1)", 0, 4, 1e-5}, {"max(x*y, axis=0)", 5, 0, 0},
        {"min(x - y, axis=1)", 5, 1, 0}, {"mean(x*y, axis=1)", 7, 7, 1e-3},
        {"sum(x*y, axis=0)", 8, 8, 1e-5}, {"sum(x*y)", 9, 9, 0},
        {"mean(x*y, axis=0)", 9, 9, 1e-14}, {"prod(x/4 + y/4 + 1, axis=1)", 2, 2, 1e-5},
        {"any(x && y > 1.99, axis=1)", 12, 0, 0}, {"all(x || y < 1.9, axis=0)", 12, 0, 0},
        {"sum(x*y, axis=1)", 11, 11, 1e-5}, {"max(x + y, axis=(0, 2))", 11, 11, 0},
        {"sum(x*y, axis=(1, 2))", 11, 11, 1e-5}, {"sum(x*y, axis=(0, 1))", 11, 11, 1e-5},
        {"min(x*y, axis=-1, keepdims=true)", 11, 11, 0}, {"mean(x + y, axis=0)", 11, 11, 1e-5},
        {"sum(x*y)", 4, 4, 1e-6}, {"min(x - y)", 5, 4, 0}, {"max(x + y)", 4, 2, 0},
        {"sum(x*y)", 13, 13, 1e-6}, {"sum(x*y, axis=(1, 2))", 13, 11, 1e-5},
        {"mean(x*y, axis=(0, 2))", 13, 13, 1e-5}, {"d = x - y; d*mean(d*d)", 4, 5, 1e-5},
        {"d = x - y; d - max(d, axis=(1, 2), keepdims=true)", 13, 11, 1e-6},
        {"float16(x*x)*2 + bfloat16(y)", 0, 0, 1e-2}, {"bfloat16(y)*x", 0, 7, 1e-2},
        {"sin(x) + cos(float32(x))*y", 7, 7, 1e-2}, {"cos(float32(x)) - sin(y)", 7, 7, 1e-2}};
    if (!t_load()) return 1;
    int bad = 0;
    for (size_t i = 0; i < T_COUNT(of); i++) {
        GA_SCOPE;
        const ga_array *x[] = {t_operand(of[i].x), t_operand(of[i].y)}, *c[2];
        ga_array *got = (ga_eval)(of[i].text, "x, y", x, 2);
        GA_DEVICE(GA_CPU);
        for (int k = 0; k < 2; k++) c[k] = ga_to_device(x[k], GA_CPU);
        ga_array *want = (ga_eval)(of[i].text, "x, y", c, 2);
        got = ga_to_device(got, GA_CPU);
        double t = of[i].tolerance;
        ga_array *off = ga_sub(ga_astype(got, GA_COMPLEX128),
                               ga_astype(want, GA_COMPLEX128));
        ga_array *ok = GA_EVAL(all(abs(off) <= t*(abs(complex128(want)) + 1)),
                               off, want, t);
        if (ok && got->dtype == want->dtype && ga_item(ok) != 0) continue;
        printf("%s of %d and %d: %s\n", of[i].text, of[i].x, of[i].y,
               ok ? "differs" : ga_error_message());
        bad++;
    }
    fflush(stdout);
    return bad != 0;
}
/* The text's value, or what it sets of `out`, beside the CPU device's. */
static int t_beside(const char *text, const ga_array *x, const ga_array *w,
                    ga_array *out, double t) {
    GA_SCOPE;
    const ga_array *of[] = {x, w}, *c[2];
    ga_array *got = out, *want;
    for (int k = 0; k < 2; k++) {
        GA_DEVICE(GA_CPU);          /* x may be out                         */
        c[k] = ga_copy(ga_to_device(of[k], GA_CPU));
    }
    if (out) ga_eval_into(out, text, "x, w", of, 2);
    else got = (ga_eval)(text, "x, w", of, 2);
    got = ga_to_device(got, GA_CPU);
    GA_DEVICE(GA_CPU);
    want = (ga_eval)(text, "x, w", c, 2);
    ga_array *ok = GA_EVAL(all(abs(float64(got) - float64(want))
                               <= t*(abs(float64(want)) + 1)), got, want, t);
    if (ok && got->dtype == want->dtype && ga_item(ok) != 0) return 0;
    printf("%s of %s (%d, %d)%s: %s\n", text, ga_dtype_name(x->dtype),
           (int)x->shape[0], (int)x->shape[1], !out ? "" : out == x
           ? " in place" : " into an operand's rows",
           ok ? "differs" : ga_error_message());
    return 1;
}
/* Rows of one length each, with what is before and behind them. */
static int t_run_chains(void) {
    static const char *const text[] = {
        "e = exp(x - max(x, axis=1, keepdims=true)); e/sum(e, axis=1, keepdims=true)",
        "d = x - mean(x, axis=1, keepdims=true);"
            "d/sqrt(mean(d*d, axis=1, keepdims=true) + 1e-5)*w",
        "m = max(x, axis=1, keepdims=true);"
            "x - (m + log(sum(exp(x - m), axis=1, keepdims=true)))",
        "(x - mean(x, axis=1, keepdims=true))"
            "/(max(x, axis=1, keepdims=true) - min(x, axis=1, keepdims=true))",
        "m = mean(x, axis=1, keepdims=true);"
            "(x - m)/sqrt(mean(x*x, axis=1, keepdims=true) - m*m + 1)",
        "x - max(x*w, axis=1, keepdims=true)"};
    static const struct { ga_dtype t; double tolerance; } type[] = {
        {GA_FLOAT32, 1e-5}, {GA_FLOAT16, 1e-2}, {GA_FLOAT64, 1e-12}};
    static const int64_t length[] = {7, 33, 1000, 1001, 5000};
    int bad = 0;
    if (!t_load()) return 1;
    for (size_t i = 0; i < T_COUNT(text) * T_COUNT(type) * T_COUNT(length); i++) {
        GA_SCOPE;
        const char *e = text[i % T_COUNT(text)];
        const int k = (int)(i / T_COUNT(text) % T_COUNT(type));
        const int64_t n = length[i / T_COUNT(text) / T_COUNT(type)];
        const ga_dtype t = type[k].t;
        const double most = type[k].tolerance;
        const int64_t rows = t_on_gpu() ? 200 : 60;     /* the CPU has none  */
        ga_array *x = t_random_array(t, GA_SHAPE(rows, n), -2, 2);
        ga_array *w = t_random_array(t, GA_SHAPE(n), -2, 2);
        ga_array *y = t_random_array(t, GA_SHAPE(rows, n), -2, 2);
        bad += t_beside(e, x, w, NULL, most);
        bad += t_beside(e, ga_slice(x, "::-1"), w, NULL, most);
        bad += t_beside(e, ga_slice(x, ":50"), w, NULL, most);
        bad += t_beside(e, x, ga_slice(y, "3"), y, most);
        bad += t_beside(e, ga_slice(y, "1:"), w, ga_slice(y, ":-1"), most);
        ga_expr *f = ga_expr_compile(e, "x, w");
        char *way = GA_EXPR_DESCRIBE(f, x, w);
        char *few = GA_EXPR_DESCRIBE(f, ga_slice(x, ":50"), w);
        const bool one = way && strstr(way, "of a chain");
        const bool some = getenv("T_RECORDED") && !getenv("T_ALL");
        if (!few || strstr(few, "chain")
            || (!some && one != (t_on_gpu() && getenv("T_RECORDED")))) {
            printf("%s:\n%s\n%s\n", e, way, few);
            bad++;
        }
        free(way);
        free(few);
        ga_expr_free(f);
        bad += t_beside(e, x, w, x, most);
    }
    fflush(stdout);
    return bad != 0;
}
static const t_case t_cases[] = {{"expressions", t_run_expressions},
                                 {"jitted", t_run_jitted},
                                 {"few", t_run_few},
                                 {"layouts", t_run_layouts},
                                 {"chains", t_run_chains}};
/* What "few" said, without how it ran. */
static char *t_values(void) {
    char *out = say("%s", t_said), *to = out;
    for (const char *s = t_said; *s; s++)
        if (s[0] >= '0' && s[0] <= '4' && s[1] == ' '
            && (s == t_said || s[-1] == '\n')) {
            memcpy(to, s, 19);
            to += 19;
            *to++ = '\n';
        }
    *to = '\0';
    return out;
}

/* ---------------------------------------------------------------- the tests */
TEST(generated_expressions) {
    T_CHECKF(!T_CHILD("expressions", t_at("GPUARR_RECORD", "all.cu")), "%s",
             t_said);
    char *text = t_file("all.cu");
    T_CHECKF(t_count(text, "\nstruct gk_") > (t_quick() ? 5 : 20), "%d kernels",
             t_count(text, "\nstruct gk_"));
    if (!t_compile("all", false)) return;
    T_CHECKF(!T_CHILD("expressions", t_at("T_RECORDED", "all.so"),
                      t_at("GPUARR_RECORD", "more.cu")), "%s", t_said);
    T_CHECKF(!t_file("more.cu"), "not in the file:\n%s", t_file("more.cu"));
}
TEST(jitted_expressions) {
    if (!t_on_gpu()) return;        /* which is where they run              */
    T_CHECKF(!T_CHILD("jitted", "GPUARR_CACHE_DIR="), "%s", t_said);
}
TEST(layouts) {
    if (!t_on_gpu()) return;        /* the CPU's kernels have no classes     */
    T_CHECKF(!T_CHILD("layouts", t_at("GPUARR_RECORD", "layouts.cu")), "%s",
             t_said);
    T_CHECKF(t_count(t_file("layouts.cu"), "= gk_h_") > 0, "halves as floats");
    if (!t_compile("layouts", false)) return;
    T_CHECKF(!T_CHILD("layouts", t_at("T_RECORDED", "layouts.so")), "%s",
             t_said);
}
TEST(chains) {
    T_CHECKF(!T_CHILD("chains", t_on_gpu() ? t_at("GPUARR_RECORD", "chains.cu")
                                           : "GPUARR_RECORD"), "%s", t_said);
    if (!t_on_gpu()) return;        /* the CPU has none                     */
    const char *text = t_file("chains.cu");
    T_CHECKF(t_count(text, "GK_R_CHAIN(") >= 18, "%d chains",
             t_count(text, "GK_R_CHAIN("));
    /* chains of what the interpreter does not fuse come with a second run   */
    if (!t_compile("chains", false)) return;
    T_CHECKF(!T_CHILD("chains", t_at("T_RECORDED", "chains.so"),
                      t_at("GPUARR_RECORD", "chains.cu")), "%s", t_said);
    if (!t_compile("chains", false)) return;
    T_CHECKF(!T_CHILD("chains", t_at("T_RECORDED", "chains.so"), "T_ALL=1",
                      t_at("GPUARR_RECORD", "again.cu")), "%s", t_said);
    T_CHECKF(!t_file("again.cu"), "not in the file:\n%s", t_file("again.cu"));
}
TEST(few_expressions) {
    T_CHECKF(!T_CHILD("few", "GPUARR_RECORD"), "%s", t_said);
    const char *want = t_values();
    const int n = t_count(t_said, "no recorded kernels are linked");
    T_CHECKF(n >= 3, "%s", t_said);
    T_CHECKF(!T_CHILD("few", t_at("GPUARR_RECORD", "few.cu")), "%s", t_said);
    T_CHECKF(!strcmp(t_values(), want), "%s", t_said);
    T_CHECKF(t_count(t_said, "none is recorded") == n, "%s", t_said);
    if (!t_compile("few", false)) return;
    T_CHECKF(!T_CHILD("few", t_at("T_RECORDED", "few.so")), "%s", t_said);
    T_CHECKF(t_count(t_said, "a recorded kernel") >= 4
             && !strstr(t_said, "interpreter"), "%s", t_said);
    if (!t_on_gpu())                /* a GPU sums in an order of its own    */
        T_CHECKF(!strcmp(t_values(), want), "%s\n%s", want, t_said);

    /* of another version: one line, and no kernel                           */
    char *text = t_file("few.cu"), *abi = strstr(text, "GK_RECORDED \"");
    T_CHECK(abi);
    if (abi) abi[13] = '9';
    t_write("stale.cu", text);
    if (!t_compile("stale", false)) return;
    T_CHECKF(!T_CHILD("few", t_at("T_RECORDED", "stale.so")), "%s", t_said);
    T_CHECKF(t_count(t_said, "of another version are not used") == 1, "%s",
             t_said);
    T_CHECKF(t_count(t_said, "a recorded kernel") == 0, "%s", t_said);
    T_CHECKF(!strcmp(t_values(), want), "%s\n%s", want, t_said);
}
/* A kernel once, whoever records it; the order is that of the texts. */
TEST(files_merge) {
    const char *record = t_at("GPUARR_RECORD", "merged.cu");
    T_CHECK(!T_CHILD("few", record, "T_WHICH=3"));
    const int one = t_count(t_file("merged.cu"), "\n/* -- ");
    T_CHECK(one >= 1);              /* 2: if it is stored, then reduced     */
    T_CHECK(!T_CHILD("few", record, "T_WHICH=10"));
    const char *two = t_file("merged.cu");
    T_CHECK(t_count(two, "\n/* -- ") == one + 2);
    T_CHECK(!T_CHILD("few", record, "T_WHICH=031"));
    T_CHECK(!strcmp(two, t_file("merged.cu")));
    const char *a = strstr(two, "/* -- 2.5*x"), *b = strstr(two, "/* -- max"),
               *c = strstr(two, "/* -- where");
    T_CHECKF(a && a < b && b < c, "%s", two);
    T_CHECK(t_count(two, "#include \"kernels.cu\"") == 1);

    pid_t pid[4];
    for (int i = 0; i < 4; i++) {
        if ((pid[i] = fork()) != 0) continue;
        const char *which[] = {"T_WHICH=0", "T_WHICH=1", "T_WHICH=2",
                               "T_WHICH=3"};
        _exit(T_CHILD("few", t_at("GPUARR_RECORD", "race.cu"), which[i]));
    }
    for (int i = 0; i < 4; i++) {
        int status = -1;
        T_CHECK(waitpid(pid[i], &status, 0) == pid[i] && !status);
    }
    T_CHECKF(t_count(t_file("race.cu"), "\n/* -- ")
             == t_count(t_file("few.cu"), "\n/* -- "), "%s", t_file("race.cu"));
    T_CHECK(!t_file("race.cu.new"));

    /* an older version's is begun anew                                      */
    char *old = say("%s", two), *abi = strstr(old, "GK_RECORDED \"");
    if (abi) abi[13] = '9';
    t_write("old.cu", old);
    T_CHECK(!T_CHILD("few", t_at("GPUARR_RECORD", "old.cu"), "T_WHICH=0"));
    T_CHECK(t_count(t_file("old.cu"), "\nstruct gk_") == 1);
}
TEST(files_that_are_not_written) {
    T_CHECK(!T_CHILD("few", t_at("GPUARR_RECORD", "no/such/folder.cu")));
    T_CHECKF(t_count(t_said, "folder.cu cannot be written") == 1, "%s", t_said);
    t_write("mine.cu", "int main(void) { return 0; }\n");
    T_CHECK(!T_CHILD("few", t_at("GPUARR_RECORD", "mine.cu")));
    T_CHECKF(t_count(t_said, "mine.cu is no file of recorded kernels") == 1,
             "%s", t_said);
    T_CHECK(!strcmp(t_file("mine.cu"), "int main(void) { return 0; }\n"));
    T_CHECK(!t_file("mine.cu.new"));
}
/* A program whose object stands in an archive takes it by ga_use_recorded(). */
TEST(archive) {
    t_write("use.c",
            "#include <gpuarr.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
            "int main(void) {\n    GA_SCOPE;\n#ifdef RECORDED\n"
            "    ga_use_recorded();\n#endif\n"
            "    ga_array *x = ga_arange(0, 600, 1);\n"
            "    ga_expr *e = ga_expr_compile(\"x*0.5\", \"x\");\n"
            "    char *way = GA_EXPR_DESCRIBE(e, x);\n    puts(way);\n"
            "    free(way);\n    ga_expr_free(e);\n    return 0;\n}\n");
    const char *B = getenv("B");
    if (!B) {
        print_message("run by `make test` alone\n");
        return;
    }
    const char *cc = say("%s %s -o %s/use %s/use.c", t_env("CC", "cc"),
                         t_env("CFLAGS", "-I."), t_dir, t_dir);
    const char *libs = say("%s/libgpuarr.a %s", B, t_env("LIBS", "-lm"));
    if (!t_shell(say("%s %s", cc, libs))) return;
    if (!t_shell(say("GPUARR_RECORD=%s/use.cu %s/use", t_dir, t_dir))) return;
    if (!t_compile("use", true)) return;
    if (!t_shell(say("ar rcs %s/libuse.a %s/use.o && %s -DRECORDED %s/libuse.a %s", t_dir,
                     t_dir, cc, t_dir, libs)))
        return;
    t_shell(say("%s/use", t_dir));
    T_CHECKF(strstr(t_file("said"), "a recorded kernel"), "%s",
             t_file("said"));
}
TEST(described) {
    GA_SCOPE;
    const ga_array *x = ga_ones(GA_SHAPE(4, 6), GA_FLOAT32);
    ga_expr *e = ga_expr_compile("sum(x*x)", "x");
    char *way = GA_EXPR_DESCRIBE(e, x);
    T_CHECKF(way && strstr(way, "1 operation, sum,"), "%s", way);
    free(way);
    T_CHECK(!(ga_expr_describe)(NULL, &x, 1));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!(ga_expr_describe)(e, &x, 0));
    T_ERROR(GA_ERR_VALUE);
    ga_expr_free(e);
}

int main(int argc, char **argv) {
    if (argc > 1) return t_is_child(argv[1], t_cases, T_COUNT(t_cases));
    snprintf(t_dir, sizeof t_dir, "/tmp/gpuarr-test-record-%ld",
             (long)getpid());
    mkdir(t_dir, 0700);
    const struct CMUnitTest tests[] = {
        T(few_expressions), T(files_merge), T(files_that_are_not_written),
        T(archive), T(described), T(layouts), T(chains),
        T(generated_expressions),
        T(jitted_expressions)};
    int failed = T_RUN("record", tests);
    t_shell(say("rm -r %s", t_dir));
    return failed;
}
