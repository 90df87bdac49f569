/* gpuarr_sparse.h - sparse matrices, and solvers for large systems.
                                                                MIT licence
   Opt-in, beside gpuarr.h. Include it after gpuarr.h; the file that defines
   GPUARR_IMPLEMENTATION holds this one's implementation too, and the program is
   linked with gpuarr_sparse.o beside kernels.o: the same two commands compile
   gpuarr_sparse.cu, with -I for the folder of gpuarr.h (make's library has both).

       #define GPUARR_IMPLEMENTATION
       #include "gpuarr.h"
       #include "gpuarr_sparse.h"

       int main(void) {
           ga_on_error(GA_EXIT);
           GA_SCOPE;
           ga_sparse *a = ga_sparse_diags(3, (const ga_array *[]){
               ga_full(GA_SHAPE(1), -1, GA_FLOAT64),
               ga_full(GA_SHAPE(1), 2, GA_FLOAT64),
               ga_full(GA_SHAPE(1), -1, GA_FLOAT64)},
               (int64_t[]){-1, 0, 1}, 100, 100);
           ga_array *x = ga_cg(a, ga_ones(GA_SHAPE(100), GA_FLOAT64), NULL, NULL);
           ga_print(x);
       }

   CONTENTS   >>matrices  >>products  >>solvers, then the implementation:
              >>s-lifetime  >>s-making  >>s-products  >>s-solvers          */
#ifndef GPUARR_SPARSE_H
#define GPUARR_SPARSE_H
#ifndef GPUARR_H
#error "gpuarr_sparse.h: include gpuarr.h before it"
#endif

/* ============================================================== >>matrices
   A sparse matrix is three arrays: its entries row by row (csr) or column by
   column (csc), each with its column or row, and where each row or column
   begins. Within one the places ascend and none is there twice, whatever it
   was made from; entries that are 0 stay. A matrix does not change: what
   computes with one makes a new one, which shares what has not changed. The
   entries are float32, float64, complex64 or complex128; from others they
   become float64, float16 and bfloat16 float32. Indices are int32 where shape
   and number of entries allow, else int64.

   ga_sparse_free frees one, or the scope it was made in does, as an array's;
   ga_sparse_keep and _detach are ga_keep and ga_detach. Where nothing else is
   said a function computes on the current device, where its matrices must be,
   and fails with NULL. Making one synchronises, unless said otherwise.      */
typedef enum ga_sparse_format { GA_CSR, GA_CSC } ga_sparse_format;
typedef struct ga_sparse {          /* for reading                          */
    ga_sparse_format format;
    ga_dtype dtype;
    int device;
    int64_t shape[2], nnz;          /* nnz: entries                         */
    const ga_array *data;           /* (nnz) entries                        */
    const ga_array *indices;        /* (nnz) csr: the column of each        */
    const ga_array *indptr;         /* row r's are indptr[r] .. [r+1]-1     */
    struct ga__sparse_own *ga__own;
} ga_sparse;
GA_API void ga_sparse_free(ga_sparse *a);
GA_API ga_sparse *ga_sparse_keep(ga_sparse *a);
GA_API ga_sparse *ga_sparse_detach(ga_sparse *a);

/* coo    of entries at (row[i], col[i]), in any order; equal places add up
   csr, csc   of SciPy's three arrays, in any order within a row
   dense  of what is not 0 in a matrix (NaN is not)
   diags  diagonal i, of rank 1 and as long as it is or with one element for
          all, at offset[i] > 0 above the main one; GA_ERR_VALUE: two at one
   eye    ones on the k-th diagonal
   random uniform in [0, 1), at round(density m n) places; of the thread's
          generator. Temporary memory: 16 bytes an entry and what sorting takes
   Index arrays are of any integer dtype. Errors: an index out of range
   (GA_ERR_INDEX, with its place), arrays that do not fit (GA_ERR_SHAPE).
   Temporary memory of coo: 40 bytes an entry and what sorting takes.        */
GA_API ga_sparse *ga_sparse_coo(const ga_array *data, const ga_array *row,
                                const ga_array *col, int64_t m, int64_t n);
GA_API ga_sparse *ga_sparse_csr(const ga_array *data, const ga_array *indices,
                                const ga_array *indptr, int64_t m, int64_t n);
GA_API ga_sparse *ga_sparse_csc(const ga_array *data, const ga_array *indices,
                                const ga_array *indptr, int64_t m, int64_t n);
GA_API ga_sparse *ga_sparse_dense(const ga_array *x);
GA_API ga_sparse *ga_sparse_diags(int count, const ga_array *const *diagonal,
                                  const int64_t *offset, int64_t m, int64_t n);
GA_API ga_sparse *ga_sparse_eye(int64_t m, int64_t n, int64_t k, ga_dtype t);
GA_API ga_sparse *ga_sparse_random(int64_t m, int64_t n, double density,
                                   ga_dtype t);

