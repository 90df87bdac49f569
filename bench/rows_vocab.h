/* rows_vocab.h - sorting, selecting, index arrays, statistics, joining, softmax
   and comparing, transforms: a row of the table below is an operation, its cases
   are dtypes x layouts, large and, of the first dtype, small; a part of rows.c.

   Checked at some places by what the contract says, in long double, and where
   order or number counts as a whole, by other calls of the library: each not
   before the one in front of it, with the sum that there was.              */
typedef struct vocab {
    const char *class, *name;
    void (*body)(state *);
    enum verdict (*check)(state *);
    lc (*want)(const state *, const int64_t *, ld *);   /* for at_places()   */
    double ulps;                        /* of the terms' sizes               */
    const char *in, *types, *shapes;    /* see operand_by(), layout_by()     */
    enum limit limit;
    int64_t k, most;    /* par[0], 0: the middle of the axis; most lines     */
} vocab;
#define X (s->x[0])
#define Y (s->x[1])
#define AX (s->c->axis)
#define PAR(i) ((int64_t)s->c->par[i])

/* ------------------------------------------------------------------ the calls */
/* What a call writes into: a copy of the first operand. */
static ga_array *target(state *s) {
    if (!s->out) set_out(s, ga_copy(X));
    return s->out;
}
static ga_array *both(const state *s, ga_array *(*f)(int, int, const ga_array *const *)) {
    return f(AX.axis[0], 2, (const ga_array *[]){X, Y});
}
static ga_array *percentiles(const state *s) {
    static const double q[] = {5, 25, 50, 75, 95};
    return ga_percentile(X, ga_asarray(q, GA_SHAPE(5)), AX, GA_QUANTILE_LINEAR, GA_NONE);
}
static ga_array *swapped(const state *s) {
    ga_array *part[2];
    ga_split(X, 2, AX.axis[0], part);
    return ga_concatenate(AX.axis[0], part[1], part[0]);
}
static ga_array *slopes(const state *s) {
    ga_array *g = NULL;
    ga_gradient(X, 0, NULL, AX, 1, &g);
    return g;
}
static ga_array *chosen_by(const state *s) {
    return (ga_select)(2, (const ga_array *[]){X, Y}, (const ga_array *[]){s->x[2], s->x[3]},
                       GA_ARG(0));
}
static ga_array *twin(state *s) {       /* the same numbers elsewhere        */
    if (!s->r[0]) set_results(s, ga_copy(X), NULL, NULL, NULL);
    return s->r[0];
}
#define CALL(n, call) static void v_##n(state *s) { set_out(s, call); }
#define DO(n, call) static void v_##n(state *s) { call; }
CALL(sort, ga_sort(X, AX, 0))
CALL(argsort, ga_argsort(X, AX, 0))
CALL(partition, ga_partition(X, PAR(0), AX, 0))
CALL(argpartition, ga_argpartition(X, PAR(0), AX, 0))
CALL(unique, ga_unique(X, GA_ALL, NULL, NULL, NULL))
CALL(searchsorted, ga_searchsorted(Y, X, GA_NONE, 0))
CALL(lexsort, ga_lexsort(AX, X, Y))
CALL(isin, ga_isin(X, Y, 0))
static void v_topk(state *s) {
    ga_array *v = NULL, *i = NULL;
    ga_topk(X, PAR(0), AX, 0, &v, &i);
    set_results(s, v, i, NULL, NULL);
}
CALL(mask, ga_mask(X, Y))
CALL(argwhere, ga_argwhere(X))
CALL(compress, ga_compress(Y, X, AX))
CALL(select, chosen_by(s))
DO(mask_assign, ga_mask_assign(target(s), Y, 1))
DO(copyto, ga_copyto(target(s), s->x[2], Y))
static void v_mask_put(state *s) {
    if (!s->r[0]) set_results(s, ga_mask(ga_add(X, X), Y), NULL, NULL, NULL);
    ga_mask_assign(target(s), Y, s->r[0]);
}
static void v_nonzero(state *s) {
    ga_array *r[4] = {NULL};
    ga_nonzero(X, r);
    set_results(s, r[0], r[1], NULL, NULL);
}
CALL(take, ga_take(X, Y, AX, 0))
CALL(take_along_axis, ga_take_along_axis(X, Y, AX))
CALL(index, ga_index(X, GA_AT(Y, s->x[2])))
DO(put, ga_put(target(s), Y, s->x[2], 0))
DO(put_along_axis, ga_put_along_axis(target(s), Y, s->x[2], AX))
DO(assign_rows, ga_index_assign(target(s), GA_AT(Y), s->x[2]))
DO(scatter_add, ga_scatter_add(target(s), GA_AT(Y), s->x[2], 0))
DO(scatter_fast, ga_scatter_add(target(s), GA_AT(Y), s->x[2], GA_FAST))
CALL(segment_sum, ga_segment_sum(X, Y, PAR(0), 0))
CALL(segment_sorted, ga_segment_sum(X, Y, PAR(0), GA_SORTED))
CALL(bincount, ga_bincount(X, s->c->nin > 1 ? Y : GA_NONE, 0))
CALL(median, ga_median(X, AX))
CALL(nanmedian, ga_nanmedian(X, AX))
CALL(quantile, ga_quantile(X, 0.9, AX, GA_QUANTILE_LINEAR, GA_NONE))
CALL(percentile5, percentiles(s))
CALL(histogram, ga_histogram(X, GA_BINS(256), GA_NONE, 0, NULL))
CALL(histogram_edges, ga_histogram(X, GA_BINS_AT(Y), GA_NONE, 0, NULL))
CALL(digitize, ga_digitize(X, Y, 0))
CALL(cov, ga_cov(X, GA_NONE, 1, NULL, 0))
CALL(corrcoef, ga_corrcoef(X, GA_NONE, 0))
CALL(average, ga_average(X, AX, Y, NULL))
CALL(interp, ga_interp(X, Y, s->x[2], NULL))
CALL(convolve, ga_convolve(X, Y, GA_SAME))
CALL(concatenate, both(s, (ga_concatenate)))
CALL(stack, both(s, (ga_stack)))
CALL(tile, ga_tile(X, GA_SHAPE(2, 2)))
CALL(repeat, ga_repeat(X, 2, AX))
CALL(roll, ga_roll(X, PAR(0), AX))
CALL(flip, ga_copy(ga_flip(X, AX)))
CALL(rot90, ga_copy(ga_rot90(X, 1, 0, 1)))
CALL(pad, ga_pad(X, GA_SHAPE(2), GA_SHAPE(2), GA_PAD_CONSTANT, GA_NONE))
CALL(pad_reflect, ga_pad(X, GA_SHAPE(2), GA_SHAPE(2), GA_PAD_REFLECT, GA_NONE))
CALL(transpose, ga_copy(ga_transpose(X, GA_AXIS((int)PAR(0), (int)PAR(1), (int)PAR(2)))))
CALL(diff, ga_diff(X, 1, AX.axis[0], GA_NONE, GA_NONE))
CALL(gradient, slopes(s))
CALL(tril, ga_tril(X, 0))
CALL(triu, ga_triu(X, 0))
DO(fill_diagonal, ga_fill_diagonal(target(s), 1, 0))
CALL(broadcast_row, ga_copy(ga_broadcast_to(X, GA_SHAPE(PAR(1), PAR(2)))))
CALL(broadcast_col, ga_copy(ga_broadcast_to(ga_expand_dims(X, GA_AXIS(1)),
                                            GA_SHAPE(PAR(1), PAR(2)))))
