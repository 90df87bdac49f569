/* Bad input of every kind: each call must fail with its own status and a
   message that names operation and values, make nothing, and leave outputs as
   they were. test_debug.c has the errors of a debug build, test_alloc.c those
   of memory, test_devices.c those of processes and devices.                */
#define _POSIX_C_SOURCE 200809L
#include "test.h"
#include "child.h"

#include <inttypes.h>
#include <sys/stat.h>

/* ------------------------------------------------------ what is expected */
static bool seen[GA_NUM_STATUSES];      /* for the last test                */

/* `*` in the pattern stands for anything. */
static bool like(const char *text, const char *pattern) {
    for (; *pattern; pattern++, text++) {
        if (*pattern == '*') {
            for (; *text; text++)
                if (like(text, pattern + 1)) return true;
            return !pattern[1];
        }
        if (*pattern != *text) return false;
    }
    return !*text;
}
static void failed(int line, const char *call, bool result, int64_t live,
                   ga_status want, const char *text) {
    ga_status got = ga_error();
    seen[got] = true;
    T_CHECKF(result, "line %d: %s: not the result of a failure", line, call);
    T_CHECKF(got == want, "line %d: %s: %s expected, got %s (%s)", line, call,
             ga_status_name(want), ga_status_name(got), ga_error_message());
    T_CHECKF(like(ga_error_message(), text), "line %d: %s says\n      \"%s\", "
             "not\n      \"%s\"", line, call, ga_error_message(), text);
    T_CHECKF(ga_live_arrays() == live, "line %d: %s made arrays", line, call);
    ga_clear_error();
}
/* A call that returns a pointer: it is NULL. */
#define NO(call, status, text)                                              \
    do {                                                                    \
        int64_t live_ = ga_live_arrays();                                   \
        const void *r_ = (call);                                            \
        failed(__LINE__, #call, !r_, live_, status, text);                  \
    } while (0)
/* One that returns a status: it is this. */
#define BAD(call, status, text)                                             \
    do {                                                                    \
        int64_t live_ = ga_live_arrays();                                   \
        ga_status r_ = (call);                                              \
        failed(__LINE__, #call, r_ == (status), live_, status, text);       \
    } while (0)
/* Any other: `result` says what it is. */
#define IS(result, status, text)                                            \
    do {                                                                    \
        int64_t live_ = ga_live_arrays();                                   \
        bool r_ = (result);                                                 \
        failed(__LINE__, #result, r_, live_, status, text);                 \
    } while (0)

/* A call that returns an array, of whose elements a GPU tells at a wait. */
#define LATE(call, status, text)                                            \
    do {                                                                    \
        if (!t_on_gpu()) {                                                  \
            NO(call, status, text);                                         \
        } else {                                                            \
            T_CHECK((call) != NULL);                                        \
            BAD(ga_synchronize(), status, text);                            \
        }                                                                   \
    } while (0)

#define NULL_TEXT "an array argument is NULL"
#define NONE_TEXT "GA_NONE is not allowed here"

static ga_array *ints(void) {           /* int32 0..11 of shape (3,4)       */
    return ga_reshape(ga_arange_as(0, 12, 1, GA_INT32), GA_SHAPE(3, 4));
}
static ga_array *floats(void) { return ga_astype(ints(), GA_FLOAT32); }

/* The tables of the header as tables of functions. */
typedef ga_array *(*unary_fn)(const ga_array *);
typedef ga_status (*unary_into)(ga_array *, const ga_array *);
typedef ga_array *(*binary_fn)(const ga_array *, const ga_array *);
typedef ga_status (*binary_into)(ga_array *, const ga_array *,
                                 const ga_array *);
typedef ga_array *(*reduce_fn)(const ga_array *, ga_axis);
typedef ga_status (*reduce_into)(ga_array *, const ga_array *, ga_axis);
typedef ga_array *(*ddof_fn)(const ga_array *, ga_axis, double);
typedef ga_status (*ddof_into)(ga_array *, const ga_array *, ga_axis, double);
enum { SAME, BOOL, REAL, U8, SUM, MEAN, VAR, INDEX, COUNT };

#define ROW(n, t, r, ...) {"ga_" #n, t, r, (ga_##n), (ga_##n##_into)},
static const struct {
    const char *name;
    int types, result;
    unary_fn f;
    unary_into into;
} unary[] = {GA_UNARY_OPS(ROW)};
static const struct {
    const char *name;
    int types, result;
    binary_fn f;
    binary_into into;
} binary[] = {GA_BINARY_OPS(ROW)};
static const struct {
    const char *name;
    int types, result;
    reduce_fn f;
    reduce_into into;
} reductions[] = {GA_REDUCTIONS(ROW)};
static const struct {
    const char *name;
    int types, result;
    ddof_fn f;
    ddof_into into;
} ddofs[] = {GA_REDUCTIONS_DDOF(ROW)};
#undef ROW
#define ROW(n, of) {"ga_" #n, "ga_" #of, (ga_##n), (ga_##n##_into)},
static const struct {
    const char *name, *of;
    unary_fn f;
    unary_into into;
} unary_aliases[] = {GA_UNARY_ALIASES(ROW)};
static const struct {
    const char *name, *of;
    binary_fn f;
    binary_into into;
} binary_aliases[] = {GA_BINARY_ALIASES(ROW)};
#undef ROW

static char text_[256];
static const char *say(const char *fmt, ...) GA__PRINTF(1, 2);
static const char *say(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text_, sizeof text_, fmt, ap);
    va_end(ap);
    return text_;
}

/* ------------------------------------------------------ the sticky error */
TEST(the_first_error_stays) {
    GA_SCOPE;
    ga_array *x = floats();
    T_CHECK(ga_error() == GA_OK);
    T_CHECK(!strcmp(ga_error_message(), ""));
    T_CHECK(ga_reshape(x, GA_SHAPE(5)) == NULL);
    T_CHECK(ga_error() == GA_ERR_SHAPE);
    const char *first = "ga_reshape: an array of shape (3,4) and size 12 does "
                        "not reshape to (5,)";
    T_CHECK(!strcmp(ga_error_message(), first));
    T_CHECK(ga_sum(x, GA_AXIS(2)) == NULL);
    T_CHECK(ga_slice(x, "1:") != NULL);         /* good calls still work    */
    T_CHECK(ga_item(ga_sum(x, GA_ALL)) == 66);
    T_CHECK(ga_error() == GA_ERR_SHAPE);
    T_CHECK(!strcmp(ga_error_message(), first));
    ga_clear_error();
    T_CHECK(ga_error() == GA_OK);
    T_CHECK(!strcmp(ga_error_message(), ""));
    ga_clear_error();
    T_CHECK(ga_sum(x, GA_AXIS(2)) == NULL);     /* now it is told           */
    T_ERROR(GA_ERR_AXIS);
}
TEST(null_passes_while_an_error_is_pending) {
    GA_SCOPE;
    ga_array *x = floats();
    ga_array *y = ga_mul(ga_add(ga_slice(x, "7"), 1), x);
    T_CHECK(y == NULL);
    y = ga_sum(ga_sqrt(ga_transpose(ga_astype(y, GA_FLOAT64), GA_ALL)),
               GA_AXIS(0));
    T_CHECK(y == NULL);
    T_CHECK(isnan(ga_item(y)));
    T_CHECK(ga_asnumpy(y, NULL) == NULL);
    T_CHECK(ga_print(y) == GA_ERR_INDEX);
    T_CHECK(ga_add_into(y, x, 1) != GA_OK);
    T_CHECK(ga_assign(y, 1) != GA_OK);
    T_CHECK(!strcmp(ga_error_message(), "ga_slice: index 7 is out of bounds "
                    "for axis 0 with size 3"));
    T_ERROR(GA_ERR_INDEX);
    NO(ga_add(y, 1), GA_ERR_NULL, "ga_add: " NULL_TEXT);
}
TEST(names_of_codes) {
    T_CHECK(!strcmp(ga_status_name(GA_OK), "GA_OK"));
    T_CHECK(!strcmp(ga_status_name(GA_ERR_SHAPE), "GA_ERR_SHAPE"));
    T_CHECK(!strcmp(ga_status_name(GA_ERR_FILE_WRITE), "GA_ERR_FILE_WRITE"));
    T_CHECK(!strcmp(ga_status_name(GA_NUM_STATUSES), "?"));
    T_CHECK(!strcmp(ga_status_name((ga_status)-1), "?"));
    T_CHECK(!strcmp(ga_status_name((ga_status)12345), "?"));
    for (int i = 0; i < GA_NUM_STATUSES; i++)
        for (int j = 0; j < i; j++)
            T_CHECK(strcmp(ga_status_name((ga_status)i),
                           ga_status_name((ga_status)j)) != 0);
}
TEST(a_long_message_is_cut) {
    char path[3000];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    NO(ga_load_npy(path), GA_ERR_FILE_OPEN, "ga_load_npy: ...xxx*");
    T_CHECK(strlen(ga_error_message()) < 1024);
}

/* --------------------------------------------------------------- handlers */
static int handled;
static ga_status handled_status;
static char handled_text[200];
static void handler(ga_status s, const char *message) {
    handled++;
    handled_status = s;
    snprintf(handled_text, sizeof handled_text, "%s", message);
}
TEST(a_handler_sees_each_first_error) {
    GA_SCOPE;
    ga_array *x = floats();
    T_CHECK(ga_on_error(handler) == NULL);
    handled = 0;
    T_CHECK(ga_reshape(x, GA_SHAPE(5)) == NULL);
    T_CHECK(handled == 1 && handled_status == GA_ERR_SHAPE);
    T_CHECK(!strncmp(handled_text, "ga_reshape: ", 12));
    ga_reshape(x, GA_SHAPE(5));             /* pending: not told again      */
    (ga_add)(NULL, x);
    T_CHECK(handled == 1);
    ga_clear_error();
    (ga_add)(NULL, x);
    T_CHECK(handled == 2 && handled_status == GA_ERR_NULL);
    T_CHECK(ga_on_error(GA_PRINT) == handler);
    T_CHECK(ga_on_error(NULL) == GA_PRINT);
    T_CHECK(ga_on_error(NULL) == NULL);
    T_ERROR(GA_ERR_NULL);
}
/* A status is the call's own, though another error is pending or a handler
   clears each at once.                                                     */
static void forgetful(ga_status s, const char *message) {
    (void)s, (void)message;
    ga_clear_error();
}
TEST(a_status_is_the_calls_own) {
    GA_SCOPE;
    ga_array *x = floats(), *out = ga_zeros(GA_SHAPE(1), GA_FLOAT64);
    for (int round = 0; round < 2; round++) {
        if (round) ga_on_error(forgetful);
        else T_CHECK(ga_reshape(x, GA_SHAPE(5)) == NULL);
        T_CHECK((ga_sum_into)(out, x, GA_AXIS(5)) == GA_ERR_AXIS);
        T_CHECK(ga_negative_into(out, ga_zeros(GA_SHAPE(2), GA_BOOL))
                == GA_ERR_DTYPE);
        T_CHECK(ga_add_into(x, x, ga_zeros(GA_SHAPE(7), GA_INT8))
                == GA_ERR_SHAPE);
        T_CHECK(ga_set_device(-2) == GA_ERR_DEVICE);
        T_CHECK(ga_stream_wait(NULL, NULL) == GA_ERR_NULL);
        T_CHECK(ga_error() == (round ? GA_OK : GA_ERR_SHAPE));
        ga_clear_error();
    }
    T_CHECK(ga_on_error(NULL) == forgetful);
}
static int child_print(void) {
    GA_SCOPE;
    ga_on_error(GA_PRINT);
    ga_reshape(ga_zeros(GA_SHAPE(2, 3), GA_FLOAT32), GA_SHAPE(4));
    return ga_error() == GA_ERR_SHAPE ? 7 : 0;
}
static int child_exit(void) {
    GA_SCOPE;
    ga_on_error(GA_EXIT);
    ga_reshape(ga_zeros(GA_SHAPE(2, 3), GA_FLOAT32), GA_SHAPE(4));
    return 7;
}
#define PRINTED "gpuarr: ga_reshape: an array of shape (2,3) and size 6 does " \
                "not reshape to (4,) (GA_ERR_SHAPE)\n"
TEST(print_and_exit) {
    T_CHECK(T_CHILD("print", NULL) == 7);
    T_CHECKF(strstr(t_said, PRINTED), "GA_PRINT printed \"%s\"", t_said);
    T_CHECK(T_CHILD("exit", NULL) == 1);
    T_CHECKF(strstr(t_said, PRINTED), "GA_EXIT printed \"%s\"", t_said);
}

/* -------------------------------------------------------- NULL, and NONE */
TEST(null_arrays_element_wise) {
    GA_SCOPE;
    ga_array *x = ints(), *none = NULL;
    const ga_array *absent = GA_NONE;
    for (size_t i = 0; i < T_COUNT(unary); i++) {
        const char *n = unary[i].name;
        NO(unary[i].f(NULL), GA_ERR_NULL, say("%s: " NULL_TEXT, n));
        NO(unary[i].f(absent), GA_ERR_NULL, say("%s: " NONE_TEXT, n));
        BAD(unary[i].into(x, NULL), GA_ERR_NULL,
            say("%s_into: " NULL_TEXT, n));
        BAD(unary[i].into(NULL, x), GA_ERR_NULL,
            say("%s_into: " NULL_TEXT, n));
        BAD(unary[i].into(x, absent), GA_ERR_NULL,
            say("%s_into: " NONE_TEXT, n));
    }
    for (size_t i = 0; i < T_COUNT(binary); i++) {
        const char *n = binary[i].name;
        NO(binary[i].f(NULL, x), GA_ERR_NULL, say("%s: " NULL_TEXT, n));
        NO(binary[i].f(x, NULL), GA_ERR_NULL, say("%s: " NULL_TEXT, n));
        NO(binary[i].f(absent, x), GA_ERR_NULL, say("%s: " NONE_TEXT, n));
        NO(binary[i].f(x, absent), GA_ERR_NULL, say("%s: " NONE_TEXT, n));
        BAD(binary[i].into(x, x, NULL), GA_ERR_NULL,
            say("%s_into: " NULL_TEXT, n));
        BAD(binary[i].into(NULL, x, x), GA_ERR_NULL,
            say("%s_into: " NULL_TEXT, n));
        BAD(binary[i].into(x, absent, x), GA_ERR_NULL,
            say("%s_into: " NONE_TEXT, n));
    }
    for (size_t i = 0; i < T_COUNT(unary_aliases); i++) {
        NO(unary_aliases[i].f(NULL), GA_ERR_NULL,
           say("%s: " NULL_TEXT, unary_aliases[i].of));
        BAD(unary_aliases[i].into(NULL, x), GA_ERR_NULL,
            say("%s_into: " NULL_TEXT, unary_aliases[i].of));
    }
    for (size_t i = 0; i < T_COUNT(binary_aliases); i++) {
        NO(binary_aliases[i].f(NULL, x), GA_ERR_NULL,
           say("%s: " NULL_TEXT, binary_aliases[i].of));
        BAD(binary_aliases[i].into(NULL, x, x), GA_ERR_NULL,
            say("%s_into: " NULL_TEXT, binary_aliases[i].of));
    }
    NO(ga_where(none, x, x), GA_ERR_NULL, "ga_where: " NULL_TEXT);
    NO(ga_where(x, none, x), GA_ERR_NULL, "ga_where: " NULL_TEXT);
    NO(ga_where(x, x, none), GA_ERR_NULL, "ga_where: " NULL_TEXT);
    NO(ga_where(x, x, GA_NONE), GA_ERR_NULL, "ga_where: " NONE_TEXT);
    NO(ga_where(GA_NONE, x, x), GA_ERR_NULL, "ga_where: " NONE_TEXT);
    BAD(ga_where_into(NULL, x, x, x), GA_ERR_NULL,
        "ga_where_into: " NULL_TEXT);
    NO(ga_clip(none, 0, 1), GA_ERR_NULL, "ga_clip: " NULL_TEXT);
    NO(ga_clip(x, none, 1), GA_ERR_NULL, "ga_clip: " NULL_TEXT);
    NO(ga_clip(x, 0, none), GA_ERR_NULL, "ga_clip: " NULL_TEXT);
    NO(ga_clip(x, none, GA_NONE), GA_ERR_NULL, "ga_clip: " NULL_TEXT);
    NO(ga_clip(GA_NONE, 0, 1), GA_ERR_NULL, "ga_clip: " NONE_TEXT);
    BAD(ga_clip_into(NULL, x, 0, 1), GA_ERR_NULL, "ga_clip_into: " NULL_TEXT);
    NO(ga_round(none, 1), GA_ERR_NULL, "ga_round: " NULL_TEXT);
    NO(ga_round(GA_NONE, 1), GA_ERR_NULL, "ga_round: " NONE_TEXT);
    BAD(ga_round_into(NULL, x, 1), GA_ERR_NULL, "ga_round_into: " NULL_TEXT);
    BAD(ga_round_into(x, none, 1), GA_ERR_NULL, "ga_round_into: " NULL_TEXT);
    NO(ga_nan_to_num(none, 0, 0, 0), GA_ERR_NULL,
       "ga_nan_to_num: " NULL_TEXT);
    NO(ga_nan_to_num(GA_NONE, 0, 0, 0), GA_ERR_NULL,
       "ga_nan_to_num: " NONE_TEXT);
    BAD(ga_nan_to_num_into(x, none, 0, 0, 0), GA_ERR_NULL,
        "ga_nan_to_num_into: " NULL_TEXT);
    BAD(ga_nan_to_num_into(NULL, x, 0, 0, 0), GA_ERR_NULL,
        "ga_nan_to_num_into: " NULL_TEXT);
    ga_array *p = x, *q = x;
    BAD(ga_divmod(none, x, &p, &q), GA_ERR_NULL, "ga_divmod: " NULL_TEXT);
    BAD(ga_divmod(x, none, &p, &q), GA_ERR_NULL, "ga_divmod: " NULL_TEXT);
    BAD(ga_modf(none, &p, &q), GA_ERR_NULL, "ga_modf: " NULL_TEXT);
    BAD(ga_frexp(none, &p, &q), GA_ERR_NULL, "ga_frexp: " NULL_TEXT);
    BAD(ga_frexp(GA_NONE, &p, NULL), GA_ERR_NULL, "ga_frexp: " NONE_TEXT);
    T_CHECK(p == x && q == x);              /* outputs as they were         */
}

TEST(null_arrays_elsewhere) {
    GA_SCOPE;
    ga_array *x = ints(), *none = NULL;
    char host[64];
    for (size_t i = 0; i < T_COUNT(reductions); i++) {
        const char *n = reductions[i].name;
        NO(reductions[i].f(NULL, GA_ALL), GA_ERR_NULL,
           say("%s: " NULL_TEXT, n));
        NO(reductions[i].f(GA_NONE, GA_ALL), GA_ERR_NULL,
           say("%s: " NONE_TEXT, n));
        BAD(reductions[i].into(NULL, x, GA_ALL), GA_ERR_NULL,
            say("%s_into: " NULL_TEXT, n));
        BAD(reductions[i].into(x, NULL, GA_ALL), GA_ERR_NULL,
            say("%s_into: " NULL_TEXT, n));
    }
    for (size_t i = 0; i < T_COUNT(ddofs); i++) {
        const char *n = ddofs[i].name;
        NO(ddofs[i].f(NULL, GA_ALL, 0), GA_ERR_NULL, say("%s: " NULL_TEXT, n));
        NO(ddofs[i].f(GA_NONE, GA_ALL, 0), GA_ERR_NULL,
           say("%s: " NONE_TEXT, n));
        BAD(ddofs[i].into(NULL, x, GA_ALL, 0), GA_ERR_NULL,
            say("%s_into: " NULL_TEXT, n));
        BAD(ddofs[i].into(x, NULL, GA_ALL, 0), GA_ERR_NULL,
            say("%s_into: " NULL_TEXT, n));
    }
    NO(ga_keep(NULL), GA_ERR_NULL, "ga_keep: " NULL_TEXT);
    NO(ga_detach(NULL), GA_ERR_NULL, "ga_detach: " NULL_TEXT);
    IS(ga_shape_of(NULL).ndim == 0, GA_ERR_NULL, "ga_shape_of: " NULL_TEXT);
    NO(ga_to_device(NULL, GA_CPU), GA_ERR_NULL, "ga_to_device: " NULL_TEXT);
    NO(ga_full(GA_SHAPE(3), none, GA_INT8), GA_ERR_NULL,
       "ga_full: " NULL_TEXT);
    NO(ga_full(GA_SHAPE(3), GA_NONE, GA_INT8), GA_ERR_NULL,
       "ga_full: " NONE_TEXT);
    NO(ga_empty_like(NULL), GA_ERR_NULL, "ga_empty_like: " NULL_TEXT);
    NO(ga_zeros_like(NULL), GA_ERR_NULL, "ga_zeros_like: " NULL_TEXT);
    NO(ga_ones_like(NULL), GA_ERR_NULL, "ga_ones_like: " NULL_TEXT);
    NO(ga_full_like(NULL, 1), GA_ERR_NULL, "ga_full_like: " NULL_TEXT);
    NO(ga_full_like(x, none), GA_ERR_NULL, "ga_full_like: " NULL_TEXT);
    NO(ga_full_like(x, GA_NONE), GA_ERR_NULL, "ga_full_like: " NONE_TEXT);
    NO(ga_arange(none, 1, 1), GA_ERR_NULL, "ga_arange: " NULL_TEXT);
    NO(ga_arange(0, 1, GA_NONE), GA_ERR_NULL, "ga_arange: " NONE_TEXT);
    NO(ga_arange_as(0, none, 1, GA_INT8), GA_ERR_NULL,
       "ga_arange_as: " NULL_TEXT);
    NO(ga_wrap(NULL, GA_INT8, GA_SHAPE(3), NULL, GA_CPU, NULL, NULL),
       GA_ERR_NULL, "ga_wrap: the pointer is NULL");
    NO(ga_asarray((const float *)NULL, GA_SHAPE(3)), GA_ERR_NULL,
       "ga_asarray: the host pointer is NULL");
    NO(ga_asarray_async(NULL, GA_FLOAT32, GA_SHAPE(3)), GA_ERR_NULL,
       "ga_asarray_async: the host pointer is NULL");
    NO(ga_asnumpy(NULL, NULL), GA_ERR_NULL, "ga_asnumpy: " NULL_TEXT);
    NO(ga_asnumpy(NULL, host), GA_ERR_NULL, "ga_asnumpy: " NULL_TEXT);
    NO(ga_asnumpy_async(NULL, host), GA_ERR_NULL,
       "ga_asnumpy_async: " NULL_TEXT);
    NO(ga_asnumpy_async(x, NULL), GA_ERR_NULL,
       "ga_asnumpy_async: the destination is NULL");
    IS(isnan(ga_item(NULL)), GA_ERR_NULL, "ga_item: " NULL_TEXT);
    IS(isnan(ga_item(GA_NONE)), GA_ERR_NULL, "ga_item: " NONE_TEXT);
    IS(ga_item_i64(NULL) == 0, GA_ERR_NULL, "ga_item_i64: " NULL_TEXT);
    ga_complex128 z = ga_item_c128(NULL);
    double part[2];
    memcpy(part, &z, sizeof part);
    IS(isnan(part[0]), GA_ERR_NULL, "ga_item_c128: " NULL_TEXT);
    IS(isnan(ga_item_at(NULL, GA_INDEX(0))), GA_ERR_NULL,
       "ga_item_at: " NULL_TEXT);
    NO(ga_copy(NULL), GA_ERR_NULL, "ga_copy: " NULL_TEXT);
    NO(ga_astype(NULL, GA_INT8), GA_ERR_NULL, "ga_astype: " NULL_TEXT);
    NO(ga_ascontiguousarray(NULL), GA_ERR_NULL,
       "ga_ascontiguousarray: " NULL_TEXT);
    NO(ga_slice(NULL, ":"), GA_ERR_NULL, "ga_slice: " NULL_TEXT);
    NO(ga_slice_axis(NULL, 0, 0, 1, 1), GA_ERR_NULL,
       "ga_slice_axis: " NULL_TEXT);
    NO(ga_index_axis(NULL, 0, 0), GA_ERR_NULL, "ga_index_axis: " NULL_TEXT);
    NO(ga_reshape(NULL, GA_SHAPE(1)), GA_ERR_NULL, "ga_reshape: " NULL_TEXT);
    NO(ga_ravel(NULL), GA_ERR_NULL, "ga_ravel: " NULL_TEXT);
    NO(ga_transpose(NULL, GA_ALL), GA_ERR_NULL, "ga_transpose: " NULL_TEXT);
    NO(ga_swapaxes(NULL, 0, 0), GA_ERR_NULL, "ga_swapaxes: " NULL_TEXT);
    NO(ga_moveaxis(NULL, GA_AXIS(0), GA_AXIS(0)), GA_ERR_NULL,
       "ga_moveaxis: " NULL_TEXT);
    NO(ga_expand_dims(NULL, GA_AXIS(0)), GA_ERR_NULL,
       "ga_expand_dims: " NULL_TEXT);
    NO(ga_squeeze(NULL, GA_ALL), GA_ERR_NULL, "ga_squeeze: " NULL_TEXT);
    NO(ga_broadcast_to(NULL, GA_SHAPE(1)), GA_ERR_NULL,
       "ga_broadcast_to: " NULL_TEXT);
    NO(ga_flip(NULL, GA_ALL), GA_ERR_NULL, "ga_flip: " NULL_TEXT);
    NO(ga_diagonal(NULL, 0, 0, 1), GA_ERR_NULL, "ga_diagonal: " NULL_TEXT);
    NO(ga_real(NULL), GA_ERR_NULL, "ga_real: " NULL_TEXT);
    NO(ga_imag(NULL), GA_ERR_NULL, "ga_imag: " NULL_TEXT);
    NO(ga_view(NULL), GA_ERR_NULL, "ga_view: " NULL_TEXT);
    NO(ga_slice(GA_NONE, ":"), GA_ERR_NULL, "ga_slice: " NONE_TEXT);
    NO(ga_reshape(GA_NONE, GA_SHAPE(1)), GA_ERR_NULL,
       "ga_reshape: " NONE_TEXT);
    BAD(ga_assign(NULL, 1), GA_ERR_NULL, "ga_assign: " NULL_TEXT);
    BAD(ga_assign(x, none), GA_ERR_NULL, "ga_assign: " NULL_TEXT);
    BAD(ga_assign(x, GA_NONE), GA_ERR_NULL, "ga_assign: " NONE_TEXT);
    BAD(ga_save_npy("/dev/null", NULL), GA_ERR_NULL,
        "ga_save_npy: " NULL_TEXT);
    BAD(ga_save_npy(NULL, x), GA_ERR_NULL, "ga_save_npy: the path is NULL");
    NO(ga_load_npy(NULL), GA_ERR_NULL, "ga_load_npy: the path is NULL");
    BAD(ga_print(NULL), GA_ERR_NULL, "ga_print: " NULL_TEXT);
    BAD(ga_fprint(stderr, NULL), GA_ERR_NULL, "ga_fprint: " NULL_TEXT);
    BAD(ga_fprint(NULL, x), GA_ERR_NULL, "ga_fprint: the file is NULL");
    NO(ga_tostring(NULL), GA_ERR_NULL, "ga_tostring: " NULL_TEXT);
    NO(ga_repr(NULL), GA_ERR_NULL, "ga_repr: " NULL_TEXT);
    NO(ga_repr(GA_NONE), GA_ERR_NULL, "ga_repr: " NONE_TEXT);
    BAD(ga_device_info(GA_CPU, NULL), GA_ERR_NULL,
        "ga_device_info: the result pointer is NULL");
    BAD(ga_mem_info(GA_CPU, NULL), GA_ERR_NULL,
        "ga_mem_info: the result pointer is NULL");
    T_CHECK(!ga_is_contiguous(NULL));       /* a question, not an error     */
    ga_free(NULL);
    ga_pinned_free(NULL);
    ga_stream_destroy(NULL);
    ga_event_destroy(NULL);
    ga_graph_destroy(NULL);
    T_FINE();
}

/* ------------------------------------------ dtypes, shapes, axes, indices */
TEST(numbers_that_are_no_dtypes) {
    const ga_dtype bad[] = {GA_NUM_DTYPES, (ga_dtype)-1, (ga_dtype)99};
    char buf[16] = {0};
    GA_SCOPE;
    ga_array *x = floats();
    for (size_t i = 0; i < T_COUNT(bad); i++) {
        ga_dtype t = bad[i];
        int k = (int)t;
        NO(ga_empty(GA_SHAPE(2), t), GA_ERR_DTYPE,
           say("ga_empty: %d is not a dtype", k));
        NO(ga_zeros(GA_SHAPE(2), t), GA_ERR_DTYPE,
           say("ga_zeros: %d is not a dtype", k));
        NO(ga_ones(GA_SHAPE(2), t), GA_ERR_DTYPE,
           say("ga_ones: %d is not a dtype", k));
        NO(ga_full(GA_SHAPE(2), 1, t), GA_ERR_DTYPE,
           say("ga_full: %d is not a dtype", k));
        NO(ga_arange_as(0, 5, 1, t), GA_ERR_DTYPE,
           say("ga_arange_as: %d is not a dtype", k));
        NO(ga_linspace_as(0, 5, 6, true, t), GA_ERR_DTYPE,
           say("ga_linspace_as: %d is not a dtype", k));
        NO(ga_eye(2, 2, 0, t), GA_ERR_DTYPE,
           say("ga_eye: %d is not a dtype", k));
        NO(ga_identity(2, t), GA_ERR_DTYPE,
           say("ga_identity: %d is not a dtype", k));
        NO(ga_wrap(buf, t, GA_SHAPE(1), NULL, GA_CPU, NULL, NULL),
           GA_ERR_DTYPE, say("ga_wrap: %d is not a dtype", k));
        NO(ga_asarray_as(buf, t, GA_SHAPE(1)), GA_ERR_DTYPE,
           say("ga_asarray: %d is not a dtype", k));
        NO(ga_asarray_async(buf, t, GA_SHAPE(1)), GA_ERR_DTYPE,
           say("ga_asarray_async: %d is not a dtype", k));
        NO(ga_astype(x, t), GA_ERR_DTYPE,
           say("ga_astype: %d is not a dtype", k));
        T_CHECK(ga_dtype_size(t) == 0);
        T_CHECK(!strcmp(ga_dtype_name(t), "?"));
        T_CHECK(ga_promote_types(t, GA_INT8) == GA_NUM_DTYPES);
        T_CHECK(ga_promote_types(GA_INT8, t) == GA_NUM_DTYPES);
        T_CHECK(!ga_can_cast(t, GA_INT8) && !ga_can_cast(GA_INT8, t));
    }
}

TEST(impossible_shapes) {
    const int64_t big = INT64_C(1) << 32;
    char buf[16] = {0};
    ga_shape minus = {-1, {0}};
    GA_SCOPE;
    ga_array *x = floats();
    NO(ga_empty(GA_SHAPE(3, -1), GA_INT8), GA_ERR_SHAPE,
       "ga_empty: negative length in shape (3,-1)");
    NO(ga_zeros(GA_SHAPE(-7), GA_INT8), GA_ERR_SHAPE,
       "ga_zeros: negative length in shape (-7,)");
    NO(ga_zeros(GA_SHAPE(0, -7), GA_INT8), GA_ERR_SHAPE,
       "ga_zeros: negative length in shape (0,-7)");
    NO(ga_ones(GA_SHAPE(INT64_MIN), GA_INT8), GA_ERR_SHAPE,
       "ga_ones: negative length in shape (-9223372036854775808,)");
    NO(ga_full(GA_SHAPE(-1), 1, GA_INT8), GA_ERR_SHAPE, "ga_full: negative *");
    NO(ga_eye(-1, 3, 0, GA_INT8), GA_ERR_SHAPE,
       "ga_eye: negative length in shape (-1,3)");
    NO(ga_identity(-2, GA_INT8), GA_ERR_SHAPE,
       "ga_identity: negative length in shape (-2,-2)");
    NO(ga_wrap(buf, GA_INT8, GA_SHAPE(-1), NULL, GA_CPU, NULL, NULL),
       GA_ERR_SHAPE, "ga_wrap: negative length in shape (-1,)");
    NO(ga_asarray(buf, GA_SHAPE(4, -4)), GA_ERR_SHAPE,
       "ga_asarray: negative length in shape (4,-4)");
    NO(ga_broadcast_to(x, GA_SHAPE(-3, 4)), GA_ERR_SHAPE,
       "ga_broadcast_to: negative length in shape (-3,4)");
    NO(ga_reshape(x, GA_SHAPE(-2, -6)), GA_ERR_SHAPE,
       "ga_reshape: negative length in shape (-2,-6)");
    /* nine dimensions, and minus one */
    NO(ga_empty(GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), GA_INT8), GA_ERR_SHAPE,
       "ga_empty: 9 dimensions; 0 to 8 are possible");
    NO(ga_zeros(GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), GA_INT8),
       GA_ERR_SHAPE, "ga_zeros: 12 dimensions; 0 to 8 are possible");
    NO(ga_zeros(minus, GA_INT8), GA_ERR_SHAPE,
       "ga_zeros: -1 dimensions; 0 to 8 are possible");
    NO(ga_full(GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), 1, GA_INT8), GA_ERR_SHAPE,
       "ga_full: 9 dimensions*");
    NO(ga_asarray(buf, GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1)), GA_ERR_SHAPE,
       "ga_asarray: 9 dimensions*");
    NO(ga_wrap(buf, GA_INT8, GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), NULL, GA_CPU,
               NULL, NULL), GA_ERR_SHAPE, "ga_wrap: 9 dimensions*");
    NO(ga_wrap(buf, GA_INT8, minus, NULL, GA_CPU, NULL, NULL), GA_ERR_SHAPE,
       "ga_wrap: -1 dimensions*");
    NO(ga_reshape(x, GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 12)), GA_ERR_SHAPE,
       "ga_reshape: 9 dimensions; 0 to 8 are possible");
    NO(ga_reshape(x, minus), GA_ERR_SHAPE, "ga_reshape: -1 dimensions*");
    NO(ga_broadcast_to(x, GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 3, 4)), GA_ERR_SHAPE,
       "ga_broadcast_to: 9 dimensions*");
    NO(ga_broadcast_to(x, minus), GA_ERR_SHAPE,
       "ga_broadcast_to: -1 dimensions*");
    /* more bytes than there are numbers for */
    NO(ga_empty(GA_SHAPE(big, big), GA_INT8), GA_ERR_SIZE,
       "ga_empty: shape (4294967296,4294967296) of int8 is too large");
    NO(ga_zeros(GA_SHAPE(INT64_MAX), GA_INT16), GA_ERR_SIZE,
       "ga_zeros: shape (9223372036854775807,) of int16 is too large");
    NO(ga_ones(GA_SHAPE(INT64_MAX / 8 + 1), GA_FLOAT64), GA_ERR_SIZE,
       "ga_ones: shape (1152921504606846976,) of float64 is too large");
    NO(ga_full(GA_SHAPE(big, big, big), 0, GA_INT8), GA_ERR_SIZE, "ga_full: *");
    NO(ga_eye(big, big, 0, GA_INT8), GA_ERR_SIZE, "ga_eye: *");
    NO(ga_identity(big, GA_INT8), GA_ERR_SIZE, "ga_identity: *");
    NO(ga_linspace(0, 1, INT64_MAX), GA_ERR_SIZE,
       "ga_linspace: shape (9223372036854775807,) of float64 is too large");
    NO(ga_logspace(0, 1, INT64_MAX, 10), GA_ERR_SIZE, "ga_logspace: *");
    NO(ga_geomspace(1, 2, INT64_MAX), GA_ERR_SIZE, "ga_geomspace: *");
    NO(ga_arange(0, INT64_MAX, 1), GA_ERR_SIZE, "ga_arange: *");
    NO(ga_arange(INT64_MIN, INT64_MAX, 1), GA_ERR_SIZE, "ga_arange: *");
    NO(ga_asarray(buf, GA_SHAPE(big, big)), GA_ERR_SIZE, "ga_asarray: *");
    NO(ga_wrap(buf, GA_INT8, GA_SHAPE(big, big), NULL, GA_CPU, NULL, NULL),
       GA_ERR_SIZE, "ga_wrap: *");
    NO(ga_broadcast_to(x, GA_SHAPE(big, big, 3, 4)), GA_ERR_SIZE,
       "ga_broadcast_to: *");
    ga_array *wide = ga_broadcast_to(ga_zeros(GA_SHAPE(1, 1), GA_INT8),
                                     GA_SHAPE(big, 1));
    ga_array *high = ga_transpose(wide, GA_ALL);
    NO(ga_add(wide, high), GA_ERR_SIZE,
       "ga_add: shape (4294967296,4294967296) of int8 is too large");
    NO(ga_where(true, wide, high), GA_ERR_SIZE, "ga_where: *");
    /* a zero length is no excuse for the others */
    NO(ga_zeros(GA_SHAPE(big, big, 0), GA_FLOAT64), GA_ERR_SIZE,
       "ga_zeros: shape (4294967296,4294967296,0) of float64 is too large");
}

