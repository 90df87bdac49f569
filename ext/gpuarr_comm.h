/* gpuarr_comm.h - several GPUs, several processes, arrays larger than memory.
                                                                MIT licence
   Opt-in, beside gpuarr.h. Include it after gpuarr.h; the file that defines
   GPUARR_IMPLEMENTATION holds this one's implementation too:

       #define GPUARR_IMPLEMENTATION
       #include "gpuarr.h"
       #include "gpuarr_comm.h"

       static ga_status work(ga_comm *c, void *arg) {
           GA_SCOPE;
           (void)arg;
           ga_array *x = ga_full(GA_SHAPE(3), ga_comm_rank(c), GA_FLOAT32);
           ga_array *s = ga_comm_allreduce(c, x, GA_COMM_SUM);
           if (s && ga_comm_rank(c) == 0) ga_print(s);
           return ga_error();
       }
       int main(void) {
           return ga_comm_local(4, work, NULL) != GA_OK;
       }

   One model: every rank runs the same text. Ranks are threads of one process
   (ga_comm_local), processes of one machine that meet in a file
   (ga_comm_shared), or what MPI has started (ga_comm_mpi). On GPUs, one for
   each rank, NCCL does the work; it is opened at its first use: libnccl.so.2 of
   the system, of GPUARR_NCCL=path, of pip's nvidia-nccl wheel or PyTorch. On
   the CPU device, and where ranks share a GPU, data goes through the host's
   memory, or through MPI.

   CONTENTS   >>communicators  >>collectives  >>distributed  >>slabs, then the
              implementation: >>c-agree  >>c-hall  >>c-mpi  >>c-nccl
              >>c-communicators  >>c-collectives  >>c-distributed  >>c-slabs

   Options    GPUARR_USE_MPI   before the include: ga_comm_mpi, by the program's
                               own mpi.h and library (mpicc)
   Environment
   GPUARR_NCCL=path    NCCL's library
   GPUARR_COMM=host    not NCCL: GPUs' data goes through the host
   GPUARR_RANK, GPUARR_RANKS, GPUARR_COMM_FILE   see ga_comm_run            */
#ifndef GPUARR_COMM_H
#define GPUARR_COMM_H
#ifndef GPUARR_H
#error "gpuarr_comm.h: include gpuarr.h before it"
#endif

/* ========================================================= >>communicators
   A communicator joins `size` ranks, numbered from 0. It serves one thread at a
   time; a thread may have several. All ranks call the same operations of one in
   the same order.

   When they do not: ranks tell each other what they call. Where operation,
   dtype, shape, root or reduction differ, or a rank's own arguments are wrong,
   the call fails on every rank, naming both, and nothing is moved; the
   communicator goes on. A rank that has ended, or does not come within the
   timeout, is an error on all others, GA_ERR_COMM, and so is every later call
   on the communicator: free it. Nothing hangs and nothing aborts.
   With NCCL a call is queued and returns before the others have come. It looks
   at what they have told so far; who comes later finds the difference, and a
   watchdog tells the rest: they get the error from their next call of this
   communicator, or that waits for the device (ga_item, ga_synchronize, ...). A
   difference that is found so late is the communicator's end.               */
typedef struct ga_comm ga_comm;

/* Calls fn(c, arg) on n threads of this process, rank r on GPU r modulo their
   number, in a stream of its own, or all on the CPU device if that is current,
   with the loops' threads divided among them. n = 0: one for each GPU; on the
   CPU 1. Returns when all have. A status that fn returns, or an error it leaves
   pending, becomes the caller's: of the lowest rank that has its own. c lives
   until fn returns.                                                         */
GA_API ga_status ga_comm_local(int n, ga_status (*fn)(ga_comm *c, void *arg),
                               void *arg) GA__LOOK;
/* Processes of one machine: `path` names a file, not there yet, on a local
   file system (/dev/shm), which the ranks map; rank 0 makes it, and it is
   removed once all have come. Each rank computes on its current device; on the
   CPU device, unless OMP_NUM_THREADS is set, with cores / size threads.      */
GA_API ga_comm *ga_comm_shared(const char *path, int rank, int size)
    GA__LOOK;
#ifdef GPUARR_USE_MPI
#include <mpi.h>
/* The ranks of an MPI communicator, after MPI_Init. On a machine with GPUs a
   rank that has not chosen a device gets the one of its number among those of
   its machine, modulo their number; on the CPU device, unless OMP_NUM_THREADS
   is set, cores / ranks of the machine threads. MPI moves host memory alone, by
   nonblocking calls. Use it from one thread; free it before MPI_Finalize.    */
GA_API ga_comm *ga_comm_mpi(MPI_Comm comm);
#endif
/* How a program is started, left to who starts it:
     GPUARR_RANKS=4 ./a.out          fn on 4 threads, as ga_comm_local; the
                                     default is `n`
     mpirun -n 4 ./a.out             with GPUARR_USE_MPI
     GPUARR_RANK=r GPUARR_RANKS=4 GPUARR_COMM_FILE=/dev/shm/x ./a.out
                                     once for each r: ga_comm_shared, on GPU r
                                     modulo their number, unless GPUARR_DEVICE
                                     names one
   Starts and ends MPI unless the program has.                                */
GA_API ga_status ga_comm_run(int n, ga_status (*fn)(ga_comm *c, void *arg),
                             void *arg) GA__LOOK;

/* -1: c is NULL */ GA_API int ga_comm_rank(const ga_comm *c);
/* how many ranks */ GA_API int ga_comm_size(const ga_comm *c);
/* A communicator of those with the same color, in the order of key, then of
   rank; NULL without an error where color is negative. Collective.           */
GA_API ga_comm *ga_comm_split(ga_comm *c, int color, int key) GA__LOOK;
/* Not collective; NULL is fine. Waits for the device's work on it, but not
   beyond the timeout.                                                        */
GA_API void ga_comm_free(ga_comm *c);
/* How long a rank waits for the others, from its own call on: 300 s. On GPUs
   that includes what the device has to do before.                            */
GA_API ga_status ga_comm_timeout(ga_comm *c, double seconds);

/* =========================================================== >>collectives
   x is any array or view on the current device; a view is packed. Results are
   new arrays in C order there; `_into` writes to an array of the result's
   shape, which may be x. On GPUs all is queued on the current stream, where not
   said otherwise; on the CPU it is done on return, and through the host the
   call synchronises.

   allreduce      of all x, element by element; the same bits on every rank
   reduce         the same, on root; elsewhere *out is NULL
   broadcast      root's x on every rank; elsewhere x may be NULL, and the shape
                  is root's (on a GPU the call then waits for root's)
   allgather      all x, one below the other, by rank; scalars give (size)
   gather         the same, on root; elsewhere *out is NULL
   reduce_scatter rank r's rows of the allreduce: x's axis 0 is cut into `size`
                  equal parts
   scatter        rank r's part of root's x; elsewhere x may be NULL
   alltoall       part i of the result is part `rank` of rank i's x
   send, recv     between two ranks; the shape is known to both (GA_ERR_SHAPE
                  otherwise, for the receiver). send may wait for the receiver
   barrier        no rank goes on before all have come. Synchronises

   GA_COMM_SUM, _PROD, _MIN, _MAX keep the dtype: integers wrap; of bool SUM and
   MAX are any, PROD and MIN all; NaN wins, complex numbers compare as in NumPy.
   GA_COMM_MEAN is ga_mean's: integers give float64. Sums are added by rank
   through the host, and for float MIN, MAX and complex PROD; by NCCL otherwise
   in an order of its own, that depends on the number of ranks.
   Errors: GA_ERR_SHAPE, _DTYPE, _VALUE (a root that there is not, parts that do
   not come out even), _COMM. Temporary memory: x's size, twice through the
   host.                                                                      */
typedef enum ga_comm_op {
    GA_COMM_SUM, GA_COMM_PROD, GA_COMM_MIN, GA_COMM_MAX, GA_COMM_MEAN
} ga_comm_op;
/* sum, max ... of all x, on each rank */
GA_API ga_array *ga_comm_allreduce(ga_comm *c, const ga_array *x,
                                   ga_comm_op op);
GA_API ga_status ga_comm_allreduce_into(ga_comm *c, ga_array *out,
                                        const ga_array *x, ga_comm_op op);
/* to root alone */
GA_API ga_status ga_comm_reduce(ga_comm *c, const ga_array *x, ga_comm_op op,
                                int root, ga_array **out);
GA_API ga_status ga_comm_reduce_into(ga_comm *c, ga_array *out,
                                     const ga_array *x, ga_comm_op op,
                                     int root);         /* out: root's alone */
/* root's x, on each rank */
GA_API ga_array *ga_comm_broadcast(ga_comm *c, const ga_array *x, int root);
GA_API ga_status ga_comm_broadcast_into(ga_comm *c, ga_array *out,
                                        const ga_array *x, int root);
/* all x, one behind the other, on each rank */
GA_API ga_array *ga_comm_allgather(ga_comm *c, const ga_array *x);
GA_API ga_status ga_comm_allgather_into(ga_comm *c, ga_array *out,
                                        const ga_array *x);
/* to root alone */
GA_API ga_status ga_comm_gather(ga_comm *c, const ga_array *x, int root,
                                ga_array **out);
GA_API ga_status ga_comm_gather_into(ga_comm *c, ga_array *out,
                                     const ga_array *x, int root);
/* each rank its part of the sum */
GA_API ga_array *ga_comm_reduce_scatter(ga_comm *c, const ga_array *x,
                                        ga_comm_op op);
GA_API ga_status ga_comm_reduce_scatter_into(ga_comm *c, ga_array *out,
                                             const ga_array *x, ga_comm_op op);
/* each rank its part of root's x */
GA_API ga_array *ga_comm_scatter(ga_comm *c, const ga_array *x, int root);
GA_API ga_status ga_comm_scatter_into(ga_comm *c, ga_array *out,
                                      const ga_array *x, int root);
/* part i goes to rank i */
GA_API ga_array *ga_comm_alltoall(ga_comm *c, const ga_array *x);
GA_API ga_status ga_comm_alltoall_into(ga_comm *c, ga_array *out,
                                       const ga_array *x);
/* to one rank */
GA_API ga_status ga_comm_send(ga_comm *c, const ga_array *x, int to);
/* from one rank */
GA_API ga_array *ga_comm_recv(ga_comm *c, ga_shape shape, ga_dtype t, int from);
GA_API ga_status ga_comm_recv_into(ga_comm *c, ga_array *out, int from);
/* waits until all have come here */
GA_API ga_status ga_comm_barrier(ga_comm *c);

/* Sends and receives between the two go together, in any order: two ranks that
   exchange arrays want it. What is received is there after group_end. The other
   collectives run where they stand.                                          */
GA_API ga_status ga_comm_group_begin(ga_comm *c);
/* all since group_begin, together */
GA_API ga_status ga_comm_group_end(ga_comm *c);

/* ========================================================= >>distributed
   An array whose rows (axis 0) lie on the ranks of a communicator, as evenly as
   they go: the first ranks have one more. `local` is this rank's part, an array
   in C order for any use, also for writing in place; what works on rows alone
   is plain code on it:

       ga_dist *y = ga_dist_like(x, ga_softmax(x->local, GA_AXIS(1)));

   All calls but free, keep, detach and those said are collective; errors as of
   >>collectives. No rank ever holds the whole, unless the result is one.
   ga_dist_free frees one, or the scope it was made in; free it before its
   communicator.                                                              */
typedef struct ga_dist {            /* for reading                          */
    ga_comm *comm;
    ga_dtype dtype;
    int ndim;
    int64_t shape[GA_MAX_NDIM];     /* of the whole                         */
    int64_t first;                  /* the whole's row of local's first     */
    ga_array *local;
    ga_array *ga__handle;
} ga_dist;
/* NULL is fine */ GA_API void ga_dist_free(ga_dist *x);
/* to the scope around the current one */
GA_API ga_dist *ga_dist_keep(ga_dist *x);
/* no scope frees x any more */ GA_API ga_dist *ga_dist_detach(ga_dist *x);

/* zeros, arange  as ga_zeros, ga_arange(0, n, 1); not collective
   like       these rows, as many as x's here; not collective. local is shared
   of         the rows of all ranks, one below the other, however many each has
   scatter    root's x (elsewhere NULL)
   gather     to root; elsewhere *out is NULL.    allgather  to all
   draw       fill(out, arg) draws with ga_random_..._into(out, ...): the
              numbers are those that one rank would have drawn for the whole
              array, from the communicator's generator, the same bits for any
              number of ranks. ga_comm_seed seeds it, alike on every rank; each
              draw counts one call. Not collective; parameters that are arrays
              want rows of a multiple of 4 elements
   random, standard_normal   of these                                       */
GA_API ga_dist *ga_dist_zeros(ga_comm *c, ga_shape shape, ga_dtype t);
/* 0 .. n-1 in rows */
GA_API ga_dist *ga_dist_arange(ga_comm *c, int64_t n, ga_dtype t);
/* these rows, as x's lie */
GA_API ga_dist *ga_dist_like(const ga_dist *x, const ga_array *local);
/* of each rank's own rows */
GA_API ga_dist *ga_dist_of(ga_comm *c, const ga_array *local);
/* root's x in rows */
GA_API ga_dist *ga_dist_scatter(ga_comm *c, const ga_array *x, int root);
/* all rows, to root */
GA_API ga_status ga_dist_gather(const ga_dist *x, int root, ga_array **out);
/* all rows, on each rank */
GA_API ga_array *ga_dist_allgather(const ga_dist *x);
/* one seed for all ranks */
GA_API ga_status ga_comm_seed(ga_comm *c, uint64_t seed);
/* any of >>random's by fill */
GA_API ga_dist *ga_dist_draw(ga_comm *c, ga_shape shape, ga_dtype t,
                             ga_status (*fill)(ga_array *out, void *arg),
                             void *arg);
/* uniform in [0, 1) */
GA_API ga_dist *ga_dist_random(ga_comm *c, ga_shape shape, ga_dtype t);
/* mean 0, variance 1 */
GA_API ga_dist *ga_dist_standard_normal(ga_comm *c, ga_shape shape, ga_dtype t);

/* .npy: each rank reads and writes its rows of the one file (C order). What
   ga_load_npy and numpy.load read is what ga_dist_save_npy writes; a file that
   is there is overwritten.                                                   */
GA_API ga_dist *ga_dist_load_npy(ga_comm *c, const char *path);
/* each rank writes its rows */
GA_API ga_status ga_dist_save_npy(const char *path, const ga_dist *x);

/* GA_DIST_EVAL(a*x + y, a, x, y): GA_EVAL on each rank's rows. Operands are
   distributed arrays of as many rows, arrays that every rank has, which
   broadcast against rows (a row, a scalar, not a column), and C numbers. The
   same bits for any number of ranks. Not collective. No reduction over rows. */
#define GA_DIST_EVAL(expr, ...) ga_dist_eval(#expr, #__VA_ARGS__,           \
    GA__DIST_LIST(__VA_ARGS__), GA__NOPERANDS(__VA_ARGS__))
typedef struct ga_dist_arg {
    const ga_dist *dist;            /* or                                   */
    const ga_array *array;          /* or                                   */
    bool whole;                     /* a C integer, i                       */
    int64_t i;
    double f;
} ga_dist_arg;
/* what GA_DIST_EVAL calls */
GA_API ga_dist *ga_dist_eval(const char *text, const char *names,
                             const ga_dist_arg *x, int n);
static inline GA__UNUSED ga_dist_arg ga__dist_arg_d(const ga_dist *v) {
    ga_dist_arg a = {v, 0, false, 0, 0};
    return a;
}
static inline GA__UNUSED ga_dist_arg ga__dist_arg_a(const ga_array *v) {
    ga_dist_arg a = {0, v, false, 0, 0};
    return a;
}
static inline GA__UNUSED ga_dist_arg ga__dist_arg_i(int64_t v) {
    ga_dist_arg a = {0, 0, true, v, 0};
    return a;
}
static inline GA__UNUSED ga_dist_arg ga__dist_arg_f(double v) {
    ga_dist_arg a = {0, 0, false, 0, v};
    return a;
}
#ifdef __cplusplus
#define GA__OVERLOAD(T, k) \
    static inline ga_dist_arg ga__dist_arg(T v) { return ga__dist_arg_##k(v); }
GA__OVERLOAD(const ga_dist *, d) GA__OVERLOAD(const ga_array *, a)
GA__OVERLOAD(int, i) GA__OVERLOAD(unsigned, i) GA__OVERLOAD(long, i)
GA__OVERLOAD(long long, i) GA__OVERLOAD(float, f) GA__OVERLOAD(double, f)
#undef GA__OVERLOAD
template <class... T> struct ga__dist_args {
    ga_dist_arg a[sizeof...(T)];
    ga__dist_args(T... v) : a{ga__dist_arg(v)...} {}
};
template <class... T> static inline ga__dist_args<T...> ga__dist_list(T... v) {
    return ga__dist_args<T...>(v...);
}
#define GA__DIST_LIST(...) ga__dist_list(__VA_ARGS__).a
#else
#define GA__DIST_ARG(x) _Generic((x), ga_dist *: ga__dist_arg_d,            \
    const ga_dist *: ga__dist_arg_d, ga_array *: ga__dist_arg_a,            \
    const ga_array *: ga__dist_arg_a, int: ga__dist_arg_i,                  \
    unsigned: ga__dist_arg_i, long: ga__dist_arg_i,                         \
    long long: ga__dist_arg_i, float: ga__dist_arg_f,                       \
    double: ga__dist_arg_f)(x)
#define GA__DIST_LIST(...) \
    (const ga_dist_arg[]){GA__EACH(GA__DIST_ARG, __VA_ARGS__)}
#endif

/* Over the rows, and other axes that are named: the result is the same on every
   rank. (Other axes alone: ga_dist_like(x, ga_sum(x->local, GA_AXIS(1))).)
   Dtypes as of the plain reductions; sums and products of floats are added by
   rank in float64, so that they are those of one rank within rounding; of
   integers, and all others but var and std, exactly. var and std in float64
   by Chan's formula, of real dtypes.                                         */
#define GA_DIST_REDUCTIONS(X) X(sum) X(prod) X(max) X(min) X(mean) X(all)   \
    X(any) X(count_nonzero)
#define GA__X(n) GA_API ga_array *ga_dist_##n(const ga_dist *x, ga_axis axis);
GA_DIST_REDUCTIONS(GA__X)
#undef GA__X
/* over all ranks */
GA_API ga_array *ga_dist_var(const ga_dist *x, ga_axis axis, double ddof);
/* over all ranks */
GA_API ga_array *ga_dist_std(const ga_dist *x, ga_axis axis, double ddof);

/* Products of matrices, and of a matrix and a vector.
   matmul_whole  a (m, k) split, b (k, n) or (k) on every rank: not collective
   inner         a^T b of a (k, m), b (k, n) or (k), both split: on every rank
   matmul        a (m, k), b (k, n), both split: b's parts go round in a ring,
                 the next one comes while this one is multiplied (on GPUs)
   whole_matmul  a (m, k) on every rank, b (k, n) split: (m, n) split. Temporary
                 memory: the (m, n) of a rank's own products
   Float and complex dtypes, a's and b's promoted as in ga_matmul.            */
GA_API ga_dist *ga_dist_matmul_whole(const ga_dist *a, const ga_array *b);
/* a^T b, on each rank */
GA_API ga_array *ga_dist_inner(const ga_dist *a, const ga_dist *b);
/* a's rows times b's */
GA_API ga_dist *ga_dist_matmul(const ga_dist *a, const ga_dist *b);
/* a, which each rank has, times b */
GA_API ga_dist *ga_dist_whole_matmul(const ga_array *a, const ga_dist *b);

/* transpose     of a matrix
   sort          of rank 1, ascending, NaN last: each rank sorts, samples cut
                 the values into ranges, each rank sorts one. Temporary memory:
                 two parts and what ga_sort takes, more where many are equal
   concatenate   rows below rows; other lengths and dtypes agree
   rows          start .. stop-1, negative from the end, clipped as a slice
   halo          an array on each rank: its rows and up to `before` and `after`
                 rows of its neighbours (fewer at the ends; with `wrap` those of
                 the other end). Each rank has at least as many rows as are
                 asked of it (GA_ERR_SHAPE)
   map_overlap   a stencil from x's rows to y's, as many, of any dtype and row
                 shape: f(out, in, arg) for one block of y's rows after another,
                 `in` being those of x with `before` more above and `after` more
                 below. The inner rows of each rank come first, on GPUs while
                 its neighbours' travel, then those at its edges. Without `wrap`
                 the first `before` and last `after` rows of y stay as they are.
                 f queues what it does and looks at no other row: a step of

       GA_EVAL_SET("v = u[1:-1] + 0.2*(u[:-2] + u[2:] - 2*u[1:-1])", u, v)

                 with before = after = 1 is right for any number of ranks     */
GA_API ga_dist *ga_dist_transpose(const ga_dist *x);
/* rank 1, ascending */ GA_API ga_dist *ga_dist_sort(const ga_dist *x);
/* along the rows */
GA_API ga_dist *ga_dist_concatenate(int count, const ga_dist *const *x);
/* x[start:stop] */
GA_API ga_dist *ga_dist_rows(const ga_dist *x, int64_t start, int64_t stop);
/* a rank's rows with its neighbours' */
GA_API ga_array *ga_dist_halo(const ga_dist *x, int64_t before, int64_t after,
                              bool wrap);
/* f on each rank's rows with its neighbours' */
GA_API ga_status ga_dist_map_overlap(ga_dist *y, const ga_dist *x,
                                     int64_t before, int64_t after, bool wrap,
                                     ga_status (*f)(ga_array *out,
                                                    const ga_array *in,
                                                    void *arg), void *arg);

/* =============================================================== >>slabs
   Arrays larger than the device's memory, walked in slabs of rows: of a .npy
   file in C order, or of host memory. Threads read ahead, the next slab is
   copied while one is worked on; on the CPU device a slab is what was read. No
   ranks are needed.

       ga_slabs *s = ga_slabs_npy("big.npy", NULL);
       ga_print(ga_slabs_mean(s, GA_AXIS(0)));
       ga_slabs_free(s);                                                      */
typedef struct ga_slabs {           /* for reading; serves one walk at a time */
    ga_dtype dtype;
    int ndim;
    int64_t shape[GA_MAX_NDIM];
    int64_t rows;                   /* of a slab                            */
    int64_t count;                  /* slabs                                */
    size_t device_bytes;            /* what walking takes on the device     */
    size_t host_bytes;              /* and of the host's memory             */
    struct ga__slabs_own *ga__own;
} ga_slabs;
typedef struct ga_slab_options {    /* 0: the default                       */
    size_t memory;                  /* bytes of the three slabs that are alive:
                                       an eighth of what is free (under
                                       ga_mem_limit: of the rest), at most 96
                                       MB. On a GPU the threads share at most 64
                                       MB of the host's, pinned, until
                                       ga_slabs_free                        */
    int64_t rows;                   /* of a slab, instead                   */
    int threads;                    /* that read: 16, of host memory 8, or as
                                       many as cores                        */
} ga_slab_options;
/* Reads the header alone. Errors: as ga_load_npy's, GA_ERR_FILE_FORMAT for one
   in Fortran order, GA_ERR_MEM_LIMIT where three rows do not fit in `memory`,
   with what they take. host: an array on the CPU device in C order, which stays
   as it is; host may be read-only, a mapped file's.                          */
GA_API ga_slabs *ga_slabs_npy(const char *path, const ga_slab_options *o)
    GA__LOOK;
/* slabs of an array in host memory */
GA_API ga_slabs *ga_slabs_host(const ga_array *host, const ga_slab_options *o)
    GA__LOOK;
/* NULL is fine */ GA_API void ga_slabs_free(ga_slabs *s);
/* Before a job: do `times` as many bytes as the file's array has fit in the
   current device's memory? If not, GA_ERR_DEVICE_MEMORY (GA_ERR_MEM_LIMIT), and
   its message says what it takes, what is there and which call walks the
   file.                                                                      */
GA_API ga_status ga_slabs_fit(const char *path, double times) GA__LOOK;

/* f(slab, first, arg) for one slab after another, `first` being its first row;
   what f makes dies with it. A status other than GA_OK ends the walk. The slab
   is f's to read and write, until it returns; what f has queued may be under
   way.
   The copies are hidden where f does not wait for the device.                */
GA_API ga_status ga_slabs_each(ga_slabs *s,
                               ga_status (*f)(ga_array *slab, int64_t first,
                                              void *arg), void *arg);
/* f(slab, arg) gives an array of as many rows; these become a .npy file, in C
   order. GA_SLABS_EVAL_NPY("out.npy", 2*x + 1, x, s): of an expression of one
   name. Synchronise with each slab.                                          */
GA_API ga_status ga_slabs_map_npy(const char *path, ga_slabs *s,
                                  ga_array *(*f)(ga_array *slab, void *arg),
                                  void *arg);
/* an expression of each slab, to a file */
GA_API ga_status ga_slabs_eval_npy(const char *path, const char *text,
                                   const char *name, ga_slabs *s);
#define GA_SLABS_EVAL_NPY(path, expr, name, s) \
    ga_slabs_eval_npy((path), #expr, #name, (s))
/* On the current device. Reductions over the rows, and other axes that are
   named, as of >>distributed, slab after slab, one pass.
   inner      x^T x of a matrix
   matmul     x b, b (k) or (k, n) on the device: so is the result
   histogram  of all elements in `bins` equal bins from low to high, both
              included, as ga_histogram's counts, int64; low >= high: from the
              least to the largest, a pass of its own. edges (NULL: not wanted):
              float64
   quantile   of all elements, for n numbers q on the host: (n) of float64,
              exact, linear between neighbours as ga_quantile's, in two passes:
              a sample's order gives a range for each q, the second counts what
              is below and keeps what is in it, some thousandths of the array
              for each, on the host, to be sorted on the device if it has the
              room (another pass where the sample misled). Real dtypes; NaN
              gives NaN                                                       */
#define GA__X(n) GA_API ga_array *ga_slabs_##n(ga_slabs *s, ga_axis axis);
GA_DIST_REDUCTIONS(GA__X)
#undef GA__X
/* of all slabs */
GA_API ga_array *ga_slabs_var(ga_slabs *s, ga_axis axis, double ddof);
/* of all slabs */
GA_API ga_array *ga_slabs_std(ga_slabs *s, ga_axis axis, double ddof);
/* x^T x of a matrix */ GA_API ga_array *ga_slabs_inner(ga_slabs *s);
/* all rows times b */
GA_API ga_array *ga_slabs_matmul(ga_slabs *s, const ga_array *b);
/* of all slabs */
GA_API ga_array *ga_slabs_histogram(ga_slabs *s, int64_t bins, double low,
                                    double high, ga_array **edges);
/* of all slabs */
GA_API ga_array *ga_slabs_quantile(ga_slabs *s, const double *q, int n);

/* ======================================================== >>implementation */
#ifdef GPUARR_IMPLEMENTATION
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#ifndef GPUARR_NO_CUDA
#include <glob.h>
#endif
/* strict C11 hides it */
extern int nanosleep(const struct timespec *, struct timespec *);

/* ============================================================= >>c-agree
   What a rank says of each call, and who waits how for whom. Everything that
   moves is a list of parts, one rank's bytes each; a wire is what moves them:
   the hall (memory that ranks share) or MPI. NCCL moves its own, beside one. */
enum {
    GA__C_JOIN, GA__C_ALLREDUCE, GA__C_REDUCE, GA__C_BROADCAST,
    GA__C_ALLGATHER, GA__C_GATHER, GA__C_REDUCE_SCATTER, GA__C_SCATTER,
    GA__C_ALLTOALL, GA__C_SEND, GA__C_RECV, GA__C_BARRIER, GA__C_SPLIT,
    GA__C_DIST,                     /* of distributed arrays: `text` names it */
    GA__C_KINDS
};
static const char *const ga__comm_names[GA__C_KINDS] = {
    "joining", "ga_comm_allreduce", "ga_comm_reduce", "ga_comm_broadcast",
    "ga_comm_allgather", "ga_comm_gather", "ga_comm_reduce_scatter",
    "ga_comm_scatter", "ga_comm_alltoall", "ga_comm_send", "ga_comm_recv",
    "ga_comm_barrier", "ga_comm_split", "ga_dist"};
static const char *const ga__comm_ops[] = {"GA_COMM_SUM", "GA_COMM_PROD",
                                           "GA_COMM_MIN", "GA_COMM_MAX",
                                           "GA_COMM_MEAN"};
#define GA__C_REDUCES(what) ((what) == GA__C_ALLREDUCE                      \
    || (what) == GA__C_REDUCE || (what) == GA__C_REDUCE_SCATTER)
