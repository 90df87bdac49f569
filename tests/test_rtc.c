/* Kernels from a string. Without a GPU: the errors, the cache's files, and,
   where NVRTC is, that every source generated compiles for sm_90. With one:
   results against the library's own and against the host.                  */
#define GPUARR_IMPLEMENTATION
#include "test.h"
#include "gpuarr_rtc.h"
#include <sys/stat.h>

extern int setenv(const char *, const char *, int); /* not C11's            */
extern int unsetenv(const char *);
extern int symlink(const char *, const char *);
extern ssize_t readlink(const char *, char *, size_t);
#include "child.h"

static bool t_has(const char *text, const char *part) {
    if (text && strstr(text, part)) return true;
    t_bad("\"%s\" is not in: %s", part, text ? text : "NULL");
    return false;
}
#define MESSAGE(status, part)                                               \
    do {                                                                    \
        t_has(ga_error_message(), part);                                    \
        T_ERROR(status);                                                    \
    } while (0)

/* Is there a compiler? Skips the test where not. */
static bool t_nvrtc(void) {
    char arch[32];
    int version[2];
    bool there = !ga__nvrtc_target("t", NULL, 90, arch, sizeof arch, version);
    ga_clear_error();
    static bool said;
    if (!there && !said) print_message("no NVRTC: not tested\n");
    said = true;
    return there;
}
static bool t_gpu(void) {
    if (t_on_gpu()) return true;
    print_message("no CUDA device: not tested\n");
    return false;
}
/* Does the driver tell a kernel's parameters? */
static bool t_driver_counts(void) {
#ifdef GPUARR_NO_CUDA
    return false;
#else
    return ga__cu.FuncGetParamInfo != NULL;
#endif
}
static char t_dir[256];
static int64_t t_files(int64_t *bytes) {
    char path[512];
    int64_t n = 0;
    *bytes = 0;
    DIR *d = opendir(t_dir);
    if (!d) return 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        struct stat st;
        snprintf(path, sizeof path, "%s/%.200s", t_dir, e->d_name);
        if (*e->d_name == '.' || stat(path, &st)) continue;
        n++;
        *bytes += (int64_t)st.st_size;
    }
    closedir(d);
    return n;
}
static void t_clean(void) {
    char path[512];
    DIR *d = opendir(t_dir);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        snprintf(path, sizeof path, "%s/%.200s", t_dir, e->d_name);
        remove(path);
    }
    closedir(d);
}

/* ------------------------------------------------------- without a device */
TEST(without_a_device_a_message) {
    if (t_on_gpu()) return;
    GA_SCOPE;
    T_CHECK(!ga_kernel_compile("", "f", NULL));
    T_CHECK(ga_error() == GA_ERR_NO_GPU || ga_error() == GA_ERR_NO_DRIVER
            || ga_error() == GA_ERR_OLD_DRIVER || ga_error() == GA_ERR_CUDA
            || ga_error() == GA_ERR_UNSUPPORTED);
    MESSAGE(ga_error(), "kernels from a string run on CUDA devices alone");
    ga_launch(NULL, 1, 1, 0, 1);
    MESSAGE(GA_ERR_NULL, "ga_launch: the kernel is NULL");
    ga_ufunc *f = ga_elementwise_kernel("T x", "T z", "z = x", "copy");
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    T_CHECK(f != NULL);
    T_CHECK(!ga_kernel_call(f, x));
    MESSAGE(ga_error(), "ga_kernel_call: ");
    ga_ufunc *r = ga_reduction_kernel("T x", "T z", "x", "a + b", NULL, "0",
                                      "total");
    T_CHECK(!ga_kernel_reduce(r, GA_ALL, x));
    MESSAGE(ga_error(), "ga_kernel_reduce: ");
    T_CHECK(!ga_kernel_call(r, x));
    MESSAGE(GA_ERR_VALUE, "total is a reduction");
    T_CHECK(!ga_kernel_reduce(f, GA_ALL, x));
    MESSAGE(GA_ERR_VALUE, "copy is no reduction");
    ga_ufunc_free(f);
    ga_ufunc_free(r);
    ga_ufunc_free(NULL);
    ga_kernel_free(NULL);
    ga_module_free(NULL);
}

TEST(parameter_lists) {
    static const struct { const char *in, *out, *body, *name, *says; } bad[] = {
        {"flaot32 x", "T z", "", "f", "a dtype's name or a capital letter"},
        {"float32", "T z", "", "f", "a parameter's name is expected"},
        {"float32 x y", "T z", "", "f", "a comma is expected at \"y\""},
        {"float32 x; T y", "T z", "", "f", "a comma is expected at \"; T y\""},
        {"raw x", "T z", "", "f", "a dtype's name or a capital letter"},
        {"T i", "T z", "", "f", "no parameter can be named i"},
        {"T x", "", "", "f", "no output is named"},
        {"T x", "T z", "", "2f", "\"2f\" is not a kernel's name"},
        {"T x", "T z", "", "f g", "\"f g\" is not a kernel's name"},
        {"T x", "T z", "", NULL, "\"NULL\" is not a kernel's name"},
        {"T x", "T z", "", "a_very_long_name_for_a_kernel_that_does_nothing_at_"
         "all_but_fill_more_than_a_line", "a word of at most 64 letters"}};
    for (size_t i = 0; i < T_COUNT(bad); i++) {
        T_CHECK(!ga_elementwise_kernel(bad[i].in, bad[i].out, bad[i].body,
                                       bad[i].name));
        MESSAGE(GA_ERR_SYNTAX, bad[i].says);
    }
    T_CHECK(!ga_elementwise_kernel("T x", NULL, "", "f"));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_reduction_kernel("T x", "T y, T z", "x", "a", NULL, "0", "f"));
    MESSAGE(GA_ERR_SYNTAX, "a reduction has one output");
    char many[600] = "";
    for (int i = 0; i < 45; i++) snprintf(many + strlen(many), 16, "T x%d,", i);
    T_CHECK(!ga_elementwise_kernel(many, "T z", "", "f"));
    MESSAGE(GA_ERR_VALUE, "more than 40 parameters");
    ga_ufunc *f = ga_elementwise_kernel(
        " raw float16 x,complex64 y ,\nT  n2", "bool z", "z = y[i]", "f_1");
    T_CHECK(f && f->nin == 3 && f->nout == 1 && f->index);
    T_CHECK(f && f->p[0].raw && f->p[0].type == GA_FLOAT16 && !f->p[1].raw
            && f->p[1].type == GA_COMPLEX64 && f->p[2].var == 'T'
            && !strcmp(f->p[2].name, "n2") && f->p[3].type == GA_BOOL);
    ga_ufunc_free(f);
    T_CHECK(!ga__mentions("z = x * xi + i2 + _i", "i"));
    T_CHECK(ga__mentions("z = x[i]", "i"));
}

