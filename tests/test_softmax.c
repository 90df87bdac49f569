/* softmax, log_softmax, logsumexp: SciPy's and mpmath's values, and every
   layout, length and dtype against a plain loop in long double. */
#include "rows.h"

enum { MAX, LOG, SUM };
static const double most = 12;      /* ulp, as the header says; SUM: 6        */
static ga_array *soft(int what, const ga_array *x, ga_axis a) {
    return what == MAX ? ga_softmax(x, a) : what == LOG ? ga_log_softmax(x, a)
           : ga_logsumexp(x, a);
}
static double eps_of(ga_dtype t) {
    return t == GA_FLOAT16 ? 0x1p-10 : t == GA_BFLOAT16 ? 0x1p-7
           : t == GA_FLOAT32 ? 0x1p-23 : 0x1p-52;
}
static double tiny_of(ga_dtype t) {
    return t == GA_FLOAT16 ? 0x1p-24 : t == GA_BFLOAT16 || t == GA_FLOAT32
           ? 0x1p-149 : 0x1p-1074;
}
/* The largest error of one row, in ulp; s: the sum of all but the largest. */
static double row_error(int what, ga_dtype t, const double *x, const double *y,
                        int64_t n) {
    long double m = -INFINITY, s = 0, worst = 0;
    int64_t top = 0;
    for (int64_t i = 0; i < n; i++) if (x[i] > m) m = x[top = i];
    for (int64_t i = 0; i < n; i++) if (i != top) s += expl(x[i] - m);
    for (int64_t i = 0; i < (what == SUM ? 1 : n); i++) {
        long double want = what == MAX ? expl(x[i] - m) / (1 + s)
                           : what == LOG ? (x[i] - m) - log1pl(s)
                           : log1pl(s) + m;
        long double size = fabsl(want), off = fabsl(y[i] - want);
        if (what == SUM) size = fmaxl(size, fabsl(m));
        /* the last bit of size */
        long double ulp = fmaxl(exp2l(floorl(log2l(size > 0 ? size : 1e-300L)))
                                * eps_of(t), tiny_of(t));
        if (!(off <= worst * ulp)) worst = off / ulp;
    }
    return (double)worst;
}
/* y is what of x along the axes, which are moved to the end. */
static void same_as_loop(int what, const ga_array *y, const ga_array *x,
                         ga_axis axis, double bound) {
    ga_axis last = axis;
    int n = axis.n < 0 ? x->ndim : axis.n;
    int64_t len = 1;
    for (int i = 0; i < n; i++) {
        int a = axis.n < 0 ? i : axis.axis[i];
        last.axis[i] = i - n;
        if (axis.n < 0) axis.axis[i] = i;
        len *= x->shape[a < 0 ? a + x->ndim : a];
    }
    axis.n = last.n = n;
    double *u = ga_asnumpy(ga_astype(n ? ga_moveaxis(x, axis, last) : x,
                                     GA_FLOAT64), NULL);
    double *v = ga_asnumpy(ga_astype(what == SUM || !n ? y
                                     : ga_moveaxis(y, axis, last),
                                     GA_FLOAT64), NULL);
    int64_t rows = len ? x->size / len : 0;
    for (int64_t r = 0; r < rows && u && v; r++) {
        double e = row_error(what, y->dtype, u + r * len,
                             v + (what == SUM ? r : r * len), len);
        if (!(e <= (what == SUM && bound == most ? 6 : bound))) {
            t_bad("row %lld of %lld elements: %g ulp", (long long)r,
                  (long long)len, e);
            break;
        }
    }
    free(u);
    free(v);
}
static ga_array *numbers(ga_shape s, ga_dtype t, double scale) {
    ga_array *x = ga_mul(ga_sub(ga_random(s, GA_FLOAT64), 0.5), scale);
    return ga_astype(x, t);
}
static const ga_dtype floats[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16,
                                  GA_BFLOAT16};

