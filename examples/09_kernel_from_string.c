/* 09_kernel_from_string.c - a kernel written as text, compiled while the
   program runs: what PyCUDA, CuPy and Numba give Python programmers.

   You learn to
     1. compile CUDA C++ from a string and launch it over an array: PyCUDA's
        first program, which doubles a 4x4 array
     2. make a function of arrays from one line about elements, with dtypes
        open until it is called
     3. reduce with an operation of your own
     4. read the compiler's words where the text is wrong

   Compiled code is kept in ~/.cache/gpuarr: the second run starts without the
   compiler. On a machine without a CUDA device the program says so.        */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_rtc.h"

static void doubling(void) {
    GA_SCOPE;
    ga_kernel *k = ga_kernel_compile(
        "extern \"C\" __global__ void doublify(float *a) {\n"
        "    int i = threadIdx.x + threadIdx.y * 4;\n"
        "    a[i] *= 2;\n"
        "}\n", "doublify", NULL);
    ga_array *a = ga_reshape(ga_arange_as(1, 17, 1, GA_FLOAT32),
                             GA_SHAPE(4, 4));
    /* grid, block, bytes of shared memory, then the kernel's arguments. The
       call returns at once; printing waits.                                */
    ga_launch(k, 1, ga_dim2(4, 4), 0, a);
    puts("a 4x4 array, doubled:");
    ga_print(a);
    ga_kernel_free(k);
}

static void elements(void) {
    GA_SCOPE;
    /* T is the dtype of the arrays that are given; i would be the number of
       the element. Any view and any shapes that broadcast will do.         */
    ga_ufunc *f = ga_elementwise_kernel(
        "T x, T y", "T z",
        "T d = x - y;\n"
        "z = d * d", "squared_difference");
    ga_array *x = ga_arange(0, 5, 1), *column = ga_reshape(x, GA_SHAPE(5, 1));
    puts("\n(x - y)**2 for int64:");
    ga_print(ga_kernel_call(f, x, column));
    puts("and float64, with a C number:");
    ga_print(ga_kernel_call(f, ga_astype(x, GA_FLOAT64), 0.5));
    ga_ufunc_free(f);

    ga_ufunc *clip = ga_vectorize(
        "template <class T> T at_most(T x, T limit) {\n"
        "    return x > limit ? limit : x;\n"
        "}\n", "at_most");
    puts("a function of numbers as one of arrays:");
    ga_print(ga_kernel_call(clip, x, 3));
    ga_ufunc_free(clip);
}

static void norms(void) {
    GA_SCOPE;
    /* of every element; of two of these; of the last one; of none */
    ga_ufunc *norm = ga_reduction_kernel("T x", "float64 z", "x * x", "a + b",
                                         "z = sqrt(a)", "0", "norm");
    ga_array *x = ga_reshape(ga_arange(0, 12, 1), GA_SHAPE(4, 3));
    puts("\nEuclidean norms of the columns and of all:");
    ga_print(ga_kernel_reduce(norm, GA_AXIS(0), x));
    ga_print(ga_kernel_reduce(norm, GA_ALL, x));
    ga_ufunc_free(norm);
}

static void mistakes(void) {
    ga_on_error(NULL);                          /* handle this one here     */
    ga_kernel *k = ga_kernel_compile(
        "extern \"C\" __global__ void wrong(float *a) {\n"
        "    a[threadIdx.x] = b;\n"
        "}\n", "wrong", NULL);
    printf("\n%s\n", k ? "it compiled" : ga_error_message());
    ga_clear_error();
    ga_kernel_free(k);
}

int main(void) {
    ga_on_error(GA_EXIT);
    if (ga_device_count() == 0 || ga_device() == GA_CPU) {
        puts("Kernels from a string need a CUDA device, and this thread's is "
             "the CPU.");
        return 0;
    }
    doubling();
    elements();
    norms();
    mistakes();
    return 0;
}
