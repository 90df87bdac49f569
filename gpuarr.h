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

       nvcc -O3 -arch=native -c kernels.cu -Xcompiler -fno-exceptions,-fno-threadsafe-statics
       cc main.c kernels.o -lcudart_static -ldl -lrt -lpthread -lm     # with CUDA's folders: -I, -L
   or, where there is no CUDA:
       c++ -x c++ -std=c++17 -O3 -DGPUARR_NO_CUDA -c kernels.cu
       cc -DGPUARR_NO_CUDA main.c kernels.o -lpthread -lm

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
     >>elementwise     the operation tables, one row an operation
     >>reductions      sum ... nanargmin
     >>npy             .npy files
     >>print           printing as NumPy does
     >>abi             what gpuarr.h and kernels.cu say to each other
     >>implementation  everything under GPUARR_IMPLEMENTATION

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

   DOES NOT  (yet) linear algebra, random numbers, FFT, sorting, fused expressions; integer or boolean
             index arrays; strings, dates, structured or object dtypes, float128; big-endian arrays in
             memory (files of either order are read); Windows; a GPU that is not NVIDIA's.
*/
#ifndef GPUARR_H
#define GPUARR_H

/* ================================================================ >>config
   Options: define before the include, alike in every file of the program.

   GPUARR_IMPLEMENTATION  in exactly one C file: compiles the library there
   GPUARR_NO_CUDA         CPU device alone; no CUDA header or library needed
   GPUARR_STATIC          every function static: private to one file
   GPUARR_DEBUG           freed arrays are recognised, leaks listed with file
                          and line; every call a little slower
   GA_MALLOC(n) GA_REALLOC(p,n) GA_FREE(p)   host allocator, all or none
   GA_ASSERT(c)           the library's own invariants, default assert

   Environment, read once:
   GPUARR_DEVICE=cpu|0|1..  the device a thread starts on
   GPUARR_MEM_LIMIT=bytes   as ga_mem_limit; suffix K, M, G
   GPUARR_SYNC=1            synchronise after every operation, so that a
                            failing kernel is named                       */
#define GA_VERSION_MAJOR 0
#define GA_VERSION_MINOR 1
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

/* How many arguments; more than 8 is an error message at run time. */
#define GA__NARGS(...) GA__NARGS_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, \
                                  3, 2, 1, 0)
#define GA__NARGS_(a, b, c, d, e, f, g, h, i, j, k, l, n, ...) n
#ifdef __cplusplus
template <class... T> static inline ga_shape ga__shape(T... v) {
    ga_shape s = {(int)sizeof...(v), {}};
    int64_t d[] = {(int64_t)v...};
    for (int i = 0; i < s.ndim && i < GA_MAX_NDIM; i++) s.dim[i] = d[i];
    return s;
}
template <class... T> static inline ga_axis ga__axes(bool keep, T... v) {
    ga_axis s = {(int)sizeof...(v), keep, {}};
    int d[] = {(int)v...};
    for (int i = 0; i < s.n && i < GA_MAX_NDIM; i++) s.axis[i] = d[i];
    return s;
}
static inline ga_shape ga__shape0(void) { return ga_shape{0, {}}; }
static inline ga_axis ga__axall(bool keep) { return ga_axis{-1, keep, {}}; }
#define GA_SHAPE(...) ga__shape(__VA_ARGS__)
#define GA_SCALAR_SHAPE ga__shape0()
#define GA_AXIS(...) ga__axes(false, __VA_ARGS__)
#define GA_AXIS_KEEP(...) ga__axes(true, __VA_ARGS__)
#define GA_ALL ga__axall(false)
#define GA_ALL_KEEP ga__axall(true)
#else
static inline GA__UNUSED ga_shape ga__shape(int n, const int64_t *v) {
    ga_shape s = {n, {0}};
    for (int i = 0; i < n && i < GA_MAX_NDIM; i++) s.dim[i] = v[i];
    return s;
}
static inline GA__UNUSED ga_axis ga__axes(bool keep, int n, const int *v) {
    ga_axis s = {n, keep, {0}};
    for (int i = 0; i < n && i < GA_MAX_NDIM; i++) s.axis[i] = v[i];
    return s;
}
#define GA_SHAPE(...) \
    ga__shape(GA__NARGS(__VA_ARGS__), (const int64_t[]){__VA_ARGS__})
#define GA_SCALAR_SHAPE ((ga_shape){0, {0}})
#define GA_AXIS(...) \
    ga__axes(false, GA__NARGS(__VA_ARGS__), (const int[]){__VA_ARGS__})
#define GA_AXIS_KEEP(...) \
    ga__axes(true, GA__NARGS(__VA_ARGS__), (const int[]){__VA_ARGS__})
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
    X(ERR_SYNTAX, "malformed slice string")                                 \
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
    X(ERR_READONLY, "array is read-only (broadcast)")                       \
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

/* Called with every error that becomes pending; process-wide. Default: none.
   ga_on_error(GA_EXIT) prints and exits with 1, GA_PRINT prints. Returns the
   handler before.                                                          */
typedef void (*ga_handler)(ga_status status, const char *message);
GA_API ga_handler ga_on_error(ga_handler h);
GA_API void ga_handler_exit(ga_status status, const char *message);
GA_API void ga_handler_print(ga_status status, const char *message);
#define GA_EXIT ga_handler_exit
#define GA_PRINT ga_handler_print

/* "0.1.0". Compiled against GA_VERSION; kernels.o of another version is
   refused at the first use of a device (GA_ERR_VERSION).                   */
GA_API const char *ga_version(void);

/* ============================================================== >>lifetime */
/* Frees a handle; its buffer goes with its last view, in stream order (no
   synchronisation). NULL is fine.                                          */
GA_API void ga_free(ga_array *x);

/* GA_SCOPE; frees, at the end of the enclosing braces and on every way out
   of them, all arrays made since by this thread and neither kept, detached
   nor freed. Nests. Compilers without cleanup: ga_scope_begin and _end.    */
struct ga_scope { struct ga_scope *up; ga_array *first; };
GA_API ga_scope ga_scope_begin(ga_scope *s);
GA_API void ga_scope_end(ga_scope *s);
#define GA_SCOPE                                                            \
    GA__UNUSED ga_scope GA__CAT(ga__scope_, __LINE__)                       \
    GA__CLEANUP(ga_scope_end) =                                             \
        ga_scope_begin(&GA__CAT(ga__scope_, __LINE__))

/* keep: to the scope around the present one (the way to return an array);
   detach: to nobody, ga_free it. Both return x.                            */
GA_API ga_array *ga_keep(ga_array *x);
GA_API ga_array *ga_detach(ga_array *x);

/* Handles alive in the process. With GPUARR_DEBUG ga_list_arrays writes one
   line each: file:line, dtype, shape, device; returns their number.        */
GA_API int64_t ga_live_arrays(void);
GA_API int64_t ga_list_arrays(FILE *f);

#ifdef GPUARR_DEBUG
GA_API void ga__here(const char *file, int line);
#define GA__AT(call) (ga__here(__FILE__, __LINE__), (call))
#else
#define GA__AT(call) (call)
#endif

/* ============================================================== >>operands
   Wherever an operation takes an array, C numbers do too: they become rank-0
   operands, weak as Python's (int, float, complex; bool is not weak).       */
GA_API const ga_array ga__none;
#define GA_NONE (&ga__none)         /* an absent operand, as in ga_clip      */

GA_API const ga_array *ga__arg_b(bool v, ga_array *t);
GA_API const ga_array *ga__arg_i(int64_t v, ga_array *t);
GA_API const ga_array *ga__arg_u(uint64_t v, ga_array *t);
GA_API const ga_array *ga__arg_f(double v, ga_array *t);
GA_API const ga_array *ga__arg_h(ga_float16 v, ga_array *t);
GA_API const ga_array *ga__arg_bh(ga_bfloat16 v, ga_array *t);
GA_API const ga_array *ga__arg_c(ga_complex128 v, ga_array *t);
static inline GA__UNUSED const ga_array *ga__arg_a(const ga_array *v,
                                                   ga_array *t) {
    (void)t;
    return v;
}
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
};
#define GA_ARG(x) (ga__operand(x).p)
#else
#define GA_ARG(x) _Generic((x),                                             \
    bool: ga__arg_b, char: ga__arg_i, signed char: ga__arg_i,               \
    unsigned char: ga__arg_i, short: ga__arg_i, unsigned short: ga__arg_i,  \
    int: ga__arg_i, unsigned: ga__arg_i, long: ga__arg_i,                   \
    long long: ga__arg_i, unsigned long: ga__arg_u,                         \
    unsigned long long: ga__arg_u, float: ga__arg_f, double: ga__arg_f,     \
    ga_float16: ga__arg_h, ga_bfloat16: ga__arg_bh,                         \
    ga_complex64: ga__arg_c, ga_complex128: ga__arg_c,                      \
    ga_array *: ga__arg_a, const ga_array *: ga__arg_a,                     \
    void *: ga__arg_a /* NULL */)((x), &(ga_array){0})
#endif
/* The calls behind the macros of one, two and three operands. */
#define GA__1(f, a) GA__AT((f)(GA_ARG(a)))
#define GA__2(f, a, b) GA__AT((f)(GA_ARG(a), GA_ARG(b)))
#define GA__3(f, a, b, c) GA__AT((f)(GA_ARG(a), GA_ARG(b), GA_ARG(c)))
#define GA__2I(f, o, a, b) ((f)((o), GA_ARG(a), GA_ARG(b)))

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

/* CUDA devices that can be used; 0 without GPU, driver or in a CPU build. */
GA_API int ga_device_count(void);
/* The calling thread's device. At first 0, or GA_CPU where there is none (one
   note on stderr says why), or what GPUARR_DEVICE names.                   */
GA_API int ga_device(void);
GA_API ga_status ga_set_device(int device);
GA_API ga_status ga_device_info(int device, ga_device_properties *out);
/* Waits for all work of the current device. Faults of kernels surface here. */
GA_API ga_status ga_synchronize(void);
/* x on `device`: a copy in C order, peer to peer between GPUs where the
   hardware can; a view where x is there already (CuPy's asarray).          */
GA_API ga_array *(ga_to_device)(const ga_array *x, int device);

/* GA_DEVICE(1); until the end of the braces, then the device before. */
typedef struct ga_device_guard { int before; } ga_device_guard;
GA_API ga_device_guard ga_device_begin(int device);
GA_API void ga_device_end(ga_device_guard *g);
#define GA_DEVICE(d)                                                        \
    GA__UNUSED ga_device_guard GA__CAT(ga__dev_, __LINE__)                  \
    GA__CLEANUP(ga_device_end) = ga_device_begin(d)

/* ================================================================ >>memory */
typedef struct ga_memory {          /* bytes of one device                  */
    size_t used, peak;              /* in buffers of this library           */
    size_t reserved;                /* held by the pool, used or not        */
    size_t limit;                   /* 0: none                              */
    size_t free, total;             /* the device's own                     */
} ga_memory;
GA_API ga_status ga_mem_info(int device, ga_memory *out);
/* Gives unused pool memory back to the system. Synchronises. */
GA_API ga_status ga_mem_trim(void);
/* Bytes of array memory allowed on the current device; 0 lifts the limit. */
GA_API ga_status ga_mem_limit(size_t bytes);
/* Page-locked host memory for ga_asarray_async and _asnumpy_async; plain
   aligned memory where there is no GPU. NULL when exhausted.               */
GA_API void *ga_pinned_alloc(size_t bytes);
GA_API void ga_pinned_free(void *p);

/* =============================================================== >>streams
   NULL is the null stream. A stream belongs to the device it was made on; on
   the CPU device work is done by the time a call returns.                  */
GA_API ga_stream *ga_stream_create(int priority);   /* lower is more urgent */
GA_API void ga_stream_destroy(ga_stream *s);        /* returns at once      */
GA_API ga_stream *ga_stream_current(void);
GA_API ga_status ga_set_stream(ga_stream *s);       /* of the current device */
GA_API ga_status ga_stream_synchronize(ga_stream *s);
GA_API bool ga_stream_query(ga_stream *s);          /* all work done?       */
GA_API ga_status ga_stream_wait(ga_stream *s, ga_event *e);
/* Runs fn(arg) on a thread of the driver once the work so far is done. fn
   must not call this library.                                             */
GA_API ga_status ga_stream_callback(ga_stream *s, void (*fn)(void *), void *arg);
/* Exchange with plain CUDA code: handle is a cudaStream_t. A wrapped stream
   stays the caller's and must outlive the arrays used on it.               */
GA_API void *ga_stream_handle(ga_stream *s);
GA_API ga_stream *ga_stream_wrap(void *handle);

typedef struct ga_stream_guard { ga_stream *before; int device; } ga_stream_guard;
GA_API ga_stream_guard ga_stream_begin(ga_stream *s);
GA_API void ga_stream_end(ga_stream_guard *g);
#define GA_STREAM(s)                                                        \
    GA__UNUSED ga_stream_guard GA__CAT(ga__str_, __LINE__)                  \
    GA__CLEANUP(ga_stream_end) = ga_stream_begin(s)

GA_API ga_event *ga_event_create(void);
GA_API void ga_event_destroy(ga_event *e);
GA_API ga_status ga_event_record(ga_event *e, ga_stream *s);
GA_API ga_status ga_event_synchronize(ga_event *e);
GA_API bool ga_event_query(ga_event *e);
/* Milliseconds between two recorded events; synchronises with `stop`. NaN
   and an error if one was never recorded.                                  */
GA_API double ga_event_elapsed(ga_event *start, ga_event *stop);

/* A graph is made from one call of step(arg): on a CUDA device the call is
   captured and ga_graph_launch replays its work on the current stream for a
   few microseconds; on the CPU launch calls step again. Arrays made in step
   die in it; those it uses from outside are held until the graph is
   destroyed. step must not synchronise (GA_ERR_CAPTURE).                   */
GA_API ga_graph *ga_graph_create(void (*step)(void *), void *arg);
GA_API ga_status ga_graph_launch(ga_graph *g);
GA_API void ga_graph_destroy(ga_graph *g);

/* ================================================================ >>create
   On the current device, in C order.                                       */
GA_API ga_array *(ga_empty)(ga_shape shape, ga_dtype t);  /* uninitialised  */
GA_API ga_array *(ga_zeros)(ga_shape shape, ga_dtype t);
GA_API ga_array *(ga_ones)(ga_shape shape, ga_dtype t);
GA_API ga_array *(ga_full)(ga_shape shape, const ga_array *value, ga_dtype t);
/* Shape, dtype, memory order and device of x. */
GA_API ga_array *(ga_empty_like)(const ga_array *x);
GA_API ga_array *(ga_zeros_like)(const ga_array *x);
GA_API ga_array *(ga_ones_like)(const ga_array *x);
GA_API ga_array *(ga_full_like)(const ga_array *x, const ga_array *value);
/* start, start+step, ... before stop: int64 if all three are integers, else
   float64; _as names the dtype. Length ceil((stop-start)/step).            */
GA_API ga_array *(ga_arange)(const ga_array *start, const ga_array *stop,
                             const ga_array *step);
GA_API ga_array *(ga_arange_as)(const ga_array *start, const ga_array *stop,
                                const ga_array *step, ga_dtype t);
/* num values from start to stop, both included; float64. */
GA_API ga_array *(ga_linspace)(double start, double stop, int64_t num);
GA_API ga_array *(ga_linspace_as)(double start, double stop, int64_t num,
                                  bool endpoint, ga_dtype t);
/* base**start to base**stop; and geometric from start to stop (both nonzero,
   of one sign). float64, end included.                                     */
GA_API ga_array *(ga_logspace)(double start, double stop, int64_t num,
                               double base);
GA_API ga_array *(ga_geomspace)(double start, double stop, int64_t num);
GA_API ga_array *(ga_eye)(int64_t n, int64_t m, int64_t k, ga_dtype t);
GA_API ga_array *(ga_identity)(int64_t n, ga_dtype t);
/* Memory of the caller's as an array, without a copy. strides NULL: C order.
   ptr must be aligned to an element (8 bytes at most: GA_ERR_VALUE).
   deleter(ptr, arg), if any, runs once the last view is gone, after the work
   on it is done, and never where the call fails; without one the caller
   frees, after synchronising.                                              */
GA_API ga_array *(ga_wrap)(void *ptr, ga_dtype t, ga_shape shape,
                           const int64_t *strides, int device,
                           void (*deleter)(void *, void *), void *arg);

/* ================================================================== >>host */
/* The elements at `host`, C order, as a new array on the current device. The
   dtype comes from the pointer's type: ga_asarray(p, GA_SHAPE(3, 4)). `host`
   may be reused on return; _async needs pinned memory left alone until the
   stream is synchronised.                                                  */
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

/* The elements in C order at dst, or in a malloc'ed block where dst is NULL
   (free() it). Returns dst; NULL on failure. Works from any device.
   Synchronises with the array's stream; _async does not: dst, pinned, is
   full once the stream is synchronised.                                    */
GA_API void *ga_asnumpy(const ga_array *x, void *dst);
GA_API void *ga_asnumpy_async(const ga_array *x, void *dst);
/* The one element of an array of size 1, or the one at an index
   (GA_INDEX(1, -2)), on the host. Synchronises. NaN, 0 on failure; item and
   item_i64 want a real array, item_i64 an integer or bool one.             */
GA_API double ga_item(const ga_array *x);
GA_API int64_t ga_item_i64(const ga_array *x);
GA_API ga_complex128 ga_item_c128(const ga_array *x);
GA_API double ga_item_at(const ga_array *x, ga_shape index);

/* New arrays in C order, on x's device, which must be current. astype casts
   anything to anything: integers wrap, float to integer saturates (NaN: 0),
   complex to real drops the imaginary part.                                */
GA_API ga_array *(ga_copy)(const ga_array *x);
GA_API ga_array *(ga_astype)(const ga_array *x, ga_dtype t);
/* A view if x is contiguous already, else a copy. */
GA_API ga_array *(ga_ascontiguousarray)(const ga_array *x);

/* ================================================================= >>views
   Views are new handles on the same memory; nothing is copied but where
   reshape and ravel must. They work whatever the current device.           */

/* NumPy's basic indexing as a string, printf-style: ga_slice(x, "1:5, ::2"),
   "..., -1", "newaxis, :", ga_slice(x, "%d", i) (int64_t wants PRId64). An
   integer drops its axis and must be in range; slices clip, as in NumPy.   */
GA_API ga_array *(ga_slice)(const ga_array *x, const char *fmt, ...)
    GA__PRINTF(2, 3);
/* The same for one axis with computed numbers; stop as in Python (GA_END for
   none, GA_END as start too).                                              */
#define GA_END INT64_MAX
GA_API ga_array *(ga_slice_axis)(const ga_array *x, int axis, int64_t start,
                                 int64_t stop, int64_t step);
GA_API ga_array *(ga_index_axis)(const ga_array *x, int axis, int64_t i);
GA_API ga_array *(ga_reshape)(const ga_array *x, ga_shape shape); /* one -1 */
GA_API ga_array *(ga_ravel)(const ga_array *x);
GA_API ga_array *(ga_transpose)(const ga_array *x, ga_axis perm); /* GA_ALL:
                                                        reverse the axes    */
GA_API ga_array *(ga_swapaxes)(const ga_array *x, int a, int b);
GA_API ga_array *(ga_moveaxis)(const ga_array *x, ga_axis from, ga_axis to);
GA_API ga_array *(ga_expand_dims)(const ga_array *x, ga_axis at);
GA_API ga_array *(ga_squeeze)(const ga_array *x, ga_axis at); /* GA_ALL: all */
GA_API ga_array *(ga_broadcast_to)(const ga_array *x, ga_shape shape);
GA_API ga_array *(ga_flip)(const ga_array *x, ga_axis at);
GA_API ga_array *(ga_diagonal)(const ga_array *x, int64_t offset, int axis1,
                               int axis2);
/* Real and imaginary part: views of a complex array; of a real one x itself
   and zeros.                                                               */
GA_API ga_array *(ga_real)(const ga_array *x);
GA_API ga_array *(ga_imag)(const ga_array *x);
/* A second handle on the same elements. */
GA_API ga_array *(ga_view)(const ga_array *x);

/* Writes value into the elements of view, broadcasting, casting as astype
   (NumPy's x[...] = value), overlap safe; value may be on another device.
   Broadcast views cannot be written (GA_ERR_READONLY).                     */
GA_API ga_status (ga_assign)(ga_array *view, const ga_array *value);

/* =========================================================== >>elementwise
   One row is one operation: enum, prototype, _into form, CUDA kernel, CPU
   loop and tests come from it; gk_<name> in kernels.cu computes one element.

   types   which dtypes compute natively: B bool, I integers, F floats, C
           complex. What is not in the set goes up as in NumPy: bool to int8
           or float16, int8 to float16, int16 to float32, int32 and int64 to
           float64. N: bool is an error. D: integers compute in float64.
   result  SAME as computed, BOOL, REAL (complex gives its real type), U8
   cost    LIGHT: at the memory's rate in float32. HEAVY: special functions,
           kept in kernels of their own so that their registers burden none;
           HEAVYC: heavy for complex alone
   ulp     bound of the error for float32 and float64, on both devices,
           in the test domain lo..hi and beyond; complex: relative to |z|;
           logaddexp: to the largest of |x|, |y| and |result|; complex power
           loses another 4 ulp for each unit of |y log x|
   Every operation takes strided, broadcast and mixed-dtype operands, arrays
   or C numbers, and returns a new array on the current device, laid out as
   the operands are. float16 and bfloat16 compute in float32.
   Temporary memory, freed in stream order: a copy of each operand that runs
   across the result (transposed; from 65,536 elements), the result where an
   output overlaps an operand, where's condition as bool.
   ga_power looks at integer exponents in signed arrays and so synchronises:
   it cannot be captured then.                                              */
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