/* transpose  shares everything: csr becomes csc. Does not synchronise
   to         the other format: sorts. A matrix of that format is shared
   astype     with other entries; with: with these, (nnz), in a's order, so that
              ga_sparse_with(a, ga_abs(a->data)) is |a|
   to_device  a copy there, or shared
   toarray    dense
   tocoo      rows and columns (int64) and entries, in a's order; NULL: not
              wanted
   None but to_device synchronises.                                          */
GA_API ga_sparse *ga_sparse_transpose(const ga_sparse *a);
GA_API ga_sparse *ga_sparse_to(const ga_sparse *a, ga_sparse_format f);
GA_API ga_sparse *ga_sparse_astype(const ga_sparse *a, ga_dtype t);
GA_API ga_sparse *ga_sparse_with(const ga_sparse *a, const ga_array *data);
GA_API ga_sparse *ga_sparse_to_device(const ga_sparse *a, int device);
GA_API ga_array *ga_sparse_toarray(const ga_sparse *a);
GA_API ga_status ga_sparse_tocoo(const ga_sparse *a, ga_array **row,
                                 ga_array **col, ga_array **data);

/* ============================================================== >>products
   a x, or with GA_TRANS a^T x, with GA_CONJ_TRANS a^H x, for a dense x of rank 1
   or 2, in the promoted dtype; what runs against a's format (csr transposed, csc
   not) turns a copy of its arrays, once, which a keeps: as many bytes again, and
   what sorting takes for a moment. In a graph's function it is not kept, so call
   ga_sparse_prepare(a, flags) before. Does not synchronise; results repeat bit
   for bit. Bytes moved: a's arrays, x and y once (10^7 rows of 5 points, float64,
   H200: see bench/results).                                                 */
GA_API ga_array *ga_sparse_matmul(const ga_sparse *a, const ga_array *x,
                                  unsigned flags);
GA_API ga_status ga_sparse_matmul_into(ga_array *out, const ga_sparse *a,
                                       const ga_array *x, unsigned flags);
GA_API ga_status ga_sparse_prepare(const ga_sparse *a, unsigned flags);

/* =================================================================== >>abi
   Private to this file and gpuarr_sparse.cu.                               */
/* y = A x, A's arrays as of csr; rows, nnz and columns of x > 0; x and y in C
   order, of rank 1 or with cols_x columns; conj: of A's entries.           */
typedef struct ga__spmv {
    ga_dtype t;
    bool wide, conj;                /* wide: int64 indices                  */
    int64_t rows, nnz, cols_x;
    const void *ptr, *idx, *val, *x;
    void *y;
} ga__spmv;

/*    job, its struct, scratch, bytes moved                                 */
#define GA__SPARSE_JOBS(X)                                                  \
    X(spmv, ga__spmv, NONE, (double)q->nnz * (double)(ga_dtype_size(q->t)   \
      + (q->wide ? 8 : 4)) + (double)q->rows * (double)(q->wide ? 8 : 4)    \
      + (double)(2 * q->rows * q->cols_x) * (double)ga_dtype_size(q->t))
