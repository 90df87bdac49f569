/* Arrays larger than memory (ext/gpuarr_comm.h, >>slabs), against the plain
   functions on the whole.                                                   */
#include "test.h"
#include "gpuarr_comm.h"

static const char file[] = "/tmp/gpuarr-test-slabs.npy";
static const char out_file[] = "/tmp/gpuarr-test-slabs-out.npy";

static ga_array *sample(ga_shape s, ga_dtype t) {
    ga_rng *g = ga_rng_create(GA_PHILOX, 5);
    GA_RNG(g);
    ga_array *x = ga_random_normal(1, 3, s, GA_FLOAT64);
    ga_rng_destroy(g);
    return ga_astype(t_is_complex(t) ? ga_mul(x, t_c128(1, 2)) : x, t);
}
static void same(const ga_array *x, const ga_array *want, double near) {
    if (!x || !want) {
        T_CHECKF(false, "NULL: %s", ga_error_message());
        ga_clear_error();
        return;
    }
    if (!t_is(x, want->dtype, ga_shape_of(want))) return;
    const void *g = t_host(x), *w = t_host(want);
    for (int64_t i = 0; i < x->size; i++)
        for (int part = 0; part <= t_is_complex(x->dtype); part++) {
            double a = t_value(g, x->dtype, i, part);
            double b = t_value(w, x->dtype, i, part);
            T_CHECKF(a == b || (isnan(a) && isnan(b))
                     || fabs(a - b) <= near * (1 + fabs(b)),
                     "element %lld: %.17g, expected %.17g", (long long)i, a, b);
        }
}

TEST(reductions) {
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        for (int64_t rows = 1; rows < 40; rows += 12) {
            GA_SCOPE;
            t_context("%s, slabs of %lld rows", ga_dtype_name((ga_dtype)t),
                      (long long)rows);
            ga_array *x = sample(GA_SHAPE(37, 5), (ga_dtype)t);
            T_CHECK(!ga_save_npy(file, x));
            ga_slabs *s = ga_slabs_npy(file, &(ga_slab_options){.rows = rows,
                                       .threads = 1 + (int)rows % 3});
            T_CHECK(s && s->count == (36 + rows) / rows && s->rows == rows);
            const ga_axis axes[] = {GA_ALL, GA_AXIS(0), GA_AXIS_KEEP(0)};
            const double near = t == GA_FLOAT16 || t == GA_BFLOAT16 ? 1e-2
                                : t >= GA_FLOAT16 ? 1e-5 : 0;
            for (int i = 0; i < 3; i++) {
                GA_SCOPE;
                const ga_axis a = axes[i];
#define SAME(f) same(ga_slabs_##f(s, a), (ga_##f)(x, a), near)
                SAME(sum);
                SAME(max);
                SAME(min);
                SAME(mean);
                SAME(all);
                SAME(any);
                SAME(count_nonzero);
                if (t != GA_FLOAT16) SAME(prod);
                if (t_is_complex((ga_dtype)t)) continue;
                same(ga_slabs_var(s, a, 1), ga_var(x, a, 1), near + 1e-12);
                same(ga_slabs_std(s, a, 0), ga_std(x, a, 0), near + 1e-12);
#undef SAME
            }
            ga_slabs_free(s);
        }
}
TEST(products) {
    GA_SCOPE;
    ga_array *x = sample(GA_SHAPE(37, 5), GA_FLOAT64);
    ga_array *b = sample(GA_SHAPE(5, 3), GA_FLOAT64);
    ga_array *v = sample(GA_SHAPE(5), GA_FLOAT64);
    T_CHECK(!ga_save_npy(file, x));
    ga_slabs *s = ga_slabs_npy(file, &(ga_slab_options){.rows = 8});
    same(ga_slabs_inner(s), ga_matmul(ga_transpose(x, GA_ALL), x), 1e-13);
    same(ga_slabs_matmul(s, b), ga_matmul(x, b), 1e-13);
    same(ga_slabs_matmul(s, v), ga_matmul(x, v), 1e-13);
    T_CHECK(!ga_slabs_matmul(s, x));
    T_ERROR(GA_ERR_SHAPE);
    ga_slabs_free(s);
}
TEST(orders) {
    GA_SCOPE;
    const ga_dtype types[] = {GA_INT8, GA_FLOAT32, GA_FLOAT64, GA_INT32};
    const double q[] = {0, 0.001, 0.25, 0.5, 0.9, 1};
    for (size_t t = 0; t < T_COUNT(types); t++)
        for (int64_t n = 1; n < 400000; n = 300 * n + 37) {
            GA_SCOPE;
            t_context("%s, %lld", ga_dtype_name(types[t]), (long long)n);
            ga_array *x = sample(GA_SHAPE(n, 2), types[t]), *edges, *want_edges;
            T_CHECK(!ga_save_npy(file, x));
            ga_slabs *s = ga_slabs_npy(file, &(ga_slab_options){
                                       .rows = n / 5 + 1});
            ga_array *wide = ga_astype(x, GA_FLOAT64);
            same(ga_slabs_quantile(s, q, 6),
                 ga_quantile(wide, ga_asarray(q, GA_SHAPE(6)), GA_ALL,
                             GA_QUANTILE_LINEAR, GA_NONE), 1e-14);
            ga_array *h = ga_slabs_histogram(s, 20, 0, 0, &edges);
            const double low = ga_item(ga_min(x, GA_ALL));
            const double high = ga_item(ga_max(x, GA_ALL));
            same(h, ga_histogram(x, n > 1 ? GA_BINS_IN(20, low, high)
                                 : GA_BINS(20), GA_NONE, 0, &want_edges), 0);
            same(edges, want_edges, 1e-6);
            same(ga_slabs_histogram(s, 7, -1, 2, NULL),
                 ga_histogram(x, GA_BINS_IN(7, -1, 2), GA_NONE, 0, NULL), 0);
            ga_slabs_free(s);
        }
    ga_array *x = sample(GA_SHAPE(100), GA_FLOAT32);
    ga_assign(ga_slice(x, "17"), (double)NAN);
    T_CHECK(!ga_save_npy(file, x));
    ga_slabs *s = ga_slabs_npy(file, NULL);
    T_CHECK(isnan(ga_item_at(ga_slabs_quantile(s, q, 2), GA_INDEX(1))));
    const double bad = 1.5;
    T_NO(ga_slabs_quantile(s, &bad, 1), GA_ERR_VALUE,
         "ga_slabs_quantile: q is 1.5; 0 to 1 are possible");
    ga_slabs_free(s);
}
/* All equal but few: the sample's range is one value, or misses. */
TEST(quantiles_of_few_values) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(5000000), GA_FLOAT64);
    ga_assign(ga_slice(x, "1:200:5"), ga_arange(-20, 20, 1));
    T_CHECK(!ga_save_npy(file, x));
    ga_slabs *s = ga_slabs_npy(file, &(ga_slab_options){.rows = 1000003});
    const double q[] = {0, 3e-6, 0.5, 1 - 3e-6, 1};
    same(ga_slabs_quantile(s, q, 5), ga_quantile(x, ga_asarray(q, GA_SHAPE(5)),
                                                 GA_ALL, GA_QUANTILE_LINEAR, GA_NONE), 0);
    ga_slabs_free(s);
    /* numpy.quantile: inf - inf, and 0 of it, are NaN */
    const double far[] = {-INFINITY, -3, 1, INFINITY, INFINITY};
    const double of[] = {0, 0.25, 0.5, 0.6, 0.75, 1};
    const double want[] = {NAN, -3, NAN, INFINITY, NAN, NAN};
    s = ga_slabs_host(ga_asarray(far, GA_SHAPE(5)), NULL);
    for (int i = 0; i < 6; i++) {
        double got = ga_item(ga_slabs_quantile(s, &of[i], 1));
        T_CHECKF(got == want[i] || (isnan(got) && isnan(want[i])),
                 "quantile %g is %g", of[i], got);
    }
    ga_slabs_free(s);
}

