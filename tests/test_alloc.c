/* Out of memory at every place where memory is asked for: each call below is
   run with its first allocation failing, then with its second, and so on,
   until none is left to fail; on the host and on the device. A call that loses
   one must say so, leave nothing behind, and succeed when asked again.      */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------ an allocator that can fail */
static struct {                     /* slabs have threads that read         */
    atomic_long blocks;             /* handed out and not returned          */
    atomic_long asked;              /* since the countdown was set          */
    long fail_at;                   /* this one fails; 0: none              */
    bool all_after;                 /* and those after it                   */
    atomic_bool failed;
} heap;
enum { OURS = 0x0a110c, USERS = 0x0f4ee };  /* GA_FREE or free() it         */
typedef union head {
    struct { size_t size; int owner; } of;
    unsigned char line[32];
} head;

static bool refuse(void) {
    const long asked = atomic_fetch_add(&heap.asked, 1) + 1;
    const bool no = heap.fail_at && (heap.all_after ? asked >= heap.fail_at
                                                    : asked == heap.fail_at);
    if (no) heap.failed = true;
    return no;
}
static void *take(size_t n, int owner) {
    if (refuse() || n > SIZE_MAX / 2) return NULL;
    head *h = (head *)malloc(sizeof *h + n);
    if (!h) return NULL;
    h->of.size = n;
    h->of.owner = owner;
    memset(h + 1, 0xa5, n);         /* nothing may count on zeros           */
    heap.blocks++;
    return h + 1;
}
static void give(void *p, int owner) {
    if (!p) return;
    head *h = (head *)p - 1;
    if (h->of.owner != owner) {
        fprintf(stderr, "a block freed with the wrong function\n");
        abort();
    }
    memset(p, 0x5a, h->of.size);
    h->of.owner = 0;
    heap.blocks--;
    free(h);
}
static void *again(void *p, size_t n, int owner) {
    if (!p) return take(n, owner);
    head *h = (head *)p - 1;
    void *q = take(n, owner);
    if (!q) return NULL;
    memcpy(q, p, h->of.size < n ? h->of.size : n);
    give(p, owner);
    return q;
}
static void *t_malloc(size_t n) { return take(n, USERS); }
static void *t_realloc(void *p, size_t n) { return again(p, n, USERS); }
static void t_free(void *p) { give(p, USERS); }
#define GA_MALLOC(n) take(n, OURS)
#define GA_REALLOC(p, n) again(p, n, OURS)
#define GA_FREE(p) give(p, OURS)
/* what the library mallocs for the user to free() can fail as well */
#define malloc t_malloc
#define realloc t_realloc
#define free t_free
#define GPUARR_IMPLEMENTATION
#include "test.h"
#include "gpuarr_sparse.h"
#include "gpuarr_comm.h"
#include "gpuarr_plot.h"

/* The device's allocations: a backend like its own, but for this. */
static const ga__backend *real_backend;
static ga__backend backend;
static long device_asked, device_fail_at;
static bool device_failed;
static ga_status alloc_or_not(ga__device *d, const char *op, size_t bytes,
                              ga_stream *s, void **out,
                              struct ga__block **block) {
    if (++device_asked == device_fail_at) {
        device_failed = true;
        return ga__fail(GA_ERR_DEVICE_MEMORY, op, "%zu bytes: pretended",
                        bytes);
    }
    return real_backend->alloc(d, op, bytes, s, out, block);
}
/* Blocks in use: without those that the CPU device keeps, which would hide
   allocations as well, and streams that are gone but for what they freed.  */
static long blocks_now(void) {
    ga__cpu_drop(-1);
#ifndef GPUARR_NO_CUDA
    for (int i = 0; i < ga__env.ncuda; i++) {
        ga__pool *k = &ga__cuda[i].pool;
        if (!k->first || cudaDeviceSynchronize()) continue;
        for (ga_stream *s = k->streams; s; s = s->freeing) s->done = k->frees;
        ga__pool_tidy(k);
    }
#endif
    return heap.blocks;
}

/* --------------------------------------------------------- the scenario */
static ga_array *X, *I, *Z, *B, *O, *V, *T, *L, *H, *M, *W;     /* inputs   */
static ga_stream *stream;
static ga_event *event;
static char path[128], archive[136], text[136], archive_of_sparse[136];
static float host[12];
static int deletions;
static void count_deletion(void *p, void *arg) {
    (void)p, (void)arg;
    deletions++;
}
static bool exchanged(bool versioned) {
    DLManagedTensorVersioned *v = versioned ? ga_to_dlpack(X, NULL) : NULL;
    DLManagedTensor *u = versioned ? NULL : ga_to_dlpack_unversioned(T, NULL);
    ga_array *y = v ? ga_from_dlpack(v) : u ? ga_from_dlpack(u) : NULL;
    if (v && !y) v->deleter(v);     /* still ours                           */
    if (u && !y) u->deleter(u);
    return y != NULL;
}
static bool archived(void) {
    const char **name = NULL;
    ga_array **x = NULL;
    int64_t n = 0;
    bool ok = ga_load_npz(archive, &name, &x, &n) == GA_OK && n == 2;
    free(name);
    free(x);
    return ok;
}
static bool two_columns(void) {
    const int at[] = {2, -4};
    return ga_loadtxt(text, GA_FLOAT16, &(ga_text){.columns = at,
                                                   .ncolumns = 2}) != NULL;
}
static bool gone(void *p) {             /* a block of the user's, freed     */
    free(p);
    return p != NULL;
}
static void step(void *arg) {
    (void)arg;
    GA_SCOPE;
    ga_array *y = ga_mul(X, 2);
    ga_add_into(O, y, ga_sum(y, GA_AXIS_KEEP(0)));
}
static bool graph(void) {
    ga_graph *g = ga_graph_create(step, NULL);
    bool ok = g && ga_graph_launch(g) == GA_OK;
    ga_synchronize();
    ga_graph_destroy(g);
    return ok;
}
static bool streams(void) {
    ga_stream *s = ga_stream_create(0);
    if (!s) return false;
    bool ok;
    {
        GA_STREAM(s);               /* not X: it would remember the stream  */
        ok = ga_add(ga_ones(GA_SHAPE(12), GA_FLOAT32), 1) != NULL;
    }
    ga_stream_destroy(s);
    return ok;
}
static bool wrapped(void) {
    int before = deletions;
    ga_array *w = ga_wrap(host, GA_FLOAT32, GA_SHAPE(12), NULL, GA_CPU,
                          count_deletion, NULL);
    bool ok = w != NULL;
    if (deletions != before) return !ok;    /* never of a wrap that failed  */
    ga_free(w);
    return ok;
}
static bool printed(bool file) {
    FILE *f = file ? fopen("/dev/null", "w") : NULL;
    bool ok = !file || (f && ga_fprint(f, X) == GA_OK);
    if (f) fclose(f);
    return ok;
}
static bool pinned(void) {
    void *p = ga_pinned_alloc(100);
    ga_pinned_free(p);
    return p != NULL;
}
static ga_complex128 one_i(void) {
    const double v[2] = {0, 1};
    ga_complex128 z;
    memcpy(&z, v, sizeof z);
    return z;
}
/* Not through the cache, which keeps what it has. */
static bool expression(const char *text, bool into) {
    const ga_array *x[] = {X, I, L, ga_transpose(L, GA_ALL)};
    ga_expr *e = ga_expr_compile(text, "x, i, l, t");
    bool ok = e && (into ? ga_expr_run_into(O, e, x, 4) == GA_OK
                         : (ga_expr_run)(e, x, 4) != NULL);
    ga_expr_free(e);
    return ok;
}
static bool described(void) {
    ga_expr *e = ga_expr_compile("sum(x*x + 1)", "x");
    char *way = e ? GA_EXPR_DESCRIBE(e, X) : NULL;
    const bool ok = way != NULL;
    free(way);
    ga_expr_free(e);
    return ok;
}
/* Parts, all there or none. */
static bool parts(int how) {
    static const int64_t at[] = {1, 2};
    const ga_array *list[] = {X, GA_ARG(1), T};
    ga_array *p[4] = {NULL, NULL, NULL, NULL};
    ga_status st = how == 0 ? ga_split(X, 3, 0, p)
                   : how == 1 ? ga_split_at(X, at, 2, 1, p)
                   : how == 2 ? ga_unstack(X, 0, p)
                   : how == 3 ? (ga_broadcast_arrays)(p, 2, list)
                              : ga_meshgrid(p, 0, V, ga_ravel(X));
    if (!st) return p[0] && p[1];
    return p[0] != NULL;            /* a failure leaves none                */
}

