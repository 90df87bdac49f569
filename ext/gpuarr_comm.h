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
   the system, of GPUARR_NCCL=path, of pip's nvidia-nccl wheel or PyTorch. On the
   CPU device, and where ranks share a GPU, data goes through the host's memory,
   or through MPI.

   CONTENTS   >>communicators  >>collectives, then the implementation:
              >>c-agree  >>c-hall  >>c-mpi  >>c-nccl  >>c-communicators
              >>c-collectives

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
   On GPUs a call is queued and returns before the others have come. It looks at
   what they have told so far; who comes later finds the difference, and a
   watchdog tells the rest: they get the error from their next call of this
   communicator, or that waits for the device (ga_item, ga_synchronize, ...). */
typedef struct ga_comm ga_comm;

/* Calls fn(c, arg) on n threads of this process, rank r on GPU r modulo their
   number, in a stream of its own, or all on the CPU device if that is current,
   with the loops' threads divided among them. n = 0: one for each GPU; on the CPU 1. Returns when all
   have. A status that fn returns, or an error it leaves pending, becomes the
   caller's: of the lowest rank that has its own. c lives until fn returns.   */
GA_API ga_status ga_comm_local(int n, ga_status (*fn)(ga_comm *c, void *arg),
                               void *arg);
/* Processes of one machine: `path` names a file, not there yet, on a local
   file system (/dev/shm), which the ranks map; rank 0 makes it, and it is
   removed once all have come. Each rank computes on its current device.      */
GA_API ga_comm *ga_comm_shared(const char *path, int rank, int size);
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
                                     once for each r: ga_comm_shared
   Starts and ends MPI unless the program has.                                */
GA_API ga_status ga_comm_run(int n, ga_status (*fn)(ga_comm *c, void *arg),
                             void *arg);

GA_API int ga_comm_rank(const ga_comm *c);      /* -1: c is NULL            */
GA_API int ga_comm_size(const ga_comm *c);
/* A communicator of those with the same color, in the order of key, then of
   rank; NULL without an error where color is negative. Collective.           */
GA_API ga_comm *ga_comm_split(ga_comm *c, int color, int key);
/* Not collective; NULL is fine. Waits for the device's work on it, but not
   beyond the timeout.                                                        */
GA_API void ga_comm_free(ga_comm *c);
/* How long a rank waits for the others, from its own call on: 300 s. On GPUs
   that includes what the device has to do before.                            */
GA_API ga_status ga_comm_timeout(ga_comm *c, double seconds);

/* =========================================================== >>collectives
   x is any array or view on the current device; a view is packed. Results are
   new arrays in C order there; `_into` writes to an array of the result's shape,
   which may be x. On GPUs all is queued on the current stream, where not said
   otherwise; on the CPU, and through the host, it is done on return.

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
   not come out even), _COMM. Temporary memory: x's size, twice through the host. */
typedef enum ga_comm_op {
    GA_COMM_SUM, GA_COMM_PROD, GA_COMM_MIN, GA_COMM_MAX, GA_COMM_MEAN
} ga_comm_op;
GA_API ga_array *ga_comm_allreduce(ga_comm *c, const ga_array *x,
                                   ga_comm_op op);
GA_API ga_status ga_comm_allreduce_into(ga_comm *c, ga_array *out,
                                        const ga_array *x, ga_comm_op op);
GA_API ga_status ga_comm_reduce(ga_comm *c, const ga_array *x, ga_comm_op op,
                                int root, ga_array **out);
GA_API ga_status ga_comm_reduce_into(ga_comm *c, ga_array *out,
                                     const ga_array *x, ga_comm_op op,
                                     int root);         /* out: root's alone */
GA_API ga_array *ga_comm_broadcast(ga_comm *c, const ga_array *x, int root);
GA_API ga_status ga_comm_broadcast_into(ga_comm *c, ga_array *out,
                                        const ga_array *x, int root);
GA_API ga_array *ga_comm_allgather(ga_comm *c, const ga_array *x);
GA_API ga_status ga_comm_allgather_into(ga_comm *c, ga_array *out,
                                        const ga_array *x);
