/* einsum, tensordot, multi_dot: golden/einsum.bin in several layouts; errors
   with their texts; outputs that overlap; memory used on the way.           */
#include "golden.h"

typedef const ga_array *const *operands;

/* ----------------------------------------------------------- golden data */
enum { MOST = 12 };
/* Rounding: one unit for each step and operand, of the sum of absolute values
   that the golden file holds; exact dtypes exactly.                         */
static double eps_of(ga_dtype t) { return t_ulp(t, 1.0) / 2; }
static bool fits(const ga_array *y, const g_record *want, const g_record *mag,
                 int n) {
    if (!t_is(y, want->dtype, want->shape)) return false;
    const void *p = t_host(y);
    if (!mag) return t_compare(p, want->data, want->dtype, want->size, 0);
    double allowed = (8 + 4 * n) * eps_of(want->dtype);
    for (int64_t i = 0; i < want->size; i++) {
        double err = 0, m = (double)((const float *)mag->data)[i];
        for (int k = 0; k < 1 + t_is_complex(want->dtype); k++)
            err = hypot(err, t_value(p, want->dtype, i, k)
                                 - t_value(want->data, want->dtype, i, k));
        if (err <= allowed * m) continue;
        t_bad("element %lld is %s, expected %s, %g of %g", (long long)i,
              t_text(p, want->dtype, i), t_text(want->data, want->dtype, i),
              err, allowed * m);
        return false;
    }
    return true;
}
static ga_array *made_of(const g_record *r) {
    return (ga_asarray_as)(r->data, r->dtype, r->shape);
}
static int load(const char *key, ga_array **x) {
    int n = 0;
    for (const g_record *r; n < MOST && (r = g_find("%s/%d", key, n)); n++)
        x[n] = made_of(r);
    return n;
}

typedef void (*golden_fn)(const char *text, int n, ga_array **x,
                          const g_record *want, const g_record *mag);
static void each_golden(golden_fn f) {
    g_load("einsum.bin");
    int k = 0;
    for (const g_record *s; (s = g_find("%d/text", k)); k++) {
        GA_SCOPE;
        char key[20];
        ga_array *x[MOST];
        snprintf(key, sizeof key, "%d", k);
        int n = load(key, x);
        t_context("%d \"%s\" %s", k, (const char *)s->data,
                  ga_dtype_name(x[0]->dtype));
        f((const char *)s->data, n, x, g_find("%d/out", k),
          g_find("%d/mag", k));
    }
    t_context("%s", "");
    T_CHECKF(k >= 200, "%d cases", k);
    g_free();
}
static ga_array *einsum(const char *text, int n, ga_array **x) {
    return (ga_einsum)(text, n, (operands)x);
}

static void plain(const char *text, int n, ga_array **x, const g_record *want,
                  const g_record *mag) {
    ga_array *y = einsum(text, n, x);
    fits(y, want, mag, n);
    if (y) T_CHECK(ga_is_contiguous(y));
}
TEST(golden) { each_golden(plain); }

static void in_layouts(const char *text, int n, ga_array **x,
                       const g_record *want, const g_record *mag) {
    for (int how = 1; how < 5; how++) {
        ga_array *v[MOST];
        for (int i = 0; i < n; i++) v[i] = t_laid_out(x[i], 1 + (how + i) % 4);
        if (!fits(einsum(text, n, v), want, mag, n)) t_bad("layout %d", how);
    }
    ga_array *v[MOST], *c[MOST];    /* strides of 0 against a copy          */
    for (int i = 0; i < n; i++) {
        v[i] = t_laid_out(x[i], i ? i % 3 : 5);
        c[i] = ga_copy(v[i]);
    }
    ga_array *y = einsum(text, n, v), *z = einsum(text, n, c);
    if (mag) T_CHECKF(y && t_is(z, y->dtype, ga_shape_of(y)), "strides of 0");
    else t_same_arrays(y, z, 0);
}
TEST(golden_layouts) { each_golden(in_layouts); }

/* Outputs: new, strided, of a wider dtype. */
static void into(const char *text, int n, ga_array **x, const g_record *want,
                 const g_record *mag) {
    for (int how = 0; how < 3; how++) {
        ga_array *one = ga_ones(GA_SCALAR_SHAPE, GA_BOOL);
        ga_array *out = t_laid_out((ga_full)(want->shape, one, want->dtype),
                                   how);
        T_CHECK((ga_einsum_into)(out, text, n, (operands)x) == GA_OK);
        fits(out, want, mag, n);
    }
    ga_array *out = (ga_empty)(want->shape, GA_COMPLEX128);
    T_CHECK((ga_einsum_into)(out, text, n, (operands)x) == GA_OK);
    ga_array *same = einsum(text, n, x);
    t_same_arrays(out, same ? ga_astype(same, GA_COMPLEX128) : NULL, 0);
}
TEST(golden_into) { each_golden(into); }

