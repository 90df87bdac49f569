/* Memory: what ga_mem_info counts, limits, running out, pinned and
   asynchronous copies.                                                     */
#define _POSIX_C_SOURCE 200809L
#include "test.h"
#include "child.h"

static ga_memory now(void) {
    ga_memory m;
    memset(&m, 0, sizeof m);
    T_CHECK(ga_mem_info(ga_device(), &m) == GA_OK);
    return m;
}
static size_t used(void) { return now().used - t_me.used; }

TEST(info_counts_buffers) {
    GA_SCOPE;
    ga_memory m = now();
    T_CHECK(m.total > 0 && m.free > 0 && m.free <= m.total);
    T_CHECK(m.limit == 0);
    ga_array *x = ga_zeros(GA_SHAPE(100, 10), GA_FLOAT64);
    T_CHECK(used() == 8000);
    ga_array *v = ga_slice(x, "::2");           /* views use none           */
    ga_array *e = ga_zeros(GA_SHAPE(0, 5), GA_FLOAT64);
    ga_array *b = ga_broadcast_to(x, GA_SHAPE(7, 100, 10));
    T_CHECK(v && e && b && used() == 8000);
    ga_array *w = ga_wrap(&m, GA_UINT8, GA_SHAPE(8), NULL, GA_CPU, NULL, NULL);
    T_CHECK(w && used() == 8000);               /* nor wrapped memory       */
    ga_array *y = ga_add(x, 1);
    T_CHECK(y && used() == 16000);
    ga_array *s = ga_sum(y, GA_ALL);            /* temporaries are gone     */
    T_CHECK(s && used() == 16008);
    T_CHECK(now().reserved >= now().used);
    ga_free(x);
    T_CHECK(used() == 16008);                   /* its views are left       */
    ga_free(v);
    ga_free(b);
    T_CHECK(used() == 8008);
    /* the other devices' figures are their own */
    ga_memory cpu;
    T_CHECK(ga_mem_info(GA_CPU, &cpu) == GA_OK);
    if (t_on_gpu()) T_CHECK(cpu.used == 0);
}

TEST(peak_never_falls) {
    GA_SCOPE;
    size_t n = 3u << 20;
    size_t before = now().peak, base = now().used;
    T_CHECK(before >= base);
    ga_array *x = ga_empty(GA_SHAPE((int64_t)n), GA_UINT8);
    size_t with = now().peak;
    T_CHECK(with >= base + n && with >= before);
    ga_free(x);
    T_CHECK(now().used == base && now().peak == with);
    ga_array *y = ga_empty(GA_SHAPE((int64_t)n / 2), GA_UINT8);
    T_CHECK(now().peak == with);
    ga_free(y);
    ga_array *z = ga_empty(GA_SHAPE((int64_t)(with - base) + 1000), GA_UINT8);
    T_CHECK(now().peak == with + 1000);
    ga_free(z);
}

/* The call must be refused for the limit, with these figures. */
#define OVER(call, op, asked, limit)                                        \
    do {                                                                    \
        char want_[200];                                                    \
        size_t used_ = now().used, peak_ = now().peak;                      \
        snprintf(want_, sizeof want_, op ": %zu bytes asked with %zu in "   \
                 "use: over the limit of %zu on device %d; %lld array",     \
                 (size_t)(asked), used_, (size_t)(limit), ga_device(),      \
                 (long long)ga_live_arrays());                              \
        T_CHECK(!(call));                                                   \
        T_CHECKF(!strncmp(ga_error_message(), want_, strlen(want_)),        \
                 "line %d: \"%s\", not \"%s\"", __LINE__,                   \
                 ga_error_message(), want_);                                \
        T_ERROR(GA_ERR_MEM_LIMIT);                                          \
        T_CHECK(now().used == used_ && now().peak == peak_);                \
    } while (0)

