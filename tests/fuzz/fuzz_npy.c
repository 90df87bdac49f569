/* libFuzzer: .npy files, to the header's parser, as a file and through a pipe.
   What can be read must be the same both ways, and again after saving it.  */
#include "fuzz.h"
static ga_array *from_pipe(const uint8_t *data, size_t size) {
    int fd[2];
    if (size > 60000) return NULL;      /* what a pipe holds                */
    MUST(pipe(fd) == 0);
    MUST(write(fd[1], data, size) == (ssize_t)size);
    close(fd[1]);
    ga__io io = {fdopen(fd[0], "rb"), NULL};
    MUST(io.f);
    ga_array *x = ga__npy_load(&io, "ga_load_npy: pipe");
    fclose(io.f);
    return x;
}
static void same(const ga_array *x, const ga_array *y) {
    MUST(x->ndim == y->ndim && x->size == y->size && x->dtype == y->dtype);
    MUST(!memcmp(x->shape, y->shape, sizeof x->shape));
    size_t bytes = (size_t)x->size * ga_dtype_size(x->dtype);
    void *a = ga_asnumpy(x, NULL), *b = ga_asnumpy(y, NULL);
    MUST(a && b && !memcmp(a, b, bytes));
    free(a);
    free(b);
}
static void parse(const uint8_t *data, size_t size) {
    ga__npy_header h;
    uint8_t *exact = (uint8_t *)malloc(size ? size : 1);    /* for ASan     */
    MUST(exact);
    memcpy(exact, data, size);
    ga_status st = ga__npy_parse("ga_load_npy", exact, size, &h);
    if (st) {
        MUST(st == GA_ERR_FILE_FORMAT && ga_error() == st);
        MUST(!strncmp(ga_error_message(), "ga_load_npy: ", 13));
        ga_clear_error();
    } else {
        MUST(h.ndim >= 0 && h.ndim <= GA_MAX_NDIM && h.offset <= size);
        MUST(ga__is_dtype(h.dtype) && h.size >= 0);
        int64_t n = 1, lim = INT64_MAX / (int64_t)ga_dtype_size(h.dtype);
        for (int i = 0; i < h.ndim; i++) MUST(h.shape[i] >= 0);
        for (int i = 0; i < h.ndim; i++) if (!h.shape[i]) n = 0;
        for (int i = 0; i < h.ndim && n; i++) {
            MUST(h.shape[i] <= lim / n);
            n *= h.shape[i];
        }
        MUST(n == h.size);
    }
    free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64], again[64];
    if (size > 1 << 20) return 0;
    int64_t live = ga_live_arrays();
    parse(data, size);
    {
        GA_SCOPE;
        int fd = memory(data, size, path);
        ga_array *x = ga_load_npy(path);
        ga_status st = ga_error();
        MUST(!x == (st != GA_OK));
        MUST(x || st == GA_ERR_FILE_FORMAT);
        ga_clear_error();
        if (size <= 60000) {
            ga_array *p = from_pipe(data, size);
            MUST(!p == !x);
            ga_clear_error();
            if (x) same(x, p);
        }
        if (x) {
            MUST((size_t)x->size * ga_dtype_size(x->dtype) <= size);
            int out = memory(data, 0, again);
            MUST(ga_save_npy(again, x) == GA_OK);
            ga_array *y = ga_load_npy(again);
            MUST(y);
            same(x, y);
            close(out);
        }
        close(fd);
    }
    MUST(ga_live_arrays() == live && ga_error() == GA_OK);
    return 0;
}