TEST(tensordot) {
    g_load("einsum.bin");
    int k = 0;
    for (const g_record *a; (a = g_find("td/%d/axes", k)); k++) {
        GA_SCOPE;
        const int64_t *v = (const int64_t *)a->data;
        ga_array *x = made_of(g_find("td/%d/x", k));
        ga_array *y = made_of(g_find("td/%d/y", k)), *z;
        const g_record *want = g_find("td/%d/out", k);
        const g_record *mag = g_find("td/%d/mag", k);
        t_context("tensordot %d", k);
        if (k % 3 == 0) {
            ga_array *out = (ga_empty)(want->shape, want->dtype);
            z = ga_tensordot(x, y, (int)v[0]);
            T_CHECK(ga_tensordot_into(out, x, y, (int)v[0]) == GA_OK);
            t_same_arrays(z, out, 0);
        } else {
            int n = (int)a->size / 2;
            ga_axis p = {n, false, {0}}, q = p;
            for (int i = 0; i < n; i++) {
                p.axis[i] = (int)v[i];
                q.axis[i] = (int)v[n + i];
            }
            z = ga_tensordot_axes(x, y, p, q);
            fits(ga_tensordot_axes(t_laid_out(x, 1), t_laid_out(y, 2), p, q),
                 want, mag, 2);
        }
        fits(z, want, mag, 2);
    }
    T_CHECK(k >= 40);
    g_free();

    GA_SCOPE;
    t_context("%s", "");
    ga_array *x = ga_ones(GA_SHAPE(2, 3, 4), GA_FLOAT32);
    ga_array *y = ga_ones(GA_SHAPE(4, 3, 2), GA_FLOAT64), *z;
    z = ga_tensordot_axes(x, y, GA_AXIS(1, -1), GA_AXIS(1, 0));
    double twelve[] = {12, 12, 12, 12};
    t_same(z, GA_FLOAT64, GA_SHAPE(2, 2), twelve);
    z = ga_tensordot_axes(x, x, GA_ALL, GA_ALL);
    float all = 24;
    t_same(z, GA_FLOAT32, GA_SCALAR_SHAPE, &all);
    ga_tensordot(x, y, 3);
    T_ERROR(GA_ERR_SHAPE);
    ga_tensordot(x, y, 4);
    T_ERROR(GA_ERR_AXIS);
    ga_tensordot(x, y, -1);
    T_ERROR(GA_ERR_AXIS);
    ga_tensordot_axes(x, y, GA_AXIS(0, 1), GA_AXIS(1));
    T_ERROR(GA_ERR_AXIS);
    ga_tensordot_axes(x, y, GA_AXIS(0, 0), GA_AXIS(2, 2));
    T_ERROR(GA_ERR_AXIS);
    ga_tensordot_axes(x, y, GA_AXIS(3), GA_AXIS(0));
    T_ERROR(GA_ERR_AXIS);
    ga_tensordot_axes(x, y, GA_AXIS(0), GA_AXIS(0));
    T_CHECK(strstr(ga_error_message(), "axis 0 of shape (2,3,4) and axis 0 of "
                                       "shape (4,3,2) differ in length"));
    T_ERROR(GA_ERR_SHAPE);
    ga_array *five = ga_ones(GA_SHAPE(1, 1, 1, 1, 1), GA_FLOAT32);
    ga_tensordot(five, five, 0);
    T_ERROR(GA_ERR_SHAPE);
    ga_tensordot(x, NULL, 1);
    T_ERROR(GA_ERR_NULL);
    ga_array number;
    (ga_tensordot)(x, ga__arg_f(2, &number), 0);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_tensordot_into(z, x, y, 1) == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
}

TEST(multi_dot) {
    g_load("einsum.bin");
    int k = 0;
    for (; g_find("md/%d/0", k); k++) {
        GA_SCOPE;
        char key[20];
        ga_array *x[MOST], *v[MOST];
        snprintf(key, sizeof key, "md/%d", k);
        int n = load(key, x);
        t_context("multi_dot %d", k);
        const g_record *want = g_find("md/%d/out", k);
        const g_record *mag = g_find("md/%d/mag", k);
        fits((ga_multi_dot)(n, (operands)x), want, mag, n);
        for (int i = 0; i < n; i++) v[i] = t_laid_out(x[i], 1 + i % 4);
        fits((ga_multi_dot)(n, (operands)v), want, mag, n);
    }
    T_CHECK(k >= 30);
    g_free();

    GA_SCOPE;
    t_context("%s", "");
    ga_array *a = ga_ones(GA_SHAPE(2, 3), GA_FLOAT64);
    ga_array *b = ga_ones(GA_SHAPE(3, 4), GA_FLOAT64);
    ga_array *v = ga_ones(GA_SHAPE(3), GA_FLOAT64);
    double nine = 9;
    ga_array *s = ga_multi_dot(v, ga_ones(GA_SHAPE(3, 3), GA_INT8), v);
    t_same(s, GA_FLOAT64, GA_SCALAR_SHAPE, &nine);
    ga_multi_dot(a);
    T_ERROR(GA_ERR_VALUE);
    ga_multi_dot(a, v, b);
    T_CHECK(strstr(ga_error_message(), "operand 1 has shape (3,); a matrix is "
                                       "needed"));
    T_ERROR(GA_ERR_SHAPE);
    ga_multi_dot(a, a);
    T_CHECK(strstr(ga_error_message(), "operands 0 and 1, shapes (2,3) and "
                                       "(2,3), do not fit"));
    T_ERROR(GA_ERR_SHAPE);
    ga_multi_dot(a, b, ga_ones(GA_SCALAR_SHAPE, GA_FLOAT64));
    T_ERROR(GA_ERR_SHAPE);
    ga_multi_dot(ga_ones(GA_SHAPE(1, 2, 3), GA_FLOAT64), b);
    T_ERROR(GA_ERR_SHAPE);
    ga_multi_dot(a, NULL);
    T_ERROR(GA_ERR_NULL);
    (ga_multi_dot)(2, NULL);
    T_ERROR(GA_ERR_NULL);
    (ga_multi_dot)(4097, (operands)&a);
    T_ERROR(GA_ERR_VALUE);
    double *none = t_alloc(6 * sizeof *none);
    for (int i = 0; i < 6; i++) none[i] = 0;
    t_same(ga_multi_dot(ga_ones(GA_SHAPE(2, 0), GA_FLOAT64),
                        ga_ones(GA_SHAPE(0, 4), GA_FLOAT64),
                        ga_ones(GA_SHAPE(4, 3), GA_FLOAT64)),
           GA_FLOAT64, GA_SHAPE(2, 3), none);
}

