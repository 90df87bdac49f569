/* 08_monte_carlo.c - estimates by chance, with error bars, and repeatable.

   You learn to
     1. give each part of a computation random numbers of its own, from one
        seed: substreams
     2. put an error bar on an estimate
     3. repeat any part alone, in any order, on any device, and get the same

   A Monte Carlo estimate is a mean over random samples. Split the samples into
   parts, each with its substream: the parts' means scatter, and from how much
   they scatter follows how far their mean may be from the truth. Parts can run
   anywhere, because no generator is shared between them: the numbers depend on
   the seed, the part and the position alone, not on who draws them.        */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <math.h>

enum { PARTS = 32 };
static const int64_t samples = 1 << 17;         /* in each part             */
static const uint64_t seed = 20260;

/* Four times the share of random points of the unit square that lie within
   the quarter circle.                                                      */
static double pi_part(void) {
    GA_SCOPE;
    ga_array *p = ga_random(GA_SHAPE(2, samples), GA_FLOAT64);
    ga_array *r2 = ga_sum(ga_square(p), GA_AXIS(0));
    return 4 * ga_item(ga_mean(ga_less(r2, 1), GA_ALL));
}

/* What the right to buy a share at `strike` in a year is worth today: the
   mean of what it may bring, its price then being lognormal (Black and
   Scholes, 1973), discounted at the rate.                                  */
static const double price = 100, strike = 105, rate = 0.05, volatility = 0.2;
static double option_part(void) {
    GA_SCOPE;
    ga_array *z = ga_random_standard_normal(GA_SHAPE(samples), GA_FLOAT64);
    ga_array *growth = ga_exp(ga_add(ga_mul(z, volatility),
                                     rate - volatility * volatility / 2));
    ga_array *gain = ga_maximum(ga_sub(ga_mul(growth, price), strike), 0);
    return exp(-rate) * ga_item(ga_mean(gain, GA_ALL));
}
/* The same in closed form. */
static double option_exact(void) {
    double d1 = (log(price / strike) + rate + volatility * volatility / 2)
                / volatility, d2 = d1 - volatility;
    double n1 = erfc(-d1 / sqrt(2)) / 2, n2 = erfc(-d2 / sqrt(2)) / 2;
    return price * n1 - strike * exp(-rate) * n2;
}

typedef struct estimate { double value, error, part[PARTS]; } estimate;

static estimate run(double (*part)(void)) {
    estimate e = {0, 0, {0}};
    /* 1. One seed, and from it as many independent generators as asked for. */
    ga_rng *root = ga_rng_create(GA_PHILOX, seed), *sub[PARTS];
    ga_rng_spawn(root, PARTS, sub);
    for (int i = 0; i < PARTS; i++) {
        GA_RNG(sub[i]);                 /* draws come from it, to the brace */
        e.part[i] = part();
        e.value += e.part[i] / PARTS;
    }
    /* 2. The parts are independent: their mean scatters less than they do
       by the root of their number.                                         */
    double squares = 0;
    for (int i = 0; i < PARTS; i++) squares += pow(e.part[i] - e.value, 2);
    e.error = sqrt(squares / (PARTS - 1) / PARTS);
    for (int i = 0; i < PARTS; i++) ga_rng_destroy(sub[i]);
    ga_rng_destroy(root);
    return e;
}

/* 3. Part i alone. */
static double again(double (*part)(void), int i) {
    ga_rng *root = ga_rng_create(GA_PHILOX, seed), *sub[PARTS];
    ga_rng_spawn(root, PARTS, sub);
    double value;
    {
        GA_RNG(sub[i]);
        value = part();
    }
    for (int k = 0; k < PARTS; k++) ga_rng_destroy(sub[k]);
    ga_rng_destroy(root);
    return value;
}

static bool show(const char *device, const char *what, const estimate *e,
                 double truth) {
    double off = (e->value - truth) / e->error;
    printf("%-5s %-7s %.6f +- %.6f   true value %.6f, %.1f error bars off\n",
           device, what, e->value, e->error, truth, fabs(off));
    return fabs(off) < 4;               /* 1 in 16,000 exceeds 4            */
}

int main(void) {
    ga_on_error(GA_EXIT);
    const double pi = acos(-1);
    int device = ga_device();
    bool good, same = true;
    estimate pi_cpu, option_cpu;
    printf("%d parts of %lld samples\n", PARTS, (long long)samples);
    {
        GA_DEVICE(GA_CPU);
        pi_cpu = run(pi_part);
        option_cpu = run(option_part);
        good = show("CPU", "pi", &pi_cpu, pi);
        good &= show("CPU", "option", &option_cpu, option_exact());
        double one = again(pi_part, 20);
        printf("part 20 alone gives %.6f, as before: %s\n", one,
               one == pi_cpu.part[20] ? "yes" : "NO");
        same &= one == pi_cpu.part[20];
    }
    if (device != GA_CPU) {
        estimate e = run(pi_part), o = run(option_part);
        good &= show("GPU", "pi", &e, pi);
        good &= show("GPU", "option", &o, option_exact());
        /* Uniform numbers are the same bit for bit, so the counts are the
           same. Normal ones may differ in the last bits, and sums are added
           in another order.                                                */
        for (int i = 0; i < PARTS; i++) {
            same &= e.part[i] == pi_cpu.part[i];
            same &= fabs(o.part[i] / option_cpu.part[i] - 1) < 1e-12;
        }
        printf("every part is the same on both: %s\n", same ? "yes" : "NO");
    } else {
        puts("(where there is a GPU, it repeats this there)");
    }
    printf("within four error bars of the truth: %s\n", good ? "yes" : "NO");
    return good && same ? 0 : 1;
}
