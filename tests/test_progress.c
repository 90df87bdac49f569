/* ga_progress: what long work tells, to a function and on a terminal.       */
#define _GNU_SOURCE
#include "test.h"
#include "child.h"
#include "gpuarr_comm.h"
#include "gpuarr_sparse.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

static const char path[] = "/tmp/gpuarr-test-progress.txt";
static void doze(double ms) {
    const struct timespec t = {0, (long)(1e6 * ms)};
    nanosleep(&t, NULL);
}

static struct {
    atomic_int inside;
    int calls, begun, ended, between;   /* how often                        */
    char what[64];                      /* the last one's                   */
    int64_t total;
    bool wrong;                         /* what a contract forbids          */
} seen;
static void watch(const char *what, int64_t done, int64_t total, void *arg) {
    if (atomic_fetch_add(&seen.inside, 1)) seen.wrong = true;
    if (arg != &seen || done < 0 || done > total) seen.wrong = true;
    seen.calls++;
    if (done == total) seen.ended++;
    else if (!done) seen.begun++, seen.total = total;
    else seen.between++;
    snprintf(seen.what, sizeof seen.what, "%s", what);
    atomic_fetch_sub(&seen.inside, 1);
}
static void look(void) {
    memset(&seen, 0, sizeof seen);
    ga_progress(watch, &seen);
}
static bool told(const char *what, int64_t total) {
    T_CHECKF(!strcmp(seen.what, what) && seen.begun == 1 && seen.ended == 1
             && !seen.wrong && (total < 0 || seen.total == total),
             "%s: %s begun %d times, ended %d, total %lld", what, seen.what,
             seen.begun, seen.ended, (long long)seen.total);
    look();
    return true;
}

TEST(text_files) {
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange_as(0, 120000, 1, GA_FLOAT64),
                             GA_SHAPE(-1, 3));
    look();
    T_CHECK(ga_savetxt(path, x, NULL, NULL) == GA_OK);
    told("ga_savetxt", 40000);
    ga_array *y = ga_loadtxt(path, GA_FLOAT64, NULL);
    told("ga_loadtxt", -1);
    T_CHECK(ga_array_equal(x, y, 0));
    T_CHECK(ga_savetxt("/dev/full", x, NULL, NULL) != GA_OK);
    ga_clear_error();
    told("ga_savetxt", -1);
    ga_progress(NULL, NULL);
    T_CHECK(ga_savetxt(path, x, NULL, NULL) == GA_OK);
    T_CHECK(!seen.calls);
    remove(path);
}

TEST(solvers) {
    GA_SCOPE;
    const ga_array *d[] = {ga_full(GA_SHAPE(1), 2.01, GA_FLOAT64),
                           ga_full(GA_SHAPE(1), -1, GA_FLOAT64),
                           ga_full(GA_SHAPE(1), -1, GA_FLOAT64)};
    ga_sparse *a = ga_sparse_diags(3, d, (const int64_t[]){0, 1, -1}, 300, 300);
    ga_array *b = ga_ones(GA_SHAPE(300), GA_FLOAT64);
    const double damp[] = {0, 0.1};
    ga_solve_options o = {.maxiter = 50};
    ga_solve_info info[2];
    look();
    ga_cg(a, b, &o, NULL), told("ga_cg", 50);
    ga_cg(a, b, NULL, NULL), told("ga_cg", 3000);
    ga_minres(a, b, &o, NULL), told("ga_minres", 50);
    ga_bicgstab(a, b, &o, NULL), told("ga_bicgstab", 50);
    ga_gmres(a, b, &o, NULL), told("ga_gmres", 50);
    ga_lsqr(a, b, 0, &o, NULL), told("ga_lsqr", 50);
    ga_lsmr_many(a, b, damp, 2, &o, info), told("ga_lsmr_many", 50);
    T_CHECK(ga_error() == GA_OK);
    ga_array *w = NULL;
    ga_eigsh(a, 2, GA_LARGEST_ALGEBRAIC, NULL, &w, NULL);
    told("ga_eigsh", 3000);
    ga_eigs_options few = {.maxiter = 1, .ncv = 4};
    ga_eigsh(a, 2, GA_SMALLEST_ALGEBRAIC, &few, &w, NULL);
    T_ERROR(GA_ERR_NOT_CONVERGED);
    told("ga_eigsh", 1);
    ga_cg(a, ga_zeros(GA_SHAPE(3), GA_FLOAT64), NULL, NULL);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!seen.calls);
}