#define GA__X(n, T, scratch, bytes)                                         \
    GA__EXTERN void gs_cpu_##n(const T *q);                                 \
    GA__CUDA_(GA__EXTERN int gs_cuda_##n(const T *q, void *stream, int mps);) \
    GA__WORK_##scratch(GA__EXTERN size_t gs_##n##_work(const T *q, int mps);)
GA__SPARSE_JOBS(GA__X)
#undef GA__X

/* ======================================================== >>implementation */
#ifdef GPUARR_IMPLEMENTATION
/* Each job as the runner of gpuarr.h takes it: ga__run_spmv(fn, d, q, ...). */
#define GA__OWN_WORK(n) ga__own_##n##_work
#define GA__OWN_NONE(n) NULL
#define GA__X(n, T, scratch, of)                                            \
    GA__WORK_##scratch(                                                     \
    static size_t ga__own_##n##_work(const void *q, int mps) {              \
        return gs_##n##_work((const T *)q, mps);                            \
    })                                                                      \
    static void ga__own_##n##_cpu(const void *q) {                          \
        gs_cpu_##n((const T *)q);                                           \
    }                                                                       \
    GA__CUDA_(static int ga__own_##n##_cuda(const void *q, void *stream,    \
                                            int mps) {                      \
        return gs_cuda_##n((const T *)q, stream, mps);                      \
    })                                                                      \
    static ga_status ga__run_##n(const char *fn, ga__device *d, T *q,       \
                                 ga_array *const *out, int nout,            \
                                 const ga_array *const *in, int nin) {      \
        ga__own_job job = {GA__OWN_##scratch(n), ga__own_##n##_cpu, NULL,   \
                           q, of};                                          \
        GA__CUDA_(job.cuda = ga__own_##n##_cuda;)                           \
        return ga__run(fn, d, GA__JOB_own, &job, out, nout, in, nin);       \
    }
GA__SPARSE_JOBS(GA__X)
#undef GA__X

/* ============================================================ >>s-lifetime
   A matrix belongs to an array without elements, whose memory's deleter frees
   it: so scopes, ga_keep and ga_detach serve matrices as they are.          */
typedef struct ga__sparse_own {
    ga_array *handle;
    ga_array *data, *indices, *indptr;
    pthread_mutex_t lock;
    ga_sparse *turned;              /* the other format's, once made        */
} ga__sparse_own;
static void ga__sparse_delete(void *p, void *arg) {
    ga_sparse *a = (ga_sparse *)arg;
    (void)p;
    ga_free(a->ga__own->data);
    ga_free(a->ga__own->indices);
    ga_free(a->ga__own->indptr);
    ga_sparse_free(a->ga__own->turned);
    pthread_mutex_destroy(&a->ga__own->lock);
    GA_FREE(a->ga__own);
    GA_FREE(a);
}
GA_API void ga_sparse_free(ga_sparse *a) { if (a) ga_free(a->ga__own->handle); }
static bool ga__sparse_ok(const char *fn, const ga_sparse *a) {
    if (a) return true;
    ga__ok(fn, NULL);
    return false;
}
GA_API ga_sparse *ga_sparse_keep(ga_sparse *a) {
    if (!ga__sparse_ok("ga_sparse_keep", a)) return NULL;
    return ga_keep(a->ga__own->handle) ? a : NULL;
}
GA_API ga_sparse *ga_sparse_detach(ga_sparse *a) {
    if (!ga__sparse_ok("ga_sparse_detach", a)) return NULL;
    return ga_detach(a->ga__own->handle) ? a : NULL;
}
/* The matrix of three arrays, views of which it keeps; all are sound. NULL
   passes through. */
static ga_sparse *ga__sparse_new(const char *fn, ga_sparse_format f, int64_t m,
                                 int64_t n, const ga_array *data,
                                 const ga_array *indices,
                                 const ga_array *indptr) {
    if (!data || !indices || !indptr) return NULL;
    ga_sparse *a = (ga_sparse *)GA_MALLOC(sizeof *a);
    ga__sparse_own *own = (ga__sparse_own *)GA_MALLOC(sizeof *own);
    if (!a || !own || pthread_mutex_init(&own->lock, NULL)) {
        GA_FREE(a);
        GA_FREE(own);
        return (ga_sparse *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    }
    own->turned = NULL;
    own->data = ga__view_new(fn, data);
    own->indices = ga__view_new(fn, indices);
    own->indptr = ga__view_new(fn, indptr);
    own->handle = NULL;
    if (own->data && own->indices && own->indptr) {
        ga_detach(own->data);
        ga_detach(own->indices);
        ga_detach(own->indptr);
        own->handle = ga__wrap(fn, a, GA_UINT8, GA_SHAPE(0), NULL, GA_CPU,
                               ga__sparse_delete, a);
    }
    a->ga__own = own;
    if (!own->handle) {
        ga__sparse_delete(NULL, a);
        return NULL;
    }
    a->format = f;
    a->dtype = data->dtype;
    a->device = data->device;
    a->shape[0] = m;
    a->shape[1] = n;
    a->nnz = data->size;
    a->data = own->data;
    a->indices = own->indices;
    a->indptr = own->indptr;
    return a;
}
/* Where matrices are made: on the current device. */
static ga__device *ga__sparse_begin(const char *fn, const ga_sparse *a) {
    return ga__sparse_ok(fn, a) ? ga__begin(fn, &a->data, 1, NULL,
                                            (ga_array *[]){NULL}) : NULL;
}

/* ============================================================== >>s-making */
static ga_dtype ga__sparse_dtype(ga_dtype t) {
    if (t == GA_FLOAT16 || t == GA_BFLOAT16) return GA_FLOAT32;
    return ga__kind(t) == 'f' || ga__kind(t) == 'c' ? t : GA_FLOAT64;
}
static ga_dtype ga__sparse_index(int64_t m, int64_t n, int64_t nnz) {
    return m <= INT32_MAX && n <= INT32_MAX && nnz <= INT32_MAX ? GA_INT32
                                                                : GA_INT64;
}
static bool ga__sparse_shape(const char *fn, int64_t m, int64_t n) {
    if (m >= 0 && n >= 0 && (!n || m <= INT64_MAX / n)) return true;
    ga__fail(m < 0 || n < 0 ? GA_ERR_SHAPE : GA_ERR_SIZE, fn,
             m < 0 || n < 0 ? "negative length in shape (%" PRId64 ",%" PRId64
             ")" : "shape (%" PRId64 ",%" PRId64 ") has more than 2**63 - 1 "
             "places", m, n);
    return false;
}
/* Integers of rank 1, of this length unless it is negative. */
static bool ga__sparse_indices(const char *fn, const char *what,
                               const ga_array *x, int64_t length) {
    if (!ga__ok(fn, x)) return false;
    if (!ga__is_int(x->dtype)) {
        ga__fail(GA_ERR_DTYPE, fn, "%s is %s, not of integers", what,
                 ga_dtype_name(x->dtype));
        return false;
    }
    if (x->ndim == 1 && (length < 0 || x->size == length)) return true;
    ga__fail(GA_ERR_SHAPE, fn, "%s has shape %s, not (%" PRId64 ",)", what,
             ga__shape_text(x->ndim, x->shape), length);
    return false;
}
/* All of x are 0 .. n-1, or the first that is not is told. Synchronises. */
static bool ga__sparse_within(const char *fn, const char *what,
                              const ga_array *x, int64_t n) {
    if (!x->size) return true;
    GA_SCOPE;
    ga_array *out = ga_logical_or(ga_less(x, 0), ga_greater_equal(x, n));
    ga_array *some = ga_any(out, GA_ALL), *at = ga_argmax(out, GA_ALL);
    if (!some || !at) return false;
    int64_t bad = ga_item_i64(some);
    if (ga_error()) return false;
    if (!bad) return true;
    int64_t i = ga_item_i64(at);
    ga__fail(GA_ERR_INDEX, fn, "%s[%" PRId64 "] is %" PRId64 ", out of range "
             "for length %" PRId64, what, i,
             ga_item_i64(ga_index_axis(x, 0, i)), n);
    return false;
}
/* csr of keys row n + col that ascend, all different, and their entries. */
static ga_sparse *ga__sparse_of_keys(const char *fn, const ga_array *key,
                                     const ga_array *data, int64_t m,
                                     int64_t n) {
    GA_SCOPE;
    ga_dtype t = ga__sparse_index(m, n, data->size);
    int64_t wide = n ? n : 1;
    ga_array *col = ga_astype(ga_remainder(key, wide), t);
    ga_array *edge = ga_mul(ga_arange_as(0, m + 1, 1, GA_INT64), wide);
    ga_array *ptr = ga_astype(ga_searchsorted(key, edge, GA_NONE, 0), t);
    ga_sparse *a = ga__sparse_new(fn, GA_CSR, m, n, data, col, ptr);
    return a ? ga_sparse_keep(a) : NULL;
}
/* The same of keys in any order; the entries of equal ones add up. */
static ga_sparse *ga__sparse_sum_keys(const char *fn, const ga_array *key,
                                      const ga_array *data, int64_t m,
                                      int64_t n) {
    GA_SCOPE;
    ga_array *inverse;
    ga_array *order = ga_argsort(key, GA_ALL, 0);
    ga_array *sorted = ga_take(key, order, GA_AXIS(0), 0);
    ga_array *v = ga_take(data, order, GA_AXIS(0), 0);
    ga_array *one = ga_unique(sorted, GA_ALL, NULL, &inverse, NULL);
    if (!one || !v) return NULL;
    if (one->size < sorted->size)
        v = ga_segment_sum(v, inverse, one->size, GA_SORTED);
    ga_sparse *a = v ? ga__sparse_of_keys(fn, one, v, m, n) : NULL;
    return a ? ga_sparse_keep(a) : NULL;
}
/* data as a matrix has it; NULL and an error if its length is another. */
static ga_array *ga__sparse_data(const char *fn, const ga_array *data,
                                 int64_t length) {
    const char *text = "data has shape %s, not (%" PRId64 ",)";
    if (!ga__ok(fn, data)) return NULL;
    if (data->ndim != 1 || data->size != length)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, text, ga__shape_text(
            data->ndim, data->shape), length);
    ga_dtype t = ga__sparse_dtype(data->dtype);
    return t == data->dtype ? (ga_ascontiguousarray)(data) : (ga_astype)(data,
                                                                         t);
}
GA_API ga_sparse *ga_sparse_coo(const ga_array *data, const ga_array *row,
                                const ga_array *col, int64_t m, int64_t n) {
    static const char fn[] = "ga_sparse_coo";
    GA_SCOPE;
    if (!ga__ok(fn, data) || !ga__sparse_shape(fn, m, n)
        || !ga__sparse_indices(fn, "row", row, data->size)
        || !ga__sparse_indices(fn, "col", col, data->size)
        || !ga__sparse_within(fn, "row", row, m)
        || !ga__sparse_within(fn, "col", col, n))
        return NULL;
    ga_array *v = ga__sparse_data(fn, data, data->size);
    ga_array *key = ga_add(ga_mul(ga_astype(row, GA_INT64), n),
                           ga_astype(col, GA_INT64));
    ga_sparse *a = v && key ? ga__sparse_sum_keys(fn, key, v, m, n) : NULL;
    return a ? ga_sparse_keep(a) : NULL;
}
/* The row of each entry: of csr; int64. */
static ga_array *ga__sparse_rows_of(const ga_array *ptr, int64_t nnz) {
    GA_SCOPE;
    ga_array *r = ga_sub(ga_searchsorted(ptr, ga_arange_as(0, nnz, 1, ptr->dtype),
                                         GA_NONE, GA_RIGHT), 1);
    return r ? ga_keep(r) : NULL;
}
static ga_sparse *ga__sparse_of_csr(const char *fn, const ga_array *data,
                                    const ga_array *indices,
                                    const ga_array *indptr, int64_t m,
                                    int64_t n) {
    GA_SCOPE;
    if (!ga__sparse_shape(fn, m, n)
        || !ga__sparse_indices(fn, "indptr", indptr, m + 1)
        || !ga__sparse_indices(fn, "indices", indices, -1))
        return NULL;
    int64_t nnz = indices->size;
    ga_array *v = ga__sparse_data(fn, data, nnz);
    ga_array *falls = ga_any(ga_less(ga_diff(ga_astype(indptr, GA_INT64), 1, 0,
                                             GA_NONE, GA_NONE), 0), GA_ALL);
    if (!v || !falls || !ga__sparse_within(fn, "indices", indices, n))
        return NULL;
    bool wrong = ga_item_i64(falls) != 0;
    int64_t first = ga_item_i64(ga_index_axis(indptr, 0, 0));
    int64_t last = ga_item_i64(ga_index_axis(indptr, 0, -1));
    if (ga_error()) return NULL;
    if (wrong || first != 0 || last != nnz)
        return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "indptr runs from %" PRId64
            " to %" PRId64 "%s; it ascends from 0 to the %" PRId64 " entries",
            first, last, wrong ? " and descends in between" : "", nnz);
    ga_array *key = ga_add(ga_mul(ga__sparse_rows_of(indptr, nnz), n),
                           ga_astype(indices, GA_INT64));
    if (!key) return NULL;
    ga_array *turns = nnz > 1 ? ga_any(ga_less_equal(ga_diff(
        key, 1, 0, GA_NONE, GA_NONE), 0), GA_ALL) : NULL;
    bool sorted = nnz < 2 || !ga_item_i64(turns);
    if (ga_error()) return NULL;
    ga_sparse *a = sorted ? ga__sparse_of_keys(fn, key, v, m, n)
                          : ga__sparse_sum_keys(fn, key, v, m, n);
    return a ? ga_sparse_keep(a) : NULL;
}
GA_API ga_sparse *ga_sparse_csr(const ga_array *data, const ga_array *indices,
                                const ga_array *indptr, int64_t m, int64_t n) {
    return ga__sparse_of_csr("ga_sparse_csr", data, indices, indptr, m, n);
}
static ga_sparse *ga__sparse_flip(const char *fn, const ga_sparse *a) {
    return ga__sparse_new(fn, a->format == GA_CSR ? GA_CSC : GA_CSR,
                          a->shape[1], a->shape[0], a->data, a->indices,
                          a->indptr);
}
GA_API ga_sparse *ga_sparse_csc(const ga_array *data, const ga_array *indices,
                                const ga_array *indptr, int64_t m, int64_t n) {
    static const char fn[] = "ga_sparse_csc";
    GA_SCOPE;
    ga_sparse *t = ga__sparse_of_csr(fn, data, indices, indptr, n, m);
    ga_sparse *a = t ? ga__sparse_flip(fn, t) : NULL;
    return a ? ga_sparse_keep(a) : NULL;
}
GA_API ga_sparse *ga_sparse_dense(const ga_array *x) {
    static const char fn[] = "ga_sparse_dense";
    GA_SCOPE;
    if (!ga__ok(fn, x)) return NULL;
    if (x->ndim != 2)
        return (ga_sparse *)GA__NULL(GA_ERR_SHAPE, fn, "an array of shape %s is "
            "no matrix", ga__shape_text(x->ndim, x->shape));
    ga_array *key = ga_flatnonzero(x), *line = ga_ravel(x);
    ga_array *v = ga_take(line, key, GA_AXIS(0), 0);
    if (v) v = ga__sparse_data(fn, v, v->size);
    ga_sparse *a = v ? ga__sparse_of_keys(fn, key, v, x->shape[0], x->shape[1])
                     : NULL;
    return a ? ga_sparse_keep(a) : NULL;
}
GA_API ga_sparse *ga_sparse_diags(int count, const ga_array *const *diagonal,
                                  const int64_t *offset, int64_t m, int64_t n) {
    static const char fn[] = "ga_sparse_diags";
    enum { MOST = 64 };
    GA_SCOPE;
    if (count < 1 || count > MOST)
        return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "%d diagonals; 1 to %d "
                                     "are possible", count, MOST);
    if (!ga__all_ok(fn, diagonal, count) || !ga__sparse_shape(fn, m, n))
        return NULL;
    const ga_array *key[MOST], *v[MOST];
    for (int i = 0; i < count; i++) {
        const int64_t k = offset[i], r0 = k < 0 ? -k : 0, c0 = k < 0 ? 0 : k;
        const int64_t below = m - r0, right = n - c0;
        const int64_t len = below < right ? below : right;
        const ga_array *x = diagonal[i];
        for (int j = 0; j < i; j++)
            if (offset[j] == k)
                return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "two diagonals "
                                             "at offset %" PRId64, k);
        if (len < 0 || k < -INT32_MAX - INT64_C(1) * INT32_MAX * INT32_MAX)
            return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "offset %" PRId64
                " lies outside of shape (%" PRId64 ",%" PRId64 ")", k, m, n);
        if (x->ndim > 1 || (x->size != 1 && x->size != len))
            return (ga_sparse *)GA__NULL(GA_ERR_SHAPE, fn, "the diagonal at "
                "offset %" PRId64 " has %" PRId64 " places, not shape %s", k,
                len, ga__shape_text(x->ndim, x->shape));
        key[i] = ga_add(ga_mul(ga_arange_as(0, len, 1, GA_INT64), n + 1),
                        r0 * n + c0);
        v[i] = ga_broadcast_to(ga_ravel(x), GA_SHAPE(len));
    }
    ga_array *keys = (ga_concatenate)(0, count, key);
    ga_array *all = (ga_concatenate)(0, count, v);
    if (all) all = ga__sparse_data(fn, all, all->size);
    ga_sparse *a = all && keys ? ga__sparse_sum_keys(fn, keys, all, m, n) : NULL;
    return a ? ga_sparse_keep(a) : NULL;
}
GA_API ga_sparse *ga_sparse_eye(int64_t m, int64_t n, int64_t k, ga_dtype t) {
    static const char fn[] = "ga_sparse_eye";
    if (!ga__dtype_ok(fn, t)) return NULL;
    GA_SCOPE;
    const ga_array *one = ga_ones(GA_SHAPE(1), t);
    ga_sparse *a = one ? ga_sparse_diags(1, &one, &k, m, n) : NULL;
    return a ? ga_sparse_keep(a) : NULL;
}
/* Places drawn with repetition, as many more as repeat, until there are enough;
   of these, in the order of a random key, the first `want` are kept.       */
