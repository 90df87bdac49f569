/* A debug build (GPUARR_DEBUG): freed arrays are recognised and named by the
   file and line that made them, leaks are listed.                          */
#define _POSIX_C_SOURCE 200809L
#define GPUARR_DEBUG
#include "test.h"

#include "child.h"

#include <pthread.h>
#include <stdatomic.h>

/* The array that the next lines misuse, and the line that made it. */
static ga_array *dead;
static int made_at;
static void die(void) {
    dead = ga_zeros(GA_SHAPE(3, 4), GA_FLOAT32); made_at = __LINE__;
    ga_free(dead);
}
static void freed(int line, const char *call, bool result) {
    char want[600];
    const char *says = ga_error_message();
    snprintf(want, sizeof want, ": the array made at %s:%d has been freed",
             __FILE__, made_at);
    T_CHECKF(result, "line %d: %s: not the result of a failure", line, call);
    T_CHECKF(ga_error() == GA_ERR_FREED, "line %d: %s: %s (%s)", line, call,
             ga_status_name(ga_error()), says);
    T_CHECKF(strstr(says, want) && !strncmp(says, "ga_", 3),
             "line %d: %s says \"%s\"", line, call, says);
    ga_clear_error();
}
#define FREED(result) freed(__LINE__, #result, result)

#define ROW(n, ...) {"ga_" #n, (ga_##n), (ga_##n##_into)},
static const struct {
    const char *name;
    ga_array *(*f)(const ga_array *);
    ga_status (*into)(ga_array *, const ga_array *);
} unary[] = {GA_UNARY_OPS(ROW) GA_UNARY_ALIASES(ROW)};
static const struct {
    const char *name;
    ga_array *(*f)(const ga_array *, const ga_array *);
    ga_status (*into)(ga_array *, const ga_array *, const ga_array *);
} binary[] = {GA_BINARY_OPS(ROW) GA_BINARY_ALIASES(ROW)};
static const struct {
    const char *name;
    ga_array *(*f)(const ga_array *, ga_axis);
    ga_status (*into)(ga_array *, const ga_array *, ga_axis);
} reductions[] = {GA_REDUCTIONS(ROW)};
static const struct {
    const char *name;
    ga_array *(*f)(const ga_array *, ga_axis, double);
    ga_status (*into)(ga_array *, const ga_array *, ga_axis, double);
} ddofs[] = {GA_REDUCTIONS_DDOF(ROW)};
static const struct {
    const char *name;
    ga_array *(*f)(const ga_array *, ga_axis, unsigned);
    ga_status (*into)(ga_array *, const ga_array *, ga_axis, unsigned);
} scans[] = {GA_SCANS(ROW)};
#undef ROW

