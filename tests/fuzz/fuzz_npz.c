/* libFuzzer: .npz archives. What can be loaded is the same by name, and again
   after saving it; a member's size is never believed beyond the file's.     */
#include "fuzz.h"
static void same(const ga_array *x, const ga_array *y) {
    MUST(x && y && x->ndim == y->ndim && x->dtype == y->dtype);
    MUST(!memcmp(x->shape, y->shape, sizeof x->shape));
    void *a = ga_asnumpy(x, NULL), *b = ga_asnumpy(y, NULL);
    MUST(a && b && !memcmp(a, b, (size_t)x->size * ga_dtype_size(x->dtype)));
    free(a);
    free(b);
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64], again[64];
    if (size > 1 << 20) return 0;
    int64_t live = ga_live_arrays(), n = -1, m = -1;
    {
        GA_SCOPE;
        const char **name = NULL;
        ga_array **x = NULL, **y = NULL;
        int fd = memory(data, size, path), out = memory(data, 0, again);
        ga_status st = ga_load_npz(path, &name, &x, &n);
        MUST(st == ga_error());
        if (st) {
            MUST(!name && !x && n == -1 && ga_live_arrays() == live);
            MUST(!strncmp(ga_error_message(), "ga_load_npz: ", 13));
            ga_clear_error();
        } else {
            size_t bytes = 0;
            bool good = true;       /* names that can be written            */
            for (int64_t i = 0; i < n; i++) {
                bytes += (size_t)x[i]->size * ga_dtype_size(x[i]->dtype);
                good &= *name[i] && strlen(name[i]) <= 1000;
                for (int64_t k = 0; k < i; k++)
                    good &= strcmp(name[i], name[k]) != 0;
            }
            MUST(n == 0 || bytes / 1032 / (size_t)n <= size);
            if (good) {
                for (int64_t i = 0; i < n && i < 4; i++)
                    same(x[i], ga_load_npz_array(path, name[i]));
                MUST(ga_save_npz(again, name, x, n, size & 1) == GA_OK);
                MUST(ga_load_npz(again, NULL, &y, &m) == GA_OK && m == n);
                for (int64_t i = 0; i < n; i++) same(x[i], y[i]);
            }
        }
        free(name);
        free(x);
        free(y);
        close(fd);
        close(out);
    }
    MUST(ga_live_arrays() == live && ga_error() == GA_OK);
    return 0;
}
