/* comm.h - what every way of starting ranks must pass: test_comm.c runs it on
   threads and processes, comm_ranks.c under mpirun. Checks note a failure and
   print it, by rank; values come from plain loops over doubles.             */
#ifndef GPUARR_TEST_COMM_H
#define GPUARR_TEST_COMM_H
#include "test.h"
#include "gpuarr_comm.h"
#include <stdatomic.h>
#include <unistd.h>

/* Of dtypes and the like. */
#define R_STEP (t_quick() ? 5 : 1)
static atomic_int r_bad;            /* checks that did not hold, all ranks  */
static _Thread_local char r_about[256];
static void r_fails(ga_comm *c, const char *file, int line, const char *what) {
    if (atomic_fetch_add(&r_bad, 1) < 20)
        fprintf(stderr, "rank %d of %d, %s: %s:%d: %s%s%s\n", ga_comm_rank(c),
                ga_comm_size(c), r_about, file, line, what,
                ga_error() ? ": " : "", ga_error_message());
    ga_clear_error();
}
#define R_CHECK(x) ((x) ? (void)0 : r_fails(c, __FILE__, __LINE__, #x))
/* The call fails with this status and words in its message. */
#define R_FAILS(call, status, words) do {                                   \
        bool failed_ = !(call);                                             \
        R_CHECK(failed_ && ga_error() == (status)                           \
                && strstr(ga_error_message(), words));                      \
        ga_clear_error();                                                   \
    } while (0)

/* Small whole numbers: sums and products of 5 ranks are exact everywhere. */
static double r_value(int rank, int64_t i, int part) {
    return part ? (double)((rank + 2 * i) % 2) : (double)((rank + i) % 3 + 1);
}
/* Rank's array, its elements counted from `first`, in one of the layouts. */
enum { R_PLAIN, R_TURNED, R_BACKWARDS, R_LAYOUTS };
static ga_array *r_array(int rank, ga_shape s, ga_dtype t, int layout) {
    int64_t n = 1;
    for (int i = 0; i < s.ndim; i++) n *= s.dim[i];
    char *host = malloc((size_t)n * ga_dtype_size(t) + 16);
    for (int64_t i = 0; i < n; i++)
        t_store(host, t, i, t == GA_BOOL ? r_value(rank, i, 1)
                                         : r_value(rank, i, 0),
                r_value(rank, i, 1));
    ga_array *x = ga_asarray_as(host, t, s);
    free(host);
    if (layout == R_TURNED && s.ndim > 1)
        return ga_transpose(ga_copy(ga_transpose(x, GA_ALL)), GA_ALL);
    if (layout == R_BACKWARDS && s.ndim > 0) {
        ga_shape more = s;
        more.dim[0] *= 2;
        ga_array *v = ga_slice(ga_zeros(more, t), "::-2");
        ga_assign(v, x);
        return v;
    }
    return x;
}
static void r_combine(ga_comm_op op, ga_dtype t, double a[2],
                      const double b[2]) {
    const bool less = b[0] < a[0] || (b[0] == a[0] && b[1] < a[1]);
    if (t == GA_BOOL) {
        if (op == GA_COMM_MEAN) a[0] += b[0];
        else if (op == GA_COMM_SUM || op == GA_COMM_MAX)
            a[0] = a[0] != 0 || b[0] != 0;
        else a[0] = a[0] != 0 && b[0] != 0;
        return;
    }
    switch (op) {
    case GA_COMM_PROD: {
        double re = a[0] * b[0] - a[1] * b[1];
        a[1] = a[0] * b[1] + a[1] * b[0];
        a[0] = re;
        break;
    }
    case GA_COMM_MIN: if (less) a[0] = b[0], a[1] = b[1]; break;
    case GA_COMM_MAX: if (!less) a[0] = b[0], a[1] = b[1]; break;
    default: a[0] += b[0], a[1] += b[1];
    }
}
static ga_dtype r_reduced(ga_dtype t, ga_comm_op op) {
    return op == GA_COMM_MEAN && (t_is_int(t) || t == GA_BOOL) ? GA_FLOAT64 : t;
}
/* Elements first .. first + n-1 of the reduction over all ranks. */
static bool r_reduction(ga_comm *c, const ga_array *got, ga_dtype t,
                        ga_comm_op op, int64_t first, int64_t n) {
    const ga_dtype r = r_reduced(t, op);
    if (!got || got->dtype != r || got->size != n) return false;
    const int size = ga_comm_size(c);
    char *g = malloc((size_t)n * ga_dtype_size(r) + 16);
    char *w = malloc((size_t)n * ga_dtype_size(r) + 16);
    bool ok = !n || ga_asnumpy(got, g);
    for (int64_t i = 0; i < n && ok; i++) {
        double v[2] = {0, 0};
        for (int k = 0; k < size; k++) {
            double b[2] = {r_value(k, first + i, t == GA_BOOL),
                           t_is_complex(t) ? r_value(k, first + i, 1) : 0};
            if (k) r_combine(op, t, v, b);
            else v[0] = b[0], v[1] = b[1];
        }
        if (op == GA_COMM_MEAN) v[0] /= size, v[1] /= size;
        t_store(w, r, i, v[0], v[1]);
        ok = t_distance(g, w, r, i) <= (op == GA_COMM_MEAN ? 1 : 0);
    }
    free(g);
    free(w);
    return ok;
}
/* Elements of `from`'s array, from `first` on. */
static bool r_elements(const void *host, ga_dtype t, int64_t at, int from,
                       int64_t first, int64_t n) {
    char w[16];
    for (int64_t i = 0; i < n; i++) {
        t_store(w, t, 0, r_value(from, first + i, t == GA_BOOL),
                r_value(from, first + i, 1));
        if (memcmp((const char *)host + (size_t)(at + i) * ga_dtype_size(t), w,
                   ga_dtype_size(t))) return false;
    }
    return true;
}