TEST(limit) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(1000), GA_FLOAT32);
    size_t limit = now().used + 1000;
    T_CHECK(ga_mem_limit(limit) == GA_OK);
    T_CHECK(now().limit == limit);
    ga_array *y = ga_empty(GA_SHAPE(1000), GA_INT8);    /* to the last byte */
    T_CHECK(y && now().used == limit);
    OVER(ga_empty(GA_SHAPE(1), GA_INT8), "ga_empty", 1, limit);
    OVER(ga_zeros(GA_SHAPE(3), GA_COMPLEX128), "ga_zeros", 48, limit);
    OVER(ga_add(x, 1), "ga_add", 4000, limit);
    ga_array *t = ga_transpose(ga_reshape(x, GA_SHAPE(10, 100)), GA_ALL);
    OVER(ga_copy(t), "ga_copy", 4000, limit);
    OVER(ga_ravel(t), "ga_ravel", 4000, limit);
    OVER(ga_reshape(t, GA_SHAPE(1000)), "ga_reshape", 4000, limit);
    OVER(ga_ascontiguousarray(t), "ga_ascontiguousarray", 4000, limit);
    OVER(ga_asnumpy(t, NULL), "ga_asnumpy", 4000, limit);
    OVER(ga_imag(t), "ga_imag", 4000, limit);
    OVER(ga_identity(100, GA_INT8), "ga_identity", 10000, limit);
    OVER(ga_geomspace(1, 2, 1000), "ga_geomspace", 8000, limit);
    float host[1000] = {0};
    OVER(ga_asarray(host, GA_SHAPE(1000)), "ga_asarray", 4000, limit);
    T_CHECK(ga_view(x) && ga_zeros(GA_SHAPE(0), GA_INT8));  /* no memory    */
    T_CHECK(ga_add_into(x, x, 1) == GA_OK);                 /* nor here     */
    T_CHECK(ga_item_at(x, GA_INDEX(999)) == 2);
    /* an overlap takes a temporary: refused, the output as it was */
    ga_array *head = ga_slice(x, ":-1"), *tail = ga_slice(x, "1:");
    T_CHECK(ga_multiply_into(head, tail, 5) == GA_ERR_MEM_LIMIT);
    T_ERROR(GA_ERR_MEM_LIMIT);
    T_CHECK(ga_item(ga_slice(x, "0")) == 2);
    ga_free(y);
    T_CHECK(ga_multiply_into(head, 3, 5) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    y = ga_empty(GA_SHAPE(500), GA_INT8);
    T_CHECK(y != NULL);
    T_CHECK(ga_mem_limit(100) == GA_OK);        /* below what is in use     */
    OVER(ga_empty(GA_SHAPE(1), GA_INT8), "ga_empty", 1, 100);
    T_CHECK(ga_mem_limit(0) == GA_OK);
    T_CHECK(now().limit == 0);
    T_CHECK(ga_add(x, 1) != NULL);
}
/* A limit is one device's. */
TEST(limit_of_one_device) {
    if (!t_on_gpu()) {
        print_message("    skipped: no GPU\n");
        skip();
    }
    GA_SCOPE;
    ga_mem_limit(1);
    {
        GA_DEVICE(GA_CPU);
        T_CHECK(now().limit == 0);
        T_CHECK(ga_zeros(GA_SHAPE(100), GA_INT8) != NULL);
    }
    T_CHECK(ga_zeros(GA_SHAPE(100), GA_INT8) == NULL);
    T_ERROR(GA_ERR_MEM_LIMIT);
    ga_mem_limit(0);
}

TEST(trim_gives_back) {
    GA_SCOPE;
    ga_array *keep = ga_ones(GA_SHAPE(1000), GA_FLOAT32);
    /* far above the driver's granularity: `keep` pins the chunk it lies in */
    int64_t big = t_on_gpu() ? 512 << 20 : 16 << 20;
    for (int i = 0; i < 5; i++) ga_free(ga_zeros(GA_SHAPE(big), GA_UINT8));
    size_t held = now().reserved;
    T_CHECK(ga_mem_trim() == GA_OK);
    size_t left = now().reserved;
    T_CHECK(left <= held && left >= now().used);
    if (t_on_gpu()) T_CHECK(left + (256 << 20) < held);
    T_CHECK(ga_item(ga_sum(keep, GA_ALL)) == 1000);
    T_CHECK(ga_mem_trim() == GA_OK && ga_mem_trim() == GA_OK);
    T_CHECK(ga_ones(GA_SHAPE(16 << 20), GA_UINT8) != NULL);
}