GA_API ga_status ga_comm_gather(ga_comm *c, const ga_array *x, int root,
                                ga_array **out);
GA_API ga_status ga_comm_gather_into(ga_comm *c, ga_array *out,
                                     const ga_array *x, int root);
GA_API ga_array *ga_comm_reduce_scatter(ga_comm *c, const ga_array *x,
                                        ga_comm_op op);
GA_API ga_status ga_comm_reduce_scatter_into(ga_comm *c, ga_array *out,
                                             const ga_array *x, ga_comm_op op);
GA_API ga_array *ga_comm_scatter(ga_comm *c, const ga_array *x, int root);
GA_API ga_status ga_comm_scatter_into(ga_comm *c, ga_array *out,
                                      const ga_array *x, int root);
GA_API ga_array *ga_comm_alltoall(ga_comm *c, const ga_array *x);
GA_API ga_status ga_comm_alltoall_into(ga_comm *c, ga_array *out,
                                       const ga_array *x);
GA_API ga_status ga_comm_send(ga_comm *c, const ga_array *x, int to);
GA_API ga_array *ga_comm_recv(ga_comm *c, ga_shape shape, ga_dtype t, int from);
GA_API ga_status ga_comm_recv_into(ga_comm *c, ga_array *out, int from);
GA_API ga_status ga_comm_barrier(ga_comm *c);

/* Sends and receives between the two go together, in any order: two ranks that
   exchange arrays want it. What is received is there after group_end. The other
   collectives run where they stand.                                          */
GA_API ga_status ga_comm_group_begin(ga_comm *c);
GA_API ga_status ga_comm_group_end(ga_comm *c);

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
    GA__C_KINDS
};
static const char *const ga__comm_names[GA__C_KINDS] = {
    "joining", "ga_comm_allreduce", "ga_comm_reduce", "ga_comm_broadcast",
    "ga_comm_allgather", "ga_comm_gather", "ga_comm_reduce_scatter",
    "ga_comm_scatter", "ga_comm_alltoall", "ga_comm_send", "ga_comm_recv",
    "ga_comm_barrier", "ga_comm_split"};
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
    int what, op, root, dtype, ndim;    /* root: or the other rank          */
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
    void (*tell)(ga_comm *c, const char *why);      /* the others: it is over */
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
    ga__queued *queue;
    int nqueue, capqueue;
    ga__nccl_state *nccl;
#ifdef GPUARR_USE_MPI
    MPI_Comm mpi;
    MPI_Request *lost;              /* where others tell that they gave up  */
    char heard[400];
    bool mpi_ours;
#endif
};

GA_API int ga_comm_rank(const ga_comm *c) { return c ? c->rank : -1; }
GA_API int ga_comm_size(const ga_comm *c) { return c ? c->size : -1; }