/* ---------------------------------------------------------------- errors */
TEST(errors) {
    GA_SCOPE;
    ga_array *x[] = {ga_ones(GA_SHAPE(2, 3), GA_FLOAT32),
                     ga_ones(GA_SHAPE(3, 4), GA_FLOAT32),
                     ga_ones(GA_SHAPE(5), GA_FLOAT32),
                     ga_ones(GA_SHAPE(1, 3), GA_FLOAT32),
                     ga_ones(GA_SCALAR_SHAPE, GA_FLOAT32),
                     ga_ones(GA_SHAPE(1, 1, 1, 1, 1), GA_FLOAT32)};
    static const struct {
        const char *text;
        int op[3];                  /* of x; -1 ends them                   */
        ga_status status;
        const char *says;
    } bad[] = {
        {"i5", {0, -1}, GA_ERR_SYNTAX, "not '5' at position 1"},
        {"ij->i5", {0, -1}, GA_ERR_SYNTAX, "not '5' at position 5"},
        {"i\tj", {0, -1}, GA_ERR_SYNTAX, "not byte 0x09 at position 1"},
        {"i\xe4", {0, -1}, GA_ERR_SYNTAX, "not byte 0xe4 at position 1"},
        {"ij>i", {0, -1}, GA_ERR_SYNTAX, "not '>' at position 2"},
        {"ij-i", {0, -1}, GA_ERR_SYNTAX, "\"->\" whole, not '-' at position 2"},
        {"ij-", {0, -1}, GA_ERR_SYNTAX, "\"->\" whole"},
        {"ij- >i", {0, -1}, GA_ERR_SYNTAX, "\"->\" whole"},
        {"ij->i->j", {0, -1}, GA_ERR_SYNTAX, "not '-' at position 5"},
        {"ij->i,j", {0, -1}, GA_ERR_SYNTAX, "not ',' at position 5"},
        {"i.", {0, -1}, GA_ERR_SYNTAX, "all of \"...\", not '.' at position 1"},
        {"i..j", {0, -1}, GA_ERR_SYNTAX, "not '.' at position 1"},
        {". ..i", {0, -1}, GA_ERR_SYNTAX, "not '.' at position 0"},
        {"i....", {0, -1}, GA_ERR_SYNTAX, "at most one \"...\""},
        {"...i...", {0, -1}, GA_ERR_SYNTAX, "at position 4"},
        {"ij->...i...", {0, -1}, GA_ERR_SYNTAX, "at most one \"...\""},
        {"ij->..i", {0, -1}, GA_ERR_SYNTAX, "not '.' at position 4"},
        {"(ij)", {0, -1}, GA_ERR_SYNTAX, "not '(' at position 0"},
        {"i_j", {0, -1}, GA_ERR_SYNTAX, "not '_' at position 1"},
        {"ij->ii", {0, -1}, GA_ERR_SYNTAX, "letter 'i' stands twice in the"},
        {"ij->iz", {0, -1}, GA_ERR_SYNTAX, "letter 'z' of the output is in no"},
        {"ij->abcdefghijkl", {0, -1}, GA_ERR_SYNTAX, "letter 'a' of the"},
        {"ij", {0, 1, -1}, GA_ERR_VALUE, "has 1 term, but 2 operands are "
                                         "given"},
        {"ij,jk", {0, -1}, GA_ERR_VALUE, "has 2 terms, but 1 operand is given"},
        {"ij,jk,->ik", {0, 1, -1}, GA_ERR_VALUE, "has 3 terms"},
        {",ij", {0, -1}, GA_ERR_SHAPE, "term 0 has 0 letters, operand 0 the "
                                       "shape (2,3)"},
        {"", {0, -1}, GA_ERR_SHAPE, "term 0 has 0 letters"},
        {"i", {0, -1}, GA_ERR_SHAPE, "term 0 has 1 letter, "},
        {"ij,jkl", {0, 1, -1}, GA_ERR_SHAPE, "term 1 has 3 letters, operand 1 "
                                             "the shape (3,4)"},
        {"ij...k", {0, -1}, GA_ERR_SHAPE, "term 0 has 3 letters and \"...\""},
        {"ij,ij", {0, 1, -1}, GA_ERR_SHAPE, "letter 'i' has length 2 in "
         "operand 0, shape (2,3), and 3 in operand 1, shape (3,4)"},
        {"ij,Kj->", {0, 1, -1}, GA_ERR_SHAPE, "letter 'j' has length 3"},
        {"ii", {0, -1}, GA_ERR_SHAPE, "letter 'i' stands for axes 0 and 1 of "
         "operand 0, shape (2,3), whose lengths differ"},
        {"ii", {3, -1}, GA_ERR_SHAPE, "shape (1,3), whose lengths differ"},
        {"...,...", {0, 2, -1}, GA_ERR_SHAPE, "an axis of \"...\" has length 3 "
         "in operand 0, shape (2,3), and 5 in operand 1, shape (5,)"},
        {"...j->j", {0, -1}, GA_ERR_SHAPE, "\"...\" stands for 1 axis"},
        {"...->", {0, -1}, GA_ERR_SHAPE, "stands for 2 axes"},
        {"abcde,fghij", {5, 5, -1}, GA_ERR_SHAPE, "the result has 10 axes; 8"},
        {"...,fghij->...fghi", {5, 5, -1}, GA_ERR_SHAPE, "9 axes; 8 are"},
    };
    T_CHECK(T_COUNT(bad) >= 25);
    int64_t live = ga_live_arrays();
    for (size_t i = 0; i < T_COUNT(bad); i++) {
        ga_array *v[3];
        int n = 0;
        while (n < 3 && bad[i].op[n] >= 0) v[n] = x[bad[i].op[n]], n++;
        t_context("\"%s\"", bad[i].text);
        T_CHECK(!(ga_einsum)(bad[i].text, n, (operands)v));
        const char *m = ga_error_message();
        T_CHECKF(strstr(m, bad[i].says) && !strncmp(m, "ga_einsum: ", 11),
                 "says: %s", m);
        T_ERROR(bad[i].status);
        T_CHECK((ga_einsum_into)(x[0], bad[i].text, n, (operands)v)
                == bad[i].status);
        T_ERROR(bad[i].status);
    }
    t_context("%s", "");
    T_CHECK(ga_live_arrays() == live);

    ga_einsum(NULL, x[0]);
    T_ERROR(GA_ERR_NULL);
    (ga_einsum)("ij", 1, NULL);
    T_ERROR(GA_ERR_NULL);
    ga_einsum("ij,jk", x[0], NULL);
    T_ERROR(GA_ERR_NULL);
    (ga_einsum)("", 0, (operands)x);
    T_ERROR(GA_ERR_VALUE);
    (ga_einsum)("", -1, (operands)x);
    T_ERROR(GA_ERR_VALUE);
    (ga_einsum)("", 13, (operands)x);
    T_CHECK(strstr(ga_error_message(), "13 operands; 1 to 12 are possible"));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_einsum_into(NULL, "ij", x[0]) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    ga_array number;
    const ga_array *two[] = {x[0], ga__arg_f(2, &number)};
    (ga_einsum)("ij,", 2, two);
    T_CHECK(strstr(ga_error_message(), "operand 1 is a C number"));
    T_ERROR(GA_ERR_VALUE);
    char *text = (char *)t_alloc(5000);     /* a long text stays readable    */
    memset(text, 'i', 4999);
    text[4999] = 0;
    ga_einsum(text, x[0]);
    T_CHECK(strlen(ga_error_message()) < 600);
    T_CHECK(strstr(ga_error_message(), "term 0 has 4999 letters"));
    T_ERROR(GA_ERR_SHAPE);
}

