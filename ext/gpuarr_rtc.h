/* gpuarr_rtc.h - kernels from a string, compiled while the program runs.
                                                                MIT licence
   Opt-in, beside gpuarr.h. Include it after gpuarr.h; the file that defines
   GPUARR_IMPLEMENTATION holds this one's implementation too:

       #define GPUARR_IMPLEMENTATION
       #include "gpuarr.h"
       #include "gpuarr_rtc.h"

       int main(void) {
           ga_on_error(GA_EXIT);
           GA_SCOPE;
           ga_array *x = ga_astype(ga_arange(0, 8, 1), GA_FLOAT32);
           ga_kernel *twice = ga_kernel_compile(
               "extern \"C\" __global__ void twice(float *x) {"
               "    x[threadIdx.x] *= 2;"
               "}", "twice", NULL);
           ga_launch(twice, 1, 8, 0, x);
           ga_print(x);
           ga_kernel_free(twice);
       }

   Nothing more is linked: NVIDIA's compiler library (libnvrtc, of the toolkit
   or of its redistributable) and the driver are opened at the first use. Where
   one is missing, where the current device is the CPU, and in a program built
   with GPUARR_NO_CUDA every function is there and fails with a message.

   CONTENTS   >>kernels  >>launch  >>ufuncs  >>jit, then the implementation:
              >>i-text  >>i-types  >>i-cache  >>i-nvrtc  >>i-kernels
              >>i-ufuncs  >>i-reduction  >>i-jit

   What has been compiled is kept: in memory to the end of the process (so a
   graph may outlive the kernels in it), and on disk, where the next process
   finds it. Two processes may share the folder. What includes headers of your
   own (#include "file", -I) is compiled by each process.

   Environment
   GPUARR_CACHE_DIR=folder    empty: nothing on disk. Otherwise
                              $XDG_CACHE_HOME/gpuarr, or ~/.cache/gpuarr
   GPUARR_CACHE_LIMIT=bytes   suffix K, M, G; 256M. Over it the files longest
                              unused go

   On an H200 the first kernel of a process takes 0.28 s to compile, the next
   ones from 0.05; from disk the first takes 6 ms, the next under 1 ms; a
   launch 3 us.                                                             */
#ifndef GPUARR_RTC_H
#define GPUARR_RTC_H
#ifndef GPUARR_H
#error "gpuarr_rtc.h: include gpuarr.h before it"
#endif
#include <string.h>

/* ============================================================== >>kernels
   CUDA C++ as nvcc takes it. name: an extern "C" kernel, any other, or an
   instance of a template ("axpy<float>"). options: as nvcc's, NULL for none
   ("-use_fast_math -DN=16"); the architecture is the current device's, and a
   kernel used on a device of another one is compiled again for it. A source
   that does not compile is GA_ERR_COMPILE, with the compiler's words; the
   lines it names are those of `source`. #include finds CUDA's headers where
   there is a toolkit; "stdint.h" and "gpuarr_types.h" (dtypes by NumPy's
   names, complex<float>) everywhere.                                       */
typedef struct ga_module ga_module;
typedef struct ga_kernel ga_kernel;
/* name: its entry */
GA_API ga_kernel *ga_kernel_compile(const char *source, const char *name,
                                    const char *options);
/* NULL is fine */ GA_API void ga_kernel_free(ga_kernel *k);

/* Several kernels of one source: names "f, g<float>, g<double>". Kernels and
   module are freed one by one, in any order.                               */
GA_API ga_module *ga_module_compile(const char *source, const char *names,
                                    const char *options);
/* one of its kernels, by name */
GA_API ga_kernel *ga_module_kernel(ga_module *m, const char *name);
/* NULL is fine */ GA_API void ga_module_free(ga_module *m);

/* All that the compiler said in this thread's last compilation, up to 8 KB
   (an error message holds 1 KB); "" where it was silent.                   */
GA_API const char *ga_compile_log(void);

/* =============================================================== >>launch
   ga_launch(kernel, grid, block, shared_bytes, args...) queues the kernel on
   the current stream (in a graph's function too) and returns a ga_status.
   grid, block: a number, ga_dim2(x, y) or ga_dim3(x, y, z); no block: nothing
   to do. Arguments: an array passes its data pointer (strides are the
   kernel's affair); a C number is passed as the C type it has, so write
   (int64_t)n for a kernel's int64_t; void * passes as it is; any struct by
   ga_bytes(&s, sizeof s). Arrays must be on the current device. A ga_array *
   is taken to be written, a const one, and ga_in(x), to be read: other
   streams are made to wait accordingly. Number and sizes of the arguments,
   blocks and shared memory are checked (the former with drivers since CUDA
   12.4). 24 arguments; ga_launch_args takes more.                          */
typedef struct ga_dims { int64_t x, y, z; } ga_dims;
static inline GA__UNUSED ga_dims ga_dim3(int64_t x, int64_t y, int64_t z) {
    ga_dims d;
    d.x = x;
    d.y = y;
    d.z = z;
    return d;
}
static inline GA__UNUSED ga_dims ga_dim2(int64_t x, int64_t y) {
    return ga_dim3(x, y, 1);
}
static inline GA__UNUSED ga_dims ga_dim(int64_t x) { return ga_dim3(x, 1, 1); }

enum { GA__K_END, GA__K_VALUE, GA__K_BYTES, GA__K_READ, GA__K_WRITE };
typedef struct ga_karg {            /* one argument of a kernel             */
    int kind;
    unsigned size;
    const void *p;                  /* the array, or the struct's bytes     */
    union { unsigned char b[16]; double align; } value;
} ga_karg;
static inline GA__UNUSED ga_karg ga__k(int kind, const void *p, size_t size) {
    ga_karg k;
    memset(&k, 0, sizeof k);
    k.kind = kind;
    k.p = p;
    k.size = (unsigned)size;
    return k;
}
static inline GA__UNUSED ga_karg ga__k_end(void) {
    return ga__k(GA__K_END, NULL, 0);
}
static inline GA__UNUSED ga_karg ga_bytes(const void *p, size_t size) {
    return ga__k(GA__K_BYTES, p, size);
}
static inline GA__UNUSED ga_karg ga_in(const ga_array *x) {
    return ga__k(GA__K_READ, x, sizeof(void *));
}
static inline GA__UNUSED ga_karg ga__k_array(ga_array *x) {
    return ga__k(GA__K_WRITE, x, sizeof(void *));
}
#define GA__KTYPES(X)                                                       \
    X(bool, b) X(char, c) X(signed char, sc) X(unsigned char, uc)           \
    X(short, s) X(unsigned short, us) X(int, i) X(unsigned, u) X(long, l)   \
    X(unsigned long, ul) X(long long, ll) X(unsigned long long, ull)        \
    X(float, f) X(double, d) X(ga_float16, h) X(ga_bfloat16, bh)            \
    X(ga_complex64, c64) X(ga_complex128, c128) X(void *, p)
#define GA__X(T, n)                                                         \
    static inline GA__UNUSED ga_karg ga__k_##n(T v) {                       \
        ga_karg k = ga__k(GA__K_VALUE, NULL, sizeof v);                     \
        memcpy(k.value.b, &v, sizeof v);                                    \
        return k;                                                           \
    }
GA__KTYPES(GA__X)
#undef GA__X
/* what ga_launch calls */
GA_API ga_status ga_launch_args(ga_kernel *k, ga_dims grid, ga_dims block,
                                size_t shared, const ga_karg *args, int n);

#ifdef __cplusplus
#define GA__X(T, n) static inline ga_karg ga__karg(T v) { return ga__k_##n(v); }
GA__KTYPES(GA__X)
#undef GA__X
static inline ga_karg ga__karg(ga_array *x) { return ga__k_array(x); }
static inline ga_karg ga__karg(const ga_array *x) { return ga_in(x); }
static inline ga_karg ga__karg(ga_karg k) { return k; }
template <class T> ga_karg ga__karg(T *) = delete;  /* cast it to void *    */
#define GA_KARG(x) ga__karg(x)
template <class I> static inline ga_dims ga__dims(I n) { return ga_dim(n); }
static inline ga_dims ga__dims(ga_dims d) { return d; }
template <class G, class B, class... T>
static inline ga_status ga_launch(ga_kernel *k, G grid, B block,
                                  size_t shared, T... args) {
    const ga_karg a[] = {ga__karg(args)..., ga__k_end()};
    return ga_launch_args(k, ga__dims(grid), ga__dims(block), shared, a,
                          (int)sizeof...(T));
}
#else
static inline GA__UNUSED ga_karg ga__k_self(ga_karg k) { return k; }
static inline GA__UNUSED ga_dims ga__dims(ga_dims d) { return d; }
/* Not in a statement expression, as operands are: ga_bytes may be given the
   address of a compound literal, which would not outlive it.               */
#define GA_KARG(x) _Generic((x),                                            \
    bool: ga__k_b, char: ga__k_c, signed char: ga__k_sc,                    \
    unsigned char: ga__k_uc, short: ga__k_s, unsigned short: ga__k_us,      \
    int: ga__k_i, unsigned: ga__k_u, long: ga__k_l,                         \
    unsigned long: ga__k_ul, long long: ga__k_ll,                           \
    unsigned long long: ga__k_ull, float: ga__k_f, double: ga__k_d,         \
    ga_float16: ga__k_h, ga_bfloat16: ga__k_bh, ga_complex64: ga__k_c64,    \
    ga_complex128: ga__k_c128, void *: ga__k_p, ga_array *: ga__k_array,    \
    const ga_array *: ga_in, ga_karg: ga__k_self)(x)
#define GA__DIMS(d) _Generic((d), ga_dims: ga__dims, default: ga_dim)(d)
#define GA__LAUNCH(k, g, b, s, ...)                                         \
    ga_launch_args((k), GA__DIMS(g), GA__DIMS(b), (s),                      \
                   (const ga_karg[]){GA__EACH(GA_KARG, __VA_ARGS__)},       \
                   GA__NOPERANDS(__VA_ARGS__) - 1)
#define ga_launch(...) GA__LAUNCH(__VA_ARGS__, ga__k_end())
#endif

/* =============================================================== >>ufuncs
   A function of elements that becomes one of arrays, as CuPy's
   ElementwiseKernel and ReductionKernel and Numba's vectorize. Operands are
   arrays (any view, dtype, shape that broadcasts) or C numbers. A kernel is
   compiled for the dtypes and the kind of layout that it meets, once each.

   ga_elementwise_kernel("float32 x, T y, raw T w", "T z", "z = x*w[i] + y",
   "name"): types are dtypes or type variables, single capitals, which take
   the dtype that the arrays given for them promote to. An operand of another
   dtype is cast where NumPy's "same_kind" allows. The body, C++, runs for
   every element with the parameters' names as variables, and i, the element's
   number in C order; it may hold declarations, loops, `return`. float16 and
   bfloat16 compute in float; complex64 and complex128 have the arithmetic and
   abs, arg, conj, exp, log, sqrt, pow, sin, cos, real, imag. A raw parameter
   is the whole array: w[k] by number in C order, w(j, k) by index, w.size(),
   w.shape(d), w.ndim(); it must have its very dtype.                       */
typedef struct ga_ufunc ga_ufunc;
/* a new function of elements */
GA_API ga_ufunc *ga_elementwise_kernel(const char *in, const char *out,
                                       const char *body, const char *name);
/* ga_reduction_kernel("T x, T y", "T z", "x*y", "a + b", "z = sqrt(a)", "0",
   "name"): of every element the map, pairs of these by the reduction (in no
   particular order), and the result from the last one; NULL is "z = a".
   identity: the result of no elements; NULL: none, an error. Values a and b
   have z's type (float for a half); _n counts the elements of one result.  */
GA_API ga_ufunc *ga_reduction_kernel(const char *in, const char *out,
                                     const char *map, const char *reduce,
                                     const char *post, const char *identity,
                                     const char *name);
/* source holds a function of that name, of numbers: "template <class T> T
   clip(T x, T lo) { return x < lo ? lo : x; }". The dtypes of the arguments
   are the operands', C numbers take what they promote to with the arrays; the
   result's is what the function returns.                                   */
GA_API ga_ufunc *ga_vectorize(const char *source, const char *name);
/* NULL is fine */ GA_API void ga_ufunc_free(ga_ufunc *f);

/* ga_kernel_call(f, operands...)   a new array: the one result. Where there
       are no operands but raw ones use _into: the outputs give the size.
   ga_kernel_into(f, operands..., outputs...)        into existing arrays. Its
       body may read what they hold; an output may be an operand, or overlap.
   ga_kernel_reduce(f, axis, operands...)            for a reduction
   ga_kernel_reduce_into(f, out, axis, operands...)
   The first returns NULL, _into a ga_status, where it fails. 24 operands in
   these macros; the functions take GA__K_PARAMS, and several new outputs.  */
#define GA__K_PARAMS 40
/* what ga_kernel_call calls */
GA_API ga_array *ga_ufunc_call(ga_ufunc *f, const ga_array *const *x, int n);
/* Fills out with as many new arrays as the kernel has outputs, all or none. */
GA_API ga_status ga_ufunc_run(ga_ufunc *f, const ga_array *const *x, int n,
                              ga_array **out);
/* the outputs stand after the operands */
GA_API ga_status ga_ufunc_into(ga_ufunc *f, const ga_array *const *x, int n);
/* a reduction over axis */
GA_API ga_array *ga_ufunc_reduce(ga_ufunc *f, ga_axis axis,
                                 const ga_array *const *x, int n);
GA_API ga_status ga_ufunc_reduce_into(ga_ufunc *f, ga_array *out, ga_axis axis,
                                      const ga_array *const *x, int n);
#ifdef __cplusplus
template <class F, class... T>
static inline auto ga__with_operands(F call, const T &...x) {
    const ga__operand o[] = {ga__operand(x)...};
    const ga_array *p[sizeof...(T)];
    for (size_t i = 0; i < sizeof...(T); i++) p[i] = o[i].p;
    return call(p, (int)sizeof...(T));
}
template <class... T>
static inline ga_array *ga_kernel_call(ga_ufunc *f, const T &...x) {
    return ga__with_operands([=](const ga_array *const *p, int n) {
        return ga_ufunc_call(f, p, n); }, x...);
}
template <class... T>
static inline ga_status ga_kernel_into(ga_ufunc *f, const T &...x) {
    return ga__with_operands([=](const ga_array *const *p, int n) {
        return ga_ufunc_into(f, p, n); }, x...);
}
template <class... T>
static inline ga_array *ga_kernel_reduce(ga_ufunc *f, ga_axis axis,
                                         const T &...x) {
    return ga__with_operands([=](const ga_array *const *p, int n) {
        return ga_ufunc_reduce(f, axis, p, n); }, x...);
}
template <class... T>
static inline ga_status ga_kernel_reduce_into(ga_ufunc *f, ga_array *out,
                                              ga_axis axis, const T &...x) {
    return ga__with_operands([=](const ga_array *const *p, int n) {
        return ga_ufunc_reduce_into(f, out, axis, p, n); }, x...);
}
#else
#define GA__KLIST(...)                                                      \
    (const ga_array *const[]){GA__OPERANDS(__VA_ARGS__)},                   \
        GA__NOPERANDS(__VA_ARGS__)
#define ga_kernel_call(f, ...)                                              \
    GA__AT(ga_ufunc_call((f), GA__KLIST(__VA_ARGS__)))
#define ga_kernel_into(f, ...) ga_ufunc_into((f), GA__KLIST(__VA_ARGS__))
#define ga_kernel_reduce(f, axis, ...)                                      \
    GA__AT(ga_ufunc_reduce((f), (axis), GA__KLIST(__VA_ARGS__)))
#define ga_kernel_reduce_into(f, out, axis, ...)                            \
    ga_ufunc_reduce_into((f), (out), (axis), GA__KLIST(__VA_ARGS__))
#endif

/* ================================================================== >>jit
   The expression compiled by NVRTC: its runs on CUDA devices, from now on,
   use that code instead of the interpreter; the results are the same, or
   within the operations' bounds. For expressions run often on large arrays.
   GA_ERR_UNSUPPORTED where it holds an operation that only the library has
   (the message names it): nothing changes then.                            */
GA_API ga_status ga_expr_jit(ga_expr *e);

/* With GA_JIT_AUTO, or GPUARR_JIT=1 in the environment, every expression whose
   runs on a CUDA device have cost more than some milliseconds is compiled, by
   a thread in the background (or found on disk), once for each kind of layout,
   and taken when it is ready; where it cannot be compiled the interpreter goes
   on. Process-wide; GA_JIT_OFF, the default, ends it for others. Exit waits
   for a compilation under way. In a child of fork nothing is compiled.

       ga_jit(GA_JIT_AUTO);                                                 */
typedef enum ga_jit_mode { GA_JIT_OFF, GA_JIT_AUTO } ga_jit_mode;
/* GA_JIT_OFF at first */ GA_API ga_status ga_jit(ga_jit_mode mode);

/* ======================================================== >>implementation */
#ifdef GPUARR_IMPLEMENTATION
#if defined(__unix__) || defined(__APPLE__)
#define GA__POSIX                   /* else nothing is kept on disk         */
#include <dirent.h>
#include <sys/stat.h>
#include <utime.h>
#endif
#ifndef GPUARR_NO_CUDA
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#include <cuda.h>
#include <nvrtc.h>
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#endif

GA__SOME_CALLS
/* ============================================================== >>i-text */
/* NULL in a handle's place: quiet while an error is pending. */
static ga_status ga__no_handle(const char *fn, const char *what) {
    if (!ga__me.error) return ga__fail(GA_ERR_NULL, fn, "the %s is NULL", what);
    return ga__me.last = ga__me.error;
}
static char *ga__copy_text(const char *fn, const char *s) {
    size_t n = strlen(s) + 1;
    char *c = GA_MALLOC(n);
    if (!c) return GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memcpy(c, s, n);
    return c;
}

/* ============================================================= >>i-types
   gpuarr_types.h as NVRTC sees it: dtypes by name, casts as ga_astype's. */
