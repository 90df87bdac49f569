/* golden.h - reads the files that golden/make_golden.py writes.

   A file is a sequence of records: one line "name dtype ndim d0 d1 ...", then
   the elements in C order, little endian, then a newline. dtype is NumPy's
   name, "bfloat16", or "text" (one axis, bytes).                            */
#ifndef GPUARR_GOLDEN_H
#define GPUARR_GOLDEN_H
#include "test.h"

typedef struct g_record {
    const char *name;
    ga_dtype dtype;                 /* GA_NUM_DTYPES: text                  */
    ga_shape shape;
    int64_t size;
    void *data;                     /* malloc'ed; a text ends with a 0      */
} g_record;
static g_record *g_records;
static size_t g_count, g_cap, g_last;

static void g_fail(const char *what, const char *which) {
    fprintf(stderr, "golden: %s: %s\n", what, which);
    exit(2);
}
/* Beside this file, wherever the tests are started. */
static FILE *g_open(const char *file) {
    const char *here = __FILE__, *slash = strrchr(here, '/');
    int n = slash ? (int)(slash - here + 1) : 0;
    const char *dir[] = {"", "tests/", "../tests/", "../"};
    char path[600];
    for (size_t i = 0; i < T_COUNT(dir); i++) {
        snprintf(path, sizeof path, "%.*s%sgolden/%s", i ? 0 : n, here, dir[i],
                 file);
        FILE *f = fopen(path, "rb");
        if (f) return f;
    }
    g_fail("cannot open", file);
    return NULL;
}
static ga_dtype g_dtype(const char *name) {
    int t = 0;
    while (t < GA_NUM_DTYPES && strcmp(name, ga_dtype_name((ga_dtype)t))) t++;
    return (ga_dtype)t;
}
/* All records of golden/<file>. */
static void g_load(const char *file) {
    FILE *f = g_open(file);
    char line[400], name[200], dtype[20];
    while (fgets(line, sizeof line, f)) {
        g_record r;
        int at = 0, more = 0;
        memset(&r, 0, sizeof r);
        r.size = 1;
        if (sscanf(line, "%199s %19s %d%n", name, dtype, &r.shape.ndim, &at)
            != 3) g_fail("malformed line", line);
        for (int i = 0; i < r.shape.ndim; i++, at += more) {
            long long d;
            if (sscanf(line + at, "%lld%n", &d, &more) != 1)
                g_fail("malformed line", line);
            r.shape.dim[i] = d;
            r.size *= d;
        }
        r.dtype = g_dtype(dtype);
        size_t bytes = (size_t)r.size * (r.dtype == GA_NUM_DTYPES ? 1
                       : ga_dtype_size(r.dtype));
        char *copy = (char *)malloc(strlen(name) + 1), *data;
        r.data = data = (char *)malloc(bytes + 1);
        if (!copy || !data) g_fail("out of memory", name);
        r.name = strcpy(copy, name);
        if (fread(data, 1, bytes, f) != bytes || fgetc(f) != '\n')
            g_fail("cut short", name);
        data[bytes] = 0;
        if (g_count == g_cap) {
            g_cap = g_cap ? 2 * g_cap : 1024;
            g_records = (g_record *)realloc(g_records,
                                            g_cap * sizeof *g_records);
            if (!g_records) g_fail("out of memory", name);
        }
        g_records[g_count++] = r;
    }
    fclose(f);
}
/* The record of this name or NULL; a search from the last one found on. */
static const g_record *g_find(const char *fmt, ...) GA__PRINTF(1, 2);
static const g_record *g_find(const char *fmt, ...) {
    char name[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    for (size_t k = 0; k < g_count; k++) {
        size_t i = (g_last + k) % g_count;
        if (!strcmp(g_records[i].name, name)) {
            g_last = i;
            return &g_records[i];
        }
    }
    return NULL;
}
static GA__UNUSED void g_free(void) {
    for (size_t i = 0; i < g_count; i++) {
        free((void *)(uintptr_t)g_records[i].name);
        free(g_records[i].data);
    }
    free(g_records);
    g_records = NULL;
    g_count = g_cap = g_last = 0;
}
#endif /* GPUARR_GOLDEN_H */
