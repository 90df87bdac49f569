/* Which dtype comes out: against NumPy's answers in golden/promotion.bin, for
   every operation, every dtype or pair, and C numbers in either place.      */
#include "golden.h"
#include "rows.h"

#define NONE 255                    /* NumPy: TypeError; here GA_ERR_DTYPE   */
static const char *code_name(int c) {
    return c == NONE ? "an error" : ga_dtype_name((ga_dtype)c);
}
static const unsigned char *codes(const char *kind, const char *op) {
    const g_record *g = g_find("%s/%s", kind, op);
    return g ? (const unsigned char *)g->data : NULL;
}
/* x must be NULL with GA_ERR_DTYPE pending, or of dtype want. */
static void result_is(const ga_array *x, int want) {
    if (want == NONE) {
        T_CHECKF(!x, "gives %s, expected an error",
                 x ? ga_dtype_name(x->dtype) : "");
        T_CHECKF(ga_error() == GA_ERR_DTYPE, "error %s (%s)",
                 ga_status_name(ga_error()), ga_error_message());
    } else {
        T_CHECKF(x && (int)x->dtype == want, "gives %s, expected %s",
                 x ? ga_dtype_name(x->dtype) : ga_error_message(),
                 code_name(want));
    }
    ga_clear_error();
}
static ga_array *of(int t) { return ga_ones(GA_SHAPE(2), (ga_dtype)t); }

TEST(promote_types) {
    const unsigned char *g = (const unsigned char *)g_find("promote")->data;
    for (int a = 0; a < GA_NUM_DTYPES; a++)
        for (int b = 0; b < GA_NUM_DTYPES; b++) {
            int r = (int)ga_promote_types((ga_dtype)a, (ga_dtype)b);
            T_CHECKF(r == *g, "%s and %s: %s, expected %s", code_name(a),
                     code_name(b), code_name(r), code_name(*g));
            g++;
        }
}
TEST(can_cast) {
    const unsigned char *g = (const unsigned char *)g_find("can_cast")->data;
    for (int a = 0; a < GA_NUM_DTYPES; a++)
        for (int b = 0; b < GA_NUM_DTYPES; b++, g++)
            T_CHECKF(ga_can_cast((ga_dtype)a, (ga_dtype)b) == (*g != 0),
                     "%s to %s: expected %d", code_name(a), code_name(b), *g);
}
TEST(dtypes) {
    static const size_t size[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8,
                                  16};
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        T_CHECK(ga_dtype_size((ga_dtype)t) == size[t]);
    T_CHECK(!strcmp(ga_dtype_name(GA_COMPLEX128), "complex128"));
    T_CHECK(ga_dtype_size((ga_dtype)77) == 0);
    T_CHECK(!strcmp(ga_dtype_name((ga_dtype)77), "?"));
    T_CHECK(!ga_can_cast((ga_dtype)77, GA_INT8));
}

