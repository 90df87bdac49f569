/* Devices: what they say of themselves, moving arrays, the current device of a
   thread and a block, GPUARR_DEVICE and GPUARR_SYNC, and machines that lack
   something: no driver, one too old, no GPU, kernels.o of another version, for
   another card or processor. Those are pretended, each in a process of its own. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
    int version, loops, here, probe, count_error, driver;   /* 0: the truth */
} pretend;

/* The linker gives the library these (--wrap, in the Makefile). */
extern int __real_gk_version(void);
int __wrap_gk_version(void);
int __wrap_gk_version(void) {
    return pretend.version ? pretend.version : __real_gk_version();
}
extern int __real_gk_loops_for(int *here);
int __wrap_gk_loops_for(int *here);
int __wrap_gk_loops_for(int *here) {
    if (!pretend.loops) return __real_gk_loops_for(here);
    *here = pretend.here;
    return pretend.loops;
}
#ifndef GPUARR_NO_CUDA
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#include <cuda_runtime_api.h>
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
extern int __real_gk_cuda_probe(void);
int __wrap_gk_cuda_probe(void);
int __wrap_gk_cuda_probe(void) {
    return pretend.probe ? pretend.probe : __real_gk_cuda_probe();
}
extern cudaError_t __real_cudaGetDeviceCount(int *n);
cudaError_t __wrap_cudaGetDeviceCount(int *n);
cudaError_t __wrap_cudaGetDeviceCount(int *n) {
    if (!pretend.count_error) return __real_cudaGetDeviceCount(n);
    *n = 0;
    return pretend.count_error < 0 ? cudaSuccess
                                   : (cudaError_t)pretend.count_error;
}
extern cudaError_t __real_cudaDriverGetVersion(int *v);
cudaError_t __wrap_cudaDriverGetVersion(int *v);
cudaError_t __wrap_cudaDriverGetVersion(int *v) {
    if (!pretend.count_error) return __real_cudaDriverGetVersion(v);
    *v = pretend.driver;
    return cudaSuccess;
}
#endif
#include "test.h"
#include "child.h"

static void no_gpu(void) {
    print_message("    skipped: no GPU\n");
    skip();
}
static ga_array *some(void) {
    return ga_reshape(ga_arange_as(0, 12, 1, GA_FLOAT32), GA_SHAPE(3, 4));
}
static const float counted[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
static const float turned[] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11};

/* ------------------------------------------------------------ information */
TEST(versions) {
    char want[40];
    snprintf(want, sizeof want, "%d.%d.%d", GA_VERSION_MAJOR, GA_VERSION_MINOR,
             GA_VERSION_PATCH);
    T_CHECK(!strcmp(ga_version(), want));
    T_CHECK(__wrap_gk_version() == GA_VERSION);
}
TEST(information) {
    ga_device_properties p;
    int n = ga_device_count();
    T_CHECK(n >= 0 && n <= 64);
    for (int d = GA_CPU; d < n; d++) {
        memset(&p, 0x7f, sizeof p);
        T_CHECK(ga_device_info(d, &p) == GA_OK);
        T_CHECK(p.device == d);
        T_CHECK(memchr(p.name, 0, sizeof p.name) && p.name[0]);
        T_CHECK(p.total_memory > 0 && p.free_memory <= p.total_memory);
        T_CHECK(p.multiprocessors > 0 && p.multiprocessors < 100000);
        T_CHECK(p.warp_size > 0 && p.max_threads_per_block > 0);
        if (d == GA_CPU) {
            T_CHECK(p.major == 0 && p.minor == 0);
            T_CHECK(p.driver_version == 0 && p.runtime_version == 0);
        } else {
            T_CHECK(p.major >= 5 && p.minor >= 0);
            T_CHECK(p.driver_version >= p.runtime_version
                    || p.driver_version / 1000 == p.runtime_version / 1000);
            T_CHECK(p.runtime_version >= 12000 && p.l2_bytes > 0);
        }
    }
}

