/* Communicators and collectives (ext/gpuarr_comm.h): ranks that are threads,
   on the CPU or on GPUs, and processes that share a file. mpirun's are in
   comm.sh.                                                                  */
#define _GNU_SOURCE                 /* child.h */
#include "comm.h"
#include "child.h"
#include <pthread.h>
#include <sched.h>

static void run_ranks(int n, ga_status (*f)(ga_comm *, void *), void *arg) {
    atomic_store(&r_bad, 0);
    r_work w = {f, arg};
    ga_status st = ga_comm_local(n, r_call, &w);
    T_CHECKF(!st, "%d ranks: %s", n, ga_error_message());
    ga_clear_error();
    T_CHECKF(!atomic_load(&r_bad), "%d ranks: %d checks did not hold", n,
             atomic_load(&r_bad));
}
static const int sizes[] = {2, 3, 1, 5};    /* quick: the first two         */
#define EACH_SIZE(name, f)                                                  \
    TEST(name) {                                                            \
        for (size_t i = 0; i < (t_quick() ? 2 : T_COUNT(sizes)); i++)       \
            run_ranks(sizes[i], f, NULL);                                   \
    }
EACH_SIZE(collectives, r_collectives)
EACH_SIZE(groups, r_groups)
EACH_SIZE(splits, r_splits)
TEST(mismatches) {
    for (size_t i = 0; i < (t_quick() ? 2 : T_COUNT(sizes)); i++)
        run_ranks(sizes[i], r_mismatches, "none before");
}
EACH_SIZE(random_numbers, r_random)
EACH_SIZE(distributed, r_dist)
EACH_SIZE(sorting, r_sorting)
EACH_SIZE(files, r_files)

/* ------------------------------------------------- ranks that do not come */
static ga_status one_returns(ga_comm *c, void *arg) {
    (void)arg;
    GA_SCOPE;
    if (ga_comm_rank(c) == 1) return GA_OK;
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    R_FAILS(ga_comm_allreduce(c, x, GA_COMM_SUM), GA_ERR_COMM, "rank ");
    R_FAILS(ga_comm_allgather(c, x), GA_ERR_COMM,
            "the communicator has failed: ");
    R_FAILS(!ga_comm_barrier(c), GA_ERR_COMM, "the communicator has failed");
    return GA_OK;
}
TEST(a_rank_returns) {
    run_ranks(2, one_returns, NULL);
    run_ranks(4, one_returns, NULL);
}
static atomic_bool others_gave_up;
static ga_status one_hangs(ga_comm *c, void *arg) {
    (void)arg;
    GA_SCOPE;
    R_CHECK(!ga_comm_timeout(c, 0.3));
    R_FAILS(!ga_comm_timeout(c, 0), GA_ERR_VALUE, "0 seconds");
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    ga_array *y = ga_comm_broadcast(c, x, 0);
    R_CHECK(y && ga_item_at(y, GA_INDEX(1)) == 1);
    if (ga_comm_rank(c) == 1) {
        while (!atomic_load(&others_gave_up)) sched_yield();
        R_FAILS(ga_comm_allreduce(c, x, GA_COMM_SUM), GA_ERR_COMM, "rank 0");
        return GA_OK;
    }
    double before = ga_time();
    R_CHECK(!ga_comm_allreduce(c, x, GA_COMM_SUM) && ga_error() == GA_ERR_COMM);
    const char *told = strstr(ga_error_message(), "rank 1 has not come within "
                              "0.3 s; its last call was ga_comm_broadcast "
                              "from rank 0");
    R_CHECK(ga_comm_rank(c) || told);
    ga_clear_error();
    R_CHECK(ga_time() - before < 5);
    if (!ga_comm_rank(c)) atomic_store(&others_gave_up, true);
    return GA_OK;
}
TEST(a_rank_hangs) {
    if (t_on_gpu()) return;         /* there the timeout is the watchdog's  */
    for (int n = 2; n < 4; n++) {
        atomic_store(&others_gave_up, false);
        run_ranks(n, one_hangs, NULL);
    }
}
/* An error that a rank returns is the caller's, before its consequences. */
static ga_status one_fails(ga_comm *c, void *arg) {
    (void)arg;
    GA_SCOPE;
    if (ga_comm_rank(c) == 2) {
        ga_reshape(ga_ones(GA_SHAPE(4), GA_FLOAT32), GA_SHAPE(3));
        return GA_OK;
    }
    return ga_comm_barrier(c);
}
TEST(errors_of_ranks) {
    T_FAILS(ga_comm_local(3, one_fails, NULL), GA_ERR_SHAPE, "ga_comm_local: "
            "rank 2: ga_reshape: an array of shape (4,) and size 4 does not "
            "reshape to (3,)");
    T_FAILS(ga_comm_local(-1, one_fails, NULL), GA_ERR_VALUE,
            "ga_comm_local: -1 ranks; 0 to 1024 are possible");
    T_FAILS(ga_comm_local(2, NULL, NULL), GA_ERR_NULL,
            "ga_comm_local: the function is NULL");
    T_NO(ga_comm_allreduce(NULL, NULL, GA_COMM_SUM), GA_ERR_NULL,
         "ga_comm_allreduce: the communicator is NULL");
    T_CHECK(ga_comm_rank(NULL) == -1 && ga_comm_size(NULL) == -1);
    ga_comm_free(NULL);
}