/* The CPU keeps what is freed, within bounds, but not from a checker. */
static size_t kept(void) { return now().reserved - now().used; }
static ga_array *block(int64_t bytes) {
    return ga_zeros(GA_SHAPE(bytes), GA_UINT8);
}
TEST(freed_blocks_are_kept) {
    if (t_on_gpu() || t_checked()) {
        print_message("    skipped: the CPU's, and not under a checker\n");
        skip();
    }
    const int64_t M = 1 << 20;
    ga_mem_trim();
    T_CHECK(kept() == 0);
    ga_array *x = block(M), *small = block(100);
    void *p = x->data;
    ga_free(x);
    ga_free(small);                     /* malloc's own: not kept           */
    T_CHECKF(kept() == (size_t)M, "%zu kept", kept());
    small = block(M / 2);               /* neither far smaller ...          */
    ga_array *large = block(M + 1);     /* ... nor larger                   */
    x = block(M - M / 9);
    T_CHECK(small->data != p && large->data != p && x->data == p);
    T_CHECK(kept() == 0);
    ga_free(x);
    ga_free(small);
    ga_free(large);
    T_CHECK(kept() > (size_t)(2 * M + M / 2));
    /* 400 MB freed in pieces, then a size that was never seen */
    ga_array *many[400];
    for (int i = 0; i < 400; i++) many[i] = ga_empty(GA_SHAPE(M), GA_UINT8);
    for (int i = 0; i < 400; i++) ga_free(many[i]);
    T_CHECK(kept() > (size_t)(100 * M) && kept() <= (size_t)(256 * M));
    ga_free(ga_empty(GA_SHAPE(100 * M), GA_UINT8));
    T_CHECK(kept() >= (size_t)(100 * M) && kept() <= (size_t)(256 * M));
    ga_free(ga_empty(GA_SHAPE(1000 * M), GA_UINT8));
    T_CHECK(kept() <= (size_t)(256 * M));
    T_CHECK(ga_mem_trim() == GA_OK && kept() == 0);
}
TEST(what_is_kept_counts_against_the_limit) {
    if (t_on_gpu()) {
        print_message("    skipped: the CPU's\n");
        skip();
    }
    const int64_t M = 1 << 20;
    size_t limit = now().used + (size_t)(10 * M);
    ga_free(block(8 * M));
    ga_mem_limit(limit);
    for (int64_t n = 1; n <= 10; n++) { /* each of another size             */
        ga_array *x = block(n * M);
        T_CHECK(x && now().reserved <= limit);
        ga_array *y = n < 5 ? block(n * M) : NULL;
        T_CHECK(now().reserved <= limit);
        ga_free(x);
        T_CHECK(now().reserved <= limit);
        ga_free(y);
        T_CHECK(now().reserved <= limit);
    }
    ga_mem_limit(0);
}
static int keeps(void) {
    ga_set_device(GA_CPU);
    ga_free(block(1 << 20));
    ga_memory m;
    return ga_mem_info(GA_CPU, &m) ? 99 : m.reserved > m.used;
}
TEST(nothing_is_kept_under_valgrind) {
    T_CHECK(T_CHILD("keeps", "LD_PRELOAD=") == !t_checked());
    T_CHECK(T_CHILD("keeps", "LD_PRELOAD=/none/vgpreload_core.so") == 0);
}

/* More than any machine has: an error with figures, and life goes on. */
TEST(absurd_sizes) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(10), GA_FLOAT32);
    const int64_t n = INT64_C(1) << 59;
    ga_status st = t_on_gpu() ? GA_ERR_DEVICE_MEMORY : GA_ERR_HOST_MEMORY;
    char want[300];
    size_t in_use = now().used, peak = now().peak;
    T_CHECK(ga_empty(GA_SHAPE(n), GA_FLOAT32) == NULL);
    if (t_on_gpu())
        snprintf(want, sizeof want, "ga_empty: 2305843009213693952 bytes asked "
                 "on device %d: arrays use %zu, free are ", ga_device(),
                 in_use);
    else
        snprintf(want, sizeof want, "ga_empty: 2305843009213693952 bytes asked"
                 "; arrays on the CPU use %zu", in_use);
    T_CHECKF(!strncmp(ga_error_message(), want, strlen(want)), "\"%s\", not "
             "\"%s\"", ga_error_message(), want);
    T_ERROR(st);
    T_CHECK(now().used == in_use && now().peak == peak);
    T_CHECK(ga_zeros(GA_SHAPE(n), GA_INT8) == NULL);
    T_ERROR(st);
    ga_array *wide = ga_broadcast_to(ga_slice(x, ":1"), GA_SHAPE(n));
    T_CHECK(ga_add(wide, 1) == NULL);
    T_ERROR(st);
    T_CHECK(ga_copy(wide) == NULL);
    T_ERROR(st);
    T_CHECK(ga_arange(0, n, 1) == NULL);
    T_ERROR(st);
    T_CHECK(ga_asnumpy(wide, NULL) == NULL);
    T_CHECK(ga_error() == st || ga_error() == GA_ERR_HOST_MEMORY);
    ga_clear_error();
    T_CHECK(ga_item(ga_sum(x, GA_ALL)) == 10);
}