/* Lengths around every threshold: vectors, warps, blocks, parts. */
TEST(lengths) {
    static const int64_t n[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 64, 100,
        127, 129, 255, 256, 257, 300, 512, 1000, 1024, 1025, 2047, 2049, 4096,
        5000, 8191, 8192, 8193, 16384, 16385, 20001, 32767, 32768, 32769, 40000,
        65537, 100003, 12, 20, 36, 260, 516};
    for (size_t i = 0; i < T_COUNT(n); i++)
        for (size_t k = 0; k < T_COUNT(floats); k++)
            for (int what = 0; what < 3; what++) {
                GA_SCOPE;
                if (n[i] > 1025 && i % 4 != k) continue;
                const int64_t rows = n[i] < 64 ? 37 : n[i] < 3000 ? 5 : 2;
                const ga_dtype t = floats[k];
                ga_array *x = numbers(GA_SHAPE(rows, n[i]), t, 20);
                t_context("%s n %lld what %d", ga_dtype_name(t),
                          (long long)n[i], what);
                same_as_loop(what, soft(what, x, GA_AXIS(1)), x, GA_AXIS(1),
                             most);
                ga_array *z = numbers(GA_SHAPE(n[i], rows), t, 20);
                t_context("%s columns %lld what %d", ga_dtype_name(t),
                          (long long)n[i], what);
                same_as_loop(what, soft(what, z, GA_AXIS(0)), z, GA_AXIS(0),
                             most);
            }
}
/* Rows that begin anywhere, lie apart, have their elements apart, or go to where no
   vector begins, with others around that must stay; lengths around what threads
   take of them. */
TEST(anywhere) {
    static const int64_t n[] = {2, 3, 4, 5, 21, 29, 33, 41, 57, 63, 65, 127, 129, 255,
                                257, 511, 513, 1023, 1025, 2047, 2049, 4095, 4097};
    for (size_t i = 0; i < T_COUNT(n) * 4; i++)
        for (int how = 0; how < 4; how++) {
            GA_SCOPE;
            const int64_t len = n[i / 4], rows = len < 50 ? 99 : len < 600 ? 19 : 4;
            const int64_t wide = how == 1 ? len + 1 : how == 2 ? 2 * len : len;
            const ga_dtype t = floats[i % 4];
            const int what = (int)(i / 4 + i + (size_t)how) % 3;
            t_context("%s n %lld how %d what %d", ga_dtype_name(t), (long long)len, how, what);
            ga_array *all = numbers(GA_SHAPE(rows * wide + 1), t, 9);
            ga_array *x = ga_reshape(ga_slice(all, how ? ":-1" : "1:"), GA_SHAPE(rows, wide));
            if (how == 1) x = ga_slice(x, ":, 1:");
            if (how == 2) x = ga_slice(x, ":, ::2");
            same_as_loop(what, soft(what, x, GA_AXIS(1)), x, GA_AXIS(1), most);
            if (how != 3 || what == SUM) continue;
            ga_array *to = ga_full(GA_SHAPE(rows * len + 2), 7, t);
            ga_array *y = ga_reshape(ga_slice(to, "1:-1"), GA_SHAPE(rows, len));
            T_CHECK(!(what == MAX ? ga_softmax_into(y, x, GA_AXIS(1))
                                  : ga_log_softmax_into(y, x, GA_AXIS(1))));
            same_as_loop(what, y, x, GA_AXIS(1), most);
            T_CHECK(ga_item(ga_slice(to, "0")) == 7 && ga_item(ga_slice(to, "-1")) == 7);
        }
}
/* Rows of many blocks, some of infinities and NaN; written where they were. */
TEST(many_short) {
    static const int64_t n[][2] = {{2, 70001}, {3, 66007}, {4, 4099}, {8, 2053},
                                   {10, 1031}, {32, 519}, {100, 131}, {128, 66}};
    for (size_t i = 0; i < T_COUNT(n); i++)
        for (size_t k = 0; k < T_COUNT(floats); k++)
            for (int what = 0; what < 3; what++) {
                GA_SCOPE;
                ga_array *x = numbers(GA_SHAPE(n[i][1], n[i][0]), floats[k], 9);
                t_context("%s (%lld,%lld) what %d", ga_dtype_name(floats[k]),
                          (long long)n[i][1], (long long)n[i][0], what);
                ga_array *y = soft(what, x, GA_AXIS(1));
                same_as_loop(what, y, x, GA_AXIS(1), most);
                ga_assign(ga_slice(x, "5, 1"), INFINITY);
                ga_assign(ga_slice(x, "6"), -INFINITY);
                ga_assign(ga_slice(x, n[i][0] > 2 ? "7, :2" : "7, :1"), -INFINITY);
                ga_assign(ga_slice(x, "9, -1"), NAN);
                ga_array *z = soft(what, x, GA_AXIS(1));
                T_CHECK(ga_array_equal(ga_slice(z, ":5"), ga_slice(y, ":5"), 0));
                T_CHECK(ga_array_equal(ga_slice(z, "10:"), ga_slice(y, "10:"),
                                       0));
                same_as_loop(what, ga_slice(z, "7:8"), ga_slice(x, "7:8"),
                             GA_AXIS(1), most);
                double top = ga_item(ga_max(ga_slice(z, "5:6"), GA_ALL));
                double low = ga_item(ga_max(ga_slice(z, "6:7"), GA_ALL));
                T_CHECK(what == SUM ? top == INFINITY && low == -INFINITY
                                    : isnan(top) && isnan(low));
                T_CHECK(isnan(ga_item(ga_max(ga_slice(z, "9:10"), GA_ALL))));
                if (what == MAX) ga_softmax_into(x, x, GA_AXIS(1));
                if (what == LOG) ga_log_softmax_into(x, x, GA_AXIS(1));
                if (what != SUM) T_CHECK(ga_array_equal(x, z, GA_EQUAL_NAN));
            }
}
/* Many columns; widths that are no whole vectors. */
TEST(columns) {
    static const int64_t n[][2] = {{3, 1000}, {17, 257}, {100, 64}, {1000, 33},
        {1030, 20}, {3000, 5}, {66000, 1}, {2, 4099}, {600, 67}, {9, 1}};
    for (size_t i = 0; i < T_COUNT(n); i++)
        for (size_t k = 0; k < T_COUNT(floats); k++)
            for (int what = 0; what < 3; what++) {
                GA_SCOPE;
                ga_array *x = numbers(GA_SHAPE(n[i][0], n[i][1]), floats[k], 9);
                t_context("%s (%lld,%lld) what %d", ga_dtype_name(floats[k]),
                          (long long)n[i][0], (long long)n[i][1], what);
                same_as_loop(what, soft(what, x, GA_AXIS(0)), x, GA_AXIS(0),
                             most);
            }
}
/* Numbers of which `part` is looked at, and the last row of it along a. */
static ga_array *laid_out(ga_shape shape, const char *part, size_t k, int what,
                          ga_axis a, int i, ga_array **row) {
    ga_array *x = numbers(shape, floats[k], 20);
    if (part) x = ga_slice(x, "%s", part);
    t_context("%s case %d what %d", ga_dtype_name(floats[k]), i, what);
    *row = ga_moveaxis(x, a, GA_AXIS(-1));
    while ((*row)->ndim > 1) *row = ga_slice(*row, "-1");
    return x;
}
/* Columns that do not fill a block side by side: the largest is counted, and
   the threads left over have none. */
