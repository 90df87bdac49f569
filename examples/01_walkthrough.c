/* 01_walkthrough.c - the first lesson: arrays, devices, and what goes wrong.

   You learn to
     1. make device arrays out of C arrays, and compute with them
     2. fill arrays without any C array
     3. ask where an array lives, and how many devices there are
     4. change the device, for good or for the rest of a block
     5. read the error when an array and the work are on different devices,
        and put it right
     6. bring results back into C
     7. know what a stream is for

   It runs anywhere. On a machine without a GPU everything happens on the CPU
   and the lesson says what it leaves out; with one GPU the second device is
   the CPU; with several it uses two of them.

     cc -I. examples/01_walkthrough.c kernels.o ...     (see README.md)      */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include <stdlib.h>

/* ga_repr gives the text that Python's prompt would show for an array. */
static void show(const char *what, const ga_array *x) {
    char *text = ga_repr(x);
    printf("%-24s %s\n", what, text);
    free(text);                     /* what the library mallocs, you free   */
}

static const char *device_name(int device) {
    static ga_device_properties p;
    ga_device_info(device, &p);
    return p.name;
}

static void say_device(const char *what, const ga_array *x) {
    if (x->device == GA_CPU) printf("%-24s the CPU\n", what);
    else printf("%-24s device %d\n", what, x->device);
}

/* 1. ------------------------------------------------------------------- */
static void arrays(void) {
    puts("\n1. Arrays");
    GA_SCOPE;       /* frees, at this function's end, all arrays made in it */

    /* ga_asarray copies a C array to the current device. The dtype comes
       from the pointer: long long gives int64.                            */
    const long long numbers[] = {1, 2, 3};
    ga_array *x = ga_asarray(numbers, GA_SHAPE(3));
    show("x", x);

    /* An integer array times a C double is float64, as in NumPy. (A float32
       array would stay float32: C numbers adapt to the array's kind.)      */
    show("x * 2.", ga_mul(x, 2.0));

    /* The length of x as a vector. The result is an array of rank 0, still
       on the device; ga_item fetches it.                                   */
    ga_array *norm = ga_norm(x, GA_NORM, GA_ALL);
    printf("%-24s %.17g\n", "norm of x", ga_item(norm));

    /* The same program on the CPU: only the block's first line differs.    */
    {
        GA_DEVICE(GA_CPU);
        ga_array *c = ga_asarray(numbers, GA_SHAPE(3));
        show("on the CPU: x * 2.", ga_mul(c, 2.0));
        printf("%-24s %.17g\n", "on the CPU: norm",
               ga_item(ga_norm(c, GA_NORM, GA_ALL)));
    }
}

/* 2. ------------------------------------------------------------------- */
static void filled(void) {
    puts("\n2. Filled arrays");
    GA_SCOPE;
    show("zeros", ga_zeros(GA_SHAPE(3), GA_FLOAT64));
    show("linspace", ga_linspace(0, 10, 11));  /* 11 values, both ends      */
    show("arange", ga_arange(0, 11, 1));       /* 0 to 10: integers stay so */
}

/* 3. ------------------------------------------------------------------- */
static void where_things_are(void) {
    puts("\n3. Devices");
    GA_SCOPE;
    int n = ga_device_count();
    ga_array *x = ga_asarray(((const long long[]){1, 2, 3}), GA_SHAPE(3));
    say_device("x is on", x);                  /* a field: x->device        */
    printf("%-24s %s\n", "which is", device_name(x->device));
    printf("%-24s %d\n", "CUDA devices", n);
    if (n == 0)
        puts("No GPU here: the CPU is the only device, number GA_CPU = -1. "
             "The program is\nthe same one; what needs a GPU is skipped.");
}