/* Every bit pattern there and back. */
TEST(half_conversions) {
    for (uint32_t i = 0; i < 0x10000; i++) {
        ga_float16 h = {(uint16_t)i};
        ga_bfloat16 b = {(uint16_t)i};
        double want = t_from_half(h.bits), got = (double)ga_float16_to(h);
        T_CHECKF(memcmp(&want, &got, 8) == 0 || (isnan(want) && isnan(got)),
                 "float16 %04x gives %g", i, got);
        if (!isnan(got))
            T_CHECKF(ga_float16_from((float)want).bits == i,
                     "float16 %04x comes back as %04x", i,
                     ga_float16_from((float)want).bits);
        want = t_from_bf16(b.bits), got = (double)ga_bfloat16_to(b);
        T_CHECKF(memcmp(&want, &got, 8) == 0 || (isnan(want) && isnan(got)),
                 "bfloat16 %04x gives %g", i, got);
        if (!isnan(got))
            T_CHECKF(ga_bfloat16_from((float)want).bits == i,
                     "bfloat16 %04x comes back as %04x", i,
                     ga_bfloat16_from((float)want).bits);
    }
    /* rounding to nearest even, with the neighbours of every midpoint */
    for (uint32_t i = 0; i < 0x7c00; i++) {
        double a = t_from_half((uint16_t)i);
        double b = i == 0x7bff ? 65536 : t_from_half((uint16_t)(i + 1));
        float m = (float)((a + b) / 2);
        uint32_t even = i & 1 ? i + 1 : i;
        T_CHECK(ga_float16_from(m).bits == even);
        T_CHECK(ga_float16_from(-m).bits == (even | 0x8000));
        T_CHECK(ga_float16_from(nextafterf(m, 0)).bits == i);
        T_CHECK(ga_float16_from(nextafterf(m, 1e9f)).bits == i + 1);
    }
    for (uint32_t i = 0; i < 0x7f80; i++) {
        uint32_t u = i << 16 | 0x8000, v;
        float m;
        memcpy(&m, &u, 4);
        T_CHECK(ga_bfloat16_from(m).bits == (i & 1 ? i + 1 : i));
        v = u + 1;
        memcpy(&m, &v, 4);
        T_CHECK(ga_bfloat16_from(m).bits == i + 1);
        v = u - 1;
        memcpy(&m, &v, 4);
        T_CHECK(ga_bfloat16_from(m).bits == i);
    }
    T_CHECK(isnan(ga_float16_to(ga_float16_from((float)NAN))));
    T_CHECK(isnan(ga_bfloat16_to(ga_bfloat16_from((float)NAN))));
    uint32_t low_nan = 0x7f800001;  /* its bits all lie in the part cut off */
    float f;
    memcpy(&f, &low_nan, 4);
    T_CHECK(isnan(ga_bfloat16_to(ga_bfloat16_from(f))));
    T_CHECK(isnan(ga_float16_to(ga_float16_from(f))));
}

TEST(unary_results) {
    for (size_t i = 0; i < R_UNARIES; i++) {
        const r_row *r = &r_unaries[i];
        const unsigned char *g = codes("unary", r->name);
        T_CHECKF(g != NULL, "%s has no golden row", r->name);
        for (int t = 0; g && t < GA_NUM_DTYPES; t++) {
            GA_SCOPE;
            t_context("%s(%s)", r->name, code_name(t));
            result_is(r->f1(of(t)), g[t]);
        }
    }
}
TEST(binary_results) {
    for (size_t i = 0; i < R_BINARIES; i++) {
        const r_row *r = &r_binaries[i];
        const unsigned char *g = codes("binary", r->name);
        T_CHECKF(g != NULL, "%s has no golden row", r->name);
        for (int a = 0; g && a < GA_NUM_DTYPES; a++)
            for (int b = 0; b < GA_NUM_DTYPES; b++) {
                GA_SCOPE;
                t_context("%s(%s, %s)", r->name, code_name(a), code_name(b));
                result_is(r->f2(of(a), of(b)), *g++);
            }
    }
}

/* bool, int, float, complex as C numbers */
static const ga_array *number(int kind, ga_array *t) {
    switch (kind) {
    case 0: return ga__arg_b(true, t);
    case 1: return ga__arg_i(3, t);
    case 2: return ga__arg_f(1.5, t);
    default: return ga__arg_c(t_c128(0, 1), t);
    }
}
static const char *const number_name[] = {"true", "3", "1.5", "1j"};
TEST(c_number_beside_array) {
    for (size_t i = 0; i < R_BINARIES; i++) {
        const r_row *r = &r_binaries[i];
        const unsigned char *g = codes("weak", r->name);
        for (int t = 0; t < GA_NUM_DTYPES; t++)
            for (int k = 0; k < 4; k++) {
                GA_SCOPE;
                ga_array tmp, *x = of(t);
                t_context("%s(%s, %s)", r->name, code_name(t),
                          number_name[k]);
                result_is(r->f2(x, number(k, &tmp)), *g++);
                t_context("%s(%s, %s)", r->name, number_name[k],
                          code_name(t));
                result_is(r->f2(number(k, &tmp), x), *g++);
            }
    }
}
TEST(c_numbers_alone) {
    for (size_t i = 0; i < R_UNARIES; i++) {
        const r_row *r = &r_unaries[i];
        const unsigned char *g = codes("unary_weak", r->name);
        for (int k = 0; g && k < 4; k++) {
            GA_SCOPE;
            ga_array tmp;
            t_context("%s(%s)", r->name, number_name[k]);
            result_is(r->f1(number(k, &tmp)), g[k]);
        }
    }
    for (size_t i = 0; i < R_BINARIES; i++) {
        const r_row *r = &r_binaries[i];
        const unsigned char *g = codes("binary_weak", r->name);
        for (int k = 0; k < 4; k++)
            for (int l = 0; l < 4; l++) {
                GA_SCOPE;
                ga_array a, b;
                t_context("%s(%s, %s)", r->name, number_name[k],
                          number_name[l]);
                result_is(r->f2(number(k, &a), number(l, &b)), *g++);
            }
    }
}

