/* Threads: what is each thread's own, and what they may share. Run under
   ThreadSanitizer too (a CPU build without OpenMP).                        */
#define _POSIX_C_SOURCE 200809L
#include "test.h"
#include "child.h"

#include <pthread.h>
#include <stdatomic.h>

#define N 8
#define MOST 16
/* The checks of test.h are the main thread's; others count what was wrong. */
typedef struct worker {
    pthread_t id;
    int index;
    int bad;
    char why[300];
    void *arg;
} worker;
static void wrong(worker *w, int line, const char *what) {
    if (!w->bad++)
        snprintf(w->why, sizeof w->why, "thread %d, line %d: %.100s (%.100s)",
                 w->index, line, what, ga_error_message());
}
#define W_CHECK(w, c) ((c) ? (void)0 : wrong(w, __LINE__, #c))

static pthread_barrier_t start;
static void together(int n, void *(*f)(void *), void *arg) {
    worker w[MOST];
    assert_int_equal(pthread_barrier_init(&start, NULL, (unsigned)n), 0);
    for (int i = 0; i < n; i++) {
        memset(&w[i], 0, sizeof w[i]);
        w[i].index = i;
        w[i].arg = arg;
        assert_int_equal(pthread_create(&w[i].id, NULL, f, &w[i]), 0);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(w[i].id, NULL);
        T_CHECKF(!w[i].bad, "%d times: %s", w[i].bad, w[i].why);
    }
    pthread_barrier_destroy(&start);
}
static int rounds(int n) { return t_quick() ? n / 10 : n; }

/* ----------------------------------------------------- a thread's own state */
static void *sees_nothing(void *arg) {
    worker *w = (worker *)arg;
    W_CHECK(w, ga_error() == GA_OK);
    W_CHECK(w, !strcmp(ga_error_message(), ""));
    W_CHECK(w, ga_stream_current() == NULL);
    W_CHECK(w, ga_device() == *(int *)w->arg);
    W_CHECK(w, ga_get_print_options().precision == 8);
    ga_array *x = ga_zeros(GA_SHAPE(3), GA_INT8);   /* in no scope          */
    W_CHECK(w, x && !x->ga__scope);
    ga_free(x);
    ga_slice(NULL, ":");                            /* an error of its own  */
    W_CHECK(w, ga_error() == GA_ERR_NULL);
    return NULL;
}
TEST(state_is_per_thread) {
    int device = ga_device();
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(3), GA_FLOAT32);
    ga_stream *s = ga_stream_create(0);
    {
        GA_STREAM(s);
        ga_print_options o = ga_get_print_options();
        o.precision = 3;
        ga_set_print_options(o);
        ga_slice(x, "9");
        together(2, sees_nothing, &device);
        T_CHECK(ga_stream_current() == s);
        T_CHECK(ga_error() == GA_ERR_INDEX);
        T_CHECK(ga_get_print_options().precision == 3);
        o.precision = 8;
        ga_set_print_options(o);
    }
    T_ERROR(GA_ERR_INDEX);
    ga_stream_destroy(s);
}

static void *sets_its_device(void *arg) {
    worker *w = (worker *)arg;
    int mine = w->index % 2 ? 0 : GA_CPU;
    for (int i = 0; i < rounds(100); i++) {
        GA_SCOPE;
        GA_DEVICE(mine);
        W_CHECK(w, ga_device() == mine);
        ga_array *x = ga_ones(GA_SHAPE(10), GA_FLOAT32);
        W_CHECK(w, x && x->device == mine);
        W_CHECK(w, ga_item(ga_sum(x, GA_ALL)) == 10);
    }
    return NULL;
}
TEST(devices_are_per_thread) {
    if (!ga_device_count()) {
        print_message("    skipped: no GPU\n");
        skip();
    }
    int here = ga_device();
    together(N, sets_its_device, NULL);
    T_CHECK(ga_device() == here);
}