#define GA__C_ROOTED(what) ((what) == GA__C_REDUCE                          \
    || (what) == GA__C_BROADCAST || (what) == GA__C_GATHER                  \
    || (what) == GA__C_SCATTER)

typedef struct ga__note {           /* one call of one rank                 */
    int64_t seq;
    int what, op, root, dtype, ndim;    /* root: or the other rank; op of a
                                       send or receive: of the call `seq`   */
    int status;                     /* its own arguments are wrong: `text`  */
    int64_t shape[GA_MAX_NDIM];     /* ndim -1: the root's                  */
    uint64_t number;                /* joining: the seed; splitting         */
    char text[168];
} ga__note;
typedef struct ga__parcel {
    int peer;
    bool send, begun;
    size_t bytes, done;
    char *p;
    void *request;
} ga__parcel;

typedef struct ga__wire {
    /* Moves what can be moved; how many parts are unfinished. Those of one
       rank and direction go in their order.                                */
    int (*poll)(ga_comm *c, ga__parcel *part, int n);
    /* The rank cannot come any more, or somebody has given up: why. */
    bool (*lost)(ga_comm *c, int peer, char *why, size_t room);
    void (*tell)(ga_comm *c, const char *why);  /* the others that it is over;
                                                   NULL: the hall does      */
    /* Nobody waits for these parts any more, and their memory goes. NULL: the
       wire keeps nothing of them.                                          */
    void (*drop)(ga_comm *c, ga__parcel *part, int n);
    void (*leave)(ga_comm *c);
    /* Makes r the wire of those ranks of c, r->size of them, that have this
       color; from[i] is the rank in c of rank i.                           */
    ga_status (*split)(ga_comm *c, const char *fn, ga_comm *r, int color,
                       const int *from);
} ga__wire;
typedef struct ga__hall ga__hall;
typedef struct ga__nccl_state ga__nccl_state;
typedef struct ga__queued {         /* a send or receive of a group         */
    ga__note note;
    int peer;
    ga_array *x, *out;              /* x packed; out: where it goes, or NULL */
} ga__queued;
struct ga_comm {
    int rank, size;
    double timeout;
    const ga__wire *wire;
    atomic_int broken;              /* 1 being written, 2: `why` says it    */
    char why[400];
    int64_t seq, splits;            /* calls so far                         */
    ga_rng rng;                     /* what distributed arrays draw from    */
    ga__note *notes;                /* of all ranks, of the call             */
    ga__parcel *part;                 /* 2 size                               */
    int *busy;                      /* a wire's                             */
    bool moved;
    ga__hall *hall;
    char *map;                      /* the hall's, in a file                */
    size_t map_bytes;
    int file;
    int group;                      /* depth of ga_comm_group_begin         */
    bool inside;                    /* the last call's sends and receives   */
    ga_stream *side;                /* for what travels beside work         */
    ga__queued *queue;
    int nqueue, capqueue;
    ga__nccl_state *nccl;
    ga_comm *next;                  /* with NCCL, of this thread            */
    bool told;                      /* that it is broken                    */
#ifdef GPUARR_USE_MPI
    MPI_Comm mpi;
    char heard[400];                /* from one that gave up                */
#endif
};

GA_API int ga_comm_rank(const ga_comm *c) { return c ? c->rank : -1; }
GA_API int ga_comm_size(const ga_comm *c) { return c ? c->size : -1; }

/* Is p NULL? Then an error is pending already, or this is one. */
static bool ga__comm_null(const char *fn, const void *p, const char *what) {
    if (p) return false;
    if (ga__me.error) ga__me.last = ga__me.error;
    else ga__fail(GA_ERR_NULL, fn, "%s NULL", what);
    return true;
}
static bool ga__comm_ok(const char *fn, const ga_comm *c) {
    if (ga__comm_null(fn, c, "the communicator is")) return false;
    if (atomic_load(&c->broken) < 2) return true;
    ga__fail(GA_ERR_COMM, fn, "the communicator has failed: %s", c->why);
    return false;
}
GA_API ga_status ga_comm_timeout(ga_comm *c, double seconds) {
    static const char fn[] = "ga_comm_timeout";
    if (!ga__comm_ok(fn, c)) return ga__failed();
    if (!(seconds > 0))
        return ga__fail(GA_ERR_VALUE, fn, "%g seconds", seconds);
    c->timeout = seconds;
    return GA_OK;
}

/* "ga_comm_reduce of float32 (3,4) by GA_COMM_SUM to rank 1" */
static void ga__note_text(const ga__note *n, char *out, size_t room) {
    const bool named = n->what == GA__C_DIST && !n->status;
    int k = snprintf(out, room, "%s", named ? n->text
                     : ga__comm_names[n->what]);
#define GA__MORE(...) k += k < 0 || (size_t)k >= room ? 0                   \
    : snprintf(out + k, room - (size_t)k, __VA_ARGS__)
    if (n->what > GA__C_JOIN && n->what != GA__C_BARRIER
        && n->what != GA__C_SPLIT) {
        if (n->ndim >= 0)
            GA__MORE(" of %s %s", ga_dtype_name((ga_dtype)n->dtype),
                     ga__shape_text(n->ndim, n->shape));
        if (GA__C_REDUCES(n->what)) GA__MORE(" by %s", ga__comm_ops[n->op]);
        if (n->what == GA__C_REDUCE || n->what == GA__C_GATHER
            || n->what == GA__C_SEND) GA__MORE(" to rank %d", n->root);
        if (n->what == GA__C_BROADCAST || n->what == GA__C_SCATTER
            || n->what == GA__C_RECV) GA__MORE(" from rank %d", n->root);
    }
#undef GA__MORE
}

/* Such a state once whoever writes why is done, but not for long: it may die. */
static int ga__settled(atomic_int *state) {
    for (int i = 0; i < 1000 && atomic_load(state) == 1; i++) sched_yield();
    return atomic_load(state);
}
static bool ga__hall_saw(const ga_comm *c, int peer, ga__note *out);
static void ga__hall_fail(ga_comm *c, const char *why, int64_t seq);
/* The end of the communicator in the call of number seq, on this rank and, once
   they look, the others; by any thread. False: it has been before.           */
static bool ga__comm_end(ga_comm *c, const char *why, int64_t seq) {
    int none = 0;
    if (!atomic_compare_exchange_strong(&c->broken, &none, 1)) return false;
    snprintf(c->why, sizeof c->why, "%s", why);
    atomic_store(&c->broken, 2);
    if (c->hall) ga__hall_fail(c, why, seq);
    return true;
}
static void ga__comm_broken(ga_comm *c, const char *why) {
    if (ga__comm_end(c, why, c->seq) && c->wire->tell) c->wire->tell(c, why);
}
static ga_status ga__comm_break(const char *fn, ga_comm *c, const char *why) {
    ga__comm_broken(c, why);
    return ga__fail(GA_ERR_COMM, fn, "%s", why);
}

/* The first part that has not come in time. */
static ga_status ga__comm_late(const char *fn, ga_comm *c,
                               const ga__parcel *p) {
    char why[400], last[200];
    ga__note n;
    int k = snprintf(why, sizeof why, "rank %d has not come within %g s",
                     p->peer, c->timeout);
    if (ga__hall_saw(c, p->peer, &n)) {
        ga__note_text(&n, last, sizeof last);
        snprintf(why + k, sizeof why - (size_t)k, "; its last call was %s",
                 last);
    }
    return ga__comm_break(fn, c, why);
}

static bool ga__all_done(const ga__parcel *part, int n) {
    for (int i = 0; i < n; i++) if (part[i].done < part[i].bytes) return false;
    return true;
}
/* Waits until the first `need` parts of n are done, while all may move. Spins
   a little, yields, then sleeps.                                             */
static ga_status ga__comm_wait_for(const char *fn, ga_comm *c,
                                   ga__parcel *part, int n, int need) {
    char why[400], told[300];
    double end = 0;
    for (unsigned turn = 0;; turn++) {
        c->moved = false;
        if (c->wire->poll(c, part, n) < 0)
            return ga__comm_break(fn, c, "MPI has failed");
        if (ga__all_done(part, need)) return GA_OK;
        if (c->moved) {
            turn = 0;
            end = 0;
        }
        if (turn < 64) continue;
        if (turn < 2000) {
            sched_yield();
            if (turn % 64) continue;
        } else {
            struct timespec t = {0, 50000};
            nanosleep(&t, NULL);
        }
        double now = ga_time();
        if (end == 0) end = now + c->timeout;
        int i = 0;
        while (part[i].done == part[i].bytes) i++;
        for (int k = i; k < need; k++) {
            if (part[k].done == part[k].bytes
                || !c->wire->lost(c, part[k].peer, told, sizeof told)) continue;
            c->wire->poll(c, part, n);  /* its last words may have come     */
            if (part[k].done == part[k].bytes) continue;
            snprintf(why, sizeof why, "%s", told);
            return ga__comm_break(fn, c, why);
        }
        if (now > end) return ga__comm_late(fn, c, &part[i]);
    }
}
static ga_status ga__comm_wait(const char *fn, ga_comm *c, ga__parcel *part,
                               int n, int need) {
    ga_status st = ga__comm_wait_for(fn, c, part, n, need);
    if (st && c->wire->drop) c->wire->drop(c, part, n);
    return st;
}
static ga__parcel ga__parcel_of(int peer, bool send, const void *p,
                                size_t bytes) {
    ga__parcel q = {peer, send, false, bytes, 0, (char *)(uintptr_t)p, NULL};
    return q;
}

/* Do two ranks' notes agree? The error otherwise, and what to say. */
static ga_status ga__notes_differ(const ga__note *a, const ga__note *b) {
    if (a->what != b->what
        || (a->what == GA__C_DIST && strcmp(a->text, b->text)))
        return GA_ERR_COMM;
    if (GA__C_REDUCES(a->what) && a->op != b->op) return GA_ERR_VALUE;
    if (GA__C_ROOTED(a->what) && a->root != b->root) return GA_ERR_VALUE;
    if (a->ndim < 0 || b->ndim < 0) return GA_OK;
    if (a->dtype != b->dtype) return GA_ERR_DTYPE;
    if (a->ndim != b->ndim
        || memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape))
        return GA_ERR_SHAPE;
    return GA_OK;
}
static ga_status ga__disagree(const char *fn, ga_status st, int i,
                              const ga__note *a, int k, const ga__note *b) {
    char one[200], two[200];
    ga__note_text(a, one, sizeof one);
    ga__note_text(b, two, sizeof two);
    return ga__fail(st, fn, "rank %d calls %s, rank %d %s", i, one, k, two);
}
/* All ranks' notes in c->notes, and the verdict, the same everywhere. */
static ga_status ga__comm_agree(const char *fn, ga_comm *c,
                                const ga__note *mine) {
    int n = 0;
    c->notes[c->rank] = *mine;
    for (int i = 0; i < c->size; i++) {
        if (i == c->rank) continue;
        c->part[n++] = ga__parcel_of(i, true, &c->notes[c->rank], sizeof *mine);
        c->part[n++] = ga__parcel_of(i, false, &c->notes[i], sizeof *mine);
    }
    ga_status st = ga__comm_wait(fn, c, c->part, n, n);
    if (st) return st;
    if (mine->status) return (ga_status)mine->status;
    for (int i = 0; i < c->size; i++)
        if (c->notes[i].status)
            return ga__fail((ga_status)c->notes[i].status, fn, "rank %d: %s",
                            i, c->notes[i].text);
    int base = -1;                  /* the first that has a shape           */
    for (int i = 0; i < c->size && base < 0; i++)
        if (c->notes[i].ndim >= 0) base = i;
    if (base < 0) base = 0;
    for (int i = 0; i < c->size; i++) {
        st = ga__notes_differ(&c->notes[base], &c->notes[i]);
        if (st) return base < i ? ga__disagree(fn, st, base, &c->notes[base], i,
                                               &c->notes[i])
                     : ga__disagree(fn, st, i, &c->notes[i], base,
                                    &c->notes[base]);
    }
    return GA_OK;
}

/* ============================================================== >>c-hall
   Memory that all ranks of one machine share: of the process, or a mapped file.
   A lane for each pair and direction holds a stream of bytes, written by one
   and read by the other; a seat for each rank tells its last calls.          */
#define GA__LANE ((size_t)1 << 16)
#define GA__SEEN 16
typedef struct ga__channel {
    _Atomic uint64_t head;          /* bytes written                        */
    char apart[56];
    _Atomic uint64_t tail;          /* bytes read                           */
    char apart2[56];
    unsigned char ring[GA__LANE];
} ga__channel;
typedef struct ga__seat {
    atomic_int state;               /* 0 to come, 1 here, 2 gone            */
    atomic_flag lock;               /* of what follows                      */
    int64_t seq;                    /* of the last collective call          */
    ga__note note[GA__SEEN], last;  /* [seq % GA__SEEN]; of any kind        */
    bool any;
} ga__seat;
struct ga__hall {
    atomic_int ready, here, refs;
    atomic_int failed;              /* 1 being written, 2: by whom and why  */
    int size, failed_by;
    int64_t failed_at;              /* in the call of this number           */
    char why[400];
    int64_t apart[8];
};
static ga__seat *ga__seat_of(ga__hall *h, int rank) {
    return (ga__seat *)(void *)(h + 1) + rank;
}
static ga__channel *ga__channel_of(ga__hall *h, int from, int to) {
    return (ga__channel *)(void *)ga__seat_of(h, h->size) + from * h->size + to;
}
static size_t ga__hall_bytes(int size) {
    return sizeof(ga__hall) + (size_t)size * sizeof(ga__seat)
           + (size_t)size * (size_t)size * sizeof(ga__channel);
}
static ga__hall *ga__hall_new(const char *fn, int size) {
    ga__hall *h = (ga__hall *)GA_MALLOC(ga__hall_bytes(size));
    if (!h) return (ga__hall *)GA__NULL(GA_ERR_HOST_MEMORY, fn, "%zu bytes",
                                        ga__hall_bytes(size));
    memset((void *)h, 0, sizeof *h + (size_t)size * sizeof(ga__seat));
    h->size = size;
    for (int i = 0; i < size * size; i++) {
        ga__channel *l = ga__channel_of(h, 0, 0) + i;
        atomic_init(&l->head, 0);
        atomic_init(&l->tail, 0);
    }
    return h;
}
static void ga__hall_sit(ga_comm *c, ga__hall *h) {
    c->hall = h;
    atomic_fetch_add(&h->refs, 1);
    atomic_store(&ga__seat_of(h, c->rank)->state, 1);
}

/* Tells what this rank calls; looks at what a rank has called. */
static void ga__seat_lock(ga__seat *s) {
    while (atomic_flag_test_and_set_explicit(&s->lock, memory_order_acquire))
        sched_yield();
}
static void ga__seat_unlock(ga__seat *s) {
    atomic_flag_clear_explicit(&s->lock, memory_order_release);
}
static void ga__hall_tell(ga_comm *c, const ga__note *n) {
    if (!c->hall) return;
    ga__seat *s = ga__seat_of(c->hall, c->rank);
    ga__seat_lock(s);
    if (n->what != GA__C_SEND && n->what != GA__C_RECV) {
        s->note[n->seq % GA__SEEN] = *n;
        s->seq = n->seq;
    }
    s->last = *n;
    s->any = true;
    ga__seat_unlock(s);
}
static bool ga__hall_saw(const ga_comm *c, int peer, ga__note *out) {
    if (!c->hall) return false;
    ga__seat *s = ga__seat_of(c->hall, peer);
    ga__seat_lock(s);
    bool has = s->any;
    if (has) *out = s->last;
    ga__seat_unlock(s);
    return has;
}

static bool ga__channel_move(ga__channel *l, ga__parcel *p) {
    uint64_t head = atomic_load_explicit(&l->head, memory_order_acquire);
    uint64_t tail = atomic_load_explicit(&l->tail, memory_order_acquire);
    size_t n = p->send ? GA__LANE - (size_t)(head - tail)
                       : (size_t)(head - tail);
    if (n > p->bytes - p->done) n = p->bytes - p->done;
    if (!n) return false;
    size_t at = (size_t)(p->send ? head : tail) % GA__LANE;
    size_t one = n < GA__LANE - at ? n : GA__LANE - at;
    char *q = p->p + p->done;
    if (p->send) {
        memcpy(l->ring + at, q, one);
        memcpy(l->ring, q + one, n - one);
        atomic_store_explicit(&l->head, head + n, memory_order_release);
    } else {
        memcpy(q, l->ring + at, one);
        memcpy(q + one, l->ring, n - one);
        atomic_store_explicit(&l->tail, tail + n, memory_order_release);
    }
    p->done += n;
    return true;
}
static int ga__hall_poll(ga_comm *c, ga__parcel *part, int n) {
    int left = 0;
    memset(c->busy, 0, 2 * (size_t)c->size * sizeof *c->busy);
    for (int i = 0; i < n; i++) {
        ga__parcel *p = &part[i];
        if (p->done == p->bytes) continue;
        int *busy = &c->busy[2 * p->peer + p->send];
        if (!*busy) {
            ga__channel *l = p->send ? ga__channel_of(c->hall, c->rank, p->peer)
                                  : ga__channel_of(c->hall, p->peer, c->rank);
            c->moved |= ga__channel_move(l, p);
        }
        if (p->done == p->bytes) continue;
        *busy = 1;
        left++;
    }
    return left;
}
/* The byte of the file that a rank's process has locked while it lives. */
static struct flock ga__hall_lock(int rank) {
    struct flock l;
    memset(&l, 0, sizeof l);
    l.l_type = F_WRLCK;
    l.l_whence = SEEK_SET;
    l.l_start = rank;
    l.l_len = 1;
    return l;
}
static bool ga__hall_gave_up(ga__hall *h, char *why, size_t room) {
    if (ga__settled(&h->failed) != 2) return false;
    snprintf(why, room, "rank %d gave up: %.250s", h->failed_by, h->why);
    return true;
}
static bool ga__hall_lost(ga_comm *c, int peer, char *why, size_t room) {
    ga__hall *h = c->hall;
    if (ga__hall_gave_up(h, why, room)) return true;
    ga__seat *s = ga__seat_of(h, peer);
    if (atomic_load(&s->state) == 2) {
        snprintf(why, room, "rank %d has ended", peer);
        return true;
    }
    struct flock lock = ga__hall_lock(peer);
    if (c->map && atomic_load(&s->state) == 1
        && !fcntl(c->file, F_GETLK, &lock) && lock.l_type == F_UNLCK) {
        snprintf(why, room, "the process of rank %d is gone", peer);
        return true;
    }
    return false;
}
static void ga__hall_fail(ga_comm *c, const char *why, int64_t seq) {
    int none = 0;
    if (!atomic_compare_exchange_strong(&c->hall->failed, &none, 1)) {
        ga__settled(&c->hall->failed);
        return;
    }
    c->hall->failed_by = c->rank;
    c->hall->failed_at = seq;
    snprintf(c->hall->why, sizeof c->hall->why, "%s", why);
    atomic_store(&c->hall->failed, 2);
}
static void ga__hall_leave(ga_comm *c) {
    ga__hall *h = c->hall;
    atomic_store(&ga__seat_of(h, c->rank)->state, 2);
    bool last = atomic_fetch_sub(&h->refs, 1) == 1;
    if (c->map) {
        munmap(c->map, c->map_bytes);
        close(c->file);
    } else if (last) GA_FREE(h);
    c->hall = NULL;
}
static ga_status ga__hall_split(ga_comm *c, const char *fn, ga_comm *r,
                                int color, const int *from);
static const ga__wire ga__hall_wire = {ga__hall_poll, ga__hall_lost,
                                       NULL, NULL, ga__hall_leave,
                                       ga__hall_split};

/* The hall in a file: rank 0 makes it. */
static ga_status ga__hall_open(const char *fn, ga_comm *c, const char *path) {
    size_t bytes = ga__hall_bytes(c->size);
    double end = ga_time() + c->timeout;
    struct timespec nap = {0, 1000000};
    int f = -1;
    struct stat s;
    if (c->rank == 0) {
        f = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (f < 0 || lseek(f, (off_t)bytes - 1, SEEK_SET) < 0
            || write(f, "", 1) != 1) {
            ga__fail(GA_ERR_FILE_OPEN, fn, "%s: %s", path, strerror(errno));
            if (f >= 0) close(f);
            return ga__failed();
        }
    } else {
        while ((f = open(path, O_RDWR)) < 0 || fstat(f, &s)
               || (size_t)s.st_size < bytes) {
            int why = errno;
            if (f >= 0) close(f);
            if (ga_time() > end)
                return ga__fail(GA_ERR_COMM, fn, "rank 0 has not made %s "
                                "within %g s (%s)", path, c->timeout,
                                strerror(why));
            nanosleep(&nap, NULL);
        }
        if ((size_t)s.st_size > bytes) {
            close(f);
            return ga__fail(GA_ERR_COMM, fn, "%s is of another number of ranks "
                            "than %d", path, c->size);
        }
    }
    struct flock lock = ga__hall_lock(c->rank);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
    if (p == MAP_FAILED || fcntl(f, F_SETLK, &lock)) {
        ga__fail(GA_ERR_FILE_OPEN, fn, "%s: %s", path, strerror(errno));
        if (p != MAP_FAILED) munmap(p, bytes);
        close(f);
        return ga__failed();
    }
    c->file = f;
    ga__hall *h = (ga__hall *)p;
    if (c->rank == 0) {
        h->size = c->size;
        atomic_store(&h->ready, 1);
    }
    while (!atomic_load(&h->ready) && ga_time() < end) nanosleep(&nap, NULL);
    c->map = (char *)p;
    c->map_bytes = bytes;
    ga__hall_sit(c, h);
    if (atomic_fetch_add(&h->here, 1) + 1 == c->size) unlink(path);
    return GA_OK;
}

/* =============================================================== >>c-mpi
   Each part is one nonblocking message (of at most 1 GiB: MPI counts ints).  */
#ifdef GPUARR_USE_MPI
#define GA__MPI_DATA 1
#define GA__MPI_LOST 2
static int ga__mpi_poll(ga_comm *c, ga__parcel *part, int n) {
    const size_t most = (size_t)1 << 30;
    int left = 0;
    memset(c->busy, 0, 2 * (size_t)c->size * sizeof *c->busy);
    for (int i = 0; i < n; i++) {
        ga__parcel *p = &part[i];
        if (p->done == p->bytes) continue;
        int *busy = &c->busy[2 * p->peer + p->send], done = 0, e = 0;
        size_t k = p->bytes - p->done < most ? p->bytes - p->done : most;
        MPI_Request r = MPI_REQUEST_NULL;
        if (*busy) {
            left++;
            continue;
        }
        if (p->begun) {
            memcpy(&r, &p->request, sizeof r);
        } else {
            e = p->send ? MPI_Isend(p->p + p->done, (int)k, MPI_BYTE, p->peer,
                                    GA__MPI_DATA, c->mpi, &r)
                        : MPI_Irecv(p->p + p->done, (int)k, MPI_BYTE, p->peer,
                                    GA__MPI_DATA, c->mpi, &r);
            p->begun = true;
        }
        if (!e) e = MPI_Test(&r, &done, MPI_STATUS_IGNORE);
        if (e) return -1;
        if (done) {
            p->done += k;
            p->begun = false;
            c->moved = true;
        } else {
            memcpy(&p->request, &r, sizeof r);
        }
        if (p->done == p->bytes) continue;
        *busy = !p->begun || p->bytes - p->done > most; /* more to post  */
        left++;
    }
    return left;
}
static bool ga__mpi_lost(ga_comm *c, int peer, char *why, size_t room) {
    int there = 0;
    MPI_Status s;
    (void)peer;
    if (!c->heard[0]) {
        if (MPI_Iprobe(MPI_ANY_SOURCE, GA__MPI_LOST, c->mpi, &there, &s)
            || !there) return false;
        char text[300] = "";
        MPI_Recv(text, (int)sizeof text, MPI_BYTE, s.MPI_SOURCE, GA__MPI_LOST,
                 c->mpi, MPI_STATUS_IGNORE);    /* it is there: no waiting  */
        text[sizeof text - 1] = '\0';
        snprintf(c->heard, sizeof c->heard, "rank %d %s", s.MPI_SOURCE, text);
    }
    snprintf(why, room, "%s", c->heard);
    return true;
}
/* What is on its way is left to MPI: nobody may wait for it. */
static void ga__mpi_tell(ga_comm *c, const char *text) {
    static char kept[8][300];       /* until MPI has sent it                */
    static atomic_uint turn;
    char *t = kept[atomic_fetch_add(&turn, 1) % 8];
    snprintf(t, sizeof kept[0], "%s", text);
    for (int i = 0; i < c->size; i++) {
        MPI_Request r;
        if (i != c->rank && !MPI_Isend(t, (int)sizeof kept[0], MPI_BYTE, i,
                                       GA__MPI_LOST, c->mpi, &r))
            MPI_Request_free(&r);
    }
}
static void ga__mpi_fail(ga_comm *c, const char *why) {
    char text[300];
    snprintf(text, sizeof text, "gave up: %.280s", why);
    ga__mpi_tell(c, text);
}
/* MPI_Comm_free is collective: only when nothing is wrong. */
static void ga__mpi_leave(ga_comm *c) {
    if (atomic_load(&c->broken)) return;
    MPI_Request r;
    int done = 0;
    double end = ga_time() + c->timeout;
    if (MPI_Ibarrier(c->mpi, &r)) return;
    while (!MPI_Test(&r, &done, MPI_STATUS_IGNORE) && !done && ga_time() < end)
        sched_yield();
    if (done) MPI_Comm_free(&c->mpi);
}
static ga_status ga__mpi_split(ga_comm *c, const char *fn, ga_comm *r,
                               int color, const int *from) {
    (void)from;
    if (!r->size) color = MPI_UNDEFINED;
    if (MPI_Comm_split(c->mpi, color, r->rank, &r->mpi))
        return ga__fail(GA_ERR_COMM, fn, "MPI_Comm_split has failed");
    if (r->size) MPI_Comm_set_errhandler(r->mpi, MPI_ERRORS_RETURN);
    return GA_OK;
}
static void ga__mpi_drop(ga_comm *c, ga__parcel *part, int n) {
    (void)c;
    for (int i = 0; i < n; i++) {
        MPI_Request r;
        if (!part[i].begun) continue;
        memcpy(&r, &part[i].request, sizeof r);
        MPI_Cancel(&r);
        MPI_Request_free(&r);
        part[i].begun = false;
    }
}
static const ga__wire ga__mpi_wire = {ga__mpi_poll, ga__mpi_lost, ga__mpi_fail,
                                      ga__mpi_drop, ga__mpi_leave,
                                      ga__mpi_split};
#endif

