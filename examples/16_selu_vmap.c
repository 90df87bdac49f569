/* 16_selu_vmap.c - what jit and vmap are for, in C.

   You learn to
     1. fuse the five operations of an activation function into one
     2. apply a matrix to a batch of vectors: by a loop, by one product, and by
        the loop in a graph

   Both are about the same cost. A call to a GPU takes some microseconds,
   however little there is to do. A million numbers or a matrix of 150x100 are
   little: the time is that of the calls, so there should be few of them.
   GA_EVAL makes one of five. A matrix product is a loop over vectors already.
   And where a loop cannot be written as one operation, a graph launches all
   its calls as one.                                                        */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

enum { BATCH = 10 };

/* Numbers are weak: float32 stays float32. */
static ga_array *selu_in_steps(const ga_array *x) {
    ga_array *negative = ga_sub(ga_mul(1.67, ga_exp(x)), 1.67);
    return ga_mul(1.05, ga_where(ga_greater(x, 0), x, negative));
}
static ga_array *selu_fused(const ga_array *x) {
    return GA_EVAL(1.05 * where(x > 0, x, 1.67*exp(x) - 1.67), x);
}

/* `out` is the matrix times each row of `vectors`: a row in the loop, a column
   in the product.                                                          */
typedef struct apply { ga_array *matrix, *vectors, *out; } apply;
static void loop(void *arg) {
    const apply *a = (const apply *)arg;
    for (int i = 0; i < BATCH; i++) {
        GA_SCOPE;
        ga_matmul_into(ga_index_axis(a->out, 0, i), a->matrix,
                       ga_index_axis(a->vectors, 0, i));
    }
}
static void batched(void *arg) {
    const apply *a = (const apply *)arg;
    GA_SCOPE;
    ga_matmul_into(a->out, a->matrix, ga_transpose(a->vectors, GA_ALL));
}

/* Is x, within `tolerance` of the largest number, what the CPU makes of it? */
static const char *agree(const ga_array *x, const ga_array *cpu,
                         double tolerance) {
    GA_SCOPE;
    GA_DEVICE(GA_CPU);
    ga_array *y = ga_to_device(x, GA_CPU);
    double off = ga_item(GA_EVAL(max(abs(y - cpu)), y, cpu));
    return off <= tolerance * ga_item(GA_EVAL(max(abs(cpu)), cpu)) ? "yes"
                                                                   : "no";
}
static void say(const char *what, ga_bench b) {
    printf("   %-22s %8.1f us  (first %.1f ms)\n", what, 1e3 * b.best_ms,
           b.first_ms);
}

int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_random_seed(7);
    puts("selu of 10^6 float32");
    ga_array *x = ga_random_normal(-1, 2, GA_SHAPE(1000000), GA_FLOAT32);
    ga_array *steps = selu_in_steps(x), *fused = selu_fused(x), *cpu;
    say("in five operations", GA_BENCH(selu_in_steps(x)));
    say("in one", GA_BENCH(selu_fused(x)));
    {
        GA_DEVICE(GA_CPU);
        cpu = selu_in_steps(ga_to_device(x, GA_CPU));
    }
    printf("as on the CPU: %s, %s\n", agree(steps, cpu, 1e-6),
           agree(fused, cpu, 1e-6));

    puts("a matrix of 150x100 applied to 10 vectors");
    apply a = {ga_random_standard_normal(GA_SHAPE(150, 100), GA_FLOAT32),
               ga_random_standard_normal(GA_SHAPE(BATCH, 100), GA_FLOAT32),
               ga_full(GA_SHAPE(BATCH, 150), -1, GA_FLOAT32)}, c = a;
    apply b = a;
    b.out = ga_full(GA_SHAPE(150, BATCH), -1, GA_FLOAT32);
    loop(&a);
    batched(&b);
    say("in a loop", GA_BENCH(loop(&a)));
    say("in one product", GA_BENCH(batched(&b)));
    c.out = ga_full(GA_SHAPE(BATCH, 150), -1, GA_FLOAT32);
    ga_graph *g = ga_graph_create(loop, &c);
    say("the loop in a graph", GA_BENCH(ga_graph_launch(g)));
    {
        GA_DEVICE(GA_CPU);
        cpu = ga_matmul(ga_to_device(a.vectors, GA_CPU),
                        ga_transpose(ga_to_device(a.matrix, GA_CPU), GA_ALL));
    }
    printf("as on the CPU: %s, %s, %s\n", agree(a.out, cpu, 1e-5),
           agree(ga_transpose(b.out, GA_ALL), cpu, 1e-5),
           agree(c.out, cpu, 1e-5));
    ga_graph_destroy(g);
    return 0;
}