/* A sum of 150 products, more than one program holds. */
static bool weighted(void) {
    GA_SCOPE;
    const ga_cov_weights w = {NULL, ga_index_axis(X, 0, 0)};
    return w.aweights && ga_cov(X, X, 1, &w, 0);
}
/* Statements that set slices of an output. */
static bool setting(const char *text) {
    ga_array *o = ga_zeros(ga_shape_of(X), X->dtype);
    const ga_array *x[] = {X, o};
    ga_expr *e = o ? ga_expr_compile(text, "x, o") : NULL;
    bool ok = e && ga_expr_run_into(NULL, e, x, 2) == GA_OK;
    ga_expr_free(e);
    return ok;
}
/* All gradients and the value, or none of them. */
static bool gradients(void) {
    const ga_array *x = X;
    const double c = 0.5;
    ga_array *L = NULL, *g[2] = {NULL, NULL};
    ga_status st = GA_GRAD(&L, g, mean(sin(x*c))*max(x, axis=0), x, c);
    return st ? L || g[0] || g[1] : L && g[0] && g[1];
}
static bool long_expression(void) {
    char text[3000], *p = text + sprintf(text, "x");
    for (int k = 0; k < 150; k++) p += sprintf(p, " + %d*sin(x)", k);
    return expression(text, false);
}

