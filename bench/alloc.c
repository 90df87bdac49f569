/* alloc.c - what the pool takes in time and memory where sizes are random:
   20,000 arrays are made, of which 400 are alive, and one drawn at random is
   freed for each that is made. One JSON line a case; alloc.py does the same in
   CuPy and PyTorch.

     alloc [--device=cpu|0|1..]

   alloc_SIZES_MOST_STREAMS: sizes uniform or log-uniform up to MOST, on one
   stream or three in turn.
   median_ms  one array made and one freed, mean of all
   held       bytes that the pool has taken from the device, to the most that
              arrays ever used
   A case has a process of its own: memory that was just given back is slow to
   be had again. On the CPU device the small ones on one stream are all.     */
#define _POSIX_C_SOURCE 200809L
#include "gpuarr.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALIVE = 400, ALL = 20000 };

static uint64_t drawn;
static double draw(void) {              /* alloc.py draws the same          */
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (double)(drawn >> 11) / 9007199254740992.0;
}
static int64_t size(bool logarithmic, double most) {
    double u = draw();
    return (int64_t)(logarithmic ? 512 * exp2(u * log2(most / 512))
                                 : 1 + u * (most - 1));
}

static void run(const char *name, bool logarithmic, double most, int streams,
                const char *device) {
    static ga_array *x[ALIVE];
    ga_stream *s[3] = {NULL};
    ga_memory m;
    int64_t used = 0, peak = 0;
    drawn = 1;
    ga_mem_trim();
    for (int i = 1; i < streams; i++) s[i] = ga_stream_create(0);
    ga_free(ga_zeros(GA_SHAPE(16), GA_UINT8));
    ga_synchronize();
    double t = ga_time();
    for (int i = 0; i < ALL; i++) {
        int at = i < ALIVE ? i : (int)(draw() * ALIVE);
        ga_set_stream(s[i % streams]);
        if (x[at]) used -= x[at]->size;
        ga_free(x[at]);
        x[at] = ga_empty(GA_SHAPE(size(logarithmic, most)), GA_UINT8);
        used += x[at]->size;
        if (used > peak) peak = used;
    }
    t = (ga_time() - t) * 1e3 / ALL;
    ga_set_stream(NULL);
    ga_mem_info(ga_device(), &m);
    printf("{\"case\": \"alloc_%s_s%d\", \"impl\": \"gpuarr\", \"device\": "
           "\"%s\", \"best_ms\": %.5f, \"median_ms\": %.5f, \"first_ms\": null"
           ", \"limit_ms\": null, \"held\": %.3f, \"held_mb\": %.1f}\n",
           name, streams, device, t, t, (double)m.reserved / (double)peak,
           (double)m.reserved / 1e6);
    fflush(stdout);
    for (int i = 0; i < ALIVE; i++) {
        ga_free(x[i]);
        x[i] = NULL;
    }
    for (int i = 1; i < streams; i++) ga_stream_destroy(s[i]);
}

static int one(const char *device, int which, int streams) {
    static const struct { const char *name; bool logarithmic; double most; } c[] = {
        {"uniform_16M", false, 0x1p24}, {"log_16M", true, 0x1p24},
        {"uniform_256M", false, 0x1p28}, {"log_1G", true, 0x1p30}};
    ga_on_error(GA_EXIT);
    bool cpu = device ? !strcmp(device, "cpu") : ga_device_count() == 0;
    ga_set_device(cpu ? GA_CPU : device ? atoi(device) : 0);
    ga_device_properties p;
    ga_device_info(ga_device(), &p);
    if (!cpu || (streams == 1 && which < 2))
        run(c[which].name, c[which].logarithmic, c[which].most, streams, p.name);
    return 0;
}
int main(int argc, char **argv) {
    const char *device = argc > 1 && !strncmp(argv[1], "--device=", 9)
                         ? argv[1] + 9 : NULL;
    int status = 0, bad = 0;
    for (int streams = 1; streams <= 3; streams += 2)
        for (int which = 0; which < 4; which++) {
            pid_t child = fork();
            if (child == 0) exit(one(device, which, streams));
            bad |= child < 0 || waitpid(child, &status, 0) < 0 || status;
        }
    return bad;
}