/* where, clip: the promoted type of what is chosen from. */
TEST(where_and_clip) {
    const unsigned char *g = (const unsigned char *)g_find("promote")->data;
    for (int a = 0; a < GA_NUM_DTYPES; a++)
        for (int b = 0; b < GA_NUM_DTYPES; b++, g++) {
            GA_SCOPE;
            ga_array *x = of(a), *y = of(b);
            t_context("where %s, %s", code_name(a), code_name(b));
            result_is(ga_where(of(GA_BOOL), x, y), *g);
            t_context("clip %s, %s", code_name(a), code_name(b));
            result_is(ga_clip(x, y, GA_NONE), *g);
            result_is(ga_clip(x, GA_NONE, y), *g);
            result_is(ga_clip(x, y, x), *g);
        }
    GA_SCOPE;
    t_context("with numbers");
    result_is(ga_where(of(GA_BOOL), of(GA_FLOAT32), 2), GA_FLOAT32);
    result_is(ga_where(of(GA_BOOL), of(GA_INT8), 2.5), GA_FLOAT64);
    result_is(ga_where(of(GA_BOOL), 1, 2.), GA_FLOAT64);
    result_is(ga_where(of(GA_BOOL), 1, 2), GA_INT64);
    result_is(ga_where(true, of(GA_UINT8), 2), GA_UINT8);
    result_is(ga_clip(of(GA_FLOAT16), 0, 2), GA_FLOAT16);
    result_is(ga_clip(of(GA_INT8), 0, 2.5), GA_FLOAT64);
    result_is(ga_clip(of(GA_BFLOAT16), 0.5, 2), GA_BFLOAT16);
}
TEST(several_results) {
    static const int half_of[] = {GA_FLOAT16, GA_FLOAT16, GA_FLOAT32,
        GA_FLOAT64, GA_FLOAT64, GA_FLOAT16, GA_FLOAT32, GA_FLOAT64,
        GA_FLOAT64, GA_FLOAT16, GA_BFLOAT16, GA_FLOAT32, GA_FLOAT64, NONE,
        NONE};
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        ga_array *a = NULL, *b = NULL;
        t_context("modf(%s)", code_name(t));
        ga_status s = ga_modf(of(t), &a, &b);
        T_CHECK((s == GA_OK) == (half_of[t] != NONE));
        result_is(a, half_of[t]);
        if (s == GA_OK) result_is(b, half_of[t]);
        a = b = NULL;
        t_context("frexp(%s)", code_name(t));
        s = ga_frexp(of(t), &a, &b);
        T_CHECK((s == GA_OK) == (half_of[t] != NONE));
        result_is(a, half_of[t]);
        if (s == GA_OK) result_is(b, GA_INT32);
    }
    const unsigned char *g = codes("binary", "floor_divide");
    for (int x = 0; x < GA_NUM_DTYPES; x++)
        for (int y = 0; y < GA_NUM_DTYPES; y++, g++) {
            GA_SCOPE;
            ga_array *q = NULL, *r = NULL;
            t_context("divmod(%s, %s)", code_name(x), code_name(y));
            ga_status s = ga_divmod(of(x), of(y), &q, &r);
            T_CHECK((s == GA_OK) == (*g != NONE));
            result_is(q, *g);
            if (s == GA_OK) result_is(r, *g);
        }
}