GA_API ga_sparse *ga_sparse_random(int64_t m, int64_t n, double density,
                                   ga_dtype t) {
    static const char fn[] = "ga_sparse_random";
    if (!ga__dtype_ok(fn, t) || !ga__sparse_shape(fn, m, n)) return NULL;
    if (!(density >= 0 && density <= 1))
        return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "density %g; 0 to 1 is "
                                     "possible", density);
    GA_SCOPE;
    const double places = (double)m * (double)n;
    const int64_t want = (int64_t)(density * places + 0.5);
    ga_array *key = NULL;
    if (want > places / 2) {        /* which are left out                   */
        GA_SCOPE;
        ga_array *o = ga_argsort(ga_random(GA_SHAPE(m * n), GA_FLOAT64), GA_ALL,
                                 0);
        key = ga_sort(ga_slice_axis(o, 0, 0, want, 1), GA_ALL, 0);
        if (key) ga_keep(key);
    } else {
        key = ga_zeros(GA_SHAPE(0), GA_INT64);
        while (key && key->size < want) {
            GA_SCOPE;
            double some = (double)(want - key->size);
            int64_t more = (int64_t)(some * (1 + 1.5 * density) + 16);
            ga_array *k = ga_unique((ga_append)(key, ga_random_integers(
                0, m * n, GA_SHAPE(more), GA_INT64), GA_ALL), GA_ALL, NULL, NULL, NULL);
            if (k && k->size > want) {
                ga_array *o = ga_argsort(ga_random(GA_SHAPE(k->size),
                                                   GA_FLOAT64), GA_ALL, 0);
                k = ga_sort(ga_take(k, ga_slice_axis(o, 0, 0, want, 1),
                                    GA_AXIS(0), 0), GA_ALL, 0);
            }
            if (!k) return NULL;
            GA_REPLACE(key, k);
        }
    }
    ga_array *v = ga_random(GA_SHAPE(want), ga__kind(t) == 'c' ? GA_FLOAT64
                                            : ga__sparse_dtype(t));
    if (v) v = ga_astype(v, ga__sparse_dtype(t));
    ga_sparse *a = v && key ? ga__sparse_of_keys(fn, key, v, m, n) : NULL;
    return a ? ga_sparse_keep(a) : NULL;
}
GA_API ga_sparse *ga_sparse_transpose(const ga_sparse *a) {
    static const char fn[] = "ga_sparse_transpose";
    return ga__sparse_ok(fn, a) ? ga__sparse_flip(fn, a) : NULL;
}
/* The same matrix in the other format: entries in the order of their other
   index, which a stable sort leaves ascending in the first.                */
