/* gpuarr_sparse.h - sparse matrices, and solvers for large systems.
                                                                MIT licence
   Opt-in, beside gpuarr.h. Include it after gpuarr.h; the file that defines
   GPUARR_IMPLEMENTATION holds this one's implementation too, and the program is
   linked with gpuarr_sparse.o beside kernels.o: the same commands compile
   gpuarr_sparse.cu, with -I for gpuarr.h's folder (make's library has both).

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
           ga_array *b = ga_ones(GA_SHAPE(100), GA_FLOAT64);
           ga_array *x = ga_cg(a, b, NULL, NULL);
           ga_print(x);
       }

   CONTENTS   >>matrices  >>products  >>arithmetic  >>files  >>solvers, then the
              implementation: >>s-lifetime  >>s-making  >>s-products
              >>s-arithmetic  >>s-files  >>s-solvers                       */
#ifndef GPUARR_SPARSE_H
#define GPUARR_SPARSE_H
#ifndef GPUARR_H
#error "gpuarr_sparse.h: include gpuarr.h before it"
#endif

/* ============================================================== >>matrices
   A sparse matrix is three arrays: its entries row by row (csr) or column by
   column (csc), each with its column or row, and where each row or column
   begins. Within one the places ascend and none is there twice, whatever it
   was made from; entries that are 0 stay. Or entries in any order, each with row
   and column, where those of one place count together (coo): what computes with
   such a matrix makes its csr, once, which the matrix keeps, and synchronises for
   that; results are csr then. A matrix does not change: what computes with one
   makes a new one, which shares what has not changed. The entries are float32,
   float64, complex64 or complex128; from others they become float64, float16 and
   bfloat16 float32. Indices are int32 where shape and number of entries allow,
   else int64.

   ga_sparse_free frees one, or the scope it was made in does, as an array's;
   ga_sparse_keep and _detach are ga_keep and ga_detach. Where nothing else is
   said a function computes on the current device, where its matrices must be,
   and fails with NULL. Making one synchronises, unless said otherwise.      */
typedef enum ga_sparse_format { GA_CSR, GA_CSC, GA_COO } ga_sparse_format;
typedef struct ga_sparse {          /* for reading                          */
    ga_sparse_format format;
    ga_dtype dtype;
    int device;
    int64_t shape[2], nnz;          /* nnz: entries                         */
    const ga_array *data;           /* (nnz) entries                        */
    const ga_array *indices;        /* (nnz) csr, coo: the column of each   */
    const ga_array *indptr;         /* row r's are indptr[r] .. [r+1]-1;    */
                                    /* coo: (nnz) the row of each           */
    struct ga__sparse_own *ga__own;
} ga_sparse;
/* NULL is fine */ GA_API void ga_sparse_free(ga_sparse *a);
/* to the scope around the current one */
GA_API ga_sparse *ga_sparse_keep(ga_sparse *a);
/* no scope frees a any more */
GA_API ga_sparse *ga_sparse_detach(ga_sparse *a);

/* coo    csr of entries at (row[i], col[i]), in any order; equal places add up
   triplets   the same entries as they are, of format GA_COO
   csr, csc   of SciPy's three arrays, in any order within a row
   dense  of what is not 0 in a matrix (NaN is not)
   diags  diagonal i, of rank 1 and as long as it is or with one element for
          all, at offset[i] > 0 above the main one; GA_ERR_VALUE: two at one
   eye    ones on the k-th diagonal
   random uniform in [0, 1), at round(density m n) places; of the thread's
          generator. Temporary memory: 16 bytes an entry and what sorting takes
   Index arrays are of any integer dtype. Contiguous data is kept, not copied:
   write to it no more. Errors: an index out of range (GA_ERR_INDEX, with its
   place), arrays that do not fit (GA_ERR_SHAPE).
   Temporary memory of coo: 40 bytes an entry and what sorting takes.        */
GA_API ga_sparse *ga_sparse_coo(const ga_array *data, const ga_array *row,
                                const ga_array *col, int64_t m, int64_t n);
/* coo of entries at (row[i], col[i]) */
GA_API ga_sparse *ga_sparse_triplets(const ga_array *data, const ga_array *row,
                                     const ga_array *col, int64_t m, int64_t n);
/* rows one after the other */
GA_API ga_sparse *ga_sparse_csr(const ga_array *data, const ga_array *indices,
                                const ga_array *indptr, int64_t m, int64_t n);
/* columns one after the other */
GA_API ga_sparse *ga_sparse_csc(const ga_array *data, const ga_array *indices,
                                const ga_array *indptr, int64_t m, int64_t n);
/* x's entries that are not 0 */
GA_API ga_sparse *ga_sparse_dense(const ga_array *x);
/* diagonals at these offsets */
GA_API ga_sparse *ga_sparse_diags(int count, const ga_array *const *diagonal,
                                  const int64_t *offset, int64_t m, int64_t n);
/* ones on the k-th diagonal */
GA_API ga_sparse *ga_sparse_eye(int64_t m, int64_t n, int64_t k, ga_dtype t);
/* uniform entries at random places */
GA_API ga_sparse *ga_sparse_random(int64_t m, int64_t n, double density,
                                   ga_dtype t);

/* transpose  shares everything: csr becomes csc, coo stays. Does not synchronise
   to         the other format: sorts; from coo adds up. A matrix of that format
              is shared
   astype     with other entries; with: with these, (nnz), in a's order, so that
              ga_sparse_with(a, ga_abs(a->data)) is |a|
   to_device  a copy there, or shared
   toarray    dense
   tocoo      rows and columns (int64) and entries, in a's order; NULL: not
              wanted
   None but to_device synchronises, and what takes coo to another format.    */
GA_API ga_sparse *ga_sparse_transpose(const ga_sparse *a);
/* in another format */
GA_API ga_sparse *ga_sparse_to(const ga_sparse *a, ga_sparse_format f);
/* a's entries cast to t */
GA_API ga_sparse *ga_sparse_astype(const ga_sparse *a, ga_dtype t);
/* other data at a's places */
GA_API ga_sparse *ga_sparse_with(const ga_sparse *a, const ga_array *data);
/* a on another device */
GA_API ga_sparse *ga_sparse_to_device(const ga_sparse *a, int device);
/* dense */ GA_API ga_array *ga_sparse_toarray(const ga_sparse *a);
/* rows, columns, data */
GA_API ga_status ga_sparse_tocoo(const ga_sparse *a, ga_array **row,
                                 ga_array **col, ga_array **data);

/* ============================================================== >>products
   a x, or with GA_TRANS a^T x, with GA_CONJ_TRANS a^H x, for a dense x of rank 1
   or 2, in the promoted dtype; what runs against a's format (csr transposed, csc
   not) turns a copy of its arrays, once, which a keeps: as many bytes again, and
   what sorting takes for a moment. Does not synchronise; results repeat bit for
   bit. Bytes moved: a's arrays, x and y once.

   prepare  for products with these flags: the copy, and on a GPU how long the
            longest row is, and indices of 16 bits where there are 65536 columns
            at most and 24 entries a row (2 bytes an entry, kept). Worth it from
            the third product on; solvers do it. In a graph's function nothing
            is kept: prepare before. Synchronises                             */
GA_API ga_array *ga_sparse_matmul(const ga_sparse *a, const ga_array *x,
                                  unsigned flags);
GA_API ga_status ga_sparse_matmul_into(ga_array *out, const ga_sparse *a,
                                       const ga_array *x, unsigned flags);
/* what products need, ahead of them */
GA_API ga_status ga_sparse_prepare(const ga_sparse *a, unsigned flags);

/* ============================================================ >>arithmetic
   Of matrices of one shape, in the promoted dtype; the result has a's format.
   c a is ga_sparse_with(a, ga_mul(a->data, c)).

   add, sub   places of either; multiply: of both, element by element
   scale      a times a dense x that broadcasts to a's shape, element by element:
              rows by x of shape (m, 1), columns by x of shape (n)
   vstack, hstack   one below, one beside the other: csr, csc
   rows       start .. stop-1, as a slice: csr
   sum        over an axis or GA_ALL, dense: rank 1 or 0
   norm       GA_FRO, 1, INFINITY; -1 and -INFINITY too; rank 0
   Synchronise: all but scale, sum and norm. Temporary memory: add, sub: 40 bytes
   an entry and what sorting takes.                                          */
GA_API ga_sparse *ga_sparse_add(const ga_sparse *a, const ga_sparse *b);
/* a - b */
GA_API ga_sparse *ga_sparse_sub(const ga_sparse *a, const ga_sparse *b);
/* a * b, element by element */
GA_API ga_sparse *ga_sparse_multiply(const ga_sparse *a, const ga_sparse *b);
/* times a dense x that broadcasts */
GA_API ga_sparse *ga_sparse_scale(const ga_sparse *a, const ga_array *x);
/* one below the other */
GA_API ga_sparse *ga_sparse_vstack(int count, const ga_sparse *const *a);
/* side by side */
GA_API ga_sparse *ga_sparse_hstack(int count, const ga_sparse *const *a);
/* a[start:stop] */
GA_API ga_sparse *ga_sparse_rows(const ga_sparse *a, int64_t start,
                                 int64_t stop);
/* over an axis, or all */
GA_API ga_array *ga_sparse_sum(const ga_sparse *a, ga_axis axis);
/* GA_FRO, 1, INFINITY ... */
GA_API ga_array *ga_sparse_norm(const ga_sparse *a, double ord);
/* The product of two sparse matrices, csr; places whose terms cancel stay. Each
   pair of entries that meet is made, sorted by place and added up:
   ga_sparse_work says before how many bytes that takes at once (-1 on failure;
   synchronises). With a smaller `work` the product is cut into blocks of rows
   that take no more, but for a single row; 0: as it comes.                  */
GA_API ga_sparse *ga_sparse_product(const ga_sparse *a, const ga_sparse *b,
                                    int64_t work);
/* bytes that the product takes */
GA_API int64_t ga_sparse_work(const ga_sparse *a, const ga_sparse *b);

/* ================================================================= >>files
   Matrix Market (.mtx): coordinate and array; real, integer, complex, pattern
   (ones); general, symmetric, skew-symmetric and hermitian, of which both halves
   are made. Saved as coordinate general. SciPy's save_npz and load_npz (.npz):
   csr, csc, coo; compressed ones want zlib. Errors as in >>npy. Synchronise. */
GA_API ga_sparse *ga_sparse_load_mtx(const char *path);
/* Matrix Market */
GA_API ga_status ga_sparse_save_mtx(const char *path, const ga_sparse *a);
/* SciPy's */ GA_API ga_sparse *ga_sparse_load_npz(const char *path);
/* SciPy's */
GA_API ga_status ga_sparse_save_npz(const char *path, const ga_sparse *a);

/* =============================================================== >>solvers
   Krylov methods, with SciPy's stopping rules and numbers (scipy.sparse.linalg).
   a is a ga_sparse, a dense ga_array, or a ga_operator: a function that
   multiplies. b has rank 1; the result is new, of the dtype that both promote to.
   The scalars of an iteration stay on the device: the host looks every eighth
   time (minres: sixth) whether to stop, and the result is that of the very
   iteration in which SciPy would have stopped. On a GPU the iterations between
   two looks become a graph, unless a function of the caller's multiplies or is
   called back. Each synchronises.

       ga_solve_info info;
       ga_array *x = ga_cg(a, b, &(ga_solve_options){.rtol = 1e-8}, &info);   */
typedef struct ga_operator {
    int64_t shape[2];
    ga_dtype dtype;
    /* y = A x, or with GA_CONJ_TRANS A^H x (LSQR and LSMR alone ask for it); y
       and x have rank 1 and C order. It makes arrays as it likes.          */
    ga_status (*apply)(void *arg, ga_array *y, const ga_array *x,
                       unsigned flags);
    void *arg;
} ga_operator;
/* a for a solver */ GA_API ga_operator ga_sparse_operator(const ga_sparse *a);
/* a matrix for a solver */
GA_API ga_operator ga_dense_operator(const ga_array *a);
/* The diagonal matrix of d. Jacobi's preconditioner:
       ga_diagonal_operator(ga_reciprocal(ga_sparse_diagonal(a)))           */
GA_API ga_operator ga_diagonal_operator(const ga_array *d);
/* the main one */ GA_API ga_array *ga_sparse_diagonal(const ga_sparse *a);

/* Fields that are 0 stand for the default, a negative tolerance for 0.
   rtol    1e-5: ||b - A x|| <= max(rtol ||b||, atol); minres: see SciPy
   atol    0; of lsqr and lsmr 1e-6, as btol; conlim 1e8
   maxiter iterations: 10 n; minres 5 n; lsqr 2 n; lsmr min(m, n); of gmres
           cycles of `restart` (20) iterations: 10 n
   x0      where to start: zeros
   precond near to the inverse of A; positive definite for cg and minres; not
           of lsqr and lsmr
   shift   minres solves (A - shift I) x = b
   callback   after each iteration (gmres: cycle) with x so far, and the residual
           as last estimated; true stops. The solver then waits for the device
           each time.                                                       */
typedef struct ga_solve_options {
    double rtol, atol, btol, conlim, shift;
    int64_t maxiter;
    int restart;
    const ga_array *x0;
    const ga_operator *precond;
    bool (*callback)(void *arg, const ga_array *x, int64_t iteration,
                     double residual);
    void *arg;
} ga_solve_options;
/* reason: cg, bicgstab, gmres, minres: 0 the tolerance is met, > 0 it is not
   after so many iterations (gmres: cycles), < 0 breakdown (-10, -11 as SciPy's;
   -12 a preconditioner that is not positive definite); lsqr, lsmr: SciPy's
   istop, 0 to 7; -1 the callback stopped it. residual is the method's estimate
   of ||b - A x||, with damping of (b; 0) - (A; damp I) x. The rest is of minres,
   lsqr and lsmr.                                                           */
typedef struct ga_solve_info {
    int64_t reason, iterations;
    double residual, normal_residual, a_norm, a_condition, x_norm;
} ga_solve_info;
/* cg        A hermitian, positive definite
   minres    A hermitian, may be indefinite or singular
   bicgstab, gmres   any square A
   lsqr, lsmr   min ||A x - b||^2 + damp^2 ||x||^2 for any shape
   Not converging is no error: see info, which may be NULL. Errors: shapes that
   do not fit (GA_ERR_SHAPE), A not square (GA_ERR_SQUARE), options out of range
   (GA_ERR_VALUE). Memory: cg 5 vectors, minres 8, bicgstab 7, gmres restart + 5,
   lsqr 7, lsmr 6 and 3 for each damping; two more with a preconditioner.   */
#define GA_SOLVERS(X) X(cg) X(minres) X(bicgstab) X(gmres)
#define GA__X(n) \
    GA_API ga_array *(ga_##n)(ga_operator a, const ga_array *b, \
                              const ga_solve_options *o, ga_solve_info *info);
GA_SOLVERS(GA__X)
#undef GA__X
GA_API ga_array *(ga_lsqr)(ga_operator a, const ga_array *b, double damp,
                           const ga_solve_options *o, ga_solve_info *info);
GA_API ga_array *(ga_lsmr)(ga_operator a, const ga_array *b, double damp,
                           const ga_solve_options *o, ga_solve_info *info);
/* For each of n dampings: (n, columns of a), info[n]. One bidiagonalisation
   serves them all; each stops by itself. No x0, no callback.               */
GA_API ga_array *(ga_lsmr_many)(ga_operator a, const ga_array *b,
                                const double *damp, int n,
                                const ga_solve_options *o,
                                ga_solve_info *info);
/* inv(op(T)) b, T being the upper triangle of a or with GA_LOWER the lower one,
   whatever the other holds; GA_TRANS, GA_CONJ_TRANS, GA_UNIT_DIAGONAL as of
   ga_solve_triangular. b has rank 1 or 2. Row after row as what it needs is
   there: on a GPU as parallel as the pattern allows. Synchronises, to look at the
   diagonal: a place that is 0 or missing is GA_ERR_SINGULAR.                */
GA_API ga_array *ga_sparse_solve_triangular(const ga_sparse *a,
                                            const ga_array *b, unsigned flags);

/* inv(a) b for a square a, b of rank 1 or 2, in double whatever the dtypes. On
   the host: LU with partial pivoting (the diagonal where it has a tenth of its
   column's largest) in an order by nested dissection of a + a^T, on one thread.
   Temporary memory: the factors, for the Laplacian of a square of 400 x 400
   points 250 MB (4 s). On a GPU by NVIDIA's cuDSS, 0.8 to 1.x, if there is one
   where CUDA's libraries are looked for (libcudss.so.1, .so.0; of pip's
   nvidia-cudss-cu13): a's csr, b, x and the factors in the device's memory, and
   results need not repeat to the bit. What it does not solve to a residual of
   1e-12 |a| |x|, column by column, or only with pivots that it made up, or for
   want of memory, goes to the host and x back, as all does without cuDSS.
   Synchronises. Errors: GA_ERR_SQUARE, GA_ERR_SHAPE, GA_ERR_SINGULAR (with the
   column that has no pivot).

       ga_array *x = ga_spsolve(a, b);                                       */
GA_API ga_array *ga_spsolve(const ga_sparse *a, const ga_array *b);

/* Preconditioners by incomplete factors, which have a's places alone.
   ilu0   L U near a square a, csr: U, and L below it, whose ones are not stored
   ic0    L, csr, L L^H near a hermitian a of which the lower half is read
   Row after row as ga_sparse_solve_triangular. Synchronise. Errors:
   GA_ERR_SQUARE; GA_ERR_SINGULAR, the diagonal has a place that is missing, or
   a pivot is 0; GA_ERR_NOT_POSITIVE_DEFINITE (ic0), with the row.
   Their operators are inv(L U) and inv(L L^H); f has to outlive them:

       ga_sparse *f = ga_sparse_ilu0(a);
       ga_operator m = ga_ilu0_operator(f);
       x = ga_gmres(a, b, &(ga_solve_options){.precond = &m}, NULL);         */
GA_API ga_sparse *ga_sparse_ilu0(const ga_sparse *a);
/* a Hermitian: L L^H near a */
GA_API ga_sparse *ga_sparse_ic0(const ga_sparse *a);
/* inv(L U) as a preconditioner */
GA_API ga_operator ga_ilu0_operator(const ga_sparse *f);
/* inv(L L^H) as a preconditioner */
GA_API ga_operator ga_ic0_operator(const ga_sparse *f);

/* k eigenvalues of a hermitian A, w (k) ascending and v (n, k): the largest in
   magnitude, the largest, the smallest; k < n. Of any A the k largest singular
   values, descending: u (m, k), s (k), vh (k, n). NULL: not wanted. Lanczos with
   full orthogonalisation and thick restarts from a fixed vector; singular values
   through A^H A or A A^H, so those below sqrt(eps) of the largest are not told
   apart from 0. tol is of each eigenvalue, and eps of the largest is always
   enough; 0 for ncv is max(2 k + 1, 20), for maxiter 10 n restarts.
   GA_ERR_NOT_CONVERGED; eigenvalues that repeat are found once where the start
   has no more of their space. Synchronise once a restart.                   */
typedef enum ga_which {
    GA_LARGEST_MAGNITUDE, GA_LARGEST_ALGEBRAIC, GA_SMALLEST_ALGEBRAIC
} ga_which;
typedef struct ga_eigs_options { double tol; int64_t maxiter; int ncv; }
    ga_eigs_options;
GA_API ga_status (ga_eigsh)(ga_operator a, int k, ga_which which,
                            const ga_eigs_options *o, ga_array **w,
                            ga_array **v);
GA_API ga_status (ga_svds)(ga_operator a, int k, const ga_eigs_options *o,
                           ga_array **u, ga_array **s, ga_array **vh);
#ifdef __cplusplus
static inline ga_operator ga__operator(ga_operator a) { return a; }
static inline ga_operator ga__operator(const ga_sparse *a) {
    return ga_sparse_operator(a);
}
static inline ga_operator ga__operator(const ga_array *a) {
    return ga_dense_operator(a);
}
#define GA_OPERATOR(a) ga__operator(a)
#else
static inline GA__UNUSED ga_operator ga__operator(ga_operator a) { return a; }
#define GA_OPERATOR(a) _Generic((a), ga_operator: ga__operator,             \
    ga_sparse *: ga_sparse_operator, const ga_sparse *: ga_sparse_operator, \
    ga_array *: ga_dense_operator, const ga_array *: ga_dense_operator)(a)
