/* An allocator and an assertion of the program's own. */
#include <stdio.h>
#include <stdlib.h>
static long blocks;
static void *take(size_t n) {
    blocks++;
    return malloc(n);
}
static void *more(void *p, size_t n) {
    blocks += !p;
    return realloc(p, n);
}
static void give(void *p) {
    blocks -= p != NULL;
    free(p);
}
#define GA_MALLOC(n) take(n)
#define GA_REALLOC(p, n) more(p, n)
#define GA_FREE(p) give(p)
#define GA_ASSERT(c) ((c) ? (void)0 : exit(3))
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

int main(void) {
    {
        GA_SCOPE;
        ga_array *x = ga_add(ga_linspace(0, 1, 5), 1);
        char *text = ga_tostring(x);
        if (!x || !text || blocks == 0) return 1;
        free(text);                 /* not the library's to count           */
    }
    return blocks == 0 ? 0 : 2;
}