/*    name, types, result, cost, ulp, lo, hi, what it computes               */
#define GA_UNARY_OPS(X) \
  X(negative,    GA__IFC|GA__N, SAME, LIGHT, 0, -9,   9,    "-x")            \
  X(positive,    GA__IFC|GA__N, SAME, LIGHT, 0, -9,   9,    "+x")            \
  X(absolute,    GA__BIFC,      REAL, HEAVYC, 2, -9,   9,    "|x|")           \
  X(sign,        GA__IFC|GA__N, SAME, HEAVYC, 2, -9,   9,    "-1, 0, 1; z/|z|") \
  X(reciprocal,  GA__IFC,       SAME, HEAVYC, 2, 0.1,  9,    "1/x")           \
  X(square,      GA__IFC,       SAME, LIGHT, 2, -9,   9,    "x*x")           \
  X(sqrt,        GA__FC,        SAME, HEAVYC, 2, 0,    9,    "square root")   \
  X(rsqrt,       GA__F,         SAME, LIGHT, 2, 0.1,  9,    "1/sqrt(x)")     \
  X(cbrt,        GA__F,         SAME, HEAVY, 2, -9,   9,    "cube root")     \
  X(exp,         GA__FC,        SAME, HEAVYC, 2, -20,  20,   "e**x")          \
  X(exp2,        GA__FC,        SAME, HEAVYC, 2, -20,  20,   "2**x")          \
  X(expm1,       GA__FC,        SAME, HEAVY, 3, -9,   9,    "e**x - 1")      \
  X(log,         GA__FC,        SAME, HEAVYC, 2, 0.01, 99,   "natural logarithm") \
  X(log2,        GA__FC,        SAME, HEAVYC, 2, 0.01, 99,   "base 2")        \
  X(log10,       GA__FC,        SAME, HEAVYC, 3, 0.01, 99,   "base 10")       \
  X(log1p,       GA__FC,        SAME, HEAVY, 3, -0.9, 99,   "log(1 + x)")    \
  X(sin,         GA__FC,        SAME, HEAVYC, 2, -99,  99,   "sine, radians") \
  X(cos,         GA__FC,        SAME, HEAVYC, 2, -99,  99,   "cosine")        \
  X(tan,         GA__FC,        SAME, HEAVY, 4, -99,  99,   "tangent")       \
  X(arcsin,      GA__FC,        SAME, HEAVY, 4, -1,   1,    "inverse sine")  \
  X(arccos,      GA__FC,        SAME, HEAVY, 3, -1,   1,    "inverse cosine") \
  X(arctan,      GA__FC,        SAME, HEAVY, 3, -9,   9,    "inverse tangent") \
  X(sinh,        GA__FC,        SAME, HEAVY, 4, -9,   9,    "hyperbolic sine") \
  X(cosh,        GA__FC,        SAME, HEAVY, 3, -9,   9,    "hyperbolic cosine") \
  X(tanh,        GA__FC,        SAME, HEAVY, 3, -9,   9,    "hyperbolic tangent") \
  X(arcsinh,     GA__FC,        SAME, HEAVY, 4, -9,   9,    "inverse of sinh") \
  X(arccosh,     GA__FC,        SAME, HEAVY, 4, 1,    99,   "inverse of cosh") \
  X(arctanh,     GA__FC,        SAME, HEAVY, 4, -0.9, 0.9,  "inverse of tanh") \
  X(deg2rad,     GA__F,         SAME, LIGHT, 1, -360, 360,  "x * pi/180")    \
  X(rad2deg,     GA__F,         SAME, LIGHT, 1, -7,   7,    "x * 180/pi")    \
  X(sinc,        GA__FC|GA__D,  SAME, HEAVY, 6, -0.9, 0.9,  "sin(pi x)/(pi x)") \
  X(floor,       GA__BIF,       SAME, LIGHT, 0, -9,   9,    "down")          \
  X(ceil,        GA__BIF,       SAME, LIGHT, 0, -9,   9,    "up")            \
  X(trunc,       GA__BIF,       SAME, LIGHT, 0, -9,   9,    "towards zero")  \
  X(rint,        GA__FC,        SAME, HEAVYC, 0, -9,   9,    "to nearest even") \
  X(erf,         GA__F|GA__D,   SAME, HEAVY, 3, -3,   3,    "error function") \
  X(erfc,        GA__F|GA__D,   SAME, HEAVY, 6, -3,   3,    "1 - erf(x)")    \
  X(erfinv,      GA__F|GA__D,   SAME, HEAVY, 6, -0.99, 0.99, "inverse of erf") \
  X(gamma,       GA__F|GA__D,   SAME, HEAVY, 11, 0.1, 9,    "gamma function") \
  X(lgamma,      GA__F|GA__D,   SAME, HEAVY, 8, 3,    99,   "log|gamma(x)|") \
  X(sigmoid,     GA__F|GA__D,   SAME, LIGHT, 4, -9,   9,    "1/(1 + exp(-x))") \
  X(conj,        GA__IFC,       SAME, LIGHT, 0, -9,   9,    "complex conjugate") \
  X(angle,       GA__FC|GA__D,  REAL, HEAVY, 4, -9,   9,    "argument, radians") \
  X(bitwise_not, GA__BI,        SAME, LIGHT, 0, -9,   9,    "~x")            \
  X(bitwise_count, GA__I,       U8,   LIGHT, 0, -9,   9,    "ones in |x|")   \
  X(logical_not, GA__BIFC,      BOOL, LIGHT, 0, -1,   1,    "x == 0")        \
  X(isnan,       GA__BIFC,      BOOL, LIGHT, 0, -1,   1,    "not a number?") \
  X(isinf,       GA__BIFC,      BOOL, LIGHT, 0, -1,   1,    "infinite?")     \
  X(isfinite,    GA__BIFC,      BOOL, LIGHT, 0, -1,   1,    "neither?")      \
  X(signbit,     GA__F,         BOOL, LIGHT, 0, -1,   1,    "sign bit set?")

#define GA_BINARY_OPS(X) \
  X(add,         GA__BIFC,      SAME, LIGHT, 0, -9,   9,    "x + y; bool: or") \
  X(subtract,    GA__IFC|GA__N, SAME, LIGHT, 0, -9,   9,    "x - y")         \
  X(multiply,    GA__BIFC,      SAME, LIGHT, 2, -9,   9,    "x * y; bool: and") \
  X(divide,      GA__FC|GA__D,  SAME, HEAVYC, 4, 0.1,  9,    "x / y; integers give float64") \
  X(floor_divide, GA__IF,       SAME, LIGHT, 0, -9,   9,    "floor(x/y); integers by 0 give 0") \
  X(remainder,   GA__IF,        SAME, LIGHT, 0, -9,   9,    "x - y*floor(x/y), the sign of y") \
  X(fmod,        GA__IF,        SAME, LIGHT, 0, -9,   9,    "C's %, the sign of x") \
  X(power,       GA__IFC,       SAME, HEAVY, 4, 0.1,  5,    "x**y; negative integer powers of integers are an error") \
  X(hypot,       GA__F,         SAME, LIGHT, 2, -9,   9,    "sqrt(x*x + y*y)") \
  X(copysign,    GA__F,         SAME, LIGHT, 0, -9,   9,    "|x| with y's sign") \
  X(nextafter,   GA__F,         SAME, LIGHT, 0, -9,   9,    "the next value towards y") \
  X(ldexp,       GA__F,         SAME, LIGHT, 0, -9,   9,    "x * 2**y, y integer") \
  X(gcd,         GA__I|GA__N,   SAME, HEAVY, 0, -99,  99,   "greatest common divisor") \
  X(lcm,         GA__I|GA__N,   SAME, HEAVY, 0, -9,   9,    "least common multiple") \
  X(maximum,     GA__BIFC,      SAME, LIGHT, 0, -9,   9,    "the larger; NaN wins") \
  X(minimum,     GA__BIFC,      SAME, LIGHT, 0, -9,   9,    "the smaller; NaN wins") \
  X(fmax,        GA__BIFC,      SAME, LIGHT, 0, -9,   9,    "the larger; NaN loses") \
  X(fmin,        GA__BIFC,      SAME, LIGHT, 0, -9,   9,    "the smaller; NaN loses") \
  X(arctan2,     GA__F,         SAME, HEAVY, 3, -9,   9,    "angle of (y, x)") \
  X(logaddexp,   GA__F,         SAME, HEAVY, 4, -9,   9,    "log(exp(x) + exp(y))") \
  X(logaddexp2,  GA__F,         SAME, HEAVY, 4, -9,   9,    "log2(2**x + 2**y)") \
  X(heaviside,   GA__F,         SAME, LIGHT, 0, -1,   1,    "0, y, 1 by x's sign") \
  X(bitwise_and, GA__BI,        SAME, LIGHT, 0, -9,   9,    "x & y")         \
  X(bitwise_or,  GA__BI,        SAME, LIGHT, 0, -9,   9,    "x | y")         \
  X(bitwise_xor, GA__BI,        SAME, LIGHT, 0, -9,   9,    "x ^ y")         \
  X(left_shift,  GA__I,         SAME, LIGHT, 0, 0,    6,    "x << y; 0 past the width") \
  X(right_shift, GA__I,         SAME, LIGHT, 0, 0,    6,    "x >> y, arithmetic") \
  X(equal,       GA__BIFC,      BOOL, LIGHT, 0, -2,   2,    "x == y")        \
  X(not_equal,   GA__BIFC,      BOOL, LIGHT, 0, -2,   2,    "x != y")        \
  X(less,        GA__BIFC,      BOOL, LIGHT, 0, -2,   2,    "x < y; complex: real part first") \
  X(less_equal,  GA__BIFC,      BOOL, LIGHT, 0, -2,   2,    "x <= y")        \
  X(greater,     GA__BIFC,      BOOL, LIGHT, 0, -2,   2,    "x > y")         \
  X(greater_equal, GA__BIFC,    BOOL, LIGHT, 0, -2,   2,    "x >= y")        \
  X(logical_and, GA__BIFC,      BOOL, LIGHT, 0, -1,   1,    "x and y are nonzero") \
  X(logical_or,  GA__BIFC,      BOOL, LIGHT, 0, -1,   1,    "x or y is")     \
  X(logical_xor, GA__BIFC,      BOOL, LIGHT, 0, -1,   1,    "one of them is")

/* Rows that a public function with another signature stands on: halves of
   modf and frexp, round's, nan_to_num's, and NumPy's exact comparison of
   int64 with uint64 (computed on int64; y holds the bits of the uint64).   */
#define GA__UNARY_ROWS(X) \
  X(modf_frac,   GA__F,         SAME, LIGHT, 0, -9,   9,    "")              \
  X(modf_int,    GA__F,         SAME, LIGHT, 0, -9,   9,    "")              \
  X(frexp_mant,  GA__F,         SAME, LIGHT, 0, -9,   9,    "")              \
  X(frexp_exp,   GA__F,         I32,  LIGHT, 0, -9,   9,    "")
#define GA__BINARY_ROWS(X) \
  X(equal_iu,         GA__I,    BOOL, LIGHT, 0, -9,   9,    "")              \
  X(not_equal_iu,     GA__I,    BOOL, LIGHT, 0, -9,   9,    "")              \
  X(less_iu,          GA__I,    BOOL, LIGHT, 0, -9,   9,    "")              \
  X(less_equal_iu,    GA__I,    BOOL, LIGHT, 0, -9,   9,    "")              \
  X(greater_iu,       GA__I,    BOOL, LIGHT, 0, -9,   9,    "")              \
  X(greater_equal_iu, GA__I,    BOOL, LIGHT, 0, -9,   9,    "")
/* Rows with parameters or three operands, written out in kernels.cu. */
#define GA__SPECIAL_ROWS(X) \
  X(copy,        GA__BIFC,      SAME, LIGHT, 0, -9,   9,    "x")             \
  X(round,       GA__IFC,       SAME, HEAVYC, 2, -9,  9,    "")              \
  X(nan_to_num,  GA__FC,        SAME, HEAVYC, 0, -9,  9,    "")              \
  X(where,       GA__BIFC,      SAME, LIGHT, 0, -9,   9,    "")              \
  X(clip,        GA__BIFC,      SAME, LIGHT, 0, -9,   9,    "")
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

/* Into an existing array: ga_add_into(out, x, y). out's shape must be the
   result's; the cast to its dtype same-kind (GA_ERR_DTYPE); it may be or
   overlap an operand.

   cond ? x : y, element by element; cond of any dtype, nonzero is true. */
GA_API ga_array *(ga_where)(const ga_array *cond, const ga_array *x,
                            const ga_array *y);
GA_API ga_status (ga_where_into)(ga_array *out, const ga_array *cond,
                                 const ga_array *x, const ga_array *y);
/* min(max(x, lo), hi); GA_NONE leaves a side open. */
GA_API ga_array *(ga_clip)(const ga_array *x, const ga_array *lo,
                           const ga_array *hi);
GA_API ga_status (ga_clip_into)(ga_array *out, const ga_array *x,
                                const ga_array *lo, const ga_array *hi);
/* To `decimals` digits (negative: tens), halves to even, as numpy.round. */
GA_API ga_array *(ga_round)(const ga_array *x, int decimals);
GA_API ga_status (ga_round_into)(ga_array *out, const ga_array *x, int decimals);
/* Replaces NaN and infinities; NAN as posinf or neginf stands for the dtype's
   largest value. ga_nan_to_num(x, 0, NAN, NAN) is NumPy's default.         */
GA_API ga_array *(ga_nan_to_num)(const ga_array *x, double nan, double posinf,
                                 double neginf);
GA_API ga_status (ga_nan_to_num_into)(ga_array *out, const ga_array *x,
                                      double nan, double posinf, double neginf);
/* Two results; NULL for one not wanted. */
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

/* C numbers as operands: one line an operation. */
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
#define ga_where_into(o, c, x, y) \
    (ga_where_into)((o), GA_ARG(c), GA_ARG(x), GA_ARG(y))
#define ga_clip_into(o, x, lo, hi) \
    (ga_clip_into)((o), GA_ARG(x), GA_ARG(lo), GA_ARG(hi))
#define ga_negative_into(o, x) (ga_negative_into)((o), GA_ARG(x))
#define ga_positive_into(o, x) (ga_positive_into)((o), GA_ARG(x))
#define ga_absolute_into(o, x) (ga_absolute_into)((o), GA_ARG(x))
#define ga_sign_into(o, x) (ga_sign_into)((o), GA_ARG(x))
#define ga_reciprocal_into(o, x) (ga_reciprocal_into)((o), GA_ARG(x))
#define ga_square_into(o, x) (ga_square_into)((o), GA_ARG(x))
#define ga_sqrt_into(o, x) (ga_sqrt_into)((o), GA_ARG(x))
#define ga_rsqrt_into(o, x) (ga_rsqrt_into)((o), GA_ARG(x))
#define ga_cbrt_into(o, x) (ga_cbrt_into)((o), GA_ARG(x))
#define ga_exp_into(o, x) (ga_exp_into)((o), GA_ARG(x))
#define ga_exp2_into(o, x) (ga_exp2_into)((o), GA_ARG(x))
#define ga_expm1_into(o, x) (ga_expm1_into)((o), GA_ARG(x))
#define ga_log_into(o, x) (ga_log_into)((o), GA_ARG(x))
#define ga_log2_into(o, x) (ga_log2_into)((o), GA_ARG(x))
#define ga_log10_into(o, x) (ga_log10_into)((o), GA_ARG(x))
#define ga_log1p_into(o, x) (ga_log1p_into)((o), GA_ARG(x))
#define ga_sin_into(o, x) (ga_sin_into)((o), GA_ARG(x))
#define ga_cos_into(o, x) (ga_cos_into)((o), GA_ARG(x))
#define ga_tan_into(o, x) (ga_tan_into)((o), GA_ARG(x))
#define ga_arcsin_into(o, x) (ga_arcsin_into)((o), GA_ARG(x))
#define ga_arccos_into(o, x) (ga_arccos_into)((o), GA_ARG(x))
#define ga_arctan_into(o, x) (ga_arctan_into)((o), GA_ARG(x))
#define ga_sinh_into(o, x) (ga_sinh_into)((o), GA_ARG(x))
#define ga_cosh_into(o, x) (ga_cosh_into)((o), GA_ARG(x))
#define ga_tanh_into(o, x) (ga_tanh_into)((o), GA_ARG(x))
#define ga_arcsinh_into(o, x) (ga_arcsinh_into)((o), GA_ARG(x))
#define ga_arccosh_into(o, x) (ga_arccosh_into)((o), GA_ARG(x))
#define ga_arctanh_into(o, x) (ga_arctanh_into)((o), GA_ARG(x))
#define ga_deg2rad_into(o, x) (ga_deg2rad_into)((o), GA_ARG(x))
#define ga_rad2deg_into(o, x) (ga_rad2deg_into)((o), GA_ARG(x))
#define ga_sinc_into(o, x) (ga_sinc_into)((o), GA_ARG(x))
#define ga_floor_into(o, x) (ga_floor_into)((o), GA_ARG(x))
#define ga_ceil_into(o, x) (ga_ceil_into)((o), GA_ARG(x))
#define ga_trunc_into(o, x) (ga_trunc_into)((o), GA_ARG(x))
#define ga_rint_into(o, x) (ga_rint_into)((o), GA_ARG(x))
#define ga_erf_into(o, x) (ga_erf_into)((o), GA_ARG(x))
#define ga_erfc_into(o, x) (ga_erfc_into)((o), GA_ARG(x))
#define ga_erfinv_into(o, x) (ga_erfinv_into)((o), GA_ARG(x))
#define ga_gamma_into(o, x) (ga_gamma_into)((o), GA_ARG(x))
#define ga_lgamma_into(o, x) (ga_lgamma_into)((o), GA_ARG(x))
#define ga_sigmoid_into(o, x) (ga_sigmoid_into)((o), GA_ARG(x))
#define ga_conj_into(o, x) (ga_conj_into)((o), GA_ARG(x))
#define ga_angle_into(o, x) (ga_angle_into)((o), GA_ARG(x))
#define ga_bitwise_not_into(o, x) (ga_bitwise_not_into)((o), GA_ARG(x))
#define ga_bitwise_count_into(o, x) (ga_bitwise_count_into)((o), GA_ARG(x))
#define ga_logical_not_into(o, x) (ga_logical_not_into)((o), GA_ARG(x))
#define ga_isnan_into(o, x) (ga_isnan_into)((o), GA_ARG(x))
#define ga_isinf_into(o, x) (ga_isinf_into)((o), GA_ARG(x))
#define ga_isfinite_into(o, x) (ga_isfinite_into)((o), GA_ARG(x))
#define ga_signbit_into(o, x) (ga_signbit_into)((o), GA_ARG(x))
#define ga_neg_into(o, x) (ga_neg_into)((o), GA_ARG(x))
#define ga_abs_into(o, x) (ga_abs_into)((o), GA_ARG(x))
#define ga_asin_into(o, x) (ga_asin_into)((o), GA_ARG(x))
#define ga_acos_into(o, x) (ga_acos_into)((o), GA_ARG(x))
#define ga_atan_into(o, x) (ga_atan_into)((o), GA_ARG(x))
#define ga_asinh_into(o, x) (ga_asinh_into)((o), GA_ARG(x))
#define ga_acosh_into(o, x) (ga_acosh_into)((o), GA_ARG(x))
#define ga_atanh_into(o, x) (ga_atanh_into)((o), GA_ARG(x))
#define ga_conjugate_into(o, x) (ga_conjugate_into)((o), GA_ARG(x))
#define ga_invert_into(o, x) (ga_invert_into)((o), GA_ARG(x))
#define ga_radians_into(o, x) (ga_radians_into)((o), GA_ARG(x))
#define ga_degrees_into(o, x) (ga_degrees_into)((o), GA_ARG(x))
#define ga_fabs_into(o, x) (ga_fabs_into)((o), GA_ARG(x))
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
#define ga_divmod(x, y, q, r) (ga_divmod)(GA_ARG(x), GA_ARG(y), q, r)
#define ga_modf(x, f, i) (ga_modf)(GA_ARG(x), f, i)
#define ga_frexp(x, m, e) (ga_frexp)(GA_ARG(x), m, e)
#define ga_round(x, d) GA__AT((ga_round)(GA_ARG(x), d))
#define ga_nan_to_num(x, n, p, m) GA__AT((ga_nan_to_num)(GA_ARG(x), n, p, m))
#define ga_assign(v, x) (ga_assign)((v), GA_ARG(x))
#define ga_full(s, v, t) GA__AT((ga_full)(s, GA_ARG(v), t))
#define ga_full_like(x, v) GA__AT((ga_full_like)(x, GA_ARG(v)))
#define ga_arange(a, b, s) GA__3(ga_arange, a, b, s)
#define ga_arange_as(a, b, s, t) \
    GA__AT((ga_arange_as)(GA_ARG(a), GA_ARG(b), GA_ARG(s), t))
#ifdef GPUARR_DEBUG       /* where each array was made, for the leak listing */
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
#endif

/* ============================================================ >>reductions
   ga_sum(x, GA_ALL) has rank 0, GA_AXIS(0, 2) drops those axes, GA_AXIS_KEEP
   and GA_ALL_KEEP keep them with length 1. They queue and return: ga_item
   brings a value over. A fixed order of evaluation: results repeat bit for
   bit on one device. Temporary memory: at most 4 MB of the pool.

   result  SUM: bool and integers give int64 or uint64, exact modulo 2**64;
           SAME; MEAN: integers give float64; VAR: MEAN, complex gives real;
           INDEX: int64, the first one, NaN counts as extreme; BOOL; COUNT
   Accumulators: float16, bfloat16, float32 and complex64 in float64; float64
   and complex128 compensated (two-sum), so sums are within 2 ulp plus the
   condition's 2**-100; variance in one pass about a moving pivot, within some
   1e-14 in float64.
   Empty: sum 0, prod 1, all true, any false, mean and var NaN, max, min,
   argmax, argmin, ptp an error.                                            */