TEST(largest_first) {
    static const int64_t columns[] = {3, 5, 7, 9, 37};
    for (size_t i = 0; i < T_COUNT(columns) * 4; i++)
        for (int64_t n = 500; n < 30000; n *= 5) {
            GA_SCOPE;
            const ga_dtype t = floats[i % 4];
            ga_array *x = numbers(GA_SHAPE(n, columns[i / 4]), t, 9);
            ga_assign(ga_slice(x, ":1"), 20);
            for (int what = 0; what < 3; what++) {
                t_context("%s [%lld,%lld] what %d", ga_dtype_name(t), (long long)n,
                          (long long)columns[i / 4], what);
                same_as_loop(what, soft(what, x, GA_AXIS(0)), x, GA_AXIS(0), most);
            }
        }
}
/* Short axes with few columns behind them, vectors and others; rows that do not
   adjoin; axes of one element. Each with infinities and NaN in rows of their
   own, which leave the others alone.                                        */
TEST(short_axes) {
    static const struct { ga_shape shape; int axis; const char *part; } at[] = {
        {{3, {211, 4, 6}}, 1, NULL}, {{3, {19, 2, 85}}, 1, NULL},
        {{3, {50, 1, 33}}, 1, ":, :, ::3"}, {{3, {61, 20, 4}}, 1, NULL},
        {{3, {8200, 2, 16}}, 1, NULL}, {{3, {4100, 3, 16}}, 1, "::-1"},
        {{3, {7, 17, 24}}, 1, ":, ::2"}, {{3, {3, 250, 9}}, 1, NULL},
        {{3, {20, 119, 5}}, 1, NULL}, {{3, {4, 9, 40}}, 2, ":, 1::2, ::3"},
        {{2, {900, 6}}, 1, ":, :4"}, {{2, {90, 37}}, 1, ":, 2:"},
        {{3, {3, 8, 700}}, 2, "::2, :, ::3"}, {{2, {1, 70000}}, 0, NULL},
        {{2, {33, 4}}, 1, "::-1, ::-1"}, {{2, {5000, 3}}, 1, NULL},
        /* axes of one element with gaps between; slabs that adjoin          */
        {{3, {4001, 7, 1}}, 2, ":, :2"}, {{4, {41, 1, 1, 67}}, 1, NULL},
        {{3, {57, 247, 3}}, 1, NULL}, {{3, {900, 2, 42}}, 1, NULL},
        {{3, {35, 7, 5}}, 1, NULL}, {{3, {300, 200, 4}}, 1, NULL},
        /* rows that begin anywhere in a vector, and result elsewhere        */
        {{2, {403, 190}}, 1, NULL}, {{2, {207, 223}}, 1, NULL},
        {{2, {611, 53}}, 1, ":, :50"}, {{2, {73, 377}}, 1, ":, 2:375"},
        {{2, {37, 665}}, 1, NULL}, {{2, {17, 934}}, 1, NULL},
        {{2, {61, 480}}, 1, ":, ::2"}, {{2, {19, 2000}}, 1, ":, 3:1003"}};
    for (size_t i = 0; i < T_COUNT(at); i++)
        for (size_t k = 0; k < T_COUNT(floats); k++)
            for (int what = 0; what < 3; what++) {
                GA_SCOPE;
                if (((t_quick() || !t_on_gpu()) && (i + k) % 3 != (size_t)what)
                    || (t_quick() && (i + k) % 2))
                    continue;       /* layouts are the GPU's concern         */
                const ga_axis a = GA_AXIS(at[i].axis);
                ga_array *bad, *x = laid_out(at[i].shape, at[i].part, k, what, a,
                                             (int)i, &bad);
                ga_array *y = soft(what, x, a);
                same_as_loop(what, y, x, a, most);
                ga_assign(bad, NAN);
                ga_array *z = soft(what, x, a);
                T_CHECK(ga_array_equal(ga_slice(z, ":-1"), ga_slice(y, ":-1"), 0)
                        || x->shape[0] == 1);
                T_CHECK((int64_t)ga_item(ga_sum(ga_isnan(z), GA_ALL))
                        == (what == SUM ? 1 : x->shape[at[i].axis]));
                ga_assign(bad, INFINITY);
                z = soft(what, x, a);
                T_CHECK((int64_t)ga_item(ga_sum(ga_isfinite(z), GA_ALL))
                        == z->size - (what == SUM ? 1 : x->shape[at[i].axis]));
                ga_assign(bad, -1);
                if (what == SUM) continue;
                z = ga_copy(x);
                T_CHECK(!(what == MAX ? ga_softmax_into(x, x, a)
                                      : ga_log_softmax_into(x, x, a)));
                same_as_loop(what, x, z, a, most);
            }
}
/* Rows longer than a block's registers, and slabs, that stay in shared memory,
   of a block or a cluster of them; rows of steps; results elsewhere in a vector
   than their rows; NaN, infinities and what is far below the rest, in any block
   of the cluster, in one row and no other.                                  */