/* ------------------------------------------------------------ shared reads */
static void *reads(void *arg) {
    worker *w = (worker *)arg;
    const ga_array *x = (const ga_array *)w->arg;
    pthread_barrier_wait(&start);
    for (int i = 0; i < rounds(300); i++) {
        GA_SCOPE;
        ga_array *a = ga_slice(x, "%d", (i + w->index) % 100);
        ga_array *b = ga_transpose(ga_view(x), GA_ALL);
        W_CHECK(w, ga_item_at(a, GA_INDEX(3))
                   == ((i + w->index) % 100) * 100 + 3);
        W_CHECK(w, ga_item_at(b, GA_INDEX(3, 50)) == 5003);
        if (i % 10 == 0) {
            W_CHECK(w, ga_item(ga_sum(x, GA_ALL)) == 49995000);
            W_CHECK(w, ga_item(ga_max(ga_mul(x, 2), GA_ALL)) == 19998);
            double *h = (double *)ga_asnumpy(b, NULL);
            W_CHECK(w, h && h[1] == 100);
            free(h);
        }
        ga_free(a);
    }
    W_CHECK(w, ga_error() == GA_OK);
    return NULL;
}
static ga_array *ten_thousand(void) {
    return ga_reshape(ga_arange_as(0, 10000, 1, GA_FLOAT64),
                      GA_SHAPE(100, 100));
}
TEST(shared_reads) {
    GA_SCOPE;
    together(N, reads, ten_thousand());
}
/* Reads on a stream for each thread, of an array still being written. */
static void *reads_on_its_stream(void *arg) {
    worker *w = (worker *)arg;
    ga_stream *s = ga_stream_create(0);
    W_CHECK(w, ga_set_stream(s) == GA_OK);
    reads(arg);
    ga_stream_destroy(s);               /* while it is current: the thread's */
    return NULL;                        /* end lets go of it                 */
}
TEST(shared_reads_on_streams) {
    GA_SCOPE;
    ga_array *x = ten_thousand();
    for (int i = 0; i < 20; i++) ga_add_into(x, x, i % 2 ? -1 : 1);
    together(N, reads_on_its_stream, x);
    ga_multiply_into(x, x, 2);          /* after all readers' streams       */
    T_CHECK(ga_item_at(x, GA_INDEX(99, 99)) == 19998);
}

/* ------------------------------------------------------------ ref counting */
static void *views(void *arg) {
    worker *w = (worker *)arg;
    const ga_array *x = (const ga_array *)w->arg;
    ga_array *v[50];
    pthread_barrier_wait(&start);
    for (int i = 0; i < rounds(200); i++) {
        for (int k = 0; k < 50; k++) v[k] = ga_view(k ? v[k - 1] : x);
        for (int k = 0; k < 50; k++) ga_free(v[k]);
    }
    W_CHECK(w, ga_error() == GA_OK);
    return NULL;
}
TEST(counts_are_atomic) {
    ga_array *x = ga_ones(GA_SHAPE(10), GA_FLOAT32);
    size_t used = t_used();
    together(N, views, x);
    T_CHECK(t_used() == used);
    ga_array *last = ga_index_axis(x, 0, 9);
    ga_free(x);
    T_CHECK(t_used() == used);          /* a view holds the memory          */
    T_CHECK(ga_item(last) == 1);
    ga_free(last);
}

/* The last view may die on any thread; the deleter runs once. */
static atomic_int deletions;
static void on_delete(void *ptr, void *arg) {
    (void)ptr, (void)arg;
    atomic_fetch_add(&deletions, 1);
}
static ga_array *given[N];
static void *frees(void *arg) {
    worker *w = (worker *)arg;
    pthread_barrier_wait(&start);
    ga_free(given[w->index]);
    return NULL;
}
TEST(the_last_view_dies_anywhere) {
    float data[4] = {1, 2, 3, 4};
    for (int i = 0; i < rounds(100); i++) {
        atomic_store(&deletions, 0);
        ga_array *x = ga_wrap(data, GA_FLOAT32, GA_SHAPE(4), NULL, GA_CPU,
                              on_delete, NULL);
        given[0] = x;
        for (int k = 1; k < N; k++) given[k] = ga_view(x);
        together(N, frees, NULL);
        T_CHECK(atomic_load(&deletions) == 1);
    }
}