/*    name, types, result, what it computes                                  */
#define GA_REDUCTIONS(X) \
  X(sum,       GA__BIFC, SUM,   "sum")                                       \
  X(prod,      GA__BIFC, SUM,   "product")                                   \
  X(max,       GA__BIFC, SAME,  "largest; NaN wins")                         \
  X(min,       GA__BIFC, SAME,  "smallest; NaN wins")                        \
  X(argmax,    GA__BIFC, INDEX, "where the largest is: one axis or GA_ALL")  \
  X(argmin,    GA__BIFC, INDEX, "where the smallest is")                     \
  X(all,       GA__BIFC, BOOL,  "every element nonzero")                     \
  X(any,       GA__BIFC, BOOL,  "one element nonzero")                       \
  X(mean,      GA__BIFC, MEAN,  "sum / n")                                   \
  X(ptp,       GA__IFC|GA__N, SAME, "max - min")                             \
  X(count_nonzero, GA__BIFC, COUNT, "how many are nonzero")                  \
  X(nansum,    GA__BIFC, SUM,   "sum, NaN as 0")                             \
  X(nanprod,   GA__BIFC, SUM,   "product, NaN as 1")                         \
  X(nanmax,    GA__BIFC, SAME,  "largest but NaN; NaN if all are")           \
  X(nanmin,    GA__BIFC, SAME,  "smallest but NaN")                          \
  X(nanmean,   GA__BIFC, MEAN,  "mean of those not NaN")                     \
  X(nanargmax, GA__BIFC, INDEX, "argmax but NaN; -1 if all are")             \
  X(nanargmin, GA__BIFC, INDEX, "argmin but NaN; -1 if all are")
/* With ddof, the divisor being n - ddof. */
#define GA_REDUCTIONS_DDOF(X) \
  X(var,       GA__BIFC, VAR,   "variance")                                  \
  X(std,       GA__BIFC, VAR,   "its square root")                           \
  X(nanvar,    GA__BIFC, VAR,   "variance of those not NaN")                 \
  X(nanstd,    GA__BIFC, VAR,   "its square root")

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

/* =================================================================== >>npy
   NumPy's .npy format, versions 1.0 to 3.0, C and Fortran order, either byte
   order, every dtype of this library (bfloat16 is written as '<V2', NumPy's
   name for what it does not know; ga_load_npy gives '<V2' back as bfloat16).
   A header that does not parse, or a file shorter than it promises, is an
   error and nothing is allocated for it.                                   */
GA_API ga_array *(ga_load_npy)(const char *path);    /* to the current device */
GA_API ga_status ga_save_npy(const char *path, const ga_array *x); /* C order */

/* ================================================================= >>print
   As numpy prints: aligned, shortest digits that tell values apart, at most
   `precision`; over `threshold` elements only `edgeitems` of each end.
   Synchronises. From any device.                                           */
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
    ga__red op;
    ga_dtype in_type, out_type;     /* of the memory; the kernel casts      */
    int nkeep, nreduce;             /* merged axes of each sort, 0 to 8;    */
    int64_t keep_shape[GA_MAX_NDIM], keep_stride[GA_MAX_NDIM];
    int64_t red_shape[GA_MAX_NDIM], red_stride[GA_MAX_NDIM];
    int64_t nout, nred;             /* products of the shapes               */
    const void *in;
    void *out;                      /* C-contiguous, keep axes in order     */
    double ddof;
    void *work;                     /* gk_reduce_work() bytes, 256-aligned  */
    unsigned *counters;             /* GA__COUNTERS zeros of this stream;   */
} ga__rd;                           /* a launch leaves them zero            */
#define GA__COUNTERS 4096

/* Kernels' entries: a CUDA stream and the device's multiprocessors; 0 or a
   cudaError_t. The CPU ones cannot fail.                                   */
GA__EXTERN int gk_version(void);
GA__EXTERN void gk_cpu_elementwise(const ga__ew *e);
GA__EXTERN void gk_cpu_reduce(const ga__rd *r);
GA__EXTERN void gk_cpu_range(void *out, ga_dtype t, int64_t n, bool integer,
                             int64_t i0, int64_t di, double f0, double df);
GA__EXTERN int gk_cpu_threads(void);
GA__EXTERN size_t gk_reduce_work(const ga__rd *r, int multiprocessors);
#ifndef GPUARR_NO_CUDA
GA__EXTERN int gk_cuda_elementwise(const ga__ew *e, void *stream, int mps);
GA__EXTERN int gk_cuda_reduce(const ga__rd *r, void *stream, int mps);
GA__EXTERN int gk_cuda_range(void *out, ga_dtype t, int64_t n, bool integer,
                             int64_t i0, int64_t di, double f0, double df,
                             void *stream);
/* `bytes` (1 to 16) at src to the mapped host slot, then *flag = ticket. */
GA__EXTERN int gk_cuda_fetch(const void *src, int bytes, void *slot,
                             uint32_t *flag, uint32_t ticket, void *stream);
/* cudaSuccess if this binary has code for the current device. */
GA__EXTERN int gk_cuda_probe(void);
#endif

/* ======================================================== >>implementation */
#ifdef GPUARR_IMPLEMENTATION
#ifdef __cplusplus
#error "gpuarr: GPUARR_IMPLEMENTATION belongs in one C file, not in C++"
#endif
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
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

struct ga_stream {
    void *handle;                   /* cudaStream_t; NULL: the null stream  */
    struct ga__device *dev;
    atomic_int refs;                /* the user's, and each buffer's that   */
    atomic_bool destroyed;          /* remembers it                         */
    bool external;
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
    bool started;
    int device;
    ga_stream *stream[GA__MAX_DEVICES + 1];   /* [device + 1]; NULL: null   */
    ga_scope *scope;
    ga_status error;                /* pending: the first                   */
    ga_status last;                 /* the latest failure's own status      */
    char message[1024];
    const char *file;               /* of the call, GPUARR_DEBUG            */
    int line;
    ga_graph *capture;              /* being made by this thread            */
    bool print_set;
    ga_print_options print;
} ga__thread;
static _Thread_local ga__thread ga__me;

/* What the array code asks of a device. The CPU and CUDA each fill one. A
   function fails through ga__fail with `op`, the public function's name.   */
typedef enum ga__way { GA__H2D, GA__D2H, GA__D2D } ga__way;
struct ga__backend {
    const char *name;
    ga_status (*alloc)(ga__device *d, const char *op, size_t bytes,
                       ga_stream *s, void **out);
    void (*free)(ga__device *d, void *p, size_t bytes, ga_stream *s);
    /* Contiguous bytes. Host memory may be reused on return unless async. */
    ga_status (*copy)(ga__device *d, const char *op, ga__way way, void *dst,
                      const void *src, size_t bytes, ga_stream *s, bool async);
    ga_status (*zero)(ga__device *d, const char *op, void *p, size_t bytes,
                      ga_stream *s);
    ga_status (*elementwise)(ga__device *d, const char *op, const ga__ew *e,
                             ga_stream *s);
    /* work and counters are the caller's to allocate, see reduce_work */
    size_t (*reduce_work)(ga__device *d, const ga__rd *r);
    ga_status (*reduce)(ga__device *d, const char *op, ga__rd *r,
                        ga_stream *s);
    ga_status (*range)(ga__device *d, const char *op, void *out, ga_dtype t,
                       int64_t n, bool integer, int64_t i0, int64_t di,
                       double f0, double df, ga_stream *s);
    /* Up to 16 bytes to the host, at once: the latency of ga_item. */
    ga_status (*fetch)(ga__device *d, const char *op, void *host,
                       const void *src, int bytes, ga_stream *s);
    ga_status (*use)(ga__device *d, const char *op);  /* make it current    */
    ga_status (*sync)(ga__device *d, const char *op);
    ga_status (*info)(ga__device *d, ga_device_properties *out);
    ga_status (*mem)(ga__device *d, ga_memory *out);  /* reserved,free,total */
    ga_status (*trim)(ga__device *d, const char *op);
    /* Streams; `wait` makes s wait for all that w has queued so far. */
    ga_status (*stream_open)(ga__device *d, const char *op, ga_stream *s,
                             int priority);
    void (*stream_close)(ga__device *d, ga_stream *s);
    void (*stream_dispose)(ga__device *d, ga_stream *s); /* last reference  */
    ga_status (*stream_sync)(ga__device *d, const char *op, ga_stream *s);
    int (*stream_query)(ga__device *d, ga_stream *s);
    ga_status (*stream_wait)(ga__device *d, const char *op, ga_stream *s,
                             ga_stream *w);
    ga_status (*stream_call)(ga__device *d, const char *op, ga_stream *s,
                             void (*fn)(void *), void *arg);
    ga_status (*event_open)(ga__device *d, const char *op, void **handle);
    void (*event_close)(ga__device *d, void *handle);
    ga_status (*event_record)(ga__device *d, const char *op, void *handle,
                              ga_stream *s);
    ga_status (*event_sync)(ga__device *d, const char *op, void *handle);
    int (*event_query)(ga__device *d, void *handle);
    ga_status (*event_wait)(ga__device *d, const char *op, void *handle,
                            ga_stream *s);
    ga_status (*event_elapsed)(ga__device *d, const char *op, void *a, void *b,
                               double *ms);
    ga_status (*capture_begin)(ga__device *d, const char *op, ga_graph *g);
    ga_status (*capture_end)(ga__device *d, const char *op, ga_graph *g,
                             bool keep);
    ga_status (*graph_launch)(ga__device *d, const char *op, ga_graph *g,
                              ga_stream *s);
    void (*graph_close)(ga__device *d, ga_graph *g);
};

/* The device with this number, initialised; NULL and an error otherwise. */
static ga__device *ga__device_of(const char *op, int id);
static ga__device *ga__current(const char *op);  /* the thread's device     */
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
static ga_status ga__fail(ga_status s, const char *op, const char *fmt, ...)
    GA__PRINTF(3, 4);