static ga_status slow(ga_array *slab, int64_t first, void *arg) {
    doze(30);
    if (arg && first >= 4) return GA_ERR_VALUE;     /* without a message    */
    if (first == 2) ga_savetxt(path, slab, NULL, NULL);
    return GA_OK;
}
TEST(slabs) {
    GA_SCOPE;
    GA_DEVICE(GA_CPU);
    ga_array *x = ga_ones(GA_SHAPE(20, 2), GA_FLOAT64);
    ga_slabs *s = ga_slabs_host(x, &(ga_slab_options){.rows = 2});
    look();
    double began = ga_time();
    T_CHECK(ga_slabs_each(s, slow, NULL) == GA_OK);
    T_CHECK(seen.between >= 1 && seen.between <= 10 * (ga_time() - began));
    told("ga_slabs_each", 10);
    T_CHECK(ga_slabs_each(s, slow, x) == GA_ERR_VALUE);
    told("ga_slabs_each", 10);
    T_CHECK(ga_slabs_sum(s, GA_AXIS(0)) != NULL);
    told("ga_slabs_sum", 10);
    ga_slabs_free(s);
    remove(path);
}

/* f may use the library, and end the watch. */
static void uses(const char *what, int64_t done, int64_t total, void *arg) {
    watch(what, done, total, &seen);
    ga_savetxt(path, (const ga_array *)arg, NULL, NULL);
    ga_add((const ga_array *)arg, ga_ones(GA_SHAPE(3), GA_FLOAT32));
    ga_clear_error();
    if (done == total) ga_progress(NULL, NULL);
}
TEST(f_uses_the_library) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(20, 2), GA_FLOAT64);
    memset(&seen, 0, sizeof seen);
    ga_progress(uses, x);
    for (int i = 0; i < 2; i++)
        T_CHECK(ga_savetxt("/dev/null", x, NULL, NULL) == GA_OK);
    T_CHECK(seen.calls == 2);
    told("ga_savetxt", 20);
    remove(path);
}

static void *writes(void *arg) {
    GA_SCOPE;
    GA_DEVICE(GA_CPU);
    ga_array *x = ga_ones(GA_SHAPE(200, 2), GA_FLOAT64);
    for (int i = 0; i < 40; i++) ga_savetxt("/dev/null", x, NULL, NULL);
    *(ga_status *)arg = ga_error();
    return NULL;
}
TEST(threads) {
    pthread_t id[4];
    ga_status st[4];
    look();
    for (int i = 0; i < 4; i++)
        T_CHECK(!pthread_create(&id[i], NULL, writes, &st[i]));
    for (int i = 0; i < 4; i++) {
        pthread_join(id[i], NULL);
        T_CHECK(st[i] == GA_OK);
    }
    /* one that finds another telling is not told of, and begins later or not */
    T_CHECK(!seen.wrong && seen.begun == seen.ended && seen.begun >= 40);
    ga_progress(NULL, NULL);
}

/* ------------------------------------------------- the line, on a terminal */
static ga_status dozes(ga_array *slab, int64_t first, void *arg) {
    (void)slab, (void)first, (void)arg;
    doze(130);
    return GA_OK;
}
static int walks(void) {
    GA_SCOPE;
    ga_set_device(GA_CPU);
    ga_slabs *s = ga_slabs_host(ga_ones(GA_SHAPE(10, 2), GA_FLOAT64),
                                &(ga_slab_options){.rows = 1});
    ga_status st = ga_slabs_each(s, dozes, NULL);
    ga_slabs_free(s);
    return st != GA_OK;
}
static int on_a_terminal(void) {
    char text[1000];
    int master = posix_openpt(O_RDWR | O_NOCTTY), n;
    if (master < 0 || grantpt(master) || unlockpt(master)) return 90;
    int end = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (end < 0 || dup2(end, 2) < 0) return 91;
    int result = walks();
    fcntl(master, F_SETFL, O_NONBLOCK);
    while ((n = (int)read(master, text, sizeof text)) > 0)
        fwrite(text, 1, (size_t)n, stdout);
    return result;
}
TEST(the_line) {
    T_CHECK(T_CHILD("on a terminal", "TERM=xterm") == 0);
    const char *wiped = strstr(t_said, "\r\033[K");
    T_CHECKF(strstr(t_said, "\rga_slabs_each: 9 of 10\033[K") && wiped
             && !wiped[4], "%s", t_said);
    T_CHECK(T_CHILD("walks", "TERM=xterm") == 0);
    T_CHECKF(!*t_said, "no terminal: %s", t_said);
}

int main(int argc, char **argv) {
    static const t_case cases[] = {{"on a terminal", on_a_terminal},
                                   {"walks", walks}};
    if (argc > 1) return t_is_child(argv[1], cases, T_COUNT(cases));
    const struct CMUnitTest tests[] = {T(text_files), T(solvers), T(slabs),
                                       T(f_uses_the_library), T(threads),
                                       T(the_line)};
    return T_RUN("progress", tests);
}