static const char *const ga__rtc_types[] = {
"#pragma once\n"
"typedef signed char int8; typedef short int16; typedef int int32;\n"
"typedef long long int64; typedef unsigned char uint8;\n"
"typedef unsigned short uint16; typedef unsigned uint32;\n"
"typedef unsigned long long uint64; typedef float float32;\n"
"typedef double float64;\n"
"#define GA_FN __device__ __forceinline__\n"
"struct float16; struct bfloat16; template <class ga_R> struct complex;\n"
"typedef complex<float> complex64; typedef complex<double> complex128;\n"
"/* kind: 1 bool, 2 integer, 3 float, 4 half, 5 complex; dtype: gpuarr's */\n"
"template <class ga_T> struct ga_is { enum { kind = 0, dtype = -1 }; };\n"
"#define GA_IS(T, k, d) \\\n"
"    template <> struct ga_is<T> { enum { kind = k, dtype = d }; };\n"
"GA_IS(bool, 1, 0) GA_IS(int8, 2, 1) GA_IS(int16, 2, 2) GA_IS(int32, 2, 3)\n"
"GA_IS(int64, 2, 4) GA_IS(uint8, 2, 5) GA_IS(uint16, 2, 6)\n"
"GA_IS(uint32, 2, 7) GA_IS(uint64, 2, 8) GA_IS(float16, 4, 9)\n"
"GA_IS(bfloat16, 4, 10) GA_IS(float32, 3, 11) GA_IS(float64, 3, 12)\n"
"GA_IS(complex64, 5, 13) GA_IS(complex128, 5, 14) GA_IS(char, 2, 1)\n"
"GA_IS(long, 2, 4) GA_IS(unsigned long, 2, 8)\n"
"#undef GA_IS\n"
"/* rounded so that rounding again is exact (to odd) */\n"
"GA_FN float ga_odd(double x) {\n"
"    float f = (float)x; double b = f; unsigned u = __float_as_uint(f);\n"
"    if (fabs(b) > fabs(x)) u--;\n"
"    return __uint_as_float(b != x ? u | 1 : u);\n"
"}\n"
"template <class ga_A> GA_FN float ga_near(ga_A x) {   /* for a half */\n"
"    constexpr bool wide = ga_is<ga_A>::kind == 2 && sizeof(ga_A) == 4;\n"
"    if constexpr (sizeof(ga_A) == 8 || wide) return ga_odd((double)x);\n"
"    else return (float)x;\n"
"}\n"
"struct float16 {\n"
"    unsigned short bits;\n"
"    float16() = default;\n"
"    template <class ga_A> GA_FN float16(ga_A x) {\n"
"        asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(ga_near(x)));\n"
"    }\n"
"    GA_FN operator float() const {\n"
"        float f;\n"
"        asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(bits));\n"
"        return f;\n"
"    }\n"
"};\n"
"struct bfloat16 {\n"
"    unsigned short bits;\n"
"    bfloat16() = default;\n"
"    template <class ga_A> GA_FN bfloat16(ga_A x) {\n"
"        float f = ga_near(x);\n"
"#if __CUDA_ARCH__ >= 800\n"
"        asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(f));\n"
"#else\n"
"        unsigned u = __float_as_uint(f);\n"
"        bits = f != f ? u >> 16 | 0x40 : (u + 0x7fff + (u >> 16 & 1)) >> 16;\n"
"#endif\n"
"    }\n"
"    GA_FN operator float() const {\n"
"        return __uint_as_float((unsigned)bits << 16);\n"
"    }\n"
"};\n",
"GA_FN void ga_sincos(float x, float *s, float *c) { sincosf(x, s, c); }\n"
"GA_FN void ga_sincos(double x, double *s, double *c) { sincos(x, s, c); }\n"
"template <class ga_R> struct complex {\n"
"    ga_R re, im;\n"
"    complex() = default;\n"
"    GA_FN complex(ga_R r, ga_R i = 0) : re(r), im(i) {}\n"
"    template <class ga_U> GA_FN explicit complex(complex<ga_U> z)\n"
"        : re((ga_R)z.re), im((ga_R)z.im) {}\n"
"#define GA_C friend GA_FN complex\n"
"    GA_C operator+(complex a, complex b) {\n"
"        return complex(a.re + b.re, a.im + b.im);\n"
"    }\n"
"    GA_C operator-(complex a, complex b) {\n"
"        return complex(a.re - b.re, a.im - b.im);\n"
"    }\n"
"    GA_C operator-(complex a) { return complex(-a.re, -a.im); }\n"
"    GA_C operator+(complex a) { return a; }\n"
"    GA_C operator*(complex a, complex b) {\n"
"        return complex(a.re * b.re - a.im * b.im,\n"
"                       a.re * b.im + a.im * b.re);\n"
"    }\n"
"    GA_C operator/(complex a, complex b) {       /* Smith's way */\n"
"        if (::fabs(b.re) >= ::fabs(b.im)) {\n"
"            if (b.re == 0 && b.im == 0)\n"
"                return complex(a.re / b.re, a.im / b.re);\n"
"            ga_R q = b.im / b.re, d = b.re + b.im * q;\n"
"            return complex((a.re + a.im * q) / d, (a.im - a.re * q) / d);\n"
"        }\n"
"        ga_R q = b.re / b.im, d = b.re * q + b.im;\n"
"        return complex((a.re * q + a.im) / d, (a.im * q - a.re) / d);\n"
"    }\n"
"    GA_FN complex &operator+=(complex b) { return *this = *this + b; }\n"
"    GA_FN complex &operator-=(complex b) { return *this = *this - b; }\n"
"    GA_FN complex &operator*=(complex b) { return *this = *this * b; }\n"
"    GA_FN complex &operator/=(complex b) { return *this = *this / b; }\n"
"    friend GA_FN bool operator==(complex a, complex b) {\n"
"        return a.re == b.re && a.im == b.im;\n"
"    }\n"
"    friend GA_FN bool operator!=(complex a, complex b) { return !(a == b); }\n"
"    friend GA_FN ga_R real(complex z) { return z.re; }\n"
"    friend GA_FN ga_R imag(complex z) { return z.im; }\n"
"    friend GA_FN ga_R abs(complex z) { return ::hypot(z.re, z.im); }\n"
"    friend GA_FN ga_R arg(complex z) { return ::atan2(z.im, z.re); }\n"
"    GA_C conj(complex z) { return complex(z.re, -z.im); }\n"
"    GA_C exp(complex z) {\n"
"        ga_R s, c, e = ::exp(z.re);\n"
"        ga_sincos(z.im, &s, &c);\n"
"        return complex(e * c, e * s);\n"
"    }\n"
"    GA_C log(complex z) { return complex(::log(abs(z)), arg(z)); }\n"
"    GA_C sqrt(complex z) {\n"
"        if (z.re == 0 && z.im == 0) return complex(0, z.im);\n"
"        ga_R t = ::sqrt((::fabs(z.re) + abs(z)) / 2), u = z.im / (2 * t);\n"
"        if (z.re >= 0) return complex(t, u);\n"
"        return complex(::fabs(u), ::copysign(t, z.im));\n"
"    }\n"
"    GA_C pow(complex a, complex b) {\n"
"        if (a.re == 0 && a.im == 0) return b.re == 0 && b.im == 0 ? 1 : 0;\n"
"        return exp(b * log(a));\n"
"    }\n"
"    GA_C sin(complex z) {\n"
"        ga_R s, c;\n"
"        ga_sincos(z.re, &s, &c);\n"
"        return complex(s * ::cosh(z.im), c * ::sinh(z.im));\n"
"    }\n"
"    GA_C cos(complex z) {\n"
"        ga_R s, c;\n"
"        ga_sincos(z.re, &s, &c);\n"
"        return complex(c * ::cosh(z.im), -s * ::sinh(z.im));\n"
"    }\n"
"#undef GA_C\n"
"};\n",
"template <class ga_T, class ga_S> GA_FN ga_T ga_saturate(ga_S x) {\n"
"    constexpr bool neg = (ga_T)-1 < (ga_T)0;\n"
"    constexpr uint64 half = 1ull << (sizeof(ga_T) * 8 - 1);\n"
"    const ga_S top = neg ? (ga_S)half : (ga_S)half * 2;\n"
"    const ga_S low = neg ? -(ga_S)half : (ga_S)0;\n"
"    bool ok = (neg ? x >= low : x > (ga_S)-1) && x < top;\n"
"    return ok ? (ga_T)x : x >= top ? (ga_T)(neg ? half - 1 : half * 2 - 1)\n"
"           : x < low && neg ? (ga_T)half : (ga_T)0;\n"
"}\n"
"template <class ga_T, class ga_S> GA_FN ga_T ga_cast(ga_S x) {\n"
"    constexpr int t = ga_is<ga_T>::kind, s = ga_is<ga_S>::kind;\n"
"    if constexpr ((int)ga_is<ga_T>::dtype == (int)ga_is<ga_S>::dtype)\n"
"        return (ga_T)x;\n"
"    else if constexpr (s == 4) return ga_cast<ga_T>((float)x);\n"
"    else if constexpr (s == 5) {\n"
"        if constexpr (t == 5) return ga_T(x);\n"
"        else if constexpr (t == 1) return x.re != 0 || x.im != 0;\n"
"        else return ga_cast<ga_T>(x.re);\n"
"    }\n"
"    else if constexpr (t == 1) return x != 0;\n"
"    else if constexpr (t == 2 && s == 3) return ga_saturate<ga_T>(x);\n"
"    else return ga_T(x);\n"
"}\n"
"/* ga_V elements in one access of at most 16 bytes */\n"
"template <int ga_N> struct ga_word;\n"
"template <> struct ga_word<1> { typedef unsigned char type; };\n"
"template <> struct ga_word<2> { typedef unsigned short type; };\n"
"template <> struct ga_word<4> { typedef unsigned type; };\n"
"template <> struct ga_word<8> { typedef uint2 type; };\n"
"template <> struct ga_word<16> { typedef uint4 type; };\n"
"template <class ga_S, int ga_V> struct ga_vec {\n"
"    ga_S v[ga_V];\n"
"    typedef typename ga_word<sizeof(ga_S) * ga_V>::type ga_W;\n"
"    GA_FN void load(const ga_S *p) {\n"
"        ga_W w = *(const ga_W *)p;\n"
"        memcpy(v, &w, sizeof w);\n"
"    }\n"
"    GA_FN void store(ga_S *p) const {\n"
"        ga_W w;\n"
"        memcpy(&w, v, sizeof w);\n"
"        *(ga_W *)p = w;\n"
"    }\n"
"};\n"
"/* a raw array: strides count elements */\n"
"template <class ga_T> struct ga_raw {\n"
"    ga_T *data; int64 n; int nd, flat; int64 dim[8], step[8];\n"
"    GA_FN int64 size() const { return n; }\n"
"    GA_FN int ndim() const { return nd; }\n"
"    GA_FN int64 shape(int d) const { return dim[d]; }\n"
"    GA_FN int64 stride(int d) const { return step[d]; }\n"
"    GA_FN ga_T &operator[](int64 i) const {\n"
"        if (flat) return data[i];\n"
"        int64 o = 0;\n"
"        for (int d = nd - 1; d >= 0; d--) {\n"
"            o += i % dim[d] * step[d];\n"
"            i /= dim[d];\n"
"        }\n"
"        return data[o];\n"
"    }\n"
"    template <class... ga_J> GA_FN ga_T &operator()(ga_J... j) const {\n"
"        const int64 at[] = {(int64)j...};\n"
"        int64 o = 0;\n"
"        for (int d = 0; d < (int)sizeof...(ga_J); d++) o += at[d] * step[d];\n"
"        return data[o];\n"
"    }\n"
"};\n", NULL};

/* ============================================================= >>i-cache
   A compiled source. The key is all that decides what comes out, compared
   whole: two sources never share code. On disk: one file each, named by the
   key's hash, the key inside; header, key, symbols, image.                 */
typedef struct ga__function ga__function;
typedef struct ga__code {
    struct ga__code *next;
    char *key;
    size_t nkey, nsymbols, nimage;  /* bytes                                */
    char *symbols;                  /* of the names asked for, each ends '\0' */
    unsigned char *image;           /* cubin or PTX                         */
    void *module[GA__MAX_DEVICES];  /* CUmodule, where loaded               */
    ga__function *functions;        /* found in them                        */
} ga__code;

static pthread_mutex_t ga__code_lock = PTHREAD_MUTEX_INITIALIZER;
static ga__code *ga__codes;         /* kept to the end of the process       */

static void ga__code_free(ga__code *c) {
    if (!c) return;
    GA_FREE(c->key);
    GA_FREE(c->symbols);
    GA_FREE(c->image);
    GA_FREE(c);
}
/* A code of these parts, copied; NULL where memory did not suffice. */
static ga__code *ga__code_new(const void *key, size_t nkey,
                              const void *symbols, size_t nsymbols,
                              const void *image, size_t nimage) {
    ga__code *c = GA_MALLOC(sizeof *c);
    if (!c) return NULL;
    memset(c, 0, sizeof *c);
    c->key = GA_MALLOC(nkey + 1);
    c->symbols = GA_MALLOC(nsymbols + 1);
    c->image = (unsigned char *)GA_MALLOC(nimage + 1);
    if (!c->key || !c->symbols || !c->image) {
        ga__code_free(c);
        return NULL;
    }
    memcpy(c->key, key, c->nkey = nkey);
    memcpy(c->symbols, symbols, c->nsymbols = nsymbols);
    memcpy(c->image, image, c->nimage = nimage);
    c->key[nkey] = c->symbols[nsymbols] = '\0';
    c->image[nimage] = 0;           /* PTX is text                          */
    return c;
}

/* FNV-1a beside a second sum of another kind: 128 bits. */
static void ga__digest(const void *p, size_t n, uint64_t h[2]) {
    const unsigned char *c = (const unsigned char *)p;
    for (size_t i = 0; i < n; i++) {
        h[0] = (h[0] ^ c[i]) * 0x100000001b3u;
        h[1] = (h[1] + c[i]) * 0x9e3779b97f4a7c15u;
        h[1] ^= h[1] >> 29;
    }
}

#ifdef GA__POSIX
typedef struct ga__stored {         /* a file's first bytes                 */
    char magic[8];
    uint64_t nkey, nsymbols, nimage, sum;   /* sum: of what follows         */
} ga__stored;
#define GA__MAGIC "GPUARRK1"
#define GA__SUFFIX ".gpuarr"

/* The folder, made where it is missing (for the user alone, as the XDG rules
   want); false: nothing is kept on disk.                                   */
