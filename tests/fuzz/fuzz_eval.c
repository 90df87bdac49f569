/* libFuzzer: the text of an expression, over small operands of several dtypes
   and shapes; the first byte chooses how it is called. Whatever the text, the
   call answers with a result or with an error that says where; asked again it
   answers the same, and so does the text in parentheses.                    */
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

enum { N = 9, LONGEST = 4000 };
static const char names[] = "x, y, f, i, u, b, z, h, n";
static ga_array *operand(int k) {
    ga_array *six = ga_reshape(ga_arange(-2, 4, 1), GA_SHAPE(2, 3));
    switch (k) {
    case 0: return ga_mul(six, 0.5);
    case 1: return ga_transpose(ga_reshape(ga_mul(six, 1.5), GA_SHAPE(3, 2)),
                                GA_ALL);
    case 2: return ga_astype(ga_slice(six, "1"), GA_FLOAT32);
    case 3: return ga_astype(ga_flip(six, GA_ALL), GA_INT32);
    case 4: return ga_full(GA_SHAPE(2, 1), 3, GA_UINT8);
    case 5: return ga_greater(six, 0);
    case 6: return ga_astype(six, GA_COMPLEX64);
    case 7: return ga_astype(six, GA_FLOAT16);
    default: return NULL;           /* a C number                           */
    }
}
static bool same(const ga_array *x, const ga_array *y) {
    if (x->ndim != y->ndim || x->dtype != y->dtype) return false;
    for (int i = 0; i < x->ndim; i++)
        if (x->shape[i] != y->shape[i]) return false;
    x = ga_ascontiguousarray(x);
    y = ga_ascontiguousarray(y);
    MUST(x && y);
    return !x->size || !memcmp(x->data, y->data, (size_t)x->size
                                                 * ga_dtype_size(x->dtype));
}
/* The same operands every time: the text may set them. */
static void fresh(const ga_array **v, ga_array *number) {
    static ga_array *x[N];
    for (int k = 0; k < N - 1; k++) {
        if (!x[k]) {
            GA_SCOPE;
            x[k] = ga_detach(operand(k));
            MUST(x[k]);
        }
        v[k] = ga_copy(x[k]);
        MUST(v[k]);
    }
    v[N - 1] = ga__arg_i(3, number);
}
static ga_array *evaluate(const char *text, int how, const ga_array *const *v) {
    if (how == 1) {
        ga_expr *e = ga_expr_compile(text, names);
        ga_array *r = e ? ga_expr_run(e, v, N) : NULL;
        ga_expr_free(e);
        return r;
    }
    if (how == 2 || how == 3) {     /* into an output, an operand           */
        ga_array *out = how == 2 ? ga_full(GA_SHAPE(2, 3), 7, GA_COMPLEX128)
                                 : (ga_array *)(uintptr_t)v[0];
        MUST(out);
        return ga_eval_into(out, text, names, v, N) ? NULL : out;
    }
    if (how == 5) {                 /* its gradient                         */
        ga_expr *e = ga_expr_compile(text, names);
        ga_expr *g = e ? ga_expr_grad(e, "x") : NULL;
        ga_array *r = g ? ga_expr_run(g, v, N) : NULL;
        ga_expr_free(e);
        ga_expr_free(g);
        return r;
    }
    if (how == 4)                   /* what it sets alone                   */
        return ga_eval_into(NULL, text, names, v, N)
               ? NULL : ga_copy(ga_add(v[0], v[3]));
    return (ga_eval)(text, names, v, N);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[LONGEST + 3];
    if (!size || size > LONGEST) return 0;
    int how = data[0] % 8;
    text[0] = '(';
    memcpy(text + 1, data + 1, size - 1);
    text[size] = 0;
    bool plain = how < 4 && !strpbrk(text, ";=\"") && strlen(text) == size;
    ga_memory m;
    {                               /* operands made once, not counted      */
        GA_SCOPE;
        const ga_array *v[N];
        ga_array number;
        fresh(v, &number);
    }
    int64_t live = ga_live_arrays();
    MUST(ga_mem_info(GA_CPU, &m) == GA_OK);
    size_t used = m.used;
    {
        GA_SCOPE;
        const ga_array *v[N], *w[N];
        ga_array number;
        fresh(v, &number);
        fresh(w, &number);
        ga_mem_limit(used + (1 << 26));
        ga_array *r = evaluate(text + 1, how, v);
        if (r) {
            MUST(ga_error() == GA_OK);
            ga_array *s = evaluate(text + 1, how, w);
            MUST(s && same(r, s));
            if (plain) {
                fresh(w, &number);
                strcat(text, ")");
                s = evaluate(text, how, w);
                /* a reduction may be fused then, and deep is too deep      */
                MUST(s ? r->dtype == s->dtype : ga_error() == GA_ERR_SIZE);
            }
        } else {
            ga_status st = ga_error();
            MUST(st == GA_ERR_SYNTAX || st == GA_ERR_DTYPE
                 || st == GA_ERR_SHAPE || st == GA_ERR_VALUE
                 || st == GA_ERR_AXIS || st == GA_ERR_SIZE
                 || st == GA_ERR_INDEX || st == GA_ERR_EMPTY
                 || st == GA_ERR_MEM_LIMIT || st == GA_ERR_UNSUPPORTED);
            const char *e = ga_error_message();
            MUST(!strncmp(e, "ga_e", 4) && strlen(e) < 1000);
            MUST(st != GA_ERR_SYNTAX || strrchr(e, '^'));
            if (st != GA_ERR_MEM_LIMIT)
                for (int k = 0; k < N - 1; k++)
                    MUST(same(v[k], w[k]));
            ga_clear_error();
            MUST(!evaluate(text + 1, how, w) && ga_error() == st);
        }
        ga_clear_error();
        ga_mem_limit(0);
    }
    MUST(ga_live_arrays() == live);
    MUST(ga_mem_info(GA_CPU, &m) == GA_OK && m.used == used);
    return 0;
}