/* One call a line; `line` chooses. false: it failed. */
#define A(call) case __LINE__: return (call) != NULL;
#define S(call) case __LINE__: return (call) == GA_OK;
#define D(call) case __LINE__: return !isnan(call);
enum { FIRST = __LINE__ };
static bool call(int line, bool *known) {
    GA_SCOPE;
    ga_array *p = NULL, *q = NULL;
    switch (line) {
    A(ga_empty(GA_SHAPE(3, 4), GA_INT8))
    A(ga_zeros(GA_SHAPE(3, 4), GA_FLOAT16))
    A(ga_ones(GA_SHAPE(3, 4), GA_FLOAT64))
    A(ga_full(GA_SHAPE(3, 4), 7, GA_COMPLEX64))
    A(ga_full(GA_SHAPE(3, 4), V, GA_COMPLEX64))
    A(ga_empty_like(X))
    A(ga_zeros_like(X))
    A(ga_ones_like(T))
    A(ga_full_like(X, 3))
    A(ga_arange(0, 10, 1))
    A(ga_arange_as(0, 10, 0.5, GA_FLOAT16))
    A(ga_linspace(0, 1, 10))
    A(ga_linspace_as(0, 9, 10, true, GA_INT32))
    A(ga_logspace(0, 1, 10, 2))
    A(ga_geomspace(1, 8, 4))
    A(ga_geomspace(-1, -8, 4))
    A(ga_eye(4, 3, 1, GA_FLOAT32))
    A(ga_identity(4, GA_INT8))
    A(ga_zeros(GA_SHAPE(0, 3), GA_INT8))
    case __LINE__: return wrapped();
    A(ga_asarray(host, GA_SHAPE(3, 4)))
    A(ga_asarray_as(host, GA_FLOAT32, GA_SHAPE(12)))
    A(ga_asarray_async(host, GA_FLOAT32, GA_SHAPE(12)))
    case __LINE__: return gone(ga_asnumpy(X, NULL));
    case __LINE__: return gone(ga_asnumpy(T, NULL));
    A(ga_asnumpy(T, host))
    A(ga_asnumpy_async(X, host))
    A(ga_asnumpy_async(T, host))
    D(ga_item(V))
    D(ga_item_at(X, GA_INDEX(1, 2)))
    A(ga_copy(T))
    A(ga_astype(X, GA_INT16))
    A(ga_ascontiguousarray(X))
    A(ga_ascontiguousarray(T))
    A(ga_to_device(X, ga_device()))
    A(ga_to_device(X, GA_CPU))
    A(ga_to_device(T, GA_CPU))
    A(ga_to_device(ga_to_device(T, GA_CPU), ga_device()))
    A(ga_slice(X, "1:, ::-1"))
    A(ga_slice_axis(X, 0, 1, GA_END, 1))
    A(ga_index_axis(X, 0, 1))
    A(ga_reshape(X, GA_SHAPE(4, 3)))
    A(ga_reshape(T, GA_SHAPE(12)))
    A(ga_ravel(T))
    A(ga_transpose(X, GA_ALL))
    A(ga_swapaxes(X, 0, 1))
    A(ga_moveaxis(X, GA_AXIS(0), GA_AXIS(1)))
    A(ga_expand_dims(X, GA_AXIS(0)))
    A(ga_squeeze(X, GA_ALL))
    A(ga_broadcast_to(X, GA_SHAPE(2, 3, 4)))
    A(ga_flip(X, GA_ALL))
    A(ga_diagonal(X, 0, 0, 1))
    A(ga_real(Z))
    A(ga_imag(Z))
    A(ga_imag(X))
    A(ga_view(X))
    A(ga_concatenate(0, X, X, I))
    S(ga_concatenate_into(O, 0, ga_slice(O, "1:"), ga_slice(X, "0:1")))
    A(ga_stack(0, V, 2, true))
    A(ga_hstack(X, X))
    A(ga_append(T, 3, GA_ALL))
    A(ga_insert(T, 1, ga_ravel(I), GA_ALL))
    A(ga_delete(T, 1, GA_ALL))
    case __LINE__: return parts(0);
    case __LINE__: return parts(1);
    case __LINE__: return parts(2);
    case __LINE__: return parts(3);
    case __LINE__: return parts(4);
    A(ga_tile(X, GA_SHAPE(2, 2)))
    A(ga_repeat(T, 2, GA_ALL))
    A(ga_repeat_counts(X, 2, GA_AXIS(0)))
    A(ga_roll(T, 1, GA_ALL))
    S(ga_roll_into(O, O, 1, GA_AXIS(0)))
    A(ga_resize(T, GA_SHAPE(5)))
    A(ga_pad(X, GA_SHAPE(1), GA_SHAPE(2), GA_PAD_REFLECT, GA_NONE))
    A(ga_pad(I, GA_SHAPE(1), GA_SHAPE(2), GA_PAD_MEAN, 2))
    A(ga_pad(I, GA_SHAPE(1), GA_SHAPE(2), GA_PAD_LINEAR_RAMP, 5))
    A(ga_trim_zeros(X, 0))
    A(ga_rot90(X, 1, 0, 1))
    A(ga_atleast_3d(1))
    A(ga_sliding_window_view(X, GA_SHAPE(2), GA_AXIS(0)))
    A(ga_as_strided(X, GA_SHAPE(2), GA_SHAPE(1)))
    A(ga_indices(GA_SHAPE(2, 3), GA_INT8))
    A(ga_tri(3, 4, 0, GA_FLOAT32))
    A(ga_tril(T, 0))
    A(ga_diag(ga_ravel(X), 1))
    A(ga_diagflat(T, 0))
    A(ga_vander(ga_ravel(I), 3, 0))
    S(ga_fill_diagonal(O, ga_ravel(ga_slice(I, "0, :3")), 0))
    A(ga_packbits(I, GA_AXIS(1), 0))
    A(ga_unpackbits(ga_astype(T, GA_UINT8), GA_ALL, 9, 0))
    S(ga_copyto(O, ga_flip(O, GA_ALL), I))
    S(ga_assign(O, X))
    S(ga_assign(O, ga_flip(O, GA_ALL)))         /* overlap: a temporary     */
    S(ga_assign(O, ga_to_device(X, GA_CPU)))
    S(ga_assign(O, 3))
    A(ga_where(X, X, I))
    A(ga_where(B, X, 1))
    S(ga_where_into(O, I, X, 2))
    A(ga_clip(X, 1, I))
    A(ga_clip(X, GA_NONE, 1))
    S(ga_clip_into(O, X, 1, 2))
    A(ga_round(X, 1))
    S(ga_round_into(O, X, 0))
    A(ga_nan_to_num(X, 0, 0, 0))
    S(ga_nan_to_num_into(O, X, 0, 0, 0))
    S(ga_divmod(X, I, &p, &q))
    S(ga_divmod(X, I, NULL, &q))
    S(ga_modf(X, &p, &q))
    S(ga_frexp(X, &p, &q))
    A(ga_take(X, ga_astype(ga_mod(I, 3), GA_INT16), GA_AXIS(0), 0))
    A(ga_take(T, 1, GA_ALL, 0))
    S(ga_take_into(O, ga_flip(O, GA_ALL), ga_arange(0, 3, 1), GA_AXIS(0), 0))
    A(ga_index(X, GA_AT(ga_arange(0, 3, 1), ga_arange_as(0, 3, 1, GA_INT8))))
    S(ga_index_assign(O, GA_AT(ga_arange(0, 3, 1)), ga_flip(O, GA_AXIS(1))))
    S(ga_scatter_add(O, GA_AT(ga_mod(I, 3)), 1, 0))
    S(ga_scatter_max(O, GA_AT(ga_arange(0, 3, 1)), X, 0))
    S(ga_put(ga_transpose(O, GA_ALL), ga_arange(0, 5, 1), V, 0))
    S(ga_put(O, ga_arange(0, 5, 1), ga_arange(0, 2, 1), 0))
    S(ga_put_along_axis(O, ga_full(GA_SHAPE(1, 4), 2, GA_INT8), 1, GA_AXIS(0)))
    A(ga_take_along_axis(X, ga_zeros(GA_SHAPE(3, 1), GA_UINT8), GA_AXIS(1)))
    A(ga_choose(ga_mod(I, 3), 0, X, 2, I))
    A(ga_ravel_multi_index(GA_AT(ga_mod(I, 3), 1), GA_SHAPE(3, 4), 0))
    S(ga_unravel_index(ga_mod(I, 3), GA_SHAPE(12), &p))
    S(ga_diag_indices(4, 1, &p))
    S(ga_tril_indices(4, 0, 3, &p, &q))
    S(ga_ix(&p, ga_arange(0, 3, 1)))
    A(ga_segment_sum(X, ga_arange(0, 3, 1), 4, 0))
    A(ga_segment_mean(I, ga_arange(0, 3, 1), 4, 0))
    A(ga_power(I, I))                           /* looks at the exponents   */
    S(ga_add_into(O, ga_flip(O, GA_AXIS(0)), O))    /* overlap              */
    S(ga_sum_into(ga_slice(O, "0"), X, GA_AXIS(0)))
    S(ga_max_into(ga_slice(O, ":, 0"), O, GA_AXIS(1)))
    A(ga_sum(T, GA_AXIS(1)))
    A(ga_sum(L, GA_ALL))                        /* large: work memory       */
    A(ga_var(L, GA_AXIS(0), 0))
    A(ga_add(L, ga_transpose(L, GA_ALL)))       /* transposed beforehand    */
    A(ga_where(ga_transpose(L, GA_ALL), L, 1))
    S(ga_argmax_into(ga_slice(L, "0"), L, GA_AXIS(0)))
    A(ga_cumsum(L, GA_AXIS(0), 0))              /* work memory              */
    A(ga_cumprod(ga_transpose(L, GA_ALL), GA_ALL, 0))
    A(ga_sort(X, GA_AXIS(1), 0))
    A(ga_sort(L, GA_ALL, GA_DESCENDING))        /* work memory              */
    A(ga_argsort(ga_transpose(L, GA_ALL), GA_AXIS(0), 0))
    S(ga_sort_into(O, ga_flip(O, GA_ALL), GA_AXIS(0), 0))
    S(ga_sort_into(O, I, GA_AXIS(1), 0))        /* of another dtype         */
    S(ga_argsort_into(ga_copy(I), X, GA_AXIS(1), 0))
    A(ga_lexsort(GA_AXIS(-1), X, I))
    A(ga_partition(L, 5, GA_AXIS(0), 0))
    A(ga_argpartition(X, 1, GA_AXIS(1), 0))
    S(ga_topk(L, 7, GA_ALL, 0, &p, &q))
    S(ga_topk(X, 2, GA_AXIS(1), 0, NULL, &q))
    A(ga_searchsorted(ga_arange(0, 9, 1), X, GA_NONE, 0))
    A(ga_searchsorted(ga_ravel(X), T, ga_arange(0, 12, 1), GA_RIGHT))
    A(ga_unique(L, GA_ALL, &p, &q, NULL))
    A(ga_unique(ga_astype(L, GA_INT32), GA_ALL, NULL, NULL, NULL))
    A(ga_unique(X, GA_AXIS(0), &p, NULL, &q))
    A(ga_isin(X, I, 0))
    A(ga_union1d(X, I))
    A(ga_setxor1d(X, T))
    A(ga_diff(X, 2, 1, 0, ga_slice(X, ":, :2")))
    A(ga_ediff1d(T, 1, X))
    S(ga_diff_into(ga_slice(O, ":, 1:"), O, 1, 1, GA_NONE, GA_NONE))
    A(ga_trapezoid(X, ga_slice(X, "0"), 1, 1))
    S(ga_gradient(I, 0, NULL, GA_AXIS(1), 1, (ga_array *[1]){NULL}))
    A(ga_fft(I, 67, 0, GA_ORTHO))               /* tables, work memory      */
    A(ga_irfft2(X, GA_SHAPE(5, 9), GA_ALL, GA_BACKWARD))
    A(ga_fft(ga_ones(GA_SHAPE(1500, 4), GA_FLOAT32), 0, 0, GA_ORTHO))
    S(ga_fftn_into(ga_zeros(GA_SHAPE(3, 4), GA_COMPLEX64), X, GA_SHAPE(3, 4),
                   GA_ALL, GA_BACKWARD))
    A(ga_dct(X, 4, 7, 1, GA_BACKWARD))
    A(ga_idctn(T, 2, GA_SCALAR_SHAPE, GA_ALL, GA_ORTHO))
    A(ga_fftfreq(9, 1))
    A(ga_fftconvolve(X, T, GA_FULL, GA_ALL))
    A(ga_histogram(ga_slice(X, ":, ::2"), GA_BINS(3), GA_NONE, 0, NULL))
    A(ga_histogram(X, GA_BINS_IN(3, 0, 9), X, GA_DENSITY, &p))
    A(ga_histogram(X, GA_BINS_AT(ga_arange(0, 9, 1)), Z, 0, NULL))
    S(ga_histogram_into(ga_zeros(GA_SHAPE(3), GA_INT64), NULL, X, GA_BINS(3),
                        GA_NONE, 0))
    A(ga_histogram_bin_edges(X, GA_BINS_BY(GA_BINS_AUTO)))
    A(ga_histogram2d(ga_ravel(X), ga_ravel(T), GA_BINS(2), GA_BINS(3),
                     ga_ravel(X), GA_DENSITY, ((ga_array *[2]){p, q})))
    A(ga_bincount(ga_arange(0, 5, 1), GA_NONE, 9))
    A(ga_digitize(T, ga_arange(3, 0, -1), 0))
    A(ga_convolve(ga_slice(X, "0"), ga_arange_as(0, 2, 1, GA_INT8), GA_FULL))
    A(ga_correlate(ga_arange_as(0, 2, 1, GA_INT8), ga_astype(ga_ravel(I),
                                                            GA_INT8), GA_SAME))
    A(ga_interp(T, ga_arange(0, 5, 1), ga_arange(0, 5, 1), NULL))
    A(ga_interp(T, ga_arange(0, 5, 1), ga_arange(0, 5, 1),
                &(ga_interp_rare){.period = 3}))
    A(ga_unwrap(T, GA_NONE, 0, GA_NONE))
    A(ga_mask(T, ga_transpose(B, GA_ALL)))
    A(ga_compress(ga_slice(T, "0"), X, GA_AXIS(1)))
    A(ga_extract(T, T))
    A(ga_argwhere(T))
    S(ga_nonzero(X, (ga_array *[2]){p, q}))
    S(ga_mask_into(ga_zeros(GA_SHAPE(5), GA_FLOAT64), NULL, X, B))
    S(ga_mask_assign(ga_transpose(O, GA_ALL), ga_transpose(B, GA_ALL),
                     ga_mask(X, B)))
    S(ga_mask_assign(O, B, V))
    S(ga_place(ga_transpose(O, GA_ALL), T, ga_slice(I, "0")))
    A(ga_select(1, (const ga_array *[1]){B}, (const ga_array *[1]){X}, I))
    A(ga_piecewise(X, 1, (const ga_array *[1]){B}, 1,
                   (const ga_piece[1]){{NULL, NULL, 2}}))
    A(ga_sum(X, GA_ALL_WHERE(B)))
    A(ga_mean(X, GA_AXIS_WHERE(B, 0)))
    A(ga_max(I, GA_ALL_WHERE(B)))
    A(ga_nanvar(X, GA_AXIS_WHERE(B, 1), 0))
    A(ga_isclose(X, I, 1e-5, 1e-8, 0))
    S(ga_isclose_into(ga_empty_like(B), X, 1, 1e-5, 1e-8, GA_EQUAL_NAN))
    case __LINE__: return ga_allclose(X, X, 0, 0, 0);
    case __LINE__: return ga_array_equal(T, T, 0);
    case __LINE__: return ga_array_equiv(Z, Z);
    A(ga_allclose_array(X, ga_add(X, 1), 0, 0, 0))
    A(ga_array_equal_array(X, T, 0))
    A(ga_softmax(X, GA_AXIS(1)))
    A(ga_softmax(I, GA_ALL))
    A(ga_softmax(ga_reshape(T, GA_SHAPE(2, 3, 2)), GA_AXIS(0, 2)))
    S(ga_log_softmax_into(O, X, GA_AXIS(0)))
    S(ga_log_softmax_into(ga_transpose(O, GA_ALL), T, GA_ALL))
    A(ga_logsumexp(ga_zeros(GA_SHAPE(1, 70000), GA_FLOAT32), GA_AXIS(1)))
    A(ga_logsumexp(ga_reshape(T, GA_SHAPE(2, 3, 2)), GA_AXIS(0, 2)))
    A(ga_logsumexp_as(X, X, GA_AXIS(0), NULL))
    case __LINE__: {
        ga_array *sign = NULL;
        return ga_logsumexp_as(Z, GA_NONE, GA_ALL, &sign) && sign;
    }
    A(ga_sum_as(X, GA_FLOAT64, GA_AXIS(0)))
    A(ga_prod_as(I, GA_FLOAT32, GA_ALL_WHERE(B)))
    A(ga_mean_as(X, GA_INT16, GA_ALL))
    A(ga_cumsum_as(I, GA_INT8, GA_ALL, 0))
    A(ga_linspace_c128(one_i(), one_i(), 5, true))
    A(ga_geomspace_c128(one_i(), one_i(), 5))
    case __LINE__: return expression("2*x + i/3", false);
    case __LINE__: return described();
    case __LINE__: return expression("2*x + i/3", true);
    case __LINE__: return expression("a = x > i ? x : 1; a**2 + a", false);
    case __LINE__: return expression("l + sin(t)", false);
    case __LINE__: return expression("x[1:] - x[:-1]", false);
    case __LINE__: return expression("(2*x)[..., ::-1] + max(x, axis=0)[0]",
                                     true);
    case __LINE__: return setting("t = 2*o; o[0] = x[1]; o[1:] = t[:-1]");
    case __LINE__: return expression("grad(sum(tanh(x*x)), x)", false);
    case __LINE__: return expression("grad(max(x, axis=1)*x[:, 0], x)", false);
    case __LINE__: return gradients();
    case __LINE__: return expression("sum(l*t)", false);
    case __LINE__: return expression("max(l*t, axis=0)", false);
    case __LINE__: return expression("(l - mean(l)) / std(l, axis=1)", false);
    case __LINE__: return long_expression();
    A(ga_median(X, GA_ALL))
    S(ga_nanmedian_into(V, T, GA_ALL))
    A(ga_quantile(T, ga_linspace(0, 1, 20), GA_AXIS(0), GA_QUANTILE_LINEAR,
                  GA_NONE))
    A(ga_nanquantile(X, 0.5, GA_AXIS(1), GA_QUANTILE_INVERTED_CDF, X))
    A(ga_percentile(ga_asarray_as(host, GA_FLOAT32, GA_SHAPE(2, 3, 2)), X,
                    GA_AXIS(0, 2), GA_QUANTILE_HAZEN, GA_NONE))
    A(ga_average(X, GA_AXIS(0), X, NULL))
    S(ga_average_into(V, NULL, X, GA_ALL, X))
    case __LINE__: return weighted();
    S(ga_cov_into(ga_empty(GA_SHAPE(4, 4), GA_FLOAT64), T, GA_NONE, 1, NULL, 0))
    A(ga_corrcoef(Z, GA_NONE, GA_COLUMNS))
    A(ga_zscore(X, GA_ALL, 0, 0))
    S(ga_zscore_into(O, X, GA_AXIS(0), 0, GA_OMIT_NAN))
    A(ga_load_npy(path))
    S(ga_save_npy(path, X))
    S(ga_save_npy(path, T))
    case __LINE__: return exchanged(true);
    case __LINE__: return exchanged(false);
    case __LINE__: return archived();
    A(ga_load_npz_array(archive, "arr_1"))
    S(ga_save_npz(archive, NULL, (ga_array *[]){X, T}, 2, 0))
#ifdef GPUARR_USE_ZLIB
    S(ga_save_npz(archive, NULL, (ga_array *[]){X, T}, 2, GA_COMPRESSED))
#endif
    A(ga_loadtxt(text, GA_FLOAT32, NULL))
    case __LINE__: return two_columns();
    S(ga_savetxt(text, X, NULL, NULL))
    S(ga_savetxt(text, T, "%d %g %d", NULL))
    S(ga_savetxt(text, X, "%.3f", NULL))
    A(ga_fromfile(path, GA_INT16, -1, 128))
    S(ga_tofile(text, X) || ga_savetxt(text, X, NULL, NULL))
    case __LINE__: return printed(true);
    case __LINE__: return gone(ga_tostring(X));
    case __LINE__: return gone(ga_tostring(V));
    case __LINE__: return gone(ga_repr(ga_astype(T, GA_COMPLEX64)));
    case __LINE__: return gone(ga_repr(ga_zeros(GA_SHAPE(40, 40), GA_INT8)));
    case __LINE__: return pinned();
    case __LINE__: return streams();
    case __LINE__: return graph();
    case __LINE__: {
        ga_event *e = ga_event_create();
        bool ok = e && ga_event_record(e, stream) == GA_OK
                  && ga_stream_wait(NULL, e) == GA_OK;
        ga_event_destroy(e);
        return ok;
    }
    case __LINE__: {
        ga_stream *s = ga_stream_wrap(ga_stream_handle(stream));
        ga_stream_destroy(s);
        return s != NULL;
    }
    S(ga_mem_trim())
    S(ga_synchronize())
    S(ga_stream_synchronize(stream))
    S(ga_event_synchronize(event))
    A(ga_polyval(ga_slice(X, "1"), T))
    A(ga_polyval(X, 2))
    A(ga_polyadd(ga_slice(X, "1"), ga_slice(X, "1, 1:")))
    A(ga_polyadd(1, 2))
    A(ga_polymul(ga_slice(X, "1"), ga_slice(X, "1")))
    S(ga_polydiv(ga_slice(X, "1"), ga_add(ga_slice(X, "1, 1:"), 1), &p, &q))
    A(ga_polyder(ga_slice(X, "1"), 2))
    A(ga_polyint(ga_slice(X, "1"), 2, ga_slice(X, "1")))
    A(ga_hanning_as(9, GA_FLOAT16))
    A(ga_kaiser(9, 14))
    A(ga_block_diag(X, T, 3))
    A(ga_toeplitz(ga_slice(X, "1"), GA_NONE))
    A(ga_circulant(ga_slice(X, "1")))
    A(ga_cdist(T, T, GA_EUCLIDEAN))
    A(ga_pdist(ga_astype(X, GA_FLOAT16), GA_COSINE))
    A(ga_vecmat(ga_slice(T, "1"), X))
    A(ga_tostring(NULL) == NULL && ga_error() == GA_ERR_NULL
      ? (ga_clear_error(), ga_view(X)) : NULL)
    default:
        *known = false;
        return true;
    }
}
enum { LAST = __LINE__ };