/* On a GPU: fill it, fail, free, and take other sizes from what was freed. */
TEST(a_full_gpu_recovers) {
    if (!t_on_gpu() || t_quick()) {
        print_message("    skipped: no GPU, or a quick run\n");
        skip();
    }
    ga_array *x[4096];
    int n = 0;
    const int64_t block = INT64_C(1) << 30;
    while (n < 4096 && (x[n] = ga_empty(GA_SHAPE(block), GA_UINT8))) n++;
    T_ERROR(GA_ERR_DEVICE_MEMORY);
    T_CHECK(n > 0 && n < 4096);
    T_CHECK(ga_add(x[0], 1) == NULL);
    T_ERROR(GA_ERR_DEVICE_MEMORY);
    for (int i = 0; i < n; i++) ga_free(x[i]);
    /* the pool holds n pieces: one of three quarters needs them given back */
    ga_array *big = ga_empty(GA_SHAPE(n * (block / 4) * 3), GA_UINT8);
    T_CHECK(big != NULL);
    ga_free(big);
    T_CHECK(ga_mem_trim() == GA_OK);
}

TEST(pinned_memory) {
    enum { N = 10000 };
    GA_SCOPE;
    float *up = (float *)ga_pinned_alloc(N * sizeof *up);
    float *down = (float *)ga_pinned_alloc(N * sizeof *down);
    assert_non_null(up);
    assert_non_null(down);
    T_CHECK((uintptr_t)up % 64 == 0 && (uintptr_t)down % 64 == 0);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N; i++) up[i] = (float)(i + round);
        ga_array *x = ga_asarray_async(up, GA_FLOAT32, GA_SHAPE(N));
        ga_array *y = ga_mul(x, 2);
        T_CHECK(ga_asnumpy_async(y, down) == down);
        T_CHECK(ga_stream_synchronize(NULL) == GA_OK);
        int bad = 0;
        for (int i = 0; i < N; i++) bad += down[i] != 2 * (float)(i + round);
        T_CHECK(bad == 0);
    }
    /* a strided array arrives in C order */
    ga_array *m = ga_reshape(ga_asarray(up, GA_SHAPE(N)), GA_SHAPE(100, 100));
    T_CHECK(ga_asnumpy_async(ga_transpose(m, GA_ALL), down) == down);
    ga_synchronize();
    T_CHECK(down[1] == up[100] && down[100] == up[1]);
    ga_pinned_free(up);
    ga_pinned_free(down);
    void *p = ga_pinned_alloc(0);
    T_CHECK(p != NULL || ga_error() == GA_OK);
    ga_pinned_free(p);
    ga_pinned_free(NULL);
    T_CHECK(ga_pinned_alloc(SIZE_MAX) == NULL);
    T_ERROR(GA_ERR_HOST_MEMORY);
    T_CHECK(ga_pinned_alloc(SIZE_MAX / 2) == NULL);
    T_CHECK(strstr(ga_error_message(), "ga_pinned_alloc: ")
            == ga_error_message());
    T_ERROR(GA_ERR_HOST_MEMORY);
}
/* Pinned on one device, freed under another. */
TEST(pinned_memory_across_devices) {
    void *p = ga_pinned_alloc(1000);
    memset(p, 1, 1000);
    {
        GA_DEVICE(GA_CPU);
        void *q = ga_pinned_alloc(1000);
        memset(q, 1, 1000);
        ga_pinned_free(p);
        p = q;
    }
    ga_pinned_free(p);
}

/* Host copies of every size around the staging's, pageable; the source may be
   scribbled on once the call is back.                                      */
