/* Calls inside calls, twenty deep, with numbers on the way. The checks look at
   the size of the text that comes of it, and run it under a sanitizer.      */
#include "gpuarr.h"

#define FOUR(x)                                                             \
    ga_add(2u, ga_sub(ga_mul(ga_where(true, x, 0.5f), (char)3), 4ull))
#define TWENTY(x) FOUR(FOUR(FOUR(FOUR(FOUR(x)))))
#define PRODUCTS(x) ga_einsum("ij,jk,kl", x, x, x)

/* The function behind the macro takes GA_ARG; its result may be an operand. */
static ga_array *plus(const ga_array *x, double y) {
    return (ga_add)(x, GA_ARG(y));
}
static bool is(ga_array *x, double value) {
    double sum = ga_item(ga_sum(x, GA_ALL));
    if (sum != value) printf("nested.c: %g, not %g\n", sum, value);
    return sum == value;
}

int main(void) {
    GA_SCOPE;
    ga_array *x = ga_full(GA_SHAPE(1), 2, GA_FLOAT64);
    ga_array *m = ga_ones(GA_SHAPE(2, 2), GA_FLOAT64);
    ga_array *y = ga_empty(GA_SHAPE(1), GA_FLOAT64);
    bool ok = is(TWENTY(x), 244) && is(plus(plus(ga_mul(x, 2), 3), 4), 11);
    ok = ok && is(ga_add(plus(ga_clip(7.5, GA_NONE, TWENTY(x)), 1), 0.5), 9);
    ok = ok && !ga_add_into(y, TWENTY(x), TWENTY(2)) && is(y, 488);
    ok = ok && !ga_assign(y, ga_full_like(y, TWENTY(3))) && is(y, 487);
    ok = ok && is(PRODUCTS(PRODUCTS(ga_add(m, 0))), 1024);
    ga_array *z = ga_empty(GA_SHAPE(1), GA_COMPLEX128);
    ok = ok && !GA_EVAL_INTO(z, x + 2*y, x, y) && is(ga_real(z), 976);
    return ok && !ga_error() ? 0 : 1;
}
