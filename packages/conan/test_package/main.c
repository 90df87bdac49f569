#include "gpuarr.h"

int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_array *x = ga_linspace(0, 1, 6);
    ga_print(ga_add(ga_mul(x, 2.0), 1));
    return ga_item(ga_sum(x, GA_ALL)) != 3;
}