/* The elements in C order, until the thread's eighth next ones, or r_call's end. */
static _Thread_local char *r_kept[8];
static const char *r_host(const ga_array *x) {
    static _Thread_local unsigned turn;
    char **p = &r_kept[turn++ % 8];
    *p = realloc(*p, x ? (size_t)x->size * ga_dtype_size(x->dtype) + 16 : 16);
    if (x && x->size) ga_asnumpy(x, *p);
    return *p;
}

/* y has n elements of each rank's array, from `first` on, one rank's after
   another's.                                                                */
static void r_parts(ga_comm *c, const ga_array *y, ga_dtype t, int64_t first,
                    int64_t n) {
    const int size = ga_comm_size(c);
    R_CHECK(y && y->size == n * size);
    const char *h = r_host(y);
    for (int i = 0; y && i < size; i++)
        R_CHECK(r_elements(h, t, i * n, i, first, n));
}

/* One dtype, shape and layout through everything. */
static void r_all(ga_comm *c, ga_shape s, ga_dtype t, int layout) {
    GA_SCOPE;
    const int size = ga_comm_size(c), rank = ga_comm_rank(c);
    const bool cuts = s.ndim > 0;
    snprintf(r_about, sizeof r_about, "%s, rank %d, (%lld, ...), layout %d",
             ga_dtype_name(t), s.ndim, (long long)s.dim[0], layout);
    ga_array *x = r_array(rank, s, t, layout), *y;
    const int64_t n = x->size, part = cuts ? n / size : 0;
    for (int o = GA_COMM_SUM; o <= GA_COMM_MEAN; o++) {
        GA_SCOPE;
        const ga_comm_op op = (ga_comm_op)o;
        const int root = o % size;
        R_CHECK(r_reduction(c, ga_comm_allreduce(c, x, op), t, op, 0, n));
        ga_array *out = r_array(rank, s, r_reduced(t, op), layout);
        R_CHECK(!ga_comm_allreduce_into(c, out, x, op));
        R_CHECK(r_reduction(c, out, t, op, 0, n));
        if (r_reduced(t, op) == t) {        /* in place */
            out = r_array(rank, s, t, layout);
            R_CHECK(!ga_comm_allreduce_into(c, out, out, op));
            R_CHECK(r_reduction(c, out, t, op, 0, n));
        }
        R_CHECK(!ga_comm_reduce(c, x, op, root, &y));
        R_CHECK(rank == root ? r_reduction(c, y, t, op, 0, n) : !y);
        if (!cuts) continue;
        y = ga_comm_reduce_scatter(c, x, op);
        R_CHECK(r_reduction(c, y, t, op, rank * part, part));
    }
    const int root = size - 1;
    y = ga_comm_broadcast(c, rank == root ? x : NULL, root);
    R_CHECK(y && y->ndim == s.ndim && y->size == n
            && r_elements(r_host(y), t, 0, root, 0, n));
    y = ga_comm_allgather(c, x);
    R_CHECK(y && y->ndim == (s.ndim ? s.ndim : 1));
    r_parts(c, y, t, 0, n);
    R_CHECK(!ga_comm_gather(c, x, 0, &y) && !y == (rank != 0));
    if (y) r_parts(c, y, t, 0, n);
    if (rank + 1 < size) R_CHECK(!ga_comm_send(c, x, rank + 1));
    if (rank) {
        y = ga_comm_recv(c, s, t, rank - 1);
        R_CHECK(y && r_elements(r_host(y), t, 0, rank - 1, 0, n));
    }
    if (!cuts) return;
    y = ga_comm_scatter(c, rank == 0 ? x : NULL, 0);
    R_CHECK(y && y->size == part
            && r_elements(r_host(y), t, 0, 0, rank * part, part));
    r_parts(c, ga_comm_alltoall(c, x), t, rank * part, part);
    y = r_array(rank, s, t, layout);        /* in place */
    R_CHECK(!ga_comm_alltoall_into(c, y, y));
    r_parts(c, y, t, rank * part, part);
}

