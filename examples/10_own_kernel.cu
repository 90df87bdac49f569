/* 10_own_kernel.cu - your own CUDA kernels on the library's arrays.

   You learn to
     1. write a kernel over arrays, and launch it: a grid of threads adds two
        vectors, one element a thread
     2. work in two dimensions, on views, whatever their strides
     3. read what the library says where kernel and arrays do not fit
     4. find an index that is out of bounds
     5. launch with CUDA's own <<<>>>, should you have to

   The library's operations cover much, and GA_EVAL joins them into one kernel;
   what is left are computations where an element looks at others in a way of
   its own. Such a kernel is CUDA C++, and nvcc compiles this file. The rest of
   a program may stay C: examples 11 to 13 show that.                       */
#include "gpuarr.h"
#include <stdlib.h>

/* 1. ga_span<const int> reads an int32 vector, ga_span<int> writes one. The
   grid's threads are a multiple of the block, so some are beyond the end.   */
__global__ void add(ga_span<const int> x, ga_span<const int> y,
                    ga_span<int> z) {
    int64_t i = ga_thread_x();
    if (i < z.size) z(i) = x(i) + y(i);
}

/* 2. The mean of each element and those around it, as many as there are. Where
   rows are known to be contiguous, ga_rows in place of ga_span is faster.   */
__global__ void blur(ga_span<const float, 2> x, ga_span<float, 2> y) {
    int64_t i = ga_thread_y(), j = ga_thread_x();
    if (!y.has(i, j)) return;
    float sum = 0;
    int n = 0;
    for (int64_t a = i - 1; a <= i + 1; a++)
        for (int64_t b = j - 1; b <= j + 1; b++)
            if (x.has(a, b)) sum += x(a, b), n++;
    y(i, j) = sum / (float)n;
}

/* 4. A kernel with a mistake: the last i has no right neighbour. at() is the
   checked form of (), for looking for such things.                          */
__global__ void slope(ga_span<const float> x, ga_span<float> y) {
    int64_t i = ga_thread_x();
    if (i < y.size) y(i) = x.at(i + 1) - x.at(i);
}

static bool add_vectors() {
    GA_SCOPE;
    ga_array *x = ga_arange_as(0, 4096, 1, GA_INT32), *y = ga_ones_like(x);
    ga_array *z = ga_empty_like(x);
    GA_LAUNCH(add, ga_grid_1d(z->size), x, y, z);
    printf("x + y = ");
    ga_print(z);
    return ga_item(ga_all(ga_equal(z, ga_add(x, y)), GA_ALL)) != 0;
}

static bool blur_view() {
    GA_SCOPE;
    const int64_t rows = 300, cols = 200;
    ga_random_seed(1);
    ga_array *all = ga_random(GA_SHAPE(2 * cols, rows), GA_FLOAT32);
    /* Every second row, turned into columns: strides 1 and 2 * rows. */
    ga_array *x = ga_transpose(ga_slice(all, "::2, :"), GA_ALL);
    ga_array *y = ga_empty(GA_SHAPE(rows, cols), GA_FLOAT32);
    GA_LAUNCH(blur, ga_grid_2d(rows, cols), x, y);

    float *from = (float *)ga_asnumpy(x, NULL);     /* the same on the host */
    float *to = (float *)ga_asnumpy(y, NULL);
    int good = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            float sum = 0;
            int n = 0;
            for (int64_t a = i - 1; a <= i + 1; a++)
                for (int64_t b = j - 1; b <= j + 1; b++)
                    if (a >= 0 && a < rows && b >= 0 && b < cols)
                        sum += from[a * cols + b], n++;
            float off = to[i * cols + j] - sum / (float)n;
            good += off < 1e-6f && off > -1e-6f;
        }
    free(from);
    free(to);
    return good == rows * cols;
}

static void mistakes() {
    GA_SCOPE;
    ga_handler before = ga_on_error(NULL);  /* we look at errors ourselves  */
    ga_array *x = ga_linspace_as(0, 1, 100, true, GA_FLOAT32);
    ga_array *y = ga_empty_like(x);

    /* 3. Nothing is launched; the status and the message say why. */
    GA_LAUNCH(add, ga_grid_1d(100), x, x, y);
    printf("3. %s\n", ga_error_message());
    ga_clear_error();
    GA_LAUNCH(slope, ga_grid_1d(100, 5000), x, y);
    printf("   %s\n", ga_error_message());
    ga_clear_error();

    /* 4. This can be known only once the kernel has run: the next call that
       waits for it fails.                                                  */
    GA_LAUNCH(slope, ga_grid_1d(100), x, y);
    ga_synchronize();
    printf("4. %s\n", ga_error_message());
    ga_clear_error();
    ga_on_error(before);
}

static bool by_hand() {
    GA_SCOPE;
    ga_array *x = ga_arange_as(0, 4096, 1, GA_INT32);
    ga_array *z = ga_zeros_like(x);
    /* 5. The stream is the current one, on which ga_span_of makes the kernel
       wait for other streams' work on the array.                           */
    cudaStream_t s = (cudaStream_t)ga_stream_handle(ga_stream_current());
    add<<<16, 256, 0, s>>>(ga_span_of<const int>(x), ga_span_of<const int>(x),
                           ga_span_of<int>(z));
    return cudaGetLastError() == cudaSuccess
           && ga_item(ga_max(z, GA_ALL)) == 8190;
}

int main() {
    ga_on_error(GA_EXIT);
    if (ga_device() == GA_CPU) {
        puts("10_own_kernel: nothing to do without a CUDA device");
        return 0;
    }
    bool added = add_vectors(), blurred = blur_view();
    printf("1. as ga_add does it: %s\n", added ? "yes" : "NO");
    printf("2. as loops on the host do it: %s\n", blurred ? "yes" : "NO");
    mistakes();
    bool same = by_hand();
    printf("5. the same by <<<>>>: %s\n", same ? "yes" : "NO");
    return added && blurred && same ? 0 : 1;
}