/* The output's shape, dtype, device and memory. */
TEST(outputs) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(0, 12, 1, GA_FLOAT32);
    x = ga_reshape(x, GA_SHAPE(3, 4));
    float filled[9], want[9];
    for (int i = 0; i < 9; i++) {
        filled[i] = 7;
        want[i] = 0;
        for (int k = 0; k < 4; k++)
            want[i] += (float)((i / 3 * 4 + k) * (i % 3 * 4 + k));
    }
    ga_array *out = ga_full(GA_SHAPE(3, 3), 7, GA_FLOAT32);
    T_CHECK(ga_einsum_into(ga_zeros(GA_SHAPE(9), GA_FLOAT32), "ij,kj->ik", x, x)
            == GA_ERR_SHAPE);
    T_CHECK(strstr(ga_error_message(), "the output has shape (9,), the result "
                                       "(3,3)"));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_einsum_into(ga_zeros(GA_SHAPE(3, 3), GA_INT64), "ij,kj->ik", x,
                           x) == GA_ERR_DTYPE);
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(ga_einsum_into(ga_broadcast_to(out, GA_SHAPE(3, 3, 3)),
                           "ij,kj,l->ikl", x, x, ga_ones(GA_SHAPE(3),
                                                         GA_FLOAT32))
            == GA_ERR_READONLY);
    T_ERROR(GA_ERR_READONLY);
    t_same(out, GA_FLOAT32, GA_SHAPE(3, 3), filled);
    T_CHECK(ga_einsum_into(out, "ij,kj->ik", x, x) == GA_OK);
    t_same(out, GA_FLOAT32, GA_SHAPE(3, 3), want);
    ga_array *whole = ga_full(GA_SHAPE(3, 6), 7, GA_FLOAT16);
    ga_array *part = ga_slice(whole, ":, ::-2");
    T_CHECK(ga_einsum_into(part, "ij,kj->ik", x, x) == GA_OK);
    t_same(ga_astype(part, GA_FLOAT32), GA_FLOAT32, GA_SHAPE(3, 3), want);

    /* outputs that are operands, or share memory with one */
    for (int how = 0; how < 4; how++) {
        GA_SCOPE;
        t_context("overlap %d", how);
        ga_array *big = ga_reshape(ga_arange_as(1, 41, 1, GA_FLOAT64),
                                   GA_SHAPE(8, 5));
        ga_array *a = ga_slice(big, "0:4, 0:4"), *b = ga_slice(big, "1:5, 1:5");
        ga_array *t = how == 0 ? a : how == 1 ? b
                      : how == 2 ? ga_transpose(a, GA_ALL)
                                 : ga_slice(big, "2:6, 0:4");
        const char *text = how == 3 ? "ij,ij->ji" : "ij,jk->ik";
        ga_array *y = ga_einsum(text, ga_copy(a), ga_copy(b));
        T_CHECK(ga_einsum_into(t, text, a, b) == GA_OK);
        t_same_arrays(t, y, 0);
    }
    for (int how = 0; how < 2; how++) {
        GA_SCOPE;
        t_context("one operand %d", how);
        ga_array *a = ga_reshape(ga_arange_as(1, 17, 1, GA_INT16),
                                 GA_SHAPE(4, 4));
        ga_array *y = how ? ga_einsum("ij->j", ga_copy(a))
                          : ga_einsum("ij->ji", ga_copy(a));
        ga_array *t = how ? ga_index_axis(a, 0, 1) : a;
        T_CHECK((how ? ga_einsum_into(t, "ij->j", a)
                     : ga_einsum_into(t, "ij->ji", a)) == GA_OK);
        t_same_arrays(t, y, 0);
    }
}

