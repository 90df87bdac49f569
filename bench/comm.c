/* comm.c - several ranks, and arrays larger than memory (ext/gpuarr_comm.h): one
   JSON line a case on standard output, as bench.c's, with the number of ranks.

     comm [--cases=text,text] [--quick]      started in any of ga_comm_run's ways

   Every case is timed between two barriers, its result is checked; a wrong one
   ends the program with 1. Beside each collective the same call of NCCL by hand,
   in the same process and by the same communicator, impl "nccl". limit_ms of the
   slabs is their bytes at the rate of a pinned copy (on the CPU device of a
   memcpy by one thread), measured before. comm.sh runs it with 1, 2, 4 ranks. */
#define _GNU_SOURCE
#define GPUARR_IMPLEMENTATION           /* for NCCL's handle                */
#include "gpuarr.h"
#include "gpuarr_comm.h"

#define F GA_FLOAT32
static const char *only = "";
static bool quick;
static atomic_int wrong;

/* What a case needs; its arrays are the set-up's. */
typedef struct work {
    ga_comm *c;
    int64_t n;                          /* elements, or rows of a square    */
    ga_dist *x, *y, *out;
    ga_array *a, *b, *host;
    ga_slabs *s;
} work;

static bool asked(const char *name) {
    if (!*only) return true;
    char text[512], *t, *rest = text;
    snprintf(text, sizeof text, "%s", only);
    while ((t = strtok_r(rest, ",", &rest)))
        if (strstr(name, t)) return true;
    return false;
}
static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
/* Rank 0's number, on every rank. */
static double agreed(ga_comm *c, double v) {
    GA_SCOPE;
    ga_array *x = ga_comm_broadcast(c, ga_full(GA_SHAPE(1), v, GA_FLOAT64), 0);
    return x ? ga_item(ga_reshape(x, GA_SCALAR_SHAPE)) : 0;
}
static double took(work *w, void (*body)(work *), int times) {
    ga_comm_barrier(w->c);
    double t = ga_time();
    for (int i = 0; i < times; i++) {
        GA_SCOPE;
        body(w);
    }
    ga_comm_barrier(w->c);              /* which waits for the device       */
    return (ga_time() - t) * 1e3 / times;
}
static void time_case(work *w, const char *name, const char *impl,
                      void (*body)(work *), bool right, double limit) {
    double first = took(w, body, 1), once = took(w, body, 1);
    int times = (int)agreed(w->c, once > 20 ? 1 : 20 / (once + 0.001) + 1);
    int samples = (int)agreed(w->c, once > 300 ? 3 : once > 30 ? 5 : 9);
    double ms[9];
    for (int i = 0; i < samples; i++) ms[i] = took(w, body, times);
    qsort(ms, (size_t)samples, sizeof *ms, by_value);
    if (ga_error()) {
        fprintf(stderr, "%s: %s\n", name, ga_error_message());
        right = false;
    }
    if (!right) atomic_fetch_add(&wrong, 1);
    if (ga_comm_rank(w->c) || ga_error()) return;
    ga_device_properties d;
    ga_device_info(ga_device(), &d);
    printf("{\"case\": \"%s\", \"impl\": \"%s\", \"device\": \"%s\", \"ranks\": "
           "%d, \"best_ms\": %.5f, \"median_ms\": %.5f, \"first_ms\": %.5f, "
           "\"limit_ms\": ", name, impl, d.name, ga_comm_size(w->c), ms[0],
           ms[samples / 2], first);
    if (limit > 0) printf("%.5f}\n", limit);
    else printf("null}\n");
    fflush(stdout);
}