static bool ga__cache_folder(char *path, size_t room) {
    const char *own = getenv("GPUARR_CACHE_DIR");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (own) n = snprintf(path, room, "%s", own);
    else if (xdg && *xdg == '/') n = snprintf(path, room, "%s/gpuarr", xdg);
    else if (home && *home)
        n = snprintf(path, room, "%s/.cache/gpuarr", home);
    if (n <= 0 || (size_t)n >= room) return false;
    struct stat st;
    if (stat(path, &st) == 0) return S_ISDIR(st.st_mode);
    for (char *s = path + 1; *s; s++) {
        if (*s != '/') continue;
        *s = '\0';
        mkdir(path, 0700);
        *s = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}
static bool ga__cache_path(const char *key, size_t nkey, char *path,
                           size_t room, size_t *folder) {
    uint64_t h[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    if (!ga__cache_folder(path, room)) return false;
    ga__digest(key, nkey, h);
    *folder = strlen(path);
    int n = snprintf(path + *folder, room - *folder,
                     "/%016" PRIx64 "%016" PRIx64 GA__SUFFIX, h[0], h[1]);
    return n > 0 && (size_t)n < room - *folder;
}

/* NULL: not there, or not whole. What is read is touched: the least recently
   used file has the oldest time.                                           */
static ga__code *ga__cache_read(const char *key, size_t nkey) {
    char path[4096];
    size_t folder;
    ga__stored h;
    struct stat st;
    if (!ga__cache_path(key, nkey, path, sizeof path, &folder)
        || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return NULL;
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    ga__code *c = NULL;
    char *all = NULL;
    uint64_t sum[2] = {1, 2};
    size_t n = 0;
    bool good = ga__fread(&h, sizeof h, 1, f) == 1
                && !memcmp(h.magic, GA__MAGIC, sizeof h.magic)
                && h.nkey == nkey && h.nsymbols < (uint64_t)st.st_size
                && h.nimage < (uint64_t)st.st_size
                && (uint64_t)st.st_size
                       == sizeof h + h.nkey + h.nsymbols + h.nimage;
    if (good) {
        n = (size_t)st.st_size - sizeof h;
        all = GA_MALLOC(n + 1);
        good = all && ga__fread(all, 1, n, f) == n;
    }
    if (good) {
        ga__digest(all, n, sum);
        good = sum[0] == h.sum && !memcmp(all, key, nkey);
    }
    if (good)
        c = ga__code_new(key, nkey, all + nkey, (size_t)h.nsymbols,
                         all + nkey + h.nsymbols, (size_t)h.nimage);
    GA_FREE(all);
    fclose(f);
    if (c) utime(path, NULL);
    return c;
}

typedef struct ga__aged { char name[64]; time_t at; uint64_t size; } ga__aged;
static int ga__by_age(const void *a, const void *b) {
    time_t x = ((const ga__aged *)a)->at, y = ((const ga__aged *)b)->at;
    return (x > y) - (x < y);
}
/* Removes the files longest unused until the rest is within the limit, and
   temporary ones that a dead process left an hour ago.                     */
static void ga__cache_trim(char *path, size_t room, size_t folder) {
    size_t limit = (size_t)256 << 20, n = 0, cap = 0;
    const char *v = getenv("GPUARR_CACHE_LIMIT");
    if (v && *v && !ga__parse_bytes(v, &limit))
        fprintf(stderr, "gpuarr: GPUARR_CACHE_LIMIT=%s is not a number of "
                "bytes and is ignored\n", v);
    ga__aged *file = NULL;
    uint64_t total = 0;
    path[folder] = '\0';
    DIR *dir = opendir(path);
    if (!dir) return;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        struct stat st;
        size_t length = strlen(e->d_name), tail = strlen(GA__SUFFIX);
        bool temporary = !strncmp(e->d_name, ".tmp-", 5);
        if (length >= sizeof file->name
            || (!temporary && (length <= tail
                || strcmp(e->d_name + length - tail, GA__SUFFIX) != 0)))
            continue;
        snprintf(path + folder, room - folder, "/%s", e->d_name);
        if (stat(path, &st) != 0) continue;
        if (temporary) {
            if (difftime(time(NULL), st.st_mtime) > 3600) remove(path);
            continue;
        }
        if (n == cap) {
            size_t more = cap ? 2 * cap : 64;
            ga__aged *p = GA_REALLOC(file, more * sizeof *p);
            if (!p) break;
            file = p;
            cap = more;
        }
        memcpy(file[n].name, e->d_name, length + 1);
        file[n].at = st.st_mtime;
        total += file[n++].size = (uint64_t)st.st_size;
    }
    closedir(dir);
    if (n) qsort(file, n, sizeof *file, ga__by_age);
    for (size_t i = 0; i < n && total > limit; i++) {
        snprintf(path + folder, room - folder, "/%s", file[i].name);
        if (remove(path) == 0) total -= file[i].size;
    }
    GA_FREE(file);
}

/* Written under another name and renamed: readers see a whole file or none,
   and of two writers one wins. Failing to keep it is no error.             */
static void ga__cache_write(const ga__code *c) {
    static atomic_uint turn;
    char path[4096], draft[4096];
    size_t folder;
    ga__stored h;
    uint64_t sum[2] = {1, 2};
    if (!ga__cache_path(c->key, c->nkey, path, sizeof path, &folder)) return;
    int n = snprintf(draft, sizeof draft, "%.*s/.tmp-%ld-%u", (int)folder,
                     path, (long)getpid(), atomic_fetch_add(&turn, 1));
    if (n < 0 || (size_t)n >= sizeof draft) return;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, GA__MAGIC, sizeof h.magic);
    h.nkey = c->nkey;
    h.nsymbols = c->nsymbols;
    h.nimage = c->nimage;
    ga__digest(c->key, c->nkey, sum);
    ga__digest(c->symbols, c->nsymbols, sum);
    ga__digest(c->image, c->nimage, sum);
    h.sum = sum[0];
    FILE *f = fopen(draft, "wbx");  /* through no one's link                */
    if (!f) return;
    bool good = fwrite(&h, sizeof h, 1, f) == 1
                && fwrite(c->key, 1, c->nkey, f) == c->nkey
                && fwrite(c->symbols, 1, c->nsymbols, f) == c->nsymbols
                && fwrite(c->image, 1, c->nimage, f) == c->nimage;
    if (fclose(f) != 0 || !good || rename(draft, path) != 0) remove(draft);
    else ga__cache_trim(path, sizeof path, folder);
}
#else
static ga__code *ga__cache_read(const char *key, size_t nkey) {
    (void)key, (void)nkey;
    return NULL;
}
static void ga__cache_write(const ga__code *c) { (void)c; }
#endif

/* ============================================================= >>i-nvrtc */
static _Thread_local char ga__log[8192];
GA_API const char *ga_compile_log(void) { return ga__log; }

/* What a source is compiled from. names: "f", "g<float>", in all `nnames`;
   title: stands before the line numbers.                                   */
typedef struct ga__source {
    const char *fn, *title, *text, *options;
    const char *const *names;
    int nnames;
} ga__source;
static const char ga__rtc_stdint[] =
    "#pragma once\n"
    "typedef signed char int8_t; typedef short int16_t;\n"
    "typedef int int32_t; typedef long long int64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t;\n"
    "typedef unsigned uint32_t; typedef unsigned long long uint64_t;\n"
    "typedef long long intptr_t; typedef unsigned long long uintptr_t;\n";

#ifdef GPUARR_NO_CUDA
static ga_status ga__nvrtc_target(const char *fn, const char *options, int cc,
                                  char *arch, size_t room, int version[2]) {
    (void)options, (void)cc, (void)arch, (void)room, (void)version;
    return ga__fail(GA_ERR_NO_GPU, fn, "this program was compiled without CUDA "
                    "(GPUARR_NO_CUDA)");
}
static ga__code *ga__nvrtc_compile(const ga__source *s, const ga__text *key,
                                   const char *arch) {
    (void)key, (void)arch;
    return GA__NULL(GA_ERR_NO_GPU, s->fn, NULL);
}
#else
#define GA__NVRTC(X) \
    X(Version) X(GetErrorString) X(CreateProgram) X(DestroyProgram) \
    X(AddNameExpression) X(CompileProgram) X(GetLoweredName) \
    X(GetProgramLogSize) X(GetProgramLog) X(GetCUBINSize) X(GetCUBIN) \
    X(GetPTXSize) X(GetPTX) X(GetNumSupportedArchs) X(GetSupportedArchs)
#define GA__X(n) GA__TYPE(nvrtc##n) *n;
static struct ga__nvrtc { GA__NVRTC(GA__X) } ga__nvrtc;
#undef GA__X
#define GA__X(n) {GA__STR(nvrtc##n), offsetof(struct ga__nvrtc, n), false},
static const ga__symbol ga__nvrtc_names[] = {GA__NVRTC(GA__X) {NULL, 0, false}};
#undef GA__X
static ga__library ga__lib_nvrtc = {
#if CUDART_VERSION >= 13000         /* a driver loads no newer one's cubins */
    {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL},
#else
    {"libnvrtc.so.12", "libnvrtc.so", "libnvrtc.so.13", NULL},
#endif
    ga__nvrtc_names, &ga__nvrtc, PTHREAD_ONCE_INIT, false, ""};
static void ga__load_nvrtc(void) { ga__library_load(&ga__lib_nvrtc); }

static ga_status ga__nvrtc_ok(const char *fn, nvrtcResult e) {
    if (e == NVRTC_SUCCESS) return GA_OK;
    return ga__fail(e == NVRTC_ERROR_OUT_OF_MEMORY ? GA_ERR_HOST_MEMORY
                    : e == NVRTC_ERROR_INVALID_OPTION ? GA_ERR_VALUE
                    : GA_ERR_CUDA, fn, "NVRTC: %s",
                    ga__nvrtc.GetErrorString(e));
}

/* The architecture that NVRTC shall make code for, as an option: the device's
   own; PTX, which newer devices take, where NVRTC is older than the device.
   One among the user's options stays.                                      */
static ga_status ga__nvrtc_target(const char *fn, const char *options, int cc,
                                  char *arch, size_t room, int version[2]) {
    int n = 0, best = 0, list[64];
    ga_status st = ga__library_open(fn, &ga__lib_nvrtc, ga__load_nvrtc);
    if (!st) st = ga__nvrtc_ok(fn, ga__nvrtc.Version(&version[0], &version[1]));
    if (!st) st = ga__nvrtc_ok(fn, ga__nvrtc.GetNumSupportedArchs(&n));
    if (n > (int)(sizeof list / sizeof *list)) n = 0;
    if (!st && n) st = ga__nvrtc_ok(fn, ga__nvrtc.GetSupportedArchs(list));
    if (st) return st;
    for (int i = 0; i < n; i++)
        if (list[i] <= cc && list[i] > best) best = list[i];
    if (!best)
        return ga__fail(GA_ERR_ARCH, fn, "NVRTC %d.%d makes no code for "
                        "compute capability %d.%d", version[0], version[1],
                        cc / 10, cc % 10);
    *arch = '\0';
    if (!options || !strstr(options, "-arch"))  /* and --gpu-architecture   */
        snprintf(arch, room, "-arch=%s_%d", best == cc ? "sm" : "compute",
                 best);
    return GA_OK;
}

/* -I for CUDA's headers, "" where there is no toolkit. */
static void ga__toolkit_include(char *text, size_t room) {
    const char *top[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
                         "/usr/local/cuda"};
    for (int i = 0; i < 3; i++) {
        if (!top[i] || !*top[i]) continue;
        int n = snprintf(text, room, "-I%s/include/cuda_fp16.h", top[i]);
        FILE *f = n > 0 && (size_t)n < room ? fopen(text + 2, "r") : NULL;
        if (!f) continue;
        fclose(f);
        *strrchr(text, '/') = '\0';
        return;
    }
    *text = '\0';
}

/* The words of `options`; "a b" in quotes is one. */
static int ga__words(char *options, const char **word) {
    int n = 0;
    for (char *s = options; *s;) {
        s += strspn(s, " \t\n");
        if (!*s) break;
        bool quoted = false;
        char *to = s;
        word[n++] = s;
        for (; *s && (quoted || !strchr(" \t\n", *s)); s++) {
            if (*s == '"') quoted = !quoted;
            else *to++ = *s;
        }
        if (*s) s++;
        *to = '\0';
    }
    return n;
}

static ga__code *ga__nvrtc_compile(const ga__source *s, const ga__text *key,
                                   const char *arch) {
    char include[4096];
    int n = 0;
    nvrtcProgram p = NULL;
    ga__text types = {NULL, 0, 0, false}, symbols = {NULL, 0, 0, false};
    ga__code *code = NULL;
    void *image = NULL;
    size_t size = 0;
    char *options = ga__copy_text(s->fn, s->options ? s->options : "");
    const char **word = options ? GA_MALLOC(
        (strlen(options) / 2 + 3) * sizeof *word) : NULL;
    if (!word) {
        GA_FREE(options);
        return GA__NULL(GA_ERR_HOST_MEMORY, s->fn, NULL);
    }
    for (int i = 0; ga__rtc_types[i]; i++) ga__append(&types, ga__rtc_types[i]);
    n = ga__words(options, word);
    if (*arch) word[n++] = arch;
    ga__toolkit_include(include, sizeof include);
    if (*include) word[n++] = include;
    const char *header[2] = {types.s, ga__rtc_stdint};
    static const char *const header_name[2] = {"gpuarr_types.h", "stdint.h"};
    ga__log[0] = '\0';
    ga_status st = types.lost ? ga__fail(GA_ERR_HOST_MEMORY, s->fn, NULL)
                              : GA_OK;
    if (!st)
        st = ga__nvrtc_ok(s->fn, ga__nvrtc.CreateProgram(
            &p, s->text, s->title, 2, header, header_name));
    for (int i = 0; i < s->nnames && !st; i++)
        st = ga__nvrtc_ok(s->fn, ga__nvrtc.AddNameExpression(p, s->names[i]));
    nvrtcResult e = NVRTC_SUCCESS;
    if (!st) {
        e = ga__nvrtc.CompileProgram(p, n, word);
        size_t length = 0;
        char *log = NULL;
        if (!ga__nvrtc.GetProgramLogSize(p, &length) && length > 1)
            log = GA_MALLOC(length + 1);
        if (log && !ga__nvrtc.GetProgramLog(p, log))
            snprintf(ga__log, sizeof ga__log, "%s", log);
        GA_FREE(log);
        for (size_t k = strlen(ga__log); k && ga__log[k - 1] == '\n';)
            ga__log[--k] = '\0';
        if (e == NVRTC_ERROR_COMPILATION)
            st = ga__fail(GA_ERR_COMPILE, s->fn, "%s does not compile\n%s",
                          s->title, ga__log);
        else if (e == NVRTC_ERROR_INVALID_OPTION)
            st = ga__fail(GA_ERR_VALUE, s->fn, "%s: the options \"%s\" are not "
                          "NVRTC's\n%s", s->title, s->options ? s->options : "",
                          ga__log);
        else st = ga__nvrtc_ok(s->fn, e);
    }
    bool ptx = strstr(arch, "compute_") != NULL;
    if (!st) {
        e = ptx ? NVRTC_SUCCESS : ga__nvrtc.GetCUBINSize(p, &size);
        if (ptx || !size) {         /* an -arch of the user's may mean PTX  */
            ptx = true;
            e = ga__nvrtc.GetPTXSize(p, &size);
        }
        st = ga__nvrtc_ok(s->fn, e);
    }
    if (!st && !(image = GA_MALLOC(size + 1)))
        st = ga__fail(GA_ERR_HOST_MEMORY, s->fn, NULL);
    if (!st)
        st = ga__nvrtc_ok(s->fn, ptx ? ga__nvrtc.GetPTX(p, (char *)image)
                                     : ga__nvrtc.GetCUBIN(p, (char *)image));
    for (int i = 0; i < s->nnames && !st; i++) {
        const char *lowered;
        st = ga__nvrtc_ok(s->fn, ga__nvrtc.GetLoweredName(p, s->names[i],
                                                          &lowered));
        if (!st) ga__append_bytes(&symbols, lowered, strlen(lowered) + 1);
    }
    if (!st) {
        if (!symbols.lost)
            code = ga__code_new(key->s, key->n, symbols.n ? symbols.s : "",
                                symbols.n, image, size);
        if (!code) ga__fail(GA_ERR_HOST_MEMORY, s->fn, NULL);
    }
    if (p) ga__nvrtc.DestroyProgram(&p);
    GA_FREE(image);
    GA_FREE(types.s);
    GA_FREE(symbols.s);
    GA_FREE((void *)word);
    GA_FREE(options);
    return code;
}
#endif

/* Does the code depend on files that no key knows: headers of the user's? */
static bool ga__own_headers(const ga__source *s) {
    const char *o = s->options ? s->options : "", *t = s->text;
    if (strstr(o, "-I") || strstr(o, "-include")) return true;
    while ((t = strstr(t, "include")) != NULL) {
        t += 7 + strspn(t + 7, " \t");
        if (*t == '"' && strncmp(t, "\"gpuarr_types.h\"", 16)
            && strncmp(t, "\"stdint.h\"", 10))
            return true;
    }
    return false;
}

/* The source's code for compute capability cc (90: 9.0): from memory, from
   disk, or compiled now. NULL and an error if that fails.                  */
static ga__code *ga__code_get(const ga__source *s, int cc) {
    char arch[32] = "";
    int version[2] = {0, 0};
    ga__text key = {NULL, 0, 0, false};
    if (ga__nvrtc_target(s->fn, s->options, cc, arch, sizeof arch, version))
        return NULL;
    uint64_t types[2] = {3, 4};
    for (int i = 0; ga__rtc_types[i]; i++)
        ga__digest(ga__rtc_types[i], strlen(ga__rtc_types[i]), types);
    ga__write(&key, "gpuarr %d %016" PRIx64 ", NVRTC %d.%d, %s, %d names",
              GA_VERSION, types[0], version[0], version[1], arch, s->nnames);
    const char *part[3] = {s->options ? s->options : "", s->title, s->text};
    for (int i = 0; i < 3 + s->nnames; i++) {   /* with its 0: unambiguous  */
        const char *one = i < 3 ? part[i] : s->names[i - 3];
        ga__append_bytes(&key, one, strlen(one) + 1);
    }
    if (key.lost) {
        GA_FREE(key.s);
        return GA__NULL(GA_ERR_HOST_MEMORY, s->fn, NULL);
    }
    pthread_mutex_lock(&ga__code_lock);
    ga__code *c = ga__codes;
    while (c && (c->nkey != key.n || memcmp(c->key, key.s, key.n))) c = c->next;
    pthread_mutex_unlock(&ga__code_lock);
    if (!c) {
        bool kept = !ga__own_headers(s);
        c = kept ? ga__cache_read(key.s, key.n) : NULL;
        if (!c) {
            c = ga__nvrtc_compile(s, &key, arch);
            if (c && kept) ga__cache_write(c);
        }
        if (c) {                    /* two threads: one of them stays unused */
            pthread_mutex_lock(&ga__code_lock);
            c->next = ga__codes;
            ga__codes = c;
            pthread_mutex_unlock(&ga__code_lock);
        }
    }
    GA_FREE(key.s);
    return c;
}

/* =========================================================== >>i-kernels */
#define GA__K_ARGS 64               /* whose sizes are checked              */
struct ga__function {               /* a kernel on one device               */
    ga__function *next;
    ga__device *dev;
    void *f;                        /* CUfunction                           */
    char *symbol;
    int threads, fixed, most;       /* a block's threads at most; bytes of  */
                                    /* shared memory: static, all at most   */
    atomic_int shared;              /* dynamic ones that it may ask for     */
    int nargs;                      /* -1: the driver does not tell         */
    unsigned short size[GA__K_ARGS];
};

#ifdef GPUARR_NO_CUDA
static ga__function *ga__function_load(const char *fn, ga__device *d,
                                       ga__code *c, const char *symbol) {
    (void)d, (void)c, (void)symbol;
    return GA__NULL(GA_ERR_NO_GPU, fn, NULL);
}
static ga_status ga__function_launch(const char *fn, ga__device *d,
                                     ga_stream *s, ga__function *f,
                                     const unsigned *grid,
                                     const unsigned *block, size_t shared,
                                     void **args) {
    (void)d, (void)s, (void)f, (void)grid, (void)block, (void)shared;
    (void)args;
    return ga__fail(GA_ERR_NO_GPU, fn, NULL);
}
static ga_status ga__compute_capability(const char *fn, ga__device *d,
                                        int *cc) {
    (void)d;
    *cc = 0;
    return ga__fail(GA_ERR_NO_GPU, fn, NULL);
}
#else
#define GA__CU(X) \
    X(CtxGetCurrent) X(ModuleLoadData) X(ModuleGetFunction) \
    X(FuncGetAttribute) X(FuncSetAttribute) X(LaunchKernel)
#define GA__X(n) GA__TYPE(cu##n) *n;
static struct ga__cu {
    GA__CU(GA__X)
    /* since CUDA 12.4 */
    CUresult (*FuncGetParamInfo)(CUfunction, size_t, size_t *, size_t *);
} ga__cu;
#undef GA__X
#define GA__X(n) {GA__STR(cu##n), offsetof(struct ga__cu, n), false},
static const ga__symbol ga__cu_names[] = {GA__CU(GA__X)
    {"cuFuncGetParamInfo", offsetof(struct ga__cu, FuncGetParamInfo), true},
    {NULL, 0, false}};
#undef GA__X
static ga__library ga__lib_cu = {
    {"libcuda.so.1", "libcuda.so", NULL, NULL}, ga__cu_names, &ga__cu,
    PTHREAD_ONCE_INIT, false, ""};
static void ga__load_cu(void) { ga__library_load(&ga__lib_cu); }

/* As ga__cuda_enter, for the driver's functions: they want a context, which a
   new thread has once the runtime has been told its device. The two number
   their errors alike.                                                      */
static cudaError_t ga__cu_enter(const ga__device *d, int *before) {
    CUcontext now = NULL;
    cudaError_t e = ga__cuda_enter(d, before);
    if (!e) e = (cudaError_t)ga__cu.CtxGetCurrent(&now);
    return e || now ? e : cudaSetDevice(d->id);
}
static ga_status ga__compute_capability(const char *fn, ga__device *d,
                                        int *cc) {
    int major = 0, minor = 0;
    cudaError_t e = cudaDeviceGetAttribute(
        &major, cudaDevAttrComputeCapabilityMajor, d->id);
    if (!e) e = cudaDeviceGetAttribute(
        &minor, cudaDevAttrComputeCapabilityMinor, d->id);
    *cc = 10 * major + minor;
    return ga__cuda_fail(fn, d, e);
}

/* The function in c's module on d, which is loaded where it is not. Loading
   is none of a capture's affair. Under the lock.                           */
static cudaError_t ga__function_find(ga__device *d, ga__code *c,
                                     const char *symbol, ga__function *f) {
    static const CUfunction_attribute wanted[] = {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES};
    int got[3] = {0, 0, 0};
    CUfunction cu = NULL;
    CUresult r = CUDA_SUCCESS;
    if (!c->module[d->id]) {
        CUmodule m = NULL;
        r = ga__cu.ModuleLoadData(&m, c->image);
        if (!r) c->module[d->id] = m;
    }
    if (!r) r = ga__cu.ModuleGetFunction(&cu, (CUmodule)c->module[d->id],
                                         symbol);
    for (int i = 0; i < 3 && !r; i++)
        r = ga__cu.FuncGetAttribute(&got[i], wanted[i], cu);
    if (r) return (cudaError_t)r;
    f->f = cu;
    f->dev = d;
    f->threads = got[0];
    f->fixed = got[1];
    atomic_store(&f->shared, got[2]);
    f->nargs = -1;
    if (ga__cu.FuncGetParamInfo) {
        size_t at, size;
        int n = 0;
        for (; !ga__cu.FuncGetParamInfo(cu, (size_t)n, &at, &size); n++)
            if (n < GA__K_ARGS) f->size[n] = (unsigned short)size;
        f->nargs = n;
    }
    return cudaDeviceGetAttribute(
        &f->most, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->id);
}
static ga__function *ga__function_load(const char *fn, ga__device *d,
                                       ga__code *c, const char *symbol) {
    int before;
    if (ga__library_open(fn, &ga__lib_cu, ga__load_cu)) return NULL;
    pthread_mutex_lock(&ga__code_lock);
    ga__function *f = c->functions;
    while (f && (f->dev != d || strcmp(f->symbol, symbol))) f = f->next;
    pthread_mutex_unlock(&ga__code_lock);
    if (f) return f;
    f = GA_MALLOC(sizeof *f);
    if (!f) return GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(f, 0, sizeof *f);
    f->symbol = ga__copy_text(fn, symbol);
    ga_status st = f->symbol ? GA_OK : ga__failed();
    cudaError_t e = ga__cu_enter(d, &before);
    if (!st && !e) {
        enum cudaStreamCaptureMode m = ga__uncaptured();
        pthread_mutex_lock(&ga__code_lock);
        e = ga__function_find(d, c, symbol, f);
        if (!e) {
            f->next = c->functions;
            c->functions = f;
        }
        pthread_mutex_unlock(&ga__code_lock);
        ga__captured(m);
    }
    bool none = (CUresult)e == CUDA_ERROR_NOT_FOUND;
    if (none) e = cudaSuccess;
    ga_status left = ga__cuda_leave(fn, d, before, e);
    if (none && !st) st = ga__fail(GA_ERR_VALUE, fn, "the source has no kernel "
                                   "\"%s\"", symbol);
    if (!st) st = left;
    if (!st) return f;
    GA_FREE(f->symbol);
    GA_FREE(f);
    return NULL;
}
static ga_status ga__function_launch(const char *fn, ga__device *d,
                                     ga_stream *s, ga__function *f,
                                     const unsigned *grid,
                                     const unsigned *block, size_t shared,
                                     void **args) {
    int before;
    cudaError_t e = ga__cu_enter(d, &before);
    CUfunction cu = (CUfunction)f->f;
    int all = f->most - f->fixed;   /* threads that meet here set the same  */
    if (!e && shared > (size_t)atomic_load(&f->shared)) {
        e = (cudaError_t)ga__cu.FuncSetAttribute(
            cu, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, all);
        if (!e) atomic_store(&f->shared, all);
    }
    ga__span span = ga__span_begin(d, fn, f->symbol, s, NAN);
    if (!e)
        e = (cudaError_t)ga__cu.LaunchKernel(
            cu, grid[0], grid[1], grid[2], block[0], block[1], block[2],
            (unsigned)shared, (CUstream)s->handle, args, NULL);
    return ga__span_end(&span, ga__cuda_leave(fn, d, before, e));
}
#endif

/* The current device where kernels can run on it; NULL and why not. */
static ga__device *ga__rtc_device(const char *fn) {
    ga__device *d = ga__current(fn);
    if (!d || d->id != GA_CPU) return d;
    if (!ga__cuda_count())
        return GA__NULL(ga__env.no_cuda, fn, "%s; kernels from a string run "
                        "on CUDA devices alone", ga__env.why);
    return GA__NULL(GA_ERR_UNSUPPORTED, fn, "the current device is the CPU; "
                    "kernels from a string run on CUDA devices alone");
}

struct ga_module {
    atomic_int refs;                /* the user's and its kernels'          */
    char *text, *options;
    char **names;
    int nnames;
};
struct ga_kernel {
    ga_module *module;
    char *name;
    int index;                      /* in the module's names; -1: a symbol  */
    _Atomic(ga__function *) fn[GA__MAX_DEVICES];
};

static void ga__module_unref(ga_module *m) {
    if (!m || atomic_fetch_sub(&m->refs, 1) != 1) return;
    for (int i = 0; i < m->nnames; i++) GA_FREE(m->names[i]);
    GA_FREE(m->names);
    GA_FREE(m->text);
    GA_FREE(m->options);
    GA_FREE(m);
}
static ga__code *ga__module_code(const char *fn, const ga_module *m,
                                 ga__device *d) {
    int cc;
    if (ga__compute_capability(fn, d, &cc)) return NULL;
    ga__source s = {fn, m->nnames ? m->names[0] : "source", m->text,
                    m->options, (const char *const *)m->names, m->nnames};
    return ga__code_get(&s, cc);
}
/* The names, separated by the commas outside brackets. */
static bool ga__module_names(const char *fn, ga_module *m, const char *names) {
    int depth = 0;
    for (const char *s = names; *s;) {
        s += strspn(s, " \t\n,");
        const char *from = s;
        for (; *s && (depth || *s != ','); s++)
            depth += strchr("<([", *s) ? 1 : strchr(">)]", *s) ? -1 : 0;
        const char *to = s;
        while (to > from && strchr(" \t\n", to[-1])) to--;
        if (to == from) continue;
        char **grown = GA_REALLOC(m->names, sizeof *grown
                                  * ((size_t)m->nnames + 1));
        char *one = GA_MALLOC((size_t)(to - from) + 1);
        if (grown) m->names = grown;
        if (!grown || !one) {
            GA_FREE(one);
            ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
            return false;
        }
        memcpy(one, from, (size_t)(to - from));
        one[to - from] = '\0';
        m->names[m->nnames++] = one;
    }
    return true;
}
static ga_module *ga__module_new(const char *fn, const char *source,
                                 const char *names, const char *options) {
    if (!source || !names)
        return GA__NULL(GA_ERR_NULL, fn, "the %s is NULL",
                        source ? "kernel's name" : "source");
    ga__device *d = ga__rtc_device(fn);
    if (!d) return NULL;
    ga_module *m = GA_MALLOC(sizeof *m);
    if (!m) return GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(m, 0, sizeof *m);
    atomic_init(&m->refs, 1);
    m->text = ga__copy_text(fn, source);
    m->options = ga__copy_text(fn, options ? options : "");
    if (!m->text || !m->options || !ga__module_names(fn, m, names)
        || !ga__module_code(fn, m, d)) {
        ga__module_unref(m);
        return NULL;
    }
    return m;
}
static ga__function *ga__kernel_function(const char *fn, ga_kernel *k,
                                         ga__device *d) {
    ga__function *f = atomic_load_explicit(&k->fn[d->id],
                                           memory_order_acquire);
    if (f) return f;
    ga__code *c = ga__module_code(fn, k->module, d);
    if (!c) return NULL;
    const char *symbol = c->symbols;
    for (int i = 0; i < k->index && symbol < c->symbols + c->nsymbols; i++)
        symbol += strlen(symbol) + 1;
    f = ga__function_load(fn, d, c, k->index < 0 ? k->name : symbol);
    if (f) atomic_store_explicit(&k->fn[d->id], f, memory_order_release);
    return f;
}
static ga_kernel *ga__kernel_new(const char *fn, ga_module *m,
                                 const char *name) {
    ga__device *d = ga__rtc_device(fn);
    if (!d) return NULL;
    ga_kernel *k = GA_MALLOC(sizeof *k);
    if (!k) return GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(k, 0, sizeof *k);
    k->module = m;
    atomic_fetch_add(&m->refs, 1);
    k->name = ga__copy_text(fn, name);
    k->index = m->nnames - 1;
    while (k->index >= 0 && strcmp(m->names[k->index], name) != 0) k->index--;
    if (k->name && ga__kernel_function(fn, k, d)) return k;
    ga_kernel_free(k);
    return NULL;
}

GA_API ga_module *ga_module_compile(const char *source, const char *names,
                                    const char *options) {
    return ga__module_new("ga_module_compile", source, names, options);
}
GA_API void ga_module_free(ga_module *m) { ga__module_unref(m); }
GA_API ga_kernel *ga_module_kernel(ga_module *m, const char *name) {
    const char *fn = "ga_module_kernel";
    if (m && name) return ga__kernel_new(fn, m, name);
    ga__no_handle(fn, m ? "name" : "module");
    return NULL;
}
GA_API ga_kernel *ga_kernel_compile(const char *source, const char *name,
                                    const char *options) {
    const char *fn = "ga_kernel_compile";
    ga_module *m = ga__module_new(fn, source, name, options);
    if (!m) return NULL;
    ga_kernel *k = NULL;
    if (m->nnames == 1) k = ga__kernel_new(fn, m, m->names[0]);
    else ga__fail(GA_ERR_VALUE, fn, "\"%s\" is not one name: "
                  "ga_module_compile takes several", name);
    ga__module_unref(m);
    return k;
}
GA_API void ga_kernel_free(ga_kernel *k) {
    if (!k) return;
    ga__module_unref(k->module);
    GA_FREE(k->name);
    GA_FREE(k);
}

/* True where the kernel can be launched so; else an error with the numbers. */
static bool ga__launchable(const char *fn, const char *name,
                           const ga__function *f, ga_dims g, ga_dims b,
                           size_t shared) {
    const int64_t most[3] = {1024, 1024, 64};
    const int64_t block[3] = {b.x, b.y, b.z}, grid[3] = {g.x, g.y, g.z};
    bool wide = false;
    for (int i = 0; i < 3; i++) {
        int64_t far = i ? 65535 : INT32_MAX;
        wide |= block[i] > most[i];
        if (block[i] < 1) {
            ga__fail(GA_ERR_VALUE, fn, "%s: a block of %" PRId64 " x %" PRId64
                     " x %" PRId64 " threads", name, b.x, b.y, b.z);
            return false;
        }
        if (grid[i] >= 0 && grid[i] <= far) continue;
        ga__fail(GA_ERR_VALUE, fn, "%s: %" PRId64 " blocks along %c; 0 to %"
                 PRId64 " are possible", name, grid[i], "xyz"[i], far);
        return false;
    }
    if (wide || b.x * b.y * b.z > f->threads) {
        ga__fail(GA_ERR_VALUE, fn, "%s: a block of %" PRId64 " x %" PRId64
                 " x %" PRId64 " threads; at most %d are possible for this "
                 "kernel, 1024 along x and y, 64 along z", name, b.x, b.y, b.z,
                 f->threads);
        return false;
    }
    if (shared > (size_t)(f->most > f->fixed ? f->most - f->fixed : 0)) {
        ga__fail(GA_ERR_VALUE, fn, "%s: %zu bytes of shared memory beside the "
                 "kernel's own %d; a block has %d", name, shared, f->fixed,
                 f->most);
        return false;
    }
    return true;
}

GA_API ga_status ga_launch_args(ga_kernel *k, ga_dims grid, ga_dims block,
                                size_t shared, const ga_karg *args, int n) {
    const char *fn = "ga_launch";
    void *point[256];
    if (!k) return ga__no_handle(fn, "kernel");
    if (n < 0 || n > (int)(sizeof point / sizeof *point) || (n && !args))
        return ga__fail(GA_ERR_VALUE, fn, "%s: %d arguments; 0 to %d are "
                        "possible", k->name, n,
                        (int)(sizeof point / sizeof *point));
    ga__device *d = ga__rtc_device(fn);
    ga__function *f = d ? ga__kernel_function(fn, k, d) : NULL;
    if (!f || !ga__launchable(fn, k->name, f, grid, block, shared))
        return ga__failed();
    if (f->nargs >= 0 && f->nargs != n)
        return ga__fail(GA_ERR_VALUE, fn, "%s: %d arguments given, the kernel "
                        "takes %d", k->name, n, f->nargs);
    ga_stream *s = ga__stream(d);
    for (int i = 0; i < n; i++) {
        const ga_array *x = (const ga_array *)args[i].p;
        bool array = args[i].kind == GA__K_READ || args[i].kind == GA__K_WRITE;
        if (i < f->nargs && i < GA__K_ARGS && f->size[i] != args[i].size)
            return ga__fail(GA_ERR_VALUE, fn, "%s: argument %d has %u bytes, "
                            "the kernel's parameter %d", k->name, i + 1,
                            args[i].size, f->size[i]);
        if (array && (!ga__ok(fn, x) || !ga__same_device(fn, &x, 1)))
            return ga__failed();
        if (args[i].kind == GA__K_BYTES && !x)
            return ga__fail(GA_ERR_NULL, fn, "%s: argument %d is NULL",
                            k->name, i + 1);
        if (array && ga__is_number(x))
            return ga__fail(GA_ERR_VALUE, fn, "%s: argument %d is a C number "
                            "in an array's place", k->name, i + 1);
        point[i] = array ? (void *)(uintptr_t)&x->data
                   : args[i].kind == GA__K_BYTES ? (void *)(uintptr_t)args[i].p
                   : (void *)(uintptr_t)args[i].value.b;
    }
    if (!grid.x || !grid.y || !grid.z) return GA_OK;
    ga_status st = GA_OK;
    for (int i = 0; i < n && !st; i++)
        if (args[i].kind == GA__K_READ || args[i].kind == GA__K_WRITE)
            st = ga__order(fn, ((const ga_array *)args[i].p)->ga__buf, s,
                           args[i].kind == GA__K_WRITE);
    const unsigned g[3] = {(unsigned)grid.x, (unsigned)grid.y,
                           (unsigned)grid.z};
    const unsigned b[3] = {(unsigned)block.x, (unsigned)block.y,
                           (unsigned)block.z};
    if (st) return st;
    ga__span span = ga__span_begin(d, fn, k->name, s, NAN);
    st = ga__span_end(&span, ga__function_launch(fn, d, s, f, g, b, shared,
                                                 point));
    return st ? st : ga__after(fn, d, s);
}

/* =========================================================== >>i-ufuncs */
#define GA__K_NAME 64               /* letters of a kernel's name           */
typedef struct ga__kparam {
    char name[48];
    char var;                       /* the type variable, or 0: ...         */
    ga_dtype type;                  /* ... this one                         */
    bool raw;
} ga__kparam;

/* What a kernel is made for, beside its ufunc; compared bytewise. */
enum {
    GA__A_ARRAY,                    /* one element for each of the launch   */
    GA__A_LINE,                     /* one for all along the last axis      */
    GA__A_SAME,                     /* one for all                          */
    GA__A_NUMBER, GA__A_RAW,
    GA__A_INDEX                     /* no memory: the element's number      */
};
typedef struct ga__kshape {
    unsigned char nop, nin;         /* operands; those from nin are outputs */
    unsigned char nkeep, nred;      /* axes; both 0: flat                   */
    unsigned char vec, wide;        /* elements an access; 64-bit indices   */
    unsigned char row;              /* accesses a thread along a row, or 0  */
    unsigned char result;           /* a reduction's dtype: not an operand  */
    unsigned char kind[GA__K_PARAMS + 1];
    unsigned char stored[GA__K_PARAMS + 1], type[GA__K_PARAMS + 1];
} ga__kshape;
typedef struct ga__variant {
    struct ga__variant *next;
    ga__kshape shape;
    ga__device *dev;
    ga__function *f, *last;         /* last: a reduction's second kernel    */
    ga_dtype returns;               /* f NULL: what a function of these     */
} ga__variant;                      /* types returns                        */

enum { GA__U_MAP, GA__U_REDUCE, GA__U_FUNCTION };
struct ga_ufunc {
    int kind, nin, nout;
    bool index;                     /* the text uses i                      */
    ga__kparam p[GA__K_PARAMS];
    char *name;
    char *before;                   /* text at file scope                   */
    char *body, *reduce, *post, *identity;
    const char *options;
    ga_dtype value;                 /* a reduction's values; 0: the result's */
    _Atomic(ga__variant *) variants;
};

/* One launch: operands with strides over common axes. */
typedef struct ga__kop {
    ga__operand_view view;
    const ga_array *raw;
} ga__kop;
typedef struct ga__klayout {
    ga__kshape key;
    int ndim;                       /* reduced axes stand last              */
    int64_t n, shape[GA_MAX_NDIM];
    ga__kop op[GA__K_PARAMS + 1];
} ga__klayout;

/* Does the text use this word? (In a comment counts, and costs an index.) */
static bool ga__mentions(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *s = text; s && (s = strstr(s, word)) != NULL; s++)
        if ((s == text || !ga__e_letter(s[-1])) && !ga__e_letter(s[n]))
            return true;
    return false;
}
static size_t ga__word(const char *s) {
    size_t n = 0;
    while (ga__e_letter(s[n])) n++;
    return ga__e_digit(*s) ? 0 : n;
}