/* ============================================================== >>c-nccl
   NCCL's few functions, opened at their first use. Calls may block until the
   other ranks have come (connections are made by the first of a kind), so that
   the first of each kind agrees first, host by host; and a thread watches. It
   reads what others told, asks NCCL for errors and looks at events behind the
   calls: what is not done in time is aborted, and the rank's thread gets the
   error when it waits for the device.                                        */
#ifndef GPUARR_NO_CUDA
typedef struct ga__nccl_id { char internal[128]; } ga__nccl_id;
#define GA__NCCL(X)                                                         \
    X(GetVersion, (int *)) X(GetUniqueId, (ga__nccl_id *))                  \
    X(CommInitRank, (void **, int, ga__nccl_id, int))                       \
    X(CommDestroy, (void *)) X(CommAbort, (void *))                         \
    X(CommGetAsyncError, (void *, int *))                                   \
    X(AllReduce, (const void *, void *, size_t, int, int, void *,           \
                  cudaStream_t))                                            \
    X(Reduce, (const void *, void *, size_t, int, int, int, void *,         \
               cudaStream_t))                                               \
    X(Broadcast, (const void *, void *, size_t, int, int, void *,           \
                  cudaStream_t))                                            \
    X(AllGather, (const void *, void *, size_t, int, void *, cudaStream_t)) \
    X(ReduceScatter, (const void *, void *, size_t, int, int, void *,       \
                      cudaStream_t))                                        \
    X(Send, (const void *, size_t, int, int, void *, cudaStream_t))         \
    X(Recv, (void *, size_t, int, int, void *, cudaStream_t))               \
    X(GroupStart, (void)) X(GroupEnd, (void))
#define GA__X(n, args) int (*n) args;
static struct ga__nccl {
    GA__NCCL(GA__X)
    const char *(*GetErrorString)(int);
} ga__nccl;
#undef GA__X
#define GA__X(n, args) {"nccl" #n, offsetof(struct ga__nccl, n), false},
static const ga__symbol ga__nccl_names[] = {
    GA__NCCL(GA__X)
    {"ncclGetErrorString", offsetof(struct ga__nccl, GetErrorString), false},
    {NULL, 0, false}};
#undef GA__X
static ga__library ga__lib_nccl = {
    {"libnccl.so.2", "libnccl.so", NULL, NULL}, ga__nccl_names, &ga__nccl,
    PTHREAD_ONCE_INIT, false, ""};

/* Where pip puts it: nvidia-nccl's folder, older PyTorch's own. */
static void ga__load_nccl(void) {
    static char found[1024];
    static const char *const roots[] = {
        "$VIRTUAL_ENV/lib", "$CONDA_PREFIX/lib", "$HOME/.local/lib",
        "/usr/local/lib", "/usr/lib", "/opt/venv/lib", "/opt/conda/lib",
        "/opt/*/lib"};
    static const char *const places[] = {"nvidia/nccl/lib", "torch/lib"};
    const char *named = getenv("GPUARR_NCCL");
    void *h = NULL;
    if (named && *named) ga__lib_nccl.file[0] = named;
    else h = dlopen(ga__lib_nccl.file[0], RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; !h && !(named && *named) && !found[0] && i < 16; i++) {
        char pattern[700];
        const char *root = roots[i / 2], *slash = strchr(root, '/');
        const char *var = "";
        if (*root == '$') {
            char name[32];
            snprintf(name, sizeof name, "%.*s", (int)(slash - root) - 1,
                     root + 1);
            var = getenv(name);
            if (!var || !*var) continue;
            root = slash;
        }
        glob_t g;
        snprintf(pattern, sizeof pattern,
                 "%.300s%s/python3*/*-packages/%s/libnccl.so.2", var, root,
                 places[i % 2]);
        if (!glob(pattern, 0, NULL, &g) && g.gl_pathc)
            snprintf(found, sizeof found, "%s", g.gl_pathv[0]);
        globfree(&g);
    }
    if (found[0]) ga__lib_nccl.file[0] = found;
    ga__library_load(&ga__lib_nccl);
}

#define GA__NCCL_IN_PROGRESS 7
#define GA__WATCHED 8
struct ga__nccl_state {
    void *comm;                     /* ncclComm_t; NULL: aborted            */
    ga__device *dev;
    pthread_mutex_t lock;           /* around NCCL's calls and what follows */
    _Atomic double entered;         /* when the thread inside came; 0: none */
    unsigned met;                   /* kinds of calls all have agreed on    */
    struct {
        cudaEvent_t e;
        bool pending;
        double since;
        ga__note note;
    } slot[GA__WATCHED];
    pthread_t thread;
    atomic_bool quit;
};
static ga_status ga__nccl_ok(const char *fn, ga_comm *c, int e) {
    if (atomic_load(&c->broken) == 2)
        return ga__fail(GA_ERR_COMM, fn, "%s", c->why);
    return e ? ga__fail(GA_ERR_COMM, fn, "NCCL: %s", ga__nccl.GetErrorString(e))
             : GA_OK;
}
/* Before and after calls of NCCL; d is current in between. */
static ga_status ga__nccl_enter(const char *fn, ga_comm *c, int *before) {
    ga__nccl_state *s = c->nccl;
    pthread_mutex_lock(&s->lock);
    if (atomic_load(&c->broken) || !s->comm) {
        pthread_mutex_unlock(&s->lock);
        return ga__fail(GA_ERR_COMM, fn, "the communicator has failed: %s",
                        atomic_load(&c->broken) == 2 ? c->why : "...");
    }
    atomic_store(&s->entered, ga_time() + 1e-9);
    cudaError_t e = ga__cuda_enter(s->dev, before);
    if (!e) return GA_OK;
    atomic_store(&s->entered, 0);
    pthread_mutex_unlock(&s->lock);
    return ga__cuda_leave(fn, s->dev, *before, e);
}
/* note: the call to be watched. */
static ga_status ga__nccl_exit(const char *fn, ga_comm *c, int before, int e,
                               const ga__note *note) {
    ga__nccl_state *s = c->nccl;
    cudaError_t ce = cudaSuccess;
    if (!e && !ga__me.capture) {
        int k = 0;
        while (k < GA__WATCHED - 1 && s->slot[k].pending) k++;
        ce = cudaEventRecord(s->slot[k].e, ga__handle_of(ga__stream(s->dev)));
        s->slot[k].pending = true;
        s->slot[k].since = ga_time();
        s->slot[k].note = *note;
    }
    atomic_store(&s->entered, 0);
    pthread_mutex_unlock(&s->lock);
    ga_status st = ga__cuda_leave(fn, s->dev, before, ce);
    return e ? ga__nccl_ok(fn, c, e) : st;
}

/* What is wrong with the call of this number that rank i has told, if it has;
   *queued: it waits for ours on its device.                                  */
static ga_status ga__nccl_contradicts(const ga_comm *c, int i,
                                      const ga__note *mine, bool *queued,
                                      char *why, size_t room) {
    const bool pair = mine->what == GA__C_SEND || mine->what == GA__C_RECV;
    if (!c->hall || i == c->rank || (pair && !mine->op)) return GA_OK;
    ga__seat *s = ga__seat_of(c->hall, i);
    ga__note n;
    ga__seat_lock(s);
    n = s->note[mine->seq % GA__SEEN];
    ga__seat_unlock(s);
    if (n.seq != mine->seq) return GA_OK;
    char a[200], b[200];
    *queued = !n.status;
    ga_status st = n.status ? (ga_status)n.status
                   : pair ? GA_OK : ga__notes_differ(mine, &n);
    if (n.status) {
        snprintf(why, room, "rank %d: %s", i, n.text);
    } else if (st) {
        ga__note_text(mine, a, sizeof a);
        ga__note_text(&n, b, sizeof b);
        snprintf(why, room, "rank %d calls %.120s, rank %d %.120s", c->rank, a,
                 i, b);
    }
    return st;
}
/* Rank i cannot come: it gave up, its process is gone, or it has ended without
   this call (one that has made it may end before us).                        */
static bool ga__nccl_gone(ga_comm *c, int i, const ga__note *mine, char *why,
                          size_t room) {
    if (!c->hall || !ga__hall_lost(c, i, why, room)) return false;
    if (atomic_load(&c->hall->failed) == 2
        || atomic_load(&ga__seat_of(c->hall, i)->state) != 2) return true;
    if (mine->what == GA__C_SEND || mine->what == GA__C_RECV) return false;
    ga__seat *s = ga__seat_of(c->hall, i);
    ga__seat_lock(s);
    bool without = s->seq < mine->seq;
    ga__seat_unlock(s);
    return without;
}
/* What the other ranks have told or left undone that keeps this call from its
   end.                                                                       */
static bool ga__nccl_forsaken(ga_comm *c, const ga__note *n, char *why,
                              size_t room) {
    bool queued;
    for (int i = 0; i < c->size; i++)
        if (i != c->rank && (ga__nccl_contradicts(c, i, n, &queued, why, room)
                             || ga__nccl_gone(c, i, n, why, room))) return true;
    return false;
}
/* Under the lock: what is wrong, if anything is, and with which call. */
static bool ga__nccl_wrong(ga_comm *c, char *why, size_t room,
                           int64_t *seq) {
    ga__nccl_state *s = c->nccl;
    int e = 0;
    double now = ga_time();
    for (int k = 0; k < GA__WATCHED; k++) {
        if (!s->slot[k].pending) continue;
        cudaError_t q = cudaEventQuery(s->slot[k].e);
        if (q != cudaErrorNotReady) {
            if (q) cudaGetLastError();
            s->slot[k].pending = false;
            continue;
        }
        const ga__note *n = &s->slot[k].note;
        *seq = n->seq;
        if (ga__nccl_forsaken(c, n, why, room)) return true;
        if (!ga__nccl.CommGetAsyncError(s->comm, &e) && e
            && e != GA__NCCL_IN_PROGRESS) {
            snprintf(why, room, "NCCL: %s", ga__nccl.GetErrorString(e));
            return true;
        }
        if (now - s->slot[k].since < c->timeout) continue;
        char text[200], last[200];
        ga__note other;
        ga__note_text(n, text, sizeof text);
        int at = snprintf(why, room, "%s is not done within %g s", text,
                          c->timeout);
        for (int i = 0; i < c->size && at > 0 && (size_t)at < room; i++) {
            if (i == c->rank || !ga__hall_saw(c, i, &other)
                || other.seq >= n->seq) continue;
            ga__note_text(&other, last, sizeof last);
            at += snprintf(why + at, room - (size_t)at, "; rank %d was last in "
                           "%s", i, last);
        }
        return true;
    }
    return false;
}
/* Ends the work on the device; its thread is told when it waits. */
static void ga__nccl_abort(ga_comm *c, const char *why, int64_t seq) {
    ga__nccl_state *s = c->nccl;
    ga__comm_end(c, why, seq);      /* MPI is not this thread's to use      */
    if (s->comm) ga__nccl.CommAbort(s->comm);
    s->comm = NULL;
}
static _Thread_local ga_comm *ga__my_comms;     /* those with NCCL          */
/* Also where the call in which a rank has given up is done here, for NCCL's kernel
   of that rank sends on what it has not received: it has said so before.     */
static ga_status ga__nccl_waited(const char *fn) {
    for (ga_comm *c = ga__my_comms; c; c = c->next) {
        char why[400];
        if (c->hall && !atomic_load(&c->broken)
            && ga__hall_gave_up(c->hall, why, sizeof why)
            && c->seq >= c->hall->failed_at)
            ga__comm_end(c, why, c->seq);
        if (c->told || ga__settled(&c->broken) != 2) continue;
        c->told = true;
        return ga__fail(GA_ERR_COMM, fn, "%s: what the device computed since "
                        "may be void", c->why);
    }
    return GA_OK;
}
static void *ga__nccl_watch(void *arg) {
    ga_comm *c = (ga_comm *)arg;
    ga__nccl_state *s = c->nccl;
    char why[400];
    struct timespec nap = {0, 20000000};
    double last = 0;                /* when who was inside had come         */
    int64_t seq = 0;
    cudaSetDevice(s->dev->id);
    while (!atomic_load(&s->quit)) {
        nanosleep(&nap, NULL);
        if (!pthread_mutex_trylock(&s->lock)) {
            bool wrong = ga__nccl_wrong(c, why, sizeof why, &seq);
            if (wrong) ga__nccl_abort(c, why, seq);
            pthread_mutex_unlock(&s->lock);
            if (wrong) break;
            continue;
        }
        double in = atomic_load(&s->entered);   /* NCCL may wait in there   */
        ga__note n;
        if (in == 0) continue;
        if (ga_time() - in >= c->timeout)
            snprintf(why, sizeof why, "NCCL has not returned within %g s",
                     c->timeout);
        else if (last != in || !ga__hall_saw(c, c->rank, &n)
                 || !ga__nccl_forsaken(c, &n, why, sizeof why)
                 || atomic_load(&s->entered) != in) {
            last = in;              /* from the second look on it is there  */
            continue;
        }
        ga__nccl_abort(c, why, ga__hall_saw(c, c->rank, &n) ? n.seq : 0);
        break;                      /* the call inside comes back           */
    }
    return NULL;
}

/* The GPU's name among all machines'; "" asks for the host's way. */
static void ga__nccl_name(const ga__device *d, char *out, size_t room) {
    const char *way = getenv("GPUARR_COMM");
    char bus[32] = "", host[64] = "";
    out[0] = '\0';
    if (d->id == GA_CPU || (way && !strcmp(way, "host"))
        || cudaDeviceGetPCIBusId(bus, sizeof bus, d->id)) return;
    FILE *f = fopen("/proc/sys/kernel/hostname", "r");
    if (!f || !fgets(host, sizeof host, f)) host[0] = '\0';
    if (f) fclose(f);
    host[strcspn(host, " \n")] = '\0';
    snprintf(out, room, "%s %s", host, bus);
}
static void ga__nccl_delete(ga__nccl_state *s) {
    for (int k = 0; k < GA__WATCHED; k++)
        if (s->slot[k].e) cudaEventDestroy(s->slot[k].e);
    pthread_mutex_destroy(&s->lock);
    GA_FREE(s);
}
/* c->notes are those of joining. */
static ga_status ga__nccl_join(const char *fn, ga_comm *c, ga__device *d) {
    bool near = true;               /* all on one machine                   */
    for (int i = 0; i < c->size; i++) {
        const char *a = c->notes[0].text, *b = c->notes[i].text;
        if (!*b) return GA_OK;
        near &= strcspn(a, " ") == strcspn(b, " ")
                && !strncmp(a, b, strcspn(a, " "));
        for (int k = 0; k < i; k++)
            if (!strcmp(c->notes[i].text, c->notes[k].text)) return GA_OK;
    }
    ga__note n;
    ga__nccl_id id;
    int before, e = 0;
    memset(&n, 0, sizeof n);
    memset(&id, 0, sizeof id);
    n.ndim = -1;
    n.number = (uint64_t)getpid() << 32 | (uint32_t)(ga_time() * 1e6);
    n.status = ga__library_open(fn, &ga__lib_nccl, ga__load_nccl);
    ga__nccl_state *s = (ga__nccl_state *)GA_MALLOC(sizeof *s);
    if (!s && !n.status) n.status = ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    if (!n.status && c->rank == 0) {
        e = ga__nccl.GetUniqueId(&id);
        if (e) n.status = ga__fail(GA_ERR_COMM, fn, "NCCL: %s",
                                   ga__nccl.GetErrorString(e));
    }
    memcpy(n.text, &id, sizeof id);
    if (n.status) snprintf(n.text, sizeof n.text, "%.160s", ga_error_message());
    ga_status st = ga__comm_agree(fn, c, &n);
    if (st) {
        GA_FREE(s);
        return st;
    }
    memcpy(&id, c->notes[0].text, sizeof id);
    if (!c->hall && near) {
        char path[64];
        snprintf(path, sizeof path, "/dev/shm/gpuarr-%llx",
                 (unsigned long long)c->notes[0].number);
        st = ga__hall_open(fn, c, path);
        if (st) {
            GA_FREE(s);
            return st;
        }
    }
    memset((void *)s, 0, sizeof *s);
    s->dev = d;
    pthread_mutex_init(&s->lock, NULL);
    cudaError_t ce = ga__cuda_enter(d, &before);
    for (int k = 0; k < GA__WATCHED && !ce; k++)
        ce = cudaEventCreateWithFlags(&s->slot[k].e, cudaEventDisableTiming);
    if (!ce) e = ga__nccl.CommInitRank(&s->comm, c->size, id, c->rank);
    st = ga__cuda_leave(fn, d, before, ce);
    if (!st && e) st = ga__fail(GA_ERR_COMM, fn, "NCCL: %s",
                                ga__nccl.GetErrorString(e));
    if (!st) {
        c->nccl = s;
        if (pthread_create(&s->thread, NULL, ga__nccl_watch, c)) {
            c->nccl = NULL;
            st = ga__fail(GA_ERR_HOST_MEMORY, fn, "the watchdog's thread does "
                          "not start");
        }
    }
    if (st && s->comm) ga__nccl.CommAbort(s->comm);
    if (st) {
        ga__nccl_delete(s);
        return st;
    }
    c->next = ga__my_comms;
    ga__my_comms = c;
    atomic_store(&ga__waited_too, ga__nccl_waited);
    return GA_OK;
}
/* Others may still read what this rank sent: they get a moment to leave too. */
static void ga__nccl_leave(ga_comm *c) {
    ga__nccl_state *s = c->nccl;
    struct timespec nap = {0, 100000};
    int before;
    if (!s) return;
    ga__device *d = s->dev;
    ga_comm **at = &ga__my_comms;
    while (*at && *at != c) at = &(*at)->next;
    if (*at) *at = c->next;
    cudaError_t e = ga__cuda_enter(s->dev, &before);
    for (bool busy = true; busy && !atomic_load(&c->broken);) {
        pthread_mutex_lock(&s->lock);
        busy = false;
        for (int k = 0; k < GA__WATCHED; k++)
            busy |= s->slot[k].pending
                    && cudaEventQuery(s->slot[k].e) == cudaErrorNotReady;
        pthread_mutex_unlock(&s->lock);
        if (busy) nanosleep(&nap, NULL);
    }
    bool all = !atomic_load(&c->broken);
    if (all && c->hall) {
        double end = ga_time() + 2;
        atomic_store(&ga__seat_of(c->hall, c->rank)->state, 3);
        for (int i = 0; i < c->size; i++)
            while (atomic_load(&ga__seat_of(c->hall, i)->state) < 2
                   && ga_time() < end) nanosleep(&nap, NULL);
        all = ga_time() < end;
    }
    atomic_store(&s->quit, true);
    pthread_join(s->thread, NULL);
    if (s->comm && all) ga__nccl.CommDestroy(s->comm);
    else if (s->comm) ga__nccl.CommAbort(s->comm);
    ga__nccl_delete(s);
    c->nccl = NULL;
    ga__cuda_leave_quiet(d, before, e);
}
#endif