TEST(reshape_that_does_not_fit) {
    GA_SCOPE;
    ga_array *x = floats();
    NO(ga_reshape(x, GA_SHAPE(5, 2)), GA_ERR_SHAPE, "ga_reshape: an array of "
       "shape (3,4) and size 12 does not reshape to (5,2)");
    NO(ga_reshape(x, GA_SCALAR_SHAPE), GA_ERR_SHAPE, "ga_reshape: an array of "
       "shape (3,4) and size 12 does not reshape to ()");
    NO(ga_reshape(x, GA_SHAPE(5, -1)), GA_ERR_SHAPE, "ga_reshape: an array of "
       "shape (3,4) and size 12 does not reshape to (5,-1)");
    NO(ga_reshape(x, GA_SHAPE(0, -1)), GA_ERR_SHAPE, "ga_reshape: an array of "
       "shape (3,4) and size 12 does not reshape to (0,-1)");
    NO(ga_reshape(x, GA_SHAPE(-1, 3, -1)), GA_ERR_SHAPE, "ga_reshape: -1 is "
       "possible once in a shape, not twice as in (-1,3,-1)");
    NO(ga_reshape(x, GA_SHAPE(0)), GA_ERR_SHAPE, "ga_reshape: *");
    ga_array *e = ga_zeros(GA_SHAPE(0, 3), GA_INT8);
    NO(ga_reshape(e, GA_SHAPE(0, -1)), GA_ERR_SHAPE, "ga_reshape: *");
    NO(ga_reshape(e, GA_SHAPE(1)), GA_ERR_SHAPE, "ga_reshape: *");
    NO(ga_reshape(x, GA_SHAPE(INT64_MAX, 3)), GA_ERR_SIZE, "ga_reshape: *");
}