/* "raw T x, float32 y" into p; the number of them, -1 and an error. */
static int ga__parse_params(const char *fn, const char *text, ga__kparam *p,
                            int room) {
    int n = 0;
    for (const char *s = text; s && *(s += strspn(s, " \t\n"));) {
        if (n == room) {
            ga__fail(GA_ERR_VALUE, fn, "more than %d parameters", GA__K_PARAMS);
            return -1;
        }
        ga__kparam *q = &p[n++];
        memset(q, 0, sizeof *q);
        size_t k = ga__word(s);
        if (k == 3 && !strncmp(s, "raw", 3)) {
            q->raw = true;
            s += 3 + strspn(s + 3, " \t\n");
            k = ga__word(s);
        }
        q->type = GA_NUM_DTYPES;
        for (int t = 0; t < GA_NUM_DTYPES; t++)
            if (ga__e_is(ga__dtypes[t].name, s, (int)k)) q->type = (ga_dtype)t;
        if (k == 1 && *s >= 'A' && *s <= 'Z') q->var = *s;
        else if (q->type == GA_NUM_DTYPES) {
            ga__fail(GA_ERR_SYNTAX, fn, "\"%s\": a dtype's name or a capital "
                     "letter is expected at \"%.20s\"", text, s);
            return -1;
        }
        s += k + strspn(s + k, " \t\n");
        k = ga__word(s);
        if (!k || k >= sizeof q->name) {
            ga__fail(GA_ERR_SYNTAX, fn, "\"%s\": a parameter's name is "
                     "expected at \"%.20s\"", text, s);
            return -1;
        }
        memcpy(q->name, s, k);
        s += k + strspn(s + k, " \t\n");
        if (*s && *s != ',') {
            ga__fail(GA_ERR_SYNTAX, fn, "\"%s\": a comma is expected at "
                     "\"%.20s\"", text, s);
            return -1;
        }
        s += *s == ',';
        if (!strcmp(q->name, "i") || !strcmp(q->name, "_n")) {
            ga__fail(GA_ERR_SYNTAX, fn, "\"%s\": no parameter can be named %s",
                     text, q->name);
            return -1;
        }
    }
    return n;
}

static ga_ufunc *ga__ufunc_new(const char *fn, int kind, const char *in,
                               const char *out, const char *name) {
    if (!name || !*name || ga__word(name) != strlen(name)
        || strlen(name) > GA__K_NAME)
        return GA__NULL(GA_ERR_SYNTAX, fn, "\"%.100s\" is not a kernel's "
                        "name: a word of at most %d letters",
                        name ? name : "NULL", GA__K_NAME);
    ga_ufunc *f = GA_MALLOC(sizeof *f);
    if (!f) return GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(f, 0, sizeof *f);
    f->kind = kind;
    f->name = ga__copy_text(fn, name);
    f->nin = f->name ? ga__parse_params(fn, in, f->p, GA__K_PARAMS) : -1;
    if (f->nin >= 0)
        f->nout = ga__parse_params(fn, out, f->p + f->nin,
                                   GA__K_PARAMS - f->nin);
    if (f->nin >= 0 && f->nout >= 0) return f;
    ga_ufunc_free(f);
    return NULL;
}
GA_API void ga_ufunc_free(ga_ufunc *f) {
    if (!f) return;
    for (ga__variant *v = atomic_load(&f->variants), *next; v; v = next) {
        next = v->next;
        GA_FREE(v);
    }
    GA_FREE(f->name);
    GA_FREE(f->before);
    GA_FREE(f->body);
    GA_FREE(f->reduce);
    GA_FREE(f->post);
    GA_FREE(f->identity);
    GA_FREE(f);
}
GA_API ga_ufunc *ga_elementwise_kernel(const char *in, const char *out,
                                       const char *body, const char *name) {
    const char *fn = "ga_elementwise_kernel";
    if (!in || !out || !body)
        return GA__NULL(GA_ERR_NULL, fn, "a text is NULL");
    ga_ufunc *f = ga__ufunc_new(fn, GA__U_MAP, in, out, name);
    if (!f) return NULL;
    if (!f->nout) {
        ga_ufunc_free(f);
        return GA__NULL(GA_ERR_SYNTAX, fn, "no output is named");
    }
    f->body = ga__copy_text(fn, body);
    f->options = "-diag-suppress=177";
    f->index = ga__mentions(body, "i");
    if (f->body) return f;
    ga_ufunc_free(f);
    return NULL;
}
GA_API ga_ufunc *ga_reduction_kernel(const char *in, const char *out,
                                     const char *map, const char *reduce,
                                     const char *post, const char *identity,
                                     const char *name) {
    const char *fn = "ga_reduction_kernel";
    ga__text last = {NULL, 0, 0, false};
    if (!in || !out || !map || !reduce)
        return GA__NULL(GA_ERR_NULL, fn, "a text is NULL");
    ga_ufunc *f = ga__ufunc_new(fn, GA__U_REDUCE, in, out, name);
    if (!f) return NULL;
    const ga__kparam *z = &f->p[f->nin];
    bool good = f->nout == 1 && !z->raw;
    if (!good) ga__fail(GA_ERR_SYNTAX, fn, "\"%s\": a reduction has one output",
                        out);
    if (good) {
        if (post) ga__append(&last, post);
        else ga__write(&last, "%s = a", z->name);
        f->body = ga__copy_text(fn, map);
        f->reduce = ga__copy_text(fn, reduce);
        f->post = last.lost ? NULL : last.s;
        f->identity = identity ? ga__copy_text(fn, identity) : NULL;
        f->options = "-diag-suppress=177";      /* unused variables     */
        f->index = ga__mentions(map, "i");
        good = f->body && f->reduce && f->post && (f->identity || !identity);
    }
    if (good) return f;
    ga_ufunc_free(f);
    return NULL;
}
GA_API ga_ufunc *ga_vectorize(const char *source, const char *name) {
    const char *fn = "ga_vectorize";
    if (!source)
        return GA__NULL(GA_ERR_NULL, fn, "the source is NULL");
    ga_ufunc *f = ga__ufunc_new(fn, GA__U_FUNCTION, "", "", name);
    if (!f) return NULL;
    f->before = ga__copy_text(fn, source);
    f->options = "-default-device -diag-suppress=177";
    if (f->before) return f;
    ga_ufunc_free(f);
    return NULL;
}

/* ----------------------------------------------------- generated sources */
static const char *ga__cname(int t) { return ga__dtypes[t].name; }

/* The types, and the user's text at file scope. */
static void ga__gen_head(ga__text *t, const ga_ufunc *f, const ga__kshape *k) {
    bool named[26] = {false};
    ga__append(t, "#include \"gpuarr_types.h\"\n");
    for (int i = 0; i < f->nin + f->nout; i++) {
        char var = f->p[i].var;
        if (!var || named[var - 'A']) continue;
        named[var - 'A'] = true;
        ga__write(t, "typedef %s %c;\n",
                ga__cname(f->kind == GA__U_REDUCE && i == f->nin
                          ? k->result : k->type[i]), var);
    }
    if (f->before) ga__write(t, "#line 1 \"%s\"\n%s\n", f->name, f->before);
}
/* The parameters of the function that holds the user's text. */
static void ga__gen_formals(ga__text *t, const ga_ufunc *f,
                            const ga__kshape *k, int n) {
    ga__append(t, "const int64 i");
    for (int o = 0; o < n; o++) {
        const char *type = ga__cname(k->type[o]);
        bool in = o < k->nin;
        if (k->kind[o] == GA__A_RAW)
            ga__write(t, ", const ga_raw<%s%s> &", in ? "const " : "", type);
        else ga__write(t, ", %s %s", type, in ? "" : "&");
        if (f->kind == GA__U_FUNCTION) ga__write(t, "ga_%d", o);
        else ga__append(t, f->p[o].name);
    }
}
/* ... and of the kernel: p0, p1, ... */
static void ga__gen_params(ga__text *t, const ga__kshape *k, int n) {
    for (int o = 0; o < n; o++) {
        const char *constant = o < k->nin ? "const " : "";
        switch (k->kind[o]) {
        case GA__A_NUMBER:
            ga__write(t, ", %s p%d", ga__cname(k->type[o]), o);
            break;
        case GA__A_RAW:
            ga__write(t, ", ga_raw<%s%s> p%d", constant, ga__cname(k->type[o]),
                    o);
            break;
        case GA__A_INDEX:
            ga__write(t, ", int64 p%d", o);
            break;
        default:
            ga__write(t, ", %s%s *p%d", constant, ga__cname(k->stored[o]), o);
        }
    }
}
/* Operands with strides: arrays, and the element's number. */
static bool ga__moves(const ga__kshape *k, int o) {
    return k->kind[o] <= GA__A_LINE || k->kind[o] == GA__A_INDEX;
}
/* Where operand o's element stands: 'v', the number `at` of a vector; 'e', at
   the flat index e; 'o', at its own offset.                                */
static const char *ga__place(char *text, size_t room, char form, int o,
                             int at) {
    if (form == 'v') snprintf(text, room, "v%d.v[%d]", o, at);
    else if (form == 'e') snprintf(text, room, "p%d[e]", o);
    else snprintf(text, room, "p%d[o%d]", o, o);
    return text;
}
static void ga__gen_actuals(ga__text *t, const ga__kshape *k, int n, char form,
                            const char *index, int at) {
    char place[32];
    ga__write(t, "%s + %d", index, at);
    for (int o = 0; o < n; o++) {
        if (k->kind[o] == GA__A_NUMBER || k->kind[o] == GA__A_RAW)
            ga__write(t, ", p%d", o);
        else if (o >= k->nin) ga__write(t, ", z%d", o);
        else if (k->kind[o] != GA__A_ARRAY)
            ga__write(t, ", ga_cast<%s>(s%d)", ga__cname(k->type[o]), o);
        else ga__write(t, ", ga_cast<%s>(%s)", ga__cname(k->type[o]),
                       ga__place(place, sizeof place, form, o, at));
    }
}
/* One element: outputs are variables around the call, so that a body may read
   what they hold; where it does not, the compiler drops the load.          */