/* --------------------------------------------------- the current device */
static int leaves(void) {
    GA_DEVICE(GA_CPU);
    return ga_device();
}
TEST(current_device) {
    int here = ga_device();
    {
        GA_DEVICE(GA_CPU);
        T_CHECK(ga_device() == GA_CPU);
        {
            GA_DEVICE(here);
            T_CHECK(ga_device() == here);
        }
        T_CHECK(ga_device() == GA_CPU);
        GA_SCOPE;
        ga_array *x = some();
        T_CHECK(x && x->device == GA_CPU);
        for (int i = 0; i < 3; i++) {
            GA_DEVICE(here);
            if (i == 2) break;
            if (i == 0) continue;
            T_CHECK(ga_device() == here);
        }
        T_CHECK(ga_device() == GA_CPU);
    }
    T_CHECK(ga_device() == here);
    T_CHECK(leaves() == GA_CPU && ga_device() == here);
    T_CHECK(ga_set_device(GA_CPU) == GA_OK && ga_device() == GA_CPU);
    T_CHECK(ga_synchronize() == GA_OK);
    T_CHECK(ga_set_device(here) == GA_OK && ga_device() == here);
    T_CHECK(ga_synchronize() == GA_OK);
}
static void *another_thread(void *arg) {
    int *seen = (int *)arg;
    seen[0] = ga_device();
    ga_set_device(GA_CPU);
    seen[1] = ga_device();
    return NULL;
}
TEST(the_device_is_the_threads) {
    int here = ga_device(), seen[2];
    pthread_t id;
    GA_DEVICE(GA_CPU);
    assert_int_equal(pthread_create(&id, NULL, another_thread, seen), 0);
    pthread_join(id, NULL);
    T_CHECK(seen[0] == here);           /* where threads start              */
    T_CHECK(seen[1] == GA_CPU);
}