/* Made here, detached, used and freed there; and the other way. */
static void *makes(void *arg) {
    worker *w = (worker *)arg;
    GA_SCOPE;
    ga_array *x = ga_full(GA_SHAPE(5), w->index, GA_INT32);
    given[w->index] = ga_detach(ga_add(x, 1));
    ga_zeros(GA_SHAPE(100), GA_INT8);   /* dies with the scope              */
    return NULL;
}
static void *uses(void *arg) {
    worker *w = (worker *)arg;
    ga_array *x = given[(w->index + 1) % N];
    pthread_barrier_wait(&start);
    W_CHECK(w, ga_item_at(x, GA_INDEX(4)) == (w->index + 1) % N + 1);
    ga_free(x);
    return NULL;
}
TEST(handles_change_hands) {
    together(N, makes, NULL);
    T_CHECK(ga_live_arrays() == t_me.live + N);
    together(N, uses, NULL);
    T_CHECK(ga_live_arrays() == t_me.live);
}
static void *makes_a_scope(void *arg) {
    worker *w = (worker *)arg;
    pthread_barrier_wait(&start);
    for (int i = 0; i < rounds(200); i++) {
        GA_SCOPE;
        ga_array *x = ga_zeros(GA_SHAPE(w->index + 1), GA_INT32);
        {
            GA_SCOPE;
            x = ga_keep(ga_add(x, i));
        }
        W_CHECK(w, x->size == w->index + 1);
        W_CHECK(w, ga_item_at(x, GA_INDEX(-1)) == i);
    }
    return NULL;
}
TEST(scopes_are_per_thread) {
    GA_SCOPE;
    ga_zeros(GA_SHAPE(3), GA_INT8);
    together(N, makes_a_scope, NULL);
    T_CHECK(ga_live_arrays() == t_me.live + 1);
}

/* ---------------------------------------------------------------- errors */
static atomic_int handled;
static void handler(ga_status s, const char *message) {
    if (s == GA_ERR_SHAPE && !strncmp(message, "ga_reshape", 10))
        atomic_fetch_add(&handled, 1);
}
static void *errs(void *arg) {
    worker *w = (worker *)arg;
    const ga_array *x = (const ga_array *)w->arg;
    char want[40];
    snprintf(want, sizeof want, "reshape to (%d,)", w->index + 20);
    pthread_barrier_wait(&start);
    for (int i = 0; i < 100; i++) {
        W_CHECK(w, ga_reshape(x, GA_SHAPE(w->index + 20)) == NULL);
        W_CHECK(w, ga_error() == GA_ERR_SHAPE);
        W_CHECK(w, strstr(ga_error_message(), want) != NULL);
        ga_clear_error();
    }
    return NULL;
}
TEST(errors_are_per_thread_and_the_handler_is_not) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(3), GA_INT8);
    atomic_store(&handled, 0);
    ga_on_error(handler);
    together(N, errs, x);
    ga_on_error(NULL);
    T_CHECK(atomic_load(&handled) == 100 * N);
    T_CHECK(ga_error() == GA_OK);
}

/* ------------------------------------------- large copies from all threads */
static void *copies(void *arg) {
    worker *w = (worker *)arg;
    size_t n = 5u << 20;
    unsigned char *h = (unsigned char *)malloc(n);
    W_CHECK(w, h != NULL);
    if (!h) return NULL;
    pthread_barrier_wait(&start);
    for (int i = 0; i < 3; i++) {
        GA_SCOPE;
        memset(h, w->index + i, n);
        ga_array *x = ga_asarray(h, GA_SHAPE((int64_t)n));
        memset(h, 0xff, n);
        W_CHECK(w, ga_asnumpy(ga_add(x, 1), h) == h);
        for (size_t k = 0; k < n; k += 4093)
            W_CHECK(w, h[k] == w->index + i + 1);
    }
    free(h);
    return NULL;
}
TEST(large_copies_at_once) { together(4, copies, NULL); }
/* One kernel with more and with less of a block's memory: what one launch asks
   for another does not take away.                                           */
static void *exponentials(void *arg) {
    static const int64_t rows[] = {3, 30, 50, 62};
    worker *w = (worker *)arg;
    const int64_t n = rows[w->index];
    ga_array *x = ga_zeros(GA_SHAPE(7, n, n), GA_FLOAT32);
    pthread_barrier_wait(&start);
    for (int i = 0; i < rounds(200) && !w->bad; i++) {
        GA_SCOPE;
        ga_array *y = ga_expm(x);
        W_CHECK(w, y && ga_item(ga_sum(y, GA_ALL)) == 7 * (double)n);
    }
    ga_free(x);
    return NULL;
}
TEST(one_kernel_at_all_sizes) { together(4, exponentials, NULL); }