TEST(held) {
    static const struct { ga_shape shape; int axis; const char *part; } at[] = {
        {{2, {3, 8195}}, 1, NULL}, {{2, {2, 16528}}, 1, NULL},
        {{2, {70, 8301}}, 1, NULL}, {{2, {2, 36701}}, 1, NULL},
        {{2, {3, 40007}}, 1, ":, 5:"}, {{2, {1, 120001}}, 1, NULL},
        {{2, {3, 9000}}, 1, ":, ::2"}, {{2, {1, 150002}}, 1, ":, ::-2"},
        {{3, {34, 701, 4}}, 1, NULL}, {{3, {3, 701, 3}}, 1, NULL},
        {{3, {5, 2001, 5}}, 1, ":, 1:"}, {{2, {6000, 7}}, 0, NULL},
        {{3, {41, 130, 9}}, 1, NULL}, {{3, {35, 301, 3}}, 1, NULL},
        /* columns of slabs, some of them of a cluster's                     */
        {{3, {2, 300, 40}}, 1, NULL}, {{3, {3, 1001, 41}}, 1, ":, :, 1:"},
        {{3, {2, 1000, 333}}, 1, NULL}, {{3, {1, 5003, 98}}, 1, NULL},
        {{3, {2, 1400, 130}}, 1, ":, ::2, ::2"}, {{3, {2, 9001, 36}}, 1, NULL},
        {{3, {2, 160, 2052}}, 1, "::-1, ::-1"},
        {{4, {130, 190, 6, 4}}, 1, ":, :, :, :2"}};
    for (size_t i = 0; i < T_COUNT(at); i++)
        for (size_t k = 0; k < T_COUNT(floats); k++)
            for (int what = 0; what < 3; what++) {
                GA_SCOPE;
                if (((t_quick() || !t_on_gpu()) && (i + k) % 3 != (size_t)what)
                    || (t_quick() && i % 2) || (!t_on_gpu() && i > 15))
                    continue;       /* layouts are the GPU's concern         */
                const ga_axis a = GA_AXIS(at[i].axis);
                ga_array *row, *x = laid_out(at[i].shape, at[i].part, k, what, a,
                                             (int)i, &row);
                ga_array *y = soft(what, x, a);
                same_as_loop(what, y, x, a, most);
                const long long n = row->shape[0];
                const long long place[] = {0, n / 3, n - 1};
                const double value[] = {NAN, INFINITY, -INFINITY};
                for (int j = 0; j < 3; j++) {
                    ga_array *was = ga_copy(row);
                    ga_assign(ga_slice(row, "%lld:%lld", place[j], place[j] + 1),
                              value[j]);
                    if (j == 2) ga_assign(ga_slice(row, ":-1"), -INFINITY);
                    ga_array *z = soft(what, x, a);
                    T_CHECK(x->shape[0] == 1 || at[i].axis == 0
                            || ga_array_equal(ga_slice(z, ":-1"),
                                              ga_slice(y, ":-1"), 0));
                    const int64_t bad = j == 0 || what == MAX
                                        || (what == LOG && j == 2)
                                        ? (what == SUM ? 1 : n) : what == LOG;
                    T_CHECK((int64_t)ga_item(ga_sum(ga_isnan(z), GA_ALL)) == bad);
                    ga_assign(row, was);
                }
                /* all but one far below: the sum is that one                */
                ga_assign(ga_slice(row, ":%lld", n / 2), -60000);
                same_as_loop(what, soft(what, x, a), x, a, most);
                if (what == SUM) continue;
                ga_array *s = ga_copy(x);
                T_CHECK(!(what == MAX ? ga_softmax_into(x, x, a)
                                      : ga_log_softmax_into(x, x, a)));
                same_as_loop(what, x, s, a, most);
            }
}
/* A row gives the same bits beside any others: every second one becomes one whose
   largest element leaves nothing of the rest, or has a NaN.                 */
