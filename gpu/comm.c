/* Collectives against the same calls of NCCL, by the same communicator. */
#define _GNU_SOURCE
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_comm.h"
static double hand[8], ours[8];
static ga_status work(ga_comm *c, void *arg) {
    (void)arg;
    int rank = ga_comm_rank(c), size = ga_comm_size(c), row = 0;
    if (rank == 0) {
        int v = 0;
        if (c->nccl) ga__nccl.GetVersion(&v);
        printf("ranks %d, NCCL %s %d\n", size, c->nccl ? ga__lib_nccl.file[0] : "none", v);
    }
    if (!c->nccl) return GA_OK;
    static const int64_t sizes[] = {1 << 28, 1 << 22, 1 << 10};
    for (int k = 0; k < 3; k++)
        for (int what = 0; what < 2; what++, row++) {
            GA_SCOPE;
            int64_t n = sizes[k] / (what ? size : 1);
            int times = k == 2 ? 2000 : k ? 200 : 20;
            ga_array *x = ga_random(GA_SHAPE(n), GA_FLOAT32);
            ga_array *y = ga_empty(GA_SHAPE(what ? n * size : n), GA_FLOAT32);
            cudaStream_t s = (cudaStream_t)ga_stream_handle(ga_stream_current());
            for (int turn = 0; turn < 4; turn++) {
                double best = 0;
                ga_synchronize();
                ga_comm_barrier(c);
                double t = ga_time();
                for (int i = 0; i < times; i++) {
                    if (turn % 2 == 0) {
                        if (what) ga__nccl.AllGather(x->data, y->data, (size_t)n, 7, c->nccl->comm, s);
                        else ga__nccl.AllReduce(x->data, y->data, (size_t)n, 7, 0, c->nccl->comm, s);
                    } else if (what) ga_comm_allgather_into(c, y, x);
                    else ga_comm_allreduce_into(c, y, x, GA_COMM_SUM);
                }
                ga_synchronize();
                best = (ga_time() - t) / times * 1e6;
                if (rank == 0) (turn % 2 ? ours : hand)[row] = best;
            }
            if (rank == 0)
                printf("%-10s %11lld bytes: by hand %9.2f us, ours %9.2f us, %5.1f%%\n",
                       what ? "allgather" : "allreduce", (long long)(n * 4 * (what ? size : 1)),
                       hand[row], ours[row], 100 * hand[row] / ours[row]);
        }
    return ga_error();
}

/* the same work on one rank and on all */
static double took[2][8];
static int turn;
#define TIMED(k, times, body) do { \
        { GA_SCOPE; body; } \
        ga_synchronize(); ga_comm_barrier(c); \
        double t_ = ga_time(); \
        for (int i_ = 0; i_ < (times); i_++) { GA_SCOPE; body; } \
        ga_synchronize(); ga_comm_barrier(c); \
        if (rank == 0) took[turn][k] = (ga_time() - t_) / (times) * 1e3; \
    } while (0)