/* Linear algebra and random numbers. H is symmetric, positive definite and
   (2,3,3), M (2,3,4), W wild enough to be scaled.                          */
enum { LINEAR_FIRST = __LINE__ };
static bool linear(int line, bool *known) {
    GA_SCOPE;
    ga_array *p = NULL, *q = NULL, *r = NULL, *s = NULL;
#ifndef GPUARR_USE_LAPACK
    if (!t_on_gpu()) line = -line;              /* random ones alone        */
#endif
    switch (line) {
    A(ga_cholesky(H))
    A(ga_cholesky_as(H, GA_UPPER))
    A(ga_pinv_rtol(M, 1e-3))
    A(ga_matrix_rank_rtol(M, GA_NONE))
    S(ga_qr(M, false, &p, &q))
    S(ga_qr(M, true, &p, &q))
    S(ga_qr(ga_swapaxes(M, 1, 2), true, &p, &q))
    S(ga_qr(ga_swapaxes(W, 1, 2), false, NULL, &q))
    S(ga_lu(M, &p, &q, &r))
    S(ga_lu(M, NULL, NULL, &r))
    S(ga_svd(M, true, &p, &q, &r))
    S(ga_svd(W, false, &p, &q, &r))
    A(ga_svdvals(W))
    S(ga_eigh(H, &p, &q))
    A(ga_eigvalsh(H))
    S(ga_eig(H, &p, &q))
    A(ga_eigvals(ga_astype(H, GA_COMPLEX64)))
    A(ga_matmul(H, M))
    S(ga_matmul_into(ga_slice(M, "::-1"), H, M))
    A(ga_einsum("bij,bjk->k", H, M))
    A(ga_multi_dot(I, T, I))
    A(ga_tensordot(I, T, 1))
    A(ga_kron(I, I))
    A(ga_cross(ga_slice(I, ":, 1:"), ga_slice(I, ":, 1:"), -1))
    A(ga_matrix_power(H, -3))
    A(ga_trace(M, 0, -1, -2))
    A(ga_solve(H, M))
    A(ga_solve_triangular(H, M, GA_LOWER))
    S(ga_lu_factor(H, &p, &q))
    A(ga_cho_solve(H, M))
    S(ga_lstsq(ga_swapaxes(M, 1, 2), ga_ones(GA_SHAPE(4, 2), GA_FLOAT64), -1,
               &p, &q, &r, &s))
    A(ga_inv(H))
    A(ga_pinv(M, -1))
    A(ga_det(H))
    S(ga_slogdet(H, &p, &q))
    A(ga_norm(M, 2, GA_AXIS(1, 2)))
    A(ga_norm(M, GA_NORM, GA_ALL))
    A(ga_cond(H, 1))
    A(ga_matrix_rank(M, -1))
    A(ga_expm(H))
    A(ga_roots(ga_ones(GA_SHAPE(5), GA_FLOAT32)))
    A(ga_polyfit(ga_linspace(0, 1, 9), ga_linspace(2, 3, 9), 2))
    S(ga_polyfit_full(ga_linspace(0, 1, 9), ga_linspace(2, 3, 9), 2,
                      ga_linspace(1, 2, 9), -1, &p, &q, &r, &s, NULL, 0))
    S(ga_polyfit_full(ga_linspace(0, 1, 9), ga_linspace(2, 3, 9), 2, GA_NONE, -1,
                      NULL, NULL, NULL, NULL, &p, GA_FULL_RANK))
    A(ga_sqrtm(H))
    A(ga_sqrtm(ga_sub(ga_slice(M, "..., :3"), 1)))
    A(ga_logm(ga_add(ga_slice(M, "..., :3"), H)))
    S(ga_eigh_generalized(H, H, &p, &q, 0))
    S(ga_eigh_generalized(H, H, &p, &q, GA_EIGH_BA))
    A(ga_random_multivariate_normal(ga_zeros(GA_SHAPE(3), GA_FLOAT64),
                                    ga_index_axis(H, 0, 0), GA_SHAPE(5),
                                    GA_FLOAT32))
#undef A
#undef S
#define A(call) case __LINE__: case -__LINE__: return (call) != NULL;
#define S(call) case __LINE__: case -__LINE__: return (call) == GA_OK;
    A(ga_random(GA_SHAPE(3, 4), GA_FLOAT16))
    A(ga_random_normal(X, 1, GA_BROADCAST, GA_FLOAT64))
    S(ga_random_gamma_into(ga_transpose(ga_copy(X), GA_ALL), 2, 3))
    S((p = ga_copy(X), ga_random_uniform_into(p, p, 9)))
    A(ga_random_binomial(5, X, GA_BROADCAST, GA_INT8))
    A(ga_random_triangular(0, X, 1, GA_BROADCAST, GA_FLOAT32))
    A(ga_random_hypergeometric(I, 5, 6, GA_BROADCAST, GA_INT64))
    A(ga_random_integers(0, ga_add(I, 9), GA_BROADCAST, GA_INT16))
    A(ga_random_bytes(17))
    A(ga_random_multinomial(9, ga_full(GA_SHAPE(4), 0.25, GA_FLOAT64),
                            GA_SHAPE(3), GA_INT64))
    A(ga_random_dirichlet(X, GA_SHAPE(2, 3), GA_FLOAT32))
    A(ga_random_dirichlet(ga_mul(X, 0.01), GA_SHAPE(3), GA_FLOAT64))
    A(ga_random_permutation(X))
    A(ga_random_permutation(ga_flip(X, GA_AXIS(0))))
    A(ga_random_permutation(20))
    S(ga_random_shuffle(ga_copy(X), 1))
    A(ga_random_choice(X, GA_SHAPE(2, 2), true, GA_NONE))
    A(ga_random_choice(4, GA_SHAPE(2), true,
                       ga_full(GA_SHAPE(4), 0.25, GA_FLOAT64)))
    A(ga_random_choice(4, GA_SHAPE(3), false,
                       ga_full(GA_SHAPE(4), 0.25, GA_FLOAT64)))
    case __LINE__: case -__LINE__: {
        ga_rng *g = ga_rng_create(GA_PHILOX, 1), *child[3];
        bool ok = g && ga_rng_spawn(g, 3, child) == GA_OK;
        for (int i = 0; ok && i < 3; i++) ga_rng_destroy(child[i]);
        ga_rng_destroy(g);
        return ok;
    }
    default:
        *known = false;
        return true;
    }
}
enum { LINEAR_LAST = __LINE__ };
/* Sparse matrices and solvers, made anew each time; pictures. */
enum { SPARSE_FIRST = __LINE__ };
static bool sparse(int line, bool *known) {
    GA_SCOPE;
    static const double damp[] = {0, 1};
    const int64_t at[] = {0};
    ga_array *p, *q, *r;
    ga_sparse *a;
    const ga_sparse *two[2];
    ga_figure *f;
    bool ok;
    switch (line) {
    A(ga_sparse_dense(I))
    A(ga_sparse_diags(1, (const ga_array *[]){ga_index_axis(I, 0, 0)}, at,
                      4, 4))
    A(ga_sparse_random(20, 20, 0.2, GA_FLOAT32))
    case __LINE__:
        two[0] = two[1] = a = ga_sparse_eye(6, 6, 1, GA_FLOAT64);
        return a && ga_sparse_add(a, a) && ga_sparse_multiply(a, a)
               && ga_sparse_product(a, a, 1) && ga_sparse_vstack(2, two)
               && ga_sparse_rows(a, 1, 3) && ga_sparse_toarray(a)
               && ga_sparse_scale(a, ga_ones(GA_SHAPE(6), GA_FLOAT64))
               && ga_sparse_norm(a, 1) && ga_sparse_to(a, GA_CSC)
               && ga_sparse_toarray(ga_sparse_to(a, GA_COO))
               && ga_sparse_solve_triangular(
                      a, ga_ones(GA_SHAPE(6), GA_FLOAT64), GA_UNIT_DIAGONAL)
               && ga_sparse_save_npz(archive_of_sparse, a) == GA_OK
               && ga_sparse_load_npz(archive_of_sparse)
               && ga_sparse_save_mtx(archive_of_sparse, a) == GA_OK
               && ga_sparse_load_mtx(archive_of_sparse);
    case __LINE__:
        a = ga_sparse_eye(6, 6, 0, GA_FLOAT64);
        p = ga_arange_as(1, 7, 1, GA_FLOAT64);
        return a && p && ga_cg(a, p, NULL, NULL) && ga_minres(a, p, NULL, NULL)
               && ga_gmres(a, p, NULL, NULL) && ga_bicgstab(a, p, NULL, NULL)
               && ga_lsqr(a, p, 1, NULL, NULL) && ga_spsolve(a, p)
               && ga_sparse_ilu0(a) && ga_sparse_ic0(a)
               && ga_lsmr_many(a, p, damp, 2, NULL, NULL);
    case __LINE__:
#ifndef GPUARR_USE_LAPACK
        if (!t_on_gpu()) return true;           /* as a case that fits      */
#endif
        a = ga_sparse_dense(ga_diagflat(ga_arange_as(1, 7, 1, GA_FLOAT64), 0));
        return a && ga_eigsh(a, 2, GA_LARGEST_ALGEBRAIC, NULL, &p, &q) == GA_OK
               && ga_svds(a, 2, NULL, &p, &q, &r) == GA_OK;
    S(ga_savefig(ga_imshow(NULL, X, 0), archive_of_sparse))
    case __LINE__:
        f = ga_figure_create(1, 2);
        ok = f && ga_plot(f, GA_NONE, X, "o-", "rows") && ga_annotate(f, 1, 2, "here")
             && ga_hist(ga_subplot(f, 0, 1), X, GA_BINS(4), NULL)
             && ga_savefig(f, archive_of_sparse) == GA_OK;
        ga_figure_free(f);
        return ok;
    default:
        *known = false;
        return true;
    }
}
enum { SPARSE_LAST = __LINE__ };
/* One rank, through the host: what others would be told is in test_comm.    */
enum { RANKS_FIRST = __LINE__ };
static ga_status in_slab(ga_array *slab, int64_t first, void *arg) {
    (void)first, (void)arg;
    return ga_add(slab, 1) ? GA_OK : ga_error();
}
static ga_status in_overlap(ga_array *out, const ga_array *in, void *arg) {
    (void)arg;
    return ga_assign(out, ga_slice(in, "1:-1"));
}
static bool of_rank(int line, ga_comm *c, ga_slabs *s, bool *known) {
    GA_SCOPE;
    const double q[] = {0.25, 0.5};
    ga_array *p;
    ga_dist *x, *y;
    switch (line) {
    A(ga_comm_allreduce(c, T, GA_COMM_MEAN))
    A(ga_comm_allgather(c, X))
    A(ga_comm_broadcast(c, T, 0))
    A(ga_comm_alltoall(c, T))
    S(ga_comm_allreduce_into(c, T, T, GA_COMM_MAX))
    S(ga_comm_gather(c, T, 0, &p))
    case __LINE__: {
        ga_comm *half = ga_comm_split(c, 0, 0);
        ga_comm_free(half);
        return half != NULL;
    }
    case __LINE__:
        x = ga_dist_scatter(c, X, 0);
        return x && GA_DIST_EVAL(x + 1, x) && ga_dist_sum(x, GA_ALL)
               && ga_dist_var(x, GA_AXIS(0), 0) && ga_dist_transpose(x)
               && ga_dist_inner(x, x) && ga_dist_halo(x, 1, 1, true)
               && ga_dist_rows(x, 1, 2) && ga_dist_allgather(x)
               && ga_dist_save_npy(archive_of_sparse, x) == GA_OK
               && ga_dist_load_npy(c, archive_of_sparse);
    case __LINE__:
        x = ga_dist_zeros(c, GA_SHAPE(5, 2), GA_FLOAT32);
        y = ga_dist_zeros(c, GA_SHAPE(5, 2), GA_FLOAT32);
        return x && y && ga_dist_map_overlap(y, x, 1, 1, true, in_overlap,
                                             NULL) == GA_OK;
    case __LINE__:
        x = ga_dist_random(c, GA_SHAPE(9, 3), GA_FLOAT64);
        y = ga_dist_random(c, GA_SHAPE(3), GA_FLOAT64);
        return x && y && ga_dist_matmul(x, y) && ga_dist_sort(y)
               && ga_dist_whole_matmul(L, ga_dist_zeros(c, GA_SHAPE(300, 2),
                                                        GA_FLOAT64));
    A(ga_slabs_mean(s, GA_ALL))
    A(ga_slabs_std(s, GA_AXIS(0), 1))
    A(ga_slabs_quantile(s, q, 2))
    A(ga_slabs_histogram(s, 3, 0, 0, &p))
    A(ga_slabs_inner(s))
    S(ga_slabs_each(s, in_slab, NULL))
    S(GA_SLABS_EVAL_NPY(archive_of_sparse, 2*x, x, s))
    default:
        *known = false;
        return true;
    }
}
enum { RANKS_LAST = __LINE__ };
static bool ranks(int line, bool *known) {
    char hall[160];
    snprintf(hall, sizeof hall, "/dev/shm/gpuarr_alloc_%ld", (long)getpid());
    ga_comm *c = ga_comm_shared(hall, 0, 1);
    ga_slabs *s = c ? ga_slabs_npy(path, &(ga_slab_options){.rows = 2}) : NULL;
    bool ok = s && of_rank(line, c, s, known);
    ga_slabs_free(s);
    ga_comm_free(c);
    remove(hall);
    return ok;
}
#undef A
#undef S
#undef D