#endif
/* Options may be a compound literal, with its commas. */
#define ga_cg(a, ...) /* a x = b, a Hermitian and positive definite */ \
    GA__AT((ga_cg)(GA_OPERATOR(a), __VA_ARGS__))
#define ga_minres(a, ...) /* a x = b, a Hermitian */ \
    GA__AT((ga_minres)(GA_OPERATOR(a), __VA_ARGS__))
#define ga_bicgstab(a, ...) /* a x = b, any square a */ \
    GA__AT((ga_bicgstab)(GA_OPERATOR(a), __VA_ARGS__))
#define ga_gmres(a, ...) /* a x = b, any square a */ GA__AT((ga_gmres)(GA_OPERATOR(a), __VA_ARGS__))
#define ga_lsqr(a, ...) /* the x of least |a x - b| */ \
    GA__AT((ga_lsqr)(GA_OPERATOR(a), __VA_ARGS__))
#define ga_lsmr(a, ...) /* the x of least |a x - b|, steadily */ \
    GA__AT((ga_lsmr)(GA_OPERATOR(a), __VA_ARGS__))
#define ga_lsmr_many(a, ...) /* lsmr for several dampings at once */ \
    GA__AT((ga_lsmr_many)(GA_OPERATOR(a), __VA_ARGS__))
#define ga_eigsh(a, ...) /* k eigenvalues of a Hermitian a */ \
    GA__AT((ga_eigsh)(GA_OPERATOR(a), __VA_ARGS__))
#define ga_svds(a, ...) /* k singular values of a */ GA__AT((ga_svds)(GA_OPERATOR(a), __VA_ARGS__))

/* =================================================================== >>abi
   Private to this file and gpuarr_sparse.cu.                               */
#define GA__LONG_ROWS 24            /* entries a row, from which on a warp  */
                                    /* takes one                            */
/* y = A x, A's arrays as of csr; rows, nnz and columns of x > 0; x and y in C
   order, of rank 1 or with cols_x columns; conj: of A's entries.           */
typedef struct ga__spmv {
    ga__scratch use;
    ga_dtype t;
    bool wide, narrow, conj;        /* int64 indices; idx of 16 bits        */
    int64_t rows, nnz, cols_x;
    int64_t longest;                /* row's entries at most; -1: not known */
    const void *ptr, *idx, *val, *x;
    void *y;
} ga__spmv;

/* The state of a solver: numbers of two doubles on the device, by these names;
   SciPy's where it has them. From MORE on: what GMRES keeps, or a block for
   each damping of LSQR and LSMR.                                           */
#define GA__STATE(X) X(STATUS) X(ITER) X(RESIDUAL) X(MAX) X(RTOL) X(ATOL)   \
    X(TOL) X(BB) X(KEEP) X(ONE) X(RR) X(RHO) X(RHO0) X(PQ) X(ALPHA) X(BETA) \
    X(ALPHA0) X(OMEGA) X(OLD) X(FACTOR) X(TS) X(TT) X(BETA1) X(QRNORM)      \
    X(PHIBAR) X(RHS1) X(RHS2) X(CS) X(SN) X(GMIN) X(GMAX) X(PHI) X(W) X(W1) \
    X(W2) X(OLDB) X(TNORM2) X(EPSLN) X(DBAR) X(ROOT) X(ARNORM) X(LAST) X(XX) \
    X(NORMX) X(NORMA) X(CONDA) X(INNER) X(COLUMNS) X(PTOL) X(NORMB) X(CONLIM) \
    X(BTOL) X(WW) X(U) X(UOLD) X(MORE)
#define GA__LS(X) X(STATUS) X(ITER) X(DAMP) X(NORMR) X(NORMAR) X(NORMA)     \
    X(CONDA) X(NORMX) X(XX) X(ZETABAR) X(ALPHABAR) X(RHO) X(RHOBAR) X(CBAR) \
    X(SBAR) X(RHODOLD) X(BETADD) X(BETAD) X(NORMA2) X(MINRBAR) X(MAXRBAR)   \
    X(PHIBAR) X(RHOBAR2) X(CS2) X(SN2) X(ZETA) X(THETATILDE) X(TAUTILDE)    \
    X(D) X(DDNORM) X(XXNORM) X(OLDALFA) X(STEP) X(H) X(HBAR) X(V) X(SLOTS)
#define GA__KR_STEPS(X) X(NONE) X(BEGIN) X(CG_DIRECTION) X(CG) X(BI_DIRECTION) \
    X(BI_ALPHA) X(BI_OMEGA) X(MINRES_BEGIN) X(MINRES_ALFA) X(MINRES_TURN)   \
    X(MINRES_TEST) X(GMRES_BEGIN) X(GMRES_FIRST) X(GMRES_SECOND)            \
    X(GMRES_TURN) X(GMRES_SOLVE) X(LS_U) X(LS_BEGIN) X(LSMR_TURN)           \
    X(LSMR_TEST) X(LSQR_TURN) X(LANCZOS)
#define GA__X(n) GA__AT_##n,
enum { GA__STATE(GA__X) };
#undef GA__X
#define GA__X(n) GA__LS_##n,
enum { GA__LS(GA__X) };
#undef GA__X
#define GA__X(n) GA__STEP_##n,
enum { GA__KR_STEPS(GA__X) };
#undef GA__X
enum { GA__RUNNING, GA__DONE, GA__MAXITER, GA__BREAKDOWN, GA__RHO_BREAK,
       GA__INDEFINITE };            /* STATUS                               */

/* Lines vec[out] := the sum of factor state[slot] vec[k], one after the other
   for each element; slot < 0: factor alone. A factor of 0 reads nothing. All
   of them for `rows` rows, whose slots lie slot_step apart.                */
#define GA__BLEND_VECS 8
typedef struct ga__blend_term { int vec, slot; double factor; } ga__blend_term;
typedef struct ga__blend {
    ga_dtype t;
    int64_t n, rows;                /* > 0                                  */
    int nvecs, nlines, slot_step;
    const double *state;
    struct { void *p; int64_t step; } vec[GA__BLEND_VECS];
    struct { int out, nterms; ga__blend_term term[4]; } line[3];
} ga__blend;
/* w -= (plus: +=) the sum of state[slot + r] v[r], `rows` vectors of n. */
typedef struct ga__project {
    ga_dtype t;
    bool plus;
    int64_t n, rows;
    int slot;
    const double *state;
    const void *v;
    void *w;
} ga__project;
/* The lines of `blend`, if it has any; for each of the dots and rows the sum of
   conj(a) b to state[slot + row slot_step]; then `step`, `count` times. column
   and width are GMRES's.                                                   */
typedef struct ga__dots {
    ga__scratch use;
    ga_dtype t;
    int64_t n, rows;
    int ndots, slot_step, step, count, column, width;
    int64_t slots;                  /* of the state                         */
    double *state;
    struct { const void *a, *b; int64_t a_step, b_step; int slot; } dot[3];
    ga__blend blend;                /* of n and rows too                    */
} ga__dots;
/* Numbers of two doubles that dots of so many rows take as scratch at most. */
#define GA__DOTS_PARTS(mps, rows) (4 * (8 * (int64_t)(mps) + (rows)))

/* x := inv(T) x in place, T a triangle of csr arrays; x has cols columns. */
typedef struct ga__trisolve {
    ga__scratch use;
    ga_dtype t;
    bool wide, conj, lower, unit;
    int64_t n, cols;
    const void *ptr, *idx, *val;
    void *x;
} ga__trisolve;
/* csr entries become those of L and U, or (ic) of a lower triangle L's; every
   row has its diagonal. bad: at least the first row whose pivot is not sound. */
typedef struct ga__incomplete {
    ga__scratch use;
    ga_dtype t;
    bool wide, ic;
    int64_t n;
    const void *ptr, *idx;
    void *val;
    int64_t *bad;
} ga__incomplete;
/* On the CPU alone: x := inv(A) x for csc arrays, float64 or complex128; x has
   cols columns. bad: -1, GA__LU_MEMORY or the column without a pivot. Memory is
   of grow, a realloc, and stays in `block`.                                */
#define GA__LU_MEMORY (-2)
typedef struct ga__splu {
    ga_dtype t;
    int64_t n, cols;
    const int64_t *ptr, *idx;
    const void *val;
    void *x;
    int64_t *bad;
    void *(*grow)(void *p, size_t bytes);
    void **block;                   /* GA__SPLU_BLOCKS, NULL at first       */
} ga__splu;
#define GA__SPLU_BLOCKS 16
/* On the CPU alone; a GPU sorts instead. Entries with a line each, `key`, and
   another index in the order of their lines, equal ones as they were: ptr gets
   where each of the lines begins, to and val_to the rest. from NULL: the other
   index of an entry is the row in which from_ptr, of from_lines + 1, has it. */
typedef struct ga__turn {
    ga__scratch use;
    bool wide;
    int width;                      /* of an entry, bytes                   */
    int64_t lines, n, from_lines;
    const void *key, *from, *from_ptr, *val;
    void *ptr, *to, *val_to;
} ga__turn;
/* On the CPU alone: row[k] := the row of entry k. */
typedef struct ga__expand {
    bool wide;
    int64_t rows, n;
    const void *ptr;
    int64_t *row;
} ga__expand;

/*    job, its struct, devices, scratch, bytes moved                        */
#define GA__ON_BOTH(...) __VA_ARGS__
#define GA__ON_CPU(...)
#define GA__SPARSE_JOBS(X)                                                  \
    X(turn, ga__turn, CPU, WORK, NAN)                                       \
    X(expand, ga__expand, CPU, NONE, NAN)                                   \
    X(splu, ga__splu, CPU, NONE, NAN)                                       \
    X(incomplete, ga__incomplete, BOTH, WORK, NAN)                          \
    X(trisolve, ga__trisolve, BOTH, WORK, NAN)                              \
    X(blend, ga__blend, BOTH, NONE, (double)(q->nvecs + q->nlines) * (double)q->n \
      * (double)q->rows * (double)ga_dtype_size(q->t))                      \
    X(project, ga__project, BOTH, NONE, (double)(q->rows + 2) * (double)q->n      \
      * (double)ga_dtype_size(q->t))                                        \
    X(dots, ga__dots, BOTH, WORK, (double)(2 * q->ndots + q->blend.nvecs          \
      + q->blend.nlines) * (double)q->n                                     \
      * (double)q->rows * (double)ga_dtype_size(q->t))                      \
    X(spmv, ga__spmv, BOTH, WORK, (double)q->nnz * (double)(ga_dtype_size(q->t)   \
      + (q->wide ? 8 : q->narrow ? 2 : 4)) + (double)q->rows * (double)(q->wide ? 8 : 4)    \
      + (double)(2 * q->rows * q->cols_x) * (double)ga_dtype_size(q->t))
#define GA__X(n, T, on, scratch, bytes)                                     \
    GA__EXTERN void gs_cpu_##n(const T *q);                                 \
    GA__ON_##on(GA__CUDA_(GA__EXTERN int gs_cuda_##n(                       \
        const T *q, void *stream, int mps);))                               \
    GA__WORK_##scratch(GA__EXTERN size_t gs_##n##_work(const T *q, int mps);)
GA__SPARSE_JOBS(GA__X)
#undef GA__X