/* ====================================================== >>c-communicators */
static void ga__comm_delete(ga_comm *c) {
    GA_FREE(c->notes);
    GA_FREE(c->part);
    GA_FREE(c->busy);
    GA_FREE(c->queue);
    GA_FREE(c);
}
static ga_comm *ga__comm_new(const char *fn, int rank, int size,
                             const ga__wire *wire) {
    ga_comm *c = (ga_comm *)GA_MALLOC(sizeof *c);
    size_t n = (size_t)(size > 0 ? size : 1);
    if (!c) return (ga_comm *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset((void *)c, 0, sizeof *c);
    c->rank = rank;
    c->size = size;
    c->wire = wire;
    c->timeout = 300;
    c->notes = (ga__note *)GA_MALLOC(n * sizeof *c->notes);
    c->part = (ga__parcel *)GA_MALLOC(2 * n * sizeof *c->part);
    c->busy = (int *)GA_MALLOC(2 * n * sizeof *c->busy);
    if (c->notes && c->part && c->busy) return c;
    ga__comm_delete(c);
    return (ga_comm *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
}

/* All are there: they take rank 0's seed, and NCCL where each has a GPU of its
   own.                                                                       */
static ga_status ga__comm_join(const char *fn, ga_comm *c, uint64_t seed) {
    ga__note n;
    memset(&n, 0, sizeof n);
    ga__device *d = ga__current(fn);
    n.ndim = -1;
    n.number = seed;
    n.status = d ? GA_OK : ga__failed();
    if (!d) snprintf(n.text, sizeof n.text, "%.160s", ga_error_message());
#ifndef GPUARR_NO_CUDA
    if (d) ga__nccl_name(d, n.text, sizeof n.text);
#endif
    ga_status st = ga__comm_agree(fn, c, &n);
    if (st) return st;
    memset((void *)&c->rng, 0, sizeof c->rng);
    c->rng.magic = GA__GENERATOR;
    c->rng.engine = GA_PHILOX;
    c->rng.state.seed = c->notes[0].number;
#ifndef GPUARR_NO_CUDA
    return ga__nccl_join(fn, c, d);
#else
    return GA_OK;
#endif
}
static uint64_t ga__comm_random_seed(void) {
    ga_rng g;
    ga__rng_of("ga_comm", NULL);
    ga__rng_lock(&ga__default_rng);
    g.state = ga__default_rng.state;
    ga__rng_unlock(&ga__default_rng);
    return ga__new_key(g.state.seed, GA__SUBSTREAMS, g.state.call);
}
GA_API void ga_comm_free(ga_comm *c) {
    if (!c) return;
    for (int i = 0; i < c->nqueue; i++) {
        ga_free(c->queue[i].x);
        ga_free(c->queue[i].out);
    }
#ifndef GPUARR_NO_CUDA
    ga__nccl_leave(c);
#endif
    ga_stream_destroy(c->side);
    c->wire->leave(c);
    if (c->hall) ga__hall_leave(c); /* NCCL's notes, beside MPI             */
    ga__comm_delete(c);
}
/* c after joining, or NULL. */
static ga_comm *ga__comm_joined(const char *fn, ga_comm *c) {
    if (!ga__comm_join(fn, c, c->rank ? 0 : ga__comm_random_seed())) return c;
    ga_comm_free(c);
    return NULL;
}

/* ------------------------------------------------------- threads as ranks */
typedef struct ga__ranks {          /* what the threads share               */
    ga_status (*fn)(ga_comm *, void *);
    void *arg;
    ga__hall *hall;
    int size, threads, gpus;        /* loops' threads of a rank; 0: the CPU */
} ga__ranks;
typedef struct ga__rank {
    const ga__ranks *all;
    pthread_t thread;
    int rank;
    ga_status status;
    char message[512];
} ga__rank;
static void *ga__rank_run(void *arg) {
    static const char fn[] = "ga_comm_local";
    ga__rank *r = (ga__rank *)arg;
    const ga__ranks *all = r->all;
    ga_status st = ga_set_device(all->gpus ? r->rank % all->gpus : GA_CPU);
    ga_stream *own = NULL;          /* else two ranks' work would be in line */
    if (!all->gpus) gk_cpu_limit(all->threads);
    else if (!st) {
        own = ga_stream_create(0);
        st = own ? ga_set_stream(own) : ga__failed();
    }
    ga_comm *c = st ? NULL : ga__comm_new(fn, r->rank, all->size,
                                          &ga__hall_wire);
    if (c) {
        ga__hall_sit(c, all->hall);
        c = ga__comm_joined(fn, c);
    } else {                        /* or the others would wait             */
        atomic_store(&ga__seat_of(all->hall, r->rank)->state, 2);
    }
    if (!c) st = ga__failed();
    else st = all->fn(c, all->arg);
    if (!st) st = ga_error();
    r->status = st;
    snprintf(r->message, sizeof r->message, "%.500s",
             ga_error() ? ga_error_message() : st ? ga_status_name(st) : "");
    ga_comm_free(c);
    if (own) {
        ga_set_stream(NULL);
        ga_stream_destroy(own);
    }
    return NULL;
}
GA_API ga_status ga_comm_local(int n, ga_status (*f)(ga_comm *, void *),
                               void *arg) {
    static const char fn[] = "ga_comm_local";
    ga__device *d = ga__current(fn);
    if (!d) return ga__failed();
    if (!f) return ga__fail(GA_ERR_NULL, fn, "the function is NULL");
    if (n < 0 || n > 1024)
        return ga__fail(GA_ERR_VALUE, fn, "%d ranks; 0 to 1024 are possible",
                        n);
    ga__ranks all = {f, arg, NULL, n, 1, d->id == GA_CPU ? 0
                                         : ga__cuda_count()};
    if (!n) n = all.size = all.gpus ? all.gpus : 1;
    all.threads = gk_cpu_threads() / n > 1 ? gk_cpu_threads() / n : 1;
    ga__rank *r = (ga__rank *)GA_MALLOC((size_t)n * sizeof *r);
    all.hall = r ? ga__hall_new(fn, n) : NULL;
    if (!all.hall) {
        if (!r) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
        GA_FREE(r);
        return ga__failed();
    }
    atomic_store(&all.hall->refs, 1);
    int started = 0;
    for (; started < n; started++) {
        r[started].all = &all;
        r[started].rank = started;
        r[started].status = GA_OK;
        if (pthread_create(&r[started].thread, NULL, ga__rank_run,
                           &r[started])) break;
    }
    for (int i = started; i < n; i++)
        atomic_store(&ga__seat_of(all.hall, i)->state, 2);
    int bad = -1;                   /* an own error before a consequence    */
    for (int i = 0; i < started; i++) {
        pthread_join(r[i].thread, NULL);
        if (r[i].status && (bad < 0 || (r[bad].status == GA_ERR_COMM
                                        && r[i].status != GA_ERR_COMM)))
            bad = i;
    }
    ga_status st = started == n ? GA_OK
        : ga__fail(GA_ERR_HOST_MEMORY, fn, "thread %d of %d does not start",
                   started, n);
    if (bad >= 0)
        st = ga__fail(r[bad].status, fn, "rank %d: %s", bad, r[bad].message);
    if (atomic_fetch_sub(&all.hall->refs, 1) == 1) GA_FREE(all.hall);
    GA_FREE(r);
    return st;
}

/* Of this machine's cores, as far as they are given to the process, each of n
   ranks takes its share.                                                     */
static void ga__comm_share_cores(int n) {
    const char *set = getenv("OMP_NUM_THREADS");
    if (ga_device() != GA_CPU || (set && *set)) return;
    const int most = gk_cpu_threads();
    const long cores = sysconf(_SC_NPROCESSORS_ONLN) / n;
    gk_cpu_limit(cores < 1 ? 1 : cores < most ? (int)cores : most);
}
GA_API ga_comm *ga_comm_shared(const char *path, int rank, int size) {
    static const char fn[] = "ga_comm_shared";
    if (!path) return (ga_comm *)GA__NULL(GA_ERR_NULL, fn, "the path is NULL");
    if (size < 1 || size > 1024 || rank < 0 || rank >= size)
        return (ga_comm *)GA__NULL(GA_ERR_VALUE, fn, "rank %d of %d", rank,
                                   size);
    ga_comm *c = ga__comm_new(fn, rank, size, &ga__hall_wire);
    if (c && ga__hall_open(fn, c, path)) {
        ga__comm_delete(c);
        return NULL;
    }
    ga__comm_share_cores(size);
    return c ? ga__comm_joined(fn, c) : NULL;
}

#ifdef GPUARR_USE_MPI
GA_API ga_comm *ga_comm_mpi(MPI_Comm comm) {
    static const char fn[] = "ga_comm_mpi";
    int up = 0, rank = 0, size = 0, near = 1, mine = 0;
    MPI_Initialized(&up);
    if (!up) return (ga_comm *)GA__NULL(GA_ERR_COMM, fn,
                                        "MPI_Init has not been called");
    ga_comm *c = NULL;
    MPI_Comm dup, node;
    if (MPI_Comm_dup(comm, &dup) || MPI_Comm_rank(dup, &rank)
        || MPI_Comm_size(dup, &size)
        || MPI_Comm_split_type(dup, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                               &node))
        return (ga_comm *)GA__NULL(GA_ERR_COMM, fn, "MPI has failed");
    MPI_Comm_rank(node, &mine);
    MPI_Comm_size(node, &near);
    MPI_Comm_free(&node);
    MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
    const bool chosen = ga__me.started || getenv("GPUARR_DEVICE")
                        || ga_device() == GA_CPU;
    if (!chosen && ga_set_device(mine % ga__cuda_count()))
        return NULL;
    ga__comm_share_cores(near);
    c = ga__comm_new(fn, rank, size, &ga__mpi_wire);
    if (!c) return NULL;
    c->mpi = dup;
    return ga__comm_joined(fn, c);
}
#endif

static int ga__env_number(const char *name, int otherwise) {
    const char *v = getenv(name);
    char *end;
    long n = v && *v ? strtol(v, &end, 10) : otherwise;
    return v && *v && (*end || n < 0 || n > 1024) ? -1 : (int)n;
}
static ga_status ga__comm_call(const char *fn, ga_comm *c,
                               ga_status (*f)(ga_comm *, void *), void *arg) {
    if (!c) return ga__failed();
    ga_status st = f(c, arg);
    if (!st) st = ga_error();
    ga_comm_free(c);
    return st && !ga_error() ? ga__fail(st, fn, NULL) : st;
}
GA_API ga_status ga_comm_run(int n, ga_status (*f)(ga_comm *, void *),
                             void *arg) {
    static const char fn[] = "ga_comm_run";
    const char *path = getenv("GPUARR_COMM_FILE");
    int ranks = ga__env_number("GPUARR_RANKS", n);
    int rank = ga__env_number("GPUARR_RANK", 0);
    if (!f) return ga__fail(GA_ERR_NULL, fn, "the function is NULL");
    if (ranks < 0 || rank < 0)
        return ga__fail(GA_ERR_VALUE, fn, "GPUARR_RANK or GPUARR_RANKS is not "
                        "a number of ranks");
    const bool chosen = ga__me.started || getenv("GPUARR_DEVICE")
                        || ga_device() == GA_CPU;
    if (path && *path && !chosen && ga_set_device(rank % ga__cuda_count()))
        return ga__failed();
    if (path && *path)
        return ga__comm_call(fn, ga_comm_shared(path, rank, ranks), f, arg);
#ifdef GPUARR_USE_MPI
    int up = 0, size = 1;
    MPI_Initialized(&up);
    bool ours = !up && (getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE")
                        || getenv("PMIX_RANK") || getenv("SLURM_PROCID"));
    if (ours && MPI_Init(NULL, NULL))
        return ga__fail(GA_ERR_COMM, fn, "MPI_Init has failed");
    if (up || ours) MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (up || size > 1) {
        ga_status st = ga__comm_call(fn, ga_comm_mpi(MPI_COMM_WORLD), f, arg);
        if (ours && !st) MPI_Finalize();    /* else it may wait for ever    */
        return st;
    }
    ga_status st = ga_comm_local(ranks, f, arg);
    if (ours) MPI_Finalize();
    return st;
#else
    return ga_comm_local(ranks, f, arg);
#endif
}

/* ------------------------------------------------------------------ split */
/* The first of the new ranks makes the hall: threads take its address from the
   second exchange, processes a file named by the first rank's process.       */
static ga_status ga__hall_split(ga_comm *c, const char *fn, ga_comm *r,
                                int color, const int *from) {
    (void)color;
    ga__note n;
    ga__hall *h = NULL;
    memset(&n, 0, sizeof n);
    n.what = GA__C_SPLIT;
    n.ndim = -1;
    const bool first = r->size && r->rank == 0;
    if (first && !c->map) {
        h = ga__hall_new(fn, r->size);
        if (!h) n.status = ga__failed();
        else atomic_store(&h->refs, r->size);
        n.number = (uint64_t)(uintptr_t)h;
    } else if (first) {
        snprintf(n.text, sizeof n.text, "/dev/shm/gpuarr-%ld-%lld",
                 (long)getpid(), (long long)(ga_time() * 1e9));
    }
    ga_status st = ga__comm_agree(fn, c, &n);
    if (st) {
        GA_FREE(h);
        return st;
    }
    if (!r->size) return GA_OK;
    if (c->map) {
        char path[sizeof n.text];
        memcpy(path, c->notes[from[0]].text, sizeof path);
        return ga__hall_open(fn, r, path);
    }
    h = (ga__hall *)(uintptr_t)c->notes[from[0]].number;
    ga__hall_sit(r, h);
    atomic_fetch_sub(&h->refs, 1);
    return GA_OK;
}
GA_API ga_comm *ga_comm_split(ga_comm *c, int color, int key) {
    static const char fn[] = "ga_comm_split";
    ga__note n;
    if (!ga__comm_ok(fn, c)) return NULL;
    memset(&n, 0, sizeof n);
    n.seq = ++c->seq;
    n.what = GA__C_SPLIT;
    n.ndim = -1;
    n.number = (uint64_t)(uint32_t)color << 32 | (uint32_t)key;
    int *from = (int *)GA_MALLOC((size_t)c->size * sizeof *from);
    ga_comm *r = ga__comm_new(fn, 0, c->size, c->wire);
    if (!from || !r) {
        n.status = GA_ERR_HOST_MEMORY;
        if (!from) ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
        snprintf(n.text, sizeof n.text, "out of host memory");
    }
    ga_status st = ga__comm_agree(fn, c, &n);
    if (!st) {                      /* sorted by key, then rank             */
        int m = 0;
        for (int i = 0; i < c->size; i++) {
            int key_i = (int)(uint32_t)c->notes[i].number, k = m;
            if (color < 0 || (int)(c->notes[i].number >> 32) != color) continue;
            while (k && (int)(uint32_t)c->notes[from[k - 1]].number > key_i) {
                from[k] = from[k - 1];
                k--;
            }
            from[k] = i;
            m++;
        }
        r->size = m;
        r->timeout = c->timeout;
        for (int k = 0; k < m; k++) if (from[k] == c->rank) r->rank = k;
        st = c->wire->split(c, fn, r, color, from);
        uint64_t seed = ga__new_key(c->rng.state.seed, GA__SUBSTREAMS,
                                    (uint64_t)(uint32_t)color << 32
                                    | (uint32_t)++c->splits);
        if (st || !m) {
            ga__comm_delete(r);
            r = NULL;
        } else if (ga__comm_join(fn, r, seed)) {
            ga_comm_free(r);
            r = NULL;
        }
    } else if (r) {
        ga__comm_delete(r);
        r = NULL;
    }
    GA_FREE(from);
    return r;
}

/* ======================================================== >>c-collectives
   One path for all: arguments and results are made ready, the ranks agree, the
   bytes move between packed arrays in the memory that the wire reaches, the
   result is handed over.                                                     */
typedef struct ga__moving {
    const char *fn;
    ga_comm *c;
    ga__note note;
    ga__device *d, *m;              /* current; of the packed arrays        */
    const ga_array *x;              /* NULL: not this rank's                */
    ga_array *in, *to;              /* packed, on m                         */
    ga_array *out, **made;
    ga__result result;
    bool wants, ready;              /* has a result; result_begin has run   */
    bool together;                  /* all wait for all, on GPUs too        */
    int ndim;                       /* the result's                         */
    int64_t shape[GA_MAX_NDIM];
    ga_dtype t;
} ga__moving;

/* n bytes within m, in the order of its stream. */
static ga_status ga__comm_copy(const ga__moving *v, void *dst, const void *src,
                               size_t n) {
    if (!n || dst == src) return GA_OK;
    return v->m->be->copy(v->m, v->fn, GA__D2D, dst, src, n, ga__stream(v->m),
                          false);
}
static ga_array *ga__on(const ga__moving *v, int ndim, const int64_t *shape,
                        ga_dtype t) {
    GA_DEVICE(v->m->id);
    return ga__new(v->fn, v->m, ndim, shape, t, NULL);
}

/* The parts move: by the wire, or as one group of NCCL's. */
static ga_status ga__comm_parts(const ga__moving *v, ga__parcel *part, int n) {
#ifndef GPUARR_NO_CUDA
    if (v->c->nccl) {
        int before;
        ga_status st = ga__nccl_enter(v->fn, v->c, &before);
        if (st) return st;
        void *comm = v->c->nccl->comm;
        cudaStream_t on = ga__handle_of(ga__stream(v->m));
        int e = ga__nccl.GroupStart();
        for (int i = 0; i < n && !e; i++) {
            ga__parcel *p = &part[i];
            if (!p->bytes) continue;
            e = p->send ? ga__nccl.Send(p->p, p->bytes, 1, p->peer, comm, on)
                        : ga__nccl.Recv(p->p, p->bytes, 1, p->peer, comm, on);
        }
        int end = ga__nccl.GroupEnd();
        return ga__nccl_exit(v->fn, v->c, before, e ? e : end, &v->note);
    }
#endif
    return ga__comm_wait(v->fn, v->c, part, n, n);
}

/* Rank i gets send[i] bytes from in + at[i], and gives recv[i] to out + to[i];
   what stays is copied.                                                      */
typedef struct ga__share { size_t at, send, to, recv; } ga__share;
static ga_status ga__exchange(const ga__moving *v, const void *in, void *out,
                              const ga__share *s) {
    const ga_comm *c = v->c;
    int n = 0;
    for (int i = 0; i < c->size; i++) {
        if (i == c->rank) continue;
        if (s[i].send)
            c->part[n++] = ga__parcel_of(i, true, (const char *)in + s[i].at,
                                       s[i].send);
        if (s[i].recv)
            c->part[n++] = ga__parcel_of(i, false, (char *)out + s[i].to,
                                       s[i].recv);
    }
    const ga__share *own = &s[c->rank];
    ga_status st = own->recv ? ga__comm_copy(v, (char *)out + own->to,
                                             (const char *)in + own->at,
                                             own->recv) : GA_OK;
    return st || !n ? st : ga__comm_parts(v, c->part, n);
}

/* Where rank i's part of n begins, parts being as even as they go. */
static int64_t ga__row_cut(int64_t n, int size, int i) {
    return n / size * i + (i < n % size ? i : n % size);
}

/* to (m) = op over stack (size, m). Rank by rank is at the memory's rate, a
   reduction over so few rows is not; halves add up in float32, so by one.    */
static ga_status ga__comm_fold(const ga__moving *v, ga_array *to,
                               const ga_array *stack) {
    static ga_status (*const pair[])(ga_array *, const ga_array *,
                                     const ga_array *) = {
        (ga_add_into), (ga_multiply_into), (ga_minimum_into),
        (ga_maximum_into)};
    GA_SCOPE;
    GA_DEVICE(v->m->id);
    const ga_axis by = GA_AXIS(0);
    const ga_dtype t = stack->dtype;
    const int op = v->note.op;
    if (!to->size) return GA_OK;
    if (t == GA_BOOL && op != GA_COMM_MEAN)
        return op == GA_COMM_SUM || op == GA_COMM_MAX
            ? (ga_any_into)(to, stack, by) : (ga_all_into)(to, stack, by);
    if (op == GA_COMM_MEAN) return (ga_mean_into)(to, stack, by);
    if (t == GA_FLOAT16 || t == GA_BFLOAT16) {
        if (op == GA_COMM_SUM) return (ga_sum_into)(to, stack, by);
        if (op == GA_COMM_PROD) return (ga_prod_into)(to, stack, by);
    }
    const ga_array *acc = (ga_index_axis)(stack, 0, 0);
    ga_status st = !acc ? ga__failed()
                   : v->c->size == 1 ? (ga_assign)(to, acc) : GA_OK;
    for (int i = 1; i < v->c->size && !st; i++, acc = to) {
        ga_array *next = (ga_index_axis)(stack, 0, i);
        st = next ? pair[op](to, acc, next) : ga__failed();
    }
    return st;
}

/* Each rank reduces a part of the elements: what others have of it comes here.
   scatter: parts are x's rows and stay; else the results go to root, or with
   root -1 to all. Few elements: all go everywhere.                           */
static ga_status ga__comm_reduce(const ga__moving *v, int root, bool scatter) {
    const ga_comm *c = v->c;
    const int64_t n = v->in->size;
    const size_t w = ga__size(v->in->dtype), tw = ga__size(v->t);
    const bool few = !scatter && (size_t)n * w <= 8192;
    ga__share *s = (ga__share *)GA_MALLOC((size_t)c->size * sizeof *s);
    if (!s) return ga__fail(GA_ERR_HOST_MEMORY, v->fn, NULL);
    const int64_t from = few ? 0 : ga__row_cut(n, c->size, c->rank);
    const int64_t mine = few ? n : ga__row_cut(n, c->size, c->rank + 1) - from;
    for (int i = 0; i < c->size; i++) {
        s[i].at = few ? 0 : (size_t)ga__row_cut(n, c->size, i) * w;
        s[i].send = few ? (size_t)n * w
                        : (size_t)ga__row_cut(n, c->size, i + 1) * w - s[i].at;
        s[i].to = (size_t)i * (size_t)mine * w;
        s[i].recv = (size_t)mine * w;
    }
    const int64_t shape[] = {c->size, mine};
    ga_array *stack = ga__on(v, 2, shape, v->in->dtype);
    ga_array *part = scatter || (few && v->to) ? NULL
                     : ga__on(v, 1, &mine, v->t), *flat = part;
    if (!part && stack && v->to) {
        GA_DEVICE(v->m->id);
        flat = (ga_reshape)(v->to, GA_SHAPE(-1));
    }
    ga_status st = stack && flat ? GA_OK : ga__failed();
    if (!st) st = ga__exchange(v, v->in->data, stack->data, s);
    if (!st) st = ga__comm_fold(v, flat, stack);
    if (!st && !few && !scatter) {
        for (int i = 0; i < c->size; i++) {
            s[i].at = 0;
            s[i].send = root < 0 || root == i ? (size_t)mine * tw : 0;
            s[i].to = (size_t)ga__row_cut(n, c->size, i) * tw;
            s[i].recv = root < 0 || root == c->rank
                ? (size_t)ga__row_cut(n, c->size, i + 1) * tw - s[i].to : 0;
        }
        st = ga__exchange(v, part->data, v->to ? v->to->data : NULL, s);
    }
    ga_free(stack);
    if (flat != part) ga_free(flat);
    ga_free(part);
    GA_FREE(s);
    return st;
}

#ifndef GPUARR_NO_CUDA
/* NCCL's own number for the dtype and operation; -1: it has none with our
   meaning. *times: elements of it for one of ours.                           */
static int ga__nccl_type(ga_dtype t, int *times) {
    static const signed char type[GA_NUM_DTYPES] = {
        1, 0, -1, 2, 4, 1, -1, 3, 5, 6, 9, 7, 8, 7, 8};
    *times = t == GA_COMPLEX64 || t == GA_COMPLEX128 ? 2 : 1;
    return type[t];
}
static int ga__nccl_op(ga_dtype t, int op) {
    const char k = ga__kind(t);
    if (k == 'b') return op == GA_COMM_SUM || op == GA_COMM_MAX ? 2
                         : op == GA_COMM_MEAN ? -1 : 3;
    switch (op) {
    case GA_COMM_SUM: return 0;
    case GA_COMM_PROD: return k == 'c' ? -1 : 1;
    case GA_COMM_MIN: return ga__is_int(t) ? 3 : -1;
    case GA_COMM_MAX: return ga__is_int(t) ? 2 : -1;
    default: return ga__is_int(t) ? -1 : 4;
    }
}
/* False: not a collective that NCCL has like this. */
static bool ga__nccl_call(const ga__moving *v, ga_status *st) {
    ga_comm *c = v->c;
    const int what = v->note.what, root = v->note.root;
    int times = 1, type = 1, op = 0, before, e;
    if (!c->nccl || what == GA__C_GATHER || what == GA__C_SCATTER
        || what == GA__C_ALLTOALL) return false;
    const ga_array *x = v->in ? v->in : v->to;
    size_t n = (size_t)x->size * ga__size(x->dtype);    /* of bytes         */
    if (GA__C_REDUCES(what)) {
        type = ga__nccl_type(x->dtype, &times);
        op = ga__nccl_op(x->dtype, v->note.op);
        if (type < 0 || op < 0) return false;
        n = (size_t)x->size * (size_t)times;
    }
    const void *in = v->in ? v->in->data : NULL;
    void *to = v->to ? v->to->data : NULL;
    *st = ga__nccl_enter(v->fn, c, &before);
    if (*st) return true;
    void *comm = c->nccl->comm;
    cudaStream_t on = ga__handle_of(ga__stream(v->m));
    switch (what) {
    case GA__C_ALLREDUCE:
        e = ga__nccl.AllReduce(in, to, n, type, op, comm, on);
        break;
    case GA__C_REDUCE:
        e = ga__nccl.Reduce(in, to, n, type, op, root, comm, on);
        break;
    case GA__C_REDUCE_SCATTER:
        e = ga__nccl.ReduceScatter(in, to, n / (size_t)c->size, type, op, comm,
                                   on);
        break;
    case GA__C_BROADCAST:
        e = ga__nccl.Broadcast(in, to, n, type, root, comm, on);
        break;
    default: e = ga__nccl.AllGather(in, to, n, type, comm, on);
    }
    *st = ga__nccl_exit(v->fn, c, before, e, &v->note);
    return true;
}
/* Tells, and looks at what others told; waits for all where a call of this kind
   is the first that goes well (NCCL makes its connections in it, and waits for
   the others), where the shape is the root's to say, and `together`.         */
static ga_status ga__nccl_agree(ga__moving *v) {
    ga_comm *c = v->c;
    char why[400];
    const unsigned bit = 1u << v->note.what;
    ga__hall_tell(c, &v->note);
    const bool ask = v->note.what == GA__C_BROADCAST
                     || v->note.what == GA__C_SCATTER;
    if (!(c->nccl->met & bit) || ask || v->together || !c->hall) {
        ga_status st = ga__comm_agree(v->fn, c, &v->note);
        if (!st) c->nccl->met |= bit;
        return st;
    }
    /* whose call waits already is told by its watchdog */
    if (v->note.status) return (ga_status)v->note.status;
    for (int i = 0; i < c->size; i++) {
        bool queued;
        ga_status st = ga__nccl_contradicts(c, i, &v->note, &queued, why,
                                            sizeof why);
        if (!st) continue;
        if (queued) return ga__comm_break(v->fn, c, why);
        return ga__fail(st, v->fn, "%s", why);
    }
    return GA_OK;
}
#endif

/* x packed on m, or NULL; detached. */
static ga_array *ga__comm_pack(const ga__moving *v, const ga_array *x) {
    ga_array *p;
    if (x->device == v->m->id) {
        p = (ga_ascontiguousarray)(x);
        if (p && ga__order(v->fn, p->ga__buf, ga__stream(v->m), false)) {
            ga_free(p);
            p = NULL;
        }
    } else {
        p = ga__on(v, x->ndim, x->shape, x->dtype);
        if (p && !ga_asnumpy(x, p->data)) {
            ga_free(p);
            p = NULL;
        }
    }
    return p ? ga_detach(p) : NULL;
}

/* The result's shape and dtype, from the shape of (root's) x. */
static ga_status ga__comm_shape(ga__moving *v, int ndim, const int64_t *shape,
                                ga_dtype t) {
    const int what = v->note.what, size = v->c->size;
    const bool cuts = what == GA__C_REDUCE_SCATTER || what == GA__C_SCATTER
                      || what == GA__C_ALLTOALL;
    const bool joins = what == GA__C_ALLGATHER || what == GA__C_GATHER;
    v->ndim = ndim;
    v->t = GA__C_REDUCES(what) && v->note.op == GA_COMM_MEAN
           && (ga__is_int(t) || t == GA_BOOL) ? GA_FLOAT64 : t;
    memcpy(v->shape, shape, (size_t)ndim * sizeof *shape);
    if (cuts && (!ndim || shape[0] % size))
        return ga__fail(GA_ERR_SHAPE, v->fn, "%s does not come apart into %d "
                        "equal parts", ga__shape_text(ndim, shape), size);
    if (cuts && what != GA__C_ALLTOALL) v->shape[0] /= size;
    if (joins && !ndim) v->shape[v->ndim++] = 1;
    if (joins) {
        if (v->shape[0] > INT64_MAX / size)
            return ga__fail(GA_ERR_SIZE, v->fn, "%d times shape %s", size,
                            ga__shape_text(ndim, shape));
        v->shape[0] *= size;
    }
    return GA_OK;
}
/* Where the result goes: in the end to out or *made, on m to `to`. */
static ga_status ga__comm_ready(ga__moving *v) {
    const int what = v->note.what;
    const bool inplace = what == GA__C_ALLREDUCE || what == GA__C_REDUCE
                         || what == GA__C_BROADCAST;
    if (v->wants) {
        if (!ga__result_begin(&v->result, v->fn, v->d, v->out, v->made, v->ndim,
                              v->shape, v->t, &v->x, v->x ? 1 : 0,
                              inplace ? GA__TO_SAME : 0))
            return ga__failed();
        v->ready = true;
        if (v->result.to != v->out) ga_detach(v->result.to);
        v->to = v->m == v->d ? v->result.to
                             : ga__on(v, v->ndim, v->shape, v->t);
        if (!v->to) return ga__failed();
        return ga__order(v->fn, v->to->ga__buf, ga__stream(v->m), true);
    }
    return GA_OK;
}
/* Of bytes, without arithmetic. */
static ga_status ga__comm_bytes(const ga__moving *v) {
    const ga_comm *c = v->c;
    const int what = v->note.what, root = v->note.root;
    const size_t in = v->in ? (size_t)v->in->size * ga__size(v->t) : 0;
    const size_t out = v->to ? (size_t)v->to->size * ga__size(v->t) : 0;
    const size_t n = (size_t)c->size;
    ga__share *s = (ga__share *)GA_MALLOC(n * sizeof *s);
    if (!s) return ga__fail(GA_ERR_HOST_MEMORY, v->fn, NULL);
    memset(s, 0, n * sizeof *s);
    const bool me = c->rank == root;
    for (int i = 0; i < c->size; i++) {
        const size_t k = (size_t)i;
        switch (what) {
        case GA__C_BROADCAST:
            s[i].send = me ? in : 0;
            s[i].recv = i == root ? out : 0;
            break;
        case GA__C_ALLGATHER: case GA__C_GATHER:
            s[i].send = what == GA__C_ALLGATHER || i == root ? in : 0;
            s[i].recv = out / n;
            s[i].to = k * (out / n);
            break;
        case GA__C_SCATTER:
            s[i].send = me ? in / n : 0;
            s[i].at = k * (in / n);
            s[i].recv = i == root ? out : 0;
            break;
        default:
            s[i].send = s[i].recv = in / n;
            s[i].at = s[i].to = k * (in / n);
        }
    }
    ga_status st = ga__exchange(v, v->in ? v->in->data : NULL,
                                v->to ? v->to->data : NULL, s);
    GA_FREE(s);
    return st;
}
static ga_status ga__comm_do(ga__moving *v) {
    const int what = v->note.what;
#ifndef GPUARR_NO_CUDA
    const ga_array *any = v->in ? v->in : v->to;
    ga_status st;
    if (any->size && ga__nccl_call(v, &st)) return st;
#endif
    if (GA__C_REDUCES(what))
        return ga__comm_reduce(v, what == GA__C_REDUCE ? v->note.root : -1,
                               what == GA__C_REDUCE_SCATTER);
    return ga__comm_bytes(v);
}

/* x's part of the preparation: nothing here waits for others. */
static ga_status ga__comm_prepare(ga__moving *v) {
    const int what = v->note.what, root = v->note.root;
    ga_comm *c = v->c;
    v->d = ga__current(v->fn);
    if (!v->d) return ga__failed();
    v->m = c->nccl ? v->d : ga__device_of(v->fn, GA_CPU);
    if (!v->m) return ga__failed();
    if (GA__C_ROOTED(what) && (root < 0 || root >= c->size))
        return ga__fail(GA_ERR_VALUE, v->fn, "root is %d; there are ranks 0 to "
                        "%d", root, c->size - 1);
    if (GA__C_REDUCES(what) && (unsigned)v->note.op > GA_COMM_MEAN)
        return ga__fail(GA_ERR_VALUE, v->fn, "%d is not a ga_comm_op",
                        v->note.op);
    v->wants = (what != GA__C_REDUCE && what != GA__C_GATHER)
               || root == c->rank;
    if (!v->wants) v->out = NULL;
    if ((what == GA__C_BROADCAST || what == GA__C_SCATTER) && root != c->rank)
        v->x = NULL;
    else if (!ga__ok(v->fn, v->x)) return ga__failed();
    ga_array *none;
    if (!ga__begin(v->fn, &v->x, v->x ? 1 : 0, v->wants ? v->out : NULL,
                   v->wants ? v->made : &none)) return ga__failed();
    if (!v->x) return GA_OK;
    if (ga__is_number(v->x))
        return ga__fail(GA_ERR_VALUE, v->fn, "a C number; an array is wanted");
    v->note.ndim = v->x->ndim;
    v->note.dtype = (int)v->x->dtype;
    memcpy(v->note.shape, v->x->shape, sizeof v->note.shape);
    ga_status st = ga__comm_shape(v, v->x->ndim, v->x->shape, v->x->dtype);
    if (st) return st;
    v->in = ga__comm_pack(v, v->x);
    return v->in ? ga__comm_ready(v) : ga__failed();
}
static ga_status ga__collect(const char *fn, ga_comm *c, int what,
                             const ga_array *x, int op, int root, ga_array *out,
                             ga_array **made) {
    ga__moving v;
    if (made) *made = NULL;
    if (!ga__comm_ok(fn, c)) return ga__failed();
    memset((void *)&v, 0, sizeof v);
    v.fn = fn;
    v.c = c;
    v.x = x;
    v.out = out;
    v.made = made;
    v.note.what = what;
    v.note.op = op;
    v.note.root = root;
    v.note.ndim = -1;
    v.note.seq = ++c->seq;
    ga_status st = ga__comm_prepare(&v);
    if (st) {                       /* told, so that nobody waits           */
        v.note.status = (int)st;
        snprintf(v.note.text, sizeof v.note.text, "%.160s",
                 ga_error_message());
    }
#ifndef GPUARR_NO_CUDA
    if (c->nccl) {
        st = ga__nccl_agree(&v);
    } else
#endif
    {
        ga__hall_tell(c, &v.note);
        st = ga__comm_agree(fn, c, &v.note);
    }
    if (!st && !v.x) {              /* what root has said                   */
        const ga__note *n = &c->notes[root];
        st = ga__comm_shape(&v, n->ndim, n->shape, (ga_dtype)n->dtype);
        if (!st) st = ga__comm_ready(&v);
        if (st) ga__comm_broken(c, ga_error_message());
    }
    if (!st) {
        st = ga__comm_do(&v);
        if (st) ga__comm_broken(c, ga_error_message());
    }
    if (!st && v.to && v.to != v.result.to)
        st = (ga_assign)(v.result.to, v.to);
    if (v.to != v.result.to) ga_free(v.to);
    ga_free(v.in);
    if (v.ready) {
        ga_array *t = v.result.to;
        if (t != out) ga__link(t, ga__me.scope);
        st = ga__result_end(&v.result, st);
    }
    return st;
}

#define GA__X(name, kind)                                                   \
    GA_API ga_array *ga_comm_##name(ga_comm *c, const ga_array *x,          \
                                    ga_comm_op op) {                        \
        ga_array *r;                                                        \
        ga__collect("ga_comm_" #name, c, kind, x, (int)op, 0, NULL, &r);    \
        return r;                                                           \
    }                                                                       \
    GA_API ga_status ga_comm_##name##_into(ga_comm *c, ga_array *out,       \
                                           const ga_array *x,               \
                                           ga_comm_op op) {                 \
        return ga__collect("ga_comm_" #name "_into", c, kind, x, (int)op,   \
                           0, out, NULL);                                   \
    }
GA__X(allreduce, GA__C_ALLREDUCE)
GA__X(reduce_scatter, GA__C_REDUCE_SCATTER)
#undef GA__X
#define GA__X(name, kind)                                                   \
    GA_API ga_array *ga_comm_##name(ga_comm *c, const ga_array *x) {        \
        ga_array *r;                                                        \
        ga__collect("ga_comm_" #name, c, kind, x, 0, 0, NULL, &r);          \
        return r;                                                           \
    }                                                                       \
    GA_API ga_status ga_comm_##name##_into(ga_comm *c, ga_array *out,       \
                                           const ga_array *x) {             \
        return ga__collect("ga_comm_" #name "_into", c, kind, x, 0, 0, out, \
                           NULL);                                           \
    }