/* -------------------------------------------------------- moving arrays */
TEST(to_the_same_device) {
    GA_SCOPE;
    ga_array *x = some(), *v = ga_to_device(x, ga_device());
    T_CHECK(v && v != x && v->data == x->data);     /* a view               */
    ga_add_into(x, x, 1);
    T_CHECK(ga_item_at(v, GA_INDEX(0, 0)) == 1);
}
static void moves(int from, int to) {
    GA_SCOPE;
    ga_array *x, *t, *e, *s;
    {
        GA_DEVICE(from);
        x = some();
        t = ga_transpose(x, GA_ALL);
        e = ga_zeros(GA_SHAPE(0, 3), GA_INT8);
        s = ga_full(GA_SCALAR_SHAPE, 5, GA_INT16);
    }
    int here = ga_device();
    ga_array *y = ga_to_device(x, to);
    T_CHECK(y && y->device == to && ga_is_contiguous(y));
    t_same(y, GA_FLOAT32, GA_SHAPE(3, 4), counted);
    ga_array *u = ga_to_device(t, to);
    T_CHECK(u && u->device == to && ga_is_contiguous(u));
    t_same(u, GA_FLOAT32, GA_SHAPE(4, 3), turned);
    ga_array *w = ga_to_device(ga_slice(x, "::-2, 1:3"), to);
    const float part[] = {9, 10, 1, 2};
    t_same(w, GA_FLOAT32, GA_SHAPE(2, 2), part);
    ga_array *f = ga_to_device(e, to);
    T_CHECK(f && f->size == 0 && f->device == to && f->ndim == 2);
    T_CHECK(ga_item_i64(ga_to_device(s, to)) == 5);
    ga_array *b = ga_to_device(ga_broadcast_to(s, GA_SHAPE(2, 2)), to);
    const int16_t fives[] = {5, 5, 5, 5};
    t_same(b, GA_INT16, GA_SHAPE(2, 2), fives);
    T_CHECK(ga_device() == here);
    /* a copy: neither follows the other */
    {
        GA_DEVICE(from);
        ga_add_into(x, x, 100);
    }
    t_same(y, GA_FLOAT32, GA_SHAPE(3, 4), counted);
    {
        GA_DEVICE(to);
        ga_multiply_into(y, y, 0);
    }
    T_CHECK(ga_item_at(x, GA_INDEX(2, 3)) == 111);
    ga_free(y);
    ga_free(x);
}
/* Large ones, and the source freed or changed as soon as the call is back. */
static void moves_much(int from, int to) {
    const int64_t n = t_quick() ? 100000 : 5000000;
    GA_SCOPE;
    for (int i = 0; i < 3; i++) {
        GA_SCOPE;
        ga_array *x, *y;
        {
            GA_DEVICE(from);
            x = ga_arange_as(0, n, 1, GA_INT64);
            ga_add_into(x, x, i);
            y = ga_to_device(x, to);
            if (i) ga_multiply_into(x, x, -1);
            else ga_free(x);
            ga_full(GA_SHAPE(n), -7, GA_INT64);
        }
        GA_DEVICE(to);
        T_CHECK(ga_item_i64(ga_sum(y, GA_ALL)) == n * (n - 1) / 2 + n * i);
        T_CHECK(ga_item_i64(ga_min(y, GA_ALL)) == i);
    }
}
TEST(to_and_from_the_gpu) {
    if (!ga_device_count()) no_gpu();
    moves(GA_CPU, 0);
    moves(0, GA_CPU);
    moves_much(GA_CPU, 0);
    moves_much(0, GA_CPU);
}
TEST(between_two_gpus) {
    if (ga_device_count() < 2) {
        print_message("    skipped: there are no two GPUs\n");
        skip();
    }
    moves(0, 1);
    moves(1, 0);
    moves_much(0, 1);
    moves_much(1, 0);
    /* on streams of both, one waiting for the other */
    GA_SCOPE;
    ga_stream *s, *t;
    ga_array *x, *y;
    {
        GA_DEVICE(0);
        s = ga_stream_create(0);
        x = ga_zeros(GA_SHAPE(1000000), GA_FLOAT32);
    }
    {
        GA_DEVICE(1);
        t = ga_stream_create(0);
        y = ga_zeros(GA_SHAPE(1000000), GA_FLOAT32);
    }
    for (int i = 0; i < 10; i++) {      /* x and y in turn, ping pong       */
        {
            GA_DEVICE(0);
            GA_STREAM(s);
            ga_add_into(x, x, 1);
        }
        GA_DEVICE(1);
        GA_STREAM(t);
        T_CHECK(ga_assign(y, x) == GA_OK);
        ga_multiply_into(y, y, 2);
        T_CHECK(ga_assign(x, y) == GA_OK);
    }
    T_CHECK(ga_item(ga_slice(x, "-1")) == 2046);
    T_CHECK(ga_item(ga_slice(y, "0")) == 2046);
    ga_stream_destroy(s);
    ga_stream_destroy(t);
    /* an array of the one is refused by operations on the other */
    ga_set_device(0);
    T_CHECK(ga_add(x, y) == NULL);
    T_CHECKF(!strcmp(ga_error_message(), "ga_add: array device must be same as "
                     "the current device: array device = 1 while current = 0"),
             "\"%s\"", ga_error_message());
    T_ERROR(GA_ERR_DEVICE_MISMATCH);
}
/* What only looks at an array works whatever the current device is. */
TEST(views_and_looks_from_anywhere) {
    if (!ga_device_count()) no_gpu();
    GA_SCOPE;
    int there = ga_device() == GA_CPU ? 0 : GA_CPU;
    ga_array *x;
    {
        GA_DEVICE(there);
        x = some();
    }
    int here = ga_device();
    t_same(ga_transpose(x, GA_ALL), GA_FLOAT32, GA_SHAPE(4, 3), turned);
    t_same(ga_ravel(ga_transpose(x, GA_ALL)), GA_FLOAT32, GA_SHAPE(12), turned);
    t_same(ga_slice(x, "::-1, ::-1"), GA_FLOAT32, GA_SHAPE(3, 4),
           (float[]){11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
    T_CHECK(ga_reshape(ga_transpose(x, GA_ALL), GA_SHAPE(12))->device == there);
    T_CHECK(ga_imag(x)->device == there);
    T_CHECK(ga_item_at(x, GA_INDEX(1, 1)) == 5);
    char *text = ga_tostring(ga_slice(x, "1"));
    T_CHECK(text && !strcmp(text, "[4. 5. 6. 7.]"));
    free(text);
    T_CHECK(ga_assign(ga_slice(x, "0"), 9) == GA_OK);
    T_CHECK(ga_assign(ga_slice(x, "1"), ga_ones(GA_SHAPE(4), GA_INT8))
            == GA_OK);
    T_CHECK(ga_item_at(x, GA_INDEX(0, 3)) == 9);
    T_CHECK(ga_item_at(x, GA_INDEX(1, 3)) == 1);
    T_CHECK(ga_device() == here);
    ga_memory m;
    T_CHECK(ga_mem_info(there, &m) == GA_OK && m.used >= 48);
    ga_free(x);
    T_CHECK(ga_device() == here);
}

/* ------------------------------------------------ the environment, by child */
/* Prints what the first calls of a process say. */
static int first_calls(void) {
    int device = ga_device();
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    printf("device %d, array %s\n", device, x ? "made" : "refused");
    if (!x) printf("%s: %s\n", ga_status_name(ga_error()), ga_error_message());
    fflush(stdout);
    ga_clear_error();
    if (x) return ga_item(ga_sum(x, GA_ALL)) == 3 ? 0 : 2;
    /* the CPU is there all the same */
    if (ga_set_device(GA_CPU)) return 3;
    x = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    return x && ga_item(ga_sum(x, GA_ALL)) == 3 ? 0 : 4;
}
static void *says_device(void *arg) {
    *(int *)arg = ga_device();
    return NULL;
}
static int many_threads(void) {
    pthread_t id[8];
    int seen[8];
    for (int i = 0; i < 8; i++)
        if (pthread_create(&id[i], NULL, says_device, &seen[i])) return 2;
    for (int i = 0; i < 8; i++) pthread_join(id[i], NULL);
    for (int i = 1; i < 8; i++)
        if (seen[i] != seen[0]) return 3;
    return first_calls();
}
/* The last child said this. */
#define SAYS(text)                                                          \
    T_CHECKF(strstr(t_said, text), "line %d: no \"%s\" in \"%s\"", __LINE__, \
             text, t_said)
TEST(GPUARR_DEVICE_names_the_first_device) {
    int n = ga_device_count();
    const char *cpu[] = {"GPUARR_DEVICE=cpu", "GPUARR_DEVICE=CPU",
                         "GPUARR_DEVICE=-1"};
    for (size_t i = 0; i < T_COUNT(cpu); i++) {
        T_CHECK(T_CHILD("first", cpu[i]) == 0);
        T_CHECKF(!strcmp(t_said, "device -1, array made\n"), "%s: \"%s\"",
                 cpu[i], t_said);       /* and no note                      */
    }
    T_CHECK(T_CHILD("first", "GPUARR_DEVICE=0") == 0);
    if (n) {
        SAYS("device 0, array made\n");
    } else {
        SAYS("array refused\n");
        SAYS("ga_ones: device 0: ");
        T_CHECK(strstr(t_said, "GA_ERR_NO_GPU") || strstr(t_said,
                "GA_ERR_NO_DRIVER") || strstr(t_said, "GA_ERR_OLD_DRIVER"));
    }
    T_CHECK(T_CHILD("first", "GPUARR_DEVICE=63") == 0);
    SAYS("array refused\n");
    if (n) SAYS("GA_ERR_DEVICE: ga_ones: there is no device 63: CUDA devices "
                "here ");
    const char *bad[] = {"nonsense", "1.5", "0x0", "cpu ", "gpu", "-2", "99999",
                         "9999999999999999999999"};
    for (size_t i = 0; i < T_COUNT(bad); i++) {
        char set[60], want[120];
        snprintf(set, sizeof set, "GPUARR_DEVICE=%s", bad[i]);
        snprintf(want, sizeof want, "GA_ERR_DEVICE: ga_ones: GPUARR_DEVICE=%s "
                 "is neither cpu nor a device's number\n", bad[i]);
        T_CHECK(T_CHILD("first", set) == 0);
        SAYS(want);
    }
}
TEST(without_GPUARR_DEVICE) {
    const char *unset[] = {"GPUARR_DEVICE", "GPUARR_DEVICE="};
    for (size_t i = 0; i < T_COUNT(unset); i++) {
        T_CHECK(T_CHILD("threads", unset[i]) == 0);
        if (ga_device_count()) {
            T_CHECK(!strcmp(t_said, "device 0, array made\n"));
            continue;
        }
        SAYS("device -1, array made\n");
#ifdef GPUARR_NO_CUDA
        T_CHECK(!strcmp(t_said, "device -1, array made\n"));
#else
        const char *note = strstr(t_said, "; using the CPU\n");
        T_CHECKF(note && !strstr(note + 1, "; using the CPU\n"), "not one "
                 "note: \"%s\"", t_said);
        T_CHECK(!strncmp(t_said, "gpuarr: ", 8));
#endif
    }
}
static int synced(void) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(1000), GA_FLOAT32);
    ga_stream *s = ga_stream_create(0);
    GA_STREAM(s);
    for (int i = 0; i < 10; i++) ga_add_into(x, x, 1);
    bool done = ga_stream_query(s);     /* every operation has been awaited */
    bool good = ga_item(ga_sum(x, GA_ALL)) == 11000;
    ga_stream_destroy(s);
    return done && good ? 0 : 1;
}
TEST(GPUARR_SYNC_waits) {
    T_CHECK(T_CHILD("sync", "GPUARR_SYNC=1") == 0);
    T_CHECK(T_CHILD("first", "GPUARR_SYNC=1") == 0);
    T_CHECK(T_CHILD("first", "GPUARR_SYNC=0") == 0);
}

