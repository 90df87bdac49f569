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
int main(void) {
    ga_status st = ga_comm_local(0, work, NULL);
    if (st) printf("%s\n", ga_error_message());
    return st != GA_OK;
}