TEST(axes_that_are_not_there) {
    GA_SCOPE;
    ga_array *x = floats();
    ga_array *s = ga_full(GA_SCALAR_SHAPE, 1, GA_INT8);
    for (size_t i = 0; i < T_COUNT(reductions); i++) {
        const char *n = reductions[i].name;
        NO(reductions[i].f(x, GA_AXIS(2)), GA_ERR_AXIS,
           say("%s: axis 2 is out of range for 2 dimensions", n));
        NO(reductions[i].f(x, GA_AXIS_KEEP(-3)), GA_ERR_AXIS,
           say("%s: axis -3 is out of range for 2 dimensions", n));
        NO(reductions[i].f(s, GA_AXIS(0)), GA_ERR_AXIS,
           say("%s: axis 0 is out of range for 0 dimensions", n));
        NO(reductions[i].f(x, GA_AXIS(0, -2)), GA_ERR_AXIS, say("%s: *", n));
    }
    for (size_t i = 0; i < T_COUNT(ddofs); i++) {
        const char *n = ddofs[i].name;
        NO(ddofs[i].f(x, GA_AXIS(2), 0), GA_ERR_AXIS,
           say("%s: axis 2 is out of range for 2 dimensions", n));
        NO(ddofs[i].f(x, GA_AXIS(1, 1), 1), GA_ERR_AXIS,
           say("%s: axis 1 is given twice", n));
        NO(ddofs[i].f(s, GA_AXIS(-1), 1), GA_ERR_AXIS,
           say("%s: axis -1 is out of range for 0 dimensions", n));
    }
    NO(ga_sum(x, GA_AXIS(0, -2)), GA_ERR_AXIS,
       "ga_sum: axis -2 is given twice");
    NO(ga_sum(x, GA_AXIS(0, 0, 0, 0, 0, 0, 0, 0, 0)), GA_ERR_AXIS,
       "ga_sum: 9 axes given; at most 8 are possible");
    NO(ga_transpose(x, GA_AXIS(0)), GA_ERR_AXIS,
       "ga_transpose: 1 axes given for an array of 2 dimensions");
    NO(ga_transpose(x, GA_AXIS(0, 2)), GA_ERR_AXIS,
       "ga_transpose: axis 2 is out of range for 2 dimensions");
    NO(ga_transpose(x, GA_AXIS(1, 1)), GA_ERR_AXIS,
       "ga_transpose: axis 1 is given twice");
    NO(ga_transpose(x, GA_AXIS(0, 1, 2, 3, 4, 5, 6, 7, 8)), GA_ERR_AXIS,
       "ga_transpose: 9 axes given; at most 8 are possible");
    NO(ga_swapaxes(x, 0, 2), GA_ERR_AXIS,
       "ga_swapaxes: axis 2 is out of range for 2 dimensions");
    NO(ga_swapaxes(x, -3, 0), GA_ERR_AXIS,
       "ga_swapaxes: axis -3 is out of range for 2 dimensions");
    NO(ga_moveaxis(x, GA_AXIS(2), GA_AXIS(0)), GA_ERR_AXIS,
       "ga_moveaxis: axis 2 is out of range for 2 dimensions");
    NO(ga_moveaxis(x, GA_AXIS(0), GA_AXIS(-3)), GA_ERR_AXIS,
       "ga_moveaxis: axis -3 is out of range for 2 dimensions");
    NO(ga_moveaxis(x, GA_AXIS(0, 1), GA_AXIS(0)), GA_ERR_AXIS,
       "ga_moveaxis: 2 axes cannot move to 1 places");
    NO(ga_moveaxis(x, GA_AXIS(0, 0), GA_AXIS(0, 1)), GA_ERR_AXIS,
       "ga_moveaxis: axis 0 is given twice");
    NO(ga_moveaxis(x, GA_AXIS(0, 1), GA_AXIS(1, 1)), GA_ERR_AXIS,
       "ga_moveaxis: axis 1 is given twice");
    NO(ga_expand_dims(x, GA_AXIS(3)), GA_ERR_AXIS,
       "ga_expand_dims: axis 3 is out of range for 3 dimensions");
    NO(ga_expand_dims(x, GA_AXIS(1, 1)), GA_ERR_AXIS,
       "ga_expand_dims: axis 1 is given twice");
    NO(ga_expand_dims(x, GA_ALL), GA_ERR_AXIS,
       "ga_expand_dims: GA_ALL is no *");
    NO(ga_expand_dims(x, GA_AXIS(0, 1, 2, 3, 4, 5, 6)), GA_ERR_SHAPE,
       "ga_expand_dims: 7 more dimensions for shape (3,4); 8 in all are "
       "possible");
    NO(ga_expand_dims(x, GA_AXIS(0, 1, 2, 3, 4, 5, 6, 7, 8)), GA_ERR_SHAPE,
       "ga_expand_dims: 9 more dimensions for shape (3,4); *");
    NO(ga_squeeze(x, GA_AXIS(1)), GA_ERR_SHAPE,
       "ga_squeeze: axis 1 of shape (3,4) does not have length 1");
    NO(ga_squeeze(x, GA_AXIS(2)), GA_ERR_AXIS,
       "ga_squeeze: axis 2 is out of range for 2 dimensions");
    NO(ga_flip(x, GA_AXIS(2)), GA_ERR_AXIS,
       "ga_flip: axis 2 is out of range for 2 dimensions");
    NO(ga_flip(x, GA_AXIS(0, 0)), GA_ERR_AXIS,
       "ga_flip: axis 0 is given twice");
    NO(ga_diagonal(x, 0, 0, 0), GA_ERR_AXIS,
       "ga_diagonal: axis1 and axis2 are both axis 0");
    NO(ga_diagonal(x, 0, 1, -1), GA_ERR_AXIS,
       "ga_diagonal: axis1 and axis2 are both axis 1");
    NO(ga_diagonal(x, 0, 0, 2), GA_ERR_AXIS,
       "ga_diagonal: axis 2 is out of range for 2 dimensions");
    ga_array *flat = ga_ravel(x);
    NO(ga_diagonal(flat, 0, 0, 1), GA_ERR_AXIS,
       "ga_diagonal: axis 1 is out of range for 1 dimensions");
    NO(ga_slice_axis(x, 2, 0, 1, 1), GA_ERR_AXIS,
       "ga_slice_axis: axis 2 is out of range for 2 dimensions");
    NO(ga_index_axis(x, -3, 0), GA_ERR_AXIS,
       "ga_index_axis: axis -3 is out of range for 2 dimensions");
    NO(ga_index_axis(s, 0, 0), GA_ERR_AXIS,
       "ga_index_axis: axis 0 is out of range for 0 dimensions");
}