/* Two ranks differ in what they send. */
static ga_status wrong_receive(ga_comm *c, void *arg) {
    (void)arg;
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    if (ga_comm_rank(c) == 0) {
        ga_comm_send(c, x, 1);
        ga_clear_error();
        return GA_OK;
    }
    R_FAILS(ga_comm_recv(c, GA_SHAPE(4), GA_FLOAT32, 0), GA_ERR_SHAPE,
            "rank 1 calls ga_comm_recv of float32 (4,) from rank 0, rank 0 "
            "ga_comm_send of float32 (3,) to rank 1");
    return GA_OK;
}
TEST(receivers_compare) {
    if (t_on_gpu()) return;         /* NCCL's messages carry no note        */
    run_ranks(2, wrong_receive, NULL);
}

/* Two communicators of one thread, and two at once in two programs of ranks. */
static ga_status two_of_them(ga_comm *c, void *arg) {
    (void)arg;
    ga_comm *d = ga_comm_split(c, 0, ga_comm_size(c) - ga_comm_rank(c));
    for (int i = 0; d && i < 30; i++) {
        GA_SCOPE;
        ga_array *x = ga_full(GA_SHAPE(5), i, GA_INT32);
        ga_array *y = ga_comm_allreduce(i % 2 ? c : d, x, GA_COMM_SUM);
        ga_array *z = ga_comm_allreduce(i % 2 ? d : c, x, GA_COMM_MAX);
        R_CHECK(y && ga_item_at(y, GA_INDEX(4)) == i * ga_comm_size(c));
        R_CHECK(z && ga_item_at(z, GA_INDEX(4)) == i);
    }
    ga_comm_free(d);
    return GA_OK;
}
static void *program(void *arg) {
    int *device = arg;
    ga_set_device(*device);
    *device = ga_comm_local(2, two_of_them, NULL);
    return NULL;
}
TEST(two_at_once) {
    int at[2] = {ga_device(), ga_device()};
    pthread_t t[2];
    atomic_store(&r_bad, 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&t[i], NULL, program, &at[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    T_CHECK(!at[0] && !at[1] && !atomic_load(&r_bad));
}

/* ------------------------------------------------- processes of a machine */
static char path[128];
static const char *fresh_path(void) {
    static int count;
    snprintf(path, sizeof path, "/dev/shm/gpuarr-test-%ld-%d", (long)getpid(),
             count++);
    return path;
}
/* With room for 6 of 8 parts no rank can have gathered the whole.
   (ga_sort alone takes four times what it sorts.)                           */
static int memory_case(ga_comm *c) {
    GA_SCOPE;
    const int64_t n = 8 * 40000;
    const size_t part = (size_t)n / 8 * 8;
    ga_mem_limit(t_used() + 6 * part);
    ga_dist *v = ga_dist_random(c, GA_SHAPE(n), GA_FLOAT64);
    ga_dist *x = ga_dist_of(c, ga_reshape(v->local, GA_SHAPE(-1, 8)));
#define R_FITS(call) do { GA_SCOPE; R_CHECK((call) != NULL); } while (0)
    R_FITS(GA_DIST_EVAL(cos(v)*2, v));
    R_FITS(ga_dist_sum(v, GA_ALL));
    R_FITS(ga_dist_rows(v, 5, -5));
    R_FITS(ga_dist_transpose(x));
    R_FITS(ga_dist_inner(x, x));
    R_FITS(ga_dist_halo(v, 3, 3, true));
    const ga_dist *list[] = {v, v};
    R_FITS(ga_dist_concatenate(2, list));
    R_CHECK(!ga_dist_allgather(v) && ga_error() == GA_ERR_MEM_LIMIT);
    ga_clear_error();
    ga_comm_free(c);
    return atomic_load(&r_bad) ? 5 : 0;
}
static int rank_case(void) {        /* what a child process does            */
    const char *what = getenv("T_WHAT");
    const int rank = atoi(getenv("GPUARR_RANK"));
    const int n = atoi(getenv("GPUARR_RANKS"));
    if (t_on_gpu()) ga_set_device(rank % ga_device_count());
    ga_comm *c = ga_comm_shared(getenv("GPUARR_COMM_FILE"), rank, n);
    if (!c) {
        fprintf(stderr, "%s\n", ga_error_message());
        return 9;
    }
    if (!strcmp(what, "dies")) {
        GA_SCOPE;
        ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32);
        ga_comm_allreduce(c, x, GA_COMM_SUM);
        if (rank == 1) {
            raise(SIGKILL);
        }
        double before = ga_time();
        ga_array *y = ga_comm_allreduce(c, x, GA_COMM_SUM);
        if (y) ga_synchronize();    /* by NCCL it is queued                 */
        bool ok = ga_error() == GA_ERR_COMM && ga_time() - before < 10
                  && strstr(ga_error_message(), "rank ");
        fprintf(stderr, "rank %d: %s\n", rank, ga_error_message());
        ga_clear_error();
        ga_comm_free(c);
        return ok ? 0 : 8;
    }
    if (!strcmp(what, "memory")) return memory_case(c);
    if (!r_shares_cores(c)) return 5;
    for (size_t i = 0; i < T_COUNT(r_checks); i++)
        if (r_checks[i].f(c, NULL)) return 7;
    ga_comm_free(c);
    return atomic_load(&r_bad) ? 6 : 0;
}
static const t_case cases[] = {{"rank", rank_case}};

/* n processes at once; each exit status. */
static void start_ranks(const char *what, int n, int *status) {
    pid_t pid[8];
    char self[4096], number[16];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(len > 0);
    self[len] = 0;
    setenv("GPUARR_COMM_FILE", fresh_path(), 1);
    setenv("T_WHAT", what, 1);
    snprintf(number, sizeof number, "%d", n);
    setenv("GPUARR_RANKS", number, 1);
    fflush(NULL);
    for (int i = 0; i < n; i++) {
        snprintf(number, sizeof number, "%d", i);
        setenv("GPUARR_RANK", number, 1);
        pid[i] = fork();
        assert_true(pid[i] >= 0);
        if (!pid[i]) {
            execl(self, self, "rank", (char *)NULL);
            _exit(97);
        }
    }
    for (int i = 0; i < n; i++) {
        assert_true(waitpid(pid[i], &status[i], 0) == pid[i]);
        status[i] = WIFSIGNALED(status[i]) ? 128 + WTERMSIG(status[i])
                                           : WEXITSTATUS(status[i]);
    }
    unsetenv("GPUARR_COMM_FILE");
    unsetenv("GPUARR_RANKS");
    unsetenv("GPUARR_RANK");
    T_CHECK(access(path, F_OK) != 0);       /* the file is gone             */
}
TEST(processes) {
    int status[8];
    for (int n = t_quick() ? 2 : 1; n < 4; n++) {
        start_ranks("checks", n, status);
        for (int k = 0; k < n; k++)
            T_CHECKF(!status[k], "rank %d of %d: exit status %d", k, n,
                     status[k]);
    }
}
TEST(a_process_dies) {
    int status[8];
    start_ranks("dies", 3, status);
    T_CHECK(status[0] == 0 && status[1] == 128 + SIGKILL && status[2] == 0);
}
TEST(memory_of_ranks) {
    int status[8];
    start_ranks("memory", 8, status);
    for (int i = 0; i < 8; i++) T_CHECK(status[i] == 0);
}
TEST(shared_errors) {
    T_NO(ga_comm_shared(NULL, 0, 1), GA_ERR_NULL,
         "ga_comm_shared: the path is NULL");
    T_NO(ga_comm_shared("/dev/shm/x", 2, 2), GA_ERR_VALUE,
         "ga_comm_shared: rank 2 of 2");
    T_NO(ga_comm_shared("/no/such/folder/x", 0, 1), GA_ERR_FILE_OPEN,
         "ga_comm_shared: /no/such/folder/x: No such file or directory");
    ga_comm *c = ga_comm_shared(fresh_path(), 0, 1);
    T_CHECK(c && ga_comm_size(c) == 1);
    ga_comm_free(c);
    setenv("GPUARR_RANKS", "two", 1);
    T_FAILS(ga_comm_run(1, one_fails, NULL), GA_ERR_VALUE, "ga_comm_run: "
            "GPUARR_RANK or GPUARR_RANKS is not a number of ranks");
    setenv("GPUARR_RANKS", "3", 1);
    atomic_store(&r_bad, 0);
    T_CHECK(!ga_comm_run(1, r_groups, NULL) && !atomic_load(&r_bad));
    unsetenv("GPUARR_RANKS");
}

int main(int argc, char **argv) {
    /* A reduced run is a checker's: NCCL reads whole words, beyond the end of
       an allocation of a byte.                                             */
    if (t_quick()) setenv("GPUARR_COMM", "host", 0);
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {
        T(collectives), T(groups), T(splits), T(mismatches),
        T(random_numbers), T(distributed), T(sorting), T(files),
        T(a_rank_returns),
        T(a_rank_hangs), T(errors_of_ranks), T(receivers_compare),
        T(two_at_once), T(processes), T(a_process_dies),
        T(memory_of_ranks), T(shared_errors)};
    return T_RUN("comm", tests);
}