TEST(operations_on_a_freed_array) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3, 4), GA_FLOAT32);
    die();
    for (size_t i = 0; i < T_COUNT(unary); i++) {
        t_context("%s", unary[i].name);
        FREED(unary[i].f(dead) == NULL);
        FREED(unary[i].into(dead, x) == GA_ERR_FREED);
        FREED(unary[i].into(x, dead) == GA_ERR_FREED);
    }
    for (size_t i = 0; i < T_COUNT(binary); i++) {
        t_context("%s", binary[i].name);
        FREED(binary[i].f(dead, x) == NULL);
        FREED(binary[i].f(x, dead) == NULL);
        FREED(binary[i].into(dead, x, x) == GA_ERR_FREED);
        FREED(binary[i].into(x, x, dead) == GA_ERR_FREED);
    }
    for (size_t i = 0; i < T_COUNT(reductions); i++) {
        t_context("%s", reductions[i].name);
        FREED(reductions[i].f(dead, GA_ALL) == NULL);
        FREED(reductions[i].into(dead, x, GA_ALL) == GA_ERR_FREED);
    }
    for (size_t i = 0; i < T_COUNT(ddofs); i++) {
        t_context("%s", ddofs[i].name);
        FREED(ddofs[i].f(dead, GA_ALL, 1) == NULL);
        FREED(ddofs[i].into(dead, x, GA_ALL, 1) == GA_ERR_FREED);
    }
    for (size_t i = 0; i < T_COUNT(scans); i++) {
        t_context("%s", scans[i].name);
        FREED(scans[i].f(dead, GA_ALL, 0) == NULL);
        FREED(scans[i].into(dead, x, GA_AXIS(0), 0) == GA_ERR_FREED);
    }
    t_context("%s", "");
    ga_array *p = x, *q = x;
    FREED(ga_diff(x, 1, 0, dead, GA_NONE) == NULL);
    FREED(ga_ediff1d(x, dead, GA_NONE) == NULL);
    FREED(ga_trapezoid(x, dead, 1, 0) == NULL);
    FREED(ga_where(dead, x, x) == NULL);
    FREED(ga_where(x, x, dead) == NULL);
    FREED(ga_where_into(dead, x, x, x) == GA_ERR_FREED);
    FREED(ga_clip(dead, 0, 1) == NULL);
    FREED(ga_clip(x, dead, 1) == NULL);
    FREED(ga_clip_into(dead, x, 0, 1) == GA_ERR_FREED);
    FREED(ga_round(dead, 1) == NULL);
    FREED(ga_round_into(dead, x, 1) == GA_ERR_FREED);
    FREED(ga_nan_to_num(dead, 0, 0, 0) == NULL);
    FREED(ga_nan_to_num_into(dead, x, 0, 0, 0) == GA_ERR_FREED);
    FREED(ga_divmod(dead, x, &p, &q) == GA_ERR_FREED);
    FREED(ga_modf(dead, &p, &q) == GA_ERR_FREED);
    FREED(ga_frexp(dead, &p, &q) == GA_ERR_FREED);
    T_CHECK(p == x && q == x);
}

TEST(everything_else_on_a_freed_array) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3, 4), GA_FLOAT32);
    char host[64];
    die();
    FREED(ga_keep(dead) == NULL);
    FREED(ga_detach(dead) == NULL);
    FREED(ga_shape_of(dead).ndim == 0);
    FREED(ga_to_device(dead, GA_CPU) == NULL);
    FREED(ga_full(GA_SHAPE(2), dead, GA_INT8) == NULL);
    FREED(ga_empty_like(dead) == NULL);
    FREED(ga_zeros_like(dead) == NULL);
    FREED(ga_ones_like(dead) == NULL);
    FREED(ga_full_like(dead, 1) == NULL);
    FREED(ga_asnumpy(dead, NULL) == NULL);
    FREED(ga_asnumpy_async(dead, host) == NULL);
    FREED(isnan(ga_item(dead)));
    FREED(ga_item_i64(dead) == 0);
    ga_complex128 z = ga_item_c128(dead);
    double part[2];
    memcpy(part, &z, sizeof part);
    FREED(isnan(part[0]));
    FREED(isnan(ga_item_at(dead, GA_INDEX(0, 0))));
    FREED(ga_copy(dead) == NULL);
    FREED(ga_astype(dead, GA_INT8) == NULL);
    FREED(ga_ascontiguousarray(dead) == NULL);
    FREED(ga_slice(dead, "0") == NULL);
    FREED(ga_slice_axis(dead, 0, 0, 1, 1) == NULL);
    FREED(ga_index_axis(dead, 0, 0) == NULL);
    FREED(ga_reshape(dead, GA_SHAPE(12)) == NULL);
    FREED(ga_ravel(dead) == NULL);
    FREED(ga_transpose(dead, GA_ALL) == NULL);
    FREED(ga_swapaxes(dead, 0, 1) == NULL);
    FREED(ga_moveaxis(dead, GA_AXIS(0), GA_AXIS(1)) == NULL);
    FREED(ga_expand_dims(dead, GA_AXIS(0)) == NULL);
    FREED(ga_squeeze(dead, GA_ALL) == NULL);
    FREED(ga_broadcast_to(dead, GA_SHAPE(2, 3, 4)) == NULL);
    FREED(ga_flip(dead, GA_ALL) == NULL);
    FREED(ga_diagonal(dead, 0, 0, 1) == NULL);
    FREED(ga_real(dead) == NULL);
    FREED(ga_imag(dead) == NULL);
    FREED(ga_view(dead) == NULL);
    FREED(ga_assign(dead, 1) == GA_ERR_FREED);
    FREED(ga_assign(x, dead) == GA_ERR_FREED);
    FREED(ga_save_npy("/dev/null", dead) == GA_ERR_FREED);
    FREED(ga_save_npz("/dev/null", NULL, (ga_array *[]){dead}, 1, 0)
          == GA_ERR_FREED);
    FREED(ga_savetxt("/dev/null", dead, NULL, NULL) == GA_ERR_FREED);
    FREED(ga_tofile("/dev/null", dead) == GA_ERR_FREED);
    FREED(ga_to_dlpack(dead, NULL) == NULL);
    FREED(ga_to_dlpack_unversioned(dead, NULL) == NULL);
    FREED(ga_result_type(dead, 1) == GA_NUM_DTYPES);
    FREED(ga_item_u64(dead) == 0);
    FREED(ga_print(dead) == GA_ERR_FREED);
    FREED(ga_fprint(stderr, dead) == GA_ERR_FREED);
    FREED(ga_tostring(dead) == NULL);
    FREED(ga_repr(dead) == NULL);
}