TEST(indices_out_of_range) {
    GA_SCOPE;
    ga_array *x = floats(), *e = ga_zeros(GA_SHAPE(0), GA_INT8);
    NO(ga_slice(x, "3"), GA_ERR_INDEX,
       "ga_slice: index 3 is out of bounds for axis 0 with size 3");
    NO(ga_slice(x, ":, -5"), GA_ERR_INDEX,
       "ga_slice: index -5 is out of bounds for axis 1 with size 4");
    NO(ga_slice(x, "%d", 12), GA_ERR_INDEX,
       "ga_slice: index 12 is out of bounds for axis 0 with size 3");
    NO(ga_slice(x, "%" PRId64, INT64_MIN), GA_ERR_INDEX, "ga_slice: index "
       "-9223372036854775808 is out of bounds for axis 0 with size 3");
    NO(ga_slice(e, "0"), GA_ERR_INDEX,
       "ga_slice: index 0 is out of bounds for axis 0 with size 0");
    NO(ga_slice(e, "-1"), GA_ERR_INDEX, "ga_slice: index -1 *");
    NO(ga_slice(x, "0, 0, 0"), GA_ERR_INDEX, "ga_slice: too many indices: the "
       "array has 2 dimensions, but 3 were indexed by \"0, 0, 0\"");
    NO(ga_slice(x, "..., :, :, 1"), GA_ERR_INDEX,
       "ga_slice: too many indices*");
    NO(ga_slice(x, "99999999999999999999"), GA_ERR_INDEX,
       "ga_slice: the index does not fit in int64, at character 1\n"
       "    99999999999999999999\n    ^");
    NO(ga_slice(x, "newaxis,newaxis,newaxis,newaxis,newaxis,newaxis,newaxis"),
       GA_ERR_SHAPE, "ga_slice: \"newaxis,*\" gives 9 dimensions; 8 are "
       "possible");
    NO(ga_slice(x, ":,:,:,:,:,:,:,:,:,:,:,:,:,:,:,:,:,:,:,:"), GA_ERR_INDEX,
       "ga_slice: too many indices*");
    NO(ga_index_axis(x, 1, 4), GA_ERR_INDEX,
       "ga_index_axis: index 4 is out of bounds for axis 1 with size 4");
    NO(ga_index_axis(x, 0, INT64_MAX), GA_ERR_INDEX, "ga_index_axis: *");
    NO(ga_index_axis(x, 0, INT64_MIN), GA_ERR_INDEX, "ga_index_axis: *");
    NO(ga_slice_axis(x, 0, 0, 3, 0), GA_ERR_VALUE,
       "ga_slice_axis: the step cannot be zero");
    IS(isnan(ga_item_at(x, GA_INDEX(0, 4))), GA_ERR_INDEX,
       "ga_item_at: index 4 is out of bounds for axis 1 with size 4");
    IS(isnan(ga_item_at(x, GA_INDEX(-4, 0))), GA_ERR_INDEX,
       "ga_item_at: index -4 is out of bounds for axis 0 with size 3");
    IS(isnan(ga_item_at(x, GA_INDEX(0))), GA_ERR_INDEX,
       "ga_item_at: 1 indices for shape (3,4)");
    IS(isnan(ga_item_at(x, GA_SCALAR_SHAPE)), GA_ERR_INDEX,
       "ga_item_at: 0 indices for shape (3,4)");
    IS(isnan(ga_item_at(x, GA_INDEX(0, 0, 0, 0, 0, 0, 0, 0, 0))), GA_ERR_INDEX,
       "ga_item_at: 9 indices for shape (3,4)");
    /* slices clip, as in NumPy, even at the ends of int64 */
    ga_array *v = ga_slice(x, "-9223372036854775808:9223372036854775807, "
                           "99999999999999999999::-99999999999999999999");
    T_CHECK(v && v->shape[0] == 3 && v->shape[1] == 1);
    v = ga_slice_axis(x, 1, INT64_MIN, INT64_MAX - 1, INT64_MAX);
    T_CHECK(v && v->shape[1] == 1);
    v = ga_slice_axis(x, 1, GA_END, GA_END, INT64_MIN);
    T_CHECK(v && v->shape[1] == 1);
}