/* Memory counts and limits under contention. */
static void *allocates(void *arg) {
    worker *w = (worker *)arg;
    pthread_barrier_wait(&start);
    for (int i = 0; i < rounds(500); i++) {
        ga_array *x = ga_empty(GA_SHAPE(1000), GA_UINT8);
        W_CHECK(w, x || ga_error() == GA_ERR_MEM_LIMIT);
        ga_clear_error();
        ga_free(x);
    }
    return NULL;
}
TEST(limits_hold_between_threads) {
    size_t used = t_used();
    ga_mem_limit(used + 3500);          /* at most three at a time          */
    together(N, allocates, NULL);
    ga_mem_limit(0);
    T_CHECK(t_used() == used);
}

/* ------------------------------------------------ captures beside all else */
typedef struct job {
    worker *w;
    ga_array *x, *y, *m;            /* private: 1 + index, result, a matrix */
    const ga_array *shared;
    pthread_barrier_t *inside;      /* where all captures are under way     */
} job;
/* y = 2x + the shared array + the sum of a row of m @ m (64). */
static void captured(void *arg) {
    job *j = (job *)arg;
    GA_SCOPE;
    ga_array *a = ga_add(ga_mul(j->x, 2), j->shared);
    if (j->inside) {
        pthread_barrier_wait(j->inside);
        pthread_barrier_wait(j->inside);
    }
    ga_array *row = ga_index_axis(ga_matmul(j->m, j->m), 0, 0);
    W_CHECK(j->w, ga_add_into(j->y, a, ga_sum(row, GA_ALL)) == GA_OK);
}
static void graphs(job *j, int launches) {
    worker *w = j->w;
    ga_graph *g = ga_graph_create(captured, j);
    W_CHECK(w, g != NULL);
    W_CHECK(w, ga_assign(j->y, 0) == GA_OK);
    for (int i = 0; i < launches; i++)
        W_CHECK(w, ga_graph_launch(g) == GA_OK);
    W_CHECK(w, ga_item_at(j->y, GA_INDEX(-1)) == 2 * (w->index + 1) + 3 + 64);
    ga_graph_destroy(g);
}
static void job_begin(job *j, worker *w, const ga_array *shared) {
    memset(j, 0, sizeof *j);
    j->w = w;
    j->shared = shared;
    j->x = ga_full(GA_SHAPE(5000), w->index + 1, GA_FLOAT64);
    j->y = ga_zeros(GA_SHAPE(5000), GA_FLOAT64);
    j->m = ga_ones(GA_SHAPE(8, 8), GA_FLOAT64);
}
static void frees_and_trims(job *j, int i) {
    worker *w = j->w;
    ga_array *a[8];
    for (int k = 0; k < 8; k++)
        a[k] = ga_zeros(GA_SHAPE(INT64_C(700) << (k + i) % 12), GA_UINT8);
    for (int k = 0; k < 8; k++) ga_free(a[k]);
    W_CHECK(w, ga_mem_trim() == GA_OK);
    W_CHECK(w, ga_item(ga_sum(ga_add(j->x, 1), GA_ALL))
               == 5000.0 * (w->index + 2));
}
static void on_a_stream(job *j, bool wraps) {
    worker *w = j->w;
    ga_stream *own = ga_stream_create(0), *s = own;
    if (wraps) s = ga_stream_wrap(ga_stream_handle(own));
    W_CHECK(w, s != NULL);
    ga_array *y;
    {
        GA_STREAM(s);
        y = ga_add(ga_mul(j->shared, 2), j->x);
    }
    if (wraps) ga_stream_destroy(s);
    ga_stream_destroy(own);         /* the work goes on                     */
    W_CHECK(w, ga_item_at(y, GA_INDEX(4999)) == 6 + w->index + 1);
    ga_free(y);
}
static void *does_everything(void *arg) {
    worker *w = (worker *)arg;
    GA_SCOPE;
    job j;
    job_begin(&j, w, (const ga_array *)w->arg);
    pthread_barrier_wait(&start);
    for (int i = 0; i < rounds(160); i++) {
        GA_SCOPE;
        switch ((i + w->index) % 8) {
        case 0: case 4: graphs(&j, 2); break;
        case 1: frees_and_trims(&j, i); break;
        case 2: on_a_stream(&j, false); break;
        case 3: on_a_stream(&j, true); break;
        case 5:
            W_CHECK(w, ga_item(ga_sum(j.shared, GA_ALL)) == 15000);
            W_CHECK(w, ga_synchronize() == GA_OK);
            break;
        case 6: {
            ga_array *p = ga_matmul(j.m, j.m);
            W_CHECK(w, ga_item_at(p, GA_INDEX(7, 7)) == 8);
            break;
        }
        default: {
            ga_memory m;
            W_CHECK(w, ga_mem_info(ga_device(), &m) == GA_OK && m.used > 0);
            ga_array *x = ga_empty(GA_SHAPE(3 << 20), GA_UINT8);
            W_CHECK(w, x && ga_assign(x, w->index) == GA_OK);
            W_CHECK(w, ga_item_at(x, GA_INDEX(-1)) == w->index);
        }
        }
    }
    W_CHECK(w, ga_error() == GA_OK);
    return NULL;
}
TEST(everything_at_once) {
    GA_SCOPE;
    ga_array *shared = ga_full(GA_SHAPE(5000), 3, GA_FLOAT64);
    for (int i = 0; i < (t_quick() ? 1 : 3); i++)
        together(MOST, does_everything, shared);
    T_CHECK(ga_item(ga_sum(shared, GA_ALL)) == 15000);
    T_CHECK(ga_mem_trim() == GA_OK);
}
/* Two captures that each wait for the other to have begun, and for a third
   thread, which does what means the whole device.                          */