static void step(ga_dist *u) {
    ga_array *h = ga_dist_halo(u, 1, 1, true);
    ga_array *mid = ga_slice(h, "1:-1, 1:-1");
    ga_array *north = ga_slice(h, ":-2, 1:-1"), *west = ga_slice(h, "1:-1, :-2");
    ga_array *south = ga_slice(h, "2:, 1:-1"), *east = ga_slice(h, "1:-1, 2:");
    GA_EVAL_INTO(ga_slice(u->local, ":, 1:-1"), mid + 0.2*(north + south + west + east - 4*mid),
                 mid, north, south, west, east);
}
static ga_status scaling(ga_comm *c, void *arg) {
    (void)arg;
    GA_SCOPE;
    int rank = ga_comm_rank(c);
    { GA_SCOPE; ga_dist *x = ga_dist_random(c, GA_SHAPE(1 << 30), GA_FLOAT32);
      ga_dist *y = ga_dist_random(c, GA_SHAPE(1 << 30), GA_FLOAT32);
      TIMED(0, 5, GA_DIST_EVAL(cos(x)*cos(x) + 2*y, x, y));
      TIMED(1, 5, ga_dist_sum(x, GA_ALL));
      TIMED(2, 5, ga_dist_random(c, GA_SHAPE(1 << 30), GA_FLOAT32)); }
    { GA_SCOPE; ga_dist *u = ga_dist_random(c, GA_SHAPE(16384, 16384), GA_FLOAT32);
      TIMED(3, 20, step(u)); 
      TIMED(4, 3, ga_dist_transpose(u)); 
      ga_dist *w = ga_dist_random(c, GA_SHAPE(16384, 16384), GA_FLOAT32);
      TIMED(5, 1, ga_dist_matmul(u, w)); }
    { GA_SCOPE; ga_dist *v = ga_dist_random(c, GA_SHAPE(1 << 28), GA_FLOAT32);
      TIMED(6, 2, ga_dist_sort(v)); }
    if (ga_error() && rank == 0) printf("%s\n", ga_error_message());
    return ga_error();
}
static void out_of_core(void) {
    GA_SCOPE;
    ga_array *x = ga_random(GA_SHAPE(1 << 20, 1 << 10), GA_FLOAT32);    /* 4 GiB */
    if (ga_save_npy("/dev/shm/big.npy", x)) { printf("%s\n", ga_error_message()); ga_clear_error(); return; }
    size_t n = (size_t)1 << 30;
    void *p = ga_pinned_alloc(n);
    double t, rate = 0;
    for (int i = 0; i < 3; i++) {
        GA_SCOPE; ga_synchronize(); t = ga_time();
        ga_asarray_async(p, GA_FLOAT32, GA_SHAPE((int64_t)n / 4)); ga_synchronize();
        rate = (double)n / (ga_time() - t) / 1e9;
    }
    ga_pinned_free(p);
    printf("pinned copy %.1f GB/s\n", rate);
    for (int threads = 8; threads <= 16; threads *= 2)
        for (size_t mem = (size_t)12 << 20; mem <= (size_t)192 << 20; mem *= 2) {
            GA_SCOPE;
            ga_slabs *s = ga_slabs_npy("/dev/shm/big.npy", &(ga_slab_options){.threads = threads, .memory = mem});
            if (!s) { printf("%s\n", ga_error_message()); ga_clear_error(); continue; }
            ga_item(ga_slabs_max(s, GA_ALL));
            double a = 1e9, b = 1e9;
            for (int k = 0; k < 2; k++) {
                t = ga_time(); ga_item(ga_slabs_sum(s, GA_ALL)); t = ga_time() - t; if (t < a) a = t;
                t = ga_time(); ga_item_at(ga_slabs_mean(s, GA_AXIS(0)), GA_INDEX(0)); t = ga_time() - t; if (t < b) b = t;
            }
            printf("slabs, %2d threads, %4zu MB: sum %.1f GB/s (%.0f%%), column means %.1f GB/s (%.0f%%)\n", threads, mem >> 20,
                   4.294967 / a, 429.4967 / a / rate, 4.294967 / b, 429.4967 / b / rate);
            ga_slabs_free(s);
        }
    remove("/dev/shm/big.npy");
}
static ga_status hang(ga_comm *c, void *arg) {
    (void)arg;
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(1000), GA_FLOAT32);
    ga_comm_timeout(c, 1);
    ga_array *y = ga_comm_allreduce(c, x, GA_COMM_SUM);
    if (ga_comm_rank(c) == 1) {
        struct timespec t = {4, 0};
        nanosleep(&t, NULL);
        y = ga_comm_allreduce(c, x, GA_COMM_SUM);
        printf("rank 1: %s\n", y ? "success" : ga_error_message());
        ga_clear_error();
        return GA_OK;
    }
    double t = ga_time();
    y = ga_comm_allreduce(c, x, GA_COMM_SUM);
    double v = y ? ga_item_at(y, GA_INDEX(1)) : -1;
    printf("rank 0: %g after %.2f s: %s\n", v, ga_time() - t, ga_error_message());
    ga_clear_error();
    return GA_OK;
}
int main(int argc, char **argv) {
    if (argc > 1 && argv[1][0] == 'h') {
        if (ga_device_count() > 1 && ga_comm_local(2, hang, NULL)) printf("%s\n", ga_error_message());
        return 0;
    }
    if (argc > 1) { out_of_core(); return 0; }
    static const char *const name[] = {"eval 2^30", "sum 2^30", "random 2^30", "diffusion 16384^2",
                                       "transpose 16384^2", "matmul 16384^2", "sort 2^28"};
    ga_status st = ga_comm_local(0, work, NULL);
    if (st) printf("%s\n", ga_error_message());
    ga_clear_error();
    st = ga_comm_local(1, scaling, NULL);
    if (st) printf("%s\n", ga_error_message());
    ga_clear_error();
    turn = 1;
    int n = ga_device_count();
    if (n > 1) st = ga_comm_local(n, scaling, NULL);
    if (st) printf("%s\n", ga_error_message());
    for (int k = 0; k < 7; k++)
        printf("%-18s 1 rank %9.2f ms, %d ranks %9.2f ms: %.2f\n", name[k], took[0][k], n, took[1][k],
               took[1][k] > 0 ? took[0][k] / took[1][k] : 0);
    return st != GA_OK;
}
