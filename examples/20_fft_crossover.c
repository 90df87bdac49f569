/* 20_fft_crossover.c - from which length on does the GPU win?

   You learn to
     1. transform a signal, find its frequencies, and go back
     2. run the same function on both devices, by a block
     3. time it, and draw two curves

   A transform of n numbers takes some 5 n log2 n operations: on a GPU hardly more
   than its launch until n is large, on a CPU a time that grows with n from the
   start. Where the curves cross depends on both; copying to the GPU and back is
   not counted here, 20 microseconds and n * 16 bytes over the bus more.

     20_fft_crossover [LARGEST [PICTURE]]

   Lengths 2^8 to 2^LARGEST, 26 with a GPU and 20 without; PICTURE is
   build/fft_crossover.svg by default.                                       */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_plot.h"
#include <stdlib.h>

enum { SMALLEST = 8, MOST = 28 };

/* 1. Two waves and noise, one second at 1024 Hz; the two largest peaks of the
   spectrum are theirs.                                                     */
static bool finds_waves(void) {
    GA_SCOPE;
    ga_array *t = ga_div(ga_arange(0, 1024, 1), 1024.0);
    ga_array *noise = ga_random_normal(0, 1, GA_SHAPE(1024), GA_FLOAT64);
    ga_array *x = GA_EVAL(3*sin(2*pi*50*t) + 2*cos(2*pi*120*t) + noise, t, noise);
    ga_array *f = ga_rfft(x, 0, -1, GA_BACKWARD);
    ga_array *strength = ga_square(ga_absolute(f));
    int64_t first = ga_item_i64(ga_argmax(strength, GA_ALL));
    ga_assign(ga_slice(strength, "%d", (int)first), 0);
    int64_t second = ga_item_i64(ga_argmax(strength, GA_ALL));
    ga_array *hertz = ga_rfftfreq(1024, 1 / 1024.0);
    printf("waves of %.0f and %.0f Hz\n", ga_item_at(hertz, GA_INDEX(first)),
           ga_item_at(hertz, GA_INDEX(second)));
    ga_array *back = ga_irfft(f, 0, -1, GA_BACKWARD);
    bool same = ga_allclose(back, x, 1e-12, 1e-12, 0);
    printf("and back: %s\n", same ? "the same signal" : "ANOTHER SIGNAL");
    return first == 50 && second == 120 && same;
}

/* 3. Microseconds of one transform of 2^k complex64 on the current device. */
static double time_of(int k) {
    GA_SCOPE;
    ga_array *x = ga_random(GA_SHAPE((int64_t)1 << k), GA_FLOAT32);
    x = ga_astype(x, GA_COMPLEX64);
    ga_array *f = ga_empty_like(x);
    ga_bench t = {.samples = 8};
    while (ga_bench_next(&t)) ga_fft_into(f, x, 0, -1, GA_BACKWARD);
    return 1e3 * t.best_ms;
}

int main(int argc, char **argv) {
    ga_on_error(GA_EXIT);
    GA_SCOPE;
    bool gpu = ga_device() != GA_CPU;
    int largest = argc > 1 ? atoi(argv[1]) : gpu ? 26 : 20, crossing = 0;
    const char *picture = argc > 2 ? argv[2] : "build/fft_crossover.svg";
    if (largest < SMALLEST || largest > MOST) {
        fprintf(stderr, "20_fft_crossover: LARGEST is from %d to %d\n", SMALLEST,
                MOST);
        return 2;
    }
    bool good = finds_waves();

    double n[MOST], us[2][MOST];        /* on the CPU, on the GPU           */
    int count = 0;
    printf("%10s %12s %12s\n", "length", "CPU, us", gpu ? "GPU, us" : "");
    for (int k = SMALLEST; k <= largest; k++, count++) {
        n[count] = (double)((int64_t)1 << k);
        us[1][count] = gpu ? time_of(k) : 0;
        {
            GA_DEVICE(GA_CPU);          /* 2. to the end of these braces    */
            us[0][count] = time_of(k);
        }
        printf("%10.0f %12.1f", n[count], us[0][count]);
        if (gpu) printf(" %12.1f", us[1][count]);
        printf("\n");
        if (!crossing && gpu && us[1][count] < us[0][count]) crossing = k;
    }
    if (crossing) printf("the GPU wins from 2^%d on\n", crossing);

    GA_FIGURE(f, 1, 1);
    ga_array *length = ga_asarray(n, GA_SHAPE(count));
    ga_plot(f, length, ga_asarray(us[0], GA_SHAPE(count)), "o-", "CPU");
    if (gpu) ga_plot(f, length, ga_asarray(us[1], GA_SHAPE(count)), "s--", "GPU");
    if (crossing)
        ga_annotate(f, n[crossing - SMALLEST], us[1][crossing - SMALLEST],
                    "the GPU wins");
    ga_ylabel(ga_xlabel(f, "length"), "microseconds");
    ga_axes_scale(ga_title(f, "one Fourier transform, complex64"),
                  GA_LOG_X | GA_LOG_Y);
    ga_savefig(f, picture);
    printf("picture: %s\n", picture);
    return good ? 0 : 1;
}