CALL(swap_halves, swapped(s))
static void v_meshgrid(state *s) {
    ga_array *p[2] = {NULL};
    ga_meshgrid(p, 0, X, Y);
    set_results(s, ga_copy(p[0]), ga_copy(p[1]), NULL, NULL);
}
CALL(softmax, ga_softmax(X, AX))
CALL(log_softmax, ga_log_softmax(X, AX))
CALL(logsumexp, ga_logsumexp(X, AX))
CALL(isclose, ga_isclose(X, twin(s), 1e-5, 1e-8, 0))
CALL(allclose, ga_allclose_array(X, twin(s), 1e-5, 1e-8, 0))
CALL(array_equal, ga_array_equal_array(X, twin(s), 0))
CALL(polyval, ga_polyval(Y, X))
CALL(cdist, ga_cdist(X, Y, GA_EUCLIDEAN))
CALL(cdist_cityblock, ga_cdist(X, Y, GA_CITYBLOCK))
#define TRANSFORM(n) CALL(n, ga_##n(X, 0, AX.axis[0], GA_BACKWARD))
TRANSFORM(fft) TRANSFORM(ifft) TRANSFORM(rfft)
CALL(irfft, ga_irfft(X, PAR(0), AX.axis[0], GA_BACKWARD))
CALL(dct, ga_dct(X, 2, 0, AX.axis[0], GA_BACKWARD))
CALL(fft2, ga_fft2(X, GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD))
CALL(rfft2, ga_rfft2(X, GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD))