static pthread_barrier_t both;
static void *captures_or_disturbs(void *arg) {
    worker *w = (worker *)arg;
    GA_SCOPE;
    job j;
    job_begin(&j, w, (const ga_array *)w->arg);
    for (int i = 0; i < 10; i++) {
        if (w->index < 2) {
            j.inside = &both;
            graphs(&j, 1);          /* on the CPU the launch calls it       */
            continue;
        }
        pthread_barrier_wait(&both);
        frees_and_trims(&j, i);
        graphs(&j, 2);              /* a third, and its end                 */
        on_a_stream(&j, i % 2);
        W_CHECK(w, ga_synchronize() == GA_OK);
        pthread_barrier_wait(&both);
    }
    W_CHECK(w, ga_error() == GA_OK);
    return NULL;
}
TEST(captures_overlap) {
    GA_SCOPE;
    ga_array *shared = ga_full(GA_SHAPE(5000), 3, GA_FLOAT64);
    assert_int_equal(pthread_barrier_init(&both, NULL, 3), 0);
    together(3, captures_or_disturbs, shared);
    pthread_barrier_destroy(&both);
}

/* ---------------------------------------------------- the first use, raced */
static atomic_int bad_starts;
static void *first(void *arg) {
    (void)arg;
    pthread_barrier_wait(&start);
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(1000), GA_FLOAT32);
    if (!x || ga_item(ga_sum(ga_exp(ga_sub(x, 1)), GA_ALL)) != 1000)
        atomic_fetch_add(&bad_starts, 1);
    return NULL;
}
static int race(void) {
    pthread_t id[N];
    pthread_barrier_init(&start, NULL, N);
    for (int i = 0; i < N; i++)
        if (pthread_create(&id[i], NULL, first, NULL)) return 2;
    for (int i = 0; i < N; i++) pthread_join(id[i], NULL);
    return atomic_load(&bad_starts) ? 3 : ga_live_arrays() ? 4 : 0;
}
TEST(first_use_is_raced) {
    for (int i = 0; i < (t_quick() ? 2 : 10); i++) {
        int got = T_CHILD("race", NULL);
        T_CHECKF(got == 0, "exit status %d, said: %s", got, t_said);
    }
}

