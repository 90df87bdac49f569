/* libFuzzer: Matrix Market files. What is loaded is the same after saving it. */
#include "fuzz.h"
#include "gpuarr_sparse.h"
static bool same(const ga_array *x, const ga_array *y) {
    void *a = ga_asnumpy(x, NULL), *b = ga_asnumpy(y, NULL);
    size_t bytes = (size_t)x->size * ga_dtype_size(x->dtype);
    bool nan = ga_item(ga_sum(ga_astype(ga_isnan(x), GA_INT64), GA_ALL)) != 0;
    bool equal = a && b && x->size == y->size
                 && (nan || !memcmp(a, b, bytes));
    free(a);
    free(b);
    return equal;
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    /* half of the inputs begin behind a header that is right */
    static const char head[] = "%%MatrixMarket matrix coordinate real general\n";
    char path[64], again[64];
    if (size < 1 || size > 1 << 16) return 0;
    const bool whole = data[0] & 1;
    size_t before = whole ? 0 : sizeof head - 1;
    uint8_t *text = (uint8_t *)malloc(before + size);
    MUST(text);
    memcpy(text, head, before);
    memcpy(text + before, data + 1, size - 1);
    ga_mem_limit((size_t)64 << 20);     /* lengths are the file's to say    */
    int64_t live = ga_live_arrays();
    {
        GA_SCOPE;
        int fd = memory(text, before + size - 1, path);
        ga_sparse *a = ga_sparse_load_mtx(path);
        MUST(!a == (ga_error() != GA_OK));
        MUST(a || ga_error() == GA_ERR_FILE_FORMAT
             || ga_error() == GA_ERR_MEM_LIMIT || ga_error() == GA_ERR_SIZE
             || ga_error() == GA_ERR_DEVICE_MEMORY
             || ga_error() == GA_ERR_HOST_MEMORY);
        ga_clear_error();
        if (a && a->nnz) {
            int out = memory(data, 0, again);
            MUST(ga_sparse_save_mtx(again, a) == GA_OK);
            ga_sparse *b = ga_sparse_load_mtx(again);
            MUST(b && b->shape[0] == a->shape[0] && b->shape[1] == a->shape[1]);
            MUST(same(a->data, b->data) && same(a->indices, b->indices)
                 && same(a->indptr, b->indptr));
            close(out);
        }
        close(fd);
    }
    free(text);
    MUST(ga_live_arrays() == live && ga_error() == GA_OK);
    return 0;
}