/* ------------------------------------------------------------- collectives */
static void by_allreduce(work *w) {
    ga_comm_allreduce_into(w->c, w->b, w->a, GA_COMM_SUM);
}
static void by_allgather(work *w) { ga_comm_allgather_into(w->c, w->b, w->a); }
#ifndef GPUARR_NO_CUDA
static cudaStream_t stream_of_now(void) {
    return (cudaStream_t)ga_stream_handle(ga_stream_current());
}
static void nccl_allreduce(work *w) {
    ga__nccl.AllReduce(w->a->data, w->b->data, (size_t)w->n, 7, 0,
                       w->c->nccl->comm, stream_of_now());
}
static void nccl_allgather(work *w) {
    ga__nccl.AllGather(w->a->data, w->b->data, (size_t)w->n, 7,
                       w->c->nccl->comm, stream_of_now());
}
#endif
static void collectives(work *w) {
    const int size = ga_comm_size(w->c);
    const bool gpu = ga_device() != GA_CPU;
    const int64_t bytes[] = {4096, 16 << 20, gpu && !quick ? 1 << 30 : 64 << 20};
    static const char *const text[] = {"4KiB", "16MiB", NULL};
    for (int k = 0; k < 3; k++)
        for (int gather = 0; gather < 2; gather++) {
            GA_SCOPE;
            char name[64];
            snprintf(name, sizeof name, "comm_%s_f32_%s", gather ? "allgather"
                     : "allreduce", text[k] ? text[k] : gpu && !quick ? "1GiB"
                     : "64MiB");
            if (!asked(name)) continue;
            w->n = bytes[k] / 4 / (gather ? size : 1);
            const int64_t all = gather ? w->n * size : w->n;
            w->a = ga_full(GA_SHAPE(w->n), ga_comm_rank(w->c) + 1, F);
            w->b = ga_zeros(GA_SHAPE(all), F);
            void (*ours)(work *) = gather ? by_allgather : by_allreduce;
            ours(w);
            double sum = ga_item(ga_sum_as(w->b, GA_FLOAT64, GA_ALL));
            double want = size * (size + 1) / 2.0 * (double)w->n;
            time_case(w, name, "gpuarr", ours, sum == want, 0);
#ifndef GPUARR_NO_CUDA
            if (w->c->nccl)
                time_case(w, name, "nccl", gather ? nccl_allgather
                          : nccl_allreduce, true, 0);
#endif
        }
}