/* -------------------------------------------------------- the cache's files */
TEST(files_are_kept_checked_and_limited) {
    int64_t bytes;
    t_clean();
    setenv("GPUARR_CACHE_DIR", t_dir, 1);
    unsigned char image[5000];
    for (size_t i = 0; i < sizeof image; i++) image[i] = (unsigned char)(i * 7);
    ga__code *c = ga__code_new("a key", 5, "one\0two", 8, image, sizeof image);
    assert_non_null(c);
    T_CHECK(!ga__cache_read("a key", 5));
    ga__cache_write(c);
    T_CHECK(t_files(&bytes) == 1);
    ga__code *r = ga__cache_read("a key", 5);
    T_CHECK(r && r->nimage == sizeof image && r->nsymbols == 8
            && !memcmp(r->image, image, sizeof image)
            && !memcmp(r->symbols, "one\0two", 8));
    ga__code_free(r);
    T_CHECK(!ga__cache_read("b key", 5));

    /* any byte changed, and any length cut, and it is not taken */
    char path[512];
    size_t folder;
    T_CHECK(ga__cache_path("a key", 5, path, sizeof path, &folder));
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    static unsigned char all[8000], other[8000];
    size_t n = fread(all, 1, sizeof all, f);
    fclose(f);
    for (size_t i = 0; i < n + 60; i++) {
        size_t length = n;
        memcpy(other, all, n);
        if (i < n) other[i] ^= 0x10;
        else length = n * (i - n) / 60;
        f = fopen(path, "wb");
        assert_non_null(f);
        T_CHECK(fwrite(other, 1, length, f) == length);
        fclose(f);
        r = ga__cache_read("a key", 5);
        T_CHECKF(!r, "file with a fault at %zu was taken", i);
        ga__code_free(r);
        if (i > 200 && i < n - 200) i += 97;
    }
    t_clean();

    /* the limit: the oldest go; what was read last stays */
    setenv("GPUARR_CACHE_LIMIT", "22K", 1);
    memcpy(c->key, "key ?", 5);
    for (int i = 0; i < 4; i++) {
        struct utimbuf at = {1000000000 + i, 1000000000 + i};
        c->key[4] = (char)('0' + i);
        ga__cache_write(c);
        T_CHECK(ga__cache_path(c->key, 5, path, sizeof path, &folder));
        utime(path, &at);
    }
    T_CHECK(t_files(&bytes) == 4);
    r = ga__cache_read("key 0", 5);
    T_CHECK(r != NULL);
    ga__code_free(r);
    c->key[4] = '4';
    ga__cache_write(c);
    T_CHECK(t_files(&bytes) == 4 && bytes <= 22 * 1024);
    static const bool there[] = {true, false, true, true, true};
    for (int i = 0; i < 5; i++) {
        char key[] = {'k', 'e', 'y', ' ', (char)('0' + i)};
        r = ga__cache_read(key, 5);
        T_CHECKF((r != NULL) == there[i], "key %d", i);
        ga__code_free(r);
    }
    /* a dead process's leftovers, and what is not ours */
    snprintf(path, sizeof path, "%s/.tmp-1-1", t_dir);
    f = fopen(path, "wb");
    if (f) fclose(f);
    struct utimbuf old = {1000000000, 1000000000};
    utime(path, &old);
    char mine[512];
    snprintf(mine, sizeof mine, "%s/notes.txt", t_dir);
    f = fopen(mine, "wb");
    if (f) fclose(f);
    c->key[4] = '5';
    ga__cache_write(c);
    struct stat st;
    T_CHECK(stat(path, &st) != 0);
    T_CHECK(stat(mine, &st) == 0);
    /* who may write to the folder lays links and a pipe: none is used */
    T_CHECK(ga__cache_path("key 6", 5, path, sizeof path, &folder));
    c->key[4] = '6';
    for (int i = 0; i < 60; i++) {
        char draft[512];
        snprintf(draft, sizeof draft, "%.*s/.tmp-%ld-%d", (int)folder, path,
                 (long)getpid(), i);
        T_CHECK(!symlink("notes.txt", draft));
    }
    ga__cache_write(c);
    T_CHECK(!stat(mine, &st) && st.st_size == 0);
    T_CHECK(!ga__cache_read("key 6", 5));
    T_CHECK(!mkfifo(path, 0600));
    T_CHECK(!ga__cache_read("key 6", 5));
    /* no folder, none wanted */
    setenv("GPUARR_CACHE_DIR", "", 1);
    ga__cache_write(c);
    T_CHECK(!ga__cache_read("key 5", 5));
    setenv("GPUARR_CACHE_DIR", "/proc/nowhere/at all", 1);
    ga__cache_write(c);
    T_CHECK(!ga__cache_read("key 5", 5));
    unsetenv("GPUARR_CACHE_LIMIT");
    setenv("GPUARR_CACHE_DIR", t_dir, 1);
    ga__code_free(c);
    t_clean();
}

/* Many writers and readers of the same keys: whole files or none. */
static void *t_writer(void *arg) {
    int bad = 0;
    unsigned char image[3000];
    for (int i = 0; i < 60; i++) {
        char key[16];
        int which = i % 3;
        snprintf(key, sizeof key, "shared %d", which);
        memset(image, which, sizeof image);
        ga__code *c = ga__code_new(key, 8, "s", 2, image, sizeof image);
        if (c) ga__cache_write(c);
        ga__code_free(c);
        c = ga__cache_read(key, 8);
        if (!c) bad++;
        for (size_t k = 0; c && k < c->nimage; k++) bad += c->image[k] != which;
        ga__code_free(c);
    }
    *(int *)arg = bad;
    return NULL;
}
TEST(several_writers_at_once) {
    pthread_t t[4];
    int bad[4];
    setenv("GPUARR_CACHE_DIR", t_dir, 1);
    for (int i = 0; i < 4; i++)
        T_CHECK(!pthread_create(&t[i], NULL, t_writer, &bad[i]));
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++) T_CHECKF(!bad[i], "thread %d: %d", i, bad[i]);
    t_clean();
}

/* ------------------------------------------------ compiled, nothing loaded */
static ga__code *t_compile(const char *text, const char *name,
                           const char *options) {
    ga__source s = {"t", name, text, options, &name, 1};
    return ga__code_get(&s, 90);
}
TEST(sources_and_their_errors) {
    if (!t_nvrtc()) return;
    int64_t bytes;
    setenv("GPUARR_CACHE_DIR", t_dir, 1);
    t_clean();
    const char *axpy = "template <class T>\n"
        "__global__ void axpy(T a, const T *x, T *y) {\n"
        "    y[threadIdx.x] += a * x[threadIdx.x];\n}\n";
    ga__code *c = t_compile(axpy, "axpy<float>", NULL);
    T_CHECK(c && strstr(c->symbols, "axpyIfE"));
    T_CHECK(c && !memcmp(c->image, "\177ELF", 4));
    T_CHECK(t_files(&bytes) == 1);
    T_CHECK(t_compile(axpy, "axpy<float>", NULL) == c);   /* from memory    */
    ga__code *first = ga__codes;                /* as in the next process   */
    ga__codes = NULL;
    ga__code *again = t_compile(axpy, "axpy<float>", NULL);
    T_CHECK(again && again != c && c && again->nimage == c->nimage
            && !memcmp(again->image, c->image, c->nimage)
            && !strcmp(again->symbols, c->symbols));
    T_CHECK(t_files(&bytes) == 1);
    if (again) again->next = first;
    T_CHECK(t_compile(axpy, "axpy<double>", NULL) != c);
    T_CHECK(t_compile(axpy, "axpy<float>", "-use_fast_math") != c);
    T_CHECK(t_files(&bytes) == 3);

    T_CHECK(!t_compile("__global__ void f(float *x) {\n\n    x[0] = y;\n}\n",
                       "f", NULL));
    t_has(ga_compile_log(), "f(3): error");
    MESSAGE(GA_ERR_COMPILE, "f(3): error: identifier \"y\" is undefined");
    T_CHECK(!t_compile(axpy, "nothing", NULL));
    T_ERROR(GA_ERR_COMPILE);
    T_CHECK(!t_compile(axpy, "axpy<float>", "-no-such-option"));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(t_compile("#include <stdint.h>\n#include \"gpuarr_types.h\"\n"
                      "extern \"C\" __global__ void g(int64_t *x, float16 *h,"
                      " complex64 *z) {\n"
                      "    x[0] = N; h[0] = h[1] * 2; z[0] = exp(z[1]) * 2.0f;"
                      " }", "g", " -DN=\"3 + 4\"  -lineinfo "));
    T_FINE();
    T_CHECK(t_compile("extern \"C\" __global__ void p() {}", "p",
                      "-arch=compute_80"));     /* PTX, as asked            */
    T_FINE();

    /* all options count, the 100th too */
    char many[2000] = "";
    for (int i = 0; i < 99; i++)
        snprintf(many + strlen(many), 20, "-DA%d ", i);
    strcat(many, "-DLAST=int");
    T_CHECK(t_compile("extern \"C\" __global__ void p(LAST *x) { *x = 1; }",
                      "p", many));
    T_FINE();
    /* a name more is no line of source less */
    const char *text = "g\n__global__ void f() {}", *rest = strchr(text, '\n');
    const char *names[2] = {"f", "g"};
    ga__source one = {"t", "f", text, "-Dg=", names, 1};
    ga__source two = {"t", "f", rest + 1, "-Dg=", names, 2};
    T_CHECK(ga__code_get(&one, 90));
    T_CHECK(!ga__code_get(&two, 90));
    T_ERROR(GA_ERR_COMPILE);

    /* a header of the user's may have changed: never from disk */
    char path[512], option[512];
    int64_t before = t_files(&bytes);
    snprintf(path, sizeof path, "%s/.own.h", t_dir);
    snprintf(option, sizeof option, "-I%s", t_dir);
    ga__code *kept = ga__codes;
    for (int n = 0; n < 2; n++) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        if (!n) fputs("template <class T> __global__ void h() {}\n", f);
        fclose(f);
        ga__codes = NULL;           /* as in the next process               */
        c = t_compile("#include \".own.h\"\n", "h<int>", option);
        T_CHECK((c != NULL) == !n);
        ga__code_free(c);
    }
    T_ERROR(GA_ERR_COMPILE);
    T_CHECK(t_files(&bytes) == before);
    ga__codes = kept;
}

