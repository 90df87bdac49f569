#define _POSIX_C_SOURCE 200809L
#include "gpuarr.h"
#include "gpuarr_sparse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cuda_runtime.h>
#include <cusparse.h>
static double best(void (*f)(void *), void *a, int n) {
    double b = 1e9;
    for (int i = 0; i < n; i++) {
        ga_synchronize();
        double t = ga_time();
        f(a);
        ga_synchronize();
        t = ga_time() - t;
        if (t < b) b = t;
    }
    return b * 1e3;
}
typedef struct { ga_sparse *a; ga_array *x, *y; unsigned f; } mv;
static void run_mv(void *p) {
    mv *m = (mv *)p;
    for (int i = 0; i < 10; i++) ga_sparse_matmul_into(m->y, m->a, m->x, m->f);
}
typedef struct { ga_sparse *a; ga_array *b; double damp[10]; ga_solve_info info[10]; } ls;
static void run_ls(void *p) {
    GA_SCOPE;
    ls *m = (ls *)p;
    ga_lsmr_many(m->a, m->b, m->damp, 10, NULL, m->info);
}
static ga_solve_info cgi;
static void run_cg(void *p) {
    GA_SCOPE;
    mv *m = (mv *)p;
    ga_solve_options o = {.rtol = 1e-30, .maxiter = 40};
    ga_cg(m->a, m->x, &o, &cgi);
}
static void report(const char *name, ga_sparse *a, ga_dtype t, unsigned f) {
    GA_SCOPE;
    mv m = {a, ga_ones(GA_SHAPE(a->shape[f != 0 ? 0 : 1]), t), ga_zeros(GA_SHAPE(a->shape[f != 0]), t), f};
    double s = (double)ga_dtype_size(t), i = (double)ga_dtype_size(a->indices->dtype);
    double bytes = (double)a->nnz * (s + i) + (double)a->shape[0] * (i + 2 * s);
    ga_sparse_matmul_into(m.y, a, m.x, f);
    double ms = best(run_mv, &m, 5) / 10;
    printf("%-34s %9.4f ms  %7.1f GB/s\n", name, ms, bytes / ms / 1e6);
    fflush(stdout);
}
static void spsv(const ga_sparse *a) {
    GA_SCOPE;
    cusparseHandle_t h; cusparseSpMatDescr_t A; cusparseDnVecDescr_t X, Y; cusparseSpSVDescr_t d; double one = 1; size_t n = 0; void *buf;
    int64_t N = a->shape[0];
    ga_array *x = ga_ones(GA_SHAPE(N), GA_FLOAT64), *y = ga_zeros_like(x);
    ga_synchronize();
    cusparseFillMode_t fm = CUSPARSE_FILL_MODE_LOWER; cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    if (cusparseCreate(&h) || cusparseCreateCsr(&A, N, N, a->nnz, a->indptr->data, a->indices->data, a->data->data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F)
        || cusparseSpMatSetAttribute(A, CUSPARSE_SPMAT_FILL_MODE, &fm, sizeof fm) || cusparseCreateDnVec(&X, N, x->data, CUDA_R_64F) || cusparseCreateDnVec(&Y, N, y->data, CUDA_R_64F)
        || cusparseSpSV_createDescr(&d) || cusparseSpSV_bufferSize(h, op, &one, A, X, Y, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d, &n) || cudaMalloc(&buf, n + 16)
        || cusparseSpSV_analysis(h, op, &one, A, X, Y, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d, buf)) { printf("spsv failed\n"); return; }
    for (int i = 0; i < 3; i++) {
        cudaDeviceSynchronize();
        double t = ga_time();
        cusparseSpSV_solve(h, op, &one, A, X, Y, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, d);
        cudaDeviceSynchronize();
        printf("cusparse SpSV, one triangle: %.3f ms\n", 1e3 * (ga_time() - t));
    }
}
static ga_sparse *laplacian(ga_dtype t) {
    GA_SCOPE;
    int64_t n = 3163, N = n * n;
    ga_array *i = ga_arange_as(0, N, 1, GA_INT64);
    ga_array *side = ga_astype(ga_not_equal(ga_remainder(ga_slice_axis(i, 0, 1, N, 1), n), 0), t);
    side = ga_negative(side);
    ga_array *one = ga_full(GA_SHAPE(1), -1, t), *four = ga_full(GA_SHAPE(1), 4, t);
    const ga_array *d[] = {one, side, four, side, one};
    int64_t at[] = {-n, -1, 0, 1, n};
    return ga_sparse_keep(ga_sparse_diags(5, d, at, N, N));
}
static void start_curve(ls *l) {
    ga_random_seed(1234);
    l->a = ga_sparse_random(15000, 15000, 0.1, GA_FLOAT32);
    ga_sparse_prepare(l->a, 0);
    ga_sparse_prepare(l->a, GA_TRANS);
    l->b = ga_astype(ga_add(ga_random_normal(0., 1., GA_SHAPE(15000), GA_FLOAT64), 3.), GA_FLOAT32);
    for (int i = 0; i < 10; i++) l->damp[i] = 0.1 * pow(50000, i / 9.);
}
static void run_some(ls *l, int64_t n) {
    GA_SCOPE;
    ga_solve_options o = {.maxiter = n, .atol = -1, .btol = -1};
    ga_lsmr_many(l->a, l->b, l->damp, 10, &o, l->info);
}
int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ls l;
    if (argc > 1) {             /* under ncu: the kernels one by one        */
        start_curve(&l);
        run_some(&l, 4);
        ga_sparse *a = laplacian(GA_FLOAT64);
        ga_solve_options o = {.rtol = 1e-30, .maxiter = 2};
        ga_cg(a, ga_ones(GA_SHAPE(a->shape[0]), GA_FLOAT64), &o, &cgi);
        return argv[1][0] == 0;
    }
    start_curve(&l);
    report("spmv l-curve f32", l.a, GA_FLOAT32, 0);
    report("spmv l-curve f32 T", l.a, GA_FLOAT32, GA_TRANS);
    run_ls(&l);
    double ms = best(run_ls, &l, 2);
    printf("l-curve lsmr_many %.3f ms, %d iterations\n", ms, (int)l.info[0].iterations);
    ga_synchronize();
    double t0 = ga_time();
    run_some(&l, 400);
    double t1 = ga_time();
    run_some(&l, 800);
    printf("an iteration %.4f ms\n", (ga_time() - t1 - (t1 - t0)) / 400 * 1e3);
    for (int w = 0; w < 2; w++) {
        GA_SCOPE;
        ga_dtype t = w ? GA_FLOAT32 : GA_FLOAT64;
        ga_sparse *a = laplacian(t);
        report(w ? "spmv laplacian 1e7 f32" : "spmv laplacian 1e7 f64", a, t, 0);
        ga_sparse_prepare(a, 0);
        report(w ? "  prepared f32" : "  prepared f64", a, t, 0);
        mv m = {a, ga_ones(GA_SHAPE(a->shape[0]), t), NULL, 0};
        run_cg(&m);
        printf("cg iteration: %.4f ms (%d)\n", best(run_cg, &m, 2) / 40, (int)cgi.iterations);
    }
    {
        GA_SCOPE;
        int64_t n = 1000, N = n * n;
        ga_array *i = ga_arange_as(1, N, 1, GA_INT64);
        ga_array *side = ga_negative(ga_astype(ga_not_equal(ga_remainder(i, n), 0), GA_FLOAT64));
        ga_array *one = ga_full(GA_SHAPE(1), -1, GA_FLOAT64), *four = ga_full(GA_SHAPE(1), 4.001, GA_FLOAT64);
        const ga_array *d[] = {one, side, four, side, one};
        int64_t at[] = {-n, -1, 0, 1, n};
        ga_sparse *a = ga_sparse_diags(5, d, at, N, N);
        ga_array *b = ga_random(GA_SHAPE(N), GA_FLOAT64), *y = ga_zeros_like(b);
        ga_sparse *f;
        for (int k = 0; k < 2; k++) {
            ga_synchronize();
            double t0 = ga_time();
            f = k ? ga_sparse_ic0(a) : ga_sparse_ilu0(a);
            printf("%s of 1e6: %.2f ms\n", k ? "ic0" : "ilu0", 1e3 * (ga_time() - t0));
            ga_operator m = k ? ga_ic0_operator(f) : ga_ilu0_operator(f);
            m.apply(m.arg, y, b, 0);
            ga_synchronize();
            t0 = ga_time();
            for (int j = 0; j < 3; j++) m.apply(m.arg, y, b, 0);
            ga_synchronize();
            printf("  applied: %.3f ms\n", 1e3 * (ga_time() - t0) / 3);
            ga_solve_options o = {.rtol = 1e-8, .precond = &m};
            t0 = ga_time();
            ga_cg(a, b, &o, &cgi);
            printf("  cg: %.1f ms, %d iterations\n", 1e3 * (ga_time() - t0), (int)cgi.iterations);
        }
        spsv(f);
        ga_solve_options o = {.rtol = 1e-8};
        double t0 = ga_time();
        ga_cg(a, b, &o, &cgi);
        printf("cg without: %.1f ms, %d iterations\n", 1e3 * (ga_time() - t0), (int)cgi.iterations);
    }
    for (int k = 0; k < 2; k++) {
        GA_SCOPE;
        ga_sparse *a = ga_sparse_random(k ? 100000 : 1000, k ? 100000 : 1000, k ? 5e-5 : 5e-3, GA_FLOAT64);
        a = ga_sparse_add(a, ga_sparse_scale(ga_sparse_eye(a->shape[0], a->shape[0], 0, GA_FLOAT64), ga_full(GA_SHAPE(1), 9, GA_FLOAT64)));
        ga_array *b = ga_ones(GA_SHAPE(a->shape[0]), GA_FLOAT64);
        ga_solve_options o = {.rtol = -1, .maxiter = 400}, o2 = {.rtol = -1, .maxiter = 800};
        ga_cg(a, b, &o, &cgi);
        double t0 = ga_time();
        ga_cg(a, b, &o, &cgi);
        double t1 = ga_time();
        ga_cg(a, b, &o2, &cgi);
        printf("cg of %d rows: an iteration %.4f ms\n", (int)a->shape[0], 1e3 * (ga_time() - t1 - (t1 - t0)) / 400);
    }
    {
        GA_SCOPE;
        ga_sparse *a = laplacian(GA_FLOAT32);
        ga_array *z = ga_zeros(GA_SHAPE(2000000), GA_INT64), *c = ga_arange_as(0, 10000000, 5, GA_INT64);
        a = ga_sparse_add(a, ga_sparse_coo(ga_ones(GA_SHAPE(2000000), GA_FLOAT32), z, c, a->shape[0], a->shape[0]));
        report("laplacian f32, a row of 2e6", a, GA_FLOAT32, 0);
        ga_sparse_prepare(a, 0);
        report("  prepared", a, GA_FLOAT32, 0);
    }
    return 0;
}
