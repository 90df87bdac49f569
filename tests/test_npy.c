/* .npy files: those NumPy wrote load as they should, ours are NumPy's byte
   for byte, and no malformed one does harm. Files in golden/npy.bin.        */
#define _XOPEN_SOURCE 700
#include "golden.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char path[64];
static void write_file(const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}
static char *read_file(size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    static char buf[1 << 16];
    *n = fread(buf, 1, sizeof buf, f);
    fclose(f);
    return buf;
}

TEST(numpys_files) {
    const g_record *x, *f;
    for (int k = 0; (x = g_find("%d/x", k)) != NULL; k++)
        for (int i = 0; (f = g_find("%d/file/%d", k, i)) != NULL; i++) {
            GA_SCOPE;
            t_context("%s %s, file %d", ga_dtype_name(x->dtype),
                      t_shape_text(x->shape.ndim, x->shape.dim), i);
            write_file(f->data, (size_t)f->size);
            int64_t live = ga_live_arrays();
            ga_array *y = ga_load_npy(path);
            T_CHECK(ga_live_arrays() == live + 1);
            t_same(y, x->dtype, x->shape, x->data);
            T_CHECK(y && y->device == ga_device());
            if (i) continue;
            /* the first is in C order, version 1, little-endian: as ours */
            size_t n = 0;
            T_CHECK(ga_save_npy(path, y) == GA_OK);
            char *got = read_file(&n);
            T_CHECKF(n == (size_t)f->size, "%zu bytes written, NumPy writes "
                     "%lld", n, (long long)f->size);
            T_CHECKF(n == (size_t)f->size && !memcmp(got, f->data, n),
                     "not NumPy's bytes: %.100s", got + 10);
            /* from other layouts of the same elements */
            ga_array *v = ga_transpose(ga_copy(ga_transpose(y, GA_ALL)),
                                       GA_ALL);
            T_CHECK(ga_save_npy(path, v) == GA_OK);
            got = read_file(&n);
            T_CHECK(n == (size_t)f->size && !memcmp(got, f->data, n));
            v = ga_flip(ga_copy(ga_flip(y, GA_ALL)), GA_ALL);
            T_CHECK(ga_save_npy(path, v) == GA_OK);
            got = read_file(&n);
            T_CHECK(n == (size_t)f->size && !memcmp(got, f->data, n));
        }
}
TEST(unusual_headers) {
    static const int32_t want[] = {1, 2, 3, 4, 5, 6};
    static const char *const also[] = {"long", "after"};
    for (int k = 0; k < 20 + (int)T_COUNT(also); k++) {
        GA_SCOPE;
        const g_record *f = k < 20 ? g_find("good/%d", k)
                                   : g_find("good/%s", also[k - 20]);
        if (!f) continue;
        t_context("header %s", (const char *)f->data + 10);
        write_file(f->data, (size_t)f->size);
        t_same(ga_load_npy(path), GA_INT32, GA_SHAPE(2, 3), want);
    }
}
TEST(hostile_files) {
    const g_record *f;
    for (int k = 0; (f = g_find("bad/%d", k)) != NULL; k++) {
        GA_SCOPE;
        t_context("file %d: %.60s", k,
                  f->size > 10 ? (const char *)f->data + 10 : "short");
        write_file(f->data, (size_t)f->size);
        size_t used = t_used();
        int64_t live = ga_live_arrays();
        ga_array *x = ga_load_npy(path);
        T_CHECKF(!x, "loaded");
        T_CHECK(strstr(ga_error_message(), "ga_load_npy") != NULL);
        T_ERROR(GA_ERR_FILE_FORMAT);
        T_CHECK(ga_live_arrays() == live && t_used() == used);
    }
    /* a length of 0 is no excuse for others whose product overflows        */
    static const char large[] = "\x93NUMPY\x01\0\x4c\0{'descr': '<i2', "
        "'fortran_order': False, 'shape': (7392445620511834094, 0)}\n";
    write_file(large, sizeof large - 1);
    T_CHECK(!ga_load_npy(path));
    T_CHECK(strstr(ga_error_message(), "too large") != NULL);
    T_ERROR(GA_ERR_FILE_FORMAT);
    /* every truncation of a good file, and every byte of its header changed */
    f = g_find("good/0");
    char *copy = (char *)t_alloc((size_t)f->size);
    for (int64_t n = 0; n < f->size; n++) {
        t_context("the first %lld bytes", (long long)n);
        write_file(f->data, (size_t)n);
        T_CHECK(!ga_load_npy(path));
        T_ERROR(GA_ERR_FILE_FORMAT);
    }
    for (int64_t i = 0; i < f->size - 24; i++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, f->data, (size_t)f->size);
            copy[i] = (char)(copy[i] ^ 1 << bit);
            write_file(copy, (size_t)f->size);
            ga_array *x = ga_load_npy(path);    /* may be good still */
            T_CHECKF((x != NULL) == (ga_error() == GA_OK),
                     "byte %lld, bit %d", (long long)i, bit);
            ga_clear_error();
            ga_free(x);
        }
}
TEST(bfloat16_files) {
    GA_SCOPE;
    float v[] = {1.5f, -2, 3.25f};
    ga_array *x = ga_astype(ga_asarray(v, GA_SHAPE(3)), GA_BFLOAT16);
    T_CHECK(ga_save_npy(path, x) == GA_OK);
    size_t n = 0;
    char *got = read_file(&n);
    T_CHECK(got && n == 128 + 6 && strstr(got + 10, "'<V2'") != NULL);
    ga_array *y = ga_load_npy(path);
    t_same_arrays(y, x, 0);
    T_CHECK(y && y->dtype == GA_BFLOAT16);
}
TEST(large_files) {
    GA_SCOPE;
    int64_t rows = t_quick() ? 100 : 1100, cols = 1009;
    ga_array *x = ga_reshape(ga_arange_as(0, rows * cols, 1, GA_FLOAT64),
                             GA_SHAPE(rows, cols));
    T_CHECK(ga_save_npy(path, x) == GA_OK);
    t_same_arrays(ga_load_npy(path), x, 0);
    T_CHECK(ga_save_npy(path, ga_transpose(x, GA_ALL)) == GA_OK);
    t_same_arrays(ga_load_npy(path), ga_transpose(x, GA_ALL), 0);
    T_CHECK(ga_save_npy(path, ga_slice(x, "::-1, 1::2")) == GA_OK);
    t_same_arrays(ga_load_npy(path), ga_slice(x, "::-1, 1::2"), 0);
}
TEST(file_errors) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    T_CHECK(!ga_load_npy("/nowhere/at/all.npy"));
    T_CHECK(strstr(ga_error_message(), "/nowhere/at/all.npy") != NULL);
    T_ERROR(GA_ERR_FILE_OPEN);
    T_CHECK(ga_save_npy("/nowhere/at/all.npy", x) == GA_ERR_FILE_OPEN);
    T_CHECK(strstr(ga_error_message(), "/nowhere/at/all.npy") != NULL);
    T_ERROR(GA_ERR_FILE_OPEN);
    T_CHECK(!ga_load_npy("/tmp"));
    T_CHECK(ga_error() == GA_ERR_FILE_OPEN || ga_error() == GA_ERR_FILE_READ);
    ga_clear_error();
    FILE *full = fopen("/dev/full", "wb");
    if (full) {
        fclose(full);
        T_CHECK(ga_save_npy("/dev/full", x) == GA_ERR_FILE_WRITE);
        T_ERROR(GA_ERR_FILE_WRITE);
        T_CHECK(ga_save_npy("/dev/full", ga_ones(GA_SHAPE(100000), GA_INT64))
                == GA_ERR_FILE_WRITE);
        T_ERROR(GA_ERR_FILE_WRITE);
    }
    T_CHECK(!ga_load_npy(NULL));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_save_npy(NULL, x) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_save_npy(path, NULL) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
}