static const struct { ga_dtype t; int64_t lo; uint64_t hi; } limits[] = {
    {GA_INT8, INT8_MIN, INT8_MAX},    {GA_INT16, INT16_MIN, INT16_MAX},
    {GA_INT32, INT32_MIN, INT32_MAX}, {GA_INT64, INT64_MIN, INT64_MAX},
    {GA_UINT8, 0, UINT8_MAX},         {GA_UINT16, 0, UINT16_MAX},
    {GA_UINT32, 0, UINT32_MAX},       {GA_UINT64, 0, UINT64_MAX},
};
/* An integer that the array's type cannot hold is an error ... */
TEST(integer_out_of_range) {
    for (size_t i = 0; i < T_COUNT(limits); i++) {
        GA_SCOPE;
        ga_dtype t = limits[i].t;
        ga_array *x = of((int)t), *y;
        t_context("%s", ga_dtype_name(t));
        y = ga_add(x, limits[i].lo);
        T_CHECK(y && y->dtype == t);
        y = ga_add(limits[i].hi, x);
        T_CHECK(y && y->dtype == t);
        T_FINE();
        if (limits[i].lo > INT64_MIN) {
            T_CHECK(ga_add(x, limits[i].lo - 1) == NULL);
            T_ERROR(GA_ERR_VALUE);
            T_CHECK(ga_multiply(limits[i].lo - 1, x) == NULL);
            T_ERROR(GA_ERR_VALUE);
            T_CHECK(ga_where(true, x, limits[i].lo - 1) == NULL);
            T_ERROR(GA_ERR_VALUE);
        }
        if (limits[i].hi < UINT64_MAX) {
            T_CHECK(ga_add(x, limits[i].hi + 1) == NULL);
            T_ERROR(GA_ERR_VALUE);
            T_CHECK(ga_bitwise_and(x, limits[i].hi + 1) == NULL);
            T_ERROR(GA_ERR_VALUE);
            T_CHECK(ga_maximum(x, UINT64_MAX) == NULL);
            T_ERROR(GA_ERR_VALUE);
        }
    }
    /* floats take any integer */
    GA_SCOPE;
    t_context("floats");
    result_is(ga_add(of(GA_FLOAT32), INT64_MIN), GA_FLOAT32);
    result_is(ga_add(of(GA_FLOAT32), UINT64_MAX), GA_FLOAT32);
    T_CHECK(ga_item(ga_slice(ga_multiply(of(GA_FLOAT64), UINT64_MAX), "0"))
            == 18446744073709551616.);
}
/* ... where the operation computes in it: NumPy's results elsewhere. */
TEST(integer_beyond_what_computes) {
    static const struct {
        const char *name;
        int i8, i16, i64;           /* what it computes in beside an integer */
    } ops[] = {
        {"divide", GA_FLOAT64, GA_FLOAT64, GA_FLOAT64},
        {"hypot", GA_FLOAT16, GA_FLOAT32, GA_FLOAT64},
        {"arctan2", GA_FLOAT16, GA_FLOAT32, GA_FLOAT64},
        {"copysign", GA_FLOAT16, GA_FLOAT32, GA_FLOAT64},
        {"heaviside", GA_FLOAT16, GA_FLOAT32, GA_FLOAT64},
        {"logaddexp", GA_FLOAT16, GA_FLOAT32, GA_FLOAT64},
        {"logaddexp2", GA_FLOAT16, GA_FLOAT32, GA_FLOAT64},
        {"nextafter", GA_FLOAT16, GA_FLOAT32, GA_FLOAT64},
        {"logical_and", GA_BOOL, GA_BOOL, GA_BOOL},
        {"logical_or", GA_BOOL, GA_BOOL, GA_BOOL},
        {"logical_xor", GA_BOOL, GA_BOOL, GA_BOOL}};
    static const struct { uint64_t v; bool negative; } values[] = {
        {256, false}, {300, false}, {(uint64_t)-1, true}, {70000, false},
        {UINT64_C(1) << 63, false}, {UINT64_MAX, false}};
    for (size_t k = 0; k < T_COUNT(ops); k++)
        for (int t = GA_INT8; t <= GA_UINT64; t++)
            for (size_t j = 0; j < T_COUNT(values); j++) {
                GA_SCOPE;
                const r_row *r = r_row_of(ops[k].name);
                size_t size = ga_dtype_size((ga_dtype)t);
                int want = size == 1 ? ops[k].i8 : size == 2 ? ops[k].i16
                                                             : ops[k].i64;
                double v = values[j].negative ? -1 : (double)values[j].v;
                ga_array n, *x = ga_full(GA_SHAPE(2), 5, (ga_dtype)t);
                const ga_array *c = values[j].negative
                    ? ga__arg_i(-1, &n) : ga__arg_u(values[j].v, &n);
                t_context("%s(%s, %g)", r->name, code_name(t), v);
                ga_array *y = r->f2(x, c), *z = r->f2(c, x);
                result_is(y, want);
                result_is(z, want);
                ga_dtype as = want == GA_BOOL ? GA_FLOAT64 : (ga_dtype)want;
                ga_array *f = ga_astype(x, as);
                ga_array *g = ga_full(GA_SHAPE(2), v, as);
                t_same_arrays(y, r->f2(f, g), 0);
                t_same_arrays(z, r->f2(g, f), 0);
            }
}
TEST(clip_by_numbers_beyond) {
    GA_SCOPE;
    uint8_t b[] = {1, 5, 200};
    int64_t w[] = {-5, 5, INT64_MAX};
    ga_array *u = ga_asarray(b, GA_SHAPE(3)), *i = ga_asarray(w, GA_SHAPE(3));
    t_same_arrays(ga_clip(u, 0, 300), u, 0);
    t_same_arrays(ga_clip(u, -1, 1 << 30), u, 0);
    t_same_arrays(ga_clip(u, -300, GA_NONE), u, 0);
    t_same_arrays(ga_clip(u, -5, 100), ga_minimum(u, 100), 0);
    t_same_arrays(ga_clip(u, 3, UINT64_MAX), ga_maximum(u, 3), 0);
    t_same_arrays(ga_clip(i, -1, UINT64_MAX), ga_maximum(i, -1), 0);
    result_is(ga_clip(i, 0, UINT64_MAX), GA_INT64);
    result_is(ga_clip(i, GA_NONE, UINT64_MAX), GA_INT64);
    t_same_arrays(ga_clip(ga_astype(i, GA_UINT64), -1, UINT64_MAX),
                  ga_astype(i, GA_UINT64), 0);
    ga_array *out = ga_zeros(GA_SHAPE(3), GA_UINT8);
    T_CHECK(ga_clip_into(out, u, -1, 300) == GA_OK);
    t_same_arrays(out, u, 0);
    T_CHECK(!ga_clip(u, 300, 400));             /* as NumPy: none is so large */
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_clip(u, 0, -1));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_clip(i, UINT64_MAX, UINT64_MAX));
    T_ERROR(GA_ERR_VALUE);
    /* two integers of C beside an int64 array stay int64, or do not fit */
    ga_array *yes = ga_ones(GA_SHAPE(3), GA_BOOL);
    T_CHECK(!ga_where(yes, i, UINT64_MAX));
    T_ERROR(GA_ERR_VALUE);
    result_is(ga_where(yes, 1, UINT64_MAX), GA_UINT64);
    T_CHECK(!ga_where(yes, -1, UINT64_MAX));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_item(ga_divide(-1, UINT64_MAX)) == -1 / 18446744073709551616.);
}
/* ... but may be compared with, exactly. */
TEST(comparison_out_of_range) {
    for (size_t i = 0; i < T_COUNT(limits); i++) {
        GA_SCOPE;
        ga_dtype t = limits[i].t;
        t_context("%s", ga_dtype_name(t));
        ga_array *low = ga_full(GA_SCALAR_SHAPE, limits[i].lo, t);
        ga_array *top = ga_full(GA_SCALAR_SHAPE, limits[i].hi, t);
        T_CHECK(ga_item(ga_equal(top, limits[i].hi)) == 1);
        T_CHECK(ga_item(ga_equal(low, limits[i].lo)) == 1);
        T_CHECK(ga_item(ga_less(top, limits[i].hi)) == 0);
        T_CHECK(ga_item(ga_less_equal(limits[i].lo, low)) == 1);
        if (limits[i].lo > INT64_MIN) {
            T_CHECK(ga_item(ga_equal(low, limits[i].lo - 1)) == 0);
            T_CHECK(ga_item(ga_not_equal(low, limits[i].lo - 1)) == 1);
            T_CHECK(ga_item(ga_less(low, limits[i].lo - 1)) == 0);
            T_CHECK(ga_item(ga_greater(low, limits[i].lo - 1)) == 1);
            T_CHECK(ga_item(ga_less(limits[i].lo - 1, low)) == 1);
            T_CHECK(ga_item(ga_greater_equal(low, INT64_MIN)) == 1);
            T_CHECK(ga_item(ga_greater(INT64_MIN, low)) == 0);
        }
        if (limits[i].hi < UINT64_MAX) {
            T_CHECK(ga_item(ga_equal(top, limits[i].hi + 1)) == 0);
            T_CHECK(ga_item(ga_not_equal(limits[i].hi + 1, top)) == 1);
            T_CHECK(ga_item(ga_less(top, limits[i].hi + 1)) == 1);
            T_CHECK(ga_item(ga_less_equal(limits[i].hi + 1, top)) == 0);
            T_CHECK(ga_item(ga_greater(UINT64_MAX, top)) == 1);
            T_CHECK(ga_item(ga_greater_equal(top, UINT64_MAX)) == 0);
        }
        T_FINE();
    }
    GA_SCOPE;
    t_context("numbers alone");
    T_CHECK(ga_item(ga_less(-1, UINT64_MAX)) == 1);
    T_CHECK(ga_item(ga_equal(-1, UINT64_MAX)) == 0);
    T_CHECK(ga_item(ga_greater((uint64_t)1 << 63, INT64_MAX)) == 1);
}