/* The rows of the tables, one function each and its _into form. */
static const struct {
    const char *name;
    int types;
    ga_array *(*f)(const ga_array *);
    ga_status (*into)(ga_array *, const ga_array *);
} unary[] = {
#define ROW(n, t, ...) {"ga_" #n, t, (ga_##n), (ga_##n##_into)},
    GA_UNARY_OPS(ROW)};
static const struct {
    const char *name;
    int types;
    ga_array *(*f)(const ga_array *, const ga_array *);
    ga_status (*into)(ga_array *, const ga_array *, const ga_array *);
} binary[] = {GA_BINARY_OPS(ROW)};
static const struct {
    const char *name;
    int types;
    ga_array *(*f)(const ga_array *, ga_axis);
    ga_status (*into)(ga_array *, const ga_array *, ga_axis);
} reductions[] = {GA_REDUCTIONS(ROW)};
static const struct {
    const char *name;
    int types;
    ga_array *(*f)(const ga_array *, ga_axis, double);
    ga_status (*into)(ga_array *, const ga_array *, ga_axis, double);
} ddofs[] = {GA_REDUCTIONS_DDOF(ROW)};
static const struct {
    const char *name;
    int types;
    ga_array *(*f)(const ga_array *, ga_axis, unsigned);
    ga_status (*into)(ga_array *, const ga_array *, ga_axis, unsigned);
} scans[] = {GA_SCANS(ROW)};
#undef ROW
#define UNARY 100000
#define BINARY 200000
#define REDUCE 300000
#define DDOF 400000
#define SCAN 450000
#define LINEAR 500000                       /* + a line                 */
#define SPARSE 600000                       /* + a line                 */
#define RANKS 700000                        /* + a line                 */