/* A save that fails leaves what was there; one that succeeds replaces it. */
static int files_like(const char *stem) {   /* in its folder                */
    const char *base = strrchr(stem, '/') + 1;
    int n = 0;
    DIR *d = opendir("/tmp");
    for (struct dirent *e; d && (e = readdir(d));)
        n += !strncmp(e->d_name, base, strlen(base));
    if (d) closedir(d);
    return n;
}
TEST(files_are_replaced) {
    GA_SCOPE;
    char link[200], other[200];
    struct stat before, after;
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32), *y = ga_mul(x, 2);
    ga_array *large = ga_zeros(GA_SHAPE(3000, 1000), GA_FLOAT64);
    T_CHECK(ga_save_npy(path, x) == GA_OK && !chmod(path, 0640));
    T_CHECK(!stat(path, &before));
    /* as on a full disk */
    struct rlimit full, was;
    T_CHECK(!getrlimit(RLIMIT_FSIZE, &was));
    full = was;
    full.rlim_cur = 100000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &full);
    T_CHECK(ga_save_npy(path, large) == GA_ERR_FILE_WRITE);
    setrlimit(RLIMIT_FSIZE, &was);
    signal(SIGXFSZ, handler);
    T_ERROR(GA_ERR_FILE_WRITE);
    t_same_arrays(ga_load_npy(path), x, 0);
    T_CHECK(files_like(path) == 1);
    T_CHECK(ga_save_npy(path, y) == GA_OK);
    t_same_arrays(ga_load_npy(path), y, 0);
    T_CHECK(!stat(path, &after) && after.st_mode == before.st_mode);
    T_CHECK(files_like(path) == 1);
    /* links, hard and symbolic, and one to a name that is not there yet */
    snprintf(link, sizeof link, "%s-link", path);
    snprintf(other, sizeof other, "%s-other", path);
    T_CHECK(!symlink(path, link));
    T_CHECK(ga_save_npy(link, x) == GA_OK);
    T_CHECK(!lstat(link, &after) && S_ISLNK(after.st_mode));
    t_same_arrays(ga_load_npy(path), x, 0);
    remove(link);
    T_CHECK(!symlink(other, link) && ga_save_npy(link, y) == GA_OK);
    t_same_arrays(ga_load_npy(other), y, 0);
    remove(link);
    remove(other);
    T_CHECK(!linkat(AT_FDCWD, path, AT_FDCWD, link, 0));
    T_CHECK(ga_save_npy(link, y) == GA_OK);
    t_same_arrays(ga_load_npy(path), y, 0);
    remove(link);
    /* a FIFO, which is read meanwhile */
    T_CHECK(!mkfifo(link, 0600));
    int fd = open(link, O_RDONLY | O_NONBLOCK);
    T_CHECK(ga_save_npy(link, x) == GA_OK);
    char head[6] = "";
    T_CHECK(read(fd, head, 6) == 6 && !memcmp(head, "\x93NUMPY", 6));
    close(fd);
    T_CHECK(!lstat(link, &after) && S_ISFIFO(after.st_mode));
    remove(link);
}
/* Without the right to write to the folder, or to the file. */
TEST(rights_are_kept) {
    if (!geteuid()) {
        print_message("    skipped: root may write anywhere\n");
        skip();
    }
    GA_SCOPE;
    char dir[200], file[220];
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32), *y = ga_mul(x, 2);
    snprintf(dir, sizeof dir, "%s-dir", path);
    snprintf(file, sizeof file, "%s/x.npy", dir);
    T_CHECK(!mkdir(dir, 0700) && ga_save_npy(file, x) == GA_OK);
    T_CHECK(!chmod(dir, 0500) && ga_save_npy(file, y) == GA_OK);
    t_same_arrays(ga_load_npy(file), y, 0);
    T_CHECK(!chmod(dir, 0700) && !chmod(file, 0400));
    T_CHECK(ga_save_npy(file, x) == GA_ERR_FILE_OPEN);
    T_ERROR(GA_ERR_FILE_OPEN);
    t_same_arrays(ga_load_npy(file), y, 0);
    remove(file);
    remove(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(numpys_files), T(unusual_headers), T(hostile_files),
        T(bfloat16_files), T(large_files), T(file_errors),
        T(files_are_replaced), T(rights_are_kept),
    };
    /* a name of this process alone */
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    snprintf(path, sizeof path, "/tmp/gpuarr-test-%llx-%lx.npy",
             (unsigned long long)now.tv_sec, (unsigned long)now.tv_nsec);
    g_load("npy.bin");
    int failed = T_RUN("npy", tests);
    g_free();
    remove(path);
    return failed;
}