static ga_sparse *ga__sparse_turn(const char *fn, const ga_sparse *a) {
    GA_SCOPE;
    const bool csr = a->format == GA_CSR;
    const int64_t lines = a->shape[csr];
    ga_array *order = ga_argsort(a->indices, GA_ALL, 0);
    ga_array *line = ga_take(a->indices, order, GA_AXIS(0), 0);
    ga_array *row = ga_take(ga__sparse_rows_of(a->indptr, a->nnz), order,
                            GA_AXIS(0), 0);
    ga_array *v = ga_take(a->data, order, GA_AXIS(0), 0);
    ga_dtype t = a->indices->dtype;
    ga_array *ptr = ga_astype(ga_searchsorted(
        line, ga_arange_as(0, lines + 1, 1, t), GA_NONE, 0), t);
    ga_array *idx = ga_astype(row, t);
    ga_sparse *b = ga__sparse_new(fn, csr ? GA_CSC : GA_CSR, a->shape[0],
                                  a->shape[1], v, idx, ptr);
    return b ? ga_sparse_keep(b) : NULL;
}
static ga_sparse *ga__sparse_same(const char *fn, const ga_sparse *a) {
    return ga__sparse_new(fn, a->format, a->shape[0], a->shape[1], a->data,
                          a->indices, a->indptr);
}
GA_API ga_sparse *ga_sparse_to(const ga_sparse *a, ga_sparse_format f) {
    static const char fn[] = "ga_sparse_to";
    if (!ga__sparse_begin(fn, a)) return NULL;
    if (f != GA_CSR && f != GA_CSC)
        return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "%d is no format",
                                     (int)f);
    return a->format == f ? ga__sparse_same(fn, a) : ga__sparse_turn(fn, a);
}
GA_API ga_sparse *ga_sparse_with(const ga_sparse *a, const ga_array *data) {
    static const char fn[] = "ga_sparse_with";
    GA_SCOPE;
    if (!ga__sparse_begin(fn, a)) return NULL;
    ga_array *v = ga__sparse_data(fn, data, a->nnz);
    ga_sparse *b = v ? ga__sparse_new(fn, a->format, a->shape[0], a->shape[1],
                                      v, a->indices, a->indptr) : NULL;
    return b ? ga_sparse_keep(b) : NULL;
}
GA_API ga_sparse *ga_sparse_astype(const ga_sparse *a, ga_dtype t) {
    static const char fn[] = "ga_sparse_astype";
    GA_SCOPE;
    if (!ga__sparse_begin(fn, a) || !ga__dtype_ok(fn, t)) return NULL;
    ga_array *v = (ga_astype)(a->data, t);
    ga_sparse *b = v ? ga_sparse_with(a, v) : NULL;
    return b ? ga_sparse_keep(b) : NULL;
}
GA_API ga_sparse *ga_sparse_to_device(const ga_sparse *a, int device) {
    static const char fn[] = "ga_sparse_to_device";
    GA_SCOPE;
    if (!ga__sparse_ok(fn, a)) return NULL;
    ga_array *v = (ga_to_device)(a->data, device);
    ga_array *i = (ga_to_device)(a->indices, device);
    ga_array *p = (ga_to_device)(a->indptr, device);
    ga_sparse *b = ga__sparse_new(fn, a->format, a->shape[0], a->shape[1], v, i,
                                  p);
    return b ? ga_sparse_keep(b) : NULL;
}
GA_API ga_status ga_sparse_tocoo(const ga_sparse *a, ga_array **row,
                                 ga_array **col, ga_array **data) {
    static const char fn[] = "ga_sparse_tocoo";
    if (!ga__sparse_begin(fn, a)) return ga__failed();
    ga_array **line = a->format == GA_CSR ? row : col;
    ga_array **place = a->format == GA_CSR ? col : row;
    ga_array *l = NULL, *p = NULL, *v = NULL;
    if ((line && !(l = ga__sparse_rows_of(a->indptr, a->nnz)))
        || (place && !(p = (ga_astype)(a->indices, GA_INT64)))
        || (data && !(v = (ga_copy)(a->data)))) {
        ga_free(l);
        ga_free(p);
        return ga__failed();
    }
    if (line) *line = l;
    if (place) *place = p;
    if (data) *data = v;
    return GA_OK;
}
GA_API ga_array *ga_sparse_toarray(const ga_sparse *a) {
    GA_SCOPE;
    ga_array *row, *col, *r;
    if (!ga__sparse_begin("ga_sparse_toarray", a)
        || !(r = ga_zeros(GA_SHAPE(a->shape[0], a->shape[1]), a->dtype))
        || ga_sparse_tocoo(a, &row, &col, NULL)
        || ga_index_assign(r, GA_AT(row, col), a->data))
        return NULL;
    return ga_keep(r);
}