static void ga__gen_element(ga__text *t, const ga__kshape *k, int n, char form,
                            const char *index, int at) {
    char place[32];
    ga__append(t, "    {\n");
    for (int o = k->nin; o < n; o++)
        if (k->kind[o] != GA__A_RAW)
            ga__write(t, "        %s z%d = ga_cast<%s>(%s);\n",
                      ga__cname(k->type[o]), o, ga__cname(k->type[o]),
                      ga__place(place, sizeof place, form, o, at));
    ga__append(t, "        ga_body(");
    ga__gen_actuals(t, k, n, form, index, at);
    ga__append(t, ");\n");
    for (int o = k->nin; o < n; o++)
        if (k->kind[o] != GA__A_RAW)
            ga__write(t, "        %s = ga_cast<%s>(z%d);\n",
                      ga__place(place, sizeof place, form, o, at),
                      ga__cname(k->stored[o]), o);
    ga__append(t, "    }\n");
}
/* vec elements at p<o> + `place`: written out, since of a loop that it unrolls
   the compiler unrolls those inside too (cos of large numbers: 1.09 times the
   time of this for numbers that are not).                                  */
static void ga__gen_vector(ga__text *t, const ga__kshape *k, int n, char form,
                           const char *index) {
    char place[16] = "e";
    for (int o = 0; o < n; o++) {
        if (k->kind[o] != GA__A_ARRAY) continue;
        if (form == 'o') snprintf(place, sizeof place, "o%d", o);
        ga__write(t, "    ga_vec<%s, %d> v%d; v%d.load(p%d + %s);\n",
                  ga__cname(k->stored[o]), k->vec, o, o, o, place);
    }
    for (int at = 0; at < k->vec; at++)
        ga__gen_element(t, k, n, 'v', index, at);
    for (int o = k->nin; o < n; o++) {
        if (k->kind[o] != GA__A_ARRAY) continue;
        if (form == 'o') snprintf(place, sizeof place, "o%d", o);
        ga__write(t, "    v%d.store(p%d + %s);\n", o, o, place);
    }
}
/* Offsets `name`0, `name`1, ... of element `e`, over axes from..to-1 of g,
   added to what they hold.                                                 */
static void ga__gen_offsets(ga__text *t, const ga__kshape *k, char name,
                            const char *e, int from, int to) {
    ga__write(t, "        ga_index q = %s, r;\n", e);
    for (int d = to - 1; d >= from; d--) {
        if (d > from)
            ga__write(t, "        r = q %% (ga_index)g.n[%d]; "
                    "q /= (ga_index)g.n[%d];\n", d, d);
        else ga__append(t, "        r = q;\n");
        for (int o = 0; o < k->nop; o++)
            if (ga__moves(k, o))
                ga__write(t, "        %c%d += r * g.s[%d][%d];\n", name, o, o,
                          d);
    }
}
static void ga__gen_geometry(ga__text *t, const ga__kshape *k) {
    int axes = k->nkeep + k->nred;
    ga__write(t, "typedef %s ga_index;\n", k->wide ? "uint64" : "uint32");
    ga__write(t, "struct ga_axes { int64 n[%d], s[%d][%d]; };\n",
              axes ? axes : 1, k->nop, axes ? axes : 1);
}

/* An element-wise kernel: vec elements an access. Flat: all operands contiguous
   alike, with a rest; else offsets by the axes, the last one counted in
   vectors. Where rows fill blocks, a block is a part of one row, so that its
   place is found once and without a division (17.7 us, not 22.6, for a step of
   diffusion over 2000 x 2000 floats), and threads have `row` accesses each.  */
static void ga__gen_map(ga__text *t, const ga_ufunc *f, const ga__kshape *k) {
    int n = f->kind == GA__U_FUNCTION ? k->nop : f->nin + f->nout;
    bool flat = !k->nkeep, index = k->nop > n;
    int last = k->nkeep - 1;
    char place[16] = "0";
    ga__gen_head(t, f, k);
    ga__append(t, "static GA_FN void ga_body(");
    ga__gen_formals(t, f, k, n);
    if (f->kind == GA__U_FUNCTION) {
        ga__write(t, ") {\n    ga_%d = %s(", n - 1, f->name);
        for (int o = 0; o < n - 1; o++)
            ga__write(t, "%sga_%d", o ? ", " : "", o);
        ga__append(t, ");\n}\n");
    } else {
        ga__write(t, ") {\n#line 1 \"%s\"\n%s\n;\n}\n", f->name, f->body);
    }
    ga__append(t, "#line 1 \"gpuarr\"\n");
    if (!flat) ga__gen_geometry(t, k);
    ga__write(t, "extern \"C\" __global__ void __launch_bounds__(256)\n"
              "%s_kernel(const uint64 n", f->name);
    ga__gen_params(t, k, k->nop);
    ga__append(t, flat ? ") {\n" : ", const ga_axes g) {\n");
    if (!k->row)
        ga__write(t, "    uint64 e = (blockIdx.x * (uint64)256 + threadIdx.x)"
                  " * %d;\n    if (e >= n) return;\n", flat ? k->vec : 1);
    for (int o = 0; o < n; o++)
        if (k->kind[o] == GA__A_SAME)
            ga__write(t, "    const %s s%d = *p%d;\n",
                      ga__cname(k->stored[o]), o, o);
    if (flat) {
        if (k->vec > 1) {
            ga__write(t, "    if (e + %d <= n) {\n", k->vec);
            ga__gen_vector(t, k, n, 'e', "e");
            ga__append(t, "    return;\n    }\n"     /* what is left       */
                       "#pragma unroll 1\n    for (; e < n; e++)\n");
        }
        ga__gen_element(t, k, n, 'e', "e", 0);
        ga__append(t, "}\n");
        return;
    }
    char base = k->row ? 'b' : 'o';     /* of a row: its start              */
    for (int o = 0; o < k->nop; o++)
        if (k->kind[o] == GA__A_INDEX)
            ga__write(t, "    int64 %c%d = p%d;\n", base, o, o);
        else if (ga__moves(k, o))
            ga__write(t, "    int64 %c%d = 0;\n", base, o);
    if (!k->row || last) {
        ga__append(t, "    {\n");
        ga__gen_offsets(t, k, base, k->row ? "blockIdx.x" : "(ga_index)e", 0,
                        k->row ? last : k->nkeep);
        ga__append(t, "    }\n");
    }
    for (int o = 0; o < n; o++)
        if (k->kind[o] == GA__A_LINE)
            ga__write(t, "    const %s s%d = p%d[%c%d];\n",
                      ga__cname(k->stored[o]), o, o, base, o);
    if (k->row) {
        ga__write(t, "    ga_index c = blockIdx.%c * (ga_index)%d + threadIdx.x"
                  ";\n#pragma unroll\n    for (int j = 0; j < %d; j++, c += 256)"
                  " {\n    if (c >= (ga_index)g.n[%d]) return;\n",
                  last ? 'y' : 'x', 256 * k->row, k->row, last);
        for (int o = 0; o < k->nop; o++)
            if (ga__moves(k, o))
                ga__write(t, "    const int64 o%d = b%d + c * g.s[%d][%d];\n",
                          o, o, o, last);
    }
    if (index) snprintf(place, sizeof place, "o%d", n);
    if (k->vec > 1) ga__gen_vector(t, k, n, 'o', place);
    else ga__gen_element(t, k, n, 'o', place, 0);
    ga__append(t, k->row ? "    }\n}\n" : "}\n");
}

/* ======================================================== >>i-reduction
   A block makes `wide` results with 256/wide threads each: neighbours in a
   warp work along the kept axes where these are the fast ones (`across`), else
   along the reduced ones. Few long rows are cut in gridDim.y chunks, whose
   results a second kernel joins. work and out: in C order of the kept axes.
   An access is vec elements of a reduced axis or (row) of a kept one: then it
   is that many results (mean of float16 along rows 0.121 ms without).       */
static const char ga__reduce_text[] =
    "struct ga_place { int result, row, rows, step; };\n"
    "static GA_FN ga_place ga_where(int wide, int across) {\n"
    "    int t = threadIdx.x, rows = 256 / wide;\n"
    "    if (across) return {t % wide, t / wide, rows, wide};\n"
    "    return {t / rows, t % rows, rows, 1};\n"
    "}\n"
    "/* joins the first m of a result's rows in the first */\n"
    "static GA_FN void ga_join(ga_value *shared, ga_value a, ga_place at,\n"
    "                          int64 m, bool live) {\n"
    "    ga_value *mine = shared + threadIdx.x;\n"
    "    if (live) *mine = a;\n"
    "    for (int half = at.rows / 2; half; half /= 2) {\n"
    "        __syncthreads();\n"
    "        if (live && at.row < half && at.row + half < m)\n"
    "            *mine = ga_reduce(*mine, mine[half * at.step]);\n"
    "    }\n"
    "}\n";

/* One access of all operands, folded into a: a row's elements with each other
   first.                                                                    */
static void ga__gen_folds(ga__text *t, const ga__kshape *k, int n,
                          const char *index) {
    const char form = k->vec > 1 ? 'v' : 'o';
    for (int o = 0; o < n && k->vec > 1; o++)
        if (k->kind[o] == GA__A_ARRAY)
            ga__write(t, "        ga_vec<%s, %d> v%d; v%d.load(p%d + o%d);\n",
                      ga__cname(k->stored[o]), k->vec, o, o, o, o);
        else if (k->kind[o] == GA__A_LINE)
            ga__write(t, "        const %s s%d = p%d[o%d];\n",
                      ga__cname(k->stored[o]), o, o, o);
    for (int i = 0; i < k->vec; i++) {
        ga__write(t, k->row ? "        { const ga_value b = ga_map("
                  : i ? "        b = ga_reduce(b, ga_map("
                  : "        ga_value b = ga_map(");
        ga__gen_actuals(t, k, n, form, index, i);
        if (k->row) ga__write(t, "); a[%d] = first ? b : ga_reduce(a[%d], b); }"
                              "\n", i, i);
        else ga__append(t, i ? "));\n" : ");\n");
    }
    if (!k->row)
        ga__append(t, "        a[0] = first ? b : ga_reduce(a[0], b);\n");
}
static ga_dtype ga__k_value(const ga_ufunc *f, ga_dtype result) {
    return f->value ? f->value : ga__computes_in(GA__OP_add, result);
}
static void ga__gen_reduction(ga__text *t, const ga_ufunc *f,
                              const ga__kshape *k) {
    const int z = f->nin;
    ga_dtype type = (ga_dtype)k->result;
    const char *value = ga__cname(ga__k_value(f, type));
    char at[16] = "0";
    if (k->nop > z) snprintf(at, sizeof at, "o%d", z);
    ga__gen_head(t, f, k);
    ga__write(t, "typedef %s ga_value;\nstatic GA_FN ga_value ga_map(", value);
    ga__gen_formals(t, f, k, z);
    ga__write(t, ") { return ga_value(\n#line 1 \"%s\"\n%s\n); }\n"
            "static GA_FN ga_value ga_reduce(const ga_value a, "
            "const ga_value b) { return ga_value(\n#line 1 \"%s\"\n%s\n); }\n"
            "static GA_FN void ga_post(const ga_value a, const int64 _n, "
            "%s &%s) {\n#line 1 \"%s\"\n%s\n;}\n", f->name, f->body, f->name,
            f->reduce, ga__cname(type), f->p[z].name, f->name, f->post);
    if (f->identity)
        ga__write(t, "static GA_FN ga_value ga_identity() { return ga_value(\n"
                "#line 1 \"%s\"\n%s\n); }\n", f->name, f->identity);
    ga__append(t, "#line 1 \"gpuarr\"\n");
    ga__gen_geometry(t, k);
    ga__append(t, ga__reduce_text);
    ga__write(t, "extern \"C\" __global__ void __launch_bounds__(256)\n"
            "%s_kernel(int64 nout, int64 nred, int64 chunk, int wide,"
            " int across, ga_value *work, %s *out", f->name, ga__cname(type));
    ga__gen_params(t, k, k->nop);
    if (k->nkeep + k->nred) ga__append(t, ", const ga_axes g");
    ga__append(t, ") {\n"
            "    __shared__ ga_value shared[256];\n"
            "    const ga_place at = ga_where(wide, across);\n"
            "    const int64 result = blockIdx.x * (int64)wide + at.result;\n"
            "    const int64 from = blockIdx.y * chunk;\n"
            "    const int64 to = from + chunk < nred ? from + chunk : nred;\n"
            "    const bool live = result < nout && from + at.row < to;\n");
    ga__write(t, "    ga_value a[%d];\n", k->row ? k->vec : 1);
    if (f->identity)
        ga__write(t, "    if (!nred) {\n"
                "        if (at.row == 0 && result < nout) {\n"
                "            %s z;\n"
                "            ga_post(ga_identity(), 0, z);\n"
                "            out[result] = z;\n"
                "        }\n"
                "        return;\n    }\n", ga__cname(type));
    ga__append(t, "    if (live) {\n");
    for (int o = 0; o < k->nop; o++) {
        if (k->kind[o] == GA__A_SAME)
            ga__write(t, "        const %s s%d = *p%d;\n",
                    ga__cname(k->stored[o]), o, o);
        if (k->kind[o] == GA__A_INDEX)
            ga__write(t, "        int64 b%d = p%d;\n", o, o);
        else if (ga__moves(k, o)) ga__write(t, "        int64 b%d = 0;\n", o);
    }
    /* the kept axes once, in b; the reduced ones for every element, in o   */
    ga__append(t, "        {\n");
    if (k->nkeep) ga__gen_offsets(t, k, 'b', "(ga_index)result", 0, k->nkeep);
    ga__write(t, "        }\n        bool first = true;\n#pragma unroll %d\n"
              "        for (int64 e = from + at.row; e < to; e += at.rows) {\n",
              k->vec > 1 ? 2 : 4);
    for (int o = 0; o < k->nop; o++)
        if (ga__moves(k, o)) ga__write(t, "        int64 o%d = b%d;\n", o, o);
    if (k->nred)
        ga__gen_offsets(t, k, 'o', "(ga_index)e", k->nkeep,
                        k->nkeep + k->nred);
    ga__gen_folds(t, k, z, at);
    const int columns = k->row ? k->vec : 1;
    ga__write(t, "        first = false;\n        }\n    }\n"
            "#pragma unroll\n    for (int i = 0; i < %d; i++) {\n"
            "        if (i) __syncthreads();\n"
            "        ga_join(shared, a[i], at, to - from, live);\n"
            "        if (live) a[i] = shared[threadIdx.x];\n    }\n"
            "    if (!live || at.row) return;\n"
            "#pragma unroll\n    for (int i = 0; i < %d; i++) {\n"
            "        if (gridDim.y > 1) {\n"
            "            work[(blockIdx.y * nout + result) * %d + i] = a[i];\n"
            "        } else {\n"
            "            %s z;\n            ga_post(a[i], nred * %d, z);\n"
            "            out[result * %d + i] = z;\n        }\n    }\n}\n",
            columns, columns, columns, ga__cname(type),
            k->row ? 1 : k->vec, columns);
    ga__write(t, "extern \"C\" __global__ void __launch_bounds__(256)\n"
            "%s_join(int64 nout, int64 nred, int chunks, int wide,"
            " const ga_value *work, %s *out) {\n"
            "    __shared__ ga_value shared[256];\n"
            "    const ga_place at = ga_where(wide, 0);\n"
            "    const int64 result = blockIdx.x * (int64)wide + at.result;\n"
            "    const bool live = result < nout && at.row < chunks;\n"
            "    ga_value a;\n"
            "    if (live) {\n"
            "        a = work[at.row * nout + result];\n"
            "        for (int c = at.row + at.rows; c < chunks; c += at.rows)\n"
            "            a = ga_reduce(a, work[c * nout + result]);\n"
            "    }\n"
            "    ga_join(shared, a, at, chunks, live);\n"
            "    if (!live || at.row) return;\n"
            "    %s z;\n    ga_post(shared[threadIdx.x], nred, z);\n"
            "    out[result] = z;\n}\n", f->name, ga__cname(type),
            ga__cname(type));
}

/* ------------------------------------------------------------- launching */
/* l's axes as those of the library's own launches, operand `lead` first. The
   element's number is walked as an address, a byte an element, from here on. */
static char *const ga__k_index_0 = (char *)4096;
static int64_t ga__k_start(const ga__kop *p) {
    return (int64_t)((uintptr_t)p->view.data - (uintptr_t)ga__k_index_0);
}
typedef struct ga__kaxes {
    ga__axes_of of;
    ga__operand_view *o[GA__K_PARAMS + 1];
} ga__kaxes;
static ga__axes_of *ga__k_axes(ga__klayout *l, int lead, ga__kaxes *a) {
    a->of.ndim = l->ndim;
    a->of.shape = l->shape;
    a->of.n = 0;
    a->of.o = a->o;
    if (lead >= 0) a->o[a->of.n++] = &l->op[lead].view;
    for (int o = 0; o < l->key.nop; o++) {
        l->op[o].view.dtype = (ga_dtype)l->key.stored[o];
        if (o != lead) a->o[a->of.n++] = &l->op[o].view;
    }
    return &a->of;
}
/* Axes from..to-1 in their simplest form, in the order and direction of `lead`;
   lead < 0: as they stand. Returns the end of what is left of them.        */
static int ga__k_group(ga__klayout *l, int lead, int from, int to) {
    ga__kaxes a;
    ga__axes_of *of = ga__k_axes(l, lead, &a);
    int end = ga__group_axes(of, from, to, lead >= 0, lead >= 0);
    l->ndim = of->ndim;
    return end;
}

/* Each operand is moved, constant along all axes, or neither. */
static void ga__k_classify(ga__klayout *l) {
    for (int o = 0; o < l->key.nop; o++) {
        if (l->key.kind[o] != GA__A_ARRAY || o >= l->key.nin) continue;
        bool same = true;
        for (int d = 0; d < l->ndim; d++) same &= l->op[o].view.stride[d] == 0;
        if (same) l->key.kind[o] = GA__A_SAME;
    }
}
/* Elements of an access of up to 16 bytes along an axis, where strides and
   pointers allow it: contiguous, for some operands constant. rest: the axis
   need not divide; along < 0: there is none.                               */
static int ga__k_access(const ga__klayout *l, int along, bool rest) {
    size_t largest = 1;
    for (int o = 0; o < l->key.nop; o++) {
        if (!ga__moves(&l->key, o)) continue;
        int64_t step = along < 0 ? 1 : l->op[o].view.stride[along];
        bool index = l->key.kind[o] == GA__A_INDEX;
        if (step != 1 && (step || o >= l->key.nin || index)) return 1;
        size_t bytes = ga__size((ga_dtype)l->key.stored[o]);
        if (step && !index && bytes > largest) largest = bytes;
    }
    int vec = (int)(16 / largest);
    if (vec > 8) vec = 8;           /* the body stands there so many times  */
    if (!rest && l->shape[along] % vec) return 1;
    for (int o = 0; o < l->key.nop; o++) {
        const ga__operand_view *p = &l->op[o].view;
        if (l->key.kind[o] != GA__A_ARRAY || (along >= 0 && !p->stride[along]))
            continue;
        size_t bytes = ga__size((ga_dtype)l->key.stored[o]);
        if ((uintptr_t)p->data % ((size_t)vec * bytes)) return 1;
        for (int d = 0; d < l->ndim; d++)
            if (d != along && p->stride[d] % vec) return 1;
    }
    return vec;
}
/* The axis in accesses of vec elements. */
static void ga__k_in_accesses(ga__klayout *l, int along, int vec) {
    l->key.vec = (unsigned char)vec;
    if (vec == 1) return;
    for (int o = 0; o < l->key.nop; o++) {
        if (l->key.kind[o] == GA__A_ARRAY && !l->op[o].view.stride[along])
            l->key.kind[o] = GA__A_LINE;
        l->op[o].view.stride[along] *= vec;
    }
    l->shape[along] /= vec;
    l->n /= vec;
}
/* Accesses along the last axis; flat where it is the only one and no operand
   constant along it.                                                        */
static void ga__k_vector(ga__klayout *l) {
    int last = l->ndim - 1;
    bool flat = last <= 0;
    for (int o = 0; o < l->key.nop; o++)
        if (ga__moves(&l->key, o))
            flat = flat && (last < 0 || l->op[o].view.stride[last] == 1)
                   && !(l->key.kind[o] == GA__A_INDEX
                        && ga__k_start(&l->op[o]));
    l->key.wide = !flat && l->n > UINT32_MAX;
    l->key.nkeep = (unsigned char)(flat ? 0 : l->ndim);
    int vec = ga__k_access(l, last, flat);
    if (flat) l->key.vec = (unsigned char)vec;
    else ga__k_in_accesses(l, last, vec);
}

/* Blocks of rows, where at most an eighth of their threads has nothing to do:
   up to 4 elements a thread, if that leaves enough blocks.                 */