/* f for these operands, as a launch would, compiled for sm_90. */
static char *t_source(ga_ufunc *f, const ga_array *const *x, int n,
                      ga_array *z, int reduced) {
    ga__klayout l;
    ga_dtype type[GA__K_PARAMS];
    int64_t shape[GA_MAX_NDIM];
    int ndim = 0;
    ga__text t = {NULL, 0, 0, false};
    memset(&l, 0, sizeof l);
    if (ga__k_types("t", f, x, n, type)) return NULL;
    if (!ga__k_shape("t", f, x, n, &ndim, shape)) return NULL;
    l.ndim = ndim;
    l.n = 1;
    for (int d = 0; d < ndim; d++) l.n *= l.shape[d] = shape[d];
    l.key.nin = (unsigned char)n;
    l.key.nop = (unsigned char)(n + (z != NULL));
    for (int o = 0; o < l.key.nop; o++) {
        ga__k_operand(&l, f, o, o < n ? x[o] : z, type[o]);
    }
    if (f->index) ga__k_index(&l, l.key.nop++);
    if (z) {
        ga__k_group(&l, n, 0, ndim);
        ga__k_classify(&l);
        ga__k_vector(&l);
        ga__gen_map(&t, f, &l.key);
    } else {
        l.key.nkeep = (unsigned char)(ndim - reduced);
        l.key.nred = (unsigned char)reduced;
        l.key.vec = 1;
        l.key.result = (unsigned char)type[n];
        ga__gen_reduction(&t, f, &l.key);
    }
    assert_non_null(t.s);
    char entry[80], join[80];
    const char *names[2] = {entry, join};
    snprintf(entry, sizeof entry, "%s_kernel", f->name);
    snprintf(join, sizeof join, "%s_join", f->name);
    ga__source s = {"t", f->name, t.s, f->options, names, z ? 1 : 2};
    if (t_nvrtc() && !ga__code_get(&s, 90)) {
        t_bad("%s: %s\n%s", f->name, ga_error_message(), t.s);
        ga_clear_error();
    }
    t_keep(t.s);
    return t.s;
}
TEST(generated_sources_compile) {
    GA_SCOPE;
    setenv("GPUARR_CACHE_DIR", "", 1);
    GA_DEVICE(GA_CPU);
    ga_array *x = ga_ones(GA_SHAPE(6, 8), GA_FLOAT32);
    ga_array *y = ga_ones(GA_SHAPE(6, 8), GA_INT16);
    ga_array *row = ga_ones(GA_SHAPE(8), GA_FLOAT32);
    ga_array *z = ga_empty(GA_SHAPE(6, 8), GA_FLOAT32);
    ga_ufunc *f = ga_elementwise_kernel("float32 x, float32 y", "float32 z",
                                        "z = x*x + y", "squares");
    const ga_array *a[4] = {x, x};
    char *s = t_source(f, a, 2, z, 0);
    t_has(s, "ga_vec<float32, 4> v0");
    t_has(s, "#line 1 \"squares\"\nz = x*x + y\n");
    a[1] = y;                       /* another dtype: cast at the load      */
    t_has(t_source(f, a, 2, z, 0), "ga_vec<int16, 4> v1");
    a[1] = row;
    s = t_source(f, a, 2, z, 0);
    t_has(s, "ga_axes { int64 n[2], s[3][2]; }");
    t_has(s, "v1.load(p1 + o1)");
    a[1] = ga_slice(x, ":, :1");
    t_has(t_source(f, a, 2, z, 0), "const float32 s1 = p1[o1];");
    a[1] = row;
    a[0] = ga_transpose(ga_ones(GA_SHAPE(8, 6), GA_FLOAT32), GA_ALL);
    t_source(f, a, 2, z, 0);
    ga_array number;
    a[1] = ga__arg_f(2, &number);
    a[0] = x;
    t_has(t_source(f, a, 2, z, 0), ", float32 p1");
    a[1] = ga_ones(GA_SCALAR_SHAPE, GA_FLOAT32);
    t_has(t_source(f, a, 2, z, 0), "const float32 s1 = *p1;");
    ga_ufunc_free(f);

    f = ga_elementwise_kernel("T x, raw T w", "T z", "if (i < w.size()) z = "
                              "x + w[i] * w(0, 1); // end", "gather");
    a[0] = x;
    a[1] = x;
    t_has(t_source(f, a, 2, z, 0), "ga_body(e + 3, ");
    a[0] = ga_slice(x, "::-1, ::2");
    t_has(t_source(f, a, 2, ga_empty(GA_SHAPE(6, 4), GA_FLOAT32), 0),
          "ga_body(o3 + 0, ");
    ga_ufunc_free(f);

    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        if (t_quick() && t != GA_FLOAT16 && t != GA_COMPLEX64) continue;
        ga_array *v = ga_ones(GA_SHAPE(4, 5), (ga_dtype)t);
        ga_array *out = ga_empty(GA_SHAPE(4, 5), GA_COMPLEX128);
        f = ga_elementwise_kernel("T x, T y", "T z", "z = x*y + x", "typed");
        a[0] = v;
        a[1] = ga_slice(v, "0");
        t_source(f, a, 2, ga_empty(GA_SHAPE(4, 5), (ga_dtype)t), 0);
        t_source(f, a, 2, out, 0);
        ga_ufunc_free(f);
        f = ga_reduction_kernel("T x", "T z", "x", "a + b", NULL, "0", "total");
        t_source(f, a, 1, NULL, 1);
        ga_ufunc_free(f);
    }
    f = ga_reduction_kernel("T x, float64 y", "float64 z", "x*y*i", "a + b",
                            "z = sqrt(a / _n)", NULL, "rms");
    a[0] = x;
    a[1] = row;
    t_source(f, a, 2, NULL, 2);
    t_source(f, a, 2, NULL, 1);
    ga_ufunc_free(f);
    f = ga_elementwise_kernel("complex64 x", "complex64 y",
                              "y = sqrt(x) + pow(x, x) / sin(cos(log(x))) - 1;"
                              "y += abs(x) + arg(conj(y)) + real(y) * imag(x)",
                              "complexes");
    ga_array *c = ga_ones(GA_SHAPE(4), GA_COMPLEX64);
    a[0] = c;
    t_source(f, a, 1, c, 0);
    ga_ufunc_free(f);
    setenv("GPUARR_CACHE_DIR", t_dir, 1);
}
TEST(types_of_parameters) {
    GA_SCOPE;
    GA_DEVICE(GA_CPU);
    ga_dtype t[GA__K_PARAMS];
    ga_array number;
    const ga_array *x[3] = {ga_ones(GA_SHAPE(2), GA_FLOAT32),
                            ga_ones(GA_SHAPE(2), GA_INT16),
                            ga__arg_f(2.5, &number)};
    ga_ufunc *f = ga_elementwise_kernel("T x, T y, T n", "T z", "", "f");
    T_CHECK(!ga__k_types("t", f, x, 3, t) && t[0] == GA_FLOAT32
            && t[3] == GA_FLOAT32);
    x[0] = x[1];
    T_CHECK(!ga__k_types("t", f, x, 3, t) && t[2] == GA_FLOAT64);
    ga_ufunc_free(f);
    f = ga_elementwise_kernel("raw T x, int8 y, float16 n", "U z", "", "f");
    T_CHECK(ga__k_types("t", f, x, 3, t) == GA_ERR_DTYPE);
    MESSAGE(GA_ERR_DTYPE, "nothing says what U is for \"z\"");
    ga_ufunc_free(f);
    f = ga_elementwise_kernel("int16 x, bool y, float16 n", "T z", "", "f");
    T_CHECK(ga__k_types("t", f, x, 3, t) == GA_ERR_DTYPE);
    ga_clear_error();
    ga_ufunc_free(f);
    f = ga_elementwise_kernel("int16 x, bool y, float16 n", "int8 z", "", "f");
    T_CHECK(ga__k_types("t", f, x, 3, t) == GA_ERR_DTYPE);
    MESSAGE(GA_ERR_DTYPE, "f: y is bool, int16 was given");
    ga_ufunc_free(f);
    f = ga_elementwise_kernel("raw int32 x", "int8 z", "", "f");
    T_CHECK(ga__k_types("t", f, x, 1, t) == GA_ERR_DTYPE);
    MESSAGE(GA_ERR_DTYPE, "f: x is raw int32, int16 was given");
    ga_ufunc_free(f);
    f = ga_elementwise_kernel("int8 x", "int8 z", "", "f");
    x[0] = ga__arg_i(300, &number);
    T_CHECK(ga__k_types("t", f, x, 1, t) == GA_ERR_VALUE);
    MESSAGE(GA_ERR_VALUE, "300 is out of range for int8");
    ga_ufunc_free(f);
}

/* ---------------------------------------------------------- on the device */
static const char *const t_double = "extern \"C\" __global__ void twice(\n"
    "    float *x, long long n) {\n"
    "    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n"
    "    if (i < n) x[i] *= 2;\n}\n";
