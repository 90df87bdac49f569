/* What the fuzzers of files share: a file in memory, and MUST. */
#ifndef GPUARR_FUZZ_H
#define GPUARR_FUZZ_H
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(c)                                                             \
    do {                                                                    \
        if (!(c)) {                                                         \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #c,             \
                    ga_error_message());                                    \
            abort();                                                        \
        }                                                                   \
    } while (0)

/* A file of these bytes; path gets its name, of 40 characters at most. */
static int memory(const uint8_t *data, size_t size, char *path) {
    int fd = memfd_create("fuzz", 0);
    MUST(fd >= 0);
    for (size_t n = 0; n < size;) {
        ssize_t k = write(fd, data + n, size - n);
        MUST(k > 0);
        n += (size_t)k;
    }
    sprintf(path, "/proc/self/fd/%d", fd);
    return fd;
}
#endif
