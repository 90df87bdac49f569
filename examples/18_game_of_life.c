/* 18_game_of_life.c - Conway's game of life: neighbours by roll, rules by where.

   You learn to
     1. look at neighbours: ga_roll moves the whole board, around its edges too
     2. decide for each element: ga_where
     3. carry a value from turn to turn: GA_REPLACE, inside a GA_SCOPE
     4. place a pattern: ga_pad, ga_roll_by, ga_concatenate

   The rule: a cell with three neighbours lives in the next turn, one with two
   stays as it is, all others are dead.                                      */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <string.h>

/* 1, 2. The sum over 3 by 3 cells counts the cell itself: three rows, then
   three columns of that.                                                    */
static ga_array *next(const ga_array *x) {
    ga_array *rows = ga_add(x, ga_add(ga_roll(x, 1, GA_AXIS(0)),
                                      ga_roll(x, -1, GA_AXIS(0))));
    ga_array *sum = ga_add(rows, ga_add(ga_roll(rows, 1, GA_AXIS(1)),
                                        ga_roll(rows, -1, GA_AXIS(1))));
    return ga_where(ga_equal(sum, 3), 1, ga_where(ga_equal(sum, 4), x, 0));
}
/* 3. What a turn makes dies with it, but for the board, which takes the place
   of the one before.                                                       */
static ga_array *after(const ga_array *start, int turns) {
    ga_array *x = ga_copy(start);
    for (int i = 0; i < turns; i++) {
        GA_SCOPE;
        GA_REPLACE(x, next(x));
    }
    return x;
}

/* "#" is alive; one text a row. */
static ga_array *pattern(const char *const *row, int rows) {
    uint8_t cell[16 * 16];
    int cols = (int)strlen(row[0]);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) cell[i * cols + j] = row[i][j] == '#';
    return ga_asarray(cell, GA_SHAPE(rows, cols));
}
static void show(const ga_array *x) {
    char cell[16 * 64];
    ga_asnumpy(x, cell);
    for (int64_t i = 0; i < x->shape[0]; i++) {
        for (int64_t j = 0; j < x->shape[1]; j++)
            putchar(cell[i * x->shape[1] + j] ? '#' : '.');
        putchar('\n');
    }
}

int main(void) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    const char *const glider[] = {".#.", "..#", "###"};
    const char *const pentomino[] = {".##", "##.", ".#."};

    /* 4. Two gliders, the second turned over, on a board of 8 by 20. */
    ga_array *g = pattern(glider, 3);
    ga_array *left = ga_pad(g, GA_SHAPE(1, 1), GA_SHAPE(4, 6), GA_PAD_CONSTANT,
                            GA_NONE);
    ga_array *both = ga_concatenate(1, left, ga_rot90(left, 2, 0, 1));
    printf("two gliders\n");
    show(both);
    printf("after 8 turns\n");
    show(after(both, 8));

    /* A glider is itself again after 4 turns, a cell further down and right. */
    ga_array *moved = ga_roll_by(left, GA_SHAPE(1, 1), GA_AXIS(0, 1));
    ga_array *same = ga_all(ga_equal(after(left, 4), moved), GA_ALL);
    printf("a glider moves: %s\n", ga_item(same) != 0 ? "yes" : "no");

    /* Five cells that take 1103 turns to settle: 116 cells are left. */
    ga_array *p = ga_pad(pattern(pentomino, 3), GA_SHAPE(300), GA_SHAPE(300),
                         GA_PAD_CONSTANT, GA_NONE);
    printf("the r-pentomino: %g cells, after 1103 turns %g\n",
           ga_item(ga_sum(p, GA_ALL)), ga_item(ga_sum(after(p, 1103), GA_ALL)));
    return 0;
}
