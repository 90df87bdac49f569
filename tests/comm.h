/* comm.h - what every way of starting ranks must pass: test_comm.c runs it on
   threads and processes, comm_ranks.c under mpirun. Checks note a failure and
   print it, by rank; values come from plain loops over doubles.             */
#ifndef GPUARR_TEST_COMM_H
#define GPUARR_TEST_COMM_H
#include "test.h"
#include "gpuarr_comm.h"
#include <stdatomic.h>

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

/* The elements in C order, freed with the thread's next ones but 8. */
static const char *r_host(const ga_array *x) {
    static _Thread_local char *kept[8];
    static _Thread_local unsigned turn;
    char **p = &kept[turn++ % 8];
    *p = realloc(*p, x ? (size_t)x->size * ga_dtype_size(x->dtype) + 16 : 16);
    if (x && x->size) ga_asnumpy(x, *p);
    return *p;
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
    R_CHECK(y && y->size == n * size && y->ndim == (s.ndim ? s.ndim : 1));
    const char *h = r_host(y);
    for (int i = 0; y && i < size; i++)
        R_CHECK(r_elements(h, t, i * n, i, 0, n));
    R_CHECK(!ga_comm_gather(c, x, 0, &y));
    R_CHECK(!y == (rank != 0));
    h = r_host(y);
    for (int i = 0; y && i < size; i++)
        R_CHECK(r_elements(h, t, i * n, i, 0, n));
    if (rank + 1 < size) R_CHECK(!ga_comm_send(c, x, rank + 1));
    if (rank) {
        y = ga_comm_recv(c, s, t, rank - 1);
        R_CHECK(y && r_elements(r_host(y), t, 0, rank - 1, 0, n));
    }
    if (!cuts) return;
    y = ga_comm_scatter(c, rank == 0 ? x : NULL, 0);
    R_CHECK(y && y->size == part
            && r_elements(r_host(y), t, 0, 0, rank * part, part));
    y = ga_comm_alltoall(c, x);
    h = r_host(y);
    for (int i = 0; y && i < size; i++)
        R_CHECK(r_elements(h, t, i * part, i, rank * part, part));
    y = r_array(rank, s, t, layout);        /* in place */
    R_CHECK(!ga_comm_alltoall_into(c, y, y));
    h = r_host(y);
    for (int i = 0; i < size; i++)
        R_CHECK(r_elements(h, t, i * part, i, rank * part, part));
}

static ga_status r_collectives(ga_comm *c, void *arg) {
    const int n = ga_comm_size(c);
    (void)arg;
    for (int t = 0; t < GA_NUM_DTYPES; t++)
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

/* What does not fit is an error on every rank, and the next call goes well. */
static ga_status r_mismatches(ga_comm *c, void *arg) {
    GA_SCOPE;
    const int size = ga_comm_size(c), rank = ga_comm_rank(c);
    (void)arg;
    snprintf(r_about, sizeof r_about, "mismatches");
    ga_array *x = ga_ones(GA_SHAPE(4, 3), GA_FLOAT32);
    R_FAILS(ga_comm_broadcast(c, x, size), GA_ERR_VALUE, "root is ");
    R_FAILS(!ga_comm_send(c, x, rank), GA_ERR_VALUE, "rank ");
    R_FAILS(ga_comm_allreduce(c, x, (ga_comm_op)9), GA_ERR_VALUE,
            "9 is not a ga_comm_op");
    R_FAILS(ga_comm_allreduce(c, NULL, GA_COMM_SUM), GA_ERR_NULL, "NULL");
    if (size == 1) return GA_OK;
    if (ga_device() != GA_CPU && size <= ga_device_count())
        return r_device_mismatch(c);
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
    ga_array *y = ga_comm_allreduce(c, x, GA_COMM_SUM);
    R_CHECK(y && ga_item_at(y, GA_INDEX(3, 2)) == size);
    return GA_OK;
}
static const struct { const char *name; ga_status (*f)(ga_comm *, void *); }
r_checks[] = {{"collectives", r_collectives}, {"groups", r_groups},
              {"splits", r_splits}, {"mismatches", r_mismatches}};
#endif