GA__X(allgather, GA__C_ALLGATHER)
GA__X(alltoall, GA__C_ALLTOALL)
#undef GA__X
#define GA__X(name, kind)                                                   \
    GA_API ga_array *ga_comm_##name(ga_comm *c, const ga_array *x,          \
                                    int root) {                             \
        ga_array *r;                                                        \
        ga__collect("ga_comm_" #name, c, kind, x, 0, root, NULL, &r);       \
        return r;                                                           \
    }                                                                       \
    GA_API ga_status ga_comm_##name##_into(ga_comm *c, ga_array *out,       \
                                           const ga_array *x, int root) {   \
        return ga__collect("ga_comm_" #name "_into", c, kind, x, 0, root,   \
                           out, NULL);                                      \
    }
GA__X(broadcast, GA__C_BROADCAST)
GA__X(scatter, GA__C_SCATTER)
#undef GA__X
GA_API ga_status ga_comm_reduce(ga_comm *c, const ga_array *x, ga_comm_op op,
                                int root, ga_array **out) {
    static const char fn[] = "ga_comm_reduce";
    if (!out) return ga__fail(GA_ERR_NULL, fn, "the result pointer is NULL");
    return ga__collect(fn, c, GA__C_REDUCE, x, (int)op, root, NULL, out);
}
GA_API ga_status ga_comm_reduce_into(ga_comm *c, ga_array *out,
                                     const ga_array *x, ga_comm_op op,
                                     int root) {
    return ga__collect("ga_comm_reduce_into", c, GA__C_REDUCE, x, (int)op, root,
                       out, NULL);
}
GA_API ga_status ga_comm_gather(ga_comm *c, const ga_array *x, int root,
                                ga_array **out) {
    static const char fn[] = "ga_comm_gather";
    if (!out) return ga__fail(GA_ERR_NULL, fn, "the result pointer is NULL");
    return ga__collect(fn, c, GA__C_GATHER, x, 0, root, NULL, out);
}
GA_API ga_status ga_comm_gather_into(ga_comm *c, ga_array *out,
                                     const ga_array *x, int root) {
    return ga__collect("ga_comm_gather_into", c, GA__C_GATHER, x, 0, root, out,
                       NULL);
}
GA_API ga_status ga_comm_barrier(ga_comm *c) {
    static const char fn[] = "ga_comm_barrier";
    ga__note n;
    if (!ga__comm_ok(fn, c)) return ga__failed();
    memset(&n, 0, sizeof n);
    n.what = GA__C_BARRIER;
    n.ndim = -1;
    n.seq = ++c->seq;
    n.status = ga_stream_synchronize(ga_stream_current());
    if (n.status) snprintf(n.text, sizeof n.text, "%.160s", ga_error_message());
    ga__hall_tell(c, &n);
    return ga__comm_agree(fn, c, &n);
}

/* ------------------------------------------------------ between two ranks
   The sender's note goes ahead of its bytes: the receiver compares. NCCL's
   carries none, so that a receiver there looks at nothing but the time.      */
static ga_status ga__p2p_run(const char *fn, ga_comm *c) {
    ga__moving v;
    const int n = c->nqueue;
    ga_status st = GA_OK;
    if (!n) return GA_OK;
    memset((void *)&v, 0, sizeof v);
    v.fn = fn;
    v.c = c;
    v.d = ga__current(fn);
    v.m = c->nccl ? v.d : ga__device_of(fn, GA_CPU);
    v.note = c->queue[n - 1].note;
    ga__parcel *part = (ga__parcel *)GA_MALLOC(2 * (size_t)n * sizeof *part);
    ga__note *told = (ga__note *)GA_MALLOC((size_t)n * sizeof *told);
    if (!part || !told) st = ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    int k = 0, notes, sends = 0;        /* in this order, the receipts last   */
    for (int i = 0; i < n && !st && !c->nccl; i++) {
        ga__queued *q = &c->queue[i];
        part[k++] = ga__parcel_of(q->peer, !q->out, q->out ? &told[i]
                                  : &q->note, sizeof q->note);
    }
    notes = k;
    for (int out = 0; out < 2 && !st; out++) {
        for (int i = 0; i < n; i++) {
            ga__queued *q = &c->queue[i];
            if (!q->out == !out)
                part[k++] = ga__parcel_of(q->peer, !out, q->x->data,
                    (size_t)q->x->size * ga__size(q->x->dtype));
        }
        if (!out) sends = k;
    }
    if (!st && c->nccl) st = ga__comm_parts(&v, part, k);
    else if (!st) st = ga__comm_wait(fn, c, part, sends, notes);
    for (int i = 0; i < n && !st && !c->nccl; i++) {
        ga__queued *q = &c->queue[i];
        ga__note want = q->note;
        if (!q->out) continue;
        want.what = GA__C_SEND;
        ga_status differ = ga__notes_differ(&want, &told[i]);
        if (differ) st = ga__disagree(fn, differ, c->rank, &q->note, q->peer,
                                      &told[i]);
    }
    if (!st && !c->nccl) st = ga__comm_wait(fn, c, part, k, k);
    if (st) ga__comm_broken(c, ga_error_message());
    GA_FREE(part);
    GA_FREE(told);
    return st;
}
static ga_status ga__p2p_flush(const char *fn, ga_comm *c) {
    ga_status st = ga__p2p_run(fn, c);
    for (int i = 0; i < c->nqueue; i++) {
        ga__queued *q = &c->queue[i];
        if (!st && q->out && q->out->data != q->x->data)
            st = (ga_assign)(q->out, q->x);
        ga_free(q->x);
        ga_free(q->out);
    }
    c->nqueue = 0;
    return st;
}
static ga_status ga__p2p(const char *fn, ga_comm *c, const ga_array *x,
                         ga_array *out, int peer) {
    ga__moving v;
    ga__queued q;
    const ga_array *a = out ? out : x;
    if (!ga__comm_ok(fn, c)) return ga__failed();
    memset((void *)&v, 0, sizeof v);
    memset((void *)&q, 0, sizeof q);
    ga_array *none;
    v.fn = fn;
    v.c = c;
    v.d = ga__begin(fn, &x, x ? 1 : 0, out, out ? NULL : &none);
    if (!v.d) return ga__failed();
    v.m = c->nccl ? v.d : ga__device_of(fn, GA_CPU);
    if (!v.m) return ga__failed();
    if (peer < 0 || peer >= c->size || peer == c->rank)
        return ga__fail(GA_ERR_VALUE, fn, "rank %d: there are 0 to %d, and "
                        "this is %d", peer, c->size - 1, c->rank);
    if (ga__is_number(a))
        return ga__fail(GA_ERR_VALUE, fn, "a C number; an array is wanted");
    if (c->nqueue == c->capqueue) {
        int cap = c->capqueue ? 2 * c->capqueue : 8;
        ga__queued *more = (ga__queued *)GA_REALLOC(
            c->queue, (size_t)cap * sizeof *more);
        if (!more) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
        c->queue = more;
        c->capqueue = cap;
    }
    q.peer = peer;
    q.note.what = out ? GA__C_RECV : GA__C_SEND;
    q.note.op = c->inside;
    q.note.root = peer;
    q.note.seq = c->seq;
    q.note.ndim = a->ndim;
    q.note.dtype = (int)a->dtype;
    memcpy(q.note.shape, a->shape, sizeof q.note.shape);
    if (!out) {
        q.x = ga__comm_pack(&v, x);
    } else {
        q.out = ga__view_new(fn, out);
        if (q.out) ga_detach(q.out);
        bool direct = v.m == v.d && ga_is_contiguous(out);
        q.x = !q.out ? NULL : direct ? ga__view_new(fn, out)
              : ga__on(&v, out->ndim, out->shape, out->dtype);
        if (q.x) ga_detach(q.x);
        if (q.x && ga__order(fn, q.x->ga__buf, ga__stream(v.m), true)) {
            ga_free(q.x);
            q.x = NULL;
        }
    }
    if (!q.x) {
        ga_free(q.out);
        return ga__failed();
    }
    ga__hall_tell(c, &q.note);
    c->queue[c->nqueue++] = q;
    return c->group ? GA_OK : ga__p2p_flush(fn, c);
}
GA_API ga_status ga_comm_send(ga_comm *c, const ga_array *x, int to) {
    static const char fn[] = "ga_comm_send";
    return ga__ok(fn, x) ? ga__p2p(fn, c, x, NULL, to) : ga__failed();
}
GA_API ga_status ga_comm_recv_into(ga_comm *c, ga_array *out, int from) {
    static const char fn[] = "ga_comm_recv_into";
    return ga__ok(fn, out) ? ga__p2p(fn, c, NULL, out, from) : ga__failed();
}
GA_API ga_array *ga_comm_recv(ga_comm *c, ga_shape shape, ga_dtype t,
                              int from) {
    static const char fn[] = "ga_comm_recv";
    if (!ga__comm_ok(fn, c)) return NULL;
    ga__device *d = ga__current(fn);
    ga_array *x = d ? ga__new(fn, d, shape.ndim, shape.dim, t, NULL) : NULL;
    if (!x || !ga__p2p(fn, c, NULL, x, from)) return x;
    ga_free(x);
    return NULL;
}
GA_API ga_status ga_comm_group_begin(ga_comm *c) {
    if (!ga__comm_ok("ga_comm_group_begin", c)) return ga__failed();
    c->group++;
    return GA_OK;
}
GA_API ga_status ga_comm_group_end(ga_comm *c) {
    static const char fn[] = "ga_comm_group_end";
    if (!ga__comm_ok(fn, c)) return ga__failed();
    if (!c->group)
        return ga__fail(GA_ERR_VALUE, fn, "without ga_comm_group_begin");
    return --c->group ? GA_OK : ga__p2p_flush(fn, c);
}

/* ======================================================= >>c-distributed */
static void ga__dist_delete(void *p, void *arg) {
    ga_dist *x = (ga_dist *)arg;
    (void)p;
    ga_free(x->local);
    GA_FREE(x);
}
GA_API void ga_dist_free(ga_dist *x) { if (x) ga_free(x->ga__handle); }
static bool ga__dist_ok(const char *fn, const ga_dist *x) {
    return !ga__comm_null(fn, x, "a distributed array is");
}
GA_API ga_dist *ga_dist_keep(ga_dist *x) {
    if (!ga__dist_ok("ga_dist_keep", x) || !ga_keep(x->ga__handle)) return NULL;
    return x;
}
GA_API ga_dist *ga_dist_detach(ga_dist *x) {
    if (!ga__dist_ok("ga_dist_detach", x) || !ga_detach(x->ga__handle))
        return NULL;
    return x;
}
static int64_t ga__dist_first(const ga_dist *x, int rank) {
    return ga__row_cut(x->shape[0], x->comm->size, rank);
}
/* Bytes of one row. */
static size_t ga__dist_row(const ga_dist *x) {
    size_t n = ga__size(x->dtype);
    for (int i = 1; i < x->ndim; i++) n *= (size_t)x->shape[i];
    return n;
}

/* A distributed array of these rows here, whose handle takes `local` over; or
   of new memory where that is NULL.                                          */
static ga_dist *ga__dist_new(const char *fn, ga_comm *c, int ndim,
                             const int64_t *shape, ga_dtype t,
                             ga_array *local) {
    int64_t mine[GA_MAX_NDIM], n;
    if (!ga__comm_ok(fn, c) || !ga__dtype_ok(fn, t)
        || !ga__count(fn, ndim, shape, t, &n)) {
        ga_free(local);
        return NULL;
    }
    if (!ndim) {
        ga_free(local);
        return (ga_dist *)GA__NULL(GA_ERR_SHAPE, fn, "rank 0 has no rows");
    }
    const int64_t first = ga__row_cut(shape[0], c->size, c->rank);
    memcpy(mine, shape, (size_t)ndim * sizeof *mine);
    mine[0] = ga__row_cut(shape[0], c->size, c->rank + 1) - first;
    if (!local) local = ga__new(fn, ga__current(fn), ndim, mine, t, NULL);
    ga_dist *x = local ? (ga_dist *)GA_MALLOC(sizeof *x) : NULL;
    if (local && !x) ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    static char none[16];
    if (x) {
        memset((void *)x, 0, sizeof *x);
        x->ga__handle = (ga_wrap)(none, GA_UINT8, GA_SHAPE(0), NULL, GA_CPU,
                                  ga__dist_delete, x);
    }
    if (!x || !x->ga__handle) {
        GA_FREE(x);
        ga_free(local);
        return NULL;
    }
    x->comm = c;
    x->dtype = t;
    x->ndim = ndim;
    memcpy(x->shape, shape, (size_t)ndim * sizeof *shape);
    x->first = first;
    x->local = ga_detach(local);
    return x;
}
static ga_dist *ga__dist_drop(ga_dist *x, ga_status st) {
    if (!st) return x;
    ga_dist_free(x);
    return NULL;
}

/* Every rank calls fn on this; st: whether its own arguments are well. `call`
   is what all must say alike, fn and what else has to agree.                 */
static ga_status ga__dist_meets(ga__moving *v, const char *fn, const char *call,
                                ga_comm *c, const ga_dist *x, ga_status st,
                                bool together, int64_t number) {
    memset((void *)v, 0, sizeof *v);
    v->together = together;
    v->note.number = (uint64_t)number;
    v->fn = fn;
    v->c = c;
    v->d = ga__current(fn);
    v->m = c->nccl ? v->d : ga__device_of(fn, GA_CPU);
    if (!st && (!v->d || !v->m)) st = ga__failed();
    v->note.what = GA__C_DIST;
    v->note.seq = ++c->seq;
    v->note.ndim = x ? x->ndim : -1;
    v->note.status = (int)st;
    if (x) {
        v->note.dtype = (int)x->dtype;
        memcpy(v->note.shape, x->shape, sizeof v->note.shape);
    }
    snprintf(v->note.text, sizeof v->note.text, "%.160s",
             st ? ga_error_message() : call);
#ifndef GPUARR_NO_CUDA
    if (c->nccl) return ga__nccl_agree(v);
#endif
    ga__hall_tell(c, &v->note);
    return ga__comm_agree(fn, c, &v->note);
}
static ga_status ga__dist_meet(ga__moving *v, const char *fn, ga_comm *c,
                               const ga_dist *x, ga_status st) {
    return ga__dist_meets(v, fn, fn, c, x, st, false, 0);
}
/* And waits until all have come: c->notes has what each said, `number` too. */
static ga_status ga__dist_assemble(ga__moving *v, const char *fn, ga_comm *c,
                                    const ga_dist *x, ga_status st,
                                    int64_t number) {
    return ga__dist_meets(v, fn, fn, c, x, st, true, number);
}
/* The stream for what travels beside work; through the host, where nothing
   does, the current one.                                                    */