/* 4. ------------------------------------------------------------------- */
static void changing_device(void) {
    puts("\n4. The current device");
    GA_SCOPE;
    const long long five[] = {1, 2, 3, 4, 5};
    int n = ga_device_count(), first = ga_device();
    int other = n > 1 ? 1 : GA_CPU;            /* with one GPU: the CPU     */
    int last = n > 1 ? n - 1 : GA_CPU;

    /* New arrays go to the thread's current device. This changes it until
       it is changed again:                                                 */
    ga_set_device(other);
    say_device("after ga_set_device", ga_asarray(five, GA_SHAPE(5)));
    ga_set_device(first);

    /* This changes it to the end of the braces, however they are left -
       by return, break or goto too. It is Python's `with`.                 */
    ga_array *inside;
    {
        GA_DEVICE(last);
        inside = ga_asarray(five, GA_SHAPE(5));
    }
    ga_array *outside = ga_asarray(five, GA_SHAPE(5));
    say_device("made in the block", inside);
    say_device("made after it", outside);
    if (n == 0) puts("(With a GPU, these would be two different devices.)");
    if (n == 1) puts("(With a second GPU, it would take the CPU's part.)");
}

/* 5. ------------------------------------------------------------------- */
static void mismatch(void) {
    puts("\n5. An array on another device");
    GA_SCOPE;
    const long long five[] = {1, 2, 3, 4, 5};
    int n = ga_device_count();

    /* main() asked for the program to end at the first error. Here errors
       are expected, so look at them instead: a call that fails returns NULL
       and the error stays until it is cleared.                             */
    ga_handler before = ga_on_error(NULL);
    if (n == 0) {
        puts("That takes two devices. What this machine can show is asking "
             "for a device that\nis not there:");
        if (ga_set_device(0) != GA_OK) printf("  %s\n", ga_error_message());
        ga_clear_error();
        ga_on_error(before);
        return;
    }

    int here = 0, there = n > 1 ? 1 : GA_CPU;
    ga_array *x;
    {
        GA_DEVICE(here);
        x = ga_asarray(five, GA_SHAPE(5));
    }
    {
        GA_DEVICE(there);
        ga_array *y = ga_mul(x, 2);            /* x is on another device    */
        if (y == NULL) printf("  %s\n", ga_error_message());
        ga_clear_error();

        /* Nothing moves unless you say so, because moving is what costs.
           Say so:                                                          */
        ga_array *moved = ga_to_device(x, there);
        say_device("moved to", moved);
        show("x * 2 there", ga_mul(moved, 2));
    }
    ga_on_error(before);
}

/* 6. ------------------------------------------------------------------- */
static void back_to_c(void) {
    puts("\n6. Back into C");
    GA_SCOPE;
    show("asarray", ga_asarray(((const long long[]){1, 1, 1}), GA_SHAPE(3)));

    /* Into memory of yours: three doubles from three float64.              */
    double mine[3] = {7, 7, 7};
    ga_asnumpy(ga_zeros(GA_SHAPE(3), GA_FLOAT64), mine);
    printf("%-24s {%g, %g, %g}\n", "asnumpy, my memory", mine[0], mine[1],
           mine[2]);

    /* Or into memory that the library mallocs: then free() it.             */
    double *theirs = ga_asnumpy(ga_linspace(0, 1, 5), NULL);
    printf("%-24s {%g, %g, %g, %g, %g}\n", "asnumpy, malloc'ed", theirs[0],
           theirs[1], theirs[2], theirs[3], theirs[4]);
    free(theirs);
}

/* 7. ------------------------------------------------------------------- */
static void streams(void) {
    puts("\n7. Streams");
    GA_SCOPE;
    /* Calls put work into a queue, the current stream, and return; the work
       is done in that order while C goes on. Reading a result waits for it,
       so a program like this one need not think of streams at all. Two of
       them let copies and computing overlap: 03_streams.c shows how. Where
       two streams use one array, the library makes one wait for the other. */
    ga_stream *s = ga_stream_create(0);
    ga_array *sum;
    {
        GA_STREAM(s);                          /* to the end of the braces  */
        sum = ga_sum(ga_arange(0, 1000, 1), GA_ALL);
    }
    printf("%-24s %.0f\n", "sum made on a stream", ga_item(sum));
    ga_stream_destroy(s);
}

int main(void) {
    ga_on_error(GA_EXIT);       /* small programs: print the message, exit  */
    printf("gpuarr %s on %s\n", ga_version(), device_name(ga_device()));
    arrays();
    filled();
    where_things_are();
    changing_device();
    mismatch();
    back_to_c();
    streams();
    printf("\narrays still alive: %d\n", (int)ga_live_arrays());
    return 0;
}