/* Call number `id`, its table row or line; even and odd: both forms. */
static bool run(int id, bool *known, const char **name) {
    static char text_[40];
    size_t k = (size_t)(id % UNARY / 2);
    bool into = id % 2;
    *known = true;
    *name = text_;
    if (id < UNARY) {
        snprintf(text_, sizeof text_, "line %d", id);
        return call(id, known);
    }
    if (id >= RANKS) {
        snprintf(text_, sizeof text_, "line %d", id - RANKS);
        return ranks(id - RANKS, known);
    }
    if (id >= SPARSE) {
        snprintf(text_, sizeof text_, "line %d", id - SPARSE);
        return sparse(id - SPARSE, known);
    }
    if (id >= LINEAR) {
        snprintf(text_, sizeof text_, "line %d", id - LINEAR);
        return linear(id - LINEAR, known);
    }
    GA_SCOPE;
    if (id < BINARY && (*known = k < T_COUNT(unary))) {
        *name = unary[k].name;
        bool f = unary[k].types & GA__F;
        return into ? unary[k].into(O, f ? X : I) == GA_OK
                    : unary[k].f(f ? X : I) != NULL;
    } else if (id >= BINARY && id < REDUCE
               && (*known = k < T_COUNT(binary))) {
        *name = binary[k].name;
        bool f = (binary[k].types & GA__F) && strcmp(*name, "ga_ldexp");
        const ga_array *x = f ? X : I;
        return into ? binary[k].into(O, x, x) == GA_OK
                    : binary[k].f(x, x) != NULL;
    } else if (id >= REDUCE && id < DDOF
               && (*known = k < T_COUNT(reductions))) {
        *name = reductions[k].name;
        return into ? reductions[k].into(V, X, GA_ALL) == GA_OK
                    : reductions[k].f(T, GA_AXIS(0)) != NULL;
    } else if (id >= SCAN
               && (*known = (k = (size_t)(id - SCAN) / 2) < T_COUNT(scans))) {
        *name = scans[k].name;
        return into ? scans[k].into(O, X, GA_AXIS(0), GA_REVERSE) == GA_OK
                    : scans[k].f(T, GA_ALL, 0) != NULL;
    } else if (id >= DDOF && id < SCAN && (*known = k < T_COUNT(ddofs))) {
        *name = ddofs[k].name;
        return into ? ddofs[k].into(V, X, GA_ALL, 1) == GA_OK
                    : ddofs[k].f(T, GA_AXIS(0), 0) != NULL;
    }
    return true;
}