TEST(kernels_run) {
    if (!t_gpu()) return;
    GA_SCOPE;
    float host[1000], want[1000];
    for (int i = 0; i < 1000; i++)
        host[i] = (float)i - 7, want[i] = 2 * host[i];
    ga_array *x = ga_asarray(host, GA_SHAPE(1000));
    ga_kernel *k = ga_kernel_compile(t_double, "twice", NULL);
    assert_non_null(k);
    T_CHECK(!ga_launch(k, 4, 256, 0, x, (long long)1000));
    t_same(x, GA_FLOAT32, GA_SHAPE(1000), want);
    T_CHECK(!ga_launch(k, ga_dim2(0, 1), 256, 0, x, (long long)1000));
    t_same(x, GA_FLOAT32, GA_SHAPE(1000), want);

    T_CHECK(ga_launch(k, 4, 2048, 0, x, (long long)1000) == GA_ERR_VALUE);
    MESSAGE(GA_ERR_VALUE, "a block of 2048 x 1 x 1 threads; at most 1024");
    T_CHECK(ga_launch(k, 4, ga_dim3(32, 16, 4), 0, x, 1000LL) == GA_ERR_VALUE);
    MESSAGE(GA_ERR_VALUE, "a block of 32 x 16 x 4 threads");
    ga_launch(k, 4, 0, 0, x, 1000LL);
    MESSAGE(GA_ERR_VALUE, "a block of 0 x 1 x 1 threads");
    ga_launch(k, ga_dim2(4, 70000), 1, 0, x, 1000LL);
    MESSAGE(GA_ERR_VALUE, "70000 blocks along y");
    ga_launch(k, -1, 1, 0, x, 1000LL);
    MESSAGE(GA_ERR_VALUE, "-1 blocks along x");
    ga_launch(k, 1, 1, 300000, x, 1000LL);
    MESSAGE(GA_ERR_VALUE, "300000 bytes of shared memory");
    if (t_driver_counts()) {
        ga_launch(k, 4, 256, 0, x, 1000);
        MESSAGE(GA_ERR_VALUE, "argument 2 has 4 bytes, the kernel's parameter "
                "8");
        ga_launch(k, 4, 256, 0, x);
        MESSAGE(GA_ERR_VALUE, "1 arguments given, the kernel takes 2");
        ga_launch(k, 4, 256, 0, x, 1000LL, 3);
        MESSAGE(GA_ERR_VALUE, "3 arguments given, the kernel takes 2");
    }
    ga_array *far;
    {
        GA_DEVICE(GA_CPU);
        far = ga_ones(GA_SHAPE(4), GA_FLOAT32);
    }
    ga_launch(k, 1, 4, 0, far, 4LL);
    T_ERROR(GA_ERR_DEVICE_MISMATCH);
    ga_array *none = NULL;
    ga_launch(k, 1, 4, 0, none, 4LL);
    T_ERROR(GA_ERR_NULL);
    ga_launch(k, 1, 4, 0, x, ga_bytes(NULL, 8));
    MESSAGE(GA_ERR_NULL, "argument 2 is NULL");
    t_same(x, GA_FLOAT32, GA_SHAPE(1000), want);
    ga_kernel_free(k);
    T_CHECK(!ga_kernel_compile("__global__ void f() { x = 1; }", "f", NULL));
    MESSAGE(GA_ERR_COMPILE, "ga_kernel_compile: f does not compile\nf(1): "
            "error: identifier \"x\" is undefined");
    T_CHECK(!ga_kernel_compile("__global__ void f() {}", "f, g", NULL));
    T_ERROR(GA_ERR_COMPILE);
}
typedef struct t_pair { float a; double b; } t_pair;
TEST(modules_templates_and_structs) {
    if (!t_gpu()) return;
    GA_SCOPE;
    ga_module *m = ga_module_compile(
        "struct pair { float a; double b; };\n"
        "template <class T, int N> __global__ void fill(T *x, T v) {\n"
        "    extern __shared__ double room[];\n"
        "    T *s = (T *)room;\n"
        "    s[threadIdx.x] = v; x[threadIdx.x] = s[threadIdx.x] + N;\n}\n"
        "extern \"C\" __global__ void both(double *x, pair p, bool neg,\n"
        "                                  char c, void *nothing) {\n"
        "    x[threadIdx.x] = (neg ? -1 : 1) * (p.a + p.b) + c\n"
        "                     + (nothing ? 1 : 0);\n}\n",
        "fill<int, 3> , fill<double,4>", NULL);
    assert_non_null(m);
    ga_kernel *k = ga_module_kernel(m, "fill<int, 3>");
    ga_kernel *kd = ga_module_kernel(m, "fill<double,4>");
    ga_kernel *both = ga_module_kernel(m, "both");
    T_CHECK(!ga_module_kernel(m, "neither"));
    MESSAGE(GA_ERR_VALUE, "the source has no kernel \"neither\"");
    ga_module_free(m);
    ga_array *i = ga_zeros(GA_SHAPE(5), GA_INT32);
    ga_array *d = ga_zeros(GA_SHAPE(5), GA_FLOAT64);
    int want[5] = {10, 10, 10, 10, 10};
    T_CHECK(!ga_launch(k, 1, 5, 40, i, 7));
    t_same(i, GA_INT32, GA_SHAPE(5), want);
    double wantd[5] = {4.5, 4.5, 4.5, 4.5, 4.5};
    T_CHECK(!ga_launch(kd, 1, 5, 100000, d, 0.5));
    t_same(d, GA_FLOAT64, GA_SHAPE(5), wantd);
    t_pair p = {1.5f, 2.25};
    double wantb[5];
    for (int j = 0; j < 5; j++) wantb[j] = -3.75 + 3;
    T_CHECK(!ga_launch(both, 1, 5, 0, d, ga_bytes(&p, sizeof p), (bool)true,
                       (char)3, NULL));
    t_same(d, GA_FLOAT64, GA_SHAPE(5), wantb);
    ga_kernel_free(k);
    ga_kernel_free(kd);
    ga_kernel_free(both);
}
/* Two streams, no synchronising by hand. */
TEST(streams_are_ordered) {
    if (!t_gpu()) return;
    GA_SCOPE;
    int64_t n = 1 << 22;
    ga_kernel *k = ga_kernel_compile(t_double, "twice", NULL);
    ga_stream *s = ga_stream_create(0), *r = ga_stream_create(0);
    ga_array *x = ga_full(GA_SHAPE(n), 1, GA_FLOAT32), *y;
    for (int i = 0; i < 20; i++) {
        GA_STREAM(i & 1 ? s : r);
        T_CHECK(!ga_launch(k, (n + 255) / 256, 256, 0, x, (long long)n));
    }
    y = ga_sum(x, GA_ALL);
    T_CHECK(ga_item(y) == (double)n * (1 << 20));
    ga_stream_destroy(s);
    ga_stream_destroy(r);
    ga_kernel_free(k);
}
typedef struct t_step {
    ga_kernel *k;
    ga_ufunc *f, *r;
    ga_array *x, *y;
} t_step;
static void t_graph_step(void *arg) {
    t_step *g = (t_step *)arg;
    ga_launch(g->k, 4, 256, 0, g->x, 1000LL);
    ga_kernel_into(g->f, g->x, 1.0, g->x);
    ga_kernel_reduce_into(g->r, g->y, GA_ALL, g->x);
}
TEST(in_graphs) {
    if (!t_gpu()) return;
    GA_SCOPE;
    t_step g = {ga_kernel_compile(t_double, "twice", NULL),
                ga_elementwise_kernel("T x, T y", "T z", "z = x + y", "plus"),
                ga_reduction_kernel("T x", "float64 z", "x", "a + b", NULL, "0",
                                    "total"),
                ga_zeros(GA_SHAPE(1000), GA_FLOAT32),
                ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT64)};
    ga_graph *graph = ga_graph_create(t_graph_step, &g);
    T_FINE();
    for (int i = 0; i < 5; i++) ga_graph_launch(graph);
    T_CHECK(ga_item(g.y) == 31000);             /* x = 2x + 1, five times   */
    ga_graph_destroy(graph);
    ga_kernel_free(g.k);
    ga_ufunc_free(g.f);
    ga_ufunc_free(g.r);
}

/* x*y*x by the kernel and by the library, for one layout and type. (A sum
   in it would be contracted with a product, as happens inside complex ones.) */