/* ---------------------------------------------------------- what it takes */
TEST(twelve) {
    GA_SCOPE;
    ga_array *x[12];
    for (int i = 0; i < 12; i++)
        x[i] = ga_add(ga_identity(3, GA_INT64),
                      ga_full(GA_SHAPE(3, 3), i, GA_INT64));
    ga_array *y = (ga_einsum)("ab,bc,cd,de,ef,fg,gh,hi,ij,jk,kl,lm->am", 12,
                              (operands)x);
    ga_array *z = x[0];
    for (int i = 1; i < 12; i++) z = ga_einsum("ab,bc", z, x[i]);
    t_same_arrays(y, z, 0);
    /* closed to a ring, and all with one label in common */
    ga_array *ring = (ga_einsum)("ab,bc,cd,de,ef,fg,gh,hi,ij,jk,kl,la", 12,
                                 (operands)x);
    t_same_arrays(ring, ga_einsum("ii", z), 0);
    y = (ga_einsum)("za,za,za,za,za,za,za,za,za,za,za,za->a", 12, (operands)x);
    ga_array *p = x[0];
    for (int i = 1; i < 12; i++) p = ga_mul(p, x[i]);
    t_same_arrays(y, ga_sum(p, GA_AXIS(0)), 0);
}

/* Intermediate results of more axes than an array can have. */
TEST(many_axes) {
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange_as(0, 256, 1, GA_INT64),
                             GA_SHAPE(2, 2, 2, 2, 2, 2, 2, 2));
    ga_array *one = ga_ones(GA_SHAPE(2, 2, 2, 2, 2, 2, 2, 2), GA_INT64);
    ga_array *y = ga_einsum("abcdefgh,ijklmnop,abcdefgh->ip", x, one, x);
    int64_t squares = 0, want[4];
    for (int64_t i = 0; i < 256; i++) squares += i * i;
    for (int i = 0; i < 4; i++) want[i] = squares * 64;
    t_same(y, GA_INT64, GA_SHAPE(2, 2), want);
    /* more batch axes than a product of matrices takes: copies */
    ga_array *back = ga_transpose(x, GA_AXIS(6, 5, 4, 3, 2, 1, 0, 7));
    ga_array *z = ga_sum(ga_mul(x, back), GA_AXIS(7));
    t_same_arrays(ga_einsum("abcdefgk,gfedcbak->abcdefg", x, x), z, 0);
    y = ga_einsum("abcdefmk,fedcbakn->abcdefmn", x, x);
    z = ga_mul(ga_reshape(x, GA_SHAPE(64, 2, 1, 2)), ga_reshape(ga_transpose(x,
               GA_AXIS(5, 4, 3, 2, 1, 0, 7, 6)), GA_SHAPE(64, 1, 2, 2)));
    z = ga_reshape(ga_sum(z, GA_AXIS(3)), GA_SHAPE(2, 2, 2, 2, 2, 2, 2, 2));
    t_same_arrays(y, z, 0);
    /* 15 labels, 13 of them in one intermediate result */
    y = ga_einsum("abcdefgh,hijklmno,obipjcqk->agnpq", x, one, x);
    ga_array *p = ga_einsum("abcgh->acbgh", ga_sum(x, GA_AXIS(3, 4, 5)));
    ga_array *q = ga_einsum("hijkno,obipjcqk->hbcpqn", ga_sum(one,
                            GA_AXIS(4, 5)), x);
    z = ga_einsum("acbgh,hbcpqn->agnpq", p, q);
    t_same_arrays(y, z, 0);
    y = ga_einsum("abcdefgh,hgfedcba->cahf", x, x);
    ga_array *t = ga_transpose(x, GA_ALL);
    z = ga_transpose(ga_sum(ga_mul(x, t), GA_AXIS(1, 3, 4, 6)),
                     GA_AXIS(1, 0, 3, 2));
    t_same_arrays(y, z, 0);
}

