/* libFuzzer: subscripts of einsum, the first byte of each input choosing the
   operands. Whatever the text, the call answers with a result or an error that
   says where; and the operands' order, with the terms', must not matter.     */
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

enum { KINDS = 12, MOST = 12 };
static ga_array *numbers(ga_shape s) {
    int64_t n = 1;
    for (int i = 0; i < s.ndim; i++) n *= s.dim[i];
    return ga_reshape(ga_add(ga_mul(ga_arange(0, n, 1), 3), 1), s);
}
static ga_array *operand(int k) {
    switch (k) {
    case 0: return numbers(GA_SHAPE(2, 2));
    case 1: return numbers(GA_SHAPE(2));
    case 2: return numbers(GA_SCALAR_SHAPE);
    case 3: return numbers(GA_SHAPE(2, 2, 2));
    case 4: return ga_transpose(numbers(GA_SHAPE(2, 2)), GA_ALL);
    case 5: return numbers(GA_SHAPE(1, 2));
    case 6: return numbers(GA_SHAPE(2, 3));
    case 7: return numbers(GA_SHAPE(3, 2, 2));
    case 8: return ga_flip(numbers(GA_SHAPE(2, 2)), GA_ALL);
    case 9: return ga_zeros(GA_SHAPE(2, 0), GA_INT64);
    case 10: return numbers(GA_SHAPE(2, 2, 2, 2, 2, 2, 2, 2));
    default: return ga_broadcast_to(numbers(GA_SHAPE(2)), GA_SHAPE(2, 2));
    }
}

/* The terms the other way round; NULL where there is not one for each. */
static char *reversed(const char *text, int n, char *to) {
    const char *from[MOST], *end = strstr(text, "->");
    int len[MOST], terms = 0;
    if (!end) end = text + strlen(text);
    for (const char *p = text;; p++) {
        if (terms == n) return NULL;
        from[terms] = p;
        while (p < end && *p != ',') p++;
        len[terms] = (int)(p - from[terms]);
        terms++;
        if (p == end) break;
    }
    if (terms != n) return NULL;
    char *q = to;
    while (terms-- > 0) {
        memcpy(q, from[terms], (size_t)len[terms]);
        q += len[terms];
        if (terms) *q++ = ',';
    }
    memcpy(q, end, strlen(end) + 1);
    return to;
}
static bool same(const ga_array *x, const ga_array *y) {
    if (x->ndim != y->ndim || x->dtype != y->dtype) return false;
    for (int i = 0; i < x->ndim; i++)
        if (x->shape[i] != y->shape[i]) return false;
    return !x->size
           || !memcmp(x->data, y->data, (size_t)x->size * sizeof(int64_t));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ga_array *x[KINDS];
    char text[1200], other[1200];
    if (!x[0])
        for (int k = 0; k < KINDS; k++) {
            GA_SCOPE;
            x[k] = ga_detach(operand(k));
            MUST(x[k]);
        }
    if (!size || size > sizeof text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    /* as many operands as there are terms, or what the byte says */
    const ga_array *v[MOST], *w[MOST];
    unsigned pick = data[0];
    int n = 1;
    for (const char *p = text; *p && *p != '-'; p++) n += *p == ',';
    if (pick >= 240 || n > MOST) n = (int)(pick % (MOST + 1));
    for (int i = 0; i < n; i++) {
        v[i] = x[pick < 16 ? 0 : (pick * 7 + (unsigned)i * 5) % KINDS];
        w[n - 1 - i] = v[i];
    }
    int64_t live = ga_live_arrays();
    ga_memory m;
    MUST(ga_mem_info(GA_CPU, &m) == GA_OK);
    size_t used = m.used;
    {
        GA_SCOPE;
        ga_mem_limit(used + (1 << 26));
        ga_array *r = (ga_einsum)(text, n, v);
        if (r) {
            MUST(ga_error() == GA_OK && ga_is_contiguous(r));
            char *t = reversed(text, n, other);
            ga_array *s = t ? (ga_einsum)(t, n, w) : NULL;
            MUST(t);
            MUST(s ? same(r, s) : ga_error() == GA_ERR_MEM_LIMIT);
        } else {
            ga_status st = ga_error();
            MUST(st == GA_ERR_SYNTAX || st == GA_ERR_SHAPE || st == GA_ERR_VALUE
                 || st == GA_ERR_SIZE || st == GA_ERR_MEM_LIMIT);
            MUST(!strncmp(ga_error_message(), "ga_", 3));
            MUST(strlen(ga_error_message()) < 1000);
        }
        ga_clear_error();
        ga_mem_limit(0);
    }
    MUST(ga_live_arrays() == live);
    MUST(ga_mem_info(GA_CPU, &m) == GA_OK && m.used == used);
    return 0;
}