/* ------------------------------------------------------- distributed arrays */
static void by_eval(work *w) {
    ga_dist *x = w->x, *y = w->y;
    GA_DIST_EVAL(cos(x)*cos(x) + 2*y, x, y);
}
static void by_add(work *w) {
    ga_add_into(w->out->local, w->x->local, w->y->local);
}
static void by_sum(work *w) { ga_dist_sum(w->x, GA_ALL); }
static void by_mean(work *w) { ga_dist_mean(w->x, GA_AXIS(0)); }
static void by_random(work *w) {
    ga_dist_random(w->c, GA_SHAPE(w->n), F);
}
static void by_normal(work *w) {
    ga_dist_standard_normal(w->c, GA_SHAPE(w->n), F);
}
static void by_sort(work *w) { ga_dist_sort(w->x); }
static void by_transpose(work *w) { ga_dist_transpose(w->x); }
static void by_matmul(work *w) { ga_dist_matmul(w->x, w->y); }
static void by_whole(work *w) { ga_dist_matmul_whole(w->x, w->b); }
static ga_status step(ga_array *v, const ga_array *u, void *arg) {
    (void)arg;
    return GA_EVAL_SET(
        "v[:, 1:-1] = u[1:-1, 1:-1] + 0.2*(u[:-2, 1:-1] + u[2:, 1:-1]"
        " + u[1:-1, :-2] + u[1:-1, 2:] - 4*u[1:-1, 1:-1])", u, v);
}
static void by_step(work *w) {
    ga_dist_map_overlap(w->out, w->x, 1, 1, true, step, NULL);
}
/* Of all elements, each between low and high; the mean near `mean`. */
static bool ranges(const ga_dist *x, double low, double high, double mean) {
    GA_SCOPE;
    double a = ga_item(ga_dist_min(x, GA_ALL)), b = ga_item(ga_dist_max(x, GA_ALL));
    double m = ga_item(ga_dist_mean(x, GA_ALL));
    return a >= low && b <= high && fabs(m - mean) < 2e-3;
}
/* (x y) 1 = x (y 1) */
static bool multiplies(const ga_dist *product, const ga_dist *x,
                       const ga_array *y_ones) {
    GA_SCOPE;
    ga_array *ones = ga_ones(GA_SHAPE(product ? product->shape[1] : 1), F);
    ga_array *a = product ? ga_matmul(product->local, ones) : NULL;
    ga_array *b = ga_matmul(x->local, y_ones);
    return a && ga_item(ga_all(ga_isclose(a, b, 1e-3, 1e-3, 0), GA_ALL)) != 0;
}
static void flat(work *w, bool gpu) {
    GA_SCOPE;
    const char *size = quick ? "1e6" : gpu ? "2^30" : "4e7";
    char name[64];
    w->n = quick ? 1000000 : gpu ? 1 << 30 : 40000000;
    ga_comm_seed(w->c, 1);
    w->x = ga_dist_random(w->c, GA_SHAPE(w->n), F);
    w->y = ga_dist_random(w->c, GA_SHAPE(w->n), F);
    w->out = ga_dist_zeros(w->c, GA_SHAPE(w->n), F);
#define CASE(what, body, check, limit) do {                                 \
        snprintf(name, sizeof name, "dist_" what "_f32_%s", size);          \
        if (asked(name)) time_case(w, name, "gpuarr", body, check, limit);  \
    } while (0)
    ga_dist *x = w->x, *y = w->y;
    CASE("eval", by_eval, ranges(GA_DIST_EVAL(cos(x)*cos(x) + 2*y, x, y), 0.29,
                                 3, 1.7273), 0);
    by_add(w);
    CASE("add", by_add, ranges(w->out, 0, 2, 1), 0);
    CASE("sum", by_sum, fabs(ga_item(ga_dist_sum(x, GA_ALL)) / (double)w->n
                             - 0.5) < 2e-3, 0);
    CASE("random", by_random, ranges(x, 0, 1, 0.5), 0);
    CASE("normal", by_normal, ranges(ga_dist_standard_normal(
        w->c, GA_SHAPE(w->n), F), -8, 8, 0), 0);
    ga_dist_free(w->out);
    ga_dist_free(y);
    if (w->n > 1 << 28) {
        ga_dist_free(x);
        w->n = 1 << 28;
        size = "2^28";
        w->x = ga_dist_random(w->c, GA_SHAPE(w->n), F);
    }
    ga_dist *sorted = ga_dist_sort(w->x);
    bool right = sorted && ranges(sorted, 0, 1, 0.5);
    if (right && sorted->local->size > 1) {
        ga_array *l = sorted->local;
        right = ga_item(ga_all(ga_less_equal(ga_slice(l, ":-1"), ga_slice(l, "1:")),
                               GA_ALL)) != 0;
    }
    ga_dist_free(sorted);
    CASE("sort", by_sort, right, 0);
}
static void square(work *w, bool gpu) {
    const int64_t sizes[] = {quick ? 256 : gpu ? 4096 : 1024,
                             quick ? 512 : gpu ? 16384 : 4096, 32768};
    for (int k = 0; k < (gpu && !quick ? 3 : 2); k++) {    /* the last: products */
        GA_SCOPE;
        char name[64], size[32];
        const int64_t n = w->n = sizes[k];
        snprintf(size, sizeof size, "%lld", (long long)n);
        w->x = ga_dist_random(w->c, GA_SHAPE(n, n), F);
        w->y = ga_dist_random(w->c, GA_SHAPE(n, n), F);
        if (k < 2) {
            w->out = ga_dist_zeros(w->c, GA_SHAPE(n, n), F);
            ga_assign(w->out->local, w->x->local);
            by_step(w);
            CASE("diffusion", by_step, ranges(w->out, 0, 1, 0.5), 0);
            CASE("mean_axis0", by_mean, ranges(w->x, 0, 1, 0.5), 0);
        }
        ga_array *ones = ga_ones(GA_SHAPE(n), F);
        ga_array *sums = ga_dist_allgather(ga_dist_matmul_whole(w->y, ones));
        if (k < (gpu ? 2 : 1)) {
            ga_dist *t = ga_dist_transpose(w->x);
            ga_array *cols = t ? ga_sum(t->local, GA_AXIS(1)) : NULL;
            ga_array *want = ga_dist_sum(w->x, GA_AXIS(0));
            want = t ? ga_slice_axis(want, 0, t->first, t->first + t->local->shape[0],
                                     1) : NULL;
            CASE("transpose", by_transpose, cols && want && ga_item(ga_all(
                ga_isclose(cols, want, 1e-4, 1e-4, 0), GA_ALL)) != 0, 0);
            ga_dist_free(t);
        }
        if (k == 0 || gpu) {
            CASE("matmul", by_matmul, multiplies(ga_dist_matmul(w->x, w->y),
                                                 w->x, sums), 0);
            w->b = ga_dist_allgather(w->y);
            CASE("matmul_whole", by_whole, multiplies(
                ga_dist_matmul_whole(w->x, w->b), w->x, sums), 0);
        }
    }
}