/* Fails allocation k = 1, 2, ... of call `id`. Returns how many there are. */
static int starve(int id, bool device, bool all_after) {
    bool known;
    const char *name;
    int places = 0;
    for (long k = 0; k < 500; k++) {    /* k = 0: none fails, caches fill   */
        long blocks = blocks_now();
        int64_t live = ga_live_arrays();
        size_t used = t_used();
        heap.asked = device_asked = 0;
        heap.failed = device_failed = false;
        heap.all_after = all_after;
        *(device ? &device_fail_at : &heap.fail_at) = k;
        bool ok = run(id, &known, &name);
        heap.fail_at = device_fail_at = 0;
        bool failed = heap.failed || device_failed;
        ga_status st = ga_error();
        const char *where = device ? "device" : "host";
        T_CHECKF(ok == (st == GA_OK), "%s, %s allocation %ld: %s, but the "
                 "error is %s (%s)", name, where, k, ok ? "succeeds" : "fails",
                 ga_status_name(st), ga_error_message());
        T_CHECKF(failed || !st, "%s: %s", name, ga_error_message());
        T_CHECKF(!failed || !st || st == GA_ERR_HOST_MEMORY
                 || st == GA_ERR_DEVICE_MEMORY, "%s, %s allocation %ld: %s",
                 name, where, k, ga_error_message());
        T_CHECKF(!st || !strncmp(ga_error_message(), "ga_", 3), "%s: \"%s\"",
                 name, ga_error_message());
        ga_clear_error();
        if (k) T_CHECKF(blocks_now() == blocks, "%s, %s allocation %ld: %ld "
                        "blocks left", name, where, k, heap.blocks - blocks);
        T_CHECKF(ga_live_arrays() == live && t_used() == used, "%s, %s "
                 "allocation %ld: arrays left", name, where, k);
        if (!known || (k && !failed)) break;
        if (!k) continue;
        places++;
        blocks = blocks_now();
        T_CHECKF(run(id, &known, &name), "%s: not well after %s allocation %ld "
                 "failed: %s", name, where, k, ga_error_message());
        ga_clear_error();
        T_CHECKF(blocks_now() == blocks, "%s, after %s allocation %ld: %ld "
                 "blocks left", name, where, k, heap.blocks - blocks);
    }
    return places;
}
static void starve_all(int from, int to, bool device, bool all_after) {
    long places = 0;
    GA_SCOPE;
    X = ga_add(ga_reshape(ga_arange_as(0, 12, 1, GA_FLOAT32), GA_SHAPE(3, 4)),
               1);
    X = ga_div(X, 16);
    I = ga_astype(ga_mul(X, 16), GA_INT32);
    Z = ga_astype(X, GA_COMPLEX64);
    B = ga_greater(X, 0.5);
    O = ga_zeros(GA_SHAPE(3, 4), GA_COMPLEX128);
    V = ga_zeros(GA_SCALAR_SHAPE, GA_COMPLEX128);
    T = ga_transpose(X, GA_ALL);
    L = ga_ones(GA_SHAPE(300, 300), GA_FLOAT64);
    M = ga_random_normal(0, 1, GA_SHAPE(2, 3, 4), GA_FLOAT64);
    W = ga_mul(M, 1e200);
    H = ga_add(ga_zeros(GA_SHAPE(2, 3, 3), GA_FLOAT64),
               ga_add(ga_eye(3, 3, 0, GA_FLOAT64), 0.25));
    if (from == FIRST) V = ga_sum(X, GA_ALL);
    if (from == FIRST) O = ga_zeros(GA_SHAPE(3, 4), GA_FLOAT64);
    stream = ga_stream_create(0);
    event = ga_event_create();
    assert_int_equal(ga_event_record(event, stream), GA_OK);
    snprintf(path, sizeof path, "/tmp/gpuarr_alloc_%ld.npy", (long)getpid());
    assert_int_equal(ga_save_npy(path, X), GA_OK);
    snprintf(archive, sizeof archive, "%s.npz", path);
    snprintf(archive_of_sparse, sizeof archive_of_sparse, "%s.sp", path);
    snprintf(text, sizeof text, "%s.txt", path);
    ga_array *two[] = {X, T};
    assert_int_equal(ga_save_npz(archive, NULL, two, 2, 0), GA_OK);
    assert_int_equal(ga_savetxt(text, X, NULL, NULL), GA_OK);
    ga__device *d = X->ga__buf->dev;
    real_backend = d->be;
    backend = *real_backend;
    backend.alloc = alloc_or_not;
    d->be = &backend;
    /* A quick run, of sanitizers, lets every second call lose one allocation, the
       others all after it too: each of both in the full one.                */
    for (int id = from; id < to; id += t_quick() && to - from > 60 ? 5 : 1)
        if (!t_quick() || device || id / 2 % 2 == all_after)
            places += starve(id, device, all_after);
    d->be = real_backend;
    remove(path);
    remove(archive);
    remove(archive_of_sparse);
    remove(text);
    ga_event_destroy(event);
    ga_stream_destroy(stream);
    T_CHECKF(places > 0, "no allocation at all");
    print_message("    %ld places\n", places);
}
#define BOTH(name, from, to)                                                \
    TEST(name##_host) {                                                     \
        starve_all(from, to, false, false);                                 \
        starve_all(from, to, false, true);                                  \
    }                                                                       \
    TEST(name##_device) { starve_all(from, to, true, false); }
BOTH(calls, FIRST, LAST)
BOTH(linear_and_random, LINEAR + LINEAR_FIRST, LINEAR + LINEAR_LAST)
BOTH(unary_rows, UNARY, UNARY + 2 * (int)T_COUNT(unary))
BOTH(binary_rows, BINARY, BINARY + 2 * (int)T_COUNT(binary))
BOTH(reductions, REDUCE, REDUCE + 2 * (int)T_COUNT(reductions))
BOTH(ddofs, DDOF, DDOF + 2 * (int)T_COUNT(ddofs))
BOTH(sparse_matrices, SPARSE + SPARSE_FIRST, SPARSE + SPARSE_LAST)
BOTH(ranks_and_slabs, RANKS + RANKS_FIRST, RANKS + RANKS_LAST)
BOTH(scans, SCAN, SCAN + 2 * (int)T_COUNT(scans))

/* What failed for want of memory leaves its output as it was. */
TEST(outputs_stay) {
    GA_SCOPE;
    ga_array *o = ga_arange_as(0, 6, 1, GA_FLOAT32);
    ga_array *back = ga_flip(o, GA_ALL), *p = o, *q = o;
    heap.asked = 0;
    heap.fail_at = 1;
    heap.all_after = true;
    T_CHECK(ga_add_into(o, back, 10) == GA_ERR_HOST_MEMORY);
    T_ERROR(GA_ERR_HOST_MEMORY);
    T_CHECK(ga_assign(o, back) == GA_ERR_HOST_MEMORY);
    T_ERROR(GA_ERR_HOST_MEMORY);
    T_CHECK(ga_divmod(o, back, &p, &q) == GA_ERR_HOST_MEMORY);
    T_ERROR(GA_ERR_HOST_MEMORY);
    for (long k = 2; k < 5; k++) {      /* the second result fails          */
        heap.asked = 0;
        heap.fail_at = k;
        if (ga_divmod(o, o, &p, &q) == GA_OK) break;
        T_CHECK(p == o && q == o);
        T_ERROR(GA_ERR_HOST_MEMORY);
    }
    heap.fail_at = 0;
    const float want[] = {0, 1, 2, 3, 4, 5};
    t_same(o, GA_FLOAT32, GA_SHAPE(6), want);
}
TEST(a_failed_load_reads_nothing) {
    GA_SCOPE;
    snprintf(path, sizeof path, "/tmp/gpuarr_alloc_%ld.npy", (long)getpid());
    ga_array *x = ga_ones(GA_SHAPE(1000, 10), GA_FLOAT32);
    T_CHECK(ga_save_npy(path, x) == GA_OK);
    for (long k = 1;; k++) {
        heap.asked = 0;
        heap.all_after = false;
        heap.fail_at = k;
        ga_array *y = ga_load_npy(path);
        heap.fail_at = 0;
        if (y) break;
        char want[200];
        snprintf(want, sizeof want, "ga_load_npy: %s: ", path);
        T_CHECKF(!strncmp(ga_error_message(), want, strlen(want)), "\"%s\"",
                 ga_error_message());
        T_ERROR(GA_ERR_HOST_MEMORY);
    }
    remove(path);
}

int main(void) {
    setenv("GPUARR_COMM", "host", 1);           /* NCCL starts too slowly   */
    const struct CMUnitTest tests[] = {
        T(calls_host), T(calls_device), T(linear_and_random_host),
        T(linear_and_random_device), T(unary_rows_host),
        T(unary_rows_device), T(binary_rows_host), T(binary_rows_device),
        T(reductions_host), T(reductions_device), T(ddofs_host),
        T(sparse_matrices_host), T(sparse_matrices_device),
        T(ranks_and_slabs_host), T(ranks_and_slabs_device),
        T(ddofs_device), T(scans_host), T(scans_device), T(outputs_stay),
        T(a_failed_load_reads_nothing),
    };
    return T_RUN("alloc", tests);
}
