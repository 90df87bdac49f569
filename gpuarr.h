/* gpuarr.h - NumPy for C, on CUDA devices and on the CPU.        MIT licence

   One C11 header and one companion, kernels.cu. A whole program:

       #define GPUARR_IMPLEMENTATION
       #include "gpuarr.h"

       int main(void) {
           ga_on_error(GA_EXIT);          // print the message and exit
           GA_SCOPE;                      // arrays die at the block's end
           ga_array *x = ga_linspace(0, 1, 5);
           ga_array *y = ga_add(ga_mul(x, 2.0), 1);
           ga_print(y);                   // [1.  1.5 2.  2.5 3. ]
           ga_print(ga_mean(y, GA_ALL));  // 2.0
       }

   BUILD               (README.md says more)
       nvcc -std=c++17 -O3 -arch=native -c kernels.cu -Xcompiler
           -fno-exceptions,-fno-threadsafe-statics,-fno-math-errno,-fno-trapping-math,-fopenmp
       cc -O2 main.c kernels.o -I/usr/local/cuda/include -L/usr/local/cuda/lib64
           -lcudart_static -ldl -lrt -lpthread -lm -fopenmp -o main
   or, where there is no CUDA:
       c++ -x c++ -std=c++17 -O3 -DGPUARR_NO_CUDA -fno-exceptions -fno-rtti -fno-threadsafe-statics
           -fno-math-errno -fno-trapping-math -fopenmp -c kernels.cu
       cc -O2 -DGPUARR_NO_CUDA main.c kernels.o -fopenmp -lpthread -lm -o main
   Linear algebra on the CPU device: -DGPUARR_USE_LAPACK and -llapacke -lopenblas in the cc line.

   CONTENTS            (search for the anchor; the implementation follows in this order, as >>i-name)
     >>config          options, compilers, attributes
     >>types           dtypes, arrays, shapes, axes
     >>errors          the sticky error, handlers
     >>lifetime        free, scopes, keep, detach, leak listing
     >>operands        how C numbers become operands
     >>devices         current device, information, moving arrays
     >>memory          pool, limits, statistics, pinned memory
     >>streams         streams, events, graphs
     >>create          empty ... geomspace, wrap
     >>host            asarray, asnumpy, item
     >>views           slices, axes, reshape, broadcast, assign
     >>joining         concatenate, stack, tile, pad ... grids and triangles
     >>elementwise     the operation tables, one row an operation
     >>reductions      sum ... nanargmin
     >>masks           x[mask], nonzero, select
     >>indexing        x[indices], take, put, scatter; segments
     >>scans           cumsum ... gradient
     >>sorting         sort, topk, searchsorted, unique, sets
     >>linalg          products, decompositions, solving, norms
     >>random          generators and distributions
     >>eval            expressions in one kernel
     >>npy             .npy files
     >>exchange        DLPack, .npz archives, facts of dtypes
     >>print           printing as NumPy does
     >>text            text and raw files
     >>profile         where the time goes: a table, NVTX ranges, benchmarks
     >>kernels         your own CUDA kernels: spans of arrays, launches
     >>macros          C numbers as operands: a macro for each function
     >>abi             what gpuarr.h and kernels.cu say to each other
     >>implementation  everything under GPUARR_IMPLEMENTATION
   and behind >>i-reductions rooms of the implementation alone
     >>i-libs          cuBLAS, cuSOLVER and cuRAND: opened, their handles
     >>i-gemm          one matrix product, by libraries and loops
     >>i-products      matmul and its kin
     >>i-einsum        sums of products of labelled axes
     >>i-lapack        decompositions on the CPU device
     >>i-cusolver      calls of cuSOLVER
     >>i-cholesky  >>i-lu  >>i-qr  >>i-eig  >>i-svd      decompositions
     >>i-solve         solving, inverses, least squares, determinants
     >>i-norm          norms and condition
     >>i-expm          the matrix exponential
     >>i-sort  >>i-gather  >>i-search                    orders and places

   THE RULES, ONCE
     Ownership  A ga_array * is a handle with one owner: the GA_SCOPE it was made in, else whoever
                calls ga_free. Arguments are borrowed. Views share a counted buffer.
     Errors     No function aborts. A failing call returns NULL (or a ga_status) and leaves its outputs
                as they were. The thread's first error stays until ga_clear_error(). While it is
                pending, NULL arguments pass through in silence: check a chain once, at its end.
     Order      Work is queued on the thread's current stream and a call returns at once, unless its
                contract says "synchronises". Streams never race on an array: the library makes one
                wait for the other where they share a buffer.
     Dtypes     NumPy 2's promotion; C numbers are weak: float32 array * 2.0 is float32.
     Threads    Device, stream, scopes and error are per thread. An array may be read by many threads;
                its handle is freed by the thread whose scope owns it (or by anyone once detached).
                No call needs more than 64 KB of stack, nor do OpenMP's threads (OMP_STACKSIZE); a
                BLAS, LAPACK and CUDA may.
     Contracts  What a call does; shapes and dtypes; the result; errors; "Synchronises" where it does.
                A contract names what the rules here do not say already.
     fork       The child has what was on the CPU, and its loops run on one thread, if no other thread of
                the parent was inside a call. Where the parent has asked for GPUs, the child has none:
                CUDA does not survive. It says so, and the child selects GA_CPU and leaves GPU arrays be.

   DOES NOT  (yet) FFT, sorting, scans, sparse matrices; linear algebra in float16 and
             bfloat16 but for products and norms; generalised eigenvalues, Schur forms, banded matrices;
             integer or boolean index arrays; strings, dates, structured or object dtypes, float128;
             big-endian arrays in memory (files of either order are read); arrays spread over several
             devices; Windows; a GPU that is not NVIDIA's.
*/
#ifndef GPUARR_H
#define GPUARR_H

/* ================================================================ >>config
   Options: define before the include, the same in every file of a program.

   GPUARR_IMPLEMENTATION  in exactly one C file: compiles the library there
   GPUARR_NO_CUDA         CPU device alone; no CUDA header or library needed
   GPUARR_USE_LAPACK      linear algebra on the CPU device, by CBLAS and
                          LAPACKE (OpenBLAS: -llapacke -lopenblas)
   GPUARR_USE_ZLIB        compressed .npz files, by zlib (-lz)
   GPUARR_LINK_LIBS       cuBLAS, cuSOLVER and cuRAND are linked (-lcublas
                          -lcusolver -lcurand), not opened at first use
   GPUARR_STATIC          every function static: private to one file
   GPUARR_CHECK_BOUNDS    a kernel's v(i, j) is checked, see >>kernels
   GPUARR_DEBUG           the use of freed arrays is an error; errors and the
                          list of arrays alive name file and line; every call
                          is a little slower
   GA_MALLOC(n) GA_REALLOC(p,n) GA_FREE(p)   host allocator, all or none
   GA_ASSERT(c)           the library's own invariants, default assert

   Environment, read once:
   GPUARR_DEVICE=cpu|0|1..  the device a thread starts on
   GPUARR_MEM_LIMIT=bytes   as ga_mem_limit; suffix K, M, G
   GPUARR_SYNC=1            synchronise after every operation, so that a
                            failing kernel is named
   GPUARR_PROFILE=1         a table of all operations at exit, see >>profile
   GPUARR_NVTX=1            NVTX ranges around them
   GPUARR_LEAKS=1           at exit the number of arrays still alive, and under
                            GPUARR_DEBUG a list of them, on stderr        */
#define GA_VERSION_MAJOR 0
#define GA_VERSION_MINOR 3
#define GA_VERSION_PATCH 0
#define GA_VERSION (GA_VERSION_MAJOR * 10000 + GA_VERSION_MINOR * 100 \
                    + GA_VERSION_PATCH)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
#define GA__EXTERN extern "C"
#else
#define GA__EXTERN extern
#endif
#if defined(__GNUC__) || defined(__clang__)
#define GA__PRINTF(f, a) __attribute__((format(printf, f, a)))
#define GA__CLEANUP(fn) __attribute__((cleanup(fn)))
#define GA__UNUSED __attribute__((unused))
#define GA__EXT __extension__
#else
#define GA__PRINTF(f, a)
#define GA__UNUSED
#define GA__EXT
#endif
#ifdef GPUARR_STATIC
#define GA_API static GA__UNUSED
#else
#define GA_API GA__EXTERN
#endif
#define GA__CAT_(a, b) a##b
#define GA__CAT(a, b) GA__CAT_(a, b)

/* A program's own macros of one letter, complex.h's I among them, are set aside
   for the declarations.                                                    */
_Pragma("push_macro(\"A\")") _Pragma("push_macro(\"B\")")
_Pragma("push_macro(\"I\")") _Pragma("push_macro(\"N\")")
_Pragma("push_macro(\"P\")") _Pragma("push_macro(\"R\")")
_Pragma("push_macro(\"T\")") _Pragma("push_macro(\"a\")")
_Pragma("push_macro(\"b\")") _Pragma("push_macro(\"c\")")
_Pragma("push_macro(\"d\")") _Pragma("push_macro(\"e\")")
_Pragma("push_macro(\"f\")") _Pragma("push_macro(\"g\")")
_Pragma("push_macro(\"h\")") _Pragma("push_macro(\"i\")")
_Pragma("push_macro(\"j\")") _Pragma("push_macro(\"k\")")
_Pragma("push_macro(\"l\")") _Pragma("push_macro(\"m\")")
_Pragma("push_macro(\"n\")") _Pragma("push_macro(\"o\")")
_Pragma("push_macro(\"p\")") _Pragma("push_macro(\"q\")")
_Pragma("push_macro(\"r\")") _Pragma("push_macro(\"s\")")
_Pragma("push_macro(\"t\")") _Pragma("push_macro(\"u\")")
_Pragma("push_macro(\"v\")") _Pragma("push_macro(\"w\")")
_Pragma("push_macro(\"x\")") _Pragma("push_macro(\"y\")")
_Pragma("push_macro(\"z\")")
#undef A
#undef B
#undef I
#undef N
#undef P
#undef R
#undef T
#undef a
#undef b
#undef c
#undef d
#undef e
#undef f
#undef g
#undef h
#undef i
#undef j
#undef k
#undef l
#undef m
#undef n
#undef o
#undef p
#undef q
#undef r
#undef s
#undef t
#undef u
#undef v
#undef w
#undef x
#undef y
#undef z

/* ================================================================= >>types */
#define GA_MAX_NDIM 8

/* name, NumPy's name, bytes, kind: b bool, i int, u uint, f float, c complex */
#define GA_DTYPES(X) \
    X(BOOL, "bool", 1, 'b')             X(INT8, "int8", 1, 'i')            \
    X(INT16, "int16", 2, 'i')           X(INT32, "int32", 4, 'i')          \
    X(INT64, "int64", 8, 'i')           X(UINT8, "uint8", 1, 'u')          \
    X(UINT16, "uint16", 2, 'u')         X(UINT32, "uint32", 4, 'u')        \
    X(UINT64, "uint64", 8, 'u')         X(FLOAT16, "float16", 2, 'f')      \
    X(BFLOAT16, "bfloat16", 2, 'f')     X(FLOAT32, "float32", 4, 'f')      \
    X(FLOAT64, "float64", 8, 'f')       X(COMPLEX64, "complex64", 8, 'c')  \
    X(COMPLEX128, "complex128", 16, 'c')
#define GA__ENUM(N, s, b, k) GA_##N,
typedef enum ga_dtype { GA_DTYPES(GA__ENUM) GA_NUM_DTYPES } ga_dtype;
#undef GA__ENUM

/* float16 and bfloat16 on the host: bits, converted by ga_float16_from ... */
typedef struct ga_float16 { uint16_t bits; } ga_float16;
typedef struct ga_bfloat16 { uint16_t bits; } ga_bfloat16;
GA__EXT typedef float _Complex ga_complex64;
GA__EXT typedef double _Complex ga_complex128;

typedef struct ga_stream ga_stream;
typedef struct ga_event ga_event;
typedef struct ga_graph ga_graph;
typedef struct ga__buffer ga__buffer;
typedef struct ga_scope ga_scope;

/* An array, or a view of one. The first block is for reading; the rest is the
   library's. Strides count elements and may be 0 (broadcast) or negative.   */
typedef struct ga_array {
    void *data;                     /* the first element, on `device`        */
    int ndim;                       /* 0 to GA_MAX_NDIM                      */
    ga_dtype dtype;
    int device;                     /* GA_CPU, or a CUDA device              */
    int64_t size;                   /* number of elements                    */
    int64_t shape[GA_MAX_NDIM];
    int64_t strides[GA_MAX_NDIM];

    ga__buffer *ga__buf;            /* NULL: a C number standing as operand  */
    ga_scope *ga__scope;
    struct ga_array *ga__prev, *ga__next;
    const char *ga__file;
    int ga__line;
    unsigned ga__magic;             /* alive, freed, or a weak scalar        */
    union { bool b; int64_t i; uint64_t u; double f; double c[2]; } ga__value;
} ga_array;

/* A shape or an index by value: GA_SHAPE(3, 4), GA_SCALAR_SHAPE. */
typedef struct ga_shape { int ndim; int64_t dim[GA_MAX_NDIM]; } ga_shape;
/* Axes by value: GA_ALL, GA_AXIS(0), GA_AXIS(0, -1), GA_AXIS_KEEP(1). */
typedef struct ga_axis {
    int n;                          /* -1: all                               */
    bool keepdims;
    int axis[GA_MAX_NDIM];
} ga_axis;

/* More than 8 are an error of the call that gets them; none do not compile,
   but GA_AXIS() in C++, which is an error of the call too.                 */
#define GA__NO_AXES (-2)
#ifdef __cplusplus
template <class... T> static inline ga_shape ga__shape(T... v) {
    static_assert(sizeof...(v) > 0, "no lengths; rank 0 is GA_SCALAR_SHAPE");
    ga_shape s = {(int)sizeof...(v), {}};
    int64_t d[] = {(int64_t)v...};
    for (int i = 0; i < s.ndim && i < GA_MAX_NDIM; i++) s.dim[i] = d[i];
    return s;
}
template <bool KEEP> static inline ga_axis ga__axes() {
    return ga_axis{GA__NO_AXES, KEEP, {}};
}
template <bool KEEP, class A, class... T>
static inline ga_axis ga__axes(A a, T... v) {
    ga_axis s = {1 + (int)sizeof...(v), KEEP, {}};
    int d[] = {(int)a, (int)v...};
    for (int i = 0; i < s.n && i < GA_MAX_NDIM; i++) s.axis[i] = d[i];
    return s;
}
static inline ga_shape ga__shape0(void) { return ga_shape{0, {}}; }
static inline ga_axis ga__axall(bool keep) { return ga_axis{-1, keep, {}}; }
#define GA_SHAPE(...) ga__shape(__VA_ARGS__)
#define GA_SCALAR_SHAPE ga__shape0()
#define GA_AXIS(...) ga__axes<false>(__VA_ARGS__)
#define GA_AXIS_KEEP(...) ga__axes<true>(__VA_ARGS__)
#define GA_ALL ga__axall(false)
#define GA_ALL_KEEP ga__axall(true)
#else
#define GA__STOP (-2147483571)      /* ends a list; no length, no axis      */
static inline GA__UNUSED ga_shape ga__shape(const int64_t *v) {
    ga_shape s = {0, {0}};
    for (; v[s.ndim] != GA__STOP; s.ndim++)
        if (s.ndim < GA_MAX_NDIM) s.dim[s.ndim] = v[s.ndim];
    return s;
}
static inline GA__UNUSED ga_axis ga__axes(bool keep, const int *v) {
    ga_axis s = {0, keep, {0}};
    for (; v[s.n] != GA__STOP; s.n++)
        if (s.n < GA_MAX_NDIM) s.axis[s.n] = v[s.n];
    return s;
}
#define GA_SHAPE(...) ga__shape((const int64_t[]){__VA_ARGS__, GA__STOP})
#define GA_SCALAR_SHAPE ((ga_shape){0, {0}})
#define GA_AXIS(...) ga__axes(false, (const int[]){__VA_ARGS__, GA__STOP})
#define GA_AXIS_KEEP(...) ga__axes(true, (const int[]){__VA_ARGS__, GA__STOP})
#define GA_ALL ((ga_axis){-1, false, {0}})
#define GA_ALL_KEEP ((ga_axis){-1, true, {0}})
#endif
#define GA_INDEX GA_SHAPE

GA_API size_t ga_dtype_size(ga_dtype t);        /* bytes; 0 if not a dtype   */
GA_API const char *ga_dtype_name(ga_dtype t);   /* NumPy's name; "?" if not  */
GA_API ga_dtype ga_promote_types(ga_dtype a, ga_dtype b);  /* NumPy 2's      */
GA_API bool ga_can_cast(ga_dtype from, ga_dtype to); /* NumPy's "same_kind"  */
GA_API ga_shape ga_shape_of(const ga_array *x);
GA_API bool ga_is_contiguous(const ga_array *x);     /* C order              */
GA_API float ga_float16_to(ga_float16 h);            /* exact                */
GA_API ga_float16 ga_float16_from(float f);          /* to nearest even      */
GA_API float ga_bfloat16_to(ga_bfloat16 h);
GA_API ga_bfloat16 ga_bfloat16_from(float f);

/* ================================================================ >>errors */
#define GA_STATUSES(X) \
    X(OK, "no error")                                                       \
    X(ERR_NULL, "an array argument is NULL")                                \
    X(ERR_FREED, "the array has been freed")                                \
    X(ERR_SHAPE, "shapes do not fit")                                       \
    X(ERR_DTYPE, "dtype not supported or not castable")                     \
    X(ERR_AXIS, "axis out of range or repeated")                            \
    X(ERR_INDEX, "index out of range")                                      \
    X(ERR_VALUE, "bad argument value")                                      \
    X(ERR_SYNTAX, "malformed string")                                 \
    X(ERR_SIZE, "size overflows")                                           \
    X(ERR_EMPTY, "reduction of an empty array has no identity")             \
    X(ERR_HOST_MEMORY, "out of host memory")                                \
    X(ERR_DEVICE_MEMORY, "out of device memory")                            \
    X(ERR_MEM_LIMIT, "over the memory limit")                               \
    X(ERR_DEVICE, "no such device")                                         \
    X(ERR_DEVICE_MISMATCH, "array is on another device")                    \
    X(ERR_NO_GPU, "no CUDA device")                                         \
    X(ERR_NO_DRIVER, "no CUDA driver")                                      \
    X(ERR_OLD_DRIVER, "CUDA driver older than the runtime")                 \
    X(ERR_ARCH, "kernels.o was not built for this GPU")                     \
    X(ERR_VERSION, "gpuarr.h and kernels.o differ in version")              \
    X(ERR_CUDA, "CUDA error")                                               \
    X(ERR_CONTEXT, "the CUDA context is unusable after an earlier fault")   \
    X(ERR_CAPTURE, "not allowed while a graph is captured")                 \
    X(ERR_STREAM, "stream or event belongs elsewhere or is destroyed")      \
    X(ERR_READONLY, "array is read-only")                                   \
    X(ERR_LIBRARY, "a library this needs is missing")                       \
    X(ERR_UNSUPPORTED, "not possible on this device")                       \
    X(ERR_SQUARE, "matrix is not square")                                   \
    X(ERR_SINGULAR, "matrix is singular")                                   \
    X(ERR_NOT_POSITIVE_DEFINITE, "matrix is not positive definite")         \
    X(ERR_NOT_CONVERGED, "iteration did not converge")                      \
    X(ERR_NAN, "NaN or infinity in the input")                              \
    X(ERR_COMPILE, "kernel source does not compile")                        \
    X(ERR_FILE_OPEN, "file cannot be opened")                               \
    X(ERR_FILE_FORMAT, "file is malformed or of an unknown format")         \
    X(ERR_FILE_READ, "file cannot be read")                                 \
    X(ERR_FILE_WRITE, "file cannot be written")
#define GA__ENUM(N, s) GA_##N,
typedef enum ga_status { GA_STATUSES(GA__ENUM) GA_NUM_STATUSES } ga_status;
#undef GA__ENUM

/* The thread's first error since the last clear, and its message: operation,
   shapes, dtypes, limits ("ga_add: shapes (3,4) and (5,) do not broadcast").
   The text lives until the thread's next error or clear.                   */
GA_API ga_status ga_error(void);
GA_API const char *ga_error_message(void);
GA_API void ga_clear_error(void);
GA_API const char *ga_status_name(ga_status s);         /* "GA_ERR_SHAPE"    */

/* Sets the function that is called with every error that becomes pending, in
   any thread; NULL, the default, for none. GA_EXIT prints the message and
   exits with 1, GA_PRINT prints it. Returns the previous handler.          */
typedef void (*ga_handler)(ga_status status, const char *message);
GA_API ga_handler ga_on_error(ga_handler h);
GA_API void ga_handler_exit(ga_status status, const char *message);
GA_API void ga_handler_print(ga_status status, const char *message);
#define GA_EXIT ga_handler_exit
#define GA_PRINT ga_handler_print

/* The version of the library, "0.3.0"; GA_VERSION is the header's. The first
   use of a device fails (GA_ERR_VERSION) if kernels.o has another one, or a
   file of the program was compiled with another header than the library's,
   but for the patch number.                                                */
GA_API const char *ga_version(void);
GA_API void ga__header(int version);
#if !defined(GPUARR_IMPLEMENTATION) && !defined(GPUARR_KERNELS) && defined(__GNUC__)
static void __attribute__((constructor)) ga__compare_header(void) {
    ga__header(GA_VERSION);
}
#endif

/* ============================================================== >>lifetime */
/* Frees a handle; NULL is allowed. The memory is freed with its last view, in
   stream order. Under GPUARR_DEBUG a second time is GA_ERR_FREED.          */
GA_API void ga_free(ga_array *x);

/* GA_SCOPE; is a declaration. When the enclosing braces are left, in whatever
   way, it frees the arrays that this thread has made since, except those that
   were kept, detached or freed. Scopes nest. For compilers without the cleanup
   attribute: ga_scope_begin and ga_scope_end.                              */
struct ga_scope { struct ga_scope *up; ga_array *first; };
GA_API ga_scope ga_scope_begin(ga_scope *s);
GA_API void ga_scope_end(ga_scope *s);
#define GA_SCOPE                                                            \
    GA__UNUSED ga_scope GA__CAT(ga__scope_, __LINE__)                       \
    GA__CLEANUP(ga_scope_end) =                                             \
        ga_scope_begin(&GA__CAT(ga__scope_, __LINE__))

/* ga_keep hands x to the scope around the current one, which is how a function
   returns an array; ga_detach takes it out of all scopes: ga_free it. Both
   return x.                                                                */
GA_API ga_array *ga_keep(ga_array *x);
GA_API ga_array *ga_detach(ga_array *x);

/* GA_REPLACE(x, ga_mul(x, 2)); carries a value from turn to turn of a loop with
   a GA_SCOPE, which frees what each turn makes: x becomes the new array, which
   joins the scope of the old one, and the old one is freed. Returns the new
   array; if it is NULL, NULL, and x stays as it was.                       */
GA_API ga_array *ga_replace(ga_array **x, ga_array *with);
#define GA_REPLACE(x, with) ga_replace(&(x), (with))

/* How many arrays are alive in the process. Under GPUARR_DEBUG ga_list_arrays
   also writes a line for each: file:line, dtype, shape, device.            */
GA_API int64_t ga_live_arrays(void);
GA_API int64_t ga_list_arrays(FILE *f);

GA_API void ga__here(const char *file, int line);
#ifdef GPUARR_DEBUG
#define GA__AT(call) (ga__here(__FILE__, __LINE__), (call))
#else
#define GA__AT(call) (call)
#endif

/* ============================================================== >>operands
   Where an operation takes operands, C numbers do as well as arrays. They are
   arrays of rank 0 and weak, as Python's numbers: float32 array * 2.0 is
   float32. (bool, ga_float16 and ga_bfloat16 are not weak.) In C++ they may be
   std::complex, or like it.                                                 */
GA_API const ga_array ga__none;
#define GA_NONE (&ga__none)         /* an absent operand, as in ga_clip      */
/* GA_ARG(2) is the operand for a function called without its macro,
   (ga_add)(x, GA_ARG(2)), and lives to the end of the block.               */

/* =============================================================== >>devices */
#define GA_CPU (-1)

typedef struct ga_device_properties {
    int device;
    char name[256];
    size_t total_memory, free_memory;    /* bytes                           */
    int multiprocessors;                 /* CPU: threads used               */
    int major, minor;                    /* compute capability; CPU: 0      */
    int driver_version, runtime_version; /* as 13000; CPU: 0                */
    int warp_size, max_threads_per_block;
    size_t l2_bytes;
} ga_device_properties;

/* How many CUDA devices can be used; 0 without GPU or driver, and in a build
   for the CPU alone.                                                       */
GA_API int ga_device_count(void);
/* The calling thread's current device: at first what GPUARR_DEVICE names, else
   CUDA device 0, else GA_CPU (a note on stderr says why, once). Errors:
   GA_ERR_DEVICE, or why there is no GPU (GA_ERR_NO_GPU, _NO_DRIVER, ...).   */
GA_API int ga_device(void);
GA_API ga_status ga_set_device(int device);
GA_API ga_status ga_device_info(int device, ga_device_properties *out);
/* Waits for all work on the current device, and reports what failed in it. Of
   streams that are not ours, while another thread makes a graph there, only
   the null stream and wrapped ones that arrays were used on are waited for.
   Synchronises.                                                            */
GA_API ga_status ga_synchronize(void);
/* x on `device`: a copy in C order, peer to peer between GPUs that can; a view
   if x is there already (as CuPy's asarray).                               */
GA_API ga_array *(ga_to_device)(const ga_array *x, int device);

/* GA_DEVICE(1); makes a device current to the end of the enclosing braces. */
typedef struct ga_device_guard { int before; } ga_device_guard;
GA_API ga_device_guard ga_device_begin(int device);
GA_API void ga_device_end(ga_device_guard *g);
#define GA_DEVICE(d)                                                        \
    GA__UNUSED ga_device_guard GA__CAT(ga__dev_, __LINE__)                  \
    GA__CLEANUP(ga_device_end) = ga_device_begin(d)

/* ================================================================ >>memory */
typedef struct ga_memory {          /* bytes of one device                  */
    size_t used, peak;              /* in buffers of this library           */
    size_t reserved;                /* used, and kept for the next arrays   */
    size_t limit;                   /* 0: none                              */
    size_t free, total;             /* the device's own                     */
} ga_memory;
GA_API ga_status ga_mem_info(int device, ga_memory *out);
/* Gives what the current device keeps of freed arrays' memory back to the
   system (the CPU keeps at most 256 MB). Synchronises.                     */
GA_API ga_status ga_mem_trim(void);
/* How many bytes arrays may take on the current device, 0 for no limit; a call
   that would take more fails (GA_ERR_MEM_LIMIT).                           */
GA_API ga_status ga_mem_limit(size_t bytes);
/* Page-locked host memory for ga_asarray_async and _asnumpy_async; plain
   aligned memory where there is no GPU. NULL if there is no more.          */
GA_API void *ga_pinned_alloc(size_t bytes);
GA_API void ga_pinned_free(void *p);

/* =============================================================== >>streams
   NULL is the null stream. A stream belongs to the device it was made on; on
   the CPU device work is done by the time a call returns.                  */
GA_API ga_stream *ga_stream_create(int priority);   /* lower is more urgent */
GA_API void ga_stream_destroy(ga_stream *s);        /* does not wait        */
GA_API ga_stream *ga_stream_current(void);
GA_API ga_status ga_set_stream(ga_stream *s);       /* of the current device */
GA_API ga_status ga_stream_synchronize(ga_stream *s);   /* waits for its work */
GA_API bool ga_stream_query(ga_stream *s);          /* is all its work done? */
/* What is queued on s from now on waits for the event; the host does not. */
GA_API ga_status ga_stream_wait(ga_stream *s, ga_event *e);
/* Calls f(arg), on a thread of the driver, when what is queued on s so far is
   done. f must not call this library.                                     */
GA_API ga_status ga_stream_callback(ga_stream *s, void (*f)(void *), void *arg);
/* To and from plain CUDA code: handle is a cudaStream_t. A wrapped stream stays
   the caller's and must outlive the arrays used on it.                     */
GA_API void *ga_stream_handle(ga_stream *s);
GA_API ga_stream *ga_stream_wrap(void *handle);

/* GA_STREAM(s); makes a stream current to the end of the enclosing braces. */
typedef struct ga_stream_guard { ga_stream *before; int device; } ga_stream_guard;
GA_API ga_stream_guard ga_stream_begin(ga_stream *s);
GA_API void ga_stream_end(ga_stream_guard *g);
#define GA_STREAM(s)                                                        \
    GA__UNUSED ga_stream_guard GA__CAT(ga__str_, __LINE__)                  \
    GA__CLEANUP(ga_stream_end) = ga_stream_begin(s)

/* An event marks a place in a stream's work: the last one recorded. */
GA_API ga_event *ga_event_create(void);
GA_API void ga_event_destroy(ga_event *e);
GA_API ga_status ga_event_record(ga_event *e, ga_stream *s);
GA_API ga_status ga_event_synchronize(ga_event *e);     /* waits for it     */
GA_API bool ga_event_query(ga_event *e);                /* has it passed?   */
/* Milliseconds between two events; NaN and an error if one was never recorded.
   Synchronises with `stop`.                                                */
GA_API double ga_event_elapsed(ga_event *start, ga_event *stop);

/* A graph is made from one call of step(arg): on a CUDA device the call is
   captured, and ga_graph_launch replays its work on the current stream, which
   costs a few microseconds; on the CPU device a launch calls step again. Arrays
   made in step are freed in it; those from outside that it uses are held until
   the graph is destroyed. step may call what does not synchronise, else the
   graph is not made (GA_ERR_CAPTURE). Other threads may meanwhile call
   anything, make graphs too, and use the same arrays.                      */
GA_API ga_graph *ga_graph_create(void (*step)(void *), void *arg);
GA_API ga_status ga_graph_launch(ga_graph *g);
GA_API void ga_graph_destroy(ga_graph *g);

/* ================================================================ >>create
   New arrays on the current device, in C order.                            */
GA_API ga_array *(ga_empty)(ga_shape shape, ga_dtype t);  /* uninitialised  */
GA_API ga_array *(ga_zeros)(ga_shape shape, ga_dtype t);
GA_API ga_array *(ga_ones)(ga_shape shape, ga_dtype t);
GA_API ga_array *(ga_full)(ga_shape shape, const ga_array *value, ga_dtype t);
/* New arrays of x's shape, dtype, memory order and device. */
GA_API ga_array *(ga_empty_like)(const ga_array *x);
GA_API ga_array *(ga_zeros_like)(const ga_array *x);
GA_API ga_array *(ga_ones_like)(const ga_array *x);
GA_API ga_array *(ga_full_like)(const ga_array *x, const ga_array *value);
/* start, start + step, ... as long as they are before stop: (n), where n is
   ceil((stop-start)/step). int64 if all three are integers, else float64; _as
   takes the dtype. Errors: step 0 (GA_ERR_VALUE).                          */
GA_API ga_array *(ga_arange)(const ga_array *start, const ga_array *stop,
                             const ga_array *step);
GA_API ga_array *(ga_arange_as)(const ga_array *start, const ga_array *stop,
                                const ga_array *step, ga_dtype t);
/* num values at equal distances from start to stop, which is included: (num)
   of float64; _as takes the dtype and whether stop is included.            */
GA_API ga_array *(ga_linspace)(double start, double stop, int64_t num);
GA_API ga_array *(ga_linspace_as)(double start, double stop, int64_t num,
                                  bool endpoint, ga_dtype t);
/* num values at equal ratios, (num) of float64: from base**start to base**stop;
   from start to stop, which are nonzero and of the same sign. The end is
   included.                                                                */
GA_API ga_array *(ga_logspace)(double start, double stop, int64_t num,
                               double base);
GA_API ga_array *(ga_geomspace)(double start, double stop, int64_t num);
/* (n,m) of zeros with ones on the k-th diagonal, k > 0 above the main one. */
GA_API ga_array *(ga_eye)(int64_t n, int64_t m, int64_t k, ga_dtype t);
GA_API ga_array *(ga_identity)(int64_t n, ga_dtype t);
/* The caller's memory as an array, without a copy; strides NULL stands for C
   order. ptr is aligned to the element's size, or to 8 bytes (GA_ERR_VALUE).
   deleter(ptr, arg), unless NULL, is called when the last view has been freed
   and the work on the memory is done; not if the call fails. Without one the
   caller frees the memory, after synchronising.                            */
GA_API ga_array *(ga_wrap)(void *ptr, ga_dtype t, ga_shape shape,
                           const int64_t *strides, int device,
                           void (*deleter)(void *, void *), void *arg);

/* ================================================================== >>host */
/* A new array on the current device with the elements at `host`, in C order.
   ga_asarray(p, GA_SHAPE(3, 4)) takes the dtype from the pointer's type, _as
   is told it. `host` may be reused on return; ga_asarray_async wants pinned
   memory that stays as it is until the stream has been synchronised.       */
GA_API ga_array *(ga_asarray_as)(const void *host, ga_dtype t, ga_shape shape);
GA_API ga_array *(ga_asarray_async)(const void *host, ga_dtype t, ga_shape s);
#define GA__INT_OF(T) (sizeof(T) == 1 ? GA_INT8 : sizeof(T) == 2 ? GA_INT16  \
                       : sizeof(T) == 4 ? GA_INT32 : GA_INT64)
#define GA__UINT_OF(T) (GA__INT_OF(T) == GA_INT8 ? GA_UINT8                  \
                        : GA__INT_OF(T) == GA_INT16 ? GA_UINT16              \
                        : GA__INT_OF(T) == GA_INT32 ? GA_UINT32 : GA_UINT64)
#define GA__CHAR_OF ((char)-1 < 0 ? GA_INT8 : GA_UINT8)
#ifdef __cplusplus
static inline ga_dtype ga__type_of(const bool *) { return GA_BOOL; }
static inline ga_dtype ga__type_of(const char *) { return GA__CHAR_OF; }
#define GA__OVERLOAD(T, t) \
    static inline ga_dtype ga__type_of(const T *) { return t; }
GA__OVERLOAD(signed char, GA_INT8) GA__OVERLOAD(unsigned char, GA_UINT8)
GA__OVERLOAD(short, GA_INT16) GA__OVERLOAD(unsigned short, GA_UINT16)
GA__OVERLOAD(int, GA_INT32) GA__OVERLOAD(unsigned, GA_UINT32)
GA__OVERLOAD(long, GA__INT_OF(long))
GA__OVERLOAD(unsigned long, GA__UINT_OF(long))
GA__OVERLOAD(long long, GA_INT64) GA__OVERLOAD(unsigned long long, GA_UINT64)
GA__OVERLOAD(ga_float16, GA_FLOAT16) GA__OVERLOAD(ga_bfloat16, GA_BFLOAT16)
GA__OVERLOAD(float, GA_FLOAT32) GA__OVERLOAD(double, GA_FLOAT64)
GA__OVERLOAD(ga_complex64, GA_COMPLEX64)
GA__OVERLOAD(ga_complex128, GA_COMPLEX128)
#undef GA__OVERLOAD
template <class T> /* std::complex and its like */
static inline ga_dtype ga__type_of(const T *v,
                                   decltype(v->real() + v->imag()) * = nullptr) {
    static_assert(sizeof(*v) == 8 || sizeof(*v) == 16,
                  "complex of float or of double");
    return sizeof(*v) == 8 ? GA_COMPLEX64 : GA_COMPLEX128;
}
#define GA_TYPE_OF(p) ga__type_of(p)
#else
#define GA__P(T, t) T *: t, const T *: t
#define GA_TYPE_OF(p) _Generic((p),                                         \
    GA__P(bool, GA_BOOL), GA__P(char, GA__CHAR_OF),                         \
    GA__P(signed char, GA_INT8), GA__P(unsigned char, GA_UINT8),            \
    GA__P(short, GA_INT16), GA__P(unsigned short, GA_UINT16),               \
    GA__P(int, GA_INT32), GA__P(unsigned, GA_UINT32),                       \
    GA__P(long, GA__INT_OF(long)), GA__P(unsigned long, GA__UINT_OF(long)), \
    GA__P(long long, GA_INT64), GA__P(unsigned long long, GA_UINT64),       \
    GA__P(ga_float16, GA_FLOAT16), GA__P(ga_bfloat16, GA_BFLOAT16),         \
    GA__P(float, GA_FLOAT32), GA__P(double, GA_FLOAT64),                    \
    GA__P(ga_complex64, GA_COMPLEX64), GA__P(ga_complex128, GA_COMPLEX128))
#endif
#define ga_asarray(host, shape) \
    GA__AT((ga_asarray_as)((host), GA_TYPE_OF(host), (shape)))

/* Copies the elements, in C order, to dst, or to a malloc'ed block if dst is
   NULL (free() it). x may be on any device. Returns dst or the block, NULL on
   failure. Synchronises with x's stream. ga_asnumpy_async does not: dst is
   pinned memory, and complete when the stream has been synchronised.       */
GA_API void *ga_asnumpy(const ga_array *x, void *dst);
GA_API void *ga_asnumpy_async(const ga_array *x, void *dst);
/* The element of an array of size 1, or the one at an index (GA_INDEX(1, -2)),
   as a C number; NaN or 0 on failure. x may be on any device. ga_item and
   ga_item_at want a real dtype, ga_item_i64 integers or bool. Synchronises. */
GA_API double ga_item(const ga_array *x);
GA_API int64_t ga_item_i64(const ga_array *x);
GA_API ga_complex128 ga_item_c128(const ga_array *x);
GA_API double ga_item_at(const ga_array *x, ga_shape index);

/* New arrays in C order, on x's device, which must be current. ga_astype casts
   between any two dtypes: integers wrap, float to integer saturates (NaN gives
   0), complex to real drops the imaginary part.                            */
GA_API ga_array *(ga_copy)(const ga_array *x);
GA_API ga_array *(ga_astype)(const ga_array *x, ga_dtype t);
/* A view if x is contiguous already, else a copy. */
GA_API ga_array *(ga_ascontiguousarray)(const ga_array *x);

/* ================================================================= >>views
   A view is a new handle on the same memory. Only ga_reshape and ga_ravel may
   copy, where no strides give the result. x may be on any device.          */

/* NumPy's basic indexing as text, with printf's arguments:
   ga_slice(x, "1:5, ::2"), "..., -1", "newaxis, :", ga_slice(x, "%d", i) (an
   int64_t is "%" PRId64). An integer drops its axis and must be in range
   (GA_ERR_INDEX); slices are clipped, as in NumPy.                         */
GA_API ga_array *(ga_slice)(const ga_array *x, const char *fmt, ...)
    GA__PRINTF(2, 3);
/* The same for one axis, with numbers; GA_END where Python leaves start or stop
   out.                                                                     */
#define GA_END INT64_MAX
GA_API ga_array *(ga_slice_axis)(const ga_array *x, int axis, int64_t start,
                                 int64_t stop, int64_t step);
GA_API ga_array *(ga_index_axis)(const ga_array *x, int axis, int64_t i);
/* reshape       in C order; one length may be -1: what the others leave
   ravel         rank 1, in C order
   transpose     the axes in this order; GA_ALL reverses them
   swapaxes      axis a for axis b
   moveaxis      axes to other places
   expand_dims   with axes of length 1 at these places of the result
   squeeze       without these axes, of length 1; GA_ALL: all of length 1
   broadcast_to  stretched to a shape; read-only
   flip          backwards along these axes
   diagonal      of two axes, as the last one; offset > 0: above the main one */
GA_API ga_array *(ga_reshape)(const ga_array *x, ga_shape shape);
GA_API ga_array *(ga_ravel)(const ga_array *x);
GA_API ga_array *(ga_transpose)(const ga_array *x, ga_axis perm);
GA_API ga_array *(ga_swapaxes)(const ga_array *x, int a, int b);
GA_API ga_array *(ga_moveaxis)(const ga_array *x, ga_axis from, ga_axis to);
GA_API ga_array *(ga_expand_dims)(const ga_array *x, ga_axis at);
GA_API ga_array *(ga_squeeze)(const ga_array *x, ga_axis at);
GA_API ga_array *(ga_broadcast_to)(const ga_array *x, ga_shape shape);
GA_API ga_array *(ga_flip)(const ga_array *x, ga_axis at);
GA_API ga_array *(ga_diagonal)(const ga_array *x, int64_t offset, int axis1,
                               int axis2);
/* The real and the imaginary part: views of a complex array; of a real one a
   view of x, and zeros.                                                    */
GA_API ga_array *(ga_real)(const ga_array *x);
GA_API ga_array *(ga_imag)(const ga_array *x);
/* A second handle on the same elements. */
GA_API ga_array *(ga_view)(const ga_array *x);

/* NumPy's view[...] = value: value broadcasts to view's shape and is cast as by
   ga_astype. It may overlap view, and be on another device. Errors: a C integer
   out of the dtype's range (GA_ERR_VALUE, as in ga_full), a view that was made
   by broadcasting (GA_ERR_READONLY).                                       */
GA_API ga_status (ga_assign)(ga_array *view, const ga_array *value);

/* =============================================================== >>joining */

/* =========================================================== >>elementwise
   One row is one operation: enum, prototype, _into form, CUDA kernel, CPU
   loop and tests come from it; gk_<name> in kernels.cu computes one element.

   types   the dtypes that it computes in: B bool, I integers, F floats, C
           complex. Others are converted first, as by NumPy: bool to int8 or
           float16, int8 to float16, int16 to float32, int32 and int64 to
           float64. N: bool is an error. D: integers compute in float64.
   result  SAME as it computes in, BOOL, REAL (of complex), U8
   cost    LIGHT: float32 runs at the memory's rate. HEAVY: special functions,
           in kernels of their own, so that their registers slow no other;
           HEAVYC: heavy for complex alone
   ulp     bound of the error for float32 and float64, on both devices, tested
           from lo to hi and beyond; complex: relative to |z|; logaddexp: to
           the largest of |x|, |y| and |result|; complex power: another 4 ulp
           for each unit of |y log x|
   Operands are arrays of any strides and dtypes, or C numbers, and broadcast.
   The result is a new array on the current device, in the operands' memory
   order. float16 and bfloat16 compute in float32.
   Temporary memory, freed in stream order: a copy of each operand from 65,536
   elements on that is stored in another order than the result (transposed); a
   result for an output that overlaps an operand; ga_where's condition as bool.
   Synchronises: ga_power with exponents in an array of signed integers alone,
   to look for negative ones.                                               */
#define GA__B 1
#define GA__I 2
#define GA__F 4
#define GA__C 8
#define GA__N 16
#define GA__D 32
#define GA__BIFC (GA__B | GA__I | GA__F | GA__C)
#define GA__IFC (GA__I | GA__F | GA__C)
#define GA__FC (GA__F | GA__C)
#define GA__BI (GA__B | GA__I)
#define GA__BIF (GA__B | GA__I | GA__F)
#define GA__IF (GA__I | GA__F)

/*    name, types, result, cost, ulp, lo, hi                                 */
#define GA_UNARY_OPS(X) \
  X(negative,      GA__IFC|GA__N, SAME, LIGHT,  0,  -9,    9) /* -x */ \
  X(positive,      GA__IFC|GA__N, SAME, LIGHT,  0,  -9,    9) /* +x */ \
  X(absolute,      GA__BIFC,      REAL, HEAVYC, 2,  -9,    9) /* |x| */ \
  X(sign,          GA__IFC|GA__N, SAME, HEAVYC, 2,  -9,    9) /* -1, 0, 1; z/|z| */ \
  X(reciprocal,    GA__IFC,       SAME, HEAVYC, 2,  0.1,   9) /* 1/x */ \
  X(square,        GA__IFC,       SAME, LIGHT,  2,  -9,    9) /* x*x */ \
  X(sqrt,          GA__FC,        SAME, HEAVYC, 2,  0,     9) /* square root */ \
  X(rsqrt,         GA__F,         SAME, LIGHT,  2,  0.1,   9) /* 1/sqrt(x) */ \
  X(cbrt,          GA__F,         SAME, HEAVY,  2,  -9,    9) /* cube root */ \
  X(exp,           GA__FC,        SAME, HEAVYC, 2,  -20,   20) /* e**x */ \
  X(exp2,          GA__FC,        SAME, HEAVYC, 2,  -20,   20) /* 2**x */ \
  X(expm1,         GA__FC,        SAME, HEAVY,  3,  -9,    9) /* e**x - 1 */ \
  X(log,           GA__FC,        SAME, HEAVYC, 2,  0.01,  99) /* natural logarithm */ \
  X(log2,          GA__FC,        SAME, HEAVYC, 2,  0.01,  99) /* base 2 */ \
  X(log10,         GA__FC,        SAME, HEAVYC, 3,  0.01,  99) /* base 10 */ \
  X(log1p,         GA__FC,        SAME, HEAVY,  3,  -0.9,  99) /* log(1 + x) */ \
  X(sin,           GA__FC,        SAME, HEAVYC, 2,  -99,   99) /* sine, radians */ \
  X(cos,           GA__FC,        SAME, HEAVYC, 2,  -99,   99) /* cosine */ \
  X(tan,           GA__FC,        SAME, HEAVY,  4,  -99,   99) /* tangent */ \
  X(arcsin,        GA__FC,        SAME, HEAVY,  4,  -1,    1) /* inverse sine */ \
  X(arccos,        GA__FC,        SAME, HEAVY,  3,  -1,    1) /* inverse cosine */ \
  X(arctan,        GA__FC,        SAME, HEAVY,  3,  -9,    9) /* inverse tangent */ \
  X(sinh,          GA__FC,        SAME, HEAVY,  4,  -9,    9) /* hyperbolic sine */ \
  X(cosh,          GA__FC,        SAME, HEAVY,  3,  -9,    9) /* hyperbolic cosine */ \
  X(tanh,          GA__FC,        SAME, HEAVY,  3,  -9,    9) /* hyperbolic tangent */ \
  X(arcsinh,       GA__FC,        SAME, HEAVY,  4,  -9,    9) /* inverse of sinh */ \
  X(arccosh,       GA__FC,        SAME, HEAVY,  4,  1,     99) /* inverse of cosh */ \
  X(arctanh,       GA__FC,        SAME, HEAVY,  4,  -0.9,  0.9) /* inverse of tanh */ \
  X(deg2rad,       GA__F,         SAME, LIGHT,  1,  -360,  360) /* x * pi/180 */ \
  X(rad2deg,       GA__F,         SAME, LIGHT,  1,  -7,    7) /* x * 180/pi */ \
  X(sinc,          GA__FC|GA__D,  SAME, HEAVY,  6,  -0.9,  0.9) /* sin(pi x)/(pi x) */ \
  X(floor,         GA__BIF,       SAME, LIGHT,  0,  -9,    9) /* down */ \
  X(ceil,          GA__BIF,       SAME, LIGHT,  0,  -9,    9) /* up */ \
  X(trunc,         GA__BIF,       SAME, LIGHT,  0,  -9,    9) /* towards zero */ \
  X(rint,          GA__FC,        SAME, HEAVYC, 0,  -9,    9) /* to nearest even */ \
  X(erf,           GA__F|GA__D,   SAME, HEAVY,  3,  -3,    3) /* error function */ \
  X(erfc,          GA__F|GA__D,   SAME, HEAVY,  6,  -3,    3) /* 1 - erf(x) */ \
  X(erfinv,        GA__F|GA__D,   SAME, HEAVY,  6,  -0.99, 0.99) /* inverse of erf */ \
  X(gamma,         GA__F|GA__D,   SAME, HEAVY,  11, 0.1,   9) /* gamma function */ \
  X(lgamma,        GA__F|GA__D,   SAME, HEAVY,  8,  3,     99) /* log|gamma(x)| */ \
  X(sigmoid,       GA__F|GA__D,   SAME, LIGHT,  4,  -9,    9) /* 1/(1 + exp(-x)) */ \
  X(conj,          GA__IFC,       SAME, LIGHT,  0,  -9,    9) /* complex conjugate */ \
  X(angle,         GA__FC|GA__D,  REAL, HEAVY,  4,  -9,    9) /* argument, radians */ \
  X(bitwise_not,   GA__BI,        SAME, LIGHT,  0,  -9,    9) /* ~x */ \
  X(bitwise_count, GA__I,         U8,   LIGHT,  0,  -9,    9) /* ones in |x| */ \
  X(logical_not,   GA__BIFC,      BOOL, LIGHT,  0,  -1,    1) /* x == 0 */ \
  X(isnan,         GA__BIFC,      BOOL, LIGHT,  0,  -1,    1) /* not a number? */ \
  X(isinf,         GA__BIFC,      BOOL, LIGHT,  0,  -1,    1) /* infinite? */ \
  X(isfinite,      GA__BIFC,      BOOL, LIGHT,  0,  -1,    1) /* neither infinite nor NaN */ \
  X(signbit,       GA__F,         BOOL, LIGHT,  0,  -1,    1) /* sign bit set? */

#define GA_BINARY_OPS(X) \
  X(add,           GA__BIFC,      SAME, LIGHT,  0,  -9,    9) /* x + y; bool: or */ \
  X(subtract,      GA__IFC|GA__N, SAME, LIGHT,  0,  -9,    9) /* x - y */ \
  X(multiply,      GA__BIFC,      SAME, LIGHT,  2,  -9,    9) /* x * y; bool: and */ \
  X(divide,        GA__FC|GA__D,  SAME, HEAVYC, 4,  0.1,   9) /* x / y; integers: float64 */ \
  X(floor_divide,  GA__IF,        SAME, LIGHT,  0,  -9,    9) /* floor(x/y); integers by 0: 0 */ \
  X(remainder,     GA__IF,        SAME, LIGHT,  0,  -9,    9) /* x - y*floor(x/y), y's sign */ \
  X(fmod,          GA__IF,        SAME, LIGHT,  0,  -9,    9) /* C's %, x's sign */ \
  X(power,         GA__IFC,       SAME, HEAVY,  4,  0.1,   5) /* x**y; integers: y >= 0 */ \
  X(hypot,         GA__F,         SAME, LIGHT,  2,  -9,    9) /* sqrt(x*x + y*y) */ \
  X(copysign,      GA__F,         SAME, LIGHT,  0,  -9,    9) /* |x| with y's sign */ \
  X(nextafter,     GA__F,         SAME, LIGHT,  0,  -9,    9) /* the next value towards y */ \
  X(ldexp,         GA__F,         SAME, LIGHT,  0,  -9,    9) /* x * 2**y, y integer */ \
  X(gcd,           GA__I|GA__N,   SAME, HEAVY,  0,  -99,   99) /* greatest common divisor */ \
  X(lcm,           GA__I|GA__N,   SAME, HEAVY,  0,  -9,    9) /* least common multiple */ \
  X(maximum,       GA__BIFC,      SAME, LIGHT,  0,  -9,    9) /* the larger; NaN wins */ \
  X(minimum,       GA__BIFC,      SAME, LIGHT,  0,  -9,    9) /* the smaller; NaN wins */ \
  X(fmax,          GA__BIFC,      SAME, LIGHT,  0,  -9,    9) /* the larger; NaN loses */ \
  X(fmin,          GA__BIFC,      SAME, LIGHT,  0,  -9,    9) /* the smaller; NaN loses */ \
  X(arctan2,       GA__F,         SAME, HEAVY,  3,  -9,    9) /* angle of (y, x) */ \
  X(logaddexp,     GA__F,         SAME, HEAVY,  4,  -9,    9) /* log(exp(x) + exp(y)) */ \
  X(logaddexp2,    GA__F,         SAME, HEAVY,  4,  -9,    9) /* log2(2**x + 2**y) */ \
  X(heaviside,     GA__F,         SAME, LIGHT,  0,  -1,    1) /* 0, y, 1 by x's sign */ \
  X(bitwise_and,   GA__BI,        SAME, LIGHT,  0,  -9,    9) /* x & y */ \
  X(bitwise_or,    GA__BI,        SAME, LIGHT,  0,  -9,    9) /* x | y */ \
  X(bitwise_xor,   GA__BI,        SAME, LIGHT,  0,  -9,    9) /* x ^ y */ \
  X(left_shift,    GA__I,         SAME, LIGHT,  0,  0,     6) /* x << y; 0 past the width */ \
  X(right_shift,   GA__I,         SAME, LIGHT,  0,  0,     6) /* x >> y, arithmetic */ \
  X(equal,         GA__BIFC,      BOOL, LIGHT,  0,  -2,    2) /* x == y */ \
  X(not_equal,     GA__BIFC,      BOOL, LIGHT,  0,  -2,    2) /* x != y */ \
  X(less,          GA__BIFC,      BOOL, LIGHT,  0,  -2,    2) /* x < y; complex: real first */ \
  X(less_equal,    GA__BIFC,      BOOL, LIGHT,  0,  -2,    2) /* x <= y */ \
  X(greater,       GA__BIFC,      BOOL, LIGHT,  0,  -2,    2) /* x > y */ \
  X(greater_equal, GA__BIFC,      BOOL, LIGHT,  0,  -2,    2) /* x >= y */ \
  X(logical_and,   GA__BIFC,      BOOL, LIGHT,  0,  -1,    1) /* x and y are nonzero */ \
  X(logical_or,    GA__BIFC,      BOOL, LIGHT,  0,  -1,    1) /* x or y is */ \
  X(logical_xor,   GA__BIFC,      BOOL, LIGHT,  0,  -1,    1) /* one of them is */

/* Rows that a public function with another signature stands on: halves of
   modf and frexp, round's, nan_to_num's, and NumPy's exact comparison of
   int64 with uint64 (computed on int64; y holds the bits of the uint64).   */
#define GA__UNARY_ROWS(X) \
  X(modf_frac,        GA__F,    SAME, LIGHT) \
  X(modf_int,         GA__F,    SAME, LIGHT) \
  X(frexp_mant,       GA__F,    SAME, LIGHT) \
  X(frexp_exp,        GA__F,    I32,  LIGHT)
#define GA__BINARY_ROWS(X) \
  X(equal_iu,         GA__I,    BOOL, LIGHT) \
  X(not_equal_iu,     GA__I,    BOOL, LIGHT) \
  X(less_iu,          GA__I,    BOOL, LIGHT) \
  X(less_equal_iu,    GA__I,    BOOL, LIGHT) \
  X(greater_iu,       GA__I,    BOOL, LIGHT) \
  X(greater_equal_iu, GA__I,    BOOL, LIGHT)
/* Rows with parameters or three operands: GK_OF_<name> in kernels.cu. */
#define GA__SPECIAL_ROWS(X) \
  X(copy,             GA__BIFC, SAME, LIGHT) \
  X(round,            GA__IFC,  SAME, HEAVYC) \
  X(nan_to_num,       GA__FC,   SAME, HEAVYC) \
  X(where,            GA__BIFC, SAME, LIGHT) \
  X(clip,             GA__BIFC, SAME, LIGHT)
#define GA__ALL_ROWS(X) GA_UNARY_OPS(X) GA__UNARY_ROWS(X) \
    GA_BINARY_OPS(X) GA__BINARY_ROWS(X) GA__SPECIAL_ROWS(X)

#define GA__X(n, ...) \
    GA_API ga_array *(ga_##n)(const ga_array *x); \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x);
GA_UNARY_OPS(GA__X)
#undef GA__X
#define GA__X(n, ...) \
    GA_API ga_array *(ga_##n)(const ga_array *x, const ga_array *y); \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x, \
                                     const ga_array *y);
GA_BINARY_OPS(GA__X)
#undef GA__X

/* ga_add_into(out, x, y) writes to an existing array, which has the result's
   shape (GA_ERR_SHAPE) and a dtype that NumPy's "same_kind" casts the result
   to (GA_ERR_DTYPE). It may be an operand, or overlap one.

   cond ? x : y for each element; cond of any dtype, nonzero is true. */
GA_API ga_array *(ga_where)(const ga_array *cond, const ga_array *x,
                            const ga_array *y);
GA_API ga_status (ga_where_into)(ga_array *out, const ga_array *cond,
                                 const ga_array *x, const ga_array *y);
/* min(max(x, lo), hi); GA_NONE leaves a side open, and so does a C integer
   beyond all those of the arrays' dtype: ga_clip(u8, 0, 300).              */
GA_API ga_array *(ga_clip)(const ga_array *x, const ga_array *lo,
                           const ga_array *hi);
GA_API ga_status (ga_clip_into)(ga_array *out, const ga_array *x,
                                const ga_array *lo, const ga_array *hi);
/* Rounded to so many decimals (-1: to tens), halves to even. */
GA_API ga_array *(ga_round)(const ga_array *x, int decimals);
GA_API ga_status (ga_round_into)(ga_array *out, const ga_array *x, int decimals);
/* x with its NaN and infinities replaced; NAN as posinf or neginf stands for
   the dtype's largest or smallest value. NumPy's default is
   ga_nan_to_num(x, 0, NAN, NAN).                                           */
GA_API ga_array *(ga_nan_to_num)(const ga_array *x, double nan, double posinf,
                                 double neginf);
GA_API ga_status (ga_nan_to_num_into)(ga_array *out, const ga_array *x,
                                      double nan, double posinf, double neginf);
/* Two new arrays; NULL for one that is not wanted. */
GA_API ga_status (ga_divmod)(const ga_array *x, const ga_array *y,
                             ga_array **quotient, ga_array **remainder);
GA_API ga_status (ga_modf)(const ga_array *x, ga_array **fraction,
                           ga_array **integer);
GA_API ga_status (ga_frexp)(const ga_array *x, ga_array **mantissa,
                            ga_array **exponent);

/* Other names of the same operations: real functions too. */
#define GA_UNARY_ALIASES(X) \
    X(neg, negative) X(abs, absolute) X(asin, arcsin) X(acos, arccos)       \
    X(atan, arctan) X(asinh, arcsinh) X(acosh, arccosh) X(atanh, arctanh)   \
    X(conjugate, conj) X(invert, bitwise_not) X(radians, deg2rad)           \
    X(degrees, rad2deg) X(fabs, absolute)
#define GA_BINARY_ALIASES(X) \
    X(sub, subtract) X(mul, multiply) X(div, divide) X(pow, power)          \
    X(mod, remainder) X(atan2, arctan2) X(true_divide, divide)              \
    X(bitwise_left_shift, left_shift) X(bitwise_right_shift, right_shift)
#define GA__X(n, of) \
    GA_API ga_array *(ga_##n)(const ga_array *x); \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x);
GA_UNARY_ALIASES(GA__X)
#undef GA__X
#define GA__X(n, of) \
    GA_API ga_array *(ga_##n)(const ga_array *x, const ga_array *y); \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x, \
                                     const ga_array *y);
GA_BINARY_ALIASES(GA__X)
#undef GA__X

/* ============================================================ >>reductions
   ga_sum(x, GA_ALL) is a new array of rank 0, ga_sum(x, GA_AXIS(0, 2)) one
   without these axes; GA_AXIS_KEEP and GA_ALL_KEEP keep them with length 1.
   None synchronises; ga_item brings a value to the host. The order of
   evaluation is fixed: on one device results repeat bit for bit. Temporary
   memory: at most 4 MB.

   result  SUM: bool and integers give int64 or uint64, exact modulo 2**64;
           SAME; MEAN: integers give float64; VAR: as MEAN, complex gives
           real; INDEX: int64, the first of equals, NaN before any number,
           along one axis or GA_ALL; BOOL; COUNT: int64
   family  the kernels: ADD folds 64-bit integers or doubles, EXT finds extreme
           values and ARG their places, VAR sums squares, COUNT nonzeros
   combine the operation of >>elementwise that joins two partial results
   start   what they start from, which changes nothing, and what an empty array
           gives (NaN over its length); GA__NONE: of no elements it is an error
           (GA_ERR_EMPTY)
   finish  VALUE, MEAN: over the length, ROOT of it, RANGE: less the minimum
   NaN     KEEP, or SKIP: as if they were not there
   Accumulators: float16, bfloat16, float32 and complex64 in float64; float64
   and complex128 compensated (two-sum), so sums are within 2 ulp plus the
   condition's 2**-100; variance in one pass about a moving pivot, within some
   1e-14 in float64.                                                        */
#define GA__NONE NAN
/*    name, types, result, family, combine, start, finish, NaN               */
#define GA_REDUCTIONS(X) \
  X(sum,           GA__BIFC, SUM,   ADD,   add,         0,        VALUE, KEEP) \
  X(prod,          GA__BIFC, SUM,   ADD,   multiply,    1,        VALUE, KEEP) /* product */ \
  X(max,           GA__BIFC, SAME,  EXT,   maximum,     GA__NONE, VALUE, KEEP) /* NaN wins */ \
  X(min,           GA__BIFC, SAME,  EXT,   minimum,     GA__NONE, VALUE, KEEP) \
  X(argmax,        GA__BIFC, INDEX, ARG,   maximum,     GA__NONE, VALUE, KEEP) /* where it is */ \
  X(argmin,        GA__BIFC, INDEX, ARG,   minimum,     GA__NONE, VALUE, KEEP) \
  X(all,           GA__BIFC, BOOL,  COUNT, logical_and, 1,        VALUE, KEEP) /* each is nonzero */ \
  X(any,           GA__BIFC, BOOL,  COUNT, logical_or,  0,        VALUE, KEEP) /* one is nonzero */ \
  X(mean,          GA__BIFC, MEAN,  ADD,   add,         0,        MEAN,  KEEP) /* sum / n */ \
  X(ptp,           GA__IFC|GA__N, SAME, EXT,   maximum,     GA__NONE, RANGE, KEEP) /* max - min */ \
  X(count_nonzero, GA__BIFC, COUNT, COUNT, add,         0,        VALUE, KEEP) \
  X(nansum,        GA__BIFC, SUM,   ADD,   add,         0,        VALUE, SKIP) /* NaN as 0 */ \
  X(nanprod,       GA__BIFC, SUM,   ADD,   multiply,    1,        VALUE, SKIP) /* NaN as 1 */ \
  X(nanmax,        GA__BIFC, SAME,  EXT,   maximum,     GA__NONE, VALUE, SKIP) /* NaN if all are */ \
  X(nanmin,        GA__BIFC, SAME,  EXT,   minimum,     GA__NONE, VALUE, SKIP) \
  X(nanmean,       GA__BIFC, MEAN,  ADD,   add,         0,        MEAN,  SKIP) \
  X(nanargmax,     GA__BIFC, INDEX, ARG,   maximum,     GA__NONE, VALUE, SKIP) /* -1 if all are */ \
  X(nanargmin,     GA__BIFC, INDEX, ARG,   minimum,     GA__NONE, VALUE, SKIP)
/* With ddof, the divisor being n - ddof. */
#define GA_REDUCTIONS_DDOF(X) \
  X(var,           GA__BIFC, VAR,   VAR,   add,         0,        VALUE, KEEP) /* variance */ \
  X(std,           GA__BIFC, VAR,   VAR,   add,         0,        ROOT,  KEEP) /* its root */ \
  X(nanvar,        GA__BIFC, VAR,   VAR,   add,         0,        VALUE, SKIP) \
  X(nanstd,        GA__BIFC, VAR,   VAR,   add,         0,        ROOT,  SKIP)

#define GA__X(n, ...) \
    GA_API ga_array *(ga_##n)(const ga_array *x, ga_axis axis); \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x, \
                                     ga_axis axis);
GA_REDUCTIONS(GA__X)
#undef GA__X
#define GA__X(n, ...) \
    GA_API ga_array *(ga_##n)(const ga_array *x, ga_axis axis, int ddof); \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x, \
                                     ga_axis axis, int ddof);
GA_REDUCTIONS_DDOF(GA__X)
#undef GA__X

/* ================================================================= >>masks */

/* ============================================================== >>indexing */

/* ================================================================= >>scans */

/* =============================================================== >>sorting */

/* ================================================================ >>linalg
   The functions mean what NumPy's and SciPy's do. The last two axes are the
   matrices, those before them batches, which broadcast. Operands are arrays on
   the current device, of any strides, and may be empty; results are new
   arrays in C order.

   dtypes  Products take all, promoted as NumPy's; integers wrap, bool is "or"
           of "and", float16 and bfloat16 sum in float32. All else takes
           float32, float64, complex64 and complex128; integers and bool become
           float64, float16 and bfloat16 are refused (GA_ERR_DTYPE).
   Errors: a matrix that is singular, not positive definite or not square, an
   iteration that does not converge, NaN or infinity that leaves no result
   (GA_ERR_NAN). The message names the matrix of the batch and LAPACK's index;
   the outputs stay as they were.
   Synchronises: all but products, once, to read LAPACK's info code.
   cuBLAS and cuSOLVER do the work, opened at their first use; on the CPU device
   CBLAS and LAPACK do (GPUARR_USE_LAPACK; without it products are plain loops
   and the rest is GA_ERR_LIBRARY).                                         */

/* Products of two operands, each with an _into form. Transposed operands are
   read where they are. dot, vdot, inner, outer and kron take C numbers too,
   weak as everywhere here (to NumPy's dot 2.0 is a float64).
   Accuracy: error below n eps |x||y|, as BLAS; float32 is never rounded to
   TF32 unless ga_matmul_precision allows it.                               */
/*    name, what shapes it takes, what it computes                           */
#define GA_PRODUCTS(X) \
  X(matmul, "(...,m,k) (...,k,n)")  /* matrix product; rank 1: row, column */ \
  X(dot,    "(...,k) (...,k,n)")    /* numpy.dot: last axis with last but one */ \
  X(vdot,   "any, same size")       /* sum of conj(x) y over all, flattened */ \
  X(vecdot, "(...,k) (...,k)")      /* sum of conj(x) y over the last axis */ \
  X(inner,  "(...,k) (...,k)")      /* over the last axes, all pairs of rest */ \
  X(outer,  "any, any")             /* x_i y_j, both flattened */ \
  X(matvec, "(...,m,k) (...,k)")    /* matrix times vector */ \
  X(kron,   "any, any")             /* Kronecker product */
#define GA__X(n, ...) \
    GA_API ga_array *(ga_##n)(const ga_array *x, const ga_array *y); \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x, \
                                     const ga_array *y);
GA_PRODUCTS(GA__X)
#undef GA__X

/* Sets, per thread, how float32 and complex64 products may round their
   operands: GA_HIGHEST, the default, not at all; GA_TF32 to 10 bits, which is
   several times faster on cards with tensor cores and changes nothing on the
   CPU. Returns the previous setting.                                       */
typedef enum ga_precision { GA_HIGHEST, GA_TF32 } ga_precision;
GA_API ga_precision ga_matmul_precision(ga_precision p);

/* The sum of products over the last n axes of x and the first n of y, or over
   pairs of axes: ga_tensordot_axes(x, y, GA_AXIS(0), GA_AXIS(1)). The result
   has the other axes of x, then those of y.                                */
GA_API ga_array *(ga_tensordot)(const ga_array *x, const ga_array *y, int n);
GA_API ga_status (ga_tensordot_into)(ga_array *out, const ga_array *x,
                                     const ga_array *y, int n);
GA_API ga_array *(ga_tensordot_axes)(const ga_array *x, const ga_array *y,
                                     ga_axis of_x, ga_axis of_y);
/* Einstein's summation in NumPy's notation: ga_einsum("ij,jk->ik", x, y).
   "..." broadcasts; a letter repeated in one operand takes the diagonal;
   without "->" the result has the letters that occur once, sorted. Up to 12
   arrays, 52 letters, 8 axes of an operand or the result. Axes that one
   operand alone has are summed first; then pairs of operands are contracted in
   the cheapest order (up to 6 operands; a greedy one beyond), each by one
   batched matrix product, rounded to the result's dtype.                   */
GA_API ga_array *(ga_einsum)(const char *subscripts, int n,
                             const ga_array *const *x);
GA_API ga_status (ga_einsum_into)(ga_array *out, const char *subscripts, int n,
                                  const ga_array *const *x);
/* The product of two or more matrices in the order of least arithmetic; the
   first and the last may be vectors.                                       */
GA_API ga_array *(ga_multi_dot)(int n, const ga_array *const *x);
/* The cross products of the vectors along an axis of x and y, of length 3 or 2.
   A vector of two has third component 0; of two such vectors the result is the
   third component alone.                                                   */
GA_API ga_array *(ga_cross)(const ga_array *x, const ga_array *y, int axis);
/* Square matrices to the n-th power, by repeated squaring; n < 0 inverts. */
GA_API ga_array *(ga_matrix_power)(const ga_array *x, int64_t n);
/* The sum along a diagonal: ga_trace(x, 0, -2, -1) for the last two axes. */
GA_API ga_array *(ga_trace)(const ga_array *x, int64_t offset, int axis1,
                            int axis2);

/* Decompositions of x (...,m,n). Results through pointers in NumPy's order;
   NULL for one that is not wanted, which is then not computed. Set the pointers
   to NULL before: a call that fails leaves them as they were.

   cholesky  x = L L^H, L lower; only x's lower triangle is read.
   qr        x = Q R; complete: Q is (m,m), R (m,n); else with k = min(m,n)
             Q is (m,k), R (k,n). Householder: R's diagonal may be negative.
   lu        x = P L U, P a permutation matrix, L unit lower (m,k), U (k,n);
             partial pivoting. A singular x has its factors too.
   svd       x = U diag(s) Vh, s real, descending; full: U (m,m), Vh (n,n),
             else (m,k) and (k,n).
   eigh      x = V diag(w) V^H for Hermitian x, of which the lower triangle is
             read; w real, ascending; the vectors are V's columns.
   eig       x V = V diag(w), always complex; V's columns have length 1; in
             LAPACK's order.
   Accuracy: LAPACK's, residuals of some n eps |x|.                         */
GA_API ga_array *(ga_cholesky)(const ga_array *x);
GA_API ga_status (ga_qr)(const ga_array *x, bool complete, ga_array **q,
                         ga_array **r);
GA_API ga_status (ga_lu)(const ga_array *x, ga_array **p, ga_array **l,
                         ga_array **u);
GA_API ga_status (ga_svd)(const ga_array *x, bool full, ga_array **u,
                          ga_array **s, ga_array **vh);
GA_API ga_array *(ga_svdvals)(const ga_array *x);
GA_API ga_status (ga_eigh)(const ga_array *x, ga_array **w, ga_array **v);
GA_API ga_array *(ga_eigvalsh)(const ga_array *x);
GA_API ga_status (ga_eig)(const ga_array *x, ga_array **w, ga_array **v);
GA_API ga_array *(ga_eigvals)(const ga_array *x);

/* Sets, per thread, the routine that ga_svd and what uses it take on a GPU;
   returns the previous setting. (The CPU device always takes LAPACK's divide
   and conquer.)
   GA_SVD_AUTO    up to 32x32 one Jacobi kernel for the whole batch; float32 and
                  complex64 at least twice as long as wide, or the reverse, by
                  the eigenvalues of A^H A in double precision if their ratio
                  is below 1e5; else POLAR if its own error estimate proves the
                  result exact (float32 and complex64 in double), else QR
   GA_SVD_QR      cuSOLVER's gesvd        GA_SVD_POLAR   cuSOLVER's gesvdp
   GA_SVD_JACOBI  beyond 32x32 gesvdj, whose vectors are orthogonal only to 10
                  to 100 n eps                                              */
typedef enum ga_svd_method {
    GA_SVD_AUTO, GA_SVD_QR, GA_SVD_POLAR, GA_SVD_JACOBI
} ga_svd_method;
GA_API ga_svd_method ga_svd_driver(ga_svd_method m);

/* Solving a x = b. a is (...,n,n); b is (...,n,k), or a vector if it has rank 1
   (NumPy 2's rule); batches broadcast, and each matrix of a is factored once.
   The result has b's shape. Errors: a zero on a factor's diagonal
   (GA_ERR_SINGULAR, "U(3,3) of matrix (2,1) is zero") or a NaN there
   (GA_ERR_NAN). Rounding may leave a tiny number instead of the zero, and the
   devices may name different pivots for a NaN. Synchronises, at the end.
   flags of solve_triangular and lu_solve: GA_LOWER (else upper), GA_TRANS or
   GA_CONJ_TRANS (a transposed), GA_UNIT_DIAGONAL; 0 for none. solve_triangular
   reads one triangle alone, without a copy if a is dense.                  */
enum { GA_LOWER = 1, GA_TRANS = 2, GA_CONJ_TRANS = 4, GA_UNIT_DIAGONAL = 8 };
GA_API ga_array *(ga_solve)(const ga_array *a, const ga_array *b);
GA_API ga_array *(ga_solve_triangular)(const ga_array *a, const ga_array *b,
                                       unsigned flags);
/* a is (...,m,n). lu: L below the diagonal, and U; piv: (...,min(m,n)), int32:
   row i was swapped with row piv[i], counted from 0 (SciPy's convention). A
   singular a, or one with NaN, has factors too; ga_lu_solve refuses them, and
   pivots that no LU has: piv[i] is at least i (GA_ERR_INDEX).              */
GA_API ga_status (ga_lu_factor)(const ga_array *a, ga_array **lu,
                                ga_array **piv);
GA_API ga_array *(ga_lu_solve)(const ga_array *lu, const ga_array *piv,
                               const ga_array *b, unsigned flags);
GA_API ga_array *(ga_cho_factor)(const ga_array *a);    /* lower, as cholesky */
GA_API ga_array *(ga_cho_solve)(const ga_array *c, const ga_array *b);
/* Least squares: the x of least |a x - b|, and of these the one of least |x|; a
   is (...,m,n). Singular values of at most rcond times the largest count as 0
   (rcond < 0: eps max(m,n)).
   residuals  the sums of squares, (...,k); NaN for a matrix that has not full
              column rank; of length 0 if none has, or if m <= n
   rank, s    int64, and a's singular values
   Any result may be NULL. By QR, and by SVD if a matrix of the batch is not of
   full rank or m < n. NaN or infinity in a is GA_ERR_NAN. Synchronises.    */
GA_API ga_status (ga_lstsq)(const ga_array *a, const ga_array *b, double rcond,
                            ga_array **x, ga_array **residuals,
                            ga_array **rank, ga_array **s);
GA_API ga_array *(ga_inv)(const ga_array *a);
/* The pseudo-inverse (Moore, Penrose) by SVD; rcond as in ga_lstsq. */
GA_API ga_array *(ga_pinv)(const ga_array *a, double rcond);
/* The x of tensordot(a, x, x's rank) = b; a's shape is b's followed by x's,
   after the given axes have been moved to its end (GA_ALL: none). ga_tensorinv:
   the inverse for this product of a's first ind axes against the rest.     */
GA_API ga_array *(ga_tensorsolve)(const ga_array *a, const ga_array *b,
                                  ga_axis axes);
GA_API ga_array *(ga_tensorinv)(const ga_array *a, int ind);

/* Determinants. Of a singular matrix: 0, and sign 0 with logabsdet -inf; |sign|
   is 1 otherwise. The product is kept as a fraction and a power of 2, which
   does not overflow. NaN gives NaN. Neither call synchronises.             */
GA_API ga_array *(ga_det)(const ga_array *a);
GA_API ga_status (ga_slogdet)(const ga_array *a, ga_array **sign,
                              ga_array **logabsdet);
/* numpy.linalg.norm: vector norms along one axis, matrix norms over two, GA_ALL
   for the whole array (of rank 1 or 2, unless ord is GA_NORM). ord: GA_NORM
   (the 2-norm of all elements), 1, 2, -1, -2, INFINITY, -INFINITY; for vectors
   0 and any other number, for matrices GA_FRO and GA_NUC. The result is real;
   float16 and bfloat16 are taken too, except where singular values are needed
   (the matrix orders 2, -2 and GA_NUC). The norm of no elements is 0, but -1,
   -2 and -INFINITY of none are an error (GA_ERR_EMPTY).
   Accuracy: some 10 ulp; GA_NORM, GA_FRO and the vectors' 2 do not overflow or
   underflow on the way (float64 sums for float32 and less, Blue's three sums
   for double). They copy x if the reduced axes do not adjoin in memory.    */
#define GA_NORM 1e300               /* markers: not orders in themselves    */
#define GA_FRO 2e300
#define GA_NUC 3e300
GA_API ga_array *(ga_norm)(const ga_array *x, double ord, ga_axis axes);
/* The condition number, from the singular values for GA_NORM, 2, -2 (of any
   m, n) and GA_NUC, else norm(x) norm(inv(x)). Infinity for singular matrices.
   NaN in x gives NaN, or GA_ERR_NAN where singular values are needed.      */
GA_API ga_array *(ga_cond)(const ga_array *x, double ord);
/* How many singular values exceed tol (tol < 0: the largest times max(m,n)
   eps); int64. Of fewer than two axes: 0 if all elements are zero, else 1. */
GA_API ga_array *(ga_matrix_rank)(const ga_array *x, double tol);
/* e to the matrix x, by scaling, squaring and Pade approximation (Al-Mohy and
   Higham 2009), with a scaling for each matrix of a batch. So that no power of
   x overflows, |x| beyond 2^160 (2^20 in float32) is halved to there first, and
   each halving may double the relative error. Synchronises for the norms, a
   second time where |x| says little about x's powers.                      */
GA_API ga_array *(ga_expm)(const ga_array *x);

/* ================================================================ >>random
   A generator is a key and a counter: Philox4x32-10 (Salmon et al., SC 2011).
   One seed gives the same numbers on the CPU and on every GPU: uniforms,
   integers and bits exactly, continuous distributions within 4 ulp of
   max(1, |x|), unless a rejection is decided within rounding. An element
   depends on the seed, the substream, the number of the call and its place in
   the result, in C order, and on nothing else; each call counts one.
   Synchronises: only a call whose parameters are arrays, to check their range.
   In a graph every launch repeats the numbers of the capture; on the CPU
   device, where a launch calls the function again, it does not.

   The layout is fixed: key = seed; counter words 0 and 1 = block (48 bits),
   2 = call, 3 = substream (24 bits) * 256 + attempt. Rows marked E, and bytes:
   block b, attempt j is the j-th 32-bit word of elements 4b .. 4b+3, of a
   float64 the high one first. Rows marked P, which reject: block i, attempt j
   is words 4j .. 4j+3 of element i. Attempts from 256 on have their upper bits
   in bits 24-31 of word 1, calls from 2**32 on theirs in bits 16-23, calls from
   2**40 on a new key.                                                      */
typedef struct ga_rng ga_rng;
typedef enum ga_engine {
    GA_PHILOX,                      /* this library's, all devices          */
    GA_XORWOW, GA_MRG32K3A, GA_MT19937, GA_MTGP32,          /* cuRAND's, on */
    GA_SOBOL32, GA_SCRAMBLED_SOBOL32, GA_SOBOL64,           /* a GPU alone: */
    GA_SCRAMBLED_SOBOL64            /* those distributions marked E below   */
} ga_engine;

/* A new generator; ga_rng_destroy it. One of cuRAND's belongs to the current
   device (on the CPU device GA_ERR_UNSUPPORTED).                           */
GA_API ga_rng *ga_rng_create(ga_engine e, uint64_t seed);
GA_API void ga_rng_destroy(ga_rng *g);
/* The generator that the thread draws from: at first NULL, the default one,
   seeded by the system, which all threads share; any other serves one thread
   at a time. GA_RNG(g); holds to the end of the enclosing braces.          */
GA_API ga_rng *ga_rng_current(void);
GA_API ga_status ga_set_rng(ga_rng *g);
typedef struct ga_rng_guard { ga_rng *before; } ga_rng_guard;
GA_API ga_rng_guard ga_rng_begin(ga_rng *g);
GA_API void ga_rng_end(ga_rng_guard *g);
#define GA_RNG(g)                                                           \
    GA__UNUSED ga_rng_guard GA__CAT(ga__rng_, __LINE__)                     \
    GA__CLEANUP(ga_rng_end) = ga_rng_begin(g)
/* Seeds the thread's current generator and starts it again: its count of calls,
   its substream, its children. For Sobol engines, which have no seed, the
   number is how many points to skip.                                       */
GA_API ga_status ga_random_seed(uint64_t seed);
/* From here on for Philox alone; g NULL is the default generator.
   Skips n calls, as if they had been made.                                 */
GA_API ga_status ga_rng_jump(ga_rng *g, uint64_t n);
/* n independent generators to out, to be destroyed one by one: substreams of
   g's seed; if these are used up, or g is a substream, keys that Philox hashes
   from its seed, substream and their number. A later call makes others.    */
GA_API ga_status ga_rng_spawn(ga_rng *g, int n, ga_rng **out);
/* The whole state of a generator; substream < 2**24 - 1 (GA_ERR_VALUE).    */
typedef struct ga_rng_state {
    uint64_t seed, call, spawned;
    uint32_t substream;
} ga_rng_state;
GA_API ga_status ga_rng_get_state(const ga_rng *g, ga_rng_state *out);
GA_API ga_status ga_rng_set_state(ga_rng *g, const ga_rng_state *in);

/* Distributions, as numpy.random.Generator's:
   ga_random_normal(0, 1, GA_SHAPE(3, 4), GA_FLOAT32) is a new array,
   ga_random_normal_into(out, 0, 1) fills one, or a view. Parameters are C
   numbers or arrays and broadcast to the shape; GA_BROADCAST is the shape that
   they broadcast to by themselves.
   result  F: float16, bfloat16, float32 or float64; I: any integer dtype (a
           value beyond it saturates) or float
   E       can also be drawn by cuRAND's engines, from one number an element; F
           is computed in float32 for results other than float64. P: Philox
           alone, computed in float64
   Parameters are real and taken as float64. Errors: one that is infinite, NaN
   or out of its domain (GA_ERR_VALUE), one whose shape does not broadcast to
   the result's (GA_ERR_SHAPE). Limits: lam and the mean of negative_binomial
   <= 9.22e18; ngood, nbad < 1e9; n of binomial is an integer.
   integers: [low, high) lies in the result's dtype, which may be bool. low and
   high are exact: C integers, or arrays of int64, of uint64 for a uint64
   result. For the full range of uint64 see ga_random_bytes.                */
#define GA_BROADCAST ga__broadcast_shape()
static inline GA__UNUSED ga_shape ga__broadcast_shape(void) {
    ga_shape s = GA_SCALAR_SHAPE;
    s.ndim = -1;
    return s;
}
/*    name, result, engines, then each parameter and where it may lie: FROM_0
      >= 0, OVER_0 > 0, OVER_1 > 1, MEAN as lam, FEW and WHOLE integers      */
#define GA_DISTRIBUTIONS_0(X) \
  X(random, F, E)                                     /* uniform in [0, 1) */ \
  X(standard_normal, F, E)                            /* mean 0, variance 1 */
#define GA_DISTRIBUTIONS_1(X) \
  X(exponential, F, E, scale, FROM_0)                 /* mean scale */ \
  X(chisquare, F, P, df, OVER_0)                      /* sum of df squares */ \
  X(standard_t, F, P, df, OVER_0)                     /* Student's t */ \
  X(weibull, F, E, a, FROM_0)                         /* (-log u)**(1/a) */ \
  X(pareto, F, E, a, OVER_0)                          /* Lomax: u**(-1/a) - 1 */ \
  X(power, F, E, a, OVER_0)                           /* density a x**(a-1) */ \
  X(rayleigh, F, E, scale, FROM_0)                    /* length of two normals */ \
  X(zipf, I, P, a, OVER_1)                            /* k**-a / zeta(a) */ \
  X(poisson, I, P, lam, MEAN)                         /* mean lam */ \
  X(geometric, I, E, p, OVER_0_TO_1)                  /* trials to a success */ \
  X(logseries, I, P, p, 0_TO_BELOW_1)                 /* -p**k / (k log(1-p)) */
#define GA_DISTRIBUTIONS_2(X) \
  X(uniform, F, E, low, ANY, high, ANY)               /* in [low, high) */ \
  X(normal, F, E, loc, ANY, scale, FROM_0)            /* Gaussian */ \
  X(lognormal, F, E, mean, ANY, sigma, FROM_0)        /* exp of a normal */ \
  X(gamma, F, P, shape, FROM_0, scale, FROM_0)        /* Marsaglia and Tsang */ \
  X(beta, F, P, a, OVER_0, b, OVER_0)                 /* in [0, 1] */ \
  X(f, F, P, dfnum, OVER_0, dfden, OVER_0)            /* Fisher and Snedecor's */ \
  X(cauchy, F, E, loc, ANY, scale, FROM_0)            /* ratio of normals */ \
  X(laplace, F, E, loc, ANY, scale, FROM_0)           /* double exponential */ \
  X(logistic, F, E, loc, ANY, scale, FROM_0)          /* log(u/(1-u)) */ \
  X(gumbel, F, E, loc, ANY, scale, FROM_0)            /* -log(-log u) */ \
  X(vonmises, F, P, mu, ANY, kappa, FROM_0)           /* on the circle */ \
  X(wald, F, P, mean, OVER_0, scale, OVER_0)          /* inverse Gaussian */ \
  X(binomial, I, P, n, WHOLE, p, 0_TO_1)              /* successes of n */ \
  X(negative_binomial, I, P, n, OVER_0, p, OVER_0_TO_1) /* failures before n */ \
  X(integers, I, E, low, ANY, high, ANY)              /* in [low, high) */
#define GA_DISTRIBUTIONS_3(X) \
  X(triangular, F, E, left, ANY, mode, ANY, right, ANY) /* left <= mode <= right */ \
  X(hypergeometric, I, P, ngood, FEW, nbad, FEW, nsample, WHOLE) /* good ones drawn */
#define GA__X(n, r, e) \
    GA_API ga_array *(ga_random_##n)(ga_shape shape, ga_dtype t); \
    GA_API ga_status (ga_random_##n##_into)(ga_array *out);
GA_DISTRIBUTIONS_0(GA__X)
#undef GA__X
#define GA__X(n, ...) \
    GA_API ga_array *(ga_random_##n)(const ga_array *a, ga_shape shape, \
                                     ga_dtype t); \
    GA_API ga_status (ga_random_##n##_into)(ga_array *out, const ga_array *a);
GA_DISTRIBUTIONS_1(GA__X)
#undef GA__X
#define GA__X(n, ...) \
    GA_API ga_array *(ga_random_##n)(const ga_array *a, const ga_array *b, \
                                     ga_shape shape, ga_dtype t); \
    GA_API ga_status (ga_random_##n##_into)(ga_array *out, const ga_array *a, \
                                            const ga_array *b);
GA_DISTRIBUTIONS_2(GA__X)
#undef GA__X
#define GA__X(n, ...) \
    GA_API ga_array *(ga_random_##n)(const ga_array *a, const ga_array *b, \
                                     const ga_array *c, ga_shape shape, \
                                     ga_dtype t); \
    GA_API ga_status (ga_random_##n##_into)(ga_array *out, const ga_array *a, \
                                            const ga_array *b, \
                                            const ga_array *c);
GA_DISTRIBUTIONS_3(GA__X)
#undef GA__X
GA_API ga_array *(ga_random)(ga_shape shape, ga_dtype t);  /* in [0, 1)      */

/* Made of these, and so as equal on all devices.
   n bytes: (n) of uint8, every value as likely.                            */
GA_API ga_array *(ga_random_bytes)(int64_t n);
/* How often each of k outcomes occurs in n trials. pvals is (..., k); the other
   axes, and n, broadcast to shape; the result is (shape, k). The last of pvals
   counts as what the others leave of 1; their sum may exceed 1 by 1e-12. Draws
   as k - 1 calls of binomial. Synchronises, to check pvals.                */
GA_API ga_array *(ga_random_multinomial)(const ga_array *n,
                                         const ga_array *pvals, ga_shape shape,
                                         ga_dtype t);
/* k numbers of sum 1; alpha (..., k) >= 0, the result (shape, k). Computed in
   float64, in logarithms if an alpha is below 0.1. Synchronises.           */
GA_API ga_array *(ga_random_dirichlet)(const ga_array *alpha, ga_shape shape,
                                       ga_dtype t);
/* mean (k), cov (k,k), symmetric and semidefinite within 1e-8; the result,
   (shape, k), is mean + z sqrt(cov). The symmetric root is ga_eigh's, the same
   for any signs of the vectors. Errors: ga_eigh's. Synchronises.           */
GA_API ga_array *(ga_random_multivariate_normal)(const ga_array *mean,
                                                 const ga_array *cov,
                                                 ga_shape shape, ga_dtype t);
/* A copy of x with its rows, along axis 0, in random order; for a C integer n
   0 .. n-1, int64. shuffle: in place, along an axis. Sorts random 64-bit keys:
   every order is as likely, but for 2**-64 for each pair. At most 2**32 - 1
   rows; temporary memory: 32 bytes a row.                                  */
GA_API ga_array *(ga_random_permutation)(const ga_array *x);
GA_API ga_status (ga_random_shuffle)(ga_array *x, int axis);
/* Rows of a, or numbers of 0 .. a-1 for a C integer: (shape, the rest of a's
   shape), in random order without replacement too. p: GA_NONE, or a weight for
   each row, of sum 1 within 1.5e-8. Synchronises with p, which is checked on
   the host; without replacement all is computed there, by least -log(u)/p.  */
GA_API ga_array *(ga_random_choice)(const ga_array *a, ga_shape shape,
                                    bool replace, const ga_array *p);

/* ================================================================== >>eval
   Whole expressions in one kernel, without a compiler at run time:

       ga_array *y = GA_EVAL(1.05 * where(x > 0, x, 1.67*exp(x) - 1.67), x);
       GA_EVAL_INTO(u, u + 0.25*lap, u, lap);      // into an existing array
       GA_EVAL_SET(s = sin(x); c = cos(x), s, c, x);      // several of them
       ga_array *d = GA_EVAL(sum((x - y)**2, axis=1), x, y);

   The first argument is C text. The others, up to 24, are the variables that it
   names: arrays of any strides and dtypes, which broadcast, or C numbers.

   The language: C's operators with C's precedence, + - * / % ** < <= > >= ==
   != & | ^ ~ << >> && || ! ?: and parentheses; ** binds tighter than a sign on
   its left and groups to the right; / is true division, % takes the sign of
   the divisor, as NumPy's. Every row of >>elementwise by its name (and where,
   clip, round), C's names too (pow, fabs, asin). Casts by dtype: float32(x).
   12, 0x1f, 1.5e-3, 2i; pi, e, inf, nan, true, false, unless an operand has
   the name. Statements end in ';': `name = expression` writes to an operand, or
   gives a new name to what follows; the one without a name, the last, is the
   result.
   Reductions of >>reductions by name: sum(v), max(v, axis=0), all(v, axis=(0,
   -1), keepdims=true). One that is the whole expression is fused with what it
   reduces: sum, mean, max, min, all, any, and prod but of float64, whose order
   shows; on a GPU of real numbers, at least 64 for each result, in operands
   that are contiguous along the last axis that is reduced or the last that is
   kept. Others go through an array.

   Dtypes and values are those of the separate calls: the same bits on the CPU;
   within the rows' bounds on a GPU, whose compiler may contract the operations
   of a row differently. Numbers in the text are weak, as C numbers are, and so
   is what is computed from these alone; integers of the text alone must stay
   within 64 bits and not divide by 0. Two differences: x**2, x**0.5 and x**-1
   are square, sqrt and reciprocal, as with NumPy's **; and a computed negative
   power of integers gives 0, 1 or -1, not an error. Dtypes are looked at in
   the whole text first, then shapes, one reduction after the other.

   Temporary memory: as in >>elementwise for operands transposed or overlapping;
   for reductions inside an expression; and for programs of more than some 60
   operations, which are cut into several kernels. The plans of the last 256
   texts are kept, for each set of dtypes: a repeated call takes the time of one
   plain operation, on the CPU 0.3 us more.

   Errors: GA_ERR_SYNTAX, _DTYPE, _SHAPE, _VALUE, _AXIS, _SIZE; the message
   shows the text with a caret under the place.                             */
#define GA_EVAL(expr, ...) GA__AT(ga__eval_args(#expr, #__VA_ARGS__, \
    GA__NOPERANDS(__VA_ARGS__), GA__OPERANDS(__VA_ARGS__)))
#define GA_EVAL_INTO(out, expr, ...) ga__eval_into_args((out), #expr, \
    #__VA_ARGS__, GA__NOPERANDS(__VA_ARGS__), GA__OPERANDS(__VA_ARGS__))
#define GA_EVAL_SET(stmts, ...) ga__eval_into_args(0, #stmts, \
    #__VA_ARGS__, GA__NOPERANDS(__VA_ARGS__), GA__OPERANDS(__VA_ARGS__))

/* The functions behind these macros; names: "x, y". A name that the text
   assigns to is an array that can be written and has the result's shape; the
   cast to its dtype is same-kind. out NULL: every statement has a name.    */
GA_API ga_array *(ga_eval)(const char *text, const char *names,
                           const ga_array *const *operands, int n);
GA_API ga_status ga_eval_into(ga_array *out, const char *text,
                              const char *names,
                              const ga_array *const *operands, int n);

/* A compiled expression, for texts made at run time. Several threads may run it
   at the same time, and a graph's step may.

       ga_expr *f = ga_expr_compile("a*x + y", "a, x, y");
       ga_array *z = GA_EXPR_RUN(f, 2.0, x, y);
       ga_expr_free(f);                                                     */
typedef struct ga_expr ga_expr;
GA_API ga_expr *ga_expr_compile(const char *text, const char *names);
GA_API ga_array *(ga_expr_run)(ga_expr *e, const ga_array *const *operands,
                               int n);
GA_API ga_status ga_expr_run_into(ga_array *out, ga_expr *e,
                                  const ga_array *const *operands, int n);
GA_API void ga_expr_free(ga_expr *e);                   /* NULL is fine     */
#define GA_EXPR_RUN(e, ...) GA__AT(ga__expr_args((e), \
    GA__NOPERANDS(__VA_ARGS__), GA__OPERANDS(__VA_ARGS__)))
#define GA_EXPR_RUN_INTO(out, e, ...) ga__expr_into_args((out), (e), \
    GA__NOPERANDS(__VA_ARGS__), GA__OPERANDS(__VA_ARGS__))

/* The same for arrays in host memory, computed on the current device: out and
   the operands are arrays on the CPU device (ga_wrap makes them of C's memory)
   or C numbers.

       GA_EVAL_HOST_INTO(z, cos(x)**2 + sin(x)**2, x);

   A GPU takes contiguous arrays of one shape piece by piece, copies in both
   directions and kernels at the same time, at the rate of the bus, with some
   100 MB of its memory; others are copied as a whole. On the CPU device it is
   GA_EVAL_INTO. Synchronises.                                              */
#define GA_EVAL_HOST_INTO(out, expr, ...) ga__eval_host_args((out), #expr, \
    #__VA_ARGS__, GA__NOPERANDS(__VA_ARGS__), GA__OPERANDS(__VA_ARGS__))
GA_API ga_status ga_eval_host_into(ga_array *out, const char *text,
                                   const char *names,
                                   const ga_array *const *operands, int n);

/* What the macros call: n operands of type const ga_array *. */
GA_API ga_array *ga__eval_args(const char *text, const char *names, int n, ...);
GA_API ga_status ga__eval_host_args(ga_array *out, const char *text,
                                    const char *names, int n, ...);
GA_API ga_status ga__eval_into_args(ga_array *out, const char *text,
                                    const char *names, int n, ...);
GA_API ga_array *ga__expr_args(ga_expr *e, int n, ...);
GA_API ga_status ga__expr_into_args(ga_array *out, ga_expr *e, int n, ...);
/* =================================================================== >>npy
   NumPy's .npy format, versions 1.0 to 3.0, C and Fortran order, either byte
   order, every dtype of this library (bfloat16 is '<V2', NumPy's name for what
   it does not know; ga_load_npy reads '<V2' as bfloat16). Errors:
   GA_ERR_FILE_OPEN, _FORMAT for a header that does not parse or a file that is
   shorter than its header says, _READ, _WRITE. Both synchronise.           */
GA_API ga_array *(ga_load_npy)(const char *path);    /* to the current device */
/* In C order. A file that is there is replaced once the new one is complete;
   links, FIFOs, others' files, and where the folder cannot be written to, are
   written in place.                                                        */
GA_API ga_status ga_save_npy(const char *path, const ga_array *x);

/* ============================================================== >>exchange
   Arrays of other libraries and files, and facts about dtypes.

   DLPack 1: an array changes hands without a copy. The structs are dlpack.h's
   (1.0); a program that includes a later one does so before gpuarr.h.

       def __dlpack__(self, stream=None, **kw): ...     a Python class's, of
           DLManagedTensorVersioned *t = ga_to_dlpack(x, stream);
           return PyCapsule_New(t, "dltensor_versioned", ...);               */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 0
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
typedef struct { uint32_t major, minor; } DLPackVersion;
typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 }
    DLDeviceType;
typedef enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLOpaqueHandle = 3,
               kDLBfloat = 4, kDLComplex = 5, kDLBool = 6 } DLDataTypeCode;
typedef struct { DLDeviceType device_type; int32_t device_id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides;       /* strides in elements; NULL: C order   */
    uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;
#elif !defined(DLPACK_MAJOR_VERSION)
#error "gpuarr: the dlpack.h included before is older than version 1.0"
#endif

/* x for another library, which calls the deleter when it has done; x's memory
   lives until then, x itself may be freed. A broadcast or read-only array is
   flagged read-only; the unversioned form cannot say that and refuses it
   (GA_ERR_READONLY).
   stream: the consumer's cudaStream_t on x's device, as __dlpack__ is given it
   (NULL and 1 the null stream, 2 the thread's): it is made to wait for the
   work on x. GA_NO_SYNC, -1: nothing waits. On the CPU device it means nothing.
   If the stream is one that this library knows (its own, wrapped, the null
   stream), later uses of x here wait for the consumer's work in turn; else
   that is the consumer's affair, before it calls the deleter too. Does not
   synchronise.                                                             */
#define GA_NO_SYNC ((void *)(intptr_t)-1)
GA_API DLManagedTensorVersioned *ga_to_dlpack(const ga_array *x, void *stream);
GA_API DLManagedTensor *ga_to_dlpack_unversioned(const ga_array *x,
                                                 void *stream);
/* An array of the tensor's memory, on its device: kDLCPU and kDLCUDAHost are
   GA_CPU, kDLCUDA and kDLCUDAManaged a CUDA device. Its elements must be ready
   in the order of the thread's current stream there: the producer is given
   ga_stream_handle(ga_stream_current()). The tensor belongs to the library from
   here on; its deleter is called once, when the last view has been freed and
   the work on the memory is done. A read-only tensor is no output
   (GA_ERR_READONLY). If the call fails the tensor is the caller's still.
   Errors: a version other than 1.x (GA_ERR_VERSION), a device, dtype or strides
   that this library has not, more than 8 axes. In C and C++ ga_from_dlpack
   takes either form.                                                       */
GA_API ga_array *(ga_from_dlpack)(DLManagedTensorVersioned *t);
GA_API ga_array *(ga_from_dlpack_unversioned)(DLManagedTensor *t);
#ifdef __cplusplus
static inline ga_array *ga__from_dlpack(DLManagedTensorVersioned *t) {
    return (ga_from_dlpack)(t);
}
static inline ga_array *ga__from_dlpack(DLManagedTensor *t) {
    return (ga_from_dlpack_unversioned)(t);
}
#define ga_from_dlpack(t) GA__AT(ga__from_dlpack(t))
#else
#define ga_from_dlpack(t) GA__AT(_Generic((t),                              \
    DLManagedTensor *: ga_from_dlpack_unversioned,                          \
    DLManagedTensorVersioned *: ga_from_dlpack)(t))
#endif

/* NumPy's .npz: several arrays, by name, in a zip archive. Its members are read
   stored or deflated and their CRC-32 checked; files beside the .npy ones are
   passed over. Compressed ones want zlib: GPUARR_USE_ZLIB and -lz, else they
   are an error (GA_ERR_LIBRARY). Archives and members may be above 4 GB. The
   rest is as in >>npy. Both synchronise.

       const char **name;  ga_array **x;  int64_t n;
       if (ga_load_npz("a.npz", &name, &x, &n) == GA_OK) ...  free(name), free(x)

   names and arrays get a malloc'ed block each; NULL for one not wanted: without
   arrays nothing is loaded. A failure leaves none.                         */
GA_API ga_status ga_load_npz(const char *path, const char ***names,
                             ga_array ***arrays, int64_t *count);
GA_API ga_array *(ga_load_npz_array)(const char *path, const char *name);
/* names NULL: arr_0, arr_1, ... flags: GA_COMPRESSED, as savez_compressed. A
   file that is there is replaced once the new one is complete; the path is not
   a pipe.                                                                  */
#define GA_COMPRESSED 1u
GA_API ga_status ga_save_npz(const char *path, const char *const *names,
                             ga_array *const *arrays, int64_t count,
                             unsigned flags);

/* NumPy's casting rules: the dtypes are the same (GA_NO, GA_EQUIV: every array
   here is in the machine's byte order), each value is kept (GA_SAFE), the kind
   is (GA_SAME_KIND, as ga_can_cast), anything. To bfloat16 bool and integers of
   8 bits are safe.                                                         */
typedef enum ga_casting {
    GA_NO, GA_EQUIV, GA_SAFE, GA_SAME_KIND, GA_UNSAFE
} ga_casting;
GA_API bool ga_can_cast_as(ga_dtype from, ga_dtype to, ga_casting rule);
/* The dtype in which NumPy 2 computes with 1 to 25 arrays and C numbers:
   ga_result_type(x, 2.0). GA_NUM_DTYPES on failure.                        */
GA_API ga_dtype (ga_result_type)(int n, const ga_array *const *x);
/* numpy.finfo of a float dtype, or of a complex one's parts; numpy.iinfo of an
   integer one. Another dtype is an error (GA_ERR_DTYPE), all fields 0.     */
typedef struct ga_float_info {
    ga_dtype dtype;
    int bits, nmant, nexp, precision;
    int machep, negep, minexp, maxexp;
    double eps, epsneg, resolution;
    double min, max, smallest_normal, smallest_subnormal;
} ga_float_info;
typedef struct ga_int_info {
    ga_dtype dtype;
    int bits;
    int64_t min;
    uint64_t max;
} ga_int_info;
GA_API ga_float_info ga_finfo(ga_dtype t);
GA_API ga_int_info ga_iinfo(ga_dtype t);
/* As ga_item_i64, for all of uint64; a negative number wraps. */
GA_API uint64_t ga_item_u64(const ga_array *x);

/* ================================================================= >>print
   As NumPy prints: in columns, with the fewest digits that tell the values
   apart, at most `precision`; of more than `threshold` elements only
   `edgeitems` at each end. x may be on any device. Synchronises.           */
typedef struct ga_print_options {
    int precision;              /* digits after the point: 8                */
    int64_t threshold;          /* 1000                                     */
    int edgeitems;              /* 3                                        */
    int linewidth;              /* 75                                       */
    bool suppress;              /* never scientific: false                  */
    bool floatmode_fixed;       /* always `precision` digits: false         */
    char sign;                  /* '-', or '+' or ' ' before positives      */
    char nanstr[16], infstr[16];
} ga_print_options;
GA_API ga_print_options ga_get_print_options(void);         /* per thread   */
GA_API ga_status ga_set_print_options(ga_print_options o);
GA_API ga_status ga_print(const ga_array *x);               /* str(x) + \n  */
GA_API ga_status ga_fprint(FILE *f, const ga_array *x);
GA_API char *ga_tostring(const ga_array *x);                /* free() it    */
GA_API char *ga_repr(const ga_array *x);  /* array([...], dtype=...); free() */

/* ================================================================== >>text
   Text files, as NumPy's loadtxt and savetxt: a row a line. Numbers are those
   of C and Python in any locale, rounded exactly (for floats below float64 once
   more, as in NumPy); nan, inf and infinity in any case; complex ones 1+2j,
   (1+2j) or 2j; bool is an integer, not 0. Empty lines and comments are passed
   over. All cores read and write. Memory: the whole file, or the whole array,
   on the host. Both synchronise. NULL options are those of a struct of zeros.

       ga_loadtxt("a.csv", GA_FLOAT32, &(ga_text){.delimiter = ",", .skip = 1})
*/
typedef struct ga_text {
    const char *delimiter;      /* one character (savetxt: any text); NULL: any
                                   white space, savetxt: a blank            */
    const char *comments;       /* what begins one; NULL: "#", "": none     */
    int64_t skip;               /* lines passed over at the top             */
    int64_t max_rows;           /* 0: all                                   */
    const int *columns;         /* those wanted, in this order, negative from
                                   the first row's end; NULL: all           */
    int ncolumns;
    int ndmin;                  /* axes that the result has at least: 0 to 2 */
    const char *header, *footer; /* savetxt: lines of comment               */
} ga_text;
/* (rows, columns) on the current device, without axes of length 1 beyond ndmin:
   one column is (rows), one number (). Without rows (0). Errors
   (GA_ERR_FILE_FORMAT) name line and column: no number, or one that the integer
   dtype has not, a missing value, a row of another length (a column beyond the
   last wanted does not count).                                             */
GA_API ga_array *(ga_loadtxt)(const char *path, ga_dtype t, const ga_text *how);
/* x has 1 axis (a column) or 2. fmt is printf's, with d, i, u, e, f or g: one
   conversion for each number, or, delimiters included, as many as a row has;
   NULL: "%.18e". d of a float cuts off. A complex number is " (re+imj)". A file
   that is there is replaced once the new one is complete.                  */
GA_API ga_status ga_savetxt(const char *path, const ga_array *x,
                            const char *fmt, const ga_text *how);
/* Elements as they lie in memory, in C order, without a header. fromfile: (n)
   on the current device; count -1 is all from byte `offset` on. A file of fewer
   bytes, or of a broken last element, is an error (GA_ERR_FILE_FORMAT).
   Synchronise.                                                             */
GA_API ga_array *(ga_fromfile)(const char *path, ga_dtype t, int64_t count,
                               int64_t offset);
GA_API ga_status ga_tofile(const char *path, const ga_array *x);

/* =============================================================== >>profile
   With GPUARR_PROFILE=1 in the environment every operation is timed, and at
   exit a table of them goes to stderr, by time:

     operation   device    calls          ms  share          MB    GB/s
     ga_add_into      0    42521     276.984  99.2%    332307.5  1199.7
     ga_random        0        2       2.354   0.8%      1073.7   456.1

   calls  pieces of work for the device; a public call may be several (ga_solve:
          copies, factors, substitution)
   ms     on the CPU by the clock; on a GPU between two events, which nothing
          waits for: a short operation on an idle GPU shows its launch's time
   MB     of the device's memory read and written, by shape and dtype, each
          element of an operand once; a copy to or from the host counts once.
          "-", not known, for decompositions, solving, sorting and graphs
   A captured step is counted when its graph is made, and its time under
   ga_graph_launch, as is all that a launch does on the CPU. Each expression and
   each kernel of your own (GA_LAUNCH, ga_launch) has a line. Copies between
   GPUs are not counted. Profiling slows calls: a small add on an H200 takes
   6.2 us instead of 2.8.

   GPUARR_NVTX=1: NVTX ranges with the operations' names, for Nsight Systems, if
   <nvtx3/nvToolsExt.h>, which CUDA has, was found when compiling. Without the
   variables nothing is slower.                                             */
typedef struct ga_profile_row {
    const char *op;                 /* "ga_add"                             */
    int device;                     /* GA_CPU, or a CUDA device             */
    int64_t calls;
    double ms, bytes;               /* bytes NaN: not known                 */
} ga_profile_row;
/* The table so far: printed, its first n rows to `rows` (returns how many rows
   there are), emptied. Without GPUARR_PROFILE=1 it has no rows, and nothing is
   printed. Synchronises with the work that is timed.                       */
GA_API ga_status ga_profile_print(FILE *f);
GA_API int ga_profile_get(ga_profile_row *rows, int n);
GA_API ga_status ga_profile_reset(void);

/* Seconds since the first call: the differences are of use. */
GA_API double ga_time(void);

/* ga_bench b = GA_BENCH(ga_add_into(z, x, y)); runs the call again and again,
   for about 0.3 s, and says how long it takes; short calls several times a
   sample.
   On a GPU events on the current stream time it, while the host goes on
   queueing; on the CPU device, and with `wall`, the host's clock does.
   For options, or more than an expression:

       ga_bench b = {.wall = true};
       while (ga_bench_next(&b)) ga_asnumpy(ga_sum(x, GA_ALL), &sum);

   Do not leave the loop before its end. It ends early, with NaNs, when an
   operation in it fails, and at once while an error is pending.            */
typedef struct ga_bench {
    double first_ms;                /* the first time, until it is done     */
    double best_ms, median_ms;      /* of the samples                       */
    int64_t runs;                   /* timed                                */
    bool wall;                      /* set before: see above                */
    int samples;                    /* set before: at most; 0: 100          */
    struct ga__bench *ga__state;
} ga_bench;
GA_API bool ga_bench_next(ga_bench *b);
/* Arrays made in the expression die after each run. C needs GCC or Clang. */
#ifdef __cplusplus
#define GA_BENCH(...)                                                       \
    ([&] {                                                                  \
        ga_bench ga__b = {};                                                \
        while (ga_bench_next(&ga__b)) { GA_SCOPE; __VA_ARGS__; }            \
        return ga__b;                                                       \
    }())
#elif defined(__GNUC__)
#define GA_BENCH(...)                                                       \
    (GA__EXT({                                                              \
        ga_bench ga__b = {0};                                               \
        while (ga_bench_next(&ga__b)) { GA_SCOPE; __VA_ARGS__; }            \
        ga__b;                                                              \
    }))
#endif

/* =============================================================== >>kernels
   Your own CUDA kernels, in a .cu file beside the C program: nvcc, C++17. A
   kernel takes arrays as ga_span<T, N>, views that travel by value:

       __global__ void axpy(float a, ga_span<const float> x,
                            ga_span<float> y) {
           int64_t i = ga_thread_x();
           if (i < y.size) y(i) += a * x(i);
       }
       extern "C" ga_status run_axpy(float a, ga_array *x, ga_array *y) {
           return GA_LAUNCH(axpy, ga_grid_1d(y->size), a, x, y);
       }

   T, N       dtype and rank of the array; others are GA_ERR_DTYPE and
              GA_ERR_SHAPE. const T reads, T reads and writes, but not a
              broadcast view (GA_ERR_READONLY). T is a C type that ga_asarray
              knows, float2 or double2 (complex), __half or __nv_bfloat16.
   v(i, j)    the element, whatever the strides; no checks. v[i] for N = 1.
   v.has(i, j)  is there such an element?
   v.at(i, j) the element, checked: beyond the shape it reads 0, a write is
              lost, and the next call that waits for the device (ga_item,
              ga_asnumpy, ga_synchronize, ...) is GA_ERR_INDEX and names the
              index. -DGPUARR_CHECK_BOUNDS checks v(i, j) and v[i] as well.
   v.data, v.size, v.shape[k], v.strides[k]   as of the array
   ga_rows<T, N>  a span whose last axis is contiguous (else GA_ERR_SHAPE):
              (i, j - 1), (i, j) and (i, j + 1) share one address. The mean of
              3x3 neighbours, 8000x8000 float32 on an H200: 0.289 ms, with
              ga_span 0.435, with int indices on plain pointers 0.266.

   GA_LAUNCH(kernel, grid, arguments...) gives the arguments' types those of
   the kernel's parameters, an array's being a span. It queues the kernel on
   the current stream, after other streams' work on these arrays, and returns
   a ga_status; it can be captured in a graph. A grid without blocks launches
   nothing. Template commas want parentheses: GA_LAUNCH((k<int, 2>), ...).  */
typedef struct ga__fault {          /* in host memory; kernels write it     */
    uint32_t state;                 /* 0; 1 being written; 2 to be reported */
    int ndim;                       /* of a span; else `code` tells         */
    int64_t index[GA_MAX_NDIM], shape[GA_MAX_NDIM];
    unsigned block[3], thread[3];
    int code, axis;                 /* see ga__late                         */
    const char *fn;
} ga__fault;
#if !defined(GPUARR_NO_CUDA) && !defined(GPUARR_STATIC)
typedef struct ga_grid {
    int64_t blocks[3];              /* along x, y, z                        */
    int threads[3];                 /* of a block                           */
    size_t shared;                  /* dynamic shared memory, bytes         */
} ga_grid;

/* What spans and launches ask of the library, argument by argument. */
typedef struct ga__call {
    const char *op;
    int arg;                        /* the argument's number; 0: no launch  */
    int device;
    void *stream;
    ga_status status;               /* of the first that failed             */
} ga__call;
GA_API void ga__call_begin(ga__call *c, const char *fn);
GA_API ga__fault *ga__call_array(ga__call *c, const ga_array *x, ga_dtype t,
                                 int ndim, bool write, bool rows);
GA_API void ga__call_start(const ga__call *c);
GA_API ga_status ga__call_end(ga__call *c, const ga_grid *g, int error);

#if defined(__CUDACC__) && __cplusplus >= 201703L
/* Threads for n elements; for a matrix, x along its columns; CUDA's numbers. */
static inline ga_grid ga_grid_1d(int64_t n, int threads = 256) {
    return ga_grid{{(n + threads - 1) / threads, 1, 1}, {threads, 1, 1}, 0};
}
static inline ga_grid ga_grid_2d(int64_t rows, int64_t cols, int ty = 8,
                                 int tx = 32) {
    return ga_grid{{(cols + tx - 1) / tx, (rows + ty - 1) / ty, 1},
                   {tx, ty, 1}, 0};
}
static inline ga_grid ga_grid_of(dim3 blocks, dim3 threads,
                                 size_t shared = 0) {
    return ga_grid{{blocks.x, blocks.y, blocks.z},
                   {(int)threads.x, (int)threads.y, (int)threads.z}, shared};
}
static inline __device__ int64_t ga_thread_x() {
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}
static inline __device__ int64_t ga_thread_y() {
    return (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
}

struct __half;
struct __nv_bfloat16;
static inline ga_dtype ga__type_of(const float2 *) { return GA_COMPLEX64; }
static inline ga_dtype ga__type_of(const double2 *) { return GA_COMPLEX128; }
static inline ga_dtype ga__type_of(const __half *) { return GA_FLOAT16; }
static inline ga_dtype ga__type_of(const __nv_bfloat16 *) {
    return GA_BFLOAT16;
}

template <class T, int N = 1, bool ROWS = false> struct ga_span {
    static_assert(N >= 1 && N <= GA_MAX_NDIM, "a span has 1 to 8 dimensions");
    T *data;
    int64_t size, shape[N], strides[N];
    ga__fault *fault;

    template <class... I> __device__ T &operator()(I... i) const {
        static_assert(sizeof...(I) == N, "one index for each dimension");
#ifdef GPUARR_CHECK_BOUNDS
        return at(i...);
#else
        return data[offset(i...)];
#endif
    }
    __device__ T &operator[](int64_t i) const { return (*this)(i); }
    template <class... I> __device__ bool has(I... i) const {
        static_assert(sizeof...(I) == N, "one index for each dimension");
        int d = 0;
        return (((uint64_t)(int64_t)i < (uint64_t)shape[d++]) && ...);
    }
    template <class... I> __device__ T &at(I... i) const {
        return has(i...) ? data[offset(i...)] : missing((int64_t)i...);
    }

  private:
    template <class... I> __device__ int64_t offset(I... i) const {
        int d = 0;
        int64_t k = 0;
        ((k += (int64_t)i * (ROWS && d == N - 1 ? 1 : strides[d]), d++), ...);
        return k;
    }
    /* The first one tells where it is; of const T nothing writes `lost`. */
    template <class... I> __device__ T &missing(I... i) const {
        alignas(16) static unsigned char lost[16];
        int64_t index[] = {i...};
        if (!atomicCAS(&fault->state, 0u, 1u)) {
            fault->ndim = N;
            for (int d = 0; d < N; d++) {
                fault->index[d] = index[d];
                fault->shape[d] = shape[d];
            }
            fault->block[0] = blockIdx.x;
            fault->block[1] = blockIdx.y;
            fault->block[2] = blockIdx.z;
            fault->thread[0] = threadIdx.x;
            fault->thread[1] = threadIdx.y;
            fault->thread[2] = threadIdx.z;
            __threadfence_system();
            *(volatile uint32_t *)&fault->state = 2;
        }
        return *(T *)lost;
    }
};

template <class T, int N = 1> using ga_rows = ga_span<T, N, true>;

template <class T> struct ga__access { enum { writes = true }; };
template <class T> struct ga__access<const T> { enum { writes = false }; };
template <class T, int N, bool R>
static inline ga_span<T, N, R> ga__span_make(ga__call &c, const ga_array *x) {
    ga_span<T, N, R> v = {};
    v.fault = ga__call_array(&c, x, ga__type_of((const T *)nullptr), N,
                             ga__access<T>::writes, R);
    if (!v.fault) return v;
    v.data = (T *)x->data;
    v.size = x->size;
    for (int d = 0; d < N; d++) {
        v.shape[d] = x->shape[d];
        v.strides[d] = x->strides[d];
    }
    return v;
}
/* A span for a launch by <<<>>> on ga_stream_handle(ga_stream_current()):
   ga_span_of<const float, 2>(x) reads x, ga_span_of<float>(y) writes y,
   ga_span_of<float, 2, true>(y) is a ga_rows. It has no elements if the array's
   dtype or rank is another one.                                            */
template <class T, int N = 1, bool R = false>
static inline ga_span<T, N, R> ga_span_of(const ga_array *x) {
    static_assert(!ga__access<T>::writes, "a const array: ga_span_of<const T>");
    ga__call c;
    ga__call_begin(&c, "ga_span_of");
    return ga__span_make<T, N, R>(c, x);
}
template <class T, int N = 1, bool R = false>
static inline ga_span<T, N, R> ga_span_of(ga_array *x) {
    ga__call c;
    ga__call_begin(&c, "ga_span_of");
    return ga__span_make<T, N, R>(c, x);
}

/* A kernel's parameter of type P, made from an argument of the launch. */
template <class P> struct ga__param {
    P value;
    template <class A>
    ga__param(ga__call &c, const A &a) : value(static_cast<P>(a)) { c.arg++; }
};
template <class T, int N, bool R> struct ga__param<ga_span<T, N, R>> {
    ga_span<T, N, R> value;
    ga__param(ga__call &c, const ga_span<T, N, R> &v) : value(v) { c.arg++; }
    ga__param(ga__call &c, ga_array *x)
        : value((c.arg++, ga__span_make<T, N, R>(c, x))) {}
    ga__param(ga__call &c, const ga_array *x)
        : value((c.arg++, ga__span_make<T, N, R>(c, x))) {
        static_assert(!ga__access<T>::writes, "the kernel writes this array, "
                      "which is const: take ga_span<const T>");
    }
};
template <class... P> struct ga__params {
    ga__params(ga__call &) {}
    void list(void **) {}
};
template <class P, class... R> struct ga__params<P, R...> {
    ga__param<P> first;
    ga__params<R...> rest;
    template <class A, class... B>
    ga__params(ga__call &c, const A &a, const B &...b)
        : first(c, a), rest(c, b...) {}
    void list(void **at) {
        *at = &first.value;
        rest.list(at + 1);
    }
};
static inline ga_status ga__call_go(ga__call *c, const void *kernel,
                                    const ga_grid *g, void **args) {
    if (c->status) return c->status;
    ga__call_start(c);
    int before = c->device;
    cudaError_t e = cudaGetDevice(&before);
    if (!e && before != c->device) e = cudaSetDevice(c->device);
    for (int k = 0; k < 3; k++)                 /* also what dim3 would cut  */
        if (!e && (uint64_t)g->blocks[k] > INT32_MAX)
            e = cudaErrorInvalidConfiguration;
    if (!e && g->shared > 48 << 10)             /* more has to be asked for */
        e = cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
            (int)g->shared);
    if (!e && g->blocks[0] && g->blocks[1] && g->blocks[2])
        e = cudaLaunchKernel(
            kernel, dim3((unsigned)g->blocks[0], (unsigned)g->blocks[1],
                         (unsigned)g->blocks[2]),
            dim3((unsigned)g->threads[0], (unsigned)g->threads[1],
                 (unsigned)g->threads[2]),
            args, g->shared, (cudaStream_t)c->stream);
    if (before != c->device) cudaSetDevice(before);
    if (e) cudaGetLastError();
    return ga__call_end(c, g, e);
}
template <class... P, class... A>
static inline ga_status ga__kernel(const char *fn, void (*kernel)(P...),
                                   const ga_grid &g, const A &...a) {
    static_assert(sizeof...(P) == sizeof...(A),
                  "as many arguments as the kernel has parameters");
    ga__call c;
    ga__call_begin(&c, fn);
    ga__params<P...> params(c, a...);
    void *args[sizeof...(P) + 1];
    params.list(args);
    return ga__call_go(&c, (const void *)kernel, &g, args);
}
#define GA_LAUNCH(kernel, ...)                                              \
    GA__AT(ga__kernel("GA_LAUNCH(" #kernel ")", kernel, __VA_ARGS__))
#endif /* __CUDACC__ */
#endif

/* ================================================================ >>macros
   What turns C's numbers into operands and, under GPUARR_DEBUG, notes where an
   array was made: each operation's function has a macro of its name, and so
   has its _into form. An X-macro makes no #define, so the lines are written
   out; tests/compile/macros.c calls each row of the tables by its macro.    */

/* A number written to *t, which then stands for it as an array of rank 0. */
GA_API const ga_array *ga__arg_b(bool v, ga_array *t);
GA_API const ga_array *ga__arg_i(int64_t v, ga_array *t);
GA_API const ga_array *ga__arg_u(uint64_t v, ga_array *t);
GA_API const ga_array *ga__arg_f(double v, ga_array *t);
GA_API const ga_array *ga__arg_h(ga_float16 v, ga_array *t);
GA_API const ga_array *ga__arg_bh(ga_bfloat16 v, ga_array *t);
GA_API const ga_array *ga__arg_c(ga_complex128 v, ga_array *t);
#ifdef __cplusplus
struct ga__operand {
    ga_array t;
    const ga_array *p;
    ga__operand(const ga_array *v) : p(v) {}
    ga__operand(ga_array *v) : p(v) {}
    ga__operand(decltype(nullptr)) : p(nullptr) {}
    template <class T> ga__operand(T *) = delete;   /* not as a bool        */
    ga__operand(bool v) : p(ga__arg_b(v, &t)) {}
    ga__operand(char v) : p(ga__arg_i(v, &t)) {}
    ga__operand(signed char v) : p(ga__arg_i(v, &t)) {}
    ga__operand(unsigned char v) : p(ga__arg_i(v, &t)) {}
    ga__operand(short v) : p(ga__arg_i(v, &t)) {}
    ga__operand(unsigned short v) : p(ga__arg_i(v, &t)) {}
    ga__operand(int v) : p(ga__arg_i(v, &t)) {}
    ga__operand(unsigned v) : p(ga__arg_i(v, &t)) {}
    ga__operand(long v) : p(ga__arg_i(v, &t)) {}
    ga__operand(long long v) : p(ga__arg_i(v, &t)) {}
    ga__operand(unsigned long v) : p(ga__arg_u(v, &t)) {}
    ga__operand(unsigned long long v) : p(ga__arg_u(v, &t)) {}
    ga__operand(float v) : p(ga__arg_f((double)v, &t)) {}
    ga__operand(double v) : p(ga__arg_f(v, &t)) {}
    ga__operand(ga_float16 v) : p(ga__arg_h(v, &t)) {}
    ga__operand(ga_bfloat16 v) : p(ga__arg_bh(v, &t)) {}
    ga__operand(ga_complex128 v) : p(ga__arg_c(v, &t)) {}
    template <class T> /* std::complex and its like: z.real(), z.imag() */
    ga__operand(const T &v, decltype(v.real() + v.imag()) * = nullptr) {
        double part[2] = {(double)v.real(), (double)v.imag()};
        p = ga__arg_c(*reinterpret_cast<ga_complex128 *>(part), &t);
    }
};
#define GA_ARG(x) (ga__operand(x).p)
#define GA__ARG GA_ARG
#else
/* An operand by value: the number, or the array's address. It is made inside
   a statement expression, which holds the argument's text once, so that the
   text of nested calls grows with their number, not as its exponential. The
   array that stands for a number lies outside of it, and so outlives the
   call; a compound literal inside would be dead by then.                   */
#define GA__OPERAND_KINDS(X) X(a, const ga_array *) X(b, bool) X(i, int64_t) \
    X(u, uint64_t) X(f, double) X(h, ga_float16) X(bh, ga_bfloat16)         \
    X(c, ga_complex128)
#define GA__X(k, T) GA__OPERAND_##k,
enum { GA__OPERAND_KINDS(GA__X) };
#undef GA__X
#define GA__X(k, T) T k;
typedef struct ga__operand {
    int kind;
    union { GA__OPERAND_KINDS(GA__X) } v;
} ga__operand;
#undef GA__X
#define GA__X(k, T)                                                         \
    static inline GA__UNUSED ga__operand ga__of_##k(T v) {                  \
        ga__operand o;                                                      \
        o.kind = GA__OPERAND_##k;                                           \
        o.v.k = v;                                                          \
        return o;                                                           \
    }
GA__OPERAND_KINDS(GA__X)
#undef GA__X
static inline GA__UNUSED const ga_array *ga__arg_a(const ga_array *v,
                                                   ga_array *t) {
    (void)t;
    return v;
}
static inline GA__UNUSED const ga_array *ga__arg(ga__operand o, ga_array *t) {
#define GA__X(k, T) case GA__OPERAND_##k: return ga__arg_##k(o.v.k, t);
    switch (o.kind) { GA__OPERAND_KINDS(GA__X) }
#undef GA__X
    return NULL;
}
#define GA__OF(x) _Generic((x),                                             \
    bool: ga__of_b, char: ga__of_i, signed char: ga__of_i,                  \
    unsigned char: ga__of_i, short: ga__of_i, unsigned short: ga__of_i,     \
    int: ga__of_i, unsigned: ga__of_i, long: ga__of_i,                      \
    long long: ga__of_i, unsigned long: ga__of_u,                           \
    unsigned long long: ga__of_u, float: ga__of_f, double: ga__of_f,        \
    ga_float16: ga__of_h, ga_bfloat16: ga__of_bh,                           \
    ga_complex64: ga__of_c, ga_complex128: ga__of_c,                        \
    ga_array *: ga__of_a, const ga_array *: ga__of_a,                       \
    void *: ga__of_a /* NULL */)(x)
#if defined(__GNUC__) && defined(__COUNTER__)
#define GA__ONCE(f, x) GA__ONCE_(f, x, GA__CAT(ga__v, __COUNTER__))
#define GA__ONCE_(f, x, v) GA__EXT({ __auto_type v = (x); f(v); })
#else
#define GA__ONCE(f, x) f(x)
#endif
#define GA__ARG(x) ga__arg(GA__ONCE(GA__OF, x), &(ga_array){0})
/* const void *: an operand of a macro it cannot be, whose statement expression
   it would not outlive.                                                    */
#define GA_ARG(x) ((const void *)GA__ARG(x))
#endif
/* f(a), f(b), ... for 1 to 25 of them, and how many */
#define GA__NOPERANDS(...) GA__NOPERANDS_(__VA_ARGS__, 25, 24, 23, 22, 21, 20, \
    19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define GA__NOPERANDS_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, \
                       s, t, u, v, w, x, y, N, ...) N
#define GA__EACH(f, ...) \
    GA__CAT(GA__EACH_, GA__NOPERANDS(__VA_ARGS__))(f, __VA_ARGS__)
#define GA__EACH_1(f, a) f(a)
#define GA__EACH_2(f, a, ...) f(a), GA__EACH_1(f, __VA_ARGS__)
#define GA__EACH_3(f, a, ...) f(a), GA__EACH_2(f, __VA_ARGS__)
#define GA__EACH_4(f, a, ...) f(a), GA__EACH_3(f, __VA_ARGS__)
#define GA__EACH_5(f, a, ...) f(a), GA__EACH_4(f, __VA_ARGS__)
#define GA__EACH_6(f, a, ...) f(a), GA__EACH_5(f, __VA_ARGS__)
#define GA__EACH_7(f, a, ...) f(a), GA__EACH_6(f, __VA_ARGS__)
#define GA__EACH_8(f, a, ...) f(a), GA__EACH_7(f, __VA_ARGS__)
#define GA__EACH_9(f, a, ...) f(a), GA__EACH_8(f, __VA_ARGS__)
#define GA__EACH_10(f, a, ...) f(a), GA__EACH_9(f, __VA_ARGS__)
#define GA__EACH_11(f, a, ...) f(a), GA__EACH_10(f, __VA_ARGS__)
#define GA__EACH_12(f, a, ...) f(a), GA__EACH_11(f, __VA_ARGS__)
#define GA__EACH_13(f, a, ...) f(a), GA__EACH_12(f, __VA_ARGS__)
#define GA__EACH_14(f, a, ...) f(a), GA__EACH_13(f, __VA_ARGS__)
#define GA__EACH_15(f, a, ...) f(a), GA__EACH_14(f, __VA_ARGS__)
#define GA__EACH_16(f, a, ...) f(a), GA__EACH_15(f, __VA_ARGS__)
#define GA__EACH_17(f, a, ...) f(a), GA__EACH_16(f, __VA_ARGS__)
#define GA__EACH_18(f, a, ...) f(a), GA__EACH_17(f, __VA_ARGS__)
#define GA__EACH_19(f, a, ...) f(a), GA__EACH_18(f, __VA_ARGS__)
#define GA__EACH_20(f, a, ...) f(a), GA__EACH_19(f, __VA_ARGS__)
#define GA__EACH_21(f, a, ...) f(a), GA__EACH_20(f, __VA_ARGS__)
#define GA__EACH_22(f, a, ...) f(a), GA__EACH_21(f, __VA_ARGS__)
#define GA__EACH_23(f, a, ...) f(a), GA__EACH_22(f, __VA_ARGS__)
#define GA__EACH_24(f, a, ...) f(a), GA__EACH_23(f, __VA_ARGS__)
#define GA__EACH_25(f, a, ...) f(a), GA__EACH_24(f, __VA_ARGS__)
#define GA__OPERANDS(...) GA__EACH(GA__ARG, __VA_ARGS__)

/* The calls behind the macros of one, two and three operands; I: _into. */
#define GA__1(f, a) GA__AT((f)(GA__ARG(a)))
#define GA__2(f, a, b) GA__AT((f)(GA__ARG(a), GA__ARG(b)))
#define GA__3(f, a, b, c) GA__AT((f)(GA__ARG(a), GA__ARG(b), GA__ARG(c)))
#define GA__1I(f, o, a) (f)((o), GA__ARG(a))
#define GA__2I(f, o, a, b) (f)((o), GA__ARG(a), GA__ARG(b))
#define GA__3I(f, o, a, b, c) (f)((o), GA__ARG(a), GA__ARG(b), GA__ARG(c))
#define GA__R1(f, a, s, t) GA__AT((f)(GA__ARG(a), s, t))
#define GA__R2(f, a, b, s, t) GA__AT((f)(GA__ARG(a), GA__ARG(b), s, t))
#define GA__R3(f, a, b, c, s, t) \
    GA__AT((f)(GA__ARG(a), GA__ARG(b), GA__ARG(c), s, t))

/* >>create, >>views, >>elementwise */
#define ga_negative(x) GA__1(ga_negative, x)
#define ga_positive(x) GA__1(ga_positive, x)
#define ga_absolute(x) GA__1(ga_absolute, x)
#define ga_sign(x) GA__1(ga_sign, x)
#define ga_reciprocal(x) GA__1(ga_reciprocal, x)
#define ga_square(x) GA__1(ga_square, x)
#define ga_sqrt(x) GA__1(ga_sqrt, x)
#define ga_rsqrt(x) GA__1(ga_rsqrt, x)
#define ga_cbrt(x) GA__1(ga_cbrt, x)
#define ga_exp(x) GA__1(ga_exp, x)
#define ga_exp2(x) GA__1(ga_exp2, x)
#define ga_expm1(x) GA__1(ga_expm1, x)
#define ga_log(x) GA__1(ga_log, x)
#define ga_log2(x) GA__1(ga_log2, x)
#define ga_log10(x) GA__1(ga_log10, x)
#define ga_log1p(x) GA__1(ga_log1p, x)
#define ga_sin(x) GA__1(ga_sin, x)
#define ga_cos(x) GA__1(ga_cos, x)
#define ga_tan(x) GA__1(ga_tan, x)
#define ga_arcsin(x) GA__1(ga_arcsin, x)
#define ga_arccos(x) GA__1(ga_arccos, x)
#define ga_arctan(x) GA__1(ga_arctan, x)
#define ga_sinh(x) GA__1(ga_sinh, x)
#define ga_cosh(x) GA__1(ga_cosh, x)
#define ga_tanh(x) GA__1(ga_tanh, x)
#define ga_arcsinh(x) GA__1(ga_arcsinh, x)
#define ga_arccosh(x) GA__1(ga_arccosh, x)
#define ga_arctanh(x) GA__1(ga_arctanh, x)
#define ga_deg2rad(x) GA__1(ga_deg2rad, x)
#define ga_rad2deg(x) GA__1(ga_rad2deg, x)
#define ga_sinc(x) GA__1(ga_sinc, x)
#define ga_floor(x) GA__1(ga_floor, x)
#define ga_ceil(x) GA__1(ga_ceil, x)
#define ga_trunc(x) GA__1(ga_trunc, x)
#define ga_rint(x) GA__1(ga_rint, x)
#define ga_erf(x) GA__1(ga_erf, x)
#define ga_erfc(x) GA__1(ga_erfc, x)
#define ga_erfinv(x) GA__1(ga_erfinv, x)
#define ga_gamma(x) GA__1(ga_gamma, x)
#define ga_lgamma(x) GA__1(ga_lgamma, x)
#define ga_sigmoid(x) GA__1(ga_sigmoid, x)
#define ga_conj(x) GA__1(ga_conj, x)
#define ga_angle(x) GA__1(ga_angle, x)
#define ga_bitwise_not(x) GA__1(ga_bitwise_not, x)
#define ga_bitwise_count(x) GA__1(ga_bitwise_count, x)
#define ga_logical_not(x) GA__1(ga_logical_not, x)
#define ga_isnan(x) GA__1(ga_isnan, x)
#define ga_isinf(x) GA__1(ga_isinf, x)
#define ga_isfinite(x) GA__1(ga_isfinite, x)
#define ga_signbit(x) GA__1(ga_signbit, x)
#define ga_neg(x) GA__1(ga_neg, x)
#define ga_abs(x) GA__1(ga_abs, x)
#define ga_asin(x) GA__1(ga_asin, x)
#define ga_acos(x) GA__1(ga_acos, x)
#define ga_atan(x) GA__1(ga_atan, x)
#define ga_asinh(x) GA__1(ga_asinh, x)
#define ga_acosh(x) GA__1(ga_acosh, x)
#define ga_atanh(x) GA__1(ga_atanh, x)
#define ga_conjugate(x) GA__1(ga_conjugate, x)
#define ga_invert(x) GA__1(ga_invert, x)
#define ga_radians(x) GA__1(ga_radians, x)
#define ga_degrees(x) GA__1(ga_degrees, x)
#define ga_fabs(x) GA__1(ga_fabs, x)
#define ga_add(x, y) GA__2(ga_add, x, y)
#define ga_subtract(x, y) GA__2(ga_subtract, x, y)
#define ga_multiply(x, y) GA__2(ga_multiply, x, y)
#define ga_divide(x, y) GA__2(ga_divide, x, y)
#define ga_floor_divide(x, y) GA__2(ga_floor_divide, x, y)
#define ga_remainder(x, y) GA__2(ga_remainder, x, y)
#define ga_fmod(x, y) GA__2(ga_fmod, x, y)
#define ga_power(x, y) GA__2(ga_power, x, y)
#define ga_hypot(x, y) GA__2(ga_hypot, x, y)
#define ga_copysign(x, y) GA__2(ga_copysign, x, y)
#define ga_nextafter(x, y) GA__2(ga_nextafter, x, y)
#define ga_ldexp(x, y) GA__2(ga_ldexp, x, y)
#define ga_gcd(x, y) GA__2(ga_gcd, x, y)
#define ga_lcm(x, y) GA__2(ga_lcm, x, y)
#define ga_maximum(x, y) GA__2(ga_maximum, x, y)
#define ga_minimum(x, y) GA__2(ga_minimum, x, y)
#define ga_fmax(x, y) GA__2(ga_fmax, x, y)
#define ga_fmin(x, y) GA__2(ga_fmin, x, y)
#define ga_arctan2(x, y) GA__2(ga_arctan2, x, y)
#define ga_logaddexp(x, y) GA__2(ga_logaddexp, x, y)
#define ga_logaddexp2(x, y) GA__2(ga_logaddexp2, x, y)
#define ga_heaviside(x, y) GA__2(ga_heaviside, x, y)
#define ga_bitwise_and(x, y) GA__2(ga_bitwise_and, x, y)
#define ga_bitwise_or(x, y) GA__2(ga_bitwise_or, x, y)
#define ga_bitwise_xor(x, y) GA__2(ga_bitwise_xor, x, y)
#define ga_left_shift(x, y) GA__2(ga_left_shift, x, y)
#define ga_right_shift(x, y) GA__2(ga_right_shift, x, y)
#define ga_equal(x, y) GA__2(ga_equal, x, y)
#define ga_not_equal(x, y) GA__2(ga_not_equal, x, y)
#define ga_less(x, y) GA__2(ga_less, x, y)
#define ga_less_equal(x, y) GA__2(ga_less_equal, x, y)
#define ga_greater(x, y) GA__2(ga_greater, x, y)
#define ga_greater_equal(x, y) GA__2(ga_greater_equal, x, y)
#define ga_logical_and(x, y) GA__2(ga_logical_and, x, y)
#define ga_logical_or(x, y) GA__2(ga_logical_or, x, y)
#define ga_logical_xor(x, y) GA__2(ga_logical_xor, x, y)
#define ga_sub(x, y) GA__2(ga_sub, x, y)
#define ga_mul(x, y) GA__2(ga_mul, x, y)
#define ga_div(x, y) GA__2(ga_div, x, y)
#define ga_pow(x, y) GA__2(ga_pow, x, y)
#define ga_mod(x, y) GA__2(ga_mod, x, y)
#define ga_atan2(x, y) GA__2(ga_atan2, x, y)
#define ga_true_divide(x, y) GA__2(ga_true_divide, x, y)
#define ga_bitwise_left_shift(x, y) GA__2(ga_bitwise_left_shift, x, y)
#define ga_bitwise_right_shift(x, y) GA__2(ga_bitwise_right_shift, x, y)
#define ga_where(c, x, y) GA__3(ga_where, c, x, y)
#define ga_clip(x, lo, hi) GA__3(ga_clip, x, lo, hi)
#define ga_where_into(o, c, x, y) GA__3I(ga_where_into, o, c, x, y)
#define ga_clip_into(o, x, lo, hi) GA__3I(ga_clip_into, o, x, lo, hi)
#define ga_negative_into(o, x) GA__1I(ga_negative_into, o, x)
#define ga_positive_into(o, x) GA__1I(ga_positive_into, o, x)
#define ga_absolute_into(o, x) GA__1I(ga_absolute_into, o, x)
#define ga_sign_into(o, x) GA__1I(ga_sign_into, o, x)
#define ga_reciprocal_into(o, x) GA__1I(ga_reciprocal_into, o, x)
#define ga_square_into(o, x) GA__1I(ga_square_into, o, x)
#define ga_sqrt_into(o, x) GA__1I(ga_sqrt_into, o, x)
#define ga_rsqrt_into(o, x) GA__1I(ga_rsqrt_into, o, x)
#define ga_cbrt_into(o, x) GA__1I(ga_cbrt_into, o, x)
#define ga_exp_into(o, x) GA__1I(ga_exp_into, o, x)
#define ga_exp2_into(o, x) GA__1I(ga_exp2_into, o, x)
#define ga_expm1_into(o, x) GA__1I(ga_expm1_into, o, x)
#define ga_log_into(o, x) GA__1I(ga_log_into, o, x)
#define ga_log2_into(o, x) GA__1I(ga_log2_into, o, x)
#define ga_log10_into(o, x) GA__1I(ga_log10_into, o, x)
#define ga_log1p_into(o, x) GA__1I(ga_log1p_into, o, x)
#define ga_sin_into(o, x) GA__1I(ga_sin_into, o, x)
#define ga_cos_into(o, x) GA__1I(ga_cos_into, o, x)
#define ga_tan_into(o, x) GA__1I(ga_tan_into, o, x)
#define ga_arcsin_into(o, x) GA__1I(ga_arcsin_into, o, x)
#define ga_arccos_into(o, x) GA__1I(ga_arccos_into, o, x)
#define ga_arctan_into(o, x) GA__1I(ga_arctan_into, o, x)
#define ga_sinh_into(o, x) GA__1I(ga_sinh_into, o, x)
#define ga_cosh_into(o, x) GA__1I(ga_cosh_into, o, x)
#define ga_tanh_into(o, x) GA__1I(ga_tanh_into, o, x)
#define ga_arcsinh_into(o, x) GA__1I(ga_arcsinh_into, o, x)
#define ga_arccosh_into(o, x) GA__1I(ga_arccosh_into, o, x)
#define ga_arctanh_into(o, x) GA__1I(ga_arctanh_into, o, x)
#define ga_deg2rad_into(o, x) GA__1I(ga_deg2rad_into, o, x)
#define ga_rad2deg_into(o, x) GA__1I(ga_rad2deg_into, o, x)
#define ga_sinc_into(o, x) GA__1I(ga_sinc_into, o, x)
#define ga_floor_into(o, x) GA__1I(ga_floor_into, o, x)
#define ga_ceil_into(o, x) GA__1I(ga_ceil_into, o, x)
#define ga_trunc_into(o, x) GA__1I(ga_trunc_into, o, x)
#define ga_rint_into(o, x) GA__1I(ga_rint_into, o, x)
#define ga_erf_into(o, x) GA__1I(ga_erf_into, o, x)
#define ga_erfc_into(o, x) GA__1I(ga_erfc_into, o, x)
#define ga_erfinv_into(o, x) GA__1I(ga_erfinv_into, o, x)
#define ga_gamma_into(o, x) GA__1I(ga_gamma_into, o, x)
#define ga_lgamma_into(o, x) GA__1I(ga_lgamma_into, o, x)
#define ga_sigmoid_into(o, x) GA__1I(ga_sigmoid_into, o, x)
#define ga_conj_into(o, x) GA__1I(ga_conj_into, o, x)
#define ga_angle_into(o, x) GA__1I(ga_angle_into, o, x)
#define ga_bitwise_not_into(o, x) GA__1I(ga_bitwise_not_into, o, x)
#define ga_bitwise_count_into(o, x) GA__1I(ga_bitwise_count_into, o, x)
#define ga_logical_not_into(o, x) GA__1I(ga_logical_not_into, o, x)
#define ga_isnan_into(o, x) GA__1I(ga_isnan_into, o, x)
#define ga_isinf_into(o, x) GA__1I(ga_isinf_into, o, x)
#define ga_isfinite_into(o, x) GA__1I(ga_isfinite_into, o, x)
#define ga_signbit_into(o, x) GA__1I(ga_signbit_into, o, x)
#define ga_neg_into(o, x) GA__1I(ga_neg_into, o, x)
#define ga_abs_into(o, x) GA__1I(ga_abs_into, o, x)
#define ga_asin_into(o, x) GA__1I(ga_asin_into, o, x)
#define ga_acos_into(o, x) GA__1I(ga_acos_into, o, x)
#define ga_atan_into(o, x) GA__1I(ga_atan_into, o, x)
#define ga_asinh_into(o, x) GA__1I(ga_asinh_into, o, x)
#define ga_acosh_into(o, x) GA__1I(ga_acosh_into, o, x)
#define ga_atanh_into(o, x) GA__1I(ga_atanh_into, o, x)
#define ga_conjugate_into(o, x) GA__1I(ga_conjugate_into, o, x)
#define ga_invert_into(o, x) GA__1I(ga_invert_into, o, x)
#define ga_radians_into(o, x) GA__1I(ga_radians_into, o, x)
#define ga_degrees_into(o, x) GA__1I(ga_degrees_into, o, x)
#define ga_fabs_into(o, x) GA__1I(ga_fabs_into, o, x)
#define ga_add_into(o, x, y) GA__2I(ga_add_into, o, x, y)
#define ga_subtract_into(o, x, y) GA__2I(ga_subtract_into, o, x, y)
#define ga_multiply_into(o, x, y) GA__2I(ga_multiply_into, o, x, y)
#define ga_divide_into(o, x, y) GA__2I(ga_divide_into, o, x, y)
#define ga_floor_divide_into(o, x, y) GA__2I(ga_floor_divide_into, o, x, y)
#define ga_remainder_into(o, x, y) GA__2I(ga_remainder_into, o, x, y)
#define ga_fmod_into(o, x, y) GA__2I(ga_fmod_into, o, x, y)
#define ga_power_into(o, x, y) GA__2I(ga_power_into, o, x, y)
#define ga_hypot_into(o, x, y) GA__2I(ga_hypot_into, o, x, y)
#define ga_copysign_into(o, x, y) GA__2I(ga_copysign_into, o, x, y)
#define ga_nextafter_into(o, x, y) GA__2I(ga_nextafter_into, o, x, y)
#define ga_ldexp_into(o, x, y) GA__2I(ga_ldexp_into, o, x, y)
#define ga_gcd_into(o, x, y) GA__2I(ga_gcd_into, o, x, y)
#define ga_lcm_into(o, x, y) GA__2I(ga_lcm_into, o, x, y)
#define ga_maximum_into(o, x, y) GA__2I(ga_maximum_into, o, x, y)
#define ga_minimum_into(o, x, y) GA__2I(ga_minimum_into, o, x, y)
#define ga_fmax_into(o, x, y) GA__2I(ga_fmax_into, o, x, y)
#define ga_fmin_into(o, x, y) GA__2I(ga_fmin_into, o, x, y)
#define ga_arctan2_into(o, x, y) GA__2I(ga_arctan2_into, o, x, y)
#define ga_logaddexp_into(o, x, y) GA__2I(ga_logaddexp_into, o, x, y)
#define ga_logaddexp2_into(o, x, y) GA__2I(ga_logaddexp2_into, o, x, y)
#define ga_heaviside_into(o, x, y) GA__2I(ga_heaviside_into, o, x, y)
#define ga_bitwise_and_into(o, x, y) GA__2I(ga_bitwise_and_into, o, x, y)
#define ga_bitwise_or_into(o, x, y) GA__2I(ga_bitwise_or_into, o, x, y)
#define ga_bitwise_xor_into(o, x, y) GA__2I(ga_bitwise_xor_into, o, x, y)
#define ga_left_shift_into(o, x, y) GA__2I(ga_left_shift_into, o, x, y)
#define ga_right_shift_into(o, x, y) GA__2I(ga_right_shift_into, o, x, y)
#define ga_equal_into(o, x, y) GA__2I(ga_equal_into, o, x, y)
#define ga_not_equal_into(o, x, y) GA__2I(ga_not_equal_into, o, x, y)
#define ga_less_into(o, x, y) GA__2I(ga_less_into, o, x, y)
#define ga_less_equal_into(o, x, y) GA__2I(ga_less_equal_into, o, x, y)
#define ga_greater_into(o, x, y) GA__2I(ga_greater_into, o, x, y)
#define ga_greater_equal_into(o, x, y) GA__2I(ga_greater_equal_into, o, x, y)
#define ga_logical_and_into(o, x, y) GA__2I(ga_logical_and_into, o, x, y)
#define ga_logical_or_into(o, x, y) GA__2I(ga_logical_or_into, o, x, y)
#define ga_logical_xor_into(o, x, y) GA__2I(ga_logical_xor_into, o, x, y)
#define ga_sub_into(o, x, y) GA__2I(ga_sub_into, o, x, y)
#define ga_mul_into(o, x, y) GA__2I(ga_mul_into, o, x, y)
#define ga_div_into(o, x, y) GA__2I(ga_div_into, o, x, y)
#define ga_pow_into(o, x, y) GA__2I(ga_pow_into, o, x, y)
#define ga_mod_into(o, x, y) GA__2I(ga_mod_into, o, x, y)
#define ga_atan2_into(o, x, y) GA__2I(ga_atan2_into, o, x, y)
#define ga_true_divide_into(o, x, y) GA__2I(ga_true_divide_into, o, x, y)
#define ga_bitwise_left_shift_into(o, x, y) GA__2I(ga_bitwise_left_shift_into, o, x, y)
#define ga_bitwise_right_shift_into(o, x, y) GA__2I(ga_bitwise_right_shift_into, o, x, y)
#define ga_divmod(x, y, q, r) (ga_divmod)(GA__ARG(x), GA__ARG(y), q, r)
#define ga_modf(x, f, i) (ga_modf)(GA__ARG(x), f, i)
#define ga_frexp(x, m, e) (ga_frexp)(GA__ARG(x), m, e)
#define ga_round(x, d) GA__AT((ga_round)(GA__ARG(x), d))
#define ga_nan_to_num(x, n, p, m) GA__AT((ga_nan_to_num)(GA__ARG(x), n, p, m))
#define ga_assign(v, x) (ga_assign)((v), GA__ARG(x))
#define ga_full(s, v, t) GA__AT((ga_full)(s, GA__ARG(v), t))
#define ga_full_like(x, v) GA__AT((ga_full_like)(x, GA__ARG(v)))
#define ga_arange(a, b, s) GA__3(ga_arange, a, b, s)
#define ga_arange_as(a, b, s, t) GA__AT((ga_arange_as)(GA__ARG(a), GA__ARG(b), GA__ARG(s), t))

/* >>joining */

/* >>masks */

/* >>indexing */

/* >>scans */

/* >>sorting */

/* >>linalg */
#ifdef __cplusplus
template <class... T>
static inline ga_array *ga__einsum_of(const char *s, T... x) {
    const ga_array *p[] = {x...};
    return (ga_einsum)(s, (int)sizeof...(T), p);
}
template <class... T>
static inline ga_status ga__einsum_into_of(ga_array *o, const char *s, T... x) {
    const ga_array *p[] = {x...};
    return (ga_einsum_into)(o, s, (int)sizeof...(T), p);
}
template <class... T> static inline ga_array *ga__multi_dot_of(T... x) {
    const ga_array *p[] = {x...};
    return (ga_multi_dot)((int)sizeof...(T), p);
}
#define ga_einsum(s, ...) GA__AT(ga__einsum_of((s), __VA_ARGS__))
#define ga_einsum_into(o, s, ...) ga__einsum_into_of((o), (s), __VA_ARGS__)
#define ga_multi_dot(...) GA__AT(ga__multi_dot_of(__VA_ARGS__))
#else
#define GA__ARRAYS(...) \
    GA__NOPERANDS(__VA_ARGS__), (const ga_array *const[]){__VA_ARGS__}
#define ga_einsum(s, ...) GA__AT((ga_einsum)((s), GA__ARRAYS(__VA_ARGS__)))
#define ga_einsum_into(o, s, ...) \
    (ga_einsum_into)((o), (s), GA__ARRAYS(__VA_ARGS__))
#define ga_multi_dot(...) GA__AT((ga_multi_dot)(GA__ARRAYS(__VA_ARGS__)))
#endif
#define ga_matmul(x, y) GA__2(ga_matmul, x, y)
#define ga_dot(x, y) GA__2(ga_dot, x, y)
#define ga_vdot(x, y) GA__2(ga_vdot, x, y)
#define ga_vecdot(x, y) GA__2(ga_vecdot, x, y)
#define ga_inner(x, y) GA__2(ga_inner, x, y)
#define ga_outer(x, y) GA__2(ga_outer, x, y)
#define ga_matvec(x, y) GA__2(ga_matvec, x, y)
#define ga_kron(x, y) GA__2(ga_kron, x, y)
#define ga_matmul_into(o, x, y) GA__2I(ga_matmul_into, o, x, y)
#define ga_dot_into(o, x, y) GA__2I(ga_dot_into, o, x, y)
#define ga_vdot_into(o, x, y) GA__2I(ga_vdot_into, o, x, y)
#define ga_vecdot_into(o, x, y) GA__2I(ga_vecdot_into, o, x, y)
#define ga_inner_into(o, x, y) GA__2I(ga_inner_into, o, x, y)
#define ga_outer_into(o, x, y) GA__2I(ga_outer_into, o, x, y)
#define ga_matvec_into(o, x, y) GA__2I(ga_matvec_into, o, x, y)
#define ga_kron_into(o, x, y) GA__2I(ga_kron_into, o, x, y)

/* >>exchange */
#ifdef __cplusplus
template <class... T> static inline ga_dtype ga__result_type_of(T... x) {
    const ga__operand o[] = {ga__operand(x)...};
    const ga_array *p[sizeof...(T)];
    for (size_t i = 0; i < sizeof...(T); i++) p[i] = o[i].p;
    return (ga_result_type)((int)sizeof...(T), p);
}
#define ga_result_type(...) ga__result_type_of(__VA_ARGS__)
#else
#define ga_result_type(...) (ga_result_type)(GA__NOPERANDS(__VA_ARGS__),    \
    (const ga_array *const[]){GA__OPERANDS(__VA_ARGS__)})
#endif
#define ga_load_npz_array(path, name) GA__AT((ga_load_npz_array)(path, name))
#define ga_loadtxt(path, t, how) GA__AT((ga_loadtxt)(path, t, how))
#define ga_fromfile(path, t, n, at) GA__AT((ga_fromfile)(path, t, n, at))

/* >>random */
#define ga_random_exponential(a, s, t) GA__R1(ga_random_exponential, a, s, t)
#define ga_random_chisquare(a, s, t) GA__R1(ga_random_chisquare, a, s, t)
#define ga_random_standard_t(a, s, t) GA__R1(ga_random_standard_t, a, s, t)
#define ga_random_weibull(a, s, t) GA__R1(ga_random_weibull, a, s, t)
#define ga_random_pareto(a, s, t) GA__R1(ga_random_pareto, a, s, t)
#define ga_random_power(a, s, t) GA__R1(ga_random_power, a, s, t)
#define ga_random_rayleigh(a, s, t) GA__R1(ga_random_rayleigh, a, s, t)
#define ga_random_zipf(a, s, t) GA__R1(ga_random_zipf, a, s, t)
#define ga_random_poisson(a, s, t) GA__R1(ga_random_poisson, a, s, t)
#define ga_random_geometric(a, s, t) GA__R1(ga_random_geometric, a, s, t)
#define ga_random_logseries(a, s, t) GA__R1(ga_random_logseries, a, s, t)
#define ga_random_uniform(a, b, s, t) GA__R2(ga_random_uniform, a, b, s, t)
#define ga_random_normal(a, b, s, t) GA__R2(ga_random_normal, a, b, s, t)
#define ga_random_lognormal(a, b, s, t) GA__R2(ga_random_lognormal, a, b, s, t)
#define ga_random_gamma(a, b, s, t) GA__R2(ga_random_gamma, a, b, s, t)
#define ga_random_beta(a, b, s, t) GA__R2(ga_random_beta, a, b, s, t)
#define ga_random_f(a, b, s, t) GA__R2(ga_random_f, a, b, s, t)
#define ga_random_cauchy(a, b, s, t) GA__R2(ga_random_cauchy, a, b, s, t)
#define ga_random_laplace(a, b, s, t) GA__R2(ga_random_laplace, a, b, s, t)
#define ga_random_logistic(a, b, s, t) GA__R2(ga_random_logistic, a, b, s, t)
#define ga_random_gumbel(a, b, s, t) GA__R2(ga_random_gumbel, a, b, s, t)
#define ga_random_vonmises(a, b, s, t) GA__R2(ga_random_vonmises, a, b, s, t)
#define ga_random_wald(a, b, s, t) GA__R2(ga_random_wald, a, b, s, t)
#define ga_random_binomial(a, b, s, t) GA__R2(ga_random_binomial, a, b, s, t)
#define ga_random_negative_binomial(a, b, s, t) GA__R2(ga_random_negative_binomial, a, b, s, t)
#define ga_random_integers(a, b, s, t) GA__R2(ga_random_integers, a, b, s, t)
#define ga_random_triangular(a, b, c, s, t) GA__R3(ga_random_triangular, a, b, c, s, t)
#define ga_random_hypergeometric(a, b, c, s, t) GA__R3(ga_random_hypergeometric, a, b, c, s, t)
#define ga_random_exponential_into(o, a) GA__1I(ga_random_exponential_into, o, a)
#define ga_random_chisquare_into(o, a) GA__1I(ga_random_chisquare_into, o, a)
#define ga_random_standard_t_into(o, a) GA__1I(ga_random_standard_t_into, o, a)
#define ga_random_weibull_into(o, a) GA__1I(ga_random_weibull_into, o, a)
#define ga_random_pareto_into(o, a) GA__1I(ga_random_pareto_into, o, a)
#define ga_random_power_into(o, a) GA__1I(ga_random_power_into, o, a)
#define ga_random_rayleigh_into(o, a) GA__1I(ga_random_rayleigh_into, o, a)
#define ga_random_zipf_into(o, a) GA__1I(ga_random_zipf_into, o, a)
#define ga_random_poisson_into(o, a) GA__1I(ga_random_poisson_into, o, a)
#define ga_random_geometric_into(o, a) GA__1I(ga_random_geometric_into, o, a)
#define ga_random_logseries_into(o, a) GA__1I(ga_random_logseries_into, o, a)
#define ga_random_uniform_into(o, a, b) GA__2I(ga_random_uniform_into, o, a, b)
#define ga_random_normal_into(o, a, b) GA__2I(ga_random_normal_into, o, a, b)
#define ga_random_lognormal_into(o, a, b) GA__2I(ga_random_lognormal_into, o, a, b)
#define ga_random_gamma_into(o, a, b) GA__2I(ga_random_gamma_into, o, a, b)
#define ga_random_beta_into(o, a, b) GA__2I(ga_random_beta_into, o, a, b)
#define ga_random_f_into(o, a, b) GA__2I(ga_random_f_into, o, a, b)
#define ga_random_cauchy_into(o, a, b) GA__2I(ga_random_cauchy_into, o, a, b)
#define ga_random_laplace_into(o, a, b) GA__2I(ga_random_laplace_into, o, a, b)
#define ga_random_logistic_into(o, a, b) GA__2I(ga_random_logistic_into, o, a, b)
#define ga_random_gumbel_into(o, a, b) GA__2I(ga_random_gumbel_into, o, a, b)
#define ga_random_vonmises_into(o, a, b) GA__2I(ga_random_vonmises_into, o, a, b)
#define ga_random_wald_into(o, a, b) GA__2I(ga_random_wald_into, o, a, b)
#define ga_random_binomial_into(o, a, b) GA__2I(ga_random_binomial_into, o, a, b)
#define ga_random_negative_binomial_into(o, a, b) GA__2I(ga_random_negative_binomial_into, o, a, b)
#define ga_random_integers_into(o, a, b) GA__2I(ga_random_integers_into, o, a, b)
#define ga_random_triangular_into(o, a, b, c) GA__3I(ga_random_triangular_into, o, a, b, c)
#define ga_random_hypergeometric_into(o, a, b, c) GA__3I(ga_random_hypergeometric_into, o, a, b, c)
#define ga_random_multinomial(n, p, s, t) GA__R2(ga_random_multinomial, n, p, s, t)
#define ga_random_permutation(x) GA__1(ga_random_permutation, x)
#define ga_random_choice(a, s, r, p) GA__AT((ga_random_choice)(GA__ARG(a), s, r, p))

#ifdef GPUARR_DEBUG             /* no numbers: file and line alone           */
#define ga_empty(s, t) GA__AT((ga_empty)(s, t))
#define ga_zeros(s, t) GA__AT((ga_zeros)(s, t))
#define ga_ones(s, t) GA__AT((ga_ones)(s, t))
#define ga_empty_like(x) GA__AT((ga_empty_like)(x))
#define ga_zeros_like(x) GA__AT((ga_zeros_like)(x))
#define ga_ones_like(x) GA__AT((ga_ones_like)(x))
#define ga_linspace(a, b, n) GA__AT((ga_linspace)(a, b, n))
#define ga_linspace_as(a, b, n, e, t) GA__AT((ga_linspace_as)(a, b, n, e, t))
#define ga_logspace(a, b, n, base) GA__AT((ga_logspace)(a, b, n, base))
#define ga_geomspace(a, b, n) GA__AT((ga_geomspace)(a, b, n))
#define ga_eye(n, m, k, t) GA__AT((ga_eye)(n, m, k, t))
#define ga_identity(n, t) GA__AT((ga_identity)(n, t))
#define ga_wrap(p, t, s, st, d, f, a) GA__AT((ga_wrap)(p, t, s, st, d, f, a))
#define ga_asarray_as(p, t, s) GA__AT((ga_asarray_as)(p, t, s))
#define ga_asarray_async(p, t, s) GA__AT((ga_asarray_async)(p, t, s))
#define ga_copy(x) GA__AT((ga_copy)(x))
#define ga_astype(x, t) GA__AT((ga_astype)(x, t))
#define ga_ascontiguousarray(x) GA__AT((ga_ascontiguousarray)(x))
#define ga_slice_axis(x, a, b, c, d) GA__AT((ga_slice_axis)(x, a, b, c, d))
#define ga_index_axis(x, a, i) GA__AT((ga_index_axis)(x, a, i))
#define ga_reshape(x, s) GA__AT((ga_reshape)(x, s))
#define ga_ravel(x) GA__AT((ga_ravel)(x))
#define ga_transpose(x, p) GA__AT((ga_transpose)(x, p))
#define ga_swapaxes(x, a, b) GA__AT((ga_swapaxes)(x, a, b))
#define ga_moveaxis(x, f, t) GA__AT((ga_moveaxis)(x, f, t))
#define ga_expand_dims(x, a) GA__AT((ga_expand_dims)(x, a))
#define ga_squeeze(x, a) GA__AT((ga_squeeze)(x, a))
#define ga_broadcast_to(x, s) GA__AT((ga_broadcast_to)(x, s))
#define ga_flip(x, a) GA__AT((ga_flip)(x, a))
#define ga_diagonal(x, o, a, b) GA__AT((ga_diagonal)(x, o, a, b))
#define ga_real(x) GA__AT((ga_real)(x))
#define ga_imag(x) GA__AT((ga_imag)(x))
#define ga_view(x) GA__AT((ga_view)(x))
#define ga_to_device(x, d) GA__AT((ga_to_device)(x, d))
#define ga_load_npy(p) GA__AT((ga_load_npy)(p))
#define ga_sum(x, a) GA__AT((ga_sum)(x, a))
#define ga_prod(x, a) GA__AT((ga_prod)(x, a))
#define ga_max(x, a) GA__AT((ga_max)(x, a))
#define ga_min(x, a) GA__AT((ga_min)(x, a))
#define ga_argmax(x, a) GA__AT((ga_argmax)(x, a))
#define ga_argmin(x, a) GA__AT((ga_argmin)(x, a))
#define ga_all(x, a) GA__AT((ga_all)(x, a))
#define ga_any(x, a) GA__AT((ga_any)(x, a))
#define ga_mean(x, a) GA__AT((ga_mean)(x, a))
#define ga_ptp(x, a) GA__AT((ga_ptp)(x, a))
#define ga_count_nonzero(x, a) GA__AT((ga_count_nonzero)(x, a))
#define ga_nansum(x, a) GA__AT((ga_nansum)(x, a))
#define ga_nanprod(x, a) GA__AT((ga_nanprod)(x, a))
#define ga_nanmax(x, a) GA__AT((ga_nanmax)(x, a))
#define ga_nanmin(x, a) GA__AT((ga_nanmin)(x, a))
#define ga_nanmean(x, a) GA__AT((ga_nanmean)(x, a))
#define ga_nanargmax(x, a) GA__AT((ga_nanargmax)(x, a))
#define ga_nanargmin(x, a) GA__AT((ga_nanargmin)(x, a))
#define ga_var(x, a, d) GA__AT((ga_var)(x, a, d))
#define ga_std(x, a, d) GA__AT((ga_std)(x, a, d))
#define ga_nanvar(x, a, d) GA__AT((ga_nanvar)(x, a, d))
#define ga_nanstd(x, a, d) GA__AT((ga_nanstd)(x, a, d))
#define ga_slice(x, ...) GA__AT((ga_slice)(x, __VA_ARGS__))
#define ga_tensordot(x, y, n) GA__AT((ga_tensordot)(x, y, n))
#define ga_tensordot_axes(x, y, a, b) GA__AT((ga_tensordot_axes)(x, y, a, b))
#define ga_cross(x, y, a) GA__AT((ga_cross)(x, y, a))
#define ga_matrix_power(x, n) GA__AT((ga_matrix_power)(x, n))
#define ga_trace(x, o, a, b) GA__AT((ga_trace)(x, o, a, b))
#define ga_cholesky(x) GA__AT((ga_cholesky)(x))
#define ga_qr(x, c, q, r) GA__AT((ga_qr)(x, c, q, r))
#define ga_lu(x, p, l, u) GA__AT((ga_lu)(x, p, l, u))
#define ga_svd(x, f, u, s, v) GA__AT((ga_svd)(x, f, u, s, v))
#define ga_svdvals(x) GA__AT((ga_svdvals)(x))
#define ga_eigh(x, w, v) GA__AT((ga_eigh)(x, w, v))
#define ga_eigvalsh(x) GA__AT((ga_eigvalsh)(x))
#define ga_eig(x, w, v) GA__AT((ga_eig)(x, w, v))
#define ga_eigvals(x) GA__AT((ga_eigvals)(x))
#define ga_solve(a, b) GA__AT((ga_solve)(a, b))
#define ga_solve_triangular(a, b, f) GA__AT((ga_solve_triangular)(a, b, f))
#define ga_lu_factor(a, l, p) GA__AT((ga_lu_factor)(a, l, p))
#define ga_lu_solve(l, p, b, f) GA__AT((ga_lu_solve)(l, p, b, f))
#define ga_cho_factor(a) GA__AT((ga_cho_factor)(a))
#define ga_cho_solve(c, b) GA__AT((ga_cho_solve)(c, b))
#define ga_lstsq(a, b, c, x, q, r, s) GA__AT((ga_lstsq)(a, b, c, x, q, r, s))
#define ga_inv(a) GA__AT((ga_inv)(a))
#define ga_pinv(a, r) GA__AT((ga_pinv)(a, r))
#define ga_tensorsolve(a, b, x) GA__AT((ga_tensorsolve)(a, b, x))
#define ga_tensorinv(a, i) GA__AT((ga_tensorinv)(a, i))
#define ga_det(a) GA__AT((ga_det)(a))
#define ga_slogdet(a, s, l) GA__AT((ga_slogdet)(a, s, l))
#define ga_norm(x, o, a) GA__AT((ga_norm)(x, o, a))
#define ga_cond(x, o) GA__AT((ga_cond)(x, o))
#define ga_matrix_rank(x, t) GA__AT((ga_matrix_rank)(x, t))
#define ga_expm(x) GA__AT((ga_expm)(x))
#define ga_random(s, t) GA__AT((ga_random)(s, t))
#define ga_random_random(s, t) GA__AT((ga_random_random)(s, t))
#define ga_random_standard_normal(s, t) GA__AT((ga_random_standard_normal)(s, t))
#define ga_random_bytes(n) GA__AT((ga_random_bytes)(n))
#define ga_random_dirichlet(a, s, t) GA__AT((ga_random_dirichlet)(a, s, t))
#define ga_random_multivariate_normal(m, c, s, t) \
    GA__AT((ga_random_multivariate_normal)(m, c, s, t))
#endif

/* =================================================================== >>abi
   Private to gpuarr.h and kernels.cu. A launch is normalised first: axes of
   length 1 dropped, neighbours merged, sorted by the output's strides (the
   fastest last); a stride of 0 marks a broadcast axis.                      */
#define GA__X(n, ...) GA__OP_##n,
typedef enum ga__op { GA__ALL_ROWS(GA__X) GA__NUM_OPS } ga__op;
#undef GA__X
#define GA__X(n, ...) GA__RED_##n,
typedef enum ga__red {
    GA_REDUCTIONS(GA__X) GA_REDUCTIONS_DDOF(GA__X) GA__NUM_REDS
} ga__red;
#undef GA__X


/* What the runner gives a job that asks for it: its struct's first member. */
typedef struct ga__scratch {
    void *work;                     /* gk_<job>_work() bytes, 256-aligned   */
    unsigned *counters;             /* GA__COUNTERS zeros of this stream; a */
} ga__scratch;                      /* launch leaves them zero              */
#define GA__COUNTERS 4096

/* Through it a job tells what only its loop can see, an index out of range:
   gk_late() in kernels.cu keeps the first, and the host reports it, of a CPU
   when the job is done, of a GPU where it next waits (>>i-devices).         */
typedef struct ga__late {
    ga__fault *to;
    const char *fn;                 /* the public function's name           */
    int code, axis;                 /* a ga_status; the axis indexed        */
    int64_t extent;                 /* its length                           */
} ga__late;

typedef struct ga__operand_view {
    void *data;                     /* NULL: the value below stands for it  */
    int64_t stride[GA_MAX_NDIM];
    ga_dtype dtype;
    union { unsigned char b[16]; double align; } value;  /* of launch.compute */
} ga__operand_view;

typedef struct ga__ew {             /* one element-wise launch              */
    ga__op op;
    int ndim;                       /* 1 to 8 after merging                 */
    int nin;                        /* 1 to 3                               */
    ga_dtype compute;               /* the type the operation runs in       */
    int64_t n;                      /* elements, > 0                        */
    int64_t shape[GA_MAX_NDIM];
    ga__operand_view out, in[3];
    double param[3];                /* round: 10**|d|, d < 0; nan_to_num    */
} ga__ew;

typedef struct ga__rd {             /* one reduction: nout results of nred  */
    ga__scratch use;
    ga__red op;
    ga_dtype in_type, out_type;     /* of the memory; the kernel casts      */
    int nkeep, nreduce;             /* merged axes of each sort, 0 to 8;    */
    int64_t keep_shape[GA_MAX_NDIM], keep_stride[GA_MAX_NDIM];
    int64_t red_shape[GA_MAX_NDIM], red_stride[GA_MAX_NDIM];
    int64_t nout, nred;             /* products of the shapes               */
    const void *in;
    void *out;                      /* C-contiguous, keep axes in order     */
    double ddof;
} ga__rd;

/* A fused expression: a program of steps, each one row of the tables, run
   for every element. Step s gives type(op(in...)), computed in `compute`.
   in[k]: an earlier step's number, ~j for array j, or GA__E_CONST + j for
   constant j. Operands have dtype `compute` already (a constant's bytes are
   of that type), but for copy, which casts: compute is its operand's dtype,
   float32 for the two halves; and where, whose condition is bool. `type` is
   what the row gives of `compute` (bool, the real type, ...), or a half where
   that is float32: the result rounds to it.                                */
#define GA__E_STEPS 250
#define GA__E_ARRAYS 12             /* operands in memory                   */
#define GA__E_OUTS 6
#define GA__E_CONST 1024
#define GA__E_CONSTS 64
#define GA__E_CODE 2560             /* bytes of the GPU's program           */
typedef struct ga__step {
    unsigned char op, compute, type, nin;
    short in[3];
    short slot;                     /* its buffer on the CPU: reused after  */
} ga__step;                         /* the last step that reads it, but not */
                                    /* a result's                           */

typedef struct ga__eval {
    ga__scratch use;
    const ga__step *step;
    unsigned char constant[GA__E_CONSTS][16];       /* aligned by what is   */
                                                    /* before it            */
    int nsteps, nslots, nin, nout, nconst;
    short result[GA__E_OUTS];       /* the step that out[k] gets; its type  */
                                    /* is out[k]'s dtype                    */
    int ndim;                       /* normalised as a launch of one        */
    int64_t n, shape[GA_MAX_NDIM];  /* operation, n > 0                     */
    ga__operand_view in[GA__E_ARRAYS], out[GA__E_OUTS];
    const void *code;               /* by gk_cuda_eval_code()               */
    /* A reduction of result 0 (nout is 1 then): axes 0 .. nkeep-1 stay, the
       others are reduced, neighbours merged within each sort; out[0] is
       C-contiguous, in the order of the kept axes, with the dtype that
       ga__red gives. nkeep may be 0.                                       */
    int red;                        /* ga__red: sum, prod, max, min, all,   */
    int nkeep;                      /* any, mean; or -1: no reduction.      */
                                    /* gk_eval_work gives (size_t)-1 if it  */
                                    /* is not for the fused kernel (layout  */
} ga__eval;                         /* or type): store, then reduce         */
#ifndef GPUARR_NO_CUDA
/* The steps as code for the GPU's interpreter, GA__E_CODE bytes; false: it
   does not fit (length, values alive), and the caller cuts the program.
   in[k]: the arrays' dtypes.                                               */
GA__EXTERN bool gk_cuda_eval_code(const ga__step *step, int nsteps,
                                  const short *result, int nout,
                                  const ga_dtype *in, int nin, void *code);
#endif

/* C = A B for `batch` products, row-major: strides count elements; of the
   two of a and b one is 1 or the length along it is, and the other is no
   shorter than what it steps over (integers and bool: any strides); c's
   columns adjoin. conj conjugates, for complex t. Every dtype; out has type
   t too. As a job: by plain loops, on the CPU for every dtype, on the GPU for
   integers and bool, for any strides of complex ones, and for all where m or
   n is 1.                                                                  */
typedef struct ga__gemm {
    ga__scratch use;
    ga_dtype t;
    int64_t m, n, k, batch;
    const void *a, *b;
    void *c;
    int64_t a_row, a_col, a_batch, b_row, b_col, b_batch, c_row, c_batch;
    bool a_conj, b_conj;
} ga__gemm;

/* In each matrix of a stack (column-major, m by n, without gaps): zeros
   strictly above the diagonal (upper) or strictly below it, and ones on it
   with `unit`; t is one of LAPACK's four.                                  */
typedef struct ga__tri {
    ga_dtype t;
    bool upper, unit;
    int64_t m, n, batch;
    void *p;
} ga__tri;
/* Singular values of `batch` matrices of at most 32 rows and columns, all
   column-major; u (m,m) or (m,min), vh (n,n) or (min,n), of which the one that
   may be larger has `cols` vectors; NULL: values alone.                    */
typedef struct ga__svd_small {
    ga_dtype t;
    int m, n, cols;
    int64_t batch;
    const void *a;
    void *s, *u, *vh;
    int32_t *info;
} ga__svd_small;
/* z := the complex eigenvectors that real geev packs into v, by w's pairs. */
typedef struct ga__pairs {
    ga_dtype real;
    int64_t n;
    void *z;
    const void *v, *w;
} ga__pairs;

/* Diagonals of `batch` matrices n by n, dense, n > 0. */
typedef enum ga__diag_what {
    GA__DIAG_DET,                   /* det := the factored matrices' ones   */
    GA__DIAG_SLOGDET,               /* det := their signs, log (if any) :=  */
                                    /* log|det|                             */
    GA__DIAG_FLAW                   /* *first, 0 before: ~b for the first b */
} ga__diag_what;                    /* with 0 or NaN on the diagonal        */
typedef struct ga__diag {
    ga__diag_what what;
    ga_dtype t;
    int64_t n, batch;
    const void *a;
    const int32_t *piv;             /* LAPACK's, from 1                     */
    void *det, *log;
    uint64_t *first;
} ga__diag;
/* 2-norms of `rows` rows of n reals each, n > 0, that adjoin. */
typedef struct ga__norm2 {
    ga__scratch use;
    ga_dtype in, out;               /* float16 .. float64                   */
    int64_t rows, n;
    const void *from;
    void *to;
} ga__norm2;
/* One launch of LU's kernels; >>i-lu says what for. Which fields a step reads
   is said with it.                                                         */
#define GA__LU_PANEL(size) ((size) == 16 ? 16 : 32)     /* columns a panel  */
#define GA__LU_TINY_N 32            /* largest matrix for one warp          */
#define GA__LU_SUBST_N 128          /* largest triangle for substitution    */
typedef enum ga__lu_step {
    GA__LU_TINY,            /* factors of a: m n batch piv info             */
    GA__LU_TINY_SOLVE,      /* b by them: n nrhs batch piv trans            */
    GA__LU_STEP_PANEL,      /* columns row .. row+w-1, rows from `row` on:
                               a lda stride m row block w piv npiv info moves
                               moves_stride                                 */
    GA__LU_STEP_ROWS,       /* exchanges in columns first .. last-1, those of
                               panels from .. to-1 of the block of w columns
                               at `block`; solve: and the last panel's rows
                               divided by its lower triangle                */
    GA__LU_SUBST,           /* b := inv(a) b, a lower, n square, unit, conj,
                               strides a_ b_                                */
    GA__LU_PERMUTATION,     /* moves := the permutation of piv; n batch; the
                               workspace is 3 n batch ints                  */
    GA__LU_PERMUTE          /* b := columns first .. last-1 of a, rows
                               permuted by `moves`, with trans backwards    */
} ga__lu_step;
typedef struct ga__lu {
    ga__lu_step step;
    ga_dtype t;
    const void *a;
    void *b;
    int64_t m, n, lda, stride, batch, nrhs;
    int64_t row, block, w, first, last, from, to;
    int64_t a_row, a_col, b_row, b_col, b_stride;
    int32_t *piv, *info, *moves;
    int64_t npiv, moves_stride;
    int trans;                      /* 1: transposed, 2: and conjugated     */
    bool solve, unit, conj;
} ga__lu;
#define GA__X(n, ...) GA__DIST_##n,
typedef enum ga__dist {
    GA_DISTRIBUTIONS_0(GA__X) GA_DISTRIBUTIONS_1(GA__X)
    GA_DISTRIBUTIONS_2(GA__X) GA_DISTRIBUTIONS_3(GA__X)
    GA__DIST_bits,                  /* 32-bit words as they are: bytes      */
    GA__NUM_DISTS
} ga__dist;
#undef GA__X

typedef struct ga__draw {           /* n draws into contiguous memory       */
    ga__dist dist;
    ga_dtype out_type;              /* of the memory; uint32 for bits       */
    int64_t n;                      /* > 0                                  */
    void *out;
    uint64_t seed, call;            /* key; counter word 2 (and, from 2**32 */
    uint32_t substream;             /* calls, bits 16-23 of word 1)         */
    int ndim;                       /* of the parameters' strides; 0: all   */
    int64_t shape[GA_MAX_NDIM];     /* parameters are values                */
    struct {
        const void *data;           /* float64, integers: int64 or uint64;  */
        int64_t stride[GA_MAX_NDIM];            /* NULL: the value stands   */
        double value;
    } param[3];
    bool is_unsigned;               /* integers: of the two arrays          */
    uint64_t low, span;             /* integers by value: low, high-low-1   */
    const void *words;              /* an engine's uint32 or uint64 for     */
    int word_bits;                  /* each element; NULL: Philox           */
} ga__draw;

/* What choice and permutation stand on. index[i], i < take, is the place in
   keys of their i-th smallest, equal ones by place; keys (n < 2**32) are
   destroyed.                                                               */
typedef struct ga__sort {
    ga__scratch use;
    uint64_t *keys;
    int64_t *index, n, take;
} ga__sort;
/* Row i of out is row index[i] of src, `bytes` long, both without gaps. */
typedef struct ga__gathered {
    void *out;
    const void *src;
    const int64_t *index;
    int64_t n, bytes;
} ga__gathered;
/* index[i] is the number of the m ascending values of table that are <= x[i],
   at most m - 1.                                                           */
typedef struct ga__places {
    int64_t *index, m, n;
    const double *table, *x;
} ga__places;
/* >>joining */

/* >>masks */

/* >>indexing */

/* >>scans */

/* >>sorting */

/* n values from a start by a step, int64 or double, cast to t. */
typedef struct ga__steps {
    ga_dtype t;
    bool integer;
    int64_t n, i0, di;
    double f0, df;
    void *out;
} ga__steps;

/* The kernel families, a row each; `q` is the job. A row declares
     void gk_cpu_<job>(const T *q);       unless GPU; it cannot fail
     int gk_cuda_<job>(const T *q, void *stream, int mps);
                           mps: multiprocessors; 0 or a cudaError_t; unless
                           there is no CUDA
     size_t gk_<job>_work(const T *q, int mps);      if WORK; mps 0: the CPU
   and ga__run() in gpuarr.h orders the streams around it, gives it scratch
   memory, launches it on either device, times it for the profile.
     job, T, devices, scratch, bytes moved (NAN: not known)                 */
#define GA__JOBS(X)                                                          \
    X(elementwise, ga__ew,    BOTH, NONE, ga__ew_bytes(q))                   \
    X(reduce,      ga__rd,    BOTH, WORK, ga__rd_bytes(q))                   \
    X(eval,        ga__eval,  BOTH, WORK, ga__eval_bytes(q))                 \
    X(range,       ga__steps, BOTH, NONE,                                    \
      (double)q->n * (double)ga__size(q->t))                                 \
    X(gemm,        ga__gemm,  BOTH, WORK, ga__gemm_bytes(q))                 \
    X(triangle,    ga__tri,   BOTH, NONE, NAN)                               \
    X(svd_small,   ga__svd_small, GPU, NONE, NAN)                            \
    X(pairs,       ga__pairs, GPU,  NONE, NAN)                               \
    X(diagonal,    ga__diag,  BOTH, NONE, NAN)                               \
    X(norm2,       ga__norm2, BOTH, WORK,                                    \
      (double)q->rows * (double)q->n * (double)ga__size(q->in))              \
    X(lu,          ga__lu,    GPU,  NONE, NAN)                               \
    X(random,      ga__draw,  BOTH, NONE,                                    \
      (double)q->n * (double)ga__size(q->out_type))                          \
    X(sort,        ga__sort,  BOTH, WORK, NAN)                               \
    X(gather,      ga__gathered, BOTH, NONE,                                 \
      (double)q->n * (2 * (double)q->bytes + sizeof *q->index))              \
    X(search,      ga__places, BOTH, NONE, NAN)
#define GA__CPU_BOTH(...) __VA_ARGS__
#define GA__CPU_GPU(...)
#define GA__WORK_WORK(...) __VA_ARGS__
#define GA__WORK_NONE(...)
#ifndef GPUARR_NO_CUDA
#define GA__CUDA_(...) __VA_ARGS__
#else
#define GA__CUDA_(...)
#endif
#define GA__X(n, T, devices, scratch, bytes)                                 \
    GA__CPU_##devices(GA__EXTERN void gk_cpu_##n(const T *q);)               \
    GA__CUDA_(GA__EXTERN int gk_cuda_##n(const T *q, void *stream, int mps);) \
    GA__WORK_##scratch(GA__EXTERN size_t gk_##n##_work(const T *q, int mps);)
GA__JOBS(GA__X)
#undef GA__X

GA__EXTERN int gk_version(void);
/* How many threads the loops of the calling thread run in; sets it. */
GA__EXTERN int gk_cpu_threads(void);
GA__EXTERN void gk_cpu_limit(int threads);
/* f(data, first, end, i) for each of `shares` parts of 0 .. n, in parallel. */
GA__EXTERN void gk_cpu_share(void (*f)(void *, int64_t, int64_t, int),
                             void *data, int64_t n, int shares);
#ifndef GPUARR_NO_CUDA
/* `bytes` (1 to 16) at src to the mapped host slot, then *flag = ticket. */
GA__EXTERN int gk_cuda_fetch(const void *src, int bytes, void *slot,
                             uint32_t *flag, uint32_t ticket, void *stream);
/* cudaSuccess if this binary has code for the current device. */
GA__EXTERN int gk_cuda_probe(void);
#endif

_Pragma("pop_macro(\"A\")") _Pragma("pop_macro(\"B\")")
_Pragma("pop_macro(\"I\")") _Pragma("pop_macro(\"N\")")
_Pragma("pop_macro(\"P\")") _Pragma("pop_macro(\"R\")")
_Pragma("pop_macro(\"T\")") _Pragma("pop_macro(\"a\")")
_Pragma("pop_macro(\"b\")") _Pragma("pop_macro(\"c\")")
_Pragma("pop_macro(\"d\")") _Pragma("pop_macro(\"e\")")
_Pragma("pop_macro(\"f\")") _Pragma("pop_macro(\"g\")")
_Pragma("pop_macro(\"h\")") _Pragma("pop_macro(\"i\")")
_Pragma("pop_macro(\"j\")") _Pragma("pop_macro(\"k\")")
_Pragma("pop_macro(\"l\")") _Pragma("pop_macro(\"m\")")
_Pragma("pop_macro(\"n\")") _Pragma("pop_macro(\"o\")")
_Pragma("pop_macro(\"p\")") _Pragma("pop_macro(\"q\")")
_Pragma("pop_macro(\"r\")") _Pragma("pop_macro(\"s\")")
_Pragma("pop_macro(\"t\")") _Pragma("pop_macro(\"u\")")
_Pragma("pop_macro(\"v\")") _Pragma("pop_macro(\"w\")")
_Pragma("pop_macro(\"x\")") _Pragma("pop_macro(\"y\")")
_Pragma("pop_macro(\"z\")")

/* ======================================================== >>implementation */
#ifdef GPUARR_IMPLEMENTATION
#ifdef __cplusplus
#error "gpuarr: GPUARR_IMPLEMENTATION belongs in one C file, not in C++"
#endif
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef GPUARR_NO_CUDA
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#include <cuda_runtime_api.h>
#if defined(__has_include) && (!defined(NVTX_VERSION) || NVTX_VERSION > 2)
#if __has_include(<nvtx3/nvToolsExt.h>)     /* opens a tool's library itself */
#include <nvtx3/nvToolsExt.h>
#define GA__NVTX
#endif
#endif
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#endif

#if defined(GA_MALLOC) && defined(GA_REALLOC) && defined(GA_FREE)
#elif !defined(GA_MALLOC) && !defined(GA_REALLOC) && !defined(GA_FREE)
#define GA_MALLOC(n) malloc(n)
#define GA_REALLOC(p, n) realloc(p, n)
#define GA_FREE(p) free(p)
#else
#error "gpuarr: define all of GA_MALLOC, GA_REALLOC and GA_FREE, or none"
#endif
#ifndef GA_ASSERT
#define GA_ASSERT(c) assert(c)
#endif

/* ------------------------------------------------- the library's own state */
#define GA__MAX_DEVICES 64
#define GA__ALIVE 0x6a61727eu
#define GA__FREED 0xdeadf1eeu
#define GA__WEAK 0x0000ea70u        /* a C number: promotes as Python's     */
#define GA__STRONG 0x0000ea71u      /* a C number with a dtype: bool, float16 */
#define GA__ABSENT 0x0000ea72u      /* GA_NONE                              */

typedef struct ga__backend ga__backend;
typedef struct ga__lapack ga__lapack;

struct ga_stream {
    void *handle;                   /* cudaStream_t; NULL: the null stream  */
    struct ga__device *dev;
    atomic_int refs;                /* the user's, and each buffer's that   */
    atomic_bool destroyed;          /* remembers it                         */
    bool external;
    atomic_bool capturing;          /* a graph's, while it is being made    */
    ga_stream *next;                /* CUDA: of the device's open streams   */
    void *mark;                     /* event that orders others after us    */
    unsigned *counters;             /* GA__COUNTERS zeros on the device, or */
};                                  /* NULL until a reduction needs them    */

typedef struct ga__device {
    int id;                         /* GA_CPU or the CUDA number            */
    const ga__backend *be;
    bool ready;                     /* init succeeded                       */
    int mps;                        /* multiprocessors                      */
    ga_stream null;                 /* the null stream                      */
    void *pool;                     /* cudaMemPool_t                        */
    atomic_size_t used, peak, limit;
} ga__device;

/* Memory and the streams that touch it. `lock` guards the stream fields:
   several threads may read one array.                                     */
#define GA__READERS 4
struct ga__buffer {
    atomic_int refs;
    atomic_flag lock;
    int nreaders;
    ga__device *dev;
    void *ptr;
    size_t bytes;                   /* 0: not ours (wrapped)                */
    bool readonly;                  /* said who handed it over              */
    ga_stream *writer;              /* of the last write; NULL: none yet    */
    ga_stream *reader[GA__READERS]; /* since that write                     */
    ga_graph *graph;                /* made in its capture: dies with it    */
    void (*deleter)(void *, void *);
    void *arg;
};

struct ga_graph {
    ga__device *dev;
    void (*step)(void *);
    void *arg;
    ga_stream *stream;              /* the capture's own                    */
    void *exec;                     /* cudaGraphExec_t                      */
    ga__buffer **held;              /* buffers from outside                 */
    bool *wrote;                    /* ... and whether it writes them       */
    int nheld, capheld;
    atomic_int inside;              /* 1 + buffers made inside and alive    */
};

typedef struct ga__thread {
    bool started;                   /* has a device                         */
    bool forked;                    /* in a child, and not called since     */
    int device;
    ga_stream *stream[GA__MAX_DEVICES + 1];   /* [device + 1]; NULL: null   */
    ga_scope *scope;
    ga_status error;                /* pending: the first                   */
    ga_status last;                 /* the latest failure's own status      */
    char message[1024];
    const char *text;               /* an expression being worked on: its   */
    int at;                         /* errors show the place                */
    const char *file;               /* of the call, GPUARR_DEBUG            */
    int line;
    ga_graph *capture;              /* being made by this thread            */
    ga_rng *rng;                    /* NULL: the default generator          */
    bool print_set;
    ga_print_options print;
} ga__thread;
static _Thread_local ga__thread ga__me;

/* What linear algebra asks of a device: one table for LAPACK on the CPU, one
   for cuBLAS, cuSOLVER and our kernels. Everything above it is shared.

   A stack is `batch` matrices of m rows and n columns, column-major, without
   gaps: element (i,j) of matrix b stands at p[(b*n + j)*m + i]. A C-ordered
   array (...,n,m) is a stack of its transposes, without a copy. No function
   is called with an empty stack.
   info: int32 for each matrix, in d's memory: 0, or LAPACK's positive code.
   A function queues its work on s (the CPU's has done it on return), orders
   nothing, and fails only for want of memory or a library. Workspace is its
   own affair: ga__buffer_new, and ga__release once the work is queued.     */
typedef struct ga__stack {
    void *p;
    int64_t m, n, batch;
    ga_dtype t;                     /* float32, float64, complex64, _128    */
} ga__stack;

/*   gemm    C = A B, see ga__gemm
     trsm    b := inv(op(a)) b, or with `right` b := b inv(op(a)); flags are
             the public GA_LOWER .. GA_UNIT_DIAGONAL; a square, not checked
     potrf   lower triangle in, lower factor out; the upper one stays
     getrf   P L U in place; piv int32 from 1, min(m,n) a matrix; info: the
             first zero pivot, from 1 (the factors are complete even then)
     getrs   flags: 0, GA_TRANS or GA_CONJ_TRANS
     getri   a := its inverse, from getrf's factors; a singular one stays.
             NULL: no faster than getrs with the identity
     geqrf   Householder: R and the reflectors in place, tau min(m,n) a matrix
     orgqr   the first n columns of Q from k reflectors, in place
     unmqr   c := Q^H c, Q from the k = tau's reflectors that a holds
     gesvd   a is destroyed. sv: min(m,n) reals a matrix, descending. u is
             (m,m) or (m,min), vh (n,n) or (min,n); both NULL: values alone
     heevd   lower triangle in, with `vectors` these out; w: n reals, ascending
     geev    a is destroyed; w and v (NULL: none) are complex; v's columns
             have length 1
   X(routine, parameters, arguments, bytes moved), without d, op and s       */
#define GA__LAPACK_CALLS(X)                                                 \
    X(gemm, (const ga__gemm *g), (g), ga__gemm_bytes(g))                    \
    X(trsm, (unsigned flags, bool right, const ga__stack *a,                \
             const ga__stack *b), (flags, right, a, b), NAN)                \
    X(potrf, (const ga__stack *a, int32_t *info), (a, info), NAN)           \
    X(getrf, (const ga__stack *a, int32_t *piv, int32_t *info),             \
      (a, piv, info), NAN)                                                  \
    X(getrs, (unsigned flags, const ga__stack *a, const int32_t *piv,       \
              const ga__stack *b), (flags, a, piv, b), NAN)                 \
    X(getri, (const ga__stack *a, const int32_t *piv), (a, piv), NAN)       \
    X(geqrf, (const ga__stack *a, void *tau), (a, tau), NAN)                \
    X(orgqr, (const ga__stack *a, int64_t k, const void *tau), (a, k, tau), \
      NAN)                                                                  \
    X(unmqr, (const ga__stack *a, int64_t k, const void *tau,               \
              const ga__stack *c), (a, k, tau, c), NAN)                     \
    X(gesvd, (const ga__stack *a, void *sv, const ga__stack *u,             \
              const ga__stack *vh, int32_t *info), (a, sv, u, vh, info),    \
      NAN)                                                                  \
    X(heevd, (const ga__stack *a, bool vectors, void *w, int32_t *info),    \
      (a, vectors, w, info), NAN)                                           \
    X(geev, (const ga__stack *a, void *w, const ga__stack *v,               \
             int32_t *info), (a, w, v, info), NAN)
#define GA__BARE(...) __VA_ARGS__
#define GA__X(name, params, ...)                                            \
    ga_status (*name)(ga__device *d, const char *fn, GA__BARE params,       \
                      ga_stream *s);
struct ga__lapack { GA__LAPACK_CALLS(GA__X) };
#undef GA__X

/* What the array code asks of a device. The CPU and CUDA each fill one. A
   function fails through ga__fail with `op`, the public function's name.   */
typedef enum ga__way { GA__H2D, GA__D2H, GA__D2D } ga__way;
struct ga__backend {
    const char *name;
    ga_status (*alloc)(ga__device *d, const char *fn, size_t bytes,
                       ga_stream *s, void **out);
    void (*free)(ga__device *d, void *p, size_t bytes, ga_stream *s);
    /* Contiguous bytes. Host memory may be reused on return unless async. */
    ga_status (*copy)(ga__device *d, const char *fn, ga__way way, void *dst,
                      const void *src, size_t bytes, ga_stream *s, bool async);
    ga_status (*zero)(ga__device *d, const char *fn, void *p, size_t bytes,
                      ga_stream *s);
    /* Fused expressions: see ga__eval. eval_code NULL: programs need none. */
    bool (*eval_code)(const ga__step *step, int nsteps, const short *result,
                      int nout, const ga_dtype *in, int nin, void *code);
    /* e over contiguous arrays in host memory, but for those of stride 0;
       one output, no reduction. It is done on return. Not the CPU's.       */
    ga_status (*eval_host)(ga__device *d, const char *fn, ga__eval *e,
                           ga_stream *s);
    /* Up to 16 bytes to the host, at once: the latency of ga_item. */
    ga_status (*fetch)(ga__device *d, const char *fn, void *host,
                       const void *src, int bytes, ga_stream *s);
    ga_status (*use)(ga__device *d, const char *fn);  /* make it current    */
    ga_status (*sync)(ga__device *d, const char *fn);
    ga_status (*info)(ga__device *d, ga_device_properties *out);
    ga_status (*mem)(ga__device *d, ga_memory *out);  /* reserved,free,total */
    ga_status (*trim)(ga__device *d, const char *fn);
    /* Streams; `wait` makes s wait for all that w has queued so far. */
    ga_status (*stream_open)(ga__device *d, const char *fn, ga_stream *s,
                             int priority);
    void (*stream_close)(ga__device *d, ga_stream *s);
    void (*stream_dispose)(ga__device *d, ga_stream *s); /* last reference  */
    ga_status (*stream_sync)(ga__device *d, const char *fn, ga_stream *s);
    int (*stream_query)(ga__device *d, ga_stream *s);
    ga_status (*stream_wait)(ga__device *d, const char *fn, ga_stream *s,
                             ga_stream *w);
    ga_status (*stream_call)(ga__device *d, const char *fn, ga_stream *s,
                             void (*f)(void *), void *arg);
    ga_status (*event_open)(ga__device *d, const char *fn, void **handle);
    void (*event_close)(ga__device *d, void *handle);
    ga_status (*event_record)(ga__device *d, const char *fn, void *handle,
                              ga_stream *s);
    ga_status (*event_sync)(ga__device *d, const char *fn, void *handle);
    int (*event_query)(ga__device *d, void *handle);
    ga_status (*event_wait)(ga__device *d, const char *fn, void *handle,
                            ga_stream *s);
    ga_status (*event_elapsed)(ga__device *d, const char *fn, void *a, void *b,
                               double *ms);
    ga_status (*capture_begin)(ga__device *d, const char *fn, ga_graph *g);
    ga_status (*capture_end)(ga__device *d, const char *fn, ga_graph *g,
                             bool keep);
    ga_status (*graph_launch)(ga__device *d, const char *fn, ga_graph *g,
                              ga_stream *s);
    void (*graph_close)(ga__device *d, ga_graph *g);
    const ga__lapack *la;
};

/* The device with this number, initialised; NULL and an error otherwise. */
static ga__device *ga__device_of(const char *fn, int id);
static ga__device *ga__current(const char *fn);  /* the thread's device     */
/* A job's ga__late; on a CPU `mine` keeps what it tells, until late_end takes
   the job's status.                                                        */
static ga_status ga__late_begin(const char *fn, ga__device *d, ga__late *l,
                                ga__fault *mine, ga_status code, int axis,
                                int64_t extent);
static ga_status ga__late_end(const ga__fault *mine, ga_status st);
/* Runs job `id`, described by q (its row's struct), on d, on the thread's
   stream: after what the arrays `out`, written, and `in`, read, have to wait
   for. What lies in no array has been ordered before.                      */
#define GA__X(n, ...) GA__JOB_##n,
typedef enum ga__job { GA__JOBS(GA__X) GA__NUM_JOBS } ga__job;
#undef GA__X
static ga_status ga__run(const char *fn, ga__device *d, ga__job id, void *q,
                         ga_array *const *out, int nout,
                         const ga_array *const *in, int nin);
static ga_stream *ga__stream(ga__device *d);     /* the thread's stream on it */

/* ----------------------------------------------------------- dtype facts */
typedef struct ga__dtype_info {
    const char *name;
    unsigned char size;
    char kind;
} ga__dtype_info;
#define GA__X(N, s, b, k) {s, b, k},
static const ga__dtype_info ga__dtypes[GA_NUM_DTYPES] = {GA_DTYPES(GA__X)};
#undef GA__X
static bool ga__is_dtype(ga_dtype t) { return (unsigned)t < GA_NUM_DTYPES; }
static char ga__kind(ga_dtype t) { return ga__dtypes[t].kind; }
static size_t ga__size(ga_dtype t) { return ga__dtypes[t].size; }
static bool ga__is_int(ga_dtype t) {
    return ga__kind(t) == 'i' || ga__kind(t) == 'u';
}

GA_API size_t ga_dtype_size(ga_dtype t) {
    return ga__is_dtype(t) ? ga__size(t) : 0;
}
GA_API const char *ga_dtype_name(ga_dtype t) {
    return ga__is_dtype(t) ? ga__dtypes[t].name : "?";
}

/* NumPy 2's table by rule: kinds rise bool < int < float < complex; an
   integer wants a float that holds it (8 bits: float16, 16: float32).
   bfloat16 is ours: with float16 float32, with integers bfloat16.          */
GA_API ga_dtype ga_promote_types(ga_dtype a, ga_dtype b) {
    if (!ga__is_dtype(a) || !ga__is_dtype(b)) return GA_NUM_DTYPES;
    if (a == b || b == GA_BOOL) return a;
    if (a == GA_BOOL) return b;
    char ka = ga__kind(a), kb = ga__kind(b);
    size_t sa = ga__size(a), sb = ga__size(b);
    if (ga__is_int(a) && ga__is_int(b)) {
        if (ka == kb) return sa > sb ? a : b;
        ga_dtype i = ka == 'i' ? a : b, u = ka == 'i' ? b : a;
        if (ga__size(i) > ga__size(u)) return i;
        switch (ga__size(u)) {
        case 1: return GA_INT16;
        case 2: return GA_INT32;
        case 4: return GA_INT64;
        default: return GA_FLOAT64;
        }
    }
    if (ga__is_int(b)) {            /* let a be the integer, if there is one */
        ga_dtype t = a; a = b; b = t;
        ka = ga__kind(a); sa = ga__size(a);
    }
    kb = ga__kind(b);
    sb = ga__size(b);
    if (ga__is_int(a)) {
        bool c = kb == 'c';
        if (b == GA_BFLOAT16) return b;
        size_t need = sa == 1 ? 2 : sa == 2 ? 4 : 8, have = c ? sb / 2 : sb;
        if (have >= need) return b;
        return need == 4 ? GA_FLOAT32 : c ? GA_COMPLEX128 : GA_FLOAT64;
    }
    if (ka == 'f' && kb == 'f')
        return sa == sb ? GA_FLOAT32 : sa > sb ? a : b;
    if (ka == 'c' && kb == 'c') return sa > sb ? a : b;
    return a == GA_FLOAT64 || b == GA_FLOAT64 || a == GA_COMPLEX128
           || b == GA_COMPLEX128 ? GA_COMPLEX128 : GA_COMPLEX64;
}

/* numpy.can_cast(from, to, "same_kind"): up the kinds, or within one. */
static int ga__rank_of_kind(char k) {
    return k == 'b' ? 0 : k == 'u' ? 1 : k == 'i' ? 2 : k == 'f' ? 3 : 4;
}
GA_API bool ga_can_cast(ga_dtype from, ga_dtype to) {
    return ga__is_dtype(from) && ga__is_dtype(to)
           && ga__rank_of_kind(ga__kind(from))
                  <= ga__rank_of_kind(ga__kind(to));
}

/* ============================================================= >>i-errors */
#define GA__X(N, s) "GA_" #N,
static const char *const ga__status_names[] = {GA_STATUSES(GA__X)};
#undef GA__X
#define GA__X(N, s) s,
static const char *const ga__status_texts[] = {GA_STATUSES(GA__X)};
#undef GA__X
static _Atomic(ga_handler) ga__handler;

GA_API ga_status ga_error(void) { return ga__me.error; }
GA_API const char *ga_error_message(void) {
    return ga__me.error ? ga__me.message : "";
}
GA_API void ga_clear_error(void) { ga__me.error = GA_OK; }
GA_API const char *ga_status_name(ga_status s) {
    return (unsigned)s < GA_NUM_STATUSES ? ga__status_names[s] : "?";
}
GA_API ga_handler ga_on_error(ga_handler h) {
    return atomic_exchange(&ga__handler, h);
}
GA_API void ga_handler_print(ga_status s, const char *message) {
    fprintf(stderr, "gpuarr: %s (%s)\n", message, ga_status_name(s));
}
GA_API void ga_handler_exit(ga_status s, const char *message) {
    ga_handler_print(s, message);
    exit(1);
}

/* The one place where errors are made. The first stays; returns its own
   status, which ga__failed() tells to callers that got NULL: the pending one
   may be another, or none where the handler clears it. Text: "<op>: <fmt>";
   fmt NULL stands for the status's own text.                               */
static ga_status ga__fail(ga_status s, const char *fn, const char *fmt, ...)
    GA__PRINTF(3, 4);
/* An expression's errors show the text and a caret under the place:
       ga_eval: unknown name 'z'
         1.5 * (x + z)
                    ^
   of a long text 60 characters.                                            */
static void ga__caret(ga__thread *t) {
    size_t used = strlen(t->message), length = strlen(t->text);
    size_t at = (size_t)t->at < length ? (size_t)t->at : length;
    size_t from = length > 64 && at > 40 ? at - 40 : 0;
    size_t n = length - from <= 64 ? length - from : 60;
    char line[65];
    for (size_t i = 0; i < n; i++) {
        char c = t->text[from + i];
        line[i] = c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
    }
    line[n] = 0;
    snprintf(t->message + used, sizeof t->message - used, "\n  %s%s%s\n  %*s^",
             from ? "..." : "", line, from + n < length ? "..." : "",
             (int)(at - from) + (from ? 3 : 0), "");
}
static void ga__alive_text(char *text, size_t room);
static ga_status ga__fail(ga_status s, const char *fn, const char *fmt, ...) {
    ga__thread *t = &ga__me;
    t->last = s;
    if (t->error) return s;
    int n = snprintf(t->message, sizeof t->message, "%s: ", fn);
    if (n < 0 || (size_t)n >= sizeof t->message) n = 0;
    if (fmt) {
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(t->message + n, sizeof t->message - (size_t)n, fmt, ap);
        va_end(ap);
    } else {
        snprintf(t->message + n, sizeof t->message - (size_t)n, "%s",
                 ga__status_texts[s]);
    }
    if (s == GA_ERR_HOST_MEMORY || s == GA_ERR_DEVICE_MEMORY
        || s == GA_ERR_MEM_LIMIT) {
        size_t used = strlen(t->message);
        ga__alive_text(t->message + used, sizeof t->message - used);
    }
    if (t->text) ga__caret(t);
    t->text = NULL;                 /* a handler calls on, or jumps away    */
    t->error = s;
    ga_handler h = atomic_load(&ga__handler);
    if (h) h(s, t->message);
    return t->last = s;             /* whatever the handler called          */
}
static ga_status ga__failed(void) { return ga__me.last; }
/* For functions that return a pointer. */
#define GA__NULL(...) (ga__fail(__VA_ARGS__), (void *)0)

/* "(3,4)", "(5,)", "()" in one of a few buffers of the thread's. */
static const char *ga__shape_text(int ndim, const int64_t *dim) {
    static _Thread_local char text[4][GA_MAX_NDIM * 22 + 8];
    static _Thread_local unsigned turn;
    char *b = text[turn++ % 4];
    size_t n = 0, cap = sizeof text[0];
    b[n++] = '(';
    for (int i = 0; i < ndim && i < GA_MAX_NDIM; i++)
        n += (size_t)snprintf(b + n, cap - n, "%s%" PRId64, i ? "," : "",
                              dim[i]);
    snprintf(b + n, cap - n, ndim == 1 ? ",)" : ")");
    return b;
}

GA_API const char *ga_version(void) {
#define GA__STR_(x) #x
#define GA__STR(x) GA__STR_(x)
    return GA__STR(GA_VERSION_MAJOR) "." GA__STR(GA_VERSION_MINOR) "."
           GA__STR(GA_VERSION_PATCH);
}

/* =========================================================== >>i-lifetime */
static atomic_llong ga__live;
static void ga__release(ga__buffer *b);

/* For a program compiled with GPUARR_DEBUG, from its first call that says where
   it stands: the library itself may have been compiled without. Every handle
   stands in a list then. A freed one is kept, marked, until GA__QUARANTINE
   others have been freed, so that its use is recognised.                   */
#define GA__QUARANTINE 4096
#ifdef GPUARR_DEBUG
static atomic_bool ga__debug = true;
#else
static atomic_bool ga__debug;
#endif
static pthread_mutex_t ga__all_lock = PTHREAD_MUTEX_INITIALIZER;
static ga_array **ga__all;
static size_t ga__nall, ga__capall;
static ga_array *ga__grave[GA__QUARANTINE];
static size_t ga__ngrave;
static bool ga__debugging(void) {
    return atomic_load_explicit(&ga__debug, memory_order_relaxed);
}
GA_API void ga__here(const char *file, int line) {
    if (!ga__debugging()) atomic_store(&ga__debug, true);
    ga__me.file = file;
    ga__me.line = line;
}
static void ga__debug_born(ga_array *x) {
    x->ga__file = ga__me.file;
    x->ga__line = ga__me.line;
    pthread_mutex_lock(&ga__all_lock);
    if (ga__nall == ga__capall) {
        size_t cap = ga__capall ? 2 * ga__capall : 64;
        ga_array **p = (ga_array **)realloc(ga__all, cap * sizeof *p);
        if (p) ga__all = p, ga__capall = cap;
    }
    if (ga__nall < ga__capall) ga__all[ga__nall++] = x;
    pthread_mutex_unlock(&ga__all_lock);
}
static void ga__debug_died(ga_array *x) {
    pthread_mutex_lock(&ga__all_lock);
    for (size_t i = ga__nall; i-- > 0;)
        if (ga__all[i] == x) {
            ga__all[i] = ga__all[--ga__nall];
            break;
        }
    size_t at = ga__ngrave++ % GA__QUARANTINE;
    ga_array *old = ga__grave[at];
    ga__grave[at] = x;
    pthread_mutex_unlock(&ga__all_lock);
    GA_FREE(old);
}

GA_API int64_t ga_live_arrays(void) { return atomic_load(&ga__live); }
GA_API int64_t ga_list_arrays(FILE *f) {
    pthread_mutex_lock(&ga__all_lock);
    for (size_t i = 0; f && i < ga__nall; i++) {
        const ga_array *x = ga__all[i];
        fprintf(f, "%s:%d: %s %s on device %d\n",
                x->ga__file ? x->ga__file : "?", x->ga__line,
                ga_dtype_name(x->dtype), ga__shape_text(x->ndim, x->shape),
                x->device);
    }
    pthread_mutex_unlock(&ga__all_lock);
    return ga_live_arrays();
}
/* "; 12 arrays are alive, 10 of them made at a.c:7", for want of memory. The
   place is the one with the most arrays among the first 64.                */
static void ga__alive_text(char *text, size_t room) {
    long long alive = ga_live_arrays();
    int n = snprintf(text, room, "; %lld array%s alive", alive,
                     alive == 1 ? " is" : "s are");
    struct { const char *file; int line; size_t count; } at[64], *most = at;
    size_t places = 0;
    pthread_mutex_lock(&ga__all_lock);
    for (size_t i = 0; i < ga__nall; i++) {
        const ga_array *x = ga__all[i];
        size_t k = 0;
        while (k < places && (at[k].file != x->ga__file
                              || at[k].line != x->ga__line)) k++;
        if (k == 64) continue;
        if (k == places) {
            at[places].file = x->ga__file;
            at[places].line = x->ga__line;
            at[places++].count = 0;
        }
        if (++at[k].count > most->count) most = &at[k];
    }
    pthread_mutex_unlock(&ga__all_lock);
    if (places && most->file && n > 0 && (size_t)n < room)
        snprintf(text + n, room - (size_t)n, ", %zu of them made at %s:%d",
                 most->count, most->file, most->line);
}
static void ga__leaks_at_exit(void) {
    long long alive = ga_live_arrays();
    if (!alive) return;
    fprintf(stderr, "gpuarr: %lld array%s alive at exit\n", alive,
            alive == 1 ? " is" : "s are");
    ga_list_arrays(stderr);
}

GA_API ga_scope ga_scope_begin(ga_scope *s) {
    ga_scope fresh = {ga__me.scope, NULL};
    ga__me.scope = s;
    *s = fresh;
    return fresh;                   /* the declaration stores it once more  */
}
static void ga__unlink(ga_array *x) {
    if (!x->ga__scope) return;
    if (x->ga__prev) x->ga__prev->ga__next = x->ga__next;
    else x->ga__scope->first = x->ga__next;
    if (x->ga__next) x->ga__next->ga__prev = x->ga__prev;
    x->ga__scope = NULL;
    x->ga__prev = x->ga__next = NULL;
}
static void ga__link(ga_array *x, ga_scope *s) {
    x->ga__scope = s;
    x->ga__prev = NULL;
    x->ga__next = s ? s->first : NULL;
    if (!s) return;
    if (s->first) s->first->ga__prev = x;
    s->first = x;
}
/* True if x is an array that may be used: what every public call asks first.
   NULL is quiet while an error is pending. C numbers pass.                 */
static bool ga__ok(const char *fn, const ga_array *x) {
    if (!x) {
        if (ga__me.error) ga__me.last = ga__me.error;
        else ga__fail(GA_ERR_NULL, fn, "an array argument is NULL");
        return false;
    }
    if (x->ga__magic == GA__FREED && ga__debugging()) {
        ga__fail(GA_ERR_FREED, fn, "the array made at %s:%d has been freed%s",
                 x->ga__file ? x->ga__file : "?", x->ga__line,
                 !x->ga__value.b ? "" : " at the end of its GA_SCOPE; ga_keep "
                 "and GA_REPLACE hand an array to the scope around it");
        return false;
    }
    if (x->ga__magic == GA__ABSENT) {
        ga__fail(GA_ERR_NULL, fn, "GA_NONE is not allowed here");
        return false;
    }
    return true;
}

GA_API void ga_scope_end(ga_scope *s) {
    while (s->first) {
        s->first->ga__value.b = true;           /* for the message           */
        ga_free(s->first);
    }
    ga__me.scope = s->up;
}

GA_API void ga_free(ga_array *x) {
    if (!x || x->ga__magic != GA__ALIVE) {
        if (x && ga__debugging()) ga__ok("ga_free", x);
        return;
    }
    ga__unlink(x);
    ga__release(x->ga__buf);
    x->ga__magic = GA__FREED;
    x->data = NULL;
    atomic_fetch_sub(&ga__live, 1);
    if (ga__debugging()) ga__debug_died(x);
    else GA_FREE(x);
}

/* The same of a caller's list of operands. */
static bool ga__all_ok(const char *fn, const ga_array *const *x, int n) {
    if (n > 0 && !x) {
        ga__fail(GA_ERR_NULL, fn, "the list of operands is NULL");
        return false;
    }
    for (int i = 0; i < n; i++) if (!ga__ok(fn, x[i])) return false;
    return true;
}

GA_API ga_array *ga_keep(ga_array *x) {
    if (!ga__ok("ga_keep", x)) return NULL;
    ga_scope *up = x->ga__scope ? x->ga__scope->up : NULL;
    ga__unlink(x);
    ga__link(x, up);
    return x;
}
GA_API ga_array *ga_detach(ga_array *x) {
    if (!ga__ok("ga_detach", x)) return NULL;
    ga__unlink(x);
    return x;
}

GA_API ga_array *ga_replace(ga_array **x, ga_array *with) {
    static const char fn[] = "ga_replace";
    if (!ga__ok(fn, with) || !ga__ok(fn, *x)) return NULL;
    ga_array *old = *x;
    if (with == old) return old;
    ga__unlink(with);
    ga__link(with, old->ga__scope);
    ga_free(old);
    return *x = with;
}

/* --------------------------------------- buffers, and which stream waits */
static void ga__stream_ref(ga_stream *s) {
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
}
static void ga__stream_unref(ga_stream *s) {
    if (s && atomic_fetch_sub(&s->refs, 1) == 1) {
        s->dev->be->stream_dispose(s->dev, s);
        GA_FREE(s);
    }
}
static void ga__lock(ga__buffer *b) {
    while (atomic_flag_test_and_set_explicit(&b->lock, memory_order_acquire)) {
    }
}
static void ga__unlock(ga__buffer *b) {
    atomic_flag_clear_explicit(&b->lock, memory_order_release);
}

/* Under capture: hold the outside buffer, so that launches can order it. */
static ga_status ga__graph_hold(const char *fn, ga_graph *g, ga__buffer *b,
                                bool write) {
    for (int i = 0; i < g->nheld; i++)
        if (g->held[i] == b) {
            g->wrote[i] |= write;
            return GA_OK;
        }
    if (g->nheld == g->capheld) {
        int cap = g->capheld ? 2 * g->capheld : 8;
        ga__buffer **h = (ga__buffer **)GA_REALLOC(g->held,
                                                   (size_t)cap * sizeof *h);
        if (h) g->held = h;
        bool *w = (bool *)GA_REALLOC(g->wrote, (size_t)cap * sizeof *w);
        if (w) g->wrote = w;
        if (!h || !w) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
        g->capheld = cap;
    }
    atomic_fetch_add(&b->refs, 1);
    g->held[g->nheld] = b;
    g->wrote[g->nheld++] = write;
    return GA_OK;
}

/* Before s reads or writes b: makes s wait for the last write elsewhere, and
   before a write for the reads since. Notes s. One stream: a compare. The
   waiting itself is done unlocked: where it fails, a handler may use b.    */
static ga_status ga__order(const char *fn, ga__buffer *b, ga_stream *s,
                           bool write) {
    ga_graph *g = ga__me.capture;
    if (b->graph != g) {
        if (b->graph)
            return ga__fail(GA_ERR_CAPTURE, fn, "the array was made inside a "
                            "graph's function and is gone");
        return ga__graph_hold(fn, g, b, write);
    }
    if (g || b->dev->id == GA_CPU) return GA_OK;
    ga_stream *before[GA__READERS + 1];
    int n = 0;
    ga__lock(b);
    if (b->writer && b->writer != s) {
        ga__stream_ref(b->writer);
        before[n++] = b->writer;
    }
    if (write) {
        for (int i = 0; i < b->nreaders; i++) before[n++] = b->reader[i];
        b->nreaders = 0;
        if (b->writer != s) {
            ga__stream_ref(s);
            ga__stream_unref(b->writer);
            b->writer = s;
        }
    } else if (b->writer != s) {
        int i = 0;
        while (i < b->nreaders && b->reader[i] != s) i++;
        if (i == GA__READERS)       /* full: s stands for the first as well */
            before[n++] = b->reader[--i];
        else if (i == b->nreaders) b->nreaders++;
        else i = GA__READERS;       /* noted already                        */
        if (i < GA__READERS) {
            ga__stream_ref(s);
            b->reader[i] = s;
        }
    }
    ga__unlock(b);
    ga_status st = GA_OK;
    for (int i = 0; i < n; i++) {
        if (before[i] != s && !st)
            st = s->dev->be->stream_wait(s->dev, fn, s, before[i]);
        ga__stream_unref(before[i]);
    }
    return st;
}

/* Drops one reference; the last frees in stream order, after all readers. */
static void ga__release(ga__buffer *b) {
    if (!b || atomic_fetch_sub(&b->refs, 1) != 1) return;
    ga__device *d = b->dev;
    ga_graph *g = ga__me.capture;
    if (g && !b->graph) {           /* not while capturing: with the graph  */
        atomic_store(&b->refs, 1);
        if (ga__graph_hold("ga_free", g, b, false) == GA_OK)
            atomic_fetch_sub(&b->refs, 1);
        return;                     /* no memory for the list: leaks it     */
    }
    ga_stream *s = b->writer && !b->writer->destroyed ? b->writer : &d->null;
    if (b->writer && b->writer != s)
        d->be->stream_wait(d, "ga_free", s, b->writer);
    for (int i = 0; i < b->nreaders; i++)
        if (b->reader[i] != s)
            d->be->stream_wait(d, "ga_free", s, b->reader[i]);
    if (b->graph) {                 /* else: the memory went with the graph */
        if (b->graph == g) d->be->free(d, b->ptr, b->bytes, g->stream);
        if (--b->graph->inside == 0) GA_FREE(b->graph);
    } else if (b->bytes) {
        d->be->free(d, b->ptr, b->bytes, s);
    } else if (b->deleter) {
        d->be->stream_sync(d, "ga_free", s);
        b->deleter(b->ptr, b->arg);
    }
    if (b->bytes && !b->graph) atomic_fetch_sub(&d->used, b->bytes);
    ga__stream_unref(b->writer);
    for (int i = 0; i < b->nreaders; i++) ga__stream_unref(b->reader[i]);
    GA_FREE(b);
}

/* Memory for `bytes` on d, counted against its limit. bytes 0 gives a buffer
   without memory. The stream is the thread's current one.                  */
static ga__buffer *ga__buffer_new(const char *fn, ga__device *d,
                                  size_t bytes) {
    ga__buffer *b = (ga__buffer *)GA_MALLOC(sizeof *b);
    if (!b) return (ga__buffer *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(b, 0, sizeof *b);
    atomic_init(&b->refs, 1);
    atomic_flag_clear(&b->lock);
    b->dev = d;
    if (!bytes) return b;
    if (ga__me.capture && ga__me.capture->dev != d) {
        GA_FREE(b);
        return (ga__buffer *)GA__NULL(GA_ERR_CAPTURE, fn, "an array on another "
                                      "device inside a graph's function");
    }
    ga_stream *s = ga__stream(d);
    b->graph = ga__me.capture;
    size_t used = 0;
    if (!b->graph) {
        used = atomic_fetch_add(&d->used, bytes) + bytes;
        size_t limit = atomic_load(&d->limit);
        if (limit && used > limit) {
            atomic_fetch_sub(&d->used, bytes);
            ga__fail(GA_ERR_MEM_LIMIT, fn, "%zu bytes asked with %zu in use: "
                     "over the limit of %zu on device %d",
                     bytes, used - bytes, limit, d->id);
            GA_FREE(b);
            return NULL;
        }
    }
    if (d->be->alloc(d, fn, bytes, s, &b->ptr) != GA_OK) {
        if (!b->graph) atomic_fetch_sub(&d->used, bytes);
        GA_FREE(b);
        return NULL;
    }
    b->bytes = bytes;
    size_t peak = atomic_load(&d->peak);    /* of what was really had       */
    while (used > peak
           && !atomic_compare_exchange_weak(&d->peak, &peak, used)) {
    }
    if (b->graph) {
        b->graph->inside++;
    } else if (d->id != GA_CPU) {   /* valid in s's order only              */
        ga__stream_ref(s);
        b->writer = s;
    }
    return b;
}

/* ------------------------------------------------------ making handles */
/* A handle without fields, in the thread's scope. */
static ga_array *ga__handle(const char *fn) {
    ga_array *x = (ga_array *)GA_MALLOC(sizeof *x);
    if (!x) return (ga_array *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(x, 0, sizeof *x);
    x->ga__magic = GA__ALIVE;
    atomic_fetch_add(&ga__live, 1);
    ga__link(x, ga__me.scope);
    if (ga__debugging()) ga__debug_born(x);
    return x;
}

/* Product of the lengths; false and an error if it, in bytes, overflows. As
   in NumPy a length of 0 is no excuse for the others: their product is that
   of strides, and of what a view or a reduction of the array has.          */
static bool ga__count(const char *fn, int ndim, const int64_t *shape,
                      ga_dtype t, int64_t *out) {
    int64_t n = 1, lim = INT64_MAX / (int64_t)ga__size(t);
    bool zero = false;
    if (ndim < 0 || ndim > GA_MAX_NDIM) {
        ga__fail(GA_ERR_SHAPE, fn, "%d dimensions; 0 to %d are possible",
                 ndim, GA_MAX_NDIM);
        return false;
    }
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0) {
            ga__fail(GA_ERR_SHAPE, fn, "negative length in shape %s",
                     ga__shape_text(ndim, shape));
            return false;
        }
        zero |= shape[i] == 0;
    }
    for (int i = 0; i < ndim; i++) {
        if (!shape[i]) continue;
        if (shape[i] > lim / n) {
            ga__fail(GA_ERR_SIZE, fn, "shape %s of %s is too large",
                     ga__shape_text(ndim, shape), ga_dtype_name(t));
            return false;
        }
        n *= shape[i];
    }
    *out = zero ? 0 : n;
    return true;
}

static bool ga__dtype_ok(const char *fn, ga_dtype t) {
    if (ga__is_dtype(t)) return true;
    ga__fail(GA_ERR_DTYPE, fn, "%d is not a dtype", (int)t);
    return false;
}

/* A new array of uninitialised elements on d. order: the axes from slowest to
   fastest in memory; NULL is C order.                                      */
static ga_array *ga__new(const char *fn, ga__device *d, int ndim,
                         const int64_t *shape, ga_dtype t, const int *order) {
    int64_t n, step = 1;
    if (!d || !ga__dtype_ok(fn, t) || !ga__count(fn, ndim, shape, t, &n))
        return NULL;
    ga__buffer *b = ga__buffer_new(fn, d, (size_t)n * ga__size(t));
    if (!b) return NULL;
    ga_array *x = ga__handle(fn);
    if (!x) {
        ga__release(b);
        return NULL;
    }
    x->ga__buf = b;
    x->data = b->ptr;
    x->dtype = t;
    x->device = d->id;
    x->ndim = ndim;
    x->size = n;
    memset(x->shape, 0, sizeof x->shape);
    memset(x->strides, 0, sizeof x->strides);
    for (int i = ndim; i-- > 0;) {
        int a = order ? order[i] : i;
        x->shape[a] = shape[a];
        x->strides[a] = step;
        if (n) step *= shape[a];    /* lengths of an empty array may be huge */
    }
    return x;
}

/* A handle on x's buffer with x's fields, for the caller to reshape. */
static ga_array *ga__view_new(const char *fn, const ga_array *x) {
    if (!ga__ok(fn, x)) return NULL;
    if (!x->ga__buf)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn,
                                    "a C number has no views");
    ga_array *v = ga__handle(fn);
    if (!v) return NULL;
    v->data = x->data;
    v->ndim = x->ndim;
    v->dtype = x->dtype;
    v->device = x->device;
    v->size = x->size;
    memcpy(v->shape, x->shape, sizeof v->shape);
    memcpy(v->strides, x->strides, sizeof v->strides);
    v->ga__buf = x->ga__buf;
    atomic_fetch_add(&x->ga__buf->refs, 1);
    return v;
}

GA_API bool ga_is_contiguous(const ga_array *x) {
    if (!x) return false;
    int64_t step = 1;
    for (int i = x->ndim; x->size > 1 && i-- > 0;) {
        if (x->shape[i] == 1) continue;
        if (x->strides[i] != step) return false;
        step *= x->shape[i];
    }
    return true;
}
GA_API ga_shape ga_shape_of(const ga_array *x) {
    ga_shape s = {0, {0}};
    if (!ga__ok("ga_shape_of", x)) return s;
    s.ndim = x->ndim;
    memcpy(s.dim, x->shape, sizeof s.dim);
    return s;
}

/* Axis `a` of an ndim-array, negative from the end; -1 and an error if none. */
static int ga__axis(const char *fn, int a, int ndim) {
    if (a >= -ndim && a < ndim) return a < 0 ? a + ndim : a;
    ga__fail(GA_ERR_AXIS, fn, "axis %d is out of range for %d dimensions", a,
             ndim);
    return -1;
}
/* Axes as a bit mask; false and an error if out of range or repeated. */
static bool ga__axes_mask(const char *fn, ga_axis a, int ndim,
                          unsigned *mask) {
    *mask = 0;
    if (a.n == GA__NO_AXES) {
        ga__fail(GA_ERR_AXIS, fn, "no axis given; GA_ALL is all of them");
        return false;
    }
    if (a.n < 0) {
        *mask = (1u << ndim) - 1;
        return true;
    }
    if (a.n > GA_MAX_NDIM) {
        ga__fail(GA_ERR_AXIS, fn, "%d axes given; at most %d are possible",
                 a.n, GA_MAX_NDIM);
        return false;
    }
    for (int i = 0; i < a.n; i++) {
        int k = ga__axis(fn, a.axis[i], ndim);
        if (k < 0) return false;
        if (*mask >> k & 1) {
            ga__fail(GA_ERR_AXIS, fn, "axis %d is given twice", a.axis[i]);
            return false;
        }
        *mask |= 1u << k;
    }
    return true;
}

/* After a launch under GPUARR_SYNC=1: the fault, with the operation's name. */
static bool ga__sync_mode(void);
static ga_status ga__after(const char *fn, ga__device *d, ga_stream *s) {
    if (ga__sync_mode() && !ga__me.capture)
        return d->be->stream_sync(d, fn, s);
    return GA_OK;
}

/* =========================================================== >>i-operands */
#ifdef GPUARR_STATIC
static GA__UNUSED
#endif
const ga_array ga__none = {.ga__magic = GA__ABSENT, .device = GA_CPU};

/* A C number as a rank-0 array whose element stands in its own handle. */
static const ga_array *ga__number(ga_array *t, ga_dtype type, unsigned magic) {
    t->data = &t->ga__value;
    t->ndim = 0;
    t->size = 1;
    t->dtype = type;
    t->device = GA_CPU;
    t->ga__buf = NULL;
    t->ga__scope = NULL;
    t->ga__magic = magic;
    return t;
}
GA_API const ga_array *ga__arg_b(bool v, ga_array *t) {
    t->ga__value.b = v;
    return ga__number(t, GA_BOOL, GA__STRONG);
}
GA_API const ga_array *ga__arg_i(int64_t v, ga_array *t) {
    t->ga__value.i = v;
    return ga__number(t, GA_INT64, GA__WEAK);
}
GA_API const ga_array *ga__arg_u(uint64_t v, ga_array *t) {
    t->ga__value.u = v;
    return ga__number(t, v <= INT64_MAX ? GA_INT64 : GA_UINT64, GA__WEAK);
}
GA_API const ga_array *ga__arg_f(double v, ga_array *t) {
    t->ga__value.f = v;
    return ga__number(t, GA_FLOAT64, GA__WEAK);
}
GA_API const ga_array *ga__arg_h(ga_float16 v, ga_array *t) {
    memcpy(&t->ga__value, &v, sizeof v);
    return ga__number(t, GA_FLOAT16, GA__STRONG);
}
GA_API const ga_array *ga__arg_bh(ga_bfloat16 v, ga_array *t) {
    memcpy(&t->ga__value, &v, sizeof v);
    return ga__number(t, GA_BFLOAT16, GA__STRONG);
}
GA_API const ga_array *ga__arg_c(ga_complex128 v, ga_array *t) {
    memcpy(t->ga__value.c, &v, sizeof v);
    return ga__number(t, GA_COMPLEX128, GA__WEAK);
}
static bool ga__is_number(const ga_array *x) { return !x->ga__buf; }

/* An element of dtype `from` on the host as one of dtype `to`: the CPU
   kernel's cast, so that there is one set of rules.                        */
static void ga__cast_element(const void *src, ga_dtype from, void *dst,
                             ga_dtype to) {
    ga__ew e;
    memset(&e, 0, sizeof e);
    e.op = GA__OP_copy;
    e.ndim = e.nin = 1;
    e.n = e.shape[0] = 1;
    e.compute = from == GA_FLOAT16 || from == GA_BFLOAT16 ? GA_FLOAT32 : from;
    e.out.data = dst;
    e.out.dtype = to;
    e.out.stride[0] = 1;
    e.in[0].data = (void *)(uintptr_t)src;
    e.in[0].dtype = from;
    e.in[0].stride[0] = 1;
    gk_cpu_elementwise(&e);
}

GA_API float ga_float16_to(ga_float16 h) {
    float f;
    ga__cast_element(&h, GA_FLOAT16, &f, GA_FLOAT32);
    return f;
}
GA_API ga_float16 ga_float16_from(float f) {
    ga_float16 h;
    ga__cast_element(&f, GA_FLOAT32, &h, GA_FLOAT16);
    return h;
}
GA_API float ga_bfloat16_to(ga_bfloat16 h) {
    float f;
    ga__cast_element(&h, GA_BFLOAT16, &f, GA_FLOAT32);
    return f;
}
GA_API ga_bfloat16 ga_bfloat16_from(float f) {
    ga_bfloat16 h;
    ga__cast_element(&f, GA_FLOAT32, &h, GA_BFLOAT16);
    return h;
}

/* ============================================================ >>i-devices
   A device is made ready at its first use, once, under its lock; a failure is
   remembered with its reason. No CUDA context before that.                */
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error "gpuarr: its null stream is the legacy one; compile this file without" \
       " per-thread default streams"
#endif

typedef struct ga__entry {
    ga__device dev;
    pthread_mutex_t lock;           /* first use; CUDA: block cache, marks  */
    atomic_bool ready;
    ga_status failed;               /* and why, if the first use failed     */
    char reason[320];
} ga__entry;
static ga__entry ga__entries[GA__MAX_DEVICES + 1];      /* [id + 1]         */
static const ga__backend ga__cpu_backend;
static const ga__lapack ga__cpu_lapack;
static void ga__at_thread_exit(void);
static void ga__profile_start(void);
#ifndef GPUARR_NO_CUDA
static const ga__backend ga__cuda_backend;
static const ga__lapack ga__cuda_lapack;
static void ga__cuda_first_use(ga__entry *e);
static void ga__handles_close(void);
#endif
/* A device's own table; a profiled one's d->be is another. */
static const ga__backend *ga__real(int id) {
#ifndef GPUARR_NO_CUDA
    if (id != GA_CPU) return &ga__cuda_backend;
#endif
    (void)id;
    return &ga__cpu_backend;
}

static struct {
    pthread_once_t once, once_cuda, once_start;
    bool sync;                      /* GPUARR_SYNC                          */
    size_t limit;                   /* GPUARR_MEM_LIMIT                     */
    size_t keep;                    /* bytes of freed blocks, on the CPU    */
    int ncuda;                      /* CUDA devices, and why there are none */
    ga_status no_cuda;
    char why[256];
    int start;                      /* where threads start                  */
    bool start_named;               /* ... by GPUARR_DEVICE,                */
    const char *start_bad;          /* ... which says neither cpu nor 0, 1  */
} ga__env = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT,
             false, 0, 0, 0, GA_OK, "", GA_CPU, false, NULL};

/* How much the CPU keeps of what arrays have freed. Nothing where a checker
   looks for the use of what is freed; valgrind shows in the environment.   */
#if defined(GA__CPU_KEEP)           /* a test of the lists themselves       */
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GA__CPU_KEEP 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)     \
    || __has_feature(thread_sanitizer)
#define GA__CPU_KEEP 0
#endif
#endif
#ifndef GA__CPU_KEEP
#define GA__CPU_KEEP ((size_t)256 << 20)
#endif

/* "512", "64K", "1.5G"; false if it is not a number of bytes. */
static bool ga__parse_bytes(const char *text, size_t *out) {
    char *end;
    double v = strtod(text, &end);
    switch (*end) {
    case 'k': case 'K': v *= 1024.0; end++; break;
    case 'm': case 'M': v *= 1048576.0; end++; break;
    case 'g': case 'G': v *= 1073741824.0; end++; break;
    default: break;
    }
    if (end == text || *end || !(v >= 0) || v > 9e18) return false;
    *out = (size_t)v;
    return true;
}
static bool ga__env_on(const char *name) {
    const char *v = getenv(name);
    return v && *v && strcmp(v, "0") != 0;
}
static void ga__cpu_forked(void);
/* In a child of fork() this thread is the only one: libgomp's others, which a
   parallel loop would wait for, are not there, nor is who held a lock.     */
static GA__UNUSED void ga__forked(void) {
    ga__me.forked = true;           /* the loops are told at the next call: */
    ga__cpu_forked();               /* OpenMP's own handler may yet come    */
    for (int i = 0; i < ga__env.ncuda; i++) {
        ga__entry *e = &ga__entries[i + 1];
        e->failed = GA_ERR_CUDA;
        e->ready = e->dev.ready = false;
        snprintf(e->reason, sizeof e->reason, "device %d: CUDA does not work "
                 "in a child of fork() whose parent has started it", i);
        pthread_mutex_init(&e->lock, NULL);
    }
}
static void ga__read_env(void) {
    const char *v = getenv("GPUARR_MEM_LIMIT"), *pre = getenv("LD_PRELOAD");
    ga__env.sync = ga__env_on("GPUARR_SYNC");
    ga__env.keep = pre && strstr(pre, "vgpreload") ? 0 : GA__CPU_KEEP;
    if (v && *v && !ga__parse_bytes(v, &ga__env.limit))
        fprintf(stderr, "gpuarr: GPUARR_MEM_LIMIT=%s is not a number of bytes "
                "and is ignored\n", v);
    for (int i = 0; i <= GA__MAX_DEVICES; i++) {
        ga__entry *e = &ga__entries[i];
        pthread_mutex_init(&e->lock, NULL);
        e->dev.id = i - 1;
        e->dev.be = ga__real(e->dev.id);
        e->dev.null.dev = &e->dev;
        atomic_init(&e->dev.null.refs, 1);
        atomic_init(&e->dev.limit, ga__env.limit);
    }
    pthread_atfork(NULL, NULL, ga__forked);
    ga__profile_start();
    if (ga__env_on("GPUARR_LEAKS")) atexit(ga__leaks_at_exit);
}
static bool ga__sync_mode(void) { return ga__env.sync; }

/* Counts the CUDA devices, which starts the driver but makes no context. */
static void ga__count_cuda(void) {
#ifdef GPUARR_NO_CUDA
    ga__env.no_cuda = GA_ERR_NO_GPU;
    snprintf(ga__env.why, sizeof ga__env.why,
             "this program was compiled without CUDA (GPUARR_NO_CUDA)");
#else
    int n = 0, driver = 0, runtime = 0;
    cudaError_t e = cudaGetDeviceCount(&n);
    if (e == cudaSuccess && n > 0) {
        ga__env.ncuda = n < GA__MAX_DEVICES ? n : GA__MAX_DEVICES;
        return;
    }
    cudaGetLastError();             /* ours to clear                        */
    cudaDriverGetVersion(&driver);  /* 0 without a driver                   */
    cudaRuntimeGetVersion(&runtime);
    const char *text = cudaGetErrorString(e);
    ga_status st = GA_ERR_CUDA;
    if (e == cudaErrorInsufficientDriver || e == cudaErrorStubLibrary) {
        st = driver ? GA_ERR_OLD_DRIVER : GA_ERR_NO_DRIVER;
    } else if (e == cudaSuccess || e == cudaErrorNoDevice) {
        st = GA_ERR_NO_GPU;
        text = "no CUDA device is visible";
    }
    ga__env.no_cuda = st;
    if (st == GA_ERR_OLD_DRIVER)
        snprintf(ga__env.why, sizeof ga__env.why, "the CUDA driver (%d.%d) is "
                 "older than the runtime (%d.%d)", driver / 1000,
                 driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    else
        snprintf(ga__env.why, sizeof ga__env.why, "%s",
                 st == GA_ERR_NO_DRIVER ? "no CUDA driver is installed" : text);
#endif
}
static int ga__cuda_count(void) {
    pthread_once(&ga__env.once_cuda, ga__count_cuda);
    return ga__env.ncuda;
}

static void ga__choose_start(void) {
    const char *v = getenv("GPUARR_DEVICE");
    if (v && *v) {
        char *end;
        long n = strtol(v, &end, 10);
        ga__env.start_named = true;
        if (*end == '\0' && n >= GA_CPU && n < GA__MAX_DEVICES)
            ga__env.start = (int)n;
        else if (strcmp(v, "cpu") != 0 && strcmp(v, "CPU") != 0)
            ga__env.start_bad = v;
        return;
    }
#ifndef GPUARR_NO_CUDA
    if (ga__cuda_count() > 0) ga__env.start = 0;
    else fprintf(stderr, "gpuarr: %s; using the CPU\n", ga__env.why);
#endif
}

/* Called by each file of a program when it starts. */
static atomic_int ga__other_header;
GA_API void ga__header(int version) {
    if (version / 100 != GA_VERSION / 100)      /* a patch changes no ABI    */
        atomic_store(&ga__other_header, version);
}
/* The first use of a device, under its lock. */
static void ga__first_use(ga__entry *e) {
    int kernels = gk_version(), header = atomic_load(&ga__other_header);
    if (kernels != GA_VERSION || header) {
        e->failed = GA_ERR_VERSION;
        snprintf(e->reason, sizeof e->reason, header ? "the library is of "
                 "version %d, the program was compiled with gpuarr.h of version "
                 "%d: compile it again" : "gpuarr.h is of version %d, kernels.o "
                 "of version %d: build both from one release", GA_VERSION,
                 header ? header : kernels);
        return;
    }
#ifndef GPUARR_NO_CUDA
    if (e->dev.id != GA_CPU) ga__cuda_first_use(e);
#endif
    if (e->dev.id == GA_CPU) e->dev.mps = gk_cpu_threads();
    if (e->failed) return;
    e->dev.ready = true;
    atomic_store_explicit(&e->ready, true, memory_order_release);
}

/* The number's entry, ready or not; NULL and an error if there is none. */
static ga__entry *ga__entry_of(const char *fn, int id) {
    pthread_once(&ga__env.once, ga__read_env);
    if (id == GA_CPU) return &ga__entries[0];
    int n = ga__cuda_count();
    if (id >= 0 && id < n) return &ga__entries[id + 1];
    if (id >= 0 && !n) ga__fail(ga__env.no_cuda, fn, "device %d: %s", id,
                                ga__env.why);
    else ga__fail(GA_ERR_DEVICE, fn, "there is no device %d: CUDA devices here "
                  "%d, and GA_CPU (-1)", id, n);
    return NULL;
}

static ga__device *ga__device_of(const char *fn, int id) {
    if (id >= GA_CPU && id < GA__MAX_DEVICES
        && atomic_load_explicit(&ga__entries[id + 1].ready,
                                memory_order_acquire))
        return &ga__entries[id + 1].dev;
    ga__entry *e = ga__entry_of(fn, id);
    if (!e) return NULL;
    pthread_mutex_lock(&e->lock);
    if (!e->dev.ready && !e->failed) ga__first_use(e);
    pthread_mutex_unlock(&e->lock);
    if (e->failed) return (ga__device *)GA__NULL(e->failed, fn, "%s",
                                                 e->reason);
    return &e->dev;
}

/* The thread's device; asking does not start it. */
static int ga__thread_device(void) {
    if (!ga__me.started) {
        pthread_once(&ga__env.once, ga__read_env);
        pthread_once(&ga__env.once_start, ga__choose_start);
        ga__me.device = ga__env.start;
    }
    return ga__me.device;
}
static void ga__after_fork(void) {
    if (!ga__me.forked) return;
    ga__me.forked = false;
    gk_cpu_limit(1);
}
static ga__device *ga__current(const char *fn) {
    ga__thread *t = &ga__me;
    ga__after_fork();
    if (t->started) return ga__device_of(fn, t->device);
    int id = ga__thread_device();
    if (ga__env.start_bad)
        return (ga__device *)GA__NULL(GA_ERR_DEVICE, fn, "GPUARR_DEVICE=%s is "
                                      "neither cpu nor a device's number",
                                      ga__env.start_bad);
    ga__device *d = ga__device_of(fn, id);
    if (!d || (ga__env.start_named && d->be->use(d, fn))) return NULL;
    t->started = true;
    return d;
}

/* What waits, or changes the thread's device or stream, cannot be captured. */
static bool ga__capturing(const char *fn) {
    if (!ga__me.capture) return false;
    ga__fail(GA_ERR_CAPTURE, fn, "not possible inside a graph's function");
    return true;
}

GA_API int ga_device_count(void) {
    pthread_once(&ga__env.once, ga__read_env);
    return ga__cuda_count();
}
GA_API int ga_device(void) { return ga__thread_device(); }

GA_API ga_status ga_set_device(int device) {
    const char *fn = "ga_set_device";
    if (ga__me.capture && device == ga__me.device) return GA_OK;
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    ga__device *d = ga__device_of(fn, device);
    if (!d) return ga__failed();
    ga_status st = d->be->use(d, fn);
    if (st) return st;
    ga__me.device = device;
    ga__me.started = true;
    return GA_OK;
}

GA_API ga_device_guard ga_device_begin(int device) {
    ga_device_guard g = {ga__thread_device()};
    ga_set_device(device);          /* on failure the device stays          */
    return g;
}
/* Not ga_set_device: the device before may never have been used, and shall
   not be started for being returned to.                                    */
GA_API void ga_device_end(ga_device_guard *g) {
    if (ga__me.device == g->before || ga__me.capture) return;
    ga__me.device = g->before;
    ga__device *d = &ga__entries[g->before + 1].dev;
    if (d->ready && g->before < ga__cuda_count())
        d->be->use(d, "ga_device_end");
}

GA_API ga_status ga_device_info(int device, ga_device_properties *out) {
    const char *fn = "ga_device_info";
    if (!out) return ga__fail(GA_ERR_NULL, fn, "the result pointer is NULL");
    ga__entry *e = ga__entry_of(fn, device);
    if (!e) return ga__failed();
    ga_device_properties p;
    memset(&p, 0, sizeof p);
    p.device = device;
    ga_status st = e->dev.be->info(&e->dev, &p);
    if (!st) *out = p;
    return st;
}

GA_API ga_status ga_synchronize(void) {
    const char *fn = "ga_synchronize";
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    ga__device *d = ga__current(fn);
    return d ? d->be->sync(d, fn) : ga__failed();
}

static ga_status ga__late_error(const ga__fault *f) {
    return ga__fail((ga_status)f->code, f->fn, "index %" PRId64 " is out of "
                    "bounds for axis %d with size %" PRId64, f->index[0],
                    f->axis, f->shape[0]);
}

#ifndef GPUARR_NO_CUDA
/* ------------------------------------------------------- CUDA: its errors */
static ga_status ga__cuda_status(cudaError_t e) {
    switch (e) {
    case cudaSuccess:
        return GA_OK;
    case cudaErrorMemoryAllocation:
        return GA_ERR_DEVICE_MEMORY;
    case cudaErrorECCUncorrectable: case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress: case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed: case cudaErrorAssert:
    case cudaErrorHardwareStackError: case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress: case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc: case cudaErrorLaunchFailure:
    case cudaErrorMpsClientTerminated: case cudaErrorExternalDevice:
        return GA_ERR_CONTEXT;
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated: case cudaErrorStreamCaptureMerge:
    case cudaErrorStreamCaptureUnmatched: case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureIsolation: case cudaErrorStreamCaptureImplicit:
    case cudaErrorCapturedEvent: case cudaErrorStreamCaptureWrongThread:
        return GA_ERR_CAPTURE;
    default:
        return GA_ERR_CUDA;
    }
}
/* The one path of CUDA errors into ours; GA_OK for cudaSuccess. */
static ga_status ga__cuda_fail(const char *fn, const ga__device *d,
                               cudaError_t e) {
    ga_status st = ga__cuda_status(e);
    if (!st) return GA_OK;
    cudaGetLastError();             /* or the next launch would report it   */
    if (st != GA_ERR_CONTEXT)
        return ga__fail(st, fn, "%s (%s) on device %d", cudaGetErrorName(e),
                        cudaGetErrorString(e), d->id);
    return ga__fail(st, fn, "%s (%s) on device %d: %s; nothing more can run "
                    "there in this process", cudaGetErrorName(e),
                    cudaGetErrorString(e), d->id, ga__env.sync
                    ? "this operation faulted"
                    : "an earlier operation faulted (GPUARR_SYNC=1 names it)");
}

/* Around every call that means the current device: enter makes d current,
   leave brings back what the host program had set, and reports.            */
static cudaError_t ga__cuda_enter(const ga__device *d, int *before) {
    *before = d->id;
    cudaError_t e = cudaGetDevice(before);
    if (!e && *before != d->id) e = cudaSetDevice(d->id);
    return e;
}
static ga_status ga__cuda_leave(const char *fn, const ga__device *d,
                                int before, cudaError_t e) {
    if (before != d->id) {
        cudaError_t back = cudaSetDevice(before);
        if (!e) e = back;
    }
    return e ? ga__cuda_fail(fn, d, e) : GA_OK;
}
/* Where nobody could be told. */
static void ga__cuda_leave_quiet(const ga__device *d, int before,
                                 cudaError_t e) {
    if (before != d->id) {
        cudaError_t back = cudaSetDevice(before);
        if (!e) e = back;
    }
    if (e) cudaGetLastError();
}
/* ---------------------------------- what kernels say of a wrong index
   ga_span's checks and gk_late() write it to host memory, one record for the
   process, where whoever waits next for a GPU finds it.                     */
static pthread_mutex_t ga__fault_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(ga__fault *) ga__fault_seen;     /* NULL: nothing checks yet */

static ga__fault *ga__fault_record(const char *fn, const ga__device *d) {
    ga__fault *f = atomic_load(&ga__fault_seen);
    if (f) return f;
    int before;
    void *p = NULL;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    pthread_mutex_lock(&ga__fault_lock);
    cudaError_t e = ga__cuda_enter(d, &before);
    f = atomic_load(&ga__fault_seen);
    if (!f && !e) {                 /* in a capture too                     */
        cudaThreadExchangeStreamCaptureMode(&mode);
        e = cudaHostAlloc(&p, sizeof *f,
                          cudaHostAllocPortable | cudaHostAllocMapped);
        cudaThreadExchangeStreamCaptureMode(&mode);
        if (!e) {
            f = (ga__fault *)memset(p, 0, sizeof *f);
            atomic_store(&ga__fault_seen, f);
        }
    }
    pthread_mutex_unlock(&ga__fault_lock);
    return ga__cuda_leave(fn, d, before, e) ? NULL : f;
}
/* ga__cuda_leave, for calls that have waited for the device. */
static ga_status ga__cuda_waited(const char *fn, const ga__device *d,
                                 int before, cudaError_t e) {
    ga_status st = ga__cuda_leave(fn, d, before, e);
    ga__fault *f = atomic_load(&ga__fault_seen), r;
    if (st || !f) return st;
    _Atomic uint32_t *state = (_Atomic uint32_t *)(void *)&f->state;
    if (atomic_load(state) != 2) return GA_OK;
    pthread_mutex_lock(&ga__fault_lock);
    bool mine = atomic_load(state) == 2;
    if (mine) {
        r = *f;
        f->fn = NULL;               /* spans do not write it                */
        atomic_store(state, 0);
    }
    pthread_mutex_unlock(&ga__fault_lock);
    if (mine && r.fn)
        st = ga__late_error(&r);
    else if (mine)
        st = ga__fail(GA_ERR_INDEX, fn, "a kernel's index %s is out of range "
                      "for a span of shape %s, in block (%u,%u,%u), thread "
                      "(%u,%u,%u)", ga__shape_text(r.ndim, r.index),
                      ga__shape_text(r.ndim, r.shape), r.block[0], r.block[1],
                      r.block[2], r.thread[0], r.thread[1], r.thread[2]);
    return st;
}

static cudaStream_t ga__handle_of(const ga_stream *s) {
    return (cudaStream_t)s->handle;
}

/* Context, kernels for this card, and a pool that keeps what it has. */
static void ga__cuda_first_use(ga__entry *e) {
    ga__device *d = &e->dev;
    int before, major = 0, minor = 0, pools = 0;
    cudaError_t err = ga__cuda_enter(d, &before);
    if (!err) err = cudaDeviceGetAttribute(
        &d->mps, cudaDevAttrMultiProcessorCount, d->id);
    if (!err) err = cudaDeviceGetAttribute(
        &major, cudaDevAttrComputeCapabilityMajor, d->id);
    if (!err) err = cudaDeviceGetAttribute(
        &minor, cudaDevAttrComputeCapabilityMinor, d->id);
    if (!err) err = cudaDeviceGetAttribute(
        &pools, cudaDevAttrMemoryPoolsSupported, d->id);
    if (!err) err = (cudaError_t)gk_cuda_probe();
    bool arch = err == cudaErrorNoKernelImageForDevice
                || err == cudaErrorInvalidDeviceFunction
                || err == cudaErrorInvalidKernelImage
                || err == cudaErrorInvalidPtx
                || err == cudaErrorUnsupportedPtxVersion
                || err == cudaErrorJitCompilerNotFound
                || err == cudaErrorJitCompilationDisabled;
    if (!err && pools) {
        cudaMemPool_t pool;
        struct cudaMemPoolProps p;
        uint64_t keep = UINT64_MAX;
        memset(&p, 0, sizeof p);
        p.allocType = cudaMemAllocationTypePinned;
        p.location.type = cudaMemLocationTypeDevice;
        p.location.id = d->id;
        err = cudaMemPoolCreate(&pool, &p);
        if (!err) {
            d->pool = pool;
            err = cudaMemPoolSetAttribute(
                pool, cudaMemPoolAttrReleaseThreshold, &keep);
        }
    }
    ga__cuda_leave_quiet(d, before, err);
    if (!err) return;
    if (d->pool && cudaMemPoolDestroy((cudaMemPool_t)d->pool))
        cudaGetLastError();
    d->pool = NULL;
    e->failed = ga__cuda_status(err);
    if (arch) {
        e->failed = GA_ERR_ARCH;
        snprintf(e->reason, sizeof e->reason, "device %d has compute "
                 "capability %d.%d, for which kernels.o holds no code (%s): "
                 "compile kernels.cu with -arch=sm_%d%d", d->id, major, minor,
                 cudaGetErrorName(err), major, minor);
    } else {
        snprintf(e->reason, sizeof e->reason, "device %d could not be "
                 "started: %s (%s)", d->id, cudaGetErrorName(err),
                 cudaGetErrorString(err));
    }
}

static ga_status ga__cuda_use(ga__device *d, const char *fn) {
    int now = -1;
    cudaError_t e = cudaGetDevice(&now);
    if (!e && now != d->id) e = cudaSetDevice(d->id);
    return e ? ga__cuda_fail(fn, d, e) : GA_OK;
}
static cudaError_t ga__cuda_idle(ga__device *d);
static ga_status ga__cuda_sync(ga__device *d, const char *fn) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = ga__cuda_idle(d);
    return ga__cuda_waited(fn, d, before, e);
}
/* What a capture by this thread forbids although it is none of the graph's
   (allocating, asking a pool) stands between these two.                    */
static enum cudaStreamCaptureMode ga__uncaptured(void);
static void ga__captured(enum cudaStreamCaptureMode m);
/* The free memory is asked of the device, which starts its context. */
static ga_status ga__cuda_info(ga__device *d, ga_device_properties *out) {
    struct cudaDeviceProp p;
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    enum cudaStreamCaptureMode mode = ga__uncaptured();
    if (!e) e = cudaGetDeviceProperties(&p, d->id);
    if (!e) e = cudaDriverGetVersion(&out->driver_version);
    if (!e) e = cudaRuntimeGetVersion(&out->runtime_version);
    if (!e) e = cudaMemGetInfo(&out->free_memory, &out->total_memory);
    ga__captured(mode);
    if (!e) {
        snprintf(out->name, sizeof out->name, "%s", p.name);
        out->multiprocessors = p.multiProcessorCount;
        out->major = p.major;
        out->minor = p.minor;
        out->warp_size = p.warpSize;
        out->max_threads_per_block = p.maxThreadsPerBlock;
        out->l2_bytes = (size_t)p.l2CacheSize;
    }
    return ga__cuda_leave("ga_device_info", d, before, e);
}
#endif /* GPUARR_NO_CUDA */

static GA__UNUSED ga_status ga__late_begin(const char *fn, ga__device *d,
                                           ga__late *l, ga__fault *mine,
                                           ga_status code, int axis,
                                           int64_t extent) {
    l->fn = fn;
    l->code = code;
    l->axis = axis;
    l->extent = extent;
    l->to = mine;
    mine->state = 0;
#ifndef GPUARR_NO_CUDA
    if (d->id != GA_CPU) l->to = ga__fault_record(fn, d);
#endif
    (void)d;
    return l->to ? GA_OK : ga__failed();
}
static GA__UNUSED ga_status ga__late_end(const ga__fault *mine, ga_status st) {
    return st || mine->state != 2 ? st : ga__late_error(mine);
}

/* -------------------------------------------------------- the CPU's facts */
/* The text after the colon of the first line that begins with `key`. */
static bool ga__proc(const char *path, const char *key, char *out, size_t n) {
    FILE *f = fopen(path, "r");
    if (!f) return false;
    char line[512];
    bool found = false;
    while (!found && fgets(line, sizeof line, f)) {
        char *v = strchr(line, ':');
        if (!v || strncmp(line, key, strlen(key)) != 0) continue;
        v += 1 + strspn(v + 1, " \t");
        v[strcspn(v, "\n")] = '\0';
        snprintf(out, n, "%s", v);
        found = true;
    }
    fclose(f);
    return found;
}
static void ga__cpu_memory(size_t *unused, size_t *total) {
    char t[64];
    *unused = *total = 0;
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) *total = (size_t)pages * (size_t)page;
#if defined(_SC_AVPHYS_PAGES)
    pages = sysconf(_SC_AVPHYS_PAGES);
    if (pages > 0 && page > 0) *unused = (size_t)pages * (size_t)page;
#endif
#endif
    if (ga__proc("/proc/meminfo", "MemTotal", t, sizeof t))
        *total = (size_t)strtoull(t, NULL, 10) * 1024;
    if (ga__proc("/proc/meminfo", "MemAvailable", t, sizeof t))
        *unused = (size_t)strtoull(t, NULL, 10) * 1024;
}
static ga_status ga__cpu_info(ga__device *d, ga_device_properties *out) {
    (void)d;
    if (!ga__proc("/proc/cpuinfo", "model name", out->name, sizeof out->name))
        snprintf(out->name, sizeof out->name, "CPU");
    ga__cpu_memory(&out->free_memory, &out->total_memory);
    out->multiprocessors = gk_cpu_threads();
    out->warp_size = out->max_threads_per_block = 1;
#ifdef _SC_LEVEL2_CACHE_SIZE
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (l2 > 0) out->l2_bytes = (size_t)l2;
#endif
    return GA_OK;
}
static ga_status ga__cpu_use(ga__device *d, const char *fn) {
    (void)d, (void)fn;
    return GA_OK;
}

/* ============================================================= >>i-memory */
/* What arrays use, without the `bytes` that are counted but not yet had. */
static size_t ga__used_before(ga__device *d, size_t bytes) {
    size_t used = atomic_load(&d->used);
    return !ga__me.capture && used >= bytes ? used - bytes : used;
}

/* ---------------------------------------------------------- CPU: aligned */
#ifdef __linux__
/* Large blocks in 2 MB pages, as NumPy asks for them: the first touch of 40 MB
   costs 3 ms instead of 14. Declared here: strict C11 hides it.            */
extern int madvise(void *, size_t, int);
static void ga__huge_pages(char *p, size_t bytes) {
    size_t skip = (size_t)-(uintptr_t)p % 4096;
    if (bytes >= (size_t)4 << 20)
        (void)madvise(p + skip, bytes - skip, 14 /* MADV_HUGEPAGE */);
}
#else
static void ga__huge_pages(char *p, size_t bytes) { (void)p, (void)bytes; }
#endif
/* Aligned to 64; where malloc's block begins stands in front of it. Behind it
   is room: OpenBLAS's AVX-512 kernels read past the last element.          */
static void *ga__aligned(size_t bytes) {
    char *raw = NULL;
    if (bytes < SIZE_MAX - 512)
        raw = (char *)GA_MALLOC(bytes + 64 + sizeof raw + 256);
    if (!raw) return NULL;
    size_t gap = 64 - ((uintptr_t)raw + sizeof raw) % 64;
    char *p = raw + sizeof raw + gap;
    memcpy(p - sizeof raw, &raw, sizeof raw);
    ga__huge_pages(p, bytes);
    return p;
}
static void ga__aligned_free(void *p) {
    void *raw;
    memcpy(&raw, (char *)p - sizeof raw, sizeof raw);
    GA_FREE(raw);
}

/* Freed blocks wait in lists by size, four to a doubling, for the next array:
   malloc gives large ones back to the system, and three temporaries of 200,000
   doubles took 3.5 ms a turn, by page faults, instead of 0.21. A list that
   another thread is at is passed by, so that nobody waits. At most ga__env.keep
   bytes wait, and none that would be over ga_mem_limit.                    */
#define GA__CPU_LISTS 80
static struct {
    atomic_bool busy;
    void *first;                    /* each begins with a pointer to the next */
    char line[64 - 2 * sizeof(void *)];
} ga__cpu_list[GA__CPU_LISTS];
static atomic_size_t ga__cpu_kept;

/* The list for blocks of *size, which is bytes rounded up, or -1. */
static int ga__cpu_list_of(size_t *size) {
    if (*size < 1024 || *size > ga__env.keep) return -1;    /* malloc's own */
    int shift = 7;
    while ((*size - 1) >> shift > 7) shift++;
    size_t quarter = (*size - 1) >> shift;
    *size = (quarter + 1) << shift;
    return (int)((size_t)(shift - 7) * 4 + quarter - 4);
}
static void *ga__cpu_take(int list, size_t size) {
    if (atomic_exchange_explicit(&ga__cpu_list[list].busy, true,
                                 memory_order_acquire)) return NULL;
    void *p = ga__cpu_list[list].first;
    if (p) memcpy(&ga__cpu_list[list].first, p, sizeof p);
    atomic_store_explicit(&ga__cpu_list[list].busy, false,
                          memory_order_release);
    if (p) atomic_fetch_sub_explicit(&ga__cpu_kept, size, memory_order_relaxed);
    return p;
}
/* Frees what waits, but for one list (-1: all). */
static void ga__cpu_drop(int but) {
    for (int i = 0; i < GA__CPU_LISTS; i++) {
        if (i == but) continue;
        while (atomic_exchange_explicit(&ga__cpu_list[i].busy, true,
                                        memory_order_acquire)) {
        }
        void *p = ga__cpu_list[i].first;
        ga__cpu_list[i].first = NULL;
        atomic_store_explicit(&ga__cpu_list[i].busy, false,
                              memory_order_release);
        size_t size = (size_t)(i % 4 + 5) << (i / 4 + 7);
        while (p) {
            void *next;
            memcpy(&next, p, sizeof next);
            ga__aligned_free(p);
            atomic_fetch_sub(&ga__cpu_kept, size);
            p = next;
        }
    }
}
static void ga__cpu_forked(void) {
    for (int i = 0; i < GA__CPU_LISTS; i++) {
        if (!ga__cpu_list[i].busy) continue;
        ga__cpu_list[i].first = NULL;   /* half done: lost to the child     */
        ga__cpu_list[i].busy = false;
    }
}
static bool ga__cpu_keep(const ga__device *d, void *p, size_t bytes) {
    size_t size = bytes, most = ga__env.keep, limit = atomic_load(&d->limit);
    int list = ga__cpu_list_of(&size);
    if (limit) {
        size_t used = atomic_load(&d->used) - bytes;
        size_t room = limit > used ? limit - used : 0;
        if (most > room) most = room;
    }
    if (list < 0 || size > most) return false;
    if (atomic_load_explicit(&ga__cpu_kept, memory_order_relaxed) > most - size)
        ga__cpu_drop(list);         /* blocks of other sizes make room      */
    if (atomic_load_explicit(&ga__cpu_kept, memory_order_relaxed) > most - size)
        return false;
    if (atomic_exchange_explicit(&ga__cpu_list[list].busy, true,
                                 memory_order_acquire)) return false;
    memcpy(p, &ga__cpu_list[list].first, sizeof p);
    ga__cpu_list[list].first = p;
    atomic_fetch_add_explicit(&ga__cpu_kept, size, memory_order_relaxed);
    atomic_store_explicit(&ga__cpu_list[list].busy, false,
                          memory_order_release);
    return true;
}

static ga_status ga__cpu_alloc(ga__device *d, const char *fn, size_t bytes,
                               ga_stream *s, void **out) {
    size_t size = bytes, kept, limit = atomic_load(&d->limit);
    int list = ga__cpu_list_of(&size);
    (void)s;
    void *p = list < 0 ? NULL : ga__cpu_take(list, size);
    if (!p) {
        kept = atomic_load(&ga__cpu_kept);
        if (limit && kept && atomic_load(&d->used) + kept > limit)
            ga__cpu_drop(-1);
        p = ga__aligned(size);
    }
    if (!p && atomic_load(&ga__cpu_kept)) {
        ga__cpu_drop(-1);
        p = ga__aligned(size);
    }
    if (!p)
        return ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes asked; arrays on "
                        "the CPU use %zu", bytes, ga__used_before(d, bytes));
    *out = p;
    return GA_OK;
}
static void ga__cpu_free(ga__device *d, void *p, size_t bytes, ga_stream *s) {
    (void)s;
    if (p && !ga__cpu_keep(d, p, bytes)) ga__aligned_free(p);
}
static ga_status ga__cpu_copy(ga__device *d, const char *fn, ga__way way,
                              void *dst, const void *src, size_t bytes,
                              ga_stream *s, bool async) {
    (void)d, (void)fn, (void)way, (void)s, (void)async;
    if (bytes) memmove(dst, src, bytes);
    return GA_OK;
}
static ga_status ga__cpu_zero(ga__device *d, const char *fn, void *p,
                              size_t bytes, ga_stream *s) {
    (void)d, (void)fn, (void)s;
    if (bytes) memset(p, 0, bytes);
    return GA_OK;
}
static ga_status ga__cpu_fetch(ga__device *d, const char *fn, void *host,
                               const void *src, int bytes, ga_stream *s) {
    (void)d, (void)fn, (void)s;
    memcpy(host, src, (size_t)bytes);
    return GA_OK;
}
static ga_status ga__cpu_mem(ga__device *d, ga_memory *out) {
    out->reserved = atomic_load(&d->used) + atomic_load(&ga__cpu_kept);
    ga__cpu_memory(&out->free, &out->total);
    return GA_OK;
}
static ga_status ga__cpu_trim(ga__device *d, const char *fn) {
    (void)d, (void)fn;
    ga__cpu_drop(-1);
    return GA_OK;
}

#ifndef GPUARR_NO_CUDA
/* ------------------------------------------- CUDA: the pool and its cache
   Blocks up to 1 MB come in powers of two, and freed ones are kept for the
   stream that freed them, which may use them again at once: 0.1 us instead of
   the pool's 0.54 for a block taken and given back. At most GA__CACHED of a
   size are kept, 32 MB in all.                                             */
#define GA__CLASSES 12              /* 512 bytes to 1 MB                    */
#define GA__CACHED 16
static struct ga__cuda_state {
    int ncached[GA__CLASSES];
    struct ga__block { void *p; ga_stream *s; } cache[GA__CLASSES][GA__CACHED];
    uint64_t peers;                 /* devices that may reach the pool      */
    ga_stream *open, *leaving;      /* streams; wrapped ones to be closed   */
    cudaStream_t tail;              /* see ga__tail                         */
    int capturing, beginning;       /* of ga__gate: captures; that wait     */
    int whole;                      /* calls that mean the whole device     */
} ga__cuda[GA__MAX_DEVICES];

static pthread_mutex_t *ga__cuda_lock(const ga__device *d) {
    return &ga__entries[d->id + 1].lock;
}
static int ga__class_of(size_t bytes) {         /* -1: too large            */
    int c = 0;
    while (c < GA__CLASSES && ((size_t)512 << c) < bytes) c++;
    return c < GA__CLASSES ? c : -1;
}
static cudaError_t ga__pool_take(ga__device *d, size_t bytes, ga_stream *s,
                                 void **out) {
    return d->pool ? cudaMallocFromPoolAsync(out, bytes,
                                             (cudaMemPool_t)d->pool,
                                             ga__handle_of(s))
                   : cudaMalloc(out, bytes);
}
static cudaError_t ga__pool_give(ga__device *d, void *p, ga_stream *s) {
    return d->pool ? cudaFreeAsync(p, ga__handle_of(s)) : cudaFree(p);
}
/* The cached blocks of one stream, or all, back to the pool in the order of
   `on`; without `wrapped` none of a host program's streams. Lock held.     */
static void ga__cache_empty(ga__device *d, const ga_stream *of, bool wrapped,
                            ga_stream *on) {
    struct ga__cuda_state *k = &ga__cuda[d->id];
    for (int c = 0; c < GA__CLASSES; c++)
        for (int i = k->ncached[c]; i-- > 0;) {
            if (of && k->cache[c][i].s != of) continue;
            if (!wrapped && k->cache[c][i].s->external) continue;
            if (ga__pool_give(d, k->cache[c][i].p, on)) cudaGetLastError();
            k->cache[c][i] = k->cache[c][--k->ncached[c]];
        }
}
/* ---------------------------------------------- CUDA: beside a capture
   Captures are thread-local: what other threads call does not disturb one,
   except what means the whole device, such as cudaDeviceSynchronize, which
   fails and breaks every capture there. So captures and such calls are kept
   apart by a count of each. A capture waits for such a call, which ends by
   itself; such a call never waits for a capture, whose function is the user's
   and may wait for this thread: it does with the streams known to us. The
   streams of captures are in no event of ours and no array's: nobody waits
   for one, which would join or break the capture.                          */
static pthread_mutex_t ga__gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ga__gate_open = PTHREAD_COND_INITIALIZER;

static bool ga__whole_begin(const ga__device *d) {
    struct ga__cuda_state *k = &ga__cuda[d->id];
    pthread_mutex_lock(&ga__gate);
    bool ours = !k->capturing && !k->beginning;
    k->whole += ours;
    pthread_mutex_unlock(&ga__gate);
    return ours;
}
static void ga__whole_end(const ga__device *d) {
    pthread_mutex_lock(&ga__gate);
    if (!--ga__cuda[d->id].whole) pthread_cond_broadcast(&ga__gate_open);
    pthread_mutex_unlock(&ga__gate);
}
static void ga__capture_enter(const ga__device *d) {
    struct ga__cuda_state *k = &ga__cuda[d->id];
    pthread_mutex_lock(&ga__gate);
    k->beginning++;
    while (k->whole) pthread_cond_wait(&ga__gate_open, &ga__gate);
    k->beginning--;
    k->capturing++;
    pthread_mutex_unlock(&ga__gate);
}
static void ga__capture_leave(const ga__device *d) {
    pthread_mutex_lock(&ga__gate);
    ga__cuda[d->id].capturing--;
    pthread_mutex_unlock(&ga__gate);
}

static cudaError_t ga__mark(ga_stream *w);
/* A stream behind all that ours hold now; those destroyed are in it already.
   A host program's stream counts while an array or a thread names it: it may
   be gone after. Lock held, d current.                                     */
static cudaError_t ga__tail(ga__device *d, ga_stream *one) {
    struct ga__cuda_state *k = &ga__cuda[d->id];
    cudaError_t e = k->tail ? cudaSuccess
                            : cudaStreamCreateWithFlags(&k->tail,
                                                        cudaStreamNonBlocking);
    for (ga_stream *s = one ? one : &d->null; s && !e;
         s = one ? NULL : s == &d->null ? k->open : s->next) {
        if (s->capturing || (s->external && s->refs < 2)) continue;
        e = ga__mark(s);
        if (!e) e = cudaStreamWaitEvent(k->tail, (cudaEvent_t)s->mark, 0);
    }
    return e;
}
/* Closes the wrapped streams that had to wait for it. The device is idle, the
   lock held.                                                               */
static void ga__streams_leave(ga__device *d) {
    struct ga__cuda_state *k = &ga__cuda[d->id];
    while (k->leaving) {
        ga_stream *s = k->leaving;
        k->leaving = s->next;
        ga__cache_empty(d, s, true, &d->null);
        if (s->counters && ga__pool_give(d, s->counters, &d->null))
            cudaGetLastError();
        s->counters = NULL;
        ga__stream_unref(s);
    }
}
/* Waits for d, which is current. */
static cudaError_t ga__cuda_idle(ga__device *d) {
    cudaError_t e;
    if (ga__whole_begin(d)) {
        e = cudaDeviceSynchronize();
        ga__whole_end(d);
        return e;
    }
    pthread_mutex_lock(ga__cuda_lock(d));
    e = ga__tail(d, NULL);
    pthread_mutex_unlock(ga__cuda_lock(d));
    return e ? e : cudaStreamSynchronize(ga__cuda[d->id].tail);
}

static void ga__handles_drain(ga__device *d);
/* d is current. All work on cached blocks is done after the first wait, so
   that their streams, which may be a host program's, need not be asked. With
   a capture under way that is true of our own streams alone.               */
static cudaError_t ga__pool_trim(ga__device *d) {
    bool whole = ga__whole_begin(d);
    pthread_mutex_lock(ga__cuda_lock(d));
    cudaError_t e = whole ? cudaDeviceSynchronize() : ga__tail(d, NULL);
    if (!e && !whole) e = cudaStreamSynchronize(ga__cuda[d->id].tail);
    if (!e && whole) ga__streams_leave(d);
    if (!e) ga__cache_empty(d, NULL, whole, &d->null);
    if (!e) e = cudaStreamSynchronize(ga__handle_of(&d->null));
    if (!e && whole) ga__handles_drain(d);
    pthread_mutex_unlock(ga__cuda_lock(d));
    if (!e && d->pool) e = cudaMemPoolTrimTo((cudaMemPool_t)d->pool, 0);
    if (whole) {
        if (!e && d->pool) e = cudaDeviceGraphMemTrim(d->id);
        ga__whole_end(d);
    }
    return e;
}

static ga_status ga__cuda_alloc(ga__device *d, const char *fn, size_t bytes,
                                ga_stream *s, void **out) {
    bool capture = ga__me.capture != NULL;
    int before, c = capture ? -1 : ga__class_of(bytes);
    if (c >= 0) {
        struct ga__cuda_state *k = &ga__cuda[d->id];
        void *p = NULL;
        pthread_mutex_lock(ga__cuda_lock(d));
        for (int i = k->ncached[c]; !p && i-- > 0;)
            if (k->cache[c][i].s == s) {
                p = k->cache[c][i].p;
                k->cache[c][i] = k->cache[c][--k->ncached[c]];
            }
        pthread_mutex_unlock(ga__cuda_lock(d));
        if (p) {
            *out = p;
            return GA_OK;
        }
    }
    size_t size = c < 0 ? bytes : (size_t)512 << c, unused = 0, total = 0;
    void *p = NULL;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = ga__pool_take(d, size, s, &p);
    if (e == cudaErrorMemoryAllocation && !capture) {
        cudaGetLastError();
        e = ga__pool_trim(d);
        if (!e) e = ga__pool_take(d, size, s, &p);
    }
    if (e != cudaErrorMemoryAllocation) {
        if (!e) *out = p;
        return ga__cuda_leave(fn, d, before, e);
    }
    enum cudaStreamCaptureMode mode = ga__uncaptured();
    if (cudaMemGetInfo(&unused, &total)) unused = total = 0;
    ga__captured(mode);
    ga__cuda_leave_quiet(d, before, e);
    return ga__fail(GA_ERR_DEVICE_MEMORY, fn, "%zu bytes asked on device %d: "
                    "arrays use %zu, free are %zu of %zu, the limit is %zu "
                    "(0: none)", bytes, d->id, ga__used_before(d, bytes),
                    unused, total, atomic_load(&d->limit));
}

static ga_status ga__cuda_stream_wait(ga__device *d, const char *fn,
                                      ga_stream *s, ga_stream *w);
/* Quiet: a faulted context reports itself elsewhere. Only a graph must not
   miss the end of its own memory.                                          */
static void ga__cuda_free(ga__device *d, void *p, size_t bytes, ga_stream *s) {
    int before, c = ga__me.capture ? -1 : ga__class_of(bytes);
    struct ga__cuda_state *k = &ga__cuda[d->id];
    if (!p) return;
    if (s->dev != d) {              /* the pool's own order is simpler      */
        ga__cuda_stream_wait(d, "ga_free", &d->null, s);
        s = &d->null;
    }
    pthread_mutex_lock(ga__cuda_lock(d));
    if (s->destroyed) {             /* by another thread, just now          */
        pthread_mutex_unlock(ga__cuda_lock(d));
        ga__cuda_stream_wait(d, "ga_free", &d->null, s);
        s = &d->null;
        pthread_mutex_lock(ga__cuda_lock(d));
    }
    struct ga__block go = {p, s};
    if (c >= 0) {                   /* the oldest makes room, if it is ours */
        struct ga__block *list = k->cache[c];
        if (k->ncached[c] < GA__CACHED) {
            list[k->ncached[c]++] = go;
            go.p = NULL;
        } else if (!list[0].s->external) {
            struct ga__block oldest = list[0];
            memmove(list, list + 1, (GA__CACHED - 1) * sizeof *list);
            list[GA__CACHED - 1] = go;
            go = oldest;
        }
    }
    if (go.p) {
        cudaError_t e = ga__cuda_enter(d, &before);
        if (!e) e = ga__pool_give(d, go.p, go.s);
        if (ga__me.capture) ga__cuda_leave("ga_free", d, before, e);
        else ga__cuda_leave_quiet(d, before, e);
    }
    pthread_mutex_unlock(ga__cuda_lock(d));
}

static ga_status ga__cuda_zero(ga__device *d, const char *fn, void *p,
                               size_t bytes, ga_stream *s) {
    int before;
    if (!bytes) return GA_OK;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaMemsetAsync(p, 0, bytes, ga__handle_of(s));
    return ga__cuda_leave(fn, d, before, e);
}
static ga_status ga__cuda_mem(ga__device *d, ga_memory *out) {
    int before;
    uint64_t held = 0;
    cudaError_t e = ga__cuda_enter(d, &before);
    enum cudaStreamCaptureMode mode = ga__uncaptured();
    if (!e) e = cudaMemGetInfo(&out->free, &out->total);
    if (!e && d->pool)
        e = cudaMemPoolGetAttribute((cudaMemPool_t)d->pool,
                                    cudaMemPoolAttrReservedMemCurrent, &held);
    ga__captured(mode);
    out->reserved = d->pool ? (size_t)held : atomic_load(&d->used);
    return ga__cuda_leave("ga_mem_info", d, before, e);
}
static void ga__lanes_trim(void);
static ga_status ga__cuda_trim(ga__device *d, const char *fn) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = ga__pool_trim(d);
    if (!e) ga__lanes_trim();
    return ga__cuda_leave(fn, d, before, e);
}

/* ------------------------------------- CUDA: pageable memory through lanes
   A lane is a standing thread with its own pinned slots and stream. The lanes
   take a large job's pieces in turn: the host's memcpy of one lane runs
   beside the DMA of the others. Threads and slots are made as the first large
   jobs need them: at most GA__LANES * GA__SLOTS * GA__CHUNK bytes pinned,
   until ga_mem_trim. On an H200 with 16 cores 400 MB go up in 7.8 ms and down
   in 8.0 (pinned 7.2). 10^8 sums of host arrays took 16.4 ms with 8 lanes,
   18.9 with 6, 16.7 with 12; 17.0 and 19.2 with slots of 2 and 1 MB.       */
#define GA__LANES 8
#define GA__SLOTS 2
#define GA__CHUNK ((size_t)4 << 20)
#define GA__HUGE ((size_t)2 << 20)          /* a huge page                  */
#define GA__STAGE_MIN ((size_t)1 << 20)     /* below: cudaMemcpyAsync alone */
typedef struct ga__lane ga__lane;
typedef cudaError_t ga__lane_job(ga__lane *l);
struct ga__lane {
    bool running;
    unsigned seen;                  /* rounds served                        */
    char *raw;                      /* of GA_MALLOC                         */
    char *slot[GA__SLOTS];          /* in it, pinned; NULL: not yet         */
    cudaEvent_t last[GA__SLOTS];    /* after the slot's last use, or NULL   */
    bool open;                      /* left copies under way, before `end`  */
    struct {
        cudaStream_t stream;
        cudaEvent_t done[GA__SLOTS], end;
    } on[GA__MAX_DEVICES];
};
static struct {
    pthread_mutex_t turn;           /* one job at a time                    */
    pthread_mutex_t lock;           /* of round and busy                    */
    pthread_cond_t go, done;
    unsigned round;
    int busy, n;                    /* lanes at work; lanes of this round   */
    int dev;
    ga__lane_job *job;
    char *dst;                      /* of a copy                            */
    const char *src;
    const struct ga__hosted *hosted;    /* of an expression                 */
    size_t total, piece;            /* bytes of a copy, else elements       */
    atomic_size_t next;             /* the first that no lane has taken     */
    atomic_int error;               /* cudaError_t of the lane that failed  */
    cudaEvent_t start[GA__MAX_DEVICES];
    ga__lane lane[GA__LANES];
} ga__stage = {.turn = PTHREAD_MUTEX_INITIALIZER,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .go = PTHREAD_COND_INITIALIZER,
               .done = PTHREAD_COND_INITIALIZER};

static bool ga__lane_take(size_t *at, size_t *n) {
    if (atomic_load(&ga__stage.error)) return false;
    *at = atomic_fetch_add(&ga__stage.next, ga__stage.piece);
    if (*at >= ga__stage.total) return false;
    *n = ga__stage.total - *at;
    if (*n > ga__stage.piece) *n = ga__stage.piece;
    return true;
}
/* Behind what uses slot k. */
static cudaError_t ga__lane_mark(ga__lane *l, int k) {
    cudaEvent_t m = l->on[ga__stage.dev].done[k];
    cudaError_t e = cudaEventRecord(m, l->on[ga__stage.dev].stream);
    if (!e) l->last[k] = m;
    return e;
}
static cudaError_t ga__lane_up(ga__lane *l) {
    size_t at, n;
    cudaStream_t s = l->on[ga__stage.dev].stream;
    cudaError_t e = cudaSuccess;
    for (int i = 0; !e && ga__lane_take(&at, &n); i++) {
        int k = i % GA__SLOTS;
        if (l->last[k]) e = cudaEventSynchronize(l->last[k]);
        if (e) break;
        memcpy(l->slot[k], ga__stage.src + at, n);
        l->open = true;
        e = cudaMemcpyAsync(ga__stage.dst + at, l->slot[k], n,
                            cudaMemcpyHostToDevice, s);
        if (!e) e = ga__lane_mark(l, k);
    }
    if (!e && l->open) e = cudaEventRecord(l->on[ga__stage.dev].end, s);
    return e;
}
static cudaError_t ga__lane_down(ga__lane *l) {
    size_t at[GA__SLOTS], n[GA__SLOTS];
    int begun = 0, ended = 0, k;
    cudaStream_t s = l->on[ga__stage.dev].stream;
    cudaError_t e = cudaSuccess;
    for (;; ended++) {
        for (; !e && begun - ended < GA__SLOTS; begun++) {
            k = begun % GA__SLOTS;
            if (!ga__lane_take(&at[k], &n[k])) break;
            if (l->last[k]) e = cudaStreamWaitEvent(s, l->last[k], 0);
            if (!e) e = cudaMemcpyAsync(l->slot[k], ga__stage.src + at[k],
                                        n[k], cudaMemcpyDeviceToHost, s);
            if (!e) e = ga__lane_mark(l, k);
        }
        if (e || begun == ended) return e;
        k = ended % GA__SLOTS;
        e = cudaEventSynchronize(l->last[k]);
        if (e) return e;
        memcpy(ga__stage.dst + at[k], l->slot[k], n[k]);
    }
}
/* Each in its own thread and with huge pages touched before, the eight are
   ready after 5 ms; cudaHostAlloc takes 23 for the same 64 MB.             */
static void ga__lane_pin(ga__lane *l) {
    char *p = l->raw + (size_t)-(uintptr_t)l->raw % GA__HUGE;
    size_t bytes = GA__SLOTS * GA__CHUNK;
    ga__huge_pages(p, bytes);
    memset(p, 0, bytes);
    if (cudaHostRegister(p, bytes, cudaHostRegisterPortable)) {
        cudaGetLastError();         /* this lane takes no part              */
        return;
    }
    for (int k = 0; k < GA__SLOTS; k++)
        l->slot[k] = p + (size_t)k * GA__CHUNK;
}
static void *ga__lane_main(void *arg) {
    ga__lane *l = (ga__lane *)arg;
    for (;;) {
        pthread_mutex_lock(&ga__stage.lock);
        while (l->seen == ga__stage.round)
            pthread_cond_wait(&ga__stage.go, &ga__stage.lock);
        l->seen = ga__stage.round;
        bool ours = l - ga__stage.lane < ga__stage.n;
        pthread_mutex_unlock(&ga__stage.lock);
        if (!ours) continue;
        cudaStream_t s = l->on[ga__stage.dev].stream;
        l->open = false;
        cudaError_t e = cudaSetDevice(ga__stage.dev);
        if (!e) e = cudaStreamWaitEvent(s, ga__stage.start[ga__stage.dev], 0);
        if (!e && !l->slot[0]) ga__lane_pin(l);
        if (!e && l->slot[0]) e = ga__stage.job(l);
        if (e) {
            atomic_store(&ga__stage.error, (int)e);
            cudaGetLastError();
        }
        pthread_mutex_lock(&ga__stage.lock);
        if (--ga__stage.busy == 0) pthread_cond_signal(&ga__stage.done);
        pthread_mutex_unlock(&ga__stage.lock);
    }
    return NULL;
}
/* Makes what lane i lacks for device d; false if it cannot be had. */
static bool ga__lane_open(int i, int d) {
    ga__lane *l = &ga__stage.lane[i];
    pthread_t id;
    cudaError_t e = cudaSuccess;
    unsigned quiet = cudaEventDisableTiming;
    if (!ga__stage.start[d])
        e = cudaEventCreateWithFlags(&ga__stage.start[d], quiet);
    if (!e && !l->on[d].stream)
        e = cudaStreamCreateWithFlags(&l->on[d].stream, cudaStreamNonBlocking);
    if (!e && !l->on[d].end)
        e = cudaEventCreateWithFlags(&l->on[d].end, quiet);
    for (int k = 0; k < GA__SLOTS; k++)
        if (!e && !l->on[d].done[k])
            e = cudaEventCreateWithFlags(&l->on[d].done[k], quiet);
    if (e) {
        cudaGetLastError();
        return false;
    }
    if (!l->raw) l->raw = (char *)GA_MALLOC(GA__SLOTS * GA__CHUNK + GA__HUGE);
    if (!l->raw) return false;
    if (!l->running) {
        l->seen = ga__stage.round;
        if (pthread_create(&id, NULL, ga__lane_main, l)) return false;
        pthread_detach(id);
        l->running = true;
    }
    return true;
}
/* Does the job, pieces of `total`, behind what s holds; false if there are no
   lanes. d is current, the turn is the caller's.                           */
static bool ga__lanes(const ga__device *d, ga__lane_job *job, size_t total,
                      size_t piece, ga_stream *s, cudaError_t *err) {
    int n = 0, id = d->id;
    size_t want = (total + piece - 1) / piece;
    if (want > GA__LANES) want = GA__LANES;
    while (n < (int)want && ga__lane_open(n, id)) n++;
    *err = cudaSuccess;
    if (!n) return false;
    cudaError_t e = cudaEventRecord(ga__stage.start[id], ga__handle_of(s));
    if (e) {
        *err = e;
        return true;
    }
    pthread_mutex_lock(&ga__stage.lock);
    ga__stage.busy = ga__stage.n = n;
    ga__stage.dev = id;
    ga__stage.job = job;
    ga__stage.total = total;
    ga__stage.piece = piece;
    atomic_store(&ga__stage.next, 0);
    atomic_store(&ga__stage.error, 0);
    ga__stage.round++;
    pthread_cond_broadcast(&ga__stage.go);
    while (ga__stage.busy)
        pthread_cond_wait(&ga__stage.done, &ga__stage.lock);
    pthread_mutex_unlock(&ga__stage.lock);
    e = (cudaError_t)atomic_load(&ga__stage.error);
    for (int i = 0; i < n; i++) {
        ga__lane *l = &ga__stage.lane[i];
        if (l->open && !e)
            e = cudaStreamWaitEvent(ga__handle_of(s), l->on[id].end, 0);
        if (e)                      /* then nothing may be left under way   */
            cudaStreamSynchronize(l->on[id].stream);
    }
    *err = e;
    return e || atomic_load(&ga__stage.next);       /* no lane had a slot   */
}
/* Gives the slots back; the next job has them again. */
static void ga__lanes_trim(void) {
    pthread_mutex_lock(&ga__stage.turn);
    for (int i = 0; i < GA__LANES; i++) {
        ga__lane *l = &ga__stage.lane[i];
        for (int k = 0; k < GA__SLOTS; k++) {
            if (l->last[k] && cudaEventSynchronize(l->last[k]))
                cudaGetLastError();
            l->last[k] = NULL;
        }
        if (l->slot[0] && cudaHostUnregister(l->slot[0])) cudaGetLastError();
        memset(l->slot, 0, sizeof l->slot);
        GA_FREE(l->raw);
        l->raw = NULL;
    }
    pthread_mutex_unlock(&ga__stage.turn);
}
static bool ga__staged(const ga__device *d, bool up, void *dst,
                       const void *src, size_t bytes, ga_stream *s,
                       cudaError_t *err) {
    size_t chunk = bytes / (2 * GA__LANES);
    if (chunk < GA__STAGE_MIN / 2) chunk = GA__STAGE_MIN / 2;
    if (chunk > GA__CHUNK) chunk = GA__CHUNK;
    chunk = (chunk + 4095) & ~(size_t)4095;
    pthread_mutex_lock(&ga__stage.turn);
    ga__stage.dst = (char *)dst;
    ga__stage.src = (const char *)src;
    bool done = ga__lanes(d, up ? ga__lane_up : ga__lane_down, bytes, chunk, s,
                          err);
    pthread_mutex_unlock(&ga__stage.turn);
    return done;
}

static bool ga__pageable(const void *p) {
    struct cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, p)) {
        cudaGetLastError();
        return true;
    }
    return a.type == cudaMemoryTypeUnregistered;
}
static ga_status ga__cuda_copy(ga__device *d, const char *fn, ga__way way,
                               void *dst, const void *src, size_t bytes,
                               ga_stream *s, bool async) {
    int before;
    bool host = way != GA__D2D;
    if (!bytes) return GA_OK;
    if (ga__me.capture && host && !async)
        return ga__fail(GA_ERR_CAPTURE, fn, "a copy from or to the host waits "
                        "for it, which a graph cannot: use an _async form");
    cudaError_t e = ga__cuda_enter(d, &before);
    if (e) return ga__cuda_leave(fn, d, before, e);
    if (host && !async && bytes >= GA__STAGE_MIN
        && ga__pageable(way == GA__H2D ? src : dst)
        && ga__staged(d, way == GA__H2D, dst, src, bytes, s, &e))
        return ga__cuda_waited(fn, d, before, e);
    e = cudaMemcpyAsync(dst, src, bytes, way == GA__H2D
                        ? cudaMemcpyHostToDevice : way == GA__D2H
                        ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice,
                        ga__handle_of(s));
    if (!e && host && !async) e = cudaStreamSynchronize(ga__handle_of(s));
    return ga__cuda_waited(fn, d, before, e);
}

/* ----------------------------------- CUDA: one value to the host, at once
   A kernel writes it to pinned memory that this thread watches: half the time
   of cudaMemcpyAsync and a synchronisation. A thread keeps its slot.       */
typedef struct ga__slot {
    unsigned char data[16];
    _Atomic uint32_t flag;          /* the last ticket that has arrived     */
    uint32_t ticket;
    struct ga__slot *next;
    unsigned char line[64 - 24 - sizeof(void *)];
} ga__slot;
static pthread_mutex_t ga__slots_lock = PTHREAD_MUTEX_INITIALIZER;
static ga__slot *ga__slots;         /* free ones                            */
static _Thread_local ga__slot *ga__my_slot;

static cudaError_t ga__slot_get(void) {
    cudaError_t e = cudaSuccess;
    pthread_mutex_lock(&ga__slots_lock);
    if (!ga__slots) {
        void *p = NULL;
        e = cudaHostAlloc(&p, 64 * sizeof(ga__slot),
                          cudaHostAllocPortable | cudaHostAllocMapped);
        for (int i = 0; !e && i < 64; i++) {
            ga__slot *s = (ga__slot *)p + i;
            memset(s, 0, sizeof *s);
            s->next = ga__slots;
            ga__slots = s;
        }
    }
    if (!e) {
        ga__my_slot = ga__slots;
        ga__slots = ga__slots->next;
    }
    pthread_mutex_unlock(&ga__slots_lock);
    if (!e) ga__at_thread_exit();
    return e;
}
static ga_status ga__cuda_fetch(ga__device *d, const char *fn, void *host,
                                const void *src, int bytes, ga_stream *s) {
    int before;
    if (ga__me.capture)
        return ga__fail(GA_ERR_CAPTURE, fn, "a graph is being made and has "
                        "computed nothing yet: there is no value to read");
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e && !ga__my_slot) e = ga__slot_get();
    if (e) return ga__cuda_leave(fn, d, before, e);
    ga__slot *t = ga__my_slot;
    uint32_t ticket = ++t->ticket;
    e = (cudaError_t)gk_cuda_fetch(src, bytes, t->data,
                                   (uint32_t *)(void *)&t->flag, ticket,
                                   s->handle);
    /* A fault leaves the flag as it was: the stream is asked now and then. */
    bool idle = false;
    for (unsigned spin = 1;
         !e && atomic_load_explicit(&t->flag, memory_order_acquire) != ticket;
         spin++) {
        if (idle) e = cudaErrorUnknown;
        if (e || spin % 4096) continue;
        e = cudaStreamQuery(ga__handle_of(s));
        idle = e == cudaSuccess;    /* then the flag is set by now          */
        if (e == cudaErrorNotReady) e = cudaSuccess, cudaGetLastError();
    }
    if (!e) memcpy(host, t->data, (size_t)bytes);
    return ga__cuda_waited(fn, d, before, e);
}

/* --------------------------------------------------- CUDA: between devices
   Copies work without it, but go through the host: a pool's memory is not
   covered by cudaDeviceEnablePeerAccess.                                   */
static void ga__cuda_open_pool(ga__device *d, int to) {
    int can = 0;
    cudaError_t e = cudaSuccess;
    pthread_mutex_lock(ga__cuda_lock(d));
    if (!(ga__cuda[d->id].peers >> to & 1)) {
        ga__cuda[d->id].peers |= (uint64_t)1 << to;
        e = cudaDeviceCanAccessPeer(&can, to, d->id);
        if (!e && can && d->pool) {
            struct cudaMemAccessDesc a;
            memset(&a, 0, sizeof a);
            a.location.type = cudaMemLocationTypeDevice;
            a.location.id = to;
            a.flags = cudaMemAccessFlagsProtReadWrite;
            e = cudaMemPoolSetAccess((cudaMemPool_t)d->pool, &a, 1);
        }
    }
    pthread_mutex_unlock(ga__cuda_lock(d));
    if (e) cudaGetLastError();
}
static ga_status ga__cuda_copy_peer(const char *fn, ga__device *to, void *dst,
                                    ga__device *from, const void *src,
                                    size_t bytes, ga_stream *s) {
    int before;
    ga__cuda_open_pool(from, to->id);
    ga__cuda_open_pool(to, from->id);
    cudaError_t e = ga__cuda_enter(to, &before);
    if (!e) e = cudaMemcpyPeerAsync(dst, to->id, src, from->id, bytes,
                                    ga__handle_of(s));
    return ga__cuda_leave(fn, to, before, e);
}
#endif /* GPUARR_NO_CUDA */

GA_API ga_status ga_mem_info(int device, ga_memory *out) {
    const char *fn = "ga_mem_info";
    if (!out) return ga__fail(GA_ERR_NULL, fn, "the result pointer is NULL");
    ga__device *d = ga__device_of(fn, device);
    if (!d) return ga__failed();
    ga_memory m = {atomic_load(&d->used), atomic_load(&d->peak), 0,
                   atomic_load(&d->limit), 0, 0};
    ga_status st = d->be->mem(d, &m);
    if (!st) *out = m;
    return st;
}
GA_API ga_status ga_mem_trim(void) {
    const char *fn = "ga_mem_trim";
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    ga__device *d = ga__current(fn);
    return d ? d->be->trim(d, fn) : ga__failed();
}
GA_API ga_status ga_mem_limit(size_t bytes) {
    ga__device *d = ga__current("ga_mem_limit");
    if (!d) return ga__failed();
    atomic_store(&d->limit, bytes);
    return GA_OK;
}

/* In front of the block, so that ga_pinned_free knows whose it is. */
typedef union ga__pin {
    struct { void *raw; bool cuda; } of;
    unsigned char line[64];
} ga__pin;
GA_API void *ga_pinned_alloc(size_t bytes) {
    const char *fn = "ga_pinned_alloc";
    if (ga__capturing(fn)) return NULL;
    ga__device *d = ga__current(fn);
    if (!d) return NULL;
    void *raw = NULL;
    char *p = NULL;
    if (bytes > SIZE_MAX - 4 * sizeof(ga__pin)) {
    } else if (d->id == GA_CPU) {
        raw = GA_MALLOC(bytes + 2 * sizeof(ga__pin));
        if (raw) p = (char *)raw + (64 - (uintptr_t)raw % 64) % 64;
    } else {
#ifndef GPUARR_NO_CUDA
        int before;
        cudaError_t e = ga__cuda_enter(d, &before);
        if (!e) e = cudaHostAlloc(&raw, bytes + sizeof(ga__pin),
                                  cudaHostAllocPortable);
        if (e == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            raw = NULL;
            e = cudaSuccess;
        }
        if (ga__cuda_leave(fn, d, before, e)) {
            if (!e && raw) cudaFreeHost(raw);
            return NULL;
        }
        p = (char *)raw;
#endif
    }
    if (!p) return GA__NULL(GA_ERR_HOST_MEMORY, fn, "%zu bytes of page-locked "
                            "memory asked", bytes);
    ga__pin pin;
    memset(&pin, 0, sizeof pin);
    pin.of.raw = raw;
    pin.of.cuda = d->id != GA_CPU;
    memcpy(p, &pin, sizeof pin);
    return p + sizeof pin;
}
GA_API void ga_pinned_free(void *p) {
    if (!p || ga__capturing("ga_pinned_free")) return;
    ga__pin pin;
    memcpy(&pin, (char *)p - sizeof pin, sizeof pin);
#ifndef GPUARR_NO_CUDA
    if (pin.of.cuda) {              /* waits for copies that use it         */
        if (cudaFreeHost(pin.of.raw)) cudaGetLastError();
        return;
    }
#endif
    GA_FREE(pin.of.raw);
}

/* ============================================================ >>i-streams
   Streams, events and graphs of both devices, then the two tables. */

/* The thread's stream on d. One that was destroyed gives way to the null
   stream; the thread's own reference kept it readable.                     */
static void ga__set_stream(int device, ga_stream *s) {
    ga_stream **at = &ga__me.stream[device + 1], *old = *at;
    if (s) {
        ga__stream_ref(s);
        ga__at_thread_exit();
    }
    *at = s;
    ga__stream_unref(old);
}
static ga_stream *ga__stream(ga__device *d) {
    ga_stream *s = ga__me.stream[d->id + 1];
    if (!s) return &d->null;
    if (!s->destroyed) return s;
    ga__set_stream(d->id, NULL);
    return &d->null;
}

/* Gives back what a thread holds when it ends. Not at the process's exit:
   the driver may be gone by then.                                          */
static pthread_once_t ga__exit_once = PTHREAD_ONCE_INIT;
static pthread_key_t ga__exit_key;
static void ga__thread_exit(void *unused) {
    (void)unused;
    for (int i = 0; i <= GA__MAX_DEVICES; i++)
        if (ga__me.stream[i]) ga__set_stream(i - 1, NULL);
#ifndef GPUARR_NO_CUDA
    ga__handles_close();
    if (!ga__my_slot) return;
    pthread_mutex_lock(&ga__slots_lock);
    ga__my_slot->next = ga__slots;
    ga__slots = ga__my_slot;
    pthread_mutex_unlock(&ga__slots_lock);
    ga__my_slot = NULL;
#endif
}
static void ga__exit_key_make(void) {
    pthread_key_create(&ga__exit_key, ga__thread_exit);
}
static void ga__at_thread_exit(void) {
    pthread_once(&ga__exit_once, ga__exit_key_make);
    pthread_setspecific(ga__exit_key, &ga__me);
}

/* ------------------------------------------------------------------- CPU */
static ga_status ga__cpu_stream_open(ga__device *d, const char *fn,
                                     ga_stream *s, int priority) {
    (void)d, (void)fn, (void)s, (void)priority;
    return GA_OK;
}
static void ga__cpu_stream_close(ga__device *d, ga_stream *s) {
    (void)d;
    s->destroyed = true;
}
static void ga__cpu_stream_dispose(ga__device *d, ga_stream *s) {
    (void)d, (void)s;
}
static ga_status ga__cpu_stream_sync(ga__device *d, const char *fn,
                                     ga_stream *s) {
    (void)d, (void)fn, (void)s;
    return GA_OK;
}
static int ga__cpu_stream_query(ga__device *d, ga_stream *s) {
    (void)d, (void)s;
    return 1;
}
static ga_status ga__cpu_stream_wait(ga__device *d, const char *fn,
                                     ga_stream *s, ga_stream *w) {
    (void)d, (void)s;
    return w->dev->id == GA_CPU ? GA_OK
                                : w->dev->be->stream_sync(w->dev, fn, w);
}
static ga_status ga__cpu_stream_call(ga__device *d, const char *fn,
                                     ga_stream *s, void (*f)(void *),
                                     void *arg) {
    (void)d, (void)fn, (void)s;
    f(arg);
    return GA_OK;
}
static void ga__clock(struct timespec *t) {
#ifdef TIME_MONOTONIC                   /* C23                              */
    if (timespec_get(t, TIME_MONOTONIC)) return;
#endif
    timespec_get(t, TIME_UTC);
}
static double ga__seconds(const struct timespec *a, const struct timespec *b) {
    return (double)(b->tv_sec - a->tv_sec)
           + 1e-9 * (double)(b->tv_nsec - a->tv_nsec);
}
static ga_status ga__cpu_event_open(ga__device *d, const char *fn, void **h) {
    (void)d;
    *h = GA_MALLOC(sizeof(struct timespec));
    return *h ? GA_OK : ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
}
static void ga__cpu_event_close(ga__device *d, void *h) {
    (void)d;
    GA_FREE(h);
}
static ga_status ga__cpu_event_record(ga__device *d, const char *fn, void *h,
                                      ga_stream *s) {
    (void)d, (void)fn, (void)s;
    ga__clock((struct timespec *)h);
    return GA_OK;
}
static ga_status ga__cpu_event_sync(ga__device *d, const char *fn, void *h) {
    (void)d, (void)fn, (void)h;
    return GA_OK;
}
static int ga__cpu_event_query(ga__device *d, void *h) {
    (void)d, (void)h;
    return 1;
}
static ga_status ga__cpu_event_wait(ga__device *d, const char *fn, void *h,
                                    ga_stream *s) {
    (void)d, (void)fn, (void)h, (void)s;
    return GA_OK;
}
static ga_status ga__cpu_event_elapsed(ga__device *d, const char *fn, void *a,
                                       void *b, double *ms) {
    (void)d, (void)fn;
    *ms = 1e3 * ga__seconds((struct timespec *)a, (struct timespec *)b);
    return GA_OK;
}
/* No capture here: without a stream of its own the graph calls its step. */
static ga_status ga__cpu_capture_begin(ga__device *d, const char *fn,
                                       ga_graph *g) {
    (void)d, (void)fn, (void)g;
    return GA_OK;
}
static ga_status ga__cpu_capture_end(ga__device *d, const char *fn,
                                     ga_graph *g, bool keep) {
    (void)d, (void)fn, (void)g, (void)keep;
    return GA_OK;
}
static void ga__graph_step(const ga_graph *g) {
    ga_scope scope;
    ga_scope_begin(&scope);
    g->step(g->arg);
    ga_scope_end(&scope);
}
static ga_status ga__cpu_graph_launch(ga__device *d, const char *fn,
                                      ga_graph *g, ga_stream *s) {
    (void)d, (void)fn, (void)s;
    ga_status before = ga__me.error;
    ga__me.last = GA_OK;
    ga__graph_step(g);
    return before ? ga__me.last : ga__me.error;
}
static void ga__cpu_graph_close(ga__device *d, ga_graph *g) {
    (void)d, (void)g;
}

static const ga__backend ga__cpu_backend = {
    .name = "cpu", .la = &ga__cpu_lapack, .alloc = ga__cpu_alloc, .free = ga__cpu_free,
    .copy = ga__cpu_copy, .zero = ga__cpu_zero,
    .fetch = ga__cpu_fetch, .use = ga__cpu_use, .sync = ga__cpu_use, .info = ga__cpu_info,
    .mem = ga__cpu_mem, .trim = ga__cpu_trim,
    .stream_open = ga__cpu_stream_open, .stream_close = ga__cpu_stream_close,
    .stream_dispose = ga__cpu_stream_dispose,
    .stream_sync = ga__cpu_stream_sync, .stream_query = ga__cpu_stream_query,
    .stream_wait = ga__cpu_stream_wait, .stream_call = ga__cpu_stream_call,
    .event_open = ga__cpu_event_open, .event_close = ga__cpu_event_close,
    .event_record = ga__cpu_event_record, .event_sync = ga__cpu_event_sync,
    .event_query = ga__cpu_event_query, .event_wait = ga__cpu_event_wait,
    .event_elapsed = ga__cpu_event_elapsed,
    .capture_begin = ga__cpu_capture_begin,
    .capture_end = ga__cpu_capture_end, .graph_launch = ga__cpu_graph_launch,
    .graph_close = ga__cpu_graph_close};

#ifndef GPUARR_NO_CUDA
/* ------------------------------------------------------------------ CUDA */
/* The stream's zeroed counters, made at its first reduction. */
static ga_status ga__cuda_counters(ga__device *d, const char *fn, ga_stream *s,
                                   unsigned **out) {
    const size_t bytes = GA__COUNTERS * sizeof(unsigned);
    void *p = NULL;
    pthread_mutex_lock(ga__cuda_lock(d));
    *out = s->counters;
    pthread_mutex_unlock(ga__cuda_lock(d));
    if (*out) return GA_OK;
    ga_status st = ga__cuda_alloc(d, fn, bytes, s, &p);
    if (!st) st = ga__cuda_zero(d, fn, p, bytes, s);
    pthread_mutex_lock(ga__cuda_lock(d));
    if (!st && !s->counters) {      /* another thread may have been faster  */
        s->counters = (unsigned *)p;
        p = NULL;
    }
    *out = s->counters;
    pthread_mutex_unlock(ga__cuda_lock(d));
    ga__cuda_free(d, p, bytes, s);
    return st;
}
/* Over host arrays: a lane takes a piece up into its part of the device's
   memory, through the kernel and down again, on its own stream. While one
   copies to or from its slot, others' DMA goes up and down, and their kernels
   run. 10^8 float32 added to 10^8 take 16.4 ms on an H200, of which the bus
   needs 14.6 for the operands alone; pinned arrays, which go straight, 16.7. */
struct ga__hosted {
    const ga__eval *e;
    char *memory;                   /* GA__SLOTS parts for each lane        */
    size_t part, at[GA__E_ARRAYS], out;     /* bytes; places in a part      */
    bool staged[GA__E_ARRAYS], out_staged;  /* pageable                     */
    int mps;
};
/* m elements from `first`, by way of the slot; NULL: straight. */
static cudaError_t ga__hosted_piece(const struct ga__hosted *h, int part,
                                    char *slot, size_t first, size_t m,
                                    cudaStream_t s) {
    ga__eval v = *h->e;
    char *memory = h->memory + (size_t)part * h->part;
    size_t up = 0, z = ga__size(v.out[0].dtype);
    char *to = (char *)v.out[0].data + first * z;
    cudaError_t e = cudaSuccess;
    v.n = v.shape[0] = (int64_t)m;
    for (int i = 0; i < v.nin && !e; i++) {
        size_t each = ga__size(v.in[i].dtype);
        const char *from = (const char *)v.in[i].data + first * each;
        if (!v.in[i].stride[0]) continue;
        v.in[i].data = memory + h->at[i];
        if (slot && h->staged[i]) {
            memcpy(slot + h->at[i], from, m * each);
            if (h->at[i] + m * each > up) up = h->at[i] + m * each;
        } else {
            e = cudaMemcpyAsync(v.in[i].data, from, m * each,
                                cudaMemcpyHostToDevice, s);
        }
    }
    if (!e && up)
        e = cudaMemcpyAsync(memory, slot, up, cudaMemcpyHostToDevice, s);
    v.out[0].data = memory + h->out;
    if (!e) e = (cudaError_t)gk_cuda_eval(&v, s, h->mps);
    if (!e) e = cudaMemcpyAsync(slot && h->out_staged ? slot : to,
                                v.out[0].data, m * z, cudaMemcpyDeviceToHost,
                                s);
    return e;
}
static cudaError_t ga__lane_eval(ga__lane *l) {
    const struct ga__hosted *h = ga__stage.hosted;
    size_t first[GA__SLOTS], n[GA__SLOTS] = {0}, m;
    size_t z = ga__size(h->e->out[0].dtype);
    char *out = (char *)h->e->out[0].data;
    int at_work = 0, lane = (int)(l - ga__stage.lane);
    cudaError_t e = cudaSuccess;
    for (int k = 0; !e; k = (k + 1) % GA__SLOTS) {
        if (l->last[k]) e = cudaEventSynchronize(l->last[k]);
        if (e) break;
        if (n[k]) {
            if (h->out_staged) memcpy(out + first[k] * z, l->slot[k], n[k] * z);
            n[k] = 0;
            at_work--;
        }
        if (ga__lane_take(&first[k], &m)) {
            n[k] = m;
            at_work++;
            e = ga__hosted_piece(h, lane * GA__SLOTS + k, l->slot[k], first[k],
                                 m, l->on[ga__stage.dev].stream);
            if (!e) e = ga__lane_mark(l, k);
        } else if (!at_work) {
            break;
        }
    }
    return e;
}
static ga_status ga__cuda_eval_host(ga__device *d, const char *fn, ga__eval *v,
                                    ga_stream *s) {
    struct ga__hosted h;
    size_t n = (size_t)v->n, z = ga__size(v->out[0].dtype);
    size_t staged = 0, all = z, place = 0;      /* bytes of an element      */
    int before;
    memset(&h, 0, sizeof h);
    cudaError_t e = ga__cuda_enter(d, &before);
    h.e = v;
    h.mps = d->mps;
    h.out_staged = ga__pageable(v->out[0].data);
    for (int i = 0; i < v->nin; i++) {
        if (!v->in[i].stride[0]) continue;
        h.staged[i] = ga__pageable(v->in[i].data);
        all += ga__size(v->in[i].dtype);
        if (h.staged[i]) staged += ga__size(v->in[i].dtype);
    }
    /* Pieces fill a slot, or there are four for each lane; whole 256s of
       elements keep the places aligned.                                    */
    bool lanes = n * all >= GA__STAGE_MIN;
    size_t most = GA__CHUNK / (staged > z ? staged : z) / 256, piece = most;
    size_t least = GA__STAGE_MIN / 4 / all / 256 + 1;
    if (lanes && piece > n / 256 / (4 * GA__LANES) + 1)
        piece = n / 256 / (4 * GA__LANES) + 1;
    if (piece < least) piece = least < most ? least : most;
    piece *= 256;
    if (piece > n) piece = (n + 255) / 256 * 256;
    for (int pass = 0; pass < 2; pass++)        /* what is staged adjoins   */
        for (int i = 0; i < v->nin; i++) {
            if (!v->in[i].stride[0] || h.staged[i] == (pass > 0)) continue;
            h.at[i] = place * piece;
            place += ga__size(v->in[i].dtype);
        }
    h.out = place * piece;
    h.part = all * piece;
    size_t parts = lanes ? (n + piece - 1) / piece : 1;
    if (parts > GA__LANES) parts = GA__LANES;
    ga__buffer *b = NULL;
    if (!e) b = ga__buffer_new(fn, d, h.part * parts * (lanes ? GA__SLOTS : 1));
    if (b) {
        h.memory = (char *)b->ptr;
        bool done = false;
        if (lanes) {
            pthread_mutex_lock(&ga__stage.turn);
            ga__stage.hosted = &h;
            done = ga__lanes(d, ga__lane_eval, n, piece, s, &e);
            pthread_mutex_unlock(&ga__stage.turn);
        }
        for (size_t i = 0; !done && !e && i < n; i += piece)
            e = ga__hosted_piece(&h, 0, NULL, i, n - i < piece ? n - i : piece,
                                 ga__handle_of(s));
        if (!done) {
            cudaError_t sync = cudaStreamSynchronize(ga__handle_of(s));
            if (!e) e = sync;
        }
    }
    ga_status st = ga__cuda_leave(fn, d, before, e);
    ga__release(b);
    return !st && !b ? ga__failed() : st;
}

/* Into the list of those that a wait for the device means beside captures. */
static void ga__cuda_stream_known(ga__device *d, ga_stream *s) {
    pthread_mutex_lock(ga__cuda_lock(d));
    s->next = ga__cuda[d->id].open;
    ga__cuda[d->id].open = s;
    pthread_mutex_unlock(ga__cuda_lock(d));
}
static ga_status ga__cuda_stream_open(ga__device *d, const char *fn,
                                      ga_stream *s, int priority) {
    int before;
    cudaStream_t h = NULL;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaStreamCreateWithPriority(&h, cudaStreamNonBlocking,
                                             priority);
    if (!e) s->handle = h;
    ga_status st = ga__cuda_leave(fn, d, before, e);
    if (!st) ga__cuda_stream_known(d, s);
    return st;
}
/* Records the mark behind all that w has queued. Its device is current and
   its lock held.                                                           */
static cudaError_t ga__mark(ga_stream *w) {
    cudaEvent_t m = (cudaEvent_t)w->mark;
    cudaError_t e = cudaSuccess;
    if (!m) {
        e = cudaEventCreateWithFlags(&m, cudaEventDisableTiming);
        if (!e) w->mark = m;
    }
    return e ? e : cudaEventRecord(m, ga__handle_of(w));
}
/* The work goes on without the handle; the mark says when it is done. A
   wrapped stream may be gone already: the device is waited for instead, or,
   beside a capture, the stream is left for the next call that can. If arrays
   still name it, it is there and can be marked.                            */
static void ga__cuda_stream_close(ga__device *d, ga_stream *s) {
    struct ga__cuda_state *k = &ga__cuda[d->id];
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    bool whole = s->external && ga__whole_begin(d);
    pthread_mutex_lock(ga__cuda_lock(d));
    ga_stream *on = s->external ? &d->null : s, **at = &k->open;
    while (*at && *at != s) at = &(*at)->next;
    if (*at) *at = s->next;
    if (!e && whole) e = cudaDeviceSynchronize();
    if (s->external && !whole) {
        if (!e && s->refs > 1) e = ga__mark(s);
        ga__stream_ref(s);
        s->next = k->leaving;
        k->leaving = s;
    } else {
        if (whole) ga__streams_leave(d);
        ga__cache_empty(d, s, true, on);
        if (s->counters && ga__pool_give(d, s->counters, on))
            cudaGetLastError();
        s->counters = NULL;
    }
    if (!e && !s->external) {
        if (ga__tail(d, s)) e = cudaStreamSynchronize(ga__handle_of(s));
        cudaError_t gone = cudaStreamDestroy(ga__handle_of(s));
        if (!e) e = gone;
    }
    s->handle = NULL;
    s->destroyed = true;
    pthread_mutex_unlock(ga__cuda_lock(d));
    if (whole) ga__whole_end(d);
    ga__cuda_leave_quiet(d, before, e);
    cudaGetLastError();             /* the mark's, if it failed             */
}
static void ga__cuda_stream_dispose(ga__device *d, ga_stream *s) {
    (void)d;
    if (s->mark && cudaEventDestroy((cudaEvent_t)s->mark)) cudaGetLastError();
    s->mark = NULL;
}
static ga_status ga__cuda_stream_sync(ga__device *d, const char *fn,
                                      ga_stream *s) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e && !s->destroyed) e = cudaStreamSynchronize(ga__handle_of(s));
    else if (!e && s->mark) e = cudaEventSynchronize((cudaEvent_t)s->mark);
    return ga__cuda_waited(fn, d, before, e);
}
static int ga__cuda_stream_query(ga__device *d, ga_stream *s) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaStreamQuery(ga__handle_of(s));
    bool done = e == cudaSuccess;
    if (e == cudaErrorNotReady) {
        cudaGetLastError();
        e = cudaSuccess;
    }
    return ga__cuda_leave("ga_stream_query", d, before, e) == GA_OK && done;
}
/* w may be of another device; of a destroyed one only the mark is left. */
static ga_status ga__cuda_stream_wait(ga__device *d, const char *fn,
                                      ga_stream *s, ga_stream *w) {
    int before, inner;
    if (w->dev->id == GA_CPU) return GA_OK;
    cudaError_t e = ga__cuda_enter(w->dev, &before);
    pthread_mutex_lock(ga__cuda_lock(w->dev));
    if (!e && !w->destroyed) e = ga__mark(w);
    if (!e) e = ga__cuda_enter(d, &inner);
    if (!e && w->mark)
        e = cudaStreamWaitEvent(ga__handle_of(s), (cudaEvent_t)w->mark, 0);
    pthread_mutex_unlock(ga__cuda_lock(w->dev));
    if (before != d->id || w->dev != d) {
        cudaError_t back = cudaSetDevice(before);
        if (!e) e = back;
    }
    return e ? ga__cuda_fail(fn, d, e) : GA_OK;
}
static ga_status ga__cuda_stream_call(ga__device *d, const char *fn,
                                      ga_stream *s, void (*f)(void *),
                                      void *arg) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaLaunchHostFunc(ga__handle_of(s), f, arg);
    return ga__cuda_leave(fn, d, before, e);
}

static ga_status ga__cuda_event_open(ga__device *d, const char *fn, void **h) {
    int before;
    cudaEvent_t v = NULL;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaEventCreate(&v);
    *h = v;
    return ga__cuda_leave(fn, d, before, e);
}
static void ga__cuda_event_close(ga__device *d, void *h) {
    (void)d;
    if (cudaEventDestroy((cudaEvent_t)h)) cudaGetLastError();
}
/* Captured, both are nodes of the graph: each launch records and waits. */
static ga_status ga__cuda_event_record(ga__device *d, const char *fn, void *h,
                                       ga_stream *s) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaEventRecordWithFlags(
        (cudaEvent_t)h, ga__handle_of(s),
        ga__me.capture ? cudaEventRecordExternal : cudaEventRecordDefault);
    return ga__cuda_leave(fn, d, before, e);
}
static ga_status ga__cuda_event_wait(ga__device *d, const char *fn, void *h,
                                     ga_stream *s) {
    int before;
    if (s->dev->id == GA_CPU) return d->be->event_sync(d, fn, h);
    cudaError_t e = ga__cuda_enter(s->dev, &before);
    if (!e) e = cudaStreamWaitEvent(
        ga__handle_of(s), (cudaEvent_t)h,
        ga__me.capture ? cudaEventWaitExternal : cudaEventWaitDefault);
    return ga__cuda_leave(fn, s->dev, before, e);
}
static ga_status ga__cuda_event_sync(ga__device *d, const char *fn, void *h) {
    cudaError_t e = cudaEventSynchronize((cudaEvent_t)h);
    return ga__cuda_waited(fn, d, d->id, e);
}
static int ga__cuda_event_query(ga__device *d, void *h) {
    cudaError_t e = cudaEventQuery((cudaEvent_t)h);
    if (e == cudaErrorNotReady) cudaGetLastError();
    else if (e) ga__cuda_fail("ga_event_query", d, e);
    return e == cudaSuccess;
}
static ga_status ga__cuda_event_elapsed(ga__device *d, const char *fn, void *a,
                                        void *b, double *ms) {
    float f = 0;
    cudaError_t e = cudaEventSynchronize((cudaEvent_t)b);
    if (!e) e = cudaEventElapsedTime(&f, (cudaEvent_t)a, (cudaEvent_t)b);
    if (e) return ga__cuda_fail(fn, d, e);
    *ms = (double)f;
    return GA_OK;
}

static void ga__capture_over(ga__device *d, ga_stream *s) {
    s->capturing = false;
    ga__capture_leave(d);
}
/* Waits first: what the step reads must have been written by then, since a
   captured stream cannot wait for one outside.                             */
static ga_status ga__cuda_capture_begin(ga__device *d, const char *fn,
                                        ga_graph *g) {
    int before;
    unsigned *counters;
    ga_stream *s = (ga_stream *)GA_MALLOC(sizeof *s);
    if (!s) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(s, 0, sizeof *s);
    atomic_init(&s->refs, 1);
    s->dev = d;
    ga_status st = ga__cuda_stream_open(d, fn, s, 0);
    if (st) {
        GA_FREE(s);
        return st;
    }
    st = ga__cuda_counters(d, fn, s, &counters);
    if (!st) {
        cudaError_t e = ga__cuda_enter(d, &before);
        if (!e) e = ga__cuda_idle(d);
        ga__capture_enter(d);
        pthread_mutex_lock(ga__cuda_lock(d));       /* ga__tail looks       */
        s->capturing = true;
        pthread_mutex_unlock(ga__cuda_lock(d));
        if (!e) e = cudaStreamBeginCapture(ga__handle_of(s),
                                           cudaStreamCaptureModeThreadLocal);
        if (e) ga__capture_over(d, s);
        st = ga__cuda_leave(fn, d, before, e);
    }
    if (st) {
        ga__cuda_stream_close(d, s);
        ga__stream_unref(s);
    } else {
        g->stream = s;
    }
    return st;
}
static ga_status ga__cuda_capture_end(ga__device *d, const char *fn,
                                      ga_graph *g, bool keep) {
    int before;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    cudaError_t e = ga__cuda_enter(d, &before);
    cudaError_t end = cudaStreamEndCapture(ga__handle_of(g->stream), &graph);
    ga__capture_over(d, g->stream);
    if (end) graph = NULL;          /* a broken capture's is not one        */
    if (!e) e = end;
    if (!e && keep) e = cudaGraphInstantiate(&exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    if (!e) g->exec = exec;
    if (!keep) {                    /* the reason has been reported         */
        cudaGetLastError();
        e = cudaSuccess;
    }
    return ga__cuda_leave(fn, d, before, e);
}
static ga_status ga__cuda_graph_launch(ga__device *d, const char *fn,
                                       ga_graph *g, ga_stream *s) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    pthread_mutex_lock(ga__cuda_lock(d));   /* CUDA's graphs have no own    */
    if (!e) e = cudaGraphLaunch((cudaGraphExec_t)g->exec, ga__handle_of(s));
    pthread_mutex_unlock(ga__cuda_lock(d));
    return ga__cuda_leave(fn, d, before, e);
}
/* Waits for launches under way: they use the graph's memory and counters. */
static void ga__cuda_graph_close(ga__device *d, ga_graph *g) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (g->exec) {
        if (!e) e = ga__cuda_idle(d);
        cudaError_t gone = cudaGraphExecDestroy((cudaGraphExec_t)g->exec);
        if (!e) e = gone;
    }
    ga__cuda_leave_quiet(d, before, e);
    if (!g->stream) return;
    ga__cuda_stream_close(d, g->stream);
    ga__stream_unref(g->stream);
}

static const ga__backend ga__cuda_backend = {
    .name = "cuda", .la = &ga__cuda_lapack, .alloc = ga__cuda_alloc, .free = ga__cuda_free,
    .copy = ga__cuda_copy, .zero = ga__cuda_zero,
    .eval_code = gk_cuda_eval_code, .eval_host = ga__cuda_eval_host,
    .fetch = ga__cuda_fetch, .use = ga__cuda_use, .sync = ga__cuda_sync,
    .info = ga__cuda_info, .mem = ga__cuda_mem, .trim = ga__cuda_trim,
    .stream_open = ga__cuda_stream_open,
    .stream_close = ga__cuda_stream_close,
    .stream_dispose = ga__cuda_stream_dispose,
    .stream_sync = ga__cuda_stream_sync,
    .stream_query = ga__cuda_stream_query,
    .stream_wait = ga__cuda_stream_wait, .stream_call = ga__cuda_stream_call,
    .event_open = ga__cuda_event_open, .event_close = ga__cuda_event_close,
    .event_record = ga__cuda_event_record, .event_sync = ga__cuda_event_sync,
    .event_query = ga__cuda_event_query, .event_wait = ga__cuda_event_wait,
    .event_elapsed = ga__cuda_event_elapsed,
    .capture_begin = ga__cuda_capture_begin,
    .capture_end = ga__cuda_capture_end,
    .graph_launch = ga__cuda_graph_launch,
    .graph_close = ga__cuda_graph_close};
#endif /* GPUARR_NO_CUDA */

/* ------------------------------------------------------- public: streams */
/* The stream meant by s, NULL being the null stream of the current device;
   NULL and an error if it cannot be used.                                  */
static ga_stream *ga__stream_arg(const char *fn, ga_stream *s) {
    if (!s) {
        ga__device *d = ga__current(fn);
        if (!d) return NULL;
        s = &d->null;
    }
    if (s->destroyed)
        return (ga_stream *)GA__NULL(GA_ERR_STREAM, fn,
                                     "the stream has been destroyed");
    if (ga__me.capture && s != ga__me.capture->stream)
        return (ga_stream *)GA__NULL(GA_ERR_CAPTURE, fn, "inside a graph's "
                                     "function only ga_stream_current() can "
                                     "be used");
    if (s->capturing && !ga__me.capture)
        return (ga_stream *)GA__NULL(GA_ERR_CAPTURE, fn, "another thread is "
                                     "making a graph on this stream");
    return s;
}

static ga_stream *ga__stream_new(const char *fn, ga__device *d) {
    ga_stream *s = (ga_stream *)GA_MALLOC(sizeof *s);
    if (!s) return (ga_stream *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(s, 0, sizeof *s);
    atomic_init(&s->refs, 1);
    s->dev = d;
    return s;
}
GA_API ga_stream *ga_stream_create(int priority) {
    const char *fn = "ga_stream_create";
    ga__device *d = ga__current(fn);
    ga_stream *s = d ? ga__stream_new(fn, d) : NULL;
    if (s && d->be->stream_open(d, fn, s, priority)) {
        GA_FREE(s);
        return NULL;
    }
    return s;
}
GA_API ga_stream *ga_stream_wrap(void *handle) {
    const char *fn = "ga_stream_wrap";
    ga__device *d = ga__current(fn);
    ga_stream *s = d ? ga__stream_new(fn, d) : NULL;
    if (!s) return NULL;
    s->handle = handle;
    s->external = true;
#ifndef GPUARR_NO_CUDA
    if (d->id != GA_CPU) ga__cuda_stream_known(d, s);
#endif
    return s;
}
GA_API void ga_stream_destroy(ga_stream *s) {
    const char *fn = "ga_stream_destroy";
    if (!s) return;
    if (s->destroyed) {
        ga__fail(GA_ERR_STREAM, fn, "the stream has been destroyed before");
        return;
    }
    if (ga__capturing(fn)) return;
    s->dev->be->stream_close(s->dev, s);
    ga__stream_unref(s);
}

GA_API ga_stream *ga_stream_current(void) {
    ga__device *d = ga__current("ga_stream_current");
    ga_stream *s = d ? ga__stream(d) : NULL;
    return s && s != &d->null ? s : NULL;
}
GA_API ga_status ga_set_stream(ga_stream *s) {
    const char *fn = "ga_set_stream";
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    ga__device *d = ga__current(fn);
    if (!d || !ga__stream_arg(fn, s)) return ga__failed();
    if (s && s->dev != d)
        return ga__fail(GA_ERR_STREAM, fn, "the stream is of device %d, the "
                        "current device is %d", s->dev->id, d->id);
    ga__set_stream(d->id, s);
    return GA_OK;
}
/* The guard keeps a reference: the stream before may be destroyed inside. */
GA_API ga_stream_guard ga_stream_begin(ga_stream *s) {
    ga_stream_guard g = {ga_stream_current(), ga__thread_device()};
    if (g.before) ga__stream_ref(g.before);
    ga_set_stream(s);
    return g;
}
GA_API void ga_stream_end(ga_stream_guard *g) {
    if (g->before != ga__me.stream[g->device + 1] && !ga__me.capture)
        ga__set_stream(g->device, g->before);
    ga__stream_unref(g->before);
    g->before = NULL;
}

GA_API ga_status ga_stream_synchronize(ga_stream *s) {
    const char *fn = "ga_stream_synchronize";
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    s = ga__stream_arg(fn, s);
    return s ? s->dev->be->stream_sync(s->dev, fn, s) : ga__failed();
}
GA_API bool ga_stream_query(ga_stream *s) {
    const char *fn = "ga_stream_query";
    if (ga__capturing(fn)) return false;
    s = ga__stream_arg(fn, s);
    return s && s->dev->be->stream_query(s->dev, s);
}
GA_API ga_status ga_stream_callback(ga_stream *s, void (*f)(void *),
                                    void *arg) {
    const char *fn = "ga_stream_callback";
    if (!f) return ga__fail(GA_ERR_NULL, fn, "the function is NULL");
    s = ga__stream_arg(fn, s);
    return s ? s->dev->be->stream_call(s->dev, fn, s, f, arg) : ga__failed();
}
GA_API void *ga_stream_handle(ga_stream *s) { return s ? s->handle : NULL; }

/* -------------------------------------------------------- public: events */
struct ga_event {
    ga__device *dev;
    void *handle;
    atomic_bool recorded;
};
static bool ga__event_ok(const char *fn, ga_event *e, bool recorded) {
    if (!e) ga__fail(GA_ERR_NULL, fn, "the event is NULL");
    else if (recorded && !e->recorded)
        ga__fail(GA_ERR_STREAM, fn, "the event was never recorded");
    else return true;
    return false;
}
GA_API ga_event *ga_event_create(void) {
    const char *fn = "ga_event_create";
    ga__device *d = ga__current(fn);
    if (!d) return NULL;
    ga_event *e = (ga_event *)GA_MALLOC(sizeof *e);
    if (!e) return (ga_event *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    e->dev = d;
    atomic_init(&e->recorded, false);
    if (d->be->event_open(d, fn, &e->handle)) {
        GA_FREE(e);
        return NULL;
    }
    return e;
}
GA_API void ga_event_destroy(ga_event *e) {
    if (!e) return;
    e->dev->be->event_close(e->dev, e->handle);
    GA_FREE(e);
}
GA_API ga_status ga_event_record(ga_event *e, ga_stream *s) {
    const char *fn = "ga_event_record";
    if (!ga__event_ok(fn, e, false)) return GA_ERR_NULL;
    s = ga__stream_arg(fn, s);
    if (!s) return ga__failed();
    if (s->dev != e->dev)
        return ga__fail(GA_ERR_STREAM, fn, "the event is of device %d, the "
                        "stream of device %d", e->dev->id, s->dev->id);
    ga_status st = e->dev->be->event_record(e->dev, fn, e->handle, s);
    if (!st) e->recorded = true;
    return st;
}
GA_API ga_status ga_stream_wait(ga_stream *s, ga_event *e) {
    const char *fn = "ga_stream_wait";
    if (!ga__event_ok(fn, e, true)) return ga__failed();
    s = ga__stream_arg(fn, s);
    return s ? e->dev->be->event_wait(e->dev, fn, e->handle, s)
             : ga__failed();
}
GA_API ga_status ga_event_synchronize(ga_event *e) {
    const char *fn = "ga_event_synchronize";
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    if (!ga__event_ok(fn, e, true)) return ga__failed();
    return e->dev->be->event_sync(e->dev, fn, e->handle);
}
GA_API bool ga_event_query(ga_event *e) {
    const char *fn = "ga_event_query";
    return !ga__capturing(fn) && ga__event_ok(fn, e, true)
           && e->dev->be->event_query(e->dev, e->handle);
}
GA_API double ga_event_elapsed(ga_event *start, ga_event *stop) {
    const char *fn = "ga_event_elapsed";
    double ms = NAN;
    if (ga__capturing(fn) || !ga__event_ok(fn, start, true)
        || !ga__event_ok(fn, stop, true)) return NAN;
    if (start->dev != stop->dev)
        ga__fail(GA_ERR_STREAM, fn, "the events are of devices %d and %d",
                 start->dev->id, stop->dev->id);
    else
        start->dev->be->event_elapsed(start->dev, fn, start->handle,
                                      stop->handle, &ms);
    return ms;
}

/* -------------------------------------------------------- public: graphs */
/* Arrays that outlive their graph's function still name it: the last of them
   frees it, so that no later graph is taken for it.                        */
static void ga__graph_free(ga_graph *g) {
    g->dev->be->graph_close(g->dev, g);
    for (int i = 0; i < g->nheld; i++) ga__release(g->held[i]);
    GA_FREE(g->held);
    GA_FREE(g->wrote);
    if (--g->inside == 0) GA_FREE(g);
}
GA_API ga_graph *ga_graph_create(void (*step)(void *), void *arg) {
    const char *fn = "ga_graph_create";
    if (!step)
        return (ga_graph *)GA__NULL(GA_ERR_NULL, fn, "the function is NULL");
    if (ga__capturing(fn)) return NULL;
    ga__device *d = ga__current(fn);
    if (!d) return NULL;
    ga_graph *g = (ga_graph *)GA_MALLOC(sizeof *g);
    if (!g) return (ga_graph *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(g, 0, sizeof *g);
    g->dev = d;
    g->step = step;
    g->arg = arg;
    g->inside = 1;                  /* the handle's own                     */
    if (d->be->capture_begin(d, fn, g)) {
        GA_FREE(g);
        return NULL;
    }
    if (!g->stream) return g;       /* nothing to capture on this device    */
    ga_stream **at = &ga__me.stream[d->id + 1], *before = *at;
    ga_status pending = ga__me.error;   /* an error of before is not step's */
    char message[sizeof ga__me.message];
    if (pending) memcpy(message, ga__me.message, sizeof message);
    ga__me.error = GA_OK;
    *at = g->stream;
    ga__me.capture = g;
    ga__graph_step(g);
    ga__me.capture = NULL;
    *at = before;
    if (!ga__me.error && g->inside > 1)
        ga__fail(GA_ERR_CAPTURE, fn, "%d arrays made by the function outlive "
                 "it; write results into arrays from outside (_into)",
                 g->inside - 1);
    bool keep = !ga__me.error;
    if (d->be->capture_end(d, fn, g, keep)) keep = false;
    if (pending) {
        ga__me.error = pending;
        memcpy(ga__me.message, message, sizeof message);
    }
    if (keep) return g;
    ga__graph_free(g);
    return NULL;
}
GA_API ga_status ga_graph_launch(ga_graph *g) {
    const char *fn = "ga_graph_launch";
    if (!g && ga__me.error) return ga__me.error;
    if (!g) return ga__fail(GA_ERR_NULL, fn, "the graph is NULL");
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    ga__device *d = ga__current(fn);
    if (!d) return ga__failed();
    if (d != g->dev)
        return ga__fail(GA_ERR_DEVICE_MISMATCH, fn, "the graph was made on "
                        "device %d, the current device is %d", g->dev->id,
                        d->id);
    ga_stream *s = ga__stream(d);
    ga_status st = GA_OK;
    for (int i = 0; i < g->nheld && !st; i++)
        st = ga__order(fn, g->held[i], s, g->wrote[i]);
    if (!st) st = d->be->graph_launch(d, fn, g, s);
    return st ? st : ga__after(fn, d, s);
}
GA_API void ga_graph_destroy(ga_graph *g) {
    if (g && !ga__capturing("ga_graph_destroy")) ga__graph_free(g);
}

/* --------------------------------------------- public: between the devices */
static ga_array *ga__copy_as(const char *fn, const ga_array *x, ga_dtype t);
GA_API ga_array *(ga_to_device)(const ga_array *x, int device) {
    const char *fn = "ga_to_device";
    if (!ga__ok(fn, x)) return NULL;
    if (!x->ga__buf)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "a C number has no "
                                    "device");
    if (x->device == device) return (ga_view)(x);
    if (ga__capturing(fn)) return NULL;
    ga__device *to = ga__device_of(fn, device), *from = x->ga__buf->dev;
    if (!to) return NULL;
    ga_array *copy = NULL;          /* of a strided x, on its own device    */
    if (!ga_is_contiguous(x)) {
        ga_device_guard g = ga_device_begin(x->device);
        copy = ga__copy_as(fn, x, x->dtype);
        ga_device_end(&g);
        if (!copy) return NULL;
        x = copy;
    }
    ga_array *y = ga__new(fn, to, x->ndim, x->shape, x->dtype, NULL);
    size_t bytes = (size_t)x->size * ga__size(x->dtype);
    bool up = from->id == GA_CPU, down = to->id == GA_CPU;
    ga_stream *s = ga__stream(down ? from : to);
    ga_status st = y ? GA_OK : GA_ERR_HOST_MEMORY;
    if (!st && bytes) {
        st = ga__order(fn, x->ga__buf, s, false);
        if (!st) st = ga__order(fn, y->ga__buf, s, true);
        if (!st && up)
            st = to->be->copy(to, fn, GA__H2D, y->data, x->data, bytes, s,
                              false);
        else if (!st && down)
            st = from->be->copy(from, fn, GA__D2H, y->data, x->data, bytes, s,
                                false);
#ifndef GPUARR_NO_CUDA
        else if (!st)
            st = ga__cuda_copy_peer(fn, to, y->data, from, x->data, bytes, s);
#endif
    }
    ga_free(copy);
    if (!st) return y;
    ga_free(y);
    return NULL;
}

/* ============================================================= >>i-create */
/* Element-wise core, below: out = op(in...), ordered on d's stream. */
static ga_status ga__launch(const char *op_name, ga__device *d, ga__op op,
                            ga_dtype compute, ga_array *out,
                            const ga_array *const *in, int nin,
                            const double *param);
static ga__device *ga__same_device(const char *fn, const ga_array *const *x,
                                   int n);
static ga_dtype ga__computes_in(ga__op op, ga_dtype t);
static ga_status ga__operate(const char *name, ga__op op, ga_array *out,
                             ga_array **made, const ga_array *const *x, int n,
                             const double *param);

GA_API ga_array *(ga_empty)(ga_shape s, ga_dtype t) {
    return ga__new("ga_empty", ga__current("ga_empty"), s.ndim, s.dim, t, NULL);
}

static ga_status ga__zero(const char *fn, ga_array *x) {
    ga__device *d = x->ga__buf->dev;
    ga_stream *s = ga__stream(d);
    if (!x->size) return GA_OK;
    ga_status st = ga__order(fn, x->ga__buf, s, true);
    if (!st)
        st = d->be->zero(d, fn, x->data, (size_t)x->size * ga__size(x->dtype),
                         s);
    return st ? st : ga__after(fn, d, s);
}
/* x, or NULL and x freed where the work on it failed. */
static ga_array *ga__or_free(ga_array *x, ga_status st) {
    if (!st) return x;
    ga_free(x);
    return NULL;
}

static ga_array *ga__zeros(const char *fn, int ndim, const int64_t *shape,
                           ga_dtype t, const int *order) {
    ga_array *x = ga__new(fn, ga__current(fn), ndim, shape, t, order);
    return x ? ga__or_free(x, ga__zero(fn, x)) : NULL;
}
GA_API ga_array *(ga_zeros)(ga_shape s, ga_dtype t) {
    return ga__zeros("ga_zeros", s.ndim, s.dim, t, NULL);
}

/* A C integer that is to become an element of dtype t fits in it, as NumPy
   wants; GA_OK for everything else.                                        */
static bool ga__fits(const ga_array *number, ga_dtype t);
static ga_status ga__check_fits(const char *fn, const ga_array *value,
                                ga_dtype t) {
    if (value->ga__magic != GA__WEAK || !ga__is_int(value->dtype)
        || !ga__is_int(t) || ga__fits(value, t))
        return GA_OK;
    if (value->dtype == GA_UINT64)
        return ga__fail(GA_ERR_VALUE, fn, "%" PRIu64 " is out of range for %s",
                        value->ga__value.u, ga_dtype_name(t));
    return ga__fail(GA_ERR_VALUE, fn, "%" PRId64 " is out of range for %s",
                    value->ga__value.i, ga_dtype_name(t));
}
/* Writes the value, a C number or rank-0 array, into all of x. */
static ga_status ga__fill(const char *fn, ga_array *x, const ga_array *value) {
    if (ga__check_fits(fn, value, x->dtype)) return ga__failed();
    ga_dtype c = ga__computes_in(GA__OP_copy, value->dtype);
    return ga__launch(fn, x->ga__buf->dev, GA__OP_copy, c, x, &value, 1, NULL);
}
static ga_array *ga__full(const char *fn, int ndim, const int64_t *shape,
                          const ga_array *value, ga_dtype t, const int *order) {
    if (!ga__ok(fn, value)) return NULL;
    if (value->ndim)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "the value has shape %s, "
                                    "not ()", ga__shape_text(value->ndim,
                                                             value->shape));
    if (!ga__is_number(value) && !ga__same_device(fn, &value, 1)) return NULL;
    ga_array *x = ga__new(fn, ga__current(fn), ndim, shape, t, order);
    return x ? ga__or_free(x, ga__fill(fn, x, value)) : NULL;
}
GA_API ga_array *(ga_full)(ga_shape s, const ga_array *value, ga_dtype t) {
    return ga__full("ga_full", s.ndim, s.dim, value, t, NULL);
}
GA_API ga_array *(ga_ones)(ga_shape s, ga_dtype t) {
    ga_array one;
    return ga__full("ga_ones", s.ndim, s.dim, ga__arg_i(1, &one), t, NULL);
}

/* The axes of x from slowest to fastest in memory, broadcast ones first: what
   a result must copy to be read and written in step with x.                */
static void ga__order_of(const ga_array *x, int *order) {
    for (int i = 0; i < x->ndim; i++) {
        int at = i;                 /* stable: C order where nothing decides */
        int64_t s = x->strides[i] < 0 ? -x->strides[i] : x->strides[i];
        for (int k = i; k-- > 0 && x->shape[i] != 1;) {
            int64_t t = x->strides[order[k]];
            if (x->shape[order[k]] == 1) continue;
            if (t < 0) t = -t;
            if (!t || (s && t >= s)) break;
            at = k;
        }
        for (int k = i; k > at; k--) order[k] = order[k - 1];
        order[at] = i;
    }
}
GA_API ga_array *(ga_empty_like)(const ga_array *x) {
    int order[GA_MAX_NDIM];
    const char *fn = "ga_empty_like";
    if (!ga__ok(fn, x)) return NULL;
    ga__order_of(x, order);
    return ga__new(fn, ga__is_number(x) ? ga__current(fn) : x->ga__buf->dev,
                   x->ndim, x->shape, x->dtype, order);
}
static ga_array *ga__full_like(const char *fn, const ga_array *x,
                               const ga_array *value) {
    if (!ga__ok(fn, x) || !ga__ok(fn, value)) return NULL;
    if (value->ndim)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "the value has shape %s, "
                                    "not ()", ga__shape_text(value->ndim,
                                                             value->shape));
    const ga_array *both[2] = {x, value};
    if (!ga__same_device(fn, both, 2)) return NULL;
    int order[GA_MAX_NDIM];
    ga__order_of(x, order);
    ga_array *r = ga__new(fn, ga__current(fn), x->ndim, x->shape, x->dtype,
                          order);
    return r ? ga__or_free(r, ga__fill(fn, r, value)) : NULL;
}
GA_API ga_array *(ga_full_like)(const ga_array *x, const ga_array *value) {
    return ga__full_like("ga_full_like", x, value);
}
GA_API ga_array *(ga_ones_like)(const ga_array *x) {
    ga_array one;
    return ga__full_like("ga_ones_like", x, ga__arg_i(1, &one));
}
GA_API ga_array *(ga_zeros_like)(const ga_array *x) {
    ga_array zero;
    return ga__full_like("ga_zeros_like", x, ga__arg_i(0, &zero));
}

/* n values from a start by a step, int64 or double, cast to t. */
static ga_array *ga__range(const char *fn, int64_t n, ga_dtype t, bool integer,
                           int64_t i0, int64_t di, double f0, double df) {
    ga_array *x = ga__new(fn, ga__current(fn), 1, &n, t, NULL);
    if (!x || !n) return x;
    ga__steps q = {t, integer, n, i0, di, f0, df, x->data};
    return ga__or_free(x, ga__run(fn, x->ga__buf->dev, GA__JOB_range, &q, &x, 1,
                                  NULL, 0));
}

static ga_array *ga__arange(const char *fn, const ga_array *start,
                            const ga_array *stop, const ga_array *step,
                            ga_dtype t) {
    const ga_array *arg[3] = {start, stop, step};
    bool integer = true;
    double f[3];
    int64_t i[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        if (!ga__ok(fn, arg[k])) return NULL;
        if (!ga__is_number(arg[k]) || ga__kind(arg[k]->dtype) == 'c')
            return (ga_array *)GA__NULL(GA_ERR_DTYPE, fn,
                                        "start, stop and step are real C numbers");
        ga__cast_element(arg[k]->data, arg[k]->dtype, &f[k], GA_FLOAT64);
        ga__cast_element(arg[k]->data, arg[k]->dtype, &i[k], GA_INT64);
        integer &= ga__kind(arg[k]->dtype) != 'f';
        if (arg[k]->dtype == GA_UINT64) integer = false;
    }
    if (integer ? i[2] == 0 : f[2] == 0)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "the step is 0");
    int64_t n = 0;
    if (integer) {                  /* in unsigned, where nothing overflows */
        bool up = i[2] > 0;
        if (up ? i[1] > i[0] : i[1] < i[0]) {
            uint64_t span = up ? (uint64_t)i[1] - (uint64_t)i[0]
                               : (uint64_t)i[0] - (uint64_t)i[1];
            uint64_t by = up ? (uint64_t)i[2] : 0 - (uint64_t)i[2];
            uint64_t count = (span - 1) / by + 1;
            n = count > INT64_MAX ? INT64_MAX : (int64_t)count;
        }
    } else {
        double count = ceil((f[1] - f[0]) / f[2]);
        if (!(count < 9e18))
            return (ga_array *)GA__NULL(GA_ERR_SIZE, fn, "from %g to %g by %g "
                                        "is no finite number of elements",
                                        f[0], f[1], f[2]);
        if (count > 0) n = (int64_t)count;
    }
    if (t == GA_NUM_DTYPES) t = integer ? GA_INT64 : GA_FLOAT64;
    if (!ga__dtype_ok(fn, t)) return NULL;
    if (t == GA_BOOL && n > 2)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "%" PRId64 " elements of "
                                    "bool; at most 2 are possible", n);
    /* NumPy steps by the difference of the first two elements as stored */
    return ga__range(fn, n, t, integer, i[0], i[2], f[0],
                     integer ? 0 : (f[0] + f[2]) - f[0]);
}
GA_API ga_array *(ga_arange)(const ga_array *start, const ga_array *stop,
                             const ga_array *step) {
    return ga__arange("ga_arange", start, stop, step, GA_NUM_DTYPES);
}
GA_API ga_array *(ga_arange_as)(const ga_array *start, const ga_array *stop,
                                const ga_array *step, ga_dtype t) {
    if (!ga__dtype_ok("ga_arange_as", t)) return NULL;
    return ga__arange("ga_arange_as", start, stop, step, t);
}

/* Writes one C number at index i of a one-dimensional array. */
static ga_status ga__poke(const char *fn, ga_array *x, int64_t i,
                          double value) {
    ga_array number, one = *x;
    one.ndim = 0;
    one.size = 1;
    one.data = (char *)x->data + i * (int64_t)ga__size(x->dtype);
    return ga__fill(fn, &one, ga__arg_f(value, &number));
}

static ga_array *ga__linspace(const char *fn, double start, double stop,
                              int64_t num, bool endpoint, ga_dtype t) {
    if (num < 0)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "num is %" PRId64, num);
    double div = (double)(endpoint ? num - 1 : num), delta = stop - start;
    double step = div > 0 ? delta / div : 0;
    bool floors = ga__is_dtype(t) && ga__is_int(t);
    /* an integer result is the floor of the exact values, as in NumPy */
    ga_array *x = ga__range(fn, num, floors ? GA_FLOAT64 : t, false, 0, 0,
                            start, step);
    if (x && endpoint && num > 1)
        x = ga__or_free(x, ga__poke(fn, x, num - 1, stop));
    if (x && floors) {
        const ga_array *exact = x;
        x = ga__or_free(x, ga__operate(fn, GA__OP_floor, x, NULL, &exact, 1,
                                       NULL));
        ga_array *down = x;
        if (down) x = ga__copy_as(fn, down, t);
        ga_free(down);
    }
    return x;
}
GA_API ga_array *(ga_linspace)(double start, double stop, int64_t num) {
    return ga__linspace("ga_linspace", start, stop, num, true, GA_FLOAT64);
}
GA_API ga_array *(ga_linspace_as)(double start, double stop, int64_t num,
                                  bool endpoint, ga_dtype t) {
    return ga__linspace("ga_linspace_as", start, stop, num, endpoint, t);
}
static ga_array *ga__logspace(const char *fn, double start, double stop,
                              int64_t num, double base) {
    ga_array number;
    ga_array *x = ga__linspace(fn, start, stop, num, true, GA_FLOAT64);
    const ga_array *in[2] = {ga__arg_f(base, &number), x};
    if (!x) return NULL;
    return ga__or_free(x, ga__operate(fn, GA__OP_power, x, NULL, in, 2, NULL));
}
GA_API ga_array *(ga_logspace)(double start, double stop, int64_t num,
                               double base) {
    return ga__logspace("ga_logspace", start, stop, num, base);
}
GA_API ga_array *(ga_geomspace)(double start, double stop, int64_t num) {
    const char *fn = "ga_geomspace";
    if (!(start > 0 && stop > 0) && !(start < 0 && stop < 0))
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "start %g and stop %g must "
                                    "be nonzero and of one sign", start, stop);
    ga_array *x = ga__logspace(fn, log10(fabs(start)), log10(fabs(stop)), num,
                               10.0);
    const ga_array *in = x;
    ga_status st = GA_OK;
    if (x && start < 0)
        st = ga__operate(fn, GA__OP_negative, x, NULL, &in, 1, NULL);
    if (x && !st && num > 0) st = ga__poke(fn, x, 0, start);
    if (x && !st && num > 1) st = ga__poke(fn, x, num - 1, stop);
    return x ? ga__or_free(x, st) : NULL;
}
static ga_array *ga__eye(const char *fn, int64_t n, int64_t m, int64_t k,
                         ga_dtype t) {
    int64_t shape[2] = {n, m};
    ga_array *x = ga__zeros(fn, 2, shape, t, NULL), number;
    if (!x || k <= -n || k >= m) return x;
    /* the k-th diagonal as a one-dimensional array over the same memory */
    ga_array diagonal = *x;
    int64_t row = k < 0 ? -k : 0, col = k > 0 ? k : 0;
    diagonal.ndim = 1;
    diagonal.size = n - row < m - col ? n - row : m - col;
    diagonal.shape[0] = diagonal.size;
    diagonal.strides[0] = m + 1;
    diagonal.data = (char *)x->data + (row * m + col) * (int64_t)ga__size(t);
    if (!diagonal.size) return x;
    return ga__or_free(x, ga__fill(fn, &diagonal, ga__arg_i(1, &number)));
}
GA_API ga_array *(ga_eye)(int64_t n, int64_t m, int64_t k, ga_dtype t) {
    return ga__eye("ga_eye", n, m, k, t);
}
GA_API ga_array *(ga_identity)(int64_t n, ga_dtype t) {
    return ga__eye("ga_identity", n, n, 0, t);
}

static ga_array *ga__wrap(const char *fn, void *ptr, ga_dtype t,
                          ga_shape shape, const int64_t *strides, int device,
                          void (*deleter)(void *, void *), void *arg) {
    int64_t n;
    ga__device *d = ga__device_of(fn, device);
    if (!d || !ga__dtype_ok(fn, t) || !ga__count(fn, shape.ndim, shape.dim, t, &n))
        return NULL;
    if (!ptr && n)
        return (ga_array *)GA__NULL(GA_ERR_NULL, fn, "the pointer is NULL");
    size_t align = ga__size(t) < 8 ? ga__size(t) : 8;
    if (n && (uintptr_t)ptr % align)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "the pointer %p is not "
                                    "aligned to %zu bytes, as %s wants", ptr,
                                    align, ga_dtype_name(t));
    ga__buffer *b = ga__buffer_new(fn, d, 0);
    if (!b) return NULL;
    ga_array *x = ga__handle(fn);
    if (!x) {
        ga__release(b);
        return NULL;
    }
    b->ptr = ptr;
    b->deleter = deleter;
    b->arg = arg;
    x->ga__buf = b;
    x->data = ptr;
    x->dtype = t;
    x->device = d->id;
    x->ndim = shape.ndim;
    x->size = n;
    int64_t step = 1;
    for (int i = shape.ndim; i-- > 0;) {
        x->shape[i] = shape.dim[i];
        x->strides[i] = strides ? strides[i] : step;
        if (n) step *= shape.dim[i];
    }
    return x;
}
GA_API ga_array *(ga_wrap)(void *ptr, ga_dtype t, ga_shape shape,
                           const int64_t *strides, int device,
                           void (*deleter)(void *, void *), void *arg) {
    return ga__wrap("ga_wrap", ptr, t, shape, strides, device, deleter, arg);
}

/* =============================================================== >>i-host */
static ga_array *ga__from_host(const char *fn, const void *host, ga_dtype t,
                               ga_shape shape, bool async) {
    ga_array *x = ga__new(fn, ga__current(fn), shape.ndim, shape.dim, t, NULL);
    if (!x || !x->size) return x;
    if (!host) {
        ga_free(x);
        return (ga_array *)GA__NULL(GA_ERR_NULL, fn, "the host pointer is NULL");
    }
    ga__device *d = x->ga__buf->dev;
    ga_stream *s = ga__stream(d);
    ga_status st = ga__order(fn, x->ga__buf, s, true);
    if (!st)
        st = d->be->copy(d, fn, GA__H2D, x->data, host,
                         (size_t)x->size * ga__size(t), s, async);
    return ga__or_free(x, st);
}
GA_API ga_array *(ga_asarray_as)(const void *host, ga_dtype t, ga_shape s) {
    return ga__from_host("ga_asarray", host, t, s, false);
}
GA_API ga_array *(ga_asarray_async)(const void *host, ga_dtype t, ga_shape s) {
    return ga__from_host("ga_asarray_async", host, t, s, true);
}

/* x in C order: x itself where it is so already (*made false), else a copy,
   made on x's own device whichever is current.                             */
static const ga_array *ga__in_c_order(const char *fn, const ga_array *x,
                                      bool *made) {
    *made = !ga_is_contiguous(x);
    if (!*made) return x;
    ga_device_guard g = ga_device_begin(x->device);
    ga_array *c = ga__copy_as(fn, x, x->dtype);
    ga_device_end(&g);
    return c;
}

static void *ga__to_host(const char *fn, const ga_array *x, void *dst,
                         bool async) {
    if (!ga__ok(fn, x)) return NULL;
    size_t bytes = (size_t)x->size * ga__size(x->dtype);
    if (async && !dst)
        return GA__NULL(GA_ERR_NULL, fn, "the destination is NULL");
    void *block = dst ? dst : malloc(bytes ? bytes : 1);
    if (!block) return GA__NULL(GA_ERR_HOST_MEMORY, fn, "%zu bytes", bytes);
    if (ga__is_number(x)) return memcpy(block, x->data, bytes);
    bool made = false;
    const ga_array *c = bytes ? ga__in_c_order(fn, x, &made) : x;
    ga_status st = c ? GA_OK : ga__failed();
    if (c && bytes) {
        ga__device *d = x->ga__buf->dev;
        ga_stream *s = ga__stream(d);
        st = ga__order(fn, c->ga__buf, s, false);
        if (!st)
            st = d->be->copy(d, fn, GA__D2H, block, c->data, bytes, s, async);
    }
    if (made) ga_free((ga_array *)(uintptr_t)c);
    if (!st) return block;
    if (!dst) free(block);
    return NULL;
}
GA_API void *ga_asnumpy(const ga_array *x, void *dst) {
    return ga__to_host("ga_asnumpy", x, dst, false);
}
GA_API void *ga_asnumpy_async(const ga_array *x, void *dst) {
    return ga__to_host("ga_asnumpy_async", x, dst, true);
}

/* The element at data, cast to t, in *out. */
static ga_status ga__item(const char *fn, const ga_array *x, const void *data,
                          void *out, ga_dtype t) {
    unsigned char raw[16];
    if (ga__is_number(x)) {
        memcpy(raw, data, ga__size(x->dtype));
    } else {
        ga__device *d = x->ga__buf->dev;
        ga_stream *s = ga__stream(d);
        ga_status st = ga__order(fn, x->ga__buf, s, false);
        if (!st) st = d->be->fetch(d, fn, raw, data, (int)ga__size(x->dtype), s);
        if (st) return st;
    }
    ga__cast_element(raw, x->dtype, out, t);
    return GA_OK;
}
static bool ga__item_ok(const char *fn, const ga_array *x, ga_dtype t) {
    if (!ga__ok(fn, x)) return false;
    if (x->size != 1) {
        ga__fail(GA_ERR_SHAPE, fn, "shape %s has %" PRId64 " elements, not one",
                 ga__shape_text(x->ndim, x->shape), x->size);
        return false;
    }
    char k = ga__kind(x->dtype);
    if (t == GA_COMPLEX128 || (t == GA_FLOAT64 && k != 'c')
        || (t == GA_INT64 && k != 'c' && k != 'f'))
        return true;
    ga__fail(GA_ERR_DTYPE, fn, "the array is %s", ga_dtype_name(x->dtype));
    return false;
}
GA_API double ga_item(const ga_array *x) {
    double v;
    if (!ga__item_ok("ga_item", x, GA_FLOAT64)
        || ga__item("ga_item", x, x->data, &v, GA_FLOAT64))
        return (double)NAN;
    return v;
}
GA_API int64_t ga_item_i64(const ga_array *x) {
    int64_t v;
    if (!ga__item_ok("ga_item_i64", x, GA_INT64)
        || ga__item("ga_item_i64", x, x->data, &v, GA_INT64))
        return 0;
    return v;
}
GA_API ga_complex128 ga_item_c128(const ga_array *x) {
    double v[2] = {(double)NAN, (double)NAN};
    ga_complex128 z;
    if (ga__item_ok("ga_item_c128", x, GA_COMPLEX128))
        ga__item("ga_item_c128", x, x->data, v, GA_COMPLEX128);
    memcpy(&z, v, sizeof z);
    return z;
}
GA_API double ga_item_at(const ga_array *x, ga_shape index) {
    const char *fn = "ga_item_at";
    if (!ga__ok(fn, x)) return (double)NAN;
    if (index.ndim != x->ndim) {
        ga__fail(GA_ERR_INDEX, fn, "%d indices for shape %s", index.ndim,
                 ga__shape_text(x->ndim, x->shape));
        return (double)NAN;
    }
    if (ga__kind(x->dtype) == 'c') {
        ga__fail(GA_ERR_DTYPE, fn, "the array is %s", ga_dtype_name(x->dtype));
        return (double)NAN;
    }
    int64_t off = 0;
    for (int i = 0; i < x->ndim; i++) {
        int64_t k = index.dim[i], n = x->shape[i];
        if (k < -n || k >= n) {
            ga__fail(GA_ERR_INDEX, fn, "index %" PRId64 " is out of bounds for "
                     "axis %d with size %" PRId64, k, i, n);
            return (double)NAN;
        }
        off += (k < 0 ? k + n : k) * x->strides[i];
    }
    double v;
    const char *p = (const char *)x->data + off * (int64_t)ga__size(x->dtype);
    return ga__item(fn, x, p, &v, GA_FLOAT64) ? (double)NAN : v;
}

static ga_array *ga__copy_as(const char *fn, const ga_array *x, ga_dtype t) {
    if (!ga__ok(fn, x) || !ga__dtype_ok(fn, t)) return NULL;
    if (!ga__same_device(fn, &x, 1)) return NULL;
    ga_array *r = ga__new(fn, ga__current(fn), x->ndim, x->shape, t, NULL);
    if (!r) return NULL;
    ga_dtype c = ga__computes_in(GA__OP_copy, x->dtype);
    return ga__or_free(r, ga__launch(fn, r->ga__buf->dev, GA__OP_copy, c, r, &x,
                                     1, NULL));
}
GA_API ga_array *(ga_copy)(const ga_array *x) {
    return ga__copy_as("ga_copy", x, x ? x->dtype : GA_BOOL);
}
GA_API ga_array *(ga_astype)(const ga_array *x, ga_dtype t) {
    return ga__copy_as("ga_astype", x, t);
}
GA_API ga_array *(ga_ascontiguousarray)(const ga_array *x) {
    const char *fn = "ga_ascontiguousarray";
    if (!ga__ok(fn, x)) return NULL;
    return ga_is_contiguous(x) && !ga__is_number(x)
               ? ga__view_new(fn, x) : ga__copy_as(fn, x, x->dtype);
}


/* ============================================================== >>i-views */
/* Product of the lengths of a shape known not to overflow. */
static int64_t ga__volume(int ndim, const int64_t *shape) {
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
        if (!shape[i]) return 0;
    for (int i = 0; i < ndim; i++) n *= shape[i];
    return n;
}
/* Last step of a view: counts, and moves the start by `skip` elements. An
   empty view stays where it is: its start may lie outside the memory.      */
static ga_array *ga__view_done(ga_array *v, int64_t skip) {
    for (int i = v->ndim; i < GA_MAX_NDIM; i++)
        v->shape[i] = v->strides[i] = 0;
    v->size = ga__volume(v->ndim, v->shape);
    if (v->size)
        v->data = (char *)v->data + skip * (int64_t)ga__size(v->dtype);
    return v;
}
/* Axes as a list in the order given, GA_ALL as 0, 1, ...; their number, or -1
   and an error.                                                            */
static int ga__axes_list(const char *fn, ga_axis a, int ndim, int *out) {
    unsigned mask;
    if (!ga__axes_mask(fn, a, ndim, &mask)) return -1;
    int n = a.n < 0 ? ndim : a.n;
    for (int i = 0; i < n; i++)
        out[i] = a.n < 0 ? i : a.axis[i] < 0 ? a.axis[i] + ndim : a.axis[i];
    return n;
}

/* ------------------------------------------------- the slice string's parser
   index  = item {"," item} [","]
   item   = integer | [integer] ":" [integer] [":" [integer]]
          | "..." | "newaxis" | "None"                                      */
typedef struct ga__index {
    enum { GA__INTEGER, GA__RANGE, GA__NEWAXIS, GA__DOTS } kind;
    bool has_start, has_stop;
    int64_t start, stop, step;      /* an integer stands in start           */
} ga__index;
/* Eight axes each dropped, eight new ones, and "...": more is never right. */
#define GA__MAX_INDEX (2 * GA_MAX_NDIM + 1)
#define GA__SLICE_TEXT 512          /* longest formatted text               */

/* The reason, then the text (a window of it, if long) and a caret below. */
static ga_status ga__slice_error(ga_status st, const char *fn,
                                 const char *text, size_t at,
                                 const char *reason) {
    enum { WINDOW = 64 };
    char shown[WINDOW + 1];
    size_t from = at > WINDOW / 2 ? at - WINDOW / 2 : 0, n = 0;
    if (strlen(text) <= WINDOW) from = 0;
    for (; n < WINDOW && text[from + n]; n++) {
        unsigned char c = (unsigned char)text[from + n];
        shown[n] = c < ' ' || c == 127 ? ' ' : (char)c;
    }
    shown[n] = 0;
    return ga__fail(st, fn, "%s, at character %zu\n    %s\n    %*s^", reason,
                    at + 1, shown, (int)(at - from), "");
}
static const char *ga__skip_blank(const char *p) {
    while (*p == ' ' || (*p >= '\t' && *p <= '\r')) p++;
    return p;
}
static bool ga__is_digit(char c) { return c >= '0' && c <= '9'; }

/* An integer at p: its end, or p where there is none. Saturates. */
static const char *ga__slice_integer(const char *p, int64_t *v, bool *huge) {
    bool neg = *p == '-';
    const char *q = neg || *p == '+' ? ga__skip_blank(p + 1) : p;
    int64_t n = 0;
    *huge = false;
    if (!ga__is_digit(*q)) return p;
    for (; ga__is_digit(*q); q++) {
        int d = *q - '0';
        if (n >= (INT64_MIN + d) / 10) n = n * 10 - d;  /* negative: one    */
        else *huge = true;                              /* more fits        */
    }
    if (!neg && n == INT64_MIN) *huge = true;
    *v = *huge ? (neg ? INT64_MIN : INT64_MAX) : neg ? n : -n;
    return q;
}
/* The word w at p, and no longer word: its end, else NULL. */
static const char *ga__slice_word(const char *p, const char *w) {
    size_t n = strlen(w);
    if (strncmp(p, w, n)) return NULL;
    char c = p[n];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
           || ga__is_digit(c) ? NULL : p + n;
}

/* A pure function of the text. `out` has room for GA__MAX_INDEX. Numbers of
   slices saturate, which is what clipping does with them anyway.           */
static ga_status ga__parse_slice(const char *fn, const char *text,
                                 ga__index *out, int *count) {
    bool dots = false, huge;
    const char *p = ga__skip_blank(text), *q;
    *count = 0;
    if (!*p)
        return ga__slice_error(GA_ERR_SYNTAX, fn, text, (size_t)(p - text),
                               "an index is missing");
    while (*p) {
        const char *at = p;
        ga__index it = {GA__RANGE, false, false, 0, 0, 1};
        if (*count == GA__MAX_INDEX)
            return ga__slice_error(GA_ERR_INDEX, fn, text, (size_t)(p - text),
                                   "too many indices");
        if (!strncmp(p, "...", 3)) {
            if (dots)
                return ga__slice_error(GA_ERR_SYNTAX, fn, text,
                                       (size_t)(p - text),
                                       "\"...\" is possible once");
            dots = true;
            it.kind = GA__DOTS;
            p += 3;
        } else if ((q = ga__slice_word(p, "newaxis")) != NULL
                   || (q = ga__slice_word(p, "None")) != NULL) {
            it.kind = GA__NEWAXIS;
            p = q;
        } else {
            q = ga__slice_integer(p, &it.start, &huge);
            it.has_start = q != p;
            p = ga__skip_blank(q);
            if (*p != ':') {
                if (!it.has_start)
                    return ga__slice_error(GA_ERR_SYNTAX, fn, text,
                                           (size_t)(p - text), "expected an "
                                           "integer, ':', '...' or newaxis");
                if (huge)
                    return ga__slice_error(GA_ERR_INDEX, fn, text,
                                           (size_t)(at - text),
                                           "the index does not fit in int64");
                it.kind = GA__INTEGER;
            } else {
                p = ga__skip_blank(p + 1);
                q = ga__slice_integer(p, &it.stop, &huge);
                it.has_stop = q != p;
                p = ga__skip_blank(q);
                if (*p == ':') {
                    p = ga__skip_blank(p + 1);
                    q = ga__slice_integer(p, &it.step, &huge);
                    if (!it.step)
                        return ga__slice_error(GA_ERR_VALUE, fn, text,
                                               (size_t)(p - text),
                                               "the step cannot be zero");
                    p = q;
                }
            }
        }
        p = ga__skip_blank(p);
        if (*p && *p != ',')
            return ga__slice_error(
                GA_ERR_SYNTAX, fn, text, (size_t)(p - text),
                it.kind == GA__INTEGER ? "expected ',' or ':'"
                                       : "expected ','");
        if (*p) p = ga__skip_blank(p + 1);
        out[(*count)++] = it;
    }
    return GA_OK;
}

/* A slice clipped to an axis of n elements, by Python's rules: the first
   element taken and how many; the step is r's, made negatable.             */
static void ga__clip_slice(ga__index *r, int64_t n, int64_t *first,
                           int64_t *len) {
    if (r->step == INT64_MIN) r->step = -INT64_MAX;
    bool down = r->step < 0;
    int64_t lo = down ? -1 : 0, hi = down ? n - 1 : n;
    int64_t a = r->start < 0 ? r->start + n : r->start;
    int64_t b = r->stop < 0 ? r->stop + n : r->stop;
    a = !r->has_start ? (down ? hi : lo) : a < lo ? lo : a > hi ? hi : a;
    b = !r->has_stop ? (down ? lo : hi) : b < lo ? lo : b > hi ? hi : b;
    *first = a;
    *len = down ? (a > b ? (a - b - 1) / -r->step + 1 : 0)
                : (b > a ? (b - a - 1) / r->step + 1 : 0);
}
/* Appends to v axis `a` of x cut by r; returns by how much the start moves. */
static int64_t ga__cut(ga_array *v, const ga_array *x, int a, ga__index r) {
    int64_t first, len;
    ga__clip_slice(&r, x->shape[a], &first, &len);
    v->shape[v->ndim] = len;
    /* with fewer than two elements a huge step must not overflow the stride */
    v->strides[v->ndim++] = len > 1 ? x->strides[a] * r.step : x->strides[a];
    return len ? first * x->strides[a] : 0;
}
/* Where index i of axis a begins; false and an error out of range. */
static bool ga__pick(const char *fn, const ga_array *x, int a, int64_t i,
                     int64_t *skip) {
    int64_t n = x->shape[a], k = i < 0 ? i + n : i;
    if (k < 0 || k >= n) {
        ga__fail(GA_ERR_INDEX, fn, "index %" PRId64 " is out of bounds for "
                 "axis %d with size %" PRId64, i, a, n);
        return false;
    }
    *skip += k * x->strides[a];
    return true;
}

GA_API ga_array *(ga_slice)(const ga_array *x, const char *fmt, ...) {
    static const char fn[] = "ga_slice";
    char text[GA__SLICE_TEXT + 1];
    ga__index it[GA__MAX_INDEX];
    int n, used = 0, fresh = 0, dots = -1;
    if (!ga__ok(fn, x)) return NULL;
    if (!fmt) return (ga_array *)GA__NULL(GA_ERR_NULL, fn, "the text is NULL");
    va_list ap;
    va_start(ap, fmt);
    n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n < 0 || n >= (int)sizeof text)
        return (ga_array *)GA__NULL(GA_ERR_SYNTAX, fn, "the text has %d "
                                    "characters; %d are possible", n,
                                    GA__SLICE_TEXT);
    if (ga__parse_slice(fn, text, it, &n)) return NULL;
    for (int i = 0; i < n; i++) {
        used += it[i].kind == GA__INTEGER || it[i].kind == GA__RANGE;
        fresh += it[i].kind == GA__NEWAXIS;
        if (it[i].kind == GA__INTEGER) fresh--;
        if (it[i].kind == GA__DOTS) dots = i;
    }
    if (used > x->ndim)
        return (ga_array *)GA__NULL(GA_ERR_INDEX, fn, "too many indices: the "
                                    "array has %d dimensions, but %d were "
                                    "indexed by \"%s\"", x->ndim, used, text);
    if (x->ndim + fresh > GA_MAX_NDIM)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "\"%s\" gives %d "
                                    "dimensions; %d are possible", text,
                                    x->ndim + fresh, GA_MAX_NDIM);
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    const ga__index whole = {GA__RANGE, false, false, 0, 0, 1};
    int64_t skip = 0;
    int a = 0;
    v->ndim = 0;
    for (int i = 0; i < n; i++) {
        if (i == dots) {
            for (int k = x->ndim - used; k-- > 0; a++)
                skip += ga__cut(v, x, a, whole);
        } else if (it[i].kind == GA__NEWAXIS) {
            v->shape[v->ndim] = 1;
            v->strides[v->ndim++] = 1;
        } else if (it[i].kind == GA__RANGE) {
            skip += ga__cut(v, x, a++, it[i]);
        } else if (!ga__pick(fn, x, a++, it[i].start, &skip)) {
            ga_free(v);
            return NULL;
        }
    }
    while (a < x->ndim) skip += ga__cut(v, x, a++, whole);
    return ga__view_done(v, skip);
}

GA_API ga_array *(ga_slice_axis)(const ga_array *x, int axis, int64_t start,
                                 int64_t stop, int64_t step) {
    static const char fn[] = "ga_slice_axis";
    ga__index r = {GA__RANGE, start != GA_END, stop != GA_END, start, stop,
                   step};
    if (!ga__ok(fn, x)) return NULL;
    int a = ga__axis(fn, axis, x->ndim);
    if (a < 0) return NULL;
    if (!step)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn,
                                    "the step cannot be zero");
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    v->ndim = a;
    int64_t skip = ga__cut(v, x, a, r);
    v->ndim = x->ndim;
    return ga__view_done(v, skip);
}

GA_API ga_array *(ga_index_axis)(const ga_array *x, int axis, int64_t i) {
    static const char fn[] = "ga_index_axis";
    int64_t skip = 0;
    if (!ga__ok(fn, x)) return NULL;
    int a = ga__axis(fn, axis, x->ndim);
    if (a < 0 || !ga__pick(fn, x, a, i, &skip)) return NULL;
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    for (int k = a; k + 1 < x->ndim; k++) {
        v->shape[k] = x->shape[k + 1];
        v->strides[k] = x->strides[k + 1];
    }
    v->ndim--;
    return ga__view_done(v, skip);
}

/* ----------------------------------------------------------------- shapes */
/* Strides that give x the new shape without a copy; false if there are none.
   Neighbouring axes of x that step as one are joined to runs; each new axis,
   from the last, must divide what is left of its run.                      */
static bool ga__restride(const ga_array *x, int ndim, const int64_t *shape,
                         int64_t *strides) {
    int64_t len[GA_MAX_NDIM], step[GA_MAX_NDIM], rest = 1, s = 1;
    int runs = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (x->shape[i] == 1) continue;
        if (runs && step[runs - 1] == x->strides[i] * x->shape[i]) {
            len[runs - 1] *= x->shape[i];
        } else {
            len[runs++] = x->shape[i];
        }
        step[runs - 1] = x->strides[i];
    }
    for (int i = ndim; i-- > 0;) {
        if (shape[i] != 1 && rest == 1) {
            rest = len[--runs];
            s = step[runs];
        }
        if (rest % shape[i]) return false;
        strides[i] = s;
        s *= shape[i];
        rest /= shape[i];
    }
    return true;
}

static ga_array *ga__reshape(const char *fn, const ga_array *x,
                             ga_shape shape) {
    int64_t known, strides[GA_MAX_NDIM];
    int hole = -1;
    if (!ga__ok(fn, x)) return NULL;
    if (shape.ndim < 0 || shape.ndim > GA_MAX_NDIM)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "%d dimensions; 0 to %d "
                                    "are possible", shape.ndim, GA_MAX_NDIM);
    ga_shape want = shape;
    for (int i = 0; i < want.ndim; i++) {
        if (want.dim[i] != -1) continue;
        if (hole >= 0)
            return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "-1 is possible once "
                                        "in a shape, not twice as in %s",
                                        ga__shape_text(shape.ndim, shape.dim));
        hole = i;
        want.dim[i] = 1;
    }
    if (!ga__count(fn, want.ndim, want.dim, x->dtype, &known)) return NULL;
    bool fits = known == x->size;
    if (hole >= 0) {
        fits = known && x->size % known == 0;
        if (fits) want.dim[hole] = x->size / known;
    }
    if (!fits)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "an array of shape %s "
                                    "and size %" PRId64 " does not reshape to "
                                    "%s", ga__shape_text(x->ndim, x->shape),
                                    x->size,
                                    ga__shape_text(shape.ndim, shape.dim));
    bool same = x->size && ga__restride(x, want.ndim, want.dim, strides);
    ga_array *v;
    if (same || !x->size) {
        v = ga__view_new(fn, x);
    } else {                        /* on x's device                        */
        ga_device_guard g = ga_device_begin(x->device);
        v = ga__copy_as(fn, x, x->dtype);
        ga_device_end(&g);
    }
    if (!v) return NULL;
    int64_t c_order = 1;
    v->ndim = want.ndim;
    for (int i = want.ndim; i-- > 0;) {
        v->shape[i] = want.dim[i];
        v->strides[i] = same ? strides[i] : c_order;
        if (x->size) c_order *= want.dim[i];
    }
    return ga__view_done(v, 0);
}
GA_API ga_array *(ga_reshape)(const ga_array *x, ga_shape shape) {
    return ga__reshape("ga_reshape", x, shape);
}
GA_API ga_array *(ga_ravel)(const ga_array *x) {
    ga_shape all = {1, {-1}};
    if (x) all.dim[0] = x->size;
    return ga__reshape("ga_ravel", x, all);
}

/* Axis i of the result is axis perm[i] of x. */
static ga_array *ga__permuted(const char *fn, const ga_array *x,
                              const int *perm) {
    ga_array *v = ga__view_new(fn, x);
    for (int i = 0; v && i < x->ndim; i++) {
        v->shape[i] = x->shape[perm[i]];
        v->strides[i] = x->strides[perm[i]];
    }
    return v;
}
GA_API ga_array *(ga_transpose)(const ga_array *x, ga_axis perm) {
    static const char fn[] = "ga_transpose";
    int p[GA_MAX_NDIM];
    if (!ga__ok(fn, x)) return NULL;
    int n = ga__axes_list(fn, perm, x->ndim, p);
    if (n < 0) return NULL;
    if (n != x->ndim)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, fn, "%d axes given for an "
                                    "array of %d dimensions", n, x->ndim);
    for (int i = 0; perm.n < 0 && i < n; i++) p[i] = n - 1 - i;
    return ga__permuted(fn, x, p);
}
GA_API ga_array *(ga_swapaxes)(const ga_array *x, int a, int b) {
    static const char fn[] = "ga_swapaxes";
    int p[GA_MAX_NDIM];
    if (!ga__ok(fn, x)) return NULL;
    if ((a = ga__axis(fn, a, x->ndim)) < 0
        || (b = ga__axis(fn, b, x->ndim)) < 0)
        return NULL;
    for (int i = 0; i < x->ndim; i++) p[i] = i;
    p[a] = b;
    p[b] = a;
    return ga__permuted(fn, x, p);
}
GA_API ga_array *(ga_moveaxis)(const ga_array *x, ga_axis from, ga_axis to) {
    static const char fn[] = "ga_moveaxis";
    int f[GA_MAX_NDIM], t[GA_MAX_NDIM], p[GA_MAX_NDIM];
    unsigned taken = 0, moved = 0;
    if (!ga__ok(fn, x)) return NULL;
    int n = ga__axes_list(fn, from, x->ndim, f);
    int m = n < 0 ? -1 : ga__axes_list(fn, to, x->ndim, t);
    if (m < 0) return NULL;
    if (n != m)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, fn, "%d axes cannot move to "
                                    "%d places", n, m);
    for (int i = 0; i < n; i++) {
        p[t[i]] = f[i];
        taken |= 1u << t[i];
        moved |= 1u << f[i];
    }
    for (int i = 0, k = 0; i < x->ndim; i++) {
        if (taken >> i & 1) continue;
        while (moved >> k & 1) k++;
        p[i] = k++;
    }
    return ga__permuted(fn, x, p);
}

GA_API ga_array *(ga_expand_dims)(const ga_array *x, ga_axis at) {
    static const char fn[] = "ga_expand_dims";
    unsigned mask;
    if (!ga__ok(fn, x)) return NULL;
    if (at.n < 0)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, fn, "GA_ALL is no position; "
                                    "name them by GA_AXIS");
    if (at.n > GA_MAX_NDIM - x->ndim)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "%d more dimensions for "
                                    "shape %s; %d in all are possible", at.n,
                                    ga__shape_text(x->ndim, x->shape),
                                    GA_MAX_NDIM);
    if (!ga__axes_mask(fn, at, x->ndim + at.n, &mask)) return NULL;
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    v->ndim = x->ndim + at.n;
    for (int i = 0, k = 0; i < v->ndim; i++) {
        bool fresh = mask >> i & 1;
        v->shape[i] = fresh ? 1 : x->shape[k];
        v->strides[i] = fresh ? 1 : x->strides[k];
        k += !fresh;
    }
    return v;
}
GA_API ga_array *(ga_squeeze)(const ga_array *x, ga_axis at) {
    static const char fn[] = "ga_squeeze";
    unsigned mask;
    if (!ga__ok(fn, x) || !ga__axes_mask(fn, at, x->ndim, &mask)) return NULL;
    for (int i = 0; i < x->ndim; i++) {
        if (!(mask >> i & 1) || x->shape[i] == 1) continue;
        if (at.n >= 0)
            return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "axis %d of shape %s "
                                        "does not have length 1", i,
                                        ga__shape_text(x->ndim, x->shape));
        mask &= ~(1u << i);
    }
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    v->ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (mask >> i & 1) continue;
        v->shape[v->ndim] = x->shape[i];
        v->strides[v->ndim++] = x->strides[i];
    }
    return ga__view_done(v, 0);
}

GA_API ga_array *(ga_broadcast_to)(const ga_array *x, ga_shape shape) {
    static const char fn[] = "ga_broadcast_to";
    int64_t n;
    if (!ga__ok(fn, x)
        || !ga__count(fn, shape.ndim, shape.dim, x->dtype, &n))
        return NULL;
    int lead = shape.ndim - x->ndim;
    bool fits = lead >= 0;
    for (int i = 0; fits && i < x->ndim; i++)
        fits = x->shape[i] == 1 || x->shape[i] == shape.dim[lead + i];
    if (!fits)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "shape %s does not "
                                    "broadcast to %s",
                                    ga__shape_text(x->ndim, x->shape),
                                    ga__shape_text(shape.ndim, shape.dim));
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    v->ndim = shape.ndim;
    for (int i = 0; i < shape.ndim; i++) {
        bool same = i >= lead && x->shape[i - lead] == shape.dim[i];
        v->shape[i] = shape.dim[i];
        v->strides[i] = same ? x->strides[i - lead] : 0;
    }
    return ga__view_done(v, 0);
}

GA_API ga_array *(ga_flip)(const ga_array *x, ga_axis at) {
    static const char fn[] = "ga_flip";
    unsigned mask;
    if (!ga__ok(fn, x) || !ga__axes_mask(fn, at, x->ndim, &mask)) return NULL;
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    int64_t skip = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (!(mask >> i & 1) || x->shape[i] < 2) continue;
        skip += (x->shape[i] - 1) * x->strides[i];
        v->strides[i] = -x->strides[i];
    }
    return ga__view_done(v, skip);
}

GA_API ga_array *(ga_diagonal)(const ga_array *x, int64_t offset, int axis1,
                               int axis2) {
    static const char fn[] = "ga_diagonal";
    if (!ga__ok(fn, x)) return NULL;
    int a = ga__axis(fn, axis1, x->ndim);
    int b = a < 0 ? -1 : ga__axis(fn, axis2, x->ndim);
    if (b < 0) return NULL;
    if (a == b)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, fn, "axis1 and axis2 are both "
                                    "axis %d", a);
    /* right of the main diagonal columns are skipped, left of it rows */
    int64_t rows = x->shape[a], cols = x->shape[b], skip = 0;
    if (offset >= 0) {
        cols = offset < cols ? cols - offset : 0;
        if (cols) skip = offset * x->strides[b];
    } else {
        rows = offset > -rows ? rows + offset : 0;
        if (rows) skip = -offset * x->strides[a];
    }
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    v->ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        if (i == a || i == b) continue;
        v->shape[v->ndim] = x->shape[i];
        v->strides[v->ndim++] = x->strides[i];
    }
    v->shape[v->ndim] = rows < cols ? rows : cols;
    v->strides[v->ndim++] = x->strides[a] + x->strides[b];
    return ga__view_done(v, skip);
}

/* ------------------------------------------------------------ same shape */
GA_API ga_array *(ga_view)(const ga_array *x) {
    return ga__view_new("ga_view", x);
}
/* The first (0) or second (1) real number of each complex element. */
static ga_array *ga__part(const char *fn, const ga_array *x, int part) {
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    v->dtype = x->dtype == GA_COMPLEX64 ? GA_FLOAT32 : GA_FLOAT64;
    for (int i = 0; i < x->ndim; i++) v->strides[i] = 2 * x->strides[i];
    return ga__view_done(v, part);
}
GA_API ga_array *(ga_real)(const ga_array *x) {
    static const char fn[] = "ga_real";
    if (!ga__ok(fn, x)) return NULL;
    if (ga__kind(x->dtype) != 'c') return ga__view_new(fn, x);
    return ga__part(fn, x, 0);
}
GA_API ga_array *(ga_imag)(const ga_array *x) {
    static const char fn[] = "ga_imag";
    if (!ga__ok(fn, x)) return NULL;
    if (ga__kind(x->dtype) == 'c') return ga__part(fn, x, 1);
    ga_device_guard g = ga_device_begin(x->device);
    ga_array *z = ga__zeros(fn, x->ndim, x->shape, x->dtype, NULL);
    ga_device_end(&g);
    return z;
}


/* ============================================================ >>i-joining */

/* ======================================================== >>i-elementwise */
enum { GA__R_SAME, GA__R_BOOL, GA__R_REAL, GA__R_U8, GA__R_I32 };
typedef struct ga__op_info {
    const char *name;
    unsigned char types, result;
} ga__op_info;
#define GA__X(n, t, r, ...) {"ga_" #n, t, GA__R_##r},
static const ga__op_info ga__ops[GA__NUM_OPS] = {GA__ALL_ROWS(GA__X)};
#undef GA__X

/* The current device, if all arrays are on it; C numbers are anywhere. */
static ga__device *ga__same_device(const char *fn, const ga_array *const *x,
                                   int n) {
    ga__device *d = ga__current(fn);
    for (int i = 0; d && i < n; i++)
        if (!ga__is_number(x[i]) && x[i]->device != d->id) {
            ga__fail(GA_ERR_DEVICE_MISMATCH, fn, "array device must be same as "
                     "the current device: array device = %d while current = %d",
                     x[i]->device, d->id);
            return NULL;
        }
    return d;
}

/* ------------------------------------------------------------ dtype rules */
/* Does the C number fit the integer dtype t? */
static bool ga__fits(const ga_array *number, ga_dtype t) {
    int bits = (int)ga__size(t) * 8;
    if (number->dtype == GA_UINT64) return t == GA_UINT64;
    int64_t v = number->ga__value.i;
    if (ga__kind(t) == 'u') return v >= 0 && (bits == 64 || v >> bits == 0);
    return bits == 64 || (v >= -((int64_t)1 << (bits - 1))
                          && v < (int64_t)1 << (bits - 1));
}
static bool ga__is_comparison(ga__op op) {
    return op >= GA__OP_equal && op <= GA__OP_greater_equal;
}
/* Are integers of any size meant, because only their truth or order counts? */
static bool ga__takes_any(ga__op op) {
    return ga__is_comparison(op) || op == GA__OP_logical_and
           || op == GA__OP_logical_or || op == GA__OP_logical_xor;
}

/* An integer or bool as the smallest float that stands for it in NumPy. */
static ga_dtype ga__float_for(ga_dtype t) {
    if (t != GA_BOOL && !ga__is_int(t)) return t;
    size_t size = ga__size(t);
    return size == 1 ? GA_FLOAT16 : size == 2 ? GA_FLOAT32 : GA_FLOAT64;
}

/* The dtype in which NumPy 2 would compute: strong dtypes promote, then a
   C number adds at most its kind. Where a row of floats alone is given only
   integer arrays they become floats first. C integers must fit the dtype where
   that is an integer one and the row computes in it. GA_NUM_DTYPES and an
   error if it cannot.                                                      */
static ga_dtype ga__common(const char *name, ga__op op, const ga_array *const *x,
                           int n) {
    unsigned types = ga__ops[op].types;
    ga_dtype strong = GA_NUM_DTYPES, weak = GA_NUM_DTYPES;
    bool floats = (types & (GA__I | GA__F | GA__D)) == GA__F, ints = true;
    for (int i = 0; i < n && floats; i++)
        floats = x[i]->ga__magic != GA__WEAK
                 && (x[i]->dtype == GA_BOOL || ga__is_int(x[i]->dtype));
    for (int i = 0; i < n; i++) {
        bool w = x[i]->ga__magic == GA__WEAK;
        ga_dtype *t = w ? &weak : &strong;
        ga_dtype u = floats ? ga__float_for(x[i]->dtype) : x[i]->dtype;
        *t = *t == GA_NUM_DTYPES ? u : ga_promote_types(*t, u);
        ints &= !w || ga__is_int(u);
    }
    if (weak == GA_NUM_DTYPES) return strong;
    if (ints && !ga__is_int(weak)) weak = GA_UINT64;    /* beside an int64   */
    char s = strong == GA_NUM_DTYPES ? 'b' : ga__kind(strong);
    char w = ga__kind(weak);
    if (strong == GA_NUM_DTYPES && !ints) return weak;
    if (w == 'c') {
        if (s == 'c') return strong;
        return s == 'f' && strong != GA_FLOAT64 ? GA_COMPLEX64 : GA_COMPLEX128;
    }
    if (w == 'f') return s == 'f' || s == 'c' ? strong : GA_FLOAT64;
    if (s == 'b') strong = weak;
    if (!ga__is_int(strong) || !(types & GA__I)) return strong;
    for (int i = 0; i < n; i++) {
        if (x[i]->ga__magic != GA__WEAK || ga__fits(x[i], strong)) continue;
        if (ga__takes_any(op)) return ga_promote_types(strong, x[i]->dtype);
        ga__check_fits(name, x[i], strong);
        return GA_NUM_DTYPES;
    }
    return strong;
}

/* t, or what it goes up to for a row with these types; GA_NUM_DTYPES and an
   error where NumPy raises TypeError.                                      */
static ga_dtype ga__supported(const char *name, unsigned types, ga_dtype t) {
    char k = ga__kind(t);
    unsigned bit = k == 'b' ? GA__B : ga__is_int(t) ? GA__I
                   : k == 'f' ? GA__F : GA__C;
    if (types & bit) return t;
    if (k == 'b' && !(types & GA__N) && (types & GA__I)) return GA_INT8;
    if ((k == 'b' && !(types & GA__N)) || ga__is_int(t)) {
        if (types & GA__D) return GA_FLOAT64;
        if (types & GA__F) return ga__float_for(t);
    }
    ga__fail(GA_ERR_DTYPE, name, "%s is not supported", ga_dtype_name(t));
    return GA_NUM_DTYPES;
}
static ga_dtype ga__result_dtype(int result, ga_dtype t) {
    switch (result) {
    case GA__R_BOOL: return GA_BOOL;
    case GA__R_REAL:
        return t == GA_COMPLEX64 ? GA_FLOAT32
               : t == GA_COMPLEX128 ? GA_FLOAT64 : t;
    case GA__R_U8: return GA_UINT8;
    case GA__R_I32: return GA_INT32;
    default: return t;
    }
}
static ga_dtype ga__computes_in(ga__op op, ga_dtype t) {
    bool half = t == GA_FLOAT16 || t == GA_BFLOAT16;
    return half && op != GA__OP_nextafter ? GA_FLOAT32 : t;
}

/* How NumPy types one operation: dtypes and C numbers' values are all it
   looks at.                                                                */
typedef struct ga__typing {
    ga__op op;
    bool swap;                      /* the operands change places           */
    ga_dtype t, compute, result;    /* before and after halves widen        */
} ga__typing;
static bool ga__types(const char *name, ga__op op, const ga_array *const *x,
                      int n, ga__typing *r) {
    /* where promotes its values alone, ldexp its first operand alone */
    int first = op == GA__OP_where, count = op == GA__OP_ldexp ? 1 : n - first;
    int result = ga__ops[op].result;
    ga_dtype t = ga__common(name, op, x + first, count);
    if (t == GA_NUM_DTYPES) return false;
    t = ga__supported(name, ga__ops[op].types, t);
    if (t == GA_NUM_DTYPES) return false;
    if (op == GA__OP_ldexp && !ga__is_int(x[1]->dtype)
        && x[1]->dtype != GA_BOOL) {
        ga__fail(GA_ERR_DTYPE, name, "the exponent is %s, not an integer",
                 ga_dtype_name(x[1]->dtype));
        return false;
    }
    r->swap = false;
    if (ga__is_comparison(op) && n == 2 && t == GA_FLOAT64
        && ga__is_int(x[0]->dtype) && ga__is_int(x[1]->dtype)) {
        /* int64 with uint64: exact, the unsigned one second */
        static const ga__op mirror[] = {
            GA__OP_equal_iu, GA__OP_not_equal_iu, GA__OP_greater_iu,
            GA__OP_greater_equal_iu, GA__OP_less_iu, GA__OP_less_equal_iu};
        int row = (int)(op - GA__OP_equal);
        r->swap = ga__kind(x[0]->dtype) == 'u';
        op = r->swap ? mirror[row] : (ga__op)(GA__OP_equal_iu + row);
        t = GA_INT64;
    }
    r->op = op;
    r->t = t;
    r->compute = ga__computes_in(op, t);
    r->result = ga__result_dtype(result, t);
    return true;
}

/* ---------------------------------------------------------------- shapes */
/* Broadcasts the operands' shapes together: aligned right, 1 stretches. */
static bool ga__broadcast(const char *name, const ga_array *const *x, int n,
                          int *ndim, int64_t *shape) {
    *ndim = 0;
    for (int i = 0; i < n; i++)
        if (x[i]->ndim > *ndim) *ndim = x[i]->ndim;
    for (int d = 0; d < *ndim; d++) shape[d] = 1;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < x[i]->ndim; d++) {
            int64_t len = x[i]->shape[d];
            int64_t *s = &shape[*ndim - x[i]->ndim + d];
            if (*s == 1) *s = len;
            if (len == 1 || len == *s) continue;
            int j = 0;              /* name the one that set this length    */
            while (j < i && (x[j]->ndim < *ndim - (int)(s - shape)
                             || x[j]->shape[x[j]->ndim - *ndim + (s - shape)]
                                    != *s))
                j++;
            ga__fail(GA_ERR_SHAPE, name, "shapes %s and %s do not broadcast",
                     ga__shape_text(x[j]->ndim, x[j]->shape),
                     ga__shape_text(x[i]->ndim, x[i]->shape));
            return false;
        }
    return true;
}
/* A result's order of axes: that of the first operand with its shape, in
   order[]; NULL: C's.                                                      */
static const int *ga__laid_out(const ga_array *const *x, int n, int ndim,
                               const int64_t *shape, int *order) {
    for (int i = 0; i < n && ndim > 1; i++)
        if (x[i]->ndim == ndim
            && !memcmp(x[i]->shape, shape, (size_t)ndim * sizeof *shape)) {
            ga__order_of(x[i], order);
            return order;
        }
    return NULL;
}
/* True if each of x stretches to the shape of out. */
static bool ga__stretches(const ga_array *x, const ga_array *out) {
    if (x->ndim > out->ndim) return false;
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] != 1 && x->shape[d] != out->shape[out->ndim - x->ndim + d])
            return false;
    return true;
}
static bool ga__writable(const char *name, const ga_array *out) {
    if (ga__is_number(out)) {
        ga__fail(GA_ERR_VALUE, name, "a C number cannot be written");
        return false;
    }
    if (out->ga__buf->readonly) {
        ga__fail(GA_ERR_READONLY, name, "the output's memory was handed over "
                 "as read-only");
        return false;
    }
    for (int d = 0; d < out->ndim; d++)
        if (out->strides[d] == 0 && out->shape[d] > 1 && out->size) {
            ga__fail(GA_ERR_READONLY, name, "the output of shape %s is "
                     "broadcast: several elements share their memory",
                     ga__shape_text(out->ndim, out->shape));
            return false;
        }
    return true;
}

/* The bytes that x's elements lie in, from *lo up to *hi. */
static void ga__extent(const ga_array *x, const char **lo, const char **hi) {
    int64_t a = 0, b = 0;
    for (int d = 0; d < x->ndim; d++) {
        int64_t reach = (x->shape[d] - 1) * x->strides[d];
        if (reach < 0) a += reach;
        else b += reach;
    }
    int64_t size = (int64_t)ga__size(x->dtype);
    *lo = (const char *)x->data + a * size;
    *hi = (const char *)x->data + (b + 1) * size;
}
static bool ga__overlaps(const ga_array *x, const ga_array *y) {
    const char *xl, *xh, *yl, *yh;
    if (!x->size || !y->size || ga__is_number(x) || ga__is_number(y)
        || x->device != y->device)
        return false;
    ga__extent(x, &xl, &xh);
    ga__extent(y, &yl, &yh);
    return xl < yh && yl < xh;
}
/* x overlaps out other than element for element, where each is read before
   its place is written.                                                    */
static bool ga__disturbs(const ga_array *x, const ga_array *out) {
    if (!ga__overlaps(x, out)) return false;
    if (x->data != out->data || x->dtype != out->dtype || x->ndim != out->ndim)
        return true;
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] != out->shape[d]
            || (x->shape[d] > 1 && x->strides[d] != out->strides[d]))
            return true;
    return false;
}

/* ---------------------------------------------------------------- launch */
/* A C number as the kernel's value of type t. The usual pairs at once: a
   small call has half a microsecond for everything.                        */
static void ga__value(const ga_array *x, ga_dtype t, unsigned char *out) {
    if (x->dtype == GA_FLOAT64 && t == GA_FLOAT32) {
        float f = (float)x->ga__value.f;
        memcpy(out, &f, sizeof f);
    } else if (x->dtype == GA_INT64 && t == GA_FLOAT32) {
        float f = (float)x->ga__value.i;
        memcpy(out, &f, sizeof f);
    } else if (x->dtype == GA_INT64 && t == GA_FLOAT64) {
        double f = (double)x->ga__value.i;
        memcpy(out, &f, sizeof f);
    } else if (x->dtype == t) {
        memcpy(out, x->data, ga__size(t));
    } else {
        ga__cast_element(x->data, x->dtype, out, t);
    }
}

/* The axes that operands share, o[0] being the output. */
typedef struct ga__axes_of {
    int ndim;
    int64_t *shape;
    int n;
    ga__operand_view *o[1 + GA__E_ARRAYS + GA__E_OUTS];
} ga__axes_of;
static void ga__swap_axes(ga__axes_of *e, int a, int b) {
    int64_t t = e->shape[a];
    e->shape[a] = e->shape[b];
    e->shape[b] = t;
    for (int k = 0; k < e->n; k++) {
        int64_t *s = e->o[k]->stride;
        t = s[a];
        s[a] = s[b];
        s[b] = t;
    }
}
/* Merges neighbours of the axes from .. to-1 that are one axis for all
   operands; returns the axis after the last that is left.                  */
static int ga__merge_axes(ga__axes_of *e, int from, int to) {
    int at = from;                  /* the merged axis being grown          */
    for (int d = from + 1; d < to; d++) {
        bool one = true;
        for (int k = 0; k < e->n && one; k++)
            one = !e->o[k]->data || e->o[k]->stride[at]
                                        == e->o[k]->stride[d] * e->shape[d];
        if (!one) {
            at++;
            if (at != d) ga__swap_axes(e, at, d);
            continue;
        }
        e->shape[at] *= e->shape[d];
        for (int k = 0; k < e->n; k++)
            e->o[k]->stride[at] = e->o[k]->stride[d];
    }
    return from < to ? at + 1 : to;
}
/* The axes from .. to-1 of any launch in their simplest form: those of length 1
   fall away (later axes move up) and neighbours that are one axis for all
   operands merge. With `sort` they stand first by the strides of operand 0,
   broadcast ones first, the fastest last; `turn` makes these positive.
   Returns the end of what is left of them.                                 */
static int ga__group_axes(ga__axes_of *e, int from, int to, bool sort,
                          bool turn) {
    const ga__operand_view *lead = e->o[0];
    int n = from;
    for (int d = from; d < to; d++)
        if (e->shape[d] != 1) {
            if (n != d) ga__swap_axes(e, n, d);
            n++;
        }
    for (int d = from; d < n && turn; d++) {
        if (lead->stride[d] >= 0) continue;
        for (int k = e->n; k-- > 0;) {      /* the lead last: it decides    */
            ga__operand_view *o = e->o[k];
            if (!o->data) continue;
            o->data = (char *)o->data + (e->shape[d] - 1) * o->stride[d]
                                            * (int64_t)ga__size(o->dtype);
            o->stride[d] = -o->stride[d];
        }
    }
    for (int i = from + 1; i < n && sort; i++)
        for (int j = i; j > from; j--) {
            int64_t a = lead->stride[j - 1], b = lead->stride[j];
            if (a < 0) a = -a;
            if (b < 0) b = -b;
            if (!a || (b && a >= b)) break;
            ga__swap_axes(e, j - 1, j);
        }
    n = ga__merge_axes(e, from, n);
    for (int d = to; d < e->ndim && n < to; d++)
        ga__swap_axes(e, n + d - to, d);
    e->ndim -= to - n;
    return n;
}
/* Where nothing is left, one axis of one element. */
static void ga__some_axis(ga__axes_of *e) {
    if (e->ndim) return;
    e->ndim = 1;
    e->shape[0] = 1;
    for (int k = 0; k < e->n; k++) e->o[k]->stride[0] = e->o[k]->data != NULL;
}
/* For an operation element by element: in the order of the output. */
static void ga__normalise(ga__axes_of *e) {
    ga__group_axes(e, 0, e->ndim, true, true);
    ga__some_axis(e);
}
/* For a reduction along `mask`: the kept axes in their order, then the reduced
   ones, with `sort` in that of operand 0 and, with `turn`, its direction.
   Returns the number of those kept.                                        */
static int ga__reduced_axes(ga__axes_of *e, unsigned mask, bool sort,
                            bool turn) {
    int keep = 0;
    for (int d = 0; d < e->ndim; d++) {
        if (mask >> d & 1) continue;
        for (int j = d; j > keep; j--) ga__swap_axes(e, j - 1, j);
        keep++;
    }
    keep = ga__group_axes(e, 0, keep, false, false);
    ga__group_axes(e, keep, e->ndim, sort, turn);
    return keep;
}
/* The operand's strides in an iteration over `ndim` axes, the last adjoining:
   axes of length 1 stretch.                                                */
static void ga__view_of(const ga_array *x, int ndim, ga__operand_view *o) {
    o->data = x->data;
    o->dtype = x->dtype;
    memset(o->stride, 0, sizeof o->stride);
    int skip = ndim - x->ndim;              /* negative: leading ones of x  */
    for (int i = skip < 0 ? -skip : 0; i < x->ndim; i++)
        if (x->shape[i] != 1) o->stride[skip + i] = x->strides[i];
}

static ga_status ga__launch(const char *name, ga__device *d, ga__op op,
                            ga_dtype compute, ga_array *out,
                            const ga_array *const *in, int nin,
                            const double *param);
/* An input that runs along another axis than the output reads whole sectors
   for single elements: above this many elements it pays to transpose it into
   a temporary first (three passes at full rate against one at a fifth).     */
#define GA__TRANSPOSE_FROM 65536
static bool ga__runs_across(const ga__operand_view *o, int ndim,
                            const int64_t *shape, int64_t n) {
    int last = ndim - 1;
    if (!o->data || n < GA__TRANSPOSE_FROM || shape[last] < 8
        || (o->stride[last] >= -2 && o->stride[last] <= 2))
        return false;
    for (int d = 0; d < last; d++)
        if (o->stride[d] == 1 && shape[d] >= 8) return true;
    return false;
}
/* x, laid out as out is: a new array. */
static ga_array *ga__turned(const char *name, ga__device *d, const ga_array *x,
                            const ga_array *out) {
    int order[GA_MAX_NDIM], full[GA_MAX_NDIM], m = 0;
    ga__order_of(out, full);
    for (int i = 0; i < out->ndim; i++)
        if (full[i] >= out->ndim - x->ndim)
            order[m++] = full[i] - (out->ndim - x->ndim);
    ga_array *r = ga__new(name, d, x->ndim, x->shape, x->dtype, order);
    if (!r) return NULL;
    return ga__or_free(r, ga__launch(name, d, GA__OP_copy,
                                     ga__computes_in(GA__OP_copy, x->dtype), r,
                                     &x, 1, NULL));
}

static ga_status ga__launch(const char *name, ga__device *d, ga__op op,
                            ga_dtype compute, ga_array *out,
                            const ga_array *const *in, int nin,
                            const double *param) {
    ga__ew e;
    ga_array *turned[3] = {NULL, NULL, NULL};
    ga_array element;
    const ga_array *cast[1];
    ga_status st = GA_OK;
    if (!out->size) return GA_OK;
    e.op = op;
    e.nin = nin;
    e.compute = compute;
    e.n = out->size;
    memcpy(e.shape, out->shape, sizeof e.shape);
    memcpy(e.out.stride, out->strides, sizeof e.out.stride);
    ga__axes_of axes = {out->ndim, e.shape, 1, {&e.out}};
    e.out.data = out->data;
    e.out.dtype = out->dtype;
    if (param) memcpy(e.param, param, sizeof e.param);
    else memset(e.param, 0, sizeof e.param);
    if (op == GA__OP_copy && ga__is_number(in[0])) {    /* cast once, here   */
        e.compute = compute = ga__computes_in(op, out->dtype);
        if (in[0]->dtype != out->dtype) {
            ga__value(in[0], out->dtype, (unsigned char *)&element.ga__value);
            cast[0] = ga__number(&element, out->dtype, GA__STRONG);
            in = cast;
        }
    }
    for (int k = 0; k < nin; k++) {
        ga__view_of(in[k], out->ndim, &e.in[k]);
        axes.o[axes.n++] = &e.in[k];
        if (ga__is_number(in[k])) {
            e.in[k].data = NULL;
            ga__value(in[k], compute, e.in[k].value.b);
        }
    }
    if (op == GA__OP_copy && !ga__is_number(in[0])
        && in[0]->dtype == out->dtype) {    /* bits move, whatever they mean */
        static const ga_dtype same[] = {GA_UINT8, GA_UINT16, GA_UINT32,
                                        GA_UINT64, GA_COMPLEX128};
        int i = 0;
        for (size_t w = ga__size(out->dtype); w > 1; w /= 2) i++;
        e.compute = e.in[0].dtype = e.out.dtype = same[i];
    }
    ga__normalise(&axes);
    e.ndim = axes.ndim;
    if (op != GA__OP_copy)
        for (int k = 0; k < nin && !st; k++) {
            if (!ga__runs_across(&e.in[k], e.ndim, e.shape, e.n)) continue;
            turned[k] = ga__turned(name, d, in[k], out);
            if (!turned[k]) st = ga__failed();
        }
    if (turned[0] || turned[1] || turned[2]) {
        const ga_array *now[3];
        for (int k = 0; k < nin; k++) now[k] = turned[k] ? turned[k] : in[k];
        if (!st) st = ga__launch(name, d, op, compute, out, now, nin, param);
        for (int k = 0; k < nin; k++) ga_free(turned[k]);
        return st;
    }
    return st ? st : ga__run(name, d, GA__JOB_elementwise, &e, &out, 1, in, nin);
}

/* ------------------------------------------------- operands and results */
/* The output's shape and dtype suit the result. */
static bool ga__suits(const char *fn, const ga_array *out, int ndim,
                      const int64_t *shape, ga_dtype t) {
    bool same = out->ndim == ndim;
    for (int i = 0; i < ndim && same; i++) same = out->shape[i] == shape[i];
    if (!same)
        ga__fail(GA_ERR_SHAPE, fn, "the output has shape %s, the result %s",
                 ga__shape_text(out->ndim, out->shape),
                 ga__shape_text(ndim, shape));
    else if (!ga_can_cast(t, out->dtype))
        ga__fail(GA_ERR_DTYPE, fn, "a result of %s does not go into an output "
                 "of %s", ga_dtype_name(t), ga_dtype_name(out->dtype));
    return same && ga_can_cast(t, out->dtype);
}
/* The device to compute on: operands are sound and on it, and so is out, which
   can be written, where a result goes into one (there is no *made).         */
static ga__device *ga__begin(const char *fn, const ga_array *const *x, int n,
                             ga_array *out, ga_array **made) {
    const ga_array *o = out;
    for (int i = 0; i < n; i++)
        if (!ga__ok(fn, x[i])) return NULL;
    if (!made && (!ga__ok(fn, out) || !ga__writable(fn, out))) return NULL;
    ga__device *d = ga__same_device(fn, x, n);
    return d && out && !ga__same_device(fn, &o, 1) ? NULL : d;
}

/* The one way out of every operation: into `out`, or where it is NULL into a
   new array, *made. result_begin checks out against the result's shape and
   dtype t and gives what to write in `to`: out itself, or a new array where
   out overlaps an operand or is not what the kernel can write; `can` says
   what that is. result_end, with the operation's status, hands `to` over or
   copies it to out, or frees it.                                           */
enum {
    GA__TO_VIEW = 1,                /* any strides, else C order            */
    GA__TO_CAST = 2,                /* any dtype, else t                    */
    GA__TO_SAME = 4,                /* an operand's own elements, in step   */
    GA__TO_LIKE = 8                 /* a new array is laid out as operands  */
};
typedef struct ga__result {
    const char *fn;
    ga_array *out, **made, *to;
} ga__result;
static bool ga__result_begin(ga__result *r, const char *fn, ga__device *d,
                             ga_array *out, ga_array **made, int ndim,
                             const int64_t *shape, ga_dtype t,
                             const ga_array *const *x, int n, unsigned can) {
    int order[GA_MAX_NDIM];
    r->fn = fn;
    r->out = out;
    r->made = made;
    if (out && !ga__suits(fn, out, ndim, shape, t)) return false;
    bool direct = out && (can & GA__TO_CAST || out->dtype == t)
                  && (can & GA__TO_VIEW || ga_is_contiguous(out));
    for (int i = 0; i < n && direct; i++)
        direct = !(can & GA__TO_SAME ? ga__disturbs(x[i], out)
                                     : ga__overlaps(x[i], out));
    r->to = direct ? out
            : ga__new(fn, d, ndim, shape, t, can & GA__TO_LIKE
                      ? ga__laid_out(x, n, ndim, shape, order) : NULL);
    return r->to != NULL;
}
static ga_status ga__result_end(const ga__result *r, ga_status st) {
    const ga_array *from = r->to;
    if (r->to == r->out) return st;
    if (!st && r->out)
        st = ga__launch(r->fn, from->ga__buf->dev, GA__OP_copy,
                        ga__computes_in(GA__OP_copy, from->dtype), r->out,
                        &from, 1, NULL);
    if (!st && r->made) *r->made = r->to;
    else ga_free(r->to);
    return st;
}

/* ------------------------------------------------- one operation, checked */
/* NumPy raises on negative integer powers: arrays of exponents are looked at,
   which synchronises.                                                      */
static ga_status ga__check_power(const char *name, const ga_array *y) {
    int64_t least = 0;
    ga_status st = GA_OK;
    if (ga__kind(y->dtype) != 'i') return GA_OK;
    if (ga__is_number(y)) {
        ga__value(y, GA_INT64, (unsigned char *)&least);
    } else if (y->size) {
        ga_array *m = (ga_min)(y, GA_ALL);
        st = m ? ga__item(name, m, m->data, &least, GA_INT64) : ga__failed();
        ga_free(m);
    }
    if (!st && least < 0)
        st = ga__fail(GA_ERR_VALUE, name, "integers to the negative integer "
                      "power %" PRId64 " are not allowed", least);
    return st;
}

/* out = op(x...), or a new array in *made where out is NULL. */
static ga_status ga__operate(const char *name, ga__op op, ga_array *out,
                             ga_array **made, const ga_array *const *x, int n,
                             const double *param) {
    ga__device *d = ga__begin(name, x, n, out, made);
    if (!d) return ga__failed();
    ga__typing ty;
    const ga_array *swapped[2];
    if (!ga__types(name, op, x, n, &ty)) return ga__failed();
    if (ty.swap) {
        swapped[0] = x[1];
        swapped[1] = x[0];
        x = swapped;
    }
    op = ty.op;
    if (op == GA__OP_power && ga__is_int(ty.t)) {
        ga_status st = ga__check_power(name, x[1]);
        if (st) return st;
    }
    ga_dtype t = ty.t, compute = ty.compute, result = ty.result;
    int first = op == GA__OP_where, count = op == GA__OP_ldexp ? 1 : n - first;

    int ndim;
    int64_t shape[GA_MAX_NDIM];
    if (!ga__broadcast(name, x, n, &ndim, shape)) return ga__failed();
    ga__result r;
    if (!ga__result_begin(&r, name, d, out, made, ndim, shape, result, x, n,
                          GA__TO_VIEW | GA__TO_CAST | GA__TO_SAME
                              | GA__TO_LIKE))
        return ga__failed();
    const ga_array *y[3] = {x[0], n > 1 ? x[1] : NULL, n > 2 ? x[2] : NULL};
    ga_array rounded[3];
    if (compute != t)               /* a half: C numbers round to it first  */
        for (int i = first; i < count + first; i++)
            if (ga__is_number(x[i])) {
                ga__value(x[i], t, (unsigned char *)&rounded[i].ga__value);
                y[i] = ga__number(&rounded[i], t, GA__STRONG);
            }
    /* where's condition as bool: other dtypes are compared with 0 first */
    ga_array *condition = NULL;
    ga_status st = GA_OK;
    if (op == GA__OP_where && ga__is_number(x[0])) {
        ga__cast_element(x[0]->data, x[0]->dtype, &rounded[0].ga__value,
                         GA_BOOL);
        y[0] = ga__number(&rounded[0], GA_BOOL, GA__STRONG);
    } else if (op == GA__OP_where && x[0]->dtype != GA_BOOL) {
        y[0] = condition = ga__copy_as(name, x[0], GA_BOOL);
        if (!condition) st = ga__failed();
    }
    if (!st) st = ga__launch(name, d, op, compute, r.to, y, n, param);
    ga_free(condition);
    return ga__result_end(&r, st);
}

/* The public functions, from the tables. */
#define GA__X(n, ...)                                                        \
    GA_API ga_array *(ga_##n)(const ga_array *x) {                           \
        ga_array *r = NULL;                                                  \
        ga__operate("ga_" #n, GA__OP_##n, NULL, &r, &x, 1, NULL);            \
        return r;                                                            \
    }                                                                        \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x) {     \
        return ga__operate("ga_" #n "_into", GA__OP_##n, out, NULL, &x, 1,   \
                           NULL);                                            \
    }
GA_UNARY_OPS(GA__X)
#undef GA__X
#define GA__X(n, ...)                                                        \
    GA_API ga_array *(ga_##n)(const ga_array *x, const ga_array *y) {        \
        const ga_array *in[2] = {x, y};                                      \
        ga_array *r = NULL;                                                  \
        ga__operate("ga_" #n, GA__OP_##n, NULL, &r, in, 2, NULL);            \
        return r;                                                            \
    }                                                                        \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x,       \
                                     const ga_array *y) {                    \
        const ga_array *in[2] = {x, y};                                      \
        return ga__operate("ga_" #n "_into", GA__OP_##n, out, NULL, in, 2,   \
                           NULL);                                            \
    }
GA_BINARY_OPS(GA__X)
#undef GA__X
#define GA__X(n, of)                                                         \
    GA_API ga_array *(ga_##n)(const ga_array *x) { return (ga_##of)(x); }    \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x) {     \
        return (ga_##of##_into)(out, x);                                     \
    }
GA_UNARY_ALIASES(GA__X)
#undef GA__X
#define GA__X(n, of)                                                         \
    GA_API ga_array *(ga_##n)(const ga_array *x, const ga_array *y) {        \
        return (ga_##of)(x, y);                                              \
    }                                                                        \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x,       \
                                     const ga_array *y) {                    \
        return (ga_##of##_into)(out, x, y);                                  \
    }
GA_BINARY_ALIASES(GA__X)
#undef GA__X

GA_API ga_array *(ga_where)(const ga_array *cond, const ga_array *x,
                            const ga_array *y) {
    const ga_array *in[3] = {cond, x, y};
    ga_array *r = NULL;
    ga__operate("ga_where", GA__OP_where, NULL, &r, in, 3, NULL);
    return r;
}
GA_API ga_status (ga_where_into)(ga_array *out, const ga_array *cond,
                                 const ga_array *x, const ga_array *y) {
    const ga_array *in[3] = {cond, x, y};
    return ga__operate("ga_where_into", GA__OP_where, out, NULL, in, 3, NULL);
}

/* Is a limit of x, beside `other`, a C integer beyond all integers that the
   arrays hold, on its own side? Then it limits nothing.                    */
static bool ga__clip_open(const ga_array *x, const ga_array *limit,
                          const ga_array *other, bool low) {
    const ga_array *of[2] = {x, other};
    ga_dtype t = GA_NUM_DTYPES;
    if (limit->ga__magic != GA__WEAK || !ga__is_int(limit->dtype)) return false;
    for (int i = 0; i < 2; i++)
        if (of[i] && (of[i]->ga__magic == GA__ALIVE
                      || of[i]->ga__magic == GA__STRONG))
            t = t == GA_NUM_DTYPES ? of[i]->dtype
                                   : ga_promote_types(t, of[i]->dtype);
    return t != GA_NUM_DTYPES && ga__is_int(t) && !ga__fits(limit, t)
           && low == (limit->dtype == GA_INT64 && limit->ga__value.i < 0);
}
/* An open side leaves one comparison, two none. */
static ga_status ga__clip(const char *name, ga_array *out, ga_array **made,
                          const ga_array *x, const ga_array *lo,
                          const ga_array *hi) {
    bool low = !lo || lo->ga__magic != GA__ABSENT;
    bool high = !hi || hi->ga__magic != GA__ABSENT;
    if (lo && low) low = !ga__clip_open(x, lo, hi, true);
    if (hi && high) high = !ga__clip_open(x, hi, lo, false);
    const ga_array *in[3] = {x, low ? lo : hi, hi};
    return ga__operate(name, low && high ? GA__OP_clip
                             : low ? GA__OP_maximum
                             : high ? GA__OP_minimum : GA__OP_copy,
                       out, made, in, 1 + low + high, NULL);
}
GA_API ga_array *(ga_clip)(const ga_array *x, const ga_array *lo,
                           const ga_array *hi) {
    ga_array *r = NULL;
    ga__clip("ga_clip", NULL, &r, x, lo, hi);
    return r;
}
GA_API ga_status (ga_clip_into)(ga_array *out, const ga_array *x,
                                const ga_array *lo, const ga_array *hi) {
    return ga__clip("ga_clip_into", out, NULL, x, lo, hi);
}

static ga_status ga__round(const char *name, ga_array *out, ga_array **made,
                           const ga_array *x, int decimals) {
    double p[3] = {1, decimals < 0, 0};
    if (decimals < -400) decimals = -400;
    for (int i = decimals < 0 ? -decimals : decimals; i > 0 && p[0] < 1e308; i--)
        p[0] *= 10;
    ga__op op = GA__OP_round;
    if (x && (decimals == 0 || x->dtype == GA_BOOL)) op = GA__OP_rint;
    if (x && ga__is_dtype(x->dtype) && ga__is_int(x->dtype) && decimals >= 0)
        op = GA__OP_copy;
    return ga__operate(name, op, out, made, &x, 1, p);
}
GA_API ga_array *(ga_round)(const ga_array *x, int decimals) {
    ga_array *r = NULL;
    ga__round("ga_round", NULL, &r, x, decimals);
    return r;
}
GA_API ga_status (ga_round_into)(ga_array *out, const ga_array *x,
                                 int decimals) {
    return ga__round("ga_round_into", out, NULL, x, decimals);
}

static ga_status ga__nan_to_num(const char *name, ga_array *out,
                                ga_array **made, const ga_array *x, double nan,
                                double posinf, double neginf) {
    double largest = 1.7976931348623157e308;
    bool real = true;
    if (x && ga__is_dtype(x->dtype)) {
        char k = ga__kind(x->dtype);
        real = k == 'f' || k == 'c';
        if (x->dtype == GA_FLOAT32 || x->dtype == GA_COMPLEX64)
            largest = 3.4028234663852886e38;
        if (x->dtype == GA_FLOAT16) largest = 65504;
        if (x->dtype == GA_BFLOAT16) largest = 3.3895313892515355e38;
    }
    double p[3] = {nan, isnan(posinf) ? largest : posinf,
                   isnan(neginf) ? -largest : neginf};
    return ga__operate(name, real ? GA__OP_nan_to_num : GA__OP_copy, out, made,
                       &x, 1, p);
}
GA_API ga_array *(ga_nan_to_num)(const ga_array *x, double nan, double posinf,
                                 double neginf) {
    ga_array *r = NULL;
    ga__nan_to_num("ga_nan_to_num", NULL, &r, x, nan, posinf, neginf);
    return r;
}
GA_API ga_status (ga_nan_to_num_into)(ga_array *out, const ga_array *x,
                                      double nan, double posinf,
                                      double neginf) {
    return ga__nan_to_num("ga_nan_to_num_into", out, NULL, x, nan, posinf,
                          neginf);
}

/* Two results, one launch each; both or neither. */
static ga_status ga__pair(const char *name, ga__op a, ga__op b,
                          const ga_array *const *x, int n, ga_array **ra,
                          ga_array **rb) {
    ga_array *first = NULL, *second = NULL;
    ga_status st = GA_OK;
    if (ra) st = ga__operate(name, a, NULL, &first, x, n, NULL);
    if (rb && !st) st = ga__operate(name, b, NULL, &second, x, n, NULL);
    if (st) {
        ga_free(first);
        return st;
    }
    if (ra) *ra = first;
    if (rb) *rb = second;
    return GA_OK;
}
GA_API ga_status (ga_divmod)(const ga_array *x, const ga_array *y,
                             ga_array **quotient, ga_array **remainder) {
    const ga_array *in[2] = {x, y};
    return ga__pair("ga_divmod", GA__OP_floor_divide, GA__OP_remainder, in, 2,
                    quotient, remainder);
}
GA_API ga_status (ga_modf)(const ga_array *x, ga_array **fraction,
                           ga_array **integer) {
    return ga__pair("ga_modf", GA__OP_modf_frac, GA__OP_modf_int, &x, 1,
                    fraction, integer);
}
GA_API ga_status (ga_frexp)(const ga_array *x, ga_array **mantissa,
                            ga_array **exponent) {
    return ga__pair("ga_frexp", GA__OP_frexp_mant, GA__OP_frexp_exp, &x, 1,
                    mantissa, exponent);
}

GA_API ga_status (ga_assign)(ga_array *view, const ga_array *value) {
    const char *name = "ga_assign";
    if (!ga__ok(name, view) || !ga__ok(name, value)
        || !ga__writable(name, view))
        return ga__failed();
    ga_array v = *value;            /* leading axes of length 1 fall away   */
    while (v.ndim > view->ndim && v.shape[0] == 1) {
        v.ndim--;
        memmove(v.shape, v.shape + 1, sizeof v.shape - sizeof v.shape[0]);
        memmove(v.strides, v.strides + 1, sizeof v.strides - sizeof v.strides[0]);
    }
    if (!ga__stretches(&v, view))
        return ga__fail(GA_ERR_SHAPE, name, "shape %s does not broadcast to %s",
                        ga__shape_text(value->ndim, value->shape),
                        ga__shape_text(view->ndim, view->shape));
    if (ga__check_fits(name, value, view->dtype)) return ga__failed();
    ga_device_guard g = ga_device_begin(view->device);
    if (ga__me.device != view->device) return ga__failed();
    const ga_array *source = ga__is_number(value) ? value : &v;
    ga_array *moved = NULL;
    ga_status st = GA_OK;
    if (source == &v && (v.device != view->device || ga__disturbs(&v, view))) {
        moved = v.device != view->device ? (ga_to_device)(&v, view->device)
                                         : (ga_copy)(&v);
        source = moved;
        if (!moved) st = ga__failed();
    }
    if (!st)
        st = ga__launch(name, view->ga__buf->dev, GA__OP_copy,
                        ga__computes_in(GA__OP_copy, source->dtype), view,
                        &source, 1, NULL);
    ga_free(moved);
    ga_device_end(&g);
    return st;
}


/* ========================================================= >>i-reductions */
enum { GA__R_SUM = 16, GA__R_MEAN, GA__R_VAR, GA__R_INDEX, GA__R_COUNT };
typedef struct ga__red_info {
    unsigned char types, result;
    double start;
} ga__red_info;
#define GA__X(n, t, r, family, combine, start, ...) {t, GA__R_##r, start},
static const ga__red_info ga__reds[GA__NUM_REDS] = {
    GA_REDUCTIONS(GA__X) GA_REDUCTIONS_DDOF(GA__X)};
#undef GA__X

static ga_dtype ga__reduced_dtype(int result, ga_dtype t) {
    char k = ga__kind(t);
    bool integer = k == 'b' || k == 'i' || k == 'u';
    switch (result) {
    case GA__R_SUM:
        return !integer ? t : k == 'u' ? GA_UINT64 : GA_INT64;
    case GA__R_MEAN: return integer ? GA_FLOAT64 : t;
    case GA__R_VAR:
        return integer ? GA_FLOAT64 : t == GA_COMPLEX64 ? GA_FLOAT32
               : t == GA_COMPLEX128 ? GA_FLOAT64 : t;
    case GA__R_INDEX: case GA__R_COUNT: return GA_INT64;
    case GA__R_BOOL: return GA_BOOL;
    default: return t;
    }
}

static ga_dtype ga__reduces_to(const char *name, ga__red red, ga_dtype t) {
    t = ga__supported(name, ga__reds[red].types, t);
    return t == GA_NUM_DTYPES ? t : ga__reduced_dtype(ga__reds[red].result, t);
}

/* The launch itself: out is new or safe to write, C-contiguous and of the
   result's dtype.                                                          */
static ga_status ga__launch_reduce(const char *name, ga__device *d, ga__red op,
                                   ga_array *out, const ga_array *x,
                                   unsigned mask, double ddof) {
    ga__rd r;
    int64_t shape[GA_MAX_NDIM];
    ga__operand_view in;
    ga__axes_of axes = {x->ndim, shape, 1, {&in}};
    if (!out->size) return GA_OK;
    memset(&r, 0, sizeof r);
    memcpy(shape, x->shape, sizeof shape);
    ga__view_of(x, x->ndim, &in);
    if (x->size) {
        bool any_order = ga__reds[op].result != GA__R_INDEX;
        r.nkeep = ga__reduced_axes(&axes, mask, any_order, any_order);
        r.nreduce = axes.ndim - r.nkeep;
    } else {                        /* lengths beside a 0 may be huge       */
        memset(in.stride, 0, sizeof in.stride);
        shape[0] = out->size;
        shape[1] = 0;
        r.nkeep = r.nreduce = 1;
    }
    r.op = op;
    r.in_type = x->dtype;
    r.out_type = out->dtype;
    r.in = in.data;
    r.out = out->data;
    r.ddof = ddof;
    r.nout = out->size;
    r.nred = x->size / out->size;
    for (int i = 0; i < r.nkeep; i++) {
        r.keep_shape[i] = shape[i];
        r.keep_stride[i] = in.stride[i];
    }
    for (int i = 0; i < r.nreduce; i++) {
        r.red_shape[i] = shape[r.nkeep + i];
        r.red_stride[i] = in.stride[r.nkeep + i];
    }
    return ga__run(name, d, GA__JOB_reduce, &r, &out, 1, &x, 1);
}

/* What a reduction of `shape` along the axes gives: their mask and the result's
   shape. False and an error where it has none.                             */
static bool ga__reduced(const char *name, ga__red op, ga_axis axis, int ndim,
                        const int64_t *shape, unsigned *mask, int *nkept,
                        int64_t *kept) {
    const int result = ga__reds[op].result;
    bool none = false;
    if (!ga__axes_mask(name, axis, ndim, mask)) return false;
    if (result == GA__R_INDEX && axis.n >= 0 && axis.n != 1) {
        ga__fail(GA_ERR_AXIS, name, "%d axes given; one or GA_ALL is possible",
                 axis.n);
        return false;
    }
    *nkept = 0;
    for (int i = 0; i < ndim; i++) {
        bool reduced = *mask >> i & 1;
        none |= reduced && !shape[i];
        if (!reduced || axis.keepdims)
            kept[(*nkept)++] = reduced ? 1 : shape[i];
    }
    if (!none || !isnan(ga__reds[op].start)) return true;
    if (axis.n == 1)
        ga__fail(GA_ERR_EMPTY, name, "shape %s has no elements along axis %d",
                 ga__shape_text(ndim, shape), axis.axis[0]);
    else
        ga__fail(GA_ERR_EMPTY, name, "shape %s has no elements along the %s",
                 ga__shape_text(ndim, shape),
                 axis.n < 0 ? "axes" : "reduced axes");
    return false;
}

/* out = op(x) over the axes, or a new array in *made where out is NULL. */
static ga_status ga__reduce(const char *name, ga__red op, ga_array *out,
                            ga_array **made, const ga_array *x, ga_axis axis,
                            int ddof) {
    const int result = ga__reds[op].result;
    ga__device *d = ga__begin(name, &x, 1, out, made);
    if (!d) return ga__failed();
    if (!x->ga__buf)
        return ga__fail(GA_ERR_VALUE, name, "a C number has no axes; an array "
                        "is needed");
    ga_dtype in = ga__supported(name, ga__reds[op].types, x->dtype);
    if (in == GA_NUM_DTYPES) return ga__failed();
    if (in != x->dtype) {
        ga_array *y = (ga_astype)(x, in);
        ga_status st = y ? ga__reduce(name, op, out, made, y, axis, ddof)
                         : ga__failed();
        ga_free(y);
        return st;
    }

    int ndim;
    int64_t shape[GA_MAX_NDIM];
    unsigned mask;
    if (!ga__reduced(name, op, axis, x->ndim, x->shape, &mask, &ndim, shape))
        return ga__failed();
    ga__result r;
    if (!ga__result_begin(&r, name, d, out, made, ndim, shape,
                          ga__reduced_dtype(result, x->dtype), &x, 1, 0))
        return ga__failed();
    return ga__result_end(&r, ga__launch_reduce(name, d, op, r.to, x, mask,
                                                ddof));
}

#define GA__X(n, ...)                                                       \
    GA_API ga_array *(ga_##n)(const ga_array *x, ga_axis axis) {            \
        ga_array *y = NULL;                                                 \
        ga__reduce("ga_" #n, GA__RED_##n, NULL, &y, x, axis, 0);            \
        return y;                                                           \
    }                                                                       \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x,      \
                                     ga_axis axis) {                        \
        return ga__reduce("ga_" #n "_into", GA__RED_##n, out, NULL, x,      \
                          axis, 0);                                         \
    }
GA_REDUCTIONS(GA__X)
#undef GA__X
#define GA__X(n, ...)                                                       \
    GA_API ga_array *(ga_##n)(const ga_array *x, ga_axis axis, int ddof) {  \
        ga_array *y = NULL;                                                 \
        ga__reduce("ga_" #n, GA__RED_##n, NULL, &y, x, axis, ddof);         \
        return y;                                                           \
    }                                                                       \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x,      \
                                     ga_axis axis, int ddof) {              \
        return ga__reduce("ga_" #n "_into", GA__RED_##n, out, NULL, x,      \
                          axis, ddof);                                      \
    }
GA_REDUCTIONS_DDOF(GA__X)
#undef GA__X

/* ============================================================== >>i-masks */

/* =========================================================== >>i-indexing */

/* ============================================================== >>i-scans */

/* ============================================================ >>i-sorting */

/* ================================================================ >>i-libs
   Linear algebra's libraries: CBLAS and LAPACKE by their headers; NVIDIA's
   opened at their first use, since linking them costs every start 90 ms and
   260 MB, and a missing one would keep the program from starting.          */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#ifdef GPUARR_USE_LAPACK
#ifndef lapack_complex_float
#define LAPACK_COMPLEX_CUSTOM       /* C's own complex types                */
#define lapack_complex_float ga_complex64
#define lapack_complex_double ga_complex128
#endif
#ifndef FORCE_OPENBLAS_COMPLEX_STRUCT
#define FORCE_OPENBLAS_COMPLEX_STRUCT   /* or it includes complex.h's I     */
#endif
#ifndef CBLAS_H
#define bfloat16 ga__openblas_bfloat16      /* a word it takes from the user */
#include <cblas.h>
#undef bfloat16
#endif
#include <lapacke.h>
#endif
#ifndef GPUARR_NO_CUDA
#include <cublas_v2.h>
#include <curand.h>
#include <cusolverDn.h>
#include <dlfcn.h>
#endif
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#ifndef GPUARR_NO_CUDA
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L
#define GA__TYPE(f) typeof(f)
#elif defined(__GNUC__)
#define GA__TYPE(f) __typeof__(f)
#else
#error "gpuarr: CUDA's libraries want a compiler with typeof"
#endif

/* What is used of them, by names without the library's prefix: ga__blas.GemmEx
   is cublasGemmEx. The types are those of the headers, which all have these
   since CUDA 12.0; a row of GA__CUSOLVER_NEW says since which version of the
   library and carries its type: NULL in an older one.                      */
#define GA__SDCZ(X, f) X(S##f) X(D##f) X(C##f) X(Z##f)
#define GA__CUBLAS(X) \
    X(Create) X(Destroy) X(GetStatusName) X(SetMathMode) X(SetStream) \
    X(GemmEx) X(GemmEx_64) X(GemmStridedBatchedEx) \
    X(GemmStridedBatchedEx_64) \
    GA__SDCZ(X, gemv_64) GA__SDCZ(X, gemvStridedBatched_64)
#define GA__CUSOLVER(X) \
    X(Create) X(Destroy) X(SetStream) X(CreateParams) X(DestroyParams) \
    X(Xpotrf) X(Xpotrf_bufferSize) X(Xgeqrf) X(Xgeqrf_bufferSize) \
    X(Xgesvd) X(Xgesvd_bufferSize) X(Xgesvdp) X(Xgesvdp_bufferSize) \
    X(Xsyevd) X(Xsyevd_bufferSize) \
    GA__SDCZ(X, potrfBatched) \
    X(Sorgqr) X(Sorgqr_bufferSize) X(Dorgqr) X(Dorgqr_bufferSize) \
    X(Cungqr) X(Cungqr_bufferSize) X(Zungqr) X(Zungqr_bufferSize) \
    X(Sormqr) X(Sormqr_bufferSize) X(Dormqr) X(Dormqr_bufferSize) \
    X(Cunmqr) X(Cunmqr_bufferSize) X(Zunmqr) X(Zunmqr_bufferSize) \
    X(CreateGesvdjInfo) X(DestroyGesvdjInfo) \
    GA__SDCZ(X, gesvdj) GA__SDCZ(X, gesvdj_bufferSize)
/*    name, CUSOLVER_VERSION, arguments                                     */
#define GA__CUSOLVER_NEW(X) \
  X(XsyevBatched_bufferSize, 11701, (cusolverDnHandle_t, cusolverDnParams_t,  \
    cusolverEigMode_t, cublasFillMode_t, int64_t, cudaDataType, const void *, \
    int64_t, cudaDataType, const void *, cudaDataType, size_t *, size_t *,    \
    int64_t))                                                                 \
  X(XsyevBatched, 11701, (cusolverDnHandle_t, cusolverDnParams_t,             \
    cusolverEigMode_t, cublasFillMode_t, int64_t, cudaDataType, void *,       \
    int64_t, cudaDataType, void *, cudaDataType, void *, size_t, void *,      \
    size_t, int *, int64_t))                                                  \
  X(Xgeev_bufferSize, 11702, (cusolverDnHandle_t, cusolverDnParams_t,         \
    cusolverEigMode_t, cusolverEigMode_t, int64_t, cudaDataType,              \
    const void *, int64_t, cudaDataType, const void *, cudaDataType,          \
    const void *, int64_t, cudaDataType, const void *, int64_t, cudaDataType, \
    size_t *, size_t *))                                                      \
  X(Xgeev, 11702, (cusolverDnHandle_t, cusolverDnParams_t,                    \
    cusolverEigMode_t, cusolverEigMode_t, int64_t, cudaDataType, void *,      \
    int64_t, cudaDataType, void *, cudaDataType, void *, int64_t,             \
    cudaDataType, void *, int64_t, cudaDataType, void *, size_t, void *,      \
    size_t, int *))
#define GA__CURAND(X) \
    X(CreateGenerator) X(DestroyGenerator) X(SetPseudoRandomGeneratorSeed) \
    X(SetStream) X(SetGeneratorOffset) X(Generate) X(GenerateLongLong)

#ifdef GPUARR_LINK_LIBS
#define GA__HERE(f) f
#else
#define GA__HERE(f) NULL
#endif
#define GA__X(n) GA__TYPE(cublas##n) *n;
static struct ga__blas { GA__CUBLAS(GA__X) } ga__blas = {
#undef GA__X
#define GA__X(n) GA__HERE(cublas##n),
    GA__CUBLAS(GA__X)
#undef GA__X
};
#define GA__X(n) GA__TYPE(cusolverDn##n) *n;
#define GA__XN(n, since, args) cusolverStatus_t (*n) args;
static struct ga__solver {
    GA__CUSOLVER(GA__X) GA__CUSOLVER_NEW(GA__XN)
} ga__solver = {
#undef GA__X
#undef GA__XN
#define GA__X(n) GA__HERE(cusolverDn##n),
    GA__CUSOLVER(GA__X)
#undef GA__X
#if defined(GPUARR_LINK_LIBS) && CUSOLVER_VERSION >= 11702
#define GA__XN(n, since, args) GA__HERE(cusolverDn##n),
#else
#define GA__XN(n, since, args) NULL,
#endif
    GA__CUSOLVER_NEW(GA__XN)
#undef GA__XN
};
#define GA__X(n) GA__TYPE(curand##n) *n;
static struct ga__rand { GA__CURAND(GA__X) } ga__rand = {
#undef GA__X
#define GA__X(n) GA__HERE(curand##n),
    GA__CURAND(GA__X)
#undef GA__X
};

/* A function's name and its place in the struct; late ones may be absent. */
typedef struct ga__symbol {
    const char *name;
    size_t at;
    bool late;
} ga__symbol;
/* Opened once, kept to the end; a failure is remembered with its reason. */
typedef struct ga__library {
    const char *file[4];            /* the toolkit's own version first      */
    const ga__symbol *symbol;
    void *table;
    pthread_once_t once;
    bool ready;
    char why[600];
} ga__library;
#define GA__LIB_(n, v) "lib" n ".so." GA__STR(v)

/* Where the loader looks, then where the toolkit is; path: what was opened. */
static void *ga__dlopen(ga__library *l, char *path, size_t room) {
    const char *usual = "/usr/local/cuda", *home = getenv("CUDA_HOME");
    size_t n = 0, cap = sizeof l->why;
    for (int dir = 0; dir < 3; dir++) {
        if (dir == 1 && (!home || !*home || !strcmp(home, usual))) continue;
        for (int i = 0; i < 4 && l->file[i]; i++) {
            if (i && !strcmp(l->file[i], l->file[0])) continue;
            int k = dir ? snprintf(path, room, "%s/lib64/%s",
                                   dir == 1 ? home : usual, l->file[i])
                        : snprintf(path, room, "%s", l->file[i]);
            if (k < 0 || (size_t)k >= room) continue;
            void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (h) return h;
            if (!n)                 /* the best name's reason               */
                n = (size_t)snprintf(l->why, cap, "%s; tried", dlerror());
            if (n < cap)
                n += (size_t)snprintf(l->why + n, cap - n, " %s", path);
        }
    }
    return NULL;
}
static GA__UNUSED void ga__library_load(ga__library *l) {
    char path[4096];
    void *h = ga__dlopen(l, path, sizeof path);
    if (!h) return;
    for (const ga__symbol *s = l->symbol; s->name; s++) {
        void *f = dlsym(h, s->name);
        if (!f && !s->late) {
            snprintf(l->why, sizeof l->why, "%.400s has no function %s: it is "
                     "older than CUDA 12.0, or another library", path,
                     s->name);
            return;
        }
        memcpy((char *)l->table + s->at, &f, sizeof f);
    }
    l->ready = true;
}
static GA__UNUSED ga_status ga__library_open(const char *fn, ga__library *l,
                                             void (*load)(void)) {
    pthread_once(&l->once, load);
    return l->ready ? GA_OK : ga__fail(GA_ERR_LIBRARY, fn, "%s", l->why);
}

#ifdef GPUARR_LINK_LIBS
static ga_status ga__cublas_open(const char *fn) { (void)fn; return GA_OK; }
static ga_status ga__cusolver_open(const char *fn) { (void)fn; return GA_OK; }
static ga_status ga__curand_open(const char *fn) { (void)fn; return GA_OK; }
#else
#define GA__X(n) {GA__STR(cublas##n), offsetof(struct ga__blas, n), false},
static const ga__symbol ga__blas_names[] = {GA__CUBLAS(GA__X) {NULL, 0, false}};
#undef GA__X
#define GA__X(n) \
    {GA__STR(cusolverDn##n), offsetof(struct ga__solver, n), false},
#define GA__XN(n, since, args) \
    {GA__STR(cusolverDn##n), offsetof(struct ga__solver, n), true},
static const ga__symbol ga__solver_names[] = {
    GA__CUSOLVER(GA__X) GA__CUSOLVER_NEW(GA__XN) {NULL, 0, false}};
#undef GA__X
#undef GA__XN
#define GA__X(n) {GA__STR(curand##n), offsetof(struct ga__rand, n), false},
static const ga__symbol ga__rand_names[] = {GA__CURAND(GA__X) {NULL, 0, false}};
#undef GA__X
static ga__library ga__lib_blas = {
    {GA__LIB_("cublas", CUBLAS_VER_MAJOR), "libcublas.so.13",
     "libcublas.so.12", "libcublas.so"},
    ga__blas_names, &ga__blas, PTHREAD_ONCE_INIT, false, ""};
static ga__library ga__lib_solver = {
    {GA__LIB_("cusolver", CUSOLVER_VER_MAJOR), "libcusolver.so.12",
     "libcusolver.so.11", "libcusolver.so"},
    ga__solver_names, &ga__solver, PTHREAD_ONCE_INIT, false, ""};
static ga__library ga__lib_rand = {
    {GA__LIB_("curand", CURAND_VER_MAJOR), "libcurand.so.10", "libcurand.so",
     NULL},
    ga__rand_names, &ga__rand, PTHREAD_ONCE_INIT, false, ""};
static void ga__load_blas(void) { ga__library_load(&ga__lib_blas); }
static void ga__load_solver(void) { ga__library_load(&ga__lib_solver); }
static void ga__load_rand(void) { ga__library_load(&ga__lib_rand); }
static ga_status ga__cublas_open(const char *fn) {
    return ga__library_open(fn, &ga__lib_blas, ga__load_blas);
}
static ga_status ga__cusolver_open(const char *fn) {
    return ga__library_open(fn, &ga__lib_solver, ga__load_solver);
}
/* Before any ga__rand.Function. */
static ga_status ga__curand_open(const char *fn) {
    return ga__library_open(fn, &ga__lib_rand, ga__load_rand);
}
#endif
#undef GA__LIB_

/* A library's status as ours; GA_OK for success. */
static ga_status ga__blas_ok(const char *fn, const ga__device *d,
                             cublasStatus_t e) {
    if (e == CUBLAS_STATUS_SUCCESS) return GA_OK;
    return ga__fail(e == CUBLAS_STATUS_ALLOC_FAILED ? GA_ERR_DEVICE_MEMORY
                    : e == CUBLAS_STATUS_ARCH_MISMATCH ? GA_ERR_ARCH
                    : e == CUBLAS_STATUS_NOT_SUPPORTED ? GA_ERR_UNSUPPORTED
                    : GA_ERR_CUDA, fn, "cuBLAS: %s on device %d",
                    ga__blas.GetStatusName(e), d->id);
}
static ga_status ga__solver_ok(const char *fn, const ga__device *d,
                               cusolverStatus_t e) {
    static const char *const name[] = {
        "SUCCESS", "NOT_INITIALIZED", "ALLOC_FAILED", "INVALID_VALUE",
        "ARCH_MISMATCH", "MAPPING_ERROR", "EXECUTION_FAILED", "INTERNAL_ERROR",
        "MATRIX_TYPE_NOT_SUPPORTED", "NOT_SUPPORTED"};
    if (e == CUSOLVER_STATUS_SUCCESS) return GA_OK;
    return ga__fail(e == CUSOLVER_STATUS_ALLOC_FAILED ? GA_ERR_DEVICE_MEMORY
                    : e == CUSOLVER_STATUS_ARCH_MISMATCH ? GA_ERR_ARCH
                    : e == CUSOLVER_STATUS_NOT_SUPPORTED ? GA_ERR_UNSUPPORTED
                    : GA_ERR_CUDA, fn, "cuSOLVER: status %d "
                    "(CUSOLVER_STATUS_%s) on device %d", (int)e,
                    (unsigned)e < 10 ? name[e] : "...", d->id);
}
static ga_status ga__rand_ok(const char *fn, const ga__device *d,
                             curandStatus_t e) {
    if (e == CURAND_STATUS_SUCCESS) return GA_OK;
    return ga__fail(e == CURAND_STATUS_ALLOCATION_FAILED ? GA_ERR_DEVICE_MEMORY
                    : e == CURAND_STATUS_ARCH_MISMATCH ? GA_ERR_ARCH
                    : GA_ERR_CUDA, fn, "cuRAND: status %d%s on device %d",
                    (int)e, e == CURAND_STATUS_LENGTH_NOT_MULTIPLE
                    ? " (CURAND_STATUS_LENGTH_NOT_MULTIPLE)" : "", d->id);
}

/* The thread's handles, one of a kind for each device, made at first use and
   destroyed with the thread. `on` is the stream that a handle was set to.  */
typedef struct ga__handles {
    cublasHandle_t blas;
    cusolverDnHandle_t solver;
    cusolverDnParams_t params;
    cudaStream_t blas_on, solver_on;
} ga__handles;
static _Thread_local ga__handles ga__mine[GA__MAX_DEVICES];

/* Making a handle allocates, which a capture by this thread would forbid
   although the memory is none of the graph's.                              */
static enum cudaStreamCaptureMode ga__uncaptured(void) {
    enum cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed;
    if (ga__me.capture && cudaThreadExchangeStreamCaptureMode(&m))
        cudaGetLastError();
    return m;
}
static void ga__captured(enum cudaStreamCaptureMode m) {
    if (ga__me.capture && cudaThreadExchangeStreamCaptureMode(&m))
        cudaGetLastError();
}

/* The thread's handle, set to s. The functions ga__blas.f(handle, ...) want d
   to be current: ga__cuda_enter and ga__cuda_leave stand around them.      */
static ga_status ga__cublas(ga__device *d, const char *fn, ga_stream *s,
                            cublasHandle_t *out) {
    ga__handles *h = &ga__mine[d->id];
    cudaStream_t on = ga__handle_of(s);
    if (h->blas && h->blas_on == on) {
        *out = h->blas;
        return GA_OK;
    }
    int before;
    ga_status st = ga__cublas_open(fn);
    if (st) return st;
    cublasStatus_t b = CUBLAS_STATUS_SUCCESS;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e && !h->blas) {
        enum cudaStreamCaptureMode m = ga__uncaptured();
        b = ga__blas.Create(&h->blas);
        ga__captured(m);
        if (b) h->blas = NULL;
        else ga__at_thread_exit();
        /* float16 and bfloat16 are summed in float32 throughout. */
        if (!b) b = ga__blas.SetMathMode(h->blas, (cublasMath_t)(
            CUBLAS_DEFAULT_MATH
            | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION));
    }
    if (!e && !b) b = ga__blas.SetStream(h->blas, on);
    st = ga__cuda_leave(fn, d, before, e);
    if (!st) st = ga__blas_ok(fn, d, b);
    if (st) return st;
    h->blas_on = on;
    *out = h->blas;
    return GA_OK;
}
/* The same for cuSOLVER, with default parameters for its 64-bit functions
   (params may be NULL).                                                    */
static ga_status ga__cusolver(ga__device *d, const char *fn, ga_stream *s,
                              cusolverDnHandle_t *out,
                              cusolverDnParams_t *params) {
    ga__handles *h = &ga__mine[d->id];
    cudaStream_t on = ga__handle_of(s);
    int before;
    ga_status st = ga__cusolver_open(fn);
    if (st) return st;
    cusolverStatus_t b = CUSOLVER_STATUS_SUCCESS;
    cudaError_t e = ga__cuda_enter(d, &before);
    bool fresh = !h->solver;
    if (!e && fresh) {
        b = ga__solver.Create(&h->solver);
        if (b) h->solver = NULL;
        else ga__at_thread_exit();
    }
    if (!e && !b && !h->params) {
        b = ga__solver.CreateParams(&h->params);
        if (b) h->params = NULL;
    }
    if (!e && !b && (fresh || h->solver_on != on)) {
        b = ga__solver.SetStream(h->solver, on);
        if (!b) h->solver_on = on;
    }
    st = ga__cuda_leave(fn, d, before, e);
    if (!st) st = ga__solver_ok(fn, d, b);
    if (st) return st;
    *out = h->solver;
    if (params) *params = h->params;
    return GA_OK;
}
/* Of threads that have ended: destroying a handle waits for the device, which
   no thread's end shall do beside a capture.                               */
typedef struct ga__handles_left {
    ga__handles h;
    struct ga__handles_left *next;
} ga__handles_left;
static ga__handles_left *ga__left[GA__MAX_DEVICES];     /* the lock's       */
/* No capture is under way, d is current, its lock held. */
static void ga__handles_drain(ga__device *d) {
    while (ga__left[d->id]) {
        ga__handles_left *l = ga__left[d->id];
        ga__left[d->id] = l->next;
        if (l->h.blas) ga__blas.Destroy(l->h.blas);
        if (l->h.params) ga__solver.DestroyParams(l->h.params);
        if (l->h.solver) ga__solver.Destroy(l->h.solver);
        GA_FREE(l);
    }
}
static void ga__handles_close(void) {
    for (int i = 0; i < GA__MAX_DEVICES; i++) {
        ga__handles *h = &ga__mine[i];
        int before;
        if (!h->blas && !h->solver) continue;
        ga__device *d = &ga__entries[i + 1].dev;
        ga__handles_left *l = (ga__handles_left *)GA_MALLOC(sizeof *l);
        if (!l) continue;           /* then they stay                       */
        l->h = *h;
        memset(h, 0, sizeof *h);
        cudaError_t e = ga__cuda_enter(d, &before);
        bool whole = ga__whole_begin(d);
        pthread_mutex_lock(ga__cuda_lock(d));
        l->next = ga__left[i];
        ga__left[i] = l;
        if (whole && !e) ga__handles_drain(d);
        pthread_mutex_unlock(ga__cuda_lock(d));
        if (whole) ga__whole_end(d);
        ga__cuda_leave_quiet(d, before, e);
    }
}

static cudaDataType ga__cuda_type(ga_dtype t) {
    switch (t) {
    case GA_FLOAT16: return CUDA_R_16F;
    case GA_BFLOAT16: return CUDA_R_16BF;
    case GA_FLOAT32: return CUDA_R_32F;
    case GA_FLOAT64: return CUDA_R_64F;
    case GA_COMPLEX64: return CUDA_C_32F;
    default: return CUDA_C_64F;
    }
}
#endif
/* ============================================================== >>i-linalg */
/* out = x y as ga_matmul's, made or given; the strided-batch planner. */
static ga_array *ga__matmul(const char *fn, const ga_array *x,
                            const ga_array *y);
static ga_status ga__matmul_into(const char *fn, ga_array *out,
                                 const ga_array *x, const ga_array *y);

static ga_dtype ga__inexact(ga_dtype t) {
    return t == GA_BOOL || ga__is_int(t) ? GA_FLOAT64 : t;
}
/* The dtype in which LAPACK works on x: false and an error for halves. */
static bool ga__lapack_dtype(const char *fn, const ga_array *x, ga_dtype *t) {
    *t = ga__inexact(x->dtype);
    if (ga__size(*t) >= 4) return true;
    ga__fail(GA_ERR_DTYPE, fn, "%s is not supported", ga_dtype_name(x->dtype));
    return false;
}
static ga_dtype ga__real_of(ga_dtype t) {
    return t == GA_COMPLEX64 ? GA_FLOAT32 : t == GA_COMPLEX128 ? GA_FLOAT64 : t;
}
static ga_dtype ga__complex_of(ga_dtype t) {
    return t == GA_FLOAT32 || t == GA_COMPLEX64 ? GA_COMPLEX64 : GA_COMPLEX128;
}

/* x is a usable array of matrices (square ones if asked) on the current
   device, outside a capture: the device; else NULL and an error.           */
static ga__device *ga__matrices(const char *fn, const ga_array *x,
                                bool square, ga_dtype *t) {
    if (!ga__ok(fn, x) || ga__capturing(fn)) return NULL;
    if (x->ndim < 2)
        return (ga__device *)GA__NULL(GA_ERR_SHAPE, fn, "a matrix or a batch of "
            "them is wanted, not shape %s", ga__shape_text(x->ndim, x->shape));
    int64_t m = x->shape[x->ndim - 2], n = x->shape[x->ndim - 1];
    if (square && m != n)
        return (ga__device *)GA__NULL(GA_ERR_SQUARE, fn, "the last two axes of "
            "shape %s are not square", ga__shape_text(x->ndim, x->shape));
    if (m > INT32_MAX || n > INT32_MAX)
        return (ga__device *)GA__NULL(GA_ERR_SIZE, fn, "shape %s: matrices of "
            "2**31 rows or columns", ga__shape_text(x->ndim, x->shape));
    int64_t batch;                  /* an empty array's may be too many   */
    if (!ga__lapack_dtype(fn, x, t)
        || !ga__count(fn, x->ndim - 2, x->shape, GA_COMPLEX128, &batch))
        return NULL;
    return ga__same_device(fn, &x, 1);
}
static int64_t ga__batch_of(const ga_array *x) {
    int64_t b = 1;
    for (int i = 0; i < x->ndim - 2; i++) if (!x->shape[i]) return 0;
    for (int i = 0; i < x->ndim - 2; i++) b *= x->shape[i];
    return b;
}

/* A handle with the last two axes swapped. */
static ga_array *ga__transposed(const char *fn, const ga_array *x) {
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    int r = v->ndim - 2, c = v->ndim - 1;
    int64_t n = v->shape[r], s = v->strides[r];
    v->shape[r] = v->shape[c];
    v->strides[r] = v->strides[c];
    v->shape[c] = n;
    v->strides[c] = s;
    return v;
}
/* Passes over x, matrices on their way to LAPACK, in one thread: OpenMP's own
   spin for milliseconds after a loop, on the cores that OpenBLAS's threads
   then want. Where x is larger than 2**22 elements more threads save as much,
   and batches of small matrices do not use OpenBLAS's. ga__together(what this
   returned) ends it.                                                       */
static int ga__alone(const ga_array *x) {
    const int64_t area = x->shape[x->ndim - 2] * x->shape[x->ndim - 1];
    if (x->ga__buf->dev->id != GA_CPU || area < 64 * 64
        || x->size > (int64_t)1 << 22)
        return 0;
    const int before = gk_cpu_threads();
    gk_cpu_limit(1);
    return before;
}
static void ga__together(int before) { if (before) gk_cpu_limit(before); }

static ga_array *ga__matrix_copy(const char *fn, const ga_array *x,
                                 ga_dtype t) {
    const int before = ga__alone(x);
    ga_array *c = ga__copy_as(fn, x, t);
    ga__together(before);
    return c;
}
/* A C-ordered copy (...,n,m) of x (...,m,n) with dtype t: the stack of x's
   matrices, column-major.                                                  */
static ga_array *ga__columns(const char *fn, const ga_array *x, ga_dtype t) {
    ga_array *v = ga__transposed(fn, x);
    if (!v) return NULL;
    ga_array *c = ga__matrix_copy(fn, v, t);
    ga_free(v);
    return c;
}
/* ... and back: a C-ordered copy of the matrices whose stack x is. */
static ga_array *ga__row_major(const char *fn, const ga_array *x) {
    return ga__columns(fn, x, x->dtype);
}
/* The stack that a C-ordered array (...,n,m) is. */
static ga__stack ga__stack_of(const ga_array *x) {
    ga__stack k = {x->data, x->shape[x->ndim - 1], x->shape[x->ndim - 2],
                   ga__batch_of(x), x->dtype};
    return k;
}

/* Several temporaries: begin a scope, make arrays, hand the results to the
   scope outside, end it:
       ga_scope own; ga_scope_begin(&own);
       ...
       return ga__leave(&own, result);                                      */
static ga_array *ga__leave(ga_scope *own, ga_array *result) {
    if (result) ga_keep(result);
    ga_scope_end(own);
    return result;
}

/* A dense x, not empty, on the host: in the 16 bytes `few` or else in memory
   to be freed. Synchronises.                                               */
static void *ga__peek(const char *fn, const ga_array *x, void *few) {
    ga__device *d = x->ga__buf->dev;
    size_t bytes = (size_t)x->size * ga__size(x->dtype);
    if (bytes > 16) return ga_asnumpy(x, NULL);
    return d->be->fetch(d, fn, few, x->data, (int)bytes, ga__stream(d)) ? NULL
                                                                       : few;
}
/* The device's info codes on the host: *first is the first matrix whose code
   is not 0, or -1, *code that code. Synchronises.                          */
static ga_status ga__read_info(const char *fn, const ga_array *info,
                               int64_t *first, int32_t *code) {
    int32_t few[4], *v = few;
    *first = -1;
    *code = 0;
    if (!info->size) return GA_OK;
    if (!(v = (int32_t *)ga__peek(fn, info, few))) return ga__failed();
    for (int64_t i = info->size; i-- > 0;)
        if (v[i]) *first = i, *code = v[i];
    if (v != few) free(v);
    return GA_OK;
}
/* " of matrix (2,1)" for the b-th of x's batch; "" where x is one matrix. */
static const char *ga__which(const ga_array *x, int64_t b) {
    static _Thread_local char text[GA_MAX_NDIM * 22 + 24];
    int64_t at[GA_MAX_NDIM];
    if (x->ndim <= 2) return "";
    for (int i = x->ndim - 2; i-- > 0; b /= x->shape[i]) at[i] = b % x->shape[i];
    snprintf(text, sizeof text, " of matrix %s",
             ga__shape_text(x->ndim - 2, at));
    return text;
}
/* Is every element of x finite? Synchronises. *finite is set on success. */
static ga_status ga__finite(const char *fn, const ga_array *x, bool *finite) {
    *finite = true;
    if (!x->size || x->dtype == GA_BOOL || ga__is_int(x->dtype)) return GA_OK;
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *f = (ga_isfinite)(x), *all = f ? (ga_all)(f, GA_ALL) : NULL;
    ga_status st = all ? GA_OK : ga__failed();
    bool v[16];
    if (!st && !ga__peek(fn, all, v)) st = ga__failed();
    if (!st) *finite = v[0];
    ga_scope_end(&own);
    return st;
}
/* Before a read or a write by a routine of the table. */
static ga_status ga__reads(const char *fn, const ga_array *x, ga_stream *s) {
    return ga__order(fn, x->ga__buf, s, false);
}
static ga_status ga__writes(const char *fn, const ga_array *x, ga_stream *s) {
    return ga__order(fn, x->ga__buf, s, true);
}
/* ------------------------------------------------ triangles, identities */
static ga_status ga__triangles(ga__device *d, const char *fn,
                               const ga__stack *a, bool upper, bool unit) {
    ga__tri q = {a->t, upper, unit, a->m, a->n, a->batch, a->p};
    return ga__run(fn, d, GA__JOB_triangle, &q, NULL, 0, NULL, 0);
}
/* Of each matrix of a C-ordered array the lower or upper triangle stays, the
   rest becomes 0, the diagonal 1 if asked.                                 */
static ga_status ga__triangle(const char *fn, ga_array *x, bool lower,
                              bool unit) {
    ga__device *d = x->ga__buf->dev;
    ga_stream *s = ga__stream(d);
    if (!x->size) return GA_OK;
    ga__stack a = ga__stack_of(x);  /* transposed: rows are its columns     */
    ga_status st = ga__writes(fn, x, s);
    if (!st) st = ga__triangles(d, fn, &a, !lower, unit);
    return st ? st : ga__after(fn, d, s);
}
/* A batch of identities, (...,m,n). */
static ga_array *ga__eyes(const char *fn, int ndim, const int64_t *shape,
                          ga_dtype t) {
    ga_array *x = ga__zeros(fn, ndim, shape, t, NULL);
    return x ? ga__or_free(x, ga__triangle(fn, x, false, true)) : NULL;
}

/* x's shape with other lengths of the last two axes; n < 0: of the last one
   only, which replaces both. Returns the rank.                             */
static int ga__shaped(const ga_array *x, int64_t m, int64_t n,
                      int64_t *shape) {
    memcpy(shape, x->shape, sizeof x->shape);
    shape[x->ndim - 2] = m;
    if (n < 0) return x->ndim - 1;
    shape[x->ndim - 1] = n;
    return x->ndim;
}
static ga_array *ga__matrices_new(const char *fn, const ga_array *x, int64_t m,
                                  int64_t n, ga_dtype t) {
    int64_t shape[GA_MAX_NDIM];
    int ndim = ga__shaped(x, m, n, shape);
    return ga__new(fn, ga__current(fn), ndim, shape, t, NULL);
}
/* The first n of x's rows, a view. */
static ga_array *ga__top_rows(const char *fn, const ga_array *x, int64_t n) {
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    int64_t *len = &v->shape[v->ndim - 2];
    v->size = *len ? v->size / *len * n : 0;
    *len = n;
    return v;
}
/* An int32 for each matrix of x. */
static ga_array *ga__info_new(const char *fn, const ga_array *x) {
    int64_t n = ga__batch_of(x);
    return ga__new(fn, ga__current(fn), 1, &n, GA_INT32, NULL);
}

/* The end of a function with several results: they go to the scope outside
   and to the caller, or nothing does.                                      */
static ga_status ga__deliver(ga_scope *own, ga_status st, int n,
                             ga_array **const *to, ga_array *const *made) {
    for (int i = 0; i < n && !st; i++)
        if (to[i]) *to[i] = ga_keep(made[i]);
    ga_scope_end(own);
    return st;
}

static _Thread_local ga_svd_method ga__svd_way;      /* ga_svd_driver's     */

/* --------------------------------------------------- fit for LAPACK: sizes */
/* A C-ordered array as (batch, the rest) of its dtype or of its reals. */
static ga_array *ga__by_matrix(const char *fn, const ga_array *x, int64_t batch,
                          bool reals) {
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    int64_t parts = 1;
    if (reals && ga__kind(x->dtype) == 'c') {
        parts = 2;
        v->dtype = ga__real_of(x->dtype);
    }
    v->size = x->size * parts;
    v->ndim = 2;
    v->shape[0] = batch;
    v->shape[1] = v->strides[0] = v->size / batch;
    v->strides[1] = 1;
    return v;
}
/* Each matrix of y, C-ordered, times its element of f. */
static ga_status ga__scale_by(const char *fn, ga_array *y, ga_array *f) {
    if (!f || !y || !y->size) return GA_OK;
    ga_array *v = ga__by_matrix(fn, y, f->shape[0], true);
    const ga_array *in[2] = {v, f};
    ga_status st = v ? ga__operate(fn, GA__OP_multiply, v, NULL, in, 2, NULL)
                     : ga__failed();
    ga_free(v);
    return st;
}
/* x's elements, float32 or float64, as doubles. Synchronises. */
static ga_status ga__read_reals(const char *fn, const ga_array *x,
                                double *out) {
    bool single = x->dtype == GA_FLOAT32;
    union { double d[2]; float f[4]; } few;
    void *p = ga__peek(fn, x, &few);
    if (!p) return ga__failed();
    for (int64_t i = 0; i < x->size; i++)
        out[i] = single ? (double)((float *)p)[i] : ((double *)p)[i];
    if (p != &few) free(p);
    return GA_OK;
}
/* Refuses NaN and infinity, and where squares of a matrix's elements could
   overflow or vanish multiplies it by a power of 2: *undo, else NULL, brings
   results back by ga__scale_by. a is a C-ordered copy of x or of a part of it;
   LAPACK's bounds. Synchronises, reading a twice.                          */
static ga_status ga__tame(const char *fn, const ga_array *x, ga_array *a,
                          ga_array **undo) {
    *undo = NULL;
    if (!a->size || x->dtype == GA_BOOL || ga__is_int(x->dtype)) return GA_OK;
    int64_t batch = ga__batch_of(x), bad = -1;
    ga_dtype t = ga__real_of(a->dtype);
    bool single = t == GA_FLOAT32;
    double low = single ? 0x1p-40 : 0x1p-459, high = 1 / low;
    int most = single ? 120 : 1000, wild = 0;
    ga_status st = GA_OK;
    ga_array *v = ga__by_matrix(fn, a, batch, true);
    const int before = ga__alone(a);
    ga_array *high_low[2] = {v ? (ga_max)(v, GA_AXIS(1)) : NULL,
                             v ? (ga_min)(v, GA_AXIS(1)) : NULL};
    ga__together(before);
    ga_free(v);
    double *f = (double *)GA_MALLOC((size_t)batch * 3 * sizeof *f), *size = f;
    if (!f) st = ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    for (int k = 0; k < 2; k++) {
        if (!high_low[k] && !st) st = ga__failed();
        if (!st) st = ga__read_reals(fn, high_low[k], f + k * batch);
        ga_free(high_low[k]);
    }
    for (int64_t i = 0; i < batch && !st; i++) {
        double most_of = fmax(size[i], -size[batch + i]);
        bool fine = isfinite(size[i]) && isfinite(size[batch + i]);
        int e = 0;
        if (!fine && bad < 0) bad = i;
        if (fine && most_of > 0 && (most_of < low || most_of > high)) {
            frexp(most_of, &e);
            e = e > most ? most : e < -most ? -most : e;
            wild++;
        }
        f[batch + i] = ldexp(1, -e);
        f[2 * batch + i] = ldexp(1, e);
    }
    if (bad >= 0)
        st = ga__fail(GA_ERR_NAN, fn, "an element%s is NaN or infinite",
                      ga__which(x, bad));
    if (!st && wild) {
        ga_array *both = (ga_asarray_as)(f + batch, GA_FLOAT64,
                                         GA_SHAPE(2, batch, 1));
        ga_array *as = both ? ga__copy_as(fn, both, t) : NULL;
        ga_array *there = as ? (ga_index_axis)(as, 0, 0) : NULL;
        *undo = there ? (ga_index_axis)(as, 0, 1) : NULL;
        st = *undo ? ga__scale_by(fn, a, there) : ga__failed();
    }
    GA_FREE(f);
    return st;
}
/* "ga_eigh: the iteration of matrix (1,) did not converge", or GA_OK. */
static ga_status ga__converged(const char *fn, const ga_array *x,
                               const ga_array *info) {
    int64_t at;
    int32_t code;
    ga_status st = ga__read_info(fn, info, &at, &code);
    if (!st && at >= 0)
        st = ga__fail(GA_ERR_NOT_CONVERGED, fn, "the iteration%s did not "
                      "converge (LAPACK's info is %" PRId32 ")",
                      ga__which(x, at), code);
    return st;
}

/* ================================================================= >>i-gemm
   One matrix product, or a batch of them, for ga__lapack's gemm: CBLAS or
   cuBLAS where they can read the operands as they lie, our loops elsewhere. */
static _Thread_local ga_precision ga__precision;
GA_API ga_precision ga_matmul_precision(ga_precision p) {
    ga_precision before = ga__precision;
    ga__precision = p;
    return before;
}

/* Can BLAS read these rows by cols, row-major: as they stand, or (*trans) as
   the transpose of what stands there? Conjugation goes with *trans alone.  */
static bool ga__blas_side(int64_t rows, int64_t cols, int64_t row, int64_t col,
                          bool conj, bool *trans, int64_t *ld) {
    *trans = false;
    *ld = rows == 1 ? cols : row;
    if (!conj && (col == 1 || cols == 1) && *ld >= cols) return true;
    *trans = true;
    *ld = cols == 1 ? rows : col;
    return (row == 1 || rows == 1) && *ld >= rows;
}
static bool ga__is_blas(ga_dtype t) {
    return ga__kind(t) == 'f' || ga__kind(t) == 'c';
}

/* ------------------------------------------------------------------- CPU */
#ifdef GPUARR_USE_LAPACK
/* The threads for n jobs of so many multiplications in all: a share of less
   than some ten microseconds is not worth one.                             */
static int ga__shares(int64_t n, double work) {
    const int most = gk_cpu_threads();
    const double worth = fmin((double)n, work / 65536);
    return worth < 2 ? 1 : worth < most ? (int)worth : most;
}

/* cblas_?gemm, ?gemv or ?dot on one matrix of a batch; all lengths fit int.
   ta, tb, lda, ldb are ga__blas_side's.                                    */
static void ga__cblas(const ga__gemm *g, bool ta, int64_t lda, bool tb,
                      int64_t ldb, const void *a, const void *b, void *c) {
    const int m = (int)g->m, n = (int)g->n, k = (int)g->k;
    const int la = (int)lda, lb = (int)ldb, lc = (int)(m == 1 ? n : g->c_row);
    const CBLAS_TRANSPOSE no = CblasNoTrans, yes = CblasTrans,
                          conj = CblasConjTrans;
    const CBLAS_TRANSPOSE fa = g->a_conj ? conj : ta ? yes : no;
    const CBLAS_TRANSPOSE fb = g->b_conj ? conj : tb ? yes : no;
    const float one[2] = {1, 0}, zero[2] = {0, 0};
    const double done[2] = {1, 0}, dzero[2] = {0, 0};
    if (m == 1 && n == 1 && !(g->a_conj && g->b_conj)) {
        const int ia = k == 1 ? 1 : (int)g->a_col;
        const int ib = k == 1 ? 1 : (int)g->b_row;
        switch (g->t) {
        case GA_FLOAT32:
            *(float *)c = cblas_sdot(k, (const float *)a, ia, (const float *)b,
                                     ib);
            return;
        case GA_FLOAT64:
            *(double *)c = cblas_ddot(k, (const double *)a, ia,
                                      (const double *)b, ib);
            return;
        case GA_COMPLEX64:
            if (g->a_conj) cblas_cdotc_sub(k, a, ia, b, ib, c);
            else if (g->b_conj) cblas_cdotc_sub(k, b, ib, a, ia, c);
            else cblas_cdotu_sub(k, a, ia, b, ib, c);
            return;
        default:
            if (g->a_conj) cblas_zdotc_sub(k, a, ia, b, ib, c);
            else if (g->b_conj) cblas_zdotc_sub(k, b, ib, a, ia, c);
            else cblas_zdotu_sub(k, a, ia, b, ib, c);
            return;
        }
    }
    if ((m == 1 || n == 1) && !g->a_conj && !g->b_conj) {
        /* y = M x, M being a, or b transposed: rows by cols as it stands   */
        const bool right = n == 1, t = right ? ta : !tb;
        const void *mat = right ? a : b, *x = right ? b : a;
        const int ld = right ? la : lb, rows = right ? m : n;
        const int incx = (int)(k == 1 ? 1 : right ? g->b_row : g->a_col);
        const int incy = right ? lc : 1;
        const int r = t ? k : rows, q = t ? rows : k;
        const CBLAS_TRANSPOSE f = t ? yes : no;
        switch (g->t) {
        case GA_FLOAT32:
            cblas_sgemv(CblasRowMajor, f, r, q, 1, (const float *)mat, ld,
                        (const float *)x, incx, 0, (float *)c, incy);
            return;
        case GA_FLOAT64:
            cblas_dgemv(CblasRowMajor, f, r, q, 1, (const double *)mat, ld,
                        (const double *)x, incx, 0, (double *)c, incy);
            return;
        case GA_COMPLEX64:
            cblas_cgemv(CblasRowMajor, f, r, q, one, mat, ld, x, incx, zero,
                        c, incy);
            return;
        default:
            cblas_zgemv(CblasRowMajor, f, r, q, done, mat, ld, x, incx, dzero,
                        c, incy);
            return;
        }
    }
    switch (g->t) {
    case GA_FLOAT32:
        cblas_sgemm(CblasRowMajor, fa, fb, m, n, k, 1, (const float *)a, la,
                    (const float *)b, lb, 0, (float *)c, lc);
        break;
    case GA_FLOAT64:
        cblas_dgemm(CblasRowMajor, fa, fb, m, n, k, 1, (const double *)a, la,
                    (const double *)b, lb, 0, (double *)c, lc);
        break;
    case GA_COMPLEX64:
        cblas_cgemm(CblasRowMajor, fa, fb, m, n, k, one, a, la, b, lb, zero,
                    c, lc);
        break;
    default:
        cblas_zgemm(CblasRowMajor, fa, fb, m, n, k, done, a, la, b, lb, dzero,
                    c, lc);
    }
}
/* A call of BLAS for each product, but for dot products whose batch is the
   closer axis, and for so many small ones that threads pay: these are one
   parallel loop of ours.                                                   */
static bool ga__suits_cblas(const ga__gemm *g) {
    const double each = (double)g->m * (double)g->n * (double)g->k;
    const int64_t most[] = {g->m, g->n, g->k, g->c_row, g->b_row, g->a_col};
    if (!ga__is_blas(g->t) || ga__size(g->t) < 4) return false;
    for (size_t i = 0; i < sizeof most / sizeof *most; i++)
        if (most[i] > INT32_MAX) return false;
    if (g->batch > 1 && g->m == 1 && g->n == 1 && g->a_batch == 1
        && g->b_batch == 1)
        return false;
    if (g->batch == 1 && g->m == 1 && g->n == 1 && g->k >= 65536)
        return false;               /* all threads, where BLAS has one      */
    return each > 512 || (double)g->batch * each < 1e6 || gk_cpu_threads() < 3;
}
/* A batch's product by product. OpenBLAS computes small ones on the thread
   that calls it, so that a batch of them is shared out.                    */
typedef struct ga__cblas_batch {
    const ga__gemm *g;
    bool ta, tb;
    int64_t lda, ldb;
} ga__cblas_batch;

static void ga__cblas_some(void *data, int64_t z, int64_t end, int share) {
    const ga__cblas_batch *c = (const ga__cblas_batch *)data;
    const ga__gemm *g = c->g;
    const int64_t size = (int64_t)ga__size(g->t);
    (void)share;
    for (; z < end; z++)
        ga__cblas(g, c->ta, c->lda, c->tb, c->ldb,
                  (const char *)g->a + z * g->a_batch * size,
                  (const char *)g->b + z * g->b_batch * size,
                  (char *)g->c + z * g->c_batch * size);
}
static int ga__cblas_shares(const ga__gemm *g) {
    const double each = (double)g->m * (double)g->n * (double)g->k;
    if (g->batch < 2 || each > (g->m == 1 || g->n == 1 ? 8192 : 262144))
        return 1;
    return ga__shares(g->batch, (double)g->batch * each);
}
#endif
static ga_status ga__cpu_gemm(ga__device *d, const char *fn, const ga__gemm *g,
                              ga_stream *s) {
    ga__gemm loops = *g;
    (void)s;
#ifdef GPUARR_USE_LAPACK
    bool ta = false, tb = false;
    int64_t lda = 0, ldb = 0;
    if (ga__suits_cblas(g)
        && ga__blas_side(g->m, g->k, g->a_row, g->a_col, g->a_conj, &ta, &lda)
        && ga__blas_side(g->k, g->n, g->b_row, g->b_col, g->b_conj, &tb, &ldb)
        && lda <= INT32_MAX && ldb <= INT32_MAX) {
        ga__cblas_batch c = {g, ta, tb, lda, ldb};
        gk_cpu_share(ga__cblas_some, &c, g->batch, ga__cblas_shares(g));
        return GA_OK;
    }
#endif
    return ga__run(fn, d, GA__JOB_gemm, &loops, NULL, 0, NULL, 0);
}

#ifndef GPUARR_NO_CUDA
/* ------------------------------------------------------------------ CUDA */
/* Row-major C = A B is column-major C^T = B^T A^T. Halves are summed in
   float32. */
static cublasStatus_t ga__cublas_gemm(cublasHandle_t h, const ga__gemm *g,
                                      bool ta, int64_t lda, bool tb,
                                      int64_t ldb) {
    static const double done[2] = {1, 0}, dzero[2] = {0, 0};
    static const float one[2] = {1, 0}, zero[2] = {0, 0};
    const bool wide = g->t == GA_FLOAT64 || g->t == GA_COMPLEX128;
    const bool half = ga__size(g->t) == 2;
    const cublasComputeType_t compute =
        wide ? CUBLAS_COMPUTE_64F
        : ga__precision == GA_TF32 && !half ? CUBLAS_COMPUTE_32F_FAST_TF32
                                            : CUBLAS_COMPUTE_32F;
    const void *alpha = wide ? (const void *)done : one;
    const void *beta = wide ? (const void *)dzero : zero;
    const cudaDataType type = ga__cuda_type(g->t);
    const cublasOperation_t fa = g->a_conj ? CUBLAS_OP_C
                                 : ta ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t fb = g->b_conj ? CUBLAS_OP_C
                                 : tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int64_t ldc = g->m == 1 ? g->n : g->c_row;
    if (g->batch == 1)
        return ga__blas.GemmEx_64(h, fb, fa, g->n, g->m, g->k, alpha, g->b,
                                  type, ldb, g->a, type, lda, beta, g->c, type,
                                  ldc, compute, CUBLAS_GEMM_DEFAULT);
    return ga__blas.GemmStridedBatchedEx_64(
        h, fb, fa, g->n, g->m, g->k, alpha, g->b, type, ldb, g->b_batch, g->a,
        type, lda, g->a_batch, beta, g->c, type, ldc, g->c_batch, g->batch,
        compute, CUBLAS_GEMM_DEFAULT);
}
/* y = M x, where M is a, or b transposed, and its columns are dense. */
static cublasStatus_t ga__cublas_gemv(cublasHandle_t h, const ga__gemm *g,
                                      int64_t lda, int64_t ldb) {
    const bool right = g->n == 1;
    const void *mat = right ? g->a : g->b, *x = right ? g->b : g->a;
    const int64_t rows = right ? g->m : g->n, ld = right ? lda : ldb;
    const int64_t incx = g->k == 1 ? 1 : right ? g->b_row : g->a_col;
    const int64_t incy = right && rows > 1 ? g->c_row : 1;
    const long long sm = right ? g->a_batch : g->b_batch;
    const long long sx = right ? g->b_batch : g->a_batch, sy = g->c_batch;
    const cublasOperation_t n = CUBLAS_OP_N;
#define GA__GEMV(F, T, one, zero)                                             \
    (g->batch == 1                                                            \
         ? ga__blas.F##gemv_64(h, n, rows, g->k, one, (const T *)mat, ld,     \
                               (const T *)x, incx, zero, (T *)g->c, incy)     \
         : ga__blas.F##gemvStridedBatched_64(                                 \
               h, n, rows, g->k, one, (const T *)mat, ld, sm, (const T *)x,   \
               incx, sx, zero, (T *)g->c, incy, sy, g->batch))
    const cuComplex c1 = {1, 0}, c0 = {0, 0};
    const cuDoubleComplex z1 = {1, 0}, z0 = {0, 0};
    switch (g->t) {
    case GA_FLOAT32: return GA__GEMV(S, float, &c1.x, &c0.x);
    case GA_FLOAT64: return GA__GEMV(D, double, &z1.x, &z0.x);
    case GA_COMPLEX64: return GA__GEMV(C, cuComplex, &c1, &c0);
    default: return GA__GEMV(Z, cuDoubleComplex, &z1, &z0);
    }
#undef GA__GEMV
}
/* Vectors: dot products along rows are ours, sums of columns gemv's. A few rows
   times a small matrix are vectors too: cuBLAS 13 takes 53 us for 10 or 16 of
   100 by 100 to 100 by 1000 floats, its gemv 5.6, our dot products 5 (10 by
   100 times 100 by 150; H200); beyond 512 by 512 none is ahead for good.   */
static ga_status ga__cuda_gemm(ga__device *d, const char *fn,
                               const ga__gemm *g, ga_stream *s) {
    bool ta = false, tb = false;
    int64_t lda = 0, ldb = 0;
    ga__gemm few;
    if (g->t == GA_FLOAT32 && g->batch == 1 && g->m > 1 && g->m <= 16
        && g->n > 1 && g->n <= 4096 && g->k <= 4096 && g->n * g->k <= 1 << 18) {
        few = *g;
        few.batch = g->m;
        few.m = 1;
        few.a_batch = g->a_row;
        few.b_batch = 0;
        few.c_batch = g->c_row;
        g = &few;
    }
    const bool vector = g->m == 1 || g->n == 1;
    if (!ga__is_blas(g->t)
        || !ga__blas_side(g->m, g->k, g->a_row, g->a_col, g->a_conj, &ta, &lda)
        || !ga__blas_side(g->k, g->n, g->b_row, g->b_col, g->b_conj, &tb, &ldb)
        || (vector && (g->n == 1 ? g->m == 1 || !ta : tb)))
        {
        ga__gemm loops = *g;
        return ga__run(fn, d, GA__JOB_gemm, &loops, NULL, 0, NULL, 0);
    }
    cublasHandle_t h;
    int before;
    ga_status st = ga__cublas(d, fn, s, &h);
    if (st) return st;
    cublasStatus_t b = CUBLAS_STATUS_SUCCESS;
    cudaError_t e = ga__cuda_enter(d, &before);
    enum cudaStreamCaptureMode mode = ga__uncaptured();
    if (!e)
        b = vector && !g->a_conj && !g->b_conj && ga__size(g->t) > 2
                ? ga__cublas_gemv(h, g, lda, ldb)
                : ga__cublas_gemm(h, g, ta, lda, tb, ldb);
    ga__captured(mode);
    st = ga__cuda_leave(fn, d, before, e);
    return st ? st : ga__blas_ok(fn, d, b);
}
#endif

/* ============================================================ >>i-products
   Every product becomes out[b] = x[b] y[b] with strides for all axes, read
   from the arrays where they are; axes of the batch fold into the matrices
   or into one stride where they can.                                       */
typedef struct ga__side {           /* strides in elements                  */
    char *p;
    int64_t row, col, step[GA_MAX_NDIM];
} ga__side;
typedef struct ga__product {        /* out[b] (m,n) = x[b] (m,k) y[b] (k,n) */
    int64_t m, n, k;
    int nb;                         /* axes of b                            */
    int64_t len[GA_MAX_NDIM];
    int axis[GA_MAX_NDIM];          /* of out, for the axes of b, m and n;  */
    int m_axis, n_axis;             /* -1: it has none                      */
    ga__side x, y, out;
    bool x_conj, y_conj;
} ga__product;

/* Which axes a product sums over and how its batches meet. The free axis of
   an operand and the summed one are its last two; those before them broadcast,
   or, outer, go with all of the other's.                                   */
#define GA__X(n, ...) GA__P_##n,
typedef enum ga__which_product { GA_PRODUCTS(GA__X) } ga__which_product;
#undef GA__X
static bool ga__roles(const char *fn, ga__which_product kind, const ga_array *x,
                      const ga_array *y, ga__product *p, int *ndim,
                      int64_t *shape) {
    const bool outer = kind == GA__P_dot || kind == GA__P_inner;
    const bool yf = (outer || kind == GA__P_matmul) && y->ndim > 1;
    const bool xf = kind == GA__P_matvec
                    || ((outer || kind == GA__P_matmul) && x->ndim > 1);
    const int lx = x->ndim - 1 - xf, ly = y->ndim - 1 - yf;
    if (lx < 0 || ly < 0) {
        const ga_array *bad = lx < 0 ? x : y;
        ga__fail(GA_ERR_SHAPE, fn, "%s is wanted, not shape %s",
                 lx < 0 && xf ? "a matrix" : "a vector or matrix",
                 ga__shape_text(bad->ndim, bad->shape));
        return false;
    }
    const int kx = x->ndim - 1, fx = kx - 1;
    const int ky = y->ndim - 1 - (yf && kind != GA__P_inner);
    const int fy = y->ndim - 1 - (kind == GA__P_inner);
    if (x->shape[kx] != y->shape[ky]) {
        ga__fail(GA_ERR_SHAPE, fn, "shapes %s and %s: %" PRId64 " and %" PRId64
                 " differ", ga__shape_text(x->ndim, x->shape),
                 ga__shape_text(y->ndim, y->shape), x->shape[kx],
                 y->shape[ky]);
        return false;
    }
    p->k = x->shape[kx];
    p->m = xf ? x->shape[fx] : 1;
    p->n = yf ? y->shape[fy] : 1;
    p->x.p = (char *)x->data;
    p->y.p = (char *)y->data;
    p->x.col = x->strides[kx];
    p->y.row = y->strides[ky];
    p->x.row = xf ? x->strides[fx] : p->k;
    p->y.col = yf ? y->strides[fy] : 1;
    p->m_axis = p->n_axis = -1;
    int nb = outer ? lx + ly : lx > ly ? lx : ly, at = 0;
    *ndim = nb + xf + yf;
    if (*ndim > GA_MAX_NDIM) {
        ga__fail(GA_ERR_SHAPE, fn, "shapes %s and %s: the result has %d "
                 "dimensions; %d are possible",
                 ga__shape_text(x->ndim, x->shape),
                 ga__shape_text(y->ndim, y->shape), *ndim, GA_MAX_NDIM);
        return false;
    }
    for (int i = 0; i < nb; i++) {
        const int ix = outer ? i : i - (nb - lx);
        const int iy = outer ? i - lx : i - (nb - ly);
        const bool has_x = ix >= 0 && ix < lx, has_y = iy >= 0;
        const int64_t a = has_x ? x->shape[ix] : 1;
        const int64_t b = has_y ? y->shape[iy] : 1;
        if (outer && xf && i == lx) p->m_axis = at++;
        if (a != b && a != 1 && b != 1) {
            ga__fail(GA_ERR_SHAPE, fn, "shapes %s and %s: their batches do not "
                     "broadcast", ga__shape_text(x->ndim, x->shape),
                     ga__shape_text(y->ndim, y->shape));
            return false;
        }
        p->len[i] = a == 1 ? b : a;
        p->x.step[i] = has_x && a != 1 ? x->strides[ix] : 0;
        p->y.step[i] = has_y && b != 1 ? y->strides[iy] : 0;
        p->axis[i] = at;
        shape[at++] = p->len[i];
    }
    if (xf && p->m_axis < 0) p->m_axis = at++;
    if (xf) shape[p->m_axis] = p->m;
    if (yf) shape[p->n_axis = at++] = p->n;
    p->nb = nb;
    return true;
}
static void ga__roles_out(ga__product *p, const ga_array *out) {
    p->out.p = (char *)out->data;
    p->out.col = p->n_axis >= 0 ? out->strides[p->n_axis] : 1;
    p->out.row = p->m_axis >= 0 ? out->strides[p->m_axis] : p->n;
    for (int i = 0; i < p->nb; i++) p->out.step[i] = out->strides[p->axis[i]];
}

/* Does the operand suit BLAS where it stands? Our loops read any strides. */
static bool ga__side_ok(const ga__product *p, ga_dtype t, const ga__side *s) {
    bool trans;
    int64_t ld;
    if (!ga__is_blas(t)) return true;
    for (int i = 0; i < p->nb; i++)
        if (s->step[i] < 0) return false;
    return s == &p->x ? ga__blas_side(p->m, p->k, s->row, s->col, false,
                                      &trans, &ld)
                      : ga__blas_side(p->k, p->n, s->row, s->col, false,
                                      &trans, &ld);
}
/* Rows of adjoining elements: as it stands, or with x and y transposed. */
static bool ga__out_ok(const ga__product *p) {
    bool trans;
    int64_t ld;
    for (int i = 0; i < p->nb; i++)
        if (p->out.step[i] <= 0 && p->len[i] > 1) return false;
    return ga__blas_side(p->m, p->n, p->out.row, p->out.col, false, &trans,
                         &ld);
}
static void ga__drop_axis(ga__product *p, int i) {
    p->nb--;
    for (; i < p->nb; i++) {
        p->len[i] = p->len[i + 1];
        p->x.step[i] = p->x.step[i + 1];
        p->y.step[i] = p->y.step[i + 1];
        p->out.step[i] = p->out.step[i + 1];
    }
}
/* Axes of length 1 go; one that an operand lacks becomes rows of the other
   where that is one matrix, or each of its matrices one row; neighbours that
   are one stride for all become one axis.                                  */
static void ga__fold(ga__product *p, ga_dtype t) {
    for (int i = p->nb; i-- > 0;) {
        ga__product q = *p;
        const int64_t len = p->len[i], sx = p->x.step[i], sy = p->y.step[i];
        const int64_t so = p->out.step[i];
        if (len == 1) {
            ga__drop_axis(p, i);
            continue;
        }
        if (!sy && (p->m == 1 || (sx == p->m * p->x.row
                                  && so == p->m * p->out.row))) {
            if (p->m == 1) q.x.row = sx, q.out.row = so;
            q.m *= len;
        } else if (!sx && (p->n == 1 || (sy == p->n * p->y.col
                                         && so == p->n * p->out.col))) {
            if (p->n == 1) q.y.col = sy, q.out.col = so;
            q.n *= len;
        } else {
            continue;
        }
        ga__drop_axis(&q, i);
        if (ga__side_ok(&q, t, &q.x) && ga__side_ok(&q, t, &q.y)
            && ga__out_ok(&q))
            *p = q;
    }
    for (int i = p->nb - 1; i-- > 0;) {
        const int64_t n = p->len[i + 1];
        if (p->x.step[i] != n * p->x.step[i + 1]
            || p->y.step[i] != n * p->y.step[i + 1]
            || p->out.step[i] != n * p->out.step[i + 1])
            continue;
        p->len[i + 1] *= p->len[i];
        ga__drop_axis(p, i);
    }
}
/* The axis that one call takes as its batch: the longest. */
static int ga__longest(const ga__product *p) {
    int at = 0;
    for (int i = 1; i < p->nb; i++)
        if (p->len[i] > p->len[at]) at = i;
    return at;
}
static int64_t ga__calls(const ga__product *p) {
    int64_t n = 1;
    for (int i = 0; i < p->nb; i++)
        if (i != ga__longest(p)) n *= p->len[i];
    return n;
}

/* All of p, queued on s; nothing in it is empty. */
static ga_status ga__product_run(const char *fn, ga__device *d,
                                 const ga__product *p, ga_dtype t,
                                 ga_stream *s) {
    const int64_t size = (int64_t)ga__size(t);
    const int in = ga__longest(p);
    const bool batch = p->nb > 0;
    bool trans;
    int64_t ld, at[GA_MAX_NDIM] = {0};
    ga__gemm g;
    memset(&g, 0, sizeof g);
    g.t = t;
    g.k = p->k;
    g.batch = batch ? p->len[in] : 1;
    g.c_batch = batch ? p->out.step[in] : 0;
    ga__blas_side(p->m, p->n, p->out.row, p->out.col, false, &trans, &ld);
    const ga__side *a = trans ? &p->y : &p->x, *b = trans ? &p->x : &p->y;
    g.m = trans ? p->n : p->m;
    g.n = trans ? p->m : p->n;
    g.a_row = trans ? a->col : a->row;
    g.a_col = trans ? a->row : a->col;
    g.b_row = trans ? b->col : b->row;
    g.b_col = trans ? b->row : b->col;
    g.a_conj = (trans ? p->y_conj : p->x_conj) && ga__kind(t) == 'c';
    g.b_conj = (trans ? p->x_conj : p->y_conj) && ga__kind(t) == 'c';
    g.a_batch = batch ? a->step[in] : 0;
    g.b_batch = batch ? b->step[in] : 0;
    g.c_row = ld;
    for (;;) {
        int64_t oa = 0, ob = 0, oc = 0;
        for (int i = 0; i < p->nb; i++) {
            oa += at[i] * a->step[i];
            ob += at[i] * b->step[i];
            oc += at[i] * p->out.step[i];
        }
        g.a = a->p + oa * size;
        g.b = b->p + ob * size;
        g.c = p->out.p + oc * size;
        ga_status st = d->be->la->gemm(d, fn, &g, s);
        if (st) return st;
        int i = p->nb - 1;
        for (; i >= 0; i--) {
            if (i == in) continue;
            if (++at[i] < p->len[i]) break;
            at[i] = 0;
        }
        if (i < 0) return GA_OK;
    }
}

/* With more calls than this for a product, copies are made to save them. */
#define GA__MAX_CALLS 8

/* target = x y of dtype t, all of them; target is safe to write. Copies live
   in the scope around.                                                     */
static ga_status ga__product_into(const char *fn, ga__device *d,
                                  ga__which_product kind, bool conj,
                                  ga_array *target,
                                  const ga_array *x, const ga_array *y,
                                  ga_dtype t) {
    ga__product p;
    int ndim;
    int64_t shape[GA_MAX_NDIM];
    p.x_conj = conj;
    p.y_conj = false;
    for (bool tried = false;; tried = true) {
        if (!ga__roles(fn, kind, x, y, &p, &ndim, shape)) return ga__failed();
        ga__roles_out(&p, target);
        bool bad_x = x->dtype != t || !ga__side_ok(&p, t, &p.x);
        bool bad_y = y->dtype != t || !ga__side_ok(&p, t, &p.y);
        if (!bad_x && !bad_y) {
            ga__fold(&p, t);
            if (tried || ga__calls(&p) <= GA__MAX_CALLS) break;
            bad_x = !ga_is_contiguous(x);
            bad_y = !ga_is_contiguous(y);
            if (!bad_x && !bad_y) break;
        }
        if (bad_x && !(x = ga__copy_as(fn, x, t))) return ga__failed();
        if (bad_y && !(y = ga__copy_as(fn, y, t))) return ga__failed();
    }
    ga_stream *s = ga__stream(d);
    ga_status st = ga__reads(fn, x, s);
    if (!st) st = ga__reads(fn, y, s);
    if (!st) st = ga__writes(fn, target, s);
    if (!st) st = ga__product_run(fn, d, &p, t, s);
    return st ? st : ga__after(fn, d, s);
}

/* out = x y, or a new array in *made; the arguments have been looked at, and
   neither is a number.                                                     */
static ga_status ga__product_of(const char *fn, ga__which_product kind,
                                bool conj, ga_array *out, ga_array **made,
                                const ga_array *x, const ga_array *y) {
    const ga_array *all[3] = {x, y, out};
    ga__device *d = ga__same_device(fn, all, out ? 3 : 2);
    if (!d) return ga__failed();
    const ga_dtype t = ga_promote_types(x->dtype, y->dtype);
    ga__product p;
    int ndim;
    int64_t shape[GA_MAX_NDIM], size;
    if (!ga__roles(fn, kind, x, y, &p, &ndim, shape)
        || !ga__count(fn, ndim, shape, t, &size))
        return ga__failed();
    ga__result r;
    bool any = out && ga__suits(fn, out, ndim, shape, t);
    if (out && !any) return ga__failed();
    if (any) {                      /* which strides BLAS can write         */
        ga__roles_out(&p, out);
        any = ga__out_ok(&p);
    }
    if (!ga__result_begin(&r, fn, d, out, made, ndim, shape, t, all, 2,
                          any ? GA__TO_VIEW : 0))
        return ga__failed();
    ga_scope own;
    ga_scope_begin(&own);
    ga_status st = GA_OK;
    if (size && p.k) {
        st = ga__product_into(fn, d, kind, conj, r.to, x, y, t);
    } else if (size) {
        ga_array zero;
        st = ga__fill(fn, r.to, ga__arg_b(false, &zero));
    }
    ga_scope_end(&own);
    return ga__result_end(&r, st);
}
static bool ga__operands(const char *fn, const ga_array *out, bool into,
                         const ga_array *x, const ga_array *y) {
    return ga__ok(fn, x) && ga__ok(fn, y)
           && (!into || (ga__ok(fn, out) && ga__writable(fn, out)));
}
static ga_array *ga__matmul(const char *fn, const ga_array *x,
                            const ga_array *y) {
    ga_array *r = NULL;
    if (ga__operands(fn, NULL, false, x, y))
        ga__product_of(fn, GA__P_matmul, false, NULL, &r, x, y);
    return r;
}
static ga_status ga__matmul_into(const char *fn, ga_array *out,
                                 const ga_array *x, const ga_array *y) {
    return ga__operands(fn, out, true, x, y)
               ? ga__product_of(fn, GA__P_matmul, false, out, NULL, x, y)
               : ga__failed();
}

/* ------------------------------------------------- products of elements */
/* x * y element by element, broadcast, in C order. */
static ga_status ga__times(const char *fn, ga_array *out, ga_array **made,
                           const ga_array *x, const ga_array *y) {
    const ga_array *in[2] = {x, y};
    if (!made) return ga__operate(fn, GA__OP_multiply, out, NULL, in, 2, NULL);
    int ndim;
    int64_t shape[GA_MAX_NDIM];
    ga__device *d = ga__same_device(fn, in, 2);
    if (!d || !ga__broadcast(fn, in, 2, &ndim, shape)) return ga__failed();
    ga_dtype t = ga__common(fn, GA__OP_multiply, in, 2);
    ga_array *r = t == GA_NUM_DTYPES ? NULL
                                     : ga__new(fn, d, ndim, shape, t, NULL);
    if (!r) return ga__failed();
    ga_status st = ga__operate(fn, GA__OP_multiply, r, NULL, in, 2, NULL);
    *made = ga__or_free(r, st);
    return st;
}
/* x with its axes, after leading ones up to ndim, at 2i + odd of 2 ndim. */
static ga_array *ga__interleaved(const char *fn, const ga_array *x, int ndim,
                                 int odd) {
    ga_array *v = ga__view_new(fn, x);
    if (!v) return NULL;
    v->ndim = 2 * ndim;
    for (int i = 0; i < 2 * ndim; i++) {
        const int from = i / 2 - (ndim - x->ndim);
        const bool has = i % 2 == odd && from >= 0;
        v->shape[i] = has ? x->shape[from] : 1;
        v->strides[i] = has ? x->strides[from] : 0;
    }
    return ga__view_done(v, 0);
}
/* out, with shape x's times y's along each axis; x and y have rank ndim at
   most. Above rank 4 one axis is gone through on the host.                 */
static ga_status ga__kron(const char *fn, ga_array *out, const ga_array *x,
                          const ga_array *y) {
    const int nd = out->ndim;
    ga_scope own;
    ga_scope_begin(&own);
    ga_status st = GA_OK;
    if (nd > 4) {
        const bool has_x = x->ndim == nd, has_y = y->ndim == nd;
        const int64_t a = has_x ? x->shape[0] : 1, b = has_y ? y->shape[0] : 1;
        for (int64_t i = 0; i < a * b && !st; i++) {
            ga_scope step;
            ga_scope_begin(&step);
            ga_array *o = (ga_index_axis)(out, 0, i);
            const ga_array *u = has_x ? (ga_index_axis)(x, 0, i / b) : x;
            const ga_array *v = has_y ? (ga_index_axis)(y, 0, i % b) : y;
            st = o && u && v ? ga__kron(fn, o, u, v) : ga__failed();
            ga_scope_end(&step);
        }
    } else {
        ga_array *u = ga__interleaved(fn, x, nd, 0);
        ga_array *v = u ? ga__interleaved(fn, y, nd, 1) : NULL;
        ga_array *o = v ? ga__view_new(fn, out) : NULL;
        if (o) {
            o->ndim = 2 * nd;
            for (int i = nd; i-- > 0;) {
                const int64_t step = out->strides[i], b = v->shape[2 * i + 1];
                o->shape[2 * i] = u->shape[2 * i];
                o->shape[2 * i + 1] = b;
                o->strides[2 * i] = step * b;
                o->strides[2 * i + 1] = step;
            }
            ga__view_done(o, 0);
        }
        const ga_array *in[2] = {u, v};
        st = o ? ga__operate(fn, GA__OP_multiply, o, NULL, in, 2, NULL)
               : ga__failed();
    }
    ga_scope_end(&own);
    return st;
}
static ga_status ga__kron_of(const char *fn, ga_array *out, ga_array **made,
                             const ga_array *x, const ga_array *y) {
    const ga_array *in[2] = {x, y}, *o = out;
    const int nd = x->ndim > y->ndim ? x->ndim : y->ndim;
    int64_t shape[GA_MAX_NDIM], size;
    ga__device *d = ga__same_device(fn, in, 2);
    if (!d || (out && !ga__same_device(fn, &o, 1))) return ga__failed();
    const ga_dtype t = ga_promote_types(x->dtype, y->dtype);
    for (int i = 0; i < nd; i++) {
        const int ix = i - (nd - x->ndim), iy = i - (nd - y->ndim);
        const int64_t a = ix >= 0 ? x->shape[ix] : 1;
        const int64_t b = iy >= 0 ? y->shape[iy] : 1;
        if (a && b > INT64_MAX / a)
            return ga__fail(GA_ERR_SIZE, fn, "shapes %s and %s: the result is "
                            "too large", ga__shape_text(x->ndim, x->shape),
                            ga__shape_text(y->ndim, y->shape));
        shape[i] = a * b;
    }
    ga__result r;
    if (!ga__count(fn, nd, shape, t, &size)
        || !ga__result_begin(&r, fn, d, out, made, nd, shape, t, in, 2,
                             GA__TO_VIEW | GA__TO_CAST))
        return ga__failed();
    return ga__result_end(&r, size ? ga__kron(fn, r.to, x, y) : GA_OK);
}
/* ---------------------------------------------------------------- public */
/* Where a C number or rank 0 is possible the product is the elements' then,
   or that of arrays of one element; numbers are weak, as everywhere here.  */
static ga_status ga__any_product(const char *fn, ga__which_product kind,
                                 ga_array *out, ga_array **made,
                                 const ga_array *x, const ga_array *y) {
    if (!ga__operands(fn, out, !made, x, y)) return ga__failed();
    const bool numbers = ga__is_number(x) || ga__is_number(y);
    const bool conj = kind == GA__P_vecdot || kind == GA__P_vdot;
    if ((kind == GA__P_dot || kind == GA__P_inner) && (!x->ndim || !y->ndim))
        return ga__times(fn, out, made, x, y);
    if (kind != GA__P_vdot && kind != GA__P_outer && kind != GA__P_kron) {
        if (numbers)
            return ga__fail(GA_ERR_VALUE, fn, "a C number is not possible "
                            "here");
        return ga__product_of(fn, kind, conj, out, made, x, y);
    }
    ga_scope own;
    ga_scope_begin(&own);
    const ga_array *in[2] = {x, y};
    const ga_dtype t = numbers ? ga__common(fn, GA__OP_multiply, in, 2)
                               : x->dtype;
    const ga_shape line = {1, {-1}}, column = {2, {-1, 1}}, row = {2, {1, -1}};
    const bool vdot = kind == GA__P_vdot;
    ga_status st = GA_OK;
    if (t != GA_NUM_DTYPES && ga__is_number(x))
        x = ga__full(fn, 0, NULL, x, t, NULL);
    if (t != GA_NUM_DTYPES && x && ga__is_number(y))
        y = ga__full(fn, 0, NULL, y, t, NULL);
    if (t == GA_NUM_DTYPES || !x || !y) {
        st = ga__failed();
    } else if (kind == GA__P_kron) {
        st = ga__kron_of(fn, out, made, x, y);
    } else if (vdot && x->size != y->size) {
        st = ga__fail(GA_ERR_SHAPE, fn, "shapes %s and %s: %" PRId64 " and %"
                      PRId64 " elements", ga__shape_text(x->ndim, x->shape),
                      ga__shape_text(y->ndim, y->shape), x->size, y->size);
    } else if (!(x = ga__reshape(fn, x, vdot ? line : column))
               || !(y = ga__reshape(fn, y, vdot ? line : row))) {
        st = ga__failed();
    } else {
        st = vdot ? ga__product_of(fn, GA__P_vecdot, conj, out, made, x, y)
                  : ga__times(fn, out, made, x, y);
    }
    if (!st && made) ga_keep(*made);
    ga_scope_end(&own);
    return st;
}
#define GA__X(n, ...)                                                        \
    GA_API ga_array *(ga_##n)(const ga_array *x, const ga_array *y) {        \
        ga_array *r = NULL;                                                  \
        ga__any_product("ga_" #n, GA__P_##n, NULL, &r, x, y);                \
        return r;                                                            \
    }                                                                        \
    GA_API ga_status (ga_##n##_into)(ga_array *out, const ga_array *x,       \
                                     const ga_array *y) {                    \
        return ga__any_product("ga_" #n "_into", GA__P_##n, out, NULL, x,    \
                               y);                                           \
    }
GA_PRODUCTS(GA__X)
#undef GA__X

/* ------------------------------------------------ cross, power and trace */
/* x's i-th component along its last axis; NULL for the third of two. */
static const ga_array *ga__component(const ga_array *x, int i) {
    return i < x->shape[x->ndim - 1] ? (ga_index_axis)(x, -1, i) : NULL;
}
/* out = a b - c d, a product being 0 where one of its factors is absent. */
static ga_status ga__minor(const char *fn, ga_array *out, const ga_array *a,
                           const ga_array *b, const ga_array *c,
                           const ga_array *d) {
    const ga_array *plus[2] = {a, b}, *minus[2] = {c, d}, *both[2];
    const bool has_ab = a && b, has_cd = c && d;
    ga_array *product = NULL;
    ga_status st = GA_OK;
    if (has_ab)
        st = ga__operate(fn, GA__OP_multiply, out, NULL, plus, 2, NULL);
    if (!st && has_cd)
        st = ga__operate(fn, GA__OP_multiply, NULL, &product, minus, 2, NULL);
    if (st || !has_cd) return st;
    both[0] = out;
    both[1] = product;
    if (has_ab)
        return ga__operate(fn, GA__OP_subtract, out, NULL, both, 2, NULL);
    return ga__operate(fn, GA__OP_negative, out, NULL, both + 1, 1, NULL);
}
GA_API ga_array *(ga_cross)(const ga_array *x, const ga_array *y, int axis) {
    static const char fn[] = "ga_cross";
    const ga_array *in[2] = {x, y}, *lead[2], *u[3], *v[3];
    int64_t shape[GA_MAX_NDIM];
    int nd, ax, ay;
    if (!ga__operands(fn, NULL, false, x, y)) return NULL;
    ga__device *d = ga__same_device(fn, in, 2);
    if (!d || (ax = ga__axis(fn, axis, x->ndim)) < 0
        || (ay = ga__axis(fn, axis, y->ndim)) < 0)
        return NULL;
    const int64_t nx = x->shape[ax], ny = y->shape[ay];
    if (nx < 2 || nx > 3 || ny < 2 || ny > 3)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "vectors of %" PRId64
                                    " and %" PRId64 " components; 2 or 3 are "
                                    "possible", nx, ny);
    const ga_dtype t = ga_promote_types(x->dtype, y->dtype);
    if (t == GA_BOOL)
        return (ga_array *)GA__NULL(GA_ERR_DTYPE, fn, "bool is not supported");
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *r = NULL;
    const ga_axis last = {1, false, {-1}};
    ga_axis from = {1, false, {ax}};
    const ga_array *xe = (ga_moveaxis)(x, from, last);
    from.axis[0] = ay;
    const ga_array *ye = xe ? (ga_moveaxis)(y, from, last) : NULL;
    bool ok = ye != NULL;
    for (int i = 0; i < 3 && ok; i++) {
        u[i] = ga__component(xe, i);
        v[i] = ga__component(ye, i);
        ok = (u[i] || i == nx) && (v[i] || i == ny);
    }
    lead[0] = ok ? u[0] : NULL;
    lead[1] = ok ? v[0] : NULL;
    if (!ok || !ga__broadcast(fn, lead, 2, &nd, shape))
        return ga__leave(&own, NULL);
    ga_status st;
    if (nx == 2 && ny == 2) {
        r = ga__new(fn, d, nd, shape, t, NULL);
        st = r ? ga__minor(fn, r, u[0], v[1], u[1], v[0]) : ga__failed();
    } else {
        int at = axis < 0 ? axis + nd + 1 : axis;
        for (int i = nd; i > at; i--) shape[i] = shape[i - 1];
        shape[at] = 3;
        r = ga__new(fn, d, nd + 1, shape, t, NULL);
        st = r ? GA_OK : ga__failed();
        for (int i = 0; i < 3 && !st; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            ga_array *o = (ga_index_axis)(r, at, i);
            st = o ? ga__minor(fn, o, u[j], v[k], u[k], v[j]) : ga__failed();
        }
    }
    return ga__leave(&own, st ? NULL : r);
}

static ga_array *ga__inv(const char *fn, const ga_array *a, ga_array **sign);
GA_API ga_array *(ga_matrix_power)(const ga_array *x, int64_t n) {
    static const char fn[] = "ga_matrix_power";
    if (!ga__ok(fn, x)) return NULL;
    if (ga__is_number(x) || x->ndim < 2
        || x->shape[x->ndim - 2] != x->shape[x->ndim - 1])
        return (ga_array *)GA__NULL(x->ndim < 2 ? GA_ERR_SHAPE : GA_ERR_SQUARE,
                                    fn, "square matrices are wanted, not shape "
                                    "%s", ga__shape_text(x->ndim, x->shape));
    if (!ga__same_device(fn, &x, 1)) return NULL;
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *r = NULL, *made = n < 0 ? ga__inv(fn, x, NULL) : NULL;
    const ga_array *square = n < 0 ? made : x;
    bool ok = square != NULL;
    if (ok && n == 0) {             /* ones on zeros' diagonals             */
        ga_array one, *z = ga__zeros(fn, x->ndim, x->shape, x->dtype, NULL);
        ga_array *v = z ? (ga_diagonal)(z, 0, -2, -1) : NULL;
        ok = v && !ga__fill(fn, v, ga__arg_b(true, &one));
        r = z;
    }
    /* -n as unsigned: INT64_MIN has no negative */
    for (uint64_t e = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; ok && e; e >>= 1) {
        if (e & 1) {
            ga_array *old = r;
            r = old ? ga__matmul(fn, old, square)
                    : ga__copy_as(fn, square, square->dtype);
            ga_free(old);
            ok = r != NULL;
        }
        if (ok && e > 1) {
            ga_array *old = made;
            square = made = ga__matmul(fn, square, square);
            ga_free(old);
            ok = made != NULL;
        }
    }
    return ga__leave(&own, ok ? r : NULL);
}

GA_API ga_array *(ga_trace)(const ga_array *x, int64_t offset, int axis1,
                            int axis2) {
    static const char fn[] = "ga_trace";
    const ga_axis last = {1, false, {-1}};
    if (!ga__ok(fn, x)) return NULL;
    if (ga__is_number(x) || x->ndim < 2)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "a matrix or more is "
                                    "wanted, not shape %s",
                                    ga__shape_text(x->ndim, x->shape));
    int a = ga__axis(fn, axis1, x->ndim);
    int b = a < 0 ? -1 : ga__axis(fn, axis2, x->ndim);
    if (b < 0 || !ga__same_device(fn, &x, 1)) return NULL;
    if (a == b)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, fn, "axis1 and axis2 are both "
                                    "axis %d", a);
    ga_array *r = NULL, *v = (ga_diagonal)(x, offset, a, b);
    if (v) ga__reduce(fn, GA__RED_sum, NULL, &r, v, last, 0);
    ga_free(v);
    return r;
}

/* =============================================================== >>i-einsum
   einsum, tensordot, multi_dot: sums of products of labelled axes.

   What einsum and tensordot share. A factor is an array whose axes have
   labels: 0 to 51 are the letters in ASCII's order, from 52 on the axes under
   "...", aligned right. An axis of length 1 has no label, so that the factor
   does not depend on it: this is broadcasting. A repeated label's steps add
   up: this is the diagonal.
   Method: axes of one factor alone are summed; then two factors at a time
   become one, in the cheapest order, each time by one batched matrix product
   where something is summed and by one multiplication where nothing is. The
   last of these steps writes the result.                                   */
#define GA__LETTERS 52
#define GA__LABELS (GA__LETTERS + GA_MAX_NDIM)
#define GA__FACTORS 12
#define GA__ALL_ORDERS 6            /* factors of which every order is tried */

typedef struct ga__factor {
    ga_array *x;                    /* whose memory; its axes do not count  */
    uint64_t has;                   /* labels as bits                       */
    int64_t step[GA__LABELS];       /* 0 for a label that it has not        */
} ga__factor;

typedef struct ga__sums {
    const char *fn;
    ga__device *d;
    ga_dtype t;                     /* of the result                        */
    int n;
    ga__factor f[GA__FACTORS];
    int64_t length[GA__LABELS];     /* of those that are used               */
    int ndim;                       /* of the result                        */
    unsigned char label[GA_MAX_NDIM];
    uint64_t kept;                  /* the same as bits, without length 1   */
} ga__sums;

/* Neighbouring axes that are one in each of up to three factors. */
typedef struct ga__stride_run {
    int64_t length, step[3];
    int labels;                     /* how many it joins                    */
} ga__stride_run;

static uint64_t ga__bit(int label) { return (uint64_t)1 << label; }
/* As a double: the product of all lengths may be beyond int64. */
static double ga__sums_elements(const ga__sums *p, uint64_t labels) {
    double n = 1;
    for (int l = 0; l < GA__LABELS; l++)
        if (labels & ga__bit(l)) n *= (double)p->length[l];
    return n;
}
/* The labels of `which` from f's slowest to its fastest, appended to order;
   their number.                                                            */
static int ga__by_step(const ga__factor *f, uint64_t which,
                       unsigned char *order) {
    int n = 0;
    for (int l = 0; l < GA__LABELS; l++) {
        if (!(which & ga__bit(l))) continue;
        int at = n++;
        for (; at && llabs(f->step[order[at - 1]]) < llabs(f->step[l]); at--)
            order[at] = order[at - 1];
        order[at] = (unsigned char)l;
    }
    return n;
}
/* The labels in this order as axes, merged where every factor allows it. */
static int ga__sums_runs(const ga__sums *p, const unsigned char *label, int n,
                         const ga__factor *const *f, int nf, ga__stride_run *r) {
    int k = 0;
    for (int i = 0; i < n; i++) {
        int64_t len = p->length[label[i]];
        bool joins = k > 0;
        for (int j = 0; j < nf && joins; j++)
            joins = r[k - 1].step[j] == f[j]->step[label[i]] * len;
        if (!joins) {
            r[k].length = 1;
            r[k++].labels = 0;
        }
        r[k - 1].length *= len;
        r[k - 1].labels++;
        for (int j = 0; j < nf; j++) r[k - 1].step[j] = f[j]->step[label[i]];
    }
    return k;
}
/* Factor j of the runs as an array of these axes: a handle for this call
   alone, so that nothing can fail and nothing need be freed.               */
static ga_array ga__sums_seen(const ga__factor *f, const ga__stride_run *r, int n,
                              int j) {
    ga_array v = *f->x;
    memset(v.shape, 0, sizeof v.shape);
    memset(v.strides, 0, sizeof v.strides);
    v.ndim = n;
    v.size = 1;
    for (int i = 0; i < n; i++) {
        v.size *= v.shape[i] = r[i].length;
        v.strides[i] = r[i].step[j];
    }
    return v;
}
/* Along the first n axes of x and y, where one alone moves, the other has
   length 1, so that a copy of it which a routine makes is no larger than it. */
static void ga__sums_narrow(ga_array *x, ga_array *y, int n) {
    for (int i = 0; i < n; i++) {
        ga_array *v = !y->strides[i] ? y : !x->strides[i] ? x : NULL;
        if (!v) continue;
        v->size /= v->shape[i];
        v->shape[i] = 1;
    }
}

/* A new factor in C order of these labels. */
static ga_status ga__factor_new(const ga__sums *p, const unsigned char *label,
                                int n, ga_dtype t, ga__factor *f) {
    int64_t size = 1;
    memset(f, 0, sizeof *f);
    for (int i = n; i-- > 0;) {
        f->has |= ga__bit(label[i]);
        f->step[label[i]] = size;
        if (size > INT64_MAX / p->length[label[i]])
            return ga__fail(GA_ERR_SIZE, p->fn, "an intermediate result has "
                            "2**63 elements or more");
        size *= p->length[label[i]];
    }
    f->x = ga__new(p->fn, p->d, 1, &size, t, NULL);
    return f->x ? GA_OK : ga__failed();
}
static ga_status ga__too_many(const ga__sums *p, int axes) {
    return ga__fail(GA_ERR_SHAPE, p->fn, "an intermediate result of %d axes "
                    "that do not merge; %d are possible", axes, GA_MAX_NDIM);
}
/* to's elements from the factor f, which has the same labels. */
static ga_status ga__sums_move(const ga__sums *p, const ga__factor *to,
                               const ga__factor *f) {
    unsigned char order[GA__LABELS];
    ga__stride_run r[GA__LABELS];
    const ga__factor *both[2] = {to, f};
    int n = ga__by_step(to, to->has, order);
    n = ga__sums_runs(p, order, n, both, 2, r);
    if (n > GA_MAX_NDIM) return ga__too_many(p, n);
    ga_array o = ga__sums_seen(to, r, n, 0), v = ga__sums_seen(f, r, n, 1);
    const ga_array *in = &v;
    return ga__launch(p->fn, p->d, GA__OP_copy,
                      ga__computes_in(GA__OP_copy, v.dtype), &o, &in, 1, NULL);
}
/* No more needed: freed if it was made here, which its scope tells. */
static void ga__sums_drop(ga__factor *f) {
    if (f->x->ga__scope == ga__me.scope) ga_free(f->x);
}
/* f := a copy of it, of dtype t in C order of these labels. */
static ga_status ga__sums_copy(const ga__sums *p, ga__factor *f,
                               const unsigned char *label, int n, ga_dtype t) {
    ga__factor to;
    ga_status st = ga__factor_new(p, label, n, t, &to);
    if (!st) st = ga__sums_move(p, &to, f);
    if (st) return st;
    ga__sums_drop(f);
    *f = to;
    return GA_OK;
}

/* f := its sum over `gone`, into out where that is given. Integers wrap in the
   result's dtype; elements are cast first where their own sum would be less
   exact or less wide than that.                                            */
static ga_status ga__sums_reduce(const ga__sums *p, ga__factor *f,
                                 uint64_t gone, const ga__factor *out) {
    unsigned char order[GA__LABELS];
    ga__stride_run r[GA__LABELS];
    ga_dtype from = f->x->dtype, sum;
    bool integer = ga__is_int(p->t) || p->t == GA_BOOL;
    bool exact = integer || ga__real_of(from) == ga__real_of(p->t)
                 || from == GA_BOOL || (ga__is_int(from) && ga__size(from) < 8);
    ga_status st = GA_OK;
    if (!exact)
        st = ga__sums_copy(p, f, order, ga__by_step(f, f->has, order), p->t);
    if (st) return st;
    sum = p->t == GA_BOOL ? GA_BOOL
                          : ga__reduced_dtype(GA__R_SUM, f->x->dtype);
    const ga__factor *one = f;
    ga__factor to;
    int kept = ga__by_step(out ? out : f, f->has & ~gone, order);
    int lost = ga__by_step(f, gone, order + kept);
    if (out && out->x->dtype == sum) to = *out;
    else st = ga__factor_new(p, order, kept, sum, &to);
    if (st) return st;
    int k = ga__sums_runs(p, order, kept, &one, 1, r);
    int n = k + ga__sums_runs(p, order + kept, lost, &one, 1, r + k);
    ga_array v = ga__sums_seen(f, r, n, 0);
    st = ga__launch_reduce(p->fn, p->d, sum == GA_BOOL ? GA__RED_any
                           : GA__RED_sum, to.x, &v, (1u << n) - (1u << k), 0);
    ga__sums_drop(f);
    *f = to;
    if (st || (out && to.x == out->x)) return st;
    if (out) return ga__sums_move(p, out, f);
    return sum == p->t ? GA_OK : ga__sums_copy(p, f, order, kept, p->t);
}

/* The one of x and y to be cast so that they meet in the result's dtype: of
   int8 and float32, where that is float64. The smaller; NULL: neither.     */
static ga__factor *ga__narrower(const ga__sums *p, ga__factor *x,
                                ga__factor *y) {
    if (ga_promote_types(x->x->dtype, y->x->dtype) == p->t) return NULL;
    return ga__sums_elements(p, x->has) < ga__sums_elements(p, y->has) ? x : y;
}

/* out = x y, nothing summed: axes in out's order, whatever that is. */
static ga_status ga__sums_multiply(const ga__sums *p, ga__factor *x,
                                   ga__factor *y, const ga__factor *out) {
    unsigned char order[GA__LABELS];
    ga__stride_run r[GA__LABELS];
    const ga__factor *all[3] = {out, x, y};
    ga__factor *cast = ga__narrower(p, x, y);
    int n = cast ? ga__by_step(cast, cast->has, order) : 0;
    ga_status st = cast ? ga__sums_copy(p, cast, order, n, p->t) : GA_OK;
    if (st) return st;
    n = ga__by_step(out, out->has, order);
    n = ga__sums_runs(p, order, n, all, 3, r);
    if (n > GA_MAX_NDIM) return ga__too_many(p, n);
    ga_array o = ga__sums_seen(out, r, n, 0);
    ga_array a = ga__sums_seen(x, r, n, 1), b = ga__sums_seen(y, r, n, 2);
    ga__sums_narrow(&a, &b, n);
    const ga_array *in[2] = {&a, &b};
    return ga__operate(p->fn, GA__OP_multiply, &o, NULL, in, 2, NULL);
}

/* How many of these labels, from the last, are one axis of f and out that is
   long enough for a matrix: all of them, or GA__ENOUGH elements. 0: too few.
   Those before it become axes of the batch, along which the other factor
   stands still.                                                            */
#define GA__ENOUGH 32
static int ga__matrix_axis(const ga__sums *p, const unsigned char *label, int n,
                           const ga__factor *f, const ga__factor *out) {
    const ga__factor *both[2] = {out, f};
    ga__stride_run r[GA__LABELS];
    int k = ga__sums_runs(p, label, n, both, f ? 2 : 1, r);
    if (k < 2) return n;
    return r[k - 1].length < GA__ENOUGH ? 0 : r[k - 1].labels;
}

/* out = the sum of x y over their labels that out has not, by one product of
   stacks of matrices, (batch,m,k) with (batch,k,n). *fits is false and nothing
   done where out's order does not allow it. A factor whose axes do not merge
   to this, or whose dtype is too narrow, is copied.                        */
static ga_status ga__sums_gemm(const ga__sums *p, ga__factor *x, ga__factor *y,
                               const ga__factor *out, bool *fits) {
    unsigned char b[GA__LABELS], m[GA__LABELS], n[GA__LABELS], k[GA__LABELS];
    uint64_t both = x->has & y->has, batch = both & out->has, last = 0;
    for (int l = 0; l < GA__LABELS && !last; l++)
        if (out->has & ga__bit(l) && out->step[l] == 1) last = ga__bit(l);
    if (y->has & ~both && !(y->has & ~both & last)) {
        ga__factor *t = x;          /* the columns are to adjoin            */
        x = y;
        y = t;
    }
    int nm = ga__by_step(out, x->has & ~both, m);
    int nn = ga__by_step(out, y->has & ~both, n);
    *fits = (!nn || y->has & ~both & last)
            && ga__matrix_axis(p, m, nm, NULL, out) >= (nm > 0)
            && ga__matrix_axis(p, n, nn, NULL, out) >= (nn > 0);
    if (!*fits) return GA_OK;

    /* what is summed in x's order or in y's: whichever copies less */
    bool bad_x[2], bad_y[2];
    double cost[2];
    const ga__factor *xy[2] = {x, y};
    ga__stride_run r[GA__LABELS];
    int nk = 0;
    for (int w = 0; w < 2; w++) {
        nk = ga__by_step(xy[w], both & ~batch, k);
        bad_x[w] = ga__sums_runs(p, k, nk, &xy[0], 1, r) > 1
                   || ga__matrix_axis(p, m, nm, x, out) < (nm > 0);
        bad_y[w] = ga__sums_runs(p, k, nk, &xy[1], 1, r) > 1
                   || ga__matrix_axis(p, n, nn, y, out) < (nn > 0);
        cost[w] = bad_x[w] * ga__sums_elements(p, x->has)
                  + bad_y[w] * ga__sums_elements(p, y->has);
    }
    int w = cost[1] < cost[0];
    bool copy_x = bad_x[w], copy_y = bad_y[w];
    if (!copy_x && !copy_y) {       /* a copy has the result's dtype        */
        const ga__factor *cast = ga__narrower(p, x, y);
        copy_x = cast == x;
        copy_y = cast == y;
    }
    nk = ga__by_step(xy[w], both & ~batch, k);

    /* once more with all copied where strides make too many axes */
    for (bool all = copy_x && copy_y;; all = copy_x = copy_y = true) {
        unsigned char order[GA__LABELS];
        ga_status st = GA_OK;
        int nb = ga__by_step(out, batch, order);
        if (copy_x) {
            memcpy(order + nb, m, (size_t)nm);
            memcpy(order + nb + nm, k, (size_t)nk);
            st = ga__sums_copy(p, x, order, nb + nm + nk, p->t);
        }
        if (copy_y && !st) {
            memcpy(order + nb, k, (size_t)nk);
            memcpy(order + nb + nk, n, (size_t)nn);
            st = ga__sums_copy(p, y, order, nb + nk + nn, p->t);
        }
        if (st) return st;
        uint64_t stack = batch;
        int rows = ga__matrix_axis(p, m, nm, x, out);
        int cols = ga__matrix_axis(p, n, nn, y, out);
        for (int i = 0; i < nm - rows; i++) stack |= ga__bit(m[i]);
        for (int i = 0; i < nn - cols; i++) stack |= ga__bit(n[i]);
        nb = ga__by_step(out, stack, b);
        const ga__factor *three[3] = {x, y, out};
        int axes = ga__sums_runs(p, b, nb, three, 3, r);
        if (axes > GA_MAX_NDIM - 2) {
            if (all) return ga__too_many(p, axes + 2);
            continue;
        }
        /* the last three runs: two of them for each array */
        static const ga__stride_run one = {1, {0, 0, 0}, 0};
        ga__stride_run rm = one, rk = one, rn = one;
        ga__sums_runs(p, m + nm - rows, rows, three, 3, &rm);
        ga__sums_runs(p, k, nk, three, 3, &rk);
        ga__sums_runs(p, n + nn - cols, cols, three, 3, &rn);
        r[axes] = rm;
        r[axes + 1] = rk;
        ga_array vx = ga__sums_seen(x, r, axes + 2, 0);
        r[axes + 1] = rn;
        ga_array vo = ga__sums_seen(out, r, axes + 2, 2);
        r[axes] = rk;
        ga_array vy = ga__sums_seen(y, r, axes + 2, 1);
        ga__sums_narrow(&vx, &vy, axes);
        return ga__matmul_into(p->fn, &vo, &vx, &vy);
    }
}

/* r = the product of x and y, summed over what is not kept, in `out` if that
   is given; x and y are used up.                                           */
static ga_status ga__sums_pair(const ga__sums *p, ga__factor *x, ga__factor *y,
                               uint64_t kept, const ga__factor *out,
                               ga__factor *r) {
    unsigned char order[GA__LABELS];
    uint64_t both = x->has & y->has;
    bool summed = both & ~kept, fits = false;
    ga_status st = GA_OK;
    if (out) *r = *out;
    if (summed && out) st = ga__sums_gemm(p, x, y, out, &fits);
    if (!st && !fits && (summed || !out)) {
        bool swap = !summed && ga__sums_elements(p, x->has)
                                   < ga__sums_elements(p, y->has);
        const ga__factor *u = swap ? y : x, *v = swap ? x : y;
        int n = ga__by_step(u, summed ? both & kept : u->has, order);
        if (summed) n += ga__by_step(u, u->has & ~both, order + n);
        n += ga__by_step(v, v->has & ~both, order + n);
        st = ga__factor_new(p, order, n, p->t, r);
        if (!st && summed) st = ga__sums_gemm(p, x, y, r, &fits);
    }
    if (!st && !summed) st = ga__sums_multiply(p, x, y, r);
    ga__sums_drop(x);
    ga__sums_drop(y);
    if (st || !out || r->x == out->x) return st;
    st = ga__sums_move(p, out, r);
    ga__sums_drop(r);
    return st;
}

/* ------------------------------------------------------------- the order */
/* The best way to the product of a set of factors, the set's bits being the
   index: what it costs, what it stores on the way, its first part.         */
typedef struct ga__plan {
    double cost, stored;
    uint64_t has;                   /* labels of the product                */
    unsigned part;
} ga__plan;

static void ga__sums_plan(const ga__sums *p, ga__plan *best) {
    unsigned full = (1u << p->n) - 1;
    for (unsigned s = 1; s <= full; s++) {
        uint64_t in = 0, needed = p->kept;
        for (int i = 0; i < p->n; i++)
            *(s >> i & 1 ? &in : &needed) |= p->f[i].has;
        ga__plan *b = &best[s];
        b->has = in & needed;
        b->cost = b->stored = 0;
        b->part = 0;
        double size = ga__sums_elements(p, b->has);
        /* each split once: the part that holds the lowest factor */
        for (unsigned a = (s - 1) & s; a; a = (a - 1) & s) {
            if (!(a & (s & (~s + 1)))) continue;
            const ga__plan *u = &best[a], *v = &best[s ^ a];
            double cost = u->cost + v->cost
                          + ga__sums_elements(p, u->has | v->has);
            double stored = u->stored + v->stored + size;
            if (b->part && (cost > b->cost
                            || (cost == b->cost && stored >= b->stored)))
                continue;
            b->cost = cost;
            b->stored = stored;
            b->part = a;
        }
    }
}
static ga_status ga__sums_follow(const ga__sums *p, const ga__plan *best,
                                 unsigned s, const ga__factor *out,
                                 ga__factor *r) {
    ga__factor x, y;
    if (!best[s].part) {
        int i = 0;
        while (!(s >> i & 1)) i++;
        *r = p->f[i];
        return GA_OK;
    }
    unsigned a = best[s].part;
    ga_status st = ga__sums_follow(p, best, a, NULL, &x);
    if (!st) st = ga__sums_follow(p, best, s ^ a, NULL, &y);
    return st ? st : ga__sums_pair(p, &x, &y, best[s].has, out, r);
}
/* Of many factors the two whose product adds least to what is stored become
   one; of two such pairs, the cheaper.                                     */
static ga_status ga__sums_greedy(ga__sums *p) {
    double least = 0, least_cost = 0;
    uint64_t kept = 0;
    int i = -1, j = -1;
    for (int a = 0; a < p->n; a++)
        for (int b = a + 1; b < p->n; b++) {
            uint64_t u = p->f[a].has, v = p->f[b].has, needed = p->kept;
            for (int c = 0; c < p->n; c++)
                if (c != a && c != b) needed |= p->f[c].has;
            double cost = ga__sums_elements(p, u | v);
            double grows = ga__sums_elements(p, (u | v) & needed)
                           - ga__sums_elements(p, u) - ga__sums_elements(p, v);
            if (i >= 0 && (grows > least
                           || (grows == least && cost >= least_cost)))
                continue;
            least = grows;
            least_cost = cost;
            kept = needed;
            i = a;
            j = b;
        }
    ga__factor r;
    ga_status st = ga__sums_pair(p, &p->f[i], &p->f[j], kept, NULL, &r);
    if (st) return st;
    p->f[i] = r;
    p->f[j] = p->f[--p->n];
    return GA_OK;
}

static ga_status ga__sums_steps(ga__sums *p, const ga__factor *out) {
    ga_status st = GA_OK;
    /* a factor does not depend on an axis of step 0, such as a broadcast one:
       its label goes, unless no other factor has it                         */
    for (int i = 0; i < p->n; i++)
        for (int l = 0; l < GA__LABELS; l++)
            for (int j = 0; j < p->n && !p->f[i].step[l]; j++)
                if (j != i && p->f[j].has & ga__bit(l))
                    p->f[i].has &= ~ga__bit(l);
    for (int i = 0; i < p->n && !st; i++) {
        uint64_t needed = p->kept;
        for (int j = 0; j < p->n; j++)
            if (j != i) needed |= p->f[j].has;
        bool alone = p->n == 1;
        if (p->f[i].has & ~needed)
            st = ga__sums_reduce(p, &p->f[i], p->f[i].has & ~needed,
                                 alone ? out : NULL);
        else if (alone) st = ga__sums_move(p, out, &p->f[i]);
    }
    if (st || p->n == 1) return st;
    while (p->n > GA__ALL_ORDERS && !st) st = ga__sums_greedy(p);
    if (st) return st;
    ga__plan best[1 << GA__ALL_ORDERS];
    ga__factor r;
    ga__sums_plan(p, best);
    return ga__sums_follow(p, best, (1u << p->n) - 1, out, &r);
}

/* The axes of x as factor i, its axis a with label[a]. */
static void ga__factor_of(ga__sums *p, int i, const ga_array *x,
                          const unsigned char *label) {
    ga__factor *f = &p->f[i];
    memset(f, 0, sizeof *f);
    f->x = (ga_array *)(uintptr_t)x;
    for (int a = 0; a < x->ndim; a++) {
        if (x->shape[a] != p->length[label[a]] || x->shape[a] == 1) continue;
        f->has |= ga__bit(label[a]);
        f->step[label[a]] += x->strides[a];
    }
}

/* The result of a problem that stands: into out, or new. */
static ga_status ga__sums_run(ga__sums *p, ga_array *out, ga_array **made) {
    int64_t shape[GA_MAX_NDIM];
    bool none = false;
    const ga_array *x[GA__FACTORS];
    p->kept = 0;
    for (int i = 0; i < p->ndim; i++) {
        shape[i] = p->length[p->label[i]];
        if (shape[i] != 1) p->kept |= ga__bit(p->label[i]);
    }
    for (int i = 0; i < p->n; i++) {
        x[i] = p->f[i].x;
        for (int l = 0; l < GA__LABELS; l++)
            none |= p->f[i].has & ga__bit(l) && !p->length[l];
    }
    ga__result r;
    if (!ga__begin(p->fn, x, p->n, out, out ? NULL : made)
        || !ga__result_begin(&r, p->fn, p->d, out, made, p->ndim, shape, p->t,
                             x, p->n, 0))
        return ga__failed();
    ga_scope own;
    ga_scope_begin(&own);
    ga_status st;
    if (none) {
        st = ga__zero(p->fn, r.to);
    } else {
        ga__factor f;
        memset(&f, 0, sizeof f);
        f.x = r.to;
        f.has = p->kept;
        for (int i = 0; i < p->ndim; i++)
            if (shape[i] != 1) f.step[p->label[i]] = r.to->strides[i];
        st = ga__sums_steps(p, &f);
    }
    ga_scope_end(&own);
    return ga__result_end(&r, st);
}

/* ---------------------------------------------------------------- einsum
   subscripts = term {"," term} ["->" term]
   term       = {letter | " "} ["..." {letter | " "}]                        */
typedef struct ga__subscripts {
    const char *fn, *text, *at;
} ga__subscripts;

static bool ga__subscript_error(const ga__subscripts *s, const char *what) {
    unsigned char c = (unsigned char)*s->at;
    char found[24] = "the end";
    if (c) snprintf(found, sizeof found, c > 32 && c < 127 ? "'%c'"
                    : "byte 0x%02x", c);
    ga__fail(GA_ERR_SYNTAX, s->fn, "\"%.300s\": %s, not %s at position %td",
             s->text, what, found, s->at - s->text);
    return false;
}
static int ga__letter(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z'
                                            ? c - 'a' + 26 : -1;
}
static char ga__letter_name(int l) {
    return (char)(l < 26 ? 'A' + l : 'a' + l - 26);
}
/* One term: its letters, the first `room` of them stored, and how many of them
   stand before "...", or -1. Stops at ',', '-' or the end.                 */
static bool ga__term(ga__subscripts *s, bool output, int room,
                     unsigned char *label, int *n, int *dots) {
    *n = 0;
    *dots = -1;
    for (;; s->at++) {
        int l = ga__letter(*s->at);
        if (l >= 0) {
            if (*n < room) label[*n] = (unsigned char)l;
            *n += *n < INT32_MAX;
        } else if (*s->at == '.') {
            if (*dots >= 0)
                return ga__subscript_error(s, "at most one \"...\" a term");
            if (s->at[1] != '.' || s->at[2] != '.')
                return ga__subscript_error(s, "a letter or all of \"...\"");
            s->at += 2;
            *dots = *n;
        } else if (!*s->at || (!output && (*s->at == ',' || *s->at == '-'))) {
            return true;
        } else if (*s->at != ' ') {
            return ga__subscript_error(s, output ? "a letter or \"...\""
                                       : "a letter, \"...\", ',' or \"->\"");
        }
    }
}

/* Term i on operand i: labels, their lengths and which operand set them. */
static bool ga__match_term(ga__sums *p, const char *text, int i,
                           const ga_array *const *x,
                           const unsigned char *letter, int letters, int dots,
                           unsigned char *label, int *from) {
    const ga_array *v = x[i];
    int under = v->ndim - letters;
    const char *shape = ga__shape_text(v->ndim, v->shape);
    if (under < 0 || (under && dots < 0)) {
        ga__fail(GA_ERR_SHAPE, p->fn, "\"%.300s\": term %d has %d letter%s%s, "
                 "operand %d the shape %s", text, i, letters,
                 letters == 1 ? "" : "s", dots < 0 ? "" : " and \"...\"", i,
                 shape);
        return false;
    }
    for (int a = 0; a < v->ndim; a++) {
        int l = dots < 0 || a < dots ? letter[a]
                : a >= dots + under ? letter[a - under]
                : GA__LABELS - under + (a - dots);
        int64_t len = v->shape[a], *had = &p->length[l];
        label[a] = (unsigned char)l;
        for (int b = 0; b < a; b++)
            if (label[b] == l && v->shape[b] != len) {
                ga__fail(GA_ERR_SHAPE, p->fn, "\"%.300s\": letter '%c' stands "
                         "for axes %d and %d of operand %d, shape %s, whose "
                         "lengths differ", text, ga__letter_name(l), b, a, i,
                         shape);
                return false;
            }
        if (*had == 1) {
            *had = len;
            from[l] = i;
        } else if (len != 1 && len != *had) {
            const ga_array *u = x[from[l]];
            char what[20] = "an axis of \"...\"";
            if (l < GA__LETTERS)
                snprintf(what, sizeof what, "letter '%c'", ga__letter_name(l));
            ga__fail(GA_ERR_SHAPE, p->fn, "\"%.300s\": %s has length %" PRId64
                     " in operand %d, shape %s, and %" PRId64 " in operand %d, "
                     "shape %s", text, what, *had, from[l],
                     ga__shape_text(u->ndim, u->shape), len, i, shape);
            return false;
        }
    }
    return true;
}

/* The problem from its text and operands; every error that these can have. */
static bool ga__parse_einsum(ga__sums *p, const char *text, int n,
                             const ga_array *const *x) {
    ga__subscripts s = {p->fn, text, text};
    unsigned char label[GA__FACTORS][GA_MAX_NDIM], letter[GA__LETTERS + 1];
    int times[GA__LETTERS] = {0}, from[GA__LABELS] = {0};
    int letters, dots, dotted = 0, terms = 0, ndim = 0;
    for (int l = 0; l < GA__LABELS; l++) p->length[l] = 1;
    for (;; s.at++) {
        int i = terms++;
        if (!ga__term(&s, false, GA_MAX_NDIM, letter, &letters, &dots))
            return false;
        if (i < n) {
            if (!ga__match_term(p, text, i, x, letter, letters, dots, label[i],
                                from))
                return false;
            if (x[i]->ndim - letters > dotted) dotted = x[i]->ndim - letters;
            for (int a = 0; a < letters; a++) times[letter[a]]++;
        }
        if (*s.at != ',') break;
    }
    if (*s.at && s.at[1] != '>')
        return ga__subscript_error(&s, "\"->\" whole");
    if (terms != n) {
        ga__fail(GA_ERR_VALUE, p->fn, "\"%.300s\" has %d term%s, but %d "
                 "operand%s given", text, terms, terms == 1 ? "" : "s", n,
                 n == 1 ? " is" : "s are");
        return false;
    }
    if (!*s.at) {                   /* letters that occur once, in order    */
        letters = dots = 0;
        for (int l = 0; l < GA__LETTERS; l++)
            if (times[l] == 1) letter[letters++] = (unsigned char)l;
    } else {
        s.at += 2;
        if (!ga__term(&s, true, GA__LETTERS + 1, letter, &letters, &dots))
            return false;
        int out[GA__LETTERS] = {0};
        for (int a = 0; a < letters && a <= GA__LETTERS; a++) {
            int l = letter[a];
            if (times[l] && !out[l]++) continue;
            ga__fail(GA_ERR_SYNTAX, p->fn, "\"%.300s\": letter '%c' %s", text,
                     ga__letter_name(l), times[l]
                     ? "stands twice in the output"
                     : "of the output is in no term");
            return false;
        }
        if (dots < 0 && dotted) {
            ga__fail(GA_ERR_SHAPE, p->fn, "\"%.300s\": \"...\" stands for %d "
                     "ax%cs, and the output has no \"...\"", text, dotted,
                     dotted == 1 ? 'i' : 'e');
            return false;
        }
    }
    p->ndim = letters + dotted;
    if (p->ndim > GA_MAX_NDIM) {
        ga__fail(GA_ERR_SHAPE, p->fn, "\"%.300s\": the result has %d axes; %d "
                 "are possible", text, p->ndim, GA_MAX_NDIM);
        return false;
    }
    for (int a = 0; a <= letters; a++) {
        if (a == dots || (a == letters && dots < 0))
            for (int i = dotted; i > 0; i--)
                p->label[ndim++] = (unsigned char)(GA__LABELS - i);
        if (a < letters) p->label[ndim++] = letter[a];
    }
    for (int i = 0; i < n; i++) ga__factor_of(p, i, x[i], label[i]);
    return true;
}

static ga_status ga__einsum(const char *fn, const char *text, int n,
                            const ga_array *const *x, ga_array *out,
                            ga_array **made) {
    ga__sums p;
    if (!text || !x)
        return ga__fail(GA_ERR_NULL, fn, "%s NULL", text ? "the list of "
                        "operands is" : "the subscripts are");
    if (n < 1 || n > GA__FACTORS)
        return ga__fail(GA_ERR_VALUE, fn, "%d operands; 1 to %d are possible",
                        n, GA__FACTORS);
    for (int i = 0; i < n; i++) {
        if (!ga__ok(fn, x[i])) return ga__failed();
        if (ga__is_number(x[i]))
            return ga__fail(GA_ERR_VALUE, fn, "operand %d is a C number; an "
                            "array is needed", i);
    }
    p.fn = fn;
    p.n = n;
    p.d = ga__same_device(fn, x, n);
    if (!p.d || !ga__parse_einsum(&p, text, n, x)) return ga__failed();
    /* from the highest kind down, as NumPy: int8, uint8, float16 is float16 */
    p.t = GA_BOOL;
    for (int rank = ga__rank_of_kind('c'); rank > 0; rank--)
        for (int i = 0; i < n; i++)
            if (ga__rank_of_kind(ga__kind(x[i]->dtype)) == rank)
                p.t = ga_promote_types(p.t, x[i]->dtype);
    return ga__sums_run(&p, out, made);
}
GA_API ga_array *(ga_einsum)(const char *subscripts, int n,
                             const ga_array *const *x) {
    ga_array *r = NULL;
    ga__einsum("ga_einsum", subscripts, n, x, NULL, &r);
    return r;
}
GA_API ga_status (ga_einsum_into)(ga_array *out, const char *subscripts, int n,
                                  const ga_array *const *x) {
    const char *fn = "ga_einsum_into";
    if (!ga__ok(fn, out)) return ga__failed();
    return ga__einsum(fn, subscripts, n, x, out, NULL);
}

/* ------------------------------------------------------------- tensordot */
/* x's axes are labels 0 to 7, y's 8 to 15, but a pair's share x's label. */
static ga_status ga__tensordot(const char *fn, const ga_array *x,
                               const ga_array *y, int n, const int *of_x,
                               const int *of_y, ga_array *out,
                               ga_array **made) {
    ga__sums p;
    const ga_array *both[2] = {x, y};
    unsigned char label[2 * GA_MAX_NDIM];
    uint64_t summed = 0;
    p.fn = fn;
    p.n = 2;
    p.d = ga__same_device(fn, both, 2);
    if (!p.d) return ga__failed();
    p.t = ga_promote_types(x->dtype, y->dtype);
    for (int l = 0; l < 2 * GA_MAX_NDIM; l++) label[l] = (unsigned char)l;
    for (int i = 0; i < n; i++) {
        if (x->shape[of_x[i]] != y->shape[of_y[i]])
            return ga__fail(GA_ERR_SHAPE, fn, "axis %d of shape %s and axis %d "
                            "of shape %s differ in length", of_x[i],
                            ga__shape_text(x->ndim, x->shape), of_y[i],
                            ga__shape_text(y->ndim, y->shape));
        label[GA_MAX_NDIM + of_y[i]] = (unsigned char)of_x[i];
        summed |= ga__bit(of_x[i]);
    }
    p.ndim = x->ndim + y->ndim - 2 * n;
    if (p.ndim > GA_MAX_NDIM)
        return ga__fail(GA_ERR_SHAPE, fn, "the result has %d axes; %d are "
                        "possible", p.ndim, GA_MAX_NDIM);
    p.ndim = 0;
    for (int i = 0; i < 2; i++)
        for (int a = 0; a < both[i]->ndim; a++) {
            unsigned char l = label[i * GA_MAX_NDIM + a];
            p.length[l] = both[i]->shape[a];
            if (!(summed & ga__bit(l))) p.label[p.ndim++] = l;
        }
    for (int i = 0; i < 2; i++)
        ga__factor_of(&p, i, both[i], label + i * GA_MAX_NDIM);
    return ga__sums_run(&p, out, made);
}
static bool ga__tensors(const char *fn, const ga_array *x, const ga_array *y) {
    if (!ga__ok(fn, x) || !ga__ok(fn, y)) return false;
    if (!ga__is_number(x) && !ga__is_number(y)) return true;
    ga__fail(GA_ERR_VALUE, fn, "a C number has no axes; an array is needed");
    return false;
}
static ga_status ga__tensordot_n(const char *fn, const ga_array *x,
                                 const ga_array *y, int n, ga_array *out,
                                 ga_array **made) {
    int of_x[GA_MAX_NDIM], of_y[GA_MAX_NDIM];
    if (!ga__tensors(fn, x, y)) return ga__failed();
    if (n < 0 || n > x->ndim || n > y->ndim)
        return ga__fail(GA_ERR_AXIS, fn, "%d axes to be summed of shapes %s "
                        "and %s", n, ga__shape_text(x->ndim, x->shape),
                        ga__shape_text(y->ndim, y->shape));
    for (int i = 0; i < n; i++) {
        of_x[i] = x->ndim - n + i;
        of_y[i] = i;
    }
    return ga__tensordot(fn, x, y, n, of_x, of_y, out, made);
}
GA_API ga_array *(ga_tensordot)(const ga_array *x, const ga_array *y, int n) {
    ga_array *r = NULL;
    ga__tensordot_n("ga_tensordot", x, y, n, NULL, &r);
    return r;
}
GA_API ga_status (ga_tensordot_into)(ga_array *out, const ga_array *x,
                                     const ga_array *y, int n) {
    const char *fn = "ga_tensordot_into";
    if (!ga__ok(fn, out)) return ga__failed();
    return ga__tensordot_n(fn, x, y, n, out, NULL);
}
GA_API ga_array *(ga_tensordot_axes)(const ga_array *x, const ga_array *y,
                                     ga_axis of_x, ga_axis of_y) {
    const char *fn = "ga_tensordot_axes";
    int a[GA_MAX_NDIM], b[GA_MAX_NDIM];
    ga_array *r = NULL;
    if (!ga__tensors(fn, x, y)) return NULL;
    int n = ga__axes_list(fn, of_x, x->ndim, a);
    int m = n < 0 ? n : ga__axes_list(fn, of_y, y->ndim, b);
    if (m < 0) return NULL;
    if (n != m)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, fn, "%d axes of the one and "
                                    "%d of the other cannot be paired", n, m);
    ga__tensordot(fn, x, y, n, a, b, NULL, &r);
    return r;
}

/* ------------------------------------------------------------- multi_dot */
/* The product of x[i] to x[j]; split[i * n + j] is where its left part ends. */
static ga_array *ga__chain(const ga_array *const *x, const int *split, int n,
                           int i, int j) {
    const char *fn = "ga_multi_dot";
    int k = split[i * n + j];
    ga_array *l = NULL, *r = NULL, *y = NULL;
    if (k > i && !(l = ga__chain(x, split, n, i, k))) return NULL;
    if (k + 1 == j || (r = ga__chain(x, split, n, k + 1, j)))
        y = ga__matmul(fn, l ? l : x[i], r ? r : x[j]);
    ga_free(l);
    ga_free(r);
    return y;
}
GA_API ga_array *(ga_multi_dot)(int n, const ga_array *const *x) {
    const char *fn = "ga_multi_dot";
    if (n < 2)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "%d operand%s; two or "
                                    "more are needed", n, n == 1 ? "" : "s");
    if (n > 4096)                   /* the tables below have n^2 entries    */
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "%d operands; 2 to 4096 "
                                    "are possible", n);
    if (!x) return (ga_array *)GA__NULL(GA_ERR_NULL, fn, NULL);
    for (int i = 0; i < n; i++) {
        const ga_array *v = x[i], *u = i ? x[i - 1] : NULL;
        if (!ga__ok(fn, v)) return NULL;
        bool end = i == 0 || i == n - 1;
        if (v->ndim != 2 && !(end && v->ndim == 1))
            return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "operand %d has "
                                        "shape %s; a matrix%s is needed", i,
                                        ga__shape_text(v->ndim, v->shape),
                                        end ? " or a vector" : "");
        if (u && u->shape[u->ndim - 1] != v->shape[0])
            return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "operands %d and %d, "
                                        "shapes %s and %s, do not fit", i - 1,
                                        i, ga__shape_text(u->ndim, u->shape),
                                        ga__shape_text(v->ndim, v->shape));
    }
    if (!ga__same_device(fn, x, n)) return NULL;
    size_t cells = (size_t)n * (size_t)n;
    double *cost = (double *)GA_MALLOC(cells * (sizeof *cost + sizeof(int)));
    if (!cost) return (ga_array *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    int *split = (int *)(cost + cells);
    for (int i = 0; i < n; i++) cost[i * n + i] = 0;
    for (int len = 1; len < n; len++)
        for (int i = 0; i + len < n; i++) {
            int j = i + len;
            double rows = i || x[0]->ndim == 2 ? (double)x[i]->shape[0] : 1;
            double cols = x[j]->ndim == 2 ? (double)x[j]->shape[1] : 1;
            double *least = &cost[i * n + j];
            *least = INFINITY;
            for (int k = i; k < j; k++) {
                double c = cost[i * n + k] + cost[(k + 1) * n + j]
                           + rows * (double)x[k + 1]->shape[0] * cols;
                if (c >= *least) continue;
                *least = c;
                split[i * n + j] = k;
            }
        }
    ga_array *y = ga__chain(x, split, n, 0, n - 1);
    GA_FREE(cost);
    return y;
}

/* =============================================================== >>i-lapack
   The decompositions on the CPU device, by LAPACKE, in batches on all cores. */
/* One call of LAPACK: its arguments, those that step from matrix to matrix
   in p, and the workspace. lwork -1 asks for that: the routine leaves what it
   wants in *work and sets lrwork and liwork; a negative lrwork says that the
   length overflows LAPACK's int32, which may well wrap to a positive one.  */
typedef struct ga__lap {
    ga_dtype t;
    int32_t m, n, k;
    char job, side;
    unsigned flags;
    char *p[4];
    size_t step[4];                 /* bytes                                */
    int32_t lwork, liwork, *iwork;
    int64_t lrwork;
    void *work, *rwork;             /* of t, of t's reals                   */
} ga__lap;

#ifdef GPUARR_USE_LAPACK
#define GA__LAPACK_REAL(X) \
    X(FLOAT32, s, or, float, float)  X(FLOAT64, d, or, double, double)
#define GA__LAPACK_COMPLEX(X) \
    X(COMPLEX64, c, un, ga_complex64, float) \
    X(COMPLEX128, z, un, ga_complex128, double)
/* The body of a routine for the four types from a row's macro. */
#define GA__BY_TYPE(j, real, complex)                                         \
    switch ((j)->t) {                                                         \
    GA__LAPACK_REAL(real)                                                     \
    GA__LAPACK_COMPLEX(complex)                                               \
    default: return -1;                                                       \
    }

static int32_t ga__lapack_trsm(ga__lap *j) {
    enum CBLAS_SIDE side = j->side == 'R' ? CblasRight : CblasLeft;
    enum CBLAS_UPLO uplo = j->flags & GA_LOWER ? CblasLower : CblasUpper;
    enum CBLAS_TRANSPOSE trans = j->flags & GA_CONJ_TRANS ? CblasConjTrans
                                 : j->flags & GA_TRANS ? CblasTrans
                                 : CblasNoTrans;
    enum CBLAS_DIAG diag = j->flags & GA_UNIT_DIAGONAL ? CblasUnit
                                                       : CblasNonUnit;
    int32_t lda = j->side == 'R' ? j->n : j->m;
#define GA__XR(N, x, u, T, R)                                                  \
    case GA_##N:                                                              \
        cblas_##x##trsm(CblasColMajor, side, uplo, trans, diag, j->m, j->n,   \
                        1, (T *)j->p[0], lda, (T *)j->p[1], j->m);            \
        return 0;
#define GA__XC(N, x, u, T, R)                                                  \
    case GA_##N: {                                                            \
        const T one = 1;                                                      \
        cblas_##x##trsm(CblasColMajor, side, uplo, trans, diag, j->m, j->n,   \
                        &one, j->p[0], lda, j->p[1], j->m);                   \
        return 0;                                                             \
    }
    GA__BY_TYPE(j, GA__XR, GA__XC)
#undef GA__XR
#undef GA__XC
}
/* The routines that take the same arguments in all four types. */
#define GA__ROUTINE(name, routine)                                            \
    static int32_t ga__lapack_##name(ga__lap *j) {                            \
        GA__BY_TYPE(j, routine, routine)                                      \
    }
#define GA__X(N, x, u, T, R) case GA_##N: return LAPACKE_##x##potrf_work(     \
    LAPACK_COL_MAJOR, 'L', j->n, (T *)j->p[0], j->n);
GA__ROUTINE(potrf, GA__X)
#undef GA__X
#define GA__X(N, x, u, T, R) case GA_##N: return LAPACKE_##x##getrf_work(     \
    LAPACK_COL_MAJOR, j->m, j->n, (T *)j->p[0], j->m, (int32_t *)j->p[1]);
GA__ROUTINE(getrf, GA__X)
#undef GA__X
#define GA__X(N, x, u, T, R) case GA_##N: return LAPACKE_##x##getrs_work(     \
    LAPACK_COL_MAJOR, j->job, j->n, j->k, (T *)j->p[0], j->n,                 \
    (int32_t *)j->p[1], (T *)j->p[2], j->n);
GA__ROUTINE(getrs, GA__X)
#undef GA__X
#define GA__X(N, x, u, T, R) case GA_##N: return LAPACKE_##x##getri_work(     \
    LAPACK_COL_MAJOR, j->n, (T *)j->p[0], j->n, (int32_t *)j->p[1],           \
    (T *)j->work, j->lwork);
GA__ROUTINE(getri, GA__X)
#undef GA__X
#define GA__X(N, x, u, T, R) case GA_##N: return LAPACKE_##x##geqrf_work(     \
    LAPACK_COL_MAJOR, j->m, j->n, (T *)j->p[0], j->m, (T *)j->p[1],           \
    (T *)j->work, j->lwork);
GA__ROUTINE(geqrf, GA__X)
#undef GA__X
#define GA__X(N, x, u, T, R) case GA_##N: return LAPACKE_##x##u##gqr_work(    \
    LAPACK_COL_MAJOR, j->m, j->n, j->k, (T *)j->p[0], j->m, (T *)j->p[1],     \
    (T *)j->work, j->lwork);
GA__ROUTINE(orgqr, GA__X)
#undef GA__X
#define GA__X(N, x, u, T, R) case GA_##N: return LAPACKE_##x##u##mqr_work(    \
    LAPACK_COL_MAJOR, 'L', j->job, j->m, j->n, j->k, (T *)j->p[0], j->m,      \
    (T *)j->p[1], (T *)j->p[2], j->m, (T *)j->work, j->lwork);
GA__ROUTINE(unmqr, GA__X)
#undef GA__X
#undef GA__ROUTINE

/* Divide and conquer; where it does not converge QR iteration, from a copy
   that stands at the end of rwork.                                         */
static int32_t ga__lapack_gesvd(ga__lap *j) {
    int32_t m = j->m, n = j->n, k = m < n ? m : n, ldv = j->job == 'A' ? n : k;
    int64_t most = m > n ? m : n, part = ga__kind(j->t) == 'c' ? 2 : 1;
    int64_t side = j->job == 'N' ? 0 : k;   /* vectors want squares of k    */
    int64_t reals = part == 1 ? 0 : side * (7 * side + 2 * most)
                                    + 7 * (int64_t)k;
    int64_t size = part * m * n;
    bool ask = j->lwork == -1;
    /* in lwork 4 of them, of complex matrices in rwork 2                   */
    if (ask) j->lrwork = reals + size;
    if (ask && 4 / part * side * (k + 32) > INT32_MAX) j->lrwork = -1;
    if (ask) j->liwork = 8 * k;
#define GA__SVD_CALLS(T, R, first, second) {                                  \
        T *work = (T *)j->work;                                               \
        R *keep = (R *)j->rwork + reals;                                      \
        if (!ask) memcpy(keep, j->p[0], (size_t)size * sizeof *keep);         \
        int32_t info = first;                                                 \
        T want = *work;                                                       \
        if (!ask && info <= 0) return info;                                   \
        if (!ask) memcpy(j->p[0], keep, (size_t)size * sizeof *keep);         \
        info = second;                                                        \
        if (ask && *(R *)work < *(R *)&want) *work = want;                    \
        return info;                                                          \
    }
#define GA__XR(N, x, u, T, R) case GA_##N: GA__SVD_CALLS(T, R,                 \
    LAPACKE_##x##gesdd_work(LAPACK_COL_MAJOR, j->job, m, n, (T *)j->p[0], m,  \
        (R *)j->p[1], (T *)j->p[2], m, (T *)j->p[3], ldv, work, j->lwork,     \
        j->iwork),                                                            \
    LAPACKE_##x##gesvd_work(LAPACK_COL_MAJOR, j->job, j->job, m, n,           \
        (T *)j->p[0], m, (R *)j->p[1], (T *)j->p[2], m, (T *)j->p[3], ldv,    \
        work, j->lwork))
#define GA__XC(N, x, u, T, R) case GA_##N: GA__SVD_CALLS(T, R,                 \
    LAPACKE_##x##gesdd_work(LAPACK_COL_MAJOR, j->job, m, n, (T *)j->p[0], m,  \
        (R *)j->p[1], (T *)j->p[2], m, (T *)j->p[3], ldv, work, j->lwork,     \
        (R *)j->rwork, j->iwork),                                             \
    LAPACKE_##x##gesvd_work(LAPACK_COL_MAJOR, j->job, j->job, m, n,           \
        (T *)j->p[0], m, (R *)j->p[1], (T *)j->p[2], m, (T *)j->p[3], ldv,    \
        work, j->lwork, (R *)j->rwork))
    GA__BY_TYPE(j, GA__XR, GA__XC)
#undef GA__XR
#undef GA__XC
#undef GA__SVD_CALLS
}

static int32_t ga__lapack_heevd(ga__lap *j) {
    bool ask = j->lwork == -1;
    int64_t n = j->n, want = 1 + 6 * n + (j->job == 'V' ? 2 * n * n : 0);
    if (ask) j->lrwork = want > INT32_MAX ? -1 : 0;
#define GA__XR(N, x, u, T, R)                                                  \
    case GA_##N: {                                                            \
        int32_t info = LAPACKE_##x##syevd_work(                               \
            LAPACK_COL_MAJOR, j->job, 'L', j->n, (T *)j->p[0], j->n,          \
            (R *)j->p[1], (T *)j->work, j->lwork, j->iwork, j->liwork);       \
        if (ask) j->liwork = *j->iwork;                                       \
        return info;                                                          \
    }
#define GA__XC(N, x, u, T, R)                                                  \
    case GA_##N: {                                                            \
        int32_t info = LAPACKE_##x##heevd_work(                               \
            LAPACK_COL_MAJOR, j->job, 'L', j->n, (T *)j->p[0], j->n,          \
            (R *)j->p[1], (T *)j->work, j->lwork, (R *)j->rwork,              \
            ask ? -1 : (int32_t)j->lrwork, j->iwork, j->liwork);              \
        if (ask && !j->lrwork) j->lrwork = want;                              \
        if (ask) j->liwork = *j->iwork;                                       \
        return info;                                                          \
    }
    GA__BY_TYPE(j, GA__XR, GA__XC)
#undef GA__XR
#undef GA__XC
}

/* A real matrix's pairs (wr, wi) and columns (x, y) become w and x +- iy. */
static int32_t ga__lapack_geev(ga__lap *j) {
    int64_t n = j->n;
    bool ask = j->lwork == -1, vectors = j->p[2];
    if (ask) j->lrwork = 2 * n;
    if (ask && vectors && ga__kind(j->t) != 'c') j->lrwork += n * n;
#define GA__XR(N, x, u, T, R)                                                  \
    case GA_##N: {                                                            \
        T *wr = (T *)j->rwork, *wi = wr, *v = wr;                             \
        if (!ask) wi += n, v += 2 * n;                                        \
        int32_t info = LAPACKE_##x##geev_work(                                \
            LAPACK_COL_MAJOR, 'N', j->job, j->n, (T *)j->p[0], j->n, wr, wi,  \
            NULL, 1, v, j->n, (T *)j->work, j->lwork);                        \
        if (ask || info) return info;                                         \
        T *w = (T *)j->p[1], *z = (T *)j->p[2];                               \
        for (int64_t i = 0; i < n; i++) w[2*i] = wr[i], w[2*i + 1] = wi[i];   \
        for (int64_t k = 0; vectors && k < n; k++)                            \
            for (int64_t i = 0, at = k * n; i < n; i++, at++) {               \
                int64_t im = wi[k] > 0 ? at + n : at, re = wi[k] < 0 ? at - n \
                                                                     : at;    \
                z[2*at] = v[re];                                              \
                z[2*at + 1] = wi[k] > 0 ? v[im] : wi[k] < 0 ? -v[im] : 0;     \
            }                                                                 \
        return 0;                                                             \
    }
#define GA__XC(N, x, u, T, R)                                                  \
    case GA_##N: return LAPACKE_##x##geev_work(                               \
        LAPACK_COL_MAJOR, 'N', j->job, j->n, (T *)j->p[0], j->n,              \
        (T *)j->p[1], NULL, 1, (T *)j->p[2], j->n, (T *)j->work, j->lwork,    \
        (R *)j->rwork);
    GA__BY_TYPE(j, GA__XR, GA__XC)
#undef GA__XR
#undef GA__XC
}
#undef GA__BY_TYPE
#define GA__LAPACK(name) ga__lapack_##name
#else
#define GA__LAPACK(name) NULL
#endif

#ifdef GPUARR_USE_LAPACK
/* Matrices of a batch, each share of which has a workspace of its own. */
typedef struct ga__lap_batch {
    int32_t (*routine)(ga__lap *);
    const ga__lap *first;
    int32_t *info;
    size_t room;
} ga__lap_batch;

static void ga__lap_some(void *data, int64_t i, int64_t end, int share) {
    const ga__lap_batch *b = (const ga__lap_batch *)data;
    ga__lap j = *b->first;
    const size_t at = b->room * (size_t)share;
    if (at) {
        j.work = (char *)j.work + at;
        j.rwork = (char *)j.rwork + at;
        j.iwork = (int32_t *)(void *)((char *)j.iwork + at);
    }
    for (int k = 0; k < 4; k++)
        if (j.p[k]) j.p[k] += (size_t)i * j.step[k];
    for (; i < end; i++) {
        int32_t code = b->routine(&j);
        GA_ASSERT(code >= 0);       /* negative: a wrong argument of ours   */
        if (b->info) b->info[i] = code;
        for (int k = 0; k < 4; k++) if (j.p[k]) j.p[k] += j.step[k];
    }
}
#endif
/* The routine for each matrix of the batch; with `asks` its workspace is asked
   for and made. OpenBLAS spreads a large matrix over threads and computes one
   up to 32x32, below LAPACK's blocks, where it is called: batches of these are
   shared out.                                                              */
static ga_status ga__cpu_each(ga__device *d, const char *fn,
                              int32_t (*routine)(ga__lap *), ga__lap *j,
                              int64_t batch, bool asks, int32_t *info) {
#ifdef GPUARR_USE_LAPACK
    ga__buffer *b = NULL;
    size_t room = 0;
    int shares = 1;
    if (batch > 1 && j->m <= 32 && j->n <= 32)
        shares = ga__shares(batch, (double)j->m * (double)j->n
                                       * fmin(j->m, j->n) * (double)batch);
    if (asks) {
        union { double d[2]; float f; } work = {{0, 0}}, rwork = {{0, 0}};
        int32_t iwork = 0;
        j->work = &work;
        j->rwork = &rwork;
        j->iwork = &iwork;
        j->lwork = j->liwork = -1;
        j->lrwork = 0;
        routine(j);
        if (j->liwork < 0) j->liwork = 0;
        size_t one = ga__size(ga__real_of(j->t));   /* a float has rounded  */
        double want = one == 4 ? (double)nextafterf(work.f, INFINITY)
                               : work.d[0];
        if (!(want >= 0 && want < INT32_MAX && j->lrwork >= 0))
            return ga__fail(GA_ERR_SIZE, fn, "LAPACK's workspace for %" PRId32
                            " by %" PRId32 " exceeds 2**31 elements", j->m,
                            j->n);
        j->lwork = (int32_t)want + 1;
        size_t w = (size_t)j->lwork * ga__size(j->t);
        size_t r = (size_t)j->lrwork * one;
        room = (w + r + (size_t)j->liwork * 4 + 63) / 64 * 64;
        b = ga__buffer_new(fn, d, room * (size_t)shares);
        if (!b) return ga__failed();
        j->work = b->ptr;
        j->rwork = (char *)b->ptr + w;
        j->iwork = (int32_t *)(void *)((char *)b->ptr + w + r);
    }
    ga__lap_batch all = {routine, j, info, room};
    gk_cpu_share(ga__lap_some, &all, batch, shares);
    ga__release(b);
    return GA_OK;
#else
    (void)d, (void)routine, (void)j, (void)batch, (void)asks, (void)info;
    return ga__fail(GA_ERR_LIBRARY, fn, "linear algebra on the CPU device "
                    "needs GPUARR_USE_LAPACK");
#endif
}

/* The call for a stack, whose matrices are its first operand; and one more. */
static ga__lap ga__lap_of(const ga__stack *a) {
    ga__lap j;
    memset(&j, 0, sizeof j);
    j.t = a->t;
    j.m = (int32_t)a->m;
    j.n = (int32_t)a->n;
    j.k = (int32_t)(a->m < a->n ? a->m : a->n);
    j.p[0] = (char *)a->p;
    j.step[0] = (size_t)(a->m * a->n) * ga__size(a->t);
    return j;
}
static void ga__lap_add(ga__lap *j, int i, const void *p, int64_t n,
                        ga_dtype t) {
    j->p[i] = (char *)(uintptr_t)p;
    j->step[i] = (size_t)n * ga__size(t);
}
static ga_status ga__cpu_trsm(ga__device *d, const char *fn, unsigned flags,
                              bool right, const ga__stack *a,
                              const ga__stack *b, ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    j.m = (int32_t)b->m;
    j.n = (int32_t)b->n;
    j.side = right ? 'R' : 'L';
    j.flags = flags;
    ga__lap_add(&j, 1, b->p, b->m * b->n, b->t);
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(trsm), &j, b->batch, false, NULL);
}
static ga_status ga__cpu_potrf(ga__device *d, const char *fn,
                               const ga__stack *a, int32_t *info,
                               ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(potrf), &j, a->batch, false, info);
}
static ga_status ga__cpu_getrf(ga__device *d, const char *fn,
                               const ga__stack *a, int32_t *piv, int32_t *info,
                               ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    ga__lap_add(&j, 1, piv, j.k, GA_INT32);
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(getrf), &j, a->batch, false, info);
}
static ga_status ga__cpu_getrs(ga__device *d, const char *fn, unsigned flags,
                               const ga__stack *a, const int32_t *piv,
                               const ga__stack *b, ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    ga__lap_add(&j, 1, piv, j.n, GA_INT32);
    ga__lap_add(&j, 2, b->p, b->m * b->n, b->t);
    j.k = (int32_t)b->n;
    j.job = flags & GA_CONJ_TRANS ? 'C' : flags & GA_TRANS ? 'T' : 'N';
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(getrs), &j, a->batch, false, NULL);
}
static ga_status ga__cpu_getri(ga__device *d, const char *fn,
                               const ga__stack *a, const int32_t *piv,
                               ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    ga__lap_add(&j, 1, piv, j.n, GA_INT32);
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(getri), &j, a->batch, true, NULL);
}
static ga_status ga__cpu_geqrf(ga__device *d, const char *fn,
                               const ga__stack *a, void *tau, ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    ga__lap_add(&j, 1, tau, j.k, a->t);
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(geqrf), &j, a->batch, true, NULL);
}
static ga_status ga__cpu_orgqr(ga__device *d, const char *fn,
                               const ga__stack *a, int64_t k, const void *tau,
                               ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    ga__lap_add(&j, 1, tau, k, a->t);
    j.k = (int32_t)k;
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(orgqr), &j, a->batch, true, NULL);
}
static ga_status ga__cpu_unmqr(ga__device *d, const char *fn,
                               const ga__stack *a, int64_t k, const void *tau,
                               const ga__stack *c, ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    ga__lap_add(&j, 1, tau, k, a->t);
    ga__lap_add(&j, 2, c->p, c->m * c->n, c->t);
    j.n = (int32_t)c->n;
    j.k = (int32_t)k;
    j.job = ga__kind(a->t) == 'c' ? 'C' : 'T';
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(unmqr), &j, a->batch, true, NULL);
}
static ga_status ga__cpu_gesvd(ga__device *d, const char *fn,
                               const ga__stack *a, void *sv,
                               const ga__stack *u, const ga__stack *vh,
                               int32_t *info, ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    ga__lap_add(&j, 1, sv, j.k, ga__real_of(a->t));
    j.job = !u ? 'N' : u->n == a->m && vh->m == a->n ? 'A' : 'S';
    if (u) {
        ga__lap_add(&j, 2, u->p, u->m * u->n, u->t);
        ga__lap_add(&j, 3, vh->p, vh->m * vh->n, vh->t);
    }
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(gesvd), &j, a->batch, true, info);
}
static ga_status ga__cpu_heevd(ga__device *d, const char *fn,
                               const ga__stack *a, bool vectors, void *w,
                               int32_t *info, ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    ga__lap_add(&j, 1, w, a->n, ga__real_of(a->t));
    j.job = vectors ? 'V' : 'N';
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(heevd), &j, a->batch, true, info);
}
static ga_status ga__cpu_geev(ga__device *d, const char *fn,
                              const ga__stack *a, void *w, const ga__stack *v,
                              int32_t *info, ga_stream *s) {
    ga__lap j = ga__lap_of(a);
    ga__lap_add(&j, 1, w, a->n, ga__complex_of(a->t));
    if (v) ga__lap_add(&j, 2, v->p, v->m * v->n, v->t);
    j.job = v ? 'V' : 'N';
    (void)s;
    return ga__cpu_each(d, fn, GA__LAPACK(geev), &j, a->batch, true, info);
}
#undef GA__LAPACK

/* ============================================================= >>i-cusolver */
#ifndef GPUARR_NO_CUDA
/* A call of cuSOLVER: the handle, what it wants to work in (bytes; host and
   device), and an int for the info that nobody asks for.                   */
typedef struct ga__solving {
    ga__device *d;
    const char *fn;
    cusolverDnHandle_t h;
    cusolverDnParams_t params;
    size_t want, host_want;
    ga__buffer *b;
    void *work, *host;
    int *info;
    int before;
} ga__solving;
static ga_status ga__solving_begin(ga__solving *w, ga__device *d,
                                   const char *fn, ga_stream *s) {
    memset(w, 0, sizeof *w);
    w->d = d;
    w->fn = fn;
    ga_status st = ga__cusolver(d, fn, s, &w->h, &w->params);
    cudaError_t e = ga__cuda_enter(d, &w->before);
    return st ? st : e ? ga__cuda_fail(fn, d, e) : GA_OK;
}
static ga_status ga__solving_ok(const ga__solving *w, cusolverStatus_t e) {
    return ga__solver_ok(w->fn, w->d, e);
}
/* After the workspace's size is asked for. */
static ga_status ga__solving_room(ga__solving *w) {
    size_t bytes = (w->want + 15) / 16 * 16;
    w->b = ga__buffer_new(w->fn, w->d, bytes + 16);
    if (!w->b) return ga__failed();
    w->work = w->b->ptr;
    w->info = (int *)(void *)((char *)w->b->ptr + bytes);
    if (!w->host_want) return GA_OK;
    w->host = GA_MALLOC(w->host_want);
    return w->host ? GA_OK : ga__fail(GA_ERR_HOST_MEMORY, w->fn, NULL);
}
static ga_status ga__solving_end(ga__solving *w, ga_status st) {
    ga__release(w->b);
    GA_FREE(w->host);
    ga_status end = ga__cuda_leave(w->fn, w->d, w->before, cudaSuccess);
    return st ? st : end;
}
/* The i-th matrix of a stack, and of a vector of n for each. */
static void *ga__nth(const ga__stack *a, int64_t i) {
    return (char *)a->p + (size_t)(i * a->m * a->n) * ga__size(a->t);
}
static void *ga__nth_of(const void *p, int64_t n, ga_dtype t, int64_t i) {
    return (char *)(uintptr_t)p + (size_t)(i * n) * ga__size(t);
}
/* cuSOLVER's older functions, of 32-bit lengths: one case for each type. */
#define GA__SOLVER_TYPES(X) \
    X(FLOAT32, S, or, float, float)   X(FLOAT64, D, or, double, double) \
    X(COMPLEX64, C, un, cuComplex, float) \
    X(COMPLEX128, Z, un, cuDoubleComplex, double)
#endif

/* ============================================================= >>i-cholesky */
#ifndef GPUARR_NO_CUDA
/* cuSOLVER's batched routine takes pointers and beats a loop up to some
   hundred rows.                                                            */
#define GA__POTRF_BATCH 256
static ga_status ga__cuda_potrf(ga__device *d, const char *fn,
                                const ga__stack *a, int32_t *info,
                                ga_stream *s) {
    cudaDataType t = ga__cuda_type(a->t);
    int64_t n = a->n;
    bool together = a->batch > 1 && a->batch <= INT32_MAX
                    && n <= GA__POTRF_BATCH;
    ga__solving w;
    ga_status st = ga__solving_begin(&w, d, fn, s);
    if (together)
        w.want = (size_t)a->batch * sizeof(void *);
    else if (!st)
        st = ga__solving_ok(&w, ga__solver.Xpotrf_bufferSize(
            w.h, w.params, CUBLAS_FILL_MODE_LOWER, n, t, a->p, n, t, &w.want,
            &w.host_want));
    if (!st) st = ga__solving_room(&w);
    if (!st && together)
        st = ga__run(fn, d, GA__JOB_range,
                     &(ga__steps){GA_INT64, true, a->batch,
                                  (int64_t)(intptr_t)a->p,
                                  n * n * (int64_t)ga__size(a->t), 0, 0, w.work},
                     NULL, 0, NULL, 0);
    if (!st && together) {
        cusolverStatus_t e = CUSOLVER_STATUS_SUCCESS;
        switch (a->t) {
#define GA__X(N, c, u, T, R)                                                  \
        case GA_##N:                                                          \
            e = ga__solver.c##potrfBatched(w.h, CUBLAS_FILL_MODE_LOWER,       \
                (int)n, (T **)w.work, (int)n, info, (int)a->batch);           \
            break;
        GA__SOLVER_TYPES(GA__X)
#undef GA__X
        default: break;
        }
        st = ga__solving_ok(&w, e);
    }
    for (int64_t i = 0; i < a->batch && !st && !together; i++)
        st = ga__solving_ok(&w, ga__solver.Xpotrf(
            w.h, w.params, CUBLAS_FILL_MODE_LOWER, n, t, ga__nth(a, i), n, t,
            w.work, w.want, w.host, w.host_want, info + i));
    return ga__solving_end(&w, st);
}
#undef GA__POTRF_BATCH
#endif

/* The lower factor with zeros above it; op: who asks. */
static ga_array *ga__cholesky(const char *fn, const ga_array *x) {
    ga_dtype t;
    ga__device *d = ga__matrices(fn, x, true, &t);
    if (!d) return NULL;
    ga_stream *s = ga__stream(d);
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *a = ga__columns(fn, x, t), *info = ga__info_new(fn, x), *l = NULL;
    ga_status st = a && info ? ga__triangle(fn, a, false, false)
                             : ga__failed();
    if (!st && x->size) {
        ga__stack k = ga__stack_of(a);
        int64_t at = -1, n = k.n;
        int32_t code = 0;
        bool finite = true;
        st = d->be->la->potrf(d, fn, &k, (int32_t *)info->data, s);
        if (!st) st = ga__read_info(fn, info, &at, &code);
        /* NaN reaches the diagonal, though not everyone's info             */
        ga_array *look = st ? NULL : at < 0 ? ga__view_new(fn, a)
                                            : ga__columns(fn, x, t);
        if (look && at < 0) {
            look->size = k.batch * n;
            look->strides[--look->ndim - 1] = n + 1;
        } else if (look && ga__triangle(fn, look, false, false)) {
            look = NULL;
        }
        st = look ? ga__finite(fn, look, &finite) : ga__failed();
        if (!st && !finite)
            st = ga__fail(GA_ERR_NAN, fn, NULL);
        else if (!st && at >= 0)
            st = ga__fail(GA_ERR_NOT_POSITIVE_DEFINITE, fn, "the leading minor "
                          "of order %" PRId32 "%s is not positive definite",
                          code, ga__which(x, at));
    }
    if (!st) l = ga__row_major(fn, a);
    return ga__leave(&own, l);
}
GA_API ga_array *(ga_cholesky)(const ga_array *x) {
    return ga__cholesky("ga_cholesky", x);
}

/* ================================================================== >>i-lu
   LU, solving and triangular solving on CUDA devices: our kernels for what is
   a chain of small steps (a panel's columns, exchanges, small triangles), and
   cuBLAS's products, at the card's full rate, for all the rest.

   Floor for 4096 x 4096 float64 on an H200: 46 GFLOP at 60 TFLOPS are 0.8 ms;
   4096 columns, each of which must know the one before, at 0.6 us 2.5 ms. It
   takes 8.4 ms, cuSOLVER's 13.4; half of it are the panels' columns.       */
#ifndef GPUARR_NO_CUDA
#define GA__LU_PANELS 16            /* between two large products           */
#define GA__LU_BATCH 32768          /* matrices a launch                    */

typedef struct ga__lu_to {          /* where the launches go                */
    ga__device *d;
    const char *fn;
    ga_stream *s;
    cublasHandle_t blas;
    int64_t batch;
    ga_dtype t;
} ga__lu_to;

static ga_status ga__lu_launch(const ga__lu_to *to, ga__lu *q) {
    q->t = to->t;
    q->batch = to->batch;
    return ga__run(to->fn, to->d, GA__JOB_lu, q, NULL, 0, NULL, 0);
}
/* C = f op(A) op(B) + g C, C m by n; in full precision whatever the user's. */
static ga_status ga__lu_multiply(const ga__lu_to *to, float f, float g,
                                 cublasOperation_t oa, cublasOperation_t ob,
                                 int64_t m, int64_t n, int64_t k,
                                 const void *a, int64_t lda, int64_t sa,
                                 const void *b, int64_t ldb, int64_t sb,
                                 void *c, int64_t ldc, int64_t sc) {
    const float single[2][2] = {{f, 0}, {g, 0}};
    const double full[2][2] = {{f, 0}, {g, 0}};
    bool wide = ga__real_of(to->t) == GA_FLOAT64;
    const void *alpha = wide ? (const void *)full[0] : single[0];
    const void *beta = wide ? (const void *)full[1] : single[1];
    cublasComputeType_t as = wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
    cudaDataType t = ga__cuda_type(to->t);
    int before;
    cublasStatus_t b_ = CUBLAS_STATUS_SUCCESS;
    if (!m || !n || !k) return GA_OK;
    cudaError_t e = ga__cuda_enter(to->d, &before);
    if (!e && to->batch == 1)
        b_ = ga__blas.GemmEx(to->blas, oa, ob, (int)m, (int)n, (int)k, alpha,
                             a, t, (int)lda, b, t, (int)ldb, beta, c, t,
                             (int)ldc, as, CUBLAS_GEMM_DEFAULT);
    else if (!e)
        b_ = ga__blas.GemmStridedBatchedEx(
            to->blas, oa, ob, (int)m, (int)n, (int)k, alpha, a, t, (int)lda,
            sa, b, t, (int)ldb, sb, beta, c, t, (int)ldc, sc, (int)to->batch,
            as, CUBLAS_GEMM_DEFAULT);
    ga_status st = ga__cuda_leave(to->fn, to->d, before, e);
    return st ? st : ga__blas_ok(to->fn, to->d, b_);
}
/* C -= op(A) op(B). */
static ga_status ga__lu_product(const ga__lu_to *to, cublasOperation_t oa,
                                cublasOperation_t ob, int64_t m, int64_t n,
                                int64_t k, const void *a, int64_t lda,
                                int64_t sa, const void *b, int64_t ldb,
                                int64_t sb, void *c, int64_t ldc, int64_t sc) {
    return ga__lu_multiply(to, -1, 1, oa, ob, m, n, k, a, lda, sa, b, ldb, sb,
                           c, ldc, sc);
}
static void *ga__lu_at(const void *p, int64_t elements, ga_dtype t) {
    return (char *)(uintptr_t)p + elements * (int64_t)ga__size(t);
}
/* The part of a stack that one launch takes, from matrix b on. */
static ga__stack ga__lu_part(const ga__stack *a, int64_t b) {
    ga__stack k = *a;
    k.p = ga__lu_at(a->p, b * a->m * a->n, a->t);
    k.batch = a->batch - b < GA__LU_BATCH ? a->batch - b : GA__LU_BATCH;
    return k;
}

/* ------------------------------------------------------------- triangles */
typedef struct ga__lu_tri {
    unsigned flags;
    bool right, lower;              /* lower: op(a) is                      */
    int64_t lda, sa, ldb, sb;
} ga__lu_tri;
/* The triangle of n columns at a, the n rows (columns) of b, `other` long.
   In halves, for large products; the substitution does the small ones.     */
static ga_status ga__lu_triangle(const ga__lu_to *to, const ga__lu_tri *r,
                                 int64_t n, int64_t other, const void *a,
                                 void *b) {
    bool trans = (r->flags & (GA_TRANS | GA_CONJ_TRANS)) != 0;
    if (n <= GA__LU_SUBST_N) {
        ga__lu q;
        memset(&q, 0, sizeof q);
        q.step = GA__LU_SUBST;
        q.n = n;
        q.nrhs = other;
        q.unit = (r->flags & GA_UNIT_DIAGONAL) != 0;
        q.conj = (r->flags & GA_CONJ_TRANS) != 0 && to->t >= GA_COMPLEX64;
        q.stride = r->sa;
        q.b_stride = r->sb;
        /* op(a)'s strides, transposed from the right, then from the end */
        bool turned = trans != r->right;
        q.a_row = turned ? r->lda : 1;
        q.a_col = turned ? 1 : r->lda;
        q.b_row = r->right ? r->ldb : 1;
        q.b_col = r->right ? 1 : r->ldb;
        q.a = a;
        q.b = b;
        if (r->lower == r->right) {
            q.a = ga__lu_at(a, (n - 1) * (r->lda + 1), to->t);
            q.b = ga__lu_at(b, (n - 1) * q.b_row, to->t);
            q.a_row = -q.a_row;
            q.a_col = -q.a_col;
            q.b_row = -q.b_row;
        }
        return ga__lu_launch(to, &q);
    }
    int64_t h = (n / 2 + GA__LU_SUBST_N - 1) / GA__LU_SUBST_N * GA__LU_SUBST_N;
    int64_t rest = n - h, step = r->right ? r->ldb : 1;
    /* the block off the diagonal, as it stands in memory */
    bool below = r->lower != trans;
    const void *a2 = ga__lu_at(a, h * (r->lda + 1), to->t);
    const void *off = ga__lu_at(a, below ? h : h * r->lda, to->t);
    void *b2 = ga__lu_at(b, h * step, to->t);
    bool forward = r->lower != r->right;
    cublasOperation_t o = r->flags & GA_CONJ_TRANS ? CUBLAS_OP_C
                          : trans ? CUBLAS_OP_T : CUBLAS_OP_N;
    void *known = forward ? b : b2, *open = forward ? b2 : b;
    int64_t nk = forward ? h : rest, no = n - nk;
    ga_status st = ga__lu_triangle(to, r, nk, other, forward ? a : a2, known);
    if (!st && r->right)
        st = ga__lu_product(to, CUBLAS_OP_N, o, other, no, nk, known, r->ldb,
                            r->sb, off, r->lda, r->sa, open, r->ldb, r->sb);
    else if (!st)
        st = ga__lu_product(to, o, CUBLAS_OP_N, no, other, nk, off, r->lda,
                            r->sa, known, r->ldb, r->sb, open, r->ldb, r->sb);
    if (!st) st = ga__lu_triangle(to, r, no, other, forward ? a2 : a, open);
    return st;
}
static ga_status ga__cuda_trsm(ga__device *d, const char *fn, unsigned flags,
                               bool right, const ga__stack *a,
                               const ga__stack *b, ga_stream *s) {
    ga__lu_to to = {d, fn, s, NULL, a->batch, a->t};
    bool trans = (flags & (GA_TRANS | GA_CONJ_TRANS)) != 0;
    ga__lu_tri r = {flags, right, ((flags & GA_LOWER) != 0) != trans, a->m,
                    a->m * a->n, b->m, b->m * b->n};
    ga_status st = ga__cublas(d, fn, s, &to.blas);
    for (int64_t i = 0; !st && i < a->batch; i += GA__LU_BATCH) {
        ga__stack pa = ga__lu_part(a, i), pb = ga__lu_part(b, i);
        to.batch = pa.batch;
        st = ga__lu_triangle(&to, &r, a->n, right ? b->m : b->n, pa.p, pb.p);
    }
    return st;
}

/* ----------------------------------------------------------------- factors
   Blocks of GA__LU_PANELS panels. Exchanges reach the columns to the panel's
   right in the block at once, all others with the block.                   */
static ga_status ga__lu_factor(const ga__lu_to *to, const ga__stack *a,
                               int32_t *piv, int32_t *info, int32_t *moves) {
    int64_t m = a->m, n = a->n, least = m < n ? m : n;
    int64_t panel = GA__LU_PANEL(ga__size(a->t)), each = m * n;
    int64_t block = GA__LU_PANELS * panel;
    ga__lu_tri unit = {GA_LOWER | GA_UNIT_DIAGONAL, false, true, m, each, m,
                       each};
    ga_status st = GA_OK;
    ga__lu q;
    memset(&q, 0, sizeof q);
    q.a = a->p;
    q.m = m;
    q.n = n;
    q.lda = m;
    q.stride = each;
    q.piv = piv;
    q.npiv = least;
    q.info = info;
    q.moves = moves;
    q.moves_stride = 2 * block;
#define GA__LU_AT(i, j) ga__lu_at(a->p, (i) + (j) * m, a->t)
    for (int64_t j0 = 0; !st && j0 < least; j0 += block) {
        int64_t width = least - j0 < block ? least - j0 : block;
        int64_t end = j0 + width, p = 0;
        for (int64_t j = j0; !st && j < end; j += panel, p++) {
            int64_t w = end - j < panel ? end - j : panel, after = j + w;
            q.step = GA__LU_STEP_PANEL;
            q.row = j;
            q.block = j0;
            q.w = w;
            st = ga__lu_launch(to, &q);
            if (st || after == end) continue;
            q.step = GA__LU_STEP_ROWS;
            q.w = width;
            q.first = after;
            q.last = end;
            q.from = p;
            q.to = p + 1;
            q.solve = true;
            st = ga__lu_launch(to, &q);
            if (!st)
                st = ga__lu_product(to, CUBLAS_OP_N, CUBLAS_OP_N, m - after,
                                    end - after, w, GA__LU_AT(after, j), m,
                                    each, GA__LU_AT(j, after), m, each,
                                    GA__LU_AT(after, after), m, each);
        }
        q.step = GA__LU_STEP_ROWS;
        q.w = width;
        q.first = 0;
        q.last = n;
        q.from = 0;
        q.to = p;
        q.solve = false;
        if (!st) st = ga__lu_launch(to, &q);
        if (st || end == n) continue;
        st = ga__lu_triangle(to, &unit, width, n - end, GA__LU_AT(j0, j0),
                             GA__LU_AT(j0, end));
        if (!st)
            st = ga__lu_product(to, CUBLAS_OP_N, CUBLAS_OP_N, m - end, n - end,
                                width, GA__LU_AT(end, j0), m, each,
                                GA__LU_AT(j0, end), m, each,
                                GA__LU_AT(end, end), m, each);
    }
#undef GA__LU_AT
    return st;
}
static ga_status ga__cuda_getrf(ga__device *d, const char *fn,
                                const ga__stack *a, int32_t *piv,
                                int32_t *info, ga_stream *s) {
    ga__lu_to to = {d, fn, s, NULL, a->batch, a->t};
    int64_t least = a->m < a->n ? a->m : a->n;
    bool tiny = a->m <= GA__LU_TINY_N && a->n <= GA__LU_TINY_N;
    ga__buffer *moves = NULL;
    ga_status st = GA_OK;
    if (!tiny) {
        int64_t most = a->batch < GA__LU_BATCH ? a->batch : GA__LU_BATCH;
        st = ga__cublas(d, fn, s, &to.blas);
        if (!st) st = d->be->zero(d, fn, info, (size_t)a->batch * 4, s);
        if (st) return st;
        moves = ga__buffer_new(fn, d, (size_t)(
            most * 2 * GA__LU_PANELS * GA__LU_PANEL(ga__size(a->t)) * 4));
        if (!moves) return ga__failed();
    }
    for (int64_t i = 0; !st && i < a->batch; i += GA__LU_BATCH) {
        ga__stack k = ga__lu_part(a, i);
        to.batch = k.batch;
        if (!tiny) {
            st = ga__lu_factor(&to, &k, piv + i * least, info + i,
                               (int32_t *)moves->ptr);
            continue;
        }
        ga__lu q;
        memset(&q, 0, sizeof q);
        q.step = GA__LU_TINY;
        q.a = k.p;
        q.m = k.m;
        q.n = k.n;
        q.piv = piv + i * least;
        q.info = info + i;
        st = ga__lu_launch(&to, &q);
    }
    ga__release(moves);
    return st;
}

/* ---------------------------------------------------- solving by factors
   b's rows permuted, through a copy of some of its columns.                */
static ga_status ga__lu_permute(const ga__lu_to *to, const int32_t *perm,
                                const ga__stack *b, bool back) {
    int64_t columns = b->n * b->batch, size = b->m * (int64_t)ga__size(b->t);
    int64_t some = ((int64_t)64 << 20) / size;
    if (some < 1) some = 1;
    if (some > columns) some = columns;
    ga__buffer *copy = ga__buffer_new(to->fn, to->d, (size_t)(some * size));
    if (!copy) return ga__failed();
    ga_status st = GA_OK;
    for (int64_t c = 0; !st && c < columns; c += some) {
        ga__lu q;
        memset(&q, 0, sizeof q);
        q.step = GA__LU_PERMUTE;
        q.a = ga__lu_at(b->p, c * b->m, b->t);
        q.b = copy->ptr;
        q.n = b->m;
        q.nrhs = b->n;
        q.first = c;
        q.last = c + some < columns ? c + some : columns;
        q.moves = (int32_t *)(uintptr_t)perm;
        q.trans = back;
        st = ga__lu_launch(to, &q);
        if (!st)
            st = to->d->be->copy(to->d, to->fn, GA__D2D,
                                 ga__lu_at(b->p, c * b->m, b->t), copy->ptr,
                                 (size_t)((q.last - c) * size), to->s, true);
    }
    ga__release(copy);
    return st;
}
static ga_status ga__lu_solve(const ga__lu_to *to, unsigned flags,
                              const ga__stack *a, const int32_t *piv,
                              const ga__stack *b) {
    int64_t n = a->n;
    bool trans = flags != 0;
    ga__lu q;
    memset(&q, 0, sizeof q);
    q.n = n;
    q.piv = (int32_t *)(uintptr_t)piv;
    if (n <= GA__LU_TINY_N) {
        q.step = GA__LU_TINY_SOLVE;
        q.a = a->p;
        q.b = b->p;
        q.nrhs = b->n;
        q.trans = flags & GA_CONJ_TRANS ? 2 : trans;
        return ga__lu_launch(to, &q);
    }
    ga__buffer *perm = ga__buffer_new(to->fn, to->d, (size_t)(3 * n * a->batch)
                                                     * 4);
    if (!perm) return ga__failed();
    q.step = GA__LU_PERMUTATION;
    q.moves = (int32_t *)perm->ptr;
    ga_status st = ga__lu_launch(to, &q);
    if (!st && !trans) st = ga__lu_permute(to, q.moves, b, false);
    for (int i = 0; !st && i < 2; i++) {    /* L first, unless transposed   */
        bool lower = (i == 0) != trans;
        ga__lu_tri r = {flags | (lower ? GA_LOWER | GA_UNIT_DIAGONAL : 0),
                        false, lower != trans, n, n * n, n, n * b->n};
        st = ga__lu_triangle(to, &r, n, b->n, a->p, b->p);
    }
    if (!st && trans) st = ga__lu_permute(to, q.moves, b, true);
    ga__release(perm);
    return st;
}
static ga_status ga__cuda_getrs(ga__device *d, const char *fn, unsigned flags,
                                const ga__stack *a, const int32_t *piv,
                                const ga__stack *b, ga_stream *s) {
    ga__lu_to to = {d, fn, s, NULL, a->batch, a->t};
    ga_status st = ga__cublas(d, fn, s, &to.blas);
    for (int64_t i = 0; !st && i < a->batch; i += GA__LU_BATCH) {
        ga__stack pa = ga__lu_part(a, i), pb = ga__lu_part(b, i);
        to.batch = pa.batch;
        st = ga__lu_solve(&to, flags, &pa, piv + i * a->n, &pb);
    }
    return st;
}
#endif

/* ------------------------------------------------------------- public: LU */
/* P of P L U: 1 at (p(j), j), where p is the identity after the swaps. */
static ga_array *ga__permutation(const char *fn, const ga_array *x,
                                 const ga_array *piv, ga_dtype t) {
    int64_t m = x->shape[x->ndim - 2], k = piv->shape[piv->ndim - 1];
    int64_t batch = ga__batch_of(x);
    int32_t *swaps = piv->size ? (int32_t *)ga_asnumpy(piv, NULL) : NULL;
    if (piv->size && !swaps) return NULL;
    ga_array *p = NULL, zero, one, end;
    ga_shape shape = {x->ndim, {0}};
    ga__shaped(x, 1, m, shape.dim);
    int64_t *to = (int64_t *)GA_MALLOC((size_t)(batch * m) * sizeof *to + 1);
    if (!to) ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    for (int64_t b = 0; to && b < batch; b++) {
        int64_t *row = to + b * m;
        for (int64_t i = 0; i < m; i++) row[i] = i;
        for (int64_t i = 0; i < k; i++) {
            int64_t j = swaps[b * k + i] - 1, v = row[i];
            row[i] = row[j];
            row[j] = v;
        }
    }
    ga_array *at = to ? (ga_asarray_as)(to, GA_INT64, shape) : NULL;
    ga_array *line = at ? (ga_arange)(ga__arg_i(0, &zero), ga__arg_i(m, &end),
                                      ga__arg_i(1, &one)) : NULL;
    ga_array *down = line ? (ga_reshape)(line, GA_SHAPE(m, 1)) : NULL;
    ga_array *is = down ? (ga_equal)(at, down) : NULL;
    if (is) p = ga__copy_as(fn, is, t);
    GA_FREE(to);
    free(swaps);
    return p;
}
GA_API ga_status (ga_lu)(const ga_array *x, ga_array **p, ga_array **l,
                         ga_array **u) {
    static const char fn[] = "ga_lu";
    ga_dtype t;
    ga__device *d = ga__matrices(fn, x, false, &t);
    if (!d) return ga__failed();
    ga_stream *s = ga__stream(d);
    int64_t m = x->shape[x->ndim - 2], n = x->shape[x->ndim - 1];
    int64_t k = m < n ? m : n;
    ga_array **const to[3] = {p, l, u}, *made[3] = {NULL, NULL, NULL};
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *a = ga__columns(fn, x, t), *info = ga__info_new(fn, x);
    ga_array *piv = ga__matrices_new(fn, x, k, -1, GA_INT32);
    bool finite = true;
    ga_status st = a && info && piv ? ga__finite(fn, a, &finite)
                                    : ga__failed();
    if (!st && !finite)
        st = ga__fail(GA_ERR_NAN, fn, NULL);
    if (!st && x->size) {
        ga__stack f = ga__stack_of(a);
        st = d->be->la->getrf(d, fn, &f, (int32_t *)piv->data,
                              (int32_t *)info->data, s);
    }
    if (!st && p && !(made[0] = ga__permutation(fn, x, piv, t)))
        st = ga__failed();
    if (!st && l) {
        ga_array *v = ga__top_rows(fn, a, k);
        made[1] = v ? ga__row_major(fn, v) : NULL;
        st = made[1] ? ga__triangle(fn, made[1], true, true) : ga__failed();
    }
    if (!st && u) {
        ga_array *v = ga__transposed(fn, a);
        ga_array *top = v ? ga__top_rows(fn, v, k) : NULL;
        made[2] = top ? ga__copy_as(fn, top, t) : NULL;
        st = made[2] ? ga__triangle(fn, made[2], false, false) : ga__failed();
    }
    if (!st) st = ga__after(fn, d, s);
    return ga__deliver(&own, st, 3, to, made);
}

/* =================================================================== >>i-qr */
#ifndef GPUARR_NO_CUDA
static ga_status ga__cuda_geqrf(ga__device *d, const char *fn,
                                const ga__stack *a, void *tau, ga_stream *s) {
    cudaDataType t = ga__cuda_type(a->t);
    int64_t m = a->m, n = a->n, k = m < n ? m : n;
    ga__solving w;
    ga_status st = ga__solving_begin(&w, d, fn, s);
    if (!st)
        st = ga__solving_ok(&w, ga__solver.Xgeqrf_bufferSize(
            w.h, w.params, m, n, t, a->p, m, t, tau, t, &w.want,
            &w.host_want));
    if (!st) st = ga__solving_room(&w);
    for (int64_t i = 0; i < a->batch && !st; i++)
        st = ga__solving_ok(&w, ga__solver.Xgeqrf(
            w.h, w.params, m, n, t, ga__nth(a, i), m, t,
            ga__nth_of(tau, k, a->t, i), t, w.work, w.want, w.host,
            w.host_want, w.info));
    return ga__solving_end(&w, st);
}
/* ------------------------------------------------- reflectors, by products
   H_1 ... H_k = I - V T V^H, where V has the reflectors as columns and
   T^-1 = striu(V^H V) + D^-1, D = diag(tau) (Puglisi 1992; Joffrain et al.
   2006). By columns scaled, T = D N^-1 with N = I + striu(V^H V D), which has
   no reciprocal of a tau that is 0. So two products and one triangular solve
   make V and Y = V T of blocks of columns, all blocks of all matrices of a
   batch at once, and two products apply a block. cuSOLVER's own routines, with
   small blocks, take twice as long for 300 to 1000 reflectors, and go through
   a batch one by one.                                                      */
#define GA__QR_LEAST 128            /* below it cuSOLVER's are as fast      */
#define GA__QR_BLOCK 256
typedef struct ga__reflect {
    ga__lu_to to;
    ga_array *v, *y;                /* (batch, blocks of nb columns, rows)  */
    int64_t m, nb, blocks, each;    /* each: elements of a matrix in v      */
    cublasOperation_t adjoint;
} ga__reflect;
static ga_status ga__reflect_make(ga__reflect *w, ga__device *d,
                                  const char *fn, const ga__stack *a,
                                  int64_t k, const void *tau, int64_t block,
                                  ga_stream *s) {
    int64_t m = a->m, batch = a->batch, blocks = (k + block - 1) / block;
    int64_t nb = (k + blocks - 1) / blocks, all = batch * blocks;
    int64_t shape[3] = {batch, blocks * nb, m}, square[3] = {all, nb, nb};
    ga__lu_to to = {d, fn, s, NULL, all, a->t};
    w->to = to;
    w->m = m;
    w->nb = nb;
    w->blocks = blocks;
    w->each = blocks * nb * m;
    w->adjoint = ga__kind(a->t) == 'c' ? CUBLAS_OP_C : CUBLAS_OP_T;
    ga_status st = ga__cublas(d, fn, s, &w->to.blas);
    if (st) return st;
    w->v = ga__zeros(fn, 3, shape, a->t, NULL);
    w->y = ga__zeros(fn, 3, shape, a->t, NULL);
    ga_array *n = ga__new(fn, d, 3, square, a->t, NULL);
    ga_array *x = (ga_wrap)(a->p, a->t, GA_SHAPE(batch, a->n, m), NULL, d->id,
                            NULL, NULL);
    ga_array *f = (ga_wrap)((void *)(uintptr_t)tau, a->t,
                            GA_SHAPE(batch, k, 1), NULL, d->id, NULL, NULL);
    ga_array *low = x ? ga__top_rows(fn, x, k) : NULL;
    ga_array *v = w->v ? ga__top_rows(fn, w->v, k) : NULL;
    ga_array *y = w->y ? ga__top_rows(fn, w->y, k) : NULL;
    if (!n || !f || !low || !v || !y) return ga__failed();
    const ga_array *in[2] = {low, f};
    st = ga__launch(fn, d, GA__OP_copy, a->t, v, in, 1, NULL);
    ga__stack of_v = {w->v->data, m, blocks * nb, batch, a->t};
    ga__stack of_y = {w->y->data, m, nb, all, a->t};
    ga__stack of_n = {n->data, nb, nb, all, a->t};
    if (!st) st = ga__triangles(d, fn, &of_v, true, true);
    in[0] = v;
    if (!st) st = ga__operate(fn, GA__OP_multiply, y, NULL, in, 2, NULL);
    if (!st)
        st = ga__lu_multiply(&w->to, 1, 0, w->adjoint, CUBLAS_OP_N, nb, nb, m,
                             of_v.p, m, m * nb, of_y.p, m, m * nb, of_n.p, nb,
                             nb * nb);
    if (!st)
        st = ga__cuda_trsm(d, fn, GA_UNIT_DIAGONAL, true, &of_n, &of_y, s);
    w->to.batch = batch;
    return st;
}
#define GA__V(i, j) ga__lu_at(w.v->data, (i) + (j) * m, a->t)
#define GA__Y(i, j) ga__lu_at(w.y->data, (i) + (j) * m, a->t)
/* The first a->n columns of Q, from the last block on: columns after a block's
   own have zeros in its rows, its own are the identity's.                  */
static ga_status ga__reflect_form(ga__device *d, const char *fn,
                                  const ga__stack *a, int64_t k,
                                  const void *tau, ga_stream *s) {
    int64_t m = a->m, n = a->n, each = m * n;
    ga__reflect w;
    ga_scope own;
    ga_scope_begin(&own);
    /* larger blocks where most of Q is beyond the reflectors' columns      */
    ga_status st = ga__reflect_make(&w, d, fn, a, k, tau,
                                    n < 2 * k ? GA__QR_BLOCK
                                              : 4 * GA__QR_BLOCK, s);
    int64_t shape[3] = {a->batch, n, w.nb};
    ga_array *z = !st && w.blocks > 1 ? ga__new(fn, d, 3, shape, a->t, NULL)
                                      : NULL;
    if (!st && w.blocks > 1 && !z) st = ga__failed();
    if (!st)
        st = d->be->zero(d, fn, a->p, (size_t)(a->batch * each)
                                      * ga__size(a->t), s);
    if (!st) st = ga__triangles(d, fn, a, true, true);
#define GA__Q(i, j) ga__lu_at(a->p, (i) + (j) * m, a->t)
    for (int64_t b = st ? 0 : w.blocks; b-- > 0 && !st;) {
        int64_t j = b * w.nb, end = j + w.nb;
        int64_t own_n = b + 1 < w.blocks ? w.nb : n - j;
        if (b + 1 < w.blocks) {
            st = ga__lu_multiply(&w.to, 1, 0, w.adjoint, CUBLAS_OP_N, w.nb,
                                 n - end, m - end, GA__V(end, j), m, w.each,
                                 GA__Q(end, end), m, each, z->data, w.nb,
                                 w.nb * n);
            if (!st)
                st = ga__lu_product(&w.to, CUBLAS_OP_N, CUBLAS_OP_N, m - j,
                                    n - end, w.nb, GA__Y(j, j), m, w.each,
                                    z->data, w.nb, w.nb * n, GA__Q(j, end), m,
                                    each);
        }
        if (!st)
            st = ga__lu_product(&w.to, CUBLAS_OP_N, w.adjoint, m - j, own_n,
                                w.nb, GA__Y(j, j), m, w.each, GA__V(j, j), m,
                                w.each, GA__Q(j, j), m, each);
    }
#undef GA__Q
    ga_scope_end(&own);
    return st;
}
/* c := Q^H c. */
static ga_status ga__reflect_apply(ga__device *d, const char *fn,
                                   const ga__stack *a, int64_t k,
                                   const void *tau, const ga__stack *c,
                                   ga_stream *s) {
    int64_t m = a->m, n = c->n, each = m * n;
    ga__reflect w;
    ga_scope own;
    ga_scope_begin(&own);
    ga_status st = ga__reflect_make(&w, d, fn, a, k, tau, GA__QR_BLOCK, s);
    int64_t shape[3] = {a->batch, n, w.nb};
    ga_array *z = st ? NULL : ga__new(fn, d, 3, shape, a->t, NULL);
    if (!z) st = ga__failed();
    for (int64_t j = 0; !st && j < w.blocks * w.nb; j += w.nb) {
        void *to = ga__lu_at(c->p, j, a->t);
        st = ga__lu_multiply(&w.to, 1, 0, w.adjoint, CUBLAS_OP_N, w.nb, n,
                             m - j, GA__Y(j, j), m, w.each, to, m, each,
                             z->data, w.nb, w.nb * n);
        if (!st)
            st = ga__lu_product(&w.to, CUBLAS_OP_N, CUBLAS_OP_N, m - j, n,
                                w.nb, GA__V(j, j), m, w.each, z->data, w.nb,
                                w.nb * n, to, m, each);
    }
    ga_scope_end(&own);
    return st;
}
#undef GA__V
#undef GA__Y
/* Parts of a batch for which V takes a GiB or so. */
static ga__stack ga__reflect_part(const ga__stack *a, int64_t b) {
    ga__stack part = ga__lu_part(a, b);
    int64_t most = ((int64_t)1 << 30) / (a->m * a->n * (int64_t)ga__size(a->t));
    if (part.batch > most) part.batch = most > 1 ? most : 1;
    return part;
}
static ga_status ga__cuda_orgqr(ga__device *d, const char *fn,
                                const ga__stack *a, int64_t k, const void *tau,
                                ga_stream *s) {
    int m = (int)a->m, n = (int)a->n, length = 0;
    cusolverStatus_t e = CUSOLVER_STATUS_SUCCESS;
    ga__solving w;
    ga_status st = GA_OK;
    bool tall = m > 4 * k && n < 2 * k;
    if ((k >= GA__QR_LEAST && !tall) || a->batch > 1) {
        ga__stack part;
        for (int64_t b = 0; b < a->batch && !st; b += part.batch) {
            part = ga__reflect_part(a, b);
            st = ga__reflect_form(d, fn, &part, k, ga__nth_of(tau, k, a->t, b),
                                  s);
        }
        return st;
    }
    st = ga__solving_begin(&w, d, fn, s);
    for (int go = 0; go < 2 && !st; go++) {             /* 0: only asks     */
        switch (a->t) {
#define GA__X(N, c, u, T, R)                                                  \
        case GA_##N:                                                          \
            e = !go ? ga__solver.c##u##gqr_bufferSize(                        \
                          w.h, m, n, (int)k, (T *)a->p, m, (const T *)tau,    \
                          &length)                                            \
                    : ga__solver.c##u##gqr(w.h, m, n, (int)k, (T *)a->p, m,   \
                                           (const T *)tau, (T *)w.work,       \
                                           length, w.info);                   \
            break;
        GA__SOLVER_TYPES(GA__X)
#undef GA__X
        default: break;
        }
        st = ga__solving_ok(&w, e);
        w.want = (size_t)length * ga__size(a->t);
        if (!go && !st) st = ga__solving_room(&w);
    }
    return ga__solving_end(&w, st);
}
static ga_status ga__cuda_unmqr(ga__device *d, const char *fn,
                                const ga__stack *a, int64_t k, const void *tau,
                                const ga__stack *c, ga_stream *s) {
    int m = (int)c->m, n = (int)c->n, length = 0;
    cublasOperation_t o = ga__kind(a->t) == 'c' ? CUBLAS_OP_C : CUBLAS_OP_T;
    cusolverStatus_t e = CUSOLVER_STATUS_SUCCESS;
    ga__solving w;
    ga_status st = GA_OK;
    if ((k >= GA__QR_LEAST && m <= 2048) || a->batch > 1) {
        ga__stack part, to = *c;
        for (int64_t b = 0; b < a->batch && !st; b += part.batch) {
            part = ga__reflect_part(a, b);
            to.p = ga__nth(c, b);
            to.batch = part.batch;
            st = ga__reflect_apply(d, fn, &part, k,
                                   ga__nth_of(tau, k, a->t, b), &to, s);
        }
        return st;
    }
    st = ga__solving_begin(&w, d, fn, s);
    for (int go = 0; go < 2 && !st; go++) {             /* 0: only asks     */
        switch (a->t) {
#define GA__X(N, x, u, T, R)                                                  \
        case GA_##N:                                                          \
            e = !go ? ga__solver.x##u##mqr_bufferSize(                        \
                          w.h, CUBLAS_SIDE_LEFT, o, m, n, (int)k,             \
                          (const T *)a->p, m, (const T *)tau, (T *)c->p, m,   \
                          &length)                                            \
                    : ga__solver.x##u##mqr(                                   \
                          w.h, CUBLAS_SIDE_LEFT, o, m, n, (int)k,             \
                          (const T *)a->p, m, (const T *)tau, (T *)c->p, m,   \
                          (T *)w.work, length, w.info);                       \
            break;
        GA__SOLVER_TYPES(GA__X)
#undef GA__X
        default: break;
        }
        st = ga__solving_ok(&w, e);
        w.want = (size_t)length * ga__size(a->t);
        if (!go && !st) st = ga__solving_room(&w);
    }
    return ga__solving_end(&w, st);
}
#endif

/* ------------------------------------------------------------- public: QR */
GA_API ga_status (ga_qr)(const ga_array *x, bool complete, ga_array **q,
                         ga_array **r) {
    static const char fn[] = "ga_qr";
    ga_dtype t;
    ga__device *d = ga__matrices(fn, x, false, &t);
    if (!d) return ga__failed();
    ga_stream *s = ga__stream(d);
    int64_t m = x->shape[x->ndim - 2], n = x->shape[x->ndim - 1];
    int64_t k = m < n ? m : n, cols = complete ? m : k, shape[GA_MAX_NDIM];
    ga_array **const to[2] = {q, r}, *made[2] = {NULL, NULL}, *undo = NULL;
    ga_scope own;
    ga_scope_begin(&own);
    int rank = ga__shaped(x, m, cols, shape);
    if (!x->size) {                 /* no columns, or no rows, or no batch  */
        if (q) made[0] = ga__eyes(fn, rank, shape, t);
        if (r) made[1] = ga__matrices_new(fn, x, cols, n, t);
        bool ok = (!q || made[0]) && (!r || made[1]);
        return ga__deliver(&own, ok ? GA_OK : ga__failed(), 2, to, made);
    }
    ga_array *a = ga__columns(fn, x, t);
    ga_array *tau = a ? ga__matrices_new(fn, x, k, -1, t) : NULL;
    ga_status st = tau ? ga__tame(fn, x, a, &undo) : ga__failed();
    if (!st) {
        ga__stack h = ga__stack_of(a);
        st = d->be->la->geqrf(d, fn, &h, tau->data, s);
    }
    if (!st && r) {
        ga_array *v = ga__transposed(fn, a);
        ga_array *top = v ? ga__top_rows(fn, v, cols) : NULL;
        made[1] = top ? ga__matrix_copy(fn, top, t) : NULL;
        st = made[1] ? ga__triangle(fn, made[1], false, false) : ga__failed();
        if (!st) st = ga__scale_by(fn, made[1], undo);
    }
    if (!st && q) {
        ga_array *c = a;
        if (cols < n) {
            ga_array *v = ga__top_rows(fn, a, cols);
            c = v ? ga__matrix_copy(fn, v, t) : NULL;
        } else if (cols > n) {
            c = ga__matrices_new(fn, x, m, m, t);
            ga_array *v = c ? ga__top_rows(fn, c, n) : NULL;
            const ga_array *in = a;
            if (!v || ga__launch(fn, d, GA__OP_copy, t, v, &in, 1, NULL))
                c = NULL;
        }
        st = c ? GA_OK : ga__failed();
        if (!st) {
            ga__stack h = ga__stack_of(c);
            st = d->be->la->orgqr(d, fn, &h, k, tau->data, s);
        }
        if (c != a) ga_free(a);     /* before the copy                      */
        if (!st && !(made[0] = ga__row_major(fn, c))) st = ga__failed();
    }
    if (!st) st = ga__after(fn, d, s);
    return ga__deliver(&own, st, 2, to, made);
}

/* ================================================================== >>i-eig */
#ifndef GPUARR_NO_CUDA
/* Since CUDA 12.6 one call serves a batch, but not one of 10^5 matrices (13.0:
   an internal error).                                                      */
#define GA__EIG_BATCH 32768
static ga_status ga__cuda_heevd(ga__device *d, const char *fn,
                                const ga__stack *a, bool vectors, void *w,
                                int32_t *info, ga_stream *s) {
    ga_dtype real = ga__real_of(a->t);
    cudaDataType t = ga__cuda_type(a->t), r = ga__cuda_type(real);
    int64_t n = a->n;
    cusolverEigMode_t job = vectors ? CUSOLVER_EIG_MODE_VECTOR
                                    : CUSOLVER_EIG_MODE_NOVECTOR;
    bool together = false;
    ga__solving y;
    ga_status st = ga__solving_begin(&y, d, fn, s);
    if (!st) together = a->batch > 1 && ga__solver.XsyevBatched;
    if (!st && together)
        st = ga__solving_ok(&y, ga__solver.XsyevBatched_bufferSize(
            y.h, y.params, job, CUBLAS_FILL_MODE_LOWER, n, t, a->p, n, r, w, t,
            &y.want, &y.host_want,
            a->batch < GA__EIG_BATCH ? a->batch : GA__EIG_BATCH));
    else if (!st)
        st = ga__solving_ok(&y, ga__solver.Xsyevd_bufferSize(
            y.h, y.params, job, CUBLAS_FILL_MODE_LOWER, n, t, a->p, n, r, w, t,
            &y.want, &y.host_want));
    if (!st) st = ga__solving_room(&y);
    for (int64_t i = 0; i < a->batch && !st && together; i += GA__EIG_BATCH)
        st = ga__solving_ok(&y, ga__solver.XsyevBatched(
            y.h, y.params, job, CUBLAS_FILL_MODE_LOWER, n, t, ga__nth(a, i), n,
            r, ga__nth_of(w, n, real, i), t, y.work, y.want, y.host,
            y.host_want, info + i, a->batch - i < GA__EIG_BATCH
                                       ? a->batch - i : GA__EIG_BATCH));
    for (int64_t i = 0; i < a->batch && !st && !together; i++)
        st = ga__solving_ok(&y, ga__solver.Xsyevd(
            y.h, y.params, job, CUBLAS_FILL_MODE_LOWER, n, t, ga__nth(a, i), n,
            r, ga__nth_of(w, n, real, i), t, y.work, y.want, y.host,
            y.host_want, info + i));
    return ga__solving_end(&y, st);
}

/* cuSOLVER before CUDA 12.8 has no geev: LAPACK on the host then. */
static ga_status ga__cuda_geev_host(ga__device *d, const char *fn,
                                    const ga__stack *a, void *w,
                                    const ga__stack *v, int32_t *info,
                                    ga_stream *s) {
#ifdef GPUARR_USE_LAPACK
    ga__device *cpu = ga__device_of(fn, GA_CPU);
    if (!cpu) return ga__failed();
    size_t na = (size_t)(a->batch * a->n * a->n) * ga__size(a->t);
    size_t nw = (size_t)(a->batch * a->n) * ga__size(ga__complex_of(a->t));
    size_t nv = v ? nw * (size_t)a->n : 0, ni = (size_t)a->batch * 4;
    char *h = (char *)GA_MALLOC(na + nw + nv + ni);
    if (!h) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    ga__stack x = *a, y;
    x.p = h + nw + nv;              /* widest elements first                */
    if (v) y = *v, y.p = h + nw;
    int32_t *code = (int32_t *)(void *)(h + nw + nv + na);
    ga_status st = d->be->copy(d, fn, GA__D2H, x.p, a->p, na, s, false);
    if (!st) st = ga__cpu_geev(cpu, fn, &x, h, v ? &y : NULL, code, NULL);
    if (!st) st = d->be->copy(d, fn, GA__H2D, w, h, nw, s, false);
    if (!st && v) st = d->be->copy(d, fn, GA__H2D, v->p, y.p, nv, s, false);
    if (!st) st = d->be->copy(d, fn, GA__H2D, info, code, ni, s, false);
    GA_FREE(h);
    return st;
#else
    (void)a; (void)w; (void)v; (void)info; (void)s;
    return ga__fail(GA_ERR_UNSUPPORTED, fn, "eigenvalues of general matrices "
                    "on device %d need cuSOLVER of CUDA 12.8, or "
                    "GPUARR_USE_LAPACK", d->id);
#endif
}
static ga_status ga__cuda_geev(ga__device *d, const char *fn,
                               const ga__stack *a, void *w, const ga__stack *v,
                               int32_t *info, ga_stream *s) {
    ga_dtype z = ga__complex_of(a->t);
    cudaDataType t = ga__cuda_type(a->t), c = ga__cuda_type(z);
    cusolverEigMode_t none = CUSOLVER_EIG_MODE_NOVECTOR;
    cusolverEigMode_t job = v ? CUSOLVER_EIG_MODE_VECTOR : none;
    int64_t n = a->n;
    bool pairs = v && a->t != z;    /* real vectors, to be put together     */
    ga__buffer *real = NULL;
    ga__solving y;
    ga_status st = ga__solving_begin(&y, d, fn, s);
    if (!st && !ga__solver.Xgeev) {
        st = ga__cuda_geev_host(d, fn, a, w, v, info, s);
        return ga__solving_end(&y, st);
    }
    if (!st && pairs) {
        real = ga__buffer_new(fn, d, (size_t)(n * n) * ga__size(a->t));
        if (!real) st = ga__failed();
    }
    for (int64_t i = -1; i < a->batch && !st; i++) {    /* -1: only asks    */
        int64_t b = i < 0 ? 0 : i;
        void *wi = ga__nth_of(w, n, z, b);
        void *vi = pairs ? real->ptr : v ? ga__nth(v, b) : NULL;
        if (i < 0) {
            st = ga__solving_ok(&y, ga__solver.Xgeev_bufferSize(
                y.h, y.params, none, job, n, t, a->p, n, c, wi, t, NULL, n, t,
                vi, n, t, &y.want, &y.host_want));
            if (!st) st = ga__solving_room(&y);
            continue;
        }
        st = ga__solving_ok(&y, ga__solver.Xgeev(
            y.h, y.params, none, job, n, t, ga__nth(a, i), n, c, wi, t, NULL,
            n, t, vi, n, t, y.work, y.want, y.host, y.host_want, info + i));
        if (!st && pairs) {
            ga__pairs q = {a->t, n, ga__nth(v, i), vi, wi};
            st = ga__run(fn, d, GA__JOB_pairs, &q, NULL, 0, NULL, 0);
        }
    }
    ga__release(real);
    return ga__solving_end(&y, st);
}
#endif

/* ---------------------------------------------------- public: eigenvalues */
static ga_status ga__eigen(const char *fn, const ga_array *x, bool hermitian,
                           ga_array **w, ga_array **v) {
    ga_dtype t;
    ga__device *d = ga__matrices(fn, x, true, &t);
    if (!d) return ga__failed();
    int64_t n = x->shape[x->ndim - 1];
    ga_dtype complex_t = ga__complex_of(t);
    ga_array **const to[2] = {w, v}, *made[2] = {NULL, NULL}, *undo = NULL;
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *a = ga__columns(fn, x, t), *info = ga__info_new(fn, x), *y = a;
    if (v && !hermitian) y = ga__matrices_new(fn, x, n, n, complex_t);
    made[0] = ga__matrices_new(fn, x, n, -1, hermitian ? ga__real_of(t)
                                                       : complex_t);
    ga_status st = a && info && y && made[0] ? GA_OK : ga__failed();
    /* what is not to be read may hold anything: out of ga__tame's sight    */
    if (!st && hermitian) st = ga__triangle(fn, a, false, false);
    if (!st) st = ga__tame(fn, x, a, &undo);
    if (!st && x->size) {
        const ga__lapack *la = d->be->la;
        ga__stack m = ga__stack_of(a), k = ga__stack_of(y);
        void *values = made[0]->data;
        int32_t *code = (int32_t *)info->data;
        st = hermitian ? la->heevd(d, fn, &m, v != NULL, values, code,
                                   ga__stream(d))
                       : la->geev(d, fn, &m, values, v ? &k : NULL, code,
                                  ga__stream(d));
        if (!st) st = ga__converged(fn, x, info);
    }
    if (!st) st = ga__scale_by(fn, made[0], undo);
    if (!st && v && !(made[1] = ga__row_major(fn, y))) st = ga__failed();
    return ga__deliver(&own, st, 2, to, made);
}
GA_API ga_status (ga_eigh)(const ga_array *x, ga_array **w, ga_array **v) {
    return ga__eigen("ga_eigh", x, true, w, v);
}
GA_API ga_array *(ga_eigvalsh)(const ga_array *x) {
    ga_array *w = NULL;
    ga__eigen("ga_eigvalsh", x, true, &w, NULL);
    return w;
}
GA_API ga_status (ga_eig)(const ga_array *x, ga_array **w, ga_array **v) {
    return ga__eigen("ga_eig", x, false, w, v);
}
GA_API ga_array *(ga_eigvals)(const ga_array *x) {
    ga_array *w = NULL;
    ga__eigen("ga_eigvals", x, false, &w, NULL);
    return w;
}

/* ================================================================== >>i-svd */
#ifndef GPUARR_NO_CUDA
/* A copy of x in `out`, cast; adjoint: conjugated and transposed. */
static ga_status ga__svd_copy(const char *fn, ga__device *d, ga_array *out,
                               const ga_array *x, bool adjoint) {
    ga_array *v = adjoint ? ga__transposed(fn, x) : NULL;
    const ga_array *in = adjoint ? v : x;
    if (!in) return ga__failed();
    bool conj = adjoint && ga__kind(x->dtype) == 'c';
    ga_status st = ga__launch(fn, d, conj ? GA__OP_conj : GA__OP_copy, x->dtype,
                              out, &in, 1, NULL);
    ga_free(v);
    return st;
}
/* The b-th matrix of a stack as an array, of its transpose to C order. */
static ga_array *ga__cuda_view(ga__device *d, const ga__stack *k, int64_t b) {
    return (ga_wrap)(ga__nth(k, b), k->t, GA_SHAPE(k->n, k->m), NULL, d->id,
                     NULL, NULL);
}
static ga_array *ga__square(const char *fn, ga__device *d, int64_t m, int64_t n,
                            ga_dtype t) {
    int64_t shape[2] = {n, m};      /* a column-major m by n                */
    return ga__new(fn, d, 2, shape, t, NULL);
}

/* b, destroyed, m >= n, as U S V^H by one of cuSOLVER's three: u is U (m,n); v
   is V, or V^H where *adjoint says so; without `vectors` nothing, though it
   must be there. *error is gesvdp's perturbation of the singular values, or
   infinite where it failed.                                                */
static ga_status ga__cuda_svd_tall(ga__device *d, const char *fn,
                                   ga_svd_method how, const ga_array *b,
                                   const ga_array *sv, const ga_array *u,
                                   const ga_array *v, bool vectors,
                                   int32_t *info, bool *adjoint, double *error,
                                   ga_stream *s) {
    int64_t m = b->shape[1], n = b->shape[0];
    cudaDataType t = ga__cuda_type(b->dtype), r = ga__cuda_type(sv->dtype);
    cusolverEigMode_t job = vectors ? CUSOLVER_EIG_MODE_VECTOR
                                    : CUSOLVER_EIG_MODE_NOVECTOR;
    signed char letter = vectors ? 'S' : 'N';
    ga__solving w;
    ga_status st = ga__solving_begin(&w, d, fn, s);
    *error = 0;
    *adjoint = how == GA_SVD_QR;
    if (!st && how == GA_SVD_POLAR) {
        st = ga__solving_ok(&w, ga__solver.Xgesvdp_bufferSize(
            w.h, w.params, job, 1, m, n, t, b->data, m, r, sv->data, t,
            u->data, m, t, v->data, n, t, &w.want, &w.host_want));
        if (!st) st = ga__solving_room(&w);
        cusolverStatus_t e = CUSOLVER_STATUS_SUCCESS;
        if (!st)
            e = ga__solver.Xgesvdp(
                w.h, w.params, job, 1, m, n, t, b->data, m, r, sv->data, t,
                u->data, m, t, v->data, n, t, w.work, w.want, w.host,
                w.host_want, info, error);
        /* so it ends for some matrices of deficient rank (CUDA 13.0)       */
        if (e == CUSOLVER_STATUS_EXECUTION_FAILED) {
            cudaGetLastError();
            *error = INFINITY;
        } else if (!st) {
            st = ga__solving_ok(&w, e);
        }
    } else if (!st && how == GA_SVD_QR) {
        st = ga__solving_ok(&w, ga__solver.Xgesvd_bufferSize(
            w.h, w.params, letter, letter, m, n, t, b->data, m, r, sv->data, t,
            u->data, m, t, v->data, n, t, &w.want, &w.host_want));
        if (!st) st = ga__solving_room(&w);
        if (!st)
            st = ga__solving_ok(&w, ga__solver.Xgesvd(
                w.h, w.params, letter, letter, m, n, t, b->data, m, r, sv->data,
                t, u->data, m, t, v->data, n, t, w.work, w.want, w.host,
                w.host_want, info));
    } else if (!st) {
        gesvdjInfo_t j = NULL;
        int length = 0, rows = (int)m, cols = (int)n;
        cusolverStatus_t e = CUSOLVER_STATUS_SUCCESS;
        st = ga__solving_ok(&w, ga__solver.CreateGesvdjInfo(&j));
        for (int go = 0; go < 2 && !st; go++) {         /* 0: only asks     */
            switch (b->dtype) {
#define GA__X(N, c, o, T, R)                                                  \
            case GA_##N:                                                      \
                e = !go ? ga__solver.c##gesvdj_bufferSize(                    \
                              w.h, job, 1, rows, cols, (T *)b->data, rows,    \
                              (R *)sv->data, (T *)u->data, rows,              \
                              (T *)v->data, cols, &length, j)                 \
                        : ga__solver.c##gesvdj(                               \
                              w.h, job, 1, rows, cols, (T *)b->data, rows,    \
                              (R *)sv->data, (T *)u->data, rows,              \
                              (T *)v->data, cols, (T *)w.work, length, info,  \
                              j);                                             \
                break;
            GA__SOLVER_TYPES(GA__X)
#undef GA__X
            default: break;
            }
            st = ga__solving_ok(&w, e);
            w.want = (size_t)length * ga__size(b->dtype);
            if (!go && !st) st = ga__solving_room(&w);
        }
        if (j) ga__solver.DestroyGesvdjInfo(j);
    }
    return ga__solving_end(&w, st);
}

/* Q's first `cols` columns, the first n of them times U_R; q, (n,m), has the
   reflectors and is destroyed.                                             */
static ga_array *ga__cuda_times_q(const char *fn, ga__device *d, ga_array *q,
                                  const ga_array *tau, int64_t cols,
                                  const ga_array *u_r, ga_stream *s) {
    int64_t n = q->shape[0], m = q->shape[1];
    ga_dtype t = q->dtype;
    const ga_array *in = q;
    ga_array *c = ga__square(fn, d, m, cols, t);
    ga_array *top = c ? ga__top_rows(fn, c, n) : NULL;
    ga__lu_to to = {d, fn, s, NULL, 1, t};
    if (!top || ga__launch(fn, d, GA__OP_copy, t, top, &in, 1, NULL))
        return NULL;
    ga__stack k = {c->data, m, cols, 1, t};
    if (ga__cuda_orgqr(d, fn, &k, n, tau->data, s)
        || ga__cublas(d, fn, s, &to.blas)
        || ga__lu_multiply(&to, 1, 0, CUBLAS_OP_N, CUBLAS_OP_N, m, n, n,
                           c->data, m, 0, u_r->data, n, 0, q->data, m, 0)
        || ga__launch(fn, d, GA__OP_copy, t, top, &in, 1, NULL))
        return NULL;
    return c;
}
/* One matrix by one method, the work done in dtype t; more columns than rows:
   from A^H. More rows than columns: A = Q R first and U = Q U_R, except where
   gesvdp, which reduces A itself and faster, is not asked for a full U.
   *good: the result is as exact as QR iteration's, or `whatever`; where it is
   not, nothing was written.                                                */
static ga_status ga__cuda_svd_by(ga__device *d, const char *fn,
                                 ga_svd_method how, ga_dtype t, bool whatever,
                                 const ga__stack *a, int64_t at, void *sv,
                                 const ga__stack *u, const ga__stack *vh,
                                 int32_t *info, bool *good, ga_stream *s) {
    bool wide = a->m < a->n, adjoint = false;
    int64_t m = wide ? a->n : a->m, n = wide ? a->m : a->n;
    int64_t cols = !u ? n : wide ? vh->m : u->n;
    bool reduce = m > n && (cols > n || how != GA_SVD_POLAR);
    ga_dtype real = ga__real_of(t);
    double error = 0;
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *x = ga__cuda_view(d, a, at), *q = ga__square(fn, d, m, n, t);
    ga_array *b = q, *tau = NULL;
    ga_array *w = ga__new(fn, d, 1, &n, real, NULL);
    ga_array *y = ga__square(fn, d, reduce ? n : m, n, t);
    ga_array *z = ga__square(fn, d, n, n, t);
    ga_status st = x && q && w && y && z ? ga__svd_copy(fn, d, q, x, wide)
                                         : ga__failed();
    ga__stack h = {q ? q->data : NULL, m, n, 1, t};
    if (!st && reduce) {
        tau = ga__new(fn, d, 1, &n, t, NULL);
        st = tau ? ga__cuda_geqrf(d, fn, &h, tau->data, s) : ga__failed();
        ga_array *top = st ? NULL : ga__view_new(fn, q);
        if (top) {
            top->shape[1] = n;
            top->size = n * n;
        }
        b = top ? ga__copy_as(fn, top, t) : NULL;
        st = b ? ga__triangle(fn, b, true, false) : ga__failed();
    }
    if (!st)
        st = ga__cuda_svd_tall(d, fn, how, b, w, y, z, u != NULL, info,
                               &adjoint, &error, s);
    if (!st && whatever && isinf(error))
        st = ga__solver_ok(fn, d, CUSOLVER_STATUS_EXECUTION_FAILED);
    *good = true;
    if (!st && !whatever) {
        int32_t code = 0;
        double size = 0;
        st = d->be->fetch(d, fn, &code, info, sizeof code, s);
        if (!st) st = d->be->fetch(d, fn, &size, w->data, sizeof size, s);
        /* what rounding to single precision hides may be perturbed         */
        double may = t == a->t ? 0 : 1e-10 * fmin(size, 1);
        *good = code == 0 && error <= may;
    }
    if (!st && *good) {
        const ga_array *in = w;
        ga_array *to = (ga_wrap)(sv, ga__real_of(a->t), GA_SHAPE(n), NULL,
                                 d->id, NULL, NULL);
        st = to ? ga__launch(fn, d, GA__OP_copy, real, to, &in, 1, NULL)
                : ga__failed();
    }
    if (!st && *good && u) {
        ga_array *left = ga__cuda_view(d, wide ? vh : u, at);
        ga_array *right = ga__cuda_view(d, wide ? u : vh, at);
        st = left && right ? ga__svd_copy(fn, d, right, z, wide == adjoint)
                           : ga__failed();
        if (!st && reduce) {
            y = ga__cuda_times_q(fn, d, q, tau, cols, y, s);
            if (!y) st = ga__failed();
        }
        if (!st) st = ga__svd_copy(fn, d, left, y, wide);
    }
    ga_scope_end(&own);
    return st;
}
/* u, orthonormal columns (n,m), completed to `cols` by those of a unitary
   H = I - Y K^-H Y^H, Y = P - E and K = I - P_1, whose first n are P = U S,
   P_1 their first n rows; S is a choice of signs (Bischof & Sun 1994). *good is
   false where K is too near to a singular matrix.                          */
static ga_array *ga__cuda_completed(const char *fn, ga__device *d,
                                    const ga_array *u, int64_t cols,
                                    bool *good, ga_stream *s) {
    int64_t n = u->shape[0], m = u->shape[1], rest = cols - n;
    int64_t shape[2] = {cols, m}, part[2] = {n, m}, square[2] = {n, n};
    int64_t single = 1;
    ga_dtype t = u->dtype;
    ga_array one, *diagonal = ga__view_new(fn, u);
    if (!diagonal) return NULL;
    diagonal->ndim = 1;
    diagonal->size = n;
    diagonal->strides[0] = m + 1;
    ga_array *real = (ga_real)(diagonal);
    ga_array *less = real ? (ga_negative)(real) : NULL;
    ga_array *f = less ? (ga_copysign)(ga__arg_i(1, &one), less) : NULL;
    ga_array *sign = f ? (ga_reshape)(f, GA_SHAPE(n, 1)) : NULL;
    ga_array *p = sign ? (ga_multiply)(u, sign) : NULL;
    ga_array *e = ga__eyes(fn, 2, part, t), *k = ga__eyes(fn, 2, square, t);
    ga_array *x = ga__square(fn, d, n, rest, t), *c = ga__eyes(fn, 2, shape, t);
    ga_array *p1 = p ? (ga_slice_axis)(p, 1, 0, n, 1) : NULL;
    ga_array *p2 = p ? (ga_slice_axis)(p, 1, n, cols, 1) : NULL;
    ga_array *piv = ga__new(fn, d, 1, &n, GA_INT32, NULL);
    ga_array *info = ga__new(fn, d, 1, &single, GA_INT32, NULL);
    if (!e || !k || !x || !c || !p1 || !p2 || !piv || !info) return NULL;
    const ga_array *less_p1[2] = {k, p1}, *less_e[2] = {p, e};
    ga__stack of_k = {k->data, n, n, 1, t}, of_x = {x->data, n, rest, 1, t};
    ga__lu_to to = {d, fn, s, NULL, 1, t};
    double size = 0;
    if (ga__cublas(d, fn, s, &to.blas) || ga__svd_copy(fn, d, x, p2, true)
        || ga__operate(fn, GA__OP_subtract, k, NULL, less_p1, 2, NULL)
        || ga__cuda_getrf(d, fn, &of_k, (int32_t *)piv->data,
                          (int32_t *)info->data, s)
        || ga__cuda_getrs(d, fn, GA_CONJ_TRANS, &of_k,
                          (const int32_t *)piv->data, &of_x, s))
        return NULL;
    ga_array *norm = (ga_norm)(x, GA_NORM, GA_ALL);
    if (!norm || d->be->fetch(d, fn, &size, norm->data, sizeof size, s))
        return NULL;
    if (!(*good = size * size < 4 * (double)n)) return NULL;    /* NaN      */
    ga_array *top = ga__top_rows(fn, c, n);
    const ga_array *in = u;
    if (!top || ga__operate(fn, GA__OP_subtract, p, NULL, less_e, 2, NULL)
        || ga__lu_product(&to, CUBLAS_OP_N, CUBLAS_OP_N, m, rest, n, p->data,
                          m, 0, x->data, n, 0, ga__lu_at(c->data, n * m, t), m,
                          0)
        || ga__launch(fn, d, GA__OP_copy, t, top, &in, 1, NULL))
        return NULL;
    return c;
}
/* Single precision, twice as many rows as columns: in double precision A^H A
   has V and the values' squares, and U is A V / s, with an error of eps
   (s_1 / s_n)^2, which rounding hides where that square is below 1e5. Where it
   is not, *good is false and nothing was written. 9000 x 1000 on an H200: 11
   ms, with a full U 18; gesvdp takes 39, and 47 after A = Q R for a full U.  */
static ga_status ga__cuda_svd_gram(ga__device *d, const char *fn,
                                   const ga__stack *a, int64_t at, void *sv,
                                   const ga__stack *u, const ga__stack *vh,
                                   int32_t *info, bool *good, ga_stream *s) {
    bool wide = a->m < a->n;
    int64_t m = wide ? a->n : a->m, n = wide ? a->m : a->n;
    int64_t cols = !u ? n : wide ? vh->m : u->n;
    ga_dtype t = ga__kind(a->t) == 'c' ? GA_COMPLEX128 : GA_FLOAT64;
    cublasOperation_t adjoint = ga__kind(t) == 'c' ? CUBLAS_OP_C : CUBLAS_OP_T;
    ga__lu_to to = {d, fn, s, NULL, 1, t};
    int32_t code = 0;
    double low = 0, high = 0;
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *x = ga__cuda_view(d, a, at), *q = ga__square(fn, d, m, n, t);
    ga_array *v = ga__square(fn, d, n, n, t), *y = NULL, *z = NULL;
    ga_array *w = ga__new(fn, d, 1, &n, GA_FLOAT64, NULL);
    ga_status st = x && q && v && w ? ga__svd_copy(fn, d, q, x, wide)
                                    : ga__failed();
    if (!st) st = ga__cublas(d, fn, s, &to.blas);
    if (!st)
        st = ga__lu_multiply(&to, 1, 0, adjoint, CUBLAS_OP_N, n, n, m, q->data,
                             m, 0, q->data, m, 0, v->data, n, 0);
    ga__stack of_v = {v ? v->data : NULL, n, n, 1, t};
    if (!st) st = ga__cuda_heevd(d, fn, &of_v, u != NULL, w->data, info, s);
    if (!st) st = d->be->fetch(d, fn, &code, info, sizeof code, s);
    if (!st) st = d->be->fetch(d, fn, &low, w->data, sizeof low, s);
    if (!st)
        st = d->be->fetch(d, fn, &high, ga__nth_of(w->data, 1, w->dtype, n - 1),
                          sizeof high, s);
    *good = !st && code == 0 && low > 1e-5 * high;
    ga_array *down = *good ? (ga_flip)(w, GA_AXIS(0)) : NULL;
    ga_array *root = down ? (ga_sqrt)(down) : NULL;
    if (*good && !root) st = ga__failed();
    if (*good && !st && u) {
        ga_array *flip = (ga_flip)(v, GA_AXIS(0));
        ga_array *by = (ga_reshape)(root, GA_SHAPE(n, 1));
        z = flip ? ga__copy_as(fn, flip, t) : NULL;
        y = ga__square(fn, d, m, n, t);
        const ga_array *in[2] = {y, by};
        st = z && y && by ? GA_OK : ga__failed();
        if (!st)
            st = ga__lu_multiply(&to, 1, 0, CUBLAS_OP_N, CUBLAS_OP_N, m, n, n,
                                 q->data, m, 0, z->data, n, 0, y->data, m, 0);
        if (!st)
            st = ga__operate(fn, GA__OP_divide, y, NULL, in, 2, NULL);
        if (!st && cols > n) {
            y = ga__cuda_completed(fn, d, y, cols, good, s);
            if (!y && *good) st = ga__failed();
        }
    }
    if (*good && !st) {
        const ga_array *in = root;
        ga_array *out = (ga_wrap)(sv, ga__real_of(a->t), GA_SHAPE(n), NULL,
                                  d->id, NULL, NULL);
        st = out ? ga__launch(fn, d, GA__OP_copy, GA_FLOAT64, out, &in, 1, NULL)
                 : ga__failed();
    }
    if (*good && !st && u) {
        ga_array *left = ga__cuda_view(d, wide ? vh : u, at);
        ga_array *right = ga__cuda_view(d, wide ? u : vh, at);
        st = left && right ? ga__svd_copy(fn, d, right, z, !wide)
                           : ga__failed();
        if (!st) st = ga__svd_copy(fn, d, left, y, wide);
    }
    ga_scope_end(&own);
    return st;
}
/* Matrices of up to 32 rows and columns, by our own kernel: cuSOLVER's batched
   Jacobi takes several times as long for ten times the error.              */
static ga_status ga__cuda_svd_small(ga__device *d, const char *fn,
                                    const ga__stack *a, void *sv,
                                    const ga__stack *u, const ga__stack *vh,
                                    int32_t *info) {
    bool wide = a->m < a->n;
    int64_t cols = wide ? a->m : a->n;
    if (u) cols = wide ? vh->m : u->n;
    ga__svd_small q = {a->t, (int)a->m, (int)a->n, (int)cols, a->batch, a->p,
                       sv, u ? u->p : NULL, u ? vh->p : NULL, info};
    return ga__run(fn, d, GA__JOB_svd_small, &q, NULL, 0, NULL, 0);
}
static ga_status ga__cuda_gesvd(ga__device *d, const char *fn,
                                const ga__stack *a, void *sv,
                                const ga__stack *u, const ga__stack *vh,
                                int32_t *info, ga_stream *s) {
    ga_svd_method how = ga__svd_way;
    int64_t k = a->m < a->n ? a->m : a->n;
    ga_dtype real = ga__real_of(a->t);
    ga_dtype full = ga__kind(a->t) == 'c' ? GA_COMPLEX128 : GA_FLOAT64;
    bool small = a->m <= 32 && a->n <= 32 && a->batch <= INT32_MAX;
    if (small && (how == GA_SVD_AUTO || how == GA_SVD_JACOBI))
        return ga__cuda_svd_small(d, fn, a, sv, u, vh, info);
    ga_status st = GA_OK;
    for (int64_t i = 0; i < a->batch && !st; i++) {
        void *to = ga__nth_of(sv, k, real, i);
        bool good = false, tall = a->m >= 2 * a->n || a->n >= 2 * a->m;
        if (!how && tall && real == GA_FLOAT32)
            st = ga__cuda_svd_gram(d, fn, a, i, to, u, vh, info + i, &good, s);
        if (!st && !good && (!how || how == GA_SVD_POLAR))
            st = ga__cuda_svd_by(d, fn, GA_SVD_POLAR, full, how != 0, a, i, to,
                                 u, vh, info + i, &good, s);
        if (!st && !good)
            st = ga__cuda_svd_by(d, fn, how ? how : GA_SVD_QR,
                                 how == GA_SVD_JACOBI ? full : a->t, true, a,
                                 i, to, u, vh, info + i, &good, s);
    }
    return st;
}
#undef GA__SOLVER_TYPES
#endif

/* ------------------------------------------------------------ public: SVD */
GA_API ga_svd_method ga_svd_driver(ga_svd_method m) {
    ga_svd_method before = ga__svd_way;
    if ((unsigned)m > GA_SVD_JACOBI)
        ga__fail(GA_ERR_VALUE, "ga_svd_driver", "%d is not a method", (int)m);
    else
        ga__svd_way = m;
    return before;
}
/* x's copy in C order is x^T to LAPACK; x^T = W S Y^H gives x = conj(Y) S W^T:
   W's columns are vh's rows and Y^H's columns u's rows, so that nothing is
   transposed.                                                              */
static ga_status ga__svd(const char *fn, const ga_array *x, bool full,
                         ga_array **u, ga_array **s, ga_array **vh) {
    ga_dtype t;
    ga__device *d = ga__matrices(fn, x, false, &t);
    if (!d) return ga__failed();
    int64_t m = x->shape[x->ndim - 2], n = x->shape[x->ndim - 1];
    int64_t k = m < n ? m : n, mu = full ? m : k, nv = full ? n : k;
    ga_array **const to[3] = {u, s, vh}, *made[3] = {NULL, NULL, NULL};
    int64_t shape[GA_MAX_NDIM];
    bool vectors = u || vh;
    ga_status st = GA_OK;
    ga_scope own;
    ga_scope_begin(&own);
    made[1] = ga__matrices_new(fn, x, k, -1, ga__real_of(t));
    if (!x->size) {                 /* identities, some of them empty       */
        if (vectors) {
            int rank = ga__shaped(x, m, mu, shape);
            made[0] = ga__eyes(fn, rank, shape, t);
            ga__shaped(x, nv, n, shape);
            made[2] = ga__eyes(fn, rank, shape, t);
        }
        if (!made[1] || (vectors && !(made[0] && made[2]))) st = ga__failed();
        return ga__deliver(&own, st, 3, to, made);
    }
    ga_array *a = ga__matrix_copy(fn, x, t), *info = ga__info_new(fn, x);
    if (vectors) {
        made[0] = ga__matrices_new(fn, x, m, mu, t);
        made[2] = ga__matrices_new(fn, x, nv, n, t);
    }
    ga_array *undo = NULL;
    st = a && info && made[1] && (!vectors || (made[0] && made[2]))
             ? ga__tame(fn, x, a, &undo) : ga__failed();
    if (!st) {
        ga__stack k_a = ga__stack_of(a), k_u, k_v;
        if (vectors) k_u = ga__stack_of(made[2]), k_v = ga__stack_of(made[0]);
        st = d->be->la->gesvd(d, fn, &k_a, made[1]->data,
                              vectors ? &k_u : NULL, vectors ? &k_v : NULL,
                              (int32_t *)info->data, ga__stream(d));
    }
    if (!st) st = ga__converged(fn, x, info);
    if (!st) st = ga__scale_by(fn, made[1], undo);
    return ga__deliver(&own, st, 3, to, made);
}
GA_API ga_status (ga_svd)(const ga_array *x, bool full, ga_array **u,
                          ga_array **s, ga_array **vh) {
    return ga__svd("ga_svd", x, full, u, s, vh);
}
GA_API ga_array *(ga_svdvals)(const ga_array *x) {
    ga_array *s = NULL;
    ga__svd("ga_svdvals", x, false, NULL, &s, NULL);
    return s;
}

/* ----------------------------------------------- the devices' two tables */
static const ga__lapack ga__cpu_lapack = {
    .gemm = ga__cpu_gemm, .trsm = ga__cpu_trsm, .potrf = ga__cpu_potrf,
    .getrf = ga__cpu_getrf, .getrs = ga__cpu_getrs, .getri = ga__cpu_getri,
    .geqrf = ga__cpu_geqrf,
    .orgqr = ga__cpu_orgqr, .unmqr = ga__cpu_unmqr, .gesvd = ga__cpu_gesvd,
    .heevd = ga__cpu_heevd, .geev = ga__cpu_geev,
};
#ifndef GPUARR_NO_CUDA
static const ga__lapack ga__cuda_lapack = {
    .gemm = ga__cuda_gemm, .trsm = ga__cuda_trsm, .potrf = ga__cuda_potrf,
    .getrf = ga__cuda_getrf, .getrs = ga__cuda_getrs, .geqrf = ga__cuda_geqrf,
    .orgqr = ga__cuda_orgqr, .unmqr = ga__cuda_unmqr, .gesvd = ga__cuda_gesvd,
    .heevd = ga__cuda_heevd, .geev = ga__cuda_geev,
};
#endif

/* ================================================================ >>i-solve
   LAPACK sees a C-ordered copy of a as the stack of a's transposes. LU factors
   that and solves with the transposed factors: no pass turns a about.      */
/* x's matrices to be read as a stack: x itself where it is dense and of dtype
   t; *flipped: they stand there transposed.                                */
static const ga_array *ga__stacked(const char *fn, const ga_array *x,
                                   ga_dtype t, bool *flipped) {
    *flipped = true;
    if (x->dtype == t && ga_is_contiguous(x)) return x;
    const ga_array *v = ga__transposed(fn, x);
    *flipped = !v || x->dtype != t || !ga_is_contiguous(v);
    return *flipped ? ga__copy_as(fn, x, t) : v;
}
/* The dtype for a and b together; false and an error where one is a half. */
static bool ga__with_rhs(const char *fn, const ga_array *b, ga_dtype *t) {
    ga_dtype u;
    if (!ga__ok(fn, b) || !ga__same_device(fn, &b, 1)
        || !ga__lapack_dtype(fn, b, &u)) return false;
    *t = ga_promote_types(*t, u);
    return true;
}

/* Factors that cannot be solved with, found without waiting: a word to look at
   once all is queued.                                                      */
static ga_array *ga__flaw(const char *fn, ga__device *d, const ga_array *f,
                          ga_stream *s) {
    ga_array *word = ga__new(fn, d, 0, NULL, GA_UINT64, NULL);
    if (!word || ga__zero(fn, word)) return NULL;
    ga__diag r = {GA__DIAG_FLAW, f->dtype, f->shape[f->ndim - 1],
                  ga__batch_of(f), f->data, NULL, NULL, NULL,
                  (uint64_t *)word->data};
    ga_status st = ga__reads(fn, f, s);
    if (!st) st = ga__run(fn, d, GA__JOB_diagonal, &r, NULL, 0, NULL, 0);
    return st ? NULL : word;
}
/* Synchronises. `letter` names the factor in the message. */
static ga_status ga__flaw_status(const char *fn, const ga_array *word,
                                 const ga_array *f, char letter) {
    uint64_t w;
    ga__device *d = word->ga__buf->dev;
    ga_status st = d->be->fetch(d, fn, &w, word->data, 8, ga__stream(d));
    if (st || !w) return st;
    int64_t n = f->shape[f->ndim - 1], b = (int64_t)~w, i = 0;
    ga_array *v = ga__view_new(fn, f);
    if (!v) return ga__failed();
    v->ndim = 1;
    v->size = v->shape[0] = n;
    v->strides[0] = n + 1;
    v->data = (char *)f->data + b * n * n * (int64_t)ga__size(f->dtype);
    ga_array *size = (ga_absolute)(v);
    ga_array *wide = size ? ga__copy_as(fn, size, GA_FLOAT64) : NULL;
    double *x = wide ? (double *)ga_asnumpy(wide, NULL) : NULL;
    ga_free(v);
    ga_free(size);
    ga_free(wide);
    if (!x) return ga__failed();
    while (i < n - 1 && x[i] != 0 && x[i] == x[i]) i++;
    bool nan = x[i] != x[i];
    free(x);
    if (nan)
        return ga__fail(GA_ERR_NAN, fn, "NaN or infinity in the matrix: "
                        "%c(%" PRId64 ",%" PRId64 ")%s is NaN", letter, i + 1,
                        i + 1, ga__which(f, b));
    return ga__fail(GA_ERR_SINGULAR, fn, "the matrix is singular: %c(%" PRId64
                    ",%" PRId64 ")%s is zero", letter, i + 1, i + 1,
                    ga__which(f, b));
}

/* Right-hand sides b of matrices a with `rows` rows, as columns. x is C-ordered
   (own..., others..., k, rows): first the batch axes along which a has
   matrices of its own, then those along which one of a's serves many, and so
   its columns are many too: each matrix is factored once and never copied. */
typedef struct ga__rhs {
    ga_array *x;
    ga__stack stack;
    bool vector;
    int nbatch, order[GA_MAX_NDIM]; /* x's axis i is batch axis order[i]    */
} ga__rhs;

static bool ga__rhs_take(const char *fn, const ga_array *a, const ga_array *b,
                         int64_t rows, ga_dtype t, ga__rhs *r) {
    int na = a->ndim - 2, nb = b->ndim - 2, n, count = 0;
    int64_t length[GA_MAX_NDIM], step[GA_MAX_NDIM];
    bool fits = b->ndim > 0, own[GA_MAX_NDIM];
    r->vector = b->ndim == 1;
    if (r->vector) nb = 0;
    fits = fits && b->shape[r->vector ? 0 : nb] == rows;
    r->nbatch = n = na > nb ? na : nb;
    for (int i = 0; fits && i < n; i++) {
        int ia = i - (n - na), ib = i - (n - nb);
        int64_t la = ia < 0 ? 1 : a->shape[ia], lb = ib < 0 ? 1 : b->shape[ib];
        fits = la == lb || la == 1 || lb == 1;
        length[i] = la == 1 ? lb : la;
        step[i] = lb == 1 ? 0 : b->strides[ib];
        own[i] = la != 1;
    }
    if (!fits) {
        ga__fail(GA_ERR_SHAPE, fn, "shapes %s and %s do not fit",
                 ga__shape_text(a->ndim, a->shape),
                 ga__shape_text(b->ndim, b->shape));
        return false;
    }
    ga_array *v = ga__view_new(fn, b);
    if (!v) return false;
    r->stack.m = rows;
    r->stack.batch = r->stack.n = 1;
    r->stack.t = t;
    for (int pass = 1; pass >= 0; pass--)
        for (int i = 0; i < n; i++) {
            if (own[i] != pass) continue;
            v->shape[count] = length[i];
            v->strides[count] = step[i];
            *(pass ? &r->stack.batch : &r->stack.n) *= length[i];
            r->order[count++] = i;
        }
    v->ndim = n + 2;
    v->shape[n] = r->vector ? 1 : b->shape[nb + 1];
    v->strides[n] = r->vector ? 1 : b->strides[nb + 1];
    v->shape[n + 1] = rows;
    v->strides[n + 1] = b->strides[r->vector ? 0 : nb];
    v->size = ga__volume(n + 2, v->shape);
    r->stack.n *= v->shape[n];
    r->x = ga__matrix_copy(fn, v, t);
    if (r->x) r->stack.p = r->x->data;
    return r->x;
}
/* A view of x (own..., others..., further axes) with the batch axes in their
   own order.                                                               */
static ga_array *ga__rhs_ordered(const char *fn, const ga__rhs *r,
                                 const ga_array *x) {
    ga_array *v = ga__view_new(fn, x);
    for (int i = 0; v && i < r->nbatch; i++) {
        v->shape[r->order[i]] = x->shape[i];
        v->strides[r->order[i]] = x->strides[i];
    }
    return v;
}
/* v in C order: itself, where that is how it stands. */
static ga_array *ga__in_order(const char *fn, ga_array *v) {
    if (!v) return NULL;
    if (!ga_is_contiguous(v))
        return v->ndim > 1 ? ga__matrix_copy(fn, v, v->dtype)
                           : ga__copy_as(fn, v, v->dtype);
    int64_t step = 1;
    for (int i = v->ndim; i-- > 0; step *= v->shape[i] ? v->shape[i] : 1)
        v->strides[i] = step;
    return v;
}
/* The answer x (own..., others..., k, n), C-ordered, as NumPy shapes it. */
static ga_array *ga__rhs_give(const char *fn, const ga__rhs *r,
                              const ga_array *x) {
    ga_array *v = ga__rhs_ordered(fn, r, x);
    int k = r->nbatch, n = k + 1;
    if (!v) return NULL;
    v->shape[k] = x->shape[n];
    v->strides[k] = x->strides[n];
    v->shape[n] = x->shape[k];
    v->strides[n] = x->strides[k];
    v->ndim -= r->vector;
    return ga__in_order(fn, v);
}

/* Factors of the transposes of a, in a copy of it, and the pivots. */
static ga_array *ga__factors(const char *fn, ga__device *d, const ga_array *a,
                             ga_dtype t, ga_array **piv, ga_stream *s) {
    ga_array *f = ga__matrix_copy(fn, a, t);
    ga_array *info = ga__info_new(fn, a);
    *piv = ga__matrices_new(fn, a, a->shape[a->ndim - 1], -1, GA_INT32);
    if (!f || !info || !*piv) return NULL;
    ga__stack k = ga__stack_of(f);
    return d->be->la->getrf(d, fn, &k, (int32_t *)(*piv)->data,
                        (int32_t *)info->data, s) ? NULL : f;
}
/* Determinants from those: det, or signs and with log the logarithms. */
static ga_status ga__factor_det(const char *fn, ga__device *d,
                                const ga_array *f, const ga_array *piv,
                                ga__diag_what what, ga_array *det,
                                ga_array *log) {
    ga__diag r = {what, f->dtype, f->shape[f->ndim - 1], ga__batch_of(f),
                  f->data, (const int32_t *)piv->data, det->data,
                  log ? log->data : NULL, NULL};
    return ga__run(fn, d, GA__JOB_diagonal, &r, NULL, 0, NULL, 0);
}
/* check false: a zero pivot shows as infinity or NaN, and nothing waits. */
static ga_array *ga__solve(const char *fn, const ga_array *a,
                           const ga_array *b, bool check) {
    ga_dtype t;
    ga__device *d = ga__matrices(fn, a, true, &t);
    if (!d || !ga__with_rhs(fn, b, &t)) return NULL;
    ga_stream *s = ga__stream(d);
    ga_array *x = NULL, *f = NULL, *piv, *flaw = NULL;
    ga_scope own;
    ga__rhs r;
    ga_scope_begin(&own);
    ga_status st = ga__rhs_take(fn, a, b, a->shape[a->ndim - 1], t, &r)
                       ? GA_OK : ga__failed();
    if (!st && r.x->size) {
        f = ga__factors(fn, d, a, t, &piv, s);
        if (f && check) flaw = ga__flaw(fn, d, f, s);
        st = f && (flaw || !check) ? GA_OK : ga__failed();
        if (!st) {
            ga__stack k = ga__stack_of(f);
            st = d->be->la->getrs(d, fn, GA_TRANS, &k, (int32_t *)piv->data,
                              &r.stack, s);
        }
        if (!st) st = ga__after(fn, d, s);
    }
    if (!st) x = ga__rhs_give(fn, &r, r.x);
    if (x && flaw && ga__flaw_status(fn, flaw, f, 'U')) x = NULL;
    return ga__leave(&own, x);
}
GA_API ga_array *(ga_solve)(const ga_array *a, const ga_array *b) {
    return ga__solve("ga_solve", a, b, true);
}

static bool ga__solve_flags(const char *fn, unsigned flags, unsigned allowed) {
    if (!(flags & ~allowed)
        && (flags & (GA_TRANS | GA_CONJ_TRANS)) != (GA_TRANS | GA_CONJ_TRANS))
        return true;
    ga__fail(GA_ERR_VALUE, fn, "flags %u are not known here or exclude each "
             "other", flags);
    return false;
}
/* x := inv(op(f)) x, f the triangle of dense matrices read as they are, or
   transposed where they stand flipped.                                     */
static ga_status ga__trsm(const char *fn, ga__device *d, unsigned flags,
                          const ga_array *f, bool flipped,
                          const ga__stack *x, ga_stream *s) {
    ga__stack k = ga__stack_of(f);
    if (flipped) {                  /* A^H, real, is then the stack's own   */
        unsigned turn = flags & (GA_TRANS | GA_CONJ_TRANS) ? 0 : GA_TRANS;
        flags = ((flags & (GA_LOWER | GA_UNIT_DIAGONAL)) ^ GA_LOWER) | turn;
    }
    return d->be->la->trsm(d, fn, flags, false, &k, x, s);
}
static ga_array *ga__solve_triangle(const char *fn, const ga_array *a,
                                    const ga_array *b, unsigned flags,
                                    bool cholesky) {
    ga_dtype t;
    ga__device *d = ga__matrices(fn, a, true, &t);
    if (!d || !ga__with_rhs(fn, b, &t)) return NULL;
    ga_stream *s = ga__stream(d);
    ga_array *x = NULL, *flaw = NULL;
    const ga_array *f = NULL;
    bool flipped = false, unit = flags & GA_UNIT_DIAGONAL;
    ga_scope own;
    ga__rhs r;
    ga_scope_begin(&own);
    ga_status st = ga__rhs_take(fn, a, b, a->shape[a->ndim - 1], t, &r)
                       ? GA_OK : ga__failed();
    if (!st && r.x->size) {
        /* BLAS conjugates only what it transposes */
        if (ga__kind(t) == 'c' && (cholesky || flags & GA_CONJ_TRANS))
            f = ga__columns(fn, a, t);
        else
            f = ga__stacked(fn, a, t, &flipped);
        if (f && !unit) flaw = ga__flaw(fn, d, f, s);
        st = f && (flaw || unit) ? ga__reads(fn, f, s) : ga__failed();
        if (!st) st = ga__trsm(fn, d, flags, f, flipped, &r.stack, s);
        if (!st && cholesky)
            st = ga__trsm(fn, d, flags | GA_CONJ_TRANS, f, flipped, &r.stack,
                          s);
        if (!st) st = ga__after(fn, d, s);
    }
    if (!st) x = ga__rhs_give(fn, &r, r.x);
    if (x && flaw && ga__flaw_status(fn, flaw, f, cholesky ? 'c' : 'a'))
        x = NULL;
    return ga__leave(&own, x);
}
GA_API ga_array *(ga_solve_triangular)(const ga_array *a, const ga_array *b,
                                       unsigned flags) {
    static const char fn[] = "ga_solve_triangular";
    if (!ga__solve_flags(fn, flags, GA_LOWER | GA_TRANS | GA_CONJ_TRANS
                                        | GA_UNIT_DIAGONAL)) return NULL;
    return ga__solve_triangle(fn, a, b, flags, false);
}
GA_API ga_array *(ga_cho_solve)(const ga_array *c, const ga_array *b) {
    return ga__solve_triangle("ga_cho_solve", c, b, GA_LOWER, true);
}
GA_API ga_array *(ga_cho_factor)(const ga_array *a) {
    return ga__cholesky("ga_cho_factor", a);
}

GA_API ga_status (ga_lu_factor)(const ga_array *a, ga_array **lu,
                                ga_array **piv) {
    static const char fn[] = "ga_lu_factor";
    ga_dtype t;
    ga__device *d = ga__matrices(fn, a, false, &t);
    if (!d) return ga__failed();
    if (!lu && !piv) return GA_OK;
    ga_stream *s = ga__stream(d);
    int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    ga_scope own;
    ga_scope_begin(&own);
    ga_array **const to[2] = {lu, piv}, *made[2] = {NULL, NULL}, number;
    ga_array *f = ga__columns(fn, a, t);
    ga_array *info = ga__info_new(fn, a);
    ga_array *p = ga__matrices_new(fn, a, m < n ? m : n, -1, GA_INT32);
    ga_status st = f && info && p ? GA_OK : ga__failed();
    if (!st && f->size) {
        ga__stack k = ga__stack_of(f);
        st = d->be->la->getrf(d, fn, &k, (int32_t *)p->data,
                              (int32_t *)info->data, s);
        if (!st) st = ga__after(fn, d, s);
        if (!st) st = (ga_subtract_into)(p, p, ga__arg_i(1, &number));
    }
    if (!st && lu && !(made[0] = ga__row_major(fn, f))) st = ga__failed();
    made[1] = p;
    return ga__deliver(&own, st, 2, to, made);
}
GA_API ga_array *(ga_lu_solve)(const ga_array *lu, const ga_array *piv,
                               const ga_array *b, unsigned flags) {
    static const char fn[] = "ga_lu_solve";
    ga_dtype t;
    if (!ga__solve_flags(fn, flags, GA_TRANS | GA_CONJ_TRANS)) return NULL;
    ga__device *d = ga__matrices(fn, lu, true, &t);
    if (!d || !ga__ok(fn, piv) || !ga__same_device(fn, &piv, 1)
        || !ga__with_rhs(fn, b, &t)) return NULL;
    if (!ga__is_int(piv->dtype))
        return (ga_array *)GA__NULL(GA_ERR_DTYPE, fn, "the pivots are %s, not "
                                    "integers", ga_dtype_name(piv->dtype));
    int64_t n = lu->shape[lu->ndim - 1];
    if (piv->ndim != lu->ndim - 1
        || memcmp(piv->shape, lu->shape, (size_t)piv->ndim * sizeof n))
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "pivots of shape %s for "
                                    "factors of shape %s",
                                    ga__shape_text(piv->ndim, piv->shape),
                                    ga__shape_text(lu->ndim, lu->shape));
    ga_stream *s = ga__stream(d);
    ga_array *x = NULL, *flaw = NULL, *f = NULL, *wrong = NULL, zero, one, top;
    ga_scope own;
    ga__rhs r;
    ga_scope_begin(&own);
    ga_status st = ga__rhs_take(fn, lu, b, n, t, &r) ? GA_OK : ga__failed();
    if (!st && r.x->size) {
        /* a pivot out of range must not reach LAPACK: clipped, told after */
        ga_array *all = ga__copy_as(fn, piv, GA_INT64);
        ga_array *rows = all ? (ga_arange_as)(ga__arg_i(0, &zero),
                                              ga__arg_i(n, &top),
                                              ga__arg_i(1, &one), GA_INT64)
                             : NULL;
        ga_array *p = rows ? (ga_clip)(all, rows, ga__arg_i(n - 1, &top))
                           : NULL;
        ga_array *off = p ? (ga_not_equal)(p, all) : NULL;
        wrong = off ? (ga_any)(off, GA_ALL) : NULL;
        p = wrong ? ga__copy_as(fn, p, GA_INT32) : NULL;
        st = p ? (ga_add_into)(p, p, ga__arg_i(1, &one)) : ga__failed();
        f = st ? NULL : ga__columns(fn, lu, t);
        flaw = f ? ga__flaw(fn, d, f, s) : NULL;
        if (!flaw) st = ga__failed();
        if (!st) {
            ga__stack k = ga__stack_of(f);
            st = d->be->la->getrs(d, fn, flags, &k, (int32_t *)p->data,
                                  &r.stack, s);
        }
        if (!st) st = ga__after(fn, d, s);
    }
    if (!st) x = ga__rhs_give(fn, &r, r.x);
    if (x && flaw) {
        bool bad = false;
        st = ga__flaw_status(fn, flaw, f, 'U');
        if (!st) st = d->be->fetch(d, fn, &bad, wrong->data, 1, s);
        if (bad)
            st = ga__fail(GA_ERR_INDEX, fn, "a pivot is out of range: i to %"
                          PRId64 " for row i", n - 1);
        if (st) x = NULL;
    }
    return ga__leave(&own, x);
}

/* The factors' own inverse, or solves against the identity: as all stacks are
   of transposes, in the order of the result. With *sign nothing is checked:
   there the determinants' signs go, 0 for a singular matrix.               */
static ga_array *ga__inv(const char *fn, const ga_array *a, ga_array **sign) {
    ga_dtype t;
    ga__device *d = ga__matrices(fn, a, true, &t);
    if (!d) return NULL;
    const ga__lapack *la = d->be->la;
    ga_stream *s = ga__stream(d);
    ga_array *x = NULL, *piv, *flaw = NULL, *det = NULL;
    ga_status st = GA_OK;
    ga_scope own;
    ga_scope_begin(&own);
    if (sign && !(det = ga__new(fn, d, a->ndim - 2, a->shape, t, NULL)))
        return ga__leave(&own, NULL);
    ga_array *f = a->size ? ga__factors(fn, d, a, t, &piv, s)
                          : ga__copy_as(fn, a, t);
    if (!f || !a->size) {
        x = f;
    } else {
        if (sign)
            st = ga__factor_det(fn, d, f, piv, GA__DIAG_SLOGDET, det, NULL);
        else if (!(flaw = ga__flaw(fn, d, f, s)))
            st = ga__failed();
        ga__stack k = ga__stack_of(f);
        if (!st && la->getri) {     /* in place: the check comes before     */
            if (flaw) st = ga__flaw_status(fn, flaw, f, 'U');
            if (!st) st = la->getri(d, fn, &k, (int32_t *)piv->data, s);
            x = f;
        } else if (!st) {
            x = ga__eyes(fn, a->ndim, a->shape, t);
            st = x ? GA_OK : ga__failed();
            if (!st) {
                ga__stack y = ga__stack_of(x);
                st = la->getrs(d, fn, 0, &k, (int32_t *)piv->data, &y, s);
            }
            if (!st) st = ga__after(fn, d, s);
            if (!st && flaw) st = ga__flaw_status(fn, flaw, f, 'U');
        }
        if (st) x = NULL;
    }
    if (x && sign) *sign = ga_keep(det);
    return ga__leave(&own, x);
}
GA_API ga_array *(ga_inv)(const ga_array *a) {
    return ga__inv("ga_inv", a, NULL);
}

static int64_t ga__length(const int64_t *shape, int from, int to) {
    int64_t n = 1;
    for (int i = from; i < to; i++) n *= shape[i];
    return n;
}
GA_API ga_array *(ga_tensorsolve)(const ga_array *a, const ga_array *b,
                                  ga_axis axes) {
    static const char fn[] = "ga_tensorsolve";
    unsigned mask = 0;
    int perm[GA_MAX_NDIM], n = 0;
    if (!ga__ok(fn, a) || !ga__ok(fn, b)
        || (axes.n >= 0 && !ga__axes_mask(fn, axes, a->ndim, &mask)))
        return NULL;
    for (int i = 0; i < a->ndim; i++) if (!(mask >> i & 1)) perm[n++] = i;
    for (int i = 0; i < axes.n; i++) perm[n++] = ga__axis(fn, axes.axis[i],
                                                          a->ndim);
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *x = NULL, *v = ga__permuted(fn, a, perm);
    int64_t rows = ga__length(b->shape, 0, b->ndim), cols = 0;
    if (v && v->ndim >= b->ndim)
        cols = ga__length(v->shape, b->ndim, v->ndim);
    if (v && (v->ndim < b->ndim || cols != rows || a->size != rows * cols)) {
        ga__fail(GA_ERR_SHAPE, fn, "shapes %s and %s do not fit: a's first "
                 "axes must have as many elements as b, and as its last ones",
                 ga__shape_text(v->ndim, v->shape),
                 ga__shape_text(b->ndim, b->shape));
    } else if (v) {
        ga_shape square = {2, {rows, rows}}, line = {1, {rows}}, to = {0, {0}};
        to.ndim = v->ndim - b->ndim;
        memcpy(to.dim, v->shape + b->ndim, (size_t)to.ndim * sizeof *to.dim);
        ga_array *m = ga__reshape(fn, v, square), *y = ga__reshape(fn, b, line);
        ga_array *z = m && y ? ga__solve(fn, m, y, true) : NULL;
        x = z ? ga__reshape(fn, z, to) : NULL;
    }
    return ga__leave(&own, x);
}
GA_API ga_array *(ga_tensorinv)(const ga_array *a, int ind) {
    static const char fn[] = "ga_tensorinv";
    if (!ga__ok(fn, a)) return NULL;
    if (ind < 1 || ind > a->ndim)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "ind %d; 1 to %d are "
                                    "possible", ind, a->ndim);
    int rest = a->ndim - ind;
    ga_shape m = {2, {ga__length(a->shape, 0, ind),
                      ga__length(a->shape, ind, a->ndim)}}, to = {0, {0}};
    if (m.dim[0] != m.dim[1])
        return (ga_array *)GA__NULL(GA_ERR_SQUARE, fn, "the first %d axes of "
                                    "shape %s have %" PRId64 " elements, the "
                                    "rest %" PRId64, ind,
                                    ga__shape_text(a->ndim, a->shape),
                                    m.dim[0], m.dim[1]);
    to.ndim = a->ndim;
    memcpy(to.dim, a->shape + ind, (size_t)rest * sizeof *to.dim);
    memcpy(to.dim + rest, a->shape, (size_t)ind * sizeof *to.dim);
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *v = ga__reshape(fn, a, m), *x = v ? ga__inv(fn, v, NULL) : NULL;
    return ga__leave(&own, x ? ga__reshape(fn, x, to) : NULL);
}

/* ------------------------------------------------ singular values and those
   that stand on them                                                        */
/* Which of s (...,k), descending, exceed cut times the largest. */
static ga_array *ga__svd_large(const ga_array *s, double cut) {
    ga_array number;
    ga_array *top = (ga_slice_axis)(s, -1, 0, 1, 1);
    ga_array *least = top ? (ga_multiply)(top, ga__arg_f(cut, &number)) : NULL;
    return least ? (ga_greater)(s, least) : NULL;
}
static double ga__epsilon(ga_dtype t) {
    return ga__size(ga__real_of(t)) == 4 ? 0x1p-23 : 0x1p-52;
}
/* rcond, or where it is negative eps max(m,n). */
static double ga__cutoff(double rcond, const ga_array *x, ga_dtype t) {
    int64_t m = x->shape[x->ndim - 2], n = x->shape[x->ndim - 1];
    return rcond < 0 ? ga__epsilon(t) * (double)(m > n ? m : n) : rcond;
}
/* p := diag(1/s) p, and rows of 0 where s is not large. */
static ga_status ga__svd_divide(ga_array *p, const ga_array *s,
                                const ga_array *large) {
    ga_array number;
    ga_axis last = {1, false, {-1}};
    ga_array *inverse = (ga_reciprocal)(s);
    ga_array *kept = inverse ? (ga_where)(large, inverse,
                                          ga__arg_i(0, &number)) : NULL;
    ga_array *column = kept ? (ga_expand_dims)(kept, last) : NULL;
    return column ? (ga_multiply_into)(p, p, column) : ga__failed();
}
/* x := conj(x), in place. */
static ga_status ga__conjugate(ga_array *x) {
    return ga__kind(x->dtype) == 'c' ? (ga_conj_into)(x, x) : GA_OK;
}

GA_API ga_array *(ga_pinv)(const ga_array *a, double rcond) {
    static const char fn[] = "ga_pinv";
    ga_dtype t;
    if (!ga__matrices(fn, a, false, &t)) return NULL;
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *q, *s, *p, *x = NULL;
    ga_status st = ga__svd(fn, a, false, &q, &s, &p);
    if (!st && !s->size) {
        x = ga__matrices_new(fn, a, a->shape[a->ndim - 1],
                             a->shape[a->ndim - 2], t);
    } else if (!st) {               /* conj(p^T diag(1/s) q^T)              */
        ga_array *large = ga__svd_large(s, ga__cutoff(rcond, a, t));
        bool ok = large && !ga__svd_divide(p, s, large)
                  && (p = ga__transposed(fn, p)) && (q = ga__transposed(fn, q));
        x = ok ? ga__matmul(fn, p, q) : NULL;
        if (x && ga__conjugate(x)) x = NULL;
    }
    return ga__leave(&own, x);
}

static ga_array *ga__count_last(const ga_array *mask) {
    ga_axis last = {1, false, {-1}};
    return mask ? (ga_count_nonzero)(mask, last) : NULL;
}
GA_API ga_array *(ga_matrix_rank)(const ga_array *x, double tol) {
    static const char fn[] = "ga_matrix_rank";
    ga_dtype t;
    ga_array number, *r = NULL;
    ga_scope own;
    if (!ga__ok(fn, x)) return NULL;
    if (x->ndim < 2) {              /* NumPy: 0 for zeros, else 1           */
        if (!ga__lapack_dtype(fn, x, &t)) return NULL;
        ga_scope_begin(&own);
        ga_array *any = (ga_any)(x, GA_ALL);
        return ga__leave(&own, any ? ga__copy_as(fn, any, GA_INT64) : NULL);
    }
    if (!ga__matrices(fn, x, false, &t)) return NULL;
    ga_scope_begin(&own);
    ga_array *s;
    if (ga__svd(fn, x, false, NULL, &s, NULL)) s = NULL;
    if (s && s->size)
        r = ga__count_last(tol < 0 ? ga__svd_large(s, ga__cutoff(-1, x, t))
                           : (ga_greater)(s, ga__arg_f(tol, &number)));
    else if (s)
        r = ga__count_last(s);
    return ga__leave(&own, r);
}

/* ----------------------------------------------------------- least squares */
/* Sums of |x|^2 over the last axis. */
static ga_array *ga__squares(const ga_array *x) {
    ga_axis last = {1, false, {-1}};
    ga_array *size = (ga_absolute)(x);
    return size && !(ga_square_into)(size, size) ? (ga_sum)(size, last) : NULL;
}
/* The x of least norm: conj(p^T diag(1/s) q^T) b, a = q diag(s) p. */
static ga_array *ga__lstsq_svd(const char *fn, const ga__rhs *r, ga_array *q,
                               const ga_array *s, const ga_array *large,
                               ga_array *p) {
    ga__rhs matrices = *r;
    matrices.vector = false;
    if (ga__svd_divide(p, s, large) || ga__conjugate(p) || ga__conjugate(q))
        return NULL;
    ga_array *b = ga__rhs_give(fn, &matrices, r->x);
    q = ga__transposed(fn, q);
    p = ga__transposed(fn, p);
    ga_array *y = b && q && p ? ga__matmul(fn, q, b) : NULL;
    ga_array *x = y ? ga__matmul(fn, p, y) : NULL;
    if (x && r->vector) x->ndim--;  /* of length 1                          */
    return x;
}
/* The residuals, from the rows of Q^H b below R: none where no a of the batch
   has full rank, NaN for one that has not. least: the batch's lowest rank.  */
static ga_array *ga__lstsq_left(const char *fn, const ga__rhs *r,
                                const ga_array *a, ga_dtype t, int64_t least,
                                const ga_array *rank) {
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    ga__device *d = r->x->ga__buf->dev;
    bool over = m > n && (least == n || !a->size);
    if (m > n && !over && rank->size > 1) {
        int64_t most = 0;
        ga_array *max = (ga_max)(rank, GA_ALL);
        if (!max || d->be->fetch(d, fn, &most, max->data, 8, ga__stream(d)))
            return NULL;
        over = most == n;
    }
    if (!over) {
        int64_t shape[GA_MAX_NDIM];
        for (int i = 0; i < r->nbatch; i++) shape[r->order[i]] = r->x->shape[i];
        shape[r->nbatch] = 0;
        return ga__new(fn, d, r->nbatch + 1, shape, ga__real_of(t), NULL);
    }
    ga_array *tail = (ga_slice_axis)(r->x, -1, n, m, 1), rows, none;
    ga_array *sums = tail ? ga__squares(tail) : NULL;
    ga_array *left = sums ? ga__rhs_ordered(fn, r, sums) : NULL;
    left = left ? ga__in_order(fn, left) : NULL;
    if (!left || least == n || !a->size) return left;
    ga_axis after = {1, false, {-1}};
    ga_array *full = (ga_equal)(rank, ga__arg_i(n, &rows));
    ga_array *each = full ? (ga_expand_dims)(full, after) : NULL;
    return each ? (ga_where)(each, left, ga__arg_f((double)NAN, &none)) : NULL;
}
GA_API ga_status (ga_lstsq)(const ga_array *a, const ga_array *b, double rcond,
                            ga_array **x, ga_array **residuals,
                            ga_array **rank, ga_array **s) {
    static const char fn[] = "ga_lstsq";
    ga_array **const to[4] = {x, residuals, rank, s};
    ga_array *made[4] = {NULL, NULL, NULL, NULL}, *large = NULL;
    ga_dtype t;
    ga__device *d = ga__matrices(fn, a, false, &t);
    if (!d || !ga__with_rhs(fn, b, &t)) return ga__failed();
    ga_stream *stream = ga__stream(d);
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    int64_t least = 0;              /* rank of the batch                    */
    ga__rhs r;
    ga_scope own;
    ga_scope_begin(&own);
    ga_status st = ga__rhs_take(fn, a, b, m, t, &r) ? GA_OK : ga__failed();
    if (!st && a->dtype != t && !(a = ga__copy_as(fn, a, t))) st = ga__failed();
    if (st) return ga__deliver(&own, st, 4, to, made);

    const int last = r.nbatch + 1;  /* of r.x                               */
    ga_array *q = NULL, *p = NULL, *c = NULL, *tau = NULL, *values = NULL;
    int64_t shape[GA_MAX_NDIM];
    memcpy(shape, r.x->shape, sizeof shape);
    if (x && (!a->size || !r.x->size)) {
        shape[last] = n;
        ga_array *y = ga__zeros(fn, last + 1, shape, t, NULL);
        made[0] = y ? ga__rhs_give(fn, &r, y) : NULL;
        if (!made[0]) st = ga__failed();
    }
    if (!st && !a->size) {
        made[2] = ga__zeros(fn, a->ndim - 2, a->shape, GA_INT64, NULL);
        made[3] = ga__matrices_new(fn, a, m < n ? m : n, -1, ga__real_of(t));
        if (!made[2] || !made[3]) st = ga__failed();
    } else if (!st && m >= n) {     /* A = Q R: R has A's singular values   */
        c = ga__columns(fn, a, t);
        tau = ga__matrices_new(fn, a, n, -1, t);
        st = c && tau ? GA_OK : ga__failed();
        if (!st) {
            ga__stack k = ga__stack_of(c);
            st = d->be->la->geqrf(d, fn, &k, tau->data, stream);
        }
        ga_array *top = st ? NULL : (ga_slice_axis)(c, -1, 0, n, 1);
        p = top ? ga__copy_as(fn, top, t) : NULL;
        st = p ? ga__triangle(fn, p, true, false) : ga__failed();
        if (!st) st = ga__svd(fn, p, false, NULL, &values, NULL);
    } else if (!st) {
        st = ga__svd(fn, a, false, &q, &values, &p);
    }
    if (!st && values) {
        made[3] = values;
        large = ga__svd_large(values, ga__cutoff(rcond, a, t));
        made[2] = large ? ga__count_last(large) : NULL;
        ga_array *min = made[2] ? (ga_min)(made[2], GA_ALL) : NULL;
        st = min ? d->be->fetch(d, fn, &least, min->data, 8, stream)
                 : ga__failed();
    }
    /* what the right-hand sides take */
    bool solve = (x || residuals) && a->size && r.x->size && !st;
    if (solve && tau) {
        ga__stack k = ga__stack_of(c);
        if (least < n && x) {
            st = ga__svd(fn, a, false, &q, &values, &p);
            made[0] = st ? NULL : ga__lstsq_svd(fn, &r, q, values, large, p);
            if (!made[0]) st = ga__failed();
        }
        if (!st)
            st = d->be->la->unmqr(d, fn, &k, n, tau->data, &r.stack, stream);
        if (!st && least == n && x) {
            ga_array *top = (ga_slice_axis)(r.x, -1, 0, n, 1);
            ga_array *y = top ? ga__copy_as(fn, top, t) : NULL;
            st = y ? GA_OK : ga__failed();
            if (!st) {
                ga__stack upper = ga__stack_of(p), right = r.stack;
                right.p = y->data;
                right.m = n;
                st = d->be->la->trsm(d, fn, 0, false, &upper, &right, stream);
            }
            made[0] = st ? NULL : ga__rhs_give(fn, &r, y);
            if (!made[0]) st = ga__failed();
        }
        if (!st) st = ga__after(fn, d, stream);
    } else if (solve) {
        made[0] = ga__lstsq_svd(fn, &r, q, values, large, p);
        if (!made[0]) st = ga__failed();
    }
    if (!st && residuals) {
        made[1] = ga__lstsq_left(fn, &r, a, t, least, made[2]);
        if (!made[1]) st = ga__failed();
    }
    return ga__deliver(&own, st, 4, to, made);
}

/* ------------------------------------------------------------ determinants */
/* *det := the determinants, or with log their signs and log of the absolute
   values. Nothing waits.                                                   */
static ga_status ga__determinants(const char *fn, const ga_array *a,
                                  ga_array **det, ga_array **log) {
    ga_dtype t;
    ga__device *d = ga__matrices(fn, a, true, &t);
    if (!d) return ga__failed();
    ga_stream *s = ga__stream(d);
    ga_array **const to[2] = {det, log}, *made[2] = {NULL, NULL}, *piv, one;
    ga_scope own;
    ga_scope_begin(&own);
    made[0] = ga__new(fn, d, a->ndim - 2, a->shape, t, NULL);
    if (log)
        made[1] = ga__new(fn, d, a->ndim - 2, a->shape, ga__real_of(t), NULL);
    ga_status st = made[0] && (made[1] || !log) ? GA_OK : ga__failed();
    if (!st && a->size) {
        ga_array *f = ga__factors(fn, d, a, t, &piv, s);
        st = f ? ga__factor_det(fn, d, f, piv,
                                log ? GA__DIAG_SLOGDET : GA__DIAG_DET,
                                made[0], made[1]) : ga__failed();
    } else if (!st && made[0]->size) {          /* 0 by 0                   */
        st = ga__fill(fn, made[0], ga__arg_i(1, &one));
        if (!st && log) st = ga__zero(fn, made[1]);
    }
    return ga__deliver(&own, st, 2, to, made);
}
GA_API ga_array *(ga_det)(const ga_array *a) {
    ga_array *det = NULL;
    ga__determinants("ga_det", a, &det, NULL);
    return det;
}
GA_API ga_status (ga_slogdet)(const ga_array *a, ga_array **sign,
                              ga_array **logabsdet) {
    ga_array *log, **l = logabsdet ? logabsdet : &log;
    ga_status st = ga__determinants("ga_slogdet", a, sign, l);
    if (!st && !logabsdet) ga_free(log);
    return st;
}

/* ================================================================= >>i-norm */
/* The shape of a reduction over `mask`. Returns the rank. */
static int ga__reduced_shape(const ga_array *x, unsigned mask, bool keep,
                             int64_t *shape) {
    int n = 0;
    for (int i = 0; i < x->ndim; i++)
        if (!(mask >> i & 1) || keep) shape[n++] = mask >> i & 1 ? 1
                                                                 : x->shape[i];
    return n;
}
/* sqrt of the sums of |x|^2, read once: x where its reduced axes adjoin in
   some order, else a copy that brings them together.                       */
static ga_array *ga__two_norm(const char *fn, const ga_array *x, unsigned mask,
                              bool keep) {
    ga__device *d = ga__current(fn);
    ga_dtype t = ga__inexact(x->dtype);
    int64_t shape[GA_MAX_NDIM];
    ga__norm2 r = {{NULL, NULL}, ga__real_of(t), ga__real_of(t), 1, 1, NULL, NULL};
    ga_scope own;
    ga_scope_begin(&own);
    int n = ga__reduced_shape(x, mask, keep, shape);
    ga_array *y = ga__new(fn, d, n, shape, r.out, NULL);
    ga_array *v = ga__view_new(fn, x);
    if (!y || !v) return ga__leave(&own, NULL);
    if (x->size) {                  /* rows that adjoin, if they can        */
        ga__operand_view in;
        ga__axes_of axes = {x->ndim, v->shape, 1, {&in}};
        ga__view_of(x, x->ndim, &in);
        int kept = ga__reduced_axes(&axes, mask, true, true);
        for (int i = 0; i < axes.ndim; i++)
            *(i < kept ? &r.rows : &r.n) *= v->shape[i];
        v->ndim = axes.ndim;
        v->data = in.data;
        memcpy(v->strides, in.stride, sizeof in.stride);
    }
    if (ga__kind(t) == 'c') r.n *= 2;
    ga_status st = GA_OK;
    if (y->size && !x->size) {
        st = ga__zero(fn, y);
    } else if (y->size) {
        if (!ga_is_contiguous(v) || v->dtype != t) v = ga__copy_as(fn, v, t);
        st = v ? GA_OK : ga__failed();
        if (!st) {
            const ga_array *from = v;
            r.from = v->data;
            r.to = y->data;
            st = ga__run(fn, d, GA__JOB_norm2, &r, &y, 1, &from, 1);
        }
    }
    return ga__leave(&own, st ? NULL : y);
}

/* The largest (or smallest) along an axis of numbers >= 0; of none it is 0
   (an error). The axis stays.                                              */
static ga_array *ga__extreme(const char *fn, const ga_array *x, int axis,
                             bool smallest) {
    ga_axis a = {1, true, {axis}};
    int64_t shape[GA_MAX_NDIM];
    if (x->shape[axis]) return smallest ? (ga_min)(x, a) : (ga_max)(x, a);
    if (smallest)
        return (ga_array *)GA__NULL(GA_ERR_EMPTY, fn, "shape %s has no "
                                    "elements along axis %d",
                                    ga__shape_text(x->ndim, x->shape), axis);
    int n = ga__reduced_shape(x, 1u << axis, true, shape);
    return ga__zeros(fn, n, shape, x->dtype, NULL);
}
/* Over the axes `row` and `col`, which stay. NULL and no error pending where
   ord is no order.                                                         */
static ga_array *ga__matrix_norm(const char *fn, const ga_array *x, double ord,
                                 int row, int col) {
    bool least = ord < 0;
    ga_axis to = {2, false, {-2, -1}}, from = {2, false, {row, col}};
    if (fabs(ord) == 1 || isinf(ord)) {
        int along = isinf(ord) ? col : row;
        ga_axis a = {1, true, {along}};
        ga_array *size = (ga_absolute)(x);
        ga_array *sum = size ? (ga_sum)(size, a) : NULL;
        return sum ? ga__extreme(fn, sum, along == row ? col : row, least)
                   : NULL;
    }
    ga_array *s, *m = (ga_moveaxis)(x, from, to);
    if (!m || ga__svd(fn, m, false, NULL, &s, NULL)) return NULL;
    if (ord == GA_NUC) return (ga_sum)(s, GA_AXIS_KEEP(-1));
    return ga__extreme(fn, s, s->ndim - 1, least);
}
static ga_array *ga__vector_norm(const char *fn, const ga_array *x, double p,
                                 ga_axis axis, ga_dtype t) {
    ga_array number;
    if (p == 0) {
        ga_array *count = (ga_count_nonzero)(x, axis);
        return count ? ga__copy_as(fn, count, t) : NULL;
    }
    ga_array *y = (ga_absolute)(x), *sum;
    if (!y) return NULL;
    if (p == 1) return (ga_sum)(y, axis);
    if (isinf(p)) return ga__extreme(fn, y, axis.axis[0], p < 0);
    if (ga__size(t) == 2 && !(y = ga__copy_as(fn, y, GA_FLOAT32))) return NULL;
    if ((ga_power_into)(y, y, ga__arg_f(p, &number))
        || !(sum = (ga_sum)(y, axis))
        || (ga_power_into)(sum, sum, ga__arg_f(1 / p, &number))) return NULL;
    return ga__copy_as(fn, sum, t);
}
static ga_array *ga__norm(const char *fn, const ga_array *x, double ord,
                          ga_axis axes) {
    unsigned mask;
    if (!ga__ok(fn, x) || !ga__same_device(fn, &x, 1)
        || !ga__axes_mask(fn, axes, x->ndim, &mask)) return NULL;
    if (ga__is_number(x))
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "a C number has no axes; "
                                    "an array is needed");
    int n = axes.n < 0 ? x->ndim : axes.n, at[2] = {0, 1};
    for (int i = 0; i < axes.n && n <= 2; i++)
        at[i] = ga__axis(fn, axes.axis[i], x->ndim);
    bool plain = ord == GA_NORM && (axes.n < 0 || n == 1 || n == 2);
    if (plain || (ord == 2 && n == 1) || (ord == GA_FRO && n == 2))
        return ga__two_norm(fn, x, mask, axes.keepdims);
    if (n != 1 && n != 2)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, fn, "%d axes: norms of an "
                                    "order are of vectors, over one, or of "
                                    "matrices, over two", n);
    bool fits = n == 1 ? ord != GA_FRO && ord != GA_NUC && ord == ord
                       : fabs(ord) == 1 || fabs(ord) == 2 || isinf(ord)
                             || ord == GA_NUC;
    if (!fits)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "%s%.9g is not an order "
            "of a %s norm", ord == GA_FRO ? "GA_FRO, " : ord == GA_NUC
            ? "GA_NUC, " : "", ord, n == 1 ? "vector" : "matrix");
    ga_dtype t;
    if (n == 2 && (fabs(ord) == 2 || ord == GA_NUC)
        && !ga__lapack_dtype(fn, x, &t)) return NULL;

    ga_scope own;
    ga_scope_begin(&own);
    t = ga__inexact(x->dtype);
    const ga_array *v = x->dtype == t ? x : ga__copy_as(fn, x, t);
    ga_axis one = {1, true, {at[0]}};
    ga_array *y = !v ? NULL
                  : n == 1 ? ga__vector_norm(fn, v, ord, one, ga__real_of(t))
                           : ga__matrix_norm(fn, v, ord, at[0], at[1]);
    if (y) {                        /* one element for each that is kept    */
        ga_shape shape = {0, {0}};
        shape.ndim = ga__reduced_shape(x, mask, axes.keepdims, shape.dim);
        y = ga__reshape(fn, y, shape);
    }
    return ga__leave(&own, y);
}
GA_API ga_array *(ga_norm)(const ga_array *x, double ord, ga_axis axes) {
    return ga__norm("ga_norm", x, ord, axes);
}

/* NumPy's: what would be NaN without a NaN in x is infinity. */
GA_API ga_array *(ga_cond)(const ga_array *x, double ord) {
    static const char fn[] = "ga_cond";
    ga_dtype t;
    bool by_values = ord == GA_NORM || fabs(ord) == 2, nuc = ord == GA_NUC;
    if (!ga__matrices(fn, x, !by_values, &t)) return NULL;
    if (!by_values && fabs(ord) != 1 && !isinf(ord) && ord != GA_FRO && !nuc)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "%.9g is not an order of "
                                    "a matrix norm", ord);
    int64_t m = x->shape[x->ndim - 2], n = x->shape[x->ndim - 1];
    if (!m || !n)
        return (ga_array *)GA__NULL(GA_ERR_EMPTY, fn, "matrices of shape %s "
                                    "have no condition number",
                                    ga__shape_text(x->ndim, x->shape));
    ga_axis both = {2, false, {-2, -1}}, last = {1, false, {-1}};
    ga_array *s, *over, *under, *r = NULL, *known = NULL, *singular = NULL;
    ga_array number;
    ga_scope own;
    ga_scope_begin(&own);
    if (by_values || nuc) {
        bool ok = !ga__svd(fn, x, false, NULL, &s, NULL);
        if (ok && nuc) {            /* the inverse has the reciprocal ones  */
            under = (ga_reciprocal)(s);
            over = under ? (ga_sum)(s, last) : NULL;
            under = over ? (ga_sum)(under, last) : NULL;
            r = under ? (ga_multiply)(over, under) : NULL;
        } else if (ok) {
            int64_t first = ord == -2 ? s->shape[s->ndim - 1] - 1 : 0;
            over = (ga_index_axis)(s, -1, first);
            under = (ga_index_axis)(s, -1, first ? 0 : -1);
            r = over && under ? (ga_divide)(over, under) : NULL;
        }
    } else {
        ga_array *sign, *inverse = ga__inv(fn, x, &sign), zero;
        over = inverse ? ga__norm(fn, x, ord, both) : NULL;
        under = over ? ga__norm(fn, inverse, ord, both) : NULL;
        r = under ? (ga_multiply)(over, under) : NULL;
        known = r ? (ga_isnan)(over) : NULL;
        singular = known ? (ga_equal)(sign, ga__arg_i(0, &zero)) : NULL;
        if (!singular) r = NULL;
    }
    ga_array *nan = r ? (ga_isnan)(r) : NULL;
    if (nan && known && ((ga_logical_or_into)(nan, nan, singular)
                         || (ga_greater_into)(nan, nan, known))) nan = NULL;
    r = nan ? (ga_where)(nan, ga__arg_f((double)INFINITY, &number), r) : NULL;
    return ga__leave(&own, r);
}

/* ================================================================= >>i-expm */
/* Al-Mohy and Higham, SIAM J. Matrix Anal. Appl. 31 (2009), 970: the degree m
   of the Pade approximant and how often to halve come from norms of powers,
   d_k = |A^k|^(1/k), which for matrices far from normal are much less than
   |A|. d_8 and d_10 are bounded by d_4 and d_6 rather than computed.         */
static const struct ga__pade {
    int m;
    double theta, c;                /* c: of the error's first term         */
    double b[14];
} ga__pades[] = {
    {3, 1.495585217958292e-2, 1.0 / 100800, {120, 60, 12, 1}},
    {5, 2.539398330063230e-1, 1.0 / 10059033600.0,
     {30240, 15120, 3360, 420, 30, 1}},
    {7, 9.504178996162932e-1, 1.0 / 4487938430976000.0,
     {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}},
    {9, 2.097847961257068, 1.0 / 5914384781877411840000.0,
     {17643225600.0, 8821612800.0, 2075673600, 302702400, 30270240, 2162160,
      110880, 3960, 90, 1}},
    {13, 4.25, 1.0 / 113250775606021113483283660800000000.0,
     {64764752532480000.0, 32382376266240000.0, 7771770303897600.0,
      1187353796428800.0, 129060195264000.0, 10559470521600.0, 670442572800.0,
      33522128640.0, 1323241920, 40840800, 960960, 16380, 182, 1}},
};
/* 1-norms (...,1,1), and those of all matrices on the host as double. */
static ga_array *ga__norms(const char *fn, const ga_array *x, double *host) {
    ga_axis both = {2, true, {-2, -1}};
    ga_array *y = ga__norm(fn, x, 1, both);
    ga_array *wide = y && host ? ga__copy_as(fn, y, GA_FLOAT64) : NULL;
    return !y || (host && (!wide || !ga_asnumpy(wide, host))) ? NULL : y;
}
/* ||A|^p| for each matrix: as |A| >= 0 it is the largest element of a row of
   ones times |A|, p times.                                                 */
static bool ga__power_norms(const char *fn, const ga_array *a, int p,
                            double *host) {
    ga_array *size = (ga_absolute)(a), one;
    ga_array *row = size ? ga__matrices_new(fn, a, 1, a->shape[a->ndim - 1],
                                            size->dtype) : NULL;
    if (!row || ga__fill(fn, row, ga__arg_i(1, &one))) return false;
    while (row && p-- > 0) row = ga__matmul(fn, row, size);
    ga_array *most = row ? (ga_max)(row, GA_AXIS(-1)) : NULL;
    ga_array *wide = most ? ga__copy_as(fn, most, GA_FLOAT64) : NULL;
    return wide && ga_asnumpy(wide, host);
}
/* Each matrix of x times 2**(e[i] k). */
static ga_status ga__scale_powers(const char *fn, ga_array *x, const int *e,
                                  int k) {
    int64_t batch = ga__batch_of(x);
    bool any = false;
    double *f = (double *)GA_MALLOC((size_t)batch * sizeof *f);
    if (!f) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    for (int64_t i = 0; i < batch; i++) {
        f[i] = ldexp(1, e[i] * k);
        any |= e[i] != 0;
    }
    ga_shape shape = {2, {batch, 1}};
    ga_array *scale = any ? ga__from_host(fn, f, GA_FLOAT64, shape, false)
                          : NULL;
    GA_FREE(f);
    if (!any) return GA_OK;
    scale = scale ? ga__copy_as(fn, scale, ga__real_of(x->dtype)) : NULL;
    return scale ? ga__scale_by(fn, x, scale) : ga__failed();
}
/* b[0] I + b[2] x[0] + b[4] x[1] + ... of n powers. */
static ga_array *ga__even_terms(ga_array *const *x, int n, const double *b) {
    ga_array number, *sum = NULL;
    for (int i = n; i-- > 0;) {
        ga_array *term = (ga_multiply)(x[i], ga__arg_f(b[2 * i + 2], &number));
        if (!term || (sum && (ga_add_into)(sum, sum, term))) return NULL;
        if (sum) ga_free(term);
        else sum = term;
    }
    ga_array *v = b[0] != 0 ? (ga_diagonal)(sum, 0, -2, -1) : NULL;
    if (b[0] == 0) return sum;
    return v && !(ga_add_into)(v, v, ga__arg_f(b[0], &number)) ? sum : NULL;
}
/* The approximant of degree m; x: A, A^2, A^4, A^6, A^8. */
static ga_array *ga__pade(const char *fn, const struct ga__pade *p,
                          ga_array *const *x) {
    ga_array *u, *v;
    if (p->m < 13) {
        u = ga__even_terms(x + 1, p->m / 2, p->b + 1);
        v = u ? ga__even_terms(x + 1, p->m / 2, p->b) : NULL;
    } else {                        /* x^8 .. x^12 as x^6 times lower ones  */
        double high[2][7] = {{0}};
        ga_array *w[2];
        for (int i = 0; i < 2; i++) {
            for (int k = 2; k < 7; k += 2) high[i][k] = p->b[6 + k + i];
            w[i] = ga__even_terms(x + 1, 3, high[i]);
            w[i] = w[i] ? ga__matmul(fn, x[3], w[i]) : NULL;
            ga_array *low = w[i] ? ga__even_terms(x + 1, 3, p->b + i)
                                 : NULL;
            if (!low || (ga_add_into)(w[i], w[i], low)) return NULL;
            ga_free(low);
        }
        v = w[0];
        u = w[1];
    }
    u = v ? ga__matmul(fn, x[0], u) : NULL;
    ga_array *below = u ? (ga_subtract)(v, u) : NULL;
    if (!below || (ga_add_into)(u, u, v)) return NULL;
    return ga__solve(fn, below, u, false);
}
/* For each of n matrices, whose norms and those of its 4th and 6th power,
   scaled by 2**-e[i], are at norm: the degree's row, at most `row`, and in
   e[i] by how many powers of 2 to scale instead; `ask`: |A|^(2m+1) decides,
   and stands at power on the second call.                                  */
static int ga__expm_plan(int64_t n, const double *norm, const double *power,
                         ga_dtype t, int *e, int *s, bool *ask) {
    const double u = ga__epsilon(t) / 2;
    const int most = ga__size(ga__real_of(t)) == 4 ? 20 : 160;
    int row = 0;
    *ask = false;
    for (int64_t i = 0; i < n; i++) {
        double d4 = ldexp(pow(norm[n + i], 0.25), e[i]);
        double d6 = ldexp(pow(norm[2 * n + i], 1.0 / 6), e[i]);
        double d10 = pow(d4, 0.4) * pow(d6, 0.6);
        double eta = d4 > d6 ? d4 : d6, last = d4 > d10 ? d4 : d10;
        if (last > eta) last = eta;
        int k = 0, halve = 0;
        for (; k < 4; k++) {
            if (eta > ga__pades[k].theta) continue;
            double a = ldexp(norm[i], e[i]);
            a = ga__pades[k].c * pow(a, 2 * ga__pades[k].m);
            if (a <= u) break;      /* else the next degree                 */
        }
        if (k == 4) {
            if (last > ga__pades[4].theta)
                halve = (int)ceil(log2(last / ga__pades[4].theta));
            /* the error's first term: |A|^27 / |A|, bounded by |A|^26 */
            double whole = ldexp(norm[i], e[i] - halve);
            double a = 26 * log2(whole);
            if (power && norm[i] > 0)
                a = log2(power[i] / norm[i]) + 26.0 * (e[i] - halve);
            double over = (a + log2(ga__pades[4].c / u)) / 26;
            if (over > 0 && !power) *ask = true;
            else if (over > 0) halve += (int)ceil(over);
        }
        if (e[i] - halve > most) halve = e[i] - most;
        s[i] = halve;
        if (k > row) row = k;
    }
    return row;
}
/* p: the powers 1, 2, 4, 6, 8, the first a copy of x; norm, e, s: room. */
static ga_array *ga__expm(const char *fn, const ga_array *x, ga_array **p,
                          double *norm, int *e, int *s) {
    const int64_t batch = ga__batch_of(x);
    const ga_dtype t = p[0]->dtype;
    ga_array zero, one, *f, *n1 = ga__norms(fn, p[0], NULL), *power = NULL;
    /* brought below 1 first: powers of large matrices would overflow */
    if (!n1 || (ga_frexp)(n1, NULL, &power)
        || (ga_maximum_into)(power, power, ga__arg_i(0, &zero))
        || (ga_negative_into)(power, power)
        || !(f = (ga_ldexp)(ga__arg_f(1, &one), power))
        || (ga_multiply_into)(p[0], p[0], f)) return NULL;
    p[1] = ga__matmul(fn, p[0], p[0]);
    p[2] = p[1] ? ga__matmul(fn, p[1], p[1]) : NULL;
    p[3] = p[2] ? ga__matmul(fn, p[2], p[1]) : NULL;
    n1 = p[3] ? ga__copy_as(fn, n1, GA_FLOAT64) : NULL;
    if (!n1 || !ga_asnumpy(n1, norm) || !ga__norms(fn, p[2], norm + batch)
        || !ga__norms(fn, p[3], norm + 2 * batch)) return NULL;
    for (int64_t i = 0; i < batch; i++) {
        if (!isfinite(norm[i]))
            return (ga_array *)GA__NULL(GA_ERR_NAN, fn, "NaN or infinity in "
                                        "the matrix: the 1-norm%s is %g",
                                        ga__which(x, i), norm[i]);
        frexp(norm[i], &e[i]);
        if (e[i] < 0) e[i] = 0;
        norm[i] = ldexp(norm[i], -e[i]);
    }
    if (x->shape[x->ndim - 1] == 1) {
        ga_array *r = ga__copy_as(fn, x, t);
        return r ? ga__or_free(r, (ga_exp_into)(r, r)) : NULL;
    }
    bool ask;
    int row = ga__expm_plan(batch, norm, NULL, t, e, s, &ask), most = 0;
    if (ask) {
        if (!ga__power_norms(fn, p[0], 27, norm + 3 * batch)) return NULL;
        row = ga__expm_plan(batch, norm, norm + 3 * batch, t, e, s, &ask);
    }
    for (int64_t i = 0; i < batch; i++) {
        e[i] -= s[i];
        if (s[i] > most) most = s[i];
    }
    for (int k = 0; k < 4; k++)
        if (ga__scale_powers(fn, p[k], e, k ? 2 * k : 1)) return NULL;
    if (row == 3 && !(p[4] = ga__matmul(fn, p[2], p[2]))) return NULL;
    ga_array *r = ga__pade(fn, &ga__pades[row], p);
    for (int k = 1; r && k <= most; k++) {
        ga_array *square = ga__matmul(fn, r, r);
        bool all = true;
        bool *go_on = (bool *)e;    /* which is done with                   */
        for (int64_t i = 0; i < batch; i++) all &= go_on[i] = s[i] >= k;
        if (square && !all) {       /* some matrices are done               */
            ga_shape shape = {x->ndim, {0}};
            memcpy(shape.dim, x->shape, sizeof shape.dim);
            shape.dim[x->ndim - 2] = shape.dim[x->ndim - 1] = 1;
            ga_array *more = ga__from_host(fn, go_on, GA_BOOL, shape, false);
            if (!more || (ga_where_into)(square, more, square, r))
                square = NULL;
        }
        ga_free(r);
        r = square;
    }
    return r;
}
GA_API ga_array *(ga_expm)(const ga_array *x) {
    static const char fn[] = "ga_expm";
    ga_dtype t;
    ga__device *d = ga__matrices(fn, x, true, &t);
    if (!d) return NULL;
    int64_t batch = ga__batch_of(x);
    if (!x->size) return ga__copy_as(fn, x, t);
    ga_array *r = NULL, *p[5] = {NULL, NULL, NULL, NULL, NULL};
    double *norm = (double *)GA_MALLOC((size_t)batch * 4 * sizeof *norm);
    int *e = (int *)GA_MALLOC((size_t)batch * 2 * sizeof *e);
    ga_scope own;
    ga_scope_begin(&own);
    ga_status st = norm && e ? GA_OK : ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    if (!st) {
        p[0] = ga__copy_as(fn, x, t);
        r = p[0] ? ga__expm(fn, x, p, norm, e, e + batch) : NULL;
    }
    GA_FREE(norm);
    GA_FREE(e);
    return ga__leave(&own, r);
}

/* ================================================================== >>i-sort
   keys: n words of 64 bits, destroyed. The places of the `take` smallest, in
   their order: int64.                                                       */
static ga_array *ga__sorted(const char *fn, ga__device *d, ga_array *keys,
                            int64_t n, int64_t take) {
    ga_array *index = ga__new(fn, d, 1, &take, GA_INT64, NULL);
    if (!index || !n) return index;
    ga_array *out[2] = {index, keys};
    ga__sort q = {{NULL, NULL}, (uint64_t *)keys->data, (int64_t *)index->data,
                  n, take};
    return ga__or_free(index, ga__run(fn, d, GA__JOB_sort, &q, out, 2, NULL, 0));
}

/* ================================================================ >>i-gather */
/* Rows x[index[i]] of x, as a new array (shape, the rest of x's shape). */
static ga_array *ga__gather(const char *fn, const ga_array *x,
                            const ga_array *index, ga_shape shape) {
    ga__device *d = index->ga__buf->dev;
    int64_t bytes = (int64_t)ga__size(x->dtype);
    if (shape.ndim + x->ndim - 1 > GA_MAX_NDIM)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "%d dimensions; 0 to %d "
            "are possible", shape.ndim + x->ndim - 1, GA_MAX_NDIM);
    for (int a = 1; a < x->ndim; a++) {
        shape.dim[shape.ndim++] = x->shape[a];
        bytes *= x->shape[a];
    }
    bool made;
    const ga_array *c = ga__in_c_order(fn, x, &made);
    ga_array *y = c ? ga__new(fn, d, shape.ndim, shape.dim, x->dtype, NULL)
                    : NULL;
    ga_status st = y ? GA_OK : ga__failed();
    if (y && y->size) {
        const ga_array *in[2] = {c, index};
        ga__gathered q = {y->data, c->data, (const int64_t *)index->data,
                      index->size, bytes};
        st = ga__run(fn, d, GA__JOB_gather, &q, &y, 1, in, 2);
    }
    if (c && made) ga_free((ga_array *)(uintptr_t)c);
    if (!st) return y;
    ga_free(y);
    return NULL;
}

/* ================================================================ >>i-search
   How many of the ascending float64 values of table are <= each of x: int64. */
static ga_array *ga__searched(const char *fn, ga__device *d,
                              const ga_array *table, const ga_array *x) {
    ga_array *index = ga__new(fn, d, 1, &x->size, GA_INT64, NULL);
    if (!index || !x->size) return index;
    const ga_array *in[2] = {table, x};
    ga__places q = {(int64_t *)index->data, table->size, x->size,
                    (const double *)table->data, (const double *)x->data};
    return ga__or_free(index, ga__run(fn, d, GA__JOB_search, &q, &index, 1, in,
                                      2));
}

/* ================================================================ >>i-random
   One path for all distributions: parameters are checked and become values or
   float64 arrays, the call takes its number, a kernel writes the result.    */
#define GA__GENERATOR 0x726e6721u
#define GA__SUBSTREAMS 0xffffffu    /* of a seed; none draws from the last */

struct ga_rng {
    unsigned magic;
    ga_engine engine;
    ga_rng_state state;
    ga__device *dev;                /* an engine's, the stream that used it  */
    ga_stream *last;                /* last, and its generator               */
    void *handle;
};
static ga_rng ga__default_rng;      /* all fields under the lock             */
static pthread_mutex_t ga__default_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t ga__default_once = PTHREAD_ONCE_INIT;

static const char *const ga__engine_names[] = {
    "GA_PHILOX", "GA_XORWOW", "GA_MRG32K3A", "GA_MT19937", "GA_MTGP32",
    "GA_SOBOL32", "GA_SCRAMBLED_SOBOL32", "GA_SOBOL64",
    "GA_SCRAMBLED_SOBOL64"};

/* Philox4x32-10 at one counter, as the kernels have it. */
static void ga__philox(uint64_t key, const uint32_t counter[4],
                       uint32_t out[4]) {
    uint32_t c[4], k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    memcpy(c, counter, sizeof c);
    for (int i = 0; i < 10; i++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
        uint64_t a = (uint64_t)0xd2511f53u * c[0];
        uint64_t b = (uint64_t)0xcd9e8d57u * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
        c[1] = (uint32_t)b;
        c[3] = (uint32_t)a;
    }
    memcpy(out, c, sizeof c);
}
/* Another key from a key: at counters of the substream kept for this. */
static uint64_t ga__new_key(uint64_t key, uint32_t substream, uint64_t k) {
    uint32_t out[4], in[4] = {(uint32_t)k, (uint32_t)(k >> 32), substream,
                              0xffffffffu};
    ga__philox(key, in, out);
    return (uint64_t)out[1] << 32 | out[0];
}

static void ga__seed_default(void) {
    uint64_t seed = 0;
    FILE *f = fopen("/dev/urandom", "rb");
    if (!f || fread(&seed, sizeof seed, 1, f) != 1) {
        struct timespec now = {0, 0};
        timespec_get(&now, TIME_UTC);
        seed = ga__new_key((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec,
                           0, (uint64_t)(uintptr_t)&seed);
    }
    if (f) fclose(f);
    ga__default_rng.magic = GA__GENERATOR;
    ga__default_rng.state.seed = seed;
}
/* g, the default generator where it is NULL; NULL and an error where g was
   destroyed, as far as that can be seen.                                    */
static ga_rng *ga__rng_of(const char *fn, ga_rng *g) {
    if (g && g->magic == GA__GENERATOR) return g;
    if (g)
        return (ga_rng *)GA__NULL(GA_ERR_VALUE, fn, "the generator has been "
                                  "destroyed");
    pthread_once(&ga__default_once, ga__seed_default);
    return &ga__default_rng;
}
static void ga__rng_lock(const ga_rng *g) {
    if (g == &ga__default_rng) pthread_mutex_lock(&ga__default_lock);
}
static void ga__rng_unlock(const ga_rng *g) {
    if (g == &ga__default_rng) pthread_mutex_unlock(&ga__default_lock);
}

/* --------------------------------------------------- the rows, privately */
enum { GA__DRAWS_F, GA__DRAWS_I };
enum { GA__ENGINES_E, GA__ENGINES_P };
typedef struct ga__dist_info {
    const char *name;
    unsigned char result, engines, params;
} ga__dist_info;
static const ga__dist_info ga__dists[GA__NUM_DISTS] = {
/* each pastes by itself: handed on, I would be the user's complex.h's        */
#define GA__X0(n, r, e) \
    {"ga_random_" #n, GA__DRAWS_##r, GA__ENGINES_##e, 0},
#define GA__X1(n, r, e, ...) \
    {"ga_random_" #n, GA__DRAWS_##r, GA__ENGINES_##e, 1},
#define GA__X2(n, r, e, ...) \
    {"ga_random_" #n, GA__DRAWS_##r, GA__ENGINES_##e, 2},
#define GA__X3(n, r, e, ...) \
    {"ga_random_" #n, GA__DRAWS_##r, GA__ENGINES_##e, 3},
    GA_DISTRIBUTIONS_0(GA__X0) GA_DISTRIBUTIONS_1(GA__X1)
    GA_DISTRIBUTIONS_2(GA__X2) GA_DISTRIBUTIONS_3(GA__X3)
#undef GA__X0
#undef GA__X1
#undef GA__X2
#undef GA__X3
    {"bits", GA__DRAWS_I, GA__ENGINES_P, 0}};

/* ------------------------------------------------------- cuRAND's engines */
#ifdef GPUARR_NO_CUDA
static void ga__engine_close(ga_rng *g) { (void)g; }
static ga_status ga__engine_seed(const char *fn, ga_rng *g, uint64_t seed) {
    (void)g, (void)seed;
    return ga__fail(GA_ERR_UNSUPPORTED, fn, "cuRAND's engines need a GPU");
}
static ga_status ga__engine_words(const char *fn, ga_rng *g, ga__draw *r,
                                  ga_stream *s, ga__buffer **words) {
    (void)fn, (void)g, (void)r, (void)s, (void)words;
    return GA_OK;
}
#else
static curandGenerator_t ga__generator_of(const ga_rng *g) {
    return (curandGenerator_t)g->handle;
}
static bool ga__is_quasi(const ga_rng *g) { return g->engine >= GA_SOBOL32; }
static void ga__engine_close(ga_rng *g) {
    int before;
    if (!g->handle) return;
    cudaError_t e = ga__cuda_enter(g->dev, &before);
    ga__rand.DestroyGenerator(ga__generator_of(g));
    ga__cuda_leave_quiet(g->dev, before, e);
    ga__stream_unref(g->last);
    g->handle = NULL;
    g->last = NULL;
}
/* A new generator instead of g's, if it has one: setting the seed of an old one
   does not start the Mersenne twisters again.                               */
static ga_status ga__engine_seed(const char *fn, ga_rng *g, uint64_t seed) {
    static const curandRngType_t types[] = {
        CURAND_RNG_TEST, CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
        CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_MTGP32,
        CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
        CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64};
    if (g->dev->id == GA_CPU)
        return ga__fail(GA_ERR_UNSUPPORTED, fn, "cuRAND's engines need a GPU");
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    ga_status st = ga__curand_open(fn);
    if (st) return st;
    int before;
    curandGenerator_t c = NULL;
    curandStatus_t q = CURAND_STATUS_SUCCESS;
    cudaError_t e = ga__cuda_enter(g->dev, &before);
    if (!e) q = ga__rand.CreateGenerator(&c, types[g->engine]);
    if (!e && !q)
        q = ga__is_quasi(g) ? ga__rand.SetGeneratorOffset(c, seed)
                            : ga__rand.SetPseudoRandomGeneratorSeed(c, seed);
    if (q && c) ga__rand.DestroyGenerator(c);
    st = ga__cuda_leave(fn, g->dev, before, e);
    if (!st) st = ga__rand_ok(fn, g->dev, q);
    if (st) return st;
    ga__engine_close(g);
    g->handle = c;
    return GA_OK;
}
/* A number for each element of r, in *words until r is queued. What computes in
   float64 takes 64 bits: of a pseudo-random engine two words, while a Sobol
   sequence's points cannot be paired.                                       */
static ga_status ga__engine_words(const char *fn, ga_rng *g, ga__draw *r,
                                  ga_stream *s, ga__buffer **words) {
    curandGenerator_t c = ga__generator_of(g);
    bool own64 = g->engine >= GA_SOBOL64;
    bool pair = !ga__is_quasi(g)
                && (ga__dists[r->dist].result == GA__DRAWS_I
                    || r->out_type == GA_FLOAT64);
    size_t n = (size_t)r->n;
    r->word_bits = own64 || pair ? 64 : 32;
    ga__buffer *b = ga__buffer_new(fn, g->dev, n * (size_t)r->word_bits / 8);
    if (!b) return ga__failed();
    *words = b;
    r->words = b->ptr;
    ga_status st = GA_OK;
    if (g->last != s) {             /* the engine's state is an array too    */
        if (g->last) st = g->dev->be->stream_wait(g->dev, fn, s, g->last);
        if (st) return st;
        ga__stream_ref(s);
        ga__stream_unref(g->last);
        g->last = s;
    }
    int before;
    cudaError_t e = ga__cuda_enter(g->dev, &before);
    curandStatus_t q = CURAND_STATUS_SUCCESS;
    if (!e) q = ga__rand.SetStream(c, ga__handle_of(s));
    if (!e && !q)
        q = own64
            ? ga__rand.GenerateLongLong(c, (unsigned long long *)b->ptr, n)
            : ga__rand.Generate(c, (unsigned *)b->ptr, pair ? 2 * n : n);
    st = ga__cuda_leave(fn, g->dev, before, e);
    return st ? st : ga__rand_ok(fn, g->dev, q);
}
#endif

GA_API ga_rng *ga_rng_create(ga_engine e, uint64_t seed) {
    const char *fn = "ga_rng_create";
    if ((unsigned)e > GA_SCRAMBLED_SOBOL64)
        return (ga_rng *)GA__NULL(GA_ERR_VALUE, fn, "%d is not an engine",
                                  (int)e);
    ga__device *d = e == GA_PHILOX ? NULL : ga__current(fn);
    if (e != GA_PHILOX && !d) return NULL;
    ga_rng *g = (ga_rng *)GA_MALLOC(sizeof *g);
    if (!g) return (ga_rng *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(g, 0, sizeof *g);
    g->magic = GA__GENERATOR;
    g->engine = e;
    g->state.seed = seed;
    g->dev = d;
    if (d && ga__engine_seed(fn, g, seed)) {
        GA_FREE(g);
        return NULL;
    }
    return g;
}
GA_API void ga_rng_destroy(ga_rng *g) {
    if (!g || g->magic != GA__GENERATOR) return;
    if (ga__me.rng == g) ga__me.rng = NULL;
    ga__engine_close(g);
    g->magic = 0;
    GA_FREE(g);
}

GA_API ga_rng *ga_rng_current(void) { return ga__me.rng; }
GA_API ga_status ga_set_rng(ga_rng *g) {
    if (g && !ga__rng_of("ga_set_rng", g)) return ga__failed();
    ga__me.rng = g;
    return GA_OK;
}
GA_API ga_rng_guard ga_rng_begin(ga_rng *g) {
    ga_rng_guard guard = {ga__me.rng};
    ga_set_rng(g);
    return guard;
}
GA_API void ga_rng_end(ga_rng_guard *g) { ga__me.rng = g->before; }

GA_API ga_status ga_random_seed(uint64_t seed) {
    const char *fn = "ga_random_seed";
    ga_rng *g = ga__rng_of(fn, ga__me.rng);
    if (!g) return ga__failed();
    ga_rng_state fresh = {seed, 0, 0, 0};
    if (g->engine != GA_PHILOX) {
        ga_status st = ga__engine_seed(fn, g, seed);
        if (st) return st;
    }
    ga__rng_lock(g);
    g->state = fresh;
    ga__rng_unlock(g);
    return GA_OK;
}

/* As ga__rng_of, for what Philox alone can. A NULL that a failure returned
   passes in silence.                                                       */
static ga_rng *ga__philox_of(const char *fn, const ga_rng *g) {
    if (!g && ga__me.error) {
        ga__me.last = ga__me.error;
        return NULL;
    }
    ga_rng *r = ga__rng_of(fn, (ga_rng *)(uintptr_t)g);
    if (!r || r->engine == GA_PHILOX) return r;
    return (ga_rng *)GA__NULL(GA_ERR_UNSUPPORTED, fn, "%s cannot; GA_PHILOX "
                              "can", ga__engine_names[r->engine]);
}
GA_API ga_status ga_rng_jump(ga_rng *g, uint64_t n) {
    g = ga__philox_of("ga_rng_jump", g);
    if (!g) return ga__failed();
    ga__rng_lock(g);
    g->state.call += n;
    ga__rng_unlock(g);
    return GA_OK;
}
GA_API ga_status ga_rng_spawn(ga_rng *g, int n, ga_rng **out) {
    const char *fn = "ga_rng_spawn";
    g = ga__philox_of(fn, g);
    if (!g) return ga__failed();
    if (n < 0) return ga__fail(GA_ERR_VALUE, fn, "%d generators", n);
    if (n && !out) return ga__fail(GA_ERR_NULL, fn, "the output is NULL");
    ga_rng **made = (ga_rng **)GA_MALLOC((size_t)n * sizeof *made + 1);
    if (!made) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    for (int i = 0; i < n; i++) {
        made[i] = (ga_rng *)GA_MALLOC(sizeof **made);
        if (made[i]) continue;
        while (i-- > 0) GA_FREE(made[i]);
        GA_FREE(made);
        return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    }
    ga__rng_lock(g);
    ga_rng_state s = g->state;
    g->state.spawned += (uint64_t)n;
    ga__rng_unlock(g);
    for (int i = 0; i < n; i++) {
        ga_rng_state child = {s.seed, 0, 0, 0};
        uint64_t k = s.spawned + (uint64_t)i + 1;
        if (!s.substream && k < GA__SUBSTREAMS) child.substream = (uint32_t)k;
        else child.seed = ga__new_key(s.seed, s.substream, k);
        memset(made[i], 0, sizeof **made);
        made[i]->magic = GA__GENERATOR;
        made[i]->state = child;
        out[i] = made[i];
    }
    GA_FREE(made);
    return GA_OK;
}
GA_API ga_status ga_rng_get_state(const ga_rng *g, ga_rng_state *out) {
    const char *fn = "ga_rng_get_state";
    ga_rng *r = ga__philox_of(fn, g);
    if (!r) return ga__failed();
    if (!out) return ga__fail(GA_ERR_NULL, fn, "the output is NULL");
    ga__rng_lock(r);
    *out = r->state;
    ga__rng_unlock(r);
    return GA_OK;
}
GA_API ga_status ga_rng_set_state(ga_rng *g, const ga_rng_state *in) {
    const char *fn = "ga_rng_set_state";
    g = ga__philox_of(fn, g);
    if (!g) return ga__failed();
    if (!in) return ga__fail(GA_ERR_NULL, fn, "the state is NULL");
    if (in->substream >= GA__SUBSTREAMS)
        return ga__fail(GA_ERR_VALUE, fn, "substream is %" PRIu32 "; below "
                        "2**24 - 1 is wanted", in->substream);
    ga__rng_lock(g);
    g->state = *in;
    ga__rng_unlock(g);
    return GA_OK;
}

/* --------------------------------------------------- parameters, by rows */
/* Where a parameter may lie. All are finite. */
typedef enum ga__domain {
    GA__ANY, GA__FROM_0, GA__OVER_0, GA__OVER_1, GA__0_TO_1, GA__OVER_0_TO_1,
    GA__0_TO_BELOW_1, GA__WHOLE, GA__FEW, GA__MEAN
} ga__domain;
#define GA__MOST_LAM 9.223372006484771e18   /* NumPy's: ten sigma to 2**63   */
static const struct {
    double lo, hi;
    bool lo_open, hi_open;
    const char *before, *after;     /* the name stands between them          */
} ga__domains[] = {
    {-INFINITY, INFINITY, true, true, "a finite ", ""},
    {0, INFINITY, false, true, "", " >= 0"},
    {0, INFINITY, true, true, "", " > 0"},
    {1, INFINITY, true, true, "", " > 1"},
    {0, 1, false, false, "0 <= ", " <= 1"},
    {0, 1, true, false, "0 < ", " <= 1"},
    {0, 1, false, true, "0 <= ", " < 1"},
    {0, 0x1p63, false, true, "an integer ", " >= 0"},
    {0, 1e9, false, true, "an integer 0 <= ", " < 1e9"},
    {0, GA__MOST_LAM, false, false, "0 <= ", " <= 9.22e18"},
};
typedef struct ga__param { const char *name; ga__domain in; } ga__param;
#define GA__X1(n, r, e, p, in) [GA__DIST_##n] = {{#p, GA__##in}},
#define GA__X2(n, r, e, p, in, p2, in2) \
    [GA__DIST_##n] = {{#p, GA__##in}, {#p2, GA__##in2}},
#define GA__X3(n, r, e, p, in, p2, in2, p3, in3) \
    [GA__DIST_##n] = {{#p, GA__##in}, {#p2, GA__##in2}, {#p3, GA__##in3}},
static const ga__param ga__params[GA__NUM_DISTS][3] = {
    GA_DISTRIBUTIONS_1(GA__X1) GA_DISTRIBUTIONS_2(GA__X2)
    GA_DISTRIBUTIONS_3(GA__X3)};
#undef GA__X1
#undef GA__X2
#undef GA__X3

/* ------------------------------------------------------ parameters' range */
static ga_status ga__out_of_domain(const char *fn, ga__param p, double v,
                                   bool array) {
    bool finite = isfinite(v) != 0;
    ga__domain in = finite ? p.in : GA__ANY;
    return ga__fail(GA_ERR_VALUE, fn, "%s %s %.15g; %s%s%s is wanted", p.name,
                    array ? "holds" : "is", v, ga__domains[in].before, p.name,
                    ga__domains[in].after);
}
/* NaN is nowhere. */
static bool ga__in_domain(ga__domain in, double v) {
    double lo = ga__domains[in].lo, hi = ga__domains[in].hi;
    return (ga__domains[in].lo_open ? v > lo : v >= lo)
           && (ga__domains[in].hi_open ? v < hi : v <= hi);
}
static double ga__number_value(const ga_array *x) {
    double v;
    ga__value(x, GA_FLOAT64, (unsigned char *)&v);
    return v;
}

/* What the parameters of some rows must be together: the i-th quantity, NULL
   where there is none, is at least 0 (more than 0 where `open`). Made of
   arrays and numbers alike; op is for errors of memory.                     */
typedef struct ga__rule { const char *text; bool open; } ga__rule;
static const ga__rule *ga__rules(ga__dist k, int *n) {
    static const ga__rule triangular[] = {
        {"left <= mode", false}, {"mode <= right", false},
        {"left < right", true}};
    static const ga__rule other[] = {
        {"low <= high", false}, {"a finite high - low", false},
        {"nsample <= ngood + nbad", false}, {"a mean below 9.22e18", false}};
    *n = k == GA__DIST_triangular ? 3 : k == GA__DIST_uniform ? 2 : 1;
    switch (k) {
    case GA__DIST_triangular: return triangular;
    case GA__DIST_uniform: return other;
    case GA__DIST_hypergeometric: return other + 2;
    case GA__DIST_negative_binomial: return other + 3;
    default: *n = 0; return NULL;
    }
}
static double ga__rule_value(ga__dist k, int i, const double *v) {
    switch (k) {
    case GA__DIST_triangular:
        return i == 0 ? v[1] - v[0] : i == 1 ? v[2] - v[1] : v[2] - v[0];
    case GA__DIST_uniform:
        return i == 0 ? v[1] - v[0] : isfinite(v[1] - v[0]) ? 0 : -1;
    case GA__DIST_hypergeometric: return v[0] + v[1] - v[2];
    default:
        return GA__MOST_LAM - (1 - v[1]) / v[1] * (v[0] + 10 * sqrt(v[0]));
    }
}
static ga_array *ga__rule_array(ga__dist k, int i, const ga_array *const *x) {
    ga_array ten, one, most;
    switch (k) {
    case GA__DIST_triangular:
        return (ga_subtract)(x[i == 0 ? 1 : 2], x[i == 1 ? 1 : 0]);
    case GA__DIST_uniform: {        /* second: 0, NaN where it overflows     */
        ga_array *span = (ga_subtract)(x[1], x[0]);
        return span && i ? (ga_subtract)(span, span) : span;
    }
    case GA__DIST_hypergeometric: {
        ga_array *all = (ga_add)(x[0], x[1]);
        return all ? (ga_subtract)(all, x[2]) : NULL;
    }
    default: {
        ga_array *q = (ga_subtract)(ga__arg_i(1, &one), x[1]);
        ga_array *odds = q ? (ga_divide)(q, x[1]) : NULL;
        ga_array *root = odds ? (ga_sqrt)(x[0]) : NULL;
        ga_array *far = root ? (ga_multiply)(root, ga__arg_i(10, &ten)) : NULL;
        ga_array *sum = far ? (ga_add)(x[0], far) : NULL;
        ga_array *mean = sum ? (ga_multiply)(odds, sum) : NULL;
        return mean ? (ga_subtract)(ga__arg_f(GA__MOST_LAM, &most), mean)
                    : NULL;
    }
    }
}
static bool ga__rule_kept(const ga__rule *r, double least) {
    return r->open ? least > 0 : least >= 0;
}

static ga_status ga__check_values(const char *fn, ga__dist k, const double *v) {
    const ga__param *p = ga__params[k];
    const int n = ga__dists[k].params;
    for (int i = 0; i < n; i++)
        if (!ga__in_domain(p[i].in, v[i])
            || ((p[i].in == GA__WHOLE || p[i].in == GA__FEW)
                && v[i] != floor(v[i])))
            return ga__out_of_domain(fn, p[i], v[i], false);
    int rules;
    const ga__rule *rule = ga__rules(k, &rules);
    for (int i = 0; i < rules; i++) {
        if (ga__rule_kept(&rule[i], ga__rule_value(k, i, v))) continue;
        if (n == 3)
            return ga__fail(GA_ERR_VALUE, fn, "%s is %.15g, %s %.15g, %s "
                            "%.15g; %s is wanted", p[0].name, v[0], p[1].name,
                            v[1], p[2].name, v[2], rule[i].text);
        return ga__fail(GA_ERR_VALUE, fn, "%s is %.15g, %s %.15g; %s is "
                        "wanted", p[0].name, v[0], p[1].name, v[1],
                        rule[i].text);
    }
    return GA_OK;
}

/* x: float64 arrays, at least one of them and none empty, and numbers, against
   p and the rules of k. Every least and greatest value comes to the host in one
   copy. least[i], if asked for, is array i's.                               */
static ga_status ga__check_arrays(const char *fn, ga__dist k,
                                  const ga__param *p, int n,
                                  const ga_array *const *x, double *least) {
    enum { MOST = 3 * 3 + 3 };
    const ga_array *probe[MOST];
    bool greatest[MOST];
    int of[MOST], m = 0, rules;
    double got[MOST];
    const ga__rule *rule = ga__rules(k, &rules);
    ga_scope own;
    ga_scope_begin(&own);
    ga_status st = GA_OK;
    for (int i = 0; i < n && !st; i++) {
        bool whole = p[i].in == GA__WHOLE || p[i].in == GA__FEW;
        if (ga__is_number(x[i])) {
            double v = ga__number_value(x[i]);
            if (!ga__in_domain(p[i].in, v) || (whole && v != floor(v)))
                st = ga__out_of_domain(fn, p[i], v, false);
            continue;
        }
        for (int j = 0; j < 2; j++, m++)
            probe[m] = x[i], of[m] = i, greatest[m] = j == 1;
        if (!whole) continue;
        ga_array *down = (ga_floor)(x[i]);
        probe[m] = down ? (ga_not_equal)(down, x[i]) : NULL;
        of[m] = i + n;              /* marks this probe: 0 or 1              */
        greatest[m++] = true;
    }
    for (int i = 0; i < rules && !st; i++, m++) {
        probe[m] = ga__rule_array(k, i, x);
        of[m] = 2 * n + i;
        greatest[m] = false;
    }
    int64_t slots = m;
    ga_array *all = st ? NULL : ga__new(fn, ga__current(fn), 1, &slots,
                                        GA_FLOAT64, NULL);
    if (!all && !st) st = ga__failed();
    for (int i = 0; i < m && !st; i++) {
        ga_array *slot = probe[i] ? (ga_index_axis)(all, 0, i) : NULL;
        st = !slot ? ga__failed()
             : greatest[i] ? (ga_max_into)(slot, probe[i], GA_ALL)
                           : (ga_min_into)(slot, probe[i], GA_ALL);
    }
    if (!st && !ga_asnumpy(all, got)) st = ga__failed();
    for (int i = 0; i < m && !st; i++) {
        if (of[i] >= 2 * n) {
            if (!ga__rule_kept(&rule[of[i] - 2 * n], got[i]))
                st = ga__fail(GA_ERR_VALUE, fn, "%s is wanted everywhere",
                              rule[of[i] - 2 * n].text);
        } else if (of[i] >= n) {
            if (got[i] != 0)
                st = ga__fail(GA_ERR_VALUE, fn, "%s holds fractions; %s%s%s is "
                              "wanted", p[of[i] - n].name,
                              ga__domains[p[of[i] - n].in].before,
                              p[of[i] - n].name,
                              ga__domains[p[of[i] - n].in].after);
        } else {
            if (!ga__in_domain(p[of[i]].in, got[i]))
                st = ga__out_of_domain(fn, p[of[i]], got[i], true);
            else if (least && !greatest[i]) least[of[i]] = got[i];
        }
    }
    ga_scope_end(&own);
    return st;
}

/* ---------------------------------------------------------------- drawing */
/* The thread's generator, if it can draw this on the device d. */
static ga_rng *ga__drawing(const char *fn, ga__dist k, const ga__device *d) {
    ga_rng *g = ga__rng_of(fn, ga__me.rng);
    if (!g || g->engine == GA_PHILOX) return g;
    if (ga__dists[k].engines != GA__ENGINES_E)
        return (ga_rng *)GA__NULL(GA_ERR_UNSUPPORTED, fn, "not by %s, which "
            "serves what one number an element makes; GA_PHILOX can",
            ga__engine_names[g->engine]);
    if (g->dev != d)
        return (ga_rng *)GA__NULL(GA_ERR_DEVICE_MISMATCH, fn, "the generator "
            "belongs to device %d, the current device is %d", g->dev->id,
            d->id);
    return ga__capturing(fn) ? NULL : g;
}
/* The next call of a generator. */
static void ga__take_call(ga_rng *g, ga__draw *r) {
    ga__rng_lock(g);
    r->seed = g->state.seed;
    r->substream = g->state.substream;
    r->call = g->state.call++;
    ga__rng_unlock(g);
    if (r->call >> 40) {            /* more than the counter has room for    */
        r->seed = ga__new_key(r->seed, r->substream | 1u << 24, r->call >> 40);
        r->call &= ((uint64_t)1 << 40) - 1;
    }
}

/* Strides of the parameters along out's axes, neighbours merged. */
static void ga__draw_axes(ga__draw *r, const ga_array *out,
                          const ga_array *const *x, int n) {
    ga__operand_view v[3];
    ga__axes_of axes = {out->ndim, r->shape, 0, {NULL}};
    memcpy(r->shape, out->shape, sizeof r->shape);
    for (int i = 0; i < n; i++) {
        ga__view_of(x[i], out->ndim, &v[i]);
        axes.o[axes.n++] = &v[i];
    }
    ga__group_axes(&axes, 0, axes.ndim, false, false);
    ga__some_axis(&axes);
    r->ndim = axes.ndim;
    for (int i = 0; i < n; i++)
        memcpy(r->param[i].stride, v[i].stride, sizeof v[i].stride);
}

/* Draws into out, new or safe to write and in C order, as the call r, which
   was taken from g. x, checked: numbers and float64 arrays (integers: two
   arrays of int64 or of uint64, or r's low and span).                      */
static ga_status ga__draw_call(const char *fn, ga_rng *g, ga__draw *r,
                               ga__dist k, ga_array *out,
                               const ga_array *const *x, int n) {
    if (!out->size) return GA_OK;
    ga__device *d = out->ga__buf->dev;
    ga_status st = GA_OK;
    bool arrays = false;
    r->dist = k;
    r->out_type = out->dtype == GA_BOOL ? GA_UINT8 : out->dtype;
    r->n = out->size;
    r->out = out->data;
    for (int i = 0; i < n; i++) {
        if (ga__is_number(x[i])) {
            r->param[i].value = ga__number_value(x[i]);
            continue;
        }
        arrays = true;
        r->param[i].data = x[i]->data;
    }
    if (arrays) ga__draw_axes(r, out, x, n);
    ga__buffer *words = NULL;
    if (g->engine != GA_PHILOX)
        st = ga__engine_words(fn, g, r, ga__stream(d), &words);
    if (!st) st = ga__run(fn, d, GA__JOB_random, r, &out, 1, x, n);
    ga__release(words);
    return st;
}
/* The same as a call of its own: what stands on the distributions uses it. */
static ga_status ga__draw_one(const char *fn, ga__dist k, ga_array *out,
                              const ga_array *const *x, int n) {
    ga__draw r;
    ga_rng *g = ga__drawing(fn, k, out->ga__buf->dev);
    if (!g) return ga__failed();
    memset(&r, 0, sizeof r);
    ga__take_call(g, &r);
    return ga__draw_call(fn, g, &r, k, out, x, n);
}

/* A C integer, or an integral C float: its sign and 64 bits. */
typedef struct ga__integer { bool negative; uint64_t bits; } ga__integer;
static bool ga__integer_of(const char *fn, const char *name, const ga_array *x,
                           ga__integer *out) {
    if (x->dtype == GA_UINT64) {
        out->negative = false;
        out->bits = x->ga__value.u;
        return true;
    }
    int64_t v = 0;
    if (x->dtype == GA_BOOL || ga__is_int(x->dtype)) {
        ga__cast_element(x->data, x->dtype, &v, GA_INT64);
    } else {
        double f = ga__number_value(x);
        if (!(f == floor(f) && fabs(f) < 0x1p63)) {
            ga__fail(GA_ERR_VALUE, fn, "%s is %.15g; an integer %s is wanted",
                     name, f, name);
            return false;
        }
        v = (int64_t)f;
    }
    out->negative = v < 0;
    out->bits = (uint64_t)v;
    return true;
}
static const char *ga__integer_text(ga__integer v) {
    static _Thread_local char text[2][24];
    static _Thread_local unsigned turn;
    char *b = text[turn++ % 2];
    snprintf(b, sizeof text[0], "%s%" PRIu64, v.negative ? "-" : "",
             v.negative ? 0 - v.bits : v.bits);
    return b;
}
/* [low, high) is not empty and in dtype t. */
static ga_status ga__check_integers(const char *fn, ga__integer low,
                                    ga__integer high, ga_dtype t) {
    bool less = low.negative != high.negative ? low.negative
                                              : low.bits < high.bits;
    if (!less)
        return ga__fail(GA_ERR_VALUE, fn, "low is %s, high %s; low < high is "
                        "wanted", ga__integer_text(low),
                        ga__integer_text(high));
    int bits = t == GA_BOOL ? 1 : (int)ga__size(t) * 8;
    bool is_signed = ga__kind(t) == 'i', fits;
    uint64_t top = high.bits - 1;   /* -1 where high is 0: negative then     */
    uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
    fits = !low.negative || (is_signed && low.bits >= ~most);
    if (fits && (high.negative || !high.bits)) fits = is_signed;
    else if (fits) fits = top <= most;
    if (fits) return GA_OK;
    return ga__fail(GA_ERR_VALUE, fn, "[%s, %s) is out of range for %s",
                    ga__integer_text(low), ga__integer_text(high),
                    ga_dtype_name(t));
}
/* Low and high as arrays (a number becomes one of rank 0) of int64 or uint64,
   checked where there are elements.                                         */
static ga_status ga__integer_arrays(const char *fn, const ga_array *const *x,
                                    ga_dtype t, bool check, ga_array **out) {
    ga_dtype as = t == GA_UINT64 ? GA_UINT64 : GA_INT64;
    ga_array *bound[2] = {NULL, NULL}, *order = NULL;
    int64_t two = 2, one = 1;
    for (int i = 0; i < 2; i++) {
        const char *name = ga__params[GA__DIST_integers][i].name;
        if (ga__is_number(x[i])) {
            ga__integer v;
            if (!ga__integer_of(fn, name, x[i], &v)) return ga__failed();
            if (as == GA_INT64 ? !v.negative && v.bits > INT64_MAX : v.negative)
                return ga__fail(GA_ERR_VALUE, fn, "%s is %s; beside an array "
                                "it must fit %s", name, ga__integer_text(v),
                                ga_dtype_name(as));
            ga_array number;
            out[i] = ga__full(fn, 0, &one, as == GA_UINT64
                              ? ga__arg_u(v.bits, &number)
                              : ga__arg_i((int64_t)v.bits, &number), as, NULL);
        } else {
            out[i] = x[i]->dtype == as ? ga__view_new(fn, x[i])
                                       : ga__copy_as(fn, x[i], as);
        }
        if (!out[i]) return ga__failed();
    }
    if (!check) return GA_OK;
    /* the casts wrapped: ends are looked at in the dtypes given */
    for (int i = 0; i < 2; i++) {
        const ga_array *given = ga__is_number(x[i]) ? out[i] : x[i];
        bool is_u = ga__kind(given->dtype) == 'u';
        bound[i] = ga__new(fn, ga__current(fn), 1, &two,
                           is_u ? GA_UINT64 : GA_INT64, NULL);
        for (int j = 0; j < 2; j++) {
            ga_array *slot = bound[i] ? (ga_index_axis)(bound[i], 0, j) : NULL;
            if (!slot
                || (j ? (ga_max_into)(slot, given, GA_ALL)
                      : (ga_min_into)(slot, given, GA_ALL)))
                return ga__failed();
        }
    }
    order = (ga_less)(ga__is_number(x[0]) ? out[0] : x[0],
                      ga__is_number(x[1]) ? out[1] : x[1]);
    order = order ? (ga_all)(order, GA_ALL) : NULL;
    if (!order) return ga__failed();
    uint64_t v[2][2];
    for (int i = 0; i < 2; i++)
        if (!ga_asnumpy(bound[i], v[i])) return ga__failed();
    bool fine = false;
    if (!ga_asnumpy(order, &fine)) return ga__failed();
    if (!fine)
        return ga__fail(GA_ERR_VALUE, fn, "low < high is wanted everywhere");
    ga__integer low = {bound[0]->dtype == GA_INT64 && v[0][0] >> 63, v[0][0]};
    ga__integer high = {bound[1]->dtype == GA_INT64 && v[1][1] >> 63, v[1][1]};
    if (as == GA_INT64 && !high.negative && high.bits > INT64_MAX)
        return ga__fail(GA_ERR_VALUE, fn, "high holds %s; as an array it must "
                        "fit int64", ga__integer_text(high));
    return ga__check_integers(fn, low, high, t);
}

/* The shape of a result: as given, or what x broadcast to; each of them fits,
   by its name (NULL: a batch's), and the elements can be counted.           */
static bool ga__drawn_shape(const char *fn, const ga_array *const *x, int n,
                            const ga__param *p, ga_dtype t,
                            ga_shape *shape) {
    int64_t size;
    ga_array like;                  /* of the result, for its shape          */
    if ((shape->ndim == -1
         && !ga__broadcast(fn, x, n, &shape->ndim, shape->dim))
        || !ga__count(fn, shape->ndim, shape->dim, t, &size))
        return false;
    like.ndim = shape->ndim;
    memcpy(like.shape, shape->dim, sizeof like.shape);
    for (int i = 0; i < n; i++)
        if (!ga__stretches(x[i], &like)) {
            ga__fail(GA_ERR_SHAPE, fn, "%s of shape %s does not broadcast to "
                     "%s", p ? p[i].name : "a batch",
                     ga__shape_text(x[i]->ndim, x[i]->shape),
                     ga__shape_text(shape->ndim, shape->dim));
            return false;
        }
    return true;
}
static bool ga__real_result(const char *fn, ga_dtype t, bool floats,
                            bool integers, bool bools) {
    if (!ga__dtype_ok(fn, t)) return false;
    if ((floats && ga__kind(t) == 'f') || (integers && ga__is_int(t))
        || (bools && t == GA_BOOL)) return true;
    ga__fail(GA_ERR_DTYPE, fn, "a result of %s is not possible",
             ga_dtype_name(t));
    return false;
}

/* One distribution, checked: into out, or new in *made where out is NULL. */
static ga_status ga__random(const char *fn, ga__dist k, ga_array *out,
                            ga_array **made, const ga_array *const *x,
                            ga_shape shape, ga_dtype t) {
    const int n = ga__dists[k].params;
    const ga__param *p = ga__params[k];
    bool arrays = false, empty = false;
    ga__device *d = ga__begin(fn, x, n, out, made);
    if (!d) return ga__failed();
    if (out) {
        t = out->dtype;
        shape = ga_shape_of(out);
    }
    bool whole = k == GA__DIST_integers;
    if (!ga__real_result(fn, t, !whole, ga__dists[k].result == GA__DRAWS_I,
                         whole))
        return ga__failed();
    for (int i = 0; i < n; i++) {
        bool is_array = !ga__is_number(x[i]);
        char kind = ga__kind(x[i]->dtype);
        arrays |= is_array;
        empty |= is_array && !x[i]->size;
        if (kind == 'c' || (k == GA__DIST_integers && is_array && kind == 'f'))
            return ga__fail(GA_ERR_DTYPE, fn, "%s is %s", p[i].name,
                            ga_dtype_name(x[i]->dtype));
    }
    if (!ga__drawn_shape(fn, x, n, p, t, &shape)) return ga__failed();
    ga_rng *g = ga__drawing(fn, k, d);
    if (!g || (arrays && ga__capturing(fn))) return ga__failed();

    ga__draw r;
    ga_scope own;
    const ga_array *y[3] = {NULL, NULL, NULL};
    ga_status st = GA_OK;
    memset(&r, 0, sizeof r);
    ga_scope_begin(&own);
    if (k == GA__DIST_integers && arrays) {
        ga_array *bound[2];
        r.is_unsigned = t == GA_UINT64;
        st = ga__integer_arrays(fn, x, t, !empty, bound);
        for (int i = 0; i < 2 && !st; i++) y[i] = bound[i];
    } else if (k == GA__DIST_integers) {
        ga__integer low, high;
        st = !ga__integer_of(fn, p[0].name, x[0], &low)
                     || !ga__integer_of(fn, p[1].name, x[1], &high)
                 ? ga__failed() : ga__check_integers(fn, low, high, t);
        if (!st) {
            r.low = low.bits;
            r.span = high.bits - low.bits - 1;
        }
    } else if (arrays) {
        for (int i = 0; i < n && !st; i++) {
            y[i] = ga__is_number(x[i]) || x[i]->dtype == GA_FLOAT64
                       ? x[i] : ga__copy_as(fn, x[i], GA_FLOAT64);
            if (!y[i]) st = ga__failed();
        }
        if (!st && !empty) st = ga__check_arrays(fn, k, p, n, y, NULL);
    } else {
        double v[3];
        for (int i = 0; i < n; i++) v[i] = ga__number_value(y[i] = x[i]);
        st = ga__check_values(fn, k, v);
    }
    if (!st) {
        ga__take_call(g, &r);
        int m = k == GA__DIST_integers && !arrays ? 0 : n;
        ga__result to;
        if (!ga__result_begin(&to, fn, d, out, made, shape.ndim, shape.dim, t, x,
                              n, 0))
            st = ga__failed();
        else
            st = ga__result_end(&to, ga__draw_call(fn, g, &r, k, to.to, y, m));
    }
    if (!st && made) ga_keep(*made);
    ga_scope_end(&own);
    return st;
}

static const ga_shape ga__no_shape = {0, {0}};
#define GA__GIVEN_0
#define GA__GIVEN_1 const ga_array *a,
#define GA__GIVEN_2 GA__GIVEN_1 const ga_array *b,
#define GA__GIVEN_3 GA__GIVEN_2 const ga_array *c,
#define GA__AFTER_0
#define GA__AFTER_1 , const ga_array *a
#define GA__AFTER_2 GA__AFTER_1, const ga_array *b
#define GA__AFTER_3 GA__AFTER_2, const ga_array *c
#define GA__ALL_0 NULL
#define GA__ALL_1 a
#define GA__ALL_2 a, b
#define GA__ALL_3 a, b, c
#define GA__DRAWN(n, k)                                                       \
    GA_API ga_array *(ga_random_##n)(GA__GIVEN_##k ga_shape shape,            \
                                     ga_dtype t) {                            \
        const ga_array *x[] = {GA__ALL_##k};                                  \
        ga_array *r = NULL;                                                   \
        ga__random("ga_random_" #n, GA__DIST_##n, NULL, &r, x, shape, t);     \
        return r;                                                             \
    }                                                                         \
    GA_API ga_status (ga_random_##n##_into)(ga_array *out GA__AFTER_##k) {    \
        const ga_array *x[] = {GA__ALL_##k};                                  \
        return ga__random("ga_random_" #n "_into", GA__DIST_##n, out, NULL,   \
                          x, ga__no_shape, GA_BOOL);                          \
    }
#define GA__X0(n, r, e) GA__DRAWN(n, 0)
#define GA__X1(n, ...) GA__DRAWN(n, 1)
#define GA__X2(n, ...) GA__DRAWN(n, 2)
#define GA__X3(n, ...) GA__DRAWN(n, 3)
GA_DISTRIBUTIONS_0(GA__X0) GA_DISTRIBUTIONS_1(GA__X1)
GA_DISTRIBUTIONS_2(GA__X2) GA_DISTRIBUTIONS_3(GA__X3)
#undef GA__X0
#undef GA__X1
#undef GA__X2
#undef GA__X3
#undef GA__DRAWN
GA_API ga_array *(ga_random)(ga_shape shape, ga_dtype t) {
    ga_array *r = NULL;
    ga__random("ga_random", GA__DIST_random, NULL, &r, NULL, shape, t);
    return r;
}

/* ---------------------------------------------- what stands on the rows */
GA_API ga_array *(ga_random_bytes)(int64_t n) {
    const char *fn = "ga_random_bytes";
    if (n < 0)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "%" PRId64 " bytes", n);
    int64_t words = n / 4 + (n % 4 != 0);
    ga_array *x = ga__new(fn, ga__current(fn), 1, &words, GA_UINT32, NULL);
    if (!x) return NULL;
    if (ga__draw_one(fn, GA__DIST_bits, x, NULL, 0)) {
        ga_free(x);
        return NULL;
    }
    x->dtype = GA_UINT8;
    x->size = x->shape[0] = n;
    return x;
}

/* The shape of a batch of rows: as given or what a and b (NULL: none) broadcast
   to, b's last axis left out; checked, and followed by that axis.           */
static bool ga__batch_shape(const char *fn, const ga_array *a,
                            const ga_array *b, ga_shape *shape) {
    ga_array rows = *b;
    rows.ndim--;
    const ga_array *x[2] = {&rows, a};
    int64_t size;
    if (!ga__drawn_shape(fn, x, a ? 2 : 1, NULL, GA_FLOAT64, shape))
        return false;
    if (shape->ndim == GA_MAX_NDIM) {
        ga__fail(GA_ERR_SHAPE, fn, "a batch of %d dimensions; 0 to %d are "
                 "possible", shape->ndim, GA_MAX_NDIM - 1);
        return false;
    }
    shape->dim[shape->ndim++] = b->shape[b->ndim - 1];
    return ga__count(fn, shape->ndim, shape->dim, GA_FLOAT64, &size);
}
/* A real array of rank 1 or more on the current device. */
static ga__device *ga__vectors(const char *fn, const char *name,
                               const ga_array *x) {
    if (!ga__ok(fn, x)) return NULL;
    if (ga__is_number(x) || !x->ndim)
        return (ga__device *)GA__NULL(GA_ERR_SHAPE, fn, "%s must have an axis",
                                      name);
    if (ga__kind(x->dtype) == 'c')
        return (ga__device *)GA__NULL(GA_ERR_DTYPE, fn, "%s is %s", name,
                                      ga_dtype_name(x->dtype));
    return ga__capturing(fn) ? NULL : ga__same_device(fn, &x, 1);
}
/* x's elements as float64 in a block for GA_FREE. */
static double *ga__host_values(const char *fn, const ga_array *x) {
    size_t bytes = (size_t)x->size * sizeof(double);
    double *v = (double *)GA_MALLOC(bytes + 1);
    if (!v) return (double *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    ga_array *c = ga__copy_as(fn, x, GA_FLOAT64);
    bool ok = c && (!bytes || ga_asnumpy(c, v));
    ga_free(c);
    if (ok) return v;
    GA_FREE(v);
    return NULL;
}
/* x as dtype t: itself, or a new array in the current scope. */
static ga_array *ga__as(const char *fn, ga_array *x, ga_dtype t) {
    return !x || x->dtype == t ? x : ga__copy_as(fn, x, t);
}

/* Of each row of k probabilities, in place: the chance of outcome j where none
   before it came.                                                           */
static ga_status ga__conditional(const char *fn, double *p, int64_t rows,
                                 int64_t k) {
    for (int64_t r = 0; r < rows; r++, p += k) {
        double left = 1, sum = 0;
        for (int64_t j = 0; j < k; j++) {
            if (!(p[j] >= 0 && p[j] <= 1))
                return ga__fail(GA_ERR_VALUE, fn, "pvals holds %.15g; 0 <= "
                                "pvals <= 1 is wanted", p[j]);
            if (j < k - 1) sum += p[j];
            double of = left;
            left -= p[j];
            p[j] = of > 0 && p[j] < of ? p[j] / of : p[j] > 0;
        }
        if (sum > 1 + 1e-12)
            return ga__fail(GA_ERR_VALUE, fn, "pvals but the last sum to "
                            "%.15g; at most 1 is wanted", sum);
    }
    return GA_OK;
}
GA_API ga_array *(ga_random_multinomial)(const ga_array *n,
                                         const ga_array *pvals, ga_shape shape,
                                         ga_dtype t) {
    const char *fn = "ga_random_multinomial";
    if (!ga__ok(fn, n)) return NULL;
    ga__device *d = ga__vectors(fn, "pvals", pvals);
    if (!d || !ga__same_device(fn, &n, 1)
        || !ga__real_result(fn, t, true, true, false))
        return NULL;
    if (ga__kind(n->dtype) == 'c')
        return (ga_array *)GA__NULL(GA_ERR_DTYPE, fn, "n is %s",
                                    ga_dtype_name(n->dtype));
    if (!ga__batch_shape(fn, n, pvals, &shape)
        || !ga__drawing(fn, GA__DIST_binomial, d))
        return NULL;
    int64_t k = shape.dim[shape.ndim - 1];
    double *p = ga__host_values(fn, pvals);
    if (!p) return NULL;
    ga_scope own;
    ga_scope_begin(&own);
    ga_array half, *chance = NULL, *left = NULL, *x = NULL, *result = NULL;
    ga_status st = ga__conditional(fn, p, k ? pvals->size / k : 0, k);
    if (!st && ga__is_number(n)) {
        double v[2] = {ga__number_value(n), 0.5};
        st = ga__check_values(fn, GA__DIST_binomial, v);
    } else if (!st && n->size) {
        const ga_array *y[2] = {ga__copy_as(fn, n, GA_FLOAT64),
                                ga__arg_f(0.5, &half)};
        st = y[0] ? ga__check_arrays(fn, GA__DIST_binomial,
                                     ga__params[GA__DIST_binomial], 2, y, NULL)
                  : ga__failed();
    }
    if (!st) {
        ga_shape ps = ga_shape_of(pvals);
        chance = ga__from_host(fn, p, GA_FLOAT64, ps, false);
        left = ga__new(fn, d, shape.ndim - 1, shape.dim, GA_FLOAT64, NULL);
        x = ga__new(fn, d, shape.ndim - 1, shape.dim, GA_FLOAT64, NULL);
        result = ga__new(fn, d, shape.ndim, shape.dim, t, NULL);
        if (!chance || !left || !x || !result || (ga_assign)(left, n))
            st = ga__failed();
    }
    GA_FREE(p);
    for (int64_t j = 0; j < k && !st; j++) {
        ga_array *to = (ga_index_axis)(result, -1, j);
        const ga_array *y[2] = {left, (ga_index_axis)(chance, -1, j)};
        if (!to || !y[1]) st = ga__failed();
        if (!st && j == k - 1) {
            st = (ga_assign)(to, left);
        } else if (!st) {
            st = ga__draw_one(fn, GA__DIST_binomial, x, y, 2);
            if (!st) st = (ga_assign)(to, x);
            if (!st) st = (ga_subtract_into)(left, left, x);
        }
        ga_free(to);
        ga_free((ga_array *)(uintptr_t)y[1]);
    }
    return ga__leave(&own, st ? NULL : result);
}

/* Gammas over their sum. Where a shape is small they underflow, and one of
   shape a is drawn as g u**(1/a), g of shape a + 1, in logarithms (Stuart's
   theorem), u = e**-x from an exponential x.                                */
GA_API ga_array *(ga_random_dirichlet)(const ga_array *alpha, ga_shape shape,
                                       ga_dtype t) {
    const char *fn = "ga_random_dirichlet";
    static const ga__param alphas = {"alpha", GA__FROM_0};
    const double small = 0.1;
    ga__device *d = ga__vectors(fn, "alpha", alpha);
    if (!d || !ga__real_result(fn, t, true, false, false)
        || !ga__batch_shape(fn, NULL, alpha, &shape)
        || !ga__drawing(fn, GA__DIST_gamma, d))
        return NULL;
    ga_scope own;
    ga_scope_begin(&own);
    ga_array one, tiny;
    ga_axis last = {1, true, {-1}};
    double least[3] = {1, 1, 1};
    ga_status st = GA_OK;
    ga_array *a = ga__copy_as(fn, alpha, GA_FLOAT64), *sum;
    const ga_array *y[2] = {a, ga__arg_i(1, &one)};
    if (!a) st = ga__failed();
    if (!st && a->size)
        st = ga__check_arrays(fn, GA__DIST_gamma, &alphas, 1, y, least);
    ga_array *g = st ? NULL : ga__new(fn, d, shape.ndim, shape.dim, GA_FLOAT64,
                                      NULL);
    if (!g) return ga__leave(&own, NULL);
    if (least[0] >= small) {
        st = ga__draw_one(fn, GA__DIST_gamma, g, y, 2);
    } else {
        ga_array *b = (ga_add)(a, y[1]), *m = NULL;
        ga_array *x = ga__new(fn, d, shape.ndim, shape.dim, GA_FLOAT64, NULL);
        const ga_array *z[2] = {b, y[1]};
        if (!b || !x) st = ga__failed();
        if (!st) st = ga__draw_one(fn, GA__DIST_gamma, g, z, 2);
        if (!st) st = ga__draw_one(fn, GA__DIST_exponential, x, &y[1], 1);
        if (!st)                    /* x/a stays finite                      */
            st = (ga_maximum_into)(a, a, ga__arg_f(1e-300, &tiny));
        if (!st) st = (ga_divide_into)(x, x, a);
        if (!st) st = (ga_log_into)(g, g);
        if (!st) st = (ga_subtract_into)(g, g, x);
        if (!st && g->size) {
            m = (ga_max)(g, last);
            st = m ? (ga_subtract_into)(g, g, m) : ga__failed();
        }
        if (!st) st = (ga_exp_into)(g, g);
    }
    sum = st ? NULL : (ga_sum)(g, last);
    if (!sum || (ga_divide_into)(g, g, sum)) return ga__leave(&own, NULL);
    return ga__leave(&own, ga__as(fn, g, t));
}

GA_API ga_array *(ga_random_multivariate_normal)(const ga_array *mean,
                                                 const ga_array *cov,
                                                 ga_shape shape, ga_dtype t) {
    const char *fn = "ga_random_multivariate_normal";
    ga__device *d = ga__vectors(fn, "mean", mean);
    if (!d || !ga__vectors(fn, "cov", cov)
        || !ga__real_result(fn, t, true, false, false))
        return NULL;
    int64_t k = mean->shape[0];
    if (mean->ndim != 1 || cov->ndim != 2 || cov->shape[0] != k
        || cov->shape[1] != k)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "mean has shape %s, cov "
            "%s; (k,) and (k,k) are wanted",
            ga__shape_text(mean->ndim, mean->shape),
            ga__shape_text(cov->ndim, cov->shape));
    if (!ga__batch_shape(fn, NULL, mean, &shape)
        || !ga__drawing(fn, GA__DIST_standard_normal, d))
        return NULL;
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *c = ga__copy_as(fn, cov, GA_FLOAT64), *w = NULL, *v = NULL;
    ga_array *r = NULL, *root = NULL, *x = NULL, *m = NULL, zero;
    double *host = c ? ga__host_values(fn, c) : NULL, most = 0, off = 0;
    ga_status st = host ? GA_OK : ga__failed();
    for (int64_t i = 0; i < k && !st; i++)
        for (int64_t j = 0; j < k; j++) {
            double e = fabs(host[i * k + j] - host[j * k + i]);
            most = fmax(most, fabs(host[i * k + j]));
            off = e > off || isnan(e) ? e : off;
        }
    GA_FREE(host);
    if (!st && !(off <= 1e-8 * most))
        st = ga__fail(GA_ERR_VALUE, fn, "cov is not symmetric, or not finite");
    if (!st) st = (ga_eigh)(c, &w, &v);
    host = st ? NULL : ga__host_values(fn, w);
    if (!st && !host) st = ga__failed();
    if (!st && k && host[0] < -1e-8 * most)
        st = ga__fail(GA_ERR_NOT_POSITIVE_DEFINITE, fn, "cov has the "
                      "eigenvalue %.6g; none below 0 is wanted", host[0]);
    GA_FREE(host);
    /* v sqrt(w) v^T, in the dtype of the work */
    ga_dtype as = t == GA_FLOAT64 ? t : GA_FLOAT32;
    if (!st) st = (ga_maximum_into)(w, w, ga__arg_i(0, &zero));
    if (!st) st = (ga_sqrt_into)(w, w);
    r = st ? NULL : (ga_multiply)(v, w);
    v = r ? ga__transposed(fn, v) : NULL;
    root = v ? ga__as(fn, ga__matmul(fn, r, v), as) : NULL;
    m = root ? ga__copy_as(fn, mean, as) : NULL;
    ga_array *z = m ? ga__new(fn, d, shape.ndim, shape.dim, as, NULL) : NULL;
    if (z && !ga__draw_one(fn, GA__DIST_standard_normal, z, NULL, 0))
        x = ga__matmul(fn, z, root);
    if (!x || (ga_add_into)(x, x, m)) return ga__leave(&own, NULL);
    return ga__leave(&own, ga__as(fn, x, t));
}

/* The first `take` of 0 .. n-1 in random order: int64. */
static ga_array *ga__random_order(const char *fn, ga__device *d, int64_t n,
                                  int64_t take) {
    if (n >= (int64_t)1 << 32)
        return (ga_array *)GA__NULL(GA_ERR_SIZE, fn, "%" PRId64 " rows; below "
                                    "2**32 are possible", n);
    int64_t words = 2 * n;
    ga_array *keys = ga__new(fn, d, 1, &words, GA_UINT32, NULL);
    ga_array *index = keys && !ga__draw_one(fn, GA__DIST_bits, keys, NULL, 0)
                          ? ga__sorted(fn, d, keys, n, take) : NULL;
    ga_free(keys);
    return index;
}
/* a is a C integer >= 0, or an array of rows on the current device: their
   number; -1 and an error otherwise.                                        */
static int64_t ga__rows_of(const char *fn, const ga_array *a) {
    ga__integer n;
    if (!ga__ok(fn, a) || !ga__same_device(fn, &a, 1)) return -1;
    if (ga__is_number(a)) {
        if (!ga__integer_of(fn, "n", a, &n)) return -1;
        if (!n.negative && n.bits <= INT64_MAX) return (int64_t)n.bits;
        ga__fail(GA_ERR_VALUE, fn, "n is %s; 0 <= n < 2**63 is wanted",
                 ga__integer_text(n));
        return -1;
    }
    if (a->ndim) return a->shape[0];
    ga__fail(GA_ERR_SHAPE, fn, "an array of shape () has no rows");
    return -1;
}
static ga_shape ga__vector_shape(int64_t n) {
    ga_shape s = {1, {0}};
    s.dim[0] = n;
    return s;
}
GA_API ga_array *(ga_random_permutation)(const ga_array *x) {
    const char *fn = "ga_random_permutation";
    int64_t n = ga__rows_of(fn, x);
    if (n < 0) return NULL;
    const bool empty = !ga__is_number(x) && !x->size;
    if (empty) n = 0;               /* of any number of rows                */
    ga_array *index = ga__random_order(fn, ga__current(fn), n, n);
    if (!index || ga__is_number(x)) return index;
    ga_array *y = empty ? (ga_copy)(x)
                        : ga__gather(fn, x, index, ga__vector_shape(n));
    ga_free(index);
    return y;
}
GA_API ga_status (ga_random_shuffle)(ga_array *x, int axis) {
    const char *fn = "ga_random_shuffle";
    const ga_array *in = x;
    if (!ga__ok(fn, x) || !ga__writable(fn, x) || !ga__same_device(fn, &in, 1))
        return ga__failed();
    axis = ga__axis(fn, axis, x->ndim);
    if (axis < 0) return ga__failed();
    ga_scope own;
    ga_scope_begin(&own);
    ga_axis from = {1, false, {0}}, to = {1, false, {0}};
    from.axis[0] = axis;
    ga_array *rows = (ga_moveaxis)(x, from, to);
    int64_t n = rows && x->size ? rows->shape[0] : 0;
    ga_array *index = rows ? ga__random_order(fn, x->ga__buf->dev, n, n) : NULL;
    ga_array *y = index && n ? ga__gather(fn, rows, index, ga__vector_shape(n))
                             : index;
    ga_status st = !y ? ga__failed() : n ? (ga_assign)(rows, y) : GA_OK;
    ga_scope_end(&own);
    return st;
}

/* Indices with these weights, on the host to be the same everywhere. With
   replacement: the place of a uniform number in their cumulative sums. Without:
   the m least of x/p, x exponential (Efraimidis and Spirakis 2006).         */
static ga_array *ga__weighted(const char *fn, ga__device *d, double *p,
                              int64_t n, int64_t m, bool replace) {
    double sum = 0, low = 0;        /* compensated (Neumaier)                */
    int64_t some = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(p[i] >= 0 && p[i] < INFINITY))
            return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "p holds %.15g; p >= "
                                        "0 is wanted", p[i]);
        double t = sum + p[i];
        low += sum >= p[i] ? (sum - t) + p[i] : (p[i] - t) + sum;
        sum = t;
        some += p[i] > 0;
        if (replace) p[i] = sum + low;
    }
    sum += low;
    if (!(fabs(sum - 1) <= 1.5e-8))
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "p sums to %.15g; 1 is "
                                    "wanted", sum);
    if (!replace && m > some)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "%" PRId64 " of %" PRId64
            " with p > 0 without replacement", m, some);
    ga_shape shape = ga__vector_shape(m);
    if (!replace) {
        ga__draw r;
        ga_rng *g = ga__drawing(fn, GA__DIST_bits, d);
        if (!g) return NULL;
        uint64_t *key = (uint64_t *)GA_MALLOC((size_t)n * sizeof *key + 1);
        int64_t *index = (int64_t *)GA_MALLOC((size_t)n * sizeof *index + 1);
        ga__sort q = {{NULL, NULL}, key, index, n, m};
        q.use.work = GA_MALLOC(gk_sort_work(&q, 0) + 1);
        ga_array *result = NULL;
        if (key && index && q.use.work) {
            memset(&r, 0, sizeof r);
            ga__take_call(g, &r);
            r.dist = GA__DIST_bits;
            r.out_type = GA_UINT32;
            r.n = 2 * n;
            r.out = key;
            if (n) gk_cpu_random(&r);
            for (int64_t i = 0; i < n; i++) {
                double u = ((double)(key[i] >> 11) + 0.5) * 0x1p-53;
                double x = p[i] > 0 ? -log(u) / p[i] : INFINITY;
                memcpy(&key[i], &x, sizeof x);  /* positive: bits in order   */
            }
            if (n) gk_cpu_sort(&q);
            result = ga__from_host(fn, index, GA_INT64, shape, false);
        } else {
            ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
        }
        GA_FREE(key);
        GA_FREE(index);
        GA_FREE(q.use.work);
        return result;
    }
    for (int64_t i = 0; i < n; i++) p[i] /= sum;
    ga_array *table = ga__from_host(fn, p, GA_FLOAT64, ga__vector_shape(n),
                                    false);
    ga_array *u = table ? ga__new(fn, d, 1, &m, GA_FLOAT64, NULL) : NULL;
    if (!u || ga__draw_one(fn, GA__DIST_random, u, NULL, 0)) return NULL;
    return ga__searched(fn, d, table, u);
}
GA_API ga_array *(ga_random_choice)(const ga_array *a, ga_shape shape,
                                    bool replace, const ga_array *p) {
    const char *fn = "ga_random_choice";
    int64_t n = ga__rows_of(fn, a), m;
    bool weights = !p || p->ga__magic != GA__ABSENT;
    if (n < 0 || !ga__count(fn, shape.ndim, shape.dim, GA_INT64, &m))
        return NULL;
    if (weights) {
        if (!ga__vectors(fn, "p", p)) return NULL;
        if (p->ndim != 1 || p->shape[0] != n)
            return (ga_array *)GA__NULL(GA_ERR_SHAPE, fn, "p has shape %s for %"
                PRId64 " rows", ga__shape_text(p->ndim, p->shape), n);
    }
    if (!n && m)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "nothing to choose from");
    if (!replace && m > n)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "%" PRId64 " of %" PRId64
                                    " without replacement", m, n);
    ga__device *d = ga__current(fn);
    ga_scope own;
    ga_scope_begin(&own);
    ga_array *index = NULL, *y = NULL;
    if (n && weights) {
        double *w = ga__host_values(fn, p);
        if (w) index = ga__weighted(fn, d, w, n, m, replace);
        GA_FREE(w);
    } else if (!replace || !n) {
        index = ga__random_order(fn, d, n, m);
    } else {
        ga_array low, high;
        const ga_array *ends[2] = {ga__arg_i(0, &low), ga__arg_i(n, &high)};
        ga__random(fn, GA__DIST_integers, NULL, &index, ends,
                   ga__vector_shape(m), GA_INT64);
    }
    if (index)
        y = ga__is_number(a) ? ga__reshape(fn, index, shape)
                             : ga__gather(fn, a, index, shape);
    return ga__leave(&own, y);
}
/* ================================================================ >>i-eval
   Text to tree, once; tree to plan, once for the operands' dtypes; the plan
   bound to arrays, at every call. A plan's parts each end in stores or in a
   reduction; a part is one program, or several where it is too long.       */
#define GA__E_NODES 8192            /* of a tree, and values of a plan      */
#define GA__E_NAMES 24
#define GA__E_WORD 32               /* longest name, with its 0             */
#define GA__E_DEPTH 100             /* nested parentheses, signs, powers    */
#define GA__E_SOURCES 64            /* operands, and arrays between parts   */
#define GA__E_COMPUTED 32           /* numbers computed from C numbers      */
#define GA__E_PLANS 16              /* kept for one text                    */
#define GA__E_SETS 64               /* texts kept: sets of four             */

typedef enum ga__e_kind {
    GA__E_NUMBER, GA__E_NAME, GA__E_OP, GA__E_CAST, GA__E_REDUCE
} ga__e_kind;
typedef struct ga__e_node {
    unsigned char kind, nin;
    short what;                     /* the name's index, ga__op, dtype, red */
    short in[3];
    int at;                         /* its place in the text                */
    ga_dtype t;                     /* of a NUMBER; its bytes or the axes   */
    union { bool b; int64_t i; uint64_t u; double f; double c[2]; } number;
    ga_axis axis;
} ga__e_node;
typedef struct ga__e_statement {
    short name, last;               /* -1: the result; its root node        */
    int at;
} ga__e_statement;

/* What gpuarr_rtc.h puts in an expression: a launch of its own on CUDA
   devices. run says in *done whether it took this one.                     */
typedef struct ga__e_jit ga__e_jit;
struct ga__e_jit {
    ga_status (*run)(ga__e_jit *j, ga__device *d, const char *fn,
                     const ga__eval *v, ga_stream *s, bool *done);
    void (*free)(ga__e_jit *j);
};

typedef struct ga__e_plan ga__e_plan;
struct ga_expr {
    _Atomic(ga__e_jit *) jit;
    atomic_int refs;
    char *text, *names;
    ga__e_node *node;
    ga__e_statement *statement;
    int nnodes, nodecap, nstatements, statementcap;
    int noperands, nnames;          /* the text's own names follow          */
    char name[GA__E_NAMES][GA__E_WORD];
    ga__e_plan *plans;              /* guarded by ga__e_lock                */
};

/* ------------------------------------------------------------ text to tree */
typedef struct ga__e_parser {
    const char *fn, *p;             /* the public function; what comes next */
    ga_expr *e;
    int depth;                      /* of the recursion                     */
} ga__e_parser;

static short ga__e_fail(ga__e_parser *q, ga_status st, int at, const char *fmt,
                        ...) GA__PRINTF(4, 5);
static short ga__e_fail(ga__e_parser *q, ga_status st, int at, const char *fmt,
                        ...) {
    char what[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    ga__me.text = q->e->text;
    ga__me.at = at;
    ga__fail(st, q->fn, "%s", what);
    ga__me.text = NULL;
    return -1;
}

/* The words of the language: the tables' rows and their other names. */
typedef struct ga__e_function {
    const char *name;
    short op;
    unsigned char nin;
} ga__e_function;
#define GA__X(n, ...) {#n, GA__OP_##n, 1},
#define GA__Y(n, ...) {#n, GA__OP_##n, 2},
#define GA__XA(n, of) {#n, GA__OP_##of, 1},
#define GA__YA(n, of) {#n, GA__OP_##of, 2},
static const ga__e_function ga__e_functions[] = {
    GA_UNARY_OPS(GA__X) GA_BINARY_OPS(GA__Y)
    GA_UNARY_ALIASES(GA__XA) GA_BINARY_ALIASES(GA__YA)
    {"round", GA__OP_round, 1}, {"where", GA__OP_where, 3},
    {"clip", GA__OP_clip, 3}, {NULL, 0, 0}};
#undef GA__X
#undef GA__Y
#undef GA__XA
#undef GA__YA
#define GA__X(n, ...) {#n, GA__RED_##n, 1},
static const ga__e_function ga__e_reductions[] = {
    GA_REDUCTIONS(GA__X) GA_REDUCTIONS_DDOF(GA__X) {NULL, 0, 0}};
#undef GA__X
/* C's precedence; of two that match the longer stands first. */
static const struct ga__e_infix { char text[3]; signed char bind; short op; }
ga__e_infix[] = {
    {"||", 2, GA__OP_logical_or}, {"&&", 3, GA__OP_logical_and},
    {"<<", 9, GA__OP_left_shift}, {">>", 9, GA__OP_right_shift},
    {"==", 7, GA__OP_equal}, {"!=", 7, GA__OP_not_equal},
    {"<=", 8, GA__OP_less_equal}, {">=", 8, GA__OP_greater_equal},
    {"**", 13, GA__OP_power}, {"|", 4, GA__OP_bitwise_or},
    {"^", 5, GA__OP_bitwise_xor}, {"&", 6, GA__OP_bitwise_and},
    {"<", 8, GA__OP_less}, {">", 8, GA__OP_greater}, {"+", 10, GA__OP_add},
    {"-", 10, GA__OP_subtract}, {"*", 11, GA__OP_multiply},
    {"/", 11, GA__OP_divide}, {"%", 11, GA__OP_remainder}, {"", 0, 0}};
#define GA__E_SIGN 12               /* looser than **, as in Python         */

static void ga__e_space(ga__e_parser *q) {
    while (*q->p == ' ' || *q->p == '\t' || *q->p == '\n' || *q->p == '\r')
        q->p++;
}
static bool ga__e_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
           || (c >= '0' && c <= '9');
}
static bool ga__e_digit(char c) { return c >= '0' && c <= '9'; }
static bool ga__e_is(const char *name, const char *p, int len) {
    return strlen(name) == (size_t)len && !memcmp(name, p, (size_t)len);
}
static int ga__e_at(const ga__e_parser *q) { return (int)(q->p - q->e->text); }
/* Reads a word; its length. */
static int ga__e_word(ga__e_parser *q) {
    const char *from = q->p;
    while (ga__e_letter(*q->p)) q->p++;
    return (int)(q->p - from);
}

/* Room for one more of a growing list: doubled. */
static bool ga__e_grow(void **list, int *cap, int n, size_t size) {
    if (n < *cap) return true;
    int longer = *cap ? *cap * 2 : 16;
    void *p = GA_REALLOC(*list, (size_t)longer * size);
    if (!p) return false;
    *list = p;
    *cap = longer;
    return true;
}
static short ga__e_new(ga__e_parser *q, ga__e_kind k, int what, int at) {
    ga_expr *e = q->e;
    if (e->nnodes == GA__E_NODES)
        return ga__e_fail(q, GA_ERR_SIZE, at, "the expression has more than "
                          "%d terms and operations", GA__E_NODES);
    void *list = e->node;
    if (!ga__e_grow(&list, &e->nodecap, e->nnodes, sizeof *e->node))
        return (short)-(ga__fail(GA_ERR_HOST_MEMORY, q->fn, NULL) != GA_OK);
    e->node = (ga__e_node *)list;
    ga__e_node *n = &e->node[e->nnodes];
    memset(n, 0, sizeof *n);
    n->kind = (unsigned char)k;
    n->what = (short)what;
    n->at = at;
    return (short)e->nnodes++;
}
static short ga__e_operation(ga__e_parser *q, ga__e_kind kind, int what, int at,
                        int nin, short a, short b, short c) {
    if (a < 0 || (nin > 1 && b < 0) || (nin > 2 && c < 0)) return -1;
    short n = ga__e_new(q, kind, what, at);
    if (n < 0) return n;
    q->e->node[n].nin = (unsigned char)nin;
    q->e->node[n].in[0] = a;
    q->e->node[n].in[1] = b;
    q->e->node[n].in[2] = c;
    return n;
}
static short ga__e_float(ga__e_parser *q, int at, double v) {
    short n = ga__e_new(q, GA__E_NUMBER, 0, at);
    if (n < 0) return n;
    q->e->node[n].t = GA_FLOAT64;
    q->e->node[n].number.f = v;
    return n;
}

static bool ga__e_deeper(ga__e_parser *q) {
    if (++q->depth <= GA__E_DEPTH) return true;
    ga__e_fail(q, GA_ERR_SIZE, ga__e_at(q), "nested deeper than %d",
               GA__E_DEPTH);
    return false;
}
static short ga__e_binary(ga__e_parser *q, int bind);
static short ga__e_ternary(ga__e_parser *q);

/* 12, 0x1f, 1.5e-3, 2i; C's suffixes f and u change nothing. strtod reads the
   digits without their point, which it may expect to be a comma.           */
static short ga__e_number(ga__e_parser *q) {
    const char *c = q->p;
    char *end, text[100];
    int digits = 0, behind = 0;
    long power = 0;
    short n = ga__e_new(q, GA__E_NUMBER, 0, ga__e_at(q));
    if (n < 0) return n;
    ga__e_node *v = &q->e->node[n];
    bool hex = c[0] == '0' && (c[1] == 'x' || c[1] == 'X'), whole = true;
    for (; !hex && (ga__e_digit(*c) || (*c == '.' && whole)); c++) {
        if (digits == 64)
            return ga__e_fail(q, GA_ERR_SIZE, v->at, "a number of more than 64 "
                              "digits");
        if (*c == '.') whole = false;
        else text[digits++] = *c, behind += !whole;
    }
    bool sign = *c && (c[1] == '+' || c[1] == '-');
    if (!hex && (*c == 'e' || *c == 'E') && ga__e_digit(c[1 + sign])) {
        whole = false;
        power = strtol(c + 1, &end, 10);
        power = power > 9999 ? 9999 : power < -9999 ? -9999 : power;
        c = end;
    }
    if (whole) {
        errno = 0;
        v->number.u = strtoull(q->p, &end, hex ? 16 : 10);
        c = end;
        if (errno)
            return ga__e_fail(q, GA_ERR_SIZE, v->at, "an integer beyond 64 "
                              "bits");
        v->t = v->number.u <= INT64_MAX ? GA_INT64 : GA_UINT64;
    } else {
        snprintf(text + digits, sizeof text - 64, "e%ld", power - behind);
        v->number.f = strtod(text, NULL);
        v->t = GA_FLOAT64;
    }
    if (*c == 'i' || *c == 'j') {
        v->number.c[1] = v->t == GA_FLOAT64 ? v->number.f : (double)v->number.u;
        v->number.c[0] = 0;
        v->t = GA_COMPLEX128;
        c++;
    } else if (*c == 'f' || *c == 'F' || *c == 'u' || *c == 'U') {
        c++;
    }
    q->p = c;
    if (ga__e_letter(*c) || *c == '.')
        return ga__e_fail(q, GA_ERR_SYNTAX, ga__e_at(q), "unexpected '%c' in a "
                          "number", *c);
    return n;
}

/* What may follow a reduction's value: axis=, keepdims=. */
static bool ga__e_options(ga__e_parser *q, ga_axis *axis) {
    *axis = GA_ALL;
    while (*q->p == ',') {
        q->p++;
        ga__e_space(q);
        const char *word = q->p;
        int at = ga__e_at(q), len = ga__e_word(q);
        ga__e_space(q);
        bool is_axis = ga__e_is("axis", word, len);
        if ((!is_axis && !ga__e_is("keepdims", word, len)) || *q->p != '=')
            return ga__e_fail(q, GA_ERR_SYNTAX, at, "axis= or keepdims= is "
                              "expected"), false;
        q->p++;
        ga__e_space(q);
        at = ga__e_at(q);
        if (!is_axis) {
            word = q->p;
            len = ga__e_word(q);
            axis->keepdims = ga__e_is("true", word, len)
                             || ga__e_is("True", word, len)
                             || ga__e_is("1", word, len);
            if (!axis->keepdims && !ga__e_is("false", word, len)
                && !ga__e_is("False", word, len) && !ga__e_is("0", word, len))
                return ga__e_fail(q, GA_ERR_SYNTAX, at, "keepdims is true or "
                                  "false"), false;
            ga__e_space(q);
            continue;
        }
        bool many = *q->p == '(';
        axis->n = 0;
        q->p += many;
        for (;;) {
            char *end;
            ga__e_space(q);
            if (many && *q->p == ')') break;        /* (0,) as Python's     */
            long v = strtol(q->p, &end, 10);
            if (end == q->p || v < -99 || v > 99 || axis->n == GA_MAX_NDIM)
                return ga__e_fail(q, GA_ERR_SYNTAX, ga__e_at(q), "an axis is "
                                  "expected"), false;
            q->p = end;
            axis->axis[axis->n++] = (int)v;
            ga__e_space(q);
            if (!many || *q->p != ',') break;
            q->p++;
        }
        if (many && *q->p != ')')
            return ga__e_fail(q, GA_ERR_SYNTAX, ga__e_at(q), "')' is missing "
                              "after the axes"), false;
        q->p += many;
        ga__e_space(q);
    }
    return true;
}
static bool ga__e_close(ga__e_parser *q) {
    if (*q->p == ')') {
        q->p++;
        return true;
    }
    ga__e_fail(q, GA_ERR_SYNTAX, ga__e_at(q), *q->p ? "')' is expected"
               : "')' is missing");
    return false;
}

/* A word: an operand, a name set before, a constant, a call. */
static short ga__e_name(ga__e_parser *q) {
    const char *word = q->p;
    int at = ga__e_at(q), len = ga__e_word(q);
    ga__e_space(q);
    bool member = (*q->p == '-' && q->p[1] == '>') || *q->p == '.';
    if (member || *q->p == '[')
        return ga__e_fail(q, GA_ERR_SYNTAX, at, "'%.*s%s': operands are plain "
                          "names; put it into a variable first",
                          len < 64 ? len : 64, word, *q->p == '[' ? "["
                          : *q->p == '.' ? "." : "->");
    if (*q->p != '(') {
        for (int i = 0; i < q->e->nnames; i++)
            if (ga__e_is(q->e->name[i], word, len))
                return ga__e_new(q, GA__E_NAME, i, at);
        if (ga__e_is("pi", word, len))
            return ga__e_float(q, at, 3.14159265358979323846);
        if (ga__e_is("e", word, len))
            return ga__e_float(q, at, 2.71828182845904523536);
        if (ga__e_is("inf", word, len)) return ga__e_float(q, at, INFINITY);
        if (ga__e_is("nan", word, len)) return ga__e_float(q, at, NAN);
        bool yes = ga__e_is("true", word, len);
        if (yes || ga__e_is("false", word, len)) {
            short n = ga__e_new(q, GA__E_NUMBER, 0, at);
            if (n >= 0) {
                q->e->node[n].t = GA_BOOL;
                q->e->node[n].number.b = yes;
            }
            return n;
        }
        return ga__e_fail(q, GA_ERR_SYNTAX, at, "unknown name '%.*s'",
                          len < 64 ? len : 64, word);
    }
    const ga__e_function *f = ga__e_functions, *r = ga__e_reductions;
    while (f->name && !ga__e_is(f->name, word, len)) f++;
    while (r->name && !ga__e_is(r->name, word, len)) r++;
    int cast = 0;
    while (cast < GA_NUM_DTYPES && !ga__e_is(ga__dtypes[cast].name, word, len))
        cast++;
    if (!f->name && !r->name && cast == GA_NUM_DTYPES)
        return ga__e_fail(q, GA_ERR_SYNTAX, at, "unknown function '%.*s'",
                          len < 64 ? len : 64, word);
    q->p++;
    short arg[3] = {-1, -1, -1};
    int n = 0, want = f->name ? f->nin : 1;
    ga__e_space(q);
    while (*q->p && *q->p != ')') {
        short a = ga__e_ternary(q);
        if (a < 0) return a;
        if (n < 3) arg[n] = a;
        n++;
        if (*q->p != ',' || (r->name && n == 1)) break;
        q->p++;
        ga__e_space(q);
    }
    ga_axis axis = GA_ALL;
    if (r->name && n == 1 && !ga__e_options(q, &axis)) return -1;
    if (!ga__e_close(q)) return -1;
    if (n != want)
        return ga__e_fail(q, GA_ERR_SYNTAX, at, "%.*s takes %d argument%s, not "
                          "%d", len, word, want, want == 1 ? "" : "s", n);
    short node = ga__e_operation(q, f->name ? GA__E_OP : r->name ? GA__E_REDUCE
                               : GA__E_CAST,
                            f->name ? f->op : r->name ? r->op : cast, at, want,
                            arg[0], arg[1], arg[2]);
    if (node >= 0) q->e->node[node].axis = axis;
    return node;
}

static short ga__e_primary(ga__e_parser *q) {
    ga__e_space(q);
    int at = ga__e_at(q);
    char c = *q->p;
    if (!ga__e_deeper(q)) return -1;
    short n;
    if (c == '(') {
        q->p++;
        n = ga__e_ternary(q);
        if (n >= 0 && !ga__e_close(q)) n = -1;
    } else if (c == '-' || c == '+' || c == '~' || c == '!') {
        ga__op op = c == '-' ? GA__OP_negative : c == '+' ? GA__OP_positive
                    : c == '~' ? GA__OP_bitwise_not : GA__OP_logical_not;
        q->p++;
        n = ga__e_operation(q, GA__E_OP, op, at, 1, ga__e_binary(q, GA__E_SIGN),
                            -1, -1);
    } else if (ga__e_digit(c) || (c == '.' && ga__e_digit(q->p[1]))) {
        n = ga__e_number(q);
    } else if (ga__e_letter(c)) {
        n = ga__e_name(q);
    } else if (!c) {
        n = ga__e_fail(q, GA_ERR_SYNTAX, at, "the expression ends too early");
    } else {
        n = ga__e_fail(q, GA_ERR_SYNTAX, at, "unexpected '%c'", c);
    }
    q->depth--;
    ga__e_space(q);
    return n;
}
/* Infix operators that bind at least as tightly as `bind`. */
static short ga__e_binary(ga__e_parser *q, int bind) {
    short left = ga__e_primary(q);
    while (left >= 0) {
        const struct ga__e_infix *k = ga__e_infix;
        while (k->bind && strncmp(q->p, k->text, strlen(k->text))) k++;
        if (!k->bind || k->bind < bind) break;
        int at = ga__e_at(q);
        bool power = k->op == GA__OP_power;     /* groups to the right      */
        q->p += strlen(k->text);
        if (power && !ga__e_deeper(q)) return -1;
        short right = ga__e_binary(q, power ? GA__E_SIGN : k->bind + 1);
        q->depth -= power;
        left = ga__e_operation(q, GA__E_OP, k->op, at, 2, left, right, -1);
    }
    return left;
}
static short ga__e_ternary(ga__e_parser *q) {
    short c = ga__e_binary(q, 1);
    if (c < 0 || *q->p != '?') return c;
    int at = ga__e_at(q);
    if (!ga__e_deeper(q)) return -1;
    q->p++;
    short a = ga__e_ternary(q);
    if (a < 0) return a;
    if (*q->p != ':')
        return ga__e_fail(q, GA_ERR_SYNTAX, ga__e_at(q), "':' is missing after "
                          "'?'");
    q->p++;
    short b = ga__e_ternary(q);
    q->depth--;
    return ga__e_operation(q, GA__E_OP, GA__OP_where, at, 3, c, a, b);
}

/* "x, y": the operands' names, each once. */
static bool ga__e_operands(const char *fn, ga_expr *e) {
    const char *p = e->names;
    for (;;) {
        while (*p == ' ') p++;
        int len = 0;
        while (ga__e_letter(p[len])) len++;
        int stop = len;
        while (p[stop] && p[stop] != ',') stop++;
        int end = stop;
        while (end > len && p[end - 1] == ' ') end--;
        if (!len || ga__e_digit(*p) || end != len || len >= GA__E_WORD)
            return ga__fail(GA_ERR_SYNTAX, fn, "operand '%.*s' is not a plain "
                            "name of up to %d letters; put it into a variable "
                            "first", end < 64 ? end : 64, p,
                            GA__E_WORD - 1), false;
        for (int i = 0; i < e->nnames; i++)
            if (ga__e_is(e->name[i], p, len))
                return ga__fail(GA_ERR_SYNTAX, fn, "operand '%s' is given "
                                "twice", e->name[i]), false;
        if (e->nnames == GA__E_NAMES)
            return ga__fail(GA_ERR_SIZE, fn, "more than %d operands",
                            GA__E_NAMES), false;
        memcpy(e->name[e->nnames], p, (size_t)len);
        e->name[e->nnames++][len] = 0;
        if (!p[stop]) break;
        p += stop + 1;
    }
    e->noperands = e->nnames;
    return true;
}

/* Statements, separated by ';'. */
static bool ga__e_parse(const char *fn, ga_expr *e) {
    ga__e_parser q = {fn, e->text, e, 0};
    if (!ga__e_operands(fn, e)) return false;
    bool result = false;
    do {
        ga__e_space(&q);
        const char *word = q.p;
        int at = ga__e_at(&q), len = ga__e_word(&q), name = -1;
        ga__e_space(&q);
        bool set = len && !ga__e_digit(*word) && *q.p == '=' && q.p[1] != '=';
        q.p = set ? q.p + 1 : word;
        if (result)
            return ga__e_fail(&q, GA_ERR_SYNTAX, e->statement[e->nstatements
                              - 1].at, "only the last expression may be "
                              "without a name"), false;
        short v = ga__e_ternary(&q);
        if (v < 0) return false;
        if (*q.p && *q.p != ';')
            return ga__e_fail(&q, GA_ERR_SYNTAX, ga__e_at(&q),
                              *q.p == ')' ? "')' without '('"
                              : *q.p == '=' ? "only a name can be set"
                              : "unexpected '%c'", *q.p), false;
        if (set) {
            for (name = 0; name < e->nnames; name++)
                if (ga__e_is(e->name[name], word, len)) break;
            if (name == GA__E_NAMES || len >= GA__E_WORD)
                return ga__e_fail(&q, GA_ERR_SIZE, at, "more than %d names, or "
                                  "one longer than %d letters", GA__E_NAMES,
                                  GA__E_WORD - 1), false;
            if (name == e->nnames) {
                memcpy(e->name[name], word, (size_t)len);
                e->name[e->nnames++][len] = 0;
            }
        }
        result = !set;
        void *list = e->statement;
        if (!ga__e_grow(&list, &e->statementcap, e->nstatements,
                        sizeof *e->statement))
            return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL), false;
        e->statement = (ga__e_statement *)list;
        e->statement[e->nstatements++] = (ga__e_statement){(short)name, v, at};
        if (*q.p) {
            q.p++;
            ga__e_space(&q);
        }
    } while (*q.p);
    return true;
}

/* ------------------------------------------------------------ tree to plan
   A value is an array, a number, or a step: computed once, in one dtype, from
   values before it. Types come from ga__types, as for the separate calls.  */
typedef enum ga__e_value_kind {
    GA__E_ARRAY, GA__E_SCALAR, GA__E_STEP
} ga__e_value_kind;
typedef struct ga__e_value {
    unsigned char kind, op, nin, compute, type;
    unsigned char via;              /* the type numbers round to first      */
    bool weak, known;               /* SCALAR: the text's own, its bytes in */
    short in[3];                    /* number; or the operand in[0]; or     */
    int at;                         /* computed as a step is                */
    short chain;                    /* the next with the same hash          */
    short level, scalar;            /* of computing; the plan's, -1         */
    ga_array number;                /* of any SCALAR, for these operands    */
} ga__e_value;

/* A constant of a program: a SCALAR rounded to t, then converted. */
typedef struct ga__e_constant {
    short scalar;                   /* in the plan's scalars; -1: bytes     */
    unsigned char t, compute;
    union { unsigned char b[16]; double align; } bytes;
} ga__e_constant;
/* Of a plan: an operand, or computed from scalars before it. */
typedef struct ga__e_scalar {
    bool known, weak;
    unsigned char op, nin, compute, type, via;
    short in[3];                    /* scalars; nin 0: in[0] is the operand */
    ga_array number;                /* where known                          */
} ga__e_scalar;

/* One launch. Sources are numbered: operands, then arrays between parts and
   pieces. target: a source; -1: the call's result.                         */
typedef struct ga__e_piece {
    int nsteps, nslots, narrays, nconst, nout;
    ga__step step[GA__E_STEPS];
    short array[GA__E_ARRAYS], result[GA__E_OUTS], target[GA__E_OUTS];
    ga__e_constant constant[GA__E_CONSTS];
    uint64_t code[GA__E_CODE / 8];
} ga__e_piece;
typedef struct ga__e_part {
    int first, count;               /* its pieces                           */
    int red;                        /* -1, or the ga__red of its one result */
    ga_axis axis;
    int at;
    short target;                   /* of a reduction                       */
    short like;                     /* stretched to this operand too, or -1 */
} ga__e_part;
struct ga__e_plan {
    atomic_int refs;
    ga__e_plan *next;
    const ga__backend *be;
    unsigned char key[GA__E_NAMES + 1];     /* the operands' kinds, out's   */
    bool exact;                     /* for these C numbers alone:           */
    double value[GA__E_NAMES][2];
    int nparts, npieces, nscalars, nchecks, nsources;
    int partcap, piececap;
    ga__e_part *part;
    ga__e_piece **piece;
    ga__e_scalar *scalar;
    ga_dtype type[GA__E_SOURCES];   /* of the arrays between                */
    struct { bool scalar; short of; int at; }           /* exponents        */
        check[GA__E_NAMES + GA__E_COMPUTED];
};

typedef struct ga__e_planner {
    const char *fn;
    ga_expr *e;
    ga__e_plan *plan;
    const ga_array *const *x;
    ga__e_value *v;
    int n, cap;
    short head[256];                /* of the hash's chains                 */
    short *of, *like;               /* tree node to value; to an operand    */
    short current[GA__E_NAMES];     /* that gives it its shape, -1; names   */
    short likes[GA__E_NAMES];       /* to the same                          */
    short *order, *last;            /* a part's steps, each's last reader   */
    short *step_of;                 /* value to step, -1                    */
    int nsteps;
} ga__e_planner;

static short ga__e_memory(ga__e_planner *p) {
    ga__fail(GA_ERR_HOST_MEMORY, p->fn, NULL);
    return -1;
}
/* The value, or the one that is equal to it already. */
static short ga__e_share(ga__e_planner *p, const ga__e_value *v) {
    unsigned h = v->kind * 31u + v->op * 131u + v->type * 17u
                 + (unsigned)v->in[0] * 7u + (unsigned)v->in[1] * 257u
                 + (unsigned)v->in[2] * 65599u;
    if (v->known)
        h += (unsigned)(v->number.ga__value.u * 0x9e3779b97f4a7c15u >> 40);
    short *head = &p->head[(h ^ h >> 8) & 255];
    for (short i = *head; i >= 0; i = p->v[i].chain) {
        const ga__e_value *w = &p->v[i];
        if (w->kind == v->kind && w->op == v->op && w->compute == v->compute
            && w->type == v->type && w->via == v->via && w->weak == v->weak
            && w->nin == v->nin && w->known == v->known
            && !memcmp(w->in, v->in, sizeof w->in)
            && (!v->known || !memcmp(&w->number.ga__value, &v->number.ga__value,
                                     sizeof w->number.ga__value)))
            return i;
    }
    if (p->n == GA__E_NODES) {
        ga__fail(GA_ERR_SIZE, p->fn, "the expression needs more than %d "
                 "values", GA__E_NODES);
        return -1;
    }
    void *list = p->v;
    if (!ga__e_grow(&list, &p->cap, p->n, sizeof *p->v)) return ga__e_memory(p);
    p->v = (ga__e_value *)list;
    p->v[p->n] = *v;
    p->v[p->n].chain = *head;
    return *head = (short)p->n++;
}
static ga__e_value ga__e_blank(ga__e_value_kind kind, ga_dtype t, int at) {
    ga__e_value v;
    memset(&v, 0, sizeof v);
    v.kind = (unsigned char)kind;
    v.type = v.compute = v.via = (unsigned char)t;
    v.at = at;
    v.in[0] = v.in[1] = v.in[2] = v.scalar = -1;
    return v;
}
static short ga__e_array(ga__e_planner *p, int source, ga_dtype t, int at) {
    ga__e_value v = ga__e_blank(GA__E_ARRAY, t, at);
    v.in[0] = (short)source;
    return ga__e_share(p, &v);
}
static short ga__e_step(ga__e_planner *p, ga__op op, ga_dtype via,
                        ga_dtype compute, ga_dtype type, const short *in,
                        int nin, int at) {
    ga__e_value v = ga__e_blank(GA__E_STEP, type, at);
    v.op = (unsigned char)op;
    v.via = (unsigned char)via;
    v.compute = (unsigned char)compute;
    v.nin = (unsigned char)nin;
    memcpy(v.in, in, (size_t)nin * sizeof *in);
    return ga__e_share(p, &v);
}
/* An array's or a step's value as t. */
static short ga__e_cast(ga__e_planner *p, short v, ga_dtype t, int at) {
    ga_dtype from = (ga_dtype)p->v[v].type;
    return from == t ? v : ga__e_step(p, GA__OP_copy, from,
                                      ga__computes_in(GA__OP_copy, from), t,
                                      &v, 1, at);
}

/* x rounded to `via`, then as the bytes of `compute`. */
static void ga__e_bytes(const ga_array *x, ga_dtype via, ga_dtype compute,
                        unsigned char *out) {
    ga_array rounded;
    if (via != compute) {
        ga__value(x, via, (unsigned char *)&rounded.ga__value);
        x = ga__number(&rounded, via, GA__STRONG);
    }
    ga__value(x, compute, out);
}
/* What a C number rounds to first as operand i of op. */
static ga_dtype ga__e_rounds(int op, int i, int via) {
    return op == GA__OP_where && !i ? GA_BOOL
           : op == GA__OP_ldexp && i ? GA_FLOAT64 : (ga_dtype)via;
}
/* A computed scalar: one element by the CPU's kernel. */
static void ga__e_compute(const ga__e_scalar *s, const ga_array *const *in,
                          ga_array *out) {
    ga__ew w;
    memset(&w, 0, sizeof w);
    memset(out, 0, sizeof *out);
    w.op = (ga__op)s->op;
    w.ndim = 1;
    w.nin = s->nin;
    w.compute = (ga_dtype)s->compute;
    w.n = w.shape[0] = 1;
    w.out.data = &out->ga__value;
    w.out.dtype = (ga_dtype)s->type;
    for (int i = 0; i < s->nin; i++) {
        w.in[i].dtype = w.compute;
        ga__e_bytes(in[i], ga__e_rounds(s->op, i, s->via), w.compute,
                    w.in[i].value.b);
    }
    gk_cpu_elementwise(&w);
    ga__number(out, (ga_dtype)s->type, s->weak ? GA__WEAK : GA__STRONG);
}
static short ga__e_fold(ga__e_planner *p, ga__op op, ga_dtype via,
                        ga_dtype compute, ga_dtype type, bool weak,
                        const short *in, int nin, int at) {
    ga__e_value v = ga__e_blank(GA__E_SCALAR, type, at);
    ga__e_scalar s;
    const ga_array *x[3] = {NULL};
    memset(&s, 0, sizeof s);
    s.op = (unsigned char)op;
    s.nin = (unsigned char)nin;
    s.via = (unsigned char)via;
    s.compute = (unsigned char)compute;
    s.type = (unsigned char)type;
    s.weak = v.weak = weak;
    v.known = true;
    for (int i = 0; i < nin; i++) {
        ga_array *number = &p->v[in[i]].number;
        number->data = &number->ga__value;      /* the list may have moved  */
        x[i] = number;
        v.known &= p->v[in[i]].known;
    }
    ga__e_compute(&s, x, &v.number);
    if (!v.known) {                 /* known ones: equal by value           */
        v.op = s.op;
        v.nin = s.nin;
        v.via = s.via;
        v.compute = s.compute;
        memcpy(v.in, in, (size_t)nin * sizeof *in);
        for (int i = 0; i < nin; i++)
            if (v.level <= p->v[in[i]].level) v.level = p->v[in[i]].level + 1;
    }
    return ga__e_share(p, &v);
}

/* The value as an operand for ga__types. */
static void ga__e_header(const ga__e_value *v, ga_array *t) {
    static ga__buffer some;         /* not NULL: an array                   */
    *t = v->number;
    t->data = &t->ga__value;
    if (v->kind == GA__E_SCALAR) return;
    t->dtype = (ga_dtype)v->type;
    t->ga__magic = GA__ALIVE;
    t->ga__buf = &some;
}
/* The plan's scalar for a value, and those that it is computed from. */
static short ga__e_scalar_of(ga__e_planner *p, short v) {
    ga__e_value *w = &p->v[v];
    ga__e_plan *plan = p->plan;
    if (w->scalar >= 0) return w->scalar;
    bool room = w->level < GA__E_COMPUTED;      /* bounds the recursion     */
    ga__e_scalar s;
    memset(&s, 0, sizeof s);
    s.known = w->known;
    s.weak = w->weak;
    s.op = w->op;
    s.nin = w->nin;
    s.compute = w->compute;
    s.type = w->type;
    s.via = w->via;
    s.number = w->number;
    memcpy(s.in, w->in, sizeof s.in);
    for (int i = 0; i < w->nin && room; i++)
        if ((s.in[i] = ga__e_scalar_of(p, w->in[i])) < 0) return -1;
    if (!room || plan->nscalars == GA__E_COMPUTED) {
        ga__me.at = w->at;
        ga__fail(GA_ERR_SIZE, p->fn, "more than %d computations with C numbers "
                 "alone", GA__E_COMPUTED);
        return -1;
    }
    ga__e_scalar *kept = &plan->scalar[plan->nscalars];
    *kept = s;
    kept->number.data = &kept->number.ga__value;
    return w->scalar = (short)plan->nscalars++;
}
/* An integer to a negative power is NumPy's error: seen here in the text, and
   later in operands.                                                       */
static bool ga__e_check_power(ga__e_planner *p, short v, const ga_array *y,
                              int at) {
    const ga__e_value *w = &p->v[v];
    ga__e_plan *plan = p->plan;
    bool scalar = w->kind == GA__E_SCALAR;
    if (scalar && w->known) return !ga__check_power(p->fn, y);
    if (ga__kind((ga_dtype)w->type) != 'i' || w->kind == GA__E_STEP
        || (!scalar && w->in[0] >= p->e->noperands))
        return true;
    short of = scalar ? ga__e_scalar_of(p, v) : w->in[0];
    if (of < 0) return false;
    for (int i = 0; i < plan->nchecks; i++)
        if (plan->check[i].scalar == scalar && plan->check[i].of == of)
            return true;
    plan->check[plan->nchecks].scalar = scalar;
    plan->check[plan->nchecks].of = of;
    plan->check[plan->nchecks++].at = at;
    return true;
}

/* What op makes of integers without an end to their range; NaN where it stays
   within theirs, whatever they are.                                        */
static double ga__e_endless(ga__op op, double a, double b) {
    switch (op) {
    case GA__OP_add: return a + b;
    case GA__OP_subtract: return a - b;
    case GA__OP_multiply: return a * b;
    case GA__OP_square: return a * a;
    case GA__OP_power: return pow(a, b);
    case GA__OP_left_shift: return a * pow(2, b);
    case GA__OP_negative: return -a;
    case GA__OP_absolute: return fabs(a);
    default: return NAN;
    }
}
/* An operation on integers of the text alone, which have no dtype yet: int64,
   or uint64 where only that holds the result, else an error.               */
static short ga__e_fold_integers(ga__e_planner *p, ga__op op, ga_dtype t,
                                 const short *in, int nin, int at) {
    double n[2] = {0, 0};
    for (int i = 0; i < nin && i < 2; i++)
        ga__cast_element(&p->v[in[i]].number.ga__value,
                         (ga_dtype)p->v[in[i]].type, &n[i], GA_FLOAT64);
    bool divides = op == GA__OP_floor_divide || op == GA__OP_remainder
                   || op == GA__OP_fmod;
    if (divides && n[1] == 0) {
        ga__fail(GA_ERR_VALUE, p->fn, "an integer is divided by 0");
        return -1;
    }
    double want = ga__e_endless(op, n[0], n[1]);
    if (isnan(want)) return ga__e_fold(p, op, t, t, t, true, in, nin, at);
    for (int k = 0; k < 2; k++) {
        t = k ? GA_UINT64 : GA_INT64;
        short v = ga__e_fold(p, op, t, t, t, true, in, nin, at);
        if (v < 0) return v;
        const ga_array *got = &p->v[v].number;
        /* one that wrapped is off by 2**64 at least                         */
        if (fabs(want - (k ? (double)got->ga__value.u
                           : (double)got->ga__value.i)) < 0x1p63)
            return v;
    }
    ga__fail(GA_ERR_VALUE, p->fn, "the integer is beyond 64 bits");
    return -1;
}

static short ga__e_lower_op(ga__e_planner *p, ga__op op, const short *of,
                            int nin, int at) {
    short in[3];
    ga_array header[3];
    const ga_array *x[3];
    bool scalars = true, weak = true, known = true;
    bool strong_int = false, computed = false;
    ga__typing ty;
    if (op == GA__OP_round) {       /* integers are round already           */
        ga_dtype t = (ga_dtype)p->v[of[0]].type;
        if (t != GA_BOOL && ga__is_int(t)) return of[0];
        op = GA__OP_rint;
    }
    for (int i = 0; i < nin; i++) {
        const ga__e_value *v = &p->v[in[i] = of[i]];
        bool scalar = v->kind == GA__E_SCALAR;
        scalars &= scalar;
        weak &= scalar && v->weak;
        known &= v->known;
        strong_int |= !(scalar && v->weak) && ga__is_int((ga_dtype)v->type);
        computed |= scalar && v->weak && !v->known && v->nin
                    && ga__is_int((ga_dtype)v->type);
        ga__e_header(v, &header[i]);
        x[i] = &header[i];
    }
    /* whether it fits an integer dtype decides on types or errors */
    p->plan->exact |= strong_int && computed;
    if (op == GA__OP_clip) {
        bool low = !ga__clip_open(x[0], x[1], x[2], true);
        bool high = !ga__clip_open(x[0], x[2], x[1], false);
        const short left[2] = {of[0], low ? of[1] : of[2]};
        if (!low && !high) return of[0];
        if (!low || !high)
            return ga__e_lower_op(p, low ? GA__OP_maximum : GA__OP_minimum,
                                  left, 2, at);
    }
    if (!ga__types(p->fn, op, x, nin, &ty)) return -1;
    if (ty.swap) {
        in[0] = of[1];
        in[1] = of[0];
    }
    op = ty.op;
    if (op == GA__OP_power && ga__is_int(ty.t)
        && !ga__e_check_power(p, in[1], &header[1], at))
        return -1;
    if (scalars && weak && known && ga__is_int(ty.t) && ty.result == ty.t)
        return ga__e_fold_integers(p, op, ty.t, in, nin, at);
    if (scalars)
        return ga__e_fold(p, op, ty.t, ty.compute, ty.result,
                          weak && ty.result != GA_BOOL, in, nin, at);
    if (op == GA__OP_power && p->v[in[1]].known && !ga__is_int(ty.t)) {
        double n[2] = {0, 1};
        ga__cast_element(&p->v[in[1]].number.ga__value,
                         (ga_dtype)p->v[in[1]].type, n, GA_COMPLEX128);
        ga__op same = n[1] != 0 ? op : n[0] == 2 ? GA__OP_square
                      : n[0] == 0.5 ? GA__OP_sqrt
                      : n[0] == -1 ? GA__OP_reciprocal : op;
        if (same != op) {
            op = same;
            nin = 1;
        }
    }
    for (int i = 0; i < nin; i++) {
        ga_dtype want = op == GA__OP_where && !i ? GA_BOOL : ty.compute;
        if (p->v[in[i]].kind != GA__E_SCALAR)
            in[i] = ga__e_cast(p, in[i], want, at);
        if (in[i] < 0) return -1;
    }
    return ga__e_step(p, op, ty.t, ty.compute, ty.result, in, nin, at);
}

/* ------------------------------------------------------- programs of a part */
/* How many values are alive at once while v is computed (Sethi, Ullman). */
static int ga__e_need(const ga__e_planner *p, const short *need, short v) {
    const ga__e_value *w = &p->v[v];
    int most = 0, equal = 0;
    for (int i = 0; i < w->nin && w->kind == GA__E_STEP; i++) {
        int n = w->in[i] >= 0 ? need[w->in[i]] : 0;
        if (n > most) most = n, equal = 0;
        else if (n == most) equal++;
    }
    return w->kind != GA__E_STEP ? w->kind == GA__E_ARRAY
           : most + equal > 1 ? most + equal : 1;
}
/* The steps that the roots need, each after its operands, the one that needs
   more registers first: the next step mostly uses the last one's value.    */
static bool ga__e_schedule(ga__e_planner *p, const short *root, int nroots) {
    short *need = GA_MALLOC((size_t)p->n * 2 * sizeof *need);
    short *stack = GA_MALLOC((size_t)p->n * 2 * sizeof *stack);
    bool ok = need && stack;
    p->nsteps = 0;
    for (short i = 0; ok && i < p->n; i++) {
        need[i] = (short)ga__e_need(p, need, i);
        p->step_of[i] = -1;
    }
    for (int r = 0; ok && r < nroots; r++) {
        int n = 0;
        stack[n++] = root[r];
        while (n) {
            short v = stack[n - 1];
            const ga__e_value *w = &p->v[v];
            short next = -1;
            if (w->kind != GA__E_STEP || p->step_of[v] >= 0) {
                n--;
                continue;
            }
            for (int i = 0; i < w->nin; i++) {
                short c = w->in[i];
                if (p->v[c].kind == GA__E_STEP && p->step_of[c] < 0
                    && (next < 0 || need[c] > need[next]))
                    next = c;
            }
            if (next >= 0) {
                stack[n++] = next;
                continue;
            }
            for (int i = 0; i < w->nin; i++)
                if (p->v[w->in[i]].kind == GA__E_STEP)
                    p->last[p->step_of[w->in[i]]] = (short)p->nsteps;
            p->last[p->nsteps] = -1;
            p->step_of[v] = (short)p->nsteps;
            p->order[p->nsteps++] = v;
            n--;
        }
    }
    GA_FREE(need);
    GA_FREE(stack);
    if (!ok) ga__e_memory(p);
    return ok;
}

/* A constant's number in the piece; -1: no room, -2: an error. */
static short ga__e_constant_of(ga__e_planner *p, ga__e_piece *k, short v,
                               ga_dtype t, ga_dtype compute) {
    ga__e_constant c;
    memset(&c, 0, sizeof c);
    c.t = (unsigned char)t;
    c.compute = (unsigned char)compute;
    c.scalar = -1;
    if (p->v[v].known) {
        p->v[v].number.data = &p->v[v].number.ga__value;
        ga__e_bytes(&p->v[v].number, t, compute, c.bytes.b);
    } else if ((c.scalar = ga__e_scalar_of(p, v)) < 0) {
        return -2;
    }
    for (int i = 0; i < k->nconst; i++)
        if (!memcmp(&k->constant[i], &c, sizeof c)) return (short)i;
    if (k->nconst == GA__E_CONSTS) return -1;
    k->constant[k->nconst] = c;
    return (short)k->nconst++;
}
static short ga__e_array_of(ga__e_piece *k, int source) {
    for (short i = 0; i < k->narrays; i++)
        if (k->array[i] == source) return i;
    if (k->narrays == GA__E_ARRAYS) return -1;
    k->array[k->narrays] = (short)source;
    return (short)k->narrays++;
}

/* Each step's buffer on the CPU: free again after its last reader. */
static void ga__e_slots(ga__e_piece *k) {
    short last[GA__E_STEPS], used[GA__E_STEPS];
    int n = 0;
    for (int i = 0; i < k->nsteps; i++) {
        last[i] = (short)i;
        for (int j = 0; j < k->step[i].nin; j++) {
            short s = k->step[i].in[j];
            if (s >= 0 && s < GA__E_CONST) last[s] = (short)i;
        }
    }
    for (int j = 0; j < k->nout; j++) last[k->result[j]] = GA__E_STEPS;
    for (int i = 0; i < k->nsteps; i++) {
        int at = 0;
        while (at < n && used[at] >= i) at++;
        if (at == n) n++;
        used[at] = last[i];
        k->step[i].slot = (short)at;
    }
    k->nslots = n;
}

/* Steps [from, to) of the schedule as a piece. Values that later steps read,
   and roots, are stored. between[step]: the source that holds it, or -1.
   1: done, 0: does not fit, -1: an error.                                  */
static int ga__e_fill(ga__e_planner *p, ga__e_piece *k, int from, int to,
                      const short *root, const short *target, int nroots,
                      const short *between) {
    k->nsteps = to - from;
    k->narrays = k->nconst = k->nout = 0;
    if (k->nsteps > GA__E_STEPS) return 0;
    for (int s = from; s < to; s++) {
        const ga__e_value *w = &p->v[p->order[s]];
        ga__step *t = &k->step[s - from];
        t->op = w->op;
        t->compute = w->compute;
        t->type = w->type;
        t->nin = w->nin;
        t->slot = 0;
        memset(t->in, 0, sizeof t->in);
        for (int i = 0; i < w->nin; i++) {
            short c = w->in[i];
            const ga__e_value *o = &p->v[c];
            if (o->kind == GA__E_STEP && p->step_of[c] >= from) {
                t->in[i] = (short)(p->step_of[c] - from);
            } else if (o->kind == GA__E_SCALAR) {
                bool truth = w->op == GA__OP_where && !i;
                short n = ga__e_constant_of(
                    p, k, c, ga__e_rounds(w->op, i, w->via),
                    truth ? GA_BOOL : (ga_dtype)w->compute);
                if (n < 0) return n + 1;
                t->in[i] = (short)(GA__E_CONST + n);
            } else {
                short n = ga__e_array_of(k, o->kind == GA__E_ARRAY ? o->in[0]
                                         : between[p->step_of[c]]);
                if (n < 0) return 0;
                t->in[i] = (short)~n;
            }
        }
    }
    for (int s = from; s < to; s++) {
        for (int r = 0; r < nroots; r++) {
            if (p->step_of[root[r]] != s) continue;
            if (k->nout == GA__E_OUTS) return 0;
            k->result[k->nout] = (short)(s - from);
            k->target[k->nout++] = target[r];
        }
        if (p->last[s] < to) continue;
        if (k->nout == GA__E_OUTS) return 0;
        k->result[k->nout] = (short)(s - from);
        k->target[k->nout++] = GA__E_SOURCES;   /* named when it is kept    */
    }
    if (p->plan->be->eval_code) {
        ga_dtype types[GA__E_ARRAYS];
        for (int i = 0; i < k->narrays; i++)
            types[i] = k->array[i] < p->e->noperands
                       ? p->x[k->array[i]]->dtype : p->plan->type[k->array[i]];
        if (!p->plan->be->eval_code(k->step, k->nsteps, k->result, k->nout,
                                    types, k->narrays, k->code))
            return 0;
    }
    ga__e_slots(k);
    return 1;
}
static short ga__e_source(ga__e_planner *p, ga_dtype t) {
    if (p->plan->nsources == GA__E_SOURCES) {
        ga__fail(GA_ERR_SIZE, p->fn, "the expression needs more than %d arrays",
                 GA__E_SOURCES);
        return -1;
    }
    p->plan->type[p->plan->nsources] = t;
    return (short)p->plan->nsources++;
}
/* The part's pieces: as long as they can be. */
static bool ga__e_cut(ga__e_planner *p, ga__e_part *part, const short *root,
                      const short *target, int nroots) {
    ga__e_plan *plan = p->plan;
    if (!ga__e_schedule(p, root, nroots)) return false;
    short *between = GA_MALLOC((size_t)(p->nsteps + 1) * sizeof *between);
    if (!between) return ga__e_memory(p), false;
    for (int i = 0; i < p->nsteps; i++) between[i] = -1;
    part->first = plan->npieces;
    bool ok = true;
    short spare[GA__E_SOURCES];     /* sources whose readers are behind     */
    int nspare = 0;
    for (int from = 0; from < p->nsteps && ok;) {
        void *list = plan->piece;
        ga__e_piece *k = NULL;
        ok = ga__e_grow(&list, &plan->piececap, plan->npieces,
                        sizeof *plan->piece);
        if (ok) {
            plan->piece = (ga__e_piece **)list;
            k = GA_MALLOC(sizeof *k);
        }
        if (!k) {
            ga__e_memory(p);
            ok = false;
            break;
        }
        plan->piece[plan->npieces++] = k;
        int to = p->nsteps, fits;
        if (to - from > GA__E_STEPS) to = from + GA__E_STEPS;
        while (!(fits = ga__e_fill(p, k, from, to, root, target, nroots,
                                   between)) && to - from > 1)
            to -= (to - from + 15) / 16;
        if (fits <= 0) {
            if (!fits) ga__fail(GA_ERR_UNSUPPORTED, p->fn, "an operation does "
                                "not fit a program");
            ok = false;
            break;
        }
        for (int i = 0; i < k->nout && ok; i++)
            if (k->target[i] == GA__E_SOURCES) {
                ga_dtype t = (ga_dtype)k->step[k->result[i]].type;
                short s = nspare ? spare[--nspare] : ga__e_source(p, t);
                k->target[i] = between[from + k->result[i]] = s;
                ok = s >= 0;
                if (ok) plan->type[s] = t;
            }
        for (int s = 0; s < from && ok; s++)
            if (between[s] >= 0 && p->last[s] >= from && p->last[s] < to)
                spare[nspare++] = between[s];
        from = to;
    }
    part->count = plan->npieces - part->first;
    GA_FREE(between);
    return ok;
}
static ga__e_part *ga__e_new_part(ga__e_planner *p) {
    ga__e_plan *plan = p->plan;
    void *list = plan->part;
    if (!ga__e_grow(&list, &plan->partcap, plan->nparts, sizeof *plan->part)) {
        ga__e_memory(p);
        return NULL;
    }
    plan->part = (ga__e_part *)list;
    ga__e_part *part = &plan->part[plan->nparts++];
    memset(part, 0, sizeof *part);
    part->red = part->like = -1;
    return part;
}

/* A reduction as a part of its own, into `target`. */
static bool ga__e_reduction(ga__e_planner *p, const ga__e_node *r,
                            short target) {
    ga__red red = (ga__red)r->what;
    short v = p->of[r->in[0]];
    if (p->v[v].kind == GA__E_SCALAR) {
        ga__fail(GA_ERR_VALUE, p->fn, "a C number has no axes; an array is "
                 "needed");
        return false;
    }
    if (ga__reds[red].types & GA__N && p->v[v].type == GA_BOOL) {
        ga__fail(GA_ERR_DTYPE, p->fn, "bool is not supported");
        return false;
    }
    ga__e_part *part = ga__e_new_part(p);
    if (!part) return false;
    part->red = red;
    part->axis = r->axis;
    part->at = r->at;
    part->target = target;
    part->like = p->like[r->in[0]];
    if (p->v[v].kind == GA__E_ARRAY) {  /* nothing to fuse with             */
        part->first = p->v[v].in[0];
        return true;
    }
    short none = -1;
    return ga__e_cut(p, part, &v, &none, 1);
}

/* The value of a node of the text; -1 and an error. */
static short ga__e_lower_node(ga__e_planner *p, int node) {
    const ga__e_node *k = &p->e->node[node];
    short in[3] = {-1, -1, -1};
    p->like[node] = -1;
    for (int i = 0; i < k->nin && k->kind != GA__E_REDUCE; i++)
        if (p->like[k->in[i]] >= 0) p->like[node] = p->like[k->in[i]];
    for (int i = 0; i < k->nin; i++) in[i] = p->of[k->in[i]];
    switch (k->kind) {
    case GA__E_NUMBER: {
        ga__e_value w = ga__e_blank(GA__E_SCALAR, k->t, k->at);
        w.known = true;
        w.weak = k->t != GA_BOOL;
        memcpy(&w.number.ga__value, &k->number, sizeof k->number);
        ga__number(&w.number, k->t, w.weak ? GA__WEAK : GA__STRONG);
        return ga__e_share(p, &w);
    }
    case GA__E_NAME:
        p->like[node] = p->likes[k->what];
        return p->current[k->what];
    case GA__E_CAST: {
        ga_dtype t = (ga_dtype)k->what, from = (ga_dtype)p->v[in[0]].type;
        return p->v[in[0]].kind != GA__E_SCALAR
                   ? ga__e_cast(p, in[0], t, k->at)
                   : ga__e_fold(p, GA__OP_copy, from,
                                ga__computes_in(GA__OP_copy, from), t, false,
                                in, 1, k->at);
    }
    case GA__E_OP:
        return ga__e_lower_op(p, (ga__op)k->what, in, k->nin, k->at);
    default: {
        ga_dtype t = ga__reduces_to(p->fn, (ga__red)k->what,
                                    (ga_dtype)p->v[in[0]].type);
        short to = t == GA_NUM_DTYPES ? -1 : ga__e_source(p, t);
        return to < 0 || !ga__e_reduction(p, k, to) ? -1
               : ga__e_array(p, to, t, k->at);
    }
    }
}
/* v as the step that gives statement s its value, of dtype t: a copy is a step
   too, since what is stored has been computed. -1 and an error.            */
static short ga__e_lower_result(ga__e_planner *p, const ga__e_statement *s,
                                short v, ga_dtype t) {
    const ga__e_value *w = &p->v[v];
    bool scalar = w->kind == GA__E_SCALAR;
    if (scalar && w->weak && ga__is_int((ga_dtype)w->type) && ga__is_int(t)) {
        ga_array number = w->number;
        p->plan->exact |= !w->known && w->nin;
        if (ga__check_fits(p->fn, &number, t)) return -1;
    } else if (!ga_can_cast((ga_dtype)w->type, t)) {
        ga__fail(GA_ERR_DTYPE, p->fn, "a result of %s does not go into an "
                 "output of %s", ga_dtype_name((ga_dtype)w->type),
                 ga_dtype_name(t));
        return -1;
    }
    short in = v;
    ga_dtype from = scalar ? t : (ga_dtype)w->type;
    if (w->kind == GA__E_STEP && from == t) return v;
    return ga__e_step(p, GA__OP_copy, from, ga__computes_in(GA__OP_copy, from),
                      t, &in, 1, s->at);
}
static bool ga__e_lower(ga__e_planner *p, const ga_array *out) {
    ga_expr *e = p->e;
    short root[GA__E_NAMES + 1], target[GA__E_NAMES + 1];
    int nroots = 0, node = 0;
    const ga__e_statement *last = &e->statement[e->nstatements - 1];
    int outputs = 0;
    for (int i = 0; i < e->nstatements; i++)
        outputs += e->statement[i].name < e->noperands;
    memset(p->head, -1, sizeof p->head);
    memset(p->current, -1, sizeof p->current);
    memset(p->likes, -1, sizeof p->likes);
    for (int i = 0; i < e->noperands; i++) {
        const ga_array *x = p->x[i];
        if (!ga__is_number(x)) {
            p->current[i] = ga__e_array(p, i, x->dtype, 0);
        } else {
            ga__e_value v = ga__e_blank(GA__E_SCALAR, x->dtype, 0);
            v.in[0] = (short)i;
            v.weak = x->ga__magic == GA__WEAK;
            v.number = *x;
            p->current[i] = ga__e_share(p, &v);
        }
        if (p->current[i] < 0) return false;
    }
    for (const ga__e_statement *s = e->statement; s <= last; s++) {
        short v = -1;
        for (; node <= s->last; node++) {
            const ga__e_node *k = &e->node[node];
            ga__me.at = k->at;
            if (k->kind == GA__E_REDUCE && s == last && node == s->last
                && outputs == 1 && s->name < 0)     /* all of it: fused     */
                return ga__reduces_to(p->fn, (ga__red)k->what,
                                      (ga_dtype)p->v[p->of[k->in[0]]].type)
                           != GA_NUM_DTYPES && ga__e_reduction(p, k, -1);
            v = ga__e_lower_node(p, node);
            if (v < 0) return false;
            p->of[node] = v;
        }
        v = p->of[s->last];
        ga__me.at = s->at;
        if (s->name >= 0)
            p->likes[s->name] = s->name < e->noperands ? s->name
                                                       : p->like[s->last];
        if (s->name >= e->noperands) {
            p->current[s->name] = v;
            continue;
        }
        const ga_array *to = s->name < 0 ? out : p->x[s->name];
        ga_dtype t = to ? to->dtype : (ga_dtype)p->v[v].type;
        if (s->name >= 0 && ga__is_number(to)) {
            ga__fail(GA_ERR_VALUE, p->fn, "a C number cannot be written");
            return false;
        }
        if ((v = ga__e_lower_result(p, s, v, t)) < 0) return false;
        int r = 0;                  /* set twice: the last counts           */
        while (r < nroots && target[r] != s->name) r++;
        for (int i = 0; i < nroots && v >= 0; i++)
            if (i != r && root[i] == v) {   /* a step of its own            */
                short in = v;
                v = ga__e_step(p, GA__OP_copy, t,
                               ga__computes_in(GA__OP_copy, t), t, &in, 1,
                               s->at);
                i = -1;
            }
        if (v < 0) return false;
        if (s->name >= 0) p->current[s->name] = v;
        if (r == nroots) nroots++;
        root[r] = v;
        target[r] = s->name;
    }
    ga__e_part *part = nroots ? ga__e_new_part(p) : NULL;
    if (!part) {
        if (!nroots) ga__fail(GA_ERR_SYNTAX, p->fn, "no operand is set and "
                              "there is no result");
        return false;
    }
    return ga__e_cut(p, part, root, target, nroots);
}

static void ga__e_plan_free(ga__e_plan *plan) {
    if (!plan || atomic_fetch_sub(&plan->refs, 1) > 1) return;
    for (int i = 0; i < plan->npieces; i++) GA_FREE(plan->piece[i]);
    GA_FREE(plan->piece);
    GA_FREE(plan->part);
    GA_FREE(plan->scalar);
    GA_FREE(plan);
}
static ga__e_plan *ga__e_make_plan(const char *fn, ga_expr *e,
                                   const ga__backend *be, const ga_array *out,
                                   const ga_array *const *x) {
    ga__e_planner p;
    memset(&p, 0, sizeof p);
    p.fn = fn;
    p.e = e;
    p.x = x;
    p.plan = GA_MALLOC(sizeof *p.plan);
    p.of = GA_MALLOC((size_t)e->nnodes * 2 * sizeof *p.of);
    p.order = GA_MALLOC(3 * GA__E_NODES * sizeof *p.order);
    if (p.plan) {
        memset(p.plan, 0, sizeof *p.plan);
        atomic_init(&p.plan->refs, 1);
        p.plan->be = be;
        p.plan->nsources = e->noperands;
        p.plan->scalar = GA_MALLOC(GA__E_COMPUTED * sizeof *p.plan->scalar);
    }
    bool ok = p.plan && p.plan->scalar && p.of && p.order;
    if (ok) {
        p.last = p.order + GA__E_NODES;
        p.step_of = p.last + GA__E_NODES;
        p.like = p.of + e->nnodes;
    } else {
        ga__e_memory(&p);
    }
    ga__me.text = e->text;          /* errors from here show their place    */
    ga__me.at = 0;
    ok = ok && ga__e_lower(&p, out);
    ga__e_plan *plan = p.plan;
    ga__me.text = NULL;
    GA_FREE(p.v);
    GA_FREE(p.of);
    GA_FREE(p.order);
    if (ok) return plan;
    ga__e_plan_free(plan);
    return NULL;
}

/* ------------------------------------------------------ a plan and arrays */
typedef struct ga__e_call {
    const char *fn;
    ga_expr *e;
    const ga__e_plan *plan;
    ga__device *d;
    bool host;                      /* the arrays are in host memory        */
    const ga_array *source[GA__E_SOURCES];  /* operands, then ours          */
    const ga_array *number[GA__E_COMPUTED];
    ga_array computed[GA__E_COMPUTED];
} ga__e_call;

static ga_status ga__e_numbers(ga__e_call *c) {
    const ga__e_plan *plan = c->plan;
    for (int i = 0; i < plan->nscalars; i++) {
        const ga__e_scalar *s = &plan->scalar[i];
        const ga_array *in[3];
        if (s->known || !s->nin) {
            c->number[i] = s->known ? &s->number : c->source[s->in[0]];
            continue;
        }
        for (int k = 0; k < s->nin; k++) in[k] = c->number[s->in[k]];
        ga__e_compute(s, in, &c->computed[i]);
        c->number[i] = &c->computed[i];
    }
    for (int i = 0; i < plan->nchecks; i++) {
        short of = plan->check[i].of;
        ga__me.text = c->e->text;
        ga__me.at = plan->check[i].at;
        ga_status st = ga__check_power(c->fn, plan->check[i].scalar
                                       ? c->number[of] : c->source[of]);
        ga__me.text = NULL;
        if (st) return st;
    }
    return GA_OK;
}

/* shape, stretched by another; false: it cannot. */
static bool ga__e_join(int *ndim, int64_t *shape, int n, const int64_t *with) {
    if (n > *ndim) {
        memmove(shape + n - *ndim, shape, (size_t)*ndim * sizeof *shape);
        for (int i = 0; i < n - *ndim; i++) shape[i] = 1;
        *ndim = n;
    }
    for (int i = 0; i < n; i++) {
        int64_t *s = &shape[*ndim - n + i];
        if (*s == 1) *s = with[i];
        else if (with[i] != 1 && with[i] != *s) return false;
    }
    return true;
}
/* Where in the text shapes clash, for the error's caret: the first operation
   whose operands do not broadcast.                                         */
static int ga__e_blame(const ga__e_call *c) {
    typedef struct { int ndim; int64_t dim[GA_MAX_NDIM]; } shape;
    const ga_expr *e = c->e;
    shape *of = GA_MALLOC((size_t)e->nnodes * sizeof *of);
    short named[GA__E_NAMES];
    int at = 0, node = 0;
    memset(named, -1, sizeof named);
    for (int s = 0; of && s < e->nstatements; s++) {
        for (; node <= e->statement[s].last; node++) {
            const ga__e_node *k = &e->node[node];
            shape *r = &of[node];
            r->ndim = 0;
            at = k->at;
            if (k->kind == GA__E_NAME && named[k->what] >= 0) {
                *r = of[named[k->what]];
            } else if (k->kind == GA__E_NAME) {
                r->ndim = c->source[k->what]->ndim;
                memcpy(r->dim, c->source[k->what]->shape, sizeof r->dim);
            } else if (k->kind == GA__E_REDUCE) {
                const shape *v = &of[k->in[0]];
                unsigned mask;
                if (!ga__axes_mask(c->fn, k->axis, v->ndim, &mask)) goto done;
                for (int i = 0; i < v->ndim; i++)
                    if (!(mask >> i & 1) || k->axis.keepdims)
                        r->dim[r->ndim++] = mask >> i & 1 ? 1 : v->dim[i];
            }
            for (int i = 0; i < k->nin && k->kind != GA__E_REDUCE; i++)
                if (!ga__e_join(&r->ndim, r->dim, of[k->in[i]].ndim,
                                of[k->in[i]].dim))
                    goto done;
        }
        short name = e->statement[s].name, last = e->statement[s].last;
        at = e->statement[s].at;
        if (name >= 0 && name < e->noperands
            && !ga__e_join(&of[last].ndim, of[last].dim, c->source[name]->ndim,
                           c->source[name]->shape))
            goto done;
        if (name >= 0) named[name] = last;
    }
done:
    GA_FREE(of);
    return at;
}

/* Elements of one launch: where rows are indexed kernels count chunks with 31
   bits. More are cut along the longest axis; of a reduction the first that
   stays, so that a part's results adjoin.                                  */
#ifndef GA__E_MOST
#define GA__E_MOST ((int64_t)1 << 30)
#endif
/* That axis and the length of a part; -1: v is one launch. */
static int ga__e_axis(const ga__eval *v, int64_t *step) {
    const int axes = v->red >= 0 ? v->nkeep : v->ndim > 1 ? v->ndim : 0;
    int d = 0;
    if (v->n <= GA__E_MOST || !axes) return -1;
    for (int i = 1; i < axes; i++)
        if (v->red >= 0 ? v->shape[d] == 1 : v->shape[i] > v->shape[d]) d = i;
    *step = GA__E_MOST / (v->n / v->shape[d]);
    *step = *step > 16 ? *step / 16 * 16 : *step < 1 ? 1 : *step;
    return v->shape[d] > 1 ? d : -1;        /* 16: chunks stay aligned      */
}
/* At most `step` of v's axis d, from `at`. */
static ga__eval ga__e_part_of(const ga__eval *v, int d, int64_t at,
                              int64_t step) {
    ga__eval p = *v;
    p.shape[d] = v->shape[d] - at < step ? v->shape[d] - at : step;
    p.n = v->n / v->shape[d] * p.shape[d];
    for (int i = 0; i < p.nin + p.nout; i++) {
        ga__operand_view *o = i < p.nin ? &p.in[i] : &p.out[i - p.nin];
        o->data = (char *)o->data
                  + at * o->stride[d] * (int64_t)ga__size(o->dtype);
    }
    return p;
}
/* Scratch for v, and for each of its parts: they differ in the last alone. */
static size_t ga__e_work(ga__device *dev, const ga__eval *v) {
    int64_t step;
    int d = ga__e_axis(v, &step);
    if (d < 0) return gk_eval_work(v, dev->id == GA_CPU ? 0 : dev->mps);
    ga__eval first = ga__e_part_of(v, d, 0, step);
    ga__eval last = ga__e_part_of(v, d, (v->shape[d] - 1) / step * step, step);
    size_t a = ga__e_work(dev, &first), b = ga__e_work(dev, &last);
    return a > b ? a : b;                   /* (size_t)-1 wins              */
}
static ga_status ga__e_split(const ga__e_call *c, ga__eval *v, ga_stream *s) {
    int64_t step;
    int d = c->host ? -1 : ga__e_axis(v, &step);
    if (d < 0)
        return c->host ? c->d->be->eval_host(c->d, c->fn, v, s)
               : ga__run(c->fn, c->d, GA__JOB_eval, v, NULL, 0, NULL, 0);
    ga_status st = GA_OK;
    for (int64_t at = 0; at < v->shape[d] && !st; at += step) {
        ga__eval part = ga__e_part_of(v, d, at, step);
        st = ga__e_split(c, &part, s);
    }
    return st;
}

/* The operand whose layout a stored result would have: the first of the whole
   shape; -1: none, C order.                                                */
static int ga__e_lead(const ga__e_call *c, const ga__e_piece *k, int ndim,
                      const int64_t *shape) {
    for (int i = 0; i < k->narrays; i++) {
        const ga_array *x = c->source[k->array[i]];
        if (x->ndim == ndim
            && !memcmp(x->shape, shape, (size_t)ndim * sizeof *shape))
            return i;
    }
    return -1;
}
/* One program over `shape`, into out[]; with `red` its one result reduced
   along the axes of `mask`. *fused false: that cannot be fused, and nothing
   has been done.                                                           */
static ga_status ga__e_launch(ga__e_call *c, const ga__e_piece *k,
                              ga_array *const *out, int ndim,
                              const int64_t *shape, int red, unsigned mask,
                              bool *fused) {
    ga__eval v;
    ga_array *turned[GA__E_ARRAYS] = {NULL};
    ga_stream *s = ga__stream(c->d);
    ga_status st = GA_OK;
    bool again;
    do {
        again = false;
        v.step = k->step;
        v.nsteps = k->nsteps;
        v.nslots = k->nslots;
        v.nin = k->narrays;
        v.nout = k->nout;
        v.nconst = k->nconst;
        memcpy(v.result, k->result, sizeof v.result);
        v.code = k->code;
        v.red = red;
        v.n = 1;
        v.use.work = NULL;
        for (int i = 0; i < ndim; i++) v.n *= v.shape[i] = shape[i];
        ga__axes_of axes = {ndim, v.shape, 0, {NULL}};
        for (int i = 0; i < k->nout; i++) {
            axes.o[axes.n++] = &v.out[i];
            ga__view_of(out[i], red < 0 ? ndim : out[i]->ndim, &v.out[i]);
        }
        for (int i = 0; i < k->narrays; i++) {
            axes.o[axes.n++] = &v.in[i];
            ga__view_of(turned[i] ? turned[i] : c->source[k->array[i]], ndim,
                        &v.in[i]);
        }
        if (red < 0) {
            ga__normalise(&axes);
            v.ndim = axes.ndim;
            for (int i = 0; i < k->narrays && !st; i++) {
                if (turned[i] || !ga__runs_across(&v.in[i], v.ndim, v.shape, v.n))
                    continue;
                turned[i] = ga__turned(c->fn, c->d, c->source[k->array[i]],
                                       out[0]);
                again = true;
                if (!turned[i]) st = ga__failed();
            }
        } else {                    /* in the order of a stored expression  */
            axes.n = 0;
            int lead = ga__e_lead(c, k, ndim, shape);
            if (lead >= 0) axes.o[axes.n++] = &v.in[lead];
            for (int j = 0; j < k->narrays; j++)
                if (j != lead) axes.o[axes.n++] = &v.in[j];
            v.nkeep = ga__reduced_axes(&axes, mask, lead >= 0, false);
            ga__some_axis(&axes);
            v.ndim = axes.ndim;
            int64_t step = 1;
            for (int i = v.nkeep; i-- > 0; step *= v.shape[i])
                v.out[0].stride[i] = step;
        }
    } while (again && !st);
    for (int i = 0; i < k->nconst; i++) {
        const ga__e_constant *o = &k->constant[i];
        if (o->scalar < 0) memcpy(v.constant[i], o->bytes.b, 16);
        else ga__e_bytes(c->number[o->scalar], (ga_dtype)o->t,
                         (ga_dtype)o->compute, v.constant[i]);
    }
    ga__buffer *work = NULL;
    size_t bytes = st ? 0 : ga__e_work(c->d, &v);
    if (fused) *fused = bytes != (size_t)-1;
    if (bytes == (size_t)-1) return GA_OK;
    if (bytes && !st) {
        work = ga__buffer_new(c->fn, c->d, bytes);
        if (work) v.use.work = work->ptr;
        else st = ga__failed();
    }
    for (int i = 0; i < k->narrays && !st; i++)
        st = ga__order(c->fn, (turned[i] ? turned[i]
                               : c->source[k->array[i]])->ga__buf, s, false);
    for (int i = 0; i < k->nout && !st; i++)
        st = ga__order(c->fn, out[i]->ga__buf, s, true);
    ga__e_jit *jit = c->host || c->d->id == GA_CPU ? NULL
                     : atomic_load(&c->e->jit);
    bool done = false;
    if (!st && jit) st = jit->run(jit, c->d, c->fn, &v, s, &done);
    if (!st && !done) st = ga__e_split(c, &v, s);
    if (!st) st = ga__after(c->fn, c->d, s);
    ga__release(work);
    for (int i = 0; i < k->narrays; i++) ga_free(turned[i]);
    return st;
}

/* A reduction of what the part computes: into out, or new in *made. */
static ga_status ga__e_reduce(ga__e_call *c, const ga__e_part *part, int ndim,
                              const int64_t *shape, ga_array *out,
                              ga_array **made) {
    const ga__e_piece *k = c->plan->piece[part->first + part->count - 1];
    ga__red red = (ga__red)part->red;
    ga_dtype t = (ga_dtype)k->step[k->result[0]].type;
    ga_dtype to = ga__reduces_to(c->fn, red, t);
    unsigned mask;
    int nkept;
    int64_t kept[GA_MAX_NDIM], n = 1;
    if (!ga__reduced(c->fn, red, part->axis, ndim, shape, &mask, &nkept, kept))
        return ga__failed();
    for (int i = 0; i < ndim; i++) n *= shape[i] != 0;
    const ga_array *x[GA__E_ARRAYS];
    for (int i = 0; i < k->narrays; i++) x[i] = c->source[k->array[i]];
    ga__result r;
    if (!ga__result_begin(&r, c->fn, c->d, out, made, nkept, kept, to, x,
                          k->narrays, 0))
        return ga__failed();
    ga_status st = GA_OK;
    /* a product's last bit shows its order, which is that of separate calls */
    bool exact = red != GA__RED_prod || ga__is_int(to)
                 || ga__real_of(to) != GA_FLOAT64;
    bool fused = n && k->narrays && exact
                 && (red == GA__RED_sum || red == GA__RED_prod
                       || red == GA__RED_max || red == GA__RED_min
                       || red == GA__RED_all || red == GA__RED_any
                       || red == GA__RED_mean);
    if (fused) st = ga__e_launch(c, k, &r.to, ndim, shape, red, mask, &fused);
    if (!fused && !st) {            /* store, as separate calls do; reduce  */
        int order[GA_MAX_NDIM];
        ga_array *v = ga__new(c->fn, c->d, ndim, shape, t,
                              ga__laid_out(x, k->narrays, ndim, shape, order));
        st = v ? GA_OK : ga__failed();
        if (!st && v->size)
            st = ga__e_launch(c, k, &v, ndim, shape, -1, 0, NULL);
        if (!st) st = ga__reduce(c->fn, red, r.to, NULL, v, part->axis, 0);
        ga_free(v);
    }
    return ga__result_end(&r, st);
}

/* The arrays that a part's programs read. */
static int ga__e_used(const ga__e_call *c, const ga__e_part *part,
                      const ga_array **used) {
    int n = 0;
    if (part->like >= 0) used[n++] = c->source[part->like];
    for (int i = 0; i < part->count; i++) {
        const ga__e_piece *k = c->plan->piece[part->first + i];
        for (int j = 0; j < k->narrays; j++) {
            const ga_array *x = c->source[k->array[j]];
            int seen = 0;
            while (seen < n && used[seen] != x) seen++;
            if (x && seen == n) used[n++] = x;
        }
    }
    return n;
}
/* The shape a part runs in: given outputs decide on it, else the operands. */
static ga_status ga__e_part_shape(const ga__e_call *c, const ga__e_part *part,
                                  const ga_array *out,
                                  const ga_array *const *used, int nused,
                                  int *ndim, int64_t *shape) {
    const ga_array *given = part->red < 0 ? out : NULL;
    for (int i = 0; i < part->count && part->red < 0; i++) {
        const ga__e_piece *k = c->plan->piece[part->first + i];
        for (int j = 0; j < k->nout; j++) {
            if (k->target[j] < 0 || k->target[j] >= c->e->noperands) continue;
            const ga_array *g = c->source[k->target[j]];
            if (!ga__writable(c->fn, g)) return ga__failed();
            if (!given) given = g;
            else if (g->ndim != given->ndim
                     || memcmp(g->shape, given->shape,
                               (size_t)g->ndim * sizeof *g->shape))
                return ga__fail(GA_ERR_SHAPE, c->fn, "outputs of shapes %s and "
                                "%s", ga__shape_text(given->ndim, given->shape),
                                ga__shape_text(g->ndim, g->shape));
        }
    }
    bool fit = true;
    *ndim = 0;
    for (int i = 0; i < nused && fit; i++)
        fit = ga__e_join(ndim, shape, used[i]->ndim, used[i]->shape);
    if (!fit) {
        ga__me.text = NULL;
        int at = ga__e_blame(c);
        ga__me.text = c->e->text;
        ga__me.at = at;
        ga__broadcast(c->fn, used, nused, ndim, shape);
        return ga__failed();
    }
    if (!given) return GA_OK;
    bool into = *ndim <= given->ndim;
    for (int i = 0; i < *ndim && into; i++)
        into = shape[i] == 1
               || shape[i] == given->shape[given->ndim - *ndim + i];
    if (!into)
        return ga__fail(GA_ERR_SHAPE, c->fn, "the output has shape %s, the "
                        "result %s", ga__shape_text(given->ndim, given->shape),
                        ga__shape_text(*ndim, shape));
    *ndim = given->ndim;
    memcpy(shape, given->shape, sizeof given->shape);
    return GA_OK;
}
/* Must the output g, of result j of piece i, be written through an array of
   ours? Where another place of it is read, where outputs overlap, or a later
   program reads or may fail.                                               */
static bool ga__e_clashes(const ga__e_call *c, const ga__e_part *part,
                          const ga_array *out, const ga_array *g, int i, int j,
                          const ga_array *const *used, int nused) {
    bool clash = i < part->count - 1;
    for (int q = 0; q < nused; q++) clash |= ga__disturbs(used[q], g);
    for (int q = 0; q < part->count; q++) {
        const ga__e_piece *other = c->plan->piece[part->first + q];
        for (int z = 0; z < other->nout; z++) {
            short o = other->target[z];
            const ga_array *h = o < 0 ? out : o < c->e->noperands
                                ? c->source[o] : NULL;
            clash |= h && (q != i || z != j) && ga__overlaps(h, g);
        }
    }
    return clash;
}

/* The results that reach their outputs later, in the statements' order. */
typedef struct ga__e_late {
    int n;
    struct { int statement; ga_array *from, *to; } of[GA__E_NAMES + 1];
} ga__e_late;
static ga_status ga__e_run_piece(ga__e_call *c, const ga__e_part *part, int i,
                                 ga_array *out, const ga_array *const *used,
                                 int nused, int ndim, const int64_t *shape,
                                 bool run, ga_array **made, ga__e_late *late) {
    const ga__e_piece *k = c->plan->piece[part->first + i];
    ga_array *target[GA__E_OUTS];
    for (int j = 0; j < k->nout; j++) {
        ga_dtype t = (ga_dtype)k->step[k->result[j]].type;
        short to = k->target[j];
        ga_array *g = to < 0 ? out : to < c->e->noperands
                      ? (ga_array *)(uintptr_t)c->source[to] : NULL;
        if (g && !ga__e_clashes(c, part, out, g, i, j, used, nused)) {
            target[j] = g;
            continue;
        }
        int order[GA_MAX_NDIM];
        const int *use = ga__laid_out(used, nused, ndim, shape, order);
        if (to >= c->e->noperands) {            /* its last reader has run  */
            ga_free((ga_array *)(uintptr_t)c->source[to]);
            c->source[to] = NULL;
        }
        target[j] = ga__new(c->fn, c->d, ndim, shape, t, use);
        if (!target[j]) return ga__failed();
        if (g) {
            int s = c->e->nstatements, b = late->n++;
            while (c->e->statement[--s].name != to) continue;
            for (; b && late->of[b - 1].statement > s; b--)
                late->of[b] = late->of[b - 1];
            late->of[b].statement = s;
            late->of[b].from = target[j];
            late->of[b].to = g;
        } else if (to < 0) {
            *made = target[j];
        } else {
            c->source[to] = target[j];
        }
    }
    return run ? ga__e_launch(c, k, target, ndim, shape, -1, 0, NULL) : GA_OK;
}

static ga_status ga__e_run_part(ga__e_call *c, const ga__e_part *part,
                                ga_array *out, ga_array **made) {
    const ga_array *used[GA__E_SOURCES];
    int ndim;
    int64_t shape[GA_MAX_NDIM], size = 0;
    bool inner = part->red >= 0 && part->target >= 0;
    ga_array *y = NULL;
    if (inner) {
        out = NULL;
        made = &y;
    }
    ga__me.text = c->e->text;
    ga__me.at = part->at;
    if (!part->count) {
        ga_status st = ga__reduce(c->fn, (ga__red)part->red, out, made,
                                  c->source[part->first], part->axis, 0);
        ga__me.text = NULL;
        if (inner) c->source[part->target] = y;
        return st;
    }
    const int nused = ga__e_used(c, part, used);
    ga_status st = ga__e_part_shape(c, part, out, used, nused, &ndim, shape);
    const ga__e_piece *end = c->plan->piece[part->first + part->count - 1];
    if (!st && !ga__count(c->fn, ndim, shape,
                          (ga_dtype)end->step[end->result[0]].type, &size))
        st = ga__failed();
    ga__e_late late;
    late.n = 0;
    for (int i = 0; i < part->count && !st; i++)
        st = part->red >= 0 && i == part->count - 1
                 ? ga__e_reduce(c, part, ndim, shape, out, made)
                 : ga__e_run_piece(c, part, i, out, used, nused, ndim, shape,
                                   size > 0, &y, &late);
    for (int i = 0; i < late.n; i++) {
        const ga_array *from = late.of[i].from;
        if (!st)
            st = ga__launch(c->fn, c->d, GA__OP_copy,
                            ga__computes_in(GA__OP_copy, from->dtype),
                            late.of[i].to, &from, 1, NULL);
        ga_free(late.of[i].from);
    }
    ga__me.text = NULL;
    if (inner) {
        c->source[part->target] = y;
    } else if (part->red < 0 && y) {
        if (st) ga_free(y);
        else *made = y;
    }
    return st;
}

/* ----------------------------------------------------------------- a call */
static pthread_mutex_t ga__e_lock = PTHREAD_MUTEX_INITIALIZER;

/* How an operand takes part in typing: its dtype, strong or weak, and of a
   weak integer the dtypes that it fits.                                    */
static unsigned char ga__e_kind_of(const ga_array *x) {
    if (x->ga__magic != GA__WEAK)
        return (unsigned char)((int)x->dtype | (ga__is_number(x) ? 0x20 : 0));
    if (!ga__is_int(x->dtype)) return (unsigned char)((int)x->dtype | 0x40);
    static const unsigned char width[] = {7, 8, 15, 16, 31, 32, 63};
    bool negative = x->dtype == GA_INT64 && x->ga__value.i < 0;
    uint64_t m = negative ? ~x->ga__value.u : x->ga__value.u;
    int i = 0;
    while (i < 7 && m >> width[i]) i++;
    return (unsigned char)(0x80 | i | (negative ? 8 : 0));
}
static ga__e_plan *ga__e_find(ga_expr *e, const ga__backend *be,
                              const unsigned char *key,
                              const ga_array *const *x) {
    ga__e_plan *plan = e->plans;
    for (; plan; plan = plan->next) {
        bool same = plan->be == be && !memcmp(plan->key, key, sizeof plan->key);
        for (int i = 0; plan->exact && same && i < e->noperands; i++)
            same = !ga__is_number(x[i])
                   || !memcmp(plan->value[i], &x[i]->ga__value,
                              sizeof plan->value[i]);
        if (same) break;
    }
    if (plan) atomic_fetch_add(&plan->refs, 1);
    return plan;
}
static ga__e_plan *ga__e_plan_for(const char *fn, ga_expr *e,
                                  const ga__backend *be, const ga_array *out,
                                  const ga_array *const *x) {
    unsigned char key[GA__E_NAMES + 1] = {0};
    for (int i = 0; i < e->noperands; i++) key[i] = ga__e_kind_of(x[i]);
    key[GA__E_NAMES] = (unsigned char)(out ? 1 + (int)out->dtype : 0);
    pthread_mutex_lock(&ga__e_lock);
    ga__e_plan *plan = ga__e_find(e, be, key, x);
    pthread_mutex_unlock(&ga__e_lock);
    if (plan) return plan;
    plan = ga__e_make_plan(fn, e, be, out, x);
    if (!plan) return NULL;
    memcpy(plan->key, key, sizeof key);
    for (int i = 0; i < e->noperands; i++)
        if (ga__is_number(x[i]))
            memcpy(plan->value[i], &x[i]->ga__value, sizeof plan->value[i]);
    atomic_fetch_add(&plan->refs, 1);
    pthread_mutex_lock(&ga__e_lock);
    plan->next = e->plans;
    e->plans = plan;
    ga__e_plan **last = &e->plans;  /* the oldest beyond the limit goes     */
    for (int i = 0; i < GA__E_PLANS && *last; i++) last = &(*last)->next;
    ga__e_plan *old = *last;
    *last = NULL;
    pthread_mutex_unlock(&ga__e_lock);
    ga__e_plan_free(old);
    return plan;
}

/* The plan's arrays are on d, or with `host` in host memory; frees it. */
static ga_status ga__e_run_plan(const char *fn, ga_expr *e, ga__e_plan *plan,
                                ga__device *d, bool host, ga_array *out,
                                ga_array **made, const ga_array *const *x) {
    ga__e_call c;
    c.fn = fn;
    c.e = e;
    c.plan = plan;
    c.d = d;
    c.host = host;
    memcpy(c.source, x, (size_t)e->noperands * sizeof *x);
    for (int i = e->noperands; i < plan->nsources; i++) c.source[i] = NULL;
    ga_status st = ga__e_numbers(&c);
    for (int i = 0; i < plan->nparts && !st; i++)
        st = ga__e_run_part(&c, &plan->part[i], out, made);
    for (int i = e->noperands; i < plan->nsources; i++)
        ga_free((ga_array *)(uintptr_t)c.source[i]);
    ga__e_plan_free(plan);
    return st;
}
/* Operands in number and kind, and a result where one is wanted. */
static ga_status ga__e_check(const char *fn, ga_expr *e, ga_array *out,
                             ga_array **made, const ga_array *const *x,
                             int n) {
    if (n != e->noperands)
        return ga__fail(GA_ERR_VALUE, fn, "%d operands for the names \"%s\"", n,
                        e->names);
    if (!ga__all_ok(fn, x, n)) return ga__failed();
    bool has = e->statement[e->nstatements - 1].name < 0;
    if (has && !made && !out)
        return ga__fail(GA_ERR_VALUE, fn, "the result has no name: set an "
                        "operand to it, or give an output");
    if (!has && (made || out))
        return ga__fail(GA_ERR_VALUE, fn, "the expression has no result, it "
                        "sets names alone (GA_EVAL_SET)");
    return out && (!ga__ok(fn, out) || !ga__writable(fn, out)) ? ga__failed()
                                                               : GA_OK;
}
static ga_status ga__e_run(const char *fn, ga_expr *e, ga_array *out,
                           ga_array **made, const ga_array *const *x, int n) {
    ga_status st = ga__e_check(fn, e, out, made, x, n);
    if (st) return st;
    ga__device *d = ga__same_device(fn, x, n);
    const ga_array *o = out;
    if (!d || (out && !ga__same_device(fn, &o, 1))) return ga__failed();
    ga__e_plan *plan = ga__e_plan_for(fn, e, d->be, out, x);
    return plan ? ga__e_run_plan(fn, e, plan, d, false, out, made, x)
                : ga__failed();
}

/* One program over arrays that a piece of has one address in each. */
static bool ga__e_in_pieces(const ga__e_plan *plan, const ga_array *out,
                            const ga_array *const *x, int n) {
    bool ok = plan->nparts == 1 && plan->part[0].red < 0
              && plan->part[0].count == 1 && !plan->nchecks
              && ga_is_contiguous(out) && out->size > 1;
    for (int i = 0; i < n && ok; i++)
        ok = !x[i]->ndim
             || (x[i]->ndim == out->ndim && ga_is_contiguous(x[i])
                 && !memcmp(x[i]->shape, out->shape,
                            (size_t)out->ndim * sizeof *out->shape)
                 && !ga__disturbs(x[i], out));
    return ok;
}
/* Host arrays, the work on d: in pieces, or up as a whole. */
static ga_status ga__e_run_host(const char *fn, ga_expr *e, ga__device *d,
                                ga_array *out, const ga_array *const *x) {
    const ga_array *there[GA__E_NAMES];
    ga_array *mine[GA__E_NAMES], *y = out;
    int n = e->noperands, up = 0;
    ga__e_plan *plan = ga__e_plan_for(fn, e, d->be, out, x);
    if (!plan) return ga__failed();
    bool pieces = ga__e_in_pieces(plan, out, x, n), ok = true;
    for (; up < n && ok; up++) {
        mine[up] = NULL;
        there[up] = x[up];
        if (ga__is_number(x[up]) || (pieces && x[up]->ndim)) continue;
        there[up] = mine[up] = (ga_to_device)(x[up], d->id);
        ok = mine[up] != NULL;
    }
    if (ok && !pieces) {
        y = ga__new(fn, d, out->ndim, out->shape, out->dtype, NULL);
        ok = y != NULL;
    }
    ga_status st = GA_OK;
    if (ok) st = ga__e_run_plan(fn, e, plan, d, pieces, y, NULL, there);
    else ga__e_plan_free(plan), st = ga__failed();
    if (y != out) {
        if (!st && !ga_is_contiguous(out)) st = (ga_assign)(out, y);
        else if (!st && !ga__to_host(fn, y, out->data, false))
            st = ga__failed();
        ga_free(y);
    }
    while (up-- > 0) ga_free(mine[up]);
    return st;
}

GA_API void ga_expr_free(ga_expr *e) {
    if (!e || atomic_fetch_sub(&e->refs, 1) > 1) return;
    while (e->plans) {
        ga__e_plan *next = e->plans->next;
        ga__e_plan_free(e->plans);
        e->plans = next;
    }
    ga__e_jit *jit = atomic_load(&e->jit);
    if (jit) jit->free(jit);
    GA_FREE(e->text);
    GA_FREE(e->names);
    GA_FREE(e->node);
    GA_FREE(e->statement);
    GA_FREE(e);
}
static ga_expr *ga__e_compile(const char *fn, const char *text,
                              const char *names) {
    if (!text || !names)
        return GA__NULL(GA_ERR_VALUE, fn, "the text or the names are NULL");
    size_t length = strlen(text), listed = strlen(names);
    if (length > 1 << 20)
        return GA__NULL(GA_ERR_SIZE, fn, "a text of %zu bytes; 1 MB is the most",
                        length);
    ga_expr *e = GA_MALLOC(sizeof *e);
    if (!e) return GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(e, 0, sizeof *e);
    atomic_init(&e->refs, 1);
    e->text = GA_MALLOC(length + 1);
    e->names = GA_MALLOC(listed + 1);
    if (!e->text || !e->names) {
        ga_expr_free(e);
        return GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    }
    memcpy(e->text, text, length + 1);
    memcpy(e->names, names, listed + 1);
    if (ga__e_parse(fn, e)) return e;
    ga_expr_free(e);
    return NULL;
}

/* The texts used last, in sets of four; the first of a set is the latest. */
static struct { uint64_t hash; ga_expr *e; } ga__e_cache[GA__E_SETS][4];
static ga_expr *ga__e_cached(const char *fn, const char *text,
                             const char *names) {
    if (!text || !names) return ga__e_compile(fn, text, names);
    uint64_t h = 0xcbf29ce484222325u;
    for (const char *p = text; *p; p++)
        h = (h ^ (unsigned char)*p) * 0x100000001b3u;
    for (const char *p = names; *p; p++)
        h = (h ^ (unsigned char)*p) * 0x100000001b3u;
    int set = (int)(h >> 40) % GA__E_SETS, i = 0;
    ga_expr *e = NULL, *old = NULL;
    pthread_mutex_lock(&ga__e_lock);
    for (; i < 4; i++) {
        e = ga__e_cache[set][i].e;
        if (e && ga__e_cache[set][i].hash == h && !strcmp(e->text, text)
            && !strcmp(e->names, names))
            break;
    }
    if (i == 4) {
        pthread_mutex_unlock(&ga__e_lock);
        e = ga__e_compile(fn, text, names);
        if (!e) return NULL;
        pthread_mutex_lock(&ga__e_lock);
        old = ga__e_cache[set][i = 3].e;
    }
    atomic_fetch_add(&e->refs, 1);
    memmove(&ga__e_cache[set][1], &ga__e_cache[set][0],
            (size_t)i * sizeof ga__e_cache[set][0]);
    ga__e_cache[set][0].hash = h;
    ga__e_cache[set][0].e = e;
    pthread_mutex_unlock(&ga__e_lock);
    ga_expr_free(old);
    return e;
}

static ga_status ga__e_eval(const char *fn, ga_array *out, ga_array **made,
                            const char *text, const char *names,
                            const ga_array *const *x, int n) {
    ga_expr *e = ga__e_cached(fn, text, names);
    if (!e) return ga__failed();
    ga_status st = ga__e_run(fn, e, out, made, x, n);
    ga_expr_free(e);
    return st;
}
GA_API ga_array *(ga_eval)(const char *text, const char *names,
                           const ga_array *const *operands, int n) {
    ga_array *r = NULL;
    ga__e_eval("ga_eval", NULL, &r, text, names, operands, n);
    return r;
}
GA_API ga_status ga_eval_into(ga_array *out, const char *text,
                              const char *names,
                              const ga_array *const *operands, int n) {
    return ga__e_eval("ga_eval_into", out, NULL, text, names, operands, n);
}
GA_API ga_status ga_eval_host_into(ga_array *out, const char *text,
                                   const char *names,
                                   const ga_array *const *x, int n) {
    const char *fn = "ga_eval_host_into";
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    if (!out) {
        ga__ok(fn, out);
        return ga__failed();
    }
    ga__device *d = ga__current(fn);
    ga_expr *e = d ? ga__e_cached(fn, text, names) : NULL;
    if (!e) return ga__failed();
    ga_status st = ga__e_check(fn, e, out, NULL, x, n);
    for (int i = 0; i < e->nstatements && !st; i++)
        if (e->statement[i].name >= 0 && e->statement[i].name < n)
            st = ga__fail(GA_ERR_VALUE, fn, "'%s' is an operand and cannot be "
                          "set", e->name[e->statement[i].name]);
    for (int i = -1; i < n && !st; i++) {
        const ga_array *a = i < 0 ? out : x[i];
        if (!ga__is_number(a) && a->device != GA_CPU)
            st = ga__fail(GA_ERR_DEVICE_MISMATCH, fn, "%s%s is on device %d, "
                          "not in host memory", i < 0 ? "the output" : "",
                          i < 0 ? "" : e->name[i], a->device);
    }
    if (!st) st = d->id == GA_CPU ? ga__e_run(fn, e, out, NULL, x, n)
                                  : ga__e_run_host(fn, e, d, out, x);
    ga_expr_free(e);
    return st;
}
GA_API ga_expr *ga_expr_compile(const char *text, const char *names) {
    return ga__e_compile("ga_expr_compile", text, names);
}
GA_API ga_array *(ga_expr_run)(ga_expr *e, const ga_array *const *operands,
                               int n) {
    ga_array *r = NULL;
    if (!e) return GA__NULL(GA_ERR_NULL, "ga_expr_run", "the expression is NULL");
    ga__e_run("ga_expr_run", e, NULL, &r, operands, n);
    return r;
}
GA_API ga_status ga_expr_run_into(ga_array *out, ga_expr *e,
                                  const ga_array *const *operands, int n) {
    if (!e)
        return ga__fail(GA_ERR_NULL, "ga_expr_run_into", "the expression is "
                        "NULL");
    return ga__e_run("ga_expr_run_into", e, out, NULL, operands, n);
}

#define GA__E_COLLECT                                                        \
    const ga_array *x[GA__E_NAMES];                                          \
    va_list ap;                                                              \
    va_start(ap, n);                                                         \
    for (int i = 0; i < n && i < GA__E_NAMES; i++)                           \
        x[i] = va_arg(ap, const ga_array *);                                 \
    va_end(ap)
GA_API ga_array *ga__eval_args(const char *text, const char *names, int n,
                               ...) {
    GA__E_COLLECT;
    return (ga_eval)(text, names, x, n);
}
GA_API ga_status ga__eval_into_args(ga_array *out, const char *text,
                                    const char *names, int n, ...) {
    GA__E_COLLECT;
    return ga_eval_into(out, text, names, x, n);
}
GA_API ga_status ga__eval_host_args(ga_array *out, const char *text,
                                    const char *names, int n, ...) {
    GA__E_COLLECT;
    return ga_eval_host_into(out, text, names, x, n);
}
GA_API ga_array *ga__expr_args(ga_expr *e, int n, ...) {
    GA__E_COLLECT;
    return (ga_expr_run)(e, x, n);
}
GA_API ga_status ga__expr_into_args(ga_array *out, ga_expr *e, int n, ...) {
    GA__E_COLLECT;
    return ga_expr_run_into(out, e, x, n);
}

/* ================================================================ >>i-npy */
#include <sys/stat.h>

typedef struct ga__npy_header {
    ga_dtype dtype;
    bool swap;                      /* in the other byte order              */
    bool fortran;
    int ndim;
    int64_t shape[GA_MAX_NDIM];
    int64_t size;                   /* elements                             */
    size_t offset;                  /* where the data begins                */
} ga__npy_header;

#define GA__NPY_PREFIX 12           /* what tells the header's length       */
#define GA__NPY_MAX_HEADER ((size_t)1 << 20)
#define GA__NPY_PIECE ((size_t)8 << 20)

static bool ga__little_endian(void) {
    const uint16_t one = 1;
    unsigned char c;
    memcpy(&c, &one, 1);
    return c == 1;
}

/* Bytes before the data, from the first GA__NPY_PREFIX; 0: not this format. */
static size_t ga__npy_offset(const unsigned char *p) {
    if (memcmp(p, "\x93NUMPY", 6) || p[6] < 1 || p[6] > 3 || p[7]) return 0;
    size_t n = p[8] | (size_t)p[9] << 8;
    if (p[6] == 1) return 10 + n;
    return 12 + (n | (size_t)p[10] << 16 | (size_t)p[11] << 24);
}

/* The header is a Python dictionary of three keys; the functions below each
   read one thing at *p and move on, never past end.                        */
static int ga__npy_peek(const unsigned char **p, const unsigned char *end) {
    while (*p < end && (**p == ' ' || (**p >= '\t' && **p <= '\r'))) ++*p;
    return *p < end ? **p : -1;
}
static bool ga__npy_take(const unsigned char **p, const unsigned char *end,
                         char c) {
    if (ga__npy_peek(p, end) != c) return false;
    ++*p;
    return true;
}
static bool ga__npy_word(const unsigned char **p, const unsigned char *end,
                         const char *w) {
    size_t n = strlen(w);
    ga__npy_peek(p, end);
    if ((size_t)(end - *p) < n || memcmp(*p, w, n)) return false;
    *p += n;
    return true;
}
/* A quoted string without escapes of fewer than `cap` characters. */
static bool ga__npy_string(const unsigned char **p, const unsigned char *end,
                           char *out, size_t cap) {
    int quote = ga__npy_peek(p, end);
    size_t n = 0;
    if (quote != '\'' && quote != '"') return false;
    for (++*p; *p < end && **p != quote; ++*p) {
        if (n + 1 >= cap || **p < ' ' || **p > '~' || **p == '\\')
            return false;
        out[n++] = (char)**p;
    }
    out[n] = 0;
    return *p < end && (++*p, true);
}

/* "<f4", ">i8", "|b1", "float32", ... as a dtype, if it is one of ours. */
static bool ga__npy_descr(const char *s, ga__npy_header *h) {
    char order = *s && strchr("<>=|", *s) ? *s++ : '=';
    h->swap = order == (ga__little_endian() ? '>' : '<');
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        char code[8];
        h->dtype = (ga_dtype)t;
        snprintf(code, sizeof code, "%c%d", ga__kind(h->dtype),
                 (int)ga__size(h->dtype));
        if (t == GA_BFLOAT16) strcpy(code, "V2");
        if (!strcmp(s, code) || !strcmp(s, ga_dtype_name(h->dtype)))
            return true;
    }
    h->dtype = GA_BOOL;
    return !strcmp(s, "?");
}

/* "(3, 4)", "(3,)", "()", and Python 2's "(3L,)". NULL or what is wrong. */
static const char *ga__npy_shape(const unsigned char **p,
                                 const unsigned char *end,
                                 ga__npy_header *h) {
    if (!ga__npy_take(p, end, '(')) return "the shape is not a tuple";
    bool comma = true;
    h->ndim = 0;
    while (!ga__npy_take(p, end, ')')) {
        int64_t n = 0;
        int c = ga__npy_peek(p, end);
        if (c == '-') return "a length is negative";
        if (!comma || c < '0' || c > '9') return "the shape is malformed";
        if (h->ndim == GA_MAX_NDIM) return "more than 8 dimensions";
        for (; *p < end && **p >= '0' && **p <= '9'; ++*p) {
            if (n > (INT64_MAX - 9) / 10) return "a length is too large";
            n = n * 10 + (**p - '0');
        }
        if (*p < end && **p == 'L') ++*p;
        h->shape[h->ndim++] = n;
        comma = ga__npy_take(p, end, ',');
    }
    return h->ndim == 1 && !comma ? "the shape is not a tuple" : NULL;
}

/* The first n bytes of a file. A pure function: no byte beyond n is read, and
   *out is complete only where GA_OK is returned.                           */
static ga_status ga__npy_parse(const char *fn, const unsigned char *bytes,
                               size_t n, ga__npy_header *out) {
    const unsigned char *p = bytes, *end, *at;
    unsigned seen = 0;              /* 1 descr, 2 fortran_order, 4 shape    */
    const char *wrong = NULL;
    memset(out, 0, sizeof *out);
    if (n < GA__NPY_PREFIX || !(out->offset = ga__npy_offset(bytes)))
        return ga__fail(GA_ERR_FILE_FORMAT, fn, "not a .npy file of version "
                        "1.0, 2.0 or 3.0");
    if (out->offset > n)
        return ga__fail(GA_ERR_FILE_FORMAT, fn, "the header of %zu bytes is "
                        "cut off", out->offset);
    p += bytes[6] == 1 ? 10 : 12;
    end = bytes + out->offset;
    if (!ga__npy_take(&p, end, '{')) wrong = "the header is no dictionary";
    while (!wrong && !ga__npy_take(&p, end, '}')) {
        char key[16], descr[32];
        unsigned bit;
        if (!ga__npy_string(&p, end, key, sizeof key)
            || !ga__npy_take(&p, end, ':')) {
            wrong = "the header is malformed";
            break;
        }
        if (!strcmp(key, "descr")) {
            bit = 1;
            ga__npy_peek(&p, end);
            at = p;
            if (!ga__npy_string(&p, end, descr, sizeof descr)
                || !ga__npy_descr(descr, out)) {
                char shown[64];     /* structured ones are lists            */
                size_t k = 0;
                bool whole = false;
                for (; k + 1 < sizeof shown && at + k < end && !whole; k++) {
                    int c = at[k];
                    shown[k] = c < ' ' || c > '~' ? '?' : (char)c;
                    whole = k && c == (at[0] == '[' ? ']' : at[0]);
                }
                shown[k] = 0;
                return ga__fail(GA_ERR_FILE_FORMAT, fn, "descr %s is not a "
                                "dtype of this library", shown);
            }
        } else if (!strcmp(key, "fortran_order")) {
            bit = 2;
            out->fortran = ga__npy_word(&p, end, "True");
            if (!out->fortran && !ga__npy_word(&p, end, "False"))
                wrong = "fortran_order is neither True nor False";
        } else if (!strcmp(key, "shape")) {
            bit = 4;
            wrong = ga__npy_shape(&p, end, out);
        } else {
            wrong = "the header has an unknown key";
            break;
        }
        if (!wrong && seen & bit) wrong = "the header repeats a key";
        seen |= bit;
        if (!wrong && !ga__npy_take(&p, end, ',')
            && ga__npy_peek(&p, end) != '}')
            wrong = "the header is malformed";
    }
    if (!wrong && seen != 7)
        wrong = "the header lacks descr, fortran_order or shape";
    if (!wrong && ga__npy_peek(&p, end) != -1)
        wrong = "the header has text after its dictionary";
    if (wrong) return ga__fail(GA_ERR_FILE_FORMAT, fn, "%s", wrong);
    int64_t lim = INT64_MAX / (int64_t)ga__size(out->dtype);
    out->size = 1;
    for (int i = 0; i < out->ndim; i++)
        if (!out->shape[i]) out->size = 0;
    for (int i = 0; i < out->ndim && out->size; i++) {
        if (out->shape[i] > lim / out->size)
            return ga__fail(GA_ERR_FILE_FORMAT, fn, "shape %s of %s is too "
                            "large", ga__shape_text(out->ndim, out->shape),
                            ga_dtype_name(out->dtype));
        out->size *= out->shape[i];
    }
    return GA_OK;
}

/* Elements as read made those of this machine, in place. */
static void ga__npy_fix(const ga__npy_header *h, unsigned char *p,
                        size_t bytes) {
    size_t w = ga__size(h->dtype) / (ga__kind(h->dtype) == 'c' ? 2 : 1);
    if (h->dtype == GA_BOOL)        /* a C bool is 0 or 1, whatever was there */
        for (size_t i = 0; i < bytes; i++) p[i] = p[i] != 0;
    if (!h->swap || w == 1) return;
    for (unsigned char *e = p + bytes; p < e; p += w)
        for (size_t i = 0; i < w / 2; i++) {
            unsigned char t = p[i];
            p[i] = p[w - 1 - i];
            p[w - 1 - i] = t;
        }
}

/* What an array is read from and written to: a file, or a member of an archive,
   which has its own end and may be packed (>>i-exchange).                  */
typedef struct ga__member ga__member;
typedef struct ga__io {
    FILE *f;
    ga__member *member;             /* NULL: the file itself                */
} ga__io;
static ga_status ga__member_read(ga__io *io, const char *fn, void *dst,
                                 size_t bytes);
static ga_status ga__member_write(ga__io *io, const char *fn, const void *src,
                                  size_t bytes);
static int64_t ga__member_left(const ga__member *m);

static ga_status ga__io_read(ga__io *io, const char *fn, void *dst,
                             size_t bytes) {
    if (io->member) return ga__member_read(io, fn, dst, bytes);
    errno = 0;
    if (!bytes || fread(dst, 1, bytes, io->f) == bytes) return GA_OK;
    if (ferror(io->f))
        return ga__fail(GA_ERR_FILE_READ, fn, "%s", strerror(errno));
    return ga__fail(GA_ERR_FILE_FORMAT, fn, "the file ends early");
}
static ga_status ga__io_write(ga__io *io, const char *fn, const void *src,
                              size_t bytes) {
    if (io->member) return ga__member_write(io, fn, src, bytes);
    errno = 0;
    return fwrite(src, 1, bytes, io->f) == bytes ? GA_OK
           : ga__fail(GA_ERR_FILE_WRITE, fn, "%s", strerror(errno));
}
/* Bytes from here to the end, or -1 for a pipe and its like. */
static int64_t ga__io_left(ga__io *io) {
    if (io->member) return ga__member_left(io->member);
    long at = ftell(io->f), end;
    if (at < 0 || fseek(io->f, 0, SEEK_END)) return -1;
    end = ftell(io->f);
    return fseek(io->f, at, SEEK_SET) || end < at ? -1 : end - at;
}
/* All of a pipe's data: memory grows with what has come. */
static unsigned char *ga__npy_slurp(ga__io *io, const char *fn, size_t bytes) {
    unsigned char *p = NULL;
    for (size_t have = 0; have < bytes || !p;) {
        size_t cap = have + (have > GA__NPY_PIECE ? have : GA__NPY_PIECE);
        if (cap > bytes) cap = bytes;
        unsigned char *q = (unsigned char *)GA_REALLOC(p, cap ? cap : 1);
        if (!q) ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes", cap);
        if (q) p = q;
        if (!q || ga__io_read(io, fn, p + have, cap - have)) {
            GA_FREE(p);
            return NULL;
        }
        have = cap;
    }
    return p;
}

/* The data into x: read in place on the CPU, through a piece of host memory
   to a GPU.                                                                */
static ga_status ga__npy_fill(ga__io *io, const char *fn,
                              const ga__npy_header *h, ga_array *x,
                              unsigned char *slurped) {
    ga__device *d = x->ga__buf->dev;
    ga_stream *s = ga__stream(d);
    size_t bytes = (size_t)h->size * ga__size(h->dtype), piece = GA__NPY_PIECE;
    ga_status st = ga__order(fn, x->ga__buf, s, true);
    if (st) return st;
    if (slurped) {
        ga__npy_fix(h, slurped, bytes);
        return d->be->copy(d, fn, GA__H2D, x->data, slurped, bytes, s, false);
    }
    if (d->id == GA_CPU) {
        st = ga__io_read(io, fn, x->data, bytes);
        if (!st) ga__npy_fix(h, (unsigned char *)x->data, bytes);
        return st;
    }
    if (piece > bytes) piece = bytes;
    unsigned char *p = (unsigned char *)GA_MALLOC(piece);
    if (!p) return ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes", piece);
    for (size_t done = 0; done < bytes && !st; done += piece) {
        if (piece > bytes - done) piece = bytes - done;
        st = ga__io_read(io, fn, p, piece);
        if (st) break;
        ga__npy_fix(h, p, piece);
        st = d->be->copy(d, fn, GA__H2D, (char *)x->data + done, p, piece, s,
                         false);
    }
    GA_FREE(p);
    return st;
}

static ga_array *ga__npy_load(ga__io *io, const char *fn) {
    unsigned char prefix[GA__NPY_PREFIX];
    ga__npy_header h;
    ga__device *d = ga__current(fn);
    if (!d || ga__io_read(io, fn, prefix, sizeof prefix)) return NULL;
    size_t n = ga__npy_offset(prefix);
    if (n > GA__NPY_MAX_HEADER)
        return (ga_array *)GA__NULL(GA_ERR_FILE_FORMAT, fn,
                                    "a header of %zu bytes", n);
    if (n < sizeof prefix) n = sizeof prefix;
    unsigned char *head = (unsigned char *)GA_MALLOC(n);
    if (!head) return (ga_array *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memcpy(head, prefix, sizeof prefix);
    ga_status st = ga__io_read(io, fn, head + sizeof prefix, n - sizeof prefix);
    if (!st) st = ga__npy_parse(fn, head, n, &h);
    GA_FREE(head);
    if (st) return NULL;
    /* nothing is allocated that the file cannot fill */
    size_t bytes = (size_t)h.size * ga__size(h.dtype);
    int64_t left = ga__io_left(io);
    unsigned char *slurped = NULL;
    if (left >= 0 && (uint64_t)left < bytes)
        return (ga_array *)GA__NULL(GA_ERR_FILE_FORMAT, fn, "the file ends "
                                    "early: %" PRId64 " bytes of data where "
                                    "shape %s of %s takes %zu", left,
                                    ga__shape_text(h.ndim, h.shape),
                                    ga_dtype_name(h.dtype), bytes);
    if (left < 0 && !(slurped = ga__npy_slurp(io, fn, bytes))) return NULL;
    int order[GA_MAX_NDIM];
    for (int i = 0; i < h.ndim; i++)
        order[i] = h.fortran ? h.ndim - 1 - i : i;
    ga_array *x = ga__new(fn, d, h.ndim, h.shape, h.dtype, order);
    if (x && bytes && ga__npy_fill(io, fn, &h, x, slurped)) {
        ga_free(x);
        x = NULL;
    }
    GA_FREE(slurped);
    return x;
}

/* "ga_load_npy: <path>" as the operation's name in messages. */
typedef struct ga__file_op { char text[256]; } ga__file_op;
static ga__file_op ga__file_name(const char *fn, const char *path) {
    ga__file_op n;
    size_t len = strlen(path), most = 200;
    snprintf(n.text, sizeof n.text, "%s: %s%s", fn, len > most ? "..." : "",
             len > most ? path + (len - most) : path);
    return n;
}
/* The file at path, to be read, and the operation's name. */
static FILE *ga__file_open(const char *fn, const char *path, ga__file_op *op) {
    if (!path) return (FILE *)GA__NULL(GA_ERR_NULL, fn, "the path is NULL");
    *op = ga__file_name(fn, path);
    FILE *f = fopen(path, "rb");
    if (!f) ga__fail(GA_ERR_FILE_OPEN, op->text, "%s", strerror(errno));
    return f;
}

GA_API ga_array *(ga_load_npy)(const char *path) {
    ga__file_op op;
    ga__io io = {ga__file_open("ga_load_npy", path, &op), NULL};
    if (!io.f) return NULL;
    ga_array *x = ga__npy_load(&io, op.text);
    fclose(io.f);
    return x;
}

/* numpy.save's header, byte for byte: room for the first length to grow to 21
   digits, then spaces and a newline up to a multiple of 64. Its length.    */
#define GA__NPY_HEADER 512          /* 8 lengths of 19 digits take 260      */
static size_t ga__npy_header_of(const ga_array *x, char *out) {
    char kind = ga__kind(x->dtype), first[24] = "";
    if (x->dtype == GA_BFLOAT16) kind = 'V';
    size_t n = 10, cap = GA__NPY_HEADER;
    n += (size_t)snprintf(out + n, cap - n, "{'descr': '%c%c%d', "
                          "'fortran_order': False, 'shape': (",
                          ga__size(x->dtype) == 1 ? '|'
                          : ga__little_endian() ? '<' : '>',
                          kind, (int)ga__size(x->dtype));
    for (int i = 0; i < x->ndim; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%" PRId64, i ? ", " : "",
                              x->shape[i]);
    n += (size_t)snprintf(out + n, cap - n, "%s), }", x->ndim == 1 ? "," : "");
    if (x->ndim) {
        int digits = snprintf(first, sizeof first, "%" PRId64, x->shape[0]);
        for (int i = digits; i < 21; i++) out[n++] = ' ';
    }
    for (size_t pad = 64 - (n + 1) % 64; pad-- > 0;) out[n++] = ' ';
    out[n++] = '\n';
    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (char)((n - 10) & 255);
    out[9] = (char)((n - 10) >> 8);
    return n;
}

/* x in C order through buf of GA__NPY_PIECE bytes: halved until it fits. */
static ga_status ga__npy_write(ga__io *io, const char *fn, const ga_array *x,
                               void *buf) {
    size_t bytes = (size_t)x->size * ga__size(x->dtype);
    if (!bytes) return GA_OK;
    if (bytes <= GA__NPY_PIECE) {
        if (!ga_asnumpy(x, buf)) return ga__failed();
        return ga__io_write(io, fn, buf, bytes);
    }
    int a = 0;
    while (x->shape[a] == 1) a++;
    ga_status st = GA_OK;
    for (int half = 0; half < 2 && !st; half++) {
        int64_t mid = x->shape[a] / 2;
        ga_array *v = (ga_slice_axis)(x, a, half ? mid : 0,
                                      half ? GA_END : mid, 1);
        st = v ? ga__npy_write(io, fn, v, buf) : ga__failed();
        ga_free(v);
    }
    return st;
}

/* A new file beside path, to be renamed; NULL: path is written in place. That
   is what links, FIFOs, /dev/stdout and others' files want, and a folder that
   one cannot write to.                                                     */
#if defined(__unix__) || defined(__APPLE__)
extern int lstat(const char *, struct stat *);      /* strict C11 hides it  */
static FILE *ga__file_beside(const char *path, char *name, size_t room) {
    static atomic_uint count;
    struct stat old;
    bool there = !lstat(path, &old);
    if (there && (!S_ISREG(old.st_mode) || old.st_nlink != 1
                  || old.st_uid != geteuid() || access(path, W_OK)))
        return NULL;
    int n = snprintf(name, room, "%s.%ld-%u", path, (long)getpid(),
                     atomic_fetch_add(&count, 1));
    FILE *f = n > 0 && (size_t)n < room ? fopen(name, "wbx") : NULL;
    if (!f || !there || !chmod(name, old.st_mode & 07777)) return f;
    fclose(f);
    remove(name);
    return NULL;
}
#else
static FILE *ga__file_beside(const char *path, char *name, size_t room) {
    (void)path, (void)name, (void)room;
    return NULL;
}
#endif

/* A file that is being written: complete, or as it was before. */
typedef struct ga__saving {
    ga__io io;
    ga__file_op op;                 /* for messages                         */
    bool beside;
    const char *path;
    char name[4096];
} ga__saving;
static ga_status ga__save_begin(ga__saving *w, const char *fn,
                                const char *path) {
    w->op = ga__file_name(fn, path);
    w->path = path;
    w->io.member = NULL;
    w->io.f = ga__file_beside(path, w->name, sizeof w->name);
    w->beside = w->io.f != NULL;
    if (!w->io.f) w->io.f = fopen(path, "wb");
    if (!w->io.f)
        return ga__fail(GA_ERR_FILE_OPEN, w->op.text, "%s", strerror(errno));
    return GA_OK;
}
/* st: how the writing went. */
static ga_status ga__save_end(ga__saving *w, ga_status st) {
    errno = 0;
    if (fclose(w->io.f) && !st)     /* a full disk may show up only here    */
        st = ga__fail(GA_ERR_FILE_WRITE, w->op.text, "%s", strerror(errno));
    if (!st && w->beside && rename(w->name, w->path))
        st = ga__fail(GA_ERR_FILE_WRITE, w->op.text, "%s", strerror(errno));
    if (st && w->beside) remove(w->name);
    return st;
}
/* For ga__npy_write of x. */
static void *ga__npy_piece(const char *fn, const ga_array *x) {
    size_t bytes = (size_t)x->size * ga__size(x->dtype);
    if (bytes > GA__NPY_PIECE) bytes = GA__NPY_PIECE;
    void *buf = GA_MALLOC(bytes ? bytes : 1);
    return buf ? buf : GA__NULL(GA_ERR_HOST_MEMORY, fn, "%zu bytes", bytes);
}

GA_API ga_status ga_save_npy(const char *path, const ga_array *x) {
    static const char fn[] = "ga_save_npy";
    char head[GA__NPY_HEADER];
    ga__saving w;
    if (!ga__ok(fn, x)) return ga__failed();
    if (!path) return ga__fail(GA_ERR_NULL, fn, "the path is NULL");
    void *buf = ga__npy_piece(fn, x);
    if (!buf) return ga__failed();
    ga_status st = ga__save_begin(&w, fn, path);
    if (!st) {
        st = ga__io_write(&w.io, w.op.text, head, ga__npy_header_of(x, head));
        if (!st) st = ga__npy_write(&w.io, w.op.text, x, buf);
        st = ga__save_end(&w, st);
    }
    GA_FREE(buf);
    return st;
}

/* =========================================================== >>i-exchange */
/* --------------------------------------------------------------- DLPack */
static const struct { unsigned char code, bits; } ga__dl_codes[] = {
    {kDLBool, 8}, {kDLInt, 8}, {kDLInt, 16}, {kDLInt, 32}, {kDLInt, 64},
    {kDLUInt, 8}, {kDLUInt, 16}, {kDLUInt, 32}, {kDLUInt, 64}, {kDLFloat, 16},
    {kDLBfloat, 16}, {kDLFloat, 32}, {kDLFloat, 64}, {kDLComplex, 64},
    {kDLComplex, 128}};             /* by ga_dtype                          */
_Static_assert(sizeof ga__dl_codes / sizeof *ga__dl_codes == GA_NUM_DTYPES,
               "a dtype without a code of DLPack");

/* Either form of tensor with its lengths behind it, in one block. */
typedef struct ga__dl {
    union { DLManagedTensorVersioned v; DLManagedTensor u; } t;
    ga__buffer *buf;
    int64_t shape[GA_MAX_NDIM], strides[GA_MAX_NDIM];
} ga__dl;

/* The consumer has done. It may have worked on a stream that the buffer knows
   nothing of: the null stream waits for all but those made not to.         */
static void ga__dl_done(ga__dl *m) {
    ga__buffer *b = m->buf;
    if (!ga__me.capture && b->dev->id != GA_CPU)
        ga__order("ga_to_dlpack", b, &b->dev->null, true);
    ga__release(b);
    GA_FREE(m);
}
static void ga__dl_done_v(DLManagedTensorVersioned *t) {
    if (t) ga__dl_done((ga__dl *)t->manager_ctx);
}
static void ga__dl_done_u(DLManagedTensor *t) {
    if (t) ga__dl_done((ga__dl *)t->manager_ctx);
}

/* Makes the CUDA stream wait for the work on b, and for what is on it to come
   if it is one that is known here.                                         */
static ga_status ga__dl_order(const char *fn, ga__buffer *b, void *stream,
                              bool write) {
    ga__device *d = b->dev;
    if (d->id == GA_CPU || stream == GA_NO_SYNC) return GA_OK;
    if (!stream || (uintptr_t)stream == 1)
        return ga__order(fn, b, &d->null, write);
#ifndef GPUARR_NO_CUDA
    pthread_mutex_lock(ga__cuda_lock(d));
    ga_stream *s = ga__cuda[d->id].open;
    while (s && (s->handle != stream || s->destroyed)) s = s->next;
    if (s) ga__stream_ref(s);
    pthread_mutex_unlock(ga__cuda_lock(d));
    if (s) {
        ga_status st = ga__order(fn, b, s, write);
        ga__stream_unref(s);
        return st;
    }
    /* a stranger: it may be gone before the array, so nothing may name it */
    ga_stream stranger, *before[GA__READERS + 1];
    memset(&stranger, 0, sizeof stranger);
    stranger.handle = stream;
    stranger.dev = d;
    int n = 0;
    ga__lock(b);
    if (b->writer) before[n++] = b->writer;
    for (int i = 0; write && i < b->nreaders; i++) before[n++] = b->reader[i];
    for (int i = 0; i < n; i++) ga__stream_ref(before[i]);
    ga__unlock(b);
    ga_status st = GA_OK;
    for (int i = 0; i < n; i++) {
        if (!st) st = d->be->stream_wait(d, fn, &stranger, before[i]);
        ga__stream_unref(before[i]);
    }
    return st;
#else
    return GA_OK;
#endif
}

static bool ga__is_broadcast(const ga_array *x) {
    for (int i = 0; i < x->ndim && x->size; i++)
        if (x->shape[i] > 1 && !x->strides[i]) return true;
    return false;
}
static ga__dl *ga__dl_new(const char *fn, const ga_array *x, void *stream,
                          bool versioned) {
    if (!ga__ok(fn, x) || ga__capturing(fn)) return NULL;
    if (ga__is_number(x))
        return (ga__dl *)GA__NULL(GA_ERR_VALUE, fn, "a C number is no array");
    bool readonly = x->ga__buf->readonly || ga__is_broadcast(x);
    if (readonly && !versioned)
        return (ga__dl *)GA__NULL(GA_ERR_READONLY, fn, "the array of shape %s "
                                  "is read-only, which an unversioned tensor "
                                  "cannot say", ga__shape_text(x->ndim,
                                                               x->shape));
    ga__dl *m = (ga__dl *)GA_MALLOC(sizeof *m);
    if (!m) return (ga__dl *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(m, 0, sizeof *m);
    if (ga__dl_order(fn, x->ga__buf, stream, !readonly)) {
        GA_FREE(m);
        return NULL;
    }
    DLTensor *t = versioned ? &m->t.v.dl_tensor : &m->t.u.dl_tensor;
    if (versioned) {
        m->t.v.version.major = 1;
        m->t.v.manager_ctx = m;
        m->t.v.deleter = ga__dl_done_v;
        m->t.v.flags = readonly ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
    } else {
        m->t.u.manager_ctx = m;
        m->t.u.deleter = ga__dl_done_u;
    }
    t->data = x->data;
    t->device.device_type = x->device == GA_CPU ? kDLCPU : kDLCUDA;
    t->device.device_id = x->device == GA_CPU ? 0 : x->device;
    t->ndim = x->ndim;
    t->dtype.code = ga__dl_codes[x->dtype].code;
    t->dtype.bits = ga__dl_codes[x->dtype].bits;
    t->dtype.lanes = 1;
    t->shape = memcpy(m->shape, x->shape, sizeof m->shape);
    t->strides = memcpy(m->strides, x->strides, sizeof m->strides);
    m->buf = x->ga__buf;
    atomic_fetch_add(&m->buf->refs, 1);
    return m;
}
GA_API DLManagedTensorVersioned *ga_to_dlpack(const ga_array *x, void *stream) {
    ga__dl *m = ga__dl_new("ga_to_dlpack", x, stream, true);
    return m ? &m->t.v : NULL;
}
GA_API DLManagedTensor *ga_to_dlpack_unversioned(const ga_array *x,
                                                 void *stream) {
    ga__dl *m = ga__dl_new("ga_to_dlpack_unversioned", x, stream, false);
    return m ? &m->t.u : NULL;
}

/* The strides reach no further than an address can. */
static bool ga__dl_reach(const char *fn, const DLTensor *t, size_t size) {
    int64_t lim = INT64_MAX / (int64_t)size, sum = 0;
    for (int i = 0; i < t->ndim; i++)
        if (t->shape[i] == 0) return true;
    for (int i = 0; i < t->ndim; i++) {
        int64_t s = t->strides[i], n = t->shape[i] - 1;
        if (n && (s == INT64_MIN || (s < 0 ? -s : s) > (lim - sum) / n)) {
            ga__fail(GA_ERR_SIZE, fn, "strides %s of shape %s are too large",
                     ga__shape_text(t->ndim, t->strides),
                     ga__shape_text(t->ndim, t->shape));
            return false;
        }
        if (n) sum += (s < 0 ? -s : s) * n;
    }
    return true;
}
static ga_array *ga__dl_take(const char *fn, const DLTensor *t, bool readonly,
                             void (*deleter)(void *, void *), void *arg) {
    int k = 0, device = GA_CPU;
    if (ga__capturing(fn)) return NULL;
    while (k < GA_NUM_DTYPES && (t->dtype.code != ga__dl_codes[k].code
                                 || t->dtype.bits != ga__dl_codes[k].bits)) k++;
    if (k == GA_NUM_DTYPES || t->dtype.lanes != 1)
        return (ga_array *)GA__NULL(GA_ERR_DTYPE, fn, "type code %d of %d bits "
                                    "and %d lanes is no dtype of this library",
                                    t->dtype.code, t->dtype.bits,
                                    t->dtype.lanes);
    int type = (int)t->device.device_type;
    bool cuda = type == kDLCUDA || type == kDLCUDAManaged;
    if (cuda) device = t->device.device_id;
    if ((cuda && device < 0)
        || (!cuda && type != kDLCPU && type != kDLCUDAHost))
        return (ga_array *)GA__NULL(GA_ERR_DEVICE, fn, "the tensor is on "
                                    "device %d of type %d; 1 to 3 and 13, CPU "
                                    "and CUDA, can be taken",
                                    (int)t->device.device_id, type);
    ga_shape s = {t->ndim, {0}};
    if (t->ndim > 0 && t->ndim <= GA_MAX_NDIM) {
        if (!t->shape)
            return (ga_array *)GA__NULL(GA_ERR_NULL, fn, "the shape is NULL");
        memcpy(s.dim, t->shape, (size_t)t->ndim * sizeof *s.dim);
        int64_t n;
        if (!ga__count(fn, s.ndim, s.dim, (ga_dtype)k, &n)
            || (t->strides && !ga__dl_reach(fn, t, ga__size((ga_dtype)k))))
            return NULL;
    }
    char *p = t->data ? (char *)t->data + t->byte_offset : NULL;
    ga_array *x = ga__wrap(fn, p, (ga_dtype)k, s, t->strides, device, deleter,
                           arg);
    if (!x) return NULL;
    x->ga__buf->readonly = readonly;
    if (device != GA_CPU) {         /* another stream waits for this one    */
        x->ga__buf->writer = ga__stream(x->ga__buf->dev);
        ga__stream_ref(x->ga__buf->writer);
    }
    return x;
}
static void ga__dl_return_v(void *p, void *arg) {
    DLManagedTensorVersioned *t = (DLManagedTensorVersioned *)arg;
    (void)p;
    if (t->deleter) t->deleter(t);
}
static void ga__dl_return_u(void *p, void *arg) {
    DLManagedTensor *t = (DLManagedTensor *)arg;
    (void)p;
    if (t->deleter) t->deleter(t);
}
GA_API ga_array *(ga_from_dlpack)(DLManagedTensorVersioned *t) {
    const char *fn = "ga_from_dlpack";
    if (!t) return (ga_array *)GA__NULL(GA_ERR_NULL, fn, "the tensor is NULL");
    if (t->version.major != 1)
        return (ga_array *)GA__NULL(GA_ERR_VERSION, fn, "a tensor of DLPack "
                                    "%u.%u; this library knows 1.x",
                                    (unsigned)t->version.major,
                                    (unsigned)t->version.minor);
    return ga__dl_take(fn, &t->dl_tensor,
                       t->flags & DLPACK_FLAG_BITMASK_READ_ONLY,
                       ga__dl_return_v, t);
}
GA_API ga_array *(ga_from_dlpack_unversioned)(DLManagedTensor *t) {
    const char *fn = "ga_from_dlpack_unversioned";
    if (!t) return (ga_array *)GA__NULL(GA_ERR_NULL, fn, "the tensor is NULL");
    return ga__dl_take(fn, &t->dl_tensor, false, ga__dl_return_u, t);
}

/* --------------------------------------------------------- .npz archives
   A zip file whose members are .npy files, stored or deflated, as NumPy writes
   it: the directory at its end says where each is.                         */
#ifdef GPUARR_USE_ZLIB
#include <zlib.h>
#endif
#define GA__ZIP_PIECE ((size_t)1 << 16)

typedef struct ga__zip_sum {
    uint64_t size, packed;          /* bytes, and in the file: to come when */
    uint32_t crc;                   /* reading, so far when writing         */
} ga__zip_sum;
struct ga__member {
    ga__zip_sum sum;
#ifdef GPUARR_USE_ZLIB
    bool deflated;
    z_stream z;
    unsigned char buf[GA__ZIP_PIECE];
#endif
};
static int64_t ga__member_left(const ga__member *m) {
    return (int64_t)m->sum.size;
}

/* CRC-32 of zip files, eight bytes a turn. */
static uint32_t ga__crc_table[8][256];
static void ga__crc_init(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
        ga__crc_table[0][i] = c;
    }
    for (int i = 0; i < 256; i++)
        for (int k = 1; k < 8; k++) {
            uint32_t c = ga__crc_table[k - 1][i];
            ga__crc_table[k][i] = c >> 8 ^ ga__crc_table[0][c & 255];
        }
}
static uint32_t ga__crc(uint32_t crc, const void *data, size_t n) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ga__crc_init);
    const unsigned char *p = (const unsigned char *)data;
    uint32_t (*t)[256] = ga__crc_table, c = ~crc;
    for (; n >= 8; n -= 8, p += 8)
        c = t[7][(c ^ p[0]) & 255] ^ t[6][(c >> 8 ^ p[1]) & 255]
            ^ t[5][(c >> 16 ^ p[2]) & 255] ^ t[4][c >> 24 ^ p[3]]
            ^ t[3][p[4]] ^ t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]];
    while (n--) c = c >> 8 ^ t[0][(c ^ *p++) & 255];
    return ~c;
}
/* Little-endian numbers of n bytes. */
static uint64_t ga__le(const unsigned char *p, int n) {
    uint64_t v = 0;
    while (n-- > 0) v = v << 8 | p[n];
    return v;
}
static void ga__le_put(unsigned char **p, uint64_t v, int n) {
    for (; n-- > 0; v >>= 8) *(*p)++ = (unsigned char)v;
}

static const char ga__no_zlib[] =
    "is compressed, and this program was built without GPUARR_USE_ZLIB";
#ifdef GPUARR_USE_ZLIB
static voidpf ga__zlib_alloc(voidpf none, uInt n, uInt size) {
    (void)none;
    return GA_MALLOC((size_t)n * size);
}
static void ga__zlib_free(voidpf none, voidpf p) {
    (void)none;
    GA_FREE(p);
}
static ga_status ga__inflate(ga__io *io, const char *fn, void *dst,
                             size_t bytes) {
    ga__member *m = io->member;
    ga__io file = {io->f, NULL};
    m->z.next_out = (Bytef *)dst;
    while (bytes) {
        size_t piece = bytes < (1u << 30) ? bytes : 1u << 30;
        m->z.avail_out = (uInt)piece;
        int e = Z_OK;
        while (m->z.avail_out && e == Z_OK) {
            if (!m->z.avail_in && m->sum.packed) {
                size_t n = m->sum.packed < GA__ZIP_PIECE ? (size_t)m->sum.packed
                                                     : GA__ZIP_PIECE;
                ga_status st = ga__io_read(&file, fn, m->buf, n);
                if (st) return st;
                m->sum.packed -= n;
                m->z.next_in = m->buf;
                m->z.avail_in = (uInt)n;
            }
            e = inflate(&m->z, Z_NO_FLUSH);
        }
        if (e == Z_MEM_ERROR) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
        if (m->z.avail_out)
            return ga__fail(GA_ERR_FILE_FORMAT, fn, "the packed data is "
                            "malformed: %s", e == Z_STREAM_END || !m->z.msg
                            ? "it ends early" : m->z.msg);
        bytes -= piece;
    }
    return GA_OK;
}
/* All that is waiting for the packer, to the file. */
static ga_status ga__deflate(ga__io *io, const char *fn, int flush) {
    ga__member *m = io->member;
    ga__io file = {io->f, NULL};
    int e;
    do {
        m->z.next_out = m->buf;
        m->z.avail_out = (uInt)sizeof m->buf;
        e = deflate(&m->z, flush);
        size_t n = sizeof m->buf - m->z.avail_out;
        ga_status st = n ? ga__io_write(&file, fn, m->buf, n) : GA_OK;
        if (st) return st;
        m->sum.packed += n;
    } while (!m->z.avail_out && e != Z_STREAM_END);
    return GA_OK;
}
#endif

static ga_status ga__member_read(ga__io *io, const char *fn, void *dst,
                                 size_t bytes) {
    ga__member *m = io->member;
    ga__io file = {io->f, NULL};
    ga_status st;
    if (bytes > m->sum.size)
        return ga__fail(GA_ERR_FILE_FORMAT, fn, "the member ends early");
#ifdef GPUARR_USE_ZLIB
    if (m->deflated) st = ga__inflate(io, fn, dst, bytes);
    else
#endif
    st = ga__io_read(&file, fn, dst, bytes);
    if (st) return st;
    m->sum.size -= bytes;
    m->sum.crc = ga__crc(m->sum.crc, dst, bytes);
    return GA_OK;
}
static ga_status ga__member_write(ga__io *io, const char *fn, const void *src,
                                  size_t bytes) {
    ga__member *m = io->member;
    ga__io file = {io->f, NULL};
    m->sum.size += bytes;
    m->sum.crc = ga__crc(m->sum.crc, src, bytes);
#ifdef GPUARR_USE_ZLIB
    if (m->deflated) {              /* a piece is far below 4 GB            */
        m->z.next_in = (z_const Bytef *)(uintptr_t)src;
        m->z.avail_in = (uInt)bytes;
        return ga__deflate(io, fn, Z_NO_FLUSH);
    }
#endif
    m->sum.packed += bytes;
    return ga__io_write(&file, fn, src, bytes);
}
/* Makes io a member's; ga__member_end makes it the file's again. */
static ga_status ga__member_begin(ga__io *io, const char *fn, bool deflated,
                                  bool writing) {
    ga__member *m = (ga__member *)GA_MALLOC(sizeof *m);
    if (!m) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(&m->sum, 0, sizeof m->sum);
#ifdef GPUARR_USE_ZLIB
    memset(&m->z, 0, sizeof m->z);
    m->z.zalloc = ga__zlib_alloc;
    m->z.zfree = ga__zlib_free;
    m->deflated = deflated;
    if (deflated && (writing ? deflateInit2(&m->z, Z_DEFAULT_COMPRESSION,
                                            Z_DEFLATED, -15, 8,
                                            Z_DEFAULT_STRATEGY)
                             : inflateInit2(&m->z, -15)) != Z_OK) {
        GA_FREE(m);
        return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    }
#else
    (void)writing;
    if (deflated) {
        GA_FREE(m);
        return ga__fail(GA_ERR_LIBRARY, fn, "the member %s", ga__no_zlib);
    }
#endif
    io->member = m;
    return GA_OK;
}
static void ga__member_end(ga__io *io, bool writing) {
#ifdef GPUARR_USE_ZLIB
    if (io->member->deflated && writing) deflateEnd(&io->member->z);
    if (io->member->deflated && !writing) inflateEnd(&io->member->z);
#else
    (void)writing;
#endif
    GA_FREE(io->member);
    io->member = NULL;
}

/* --------------------------------------------------------- reading .npz */
typedef struct ga__zip_entry {
    const char *name;               /* in the directory, of n bytes         */
    int n;
    unsigned flags, method;
    uint32_t crc;
    uint64_t packed, size, offset;
} ga__zip_entry;
typedef struct ga__zip {
    ga__io io;
    ga__file_op op;
    uint64_t bytes;                 /* of the file                          */
    unsigned char *dir;
    ga__zip_entry *entry;           /* the .npy files alone                 */
    int64_t n;
} ga__zip;

static ga_status ga__zip_read(ga__zip *z, const char *fn, uint64_t at,
                              void *dst, size_t bytes) {
    if (at > z->bytes || bytes > z->bytes - at || at > LONG_MAX)
        return ga__fail(GA_ERR_FILE_FORMAT, fn, "the archive points beyond its "
                        "end");
    if (fseek(z->io.f, (long)at, SEEK_SET))
        return ga__fail(GA_ERR_FILE_READ, fn, "%s", strerror(errno));
    return ga__io_read(&z->io, fn, dst, bytes);
}
/* Where the directory is and how long: the record at the file's end says it,
   or, with all bits set, the one that the locator before it points to.     */
static ga_status ga__zip_find(ga__zip *z, unsigned char *tail, uint64_t *at,
                              uint64_t *bytes) {
    const char *fn = z->op.text;
    unsigned char far[56];
    size_t n = 22 + 65535, i;       /* with the longest comment             */
    if (z->bytes < n) n = (size_t)z->bytes;
    ga_status st = ga__zip_read(z, fn, z->bytes - n, tail, n);
    if (st) return st;
    for (i = n < 22 ? 0 : n - 21; i-- > 0;)
        if (!memcmp(tail + i, "PK\5\6", 4)
            && ga__le(tail + i + 20, 2) == n - i - 22)
            break;
    if (i >= n)
        return ga__fail(GA_ERR_FILE_FORMAT, fn, "not a .npz file: a zip "
                        "archive's directory is missing");
    *bytes = ga__le(tail + i + 12, 4);
    *at = ga__le(tail + i + 16, 4);
    uint64_t end = z->bytes - n + i;
    if (i >= 20 && !memcmp(tail + i - 20, "PK\6\7", 4)) {
        end = ga__le(tail + i - 12, 8);
        st = ga__zip_read(z, fn, end, far, sizeof far);
        if (st) return st;
        if (memcmp(far, "PK\6\6", 4))
            return ga__fail(GA_ERR_FILE_FORMAT, fn, "the archive's directory "
                            "of 64 bits is missing");
        *bytes = ga__le(far + 40, 8);
        *at = ga__le(far + 48, 8);
    }
    if (*at > end || *bytes > end - *at)
        return ga__fail(GA_ERR_FILE_FORMAT, fn, "the archive's directory lies "
                        "beyond its end");
    return GA_OK;
}
/* One record of the directory, and how long it is; 0: malformed. */
static size_t ga__zip_entry_at(const unsigned char *p, size_t left,
                               ga__zip_entry *e) {
    if (left < 46 || memcmp(p, "PK\1\2", 4)) return 0;
    size_t n = ga__le(p + 28, 2), extra = ga__le(p + 30, 2);
    size_t all = 46 + n + extra + ga__le(p + 32, 2);
    if (all > left) return 0;
    e->name = (const char *)p + 46;
    e->n = (int)n;
    e->flags = (unsigned)ga__le(p + 8, 2);
    e->method = (unsigned)ga__le(p + 10, 2);
    e->crc = (uint32_t)ga__le(p + 16, 4);
    e->packed = ga__le(p + 20, 4);
    e->size = ga__le(p + 24, 4);
    e->offset = ga__le(p + 42, 4);
    /* what does not fit 32 bits stands in the extra field 1, in this order */
    uint64_t *wide[] = {&e->size, &e->packed, &e->offset};
    for (const unsigned char *x = p + 46 + n, *end = x + extra; end - x >= 4;) {
        size_t len = ga__le(x + 2, 2);
        const unsigned char *v = x + 4;
        if ((size_t)(end - v) < len) return 0;
        x = v + len;
        if (ga__le(v - 4, 2) != 1) continue;
        for (int k = 0; k < 3; k++) {
            if (*wide[k] != 0xffffffffu) continue;
            if (x - v < 8) return 0;
            *wide[k] = ga__le(v, 8);
            v += 8;
        }
    }
    return memchr(e->name, 0, n) ? 0 : all;
}
static void ga__zip_close(ga__zip *z) {
    GA_FREE(z->entry);
    GA_FREE(z->dir);
    fclose(z->io.f);
}
static ga_status ga__zip_directory(ga__zip *z) {
    const char *fn = z->op.text;
    uint64_t at = 0, bytes = 0;
    unsigned char *tail = (unsigned char *)GA_MALLOC(22 + 65535);
    if (!tail) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    ga_status st = ga__zip_find(z, tail, &at, &bytes);
    GA_FREE(tail);
    if (st) return st;
    z->dir = (unsigned char *)GA_MALLOC(bytes ? (size_t)bytes : 1);
    z->entry = (ga__zip_entry *)GA_MALLOC((size_t)(bytes / 46 + 1)
                                          * sizeof *z->entry);
    if (!z->dir || !z->entry)
        return ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes", (size_t)bytes);
    st = ga__zip_read(z, fn, at, z->dir, (size_t)bytes);
    for (size_t i = 0, n; !st && i < bytes; i += n) {
        ga__zip_entry *e = &z->entry[z->n];
        n = ga__zip_entry_at(z->dir + i, (size_t)bytes - i, e);
        if (!n)
            return ga__fail(GA_ERR_FILE_FORMAT, fn, "the archive's directory "
                            "is malformed at byte %zu", i);
        if (e->n >= 4 && !memcmp(e->name + e->n - 4, ".npy", 4)) {
            e->n -= 4;
            z->n++;
        }
    }
    return st;
}
static ga_status ga__zip_open(ga__zip *z, const char *fn, const char *path) {
    memset(z, 0, sizeof *z);
    z->io.f = ga__file_open(fn, path, &z->op);
    if (!z->io.f) return ga__failed();
    int64_t left = ga__io_left(&z->io);
    ga_status st = GA_OK;
    if (left < 0) st = ga__fail(GA_ERR_FILE_READ, z->op.text, "an archive is "
                                "read from its end, which a pipe has not");
    z->bytes = (uint64_t)left;
    if (!st) st = ga__zip_directory(z);
    if (st) ga__zip_close(z);
    return st;
}
static ga_array *ga__zip_array(ga__zip *z, const ga__zip_entry *e,
                               const char *fn) {
    unsigned char head[30], rest[4096];
    ga_status st = ga__zip_read(z, fn, e->offset, head, sizeof head);
    uint64_t at = e->offset + 30 + ga__le(head + 26, 2) + ga__le(head + 28, 2);
    if (!st && memcmp(head, "PK\3\4", 4))
        st = ga__fail(GA_ERR_FILE_FORMAT, fn, "the member is not where the "
                      "directory says");
    if (!st && (e->flags & 1 || (e->method && e->method != 8)))
        st = ga__fail(GA_ERR_FILE_FORMAT, fn, e->flags & 1 ? "the member is "
                      "encrypted" : "packing method %u is not known",
                      e->method);
    /* no size is believed that the file cannot hold: a deflated bit of a byte
       stands for 258 bytes at most                                         */
    if (!st && (at > z->bytes || e->packed > z->bytes - at
                || e->size / 1032 > e->packed
                || (!e->method && e->size != e->packed)))
        st = ga__fail(GA_ERR_FILE_FORMAT, fn, "the member's size is wrong");
    if (!st) st = ga__zip_read(z, fn, at, NULL, 0);
    if (!st) st = ga__member_begin(&z->io, fn, e->method == 8, false);
    if (st) return NULL;
    z->io.member->sum.size = e->size;
    z->io.member->sum.packed = e->packed;
    ga_array *x = ga__npy_load(&z->io, fn);
    while (x && !st && z->io.member->sum.size) {    /* to the sum's end         */
        uint64_t n = z->io.member->sum.size;
        st = ga__io_read(&z->io, fn, rest,
                         n < sizeof rest ? (size_t)n : sizeof rest);
    }
    if (x && !st && z->io.member->sum.crc != e->crc)
        st = ga__fail(GA_ERR_FILE_FORMAT, fn, "the CRC-32 is %08x, not %08x as "
                      "the directory says", (unsigned)z->io.member->sum.crc,
                      (unsigned)e->crc);
    ga__member_end(&z->io, false);
    return x ? ga__or_free(x, st) : NULL;
}
static ga_array *ga__zip_load(ga__zip *z, const ga__zip_entry *e) {
    char fn[400];
    snprintf(fn, sizeof fn, "%s: %.*s", z->op.text, e->n < 100 ? e->n : 100,
             e->name);
    return ga__zip_array(z, e, fn);
}

GA_API ga_array *(ga_load_npz_array)(const char *path, const char *name) {
    const char *fn = "ga_load_npz_array";
    ga__zip z;
    if (!name) return (ga_array *)GA__NULL(GA_ERR_NULL, fn, "the name is NULL");
    if (ga__zip_open(&z, fn, path)) return NULL;
    int64_t i = z.n - 1;            /* of two the last, as in Python        */
    while (i >= 0 && ((size_t)z.entry[i].n != strlen(name)
                      || memcmp(z.entry[i].name, name, strlen(name)))) i--;
    ga_array *x = i >= 0 ? ga__zip_load(&z, &z.entry[i])
                  : (ga_array *)GA__NULL(GA_ERR_VALUE, z.op.text, "no array "
                                         "'%s' among %" PRId64, name, z.n);
    ga__zip_close(&z);
    return x;
}
GA_API ga_status ga_load_npz(const char *path, const char ***names,
                             ga_array ***arrays, int64_t *count) {
    ga__zip z;
    ga_status st = ga__zip_open(&z, "ga_load_npz", path);
    if (st) return st;
    size_t n = (size_t)z.n, text = 0;
    for (size_t i = 0; i < n; i++) text += (size_t)z.entry[i].n + 1;
    const char **s = (const char **)malloc(n * sizeof *s + text + 1);
    ga_array **x = (ga_array **)calloc(n + 1, sizeof *x);
    if (!s || !x) st = ga__fail(GA_ERR_HOST_MEMORY, z.op.text, NULL);
    char *t = (char *)(s + n);
    for (size_t i = 0; i < n && !st; i++) {
        memcpy(t, z.entry[i].name, (size_t)z.entry[i].n);
        s[i] = t;
        t += z.entry[i].n;
        *t++ = 0;
        if (arrays && !(x[i] = ga__zip_load(&z, &z.entry[i])))
            st = ga__failed();
    }
    ga__zip_close(&z);
    for (size_t i = 0; i < n && x && st; i++) ga_free(x[i]);
    if (st || !names) free(s);
    if (st || !arrays) free(x);
    if (st) return st;
    if (names) *names = s;
    if (arrays) *arrays = x;
    if (count) *count = (int64_t)n;
    return GA_OK;
}

/* --------------------------------------------------------- writing .npz */
#define GA__ZIP_NAME 1000            /* bytes; zip's own limit is 65535      */
/* A member's headers, byte for byte zipfile's under numpy.savez: `dir`, the
   directory's; else the one before the data, with both sizes as 64 bits.   */
static size_t ga__zip_header(unsigned char *out, const char *name, bool packed,
                             const ga__zip_sum *m, uint64_t offset, bool dir) {
    unsigned char *p = out;
    const uint64_t most = dir ? 0x7fffffff : 0;
    uint64_t wide[] = {m->size, m->packed, offset};
    unsigned flags = 0;
    int extra = 0;
    for (const char *c = name; *c; c++) if (*c & 0x80) flags = 0x800;
    bool sizes = !dir || m->size > most || m->packed > most;
    bool far = dir && offset > most;
    extra = (sizes ? 16 : 0) + (far ? 8 : 0);
    ga__le_put(&p, dir ? 0x02014b50 : 0x04034b50, 4);
    if (dir) ga__le_put(&p, 45 | 3 << 8, 2);    /* made by 4.5 on Unix      */
    ga__le_put(&p, 45, 2);
    ga__le_put(&p, flags, 2);
    ga__le_put(&p, packed ? 8 : 0, 2);
    ga__le_put(&p, (uint32_t)33 << 16, 4);      /* 1 January 1980           */
    ga__le_put(&p, m->crc, 4);
    ga__le_put(&p, sizes ? 0xffffffff : m->packed, 4);
    ga__le_put(&p, sizes ? 0xffffffff : m->size, 4);
    ga__le_put(&p, strlen(name) + 4, 2);
    ga__le_put(&p, extra ? (unsigned)extra + 4 : 0, 2);
    if (dir) {
        ga__le_put(&p, 0, 6);       /* comment, disk, internal attributes   */
        ga__le_put(&p, (uint32_t)0600 << 16, 4);
        ga__le_put(&p, far ? 0xffffffff : offset, 4);
    }
    memcpy(p, name, strlen(name));
    p += strlen(name);
    memcpy(p, ".npy", 4);
    p += 4;
    if (extra) {
        ga__le_put(&p, 1, 2);
        ga__le_put(&p, (uint64_t)extra, 2);
        for (int i = sizes ? 0 : 2; i < (far ? 3 : 2); i++)
            ga__le_put(&p, wide[i], 8);
    }
    return (size_t)(p - out);
}
/* The directory's end, after `n` members. */
static size_t ga__zip_end(unsigned char *out, uint64_t n, uint64_t at,
                          uint64_t bytes) {
    unsigned char *p = out;
    bool far = n > 65534 || at > 0x7fffffff || bytes > 0x7fffffff;
    if (far) {
        ga__le_put(&p, 0x06064b50, 4);
        ga__le_put(&p, 44, 8);
        ga__le_put(&p, 45 | 45 << 16, 4);
        ga__le_put(&p, 0, 8);
        ga__le_put(&p, n, 8);
        ga__le_put(&p, n, 8);
        ga__le_put(&p, bytes, 8);
        ga__le_put(&p, at, 8);
        ga__le_put(&p, 0x07064b50, 4);
        ga__le_put(&p, 0, 4);
        ga__le_put(&p, at + bytes, 8);
        ga__le_put(&p, 1, 4);
    }
    ga__le_put(&p, 0x06054b50, 4);
    ga__le_put(&p, 0, 4);
    for (int i = 0; i < 2; i++) ga__le_put(&p, n > 65535 ? 65535 : n, 2);
    ga__le_put(&p, bytes > 0xffffffff ? 0xffffffff : bytes, 4);
    ga__le_put(&p, at > 0xffffffff ? 0xffffffff : at, 4);
    ga__le_put(&p, 0, 2);
    return (size_t)(p - out);
}
/* One member at *at, its record of the directory to *dir; both move on. */
static ga_status ga__zip_put(ga__saving *w, const char *name, const ga_array *x,
                             bool packed, uint64_t *at, unsigned char **dir) {
    const char *fn = w->op.text;
    unsigned char head[GA__ZIP_NAME + 64];
    char npy[GA__NPY_HEADER];
    const ga__zip_sum none = {0, 0, 0};
    ga__io *io = &w->io;
    void *buf = ga__npy_piece(fn, x);
    if (!buf) return ga__failed();
    size_t n = ga__zip_header(head, name, packed, &none, 0, false);
    ga_status st = ga__io_write(io, fn, head, n);
    if (!st) st = ga__member_begin(io, fn, packed, true);
    if (st) {
        GA_FREE(buf);
        return st;
    }
    st = ga__io_write(io, fn, npy, ga__npy_header_of(x, npy));
    if (!st) st = ga__npy_write(io, fn, x, buf);
#ifdef GPUARR_USE_ZLIB
    if (!st && packed) st = ga__deflate(io, fn, Z_FINISH);
#endif
    GA_FREE(buf);
    ga__zip_header(head, name, packed, &io->member->sum, 0, false);
    *dir += ga__zip_header(*dir, name, packed, &io->member->sum, *at,
                           true);
    uint64_t back = *at, end = *at + n + io->member->sum.packed;
    ga__member_end(io, true);
    if (st) return st;
    *at = end;
    if (end > LONG_MAX || fseek(io->f, (long)back, SEEK_SET))
        return ga__fail(GA_ERR_FILE_WRITE, fn, "an archive wants a file that "
                        "can be rewound");
    st = ga__io_write(io, fn, head, n);
    if (!st && fseek(io->f, (long)end, SEEK_SET))
        st = ga__fail(GA_ERR_FILE_WRITE, fn, "%s", strerror(errno));
    return st;
}
static ga_status ga__npz_names_ok(const char *fn, const char *const *names,
                                  int64_t n) {
    for (int64_t i = 0; names && i < n; i++) {
        if (!names[i] || !*names[i] || strlen(names[i]) > GA__ZIP_NAME)
            return ga__fail(GA_ERR_VALUE, fn, "name %" PRId64 " is %s", i,
                            !names[i] ? "NULL" : *names[i] ? "too long"
                                                           : "empty");
        for (int64_t k = 0; k < i; k++)
            if (!strcmp(names[i], names[k]))
                return ga__fail(GA_ERR_VALUE, fn, "'%.100s' is given twice",
                                names[i]);
    }
    return GA_OK;
}
GA_API ga_status ga_save_npz(const char *path, const char *const *names,
                             ga_array *const *arrays, int64_t n,
                             unsigned flags) {
    static const char fn[] = "ga_save_npz";
    ga__saving w;
    if (n < 0) return ga__fail(GA_ERR_VALUE, fn, "%" PRId64 " arrays", n);
    if (flags & ~GA_COMPRESSED)
        return ga__fail(GA_ERR_VALUE, fn, "flags %#x", flags);
    if (n && !arrays) return ga__fail(GA_ERR_NULL, fn, "no arrays");
    size_t room = 98;               /* the directory and its end            */
    for (int64_t i = 0; i < n; i++)
        if (!ga__ok(fn, arrays[i])) return ga__failed();
    ga_status st = ga__npz_names_ok(fn, names, n);
    if (st) return st;
    if (!path) return ga__fail(GA_ERR_NULL, fn, "the path is NULL");
#ifndef GPUARR_USE_ZLIB
    if (flags & GA_COMPRESSED)
        return ga__fail(GA_ERR_LIBRARY, fn, "%s %s", path, ga__no_zlib);
#endif
    for (int64_t i = 0; i < n; i++)
        room += 46 + 28 + 24 + (names ? strlen(names[i]) : 0);
    unsigned char *dir = (unsigned char *)GA_MALLOC(room), *p = dir;
    if (!dir) return ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes", room);
    uint64_t at = 0;
    st = ga__save_begin(&w, fn, path);
    if (st) {
        GA_FREE(dir);
        return st;
    }
    for (int64_t i = 0; i < n && !st; i++) {
        char number[32];
        snprintf(number, sizeof number, "arr_%" PRId64, i);
        st = ga__zip_put(&w, names ? names[i] : number, arrays[i],
                         flags & GA_COMPRESSED, &at, &p);
    }
    if (!st) {
        p += ga__zip_end(p, (uint64_t)n, at, (uint64_t)(p - dir));
        st = ga__io_write(&w.io, w.op.text, dir, (size_t)(p - dir));
    }
    GA_FREE(dir);
    return ga__save_end(&w, st);
}

/* ------------------------------------------------------- facts of dtypes */
GA_API bool ga_can_cast_as(ga_dtype from, ga_dtype to, ga_casting rule) {
    if (!ga__is_dtype(from) || !ga__is_dtype(to)) return false;
    switch (rule) {
    case GA_NO: case GA_EQUIV: return from == to;
    case GA_SAFE:                   /* bfloat16 and an integer make bfloat16 */
        return ga_promote_types(from, to) == to
               && !(to == GA_BFLOAT16 && ga__is_int(from) && ga__size(from) > 1);
    case GA_SAME_KIND: return ga_can_cast(from, to);
    case GA_UNSAFE: return true;
    }
    return false;
}
GA_API ga_dtype (ga_result_type)(int n, const ga_array *const *x) {
    const char *fn = "ga_result_type";
    if (n < 1) {
        ga__fail(GA_ERR_VALUE, fn, "no operands");
        return GA_NUM_DTYPES;
    }
    /* an operation that keeps floats and looks at no number's value */
    return ga__all_ok(fn, x, n) ? ga__common(fn, GA__OP_divide, x, n)
                                : GA_NUM_DTYPES;
}
GA_API ga_float_info ga_finfo(ga_dtype t) {
    ga_float_info r;
    memset(&r, 0, sizeof r);
    if (t == GA_COMPLEX64) t = GA_FLOAT32;
    if (t == GA_COMPLEX128) t = GA_FLOAT64;
    if (!ga__is_dtype(t) || ga__kind(t) != 'f') {
        ga__fail(GA_ERR_DTYPE, "ga_finfo", "%s is no dtype of floats",
                 ga_dtype_name(t));
        return r;
    }
    r.dtype = t;
    r.bits = 8 * (int)ga__size(t);
    r.nmant = t == GA_FLOAT16 ? 10 : t == GA_BFLOAT16 ? 7
              : t == GA_FLOAT32 ? 23 : 52;
    r.nexp = r.bits - 1 - r.nmant;
    r.precision = (int)floor(r.nmant * 0.30102999566398119521);
    r.maxexp = 1 << (r.nexp - 1);
    r.minexp = 2 - r.maxexp;
    r.machep = -r.nmant;
    r.negep = -r.nmant - 1;
    r.eps = ldexp(1, r.machep);
    r.epsneg = ldexp(1, r.negep);
    r.resolution = pow(10, -r.precision);
    r.max = ldexp(2 - r.eps, r.maxexp - 1);
    r.min = -r.max;
    r.smallest_normal = ldexp(1, r.minexp);
    r.smallest_subnormal = ldexp(1, r.minexp - r.nmant);
    return r;
}
GA_API ga_int_info ga_iinfo(ga_dtype t) {
    ga_int_info r;
    memset(&r, 0, sizeof r);
    if (!ga__is_dtype(t) || !ga__is_int(t)) {
        ga__fail(GA_ERR_DTYPE, "ga_iinfo", "%s is no dtype of integers",
                 ga_dtype_name(t));
        return r;
    }
    bool is_signed = ga__kind(t) == 'i';
    r.dtype = t;
    r.bits = 8 * (int)ga__size(t);
    r.max = UINT64_MAX >> (64 - r.bits + is_signed);
    r.min = is_signed ? -(int64_t)r.max - 1 : 0;
    return r;
}
GA_API uint64_t ga_item_u64(const ga_array *x) {
    uint64_t v;
    if (!ga__item_ok("ga_item_u64", x, GA_INT64)
        || ga__item("ga_item_u64", x, x->data, &v, GA_UINT64))
        return 0;
    return v;
}

/* ============================================================== >>i-print */
#define GA__MAX_PRECISION 100
#define GA__WORD 320                /* one element: twice sign, 17 digits,  */
                                    /* precision, exponent, padding         */

GA_API ga_print_options ga_get_print_options(void) {
    ga_print_options o = {8, 1000, 3, 75, false, false, '-', "nan", "inf"};
    return ga__me.print_set ? ga__me.print : o;
}
GA_API ga_status ga_set_print_options(ga_print_options o) {
    static const char fn[] = "ga_set_print_options";
    if (o.precision < 0 || o.precision > GA__MAX_PRECISION)
        return ga__fail(GA_ERR_VALUE, fn, "precision is %d; 0 to %d are "
                        "possible", o.precision, GA__MAX_PRECISION);
    if (o.threshold < 0 || o.edgeitems < 1 || o.linewidth < 1)
        return ga__fail(GA_ERR_VALUE, fn, "threshold %" PRId64 ", edgeitems "
                        "%d, linewidth %d must be at least 0, 1, 1",
                        o.threshold, o.edgeitems, o.linewidth);
    if (o.sign != '-' && o.sign != '+' && o.sign != ' ')
        return ga__fail(GA_ERR_VALUE, fn, "sign is '%c', not '-', '+' or ' '",
                        o.sign);
    if (!memchr(o.nanstr, 0, sizeof o.nanstr)
        || !memchr(o.infstr, 0, sizeof o.infstr))
        return ga__fail(GA_ERR_VALUE, fn, "nanstr or infstr has no end");
    ga__me.print = o;
    ga__me.print_set = true;
    return GA_OK;
}

/* ----------------------------------------- decimal digits, exactly
   Dragon4 (Steele and White, Dragon4; Burger and Dybvig's fixups): the value
   is a fraction of two big integers, so that no rounding and no locale comes
   in between. About half a microsecond a number near 1, 4 at 1e300.        */
typedef struct ga__big {            /* little-endian; 2**1100 * 10 fits     */
    int n;
    uint32_t w[40];
} ga__big;
static void ga__big_shift(ga__big *a, uint64_t v, int by) {  /* v * 2**by   */
    memset(a, 0, sizeof *a);
    int i = by / 32, s = by % 32;
    uint64_t lo = v << s;
    a->w[i] = (uint32_t)lo;
    a->w[i + 1] = (uint32_t)(lo >> 32);
    a->w[i + 2] = s ? (uint32_t)(v >> (64 - s)) : 0;
    for (a->n = i + 3; a->n && !a->w[a->n - 1];) a->n--;
}
static void ga__big_mul(ga__big *a, uint32_t m) {
    uint64_t carry = 0;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->w[i] * m;
        a->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) a->w[a->n++] = (uint32_t)carry;
}
static void ga__big_pow10(ga__big *a, int n) {               /* a * 10**n   */
    for (; n >= 9; n -= 9) ga__big_mul(a, 1000000000u);
    while (n-- > 0) ga__big_mul(a, 10);
}
static int ga__big_cmp(const ga__big *a, const ga__big *b) {
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n; i-- > 0;)
        if (a->w[i] != b->w[i]) return a->w[i] < b->w[i] ? -1 : 1;
    return 0;
}
static void ga__big_sub(ga__big *a, const ga__big *b) {      /* a >= b      */
    uint64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        uint64_t d = (uint64_t)a->w[i] - (i < b->n ? b->w[i] : 0) - borrow;
        a->w[i] = (uint32_t)d;
        borrow = d >> 63;
    }
    while (a->n && !a->w[a->n - 1]) a->n--;
}
static int ga__big_cmp_sum(const ga__big *a, const ga__big *b,
                           const ga__big *c) {               /* a + b ? c   */
    ga__big s = *a;
    uint64_t carry = 0;
    for (int i = 0; i < b->n || i < a->n; i++) {
        carry += (uint64_t)s.w[i] + (i < b->n ? b->w[i] : 0);
        s.w[i] = (uint32_t)carry;
        carry >>= 32;
        if (i >= s.n) s.n = i + 1;
    }
    if (carry) s.w[s.n++] = (uint32_t)carry;
    return ga__big_cmp(&s, c);
}

typedef struct ga__number_parts {   /* (-1)**neg * m * 2**e                 */
    bool neg, nan, inf;
    bool lopsided;                  /* the neighbour below is nearer        */
    uint64_t m;
    int e;
} ga__number_parts;

/* A real element of dtype t (of a complex one: its part) at p. */
static ga__number_parts ga__take_apart(ga_dtype t, const void *p) {
    static const struct { ga_dtype t; int bits, mant; } form[] = {
        {GA_FLOAT16, 16, 10}, {GA_BFLOAT16, 16, 7}, {GA_FLOAT32, 32, 23},
        {GA_FLOAT64, 64, 52}};
    int i = 0;
    while (form[i].t != t) i++;
    int bits = form[i].bits, mant = form[i].mant, expo = bits - 1 - mant;
    uint64_t v;
    if (bits == 16) {
        uint16_t h;
        memcpy(&h, p, sizeof h);
        v = h;
    } else if (bits == 32) {
        uint32_t w;
        memcpy(&w, p, sizeof w);
        v = w;
    } else {
        memcpy(&v, p, sizeof v);
    }
    uint64_t frac = v & ((UINT64_C(1) << mant) - 1);
    int ex = (int)(v >> mant) & ((1 << expo) - 1), top = (1 << expo) - 1;
    ga__number_parts r;
    r.neg = v >> (bits - 1);
    r.nan = ex == top && frac;
    r.inf = ex == top && !frac;
    r.lopsided = ex > 1 && !frac;
    r.m = ex ? frac | UINT64_C(1) << mant : frac;
    r.e = (ex ? ex : 1) - (top >> 1) - mant;
    return r;
}

/* Decimal digits of v, the first one's power of ten in *exponent; returns how
   many. At most `most` (or GA__NO_LIMIT) after the point, or after the first
   digit where `total`. unique: as few as tell v from its neighbours, but at
   least `least` (-1: none) so counted; else exact, to where v ends.        */
#define GA__NO_LIMIT INT32_MAX
static int ga__digits(ga__number_parts v, bool unique, bool total, int most,
                      int least, char *out, int *exponent) {
    ga__big r, s, low, high;
    *exponent = 0;
    out[0] = '0';
    if (!v.m) return 1;
    /* v = r / s; half the way to the neighbours is low / s and high / s */
    int up = v.e > 0 ? v.e : 0, down = v.e < 0 ? -v.e : 0;
    ga__big_shift(&r, v.m, up + 2);
    ga__big_shift(&s, 1, down + 2);
    ga__big_shift(&low, 1, up + (v.lopsided ? 0 : 1));
    ga__big_shift(&high, 1, up + 1);
    int k = (int)floor(log10((double)v.m) + v.e * 0.30102999566398119521);
    if (!total && most != GA__NO_LIMIT && k < -most) k = -most;
    if (k > 0) ga__big_pow10(&s, k);
    if (k < 0) {
        ga__big_pow10(&r, -k);
        ga__big_pow10(&low, -k);
        ga__big_pow10(&high, -k);
    }
    /* the estimate may be off by one */
    ga__big ten = s;
    ga__big_mul(&ten, 10);
    if (ga__big_cmp(&r, &ten) >= 0) {
        s = ten;
        k++;
    } else if (ga__big_cmp(&r, &s) < 0
               && (total || most == GA__NO_LIMIT || k > -most)) {
        ga__big_mul(&r, 10);
        ga__big_mul(&low, 10);
        ga__big_mul(&high, 10);
        k--;
    }
    int last = most == GA__NO_LIMIT ? INT32_MIN : total ? k - most : -most;
    int enough = least < 0 ? INT32_MAX : total ? k - least : -least;
    bool even = !(v.m & 1), under, over;
    int n = 0, at = k, d;
    for (;; at--) {
        for (d = 0; ga__big_cmp(&r, &s) >= 0; d++) ga__big_sub(&r, &s);
        int c = ga__big_cmp(&r, &low), h = ga__big_cmp_sum(&r, &high, &s);
        under = unique && (even ? c <= 0 : c < 0);
        over = unique && (even ? h >= 0 : h > 0);
        if (at == last || ((under || over) && at <= enough)
            || (!unique && !r.n))
            break;
        out[n++] = (char)('0' + d);
        ga__big_mul(&r, 10);
        ga__big_mul(&low, 10);
        ga__big_mul(&high, 10);
    }
    if (under == over) {            /* to the nearer, halves to even        */
        ga__big_mul(&r, 2);
        int c = ga__big_cmp(&r, &s);
        over = c > 0 || (c == 0 && d % 2);
    }
    *exponent = k;
    d += over;
    while (d == 10 && n) d = out[--n] - '0' + 1;
    if (d == 10) {
        d = 1;
        ++*exponent;
    }
    out[n++] = (char)('0' + d);
    return n;
}

/* How the real numbers of an array are written: NumPy's FloatingFormat. */
typedef struct ga__real_format {
    bool scientific, unique, keep_zeros;
    char sign;
    int most, least;                /* digits after the point; -1: free     */
    int left, right;                /* width before and after the point     */
    int exponent;                   /* digits of the exponent               */
} ga__real_format;

/* One finite number, padded; out gets GA__WORD / 2. Also where the point is. */
static int ga__format_finite(const ga__real_format *f, ga__number_parts v,
                             char *out, int *point) {
    char digit[GA__WORD / 2];
    int n = 0, ex, nd = ga__digits(v, f->unique, f->scientific,
                                   f->most < 0 ? GA__NO_LIMIT : f->most,
                                   f->least, digit, &ex);
    int whole = f->scientific ? 1 : ex >= 0 ? ex + 1 : 1;
    int first = f->scientific ? 0 : ex, frac = 0, zeros;
    char sign = v.neg ? '-' : f->sign == '+' ? '+' : 0;
    for (int i = whole + (sign != 0); i < f->left; i++) out[n++] = ' ';
    if (sign) out[n++] = sign;
    for (int i = 0; i < whole; i++) {       /* digit j stands at first - j */
        int j = first - (whole - 1 - i);
        out[n++] = j >= 0 && j < nd ? digit[j] : '0';
    }
    *point = n;
    out[n++] = '.';
    for (int j = first + 1; j < nd; j++, frac++)
        out[n++] = j >= 0 ? digit[j] : '0';
    int want = !f->keep_zeros ? 0 : f->unique ? f->least : f->most;
    for (; frac < want; frac++) out[n++] = '0';
    for (; !f->keep_zeros && frac && out[n - 1] == '0'; frac--) n--;
    if (f->scientific) {
        n += snprintf(out + n, 16, "e%c%0*d", ex < 0 ? '-' : '+',
                      f->exponent > 2 ? f->exponent : 2, abs(ex));
    } else {
        for (zeros = frac; zeros < f->right; zeros++) out[n++] = ' ';
    }
    out[n] = 0;
    return n;
}

typedef struct ga__printer {
    const char *fn;
    const ga_array *x;
    ga_print_options o;
    unsigned char *host;            /* the elements shown                   */
    bool summary;
    int64_t shown[GA_MAX_NDIM];     /* per axis, of them                    */
    int64_t step[GA_MAX_NDIM];      /* their strides in `host`, elements,   */
    int64_t jump[GA_MAX_NDIM];      /* and what the far end is away besides */
    int64_t count;                  /* elements in host                     */
    ga__real_format real[2];        /* real and imaginary part              */
    int width;                      /* of integers                          */
    char sign;
    const char *separator;
    char *text;                     /* the result: malloc'ed                */
    size_t n, cap;
    bool failed;                    /* out of memory                        */
} ga__printer;

/* --------------------------------------------------- text that grows */
static void ga__put(ga__printer *p, const char *s, size_t n) {
    if (p->failed) return;
    if (p->n + n + 1 > p->cap) {
        size_t cap = (p->n + n + 1) * 2;
        char *t = (char *)realloc(p->text, cap);
        if (!t) {
            p->failed = true;
            return;
        }
        p->text = t;
        p->cap = cap;
    }
    memcpy(p->text + p->n, s, n);
    p->n += n;
    p->text[p->n] = 0;
}
static void ga__puts(ga__printer *p, const char *s) {
    ga__put(p, s, strlen(s));
}
static void ga__put_many(ga__printer *p, char c, int64_t n) {
    while (n-- > 0) ga__put(p, &c, 1);
}

/* ---------------------------------------------------- formats of a dtype */
static ga_dtype ga__real_type(ga_dtype t) {
    return t == GA_COMPLEX64 ? GA_FLOAT32 : t == GA_COMPLEX128 ? GA_FLOAT64 : t;
}
static double ga__value_of(ga__number_parts v) {
    return ldexp((double)v.m, v.e);
}
/* q as dtype t rounds it: NumPy divides and compares in the array's type. */
static double ga__rounded(ga_dtype t, double q) {
    if (t == GA_FLOAT64) return q;
    float f = q > 3.4028235677973366e38 ? (float)INFINITY : (float)q;
    if (t == GA_FLOAT16) f = ga_float16_to(ga_float16_from(f));
    return (double)f;
}
/* Fits the format to the host's elements: part 0 real, 1 imaginary. */
static void ga__fit_real(ga__printer *p, int part, char sign) {
    ga__real_format *f = &p->real[part];
    ga_dtype t = ga__real_type(p->x->dtype);
    size_t size = ga__size(p->x->dtype);
    double max = 0, min = INFINITY;
    bool finite = false, odd = false, minus = false, minus_inf = false;
    char word[GA__WORD];
    const unsigned char *e = p->host + (part ? ga__size(t) : 0);
    for (int64_t i = 0; i < p->count; i++, e += size) {
        ga__number_parts v = ga__take_apart(t, e);
        if (v.nan || v.inf) {
            odd = true;
            minus_inf |= v.inf && v.neg;
            continue;
        }
        finite = true;
        minus |= v.neg;
        double a = ga__value_of(v);
        if (a > 0 && a > max) max = a;
        if (a > 0 && a < min) min = a;
    }
    /* up to as many digits before the point as the type holds, at most 8 */
    double cut = t == GA_FLOAT64 ? 1e8 : t == GA_FLOAT32 ? 1e6 : 1e3;
    memset(f, 0, sizeof *f);
    f->sign = sign;
    f->unique = !p->o.floatmode_fixed;
    f->keep_zeros = p->o.floatmode_fixed;
    f->most = p->o.precision;
    f->least = -1;
    f->scientific = max > 0 && (max >= cut || (!p->o.suppress
                    && (min < ga__rounded(t, 0.0001)
                        || ga__rounded(t, max / min) > 1000)));
    /* a first pass tells the widths */
    int left = 0, right = 0, expo = 0;
    e -= (size_t)p->count * size;
    for (int64_t i = 0; finite && i < p->count; i++, e += size) {
        ga__number_parts v = ga__take_apart(t, e);
        if (v.nan || v.inf) continue;
        int point, n = ga__format_finite(f, v, word, &point);
        char *mark = f->scientific ? strchr(word, 'e') : word + n;
        int frac = (int)(mark - word) - point - 1;
        int digits = (int)(word + n - mark) - 2;        /* after "e+"       */
        if (point > left) left = point;
        if (frac > right) right = frac;
        if (digits > expo) expo = digits;
    }
    f->left = left;
    f->right = right;
    if (f->scientific) {
        f->keep_zeros = true;
        f->most = f->least = right;
        f->exponent = expo;
        f->right = right + expo + 2;    /* for the width of nan and inf     */
    } else if (p->o.floatmode_fixed) {
        f->most = f->least = right;
    } else {
        f->least = 0;
    }
    if (sign == ' ' && !minus) f->left++;
    if (odd) {
        int need = (int)strlen(p->o.nanstr) - f->right - 1;
        int inf = (int)strlen(p->o.infstr) + (sign != '-' || minus_inf)
                  - f->right - 1;
        if (inf > need) need = inf;
        if (need > f->left) f->left = need;
    }
}
static int ga__format_real(const ga__printer *p, int part,
                           ga__number_parts v, char *out) {
    const ga__real_format *f = &p->real[part];
    if (!v.nan && !v.inf) {
        int point;
        return ga__format_finite(f, v, out, &point);
    }
    const char *s = v.nan ? p->o.nanstr : p->o.infstr;
    const char *sign = v.inf && v.neg ? "-" : f->sign == '+' ? "+" : "";
    int pad = f->left + f->right + 1 - (int)strlen(s) - (int)strlen(sign);
    return snprintf(out, GA__WORD / 2, "%*s%s%s", pad > 0 ? pad : 0, "", sign,
                    s);
}

/* An integer as its sign and magnitude. */
static uint64_t ga__integer_at(ga_dtype t, const void *p, bool *neg) {
    int64_t i;
    *neg = false;
    switch (t) {
    case GA_UINT8: return *(const uint8_t *)p;
    case GA_UINT16: return *(const uint16_t *)p;
    case GA_UINT32: return *(const uint32_t *)p;
    case GA_UINT64: return *(const uint64_t *)p;
    case GA_INT8: i = *(const int8_t *)p; break;
    case GA_INT16: i = *(const int16_t *)p; break;
    case GA_INT32: i = *(const int32_t *)p; break;
    default: i = *(const int64_t *)p;
    }
    *neg = i < 0;
    return *neg ? 0 - (uint64_t)i : (uint64_t)i;
}
static void ga__fit_integer(ga__printer *p) {
    int most = 0;
    bool any_neg = false, any_pos = false;
    int wide[2] = {0, 0};
    for (int64_t i = 0; i < p->count; i++) {
        bool neg;
        uint64_t v = ga__integer_at(p->x->dtype, p->host + (size_t)i
                                    * ga__size(p->x->dtype), &neg);
        int digits = 1;
        while (v >= 10) v /= 10, digits++;
        any_neg |= neg;
        any_pos |= !neg;
        if (digits > wide[neg]) wide[neg] = digits;
    }
    p->sign = p->o.sign == ' ' && any_neg ? '-' : p->o.sign;
    if (any_pos) most = wide[0] + (p->sign != '-');
    if (any_neg && wide[1] + 1 > most) most = wide[1] + 1;
    p->width = most;
}
static void ga__fit(ga__printer *p) {
    char k = ga__kind(p->x->dtype);
    if (k == 'i' || k == 'u') ga__fit_integer(p);
    if (k == 'f' || k == 'c') ga__fit_real(p, 0, p->o.sign);
    if (k == 'c') ga__fit_real(p, 1, '+');
}
/* Element `at` of the host's, padded to the common width. */
static int ga__format_element(const ga__printer *p, int64_t at, char *out) {
    ga_dtype t = p->x->dtype, r = ga__real_type(t);
    const unsigned char *e = p->host + (size_t)at * ga__size(t);
    switch (ga__kind(t)) {
    case 'b':
        return snprintf(out, GA__WORD, "%s", !*e ? "False" : p->x->ndim
                                             ? " True" : "True");
    case 'i':
    case 'u': {
        char number[24];
        bool neg;
        uint64_t v = ga__integer_at(t, e, &neg);
        const char *sign = neg ? "-" : p->sign == '+' ? "+"
                           : p->sign == ' ' ? " " : "";
        snprintf(number, sizeof number, "%s%" PRIu64, sign, v);
        return snprintf(out, GA__WORD, "%*s", p->width, number);
    }
    case 'f':
        return ga__format_real(p, 0, ga__take_apart(t, e), out);
    default: {
        int n = ga__format_real(p, 0, ga__take_apart(r, e), out);
        n += ga__format_real(p, 1, ga__take_apart(r, e + ga__size(r)), out + n);
        int end = n;                /* the j goes before the padding        */
        while (end && out[end - 1] == ' ') end--;
        memmove(out + end + 1, out + end, (size_t)(n - end) + 1);
        out[end] = 'j';
        return n + 1;
    }
    }
}

/* -------------------------------------------------------------- layout */
/* Starts a new line if `len` more characters do not fit on this one. Columns
   count from the brackets' indentation, as NumPy's do.                     */
static void ga__wrap_line(ga__printer *p, int len, int indent, int width,
                          int *column) {
    if (*column + len > width - 1 && *column > indent) {
        while (p->n && p->text[p->n - 1] == ' ') p->n--;
        ga__put(p, "\n", 1);
        ga__put_many(p, ' ', indent);
        *column = indent;
    }
    *column += len;
}
/* Axis `axis` of what is shown, from host element `at` on. */
static void ga__rows(ga__printer *p, int axis, int64_t at, int indent,
                     int width) {
    int64_t n = p->shown[axis], cut = n < p->x->shape[axis] ? n / 2 : n;
    int below = p->x->ndim - 1 - axis, column = indent;
    char word[GA__WORD];
    ga__put(p, "[", 1);
    for (int64_t i = 0; i < n; i++, at += p->step[axis]) {
        if (i == cut) at += p->jump[axis];
        for (int dots = i == cut; dots >= 0; dots--) {
            bool last = !dots && i + 1 == n;
            if (below) {
                if (dots) ga__puts(p, "...");
                else ga__rows(p, axis + 1, at, indent + 1, width - 1);
                if (last) break;
                if (p->separator[0] == ',') ga__put(p, ",", 1);
                ga__put_many(p, '\n', below);
                ga__put_many(p, ' ', indent);
            } else {
                int len = dots ? 3 : ga__format_element(p, at, word);
                ga__wrap_line(p, len, indent, width, &column);
                ga__put(p, dots ? "..." : word, (size_t)len);
                if (last) break;
                ga__puts(p, p->separator);
                column += (int)strlen(p->separator);
            }
        }
    }
    ga__put(p, "]", 1);
}

/* Brings to the host what will be shown and no more. The two ends of a long
   axis are one axis of length 2 and one of edgeitems: one view, one copy. Past
   GA_MAX_NDIM axes the first long ones are walked, a copy for each corner.  */
static bool ga__fetch_shown(ga__printer *p) {
    const ga_array *x = p->x;
    int64_t edge = p->o.edgeitems, block = 1;
    int splits = 0, walks, bit = 0;
    bool walked[GA_MAX_NDIM];
    for (int a = 0; a < x->ndim; a++)
        splits += p->summary && x->shape[a] > 2 * edge;
    walks = x->ndim + splits > GA_MAX_NDIM ? x->ndim + splits - GA_MAX_NDIM : 0;
    for (int a = 0; a < x->ndim; a++) {
        bool split = p->summary && x->shape[a] > 2 * edge;
        p->shown[a] = split ? 2 * edge : x->shape[a];
        walked[a] = split && bit < walks;
        bit += walked[a];
        block *= walked[a] ? edge : p->shown[a];
    }
    p->count = block << walks;
    bit = 0;
    int64_t step = block;
    for (int a = 0; a < x->ndim; a++) {
        step /= walked[a] ? edge : p->shown[a];
        p->step[a] = step;
        p->jump[a] = walked[a] ? (block << bit++) - edge * step : 0;
    }
    size_t size = ga__size(x->dtype);
    p->host = (unsigned char *)GA_MALLOC((size_t)p->count * size);
    if (!p->host) {
        ga__fail(GA_ERR_HOST_MEMORY, p->fn, "%" PRId64 " elements", p->count);
        return false;
    }
    if (!x->ndim) return ga_asnumpy(x, p->host) != NULL;
    for (int corner = 0; corner < 1 << walks; corner++) {
        ga_array *v = ga__view_new(p->fn, x);
        if (!v) return false;
        int64_t skip = 0;
        v->ndim = bit = 0;
        for (int a = 0; a < x->ndim; a++) {
            int64_t far = (x->shape[a] - edge) * x->strides[a];
            bool both = p->shown[a] < x->shape[a] && !walked[a];
            if (walked[a] && corner >> bit++ & 1) skip += far;
            if (both) {
                v->shape[v->ndim] = 2;
                v->strides[v->ndim++] = far;
            }
            v->shape[v->ndim] = both || walked[a] ? edge : x->shape[a];
            v->strides[v->ndim++] = x->strides[a];
        }
        ga__view_done(v, skip);
        bool ok = ga_asnumpy(v, p->host + (size_t)(corner * block) * size);
        ga_free(v);
        if (!ok) return false;
    }
    return true;
}

/* --------------------------------------------------- str() of one number */
/* NumPy's scalars: no precision, no padding; 1e16, or fewer digits where the
   type holds fewer, is where the exponent begins.                          */
static int ga__scalar_real(ga_dtype t, const void *e, char plus,
                           const char *zero, char *out) {
    ga__number_parts v = ga__take_apart(t, e);
    if (v.nan || v.inf)
        return snprintf(out, GA__WORD / 2, "%s%s",
                        v.inf && v.neg ? "-" : plus == '+' ? "+" : "",
                        v.nan ? "nan" : "inf");
    double a = ga__value_of(v);
    double cut = t == GA_FLOAT64 ? 1e16 : t == GA_FLOAT32 ? 1e6 : 1e3;
    ga__real_format f = {a > 0 && (a >= cut || a < 1e-4), true, false, plus,
                         -1, -1, 0, 0, 0};
    int point, n = ga__format_finite(&f, v, out, &point);
    if (f.scientific && out[point + 1] == 'e') {        /* 1.e+16: 1e+16   */
        memmove(out + point, out + point + 1, (size_t)(n - point));
        n--;
    } else if (point == n - 1) {                        /* 3.: 3.0, or 3j  */
        n = point + snprintf(out + point, 4, "%s", zero);
    }
    return n;
}
static void ga__put_scalar(ga__printer *p) {
    char word[GA__WORD];
    ga_dtype t = p->x->dtype, r = ga__real_type(t);
    const unsigned char *imag = p->host + ga__size(r);
    int n;
    if (ga__kind(t) == 'f') {
        n = ga__scalar_real(t, p->host, '-', ".0", word);
    } else if (ga__kind(t) == 'c') {
        ga__number_parts re = ga__take_apart(r, p->host);
        bool pure = !re.m && !re.neg;   /* 2j, but (-0+2j)                  */
        n = pure ? 0 : 1 + ga__scalar_real(r, p->host, '-', "", word + 1);
        if (!pure) word[0] = '(';
        n += ga__scalar_real(r, imag, pure ? '-' : '+', "", word + n);
        n += snprintf(word + n, 4, pure ? "j" : "j)");
    } else {
        p->o.sign = '-';
        ga__fit(p);
        n = ga__format_element(p, 0, word);
    }
    ga__put(p, word, (size_t)n);
}

static char *ga__text_of(const char *fn, const ga_array *x, bool repr) {
    if (!ga__ok(fn, x)) return NULL;
    ga__printer p;
    memset(&p, 0, sizeof p);
    p.fn = fn;
    p.x = x;
    p.o = ga_get_print_options();
    p.summary = x->size > p.o.threshold;
    p.separator = repr ? ", " : " ";
    if (repr) ga__puts(&p, "array(");
    int prefix = (int)p.n;
    if (!x->size) {
        ga__puts(&p, "[]");
    } else if (!ga__fetch_shown(&p)) {
        GA_FREE(p.host);
        free(p.text);
        return NULL;
    } else if (x->ndim) {
        ga__fit(&p);
        ga__rows(&p, 0, 0, prefix + 1, p.o.linewidth - repr);
    } else if (repr) {
        char word[GA__WORD];
        ga__fit(&p);
        ga__put(&p, word, (size_t)ga__format_element(&p, 0, word));
    } else {
        ga__put_scalar(&p);
    }
    if (repr) {                     /* shape and dtype, where not implied   */
        char extra[GA_MAX_NDIM * 22 + 48];
        size_t n = 0, line = p.n;
        bool shape = p.summary || (!x->size && (x->ndim != 1 || x->shape[0]));
        ga_dtype t = x->dtype;
        bool implied = t == GA_BOOL || t == GA_INT64 || t == GA_FLOAT64
                       || t == GA_COMPLEX128;
        if (shape) n = (size_t)snprintf(extra, sizeof extra, "shape=(");
        for (int i = 0; shape && i < x->ndim; i++)
            n += (size_t)snprintf(extra + n, sizeof extra - n, "%s%" PRId64,
                                  i ? ", " : "", x->shape[i]);
        if (shape)
            n += (size_t)snprintf(extra + n, sizeof extra - n,
                                  x->ndim == 1 ? ",)" : ")");
        if (!implied || !x->size)
            n += (size_t)snprintf(extra + n, sizeof extra - n, "%sdtype=%s",
                                  n ? ", " : "", ga_dtype_name(t));
        while (line && p.text && p.text[line - 1] != '\n') line--;
        if (n) {
            bool wide = p.n + 1 - line + n + 2 > (size_t)p.o.linewidth;
            ga__puts(&p, wide ? ",\n" : ", ");
            ga__put_many(&p, ' ', wide ? prefix : 0);
            ga__put(&p, extra, n);
        }
        ga__puts(&p, ")");
    }
    GA_FREE(p.host);
    if (!p.failed) return p.text;
    free(p.text);
    ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    return NULL;
}

GA_API char *ga_tostring(const ga_array *x) {
    return ga__text_of("ga_tostring", x, false);
}
GA_API char *ga_repr(const ga_array *x) {
    return ga__text_of("ga_repr", x, true);
}
static ga_status ga__print_to(const char *fn, FILE *f, const ga_array *x) {
    if (!f) return ga__fail(GA_ERR_NULL, fn, "the file is NULL");
    char *s = ga__text_of(fn, x, false);
    if (!s) return ga__failed();
    errno = 0;
    bool ok = fputs(s, f) >= 0 && fputc('\n', f) != EOF;
    free(s);
    return ok ? GA_OK : ga__fail(GA_ERR_FILE_WRITE, fn, "%s", strerror(errno));
}
GA_API ga_status ga_print(const ga_array *x) {
    return ga__print_to("ga_print", stdout, x);
}
GA_API ga_status ga_fprint(FILE *f, const ga_array *x) {
    return ga__print_to("ga_fprint", f, x);
}

/* =============================================================== >>i-text */
/* ----------------------------------------------------- on all cores */
typedef struct ga__team {
    void (*f)(void *arg, int64_t i);
    void *arg;
    int64_t n;
    atomic_llong next;
} ga__team;
static void *ga__team_main(void *team) {
    ga__team *t = (ga__team *)team;
    for (int64_t i; (i = atomic_fetch_add(&t->next, 1)) < t->n;) t->f(t->arg, i);
    return NULL;
}
/* f(arg, i) for each i below n, on as many threads as the CPU's loops; f makes
   no errors and asks for no memory. Where no thread can be had the caller does
   the work.                                                                */
static void ga__each(void (*f)(void *, int64_t), void *arg, int64_t n) {
    pthread_t id[63];
    ga__team t = {f, arg, n, 0};
    int more = gk_cpu_threads() - 1, made = 0;
    if (more > 63) more = 63;
    while (made < more && made < n - 1
           && !pthread_create(&id[made], NULL, ga__team_main, &t)) made++;
    ga__team_main(&t);
    while (made > 0) pthread_join(id[--made], NULL);
}

/* ------------------------------------------------- decimal to binary
   Eisel and Lemire's method (Number Parsing at a Gigabyte per Second): the
   first 19 digits times a power of five of 128 bits decide but for ties beyond
   the 19th digit, which are compared digit by digit. No locale, no strtod.  */
#define GA__FIVES_LOW (-342)
#define GA__FIVES_HIGH 308
#define GA__HALF_DIGITS 800          /* between two doubles: at most 768     */
static uint64_t ga__fives[GA__FIVES_HIGH - GA__FIVES_LOW + 1][2];

static int ga__leading_zeros(uint64_t v) {      /* v is not 0               */
#ifdef __GNUC__
    return __builtin_clzll(v);
#else
    int n = 0;
    for (; !(v >> 63); v <<= 1) n++;
    return n;
#endif
}
/* a * b: the high half, and the low one in *lo. */
static uint64_t ga__wide_mul(uint64_t a, uint64_t b, uint64_t *lo) {
#ifdef __SIZEOF_INT128__
    GA__EXT typedef unsigned __int128 wide;
    wide p = (wide)a * b;
    *lo = (uint64_t)p;
    return (uint64_t)(p >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t m = a0 * b1 + (a0 * b0 >> 32), n = a1 * b0 + (uint32_t)m;
    *lo = n << 32 | (uint32_t)(a0 * b0);
    return a1 * b1 + (m >> 32) + (n >> 32);
#endif
}
/* The top 128 bits of a, the first of them 1. */
static void ga__big_top(const ga__big *a, uint64_t *hi, uint64_t *lo) {
    uint64_t w[3] = {0, 0, 0};
    for (int i = 0; i < 6 && i < a->n; i++)
        w[i / 2] |= (uint64_t)a->w[a->n - 1 - i] << (i % 2 ? 0 : 32);
    int s = ga__leading_zeros(w[0]);
    *hi = s ? w[0] << s | w[1] >> (64 - s) : w[0];
    *lo = s ? w[1] << s | w[2] >> (64 - s) : w[1];
}
/* 5**q from -342 to 308, cut off after 128 bits; those below 1 that are exact
   reciprocals in so many bits are rounded up, as the proof wants.          */
static void ga__fives_init(void) {
    ga__big a;
    uint64_t (*zero)[2] = &ga__fives[-GA__FIVES_LOW];
    ga__big_shift(&a, 1, 0);
    for (int q = 0; q <= GA__FIVES_HIGH; q++) {
        ga__big_top(&a, &zero[q][0], &zero[q][1]);
        ga__big_mul(&a, 5);
    }
    ga__big_shift(&a, 1, 1100);
    for (int q = -1; q >= GA__FIVES_LOW; q--) {
        uint64_t rest = 0;
        for (int i = a.n; i-- > 0; rest %= 5) {
            rest = rest << 32 | a.w[i];
            a.w[i] = (uint32_t)(rest / 5);
        }
        while (!a.w[a.n - 1]) a.n--;
        ga__big_top(&a, &zero[q][0], &zero[q][1]);
        if (q >= -27 && !++zero[q][1]) ++zero[q][0];
    }
}
/* The bits of the double nearest to w * 10**q. */
static uint64_t ga__nearest(uint64_t w, int64_t q) {
    const uint64_t infinite = UINT64_C(0x7ff) << 52;
    if (!w || q < GA__FIVES_LOW) return 0;
    if (q > GA__FIVES_HIGH) return infinite;
    int zeros = ga__leading_zeros(w);
    w <<= zeros;
    const uint64_t *five = ga__fives[q - GA__FIVES_LOW];
    uint64_t low, high = ga__wide_mul(w, five[0], &low);
    if ((high & 0x1ff) == 0x1ff) {  /* the bits behind could carry          */
        uint64_t less, more = ga__wide_mul(w, five[1], &less);
        low += more;
        high += low < more;
    }
    int top = (int)(high >> 63), shift = top + 64 - 52 - 3;
    uint64_t m = high >> shift;
    /* floor(q log2(10)), by multiplication */
    int e = (int)(((152170 + 65536) * q) >> 16) + 63 + top - zeros + 1023;
    if (e <= 0) {                   /* subnormal                            */
        if (e < -62) return 0;
        m >>= 1 - e;
        return (m + (m & 1)) >> 1;
    }
    if (low <= 1 && q >= -4 && q <= 23 && (m & 3) == 1 && m << shift == high)
        m &= ~UINT64_C(1);          /* exactly between two: to even         */
    m = (m + (m & 1)) >> 1;
    if (m >> 53) {
        m >>= 1;
        e++;
    }
    return e >= 0x7ff ? infinite : (m & ~(UINT64_C(1) << 52)) | (uint64_t)e << 52;
}
/* Digits d.ddd * 10**exponent at p (a point may stand among them) lie between
   the doubles of bits v and v + 1: which is nearer?                        */
static uint64_t ga__nearest_of(uint64_t v, const char *p, const char *end,
                               int64_t exponent) {
    ga__number_parts half = {false, false, false, false, 0, 0};
    char digit[GA__HALF_DIGITS];
    int e = (int)(v >> 52), first, n, i = 0, order = 0;
    half.m = 2 * ((v & ((UINT64_C(1) << 52) - 1))
                  | (e ? UINT64_C(1) << 52 : 0)) + 1;
    half.e = (e ? e : 1) - 1076;
    n = ga__digits(half, false, true, GA__NO_LIMIT, -1, digit, &first);
    if (exponent != first) return exponent > first ? v + 1 : v;
    for (; p < end && !order; p++) {
        if (*p == '.') continue;
        int d = i < n ? digit[i++] : '0';
        order = *p - d;
    }
    for (; i < n && !order; i++) order = '0' - digit[i];
    return order > 0 || (order == 0 && v & 1) ? v + 1 : v;
}
static bool ga__is_word(const char *p, const char *word) {
    while (*word && (*p | 32) == *word) p++, word++;
    return !*word;
}
/* A number at p into *out: where it ends, NULL if there is none. The text ends
   with a character that is none of a number's.                             */
static const char *ga__parse_double(const char *p, double *out) {
    bool minus = *p == '-';
    if (*p == '-' || *p == '+') p++;
    const char *begin = p, *point, *end;
    uint64_t w = 0, bits;
    unsigned d;
    while ((d = (unsigned)*p - '0') <= 9) w = w * 10 + d, p++;
    point = p;
    if (*p == '.') {
        p++;
        while ((d = (unsigned)*p - '0') <= 9) w = w * 10 + d, p++;
    }
    end = p;
    int64_t q = end > point ? point + 1 - end : 0, n = point - begin - q;
    if (!n) {
        bool inf = end == point && ga__is_word(p, "inf");
        if (!inf && (end > point || !ga__is_word(p, "nan"))) return NULL;
        *out = inf ? (double)INFINITY : (double)NAN;
        if (minus) *out = -*out;
        return p + (inf && ga__is_word(p, "infinity") ? 8 : 3);
    }
    int64_t ten = 0;
    if ((*p | 32) == 'e') {
        const char *x = p + 1;
        bool down = *x == '-';
        if (*x == '-' || *x == '+') x++;
        if ((unsigned)*x - '0' <= 9) {
            for (; (d = (unsigned)*x - '0') <= 9; x++)
                if (ten < 100000000) ten = ten * 10 + d;
            if (down) ten = -ten;
            p = x;
        }
    }
    if (n > 19)                     /* leading zeros are no digits          */
        for (; begin < end && (*begin == '0' || *begin == '.'); begin++)
            n -= *begin == '0';
    if (n <= 19) {
        bits = ga__nearest(w, q + ten);
    } else {
        const char *x = begin;
        w = 0;
        for (int k = 0; k < 19; x++)
            if (*x != '.') w = w * 10 + (unsigned)(*x - '0'), k++;
        q = (x <= point ? point - x : point + 1 - x) + ten;
        bits = ga__nearest(w, q);
        if (bits != ga__nearest(w + 1, q))
            bits = ga__nearest_of(bits, begin, end, q + 18);
    }
    bits |= (uint64_t)minus << 63;
    memcpy(out, &bits, sizeof bits);
    return p;
}

/* ------------------------------------------------------- reading text */
#define GA__TEXT_CHUNK ((size_t)1 << 20)
enum { GA__TEXT_BAD = 1, GA__TEXT_MISSING, GA__TEXT_FEW, GA__TEXT_MANY };
typedef struct ga__chunk {          /* whole lines, for one thread          */
    const char *p, *end;
    int64_t lines, rows;            /* in it                                */
    int64_t line, row;              /* before it                            */
    int wrong;                      /* the first error: what, where         */
    int64_t wrong_line, wrong_column;
    const char *wrong_at;
} ga__chunk;
typedef struct ga__reader {
    ga_dtype t;
    size_t size;
    uint64_t max, min;              /* of an integer, and of a negative one */
    char delimiter;                 /* 0: white space                       */
    const char *comments;
    size_t ncomments;
    int64_t fields;                 /* of the first row                     */
    int64_t columns, rows;          /* of the result                        */
    int *first, *next;              /* NULL: every field is wanted; else    */
    char *out;                      /* field f goes to columns first[f],    */
    ga__chunk *chunk;               /* next[first[f]], ..., -1 the end      */
    int64_t nchunks;
} ga__reader;

static bool ga__text_blank(const ga__reader *k, char c) {
    return (c == ' ' || (c >= '\t' && c <= '\f' && c != '\n'))
           && c != k->delimiter;
}
/* Is here the end of the line or of what counts of it? */
static bool ga__text_end(const ga__reader *k, const char *p) {
    return *p == '\n' || (*p == '\r' && p[1] == '\n')
           || (k->ncomments && *p == *k->comments
               && !strncmp(p, k->comments, k->ncomments));
}
static const char *ga__text_skip(const ga__reader *k, const char *p) {
    while (ga__text_blank(k, *p)) p++;
    return p;
}
static const char *ga__parse_integer(const ga__reader *k, const char *p,
                                     void *out) {
    bool minus = *p == '-';
    uint64_t v = 0, most = minus ? k->min : k->max;
    unsigned d;
    if (*p == '-' || *p == '+') p++;
    if ((unsigned)*p - '0' > 9) return NULL;
    for (; (d = (unsigned)*p - '0') <= 9; p++) {
        if (v > (most - d) / 10 || d > most) return NULL;
        v = v * 10 + d;
    }
    if (minus) v = 0 - v;
    if (k->t == GA_BOOL) *(bool *)out = v != 0;
    else if (k->size == 1) *(uint8_t *)out = (uint8_t)v;
    else if (k->size == 2) *(uint16_t *)out = (uint16_t)v;
    else if (k->size == 4) *(uint32_t *)out = (uint32_t)v;
    else *(uint64_t *)out = v;
    return p;
}
/* "1", "2j", "1+2j", "(1+2j)", and "1+-2j" as old files have it. */
static const char *ga__parse_complex(const char *p, double *z) {
    bool open = *p == '(';
    z[1] = 0;
    p = ga__parse_double(p + open, &z[0]);
    if (!p) return NULL;
    if (*p == 'j') {
        z[1] = z[0];
        z[0] = 0;
        p++;
    } else if (*p == '+' || *p == '-') {
        p = ga__parse_double(p + (*p == '+' && p[1] == '-'), &z[1]);
        if (!p || *p++ != 'j') return NULL;
    }
    return open ? *p == ')' ? p + 1 : NULL : p;
}
static const char *ga__parse_element(const ga__reader *k, const char *p,
                                     void *out) {
    double v[2];
    switch (k->t) {
    case GA_FLOAT64: return ga__parse_double(p, (double *)out);
    case GA_FLOAT32:
        p = ga__parse_double(p, v);
        if (p) *(float *)out = (float)v[0];
        return p;
    case GA_FLOAT16: case GA_BFLOAT16:
        p = ga__parse_double(p, v);
        if (p) ga__cast_element(v, GA_FLOAT64, out, k->t);
        return p;
    case GA_COMPLEX64:
        p = ga__parse_complex(p, v);
        if (p) ((float *)out)[0] = (float)v[0], ((float *)out)[1] = (float)v[1];
        return p;
    case GA_COMPLEX128: return ga__parse_complex(p, (double *)out);
    default: return ga__parse_integer(k, p, out);
    }
}
/* One field at p into row `out` at its columns: where the field ends, or NULL.
   Field f is beyond those of the first row only where `next` is there.     */
static const char *ga__text_field(const ga__reader *k, const char *p, int64_t f,
                                  char *out) {
    if (!k->next) return ga__parse_element(k, p, out + (size_t)f * k->size);
    int c = f < k->fields ? k->first[f] : -1;
    const char *end = p;
    if (c < 0)
        while (!ga__text_end(k, end)
               && (k->delimiter ? *end != k->delimiter
                                : !ga__text_blank(k, *end))) end++;
    for (; c >= 0 && end; c = k->next[c])
        end = ga__parse_element(k, p, out + (size_t)c * k->size);
    return end;
}
/* The row whose first field is at p; the number of its fields, or what is wrong
   as a negative number. out NULL: the fields are counted alone.            */
static int64_t ga__text_row(const ga__reader *k, const char *p, char *out,
                            const char **at, int64_t *column) {
    int64_t f = 0;
    for (;; f++) {
        *at = p = ga__text_skip(k, p);
        *column = f + 1;
        if (!k->delimiter && ga__text_end(k, p)) return f;
        if (out && !k->next && f == k->fields) return -GA__TEXT_MANY;
        const char *end = p;
        if (!out)
            while (!ga__text_end(k, end)
                   && (k->delimiter ? *end != k->delimiter
                                    : !ga__text_blank(k, *end))) end++;
        else if (!(end = ga__text_field(k, p, f, out)))
            return ga__text_end(k, p) || *p == k->delimiter
                       ? -GA__TEXT_MISSING : -GA__TEXT_BAD;
        p = ga__text_skip(k, end);
        if (k->delimiter && *p == k->delimiter) p++;
        else if (k->delimiter && ga__text_end(k, p)) return f + 1;
        else if (k->delimiter || (p == end && !ga__text_end(k, p)))
            return -GA__TEXT_BAD;
    }
}
static const char *ga__line_end(const char *p, const char *end) {
    return (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
}
static void ga__text_count(void *reader, int64_t i) {
    ga__reader *k = (ga__reader *)reader;
    ga__chunk *c = &k->chunk[i];
    for (const char *p = c->p; p < c->end; p = ga__line_end(p, c->end)) {
        c->lines++;
        c->rows += !ga__text_end(k, ga__text_skip(k, p));
    }
}
static void ga__text_parse(void *reader, int64_t i) {
    ga__reader *k = (ga__reader *)reader;
    ga__chunk *c = &k->chunk[i];
    int64_t row = c->row, line = c->line, column = 0, f;
    for (const char *p = c->p; p < c->end && row < k->rows;
         p = ga__line_end(p, c->end)) {
        const char *at = ga__text_skip(k, p);
        line++;
        if (ga__text_end(k, at)) continue;
        f = ga__text_row(k, p, k->out + (size_t)(row++ * k->columns) * k->size,
                         &at, &column);
        if (f == k->fields) continue;
        if (f >= 0 && k->next) {    /* do the columns wanted exist?         */
            int64_t most = k->fields;
            while (most && k->first[most - 1] < 0) most--;
            if (f >= most) continue;
        }
        c->wrong = f < 0 ? (int)-f : f < k->fields ? GA__TEXT_FEW
                                                   : GA__TEXT_MANY;
        c->wrong_line = line;
        c->wrong_column = f < 0 ? column : f;
        c->wrong_at = at;
        return;
    }
}
static ga_status ga__text_wrong(const ga__reader *k, const ga__chunk *c,
                                const char *fn) {
    char shown[44];
    int n = 0;
    for (const char *p = c->wrong_at; n < 40 && !ga__text_end(k, p)
         && *p != (k->delimiter ? k->delimiter : ' ') && *p != '\t'; p++)
        shown[n++] = *p < ' ' || *p > '~' ? '?' : *p;
    shown[n] = 0;
    if (c->wrong == GA__TEXT_BAD)
        return ga__fail(GA_ERR_FILE_FORMAT, fn, "line %" PRId64 ", column %"
                        PRId64 ": '%s' is not a value of %s", c->wrong_line,
                        c->wrong_column, shown, ga_dtype_name(k->t));
    if (c->wrong == GA__TEXT_MISSING)
        return ga__fail(GA_ERR_FILE_FORMAT, fn, "line %" PRId64 ", column %"
                        PRId64 ": a value is missing", c->wrong_line,
                        c->wrong_column);
    if (c->wrong == GA__TEXT_FEW)
        return ga__fail(GA_ERR_FILE_FORMAT, fn, "line %" PRId64 ", column %"
                        PRId64 " is the last of the line; the first row has %"
                        PRId64, c->wrong_line, c->wrong_column, k->fields);
    return ga__fail(GA_ERR_FILE_FORMAT, fn, "line %" PRId64 ", column %" PRId64
                    ": the first row has only %" PRId64, c->wrong_line,
                    c->wrong_column, k->fields);
}

/* All of a file, with a newline and a 0 behind it. */
static char *ga__file_slurp(FILE *f, const char *fn, size_t *bytes) {
    ga__io io = {f, NULL};
    int64_t left = ga__io_left(&io);
    size_t n = 0, cap = left > 0 ? (size_t)left + 3 : GA__NPY_PIECE;
    char *p = (char *)GA_MALLOC(cap);
    for (;;) {
        if (!p) return (char *)GA__NULL(GA_ERR_HOST_MEMORY, fn, "%zu bytes",
                                        cap);
        errno = 0;
        n += fread(p + n, 1, cap - 2 - n, f);
        if (n < cap - 2) break;
        char *q = (char *)GA_REALLOC(p, cap *= 2);
        if (!q) GA_FREE(p);
        p = q;
    }
    if (ferror(f)) {
        GA_FREE(p);
        return (char *)GA__NULL(GA_ERR_FILE_READ, fn, "%s", strerror(errno));
    }
    p[n] = '\n';
    p[n + 1] = 0;
    *bytes = n;
    return p;
}
static ga_status ga__text_options(ga__reader *k, const char *fn, ga_dtype t,
                                  const ga_text *how) {
    memset(k, 0, sizeof *k);
    if (!ga__dtype_ok(fn, t)) return ga__failed();
    k->t = t;
    k->size = ga__size(t);
    if (t == GA_BOOL || ga__is_int(t)) {
        ga_int_info r = ga_iinfo(t == GA_BOOL ? GA_INT64 : t);
        k->max = r.max;
        k->min = 0 - (uint64_t)r.min;
    }
    k->comments = how->comments ? how->comments : "#";
    k->ncomments = strlen(k->comments);
    if (how->delimiter && (strlen(how->delimiter) != 1
                           || strchr("\r\n", *how->delimiter)))
        return ga__fail(GA_ERR_VALUE, fn, "the delimiter '%s' is not one "
                        "character", how->delimiter);
    k->delimiter = how->delimiter ? *how->delimiter : 0;
    if (strpbrk(k->comments, "\r\n") || (how->delimiter && k->ncomments
                                         && *k->comments == k->delimiter))
        return ga__fail(GA_ERR_VALUE, fn, "comments '%s' cannot be told from "
                        "what delimits", k->comments);
    if (how->skip < 0 || how->max_rows < 0 || how->ndmin < 0 || how->ndmin > 2
        || how->ncolumns < 0)
        return ga__fail(GA_ERR_VALUE, fn, "skip %" PRId64 ", max_rows %" PRId64
                        ", ndmin %d, ncolumns %d: negative, or ndmin above 2",
                        how->skip, how->max_rows, how->ndmin, how->ncolumns);
    return GA_OK;
}
/* Which column of the file goes where: lists, by field of a row. */
static ga_status ga__text_columns(ga__reader *k, const char *fn,
                                  const ga_text *how) {
    k->columns = how->columns ? how->ncolumns : k->fields;
    if (!how->columns) return GA_OK;
    k->first = (int *)GA_MALLOC((size_t)(k->fields + k->columns + 1)
                                * sizeof *k->first);
    if (!k->first) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    k->next = k->first + k->fields;
    for (int64_t f = 0; f < k->fields; f++) k->first[f] = -1;
    for (int c = how->ncolumns; c-- > 0;) {
        int64_t f = how->columns[c] + (how->columns[c] < 0 ? k->fields : 0);
        if (f < 0 || f >= k->fields)
            return ga__fail(GA_ERR_INDEX, fn, "column %d of a first row of %"
                            PRId64, how->columns[c], k->fields);
        k->next[c] = k->first[f];
        k->first[f] = c;
    }
    return GA_OK;
}
/* The text's lines dealt out, and counted. */
static ga_status ga__text_split(ga__reader *k, const char *fn, const char *text,
                                const char *end, const ga_text *how) {
    int64_t skipped = 0;
    while (skipped < how->skip && text < end)
        text = ga__line_end(text, end), skipped++;
    k->nchunks = (int64_t)((size_t)(end - text) / GA__TEXT_CHUNK) + 1;
    k->chunk = (ga__chunk *)GA_MALLOC((size_t)k->nchunks * sizeof *k->chunk);
    if (!k->chunk) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(k->chunk, 0, (size_t)k->nchunks * sizeof *k->chunk);
    for (int64_t i = 0; i < k->nchunks; i++) {
        k->chunk[i].p = text;
        if (text < end && (size_t)(end - text) > GA__TEXT_CHUNK
            && i < k->nchunks - 1)
            text = ga__line_end(text + GA__TEXT_CHUNK, end);
        else
            text = end;
        k->chunk[i].end = text;
    }
    ga__each(ga__text_count, k, k->nchunks);
    for (int64_t i = 0; i < k->nchunks; i++) {
        k->chunk[i].line = skipped;
        k->chunk[i].row = k->rows;
        skipped += k->chunk[i].lines;
        k->rows += k->chunk[i].rows;
    }
    if (how->max_rows && k->rows > how->max_rows) k->rows = how->max_rows;
    for (int64_t i = 0; i < k->nchunks && !k->fields; i++)
        for (const char *p = k->chunk[i].p; p < k->chunk[i].end && !k->fields;
             p = ga__line_end(p, k->chunk[i].end)) {
            const char *at;
            int64_t column;
            if (!ga__text_end(k, ga__text_skip(k, p)))
                k->fields = ga__text_row(k, p, NULL, &at, &column);
        }
    if (!k->rows) k->fields = 1;    /* as NumPy's, (0, 1)                   */
    return k->rows || !how->columns ? ga__text_columns(k, fn, how)
           : (k->columns = how->ncolumns, GA_OK);
}
static ga_array *ga__text_array(ga__reader *k, const char *fn, int ndmin) {
    ga__device *d = ga__current(fn);
    int64_t shape[2];
    int ndim = 0;
    if (ndmin == 2 || k->rows != 1) shape[ndim++] = k->rows;
    if (ndmin == 2 || k->columns != 1) shape[ndim++] = k->columns;
    if (!ndim && ndmin == 1) shape[ndim++] = 1;
    ga_array *x = ga__new(fn, d, ndim, shape, k->t, NULL);
    if (!x || !x->size) return x;
    ga_stream *s = ga__stream(d);
    size_t bytes = (size_t)x->size * k->size;
    ga_status st = ga__order(fn, x->ga__buf, s, true);
    k->out = d->id == GA_CPU ? (char *)x->data : (char *)GA_MALLOC(bytes);
    if (!k->out) st = ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes", bytes);
    if (!st) ga__each(ga__text_parse, k, k->nchunks);
    for (int64_t i = 0; i < k->nchunks && !st; i++)
        if (k->chunk[i].wrong) st = ga__text_wrong(k, &k->chunk[i], fn);
    if (d->id != GA_CPU) {
        if (!st) st = d->be->copy(d, fn, GA__H2D, x->data, k->out, bytes, s,
                                  false);
        GA_FREE(k->out);
    }
    return ga__or_free(x, st);
}
GA_API ga_array *(ga_loadtxt)(const char *path, ga_dtype t,
                              const ga_text *how) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static const ga_text plain;
    ga__file_op op;
    ga__reader k;
    size_t n = 0;
    if (!how) how = &plain;
    if (ga__text_options(&k, "ga_loadtxt", t, how)) return NULL;
    FILE *f = ga__file_open("ga_loadtxt", path, &op);
    if (!f) return NULL;
    pthread_once(&once, ga__fives_init);
    char *text = ga__file_slurp(f, op.text, &n);
    fclose(f);
    if (!text) return NULL;
    size_t mark = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    const char *end = text + n + (n > mark && text[n - 1] != '\n');
    ga_array *x = NULL;
    if (!ga__text_split(&k, op.text, text + mark, end, how))
        x = ga__text_array(&k, op.text, how->ndmin);
    GA_FREE(k.first);
    GA_FREE(k.chunk);
    GA_FREE(text);
    return x;
}

/* ------------------------------------------------------- writing text */
#define GA__TEXT_BLOCK ((size_t)1 << 20)
typedef struct ga__spec {           /* one conversion and the text before it */
    const char *text;               /* for snprintf                         */
    bool integer;
    size_t most;                    /* characters                           */
} ga__spec;
typedef struct ga__writer {
    ga__spec *spec;
    int64_t nspecs;
    const char *delimiter, *point;  /* point: the locale's                  */
    const void *host;               /* int64, uint64, float64 or complex128 */
    char kind;                      /* of these: i, u, f, c                 */
    int64_t rows, numbers;          /* numbers of a row                     */
    int64_t block, from;            /* rows of a block; the first one's row */
    char **buf;
    size_t *n;
} ga__writer;

/* Splits fmt into its conversions: as many as a row has numbers, or one. */
static ga_status ga__text_specs(ga__writer *w, const char *fn, const char *fmt,
                                char *room) {
    const char *p = fmt, *begin = fmt;
    while (*p) {
        if (*p++ != '%') continue;
        if (*p == '%') {
            p++;
            continue;
        }
        p += strspn(p, "-+ #0");
        char *end;
        long width = strtol(p, &end, 10), prec = 6;
        p = end;
        if (*p == '.') {
            prec = strtol(p + 1, &end, 10);
            p = end;
        }
        if (!*p || !strchr("diueEfFgG", *p) || width > 999 || prec > 999
            || width < 0 || prec < 0)
            return ga__fail(GA_ERR_VALUE, fn, "'%.60s' wants conversions with "
                            "d, i, u, e, E, f, F, g or G, widths and precisions "
                            "to 999", fmt);
        if (w->nspecs == w->numbers) break;
        ga__spec *s = &w->spec[w->nspecs++];
        size_t before = (size_t)(p - begin);
        s->text = room;
        s->integer = strchr("diu", *p) != NULL;
        s->most = strlen(begin) + (size_t)(width > prec + 330 ? width
                                                              : prec + 330);
        memcpy(room, begin, before);
        room += before;
        if (s->integer) {           /* a uint64 is none of d's              */
            memcpy(room, w->kind == 'u' ? "llu" : "lld", 3);
            room += 3;
            p++;
        } else {
            *room++ = *p++;
        }
        *room = 0;                  /* the next one's text goes behind      */
        begin = p;
        if (!strchr(p, '%') || w->nspecs == w->numbers) {
            size_t rest = strlen(p);
            memcpy(room, p, rest + 1);
            room += rest;
            p += rest;
        }
        room++;
    }
    if (*p || (w->nspecs != 1 && w->nspecs != w->numbers))
        return ga__fail(GA_ERR_VALUE, fn, "'%.60s' has %" PRId64 "%s "
                        "conversions for %" PRId64 " numbers a row", fmt,
                        w->nspecs, *p ? " and more" : "", w->numbers);
    return GA_OK;
}
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
static char *ga__text_number(const ga__writer *w, const ga__spec *s, int64_t i,
                             char *out) {
    double v;
    long long whole = 0;
    if (w->kind == 'i' || w->kind == 'u') {
        memcpy(&whole, (const char *)w->host + 8 * i, 8);
        v = w->kind == 'u' ? (double)(unsigned long long)whole : (double)whole;
    } else {
        memcpy(&v, (const char *)w->host + 8 * i, 8);
        if (v != v) v = (double)NAN;            /* without a sign           */
        if (s->integer && v == v)
            whole = v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN
                                                          : (long long)v;
    }
    int n = s->integer ? snprintf(out, s->most, s->text, whole)
                       : snprintf(out, s->most, s->text, v);
    char *comma = *w->point == '.' ? NULL : strstr(out, w->point);
    if (comma && !s->integer) {     /* some locales have a longer one       */
        size_t len = strlen(w->point);
        *comma = '.';
        memmove(comma + 1, comma + len, strlen(comma + len) + 1);
        n -= (int)len - 1;
    }
    return out + n;
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
static char *ga__text_put(char *out, const char *s) {
    size_t n = strlen(s);
    memcpy(out, s, n);
    return out + n;
}
static void ga__text_format(void *writer, int64_t i) {
    ga__writer *w = (ga__writer *)writer;
    char *out = w->buf[i];
    int64_t row = w->from + i * w->block, last = row + w->block;
    if (last > w->rows) last = w->rows;
    for (; row < last; row++) {
        int64_t e = row * w->numbers;
        for (int64_t c = 0; c < w->numbers; c++, e++) {
            const ga__spec *s = &w->spec[w->nspecs > 1 ? c : 0];
            if (w->nspecs == 1 && c && !(w->kind == 'c' && c % 2))
                out = ga__text_put(out, w->delimiter);
            if (w->nspecs > 1 || w->kind != 'c') {
                out = ga__text_number(w, s, e, out);
            } else if (c % 2 == 0) {
                out = ga__text_number(w, s, e, ga__text_put(out, " ("));
            } else {
                char *sign = out;
                *out++ = '+';
                char *end = ga__text_number(w, s, e, out);
                if (*out == '-') {
                    memmove(sign, out, (size_t)(end - out));
                    end--;
                }
                out = ga__text_put(end, "j)");
            }
        }
        *out++ = '\n';
    }
    w->n[i] = (size_t)(out - w->buf[i]);
}
/* Lines of a header or footer, each behind the comment sign. */
static ga_status ga__text_comment(ga__saving *f, const char *text,
                                  const ga_text *how) {
    const char *sign = how->comments ? how->comments : "# ";
    ga_status st = GA_OK;
    while (text && !st) {
        size_t n = strcspn(text, "\n");
        st = ga__io_write(&f->io, f->op.text, sign, strlen(sign));
        if (!st) st = ga__io_write(&f->io, f->op.text, text, n);
        if (!st) st = ga__io_write(&f->io, f->op.text, "\n", 1);
        text = text[n] ? text + n + 1 : NULL;
    }
    return st;
}
/* Blocks of rows, one a thread, written in their order. */
static ga_status ga__text_blocks(ga__writer *w, ga__saving *f) {
    const char *fn = f->op.text;
    size_t most = 1, gap = strlen(w->delimiter) + 4;
    for (int64_t c = 0; c < w->numbers; c++)
        most += w->spec[w->nspecs > 1 ? c : 0].most + gap;
    w->block = most < GA__TEXT_BLOCK ? (int64_t)(GA__TEXT_BLOCK / most) : 1;
    if (w->block > w->rows) w->block = w->rows ? w->rows : 1;
    int64_t blocks = (w->rows + w->block - 1) / w->block;
    int64_t team = gk_cpu_threads();
    if (team > blocks) team = blocks;
    if (!team) return GA_OK;
    size_t bytes = (size_t)w->block * most;
    w->n = (size_t *)GA_MALLOC((size_t)team * sizeof *w->n);
    w->buf = (char **)GA_MALLOC((size_t)team * sizeof *w->buf);
    char *all = (char *)GA_MALLOC((size_t)team * bytes);
    ga_status st = w->n && w->buf && all ? GA_OK
        : ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes", (size_t)team * bytes);
    for (int64_t i = 0; i < team && !st; i++)
        w->buf[i] = all + (size_t)i * bytes;
    for (; w->from < w->rows && !st; w->from += team * w->block) {
        int64_t left = (w->rows - w->from + w->block - 1) / w->block;
        if (left > team) left = team;
        ga__each(ga__text_format, w, left);
        for (int64_t i = 0; i < left && !st; i++)
            st = ga__io_write(&f->io, fn, w->buf[i], w->n[i]);
    }
    GA_FREE(all);
    GA_FREE(w->buf);
    GA_FREE(w->n);
    return st;
}
/* x on the host as the widest of its kind. */
static void *ga__text_host(const char *fn, const ga_array *x, ga_dtype t) {
    if (x->dtype == t) return ga__to_host(fn, x, NULL, false);
    ga_device_guard g = {ga__thread_device()};
    if (!ga__is_number(x)) g = ga_device_begin(x->device);
    ga_array *wide = ga__copy_as(fn, x, t);
    ga_device_end(&g);
    void *host = wide ? ga__to_host(fn, wide, NULL, false) : NULL;
    ga_free(wide);
    return host;
}
GA_API ga_status ga_savetxt(const char *path, const ga_array *x,
                            const char *fmt, const ga_text *how) {
    static const char fn[] = "ga_savetxt";
    static const ga_text plain;
    ga__writer w;
    ga__saving f;
    if (!ga__ok(fn, x)) return ga__failed();
    if (!path) return ga__fail(GA_ERR_NULL, fn, "the path is NULL");
    if (x->ndim < 1 || x->ndim > 2)
        return ga__fail(GA_ERR_SHAPE, fn, "shape %s has not 1 or 2 axes",
                        ga__shape_text(x->ndim, x->shape));
    if (!how) how = &plain;
    if (!fmt) fmt = "%.18e";
    memset(&w, 0, sizeof w);
    w.kind = ga__kind(x->dtype) == 'b' || (ga__is_int(x->dtype)
             && x->dtype != GA_UINT64) ? 'i' : ga__kind(x->dtype);
    ga_dtype wide = w.kind == 'i' ? GA_INT64 : w.kind == 'u' ? GA_UINT64
                    : w.kind == 'f' ? GA_FLOAT64 : GA_COMPLEX128;
    w.rows = x->shape[0];
    w.numbers = (x->ndim == 2 ? x->shape[1] : 1) * (w.kind == 'c' ? 2 : 1);
    w.delimiter = how->delimiter ? how->delimiter : " ";
    w.point = localeconv()->decimal_point;
    size_t specs = 1;
    for (const char *p = fmt; *p; p++) specs += *p == '%';
    w.spec = (ga__spec *)GA_MALLOC(specs * (sizeof *w.spec + 4)
                                   + strlen(fmt) + 1);
    if (!w.spec) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    ga_status st = w.numbers ? ga__text_specs(&w, fn, fmt,
                                              (char *)(w.spec + specs)) : GA_OK;
    void *host = st ? NULL : ga__text_host(fn, x, wide);
    if (!st && !host) st = ga__failed();
    w.host = host;
    if (!st) st = ga__save_begin(&f, fn, path);
    if (!st) {
        st = ga__text_comment(&f, how->header, how);
        if (!st) st = ga__text_blocks(&w, &f);
        if (!st) st = ga__text_comment(&f, how->footer, how);
        st = ga__save_end(&f, st);
    }
    free(host);
    GA_FREE(w.spec);
    return st;
}

/* ---------------------------------------------------------- raw files */
GA_API ga_array *(ga_fromfile)(const char *path, ga_dtype t, int64_t count,
                               int64_t offset) {
    const char *fn = "ga_fromfile";
    ga__file_op op;
    ga__npy_header h;
    if (!ga__dtype_ok(fn, t)) return NULL;
    if (count < -1 || offset < 0)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, fn, "count %" PRId64 ", "
                                    "offset %" PRId64, count, offset);
    ga__device *d = ga__current(fn);
    ga__io io = {d ? ga__file_open(fn, path, &op) : NULL, NULL};
    if (!io.f) return NULL;
    ga_array *x = NULL;
    int64_t size = (int64_t)ga__size(t), left = ga__io_left(&io);
    memset(&h, 0, sizeof h);
    h.dtype = t;
    if (left < 0) {
        ga__fail(GA_ERR_FILE_READ, op.text, "its length is not known");
    } else if (offset > left || (count < 0 ? (left - offset) % size
                                 : count > (left - offset) / size)) {
        ga__fail(GA_ERR_FILE_FORMAT, op.text, "%" PRId64 " bytes are not %"
                 PRId64 " elements of %s from byte %" PRId64 " (-1: whole ones "
                 "to the end)", left, count, ga_dtype_name(t), offset);
    } else if (offset > LONG_MAX || fseek(io.f, (long)offset, SEEK_SET)) {
        ga__fail(GA_ERR_FILE_READ, op.text, "%s", strerror(errno));
    } else {
        h.size = count < 0 ? (left - offset) / size : count;
        x = ga__new(op.text, d, 1, &h.size, t, NULL);
        if (x && h.size)
            x = ga__or_free(x, ga__npy_fill(&io, op.text, &h, x, NULL));
    }
    fclose(io.f);
    return x;
}
GA_API ga_status ga_tofile(const char *path, const ga_array *x) {
    static const char fn[] = "ga_tofile";
    ga__saving w;
    if (!ga__ok(fn, x)) return ga__failed();
    if (!path) return ga__fail(GA_ERR_NULL, fn, "the path is NULL");
    void *buf = ga__npy_piece(fn, x);
    if (!buf) return ga__failed();
    ga_status st = ga__save_begin(&w, fn, path);
    if (!st)
        st = ga__save_end(&w, ga__npy_write(&w.io, w.op.text, x, buf));
    GA_FREE(buf);
    return st;
}

/* ============================================================ >>i-profile
   A device is a table of functions. When the environment asks for it, the
   devices get tables whose functions time those of the real ones; whatever
   else they need (events, clocks) is in the tables too.                    */
#define GA__TICKS 1024              /* of events, under way on one device   */
typedef struct ga__tick {
    struct ga__tick *next;
    void *start, *stop;
    int row;
} ga__tick;
static struct {
    bool timed, ranges, on;         /* GPUARR_PROFILE, _NVTX, either        */
    pthread_mutex_t lock;           /* of what follows                      */
    struct {
        ga__tick *unused, *oldest, *newest;     /* the latter two: to read  */
        int n;
    } of[GA__MAX_DEVICES + 1];      /* [id + 1]                             */
    ga_profile_row *row;
    int nrows, caprows;
    bool at_exit[2];                /* [a GPU]                              */
} ga__prof = {.lock = PTHREAD_MUTEX_INITIALIZER};
/* One such function may call another: the outer one counts. */
static _Thread_local int ga__timing;

/* What the profiler itself calls fails in silence: nothing is said while an
   error is pending.                                                        */
typedef struct ga__hush { ga_status error, last; } ga__hush;
static ga__hush ga__hush_begin(void) {
    ga__hush h = {ga__me.error, ga__me.last};
    if (!ga__me.error) ga__me.error = GA_ERR_CUDA;
    return h;
}
static void ga__hush_end(ga__hush h) {
    ga__me.error = h.error;
    ga__me.last = h.last;
}

/* The functions from here to ga__span_begin are called with the lock held. */
static ga__tick *ga__tick_read(int i) {         /* the oldest               */
    ga__tick *p = ga__prof.of[i].oldest;
    double ms;
    ga__prof.of[i].oldest = p->next;
    if (!p->next) ga__prof.of[i].newest = NULL;
    if (!ga__real(i - 1)->event_elapsed(&ga__entries[i].dev, "ga_profile_get",
                                        p->start, p->stop, &ms))
        ga__prof.row[p->row].ms += ms;
    return p;
}
static ga__tick *ga__tick_take(ga__device *d) {
    const char *fn = "ga_profile_get";
    const ga__backend *be = ga__real(d->id);
    int i = d->id + 1;
    ga__tick *p = ga__prof.of[i].unused;
    if (p) {
        ga__prof.of[i].unused = p->next;
        return p;
    }
    if (ga__prof.of[i].n < GA__TICKS
        && (p = (ga__tick *)GA_MALLOC(sizeof *p)) != NULL) {
        p->start = p->stop = NULL;
        if (!be->event_open(d, fn, &p->start)
            && !be->event_open(d, fn, &p->stop)) {
            ga__prof.of[i].n++;
            return p;
        }
        if (p->start) be->event_close(d, p->start);
        GA_FREE(p);
    }
    return ga__prof.of[i].oldest ? ga__tick_read(i) : NULL;
}
static int ga__profile_row(const char *fn, int device) {    /* -1: no room  */
    ga_profile_row *r = ga__prof.row;
    int n = ga__prof.nrows;
    size_t length = strlen(fn) + 1;     /* a name may not last              */
    for (int i = 0; i < n; i++)
        if (r[i].device == device && !strcmp(r[i].op, fn)) return i;
    if (n == ga__prof.caprows) {
        int cap = n ? 2 * n : 64;
        r = (ga_profile_row *)GA_REALLOC(r, (size_t)cap * sizeof *r);
        if (!r) return -1;
        ga__prof.row = r;
        ga__prof.caprows = cap;
    }
    char *name = (char *)GA_MALLOC(length);
    if (!name) return -1;
    memcpy(name, fn, length);
    ga__prof.row[n] = (ga_profile_row){name, device, 0, 0, 0};
    return ga__prof.nrows++;
}
static int ga__by_time(const void *a, const void *b) {
    const ga_profile_row *x = (const ga_profile_row *)a;
    const ga_profile_row *y = (const ga_profile_row *)b;
    if (!x->calls != !y->calls) return x->calls ? -1 : 1;
    if (x->ms != y->ms) return x->ms < y->ms ? 1 : -1;
    return strcmp(x->op, y->op);
}
/* Reads all ticks, which are what refers to rows: then they can be moved.
   Returns how many have calls: they come first.                            */
static int ga__profile_settle(void) {
    int n = 0;
    ga__hush h = ga__hush_begin();
    for (int i = 0; i <= GA__MAX_DEVICES; i++)
        while (ga__prof.of[i].oldest) {
            ga__tick *p = ga__tick_read(i);
            p->next = ga__prof.of[i].unused;
            ga__prof.of[i].unused = p;
        }
    ga__hush_end(h);
    if (ga__prof.nrows)
        qsort(ga__prof.row, (size_t)ga__prof.nrows, sizeof *ga__prof.row,
              ga__by_time);
    while (n < ga__prof.nrows && ga__prof.row[n].calls) n++;
    return n;
}
static bool ga__profile_write(FILE *f) {
    const ga_profile_row *row = ga__prof.row;
    int n = ga__profile_settle(), width = 9;
    for (int i = 0; i < n; i++)
        if ((int)strlen(row[i].op) > width) width = (int)strlen(row[i].op);
    if (!n) return true;
    bool ok = fprintf(f, "%-*s %6s %8s %11s %6s %11s %7s\n", width,
                      "operation", "device", "calls", "ms", "share", "MB",
                      "GB/s") > 0;
    for (int i = 0; i < n && ok; i++) {
        double all = 0;             /* of this row's device                 */
        char device[12], mb[32] = "-", rate[32] = "-";
        for (int k = 0; k < n; k++)
            if (row[k].device == row[i].device) all += row[k].ms;
        snprintf(device, sizeof device, "%d", row[i].device);
        if (row[i].bytes > 0) {
            snprintf(mb, sizeof mb, "%.1f", row[i].bytes * 1e-6);
            if (row[i].ms > 0)
                snprintf(rate, sizeof rate, "%.1f",
                         row[i].bytes / row[i].ms * 1e-6);
        }
        ok = fprintf(f, "%-*s %6s %8" PRId64 " %11.3f %5.1f%% %11s %7s\n",
                     width, row[i].op,
                     row[i].device == GA_CPU ? "cpu" : device, row[i].calls,
                     row[i].ms, all > 0 ? 100 * row[i].ms / all : 0, mb, rate)
             > 0;
    }
    return ok;
}
static void ga__profile_exit(void) {
    static bool done;
    pthread_mutex_lock(&ga__prof.lock);
    if (!done) ga__profile_write(stderr);
    done = true;
    pthread_mutex_unlock(&ga__prof.lock);
}

#define GA__LABEL 44
static const char *ga__label(const char *fn, const char *what, char *room) {
    if (!what) return fn;
    if (snprintf(room, GA__LABEL, "%s: %s", fn, what) >= GA__LABEL)
        memcpy(room + GA__LABEL - 4, "...", 4);
    for (char *p = room; *p; p++)
        if ((unsigned char)*p < ' ') *p = ' ';
    return room;
}
/* Around one function of a device, or other work queued on s. */
typedef struct ga__span {
    ga__device *d;
    const char *fn, *what;          /* what: an expression, a kernel, NULL  */
    ga_stream *s;
    double bytes;
    ga__tick *tick;                 /* NULL: counted, not timed             */
} ga__span;
static ga__span ga__span_begin(ga__device *d, const char *fn, const char *what,
                               ga_stream *s, double bytes) {
    ga__span t = {d, fn, what, s, bytes, NULL};
#ifdef GA__NVTX
    char room[GA__LABEL];
#endif
    if (!ga__prof.on || ga__timing++) return t;
#ifdef GA__NVTX
    if (ga__prof.ranges) nvtxRangePushA(ga__label(fn, what, room));
#endif
    if (!ga__prof.timed) return t;
    ga__hush h = ga__hush_begin();
    pthread_mutex_lock(&ga__prof.lock);
    /* Now that the driver runs: what it registered is called after ours. */
    bool *at_exit = &ga__prof.at_exit[d->id != GA_CPU];
    if (!*at_exit) *at_exit = !atexit(ga__profile_exit);
    if (!ga__me.capture) t.tick = ga__tick_take(d);
    pthread_mutex_unlock(&ga__prof.lock);
    if (t.tick) ga__real(d->id)->event_record(d, fn, t.tick->start, s);
    ga__hush_end(h);
    return t;
}
static ga_status ga__span_end(const ga__span *t, ga_status st) {
    if (!ga__prof.on || --ga__timing) return st;
    int i = t->d->id + 1;
    if (ga__prof.timed) {
        ga__hush h = ga__hush_begin();
        ga__tick *p = t->tick;
        bool good = p && !ga__real(t->d->id)->event_record(t->d, t->fn,
                                                           p->stop, t->s);
        ga__hush_end(h);
        char room[GA__LABEL];
        const char *name = ga__label(t->fn, t->what, room);
        pthread_mutex_lock(&ga__prof.lock);
        int r = ga__profile_row(name, t->d->id);
        if (r >= 0) ga__prof.row[r].calls++;
        if (good && r >= 0) {
            ga__prof.row[r].bytes += t->bytes;
            p->row = r;
            p->next = NULL;
            if (ga__prof.of[i].newest) ga__prof.of[i].newest->next = p;
            else ga__prof.of[i].oldest = p;
            ga__prof.of[i].newest = p;
        } else if (p) {
            p->next = ga__prof.of[i].unused;
            ga__prof.of[i].unused = p;
        }
        pthread_mutex_unlock(&ga__prof.lock);
    }
#ifdef GA__NVTX
    if (ga__prof.ranges) nvtxRangePop();
#endif
    return st;
}

/* Bytes: elements met once each, by the strides that are not 0. */
static double ga__met(int ndim, const int64_t *shape, const int64_t *stride) {
    double n = 1;
    for (int i = 0; i < ndim; i++)
        if (stride[i]) n *= (double)shape[i];
    return n;
}
static double ga__views_bytes(const ga__operand_view *v, int n, int ndim,
                              const int64_t *shape) {
    double bytes = 0;
    for (int i = 0; i < n; i++) {
        bool again = !v[i].data;    /* or as in x + x                       */
        for (int k = 0; k < i && !again; k++)
            again = v[k].data == v[i].data
                    && !memcmp(v[k].stride, v[i].stride,
                               (size_t)ndim * sizeof *v->stride);
        if (!again) bytes += ga__met(ndim, shape, v[i].stride)
                             * (double)ga__size(v[i].dtype);
    }
    return bytes;
}
static double ga__ew_bytes(const ga__ew *e) {
    return ga__views_bytes(&e->out, 1, e->ndim, e->shape)
           + ga__views_bytes(e->in, e->nin, e->ndim, e->shape);
}
static double ga__rd_bytes(const ga__rd *r) {
    return ga__met(r->nkeep, r->keep_shape, r->keep_stride)
               * ga__met(r->nreduce, r->red_shape, r->red_stride)
               * (double)ga__size(r->in_type)
           + (double)r->nout * (double)ga__size(r->out_type);
}
static double ga__eval_bytes(const ga__eval *e) {
    double in = ga__views_bytes(e->in, e->nin, e->ndim, e->shape);
    double kept = (double)ga__size(e->out[0].dtype);
    for (int i = 0; e->red >= 0 && i < e->nkeep; i++)
        kept *= (double)e->shape[i];
    return in + (e->red < 0 ? ga__views_bytes(e->out, e->nout, e->ndim,
                                              e->shape) : kept);
}
static double ga__gemm_bytes(const ga__gemm *g) {
    double m = (double)g->m, n = (double)g->n, k = (double)g->k;
    double batch = (double)g->batch;
    return (m * k * (g->a_batch ? batch : 1) + k * n * (g->b_batch ? batch : 1)
            + m * n * batch) * (double)ga__size(g->t);
}

/* X(function, parameters, arguments, bytes), each without d, op and s */
#define GA__TIMED(X)                                                        \
    X(zero, (void *p, size_t n), (p, n), (double)n)                         \
    X(eval_host, (ga__eval *e), (e), ga__eval_bytes(e))                     \
    X(fetch, (void *host, const void *src, int n), (host, src, n), n)       \
    X(graph_launch, (ga_graph *g), (g), NAN)
#define GA__X(name, params, args, bytes)                                    \
    static ga_status ga__timed_##name(ga__device *d, const char *fn,        \
                                      GA__BARE params, ga_stream *s) {      \
        ga__span span = ga__span_begin(d, fn, ga__me.text, s, bytes);       \
        return ga__span_end(&span, ga__real(d->id)->GA__TABLE name(         \
                                       d, fn, GA__BARE args, s));           \
    }
#define GA__TABLE
GA__TIMED(GA__X)
#undef GA__TABLE
#define GA__TABLE la->
GA__LAPACK_CALLS(GA__X)
#undef GA__TABLE
#undef GA__X
static ga_status ga__timed_copy(ga__device *d, const char *fn, ga__way way,
                                void *dst, const void *src, size_t bytes,
                                ga_stream *s, bool async) {
    ga__span span = ga__span_begin(d, fn, ga__me.text, s,
                                   (double)bytes * (way == GA__D2D ? 2 : 1));
    return ga__span_end(&span, ga__real(d->id)->copy(d, fn, way, dst, src,
                                                     bytes, s, async));
}

static void ga__profile_start(void) {
    static ga__backend table[2];
    static ga__lapack la[2];
    ga__prof.timed = ga__env_on("GPUARR_PROFILE");
    ga__prof.ranges = ga__env_on("GPUARR_NVTX");
#ifndef GA__NVTX
    if (ga__prof.ranges)
        fprintf(stderr, "gpuarr: GPUARR_NVTX has no effect: this program was "
                "compiled without <nvtx3/nvToolsExt.h>\n");
    ga__prof.ranges = false;
#endif
    ga__prof.on = ga__prof.timed || ga__prof.ranges;
    if (!ga__prof.on) return;
    for (int i = 0; i <= GA__MAX_DEVICES; i++) {
        ga__backend *b = &table[i > 0];
        ga__lapack *l = &la[i > 0];
        *b = *ga__real(i - 1);
        *l = *b->la;
        b->la = l;
        b->copy = ga__timed_copy;
#define GA__X(name, ...) \
        if (GA__TABLE name) GA__TABLE name = ga__timed_##name;
#define GA__TABLE b->
        GA__TIMED(GA__X)
#undef GA__TABLE
#define GA__TABLE l->
        GA__LAPACK_CALLS(GA__X)
#undef GA__TABLE
#undef GA__X
        ga__entries[i].dev.be = b;
    }
}

GA_API ga_status ga_profile_print(FILE *f) {
    const char *fn = "ga_profile_print";
    if (!f) return ga__fail(GA_ERR_NULL, fn, "the file is NULL");
    if (ga__capturing(fn)) return GA_ERR_CAPTURE;
    errno = 0;
    pthread_mutex_lock(&ga__prof.lock);
    bool ok = ga__profile_write(f);
    pthread_mutex_unlock(&ga__prof.lock);
    return ok ? GA_OK : ga__fail(GA_ERR_FILE_WRITE, fn, "%s", strerror(errno));
}
GA_API int ga_profile_get(ga_profile_row *rows, int n) {
    if (ga__capturing("ga_profile_get")) return 0;
    pthread_mutex_lock(&ga__prof.lock);
    int all = ga__profile_settle();
    for (int i = 0; rows && i < n && i < all; i++) rows[i] = ga__prof.row[i];
    pthread_mutex_unlock(&ga__prof.lock);
    return all;
}
GA_API ga_status ga_profile_reset(void) {
    if (ga__capturing("ga_profile_reset")) return GA_ERR_CAPTURE;
    pthread_mutex_lock(&ga__prof.lock);
    for (int i = ga__profile_settle(); i-- > 0;) {
        ga__prof.row[i].calls = 0;
        ga__prof.row[i].ms = ga__prof.row[i].bytes = 0;
    }
    pthread_mutex_unlock(&ga__prof.lock);
    return GA_OK;
}

/* ---------------------------------------------------------------- clocks */
static struct timespec ga__began;
static void ga__begin_time(void) { ga__clock(&ga__began); }
GA_API double ga_time(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct timespec now;
    pthread_once(&once, ga__begin_time);
    ga__clock(&now);
    return ga__seconds(&ga__began, &now);
}

#define GA__SAMPLES 100
struct ga__bench {
    ga__device *d;
    ga_stream *s;
    int warm;                       /* runs before those timed: 3           */
    int inner, run, samples, sample;    /* runs in a sample                 */
    double at[GA__SAMPLES + 1];     /* ms, at the samples' ends             */
    void *event[GA__SAMPLES + 1];   /* on a GPU; else NULL                  */
};
static int ga__by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static bool ga__bench_mark(struct ga__bench *m, int i) {
    if (m->event[i])
        return !m->d->be->event_record(m->d, "ga_bench_next", m->event[i],
                                       m->s);
    m->at[i] = 1e3 * ga_time();
    return true;
}
/* 0.2 ms at least between two readings of the clock; 0.3 s in all, more for
   the sake of ten samples, up to 0.7 s, or of three.                       */
static bool ga__bench_plan(const ga_bench *b, struct ga__bench *m,
                           double once) {
    bool good = true, gpu = m->d->id != GA_CPU && !b->wall;
    if (once < 1e-4) once = 1e-4;
    m->inner = once > 0.2 ? 1 : (int)(0.2 / once) + 1;
    double n = 300 / (once * m->inner);
    if (n < 10) n = 700 / once > 10 ? 10 : 700 / once;
    m->samples = n < 3 ? 3 : n > GA__SAMPLES ? GA__SAMPLES : (int)n;
    if (once < 0.2) m->inner *= 4;  /* `once` had the waiting in it         */
    if (b->samples > 0 && b->samples < m->samples) m->samples = b->samples;
    for (int i = 0; i <= m->samples && gpu && good; i++)
        good = !m->d->be->event_open(m->d, "ga_bench_next", &m->event[i]);
    return good && ga__bench_mark(m, 0);
}
static bool ga__bench_end(ga_bench *b, bool good) {
    struct ga__bench *m = b->ga__state;
    double *ms = m->at;
    int n = m->samples;
    for (int i = 0; i < n && good; i++) {
        if (!m->event[i]) ms[i] = m->at[i + 1] - m->at[i];
        else good = !m->d->be->event_elapsed(m->d, "ga_bench_next",
                                             m->event[i], m->event[i + 1],
                                             &ms[i]);
        ms[i] /= m->inner;
    }
    if (good) {
        qsort(ms, (size_t)n, sizeof *ms, ga__by_value);
        b->best_ms = ms[0];
        b->median_ms = ms[n / 2];
        b->runs = (int64_t)n * m->inner;
    } else {
        b->first_ms = NAN;
    }
    for (int i = 0; i <= GA__SAMPLES; i++)
        if (m->event[i]) m->d->be->event_close(m->d, m->event[i]);
    GA_FREE(m);
    b->ga__state = NULL;
    return false;
}
static struct ga__bench *ga__bench_begin(const char *fn) {
    if (ga__me.error || ga__capturing(fn)) return NULL;
    ga__device *d = ga__current(fn);
    if (!d) return NULL;
    struct ga__bench *m = (struct ga__bench *)GA_MALLOC(sizeof *m);
    if (!m) return (struct ga__bench *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(m, 0, sizeof *m);
    m->d = d;
    m->s = ga__stream(d);
    ga__me.last = GA_OK;            /* a handler may clear what is pending  */
    return m;
}
GA_API bool ga_bench_next(ga_bench *b) {
    const char *fn = "ga_bench_next";
    struct ga__bench *m = b->ga__state;
    bool begin = !m, good;
    if (begin) {
        b->first_ms = b->best_ms = b->median_ms = NAN;
        b->runs = 0;
        m = b->ga__state = ga__bench_begin(fn);
        if (!m) return false;
    }
    if (ga__me.last) return ga__bench_end(b, false);
    if (m->samples) {
        if (++m->run < m->inner) return true;
        m->run = 0;
        good = ga__bench_mark(m, ++m->sample);
        return good && m->sample < m->samples ? true : ga__bench_end(b, good);
    }
    /* The first, one to warm up, one to see how long it takes. */
    if (m->d->be->sync(m->d, fn)) return ga__bench_end(b, false);
    double now = 1e3 * ga_time(), took = now - m->at[0];
    if (m->warm == 1) b->first_ms = took;
    if (m->warm == 3 && !ga__bench_plan(b, m, took))
        return ga__bench_end(b, false);
    m->warm++;
    if (!m->samples) m->at[0] = 1e3 * ga_time();
    return true;
}

/* ============================================================= >>i-kernels */
#if !defined(GPUARR_NO_CUDA) && !defined(GPUARR_STATIC)
GA_API void ga__call_begin(ga__call *c, const char *fn) {
    c->op = fn;
    c->arg = 0;
    c->status = GA_OK;
    ga__device *d = ga__current(fn);
    if (d && d->id == GA_CPU)
        ga__fail(GA_ERR_UNSUPPORTED, fn, "a CUDA kernel wants a CUDA device; "
                 "the current one is the CPU");
    if (!d || d->id == GA_CPU) {
        c->status = ga__failed();
        return;
    }
    c->device = d->id;
    c->stream = ga__stream(d)->handle;
}

/* Checks x for a span of `ndim` dimensions and dtype t, and makes the current
   stream wait as for any operation on it. NULL: c->status says why.        */
GA_API ga__fault *ga__call_array(ga__call *c, const ga_array *x, ga_dtype t,
                                 int ndim, bool write, bool rows) {
    const char *fn = c->op;
    char what[32] = "the array";
    if (c->status) return NULL;
    if (c->arg) snprintf(what, sizeof what, "argument %d", c->arg);
    ga__device *d = NULL;
    bool ok = ga__ok(fn, x);
    if (ok && ga__is_number(x)) {
        ga__fail(GA_ERR_VALUE, fn, "%s is a C number, not an array", what);
        ok = false;
    }
    if (ok) ok = (d = ga__same_device(fn, &x, 1)) != NULL;
    if (ok && (x->dtype != t || x->ndim != ndim)) {
        ga__fail(x->dtype != t ? GA_ERR_DTYPE : GA_ERR_SHAPE, fn, "%s is %s of "
                 "shape %s, the span wants %s in %d dimension%s", what,
                 ga_dtype_name(x->dtype), ga__shape_text(x->ndim, x->shape),
                 ga_dtype_name(t), ndim, ndim == 1 ? "" : "s");
        ok = false;
    }
    if (ok && write) ok = ga__writable(fn, x);
    if (ok && rows && x->shape[ndim - 1] > 1 && x->strides[ndim - 1] != 1) {
        ga__fail(GA_ERR_SHAPE, fn, "%s, of shape %s, has elements %" PRId64
                 " apart along its last axis; ga_rows wants neighbours", what,
                 ga__shape_text(x->ndim, x->shape), x->strides[ndim - 1]);
        ok = false;
    }
    ga__fault *f = ok ? ga__fault_record(fn, d) : NULL;
    if (f && ga__order(fn, x->ga__buf, ga__stream(d), write) == GA_OK) return f;
    c->status = ga__failed();
    return NULL;
}
/* Around the launch alone, see >>profile. */
static _Thread_local ga__span ga__call_span;
GA_API void ga__call_start(const ga__call *c) {
    ga__device *d = &ga__entries[c->device + 1].dev;
    ga__call_span = ga__span_begin(d, c->op, NULL, ga__stream(d), NAN);
}
GA_API ga_status ga__call_end(ga__call *c, const ga_grid *g, int error) {
    ga__device *d = ga__device_of(c->op, c->device);
    ga__span_end(&ga__call_span, GA_OK);
    if (!d) return ga__failed();
    switch (error) {
    case cudaSuccess:
        return ga__after(c->op, d, ga__stream(d));
    case cudaErrorInvalidConfiguration: case cudaErrorInvalidValue:
    case cudaErrorLaunchOutOfResources:
        return ga__fail(GA_ERR_VALUE, c->op, "device %d cannot launch a grid "
                        "of (%" PRId64 ",%" PRId64 ",%" PRId64 ") blocks, each "
                        "of (%d,%d,%d) threads and %zu bytes of dynamic "
                        "shared memory", d->id, g->blocks[0], g->blocks[1],
                        g->blocks[2], g->threads[0], g->threads[1],
                        g->threads[2], g->shared);
    case cudaErrorNoKernelImageForDevice: case cudaErrorInvalidDeviceFunction:
        return ga__fail(GA_ERR_ARCH, c->op, "the kernel was not compiled for "
                        "device %d (%s)", d->id,
                        cudaGetErrorName((cudaError_t)error));
    default:
        return ga__cuda_fail(c->op, d, (cudaError_t)error);
    }
}
#endif

/* ================================================================= >>i-abi
   The runner: the one way to every kernel family, see GA__JOBS.             */
#define GA__X(n, T, devices, scratch, bytes)                                \
    GA__WORK_##scratch(case GA__JOB_##n:                                    \
                       return gk_##n##_work((const T *)q, mps);)
static size_t ga__job_work(ga__job id, const void *q, int mps) {
    switch (id) { GA__JOBS(GA__X) default: return 0; }
}
#undef GA__X
#define GA__X(n, T, devices, scratch, bytes) GA__WORK_##scratch(            \
    case GA__JOB_##n: return &((T *)job)->use;)
static ga__scratch *ga__job_scratch(ga__job id, void *job) {
    switch (id) { GA__JOBS(GA__X) default: return NULL; }
}
#undef GA__X
#define GA__X(n, T, devices, scratch, bytes) case GA__JOB_##n: {            \
        const T *q = (const T *)job;                                        \
        (void)q;                                                            \
        return bytes;                                                       \
    }
static double ga__job_bytes(ga__job id, const void *job) {
    switch (id) { GA__JOBS(GA__X) default: return NAN; }
}
#undef GA__X
#define GA__X(n, T, devices, scratch, bytes) GA__CPU_##devices(             \
    case GA__JOB_##n: gk_cpu_##n((const T *)q); break;)
static void ga__job_cpu(ga__job id, const void *q) {
    ga__after_fork();               /* ga_assign asks for no device         */
    switch (id) { GA__JOBS(GA__X) default: GA_ASSERT(!"a job for GPUs"); }
}
#undef GA__X
#ifndef GPUARR_NO_CUDA
#define GA__X(n, T, devices, scratch, bytes)                                \
    case GA__JOB_##n: return gk_cuda_##n((const T *)q, stream, mps);
static int ga__job_cuda(ga__job id, const void *q, void *stream, int mps) {
    switch (id) { GA__JOBS(GA__X) default: return cudaErrorInvalidValue; }
}
#undef GA__X
#endif

/* What the job asks for and does not have yet. */
static ga_status ga__job_prepare(const char *fn, ga__device *d, ga__job id,
                                 void *q, ga_stream *s, ga__buffer **work) {
    ga__scratch *use = ga__job_scratch(id, q);
    if (!use) return GA_OK;
    size_t bytes = 0;
    if (d->id == GA_CPU) {
        bytes = use->work ? 0 : ga__job_work(id, q, 0);
    } else {
#ifndef GPUARR_NO_CUDA
        int before;
        if (!use->work) {
            cudaError_t e = ga__cuda_enter(d, &before);
            if (!e) bytes = ga__job_work(id, q, d->mps);
            if (ga__cuda_leave(fn, d, before, e)) return ga__failed();
        }
        if ((bytes || use->work)    /* counters go with partial results     */
            && ga__cuda_counters(d, fn, s, &use->counters))
            return ga__failed();
#endif
    }
    (void)s;
    if (!bytes) return GA_OK;
    *work = ga__buffer_new(fn, d, bytes);
    if (!*work) return ga__failed();
    use->work = (*work)->ptr;
    return GA_OK;
}
static ga_status ga__job_launch(const char *fn, ga__device *d, ga__job id,
                                const void *q, ga_stream *s) {
#ifndef GPUARR_NO_CUDA
    if (d->id != GA_CPU) {
        int before;
        cudaError_t e = ga__cuda_enter(d, &before);
        if (!e) e = (cudaError_t)ga__job_cuda(id, q, s->handle, d->mps);
        return ga__cuda_leave(fn, d, before, e);
    }
#endif
    (void)fn, (void)d, (void)s;
    ga__job_cpu(id, q);
    return GA_OK;
}
static ga_status ga__run(const char *fn, ga__device *d, ga__job id, void *q,
                         ga_array *const *out, int nout,
                         const ga_array *const *in, int nin) {
    ga_stream *s = ga__stream(d);
    ga__buffer *work = NULL;
    ga_status st = ga__job_prepare(fn, d, id, q, s, &work);
    for (int i = 0; i < nin && !st; i++)        /* a C number has no buffer */
        if (in[i]->ga__buf) st = ga__order(fn, in[i]->ga__buf, s, false);
    for (int i = 0; i < nout && !st; i++)
        st = ga__order(fn, out[i]->ga__buf, s, true);
    if (!st && !ga__prof.on) {
        st = ga__job_launch(fn, d, id, q, s);
    } else if (!st) {
        ga__span span = ga__span_begin(d, fn, ga__me.text, s,
                                       ga__job_bytes(id, q));
        st = ga__span_end(&span, ga__job_launch(fn, d, id, q, s));
    }
    if (!st) st = ga__after(fn, d, s);
    ga__release(work);
    return st;
}

#endif /* GPUARR_IMPLEMENTATION */
#endif /* GPUARR_H */