static ga_array *doubled(ga_array *slab, void *arg) {
    ++*(int *)arg;
    return ga_mul(slab, 2);
}
static ga_array *shrunk(ga_array *slab, void *arg) {
    (void)arg;
    return ga_slice(slab, "1:");
}
static ga_status add_up(ga_array *slab, int64_t first, void *arg) {
    *(double *)arg += ga_item(ga_sum(slab, GA_ALL)) * (double)(first + 1);
    return GA_OK;
}
static ga_status stops(ga_array *slab, int64_t first, void *arg) {
    (void)slab;
    ++*(int *)arg;
    return first >= 20 ? ga_reshape(slab, GA_SHAPE(7)) ? GA_OK : ga_error()
                       : GA_OK;
}
TEST(functions) {
    GA_SCOPE;
    ga_array *x = sample(GA_SHAPE(50, 3), GA_FLOAT32);
    T_CHECK(!ga_save_npy(file, x));
    ga_slabs *s = ga_slabs_npy(file, &(ga_slab_options){.rows = 10});
    int calls = 0;
    T_CHECK(!ga_slabs_map_npy(out_file, s, doubled, &calls) && calls == 5);
    same(ga_load_npy(out_file), ga_mul(x, 2), 0);
    T_CHECK(!GA_SLABS_EVAL_NPY(out_file, sin(u)*3 + 1, u, s));
    same(ga_load_npy(out_file), GA_EVAL(sin(x)*3 + 1, x), 0);
    T_FAILS(ga_slabs_map_npy(out_file, s, shrunk, NULL), GA_ERR_SHAPE,
            "ga_slabs_map_npy: the function made float32 (9,3) of 10 rows");
    same(ga_load_npy(out_file), GA_EVAL(sin(x)*3 + 1, x), 0);   /* unchanged */
    double sum = 0, want = 0;
    T_CHECK(!ga_slabs_each(s, add_up, &sum));
    for (int64_t i = 0; i < 50; i += 10)
        want += (double)(i + 1)
                * ga_item(ga_sum(ga_slice_axis(x, 0, i, i + 10, 1), GA_ALL));
    T_CHECK(fabs(sum - want) < 1e-3);
    calls = 0;
    T_CHECK(ga_slabs_each(s, stops, &calls) == GA_ERR_SHAPE && calls == 3);
    T_ERROR(GA_ERR_SHAPE);
    ga_slabs_free(s);
    /* of host memory */
    float *host = t_keep(ga_asnumpy(x, NULL));
    {
        GA_DEVICE(GA_CPU);
        x = ga_wrap(host, GA_FLOAT32, GA_SHAPE(50, 3), NULL, GA_CPU, NULL, NULL);
    }
    s = ga_slabs_host(x, &(ga_slab_options){.rows = 7});
    ga_array *sums = ga_slabs_sum(s, GA_AXIS(0));
    {
        GA_DEVICE(GA_CPU);
        same(ga_to_device(sums, GA_CPU), ga_sum(x, GA_AXIS(0)), 1e-6);
    }
    ga_slabs_free(s);
    /* which may be pinned */
    float *pinned = ga_pinned_alloc(sizeof(float) * 150);
    memcpy(pinned, host, sizeof(float) * 150);
    {
        GA_DEVICE(GA_CPU);
        x = ga_wrap(pinned, GA_FLOAT32, GA_SHAPE(50, 3), NULL, GA_CPU, NULL,
                    NULL);
    }
    s = ga_slabs_host(x, &(ga_slab_options){.rows = 7});
    ga_array *again = ga_slabs_sum(s, GA_AXIS(0));
    T_CHECK(again && ga_array_equal(again, sums, 0));
    ga_slabs_free(s);
    ga_pinned_free(pinned);
}
TEST(plans_and_errors) {
    GA_SCOPE;
    ga_array *x = sample(GA_SHAPE(1000, 100), GA_FLOAT64);
    T_CHECK(!ga_save_npy(file, x));
    ga_free(x);
    ga_slabs *s = ga_slabs_npy(file, &(ga_slab_options){.memory = 30000});
    T_CHECK(s && s->rows == 12 && s->count == 84
            && s->device_bytes == (t_on_gpu() ? 28800 : 0)
            && (t_on_gpu() || s->host_bytes == 28800));
    ga_slabs_free(s);
    T_CHECK(!ga_slabs_npy(file, &(ga_slab_options){.memory = 2000}));
    T_CHECK(strstr(ga_error_message(), "ga_slabs_npy: 3 rows of (1000,100) take "
                   "2400 bytes, 2000 are there for walking"));
    T_ERROR(GA_ERR_MEM_LIMIT);
    T_CHECK(!ga_slabs_fit(file, 3));
    T_CHECK(!ga_mem_limit(t_used() + 1000000));
    T_CHECK(ga_slabs_fit(file, 3));
    T_CHECK(strstr(ga_error_message(), "ga_slabs_fit: "
            "/tmp/gpuarr-test-slabs.npy: 3 times float64 (1000,100) takes 2.4 "
            "MB, the limit leaves 1 MB; ga_slabs_npy walks it in slabs that fit"));
    T_ERROR(GA_ERR_MEM_LIMIT);
    /* and it does: under a limit of a third of what the file takes */
    T_CHECK(!ga_mem_limit(t_used() + 270000));
    s = ga_slabs_npy(file, NULL);
    ga_array *mean = s ? ga_slabs_mean(s, GA_AXIS(0)) : NULL;
    T_CHECK(mean != NULL);
    ga_free(mean);
    ga_slabs_free(s);
    T_CHECK(!ga_mem_limit(0));
    T_CHECK(!ga_slabs_npy("/no/such.npy", NULL));
    T_ERROR(GA_ERR_FILE_OPEN);
    T_NO(ga_slabs_sum(NULL, GA_ALL), GA_ERR_NULL,
         "ga_slabs_sum: the slabs are NULL");
    T_CHECK(!ga_save_npy(file, ga_zeros(GA_SHAPE(0, 3), GA_INT16)));
    s = ga_slabs_npy(file, NULL);
    T_CHECK(s && s->count == 0);
    same(ga_slabs_sum(s, GA_AXIS(0)), ga_zeros(GA_SHAPE(3), GA_INT64), 0);
    T_CHECK(!ga_slabs_max(s, GA_AXIS(0)));
    T_ERROR(GA_ERR_EMPTY);
    T_NO(ga_slabs_sum(s, GA_AXIS(1)), GA_ERR_AXIS, "ga_slabs_sum: the rows, axis "
         "0, are not reduced: ga_slabs_map_npy makes a result of as many rows");
    ga_slabs_free(s);
    remove(file);
    remove(out_file);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        T(reductions), T(products), T(orders), T(quantiles_of_few_values),
        T(functions), T(plans_and_errors)};
    return T_RUN("slabs", tests);
}