TEST(empties) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(0, 3), GA_FLOAT32);
    ga_array *y = ga_ones(GA_SHAPE(3, 4), GA_FLOAT32);
    float zero[12] = {0};
    t_same(ga_einsum("ij,jk", x, y), GA_FLOAT32, GA_SHAPE(0, 4), zero);
    t_same(ga_einsum("ij,jk->jk", x, y), GA_FLOAT32, GA_SHAPE(3, 4), zero);
    t_same(ga_einsum("ij,jk->", x, y), GA_FLOAT32, GA_SCALAR_SHAPE, zero);
    t_same(ga_einsum("ij->", x), GA_FLOAT32, GA_SCALAR_SHAPE, zero);
    t_same(ga_einsum("ij->ji", x), GA_FLOAT32, GA_SHAPE(3, 0), zero);
    t_same(ga_einsum("ij,ij->j", x, ga_ones(GA_SHAPE(1, 3), GA_FLOAT32)),
           GA_FLOAT32, GA_SHAPE(3), zero);
    t_same(ga_tensordot(ga_transpose(x, GA_ALL), x, 1), GA_FLOAT32,
           GA_SHAPE(3, 3), zero);
    ga_array *out = ga_full(GA_SHAPE(3, 3), 5, GA_FLOAT32);
    T_CHECK(ga_einsum_into(out, "ij,ik->jk", x, x) == GA_OK);
    t_same(out, GA_FLOAT32, GA_SHAPE(3, 3), zero);
    T_CHECK(ga_einsum_into(x, "ij->ij", x) == GA_OK);
}

/* The order of work shows in the memory that it takes. */
static size_t used_by(const char *text, int n, ga_array **x) {
    ga_memory m;
    ga_array *big = ga_empty(GA_SHAPE(1), GA_INT8);     /* peak as it is     */
    ga_free(big);
    size_t before = t_used(), low = 1, high = (size_t)1 << 32;
    while (high - low > (size_t)1 << 12) {  /* the least limit that will do  */
        size_t mid = low + (high - low) / 2;
        T_CHECK(ga_mem_limit(before + mid) == GA_OK);
        ga_array *y = (ga_einsum)(text, n, (operands)x);
        if (y) high = mid;
        else low = mid;
        ga_free(y);
        ga_clear_error();
    }
    ga_mem_limit(0);
    T_CHECK(ga_mem_info(ga_device(), &m) == GA_OK);
    T_CHECK(t_used() == before);
    return high;
}
TEST(memory) {
    GA_SCOPE;
    ga_array *thin = ga_ones(GA_SHAPE(2000, 4), GA_FLOAT32);
    ga_array *flat = ga_ones(GA_SHAPE(4, 2000), GA_FLOAT32);
    ga_array *v = ga_ones(GA_SHAPE(4), GA_FLOAT32);
    ga_array *chain[] = {thin, flat, thin, flat, thin, flat, thin, v};
    size_t naive = 2000 * 2000 * 4;
    /* the sums alone: never the product of all */
    T_CHECK(used_by("ij,jk->...k", 2, chain) < naive / 8);
    T_CHECK(used_by("ij,jk->i", 2, chain) < naive / 8);
    T_CHECK(used_by("ij,jk,kl->", 3, chain) < naive / 8);
    /* all orders, and greedy */
    T_CHECK(used_by("ij,jk,kl->il", 3, chain) < naive / 8);
    T_CHECK(used_by("ij,jk,kl,lm,mn,no,op,p->i", 8, chain) < naive / 8);
    T_CHECK(used_by("ij,jk,kl,lm,mn,no,op,p", 8, chain) < naive / 8);
    T_CHECK(used_by("ij,jk,kl,lm,mn,no,op,p->", 8, chain) < naive / 8);
    ga_array *chain6[] = {flat, thin, flat, thin, flat, thin};
    T_CHECK(used_by("ij,jk,kl,lm,mn,no->io", 6, chain6) < naive / 8);
    T_CHECK(ga_multi_dot(thin, flat, thin, v) != NULL);
    T_CHECK(ga_multi_dot(flat, thin, flat, thin, flat, thin) != NULL);
    ga_memory m;
    T_CHECK(ga_mem_info(ga_device(), &m) == GA_OK);
    T_CHECK(m.peak < m.used + naive);
    /* no copy of a broadcast operand, nor of one whose axes merge */
    ga_array *wide = ga_broadcast_to(v, GA_SHAPE(100000, 4));
    ga_array *two[] = {wide, wide};
    T_CHECK(used_by("ij,ij->j", 2, two) < 200000);
    T_CHECK(used_by("ij,kj->", 2, two) < 200000);
    T_CHECK(used_by("ij->j", 1, two) < 200000);
    ga_array *cube = ga_ones(GA_SHAPE(40, 50, 60), GA_FLOAT32);
    ga_array *right = ga_ones(GA_SHAPE(60, 3), GA_FLOAT32);
    ga_array *three[] = {cube, right};
    T_CHECK(used_by("abc,cd->abd", 2, three) < 200000);
    T_CHECK(used_by("abc,cd->dab", 2, three) < 200000);
    ga_array *left = ga_ones(GA_SHAPE(40, 3), GA_FLOAT32);
    ga_array *four[] = {cube, left};
    T_CHECK(used_by("abc,ad->dbc", 2, four) < 200000);
    T_CHECK(used_by("abc,ad->bcd", 2, four) < 200000);
}

