/* 14_expressions.c - formulas: a line of C over whole arrays, in one pass.

   You learn to
     1. write a formula, and know its type
     2. read the error that points at the place
     3. write into arrays that exist, several in one pass
     4. reduce on the way, without an array of what is reduced
     5. slice inside the formula: neighbours, borders
     6. keep an expression, and repeat it in a graph

   ga_add or ga_exp reads its operands from memory and writes its result there,
   and memory is the slow part: five calls take five times as long as they
   must. GA_EVAL reads each operand once, computes the whole formula for the
   element and writes the result. Nothing is compiled at run time: the text
   becomes a small program for a kernel that is there already.              */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdlib.h>

static void show(const char *what, const ga_array *x) {
    char *text = ga_repr(x);
    printf("%-19s %s\n", what, text ? text : ga_error_message());
    free(text);
}
static void show_error(const ga_array *none) {
    printf("%s:\n%s\n", none ? "no error" : ga_status_name(ga_error()),
           ga_error_message());
    ga_clear_error();
}

/* For 6: u becomes half of itself. */
typedef struct decay { ga_expr *half; ga_array *u; } decay;
static void decay_step(void *arg) {
    const decay *d = (const decay *)arg;
    GA_EXPR_RUN_INTO(d->u, d->half, d->u, 0.5);
}

int main(void) {
    GA_SCOPE;
    puts("1. Formulas");
    ga_array *x = ga_linspace(-2, 2, 5);
    show("x", x);
    show("selu of x", GA_EVAL(1.05 * where(x > 0, x, 1.67*exp(x) - 1.67), x));
    /* Operators and precedence are C's, ** is the power; shapes broadcast;
       an operand may be a C variable.                                      */
    ga_array *column = ga_reshape(ga_arange(0, 3, 1), GA_SHAPE(3, 1));
    double a = 10;
    puts("a*column + x**2");
    ga_print(GA_EVAL(a*column + x**2, a, column, x));
    /* Numbers adapt to arrays, as in NumPy: float32 stays float32. The
       quotient of integers is a float. A cast is written as a call.        */
    ga_array *i = ga_arange(1, 6, 1), *f = ga_astype(x, GA_FLOAT32);
    show("f*2.5", GA_EVAL(f*2.5, f));
    show("i/2", GA_EVAL(i/2, i));
    show("int32(i/2) & 1", GA_EVAL(int32(i/2) & 1, i));

    puts("\n2. Errors");
    show_error(GA_EVAL(x*(i + sine(x)), x, i));
    ga_array *four = ga_ones(GA_SHAPE(4), GA_FLOAT64);
    show_error(GA_EVAL(2*x + four, x, four));
    ga_on_error(GA_EXIT);               /* from here on none is expected    */

    puts("\n3. Into arrays");
    ga_array *s = ga_empty_like(x), *c = ga_empty_like(x);
    GA_EVAL_SET(s = sinh(x); c = cosh(x), s, c, x);
    GA_EVAL_INTO(c, c**2 - s**2, c, s);     /* c is read before it is written */
    ga_round_into(c, c, 12);
    show("cosh**2 - sinh**2", c);

    puts("\n4. Reductions");
    ga_array *m = ga_linspace(0, 1, 1000000), *n = ga_sqrt(m);
    double fused = ga_item(GA_EVAL(sum((m - n)**2), m, n));
    printf("%-19s %.6f\n", "sum((m - n)**2)", fused);
    show("max(..., axis=1)",
         GA_EVAL(max(a*column - x**2, axis=1), a, column, x));
    {
        GA_DEVICE(GA_CPU);              /* the same in steps, on the CPU    */
        ga_array *d = ga_to_device(m, GA_CPU), *e = ga_to_device(n, GA_CPU);
        double steps = ga_item(ga_sum(ga_square(ga_sub(d, e)), GA_ALL));
        printf("the CPU's sum is the same: %s\n",
               fused > steps * (1 - 1e-12) && fused < steps * (1 + 1e-12)
               ? "yes" : "no");
    }

    puts("\n5. Slices");
    /* Parentheses, or a string, where brackets have commas. A bound may be a
       C variable; what is no plain name gets one where it is passed.       */
    int lag = 2;
    show("x[1:] - x[:-1]", GA_EVAL(x[1:] - x[:-1], x));
    show("w[lag:]*w[:-lag]",
         GA_EVAL(w[lag:]*w[:-lag], (w, ga_square(x)), lag));
    ga_array *u = ga_reshape(ga_arange(0, 20, 1), GA_SHAPE(4, 5));
    puts("4 u minus its neighbours, inside");
    ga_print(GA_EVAL((4*u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1]
                      - u[1:-1, :-2] - u[1:-1, 2:]), u));
    /* Statements follow each other: the second reads what the first wrote. */
    GA_EVAL_SET("u[0] = u[-2]; u[-1] = 10*u[0] + 1; u[1:-1, 0] = 0", u);
    puts("borders set");
    ga_print(u);

    puts("\n6. Kept");
    decay d = {ga_expr_compile("u*factor", "u, factor"),
               ga_full(GA_SHAPE(4), 8, GA_FLOAT64)};
    ga_graph *g = ga_graph_create(decay_step, &d);
    for (int k = 0; k < 3; k++) ga_graph_launch(g);
    show("8, halved 3 times", d.u);
    ga_graph_destroy(g);
    ga_expr_free(d.half);
    return 0;
}
