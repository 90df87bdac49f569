/* One more file that includes the header, twice, after others. */
#include <stdio.h>
#include <math.h>
#include <string.h>
#include "gpuarr.h"
#include "gpuarr.h"

int plain(void);

static ga_array *halves(const ga_array *x) { return (ga_divide)(x, GA_ARG(2)); }

int plain(void) {
    GA_SCOPE;
    ga_array *(*f)(const ga_array *) = halves;      /* functions have types */
    ga_array *(*g)(const ga_array *, const ga_array *) = ga_add;
    ga_array *x = f(ga_linspace(0, 1, 5));
    return ga_item(ga_sum(g(x, x), GA_ALL)) == 2.5 ? 0 : 1;
}