static ga_status ga__dist_side(ga_comm *c, ga_stream **side) {
    *side = ga_stream_current();
    if (!c->nccl || c->size == 1) return GA_OK;
    if (!c->side && !(c->side = ga_stream_create(-1))) return ga__failed();
    *side = c->side;
    return GA_OK;
}
/* Like ga__exchange, between arrays of the device in C order. */
static ga_status ga__dist_exchange(const ga__moving *v, const ga_array *in,
                                   ga_array *out, const ga__share *s) {
    ga_array *from = ga__comm_pack(v, in), *to = out;
    if (from && v->m != v->d)
        to = ga__on(v, out->ndim, out->shape, out->dtype);
    ga_status st = from && to ? ga__order(v->fn, to->ga__buf,
                                          ga__stream(v->m), true)
                              : ga__failed();
    size_t come = 0;                /* what does not come stays as it is    */
    for (int i = 0; i < v->c->size; i++) come += s[i].recv;
    if (!st && to != out && come < (size_t)out->size * ga__size(out->dtype)
        && !ga_asnumpy(out, to->data)) st = ga__failed();
    if (!st) st = ga__exchange(v, from->data, to->data, s);
    if (!st && to != out) st = (ga_assign)(out, to);
    if (to != out) ga_free(to);
    ga_free(from);
    if (st) ga__comm_broken(v->c, ga_error_message());
    return st;
}
static ga__share *ga__share_list(const char *fn, const ga_comm *c) {
    ga__share *s = (ga__share *)GA_MALLOC((size_t)c->size * sizeof *s);
    if (!s) return (ga__share *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(s, 0, (size_t)c->size * sizeof *s);
    return s;
}
/* What ranges [a, a + n) and [b, b + m) share: from where, how many. */
static int64_t ga__overlap_rows(int64_t a, int64_t n, int64_t b, int64_t m,
                          int64_t *from) {
    int64_t lo = a > b ? a : b, hi = a + n < b + m ? a + n : b + m;
    *from = lo;
    return hi > lo ? hi - lo : 0;
}
/* Rows of the whole that lie here from row `first` on, as many as local has,
   go to y's rows counted from `at`; have[i], and at most one partition before:
   what each rank has is rows have[i] .. have[i+1]-1 of a whole.              */
static ga_status ga__move_rows(const ga__moving *v, const ga_array *local,
                               const int64_t *have, int64_t start,
                               int64_t count, ga_dist *y, int64_t at) {
    const ga_comm *c = v->c;
    const size_t w = ga__dist_row(y);
    const int me = c->rank;
    ga__share *s = ga__share_list(v->fn, c);
    if (!s) {
        ga__comm_broken(v->c, ga_error_message());
        return ga__failed();
    }
    for (int i = 0; i < c->size; i++) {
        int64_t from, n;            /* in the source's numbers              */
        int64_t to = ga__dist_first(y, i) - at + start;
        int64_t rows = ga__dist_first(y, i + 1) - ga__dist_first(y, i), lo;
        n = ga__overlap_rows(start, count, have[me], have[me + 1] - have[me],
                             &lo);
        n = ga__overlap_rows(lo, n, to, rows, &from);
        s[i].at = n ? (size_t)(from - have[me]) * w : 0;
        s[i].send = (size_t)n * w;
        to = y->first - at + start;
        n = ga__overlap_rows(start, count, have[i], have[i + 1] - have[i], &lo);
        n = ga__overlap_rows(lo, n, to, y->local->shape[0], &from);
        s[i].to = n ? (size_t)(from - to) * w : 0;
        s[i].recv = (size_t)n * w;
    }
    ga_status st = ga__dist_exchange(v, local, y->local, s);
    GA_FREE(s);
    return st;
}
/* The first rows of all ranks, in x's or any other even cut; size + 1. */
static int64_t *ga__cuts(const char *fn, const ga_comm *c, int64_t rows) {
    int64_t *p = (int64_t *)GA_MALLOC(((size_t)c->size + 1) * sizeof *p);
    if (!p) return (int64_t *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    for (int i = 0; i <= c->size; i++) p[i] = ga__row_cut(rows, c->size, i);
    return p;
}

/* --------------------------------------------------------------- creation */
GA_API ga_dist *ga_dist_zeros(ga_comm *c, ga_shape s, ga_dtype t) {
    static const char fn[] = "ga_dist_zeros";
    ga_dist *x = ga__dist_new(fn, c, s.ndim, s.dim, t, NULL);
    return x ? ga__dist_drop(x, (ga_assign)(x->local, GA_ARG(0))) : NULL;
}
GA_API ga_dist *ga_dist_arange(ga_comm *c, int64_t n, ga_dtype t) {
    static const char fn[] = "ga_dist_arange";
    if (n < 0) n = 0;
    if (!ga__comm_ok(fn, c)) return NULL;
    int64_t from = ga__row_cut(n, c->size, c->rank);
    int64_t to = ga__row_cut(n, c->size, c->rank + 1);
    ga_array *mine = (ga_arange_as)(GA_ARG(from), GA_ARG(to), GA_ARG(1), t);
    return mine ? ga__dist_new(fn, c, 1, &n, t, mine) : NULL;
}
static ga_dist *ga__dist_like(const char *fn, const ga_dist *x,
                              const ga_array *local) {
    int64_t shape[GA_MAX_NDIM];
    if (!ga__dist_ok(fn, x) || !ga__ok(fn, local)) return NULL;
    if (!local->ndim || local->shape[0] != x->local->shape[0])
        return (ga_dist *)GA__NULL(GA_ERR_SHAPE, fn, "shape %s; %" PRId64
                                   " rows are wanted on this rank",
                                   ga__shape_text(local->ndim, local->shape),
                                   x->local->shape[0]);
    memcpy(shape, local->shape, sizeof shape);
    shape[0] = x->shape[0];
    ga_array *own = (ga_ascontiguousarray)(local);
    return own ? ga__dist_new(fn, x->comm, local->ndim, shape, local->dtype,
                              own) : NULL;
}
GA_API ga_dist *ga_dist_like(const ga_dist *x, const ga_array *local) {
    return ga__dist_like("ga_dist_like", x, local);
}
/* local: this rank's rows, however many; all agree on their shape and dtype. */
static ga_dist *ga__dist_of(const char *fn, ga_comm *c, const ga_array *local) {
    ga__moving v;
    ga_dist row, *y = NULL;
    if (!ga__comm_ok(fn, c)) return NULL;
    memset((void *)&row, 0, sizeof row);
    ga_status st = ga__ok(fn, local) && ga__begin(fn, &local, 1, NULL,
                                                  &row.local)
                   ? GA_OK : ga__failed();
    if (!st && !local->ndim)
        st = ga__fail(GA_ERR_SHAPE, fn, "rank 0 has no rows");
    int64_t *have = ga__cuts(fn, c, 0);
    if (!have && !st) st = ga__failed();
    if (!st) {
        row.ndim = local->ndim;
        row.dtype = local->dtype;
        memcpy(row.shape, local->shape, sizeof row.shape);
        row.shape[0] = 0;
    }
    st = ga__dist_assemble(&v, fn, c, st ? NULL : &row, st,
                            st ? 0 : local->shape[0]);
    for (int i = 0; i < c->size && !st; i++)
        have[i + 1] = have[i] + (int64_t)c->notes[i].number;
    if (!st) {
        row.shape[0] = have[c->size];
        y = ga__dist_new(fn, c, row.ndim, row.shape, row.dtype, NULL);
        if (!y) ga__comm_broken(c, ga_error_message());
        else st = ga__move_rows(&v, local, have, 0, have[c->size], y, 0);
    }
    GA_FREE(have);
    return y ? ga__dist_drop(y, st) : NULL;
}
GA_API ga_dist *ga_dist_of(ga_comm *c, const ga_array *local) {
    return ga__dist_of("ga_dist_of", c, local);
}
GA_API ga_dist *ga_dist_scatter(ga_comm *c, const ga_array *x, int root) {
    static const char fn[] = "ga_dist_scatter";
    if (!ga__comm_ok(fn, c)) return NULL;
    ga_dist *y = NULL;
    ga__moving v;
    ga__note n;
    ga_dist whole;
    ga_status st = root < 0 || root >= c->size
        ? ga__fail(GA_ERR_VALUE, fn, "root is %d; there are ranks 0 to %d",
                   root, c->size - 1)
        : root == c->rank && !ga__ok(fn, x) ? ga__failed() : GA_OK;
    memset((void *)&whole, 0, sizeof whole);
    if (!st && root == c->rank) {
        whole.ndim = x->ndim;
        whole.dtype = x->dtype;
        memcpy(whole.shape, x->shape, sizeof whole.shape);
    }
    st = ga__dist_assemble(&v, fn, c, !st && root == c->rank ? &whole : NULL,
                            st, 0);
    if (st) return NULL;
    n = c->notes[root];
    y = ga__dist_new(fn, c, n.ndim, n.shape, (ga_dtype)n.dtype, NULL);
    int64_t *have = y ? ga__cuts(fn, c, 0) : NULL;
    ga_array *none = have && c->rank != root
        ? (ga_empty)(GA_SHAPE(0), y->dtype) : NULL;
    if (!have || (c->rank != root && !none)) {
        ga__comm_broken(c, ga_error_message());
        st = ga__failed();
    }
    for (int i = root + 1; i <= c->size && !st; i++) have[i] = y->shape[0];
    if (!st)
        st = ga__move_rows(&v, none ? none : x, have, 0, y->shape[0], y, 0);
    ga_free(none);
    GA_FREE(have);
    return y ? ga__dist_drop(y, st) : NULL;
}
static ga_status ga__dist_gather(const char *fn, const ga_dist *x, int root,
                                 ga_array **out) {
    ga__moving v;
    if (!ga__dist_ok(fn, x) || !ga__comm_ok(fn, x->comm)) return ga__failed();
    ga_comm *c = x->comm;
    const bool wants = root < 0 || root == c->rank;
    ga_status st = root >= c->size
        ? ga__fail(GA_ERR_VALUE, fn, "root is %d; there are ranks 0 to %d",
                   root, c->size - 1) : GA_OK;
    ga_array *y = NULL;
    if (!st) y = wants ? ga__new(fn, ga__current(fn), x->ndim, x->shape,
                                 x->dtype, NULL)
                       : (ga_empty)(GA_SHAPE(0), x->dtype);
    if (!st && !y) st = ga__failed();
    ga__share *s = st ? NULL : ga__share_list(fn, c);
    if (!st && !s) st = ga__failed();
    char call[64];
    snprintf(call, sizeof call, "%s to rank %d", fn, root);
    st = ga__dist_meets(&v, fn, root < 0 ? fn : call, c, x, st, false, 0);
    const size_t w = ga__dist_row(x);
    for (int i = 0; i < c->size && !st; i++) {
        int64_t first = ga__dist_first(x, i), end = ga__dist_first(x, i + 1);
        s[i].send = root < 0 || root == i
            ? (size_t)x->local->shape[0] * w : 0;
        s[i].to = wants ? (size_t)first * w : 0;
        s[i].recv = wants ? (size_t)(end - first) * w : 0;
    }
    if (!st) st = ga__dist_exchange(&v, x->local, y, s);
    GA_FREE(s);
    if (st || !wants) {
        ga_free(y);
        y = NULL;
    }
    *out = y;
    return st;
}
GA_API ga_status ga_dist_gather(const ga_dist *x, int root, ga_array **out) {
    static const char fn[] = "ga_dist_gather";
    if (!out) return ga__fail(GA_ERR_NULL, fn, "the result pointer is NULL");
    *out = NULL;
    if (root < 0) return ga__fail(GA_ERR_VALUE, fn, "root is %d", root);
    return ga__dist_gather(fn, x, root, out);
}
GA_API ga_array *ga_dist_allgather(const ga_dist *x) {
    ga_array *y = NULL;
    ga__dist_gather("ga_dist_allgather", x, -1, &y);
    return y;
}

/* ---------------------------------------------------------------- drawing */
GA_API ga_status ga_comm_seed(ga_comm *c, uint64_t seed) {
    if (!ga__comm_ok("ga_comm_seed", c)) return ga__failed();
    memset(&c->rng.state, 0, sizeof c->rng.state);
    c->rng.state.seed = seed;
    return GA_OK;
}
static ga_dist *ga__dist_draw(const char *fn, ga_comm *c, ga_shape s,
                              ga_dtype t, ga_status (*fill)(ga_array *, void *),
                              void *arg) {
    ga_dist *x = ga__dist_new(fn, c, s.ndim, s.dim, t, NULL);
    if (!x) return NULL;
    int64_t row = (int64_t)(ga__dist_row(x) / ga__size(t));
    ga_rng *before = ga__me.rng;
    uint64_t call = c->rng.state.call;
    ga__me.rng = &c->rng;
    c->rng.first = x->first * row;
    ga_status st = fill(x->local, arg);
    c->rng.first = 0;
    c->rng.state.call = call + 1;   /* of ranks without rows too            */
    ga__me.rng = before;
    return ga__dist_drop(x, st);
}
GA_API ga_dist *ga_dist_draw(ga_comm *c, ga_shape s, ga_dtype t,
                             ga_status (*fill)(ga_array *, void *), void *arg) {
    static const char fn[] = "ga_dist_draw";
    if (!fill) return (ga_dist *)GA__NULL(GA_ERR_NULL, fn,
                                          "the function is NULL");
    return ga__dist_draw(fn, c, s, t, fill, arg);
}
static ga_status ga__dist_fill_random(ga_array *out, void *arg) {
    (void)arg;
    return (ga_random_random_into)(out);
}
static ga_status ga__dist_fill_normal(ga_array *out, void *arg) {
    (void)arg;
    return (ga_random_standard_normal_into)(out);
}
GA_API ga_dist *ga_dist_random(ga_comm *c, ga_shape s, ga_dtype t) {
    return ga__dist_draw("ga_dist_random", c, s, t, ga__dist_fill_random, NULL);
}
GA_API ga_dist *ga_dist_standard_normal(ga_comm *c, ga_shape s, ga_dtype t) {
    return ga__dist_draw("ga_dist_standard_normal", c, s, t,
                         ga__dist_fill_normal, NULL);
}

/* ---------------------------------------------------------- element-wise */
GA_API ga_dist *ga_dist_eval(const char *text, const char *names,
                             const ga_dist_arg *x, int n) {
    static const char fn[] = "ga_dist_eval";
    const ga_array *in[24];
    ga_array number[24];
    const ga_dist *d = NULL;
    if (n < 1 || n > 24 || !x)
        return (ga_dist *)GA__NULL(GA_ERR_VALUE, fn, "%d operands; 1 to 24 are "
                                   "possible", n);
    for (int i = 0; i < n; i++) {
        in[i] = x[i].dist ? x[i].dist->local : x[i].array ? x[i].array
            : x[i].whole ? ga__arg_i(x[i].i, &number[i])
                         : ga__arg_f(x[i].f, &number[i]);
        if (!x[i].dist) continue;
        if (d && (d->shape[0] != x[i].dist->shape[0]
                  || d->comm != x[i].dist->comm))
            return (ga_dist *)GA__NULL(GA_ERR_SHAPE, fn, "arrays of %" PRId64
                                       " and %" PRId64 " rows, or of two "
                                       "communicators", d->shape[0],
                                       x[i].dist->shape[0]);
        d = x[i].dist;
    }
    if (!d) return (ga_dist *)GA__NULL(GA_ERR_VALUE, fn, "no operand is "
                                       "distributed");
    int most = 0;                   /* rows stand on one axis for all       */
    for (int i = 0; i < n; i++) if (in[i]->ndim > most) most = in[i]->ndim;
    for (int i = 0; i < n; i++) {
        const bool bad = x[i].dist ? in[i]->ndim != most
                         : in[i]->ndim == most && most && in[i]->shape[0] != 1;
        if (bad)
            return (ga_dist *)GA__NULL(GA_ERR_SHAPE, fn, "operand %d of shape "
                "%s does not go with rows of rank %d", i + 1,
                ga__shape_text(in[i]->ndim, in[i]->shape), most);
    }
    ga_array *y = (ga_eval)(text, names, in, n);
    ga_dist *r = y ? ga__dist_like(fn, d, y) : NULL;
    ga_free(y);
    return r;
}

/* ------------------------------------------------------------- reductions */
/* One for each name, on this rank's rows: in a dtype that adds up well. */
#define GA__X(n) GA__D_##n,
enum { GA_DIST_REDUCTIONS(GA__X) GA__D_var };
#undef GA__X
static ga_dtype ga__dist_wide(ga_dtype t) {
    const char k = ga__kind(t);
    return k == 'f' ? GA_FLOAT64 : k == 'c' ? GA_COMPLEX128 : t;
}
static ga_array *ga__dist_part(int op, const ga_array *x, ga_axis axis) {
    const ga_dtype t = x->dtype;
    ga_dtype w = ga__dist_wide(t);
    const bool real = w != t || t == GA_FLOAT64 || t == GA_COMPLEX128;
    ga_array *y;
    switch (op) {
    case GA__D_sum: case GA__D_mean:    /* in w within, at the memory's rate */
        if (t == GA_FLOAT32 || t == GA_COMPLEX64) {
            y = (ga_sum)(x, axis);
            return y ? (ga_astype)(y, w) : NULL;
        }
        if (op == GA__D_mean && !real) w = GA_FLOAT64;
        return w != t || op == GA__D_mean ? (ga_sum_as)(x, w, axis)
                                          : (ga_sum)(x, axis);
    case GA__D_prod:
        return real ? (ga_prod_as)(x, w, axis) : (ga_prod)(x, axis);
    case GA__D_max: return (ga_max)(x, axis);
    case GA__D_min: return (ga_min)(x, axis);
    case GA__D_all: return (ga_all)(x, axis);
    case GA__D_any: return (ga_any)(x, axis);
    default: return (ga_count_nonzero)(x, axis);
    }
}
/* What a rank without rows has of max and min. */
static ga_array *ga__dist_nothing(int op, const ga_dist *x, ga_axis axis) {
    const double far = op == GA__D_max ? -HUGE_VAL : HUGE_VAL;
    int64_t shape[GA_MAX_NDIM];
    memcpy(shape, x->shape, sizeof shape);
    shape[0] = 1;
    ga_shape s = {x->ndim, {0}};
    memcpy(s.dim, shape, sizeof shape);
    GA_SCOPE;
    ga_array *full = (ga_full)(s, GA_ARG(far), ga__kind(x->dtype) == 'c'
                               ? GA_COMPLEX128 : GA_FLOAT64);
    full = full ? (ga_astype)(full, x->dtype) : NULL;
    full = full ? ga__dist_part(op, full, axis) : NULL;
    return full ? ga_keep(full) : NULL;
}
/* The axis names the rows. */
static bool ga__dist_axis(const char *fn, const ga_dist *x, ga_axis axis) {
    unsigned mask;
    if (!ga__dist_ok(fn, x) || !ga__axes_mask(fn, axis, x->ndim, &mask))
        return false;
    if (mask & 1) return true;
    ga__fail(GA_ERR_AXIS, fn, "the rows, axis 0, are not reduced: reduce "
             "x->local and use ga_dist_like");
    return false;
}
/* How many elements make one result. */
static double ga__dist_per(int ndim, const int64_t *shape, ga_axis axis,
                           int64_t rows) {
    unsigned mask = 0;
    double n = (double)rows;
    ga__axes_mask("ga_dist", axis, ndim, &mask);
    for (int i = 1; i < ndim; i++)
        if (mask >> i & 1) n *= (double)shape[i];
    return n;
}
static ga_array *ga__dist_reduce(const char *fn, int op, const ga_dist *x,
                                 ga_axis axis) {
    static const ga_comm_op by[] = {
        GA_COMM_SUM, GA_COMM_PROD, GA_COMM_MAX, GA_COMM_MIN, GA_COMM_SUM,
        GA_COMM_MIN, GA_COMM_MAX, GA_COMM_SUM};
    if (!ga__dist_axis(fn, x, axis)) return NULL;
    GA_SCOPE;
    const bool none = !x->local->shape[0] && x->shape[0];
    ga_array *part = none && (op == GA__D_max || op == GA__D_min)
        ? ga__dist_nothing(op, x, axis) : ga__dist_part(op, x->local, axis);
    ga_array *y = NULL;
    ga__collect(fn, x->comm, GA__C_ALLREDUCE, part, (int)by[op], 0, NULL, &y);
    if (y && op == GA__D_mean)
        y = (ga_true_divide)(y, GA_ARG(ga__dist_per(x->ndim, x->shape, axis,
                                                    x->shape[0])));
    if (y && op <= GA__D_mean && (ga__kind(x->dtype) == 'f'
                                  || ga__kind(x->dtype) == 'c'))
        y = (ga_astype)(y, x->dtype);
    return y ? ga_keep(y) : NULL;
}
#define GA__X(n)                                                            \
    GA_API ga_array *ga_dist_##n(const ga_dist *x, ga_axis axis) {          \
        return ga__dist_reduce("ga_dist_" #n, GA__D_##n, x, axis);          \
    }
GA_DIST_REDUCTIONS(GA__X)
#undef GA__X
/* Each rank's count, mean and sum of squares about it, joined. */
static ga_array *ga__dist_var(const char *fn, const ga_dist *x, ga_axis axis,
                              double ddof, bool root) {
    if (!ga__dist_axis(fn, x, axis)) return NULL;
    if (ga__kind(x->dtype) == 'c')
        return (ga_array *)GA__NULL(GA_ERR_DTYPE, fn, "of complex numbers");
    GA_SCOPE;
    const double n = ga__dist_per(x->ndim, x->shape, axis, x->local->shape[0]);
    const double all = ga__dist_per(x->ndim, x->shape, axis, x->shape[0]);
    ga_array *wide = ga_astype(x->local, GA_FLOAT64);
    ga_array *mean = n > 0 ? ga_mean(wide, axis) : ga_sum(wide, axis);
    ga_array *var = n > 0 ? ga_var(wide, axis, 0) : ga_sum(wide, axis);
    ga_array *m = ga_dist_mean(ga__dist_like(fn, x, wide), axis);
    ga_array *part = GA_EVAL(n*(var + (mean - m)**2), n, var, mean, m);
    ga_array *y = NULL;
    ga__collect(fn, x->comm, GA__C_ALLREDUCE, part, GA_COMM_SUM, 0, NULL, &y);
    double by = all - ddof;
    if (y) y = ga_true_divide(y, by > 0 ? by : 0.0);
    if (y && root) y = ga_sqrt(y);
    const ga_dtype t = ga__kind(x->dtype) == 'f' ? x->dtype : GA_FLOAT64;
    y = y ? ga_astype(y, t) : NULL;
    return y ? ga_keep(y) : NULL;
}
GA_API ga_array *ga_dist_var(const ga_dist *x, ga_axis axis, double ddof) {
    return ga__dist_var("ga_dist_var", x, axis, ddof, false);
}
GA_API ga_array *ga_dist_std(const ga_dist *x, ga_axis axis, double ddof) {
    return ga__dist_var("ga_dist_std", x, axis, ddof, true);
}

/* --------------------------------------------------------------- products */
static bool ga__dist_fits(const char *fn, int64_t a, int64_t b, int ra,
                          int rb) {
    if (a == b && ra <= 2 && rb <= 2) return true;
    ga__fail(GA_ERR_SHAPE, fn, "ranks %d and %d, lengths %" PRId64 " and %"
             PRId64 ": a matrix and a matrix or vector are wanted", ra, rb, a,
             b);
    return false;
}
GA_API ga_dist *ga_dist_matmul_whole(const ga_dist *a, const ga_array *b) {
    static const char fn[] = "ga_dist_matmul_whole";
    if (!ga__dist_ok(fn, a) || !ga__ok(fn, b)
        || !ga__dist_fits(fn, a->ndim < 2 ? -1 : a->shape[1],
                          b->ndim ? b->shape[0] : -1, a->ndim, b->ndim))
        return NULL;
    ga_array *y = (ga_matmul)(a->local, b);
    ga_dist *r = y ? ga__dist_like(fn, a, y) : NULL;
    ga_free(y);
    return r;
}
GA_API ga_array *ga_dist_inner(const ga_dist *a, const ga_dist *b) {
    static const char fn[] = "ga_dist_inner";
    if (!ga__dist_ok(fn, a) || !ga__dist_ok(fn, b)
        || !ga__dist_fits(fn, a->shape[0], b->shape[0], a->ndim, b->ndim))
        return NULL;
    GA_SCOPE;
    ga_array *y = NULL, *part = (ga_matmul)((ga_transpose)(a->local, GA_ALL),
                                            b->local);
    ga__collect(fn, a->comm, GA__C_ALLREDUCE, part, GA_COMM_SUM, 0, NULL, &y);
    return y ? ga_keep(y) : NULL;
}
GA_API ga_dist *ga_dist_whole_matmul(const ga_array *a, const ga_dist *b) {
    static const char fn[] = "ga_dist_whole_matmul";
    if (!ga__dist_ok(fn, b) || !ga__ok(fn, a)
        || !ga__dist_fits(fn, a->ndim == 2 ? a->shape[1] : -1, b->shape[0],
                          a->ndim, b->ndim)) return NULL;
    GA_SCOPE;
    ga_comm *c = b->comm;           /* rows are cut evenly: padded to that  */
    const int64_t m = a->shape[0], each = (m + c->size - 1) / c->size;
    const int64_t all = each * c->size;
    ga_array *part = (ga_matmul)((ga_slice_axis)(a, 1, b->first, b->first
                                 + b->local->shape[0], 1), b->local);
    ga_array *padded = part, *mine = NULL;
    if (part && all != m) {
        ga_shape s = ga_shape_of(part);
        s.dim[0] = all;
        padded = (ga_zeros)(s, part->dtype);
        if (padded) (ga_assign)((ga_slice_axis)(padded, 0, 0, m, 1), part);
    }
    ga__collect(fn, c, GA__C_REDUCE_SCATTER, padded, GA_COMM_SUM, 0, NULL,
                &mine);
    if (!mine) return NULL;
    int64_t rows = m - each * c->rank;
    rows = rows < 0 ? 0 : rows > each ? each : rows;
    ga_dist *y = ga__dist_of(fn, c, (ga_slice_axis)(mine, 0, 0, rows, 1));
    return y ? ga_dist_keep(y) : NULL;
}
/* b's parts go from rank to rank. Two buffers: one comes while one is used. */
GA_API ga_dist *ga_dist_matmul(const ga_dist *a, const ga_dist *b) {
    static const char fn[] = "ga_dist_matmul";
    ga__moving v;
    if (!ga__dist_ok(fn, a) || !ga__dist_ok(fn, b)
        || !ga__comm_ok(fn, a->comm)) return NULL;
    ga_comm *c = a->comm;
    const int next = (c->rank + 1) % c->size;
    const int before = (c->rank + c->size - 1) % c->size;
    GA_SCOPE;
    bool fits = c == b->comm && a->ndim == 2
                && ga__dist_fits(fn, a->shape[1], b->shape[0], 2, b->ndim);
    ga_status st = fits ? GA_OK : ga__me.error ? ga__failed()
        : ga__fail(GA_ERR_SHAPE, fn, "a matrix and a matrix or vector of one "
                   "communicator are wanted");
    ga_stream *side = NULL;
    ga_array *y = NULL, *part = b->local;
    if (!st) st = ga__dist_side(c, &side);
    if (ga__dist_meet(&v, fn, c, a, st)) return NULL;
    for (int i = 0; i < c->size && !st; i++) {
        GA_SCOPE;
        const int from = (c->rank + c->size - i) % c->size;
        const int after = (from + c->size - 1) % c->size;
        const int64_t at = ga__dist_first(b, from);
        const int64_t rows = ga__dist_first(b, from + 1) - at;
        ga_array *coming = NULL;
        if (i + 1 < c->size) {
            GA_STREAM(side);
            ga_shape s = ga_shape_of(b->local);
            s.dim[0] = ga__dist_first(b, after + 1) - ga__dist_first(b, after);
            c->inside = true;
            st = ga_comm_group_begin(c);
            if (!st) st = ga_comm_send(c, part, next);
            coming = st ? NULL : ga_comm_recv(c, s, b->dtype, before);
            if (!st && !coming) st = ga__failed();
            ga_status end = ga_comm_group_end(c);
            c->inside = false;
            if (!st) st = end;
        }
        ga_array *term = st ? NULL : (ga_matmul)(
            (ga_slice_axis)(a->local, 1, at, at + rows, 1), part);
        if (!st && !term) st = ga__failed();
        if (!st && y) st = (ga_add_into)(y, y, term);
        else if (!st) y = ga_keep(term);
        if (coming) {               /* what has been used goes, in order    */
            if (part != b->local) ga_free(part);
            part = ga_keep(coming);
        }
    }
    if (st) ga__comm_broken(c, ga_error_message());
    ga_dist *r = st ? NULL : ga__dist_like(fn, a, y);
    return r ? ga_dist_keep(r) : NULL;
}

/* --------------------------------------------------- rows to other places */
GA_API ga_dist *ga_dist_rows(const ga_dist *x, int64_t start, int64_t stop) {
    static const char fn[] = "ga_dist_rows";
    ga__moving v;
    int64_t shape[GA_MAX_NDIM];
    if (!ga__dist_ok(fn, x) || !ga__comm_ok(fn, x->comm)) return NULL;
    const int64_t n = x->shape[0];
    if (start < 0) start += n;
    if (stop < 0) stop += n;
    start = start < 0 ? 0 : start > n ? n : start;
    stop = stop < start ? start : stop > n ? n : stop;
    memcpy(shape, x->shape, sizeof shape);
    shape[0] = stop - start;
    ga_dist *y = ga__dist_new(fn, x->comm, x->ndim, shape, x->dtype, NULL);
    int64_t *have = y ? ga__cuts(fn, x->comm, n) : NULL;
    ga_status st = ga__dist_meet(&v, fn, x->comm, y, have ? GA_OK
                                                          : ga__failed());
    if (!st) st = ga__move_rows(&v, x->local, have, start, shape[0], y, 0);
    GA_FREE(have);
    return y ? ga__dist_drop(y, st) : NULL;
}
GA_API ga_dist *ga_dist_concatenate(int count, const ga_dist *const *x) {
    static const char fn[] = "ga_dist_concatenate";
    ga__moving v;
    int64_t shape[GA_MAX_NDIM], at = 0;
    if (count < 1 || !x)
        return (ga_dist *)GA__NULL(GA_ERR_VALUE, fn, "nothing to join");
    for (int i = 0; i < count; i++) if (!ga__dist_ok(fn, x[i])) return NULL;
    ga_comm *c = x[0]->comm;
    if (!ga__comm_ok(fn, c)) return NULL;
    memcpy(shape, x[0]->shape, sizeof shape);
    shape[0] = 0;
    ga_status st = GA_OK;
    for (int i = 0; i < count && !st; i++) {
        bool same = x[i]->ndim == x[0]->ndim && x[i]->dtype == x[0]->dtype
                    && x[i]->comm == c;
        for (int k = 1; k < x[0]->ndim && same; k++)
            same = x[i]->shape[k] == shape[k];
        shape[0] += x[i]->shape[0];
        if (!same) st = ga__fail(GA_ERR_SHAPE, fn, "%s %s and %s %s",
            ga_dtype_name(x[0]->dtype), ga__shape_text(x[0]->ndim, x[0]->shape),
            ga_dtype_name(x[i]->dtype), ga__shape_text(x[i]->ndim,
                                                       x[i]->shape));
    }
    ga_dist *y = st ? NULL : ga__dist_new(fn, c, x[0]->ndim, shape, x[0]->dtype,
                                          NULL);
    st = ga__dist_meet(&v, fn, c, y, y ? GA_OK : ga__failed());
    for (int i = 0; i < count && !st; i++) {
        int64_t *have = ga__cuts(fn, c, x[i]->shape[0]);
        if (!have) ga__comm_broken(c, ga_error_message());
        st = have ? ga__move_rows(&v, x[i]->local, have, 0, x[i]->shape[0], y,
                                  at) : ga__failed();
        at += x[i]->shape[0];
        GA_FREE(have);
    }
    return y ? ga__dist_drop(y, st) : NULL;
}
GA_API ga_dist *ga_dist_transpose(const ga_dist *x) {
    static const char fn[] = "ga_dist_transpose";
    ga__moving v;
    if (!ga__dist_ok(fn, x) || !ga__comm_ok(fn, x->comm)) return NULL;
    GA_SCOPE;
    ga_comm *c = x->comm;
    ga_status st = x->ndim == 2 ? GA_OK
        : ga__fail(GA_ERR_SHAPE, fn, "shape %s; a matrix is wanted",
                   ga__shape_text(x->ndim, x->shape));
    const int64_t shape[] = {x->ndim == 2 ? x->shape[1] : 0, x->shape[0]};
    ga_dist *y = st ? NULL : ga__dist_new(fn, c, 2, shape, x->dtype, NULL);
    ga__share *s = y ? ga__share_list(fn, c) : NULL;
    /* my columns' transposes, which are rows of y, one rank's after another;
       what comes are blocks of my rows of y                                  */
    ga_array *mine = s ? (ga_copy)((ga_transpose)(x->local, GA_ALL)) : NULL;
    ga_array *come = mine ? (ga_empty)(GA_SHAPE(y->local->size), x->dtype)
                          : NULL;
    st = ga__dist_meet(&v, fn, c, x, come ? GA_OK : ga__failed());
    const size_t w = ga__size(x->dtype);
    for (int i = 0; i < c->size && !st; i++) {
        const int64_t a = ga__dist_first(y, i), rows = x->local->shape[0];
        const int64_t b = ga__dist_first(x, i);
        s[i].at = (size_t)(a * rows) * w;
        s[i].send = (size_t)((ga__dist_first(y, i + 1) - a) * rows) * w;
        s[i].to = (size_t)(b * y->local->shape[0]) * w;
        s[i].recv = (size_t)((ga__dist_first(x, i + 1) - b)
                             * y->local->shape[0]) * w;
    }
    if (!st) st = ga__dist_exchange(&v, mine, come, s);
    for (int i = 0; i < c->size && !st; i++) {
        const int64_t b = ga__dist_first(x, i), e = ga__dist_first(x, i + 1);
        const int64_t rows = y->local->shape[0];
        st = (ga_assign)((ga_slice_axis)(y->local, 1, b, e, 1),
                         (ga_reshape)((ga_slice_axis)(come, 0, b * rows,
                                                      e * rows, 1),
                                      GA_SHAPE(rows, e - b)));
    }
    GA_FREE(s);
    return !st && y ? ga_dist_keep(y) : NULL;
}
/* The neighbours' last `before` rows to the first of above, their first `after`
   to the last of below; NULL where there is no neighbour, or nothing wanted. */
static ga_status ga__dist_swap(const ga_dist *x, int64_t before, int64_t after,
                               bool wrap, ga_array *above, ga_array *below) {
    ga_comm *c = x->comm;
    const int64_t rows = x->local->shape[0];
    const bool first = c->rank == 0, last = c->rank == c->size - 1;
    const int prev = first ? c->size - 1 : c->rank - 1;
    const int next = last ? 0 : c->rank + 1;
    GA_SCOPE;
    ga_array *top = (ga_slice_axis)(x->local, 0, 0, after, 1);
    ga_array *bottom = (ga_slice_axis)(x->local, 0, rows - before, rows, 1);
    const int64_t n = below ? below->shape[0] : 0;
    ga_status st = top && bottom ? GA_OK : ga__failed();
    if (above && !(above = (ga_slice_axis)(above, 0, 0, before, 1)))
        st = ga__failed();
    if (below && !(below = (ga_slice_axis)(below, 0, n - after, n, 1)))
        st = ga__failed();
    if (c->size == 1) {
        if (!st && above) st = (ga_assign)(above, bottom);
        return !st && below ? (ga_assign)(below, top) : st;
    }
    c->inside = true;               /* after goes up first: two ranks that wrap
                                       are each other's both neighbours       */
    if (!st) st = ga_comm_group_begin(c);
    if (!st && after && (!first || wrap)) st = ga_comm_send(c, top, prev);
    if (!st && before && (!last || wrap)) st = ga_comm_send(c, bottom, next);
    if (!st && below) st = ga_comm_recv_into(c, below, next);
    if (!st && above) st = ga_comm_recv_into(c, above, prev);
    ga_status end = c->group ? ga_comm_group_end(c) : GA_OK;
    c->inside = false;
    if (!st) st = end;
    if (st) ga__comm_broken(c, ga_error_message());
    return st;
}
/* What every rank's halo of these widths wants; all say the same `call`. */
static ga_status ga__dist_halo_ok(const char *fn, const ga_dist *x,
                                  int64_t before, int64_t after, bool wrap,
                                  char call[128]) {
    snprintf(call, 128, "%s by %" PRId64 " and %" PRId64 " rows%s", fn, before,
             after, wrap ? ", which wrap," : "");
    const int64_t most = before > after ? before : after;
    const int64_t least = x->shape[0] / x->comm->size;
    if (before < 0 || after < 0)
        return ga__fail(GA_ERR_VALUE, fn, "%" PRId64 " rows before, %" PRId64
                        " after", before, after);
    if (least < most)
        return ga__fail(GA_ERR_SHAPE, fn, "%" PRId64 " rows of a neighbour, "
                        "which may have %" PRId64, most, least);
    return GA_OK;
}
/* `count` of local's rows from `from` on, with room for `up` more above and
   `down` more below.                                                        */
static ga_array *ga__dist_roomy(const char *fn, const ga_dist *x, int64_t up,
                                int64_t from, int64_t count, int64_t down) {
    int64_t shape[GA_MAX_NDIM];
    memcpy(shape, x->shape, sizeof shape);
    shape[0] = up + count + down;
    ga_array *y = ga__new(fn, ga__current(fn), x->ndim, shape, x->dtype, NULL);
    if (!y) return NULL;
    GA_SCOPE;
    ga_array *to = (ga_slice_axis)(y, 0, up, up + count, 1);
    ga_array *rows = (ga_slice_axis)(x->local, 0, from, from + count, 1);
    if (to && rows && !(ga_assign)(to, rows)) return y;
    ga_free(y);
    return NULL;
}
GA_API ga_array *ga_dist_halo(const ga_dist *x, int64_t before, int64_t after,
                              bool wrap) {
    static const char fn[] = "ga_dist_halo";
    ga__moving v;
    if (!ga__dist_ok(fn, x) || !ga__comm_ok(fn, x->comm)) return NULL;
    const ga_comm *c = x->comm;
    const int64_t up = c->rank || wrap ? before : 0;
    const int64_t down = c->rank < c->size - 1 || wrap ? after : 0;
    char call[128];
    ga_status st = ga__dist_halo_ok(fn, x, before, after, wrap, call);
    ga_array *y = st ? NULL
        : ga__dist_roomy(fn, x, up, 0, x->local->shape[0], down);
    st = ga__dist_meets(&v, fn, call, x->comm, x, y ? GA_OK : ga__failed(),
                        false, 0);
    if (!st) st = ga__dist_swap(x, before, after, wrap, up ? y : NULL,
                                down ? y : NULL);
    if (!st) return y;
    ga_free(y);
    return NULL;
}
/* f for rows [from, to) of y, of a block whose row 0 needs `in`'s first. */
typedef struct ga__overlapping {
    ga_array *out;
    ga_status (*f)(ga_array *, const ga_array *, void *);
    void *arg;
} ga__overlapping;
static ga_status ga__dist_block(const ga__overlapping *o, int64_t from,
                                int64_t to, const ga_array *in) {
    if (from >= to) return GA_OK;
    GA_SCOPE;
    ga_array *out = (ga_slice_axis)(o->out, 0, from, to, 1);
    ga_status st = out ? o->f(out, in, o->arg) : ga__failed();
    return st ? st : ga_error();
}
GA_API ga_status ga_dist_map_overlap(ga_dist *y, const ga_dist *x,
                                     int64_t before, int64_t after, bool wrap,
                                     ga_status (*f)(ga_array *out,
                                                    const ga_array *in,
                                                    void *arg), void *arg) {
    static const char fn[] = "ga_dist_map_overlap";
    ga__moving v;
    if (!ga__dist_ok(fn, x) || !ga__dist_ok(fn, y)
        || !ga__comm_ok(fn, x->comm)) return ga__failed();
    ga_comm *c = x->comm;
    const int64_t n = x->local->shape[0], both = before + after;
    const int64_t up = c->rank || wrap ? before : 0;
    const int64_t down = c->rank < c->size - 1 || wrap ? after : 0;
    char call[128];
    ga_status st = ga__dist_halo_ok(fn, x, before, after, wrap, call);
    if (!st && !f) st = ga__fail(GA_ERR_NULL, fn, "the function is NULL");
    if (!st && (y->comm != c || y->shape[0] != x->shape[0]
                || y->local->ga__buf == x->local->ga__buf))
        st = ga__fail(GA_ERR_VALUE, fn, "y and x of one communicator, with as "
                      "many rows and memory of their own, are wanted");
    GA_SCOPE;
    const bool parted = n >= both && (up || down);
    ga_stream *side = NULL;
    ga_array *above = NULL, *below = NULL;
    if (!st) st = ga__dist_side(c, &side);
    {
        GA_STREAM(side);            /* the halos travel while f is inside   */
        if (!st && !parted)
            above = below = ga__dist_roomy(fn, x, up, 0, n, down);
        else if (!st && up) above = ga__dist_roomy(fn, x, up, 0, both, 0);
        if (!st && parted && down)
            below = ga__dist_roomy(fn, x, 0, n - both, both, down);
        if (!st && ((up && !above) || (down && !below))) st = ga__failed();
        st = ga__dist_meets(&v, fn, call, c, x, st, false, 0);
        if (!st) st = ga__dist_swap(x, before, after, wrap, up ? above : NULL,
                                    down ? below : NULL);
    }
    const ga__overlapping o = {y->local, f, arg};
    if (!st && !parted)
        return ga__dist_block(&o, before - up, n - after + down, above);
    if (!st) st = ga__dist_block(&o, before, n - after, x->local);
    if (!st && up) st = ga__dist_block(&o, 0, before, above);
    if (!st && down) st = ga__dist_block(&o, n - after, n, below);
    return st;
}

/* Each rank's sorted values at even places are samples; those of all, sorted,
   cut the values into as many ranges as ranks.                               */
GA_API ga_dist *ga_dist_sort(const ga_dist *x) {
    static const char fn[] = "ga_dist_sort";
    ga__moving v;
    if (!ga__dist_ok(fn, x) || !ga__comm_ok(fn, x->comm)) return NULL;
    GA_SCOPE;
    ga_comm *c = x->comm;
    const int p = c->size;
    const int64_t n = x->local->size;
    ga_status st = x->ndim == 1 ? GA_OK
        : ga__fail(GA_ERR_SHAPE, fn, "shape %s; rank 1 is wanted",
                   ga__shape_text(x->ndim, x->shape));
    ga_array *mine = st ? NULL : (ga_sort)(x->local, GA_AXIS(0), 0);
    ga_array *all = NULL;
    ga_array *sample = mine ? (ga_zeros)(GA_SHAPE(p), x->dtype) : NULL;
    if (!st && !sample) st = ga__failed();
    for (int i = 0; i < p && n && !st; i++) {
        const int64_t at = (2 * i + 1) * n / (2 * p);
        st = (ga_assign)((ga_slice_axis)(sample, 0, i, i + 1, 1),
                         (ga_slice_axis)(mine, 0, at, at + 1, 1));
    }
    if (ga__dist_meet(&v, fn, c, x, st)) return NULL;
    if (x->shape[0] < p) {          /* too few for samples: all to all      */
        all = ga_dist_allgather(x);
        all = all ? (ga_sort)(all, GA_AXIS(0), 0) : NULL;
        all = all ? (ga_slice_axis)(all, 0, x->first, x->first + n, 1) : NULL;
        ga_dist *few = all ? ga__dist_like(fn, x, all) : NULL;
        return few ? ga_dist_keep(few) : NULL;
    }
    all = ga_comm_allgather(c, sample);
    all = all ? (ga_sort)(all, GA_AXIS(0), 0) : NULL;
    ga_array *cuts = all ? (ga_slice_axis)(all, 0, p, GA_END, p) : NULL;
    ga_array *place = cuts ? (ga_searchsorted)(mine, cuts, &ga__none, 0) : NULL;
    int64_t *at = (int64_t *)GA_MALLOC(((size_t)p + 1) * sizeof *at);
    int64_t *counts = (int64_t *)GA_MALLOC((size_t)p * (size_t)p
                                           * sizeof *counts);
    ga__share *s = ga__share_list(fn, c);
    if (!place || !at || !counts || !s
        || (p > 1 && !ga_asnumpy(place, at + 1)))
        st = ga_error() ? ga_error() : ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    if (!st) {
        at[0] = 0;
        at[p] = n;
        for (int i = 0; i < p; i++) counts[i] = at[i + 1] - at[i];
    }
    ga_array *told = st ? NULL : (ga_asarray_as)(counts, GA_INT64, GA_SHAPE(p));
    told = told ? ga_comm_allgather(c, told) : NULL;
    if (!st && (!told || !ga_asnumpy(told, counts))) st = ga__failed();
    int64_t come = 0;
    const size_t w = ga__size(x->dtype);
    for (int i = 0; i < p && !st; i++) {
        s[i].at = (size_t)at[i] * w;
        s[i].send = (size_t)(at[i + 1] - at[i]) * w;
        s[i].to = (size_t)come * w;
        s[i].recv = (size_t)counts[i * p + c->rank] * w;
        come += counts[i * p + c->rank];
    }
    ga_array *range = st ? NULL : (ga_empty)(GA_SHAPE(come), x->dtype);
    if (!st && !range) st = ga__failed();
    if (!st) st = ga__dist_exchange(&v, mine, range, s);
    else ga__comm_broken(c, ga_error_message());
    GA_FREE(at);
    GA_FREE(counts);
    GA_FREE(s);
    if (st) return NULL;
    ga_free(mine);
    range = (ga_sort)(range, GA_AXIS(0), 0);
    ga_dist *y = ga__dist_of(fn, c, range);     /* NULL is told to all     */
    return y ? ga_dist_keep(y) : NULL;
}

/* ------------------------------------------------------------------ files */
/* The header of a file whose rows lie one after another. */
static ga_status ga__npy_rows_open(const char *fn, const char *path,
                                   ga__npy_header *h) {
    ga__file_op op;
    ga__io io = {ga__file_open(fn, path, &op), NULL};
    if (!io.f) return ga__failed();
    unsigned char prefix[GA__NPY_PREFIX], *head = NULL;
    ga_status st = ga__io_read(&io, op.text, prefix, sizeof prefix);
    size_t n = st ? 0 : ga__npy_offset(prefix);
    if (!st && n > GA__NPY_MAX_HEADER)
        st = ga__fail(GA_ERR_FILE_FORMAT, op.text, "a header of %zu bytes", n);
    if (n < sizeof prefix) n = sizeof prefix;
    if (!st && !(head = (unsigned char *)GA_MALLOC(n)))
        st = ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    if (!st) {
        memcpy(head, prefix, sizeof prefix);
        st = ga__io_read(&io, op.text, head + sizeof prefix, n - sizeof prefix);
    }
    if (!st) st = ga__npy_parse(op.text, head, n, h);
    if (!st && (!h->ndim || (h->fortran && h->ndim > 1)))
        st = ga__fail(GA_ERR_FILE_FORMAT, op.text, "%s: rows in C order are "
                      "wanted", h->ndim ? "in Fortran order" : "of rank 0");
    if (!st) {
        int64_t left = ga__io_left(&io);
        if (left < h->size * (int64_t)ga__size(h->dtype))
            st = ga__fail(GA_ERR_FILE_FORMAT, op.text, "the file ends early");
    }
    GA_FREE(head);
    fclose(io.f);
    return st;
}
/* Rows from `first` on, as many as x has. */
static ga_status ga__npy_rows_read(const char *fn, const char *path,
                                   const ga__npy_header *h, int64_t first,
                                   ga_array *x) {
    ga__file_op op;
    ga__npy_header part = *h;
    if (!x->size) return GA_OK;
    ga__io io = {ga__file_open(fn, path, &op), NULL};
    if (!io.f) return ga__failed();
    part.size = x->size;
    const int64_t row = h->size / h->shape[0] * (int64_t)ga__size(h->dtype);
    ga_status st = fseek(io.f, (long)((int64_t)h->offset + first * row),
                         SEEK_SET)
        ? ga__fail(GA_ERR_FILE_READ, op.text, "%s", strerror(errno))
        : ga__npy_fill(&io, op.text, &part, x, NULL);
    fclose(io.f);
    return st;
}
GA_API ga_dist *ga_dist_load_npy(ga_comm *c, const char *path) {
    static const char fn[] = "ga_dist_load_npy";
    ga__npy_header h;
    ga__moving v;
    if (!ga__comm_ok(fn, c)) return NULL;
    ga_dist *y = NULL;
    ga_status st = ga__npy_rows_open(fn, path, &h);
    if (!st) y = ga__dist_new(fn, c, h.ndim, h.shape, h.dtype, NULL);
    if (!st && y) st = ga__npy_rows_read(fn, path, &h, y->first, y->local);
    else if (!st) st = ga__failed();
    st = ga__dist_assemble(&v, fn, c, y, st, 0);
    return y ? ga__dist_drop(y, st) : NULL;
}
GA_API ga_status ga_dist_save_npy(const char *path, const ga_dist *x) {
    static const char fn[] = "ga_dist_save_npy";
    ga__moving v;
    char head[GA__NPY_HEADER];
    if (!ga__dist_ok(fn, x) || !ga__comm_ok(fn, x->comm)) return ga__failed();
    ga_comm *c = x->comm;
    ga_status st = path ? GA_OK : ga__fail(GA_ERR_NULL, fn, "the path is NULL");
    ga_array whole;
    memset(&whole, 0, sizeof whole);
    whole.ndim = x->ndim;
    whole.dtype = x->dtype;
    memcpy(whole.shape, x->shape, sizeof whole.shape);
    const size_t n = ga__npy_header_of(&whole, head), w = ga__dist_row(x);
    ga__io io = {NULL, NULL};
    if (!st && c->rank == 0) {      /* makes the file, at its whole length  */
        io.f = fopen(path, "wb");
        const size_t bytes = n + (size_t)x->shape[0] * w;
        if (!io.f || ga__io_write(&io, fn, head, n)
            || (bytes > n && (fseek(io.f, (long)bytes - 1, SEEK_SET)
                              || fputc(0, io.f) == EOF)) || fflush(io.f)) {
            if (!ga_error()) ga__fail(io.f ? GA_ERR_FILE_WRITE
                                      : GA_ERR_FILE_OPEN, fn, "%s: %s", path,
                                      strerror(errno));
            st = ga__failed();
        }
        if (io.f) fclose(io.f);
    }
    st = ga__dist_assemble(&v, fn, c, x, st, 0);
    if (st) return st;
    io.f = fopen(path, "r+b");      /* it is there for all                  */
    void *buf = io.f ? ga__npy_piece(fn, x->local) : NULL;
    if (!io.f) st = ga__fail(GA_ERR_FILE_OPEN, fn, "%s: %s", path,
                             strerror(errno));
    else if (!buf) st = ga__failed();
    if (!st && fseek(io.f, (long)(n + (size_t)x->first * w), SEEK_SET))
        st = ga__fail(GA_ERR_FILE_WRITE, fn, "%s: %s", path, strerror(errno));
    if (!st) st = ga__npy_write(&io, fn, x->local, buf);
    if (io.f && fclose(io.f) && !st)
        st = ga__fail(GA_ERR_FILE_WRITE, fn, "%s: %s", path, strerror(errno));
    GA_FREE(buf);
    return ga__dist_assemble(&v, fn, c, x, st, 0); /* complete when all are */
}

/* ============================================================= >>c-slabs
   Threads take the slabs' pieces in turn. On the CPU device they read one to
   its place; on a GPU into one of two pinned slots of their own, and queue its
   copy from there, while they read the next one. All copies are in one stream:
   between those of several streams an H200 pauses for 14 us. Nobody waits for a
   slab but its user's stream, for the copies, and the copies of the one that
   takes its place, for the user.                                            */
extern ssize_t pread(int, void *, size_t, off_t);  /* strict C11 hides it     */
#define GA__SLABS_ALIVE 3
#define GA__SLAB_SLOTS 2
#define GA__SLAB_PINNED ((size_t)64 << 20)     /* all slots at most          */
#define GA__SLAB_THREADS 64
typedef struct ga__walk ga__walk;
typedef struct ga__slab_reader {
    ga__walk *w;                    /* this walk's                          */
    pthread_t thread;
    char *raw, *slot[GA__SLAB_SLOTS];   /* pinned; on a GPU, as the rest    */
    unsigned turn;
    ga_event *used[GA__SLAB_SLOTS];
} ga__slab_reader;
typedef struct ga__slabs_own {
    int file;
    ga_array *host;                 /* or where the elements are            */
    bool straight;                  /* they are pinned: no slots            */
    ga__npy_header h;
    size_t row, piece;              /* bytes                                */
    int64_t pieces;                 /* of a slab                            */
    int threads, device;            /* that the readers are open on         */
    ga__slab_reader *reader;        /* from the first walk on               */
} ga__slabs_own;

/* What reading on a GPU takes. */
static void ga__slab_reader_close(ga__slab_reader *r) {
#ifndef GPUARR_NO_CUDA
    if (r->slot[0] && cudaHostUnregister(r->slot[0])) cudaGetLastError();
#endif
    GA_FREE(r->raw);
    r->raw = r->slot[0] = NULL;
    for (int k = 0; k < GA__SLAB_SLOTS; k++) {
        ga_event_destroy(r->used[k]);
        r->used[k] = NULL;
    }
}
static ga_status ga__slab_reader_open(ga__slab_reader *r) {
    for (int k = 0; k < GA__SLAB_SLOTS; k++)
        if (!r->used[k] && !(r->used[k] = ga_event_create()))
            return ga__failed();
    return GA_OK;
}
/* In its own thread: all of them do it at once. */
static ga_status ga__slab_reader_pin(const char *fn, ga__slab_reader *r,
                                     size_t piece) {
#ifndef GPUARR_NO_CUDA
    if (r->slot[0]) return GA_OK;
    const size_t bytes = GA__SLAB_SLOTS * piece;
    if (!r->raw) r->raw = (char *)GA_MALLOC(bytes + GA__HUGE);
    char *p = r->raw ? ga__pin_pages(r->raw, bytes) : NULL;
    if (!p) return ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes of page-locked "
                            "memory", bytes);
    for (int k = 0; k < GA__SLAB_SLOTS; k++) r->slot[k] = p + (size_t)k * piece;
#else
    (void)fn, (void)r, (void)piece;
#endif
    return GA_OK;
}
static void ga__slabs_close(ga__slabs_own *own) {
    for (int i = 0; own->reader && i < own->threads; i++)
        ga__slab_reader_close(&own->reader[i]);
}
GA_API void ga_slabs_free(ga_slabs *s) {
    if (!s) return;
    ga__slabs_close(s->ga__own);
    GA_FREE(s->ga__own->reader);
    if (s->ga__own->file >= 0) close(s->ga__own->file);
    ga_free(s->ga__own->host);
    GA_FREE(s->ga__own);
    GA_FREE(s);
}
/* What may be taken of the current device now. */
static ga_status ga__slabs_room(const char *fn, size_t *room, bool *limited) {
    ga_memory m;
    ga__device *d = ga__current(fn);
    if (!d) return ga__failed();
    ga_status st = ga_mem_info(d->id, &m);
    if (st) return st;
    size_t kept = m.reserved > m.used ? m.reserved - m.used : 0;
    *room = m.free + (d->id == GA_CPU ? 0 : kept);
    *limited = m.limit && m.limit < *room + m.used;
    if (*limited) *room = m.limit > m.used ? m.limit - m.used : 0;
    return GA_OK;
}
/* threads: that read, if the options do not say.                             */
static ga_slabs *ga__slabs_new(const char *fn, const ga__npy_header *h,
                               const ga_slab_options *o, int threads) {
    const ga_slab_options none = {0, 0, 0};
    if (!o) o = &none;
    size_t room = o->memory;
    bool limited;
    if (o->rows < 0 || o->threads < 0)
        return (ga_slabs *)GA__NULL(GA_ERR_VALUE, fn, "%" PRId64 " rows, %d "
                                    "threads", o->rows, o->threads);
    if (!room && !o->rows) {
        if (ga__slabs_room(fn, &room, &limited)) return NULL;
        room /= 8;
        if (room > (size_t)96 << 20) room = (size_t)96 << 20;
    }
    size_t row = ga__size(h->dtype);
    for (int i = 1; i < h->ndim; i++) row *= (size_t)h->shape[i];
    int64_t rows = o->rows ? o->rows
        : row ? (int64_t)(room / GA__SLABS_ALIVE / row) : h->shape[0];
    if (rows < 1 && h->size)
        return (ga_slabs *)GA__NULL(GA_ERR_MEM_LIMIT, fn, "%d rows of %s take "
            "%zu bytes, %zu are there for walking", GA__SLABS_ALIVE,
            ga__shape_text(h->ndim, h->shape), GA__SLABS_ALIVE * row, room);
    if (rows > h->shape[0]) rows = h->shape[0];
    if (rows < 1) rows = 1;
    ga_slabs *s = (ga_slabs *)GA_MALLOC(sizeof *s);
    ga__slabs_own *own = (ga__slabs_own *)GA_MALLOC(sizeof *own);
    if (!s || !own) {
        GA_FREE(s);
        GA_FREE(own);
        return (ga_slabs *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    }
    memset(s, 0, sizeof *s);
    memset(own, 0, sizeof *own);
    own->file = -1;
    own->h = *h;
    own->row = row;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    own->threads = o->threads ? o->threads : cores < threads ? (int)cores
                                                             : threads;
    if (own->threads > GA__SLAB_THREADS) own->threads = GA__SLAB_THREADS;
    if (own->threads < 1) own->threads = 1;
    const size_t slab = (size_t)rows * row, page = 4096;
    own->piece = (slab / (size_t)own->threads + page) & ~(page - 1);
    const size_t most = GA__SLAB_PINNED / (size_t)(own->threads
                                                   * GA__SLAB_SLOTS) & ~(page - 1);
    if (own->piece > most) own->piece = most;
    own->pieces = slab ? (int64_t)((slab + own->piece - 1) / own->piece) : 1;
    s->ga__own = own;
    s->dtype = h->dtype;
    s->ndim = h->ndim;
    memcpy(s->shape, h->shape, sizeof s->shape);
    s->rows = rows;
    s->count = (h->shape[0] + rows - 1) / rows;
    s->host_bytes = s->device_bytes = GA__SLABS_ALIVE * slab;
    if (ga_device() == GA_CPU) s->device_bytes = 0;
    else s->host_bytes = (size_t)own->threads * GA__SLAB_SLOTS * own->piece;
    return s;
}
GA_API ga_slabs *ga_slabs_npy(const char *path, const ga_slab_options *o) {
    static const char fn[] = "ga_slabs_npy";
    ga__npy_header h;
    if (ga__npy_rows_open(fn, path, &h)) return NULL;
    ga_slabs *s = ga__slabs_new(fn, &h, o, 16);
    if (!s) return NULL;
    s->ga__own->file = open(path, O_RDONLY);
    if (s->ga__own->file >= 0) return s;
    ga__fail(GA_ERR_FILE_OPEN, fn, "%s: %s", path, strerror(errno));
    ga_slabs_free(s);
    return NULL;
}
GA_API ga_slabs *ga_slabs_host(const ga_array *host, const ga_slab_options *o) {
    static const char fn[] = "ga_slabs_host";
    ga__npy_header h;
    if (!ga__ok(fn, host)) return NULL;
    if (host->device != GA_CPU || !host->ndim || !ga_is_contiguous(host))
        return (ga_slabs *)GA__NULL(GA_ERR_VALUE, fn, "an array on the CPU "
                                    "device with rows in C order is wanted");
    memset(&h, 0, sizeof h);
    h.dtype = host->dtype;
    h.ndim = host->ndim;
    h.size = host->size;
    memcpy(h.shape, host->shape, sizeof h.shape);
    ga_slabs *s = ga__slabs_new(fn, &h, o, 8);
    if (!s) return NULL;
    s->ga__own->host = ga__view_new(fn, host);
    if (s->ga__own->host) {
        ga_detach(s->ga__own->host);
        return s;
    }
    ga_slabs_free(s);
    return NULL;
}
GA_API ga_status ga_slabs_fit(const char *path, double times) {
    static const char fn[] = "ga_slabs_fit";
    ga__npy_header h;
    size_t room;
    bool limited;
    ga_status st = ga__npy_rows_open(fn, path, &h);
    if (!st) st = ga__slabs_room(fn, &room, &limited);
    if (st) return st;
    double bytes = (double)h.size * (double)ga__size(h.dtype) * times;
    if (bytes <= (double)room) return GA_OK;
    return ga__fail(limited ? GA_ERR_MEM_LIMIT : GA_ERR_DEVICE_MEMORY, fn,
                    "%s: %g times %s %s takes %.4g MB, %s %.4g MB; "
                    "ga_slabs_npy walks it in slabs that fit", path, times,
                    ga_dtype_name(h.dtype), ga__shape_text(h.ndim, h.shape),
                    bytes / 1e6, limited ? "the limit leaves" : "there are",
                    (double)room / 1e6);
}

/* ---------------------------------------------------------------- walking */
struct ga__walk {
    const char *fn;
    const ga_slabs *s;
    ga__device *d;
    ga_array *slab[GA__SLABS_ALIVE];
    ga_stream *side;                /* on a GPU, as the events: the copies' */
    ga_event *worked[GA__SLABS_ALIVE], *copied[GA__SLABS_ALIVE];
    pthread_mutex_t queue;          /* of side                              */
    size_t queued[GA__SLABS_ALIVE]; /* bytes of the slab that comes         */
    atomic_llong next;              /* the first piece that nobody has taken */
    pthread_mutex_t lock;           /* of the rest                          */
    pthread_cond_t cond;
    int64_t done[GA__SLABS_ALIVE];  /* pieces                               */
    int64_t free;                   /* slabs below it have given place      */
    ga_status failed;
    char why[200];
    bool quit;
};
static int64_t ga__slab_rows(const ga_slabs *s, int64_t i) {
    int64_t left = s->shape[0] - i * s->rows;
    return left < s->rows ? left : s->rows;
}
/* n bytes of slab i to p; whole elements. */
static int ga__slab_read(const ga_slabs *s, int64_t i, size_t at, char *p,
                         size_t n) {
    const ga__slabs_own *own = s->ga__own;
    const size_t from = (size_t)(i * s->rows) * own->row + at;
    if (own->host) {
        memcpy(p, (const char *)own->host->data + from, n);
        return 0;
    }
    for (size_t got = 0; got < n;) {
        ssize_t r = pread(own->file, p + got, n - got,
                          (off_t)(own->h.offset + from + got));
        if (r < 0 && errno == EINTR) continue;
        if (r <= 0) return r ? errno : -1;
        got += (size_t)r;
    }
    ga__npy_fix(&own->h, (unsigned char *)p, n);
    return 0;
}
/* n bytes of slab i to their place, on a GPU by way of a slot. *e: errno, or
   -1: the file ends.                                                        */
static ga_status ga__slab_piece(ga__slab_reader *r, int64_t i, size_t at,
                                size_t n, int *e) {
    ga__walk *w = r->w;
    const int k = (int)(i % GA__SLABS_ALIVE);
    const unsigned t = r->turn++ % GA__SLAB_SLOTS;
    const bool gpu = w->d->id != GA_CPU;
    const ga__slabs_own *own = w->s->ga__own;
    char *to = (char *)w->slab[k]->data + at, *p = gpu ? r->slot[t] : to;
    ga_status st = GA_OK;
    if (gpu && r->used[t]->recorded) st = ga_event_synchronize(r->used[t]);
    if (own->straight)
        p = (char *)own->host->data + (size_t)(i * w->s->rows) * own->row + at;
    else if (!st) *e = ga__slab_read(w->s, i, at, p, n);
    if (*e) st = *e < 0 ? GA_ERR_FILE_FORMAT : GA_ERR_FILE_READ;
    if (!gpu || st) return st;
    pthread_mutex_lock(&w->queue);
    if (!w->queued[k]) st = ga_stream_wait(w->side, w->worked[k]);
    if (!st) st = w->d->be->copy(w->d, w->fn, GA__H2D, to, p, n, w->side, true);
    if (!st) st = ga_event_record(r->used[t], w->side);
    w->queued[k] += n;
    if (w->queued[k] == (size_t)ga__slab_rows(w->s, i) * own->row) {
        w->queued[k] = 0;
        if (!st) st = ga_event_record(w->copied[k], w->side);
    }
    pthread_mutex_unlock(&w->queue);
    return st;
}
static void *ga__slab_reading(void *arg) {
    ga__slab_reader *r = (ga__slab_reader *)arg;
    ga__walk *w = r->w;
    const ga__slabs_own *own = w->s->ga__own;
    GA_DEVICE(w->d->id);
    int e = 0;
    ga_status st = w->d->id == GA_CPU ? GA_OK
        : ga__slab_reader_pin(w->fn, r, own->piece);
    for (bool quit = false; !quit;) {
        const int64_t piece = atomic_fetch_add(&w->next, 1);
        const int64_t i = piece / own->pieces;
        if (i >= w->s->count) break;
        pthread_mutex_lock(&w->lock);
        while (!w->quit && !st && i >= w->free + GA__SLABS_ALIVE)
            pthread_cond_wait(&w->cond, &w->lock);
        quit = w->quit;
        pthread_mutex_unlock(&w->lock);
        const size_t all = (size_t)ga__slab_rows(w->s, i) * own->row;
        const size_t at = (size_t)(piece % own->pieces) * own->piece;
        const size_t n = at >= all ? 0 : all - at < own->piece ? all - at
                                                               : own->piece;
        if (!st && !quit && n) st = ga__slab_piece(r, i, at, n, &e);
        pthread_mutex_lock(&w->lock);
        if (st && !w->failed) {
            w->failed = st;
            snprintf(w->why, sizeof w->why, "%.199s", e < 0
                     ? "the file ends early" : e ? strerror(e)
                     : ga_error_message());
        }
        quit = quit || st;
        if (++w->done[i % GA__SLABS_ALIVE] == own->pieces || st)
            pthread_cond_broadcast(&w->cond);
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}
/* Slab i as an array, when all of it is read: the current stream waits for the
   copies.                                                                   */
static ga_array *ga__slab_take(ga__walk *w, int64_t i) {
    const int k = (int)(i % GA__SLABS_ALIVE);
    const ga__slabs_own *own = w->s->ga__own;
    pthread_mutex_lock(&w->lock);
    while (w->done[k] < own->pieces && !w->failed)
        pthread_cond_wait(&w->cond, &w->lock);
    const ga_status failed = w->failed;
    w->done[k] = 0;
    pthread_mutex_unlock(&w->lock);
    if (failed) return (ga_array *)GA__NULL(failed, w->fn, "%s", w->why);
    if (w->d->id != GA_CPU && w->copied[k]->recorded
        && ga_stream_wait(ga_stream_current(), w->copied[k])) return NULL;
    return (ga_slice_axis)(w->slab[k], 0, 0, ga__slab_rows(w->s, i), 1);
}
/* Slab i has been worked on, as far as it is queued: another may come. */
static ga_status ga__slab_give(ga__walk *w, int64_t i) {
    const int k = (int)(i % GA__SLABS_ALIVE);
    ga_status st = GA_OK;
    if (w->d->id != GA_CPU) {
        st = ga__order(w->fn, w->slab[k]->ga__buf, ga__stream(w->d), true);
        if (!st) st = ga_event_record(w->worked[k], ga_stream_current());
    }
    pthread_mutex_lock(&w->lock);
    w->free = i + 1;
    pthread_cond_broadcast(&w->cond);
    pthread_mutex_unlock(&w->lock);
    return st;
}
static ga_status ga__slabs_walk(ga__walk *w,
                                ga_status (*f)(ga_array *, int64_t, void *),
                                void *arg) {
    ga_status st = GA_OK;
    for (int64_t i = 0; i < w->s->count && !st; i++) {
        GA_SCOPE;
        ga__progress(w->fn, i, w->s->count);
        ga_array *slab = ga__slab_take(w, i);
        st = slab ? f(slab, i * w->s->rows, arg) : ga__failed();
        if (!st) st = ga_error();
        if (!st) st = ga__slab_give(w, i);
    }
    ga__progress(w->fn, w->s->count, w->s->count);
    return st;
}
/* The slabs' memory, and the readers' places. */
static ga_status ga__walk_open(ga__walk *w) {
    const ga_slabs *s = w->s;
    ga__slabs_own *own = s->ga__own;
    int64_t shape[GA_MAX_NDIM];
    const size_t bytes = (size_t)own->threads * sizeof *own->reader;
    if (!own->reader) {
        own->reader = (ga__slab_reader *)GA_MALLOC(bytes);
        if (!own->reader)
            return ga__fail(GA_ERR_HOST_MEMORY, w->fn, "%zu bytes", bytes);
        memset((void *)own->reader, 0, bytes);
    }
    if (own->device != w->d->id) ga__slabs_close(own);
    own->device = w->d->id;
#ifndef GPUARR_NO_CUDA
    own->straight = own->host && own->device != GA_CPU
                    && !ga__pageable(own->host->data);
#endif
    memcpy(shape, s->shape, sizeof shape);
    shape[0] = s->rows;
    ga_status st = GA_OK;
    for (int t = 0; t < own->threads && own->device != GA_CPU && !st; t++)
        st = ga__slab_reader_open(&own->reader[t]);
    if (!st && own->device != GA_CPU && !(w->side = ga_stream_create(0)))
        st = ga__failed();
    for (int k = 0; k < GA__SLABS_ALIVE && k < s->count && !st; k++) {
        ga_array *x = ga__new(w->fn, w->d, s->ndim, shape, s->dtype, NULL);
        if (!x) return ga__failed();
        w->slab[k] = ga_detach(x);
        if (w->d->id == GA_CPU) continue;
        w->worked[k] = ga_event_create();
        w->copied[k] = ga_event_create();
        st = w->worked[k] && w->copied[k] ? ga__order(w->fn, x->ga__buf, ga__stream(w->d), true)
                          : ga__failed();
        if (!st) st = ga_event_record(w->worked[k], ga_stream_current());
    }
    return st;
}
static ga_status ga__slabs_each(const char *fn, ga_slabs *s,
                                ga_status (*f)(ga_array *, int64_t, void *),
                                void *arg) {
    if (ga__comm_null(fn, s, "the slabs are")) return ga__failed();
    if (!f) return ga__fail(GA_ERR_NULL, fn, "the function is NULL");
    ga__device *d = ga__current(fn);
    if (!d) return ga__failed();
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    if (!s->shape[0]) return GA_OK;
    ga__walk w;
    memset((void *)&w, 0, sizeof w);
    w.fn = fn;
    w.s = s;
    w.d = d;
    pthread_mutex_init(&w.lock, NULL);
    pthread_mutex_init(&w.queue, NULL);
    pthread_cond_init(&w.cond, NULL);
    ga_status st = ga__walk_open(&w);
    ga__slab_reader *r = s->ga__own->reader;
    int started = 0;
    while (started < s->ga__own->threads && !st) {
        r[started].w = &w;
        if (pthread_create(&r[started].thread, NULL, ga__slab_reading,
                           &r[started]))
            st = ga__fail(GA_ERR_HOST_MEMORY, fn, "thread %d of %d does not "
                          "start", started, s->ga__own->threads);
        else started++;
    }
    if (!st) st = ga__slabs_walk(&w, f, arg);
    pthread_mutex_lock(&w.lock);
    w.quit = true;
    pthread_cond_broadcast(&w.cond);
    pthread_mutex_unlock(&w.lock);
    for (int i = 0; i < started; i++) pthread_join(r[i].thread, NULL);
    if (w.side) ga_stream_synchronize(w.side);  /* slots are read no more   */
    ga_stream_destroy(w.side);
    for (int k = 0; k < GA__SLABS_ALIVE; k++) {
        ga_free(w.slab[k]);
        ga_event_destroy(w.worked[k]);
        ga_event_destroy(w.copied[k]);
    }
    pthread_mutex_destroy(&w.queue);
    pthread_cond_destroy(&w.cond);
    pthread_mutex_destroy(&w.lock);
    return st;
}
GA_API ga_status ga_slabs_each(ga_slabs *s,
                               ga_status (*f)(ga_array *, int64_t, void *),
                               void *arg) {
    return ga__slabs_each("ga_slabs_each", s, f, arg);
}

/* --------------------------------------------------------------- into files */
typedef struct ga__slab_map {
    const char *fn;
    ga_slabs *s;
    ga_array *(*f)(ga_array *, void *);
    void *arg;
    ga__saving w;
    bool begun;
    int ndim;
    int64_t shape[GA_MAX_NDIM];
    ga_dtype dtype;
} ga__slab_map;
static ga_status ga__slab_map_one(ga_array *slab, int64_t first, void *arg) {
    ga__slab_map *m = (ga__slab_map *)arg;
    char head[GA__NPY_HEADER];
    ga_array *y = m->f(slab, m->arg);
    if (!y) return ga_error() ? ga_error()
                   : ga__fail(GA_ERR_NULL, m->fn, "the function gave NULL");
    if (!m->begun) {                /* now the file's header is known       */
        (void)first;
        m->begun = true;
        m->ndim = y->ndim;
        m->dtype = y->dtype;
        memcpy(m->shape, y->shape, sizeof m->shape);
        ga_array whole = *y;
        whole.shape[0] = m->s->shape[0];
        ga_status st = ga__io_write(&m->w.io, m->w.op.text, head,
                                    ga__npy_header_of(&whole, head));
        if (st) return st;
    }
    bool same = y->ndim && y->ndim == m->ndim && y->dtype == m->dtype
                && y->shape[0] == slab->shape[0];
    for (int i = 1; i < y->ndim && same; i++) same = y->shape[i] == m->shape[i];
    if (!same)
        return ga__fail(GA_ERR_SHAPE, m->fn, "the function made %s %s of %"
                        PRId64 " rows", ga_dtype_name(y->dtype),
                        ga__shape_text(y->ndim, y->shape), slab->shape[0]);
    void *buf = ga__npy_piece(m->fn, y);
    ga_status st = buf ? ga__npy_write(&m->w.io, m->w.op.text, y, buf)
                       : ga__failed();
    GA_FREE(buf);
    return st;
}
GA_API ga_status ga_slabs_map_npy(const char *path, ga_slabs *s,
                                  ga_array *(*f)(ga_array *, void *),
                                  void *arg) {
    static const char fn[] = "ga_slabs_map_npy";
    if (!path) return ga__fail(GA_ERR_NULL, fn, "the path is NULL");
    if (!f) return ga__fail(GA_ERR_NULL, fn, "the function is NULL");
    if (s && !s->shape[0])
        return ga__fail(GA_ERR_EMPTY, fn, "no rows: no result to go by");
    ga__slab_map *m = (ga__slab_map *)GA_MALLOC(sizeof *m);
    if (!m) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(m, 0, sizeof *m);
    m->fn = fn;
    m->s = s;
    m->f = f;
    m->arg = arg;
    ga_status st = ga__save_begin(&m->w, fn, path);
    if (!st) st = ga__save_end(&m->w, ga__slabs_each(fn, s, ga__slab_map_one,
                                                     m));
    GA_FREE(m);
    return st;
}
typedef struct ga__slab_text { const char *text, *name; } ga__slab_text;
static ga_array *ga__slab_eval(ga_array *slab, void *arg) {
    const ga__slab_text *t = (const ga__slab_text *)arg;
    const ga_array *in[1] = {slab};
    return (ga_eval)(t->text, t->name, in, 1);
}
GA_API ga_status ga_slabs_eval_npy(const char *path, const char *text,
                                   const char *name, ga_slabs *s) {
    ga__slab_text t = {text, name};
    return ga_slabs_map_npy(path, s, ga__slab_eval, &t);
}

/* ------------------------------------------------------------ to one result */
typedef struct ga__slab_sum {
    int op;
    ga_axis axis;
    const ga_slabs *s;
    ga_array *acc, *mean;           /* detached; var: sum of squares, mean  */
    double n;                       /* var: of each result, so far          */
    const ga_array *b;
} ga__slab_sum;
/* acc = y, which joins no scope. */
static ga_status ga__slab_set(ga_array **acc, ga_array *y) {
    if (!y) return ga__failed();
    ga_free(*acc);
    *acc = ga_detach(y);
    return GA_OK;
}
static ga_status ga__slab_reduce_one(ga_array *x, int64_t first, void *arg) {
    ga__slab_sum *r = (ga__slab_sum *)arg;
    ga_array *y = ga__dist_part(r->op, x, r->axis), *a = r->acc;
    (void)first;
    if (!a || !y) return ga__slab_set(&r->acc, y);
    switch (r->op) {
    case GA__D_prod: y = (ga_multiply)(a, y); break;
    case GA__D_max: y = (ga_maximum)(a, y); break;
    case GA__D_min: y = (ga_minimum)(a, y); break;
    case GA__D_all: y = (ga_logical_and)(a, y); break;
    case GA__D_any: y = (ga_logical_or)(a, y); break;
    default: y = (ga_add)(a, y);
    }
    return ga__slab_set(&r->acc, y);
}
/* The axes name the rows. */
static bool ga__slabs_axis(const char *fn, const ga_slabs *s, ga_axis axis) {
    unsigned mask;
    if (ga__comm_null(fn, s, "the slabs are")
        || !ga__axes_mask(fn, axis, s->ndim, &mask)) return false;
    if (mask & 1) return true;
    ga__fail(GA_ERR_AXIS, fn, "the rows, axis 0, are not reduced: "
             "ga_slabs_map_npy makes a result of as many rows");
    return false;
}
/* An array of no rows, for what the plain reductions make of none. */
static ga_array *ga__slabs_none(const ga_slabs *s) {
    ga_shape shape = {s->ndim, {0}};
    memcpy(shape.dim, s->shape, sizeof shape.dim);
    return (ga_zeros)(shape, s->dtype);
}
static ga_array *ga__slabs_reduce(const char *fn, int op, ga_slabs *s,
                                  ga_axis axis) {
    ga__slab_sum r = {op, axis, s, NULL, NULL, 0, NULL};
    if (!ga__slabs_axis(fn, s, axis)) return NULL;
    GA_SCOPE;
    ga_status st = s->shape[0] ? ga__slabs_each(fn, s, ga__slab_reduce_one, &r)
        : ga__slab_set(&r.acc, ga__dist_part(op, ga__slabs_none(s), axis));
    ga_array *y = st ? NULL : r.acc;
    const char k = ga__kind(s->dtype);
    if (y && op == GA__D_mean)
        y = (ga_true_divide)(y, GA_ARG(ga__dist_per(s->ndim, s->shape, axis,
                                                    s->shape[0])));
    if (y && op <= GA__D_mean && (k == 'f' || k == 'c'))
        y = (ga_astype)(y, s->dtype);
    y = y ? ga_view(y) : NULL;
    ga_free(r.acc);
    return y ? ga_keep(y) : NULL;
}
#define GA__X(n)                                                            \
    GA_API ga_array *ga_slabs_##n(ga_slabs *s, ga_axis axis) {              \
        return ga__slabs_reduce("ga_slabs_" #n, GA__D_##n, s, axis);        \
    }
GA_DIST_REDUCTIONS(GA__X)
#undef GA__X
/* Chan's formula joins the slabs' counts, means and sums of squares. */
static ga_status ga__slab_var_one(ga_array *x, int64_t first, void *arg) {
    ga__slab_sum *r = (ga__slab_sum *)arg;
    (void)first;
    const double m = ga__dist_per(x->ndim, x->shape, r->axis, x->shape[0]);
    const double n = r->n;
    ga_array *wide = ga_astype(x, GA_FLOAT64);
    ga_array *mean = ga_mean(wide, r->axis);
    ga_array *q = ga_mul(ga_var(wide, r->axis, 0), m);
    r->n += m;
    if (r->acc) {
        ga_array *old = r->mean, *acc = r->acc;
        const double share = m / r->n;
        q = GA_EVAL(acc + q + (mean - old)**2*n*share, acc, q, mean, old, n,
                    share);
        mean = GA_EVAL(old + (mean - old)*share, old, mean, share);
    }
    ga_status st = ga__slab_set(&r->acc, q);
    return st ? st : ga__slab_set(&r->mean, mean);
}
static ga_array *ga__slabs_var(const char *fn, ga_slabs *s, ga_axis axis,
                               double ddof, bool root) {
    ga__slab_sum r = {GA__D_var, axis, s, NULL, NULL, 0, NULL};
    if (!ga__slabs_axis(fn, s, axis)) return NULL;
    if (ga__kind(s->dtype) == 'c')
        return (ga_array *)GA__NULL(GA_ERR_DTYPE, fn, "of complex numbers");
    GA_SCOPE;
    ga_status st = s->shape[0] ? ga__slabs_each(fn, s, ga__slab_var_one, &r)
        : ga__slab_set(&r.acc, ga_var(ga__slabs_none(s), axis, 0));
    const double by = ga__dist_per(s->ndim, s->shape, axis, s->shape[0]) - ddof;
    ga_array *y = st ? NULL : ga_true_divide(r.acc, by > 0 ? by : 0.0);
    if (y && root) y = ga_sqrt(y);
    y = y ? ga_astype(y, ga__kind(s->dtype) == 'f' ? s->dtype : GA_FLOAT64)
          : NULL;
    ga_free(r.acc);
    ga_free(r.mean);
    return y ? ga_keep(y) : NULL;
}
GA_API ga_array *ga_slabs_var(ga_slabs *s, ga_axis axis, double ddof) {
    return ga__slabs_var("ga_slabs_var", s, axis, ddof, false);
}
GA_API ga_array *ga_slabs_std(ga_slabs *s, ga_axis axis, double ddof) {
    return ga__slabs_var("ga_slabs_std", s, axis, ddof, true);
}

static ga_status ga__slab_inner_one(ga_array *x, int64_t first, void *arg) {
    ga__slab_sum *r = (ga__slab_sum *)arg;
    ga_array *y = (ga_matmul)((ga_transpose)(x, GA_ALL), x);
    (void)first;
    if (y && r->acc) return (ga_add_into)(r->acc, r->acc, y);
    return ga__slab_set(&r->acc, y);
}
static bool ga__slabs_matrix(const char *fn, const ga_slabs *s) {
    if (ga__comm_null(fn, s, "the slabs are")) return false;
    if (s->ndim == 2 && s->shape[0]) return true;
    ga__fail(GA_ERR_SHAPE, fn, "shape %s; a matrix with rows is wanted",
             ga__shape_text(s->ndim, s->shape));
    return false;
}
static ga_array *ga__slab_product(const char *fn, ga_slabs *s, ga__slab_sum *r,
                                  ga_status (*one)(ga_array *, int64_t,
                                                   void *)) {
    ga_status st = ga__slabs_each(fn, s, one, r);
    ga_array *y = st ? NULL : ga_view(r->acc);
    ga_free(r->acc);
    return y;
}
GA_API ga_array *ga_slabs_inner(ga_slabs *s) {
    static const char fn[] = "ga_slabs_inner";
    ga__slab_sum r = {0, GA_ALL, s, NULL, NULL, 0, NULL};
    if (!ga__slabs_matrix(fn, s)) return NULL;
    return ga__slab_product(fn, s, &r, ga__slab_inner_one);
}
static ga_status ga__slab_matmul_one(ga_array *x, int64_t first, void *arg) {
    ga__slab_sum *r = (ga__slab_sum *)arg;
    ga_array *y = (ga_matmul)(x, r->b);
    if (!y) return ga__failed();
    if (!r->acc) {
        ga_shape s = ga_shape_of(y);
        s.dim[0] = r->s->shape[0];
        ga_status st = ga__slab_set(&r->acc, (ga_empty)(s, y->dtype));
        if (st) return st;
    }
    ga_array *to = (ga_slice_axis)(r->acc, 0, first, first + x->shape[0], 1);
    return to ? (ga_assign)(to, y) : ga__failed();
}
GA_API ga_array *ga_slabs_matmul(ga_slabs *s, const ga_array *b) {
    static const char fn[] = "ga_slabs_matmul";
    ga__slab_sum r = {0, GA_ALL, s, NULL, NULL, 0, b};
    if (!ga__slabs_matrix(fn, s) || !ga__ok(fn, b)) return NULL;
    return ga__slab_product(fn, s, &r, ga__slab_matmul_one);
}
static ga_status ga__slab_range_one(ga_array *x, int64_t first, void *arg) {
    ga__slab_sum *r = (ga__slab_sum *)arg;
    ga_array *low = (ga_min)(x, GA_ALL), *high = (ga_max)(x, GA_ALL);
    (void)first;
    if (low && r->acc) low = (ga_minimum)(low, r->acc);
    if (high && r->mean) high = (ga_maximum)(high, r->mean);
    ga_status st = ga__slab_set(&r->acc, low);
    return st ? st : ga__slab_set(&r->mean, high);
}
typedef struct ga__slab_bins {
    ga_bins bins;
    ga_array *counts;
} ga__slab_bins;
static ga_status ga__slab_histogram_one(ga_array *x, int64_t first, void *arg) {
    ga__slab_bins *r = (ga__slab_bins *)arg;
    ga_array *y = (ga_histogram)(x, r->bins, &ga__none, 0, NULL);
    (void)first;
    if (y && r->counts) return (ga_add_into)(r->counts, r->counts, y);
    return ga__slab_set(&r->counts, y);
}
GA_API ga_array *ga_slabs_histogram(ga_slabs *s, int64_t bins, double low,
                                    double high, ga_array **edges) {
    static const char fn[] = "ga_slabs_histogram";
    ga__slab_sum range = {0, GA_ALL, s, NULL, NULL, 0, NULL};
    if (!ga__slabs_axis(fn, s, GA_ALL)) return NULL;
    ga_status st = GA_OK;
    if (!(low < high) && s->shape[0]) {
        st = ga__slabs_each(fn, s, ga__slab_range_one, &range);
        if (!st) {
            low = ga_item(range.acc);
            high = ga_item(range.mean);
            st = ga_error();
        }
        if (!st && low == high) low -= 0.5, high += 0.5;
        ga_free(range.acc);
        ga_free(range.mean);
    } else if (!(low < high)) {
        low = 0;
        high = 1;
    }
    if (st) return NULL;
    GA_SCOPE;
    ga__slab_bins r = {GA_BINS_IN(bins, low, high), NULL};
    ga_array *none = (ga_zeros)(GA_SHAPE(0), s->dtype);
    ga_array *first = none ? (ga_histogram)(none, r.bins, &ga__none, 0, edges)
                           : NULL;
    st = ga__slab_set(&r.counts, first);
    if (!st) st = ga__slabs_each(fn, s, ga__slab_histogram_one, &r);
    ga_array *y = st ? NULL : ga_view(r.counts);
    ga_free(r.counts);
    if (edges && *edges && first) {
        if (y) ga_keep(*edges);
        else *edges = NULL;         /* goes with the scope                  */
    }
    return y ? ga_keep(y) : NULL;
}

/* --------------------------------------------------------------- quantiles */
#define GA__SAMPLE (1 << 20)
typedef struct ga__slab_range {     /* of one quantile                      */
    double low, high, wide;
    int64_t below, within, cap;
    double *kept;
    bool done;
} ga__slab_range;
typedef struct ga__slab_order {
    int64_t every, n;               /* a sample is every so many elements   */
    double *sample;                 /* on the host; n of them               */
    int64_t room;
    bool nan;
    int count;
    ga__slab_range *range;
} ga__slab_order;
static ga_status ga__slab_sample_one(ga_array *x, int64_t first, void *arg) {
    ga__slab_order *r = (ga__slab_order *)arg;
    (void)first;
    ga_array *flat = ga_ravel(x);
    ga_array *some = flat ? (ga_slice_axis)(flat, 0, 0, GA_END, r->every)
                          : NULL;
    some = some ? ga_astype(some, GA_FLOAT64) : NULL;
    if (!some) return ga__failed();
    const char k = ga__kind(x->dtype);
    if (k == 'f') {
        ga_array *bad = GA_EVAL(any(x != x), x);
        r->nan |= bad && ga_item(bad) != 0;
    }
    if (r->n + some->size > r->room)
        return ga__fail(GA_ERR_SIZE, "ga_slabs_quantile", "a sample of %"
                        PRId64, r->room);
    if (some->size && !ga_asnumpy(some, r->sample + r->n)) return ga__failed();
    r->n += some->size;
    return ga_error();
}
static ga_status ga__slab_keep(ga__slab_range *r, const ga_array *v) {
    const double low = r->low, high = r->high;
    ga_array *less = GA_EVAL(count_nonzero(v < low), v, low);
    ga_array *in = GA_EVAL(v >= low && v <= high, v, low, high);
    ga_array *kept = in ? (ga_mask)(v, in) : NULL;
    kept = kept ? ga_astype(kept, GA_FLOAT64) : NULL;
    if (!kept || !less) return ga__failed();
    r->below += ga_item_i64(less);
    if (r->within + kept->size > r->cap) {
        int64_t cap = 2 * (r->within + kept->size);
        double *p = (double *)GA_REALLOC(r->kept, (size_t)cap * sizeof *p);
        if (!p) return ga__fail(GA_ERR_HOST_MEMORY, "ga_slabs_quantile",
                                "%" PRId64 " elements near a quantile", cap);
        r->kept = p;
        r->cap = cap;
    }
    if (kept->size && !ga_asnumpy(kept, r->kept + r->within))
        return ga__failed();
    r->within += kept->size;
    return ga_error();
}
static ga_status ga__slab_within_one(ga_array *x, int64_t first, void *arg) {
    ga__slab_order *r = (ga__slab_order *)arg;
    (void)first;
    ga_array *v = ga_ravel(x);
    ga_status st = v ? GA_OK : ga__failed();
    for (int i = 0; i < r->count && !st; i++) {
        GA_SCOPE;
        if (!r->range[i].done) st = ga__slab_keep(&r->range[i], v);
    }
    return st;
}
static int ga__doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* In order: on the current device, or here where it has no room for them.    */
static void ga__slab_sort(double *x, int64_t n) {
    GA_SCOPE;
    ga__me.tries = true;
    ga_array *y = (ga_asarray_as)(x, GA_FLOAT64, GA_SHAPE(n));
    const bool done = y && !ga_sort_into(y, y, GA_AXIS(0), 0)
                      && ga_asnumpy(y, x);
    ga__me.tries = false;
    if (!done) qsort(x, (size_t)n, sizeof *x, ga__doubles);
}
/* The quantile at place `at` of `all` elements, from what is in range; false: it
   is not there.                                                              */
static bool ga__slab_pick(const ga__slab_range *r, double at, int64_t all,
                          double *out) {
    int64_t k = (int64_t)floor(at), next = k + 1 < all ? k + 1 : k;
    if (k < r->below || next >= r->below + r->within) return false;
    ga__slab_sort(r->kept, r->within);
    double a = r->kept[k - r->below], b = r->kept[next - r->below];
    double t = at - (double)k;
    *out = t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
    return true;
}
/* One pass for all; again, wider, for those that were not in range. */
static ga_status ga__slab_quantiles(const char *fn, ga_slabs *s,
                                    ga__slab_order *r, int64_t all,
                                    const double *q, double *out) {
    const double m = (double)r->n;
    for (bool missing = true; missing;) {
        for (int i = 0; i < r->count; i++) {
            ga__slab_range *g = &r->range[i];
            g->wide = g->wide > 0 ? 16 * g->wide : 4;
            double far = g->wide * sqrt(m * q[i] * (1 - q[i])) + g->wide;
            double lo = floor(q[i] * (m - 1) - far);
            double hi = ceil(q[i] * (m - 1) + far);
            g->low = lo < 0 ? -HUGE_VAL : r->sample[(int64_t)lo];
            g->high = hi > m - 1 ? HUGE_VAL : r->sample[(int64_t)hi];
            g->below = g->within = 0;
        }
        ga_status st = ga__slabs_each(fn, s, ga__slab_within_one, r);
        if (st) return st;
        missing = false;
        for (int i = 0; i < r->count; i++) {
            ga__slab_range *g = &r->range[i];
            if (!g->done)
                g->done = ga__slab_pick(g, q[i] * (double)(all - 1), all,
                                        &out[i]);
            missing |= !g->done;
        }
    }
    return GA_OK;
}
GA_API ga_array *ga_slabs_quantile(ga_slabs *s, const double *q, int n) {
    static const char fn[] = "ga_slabs_quantile";
    if (!ga__slabs_axis(fn, s, GA_ALL)) return NULL;
    if (ga__kind(s->dtype) == 'c')
        return (ga_array *)GA__NULL(GA_ERR_DTYPE, fn, "of complex numbers");
    int64_t all = 1;
    for (int i = 0; i < s->ndim; i++) all *= s->shape[i];
    if (!all) return (ga_array *)GA__NULL(GA_ERR_EMPTY, fn, "of no elements");
    if (n < 0 || (n && !q))
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "%d quantiles", n);
    for (int i = 0; i < n; i++)
        if (!(q[i] >= 0 && q[i] <= 1))
            return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "q is %g; 0 to 1 are "
                                        "possible", q[i]);
    ga__slab_order r;
    memset(&r, 0, sizeof r);
    r.every = (all + GA__SAMPLE - 1) / GA__SAMPLE;
    r.room = 2 * GA__SAMPLE + 2 * s->count;
    r.sample = (double *)GA_MALLOC((size_t)r.room * sizeof *r.sample);
    double *out = (double *)GA_MALLOC(((size_t)n + 1) * sizeof *out);
    r.count = n;
    r.range = (ga__slab_range *)GA_MALLOC(((size_t)n + 1) * sizeof *r.range);
    ga_status st = r.sample && out && r.range ? GA_OK
        : ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    if (r.range) memset(r.range, 0, ((size_t)n + 1) * sizeof *r.range);
    if (!st) st = ga__slabs_each(fn, s, ga__slab_sample_one, &r);
    if (!st && !r.nan && n) {
        ga__slab_sort(r.sample, r.n);
        st = ga__slab_quantiles(fn, s, &r, all, q, out);
    }
    for (int i = 0; i < n && r.nan; i++) out[i] = (double)NAN;
    ga_array *y = st ? NULL : (ga_asarray_as)(out, GA_FLOAT64, GA_SHAPE(n));
    for (int i = 0; r.range && i < n; i++) GA_FREE(r.range[i].kept);
    GA_FREE(r.range);
    GA_FREE(r.sample);
    GA_FREE(out);
    return y;
}

#endif /* GPUARR_IMPLEMENTATION */
#endif /* GPUARR_COMM_H */