/* Every C type becomes the operand it should. */
TEST(c_types) {
    GA_SCOPE;
    ga_array *i8 = of(GA_INT8), *f32 = of(GA_FLOAT32);
    const ga_array *ro = i8;
    char c = 2;
    signed char sc = 2;
    unsigned char uc = 2;
    short s = 2;
    unsigned short us = 2;
    unsigned u = 2;
    long l = 2;
    unsigned long ul = 2;
    long long ll = 2;
    unsigned long long ull = 2;
    float f = 2;
    ga_float16 h = ga_float16_from(2);
    ga_bfloat16 b = ga_bfloat16_from(2);
    int8_t three[] = {3, 3};
    t_same(ga_add(i8, c), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(i8, sc), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(i8, uc), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(i8, s), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(i8, us), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(i8, 2), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(i8, u), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(i8, l), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(i8, ul), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(i8, ll), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(i8, ull), GA_INT8, GA_SHAPE(2), three);
    t_same(ga_add(ro, 2), GA_INT8, GA_SHAPE(2), three);
    result_is(ga_add(i8, f), GA_FLOAT64);
    result_is(ga_add(i8, 2.0), GA_FLOAT64);
    result_is(ga_add(f32, 2.0), GA_FLOAT32);
    /* float16, bfloat16 and bool are not weak */
    result_is(ga_add(i8, h), GA_FLOAT16);
    result_is(ga_add(i8, b), GA_BFLOAT16);
    result_is(ga_add(f32, h), GA_FLOAT32);
    result_is(ga_add(h, b), GA_FLOAT32);
    result_is(ga_add(h, 1.5), GA_FLOAT16);
    result_is(ga_add(i8, (bool)true), GA_INT8);
    result_is(ga_add((bool)true, (bool)true), GA_BOOL);
    result_is(ga_add(f32, t_c64(1, 2)), GA_COMPLEX64);
    result_is(ga_add(f32, t_c128(1, 2)), GA_COMPLEX64);
    result_is(ga_add(of(GA_FLOAT64), t_c64(1, 2)), GA_COMPLEX128);
    result_is(ga_add(1.5, t_c64(1, 2)), GA_COMPLEX128);
    T_CHECK(ga_item(ga_add(h, 1.5)) == 3.5);
    T_CHECK(ga_item(ga_add(b, 1)) == 3);
    T_CHECK(ga_item(ga_slice(ga_add(f32, 0.1), "0")) == (double)(1 + 0.1f));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(promote_types), T(can_cast), T(dtypes), T(half_conversions),
        T(unary_results), T(binary_results), T(c_number_beside_array),
        T(c_numbers_alone), T(where_and_clip), T(several_results),
        T(integer_out_of_range), T(integer_beyond_what_computes),
        T(clip_by_numbers_beyond), T(comparison_out_of_range), T(c_types),
    };
    g_load("promotion.bin");
    int failed = T_RUN("promotion", tests);
    g_free();
    return failed;
}