#include "rows_vocab_check.h"

/* -------------------------------------------------------------- the operands */
/* Where the operands lie, of about n elements: "flat", "rN" rows of N elements
   along the last axis, "cN" columns of N along the first, "tN" rows of a transposed
   array, "mN" square matrices, "pIJK" three axes in another order.         */
struct shape { ga_shape base, is; const char *view; ga_axis axis; };
static struct shape layout_by(const char *text, int64_t n) {
    int64_t len = atoi(text + 1), m = len && n > len ? n / len : 1;
    int64_t side = gpu && !opt.small ? 128 : 32;
    struct shape s = {.base = GA_SHAPE(m, len), .view = "", .axis = GA_AXIS(1)};
    if (*text == 'f') s.base = GA_SHAPE(n), s.axis = GA_AXIS(0);
    if (*text == 'c') s.base = GA_SHAPE(len, m), s.axis = GA_AXIS(0);
    if (*text == 'm') s.base = GA_SHAPE(m > len ? m / len : 1, len, len);
    if (*text == 'p') s.base = GA_SHAPE(side, n / side / side, side), s.axis = GA_AXIS(0);
    s.is = s.base;
    if (*text == 't') s.base = GA_SHAPE(len, m), s.view = "T";
    return s;
}
/* What a letter of a row's `in` stands for. Of the case's dtype and shape x any
   numbers, k few and z two whole ones, b counts, w weights, 0 zeros, t those that
   are only written; of another dtype m a mask, a indices along the axis, A all
   of them, D float64. In rank 1 M, I, Q, W a mask, indices, all, weights for the
   axis, i, j, q indices of all elements, R and C of rows and columns, g and G
   segments, E and F a column, a row, e and s a 64th, s and d sorted, d and f 1000
   numbers, h 64, c 8; H the frequencies of real numbers.                   */
