/* Histograms: first light. */
#include "golden.h"
TEST(counts) {
    GA_SCOPE;
    float v[] = {0, 0.5f, 1, 1, 0.25f, 3, -1};
    ga_array *x = ga_asarray(v, GA_SHAPE(7)), *e = NULL;
    ga_array *n = ga_histogram(x, GA_BINS_IN(4, 0, 1), GA_NONE, 0, &e);
    int64_t want[] = {1, 1, 1, 2};
    float edges[] = {0, .25f, .5f, .75f, 1};
    t_same(n, GA_INT64, GA_SHAPE(4), want);
    t_same(e, GA_FLOAT32, GA_SHAPE(5), edges);
}
int main(void) {
    const struct CMUnitTest tests[] = {T(counts)};
    return T_RUN("histograms", tests);
}
