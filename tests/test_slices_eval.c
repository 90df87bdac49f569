/* Slices inside expressions: random ones against NumPy's results, what they
   share, slices that are set, bounds that are operands, every error with its
   caret and nothing written.                                                */
#define GPUARR_IMPLEMENTATION
#include "golden.h"

/* u[k] = (37 k) mod 101, v[k] = (53 k) mod 97 */
static ga_array *counted(ga_shape s, int64_t by, int64_t mod, ga_dtype t) {
    int64_t n = t_size(s);
    void *p = t_alloc((size_t)n * ga_dtype_size(t) + 1);
    for (int64_t k = 0; k < n; k++) t_store(p, t, k, (double)(by * k % mod), 0);
    return ga_asarray_as(p, t, s);
}
TEST(as_numpy) {
    g_load("slices.bin");
    for (int k = 0;; k++) {
        GA_SCOPE;
        const g_record *text = g_find("%d/text", k), *out = g_find("%d/out", k);
        if (!text) break;
        const g_record *shape = g_find("%d/shape", k), *ij = g_find("%d/ij", k);
        const int64_t *dim = (const int64_t *)shape->data,
                      *n = (const int64_t *)ij->data;
        ga_shape s = {(int)shape->size, {0}};
        memcpy(s.dim, dim, (size_t)shape->size * 8);
        const char *t = (const char *)text->data;
        bool sets = strchr(t, '=') && !strstr(t, "axis=");
        const char *first = strpbrk(t, "=(");
        sets |= first && *first == '=';
        for (int layout = 0; layout < 4; layout++) {
            t_context("%s, layout %d", t, layout);
            ga_array number[2];
            ga_array *v = t_laid_out(counted(s, 53, 97, GA_INT64), layout);
            const ga_array *x[] = {t_laid_out(counted(s, 37, 101, GA_INT64),
                                              layout * 3 % 4), v,
                                   ga__arg_i(n[0], &number[0]),
                                   ga__arg_i(n[1], &number[1])};
            ga_array *r = v;
            if (!sets) r = (ga_eval)(t, "u, v, i, j", x, 4);
            else T_CHECK(ga_eval_into(NULL, t, "u, v, i, j", x, 4) == GA_OK);
            T_FINE();
            t_same(r, GA_INT64, out->shape, out->data);
        }
        t_release_host();
    }
    g_free();
}

int main(void) {
    const struct CMUnitTest tests[] = {T(as_numpy)};
    return T_RUN("slices_eval", tests);
}