/* -------------------------------------------------------------------- slabs */
static const char file[] = "/dev/shm/gpuarr-bench-slabs.npy";
static void by_slab_sum(work *w) { ga_item(ga_slabs_sum(w->s, GA_ALL)); }
static void by_slab_mean(work *w) {
    ga_slabs_mean(w->s, GA_AXIS(0));
    ga_synchronize();
}
static void by_slab_var(work *w) { ga_item(ga_slabs_var(w->s, GA_ALL, 0)); }
static void by_slab_histogram(work *w) {
    ga_slabs_histogram(w->s, 100, 0, 1, NULL);
    ga_synchronize();
}
static void by_slab_quantile(work *w) {
    const double q[] = {0.05, 0.5, 0.95};
    ga_slabs_quantile(w->s, q, 3);
}
static void by_slab_matmul(work *w) {
    ga_slabs_matmul(w->s, w->b);
    ga_synchronize();
}
static void by_slab_inner(work *w) {
    ga_slabs_inner(w->s);
    ga_synchronize();
}
/* Walks it for the first time, pinning what it needs. */
static void by_opening(work *w) {
    ga_slabs *s = ga_slabs_npy(file, NULL);
    ga_item(ga_slabs_sum(s, GA_ALL));
    ga_slabs_free(s);
    (void)w;
}
static bool near(double a, double b) { return fabs(a - b) <= 1e-3 * fabs(b); }