static bool ga__comm_ok(const char *fn, const ga_comm *c) {
    if (!c) {
        if (ga__me.error) ga__me.last = ga__me.error;
        else ga__fail(GA_ERR_NULL, fn, "the communicator is NULL");
        return false;
    }
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
    int k = snprintf(out, room, "%s", ga__comm_names[n->what]);
#define GA__MORE(...) k += k < 0 || (size_t)k >= room ? 0                   \
    : snprintf(out + k, room - (size_t)k, __VA_ARGS__)
    if (n->what > GA__C_JOIN && n->what < GA__C_BARRIER) {
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

/* The end of the communicator, on this rank and, once they look, the others. */
static void ga__comm_broken(ga_comm *c, const char *why) {
    int none = 0;
    if (!atomic_compare_exchange_strong(&c->broken, &none, 1)) return;
    snprintf(c->why, sizeof c->why, "%s", why);
    atomic_store(&c->broken, 2);
    c->wire->tell(c, why);
}
static ga_status ga__comm_break(const char *fn, ga_comm *c, const char *why) {
    ga__comm_broken(c, why);
    return ga__fail(GA_ERR_COMM, fn, "%s", why);
}

static bool ga__hall_saw(const ga_comm *c, int peer, ga__note *out);
/* The first part that has not come in time. */
static ga_status ga__comm_late(const char *fn, ga_comm *c, const ga__parcel *p) {
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
static ga_status ga__comm_wait(const char *fn, ga_comm *c, ga__parcel *part,
                               int n, int need) {
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
            c->wire->poll(c, part, n);
            if (ga__all_done(part, need)) return GA_OK;
            snprintf(why, sizeof why, "%s", told);
            return ga__comm_break(fn, c, why);
        }
        if (now > end) return ga__comm_late(fn, c, &part[i]);
    }
}
static ga__parcel ga__parcel_of(int peer, bool send, const void *p, size_t bytes) {
    ga__parcel q = {peer, send, false, bytes, 0, (char *)(uintptr_t)p, NULL};
    return q;
}

/* Do two ranks' notes agree? The error otherwise, and what to say. */
static ga_status ga__notes_differ(const ga__note *a, const ga__note *b) {
    if (a->what != b->what) return GA_ERR_COMM;
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
static ga_status ga__comm_agree(const char *fn, ga_comm *c, const ga__note *mine) {
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
static bool ga__hall_lost(ga_comm *c, int peer, char *why, size_t room) {
    ga__hall *h = c->hall;
    if (atomic_load(&h->failed) == 2) {
        snprintf(why, room, "rank %d gave up: %.250s", h->failed_by, h->why);
        return true;
    }
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
static void ga__hall_fail(ga_comm *c, const char *why) {
    int none = 0;
    if (!atomic_compare_exchange_strong(&c->hall->failed, &none, 1)) return;
    c->hall->failed_by = c->rank;
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
                                       ga__hall_fail, ga__hall_leave,
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
static const ga__wire ga__mpi_wire = {ga__mpi_poll, ga__mpi_lost, ga__mpi_fail,
                                      ga__mpi_leave, ga__mpi_split};
#endif

/* ============================================================== >>c-nccl
   NCCL's few functions, opened at their first use. Calls may block until the
   other ranks have come (connections are made by the first of a kind), so that
   the first of each kind agrees first, host by host; and a thread watches. It
   reads what others told, asks NCCL for errors and looks at events behind the
   calls: what is not done in time is aborted, and the device's fault record says
   so to whoever waits for the device.                                        */
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
    unsigned met;                   /* kinds of calls that have been made   */
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

/* Has rank i told a call of this number that does not fit ours? */
static bool ga__nccl_contradicts(const ga_comm *c, int i, const ga__note *mine,
                                 char *why, size_t room) {
    if (!c->hall || i == c->rank || mine->what == GA__C_SEND
        || mine->what == GA__C_RECV) return false;
    ga__seat *s = ga__seat_of(c->hall, i);
    ga__note n;
    ga__seat_lock(s);
    n = s->note[mine->seq % GA__SEEN];
    ga__seat_unlock(s);
    if (n.seq != mine->seq) return false;
    char a[200], b[200];
    if (n.status) {
        snprintf(why, room, "rank %d: %s", i, n.text);
    } else if (ga__notes_differ(mine, &n)) {
        ga__note_text(mine, a, sizeof a);
        ga__note_text(&n, b, sizeof b);
        snprintf(why, room, "rank %d calls %.120s, rank %d %.120s", c->rank, a,
                 i, b);
    } else {
        return false;
    }
    return true;
}
/* Rank i cannot come: it gave up, its process is gone, or it has ended without
   this call (one that has made it may end before us).                        */
static bool ga__nccl_gone(ga_comm *c, int i, const ga__note *mine, char *why,
                          size_t room) {
    if (!c->wire->lost(c, i, why, room)) return false;
    if (!c->hall || atomic_load(&c->hall->failed) == 2
        || atomic_load(&ga__seat_of(c->hall, i)->state) != 2) return true;
    if (mine->what == GA__C_SEND || mine->what == GA__C_RECV) return false;
    ga__seat *s = ga__seat_of(c->hall, i);
    ga__seat_lock(s);
    bool without = s->seq < mine->seq;
    ga__seat_unlock(s);
    return without;
}
/* Under the lock: what is wrong, if anything is. */
static bool ga__nccl_wrong(ga_comm *c, char *why, size_t room) {
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
        for (int i = 0; i < c->size; i++)
            if (i != c->rank
                && (ga__nccl_contradicts(c, i, n, why, room)
                    || ga__nccl_gone(c, i, n, why, room))) return true;
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
/* Ends the work on the device: who waits for it is told. */
static void ga__nccl_abort(ga_comm *c, const char *why) {
    static char said[8][600];       /* the fault record's, to the end       */
    static atomic_uint turn;
    ga__nccl_state *s = c->nccl;
    char *text = said[atomic_fetch_add(&turn, 1) % 8];
    ga__comm_broken(c, why);
    snprintf(text, sizeof said[0], "ga_comm: %.500s", why);
    ga__fault *f = ga__fault_record("ga_comm", s->dev);
    if (f) {
        pthread_mutex_lock(&ga__fault_lock);
        f->fn = text;
        f->code = GA_ERR_COMM;
        f->axis = 0;
        atomic_store((_Atomic uint32_t *)(void *)&f->state, 2);
        pthread_mutex_unlock(&ga__fault_lock);
    }
    if (s->comm) ga__nccl.CommAbort(s->comm);
    s->comm = NULL;
}
static void *ga__nccl_watch(void *arg) {
    ga_comm *c = (ga_comm *)arg;
    ga__nccl_state *s = c->nccl;
    char why[400];
    struct timespec nap = {0, 20000000};
    cudaSetDevice(s->dev->id);
    while (!atomic_load(&s->quit)) {
        nanosleep(&nap, NULL);
        if (!pthread_mutex_trylock(&s->lock)) {
            bool wrong = ga__nccl_wrong(c, why, sizeof why);
            if (wrong) ga__nccl_abort(c, why);
            pthread_mutex_unlock(&s->lock);
            if (wrong) break;
            continue;
        }
        double in = atomic_load(&s->entered);
        if (in == 0 || ga_time() - in < c->timeout) continue;
        snprintf(why, sizeof why, "NCCL has not returned within %g s",
                 c->timeout);
        ga__nccl_abort(c, why);     /* the call inside comes back           */
        break;
    }
    return NULL;
}

/* The GPU's name among all machines'; "" asks for the host's way. */
static void ga__nccl_name(const ga_comm *c, ga__device *d, char *out,
                          size_t room) {
    const char *way = getenv("GPUARR_COMM");
    char bus[32] = "", host[64] = "";
    out[0] = '\0';
    (void)c;
    if (d->id == GA_CPU || (way && !strcmp(way, "host"))
        || cudaDeviceGetPCIBusId(bus, sizeof bus, d->id)) return;
    FILE *f = fopen("/proc/sys/kernel/hostname", "r");
    if (!f || !fgets(host, sizeof host, f)) host[0] = '\0';
    if (f) fclose(f);
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
    for (int i = 0; i < c->size; i++) {
        if (!c->notes[i].text[0]) return GA_OK;
        for (int k = 0; k < i; k++)
            if (!strcmp(c->notes[i].text, c->notes[k].text)) return GA_OK;
    }
    ga__note n;
    ga__nccl_id id;
    int before, e = 0;
    memset(&n, 0, sizeof n);
    memset(&id, 0, sizeof id);
    n.ndim = -1;
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
    if (st) ga__nccl_delete(s);
    return st;
}
/* Others may still read what this rank sent: they get a moment to leave too. */
static void ga__nccl_leave(ga_comm *c) {
    ga__nccl_state *s = c->nccl;
    struct timespec nap = {0, 100000};
    int before;
    if (!s) return;
    ga__device *d = s->dev;
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
    if (d) ga__nccl_name(c, d, n.text, sizeof n.text);
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
    c->wire->leave(c);
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
        return ga__fail(GA_ERR_VALUE, fn, "%d ranks; 0 to 1024 are possible", n);
    ga__ranks all = {f, arg, NULL, n, 1, d->id == GA_CPU ? 0
                                         : ga__cuda_count()};
    if (!n) n = all.size = all.gpus ? all.gpus : 1;
    all.threads = gk_cpu_threads() / n > 1 ? gk_cpu_threads() / n : 1;
    ga__rank *r = (ga__rank *)GA_MALLOC((size_t)n * sizeof *r);
    all.hall = r ? ga__hall_new(fn, n) : NULL;
    if (!all.hall) {
        GA_FREE(r);
        return r ? ga__failed() : ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
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
    const char *set = getenv("OMP_NUM_THREADS");
    bool chosen = ga__me.started || ga_device() == GA_CPU;
    if (!chosen && !getenv("GPUARR_DEVICE")
        && ga_set_device(mine % ga__cuda_count()))
        return NULL;
    if (ga_device() == GA_CPU && !(set && *set)) {
        int most = gk_cpu_threads();    /* of the cores MPI leaves us       */
        long cores = sysconf(_SC_NPROCESSORS_ONLN) / near;
        gk_cpu_limit(cores < 1 ? 1 : cores < most ? (int)cores : most);
    }
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
        return ga__fail(GA_ERR_VALUE, fn, "GPUARR_RANK or GPUARR_RANKS is not a "
                        "number of ranks");
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

/* to (m) = op over stack (size, m) */
static ga_status ga__comm_fold(const ga__moving *v, ga_array *to,
                          const ga_array *stack) {
    GA_DEVICE(v->m->id);
    const ga_axis by = GA_AXIS(0);
    const bool b = stack->dtype == GA_BOOL;
    if (!to->size) return GA_OK;
    switch ((ga_comm_op)v->note.op) {
    case GA_COMM_SUM:
        return b ? (ga_any_into)(to, stack, by) : (ga_sum_into)(to, stack, by);
    case GA_COMM_PROD:
        return b ? (ga_all_into)(to, stack, by) : (ga_prod_into)(to, stack, by);
    case GA_COMM_MIN: return (ga_min_into)(to, stack, by);
    case GA_COMM_MAX: return (ga_max_into)(to, stack, by);
    default: return (ga_mean_into)(to, stack, by);
    }
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
   is the first, or where the shape is the root's to say.                     */
static ga_status ga__nccl_agree(ga__moving *v) {
    ga_comm *c = v->c;
    char why[400];
    const unsigned bit = 1u << v->note.what;
    ga__hall_tell(c, &v->note);
    const bool ask = v->note.what == GA__C_BROADCAST
                     || v->note.what == GA__C_SCATTER;
    if (!(c->nccl->met & bit) || ask || !c->hall) {
        c->nccl->met |= bit;
        return ga__comm_agree(v->fn, c, &v->note);
    }
    if (v->note.status) {
        snprintf(why, sizeof why, "its own call is wrong: %.300s",
                 v->note.text);
        ga__comm_broken(c, why);
        return (ga_status)v->note.status;
    }
    for (int i = 0; i < c->size; i++)
        if (ga__nccl_contradicts(c, i, &v->note, why, sizeof why))
            return ga__comm_break(v->fn, c, why);
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
    if (v->wants) {
        if (!ga__result_begin(&v->result, v->fn, v->d, v->out, v->made, v->ndim,
                              v->shape, v->t, &v->x, v->x ? 1 : 0, 0))
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
    ga_status st;
#ifndef GPUARR_NO_CUDA
    const ga_array *any = v->in ? v->in : v->to;
    if (any->size && ga__nccl_call(v, &st)) return st;
#endif
    if (GA__C_REDUCES(what))
        return ga__comm_reduce(v, what == GA__C_REDUCE ? v->note.root : -1,
                               what == GA__C_REDUCE_SCATTER);
    st = ga__comm_bytes(v);
    return st;
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
    int k = 0, notes, sends = 0;        /* in this order, the receipts last     */
    for (int i = 0; i < n && !st && !c->nccl; i++) {
        ga__queued *q = &c->queue[i];
        part[k++] = ga__parcel_of(q->peer, !q->out, q->out ? &told[i] : &q->note,
                                  sizeof q->note);
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
        return ga__fail(GA_ERR_VALUE, fn, "rank %d: there are 0 to %d, and this "
                        "is %d", peer, c->size - 1, c->rank);
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

#endif /* GPUARR_IMPLEMENTATION */
#endif /* GPUARR_COMM_H */