TEST(slice_strings_that_do_not_parse) {
    static const struct { const char *s, *text; } bad[] = {
        {"", "an index is missing, at character 1\n    \n    ^"},
        {"   ", "an index is missing, at character 4\n       \n       ^"},
        {",", "expected an integer, ':', '...' or newaxis, at character 1\n"
              "    ,\n    ^"},
        {"1,,2", "expected an integer, ':', '...' or newaxis, at character 3\n"
                 "    1,,2\n      ^"},
        {"1:2:3:4", "expected ',', at character 6\n    1:2:3:4\n         ^"},
        {"1 2", "expected ',' or ':', at character 3\n    1 2\n      ^"},
        {"a", "expected an integer, ':', '...' or newaxis, at character 1\n"
              "    a\n    ^"},
        {"1.5", "expected ',' or ':', at character 2\n    1.5\n     ^"},
        {"0x1", "expected ',' or ':', at character 2*"},
        {"1:b", "expected ',', at character 3\n    1:b\n      ^"},
        {"..", "expected an integer, *"},
        {"....", "expected ',', at character 4*"},
        {"..., ...", "\"...\" is possible once, at character 6*"},
        {"newaxi", "expected an integer, *"},
        {"newaxiss", "expected an integer, *"},
        {"Nonesuch", "expected an integer, *"},
        {"- ", "expected an integer, *"},
        {"--1", "expected an integer, *"},
        {"+-1", "expected an integer, *"},
        {"1:-", "expected ',', at character 3*"},
        {"[1]", "expected an integer, *"},
        {"(1,)", "expected an integer, *"},
        {"1;2", "expected ',' or ':', *"},
        {"True", "expected an integer, *"},
        {"\001", "expected an integer, *"},
        {"1\xff", "expected ',' or ':', *"},
        {"%%", "expected an integer, *"},
    };
    GA_SCOPE;
    ga_array *x = floats();
    for (size_t i = 0; i < T_COUNT(bad); i++)
        NO(ga_slice(x, "%s", bad[i].s), GA_ERR_SYNTAX,
           say("ga_slice: %s", bad[i].text));
    NO(ga_slice(x, "::0"), GA_ERR_VALUE, "ga_slice: the step cannot be zero, "
       "at character 3\n    ::0\n      ^");
    NO(ga_slice(x, "1, ::-0"), GA_ERR_VALUE, "ga_slice: the step cannot be *");
    NO(ga_slice(x, "%s", (const char *)"%d"), GA_ERR_SYNTAX, "ga_slice: *");
    ga_array *(*slice)(const ga_array *, const char *, ...) = ga_slice;
    NO(slice(x, NULL), GA_ERR_NULL, "ga_slice: the text is NULL");
    /* longer than any index: refused, and the message stays short */
    char longer[4000];
    memset(longer, '1', sizeof longer);
    longer[sizeof longer - 1] = 0;
    NO(ga_slice(x, "%s", longer), GA_ERR_SYNTAX,
       "ga_slice: the text has 3999 characters; 512 are possible");
    memset(longer, ':', 2);             /* numbers of slices saturate       */
    longer[400] = 0;
    longer[200] = '!';
    NO(ga_slice(x, "%s", longer), GA_ERR_SYNTAX, "ga_slice: expected ',', at "
       "character 201\n    1*!1*\n    *^");
}

/* A C number where an array is meant: possible by GA_ARG, or from C++. */
TEST(numbers_where_arrays_are_meant) {
    GA_SCOPE;
    ga_array *x = floats();
    double zero = 0;
    NO((ga_reshape)(GA_ARG(5), GA_SHAPE(1)), GA_ERR_VALUE,
       "ga_reshape: a C number has no views");
    NO((ga_ravel)(GA_ARG(5)), GA_ERR_VALUE,
       "ga_ravel: a C number has no views");
    NO((ga_slice)(GA_ARG(5), "..."), GA_ERR_VALUE,
       "ga_slice: a C number has no views");
    NO((ga_transpose)(GA_ARG(5.0), GA_ALL), GA_ERR_VALUE,
       "ga_transpose: a C number has no views");
    NO((ga_expand_dims)(GA_ARG(5), GA_AXIS(0)), GA_ERR_VALUE,
       "ga_expand_dims: a C number has no views");
    NO((ga_squeeze)(GA_ARG(5), GA_ALL), GA_ERR_VALUE,
       "ga_squeeze: a C number has no views");
    NO((ga_broadcast_to)(GA_ARG(5), GA_SHAPE(3)), GA_ERR_VALUE,
       "ga_broadcast_to: a C number has no views");
    NO((ga_flip)(GA_ARG(5), GA_ALL), GA_ERR_VALUE,
       "ga_flip: a C number has no views");
    NO((ga_view)(GA_ARG(5)), GA_ERR_VALUE, "ga_view: a C number has no views");
    NO((ga_real)(GA_ARG(5)), GA_ERR_VALUE, "ga_real: a C number has no views");
    NO((ga_to_device)(GA_ARG(5), GA_CPU), GA_ERR_VALUE,
       "ga_to_device: a C number has no device");
    NO((ga_slice)(GA_ARG(5), "0"), GA_ERR_VALUE,
       "ga_slice: a C number has no views");
    NO((ga_moveaxis)(GA_ARG(5), GA_AXIS(0), GA_AXIS(0)), GA_ERR_AXIS,
       "ga_moveaxis: axis 0 is out of range for 0 dimensions");
    NO((ga_sum)(GA_ARG(5), GA_ALL), GA_ERR_VALUE,
       "ga_sum: a C number has no axes; an array is needed");
    NO((ga_argmax)(GA_ARG(5), GA_AXIS(0)), GA_ERR_VALUE,
       "ga_argmax: a C number has no axes; an array is needed");
    ga_array number;
    BAD((ga_add_into)((ga_array *)(uintptr_t)ga__arg_i(5, &number), x, x),
        GA_ERR_VALUE, "ga_add_into: a C number cannot be written");
    BAD((ga_assign)((ga_array *)(uintptr_t)ga__arg_i(5, &number), GA_ARG(1)),
        GA_ERR_VALUE, "ga_assign: a C number cannot be written");
    BAD((ga_sum_into)((ga_array *)(uintptr_t)ga__arg_i(5, &number), x, GA_ALL),
        GA_ERR_VALUE, "ga_sum_into: *");
    /* where a value is enough a number is one */
    T_CHECK(ga_item(GA_ARG(5)) == 5);
    T_CHECK(ga_item_i64(GA_ARG(-7)) == -7);
    T_CHECK(ga_asnumpy(GA_ARG(2.5), &zero) == &zero && zero == 2.5);
    ga_array *c = (ga_copy)(GA_ARG(3));
    T_CHECK(c && c->ndim == 0 && ga_item_i64(c) == 3);
    T_CHECK(c && c->dtype == GA_INT64);
    /* freeing, keeping one does no harm */
    ga_free((ga_array *)(uintptr_t)ga__arg_f(1.5, &number));
    T_FINE();
}

/* ---------------------------------------------------------- element-wise */
/* Does a row of these types take t, by NumPy's rules? */
static bool takes(int types, ga_dtype t) {
    if (t == GA_BOOL) return (types & GA__B) || (!(types & GA__N)
                                                 && (types & (GA__I | GA__F)));
    if (t_is_int(t)) return types & (GA__I | GA__F);
    if (t_is_complex(t)) return types & GA__C;
    return types & GA__F;
}
TEST(dtypes_an_operation_does_not_have) {
    int refused = 0;
    GA_SCOPE;
    for (int k = 0; k < GA_NUM_DTYPES; k++) {
        GA_SCOPE;
        ga_dtype t = (ga_dtype)k;
        ga_array *x = ga_ones(GA_SHAPE(3), t);
        ga_array *o = ga_ones(GA_SHAPE(3), GA_COMPLEX128);
        for (size_t i = 0; i < T_COUNT(unary); i++) {
            GA_SCOPE;
            const char *n = unary[i].name;
            if (takes(unary[i].types, t)) {
                T_CHECKF(unary[i].f(x) != NULL, "%s of %s: %s", n,
                         ga_dtype_name(t), ga_error_message());
                ga_clear_error();
                continue;
            }
            refused++;
            NO(unary[i].f(x), GA_ERR_DTYPE, say("%s: %s is not supported", n,
                                                ga_dtype_name(t)));
            BAD(unary[i].into(o, x), GA_ERR_DTYPE,
                say("%s_into: %s is not supported", n, ga_dtype_name(t)));
        }
        for (size_t i = 0; i < T_COUNT(binary); i++) {
            GA_SCOPE;
            const char *n = binary[i].name;
            bool ldexp_exponent = !strcmp(n, "ga_ldexp") && t != GA_BOOL
                                  && !t_is_int(t);
            if (takes(binary[i].types, t) && !ldexp_exponent) {
                T_CHECKF(binary[i].f(x, x) != NULL, "%s of %s: %s", n,
                         ga_dtype_name(t), ga_error_message());
                ga_clear_error();
                continue;
            }
            refused++;
            NO(binary[i].f(x, x), GA_ERR_DTYPE, ldexp_exponent
               ? "ga_ldexp: *" : say("%s: %s is not supported", n,
                                     ga_dtype_name(t)));
            BAD(binary[i].into(o, x, x), GA_ERR_DTYPE, say("%s_into: *", n));
        }
        const double *h = (const double *)t_host(o);
        for (int i = 0; i < 6; i++) T_CHECK(h[i] == (i % 2 ? 0 : 1));
    }
    T_CHECK(refused > 100);
    ga_array *f = floats(), *z = ga_astype(f, GA_COMPLEX64), *p = f, *q = f;
    NO(ga_ldexp(f, 0.5), GA_ERR_DTYPE,
       "ga_ldexp: the exponent is float64, not an integer");
    NO(ga_gcd(f, f), GA_ERR_DTYPE, "ga_gcd: float32 is not supported");
    BAD(ga_divmod(z, z, &p, &q), GA_ERR_DTYPE,
        "ga_divmod: complex64 is not supported");
    BAD(ga_modf(z, &p, &q), GA_ERR_DTYPE,
        "ga_modf: complex64 is not supported");
    BAD(ga_frexp(z, &p, &q), GA_ERR_DTYPE,
        "ga_frexp: complex64 is not supported");
    T_CHECK(p == f && q == f);
}

TEST(shapes_that_do_not_broadcast) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3, 4), GA_FLOAT32);
    ga_array *y = ga_ones(GA_SHAPE(5), GA_FLOAT32);
    ga_array *o = ga_ones(GA_SHAPE(3, 4), GA_FLOAT32);
    for (size_t i = 0; i < T_COUNT(binary); i++) {
        ga_array *a = x, *b = y;
        GA_SCOPE;
        if (!takes(binary[i].types, GA_FLOAT32)
            || !strcmp(binary[i].name, "ga_ldexp")) {
            a = ga_astype(x, GA_INT32);
            b = ga_astype(y, GA_INT32);
        }
        NO(binary[i].f(a, b), GA_ERR_SHAPE, say("%s: shapes (3,4) and (5,) do "
           "not broadcast", binary[i].name));
        NO(binary[i].f(b, a), GA_ERR_SHAPE, say("%s: shapes (5,) and (3,4) do "
           "not broadcast", binary[i].name));
        BAD(binary[i].into(o, a, b), GA_ERR_SHAPE, say("%s_into: shapes (3,4) "
            "and (5,) do not broadcast", binary[i].name));
    }
    ga_array *b = ga_ones(GA_SHAPE(4), GA_BOOL);
    ga_array *none = ga_ones(GA_SHAPE(0), GA_INT8);
    NO(ga_where(b, x, y), GA_ERR_SHAPE,
       "ga_where: shapes * and * do not broadcast");
    NO(ga_clip(x, y, 1), GA_ERR_SHAPE, "ga_clip: shapes * do not broadcast");
    NO(ga_add(none, y), GA_ERR_SHAPE,
       "ga_add: shapes (0,) and (5,) do not broadcast");
    ga_array *p = x, *q = x;
    BAD(ga_divmod(x, y, &p, &q), GA_ERR_SHAPE, "ga_divmod: shapes (3,4) and "
        "(5,) do not broadcast");
    T_CHECK(p == x && q == x);
    BAD(ga_assign(x, y), GA_ERR_SHAPE,
        "ga_assign: shape (5,) does not broadcast to (3,4)");
    BAD(ga_assign(y, x), GA_ERR_SHAPE,
        "ga_assign: shape (3,4) does not broadcast to (5,)");
    NO(ga_broadcast_to(x, GA_SHAPE(3)), GA_ERR_SHAPE,
       "ga_broadcast_to: shape (3,4) does not broadcast to (3,)");
    NO(ga_broadcast_to(y, GA_SHAPE(5, 4)), GA_ERR_SHAPE,
       "ga_broadcast_to: shape (5,) does not broadcast to (5,4)");
    NO(ga_broadcast_to(y, GA_SCALAR_SHAPE), GA_ERR_SHAPE,
       "ga_broadcast_to: shape (5,) does not broadcast to ()");
    NO(ga_full(GA_SHAPE(2), x, GA_INT8), GA_ERR_SHAPE,
       "ga_full: the value has shape (3,4), not ()");
    NO(ga_full_like(x, y), GA_ERR_SHAPE,
       "ga_full_like: the value has shape (5,), not ()");
    const float *h = (const float *)t_host(o);
    for (int i = 0; i < 12; i++) T_CHECK(h[i] == 1);
}