static void ga__k_rows(ga__klayout *l, int mps) {
    if (!l->key.nkeep) return;
    int64_t row = l->shape[l->ndim - 1], rows = l->n / row;
    for (int per = 4 / l->key.vec; per; per /= 2) {
        int64_t each = 256 * (int64_t)per, blocks = (row + each - 1) / each;
        if (row < blocks * each / 8 * 7 || (l->ndim > 1 && blocks > 65535)
            || (per > 1 && blocks * rows < 16 * (int64_t)mps))
            continue;
        l->key.row = (unsigned char)per;
        return;
    }
}

static ga__variant *ga__variant_find(ga_ufunc *f, const ga__device *d,
                                     const ga__kshape *k) {
    ga__variant *v = atomic_load_explicit(&f->variants, memory_order_acquire);
    while (v && (v->dev != d || memcmp(&v->shape, k, sizeof *k))) v = v->next;
    return v;
}
static ga__variant *ga__variant_add(const char *fn, ga_ufunc *f,
                                    const ga__variant *of) {
    ga__variant *v = GA_MALLOC(sizeof *v);
    if (!v) return GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    *v = *of;
    v->next = atomic_load(&f->variants);
    while (!atomic_compare_exchange_weak(&f->variants, &v->next, v)) {
    }
    return v;
}
/* Set while a launch shall not wait for the compiler: where its kernel is not
   there *missing is set, and it is asked for in the background (>>jit).    */
static _Thread_local bool *ga__a_missing;
static _Thread_local ga_expr *ga__a_for;
static void ga__a_ask(ga_ufunc *f, ga__device *d, const ga__kshape *shape);
/* The kernel of f for this layout on d, made where there is none. */
static ga__variant *ga__variant_of(const char *fn, ga_ufunc *f, ga__device *d,
                                   const ga__kshape *k) {
    ga__variant *found = ga__variant_find(f, d, k);
    if (found && (found->f || !ga__a_missing)) return found;
    if (ga__a_missing) {
        *ga__a_missing = true;
        if (!found) ga__a_ask(f, d, k);
        return NULL;
    }
    ga__variant v = {NULL, *k, d, NULL, NULL, GA_NUM_DTYPES};
    char first[GA__K_NAME + 8], last[GA__K_NAME + 8];
    const char *names[2] = {first, last};
    ga__text t = {NULL, 0, 0, false};
    bool reduction = f->kind == GA__U_REDUCE;
    int cc;
    if (ga__compute_capability(fn, d, &cc)) return NULL;
    snprintf(first, sizeof first, "%s_kernel", f->name);
    snprintf(last, sizeof last, "%s_join", f->name);
    if (reduction) ga__gen_reduction(&t, f, k);
    else ga__gen_map(&t, f, k);
    ga__source s = {fn, f->name, t.s, f->options, names, 1 + reduction};
    ga__code *c = t.lost ? GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL)
                         : ga__code_get(&s, cc);
    GA_FREE(t.s);
    if (c) v.f = ga__function_load(fn, d, c, first);
    if (v.f && reduction) v.last = ga__function_load(fn, d, c, last);
    return v.f && (v.last || !reduction) ? ga__variant_add(fn, f, &v) : NULL;
}

/* A raw array as the kernel sees it: ga_raw of gpuarr_types.h. */
typedef struct ga__kraw {
    void *data;
    int64_t size;
    int ndim, flat;
    int64_t shape[GA_MAX_NDIM], stride[GA_MAX_NDIM];
} ga__kraw;
/* The arguments for the operands, behind those at arg[0..n-1]; axes holds the
   geometry. Returns their number.                                          */
static int ga__k_arguments(ga__klayout *l, void **arg, int n, ga__kraw *raw,
                           int64_t *axes) {
    int nd = l->key.nkeep + l->key.nred, at = 0;
    for (int o = 0; o < l->key.nop; o++) {
        ga__kop *p = &l->op[o];
        switch (l->key.kind[o]) {
        case GA__A_INDEX: {
            int64_t start = ga__k_start(p);
            memcpy(p->view.value.b, &start, sizeof start);
        }   /* fall through */
        case GA__A_NUMBER:
            arg[n++] = &p->view.value;
            break;
        case GA__A_RAW: {
            const ga_array *x = p->raw;
            ga__kraw *r = &raw[o];
            r->data = x->data;
            r->size = x->size;
            r->ndim = x->ndim;
            r->flat = ga_is_contiguous(x);
            memcpy(r->shape, x->shape, sizeof r->shape);
            memcpy(r->stride, x->strides, sizeof r->stride);
            arg[n++] = r;
            break;
        }
        default:
            arg[n++] = &p->view.data;
        }
    }
    if (!nd) return n;
    for (int d = 0; d < nd; d++) axes[at++] = l->shape[d];
    for (int o = 0; o < l->key.nop; o++)
        for (int d = 0; d < nd; d++) axes[at++] = l->op[o].view.stride[d];
    arg[n++] = axes;
    return n;
}
#define GA__K_AXES ((GA__K_PARAMS + 2) * GA_MAX_NDIM)

static ga_status ga__k_grid(const char *fn, const ga_ufunc *f, int64_t blocks,
                            unsigned *grid) {
    if (blocks > INT32_MAX)
        return ga__fail(GA_ERR_SIZE, fn, "%s: too many elements for one launch",
                        f->name);
    grid[0] = (unsigned)blocks;
    grid[1] = grid[2] = 1;
    return GA_OK;
}
static const unsigned ga__k_block[3] = {256, 1, 1};

/* For the profile: the bytes that the operands have. */
static double ga__k_bytes(const ga__klayout *l) {
    double bytes = 0;
    for (int o = 0; o < l->key.nop; o++)
        if (l->key.kind[o] == GA__A_ARRAY)
            bytes += ga__met(l->ndim, l->shape, l->op[o].view.stride)
                     * (double)ga__size((ga_dtype)l->key.stored[o]);
    return bytes;
}
static ga__span ga__k_span(const char *fn, const ga_ufunc *f, ga__device *d,
                           ga_stream *s, double bytes) {
    return ga__span_begin(d, fn, ga__me.text ? ga__me.text : f->name, s, bytes);
}
/* The element-wise launch of a layout whose axes have been sorted. */
static ga_status ga__k_map(const char *fn, ga_ufunc *f, ga__device *d,
                           ga_stream *s, ga__klayout *l) {
    void *arg[GA__K_PARAMS + 4];
    ga__kraw raw[GA__K_PARAMS + 1];
    int64_t axes[GA__K_AXES];
    unsigned grid[3];
    ga__k_classify(l);
    double bytes = ga__k_bytes(l);
    ga__k_vector(l);
    ga__k_rows(l, d->mps);
    uint64_t n = (uint64_t)l->n;
    ga__variant *v = ga__variant_of(fn, f, d, &l->key);
    if (!v) return ga__failed();
    arg[0] = &n;
    ga__k_arguments(l, arg, 1, raw, axes);
    int64_t each = 256 * (int64_t)(l->key.row ? l->key.row
                                   : l->key.nkeep ? 1 : l->key.vec);
    int64_t row = l->key.row ? l->shape[l->ndim - 1] : l->n;
    int64_t blocks = (row + each - 1) / each;
    bool rows = l->key.row && l->ndim > 1;
    ga_status st = ga__k_grid(fn, f, rows ? l->n / row : blocks, grid);
    if (st) return st;
    if (rows) grid[1] = (unsigned)blocks;
    ga__span span = ga__k_span(fn, f, d, s, bytes);
    st = ga__span_end(&span, ga__function_launch(fn, d, s, v->f, grid,
                                                 ga__k_block, 0, arg));
    return st ? st : ga__after(fn, d, s);
}

/* ---------------------------------------------------- operands and dtypes */
static bool ga__k_raw(const ga_ufunc *f, int o) {
    return f->kind != GA__U_FUNCTION && f->p[o].raw;
}
/* x as operand o of f: raw, a number, or broadcast to the axes of l. */
static void ga__k_operand(ga__klayout *l, const ga_ufunc *f, int o,
                          const ga_array *x, ga_dtype type) {
    ga__operand_view *p = &l->op[o].view;
    bool number = ga__is_number(x);
    l->op[o].raw = x;
    l->key.type[o] = l->key.stored[o] = (unsigned char)type;
    l->key.kind[o] = ga__k_raw(f, o) ? GA__A_RAW
                     : number ? GA__A_NUMBER : GA__A_ARRAY;
    if (number) ga__value(x, type, p->value.b);
    if (l->key.kind[o] != GA__A_ARRAY) return;
    l->key.stored[o] = (unsigned char)x->dtype;
    p->data = x->data;
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] != 1) p->stride[l->ndim - x->ndim + d] = x->strides[d];
}
/* The element's number in C order, as operand o. */
static void ga__k_index(ga__klayout *l, int o) {
    int64_t step = 1;
    l->key.kind[o] = GA__A_INDEX;
    l->key.stored[o] = GA_UINT8;
    l->op[o].view.data = ga__k_index_0;
    for (int d = l->ndim; d-- > 0; step *= l->shape[d])
        if (l->shape[d] != 1) l->op[o].view.stride[d] = step;
}

/* The dtypes of the parameters, given operands x[0..n-1] (n: inputs, or inputs
   and outputs).                                                            */
static ga_status ga__k_types(const char *fn, const ga_ufunc *f,
                             const ga_array *const *x, int n, ga_dtype *type) {
    int all = f->nin + f->nout;
    for (int i = 0; i < all; i++) {
        const ga_array *of[GA__K_PARAMS];
        int m = 0;
        type[i] = f->p[i].type;
        if (!f->p[i].var) continue;
        for (int pass = 0; pass < 2 && !m; pass++)  /* inputs, else outputs */
            for (int j = pass ? f->nin : 0; j < (pass ? n : f->nin); j++)
                if (f->p[j].var == f->p[i].var) of[m++] = x[j];
        if (!m)
            return ga__fail(GA_ERR_DTYPE, fn, "%s: nothing says what %c is for "
                            "\"%s\"", f->name, f->p[i].var, f->p[i].name);
        type[i] = ga__common(fn, GA__OP_add, of, m);
        if (type[i] == GA_NUM_DTYPES) return ga__failed();
    }
    for (int i = 0; i < n && i < f->nin; i++) {
        bool fits = f->p[i].raw ? x[i]->dtype == type[i]
                    : ga_can_cast(x[i]->dtype, type[i])
                      /* a C integer: its value is looked at */
                      || (x[i]->ga__magic == GA__WEAK && ga__is_int(x[i]->dtype)
                          && ga__is_int(type[i]));
        if (!fits)
            return ga__fail(GA_ERR_DTYPE, fn, "%s: %s is %s%s, %s was given",
                            f->name, f->p[i].name, f->p[i].raw ? "raw " : "",
                            ga_dtype_name(type[i]), ga_dtype_name(x[i]->dtype));
        if (ga__is_number(x[i]) && ga__check_fits(fn, x[i], type[i]))
            return ga__failed();
    }
    return GA_OK;
}

/* Operands that may be used: alive, on the current device; raw ones arrays. */
static ga__device *ga__k_check(const char *fn, const ga_ufunc *f,
                               const ga_array *const *x, int n) {
    if (!ga__all_ok(fn, x, n)) return NULL;
    ga__device *d = ga__rtc_device(fn);
    if (!d || !ga__same_device(fn, x, n)) return NULL;
    for (int i = 0; i < n; i++)
        if (ga__is_number(x[i]) && (i >= f->nin || f->p[i].raw)
            && f->kind != GA__U_FUNCTION)
            return GA__NULL(GA_ERR_VALUE, fn, "%s: %s must be an array, not a "
                            "C number", f->name, f->p[i].name);
    return d;
}
static bool ga__ufunc_ok(const char *fn, const ga_ufunc *f, bool reduction) {
    if (!f) return ga__no_handle(fn, "kernel") == GA_OK;
    if ((f->kind == GA__U_REDUCE) == reduction) return true;
    ga__fail(GA_ERR_VALUE, fn, reduction ? "%s is no reduction: "
             "ga_kernel_call runs it" : "%s is a reduction: ga_kernel_reduce "
             "runs it", f->name);
    return false;
}
/* Orders the launch after what others do with the arrays. */
static ga_status ga__k_order(const char *fn, const ga_array *const *x, int n,
                             ga_stream *s, bool write) {
    ga_status st = GA_OK;
    for (int i = 0; i < n && !st; i++)
        if (!ga__is_number(x[i])) st = ga__order(fn, x[i]->ga__buf, s, write);
    return st;
}

/* f for every element of the shape: inputs x into z, of these types. All has
   been checked.                                                            */
static ga_status ga__k_run(const char *fn, ga_ufunc *f, ga__device *d,
                           const ga_array *const *x, int nin,
                           ga_array *const *z, int nout, const ga_dtype *type,
                           int ndim, const int64_t *shape) {
    ga__klayout l;
    const ga_array *in[GA__K_PARAMS];
    ga_array *copy[GA__K_PARAMS] = {NULL};
    ga_stream *s = ga__stream(d);
    ga_status st = GA_OK;
    int lead = -1;                  /* whose order counts: the first output */
    memset(&l, 0, sizeof l);
    l.n = 1;
    l.ndim = ndim;
    memcpy(l.shape, shape, (size_t)ndim * sizeof *shape);
    for (int i = 0; i < ndim; i++) if (!shape[i]) return GA_OK;
    for (int i = 0; i < ndim; i++) l.n *= shape[i];
    l.key.nin = (unsigned char)nin;
    l.key.nop = (unsigned char)(nin + nout);
    for (int o = 0; o < nin + nout && !st; o++) {
        const ga_array *a = o < nin ? x[o] : z[o - nin];
        bool clash = false;         /* what is raw is met in any order      */
        for (int k = 0; k < nout && o < nin; k++)
            clash |= ga__k_raw(f, o) || ga__k_raw(f, nin + k)
                     ? ga__overlaps(a, z[k]) : ga__disturbs(a, z[k]);
        if (clash) a = copy[o] = (ga_copy)(a);
        if (!a) {
            st = ga__failed();
            break;
        }
        if (o < nin) in[o] = a;
        ga__k_operand(&l, f, o, a, type[o]);
        if (l.key.kind[o] == GA__A_ARRAY
            && lead < nin && (lead < 0 || o >= nin))
            lead = o;
    }
    if (f->index) ga__k_index(&l, l.key.nop++);
    ga__k_group(&l, lead, 0, l.ndim);
    if (!st) st = ga__k_order(fn, in, nin, s, false);
    if (!st) st = ga__k_order(fn, (const ga_array *const *)z, nout, s, true);
    if (!st) st = ga__k_map(fn, f, d, s, &l);
    for (int o = 0; o < nin; o++) ga_free(copy[o]);
    return st;
}

/* Of the inputs that are not raw the common shape; false where there is no
   array among them that has one (*ndim is -1) or on an error.              */
static bool ga__k_shape(const char *fn, const ga_ufunc *f,
                        const ga_array *const *x, int n, int *ndim,
                        int64_t *shape) {
    const ga_array *y[GA__K_PARAMS];
    int m = 0;
    bool arrays = f->kind == GA__U_FUNCTION;
    for (int i = 0; i < n; i++) {
        if (ga__k_raw(f, i)) continue;
        arrays |= !ga__is_number(x[i]);
        y[m++] = x[i];
    }
    *ndim = -1;
    return arrays && ga__broadcast(fn, y, m, ndim, shape);
}
/* The results z[0..nout-1], made where NULL: laid out as the first operand of
   their shape.                                                             */
static ga_status ga__k_make(const char *fn, ga__device *d,
                            const ga_array *const *x, int n, int ndim,
                            const int64_t *shape, const ga_dtype *type,
                            ga_array **z, int nout) {
    int order[GA_MAX_NDIM], *use = NULL;
    for (int i = 0; i < n && !use; i++)
        if (x[i]->ndim == ndim && ndim > 1 && !ga__is_number(x[i])
            && !memcmp(x[i]->shape, shape, (size_t)ndim * sizeof *shape)) {
            ga__order_of(x[i], order);
            use = order;
        }
    for (int o = 0; o < nout; o++) {
        z[o] = ga__new(fn, d, ndim, shape, type[o], use);
        if (!z[o]) return ga__failed();     /* the caller frees the others  */
    }
    return GA_OK;
}

/* What the function returns for these types: compiled, since only C++ knows;
   the dtype comes back in the name of an instance of a template. Asked once. */
static ga_status ga__k_result(const char *fn, ga_ufunc *f, ga__device *d,
                              const ga_dtype *type, int n, ga_dtype *result) {
    ga__text t = {NULL, 0, 0, false};
    ga__variant v;
    int cc, got = -1;
    memset(&v, 0, sizeof v);
    v.dev = d;
    v.shape.nop = v.shape.nin = (unsigned char)n;   /* no kernel's: no output */
    for (int i = 0; i < n; i++) v.shape.type[i] = (unsigned char)type[i];
    const ga__variant *known = ga__variant_find(f, d, &v.shape);
    if (known) {
        *result = known->returns;
        return GA_OK;
    }
    if (ga__compute_capability(fn, d, &cc)) return ga__failed();
    ga__append(&t, "#include \"gpuarr_types.h\"\n"
             "template <int D> __global__ void ga_tag() {}\n"
             "template <class T> T ga_some();\n");
    ga__write(&t, "#line 1 \"%s\"\n%s\n#line 1 \"gpuarr\"\n"
            "enum { ga_result = ga_is<decltype(%s(", f->name, f->before,
            f->name);
    for (int i = 0; i < n; i++)
        ga__write(&t, "%sga_some<%s>()", i ? ", " : "", ga__cname(type[i]));
    ga__append(&t, "))>::dtype };\n");
    const char *name = "ga_tag<(int)ga_result>";
    ga__source s = {fn, f->name, t.s, f->options, &name, 1};
    ga__code *c = t.lost ? GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL)
                         : ga__code_get(&s, cc);
    GA_FREE(t.s);
    if (!c) return ga__failed();
    const char *tag = strstr(c->symbols, "ILi");    /* _Z6ga_tagILi11EEvv   */
    if (tag && tag[3] != 'n') got = atoi(tag + 3);
    if (got < 0 || got >= GA_NUM_DTYPES)
        return ga__fail(GA_ERR_DTYPE, fn, "%s returns no dtype", f->name);
    *result = v.returns = (ga_dtype)got;
    return ga__variant_add(fn, f, &v) ? GA_OK : ga__failed();
}
/* The types of a function's arguments: the operands' own; a C number takes
   what it promotes to beside the arrays.                                   */
static ga_status ga__k_argument_types(const char *fn, const ga_array *const *x,
                                      int n, ga_dtype *type) {
    const ga_array *of[GA__K_PARAMS];
    for (int i = 0; i < n; i++) {
        int m = 0;
        type[i] = x[i]->dtype;
        if (x[i]->ga__magic != GA__WEAK) continue;
        of[m++] = x[i];
        for (int j = 0; j < n; j++)
            if (x[j]->ga__magic != GA__WEAK) of[m++] = x[j];
        type[i] = ga__common(fn, GA__OP_add, of, m);
        if (type[i] == GA_NUM_DTYPES) return ga__failed();
    }
    return GA_OK;
}