static ga_status r_collectives(ga_comm *c, void *arg) {
    const int n = ga_comm_size(c);
    (void)arg;
    for (int t = 0; t < GA_NUM_DTYPES; t += R_STEP)
        for (int layout = 0; layout < R_LAYOUTS; layout++)
            r_all(c, GA_SHAPE(2 * n, 3), (ga_dtype)t, layout);
    r_all(c, GA_SCALAR_SHAPE, GA_FLOAT32, R_PLAIN);
    r_all(c, GA_SHAPE(0, 5), GA_FLOAT64, R_PLAIN);
    r_all(c, GA_SHAPE(n, 2, 0), GA_INT16, R_PLAIN);
    r_all(c, GA_SHAPE(n, 2, 1, 1, 2, 1, 3, 1), GA_COMPLEX64, R_TURNED);
    r_all(c, GA_SHAPE(n, 40001), GA_FLOAT32, R_PLAIN);  /* beyond a channel */
    r_all(c, GA_SHAPE(n, 4001), GA_INT64, R_BACKWARDS);
    return GA_OK;
}

/* Neighbours exchange, both at once, twice; a broadcast operand. */
static ga_status r_groups(ga_comm *c, void *arg) {
    GA_SCOPE;
    const int size = ga_comm_size(c), rank = ga_comm_rank(c);
    (void)arg;
    snprintf(r_about, sizeof r_about, "groups");
    if (size > 1) {
        const int next = (rank + 1) % size, before = (rank + size - 1) % size;
        ga_array *x = ga_full(GA_SHAPE(30000), rank, GA_INT32);
        ga_array *y = ga_full(GA_SHAPE(2), 10 * rank, GA_FLOAT64);
        R_CHECK(!ga_comm_group_begin(c));
        R_CHECK(!ga_comm_send(c, x, next));
        R_CHECK(!ga_comm_send(c, y, next));
        ga_array *a = ga_comm_recv(c, GA_SHAPE(30000), GA_INT32, before);
        ga_array *b = ga_comm_recv(c, GA_SHAPE(2), GA_FLOAT64, before);
        R_CHECK(!ga_comm_group_end(c));
        R_CHECK(a && ga_item_at(a, GA_INDEX(29999)) == before);
        R_CHECK(b && ga_item_at(b, GA_INDEX(1)) == 10 * before);
    }
    ga_array *wide = ga_broadcast_to(ga_full(GA_SHAPE(1), 2, GA_FLOAT32),
                                     GA_SHAPE(3, 5));
    ga_array *s = ga_comm_allreduce(c, wide, GA_COMM_SUM);
    R_CHECK(s && ga_item(ga_sum(s, GA_ALL)) == 30.0 * size);
    R_CHECK(!ga_comm_barrier(c));
    return GA_OK;
}

/* Even and odd ranks by themselves, the order turned round; one has none. */
static ga_status r_splits(ga_comm *c, void *arg) {
    GA_SCOPE;
    const int size = ga_comm_size(c), rank = ga_comm_rank(c);
    (void)arg;
    snprintf(r_about, sizeof r_about, "splits");
    ga_comm *half = ga_comm_split(c, rank % 2, -rank);
    const int n = (size + 1 - rank % 2) / 2;
    R_CHECK(half && ga_comm_size(half) == n
            && ga_comm_rank(half) == n - 1 - rank / 2);
    ga_array *x = ga_full(GA_SHAPE(3), rank, GA_INT64);
    ga_array *y = ga_comm_allreduce(half, x, GA_COMM_SUM);
    int64_t want = 0;
    for (int i = rank % 2; i < size; i += 2) want += i;
    R_CHECK(y && ga_item_at(y, GA_INDEX(2)) == (double)want);
    y = ga_comm_allreduce(c, x, GA_COMM_MAX);       /* both are of use      */
    R_CHECK(y && ga_item_at(y, GA_INDEX(0)) == size - 1);
    ga_comm_free(half);
    ga_comm *most = ga_comm_split(c, rank ? 7 : -1, 0);
    R_CHECK(!most == !rank && !ga_error());
    if (most) R_CHECK(!ga_comm_barrier(most) && ga_comm_size(most) == size - 1);
    ga_comm_free(most);
    return GA_OK;
}