/* ======================================================== >>implementation */
#ifdef GPUARR_IMPLEMENTATION
#include <float.h>
GA__SOME_CALLS
/* Each job as the runner of gpuarr.h takes it: ga__run_spmv(fn, d, q, ...). */
#define GA__OWN_WORK(n) ga__own_##n##_work
#define GA__OWN_NONE(n) NULL
#define GA__X(n, T, on, scratch, of)                                        \
    GA__WORK_##scratch(                                                     \
    static size_t ga__own_##n##_work(const void *q, int mps) {              \
        return gs_##n##_work((const T *)q, mps);                            \
    })                                                                      \
    static void ga__own_##n##_cpu(const void *q) {                          \
        gs_cpu_##n((const T *)q);                                           \
    }                                                                       \
    GA__ON_##on(GA__CUDA_(                                                  \
    static int ga__own_##n##_cuda(const void *q, void *stream, int mps) {   \
        return gs_cuda_##n((const T *)q, stream, mps);                      \
    }))                                                                     \
    static ga_status ga__run_##n(const char *fn, ga__device *d, T *q,       \
                                 ga_array *const *out, int nout,            \
                                 const ga_array *const *in, int nin) {      \
        ga__own_job job = {GA__OWN_##scratch(n), ga__own_##n##_cpu, NULL,   \
                           q, of};                                          \
        GA__ON_##on(GA__CUDA_(job.cuda = ga__own_##n##_cuda;))              \
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
    ga_array *narrow;               /* uint16 indices, once made: GPUs      */
    int64_t longest;                /* line's entries; -1: not known        */
} ga__sparse_own;
static void *ga__sparse_grow(void *p, size_t bytes) {
    return GA_REALLOC(p, bytes);
}
static void ga__sparse_delete(void *p, void *arg) {
    ga_sparse *a = (ga_sparse *)arg;
    (void)p;
    ga_free(a->ga__own->data);
    ga_free(a->ga__own->indices);
    ga_free(a->ga__own->indptr);
    ga_free(a->ga__own->narrow);
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
    own->narrow = NULL;
    own->longest = -1;
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
static ga__device *ga__sparse_here(const char *fn, const ga_sparse *a) {
    return ga__sparse_ok(fn, a) ? ga__begin(fn, &a->data, 1, NULL,
                                            (ga_array *[]){NULL}) : NULL;
}
static ga_sparse *ga__sparse_sum_keys(const char *fn, const ga_array *key,
                                      const ga_array *data, int64_t m,
                                      int64_t n);
/* a, or of coo the csr that it keeps. */
static const ga_sparse *ga__sparse_pressed(const char *fn, const ga_sparse *a) {
    if (a->format != GA_COO) return a;
    GA_SCOPE;
    pthread_mutex_lock(&a->ga__own->lock);
    ga_sparse *t = a->ga__own->turned;
    if (!t) {
        ga_array *key = ga_add(ga_mul(ga_astype(a->indptr, GA_INT64),
                                      a->shape[1]),
                               ga_astype(a->indices, GA_INT64));
        t = key ? ga__sparse_sum_keys(fn, key, a->data, a->shape[0],
                                      a->shape[1]) : NULL;
        if (t) a->ga__own->turned = ga_sparse_detach(t);
    }
    pthread_mutex_unlock(&a->ga__own->lock);
    return t;
}
static ga__device *ga__sparse_begin(const char *fn, const ga_sparse **a) {
    ga__device *d = ga__sparse_here(fn, *a);
    return d && (*a = ga__sparse_pressed(fn, *a)) != NULL ? d : NULL;
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
/* The row of each entry: of csr; int64. */
static ga_array *ga__sparse_rows_of(const ga_array *ptr, int64_t nnz) {
    GA_SCOPE;
    static const char fn[] = "ga_sparse";
    if (ga__ok(fn, ptr) && ptr->device == GA_CPU && ga_is_contiguous(ptr)
        && ptr->dtype <= GA_INT64 && ga__size(ptr->dtype) > 2) {
        ga_array *r = ga_empty(GA_SHAPE(nnz), GA_INT64);
        if (!r) return NULL;
        ga__expand q = {ptr->dtype == GA_INT64, ptr->size - 1, nnz, ptr->data,
                        (int64_t *)r->data};
        return ga__run_expand(fn, r->ga__buf->dev, &q, &r, 1, &ptr, 1)
               ? NULL : ga_keep(r);
    }
    ga_array *r = ga_sub(ga_searchsorted(ptr, ga_arange_as(0, nnz, 1, ptr->dtype),
                                         GA_NONE, GA_RIGHT), 1);
    return r ? ga_keep(r) : NULL;
}
/* The job: entries by key, of `lines`. from: their other index, or where the
   lines begin that they are in (indptr). Results of key's dtype.           */
static ga_status ga__sparse_by(const char *fn, int64_t lines,
                               const ga_array *key, const ga_array *from,
                               bool indptr, const ga_array *val, ga_array **ptr,
                               ga_array **to, ga_array **val_to) {
    *ptr = ga_empty(GA_SHAPE(lines + 1), key->dtype);
    *to = ga_empty(GA_SHAPE(key->size), key->dtype);
    *val_to = ga_empty(GA_SHAPE(key->size), val->dtype);
    if (!*ptr || !*to || !*val_to) return ga__failed();
    ga__turn q = {{NULL, NULL}, key->dtype == GA_INT64,
                  (int)ga__size(val->dtype), lines, key->size,
                  indptr ? from->size - 1 : 0, key->data,
                  indptr ? NULL : from->data, indptr ? from->data : NULL,
                  val->data, (*ptr)->data, (*to)->data, (*val_to)->data};
    ga_array *out[] = {*ptr, *to, *val_to};
    const ga_array *in[] = {key, from, val};
    return ga__run_turn(fn, (*ptr)->ga__buf->dev, &q, out, 3, in, 3);
}
/* csr of keys on the CPU, by column, then by row; NULL: some are equal, or it
   failed.                                                                  */
static ga_sparse *ga__sparse_count_keys(const char *fn, const ga_array *key,
                                        const ga_array *data, int64_t m,
                                        int64_t n) {
    GA_SCOPE;
    ga_dtype t = ga__sparse_index(m, n, data->size);
    const int64_t wide = n ? n : 1;
    ga_array *row = ga_astype(ga_floor_divide(key, wide), t);
    ga_array *col = ga_astype(ga_remainder(key, wide), t);
    ga_array *ptr, *idx, *v, *ptr2, *idx2, *v2;
    if (!row || !col
        || ga__sparse_by(fn, n, col, row, false, data, &ptr, &idx, &v)
        || ga__sparse_by(fn, m, idx, ptr, true, v, &ptr2, &idx2, &v2))
        return NULL;
    if (v2->size > 1) {
        ga_array *at = ga__sparse_rows_of(ptr2, v2->size);
        ga_array *same = ga_any(ga_logical_and(
            ga_equal(ga_slice_axis(at, 0, 1, GA_END, 1),
                     ga_slice_axis(at, 0, 0, -1, 1)),
            ga_equal(ga_slice_axis(idx2, 0, 1, GA_END, 1),
                     ga_slice_axis(idx2, 0, 0, -1, 1))), GA_ALL);
        if (!same || ga_item_i64(same)) return NULL;
    }
    ga_sparse *a = ga__sparse_new(fn, GA_CSR, m, n, v2, idx2, ptr2);
    return a ? ga_sparse_keep(a) : NULL;
}
/* The same of keys in any order; the entries of equal ones add up. */
static ga_sparse *ga__sparse_sum_keys(const char *fn, const ga_array *key,
                                      const ga_array *data, int64_t m,
                                      int64_t n) {
    GA_SCOPE;
    ga_array *inverse;
    if (data->device == GA_CPU && ga_is_contiguous(data)
        && m + n <= 2 * data->size) {
        ga_sparse *a = ga__sparse_count_keys(fn, key, data, m, n);
        if (a || ga_error()) return a ? ga_sparse_keep(a) : NULL;
    }
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
static ga_sparse *ga__sparse_triplets(const char *fn, const ga_array *data,
                                      const ga_array *row, const ga_array *col,
                                      int64_t m, int64_t n, bool press) {
    GA_SCOPE;
    if (!ga__ok(fn, data) || !ga__sparse_shape(fn, m, n)
        || !ga__sparse_indices(fn, "row", row, data->size)
        || !ga__sparse_indices(fn, "col", col, data->size)
        || !ga__sparse_within(fn, "row", row, m)
        || !ga__sparse_within(fn, "col", col, n))
        return NULL;
    ga_array *v = ga__sparse_data(fn, data, data->size);
    const ga_dtype t = ga__sparse_index(m, n, data->size);
    ga_array *key = NULL;
    if (v && press) key = ga_add(ga_mul(ga_astype(row, GA_INT64), n),
                                 ga_astype(col, GA_INT64));
    ga_sparse *a = press ? key ? ga__sparse_sum_keys(fn, key, v, m, n) : NULL
        : ga__sparse_new(fn, GA_COO, m, n, v, v ? ga_astype(col, t) : NULL,
                         v ? ga_astype(row, t) : NULL);
    return a ? ga_sparse_keep(a) : NULL;
}
GA_API ga_sparse *ga_sparse_coo(const ga_array *data, const ga_array *row,
                                const ga_array *col, int64_t m, int64_t n) {
    return ga__sparse_triplets("ga_sparse_coo", data, row, col, m, n, true);
}
GA_API ga_sparse *ga_sparse_triplets(const ga_array *data, const ga_array *row,
                                     const ga_array *col, int64_t m, int64_t n) {
    return ga__sparse_triplets("ga_sparse_triplets", data, row, col, m, n, false);
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
    const bool coo = a->format == GA_COO;
    return ga__sparse_new(fn, coo ? GA_COO : a->format == GA_CSR ? GA_CSC : GA_CSR,
                          a->shape[1], a->shape[0], a->data,
                          coo ? a->indptr : a->indices,
                          coo ? a->indices : a->indptr);
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
        const int64_t k = offset[i];
        if (k < -m || k > n)
            return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "offset %" PRId64
                " lies outside of shape (%" PRId64 ",%" PRId64 ")", k, m, n);
        const int64_t r0 = k < 0 ? -k : 0, c0 = k < 0 ? 0 : k;
        const int64_t below = m - r0, right = n - c0;
        const int64_t len = below < right ? below : right;
        const ga_array *x = diagonal[i];
        for (int j = 0; j < i; j++)
            if (offset[j] == k)
                return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "two diagonals "
                                             "at offset %" PRId64, k);
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
    if (a->device == GA_CPU) {
        ga_array *p, *i, *x;
        if (ga__sparse_by(fn, lines, a->indices, a->indptr, true, a->data, &p,
                          &i, &x)) return NULL;
        ga_sparse *b = ga__sparse_new(fn, csr ? GA_CSC : GA_CSR, a->shape[0],
                                      a->shape[1], x, i, p);
        return b ? ga_sparse_keep(b) : NULL;
    }
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
    if (!ga__sparse_here(fn, a)) return NULL;
    if ((unsigned)f > GA_COO)
        return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "%d is no format",
                                     (int)f);
    if (f == GA_COO && a->format != f) {
        GA_SCOPE;
        ga_array *row, *col;
        const ga_dtype t = a->indices->dtype;
        if (ga_sparse_tocoo(a, &row, &col, NULL)) return NULL;
        ga_sparse *b = ga__sparse_new(fn, f, a->shape[0], a->shape[1], a->data,
                                      ga_astype(col, t), ga_astype(row, t));
        return b ? ga_sparse_keep(b) : NULL;
    }
    if (f != GA_COO && !(a = ga__sparse_pressed(fn, a))) return NULL;
    return a->format == f ? ga__sparse_same(fn, a) : ga__sparse_turn(fn, a);
}
GA_API ga_sparse *ga_sparse_with(const ga_sparse *a, const ga_array *data) {
    static const char fn[] = "ga_sparse_with";
    GA_SCOPE;
    if (!ga__sparse_here(fn, a)) return NULL;
    ga_array *v = ga__sparse_data(fn, data, a->nnz);
    ga_sparse *b = v ? ga__sparse_new(fn, a->format, a->shape[0], a->shape[1],
                                      v, a->indices, a->indptr) : NULL;
    return b ? ga_sparse_keep(b) : NULL;
}
GA_API ga_sparse *ga_sparse_astype(const ga_sparse *a, ga_dtype t) {
    static const char fn[] = "ga_sparse_astype";
    GA_SCOPE;
    if (!ga__sparse_here(fn, a) || !ga__dtype_ok(fn, t)) return NULL;
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
    if (!ga__sparse_here(fn, a)) return ga__failed();
    ga_array **line = a->format != GA_CSC ? row : col;
    ga_array **place = a->format != GA_CSC ? col : row;
    ga_array *l = NULL, *p = NULL, *v = NULL;
    if ((line && !(l = a->format == GA_COO ? (ga_astype)(a->indptr, GA_INT64)
                       : ga__sparse_rows_of(a->indptr, a->nnz)))
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
    if (!ga__sparse_begin("ga_sparse_toarray", &a)
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
/* Frees a matrix made on the way: what was made in a graph's function has to go
   with it, while the handle of a matrix stays until the graph goes.        */
static void ga__sparse_drop(ga_sparse *a) {
    if (!a) return;
    ga__sparse_own *own = a->ga__own;
    ga_free(own->data);
    ga_free(own->indices);
    ga_free(own->indptr);
    own->data = own->indices = own->indptr = NULL;
    ga_sparse_free(a);
}
static bool ga__sparse_flags(const char *fn, unsigned flags) {
    if (!ga__flags_ok(fn, flags, GA_TRANS | GA_CONJ_TRANS)) return false;
    if (flags != (GA_TRANS | GA_CONJ_TRANS)) return true;
    ga__fail(GA_ERR_VALUE, fn, "GA_TRANS and GA_CONJ_TRANS exclude each other");
    return false;
}
/* What makes products of a GPU's matrix faster: indices of 16 bits, and that no
   line is so long that several blocks would share it.                      */
static ga_status ga__sparse_quicken(const ga_sparse *a) {
    GA_SCOPE;
    ga__sparse_own *own = a->ga__own;
    if (a->device == GA_CPU || !a->nnz || own->longest >= 0) return GA_OK;
    const int csr = a->format == GA_CSR;
    if (a->shape[csr] <= 65536 && a->indices->dtype == GA_INT32
        && a->nnz >= GA__LONG_ROWS * a->shape[!csr]) {
        ga_array *narrow = ga_astype(a->indices, GA_UINT16);
        if (!narrow) return ga__failed();
        own->narrow = ga_detach(narrow);
    }
    ga_array *most = ga_max(ga_diff(a->indptr, 1, 0, GA_NONE, GA_NONE), GA_ALL);
    const int64_t longest = most ? ga_item_i64(most) : 0;
    if (ga_error()) return ga__failed();
    own->longest = longest;
    return GA_OK;
}
GA_API ga_status ga_sparse_prepare(const ga_sparse *a, unsigned flags) {
    static const char fn[] = "ga_sparse_prepare";
    ga_sparse *own;
    if (!ga__sparse_begin(fn, &a) || !ga__sparse_flags(fn, flags))
        return ga__failed();
    const ga_sparse *b = ga__sparse_along(fn, a, flags ? GA_CSC : GA_CSR, &own);
    if (!b) return ga__failed();
    pthread_mutex_lock(&b->ga__own->lock);
    ga_status st = ga__me.capture ? GA_OK : ga__sparse_quicken(b);
    pthread_mutex_unlock(&b->ga__own->lock);
    ga__sparse_drop(own);
    return st;
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
    pthread_mutex_lock(&b->ga__own->lock);
    const ga_array *narrow = x->ndim == 1 ? b->ga__own->narrow : NULL;
    const int64_t longest = b->ga__own->longest;
    pthread_mutex_unlock(&b->ga__own->lock);
    const ga_array *in[] = {b->indptr, narrow ? narrow : b->indices, b->data, x};
    ga__spmv q = {{NULL, NULL}, a->dtype, b->indices->dtype == GA_INT64,
                  narrow != NULL,
                  (flags & GA_CONJ_TRANS) && ga__kind(a->dtype) == 'c', rows,
                  b->nnz, y->size / rows, longest, b->indptr->data, in[1]->data,
                  b->data->data, x->data, y->data};
    ga_status st = ga__run_spmv(fn, d, &q, &y, 1, in, 4);
    ga__sparse_drop(own);
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
    if (!d || !(a = ga__sparse_pressed(fn, a))) return ga__failed();
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
        || !ga__result_begin(&r, fn, d, out, made, x->ndim, shape, t, in, 2, 0)) {
        ga__sparse_drop(b);
        return ga__failed();
    }
    ga_status st = ga__result_end(&r, ga__sparse_multiply(fn, d, r.to, b ? b : a,
                                                          y, flags));
    ga__sparse_drop(b);
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

/* ========================================================== >>s-arithmetic */
static bool ga__sparse_pair(const char *fn, const ga_sparse **first,
                            const ga_sparse **second, bool same) {
    if (!ga__sparse_begin(fn, first) || !ga__sparse_begin(fn, second))
        return false;
    const ga_sparse *a = *first, *b = *second;
    if (same ? a->shape[0] == b->shape[0] && a->shape[1] == b->shape[1]
             : a->shape[1] == b->shape[0]) return true;
    ga__fail(GA_ERR_SHAPE, fn, "shapes (%" PRId64 ",%" PRId64 ") and (%" PRId64
             ",%" PRId64 ") do not fit", a->shape[0], a->shape[1], b->shape[0],
             b->shape[1]);
    return false;
}
/* The place of each entry in a's order, ascending. */
static ga_array *ga__sparse_keys(const ga_sparse *a) {
    GA_SCOPE;
    ga_array *k = ga_add(ga_mul(ga__sparse_rows_of(a->indptr, a->nnz),
                                a->shape[a->format == GA_CSR]),
                         ga_astype(a->indices, GA_INT64));
    return k ? ga_keep(k) : NULL;
}
/* m, of a's lines by their length as csr, as a matrix of a's format. */
static ga_sparse *ga__sparse_formed(const char *fn, const ga_sparse *a,
                                    ga_sparse *m) {
    if (!m) return NULL;
    if (a->format == GA_CSC) m = ga__sparse_flip(fn, m);
    return m ? ga_sparse_keep(m) : NULL;
}
static ga_sparse *ga__sparse_sum(const char *fn, const ga_sparse *a,
                                 const ga_sparse *b, bool minus) {
    GA_SCOPE;
    if (!ga__sparse_pair(fn, &a, &b, true)) return NULL;
    const ga_sparse *c = b->format == a->format ? b : ga__sparse_turn(fn, b);
    if (!c) return NULL;
    const int csr = a->format == GA_CSR;
    ga_array *key = ga_append(ga__sparse_keys(a), ga__sparse_keys(c), GA_ALL);
    ga_array *v = minus ? ga_negative(c->data) : ga_view(c->data);
    v = ga_append(a->data, v, GA_ALL);
    return ga__sparse_formed(fn, a, key && v ? ga__sparse_sum_keys(
        fn, key, v, a->shape[!csr], a->shape[csr]) : NULL);
}
GA_API ga_sparse *ga_sparse_add(const ga_sparse *a, const ga_sparse *b) {
    return ga__sparse_sum("ga_sparse_add", a, b, false);
}
GA_API ga_sparse *ga_sparse_sub(const ga_sparse *a, const ga_sparse *b) {
    return ga__sparse_sum("ga_sparse_sub", a, b, true);
}
GA_API ga_sparse *ga_sparse_multiply(const ga_sparse *a, const ga_sparse *b) {
    static const char fn[] = "ga_sparse_multiply";
    GA_SCOPE;
    if (!ga__sparse_pair(fn, &a, &b, true)) return NULL;
    const ga_sparse *c = b->format == a->format ? b : ga__sparse_turn(fn, b);
    if (!c) return NULL;
    const int csr = a->format == GA_CSR;
    ga_array *ka = ga__sparse_keys(a), *kb = ga__sparse_keys(c);
    ga_array *in = ga_isin(ka, kb, 0);
    ga_array *v = ga_mul(ga_mask(a->data, in),
                         ga_mask(c->data, ga_isin(kb, ka, 0)));
    ga_array *key = ga_mask(ka, in);
    return ga__sparse_formed(fn, a, key && v ? ga__sparse_of_keys(
        fn, key, v, a->shape[!csr], a->shape[csr]) : NULL);
}
GA_API ga_sparse *ga_sparse_scale(const ga_sparse *a, const ga_array *x) {
    static const char fn[] = "ga_sparse_scale";
    GA_SCOPE;
    ga_array *row, *col;
    if (!ga__sparse_begin(fn, &a) || !ga__ok(fn, x)) return NULL;
    ga_array *all = ga_broadcast_to(x, GA_SHAPE(a->shape[0], a->shape[1]));
    if (!all || ga_sparse_tocoo(a, &row, &col, NULL)) return NULL;
    ga_array *v = ga_mul(a->data, ga_index(all, GA_AT(row, col)));
    ga_sparse *b = v ? ga_sparse_with(a, v) : NULL;
    return b ? ga_sparse_keep(b) : NULL;
}
/* Of lines: rows of csr, or columns of csc. */
static ga_sparse *ga__sparse_stack(const char *fn, int count,
                                   const ga_sparse *const *a,
                                   ga_sparse_format f) {
    GA_SCOPE;
    const int across = f == GA_CSR;     /* the axis whose lengths agree     */
    int64_t lines = 0, nnz = 0;
    if (count < 1 || !a)
        return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "%d matrices", count);
    const ga_array **part = (const ga_array **)GA_MALLOC(
        3 * (size_t)count * sizeof *part);
    if (!part) return (ga_sparse *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    const ga_array **v = part, **idx = part + count, **ptr = idx + count;
    bool ok = true;
    for (int i = 0; i < count && ok; i++) {
        ok = ga__sparse_here(fn, a[i]) != NULL;
        if (ok && a[i]->shape[across] != a[0]->shape[across]) {
            ga__fail(GA_ERR_SHAPE, fn, "matrix %d has %" PRId64 " %s, the first "
                     "one %" PRId64, i, a[i]->shape[across],
                     across ? "columns" : "rows", a[0]->shape[across]);
            ok = false;
        }
        const ga_sparse *b = ok ? ga_sparse_to(a[i], f) : NULL;
        ok = b != NULL;
        if (!ok) break;
        v[i] = b->data;
        idx[i] = b->indices;
        ptr[i] = ga_add(ga_astype(ga_slice_axis(b->indptr, 0, i != 0, GA_END, 1),
                                  GA_INT64), nnz);
        lines += b->shape[!across];
        nnz += b->nnz;
    }
    ga_sparse *r = NULL;
    if (ok) {
        ga_dtype t = ga__sparse_index(lines, a[0]->shape[across], nnz);
        ga_array *data = (ga_concatenate)(0, count, v);
        ga_array *i = ga_astype((ga_concatenate)(0, count, idx), t);
        ga_array *p = ga_astype((ga_concatenate)(0, count, ptr), t);
        const int64_t wide = a[0]->shape[across];
        r = ga__sparse_new(fn, f, across ? lines : wide, across ? wide : lines,
                           data, i, p);
    }
    GA_FREE(part);
    return r ? ga_sparse_keep(r) : NULL;
}
GA_API ga_sparse *ga_sparse_vstack(int count, const ga_sparse *const *a) {
    return ga__sparse_stack("ga_sparse_vstack", count, a, GA_CSR);
}
GA_API ga_sparse *ga_sparse_hstack(int count, const ga_sparse *const *a) {
    return ga__sparse_stack("ga_sparse_hstack", count, a, GA_CSC);
}
GA_API ga_sparse *ga_sparse_rows(const ga_sparse *a, int64_t start,
                                 int64_t stop) {
    static const char fn[] = "ga_sparse_rows";
    GA_SCOPE;
    if (!ga__sparse_begin(fn, &a)) return NULL;
    ga_sparse *b = ga_sparse_to(a, GA_CSR);
    if (!b) return NULL;
    const int64_t m = a->shape[0];
    if (stop > m) stop = m;
    if (stop < 0) stop = stop + m > 0 ? stop + m : 0;
    if (start < 0) start = start + m > 0 ? start + m : 0;
    if (start > stop) start = stop;
    ga_array *p = ga_slice_axis(b->indptr, 0, start, stop + 1, 1);
    int64_t first = ga_item_i64(ga_index_axis(p, 0, 0));
    int64_t end = ga_item_i64(ga_index_axis(p, 0, -1));
    if (ga_error()) return NULL;
    ga_array *ptr = ga_astype(ga_sub(p, first), p->dtype);
    ga_sparse *r = ga__sparse_new(fn, GA_CSR, stop - start, a->shape[1],
                                  ga_slice_axis(b->data, 0, first, end, 1),
                                  ga_slice_axis(b->indices, 0, first, end, 1),
                                  ptr);
    return r ? ga_sparse_keep(r) : NULL;
}
GA_API ga_array *ga_sparse_sum(const ga_sparse *a, ga_axis axis) {
    static const char fn[] = "ga_sparse_sum";
    GA_SCOPE;
    if (!ga__sparse_begin(fn, &a)) return NULL;
    int k = ga__one_axis(fn, axis, 2);
    if (k < -1) return NULL;
    if (axis.keepdims)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, fn, "keepdims: the result has "
                                    "rank 1 or 0");
    ga_array *one = k < 0 ? NULL : ga_ones(GA_SHAPE(a->shape[k]), a->dtype);
    ga_array *r = k < 0 ? ga_sum(a->data, GA_ALL)
                  : one ? ga_sparse_matmul(a, one, k ? 0 : GA_TRANS) : NULL;
    return r ? ga_keep(r) : NULL;
}
GA_API ga_array *ga_sparse_norm(const ga_sparse *a, double ord) {
    static const char fn[] = "ga_sparse_norm";
    GA_SCOPE;
    if (!ga__sparse_begin(fn, &a)) return NULL;
    ga_array *r = NULL;
    if (ord == GA_FRO || ord == GA_NORM) {
        r = ga_norm(a->data, GA_NORM, GA_ALL);
    } else if (fabs(ord) == 1 || isinf(ord)) {
        ga_sparse *size = ga_sparse_with(a, ga_abs(a->data));
        ga_array *sums = size ? ga_sparse_sum(size, GA_AXIS(isinf(ord) ? 1 : 0))
                              : NULL;
        r = ord > 0 ? ga_max(sums, GA_ALL) : ga_min(sums, GA_ALL);
    } else {
        ga__fail(GA_ERR_VALUE, fn, "order %g; GA_FRO, 1, -1, INFINITY and "
                 "-INFINITY are possible", ord);
    }
    return r ? ga_keep(r) : NULL;
}

/* The product. What a pair of entries takes at once, sorting too: 144 bytes
   measured on the CPU device.                                              */
static int64_t ga__pair_bytes(const ga_sparse *a, const ga_sparse *b) {
    return 192 + 4 * (int64_t)ga__size(ga_promote_types(a->dtype, b->dtype));
}
/* For each entry of a, in csr's order, how many entries b's row has. */
static ga_array *ga__sparse_meets(const ga_sparse *a, const ga_sparse *b) {
    GA_SCOPE;
    ga_array *len = ga_diff(ga_astype(b->indptr, GA_INT64), 1, 0, GA_NONE,
                            GA_NONE);
    ga_array *n = ga_take(len, a->indices, GA_AXIS(0), 0);
    return n ? ga_keep(n) : NULL;
}
GA_API int64_t ga_sparse_work(const ga_sparse *a, const ga_sparse *b) {
    static const char fn[] = "ga_sparse_work";
    GA_SCOPE;
    if (!ga__sparse_pair(fn, &a, &b, false)) return -1;
    ga_sparse *x = ga_sparse_to(a, GA_CSR), *y = ga_sparse_to(b, GA_CSR);
    ga_array *all = x && y ? ga_sum(ga__sparse_meets(x, y), GA_ALL) : NULL;
    int64_t n = all ? ga_item_i64(all) : -1;
    return ga_error() ? -1 : n * ga__pair_bytes(a, b);
}
/* Rows first .. end-1 of a b. */
static ga_sparse *ga__sparse_block(const char *fn, const ga_sparse *a,
                                   const ga_sparse *b, int64_t first,
                                   int64_t end) {
    GA_SCOPE;
    ga_sparse *x = ga_sparse_rows(a, first, end);
    if (!x) return NULL;
    ga_array *n = ga__sparse_meets(x, b);
    ga_array *which = ga_repeat_counts(ga_arange_as(0, x->nnz, 1, GA_INT64), n,
                                       GA_AXIS(0));
    if (!which) return NULL;
    ga_array *before = ga_sub(ga_cumsum(n, GA_AXIS(0), 0), n);
    ga_array *place = ga_sub(ga_arange_as(0, which->size, 1, GA_INT64),
                             ga_take(before, which, GA_AXIS(0), 0));
    ga_array *from = ga_take(ga_astype(b->indptr, GA_INT64), x->indices,
                             GA_AXIS(0), 0);
    place = ga_add(place, ga_take(from, which, GA_AXIS(0), 0));
    ga_array *key = ga_mul(ga_take(ga__sparse_rows_of(x->indptr, x->nnz), which,
                                   GA_AXIS(0), 0), b->shape[1]);
    key = ga_add(key, ga_take(b->indices, place, GA_AXIS(0), 0));
    ga_array *v = ga_mul(ga_take(x->data, which, GA_AXIS(0), 0),
                         ga_take(b->data, place, GA_AXIS(0), 0));
    ga_sparse *r = key && v ? ga__sparse_sum_keys(fn, key, v, end - first,
                                                  b->shape[1]) : NULL;
    return r ? ga_sparse_keep(r) : NULL;
}
/* Cuts of the rows whose pairs fit: pairs[r], on the host, ends with row r. */
static ga_sparse *ga__sparse_blocks(const char *fn, const ga_sparse *a,
                                    const ga_sparse *b, const int64_t *pairs,
                                    int64_t most) {
    const int64_t m = a->shape[0];
    ga_sparse *all = NULL;
    for (int64_t row = 0; row < m;) {
        GA_SCOPE;
        int64_t end = row + 1, before = row ? pairs[row - 1] : 0;
        while (end < m && pairs[end] - before <= most) end++;
        ga_sparse *part = ga__sparse_block(fn, a, b, row, end);
        const ga_sparse *both[] = {all, part};
        ga_sparse *next = !part ? NULL : all ? ga_sparse_vstack(2, both) : part;
        ga_sparse_free(all);
        if (!next) return NULL;
        all = ga_sparse_keep(next);
        row = end;
    }
    return all;
}
GA_API ga_sparse *ga_sparse_product(const ga_sparse *a, const ga_sparse *b,
                                    int64_t work) {
    static const char fn[] = "ga_sparse_product";
    GA_SCOPE;
    if (!ga__sparse_pair(fn, &a, &b, false)) return NULL;
    if (work < 0)
        return (ga_sparse *)GA__NULL(GA_ERR_VALUE, fn, "%" PRId64 " bytes",
                                     work);
    const int64_t m = a->shape[0], n = b->shape[1];
    if (!ga__sparse_shape(fn, m, n)) return NULL;
    ga_sparse *x = ga_sparse_to(a, GA_CSR), *y = ga_sparse_to(b, GA_CSR), *r;
    if (!x || !y) return NULL;
    if (!work || !m) {
        r = ga__sparse_block(fn, x, y, 0, m);
    } else {
        ga_array *sums = ga_append(ga_zeros(GA_SHAPE(1), GA_INT64), ga_cumsum(
            ga__sparse_meets(x, y), GA_AXIS(0), 0), GA_ALL);
        ga_array *ends = ga_take(sums, ga_slice_axis(x->indptr, 0, 1, GA_END, 1),
                                 GA_AXIS(0), 0);
        int64_t *pairs = ends ? (int64_t *)ga_asnumpy(ends, NULL) : NULL;
        if (!pairs) return NULL;
        r = ga__sparse_blocks(fn, x, y, pairs, work / ga__pair_bytes(a, b));
        free(pairs);
    }
    return r ? ga_sparse_keep(r) : NULL;
}

/* =============================================================== >>s-files */
typedef struct ga__mtx {
    const char *fn, *p;             /* the text, a newline and a 0 at its end */
    int64_t line, m, n, entries;
    bool array, complex, pattern;
    char mirror;                    /* 0, s, k (skew) or h                  */
} ga__mtx;
static ga_status ga__mtx_wrong(const ga__mtx *f, const char *what) {
    return ga__fail(GA_ERR_FILE_FORMAT, f->fn, "line %" PRId64 ": %s", f->line,
                    what);
}
static void ga__mtx_blank(ga__mtx *f) {
    while (*f->p == ' ' || *f->p == '\t' || *f->p == '\r') f->p++;
}
/* To the next line that says something; false at the end. */
static bool ga__mtx_next(ga__mtx *f) {
    for (;;) {
        ga__mtx_blank(f);
        if (!*f->p) return false;
        if (*f->p != '\n' && *f->p != '%') return true;
        while (*f->p && *f->p != '\n') f->p++;
        if (*f->p) f->p++, f->line++;
    }
}
static bool ga__mtx_whole(ga__mtx *f, int64_t *out) {
    int64_t v = 0;
    ga__mtx_blank(f);
    if ((unsigned)*f->p - '0' > 9) return false;
    for (; (unsigned)*f->p - '0' <= 9; f->p++) {
        if (v > (INT64_MAX - 9) / 10) return false;
        v = v * 10 + (*f->p - '0');
    }
    *out = v;
    return true;
}
static bool ga__mtx_number(ga__mtx *f, double *out) {
    ga__mtx_blank(f);
    const char *end = ga__parse_double(f->p, out);
    if (end) f->p = end;
    return end != NULL;
}
/* One of the words, lower case, at the line's place; -1: none. */
static int ga__mtx_word(ga__mtx *f, const char *const *words) {
    ga__mtx_blank(f);
    for (int i = 0; words[i]; i++) {
        size_t n = strlen(words[i]);
        if (!ga__is_word(f->p, words[i]) || strchr(" \t\r\n", f->p[n]) == NULL)
            continue;
        f->p += n;
        return i;
    }
    return -1;
}
static ga_status ga__mtx_header(ga__mtx *f) {
    static const char *const first[] = {"%%matrixmarket", NULL};
    static const char *const second[] = {"matrix", NULL};
    static const char *const forms[] = {"coordinate", "array", NULL};
    static const char *const types[] = {"real", "integer", "double", "complex",
                                        "pattern", NULL};
    static const char *const kinds[] = {"general", "symmetric",
                                        "skew-symmetric", "hermitian", NULL};
    int form, type, kind;
    if (ga__mtx_word(f, first) < 0 || ga__mtx_word(f, second) < 0
        || (form = ga__mtx_word(f, forms)) < 0
        || (type = ga__mtx_word(f, types)) < 0
        || (kind = ga__mtx_word(f, kinds)) < 0)
        return ga__mtx_wrong(f, "not a header of a Matrix Market matrix");
    f->array = form == 1;
    f->complex = type == 3;
    f->pattern = type == 4;
    f->mirror = "\0skh"[kind];
    if (f->array && f->pattern)
        return ga__mtx_wrong(f, "an array has no pattern");
    if (!ga__mtx_next(f) || !ga__mtx_whole(f, &f->m) || !ga__mtx_whole(f, &f->n)
        || (!f->array && !ga__mtx_whole(f, &f->entries)))
        return ga__mtx_wrong(f, "the matrix's lengths are missing");
    if (f->m && f->n > INT64_MAX / f->m)
        return ga__mtx_wrong(f, "the matrix is too large");
    if (f->mirror && f->m != f->n)
        return ga__mtx_wrong(f, "a symmetric matrix is square");
    if (!f->array) return GA_OK;
    f->entries = !f->mirror ? f->m * f->n : f->mirror == 'k'
                 ? f->n / 2 * (f->n - 1) + f->n % 2 * ((f->n - 1) / 2)
                 : f->n / 2 * (f->n + 1) + f->n % 2 * ((f->n + 1) / 2);
    return GA_OK;
}
/* Entry `at` to its places, both halves; an array's run down the columns. */
static ga_status ga__mtx_entry(ga__mtx *f, int64_t *at, int64_t *i, int64_t *j,
                               int64_t *row, int64_t *col, double (*v)[2]) {
    double z[2] = {1, 0};
    if (!ga__mtx_next(f)) return ga__mtx_wrong(f, "the file ends early");
    if (!f->array) {
        if (!ga__mtx_whole(f, i) || !ga__mtx_whole(f, j))
            return ga__mtx_wrong(f, "an entry's place is malformed");
        if (*i < 1 || *i > f->m || *j < 1 || *j > f->n)
            return ga__mtx_wrong(f, "an entry lies outside of the matrix");
    }
    if ((!f->pattern && !ga__mtx_number(f, &z[0]))
        || (f->complex && !ga__mtx_number(f, &z[1])))
        return ga__mtx_wrong(f, "an entry's value is malformed");
    ga__mtx_blank(f);
    if (*f->p != '\n' && *f->p != '%')
        return ga__mtx_wrong(f, "more than an entry");
    for (int half = 0; half < 1 + (f->mirror && *i != *j); half++) {
        row[*at] = (half ? *j : *i) - 1;
        col[*at] = (half ? *i : *j) - 1;
        v[*at][0] = half && f->mirror == 'k' ? -z[0] : z[0];
        v[*at][1] = half && f->mirror != 's' ? -z[1] : z[1];
        ++*at;
    }
    if (f->array && ++*i > f->m)
        *i = f->mirror ? *j + 1 + (f->mirror == 'k') : 1, ++*j;
    return GA_OK;
}
static ga_sparse *ga__mtx_read(ga__mtx *f, size_t bytes) {
    GA_SCOPE;
    ga__fives_ready();
    if (ga__mtx_header(f)) return NULL;
    /* nothing is allocated that the file cannot fill: 2 bytes an entry     */
    if ((uint64_t)f->entries > bytes / 2) {
        ga__mtx_wrong(f, "more entries than the file can hold");
        return NULL;
    }
    size_t room = (size_t)f->entries * (f->mirror ? 2 : 1) + 1;
    int64_t *row = (int64_t *)GA_MALLOC(room * sizeof *row);
    int64_t *col = (int64_t *)GA_MALLOC(room * sizeof *col);
    double (*v)[2] = (double (*)[2])GA_MALLOC(room * sizeof *v);
    ga_status st = row && col && v ? GA_OK
                   : ga__fail(GA_ERR_HOST_MEMORY, f->fn, NULL);
    int64_t at = 0, i = f->mirror == 'k' ? 2 : 1, j = 1;
    for (int64_t k = 0; k < f->entries && !st; k++)
        st = ga__mtx_entry(f, &at, &i, &j, row, col, v);
    if (!st && ga__mtx_next(f)) st = ga__mtx_wrong(f, "more entries than said");
    ga_sparse *a = NULL;
    if (!st) {
        ga_array *z = ga_asarray_as(v, GA_FLOAT64, GA_SHAPE(at, 2));
        ga_array *re = ga_index_axis(z, 1, 0), *im = ga_index_axis(z, 1, 1);
        if (f->complex) {
            ga_array *c = ga_zeros(GA_SHAPE(at), GA_COMPLEX128);
            if (c && (ga_assign(ga_real(c), re) || ga_assign(ga_imag(c), im)))
                c = NULL;
            re = c;
        }
        ga_array *r = ga_asarray_as(row, GA_INT64, GA_SHAPE(at));
        ga_array *c = ga_asarray_as(col, GA_INT64, GA_SHAPE(at));
        if (re && r && c) a = ga_sparse_coo(re, r, c, f->m, f->n);
    }
    GA_FREE(row);
    GA_FREE(col);
    GA_FREE(v);
    return a ? ga_sparse_keep(a) : NULL;
}
GA_API ga_sparse *ga_sparse_load_mtx(const char *path) {
    ga__file_op op;
    size_t bytes = 0;
    FILE *file = ga__file_open("ga_sparse_load_mtx", path, &op);
    if (!file) return NULL;
    char *text = ga__file_slurp(file, op.text, &bytes);
    fclose(file);
    if (!text) return NULL;
    ga__mtx f;
    memset(&f, 0, sizeof f);
    f.fn = op.text;
    f.p = text;
    f.line = 1;
    ga_sparse *a = ga__mtx_read(&f, bytes);
    GA_FREE(text);
    return a;
}
GA_API ga_status ga_sparse_save_mtx(const char *path, const ga_sparse *a) {
    static const char fn[] = "ga_sparse_save_mtx";
    GA_SCOPE;
    ga__saving w;
    ga_array *row, *col;
    if (!ga__sparse_begin(fn, &a)) return ga__failed();
    if (!path) return ga__fail(GA_ERR_NULL, fn, "the path is NULL");
    const bool complex = ga__kind(a->dtype) == 'c';
    const int digits = a->dtype == GA_FLOAT32 || a->dtype == GA_COMPLEX64 ? 9
                                                                         : 17;
    if (ga_sparse_tocoo(a, &row, &col, NULL)) return ga__failed();
    ga_array *wide = ga_astype(a->data, complex ? GA_COMPLEX128 : GA_FLOAT64);
    int64_t *i = wide ? (int64_t *)ga_asnumpy(row, NULL) : NULL;
    int64_t *j = wide ? (int64_t *)ga_asnumpy(col, NULL) : NULL;
    double *v = wide ? (double *)ga_asnumpy(wide, NULL) : NULL;
    ga_status st = i && j && v ? ga__save_begin(&w, fn, path) : ga__failed();
    if (!st) {
        char line[160];
        int n = snprintf(line, sizeof line, "%%%%MatrixMarket matrix coordinate "
                         "%s general\n%" PRId64 " %" PRId64 " %" PRId64 "\n",
                         complex ? "complex" : "real", a->shape[0], a->shape[1],
                         a->nnz);
        st = ga__io_write(&w.io, w.op.text, line, (size_t)n);
        for (int64_t k = 0; k < a->nnz && !st; k++) {
            const double *z = v + (complex ? 2 * k : k);
            n = snprintf(line, sizeof line, "%" PRId64 " %" PRId64 " %.*g",
                         i[k] + 1, j[k] + 1, digits, z[0]);
            if (complex) n += snprintf(line + n, sizeof line - (size_t)n,
                                       " %.*g", digits, z[1]);
            for (char *c = line; *c; c++) if (*c == ',') *c = '.';
            line[n++] = '\n';
            st = ga__io_write(&w.io, w.op.text, line, (size_t)n);
        }
        st = ga__save_end(&w, st);
    }
    free(i);
    free(j);
    free(v);
    return st;
}

/* SciPy's archive has, beside arrays, the format's name as a string of bytes. */
static int64_t ga__sparse_member(const ga__zip *z, const char *name) {
    int64_t i = z->n - 1;
    while (i >= 0 && ((size_t)z->entry[i].n != strlen(name)
                      || memcmp(z->entry[i].name, name, strlen(name)))) i--;
    return i;
}
static ga_array *ga__sparse_loaded(ga__zip *z, const char *name) {
    int64_t i = ga__sparse_member(z, name);
    return i >= 0 ? ga__zip_load(z, &z->entry[i])
           : (ga_array *)GA__NULL(GA_ERR_FILE_FORMAT, z->op.text, "no array "
                                  "'%s': not a sparse matrix's", name);
}
/* The last bytes of the member, which is its text, into `text`. */
static ga_status ga__sparse_format(ga__zip *z, char *text, size_t room) {
    unsigned char head[30], raw[512];
    const char *fn = z->op.text;
    int64_t i = ga__sparse_member(z, "format");
    const ga__zip_entry *e = i >= 0 ? &z->entry[i] : NULL;
    if (!e || e->size > sizeof raw || e->size < room || (e->method
                                                         && e->method != 8))
        return ga__fail(GA_ERR_FILE_FORMAT, fn, "no member 'format': not a "
                        "sparse matrix's");
    ga_status st = ga__zip_read(z, fn, e->offset, head, sizeof head);
    if (!st) st = ga__zip_read(z, fn, e->offset + 30 + ga__le(head + 26, 2)
                                      + ga__le(head + 28, 2), NULL, 0);
    if (!st) st = ga__member_begin(&z->io, fn, e->method == 8, false);
    if (st) return st;
    z->io.member->sum.size = e->size;
    z->io.member->sum.packed = e->packed;
    st = ga__io_read(&z->io, fn, raw, (size_t)e->size);
    ga__member_end(&z->io, false);
    if (!st) memcpy(text, raw + e->size - (room - 1), room - 1);
    text[room - 1] = 0;
    return st;
}
static ga_sparse *ga__sparse_of_zip(ga__zip *z) {
    GA_SCOPE;
    char f[4];
    int64_t shape[2];
    if (ga__sparse_format(z, f, sizeof f)) return NULL;
    const bool coo = !strcmp(f, "coo");
    if (!coo && strcmp(f, "csr") && strcmp(f, "csc"))
        return (ga_sparse *)GA__NULL(GA_ERR_FILE_FORMAT, z->op.text, "format "
                                     "'%s'; csr, csc and coo are known", f);
    ga_array *s = ga__sparse_loaded(z, "shape");
    if (s) s = ga_astype(s, GA_INT64);
    if (!s || s->size != 2 || !ga_asnumpy(s, shape))
        return (ga_sparse *)GA__NULL(GA_ERR_FILE_FORMAT, z->op.text, "no shape "
                                     "of a matrix");
    ga_array *v = ga__sparse_loaded(z, "data");
    ga_array *a = v ? ga__sparse_loaded(z, coo ? "row" : "indices") : NULL;
    ga_array *b = a ? ga__sparse_loaded(z, coo ? "col" : "indptr") : NULL;
    ga_sparse *r = !b ? NULL
        : (coo ? ga_sparse_triplets : *f && f[2] == 'r' ? ga_sparse_csr
           : ga_sparse_csc)(v, a, b, shape[0], shape[1]);
    return r ? ga_sparse_keep(r) : NULL;
}
GA_API ga_sparse *ga_sparse_load_npz(const char *path) {
    ga__zip z;
    if (ga__zip_open(&z, "ga_sparse_load_npz", path)) return NULL;
    ga_sparse *a = ga__sparse_of_zip(&z);
    ga__zip_close(&z);
    return a;
}
/* The member 'format': numpy.save's bytes of numpy.array(b'csr'). */
static ga_status ga__sparse_put_format(ga__saving *w, const char *format,
                                       uint64_t *at, unsigned char **dir) {
    unsigned char head[128], npy[128 + 4];
    const char *fn = w->op.text;
    ga__zip_sum none = {0, 0, 0};
    int n = snprintf((char *)npy + 10, sizeof npy - 10, "%-117s\n%s",
                     "{'descr': '|S3', 'fortran_order': False, 'shape': (), }",
                     format) + 10;
    memcpy(npy, "\x93NUMPY\1\0v\0", 10);
    size_t k = ga__zip_header(head, "format", false, &none, 0, false);
    ga_status st = ga__io_write(&w->io, fn, head, k);
    if (!st) st = ga__member_begin(&w->io, fn, false, true);
    if (st) return st;
    st = ga__io_write(&w->io, fn, npy, (size_t)n);
    ga__zip_header(head, "format", false, &w->io.member->sum, 0, false);
    *dir += ga__zip_header(*dir, "format", false, &w->io.member->sum, *at, true);
    ga__member_end(&w->io, true);
    uint64_t end = *at + k + (uint64_t)n;
    if (!st && (fseek(w->io.f, (long)*at, SEEK_SET)
                || (st = ga__io_write(&w->io, fn, head, k)) != GA_OK
                || fseek(w->io.f, (long)end, SEEK_SET)))
        st = ga__fail(GA_ERR_FILE_WRITE, fn, "an archive wants a file that can "
                      "be rewound");
    *at = end;
    return st;
}
GA_API ga_status ga_sparse_save_npz(const char *path, const ga_sparse *a) {
    static const char fn[] = "ga_sparse_save_npz";
    static const char *const name[] = {"indices", "indptr", "shape", "data",
                                       "col", "row"};
    static const char *const format[] = {"csr", "csc", "coo"};
    GA_SCOPE;
    ga__saving w;
    unsigned char dir[1024], *p = dir;
    uint64_t at = 0;
    if (!ga__sparse_here(fn, a)) return ga__failed();
    if (!path) return ga__fail(GA_ERR_NULL, fn, "the path is NULL");
    ga_array *shape = ga_asarray(a->shape, GA_SHAPE(2));
    if (!shape) return ga__failed();
    const ga_array *x[] = {a->indices, a->indptr, shape, a->data};
    ga_status st = ga__save_begin(&w, fn, path);
    if (st) return st;
    for (int i = 0; i < 4 && !st; i++)
        st = ga__zip_put(&w, name[i < 2 && a->format == GA_COO ? 4 + i : i], x[i],
                         false, &at, &p);
    if (!st) st = ga__sparse_put_format(&w, format[a->format], &at, &p);
    if (!st) {
        p += ga__zip_end(p, 5, at, (uint64_t)(p - dir));
        st = ga__io_write(&w.io, w.op.text, dir, (size_t)(p - dir));
    }
    return ga__save_end(&w, st);
}

/* ============================================================= >>s-solvers */
static ga_status ga__apply_sparse(void *arg, ga_array *y, const ga_array *x,
                                  unsigned flags) {
    return ga_sparse_matmul_into(y, (const ga_sparse *)arg, x, flags);
}
static ga_operator ga__sparse_as(const char *fn, const ga_sparse *a,
                                 ga_status (*apply)(void *, ga_array *,
                                                    const ga_array *, unsigned)) {
    ga_operator op = {{-1, -1}, GA_FLOAT64, apply, (void *)(uintptr_t)a};
    if (!ga__sparse_ok(fn, a)) return op;
    op.shape[0] = a->shape[0];
    op.shape[1] = a->shape[1];
    op.dtype = a->dtype;
    return op;
}
GA_API ga_operator ga_sparse_operator(const ga_sparse *a) {
    return ga__sparse_as("ga_sparse_operator", a, ga__apply_sparse);
}
static ga_status ga__apply_dense(void *arg, ga_array *y, const ga_array *x,
                                 unsigned flags) {
    GA_SCOPE;
    const ga_array *a = (const ga_array *)arg;
    if (!flags) return (ga_matvec_into)(y, a, x);
    ga_array *t = (ga_transpose)(a, GA_ALL);
    if (t && ga__kind(a->dtype) == 'c') t = (ga_conj)(t);
    return t ? (ga_matvec_into)(y, t, x) : ga__failed();
}
GA_API ga_operator ga_dense_operator(const ga_array *a) {
    static const char fn[] = "ga_dense_operator";
    ga_operator op = {{-1, -1}, GA_FLOAT64, ga__apply_dense,
                      (void *)(uintptr_t)a};
    if (!ga__ok(fn, a)) return op;
    if (a->ndim != 2) {
        ga__fail(GA_ERR_SHAPE, fn, "an array of shape %s is no matrix",
                 ga__shape_text(a->ndim, a->shape));
        return op;
    }
    op.shape[0] = a->shape[0];
    op.shape[1] = a->shape[1];
    op.dtype = ga__sparse_dtype(a->dtype);
    return op;
}
static ga_status ga__apply_ilu0(void *arg, ga_array *y, const ga_array *x,
                                unsigned flags);
static ga_status ga__apply_ic0(void *arg, ga_array *y, const ga_array *x,
                               unsigned flags);
static ga_status ga__apply_diagonal(void *arg, ga_array *y, const ga_array *x,
                                    unsigned flags) {
    GA_SCOPE;
    const ga_array *d = (const ga_array *)arg;
    if (flags && ga__kind(d->dtype) == 'c') d = (ga_conj)(d);
    return d ? (ga_mul_into)(y, d, x) : ga__failed();
}
GA_API ga_operator ga_diagonal_operator(const ga_array *d) {
    static const char fn[] = "ga_diagonal_operator";
    ga_operator op = {{-1, -1}, GA_FLOAT64, ga__apply_diagonal,
                      (void *)(uintptr_t)d};
    if (!ga__ok(fn, d)) return op;
    if (d->ndim != 1) {
        ga__fail(GA_ERR_SHAPE, fn, "a diagonal of shape %s",
                 ga__shape_text(d->ndim, d->shape));
        return op;
    }
    op.shape[0] = op.shape[1] = d->size;
    op.dtype = ga__sparse_dtype(d->dtype);
    return op;
}
/* Each row's entry at its own column, by its place among the ascending keys. */
GA_API ga_array *ga_sparse_diagonal(const ga_sparse *a) {
    GA_SCOPE;
    ga_array *row, *col;
    if (!ga__sparse_begin("ga_sparse_diagonal", &a)) return NULL;
    const int64_t n = a->shape[0] < a->shape[1] ? a->shape[0] : a->shape[1];
    ga_array *d = ga_zeros(GA_SHAPE(n + 1), a->dtype);
    if (!d || ga_sparse_tocoo(a, &row, &col, NULL)) return NULL;
    ga_array *to = ga_where(ga_equal(row, col), row, n);
    if (!to || ga_put(d, to, a->data, 0)) return NULL;
    ga_array *r = ga_copy(ga_slice_axis(d, 0, 0, n, 1));
    return r ? ga_keep(r) : NULL;
}

/* A run of a solver. What is queued goes through it; `st` keeps the first
   failure, and nothing more is queued then.                                */
typedef struct ga__krylov {
    const char *fn;
    ga__device *d;
    ga_dtype t;
    ga_operator a, m;               /* m.apply NULL: no preconditioner      */
    ga_solve_options o;
    int64_t maxiter;
    const ga_array *b;
    ga_array *state;                /* complex128                           */
    ga_array *parts;                /* of dots, GPUs: memory taken in a graph */
                                    /* would be two nodes more for each     */
    ga_array *vec[GA__BLEND_VECS];  /* of the blend under way               */
    ga__blend q;
    ga_status st;
    int slot_step, column, width;   /* of dots with rows; of GMRES          */
    int look;                       /* iterations between two looks         */
    void (*step)(void *);           /* one of them, with its argument       */
    void *step_arg;
    ga_graph *graph;                /* `look` of them                       */
    double (*seen)[2];              /* the state when last looked at        */
} ga__krylov;
static ga_array *ga__kr_new(ga__krylov *k, int64_t rows, int64_t n) {
    if (k->st) return NULL;
    ga_array *x = rows ? ga_zeros(GA_SHAPE(rows, n), k->t)
                       : ga_zeros(GA_SHAPE(n), k->t);
    if (!x) k->st = ga__failed();
    return x;
}
/* The caller's function may fail without an error of this library's, which who
   asked has to find.                                                        */
static ga_status ga__op_apply(const char *fn, ga_operator a, ga_array *y,
                              const ga_array *x, unsigned flags) {
    ga_status st = a.apply(a.arg, y, x, flags);
    /* the first message stays, of this error or of one before               */
    if (st) ga__fail(st, fn, "the operator's function gave %s", ga_status_name(st));
    return st;
}
static void ga__kr_apply(ga__krylov *k, ga_array *y, const ga_array *x,
                         unsigned flags) {
    GA_SCOPE;
    if (!k->st) k->st = ga__op_apply(k->fn, k->a, y, x, flags);
}
/* z = M r, or r itself. */
static const ga_array *ga__kr_precond(ga__krylov *k, ga_array *z, ga_array *r) {
    GA_SCOPE;
    if (!k->m.apply) return r;
    if (!k->st) k->st = ga__op_apply(k->fn, k->m, z, r, 0);
    return z;
}
static int ga__kr_vec(ga__krylov *k, const ga_array *x) {
    int i = 0;
    while (i < k->q.nvecs && k->vec[i] != x) i++;
    if (i < k->q.nvecs || !x) return i;
    k->vec[i] = (ga_array *)(uintptr_t)x;
    k->q.vec[i].p = x->data;
    k->q.vec[i].step = x->ndim == 2 ? x->strides[0] : 0;
    k->q.nvecs++;
    return i;
}
/* A line of the next blend, and a term of it. */
static void ga__kr_line(ga__krylov *k, ga_array *out) {
    if (k->st) return;
    k->q.line[k->q.nlines].out = ga__kr_vec(k, out);
    k->q.line[k->q.nlines++].nterms = 0;
}
static void ga__kr_term(ga__krylov *k, const ga_array *x, int slot,
                        double factor) {
    if (k->st) return;
    int l = k->q.nlines - 1, n = k->q.line[l].nterms++;
    ga__blend_term e = {ga__kr_vec(k, x), slot, factor};
    k->q.line[l].term[n] = e;
}
static void ga__kr_blend(ga__krylov *k, int64_t rows, int64_t n,
                         int slot_step) {
    ga_array *out[3];
    const ga_array *in[GA__BLEND_VECS + 1];
    if (k->st) return;
    k->q.t = k->t;
    k->q.n = n;
    k->q.rows = rows;
    k->q.slot_step = slot_step;
    k->q.state = (const double *)k->state->data;
    for (int i = 0; i < k->q.nlines; i++) out[i] = k->vec[k->q.line[i].out];
    for (int i = 0; i < k->q.nvecs; i++) in[i] = k->vec[i];
    in[k->q.nvecs] = k->state;
    if (n) k->st = ga__run_blend(k->fn, k->d, &k->q, out, k->q.nlines, in,
                                 k->q.nvecs + 1);
    k->q.nvecs = k->q.nlines = 0;
}
/* The plain case: y := sum of two. */
static void ga__kr_sum(ga__krylov *k, ga_array *y, const ga_array *x, int slot,
                       double factor, const ga_array *x2, int slot2,
                       double factor2) {
    ga__kr_line(k, y);
    ga__kr_term(k, x, slot, factor);
    if (x2) ga__kr_term(k, x2, slot2, factor2);
    ga__kr_blend(k, 1, y ? y->size : 0, 0);
}
/* Lines that no blend has taken, scalar products a[i] b[i] into the slots, then
   a step.                                                                  */
static void ga__kr_dots(ga__krylov *k, int step, int n, const ga_array *const *a,
                        const ga_array *const *b, const int *slot, int count) {
    ga__dots q;
    ga_array *out[5] = {k->state, k->parts};
    const ga_array *in[6 + GA__BLEND_VECS];
    const int lines = k->q.nlines, vecs = k->q.nvecs;
    if (k->st) return;
    memset(&q, 0, sizeof q);
    k->q.state = (const double *)k->state->data;
    k->q.slot_step = n && a[0]->ndim == 2 ? k->slot_step : 0;
    q.blend = k->q;
    for (int i = 0; i < lines; i++) out[2 + i] = k->vec[k->q.line[i].out];
    for (int i = 0; i < vecs; i++) in[2 * n + i] = k->vec[i];
    k->q.nvecs = k->q.nlines = 0;
    q.t = k->t;
    q.ndots = n;
    q.rows = n && a[0]->ndim == 2 ? a[0]->shape[0] : 1;
    q.n = n ? a[0]->shape[a[0]->ndim - 1] : 0;
    q.blend.n = q.n;                /* the lines are as long as the dots    */
    q.slot_step = q.rows > 1 ? k->slot_step : 0;
    q.column = k->column;
    q.width = k->width;
    q.step = step;
    q.count = count;
    q.state = (double *)k->state->data;
    q.slots = k->state->size;
    if (k->d->id != GA_CPU) q.use.work = k->parts->data;
    for (int i = 0; i < n; i++) {
        q.dot[i].a = a[i]->data;
        q.dot[i].b = b[i]->data;
        q.dot[i].a_step = a[i]->ndim == 2 ? q.n : 0;
        q.dot[i].b_step = b[i]->ndim == 2 ? q.n : 0;
        q.dot[i].slot = slot[i];
        in[2 * i] = a[i];
        in[2 * i + 1] = b[i];
    }
    k->st = ga__run_dots(k->fn, k->d, &q, out, 2 + lines, in, 2 * n + vecs);
}
static void ga__kr_dot(ga__krylov *k, int step, const ga_array *a,
                       const ga_array *b, int slot, int count) {
    ga__kr_dots(k, step, 1, &a, &b, &slot, count);
}
/* Is it time to stop? Looks every `look` iterations, at the last one, and
   for a callback each time.                                                */
static bool ga__kr_done(ga__krylov *k, const ga_array *x, int64_t iteration) {
    if (k->st) return true;
    if (iteration < k->maxiter) ga__progress(k->fn, iteration, k->maxiter);
    if (!k->o.callback && iteration % k->look && iteration < k->maxiter)
        return false;
    if (!ga_asnumpy(k->state, k->seen)) {
        k->st = ga__failed();
        return true;
    }
    if (k->o.callback && iteration
        && iteration == (int64_t)k->seen[GA__AT_ITER][0]) {
        GA_SCOPE;
        const ga_array *y = x->ndim == 1 ? x : (ga_index_axis)(x, 0, 0);
        if (!y) k->st = ga__failed();
        else if (k->o.callback(k->o.arg, y, iteration,
                               k->seen[GA__AT_RESIDUAL][0])
                 && k->seen[GA__AT_STATUS][0] == GA__RUNNING)
            k->seen[GA__AT_STATUS][0] = -1;
    }
    if (k->st || k->seen[GA__AT_STATUS][0] != GA__RUNNING) return true;
    return iteration > k->maxiter;
}
/* Does the operator queue nothing but what a graph can hold? A function of the
   caller's may wait for the device.                                        */
static bool ga__kr_plain(const ga_operator *op) {
    return !op->apply || op->apply == ga__apply_sparse
           || op->apply == ga__apply_dense || op->apply == ga__apply_diagonal
           || op->apply == ga__apply_ilu0 || op->apply == ga__apply_ic0;
}
static void ga__kr_steps(void *arg) {
    ga__krylov *k = (ga__krylov *)arg;
    for (int i = 0; i < k->look; i++) k->step(k->step_arg);
}
/* The next iteration, or with a graph `look` of them. On a GPU the host would
   need longer to queue the kernels of a small system than they take: where
   they can be, iterations from `from` on are a graph.                      */
static int64_t ga__kr_go(ga__krylov *k, int64_t i, int64_t from) {
    if (i == from && k->d->id != GA_CPU && !k->o.callback
        && ga__kr_plain(&k->a) && ga__kr_plain(&k->m)) {
        k->graph = ga_graph_create(ga__kr_steps, k);
        if (!k->graph) k->st = ga__failed();
    }
    if (k->graph) k->st = ga_graph_launch(k->graph);
    else if (!k->st) k->step(k->step_arg);
    return i + (k->graph ? k->look : 1);
}
static void ga__kr_run(ga__krylov *k, const ga_array *x, void (*step)(void *),
                       void *arg) {
    k->step = step;
    k->step_arg = arg;
    for (int64_t i = 0; !ga__kr_done(k, x, i);)
        i = ga__kr_go(k, i, 4 * k->look);
}
static double ga__kr_tolerance(double v, double usual) {
    return v == 0 ? usual : v < 0 ? 0 : v;
}
/* Checks, and the state with `slots` numbers behind the names. */
static bool ga__kr_begin(ga__krylov *k, const char *fn, ga_operator a,
                         const ga_array *b, const ga_solve_options *o,
                         bool square, int64_t slots) {
    static const ga_solve_options usual;
    memset(k, 0, sizeof *k);
    k->fn = fn;
    k->look = 8;
    k->o = o ? *o : usual;
    k->o.shift = 0;                 /* minres's                             */
    k->a = a;
    if (k->o.precond) k->m = *k->o.precond;
    const ga_array *in[] = {b, k->o.x0};
    k->d = ga__begin(fn, in, 1 + (k->o.x0 != NULL), NULL, (ga_array *[]){NULL});
    if (!k->d) return false;
    if (a.shape[0] < 0 || !a.apply) {
        if (!ga_error()) ga__fail(GA_ERR_VALUE, fn, "an operator of shape (%"
            PRId64 ",%" PRId64 ")%s", a.shape[0], a.shape[1],
            a.apply ? "" : " without a function");
        return false;
    }
    if (square && a.shape[0] != a.shape[1]) {
        ga__fail(GA_ERR_SQUARE, fn, "A has shape (%" PRId64 ",%" PRId64 ")",
                 a.shape[0], a.shape[1]);
        return false;
    }
    if (b->ndim != 1 || b->size != a.shape[0]
        || (k->o.x0 && (k->o.x0->ndim != 1 || k->o.x0->size != a.shape[1]))
        || (k->m.apply && (k->m.shape[0] != a.shape[0]
                           || k->m.shape[1] != a.shape[0]))) {
        ga__fail(GA_ERR_SHAPE, fn, "A of shape (%" PRId64 ",%" PRId64 "), b of "
                 "shape %s%s%s%s do not fit", a.shape[0], a.shape[1],
                 ga__shape_text(b->ndim, b->shape),
                 k->o.x0 ? ", x0 of shape " : "", k->o.x0 ? ga__shape_text(
                     k->o.x0->ndim, k->o.x0->shape) : "",
                 k->m.apply ? ", the preconditioner" : "");
        return false;
    }
    if (k->o.maxiter < 0 || k->o.restart < 0 || k->o.restart > 1000
        || !(k->o.rtol == k->o.rtol && k->o.atol == k->o.atol)) {
        ga__fail(GA_ERR_VALUE, fn, "maxiter %" PRId64 ", restart %d, rtol %g, "
                 "atol %g", k->o.maxiter, k->o.restart, k->o.rtol, k->o.atol);
        return false;
    }
    k->t = ga__sparse_dtype(ga_promote_types(a.dtype, b->dtype));
    if (k->o.x0) k->t = ga__sparse_dtype(ga_promote_types(k->t,
                                                          k->o.x0->dtype));
    if (a.apply == ga__apply_sparse && a.dtype != k->t) {   /* once         */
        k->a.arg = ga_sparse_astype((const ga_sparse *)a.arg, k->t);
        if (!k->a.arg) return false;
    }
    if ((k->m.apply == ga__apply_ilu0 || k->m.apply == ga__apply_ic0)
        && k->m.dtype != k->t) {
        k->m.arg = ga_sparse_astype((const ga_sparse *)k->m.arg, k->t);
        if (!k->m.arg) return false;
    }
    if (a.apply == ga__apply_sparse
        && (ga_sparse_prepare((const ga_sparse *)k->a.arg, 0)
            || (!square && ga_sparse_prepare((const ga_sparse *)k->a.arg,
                                             GA_CONJ_TRANS)))) return false;
    k->b = (ga_astype)(b, k->t);
    const int64_t all = GA__AT_MORE + slots;
    k->seen = (double (*)[2])GA_MALLOC((size_t)all * sizeof *k->seen);
    if (!k->seen) {
        ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
        return false;
    }
    memset(k->seen, 0, (size_t)all * sizeof *k->seen);
    return k->b != NULL;
}
/* What the host has put into `seen` becomes the state. */
static void ga__kr_start(ga__krylov *k, int64_t slots, double rtol, double atol,
                         int64_t maxiter) {
    k->maxiter = k->o.maxiter ? k->o.maxiter : maxiter;
    k->seen[GA__AT_MAX][0] = (double)k->maxiter;
    k->seen[GA__AT_RTOL][0] = ga__kr_tolerance(k->o.rtol, rtol);
    k->seen[GA__AT_ATOL][0] = ga__kr_tolerance(k->o.atol, atol);
    k->state = (ga_asarray_as)(k->seen, GA_COMPLEX128,
                               GA_SHAPE(GA__AT_MORE + slots));
    const int64_t rows = k->width ? k->width + 1 : 1 + slots / GA__LS_SLOTS;
    k->parts = ga_empty(GA_SHAPE(GA__DOTS_PARTS(k->d->mps, rows)),
                        GA_COMPLEX128);
    if (!k->state || !k->parts) k->st = ga__failed();
}
/* x0, or zeros; after the tolerance is known. r := b - A x. */
static ga_array *ga__kr_x(ga__krylov *k, ga_array *r) {
    ga_array *x = ga__kr_new(k, 0, k->a.shape[1]);
    if (k->st) return NULL;
    if (k->o.x0) {
        k->st = (ga_assign)(x, k->o.x0);
        ga__kr_sum(k, x, x, GA__AT_KEEP, 1, NULL, 0, 0);
        ga__kr_apply(k, r, x, 0);
        if (k->o.shift != 0) ga__kr_sum(k, r, r, -1, 1, x, -1, -k->o.shift);
    }
    ga__kr_sum(k, r, k->b, -1, 1, k->o.x0 ? r : NULL, -1, -1);
    return x;
}
static ga_array *ga__kr_end(ga__krylov *k, ga_array *x, ga_solve_info *info) {
    const double status = k->seen ? k->seen[GA__AT_STATUS][0] : 0;
    const int64_t n = k->seen ? (int64_t)k->seen[GA__AT_ITER][0] : 0;
    if (info && !k->st && x) {
        memset(info, 0, sizeof *info);
        info->iterations = n;
        info->reason = status < 0 ? -1 : status == GA__DONE ? 0
            : status == GA__BREAKDOWN ? -11 : status == GA__RHO_BREAK ? -10
            : status == GA__INDEFINITE ? -12 : k->maxiter;
        info->residual = k->seen[GA__AT_RESIDUAL][0];
        info->x_norm = k->seen[GA__AT_NORMX][0];
        info->a_norm = k->seen[GA__AT_NORMA][0];
        info->a_condition = k->seen[GA__AT_CONDA][0];
        info->normal_residual = k->seen[GA__AT_ARNORM][0];
    }
    ga__progress(k->fn, n, n);
    ga_graph_destroy(k->graph);
    GA_FREE(k->seen);
    return k->st || !x ? NULL : ga_keep(x);
}

typedef struct ga__cg { ga__krylov k; ga_array *x, *r, *p, *q, *z; } ga__cg;
static void ga__cg_direction(ga__cg *g) {
    static const int rr_rho[] = {GA__AT_RR, GA__AT_RHO};
    ga__kr_dots(&g->k, GA__STEP_CG_DIRECTION, 1 + (g->z != g->r),
                (const ga_array *[]){g->r, g->r},
                (const ga_array *[]){g->r, g->z}, rr_rho, 1);
}
static void ga__cg_step(void *arg) {
    ga__cg *g = (ga__cg *)arg;
    ga__krylov *k = &g->k;
    ga__kr_sum(k, g->p, g->z, GA__AT_ONE, 1, g->p, GA__AT_BETA, 1);
    ga__kr_apply(k, g->q, g->p, 0);
    ga__kr_dot(k, GA__STEP_CG, g->p, g->q, GA__AT_PQ, 1);
    ga__kr_line(k, g->x);
    ga__kr_term(k, g->x, -1, 1);
    ga__kr_term(k, g->p, GA__AT_ALPHA, 1);
    ga__kr_line(k, g->r);
    ga__kr_term(k, g->r, -1, 1);
    ga__kr_term(k, g->q, GA__AT_ALPHA, -1);
    if (g->z != g->r) {
        ga__kr_blend(k, 1, g->x ? g->x->size : 0, 0);
        ga__kr_precond(k, g->z, g->r);
    }
    ga__cg_direction(g);
}
GA_API ga_array *(ga_cg)(ga_operator a, const ga_array *b,
                         const ga_solve_options *o, ga_solve_info *info) {
    GA_SCOPE;
    ga__cg g;
    if (!ga__kr_begin(&g.k, "ga_cg", a, b, o, true, 0))
        return ga__kr_end(&g.k, NULL, info);
    const int64_t n = a.shape[0];
    ga__kr_start(&g.k, 0, 1e-5, 0, 10 * n);
    g.r = ga__kr_new(&g.k, 0, n);
    g.p = ga__kr_new(&g.k, 0, n);
    g.q = ga__kr_new(&g.k, 0, n);
    g.z = g.k.m.apply ? ga__kr_new(&g.k, 0, n) : g.r;
    ga__kr_dot(&g.k, GA__STEP_BEGIN, g.k.b, g.k.b, GA__AT_BB, 1);
    g.x = ga__kr_x(&g.k, g.r);
    ga__kr_precond(&g.k, g.z, g.r);
    ga__cg_direction(&g);
    ga__kr_run(&g.k, g.x, ga__cg_step, &g);
    return ga__kr_end(&g.k, g.x, info);
}
typedef struct ga__bicg {
    ga__krylov k;
    ga_array *x, *r, *p, *v, *t, *phat, *shat, *rt;
} ga__bicg;
static void ga__bicg_step(void *arg) {
    static const int slots[] = {GA__AT_RR, GA__AT_RHO};
    static const int three[] = {GA__AT_RR, GA__AT_TS, GA__AT_TT};
    ga__bicg *g = (ga__bicg *)arg;
    ga__krylov *k = &g->k;
    ga__kr_dots(k, GA__STEP_BI_DIRECTION, 2, (const ga_array *[]){g->r, g->rt},
                (const ga_array *[]){g->r, g->r}, slots, 1);
    ga__kr_line(k, g->p);
    ga__kr_term(k, g->r, GA__AT_ONE, 1);
    ga__kr_term(k, g->p, GA__AT_BETA, 1);
    ga__kr_term(k, g->v, GA__AT_OLD, -1);
    ga__kr_blend(k, 1, g->x ? g->x->size : 0, 0);
    ga__kr_precond(k, g->phat, g->p);
    ga__kr_apply(k, g->v, g->phat, 0);
    ga__kr_dot(k, GA__STEP_BI_ALPHA, g->rt, g->v, GA__AT_PQ, 1);
    ga__kr_sum(k, g->r, g->r, -1, 1, g->v, GA__AT_ALPHA, -1);
    ga__kr_precond(k, g->shat, g->r);
    ga__kr_apply(k, g->t, g->shat, 0);
    ga__kr_dots(k, GA__STEP_BI_OMEGA, 3, (const ga_array *[]){g->r, g->t, g->t},
                (const ga_array *[]){g->r, g->r, g->t}, three, 1);
    ga__kr_line(k, g->x);
    ga__kr_term(k, g->x, -1, 1);
    ga__kr_term(k, g->phat, GA__AT_ALPHA, 1);
    ga__kr_term(k, g->shat, GA__AT_FACTOR, 1);
    ga__kr_line(k, g->r);
    ga__kr_term(k, g->r, -1, 1);
    ga__kr_term(k, g->t, GA__AT_FACTOR, -1);
    ga__kr_blend(k, 1, g->x ? g->x->size : 0, 0);
}
GA_API ga_array *(ga_bicgstab)(ga_operator a, const ga_array *b,
                               const ga_solve_options *o, ga_solve_info *info) {
    GA_SCOPE;
    ga__bicg g;
    ga__krylov *k = &g.k;
    if (!ga__kr_begin(k, "ga_bicgstab", a, b, o, true, 0))
        return ga__kr_end(k, NULL, info);
    const int64_t n = a.shape[0];
    ga__kr_start(k, 0, 1e-5, 0, 10 * n);
    g.r = ga__kr_new(k, 0, n);
    g.p = ga__kr_new(k, 0, n);
    g.v = ga__kr_new(k, 0, n);
    g.t = ga__kr_new(k, 0, n);
    g.phat = k->m.apply ? ga__kr_new(k, 0, n) : g.p;
    g.shat = k->m.apply ? ga__kr_new(k, 0, n) : g.r;
    g.rt = ga__kr_new(k, 0, n);
    ga__kr_dot(k, GA__STEP_BEGIN, k->b, k->b, GA__AT_BB, 1);
    g.x = ga__kr_x(k, g.r);
    ga__kr_sum(k, g.rt, g.r, -1, 1, NULL, 0, 0);
    ga__kr_run(k, g.x, ga__bicg_step, &g);
    return ga__kr_end(k, g.x, info);
}
typedef struct ga__minres {
    ga__krylov k;
    ga_array *x, *r1, *r2, *q, *v, *w, *w2, *z;
    const ga_array *y;
} ga__minres;
static void ga__minres_step(void *arg) {
    ga__minres *g = (ga__minres *)arg;
    ga__krylov *k = &g->k;
    ga__kr_sum(k, g->v, g->y, GA__AT_FACTOR, 1, NULL, 0, 0);
    ga__kr_apply(k, g->q, g->v, 0);
    ga__kr_line(k, g->q);
    ga__kr_term(k, g->q, -1, 1);
    ga__kr_term(k, g->r1, GA__AT_OLD, -1);
    if (k->o.shift != 0) ga__kr_term(k, g->v, -1, -k->o.shift);
    ga__kr_dot(k, GA__STEP_MINRES_ALFA, g->v, g->q, GA__AT_PQ, 1);
    ga__kr_sum(k, g->q, g->q, -1, 1, g->r2, GA__AT_ALPHA, -1);
    ga_array *old = g->r1;
    g->r1 = g->r2;
    g->r2 = g->q;
    g->q = old;
    g->y = ga__kr_precond(k, g->z, g->r2);
    ga__kr_dot(k, GA__STEP_MINRES_TURN, g->r2, g->y, GA__AT_RHO, 1);
    ga_array *w1 = g->w2;           /* the older one's place is the new one's */
    g->w2 = g->w;
    g->w = w1;
    ga__kr_line(k, g->w);
    ga__kr_term(k, g->v, GA__AT_W, 1);
    ga__kr_term(k, w1, GA__AT_W1, 1);
    ga__kr_term(k, g->w2, GA__AT_W2, 1);
    ga__kr_line(k, g->x);
    ga__kr_term(k, g->x, -1, 1);
    ga__kr_term(k, g->w, GA__AT_PHI, 1);
    ga__kr_dot(k, GA__STEP_MINRES_TEST, g->x, g->x, GA__AT_XX, 1);
}
GA_API ga_array *(ga_minres)(ga_operator a, const ga_array *b,
                             const ga_solve_options *o, ga_solve_info *info) {
    GA_SCOPE;
    ga__minres g;
    ga__krylov *k = &g.k;
    if (!ga__kr_begin(k, "ga_minres", a, b, o, true, 0))
        return ga__kr_end(k, NULL, info);
    if (o) k->o.shift = o->shift;
    k->look = 6;                    /* vectors change places: 3 of them, and 2 */
    const int64_t n = a.shape[0];
    ga__kr_start(k, 0, 1e-5, 0, 5 * n);
    g.r1 = ga__kr_new(k, 0, n);
    g.r2 = ga__kr_new(k, 0, n);
    g.q = ga__kr_new(k, 0, n);
    g.v = ga__kr_new(k, 0, n);
    g.w = ga__kr_new(k, 0, n);
    g.w2 = ga__kr_new(k, 0, n);
    g.z = k->m.apply ? ga__kr_new(k, 0, n) : NULL;
    ga__kr_dot(k, GA__STEP_BEGIN, k->b, k->b, GA__AT_BB, 1);
    g.x = ga__kr_x(k, g.r2);
    g.y = ga__kr_precond(k, g.z, g.r2);
    ga__kr_dot(k, GA__STEP_MINRES_BEGIN, g.r2, g.y, GA__AT_RHO, 1);
    ga__kr_run(k, g.x, ga__minres_step, &g);
    return ga__kr_end(k, g.x, info);
}

/* One pass of Gram-Schmidt of w against the rows of v. */
static void ga__kr_pass(ga__krylov *k, const ga_array *v, ga_array *w,
                        int step) {
    const int some = GA__AT_MORE + k->width * (k->width + 5) + 1;
    const ga_array *in[] = {v, k->state};
    ga__kr_dot(k, step, v, w, some, 1);
    if (k->st) return;
    ga__project p = {k->t, false, w->size, v->shape[0], some,
                     (const double *)k->state->data, v->data, w->data};
    k->st = ga__run_project(k->fn, k->d, &p, &w, 1, in, 2);
}
/* A cycle from the residual r, whose M r is in w. */
static void ga__kr_cycle(ga__krylov *k, ga_array *x, ga_array *v, ga_array *w,
                         ga_array *t, int m) {
    const int64_t n = x ? x->size : 0;
    for (int j = 0; j < m && !k->st; j++) {
        GA_SCOPE;
        ga_array *at = (ga_index_axis)(v, 0, j);
        ga_array *next = (ga_index_axis)(v, 0, j + 1);
        ga_array *all = (ga_slice_axis)(v, 0, 0, j + 1, 1);
        if (!at || !next || !all) {
            k->st = ga__failed();
            return;
        }
        k->column = j;
        if (!j) ga__kr_sum(k, at, w, GA__AT_FACTOR, 1, NULL, 0, 0);
        if (k->m.apply) {
            ga__kr_apply(k, t, at, 0);
            ga__kr_precond(k, w, t);
        } else {
            ga__kr_apply(k, w, at, 0);
        }
        ga__kr_pass(k, all, w, GA__STEP_GMRES_FIRST);
        ga__kr_pass(k, all, w, GA__STEP_GMRES_SECOND);
        ga__kr_dot(k, GA__STEP_GMRES_TURN, w, w, GA__AT_RR, 1);
        ga__kr_sum(k, next, w, GA__AT_FACTOR, 1, NULL, 0, 0);
    }
    ga__kr_dots(k, GA__STEP_GMRES_SOLVE, 0, NULL, NULL, NULL, 1);
    if (k->st || !n) return;
    ga__project p = {k->t, true, n, m, GA__AT_MORE + m * (m + 5) + 1,
                     (const double *)k->state->data, v->data, x->data};
    const ga_array *in[] = {v, k->state};
    k->st = ga__run_project(k->fn, k->d, &p, &x, 1, in, 2);
}
typedef struct ga__gmres { ga__krylov *k; ga_array *x, *v, *w, *r; } ga__gmres;
static void ga__gmres_step(void *arg) {
    ga__gmres *g = (ga__gmres *)arg;
    ga__kr_cycle(g->k, g->x, g->v, g->w, g->r, g->k->width);
    ga__kr_apply(g->k, g->r, g->x, 0);
    ga__kr_sum(g->k, g->r, g->k->b, -1, 1, g->r, -1, -1);
}
GA_API ga_array *(ga_gmres)(ga_operator a, const ga_array *b,
                            const ga_solve_options *o, ga_solve_info *info) {
    static const int rr_rho[] = {GA__AT_RR, GA__AT_RHO};
    GA_SCOPE;
    ga__krylov k;
    int m = o && o->restart > 0 ? o->restart : 20;
    if (m > a.shape[0]) m = a.shape[0] > 1 ? (int)a.shape[0] : 1;
    if (m > 1000) m = 1000;
    const int64_t slots = m * (m + 6) + 2, n = a.shape[0];
    if (!ga__kr_begin(&k, "ga_gmres", a, b, o, true, slots))
        return ga__kr_end(&k, NULL, info);
    k.width = m;
    k.slot_step = 1;
    ga__kr_start(&k, slots, 1e-5, 0, 10 * n);
    ga_array *r = ga__kr_new(&k, 0, n), *w = ga__kr_new(&k, 0, n);
    ga_array *v = ga__kr_new(&k, m + 1, n);
    ga__kr_dot(&k, GA__STEP_BEGIN, k.b, k.b, GA__AT_BB, 1);
    ga_array *x = ga__kr_x(&k, r);
    ga__gmres g = {&k, x, v, w, r};
    k.step = ga__gmres_step;
    k.step_arg = &g;
    k.look = 1;
    for (int64_t i = 0; !k.st; i++) {
        if (i < k.maxiter) ga__progress(k.fn, i, k.maxiter);
        const ga_array *z = ga__kr_precond(&k, w, r);
        ga__kr_dots(&k, GA__STEP_GMRES_BEGIN, 1 + (z != r),
                    (const ga_array *[]){r, z}, (const ga_array *[]){r, z},
                    rr_rho, 1);
        if (z == r) ga__kr_sum(&k, w, r, -1, 1, NULL, 0, 0);
        if (!k.st && !ga_asnumpy(k.state, k.seen)) k.st = ga__failed();
        if (k.st) break;
        if (k.seen[GA__AT_STATUS][0] != GA__RUNNING) break;
        if (i && k.o.callback && k.o.callback(k.o.arg, x, i,
                                              k.seen[GA__AT_RESIDUAL][0])) {
            k.seen[GA__AT_STATUS][0] = -1;
            break;
        }
        if (i == k.maxiter) {
            k.seen[GA__AT_STATUS][0] = GA__MAXITER;
            break;
        }
        ga__kr_go(&k, i, 2);
    }
    return ga__kr_end(&k, x, info);
}

/* LSQR and LSMR: the bidiagonalisation. u := b - A x and v begin it; neither is
   scaled to length 1, their factors are.                                   */
typedef struct ga__bidiag {
    ga__krylov *k;
    ga_array *u, *v, *tu, *tv;
    int count;                      /* of dampings                          */
    ga_array *x, *w, *h, *hbar;     /* LSQR: w; LSMR: the others, a row each */
} ga__bidiag;
static void ga__ls_begin(ga__krylov *k, ga__bidiag *g) {
    ga__kr_dot(k, GA__STEP_LS_U, g->u, g->u, GA__AT_RR, 1);
    ga__kr_apply(k, g->tv, g->u, GA_CONJ_TRANS);
    ga__kr_line(k, g->v);
    ga__kr_term(k, g->tv, GA__AT_FACTOR, 1);
    ga__kr_dot(k, GA__STEP_LS_BEGIN, g->v, g->v, GA__AT_PQ, g->count);
}
/* To the next u; v is the lines of the dots that follow. */
static void ga__ls_next(ga__krylov *k, ga__bidiag *g) {
    ga__kr_apply(k, g->tu, g->v, 0);
    ga__kr_line(k, g->u);
    ga__kr_term(k, g->tu, GA__AT_U, 1);
    ga__kr_term(k, g->u, GA__AT_UOLD, 1);
    ga__kr_dot(k, GA__STEP_LS_U, g->u, g->u, GA__AT_RR, 1);
    ga__kr_apply(k, g->tv, g->u, GA_CONJ_TRANS);
    ga__kr_line(k, g->v);
    ga__kr_term(k, g->tv, GA__AT_FACTOR, 1);
    ga__kr_term(k, g->v, GA__AT_OLD, 1);
}
#define GA__LS_AT(n) (GA__AT_MORE + GA__LS_##n)
/* What both begin with; the first x.  */
static ga_array *ga__ls_start(ga__krylov *k, ga__bidiag *g, const char *fn,
                              ga_operator a, const ga_array *b,
                              const double *damp, int n,
                              const ga_solve_options *o, int64_t maxiter) {
    if (n < 1 || n > 65535 || !damp) {
        ga__fail(GA_ERR_VALUE, fn, "%d dampings; 1 to 65535 are possible", n);
        return NULL;
    }
    const int64_t slots = (int64_t)n * GA__LS_SLOTS;
    if (!ga__kr_begin(k, fn, a, b, o, false, slots)) return NULL;
    for (int i = 0; i < n; i++)
        k->seen[GA__LS_AT(DAMP) + i * GA__LS_SLOTS][0] = damp[i];
    k->seen[GA__AT_CONLIM][0] = ga__kr_tolerance(k->o.conlim, 1e8);
    k->seen[GA__AT_BTOL][0] = ga__kr_tolerance(k->o.btol, 1e-6);
    k->slot_step = GA__LS_SLOTS;
    k->m.apply = NULL;
    ga__kr_start(k, slots, 0, 1e-6, maxiter);
    g->k = k;
    g->count = n;
    g->u = ga__kr_new(k, 0, a.shape[0]);
    g->tu = ga__kr_new(k, 0, a.shape[0]);
    g->v = ga__kr_new(k, 0, a.shape[1]);
    g->tv = ga__kr_new(k, 0, a.shape[1]);
    ga__kr_dot(k, GA__STEP_BEGIN, k->b, k->b, GA__AT_BB, 1);
    ga_array *x = ga__kr_x(k, g->u);
    ga__ls_begin(k, g);
    return k->st ? NULL : x;
}
static ga_array *ga__ls_end(ga__krylov *k, ga_array *x, ga_solve_info *info) {
    const int n = k->seen && x && x->ndim == 2 ? (int)x->shape[0] : 1;
    for (int i = 0; i < n && info && k->seen && !k->st && x; i++) {
        double (*d)[2] = k->seen + GA__AT_MORE + i * GA__LS_SLOTS;
        int64_t stop = (int64_t)d[GA__LS_STATUS][0];
        ga_solve_info r = {k->seen[GA__AT_STATUS][0] < 0 ? -1 : stop & 7,
                           (int64_t)d[GA__LS_ITER][0], d[GA__LS_NORMR][0],
                           d[GA__LS_NORMAR][0], d[GA__LS_NORMA][0],
                           d[GA__LS_CONDA][0], d[GA__LS_NORMX][0]};
        info[i] = r;
    }
    return ga__kr_end(k, x, NULL);
}
static void ga__lsqr_step(void *arg) {
    static const int pq_ww[] = {GA__AT_PQ, GA__AT_WW};
    ga__bidiag *g = (ga__bidiag *)arg;
    ga__krylov *k = g->k;
    ga__ls_next(k, g);
    ga__kr_dots(k, GA__STEP_LSQR_TURN, 2, (const ga_array *[]){g->v, g->w},
                (const ga_array *[]){g->v, g->w}, pq_ww, 1);
    ga__kr_line(k, g->x);
    ga__kr_term(k, g->x, -1, 1);
    ga__kr_term(k, g->w, GA__LS_AT(STEP), 1);
    ga__kr_line(k, g->w);
    ga__kr_term(k, g->v, GA__AT_U, 1);
    ga__kr_term(k, g->w, GA__LS_AT(H), 1);
    ga__kr_blend(k, 1, g->x->size, 0);
}
GA_API ga_array *(ga_lsqr)(ga_operator a, const ga_array *b, double damp,
                           const ga_solve_options *o, ga_solve_info *info) {
    GA_SCOPE;
    ga__krylov k = {0};
    ga__bidiag g;
    g.x = ga__ls_start(&k, &g, "ga_lsqr", a, b, &damp, 1, o, 2 * a.shape[1]);
    g.w = g.x ? ga__kr_new(&k, 0, g.x->size) : NULL;
    if (!g.w) return ga__ls_end(&k, NULL, info);
    ga__kr_sum(&k, g.w, g.v, GA__AT_U, 1, NULL, 0, 0);
    ga__kr_run(&k, g.x, ga__lsqr_step, &g);
    return ga__ls_end(&k, g.x, info);
}
static void ga__lsmr_step(void *arg) {
    ga__bidiag *g = (ga__bidiag *)arg;
    ga__krylov *k = g->k;
    ga__ls_next(k, g);
    ga__kr_dot(k, GA__STEP_LSMR_TURN, g->v, g->v, GA__AT_PQ, g->count);
    ga__kr_line(k, g->hbar);
    ga__kr_term(k, g->h, -1, 1);
    ga__kr_term(k, g->hbar, GA__LS_AT(HBAR), 1);
    ga__kr_line(k, g->x);
    ga__kr_term(k, g->x, -1, 1);
    ga__kr_term(k, g->hbar, GA__LS_AT(STEP), 1);
    ga__kr_line(k, g->h);
    ga__kr_term(k, g->v, GA__LS_AT(V), 1);
    ga__kr_term(k, g->h, GA__LS_AT(H), 1);
    ga__kr_dot(k, GA__STEP_LSMR_TEST, g->x, g->x, GA__LS_AT(XX), g->count);
}
static ga_array *ga__lsmr(const char *fn, ga_operator a, const ga_array *b,
                          const double *damp, int count,
                          const ga_solve_options *o, ga_solve_info *info) {
    GA_SCOPE;
    ga__krylov k = {0};
    ga__bidiag g;
    const int64_t n = a.shape[1];
    ga_array *start = ga__ls_start(&k, &g, fn, a, b, damp, count, o,
                                   a.shape[0] < n ? a.shape[0] : n);
    if (!start) return ga__ls_end(&k, NULL, info);
    g.h = ga__kr_new(&k, count, n);
    g.hbar = ga__kr_new(&k, count, n);
    g.x = ga__kr_new(&k, count, n);
    if (!k.st && (ga_assign)(g.x, start)) k.st = ga__failed();
    ga__kr_line(&k, g.h);
    ga__kr_term(&k, g.v, GA__LS_AT(V), 1);
    ga__kr_blend(&k, count, n, GA__LS_SLOTS);
    ga__kr_run(&k, g.x, ga__lsmr_step, &g);
    return ga__ls_end(&k, g.x, info);
}
GA_API ga_array *(ga_lsmr)(ga_operator a, const ga_array *b, double damp,
                           const ga_solve_options *o, ga_solve_info *info) {
    GA_SCOPE;
    ga_array *x = ga__lsmr("ga_lsmr", a, b, &damp, 1, o, info);
    if (x) x = (ga_index_axis)(x, 0, 0);
    return x ? ga_keep(x) : NULL;
}
GA_API ga_array *(ga_lsmr_many)(ga_operator a, const ga_array *b,
                                const double *damp, int n,
                                const ga_solve_options *o,
                                ga_solve_info *info) {
    static const char fn[] = "ga_lsmr_many";
    if (o && (o->x0 || o->callback))
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "x0 and callback have no "
                                    "meaning here");
    return ga__lsmr(fn, a, b, damp, n, o, info);
}

/* ------------------------------------------------------------ triangles */
/* x := inv(op(T)) x in place, both of one dtype; see solve_triangular. */
static ga_status ga__sparse_triangle(const char *fn, ga__device *d, const ga_sparse *a,
                              ga_array *x, unsigned flags) {
    const unsigned turns = flags & (GA_TRANS | GA_CONJ_TRANS);
    const int64_t n = a->shape[0];
    ga_sparse *own;
    const ga_sparse *r = ga__sparse_along(fn, a, turns ? GA_CSC : GA_CSR, &own);
    if (!r) return ga__failed();
    ga__trisolve q = {{NULL, NULL}, x->dtype, r->indices->dtype == GA_INT64,
                      (turns & GA_CONJ_TRANS) && ga__kind(x->dtype) == 'c',
                      !(flags & GA_LOWER) == !!turns,
                      (flags & GA_UNIT_DIAGONAL) != 0, n, n ? x->size / n : 0,
                      r->indptr->data, r->indices->data, r->data->data, x->data};
    const ga_array *in[] = {r->indptr, r->indices, r->data};
    ga_status st = x->size ? ga__run_trisolve(fn, d, &q, &x, 1, in, 3) : GA_OK;
    ga__sparse_drop(own);
    return st;
}
/* A square matrix, and right-hand sides that fit it? */
static bool ga__sparse_system(const char *fn, const ga_sparse *a,
                              const ga_array *b) {
    const int64_t n = a->shape[0];
    if (a->shape[1] != n) {
        ga__fail(GA_ERR_SQUARE, fn, "a has shape (%" PRId64 ",%" PRId64 ")", n,
                 a->shape[1]);
        return false;
    }
    if (b->ndim >= 1 && b->ndim <= 2 && b->shape[0] == n) return true;
    ga__fail(GA_ERR_SHAPE, fn, "a of shape (%" PRId64 ",%" PRId64 ") and b of "
             "shape %s do not fit", n, n, ga__shape_text(b->ndim, b->shape));
    return false;
}
GA_API ga_array *ga_sparse_solve_triangular(const ga_sparse *a,
                                            const ga_array *b,
                                            unsigned flags) {
    static const char fn[] = "ga_sparse_solve_triangular";
    const unsigned turns = flags & (GA_TRANS | GA_CONJ_TRANS);
    GA_SCOPE;
    if (!ga__sparse_begin(fn, &a)
        || !ga__flags_ok(fn, flags, GA_LOWER | GA_TRANS | GA_CONJ_TRANS
                                    | GA_UNIT_DIAGONAL)
        || !ga__sparse_flags(fn, turns)) return NULL;
    const ga_array *in[] = {a->data, b};
    ga__device *d = ga__begin(fn, in, 2, NULL, (ga_array *[]){NULL});
    if (!d) return NULL;
    const int64_t n = a->shape[0];
    if (!ga__sparse_system(fn, a, b)) return NULL;
    ga_dtype t = ga__sparse_dtype(ga_promote_types(a->dtype, b->dtype));
    if (a->dtype != t) a = ga_sparse_astype(a, t);
    ga_array *x = a ? ga_astype(b, t) : NULL;
    if (x) x = ga_copy(x);          /* in C order                           */
    if (!x) return NULL;
    if (!(flags & GA_UNIT_DIAGONAL) && n) {
        ga_array *zero = ga_equal(ga_sparse_diagonal(a), 0);
        ga_array *at = ga_argmax(zero, GA_ALL), *some = ga_any(zero, GA_ALL);
        int64_t i = at ? ga_item_i64(at) : 0, bad = some ? ga_item_i64(some) : 0;
        if (ga_error()) return NULL;
        if (bad)
            return (ga_array *)GA__NULL(GA_ERR_SINGULAR, fn, "element (%" PRId64
                ",%" PRId64 ") of the diagonal is 0", i, i);
    }
    return ga__sparse_triangle(fn, d, a, x, flags) ? NULL : ga_keep(x);
}

/* ------------------------------------------------------------- factors */
/* a's factor: square, csr, with entries of its own and a whole diagonal; of ic0
   the lower triangle.                                                      */
static ga_sparse *ga__factor_start(const char *fn, const ga_sparse *a, bool lower) {
    GA_SCOPE;
    if (!ga__sparse_begin(fn, &a)) return NULL;
    const int64_t n = a->shape[0];
    if (a->shape[1] != n)
        return (ga_sparse *)GA__NULL(GA_ERR_SQUARE, fn, "a has shape (%" PRId64
                                     ",%" PRId64 ")", n, a->shape[1]);
    ga_sparse *r = ga_sparse_to(a, GA_CSR);
    ga_array *row, *col;
    if (!r || ga_sparse_tocoo(r, &row, &col, NULL)) return NULL;
    ga_array *on = ga_equal(row, col);
    ga_array *key = ga_mask(row, on);
    if (!key) return NULL;
    if (key->size < n) {            /* the first row that is not in key     */
        ga_array *in = ga_isin(ga_arange_as(0, n, 1, GA_INT64), key, 0);
        ga_array *at = ga_argmin(in, GA_ALL);
        const int64_t i = at ? ga_item_i64(at) : 0;
        return ga_error() ? NULL : (ga_sparse *)GA__NULL(GA_ERR_SINGULAR, fn,
            "a has no place (%" PRId64 ",%" PRId64 ")", i, i);
    }
    if (lower) {
        ga_array *in = ga_greater_equal(row, col);
        key = ga_mask(ga__sparse_keys(r), in);
        ga_array *v = ga_mask(r->data, in);
        r = key && v ? ga__sparse_of_keys(fn, key, v, n, n) : NULL;
    } else {
        r = ga_sparse_with(r, ga_copy(r->data));
    }
    return r ? ga_sparse_keep(r) : NULL;
}
static ga_sparse *ga__sparse_factor(const char *fn, const ga_sparse *a, bool ic) {
    GA_SCOPE;
    ga_sparse *f = ga__factor_start(fn, a, ic);
    ga_array *bad = f ? ga_full(GA_SHAPE(1), INT64_MAX, GA_INT64) : NULL;
    if (!bad) return NULL;
    ga__incomplete q = {{NULL, NULL}, f->dtype, f->indices->dtype == GA_INT64,
                        ic, f->shape[0], f->indptr->data, f->indices->data,
                        f->data->data, (int64_t *)bad->data};
    ga_array *out[] = {f->ga__own->data, bad};
    const ga_array *in[] = {f->indptr, f->indices};
    if (q.n && ga__run_incomplete(fn, f->ga__own->data->ga__buf->dev, &q, out, 2,
                                  in, 2)) return NULL;
    const int64_t i = ga_item_i64(bad);
    if (ga_error()) return NULL;
    if (i != INT64_MAX)
        return (ga_sparse *)GA__NULL(ic ? GA_ERR_NOT_POSITIVE_DEFINITE
            : GA_ERR_SINGULAR, fn, ic ? "the pivot of row %" PRId64 " is not "
            "positive" : "the pivot of row %" PRId64 " is 0", i);
    return ga_sparse_keep(f);
}
GA_API ga_sparse *ga_sparse_ilu0(const ga_sparse *a) {
    return ga__sparse_factor("ga_sparse_ilu0", a, false);
}
GA_API ga_sparse *ga_sparse_ic0(const ga_sparse *a) {
    return ga__sparse_factor("ga_sparse_ic0", a, true);
}
/* y := inv(the second) inv(the first) x, two triangles of one matrix. */
static ga_status ga__apply_factors(const ga_sparse *f, ga_array *y,
                                   const ga_array *x, unsigned first,
                                   unsigned second) {
    static const char fn[] = "ga_sparse_solve_triangular";
    GA_SCOPE;
    if (f->dtype != y->dtype) f = ga_sparse_astype(f, y->dtype);
    if (!f || ga_assign(y, x)) return ga__failed();
    ga__device *d = y->ga__buf->dev;
    ga_status st = ga__sparse_triangle(fn, d, f, y, first);
    return st ? st : ga__sparse_triangle(fn, d, f, y, second);
}
static ga_status ga__apply_ilu0(void *arg, ga_array *y, const ga_array *x,
                                unsigned flags) {
    const unsigned low = GA_LOWER | GA_UNIT_DIAGONAL;
    return ga__apply_factors((const ga_sparse *)arg, y, x, flags ? flags : low,
                             flags ? flags | low : 0);
}
static ga_status ga__apply_ic0(void *arg, ga_array *y, const ga_array *x,
                               unsigned flags) {
    (void)flags;                    /* L L^H is hermitian                   */
    return ga__apply_factors((const ga_sparse *)arg, y, x, GA_LOWER,
                             GA_LOWER | GA_CONJ_TRANS);
}
GA_API ga_operator ga_ilu0_operator(const ga_sparse *f) {
    return ga__sparse_as("ga_ilu0_operator", f, ga__apply_ilu0);
}
GA_API ga_operator ga_ic0_operator(const ga_sparse *f) {
    return ga__sparse_as("ga_ic0_operator", f, ga__apply_ic0);
}

/* ------------------------------------------------------------- cuDSS
   NVIDIA's sparse LU, opened at its first use as >>i-libs opens others. Its
   header is not asked for: of 0.8 to 1.x this is what is used, with Execute for
   cudssExecute, void * for objects, int for enums. Older ones have another
   MatrixCreateCsr: they count as none.                                     */
#ifndef GPUARR_NO_CUDA
#define GA__CUDSS(X)                                                        \
    X(GetProperty, (libraryPropertyType, int *))                            \
    X(Create, (void **))              X(Destroy, (void *))                  \
    X(SetStream, (void *, cudaStream_t))                                    \
    X(SetDeviceMemHandler, (void *, const ga__cudss_memory *))              \
    X(ConfigCreate, (void **))        X(ConfigDestroy, (void *))            \
    X(ConfigSet, (void *, int, const void *, size_t))                       \
    X(DataCreate, (void *, void **))  X(DataDestroy, (void *, void *))      \
    X(DataGet, (void *, void *, int, void *, size_t, size_t *))             \
    X(MatrixCreateDn, (void **, int64_t, int64_t, int64_t, const void *,    \
      cudaDataType_t, int))                                                 \
    X(MatrixCreateCsr, (void **, int64_t, int64_t, int64_t, const void *,   \
      const void *, const void *, const void *, cudaDataType_t,             \
      cudaDataType_t, cudaDataType_t, int, int, int))                       \
    X(MatrixDestroy, (void *))                                              \
    X(Execute, (void *, int, void *, void *, void *, void *, void *))
enum {
    GA__CUDSS_GENERAL = 0,          /* CUDSS_MTYPE_GENERAL                  */
    GA__CUDSS_FULL = 0,             /* CUDSS_MVIEW_FULL                     */
    GA__CUDSS_FROM_0 = 0,           /* CUDSS_BASE_ZERO                      */
    GA__CUDSS_COLUMNS = 0,          /* CUDSS_LAYOUT_COL_MAJOR               */
    GA__CUDSS_MATCHING = 3,         /* CUDSS_CONFIG_MATCHING_ALG: an int    */
    GA__CUDSS_PRODUCT = 5,          /* CUDSS_MATCHING_ALG_MAX_DIAG_PRODUCT  */
    GA__CUDSS_REFINE = 5,           /* CUDSS_CONFIG_IR_N_STEPS: an int      */
    GA__CUDSS_INFO = 0,             /* CUDSS_DATA_INFO: an int              */
    GA__CUDSS_NPIVOTS = 2,          /* CUDSS_DATA_NPIVOTS: as an index      */
    GA__CUDSS_ANALYSE = 3,          /* CUDSS_PHASE_ANALYSIS                 */
    GA__CUDSS_FACTORISE = 4,        /* CUDSS_PHASE_FACTORIZATION            */
    GA__CUDSS_SOLVE = 1008          /* CUDSS_PHASE_SOLVE                    */
};
typedef struct ga__cudss_memory {   /* cudssDeviceMemHandler_t              */
    void *ctx;
    int (*device_alloc)(void *ctx, void **p, size_t bytes, cudaStream_t s);
    int (*device_free)(void *ctx, void *p, size_t bytes, cudaStream_t s);
    char name[64];
} ga__cudss_memory;
#define GA__X(n, args) int (*n) args;
static struct ga__cudss { GA__CUDSS(GA__X) } ga__cudss;
#undef GA__X
#define GA__X(n, args) \
    {GA__STR(cudss##n), offsetof(struct ga__cudss, n), false},
static const ga__symbol ga__cudss_names[] = {GA__CUDSS(GA__X) {NULL, 0, false}};
#undef GA__X
static ga__library ga__lib_cudss = {
    {"libcudss.so.1", "libcudss.so.0", "libcudss.so", NULL},
    ga__cudss_names, &ga__cudss, PTHREAD_ONCE_INIT, false, ""};
static void ga__load_cudss(void) {
    int major = 0, minor = 0;
    ga__library_load(&ga__lib_cudss);
    if (ga__lib_cudss.ready)
        ga__lib_cudss.ready = !ga__cudss.GetProperty(MAJOR_VERSION, &major)
                              && !ga__cudss.GetProperty(MINOR_VERSION, &minor)
                              && (major == 1 || (major == 0 && minor >= 8));
}

/* Its memory is the pool's, in the order of the thread's stream; should it work
   on another one, that is waited for.                                      */
typedef struct ga__cudss_block {
    struct ga__cudss_block *next;
    ga__buffer *b;
} ga__cudss_block;
typedef struct ga__cudss_use {
    const char *fn;
    ga__device *d;
    ga_stream *s;
    ga__cudss_block *first;
} ga__cudss_use;
static int ga__cudss_alloc(void *ctx, void **p, size_t bytes, cudaStream_t on) {
    ga__cudss_use *u = (ga__cudss_use *)ctx;
    const cudaStream_t s = ga__handle_of(u->s);
    ga__cudss_block *k = (ga__cudss_block *)GA_MALLOC(sizeof *k);
    ga__buffer *b = k ? ga__buffer_new(u->fn, u->d, bytes ? bytes : 1) : NULL;
    if (!b || (on != s && cudaStreamSynchronize(s))) {
        ga__release(b);
        GA_FREE(k);
        return 1;
    }
    k->b = b;
    k->next = u->first;
    u->first = k;
    *p = b->ptr;
    return 0;
}
static int ga__cudss_free(void *ctx, void *p, size_t bytes, cudaStream_t on) {
    ga__cudss_use *u = (ga__cudss_use *)ctx;
    ga__cudss_block **at = &u->first, *k;
    (void)bytes;
    while (*at && (*at)->b->ptr != p) at = &(*at)->next;
    if (!(k = *at)) return p != NULL;
    int e = on != ga__handle_of(u->s) && cudaStreamSynchronize(on);
    *at = k->next;
    ga__release(k->b);
    GA_FREE(k);
    return e;
}
/* y := inv(a) b, a csr, b and y a row for each column, of one dtype. false: it
   did not go, or pivots were made up. A handle a call: nothing is kept.    */
static bool ga__cudss_lu(const char *fn, ga__device *d, ga_array *y,
                         const ga_sparse *a, const ga_array *b) {
    const struct ga__cudss *f = &ga__cudss;
    const cudaDataType_t t = ga__cuda_type(a->dtype);
    const cudaDataType_t i = a->indices->dtype == GA_INT64 ? CUDA_R_64I
                                                           : CUDA_R_32I;
    const int64_t n = a->shape[0], cols = b->size / n;
    const int product = GA__CUDSS_PRODUCT, steps = 2;
    const ga_array *in[] = {a->indptr, a->indices, a->data, b};
    void *h = NULL, *c = NULL, *data = NULL;
    void *m = NULL, *from = NULL, *to = NULL;
    ga__cudss_use u = {fn, d, ga__stream(d), NULL};
    const ga__cudss_memory memory = {&u, ga__cudss_alloc, ga__cudss_free,
                                     "gpuarr"};
    const cudaStream_t s = ga__handle_of(u.s);
    int64_t pivots = 0;             /* of 4 bytes or 8                      */
    int info = 0, before;
    size_t size = 0;
    ga_status st = ga__writes(fn, y, u.s);
    for (int k = 0; k < 4 && !st; k++) st = ga__reads(fn, in[k], u.s);
    if (st) return false;
    ga__span span = ga__span_begin(d, fn, "cuDSS", u.s, NAN);
    cudaError_t e = ga__cuda_enter(d, &before);
    bool good = !e && !f->Create(&h) && !f->SetStream(h, s)
        && !f->SetDeviceMemHandler(h, &memory) && !f->ConfigCreate(&c)
        && !f->ConfigSet(c, GA__CUDSS_MATCHING, &product, sizeof product)
        && !f->ConfigSet(c, GA__CUDSS_REFINE, &steps, sizeof steps)
        && !f->DataCreate(h, &data)
        && !f->MatrixCreateCsr(&m, n, n, a->nnz, a->indptr->data, NULL,
                               a->indices->data, a->data->data, i, i, t,
                               GA__CUDSS_GENERAL, GA__CUDSS_FULL,
                               GA__CUDSS_FROM_0)
        && !f->MatrixCreateDn(&from, n, cols, n, b->data, t, GA__CUDSS_COLUMNS)
        && !f->MatrixCreateDn(&to, n, cols, n, y->data, t, GA__CUDSS_COLUMNS)
        && !f->Execute(h, GA__CUDSS_ANALYSE, c, data, m, to, from)
        && !f->Execute(h, GA__CUDSS_FACTORISE, c, data, m, to, from)
        && !f->DataGet(h, data, GA__CUDSS_INFO, &info, sizeof info, &size)
        && !f->DataGet(h, data, GA__CUDSS_NPIVOTS, NULL, 0, &size)
        && size <= sizeof pivots
        && !f->DataGet(h, data, GA__CUDSS_NPIVOTS, &pivots, size, &size)
        && !info && !pivots
        && !f->Execute(h, GA__CUDSS_SOLVE, c, data, m, to, from);
    if (!e) e = cudaStreamSynchronize(s);
    if (to) f->MatrixDestroy(to);
    if (from) f->MatrixDestroy(from);
    if (m) f->MatrixDestroy(m);
    if (data) f->DataDestroy(h, data);
    if (c) f->ConfigDestroy(c);
    if (h) f->Destroy(h);
    while (u.first) ga__cudss_free(&u, u.first->b->ptr, 0, s);
    st = ga__span_end(&span, ga__cuda_leave(fn, d, before, e));
    return good && !st;
}
/* x of dtype t, computed in `wide`; NULL: the host is to be asked. No residual
   with NaN is small.                                                       */
static ga_array *ga__cudss_solve(const char *fn, ga__device *d,
                                 const ga_sparse *a, const ga_array *b,
                                 ga_dtype wide, ga_dtype t) {
    GA_SCOPE;
    bool finite = false;
    pthread_once(&ga__lib_cudss.once, ga__load_cudss);
    if (!ga__lib_cudss.ready || !a->nnz) return NULL;
    ga_sparse *r = ga_sparse_to(a, GA_CSR);
    if (r && r->dtype != wide) r = ga_sparse_astype(r, wide);
    if (!r || ga__finite(fn, r->data, &finite) || !finite) return NULL;
    ga_array *rows = ga_astype(ga_transpose(b, GA_ALL), wide);
    ga_array *y = rows ? ga_empty_like(rows) : NULL;
    if (!y || !ga__cudss_lu(fn, d, y, r, rows)) return NULL;
    ga_array *x = ga_transpose(y, GA_ALL);
    ga_array *off = ga_abs(ga_sub(ga_sparse_matmul(r, x, 0),
                                  ga_transpose(rows, GA_ALL)));
    ga_array *most = ga_mul(ga_max(ga_abs(x), GA_AXIS(0)),
                            ga_sparse_norm(r, (double)INFINITY));
    ga_array *small = ga_all(ga_less_equal(ga_max(off, GA_AXIS(0)),
                                           ga_mul(most, 1e-12)), GA_ALL);
    x = small && ga_item_i64(small) ? ga_astype(x, t) : NULL;
    return x ? ga_keep(x) : NULL;
}
#endif

/* b becomes the solution; on the CPU, of one dtype. */
static ga_status ga__spsolve(const char *fn, const ga_sparse *a, ga_array *b) {
    GA_SCOPE;
    void *block[GA__SPLU_BLOCKS] = {NULL};
    int64_t bad = -1;
    ga_sparse *c = ga_sparse_to(a, GA_CSC);
    if (!c) return ga__failed();
    ga_array *ptr = ga_astype(c->indptr, GA_INT64);
    ga_array *idx = ga_astype(c->indices, GA_INT64);
    if (!ptr || !idx) return ga__failed();
    ga__splu q = {a->dtype, a->shape[0], a->shape[0] ? b->size / a->shape[0] : 0,
                  (const int64_t *)ptr->data, (const int64_t *)idx->data,
                  c->data->data, b->data, &bad, ga__sparse_grow, block};
    const ga_array *in[] = {ptr, idx, c->data};
    ga_status st = b->size ? ga__run_splu(fn, b->ga__buf->dev, &q, &b, 1, in, 3)
                           : GA_OK;
    for (int i = 0; i < GA__SPLU_BLOCKS; i++) GA_FREE(block[i]);
    if (!st && bad == GA__LU_MEMORY)
        st = ga__fail(GA_ERR_HOST_MEMORY, fn, "the factors");
    else if (!st && bad >= 0)
        st = ga__fail(GA_ERR_SINGULAR, fn, "column %" PRId64 " has no pivot", bad);
    return st;
}
GA_API ga_array *ga_spsolve(const ga_sparse *a, const ga_array *b) {
    static const char fn[] = "ga_spsolve";
    GA_SCOPE;
    if (!ga__sparse_ok(fn, a)) return NULL;
    const ga_array *in[] = {a->data, b};
    ga__device *d = ga__begin(fn, in, 2, NULL, (ga_array *[]){NULL});
    if (!d || !ga__sparse_system(fn, a, b)) return NULL;
    ga_dtype t = ga__sparse_dtype(ga_promote_types(a->dtype, b->dtype));
    ga_dtype wide = ga__kind(t) == 'c' ? GA_COMPLEX128 : GA_FLOAT64;
    ga_array *x = NULL;
#ifndef GPUARR_NO_CUDA
    if (d->id != GA_CPU && b->size && !ga__me.capture) {
        /* This wait tells what went wrong before; cuDSS may fail untold.   */
        if (d->be->stream_sync(d, fn, ga__stream(d))) return NULL;
        const bool tried = ga__me.tries;
        ga__me.tries = true;
        x = ga__cudss_solve(fn, d, a, b, wide, t);
        ga__me.tries = tried;
        if (x) return ga_keep(x);
    }
#endif
    ga_sparse *host = ga_sparse_to_device(a, GA_CPU);
    x = host ? ga_to_device(b, GA_CPU) : NULL;
    if (!x) return NULL;
    {
        GA_DEVICE(GA_CPU);
        host = ga_sparse_astype(host, wide);
        x = host ? ga_copy(ga_astype(x, wide)) : NULL;
        if (!x || ga__spsolve(fn, host, x)) return NULL;
        x = ga_astype(x, t);
    }
    x = x ? ga_to_device(x, a->device) : NULL;
    return x ? ga_keep(x) : NULL;
}

/* ---------------------------------------------------------- eigenvalues */
/* Jacobi's method: t, symmetric m by m, becomes diagonal, s its eigenvectors as
   columns.                                                                 */
static void ga__jacobi(double *t, double *s, int m) {
    for (int i = 0; i < m * m; i++) s[i] = i % (m + 1) == 0;
    for (int sweep = 0; sweep < 40; sweep++) {
        double off = 0, on = 0;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                *(i == j ? &on : &off) += t[i * m + j] * t[i * m + j];
        if (off <= 1e-34 * on || off == 0) return;
        for (int p = 0; p < m; p++)
            for (int q = p + 1; q < m; q++) {
                const double apq = t[p * m + q];
                if (apq == 0) continue;
                double theta = (t[q * m + q] - t[p * m + p]) / (2 * apq);
                double tan = (theta >= 0 ? 1 : -1) / (fabs(theta)
                                                      + hypot(theta, 1));
                double c = 1 / hypot(tan, 1), sn = tan * c;
                for (int i = 0; i < m; i++) {
                    double x = t[i * m + p], y = t[i * m + q];
                    t[i * m + p] = c * x - sn * y;
                    t[i * m + q] = sn * x + c * y;
                }
                for (int i = 0; i < m; i++) {
                    double x = t[p * m + i], y = t[q * m + i];
                    t[p * m + i] = c * x - sn * y;
                    t[q * m + i] = sn * x + c * y;
                    x = s[i * m + p];
                    y = s[i * m + q];
                    s[i * m + p] = c * x - sn * y;
                    s[i * m + q] = sn * x + c * y;
                }
            }
    }
}
/* How much eigenvalue x is wanted: the more the larger. */
static double ga__wanted(ga_which which, double x) {
    return which == GA_LARGEST_MAGNITUDE ? fabs(x)
           : which == GA_LARGEST_ALGEBRAIC ? x : -x;
}
typedef struct ga__lanczos {
    ga_array *v, *w;                /* m + 1 rows; a vector                 */
    int m, kept;                    /* columns before the first new one     */
    double *t, *s, *work;           /* m by m; theirs follows               */
    int *order;                     /* of the eigenvalues, wanted first     */
    double last;                    /* what couples the last v              */
} ga__lanczos;
/* Columns kept .. m - 1 of the basis, then t's eigenvectors. Returns how many
   columns there are: fewer than m where the space is invariant.            */
static int ga__lanczos_cycle(ga__krylov *k, ga__lanczos *l, ga_which which) {
    const int m = l->m;
    for (int j = l->kept; j < m && !k->st; j++) {
        GA_SCOPE;
        ga_array *at = (ga_index_axis)(l->v, 0, j);
        ga_array *next = (ga_index_axis)(l->v, 0, j + 1);
        ga_array *all = (ga_slice_axis)(l->v, 0, 0, j + 1, 1);
        if (!at || !next || !all) {
            k->st = ga__failed();
            break;
        }
        k->column = j;
        ga__kr_apply(k, l->w, at, 0);
        ga__kr_pass(k, all, l->w, GA__STEP_GMRES_FIRST);
        ga__kr_pass(k, all, l->w, GA__STEP_GMRES_SECOND);
        ga__kr_dot(k, GA__STEP_LANCZOS, l->w, l->w, GA__AT_RR, 1);
        ga__kr_sum(k, next, l->w, GA__AT_FACTOR, 1, NULL, 0, 0);
    }
    if (!k->st && !ga_asnumpy(k->state, k->seen)) k->st = ga__failed();
    if (k->st) return 0;
    double scale = 0;
    int size = m;
    for (int j = l->kept; j < m; j++) {
        double (*h)[2] = k->seen + GA__AT_MORE + j * (m + 2);
        for (int i = 0; i <= j; i++)
            l->t[i * m + j] = l->t[j * m + i] = h[i][0];
        l->last = h[j + 1][0];
        scale = fmax(scale, fmax(fabs(h[j][0]), l->last));
        if (l->last <= 4e-16 * scale * sqrt((double)m)) {
            size = j + 1;
            break;
        }
    }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) l->work[i * size + j] = l->t[i * m + j];
    ga__jacobi(l->work, l->s, size);
    for (int i = 0; i < size; i++) {
        int at = i;
        double x = ga__wanted(which, l->work[i * (size + 1)]);
        for (; at && ga__wanted(which, l->work[l->order[at - 1] * (size + 1)])
               < x; at--) l->order[at] = l->order[at - 1];
        l->order[at] = i;
    }
    return size;
}
/* Rows 0 .. n-1 := those of the eigenvectors in `order`. */
static ga_array *ga__lanczos_rows(ga__krylov *k, const ga__lanczos *l, int size,
                                  const int *order, int n) {
    GA_SCOPE;
    double *c = (double *)GA_MALLOC((size_t)(n * size) * sizeof *c);
    if (!c) return (ga_array *)GA__NULL(GA_ERR_HOST_MEMORY, k->fn, NULL);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < size; j++)
            c[i * size + j] = l->s[j * size + order[i]];
    ga_array *f = ga_asarray_as(c, GA_FLOAT64, GA_SHAPE(n, size));
    GA_FREE(c);
    if (f) f = ga_astype(f, k->t);
    ga_array *r = ga_matmul(f, ga_slice_axis(l->v, 0, 0, size, 1));
    return r ? ga_keep(r) : NULL;
}
static ga_status ga__lanczos_restart(ga__krylov *k, ga__lanczos *l, int keep) {
    GA_SCOPE;
    const int m = l->m;
    ga_array *rows = ga__lanczos_rows(k, l, m, l->order, keep);
    ga_array *end = ga_copy(ga_index_axis(l->v, 0, m));
    if (!rows || !end || ga_assign(ga_slice_axis(l->v, 0, 0, keep, 1), rows)
        || ga_assign(ga_index_axis(l->v, 0, keep), end)) return ga__failed();
    for (int i = 0; i < m * m; i++) l->t[i] = 0;
    for (int i = 0; i < keep; i++)
        l->t[i * (m + 1)] = l->work[l->order[i] * (m + 1)];
    l->kept = keep;
    return GA_OK;
}
/* The k eigenpairs: values to w, ascending, vectors as rows. */
static ga_array *ga__lanczos_run(ga__krylov *kr, ga__lanczos *l, int k,
                                 ga_which which, double tol, double *w) {
    double eps = kr->t == GA_FLOAT32 || kr->t == GA_COMPLEX64 ? FLT_EPSILON
                                                              : DBL_EPSILON;
    for (int64_t turn = 0; turn <= kr->maxiter; turn++) {
        if (turn < kr->maxiter) ga__progress(kr->fn, turn, kr->maxiter);
        int size = ga__lanczos_cycle(kr, l, which), done = 0;
        if (kr->st) return NULL;
        if (size < k) break;
        double norm = pow(eps, 2.0 / 3);        /* about a's                */
        for (int i = 0; i < size; i++)
            norm = fmax(norm, fabs(l->work[i * (size + 1)]));
        for (int i = 0; i < k; i++) {
            double x = fabs(l->work[l->order[i] * (size + 1)]);
            double off = fabs(l->last * l->s[(size - 1) * size + l->order[i]]);
            done += off <= fmax(tol * x, eps * norm);
        }
        if (done == k || size < l->m) {
            for (int i = 1; i < k; i++) {       /* ascending                */
                int at = i, o = l->order[i];
                for (; at && l->work[l->order[at - 1] * (size + 1)]
                             > l->work[o * (size + 1)]; at--)
                    l->order[at] = l->order[at - 1];
                l->order[at] = o;
            }
            for (int i = 0; i < k; i++) w[i] = l->work[l->order[i] * (size + 1)];
            return ga__lanczos_rows(kr, l, size, l->order, k);
        }
        int keep = k + (l->m - k) / 2;
        if (keep > l->m - 1) keep = l->m - 1;
        if (ga__lanczos_restart(kr, l, keep)) return NULL;
    }
    return (ga_array *)GA__NULL(GA_ERR_NOT_CONVERGED, kr->fn, "fewer than %d "
                                "eigenvalues converged", k);
}
static ga_array *ga__eigsh(const char *fn, ga_operator a, int k, ga_which which,
                           const ga_eigs_options *o, ga_array **values) {
    GA_SCOPE;
    static const ga_eigs_options usual;
    ga__krylov kr = {0};
    ga__lanczos l = {0};
    const int64_t n = a.shape[0];
    if (!o) o = &usual;
    if (n >= 0 && (k < 1 || k >= n || o->ncv < 0 || o->maxiter < 0
                   || (o->ncv && (o->ncv <= k || o->ncv > n))))
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "%d eigenvalues with ncv "
            "%d of a matrix of %" PRId64 " rows", k, o->ncv, n);
    l.m = o->ncv ? o->ncv : 2 * k + 1 > 20 ? 2 * k + 1 : 20;
    if (l.m > n) l.m = (int)n;
    ga_array *b = n < 0 ? NULL : ga_sin(ga_mul(ga_arange_as(1, n + 1, 1,
                                                            GA_FLOAT64), 1.7));
    if (b) b = ga_astype(b, ga__sparse_dtype(a.dtype));
    const int64_t slots = l.m * (l.m + 6) + 2;
    ga_array *r = NULL;
    l.t = (double *)GA_MALLOC((size_t)(3 * l.m * l.m + 2 * l.m + 1)
                              * sizeof *l.t);
    if (!l.t) ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    if (l.t && b && ga__kr_begin(&kr, fn, a, b, NULL, true, slots)) {
        memset(l.t, 0, (size_t)(3 * l.m * l.m) * sizeof *l.t);
        l.s = l.t + l.m * l.m;
        l.work = l.s + l.m * l.m;
        double *w = l.work + l.m * l.m;
        l.order = (int *)(w + l.m);
        kr.width = l.m;
        kr.slot_step = 1;
        kr.o.maxiter = o->maxiter;
        ga__kr_start(&kr, slots, 0, 0, 10 * n);
        l.v = ga__kr_new(&kr, l.m + 1, n);
        l.w = ga__kr_new(&kr, 0, n);
        ga_array *first = l.v ? ga_index_axis(l.v, 0, 0) : NULL;
        ga_array *one = ga_div(kr.b, ga_norm(kr.b, GA_NORM, GA_ALL));
        if (!first || !one || ga_assign(first, one)) kr.st = ga__failed();
        if (!kr.st) r = ga__lanczos_run(&kr, &l, k, which, o->tol, w);
        ga__progress(fn, 1, 1);
        ga_array *e = r ? ga_asarray_as(w, GA_FLOAT64, GA_SHAPE(k)) : NULL;
        *values = e ? ga_astype(e, kr.t == GA_FLOAT32 || kr.t == GA_COMPLEX64
                                   ? GA_FLOAT32 : GA_FLOAT64) : NULL;
        if (*values) ga_keep(*values);
        else r = NULL;
    }
    GA_FREE(kr.seen);
    GA_FREE(l.t);
    return r ? ga_keep(r) : NULL;
}
GA_API ga_status (ga_eigsh)(ga_operator a, int k, ga_which which,
                            const ga_eigs_options *o, ga_array **w,
                            ga_array **v) {
    GA_SCOPE;
    ga_array *values = NULL;
    ga_array *rows = ga__eigsh("ga_eigsh", a, k, which, o, &values);
    ga_array *cols = rows ? ga_copy(ga_transpose(rows, GA_ALL)) : NULL;
    if (!cols) return ga__failed();
    if (w) *w = ga_keep(values);
    if (v) *v = ga_keep(cols);
    return GA_OK;
}
/* A^H A, or A A^H where A is wide. */
typedef struct ga__gram { ga_operator a; bool wide; ga_array *t; } ga__gram;
static ga_status ga__apply_gram(void *arg, ga_array *y, const ga_array *x,
                                unsigned flags) {
    ga__gram *g = (ga__gram *)arg;
    (void)flags;
    ga_status st = g->a.apply(g->a.arg, g->t, x, g->wide ? GA_CONJ_TRANS : 0);
    return st ? st : g->a.apply(g->a.arg, y, g->t,
                                g->wide ? 0 : GA_CONJ_TRANS);
}
GA_API ga_status (ga_svds)(ga_operator a, int k, const ga_eigs_options *o,
                           ga_array **u, ga_array **s, ga_array **vh) {
    static const char fn[] = "ga_svds";
    GA_SCOPE;
    ga__gram g = {a, a.shape[0] < a.shape[1], NULL};
    const int64_t n = g.wide ? a.shape[0] : a.shape[1];
    const int64_t far = g.wide ? a.shape[1] : a.shape[0];
    ga_dtype t = ga__sparse_dtype(a.dtype);
    ga_operator gram = {{n, n}, t, a.apply ? ga__apply_gram : NULL, &g};
    ga_array *values = NULL, *other = NULL;
    if (n < 0 || !(g.t = ga_zeros(GA_SHAPE(far), t))
        || !(other = ga_zeros(GA_SHAPE(k > 0 ? k : 0, far), t)))
        return ga__failed();
    ga_array *rows = ga__eigsh(fn, gram, k, GA_LARGEST_ALGEBRAIC, o, &values);
    if (!rows) return ga__failed();
    rows = ga_copy(ga_flip(rows, GA_AXIS(0)));
    ga_array *sv = ga_sqrt(ga_maximum(ga_flip(values, GA_AXIS(0)), 0));
    for (int i = 0; i < k; i++) {
        GA_SCOPE;
        ga_array *x = ga_index_axis(rows, 0, i), *y = ga_index_axis(other, 0, i);
        if (!x || !y || ga__op_apply(fn, a, y, x, g.wide ? GA_CONJ_TRANS : 0))
            return ga__failed();
    }
    /* of a singular value 0 the other vector is 0                          */
    ga_array *f = ga_expand_dims(ga_where(ga_greater(sv, 0), ga_div(1., sv), 0.),
                                 GA_AXIS(1));
    other = ga_astype(ga_mul(other, f), t);
    ga_array *left = g.wide ? rows : other, *right = g.wide ? other : rows;
    left = ga_copy(ga_transpose(left, GA_ALL));
    right = ga_conj(right);
    sv = ga_copy(sv);
    if (!left || !right || !sv) return ga__failed();
    if (u) *u = ga_keep(left);
    if (s) *s = ga_keep(sv);
    if (vh) *vh = ga_keep(right);
    return GA_OK;
}
GA__AS_ASKED
#endif /* GPUARR_IMPLEMENTATION */
#endif /* GPUARR_SPARSE_H */