TEST(outputs_that_do_not_fit) {
    GA_SCOPE;
    ga_array *x = ints(), *f = floats();
    ga_array *small = ga_full(GA_SHAPE(3), 7, GA_FLOAT32);
    ga_array *wide = ga_full(GA_SHAPE(1, 3, 4), 7, GA_FLOAT32);
    ga_array *b = ga_zeros(GA_SHAPE(3, 4), GA_BOOL);
    ga_array *i8 = ga_full(GA_SHAPE(3, 4), 7, GA_INT8);
    ga_array *ro = ga_broadcast_to(ga_full(GA_SHAPE(4), 7, GA_FLOAT64),
                                   GA_SHAPE(3, 4));
    for (size_t i = 0; i < T_COUNT(unary); i++) {
        const char *n = unary[i].name;
        const ga_array *in = takes(unary[i].types, GA_FLOAT32) ? f : x;
        BAD(unary[i].into(small, in), GA_ERR_SHAPE, say("%s_into: the output "
            "has shape (3,), the result (3,4)", n));
        BAD(unary[i].into(wide, in), GA_ERR_SHAPE, say("%s_into: the output "
            "has shape (1,3,4), the result (3,4)", n));
        BAD(unary[i].into(ro, in), GA_ERR_READONLY, say("%s_into: the output "
            "of shape (3,4) is broadcast: several elements share their memory",
            n));
        if (unary[i].result == SAME && in == f)
            BAD(unary[i].into(i8, in), GA_ERR_DTYPE, say("%s_into: a result of "
                "float32 does not go into an output of int8", n));
    }
    for (size_t i = 0; i < T_COUNT(binary); i++) {
        const char *n = binary[i].name;
        bool real = takes(binary[i].types, GA_FLOAT32);
        const ga_array *in = real ? f : x;
        const ga_array *by = strcmp(n, "ga_ldexp") ? in : x;
        BAD(binary[i].into(small, in, by), GA_ERR_SHAPE, say("%s_into: the "
            "output has shape (3,), the result (3,4)", n));
        BAD(binary[i].into(ro, in, by), GA_ERR_READONLY, say("%s_into: *", n));
        if (binary[i].result == SAME && real)
            BAD(binary[i].into(i8, in, by), GA_ERR_DTYPE, say("%s_into: a "
                "result of float32 does not go into an output of int8", n));
    }
    BAD(ga_add_into(b, x, x), GA_ERR_DTYPE, "ga_add_into: a result of int32 "
        "does not go into an output of bool");
    ga_array *z = ga_ones(GA_SHAPE(3, 4), GA_COMPLEX64);
    BAD(ga_multiply_into(f, z, x), GA_ERR_DTYPE, "ga_multiply_into: a result "
        "of complex* does not go into an output of float32");
    BAD(ga_where_into(small, b, f, f), GA_ERR_SHAPE, "ga_where_into: *");
    BAD(ga_where_into(i8, b, f, f), GA_ERR_DTYPE, "ga_where_into: *");
    BAD(ga_where_into(ro, b, f, f), GA_ERR_READONLY, "ga_where_into: *");
    BAD(ga_clip_into(small, f, 0, 1), GA_ERR_SHAPE, "ga_clip_into: *");
    BAD(ga_clip_into(i8, f, 0, 1), GA_ERR_DTYPE, "ga_clip_into: *");
    BAD(ga_clip_into(ro, f, GA_NONE, GA_NONE), GA_ERR_READONLY,
        "ga_clip_into: *");
    BAD(ga_round_into(small, f, 1), GA_ERR_SHAPE, "ga_round_into: *");
    BAD(ga_round_into(i8, f, 1), GA_ERR_DTYPE, "ga_round_into: *");
    BAD(ga_nan_to_num_into(small, f, 0, 0, 0), GA_ERR_SHAPE,
        "ga_nan_to_num_into: *");
    BAD(ga_nan_to_num_into(i8, f, 0, 0, 0), GA_ERR_DTYPE,
        "ga_nan_to_num_into: *");
    BAD(ga_assign(ro, 1), GA_ERR_READONLY, "ga_assign: the output of shape "
        "(3,4) is broadcast: several elements share their memory");
    const float *s = (const float *)t_host(small), *w = (const float *)
                     t_host(wide);
    const signed char *c = (const signed char *)t_host(i8);
    const double *r = (const double *)t_host(ro);
    for (int i = 0; i < 3; i++) T_CHECK(s[i] == 7);
    for (int i = 0; i < 12; i++) T_CHECK(w[i] == 7 && c[i] == 7 && r[i] == 7);
}

TEST(numbers_that_do_not_fit) {
    GA_SCOPE;
    ga_array *i8 = ga_ones(GA_SHAPE(3), GA_INT8);
    ga_array *u8 = ga_ones(GA_SHAPE(3), GA_UINT8);
    ga_array *u64 = ga_ones(GA_SHAPE(3), GA_UINT64);
    NO(ga_add(i8, 128), GA_ERR_VALUE, "ga_add: 128 is out of range for int8");
    NO(ga_add(-129, i8), GA_ERR_VALUE, "ga_add: -129 is out of range for int8");
    NO(ga_mul(u8, 256), GA_ERR_VALUE,
       "ga_multiply: 256 is out of range for uint8");
    NO(ga_sub(u8, -1), GA_ERR_VALUE,
       "ga_subtract: -1 is out of range for uint8");
    NO(ga_maximum(u64, -1), GA_ERR_VALUE,
       "ga_maximum: -1 is out of range for uint64");
    NO(ga_add(i8, UINT64_MAX), GA_ERR_VALUE,
       "ga_add: 18446744073709551615 is out of range for int8");
    NO(ga_bitwise_and(i8, 200), GA_ERR_VALUE,
       "ga_bitwise_and: 200 is out of range for int8");
    NO(ga_clip(i8, 1000, 2000), GA_ERR_VALUE,
       "ga_clip: 1000 is out of range for int8");
    NO(ga_where(true, i8, 1000), GA_ERR_VALUE,
       "ga_where: 1000 is out of range for int8");
    BAD(ga_add_into(i8, i8, 128), GA_ERR_VALUE, "ga_add_into: 128 *");
    NO(ga_full(GA_SHAPE(2), 300, GA_UINT8), GA_ERR_VALUE,
       "ga_full: 300 is out of range for uint8");
    NO(ga_full_like(u8, -1), GA_ERR_VALUE,
       "ga_full_like: -1 is out of range for uint8");
    BAD(ga_assign(i8, 128), GA_ERR_VALUE,
        "ga_assign: 128 is out of range for int8");
    T_CHECK(ga_add(i8, 127) && ga_add(i8, -128) && ga_add(u8, 255)
            && ga_add(u64, UINT64_MAX));
    /* compared they may be anything */
    T_CHECK(ga_item(ga_sum(ga_less(i8, 1000), GA_ALL)) == 3);
    T_CHECK(ga_item(ga_sum(ga_equal(u8, -1), GA_ALL)) == 0);
    T_CHECK(ga_item(ga_sum(ga_greater(u64, -1), GA_ALL)) == 3);
    T_CHECK(ga_item(ga_sum(ga_less(i8, UINT64_MAX), GA_ALL)) == 3);
}

TEST(negative_integer_powers) {
    GA_SCOPE;
    ga_array *x = ints();
    NO(ga_power(x, -1), GA_ERR_VALUE, "ga_power: integers to the negative "
       "integer power -1 are not allowed");
    ga_array *minus = ga_neg(x), *three = ga_full(GA_SCALAR_SHAPE, -3, GA_INT8);
    LATE(ga_pow(2, minus), GA_ERR_VALUE, "ga_power: integers to the negative "
         "integer power -* are not allowed");
    LATE(ga_power(x, three), GA_ERR_VALUE,
         "ga_power: integers to the negative integer power -3 are not allowed");
    ga_array *wide = ga_astype(x, GA_INT64);
    LATE(ga_power(wide, three), GA_ERR_VALUE,
         "ga_power: * negative integer power -3 are not allowed");
    /* around a view's elements there may be any */
    ga_dtype of[] = {GA_INT8, GA_INT16, GA_INT32, GA_INT64};
    for (int i = 0; i < 4; i++) {
        ga_array *n = ga_full(GA_SHAPE(9, 38), -1, of[i]);
        ga_assign(ga_slice(n, "1:, 1:-1:2"), 2);
        ga_array *y = ga_slice(n, "1:, 1:-1:2");
        T_CHECK(ga_item(ga_sum(ga_power(y, y), GA_ALL)) == 4 * 8 * 18);
        y = ga_slice(n, "1:, :-1");
        ga_assign(y, 2);
        T_CHECK(ga_item(ga_sum(ga_power(y, y), GA_ALL)) == 4 * 8 * 37);
        LATE(ga_power(n, n), GA_ERR_VALUE, "ga_power: * integer power -1 *");
    }
    T_FINE();
    BAD(ga_power_into(x, x, -2), GA_ERR_VALUE, "ga_power_into: integers to the "
        "negative integer power -2 are not allowed");
    T_CHECK(ga_item_at(x, GA_INDEX(2, 3)) == 11);
    T_CHECK(ga_power(x, -1.0) != NULL);
    T_CHECK(ga_power(ga_zeros(GA_SHAPE(0), GA_INT32),
                     ga_zeros(GA_SHAPE(0), GA_INT32)) != NULL);
}

/* ----------------------------------------------------------------- create */
TEST(ranges_that_make_no_sense) {
    const double nan = (double)NAN, inf = (double)INFINITY;
    GA_SCOPE;
    ga_array *x = floats(), *s = ga_full(GA_SCALAR_SHAPE, 1, GA_INT64);
    NO(ga_arange(0, 5, 0), GA_ERR_VALUE, "ga_arange: the step is 0");
    NO(ga_arange(0, 5, 0.0), GA_ERR_VALUE, "ga_arange: the step is 0");
    NO(ga_arange_as(0, 5, 0, GA_INT8), GA_ERR_VALUE,
       "ga_arange_as: the step is 0");
    NO(ga_arange(0, inf, 1), GA_ERR_SIZE, "ga_arange: from 0 to inf by 1 is no "
       "finite number of elements");
    NO(ga_arange(0, 1, nan), GA_ERR_SIZE, "ga_arange: from 0 to 1 by nan is *");
    NO(ga_arange(0, 1, 1e-300), GA_ERR_SIZE, "ga_arange: *");
    NO(ga_arange(x, 5, 1), GA_ERR_DTYPE,
       "ga_arange: start, stop and step are real C numbers");
    NO(ga_arange(0, s, 1), GA_ERR_DTYPE, "ga_arange: start, stop and step *");
    NO(ga_arange(0, t_c128(1, 1), 1), GA_ERR_DTYPE, "ga_arange: start, *");
    NO(ga_linspace(0, 1, -1), GA_ERR_VALUE, "ga_linspace: num is -1");
    NO(ga_linspace_as(0, 1, -3, false, GA_FLOAT32), GA_ERR_VALUE,
       "ga_linspace_as: num is -3");
    NO(ga_logspace(0, 1, -1, 10), GA_ERR_VALUE, "ga_logspace: num is -1");
    NO(ga_geomspace(1, 2, -1), GA_ERR_VALUE, "ga_geomspace: num is -1");
    NO(ga_geomspace(0, 1, 5), GA_ERR_VALUE, "ga_geomspace: start 0 and stop 1 "
       "must be nonzero and of one sign");
    NO(ga_geomspace(-1, 1, 5), GA_ERR_VALUE, "ga_geomspace: start -1 and *");
    NO(ga_geomspace(1, 0, 5), GA_ERR_VALUE, "ga_geomspace: *");
    NO(ga_geomspace(nan, 1, 5), GA_ERR_VALUE, "ga_geomspace: *");
    T_CHECK(ga_arange(5, 0, 1)->size == 0);
    T_CHECK(ga_linspace(0, 1, 0)->size == 0);
    T_CHECK(ga_eye(0, 5, 0, GA_INT8)->size == 0);
    T_CHECK(ga_eye(3, 3, INT64_MIN, GA_INT8) != NULL);
    T_CHECK(ga_eye(3, 3, INT64_MAX, GA_INT8) != NULL);
}

/* ------------------------------------------------------------------ items */
TEST(items_of_the_wrong_kind) {
    GA_SCOPE;
    ga_array *x = floats(), *z = ga_astype(x, GA_COMPLEX128);
    ga_array *f = ga_sum(x, GA_ALL), *c = ga_sum(z, GA_ALL);
    IS(isnan(ga_item(x)), GA_ERR_SHAPE,
       "ga_item: shape (3,4) has 12 elements, not one");
    ga_array *none = ga_zeros(GA_SHAPE(0), GA_INT8);
    IS(isnan(ga_item(none)), GA_ERR_SHAPE,
       "ga_item: shape (0,) has 0 elements, not one");
    IS(ga_item_i64(x) == 0, GA_ERR_SHAPE, "ga_item_i64: shape (3,4) has 12 *");
    IS(ga_item_i64(f) == 0, GA_ERR_DTYPE, "ga_item_i64: the array is float32");
    IS(isnan(ga_item(c)), GA_ERR_DTYPE, "ga_item: the array is complex128");
    IS(ga_item_i64(c) == 0, GA_ERR_DTYPE,
       "ga_item_i64: the array is complex128");
    IS(isnan(ga_item_at(z, GA_INDEX(0, 0))), GA_ERR_DTYPE,
       "ga_item_at: the array is complex128");
    ga_complex128 v = ga_item_c128(x);
    double part[2];
    memcpy(part, &v, sizeof part);
    IS(isnan(part[0]) && isnan(part[1]), GA_ERR_SHAPE, "ga_item_c128: shape *");
    T_CHECK(ga_item(f) == 66);
    v = ga_item_c128(f);
    memcpy(part, &v, sizeof part);
    T_CHECK(part[0] == 66 && part[1] == 0);
}