/* Each rank has a GPU of its own, and may use NCCL. */
static bool r_by_nccl(ga_comm *c) {
    const char *way = getenv("GPUARR_COMM");
    const int32_t *of, mine = ga_device();
    if (mine == GA_CPU || (way && !strcmp(way, "host"))) return false;
    of = (const int32_t *)r_host(ga_comm_allgather(c,
        ga_asarray_as(&mine, GA_INT32, GA_SHAPE(1))));
    for (int i = 0; i < ga_comm_size(c); i++)
        for (int k = 0; k < i; k++) if (of[i] == of[k]) return false;
    return true;
}
/* With a GPU for each rank calls are queued: the error comes to all, at the call
   or when they wait, and is the communicator's end.                         */
static ga_status r_device_mismatch(ga_comm *c) {
    const bool last = ga_comm_rank(c) == ga_comm_size(c) - 1;
    ga_array *x = ga_ones(GA_SHAPE(4, 3), GA_FLOAT32);
    ga_array *y = ga_comm_allreduce(c, x, GA_COMM_SUM);
    R_CHECK(y && ga_item_at(y, GA_INDEX(3, 2)) == ga_comm_size(c));
    ga_comm_allreduce(c, last ? ga_ravel(x) : x, GA_COMM_SUM);
    ga_synchronize();
    R_CHECK(ga_error() == GA_ERR_COMM);
    ga_clear_error();
    R_FAILS(ga_comm_allreduce(c, x, GA_COMM_SUM), GA_ERR_COMM, "has failed");
    return GA_OK;
}

/* y[i] = x[i-1] + 2*x[i] - x[i+2], and how often f was called. */
static ga_status r_fill_stencil(ga_array *out, const ga_array *in, void *arg) {
    ++*(int *)arg;
    if (in->shape[0] != out->shape[0] + 3) return GA_ERR_SHAPE;
    return GA_EVAL_SET("v = u[:-3] + 2*u[1:-2] - u[3:]", (u, in), (v, out));
}
/* What does not fit is an error on every rank, and the next call goes well; with
   a GPU for each rank in calls that wait for all: arg says that there have been
   none before, the first of each kind does.                                 */