/* A call that loses memory on its way says so, and leaves its output alone. */
TEST(no_memory) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(64, 3, 64), GA_FLOAT32);
    ga_array *y = ga_ones(GA_SHAPE(64, 64), GA_INT16);
    ga_array *out = ga_full(GA_SHAPE(64, 64), 9, GA_FLOAT64);
    double nine = 9;
    ga_array *is = ga_full(GA_SHAPE(64, 64), nine, GA_FLOAT64);
    size_t before = t_used();
    int64_t live = ga_live_arrays();
    int refused = 0;
    for (size_t more = 1; more < (size_t)1 << 20; more += 4096) {
        ga_mem_limit(before + more);
        ga_status st = ga_einsum_into(out, "aib,bc,dic->ad", x, y, x);
        ga_mem_limit(0);
        T_CHECK(ga_live_arrays() == live && t_used() == before);
        if (!st) break;
        refused++;
        T_CHECK(!strncmp(ga_error_message(), "ga_", 3));
        T_ERROR(GA_ERR_MEM_LIMIT);
        t_same_arrays(out, is, 0);
    }
    T_CHECK(refused > 2);
    t_same_arrays(out, ga_full(GA_SHAPE(64, 64), 64 * 64 * 3, GA_FLOAT64), 0);
}

/* Mixed dtypes: sums in the result's, not in the operand's own. */
TEST(dtypes) {
    GA_SCOPE;
    ga_array *b = ga_full(GA_SHAPE(300, 2), 200, GA_UINT8);
    ga_array *i = ga_ones(GA_SHAPE(2, 2), GA_INT16);
    int16_t sum[2] = {(int16_t)(uint16_t)(300 * 200 * 2),
                      (int16_t)(uint16_t)(300 * 200 * 2)};
    t_same(ga_einsum("ij,jk->k", b, i), GA_INT16, GA_SHAPE(2), sum);
    ga_array *big = ga_full(GA_SHAPE(4), INT64_MAX, GA_INT64);
    double four = 4 * 9223372036854775808.0;
    t_same(ga_einsum("i,", big, ga_ones(GA_SCALAR_SHAPE, GA_FLOAT32)),
           GA_FLOAT64, GA_SHAPE(4), (double[]){four / 4, four / 4, four / 4,
                                               four / 4});
    t_same(ga_einsum("i,->", big, ga_ones(GA_SCALAR_SHAPE, GA_FLOAT32)),
           GA_FLOAT64, GA_SCALAR_SHAPE, &four);
    int64_t wraps = -4;
    t_same(ga_einsum("i->", big), GA_INT64, GA_SCALAR_SHAPE, &wraps);
    ga_array *yes = ga_ones(GA_SHAPE(5), GA_BOOL), *no = ga_zeros(GA_SHAPE(5),
                                                                  GA_BOOL);
    bool v[2] = {true, false};
    t_same(ga_einsum("i->", yes), GA_BOOL, GA_SCALAR_SHAPE, &v[0]);
    t_same(ga_einsum("i,i->", yes, no), GA_BOOL, GA_SCALAR_SHAPE, &v[1]);
    int8_t five = 5;
    t_same(ga_einsum("i,->", yes, ga_ones(GA_SCALAR_SHAPE, GA_INT8)), GA_INT8,
           GA_SCALAR_SHAPE, &five);
    /* float32 with float64: 1 + 2^-30 is not lost */
    ga_array *f = ga_asarray(((float[]){1, 0x1p-30f}), GA_SHAPE(2));
    double fine = 1 + 0x1p-30;
    t_same(ga_einsum("i,->", f, ga_ones(GA_SCALAR_SHAPE, GA_FLOAT64)),
           GA_FLOAT64, GA_SCALAR_SHAPE, &fine);
    /* the result's dtype does not hang on the operands' order */
    ga_array *three[] = {ga_ones(GA_SHAPE(1), GA_INT8),
                         ga_ones(GA_SHAPE(1), GA_UINT8),
                         ga_ones(GA_SHAPE(1), GA_FLOAT16)};
    for (int k = 0; k < 3; k++) {
        ga_array *w[] = {three[k], three[(k + 1) % 3], three[(k + 2) % 3]};
        uint16_t one = 0x3c00;
        t_same(einsum("i,i,i->", 3, w), GA_FLOAT16, GA_SCALAR_SHAPE, &one);
    }
    /* halves sum in float32 */
    ga_array *h = ga_full(GA_SHAPE(1, 2049), 1, GA_BFLOAT16);
    float back = 2048;
    t_same(ga_astype(ga_einsum("ij,kj->", h, h), GA_FLOAT32), GA_FLOAT32,
           GA_SCALAR_SHAPE, &back);
}