static operand operand_by(char what, ga_dtype t, const struct shape *s) {
    int axis = s->axis.axis[0], r1 = s->is.ndim > 1;
    int64_t n = volume(s->is), len = s->is.dim[axis], rows = s->is.dim[0];
    int64_t cols = r1 ? s->is.dim[1] : 1, few = n / 64 ? n / 64 : 1;
    double lo = is_unsigned(t) || t == GA_BOOL ? 0 : is_int(t) ? -1e6 : -1;
    double hi = is_int(t) ? 1e6 : 1;
    ga_shape half = s->base;
    half.dim[axis] = half.dim[axis] / 2 + 1;
#define LIKE(t, lo, hi, kind) return operand_of(t, s->base, s->view, lo, hi, kind)
#define LINE(n, t, lo, hi, kind) return operand_of(t, GA_SHAPE(n), "", lo, hi, kind)
#define PLACES_OF(n, most, kind) LINE(n, GA_INT64, 0, (double)(most) - 1, kind)
    switch (what) {
    case 'k': LIKE(t, 0, 9, 'i');
    case 'z': LIKE(t, 0, 1, 'i');
    case 'b': LIKE(t, 0, 999, 'u');
    case 'w': LIKE(t, 0.5, 1.5, 'u');
    case '0': case 't': LIKE(t, 0, 0, what);
    case 'm': LIKE(GA_BOOL, 0, 1, 'u');
    case 'a': LIKE(GA_INT64, 0, (double)len - 1, 'u');
    case 'A': LIKE(GA_INT64, 0, 0, axis ? 'q' : 'Q');
    case 'D': LIKE(GA_FLOAT64, 0.5, 1.5, 'u');
    case 'H': return operand_of(t, half, "", lo, hi, 'u');
    case 'M': LINE(len, GA_BOOL, 0, 1, 'u');
    case 'W': LINE(len, t, 0.5, 1.5, 'u');
    case 'I': PLACES_OF(len, len, 'u');
    case 'Q': PLACES_OF(len, len, 'q');
    case 'i': PLACES_OF(n, n, 'u');
    case 'j': LINE(n, GA_INT32, 0, (double)n - 1, 'u');
    case 'q': PLACES_OF(n, n, 'q');
    case 'R': PLACES_OF(n, rows, 'u');
    case 'C': PLACES_OF(n, cols, 'u');
    case 'g': PLACES_OF(rows, 1000, 'u');
    case 'G': PLACES_OF(rows, 1000, 's');
    case 'E': LINE(rows, t, lo, hi, 'u');
    case 'F': LINE(cols, t, lo, hi, 'u');
    case 'e': case 's': LINE(few, t, lo, hi, what == 's' ? 's' : 'u');
    case 'd': case 'f': LINE(1000, t, lo, hi, what == 'd' ? 's' : 'u');
    case 'h': LINE(64, t, lo, hi, 'u');
    case 'c': LINE(8, t, lo, hi, 'u');
    default: LIKE(t, lo, hi, 'u');
    }
}