static ga_status r_mismatches(ga_comm *c, void *arg) {
    GA_SCOPE;
    const int size = ga_comm_size(c), rank = ga_comm_rank(c);
    snprintf(r_about, sizeof r_about, "mismatches");
    ga_array *x = ga_ones(GA_SHAPE(4, 3), GA_FLOAT32);
    R_FAILS(ga_comm_broadcast(c, x, size), GA_ERR_VALUE, "root is ");
    R_FAILS(!ga_comm_send(c, x, rank), GA_ERR_VALUE, "rank ");
    R_FAILS(ga_comm_allreduce(c, x, (ga_comm_op)9), GA_ERR_VALUE,
            "9 is not a ga_comm_op");
    R_FAILS(ga_comm_allreduce(c, NULL, GA_COMM_SUM), GA_ERR_NULL, "NULL");
    if (size == 1) return GA_OK;
    if (!arg && r_by_nccl(c)) return r_device_mismatch(c);
    R_FAILS(ga_comm_scatter(c, ga_ones(GA_SHAPE(size + 1, 2), GA_INT8), 0),
            GA_ERR_SHAPE, "equal parts");
    const bool last = rank == size - 1;
    char words[160];
    snprintf(words, sizeof words, "rank 0 calls ga_comm_allreduce of float32 "
             "(4,3) by GA_COMM_SUM, rank %d ga_comm_allreduce of float32 (3,4) "
             "by GA_COMM_SUM", size - 1);
    R_FAILS(ga_comm_allreduce(c, last ? ga_transpose(x, GA_ALL) : x,
                              GA_COMM_SUM), GA_ERR_SHAPE, words);
    R_FAILS(ga_comm_allreduce(c, last ? ga_astype(x, GA_INT8) : x,
                              GA_COMM_SUM), GA_ERR_DTYPE, "of int8 (4,3)");
    R_FAILS(ga_comm_allreduce(c, x, last ? GA_COMM_MAX : GA_COMM_SUM),
            GA_ERR_VALUE, "by GA_COMM_MAX");
    R_FAILS(ga_comm_broadcast(c, x, last), GA_ERR_VALUE, "from rank 1");
    R_FAILS(last ? ga_comm_allgather(c, x)
                 : ga_comm_allreduce(c, x, GA_COMM_SUM), GA_ERR_COMM,
            "ga_comm_allgather of float32 (4,3)");
    /* one rank's own mistake */
    R_FAILS(ga_comm_allreduce(c, last ? NULL : x, GA_COMM_SUM), GA_ERR_NULL,
            "an array argument is NULL");
    ga_array *wrong = ga_zeros(GA_SHAPE(last ? 5 : 4, 3), GA_FLOAT32);
    R_FAILS(!ga_comm_allreduce_into(c, wrong, x, GA_COMM_SUM), GA_ERR_SHAPE,
            "the output has shape (5,3), the result (4,3)");
    R_CHECK(ga_item(ga_sum(wrong, GA_ALL)) == 0);
    int calls = 0;
    ga_dist *u = ga_dist_zeros(c, GA_SHAPE(4 * size, 2), GA_FLOAT32);
    ga_dist *v = ga_dist_zeros(c, GA_SHAPE(4 * size, 2), GA_FLOAT32);
    R_FAILS(!ga_dist_map_overlap(v, u, 1, 2, false, last ? NULL
                                 : r_fill_stencil, &calls), GA_ERR_NULL,
            "the function is NULL");
    R_FAILS(ga_dist_halo(u, 1, last ? 2 : 1, true), GA_ERR_COMM, "rank 0 calls "
            "ga_dist_halo by 1 and 1 rows, which wrap, of float32 (");
    ga_array *none;
    R_FAILS(!ga_dist_gather(u, last, &none), GA_ERR_COMM,
            "ga_dist_gather to rank 1 of float32");
    R_CHECK(!calls);
    ga_array *y = ga_comm_allreduce(c, x, GA_COMM_SUM);
    R_CHECK(y && ga_item_at(y, GA_INDEX(3, 2)) == size);
    return r_by_nccl(c) ? r_device_mismatch(c) : GA_OK;
}
/* ------------------------------------------------------ distributed arrays
   The whole is made on every rank by the plain functions; what lies on the
   ranks together must be that.                                              */