/* A child of fork: the threads of the parent's loops are not there. */
static void *loops(void *arg) {
    ga_set_device(GA_CPU);
    GA_SCOPE;
    ga_array *x = (ga_array *)arg;
    double sum = ga_item(ga_sum(ga_sqrt(ga_add(x, 3)), GA_ALL));
    return sum == 2.0 * (double)x->size ? NULL : arg;
}
static int forks(void) {
    pthread_t id;
    void *bad = NULL;
    ga_set_device(GA_CPU);
    ga_array *x = ga_ones(GA_SHAPE(1 << 20), GA_FLOAT64);
    if (loops(x)) return 2;
    pid_t pid = fork();
    if (pid < 0) return 3;
    if (!pid) {
        alarm(60);
        if (loops(x) || pthread_create(&id, NULL, loops, x)
            || pthread_join(id, &bad) || bad) _exit(4);
        ga_free(x);
        _exit(ga_mem_trim() || ga_error() || ga_live_arrays() ? 5 : 0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    bad = loops(x);                 /* the parent goes on                   */
    ga_free(x);
    return bad ? 6 : WIFEXITED(status) ? WEXITSTATUS(status) : 7;
}
TEST(children_of_fork_compute) {
    int got = T_CHILD("forks", "OMP_NUM_THREADS=4");
    T_CHECKF(got == 0, "exit status %d, said: %s", got, t_said);
}
static int forks_after_cuda(void) {
    ga_array *x = ga_ones(GA_SHAPE(1000), GA_FLOAT64);
    if (ga_item(ga_sum(x, GA_ALL)) != 1000) return 2;
    pid_t pid = fork();
    if (pid < 0) return 3;
    if (!pid) {
        alarm(60);
        if (ga_ones(GA_SHAPE(10), GA_FLOAT64) || ga_error() != GA_ERR_CUDA
            || !strstr(ga_error_message(), "fork()")) _exit(4);
        ga_clear_error();
        if (ga_set_device(GA_CPU)) _exit(5);
        _exit(loops(ga_ones(GA_SHAPE(1 << 20), GA_FLOAT64)) ? 6 : 0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    ga_free(x);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 7;
}
TEST(children_of_fork_have_no_gpu) {
    if (!t_on_gpu()) {
        print_message("    skipped: no GPU\n");
        skip();
    }
    int got = T_CHILD("forks_after_cuda", "OMP_NUM_THREADS=4");
    T_CHECKF(got == 0, "exit status %d, said: %s", got, t_said);
}

/* Threads come and go, each with a stream, an error, an array detached. */
static void *passes_by(void *arg) {
    worker *w = (worker *)arg;
    GA_SCOPE;
    ga_stream *s = (ga_stream *)w->arg;
    W_CHECK(w, ga_set_stream(s) == GA_OK);
    W_CHECK(w, ga_item(ga_sum(ga_ones(GA_SHAPE(100), GA_INT32), GA_ALL))
               == 100);
    ga_reshape(NULL, GA_SHAPE(1));
    return NULL;
}
TEST(threads_come_and_go) {
    ga_stream *s = ga_stream_create(0);
    for (int i = 0; i < rounds(50); i++) together(2, passes_by, s);
    T_CHECK(ga_stream_synchronize(s) == GA_OK);
    ga_stream_destroy(s);
}

/* ---------------------------------------------------- OpenBLAS's own threads
   One while batches are shared out, by several threads; then what it was.   */
#if defined(GPUARR_USE_LAPACK) && defined(__ELF__)
static int blas_threads(void)
    __attribute__((weakref("openblas_get_num_threads")));
static void blas_set(int n) __attribute__((weakref("openblas_set_num_threads")));
static int blas_kind(void) __attribute__((weakref("openblas_get_parallel")));

static void *takes_batches(void *arg) {
    worker *w = (worker *)arg;
    atomic_int *left = (atomic_int *)w->arg;
    ga_set_device(GA_CPU);
    if (w->index == 2) {            /* the one who looks on                 */
        int seen = 0;
        while (atomic_load(left)) seen += blas_threads() == 1;
        W_CHECK(w, seen);
        return NULL;
    }
    for (int i = 0; i < 10; i++) {
        GA_SCOPE;
        ga_array *x = ga_random_uniform(-1, 1, GA_SHAPE(40, 32, 32), GA_FLOAT64);
        W_CHECK(w, ga_eigvalsh(x));
        W_CHECK(w, ga_matmul(x, x));
        W_CHECK(w, !ga_cholesky(ga_negative(ga_absolute(x)))
                   && ga_error() == GA_ERR_NOT_POSITIVE_DEFINITE);
        ga_clear_error();
    }
    atomic_fetch_sub(left, 1);
    return NULL;
}
TEST(threads_of_blas) {
    if (!blas_threads || !blas_set || (blas_kind && blas_kind() != 1)) skip();
    const int before = blas_threads();
    atomic_int left = 2;
    blas_set(3);
    if (blas_threads() != 3) skip();    /* one built without threads        */
    together(3, takes_batches, &left);
    T_CHECKF(blas_threads() == 3, "%d", blas_threads());
    blas_set(before);
}
#else
TEST(threads_of_blas) { skip(); }
#endif

/* ------------------------------------------------------------- small stacks
   Each kind of call in a thread whose stack holds a pattern: how much of it is
   written, less what a thread that does nothing writes. The main thread has
   made the same calls before: what is done once in a process does not count. */
static ga_array *some(ga_dtype t, int64_t rows, int64_t columns) {
    ga_array *x = ga_remainder(ga_arange(0, rows * columns, 1), 13);
    return ga_astype(ga_reshape(x, GA_SHAPE(rows, columns)), t);
}
static ga_array *half(const ga_array *x) { return ga_slice(x, ":, ::2"); }
static void idles(void) {}
static void evaluates_rows(int64_t rows) {
    GA_SCOPE;
    ga_array *z = half(some(GA_COMPLEX128, rows, 200));
    ga_array *x = half(some(GA_FLOAT32, rows, 200));
    ga_array *i = half(some(GA_INT8, rows, 200));
    ga_array *h = half(some(GA_FLOAT16, rows, 200));
    GA_EVAL(sin(z)*cos(x) + exp(-i)*log(x + 1) - tanh(h)*sqrt(x)
            + (x*2 - i)**2/3 + where(x > 5, z, h) - arctan2(x, i), z, x, i, h);
    GA_EVAL(sum(sin(z)*i - x + h*2), z, x, i, h);
    GA_EVAL(mean(z*i + tan(x), axis=1), z, x, i);
    z = ga_slice(z, ":, :5");
    x = ga_slice(x, ":, :5");
    h = ga_slice(h, ":, :5");
    GA_EVAL(sum(x*h + z, axis=1), x, h, z);
    char text[256] = "";
    memset(text, '(', 90);
    strcat(text, "x*2");
    memset(text + 93, ')', 90);
    ga_expr *e = ga_expr_compile(text, "x");
    ga_expr_free(e);
}
static void evaluates(void) {
    evaluates_rows(90);
    evaluates_rows(3);
    evaluates_rows(1);
}
static void converts(void) {
    for (int s = 0; s < GA_NUM_DTYPES; s++)
        for (int t = 0; t < GA_NUM_DTYPES; t++) {
            GA_SCOPE;
            ga_array *x = half(some((ga_dtype)s, 40, 100));
            ga_array *y = half(some((ga_dtype)t, 40, 100));
            ga_assign(half(some(ga_promote_types((ga_dtype)s, (ga_dtype)t),
                                40, 100)), ga_add(x, y));
            ga_add_into(half(some(GA_COMPLEX128, 40, 100)), x, y);
            ga_sin(x);
            ga_where(ga_not_equal(x, 3), x, y);
            ga_astype(ga_transpose(x, GA_ALL), GA_COMPLEX128);
        }
}
static void reduces(void) {
    const ga_axis axes[] = {GA_AXIS(0), GA_AXIS(1), GA_ALL};
    for (int t = GA_BOOL + 1; t < GA_NUM_DTYPES; t++)
        for (int a = 0; a < 6; a++) {
            GA_SCOPE;
            ga_array *x = some((ga_dtype)t, 300, 600);
            if (a >= 3) x = half(x);
            ga_sum(x, axes[a % 3]);
            ga_prod(x, axes[a % 3]);
            ga_max(x, axes[a % 3]);
            ga_all(x, axes[a % 3]);
            ga_ptp(x, axes[a % 3]);
            ga_mean(x, axes[a % 3]);
            ga_var(x, axes[a % 3], 1);
            ga_count_nonzero(x, axes[a % 3]);
            ga_argmax(x, axes[a % 2]);
        }
}
static void multiplies(void) {
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
#ifdef GPUARR_USE_LAPACK
        if (t == GA_FLOAT32 || t == GA_FLOAT64 || t == GA_COMPLEX64
            || t == GA_COMPLEX128) continue;    /* the BLAS's               */
#endif
        GA_SCOPE;
        ga_array *x = some((ga_dtype)t, 70, 140);
        ga_array *y = some((ga_dtype)t, 140, 150);
        ga_matmul(x, y);
        ga_matmul(ga_transpose(y, GA_ALL), ga_transpose(x, GA_ALL));
        ga_matmul(ga_slice(x, ":5, :9"), ga_slice(y, ":9, :5"));
        ga_matmul(ga_slice(x, "0"), ga_slice(y, ":, 0"));
        ga_einsum("ij,jk->ki", x, y);
    }
}
static void draws(void) {
    GA_SCOPE;
    double w[1000];
    for (int i = 0; i < 1000; i++) w[i] = i < 500 ? 0.002 : 0;
    ga_random_permutation(100000);
    ga_random_choice(1000, GA_SHAPE(300), false,
                     ga_asarray(w, GA_SHAPE(1000)));
    ga_random_normal(0, 1, GA_SHAPE(5000), GA_FLOAT64);
    ga_random_gamma(0.5, 1, GA_SHAPE(5000), GA_FLOAT32);
    ga_random_poisson(20, GA_SHAPE(5000), GA_INT64);
    ga_random_integers(0, 7, GA_SHAPE(5000), GA_INT8);
}
static void joins(void) {
    GA_SCOPE;
    ga_array *x = some(GA_INT16, 70, 900), *y = some(GA_FLOAT64, 4002, 3);
    ga_array *parts[] = {y, y, ga_transpose(some(GA_FLOAT64, 3, 4002), GA_ALL)};
    (ga_concatenate)(1, 3, (const ga_array *const *)parts);
    (ga_stack)(2, 3, (const ga_array *const *)parts);
    ga_repeat(x, 5, GA_AXIS(1));
    ga_tile(y, GA_SHAPE(2, 3));
    ga_pad(y, GA_SHAPE(1, 2), GA_SHAPE(2, 1), GA_PAD_CONSTANT, GA_NONE);
    ga_tril(ga_reshape(y, GA_SHAPE(-1, 3, 3)), 1);
}
static void writes(void) {
    char path[] = "/tmp/gpuarr_stack_XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) return;
    close(fd);
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        ga_array *x = half(some((ga_dtype)t, 40, 100));
        free(ga_repr(x));
        ga_save_npy(path, x);
        ga_load_npy(path);
    }
    unlink(path);
}
#define STACK ((size_t)256 << 10)
static void *on_small_stack(void *arg) {
    (*(void (**)(void))arg)();
    return NULL;
}
static size_t written(void (*f)(void)) {
    pthread_attr_t attr;
    pthread_t id;
    size_t left = 0;
    unsigned char *stack = (unsigned char *)aligned_alloc(4096, STACK);
    if (!stack) return STACK;
    memset(stack, 0xa5, STACK);
    pthread_attr_init(&attr);
    pthread_attr_setstack(&attr, stack, STACK);
    if (!pthread_create(&id, &attr, on_small_stack, &f)) pthread_join(id, NULL);
    pthread_attr_destroy(&attr);
    while (left < STACK && stack[left] == 0xa5) left++;
    free(stack);
    return STACK - left;
}
static int stacks(void) {
    static const struct { const char *name; void (*run)(void); } calls[] = {
        {"expressions", evaluates}, {"conversions", converts},
        {"reductions", reduces}, {"products", multiplies}, {"random", draws}, {"joins", joins},
        {"text and files", writes}};
    int bad = 0;
    const size_t none = written(idles);
    for (size_t i = 0; i < T_COUNT(calls); i++) {
        calls[i].run();
        if (ga_error()) return fprintf(stderr, "%s\n", ga_error_message()), 2;
        const size_t used = written(calls[i].run) - none;
        fprintf(stderr, "%s: %zu bytes\n", calls[i].name, used);
        bad |= used < 1024 || used > 64 << 10;
    }
    return bad;
}
/* On one thread: those of OpenMP do a part of what the caller does. */
TEST(stacks_of_64_kb_do) {
    if (t_checked()) {
        print_message("    skipped: a checker's frames are larger\n");
        skip();
    }
    int got = T_CHILD("stacks", "OMP_NUM_THREADS=1", "GPUARR_DEVICE=cpu");
    T_CHECKF(got == 0, "exit status %d, said: %s", got, t_said);
}

int main(int argc, char **argv) {
    static const t_case cases[] = {{"race", race}, {"forks", forks},
                                   {"forks_after_cuda", forks_after_cuda},
                                   {"stacks", stacks}};
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(state_is_per_thread), T(devices_are_per_thread), T(shared_reads),
        T(shared_reads_on_streams), T(counts_are_atomic),
        T(the_last_view_dies_anywhere), T(handles_change_hands),
        T(scopes_are_per_thread),
        T(errors_are_per_thread_and_the_handler_is_not),
        T(large_copies_at_once), T(one_kernel_at_all_sizes),
        T(limits_hold_between_threads),
        T(everything_at_once), T(captures_overlap), T(first_use_is_raced),
        T(children_of_fork_compute), T(children_of_fork_have_no_gpu),
        T(threads_come_and_go), T(threads_of_blas), T(stacks_of_64_kb_do),
    };
    return T_RUN("threads", tests);
}