/* ------------------------------------------------------------- reductions */
TEST(reductions_of_nothing) {
    GA_SCOPE;
    ga_array *e = ga_zeros(GA_SHAPE(0, 3), GA_FLOAT32);
    static const char *const none[] = {"ga_max", "ga_min", "ga_argmax",
        "ga_argmin", "ga_ptp", "ga_nanmax", "ga_nanmin", "ga_nanargmax",
        "ga_nanargmin"};
    for (size_t i = 0; i < T_COUNT(reductions); i++) {
        GA_SCOPE;
        bool fails = false;
        for (size_t k = 0; k < T_COUNT(none); k++)
            fails |= !strcmp(none[k], reductions[i].name);
        const char *n = reductions[i].name;
        /* (3, 0) results of nothing are no results: they are fine */
        ga_array *r = reductions[i].f(e, GA_AXIS(1));
        T_CHECKF(r && r->size == 0 && r->ndim == 1, "%s over axis 1 of (0,3): "
                 "%s", n, ga_error_message());
        ga_clear_error();
        if (!fails) {
            r = reductions[i].f(e, GA_ALL);
            T_CHECKF(r && r->size == 1, "%s of (0,3): %s", n,
                     ga_error_message());
            r = reductions[i].f(e, GA_AXIS(0));
            T_CHECKF(r && r->size == 3, "%s over axis 0 of (0,3): %s", n,
                     ga_error_message());
            ga_clear_error();
            continue;
        }
        NO(reductions[i].f(e, GA_ALL), GA_ERR_EMPTY, say("%s: *", n));
        NO(reductions[i].f(e, GA_AXIS(0)), GA_ERR_EMPTY, say("%s: *", n));
        NO(reductions[i].f(e, GA_AXIS_KEEP(0)), GA_ERR_EMPTY, say("%s: *", n));
        ga_array *o = ga_full(GA_SHAPE(3), 7, GA_FLOAT64);
        ga_array *oi = ga_full(GA_SHAPE(3), 7, GA_INT64);
        BAD(reductions[i].into(reductions[i].result == INDEX ? oi : o, e,
                               GA_AXIS(0)),
            GA_ERR_EMPTY, say("%s_into: *", n));
        T_CHECK(ga_item_at(o, GA_INDEX(1)) == 7);
    }
}
TEST(reductions_into_what_does_not_fit) {
    GA_SCOPE;
    ga_array *x = floats();
    ga_array *wrong = ga_full(GA_SHAPE(4), 7, GA_FLOAT64);
    ga_array *b = ga_zeros(GA_SHAPE(3), GA_BOOL);
    ga_array *ro = ga_broadcast_to(ga_full(GA_SHAPE(1), 7, GA_FLOAT64),
                                   GA_SHAPE(3));
    for (size_t i = 0; i < T_COUNT(reductions); i++) {
        const char *n = reductions[i].name;
        BAD(reductions[i].into(wrong, x, GA_AXIS(1)), GA_ERR_SHAPE,
            say("%s_into: *(4,)*(3,)*", n));
        BAD(reductions[i].into(wrong, x, GA_ALL), GA_ERR_SHAPE,
            say("%s_into: *(4,)*()*", n));
        BAD(reductions[i].into(ro, x, GA_AXIS(1)), GA_ERR_READONLY,
            say("%s_into: *", n));
        if (reductions[i].result != BOOL)
            BAD(reductions[i].into(b, x, GA_AXIS(1)), GA_ERR_DTYPE,
                say("%s_into: * bool*", n));
    }
    for (size_t i = 0; i < T_COUNT(ddofs); i++) {
        const char *n = ddofs[i].name;
        BAD(ddofs[i].into(wrong, x, GA_AXIS(1), 0), GA_ERR_SHAPE,
            say("%s_into: *", n));
        BAD(ddofs[i].into(ro, x, GA_AXIS(1), 0), GA_ERR_READONLY,
            say("%s_into: *", n));
        BAD(ddofs[i].into(b, x, GA_AXIS(1), 0), GA_ERR_DTYPE,
            say("%s_into: *", n));
    }
    const double *h = (const double *)t_host(wrong);
    for (int i = 0; i < 4; i++) T_CHECK(h[i] == 7);
    ga_array *cube = ga_zeros(GA_SHAPE(2, 2, 2), GA_INT8);
    NO(ga_ptp(b, GA_ALL), GA_ERR_DTYPE, "ga_ptp: bool is not supported");
    NO(ga_argmax(cube, GA_AXIS(0, 1)), GA_ERR_AXIS,
       "ga_argmax: 2 axes given; one or GA_ALL is possible");
    NO(ga_nanargmin(cube, GA_AXIS(0, 1)), GA_ERR_AXIS,
       "ga_nanargmin: 2 axes given; one or GA_ALL is possible");
}

/* --------------------------------------------------------------- printing */
TEST(print_options_that_cannot_be) {
    GA_SCOPE;
    ga_print_options good = ga_get_print_options(), o = good, now;
#define TRY(change, text)                                                   \
    do {                                                                    \
        o = good;                                                           \
        change;                                                             \
        BAD(ga_set_print_options(o), GA_ERR_VALUE,                          \
            "ga_set_print_options: " text);                                 \
        now = ga_get_print_options();                                       \
        T_CHECK(now.precision == good.precision && now.sign == good.sign    \
                && now.threshold == good.threshold);                        \
    } while (0)
    TRY(o.precision = -1, "precision is -1; 0 to 100 are possible");
    TRY(o.precision = 1000000, "precision is 1000000; 0 to 100 are possible");
    TRY(o.threshold = -1, "threshold -1, *");
    TRY(o.edgeitems = -1, "* edgeitems -1, *");
    TRY(o.linewidth = 0, "* linewidth 0 *");
    TRY(o.sign = 'x', "sign is 'x', not '-', '+' or ' '");
    TRY(memset(o.nanstr, 'n', sizeof o.nanstr), "nanstr or infstr has no end");
    TRY(memset(o.infstr, 'n', sizeof o.infstr), "nanstr or infstr has no end");
#undef TRY
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        ga_array *x = floats();
        BAD(ga_fprint(full, x), GA_ERR_FILE_WRITE,
            "ga_fprint: No space left on device");
        fclose(full);
    }
}

/* ------------------------------------------------------------------ files */
static char folder[64];                 /* of the process's own             */
static const char *in_folder(const char *name) {
    static char path[128];
    if (!*folder) {
        snprintf(folder, sizeof folder, "/tmp/gpuarr_errors_%ld",
                 (long)getpid());
        mkdir(folder, 0777);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}
static const char *with_bytes(const void *bytes, size_t n) {
    const char *path = in_folder("hostile.npy");
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    return path;
}
/* A version 1.0 file with this header text and `data` bytes of zeros. */
static const char *with_header(const char *header, size_t data) {
    static unsigned char b[4096];
    size_t n = strlen(header);
    memset(b, 0, sizeof b);
    memcpy(b, "\x93NUMPY\1\0", 8);
    b[8] = (unsigned char)(n & 255);
    b[9] = (unsigned char)(n >> 8);
    memcpy(b + 10, header, n);
    return with_bytes(b, 10 + n + data);
}
static void remove_folder(void) {
    remove(in_folder("hostile.npy"));
    rmdir(folder);
    *folder = 0;
}

TEST(files_that_cannot_be_read) {
    NO(ga_load_npy("/no/such/file.npy"), GA_ERR_FILE_OPEN,
       "ga_load_npy: /no/such/file.npy: No such file or directory");
    NO(ga_load_npy(""), GA_ERR_FILE_OPEN,
       "ga_load_npy: : No such file or directory");
    NO(ga_load_npy("/tmp"), GA_ERR_FILE_READ,
       "ga_load_npy: /tmp: Is a directory");
    NO(ga_load_npy("/dev/null"), GA_ERR_FILE_FORMAT,
       "ga_load_npy: /dev/null: the file ends early");
    NO(ga_load_npy("/dev/zero"), GA_ERR_FILE_FORMAT,
       "ga_load_npy: /dev/zero: not a .npy file of version 1.0, 2.0 or 3.0");
}

#define GOOD "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
TEST(files_that_are_not_npy) {
    static const struct { const char *header, *text; } bad[] = {
        {"", "the header is no dictionary"},
        {"[]", "the header is no dictionary"},
        {"{", "the header is malformed"},
        {"{}", "the header lacks descr, fortran_order or shape"},
        {"{'descr': '<f4'}", "the header lacks descr, fortran_order or shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } x",
         "the header has text after its dictionary"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}",
         "the header has an unknown key"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, "
         "'shape': ()}", "the header repeats a key"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': ()}",
         "the header is malformed"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }",
         "fortran_order is neither True nor False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 6}",
         "the shape is not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (6)}",
         "the shape is not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}",
         "a length is negative"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
         "the shape is malformed"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3",
         "the shape is malformed"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}",
         "the shape is malformed"},
        {"{'descr': '<f4', 'fortran_order': False, "
         "'shape': (1,1,1,1,1,1,1,1,1)}", "more than 8 dimensions"},
        {"{'descr': '<f4', 'fortran_order': False, "
         "'shape': (99999999999999999999,)}", "a length is too large"},
        {"{'descr': '<f4', 'fortran_order': False, "
         "'shape': (4294967296, 4294967296)}",
         "shape (4294967296,4294967296) of float32 is too large"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2,)}",
         "descr '|O' is not a dtype of this library"},
        {"{'descr': '<U7', 'fortran_order': False, 'shape': (2,)}",
         "descr '<U7' is not a dtype of this library"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (2,)}",
         "descr '<f16' is not a dtype of this library"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
         "descr [('a', '<f4')]* is not a dtype of this library"},
        {"{'descr': 4, 'fortran_order': False, 'shape': (2,)}",
         "descr 4* is not a dtype of this library"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2,)}",
         "descr '' is not a dtype of this library"},
    };
    unsigned char b[256] = {0};
    for (size_t i = 0; i < T_COUNT(bad); i++) {
        const char *p = with_header(bad[i].header, 64);
        NO(ga_load_npy(p), GA_ERR_FILE_FORMAT,
           say("ga_load_npy: %s: %s", p, bad[i].text));
    }
    NO(ga_load_npy(with_header(GOOD, 23)), GA_ERR_FILE_FORMAT, "ga_load_npy: "
       "*: the file ends early: 23 bytes of data where shape (2,3) of float32 "
       "takes 24");
    NO(ga_load_npy(with_header(GOOD, 0)), GA_ERR_FILE_FORMAT,
       "*: 0 bytes of *");
    NO(ga_load_npy(with_header("{'descr': '<f8', 'fortran_order': False, "
       "'shape': (1000000000000,)}", 64)), GA_ERR_FILE_FORMAT, "*ends early*");
    memcpy(b, "\x93NUMPY\1\0\xff\xff", 10);
    NO(ga_load_npy(with_bytes(b, 20)), GA_ERR_FILE_FORMAT, "*ends early");
    memcpy(b, "\x93NUMPY\2\0\xff\xff\xff\xff", 12);
    NO(ga_load_npy(with_bytes(b, 20)), GA_ERR_FILE_FORMAT,
       "*a header of 4294967307 bytes");
    b[6] = 4;
    NO(ga_load_npy(with_bytes(b, 20)), GA_ERR_FILE_FORMAT, "*not a .npy file*");
    b[6] = 0;
    NO(ga_load_npy(with_bytes(b, 20)), GA_ERR_FILE_FORMAT, "*not a .npy file*");
    NO(ga_load_npy(with_bytes(b, 5)), GA_ERR_FILE_FORMAT, "*ends early");
    NO(ga_load_npy(with_bytes("text, not an array", 18)), GA_ERR_FILE_FORMAT,
       "*not a .npy file of version 1.0, 2.0 or 3.0");
    /* and one that is: more data than needed is left alone */
    GA_SCOPE;
    ga_array *x = ga_load_npy(with_header(GOOD, 30));
    t_is(x, GA_FLOAT32, GA_SHAPE(2, 3));
    remove_folder();
}