static bool r_same(ga_comm *c, ga_dist *x, const ga_array *want, double near) {
    GA_SCOPE;
    const int64_t n = want ? want->shape[0] : 0;
    ga_array *all = x ? ga_dist_allgather(x) : NULL;
    if (!all || all->ndim != want->ndim || all->dtype != want->dtype
        || x->local->shape[0] < n / ga_comm_size(c)
        || x->local->shape[0] > n / ga_comm_size(c) + 1) return false;
    for (int i = 0; i < want->ndim; i++)
        if (all->shape[i] != want->shape[i]) return false;
    const char *g = r_host(all), *w = r_host(want);
    for (int64_t i = 0; i < all->size; i++) {
        if (t_equal(g, w, all->dtype, i)) continue;
        double d = fabs(t_value(g, all->dtype, i, 0)
                        - t_value(w, all->dtype, i, 0));
        if (!(d <= near)) return false;
    }
    return true;
}
static bool r_close(const ga_array *x, const ga_array *want, double near) {
    if (!x || !want || x->dtype != want->dtype || x->ndim != want->ndim
        || x->size != want->size) return false;
    const char *g = r_host(x), *w = r_host(want);
    for (int64_t i = 0; i < x->size; i++)
        if (!t_equal(g, w, x->dtype, i)
            && !(fabs(t_value(g, x->dtype, i, 0) - t_value(w, x->dtype, i, 0))
                 <= near)) return false;
    return true;
}
static ga_status r_fill_poisson(ga_array *out, void *arg) {
    return ga_random_poisson_into(out, *(double *)arg);
}
static ga_status r_random(ga_comm *c, void *arg) {
    (void)arg;
    snprintf(r_about, sizeof r_about, "random");
    for (int64_t rows = t_quick() ? 8 : 0; rows < 30; rows += 7 * R_STEP)
        for (int64_t cols = 1; cols < 6000; cols = 7 * cols + 2) {
            GA_SCOPE;
            ga_rng *g = ga_rng_create(GA_PHILOX, 42);
            R_CHECK(!ga_comm_seed(c, 42));
            GA_RNG(g);
            double lam = 3.5;
            const ga_shape s = GA_SHAPE(rows, cols);
            R_CHECK(r_same(c, ga_dist_random(c, s, GA_FLOAT32),
                           ga_random_random(s, GA_FLOAT32), 0));
            R_CHECK(r_same(c, ga_dist_draw(c, s, GA_INT64, r_fill_poisson, &lam),
                           ga_random_poisson(lam, s, GA_INT64), 0));
            R_CHECK(r_same(c, ga_dist_standard_normal(c, s, GA_FLOAT64),
                           ga_random_standard_normal(s, GA_FLOAT64), 0));
            R_CHECK(r_same(c, ga_dist_random(c, s, GA_FLOAT16),
                           ga_random_random(s, GA_FLOAT16), 0));
            ga_rng_destroy(g);
        }
    return GA_OK;
}
/* Reductions of (rows, 3) of a dtype. */
static void r_reductions(ga_comm *c, int64_t rows, ga_dtype t) {
    GA_SCOPE;
    snprintf(r_about, sizeof r_about, "reductions of %lld rows, %s",
             (long long)rows, ga_dtype_name(t));
    ga_array *w = r_array(2, GA_SHAPE(rows, 3), t, R_PLAIN);
    ga_dist *x = ga_dist_scatter(c, ga_comm_rank(c) ? NULL : w, 0);
    R_CHECK(r_same(c, x, w, 0));
    const ga_axis axes[] = {GA_ALL, GA_AXIS(0), GA_AXIS_KEEP(0), GA_AXIS(0, 1)};
    for (int i = 0; i < 4; i++) {
        GA_SCOPE;
        const ga_axis a = axes[i];
        const double near = t >= GA_FLOAT16 ? 1e-2 : 0;
#define R_SAME(f) R_CHECK(r_close(ga_dist_##f(x, a), (ga_##f)(w, a), near))
        R_SAME(sum);
        R_SAME(mean);
        R_SAME(all);
        R_SAME(any);
        R_SAME(count_nonzero);
        if (!rows) continue;
        R_SAME(max);
        R_SAME(min);
        if (t_is_complex(t)) continue;
        R_CHECK(r_close(ga_dist_var(x, a, 1), ga_var(w, a, 1), 1e-2)
                || rows == 1);
        R_CHECK(r_close(ga_dist_std(x, a, 0), ga_std(w, a, 0), 1e-2));
#undef R_SAME
    }
    R_FAILS(ga_dist_sum(x, GA_AXIS(1)), GA_ERR_AXIS, "ga_dist_like");
    if (!rows) R_FAILS(ga_dist_max(x, GA_AXIS(0)), GA_ERR_EMPTY, "");
}
static ga_status r_fill_fails(ga_array *out, const ga_array *in, void *arg) {
    (void)in, (void)arg;
    return ga_reshape(out, GA_SHAPE(-1, 7919)) ? GA_OK : ga_error();
}
static void r_stencil(ga_comm *c, ga_dist *x, const ga_array *a,
                      bool wrap) {
    GA_SCOPE;
    const int64_t n = a->shape[0];
    int calls = 0;
    ga_array *way = ga_arange(-1, n + 2, 1);
    way = wrap ? ga_remainder(way, n) : ga_clip(way, 0, n - 1);
    ga_array *u = ga_take(a, way, GA_AXIS(0), 0), *want = ga_full_like(a, -5);
    GA_EVAL_SET("v = u[:-3] + 2*u[1:-2] - u[3:]", u, (v, want));
    if (!wrap) {
        ga_assign(ga_slice(want, ":1"), -5);
        ga_assign(ga_slice(want, "-2:"), -5);
    }
    ga_dist *y = ga_dist_like(x, ga_full_like(x->local, -5));
    R_CHECK(!ga_dist_map_overlap(y, x, 1, 2, wrap, r_fill_stencil, &calls));
    R_CHECK(r_same(c, y, want, 1e-15) && calls <= 3);
    R_FAILS(!ga_dist_map_overlap(x, x, 1, 2, wrap, r_fill_stencil, &calls),
            GA_ERR_VALUE, "memory of their own");
    if (n / ga_comm_size(c) > 2)    /* else there may be nothing to do here */
        R_FAILS(!ga_dist_map_overlap(y, x, 1, 2, wrap, r_fill_fails, NULL),
                GA_ERR_SHAPE, "7919");
}
static ga_status r_dist(ga_comm *c, void *arg) {
    const int size = ga_comm_size(c), rank = ga_comm_rank(c);
    (void)arg;
    for (int t = 0; t < GA_NUM_DTYPES; t += R_STEP)
        r_reductions(c, t_quick() ? 8 : 7, (ga_dtype)t);
    for (int64_t rows = 0; rows < 4; rows++) r_reductions(c, rows, GA_FLOAT32);
    r_reductions(c, 1001, GA_FLOAT64);
    for (int64_t n = 1; n < 60; n = 4 * n + 1) {
        GA_SCOPE;
        snprintf(r_about, sizeof r_about, "distributed, %lld", (long long)n);
        ga_rng *g = ga_rng_create(GA_PHILOX, 7);
        GA_RNG(g);
        ga_array *a = ga_random_random(GA_SHAPE(n, 12), GA_FLOAT64);
        ga_array *b = ga_random_random(GA_SHAPE(12, 5), GA_FLOAT64);
        ga_array *v = ga_random_random(GA_SHAPE(n), GA_FLOAT32);
        ga_rng_destroy(g);
        const int root = size - 1;
        ga_dist *x = ga_dist_scatter(c, rank == root ? a : NULL, root);
        ga_dist *y = ga_dist_scatter(c, rank == 0 ? b : NULL, 0);
        ga_dist *z = ga_dist_scatter(c, rank == 0 ? v : NULL, 0);
        R_CHECK(r_same(c, x, a, 0) && r_same(c, y, b, 0));
        R_CHECK(r_same(c, ga_dist_arange(c, n, GA_INT32),
                       ga_arange_as(0, n, 1, GA_INT32), 0));
        R_CHECK(r_same(c, ga_dist_zeros(c, GA_SHAPE(n, 2), GA_COMPLEX64),
                       ga_zeros(GA_SHAPE(n, 2), GA_COMPLEX64), 0));
        ga_array *w = NULL;
        R_CHECK(!ga_dist_gather(x, root, &w) && !w == (rank != root));
        if (w) R_CHECK(r_close(w, a, 0));
        /* rows of very different numbers become even */
        ga_array *mine = ga_slice(a, "%d:%d", rank == 0 ? 0 : (int)n / 2,
                                  rank == 0 ? (int)n / 2 : rank == size - 1
                                  ? (int)n : (int)n / 2);
        if (size > 1) R_CHECK(r_same(c, ga_dist_of(c, mine), a, 0));
        /* element-wise: a row, a scalar array, numbers */
        ga_array *row = ga_index_axis(b, 1, 0), *s = ga_sum(b, GA_ALL);
        double f = 0.25;
        R_CHECK(r_same(c, GA_DIST_EVAL(cos(x)*row + s - f, x, row, s, f),
                       GA_EVAL(cos(a)*row + s - f, a, row, s, f), 0));
        R_FAILS(GA_DIST_EVAL(x + z, x, z), GA_ERR_SHAPE, "rank 2");
        if (n > 1)
            R_FAILS(GA_DIST_EVAL(x + a, x, a), GA_ERR_SHAPE, "operand 2");
        /* products */
        R_CHECK(r_same(c, ga_dist_matmul_whole(x, b), ga_matmul(a, b), 1e-12));
        R_CHECK(r_same(c, ga_dist_matmul(x, y), ga_matmul(a, b), 1e-12));
        R_CHECK(r_same(c, ga_dist_whole_matmul(a, y), ga_matmul(a, b), 1e-12));
        R_CHECK(r_close(ga_dist_inner(x, x), ga_matmul(ga_transpose(a, GA_ALL),
                                                       a), 1e-12));
        R_CHECK(r_close(ga_dist_inner(z, z), ga_matmul(v, v), 1e-4));
        if (n != 5)
            R_FAILS(ga_dist_matmul(y, x), GA_ERR_SHAPE, "lengths 5");
        /* other places */
        R_CHECK(r_same(c, ga_dist_transpose(x), ga_copy(ga_transpose(a, GA_ALL)),
                       0));
        R_CHECK(r_same(c, ga_dist_rows(x, 1, -1), n > 1 ? ga_slice(a, "1:-1")
                       : ga_slice(a, ":0"), 0));
        const ga_dist *list[] = {x, x, x};
        R_CHECK(r_same(c, ga_dist_concatenate(3, list),
                       ga_concatenate(0, a, a, a), 0));
        R_CHECK(r_same(c, ga_dist_sort(z), ga_sort(v, GA_AXIS(0), 0), 0));
        for (int wrap = 0; wrap < 2; wrap++) {
            if (n / size < 2) {
                R_FAILS(ga_dist_halo(x, 1, 2, wrap), GA_ERR_SHAPE, "neighbour");
                continue;
            }
            ga_array *h = ga_dist_halo(x, 1, 2, wrap);
            ga_array *way = ga_arange(0, n, 1), *rolled;
            int64_t from = x->first - 1, to = x->first + x->local->shape[0] + 2;
            if (!wrap && from < 0) from = 0;
            if (!wrap && to > n) to = n;
            way = ga_remainder(ga_arange(from, to, 1), n);
            rolled = ga_take(a, way, GA_AXIS(0), 0);
            R_CHECK(r_close(h, rolled, 0));
            r_stencil(c, x, a, wrap);
        }
    }
    return GA_OK;
}
/* Sorting: many equal, NaN, every number of them. */
static ga_status r_sorting(ga_comm *c, void *arg) {
    (void)arg;
    snprintf(r_about, sizeof r_about, "sorting");
    for (int64_t n = 0; n < 3000; n = 3 * n + 4) {
        GA_SCOPE;
        ga_rng *g = ga_rng_create(GA_PHILOX, 3);
        GA_RNG(g);
        ga_array *few = ga_random_integers(0, 3, GA_SHAPE(n), t_quick()
                                           ? GA_INT32 : GA_INT16);
        ga_array *many = ga_random_normal(0, 1, GA_SHAPE(n), GA_FLOAT32);
        ga_rng_destroy(g);
        many = GA_EVAL(few == 1 ? nan : many, few, many);
        const bool first = ga_comm_rank(c) == 0;
        ga_dist *x = ga_dist_scatter(c, first ? few : NULL, 0);
        ga_dist *y = ga_dist_scatter(c, first ? many : NULL, 0);
        R_CHECK(r_same(c, ga_dist_sort(x), ga_sort(few, GA_AXIS(0), 0), 0));
        R_CHECK(r_same(c, ga_dist_sort(y), ga_sort(many, GA_AXIS(0), 0), 0));
    }
    return GA_OK;
}
static ga_status r_files(ga_comm *c, void *arg) {
    (void)arg;
    GA_SCOPE;
    char path[128];
    snprintf(r_about, sizeof r_about, "files");
    snprintf(path, sizeof path, "/tmp/gpuarr-test-dist-%d-%s.npy",
             ga_comm_size(c), getenv("T_NAME") ? getenv("T_NAME") : "");
    const ga_shape shapes[] = {GA_SHAPE(17, 3), GA_SHAPE(0, 3), GA_SHAPE(5),
                               GA_SHAPE(2, 1000, 700)};
    for (int i = 0; i < 4; i++) {
        ga_array *w = r_array(1, shapes[i], GA_COMPLEX64, R_PLAIN);
        ga_dist *x = ga_dist_scatter(c, ga_comm_rank(c) ? NULL : w, 0);
        R_CHECK(!ga_dist_save_npy(path, x));
        R_CHECK(r_close(ga_load_npy(path), w, 0));
        R_CHECK(!ga_comm_barrier(c));
        R_CHECK(r_same(c, ga_dist_load_npy(c, path), w, 0));
        R_CHECK(!ga_comm_barrier(c));
    }
    if (ga_comm_rank(c) == 0) remove(path);
    R_FAILS(ga_dist_load_npy(c, "/no/such.npy"), GA_ERR_FILE_OPEN, "/no/such");
    R_FAILS(!ga_dist_save_npy("/no/such/x.npy", ga_dist_arange(c, 3, GA_INT8)),
            GA_ERR_FILE_OPEN, "/no/such/x.npy");
    return GA_OK;
}
/* Processes of one machine divide its cores, unless OMP_NUM_THREADS is set. */
static GA__UNUSED bool r_shares_cores(const ga_comm *c) {
    ga_device_properties p;
    const long each = sysconf(_SC_NPROCESSORS_ONLN) / ga_comm_size(c);
    if (ga_device() != GA_CPU || getenv("OMP_NUM_THREADS")) return true;
    if (ga_device_info(GA_CPU, &p)) return false;
    if (p.multiprocessors == (each > 1 ? each : 1)) return true;
    fprintf(stderr, "rank %d of %d: %d threads, %ld are its share\n",
            ga_comm_rank(c), ga_comm_size(c), p.multiprocessors, each);
    return false;
}
typedef struct r_work {
    ga_status (*f)(ga_comm *, void *);
    void *arg;
} r_work;
static GA__UNUSED ga_status r_call(ga_comm *c, void *arg) {
    const r_work *w = arg;
    ga_status st = w->f(c, w->arg);
    for (int i = 0; i < 8; i++) {
        free(r_kept[i]);
        r_kept[i] = NULL;
    }
    return st;
}
static const struct { const char *name; ga_status (*f)(ga_comm *, void *); }
r_checks[] = {{"collectives", r_collectives}, {"groups", r_groups},
              {"splits", r_splits}, {"random", r_random}, {"dist", r_dist},
              {"sorting", r_sorting}, {"files", r_files},
              {"mismatches", r_mismatches}};
#endif