/* ------------------------------------------------------ what may be lacking */
static int of_another_version(void) {
    pretend.version = 10203;
    if (ga_ones(GA_SHAPE(3), GA_INT8)) return 2;
    puts(ga_error_message());
    if (ga_error() != GA_ERR_VERSION) return 3;
    ga_clear_error();
    if (ga_set_device(GA_CPU) != GA_ERR_VERSION) return 4;  /* remembered   */
    return ga_live_arrays() ? 5 : 0;
}
TEST(kernels_of_another_version) {
    T_CHECK(T_CHILD("version", "GPUARR_DEVICE=cpu") == 0);
    char want[120];
    snprintf(want, sizeof want, "ga_ones: gpuarr.h is of version %d, kernels.o "
             "of version 10203: build both from one release\n", GA_VERSION);
    SAYS(want);
}
static int for_another(int loops, int here) {
    pretend.loops = loops;
    pretend.here = here;
    if (ga_ones(GA_SHAPE(3), GA_INT8)) return 2;
    puts(ga_error_message());
    if (ga_error() != GA_ERR_ARCH) return 3;
    ga_clear_error();
    if (ga_set_device(GA_CPU) != GA_ERR_ARCH) return 4;     /* remembered   */
    return ga_live_arrays() ? 5 : 0;
}
static int for_avx2(void) { return for_another(1, 0); }
static int for_avx512(void) { return for_another(2, 1); }
TEST(loops_for_another_processor) {
    int here = -1, loops = __wrap_gk_loops_for(&here);
    T_CHECK(loops >= 0 && loops <= here && here <= 2);
    T_CHECK(T_CHILD("for AVX2", "GPUARR_DEVICE=cpu") == 0);
    SAYS("ga_ones: the loops in kernels.o are for processors with AVX2 and FMA "
         "alone, which this one lacks: build it with make ISA=all\n");
    T_CHECK(T_CHILD("for AVX-512", "GPUARR_DEVICE=cpu") == 0);
    SAYS("ga_ones: the loops in kernels.o are for processors with AVX-512 alone, "
         "which this one lacks: build it with make ISA=all\n");
}
#ifndef GPUARR_NO_CUDA
static int lacking(int error, int driver, ga_status want) {
    pretend.count_error = error;
    pretend.driver = driver;
    if (ga_device_count() != 0) return 2;
    if (ga_device() != GA_CPU) return 3;        /* falls back, with a note  */
    if (ga_set_device(0) != want) return 4;
    fprintf(stderr, "%s\n", ga_error_message());
    ga_clear_error();
    if (ga_set_device(-7) != GA_ERR_DEVICE) return 5;
    ga_clear_error();
    return first_calls();
}
static int no_driver(void) {
    return lacking(cudaErrorInsufficientDriver, 0, GA_ERR_NO_DRIVER);
}
static int stub_driver(void) {
    return lacking(cudaErrorStubLibrary, 0, GA_ERR_NO_DRIVER);
}
static int old_driver(void) {
    return lacking(cudaErrorInsufficientDriver, 11080, GA_ERR_OLD_DRIVER);
}
static int no_device(void) {
    return lacking(cudaErrorNoDevice, 13000, GA_ERR_NO_GPU);
}
static int none_visible(void) { return lacking(-1, 13000, GA_ERR_NO_GPU); }
static int broken_driver(void) {
    return lacking(cudaErrorUnknown, 13000, GA_ERR_CUDA);
}
static int other_card(void) {
    pretend.probe = cudaErrorNoKernelImageForDevice;
    if (ga_ones(GA_SHAPE(3), GA_INT8)) return 2;
    if (ga_error() != GA_ERR_ARCH) return 3;
    puts(ga_error_message());
    ga_clear_error();
    return ga_set_device(GA_CPU) || !ga_ones(GA_SHAPE(3), GA_INT8) ? 4 : 0;
}
/* A kernel that faults: the context is lost, which is said and remembered. */
static int fault(void) {
    GA_SCOPE;
    ga_array *good = ga_ones(GA_SHAPE(1000), GA_FLOAT32);
    ga_array *bad = ga_wrap((void *)(uintptr_t)4096, GA_FLOAT32,
                            GA_SHAPE(1000), NULL, 0, NULL, NULL);
    ga_array *sum = ga_add(bad, good);
    bool at_once = sum == NULL;
    if (ga_synchronize() != GA_ERR_CONTEXT && !at_once) return 2;
    if (ga_error() != GA_ERR_CONTEXT) return 3;
    puts(ga_error_message());
    fflush(stdout);
    ga_clear_error();
    if (!isnan(ga_item_at(good, GA_INDEX(0)))) return 4;
    if (ga_error() != GA_ERR_CONTEXT) return 5;
    ga_clear_error();
    if (ga_asnumpy(good, NULL)) return 6;
    ga_clear_error();
    ga_free(sum);
    ga_free(bad);
    /* the CPU goes on */
    if (ga_set_device(GA_CPU)) ga_clear_error();
    return at_once ? 50 : 40;
}
#endif
TEST(machines_without) {
#ifdef GPUARR_NO_CUDA
    T_CHECK(ga_device_count() == 0);
    T_CHECK(ga_set_device(0) == GA_ERR_NO_GPU);
    T_CHECK(!strcmp(ga_error_message(), "ga_set_device: device 0: this program "
                    "was compiled without CUDA (GPUARR_NO_CUDA)"));
    T_ERROR(GA_ERR_NO_GPU);
#else
    static const struct { const char *name, *text; } c[] = {
        {"no driver", "no CUDA driver is installed"},
        {"stub driver", "no CUDA driver is installed"},
        {"old driver", "the CUDA driver (11.8) is older than the runtime ("},
        {"no device", "no CUDA device is visible"},
        {"none visible", "no CUDA device is visible"},
        {"broken driver", "unknown error"},
    };
    for (size_t i = 0; i < T_COUNT(c); i++) {
        char note[120], text[160];
        int got = T_CHILD(c[i].name, "GPUARR_DEVICE");
        T_CHECKF(got == 0, "%s: exit status %d: %s", c[i].name, got, t_said);
        snprintf(note, sizeof note, "gpuarr: %s", c[i].text);
        snprintf(text, sizeof text, "ga_set_device: device 0: %s", c[i].text);
        SAYS(note);
        SAYS("; using the CPU\n");
        SAYS(text);
        SAYS("device -1, array made\n");
    }
#endif
}
TEST(kernels_for_another_card) {
    if (!ga_device_count()) no_gpu();
    T_CHECK(T_CHILD("other card", "GPUARR_DEVICE=0") == 0);
    SAYS("ga_ones: device 0 has compute capability ");
    SAYS("for which kernels.o holds no code (");
    SAYS("compile kernels.cu with -arch=sm_");
}
TEST(a_kernel_that_faults) {
    if (!ga_device_count() || getenv("GA_TEST_SANITIZER")) {
        print_message("    skipped: no GPU, or under a checker\n");
        skip();
    }
    int got = T_CHILD("fault", "GPUARR_DEVICE=0", "GPUARR_SYNC=0");
    T_CHECKF(got == 40, "exit status %d: %s", got, t_said);
    SAYS("ga_synchronize: cudaError");
    SAYS("an earlier operation faulted (GPUARR_SYNC=1 names it); nothing more "
         "can run there in this process");
    got = T_CHILD("fault", "GPUARR_DEVICE=0", "GPUARR_SYNC=1");
    T_CHECKF(got == 50, "exit status %d: %s", got, t_said);
    SAYS("ga_add: cudaError");
    SAYS("this operation faulted; nothing more can run there in this process");
}

int main(int argc, char **argv) {
    static const t_case cases[] = {
        {"first", first_calls}, {"threads", many_threads}, {"sync", synced},
        {"version", of_another_version}, {"for AVX2", for_avx2},
        {"for AVX-512", for_avx512},
#ifndef GPUARR_NO_CUDA
        {"no driver", no_driver}, {"stub driver", stub_driver},
        {"old driver", old_driver}, {"no device", no_device},
        {"none visible", none_visible}, {"broken driver", broken_driver},
        {"other card", other_card}, {"fault", fault},
#endif
    };
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(versions), T(information), T(current_device),
        T(the_device_is_the_threads), T(to_the_same_device),
        T(to_and_from_the_gpu), T(between_two_gpus),
        T(views_and_looks_from_anywhere),
        T(GPUARR_DEVICE_names_the_first_device), T(without_GPUARR_DEVICE),
        T(GPUARR_SYNC_waits), T(kernels_of_another_version),
        T(loops_for_another_processor),
        T(machines_without), T(kernels_for_another_card),
        T(a_kernel_that_faults),
    };
    return T_RUN("devices", tests);
}