static void t_compare_with_library(ga_ufunc *f, const ga_array *x,
                                   const ga_array *y) {
    GA_SCOPE;
    ga_array *got = ga_kernel_call(f, x, y);
    ga_array *want = ga_mul(ga_mul(x, y), x);
    double ulp = ga__kind(want->dtype) == 'c' ? 6 : 2;
    t_same_arrays(got, want, ulp);
    ga_array *out = ga_slice(ga_zeros(GA_SHAPE(40, 61), want->dtype),
                             "1:32, 60:0:-1");
    if (want->ndim == 2 && want->shape[0] == 31 && want->shape[1] == 60) {
        T_CHECK(!ga_kernel_into(f, x, y, out));
        t_same_arrays(out, want, ulp);
    }
}
TEST(elementwise_all_types_and_layouts) {
    if (!t_gpu()) return;
    ga_ufunc *f = ga_elementwise_kernel("T x, T y", "T z", "T d = x*y; z = d*x",
                                        "product");
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        if (t == GA_BOOL) continue;
        if (t_quick() && t != GA_FLOAT16 && t != GA_FLOAT32) continue;
        GA_SCOPE;
        t_context("%s", ga_dtype_name((ga_dtype)t));
        ga_array *x = t_random_array((ga_dtype)t, GA_SHAPE(31, 60), -5, 5);
        ga_array *y = t_random_array((ga_dtype)t, GA_SHAPE(60, 31), -5, 5);
        t_compare_with_library(f, x, x);
        t_compare_with_library(f, x, ga_transpose(y, GA_ALL));
        t_compare_with_library(f, ga_transpose(y, GA_ALL), x);
        t_compare_with_library(f, x, ga_slice(x, "3"));
        t_compare_with_library(f, x, ga_slice(x, ":, 7:8"));
        t_compare_with_library(f, ga_slice(x, ":, :32"),
                               ga_slice(x, ":, 8:40"));
        t_compare_with_library(f, ga_slice(x, ":, :32"),
                               ga_slice(x, "1, 4:36"));
        t_compare_with_library(f, ga_slice(x, "::-2, 1::3"),
                               ga_slice(x, "::2, :0:-3"));
        t_compare_with_library(f, ga_slice(ga_ravel(x), "1:"),
                               ga_slice(ga_ravel(x), ":-1"));
        t_compare_with_library(f, x, ga_reshape(ga_slice(x, "0, 0"),
                                                GA_SCALAR_SHAPE));
        t_compare_with_library(f, ga_reshape(x, GA_SHAPE(31, 3, 4, 5)),
                               ga_reshape(ga_slice(x, "0:3, :20"),
                                          GA_SHAPE(3, 4, 5)));
        ga_array *got = ga_kernel_call(f, x, 3), *three = ga_full_like(x, 3);
        t_same_arrays(got, ga_mul(ga_mul(x, three), x), 2);
        /* blocks that are parts of rows: one element a thread, and several */
        int64_t m = t == GA_FLOAT32 || t == GA_INT8 ? 2200 : 5;
        ga_array *rows = t_random_array((ga_dtype)t, GA_SHAPE(m, 1025), -5, 5);
        ga_array *left = ga_slice(rows, ":, :-1");
        ga_array *right = ga_slice(rows, "::-1, 1:");
        t_compare_with_library(f, left, right);
        t_compare_with_library(f, left, ga_slice(rows, ":, 3:4"));
        t_compare_with_library(f, right, ga_slice(rows, "1, :0:-1"));
        t_compare_with_library(f, ga_reshape(left, GA_SHAPE(m, 4, 256)),
                               ga_slice(ga_reshape(ga_ravel(rows),
                                                   GA_SHAPE(5, m / 5, 1025)),
                                        "1:2, :1, 0:256"));
    }
    ga_ufunc_free(f);
}
TEST(elementwise_forms) {
    if (!t_gpu()) return;
    GA_SCOPE;
    float xs[6] = {1, 2, 3, 4, 5, 6};
    ga_array *x = ga_asarray(xs, GA_SHAPE(2, 3));
    /* raw, index, return, several outputs, scalar parameters */
    ga_ufunc *f = ga_elementwise_kernel(
        "T x, raw T w, int32 n", "T y, int64 k",
        "k = i;\nif (i + n >= w.size()) { y = -1; return; }\n"
        "y = x + w[i + n] * 10 + w(1, 0) * 100", "forms");
    const ga_array *in[3] = {x, x, NULL};
    ga_array number, *out[2];
    in[2] = ga__arg_i(2, &number);
    T_CHECK(!ga_ufunc_run(f, in, 3, out));
    float want[6] = {431, 442, 453, 464, -1, -1};
    int64_t index[6] = {0, 1, 2, 3, 4, 5};
    t_same(out[0], GA_FLOAT32, GA_SHAPE(2, 3), want);
    t_same(out[1], GA_INT64, GA_SHAPE(2, 3), index);
    T_CHECK(!ga_kernel_call(f, x, x, 2));
    MESSAGE(GA_ERR_VALUE, "forms has 2 outputs");
    ga_array *xt = ga_transpose(x, GA_ALL);     /* i is C order, not memory's */
    in[0] = xt;
    T_CHECK(!ga_ufunc_run(f, in, 3, out));
    t_same(out[1], GA_INT64, GA_SHAPE(3, 2), index);
    ga_ufunc_free(f);

    f = ga_elementwise_kernel("raw T x", "T z", "z = x[x.size() - 1 - i]",
                              "turned");
    ga_array *z = ga_zeros(GA_SHAPE(6), GA_FLOAT32);
    T_CHECK(!ga_kernel_into(f, x, z));
    float turned[6] = {6, 5, 4, 3, 2, 1};
    t_same(z, GA_FLOAT32, GA_SHAPE(6), turned);
    T_CHECK(!ga_kernel_call(f, x));
    MESSAGE(GA_ERR_SHAPE, "no operand gives the result a shape");
    ga_ufunc_free(f);

    f = ga_elementwise_kernel("int32 x, T y", "raw int32 counts",
                              "if (y > 0) atomicAdd(&counts[x], 1)",
                              "counting");
    ga_array *counts = ga_zeros(GA_SHAPE(7), GA_INT32);
    ga_array *xi = ga_astype(x, GA_INT32);
    T_CHECK(!ga_kernel_into(f, xi, x, counts));
    T_CHECK(!ga_kernel_into(f, ga_slice(xi, ":, 1:"), 1, counts));
    int counted[7] = {0, 1, 2, 2, 1, 2, 2};
    t_same(counts, GA_INT32, GA_SHAPE(7), counted);
    T_CHECK(!ga_kernel_call(f, xi, x));
    MESSAGE(GA_ERR_SHAPE, "no operand gives the result a shape");
    ga_ufunc_free(f);
    f = ga_elementwise_kernel("raw T x", "raw T z", "z[i] = x[i]", "nothing");
    T_CHECK(ga_kernel_into(f, x, z) == GA_ERR_SHAPE);
    MESSAGE(GA_ERR_SHAPE, "all arrays are raw");
    ga_ufunc_free(f);

    /* an output that is read, overlaps an operand, is of another dtype */
    f = ga_elementwise_kernel("T x", "T z", "if (x > 2) z += x", "plus_some");
    T_CHECK(!ga_kernel_into(f, ga_reshape(x, GA_SHAPE(6)), z));
    float some[6] = {6, 5, 7, 7, 7, 7};
    t_same(z, GA_FLOAT32, GA_SHAPE(6), some);
    ga_ufunc_free(f);
    f = ga_elementwise_kernel("T x", "T z", "z = x", "moved");
    T_CHECK(!ga_kernel_into(f, ga_slice(z, ":-1"), ga_slice(z, "1:")));
    float moved[6] = {6, 6, 5, 7, 7, 7};
    t_same(z, GA_FLOAT32, GA_SHAPE(6), moved);
    /* a raw operand that is the output as well holds what it held */
    ga_ufunc *g = ga_elementwise_kernel("T x, raw T w", "T z",
                                        "z = x * 0 + w[w.size() - 1 - i]",
                                        "mirrored");
    T_CHECK(!ga_kernel_into(g, z, z, z));
    float mirrored[6] = {7, 7, 7, 5, 6, 6};
    t_same(z, GA_FLOAT32, GA_SHAPE(6), mirrored);
    T_CHECK(!ga_kernel_into(g, z, z, z));
    t_same(z, GA_FLOAT32, GA_SHAPE(6), moved);
    ga_ufunc_free(g);
    ga_array *wide = ga_zeros(GA_SHAPE(6), GA_COMPLEX128);
    T_CHECK(!ga_kernel_into(f, z, wide));
    T_CHECK(ga_item(ga_sum(ga_real(wide), GA_ALL)) == 38);
    ga_array *narrow = ga_zeros(GA_SHAPE(6), GA_INT32);
    T_CHECK(ga_kernel_into(f, z, narrow) == GA_ERR_DTYPE);
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(ga_kernel_into(f, x, z) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_kernel_into(f, z, ga_broadcast_to(x, GA_SHAPE(4, 2, 3)))
            == GA_ERR_READONLY);
    T_ERROR(GA_ERR_READONLY);
    g = ga_elementwise_kernel("T x", "int8 y, complex128 z", "y = 1; z = x",
                              "pair");
    const ga_array *huge = ga_broadcast_to(x, GA_SHAPE(1 << 20, 2, 3));
    ga_mem_limit(64 << 20);
    T_CHECK(ga_ufunc_run(g, &huge, 1, out));    /* the second has no room   */
    ga_mem_limit(0);
    ga_clear_error();
    ga_ufunc_free(g);
    ga_array *empty = ga_kernel_call(f, ga_zeros(GA_SHAPE(0, 3), GA_INT8));
    t_is(empty, GA_INT8, GA_SHAPE(0, 3));
    T_CHECK(!ga_kernel_call(f, z, z));
    MESSAGE(GA_ERR_VALUE, "2 arrays and numbers given, it takes 1");
    ga_ufunc_free(f);
    f = ga_elementwise_kernel("T x", "T z", "\n\nz = x +", "wrong");
    T_CHECK(!ga_kernel_call(f, x));
    MESSAGE(GA_ERR_COMPILE, "wrong(");
    ga_ufunc_free(f);
}
/* Halves computed as halves: each pair of the odd ones, with the sign of zeros,
   as the separate calls have it.                                            */