/* Freed twice, by the scope and by hand, in either order: said, no harm. */
TEST(double_free_is_reported) {
    int64_t before = ga_live_arrays();
    {
        GA_SCOPE;
        ga_array *x = ga_zeros(GA_SHAPE(5), GA_INT8); made_at = __LINE__;
        ga_array *v = ga_view(x);
        ga_free(x);
        FREED((ga_free(x), true));
        FREED((ga_free(x), true));
        T_CHECK(ga_live_arrays() == before + 1);
        T_CHECK(ga_item_at(v, GA_INDEX(4)) == 0);
    }
    T_CHECK(ga_live_arrays() == before);
    ga_array *y;
    {
        GA_SCOPE;
        y = ga_zeros(GA_SHAPE(5), GA_INT8); made_at = __LINE__;
    }
    FREED((ga_free(y), true));          /* the scope was first              */
    T_CHECK(ga_live_arrays() == before);
    FREED(ga_view(y) == NULL);
    T_FINE();
}
/* A loop that keeps its value in an array of the turn before. */
TEST(the_scope_is_named_that_freed) {
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32), *first = x;
    for (int turn = 0; turn < 3; turn++) {
        GA_SCOPE;
        x = ga_mul(x, 2); made_at = __LINE__;
        if (turn == 0) T_CHECK(x && !ga_error());
        if (turn == 1) T_CHECK(strstr(ga_error_message(), "has been freed at "
                                      "the end of its GA_SCOPE"));
        if (turn == 1) FREED(!x);
    }
    ga_clear_error();
    ga_free(first);
}
/* Want of memory says how many arrays there are, and whose. */
TEST(out_of_memory_says_what_is_alive) {
    GA_SCOPE;
    char want[600];
    ga_array *x = ga_zeros(GA_SHAPE(2, 3), GA_INT8);
    for (int i = 0; i < 20; i++) ga_view(x);
    int line = __LINE__ - 1;
    snprintf(want, sizeof want, "; %d arrays are alive, 20 of them made at "
             "%s:%d", (int)ga_live_arrays(), __FILE__, line);
    T_CHECK(!ga_empty(GA_SHAPE(1ll << 50), GA_INT8));
    T_CHECKF(strstr(ga_error_message(), want), "\"%s\" lacks \"%s\"",
             ga_error_message(), want);
    T_CHECK(ga_error() == GA_ERR_HOST_MEMORY
            || ga_error() == GA_ERR_DEVICE_MEMORY);
    ga_clear_error();
}
/* GPUARR_LEAKS=1 */
static int leaks(void) {
    ga_array *x = ga_zeros(GA_SHAPE(2, 3), GA_INT8);
    made_at = __LINE__ - 1;
    ga_free(ga_view(x));
    printf("made at %d\n", made_at);
    return 0;
}
static int leaks_nothing(void) {
    GA_SCOPE;
    return ga_zeros(GA_SHAPE(2, 3), GA_INT8) ? 0 : 1;
}
TEST(leaks_are_told_at_exit) {
    char want[600];
    int line = 0;
    T_CHECK(T_CHILD("leaks", "GPUARR_LEAKS=1") == 0);
    const char *made = strstr(t_said, "made at ");
    if (made) line = atoi(made + 8);
    snprintf(want, sizeof want, "gpuarr: 1 array is alive at exit\n%s:%d: int8 "
             "(2,3) on device", __FILE__, line);
    T_CHECKF(strstr(t_said, want), "\"%s\" lacks \"%s\"", t_said, want);
    T_CHECK(T_CHILD("leaks", "GPUARR_LEAKS=0") == 0);
    T_CHECKF(!strstr(t_said, "alive"), "said \"%s\"", t_said);
    T_CHECK(T_CHILD("leaks nothing", "GPUARR_LEAKS=1") == 0);
    T_CHECKF(!strstr(t_said, "alive"), "said \"%s\"", t_said);
}
/* Freed handles are remembered through thousands of others. */
TEST(a_freed_array_is_remembered) {
    die();
    for (int i = 0; i < 4000; i++) ga_free(ga_empty(GA_SHAPE(1), GA_INT8));
    FREED(ga_view(dead) == NULL);
}