TEST(beside_any) {
    static const int64_t n[] = {3, 8, 20, 100, 700, 4100, 1000};
    for (size_t i = 0; i < T_COUNT(n) * 4; i++)
        for (int what = 0; what < 3; what++) {
            GA_SCOPE;
            const bool down = i / 4 + 1 == T_COUNT(n);      /* columns       */
            const int64_t len = n[i / 4], rows = (t_on_gpu() ? 400000 : 9000) / len;
            const ga_dtype t = floats[i % 4];
            ga_array *x = numbers(GA_SHAPE(rows / 2 * 2, len), t, 9);
            if (down) x = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
            const ga_axis a = GA_AXIS(1);
            t_context("%s n %lld what %d", ga_dtype_name(t), (long long)len, what);
            ga_array *y = soft(what, x, a);
            ga_array *z = ga_copy(down ? ga_transpose(x, GA_ALL) : x);
            if (down) z = ga_transpose(z, GA_ALL);
            ga_assign(ga_slice(z, "::2, 1"), 60000);
            ga_assign(ga_slice(z, "::6, 0"), NAN);
            z = soft(what, z, a);
            z = ga_slice(z, "1::2");
            y = ga_slice(y, "1::2");
            /* the CPU's vectors of exponentials go another way as one       */
            T_CHECK(t_on_gpu() ? ga_array_equal(z, y, 0)
                    : ga_allclose(z, y, 4 * eps_of(t), 0, 0));
        }
}
/* The largest near 0, and the result near it: what a few far below it add is
   all of the logarithm. */