TEST(odd_halves) {
    if (!t_gpu()) return;
    static const double odd[] = {0, -0.0, 1, -3, 65504, -65504, 6e-8, -6e-8,
                                 6.1e-5, INFINITY, -INFINITY, NAN, 1 / 3.0};
    static const struct { const char *text; ga_array *(*f)(const ga_array *,
                                                           const ga_array *); }
        of[] = {{"x + y", (ga_add)}, {"x - y", (ga_subtract)},
                {"x * y", (ga_multiply)}, {"x / y", (ga_divide)},
                {"maximum(x, y)", (ga_maximum)}, {"minimum(x, y)", (ga_minimum)}};
    for (int k = 0; k < 2 * (int)T_COUNT(of); k++) {
        GA_SCOPE;
        ga_array *v = ga_astype(ga_asarray(odd, GA_SHAPE(13)),
                                k % 2 ? GA_BFLOAT16 : GA_FLOAT16);
        ga_array *x = ga_repeat(v, 13, GA_AXIS(0)), *y = ga_tile(v, GA_SHAPE(13));
        ga_expr *e = ga_expr_compile(of[k / 2].text, "x, y");
        T_CHECK(!ga_expr_jit(e));
        ga_array *z = GA_EXPR_RUN(e, x, y), *w = of[k / 2].f(x, y);
        t_context("%s, %s", of[k / 2].text, ga_dtype_name(v->dtype));
        t_same_arrays(z, w, 0);
        t_same_arrays(GA_EVAL(copysign(1.0, where(z == z, z, 1)), z),
                      GA_EVAL(copysign(1.0, where(w == w, w, 1)), w), 0);
        ga_expr_free(e);
    }
    t_context("%s", "");
}
/* Functions of every half, which go by forms for 11 bits. */
TEST(functions_of_halves) {
    static const struct { const char *text;
                          ga_array *(*f)(const ga_array *); } of[] = {
        {"sqrt(x)", (ga_sqrt)}, {"exp(x)", (ga_exp)}, {"exp2(x)", (ga_exp2)},
        {"expm1(x)", (ga_expm1)}, {"log(x)", (ga_log)}, {"log2(x)", (ga_log2)},
        {"log10(x)", (ga_log10)}, {"log1p(x)", (ga_log1p)}, {"sin(x)", (ga_sin)},
        {"cos(x)", (ga_cos)}, {"tanh(x)", (ga_tanh)}, {"erf(x)", (ga_erf)},
        {"sigmoid(x)", (ga_sigmoid)}};
    static uint16_t bits[65536];
    if (!t_gpu()) return;
    for (int i = 0; i < 65536; i++) bits[i] = (uint16_t)i;
    for (int k = 0; k < 2 * (int)T_COUNT(of); k++) {
        GA_SCOPE;
        ga_array *x = ga_asarray_as(bits, k % 2 ? GA_BFLOAT16 : GA_FLOAT16,
                                    GA_SHAPE(65536));
        ga_expr *e = ga_expr_compile(of[k / 2].text, "x");
        T_CHECK(!ga_expr_jit(e));
        t_context("%s, %s", of[k / 2].text, ga_dtype_name(x->dtype));
        t_same_arrays(GA_EXPR_RUN(e, x), of[k / 2].f(x), 1);
        ga_expr_free(e);
    }
    t_context("%s", "");
}
TEST(reductions) {
    if (!t_gpu()) return;
    ga_ufunc *f = ga_reduction_kernel("T x, T y", "float64 z", "x * y", "a + b",
                                      "z = sqrt(a)", "0", "norm2");
    ga_ufunc *most = ga_reduction_kernel("T x", "T z", "x", "a > b ? a : b",
                                         NULL, NULL, "most");
    ga_ufunc *at = ga_reduction_kernel("T x", "int64 z", "x * 0 + i", "a + b",
                                       NULL, "0", "places");
    static const ga_shape shapes[] = {
        {1, {1000003}}, {2, {1000, 7}}, {2, {7, 100000}}, {2, {5000, 300}},
        {3, {40, 30, 20}}, {4, {3, 4, 5, 6}}, {1, {1}}, {2, {1, 9}}};
    for (size_t k = 0; k < T_COUNT(shapes); k++) {
        if (t_quick() && k > 2 && k < 6) continue;
        GA_SCOPE;
        ga_array *x = t_random_array(GA_FLOAT64, shapes[k], -5, 5);
        for (int axis = -1; axis < x->ndim; axis++) {
            GA_SCOPE;
            t_context("shape %s, axis %d", t_shape_text(x->ndim, x->shape),
                      axis);
            ga_axis a = axis < 0 ? GA_ALL : GA_AXIS(axis);
            t_same_arrays(ga_kernel_reduce(f, a, x, x),
                          ga_sqrt(ga_sum(ga_mul(x, x), a)), 64);
            t_same_arrays(ga_kernel_reduce(most, a, x), ga_max(x, a), 0);
            ga_array *xt = ga_transpose(x, GA_ALL);
            t_same_arrays(ga_kernel_reduce(most, a, xt), ga_max(xt, a), 0);
            ga_array *back = ga_slice_axis(x, 0, GA_END, GA_END, -1);
            a.keepdims = true;
            t_same_arrays(ga_kernel_reduce(most, a, back), ga_max(back, a), 0);
            ga_array *n = ga_reshape(ga_arange(0, x->size, 1), ga_shape_of(x));
            t_same_arrays(ga_kernel_reduce(at, a, n), ga_sum(n, a), 0);
        }
        t_context("%s", "");
    }
    /* accesses of several elements, along rows and down columns            */
    ga_ufunc *dots = ga_reduction_kernel("T x, T y", "float64 z",
                                         "(double)x * (double)y", "a + b",
                                         NULL, "0", "dots");
    static const ga_dtype types[] = {GA_FLOAT16, GA_UINT8, GA_FLOAT32,
                                     GA_INT16, GA_BFLOAT16};
    static const ga_shape even[] = {{2, {96, 4096}}, {2, {4096, 16}},
                                    {3, {64, 8, 40}}, {2, {3, 100008}},
                                    {3, {16, 500, 24}}};
    for (int t = 0; t < (int)(T_COUNT(types) * T_COUNT(even)); t++) {
        GA_SCOPE;
        const ga_dtype type = types[t / (int)T_COUNT(even)];
        const ga_shape shape = even[t % (int)T_COUNT(even)];
        ga_array *x = t_random_array(type, shape, 0, 4), *y[3];
        y[0] = t_random_array(type, shape, 0, 4);
        y[1] = ga_slice_axis(y[0], shape.ndim - 1, 0, 1, 1);
        y[2] = ga_slice_axis(y[0], 0, 0, 1, 1);
        for (int axis = -1; axis < x->ndim; axis++)
            for (int k = 0; k < 3; k++) {
                GA_SCOPE;
                t_context("%s %s, axis %d, %d", ga_dtype_name(type),
                          t_shape_text(x->ndim, x->shape), axis, k);
                ga_axis a = axis < 0 ? GA_ALL : GA_AXIS(axis);
                ga_array *product = ga_mul(ga_astype(x, GA_FLOAT64),
                                           ga_astype(y[k], GA_FLOAT64));
                t_same_arrays(ga_kernel_reduce(dots, a, x, y[k]),
                              ga_sum(product, a), 64);
                t_same_arrays(ga_kernel_reduce(most, a, x), ga_max(x, a), 0);
            }
        t_context("%s", "");
    }
    ga_ufunc_free(dots);
    GA_SCOPE;
    ga_array *h = ga_ones(GA_SHAPE(70000), GA_FLOAT16), *none, *z;
    ga_ufunc *sum = ga_reduction_kernel("T x", "T z", "x", "a + b",
                                        "z = a / _n", "0", "average");
    T_CHECK(ga_item(ga_kernel_reduce(sum, GA_ALL, h)) == 1);
    none = ga_zeros(GA_SHAPE(0, 3), GA_FLOAT32);
    z = ga_kernel_reduce(f, GA_AXIS(0), none, none);
    t_is(z, GA_FLOAT64, GA_SHAPE(3));
    T_CHECK(ga_item(ga_sum(z, GA_ALL)) == 0);
    T_CHECK(!ga_kernel_reduce(most, GA_AXIS(0), none));
    MESSAGE(GA_ERR_EMPTY, "most has no identity");
    z = ga_zeros(GA_SCALAR_SHAPE, GA_FLOAT32);
    T_CHECK(!ga_kernel_reduce_into(most, z, GA_ALL, ga_arange(0, 9, 1))
            || ga_error() == GA_ERR_DTYPE);
    ga_clear_error();
    T_CHECK(!ga_kernel_reduce_into(most, z, GA_ALL, ga_astype(h, GA_FLOAT32)));
    T_CHECK(ga_item(z) == 1);
    T_CHECK(!ga_kernel_reduce(most, GA_AXIS(2), h));
    T_ERROR(GA_ERR_AXIS);
    ga_ufunc_free(f);
    ga_ufunc_free(most);
    ga_ufunc_free(at);
    ga_ufunc_free(sum);
}
TEST(vectorized_functions) {
    if (!t_gpu()) return;
    GA_SCOPE;
    ga_ufunc *f = ga_vectorize("template <class T>\nT clipped(T x, T lo) {\n"
                               "    return x < lo ? lo : x;\n}\n", "clipped");
    ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(50, 3), -5, 5);
    t_same_arrays(ga_kernel_call(f, x, -1.5), ga_maximum(x, -1.5), 0);
    ga_array *n = ga_reshape(ga_arange(-9, 6, 1), GA_SHAPE(5, 3));
    t_same_arrays(ga_kernel_call(f, n, 2), ga_maximum(n, 2), 0);
    T_CHECK(!ga_kernel_call(f, x, n));          /* float and int64: no T    */
    T_ERROR(GA_ERR_COMPILE);
    ga_array *out = ga_empty_like(x);
    T_CHECK(!ga_kernel_into(f, x, 0, out));
    t_same_arrays(out, ga_maximum(x, 0), 0);
    const ga__variant *made = atomic_load(&f->variants);
    T_CHECK(!ga_kernel_into(f, x, 0, out) && made == atomic_load(&f->variants));
    ga_ufunc_free(f);
    f = ga_vectorize("static bool inside(double x, double y) {\n"
                     "    return x * x + y * y < 1;\n}", "inside");
    ga_array *y = ga_slice(x, "0");
    t_same_arrays(ga_kernel_call(f, x, y),
                  ga_less(ga_add(ga_square(ga_astype(x, GA_FLOAT64)),
                                 ga_square(ga_astype(y, GA_FLOAT64))), 1), 0);
    ga_ufunc_free(f);
    f = ga_vectorize("int f(int x) { return }", "f");
    T_CHECK(!ga_kernel_call(f, n));
    MESSAGE(GA_ERR_COMPILE, "f(1): error");
    ga_ufunc_free(f);
}