TEST(host_copies_of_many_sizes) {
    const size_t size[] = {1, 15, 4096, (1 << 20) - 1, 1 << 20, (1 << 20) + 1,
                           (4 << 20) + 4095, 13 << 20, 52428803};
    for (size_t k = 0; k < T_COUNT(size); k++) {
        size_t n = size[k];
        if (t_quick() && n > 5 << 20) continue;
        GA_SCOPE;
        unsigned char *h = (unsigned char *)malloc(n);
        assert_non_null(h);
        for (size_t i = 0; i < n; i++) h[i] = (unsigned char)(i * 7 + i / 251);
        ga_array *x = ga_asarray(h, GA_SHAPE((int64_t)n));
        memset(h, 0xcc, n);
        ga_array *y = ga_bitwise_xor(x, 1);
        memset(h, 0xee, n);
        T_CHECK(ga_asnumpy(y, h) == h);
        size_t bad = 0;
        for (size_t i = 0; i < n; i++)
            bad += h[i] != ((unsigned char)(i * 7 + i / 251) ^ 1);
        T_CHECKF(bad == 0, "%zu of %zu bytes wrong", bad, n);
        free(h);
    }
}
TEST(asnumpy_into_a_block_of_its_own) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(0, 6, 1, GA_INT16);
    int16_t *h = (int16_t *)ga_asnumpy(ga_transpose(ga_reshape(x,
                                       GA_SHAPE(2, 3)), GA_ALL), NULL);
    const int16_t want[] = {0, 3, 1, 4, 2, 5};
    T_CHECK(h && !memcmp(h, want, sizeof want));
    free(h);
    void *p = ga_asnumpy(ga_zeros(GA_SHAPE(0), GA_INT8), NULL);
    T_CHECK(p != NULL);                 /* no elements is no failure        */
    free(p);
    T_CHECK(ga_asarray((const float *)NULL, GA_SHAPE(3, 0)) != NULL);
}

/* ---------------------------------------------------- GPUARR_MEM_LIMIT */
static int show_limit(void) {
    ga_memory m;
    if (ga_mem_info(ga_device(), &m)) return 3;
    printf("limit %zu\n", m.limit);
    GA_SCOPE;
    return ga_zeros(GA_SHAPE(100000), GA_INT8) ? 0 : (int)ga_error();
}
TEST(limit_of_the_environment) {
    static const struct { const char *set; const char *says; int code; } c[] = {
        {"GPUARR_MEM_LIMIT=", "limit 0\n", 0},
        {"GPUARR_MEM_LIMIT=0", "limit 0\n", 0},
        {"GPUARR_MEM_LIMIT=99999", "limit 99999\n", GA_ERR_MEM_LIMIT},
        {"GPUARR_MEM_LIMIT=100000", "limit 100000\n", 0},
        {"GPUARR_MEM_LIMIT=64K", "limit 65536\n", GA_ERR_MEM_LIMIT},
        {"GPUARR_MEM_LIMIT=1.5M", "limit 1572864\n", 0},
        {"GPUARR_MEM_LIMIT=2g", "limit 2147483648\n", 0},
        {"GPUARR_MEM_LIMIT=much", "GPUARR_MEM_LIMIT=much is not a number of "
                                  "bytes and is ignored\n", 0},
        {"GPUARR_MEM_LIMIT=-5", "GPUARR_MEM_LIMIT=-5 is not a number", 0},
        {"GPUARR_MEM_LIMIT=64Kb", "GPUARR_MEM_LIMIT=64Kb is not a number", 0},
        {"GPUARR_MEM_LIMIT=nan", "GPUARR_MEM_LIMIT=nan is not a number", 0},
        {"GPUARR_MEM_LIMIT=1e300", "GPUARR_MEM_LIMIT=1e300 is not a number", 0},
    };
    for (size_t i = 0; i < T_COUNT(c); i++) {
        int got = T_CHILD("limit", c[i].set);
        T_CHECKF(got == c[i].code, "%s: exit status %d", c[i].set, got);
        T_CHECKF(strstr(t_said, c[i].says), "%s: said \"%s\"", c[i].set,
                 t_said);
    }
}

int main(int argc, char **argv) {
    static const t_case cases[] = {{"limit", show_limit}, {"keeps", keeps}};
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(info_counts_buffers), T(peak_never_falls), T(limit),
        T(limit_of_one_device), T(trim_gives_back),
        T(freed_blocks_are_kept), T(what_is_kept_counts_against_the_limit),
        T(nothing_is_kept_under_valgrind), T(absurd_sizes),
        T(a_full_gpu_recovers), T(pinned_memory),
        T(pinned_memory_across_devices), T(host_copies_of_many_sizes),
        T(asnumpy_into_a_block_of_its_own), T(limit_of_the_environment),
    };
    return T_RUN("memory", tests);
}