/* A term's letters a, b, ... as a shape, and their strides in C order. */
static const char *term(const char *p, const int64_t *len, ga_shape *s,
                        int64_t *step) {
    int64_t size = 1;
    memset(s, 0, sizeof *s);
    memset(step, 0, 8 * sizeof *step);
    for (; *p >= 'a' && *p <= 'h'; p++) s->dim[s->ndim++] = len[*p - 'a'];
    for (int i = 0; i < s->ndim; size *= len[p[-1 - i++] - 'a'])
        step[p[-1 - i] - 'a'] = size;
    return p;
}
/* Sizes at which matrices, batches and copies take other ways, against loops
   over single products.                                                     */
TEST(larger) {
    static const struct {
        const char *text;
        int64_t len[8];             /* of a, b, ...; 0: not used            */
    } c[] = {
        {"ab,bc->c", {300, 200, 150}},
        {"ab,bc->ac", {90, 70, 110}},
        {"ab,cb->ca", {90, 70, 110}},
        {"abc,cd->adb", {37, 45, 20, 53}},
        {"abc,cd->adb", {3, 5, 20, 7}},
        {"abc,cd->bad", {40, 35, 20, 53}},
        {"abcd,cbe->ade", {33, 6, 7, 40, 35}},
        {"abcd,abde->abce", {3, 4, 33, 20, 35}},
        {"cdab,deab->abce", {3, 4, 33, 20, 35}},
        {"abc,acd->bda", {5, 33, 20, 35}},
        {"ab,ab->b", {50, 64}},
        {"a,b->ba", {400, 300}},
        {"abc,ab->ca", {33, 34, 35}},
        {"abc,ad->dbc", {20, 40, 6, 9}},
        {"abc,bac->b", {30, 20, 40}},
        {"abcd,dcef->faeb", {9, 34, 5, 7, 10, 33}},
    };
    for (size_t i = 0; i < T_COUNT(c); i++) {
        GA_SCOPE;
        const int64_t *len = c[i].len;
        ga_shape s[3];
        int64_t step[3][8], total = 1;
        const char *p = c[i].text;
        p = term(p, len, &s[0], step[0]);
        p = term(p + 1, len, &s[1], step[1]);
        term(p + 2, len, &s[2], step[2]);
        ga_array *x[2], *v[2];      /* small integers: sums are exact       */
        for (int k = 0; k < 2; k++) {
            ga_array *n = ga_arange_as(0, t_size(s[k]), 1, GA_INT64);
            n = ga_sub(ga_mul(ga_remainder(ga_mul(n, 7 + k), 11), 2), 11);
            x[k] = ga_reshape(ga_astype(n, GA_FLOAT32), s[k]);
        }
        const float *a = (const float *)t_host(x[0]);
        const float *b = (const float *)t_host(x[1]);
        float *want = (float *)t_alloc((size_t)t_size(s[2]) * sizeof *want);
        for (int64_t k = t_size(s[2]); k-- > 0;) want[k] = 0;
        for (int l = 0; l < 8; l++) total *= len[l] ? len[l] : 1;
        for (int64_t k = 0; k < total; k++) {
            int64_t at[3] = {0}, rest = k;
            for (int l = 0; l < 8 && len[l]; rest /= len[l++])
                for (int j = 0; j < 3; j++)
                    at[j] += rest % len[l] * step[j][l];
            want[at[2]] += a[at[0]] * b[at[1]];
        }
        for (int how = 0; how < 5; how++) {
            t_context("%s, layout %d", c[i].text, how);
            for (int k = 0; k < 2; k++)
                v[k] = t_laid_out(x[k], how ? (how + 2 * k) % 5 : 0);
            t_same(einsum(c[i].text, 2, v), GA_FLOAT32, s[2], want);
        }
        t_release_host();
    }
}

/* Under capture: nothing of it synchronises. */
typedef struct step { ga_array *x, *y, *v, *out[2]; } step;
static void steps(void *arg) {
    step *s = (step *)arg;
    ga_einsum_into(s->out[0], "ij,jk->...k", s->x, s->y);
    ga_einsum_into(s->out[1], "ij,jk,k->i", s->x, s->y, s->v);
}
TEST(captured) {
    GA_SCOPE;
    step s = {ga_ones(GA_SHAPE(30, 40), GA_FLOAT32),
              ga_ones(GA_SHAPE(40, 50), GA_FLOAT32),
              ga_ones(GA_SHAPE(50), GA_FLOAT32),
              {ga_zeros(GA_SHAPE(50), GA_FLOAT32),
               ga_zeros(GA_SHAPE(30), GA_FLOAT32)}};
    steps(&s);                      /* libraries open outside a capture     */
    ga_graph *g = ga_graph_create(steps, &s);
    T_CHECK(g != NULL);
    ga_assign(s.x, ga_full(GA_SCALAR_SHAPE, 2, GA_FLOAT32));
    T_CHECK(ga_graph_launch(g) == GA_OK);
    t_same_arrays(s.out[0], ga_full(GA_SHAPE(50), 2 * 30 * 40, GA_FLOAT32), 0);
    t_same_arrays(s.out[1], ga_full(GA_SHAPE(30), 2 * 40 * 50, GA_FLOAT32), 0);
    ga_graph_destroy(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(memory), T(golden), T(golden_layouts), T(golden_into), T(tensordot),
        T(multi_dot), T(errors), T(outputs), T(twelve), T(many_axes),
        T(empties), T(no_memory), T(dtypes), T(larger), T(captured)};
    return T_RUN("einsum", tests);
}
