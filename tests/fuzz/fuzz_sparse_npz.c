/* libFuzzer: SciPy's archives of sparse matrices. What is loaded is sound, and the
   same after saving it.                                                     */
#include "fuzz.h"
#include "gpuarr_sparse.h"
static bool same(const ga_array *x, const ga_array *y) {
    void *a = ga_asnumpy(x, NULL), *b = ga_asnumpy(y, NULL);
    const size_t bytes = (size_t)x->size * ga_dtype_size(x->dtype);
    const bool equal = a && b && x->size == y->size && x->dtype == y->dtype
                       && !memcmp(a, b, bytes);
    free(a);
    free(b);
    return equal;
}
static bool within(const ga_array *x, int64_t n) {
    return !x->size || (ga_item(ga_min(x, GA_ALL)) >= 0
                        && ga_item(ga_max(x, GA_ALL)) < (double)n);
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64], again[64];
    if (size > 1 << 16) return 0;
    ga_mem_limit((size_t)64 << 20);     /* lengths are the file's to say    */
    const int64_t live = ga_live_arrays();
    {
        GA_SCOPE;
        int fd = memory(data, size, path), out = memory(data, 0, again);
        ga_sparse *a = ga_sparse_load_npz(path);
        MUST(!a == (ga_error() != GA_OK));
        MUST(a || !strncmp(ga_error_message(), "ga_sparse_", 10));
        ga_clear_error();
        if (a) {
            MUST(within(a->indices, a->shape[a->format != GA_CSC]));
            MUST(within(a->indptr, a->format == GA_COO ? a->shape[0] : a->nnz + 1));
            MUST(ga_sparse_save_npz(again, a) == GA_OK);
            ga_sparse *b = ga_sparse_load_npz(again);
            MUST(b && b->format == a->format && b->shape[0] == a->shape[0]
                 && b->shape[1] == a->shape[1]);
            MUST(same(a->data, b->data) && same(a->indices, b->indices)
                 && same(a->indptr, b->indptr));
        }
        close(fd);
        close(out);
    }
    MUST(ga_live_arrays() == live && ga_error() == GA_OK);
    return 0;
}