/* --------------------------------------------------- compiled expressions */
/* without differences, which would enlarge what rounds otherwise */
static const char *const t_texts[] = {
    "cos(x)**2 + sin(x)**2", "1.05 * where(x > 0, x, 1.67*exp(x) + 1.67)",
    "x*y + x/y - 3", "float16(x) * 2 + bfloat16(y)", "int8(x*40) + int16(y)",
    "(x < y) & (x != 2) | ~(y >= 1)", "x > 0 && y < 2 || !(x == y)",
    "clip(x, -1, y) + maximum(x, y) - fmin(x, 0.5)",
    "floor_divide(x, y) + x % y - fmod(x, y)",
    "floor_divide(int32(x*9), int32(y*3)) % 5",
    "(int64(x*9) << 3) ^ (int64(y) >> 1) & 255", "int32(x)**3 + x**2.5",
    "sigmoid(x) * tanh(y) * erf(x) * lgamma(absolute(y) + 3)",
    "arctan2(x, y) * hypot(x, y) * copysign(x, y) * rint(x)",
    "complex64(x) * (y + 2i) - conj(complex64(y) * 1i)",
    "absolute(complex128(x) + 1i) + angle(complex64(y))",
    "isnan(x / (y - y)) + isfinite(x) + signbit(y)",
    "sign(x) + heaviside(x, y)",
    "uint8(absolute(x)) + uint64(absolute(y)) * bitwise_count(int32(y))",
    "sum(absolute(x)*y)", "sum((x - y)**2, axis=1)",
    "mean(absolute(x) + y, axis=0)",
    "max(x*2) + min(y)", "all(x < 9) + any(y > 4, axis=0)",
    "sin(x) + cos(float32(x))", "float32(x) + bfloat16(float16(y*x))",
    "prod(x/3 + 1, axis=-1)", "sum(int32(x*3))", "mean(int16(x*9), axis=1)",
    "sum(complex64(absolute(x)) + 1i*y)", "x + row*2", "row - y[0]*0"};