TEST(sums_near_zero) {
    static const int64_t n[] = {2, 3, 8, 17, 40, 300, 3000, 40000};
    for (size_t i = 0; i < T_COUNT(n); i++)
        for (int k = 0; k < 4; k++) {
            GA_SCOPE;
            const ga_dtype t = k % 2 ? GA_FLOAT64 : GA_FLOAT32;
            const int64_t rows = 60000 / n[i] + 2;
            const double bound = 6 + 12 + log((double)n[i]);
            ga_array *x = ga_sub(numbers(GA_SHAPE(rows, n[i]), t, 8),
                                 8 + log((double)n[i]));
            ga_assign(ga_slice(x, ":, 1"),
                      ga_mul(ga_slice(x, ":, 0"), k < 2 ? 1e-4 : 1e-2));
            t_context("%s n %lld by %d", ga_dtype_name(t), (long long)n[i], k);
            same_as_loop(SUM, soft(SUM, x, GA_AXIS(1)), x, GA_AXIS(1), bound);
            t_context("%s columns %lld by %d", ga_dtype_name(t),
                      (long long)n[i], k);
            same_as_loop(SUM, soft(SUM, ga_copy(ga_transpose(x, GA_ALL)),
                                   GA_AXIS(0)),
                         ga_transpose(x, GA_ALL), GA_AXIS(0), bound);
        }
}
/* Strides of all kinds, in and out, several axes. */
TEST(layouts) {
    const ga_axis axes[] = {GA_AXIS(0), GA_AXIS(1), GA_AXIS(2), GA_AXIS(-1, 0),
                            GA_AXIS(1, 2), GA_AXIS(0, 1), GA_ALL};
    for (size_t k = 0; k < T_COUNT(floats); k++) {
        const ga_dtype t = floats[k];
        for (int view = (int)k % 2; view < 8; view += k > 1 ? 2 : 1)
            for (size_t i = 0; i < T_COUNT(axes); i++)
                for (int what = 0; what < 3; what++) {
                    GA_SCOPE;
                    ga_array *x = numbers(GA_SHAPE(6, 10, 20), t, 12);
                    if (view == 1) x = ga_transpose(x, GA_ALL);
                    if (view == 2) x = ga_slice(x, "::2, ::-1, 3::3");
                    if (view == 3) x = ga_slice(x, ":, :, 1:");
                    if (view == 4) x = ga_slice(x, "::-1, :, ::-1");
                    if (view == 5)
                        x = ga_broadcast_to(ga_slice(x, ":, :1, :"),
                                            GA_SHAPE(6, 10, 20));
                    if (view == 6)
                        x = ga_broadcast_to(ga_slice(x, ":, :, :1"),
                                            GA_SHAPE(6, 10, 20));
                    if (view == 7) x = ga_moveaxis(x, GA_AXIS(1), GA_AXIS(2));
                    t_context("%s view %d axes %d what %d", ga_dtype_name(t),
                              view, (int)i, what);
                    ga_array *y = soft(what, x, axes[i]);
                    same_as_loop(what, y, x, axes[i], most);
                    if (what == SUM) continue;
                    /* into places that are no run of memory, and in place   */
                    ga_shape s = ga_shape_of(x);
                    s.dim[2] *= 2;
                    ga_array *to = ga_slice(ga_zeros(s, t), ":, :, ::-2");
                    T_CHECK(!(what == MAX ? ga_softmax_into(to, x, axes[i])
                                     : ga_log_softmax_into(to, x, axes[i])));
                    same_as_loop(what, to, x, axes[i], most);
                    ga_array *in = ga_copy(x);
                    T_CHECK(!(what == MAX ? ga_softmax_into(in, in, axes[i])
                                     : ga_log_softmax_into(in, in, axes[i])));
                    same_as_loop(what, in, x, axes[i], most);
                }
    }
}
TEST(special) {
    static const double inf = INFINITY, row[][3] = {
        {-INFINITY, -INFINITY, -INFINITY}, {INFINITY, 1, 2}, {NAN, 1, 2},
        {INFINITY, INFINITY, 0}, {-INFINITY, 0, 1}, {0, INFINITY, -INFINITY},
        {1, 2, NAN}, {1e38, -1e38, 1e38}, {0, -1000, -1e30}};
    (void)inf;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < T_COUNT(row); i++)
            for (int along = 0; along < 2; along++) {
                GA_SCOPE;
                double p[3], l[3], s = 0, sum;
                const double *r = row[i];
                double m = r[0];
                for (int j = 1; j < 3; j++) if (r[j] > m || isnan(r[j])) m = r[j];
                for (int j = 0; j < 3; j++) s += exp(r[j] - m);
                for (int j = 0; j < 3; j++) p[j] = exp(r[j] - m) / s;
                /* SciPy: an infinite m counts as 0 */
                for (int j = 0; j < 3; j++)
                    l[j] = isfinite(m) ? (r[j] - m) - log(s)
                           : isnan(m) || m < 0 || r[j] == m ? NAN : -INFINITY;
                sum = isfinite(m) ? m + log(s) : m;
                ga_array *x = ga_reshape(ga_astype(ga_asarray((double *)r,
                    GA_SHAPE(3)), floats[k]),
                    along ? GA_SHAPE(3, 1) : GA_SHAPE(1, 3));
                ga_axis a = along ? GA_AXIS(0) : GA_AXIS(1);
                t_context("row %d, %s, axis %d", (int)i,
                          ga_dtype_name(floats[k]), 1 - along);
                ga_array *want = ga_asarray(p, x->ndim == 2 && along
                                            ? GA_SHAPE(3, 1) : GA_SHAPE(1, 3));
                T_CHECK(ga_allclose(ga_softmax(x, a), want, 1e-6, 0,
                                    GA_EQUAL_NAN));
                want = ga_asarray(l, along ? GA_SHAPE(3, 1) : GA_SHAPE(1, 3));
                T_CHECK(ga_allclose(ga_log_softmax(x, a), want, 1e-6, 0,
                                    GA_EQUAL_NAN));
                T_CHECK(ga_allclose(ga_logsumexp(x, a), sum, 1e-6, 0,
                                    GA_EQUAL_NAN));
            }
}
/* Near 0 a logarithm of a sum keeps its precision. */
TEST(small_logarithms) {
    GA_SCOPE;
    double v[4] = {0, -40, -50, -INFINITY};
    ga_array *x = ga_asarray(v, GA_SHAPE(4));
    double got = ga_item(ga_logsumexp(x, GA_ALL)), want = exp(-40) + exp(-50);
    T_CHECK(fabs(got - want) < 4e-16 * want);
    float f[4] = {0, -40, -50, -INFINITY};
    ga_array *y = ga_log_softmax(ga_asarray(f, GA_SHAPE(4)), GA_ALL);
    T_CHECK(fabs(ga_item_at(y, GA_SHAPE(0)) + want) < 3e-7 * want);
}
/* Kept axes that do not adjoin: SciPy's values, in every memory order. */
TEST(kept_axes_apart) {
    GA_SCOPE;
    ga_array *x = ga_div(ga_reshape(ga_arange(0, 24, 1), GA_SHAPE(2, 3, 4)), 8);
    ga_array *want = ga_asarray(((double[]){3.284951733178765, 3.784951733178765,
                                            4.284951733178765}), GA_SHAPE(1, 3, 1));
    ga_array *turned = ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
    T_CHECK(ga_allclose(ga_logsumexp(x, GA_AXIS_KEEP(0, 2)), want, 1e-15, 0, 0));
    T_CHECK(ga_allclose(ga_logsumexp(turned, GA_AXIS_KEEP(2, 0)), want, 1e-15, 0,
                        0));
    T_CHECK(ga_allclose(ga_logsumexp(x, GA_AXIS(0, 2)),
                        ga_reshape(want, GA_SHAPE(3)), 1e-15, 0, 0));
    ga_array *out = ga_zeros(GA_SHAPE(2, 3, 2), GA_FLOAT64);
    T_CHECK(ga_logsumexp_into(ga_slice(out, "1:, ::-1, :1"), x,
                              GA_AXIS_KEEP(0, 2)) == GA_OK);
    T_CHECK(ga_allclose(ga_slice(out, "1:, ::-1, :1"), want, 1e-15, 0, 0));
    T_CHECK(ga_item_i64(ga_count_nonzero(out, GA_ALL)) == 3);
}
TEST(dtypes_and_empty) {
    GA_SCOPE;
    int32_t v[] = {1, 2, 3};
    ga_array *x = ga_asarray(v, GA_SHAPE(3));
    T_CHECK(ga_softmax(x, GA_ALL)->dtype == GA_FLOAT64);
    T_CHECK(ga_logsumexp(x, GA_ALL)->ndim == 0);
    T_CHECK(ga_softmax(ga_ones(GA_SHAPE(2), GA_BOOL), GA_ALL)->dtype
            == GA_FLOAT64);
    T_CHECK(ga_logsumexp(ga_ones(GA_SHAPE(2, 3), GA_FLOAT16),
                         GA_AXIS_KEEP(1))->shape[1] == 1);
    T_CHECK(ga_item(ga_softmax(ga_full(GA_SCALAR_SHAPE, 5, GA_FLOAT32), GA_ALL))
            == 1);
    /* log(100000) of halves, whose sum is none; SciPy's in float32          */
    ga_array *sign, *many = ga_zeros(GA_SHAPE(100000), GA_FLOAT16);
    ga_array *l = ga_logsumexp_as(many, GA_NONE, GA_ALL, &sign);
    T_CHECK(l->dtype == GA_FLOAT16 && sign->dtype == GA_FLOAT16);
    T_CHECK(ga_item(l) == 11.515625 && ga_item(sign) == 1);
    l = ga_logsumexp_as(many, ga_full(GA_SHAPE(1), -2, GA_BFLOAT16), GA_ALL, &sign);
    T_CHECK(l->dtype == GA_FLOAT32 && ga_item(sign) == -1);
    T_CHECK(fabs(ga_item(l) - 12.206072645530174) < 1e-6);
    T_CHECK(ga_item(ga_logsumexp_as(many, 2, GA_ALL, NULL)) == 12.203125);
    ga_array *e = ga_empty(GA_SHAPE(0, 3), GA_FLOAT32);
    T_CHECK(ga_softmax(e, GA_AXIS(0))->size == 0);
    T_CHECK(ga_softmax(e, GA_AXIS(1))->size == 0);
    ga_array *s = ga_logsumexp(e, GA_AXIS(0));
    T_CHECK(s->size == 3 && ga_item(ga_max(s, GA_ALL)) == -INFINITY);
    T_CHECK(ga_logsumexp(e, GA_AXIS(1))->size == 0);
    ga_softmax(ga_ones(GA_SHAPE(2), GA_COMPLEX64), GA_ALL);
    T_ERROR(GA_ERR_DTYPE);
    ga_softmax(e, GA_AXIS(2));
    T_ERROR(GA_ERR_AXIS);
    ga_logsumexp(x, GA_AXIS(0, 0));
    T_ERROR(GA_ERR_AXIS);
    ga_softmax(x, GA_ALL_WHERE(ga_ones(GA_SHAPE(3), GA_BOOL)));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_softmax_into(ga_zeros(GA_SHAPE(2), GA_FLOAT64), x, GA_ALL)
            == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_softmax_into(ga_zeros(GA_SHAPE(3), GA_INT64), x, GA_ALL)
            == GA_ERR_DTYPE);
    T_ERROR(GA_ERR_DTYPE);
}
/* The same bits again, whatever else runs; long rows, where parts meet. */
TEST(repeats) {
    GA_SCOPE;
    ga_array *x = numbers(GA_SHAPE(6, 300001), GA_FLOAT32, 30);
    for (int axis = 0; axis < 2; axis++)
        for (int what = 0; what < 3; what++) {
            ga_array *v = axis ? x : ga_reshape(x, GA_SHAPE(300001, 6));
            ga_array *y = soft(what, v, GA_AXIS(axis));
            for (int i = 0; i < 3; i++)
                T_CHECK(ga_array_equal(soft(what, v, GA_AXIS(axis)), y, 0));
        }
}
static void step(void *arg) {
    ga_array **p = arg;
    ga_softmax_into(p[1], p[0], GA_AXIS(1));
    ga_logsumexp_into(p[2], p[0], GA_AXIS(1));
    ga_allclose_into(p[3], p[0], p[0], 1e-5, 1e-8, 0);
}
TEST(graphs) {
    GA_SCOPE;
    ga_array *x = numbers(GA_SHAPE(3, 40000), GA_FLOAT32, 5);
    ga_array *p[4] = {x, ga_zeros(ga_shape_of(x), GA_FLOAT32),
                      ga_zeros(GA_SHAPE(3), GA_FLOAT32),
                      ga_zeros(GA_SCALAR_SHAPE, GA_BOOL)};
    ga_graph *g = ga_graph_create(step, p);
    for (int i = 0; i < 2; i++) {
        T_CHECK(!ga_assign(x, numbers(GA_SHAPE(3, 40000), GA_FLOAT32, 5)));
        T_CHECK(!ga_graph_launch(g));
        T_CHECK(ga_array_equal(p[1], ga_softmax(x, GA_AXIS(1)), 0));
        T_CHECK(ga_array_equal(p[2], ga_logsumexp(x, GA_AXIS(1)), 0));
        T_CHECK(ga_item(p[3]) == 1);
    }
    ga_graph_destroy(g);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        T(lengths), T(anywhere), T(many_short), T(columns), T(largest_first), T(short_axes),
        T(held), T(beside_any), T(sums_near_zero), T(layouts),
        T(special), T(small_logarithms), T(kept_axes_apart), T(dtypes_and_empty),
        T(repeats), T(graphs),
    };
    return T_RUN("softmax", tests);
}