static ga_status ga__fail(ga_status s, const char *op, const char *fmt, ...) {
    ga__thread *t = &ga__me;
    t->last = s;
    if (t->error) return s;
    int n = snprintf(t->message, sizeof t->message, "%s: ", op);
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

#ifdef GPUARR_DEBUG
/* Every handle stands in this list. A freed one stays in it, marked, until
   GA__QUARANTINE others have been freed, so that its use is recognised.    */
#define GA__QUARANTINE 4096
static pthread_mutex_t ga__all_lock = PTHREAD_MUTEX_INITIALIZER;
static ga_array **ga__all;
static size_t ga__nall, ga__capall;
static ga_array *ga__grave[GA__QUARANTINE];
static size_t ga__ngrave;
GA_API void ga__here(const char *file, int line) {
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
#endif

GA_API int64_t ga_live_arrays(void) { return atomic_load(&ga__live); }
GA_API int64_t ga_list_arrays(FILE *f) {
#ifdef GPUARR_DEBUG
    pthread_mutex_lock(&ga__all_lock);
    for (size_t i = 0; f && i < ga__nall; i++) {
        const ga_array *x = ga__all[i];
        fprintf(f, "%s:%d: %s %s on device %d\n",
                x->ga__file ? x->ga__file : "?", x->ga__line,
                ga_dtype_name(x->dtype), ga__shape_text(x->ndim, x->shape),
                x->device);
    }
    pthread_mutex_unlock(&ga__all_lock);
#else
    (void)f;
#endif
    return ga_live_arrays();
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
GA_API void ga_scope_end(ga_scope *s) {
    while (s->first) ga_free(s->first);
    ga__me.scope = s->up;
}

GA_API void ga_free(ga_array *x) {
    if (!x || x->ga__magic != GA__ALIVE) return;
    ga__unlink(x);
    ga__release(x->ga__buf);
    x->ga__magic = GA__FREED;
    x->data = NULL;
    atomic_fetch_sub(&ga__live, 1);
#ifdef GPUARR_DEBUG
    ga__debug_died(x);
#else
    GA_FREE(x);
#endif
}

/* True if x is an array that may be used: what every public call asks first.
   NULL is quiet while an error is pending. C numbers pass.                 */
static bool ga__ok(const char *op, const ga_array *x) {
    if (!x) {
        if (ga__me.error) ga__me.last = ga__me.error;
        else ga__fail(GA_ERR_NULL, op, "an array argument is NULL");
        return false;
    }
#ifdef GPUARR_DEBUG
    if (x->ga__magic == GA__FREED) {
        ga__fail(GA_ERR_FREED, op, "the array made at %s:%d has been freed",
                 x->ga__file ? x->ga__file : "?", x->ga__line);
        return false;
    }
#endif
    if (x->ga__magic == GA__ABSENT) {
        ga__fail(GA_ERR_NULL, op, "GA_NONE is not allowed here");
        return false;
    }
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
static ga_status ga__graph_hold(const char *op, ga_graph *g, ga__buffer *b,
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
        if (!h || !w) return ga__fail(GA_ERR_HOST_MEMORY, op, NULL);
        g->capheld = cap;
    }
    atomic_fetch_add(&b->refs, 1);
    g->held[g->nheld] = b;
    g->wrote[g->nheld++] = write;
    return GA_OK;
}

/* Before s reads or writes b: makes s wait for the last write elsewhere, and
   before a write for the reads since. Then notes s. One stream: a compare.  */
static ga_status ga__order(const char *op, ga__buffer *b, ga_stream *s,
                           bool write) {
    ga_graph *g = ga__me.capture;
    if (b->graph != g) {
        if (b->graph)
            return ga__fail(GA_ERR_CAPTURE, op, "the array was made inside a "
                            "graph's function and is gone");
        return ga__graph_hold(op, g, b, write);
    }
    if (g || b->dev->id == GA_CPU) return GA_OK;
    ga_status st = GA_OK;
    ga__lock(b);
    if (b->writer && b->writer != s)
        st = s->dev->be->stream_wait(s->dev, op, s, b->writer);
    if (write) {
        for (int i = 0; i < b->nreaders; i++) {
            if (b->reader[i] != s && !st)
                st = s->dev->be->stream_wait(s->dev, op, s, b->reader[i]);
            ga__stream_unref(b->reader[i]);
        }
        b->nreaders = 0;
        if (b->writer != s) {
            ga__stream_ref(s);
            ga__stream_unref(b->writer);
            b->writer = s;
        }
    } else if (b->writer != s) {
        int i = 0;
        while (i < b->nreaders && b->reader[i] != s) i++;
        if (i == GA__READERS) {     /* full: s stands for the first as well */
            st = s->dev->be->stream_wait(s->dev, op, s, b->reader[0]);
            ga__stream_unref(b->reader[0]);
            ga__stream_ref(s);
            b->reader[0] = s;
        } else if (i == b->nreaders) {
            ga__stream_ref(s);
            b->reader[b->nreaders++] = s;
        }
    }
    ga__unlock(b);
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
static ga__buffer *ga__buffer_new(const char *op, ga__device *d,
                                  size_t bytes) {
    ga__buffer *b = (ga__buffer *)GA_MALLOC(sizeof *b);
    if (!b) return (ga__buffer *)GA__NULL(GA_ERR_HOST_MEMORY, op, NULL);
    memset(b, 0, sizeof *b);
    atomic_init(&b->refs, 1);
    atomic_flag_clear(&b->lock);
    b->dev = d;
    if (!bytes) return b;
    if (ga__me.capture && ga__me.capture->dev != d) {
        GA_FREE(b);
        return (ga__buffer *)GA__NULL(GA_ERR_CAPTURE, op, "an array on another "
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
            ga__fail(GA_ERR_MEM_LIMIT, op, "%zu bytes asked with %zu in use: "
                     "over the limit of %zu on device %d",
                     bytes, used - bytes, limit, d->id);
            GA_FREE(b);
            return NULL;
        }
    }
    if (d->be->alloc(d, op, bytes, s, &b->ptr) != GA_OK) {
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
static ga_array *ga__handle(const char *op) {
    ga_array *x = (ga_array *)GA_MALLOC(sizeof *x);
    if (!x) return (ga_array *)GA__NULL(GA_ERR_HOST_MEMORY, op, NULL);
    memset(x, 0, sizeof *x);
    x->ga__magic = GA__ALIVE;
    atomic_fetch_add(&ga__live, 1);
    ga__link(x, ga__me.scope);
#ifdef GPUARR_DEBUG
    ga__debug_born(x);
#endif
    return x;
}

/* Product of the lengths; false and an error if it, in bytes, overflows. */
static bool ga__count(const char *op, int ndim, const int64_t *shape,
                      ga_dtype t, int64_t *out) {
    int64_t n = 1, lim = INT64_MAX / (int64_t)ga__size(t);
    bool zero = false;
    if (ndim < 0 || ndim > GA_MAX_NDIM) {
        ga__fail(GA_ERR_SHAPE, op, "%d dimensions; 0 to %d are possible",
                 ndim, GA_MAX_NDIM);
        return false;
    }
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0) {
            ga__fail(GA_ERR_SHAPE, op, "negative length in shape %s",
                     ga__shape_text(ndim, shape));
            return false;
        }
        zero |= shape[i] == 0;
    }
    for (int i = 0; i < ndim && !zero; i++) {
        if (shape[i] > lim / n) {
            ga__fail(GA_ERR_SIZE, op, "shape %s of %s is too large",
                     ga__shape_text(ndim, shape), ga_dtype_name(t));
            return false;
        }
        n *= shape[i];
    }
    *out = zero ? 0 : n;
    return true;
}

static bool ga__dtype_ok(const char *op, ga_dtype t) {
    if (ga__is_dtype(t)) return true;
    ga__fail(GA_ERR_DTYPE, op, "%d is not a dtype", (int)t);
    return false;
}

/* A new array of uninitialised elements on d. order: the axes from slowest to
   fastest in memory; NULL is C order.                                      */
static ga_array *ga__new(const char *op, ga__device *d, int ndim,
                         const int64_t *shape, ga_dtype t, const int *order) {
    int64_t n, step = 1;
    if (!d || !ga__dtype_ok(op, t) || !ga__count(op, ndim, shape, t, &n))
        return NULL;
    ga__buffer *b = ga__buffer_new(op, d, (size_t)n * ga__size(t));
    if (!b) return NULL;
    ga_array *x = ga__handle(op);
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
static ga_array *ga__view_new(const char *op, const ga_array *x) {
    if (!ga__ok(op, x)) return NULL;
    if (!x->ga__buf)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, op,
                                    "a C number has no views");
    ga_array *v = ga__handle(op);
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
static int ga__axis(const char *op, int a, int ndim) {
    if (a >= -ndim && a < ndim) return a < 0 ? a + ndim : a;
    ga__fail(GA_ERR_AXIS, op, "axis %d is out of range for %d dimensions", a,
             ndim);
    return -1;
}
/* Axes as a bit mask; false and an error if out of range or repeated. */
static bool ga__axes_mask(const char *op, ga_axis a, int ndim,
                          unsigned *mask) {
    *mask = 0;
    if (a.n < 0) {
        *mask = (1u << ndim) - 1;
        return true;
    }
    if (a.n > GA_MAX_NDIM) {
        ga__fail(GA_ERR_AXIS, op, "%d axes given; at most %d are possible",
                 a.n, GA_MAX_NDIM);
        return false;
    }
    for (int i = 0; i < a.n; i++) {
        int k = ga__axis(op, a.axis[i], ndim);
        if (k < 0) return false;
        if (*mask >> k & 1) {
            ga__fail(GA_ERR_AXIS, op, "axis %d is given twice", a.axis[i]);
            return false;
        }
        *mask |= 1u << k;
    }
    return true;
}

/* After a launch under GPUARR_SYNC=1: the fault, with the operation's name. */
static bool ga__sync_mode(void);
static ga_status ga__after(const char *op, ga__device *d, ga_stream *s) {
    if (ga__sync_mode() && !ga__me.capture)
        return d->be->stream_sync(d, op, s);
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
static void ga__at_thread_exit(void);
#ifndef GPUARR_NO_CUDA
static const ga__backend ga__cuda_backend;
static void ga__cuda_first_use(ga__entry *e);
#endif

static struct {
    pthread_once_t once, once_cuda, once_start;
    bool sync;                      /* GPUARR_SYNC                          */
    size_t limit;                   /* GPUARR_MEM_LIMIT                     */
    int ncuda;                      /* CUDA devices, and why there are none */
    ga_status no_cuda;
    char why[256];
    int start;                      /* where threads start                  */
    bool start_named;               /* ... by GPUARR_DEVICE,                */
    const char *start_bad;          /* ... which says neither cpu nor 0, 1  */
} ga__env = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT,
             false, 0, 0, GA_OK, "", GA_CPU, false, NULL};

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
static void ga__read_env(void) {
    const char *v = getenv("GPUARR_SYNC");
    ga__env.sync = v && *v && strcmp(v, "0") != 0;
    v = getenv("GPUARR_MEM_LIMIT");
    if (v && *v && !ga__parse_bytes(v, &ga__env.limit))
        fprintf(stderr, "gpuarr: GPUARR_MEM_LIMIT=%s is not a number of bytes "
                "and is ignored\n", v);
    for (int i = 0; i <= GA__MAX_DEVICES; i++) {
        ga__entry *e = &ga__entries[i];
        pthread_mutex_init(&e->lock, NULL);
        e->dev.id = i - 1;
        e->dev.be = &ga__cpu_backend;
#ifndef GPUARR_NO_CUDA
        if (i) e->dev.be = &ga__cuda_backend;
#endif
        e->dev.null.dev = &e->dev;
        atomic_init(&e->dev.null.refs, 1);
        atomic_init(&e->dev.limit, ga__env.limit);
    }
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

/* The first use of a device, under its lock. */
static void ga__first_use(ga__entry *e) {
    int v = gk_version();
    if (v != GA_VERSION) {
        e->failed = GA_ERR_VERSION;
        snprintf(e->reason, sizeof e->reason, "gpuarr.h is of version %d, "
                 "kernels.o of version %d: build both from one release",
                 GA_VERSION, v);
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
static ga__entry *ga__entry_of(const char *op, int id) {
    pthread_once(&ga__env.once, ga__read_env);
    if (id == GA_CPU) return &ga__entries[0];
    int n = ga__cuda_count();
    if (id >= 0 && id < n) return &ga__entries[id + 1];
    if (id >= 0 && !n) ga__fail(ga__env.no_cuda, op, "device %d: %s", id,
                                ga__env.why);
    else ga__fail(GA_ERR_DEVICE, op, "there is no device %d: CUDA devices here "
                  "%d, and GA_CPU (-1)", id, n);
    return NULL;
}

static ga__device *ga__device_of(const char *op, int id) {
    if (id >= GA_CPU && id < GA__MAX_DEVICES
        && atomic_load_explicit(&ga__entries[id + 1].ready,
                                memory_order_acquire))
        return &ga__entries[id + 1].dev;
    ga__entry *e = ga__entry_of(op, id);
    if (!e) return NULL;
    pthread_mutex_lock(&e->lock);
    if (!e->dev.ready && !e->failed) ga__first_use(e);
    pthread_mutex_unlock(&e->lock);
    if (e->failed) return (ga__device *)GA__NULL(e->failed, op, "%s",
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
static ga__device *ga__current(const char *op) {
    ga__thread *t = &ga__me;
    if (t->started) return ga__device_of(op, t->device);
    int id = ga__thread_device();
    if (ga__env.start_bad)
        return (ga__device *)GA__NULL(GA_ERR_DEVICE, op, "GPUARR_DEVICE=%s is "
                                      "neither cpu nor a device's number",
                                      ga__env.start_bad);
    ga__device *d = ga__device_of(op, id);
    if (!d || (ga__env.start_named && d->be->use(d, op))) return NULL;
    t->started = true;
    return d;
}

/* What waits, or changes the thread's device or stream, cannot be captured. */
static bool ga__capturing(const char *op) {
    if (!ga__me.capture) return false;
    ga__fail(GA_ERR_CAPTURE, op, "not possible inside a graph's function");
    return true;
}

GA_API int ga_device_count(void) {
    pthread_once(&ga__env.once, ga__read_env);
    return ga__cuda_count();
}
GA_API int ga_device(void) { return ga__thread_device(); }

GA_API ga_status ga_set_device(int device) {
    const char *op = "ga_set_device";
    if (ga__me.capture && device == ga__me.device) return GA_OK;
    if (ga__capturing(op)) return GA_ERR_CAPTURE;
    ga__device *d = ga__device_of(op, device);
    if (!d) return ga__failed();
    ga_status st = d->be->use(d, op);
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
    const char *op = "ga_device_info";
    if (!out) return ga__fail(GA_ERR_NULL, op, "the result pointer is NULL");
    ga__entry *e = ga__entry_of(op, device);
    if (!e) return ga__failed();
    ga_device_properties p;
    memset(&p, 0, sizeof p);
    p.device = device;
    ga_status st = e->dev.be->info(&e->dev, &p);
    if (!st) *out = p;
    return st;
}

GA_API ga_status ga_synchronize(void) {
    const char *op = "ga_synchronize";
    if (ga__capturing(op)) return GA_ERR_CAPTURE;
    ga__device *d = ga__current(op);
    return d ? d->be->sync(d, op) : ga__failed();
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
static ga_status ga__cuda_fail(const char *op, const ga__device *d,
                               cudaError_t e) {
    ga_status st = ga__cuda_status(e);
    if (!st) return GA_OK;
    cudaGetLastError();             /* or the next launch would report it   */
    if (st != GA_ERR_CONTEXT)
        return ga__fail(st, op, "%s (%s) on device %d", cudaGetErrorName(e),
                        cudaGetErrorString(e), d->id);
    return ga__fail(st, op, "%s (%s) on device %d: %s; nothing more can run "
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
static ga_status ga__cuda_leave(const char *op, const ga__device *d,
                                int before, cudaError_t e) {
    if (before != d->id) {
        cudaError_t back = cudaSetDevice(before);
        if (!e) e = back;
    }
    return e ? ga__cuda_fail(op, d, e) : GA_OK;
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

static ga_status ga__cuda_use(ga__device *d, const char *op) {
    int now = -1;
    cudaError_t e = cudaGetDevice(&now);
    if (!e && now != d->id) e = cudaSetDevice(d->id);
    return e ? ga__cuda_fail(op, d, e) : GA_OK;
}
static ga_status ga__cuda_sync(ga__device *d, const char *op) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaDeviceSynchronize();
    return ga__cuda_leave(op, d, before, e);
}
/* The free memory is asked of the device, which starts its context. */
static ga_status ga__cuda_info(ga__device *d, ga_device_properties *out) {
    struct cudaDeviceProp p;
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaGetDeviceProperties(&p, d->id);
    if (!e) e = cudaDriverGetVersion(&out->driver_version);
    if (!e) e = cudaRuntimeGetVersion(&out->runtime_version);
    if (!e) e = cudaMemGetInfo(&out->free_memory, &out->total_memory);
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
static ga_status ga__cpu_use(ga__device *d, const char *op) {
    (void)d, (void)op;
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
static ga_status ga__cpu_alloc(ga__device *d, const char *op, size_t bytes,
                               ga_stream *s, void **out) {
    (void)s;
    char *raw = NULL;
    if (bytes < SIZE_MAX - 128)
        raw = (char *)GA_MALLOC(bytes + 64 + sizeof raw);
    if (!raw)
        return ga__fail(GA_ERR_HOST_MEMORY, op, "%zu bytes asked; arrays on "
                        "the CPU use %zu", bytes, ga__used_before(d, bytes));
    size_t gap = 64 - ((uintptr_t)raw + sizeof raw) % 64;
    char *p = raw + sizeof raw + gap;
    memcpy(p - sizeof raw, &raw, sizeof raw);
    ga__huge_pages(p, bytes);
    *out = p;
    return GA_OK;
}
static void ga__cpu_free(ga__device *d, void *p, size_t bytes, ga_stream *s) {
    (void)d, (void)bytes, (void)s;
    void *raw;
    if (!p) return;
    memcpy(&raw, (char *)p - sizeof raw, sizeof raw);
    GA_FREE(raw);
}
static ga_status ga__cpu_copy(ga__device *d, const char *op, ga__way way,
                              void *dst, const void *src, size_t bytes,
                              ga_stream *s, bool async) {
    (void)d, (void)op, (void)way, (void)s, (void)async;
    if (bytes) memmove(dst, src, bytes);
    return GA_OK;
}
static ga_status ga__cpu_zero(ga__device *d, const char *op, void *p,
                              size_t bytes, ga_stream *s) {
    (void)d, (void)op, (void)s;
    if (bytes) memset(p, 0, bytes);
    return GA_OK;
}
static ga_status ga__cpu_fetch(ga__device *d, const char *op, void *host,
                               const void *src, int bytes, ga_stream *s) {
    (void)d, (void)op, (void)s;
    memcpy(host, src, (size_t)bytes);
    return GA_OK;
}
static ga_status ga__cpu_mem(ga__device *d, ga_memory *out) {
    out->reserved = atomic_load(&d->used);
    ga__cpu_memory(&out->free, &out->total);
    return GA_OK;
}
static ga_status ga__cpu_trim(ga__device *d, const char *op) {
    (void)d, (void)op;
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
   `on`. Lock held.                                                         */
static void ga__cache_empty(ga__device *d, const ga_stream *of,
                            ga_stream *on) {
    struct ga__cuda_state *k = &ga__cuda[d->id];
    for (int c = 0; c < GA__CLASSES; c++)
        for (int i = k->ncached[c]; i-- > 0;) {
            if (of && k->cache[c][i].s != of) continue;
            if (ga__pool_give(d, k->cache[c][i].p, on)) cudaGetLastError();
            k->cache[c][i] = k->cache[c][--k->ncached[c]];
        }
}
/* d is current. All work on cached blocks is done after the first wait, so
   that their streams, which may be a host program's, need not be asked.    */
static cudaError_t ga__pool_trim(ga__device *d) {
    pthread_mutex_lock(ga__cuda_lock(d));
    cudaError_t e = cudaDeviceSynchronize();
    if (!e) ga__cache_empty(d, NULL, &d->null);
    if (!e) e = cudaDeviceSynchronize();
    pthread_mutex_unlock(ga__cuda_lock(d));
    if (!e && d->pool) e = cudaMemPoolTrimTo((cudaMemPool_t)d->pool, 0);
    if (!e && d->pool) e = cudaDeviceGraphMemTrim(d->id);
    return e;
}

static ga_status ga__cuda_alloc(ga__device *d, const char *op, size_t bytes,
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
        return ga__cuda_leave(op, d, before, e);
    }
    if (cudaMemGetInfo(&unused, &total)) unused = total = 0;
    ga__cuda_leave_quiet(d, before, e);
    return ga__fail(GA_ERR_DEVICE_MEMORY, op, "%zu bytes asked on device %d: "
                    "arrays use %zu, free are %zu of %zu, the limit is %zu "
                    "(0: none)", bytes, d->id, ga__used_before(d, bytes),
                    unused, total, atomic_load(&d->limit));
}

static ga_status ga__cuda_stream_wait(ga__device *d, const char *op,
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

static ga_status ga__cuda_zero(ga__device *d, const char *op, void *p,
                               size_t bytes, ga_stream *s) {
    int before;
    if (!bytes) return GA_OK;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaMemsetAsync(p, 0, bytes, ga__handle_of(s));
    return ga__cuda_leave(op, d, before, e);
}
static ga_status ga__cuda_mem(ga__device *d, ga_memory *out) {
    int before;
    uint64_t held = 0;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaMemGetInfo(&out->free, &out->total);
    if (!e && d->pool)
        e = cudaMemPoolGetAttribute((cudaMemPool_t)d->pool,
                                    cudaMemPoolAttrReservedMemCurrent, &held);
    out->reserved = d->pool ? (size_t)held : atomic_load(&d->used);
    return ga__cuda_leave("ga_mem_info", d, before, e);
}
static ga_status ga__cuda_trim(ga__device *d, const char *op) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = ga__pool_trim(d);
    return ga__cuda_leave(op, d, before, e);
}

/* ------------------------------------- CUDA: pageable memory through lanes
   A lane is a standing thread with its own pinned slots and stream. The lanes
   take a large copy's chunks in turn: the host's memcpy of one lane runs
   beside the DMA of the others. Threads and slots are made as the first large
   copies need them: at most GA__LANES * GA__SLOTS * 4 MB pinned.           */
#define GA__LANES 6
#define GA__SLOTS 2
#define GA__CHUNK ((size_t)4 << 20)
#define GA__STAGE_MIN ((size_t)1 << 20)     /* below: cudaMemcpyAsync alone */
typedef struct ga__lane {
    bool running;
    unsigned seen;                  /* rounds served                        */
    char *slot[GA__SLOTS];
    cudaEvent_t last[GA__SLOTS];    /* after the slot's last use, or NULL   */
    bool used;                      /* in this round                        */
    struct {
        cudaStream_t stream;
        cudaEvent_t done[GA__SLOTS], end;
    } on[GA__MAX_DEVICES];
} ga__lane;
static struct {
    pthread_mutex_t turn;           /* one copy at a time                   */
    pthread_mutex_t lock;           /* of round and busy                    */
    pthread_cond_t go, done;
    unsigned round;
    int busy, n;                    /* lanes at work; lanes of this round   */
    int dev;
    bool up;                        /* to the device                        */
    char *dst;
    const char *src;
    size_t bytes, chunk;
    atomic_size_t next;             /* first byte that no lane has taken    */
    atomic_int error;               /* cudaError_t of the lane that failed  */
    cudaEvent_t start[GA__MAX_DEVICES];
    ga__lane lane[GA__LANES];
} ga__stage = {.turn = PTHREAD_MUTEX_INITIALIZER,
               .lock = PTHREAD_MUTEX_INITIALIZER,
               .go = PTHREAD_COND_INITIALIZER,
               .done = PTHREAD_COND_INITIALIZER};

static bool ga__lane_take(size_t *at, size_t *n) {
    if (atomic_load(&ga__stage.error)) return false;
    *at = atomic_fetch_add(&ga__stage.next, ga__stage.chunk);
    if (*at >= ga__stage.bytes) return false;
    *n = ga__stage.bytes - *at;
    if (*n > ga__stage.chunk) *n = ga__stage.chunk;
    return true;
}
static cudaError_t ga__lane_copy(ga__lane *l, void *dst, const void *src,
                                 size_t n, int k) {
    cudaStream_t s = l->on[ga__stage.dev].stream;
    cudaError_t e = cudaMemcpyAsync(dst, src, n, ga__stage.up
                                    ? cudaMemcpyHostToDevice
                                    : cudaMemcpyDeviceToHost, s);
    if (!e) e = cudaEventRecord(l->on[ga__stage.dev].done[k], s);
    if (!e) l->last[k] = l->on[ga__stage.dev].done[k];
    return e;
}
static cudaError_t ga__lane_up(ga__lane *l) {
    size_t at, n;
    cudaError_t e = cudaSuccess;
    for (int i = 0; !e && ga__lane_take(&at, &n); i++) {
        int k = i % GA__SLOTS;
        if (l->last[k]) e = cudaEventSynchronize(l->last[k]);
        if (e) break;
        memcpy(l->slot[k], ga__stage.src + at, n);
        l->used = true;
        e = ga__lane_copy(l, ga__stage.dst + at, l->slot[k], n, k);
    }
    if (!e && l->used) e = cudaEventRecord(l->on[ga__stage.dev].end,
                                           l->on[ga__stage.dev].stream);
    return e;
}
static cudaError_t ga__lane_down(ga__lane *l) {
    size_t at[GA__SLOTS], n[GA__SLOTS];
    int begun = 0, ended = 0, k;
    cudaError_t e = cudaSuccess;
    for (;; ended++) {
        for (; !e && begun - ended < GA__SLOTS; begun++) {
            k = begun % GA__SLOTS;
            if (!ga__lane_take(&at[k], &n[k])) break;
            l->used = true;
            if (l->last[k])
                e = cudaStreamWaitEvent(l->on[ga__stage.dev].stream,
                                        l->last[k], 0);
            if (!e) e = ga__lane_copy(l, l->slot[k], ga__stage.src + at[k],
                                      n[k], k);
        }
        if (e || begun == ended) return e;
        k = ended % GA__SLOTS;
        e = cudaEventSynchronize(l->last[k]);
        if (e) return e;
        memcpy(ga__stage.dst + at[k], l->slot[k], n[k]);
    }
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
        l->used = false;
        cudaError_t e = cudaSetDevice(ga__stage.dev);
        if (!e) e = cudaStreamWaitEvent(s, ga__stage.start[ga__stage.dev], 0);
        if (!e) e = ga__stage.up ? ga__lane_up(l) : ga__lane_down(l);
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
    void *p = NULL;
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
    if (!e && !l->slot[0]) {
        e = cudaHostAlloc(&p, GA__SLOTS * GA__CHUNK, cudaHostAllocPortable);
        for (int k = 0; !e && k < GA__SLOTS; k++)
            l->slot[k] = (char *)p + (size_t)k * GA__CHUNK;
    }
    if (e) {
        cudaGetLastError();
        return false;
    }
    if (!l->running) {
        l->seen = ga__stage.round;
        if (pthread_create(&id, NULL, ga__lane_main, l)) return false;
        pthread_detach(id);
        l->running = true;
    }
    return true;
}
/* Copies through the lanes; false if there are none. d is current. */
static bool ga__staged(const ga__device *d, bool up, void *dst,
                       const void *src, size_t bytes, ga_stream *s,
                       cudaError_t *err) {
    int n = 0, id = d->id;
    size_t chunk = bytes / (2 * GA__LANES);
    if (chunk < GA__STAGE_MIN / 2) chunk = GA__STAGE_MIN / 2;
    if (chunk > GA__CHUNK) chunk = GA__CHUNK;
    chunk = (chunk + 4095) & ~(size_t)4095;
    size_t want = (bytes + chunk - 1) / chunk;
    if (want > GA__LANES) want = GA__LANES;
    pthread_mutex_lock(&ga__stage.turn);
    while (n < (int)want && ga__lane_open(n, id)) n++;
    cudaError_t e = n ? cudaEventRecord(ga__stage.start[id], ga__handle_of(s))
                      : cudaSuccess;
    if (n && !e) {
        pthread_mutex_lock(&ga__stage.lock);
        ga__stage.busy = ga__stage.n = n;
        ga__stage.dev = id;
        ga__stage.up = up;
        ga__stage.dst = (char *)dst;
        ga__stage.src = (const char *)src;
        ga__stage.bytes = bytes;
        ga__stage.chunk = chunk;
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
            if (!l->used) continue;
            if (up && !e)
                e = cudaStreamWaitEvent(ga__handle_of(s), l->on[id].end, 0);
            if (e)                  /* then nothing may be left under way   */
                cudaStreamSynchronize(l->on[id].stream);
        }
    }
    pthread_mutex_unlock(&ga__stage.turn);
    *err = e;
    return n > 0;
}

static bool ga__pageable(const void *p) {
    struct cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, p)) {
        cudaGetLastError();
        return true;
    }
    return a.type == cudaMemoryTypeUnregistered;
}
static ga_status ga__cuda_copy(ga__device *d, const char *op, ga__way way,
                               void *dst, const void *src, size_t bytes,
                               ga_stream *s, bool async) {
    int before;
    bool host = way != GA__D2D;
    if (!bytes) return GA_OK;
    if (ga__me.capture && host && !async)
        return ga__fail(GA_ERR_CAPTURE, op, "a copy from or to the host waits "
                        "for it, which a graph cannot: use an _async form");
    cudaError_t e = ga__cuda_enter(d, &before);
    if (e) return ga__cuda_leave(op, d, before, e);
    if (host && !async && bytes >= GA__STAGE_MIN
        && ga__pageable(way == GA__H2D ? src : dst)
        && ga__staged(d, way == GA__H2D, dst, src, bytes, s, &e))
        return ga__cuda_leave(op, d, before, e);
    e = cudaMemcpyAsync(dst, src, bytes, way == GA__H2D
                        ? cudaMemcpyHostToDevice : way == GA__D2H
                        ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice,
                        ga__handle_of(s));
    if (!e && host && !async) e = cudaStreamSynchronize(ga__handle_of(s));
    return ga__cuda_leave(op, d, before, e);
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
static ga_status ga__cuda_fetch(ga__device *d, const char *op, void *host,
                                const void *src, int bytes, ga_stream *s) {
    int before;
    if (ga__me.capture)
        return ga__fail(GA_ERR_CAPTURE, op, "a graph is being made and has "
                        "computed nothing yet: there is no value to read");
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e && !ga__my_slot) e = ga__slot_get();
    if (e) return ga__cuda_leave(op, d, before, e);
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
    return ga__cuda_leave(op, d, before, e);
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
static ga_status ga__cuda_copy_peer(const char *op, ga__device *to, void *dst,
                                    ga__device *from, const void *src,
                                    size_t bytes, ga_stream *s) {
    int before;
    ga__cuda_open_pool(from, to->id);
    ga__cuda_open_pool(to, from->id);
    cudaError_t e = ga__cuda_enter(to, &before);
    if (!e) e = cudaMemcpyPeerAsync(dst, to->id, src, from->id, bytes,
                                    ga__handle_of(s));
    return ga__cuda_leave(op, to, before, e);
}
#endif /* GPUARR_NO_CUDA */

GA_API ga_status ga_mem_info(int device, ga_memory *out) {
    const char *op = "ga_mem_info";
    if (!out) return ga__fail(GA_ERR_NULL, op, "the result pointer is NULL");
    ga__device *d = ga__device_of(op, device);
    if (!d) return ga__failed();
    ga_memory m = {atomic_load(&d->used), atomic_load(&d->peak), 0,
                   atomic_load(&d->limit), 0, 0};
    ga_status st = d->be->mem(d, &m);
    if (!st) *out = m;
    return st;
}
GA_API ga_status ga_mem_trim(void) {
    const char *op = "ga_mem_trim";
    if (ga__capturing(op)) return GA_ERR_CAPTURE;
    ga__device *d = ga__current(op);
    return d ? d->be->trim(d, op) : ga__failed();
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
    const char *op = "ga_pinned_alloc";
    if (ga__capturing(op)) return NULL;
    ga__device *d = ga__current(op);
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
        if (ga__cuda_leave(op, d, before, e)) {
            if (!e && raw) cudaFreeHost(raw);
            return NULL;
        }
        p = (char *)raw;
#endif
    }
    if (!p) return GA__NULL(GA_ERR_HOST_MEMORY, op, "%zu bytes of page-locked "
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
static ga_status ga__cpu_elementwise(ga__device *d, const char *op,
                                     const ga__ew *e, ga_stream *s) {
    (void)d, (void)op, (void)s;
    gk_cpu_elementwise(e);
    return GA_OK;
}
static size_t ga__cpu_reduce_work(ga__device *d, const ga__rd *r) {
    (void)d;
    return gk_reduce_work(r, 0);
}
static ga_status ga__cpu_reduce(ga__device *d, const char *op, ga__rd *r,
                                ga_stream *s) {
    (void)d, (void)op, (void)s;
    gk_cpu_reduce(r);
    return GA_OK;
}
static ga_status ga__cpu_range(ga__device *d, const char *op, void *out,
                               ga_dtype t, int64_t n, bool integer, int64_t i0,
                               int64_t di, double f0, double df,
                               ga_stream *s) {
    (void)d, (void)op, (void)s;
    gk_cpu_range(out, t, n, integer, i0, di, f0, df);
    return GA_OK;
}
static ga_status ga__cpu_stream_open(ga__device *d, const char *op,
                                     ga_stream *s, int priority) {
    (void)d, (void)op, (void)s, (void)priority;
    return GA_OK;
}
static void ga__cpu_stream_close(ga__device *d, ga_stream *s) {
    (void)d;
    s->destroyed = true;
}
static void ga__cpu_stream_dispose(ga__device *d, ga_stream *s) {
    (void)d, (void)s;
}
static ga_status ga__cpu_stream_sync(ga__device *d, const char *op,
                                     ga_stream *s) {
    (void)d, (void)op, (void)s;
    return GA_OK;
}
static int ga__cpu_stream_query(ga__device *d, ga_stream *s) {
    (void)d, (void)s;
    return 1;
}
static ga_status ga__cpu_stream_wait(ga__device *d, const char *op,
                                     ga_stream *s, ga_stream *w) {
    (void)d, (void)s;
    return w->dev->id == GA_CPU ? GA_OK
                                : w->dev->be->stream_sync(w->dev, op, w);
}
static ga_status ga__cpu_stream_call(ga__device *d, const char *op,
                                     ga_stream *s, void (*fn)(void *),
                                     void *arg) {
    (void)d, (void)op, (void)s;
    fn(arg);
    return GA_OK;
}
static ga_status ga__cpu_event_open(ga__device *d, const char *op, void **h) {
    (void)d;
    *h = GA_MALLOC(sizeof(struct timespec));
    return *h ? GA_OK : ga__fail(GA_ERR_HOST_MEMORY, op, NULL);
}
static void ga__cpu_event_close(ga__device *d, void *h) {
    (void)d;
    GA_FREE(h);
}
static ga_status ga__cpu_event_record(ga__device *d, const char *op, void *h,
                                      ga_stream *s) {
    (void)d, (void)op, (void)s;
    timespec_get((struct timespec *)h, TIME_UTC);
    return GA_OK;
}
static ga_status ga__cpu_event_sync(ga__device *d, const char *op, void *h) {
    (void)d, (void)op, (void)h;
    return GA_OK;
}
static int ga__cpu_event_query(ga__device *d, void *h) {
    (void)d, (void)h;
    return 1;
}
static ga_status ga__cpu_event_wait(ga__device *d, const char *op, void *h,
                                    ga_stream *s) {
    (void)d, (void)op, (void)h, (void)s;
    return GA_OK;
}
static ga_status ga__cpu_event_elapsed(ga__device *d, const char *op, void *a,
                                       void *b, double *ms) {
    (void)d, (void)op;
    const struct timespec *x = (struct timespec *)a, *y = (struct timespec *)b;
    *ms = 1e3 * (double)(y->tv_sec - x->tv_sec)
          + 1e-6 * (double)(y->tv_nsec - x->tv_nsec);
    return GA_OK;
}
/* No capture here: without a stream of its own the graph calls its step. */
static ga_status ga__cpu_capture_begin(ga__device *d, const char *op,
                                       ga_graph *g) {
    (void)d, (void)op, (void)g;
    return GA_OK;
}
static ga_status ga__cpu_capture_end(ga__device *d, const char *op,
                                     ga_graph *g, bool keep) {
    (void)d, (void)op, (void)g, (void)keep;
    return GA_OK;
}
static void ga__step(const ga_graph *g) {
    ga_scope scope;
    ga_scope_begin(&scope);
    g->step(g->arg);
    ga_scope_end(&scope);
}
static ga_status ga__cpu_graph_launch(ga__device *d, const char *op,
                                      ga_graph *g, ga_stream *s) {
    (void)d, (void)op, (void)s;
    ga_status before = ga__me.error;
    ga__me.last = GA_OK;
    ga__step(g);
    return before ? ga__me.last : ga__me.error;
}
static void ga__cpu_graph_close(ga__device *d, ga_graph *g) {
    (void)d, (void)g;
}

static const ga__backend ga__cpu_backend = {
    .name = "cpu", .alloc = ga__cpu_alloc, .free = ga__cpu_free,
    .copy = ga__cpu_copy, .zero = ga__cpu_zero,
    .elementwise = ga__cpu_elementwise, .reduce_work = ga__cpu_reduce_work,
    .reduce = ga__cpu_reduce, .range = ga__cpu_range, .fetch = ga__cpu_fetch,
    .use = ga__cpu_use, .sync = ga__cpu_use, .info = ga__cpu_info,
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
static ga_status ga__cuda_elementwise(ga__device *d, const char *op,
                                      const ga__ew *w, ga_stream *s) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = (cudaError_t)gk_cuda_elementwise(w, s->handle, d->mps);
    return ga__cuda_leave(op, d, before, e);
}
static ga_status ga__cuda_range(ga__device *d, const char *op, void *out,
                                ga_dtype t, int64_t n, bool integer,
                                int64_t i0, int64_t di, double f0, double df,
                                ga_stream *s) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = (cudaError_t)gk_cuda_range(out, t, n, integer, i0, di, f0, df,
                                           s->handle);
    return ga__cuda_leave(op, d, before, e);
}
static size_t ga__cuda_reduce_work(ga__device *d, const ga__rd *r) {
    return gk_reduce_work(r, d->mps);
}
/* The stream's zeroed counters, made at its first reduction. */
static ga_status ga__cuda_counters(ga__device *d, const char *op, ga_stream *s,
                                   unsigned **out) {
    const size_t bytes = GA__COUNTERS * sizeof(unsigned);
    void *p = NULL;
    pthread_mutex_lock(ga__cuda_lock(d));
    *out = s->counters;
    pthread_mutex_unlock(ga__cuda_lock(d));
    if (*out) return GA_OK;
    ga_status st = ga__cuda_alloc(d, op, bytes, s, &p);
    if (!st) st = ga__cuda_zero(d, op, p, bytes, s);
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
static ga_status ga__cuda_reduce(ga__device *d, const char *op, ga__rd *r,
                                 ga_stream *s) {
    int before;
    ga_status st = ga__cuda_counters(d, op, s, &r->counters);
    if (st) return st;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = (cudaError_t)gk_cuda_reduce(r, s->handle, d->mps);
    return ga__cuda_leave(op, d, before, e);
}

static ga_status ga__cuda_stream_open(ga__device *d, const char *op,
                                      ga_stream *s, int priority) {
    int before;
    cudaStream_t h = NULL;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaStreamCreateWithPriority(&h, cudaStreamNonBlocking,
                                             priority);
    if (!e) s->handle = h;
    return ga__cuda_leave(op, d, before, e);
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
   wrapped stream may be gone already: its work is waited for instead.      */
static void ga__cuda_stream_close(ga__device *d, ga_stream *s) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    pthread_mutex_lock(ga__cuda_lock(d));
    ga_stream *on = s->external ? &d->null : s;
    if (!e && s->external) e = cudaDeviceSynchronize();
    ga__cache_empty(d, s, on);
    if (s->counters && ga__pool_give(d, s->counters, on)) cudaGetLastError();
    s->counters = NULL;
    if (!e && !s->external) {
        if (ga__mark(s)) e = cudaStreamSynchronize(ga__handle_of(s));
        cudaError_t gone = cudaStreamDestroy(ga__handle_of(s));
        if (!e) e = gone;
    }
    s->handle = NULL;
    s->destroyed = true;
    pthread_mutex_unlock(ga__cuda_lock(d));
    ga__cuda_leave_quiet(d, before, e);
    cudaGetLastError();             /* the mark's, if it failed             */
}
static void ga__cuda_stream_dispose(ga__device *d, ga_stream *s) {
    (void)d;
    if (s->mark && cudaEventDestroy((cudaEvent_t)s->mark)) cudaGetLastError();
    s->mark = NULL;
}
static ga_status ga__cuda_stream_sync(ga__device *d, const char *op,
                                      ga_stream *s) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e && !s->destroyed) e = cudaStreamSynchronize(ga__handle_of(s));
    else if (!e && s->mark) e = cudaEventSynchronize((cudaEvent_t)s->mark);
    return ga__cuda_leave(op, d, before, e);
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
static ga_status ga__cuda_stream_wait(ga__device *d, const char *op,
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
    return e ? ga__cuda_fail(op, d, e) : GA_OK;
}
static ga_status ga__cuda_stream_call(ga__device *d, const char *op,
                                      ga_stream *s, void (*fn)(void *),
                                      void *arg) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaLaunchHostFunc(ga__handle_of(s), fn, arg);
    return ga__cuda_leave(op, d, before, e);
}

static ga_status ga__cuda_event_open(ga__device *d, const char *op, void **h) {
    int before;
    cudaEvent_t v = NULL;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaEventCreate(&v);
    *h = v;
    return ga__cuda_leave(op, d, before, e);
}
static void ga__cuda_event_close(ga__device *d, void *h) {
    (void)d;
    if (cudaEventDestroy((cudaEvent_t)h)) cudaGetLastError();
}
/* Captured, both are nodes of the graph: each launch records and waits. */
static ga_status ga__cuda_event_record(ga__device *d, const char *op, void *h,
                                       ga_stream *s) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaEventRecordWithFlags(
        (cudaEvent_t)h, ga__handle_of(s),
        ga__me.capture ? cudaEventRecordExternal : cudaEventRecordDefault);
    return ga__cuda_leave(op, d, before, e);
}
static ga_status ga__cuda_event_wait(ga__device *d, const char *op, void *h,
                                     ga_stream *s) {
    int before;
    if (s->dev->id == GA_CPU) return d->be->event_sync(d, op, h);
    cudaError_t e = ga__cuda_enter(s->dev, &before);
    if (!e) e = cudaStreamWaitEvent(
        ga__handle_of(s), (cudaEvent_t)h,
        ga__me.capture ? cudaEventWaitExternal : cudaEventWaitDefault);
    return ga__cuda_leave(op, s->dev, before, e);
}
static ga_status ga__cuda_event_sync(ga__device *d, const char *op, void *h) {
    cudaError_t e = cudaEventSynchronize((cudaEvent_t)h);
    return e ? ga__cuda_fail(op, d, e) : GA_OK;
}
static int ga__cuda_event_query(ga__device *d, void *h) {
    cudaError_t e = cudaEventQuery((cudaEvent_t)h);
    if (e == cudaErrorNotReady) cudaGetLastError();
    else if (e) ga__cuda_fail("ga_event_query", d, e);
    return e == cudaSuccess;
}
static ga_status ga__cuda_event_elapsed(ga__device *d, const char *op, void *a,
                                        void *b, double *ms) {
    float f = 0;
    cudaError_t e = cudaEventSynchronize((cudaEvent_t)b);
    if (!e) e = cudaEventElapsedTime(&f, (cudaEvent_t)a, (cudaEvent_t)b);
    if (e) return ga__cuda_fail(op, d, e);
    *ms = (double)f;
    return GA_OK;
}

/* Waits first: what the step reads must have been written by then, since a
   captured stream cannot wait for one outside.                             */
static ga_status ga__cuda_capture_begin(ga__device *d, const char *op,
                                        ga_graph *g) {
    int before;
    unsigned *counters;
    ga_stream *s = (ga_stream *)GA_MALLOC(sizeof *s);
    if (!s) return ga__fail(GA_ERR_HOST_MEMORY, op, NULL);
    memset(s, 0, sizeof *s);
    atomic_init(&s->refs, 1);
    s->dev = d;
    ga_status st = ga__cuda_stream_open(d, op, s, 0);
    if (st) {
        GA_FREE(s);
        return st;
    }
    st = ga__cuda_counters(d, op, s, &counters);
    if (!st) {
        cudaError_t e = ga__cuda_enter(d, &before);
        if (!e) e = cudaDeviceSynchronize();
        if (!e) e = cudaStreamBeginCapture(ga__handle_of(s),
                                           cudaStreamCaptureModeThreadLocal);
        st = ga__cuda_leave(op, d, before, e);
    }
    if (st) {
        ga__cuda_stream_close(d, s);
        ga__stream_unref(s);
    } else {
        g->stream = s;
    }
    return st;
}
static ga_status ga__cuda_capture_end(ga__device *d, const char *op,
                                      ga_graph *g, bool keep) {
    int before;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    cudaError_t e = ga__cuda_enter(d, &before);
    cudaError_t end = cudaStreamEndCapture(ga__handle_of(g->stream), &graph);
    if (!e) e = end;
    if (!e && keep) e = cudaGraphInstantiate(&exec, graph, 0);
    if (graph) cudaGraphDestroy(graph);
    if (!e) g->exec = exec;
    if (!keep) {                    /* the reason has been reported         */
        cudaGetLastError();
        e = cudaSuccess;
    }
    return ga__cuda_leave(op, d, before, e);
}
static ga_status ga__cuda_graph_launch(ga__device *d, const char *op,
                                       ga_graph *g, ga_stream *s) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (!e) e = cudaGraphLaunch((cudaGraphExec_t)g->exec, ga__handle_of(s));
    return ga__cuda_leave(op, d, before, e);
}
/* Waits for launches under way: they use the graph's memory and counters. */
static void ga__cuda_graph_close(ga__device *d, ga_graph *g) {
    int before;
    cudaError_t e = ga__cuda_enter(d, &before);
    if (g->exec) {
        if (!e) e = cudaDeviceSynchronize();
        cudaError_t gone = cudaGraphExecDestroy((cudaGraphExec_t)g->exec);
        if (!e) e = gone;
    }
    ga__cuda_leave_quiet(d, before, e);
    if (!g->stream) return;
    ga__cuda_stream_close(d, g->stream);
    ga__stream_unref(g->stream);
}

static const ga__backend ga__cuda_backend = {
    .name = "cuda", .alloc = ga__cuda_alloc, .free = ga__cuda_free,
    .copy = ga__cuda_copy, .zero = ga__cuda_zero,
    .elementwise = ga__cuda_elementwise, .reduce_work = ga__cuda_reduce_work,
    .reduce = ga__cuda_reduce, .range = ga__cuda_range,
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
static ga_stream *ga__stream_arg(const char *op, ga_stream *s) {
    if (!s) {
        ga__device *d = ga__current(op);
        if (!d) return NULL;
        s = &d->null;
    }
    if (s->destroyed)
        return (ga_stream *)GA__NULL(GA_ERR_STREAM, op,
                                     "the stream has been destroyed");
    if (ga__me.capture && s != ga__me.capture->stream)
        return (ga_stream *)GA__NULL(GA_ERR_CAPTURE, op, "inside a graph's "
                                     "function only ga_stream_current() can "
                                     "be used");
    return s;
}

static ga_stream *ga__stream_new(const char *op, ga__device *d) {
    ga_stream *s = (ga_stream *)GA_MALLOC(sizeof *s);
    if (!s) return (ga_stream *)GA__NULL(GA_ERR_HOST_MEMORY, op, NULL);
    memset(s, 0, sizeof *s);
    atomic_init(&s->refs, 1);
    s->dev = d;
    return s;
}
GA_API ga_stream *ga_stream_create(int priority) {
    const char *op = "ga_stream_create";
    ga__device *d = ga__current(op);
    ga_stream *s = d ? ga__stream_new(op, d) : NULL;
    if (s && d->be->stream_open(d, op, s, priority)) {
        GA_FREE(s);
        return NULL;
    }
    return s;
}
GA_API ga_stream *ga_stream_wrap(void *handle) {
    const char *op = "ga_stream_wrap";
    ga__device *d = ga__current(op);
    ga_stream *s = d ? ga__stream_new(op, d) : NULL;
    if (!s) return NULL;
    s->handle = handle;
    s->external = true;
    return s;
}
GA_API void ga_stream_destroy(ga_stream *s) {
    const char *op = "ga_stream_destroy";
    if (!s) return;
    if (s->destroyed) {
        ga__fail(GA_ERR_STREAM, op, "the stream has been destroyed before");
        return;
    }
    if (ga__capturing(op)) return;
    s->dev->be->stream_close(s->dev, s);
    ga__stream_unref(s);
}

GA_API ga_stream *ga_stream_current(void) {
    ga__device *d = ga__current("ga_stream_current");
    ga_stream *s = d ? ga__stream(d) : NULL;
    return s && s != &d->null ? s : NULL;
}
GA_API ga_status ga_set_stream(ga_stream *s) {
    const char *op = "ga_set_stream";
    if (ga__capturing(op)) return GA_ERR_CAPTURE;
    ga__device *d = ga__current(op);
    if (!d || !ga__stream_arg(op, s)) return ga__failed();
    if (s && s->dev != d)
        return ga__fail(GA_ERR_STREAM, op, "the stream is of device %d, the "
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
    const char *op = "ga_stream_synchronize";
    if (ga__capturing(op)) return GA_ERR_CAPTURE;
    s = ga__stream_arg(op, s);
    return s ? s->dev->be->stream_sync(s->dev, op, s) : ga__failed();
}
GA_API bool ga_stream_query(ga_stream *s) {
    const char *op = "ga_stream_query";
    if (ga__capturing(op)) return false;
    s = ga__stream_arg(op, s);
    return s && s->dev->be->stream_query(s->dev, s);
}
GA_API ga_status ga_stream_callback(ga_stream *s, void (*fn)(void *),
                                    void *arg) {
    const char *op = "ga_stream_callback";
    if (!fn) return ga__fail(GA_ERR_NULL, op, "the function is NULL");
    s = ga__stream_arg(op, s);
    return s ? s->dev->be->stream_call(s->dev, op, s, fn, arg) : ga__failed();
}
GA_API void *ga_stream_handle(ga_stream *s) { return s ? s->handle : NULL; }

/* -------------------------------------------------------- public: events */
struct ga_event {
    ga__device *dev;
    void *handle;
    atomic_bool recorded;
};
static bool ga__event_ok(const char *op, ga_event *e, bool recorded) {
    if (!e) ga__fail(GA_ERR_NULL, op, "the event is NULL");
    else if (recorded && !e->recorded)
        ga__fail(GA_ERR_STREAM, op, "the event was never recorded");
    else return true;
    return false;
}
GA_API ga_event *ga_event_create(void) {
    const char *op = "ga_event_create";
    ga__device *d = ga__current(op);
    if (!d) return NULL;
    ga_event *e = (ga_event *)GA_MALLOC(sizeof *e);
    if (!e) return (ga_event *)GA__NULL(GA_ERR_HOST_MEMORY, op, NULL);
    e->dev = d;
    atomic_init(&e->recorded, false);
    if (d->be->event_open(d, op, &e->handle)) {
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
    const char *op = "ga_event_record";
    if (!ga__event_ok(op, e, false)) return GA_ERR_NULL;
    s = ga__stream_arg(op, s);
    if (!s) return ga__failed();
    if (s->dev != e->dev)
        return ga__fail(GA_ERR_STREAM, op, "the event is of device %d, the "
                        "stream of device %d", e->dev->id, s->dev->id);
    ga_status st = e->dev->be->event_record(e->dev, op, e->handle, s);
    if (!st) e->recorded = true;
    return st;
}
GA_API ga_status ga_stream_wait(ga_stream *s, ga_event *e) {
    const char *op = "ga_stream_wait";
    if (!ga__event_ok(op, e, true)) return ga__failed();
    s = ga__stream_arg(op, s);
    return s ? e->dev->be->event_wait(e->dev, op, e->handle, s)
             : ga__failed();
}
GA_API ga_status ga_event_synchronize(ga_event *e) {
    const char *op = "ga_event_synchronize";
    if (ga__capturing(op)) return GA_ERR_CAPTURE;
    if (!ga__event_ok(op, e, true)) return ga__failed();
    return e->dev->be->event_sync(e->dev, op, e->handle);
}
GA_API bool ga_event_query(ga_event *e) {
    const char *op = "ga_event_query";
    return !ga__capturing(op) && ga__event_ok(op, e, true)
           && e->dev->be->event_query(e->dev, e->handle);
}
GA_API double ga_event_elapsed(ga_event *start, ga_event *stop) {
    const char *op = "ga_event_elapsed";
    double ms = NAN;
    if (ga__capturing(op) || !ga__event_ok(op, start, true)
        || !ga__event_ok(op, stop, true)) return NAN;
    if (start->dev != stop->dev)
        ga__fail(GA_ERR_STREAM, op, "the events are of devices %d and %d",
                 start->dev->id, stop->dev->id);
    else
        start->dev->be->event_elapsed(start->dev, op, start->handle,
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
    const char *op = "ga_graph_create";
    if (!step)
        return (ga_graph *)GA__NULL(GA_ERR_NULL, op, "the function is NULL");
    if (ga__capturing(op)) return NULL;
    ga__device *d = ga__current(op);
    if (!d) return NULL;
    ga_graph *g = (ga_graph *)GA_MALLOC(sizeof *g);
    if (!g) return (ga_graph *)GA__NULL(GA_ERR_HOST_MEMORY, op, NULL);
    memset(g, 0, sizeof *g);
    g->dev = d;
    g->step = step;
    g->arg = arg;
    g->inside = 1;                  /* the handle's own                     */
    if (d->be->capture_begin(d, op, g)) {
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
    ga__step(g);
    ga__me.capture = NULL;
    *at = before;
    if (!ga__me.error && g->inside > 1)
        ga__fail(GA_ERR_CAPTURE, op, "%d arrays made by the function outlive "
                 "it; write results into arrays from outside (_into)",
                 g->inside - 1);
    bool keep = !ga__me.error;
    if (d->be->capture_end(d, op, g, keep)) keep = false;
    if (pending) {
        ga__me.error = pending;
        memcpy(ga__me.message, message, sizeof message);
    }
    if (keep) return g;
    ga__graph_free(g);
    return NULL;
}
GA_API ga_status ga_graph_launch(ga_graph *g) {
    const char *op = "ga_graph_launch";
    if (!g && ga__me.error) return ga__me.error;
    if (!g) return ga__fail(GA_ERR_NULL, op, "the graph is NULL");
    if (ga__capturing(op)) return GA_ERR_CAPTURE;
    ga__device *d = ga__current(op);
    if (!d) return ga__failed();
    if (d != g->dev)
        return ga__fail(GA_ERR_DEVICE_MISMATCH, op, "the graph was made on "
                        "device %d, the current device is %d", g->dev->id,
                        d->id);
    ga_stream *s = ga__stream(d);
    ga_status st = GA_OK;
    for (int i = 0; i < g->nheld && !st; i++)
        st = ga__order(op, g->held[i], s, g->wrote[i]);
    if (!st) st = d->be->graph_launch(d, op, g, s);
    return st ? st : ga__after(op, d, s);
}
GA_API void ga_graph_destroy(ga_graph *g) {
    if (g && !ga__capturing("ga_graph_destroy")) ga__graph_free(g);
}

/* --------------------------------------------- public: between the devices */
static ga_array *ga__copy_as(const char *op, const ga_array *x, ga_dtype t);
GA_API ga_array *(ga_to_device)(const ga_array *x, int device) {
    const char *op = "ga_to_device";
    if (!ga__ok(op, x)) return NULL;
    if (!x->ga__buf)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, op, "a C number has no "
                                    "device");
    if (x->device == device) return (ga_view)(x);
    if (ga__capturing(op)) return NULL;
    ga__device *to = ga__device_of(op, device), *from = x->ga__buf->dev;
    if (!to) return NULL;
    ga_array *copy = NULL;          /* of a strided x, on its own device    */
    if (!ga_is_contiguous(x)) {
        ga_device_guard g = ga_device_begin(x->device);
        copy = ga__copy_as(op, x, x->dtype);
        ga_device_end(&g);
        if (!copy) return NULL;
        x = copy;
    }
    ga_array *y = ga__new(op, to, x->ndim, x->shape, x->dtype, NULL);
    size_t bytes = (size_t)x->size * ga__size(x->dtype);
    bool up = from->id == GA_CPU, down = to->id == GA_CPU;
    ga_stream *s = ga__stream(down ? from : to);
    ga_status st = y ? GA_OK : GA_ERR_HOST_MEMORY;
    if (!st && bytes) {
        st = ga__order(op, x->ga__buf, s, false);
        if (!st) st = ga__order(op, y->ga__buf, s, true);
        if (!st && up)
            st = to->be->copy(to, op, GA__H2D, y->data, x->data, bytes, s,
                              false);
        else if (!st && down)
            st = from->be->copy(from, op, GA__D2H, y->data, x->data, bytes, s,
                                false);
#ifndef GPUARR_NO_CUDA
        else if (!st)
            st = ga__cuda_copy_peer(op, to, y->data, from, x->data, bytes, s);
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
static ga__device *ga__same_device(const char *op, const ga_array *const *x,
                                   int n);
static ga_dtype ga__computes_in(ga__op op, ga_dtype t);
static ga_status ga__operate(const char *name, ga__op op, ga_array *out,
                             ga_array **made, const ga_array *const *x, int n,
                             const double *param);

GA_API ga_array *(ga_empty)(ga_shape s, ga_dtype t) {
    return ga__new("ga_empty", ga__current("ga_empty"), s.ndim, s.dim, t, NULL);
}

static ga_status ga__zero(const char *op, ga_array *x) {
    ga__device *d = x->ga__buf->dev;
    ga_stream *s = ga__stream(d);
    if (!x->size) return GA_OK;
    ga_status st = ga__order(op, x->ga__buf, s, true);
    if (!st)
        st = d->be->zero(d, op, x->data, (size_t)x->size * ga__size(x->dtype),
                         s);
    return st ? st : ga__after(op, d, s);
}
/* x, or NULL and x freed where the work on it failed. */
static ga_array *ga__or_free(ga_array *x, ga_status st) {
    if (!st) return x;
    ga_free(x);
    return NULL;
}

static ga_array *ga__zeros(const char *op, int ndim, const int64_t *shape,
                           ga_dtype t, const int *order) {
    ga_array *x = ga__new(op, ga__current(op), ndim, shape, t, order);
    return x ? ga__or_free(x, ga__zero(op, x)) : NULL;
}
GA_API ga_array *(ga_zeros)(ga_shape s, ga_dtype t) {
    return ga__zeros("ga_zeros", s.ndim, s.dim, t, NULL);
}

/* Writes the value, a C number or rank-0 array, into all of x. */
static ga_status ga__fill(const char *op, ga_array *x, const ga_array *value) {
    ga_dtype c = ga__computes_in(GA__OP_copy, value->dtype);
    return ga__launch(op, x->ga__buf->dev, GA__OP_copy, c, x, &value, 1, NULL);
}
static ga_array *ga__full(const char *op, int ndim, const int64_t *shape,
                          const ga_array *value, ga_dtype t, const int *order) {
    if (!ga__ok(op, value)) return NULL;
    if (value->ndim)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, op, "the value has shape %s, "
                                    "not ()", ga__shape_text(value->ndim,
                                                             value->shape));
    if (!ga__is_number(value) && !ga__same_device(op, &value, 1)) return NULL;
    ga_array *x = ga__new(op, ga__current(op), ndim, shape, t, order);
    return x ? ga__or_free(x, ga__fill(op, x, value)) : NULL;
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
    const char *op = "ga_empty_like";
    if (!ga__ok(op, x)) return NULL;
    ga__order_of(x, order);
    return ga__new(op, ga__is_number(x) ? ga__current(op) : x->ga__buf->dev,
                   x->ndim, x->shape, x->dtype, order);
}
static ga_array *ga__full_like(const char *op, const ga_array *x,
                               const ga_array *value) {
    if (!ga__ok(op, x) || !ga__ok(op, value)) return NULL;
    if (value->ndim)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, op, "the value has shape %s, "
                                    "not ()", ga__shape_text(value->ndim,
                                                             value->shape));
    const ga_array *both[2] = {x, value};
    if (!ga__same_device(op, both, 2)) return NULL;
    int order[GA_MAX_NDIM];
    ga__order_of(x, order);
    ga_array *r = ga__new(op, ga__current(op), x->ndim, x->shape, x->dtype,
                          order);
    return r ? ga__or_free(r, ga__fill(op, r, value)) : NULL;
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
static ga_array *ga__range(const char *op, int64_t n, ga_dtype t, bool integer,
                           int64_t i0, int64_t di, double f0, double df) {
    ga_array *x = ga__new(op, ga__current(op), 1, &n, t, NULL);
    if (!x || !n) return x;
    ga__device *d = x->ga__buf->dev;
    ga_stream *s = ga__stream(d);
    ga_status st = ga__order(op, x->ga__buf, s, true);
    if (!st)
        st = d->be->range(d, op, x->data, t, n, integer, i0, di, f0, df, s);
    if (!st) st = ga__after(op, d, s);
    return ga__or_free(x, st);
}

static ga_array *ga__arange(const char *op, const ga_array *start,
                            const ga_array *stop, const ga_array *step,
                            ga_dtype t) {
    const ga_array *arg[3] = {start, stop, step};
    bool integer = true;
    double f[3];
    int64_t i[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        if (!ga__ok(op, arg[k])) return NULL;
        if (!ga__is_number(arg[k]) || ga__kind(arg[k]->dtype) == 'c')
            return (ga_array *)GA__NULL(GA_ERR_DTYPE, op,
                                        "start, stop and step are real C numbers");
        ga__cast_element(arg[k]->data, arg[k]->dtype, &f[k], GA_FLOAT64);
        ga__cast_element(arg[k]->data, arg[k]->dtype, &i[k], GA_INT64);
        integer &= ga__kind(arg[k]->dtype) != 'f';
        if (arg[k]->dtype == GA_UINT64) integer = false;
    }
    if (integer ? i[2] == 0 : f[2] == 0)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, op, "the step is 0");
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
            return (ga_array *)GA__NULL(GA_ERR_SIZE, op, "from %g to %g by %g "
                                        "is no finite number of elements",
                                        f[0], f[1], f[2]);
        if (count > 0) n = (int64_t)count;
    }
    if (t == GA_NUM_DTYPES) t = integer ? GA_INT64 : GA_FLOAT64;
    if (!ga__dtype_ok(op, t)) return NULL;
    if (t == GA_BOOL && n > 2)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, op, "%" PRId64 " elements of "
                                    "bool; at most 2 are possible", n);
    /* NumPy steps by the difference of the first two elements as stored */
    return ga__range(op, n, t, integer, i[0], i[2], f[0],
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
static ga_status ga__poke(const char *op, ga_array *x, int64_t i,
                          double value) {
    ga_array number, one = *x;
    one.ndim = 0;
    one.size = 1;
    one.data = (char *)x->data + i * (int64_t)ga__size(x->dtype);
    return ga__fill(op, &one, ga__arg_f(value, &number));
}

static ga_array *ga__linspace(const char *op, double start, double stop,
                              int64_t num, bool endpoint, ga_dtype t) {
    if (num < 0)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, op, "num is %" PRId64, num);
    double div = (double)(endpoint ? num - 1 : num), delta = stop - start;
    double step = div > 0 ? delta / div : 0;
    bool floors = ga__is_dtype(t) && ga__is_int(t);
    /* an integer result is the floor of the exact values, as in NumPy */
    ga_array *x = ga__range(op, num, floors ? GA_FLOAT64 : t, false, 0, 0,
                            start, step);
    if (x && endpoint && num > 1)
        x = ga__or_free(x, ga__poke(op, x, num - 1, stop));
    if (x && floors) {
        const ga_array *exact = x;
        x = ga__or_free(x, ga__operate(op, GA__OP_floor, x, NULL, &exact, 1,
                                       NULL));
        ga_array *down = x;
        if (down) x = ga__copy_as(op, down, t);
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
static ga_array *ga__logspace(const char *op, double start, double stop,
                              int64_t num, double base) {
    ga_array number;
    ga_array *x = ga__linspace(op, start, stop, num, true, GA_FLOAT64);
    const ga_array *in[2] = {ga__arg_f(base, &number), x};
    if (!x) return NULL;
    return ga__or_free(x, ga__operate(op, GA__OP_power, x, NULL, in, 2, NULL));
}
GA_API ga_array *(ga_logspace)(double start, double stop, int64_t num,
                               double base) {
    return ga__logspace("ga_logspace", start, stop, num, base);
}
GA_API ga_array *(ga_geomspace)(double start, double stop, int64_t num) {
    const char *op = "ga_geomspace";
    if (!(start > 0 && stop > 0) && !(start < 0 && stop < 0))
        return (ga_array *)GA__NULL(GA_ERR_VALUE, op, "start %g and stop %g must "
                                    "be nonzero and of one sign", start, stop);
    ga_array *x = ga__logspace(op, log10(fabs(start)), log10(fabs(stop)), num,
                               10.0);
    const ga_array *in = x;
    ga_status st = GA_OK;
    if (x && start < 0)
        st = ga__operate(op, GA__OP_negative, x, NULL, &in, 1, NULL);
    if (x && !st && num > 0) st = ga__poke(op, x, 0, start);
    if (x && !st && num > 1) st = ga__poke(op, x, num - 1, stop);
    return x ? ga__or_free(x, st) : NULL;
}
static ga_array *ga__eye(const char *op, int64_t n, int64_t m, int64_t k,
                         ga_dtype t) {
    int64_t shape[2] = {n, m};
    ga_array *x = ga__zeros(op, 2, shape, t, NULL), number;
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
    return ga__or_free(x, ga__fill(op, &diagonal, ga__arg_i(1, &number)));
}
GA_API ga_array *(ga_eye)(int64_t n, int64_t m, int64_t k, ga_dtype t) {
    return ga__eye("ga_eye", n, m, k, t);
}
GA_API ga_array *(ga_identity)(int64_t n, ga_dtype t) {
    return ga__eye("ga_identity", n, n, 0, t);
}

GA_API ga_array *(ga_wrap)(void *ptr, ga_dtype t, ga_shape shape,
                           const int64_t *strides, int device,
                           void (*deleter)(void *, void *), void *arg) {
    const char *op = "ga_wrap";
    int64_t n;
    ga__device *d = ga__device_of(op, device);
    if (!d || !ga__dtype_ok(op, t) || !ga__count(op, shape.ndim, shape.dim, t, &n))
        return NULL;
    if (!ptr && n)
        return (ga_array *)GA__NULL(GA_ERR_NULL, op, "the pointer is NULL");
    size_t align = ga__size(t) < 8 ? ga__size(t) : 8;
    if (n && (uintptr_t)ptr % align)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, op, "the pointer %p is not "
                                    "aligned to %zu bytes, as %s wants", ptr,
                                    align, ga_dtype_name(t));
    ga__buffer *b = ga__buffer_new(op, d, 0);
    if (!b) return NULL;
    ga_array *x = ga__handle(op);
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

/* =============================================================== >>i-host */
static ga_array *ga__from_host(const char *op, const void *host, ga_dtype t,
                               ga_shape shape, bool async) {
    ga_array *x = ga__new(op, ga__current(op), shape.ndim, shape.dim, t, NULL);
    if (!x || !x->size) return x;
    if (!host) {
        ga_free(x);
        return (ga_array *)GA__NULL(GA_ERR_NULL, op, "the host pointer is NULL");
    }
    ga__device *d = x->ga__buf->dev;
    ga_stream *s = ga__stream(d);
    ga_status st = ga__order(op, x->ga__buf, s, true);
    if (!st)
        st = d->be->copy(d, op, GA__H2D, x->data, host,
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
static const ga_array *ga__in_c_order(const char *op, const ga_array *x,
                                      bool *made) {
    *made = !ga_is_contiguous(x);
    if (!*made) return x;
    ga_device_guard g = ga_device_begin(x->device);
    ga_array *c = ga__copy_as(op, x, x->dtype);
    ga_device_end(&g);
    return c;
}

static void *ga__to_host(const char *op, const ga_array *x, void *dst,
                         bool async) {
    if (!ga__ok(op, x)) return NULL;
    size_t bytes = (size_t)x->size * ga__size(x->dtype);
    if (async && !dst)
        return GA__NULL(GA_ERR_NULL, op, "the destination is NULL");
    void *block = dst ? dst : malloc(bytes ? bytes : 1);
    if (!block) return GA__NULL(GA_ERR_HOST_MEMORY, op, "%zu bytes", bytes);
    if (ga__is_number(x)) return memcpy(block, x->data, bytes);
    bool made = false;
    const ga_array *c = bytes ? ga__in_c_order(op, x, &made) : x;
    ga_status st = c ? GA_OK : ga__failed();
    if (c && bytes) {
        ga__device *d = x->ga__buf->dev;
        ga_stream *s = ga__stream(d);
        st = ga__order(op, c->ga__buf, s, false);
        if (!st)
            st = d->be->copy(d, op, GA__D2H, block, c->data, bytes, s, async);
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
static ga_status ga__item(const char *op, const ga_array *x, const void *data,
                          void *out, ga_dtype t) {
    unsigned char raw[16];
    if (ga__is_number(x)) {
        memcpy(raw, data, ga__size(x->dtype));
    } else {
        ga__device *d = x->ga__buf->dev;
        ga_stream *s = ga__stream(d);
        ga_status st = ga__order(op, x->ga__buf, s, false);
        if (!st) st = d->be->fetch(d, op, raw, data, (int)ga__size(x->dtype), s);
        if (st) return st;
    }
    ga__cast_element(raw, x->dtype, out, t);
    return GA_OK;
}
static bool ga__item_ok(const char *op, const ga_array *x, ga_dtype t) {
    if (!ga__ok(op, x)) return false;
    if (x->size != 1) {
        ga__fail(GA_ERR_SHAPE, op, "shape %s has %" PRId64 " elements, not one",
                 ga__shape_text(x->ndim, x->shape), x->size);
        return false;
    }
    char k = ga__kind(x->dtype);
    if (t == GA_COMPLEX128 || (t == GA_FLOAT64 && k != 'c')
        || (t == GA_INT64 && k != 'c' && k != 'f'))
        return true;
    ga__fail(GA_ERR_DTYPE, op, "the array is %s", ga_dtype_name(x->dtype));
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
    const char *op = "ga_item_at";
    if (!ga__ok(op, x)) return (double)NAN;
    if (index.ndim != x->ndim) {
        ga__fail(GA_ERR_INDEX, op, "%d indices for shape %s", index.ndim,
                 ga__shape_text(x->ndim, x->shape));
        return (double)NAN;
    }
    if (ga__kind(x->dtype) == 'c') {
        ga__fail(GA_ERR_DTYPE, op, "the array is %s", ga_dtype_name(x->dtype));
        return (double)NAN;
    }
    int64_t off = 0;
    for (int i = 0; i < x->ndim; i++) {
        int64_t k = index.dim[i], n = x->shape[i];
        if (k < -n || k >= n) {
            ga__fail(GA_ERR_INDEX, op, "index %" PRId64 " is out of bounds for "
                     "axis %d with size %" PRId64, k, i, n);
            return (double)NAN;
        }
        off += (k < 0 ? k + n : k) * x->strides[i];
    }
    double v;
    const char *p = (const char *)x->data + off * (int64_t)ga__size(x->dtype);
    return ga__item(op, x, p, &v, GA_FLOAT64) ? (double)NAN : v;
}

static ga_array *ga__copy_as(const char *op, const ga_array *x, ga_dtype t) {
    if (!ga__ok(op, x) || !ga__dtype_ok(op, t)) return NULL;
    if (!ga__same_device(op, &x, 1)) return NULL;
    ga_array *r = ga__new(op, ga__current(op), x->ndim, x->shape, t, NULL);
    if (!r) return NULL;
    ga_dtype c = ga__computes_in(GA__OP_copy, x->dtype);
    return ga__or_free(r, ga__launch(op, r->ga__buf->dev, GA__OP_copy, c, r, &x,
                                     1, NULL));
}
GA_API ga_array *(ga_copy)(const ga_array *x) {
    return ga__copy_as("ga_copy", x, x ? x->dtype : GA_BOOL);
}
GA_API ga_array *(ga_astype)(const ga_array *x, ga_dtype t) {
    return ga__copy_as("ga_astype", x, t);
}
GA_API ga_array *(ga_ascontiguousarray)(const ga_array *x) {
    const char *op = "ga_ascontiguousarray";
    if (!ga__ok(op, x)) return NULL;
    return ga_is_contiguous(x) && !ga__is_number(x)
               ? ga__view_new(op, x) : ga__copy_as(op, x, x->dtype);
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
static int ga__axes_list(const char *op, ga_axis a, int ndim, int *out) {
    unsigned mask;
    if (!ga__axes_mask(op, a, ndim, &mask)) return -1;
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
static ga_status ga__slice_error(ga_status st, const char *op,
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
    return ga__fail(st, op, "%s, at character %zu\n    %s\n    %*s^", reason,
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
static ga_status ga__parse_slice(const char *op, const char *text,
                                 ga__index *out, int *count) {
    bool dots = false, huge;
    const char *p = ga__skip_blank(text), *q;
    *count = 0;
    if (!*p)
        return ga__slice_error(GA_ERR_SYNTAX, op, text, (size_t)(p - text),
                               "an index is missing");
    while (*p) {
        const char *at = p;
        ga__index it = {GA__RANGE, false, false, 0, 0, 1};
        if (*count == GA__MAX_INDEX)
            return ga__slice_error(GA_ERR_INDEX, op, text, (size_t)(p - text),
                                   "too many indices");
        if (!strncmp(p, "...", 3)) {
            if (dots)
                return ga__slice_error(GA_ERR_SYNTAX, op, text,
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
                    return ga__slice_error(GA_ERR_SYNTAX, op, text,
                                           (size_t)(p - text), "expected an "
                                           "integer, ':', '...' or newaxis");
                if (huge)
                    return ga__slice_error(GA_ERR_INDEX, op, text,
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
                        return ga__slice_error(GA_ERR_VALUE, op, text,
                                               (size_t)(p - text),
                                               "the step cannot be zero");
                    p = q;
                }
            }
        }
        p = ga__skip_blank(p);
        if (*p && *p != ',')
            return ga__slice_error(
                GA_ERR_SYNTAX, op, text, (size_t)(p - text),
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
static bool ga__pick(const char *op, const ga_array *x, int a, int64_t i,
                     int64_t *skip) {
    int64_t n = x->shape[a], k = i < 0 ? i + n : i;
    if (k < 0 || k >= n) {
        ga__fail(GA_ERR_INDEX, op, "index %" PRId64 " is out of bounds for "
                 "axis %d with size %" PRId64, i, a, n);
        return false;
    }
    *skip += k * x->strides[a];
    return true;
}

GA_API ga_array *(ga_slice)(const ga_array *x, const char *fmt, ...) {
    static const char op[] = "ga_slice";
    char text[GA__SLICE_TEXT + 1];
    ga__index it[GA__MAX_INDEX];
    int n, used = 0, fresh = 0, dots = -1;
    if (!ga__ok(op, x)) return NULL;
    if (!fmt) return (ga_array *)GA__NULL(GA_ERR_NULL, op, "the text is NULL");
    va_list ap;
    va_start(ap, fmt);
    n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n < 0 || n >= (int)sizeof text)
        return (ga_array *)GA__NULL(GA_ERR_SYNTAX, op, "the text has %d "
                                    "characters; %d are possible", n,
                                    GA__SLICE_TEXT);
    if (ga__parse_slice(op, text, it, &n)) return NULL;
    for (int i = 0; i < n; i++) {
        used += it[i].kind == GA__INTEGER || it[i].kind == GA__RANGE;
        fresh += it[i].kind == GA__NEWAXIS;
        if (it[i].kind == GA__INTEGER) fresh--;
        if (it[i].kind == GA__DOTS) dots = i;
    }
    if (used > x->ndim)
        return (ga_array *)GA__NULL(GA_ERR_INDEX, op, "too many indices: the "
                                    "array has %d dimensions, but %d were "
                                    "indexed by \"%s\"", x->ndim, used, text);
    if (x->ndim + fresh > GA_MAX_NDIM)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, op, "\"%s\" gives %d "
                                    "dimensions; %d are possible", text,
                                    x->ndim + fresh, GA_MAX_NDIM);
    ga_array *v = ga__view_new(op, x);
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
        } else if (!ga__pick(op, x, a++, it[i].start, &skip)) {
            ga_free(v);
            return NULL;
        }
    }
    while (a < x->ndim) skip += ga__cut(v, x, a++, whole);
    return ga__view_done(v, skip);
}

GA_API ga_array *(ga_slice_axis)(const ga_array *x, int axis, int64_t start,
                                 int64_t stop, int64_t step) {
    static const char op[] = "ga_slice_axis";
    ga__index r = {GA__RANGE, start != GA_END, stop != GA_END, start, stop,
                   step};
    if (!ga__ok(op, x)) return NULL;
    int a = ga__axis(op, axis, x->ndim);
    if (a < 0) return NULL;
    if (!step)
        return (ga_array *)GA__NULL(GA_ERR_VALUE, op,
                                    "the step cannot be zero");
    ga_array *v = ga__view_new(op, x);
    if (!v) return NULL;
    v->ndim = a;
    int64_t skip = ga__cut(v, x, a, r);
    v->ndim = x->ndim;
    return ga__view_done(v, skip);
}

GA_API ga_array *(ga_index_axis)(const ga_array *x, int axis, int64_t i) {
    static const char op[] = "ga_index_axis";
    int64_t skip = 0;
    if (!ga__ok(op, x)) return NULL;
    int a = ga__axis(op, axis, x->ndim);
    if (a < 0 || !ga__pick(op, x, a, i, &skip)) return NULL;
    ga_array *v = ga__view_new(op, x);
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

static ga_array *ga__reshape(const char *op, const ga_array *x,
                             ga_shape shape) {
    int64_t known, strides[GA_MAX_NDIM];
    int hole = -1;
    if (!ga__ok(op, x)) return NULL;
    if (shape.ndim < 0 || shape.ndim > GA_MAX_NDIM)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, op, "%d dimensions; 0 to %d "
                                    "are possible", shape.ndim, GA_MAX_NDIM);
    ga_shape want = shape;
    for (int i = 0; i < want.ndim; i++) {
        if (want.dim[i] != -1) continue;
        if (hole >= 0)
            return (ga_array *)GA__NULL(GA_ERR_SHAPE, op, "-1 is possible once "
                                        "in a shape, not twice as in %s",
                                        ga__shape_text(shape.ndim, shape.dim));
        hole = i;
        want.dim[i] = 1;
    }
    if (!ga__count(op, want.ndim, want.dim, x->dtype, &known)) return NULL;
    bool fits = known == x->size;
    if (hole >= 0) {
        fits = known && x->size % known == 0;
        if (fits) want.dim[hole] = x->size / known;
    }
    if (!fits)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, op, "an array of shape %s "
                                    "and size %" PRId64 " does not reshape to "
                                    "%s", ga__shape_text(x->ndim, x->shape),
                                    x->size,
                                    ga__shape_text(shape.ndim, shape.dim));
    bool same = x->size && ga__restride(x, want.ndim, want.dim, strides);
    ga_array *v;
    if (same || !x->size) {
        v = ga__view_new(op, x);
    } else {                        /* on x's device                        */
        ga_device_guard g = ga_device_begin(x->device);
        v = ga__copy_as(op, x, x->dtype);
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
static ga_array *ga__permuted(const char *op, const ga_array *x,
                              const int *perm) {
    ga_array *v = ga__view_new(op, x);
    for (int i = 0; v && i < x->ndim; i++) {
        v->shape[i] = x->shape[perm[i]];
        v->strides[i] = x->strides[perm[i]];
    }
    return v;
}
GA_API ga_array *(ga_transpose)(const ga_array *x, ga_axis perm) {
    static const char op[] = "ga_transpose";
    int p[GA_MAX_NDIM];
    if (!ga__ok(op, x)) return NULL;
    int n = ga__axes_list(op, perm, x->ndim, p);
    if (n < 0) return NULL;
    if (n != x->ndim)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, op, "%d axes given for an "
                                    "array of %d dimensions", n, x->ndim);
    for (int i = 0; perm.n < 0 && i < n; i++) p[i] = n - 1 - i;
    return ga__permuted(op, x, p);
}
GA_API ga_array *(ga_swapaxes)(const ga_array *x, int a, int b) {
    static const char op[] = "ga_swapaxes";
    int p[GA_MAX_NDIM];
    if (!ga__ok(op, x)) return NULL;
    if ((a = ga__axis(op, a, x->ndim)) < 0
        || (b = ga__axis(op, b, x->ndim)) < 0)
        return NULL;
    for (int i = 0; i < x->ndim; i++) p[i] = i;
    p[a] = b;
    p[b] = a;
    return ga__permuted(op, x, p);
}
GA_API ga_array *(ga_moveaxis)(const ga_array *x, ga_axis from, ga_axis to) {
    static const char op[] = "ga_moveaxis";
    int f[GA_MAX_NDIM], t[GA_MAX_NDIM], p[GA_MAX_NDIM];
    unsigned taken = 0, moved = 0;
    if (!ga__ok(op, x)) return NULL;
    int n = ga__axes_list(op, from, x->ndim, f);
    int m = n < 0 ? -1 : ga__axes_list(op, to, x->ndim, t);
    if (m < 0) return NULL;
    if (n != m)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, op, "%d axes cannot move to "
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
    return ga__permuted(op, x, p);
}

GA_API ga_array *(ga_expand_dims)(const ga_array *x, ga_axis at) {
    static const char op[] = "ga_expand_dims";
    unsigned mask;
    if (!ga__ok(op, x)) return NULL;
    if (at.n < 0)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, op, "GA_ALL is no position; "
                                    "name them by GA_AXIS");
    if (at.n > GA_MAX_NDIM - x->ndim)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, op, "%d more dimensions for "
                                    "shape %s; %d in all are possible", at.n,
                                    ga__shape_text(x->ndim, x->shape),
                                    GA_MAX_NDIM);
    if (!ga__axes_mask(op, at, x->ndim + at.n, &mask)) return NULL;
    ga_array *v = ga__view_new(op, x);
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
    static const char op[] = "ga_squeeze";
    unsigned mask;
    if (!ga__ok(op, x) || !ga__axes_mask(op, at, x->ndim, &mask)) return NULL;
    for (int i = 0; i < x->ndim; i++) {
        if (!(mask >> i & 1) || x->shape[i] == 1) continue;
        if (at.n >= 0)
            return (ga_array *)GA__NULL(GA_ERR_SHAPE, op, "axis %d of shape %s "
                                        "does not have length 1", i,
                                        ga__shape_text(x->ndim, x->shape));
        mask &= ~(1u << i);
    }
    ga_array *v = ga__view_new(op, x);
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
    static const char op[] = "ga_broadcast_to";
    int64_t n;
    if (!ga__ok(op, x)
        || !ga__count(op, shape.ndim, shape.dim, x->dtype, &n))
        return NULL;
    int lead = shape.ndim - x->ndim;
    bool fits = lead >= 0;
    for (int i = 0; fits && i < x->ndim; i++)
        fits = x->shape[i] == 1 || x->shape[i] == shape.dim[lead + i];
    if (!fits)
        return (ga_array *)GA__NULL(GA_ERR_SHAPE, op, "shape %s does not "
                                    "broadcast to %s",
                                    ga__shape_text(x->ndim, x->shape),
                                    ga__shape_text(shape.ndim, shape.dim));
    ga_array *v = ga__view_new(op, x);
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
    static const char op[] = "ga_flip";
    unsigned mask;
    if (!ga__ok(op, x) || !ga__axes_mask(op, at, x->ndim, &mask)) return NULL;
    ga_array *v = ga__view_new(op, x);
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
    static const char op[] = "ga_diagonal";
    if (!ga__ok(op, x)) return NULL;
    int a = ga__axis(op, axis1, x->ndim);
    int b = a < 0 ? -1 : ga__axis(op, axis2, x->ndim);
    if (b < 0) return NULL;
    if (a == b)
        return (ga_array *)GA__NULL(GA_ERR_AXIS, op, "axis1 and axis2 are both "
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
    ga_array *v = ga__view_new(op, x);
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
static ga_array *ga__part(const char *op, const ga_array *x, int part) {
    ga_array *v = ga__view_new(op, x);
    if (!v) return NULL;
    v->dtype = x->dtype == GA_COMPLEX64 ? GA_FLOAT32 : GA_FLOAT64;
    for (int i = 0; i < x->ndim; i++) v->strides[i] = 2 * x->strides[i];
    return ga__view_done(v, part);
}
GA_API ga_array *(ga_real)(const ga_array *x) {
    static const char op[] = "ga_real";
    if (!ga__ok(op, x)) return NULL;
    if (ga__kind(x->dtype) != 'c') return ga__view_new(op, x);
    return ga__part(op, x, 0);
}
GA_API ga_array *(ga_imag)(const ga_array *x) {
    static const char op[] = "ga_imag";
    if (!ga__ok(op, x)) return NULL;
    if (ga__kind(x->dtype) == 'c') return ga__part(op, x, 1);
    ga_device_guard g = ga_device_begin(x->device);
    ga_array *z = ga__zeros(op, x->ndim, x->shape, x->dtype, NULL);
    ga_device_end(&g);
    return z;
}


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
static ga__device *ga__same_device(const char *op, const ga_array *const *x,
                                   int n) {
    ga__device *d = ga__current(op);
    for (int i = 0; d && i < n; i++)
        if (!ga__is_number(x[i]) && x[i]->device != d->id) {
            ga__fail(GA_ERR_DEVICE_MISMATCH, op, "array device must be same as "
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

/* An integer or bool as the smallest float that stands for it in NumPy. */
static ga_dtype ga__float_for(ga_dtype t) {
    if (t != GA_BOOL && !ga__is_int(t)) return t;
    size_t size = ga__size(t);
    return size == 1 ? GA_FLOAT16 : size == 2 ? GA_FLOAT32 : GA_FLOAT64;
}

/* The dtype in which NumPy 2 would compute: strong dtypes promote, then a
   C number adds at most its kind. Where a row of floats alone is given only
   integer arrays they become floats first. GA_NUM_DTYPES and an error if it
   cannot.                                                                  */
static ga_dtype ga__common(const char *name, ga__op op, const ga_array *const *x,
                           int n) {
    unsigned types = ga__ops[op].types;
    ga_dtype strong = GA_NUM_DTYPES, weak = GA_NUM_DTYPES;
    bool floats = (types & (GA__I | GA__F | GA__D)) == GA__F;
    for (int i = 0; i < n && floats; i++)
        floats = x[i]->ga__magic != GA__WEAK
                 && (x[i]->dtype == GA_BOOL || ga__is_int(x[i]->dtype));
    for (int i = 0; i < n; i++) {
        bool w = x[i]->ga__magic == GA__WEAK;
        ga_dtype *t = w ? &weak : &strong;
        ga_dtype u = floats ? ga__float_for(x[i]->dtype) : x[i]->dtype;
        *t = *t == GA_NUM_DTYPES ? u : ga_promote_types(*t, u);
    }
    if (weak == GA_NUM_DTYPES) return strong;
    if (strong == GA_NUM_DTYPES) return weak;
    char s = ga__kind(strong), w = ga__kind(weak);
    if (w == 'c') {
        if (s == 'c') return strong;
        return s == 'f' && strong != GA_FLOAT64 ? GA_COMPLEX64 : GA_COMPLEX128;
    }
    if (w == 'f') return s == 'f' || s == 'c' ? strong : GA_FLOAT64;
    if (s == 'b') return weak;
    if (!ga__is_int(strong)) return strong;
    for (int i = 0; i < n; i++) {
        if (x[i]->ga__magic != GA__WEAK || ga__fits(x[i], strong)) continue;
        if (ga__is_comparison(op)) return ga_promote_types(strong, weak);
        if (x[i]->dtype == GA_UINT64)
            ga__fail(GA_ERR_VALUE, name, "%" PRIu64 " is out of range for %s",
                     x[i]->ga__value.u, ga_dtype_name(strong));
        else
            ga__fail(GA_ERR_VALUE, name, "%" PRId64 " is out of range for %s",
                     x[i]->ga__value.i, ga_dtype_name(strong));
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

static void ga__swap_axes(ga__ew *e, int a, int b) {
    int64_t t = e->shape[a];
    e->shape[a] = e->shape[b];
    e->shape[b] = t;
    for (int k = -1; k < e->nin; k++) {
        int64_t *s = k < 0 ? e->out.stride : e->in[k].stride;
        t = s[a];
        s[a] = s[b];
        s[b] = t;
    }
}
/* Drops axes of length 1, turns the output's strides positive, sorts by them
   (fastest last) and merges neighbours that are one axis for all operands.  */
static void ga__normalise(ga__ew *e) {
    int n = 0;
    for (int d = 0; d < e->ndim; d++)
        if (e->shape[d] != 1) {
            if (n != d) ga__swap_axes(e, n, d);
            n++;
        }
    e->ndim = n;
    for (int d = 0; d < n; d++) {
        if (e->out.stride[d] >= 0) continue;
        for (int k = -1; k < e->nin; k++) {
            ga__operand_view *o = k < 0 ? &e->out : &e->in[k];
            if (!o->data) continue;
            o->data = (char *)o->data + (e->shape[d] - 1) * o->stride[d]
                                            * (int64_t)ga__size(o->dtype);
            o->stride[d] = -o->stride[d];
        }
    }
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && e->out.stride[j - 1] < e->out.stride[j]; j--)
            ga__swap_axes(e, j - 1, j);
    int at = 0;                     /* the merged axis being grown          */
    for (int d = 1; d < n; d++) {
        bool one = e->out.stride[at] == e->out.stride[d] * e->shape[d];
        for (int k = 0; k < e->nin && one; k++)
            one = !e->in[k].data || e->in[k].stride[at]
                                        == e->in[k].stride[d] * e->shape[d];
        if (!one) {
            at++;
            if (at != d) ga__swap_axes(e, at, d);
            continue;
        }
        e->shape[at] *= e->shape[d];
        e->out.stride[at] = e->out.stride[d];
        for (int k = 0; k < e->nin; k++)
            e->in[k].stride[at] = e->in[k].stride[d];
    }
    e->ndim = n ? at + 1 : 1;
    if (!n) {
        e->shape[0] = 1;
        e->out.stride[0] = 1;
        for (int k = 0; k < e->nin; k++) e->in[k].stride[0] = e->in[k].data != NULL;
    }
}

/* An input that runs along another axis than the output reads whole sectors
   for single elements: above this many elements it pays to transpose it into
   a temporary first (three passes at full rate against one at a fifth).     */
#define GA__TRANSPOSE_FROM 65536
static bool ga__runs_across(const ga__ew *e, int k) {
    const ga__operand_view *o = &e->in[k];
    int last = e->ndim - 1;
    if (!o->data || e->n < GA__TRANSPOSE_FROM || e->shape[last] < 8
        || (o->stride[last] >= -2 && o->stride[last] <= 2))
        return false;
    for (int d = 0; d < last; d++)
        if (o->stride[d] == 1 && e->shape[d] >= 8) return true;
    return false;
}

static ga_status ga__launch(const char *name, ga__device *d, ga__op op,
                            ga_dtype compute, ga_array *out,
                            const ga_array *const *in, int nin,
                            const double *param) {
    ga__ew e;
    ga_array *turned[3] = {NULL, NULL, NULL};
    ga_array element;
    const ga_array *cast[1];
    ga_stream *s = ga__stream(d);
    ga_status st = GA_OK;
    if (!out->size) return GA_OK;
    e.op = op;
    e.nin = nin;
    e.compute = compute;
    e.n = out->size;
    e.ndim = out->ndim;
    memcpy(e.shape, out->shape, sizeof e.shape);
    memcpy(e.out.stride, out->strides, sizeof e.out.stride);
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
        const ga_array *x = in[k];
        ga__operand_view *o = &e.in[k];
        o->dtype = x->dtype;
        memset(o->stride, 0, sizeof o->stride);
        if (ga__is_number(x)) {
            o->data = NULL;
            ga__value(x, compute, o->value.b);
            continue;
        }
        o->data = x->data;
        int skip = out->ndim - x->ndim;     /* negative: leading ones of x  */
        for (int i = skip < 0 ? -skip : 0; i < x->ndim; i++)
            if (x->shape[i] != 1) o->stride[skip + i] = x->strides[i];
    }
    if (op == GA__OP_copy && !ga__is_number(in[0])
        && in[0]->dtype == out->dtype) {    /* bits move, whatever they mean */
        static const ga_dtype same[] = {GA_UINT8, GA_UINT16, GA_UINT32,
                                        GA_UINT64, GA_COMPLEX128};
        int i = 0;
        for (size_t w = ga__size(out->dtype); w > 1; w /= 2) i++;
        e.compute = e.in[0].dtype = e.out.dtype = same[i];
    }
    ga__normalise(&e);
    if (op != GA__OP_copy)
        for (int k = 0; k < nin && !st; k++) {
            if (!ga__runs_across(&e, k)) continue;
            int order[GA_MAX_NDIM], full[GA_MAX_NDIM], m = 0;
            ga__order_of(out, full);
            for (int i = 0; i < out->ndim; i++)
                if (full[i] >= out->ndim - in[k]->ndim)
                    order[m++] = full[i] - (out->ndim - in[k]->ndim);
            turned[k] = ga__new(name, d, in[k]->ndim, in[k]->shape,
                                in[k]->dtype, order);
            st = turned[k] ? ga__launch(name, d, GA__OP_copy,
                                        ga__computes_in(GA__OP_copy,
                                                        in[k]->dtype),
                                        turned[k], &in[k], 1, NULL)
                           : ga__failed();
        }
    if (turned[0] || turned[1] || turned[2]) {
        const ga_array *now[3];
        for (int k = 0; k < nin; k++) now[k] = turned[k] ? turned[k] : in[k];
        if (!st) st = ga__launch(name, d, op, compute, out, now, nin, param);
        for (int k = 0; k < nin; k++) ga_free(turned[k]);
        return st;
    }
    for (int k = 0; k < nin && !st; k++)
        if (!ga__is_number(in[k])) st = ga__order(name, in[k]->ga__buf, s, false);
    if (!st) st = ga__order(name, out->ga__buf, s, true);
    if (!st) st = d->be->elementwise(d, name, &e, s);
    return st ? st : ga__after(name, d, s);
}

/* ------------------------------------------------- one operation, checked */
/* NumPy raises on negative integer powers: arrays of exponents are looked at,
   which synchronises.                                                      */
static ga_status ga__check_power(const char *name, const ga_array *y) {
    int64_t least = 0;
    ga_status st = GA_OK;
    if (ga__kind(y->dtype) != 'i') return GA_OK;
    if (ga__is_number(y)) {
        least = y->ga__value.i;
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
    const ga__op_info *info = &ga__ops[op];
    for (int i = 0; i < n; i++)
        if (!ga__ok(name, x[i])) return ga__failed();
    if (!made && (!ga__ok(name, out) || !ga__writable(name, out)))
        return ga__failed();
    ga__device *d = ga__same_device(name, x, n);
    const ga_array *o = out;
    if (!d || (out && !ga__same_device(name, &o, 1))) return ga__failed();

    /* where promotes its values alone, ldexp its first operand alone */
    int first = op == GA__OP_where, count = op == GA__OP_ldexp ? 1 : n - first;
    ga_dtype t = ga__common(name, op, x + first, count);
    if (t == GA_NUM_DTYPES) return ga__failed();
    const ga_array *swapped[2];
    if (ga__is_comparison(op) && n == 2 && t == GA_FLOAT64
        && ga__is_int(x[0]->dtype) && ga__is_int(x[1]->dtype)) {
        /* int64 with uint64: exact, the unsigned one second */
        static const ga__op mirror[] = {
            GA__OP_equal_iu, GA__OP_not_equal_iu, GA__OP_greater_iu,
            GA__OP_greater_equal_iu, GA__OP_less_iu, GA__OP_less_equal_iu};
        int row = (int)(op - GA__OP_equal);
        if (ga__kind(x[0]->dtype) == 'u') {
            swapped[0] = x[1];
            swapped[1] = x[0];
            x = swapped;
            op = mirror[row];
        } else {
            op = (ga__op)(GA__OP_equal_iu + row);
        }
        t = GA_INT64;
    }
    t = ga__supported(name, info->types, t);
    if (t == GA_NUM_DTYPES) return ga__failed();
    if (op == GA__OP_ldexp && (!ga__is_int(x[1]->dtype)
                               && x[1]->dtype != GA_BOOL))
        return ga__fail(GA_ERR_DTYPE, name, "the exponent is %s, not an integer",
                        ga_dtype_name(x[1]->dtype));
    if (op == GA__OP_power && ga__is_int(t)) {
        ga_status st = ga__check_power(name, x[1]);
        if (st) return st;
    }
    ga_dtype result = ga__result_dtype(info->result, t);
    ga_dtype compute = ga__computes_in(op, t);

    int ndim;
    int64_t shape[GA_MAX_NDIM];
    if (!ga__broadcast(name, x, n, &ndim, shape)) return ga__failed();
    ga_array *target = out;
    if (out) {
        bool same = out->ndim == ndim;
        for (int i = 0; i < ndim && same; i++) same = out->shape[i] == shape[i];
        if (!same)
            return ga__fail(GA_ERR_SHAPE, name, "the output has shape %s, the "
                            "result %s", ga__shape_text(out->ndim, out->shape),
                            ga__shape_text(ndim, shape));
        if (!ga_can_cast(result, out->dtype))
            return ga__fail(GA_ERR_DTYPE, name, "a result of %s does not go into "
                            "an output of %s", ga_dtype_name(result),
                            ga_dtype_name(out->dtype));
        bool clash = false;
        for (int i = 0; i < n; i++) clash |= ga__disturbs(x[i], out);
        if (clash) target = NULL;
    }
    if (!target) {
        int order[GA_MAX_NDIM], *use = NULL;
        for (int i = 0; i < n && !use; i++)
            if (x[i]->ndim == ndim && ndim > 1 && !ga__is_number(x[i])
                && !memcmp(x[i]->shape, shape, (size_t)ndim * sizeof *shape)) {
                ga__order_of(x[i], order);
                use = order;
            }
        target = ga__new(name, d, ndim, shape, result, use);
        if (!target) return ga__failed();
    }
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
    if (!st) st = ga__launch(name, d, op, compute, target, y, n, param);
    ga_free(condition);
    if (st) {
        if (target != out) ga_free(target);
        return st;
    }
    if (made) {
        *made = target;
    } else if (target != out) {
        const ga_array *source = target;
        st = ga__launch(name, d, GA__OP_copy,
                        ga__computes_in(GA__OP_copy, result), out, &source, 1,
                        NULL);
        ga_free(target);
    }
    return st;
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

/* An open side leaves one comparison, two none. */
static ga_status ga__clip(const char *name, ga_array *out, ga_array **made,
                          const ga_array *x, const ga_array *lo,
                          const ga_array *hi) {
    bool low = !lo || lo->ga__magic != GA__ABSENT;
    bool high = !hi || hi->ga__magic != GA__ABSENT;
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
} ga__red_info;
#define GA__X(n, t, r, ...) {t, GA__R_##r},
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

/* Appends an axis slower than those at hand are fast: length 1 is dropped,
   one that continues the previous merges with it. Returns the new number.  */
static int ga__add_axis(int n, int64_t *shape, int64_t *stride, int64_t length,
                        int64_t step) {
    if (length == 1) return n;
    if (n && stride[n - 1] == step * length) {
        shape[n - 1] *= length;
        stride[n - 1] = step;
        return n;
    }
    shape[n] = length;
    stride[n] = step;
    return n + 1;
}

/* Reduced axes of an operation that asks for no order: strides positive, the
   fastest last, broadcast ones first, neighbours merged.                   */
static void ga__sort_reduced(ga__rd *r) {
    int64_t shape[GA_MAX_NDIM], stride[GA_MAX_NDIM];
    int n = r->nreduce;
    for (int i = 0; i < n; i++) {
        int64_t length = r->red_shape[i], step = r->red_stride[i];
        if (step < 0) {
            r->in = (const char *)r->in + (length - 1) * step
                                              * (int64_t)ga__size(r->in_type);
            step = -step;
        }
        int j = i;
        for (; j > 0 && stride[j - 1] && (!step || stride[j - 1] < step); j--) {
            shape[j] = shape[j - 1];
            stride[j] = stride[j - 1];
        }
        shape[j] = length;
        stride[j] = step;
    }
    r->nreduce = 0;
    for (int i = 0; i < n; i++)
        r->nreduce = ga__add_axis(r->nreduce, r->red_shape, r->red_stride,
                                  shape[i], stride[i]);
}

/* The launch itself: out is new or safe to write, C-contiguous and of the
   result's dtype.                                                          */
static ga_status ga__launch_reduce(const char *name, ga__device *d, ga__red op,
                                   ga_array *out, const ga_array *x,
                                   unsigned mask, double ddof) {
    ga__rd r;
    memset(&r, 0, sizeof r);
    r.op = op;
    r.in_type = x->dtype;
    r.out_type = out->dtype;
    r.in = x->data;
    r.out = out->data;
    r.ddof = ddof;
    r.nout = r.nred = 1;
    if (!out->size) return GA_OK;
    if (!x->size) {                 /* lengths beside a 0 may be huge       */
        r.nreduce = 1;
        r.nred = 0;
    }
    for (int i = 0; i < x->ndim; i++) {
        if (mask >> i & 1) {
            if (!x->size) continue;
            r.nred *= x->shape[i];
            r.nreduce = ga__add_axis(r.nreduce, r.red_shape, r.red_stride,
                                     x->shape[i], x->strides[i]);
        } else {
            r.nout *= x->shape[i];
            r.nkeep = ga__add_axis(r.nkeep, r.keep_shape, r.keep_stride,
                                   x->shape[i], x->strides[i]);
        }
    }
    if (ga__reds[op].result != GA__R_INDEX && r.nred) ga__sort_reduced(&r);

    ga_stream *s = ga__stream(d);
    ga__buffer *work = NULL;
    size_t bytes = d->be->reduce_work(d, &r);
    if (bytes) {
        work = ga__buffer_new(name, d, bytes);
        if (!work) return ga__failed();
        r.work = work->ptr;
    }
    ga_status st = ga__order(name, x->ga__buf, s, false);
    if (!st) st = ga__order(name, out->ga__buf, s, true);
    if (!st) st = d->be->reduce(d, name, &r, s);
    if (!st) st = ga__after(name, d, s);
    ga__release(work);
    return st;
}

/* out = op(x) over the axes, or a new array in *made where out is NULL. */
static ga_status ga__reduce(const char *name, ga__red op, ga_array *out,
                            ga_array **made, const ga_array *x, ga_axis axis,
                            int ddof) {
    const int result = ga__reds[op].result;
    if (!ga__ok(name, x)) return ga__failed();
    if (!made && (!ga__ok(name, out) || !ga__writable(name, out)))
        return ga__failed();
    if (!x->ga__buf)
        return ga__fail(GA_ERR_VALUE, name, "a C number has no axes; an array "
                        "is needed");
    const ga_array *o = out;
    ga__device *d = ga__same_device(name, &x, 1);
    if (!d || (out && !ga__same_device(name, &o, 1))) return ga__failed();
    if (ga__reds[op].types & GA__N && x->dtype == GA_BOOL)
        return ga__fail(GA_ERR_DTYPE, name, "bool is not supported");

    unsigned mask;
    if (!ga__axes_mask(name, axis, x->ndim, &mask)) return ga__failed();
    if (result == GA__R_INDEX && axis.n >= 0 && axis.n != 1)
        return ga__fail(GA_ERR_AXIS, name, "%d axes given; one or GA_ALL is "
                        "possible", axis.n);
    int ndim = 0;
    int64_t shape[GA_MAX_NDIM];
    bool none = false;
    for (int i = 0; i < x->ndim; i++) {
        bool reduced = mask >> i & 1;
        none |= reduced && !x->shape[i];
        if (!reduced || axis.keepdims)
            shape[ndim++] = reduced ? 1 : x->shape[i];
    }
    bool no_identity = result == GA__R_INDEX || result == GA__R_SAME;
    if (none && no_identity) {
        if (axis.n == 1)
            return ga__fail(GA_ERR_EMPTY, name, "shape %s has no elements "
                            "along axis %d", ga__shape_text(x->ndim, x->shape),
                            axis.axis[0]);
        return ga__fail(GA_ERR_EMPTY, name, "shape %s has no elements along "
                        "the %s", ga__shape_text(x->ndim, x->shape),
                        axis.n < 0 ? "axes" : "reduced axes");
    }

    ga_dtype t = ga__reduced_dtype(result, x->dtype);
    if (out) {
        bool same = out->ndim == ndim;
        for (int i = 0; same && i < ndim; i++) same = out->shape[i] == shape[i];
        if (!same)
            return ga__fail(GA_ERR_SHAPE, name, "the output has shape %s, the "
                            "result %s", ga__shape_text(out->ndim, out->shape),
                            ga__shape_text(ndim, shape));
        if (!ga_can_cast(t, out->dtype))
            return ga__fail(GA_ERR_DTYPE, name, "%s cannot be cast to %s under "
                            "the same-kind rule", ga_dtype_name(t),
                            ga_dtype_name(out->dtype));
        if (out->dtype == t && out->ga__buf != x->ga__buf
            && ga_is_contiguous(out) && !ga__overlaps(x, out))
            return ga__launch_reduce(name, d, op, out, x, mask, ddof);
    }
    ga_array *y = ga__new(name, d, ndim, shape, t, NULL);
    if (!y) return ga__failed();
    ga_status st = ga__launch_reduce(name, d, op, y, x, mask, ddof);
    if (out) {
        if (!st) st = (ga_assign)(out, y);
        ga_free(y);
    } else if (st) {
        ga_free(y);
    } else {
        *made = y;
    }
    return st;
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

/* ================================================================ >>i-npy */
#include <sys/stat.h>               /* is it a plain file: for removal      */

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
static ga_status ga__npy_parse(const char *op, const unsigned char *bytes,
                               size_t n, ga__npy_header *out) {
    const unsigned char *p = bytes, *end, *at;
    unsigned seen = 0;              /* 1 descr, 2 fortran_order, 4 shape    */
    const char *wrong = NULL;
    memset(out, 0, sizeof *out);
    if (n < GA__NPY_PREFIX || !(out->offset = ga__npy_offset(bytes)))
        return ga__fail(GA_ERR_FILE_FORMAT, op, "not a .npy file of version "
                        "1.0, 2.0 or 3.0");
    if (out->offset > n)
        return ga__fail(GA_ERR_FILE_FORMAT, op, "the header of %zu bytes is "
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
                return ga__fail(GA_ERR_FILE_FORMAT, op, "descr %s is not a "
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
    if (wrong) return ga__fail(GA_ERR_FILE_FORMAT, op, "%s", wrong);
    int64_t lim = INT64_MAX / (int64_t)ga__size(out->dtype);
    out->size = 1;
    for (int i = 0; i < out->ndim; i++)
        if (!out->shape[i]) out->size = 0;
    for (int i = 0; i < out->ndim && out->size; i++) {
        if (out->shape[i] > lim / out->size)
            return ga__fail(GA_ERR_FILE_FORMAT, op, "shape %s of %s is too "
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

static ga_status ga__npy_read(FILE *f, const char *op, void *dst,
                              size_t bytes) {
    errno = 0;
    if (!bytes || fread(dst, 1, bytes, f) == bytes) return GA_OK;
    if (ferror(f)) return ga__fail(GA_ERR_FILE_READ, op, "%s", strerror(errno));
    return ga__fail(GA_ERR_FILE_FORMAT, op, "the file ends early");
}
/* Bytes from here to the end, or -1 for a pipe and its like. */
static int64_t ga__npy_left(FILE *f) {
    long at = ftell(f), end;
    if (at < 0 || fseek(f, 0, SEEK_END)) return -1;
    end = ftell(f);
    return fseek(f, at, SEEK_SET) || end < at ? -1 : end - at;
}
/* All of a pipe's data: memory grows with what has come. */
static unsigned char *ga__npy_slurp(FILE *f, const char *op, size_t bytes) {
    unsigned char *p = NULL;
    for (size_t have = 0; have < bytes || !p;) {
        size_t cap = have + (have > GA__NPY_PIECE ? have : GA__NPY_PIECE);
        if (cap > bytes) cap = bytes;
        unsigned char *q = (unsigned char *)GA_REALLOC(p, cap ? cap : 1);
        if (!q) ga__fail(GA_ERR_HOST_MEMORY, op, "%zu bytes", cap);
        if (q) p = q;
        if (!q || ga__npy_read(f, op, p + have, cap - have)) {
            GA_FREE(p);
            return NULL;
        }
        have = cap;
    }
    return p;
}

/* The data into x: read in place on the CPU, through a piece of host memory
   to a GPU.                                                                */
static ga_status ga__npy_fill(FILE *f, const char *op, const ga__npy_header *h,
                              ga_array *x, unsigned char *slurped) {
    ga__device *d = x->ga__buf->dev;
    ga_stream *s = ga__stream(d);
    size_t bytes = (size_t)h->size * ga__size(h->dtype), piece = GA__NPY_PIECE;
    ga_status st = ga__order(op, x->ga__buf, s, true);
    if (st) return st;
    if (slurped) {
        ga__npy_fix(h, slurped, bytes);
        return d->be->copy(d, op, GA__H2D, x->data, slurped, bytes, s, false);
    }
    if (d->id == GA_CPU) {
        st = ga__npy_read(f, op, x->data, bytes);
        if (!st) ga__npy_fix(h, (unsigned char *)x->data, bytes);
        return st;
    }
    if (piece > bytes) piece = bytes;
    unsigned char *p = (unsigned char *)GA_MALLOC(piece);
    if (!p) return ga__fail(GA_ERR_HOST_MEMORY, op, "%zu bytes", piece);
    for (size_t done = 0; done < bytes && !st; done += piece) {
        if (piece > bytes - done) piece = bytes - done;
        st = ga__npy_read(f, op, p, piece);
        if (st) break;
        ga__npy_fix(h, p, piece);
        st = d->be->copy(d, op, GA__H2D, (char *)x->data + done, p, piece, s,
                         false);
    }
    GA_FREE(p);
    return st;
}

static ga_array *ga__npy_load(FILE *f, const char *op) {
    unsigned char prefix[GA__NPY_PREFIX];
    ga__npy_header h;
    ga__device *d = ga__current(op);
    if (!d || ga__npy_read(f, op, prefix, sizeof prefix)) return NULL;
    size_t n = ga__npy_offset(prefix);
    if (n > GA__NPY_MAX_HEADER)
        return (ga_array *)GA__NULL(GA_ERR_FILE_FORMAT, op,
                                    "a header of %zu bytes", n);
    if (n < sizeof prefix) n = sizeof prefix;
    unsigned char *head = (unsigned char *)GA_MALLOC(n);
    if (!head) return (ga_array *)GA__NULL(GA_ERR_HOST_MEMORY, op, NULL);
    memcpy(head, prefix, sizeof prefix);
    ga_status st = ga__npy_read(f, op, head + sizeof prefix, n - sizeof prefix);
    if (!st) st = ga__npy_parse(op, head, n, &h);
    GA_FREE(head);
    if (st) return NULL;
    /* nothing is allocated that the file cannot fill */
    size_t bytes = (size_t)h.size * ga__size(h.dtype);
    int64_t left = ga__npy_left(f);
    unsigned char *slurped = NULL;
    if (left >= 0 && (uint64_t)left < bytes)
        return (ga_array *)GA__NULL(GA_ERR_FILE_FORMAT, op, "the file ends "
                                    "early: %" PRId64 " bytes of data where "
                                    "shape %s of %s takes %zu", left,
                                    ga__shape_text(h.ndim, h.shape),
                                    ga_dtype_name(h.dtype), bytes);
    if (left < 0 && !(slurped = ga__npy_slurp(f, op, bytes))) return NULL;
    int order[GA_MAX_NDIM];
    for (int i = 0; i < h.ndim; i++)
        order[i] = h.fortran ? h.ndim - 1 - i : i;
    ga_array *x = ga__new(op, d, h.ndim, h.shape, h.dtype, order);
    if (x && bytes && ga__npy_fill(f, op, &h, x, slurped)) {
        ga_free(x);
        x = NULL;
    }
    GA_FREE(slurped);
    return x;
}

/* "ga_load_npy: <path>" as the operation's name in messages. */
typedef struct ga__npy_op { char text[256]; } ga__npy_op;
static ga__npy_op ga__npy_name(const char *op, const char *path) {
    ga__npy_op n;
    size_t len = strlen(path), most = 200;
    snprintf(n.text, sizeof n.text, "%s: %s%s", op, len > most ? "..." : "",
             len > most ? path + (len - most) : path);
    return n;
}

GA_API ga_array *(ga_load_npy)(const char *path) {
    if (!path)
        return (ga_array *)GA__NULL(GA_ERR_NULL, "ga_load_npy",
                                    "the path is NULL");
    ga__npy_op op = ga__npy_name("ga_load_npy", path);
    FILE *f = fopen(path, "rb");
    if (!f)
        return (ga_array *)GA__NULL(GA_ERR_FILE_OPEN, op.text, "%s",
                                    strerror(errno));
    ga_array *x = ga__npy_load(f, op.text);
    fclose(f);
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
static ga_status ga__npy_write(FILE *f, const char *op, const ga_array *x,
                               void *buf) {
    size_t bytes = (size_t)x->size * ga__size(x->dtype);
    if (!bytes) return GA_OK;
    if (bytes <= GA__NPY_PIECE) {
        if (!ga_asnumpy(x, buf)) return ga__failed();
        errno = 0;
        return fwrite(buf, 1, bytes, f) == bytes ? GA_OK
               : ga__fail(GA_ERR_FILE_WRITE, op, "%s", strerror(errno));
    }
    int a = 0;
    while (x->shape[a] == 1) a++;
    ga_status st = GA_OK;
    for (int half = 0; half < 2 && !st; half++) {
        int64_t mid = x->shape[a] / 2;
        ga_array *v = (ga_slice_axis)(x, a, half ? mid : 0,
                                      half ? GA_END : mid, 1);
        st = v ? ga__npy_write(f, op, v, buf) : ga__failed();
        ga_free(v);
    }
    return st;
}

GA_API ga_status ga_save_npy(const char *path, const ga_array *x) {
    char head[GA__NPY_HEADER];
    if (!ga__ok("ga_save_npy", x)) return ga__failed();
    if (!path)
        return ga__fail(GA_ERR_NULL, "ga_save_npy", "the path is NULL");
    ga__npy_op op = ga__npy_name("ga_save_npy", path);
    size_t n = ga__npy_header_of(x, head);
    size_t bytes = (size_t)x->size * ga__size(x->dtype);
    if (bytes > GA__NPY_PIECE) bytes = GA__NPY_PIECE;
    void *buf = GA_MALLOC(bytes ? bytes : 1);
    if (!buf) return ga__fail(GA_ERR_HOST_MEMORY, op.text, "%zu bytes", bytes);
    FILE *f = fopen(path, "wb");
    if (!f) {
        GA_FREE(buf);
        return ga__fail(GA_ERR_FILE_OPEN, op.text, "%s", strerror(errno));
    }
    ga_status st = GA_OK;
    errno = 0;
    if (fwrite(head, 1, n, f) != n)
        st = ga__fail(GA_ERR_FILE_WRITE, op.text, "%s", strerror(errno));
    if (!st) st = ga__npy_write(f, op.text, x, buf);
    GA_FREE(buf);
    errno = 0;
    if (fclose(f) && !st)           /* a full disk may show up only here    */
        st = ga__fail(GA_ERR_FILE_WRITE, op.text, "%s", strerror(errno));
    struct stat info;
    if (st && !stat(path, &info) && S_ISREG(info.st_mode)) remove(path);
    return st;
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
    static const char op[] = "ga_set_print_options";
    if (o.precision < 0 || o.precision > GA__MAX_PRECISION)
        return ga__fail(GA_ERR_VALUE, op, "precision is %d; 0 to %d are "
                        "possible", o.precision, GA__MAX_PRECISION);
    if (o.threshold < 0 || o.edgeitems < 1 || o.linewidth < 1)
        return ga__fail(GA_ERR_VALUE, op, "threshold %" PRId64 ", edgeitems "
                        "%d, linewidth %d must be at least 0, 1, 1",
                        o.threshold, o.edgeitems, o.linewidth);
    if (o.sign != '-' && o.sign != '+' && o.sign != ' ')
        return ga__fail(GA_ERR_VALUE, op, "sign is '%c', not '-', '+' or ' '",
                        o.sign);
    if (!memchr(o.nanstr, 0, sizeof o.nanstr)
        || !memchr(o.infstr, 0, sizeof o.infstr))
        return ga__fail(GA_ERR_VALUE, op, "nanstr or infstr has no end");
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
    const char *op;
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
        ga__fail(GA_ERR_HOST_MEMORY, p->op, "%" PRId64 " elements", p->count);
        return false;
    }
    if (!x->ndim) return ga_asnumpy(x, p->host) != NULL;
    for (int corner = 0; corner < 1 << walks; corner++) {
        ga_array *v = ga__view_new(p->op, x);
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

static char *ga__text_of(const char *op, const ga_array *x, bool repr) {
    if (!ga__ok(op, x)) return NULL;
    ga__printer p;
    memset(&p, 0, sizeof p);
    p.op = op;
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
    ga__fail(GA_ERR_HOST_MEMORY, op, NULL);
    return NULL;
}

GA_API char *ga_tostring(const ga_array *x) {
    return ga__text_of("ga_tostring", x, false);
}
GA_API char *ga_repr(const ga_array *x) {
    return ga__text_of("ga_repr", x, true);
}
static ga_status ga__print_to(const char *op, FILE *f, const ga_array *x) {
    if (!f) return ga__fail(GA_ERR_NULL, op, "the file is NULL");
    char *s = ga__text_of(op, x, false);
    if (!s) return ga__failed();
    errno = 0;
    bool ok = fputs(s, f) >= 0 && fputc('\n', f) != EOF;
    free(s);
    return ok ? GA_OK : ga__fail(GA_ERR_FILE_WRITE, op, "%s", strerror(errno));
}
GA_API ga_status ga_print(const ga_array *x) {
    return ga__print_to("ga_print", stdout, x);
}
GA_API ga_status ga_fprint(FILE *f, const ga_array *x) {
    return ga__print_to("ga_fprint", f, x);
}

#endif /* GPUARR_IMPLEMENTATION */
#endif /* GPUARR_H */