TEST(files_that_cannot_be_written) {
    GA_SCOPE;
    ga_array *x = floats();
    BAD(ga_save_npy("/no/such/folder/x.npy", x), GA_ERR_FILE_OPEN,
        "ga_save_npy: /no/such/folder/x.npy: No such file or directory");
    BAD(ga_save_npy("/tmp", x), GA_ERR_FILE_OPEN,
        "ga_save_npy: /tmp: Is a directory");
    BAD(ga_save_npy("/dev/null/x.npy", x), GA_ERR_FILE_OPEN,
        "ga_save_npy: /dev/null/x.npy: Not a directory");
    BAD(ga_save_npy("/dev/full", x), GA_ERR_FILE_WRITE,
        "ga_save_npy: /dev/full: No space left on device");
    ga_array *large = ga_zeros(GA_SHAPE(1 << 22), GA_FLOAT64);
    BAD(ga_save_npy("/dev/full", large), GA_ERR_FILE_WRITE,
        "ga_save_npy: /dev/full: No space left on device");
    /* a file without permission: not even for root, who drops to nobody */
    const char *path = with_bytes("keep", 4);
    chmod(path, 0444);
    bool root = geteuid() == 0;
    if (root && seteuid(65534)) {
        print_message("    read-only file: skipped, cannot drop privileges\n");
    } else {
        BAD(ga_save_npy(path, x), GA_ERR_FILE_OPEN,
            "ga_save_npy: *hostile.npy: Permission denied");
        if (root) assert_int_equal(seteuid(0), 0);
        char had[8] = {0};
        FILE *f = fopen(path, "rb");
        T_CHECK(f && fread(had, 1, sizeof had, f) == 4
                && !memcmp(had, "keep", 4));
        if (f) fclose(f);
    }
    remove_folder();
}

/* -------------------------------------------- streams, events, graphs */
TEST(streams_and_events_misused) {
    ga_event *e = ga_event_create(), *f = ga_event_create();
    BAD(ga_event_record(NULL, NULL), GA_ERR_NULL,
        "ga_event_record: the event is NULL");
    BAD(ga_event_synchronize(NULL), GA_ERR_NULL,
        "ga_event_synchronize: the event is NULL");
    IS(!ga_event_query(NULL), GA_ERR_NULL, "ga_event_query: the event is NULL");
    IS(isnan(ga_event_elapsed(NULL, e)), GA_ERR_NULL,
       "ga_event_elapsed: the event is NULL");
    BAD(ga_stream_wait(NULL, NULL), GA_ERR_NULL,
        "ga_stream_wait: the event is NULL");
    BAD(ga_event_synchronize(e), GA_ERR_STREAM,
        "ga_event_synchronize: the event was never recorded");
    IS(!ga_event_query(e), GA_ERR_STREAM,
       "ga_event_query: the event was never recorded");
    BAD(ga_stream_wait(NULL, e), GA_ERR_STREAM,
        "ga_stream_wait: the event was never recorded");
    T_CHECK(ga_event_record(e, NULL) == GA_OK);
    IS(isnan(ga_event_elapsed(e, f)), GA_ERR_STREAM,
       "ga_event_elapsed: the event was never recorded");
    IS(isnan(ga_event_elapsed(f, e)), GA_ERR_STREAM,
       "ga_event_elapsed: the event was never recorded");
    ga_event_destroy(e);
    ga_event_destroy(f);
    BAD(ga_stream_callback(NULL, NULL, NULL), GA_ERR_NULL,
        "ga_stream_callback: the function is NULL");
    NO(ga_graph_create(NULL, NULL), GA_ERR_NULL,
       "ga_graph_create: the function is NULL");
    BAD(ga_graph_launch(NULL), GA_ERR_NULL,
        "ga_graph_launch: the graph is NULL");
    T_CHECK(ga_stream_handle(NULL) == NULL);
    /* a stream destroyed while it is current is recognised */
    ga_stream *s = ga_stream_create(0);
    T_CHECK(ga_set_stream(s) == GA_OK);
    ga_stream_destroy(s);
    BAD(ga_stream_synchronize(s), GA_ERR_STREAM,
        "ga_stream_synchronize: the stream has been destroyed");
    IS(!ga_stream_query(s), GA_ERR_STREAM,
       "ga_stream_query: the stream has been destroyed");
    BAD(ga_set_stream(s), GA_ERR_STREAM,
        "ga_set_stream: the stream has been destroyed");
    ga_stream_destroy(s);
    T_ERROR(GA_ERR_STREAM);
    T_CHECK(ga_stream_current() == NULL);
    T_CHECK(ga_set_stream(NULL) == GA_OK);
}

/* ---------------------------------------------------------------- devices */
TEST(devices_that_are_not_there) {
    ga_device_properties p, was;
    ga_memory m, had;
    int here = ga_device(), n = ga_device_count();
    memset(&p, 0x55, sizeof p);
    memset(&m, 0x55, sizeof m);
    was = p;
    had = m;
    GA_SCOPE;
    ga_array *x = floats();
    /* without a GPU the codes and texts say why: any of the three */
    ga_status none = GA_ERR_DEVICE;
    const char *why = "*there is no device 99: CUDA devices here *";
    if (!n) {
        ga_set_device(99);
        none = ga_error();
        ga_clear_error();
        why = "*: device 99: *";
        T_CHECK(none == GA_ERR_NO_GPU || none == GA_ERR_NO_DRIVER
                || none == GA_ERR_OLD_DRIVER || none == GA_ERR_CUDA);
    }
    BAD(ga_set_device(99), none, why);
    BAD(ga_set_device(-2), GA_ERR_DEVICE, say("ga_set_device: there is no "
        "device -2: CUDA devices here %d, and GA_CPU (-1)", n));
    BAD(ga_set_device(INT32_MIN), GA_ERR_DEVICE, "ga_set_device: *");
    BAD(ga_set_device(INT32_MAX), none, "ga_set_device: *");
    BAD(ga_device_info(99, &p), none, why);
    BAD(ga_mem_info(99, &m), none, why);
    NO(ga_to_device(x, 99), none, why);
    NO(ga_to_device(x, -5), GA_ERR_DEVICE,
       "ga_to_device: there is no device *");
    NO(ga_wrap(&p, GA_INT8, GA_SHAPE(3), NULL, 99, NULL, NULL), none, why);
    {
        GA_DEVICE(99);
        T_CHECK(ga_device() == here);
        failed(__LINE__, "GA_DEVICE(99)", true, ga_live_arrays(), none, why);
    }
    T_CHECK(ga_device() == here);
    T_CHECK(!memcmp(&p, &was, sizeof p));
    T_CHECK(!memcmp(&m, &had, sizeof m));
    if (!n) BAD(ga_set_device(0), none, "ga_set_device: device 0: *");
}

TEST(arrays_of_another_device) {
    if (!ga_device_count()) {
        print_message("    skipped: no GPU\n");
        skip();
    }
    int here = ga_device(), there = here == GA_CPU ? 0 : GA_CPU;
    GA_SCOPE;
    ga_array *x = floats(), *away, *z, *p = x, *q = x;
    {
        GA_DEVICE(there);
        away = floats();
        z = ga_ones(GA_SCALAR_SHAPE, GA_FLOAT32);
    }
#define CUPY(op) say(op ": array device must be same as the current device: " \
                     "array device = %d while current = %d", there, here)
    NO(ga_add(away, 1), GA_ERR_DEVICE_MISMATCH, CUPY("ga_add"));
    NO(ga_add(x, away), GA_ERR_DEVICE_MISMATCH, CUPY("ga_add"));
    NO(ga_exp(away), GA_ERR_DEVICE_MISMATCH, CUPY("ga_exp"));
    BAD(ga_add_into(away, x, x), GA_ERR_DEVICE_MISMATCH, CUPY("ga_add_into"));
    BAD(ga_add_into(x, away, x), GA_ERR_DEVICE_MISMATCH, CUPY("ga_add_into"));
    NO(ga_where(x, x, away), GA_ERR_DEVICE_MISMATCH, CUPY("ga_where"));
    NO(ga_clip(away, 0, 1), GA_ERR_DEVICE_MISMATCH, CUPY("ga_clip"));
    NO(ga_sum(away, GA_ALL), GA_ERR_DEVICE_MISMATCH, CUPY("ga_sum"));
    NO(ga_std(away, GA_ALL, 0), GA_ERR_DEVICE_MISMATCH, CUPY("ga_std"));
    NO(ga_copy(away), GA_ERR_DEVICE_MISMATCH, CUPY("ga_copy"));
    NO(ga_astype(away, GA_INT8), GA_ERR_DEVICE_MISMATCH, CUPY("ga_astype"));
    NO(ga_zeros_like(away), GA_ERR_DEVICE_MISMATCH, CUPY("ga_zeros_like"));
    NO(ga_full(GA_SHAPE(3), z, GA_INT8), GA_ERR_DEVICE_MISMATCH,
       CUPY("ga_full"));
    BAD(ga_divmod(away, x, &p, &q), GA_ERR_DEVICE_MISMATCH, CUPY("ga_divmod"));
    T_CHECK(p == x && q == x);
    /* what only looks or moves works from anywhere */
    T_CHECK(ga_item_at(away, GA_INDEX(2, 3)) == 11);
    T_CHECK(ga_item(z) == 1);
    T_CHECK(ga_slice(away, "1:") && ga_transpose(away, GA_ALL)
            && ga_reshape(ga_transpose(away, GA_ALL), GA_SHAPE(12)));
    T_CHECK(ga_assign(x, away) == GA_OK && ga_assign(away, x) == GA_OK);
    char *text = ga_tostring(ga_transpose(away, GA_ALL));
    T_CHECK(text && strstr(text, "11."));
    free(text);
    T_CHECK(ga_device() == here);
    ga_free(away);
}

/* ------------------------------------------------------------- the codes */
/* Every status that a program can meet was met above, or here is where. */
TEST(every_code_is_reachable) {
    static const struct { ga_status st; const char *where; } elsewhere[] = {
        {GA_ERR_FREED, "test_debug.c: a debug build alone knows"},
        {GA_ERR_HOST_MEMORY, "test_alloc.c"},
        {GA_ERR_DEVICE_MEMORY, "test_memory.c, on a GPU"},
        {GA_ERR_MEM_LIMIT, "test_memory.c"},
        {GA_ERR_DEVICE_MISMATCH, "above, where there is a GPU"},
        {GA_ERR_NO_GPU, "above, on a machine without; test_devices.c"},
        {GA_ERR_NO_DRIVER, "above, on a machine without; test_devices.c"},
        {GA_ERR_OLD_DRIVER, "test_devices.c, with a pretended driver"},
        {GA_ERR_ARCH, "test_devices.c, on a GPU with a pretended kernels.o"},
        {GA_ERR_VERSION, "test_devices.c, with a pretended kernels.o"},
        {GA_ERR_CUDA, "test_devices.c, with a pretended driver"},
        {GA_ERR_CONTEXT, "test_devices.c, on a GPU"},
        {GA_ERR_CAPTURE, "test_streams.c, on a GPU"},
        {GA_ERR_LIBRARY, "test_decomp.c, in a build without LAPACK"},
        {GA_ERR_UNSUPPORTED, "test_random.c"},
        {GA_ERR_SQUARE, "test_decomp.c"},
        {GA_ERR_SINGULAR, "test_solve.c"},
        {GA_ERR_NOT_POSITIVE_DEFINITE, "test_decomp.c"},
        {GA_ERR_NOT_CONVERGED, "LAPACK's to say: no matrix is known to do it"},
        {GA_ERR_NAN, "test_decomp.c"},
        {GA_ERR_COMPILE, "test_rtc.c"},
        {GA_ERR_COMM, "test_comm.c"},
    };
    seen[GA_OK] = true;
    for (size_t i = 0; i < T_COUNT(elsewhere); i++)
        seen[elsewhere[i].st] = true;
    for (int i = 0; i < GA_NUM_STATUSES; i++)
        T_CHECKF(seen[i], "no test met %s", ga_status_name((ga_status)i));
}

int main(int argc, char **argv) {
    static const t_case cases[] = {{"print", child_print},
                                   {"exit", child_exit}};
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(the_first_error_stays), T(null_passes_while_an_error_is_pending),
        T(a_status_is_the_calls_own),
        T(names_of_codes), T(a_long_message_is_cut),
        T(a_handler_sees_each_first_error), T(print_and_exit),
        T(null_arrays_element_wise), T(null_arrays_elsewhere),
        T(numbers_that_are_no_dtypes), T(impossible_shapes),
        T(reshape_that_does_not_fit), T(axes_that_are_not_there),
        T(indices_out_of_range), T(slice_strings_that_do_not_parse),
        T(numbers_where_arrays_are_meant),
        T(dtypes_an_operation_does_not_have), T(shapes_that_do_not_broadcast),
        T(outputs_that_do_not_fit), T(numbers_that_do_not_fit),
        T(negative_integer_powers), T(ranges_that_make_no_sense),
        T(items_of_the_wrong_kind), T(reductions_of_nothing),
        T(reductions_into_what_does_not_fit), T(print_options_that_cannot_be),
        T(files_that_cannot_be_read), T(files_that_are_not_npy),
        T(files_that_cannot_be_written), T(streams_and_events_misused),
        T(devices_that_are_not_there), T(arrays_of_another_device),
        T(every_code_is_reachable),
    };
    return T_RUN("errors", tests);
}
