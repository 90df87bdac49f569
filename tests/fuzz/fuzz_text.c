/* libFuzzer: text files, with options from the first bytes, and numbers against
   strtod in the C locale. What is loaded is the same after saving it.       */
#include "fuzz.h"
/* Decimal numbers alone: strtod knows hexadecimal ones and nan(...) too. */
static void number(const uint8_t *data, size_t size) {
    char *text = (char *)malloc(size + 2), *end;
    MUST(text);
    memcpy(text, data, size);
    text[size] = '\n';
    text[size + 1] = 0;
    double a = 0, b;
    ga__fives_init();
    const char *p = ga__parse_double(text, &a);
    if (p) {
        MUST(p > text && p <= text + size);
        b = strtod(text, &end);
        if (strpbrk(text, "xX(") && end != p) {
            free(text);
            return;
        }
        MUST(end == p);
        MUST((a != a && b != b) || !memcmp(&a, &b, sizeof a));
    }
    free(text);
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const delimiters[] = {NULL, ",", "\t", ";", " "};
    static const char *const comments[] = {NULL, "", "//", "%"};
    char path[64], again[64];
    int columns[3];
    if (size < 8 || size > 1 << 16) return 0;
    number(data + 8, size - 8);
    ga_text how = {.delimiter = delimiters[data[0] % 5],
                   .comments = comments[data[1] % 4], .skip = data[2] % 4,
                   .max_rows = data[3] % 8, .ndmin = data[4] % 3,
                   .ncolumns = data[5] % 4};
    for (int i = 0; i < 3; i++) columns[i] = (data[6] >> 2 * i) % 4 - 1;
    if (how.ncolumns) how.columns = columns;
    ga_dtype t = (ga_dtype)(data[7] % GA_NUM_DTYPES);
    int64_t live = ga_live_arrays();
    {
        GA_SCOPE;
        int fd = memory(data + 8, size - 8, path);
        ga_array *x = ga_loadtxt(path, t, &how);
        MUST(!x == (ga_error() != GA_OK));
        MUST(x || ga_error() == GA_ERR_FILE_FORMAT
             || ga_error() == GA_ERR_INDEX);
        MUST(x || ga_live_arrays() == live);
        ga_clear_error();
        char kind = x ? ga__kind(x->dtype) : 0;
        if (x && x->ndim && x->size) {
            int out = memory(data, 0, again);
            ga_text back = {.ndmin = x->ndim};
            MUST(ga_savetxt(again, x, kind == 'f' || kind == 'c' ? "%.17g"
                                                                 : "%d", NULL)
                 == GA_OK);
            ga_array *y = ga_loadtxt(again, t, &back);
            MUST(y && y->size == x->size);
            void *a = ga_asnumpy(x, NULL), *b = ga_asnumpy(y, NULL);
            size_t bytes = (size_t)x->size * ga_dtype_size(t);
            bool nan = ga_item(ga_sum(ga_astype(ga_isnan(x), GA_INT64), GA_ALL))
                       != 0;
            MUST(a && b && (nan || !memcmp(a, b, bytes)));
            free(a);
            free(b);
            close(out);
        }
        close(fd);
    }
    MUST(ga_live_arrays() == live && ga_error() == GA_OK);
    return 0;
}