/* ---------------------------------------------------------------- the table */
#define AS(class, n, f, ...) {#class, #n, v_##f, __VA_ARGS__},
#define OP(class, n, ...) AS(class, n, n, __VA_ARGS__)
#define AT at_places
#define ALL7 " f32 f16 f64 i32 i64 u8 c64 "
#define NUM5 " f32 f64 i32 i64 c64 "
#define REAL6 " f32 f16 f64 i32 i64 u8 "
#define MOVE5 " f32 u8 f16 f64 c128 "
#define F4 " f32 f16 bf16 f64 "
#define F2 " f32 f64 "
#define Z2 " c64 c128 "
#define LINES "flat r4096 c4096 r100 t1000"
#define SOFT "r8 r100 r1000 r32768 c1000"
#define WAVES "r64 r1000 r1009 r4096 r65536 c64 c1000 c1009 c4096 c65536"
static const vocab vocabulary[] = {
    OP(sort, sort, ok_order, NULL, 0, "x", ALL7, LINES, COPY, 0, 0)
    OP(sort, argsort, ok_order, NULL, 0, "x", ALL7, LINES, COPY, 0, 0)
    OP(sort, partition, ok_order, NULL, 0, "x", NUM5, LINES, COPY, 0, 0)
    OP(sort, argpartition, ok_order, NULL, 0, "x", NUM5, LINES, COPY, 0, 0)
    OP(sort, topk, ok_topk, NULL, 0, "x", REAL6, "flat r4096 c4096 r100", READ, 10, 0)
    OP(sort, unique, ok_unique, NULL, 0, "x", ALL7, "flat", READ, 0, 0)
    OP(sort, searchsorted, AT, w_search, 0, "xs", REAL6, "flat", COPY, 0, 0)
    OP(sort, lexsort, ok_lexsort, NULL, 0, "xk", " f32 f64 i32 i64 ", "flat r100", COPY, 0, 0)
    OP(sort, isin, AT, w_search, 0, "xe", REAL6, "flat", COPY, 0, 0)

    OP(sel, mask, ok_chosen, NULL, 0, "xm", ALL7, "flat", COPY, 0, 0)
    AS(sel, mask_rows, mask, ok_chosen, NULL, 0, "xM", MOVE5, "c4096 c65536", COPY, 0, 0)
    OP(sel, nonzero, ok_chosen, NULL, 0, "z", " b1 f32 i64 u8 ", "flat r4096", COPY, 0, 0)
    OP(sel, argwhere, ok_chosen, NULL, 0, "z", " b1 f32 i64 u8 ", "flat r4096", COPY, 0, 0)
    OP(sel, compress, ok_chosen, NULL, 0, "xM", MOVE5, "flat r4096 c4096", COPY, 0, 0)
    OP(sel, select, AT, w_select, 0, "mmxx", NUM5, "flat", COPY, 0, 0)
    OP(sel, mask_assign, AT, w_assigned, 0, "xm", REAL6, "flat t1000", COPY, 0, 0)
    OP(sel, mask_put, AT, w_assigned, 0, "xm", REAL6, "flat", COPY, 0, 0)
    OP(sel, copyto, AT, w_assigned, 0, "xmx", REAL6, "flat t1000", COPY, 0, 0)

    OP(idx, take, AT, w_taken, 0, "xi", ALL7, "flat", COPY, 0, 0)
    AS(idx, take_i32, take, AT, w_taken, 0, "xj", F2, "flat", COPY, 0, 0)
    AS(idx, take_axis, take, AT, w_taken, 0, "xI", MOVE5, "r4096 c4096 c65536", COPY, 0, 0)
    OP(idx, take_along_axis, AT, w_taken, 0, "xa", MOVE5, "r4096 c4096 r100", COPY, 0, 0)
    OP(idx, index, AT, w_taken, 0, "xRC", NUM5, "r4096", COPY, 0, 0)
    OP(idx, put, ok_put, NULL, 0, "tqx", NUM5, "flat", COPY, 0, 0)
    OP(idx, put_along_axis, ok_put, NULL, 0, "tAx", MOVE5, "r4096 c4096 r100", COPY, 0, 0)
    OP(idx, assign_rows, ok_put, NULL, 0, "tQx", MOVE5, "c4096 c65536", COPY, 0, 0)
    OP(idx, scatter_add, AT, w_added, 16, "0ix", NUM5, "flat", COPY, 0, 0)
    AS(idx, scatter_rows, scatter_add, AT, w_added, 16, "0Ix", NUM5, "c4096 c65536", COPY, 0, 0)
    OP(idx, scatter_fast, AT, w_added, 16, "0ix", F2, "flat", COPY, 0, 0)
    AS(idx, scatter_rows_fast, scatter_fast, AT, w_added, 16, "0Ix", F2, "c65536", COPY, 0, 0)
    OP(idx, segment_sum, AT, w_added, 16, "xg", NUM5, "flat c65536", READ, 1000, 0)
    OP(idx, segment_sorted, AT, w_added, 16, "xG", NUM5, "flat c65536", READ, 1000, 0)
    OP(idx, bincount, AT, w_added, 0, "b", " i32 i64 u8 ", "flat", READ, 0, 0)
    AS(idx, bincount_weights, bincount, AT, w_added, 64, "bD", " i32 i64 ", "flat", READ, 0, 0)

    OP(stat, median, ok_quantile, NULL, 0, "x", " f32 f16 f64 i32 u8 ", LINES, READ, 0, 0)
    OP(stat, nanmedian, ok_quantile, NULL, 0, "x", F2, LINES, READ, 0, 0)
    OP(stat, quantile, ok_quantile, NULL, 0, "x", F2, LINES, READ, 0, 0)
    OP(stat, percentile5, ok_quantile, NULL, 0, "x", F2, LINES, READ, 0, 0)
    OP(stat, histogram, AT, w_histogram, 0, "x", " f32 f64 i32 u8 ", "flat t1000", READ, 0, 0)
    OP(stat, histogram_edges, AT, w_histogram, 0, "xd", " f32 f64 i32 ", "flat", READ, 0, 0)
    OP(stat, digitize, AT, w_search, 0, "xd", " f32 f64 i32 ", "flat", COPY, 0, 0)
    OP(stat, cov, AT, w_cov, 64, "x", " f64 c128 ", "c16 c256", NO_LIMIT, 0, 0)
    OP(stat, corrcoef, AT, w_cov, 64, "x", " f64 c128 ", "c16 c256", NO_LIMIT, 0, 0)
    OP(stat, average, AT, w_average, 8, "xw", " f32 f16 f64 ", LINES, READ, 0, 0)
    AS(stat, average_line, average, AT, w_average, 8, "xW", F2, "r4096 c4096 r100", READ, 0, 0)
    OP(stat, interp, AT, w_interp, 4, "xdf", F2, "flat", COPY, 0, 0)
    OP(stat, convolve, AT, w_convolve, 16, "xh", NUM5, "flat", COPY, 0, 0)

    OP(shape, concatenate, AT, w_moved, 0, "xx", MOVE5, "r4096 c4096 r100", COPY, 0, 0)
    OP(shape, stack, AT, w_moved, 0, "xx", MOVE5, "r4096 c4096", COPY, 0, 0)
    OP(shape, tile, AT, w_moved, 0, "x", MOVE5, "r4096 r100", COPY, 0, 0)
    OP(shape, repeat, AT, w_moved, 0, "x", MOVE5, "flat r4096 c4096", COPY, 0, 0)
    OP(shape, roll, AT, w_moved, 0, "x", MOVE5, "flat r4096 c4096", COPY, 5, 0)
    OP(shape, flip, AT, w_moved, 0, "x", MOVE5, "flat r4096 c4096", COPY, 0, 0)
    OP(shape, rot90, AT, w_moved, 0, "x", MOVE5, "r4096", COPY, 0, 0)
    OP(shape, pad, AT, w_moved, 0, "x", MOVE5, "r1000 r100", COPY, 0, 0)
    OP(shape, pad_reflect, AT, w_moved, 0, "x", MOVE5, "r1000 r100", COPY, 0, 0)
    OP(shape, transpose, AT, w_moved, 0, "x", MOVE5, "p021 p102 p120 p201 p210", COPY, 0, 0)
    OP(shape, diff, AT, w_moved, 1, "x", " f32 u8 f64 i32 ", "flat r4096 c4096", COPY, 0, 0)
    OP(shape, gradient, AT, w_moved, 2, "x", F2, "flat r4096 c4096", COPY, 0, 0)
    OP(shape, tril, AT, w_moved, 0, "x", MOVE5, "r4096", COPY, 0, 0)
    OP(shape, triu, AT, w_moved, 0, "x", MOVE5, "r4096", COPY, 0, 0)
    OP(shape, fill_diagonal, AT, w_moved, 0, "x", " f32 ", "r4096", NO_LIMIT, 0, 0)
    OP(shape, meshgrid, AT, w_moved, 0, "FE", MOVE5, "r4096", COPY, 0, 0)
    OP(shape, broadcast_row, AT, w_moved, 0, "F", MOVE5, "r4096 r100", COPY, 0, 0)
    OP(shape, broadcast_col, AT, w_moved, 0, "E", MOVE5, "r4096 r100", COPY, 0, 0)
    OP(shape, swap_halves, AT, w_moved, 0, "x", MOVE5, "r4096 c4096", COPY, 0, 0)

    OP(soft, softmax, AT, w_soft, 12, "x", F4, SOFT, COPY, 0, 0)
    OP(soft, log_softmax, AT, w_soft, 12, "x", F4, SOFT, COPY, 0, 0)
    OP(soft, logsumexp, AT, w_soft, 6, "x", F4, SOFT, READ, 0, 0)
    OP(soft, isclose, AT, w_true, 0, "x", " f32 f16 f64 i32 ", "flat t1000", COPY, 0, 0)
    OP(soft, allclose, AT, w_true, 0, "x", " f32 f16 f64 i32 ", "flat t1000", READ, 0, 0)
    OP(soft, array_equal, AT, w_true, 0, "x", REAL6, "flat t1000", READ, 0, 0)
    OP(soft, polyval, AT, w_polyval, 16, "xc", " f32 f64 c64 ", "flat", COPY, 0, 0)
    OP(soft, cdist, AT, w_cdist, 512, "xx", F2, "r3 r128", NO_LIMIT, 0, 4096)
    OP(soft, cdist_cityblock, AT, w_cdist, 512, "xx", F2, "r3 r128", NO_LIMIT, 0, 4096)

    OP(fft, fft, AT, w_fft, 16, "x", Z2, WAVES, COPY, 0, 0)
    OP(fft, ifft, AT, w_fft, 16, "x", Z2, WAVES, COPY, 0, 0)
    OP(fft, rfft, AT, w_fft, 16, "x", F2, WAVES, COPY, 0, 0)
    OP(fft, irfft, AT, w_fft, 16, "H", Z2, WAVES, COPY, 0, 0)
    OP(fft, dct, AT, w_fft, 16, "x", F2, WAVES, COPY, 0, 0)
    OP(fft, fft2, AT, w_fft, 16, "x", Z2, "m64 m1000 m1009 m2048", COPY, 0, 0)
    OP(fft, rfft2, AT, w_fft, 16, "x", F2, "m64 m1000 m1009 m2048", COPY, 0, 0)
};
static void run_vocab(state *s) {
    GA_SCOPE;
    ((const vocab *)s->c->more)->body(s);
}
static void vocab_case(const vocab *v, ga_dtype t, const char *text, bool small) {
    int64_t n = operand_bytes() / (int64_t)ga_dtype_size(t);
    if (small) n = gpu ? 1 << 16 : 1 << 14;
    int64_t most = v->most * atoi(text + 1) / (gpu ? 1 : 8);
    if (most && n > most) n = most;
    struct shape l = layout_by(text, n);
    rcase c = {.t = t, .nin = (int)strlen(v->in), .body = run_vocab, .check = v->check,
               .limit = v->limit, .form = v->name, .axis = l.axis, .npar = 3, .more = v};
    int64_t len = l.is.dim[l.axis.axis[0]];
    if (volume(l.is) > 4 * n) return;
    c.par[0] = v->k ? (double)v->k : (double)(*v->in == 'H' ? len : len / 2);
    c.par[1] = (double)l.is.dim[0];
    c.par[2] = l.is.ndim > 1 ? (double)l.is.dim[1] : 1;
    for (int i = 0; i < 3 && *text == 'p'; i++) c.par[i] = text[1 + i] - '0';
    for (int i = 0; i < c.nin; i++) c.in[i] = operand_by(v->in[i], t, &l);
    snprintf(c.name, sizeof c.name, "%s/%s/%s/%s%s", v->class, v->name, short_name(t), text,
             small ? "_small" : "");
    run(&c);
}
/* The dtypes of a row, all for the large arrays, the first for the small ones. */
static void vocabulary_cases(void) {
    for (size_t i = 0; i < ROWS(vocabulary); i++)
        for (int k = 0; k < GA_NUM_DTYPES; k++) {
            const vocab *v = &vocabulary[i];
            char name[8], shapes[80];
            snprintf(name, sizeof name, " %s ", short_name((ga_dtype)k));
            const char *in = strstr(v->types, name);
            snprintf(shapes, sizeof shapes, "%s", v->shapes);
            for (char *s = in ? strtok(shapes, " ") : NULL; s; s = strtok(NULL, " ")) {
                vocab_case(v, (ga_dtype)k, s, false);
                if (in == v->types && !opt.small) vocab_case(v, (ga_dtype)k, s, true);
            }
        }
}
#undef X
#undef Y