static ga_status ga__ufunc_call(const char *fn, ga_ufunc *f,
                                const ga_array *const *x, int n,
                                ga_array **made) {
    ga_dtype type[GA__K_PARAMS];
    int64_t shape[GA_MAX_NDIM];
    int ndim;
    if (!ga__ufunc_ok(fn, f, false)) return ga__failed();
    bool function = f->kind == GA__U_FUNCTION;
    int nin = made ? n : function ? n - 1 : f->nin;
    int nout = function ? 1 : f->nout, most = GA__K_PARAMS - nout;
    if (function ? nin < 1 || nin > most : n != f->nin + (made ? 0 : f->nout))
        return ga__fail(GA_ERR_VALUE, fn, "%s: %d arrays and numbers given, it "
                        "takes %d", f->name, n, function ? (nin < 1 ? 1 : most)
                        : f->nin + (made ? 0 : f->nout));
    ga__device *d = ga__k_check(fn, f, x, n);
    if (!d) return ga__failed();
    ga_status st = function ? ga__k_argument_types(fn, x, nin, type)
                            : ga__k_types(fn, f, x, n, type);
    if (!st && function) st = ga__k_result(fn, f, d, type, nin, &type[nin]);
    if (st) return st;
    bool known = ga__k_shape(fn, f, x, nin, &ndim, shape);
    if (!known && ndim >= 0) return ga__failed();
    if (made) {
        for (int o = 0; o < nout; o++) known &= !ga__k_raw(f, nin + o);
        if (!known)
            return ga__fail(GA_ERR_SHAPE, fn, "%s: no operand gives the result "
                            "a shape; ga_kernel_into takes it from the output",
                            f->name);
        st = ga__k_make(fn, d, x, nin, ndim, shape, type + nin, made, nout);
        if (!st)
            st = ga__k_run(fn, f, d, x, nin, made, nout, type, ndim, shape);
        for (int o = 0; st && o < nout; o++) ga_free(made[o]);
        return st;
    }
    ga_array *z[GA__K_PARAMS];
    for (int o = 0; o < nout; o++) {
        bool raw = ga__k_raw(f, nin + o);
        z[o] = (ga_array *)(uintptr_t)x[nin + o];
        if (!ga__writable(fn, z[o])) return ga__failed();
        if (raw && z[o]->dtype != type[nin + o])
            return ga__fail(GA_ERR_DTYPE, fn, "%s: %s is raw %s, %s was given",
                            f->name, f->p[nin + o].name,
                            ga_dtype_name(type[nin + o]),
                            ga_dtype_name(z[o]->dtype));
        if (raw) continue;
        if (!known) {
            known = true;
            ndim = z[o]->ndim;
            memcpy(shape, z[o]->shape, sizeof shape);
        }
        if (!ga__suits(fn, z[o], ndim, shape, type[nin + o]))
            return ga__failed();
    }
    if (!known)
        return ga__fail(GA_ERR_SHAPE, fn, "%s: all arrays are raw: nothing "
                        "says for how many elements it runs", f->name);
    return ga__k_run(fn, f, d, x, nin, z, nout, type, ndim, shape);
}
GA_API ga_status ga_ufunc_run(ga_ufunc *f, const ga_array *const *x, int n,
                              ga_array **out) {
    ga_array *made[GA__K_PARAMS] = {NULL};
    if (!out) return ga__fail(GA_ERR_NULL, "ga_ufunc_run", "the output is NULL");
    ga_status st = ga__ufunc_call("ga_ufunc_run", f, x, n, made);
    for (int o = 0; !st && o < (f->kind == GA__U_FUNCTION ? 1 : f->nout); o++)
        out[o] = made[o];
    return st;
}
GA_API ga_array *ga_ufunc_call(ga_ufunc *f, const ga_array *const *x, int n) {
    const char *fn = "ga_kernel_call";
    ga_array *made[GA__K_PARAMS] = {NULL};
    if (f && f->kind == GA__U_MAP && f->nout != 1)
        return GA__NULL(GA_ERR_VALUE, fn, "%s has %d outputs: ga_kernel_into "
                        "or ga_ufunc_run takes them", f->name, f->nout);
    return ga__ufunc_call(fn, f, x, n, made) ? NULL : made[0];
}
GA_API ga_status ga_ufunc_into(ga_ufunc *f, const ga_array *const *x, int n) {
    return ga__ufunc_call("ga_kernel_into", f, x, n, NULL);
}

/* -------------------------------------------------------- the reductions */
static int ga__power_of_two(int64_t n, int most) {
    int p = 1;
    while (p < most && p < n) p *= 2;
    return p;
}
/* The launches: l's first nkeep axes stay, the others are reduced; out is
   contiguous, of dtype l->key.result.                                      */
static ga_status ga__k_reduce(const char *fn, ga_ufunc *f, ga__device *d,
                              ga_stream *s, ga__klayout *l, int nkeep,
                              int64_t nout, int64_t nred, void *out) {
    void *arg[GA__K_PARAMS + 12];
    ga__kraw raw[GA__K_PARAMS + 1];
    int64_t axes[GA__K_AXES], blocks;
    unsigned grid[3];
    int lead = 0, across = 0;
    while (lead < l->key.nop && l->key.kind[lead] != GA__A_ARRAY) lead++;
    if (lead == l->key.nop) lead = -1;
    nkeep = ga__k_group(l, -1, 0, nkeep);
    ga__k_group(l, lead, nkeep, l->ndim);
    ga__k_classify(l);
    l->key.nkeep = (unsigned char)nkeep;
    l->key.nred = (unsigned char)(l->ndim - nkeep);
    l->key.wide = nout > UINT32_MAX || nred > UINT32_MAX;
    l->key.vec = 1;
    if (lead >= 0 && nkeep && l->ndim > nkeep) {
        int64_t kept = l->op[lead].view.stride[nkeep - 1];
        int64_t reduced = l->op[lead].view.stride[l->ndim - 1];
        across = kept && (kept < 0 ? -kept : kept) < reduced;
    }
    const double bytes = ga__k_bytes(l);
    if (nred && l->ndim > nkeep && l->key.nop == l->key.nin) {  /* no `i`   */
        const int along = across ? nkeep - 1 : l->ndim - 1;
        const int vec = ga__k_access(l, along, false);
        ga__k_in_accesses(l, along, vec);
        l->key.row = across && vec > 1;
        *(across ? &nout : &nred) /= vec;
    }
    const int columns = l->key.row ? l->key.vec : 1;
    ga__variant *v = ga__variant_of(fn, f, d, &l->key);
    if (!v) return ga__failed();
    /* rows: threads for one result */
    const bool plenty = l->key.vec > 1 && nout * nred >= (int64_t)d->mps << 12;
    int rows = across ? ga__power_of_two(nred, 8)
                      : ga__power_of_two(plenty ? (nred + 3) / 4 : nred, 256);
    if (across && nout < 8192 / rows)   /* few columns: longer ones         */
        rows = ga__power_of_two(nred, 256 / ga__power_of_two(nout, 32));
    int wide = 256 / rows;
    blocks = (nout + wide - 1) / wide;
    int64_t chunks = 8 * (int64_t)d->mps / blocks;
    int64_t most = nred / (16 * (int64_t)rows);
    if (chunks > most) chunks = most;
    if (chunks > 1024) chunks = 1024;
    if (chunks < 1) chunks = 1;
    int64_t chunk = nred ? (nred + chunks - 1) / chunks : 0;
    if (nred) chunks = (nred + chunk - 1) / chunk;
    int count = (int)chunks;
    size_t value = ga__size(ga__k_value(f, (ga_dtype)l->key.result));
    ga__buffer *work = NULL;
    if (count > 1) {
        work = ga__buffer_new(fn, d, (size_t)(chunks * nout * columns) * value);
        if (!work) return ga__failed();
    }
    void *scratch = work ? work->ptr : NULL;
    arg[0] = &nout;
    arg[1] = &nred;
    arg[2] = &chunk;
    arg[3] = &wide;
    arg[4] = &across;
    arg[5] = &scratch;
    arg[6] = &out;
    ga__k_arguments(l, arg, 7, raw, axes);
    ga_status st = ga__k_grid(fn, f, blocks, grid);
    ga__span span = ga__k_span(fn, f, d, s, bytes);
    grid[1] = (unsigned)count;
    if (!st)
        st = ga__function_launch(fn, d, s, v->f, grid, ga__k_block, 0, arg);
    if (!st && count > 1) {
        int per = 256 / ga__power_of_two(count, 256);
        nout *= columns;
        if (!l->key.row) nred *= l->key.vec;
        void *join[6] = {&nout, &nred, &count, &per, &scratch, &out};
        st = ga__k_grid(fn, f, (nout + per - 1) / per, grid);
        if (!st) st = ga__function_launch(fn, d, s, v->last, grid, ga__k_block,
                                          0, join);
    }
    st = ga__span_end(&span, st);
    ga__release(work);
    return st ? st : ga__after(fn, d, s);
}

static ga_status ga__ufunc_reduce(const char *fn, ga_ufunc *f, ga_axis axis,
                                  const ga_array *const *x, int n,
                                  ga_array *out, ga_array **made) {
    ga_dtype type[GA__K_PARAMS];
    int64_t full[GA_MAX_NDIM], shape[GA_MAX_NDIM], nout = 1, nred = 1;
    int ndim, kept = 0, nkeep = 0;
    unsigned mask;
    if (!ga__ufunc_ok(fn, f, true)) return ga__failed();
    if (n != f->nin)
        return ga__fail(GA_ERR_VALUE, fn, "%s: %d arrays and numbers given, it "
                        "takes %d", f->name, n, f->nin);
    const ga_array *o = out;
    if (!made && (!ga__ok(fn, out) || !ga__writable(fn, out)))
        return ga__failed();
    ga__device *d = ga__k_check(fn, f, x, n);
    if (!d || (out && !ga__same_device(fn, &o, 1))) return ga__failed();
    ga_status st = ga__k_types(fn, f, x, n, type);
    if (st) return st;
    if (!ga__k_shape(fn, f, x, n, &ndim, full))
        return ndim >= 0 ? ga__failed()
               : ga__fail(GA_ERR_SHAPE, fn, "%s: no operand has axes", f->name);
    if (!ga__axes_mask(fn, axis, ndim, &mask)) return ga__failed();
    ga__klayout l;
    memset(&l, 0, sizeof l);
    l.ndim = ndim;
    memcpy(l.shape, full, sizeof l.shape);
    l.key.nin = l.key.nop = (unsigned char)n;
    for (int i = 0; i < n; i++) ga__k_operand(&l, f, i, x[i], type[i]);
    if (f->index) ga__k_index(&l, l.key.nop++);
    ga__kaxes axes;
    ga__axes_of *all = ga__k_axes(&l, -1, &axes);
    for (int i = 0; i < ndim; i++) {    /* the kept axes to the front       */
        bool reduced = mask >> i & 1;
        if (reduced) nred *= full[i];
        else nout *= full[i];
        if (!reduced || axis.keepdims) shape[kept++] = reduced ? 1 : full[i];
        if (reduced) continue;
        for (int j = i; j > nkeep; j--) ga__swap_axes(all, j - 1, j);
        nkeep++;
    }
    if (!nred && !f->identity)
        return ga__fail(GA_ERR_EMPTY, fn, "%s has no identity: shape %s has no "
                        "elements along the axes", f->name,
                        ga__shape_text(ndim, full));
    ga_dtype result = type[n];
    l.key.result = (unsigned char)result;
    ga__result r;
    if (!ga__result_begin(&r, fn, d, out, made, kept, shape, result, x, n, 0))
        return ga__failed();
    ga_stream *s = ga__stream(d);
    if (r.to->size) {
        st = ga__k_order(fn, x, n, s, false);
        if (!st) st = ga__order(fn, r.to->ga__buf, s, true);
        if (!nred) l.ndim = nkeep;  /* the lengths beside a 0 do not matter */
        if (!st) st = ga__k_reduce(fn, f, d, s, &l, nkeep, nout, nred, r.to->data);
    }
    return ga__result_end(&r, st);
}
GA_API ga_array *ga_ufunc_reduce(ga_ufunc *f, ga_axis axis,
                                 const ga_array *const *x, int n) {
    ga_array *z = NULL;
    ga__ufunc_reduce("ga_kernel_reduce", f, axis, x, n, NULL, &z);
    return z;
}
GA_API ga_status ga_ufunc_reduce_into(ga_ufunc *f, ga_array *out, ga_axis axis,
                                      const ga_array *const *x, int n) {
    return ga__ufunc_reduce("ga_kernel_reduce_into", f, axis, x, n, out, NULL);
}

/* ================================================================ >>i-jit
   The steps of an expression's program as gpuarr.h's >>i-record writes them,
   and under its names a function for each row and dtype met, its body from
   this table. x, y, z are the
   operands, of type T; U is unsigned and wide enough that nothing overflows.
   Contraction is off (-fmad=false), as between the interpreter's steps.

      name, for floats, integers, bool, complex; NULL: the library's alone   */
#define GA__JIT_MATH(X, n, fn) X(n, fn "(x)", NULL, NULL, NULL)
#define GA__JIT(X) \
  X(negative, "-x", "0 - (U)x", NULL, "-x") \
  X(positive, "x", "x", NULL, "x") \
  X(absolute, "fabs(x)", "x < 0 ? 0 - (U)x : (U)x", "x", "abs(x)") \
  X(sign, "x != x ? x : T(x > 0) - T(x < 0)", "(x > 0) - (x < 0)", NULL, NULL) \
  X(reciprocal, "1 / x", "x == 1 || (x < 0 && x == T(-1)) ? x : T(0)", NULL, \
    NULL) \
  X(square, "x * x", "(U)x * (U)x", NULL, "x * x") \
  GA__JIT_MATH(X, sqrt, "sqrt") GA__JIT_MATH(X, rsqrt, "rsqrt") \
  GA__JIT_MATH(X, cbrt, "cbrt") GA__JIT_MATH(X, exp, "exp") \
  GA__JIT_MATH(X, exp2, "exp2") GA__JIT_MATH(X, expm1, "expm1") \
  GA__JIT_MATH(X, log, "log") GA__JIT_MATH(X, log2, "log2") \
  GA__JIT_MATH(X, log10, "log10") GA__JIT_MATH(X, log1p, "log1p") \
  GA__JIT_MATH(X, sin, "sin") GA__JIT_MATH(X, cos, "cos") \
  GA__JIT_MATH(X, tan, "tan") GA__JIT_MATH(X, arcsin, "asin") \
  GA__JIT_MATH(X, arccos, "acos") GA__JIT_MATH(X, arctan, "atan") \
  GA__JIT_MATH(X, sinh, "sinh") GA__JIT_MATH(X, cosh, "cosh") \
  GA__JIT_MATH(X, tanh, "tanh") GA__JIT_MATH(X, arcsinh, "asinh") \
  GA__JIT_MATH(X, arccosh, "acosh") GA__JIT_MATH(X, arctanh, "atanh") \
  GA__JIT_MATH(X, rint, "rint") GA__JIT_MATH(X, erf, "erf") \
  GA__JIT_MATH(X, erfc, "erfc") GA__JIT_MATH(X, erfinv, "erfinv") \
  GA__JIT_MATH(X, gamma, "tgamma") GA__JIT_MATH(X, sigmoid, "ga_sigmoid") \
  X(deg2rad, "x * T(0.017453292519943295769)", NULL, NULL, NULL) \
  X(rad2deg, "x * T(57.295779513082320877)", NULL, NULL, NULL) \
  X(floor, "floor(x)", "x", "x", NULL) X(ceil, "ceil(x)", "x", "x", NULL) \
  X(trunc, "trunc(x)", "x", "x", NULL) \
  X(lgamma, "isinf(x) && x < 0 ? x : T(lgamma((double)x))", NULL, NULL, NULL) \
  X(conj, "x", "x", NULL, "conj(x)") \
  X(angle, "x != x ? x : signbit(x) ? T(3.14159265358979323846) : T(0)", \
    NULL, NULL, "arg(x)") \
  X(bitwise_not, NULL, "~x", "!x", NULL) \
  X(bitwise_count, NULL, "__popcll(x < 0 ? 0 - (U)x : (U)x)", NULL, NULL) \
  X(logical_not, "x == 0", "x == 0", "!x", "x.re == 0 && x.im == 0") \
  X(isnan, "x != x", "false", "false", "x.re != x.re || x.im != x.im") \
  X(isinf, "isinf(x)", "false", "false", "isinf(x.re) || isinf(x.im)") \
  X(isfinite, "isfinite(x)", "true", "true", \
    "isfinite(x.re) && isfinite(x.im)") \
  X(signbit, "signbit(x)", NULL, NULL, NULL) \
  X(add, "x + y", "(U)x + (U)y", "x | y", "x + y") \
  X(subtract, "x - y", "(U)x - (U)y", NULL, "x - y") \
  X(multiply, "x * y", "(U)x * (U)y", "x & y", "x * y") \
  X(divide, "x / y", NULL, NULL, NULL) \
  X(floor_divide, "ga_floor_divide(x, y)", "ga_whole_divide(x, y)", NULL, \
    NULL) \
  X(remainder, "ga_remainder(x, y)", "ga_whole_remainder(x, y)", NULL, NULL) \
  X(fmod, "fmod(x, y)", "ga_whole_fmod(x, y)", NULL, NULL) \
  X(power, "pow(x, y)", "ga_whole_power(x, y)", NULL, NULL) \
  X(hypot, "hypot(x, y)", NULL, NULL, NULL) \
  X(copysign, "copysign(x, y)", NULL, NULL, NULL) \
  X(nextafter, "nextafter(x, y)", NULL, NULL, NULL) \
  X(maximum, "ga_most(x, y)", "ga_most(x, y)", "x | y", NULL) \
  X(minimum, "ga_least(x, y)", "ga_least(x, y)", "x & y", NULL) \
  X(fmax, "y != y ? x : x > y ? x : y", "ga_most(x, y)", "x | y", NULL) \
  X(fmin, "y != y ? x : x < y ? x : y", "ga_least(x, y)", "x & y", NULL) \
  X(arctan2, "atan2(x, y)", NULL, NULL, NULL) \
  X(heaviside, "x != x ? x : x < 0 ? T(0) : x > 0 ? T(1) : y", NULL, NULL, \
    NULL) \
  X(bitwise_and, NULL, "x & y", "x & y", NULL) \
  X(bitwise_or, NULL, "x | y", "x | y", NULL) \
  X(bitwise_xor, NULL, "x ^ y", "x ^ y", NULL) \
  X(left_shift, NULL, "(U)y < sizeof(T) * 8 ? (U)x << (U)y : 0", NULL, NULL) \
  X(right_shift, NULL, "(U)y < sizeof(T) * 8 ? x >> y : x < 0 ? T(-1) : T(0)", \
    NULL, NULL) \
  X(equal, "x == y", "x == y", "x == y", "x == y") \
  X(not_equal, "x != y", "x != y", "x != y", "x != y") \
  X(less, "x < y", "x < y", "x < y", NULL) \
  X(less_equal, "x <= y", "x <= y", "x <= y", NULL) \
  X(greater, "x > y", "x > y", "x > y", NULL) \
  X(greater_equal, "x >= y", "x >= y", "x >= y", NULL) \
  X(logical_and, "x != 0 && y != 0", "x != 0 && y != 0", "x & y", \
    "x != 0 && y != 0") \
  X(logical_or, "x != 0 || y != 0", "x != 0 || y != 0", "x | y", \
    "x != 0 || y != 0") \
  X(logical_xor, "(x != 0) != (y != 0)", "(x != 0) != (y != 0)", "x != y", \
    "(x != 0) != (y != 0)") \
  X(equal_iu, NULL, "x == y && x >= 0", NULL, NULL) \
  X(not_equal_iu, NULL, "x != y || x < 0", NULL, NULL) \
  X(less_iu, NULL, "x < 0 || (U)x < (U)y", NULL, NULL) \
  X(less_equal_iu, NULL, "x < 0 || (U)x <= (U)y", NULL, NULL) \
  X(greater_iu, NULL, "x >= 0 && (U)x > (U)y", NULL, NULL) \
  X(greater_equal_iu, NULL, "x >= 0 && (U)x >= (U)y", NULL, NULL) \
  X(copy, "x", "x", "x", "x") \
  X(where, "", "", "", "") \
  X(clip, "ga_least(ga_most(x, y), z)", "ga_least(ga_most(x, y), z)", \
    "(x | y) & z", NULL)

typedef struct ga__jit_row { const char *text[4]; } ga__jit_row;
#define GA__X(n, ...) [GA__OP_##n] = {{__VA_ARGS__}},
static const ga__jit_row ga__jit_rows[GA__NUM_OPS] = {GA__JIT(GA__X)};
#undef GA__X