/* Every way to make an array notes where. */
TEST(origins) {
    GA_SCOPE;
    char buf[16] = {0};
    ga_array *x, *y;
#define FROM_HERE(call)                                                     \
    do {                                                                    \
        y = call;                                                           \
        T_CHECKF(y && y->ga__line == __LINE__ && y->ga__file                \
                 && !strcmp(y->ga__file, __FILE__), "%s made at %s:%d, not "\
                 "line %d (%s)", #call, y && y->ga__file ? y->ga__file : "?",\
                 y ? y->ga__line : 0, __LINE__, ga_error_message());        \
    } while (0)
    FROM_HERE(ga_empty(GA_SHAPE(2), GA_INT8));
    FROM_HERE(ga_zeros(GA_SHAPE(2), GA_INT8));
    FROM_HERE(ga_ones(GA_SHAPE(2, 3), GA_FLOAT32));
    x = y;
    FROM_HERE(ga_full(GA_SHAPE(2), 3, GA_INT8));
    FROM_HERE(ga_empty_like(x));
    FROM_HERE(ga_zeros_like(x));
    FROM_HERE(ga_ones_like(x));
    FROM_HERE(ga_full_like(x, 2));
    FROM_HERE(ga_arange(0, 5, 1));
    FROM_HERE(ga_arange_as(0, 5, 1, GA_INT8));
    FROM_HERE(ga_linspace(0, 5, 6));
    FROM_HERE(ga_linspace_as(0, 5, 6, true, GA_FLOAT32));
    FROM_HERE(ga_logspace(0, 5, 6, 10));
    FROM_HERE(ga_geomspace(1, 5, 6));
    FROM_HERE(ga_eye(2, 3, 0, GA_INT8));
    FROM_HERE(ga_identity(2, GA_INT8));
    FROM_HERE(ga_wrap(buf, GA_INT8, GA_SHAPE(4), NULL, GA_CPU, NULL, NULL));
    FROM_HERE(ga_asarray(buf, GA_SHAPE(4)));
    FROM_HERE(ga_asarray_as(buf, GA_INT8, GA_SHAPE(4)));
    FROM_HERE(ga_asarray_async(buf, GA_INT8, GA_SHAPE(4)));
    ga_synchronize();
    FROM_HERE(ga_copy(x));
    FROM_HERE(ga_astype(x, GA_INT8));
    FROM_HERE(ga_ascontiguousarray(x));
    FROM_HERE(ga_slice(x, "%d", 1));
    FROM_HERE(ga_slice(x, ":"));
    FROM_HERE(ga_slice_axis(x, 0, 0, 1, 1));
    FROM_HERE(ga_index_axis(x, 0, 0));
    FROM_HERE(ga_reshape(x, GA_SHAPE(6)));
    FROM_HERE(ga_ravel(x));
    FROM_HERE(ga_transpose(x, GA_ALL));
    FROM_HERE(ga_swapaxes(x, 0, 1));
    FROM_HERE(ga_moveaxis(x, GA_AXIS(0), GA_AXIS(1)));
    FROM_HERE(ga_expand_dims(x, GA_AXIS(0)));
    FROM_HERE(ga_squeeze(x, GA_ALL));
    FROM_HERE(ga_broadcast_to(x, GA_SHAPE(2, 2, 3)));
    FROM_HERE(ga_flip(x, GA_ALL));
    FROM_HERE(ga_diagonal(x, 0, 0, 1));
    FROM_HERE(ga_real(x));
    FROM_HERE(ga_imag(x));
    FROM_HERE(ga_view(x));
    FROM_HERE(ga_to_device(x, ga_device()));
    FROM_HERE(ga_add(x, 1));
    FROM_HERE(ga_neg(x));
    FROM_HERE(ga_where(x, x, 1));
    FROM_HERE(ga_clip(x, 0, GA_NONE));
    FROM_HERE(ga_round(x, 1));
    FROM_HERE(ga_nan_to_num(x, 0, 0, 0));
    FROM_HERE(ga_sum(x, GA_ALL));
    FROM_HERE(ga_nanargmax(x, GA_AXIS(0)));
    FROM_HERE(ga_std(x, GA_ALL, 0));
#undef FROM_HERE
}

