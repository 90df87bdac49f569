/* rows.h - the operation tables of gpuarr.h as arrays, for loops over them. */
#ifndef GPUARR_ROWS_H
#define GPUARR_ROWS_H
#include "test.h"

typedef ga_array *(*r_unary)(const ga_array *);
typedef ga_array *(*r_binary)(const ga_array *, const ga_array *);
typedef ga_status (*r_unary_into)(ga_array *, const ga_array *);
typedef ga_status (*r_binary_into)(ga_array *, const ga_array *,
                                   const ga_array *);
typedef struct r_row {
    const char *name;
    int types;
    const char *result;             /* "SAME", "BOOL", "REAL", "U8"         */
    const char *cost;               /* "LIGHT", "HEAVY", "HEAVYC", "OWN"    */
    double ulp, lo, hi;
    int nin;
    r_unary f1;
    r_unary_into into1;
    r_binary f2;
    r_binary_into into2;
} r_row;

#define R_ROW(n, types, result, cost, ulp, lo, hi, ...)                     \
    {#n, types, #result, #cost, ulp, lo, hi, 1, (ga_##n), (ga_##n##_into),    \
     NULL, NULL},
static const r_row r_unaries[] = {GA_UNARY_OPS(R_ROW)};
#undef R_ROW
#define R_ROW(n, types, result, cost, ulp, lo, hi, ...)                     \
    {#n, types, #result, #cost, ulp, lo, hi, 2, NULL, NULL, (ga_##n),        \
     (ga_##n##_into)},
static const r_row r_binaries[] = {GA_BINARY_OPS(R_ROW)};
#undef R_ROW
#define R_UNARIES T_COUNT(r_unaries)
#define R_BINARIES T_COUNT(r_binaries)

/* The bound that holds for results of dtype t: the row's for float32 and
   float64; float16 and bfloat16 are rounded once more, from float32.       */
static GA__UNUSED double r_bound(const r_row *r, ga_dtype t) {
    if (r->ulp <= 0) return 0;
    return t == GA_FLOAT16 || t == GA_BFLOAT16 ? 1 : r->ulp;
}
/* Of these rows float32, float64 and a few of the dtypes that become one of
   them are enough: a kernel of its own has them all.                       */
static GA__UNUSED bool r_own(const r_row *r) { return !strcmp(r->cost, "OWN"); }
static GA__UNUSED bool r_named(const r_row *r, const char *name) {
    return !strcmp(r->name, name);
}
static GA__UNUSED const r_row *r_row_of(const char *name) {
    for (size_t i = 0; i < R_UNARIES; i++)
        if (r_named(&r_unaries[i], name)) return &r_unaries[i];
    for (size_t i = 0; i < R_BINARIES; i++)
        if (r_named(&r_binaries[i], name)) return &r_binaries[i];
    return NULL;
}
#endif /* GPUARR_ROWS_H */
