/* libFuzzer: slice strings on arrays of several shapes. Whatever the text, the
   call answers with a view inside the array's memory, or with an error; and
   ga_slice_axis must cut as Python's slice.indices does.                    */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(c)                                                             \
    do {                                                                    \
        if (!(c)) {                                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, #c);                 \
            abort();                                                        \
        }                                                                   \
    } while (0)

static ga_array *shapes(int k) {
    switch (k) {
    case 0: return ga_arange(0, 12, 1);
    case 1: return ga_reshape(ga_arange(0, 60, 1), GA_SHAPE(3, 4, 5));
    case 2: return ga_transpose(ga_reshape(ga_arange(0, 6, 1),
                                           GA_SHAPE(2, 3)), GA_ALL);
    case 3: return ga_zeros(GA_SHAPE(0, 7), GA_INT64);
    case 4: return ga_zeros(GA_SCALAR_SHAPE, GA_INT64);
    case 5: return ga_flip(ga_arange(0, 5, 1), GA_ALL);
    case 6: return ga_broadcast_to(ga_arange(0, 3, 1),
                                   GA_SHAPE((int64_t)1 << 40, 3));
    default: return ga_ones(GA_SHAPE(1, 2, 1, 2, 1, 2, 1, 2), GA_INT64);
    }
}
enum { SHAPES = 8 };

/* The lowest and the highest byte that x reaches. */
static void extent(const ga_array *x, const char **lo, const char **hi) {
    *lo = *hi = (const char *)x->data;
    for (int i = 0; i < x->ndim; i++) {
        int64_t reach = (x->shape[i] - 1) * x->strides[i] * 8;
        if (reach < 0) *lo += reach;
        else *hi += reach;
    }
}
static void inside(const ga_array *v, const ga_array *x) {
    const char *a, *b, *c, *d;
    int64_t n = 1;
    MUST(v->ndim >= 0 && v->ndim <= GA_MAX_NDIM && v->dtype == x->dtype);
    for (int i = 0; i < v->ndim; i++) MUST(v->shape[i] >= 0);
    for (int i = 0; i < v->ndim; i++) n *= v->shape[i] ? v->shape[i] : 1;
    for (int i = 0; i < v->ndim; i++) if (!v->shape[i]) n = 0;
    MUST(n == v->size && v->size <= x->size);
    if (!v->size) return;
    extent(v, &a, &b);
    extent(x, &c, &d);
    MUST(a >= c && b <= d && (a - c) % 8 == 0);
}

/* Python: len(range(*slice(start, stop, step).indices(n))) and its first. */
static int64_t python(int64_t n, int64_t start, int64_t stop, int64_t step,
                      int64_t *first) {
    bool down = step < 0;
    int64_t lo = down ? -1 : 0, hi = down ? n - 1 : n, a, b;
    if (start == GA_END) a = down ? hi : lo;
    else if (start < 0) a = start < -n + lo ? lo : start + n;
    else a = start > hi ? hi : start;
    if (stop == GA_END) b = down ? lo : hi;
    else if (stop < 0) b = stop < -n + lo ? lo : stop + n;
    else b = stop > hi ? hi : stop;
    if (a < lo) a = lo;
    if (b < lo) b = lo;
    *first = a;
    int64_t count = 0;
    for (int64_t i = a; down ? i > b : i < b; count++) {
        if (down ? step < b - i : step > b - i) return count + 1;
        i += step;
    }
    return count;
}
static void cut(const ga_array *x, const uint8_t *data, size_t size) {
    int64_t v[3] = {0, 0, 1};
    size_t wide = size >= 25 ? 8 : 1;
    for (int k = 0; k < 3 && (size_t)k * wide + wide <= size; k++) {
        if (wide == 8) memcpy(&v[k], data + 8 * k, 8);
        else v[k] = (int8_t)data[k];
        if (wide == 1 && v[k] == 127) v[k] = GA_END;
    }
    ga_array *r = ga_slice_axis(x, -1, v[0], v[1], v[2]);
    if (!r) {
        MUST(v[2] == 0 || x->ndim == 0);
        ga_clear_error();
        return;
    }
    inside(r, x);
    int64_t first, n = python(x->shape[x->ndim - 1], v[0], v[1], v[2], &first);
    MUST(r->shape[r->ndim - 1] == n);
    if (r->size)
        MUST((char *)r->data == (char *)x->data
                                + first * x->strides[x->ndim - 1] * 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ga_array *x[SHAPES];
    char text[2000];
    if (!x[0])
        for (int k = 0; k < SHAPES; k++) {
            GA_SCOPE;
            x[k] = ga_detach(shapes(k));
            MUST(x[k]);
        }
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    int64_t live = ga_live_arrays();
    for (int k = 0; k < SHAPES; k++) {
        GA_SCOPE;
        ga_array *v = ga_slice(x[k], "%s", text);
        if (v) {
            MUST(ga_error() == GA_OK);
            inside(v, x[k]);
            if (v->size == 1) ga_item(v);
        } else {
            ga_status st = ga_error();
            MUST(st == GA_ERR_SYNTAX || st == GA_ERR_INDEX
                 || st == GA_ERR_VALUE || st == GA_ERR_SHAPE);
            MUST(!strncmp(ga_error_message(), "ga_slice: ", 10));
            MUST(strlen(ga_error_message()) < 1000);
            ga_clear_error();
        }
        cut(x[k], data, size);
    }
    MUST(ga_live_arrays() == live && ga_error() == GA_OK);
    return 0;
}