/* What the table calls; forms and special cases are those of the library. */
#define GA__JIT_QUOTED(code) GA__JIT_QUOTE(code)
#define GA__JIT_QUOTE(...) #__VA_ARGS__ "\n"
static const char *const ga__jit_functions[] = {
"#include \"stdint.h\"\n"
"#define gk_cast ga_cast\n"
"typedef float16 gk_f16; typedef bfloat16 gk_bf16;\n"
"typedef complex64 gk_c64; typedef complex128 gk_c128;\n"
"template <class T> GA_FN float gk_r_float(T h) { return (float)h; }\n"
"template <class T> GA_FN T gk_select(bool c, T a, T b) { return c ? a : b; }\n"
"GA_FN void gk_r_sincos(float x, float &s, float &c) { sincosf(x, &s, &c); }\n"
"GA_FN void gk_r_sincos(double x, double &s, double &c) {\n"
"    sincos(x, &s, &c);\n"
"}\n"
"template <class T> GA_FN T ga_most(T a, T b) {\n"
"    T m = a > b ? a : b;\n"
"    return a != a ? a : m;\n"
"}\n"
"template <class T> GA_FN T ga_least(T a, T b) {\n"
"    T m = a < b ? a : b;\n"
"    return a != a ? a : m;\n"
"}\n"
"template <class T> GA_FN T ga_sigmoid(T x) {\n"
"    T e = exp(-fabs(x)), d = 1 + e, err = e - (d - 1);\n"
"    T q = (x < 0 ? e : T(1)) / d;\n"
"    return q - q * (x < 0 ? 1 - q : q) * err;\n"
"}\n"
"template <class T> GA_FN T ga_remainder(T a, T b) {\n"
"    T m = fmod(a, b);\n"
"    if (b == 0) return m;\n"
"    if (m == 0) return copysign(T(0), b);\n"
"    return (b < 0) != (m < 0) ? m + b : m;\n"
"}\n"
"template <class T> GA_FN T ga_floor_divide(T a, T b) {\n"
"    if (b == 0) return a / b;\n"
"    T m = fmod(a, b), d = (a - m) / b;\n"
"    if (m != 0 && (b < 0) != (m < 0)) d -= 1;\n"
"    if (d == 0) return copysign(T(0), a / b);\n"
"    T f = floor(d);\n"
"    return d - f > T(0.5) ? f + 1 : f;\n"
"}\n",
"template <class T> struct ga_unsigned { typedef uint32 type; };\n"
"template <> struct ga_unsigned<int64> { typedef uint64 type; };\n"
"template <> struct ga_unsigned<uint64> { typedef uint64 type; };\n"
"template <class T> GA_FN T ga_whole_fmod(T a, T b) {\n"
"    return b == 0 || b == T(-1) && b < 0 ? T(0) : T(a % b);\n"
"}\n"
"template <class T> GA_FN T ga_whole_remainder(T a, T b) {\n"
"    T r = ga_whole_fmod(a, b);\n"
"    return r != 0 && (r < 0) != (b < 0) ? T(r + b) : r;\n"
"}\n"
"template <class T> GA_FN T ga_whole_divide(T a, T b) {\n"
"    typedef typename ga_unsigned<T>::type U;\n"
"    if (b == 0) return 0;\n"
"    if (b < 0 && b == T(-1)) return T(0 - (U)a);\n"
"    T q = T(a / b), r = T(a - q * b);\n"
"    return T(q - (r != 0 && (r < 0) != (b < 0)));\n"
"}\n"
"template <class T> GA_FN T ga_whole_power(T a, T n) {\n"
"    typedef typename ga_unsigned<T>::type U;\n"
"    if (n < 0) return T(a == 1 ? 1 : a == T(-1) ? (n & 1 ? -1 : 1) : 0);\n"
"    U r = 1, p = (U)a;\n"
"    for (U k = (U)n; k; k >>= 1, p *= p) if (k & 1) r *= p;\n"
"    return T(r);\n"
"}\n",
GA__JIT_QUOTED(GA__HALF_ROWS(GA_FN)), GA__JIT_QUOTED(GA__ROUGH_ROWS(GA_FN)),
GA__JIT_QUOTED(GA__HALF_FUNCTIONS(GA_FN)), NULL};

static const char *ga__jit_text(int op, ga_dtype t) {
    const char *const *text = ga__jit_rows[op].text;
    char k = ga__kind(t);
    if (op == GA__OP_nextafter && (t == GA_FLOAT16 || t == GA_BFLOAT16))
        return NULL;
    return text[k == 'f' ? 0 : k == 'b' ? 2 : k == 'c' ? 3 : 1];
}

/* A program, and its kernels; f NULL: one for the interpreter. */
typedef struct ga__jit_program {
    struct ga__jit_program *next;
    ga_ufunc *f;
    ga__eval v;                     /* steps, dtypes and what else its text */
    ga__step step[GA__E_STEPS];     /* depends on                           */
} ga__jit_program;
typedef struct ga__jit {
    ga__e_jit hook;                 /* first: what the expression sees      */
    atomic_bool later;              /* compiled in the background           */
    ga_expr *e;                     /* which holds it                       */
    pthread_mutex_t lock;
    ga__jit_program *programs;
} ga__jit;

/* The rows' functions, one for each row and dtype, by the names that
   >>i-record calls them.                                                   */
static void ga__jit_rows_text(ga__text *t, const ga__eval *v) {
    for (int i = 0; ga__jit_functions[i]; i++)
        ga__append(t, ga__jit_functions[i]);
    for (int i = 0; i < v->nsteps; i++) {
        const ga__step *s = &v->step[i];
        ga_dtype compute = (ga_dtype)s->compute;
        bool again = s->op == GA__OP_where || s->op == GA__OP_copy;
        for (int j = 0; j < i && !again; j++)
            again = v->step[j].op == s->op && v->step[j].compute == s->compute;
        if (again) continue;
        const char *type = ga__cname(compute), *result = ga__cname(
            ga__result_dtype(ga__ops[s->op].result, compute));
        ga__write(t, "GA_FN %s gk_%s%s(%s x", result,
                  ga__r_own(s->op) ? "r_" : "", ga__ops[s->op].name + 3, type);
        for (int k = 1; k < s->nin; k++)
            ga__write(t, ", %s %c", type, "xyz"[k]);
        ga__write(t, ") {\n    typedef %s T;\n    typedef uint%d U;\n"
                  "    return %s(%s);\n}\n", type,
                  ga__size(compute) == 8 ? 64 : 32, result,
                  ga__jit_text(s->op, compute));
    }
}
static void ga__jit_steps_text(ga__text *t, const ga__eval *v) {
    for (int i = 0; i < v->nsteps; i++) ga__r_step(t, v, NULL, i, "");
}

/* p's ufunc: parameters a0.. (arrays), c0.. (constants), z0.. (results). */
static ga_ufunc *ga__jit_ufunc(const char *fn, const ga__eval *v) {
    static const char *const reduce[] = {
        [GA__RED_sum] = "a + b", [GA__RED_mean] = "a + b",
        [GA__RED_prod] = "a * b", [GA__RED_max] = "ga_most(a, b)",
        [GA__RED_min] = "ga_least(a, b)", [GA__RED_all] = "a && b",
        [GA__RED_any] = "a || b"};
    ga__text before = {NULL, 0, 0, false}, body = {NULL, 0, 0, false};
    ga__text post = {NULL, 0, 0, false};
    ga_dtype last = (ga_dtype)v->step[v->result[0]].type;
    const int red = v->nred ? v->red[0] : -1;
    bool mean = red == GA__RED_mean;
    ga_ufunc *f = ga__ufunc_new(fn, red < 0 ? GA__U_MAP : GA__U_REDUCE, "",
                                "", "expression");
    if (!f) return NULL;
    f->options = "-fmad=false -diag-suppress=177,186";
    for (int i = 0; i < v->nin + v->nconst + v->nout; i++) {
        ga__kparam *q = &f->p[i];
        int c = i - v->nin, z = c - v->nconst;
        q->type = c < 0 ? v->in[i].dtype : z < 0 ? ga__r_constant_type(v, c)
                  : (ga_dtype)v->step[v->result[z]].type;
        if (c < 0) snprintf(q->name, sizeof q->name, "a%d", i);
        else if (z < 0) snprintf(q->name, sizeof q->name, "c%d", c);
        else snprintf(q->name, sizeof q->name, "z%d", z);
    }
    f->nin = v->nin + v->nconst;
    f->nout = v->nout;
    ga__jit_rows_text(&before, v);
    if (red < 0) {
        ga__jit_steps_text(&body, v);
        for (int i = 0; i < v->nout; i++)
            ga__write(&body, "z%d = v%d;\n", i, v->result[i]);
    } else {
        ga_dtype to = ga__reduced_dtype(ga__reds[red].result, last);
        bool sums = red == GA__RED_sum || red == GA__RED_prod || mean;
        if (sums && ga__kind(to) == 'f') f->value = GA_FLOAT64;
        if (sums && ga__kind(to) == 'c') f->value = GA_COMPLEX128;
        f->p[f->nin].type = to;
        ga__write(&before, "GA_FN %s ga_program(", ga__cname(last));
        ga__append(&body, "ga_program(");
        for (int i = 0; i < f->nin; i++) {
            ga__write(&before, "%s%s %s", i ? ", " : "",
                      ga__cname(f->p[i].type), f->p[i].name);
            ga__write(&body, "%s%s", i ? ", " : "", f->p[i].name);
        }
        ga__append(&body, ")");
        ga__append(&before, ") {\n");
        ga__jit_steps_text(&before, v);
        ga__write(&before, "return v%d;\n}\n", v->result[0]);
        ga__write(&post, "z0 = ga_cast<%s>(a%s)", ga__cname(to),
                  mean ? " / (double)_n" : "");
        f->reduce = ga__copy_text(fn, reduce[red]);
        f->post = post.s;
    }
    f->before = before.s;
    f->body = body.s;
    if (!before.lost && !body.lost && !post.lost
        && (red < 0 || (f->reduce && f->post)))
        return f;
    ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    ga_ufunc_free(f);
    return NULL;
}

/* Is all of it in the table? */
static bool ga__jit_possible(const ga__eval *v) {
    if (v->nin + v->nconst + v->nout > GA__K_PARAMS
        || (v->nred && v->nout > 1))
        return false;
    for (int i = 0; i < v->nsteps; i++)
        if (!ga__jit_text(v->step[i].op, (ga_dtype)v->step[i].compute))
            return false;
    if (!v->nred) return true;
    bool compares = v->red[0] == GA__RED_max || v->red[0] == GA__RED_min;
    return !compares
           || ga__kind((ga_dtype)v->step[v->result[0]].type) != 'c';
}
/* The launch's program, made where it is new. Under the lock. */
static ga__jit_program *ga__jit_find(const char *fn, ga__jit *j,
                                     const ga__eval *v) {
    size_t nstep = (size_t)v->nsteps * sizeof *v->step;
    for (ga__jit_program *p = j->programs; p; p = p->next) {
        bool same = p->v.nsteps == v->nsteps && p->v.nin == v->nin
                    && p->v.nout == v->nout && p->v.nconst == v->nconst
                    && p->v.nred == v->nred
                    && !memcmp(p->v.red, v->red, (size_t)v->nred)
                    && !memcmp(p->v.result, v->result,
                               (size_t)v->nout * sizeof *v->result)
                    && !memcmp(p->step, v->step, nstep);
        for (int i = 0; i < v->nin && same; i++)
            same = p->v.in[i].dtype == v->in[i].dtype;
        if (same) return p;
    }
    ga__jit_program *p = GA_MALLOC(sizeof *p);
    if (!p) return GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    p->f = NULL;
    p->v = *v;
    p->v.step = memcpy(p->step, v->step, nstep);
    if (ga__jit_possible(&p->v) && !(p->f = ga__jit_ufunc(fn, &p->v))) {
        GA_FREE(p);
        return NULL;
    }
    p->next = j->programs;
    return j->programs = p;
}

/* v as a launch of p's kernels. */
static void ga__jit_layout(const ga__jit_program *p, const ga__eval *v,
                           ga__klayout *l) {
    int nin = v->nin + v->nconst, nop = nin + v->nout - v->nred;
    memset(l, 0, sizeof *l);
    l->ndim = v->ndim;
    l->n = v->n;
    memcpy(l->shape, v->shape, (size_t)v->ndim * sizeof *l->shape);
    l->key.nin = (unsigned char)nin;
    l->key.nop = (unsigned char)nop;
    for (int o = 0; o < nop; o++) {
        int c = o - v->nin;
        l->key.type[o] = l->key.stored[o] = (unsigned char)p->f->p[o].type;
        if (c >= 0 && o < nin) {
            l->key.kind[o] = GA__A_NUMBER;
            memcpy(l->op[o].view.value.b, v->constant[c], 16);
            continue;
        }
        const ga__operand_view *w = c < 0 ? &v->in[o] : &v->out[o - nin];
        l->key.kind[o] = GA__A_ARRAY;
        l->op[o].view.data = w->data;
        for (int i = 0; i < v->ndim; i++)
            l->op[o].view.stride[i] = l->shape[i] == 1 ? 0 : w->stride[i];
        if (o >= nin) l->key.stored[o] = (unsigned char)w->dtype;
    }
}
/* The hook: runs v by compiled code; *done false: the interpreter shall. */
static ga_status ga__jit_run(ga__e_jit *hook, ga__device *d, const char *fn,
                             const ga__eval *v, ga_stream *s, bool *done,
                             const char **how) {
    ga__jit *j = (ga__jit *)hook;
    pthread_mutex_lock(&j->lock);
    const ga__jit_program *p = ga__jit_find(fn, j, v);
    pthread_mutex_unlock(&j->lock);
    *done = false;
    *how = "the interpreter; an operation is the library's alone, or a reduction "
           "is not";
    if (!p) return ga__failed();
    if (!p->f) return GA_OK;
    ga__klayout l;
    ga__jit_layout(p, v, &l);
    bool missing = false;
    ga_status st;
    if (atomic_load(&j->later)) ga__a_missing = &missing, ga__a_for = j->e;
    if (!v->nred) {
        ga__k_group(&l, l.key.nin, 0, l.ndim);
        st = ga__k_map(fn, p->f, d, s, &l);
    } else {
        int64_t nout = 1;
        for (int i = 0; i < v->nkeep; i++) nout *= v->shape[i];
        l.key.result = (unsigned char)p->f->p[l.key.nin].type;
        st = ga__k_reduce(fn, p->f, d, s, &l, v->nkeep, nout, v->n / nout,
                          v->out[0].data);
    }
    ga__a_missing = NULL;
    *done = !missing;
    *how = missing ? "the interpreter; it is being compiled, or does not "
                     "compile" : "a kernel compiled at run time";
    return missing ? GA_OK : st;
}
static void ga__jit_free(ga__e_jit *hook) {
    ga__jit *j = (ga__jit *)hook;
    for (ga__jit_program *p = j->programs, *next; p; p = next) {
        next = p->next;
        ga_ufunc_free(p->f);
        GA_FREE(p);
    }
    pthread_mutex_destroy(&j->lock);
    GA_FREE(j);
}
static ga__jit *ga__jit_new(ga_expr *e, bool later) {
    ga__jit *j = GA_MALLOC(sizeof *j);
    if (!j) return NULL;
    memset(j, 0, sizeof *j);
    j->hook.run = ga__jit_run;
    j->hook.free = ga__jit_free;
    atomic_init(&j->later, later);
    j->e = e;
    pthread_mutex_init(&j->lock, NULL);
    return j;
}
GA_API ga_status ga_expr_jit(ga_expr *e) {
    const char *fn = "ga_expr_jit";
    char arch[32];
    int cc, version[2];
    if (!e) return ga__no_handle(fn, "expression");
    for (int i = 0; i < e->nnodes; i++)
        if (e->node[i].kind == GA__E_OP
            && !ga__jit_rows[e->node[i].what].text[0]
            && !ga__jit_rows[e->node[i].what].text[1])
            return ga__fail(GA_ERR_UNSUPPORTED, fn, "%s is the library's alone",
                            ga__ops[e->node[i].what].name + 3);
    ga__device *d = ga__rtc_device(fn);
    if (!d || ga__compute_capability(fn, d, &cc)
        || ga__nvrtc_target(fn, NULL, cc, arch, sizeof arch, version))
        return ga__failed();
    ga__jit *j = ga__jit_new(e, false);
    if (!j) return ga__fail(GA_ERR_HOST_MEMORY, fn, NULL);
    ga__e_jit *none = NULL;
    if (!atomic_compare_exchange_strong(&e->jit, &none, &j->hook)) {
        atomic_store(&((ga__jit *)none)->later, false);     /* or soon  */
        ga__jit_free(&j->hook);
    }
    return GA_OK;
}

/* ------------------------------------------------------ in the background
   One thread compiles what is asked for, in that order; a request holds its
   expression. The thread's error is pending from its start on, so that nothing
   it fails at is told to a handler: the interpreter goes on.               */
typedef struct ga__a_request {
    struct ga__a_request *next;
    ga_expr *e;
    ga_ufunc *f;
    ga__device *d;
    ga__kshape shape;
} ga__a_request;
static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    pthread_t thread;
    bool runs, stop, armed;
    ga__a_request *first, *busy;
} ga__a = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};

static void ga__a_drop(ga__a_request *q) {
    ga_expr_free(q->e);
    GA_FREE(q);
}
/* Before what the compiler and CUDA do at exit: a compilation is waited for. */
static void ga__a_stop(void) {
    pthread_mutex_lock(&ga__a.lock);
    const bool runs = ga__a.runs;
    ga__a.stop = true;
    ga__a.runs = false;
    pthread_cond_broadcast(&ga__a.more);
    pthread_mutex_unlock(&ga__a.lock);
    if (runs) pthread_join(ga__a.thread, NULL);
}
static void *ga__a_work(void *unused) {
    const char *fn = "ga_jit";
    char arch[32];
    int version[2];
    (void)unused;
    ga__me.error = GA_ERR_COMPILE;
    bool able = !ga__nvrtc_target(fn, NULL, 90, arch, sizeof arch, version);
    if (able) atexit(ga__a_stop);   /* before its own handlers              */
    pthread_mutex_lock(&ga__a.lock);
    while (!ga__a.stop) {
        ga__a_request *q = ga__a.busy = ga__a.first;
        if (!q) {
            pthread_cond_wait(&ga__a.more, &ga__a.lock);
            continue;
        }
        ga__a.first = q->next;
        pthread_mutex_unlock(&ga__a.lock);
        if (!able || !ga__variant_of(fn, q->f, q->d, &q->shape)) {
            ga__variant none = {NULL, q->shape, q->d, NULL, NULL,
                                GA_NUM_DTYPES};
            ga__variant_add(fn, q->f, &none);       /* not tried again      */
        }
        pthread_mutex_lock(&ga__a.lock);
        ga__a.busy = NULL;
        pthread_mutex_unlock(&ga__a.lock);
        ga__a_drop(q);
        pthread_mutex_lock(&ga__a.lock);
    }
    while (ga__a.first) {
        ga__a_request *q = ga__a.first;
        ga__a.first = q->next;
        ga__a_drop(q);
    }
    pthread_mutex_unlock(&ga__a.lock);
    return NULL;
}
/* A forked child has no thread: what waits there is left to the parent. */
static void ga__a_before_fork(void) { pthread_mutex_lock(&ga__a.lock); }
static void ga__a_in_parent(void) { pthread_mutex_unlock(&ga__a.lock); }
static void ga__a_in_child(void) {
    ga__a.runs = false;
    ga__a.first = ga__a.busy = NULL;
    ga__a.stop = true;              /* CUDA does not survive a fork either  */
    pthread_mutex_unlock(&ga__a.lock);
}
/* Asks for a kernel; of one that is asked for already nothing is done. */
static void ga__a_ask(ga_ufunc *f, ga__device *d, const ga__kshape *shape) {
    ga__a_request *q = GA_MALLOC(sizeof *q), **at = &ga__a.first;
    if (!q) return;
    *q = (ga__a_request){NULL, ga__a_for, f, d, *shape};
    pthread_mutex_lock(&ga__a.lock);
    bool known = ga__a.stop
        || (ga__a.busy && ga__a.busy->f == f && ga__a.busy->d == d
            && !memcmp(&ga__a.busy->shape, shape, sizeof *shape));
    for (; *at && !known; at = &(*at)->next)
        known = (*at)->f == f && (*at)->d == d
                && !memcmp(&(*at)->shape, shape, sizeof *shape);
    if (!known && !ga__a.runs) {
        if (!ga__a.armed)
            ga__a.armed = !pthread_atfork(ga__a_before_fork, ga__a_in_parent,
                                          ga__a_in_child)
                          && !atexit(ga__a_stop);
        ga__a.runs = ga__a.armed
                     && !pthread_create(&ga__a.thread, NULL, ga__a_work, NULL);
        known = !ga__a.runs;
    }
    if (!known) {
        atomic_fetch_add(&q->e->refs, 1);
        *at = q;
        pthread_cond_signal(&ga__a.more);
    }
    pthread_mutex_unlock(&ga__a.lock);
    if (known) GA_FREE(q);
}
/* Gives an expression that has cost enough a jit of its own. */
static void ga__a_begin(ga_expr *e) {
    ga__e_jit *none = NULL;
    ga__jit *j = ga__jit_new(e, true);
    if (j && !atomic_compare_exchange_strong(&e->jit, &none, &j->hook))
        ga__jit_free(&j->hook);
}
GA_API ga_status ga_jit(ga_jit_mode mode) {
    if ((unsigned)mode > GA_JIT_AUTO)
        return ga__fail(GA_ERR_VALUE, "ga_jit", "%d is no mode", (int)mode);
    atomic_store(&ga__e_auto, mode == GA_JIT_AUTO ? ga__a_begin : NULL);
    return GA_OK;
}
#ifdef __GNUC__
__attribute__((constructor)) static void ga__a_environment(void) {
    const char *v = getenv("GPUARR_JIT");
    if (v && *v && strcmp(v, "0")) ga_jit(GA_JIT_AUTO);
}
#endif

GA__AS_ASKED
#endif /* GPUARR_IMPLEMENTATION */
#endif /* GPUARR_RTC_H */