/* Every program that the CPU's plans hold, flat and general, for sm_90. */
TEST(expressions_compile) {
    if (!t_nvrtc()) return;
    GA_DEVICE(GA_CPU);
    setenv("GPUARR_CACHE_DIR", "", 1);
    for (size_t i = 0; i < T_COUNT(t_texts) - 1; i += t_quick() ? 5 : 1) {
        GA_SCOPE;
        t_context("%s", t_texts[i]);
        ga_expr *e = ga_expr_compile(t_texts[i], "x, y, row");
        const ga_array *x[3] = {ga_ones(GA_SHAPE(4, 8), GA_FLOAT32),
                                ga_ones(GA_SHAPE(4, 8), GA_FLOAT32),
                                ga_ones(GA_SHAPE(8), GA_FLOAT64)};
        if (i & 1) x[0] = ga_ones(GA_SHAPE(4, 8), GA_FLOAT16);
        ga__e_plan *plan = e ? ga__e_plan_for("t", e, &ga__cpu_backend, false,
                                               NULL, x)
                             : NULL;
        T_CHECKF(plan != NULL, "%s", ga_error_message());
        ga__jit j;
        memset(&j, 0, sizeof j);
        for (int k = 0; plan && k < plan->nparts; k++) {
            const ga__e_part *part = &plan->part[k];
            for (int q = 0; q < part->count; q++) {
                const ga__e_piece *piece = plan->piece[part->first + q];
                ga__eval v;
                memset(&v, 0, sizeof v);
                v.step = piece->step;
                v.nsteps = piece->nsteps;
                v.nin = piece->narrays;
                v.nout = piece->nout;
                v.nconst = piece->nconst;
                v.nred = part->red >= 0 && q == part->count - 1;
                v.red[0] = (unsigned char)part->red;
                memcpy(v.result, piece->result, sizeof v.result);
                for (int a = 0; a < v.nin; a++)
                    v.in[a].dtype = piece->array[a] < 3
                                    ? x[piece->array[a]]->dtype
                                    : plan->type[piece->array[a]];
                const ga__jit_program *p = ga__jit_find("t", &j, &v);
                T_CHECK(p && p == ga__jit_find("t", &j, &v));
                T_CHECKF(p && p->f, "not in the table");
                /* flat, any, rows; accesses of a row, elements, of columns */
                for (int form = 0; p && p->f && form < 3; form++) {
                    ga__kshape s;
                    ga__text t = {NULL, 0, 0, false};
                    const char *names[2] = {"expression_kernel",
                                            "expression_join"};
                    memset(&s, 0, sizeof s);
                    s.nin = (unsigned char)p->f->nin;
                    s.nop = (unsigned char)(s.nin + v.nout - v.nred);
                    s.vec = !form || (form == 2 && v.nred) ? 2 : 1;
                    s.row = form < 2 ? 0 : v.nred ? 1 : 4;
                    s.nkeep = form ? 2 : (unsigned char)v.nred;
                    s.nred = (unsigned char)v.nred;
                    s.result = (unsigned char)p->f->p[s.nin].type;
                    for (int o = 0; o < s.nop; o++) {
                        s.kind[o] = o >= v.nin && o < s.nin ? GA__A_NUMBER
                                    : GA__A_ARRAY;
                        s.type[o] = s.stored[o]
                            = (unsigned char)p->f->p[o].type;
                    }
                    if (!v.nred) ga__gen_map(&t, p->f, &s);
                    else ga__gen_reduction(&t, p->f, &s);
                    ga__source src = {"t", "expression", t.s, p->f->options,
                                      names, 1 + v.nred};
                    if (!ga__code_get(&src, 90)) {
                        t_bad("%s\n%s", ga_error_message(), t.s);
                        ga_clear_error();
                    }
                    GA_FREE(t.s);
                }
            }
        }
        for (ga__jit_program *p = j.programs, *next; p; p = next) {
            next = p->next;
            ga_ufunc_free(p->f);
            GA_FREE(p);
        }
        ga__e_plan_free(plan);
        ga_expr_free(e);
    }
    t_context("%s", "");
    setenv("GPUARR_CACHE_DIR", t_dir, 1);
    ga_expr *e = ga_expr_compile("x + sinc(x)", "x");
    ga_status st = ga_expr_jit(e);
    T_CHECK(st == GA_ERR_UNSUPPORTED);
    MESSAGE(GA_ERR_UNSUPPORTED, "sinc is the library's alone");
    ga_expr_free(e);
    T_CHECK(ga_expr_jit(NULL) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    if (t_on_gpu()) return;
    e = ga_expr_compile("x + 1", "x");
    T_CHECK(ga_expr_jit(e));
    ga_clear_error();
    ga_expr_free(e);
}
TEST(expressions_run) {
    if (!t_gpu()) return;
    static const ga_dtype types[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16,
                                     GA_INT16};
    for (size_t i = 0; i < T_COUNT(t_texts) - 1; i++)
        for (size_t t = 0; t < T_COUNT(types); t++) {
            GA_SCOPE;
            if (t_quick() && (i + t) % 7) continue;
            t_context("%s, x %s", t_texts[i], ga_dtype_name(types[t]));
            ga_expr *e = ga_expr_compile(t_texts[i], "x, y, row");
            ga_array *base = t_random_array(types[t], GA_SHAPE(40, 64), -4, 4);
            ga_array *row = t_random_array(GA_FLOAT64, GA_SHAPE(32), -4, 4);
            ga_array *y = t_random_array(GA_FLOAT32, GA_SHAPE(40, 32), 0.5, 4);
            const ga_array *x[3] = {ga_slice(base, ":, :32"), y, row}, *w[3];
            memcpy(w, x, sizeof w);
            w[0] = ga_slice(base, "::-1, 1::2");
            ga_array *want = ga_expr_run(e, x, 3);
            ga_array *again = ga_expr_run(e, w, 3);
            if (!want || !again) {  /* not an expression of these types     */
                ga_clear_error();
                ga_expr_free(e);
                continue;
            }
            T_CHECK(!ga_expr_jit(e));
            bool sums = strstr(t_texts[i], "sum") || strstr(t_texts[i], "mean")
                        || strstr(t_texts[i], "prod");
            double ulps = sums ? 64 : 4;        /* of float32: y is that    */
            if (want->dtype == GA_FLOAT64 || want->dtype == GA_COMPLEX128)
                ulps *= 0x1p29;
            else if (types[t] == GA_FLOAT16)        /* of functions of x    */
                ulps *= 0x1p13;
            t_same_arrays(ga_expr_run(e, x, 3), want, ulps);
            t_same_arrays(ga_expr_run(e, w, 3), again, ulps);
            ga_expr_free(e);
        }
}

/* A kernel whose accesses have one element: each thread has one, not all that
   follow; 2^22 took half a minute.                                         */
TEST(one_element_a_thread) {
    if (!t_gpu()) return;
    GA_SCOPE;
    const time_t start = time(NULL);
    const ga_array *z = t_random_array(GA_COMPLEX128, GA_SHAPE(1 << 22), -2, 2);
    const ga_array *odd = ga_slice(t_random_array(GA_FLOAT32,
                                                  GA_SHAPE((1 << 22) + 1), -2, 2),
                                   "1:");
    const ga_array *of[] = {z, odd};
    for (int i = 0; i < 2; i++) {
        ga_expr *e = ga_expr_compile("x*x + x", "x");
        ga_array *want = GA_EXPR_RUN(e, of[i]);
        T_CHECK(!ga_expr_jit(e));
        t_same_arrays(GA_EXPR_RUN(e, of[i]), want, 4);
        ga_expr_free(e);
    }
    ga_synchronize();
    T_CHECKF(time(NULL) - start < 10, "%d s", (int)(time(NULL) - start));
}
/* ------------------------------------------------------ in the background
   Runs e until it goes the compiled way: at most half a minute.            */
static bool t_becomes_compiled(ga_expr *e, const ga_array *x) {
    for (const time_t end = time(NULL) + 30; time(NULL) < end;) {
        char *way = GA_EXPR_DESCRIBE(e, x);
        bool compiled = way && strstr(way, "compiled at run time");
        free(way);
        if (compiled) return true;
        ga_synchronize();
    }
    return false;
}
/* A program of n rows, which takes the compiler a while. */
static ga_expr *t_long_expression(int n, int salt) {
    char text[4096];
    int k = snprintf(text, sizeof text, "x + %d", salt);
    for (int i = 0; i < n; i++)
        k += snprintf(text + k, sizeof text - (size_t)k, " + sin(x*%d)", i + 2);
    return ga_expr_compile(text, "x");
}
TEST(expressions_in_the_background) {
    if (!t_gpu()) return;
    GA_SCOPE;
    T_CHECK(ga_jit((ga_jit_mode)7) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    setenv("GPUARR_CACHE_DIR", "", 1);
    ga_array *x = t_random_array(GA_FLOAT32, GA_SHAPE(1 << 22), -4, 4);
    ga_expr *e = ga_expr_compile("exp(-x*x) * 2 + x", "x");
    ga_array *want = GA_EXPR_RUN(e, x);
    T_CHECK(!ga_jit(GA_JIT_AUTO));
    T_CHECK(t_becomes_compiled(e, x));
    t_same_arrays(GA_EXPR_RUN(e, x), want, 4);
    /* one more layout, a reduction                                          */
    const ga_array *every = ga_slice(x, "::2");
    T_CHECK(t_becomes_compiled(e, every));
    t_same_arrays(GA_EXPR_RUN(e, every), ga_slice(want, "::2"), 4);
    ga_expr_free(e);
    e = ga_expr_compile("sum(x*x + 1)", "x");
    want = GA_EXPR_RUN(e, x);
    T_CHECK(t_becomes_compiled(e, x));
    t_same_arrays(GA_EXPR_RUN(e, x), want, 4);
    ga_expr_free(e);
    /* what only the library has stays with the interpreter                  */
    e = ga_expr_compile("sinc(x) + 1", "x");
    for (int i = 0; i < 400; i++) ga_free(GA_EXPR_RUN(e, x));
    char *way = GA_EXPR_DESCRIBE(e, x);
    t_has(way, "the library's alone");
    free(way);
    ga_expr_free(e);
    /* freed while they are compiled                                         */
    for (int i = 0; i < 6; i++) {
        e = t_long_expression(8, i);
        for (int k = 0; k < 100; k++) ga_free(GA_EXPR_RUN(e, x));
        ga_expr_free(e);
    }
    T_CHECK(!ga_jit(GA_JIT_OFF));
    e = ga_expr_compile("x*3 + 4", "x");
    for (int i = 0; i < 400; i++) ga_free(GA_EXPR_RUN(e, x));
    way = GA_EXPR_DESCRIBE(e, x);
    t_has(way, "the interpreter");
    free(way);
    ga_expr_free(e);
    ga_synchronize();
    while (ga__a.first || ga__a.busy) ga_free(ga_copy(x));  /* its scratch   */
    setenv("GPUARR_CACHE_DIR", t_dir, 1);
}
static int t_compile_and_go(bool forks) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(1 << 22), GA_FLOAT32);
    ga_expr *e = t_long_expression(8, 1);
    for (int i = 0; i < 100; i++) ga_free(GA_EXPR_RUN(e, x));
    int status = 0;
    if (forks) {
        pid_t pid = fork();
        if (!pid) _exit(ga__a.runs || ga__a.first);
        if (waitpid(pid, &status, 0) != pid) status = 1;
        if (!t_becomes_compiled(e, x)) status = 2;
    }
    ga_expr_free(e);
    return status || ga_error();
}
static int t_exits(void) { return t_compile_and_go(false); }
static int t_forks(void) { return t_compile_and_go(true); }
static const t_case t_cases[] = {{"exits", t_exits}, {"forks", t_forks}};
TEST(exit_and_fork_in_the_background) {
    if (!t_gpu() || t_checked()) return;
    int rc = T_CHILD("exits", "GPUARR_JIT=1", "GPUARR_CACHE_DIR=");
    T_CHECKF(!rc, "exit status %d: %s", rc, t_said);
    rc = T_CHILD("forks", "GPUARR_JIT=1", "GPUARR_CACHE_DIR=");
    T_CHECKF(!rc, "exit status %d: %s", rc, t_said);
}

int main(int argc, char **argv) {
    if (argc > 1) return t_is_child(argv[1], t_cases, T_COUNT(t_cases));
    snprintf(t_dir, sizeof t_dir, "/tmp/gpuarr-test-cache-%ld", (long)getpid());
    setenv("GPUARR_CACHE_DIR", t_dir, 1);
    const struct CMUnitTest tests[] = {
        T(without_a_device_a_message), T(parameter_lists),
        T(files_are_kept_checked_and_limited), T(several_writers_at_once),
        T(sources_and_their_errors), T(generated_sources_compile),
        T(types_of_parameters), T(kernels_run),
        T(modules_templates_and_structs), T(streams_are_ordered), T(in_graphs),
        T(elementwise_all_types_and_layouts), T(elementwise_forms),
        T(odd_halves), T(functions_of_halves), T(reductions),
        T(vectorized_functions), T(expressions_compile),
        T(expressions_run), T(one_element_a_thread),
        T(expressions_in_the_background),
        T(exit_and_fork_in_the_background)};
    int failed = T_RUN("rtc", tests);
    t_clean();
    remove(t_dir);
    return failed;
}
