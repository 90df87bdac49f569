#include "test.h"
int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_array *x = ga_arange(0, 12, 1);
    ga_array *m = ga_equal(ga_mod(x, 3), 1);
    ga_print(ga_mask(x, m)); puts("");
    ga_array *y = ga_reshape(x, GA_SHAPE(4, 3));
    ga_print(ga_argwhere(ga_reshape(m, GA_SHAPE(4,3)))); puts("");
    ga_mask_assign(x, m, -1); ga_print(y); puts("");
    ga_array *v = ga_arange(100, 104, 1);
    ga_mask_assign(x, m, v); ga_print(y); puts("");
    const ga_array *c[] = {ga_less(x, 3), ga_greater(x, 8)}, *z[]={x, ga_neg(x)};
    ga_print(ga_select(2, c, z, 0.5)); puts("");
    return 0;
}
