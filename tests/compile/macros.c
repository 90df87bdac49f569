/* Every macro of the header, called: each operation by its table row, with
   arrays and C numbers in either place, and the others by hand.            */
#include "gpuarr.h"
#include <string.h>

int macros_in_c(void);
static int bad;
static ga_array *F, *I, *O;

static void check(bool ok, const char *what) {
    if (!ok) {
        printf("macros.c: %s: %s\n", what, ga_error_message());
        bad++;
    }
    ga_clear_error();
}
/* One of the forms must work: some rows have no floats, some no integers. */
static void one_of(const char *what, const void *a, const void *b) {
    check(a || b, what);
}
static void into(const char *what, ga_status a, ga_status b) {
    check(a == GA_OK || b == GA_OK, what);
}

#define UNARY(n, ...)                                                       \
    one_of("ga_" #n, ga_##n(F), ga_##n(I));                                 \
    one_of("ga_" #n " of a number", ga_##n(0.5), ga_##n(3));                \
    into("ga_" #n "_into", ga_##n##_into(O, F), ga_##n##_into(O, I));       \
    into("ga_" #n "_into of a number", ga_##n##_into(S, 0.5),               \
         ga_##n##_into(S, 3));
static void unary(void) {
    GA_SCOPE;
    ga_array *S = ga_empty(GA_SCALAR_SHAPE, GA_COMPLEX128);
    GA_UNARY_OPS(UNARY)
    GA_UNARY_ALIASES(UNARY)
}
#define BINARY(n, ...)                                                      \
    one_of("ga_" #n, ga_##n(F, F), ga_##n(I, I));                           \
    one_of("ga_" #n " with a number", ga_##n(F, 2), ga_##n(I, 2));          \
    one_of("ga_" #n " of a number", ga_##n(1.5, F), ga_##n(2, I));          \
    one_of("ga_" #n " of numbers", ga_##n(1.5, 2), ga_##n(3, 2));           \
    into("ga_" #n "_into", ga_##n##_into(O, F, F), ga_##n##_into(O, I, I)); \
    into("ga_" #n "_into with a number", ga_##n##_into(O, F, 2),            \
         ga_##n##_into(O, 2, I));
static void binary_one(void) {
    GA_SCOPE;
    ga_array *J = F;
    F = I;                          /* ldexp's second: integers for all     */
    GA_BINARY_OPS(BINARY)
    F = J;
}
static void binary_two(void) {
    GA_SCOPE;
    GA_BINARY_OPS(BINARY)
    GA_BINARY_ALIASES(BINARY)
}
#define REDUCE(n, ...)                                                      \
    check(ga_##n(F, GA_ALL) && ga_##n(I, GA_AXIS(-1))                       \
          && ga_##n(F, GA_AXIS_KEEP(0)) && ga_##n(F, GA_ALL_KEEP), "ga_" #n);
#define REDUCE_DDOF(n, ...)                                                 \
    check(ga_##n(F, GA_ALL, 0) && ga_##n(I, GA_AXIS(0, 1), 1), "ga_" #n);
static void reductions(void) {
    GA_SCOPE;
    GA_REDUCTIONS(REDUCE)
    GA_REDUCTIONS_DDOF(REDUCE_DDOF)
}

/* Numbers of every C type, as an operand and as a pointer's target. */
static double as_operand(const ga_array *x) {
    ga_array *y = ga_astype(x, GA_FLOAT64);
    return ga_item(y);
}
#define NUMBER(T, value) do {                                               \
        T v_ = (value), a_[2] = {(value), (value)};                         \
        const T *c_ = a_;                                                   \
        check(as_operand(ga_add(0, v_)) == (double)(value), "operand " #T); \
        check(as_operand(ga_multiply(v_, 1)) == (double)(value), "left " #T); \
        ga_array *x_ = ga_asarray(a_, GA_SHAPE(2));                         \
        check(x_ && ga_dtype_size(x_->dtype) == sizeof(T), "ga_asarray " #T); \
        check(as_operand(ga_slice(x_, "1")) == (double)(value), "item " #T); \
        ga_array *d_ = ga_asarray(c_, GA_SHAPE(2));                         \
        check(d_ && x_ && d_->dtype == x_->dtype, "const " #T);             \
    } while (0)
static void numbers(void) {
    GA_SCOPE;
    NUMBER(bool, 1);
    NUMBER(char, 'a');
    NUMBER(signed char, -3);
    NUMBER(unsigned char, 200);
    NUMBER(short, -300);
    NUMBER(unsigned short, 60000);
    NUMBER(int, -70000);
    NUMBER(unsigned, 4000000000u);
    NUMBER(long, -5);
    NUMBER(unsigned long, 5ul);
    NUMBER(long long, -5000000000);
    NUMBER(unsigned long long, 5000000000u);
    NUMBER(float, 0.25f);
    NUMBER(double, 0.125);
    NUMBER(int8_t, -1);
    NUMBER(uint64_t, 7);
    NUMBER(size_t, 7);
    enum { COLOUR = 4 } colour = COLOUR;
    check(as_operand(ga_add(colour, COLOUR)) == 8, "enum");
    ga_float16 h[2] = {ga_float16_from(1.5f), ga_float16_from(2)};
    ga_bfloat16 b[2] = {ga_bfloat16_from(1.5f), ga_bfloat16_from(2)};
    check(as_operand(ga_add(h[0], h[1])) == 3.5, "float16");
    check(as_operand(ga_add(b[0], b[1])) == 3.5, "bfloat16");
    check(ga_asarray(h, GA_SHAPE(2))->dtype == GA_FLOAT16, "float16 *");
    check(ga_asarray(b, GA_SHAPE(2))->dtype == GA_BFLOAT16, "bfloat16 *");
    ga_complex64 z = 0;
    ga_complex128 w[2] = {0, 0};
    const double parts[] = {3, 4};
    memcpy(w, parts, sizeof parts);
    check(ga_item(ga_abs(w[0])) == 5, "complex128");
    check(ga_item(ga_abs(ga_add(z, w[0]))) == 5, "complex64");
    check(ga_asarray(w, GA_SHAPE(2))->dtype == GA_COMPLEX128, "complex128 *");
    check(ga_asarray(&z, GA_SHAPE(1))->dtype == GA_COMPLEX64, "complex64 *");
    const ga_array *constant = F;
    check(ga_add(constant, F) != NULL, "const array");
    double matrix[3][4] = {{0}};
    check(ga_asarray(&matrix[0][0], GA_SHAPE(3, 4)) != NULL, "a[3][4]");
}

#include "linalg.h"
#include "counts.h"
#include "slices.h"
#include "indexing.h"
#include "masks.h"
#include "scans.h"
#include "fft.h"
#include "joining.h"
#include "sorting.h"
#include "statistics.h"
#include "polynomials.h"
#include "exchange.h"
#include "softmax.h"
#include "histograms.h"

static void others(void) {
    GA_SCOPE;
    ga_array *p = NULL, *q = NULL;
    check(ga_full(GA_SHAPE(2), 1.5, GA_FLOAT32) != NULL, "ga_full");
    check(ga_full(GA_SCALAR_SHAPE, true, GA_BOOL) != NULL, "ga_full");
    check(ga_full_like(F, 2) != NULL, "ga_full_like");
    check(ga_arange(0, 10, 3)->dtype == GA_INT64, "ga_arange");
    check(ga_arange(0, 1.5, 0.5)->dtype == GA_FLOAT64, "ga_arange");
    check(ga_arange_as(0, 10, 3, GA_INT8) != NULL, "ga_arange_as");
    check(ga_where(ga_greater(F, 1), F, 0) != NULL, "ga_where");
    check(ga_where(true, 1, 2.5) != NULL, "ga_where of numbers");
    check(ga_where_into(O, I, F, 0) == GA_OK, "ga_where_into");
    check(ga_clip(F, 0, GA_NONE) != NULL, "ga_clip");
    check(ga_clip(F, GA_NONE, ga_max(F, GA_ALL)) != NULL, "ga_clip");
    check(ga_clip_into(O, F, 0.5, 1) == GA_OK, "ga_clip_into");
    check(ga_round(F, 1) && ga_round(2.55, 1), "ga_round");
    check(ga_nan_to_num(F, 0, 1, -1) != NULL, "ga_nan_to_num");
    check(ga_divmod(F, 2, &p, &q) == GA_OK && p && q, "ga_divmod");
    check(ga_divmod(7, I, NULL, &q) == GA_OK && q, "ga_divmod");
    check(ga_modf(F, &p, &q) == GA_OK, "ga_modf");
    check(ga_frexp(F, &p, &q) == GA_OK, "ga_frexp");
    check(ga_assign(O, 3) == GA_OK && ga_assign(O, F) == GA_OK, "ga_assign");
    check(ga_slice(F, "1:, ::%d", 2) && ga_slice(F, "..."), "ga_slice");
    check(ga_reshape(F, GA_SHAPE(-1, 2)) != NULL, "ga_reshape");
    check(ga_transpose(F, GA_AXIS(1, 0)) != NULL, "ga_transpose");
    check(ga_item_at(F, GA_INDEX(1, -1)) > 0, "ga_item_at");
    {
        GA_DEVICE(GA_CPU);
        GA_STREAM(NULL);
        GA_SCOPE;
        check(ga_device() == GA_CPU, "GA_DEVICE");
    }
    ga_handler old = ga_on_error(GA_PRINT);
    ga_on_error(old);
    check(GA_VERSION >= 100 && GA_MAX_NDIM == 8 && GA_END > 0, "constants");
    check(GA_BENCH(ga_add(F, 1), ga_sub(F, I)).runs > 0, "GA_BENCH");
}

int macros_in_c(void) {
    GA_SCOPE;
    F = ga_add(ga_reshape(ga_arange_as(0, 12, 1, GA_FLOAT32), GA_SHAPE(3, 4)),
               1);
    F = ga_div(F, 16);
    I = ga_astype(ga_mul(F, 16), GA_INT32);
    O = ga_zeros(GA_SHAPE(3, 4), GA_COMPLEX128);
    unary();
    binary_one();
    binary_two();
    reductions();
    numbers();
    linear_algebra();
    counts();
    slices();
    indexing();
    masks();
    scans();
    transforms();
    softmaxes();
    joining();
    sorting();
    statistics();
    polynomials();
    histograms();
    exchange();
    random_numbers();
    others();
    return bad;
}