/* ============================================================ >>s-products */
/* a with its entries along `f`: itself, or what it keeps; *own: to be freed,
   as in a graph's function nothing is kept.                                */
static const ga_sparse *ga__sparse_along(const char *fn, const ga_sparse *a,
                                         ga_sparse_format f, ga_sparse **own) {
    *own = NULL;
    if (a->format == f) return a;
    pthread_mutex_lock(&a->ga__own->lock);
    ga_sparse *t = a->ga__own->turned;
    if (!t) {
        t = ga__sparse_turn(fn, a);
        if (t && ga__me.capture) *own = t;
        else if (t) a->ga__own->turned = ga_sparse_detach(t);
    }
    pthread_mutex_unlock(&a->ga__own->lock);
    return t;
}
static bool ga__sparse_flags(const char *fn, unsigned flags) {
    if (!ga__flags_ok(fn, flags, GA_TRANS | GA_CONJ_TRANS)) return false;
    if (flags != (GA_TRANS | GA_CONJ_TRANS)) return true;
    ga__fail(GA_ERR_VALUE, fn, "GA_TRANS and GA_CONJ_TRANS exclude each other");
    return false;
}
GA_API ga_status ga_sparse_prepare(const ga_sparse *a, unsigned flags) {
    static const char fn[] = "ga_sparse_prepare";
    ga_sparse *own;
    if (!ga__sparse_begin(fn, a) || !ga__sparse_flags(fn, flags)
        || !ga__sparse_along(fn, a, flags ? GA_CSC : GA_CSR, &own))
        return ga__failed();
    ga_sparse_free(own);
    return GA_OK;
}
/* y = op(a) x; all of one dtype, x and y in C order. */
static ga_status ga__sparse_multiply(const char *fn, ga__device *d, ga_array *y,
                                     const ga_sparse *a, const ga_array *x,
                                     unsigned flags) {
    ga_sparse *own;
    const int64_t rows = y->shape[0];
    if (!y->size) return GA_OK;
    if (!a->nnz) return d->be->zero(d, fn, y->data, (size_t)y->size
                                    * ga__size(y->dtype), ga__stream(d));
    const ga_sparse *b = ga__sparse_along(fn, a, flags ? GA_CSC : GA_CSR, &own);
    if (!b) return ga__failed();
    ga__spmv q = {a->dtype, b->indices->dtype == GA_INT64,
                  (flags & GA_CONJ_TRANS) && ga__kind(a->dtype) == 'c', rows,
                  b->nnz, y->size / rows, b->indptr->data, b->indices->data,
                  b->data->data, x->data, y->data};
    const ga_array *in[] = {b->indptr, b->indices, b->data, x};
    ga_status st = ga__run_spmv(fn, d, &q, &y, 1, in, 4);
    ga_sparse_free(own);
    return st;
}
static ga_status ga__sparse_matmul(const char *fn, ga_array *out,
                                   ga_array **made, const ga_sparse *a,
                                   const ga_array *x, unsigned flags) {
    GA_SCOPE;
    if (!ga__sparse_ok(fn, a) || !ga__sparse_flags(fn, flags))
        return ga__failed();
    const ga_array *in[] = {a->data, x};
    ga__device *d = ga__begin(fn, in, 2, out, made);
    if (!d) return ga__failed();
    const int64_t m = a->shape[flags != 0], n = a->shape[!flags];
    if (x->ndim < 1 || x->ndim > 2 || x->shape[0] != n)
        return ga__fail(GA_ERR_SHAPE, fn, "a%s of shape (%" PRId64 ",%" PRId64
                        ") and x of shape %s do not fit", flags ? "^T" : "", m,
                        n, ga__shape_text(x->ndim, x->shape));
    ga_dtype t = ga__sparse_dtype(ga_promote_types(a->dtype, x->dtype));
    int64_t shape[2] = {m, x->ndim == 2 ? x->shape[1] : 1};
    ga__result r;
    ga_array *y = x->dtype == t ? (ga_ascontiguousarray)(x) : (ga_astype)(x, t);
    ga_sparse *b = a->dtype == t ? NULL : ga_sparse_astype(a, t);
    if (!y || (a->dtype != t && !b)
        || !ga__result_begin(&r, fn, d, out, made, x->ndim, shape, t, in, 2, 0))
        return ga__failed();
    ga_status st = ga__result_end(&r, ga__sparse_multiply(fn, d, r.to, b ? b : a,
                                                          y, flags));
    if (!st && made) ga_keep(*made);
    return st;
}
GA_API ga_array *ga_sparse_matmul(const ga_sparse *a, const ga_array *x,
                                  unsigned flags) {
    ga_array *y = NULL;
    ga__sparse_matmul("ga_sparse_matmul", NULL, &y, a, x, flags);
    return y;
}
GA_API ga_status ga_sparse_matmul_into(ga_array *out, const ga_sparse *a,
                                       const ga_array *x, unsigned flags) {
    return ga__sparse_matmul("ga_sparse_matmul_into", out, NULL, a, x, flags);
}
#endif /* GPUARR_IMPLEMENTATION */
#endif /* GPUARR_SPARSE_H */
