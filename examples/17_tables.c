/* 17_tables.c - a table as a data frame: masks, groups, sorting, a histogram.

   You learn to
     1. choose rows by a mask, and combine masks
     2. GROUP BY: statistics of rows that share a key
     3. ORDER BY and LIMIT: sort places, take rows by them
     4. count into bins, and what share lies below each

     17_tables [table.npy]

   Without an argument it reads examples/data/penguins.npy: 344 penguins of
   three species near Palmer Station, Antarctica (its source is named beside
   it). Columns are numbers; names of groups are kept apart, here below.     */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdlib.h>

enum { SPECIES, ISLAND, BILL, DEPTH, FLIPPER, MASS, SEX, YEAR, COLUMNS };
static const char *const species_name[] = {"Adelie", "Chinstrap", "Gentoo"};
static const char *const sex_name[] = {"female", "male", "unknown"};
enum { N_SPECIES = 3, BINS = 7, FIRST_BIN = 170, BIN = 10 };

static ga_array *column(const ga_array *table, int c) {
    return ga_slice(table, ":, %d", c);             /* a view               */
}

int main(int argc, char **argv) {
    const char *in = argc > 1 ? argv[1] : "examples/data/penguins.npy";
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    ga_array *all = ga_load_npy(in);
    if (all->ndim != 2 || all->shape[1] != COLUMNS) {
        fprintf(stderr, "17_tables: %s has not %d columns\n", in, COLUMNS);
        return 1;
    }

    /* 1. NumPy's x[mask]: the rows whose mass was measured. What is missing is
       NaN, which no comparison finds.                                       */
    ga_array *t = ga_mask(all, ga_isfinite(column(all, MASS)));
    printf("%lld of %lld penguins were weighed\n", (long long)t->shape[0],
           (long long)all->shape[0]);
    ga_array *heavy = ga_greater(column(t, MASS), 5000);
    ga_array *slender = ga_less(column(t, FLIPPER), 220);
    printf("%lld are heavier than 5 kg, of these %lld have flippers below "
           "220 mm\n", (long long)ga_item_i64(ga_count_nonzero(heavy, GA_ALL)),
           (long long)ga_item_i64(ga_count_nonzero(
               ga_logical_and(heavy, slender), GA_ALL)));
    /* A reduction of some of the elements does not copy them first.         */
    printf("mean bill of the heavy ones: %.1f mm\n",
           ga_item(ga_mean(column(t, BILL), GA_ALL_WHERE(heavy))));

    /* 2. Rows with the same key belong together; the key counts from 0. One
       call makes a row of means for each species.                           */
    ga_array *key = ga_astype(column(t, SPECIES), GA_INT32);
    ga_array *sizes = ga_slice(t, ":, %d:%d", BILL, MASS + 1);
    double *mean = ga_asnumpy(ga_astype(
        ga_segment_mean(sizes, key, N_SPECIES, 0), GA_FLOAT64), NULL);
    int64_t *count = ga_asnumpy(ga_segment_sum(
        ga_ones(GA_SHAPE(key->size), GA_INT64), key, N_SPECIES, 0), NULL);
    float *most = ga_asnumpy(ga_segment_max(column(t, MASS), key, N_SPECIES, 0),
                             NULL);
    puts("\nspecies     birds    bill   depth flipper     mass    most");
    for (int s = 0; s < N_SPECIES; s++)
        printf("%-10s %6lld %7.1f %7.1f %7.1f %8.0f %7.0f\n", species_name[s],
               (long long)count[s], mean[4 * s], mean[4 * s + 1],
               mean[4 * s + 2], mean[4 * s + 3], (double)most[s]);
    free(mean);
    free(count);
    free(most);

    /* 3. Not the column is sorted but its places, by which whole rows are
       taken. The sort is stable: equal masses stay in the table's order.    */
    ga_array *order = ga_argsort(column(t, MASS), GA_AXIS(0), GA_DESCENDING);
    ga_array *first = ga_take(t, ga_slice(order, ":5"), GA_AXIS(0), 0);
    float *row = ga_asnumpy(first, NULL);
    puts("\nthe heaviest");
    for (int i = 0; i < 5; i++, row += COLUMNS)
        printf("%d. %-10s %-7s %5.0f g, flippers %.0f mm\n", i + 1,
               species_name[(int)row[SPECIES]],
               sex_name[row[SEX] == row[SEX] ? (int)row[SEX] : 2],
               (double)row[MASS], (double)row[FLIPPER]);
    free(row - 5 * COLUMNS);

    /* 4. Each flipper finds its bin among the edges; scatter_add counts, once
       for each, also where bins repeat. A running sum gives the shares.     */
    ga_array *edges = ga_arange(FIRST_BIN, FIRST_BIN + BINS * BIN, BIN);
    ga_array *bin = ga_sub(ga_searchsorted(edges, column(t, FLIPPER), GA_NONE,
                                           GA_RIGHT), 1);
    ga_array *bins = ga_zeros(GA_SHAPE(BINS), GA_INT64);
    ga_scatter_add(bins, GA_AT(bin), 1, 0);
    ga_array *share = ga_div(ga_cumsum(bins, GA_AXIS(0), 0),
                             ga_sum(bins, GA_ALL));
    int64_t *n = ga_asnumpy(bins, NULL);
    double *below = ga_asnumpy(share, NULL);
    puts("\nflippers, mm");
    for (int b = 0; b < BINS; b++) {
        printf("%d to %d %4lld  %5.1f%%  ", FIRST_BIN + b * BIN,
               FIRST_BIN + (b + 1) * BIN - 1, (long long)n[b], 100 * below[b]);
        for (int64_t k = 0; k < (n[b] + 1) / 2; k++) putchar('#');
        putchar('\n');
    }
    free(n);
    free(below);
    return 0;
}
