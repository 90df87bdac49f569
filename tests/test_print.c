/* Printing against NumPy's str() and repr(): 480 arrays with their options
   and thousands of single numbers, from golden/print.bin.                   */
#include "golden.h"

/* Shows both texts where they differ; frees got. */
static void is_text(char *got, const char *want) {
    if (!got) {
        t_bad("NULL: %s", ga_error_message());
        ga_clear_error();
    } else if (strcmp(got, want)) {
        t_bad("got\n%.400s\nexpected\n%.400s", got, want);
    }
    free(got);
}
static ga_print_options options_from(const char *text) {
    ga_print_options o = ga_get_print_options();
    long long threshold = 0;
    int suppress = 0, fixed = 0, sign = 0;
    int n = sscanf(text, "%d %lld %d %d %d %d %d|%15[^|]|%15s", &o.precision,
                   &threshold, &o.edgeitems, &o.linewidth, &suppress, &fixed,
                   &sign, o.nanstr, o.infstr);
    T_CHECK(n == 9);
    o.threshold = threshold;
    o.suppress = suppress;
    o.floatmode_fixed = fixed;
    o.sign = (char)sign;
    return o;
}
TEST(arrays) {
    ga_print_options before = ga_get_print_options();
    const g_record *g;
    for (int k = 0; (g = g_find("%d/x", k)) != NULL; k++) {
        GA_SCOPE;
        const char *o = (const char *)g_find("%d/options", k)->data;
        const char *s = (const char *)g_find("%d/str", k)->data;
        t_context("%s %s with %s", ga_dtype_name(g->dtype),
                  t_shape_text(g->shape.ndim, g->shape.dim), o);
        T_CHECK(ga_set_print_options(options_from(o)) == GA_OK);
        ga_array *x = ga_asarray_as(g->data, g->dtype, g->shape);
        is_text(ga_tostring(x), s);
        is_text(ga_repr(x), (const char *)g_find("%d/repr", k)->data);
        /* a view prints as its copy would */
        ga_array *t = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
        is_text(ga_tostring(ga_flip(ga_copy(ga_flip(t, GA_ALL)), GA_ALL)), s);
    }
    ga_set_print_options(before);
}
TEST(single_numbers) {
    for (int ti = 0; ti < GA_NUM_DTYPES; ti++) {
        const char *name = ga_dtype_name((ga_dtype)ti);
        const g_record *g = g_find("scalars/%s", name);
        if (!g) continue;
        GA_SCOPE;
        ga_array *x = ga_asarray_as(g->data, g->dtype, g->shape);
        const g_record *text[2] = {g_find("scalars/%s/str", name),
                                   g_find("scalars/%s/repr", name)};
        for (int k = 0; k < 2; k++) {
            const char *line = (const char *)text[k]->data;
            for (int64_t i = 0; i < g->size; i++) {
                size_t n = strcspn(line, "\n");
                char want[200];
                assert_true(n < sizeof want);
                memcpy(want, line, n);
                want[n] = 0;
                line += n + (line[n] == '\n');
                if (t_quick() && i % 16) continue;
                GA_SCOPE;
                ga_array *e = ga_index_axis(x, 0, i);
                t_context("%s %s, %s", k ? "repr" : "str", name,
                          t_text(g->data, g->dtype, i));
                is_text(k ? ga_repr(e) : ga_tostring(e), want);
            }
        }
    }
}
/* bfloat16: the shortest digits that tell it from its neighbours. */
TEST(bfloat16) {
    GA_SCOPE;
    float v[] = {1.5f, -0.1f, 3.14159f, 1e10f, (float)NAN, 0};
    ga_array *x = ga_astype(ga_asarray(v, GA_SHAPE(6)), GA_BFLOAT16);
    is_text(ga_tostring(ga_slice(x, "0")), "1.5");
    is_text(ga_tostring(ga_slice(x, "1")), "-0.1");
    is_text(ga_tostring(ga_slice(x, "2")), "3.14");
    is_text(ga_tostring(ga_slice(x, "4")), "nan");
    is_text(ga_tostring(ga_slice(x, ":3")), "[ 1.5  -0.1   3.14]");
    is_text(ga_repr(ga_slice(x, ":1")), "array([1.5], dtype=bfloat16)");
}
TEST(to_a_file) {
    GA_SCOPE;
    FILE *f = tmpfile();
    assert_non_null(f);
    ga_array *x = ga_reshape(ga_arange(0, 6, 1), GA_SHAPE(2, 3));
    T_CHECK(ga_fprint(f, x) == GA_OK);
    T_CHECK(ga_fprint(f, ga_sum(x, GA_ALL)) == GA_OK);
    T_CHECK(ga_fprint(f, ga_zeros(GA_SHAPE(0), GA_INT8)) == GA_OK);
    rewind(f);
    char text[200] = "";
    size_t n = fread(text, 1, sizeof text - 1, f);
    text[n] = 0;
    T_CHECKF(!strcmp(text, "[[0 1 2]\n [3 4 5]]\n15\n[]\n"), "got %s", text);
    fclose(f);
    T_CHECK(ga_fprint(stdout, NULL) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_print(NULL) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_tostring(NULL));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_repr(NULL));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_fprint(NULL, x) != GA_OK);
    T_CHECK(ga_error() != GA_OK);
    ga_clear_error();
}
TEST(options) {
    GA_SCOPE;
    ga_print_options o = ga_get_print_options(), d = o;
    T_CHECK(o.precision == 8 && o.threshold == 1000 && o.edgeitems == 3);
    T_CHECK(o.linewidth == 75 && !o.suppress && !o.floatmode_fixed);
    T_CHECK(o.sign == '-' && !strcmp(o.nanstr, "nan"));
    o.precision = 2;
    T_CHECK(ga_set_print_options(o) == GA_OK);
    T_CHECK(ga_get_print_options().precision == 2);
    double v[] = {1 / 3., 2};
    is_text(ga_tostring(ga_asarray(v, GA_SHAPE(2))), "[0.33 2.  ]");
    o.precision = -1;
    T_CHECK(ga_set_print_options(o) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    o.precision = 2;
    o.sign = 'x';
    T_CHECK(ga_set_print_options(o) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_get_print_options().precision == 2);
    T_CHECK(ga_set_print_options(d) == GA_OK);
    /* a large array is not brought over whole to print its corners */
    int64_t n = t_on_gpu() && !t_quick() ? 200000000 : 3000000;
    ga_array *x = ga_zeros(GA_SHAPE(n), GA_INT8);
    is_text(ga_tostring(x), "[0 0 0 ... 0 0 0]");
    is_text(ga_tostring(ga_flip(x, GA_ALL)), "[0 0 0 ... 0 0 0]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(options), T(arrays), T(single_numbers), T(bfloat16), T(to_a_file),
    };
    g_load("print.bin");
    int failed = T_RUN("print", tests);
    g_free();
    return failed;
}
