/* 07_regression.c - least squares, and how many digits of the answer are right.

   You learn to
     1. write a model as a matrix, one column for each coefficient
     2. fit it by ga_lstsq
     3. get standard errors from the QR decomposition
     4. judge a result: compare with certified values, and know what condition
        costs

   The problem is Longley's: the number of people employed in the USA in 1947
   to 1962, explained by six economic series that nearly say the same. It
   became famous (J. W. Longley, Journal of the American Statistical
   Association 62, 1967) because the programs of its time gave few digits
   right, some of them not even the sign. NIST publishes the data and answers
   certified to 15 digits among its Statistical Reference Datasets (Linear
   Regression, "Longley"); a work of the US government, in the public domain. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>

enum { YEARS = 16, TERMS = 7 };
/* employed | 1, price deflator, gross national product, unemployed, size of
   the armed forces, population over 14, year                               */
static const double table[YEARS][1 + TERMS] = {
    {60323, 1,  83.0, 234289, 2356, 1590, 107608, 1947},
    {61122, 1,  88.5, 259426, 2325, 1456, 108632, 1948},
    {60171, 1,  88.2, 258054, 3682, 1616, 109773, 1949},
    {61187, 1,  89.5, 284599, 3351, 1650, 110929, 1950},
    {63221, 1,  96.2, 328975, 2099, 3099, 112075, 1951},
    {63639, 1,  98.1, 346999, 1932, 3594, 113270, 1952},
    {64989, 1,  99.0, 365385, 1870, 3547, 115094, 1953},
    {63761, 1, 100.0, 363112, 3578, 3350, 116219, 1954},
    {66019, 1, 101.2, 397469, 2904, 3048, 117388, 1955},
    {67857, 1, 104.6, 419180, 2822, 2857, 118734, 1956},
    {68169, 1, 108.4, 442769, 2936, 2798, 120445, 1957},
    {66513, 1, 110.8, 444546, 4681, 2637, 121950, 1958},
    {68655, 1, 112.6, 482704, 3813, 2552, 123366, 1959},
    {69564, 1, 114.2, 502601, 3931, 2514, 125368, 1960},
    {69331, 1, 115.7, 518173, 4806, 2572, 127852, 1961},
    {70551, 1, 116.9, 554894, 4007, 2827, 130081, 1962}};
static const double certified[TERMS] = {
    -3482258.63459582, 15.0618722713733, -0.0358191792925910,
    -2.02022980381683, -1.03322686717359, -0.0511041056535807,
    1829.15146461355};
static const double certified_error[TERMS] = {
    890420.383607373, 84.9149257747669, 0.0334910077722432,
    0.488399681651699, 0.214274163161675, 0.226073200069370,
    455.478499142212};
static const double certified_deviation = 304.854073561965;
static const double certified_r2 = 0.995479004577296;

static double fewest = 15;

/* In how many decimal digits they agree, 15 at most. */
static double digits(double got, double want) {
    double d = got == want ? 15 : -log10(fabs(got - want) / fabs(want));
    d = fmin(d, 15);
    fewest = fmin(fewest, d);
    return d;
}
static void line(const char *name, double got, double want) {
    printf("%-10s %22.15g %22.15g   %4.1f\n", name, got, want,
           digits(got, want));
}

int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    /* 1. y = X b: the column of ones is for the constant b[0].             */
    ga_array *all = ga_asarray(&table[0][0], GA_SHAPE(YEARS, 1 + TERMS));
    ga_array *y = ga_slice(all, ":, 0"), *x = ga_slice(all, ":, 1:");

    /* 2. The b with the least sum of squared residuals. (X'X)^-1 X'y, from
       the textbook, would square the condition number; lstsq works on X.   */
    ga_array *b, *squares, *rank, *s;
    ga_lstsq(x, y, -1, &b, &squares, &rank, &s);

    /* 3. The covariance of b is (X'X)^-1 times the residuals' variance. With
       X = Q R this is R^-1 R^-1', so a coefficient's standard error is the
       length of a row of R^-1, times their deviation.                      */
    ga_array *r;
    ga_qr(x, false, NULL, &r);
    double sum = ga_item(squares), variance = sum / (YEARS - TERMS);
    ga_array *r_inverse =
        ga_solve_triangular(r, ga_eye(TERMS, TERMS, 0, GA_FLOAT64), 0);
    ga_array *errors = ga_mul(ga_norm(r_inverse, GA_NORM, GA_AXIS(1)),
                              sqrt(variance));
    ga_array *spread = ga_square(ga_sub(y, ga_mean(y, GA_ALL)));
    double r2 = 1 - sum / ga_item(ga_sum(spread, GA_ALL));

    /* 4. */
    double fit[TERMS], error[TERMS];
    ga_asnumpy(b, fit);
    ga_asnumpy(errors, error);
    printf("%-10s %22s %22s   %s\n", "", "here", "certified by NIST", "digits");
    for (int i = 0; i < TERMS; i++) {
        char name[16];
        snprintf(name, sizeof name, "b[%d]", i);
        line(name, fit[i], certified[i]);
        line("  +-", error[i], certified_error[i]);
    }
    line("deviation", sqrt(variance), certified_deviation);
    line("R squared", r2, certified_r2);

    double condition = ga_item_at(s, GA_INDEX(0))
                       / ga_item_at(s, GA_INDEX(TERMS - 1));
    printf("\nrank %d of %d, condition number %.2g: of 16 digits up to %.0f "
           "may be lost\n", (int)ga_item_i64(rank), TERMS, condition,
           log10(condition));
    printf("agreement to 8 digits or more: %s\n", fewest >= 8 ? "yes" : "NO");
    return fewest >= 8 ? 0 : 1;
}