/* Milliseconds that n bytes take in one pinned copy, or a memcpy. */
static double transfer_ms(size_t n) {
    const size_t part = n < (size_t)256 << 20 ? n : (size_t)256 << 20;
    char *p = ga_pinned_alloc(part), *q = NULL;
    if (!p) return 0;
    memset(p, 1, part);
    if (ga_device() == GA_CPU) {
        q = malloc(part);
        if (q) memset(q, 0, part);
    }
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        GA_SCOPE;
        ga_array *x = q ? NULL : ga_empty(GA_SHAPE((int64_t)part), GA_UINT8);
        ga_synchronize();
        double t = ga_time();
        if (q) memcpy(q, p, part);
        else ga_asarray_async(p, GA_UINT8, GA_SHAPE((int64_t)part));
        ga_synchronize();
        t = ga_time() - t;
        if (t < best) best = t;
        (void)x;
    }
    free(q);
    ga_pinned_free(p);
    return best * 1e3 * (double)n / (double)part;
}
static void walks(work *w, const char *of, double limit, double sum) {
    char name[64];
#undef CASE
#define CASE(what, body, right, times) do {                                 \
        snprintf(name, sizeof name, "slabs_" what "_%s", of);               \
        if (asked(name)) {                                                  \
            GA_SCOPE;                                                       \
            time_case(w, name, "gpuarr", body, right, (times) * limit);     \
        }                                                                   \
    } while (0)
    const double n = (double)w->n * 1024, q[] = {0.05, 0.5, 0.95};
    CASE("sum", by_slab_sum, near(ga_item(ga_slabs_sum(w->s, GA_ALL)), sum), 1);
    CASE("mean_axis0", by_slab_mean,
         near(ga_item(ga_mean(ga_slabs_mean(w->s, GA_AXIS(0)), GA_ALL)), sum / n), 1);
    CASE("var", by_slab_var, near(ga_item(ga_slabs_var(w->s, GA_ALL, 0)), 1/12.0), 1);
    CASE("histogram", by_slab_histogram, ga_item(ga_sum(
         ga_slabs_histogram(w->s, 100, 0, 1, NULL), GA_ALL)) == n, 1);
    CASE("quantile", by_slab_quantile, near(ga_item_at(
         ga_slabs_quantile(w->s, q, 3), GA_INDEX(2)), 0.95), 2);
    w->b = ga_full(GA_SHAPE(1024, 16), 0.5, F);
    CASE("matmul", by_slab_matmul, near(ga_item(ga_sum(ga_slabs_matmul(w->s, w->b),
         GA_ALL)), 8 * sum), 1);
    CASE("inner", by_slab_inner, ga_slabs_inner(w->s) != NULL, 1);
}
static void slabs(work *w, bool gpu) {
    GA_SCOPE;
    w->n = quick ? 1 << 14 : gpu ? 1 << 20 : 1 << 16;   /* rows of 4 KB      */
    const size_t bytes = (size_t)w->n * 4096;
    if (!asked("slabs_sum_file slabs_mean_axis0_host slabs_var slabs_histogram "
               "slabs_quantile slabs_matmul slabs_inner slabs_opening")) return;
    ga_array *x = ga_random(GA_SHAPE(w->n, 1024), F);
    if (!x || ga_save_npy(file, x)) {
        fprintf(stderr, "%s: %s\n", file, ga_error_message());
        ga_clear_error();
        return;
    }
    const double sum = ga_item(ga_sum_as(x, GA_FLOAT64, GA_ALL));
    ga_free(x);
    const double limit = transfer_ms(bytes);
    w->s = ga_slabs_npy(file, NULL);
    walks(w, "file", limit, sum);
    ga_slabs_free(w->s);
    if (asked("slabs_opening_file"))
        time_case(w, "slabs_opening_file", "gpuarr", by_opening, true, limit);
    {
        GA_DEVICE(GA_CPU);
        w->host = ga_load_npy(file);
    }
    w->s = ga_slabs_host(w->host, NULL);
    walks(w, "host", limit, sum);
    ga_slabs_free(w->s);
    remove(file);
}

static ga_status cases(ga_comm *c, void *arg) {
    work w = {.c = c};
    const bool gpu = ga_device() != GA_CPU;
    (void)arg;
    collectives(&w);
    flat(&w, gpu);
    square(&w, gpu);
    if (ga_comm_size(c) == 1) slabs(&w, gpu);
    return ga_error();
}
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (!strncmp(argv[i], "--cases=", 8)) only = argv[i] + 8;
        else if (!strcmp(argv[i], "--quick")) quick = true;
        else {
            fprintf(stderr, "comm [--cases=text,text] [--quick]\n");
            return 2;
        }
    }
    ga_on_error(GA_PRINT);
    ga_status st = ga_comm_run(0, cases, NULL);
    return st != GA_OK || atomic_load(&wrong);
}
