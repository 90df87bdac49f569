/* What mpirun starts for comm.sh: the checks of comm.h, or a rank that dies or
   hangs. Built with an implementation of its own, for GPUARR_USE_MPI.        */
#define _GNU_SOURCE
#define GPUARR_IMPLEMENTATION
#define GPUARR_USE_MPI
#include "comm.h"
#include <signal.h>

static ga_status checks(ga_comm *c, void *arg) {
    ga_status st = GA_OK;
    for (size_t i = 0; i < T_COUNT(r_checks) && !st; i++) {
        st = r_checks[i].f(c, arg);
        if (st) fprintf(stderr, "%s: %s\n", r_checks[i].name,
                        ga_error_message());
    }
    return st;
}
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "checks";
    if (!strcmp(what, "run"))               /* which starts MPI by itself   */
        return ga_comm_run(1, checks, NULL) || atomic_load(&r_bad);
    MPI_Init(&argc, &argv);
    ga_comm *c = ga_comm_mpi(MPI_COMM_WORLD);
    if (!c) {
        fprintf(stderr, "%s\n", ga_error_message());
        return 9;
    }
    const int rank = ga_comm_rank(c);
    if (!strcmp(what, "threads")) {
        bool good = r_shares_cores(c);
        ga_comm_free(c);
        MPI_Finalize();
        return !good;
    }
    if (!strcmp(what, "checks")) {
        ga_status st = checks(c, NULL);
        ga_comm_free(c);
        MPI_Finalize();
        return st || atomic_load(&r_bad);
    }
    ga_comm_timeout(c, 1);
    ga_array *x = ga_ones(GA_SHAPE(100000), GA_FLOAT64), *y;
    y = ga_comm_allreduce(c, x, GA_COMM_SUM);
    if (y && rank == 1 && !strcmp(what, "dies")) {
        fprintf(stderr, "rank 1 dies\n");
        raise(SIGKILL);
    }
    if (y && rank == 1) sleep(20);
    y = ga_comm_allreduce(c, x, GA_COMM_SUM);
    fprintf(stderr, "rank %d: %s\n", rank, y ? "success" : ga_error_message());
    _exit(3);                               /* MPI_Finalize would wait      */
}