TEST(the_listing_names_file_and_line) {
    GA_SCOPE;
    char text[4096] = "", want[2][600];
    int64_t before = ga_live_arrays();
    ga_zeros(GA_SHAPE(2, 3), GA_FLOAT32); int line = __LINE__;
    ga_arange(0, 5, 1);
    snprintf(want[0], sizeof want[0], "%s:%d: float32 (2,3) on device %d\n",
             __FILE__, line, ga_device());
    snprintf(want[1], sizeof want[1], "%s:%d: int64 (5,) on device %d\n",
             __FILE__, line + 1, ga_device());
    FILE *f = tmpfile();
    assert_non_null(f);
    T_CHECK(ga_list_arrays(f) == before + 2);
    rewind(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    int lines = 0;
    for (const char *p = text; *p; p++) lines += *p == '\n';
    T_CHECKF(lines == before + 2, "the listing has %d lines:\n%s", lines, text);
    for (int i = 0; i < 2; i++)
        T_CHECKF(strstr(text, want[i]), "no line\n%s      in\n%s", want[i],
                 text);
    T_CHECK(ga_list_arrays(NULL) == before + 2);    /* the number alone     */
}

/* Lists while others make and free. */
static atomic_int at_work;
static void *makes_and_frees(void *arg) {
    (void)arg;
    for (int i = 0; i < 2000; i++) {
        GA_SCOPE;
        ga_array *x = ga_empty(GA_SHAPE(1, 2, 3), GA_INT16);
        ga_free(ga_view(x));
    }
    atomic_fetch_sub(&at_work, 1);
    return NULL;
}
TEST(the_listing_beside_other_threads) {
    pthread_t id[2];
    FILE *f = fopen("/dev/null", "w");
    assert_non_null(f);
    atomic_store(&at_work, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&id[i], NULL, makes_and_frees, NULL),
                         0);
    while (atomic_load(&at_work)) T_CHECK(ga_list_arrays(f) >= 0);
    for (int i = 0; i < 2; i++) pthread_join(id[i], NULL);
    fclose(f);
}

/* Errors of the other kinds are as in every build. */
TEST(other_errors_as_ever) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(3), GA_INT8);
    T_CHECK(ga_slice(x, "5") == NULL);
    T_CHECK(!strcmp(ga_error_message(), "ga_slice: index 5 is out of bounds "
                    "for axis 0 with size 3"));
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(ga_sum(NULL, GA_ALL) == NULL);
    T_ERROR(GA_ERR_NULL);
}

int main(int argc, char **argv) {
    static const t_case cases[] = {{"leaks", leaks},
                                   {"leaks nothing", leaks_nothing}};
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(operations_on_a_freed_array), T(everything_else_on_a_freed_array),
        T(double_free_is_reported), T(the_scope_is_named_that_freed),
        T(out_of_memory_says_what_is_alive), T(leaks_are_told_at_exit),
        T(a_freed_array_is_remembered), T(origins),
        T(the_listing_names_file_and_line),
        T(the_listing_beside_other_threads), T(other_errors_as_ever),
    };
    return T_RUN("debug", tests);
}
