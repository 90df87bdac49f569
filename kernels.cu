/* kernels.cu - the companion of gpuarr.h: the loops behind its operations,
   for CUDA devices and, in the same text, for the CPU.

   nvcc compiles both; c++ -x c++ -std=c++17 -DGPUARR_NO_CUDA the CPU part
   alone. The result needs no C++ runtime: no exceptions, no iostream, no
   static constructor but nvcc's own.

   CONTENTS
     >>math       one scalar function an operation, for every type
     >>special    special functions, one an operation
     >>apply      the switch that turns a row of gpuarr.h's tables into loops
     >>ew-cuda    element-wise kernels, four layout classes
     >>ew-cpu     element-wise loops
     >>small      range, fetch, probe
     >>reduce     reductions, both devices
     >>matrix     products of integers and what else no BLAS does
     >>lu         LU on the GPU
     >>solve      determinants, 2-norms
     >>triangle   zeros above or below diagonals, eigenvectors in pairs
     >>svd        small singular values on the GPU
     >>random     Philox and the distributions
     >>sort       the order of random keys
     >>search     places in a table
     >>join       parts of one result; wrapped and reflected axes
     >>select     what a mask selects
     >>index      gathers and scatters by index arrays, segments
     >>index-cuda their kernels on the GPU
     >>scan       running sums and their kin: the plan, the CPU
     >>scan-cuda  their kernels on the GPU
     >>order      sorted keys and their places
     >>order-net  short rows in order, in registers
     >>pick       what a sort would put at one place, and the sides of it
     >>order-cpu  rows in order on the CPU device
     >>distinct   places in sorted tables, sets
     >>quantile   order statistics by selection
     >>histogram  counts in bins, sums by bins
     >>softmax    rows through exp, on chip
     >>distance   distances of rows, structured matrices
     >>fft        transforms of the CPU device
     >>fft-cuda   transforms of one kernel, their layouts
     >>eval-cpu   fused expressions, block by block
     >>eval-cuda  their interpreters on the GPU

   -DGK_PART -DGK_PART_name compiles one part, for parallel builds; all their
   objects together are this file's. A part is a room, one device's half of it
   or, where it is large, some types', as GK_PART_IS says where they begin; but
   solve has >>small, >>triangle and >>svd too, sort >>search. Parts in _cpu
   are made by the C++ compiler with -DGPUARR_NO_CUDA, also beside those that
   nvcc makes; parts in _cuda are empty with it.                             */
#ifdef GK_PART
#define GK_PART_IS(name) GK_PART_##name         /* 0 where not defined      */
#else
#define GK_PART_IS(name) 1
#endif

/* Unused helpers where one part is compiled; unsigned >= 0 in templates that
   serve signed types too; loops that stay scalar.                           */
#if defined(__CUDACC__)
#pragma nv_diag_suppress 177
#pragma nv_diag_suppress 186
#elif defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

#define GPUARR_KERNELS              /* no program: nothing to compare     */
#include "gpuarr.h"

#ifndef GPUARR_NO_CUDA
#if !defined(__CUDACC__)
#error "kernels.cu: compile with nvcc, or with -DGPUARR_NO_CUDA for the CPU"
#endif
#include <cuda_runtime.h>
#endif

/* ================================================================== >>math */

/* gk_math.cuh - the scalar functions behind every element-wise operation:
 * one text for CUDA device code and for host C++17.
 *
 *   1 macros, types   2 casts   3 integer and logical   4 comparison
 *   5 exp and log, vectorising   6 trigonometry, roots, powers, vectorising
 *   7 real   8 complex, simple   9 complex, heavy
 *
 * Host forms of exp, exp2, expm1, log, log2, log10, log1p, sinh, cosh, tanh,
 * sigmoid, logaddexp, logaddexp2, arcsin, arccos, arctan, arctan2, cbrt,
 * power and hypot of floats, and sin_fast, cos_fast, tan_fast (|x| <= 2^20)
 * are free of branches and calls, so that a plain loop over them vectorises
 * under whatever target the caller has.
 * Device forms call CUDA's accurate functions. No step relies on the compiler
 * contracting a*b+c into an fma, nor on its not doing so; where an error term
 * of a product is needed gk_fma says so. */

/* --- 1 macros, types ---------------------------------------------------- */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <limits>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#define GK_HD __host__ __device__
#else
#define GK_HD
#endif
#if defined(__CUDA_ARCH__)
#define GK_DEVICE 1
#else
#define GK_DEVICE 0
#endif
/* Of n blocks of 256 threads those that a multiprocessor can hold: it has 2048
   threads, or 1024 (7.5), or 1536 (8.6 to 8.9, 11 and up).                  */
#if GK_DEVICE && __CUDA_ARCH__ < 800
#define GK_RESIDENT(n) ((n) < 4 ? (n) : 4)
#elif GK_DEVICE && ((__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) \
                    || __CUDA_ARCH__ >= 1100)
#define GK_RESIDENT(n) ((n) < 6 ? (n) : 6)
#else
#define GK_RESIDENT(n) (n)
#endif
#if defined(__GNUC__) || defined(__CUDACC__)
#define GK_FN static inline __attribute__((unused)) GK_HD
#define GK_INL static inline __attribute__((unused, always_inline)) GK_HD
#else
#define GK_FN static inline GK_HD
#define GK_INL static __forceinline GK_HD
#endif
/* Tells the host, see ga__late; the first index told is kept. */
GK_INL void gk_late(const ga__late &l, int64_t index) {
#if GK_DEVICE
    if (atomicCAS(&l.to->state, 0u, 1u)) return;
#else
    uint32_t none = 0;
    if (!__atomic_compare_exchange_n(&l.to->state, &none, 1u, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
#endif
    l.to->index[0] = index;
    l.to->shape[0] = l.extent;
    l.to->code = l.code;
    l.to->axis = l.axis;
    l.to->fn = l.fn;
#if GK_DEVICE
    __threadfence_system();
#endif
    *(volatile uint32_t *)&l.to->state = 2;
}
/* Bodies of hundreds of instructions: on the device they are called, so that
 * a kernel switching over all operations keeps its size and its registers. */
#if GK_DEVICE
#define GK_BIG static __attribute__((unused)) __noinline__ GK_HD
#else
#define GK_BIG GK_FN
#endif

template<class R> struct gk_complex { R re, im; };
typedef gk_complex<float> gk_c64;
typedef gk_complex<double> gk_c128;
struct gk_f16 { uint16_t bits; };
struct gk_bf16 { uint16_t bits; };

template<class T> struct gk_is_complex : std::false_type {};
template<class R> struct gk_is_complex<gk_complex<R>> : std::true_type {};
template<class T> struct gk_part_of { typedef T type; };
template<class R> struct gk_part_of<gk_complex<R>> { typedef R type; };
template<class T> constexpr bool gk_fp = std::is_floating_point<T>::value;
template<class T> constexpr bool gk_int =
    std::is_integral<T>::value && !std::is_same<T, bool>::value;
template<class T> constexpr bool gk_sint =
    gk_int<T> && std::is_signed<T>::value;

/* as members, which device code may name without a host call */
template<class T> struct gk_limits {
    static constexpr T min = std::numeric_limits<T>::min();
    static constexpr T max = std::numeric_limits<T>::max();
};
/* Unsigned, and wide enough that C's promotion to int cannot overflow. */
template<class T> using gk_wide =
    typename std::conditional<sizeof(T) == 8, uint64_t, uint32_t>::type;

template<class To, class From> GK_INL To gk_bits(From x) {
    static_assert(sizeof(To) == sizeof(From), "same size");
    To r;
    memcpy(&r, &x, sizeof r);
    return r;
}

template<class T> struct gk_fpk;
template<> struct gk_fpk<float> {
    typedef uint32_t U;
    static constexpr int mant = 23, bias = 127;
    static constexpr float inf = std::numeric_limits<float>::infinity();
    static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    static constexpr float min = 0x1p-126f, max = 0x1.fffffep127f;
    /* adding it rounds to an integer, to be read from the low bits */
    static constexpr float magic = 0x1.8p23f;
    static constexpr float exp_lo = -105, exp_hi = 89.5f;
    static constexpr float exp2_lo = -151, exp2_hi = 129;
    static constexpr float expm1_lo = -20, expm1_hi = 89;
    static constexpr float log2e = 0x1.715476p0f, ln2 = 0x1.62e430p-1f;
    static constexpr float ln2_hi = 0x1.62cp-1f, ln2_lo = 0x1.217f7ep-12f;
    static constexpr float il2_hi = 0x1.714p0f, il2_lo = 0x1.47652cp-12f;
    static constexpr float il10_hi = 0x1.bcap-2f, il10_lo = 0x1.7b1526p-14f;
    static constexpr float l102_hi = 0x1.344p-2f, l102_lo = 0x1.3509f8p-18f;
    static constexpr U sqrt_half = 0x3f3504f3u, low = 0xfffu;
};
template<> struct gk_fpk<double> {
    typedef uint64_t U;
    static constexpr int mant = 52, bias = 1023;
    static constexpr double inf = std::numeric_limits<double>::infinity();
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    static constexpr double min = 0x1p-1022, max = 0x1.fffffffffffffp1023;
    static constexpr double magic = 0x1.8p52;
    static constexpr double exp_lo = -746, exp_hi = 710;
    static constexpr double exp2_lo = -1076, exp2_hi = 1025;
    static constexpr double expm1_lo = -40, expm1_hi = 710;
    static constexpr double log2e = 0x1.71547652b82fep0;
    static constexpr double ln2 = 0x1.62e42fefa39efp-1;
    static constexpr double ln2_hi = 0x1.62e42feep-1;
    static constexpr double ln2_lo = 0x1.a39ef35793c76p-33;
    static constexpr double il2_hi = 0x1.715476p0;
    static constexpr double il2_lo = 0x1.4ae0bf85ddf44p-26;
    static constexpr double il10_hi = 0x1.bcb7b1p-2;
    static constexpr double il10_lo = 0x1.49b9438ca9aaep-28;
    static constexpr double l102_hi = 0x1.34413508p-2;
    static constexpr double l102_lo = 0x1.f79fef311f12bp-34;
    static constexpr U sqrt_half = 0x3fe6a09e667f3bcdull, low = 0x7ffffffull;
};

/* The C library under one name for both precisions. */
#define GK_LIBM1(fn) \
    GK_INL float gk_m_##fn(float x) { return ::fn##f(x); } \
    GK_INL double gk_m_##fn(double x) { return ::fn(x); }
#define GK_LIBM2(fn) \
    GK_INL float gk_m_##fn(float x, float y) { return ::fn##f(x, y); } \
    GK_INL double gk_m_##fn(double x, double y) { return ::fn(x, y); }
GK_LIBM1(sqrt) GK_LIBM1(cbrt) GK_LIBM1(floor) GK_LIBM1(ceil)
GK_LIBM1(trunc) GK_LIBM1(rint) GK_LIBM1(fabs)
GK_LIBM1(sin) GK_LIBM1(cos) GK_LIBM1(tan) GK_LIBM1(asin) GK_LIBM1(acos)
GK_LIBM1(atan) GK_LIBM1(asinh) GK_LIBM1(acosh) GK_LIBM1(atanh)
GK_LIBM1(erf) GK_LIBM1(erfc) GK_LIBM1(tgamma)
GK_LIBM2(fmod) GK_LIBM2(pow) GK_LIBM2(atan2) GK_LIBM2(hypot)
GK_LIBM2(copysign)
GK_INL double gk_fma(double a, double b, double c) { return ::fma(a, b, c); }

template<class T> GK_INL T gk_min0(T a, T b) { return a < b ? a : b; }
template<class T> GK_INL T gk_max0(T a, T b) { return a > b ? a : b; }

/* --- 2 casts ------------------------------------------------------------ */

/* f16 <-> f32 by bits and one float addition that does the rounding of
 * subnormals (the method of F. Giesen's float_to_half). */
GK_INL float gk_from_f16(gk_f16 h) {
#if GK_DEVICE
    return __half2float(__ushort_as_half(h.bits));
#else
    uint32_t v = h.bits, o = (v & 0x7fffu) << 13, e = o & 0x0f800000u;
    uint32_t norm = o + (112u << 23);
    uint32_t top = (o + (224u << 23)) | (o & 0x7fffffu ? 0x400000u : 0u);
    float sub = gk_bits<float>(o + (113u << 23)) - 0x1p-14f;
    uint32_t r = e == 0 ? gk_bits<uint32_t>(sub) : norm;
    r = e == 0x0f800000u ? top : r;
    return gk_bits<float>(r | (v & 0x8000u) << 16);
#endif
}
GK_INL gk_f16 gk_to_f16(float x) {
#if GK_DEVICE                       /* one instruction; NaN loses its sign */
    return gk_f16{__half_as_ushort(__float2half_rn(x))};
#else
    uint32_t u = gk_bits<uint32_t>(x), a = u & 0x7fffffffu, r;
    uint32_t quiet = 0x7e00u | (a >> 13 & 0x3ffu);
    uint32_t sub = gk_bits<uint32_t>(gk_bits<float>(a) + 0.5f) - 0x3f000000u;
    uint32_t norm = (a - (112u << 23) + 0xfffu + (a >> 13 & 1u)) >> 13;
    r = a < 0x38800000u ? sub : norm;
    r = a >= 0x47800000u ? 0x7c00u : r;
    r = a > 0x7f800000u ? quiet : r;
    return gk_f16{(uint16_t)(r | (u >> 16 & 0x8000u))};
#endif
}
GK_INL float gk_from_bf16(gk_bf16 h) {
    uint32_t u = (uint32_t)h.bits << 16;
    bool nan = (u & 0x7fffffffu) > 0x7f800000u;
    return gk_bits<float>(u | (nan ? 0x400000u : 0u));
}
GK_INL gk_bf16 gk_to_bf16(float x) {
#if GK_DEVICE && __CUDA_ARCH__ >= 800
    uint16_t bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return gk_bf16{bits};
#endif
    uint32_t u = gk_bits<uint32_t>(x);
    uint32_t r = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
    r = (u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : r;
    return gk_bf16{(uint16_t)r};
}
/* Rounding to odd keeps the second rounding exact (Boldo, Melquiond). */
GK_INL float gk_odd_float(double x) {
    float f = (float)x;
    double back = (double)f;
    uint32_t u = gk_bits<uint32_t>(f);
    u -= gk_m_fabs(back) > gk_m_fabs(x) ? 1u : 0u;
    u |= back != x ? 1u : 0u;
    return gk_bits<float>(u);
}
/* A value of 2^53 and more as a double with a sticky last bit: far below the
 * 11 bits that f16 and bf16 keep. */
template<class T> GK_INL double gk_odd_double(T x) {
    bool neg = false;
    if constexpr (gk_sint<T>) neg = x < 0;
    uint64_t m = neg ? 0u - (uint64_t)x : (uint64_t)x;
    uint64_t s = m >> 11 | ((m & 0x7ffu) != 0 ? 1u : 0u);
    double r = m >> 53 ? (double)(int64_t)s * 2048.0 : (double)(int64_t)m;
    return neg ? -r : r;
}

/* x as the float that rounds to a half as x itself does. */
template<class T> GK_INL float gk_before_half(T x) {
    if constexpr (std::is_same<T, double>::value) return gk_odd_float(x);
    else if constexpr (sizeof(T) == 8) return gk_odd_float(gk_odd_double(x));
    else if constexpr (gk_int<T> && sizeof(T) == 4)
        return gk_odd_float((double)x);
    else return (float)x;
}

template<class To, class From> GK_INL To gk_saturate(From x) {
    constexpr To max = gk_limits<To>::max, min = gk_limits<To>::min;
    typedef typename std::conditional<(sizeof(To) < 4), int32_t, To>::type Via;
    const From top = (From)(max / 2 + 1) * 2; /* exact: a power of two */
    const From bot = (From)min;
    bool ok = std::is_signed<To>::value ? x >= bot && x < top
                                        : x > (From)-1 && x < top;
    To r = (To)(Via)(ok ? x : (From)0);
    r = x >= top ? max : r;
    return x < bot ? min : r;
}

template<class To, class From> GK_INL To gk_cast(From x) {
    if constexpr (std::is_same<To, From>::value) {
        return x;
    } else if constexpr (std::is_same<From, gk_f16>::value) {
        return gk_cast<To>(gk_from_f16(x));
    } else if constexpr (std::is_same<From, gk_bf16>::value) {
        return gk_cast<To>(gk_from_bf16(x));
    } else if constexpr (gk_is_complex<From>::value) {
        if constexpr (gk_is_complex<To>::value) {
            typedef typename gk_part_of<To>::type R;
            return To{(R)x.re, (R)x.im};
        } else if constexpr (std::is_same<To, bool>::value) {
            return x.re != 0 || x.im != 0;
        } else {
            return gk_cast<To>(x.re);
        }
    } else if constexpr (std::is_same<To, bool>::value) {
        return x != 0;
    } else if constexpr (gk_is_complex<To>::value) {
        typedef typename gk_part_of<To>::type R;
        return To{(R)x, 0};
    } else if constexpr (std::is_same<To, gk_f16>::value ||
                         std::is_same<To, gk_bf16>::value) {
        float f = gk_before_half(x);
        if constexpr (std::is_same<To, gk_f16>::value) return gk_to_f16(f);
        else return gk_to_bf16(f);
    } else if constexpr (gk_fp<From> && gk_int<To>) {
        return gk_saturate<To>(x);
    } else {
        return (To)x;
    }
}

GK_INL gk_c128 gk_widen(gk_c64 z) { return gk_c128{z.re, z.im}; }
GK_INL gk_c64 gk_narrow(gk_c128 z) {
    return gk_c64{(float)z.re, (float)z.im};
}

/* --- 3 integer and logical ---------------------------------------------- */

template<class T> GK_INL T gk_add(T a, T b) {
    if constexpr (gk_int<T>) return (T)((gk_wide<T>)a + (gk_wide<T>)b);
    else if constexpr (gk_fp<T>) return a + b;
    else return a | b;
}
template<class T> GK_INL T gk_subtract(T a, T b) {
    if constexpr (gk_int<T>) return (T)((gk_wide<T>)a - (gk_wide<T>)b);
    else return a - b;
}
template<class T> GK_INL T gk_multiply(T a, T b) {
    if constexpr (gk_int<T>) return (T)((gk_wide<T>)a * (gk_wide<T>)b);
    else if constexpr (gk_fp<T>) return a * b;
    else return a & b;
}
template<class T> GK_INL T gk_negative(T x) {
    if constexpr (gk_int<T>) return (T)(0u - (gk_wide<T>)x);
    else return -x;
}
template<class T> GK_INL T gk_positive(T x) { return x; }
template<class T> GK_INL T gk_square(T x) { return gk_multiply(x, x); }
template<class T> GK_INL T gk_absolute(T x) {
    if constexpr (gk_fp<T>) return gk_m_fabs(x);
    else if constexpr (gk_sint<T>) return x < 0 ? gk_negative(x) : x;
    else return x;
}
template<class T> GK_INL T gk_sign(T x) {
    if constexpr (gk_fp<T>) {
        T s = x > 0 ? (T)1 : x < 0 ? (T)-1 : (T)0;
        return x != x ? x : s;
    } else {
        return (T)((x > 0) - (x < 0));
    }
}

/* Division never traps: x/0 is 0, and a divisor of -1 is a negation. */
template<class T> GK_INL T gk_int_floor_divide(T a, T b) {
    if (b == 0) return 0;
    if constexpr (gk_sint<T>) {
        if (b == -1) return gk_negative(a);
        T q = (T)(a / b), r = (T)(a - q * b);
        return (T)(q - (r != 0 && (r < 0) != (b < 0)));
    } else {
        return (T)(a / b);
    }
}
template<class T> GK_INL T gk_int_fmod(T a, T b) {
    if (b == 0) return 0;
    if constexpr (gk_sint<T>)
        if (b == -1) return 0;
    return (T)(a % b);
}
template<class T> GK_INL T gk_int_remainder(T a, T b) {
    T r = gk_int_fmod(a, b);
    if constexpr (gk_sint<T>)
        if (r != 0 && (r < 0) != (b < 0)) r = (T)(r + b);
    return r;
}
template<class T> GK_INL T gk_int_power(T a, T n) {
    if constexpr (gk_sint<T>)
        if (n < 0) return (T)(a == 1 ? 1 : a == -1 ? (n & 1 ? -1 : 1) : 0);
    gk_wide<T> r = 1, p = (gk_wide<T>)a, k = (gk_wide<T>)n;
    for (; k; k >>= 1, p *= p)
        if (k & 1) r *= p;
    return (T)r;
}
template<class T> GK_INL gk_wide<T> gk_uabs(T x) {
    if constexpr (gk_sint<T>)
        return x < 0 ? (gk_wide<T>)0 - (gk_wide<T>)x : (gk_wide<T>)x;
    else return x;
}
template<class T> GK_FN T gk_gcd(T a, T b) {
    gk_wide<T> x = gk_uabs(a), y = gk_uabs(b);
    while (y) {
        gk_wide<T> t = x % y;
        x = y;
        y = t;
    }
    return (T)x;
}
template<class T> GK_FN T gk_lcm(T a, T b) {
    gk_wide<T> g = gk_uabs(gk_gcd(a, b));
    return g ? (T)(gk_uabs(a) / g * gk_uabs(b)) : (T)0;
}
template<class T> GK_INL T gk_bitwise_and(T a, T b) { return (T)(a & b); }
template<class T> GK_INL T gk_bitwise_or(T a, T b) { return (T)(a | b); }
template<class T> GK_INL T gk_bitwise_xor(T a, T b) { return (T)(a ^ b); }
template<class T> GK_INL T gk_bitwise_not(T x) {
    if constexpr (std::is_same<T, bool>::value) return !x;
    else return (T)~x;
}
template<class T> GK_INL T gk_left_shift(T a, T b) {
    const unsigned w = sizeof(T) * 8;
    bool in = (gk_wide<T>)b < w;
    gk_wide<T> r = (gk_wide<T>)a << (in ? (unsigned)b : 0u);
    return in ? (T)r : (T)0;
}
template<class T> GK_INL T gk_right_shift(T a, T b) {
    const unsigned w = sizeof(T) * 8;
    return (T)(a >> ((gk_wide<T>)b < w ? (unsigned)b : w - 1)) &
           (T)((gk_wide<T>)b < w || gk_sint<T> ? -1 : 0);
}
/* NumPy counts the bits of the absolute value. */
template<class T> GK_INL uint8_t gk_bitwise_count(T x) {
    uint64_t v = sizeof(T) < 8 && gk_sint<T>
        ? (gk_uabs(x) & (uint64_t)-1 >> (64 - 8 * sizeof(T))) : gk_uabs(x);
    v -= v >> 1 & 0x5555555555555555ull;
    v = (v & 0x3333333333333333ull) + (v >> 2 & 0x3333333333333333ull);
    v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (uint8_t)(v * 0x0101010101010101ull >> 56);
}

template<class T> GK_INL bool gk_truth(T x) { return gk_cast<bool>(x); }
template<class T> GK_INL bool gk_logical_and(T a, T b) {
    return ((int)gk_truth(a) & (int)gk_truth(b)) != 0;
}
template<class T> GK_INL bool gk_logical_or(T a, T b) {
    return ((int)gk_truth(a) | (int)gk_truth(b)) != 0;
}
template<class T> GK_INL bool gk_logical_xor(T a, T b) {
    return gk_truth(a) != gk_truth(b);
}
template<class T> GK_INL bool gk_logical_not(T x) { return !gk_truth(x); }

/* --- 4 comparison ------------------------------------------------------- */

template<class T> GK_INL bool gk_isnan(T x) { return x != x; }
template<class T> GK_INL bool gk_isinf(T x) {
    if constexpr (gk_fp<T>) return gk_m_fabs(x) == gk_fpk<T>::inf;
    else return false;
}
template<class T> GK_INL bool gk_isfinite(T x) {
    if constexpr (gk_fp<T>) return gk_m_fabs(x) < gk_fpk<T>::inf;
    else return true;
}
template<class T> GK_INL bool gk_signbit(T x) {
    typedef typename gk_fpk<T>::U U;
    return gk_bits<U>(x) >> (sizeof(U) * 8 - 1);
}
template<class R> GK_INL bool gk_isnan(gk_complex<R> z) {
    return ((int)gk_isnan(z.re) | (int)gk_isnan(z.im)) != 0;
}
template<class R> GK_INL bool gk_isinf(gk_complex<R> z) {
    return ((int)gk_isinf(z.re) | (int)gk_isinf(z.im)) != 0;
}
template<class R> GK_INL bool gk_isfinite(gk_complex<R> z) {
    return ((int)gk_isfinite(z.re) & (int)gk_isfinite(z.im)) != 0;
}

template<class T> GK_INL bool gk_equal(T a, T b) { return a == b; }
template<class T> GK_INL bool gk_not_equal(T a, T b) { return a != b; }
template<class T> GK_INL bool gk_less(T a, T b) { return a < b; }
template<class T> GK_INL bool gk_less_equal(T a, T b) { return a <= b; }
template<class T> GK_INL bool gk_greater(T a, T b) { return a > b; }
template<class T> GK_INL bool gk_greater_equal(T a, T b) { return a >= b; }

/* Lexicographic as NumPy has it: a NaN in an imaginary part also spoils an
 * order that the real parts decide. */
template<class R> GK_INL bool gk_equal(gk_complex<R> a, gk_complex<R> b) {
    return a.re == b.re && a.im == b.im;
}
template<class R> GK_INL bool gk_not_equal(gk_complex<R> a, gk_complex<R> b) {
    return a.re != b.re || a.im != b.im;
}
template<class R> GK_INL bool gk_less(gk_complex<R> a, gk_complex<R> b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) ||
           (a.re == b.re && a.im < b.im);
}
template<class R> GK_INL bool
gk_less_equal(gk_complex<R> a, gk_complex<R> b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) ||
           (a.re == b.re && a.im <= b.im);
}
template<class R> GK_INL bool gk_greater(gk_complex<R> a, gk_complex<R> b) {
    return gk_less(b, a);
}
template<class R> GK_INL bool
gk_greater_equal(gk_complex<R> a, gk_complex<R> b) {
    return gk_less_equal(b, a);
}

/* int64 a against the uint64 whose bits b holds */
GK_INL bool gk_equal_iu(int64_t a, int64_t b) { return a == b && a >= 0; }
GK_INL bool gk_not_equal_iu(int64_t a, int64_t b) { return a != b || a < 0; }
GK_INL bool gk_less_iu(int64_t a, int64_t b) {
    return a < 0 || (uint64_t)a < (uint64_t)b;
}
GK_INL bool gk_less_equal_iu(int64_t a, int64_t b) {
    return a < 0 || (uint64_t)a <= (uint64_t)b;
}
GK_INL bool gk_greater_iu(int64_t a, int64_t b) {
    return !gk_less_equal_iu(a, b);
}
GK_INL bool gk_greater_equal_iu(int64_t a, int64_t b) {
    return !gk_less_iu(a, b);
}

/* Of equal values the second, as x86's vector instructions (and so NumPy):
 * it decides the sign of a zero. */
template<class T> GK_INL T gk_maximum(T a, T b) {
    T m = a > b ? a : b;
    return a != a ? a : m;
}
template<class T> GK_INL T gk_minimum(T a, T b) {
    T m = a < b ? a : b;
    return a != a ? a : m;
}
template<class T> GK_INL T gk_fmax(T a, T b) {
    T m = a > b ? a : b;
    return b != b ? a : m;
}
template<class T> GK_INL T gk_fmin(T a, T b) {
    T m = a < b ? a : b;
    return b != b ? a : m;
}
template<class R> GK_INL gk_complex<R>
gk_maximum(gk_complex<R> a, gk_complex<R> b) {
    return gk_isnan(a) || gk_greater_equal(a, b) ? a : b;
}
template<class R> GK_INL gk_complex<R>
gk_minimum(gk_complex<R> a, gk_complex<R> b) {
    return gk_isnan(a) || gk_less_equal(a, b) ? a : b;
}
template<class R> GK_INL gk_complex<R>
gk_fmax(gk_complex<R> a, gk_complex<R> b) {
    return gk_isnan(b) || gk_greater_equal(a, b) ? a : b;
}
template<class R> GK_INL gk_complex<R>
gk_fmin(gk_complex<R> a, gk_complex<R> b) {
    return gk_isnan(b) || gk_less_equal(a, b) ? a : b;
}

/* --- 5 exp and log, vectorising ----------------------------------------- */

/* Polynomials are minimax fits made for this file; the number is the error
 * bound relative to the function. */

/* (e^r - 1 - r - r^2/2) / r^3 on |r| <= ln2/2 * 1.01: 2^-31, 2^-61 */
GK_INL float gk_exp_poly(float r) {
    float p = 0x1.a1909ep-13f;
    p = p * r + 0x1.6d46d8p-10f;
    p = p * r + 0x1.11109ep-7f;
    p = p * r + 0x1.5554eep-5f;
    return p * r + 0x1.555556p-3f;
}
GK_INL double gk_exp_poly(double r) {
    double q = r * r, s = q * q;
    double a = 0x1.5555555555559p-3 + r * 0x1.5555555555559p-5;
    double b = 0x1.111111110f4b7p-7 + r * 0x1.6c16c16c147cdp-10;
    double c = 0x1.a01a01b0cab0fp-13 + r * 0x1.a01a01b050300p-16;
    double d = 0x1.71ddf5d0abc9ep-19 + r * 0x1.27e4c5b225886p-22;
    double e = 0x1.af63832441771p-26 + r * 0x1.1f9609f1f6b4ap-29;
    return (a + q * b) + s * ((c + q * d) + s * e);
}
template<class T> GK_INL T gk_exp_frac(T r, T lo) {
    return r + (lo + r * r * ((T)0.5 + r * gk_exp_poly(r)));
}
/* 2^n (1 + p), n held in the low bits of the sum with magic; in two factors,
 * so that results near and below the smallest normal round once. */
template<class T> GK_INL T gk_exp_scale(typename gk_fpk<T>::U n, T p) {
    typedef gk_fpk<T> K;
    typedef typename K::U U;
    U m = (n - gk_bits<U>(K::magic) + 2 * (K::bias + 1)) >> 1;
    U k = n - gk_bits<U>(K::magic) + 2 * (K::bias + 1) - m;
    return ((T)1 + p) * gk_bits<T>((m - 1) << K::mant) *
           gk_bits<T>((k - 1) << K::mant);
}
/* x = n ln2 + r: returns n + magic and p = e^r - 1 */
template<class T> GK_INL T gk_exp_reduce(T x, T *p) {
    typedef gk_fpk<T> K;
    T n = x * K::log2e + K::magic, k = n - K::magic;
    T h = x - k * K::ln2_hi, c = k * K::ln2_lo, r = h - c;
    *p = gk_exp_frac(r, (h - r) - c);
    return n;
}
template<class T> GK_INL T gk_clamp(T x, T lo, T hi) {
    x = x < lo ? lo : x;
    return x > hi ? hi : x;
}
template<class T> GK_INL T gk_v_exp(T x) {
    typedef gk_fpk<T> K;
    T p, n = gk_exp_reduce(gk_clamp(x, K::exp_lo, K::exp_hi), &p);
    return gk_exp_scale(gk_bits<typename K::U>(n), p);
}
template<class T> GK_INL T gk_v_exp2(T x) {
    typedef gk_fpk<T> K;
    T c = gk_clamp(x, K::exp2_lo, K::exp2_hi), n = c + K::magic;
    T p = gk_exp_frac((c - (n - K::magic)) * K::ln2, (T)0);
    return gk_exp_scale(gk_bits<typename K::U>(n), p);
}
template<class T> GK_INL T gk_v_expm1(T x) {
    typedef gk_fpk<T> K;
    typedef typename K::U U;
    T p, n = gk_exp_reduce(gk_clamp(x, K::expm1_lo, K::expm1_hi), &p);
    U e = gk_bits<U>(n) - gk_bits<U>(K::magic) + (K::bias - 1);
    T t = gk_bits<T>(e << K::mant); /* 2^(n-1): 2^n may overflow */
    T r = (t * p + (t - (T)0.5)) * 2;
    return gk_m_fabs(x) < (T)0x1p-60 ? x : r;
}
template<class T> GK_INL T gk_v_tanh(T x) {
    T a = gk_m_fabs(x), t = gk_v_expm1(2 * (a > 25 ? (T)25 : a));
    T d = t + 2, err = t - (d - 2), q = (t > 2 ? (T)2 : t) / d;
    q -= q * (t > 2 ? q : 1 - q) * ((T)0.5 * err);
    return gk_m_copysign(t > 2 ? 1 - q : q, x);
}
/* e^|x| / 2, which does not overflow before sinh and cosh do */
template<class T> GK_INL T gk_half_exp(T x) {
    typedef gk_fpk<T> K;
    T p, n = gk_exp_reduce(gk_min0(x, (T)(K::exp_hi + 1)), &p);
    return gk_exp_scale((typename K::U)(gk_bits<typename K::U>(n) - 1), p);
}
template<class T> GK_INL T gk_v_cosh(T x) {
    T h = gk_half_exp(gk_m_fabs(x));
    h += (T)0.25 / h;
    return x != x ? x : h;
}
/* (sinh a - a) / a^3 of z = a^2, |a| <= 1: 2^-34, 2^-63 */
GK_INL float gk_sinh_poly(float z) {
    float p = 0x1.7a15b8p-19f;
    p = p * z + 0x1.9ffe92p-13f;
    p = p * z + 0x1.111134p-7f;
    return p * z + 0x1.555556p-3f;
}
GK_INL double gk_sinh_poly(double z) {
    double p = 0x1.b4c75c447d407p-41;
    p = p * z + 0x1.611a561835eadp-33;
    p = p * z + 0x1.ae64671b26eb5p-26;
    p = p * z + 0x1.71de3a465b0c8p-19;
    p = p * z + 0x1.a01a01a02899ep-13;
    p = p * z + 0x1.11111111110a6p-7;
    return p * z + 0x1.5555555555556p-3;
}
template<class T> GK_INL T gk_v_sinh(T x) {
    T a = gk_m_fabs(x), h = gk_half_exp(a), z = a * a;
    T r = a < 1 ? a + a * (z * gk_sinh_poly(z)) : h - (T)0.25 / h;
    return x != x ? x : gk_m_copysign(r, x);
}

/* (log((1+s)/(1-s)) - 2s) / s^3 of z = s^2, for 1+f in [sqrt(.5), sqrt(2)],
 * s = f/(2+f): 2^-37, 2^-59 */
GK_INL float gk_log_poly(float z) {
    float p = 0x1.e340b2p-3f;
    p = p * z + 0x1.2436fep-2f;
    p = p * z + 0x1.999a82p-2f;
    return p * z + 0x1.555554p-1f;
}
GK_INL double gk_log_poly(double z) {
    double w = z * z;
    double a = 0x1.5555555555597p-1 + w * (0x1.24924943799e5p-2 +
               w * (0x1.7466884e056aap-3 + w * 0x1.2f57244275f91p-3));
    double b = 0x1.999999997e3dap-2 + w * (0x1.c71c50b66b539p-3 +
               w * 0x1.3999f6d98121ep-3);
    return a + z * b;
}
/* x = 2^k (1+f) for normal x; k as a T plus the 23 or 52 bit offset */
template<class T> GK_INL T gk_log_split(T x, T *f) {
    typedef gk_fpk<T> K;
    typedef typename K::U U;
    const U one = gk_bits<U>((T)1), half = K::sqrt_half;
    U t = gk_bits<U>(x) + (one - half);
    U m = (t & (((U)1 << K::mant) - 1)) + half;
    *f = gk_bits<T>(m) - 1;
    return gk_bits<T>((t >> K::mant) + gk_bits<U>(K::magic)) -
           (K::magic + K::bias);
}
/* the part of log(1+f) beyond f - f^2/2 (fdlibm's way) */
template<class T> GK_INL T gk_log_tail(T f, T hfsq) {
    T s = f / (2 + f), z = s * s;
    return s * (hfsq + z * gk_log_poly(z));
}
template<class T> GK_INL T gk_log_ends(T x, T r) {
    typedef gk_fpk<T> K;
    r = x < K::inf ? r : x;
    r = x == 0 ? -K::inf : r;
    return x < 0 ? K::nan : r;
}
template<class T> GK_INL T gk_log_normal(T x, T *f) {
    typedef gk_fpk<T> K;
    bool sub = x < K::min;
    T k = gk_log_split(sub ? x * (T)0x1p54 : x, f);
    return sub ? k - 54 : k;
}
template<class T> GK_INL T gk_v_log(T x) {
    typedef gk_fpk<T> K;
    T f, k = gk_log_normal(x, &f), q = (T)0.5 * f * f;
    T r = gk_log_tail(f, q) + k * K::ln2_lo;
    return gk_log_ends(x, k * K::ln2_hi - ((q - r) - f));
}
template<class T> GK_INL T gk_v_log1p(T x) {
    typedef gk_fpk<T> K;
    T u = 1 + x, f, k = gk_log_split(u, &f);
    T c = (x > 1 ? 1 - (u - x) : x - (u - 1)) / u;
    f = k == 0 ? x : f;
    c = k == 0 ? (T)0 : c;
    T q = (T)0.5 * f * f, r = gk_log_tail(f, q) + (k * K::ln2_lo + c);
    r = gk_log_ends(u, k * K::ln2_hi - ((q - r) - f));
    return gk_m_fabs(x) < (T)0x1p-60 ? x : r;
}
/* log(x)/log(b) with log(1+f) in two parts, so that powers of b come out
 * exact (fdlibm's e_log10) */
template<class T> GK_INL T
gk_log_base(T x, T ihi, T ilo, T khi, T klo) {
    typedef gk_fpk<T> K;
    typedef typename K::U U;
    T f, k = gk_log_normal(x, &f), q = (T)0.5 * f * f;
    T hi = gk_bits<T>((U)(gk_bits<U>(f - q) & ~K::low));
    T lo = ((f - hi) - q) + gk_log_tail(f, q);
    T y = k * khi, v = hi * ihi, w = y + v;
    T l = (lo + hi) * ilo + lo * ihi + k * klo;
    return gk_log_ends(x, w + (l + ((y - w) + v)));
}
template<class T> GK_INL T gk_v_log2(T x) {
    typedef gk_fpk<T> K;
    return gk_log_base(x, K::il2_hi, K::il2_lo, (T)1, (T)0);
}
template<class T> GK_INL T gk_v_log10(T x) {
    typedef gk_fpk<T> K;
    return gk_log_base(x, K::il10_hi, K::il10_lo, K::l102_hi, K::l102_lo);
}

#if GK_DEVICE
#define GK_VEC1(fn) GK_LIBM1(fn) \
    GK_INL float gk_##fn(float x) { return gk_m_##fn(x); } \
    GK_INL double gk_##fn(double x) { return gk_m_##fn(x); }
#else
#define GK_VEC1(fn) \
    GK_INL float gk_##fn(float x) { return gk_v_##fn(x); } \
    GK_INL double gk_##fn(double x) { return gk_v_##fn(x); }
#endif
GK_VEC1(exp) GK_VEC1(exp2) GK_VEC1(expm1)
GK_VEC1(log) GK_VEC1(log2) GK_VEC1(log10) GK_VEC1(log1p)
GK_VEC1(sinh) GK_VEC1(cosh) GK_VEC1(tanh)

template<class T> GK_INL T gk_sigmoid(T x) {
    T e = gk_exp(-gk_m_fabs(x)), d = 1 + e, err = e - (d - 1);
    T q = (x < 0 ? e : (T)1) / d;
    return q - q * (x < 0 ? 1 - q : q) * err; /* d + err is 1 + e exactly */
}

/* --- 6 trigonometry, roots, powers, vectorising ------------------------- */

/* sin: (sin r - r)/r^3, 2^-37, 2^-57; cos: (cos r - 1 + r^2/2)/r^4, 2^-33,
 * 2^-63; of z = r^2, |r| <= pi/4 * 1.02 */
GK_INL float gk_sin_poly(float z) {
    float p = 0x1.6ca4e2p-19f;
    p = p * z - 0x1.a00ec4p-13f;
    p = p * z + 0x1.111108p-7f;
    return p * z - 0x1.555556p-3f;
}
GK_INL double gk_sin_poly(double z) {
    double p = 0x1.5d6e7b556d29ap-33;
    p = p * z - 0x1.ae5dea033a162p-26;
    p = p * z + 0x1.71de34dbd5295p-19;
    p = p * z - 0x1.a01a019b61c39p-13;
    p = p * z + 0x1.111111110f322p-7;
    return p * z - 0x1.5555555555546p-3;
}
GK_INL float gk_cos_poly(float z) {
    float p = 0x1.99c3cep-16f;
    p = p * z - 0x1.6c0bb6p-10f;
    return p * z + 0x1.55554ap-5f;
}
GK_INL double gk_cos_poly(double z) {
    double p = -0x1.8f8a9c589d3a8p-37;
    p = p * z + 0x1.1ee9a8ace6846p-29;
    p = p * z - 0x1.27e4f7ab2b964p-22;
    p = p * z + 0x1.a01a019c35bffp-16;
    p = p * z - 0x1.6c16c16c14ce7p-10;
    return p * z + 0x1.555555555554ap-5;
}
/* x = n pi/2 + r, |x| <= 2^20: pi/2 in parts of 33 bits, times n < 2^20
 * exact (Cody and Waite). The three parts leave n 2^-122; float x does all of
 * it in two double operations. The angle is r - neg, in a form that keeps the
 * sign of zero; returns n + magic. */
GK_INL double gk_trig_reduce(double x, double *r, double *neg) {
    const double magic = 0x1.8p52;
    double n = x * 0x1.45f306dc9c883p-1 + magic, k = n - magic;
    double t = x - k * 0x1.921fb544p0, u = k * 0x1.0b4611a6p-34;
    double a = t - u, w = k * 0x1.3198a2e037073p-69 - ((t - a) - u);
    *r = a - w;
    *neg = w - (a - *r);
    return n;
}
GK_INL float gk_trig_reduce(float x, float *r, float *neg) {
    const float magic = 0x1.8p23f;
    float n = x * 0x1.45f306p-1f + magic, k = n - magic;
    double d = (double)x - (double)k * 0x1.921fb544p0;
    d -= (double)k * 0x1.0b4611a626331p-34;
    *r = (float)d;
    *neg = (float)((double)*r - d);
    return n;
}
/* the sine and cosine of what the reduction leaves; returns n + magic */
template<class T> GK_INL T gk_trig_parts(T x, T *s, T *c) {
    T r, neg, n = gk_trig_reduce(x, &r, &neg), z = r * r, h = z * (T)0.5;
    T w = 1 - h;
    *s = r - (neg - z * (r * gk_sin_poly(z)));
    *c = w + (((1 - w) - h) + (z * z * gk_cos_poly(z) + r * neg));
    return n;
}
/* quadrant q of the angle: 1 for the cosine */
template<class T> GK_INL T gk_trig(T x, typename gk_fpk<T>::U q) {
    typedef typename gk_fpk<T>::U U;
    T s, c, n = gk_trig_parts(x, &s, &c);
    U k = gk_bits<U>(n) + q, odd = 0 - (k & 1);
    U v = (gk_bits<U>(s) & ~odd) | (gk_bits<U>(c) & odd);
    return gk_bits<T>(v ^ (k & 2) << (sizeof(U) * 8 - 2));
}
/* |x| for which the _fast forms are right (false for NaN and infinities) */
template<class T> GK_INL bool gk_sincos_fast_range(T x) {
    return gk_m_fabs(x) <= (T)0x1p20;
}
/* for blocks: ok &= gk_block_ok(x[i]), as an int so that it vectorises */
template<class T> GK_INL int gk_block_ok(T x) {
    return gk_m_fabs(x) <= (T)0x1p20 ? 1 : 0;
}
template<class T> GK_INL T gk_sin_fast(T x) { return gk_trig(x, 0); }
template<class T> GK_INL T gk_cos_fast(T x) { return gk_trig(x, 1); }
template<class T> GK_INL T gk_tan_fast(T x) {
    typedef typename gk_fpk<T>::U U;
    T s, c, n = gk_trig_parts(x, &s, &c);
    U odd = 0 - (gk_bits<U>(n) & 1), d = (gk_bits<U>(s) ^ gk_bits<U>(c)) & odd;
    s = gk_bits<T>(gk_bits<U>(s) ^ d);
    c = gk_bits<T>(gk_bits<U>(c) ^ d);
    return gk_bits<T>(gk_bits<U>(s / c) ^ odd << (sizeof(U) * 8 - 1));
}
#if GK_DEVICE
template<class T> GK_INL T gk_sin(T x) { return gk_m_sin(x); }
template<class T> GK_INL T gk_cos(T x) { return gk_m_cos(x); }
template<class T> GK_INL T gk_tan(T x) { return gk_m_tan(x); }
#else
template<class T> GK_INL T gk_sin(T x) {
    return gk_sincos_fast_range(x) ? gk_sin_fast(x) : gk_m_sin(x);
}
template<class T> GK_INL T gk_cos(T x) {
    return gk_sincos_fast_range(x) ? gk_cos_fast(x) : gk_m_cos(x);
}
template<class T> GK_INL T gk_tan(T x) {
    return gk_sincos_fast_range(x) ? gk_tan_fast(x) : gk_m_tan(x);
}
#endif
/* (atan t - t)/t^3 of z = t^2, |t| <= 0.6: 2^-32, 2^-63 */
GK_INL float gk_atan_poly(float z) {
    float p = -0x1.65074ep-6f;
    p = p * z + 0x1.d05292p-5f;
    p = p * z - 0x1.5e7614p-4f;
    p = p * z + 0x1.c3c376p-4f;
    p = p * z - 0x1.246e5ap-3f;
    p = p * z + 0x1.999826p-3f;
    return p * z - 0x1.555552p-2f;
}
GK_INL double gk_atan_poly(double z) {
    double w = z * z;
    double a = -0x1.7fd17aa587716p-9;
    a = a * w - 0x1.80c5ba258cbe0p-6;
    a = a * w - 0x1.540bf6590c3edp-5;
    a = a * w - 0x1.ae6d38677636ap-5;
    a = a * w - 0x1.110fc8e6c5463p-4;
    a = a * w - 0x1.745d161b759c3p-4;
    a = a * w - 0x1.249249247a6c8p-3;
    a = a * w - 0x1.5555555555554p-2;
    double b = 0x1.7b70633eafff2p-7;
    b = b * w + 0x1.16b1949e48e38p-5;
    b = b * w + 0x1.821f8e877cf80p-5;
    b = b * w + 0x1.e1c84955a5bf4p-5;
    b = b * w + 0x1.3b1399b2d0923p-4;
    b = b * w + 0x1.c71c71bd755e7p-4;
    b = b * w + 0x1.99999999995dbp-3;
    return a + z * b;
}
/* k pi/4 + p, k <= 4: pi/4 in two parts, the first times k exact. With the
 * middle octant from 0.6 to 1/0.6 its quotient stays below 1/4, and the error
 * of that below a third of the sum's. */
GK_INL float gk_octant(float k, float hi, float lo) {
    return (k * 0x1.921fbp-1f + hi) + (k * 0x1.5110b4p-23f + lo);
}
GK_INL double gk_octant(double k, double hi, double lo) {
    return (k * 0x1.921fb54442d18p-1 + hi) + (k * 0x1.1a62633145c07p-55 + lo);
}
template<class T> GK_INL T gk_v_arctan2(T y, T x) {
    typedef gk_fpk<T> K;
    T ax = gk_m_fabs(x), ay = gk_m_fabs(y);
    T b = gk_max0(ax, ay), a = gk_min0(ax, ay);
    T f = b > K::max * (T)0x1p-20 ? (T)0x1p-10 : (T)1; /* a + b overflows */
    a *= f, b *= f;
    bool mid = a > (T)0.6 * b;
    T t = (mid ? a - b : a) / (mid ? a + b : b), k = mid ? (T)1 : (T)0;
    t = ax == ay ? (T)0 : t;
    k = ax == ay && b > 0 ? (T)1 : k;
    T z = t * t, p = t + t * (z * gk_atan_poly(z));
    p = ay > ax ? -p : p, k = ay > ax ? 2 - k : k;
    T neg = gk_m_copysign((T)1, x); /* also for -0 */
    p = neg < 0 ? -p : p, k = neg < 0 ? 4 - k : k;
    T r = k == 0 ? p : gk_octant(k, (T)0, p);
    r = x != x || y != y ? x + y : r;
    return gk_m_copysign(r, y);
}
template<class T> GK_INL T gk_v_arctan(T x) {
    T a = gk_m_fabs(x);
    bool mid = a > (T)0.6, far = a > (T)(1 / 0.6);
    T n = far ? (T)-1 : mid ? a - 1 : a, d = far ? a : mid ? a + 1 : (T)1;
    T t = n / d, z = t * t, p = t + t * (z * gk_atan_poly(z));
    T r = gk_octant(far ? (T)2 : (T)1, (T)0, p);
    r = mid ? r : p;
    return x != x ? x : gk_m_copysign(r, x);
}

/* (asin x - x)/x^3 of z = x^2 <= 1/4: 2^-27, 2^-59 */
GK_INL float gk_asin_poly(float z) {
    float p = 0x1.59f36cp-5f;
    p = p * z + 0x1.8b8734p-6f;
    p = p * z + 0x1.748ef0p-5f;
    p = p * z + 0x1.330136p-4f;
    return p * z + 0x1.5555cap-3f;
}
GK_INL double gk_asin_poly(double z) {
    double w = z * z;
    double a = 0x1.5555555555578p-3 + w * (0x1.6db6db722ba80p-5 +
               w * (0x1.6e8bdfe7d05eep-6 + w * (0x1.ca21455e4dcebp-7 +
               w * (0x1.618ad56043021p-7 + w * (0x1.65023e4c9bc38p-6 +
               w * 0x1.0be46f2c93380p-5)))));
    double b = 0x1.333333332df0cp-4 + w * (0x1.f1c71a8b8c776p-6 +
               w * (0x1.1c49ddf1e2cd4p-6 + w * (0x1.757786a2b07dep-7 +
               w * (0x1.e15a1effa5ee5p-9 + w * -0x1.59f6b9e4a3cf3p-6))));
    return a + z * b;
}
/* asin|x| = hi + lo where |x| <= 1/2, otherwise pi/2 - 2 (hi + lo), with hi
 * the leading half of the square root */
template<class T> GK_INL T gk_asin_core(T a, T *lo) {
    typedef typename gk_fpk<T>::U U;
    bool out = a > (T)0.5;
    T h = (1 - a) * (T)0.5, z = out ? h : a * a, s = gk_m_sqrt(h);
    T hi = gk_bits<T>((U)(gk_bits<U>(s) & ~gk_fpk<T>::low));
    T d = s + hi, c = h > 0 ? (h - hi * hi) / d : (T)0;
    *lo = (out ? c : (T)0) + (out ? s : a) * (z * gk_asin_poly(z));
    return out ? hi : a;
}
template<class T> GK_INL T gk_v_arcsin(T x) {
    T a = gk_m_fabs(x), lo, hi = gk_asin_core(a, &lo);
    T far = gk_octant((T)2, -2 * hi, -2 * lo);
    T r = a > 1 ? gk_fpk<T>::nan : far;
    return gk_m_copysign(a > (T)0.5 ? r : hi + lo, x);
}
template<class T> GK_INL T gk_v_arccos(T x) {
    T a = gk_m_fabs(x), lo, hi = gk_asin_core(a, &lo);
    bool neg = x < 0;
    T in = gk_octant((T)2, neg ? hi : -hi, neg ? lo : -lo);
    T out = neg ? gk_octant((T)4, -2 * hi, -2 * lo) : 2 * (hi + lo);
    out = a > 1 ? gk_fpk<T>::nan : out;
    return a > (T)0.5 ? out : in;
}

/* y = m^(-1/3) from a cubic (3e-4) by steps of third order, then one Newton
 * step on the root itself */
template<class T> GK_INL T gk_v_cbrt(T x) {
    typedef gk_fpk<T> K;
    typedef typename K::U U;
    T f, k = gk_log_normal(gk_m_fabs(x), &f);
    T q = k * (T)(1 / 3.0) + K::magic, e = k - 3 * (q - K::magic);
    T m = 1 + f;
    T y = (T)0x1.bb0ed2p0f + m * ((T)-0x1.492298p0f +
          m * ((T)0x1.6d346ep-1f + m * (T)-0x1.44a79cp-3f));
    y *= e > 0 ? (T)0x1.965fea53d6e3dp-1 : e < 0 ? (T)0x1.428a2f98d728bp0 : 1;
    m *= e > 0 ? (T)2 : e < 0 ? (T)0.5 : (T)1;
    for (int i = 0; i < (sizeof(T) == 8 ? 2 : 1); i++) {
        T h = 1 - m * y * (y * y);
        y += y * h * ((T)(1 / 3.0) + h * (T)(2 / 9.0));
    }
    T c = m * (y * y);
    c -= (c * c * c - m) * (y * y) * (T)(1 / 3.0);
    U b = (gk_bits<U>(q) - gk_bits<U>(K::magic) + K::bias) << K::mant;
    T r = gk_m_copysign(c * gk_bits<T>(b), x);
    return x == 0 || !(gk_m_fabs(x) < K::inf) ? x : r;
}

/* float power in double: 2^(b log2 a) good to 2^-40, so that one rounding is
 * all that is left; C99's special cases by selection */
GK_INL float gk_v_power(float a, float b) {
    const double inf = gk_fpk<double>::inf, nan = gk_fpk<double>::nan;
    double s = a, x = gk_m_fabs(s), y = b, t = gk_m_trunc(y), h = y * 0.5;
    double r = gk_v_exp2(y * gk_v_log2(x));
    double even = gk_m_trunc(h) == h ? 1.0 : s; /* also for infinite y */
    double sign = t == y ? even : 1.0;
    double frac = t == y ? r : x < inf ? nan : r;
    r = gk_m_copysign(s < 0 ? frac : r, sign);
    r = x == 1 ? gk_m_fabs(y) == inf ? 1.0 : r : r;
    r = y == 0 ? 1.0 : r;
    return (float)(s == 1 ? 1.0 : r);
}
#if GK_DEVICE
#define GK_LIB1(name, fn) \
    template<class T> GK_INL T gk_##name(T x) { return gk_m_##fn(x); }
#else
#define GK_LIB1(name, fn) \
    template<class T> GK_INL T gk_##name(T x) { return gk_v_##name(x); }
#endif
GK_LIB1(arctan, atan) GK_LIB1(arcsin, asin) GK_LIB1(arccos, acos)
GK_LIB1(cbrt, cbrt)
template<class T> GK_INL T gk_arctan2(T y, T x) {
#if GK_DEVICE
    return gk_m_atan2(y, x);
#else
    return gk_v_arctan2(y, x);
#endif
}

GK_INL void gk_sincos(double x, double *s, double *c) {
#if GK_DEVICE
    ::sincos(x, s, c);
#else
    *s = ::sin(x), *c = ::cos(x);
#endif
}

/* --- 7 real ------------------------------------------------------------- */

#define GK_NAME1(name, f) \
    GK_INL float gk_##name(float x) { return gk_m_##f(x); } \
    GK_INL double gk_##name(double x) { return gk_m_##f(x); }
#define GK_NAME2(name, f) \
    GK_INL float gk_##name(float x, float y) { return gk_m_##f(x, y); } \
    GK_INL double gk_##name(double x, double y) { return gk_m_##f(x, y); }
GK_NAME1(sqrt, sqrt)
GK_NAME1(arcsinh, asinh) GK_NAME1(arccosh, acosh) GK_NAME1(arctanh, atanh)
GK_NAME1(erf, erf) GK_NAME1(erfc, erfc) GK_NAME1(rint, rint)
GK_NAME2(copysign, copysign)

template<class T> GK_INL T gk_floor(T x) {
    if constexpr (gk_fp<T>) return gk_m_floor(x);
    else return x;
}
template<class T> GK_INL T gk_ceil(T x) {
    if constexpr (gk_fp<T>) return gk_m_ceil(x);
    else return x;
}
template<class T> GK_INL T gk_trunc(T x) {
    if constexpr (gk_fp<T>) return gk_m_trunc(x);
    else return x;
}

GK_INL double gk_hypot(double x, double y) { return gk_m_hypot(x, y); }
GK_INL float gk_hypot(float x, float y) {
#if GK_DEVICE
    return gk_m_hypot(x, y);
#else
    double h = gk_m_sqrt((double)x * x + (double)y * y);
    bool inf = gk_m_fabs(x) == gk_fpk<float>::inf;
    inf = gk_m_fabs(y) == gk_fpk<float>::inf ? true : inf;
    return inf ? gk_fpk<float>::inf : (float)h;
#endif
}
template<class T> GK_INL T gk_rsqrt(T x) {
#if GK_DEVICE
    if constexpr (std::is_same<T, float>::value) return ::rsqrtf(x);
    else return ::rsqrt(x);
#else
    return 1 / gk_m_sqrt(x);
#endif
}
template<class T> GK_INL T gk_divide(T a, T b) { return a / b; }

/* Floats as CPython and NumPy: the quotient is (a - mod)/b put right. */
template<class T> GK_FN T gk_remainder(T a, T b) {
    if constexpr (gk_fp<T>) {
        T m = gk_m_fmod(a, b);
        if (b == 0) return m;
        if (m == 0) return gk_m_copysign((T)0, b);
        return (b < 0) != (m < 0) ? m + b : m;
    } else {
        return gk_int_remainder(a, b);
    }
}
template<class T> GK_FN T gk_floor_divide(T a, T b) {
    if constexpr (gk_fp<T>) {
        if (b == 0) return a / b;
        T m = gk_m_fmod(a, b), d = (a - m) / b;
        if (m != 0 && (b < 0) != (m < 0)) d -= 1;
        if (d == 0) return gk_m_copysign((T)0, a / b);
        T f = gk_m_floor(d);
        return d - f > (T)0.5 ? f + 1 : f;
    } else {
        return gk_int_floor_divide(a, b);
    }
}
template<class T> GK_FN T gk_fmod(T a, T b) {
    if constexpr (gk_fp<T>) return gk_m_fmod(a, b);
    else return gk_int_fmod(a, b);
}
template<class T> GK_INL T gk_power(T a, T b) {
#if !GK_DEVICE
    if constexpr (std::is_same<T, float>::value) return gk_v_power(a, b);
#endif
    if constexpr (gk_fp<T>) return gk_m_pow(a, b);
    else return gk_int_power(a, b);
}
template<class T> GK_INL T gk_reciprocal(T x) {
    if constexpr (gk_fp<T>) return 1 / x;
    else if constexpr (gk_sint<T>) return x == 1 || x == -1 ? x : (T)0;
    else return x == 1;
}

/* ordered bits: one step is one value */
template<class T, class U> GK_INL U
gk_next_bits(T x, T y, U u, U sign) {
    U step = (x < y) == (x > 0) ? u + 1 : u - 1;
    return x == 0 ? (U)((y < 0 ? sign : 0) | 1) : step;
}
template<class T> GK_INL T gk_nextafter(T x, T y) {
    typedef typename gk_fpk<T>::U U;
    U u = gk_next_bits<T, U>(x, y, gk_bits<U>(x),
                             (U)1 << (sizeof(U) * 8 - 1));
    T r = x == y ? y : gk_bits<T>(u);
    return x != x || y != y ? x + y : r;
}
/* NumPy's half form gives x where x == y: it keeps the sign of a zero */
GK_INL gk_f16 gk_nextafter(gk_f16 a, gk_f16 b) {
    float x = gk_from_f16(a), y = gk_from_f16(b);
    if (x != x) return gk_to_f16(x);
    if (y != y) return gk_to_f16(y);
    if (x == y) return a;
    return gk_f16{(uint16_t)gk_next_bits<float, uint32_t>(x, y, a.bits,
                                                          0x8000u)};
}
GK_INL gk_bf16 gk_nextafter(gk_bf16 a, gk_bf16 b) {
    float x = gk_from_bf16(a), y = gk_from_bf16(b);
    if (x != x) return gk_to_bf16(x);
    if (y != y) return gk_to_bf16(y);
    if (x == y) return a;
    return gk_bf16{(uint16_t)gk_next_bits<float, uint32_t>(x, y, a.bits,
                                                           0x8000u)};
}

template<class T> GK_INL T gk_logaddexp(T x, T y) {
    T d = x - y, m = d > 0 ? x : y;
    T r = m + gk_log1p(gk_exp(-gk_m_fabs(d)));
    r = x == y ? x + gk_fpk<T>::ln2 : r;
    return d != d && x != y ? d : r;
}
template<class T> GK_INL T gk_logaddexp2(T x, T y) {
    T d = x - y, m = d > 0 ? x : y;
    T r = m + gk_log1p(gk_exp2(-gk_m_fabs(d))) * gk_fpk<T>::log2e;
    r = x == y ? x + 1 : r;
    return d != d && x != y ? d : r;
}
template<class T> GK_INL T gk_heaviside(T x, T h0) {
    T r = x < 0 ? (T)0 : x > 0 ? (T)1 : h0;
    return x != x ? x : r;
}
template<class T, class E> GK_INL T gk_ldexp(T x, E e) {
    int n = e > 4400 ? 4400 : e < -4400 ? -4400 : (int)e;
#if GK_DEVICE
    if constexpr (std::is_same<T, float>::value) return ::ldexpf(x, n);
    else return ::ldexp(x, n);
#else
    if constexpr (std::is_same<T, float>::value)
        return __builtin_ldexpf(x, n);
    else return __builtin_ldexp(x, n);
#endif
}
template<class T> GK_INL T gk_modf_int(T x) { return gk_m_trunc(x); }
template<class T> GK_INL T gk_modf_frac(T x) {
    T r = gk_isinf(x) ? (T)0 : x - gk_m_trunc(x);
    return gk_m_copysign(r, x);
}
/* 0, infinities and NaN keep their value, with exponent 0 */
template<class T> GK_INL int32_t gk_frexp_exp(T x) {
    typedef gk_fpk<T> K;
    typedef typename K::U U;
    T a = gk_m_fabs(x);
    bool sub = a < K::min;
    U u = gk_bits<U>(sub ? a * (T)0x1p54 : a);
    int32_t e = (int32_t)(u >> K::mant) - (K::bias - 1) - (sub ? 54 : 0);
    return a > 0 && a < K::inf ? e : 0;
}
template<class T> GK_INL T gk_frexp_mant(T x) {
    typedef gk_fpk<T> K;
    typedef typename K::U U;
    T a = gk_m_fabs(x);
    U u = gk_bits<U>(a < K::min ? x * (T)0x1p54 : x);
    u &= ~((((U)2 * K::bias + 1)) << K::mant);
    u |= (U)(K::bias - 1) << K::mant;
    return a > 0 && a < K::inf ? gk_bits<T>(u) : x;
}
template<class T> GK_INL T gk_deg2rad(T x) {
    return x * (T)0.017453292519943295769;
}
template<class T> GK_INL T gk_rad2deg(T x) {
    return x * (T)57.295779513082320877;
}
/* x less the nearest integer, exactly, with the sign that sin(pi x) takes
 * from it: right next to the zeros, where np.sinc's rounded pi*x is not. */
template<class T> GK_INL T gk_half_turns(T x, T *sign) {
    T k = gk_m_rint(x);
    *sign = k - 2 * gk_m_floor(k * (T)0.5) != 0 ? (T)-1 : (T)1;
    return x - k;
}
template<class T> GK_INL T gk_sinc(T x) {
    const T pi = (T)3.14159265358979323846;
    T sign, r = gk_half_turns(x, &sign);
    return x == 0 ? (T)1 : sign * gk_sin(pi * r) / (pi * x);
}
template<class T> GK_INL T
gk_nan_to_num(T x, double nan, double posinf, double neginf) {
    T r = x == gk_fpk<T>::inf ? (T)posinf : x;
    r = x == -gk_fpk<T>::inf ? (T)neginf : r;
    return x != x ? (T)nan : r;
}
/* np.round: rint(x * p) / p, or rint(x / p) * p where divide_first. Integers
 * in integer arithmetic: equal to NumPy's to 2^53, exact past it, wrapping
 * where the rounded value does not fit. */
template<class T> GK_INL T gk_round(T x, double pow10, bool divide_first) {
    if constexpr (gk_fp<T>) {
        T p = (T)pow10;
        return divide_first ? gk_m_rint(x / p) * p : gk_m_rint(x * p) / p;
    } else if constexpr (gk_int<T>) {
        if (!divide_first || pow10 < 2) return x;
        if (!(pow10 < 1.5e19)) return 0;
        uint64_t p = (uint64_t)pow10, u = gk_uabs(x);
        uint64_t q = u / p, r = u - q * p;
        q += r > p / 2 || (r == p / 2 && (q & 1));
        u = q * p;
        return (T)(x < 0 ? 0u - u : u);
    } else {
        return x;
    }
}

/* Float forms go through double: the C library's own are worse than 4 ulp,
 * and so are CUDA's near the zeros of lgamma. */
#if defined(__APPLE__) && !GK_DEVICE     /* there, but not declared         */
extern "C" double lgamma_r(double, int *);
#endif
GK_FN double gk_lgamma(double x) {
    if (x == -gk_fpk<double>::inf) return x;
#if GK_DEVICE || !(defined(__GLIBC__) || defined(__APPLE__))
    return ::lgamma(x);
#else
    int sign;
    return ::lgamma_r(x, &sign); /* lgamma writes the global signgam */
#endif
}
GK_FN float gk_lgamma(float x) { return (float)gk_lgamma((double)x); }
GK_FN double gk_gamma(double x) { return gk_m_tgamma(x); }
GK_FN float gk_gamma(float x) {
#if GK_DEVICE
    return gk_m_tgamma(x);
#else
    return (float)gk_m_tgamma((double)x);
#endif
}

/* Winitzki's approximation (2e-3), then Halley's third-order step on erf, or
 * on erfc where 1-|x| holds more: two steps reach 1e-9, three 1e-16. */
GK_FN double gk_erfinv_steps(double x, int steps) {
    double a = gk_m_fabs(x), q = 1 - a;
    if (!(a < 1)) return a == 1 ? x * gk_fpk<double>::inf
                                : gk_fpk<double>::nan;
    if (a < 1e-9) return x * 0.88622692545275801365;
    double l = gk_log(q * (1 + a)), b = 4.3307467508 + l * 0.5;
    double y = gk_m_sqrt(gk_m_sqrt(b * b - l * 6.8027210884) - b);
    if (a < 0.03) y = a * 0.88622692545275801365;
    for (int i = 0; i < steps; i++) {
        double e = a < 0.5 ? gk_m_erf(y) - a : q - gk_m_erfc(y);
        double u = e * 0.88622692545275801365 * gk_exp(y * y);
        y -= u / (1 + y * u);
    }
    return gk_m_copysign(y, x);
}
GK_FN double gk_erfinv(double x) {
#if GK_DEVICE
    return ::erfinv(x);
#else
    return gk_erfinv_steps(x, 3);
#endif
}
GK_FN float gk_erfinv(float x) {
#if GK_DEVICE
    return ::erfinvf(x);
#else
    return (float)gk_erfinv_steps((double)x, 2);
#endif
}

/* --- 8 complex, simple -------------------------------------------------- */

template<class T> GK_INL T gk_conj(T x) { return x; }
template<class R> GK_INL gk_complex<R> gk_conj(gk_complex<R> z) {
    return gk_complex<R>{z.re, -z.im};
}
template<class R> GK_INL R gk_real(gk_complex<R> z) { return z.re; }
template<class R> GK_INL R gk_imag(gk_complex<R> z) { return z.im; }
template<class T> GK_INL T gk_real(T x) { return x; }
template<class T> GK_INL T gk_imag(T) { return (T)0; }

template<class R> GK_INL gk_complex<R>
gk_add(gk_complex<R> a, gk_complex<R> b) {
    return gk_complex<R>{a.re + b.re, a.im + b.im};
}
template<class R> GK_INL gk_complex<R>
gk_subtract(gk_complex<R> a, gk_complex<R> b) {
    return gk_complex<R>{a.re - b.re, a.im - b.im};
}
/* A product that no addition swallows into an fma: inf - inf must be NaN on
 * the device as it is on the CPU and in NumPy. */
#if GK_DEVICE
GK_INL float gk_product(float a, float b) { return __fmul_rn(a, b); }
GK_INL double gk_product(double a, double b) { return __dmul_rn(a, b); }
#else
template<class R> GK_INL R gk_product(R a, R b) { return a * b; }
#endif
/* As NumPy, without Annex G's recovery of infinities: it would keep loops
 * from vectorising. */
template<class R> GK_INL gk_complex<R>
gk_multiply(gk_complex<R> a, gk_complex<R> b) {
    return gk_complex<R>{
        gk_product(a.re, b.re) - gk_product(a.im, b.im),
        gk_product(a.re, b.im) + gk_product(a.im, b.re)};
}
template<class R> GK_INL gk_complex<R> gk_square(gk_complex<R> z) {
    return gk_multiply(z, z);
}
template<class R> GK_INL gk_complex<R> gk_negative(gk_complex<R> z) {
    return gk_complex<R>{-z.re, -z.im};
}
template<class R> GK_INL R gk_absolute(gk_complex<R> z) {
    return gk_hypot(z.re, z.im);
}
/* of a real number: arctan2(0, x) */
template<class T> GK_INL std::enable_if_t<gk_fp<T>, T> gk_angle(T x) {
    return gk_isnan(x) ? x : gk_signbit(x) ? (T)3.14159265358979323846 : (T)0;
}
template<class R> GK_INL R gk_angle(gk_complex<R> z) {
    return gk_m_atan2(z.im, z.re);
}
template<class R> GK_INL gk_complex<R> gk_sign(gk_complex<R> z) {
    const R nan = gk_fpk<R>::nan;
    R h = gk_absolute(z);
    if (h != h) return gk_complex<R>{nan, nan};
    if (h == 0) return gk_complex<R>{0, 0};
    if (!gk_isinf(h)) return gk_complex<R>{z.re / h, z.im / h};
    bool r = gk_isinf(z.re), i = gk_isinf(z.im);
    if (r && i) return gk_complex<R>{nan, nan};
    if (!r && !i) { /* |z| overflows */
        z.re *= (R)0.25, z.im *= (R)0.25, h = gk_absolute(z);
        return gk_complex<R>{z.re / h, z.im / h};
    }
    return gk_complex<R>{r ? gk_m_copysign((R)1, z.re) : (R)0,
                         i ? gk_m_copysign((R)1, z.im) : (R)0};
}
template<class R> GK_INL gk_complex<R> gk_rint(gk_complex<R> z) {
    return gk_complex<R>{gk_m_rint(z.re), gk_m_rint(z.im)};
}
template<class R> GK_INL gk_complex<R>
gk_round(gk_complex<R> z, double pow10, bool divide_first) {
    return gk_complex<R>{gk_round(z.re, pow10, divide_first),
                         gk_round(z.im, pow10, divide_first)};
}
template<class R> GK_INL gk_complex<R>
gk_nan_to_num(gk_complex<R> z, double nan, double posinf, double neginf) {
    return gk_complex<R>{gk_nan_to_num(z.re, nan, posinf, neginf),
                         gk_nan_to_num(z.im, nan, posinf, neginf)};
}

/* --- 9 complex, heavy --------------------------------------------------- */

/* Special values are those of C99 Annex G. complex64 runs the complex128
 * function and rounds once: no overflow inside, every part within 0.5 ulp of
 * float as long as the double result is good to 2^-30. */
#define GK_CPLX(name) \
    GK_FN gk_c64 gk_##name(gk_c64 z) { \
        return gk_narrow(gk_##name(gk_widen(z))); \
    }

#define GK_LN2 0.69314718055994530942
#define GK_E709 8.2184074615549721892e307 /* e^709 */

/* a*b + c*d to 1.5 ulp (Kahan) */
GK_INL double gk_dot2(double a, double b, double c, double d) {
    double w = c * d, e = gk_fma(c, d, -w), f = gk_fma(a, b, w);
    return e < 0 || e > 0 ? f + e : f; /* keeps signed zeros, infinities */
}
/* s + *e = a + b exactly (Knuth) */
GK_INL double gk_two_sum(double a, double b, double *e) {
    double s = a + b, t = s - a;
    *e += (a - (s - t)) + (b - t);
    return s;
}

GK_INL gk_c128 gk_quotient_ends(double a, double b, double c, double d,
                                gk_c128 r) {
    const double inf = gk_fpk<double>::inf;
    if (!(r.re != r.re && r.im != r.im)) return r;
    if (c == 0 && d == 0 && (a == a || b == b)) {
        double s = gk_m_copysign(inf, c);
        return gk_c128{s * a, s * b};
    }
    bool ab = gk_isinf(a) || gk_isinf(b), cd = gk_isinf(c) || gk_isinf(d);
    if (ab && gk_isfinite(c) && gk_isfinite(d)) {
        a = gk_m_copysign(gk_isinf(a) ? 1.0 : 0.0, a);
        b = gk_m_copysign(gk_isinf(b) ? 1.0 : 0.0, b);
        return gk_c128{inf * (a * c + b * d), inf * (b * c - a * d)};
    }
    if (cd && gk_isfinite(a) && gk_isfinite(b)) {
        c = gk_m_copysign(gk_isinf(c) ? 1.0 : 0.0, c);
        d = gk_m_copysign(gk_isinf(d) ? 1.0 : 0.0, d);
        return gk_c128{0 * (a * c + b * d), 0 * (b * c - a * d)};
    }
    return r;
}
/* The divisor is scaled into [1, 2), the dividend only near the ends of the
 * range, so that a small part of it survives. */
GK_BIG gk_c128 gk_divide(gk_c128 x, gk_c128 y) {
    double ma = gk_max0(gk_m_fabs(x.re), gk_m_fabs(x.im));
    double mb = gk_max0(gk_m_fabs(y.re), gk_m_fabs(y.im));
    int sb = 1 - gk_frexp_exp(mb);
    int sa = ma > 0x1p1018 ? -4 : ma < 0x1p-900 ? 110 : 0;
    double c = gk_ldexp(y.re, sb), d = gk_ldexp(y.im, sb);
    double a = gk_ldexp(x.re, sa), b = gk_ldexp(x.im, sa);
    double n = c * c + d * d;
    gk_c128 r = {gk_ldexp(gk_dot2(a, c, b, d) / n, sb - sa),
                 gk_ldexp(gk_dot2(b, c, -a, d) / n, sb - sa)};
    return gk_quotient_ends(x.re, x.im, y.re, y.im, r);
}
GK_FN gk_c64 gk_divide(gk_c64 x, gk_c64 y) {
    double a = x.re, b = x.im, c = y.re, d = y.im, n = c * c + d * d;
    gk_c128 r = {(a * c + b * d) / n, (b * c - a * d) / n};
    return gk_narrow(gk_quotient_ends(a, b, c, d, r));
}
/* conj(z) / |z|^2: its zeros have the signs of conj(z) */
template<class R> GK_FN gk_complex<R> gk_reciprocal(gk_complex<R> z) {
    gk_complex<R> r = gk_divide(gk_complex<R>{1, 0}, z);
    return gk_complex<R>{r.re == 0 ? gk_m_copysign(r.re, z.re) : r.re,
                         r.im == 0 ? gk_m_copysign(r.im, -z.im) : r.im};
}

GK_BIG gk_c128 gk_sqrt(gk_c128 z) {
    double x = z.re, y = z.im, ax = gk_m_fabs(x), ay = gk_m_fabs(y);
    if (ax == 0 && ay == 0) return gk_c128{0, y};
    if (gk_isinf(y)) return gk_c128{ay, y};
    if (gk_isinf(x)) {
        double w = y != y ? y : gk_m_copysign(0.0, y);
        if (x > 0) return gk_c128{x, w};
        return gk_c128{y != y ? y : 0.0, gk_m_copysign(ax, y)};
    }
    double m = gk_max0(ax, ay), back = 1;
    if (m > 0x1p1020) ax *= 0x1p-4, ay *= 0x1p-4, back = 4;
    if (m < 0x1p-900) ax *= 0x1p108, ay *= 0x1p108, back = 0x1p-54;
    double t = gk_m_sqrt((ax + gk_m_hypot(ax, ay)) * 0.5);
    double u = ay / (2 * t) * back;
    t *= back;
    return x < 0 ? gk_c128{u, gk_m_copysign(t, y)}
                 : gk_c128{t, gk_m_copysign(u, y)};
}
GK_CPLX(sqrt)

/* e^x to be multiplied by *big, so that e^x cos(y) overflows only as a whole */
GK_INL double gk_exp_parts(double x, double *big) {
    bool far = x > 709;
    *big = far ? GK_E709 : 1;
    return gk_exp(far ? x - 709 : x);
}
GK_BIG gk_c128 gk_exp(gk_c128 z) {
    double x = z.re, y = z.im, s, c, big;
    if (y == 0) return gk_c128{gk_exp(x), y};
    if (gk_isinf(x) && !gk_isfinite(y)) {
        return x > 0 ? gk_c128{x, gk_fpk<double>::nan}
                     : gk_c128{0, gk_m_copysign(0.0, y)};
    }
    double e = gk_exp_parts(x, &big);
    gk_sincos(y, &s, &c);
    return gk_c128{e * c * big, e * s * big};
}
GK_CPLX(exp)
GK_BIG gk_c128 gk_exp2(gk_c128 z) {
    double x = z.re, y = z.im, s, c;
    if (y == 0) return gk_c128{gk_exp2(x), y};
    if (!gk_isfinite(x)) return gk_exp(gk_c128{x, y * GK_LN2});
    double big = x > 1023 ? 0x1p1023 : 1;
    double e = gk_exp2(x > 1023 ? x - 1023 : x);
    double t = y * GK_LN2, lo = gk_fma(y, GK_LN2, -t);
    lo += y * 0x1.abc9e3b39803fp-56;
    gk_sincos(t, &s, &c);
    return gk_c128{e * (c - lo * s) * big, e * (s + lo * c) * big};
}
GK_CPLX(exp2)
/* e^x cos y - 1 = expm1(x) cos y - 2 sin^2(y/2) */
GK_BIG gk_c128 gk_expm1(gk_c128 z) {
    double x = z.re, y = z.im, s, c;
    if (y == 0) return gk_c128{gk_expm1(x), y};
    if (x > 40) return gk_exp(z);
    if (x == -gk_fpk<double>::inf && !gk_isfinite(y))
        return gk_c128{-1, gk_m_copysign(0.0, y)};
    gk_sincos(y, &s, &c);
    double h = gk_m_sin(y * 0.5);
    return gk_c128{gk_dot2(gk_expm1(x), c, -2 * h, h), gk_exp(x) * s};
}
GK_CPLX(expm1)

/* log|z|; near the unit circle log1p(|z|^2 - 1)/2 with the sum in double
 * double */
GK_BIG double gk_log_abs(double x, double y) {
    x = gk_m_fabs(x), y = gk_m_fabs(y);
    if (gk_isinf(x) || gk_isinf(y)) return gk_fpk<double>::inf;
    if (x != x || y != y) return x + y;
    double a = gk_max0(x, y), b = gk_min0(x, y);
    if (a > 0.5 && a < 1.5) {
        double p = a * a, q = b * b;
        double e = gk_fma(a, a, -p) + gk_fma(b, b, -q);
        double s = gk_two_sum(p - 1, q, &e) + e;
        if (s > -0.5 && s < 2) return 0.5 * gk_log1p(s);
    }
    double k = a > 0x1p1000 ? -100 : a < 0x1p-900 ? 108 : 0;
    double f = k < 0 ? 0x1p-100 : k > 0 ? 0x1p108 : 1;
    double h = gk_m_hypot(x * f, y * f);
    return gk_log(h) - k * GK_LN2;
}
GK_FN gk_c128 gk_log(gk_c128 z) {
    return gk_c128{gk_log_abs(z.re, z.im), gk_m_atan2(z.im, z.re)};
}
GK_CPLX(log)
GK_FN gk_c128 gk_log2(gk_c128 z) {
    double l = z.im == 0 ? gk_log2(gk_m_fabs(z.re))
                         : gk_log_abs(z.re, z.im) * 1.4426950408889634074;
    return gk_c128{l, gk_m_atan2(z.im, z.re) * 1.4426950408889634074};
}
GK_CPLX(log2)
GK_FN gk_c128 gk_log10(gk_c128 z) {
    double l = z.im == 0 ? gk_log10(gk_m_fabs(z.re))
                         : gk_log_abs(z.re, z.im) * 0.43429448190325182765;
    return gk_c128{l, gk_m_atan2(z.im, z.re) * 0.43429448190325182765};
}
GK_CPLX(log10)
/* |1+z|^2 - 1 = 2x + x^2 + y^2, in double double */
GK_BIG gk_c128 gk_log1p(gk_c128 z) {
    double x = z.re, y = z.im, t = gk_m_atan2(y, 1 + x);
    if (gk_m_fabs(x) < 4 && gk_m_fabs(y) < 4) {
        double p = x * x, q = y * y;
        double e = gk_fma(x, x, -p) + gk_fma(y, y, -q);
        double s = gk_two_sum(2 * x, p, &e);
        s = gk_two_sum(s, q, &e) + e;
        if (s > -0.5) return gk_c128{0.5 * gk_log1p(s), t};
    }
    return gk_c128{gk_log_abs(1 + x, y), t};
}
GK_CPLX(log1p)

GK_BIG gk_c128 gk_sinh(gk_c128 z) {
    double x = z.re, y = z.im, ax = gk_m_fabs(x), s, c, big = 1;
    bool ends = (gk_isinf(x) || x == 0) && !gk_isfinite(y);
    gk_sincos(y, &s, &c);
    double h = ax > 709 ? 0.5 * gk_exp_parts(ax, &big) : gk_cosh(x);
    double r = ax > 709 ? gk_m_copysign(h, x) : gk_sinh(x);
    return gk_c128{ends ? x : r * c * big,
                   y == 0 ? y : h * s * big};
}
GK_CPLX(sinh)
GK_BIG gk_c128 gk_cosh(gk_c128 z) {
    double x = z.re, y = z.im, ax = gk_m_fabs(x), s, c, big = 1;
    bool ends = gk_isinf(x) && !gk_isfinite(y);
    gk_sincos(y, &s, &c);
    double h = ax > 709 ? 0.5 * gk_exp_parts(ax, &big) : gk_cosh(x);
    double r = ax > 709 ? gk_m_copysign(h, x) : gk_sinh(x);
    double zero = gk_m_copysign(0.0, x)
                  * gk_m_copysign(1.0, gk_isfinite(y) ? s : y);
    return gk_c128{ends ? ax : h * c * big,
                   x == 0 || y == 0 ? zero : r * s * big};
}
GK_CPLX(cosh)
/* (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y): sums of positive
 * terms */
GK_BIG gk_c128 gk_tanh(gk_c128 z) {
    double x = z.re, y = z.im, s, c;
    gk_sincos(y, &s, &c);
    if (gk_m_fabs(x) > 22 && (gk_isinf(x) || gk_isfinite(y))) {
        double im = gk_isfinite(y) ? 4 * s * c * gk_exp(-2 * gk_m_fabs(x)) : 0;
        return gk_c128{gk_m_copysign(1.0, x),
                       im != 0 ? im : gk_m_copysign(0.0, gk_isfinite(y)
                                                        ? s * c : y)};
    }
    double h = gk_sinh(x), d = h * h + c * c;
    return gk_c128{x == 0 ? x : h * gk_m_sqrt(1 + h * h) / d,
                   y == 0 ? y : s * c / d};
}
GK_CPLX(tanh)

/* sin(x+iy) = -i sinh(i(x+iy)), and so on: exchange the parts */
GK_INL gk_c128 gk_swap(gk_c128 z) { return gk_c128{z.im, z.re}; }
GK_FN gk_c128 gk_sin(gk_c128 z) { return gk_swap(gk_sinh(gk_swap(z))); }
GK_FN gk_c128 gk_cos(gk_c128 z) { return gk_cosh(gk_c128{z.im, -z.re}); }
GK_FN gk_c128 gk_tan(gk_c128 z) { return gk_swap(gk_tanh(gk_swap(z))); }
GK_CPLX(sin) GK_CPLX(cos) GK_CPLX(tan)

/* For x, y >= 0: asin(x+iy) = atan2(x, q) + i im, acos = atan2(q, x) - i im.
 * Hull, Fairgrieve and Tang, ACM TOMS 23 (1997) 299, with their cross-over
 * points; q is the square root that their arctangents share. */
GK_BIG void gk_asin_parts(double x, double y, double *q, double *im) {
    const double e = 0x1p-53;
    double m = x - 1, p = x + 1;
    if (x > 1e150 || y > 1e150) {
        *q = y, *im = gk_log_abs(x, y) + GK_LN2;
    } else if (m == 0 && y < 1e-150) {
        *q = *im = gk_m_sqrt(y);
    } else if (y <= e * gk_m_fabs(m)) {
        double s = gk_m_sqrt(gk_m_fabs(m)) * gk_m_sqrt(p);
        *q = x < 1 ? s : y * (x / s);
        *im = x < 1 ? y / s : gk_log1p(m + s);
    } else {
        double r = gk_m_hypot(p, y), s = gk_m_hypot(m, y);
        double a = 0.5 * (r + s), yr = y * y / (r + p);
        double g = x < 1 ? y * y / (s - m) : s + m; /* s + (x-1) */
        double f = x > 1 ? y * y / (s + m) : s - m; /* s - (x-1) */
        double d = 0.5 * (yr + g);                  /* a - 1 */
        *im = a <= 1.5 ? gk_log1p(d + gk_m_sqrt(d * (a + 1)))
                       : gk_log(a + gk_m_sqrt(a * a - 1));
        *q = x <= 0.6417 * a ? gk_m_sqrt((a - x) * (a + x))
           : x <= 1 ? gk_m_sqrt(0.5 * (a + x) * (yr + f))
           : y * gk_m_sqrt(0.5 * (a + x) * (1 / (r + p) + 1 / (s + m)));
    }
}
GK_FN gk_c128 gk_arcsin(gk_c128 z) {
    double ax = gk_m_fabs(z.re), ay = gk_m_fabs(z.im), q, im;
    if (ax != ax || ay != ay) {
        double nan = gk_fpk<double>::nan;
        bool inf = gk_isinf(ax) || gk_isinf(ay);
        return gk_c128{ax == 0 ? z.re : nan,
                       inf ? gk_m_copysign(gk_fpk<double>::inf, z.im) : nan};
    }
    gk_asin_parts(ax, ay, &q, &im);
    return gk_c128{gk_m_copysign(gk_m_atan2(ax, q), z.re),
                   gk_m_copysign(im, z.im)};
}
GK_FN gk_c128 gk_arccos(gk_c128 z) {
    double ax = gk_m_fabs(z.re), ay = gk_m_fabs(z.im), q, im;
    if (ax != ax || ay != ay) {
        double nan = gk_fpk<double>::nan;
        bool inf = gk_isinf(ax) || gk_isinf(ay);
        return gk_c128{ax == 0 ? 1.57079632679489661923 : nan,
                       inf ? -gk_m_copysign(gk_fpk<double>::inf, z.im) : nan};
    }
    gk_asin_parts(ax, ay, &q, &im);
    return gk_c128{gk_m_atan2(q, z.re), -gk_m_copysign(im, z.im)};
}
GK_FN gk_c128 gk_arcsinh(gk_c128 z) {
    return gk_swap(gk_arcsin(gk_swap(z)));
}
GK_FN gk_c128 gk_arccosh(gk_c128 z) {
    gk_c128 w = gk_arccos(z);
    return gk_c128{gk_m_fabs(w.im), gk_m_copysign(w.re, z.im)};
}
/* re = log1p(4x / ((1-x)^2 + y^2)) / 4 (Kahan) */
GK_BIG gk_c128 gk_arctanh(gk_c128 z) {
    const double half_pi = 1.57079632679489661923;
    double x = gk_m_fabs(z.re), y = gk_m_fabs(z.im), re, im;
    if (x != x || y != y) {
        re = gk_isinf(x) || gk_isinf(y) || x == 0 ? 0 : gk_fpk<double>::nan;
        im = gk_isinf(y) ? half_pi : gk_fpk<double>::nan;
    } else if (x > 1e150 || y > 1e150) {
        double m = gk_max0(x, y), u = x / m, v = y / m;
        re = gk_isinf(m) ? 0 : u / m / (u * u + v * v);
        im = half_pi;
    } else if (x == 1 && y < 1e-150) {
        re = 0.5 * (GK_LN2 - gk_log(y));
        im = 0.5 * gk_m_atan2(2.0, -y);
        if (y == 0) im = 0;
    } else {
        double m = 1 - x, d = m * m + y * y;
        re = 0.25 * gk_log1p(4 * x / d);
        im = 0.5 * gk_m_atan2(2 * y, gk_dot2(m, 1 + x, -y, y));
    }
    return gk_c128{gk_m_copysign(re, z.re), gk_m_copysign(im, z.im)};
}
GK_FN gk_c128 gk_arctan(gk_c128 z) {
    return gk_swap(gk_arctanh(gk_swap(z)));
}
GK_CPLX(arcsin) GK_CPLX(arccos) GK_CPLX(arctan)
GK_CPLX(arcsinh) GK_CPLX(arccosh) GK_CPLX(arctanh)

/* NumPy's cases: 0 to a power, small integers by squaring, the rest through
 * the logarithm, whose error grows with |b log a|. */
GK_BIG gk_c128 gk_power(gk_c128 a, gk_c128 b) {
    if (b.re == 0 && b.im == 0) return gk_c128{1, 0};
    if (a.re == 0 && a.im == 0) {
        double v = b.re > 0 ? 0 : gk_fpk<double>::nan;
        return gk_c128{v, v};
    }
    if (b.im == 0 && gk_m_fabs(b.re) <= 100 && gk_m_rint(b.re) == b.re) {
        gk_c128 r = {1, 0}, p = a;
        unsigned n = (unsigned)gk_m_fabs(b.re);
        bool first = true;
        for (; n; n >>= 1) {
            if (n & 1) r = first ? p : gk_multiply(r, p), first = false;
            if (n > 1) p = gk_multiply(p, p);
        }
        return b.re < 0 ? gk_divide(gk_c128{1, 0}, r) : r;
    }
    gk_c128 l = gk_log(a);
    return gk_exp(gk_c128{gk_dot2(b.re, l.re, -b.im, l.im),
                          gk_dot2(b.re, l.im, b.im, l.re)});
}
GK_FN gk_c64 gk_power(gk_c64 a, gk_c64 b) {
    return gk_narrow(gk_power(gk_widen(a), gk_widen(b)));
}
GK_FN gk_c128 gk_sinc(gk_c128 z) {
    const double pi = 3.14159265358979323846;
    double sign, r = gk_half_turns(z.re, &sign);
    gk_c128 y = {pi * z.re, pi * z.im};
    if (z.re == 0 && z.im == 0) return gk_c128{1, 0};
    gk_c128 s = gk_sin(gk_c128{pi * r, pi * z.im});
    return gk_divide(gk_c128{sign * s.re, sign * s.im}, y);
}
GK_CPLX(sinc)

/* ================================================================ >>special */

/* ================================================================= >>apply
   gk_apply is one switch over the rows of gpuarr.h's tables: n elements of
   the arrays x, y, z, computed as T, through operation `op`. On the GPU n is
   a constant and the arrays are registers; on the CPU the loops vectorise. A
   row that does not exist for T compiles to nothing.                        */
enum { GK_LIGHT, GK_HEAVY, GK_HEAVYC };
/* Which rows: values of type T, truth values, or all (bools as 0 and 1). */
enum { GK_VALUES, GK_TRUTHS, GK_ALL };
enum { GK_R_SAME, GK_R_BOOL, GK_R_REAL, GK_R_U8, GK_R_I32 };

template<class T> constexpr bool gk_half =
    std::is_same<T, gk_f16>::value || std::is_same<T, gk_bf16>::value;
template<class T> constexpr bool gk_cpx = gk_is_complex<T>::value;
template<class T> constexpr int gk_kind_bit =
    std::is_same<T, bool>::value ? GA__B : gk_int<T> ? GA__I
    : gk_fp<T> ? GA__F : gk_cpx<T> ? GA__C : 0;

template<class T> GK_HD constexpr int gk_cost(int cost) {
    return cost != GK_HEAVYC ? cost : gk_cpx<T> ? GK_HEAVY : GK_LIGHT;
}
template<class T, int COST, int WHICH>
GK_HD constexpr bool gk_row(int types, int result, int cost) {
    return (types & gk_kind_bit<T>) && COST == gk_cost<T>(cost)
           && (WHICH == GK_ALL
               || (WHICH == GK_TRUTHS) == (result == GK_R_BOOL));
}

/* How many elements at a time a row's loop takes on the CPU: whole vectors of
   any instruction set, or the compiler adds a loop or two to each for the rest
   of a vector; one where it makes no vectors. kind: gk_kind_bit.            */
GK_HD constexpr int gk_step(int op, int kind, int size, bool truth,
                            bool heavy) {
    const bool real = kind == GA__F;
    switch (op) {
    case GA__OP_less: case GA__OP_less_equal: case GA__OP_greater:
    case GA__OP_greater_equal: case GA__OP_clip: case GA__OP_where:
        if (kind == GA__C) return 1;
        break;
    case GA__OP_arcsinh: case GA__OP_arccosh: case GA__OP_arctanh:
    case GA__OP_sinc: case GA__OP_erf: case GA__OP_erfc: case GA__OP_erfinv:
    case GA__OP_gamma: case GA__OP_lgamma: case GA__OP_floor_divide:
    case GA__OP_remainder: case GA__OP_fmod: case GA__OP_ldexp:
    case GA__OP_bitwise_count: return 1;
    case GA__OP_nextafter: case GA__OP_round: case GA__OP_bitwise_not:
        if (!real && size < 4) return 1;
        break;
    default: if (heavy && !real) return 1;
    }
    return truth ? 32 : size == 16 ? 4 : size == 8 ? 8 : size == 4 ? 16
         : size == 2 ? 32 : 64;
}

#if GK_DEVICE
#define GK_EACH _Pragma("unroll") for (int i = 0; i < n; i++)
#elif defined(__clang__)
#define GK_EACH _Pragma("clang loop vectorize(assume_safety)") \
    for (int i = 0; i < n; i++)
#elif defined(__GNUC__)
#define GK_EACH _Pragma("GCC ivdep") for (int i = 0; i < n; i++)
#else
#define GK_EACH for (int i = 0; i < n; i++)
#endif

#if GK_DEVICE
__device__ static __forceinline__ float gk_sqrt_approx(float x) {
    float r;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
#endif

/* Both values are read: a loop is no vector where one may not be. */
template<class T> GK_INL T gk_select(bool c, T a, T b) {
    if constexpr (std::is_same<T, bool>::value) return (c & a) | (!c & b);
    else return c ? a : b;
}

template<class T, int COST, int WHICH, class X, class R>
GK_INL void gk_apply(int op, const int many, const X &x, const X &y,
                     const X &z, R *r, const double *p) {
    (void)y, (void)z, (void)p;
#if GK_DEVICE
#define GK_MANY(op, result, cost) many
#else
#define GK_MANY(op, result, cost)                                            \
    many & -gk_step(op, gk_kind_bit<T>, sizeof(T), result == GK_R_BOOL,      \
                    gk_cost<T>(cost) == GK_HEAVY)
#endif
#define GK_CASE(name, types, result, cost, value)                            \
    case GA__OP_##name:                                                      \
        if constexpr (gk_row<T, COST, WHICH>(types, GK_R_##result,           \
                                             GK_##cost)) {                   \
            const int n = GK_MANY(GA__OP_##name, GK_R_##result, GK_##cost);  \
            GK_EACH r[i] = gk_cast<R>(value);                                \
        }                                                                    \
        break;
#define GK_UNARY(name, types, result, cost, ...) \
    GK_CASE(name, types, result, cost, gk_##name(GK_AT(x)))
#define GK_BINARY(name, types, result, cost, ...) \
    GK_CASE(name, types, result, cost, gk_##name(GK_AT(x), GK_AT(y)))
#define GK_SPECIAL(name, types, result, cost) \
    GK_CASE(name, types, result, cost, GK_OF_##name)
#define GK_OF_copy x[i]
#define GK_OF_round gk_round(GK_AT(x), p[0], p[1] != 0)
#define GK_OF_nan_to_num gk_nan_to_num(GK_AT(x), p[0], p[1], p[2])
#define GK_OF_where gk_select(gk_truth(GK_AT(x)), y[i], z[i])
#define GK_OF_clip gk_minimum(gk_maximum(GK_AT(x), GK_AT(y)), GK_AT(z))
#define GK_AT(x) gk_cast<T>(x[i])
    if constexpr (gk_half<T>) {     /* all else computes in float           */
        const int n = GK_MANY(GA__OP_nextafter, GK_R_SAME, GK_LIGHT);
        if constexpr (COST == GK_LIGHT)
            GK_EACH r[i] = gk_nextafter(x[i], y[i]);
        return;
    } else {
#if !GK_DEVICE
        /* These vectorise where all arguments are moderate. */
#define GK_TRIG(name)                                                        \
            if (op == GA__OP_##name) {                                       \
                GK_EACH r[i] = gk_##name##_fast(x[i]);                       \
                return;                                                      \
            }
        if constexpr (gk_fp<T> && WHICH == GK_VALUES)
            if (op == GA__OP_sin || op == GA__OP_cos || op == GA__OP_tan) {
                const int n = GK_MANY(GA__OP_sin, GK_R_SAME, GK_LIGHT);
                int ok = 1;
                GK_EACH ok &= gk_block_ok(x[i]);
                if (ok) {
                    if constexpr (COST == GK_LIGHT) {
                        GK_TRIG(sin)
                        GK_TRIG(cos)
                    } else {
                        GK_TRIG(tan)
                    }
                }
            }
#endif
#if GK_DEVICE
        /* A half keeps 11 of the 23 bits that the approximate root is good
           for: the exactly rounded one costs 0.017 ms of 0.255 for 2^28.   */
        if constexpr (gk_fp<T> &&
                      gk_half<typename std::decay<decltype(x[0])>::type>)
            if (op == GA__OP_sqrt) {
                const int n = many;
                GK_EACH r[i] = gk_cast<R>(gk_sqrt_approx(GK_AT(x)));
                return;
            }
#endif
        switch (op) {
        GA_UNARY_OPS(GK_UNARY)
        GA__UNARY_ROWS(GK_UNARY)
        GA_BINARY_OPS(GK_BINARY)
        GA__BINARY_ROWS(GK_BINARY)
        GA__SPECIAL_ROWS(GK_SPECIAL)
        default: break;
        }
    }
}

/* Facts of rows and types that the launchers ask for. */
static inline bool gk_is_truth(int op) {
#define GA__X(name, t, result, ...) \
    case GA__OP_##name: return GK_R_##result == GK_R_BOOL;
    switch (op) { GA__ALL_ROWS(GA__X) default: return false; }
#undef GA__X
}
static inline bool gk_is_heavy(int op, bool complex) {
#define GA__X(name, t, result, cost, ...) case GA__OP_##name: \
    return GK_##cost == GK_HEAVY || (complex && GK_##cost == GK_HEAVYC);
    switch (op) { GA__ALL_ROWS(GA__X) default: return false; }
#undef GA__X
}

/* dtype, C++ type: BODY sees the type as S. */
#define GK_TYPES(X) \
    X(GA_BOOL, bool) X(GA_INT8, int8_t) X(GA_INT16, int16_t)                 \
    X(GA_INT32, int32_t) X(GA_INT64, int64_t) X(GA_UINT8, uint8_t)           \
    X(GA_UINT16, uint16_t) X(GA_UINT32, uint32_t) X(GA_UINT64, uint64_t)     \
    X(GA_FLOAT16, gk_f16) X(GA_BFLOAT16, gk_bf16) X(GA_FLOAT32, float)       \
    X(GA_FLOAT64, double) X(GA_COMPLEX64, gk_c64) X(GA_COMPLEX128, gk_c128)
template<class T> struct gk_dtype_of;
#define GA__X(t, S) template<> struct gk_dtype_of<S> { \
    static constexpr ga_dtype value = t; };
GK_TYPES(GA__X)
#undef GA__X
static const unsigned char gk_kinds[GA_NUM_DTYPES] = {
#define GA__X(t, S) gk_kind_bit<S>,
    GK_TYPES(GA__X)
#undef GA__X
};

static const size_t gk_size[GA_NUM_DTYPES] = {
#define GA__X(t, S) sizeof(S),
    GK_TYPES(GA__X)
#undef GA__X
};

/* Whether operands of type S ever compute in T: S promotes to T. Only these
   loads are compiled. uint64 computes as int64 in the _iu comparisons.      */
template<class T, class S> GK_HD constexpr bool gk_loads() {
    if (std::is_same<S, T>::value || std::is_same<S, bool>::value) return true;
    if (gk_half<T>) return gk_int<S>;
    if (gk_half<S>) return gk_fp<T> || gk_cpx<T>;
    if (gk_cpx<S>) return gk_cpx<T>;
    if (gk_fp<S>) return gk_fp<T> || gk_cpx<T>;
    if (gk_fp<T> || gk_cpx<T>) return true;
    if (sizeof(T) == 8 && sizeof(S) == 8) return gk_int<T>;
    return gk_int<T> && sizeof(S) < sizeof(T)
           && (gk_sint<T> || !gk_sint<S>);
}

/* ================================================================ >>ew-cuda
   One launch is n elements as rows of shape[ndim-1], V elements a thread.
   Classes, cheapest first:
     flat   every operand contiguous, of the computing type, 16-byte aligned
     rows   the last axis as in flat or broadcast, the outer ones anything
     mixed  every operand contiguous, of differing dtypes
     any    any dtypes and strides; vector accesses where an operand allows
     tile   a transposed copy, through shared memory
   flat and rows move each byte once: at the card's copy rate. A launch covers
   less than 2^31 vectors; larger ones are cut along the first axis.         */
#ifndef GPUARR_NO_CUDA

/* Division of n < 2^31 by a constant (Granlund and Montgomery 1994). */
struct gk_div { uint32_t d, m, s; };
static inline gk_div gk_div_make(uint32_t d) {
    uint32_t s = 0;
    while (s < 31 && (1u << s) < d) s++;
    uint64_t m = ((uint64_t)1 << 32) * (((uint64_t)1 << s) - d) / d + 1;
    return gk_div{d, (uint32_t)m, s};
}
__device__ static __forceinline__ uint32_t gk_div_by(uint32_t n, gk_div d) {
    return (__umulhi(n, d.m) + n) >> d.s;
}

/* V neighbours, loaded and stored at once, at most 16 bytes an access. */
template<class S, int V> struct alignas(sizeof(S) * V > 16 ? 16
                                        : sizeof(S) * V) gk_pack {
    S v[V];
    __device__ const S &operator[](int i) const { return v[i]; }
};
/* Inputs of one or two bytes stay in whole registers until they are used:
   unpacked at the load, the next operand's load would wait for this one's
   (float16 add 0.426 ms for 2^28, copy 0.322).                              */
template<class S, int V, bool NARROW = (sizeof(S) < 4 && V * sizeof(S) >= 4)>
struct gk_vec : gk_pack<S, V> {};
template<class S, int V> struct alignas(sizeof(S) * V) gk_vec<S, V, true> {
    uint32_t w[V * sizeof(S) / 4];
    __device__ S operator[](int i) const {
        constexpr int per = 4 / sizeof(S);
        typedef typename std::conditional<sizeof(S) == 1, uint8_t,
                                          uint16_t>::type B;
        B b = (B)(w[i / per] >> i % per * (int)sizeof(S) * 8);
        if constexpr (std::is_same<S, bool>::value) return b != 0;
        else return gk_bits<S>(b);
    }
};

struct gk_flat {
    int64_t n;
    void *out;
    const void *in[3];              /* NULL: value                          */
    alignas(16) unsigned char value[3][16];     /* repeated to a vector     */
    double param[3];
    int op, nin;
};

/* Eight blocks a multiprocessor: 32 registers a thread. Bandwidth wants the
   threads more than rare operations want registers: float64 copy 0.558 ms
   for 2^27 with 34 registers.                                              */
#define GK_BOUNDS(cost) \
    __launch_bounds__(256, (cost) == GK_HEAVY ? 4 : GK_RESIDENT(8))

/* Thread t has elements t*V to t*V+V-1. (Two vectors a thread, for float32
   and float64, ran at 96% of the copy rate where one runs at 99%.)          */
template<class S, class T, int COST, int WHICH, int V>
__global__ void GK_BOUNDS(COST) gk_ew_flat(gk_flat a) {
    typedef typename std::conditional<WHICH == GK_TRUTHS, bool, S>::type O;
    int64_t at = ((int64_t)blockIdx.x * 256 + threadIdx.x) * V;
    if (at >= a.n) return;
    int left = a.n - at < V ? (int)(a.n - at) : V;
    gk_vec<S, V> x[3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const S *p = (const S *)a.in[k] + at;
        if (k >= a.nin) break;
        if (!a.in[k]) {
            x[k] = *(const gk_vec<S, V> *)a.value[k];
        } else if (left == V) {
            x[k] = *(const gk_vec<S, V> *)p;
        } else {
            gk_pack<S, V> q;
#pragma unroll
            for (int i = 0; i < V; i++) q.v[i] = p[i < left ? i : 0];
            x[k] = gk_bits<gk_vec<S, V>>(q);
        }
    }
    gk_pack<O, V> r;
    gk_apply<T, COST, WHICH>(a.op, V, x[0], x[1], x[2], r.v, a.param);
    O *o = (O *)a.out + at;
    if (left == V) {
        *(gk_pack<O, V> *)o = r;
    } else {
#pragma unroll
        for (int i = 0; i < V; i++)
            if (i < left) o[i] = r.v[i];
    }
}

struct gk_side {                    /* one operand of a rows or any launch  */
    void *p;                        /* NULL: value                          */
    int64_t stride[GA_MAX_NDIM];    /* [0] the last axis, then outwards     */
    int dtype, size;
    bool packs;                     /* aligned for vector accesses          */
};
struct gk_rows {
    int64_t n0;                     /* length of the last axis              */
    uint32_t total;                 /* vectors                              */
    int outer;                      /* axes but the last                    */
    gk_div per_row, len[GA_MAX_NDIM - 1];
    gk_side out, in[3];
    alignas(16) unsigned char value[3][16];
    double param[3];
    int op, nin;
};

/* Vector `v`'s place: element offsets of out and inputs, and its column. */
__device__ static __forceinline__ int64_t gk_place(const gk_rows &a,
                                                   uint32_t v, int V,
                                                   int64_t *off) {
    uint32_t row = gk_div_by(v, a.per_row);
    int64_t col = (int64_t)(v - row * a.per_row.d) * V;
    off[3] = col * a.out.stride[0];
#pragma unroll
    for (int k = 0; k < 3; k++) off[k] = col * a.in[k].stride[0];
#pragma unroll
    for (int d = 0; d < GA_MAX_NDIM - 1; d++) {
        if (d == a.outer) break;
        uint32_t q = gk_div_by(row, a.len[d]), c = row - q * a.len[d].d;
        row = q;
        off[3] += c * a.out.stride[d + 1];
#pragma unroll
        for (int k = 0; k < 3; k++) off[k] += c * a.in[k].stride[d + 1];
    }
    return col;
}

/* Rows whose last axis is contiguous or broadcast, one dtype. */
template<class S, class T, int WHICH, int V>
__global__ void GK_BOUNDS(GK_LIGHT) gk_ew_rows(gk_rows a) {
    typedef typename std::conditional<WHICH == GK_TRUTHS, bool, S>::type O;
    uint32_t v = blockIdx.x * 256u + threadIdx.x;
    if (v >= a.total) return;
    int64_t off[4], col = gk_place(a, v, V, off);
    int left = a.n0 - col < V ? (int)(a.n0 - col) : V;
    gk_vec<S, V> x[3];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        const S *p = (const S *)a.in[k].p + off[k];
        if (k >= a.nin) break;
        if (!a.in[k].p) {
            x[k] = *(const gk_vec<S, V> *)a.value[k];
        } else if (left == V && a.in[k].stride[0]) {
            x[k] = *(const gk_vec<S, V> *)p;
        } else {
            gk_pack<S, V> q;
            bool one = !a.in[k].stride[0];
            q.v[0] = *p;
#pragma unroll
            for (int i = 1; i < V; i++) {
                q.v[i] = q.v[0];
                if (!one && i < left) q.v[i] = p[i];
            }
            x[k] = gk_bits<gk_vec<S, V>>(q);
        }
    }
    gk_pack<O, V> r;
    gk_apply<T, GK_LIGHT, WHICH>(a.op, V, x[0], x[1], x[2], r.v, a.param);
    O *o = (O *)a.out.p + off[3];
    if (left == V) {
        *(gk_pack<O, V> *)o = r;
    } else {
#pragma unroll
        for (int i = 0; i < V; i++)
            if (i < left) o[i] = r.v[i];
    }
}

template<class T, class S, int V>
__device__ static __forceinline__ void gk_ew_load(const gk_side &s, int64_t off,
                                               int left, T *x) {
    if constexpr (gk_loads<T, S>()) {
        const S *p = (const S *)s.p + off;
        if (s.packs && left == V) {
            gk_pack<S, V> q = *(const gk_pack<S, V> *)p;
#pragma unroll
            for (int i = 0; i < V; i++) x[i] = gk_cast<T>(q.v[i]);
        } else {
#pragma unroll
            for (int i = 0; i < V; i++)
                if (i < left) x[i] = gk_cast<T>(p[i * s.stride[0]]);
                else x[i] = T();
        }
    }
}
template<class T, class S, int V>
__device__ static __forceinline__ void gk_ew_store(const gk_side &s, int64_t off,
                                                int left, const T *r) {
    S *p = (S *)s.p + off;
    if (s.packs && left == V) {
        gk_pack<S, V> q;
#pragma unroll
        for (int i = 0; i < V; i++) q.v[i] = gk_cast<S>(r[i]);
        *(gk_pack<S, V> *)p = q;
    } else {
#pragma unroll
        for (int i = 0; i < V; i++)
            if (i < left) p[i * s.stride[0]] = gk_cast<S>(r[i]);
    }
}

/* Any strides, any dtypes: a uniform switch converts at load and store. */
template<class T, int COST, int V>
__global__ void __launch_bounds__(256, 4) gk_ew_any(gk_rows a) {
    uint32_t v = blockIdx.x * 256u + threadIdx.x;
    if (v >= a.total) return;
    int64_t off[4], col = gk_place(a, v, V, off);
    int left = a.n0 - col < V ? (int)(a.n0 - col) : V;
    T x[3][V], r[V];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        if (k >= a.nin) break;
        if (!a.in[k].p) {
            T s = *(const T *)a.value[k];
#pragma unroll
            for (int i = 0; i < V; i++) x[k][i] = s;
            continue;
        }
#define GA__X(t, S) \
        case t: gk_ew_load<T, S, V>(a.in[k], off[k], left, x[k]); break;
        switch (a.in[k].dtype) { GK_TYPES(GA__X) }
#undef GA__X
    }
    gk_apply<T, COST, GK_ALL>(a.op, V, x[0], x[1], x[2], r, a.param);
#define GA__X(t, S) \
    case t: gk_ew_store<T, S, V>(a.out, off[3], left, r); break;
    switch (a.out.dtype) { GK_TYPES(GA__X) }
#undef GA__X
}

/* Two neighbours of any dtype no wider than T, as plain words. */
template<class T> struct gk_pair {
    uint32_t w[sizeof(T) < 4 ? 1 : sizeof(T) / 2];
    __device__ void load(const void *p, int64_t i, int size) {
        const char *at = (const char *)p + i * size;
        if (size == 1) w[0] = *(const uint16_t *)at;
        else if (size == 2) w[0] = *(const uint32_t *)at;
        else if constexpr (sizeof(T) >= 4) {
            if (size == 4) *(uint2 *)w = *(const uint2 *)at;
            else if constexpr (sizeof(T) >= 8) {
                *(uint4 *)w = *(const uint4 *)at;
                if constexpr (sizeof(T) == 16)
                    if (size == 16)
                        *(uint4 *)(w + 4) = *(const uint4 *)(at + 16);
            }
        }
    }
    template<class S> __device__ S get(int i) const {
        if constexpr (sizeof(S) == 1) {
            uint8_t b = (uint8_t)(w[0] >> 8 * i);
            if constexpr (std::is_same<S, bool>::value) return b != 0;
            else return gk_bits<S>(b);
        } else if constexpr (sizeof(S) == 2) {
            return gk_bits<S>((uint16_t)(w[0] >> 16 * i));
        } else {
            S s;
            memcpy(&s, w + i * (sizeof(S) / 4), sizeof s);
            return s;
        }
    }
};

/* Contiguous runs of differing dtypes: casts, mixed operands; n is even. A
   thread has G pairs of neighbours, 512 elements apart, so that a warp
   touches whole sectors whatever the width. All loads are under way before
   the first is converted, or each would wait for the one before it (cast
   float16 to float32 of 2^28: 0.570 ms so, 0.445 with vectors of four).     */
template<class T, int G>
__global__ void __launch_bounds__(256, GK_RESIDENT(6)) gk_ew_mixed(gk_rows a) {
    int64_t at = ((int64_t)blockIdx.x * (256 * G) + threadIdx.x) * 2;
    gk_pair<T> raw[3][G];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        if (k >= a.nin) break;
        if (a.in[k].p)
#pragma unroll
            for (int g = 0; g < G; g++)
                if (at + g * 512 < a.n0)
                    raw[k][g].load(a.in[k].p, at + g * 512, a.in[k].size);
    }
    T x[3][2 * G], r[2 * G];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        if (k >= a.nin) break;
        if (!a.in[k].p) {
#pragma unroll
            for (int i = 0; i < 2 * G; i++) x[k][i] = *(const T *)a.value[k];
            continue;
        }
#define GA__X(t, S)                                                          \
        case t:                                                              \
            if constexpr (gk_loads<T, S>() && sizeof(S) <= sizeof(T)) {      \
                _Pragma("unroll") for (int i = 0; i < 2 * G; i++)            \
                    x[k][i] = gk_cast<T>(raw[k][i / 2].template get<S>(i % 2)); \
            }                                                                \
            break;
        switch (a.in[k].dtype) { GK_TYPES(GA__X) }
#undef GA__X
    }
    gk_apply<T, GK_LIGHT, GK_ALL>(a.op, 2 * G, x[0], x[1], x[2], r, a.param);
#define GA__X(t, S)                                                          \
    case t:                                                                  \
        _Pragma("unroll") for (int g = 0; g < G; g++)                        \
            if (at + g * 512 < a.n0)                                         \
                gk_ew_store<T, S, 2>(a.out, at + g * 512, 2, r + 2 * g);     \
        break;
    switch (a.out.dtype) { GK_TYPES(GA__X) }
#undef GA__X
}

/* Transposed copy of elements of W bytes: in's unit stride lies along the
   row axis i, out's along the column axis j; z counts the other axes. A tile
   of 32x32 goes through shared memory, so that both sides are coalesced; the
   odd row length keeps its columns in different banks.                     */
struct gk_tile {
    const void *in;
    void *out;
    int64_t ni, nj, in_j, out_i;    /* lengths; strides across              */
    int outer;
    int64_t len[GA_MAX_NDIM], si[GA_MAX_NDIM], so[GA_MAX_NDIM];
    uint32_t tiles_i, tiles_j;
};
template<class W>
__global__ void __launch_bounds__(256) gk_ew_tile(gk_tile a) {
    __shared__ W tile[32][33];
    uint32_t b = blockIdx.x, tj = b % a.tiles_j;
    b /= a.tiles_j;
    uint32_t ti = b % a.tiles_i;
    int64_t z = b / a.tiles_i;
    const W *in = (const W *)a.in;
    W *out = (W *)a.out;
    for (int d = 0; d < a.outer; d++) {
        int64_t c = z % a.len[d];
        z /= a.len[d];
        in += c * a.si[d];
        out += c * a.so[d];
    }
    int x = threadIdx.x & 31, y = threadIdx.x >> 5;
    int64_t i = (int64_t)ti * 32 + x, j = (int64_t)tj * 32 + y;
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        if (i < a.ni && j + k < a.nj)
            tile[y + k][x] = in[i + (j + k) * a.in_j];
    __syncthreads();
    j = (int64_t)tj * 32 + x;
    i = (int64_t)ti * 32 + y;
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        if (j < a.nj && i + k < a.ni)
            out[(i + k) * a.out_i + j] = tile[x][y + k];
}

/* ------------------------------------------------------------- launchers */
static inline bool gk_aligned(const void *p, size_t bytes) {
    return (uintptr_t)p % bytes == 0;
}
/* Vector accesses of V elements need a unit stride and everything else a
   multiple of V elements; at most 16 bytes are accessed at once.           */
static bool gk_packs(const ga__operand_view *o, const ga__ew *e, int V) {
    size_t size = gk_size[o->dtype], bytes = size * (size_t)V;
    if (o->stride[e->ndim - 1] != 1) return false;
    if (!gk_aligned(o->data, bytes > 16 ? 16 : bytes)) return false;
    for (int d = 0; d < e->ndim - 1; d++)
        if (e->shape[d] > 1 && o->stride[d] % V) return false;
    return true;
}

/* Element offsets of out and inputs move with the index of axis d. */
static void gk_shift(ga__ew *e, int d, int64_t by) {
    for (int k = -1; k < e->nin; k++) {
        ga__operand_view *o = k < 0 ? &e->out : &e->in[k];
        if (o->data)
            o->data = (char *)o->data
                      + by * o->stride[d] * (int64_t)gk_size[o->dtype];
    }
}

static void gk_rows_fill(gk_rows *a, const ga__ew *e, int V) {
    memset(a, 0, sizeof *a);
    int last = e->ndim - 1;
    a->n0 = e->shape[last];
    a->outer = last;
    int64_t per_row = (a->n0 + V - 1) / V;
    a->per_row = gk_div_make((uint32_t)per_row);
    int64_t total = per_row;
    for (int d = 0; d < last; d++) {
        a->len[d] = gk_div_make((uint32_t)e->shape[last - 1 - d]);
        total *= e->shape[d];
    }
    a->total = (uint32_t)total;
    for (int k = 0; k < 4; k++) {
        const ga__operand_view *o = k < 3 ? &e->in[k] : &e->out;
        gk_side *s = k < 3 ? &a->in[k] : &a->out;
        if (k < 3 && k >= e->nin) continue;
        s->p = o->data;
        s->dtype = o->dtype;
        s->size = (int)gk_size[o->dtype];
        if (!o->data) {
            memcpy(a->value[k], o->value.b, 16);
            continue;
        }
        for (int d = 0; d <= last; d++) s->stride[d] = o->stride[last - d];
        s->packs = gk_packs(o, e, V);
    }
    memcpy(a->param, e->param, sizeof a->param);
    a->op = e->op;
    a->nin = e->nin;
}

/* All inputs of dtype s (or values), out of dtype o. */
static bool gk_pure(const ga__ew *e, ga_dtype s, ga_dtype o) {
    if (e->out.dtype != o) return false;
    for (int k = 0; k < e->nin; k++)
        if (e->in[k].data && e->in[k].dtype != s) return false;
    return true;
}
/* 2: flat, 1: rows, 0: any. */
static int gk_layout(const ga__ew *e, int V) {
    bool flat = e->ndim == 1;
    for (int k = -1; k < e->nin; k++) {
        const ga__operand_view *o = k < 0 ? &e->out : &e->in[k];
        if (!o->data) continue;
        if (k >= 0 && o->stride[e->ndim - 1] == 0) {
            flat = false;
            continue;
        }
        if (!gk_packs(o, e, V)) return 0;
    }
    return flat ? 2 : e->shape[e->ndim - 1] >= 4 * V ? 1 : 0;
}

/* A value of the computing type as a vector of the storage type. */
template<class S, class T>
static void gk_repeat(unsigned char *out, const ga__operand_view *o) {
    T x;
    memcpy(&x, o->value.b, sizeof x);
    S s = gk_cast<S>(x);
    for (size_t at = 0; at + sizeof s <= 16; at += sizeof s)
        memcpy(out + at, &s, sizeof s);
}

template<class S, class T, int COST, int WHICH, int V>
static void gk_launch_flat(const ga__ew *e, cudaStream_t st) {
    gk_flat a;
    a.n = e->n;
    a.op = e->op;
    a.nin = e->nin;
    a.out = e->out.data;
    memcpy(a.param, e->param, sizeof a.param);
    for (int k = 0; k < 3; k++) {
        a.in[k] = k < e->nin ? e->in[k].data : NULL;
        if (k < e->nin && !a.in[k]) gk_repeat<S, T>(a.value[k], &e->in[k]);
    }
    int64_t blocks = (e->n + 256 * V - 1) / (256 * V);
    gk_ew_flat<S, T, COST, WHICH, V><<<(unsigned)blocks, 256, 0, st>>>(a);
}

/* flat or rows for storage S; false if this launch is of no such class. */
template<class S, class T> static bool gk_try_pure(const ga__ew *e, bool heavy,
                                                   cudaStream_t st) {
    constexpr int V = sizeof(S) >= 16 ? 1 : sizeof(S) == 1 ? 8
                                               : 16 / (int)sizeof(S);
    constexpr int HV = sizeof(T) == 4 && !gk_cpx<T> ? 4 : 1;
    constexpr ga_dtype s = gk_dtype_of<S>::value;
    bool truth = gk_is_truth(e->op);
    /* a half would round ldexp's exponent */
    if (gk_half<S> && e->op == GA__OP_ldexp) return false;
    if (!gk_pure(e, s, truth ? GA_BOOL : s)) return false;
    int layout = gk_layout(e, heavy ? HV : V);
    if (layout == 0 || (heavy && layout == 1)) return false;
    if (layout == 1) {
        gk_rows a;
        gk_rows_fill(&a, e, V);
        for (int k = 0; k < e->nin; k++)
            if (!e->in[k].data) gk_repeat<S, T>(a.value[k], &e->in[k]);
        unsigned blocks = (a.total + 255) / 256;
        if (truth)
            gk_ew_rows<S, T, GK_TRUTHS, V><<<blocks, 256, 0, st>>>(a);
        else
            gk_ew_rows<S, T, GK_VALUES, V><<<blocks, 256, 0, st>>>(a);
    } else if (truth) {             /* no truth row is heavy                */
        gk_launch_flat<S, T, GK_LIGHT, GK_TRUTHS, V>(e, st);
    } else if (!heavy) {
        gk_launch_flat<S, T, GK_LIGHT, GK_VALUES, V>(e, st);
    } else {
        /* float16 and bfloat16 share float's heavy code, in `any` */
        if constexpr (gk_half<S>) return false;
        else gk_launch_flat<S, T, GK_HEAVY, GK_VALUES, HV>(e, st);
    }
    return true;
}

template<class T> static void gk_launch_any(const ga__ew *e, bool heavy,
                                            cudaStream_t st) {
    constexpr int HV = sizeof(T) == 4 && !gk_cpx<T> ? 2 : 1;
    constexpr int V = sizeof(T) >= 16 ? 2 : 4;
    constexpr int G = sizeof(T) >= 16 ? 1 : sizeof(T) == 8 ? 2 : 4;
    gk_rows a;
    if (!heavy && !gk_half<T> && e->ndim == 1 && e->n >= 4096) {
        gk_rows_fill(&a, e, 2);
        bool mixed = a.out.packs;
        for (int k = 0; k < e->nin; k++)
            mixed &= !a.in[k].p
                     || (a.in[k].packs && a.in[k].size <= (int)sizeof(T));
        if (mixed) {
            a.n0 = e->n & ~(int64_t)1;
            unsigned blocks = (unsigned)((a.n0 + 512 * G - 1) / (512 * G));
            if constexpr (!gk_half<T>)
                gk_ew_mixed<T, G><<<blocks, 256, 0, st>>>(a);
            if (a.n0 == e->n) return;
            ga__ew last = *e;       /* the odd one                          */
            gk_shift(&last, 0, a.n0);
            last.n = last.shape[0] = 1;
            gk_launch_any<T>(&last, false, st);
            return;
        }
    }
    gk_rows_fill(&a, e, heavy ? HV : V);
    unsigned blocks = (a.total + 255) / 256;
    if (heavy) {
        if constexpr (!std::is_same<T, bool>::value && !gk_half<T>)
            gk_ew_any<T, GK_HEAVY, HV><<<blocks, 256, 0, st>>>(a);
    } else {
        gk_ew_any<T, GK_LIGHT, V><<<blocks, 256, 0, st>>>(a);
    }
}

/* One function a computing type, each in one part of a parallel build. */
#define GK_CUDA_EW(name) \
    extern "C" void gk_cuda_ew_##name(const ga__ew *e, cudaStream_t st)
GK_CUDA_EW(BOOL); GK_CUDA_EW(INT8); GK_CUDA_EW(INT16); GK_CUDA_EW(INT32);
GK_CUDA_EW(INT64); GK_CUDA_EW(UINT8); GK_CUDA_EW(UINT16); GK_CUDA_EW(UINT32);
GK_CUDA_EW(UINT64); GK_CUDA_EW(FLOAT16); GK_CUDA_EW(BFLOAT16);
GK_CUDA_EW(FLOAT32); GK_CUDA_EW(FLOAT64); GK_CUDA_EW(COMPLEX64);
GK_CUDA_EW(COMPLEX128);
#define GK_CUDA_EW_BODY(name, T)                                             \
    GK_CUDA_EW(name) {                                                       \
        bool heavy = gk_is_heavy(e->op, gk_cpx<T>);                          \
        if (!gk_try_pure<T, T>(e, heavy, st)) gk_launch_any<T>(e, heavy, st); \
    }
extern "C" bool gk_cuda_ew_halves(const ga__ew *e, bool heavy, cudaStream_t st);
#if GK_PART_IS(ew_float_cuda)
GK_CUDA_EW_BODY(FLOAT64, double)
GK_CUDA_EW(FLOAT32) {
    bool heavy = gk_is_heavy(e->op, false);
    if (!gk_try_pure<float, float>(e, heavy, st)
        && !gk_cuda_ew_halves(e, heavy, st))
        gk_launch_any<float>(e, heavy, st);
}
#endif
#if GK_PART_IS(ew_f16_cuda)
extern "C" bool gk_cuda_ew_halves(const ga__ew *e, bool heavy,
                                  cudaStream_t st) {
    return gk_try_pure<gk_f16, float>(e, heavy, st)
           || gk_try_pure<gk_bf16, float>(e, heavy, st);
}
GK_CUDA_EW(FLOAT16) { gk_launch_any<gk_f16>(e, false, st); }
GK_CUDA_EW(BFLOAT16) { gk_launch_any<gk_bf16>(e, false, st); }
#endif
#if GK_PART_IS(ew_complex_cuda)
GK_CUDA_EW_BODY(COMPLEX64, gk_c64)
GK_CUDA_EW_BODY(COMPLEX128, gk_c128)
#endif
#if GK_PART_IS(ew_int_cuda)
GK_CUDA_EW_BODY(BOOL, bool)
GK_CUDA_EW_BODY(INT8, int8_t)
GK_CUDA_EW_BODY(INT16, int16_t)
GK_CUDA_EW_BODY(INT32, int32_t)
GK_CUDA_EW_BODY(INT64, int64_t)
#endif
#if GK_PART_IS(ew_uint_cuda)
GK_CUDA_EW_BODY(UINT8, uint8_t)
GK_CUDA_EW_BODY(UINT16, uint16_t)
GK_CUDA_EW_BODY(UINT32, uint32_t)
GK_CUDA_EW_BODY(UINT64, uint64_t)
#endif

#if GK_PART_IS(solve)
/* A plain copy whose input runs along another axis than the output. */
static bool gk_try_tile(const ga__ew *e, cudaStream_t st) {
    const ga__operand_view *in = &e->in[0], *out = &e->out;
    int last = e->ndim - 1, u = -1;
    if (e->op != GA__OP_copy || !in->data || in->dtype != out->dtype
        || last < 1 || out->stride[last] != 1 || in->stride[last] == 1)
        return false;
    for (int d = 0; d < last; d++)
        if (in->stride[d] == 1 && e->shape[d] >= 8) u = d;
    if (u < 0 || e->shape[last] < 8) return false;
    gk_tile a;
    memset(&a, 0, sizeof a);
    a.in = in->data;
    a.out = out->data;
    a.ni = e->shape[u];
    a.nj = e->shape[last];
    a.in_j = in->stride[last];
    a.out_i = out->stride[u];
    int64_t ti = (a.ni + 31) / 32, tj = (a.nj + 31) / 32, blocks = ti * tj;
    a.tiles_i = (uint32_t)ti;
    a.tiles_j = (uint32_t)tj;
    for (int d = last - 1; d >= 0; d--) {
        if (d == u) continue;
        a.len[a.outer] = e->shape[d];
        a.si[a.outer] = in->stride[d];
        a.so[a.outer++] = out->stride[d];
        blocks *= e->shape[d];
    }
    if (blocks >= INT32_MAX) return false;
    unsigned g = (unsigned)blocks;
    switch (gk_size[out->dtype]) {
    case 1: gk_ew_tile<uint8_t><<<g, 256, 0, st>>>(a); break;
    case 2: gk_ew_tile<uint16_t><<<g, 256, 0, st>>>(a); break;
    case 4: gk_ew_tile<uint32_t><<<g, 256, 0, st>>>(a); break;
    case 8: gk_ew_tile<uint64_t><<<g, 256, 0, st>>>(a); break;
    default: gk_ew_tile<gk_c128><<<g, 256, 0, st>>>(a); break;
    }
    return true;
}

extern "C" int gk_cuda_elementwise(const ga__ew *e, void *stream, int mps) {
    (void)mps;
    cudaStream_t st = (cudaStream_t)stream;
    /* indices count vectors of at least one element in 31 bits: cut what may
       be longer along its longest axis, 2^30 elements a piece               */
    if (e->n > ((int64_t)1 << 30)) {
        int d = 0;
        for (int k = 1; k < e->ndim; k++)
            if (e->shape[k] > e->shape[d]) d = k;
        int64_t others = e->n / e->shape[d];
        int64_t step = ((int64_t)1 << 30) / others;
        step = step > 16 ? step / 16 * 16 : step < 1 ? 1 : step;
        for (int64_t at = 0; at < e->shape[d]; at += step) {
            ga__ew part = *e;
            part.shape[d] = e->shape[d] - at < step ? e->shape[d] - at : step;
            part.n = others * part.shape[d];
            gk_shift(&part, d, at);
            int err = gk_cuda_elementwise(&part, stream, mps);
            if (err) return err;
        }
        return 0;
    }
    if (!gk_try_tile(e, st)) {
#define GA__X(N, s, b, k) case GA_##N: gk_cuda_ew_##N(e, st); break;
        switch (e->compute) { GA_DTYPES(GA__X) default: break; }
#undef GA__X
    }
    return (int)cudaGetLastError();
}
#endif
#endif /* CUDA */

/* ================================================================= >>ew-cpu
   Blocks of GK_BLOCK elements: an operand that is contiguous and of the
   computing type is read in place, any other is gathered and then converted,
   each into a buffer in the first-level cache; so an operation needs one loop
   a type, and a conversion one for two types. Threads take whole blocks. What
   OpenMP calls is noexcept, or the object would ask for a C++ runtime.      */
#define GK_BLOCK 1024
#define GK_ROOM 16384               /* bytes of a block's buffers           */

/* The loops once an instruction set, chosen when they run. AVX-512 pays for
   the floating-point functions alone (float32 log of 10^7: 8.5 ms with AVX2,
   4.7 with AVX-512, NumPy 4.2). fma is for these too: in a complex product
   the compiler would fuse one half in the vectors and the other in the rest
   of a loop, so that results depended on an element's place.                */
#if defined(__x86_64__) && defined(__GNUC__)
#define GK_ISA(X)                                                            \
    X(base, )                                                                \
    X(v2, __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))))             \
    X(v3, __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"))))    \
    X(v4, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,"   \
                                "fma,f16c,bmi,bmi2,lzcnt,popcnt,"            \
                                "prefer-vector-width=512"))))
static inline int gk_isa(void) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return 0;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512dq")
           && __builtin_cpu_supports("avx512vl") ? 2 : 1;
}
#else
#define GK_ISA(X) X(base, )
#endif

/* Where loops are chosen: inlined, each would be copied there. */
#if defined(__GNUC__)
#define GK_OUT __attribute__((noinline))
#else
#define GK_OUT
#endif
/* Row `op` over n elements, a multiple of its gk_step. */
typedef void (*gk_loop_fn)(int op, int n, const void *x, const void *y,
                           const void *z, void *r, const double *p) noexcept;
#define GA__X(isa, attr)                                                     \
    template<class T, class R, int COST, int WHICH>                          \
    attr static void gk_loop_##isa(int op, int n, const void *x,             \
                                   const void *y, const void *z, void *r,    \
                                   const double *p) noexcept {               \
        gk_apply<T, COST, WHICH>(op, n, (const T *)x, (const T *)y,          \
                                 (const T *)z, (R *)r, p);                   \
    }
GK_ISA(GA__X)
#undef GA__X
template<class T, class R, int COST, int WHICH>
static gk_loop_fn gk_loop(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    int isa = gk_isa();
    if constexpr (gk_fp<T> && WHICH == GK_VALUES)
        if (isa == 2) return gk_loop_v4<T, R, COST, WHICH>;
    if constexpr (gk_fp<T>) {
        if (isa) return gk_loop_v3<T, R, COST, WHICH>;
    } else if constexpr (COST == GK_LIGHT) {
        if (isa) return gk_loop_v2<T, R, COST, WHICH>;
    }
#endif
    return gk_loop_base<T, R, COST, WHICH>;
}
template<class T> static gk_loop_fn gk_loop_of(bool truth, bool heavy) {
    (void)truth, (void)heavy;
    if constexpr (std::is_same<T, bool>::value)
        return gk_loop<T, T, GK_LIGHT, GK_ALL>();
    else if constexpr (gk_half<T>)
        return gk_loop<T, T, GK_LIGHT, GK_VALUES>();
    else if (truth) return gk_loop<T, bool, GK_LIGHT, GK_TRUTHS>();
    else if (heavy) return gk_loop<T, T, GK_HEAVY, GK_VALUES>();
    else return gk_loop<T, T, GK_LIGHT, GK_VALUES>();
}
#define GK_LOOPS(N) gk_loop_fn gk_loops_##N(bool truth, bool heavy)
#define GA__X(N, s, b, k) GK_LOOPS(N);
GA_DTYPES(GA__X)
#undef GA__X
#define GK_LOOPS_BODY(N, T) \
    GK_LOOPS(N) { return gk_loop_of<T>(truth, heavy); }
#if GK_PART_IS(ew_float_cpu)
GK_LOOPS_BODY(FLOAT16, gk_f16)
GK_LOOPS_BODY(BFLOAT16, gk_bf16)
GK_LOOPS_BODY(FLOAT32, float)
GK_LOOPS_BODY(FLOAT64, double)
GK_LOOPS_BODY(COMPLEX64, gk_c64)
GK_LOOPS_BODY(COMPLEX128, gk_c128)
#endif
#if GK_PART_IS(ew_int_cpu)
GK_LOOPS_BODY(BOOL, bool)
GK_LOOPS_BODY(INT8, int8_t)
GK_LOOPS_BODY(INT16, int16_t)
GK_LOOPS_BODY(INT32, int32_t)
GK_LOOPS_BODY(INT64, int64_t)
GK_LOOPS_BODY(UINT8, uint8_t)
GK_LOOPS_BODY(UINT16, uint16_t)
GK_LOOPS_BODY(UINT32, uint32_t)
GK_LOOPS_BODY(UINT64, uint64_t)
#endif

/* Up to GK_BLOCK elements that are `stride` apart, by the loop that gk_widener
   says where a type of two bytes or one becomes the one it is reduced in, else
   NULL.                                                                     */
gk_loop_fn gk_widener(ga_dtype from, ga_dtype to);
void gk_gather(gk_loop_fn widen, const void *src, ga_dtype from,
               int64_t stride, void *dst, ga_dtype to, int n) noexcept;
/* A range of a launch's elements, in their order: fewer than 2^31. */
void gk_cpu_run(const ga__ew *e, int64_t from, int64_t to) noexcept;

/* --- where elements are: of launches (E: ga__ew) and fused expressions ---- */

template<class E> static void gk_index(const E *e, int64_t at,
                                       int64_t *index) {
    for (int d = e->ndim; d-- > 0;) {
        const int64_t n = e->shape[d], rows = at < n ? 0 : at / n;
        index[d] = at - rows * n;
        at = rows;
    }
}
template<class E> static inline void gk_next(const E *e, int64_t *index,
                                             int64_t n) {
    int d = e->ndim - 1;
    for (index[d] += n; d > 0 && index[d] >= e->shape[d]; d--) {
        index[d - 1] += index[d] / e->shape[d];
        index[d] %= e->shape[d];
    }
}
template<class E> static inline char *gk_at(const E *e,
                                            const ga__operand_view *v,
                                            const int64_t *index) {
    int64_t at = 0;
    for (int d = 0; d < e->ndim; d++) at += index[d] * v->stride[d];
    return (char *)v->data + at * (int64_t)gk_size[v->dtype];
}
/* A block that ends with its row needs no copies of slices: five of 10^6
   float32 take 1.0 ms instead of 1.4 in rows of 300, but 2.2 instead of 1.7 in
   rows of 100.                                                              */
template<class E> static bool gk_by_rows(const E *e) {
    return e->ndim > 1 && e->shape[e->ndim - 1] >= 256;
}
/* Whether a block of v is one run of memory; `rows`: none goes past the end of
   a row.                                                                    */
template<class E> static bool gk_flat(const E *e, bool rows,
                                      const ga__operand_view *v) {
    int d = e->ndim - 1;
    if (v->stride[d] != 1) return false;
    while (!rows && d-- > 0)
        if (v->stride[d] != v->stride[d + 1] * e->shape[d + 1]) return false;
    return true;
}
/* n values of `size` bytes. */
static inline void gk_fill(void *to, const void *value, int n, size_t size) {
    const size_t all = (size_t)n * size;
    memcpy(to, value, size);
    if (size == 1) memset(to, *(const unsigned char *)value, all);
    for (size_t done = size; size > 1 && done < all; done *= 2)
        memcpy((char *)to + done, to, done < all - done ? done : all - done);
}
#define GK_WIDTHS(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) \
    X(8, uint64_t) X(16, gk_c128)
/* n elements that are `s` apart to places `t` apart, four at a time: twice as
   fast as what compilers make of the plain loop.                            */
template<class W> static inline void gk_move_of(W *to, int64_t t,
                                                const W *from, int64_t s,
                                                int n) {
    int i = 0;
    if (s == 1 && t == 1) {
        memcpy((void *)to, (const void *)from, (size_t)n * sizeof *to);
        return;
    }
    for (; i + 4 <= n; i += 4, from += 4 * s, to += 4 * t) {
        const W a = from[0], b = from[s], c = from[2 * s], d = from[3 * s];
        to[0] = a, to[t] = b, to[2 * t] = c, to[3 * t] = d;
    }
    for (; i < n; i++, from += s, to += t) *to = *from;
}
/* n elements of v from `index` on to the buffer b, or back. */
template<class W, class E> static void gk_rows_of(const E *e,
                                                  const ga__operand_view *v,
                                                  const int64_t *index, int n,
                                                  void *b, bool back) {
    const int last = e->ndim - 1;
    const int64_t stride = v->stride[last];
    int64_t at[GA_MAX_NDIM];
    W *q = (W *)b, *p = (W *)gk_at(e, v, index);
    memcpy(at, index, sizeof at);
    for (;;) {
        const int64_t left = e->shape[last] - at[last];
        const int m = n < left ? n : (int)left;
        if (back) gk_move_of(p, stride, q, 1, m);
        else gk_move_of(q, 1, p, stride, m);
        if (m == n) return;
        n -= m, q += m, p -= at[last] * stride, at[last] = 0;
        for (int d = last; d-- > 0;) {
            p += v->stride[d];
            if (++at[d] < e->shape[d]) break;
            p -= at[d] * v->stride[d];
            at[d] = 0;
        }
    }
}
template<class E> static void gk_rows(const E *e, const ga__operand_view *v,
                                      const int64_t *index, int n, void *b,
                                      bool back) {
#define GA__X(b_, W) case b_: gk_rows_of<W>(e, v, index, n, b, back); break;
    switch (gk_size[v->dtype]) { GK_WIDTHS(GA__X) }
#undef GA__X
}

#if GK_PART_IS(ew_cpu)
/* n bytes, n > 0: the first and the last of a size, between them the others. A
   call of memcpy for so few takes longer.                                   */
static inline void gk_copy_few(char *to, const char *from, size_t n) {
#define GA__X(b)                                                             \
    if (n >= b) {                                                            \
        char last[b];                                                        \
        memcpy(last, from + n - b, b);                                       \
        for (size_t i = 0; i + b < n; i += b) memcpy(to + i, from + i, b);   \
        memcpy(to + n - b, last, b);                                         \
        return;                                                              \
    }
    GA__X(16) GA__X(8) GA__X(4) GA__X(2) GA__X(1)
#undef GA__X
}
/* A loop over n elements of x[0 .. nin), `size` bytes each, to r, of `rsize`.
   For the rest of a step the last whole one is taken, some of it again; where
   there is none, or r is an operand's memory, by way of pads.               */
GK_OUT static void gk_steps(gk_loop_fn loop, int op, int step, int n, int nin,
                            const char *const *x, size_t size, char *r,
                            size_t rsize, const double *p) {
    const int rest = n & (step - 1), whole = n - rest;
    if (whole) loop(op, whole, x[0], x[1], x[2], r, p);
    if (!rest) return;
    bool again = whole > 0;
    for (int k = 0; k < nin; k++)
        again &= r + (size_t)n * rsize <= x[k] || x[k] + (size_t)n * size <= r;
    if (again) {
        const size_t at = (size_t)(n - step), b = at * size;
        loop(op, step, x[0] + b, nin > 1 ? x[1] + b : NULL,
             nin > 2 ? x[2] + b : NULL, r + at * rsize, p);
        return;
    }
    alignas(64) char pad[4][512];
    for (int k = 0; k < nin; k++) {
        for (size_t b = 0; b < (size_t)step * size; b += 64)
            memset(pad[k] + b, 0, 64);
        gk_copy_few(pad[k], x[k] + (size_t)whole * size, (size_t)rest * size);
    }
    loop(op, step, pad[0], pad[1], pad[2], pad[3], p);
    gk_copy_few(r + (size_t)whole * rsize, pad[3], (size_t)rest * rsize);
}

/* --- conversions ---------------------------------------------------------- */

#define GK_CONVERT_STEP 32
/* HALF: to a float on its way to a half. */
template<class T, bool HALF, class S> GK_INL T gk_convert_one(S x) {
    if constexpr (HALF) return gk_before_half(x);
    else return gk_cast<T>(x);
}
#define GA__X(isa, attr)                                                     \
    template<class S, class T, bool HALF>                                    \
    attr static void gk_convert_##isa(int, int many, const void *src,        \
                                      const void *, const void *, void *dst, \
                                      const double *) noexcept {             \
        const int n = many & -GK_CONVERT_STEP;                               \
        const S *x = (const S *)src;                                         \
        T *r = (T *)dst;                                                     \
        GK_EACH r[i] = gk_convert_one<T, HALF>(x[i]);                        \
    }
GK_ISA(GA__X)
#undef GA__X
/* Integers wrap: the sign matters to none but those that widen. */
template<class S, class T, bool HALF = false>
static gk_loop_fn gk_convert_loop(bool v2) {
    constexpr bool ints = gk_int<S> && gk_int<T>;
    if constexpr (std::is_same<S, T>::value) {
        return NULL;
    } else if constexpr (ints && gk_sint<T>) {
        return gk_convert_loop<S, std::make_unsigned_t<T>>(v2);
    } else if constexpr (ints && gk_sint<S> && sizeof(T) <= sizeof(S)) {
        return gk_convert_loop<std::make_unsigned_t<S>, T>(v2);
    } else {
#if defined(__x86_64__) && defined(__GNUC__)
        if (v2) return gk_convert_v2<S, T, HALF>;
#endif
        return gk_convert_base<S, T, HALF>;
    }
}
#define GK_REALS(X) X(GA_UINT8, uint8_t) X(GA_INT8, int8_t)                  \
    X(GA_UINT16, uint16_t) X(GA_INT16, int16_t) X(GA_UINT32, uint32_t)       \
    X(GA_INT32, int32_t) X(GA_UINT64, uint64_t) X(GA_INT64, int64_t)         \
    X(GA_FLOAT32, float) X(GA_FLOAT64, double)
template<class S> static gk_loop_fn gk_convert_real(ga_dtype to, bool v2) {
#define GA__X(t, T) case t: return gk_convert_loop<S, T>(v2);
    switch (to) {
    GK_REALS(GA__X)
    default: return gk_convert_loop<S, bool>(v2);
    }
#undef GA__X
}
/* The first loop from `from` towards `to`, NULL where the bits are the same,
   and what it gives: halves go by way of float, complex numbers by their
   parts.                                                                    */
GK_OUT static gk_loop_fn gk_convert_first(ga_dtype from, ga_dtype to,
                                          ga_dtype *gives) {
#if defined(__x86_64__) && defined(__GNUC__)
    const bool v2 = gk_isa() > 0;
#else
    const bool v2 = false;
#endif
    const bool half = to == GA_FLOAT16 || to == GA_BFLOAT16;
    *gives = to;
    switch (from) {
    case GA_FLOAT16:
        *gives = GA_FLOAT32;
        return gk_convert_loop<gk_f16, float>(v2);
    case GA_BFLOAT16:
        *gives = GA_FLOAT32;
        return gk_convert_loop<gk_bf16, float>(v2);
    case GA_COMPLEX64:
        if (to == GA_COMPLEX128) return gk_convert_loop<gk_c64, gk_c128>(v2);
        if (to == GA_BOOL) return gk_convert_loop<gk_c64, bool>(v2);
        *gives = GA_FLOAT32;
        return gk_convert_loop<gk_c64, float>(v2);
    case GA_COMPLEX128:
        if (to == GA_COMPLEX64) return gk_convert_loop<gk_c128, gk_c64>(v2);
        if (to == GA_BOOL) return gk_convert_loop<gk_c128, bool>(v2);
        *gives = GA_FLOAT64;
        return gk_convert_loop<gk_c128, double>(v2);
    case GA_FLOAT32:
        if (to == GA_FLOAT16) return gk_convert_loop<float, gk_f16>(v2);
        if (to == GA_BFLOAT16) return gk_convert_loop<float, gk_bf16>(v2);
        if (to == GA_COMPLEX64) return gk_convert_loop<float, gk_c64>(v2);
        break;
    case GA_FLOAT64:
        if (to == GA_COMPLEX128) return gk_convert_loop<double, gk_c128>(v2);
        break;
    case GA_BOOL: from = GA_UINT8; break;
    default: break;
    }
    if (half || to == GA_COMPLEX64) to = *gives = GA_FLOAT32;
    if (to == GA_COMPLEX128) to = *gives = GA_FLOAT64;
    switch (from) {
#define GA__X(t, S) case t:                                                  \
        if constexpr (sizeof(S) >= 4 && !std::is_same<S, float>::value)      \
            if (half) return gk_convert_loop<S, float, true>(v2);              \
        return gk_convert_real<S>(to, v2);
    GK_REALS(GA__X)
#undef GA__X
    default: return NULL;
    }
}
/* n elements of type `from` to type `to`; by way of others a few at a time. */
static void gk_convert(const void *src, ga_dtype from, void *dst, ga_dtype to,
                       int n) {
    const int few = GK_BLOCK / 2;
    alignas(64) double room[2][few];
    ga_dtype gives;
    gk_convert_first(from, to, &gives);
    const int most = gives == to ? n : few;
    for (int at = 0, m; at < n; at += m) {
        m = n - at < most ? n - at : most;
        const char *x[3] = {(const char *)src + at * gk_size[from], NULL, NULL};
        char *end = (char *)dst + at * gk_size[to];
        ga_dtype now = from;
        for (int k = 0; now != to; k = !k) {
            gk_loop_fn loop = gk_convert_first(now, to, &gives);
            char *r = gives == to ? end : (char *)room[k];
            if (loop)
                gk_steps(loop, 0, GK_CONVERT_STEP, m, 1, x, gk_size[now], r,
                         gk_size[gives], NULL);
            else
                memmove(r, x[0], (size_t)m * gk_size[to]);
            x[0] = r;
            now = gives;
        }
    }
}

gk_loop_fn gk_widener(ga_dtype from, ga_dtype to) {
    ga_dtype gives;
    return from == to ? NULL : gk_convert_first(from, to, &gives);
}
void gk_gather(gk_loop_fn widen, const void *src, ga_dtype from,
               int64_t stride, void *dst, ga_dtype to, int n) noexcept {
    alignas(64) char raw[GK_BLOCK * 2];
    const size_t size = gk_size[from];
    if (stride != 1 || !widen) {
        void *r = widen ? raw : dst;
#define GA__X(b, W) \
        case b: gk_move_of((W *)r, 1, (const W *)src, stride, n); break;
        switch (size) { GK_WIDTHS(GA__X) }
#undef GA__X
        src = r;
    }
    const char *x[3] = {(const char *)src, NULL, NULL};
    if (widen) gk_steps(widen, 0, GK_CONVERT_STEP, n, 1, x, size, (char *)dst,
                        gk_size[to], NULL);
}

/* --- launches ------------------------------------------------------------- */

static gk_loop_fn gk_loops(ga_dtype t, bool truth, bool heavy) {
#define GA__X(N, s, b, k) case GA_##N: return gk_loops_##N(truth, heavy);
    switch (t) { GA_DTYPES(GA__X) default: return NULL; }
#undef GA__X
}
struct gk_row_plan {                /* a row's loop and what it writes      */
    gk_loop_fn loop;
    int step;
    ga_dtype made;
};
/* What is not one contiguous run of the computing type, or a sine: its fast
   form needs a whole block in range.                                        */
GK_OUT static void gk_cpu_blocks(const ga__ew *e, const gk_row_plan *row,
                                 int64_t from, int64_t to) {
    const ga_dtype self = e->compute, made = row->made;
    const size_t size = gk_size[self];
    const bool copy = e->op == GA__OP_copy, rows = gk_by_rows(e);
    const bool out_flat = gk_flat(e, rows, &e->out);
    const bool direct = out_flat && e->out.dtype == made;
    bool flat[3] = {false, false, false};
    const char *x[3] = {NULL, NULL, NULL};
    alignas(64) char room[GK_ROOM];
    /* bytes of an element: in buffers, and gathered or not yet scattered   */
    size_t each = direct ? 0 : gk_size[made];
    size_t wide = out_flat || e->out.dtype == made ? 0 : gk_size[e->out.dtype];
    for (int k = 0; k < e->nin; k++) {
        const ga__operand_view *v = &e->in[k];
        flat[k] = v->data && gk_flat(e, rows, v);
        if (!flat[k] || v->dtype != self) each += size;
        if (v->data && !flat[k] && v->dtype != self
            && wide < gk_size[v->dtype]) wide = gk_size[v->dtype];
    }
    const bool whole = (each + wide) * GK_BLOCK <= GK_ROOM;
    const int block = whole ? GK_BLOCK : (int)(GK_ROOM / (each + wide)) & ~63;
    char *b[4], *raw = room;
    for (int k = 0; k < 4; k++) {
        b[k] = raw;
        if (k < e->nin ? !flat[k] || e->in[k].dtype != self : k == 3 && !direct)
            raw += (size_t)block * (k < 3 ? size : gk_size[made]);
        if (k >= e->nin || e->in[k].data) continue;
        gk_fill(b[k], e->in[k].value.b,
                to - from < block ? (int)(to - from) : block, size);
        x[k] = b[k];
    }
    int64_t index[GA_MAX_NDIM];
    gk_index(e, from, index);
    for (int n; from < to; from += n, gk_next(e, index, n)) {
        n = to - from < block ? (int)(to - from) : block;
        const int64_t left = e->shape[e->ndim - 1] - index[e->ndim - 1];
        if (rows && n > left) n = (int)left;
        char *out = out_flat ? gk_at(e, &e->out, index) : NULL;
        char *r = direct ? out : b[3];
        for (int k = 0; k < e->nin; k++) {
            const ga__operand_view *v = &e->in[k];
            if (!v->data) continue;
            const bool same = v->dtype == self;
            char *in = copy && direct && same ? r : b[k];
            x[k] = flat[k] ? gk_at(e, v, index) : same ? in : raw;
            if (!flat[k]) gk_rows(e, v, index, n, (void *)x[k], false);
            if (!same) {
                gk_convert(x[k], v->dtype, in, self, n);
                x[k] = in;
            }
        }
        if (!copy)
            gk_steps(row->loop, e->op, row->step, n, e->nin, x, size, r,
                     gk_size[made], e->param);
        else if (!direct) r = (char *)x[0];
        else if (r != x[0]) memcpy(r, x[0], (size_t)n * size);
        if (direct) continue;
        if (e->out.dtype != made) {
            gk_convert(r, made, out_flat ? out : raw, e->out.dtype, n);
            r = raw;
        }
        if (!out_flat) gk_rows(e, &e->out, index, n, r, true);
    }
}
void gk_cpu_run(const ga__ew *e, int64_t from, int64_t to) noexcept {
    const ga_dtype self = e->compute;
    const size_t size = gk_size[self];
    const bool truth = gk_is_truth(e->op);
    const bool heavy = gk_is_heavy(e->op, self >= GA_COMPLEX64);
    const gk_row_plan row = {
        gk_loops(self, truth, heavy),
        gk_step(e->op, gk_kinds[self], (int)size, truth, heavy),
        truth ? GA_BOOL : self};
    bool plain = e->ndim == 1 && e->out.stride[0] == 1
                 && e->out.dtype == row.made && e->op != GA__OP_copy
                 && e->op != GA__OP_sin && e->op != GA__OP_cos
                 && e->op != GA__OP_tan;
    const char *x[3] = {NULL, NULL, NULL};
    for (int k = 0; plain && k < e->nin; k++) {
        const ga__operand_view *v = &e->in[k];
        plain = v->data && v->stride[0] == 1 && v->dtype == self;
        if (plain) x[k] = (const char *)v->data + from * (int64_t)size;
    }
    if (!plain) return gk_cpu_blocks(e, &row, from, to);
    const size_t wide = gk_size[row.made];
    gk_steps(row.loop, e->op, row.step, (int)(to - from), e->nin, x, size,
             (char *)e->out.data + from * (int64_t)wide, wide, e->param);
}

#ifdef _OPENMP
#include <omp.h>
#endif
extern "C" int gk_cpu_threads(void) {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}
extern "C" void gk_cpu_limit(int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
    (void)threads;
}
extern "C" void gk_cpu_share(void (*f)(void *, int64_t, int64_t, int),
                             void *data, int64_t n, int shares) {
    /* C's functions throw nothing: said so, no C++ runtime is asked for    */
    auto g = (void (*)(void *, int64_t, int64_t, int) noexcept)f;
    if (shares == 1) return g(data, 0, n, 0);       /* a region costs 0.3 us */
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1)
#endif
    for (int i = 0; i < shares; i++)
        g(data, n * i / shares, n * (i + 1) / shares, i);
}

/* A transposed copy in tiles that stay in the cache. */
template<class W> static void gk_cpu_tile(const ga__ew *e, int u) {
    const ga__operand_view *in = &e->in[0], *out = &e->out;
    int last = e->ndim - 1;
    int64_t ni = e->shape[u], nj = e->shape[last], planes = e->n / ni / nj;
    int64_t tiles = (ni + 31) / 32;
#ifdef _OPENMP
#pragma omp parallel for if (e->n > 32768)
#endif
    for (int64_t t = 0; t < planes * tiles; t++) {
        int64_t z = t / tiles, i0 = t % tiles * 32;
        const W *src = (const W *)in->data;
        W *dst = (W *)out->data;
        for (int d = last - 1; d >= 0; d--) {
            if (d == u) continue;
            int64_t c = z % e->shape[d];
            z /= e->shape[d];
            src += c * in->stride[d];
            dst += c * out->stride[d];
        }
        int64_t i1 = i0 + 32 < ni ? i0 + 32 : ni;
        for (int64_t j0 = 0; j0 < nj; j0 += 32) {
            int64_t j1 = j0 + 32 < nj ? j0 + 32 : nj;
            for (int64_t i = i0; i < i1; i++)
                for (int64_t j = j0; j < j1; j++)
                    dst[i * out->stride[u] + j] = src[i + j * in->stride[last]];
        }
    }
}
static bool gk_cpu_try_tile(const ga__ew *e) {
    int last = e->ndim - 1, u = -1;
    if (e->op != GA__OP_copy || !e->in[0].data
        || e->in[0].dtype != e->out.dtype || last < 1
        || e->out.stride[last] != 1 || e->in[0].stride[last] == 1)
        return false;
    for (int d = 0; d < last; d++)
        if (e->in[0].stride[d] == 1 && e->shape[d] >= 8) u = d;
    if (u < 0 || e->shape[last] < 8) return false;
    switch (gk_size[e->out.dtype]) {
    case 1: gk_cpu_tile<uint8_t>(e, u); break;
    case 2: gk_cpu_tile<uint16_t>(e, u); break;
    case 4: gk_cpu_tile<uint32_t>(e, u); break;
    case 8: gk_cpu_tile<uint64_t>(e, u); break;
    default: gk_cpu_tile<gk_c128>(e, u); break;
    }
    return true;
}

extern "C" void gk_cpu_elementwise(const ga__ew *e) {
    if (gk_cpu_try_tile(e)) return;
    /* 64 blocks a task; below four the threads' start is not worth it, nor the
       team of one that an `if` in the pragma makes: 0.4 us of 0.7           */
    const int64_t piece = 64 * GK_BLOCK, tasks = (e->n + piece - 1) / piece;
    if (tasks < 4) {
        gk_cpu_run(e, 0, e->n);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (int64_t t = 0; t < tasks; t++)
        gk_cpu_run(e, t * piece, t == tasks - 1 ? e->n : (t + 1) * piece);
}
#endif

/* ================================================================== >>small */
#if GK_PART_IS(solve)
template<class S>
GK_FN S gk_range_at(int64_t i, bool integer, int64_t i0, int64_t di,
                    double f0, double df) {
    if (integer)
        return gk_cast<S>((int64_t)((uint64_t)i0 + (uint64_t)i * (uint64_t)di));
#if GK_DEVICE                       /* NumPy multiplies, rounds, then adds  */
    return gk_cast<S>(__dadd_rn(f0, __dmul_rn((double)i, df)));
#else
    double step = (double)i * df;
    return gk_cast<S>(f0 + step);
#endif
}
extern "C" void gk_cpu_range(const ga__steps *q) {
#define GA__X(t, S)                                                          \
    case t:                                                                  \
        for (int64_t i = 0; i < q->n; i++)                                   \
            ((S *)q->out)[i] = gk_range_at<S>(i, q->integer, q->i0, q->di,   \
                                              q->f0, q->df);                 \
        break;
    switch (q->t) { GK_TYPES(GA__X) default: break; }
#undef GA__X
}
extern "C" int gk_version(void) { return GA_VERSION; }

/* Scratch of jobs whose rooms are compiled apart for each kind of device. */
extern "C" size_t gk_cpu_eval_work(const ga__eval *e);
#ifndef GPUARR_NO_CUDA
extern "C" size_t gk_cuda_eval_work(const ga__eval *e, int mps);
extern "C" size_t gk_cuda_gemm_work(const ga__gemm *g, int mps);
#endif
extern "C" size_t gk_eval_work(const ga__eval *e, int mps) {
#ifndef GPUARR_NO_CUDA
    if (mps) return gk_cuda_eval_work(e, mps);
#endif
    return mps ? 0 : gk_cpu_eval_work(e);
}
extern "C" size_t gk_gemm_work(const ga__gemm *g, int mps) {
#ifndef GPUARR_NO_CUDA
    if (mps) return gk_cuda_gemm_work(g, mps);
#endif
    (void)g, (void)mps;
    return 0;
}

#ifndef GPUARR_NO_CUDA
template<class S>
__global__ void gk_range(S *out, int64_t n, bool integer, int64_t i0,
                         int64_t di, double f0, double df) {
    int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = gk_range_at<S>(i, integer, i0, di, f0, df);
}
extern "C" int gk_cuda_range(const ga__steps *q, void *stream, int) {
    unsigned blocks = (unsigned)((q->n + 255) / 256);
#define GA__X(t, S)                                                          \
    case t:                                                                  \
        gk_range<S><<<blocks, 256, 0, (cudaStream_t)stream>>>(               \
            (S *)q->out, q->n, q->integer, q->i0, q->di, q->f0, q->df);      \
        break;
    switch (q->t) { GK_TYPES(GA__X) default: break; }
#undef GA__X
    return (int)cudaGetLastError();
}

/* The flag follows the bytes: the host spins on it instead of waiting for
   the driver, which halves the latency of one value.                       */
__global__ void gk_fetch(const unsigned char *src, int bytes,
                         unsigned char *slot, volatile uint32_t *flag,
                         uint32_t ticket) {
    for (int i = 0; i < bytes; i++) slot[i] = src[i];
    __threadfence_system();
    *flag = ticket;
}
extern "C" int gk_cuda_fetch(const void *src, int bytes, void *slot,
                             uint32_t *flag, uint32_t ticket, void *stream) {
    gk_fetch<<<1, 1, 0, (cudaStream_t)stream>>>((const unsigned char *)src,
                                                bytes, (unsigned char *)slot,
                                                flag, ticket);
    return (int)cudaGetLastError();
}
extern "C" int gk_cuda_probe(void) {
    cudaFuncAttributes a;
    return (int)cudaFuncGetAttributes(&a, gk_fetch);
}
#endif
#endif

/* ================================================================ >>reduce
   Every reduction of GA_REDUCTIONS, as five families that share their code:
     add    sum, prod, mean      64-bit integers; double; float64 sums
                                 compensated by two-sum
     ext    max, min, ptp        the native type; min is max of the
                                 complement (integers) or the negative
     arg    argmax, argmin       value and index; ties go to the lower index
     var    var, std             sums s and q of d and d*d, d = x - K, K an
                                 element: no division per element or merge.
                                 q - s*s/n cancels little; where the result
                                 is a double K moves to the mean as soon as
                                 a bit would go, elsewhere the worst loss is
                                 log2(n) of the 29 bits that it has to spare
     count  count_nonzero, all, any
   A family works on a class of element types: signed and unsigned integers
   of one width are one class, told apart by a mask that is xor-ed in.

   Four kernels a family and class. Bytes moved: the input once, and partial
   results of at most 4 MB.
     row  reduced axis fastest: 2^k threads per output, 16-byte loads, four in
          flight a thread; where outputs are few, several blocks per output
     small  the same for many rows of at most 64 whole vectors: two or four
          rows a thread
     tile  the same for rows of up to 1 KB, one after the other in memory, that
          are no whole vectors or an odd number of them: through shared
          memory (10 columns of float32: 3030 GB/s for row's 590)
     col  kept axis fastest: a thread owns up to 4 neighbouring outputs, warps
          run along them, blocks split the reduced axis into slabs
   Blocks that share outputs leave partials in `work`; the last one to finish,
   known by a counter that it resets, combines them. Every order is fixed by
   shape, strides, alignment and device: results repeat bit for bit.         */

enum gk_rkind { GK_RADD, GK_REXT, GK_RARG, GK_RVAR, GK_RCOUNT };
enum gk_rfinish { GK_VALUE, GK_MEAN, GK_ROOT, GK_RANGE };
enum gk_rnans { GK_KEEP, GK_SKIP };

/* The rows' columns. What a family cannot combine does not compile; other
   folds of ADD than sums and products are of real numbers, in double.       */
struct gk_red { unsigned char kind, combine, finish, nans; double start; };
static const gk_red gk_reds[GA__NUM_REDS] = {
#define GA__X(n, t, r, family, combine, start, finish, nans) \
    {GK_R##family, GA__OP_##combine, GK_##finish, GK_##nans, start},
    GA_REDUCTIONS(GA__X) GA_REDUCTIONS_DDOF(GA__X)
#undef GA__X
};
GK_HD constexpr bool gk_rother(int kind, int combine) {
    return kind == GK_RADD && combine != GA__OP_add
           && combine != GA__OP_multiply;
}
constexpr bool gk_rpossible(int types, int kind, int combine, int finish) {
    if (finish == (kind == GK_RVAR ? GK_ROOT : kind == GK_RADD ? GK_MEAN
                   : kind == GK_REXT ? GK_RANGE : GK_VALUE))
        finish = GK_VALUE;
    return finish == GK_VALUE
           && (kind == GK_RADD ? !gk_rother(kind, combine)
                                 || (types & (GA__BI | GA__C)) == 0
               : kind == GK_RVAR ? combine == GA__OP_add
               : kind == GK_RCOUNT ? combine == GA__OP_add
                                     || combine == GA__OP_logical_and
                                     || combine == GA__OP_logical_or
               : combine == GA__OP_maximum || combine == GA__OP_minimum);
}
#define GA__X(n, t, r, family, combine, start, finish, ...)                  \
    static_assert(gk_rpossible(t, GK_R##family, GA__OP_##combine,            \
                               GK_##finish), #n ": not of this family");
GA_REDUCTIONS(GA__X) GA_REDUCTIONS_DDOF(GA__X)
#undef GA__X
constexpr bool gk_rothers = false
#define GA__X(n, t, r, family, combine, ...) \
    || gk_rother(GK_R##family, GA__OP_##combine)
    GA_REDUCTIONS(GA__X);
#undef GA__X
GK_INL double gk_rfold(int combine, double a, double b) {
#define GA__X(n, t, r, family, c, ...)                                       \
    if constexpr (gk_rother(GK_R##family, GA__OP_##c))                       \
        if (combine == GA__OP_##c) return gk_##c(a, b);
    GA_REDUCTIONS(GA__X)
#undef GA__X
    return a;
}

struct gk_raxes {                   /* lengths, strides of the input      */
    int64_t n[GA_MAX_NDIM], t[GA_MAX_NDIM];
    double inverse[GA_MAX_NDIM];
};
struct gk_rp {                      /* a reduction, planned                 */
    const char *in;
    char *out, *work;
    unsigned *counters;
    int64_t nout, nred, o0;         /* o0: of the first output              */
    int nkeep, nreduce;             /* at least 1 each; last axis fastest   */
    int64_t bias;                   /* of integers whose top bit is flipped */
    uint64_t mask;                  /* xor-ed (count: and-ed), repeated     */
    double ddof, start;
    float sign;                     /* -1: minimum of floats                */
    int combine, finish, in_type, out_type, kind, size;
    bool prod, other, skip, bf16, uns, vec, col, small, tile, second;
    int split, lg, ll, lx;          /* blocks per output; log2 of threads   */
                                    /* per output, per run, along columns   */
    int64_t run, runs, nseg, seg, items;           /* row                   */
    int64_t cv, nq, tiles, slab;                   /* col                   */
    double iseg, icv, itiles;                      /* 1 / nseg, cv, tiles   */
    gk_raxes keep, red;
    int64_t ko[GA_MAX_NDIM];        /* kept axes' strides in the output     */
};

/* --- element classes: memory (raw) to arithmetic (val) ------------------- */

template<int B> struct gk_uint;
template<> struct gk_uint<1> { typedef uint8_t u; typedef int8_t i; };
template<> struct gk_uint<2> { typedef uint16_t u; typedef int16_t i; };
template<> struct gk_uint<4> { typedef uint32_t u; typedef int32_t i; };
template<> struct gk_uint<8> { typedef uint64_t u; typedef int64_t i; };

template<int B> struct gk_ew {      /* integers of B bytes                  */
    typedef typename gk_uint<B>::u raw;
    typedef typename gk_uint<B>::i sint;
    typedef typename std::conditional<B == 8, int64_t, int32_t>::type val;
    static constexpr bool mixes = true;
    GK_INL raw mix(raw r, const gk_rp &p) { return (raw)(r ^ (raw)p.mask); }
    GK_INL uint32_t mix32(uint32_t w, uint32_t m) { return w ^ m; }
    GK_INL val get(raw r, const gk_rp &) { return (val)(sint)r; }
};
template<int B> struct gk_em {      /* the same, tested for zero            */
    typedef typename gk_uint<B>::u raw, val;
    static constexpr bool mixes = true;
    GK_INL raw mix(raw r, const gk_rp &p) { return (raw)(r & (raw)p.mask); }
    GK_INL uint32_t mix32(uint32_t w, uint32_t m) { return w & m; }
    GK_INL val get(raw r, const gk_rp &) { return r; }
};
template<class T> struct gk_ef {    /* float, double, complex               */
    typedef T raw, val;
    static constexpr bool mixes = false;
    GK_INL raw mix(raw r, const gk_rp &) { return r; }
    GK_INL val get(raw r, const gk_rp &) { return r; }
};
struct gk_eh {                      /* float16 and bfloat16                 */
    typedef uint16_t raw;
    typedef float val;
    static constexpr bool mixes = false;
    GK_INL raw mix(raw r, const gk_rp &) { return r; }
    GK_INL val get(raw r, const gk_rp &p) {
        return p.bf16 ? gk_bits<float>((uint32_t)r << 16)
                      : gk_from_f16(gk_f16{r});
    }
};

/* --- helpers of the families ---------------------------------------------- */

template<class T> GK_INL bool gk_rnan(T x) {
    if constexpr (gk_int<T>) return false;
    else return gk_isnan(x);
}
template<class T> GK_INL T gk_rsigned(T x, float s) {
    if constexpr (gk_int<T>) return x;
    else if constexpr (gk_is_complex<T>::value)
        return T{x.re * (typename gk_part_of<T>::type)s,
                 x.im * (typename gk_part_of<T>::type)s};
    else return x * (T)s;
}
/* x replaces v as the maximum. A NaN does unless v is one already; where NaN
   is skipped it never does, and v starts as NaN.                           */
template<bool SKIP, class T> GK_INL bool gk_rbetter(T x, T v) {
    if constexpr (gk_int<T>) return x > v;
    else return !gk_less_equal(x, v) && !gk_rnan(SKIP ? x : v);
}
#if GK_DEVICE && __CUDA_ARCH__ >= 800
GK_INL float gk_rmaxnan(float x, float v) {
    float m;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(x), "f"(v));
    return m;
}
#endif
template<class T> GK_INL T gk_rlowest(bool skip) {
    if constexpr (gk_int<T>) {
        return gk_limits<T>::min;
    } else {
        typedef typename gk_part_of<T>::type R;
        R v = skip ? gk_fpk<R>::nan : -gk_fpk<R>::inf;
        if constexpr (gk_is_complex<T>::value) return T{v, v};
        else return v;
    }
}
/* Components as doubles: one for a real number, two for a complex one. */
template<class T> constexpr int gk_ncomp = gk_is_complex<T>::value ? 2 : 1;
template<class T> GK_INL double gk_comp(T x, int c, const gk_rp &p) {
    if constexpr (gk_is_complex<T>::value) return c ? x.im : x.re;
    else if constexpr (sizeof(T) == 8 && gk_int<T>)
        return p.uns ? (double)(uint64_t)x : (double)x;
    else return (double)x;
}
GK_INL bool gk_rfinite(double x) { return gk_m_fabs(x) < gk_fpk<double>::inf; }

/* A result to the output; of the types that class E can lead to. */
template<class E> GK_INL void gk_rput(const gk_rp &p, int64_t o,
                                      const double *v, int n) {
    typedef typename E::val V;
    constexpr bool cpu = !GK_DEVICE;
    constexpr bool c = gk_is_complex<V>::value;
    constexpr bool f = std::is_same<typename gk_part_of<V>::type, float>::value;
    constexpr bool h = sizeof(typename E::raw) == 2;
    if constexpr (f && (cpu || h))
        switch (p.out_type) {
        case GA_FLOAT16: ((gk_f16 *)p.out)[o] = gk_cast<gk_f16>(v[0]); return;
        case GA_BFLOAT16:
            ((gk_bf16 *)p.out)[o] = gk_cast<gk_bf16>(v[0]);
            return;
        default: break;
        }
    if constexpr (c && f) {
        if (n == 2)
            ((gk_c64 *)p.out)[o] = gk_c64{(float)v[0], (float)v[1]};
        else ((float *)p.out)[o] = (float)v[0];
    } else if constexpr (c) {
        if (n == 2) ((gk_c128 *)p.out)[o] = gk_c128{v[0], v[1]};
        else ((double *)p.out)[o] = v[0];
    } else if constexpr (f) {
        if (cpu || !h) ((float *)p.out)[o] = (float)v[0];
    } else {
        ((double *)p.out)[o] = v[0];
    }
}

/* --- the families ---------------------------------------------------------
   A            the state of one output in one thread
   one<M>       takes one element in; M: 1 the flag `flag()` is set
   add<N, G>    takes N elements in: groups of G with indices i, i + step,
                ..., the next group's `jump` further
   merge        a, then b
   lanes<W>     W states side by side, for the CPU's vector loops            */

template<class E, bool PAIR> struct gk_fadd {
    typedef E elem;
    typedef typename E::val V;
    static constexpr int NC = gk_ncomp<V>;
    static constexpr int kind = GK_RADD;
    static constexpr bool pivots = false;
    /* sums, their errors if PAIR, and how many NaN were skipped */
    static constexpr int NE = PAIR ? NC : 0;
    struct A { double s[NC], c[NE + 1]; };
    GK_INL int mode(const gk_rp &p) {
        return p.prod | p.skip << 1 | (gk_rothers && p.other) << 2;
    }
    GK_INL A init(const gk_rp &p) {
        A a;
        for (int c = 0; c < NC; c++) a.s[c] = c == 0 ? p.start : 0;
        for (int c = 0; c <= NE; c++) a.c[c] = 0;
        return a;
    }
    GK_INL void times(A &a, const double *x) {
        if constexpr (NC == 2) {
            double re = a.s[0] * x[0] - a.s[1] * x[1];
            a.s[1] = a.s[0] * x[1] + a.s[1] * x[0];
            a.s[0] = re;
        } else {
            a.s[0] *= x[0];
        }
    }
    template<int M> GK_INL void one(A &a, V v, const gk_rp &p, int64_t) {
        double x[NC];
        bool drop = (M & 2) && gk_rnan(v);
        for (int c = 0; c < NC; c++) {
            x[c] = gk_comp(v, c, p);
            if (M & 2) x[c] = drop ? (double)((M & 1) && c == 0) : x[c];
        }
        if (M & 2) a.c[NE] += drop ? 1.0 : 0.0;
        if constexpr ((M & 4) != 0) {
            if (!drop) a.s[0] = gk_rfold(p.combine, a.s[0], x[0]);
        } else if constexpr ((M & 1) != 0) {
            times(a, x);
        } else {
            for (int c = 0; c < NC; c++) {
                if constexpr (PAIR) {
                    double t = a.s[c] + x[c], z = t - a.s[c];
                    a.c[c] += (a.s[c] - (t - z)) + (x[c] - z);
                    a.s[c] = t;
                } else {
                    a.s[c] += x[c];
                }
            }
        }
    }
    template<int N, int> GK_INL void add(A &a, V *x, const gk_rp &p, int64_t i,
                                         int64_t, int64_t) {
        if (p.skip)
            for (int k = 0; k < N; k++)
                if (gk_rnan(x[k])) {
                    x[k] = gk_cast<V>((float)p.start);
                    a.c[NE] += 1;
                }
        if constexpr (gk_rothers)
            if (p.other) {
                for (int k = 0; k < N; k++) one<4>(a, x[k], p, i);
                return;
            }
        if (p.prod) {
            for (int k = 0; k < N; k++) one<1>(a, x[k], p, i);
        } else if constexpr (PAIR || N < 4) {
            for (int k = 0; k < N; k++) one<0>(a, x[k], p, i);
        } else {                    /* four chains hide the latency         */
            for (int c = 0; c < NC; c++) {
                double t[4];
                for (int k = 0; k < 4; k++) t[k] = gk_comp(x[k], c, p);
                for (int k = 4; k < N; k++) t[k & 3] += gk_comp(x[k], c, p);
                a.s[c] += (t[0] + t[1]) + (t[2] + t[3]);
            }
        }
    }
    GK_INL void merge(A &a, const A &b, const gk_rp &p) {
        a.c[NE] += b.c[NE];
        if (p.prod) {
            times(a, b.s);
            return;
        }
        if constexpr (gk_rothers)
            if (p.other) {
                a.s[0] = gk_rfold(p.combine, a.s[0], b.s[0]);
                return;
            }
        for (int c = 0; c < NC; c++) {
            double t = a.s[c] + b.s[c];
            if constexpr (PAIR) {
                double z = t - a.s[c];
                a.c[c] += b.c[c] + ((a.s[c] - (t - z)) + (b.s[c] - z));
            }
            a.s[c] = t;
        }
    }
    GK_INL void finish(const A &a, const gk_rp &p, int64_t o) {
        double v[NC];
        for (int c = 0; c < NC; c++) {
            v[c] = a.s[c];
            if constexpr (PAIR)     /* the error of an inf is no number     */
                if (!p.prod && gk_rfinite(a.s[c])) v[c] += a.c[c];
            if (p.finish == GK_MEAN) v[c] /= (double)p.nred - a.c[NE];
        }
        gk_rput<E>(p, o, v, NC);
    }
    template<int W> struct lanes {
        double s[NC][W], c[NE + 1][W];
        GK_INL void put(lanes &l, int j, const A &a, int m) {
            for (int c = 0; c < NC; c++) l.s[c][j] = a.s[c];
            if constexpr (PAIR)
                if (!(m & 1))
                    for (int c = 0; c < NC; c++) l.c[c][j] = a.c[c];
            if (m & 2) l.c[NE][j] = a.c[NE];
        }
        GK_INL A get(const lanes &l, int j, int m) {
            A a;
            for (int c = 0; c < NC; c++) a.s[c] = l.s[c][j];
            for (int c = 0; c < NE; c++) a.c[c] = m & 1 ? 0 : l.c[c][j];
            a.c[NE] = m & 2 ? l.c[NE][j] : 0;
            return a;
        }
    };
};

template<class E> struct gk_fint {  /* sums and products modulo 2^64        */
    typedef E elem;
    typedef typename E::val V;
    static constexpr int kind = GK_RADD;
    static constexpr bool pivots = false;
    struct A { uint64_t s; };
    GK_INL int mode(const gk_rp &p) { return p.prod; }
    GK_INL A init(const gk_rp &p) { return A{(uint64_t)p.prod}; }
    template<int M> GK_INL void one(A &a, V x, const gk_rp &p, int64_t) {
        if (M & 1) a.s *= (uint64_t)((int64_t)x + p.bias);
        else a.s += (uint64_t)(int64_t)x;
    }
    template<int N, int> GK_INL void add(A &a, V *x, const gk_rp &p, int64_t i,
                                         int64_t, int64_t) {
        if (p.prod) {
            for (int k = 0; k < N; k++) one<1>(a, x[k], p, i);
        } else if constexpr (sizeof(typename E::raw) <= 2) {
            int32_t t = 0;
            for (int k = 0; k < N; k++) t += x[k];
            a.s += (uint64_t)(int64_t)t;
        } else {
            for (int k = 0; k < N; k++) one<0>(a, x[k], p, i);
        }
    }
    GK_INL void merge(A &a, const A &b, const gk_rp &p) {
        if (p.prod) a.s *= b.s;
        else a.s += b.s;
    }
    GK_INL void finish(const A &a, const gk_rp &p, int64_t o) {
        uint64_t s = a.s;
        if (!p.prod) s += (uint64_t)p.nred * (uint64_t)p.bias;
        if (p.out_type == GA_FLOAT64)
            ((double *)p.out)[o] =
                (p.uns ? (double)s : (double)(int64_t)s) / (double)p.nred;
        else
            ((uint64_t *)p.out)[o] = s;
    }
    template<int W> struct lanes {
        uint64_t s[W];
        GK_INL void put(lanes &l, int j, const A &a, int) { l.s[j] = a.s; }
        GK_INL A get(const lanes &l, int j, int) { return A{l.s[j]}; }
    };
};

template<class E> struct gk_fcount {
    typedef E elem;
    typedef typename E::val V;
    static constexpr int kind = GK_RCOUNT;
    static constexpr bool pivots = false;
    struct A { uint64_t n; };
    GK_INL int mode(const gk_rp &) { return 0; }
    GK_INL A init(const gk_rp &) { return A{0}; }
    GK_INL uint32_t hit(V x) {
        if constexpr (gk_is_complex<V>::value) return gk_truth(x);
        else return x != 0;
    }
    template<int M> GK_INL void one(A &a, V x, const gk_rp &, int64_t) {
        a.n += hit(x);
    }
    template<int N, int> GK_INL void add(A &a, V *x, const gk_rp &, int64_t,
                                         int64_t, int64_t) {
        uint32_t t = 0;
        for (int k = 0; k < N; k++) t += hit(x[k]);
        a.n += t;
    }
    GK_INL void merge(A &a, const A &b, const gk_rp &) { a.n += b.n; }
    GK_INL void finish(const A &a, const gk_rp &p, int64_t o) {
        if (p.combine == GA__OP_add) ((uint64_t *)p.out)[o] = a.n;
        else
            ((bool *)p.out)[o] = p.combine == GA__OP_logical_or
                ? a.n != 0 : a.n == (uint64_t)p.nred;
    }
    template<int W> struct lanes {
        uint64_t n[W];
        GK_INL void put(lanes &l, int j, const A &a, int) { l.n[j] = a.n; }
        GK_INL A get(const lanes &l, int j, int) { return A{l.n[j]}; }
    };
};

template<class E> struct gk_fext {
    typedef E elem;
    typedef typename E::val V;
    static constexpr int kind = GK_REXT;
    static constexpr bool pivots = false;
    struct A { V v; };
    GK_INL int mode(const gk_rp &p) { return p.skip; }
    GK_INL A init(const gk_rp &p) { return A{gk_rlowest<V>(p.skip)}; }
    /* Two selects where one would do: compilers turn them into vectors. */
    GK_INL V larger(V x, V v, bool skip) {
        if constexpr (gk_is_complex<V>::value) {
            bool b = skip ? gk_rbetter<true>(x, v) : gk_rbetter<false>(x, v);
            return b ? x : v;
        } else {
#if GK_DEVICE && __CUDA_ARCH__ >= 800
            if constexpr (std::is_same<V, float>::value) {
                if (skip) return fmaxf(x, v);
                return gk_rmaxnan(x, v);
            }
#endif
            V m = x > v ? x : v;
            if constexpr (!gk_int<V>) {
                V n = skip ? v : x;
                m = n != n ? x : m;
            }
            return m;
        }
    }
    template<int M> GK_INL void one(A &a, V x, const gk_rp &p, int64_t) {
        a.v = larger(gk_rsigned(x, p.sign), a.v, M & 1);
    }
    template<int N, int> GK_INL void add(A &a, V *x, const gk_rp &p, int64_t i,
                                         int64_t, int64_t) {
        if (gk_int<V> || !p.skip)
            for (int k = 0; k < N; k++) one<0>(a, x[k], p, i);
        else
            for (int k = 0; k < N; k++) one<1>(a, x[k], p, i);
    }
    GK_INL void merge(A &a, const A &b, const gk_rp &p) {
        a.v = larger(b.v, a.v, p.skip);
    }
    /* The second half of ptp finds the maximum in the output. */
    template<class T> GK_INL void store(T v, const gk_rp &p, int64_t o) {
        T *to = (T *)p.out + o;
        if (p.second) {
            if constexpr (gk_is_complex<T>::value)
                v = T{to->re - v.re, to->im - v.im};
            else if constexpr (std::is_same<T, gk_f16>::value
                               || std::is_same<T, gk_bf16>::value)
                v = gk_cast<T>(gk_cast<float>(*to) - gk_cast<float>(v));
            else
                v = gk_subtract(*to, v);
        }
        *to = v;
    }
    GK_INL void finish(const A &a, const gk_rp &p, int64_t o) {
        V v = gk_rsigned(a.v, p.sign);
        if constexpr (gk_int<V>) {
            uint64_t u = (uint64_t)(int64_t)v ^ p.mask;
            switch (GK_DEVICE ? (int)sizeof(typename E::raw) : p.size) {
            case 1: store((uint8_t)u, p, o); break;
            case 2: store((uint16_t)u, p, o); break;
            case 4: store((uint32_t)u, p, o); break;
            default: store(u, p, o);
            }
        } else if constexpr (std::is_same<V, float>::value) {
            constexpr bool h = !GK_DEVICE || sizeof(typename E::raw) == 2;
            if (h && p.in_type == GA_FLOAT16) store(gk_to_f16(v), p, o);
            else if (h && p.in_type == GA_BFLOAT16) store(gk_to_bf16(v), p, o);
            else store(v, p, o);
        } else {
            store(v, p, o);
        }
    }
    template<int W> struct lanes {
        V v[W];
        GK_INL void put(lanes &l, int j, const A &a, int) { l.v[j] = a.v; }
        GK_INL A get(const lanes &l, int j, int) { return A{l.v[j]}; }
    };
};

template<class E> struct gk_farg {
    typedef E elem;
    typedef typename E::val V;
    static constexpr int kind = GK_RARG;
    static constexpr bool pivots = false;
    template<class I> struct state { V v; I i; };   /* i < 0: none yet      */
    typedef state<int64_t> A;
    GK_INL int mode(const gk_rp &p) { return p.skip; }
    GK_INL A init(const gk_rp &p) { return A{gk_rlowest<V>(p.skip), -1}; }
    template<int M, class I> GK_INL void one(state<I> &a, V x, const gk_rp &p,
                                             int64_t i) {
        x = gk_rsigned(x, p.sign);
        I b;                        /* a mask, which compilers vectorise    */
        if constexpr (gk_fp<V>) {
            V v = a.v, w = M & 1 ? x : v, u = M & 1 ? v : x;
            b = (x > v ? -1 : 0) | ((u != u ? -1 : 0) & (w == w ? -1 : 0));
        } else {
            b = gk_rbetter<M & 1>(x, a.v) ? -1 : 0;
        }
        if (!(M & 1)) b |= a.i >> (sizeof(I) * 8 - 1);
        a.v = b ? x : a.v;
        a.i = b ? (I)i : a.i;
    }
    template<bool SKIP, int N> GK_INL void batch(A &a, V *x,
                                                 const gk_rp &p, int64_t i,
                                                 int64_t step) {
        bool any = !SKIP && a.i < 0;
        int at = 0;
#if GK_DEVICE && __CUDA_ARCH__ >= 800
        /* As bits the maximum changes where it grows or becomes NaN; the 0
           that is added makes -0 the same as 0.                            */
        if constexpr (!SKIP && std::is_same<V, float>::value) {
            const uint32_t was = gk_bits<uint32_t>(a.v);
            for (int k = 0; k < N; k++) {
                float m = gk_rmaxnan(fmaf(x[k], p.sign, 0.0f), a.v);
                at = gk_bits<uint32_t>(m) != gk_bits<uint32_t>(a.v) ? k : at;
                a.v = m;
            }
            if (any || gk_bits<uint32_t>(a.v) != was) a.i = i + at * step;
        } else
#endif
        {
            for (int k = 0; k < N; k++) {
                V y = gk_rsigned(x[k], p.sign);
                bool b = gk_rbetter<SKIP>(y, a.v);
                a.v = b ? y : a.v;
                at = b ? k : at;
                any |= b;
            }
            if (any) a.i = i + at * step;
        }
    }
    template<int N, int G> GK_INL void add(A &a, V *x, const gk_rp &p,
                                           int64_t i, int64_t step,
                                           int64_t jump) {
        for (int k = 0; k < N; k += G, i += jump) {
            if (gk_int<V> || !p.skip) batch<false, G>(a, x + k, p, i, step);
            else batch<true, G>(a, x + k, p, i, step);
        }
    }
    GK_INL void merge(A &a, const A &b, const gk_rp &p) {
        bool up = p.skip ? gk_rbetter<true>(b.v, a.v)
                         : gk_rbetter<false>(b.v, a.v);
        bool down = p.skip ? gk_rbetter<true>(a.v, b.v)
                           : gk_rbetter<false>(a.v, b.v);
        if (b.i >= 0 && (a.i < 0 || up || (!down && b.i < a.i))) a = b;
    }
    GK_INL void finish(const A &a, const gk_rp &p, int64_t o) {
        ((int64_t *)p.out)[o] = a.i;
    }
    template<int W> struct lanes {
        typedef typename std::conditional<sizeof(V) == 4, int32_t,
                                          int64_t>::type I;
        V v[W];
        I i[W];
        template<class J> GK_INL void put(lanes &l, int j, const state<J> &a,
                                          int) {
            l.v[j] = a.v;
            l.i[j] = (I)a.i;
        }
        GK_INL state<I> get(const lanes &l, int j, int) {
            return state<I>{l.v[j], l.i[j]};
        }
    };
};

template<class E> struct gk_fvar {
    typedef E elem;
    typedef typename E::val V;
    static constexpr int NC = gk_ncomp<V>;
    static constexpr int kind = GK_RVAR;
    static constexpr bool pivots = true;
    /* Sums of x-K and |x-K|^2 over n elements. */
    struct A { double k[NC], s[NC], q, n; };
    static constexpr bool exact = gk_int<V> || sizeof(V) / NC == 8;
    GK_INL int mode(const gk_rp &p) { return p.skip ? 1 : 2; }
    GK_INL A init(const gk_rp &) {
        A a;
        for (int c = 0; c < NC; c++) a.k[c] = a.s[c] = 0;
        a.q = a.n = 0;
        return a;
    }
    /* An inf or NaN as the pivot is no loss: the result is NaN anyway. */
    GK_INL void start(A &a, V x, const gk_rp &p) {
        for (int c = 0; c < NC; c++) a.k[c] = gk_comp(x, c, p);
    }
    template<int M> GK_INL void one(A &a, V v, const gk_rp &p, int64_t) {
        bool drop = (M & 1) && gk_rnan(v), first = a.n == 0;
        for (int c = 0; c < NC; c++) {
            double x = gk_comp(v, c, p);
            if (M & 1) a.k[c] = first && !drop ? x : a.k[c];
            double d = x - a.k[c];
            if (M & 1) d = drop ? 0 : d;
            a.s[c] += d;
            a.q += d * d;
        }
        if (M) a.n += drop ? 0.0 : 1.0;
    }
    /* Moves K to the mean; any K serves, so that need not be exact. */
    GK_INL void pivot(A &a) {
        double r = (double)(1.0f / (float)a.n);
        for (int c = 0; c < NC; c++) {
            double d = a.s[c] * r, k = a.k[c] + d;
            d = k - a.k[c];
            double t = a.s[c] - a.n * d;
            bool ok = gk_rfinite(t);
            a.q -= ok ? d * (a.s[c] + t) : 0;
            a.s[c] = ok ? t : a.s[c];
            a.k[c] = ok ? k : a.k[c];
        }
    }
    /* A state with a's pivot and no elements. */
    GK_INL A rest(A a) {
        for (int c = 0; c < NC; c++) a.s[c] = 0;
        a.q = a.n = 0;
        return a;
    }
    /* The same where q is more than twice what is left at the mean. */
    GK_INL void settle(A &a, const gk_rp &p) {
        double t = 0;               /* integers' sums stay exact: see finish */
        if (p.finish == GK_MEAN && gk_m_fabs(a.s[0]) < 0x1p53) return;
        for (int c = 0; c < NC; c++) t += a.s[c] * a.s[c];
        if (t > 0.5 * a.q * a.n) pivot(a);
    }
    template<int N, int> GK_INL void add(A &a, V *x, const gk_rp &p, int64_t i,
                                         int64_t, int64_t) {
        if (!gk_int<V> && p.skip) {
            for (int k = 0; k < N; k++) one<1>(a, x[k], p, i);
        } else {
            if (a.n == 0) start(a, x[0], p);
            double q[2] = {0, 0};   /* two chains hide the latency          */
            for (int c = 0; c < NC; c++) {
                double t[2] = {0, 0};
                for (int k = 0; k < N; k++) {
                    double d = gk_comp(x[k], c, p) - a.k[c];
                    t[k & 1] += d;
                    q[k & 1] += d * d;
                }
                a.s[c] += t[0] + t[1];
            }
            a.q += q[0] + q[1];
            a.n += N;
        }
        if constexpr (exact) settle(a, p);
    }
    GK_INL void merge(A &a, const A &b, const gk_rp &p) {
        if (b.n == 0) return;
        if (a.n == 0) {
            a = b;
            return;
        }
        a.q += b.q;
        for (int c = 0; c < NC; c++) {
            double d = a.k[c] - b.k[c], t = b.s[c] - b.n * d;
            a.q -= d * (b.s[c] + t);
            a.s[c] += t;
        }
        a.n += b.n;
        if constexpr (exact) settle(a, p);
    }
    GK_INL void finish(const A &a, const gk_rp &p, int64_t o) {
        double v, dof = a.n - p.ddof;
        if (p.finish == GK_MEAN) {
            /* of 64-bit integers: K is one of them, so that the sum is exact
               where K n and the sum of differences have 53 bits; else the
               mean is within an ulp of the elements                        */
            double sum = a.k[0] * a.n + a.s[0];
            bool small = gk_m_fabs(a.k[0] * a.n) < 0x1p53
                         && gk_m_fabs(a.s[0]) < 0x1p53;
            v = small ? sum / a.n : a.k[0] + a.s[0] / a.n;
            v += (double)p.bias;
        } else {
            v = a.q;
            for (int c = 0; c < NC; c++)    /* an overflow stays inf        */
                if (v < gk_fpk<double>::inf || !gk_rfinite(a.s[c]))
                    v -= a.s[c] * (a.n > 0 ? a.s[c] / a.n : 0);
            v = (v < 0 ? 0 : v) / (dof > 0 ? dof : 0);
            if (p.skip && !(dof > 0)) v = gk_fpk<double>::nan;
            if (p.finish == GK_ROOT) v = gk_m_sqrt(v);
        }
        gk_rput<E>(p, o, &v, 1);
    }
    template<int W> struct lanes {
        double k[NC][W], s[NC][W], q[W], n[W];
        GK_INL void put(lanes &l, int j, const A &a, int m) {
            for (int c = 0; c < NC; c++) {
                if (m & 1) l.k[c][j] = a.k[c];
                l.s[c][j] = a.s[c];
            }
            l.q[j] = a.q;
            if (m) l.n[j] = a.n;
        }
        GK_INL A get(const lanes &l, int j, int m) {
            A a;
            for (int c = 0; c < NC; c++) {
                a.k[c] = l.k[c][j];
                a.s[c] = l.s[c][j];
            }
            a.q = l.q[j];
            a.n = m ? l.n[j] : 0;
            return a;
        }
    };
};

/* --- indices ------------------------------------------------------------- */

/* a / b for 0 <= a < 2^51, given 1.0 / b: no call, and half the instructions
   of a division by 32 bits.                                                */
GK_INL int64_t gk_rdiv(int64_t a, int64_t b, double inverse) {
    int64_t q = (int64_t)((double)a * inverse), r = a - q * b;
    return r < 0 ? q - 1 : r >= b ? q + 1 : q;
}
/* Offset of position i over the first n of some axes. */
GK_INL int64_t gk_rat(const gk_raxes &x, const int64_t *stride, int n,
                      int64_t i) {
    int64_t at = 0;
    if (n == 0) return 0;
#if GK_DEVICE
#pragma unroll 1
#endif
    while (--n > 0) {
        int64_t q = gk_rdiv(i, x.n[n], x.inverse[n]);
        at += (i - q * x.n[n]) * stride[n];
        i = q;
    }
    return at + i * stride[0];
}

/* --- planning, both devices ---------------------------------------------- */

static inline int64_t gk_ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}
/* A bound on sizeof(A). */
constexpr int gk_rstate(int kind, bool complex, int size) {
    return kind == GK_RADD ? (size > 8 ? 40 : size == 8 ? 24 : 16)
         : kind == GK_REXT ? (complex ? 16 : 8)
         : kind == GK_RARG ? (complex ? 24 : 16)
         : kind == GK_RVAR ? (complex ? 56 : 40) : 8;
}

static const struct { unsigned char size; char kind; } gk_rtypes[] = {
#define GK_X(N, s, b, k) {b, k},
    GA_DTYPES(GK_X)
#undef GK_X
};

/* The parts of a plan that do not depend on the device. */
static inline void gk_rplan(gk_rp *p, const ga__rd *r) {
    const int size = gk_rtypes[r->in_type].size;
    const char type = gk_rtypes[r->in_type].kind;
    const bool integer = type != 'f' && type != 'c';
    const gk_red row = gk_reds[r->op];
    memset(p, 0, sizeof *p);
    p->out = (char *)r->out;
    p->work = (char *)r->use.work;
    p->counters = r->use.counters;
    p->nout = r->nout;
    p->nred = r->nred;
    p->ddof = r->ddof;
    p->start = row.start;
    p->combine = row.combine;
    p->finish = row.finish;
    p->in_type = r->in_type;
    p->out_type = r->out_type;
    p->size = size;
    p->sign = row.combine == GA__OP_minimum ? -1.0f : 1.0f;
    p->bf16 = r->in_type == GA_BFLOAT16;
    p->uns = type == 'u' || type == 'b';
    p->kind = row.kind;
    if (row.kind == GK_RADD && row.finish == GK_MEAN && integer
        && (size == 8 || r->nred > INT32_MAX)) p->kind = GK_RVAR;
    p->prod = row.combine == GA__OP_multiply;
    p->other = gk_rother(row.kind, row.combine);
    p->skip = row.nans == GK_SKIP && !integer;

    /* Kept axes: strides made positive, the smallest last. */
    int64_t step = 1, at = 0;
    for (int k = r->nkeep; k-- > 0;) {
        int64_t n = r->keep_shape[k], t = r->keep_stride[k], o = step;
        step *= n;
        if (t < 0) {
            at += (n - 1) * t;
            p->o0 += (n - 1) * o;
            t = -t;
            o = -o;
        }
        int i = p->nkeep++;     /* built from the fastest on: sort, reverse */
        while (i > 0 && t != 0
               && (p->keep.t[i - 1] == 0 || p->keep.t[i - 1] > t)) {
            p->keep.n[i] = p->keep.n[i - 1];
            p->keep.t[i] = p->keep.t[i - 1];
            p->ko[i] = p->ko[i - 1];
            i--;
        }
        p->keep.n[i] = n;
        p->keep.t[i] = t;
        p->ko[i] = o;
    }
    for (int i = 0, j = p->nkeep - 1; i < j; i++, j--) {
        int64_t n = p->keep.n[i], t = p->keep.t[i], o = p->ko[i];
        p->keep.n[i] = p->keep.n[j];
        p->keep.t[i] = p->keep.t[j];
        p->ko[i] = p->ko[j];
        p->keep.n[j] = n;
        p->keep.t[j] = t;
        p->ko[j] = o;
    }
    if (p->nkeep == 0) p->nkeep = 1, p->keep.n[0] = 1;
    for (int k = 0; k < r->nreduce; k++) {
        p->red.n[k] = r->red_shape[k];
        p->red.t[k] = r->red_stride[k];
    }
    p->nreduce = r->nreduce;
    if (p->nreduce == 0) p->nreduce = 1, p->red.n[0] = 1;
    p->in = (const char *)r->in + at * size;
    for (int k = 0; k < GA_MAX_NDIM; k++) {
        p->keep.inverse[k] = p->keep.n[k] ? 1.0 / (double)p->keep.n[k] : 0;
        p->red.inverse[k] = p->red.n[k] ? 1.0 / (double)p->red.n[k] : 0;
    }
}

/* The mask and bias of integers held in `size` bytes. */
static inline void gk_rmask(gk_rp *p, int size, bool uns) {
    uint64_t top = (uint64_t)1 << (8 * size - 1), m = 0;
    bool order = p->kind == GK_REXT || p->kind == GK_RARG;
    if (uns && (order || size < 8)) m = top;
    if (uns && !order && size < 8) p->bias = (int64_t)top;
    if (order && p->combine == GA__OP_minimum) m = ~m;
    if (size < 8) m &= 2 * top - 1;
    for (int s = size; s < 8; s *= 2) m |= m << (8 * s);
    p->mask = m;
}

/* The and-mask for counting: all bits, of floats all but the sign's. */
static inline void gk_rmask_count(gk_rp *p, ga_dtype t) {
    switch (t) {
    case GA_FLOAT16: case GA_BFLOAT16: p->mask = 0x7fff7fff7fff7fffu; break;
    case GA_FLOAT32: case GA_COMPLEX64: p->mask = 0x7fffffff7fffffffu; break;
    case GA_FLOAT64: p->mask = 0x7fffffffffffffffu; break;
    default: p->mask = ~(uint64_t)0;
    }
}

/* --- CUDA ---------------------------------------------------------------- */
#ifndef GPUARR_NO_CUDA
#define GK_RT 256                   /* threads a block                      */
/* Blocks a multiprocessor: 4 cost no register that matters, and the variance
   of long rows gains 7%.                                                   */
template<class R> constexpr int gk_rblocks = sizeof(typename R::A) > 40 ? 3 : 4;
/* Bytes a col thread has in flight, blocks a multiprocessor: 64 and 3 take
   0.6% longer for 16384x16384 float32, 7% for 1000000x16.                  */
constexpr int gk_rahead = 128, gk_rcols = 2;
/* Short rows a thread: all a state's registers allow at 5 blocks. */
template<class R> constexpr int gk_rrows = sizeof(typename R::A) > 16 ? 2 : 4;

/* A reduction is launched while the kernel before it in its stream ends, and
   waits here until that is done and its memory visible: 1.7 us are saved.  */
static __device__ __forceinline__ void gk_rwait(void) {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template<class A> struct gk_words { /* a state as words, for the shuffles   */
    static constexpr int n = sizeof(A) / 4;
    static_assert(sizeof(A) % 4 == 0, "whole words");
    uint32_t w[n];
};
template<class A> static __device__ __forceinline__ A gk_shfl(A a, int d,
                                                              int width) {
    gk_words<A> w;
    memcpy(&w, &a, sizeof a);
#pragma unroll
    for (int i = 0; i < gk_words<A>::n; i++)
        w.w[i] = __shfl_down_sync(0xffffffffu, w.w[i], (unsigned)d, width);
    memcpy(&a, &w, sizeof a);
    return a;
}
template<class A> static __device__ __forceinline__ A gk_shfl_xor(A a, int d) {
    gk_words<A> w;
    memcpy(&w, &a, sizeof a);
#pragma unroll
    for (int i = 0; i < gk_words<A>::n; i++)
        w.w[i] = __shfl_xor_sync(0xffffffffu, w.w[i], d);
    memcpy(&a, &w, sizeof a);
    return a;
}

/* Merges the states of 2^lg neighbouring threads into the first of them. All
   threads of the block call it.                                            */
template<class R> static __device__ __forceinline__ void
gk_rgroup(typename R::A &a, int lg, const gk_rp &p, typename R::A *shared) {
    const int width = lg < 5 ? 1 << lg : 32;
#pragma unroll 1
    for (int d = width >> 1; d > 0; d >>= 1)
        R::merge(a, gk_shfl(a, d, width), p);
    if (lg <= 5) return;
    const int t = (int)threadIdx.x, per = 1 << (lg - 5);
    if ((t & 31) == 0) shared[t >> 5] = a;
    __syncthreads();
    if ((t >> 5 & (per - 1)) == 0) {
        a = shared[(t >> 5) + (t & (per - 1))];
#pragma unroll 1
        for (int d = per >> 1; d > 0; d >>= 1)
            R::merge(a, gk_shfl(a, d, per), p);
    }
    __syncthreads();
}

/* True in the block that finishes last of the `of` that share a counter. */
static __device__ __forceinline__ bool gk_rlast(unsigned *counter,
                                                unsigned of) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {         /* barriers make its order the block's  */
        unsigned n;                 /* two __threadfence() take 0.4 us more */
        asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;"
                     : "=r"(n) : "l"(counter) : "memory");
        last = n == of - 1;
        if (last) *counter = 0;
    }
    __syncthreads();
    return last;
}

/* Merges partial results from, from + by, ... of p.split, with several loads
   in flight.                                                               */
template<class R> static __device__ __forceinline__ void
gk_rparts(typename R::A &a, const typename R::A *part, int from, int by,
          int64_t step, const gk_rp &p) {
    typedef typename R::A A;
    constexpr int L = sizeof(A) > 16 ? 2 : 4;   /* more gain nothing        */
#pragma unroll 1
    for (int i = from; i < p.split; i += L * by) {
        A z[L];
#pragma unroll
        for (int u = 0; u < L; u++) {
            const int k = i + u * by;
            z[u] = part[(k < p.split ? k : i) * step];
        }
#pragma unroll
        for (int u = 0; u < L; u++)
            if (i + u * by < p.split) R::merge(a, z[u], p);
    }
}

/* N elements of one run, or of one column, at once. */
template<class R, int N, int G = N> static __device__ __forceinline__ void
gk_radd(typename R::A &a, const typename R::elem::raw *r, const gk_rp &p,
        int64_t i, int64_t step, int64_t jump = 0) {
    typename R::elem::val v[N];
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = R::elem::get(r[k], p);
    R::template add<N, G>(a, v, p, i, step, jump);
}
template<class E> static __device__ __forceinline__ uint4
gk_rmix(uint4 w, const gk_rp &p) {
    if constexpr (E::mixes) {
        uint32_t lo = (uint32_t)p.mask, hi = (uint32_t)(p.mask >> 32);
        w.x = E::mix32(w.x, lo);
        w.y = E::mix32(w.y, hi);
        w.z = E::mix32(w.z, lo);
        w.w = E::mix32(w.w, hi);
    }
    return w;
}

/* 2^lg threads an output, 2^ll a run of the innermost reduced axis. A run is
   cut into nseg segments; runs * nseg items are dealt to the 2^(lg-ll) teams
   of the `split` blocks.                                                   */
template<class R> static __global__ void
__launch_bounds__(GK_RT, gk_rblocks<R>)
gk_rrow(const __grid_constant__ gk_rp p) {
    typedef typename R::elem E;
    typedef typename E::raw raw;
    typedef typename R::A A;
    constexpr int V = 16 / sizeof(raw), U = 4, B = V > 4 ? 1 : U;
    __shared__ __align__(16) unsigned char memory[sizeof(A) * (GK_RT / 32)];
    A *shared = (A *)memory;
    gk_rwait();
    const int t = (int)threadIdx.x, per = GK_RT >> p.lg;
    const int lane = t & ((1 << p.lg) - 1), l = 1 << p.ll;
    const int teams = 1 << (p.lg - p.ll), team = lane >> p.ll;
    const int ll = lane & (l - 1);
    const unsigned split = (unsigned)p.split, s = blockIdx.x % split;
    const int64_t stride = (int64_t)(gridDim.x / split) * per;
#pragma unroll 1
    for (int64_t ob = (int64_t)(blockIdx.x / split) * per; ob < p.nout;
         ob += stride) {
        const int64_t o = ob + (t >> p.lg);
        A a = R::init(p);
        const raw *base = (const raw *)p.in;
        int64_t items = 0;
        if (o < p.nout) {
            base += gk_rat(p.keep, p.keep.t, p.nkeep, o);
            items = p.items;
        }
#pragma unroll 1
        for (int64_t item = (int64_t)s * teams + team; item < items;
             item += (int64_t)split * teams) {
            int64_t run = item, from = 0;
            if (p.nseg > 1) {
                run = gk_rdiv(item, p.nseg, p.iseg);
                from = (item - run * p.nseg) * p.seg;
            }
            const int n = (int)(p.run - from < p.seg ? p.run - from : p.seg);
            const int64_t i0 = run * p.run + from;
            int i = ll, head = n, nv = 0;
            const raw *x = base;
            if (p.vec) {
                x += from + gk_rat(p.red, p.red.t, p.nreduce - 1, run);
                head = (int)((-(uintptr_t)x & 15) / sizeof(raw));
                if (head > n) head = n;
                nv = (n - head) / V;
            }
            /* elements before the first whole vector, vectors by fours, by
               ones, elements after; or elements alone                      */
#pragma unroll 1
            for (int end = head;; end = n) {
#pragma unroll 1
                for (; i < end; i += l) {
                    raw r = p.vec ? x[i]
                        : x[gk_rat(p.red, p.red.t, p.nreduce, i0 + i)];
                    r = E::mix(r, p);
                    gk_radd<R, 1>(a, &r, p, i0 + i, 1);
                }
                if (end == n) break;
                const uint4 *q = (const uint4 *)(x + head);
                const int64_t iq = i0 + head;
#pragma unroll 1
                for (i = ll; i + (U - 1) * l < nv; i += U * l) {
                    uint4 w[U];
#pragma unroll
                    for (int u = 0; u < U; u++) w[u] = __ldg(q + i + u * l);
#pragma unroll
                    for (int u = 0; u < U; u++) w[u] = gk_rmix<E>(w[u], p);
                    raw r[U * V];
                    memcpy(r, w, sizeof w);
#pragma unroll
                    for (int u = 0; u < U; u += B)
                        gk_radd<R, B * V, V>(a, r + u * V, p, iq
                            + (int64_t)(i + u * l) * V, 1, l * V);
                }
#pragma unroll 1
                for (; i < nv; i += l) {
                    uint4 w = gk_rmix<E>(__ldg(q + i), p);
                    raw r[V];
                    memcpy(r, &w, 16);
                    gk_radd<R, V>(a, r, p, iq + (int64_t)i * V, 1);
                }
                i = head + nv * V + ll;
            }
        }
        A *part = (A *)p.work + o * split;     /* a block's */
        bool first = true;
#pragma unroll 1
        for (;;) {
            gk_rgroup<R>(a, p.lg, p, shared);
            if (first && split > 1) {
                if (t == 0) part[s] = a;
                if (!gk_rlast(p.counters + o, split)) break;
                a = R::init(p);
                gk_rparts<R>(a, part, t, GK_RT, 1, p);
                first = false;
                continue;
            }
            if (lane == 0 && o < p.nout)
                R::finish(a, p, p.o0 + gk_rat(p.keep, p.ko, p.nkeep, o));
            break;
        }
    }
}

/* Many short rows of `run` whole vectors: 2^ll threads a row, U rows a
   thread, whose loads are in flight together.                              */
template<class R> static __global__ void
__launch_bounds__(GK_RT, GK_RESIDENT(5))
gk_rsmall(const __grid_constant__ gk_rp p) {
    typedef typename R::elem E;
    typedef typename E::raw raw;
    typedef typename R::A A;
    constexpr int V = 16 / sizeof(raw), U = gk_rrows<R>;
    gk_rwait();
    const int t = (int)threadIdx.x, l = 1 << p.ll, lane = t & (l - 1);
    const int by = 32 >> p.ll, n = (int)p.run;
    const int64_t o = ((int64_t)blockIdx.x * (GK_RT / 32) + (t >> 5))
                          * (by * U) + ((t & 31) >> p.ll);
    const bool plain = p.nkeep == 1;
    A a[U];
    const raw *x[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const int64_t ou = o + u * by < p.nout ? o + u * by : 0;
        x[u] = (const raw *)p.in
            + (plain ? ou * p.keep.t[0]
                     : gk_rat(p.keep, p.keep.t, p.nkeep, ou));
        a[u] = R::init(p);
    }
#pragma unroll 1
    for (int i = lane; i < n; i += l) {
        uint4 w[U];
#pragma unroll
        for (int u = 0; u < U; u++) w[u] = __ldg((const uint4 *)x[u] + i);
#pragma unroll
        for (int u = 0; u < U; u++) {
            w[u] = gk_rmix<E>(w[u], p);
            raw r[V];
            memcpy(r, &w[u], 16);
            gk_radd<R, V>(a[u], r, p, i * V, 1);
        }
    }
    /* Threads that share rows trade them, halving what each has; the rest
       of the threads is merged as usual.                                   */
    int row = 0;
#pragma unroll
    for (int m = U / 2, d = 1; m > 0; m /= 2, d *= 2)
        if (d < l) {
            const bool up = (lane & d) != 0;
#pragma unroll
            for (int u = 0; u < m; u++) {
                A mine = up ? a[u + m] : a[u], other = up ? a[u] : a[u + m];
                R::merge(mine, gk_shfl_xor(other, d), p);
                a[u] = mine;
            }
            row += up ? m : 0;
        }
#pragma unroll 1
    for (int d = U; d < l; d <<= 1) R::merge(a[0], gk_shfl_xor(a[0], d), p);
    if (lane >= U) return;
#pragma unroll 1
    for (int i = 0; i < U; i += l) {
        const int64_t ou = o + row * by;
        if (ou < p.nout)
            R::finish(a[0], p, p.o0
                + (plain ? ou * p.ko[0] : gk_rat(p.keep, p.ko, p.nkeep, ou)));
#pragma unroll
        for (int u = 1; u < U; u++) a[u - 1] = a[u];
        row++;
    }
}

/* Many short rows one after the other in memory, of any length: a block
   fetches `run` of them into shared memory, 2^lg threads share a row.      */
extern __shared__ uint4 gk_tile[];
template<class R> static __global__ void
__launch_bounds__(GK_RT, GK_RESIDENT(5))
gk_rtile(const __grid_constant__ gk_rp p) {
    typedef typename R::elem E;
    typedef typename E::raw raw;
    typedef typename R::A A;
    constexpr int V = 16 / sizeof(raw), U = 4;
    gk_rwait();
    const int t = (int)threadIdx.x, l = 1 << p.lg, lane = t & (l - 1);
    const int n = (int)p.nred;
    const int64_t o = blockIdx.x * p.run;
    const int rows = (int)(p.nout - o < p.run ? p.nout - o : p.run);
    const raw *from = (const raw *)p.in + o * n;
    const int nv = (uintptr_t)from % 16 ? 0 : rows * n / V;
#pragma unroll 1
    for (int i = t; i < nv; i += U * GK_RT) {
        uint4 w[U];
#pragma unroll
        for (int u = 0; u < U; u++)
            w[u] = __ldg((const uint4 *)from + (i + u * GK_RT < nv
                                                ? i + u * GK_RT : i));
#pragma unroll
        for (int u = 0; u < U; u++)
            if (i + u * GK_RT < nv) gk_tile[i + u * GK_RT] = w[u];
    }
    raw *tile = (raw *)gk_tile;
#pragma unroll 4
    for (int i = nv * V + t; i < rows * n; i += GK_RT) tile[i] = from[i];
    __syncthreads();
#pragma unroll 1
    for (int r = t >> p.lg; r < (int)p.run; r += GK_RT >> p.lg) {
        const raw *x = tile + r * n;
        const int end = r < rows ? n : 0;
        A a = R::init(p);
        int i = lane;
#pragma unroll 1
        for (; i + (U - 1) * l < end; i += U * l) {
            raw e[U];
#pragma unroll
            for (int u = 0; u < U; u++) e[u] = E::mix(x[i + u * l], p);
            gk_radd<R, U>(a, e, p, i, l);
        }
#pragma unroll 1
        for (; i < end; i += l) {
            raw e = E::mix(x[i], p);
            gk_radd<R, 1>(a, &e, p, i, 1);
        }
#pragma unroll 1
        for (int d = l >> 1; d > 0; d >>= 1)
            R::merge(a, gk_shfl(a, d, l), p);
        if (lane == 0 && r < rows) R::finish(a, p, p.o0 + (o + r) * p.ko[0]);
    }
}

template<int B> struct gk_rload;
template<> struct gk_rload<4> { typedef uint32_t type; };
template<> struct gk_rload<8> { typedef uint2 type; };
template<> struct gk_rload<16> { typedef uint4 type; };

/* Columns of VC neighbouring outputs, 2^lx of them side by side in a block,
   whose 256 >> lx rows of threads take turns along the reduced axis.       */
template<class R> static __global__ void
__launch_bounds__(GK_RT, gk_rcols)
gk_rcol(const __grid_constant__ gk_rp p) {
    typedef typename R::elem E;
    typedef typename E::raw raw;
    typedef typename R::A A;
    constexpr int V = 16 / sizeof(raw), VC = V < 4 ? V : 4;
    constexpr int U = gk_rahead / (VC * sizeof(raw));
    typedef typename gk_rload<VC * sizeof(raw)>::type word;
    __shared__ __align__(16) unsigned char memory[sizeof(A) * GK_RT * VC];
    A *shared = (A *)memory;
    gk_rwait();
    const int t = (int)threadIdx.x, nx = 1 << p.lx, x = t & (nx - 1);
    const int ny = GK_RT >> p.lx, y = t >> p.lx, no = nx * VC;
    const int last = p.nkeep - 1;
    const int64_t width = p.keep.n[last], kt = p.keep.t[last];
#pragma unroll 1
    for (int64_t item = blockIdx.x; item < p.tiles * p.split;
         item += gridDim.x) {
        const int64_t s = gk_rdiv(item, p.tiles, p.itiles);
        const int64_t tile = item - s * p.tiles;
        const int64_t q = tile * nx + x;
        A a[VC];
#pragma unroll
        for (int v = 0; v < VC; v++) a[v] = R::init(p);
        if (q < p.nq) {
            const int64_t row = gk_rdiv(q, p.cv, p.icv);
            const int64_t c = (q - row * p.cv) * VC;
            const int valid = (int)(width - c < VC ? width - c : VC);
            const raw *base = (const raw *)p.in + c * kt
                + gk_rat(p.keep, p.keep.t, last, row);
            const bool whole = p.vec && valid == VC;
            const int64_t end = p.nred < (s + 1) * p.slab ? p.nred
                                                          : (s + 1) * p.slab;
            int64_t r = s * p.slab + y;
#pragma unroll 1
            for (; whole && r + (U - 1) * ny < end; r += U * ny) {
                raw w[U][VC];
                word z[U];
                if (p.nreduce == 1) {
                    const raw *at = base + r * p.red.t[0];
                    const int64_t step = ny * p.red.t[0];
#pragma unroll
                    for (int u = 0; u < U; u++, at += step)
                        z[u] = __ldg((const word *)at);
                } else {
#pragma unroll
                    for (int u = 0; u < U; u++)
                        z[u] = __ldg((const word *)(base + gk_rat(
                            p.red, p.red.t, p.nreduce, r + u * ny)));
                }
                memcpy(w, z, sizeof w);
#pragma unroll
                for (int v = 0; v < VC; v++) {
                    raw e[U];
#pragma unroll
                    for (int u = 0; u < U; u++) e[u] = E::mix(w[u][v], p);
                    gk_radd<R, U>(a[v], e, p, r, ny);
                }
            }
#pragma unroll 1
            for (; r < end; r += 4 * ny) {
                raw w[4][VC];
#pragma unroll
                for (int u = 0; u < 4; u++) {
                    const raw *at = base + gk_rat(
                        p.red, p.red.t, p.nreduce,
                        r + u * ny < end ? r + u * ny : r);
#pragma unroll
                    for (int v = 0; v < VC; v++)
                        w[u][v] = at[v < valid ? v * kt : 0];
                }
#pragma unroll
                for (int u = 0; u < 4; u++) {
                    if (r + u * ny >= end) break;
#pragma unroll
                    for (int v = 0; v < VC; v++) {
                        w[u][v] = E::mix(w[u][v], p);
                        gk_radd<R, 1>(a[v], &w[u][v], p, r + u * ny, 1);
                    }
                }
            }
        }
#pragma unroll
        for (int v = 0; v < VC; v++) shared[t * VC + v] = a[v];
        __syncthreads();
        /* The block's outputs, ny states each in shared memory; then, in the
           last block of several, `split` states each in `work`. nj threads an
           output, neighbours in a warp and across warps.                   */
        A *part = (A *)p.work + tile * no;
        const int nj = no < GK_RT ? GK_RT / no : 1, j = t / no;
        const int sets = no < 32 ? GK_RT / 32 : nj;
        const int64_t step = p.nq * VC;
        bool first = true;
#pragma unroll 1
        for (;;) {
#pragma unroll 1
            for (int k = no < GK_RT ? t % no : t; k < no; k += GK_RT) {
                const int64_t kq = tile * nx + k / VC;
                const bool live = kq < p.nq;
                A b = R::init(p);
                if (first) {
#pragma unroll 1
                    for (int i = j; i < ny; i += nj)
                        R::merge(b, shared[i * no + k], p);
                } else if (live) {
                    gk_rparts<R>(b, part + k, j, nj, step, p);
                }
                if (nj > 1) {
#pragma unroll 1
                    for (int d = 16; d >= no; d >>= 1)
                        R::merge(b, gk_shfl(b, d, 32), p);
                    __syncthreads();
                    if (no >= 32) shared[t] = b;
                    else if ((t & 31) < no) shared[(t >> 5) * no + k] = b;
                    __syncthreads();
                    if (t < no)
#pragma unroll 1
                        for (int i = 1; i < sets; i++)
                            R::merge(b, shared[t + i * no], p);
                }
                if (j != 0 || !live) continue;
                if (first && p.split > 1) {
                    part[s * step + k] = b;
                    continue;
                }
                const int64_t row = gk_rdiv(kq, p.cv, p.icv);
                const int64_t c = (kq - row * p.cv) * VC + k % VC;
                if (c < width)
                    R::finish(b, p, p.o0 + c * p.ko[last]
                              + gk_rat(p.keep, p.ko, last, row));
            }
            if (!first || p.split == 1) break;
            if (!gk_rlast(p.counters + tile, (unsigned)p.split)) break;
            first = false;
        }
        __syncthreads();
    }
}

static inline int gk_log2_up(int64_t n) {       /* 2^k >= n                 */
    int k = 0;
    while (k < 62 && ((int64_t)1 << k) < n) k++;
    return k;
}
/* Splits the work over a device of `mps` multiprocessors. */
static inline void gk_rplan_cuda(gk_rp *p, int mps) {
    const int size = p->size, V = 16 / size, VC = V < 4 ? V : 4;
    const bool complex = p->in_type >= GA_COMPLEX64;
    /* One wave of col blocks, for rows three or four. */
    const int64_t slots = (int64_t)mps * gk_rcols;
    const int64_t waves = (int64_t)mps * 12, most = (int64_t)4 << 20;
    const int64_t state = gk_rstate(p->kind, complex, size);
    const int lk = p->nkeep - 1, lr = p->nreduce - 1;
    const bool aligned = (uintptr_t)p->in % (unsigned)size == 0;
    int64_t rmin = INT64_MAX;
    for (int k = 0; k <= lr; k++) {
        int64_t t = p->red.t[k] < 0 ? -p->red.t[k] : p->red.t[k];
        if (t && t < rmin) rmin = t;
    }
    p->split = 1;
    p->col = p->nout > 1 && p->keep.t[lk] != 0 && p->keep.t[lk] < rmin;
    if (p->col) {
        bool vec = (uintptr_t)p->in % (unsigned)(VC * size) == 0
                   && p->keep.t[lk] == 1;
        for (int k = 0; k < lk; k++) vec &= p->keep.t[k] % VC == 0;
        for (int k = 0; k <= lr; k++) vec &= p->red.t[k] % VC == 0;
        p->vec = vec;
        p->cv = gk_ceil_div(p->keep.n[lk], VC);
        p->nq = p->nout / p->keep.n[lk] * p->cv;
        /* 512 bytes side by side; less, down to 128, where many blocks share
           an output, whose partial results one block has to read (100000x160:
           2670 GB/s for 1430); more for short columns, if there are enough */
        const int wide = 5 + gk_log2_up(16 / (VC * size)), thin = wide - 2;
        p->lx = gk_log2_up(p->nq);
        if (p->lx > wide) p->lx = wide;
        while (p->lx < 8 && p->nq >> p->lx > slots
               && (GK_RT >> p->lx) > p->nred / 16) p->lx++;
        for (;; p->lx--) {
            p->tiles = gk_ceil_div(p->nq, (int64_t)1 << p->lx);
            int64_t ny = GK_RT >> p->lx, S = slots / p->tiles;
            int64_t cap = most / (p->nq * VC * state);
            int64_t useful = p->nred / (ny * 8);
            if (S > cap) S = cap;
            if (S > useful) S = useful;
            if (S < 1 || p->tiles > GA__COUNTERS) S = 1;
            p->split = (int)S;
            if (S <= 32 || p->lx <= thin) break;
        }
        /* whole batches of rows */
        const int64_t batch = (GK_RT >> p->lx) * (gk_rahead / (VC * size));
        p->slab = gk_ceil_div(gk_ceil_div(p->nred, p->split), batch) * batch;
        if (p->nred) p->split = (int)gk_ceil_div(p->nred, p->slab);
        p->icv = 1.0 / (double)p->cv;
        p->itiles = 1.0 / (double)p->tiles;
        return;
    }
    p->vec = p->red.t[lr] == 1 && aligned;
    p->run = p->vec ? p->red.n[lr] : p->nred;
    p->runs = p->vec && p->nred ? p->nred / p->run : 1;
    if (p->nred == 0) p->run = 0;
    int64_t nv = p->vec ? gk_ceil_div(p->run, V) : p->run;
    const int64_t row = p->run * size;
    const bool many = p->vec && p->nreduce == 1 && p->nout >= mps * 256
                      && row > 0 && row <= 1024;
    p->tile = many && p->nkeep == 1 && p->keep.t[0] == p->run
              && (row % 16 != 0 || (nv % 2 != 0 && nv > 1));
    p->small = many && !p->tile && row % 16 == 0
               && (uintptr_t)p->in % 16 == 0;
    for (int k = 0; k <= lk; k++) p->small &= p->keep.t[k] % V == 0;
    if (p->small) {
        p->run = nv;
        p->ll = gk_log2_up(nv);
        /* Merging variances costs more than loads half as wide: 2430 GB/s
           for 1900 of rows of 64 bytes.                                    */
        if (p->kind == GK_RVAR && p->ll > 0) p->ll--;
        if (p->ll > 5) p->ll = 5;
        while (p->ll > 3 && ((p->run - 1) >> (p->ll - 1)) % 2 == 0) p->ll--;
        return;
    }
    if (p->tile) {                  /* 16 to 32 KB: several blocks at once  */
        while (GK_RT * row >> p->lg > 32768) p->lg++;
        p->run = GK_RT >> p->lg;
        if (p->run * row < 16384) p->run *= 16384 / (p->run * row);
        return;
    }
    /* a warp a row, more where that gives a thread over 32 vectors */
    p->ll = gk_log2_up(gk_ceil_div(nv, 32));
    if (p->ll < 5) p->ll = gk_log2_up(nv < 32 ? nv : 32);
    if (p->ll > 8) p->ll = 8;
    while (p->ll < 8 && (nv >> p->ll) > 1 && (p->nout << p->ll) < waves * 64)
        p->ll++;
    p->lg = p->ll;
    while (p->lg < 8 && (p->runs >> (p->lg - p->ll)) > 1
           && ((p->nout << p->lg) < waves * 256
               || (p->nred >> p->lg) > 64 * V)) p->lg++;
    const int64_t teams = (int64_t)1 << (p->lg - p->ll);
    int64_t S = 1;
    if (p->lg == 8 && p->nout < waves && p->nout <= GA__COUNTERS) {
        /* Three waves, or one where the blocks of three had less than four
           batches of loads a thread (2^24 float32: 2970 GB/s for 2650).    */
        int64_t batches = p->nred / (GK_RT * 4 * (p->vec ? V : 1));
        S = waves / p->nout;
        if (S > batches / 4) S = (int64_t)mps * (state > 40 ? 3 : 4) / p->nout;
        if (S > most / (p->nout * state)) S = most / (p->nout * state);
        if (S > batches) S = batches;
        if (S < 1) S = 1;
    }
    /* A run in pieces, where there are too few runs or a piece's index would
       not fit an int.                                                      */
    const int64_t piece = (int64_t)V * ((int64_t)1 << p->ll) * 4;
    int64_t want = gk_ceil_div(S * teams, p->runs);
    if (want > p->run / piece) want = p->run / piece;
    if (want < 1) want = 1;
    p->seg = gk_ceil_div(gk_ceil_div(p->run, want), 16) * 16;
    if (p->seg > (int64_t)1 << 29) p->seg = (int64_t)1 << 29;
    if (p->seg < 1) p->seg = 1;
    p->nseg = gk_ceil_div(p->run, p->seg);
    p->iseg = p->nseg ? 1.0 / (double)p->nseg : 0;
    p->items = p->runs * p->nseg;
    if (S > p->items) S = p->items > 0 ? p->items : 1;
    p->split = (int)S;
}

/* In a capture as a plain launch: its graph may run anywhere. */
static inline int gk_rgo(void (*kernel)(const gk_rp), int64_t blocks,
                         size_t shared, const gk_rp &p, cudaStream_t s) {
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute early = {};
#ifdef __CUDA_ARCH_LIST__
    constexpr int archs[] = {__CUDA_ARCH_LIST__};
#else
    constexpr int archs[] = {0};    /* a compiler that does not say         */
#endif
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    c.gridDim.x = (unsigned)blocks;
    c.blockDim.x = GK_RT;
    c.dynamicSmemBytes = shared;
    c.stream = s;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    c.attrs = &early;
    c.numAttrs = archs[0] >= 900 && !cudaStreamIsCapturing(s, &capture)
                 && capture == cudaStreamCaptureStatusNone;
    cudaLaunchKernelEx(&c, kernel, p);
    return (int)cudaGetLastError();
}
template<class R> static int gk_rlaunch(const gk_rp &p, cudaStream_t s,
                                        int mps) {
    typedef typename R::elem::raw raw;
    static_assert(sizeof(typename R::A) <= gk_rstate(
        R::kind, gk_is_complex<typename R::elem::val>::value, sizeof(raw)),
        "states fit the work memory");
    const int64_t most = (int64_t)mps * 32;
    if (p.col) {
        int64_t g = p.tiles * p.split;
        if (p.split == 1 && g > most) g = most;
        return gk_rgo(gk_rcol<R>, g, 0, p, s);
    }
    if (p.small)
        return gk_rgo(gk_rsmall<R>, gk_ceil_div(
            p.nout, gk_rrows<R> * GK_RT >> p.ll), 0, p, s);
    if (p.tile)
        return gk_rgo(gk_rtile<R>, gk_ceil_div(p.nout, p.run),
                      (size_t)(p.run * p.nred) * sizeof(raw), p, s);
    int64_t g = gk_ceil_div(p.nout << p.lg, GK_RT);
    if (g > most) g = most;
    return gk_rgo(gk_rrow<R>, g * p.split, 0, p, s);
}

/* One family of one class. */
template<class E, class S> static int gk_rfamily(const gk_rp &p,
                                                 cudaStream_t s, int mps) {
    switch (p.kind) {
    case GK_RADD: return gk_rlaunch<S>(p, s, mps);
    case GK_REXT: return gk_rlaunch<gk_fext<E>>(p, s, mps);
    case GK_RARG: return gk_rlaunch<gk_farg<E>>(p, s, mps);
    default: return gk_rlaunch<gk_fvar<E>>(p, s, mps);
    }
}

int gk_rcuda_narrow(const gk_rp &p, void *stream, int mps);
int gk_rcuda_wide(const gk_rp &p, void *stream, int mps);
int gk_rcuda_count(const gk_rp &p, void *stream, int mps);
int gk_rcuda_float(const gk_rp &p, void *stream, int mps);
int gk_rcuda_double(const gk_rp &p, void *stream, int mps);

#if GK_PART_IS(reduce_narrow_cuda)
int gk_rcuda_narrow(const gk_rp &p, void *stream, int mps) {
    cudaStream_t s = (cudaStream_t)stream;
    if (p.size == 1)
        return gk_rfamily<gk_ew<1>, gk_fint<gk_ew<1>>>(p, s, mps);
    return gk_rfamily<gk_ew<2>, gk_fint<gk_ew<2>>>(p, s, mps);
}
#endif
#if GK_PART_IS(reduce_wide_cuda)
int gk_rcuda_wide(const gk_rp &p, void *stream, int mps) {
    cudaStream_t s = (cudaStream_t)stream;
    if (p.size == 4)
        return gk_rfamily<gk_ew<4>, gk_fint<gk_ew<4>>>(p, s, mps);
    return gk_rfamily<gk_ew<8>, gk_fint<gk_ew<8>>>(p, s, mps);
}
#endif
#if GK_PART_IS(reduce)
int gk_rcuda_count(const gk_rp &p, void *stream, int mps) {
    cudaStream_t s = (cudaStream_t)stream;
    switch (p.size) {
    case 1: return gk_rlaunch<gk_fcount<gk_em<1>>>(p, s, mps);
    case 2: return gk_rlaunch<gk_fcount<gk_em<2>>>(p, s, mps);
    case 4: return gk_rlaunch<gk_fcount<gk_em<4>>>(p, s, mps);
    case 8: return gk_rlaunch<gk_fcount<gk_em<8>>>(p, s, mps);
    default: return gk_rlaunch<gk_fcount<gk_ef<gk_c128>>>(p, s, mps);
    }
}
#endif
#if GK_PART_IS(reduce_float_cuda)
int gk_rcuda_float(const gk_rp &p, void *stream, int mps) {
    cudaStream_t s = (cudaStream_t)stream;
    if (p.size == 2)
        return gk_rfamily<gk_eh, gk_fadd<gk_eh, false>>(p, s, mps);
    return gk_rfamily<gk_ef<float>, gk_fadd<gk_ef<float>, false>>(p, s, mps);
}
#endif
#if GK_PART_IS(reduce_double_cuda)
int gk_rcuda_double(const gk_rp &p, void *stream, int mps) {
    cudaStream_t s = (cudaStream_t)stream;
    switch (p.in_type) {
#define GK_X(T, pair) \
    return gk_rfamily<gk_ef<T>, gk_fadd<gk_ef<T>, pair>>(p, s, mps);
    case GA_FLOAT64: GK_X(double, true)
    case GA_COMPLEX64: GK_X(gk_c64, false)
    default: GK_X(gk_c128, true)
#undef GK_X
    }
}
#endif

#if GK_PART_IS(reduce)
static int gk_rcuda(const gk_rp &p, void *stream, int mps) {
    if (p.kind == GK_RCOUNT) return gk_rcuda_count(p, stream, mps);
    switch (gk_rtypes[p.in_type].kind) {
    case 'f':
        if (p.in_type != GA_FLOAT64) return gk_rcuda_float(p, stream, mps);
        return gk_rcuda_double(p, stream, mps);
    case 'c': return gk_rcuda_double(p, stream, mps);
    default: return p.size < 4 ? gk_rcuda_narrow(p, stream, mps)
                               : gk_rcuda_wide(p, stream, mps);
    }
}
GA__EXTERN int gk_cuda_reduce(const ga__rd *r, void *stream, int mps) {
    gk_rp p;
    gk_rplan(&p, r);
    if (p.nout == 0) return 0;
    const char type = gk_rtypes[p.in_type].kind;
    const bool integer = type != 'f' && type != 'c';
    if (p.kind == GK_RCOUNT) gk_rmask_count(&p, r->in_type);
    else if (integer) gk_rmask(&p, p.size, p.uns);
    gk_rplan_cuda(&p, mps);
    int e = gk_rcuda(p, stream, mps);
    if (p.finish != GK_RANGE || e) return e;
    p.combine = GA__OP_minimum;     /* out holds the maxima                 */
    p.second = true;
    p.sign = -1.0f;
    p.bias = 0;
    if (integer) gk_rmask(&p, p.size, p.uns);
    return gk_rcuda(p, stream, mps);
}
#endif
#endif /* GPUARR_NO_CUDA */

/* --- CPU ------------------------------------------------------------------
   One loop serves all layouts: lanes of states side by side take in a row of
   elements at a time. For kept axes that are fastest the lanes are outputs;
   a contiguous run of one output is cut into rows of 64. What is not
   contiguous, or narrower than 32 bits, is first gathered. Work is cut by
   shape alone, so results depend neither on threads nor on vector width.   */
#define GK_LANES 256

template<class T> GK_INL T gk_peek(const char *p) {
    T v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Rows of w elements into lanes; element j of row i has index at + i*step. */
template<class R, int M> GK_INL void
gk_rrows_any(typename R::template lanes<GK_LANES> *__restrict l,
             const char *__restrict x, int64_t stride, int64_t rows, int w,
             int64_t at, int64_t step, const gk_rp *q) {
    typedef typename R::elem E;
    typedef typename E::raw raw;
    typedef typename R::template lanes<GK_LANES> L;
    gk_rp p;                        /* fields that the compiler may hold    */
    p.mask = q->mask;
    p.bias = q->bias;
    p.sign = q->sign;
    p.uns = q->uns;
    p.combine = q->combine;
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4, at += 4 * step) {
        const char *x0 = x + i * stride, *x1 = x0 + stride;
        const char *x2 = x1 + stride, *x3 = x2 + stride;
        for (int j = 0; j < w; j++) {
            auto a = L::get(*l, j, M);
            const int64_t b = j * (int64_t)sizeof(raw);
#define GK_X(k) R::template one<M>(a, E::get(E::mix(gk_peek<raw>(x##k + b), \
                                                    p), p), p, at + k * step);
            GK_X(0) GK_X(1) GK_X(2) GK_X(3)
            L::put(*l, j, a, M);
        }
    }
    for (; i < rows; i++, at += step) {
        const char *x0 = x + i * stride;
        for (int j = 0; j < w; j++) {
            auto a = L::get(*l, j, M);
            const int64_t b = j * (int64_t)sizeof(raw);
            GK_X(0)
            L::put(*l, j, a, M);
        }
    }
#undef GK_X
}
template<class R> GK_INL void
gk_rrows_mode(typename R::template lanes<GK_LANES> *l, const char *x,
              int64_t stride, int64_t rows, int w, int64_t at, int64_t step,
              const gk_rp *p) {
    typedef typename R::elem::val V;
    switch (R::mode(*p)) {
    case 0: gk_rrows_any<R, 0>(l, x, stride, rows, w, at, step, p); break;
    case 1:
        if constexpr (R::kind == GK_RADD || !gk_int<V>)
            gk_rrows_any<R, 1>(l, x, stride, rows, w, at, step, p);
        break;
    default:
        if constexpr (R::kind == GK_RVAR) {
            gk_rrows_any<R, 2>(l, x, stride, rows, w, at, step, p);
        } else if constexpr (R::kind == GK_RADD && !gk_int<V>) {
            if constexpr (gk_rothers) {
                if (p->other && p->skip)
                    return gk_rrows_any<R, 6>(l, x, stride, rows, w, at, step,
                                              p);
                if (p->other)
                    return gk_rrows_any<R, 4>(l, x, stride, rows, w, at, step,
                                              p);
            }
            if (p->prod)
                gk_rrows_any<R, 3>(l, x, stride, rows, w, at, step, p);
            else
                gk_rrows_any<R, 2>(l, x, stride, rows, w, at, step, p);
        }
    }
}
template<class R> static void
gk_rrows_base(typename R::template lanes<GK_LANES> *l, const char *x,
              int64_t stride, int64_t rows, int w, int64_t at, int64_t step,
              const gk_rp *p) noexcept {
    gk_rrows_mode<R>(l, x, stride, rows, w, at, step, p);
}
/* Without fma: contracting would change results from machine to machine. */
#if defined(__x86_64__) && defined(__GNUC__)
template<class R> __attribute__((target("avx2"))) static void
gk_rrows_avx2(typename R::template lanes<GK_LANES> *l, const char *x,
              int64_t stride, int64_t rows, int w, int64_t at, int64_t step,
              const gk_rp *p) noexcept {
    gk_rrows_mode<R>(l, x, stride, rows, w, at, step, p);
}
#endif

/* w neighbouring outputs from `keep` on the fastest kept axis, over [b, e) of
   the reduced elements: merged into states[0..w).                          */
template<class R> static void gk_rblock(const gk_rp *p, int64_t outer,
                                        int64_t keep, int w, int64_t b,
                                        int64_t e, void *states) noexcept {
    typedef typename R::elem E;
    typedef typename E::raw raw;
    typedef typename R::A A;
    typedef typename R::template lanes<GK_LANES> L;
    const int room = sizeof(raw) < 16 ? 1024 : 512;
    L lanes;
    alignas(64) char buffer[room * sizeof(raw)];
    void (*rows)(L *, const char *, int64_t, int64_t, int, int64_t, int64_t,
                 const gk_rp *) noexcept = gk_rrows_base<R>;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) rows = gk_rrows_avx2<R>;
#endif
    const ga_dtype from_type = (ga_dtype)p->in_type;
    const ga_dtype to_type = p->size > 2 ? from_type
        : gk_rtypes[from_type].kind == 'f' ? GA_FLOAT32 : GA_INT32;
    const gk_loop_fn widen = gk_widener(from_type, to_type);
    auto gather = [=](void *dst, const char *src, int64_t stride, int n) {
        gk_gather(widen, src, from_type, stride, dst, to_type, n);
    };
    const int size = p->size, last = p->nkeep - 1, lr = p->nreduce - 1;
    const int64_t kt = p->keep.t[last], il = p->red.n[lr], is = p->red.t[lr];
    const char *base = p->in + size * (keep * kt
        + gk_rat(p->keep, p->keep.t, last, outer));
    const bool direct = size == (int)sizeof(raw);
    const bool dense = w == 1 ? is == 1 : kt == 1 && is == w;
    /* fold rows of w into one of f*w lanes */
    const int f = w == 1 ? 64 : dense && w <= 128 ? GK_LANES / w : 1;
    const int nl = (int)(e - b < f ? e - b : f) * w;
    A a = R::init(*p);
    const char *first = base + size * gk_rat(p->red, p->red.t, p->nreduce, b);
    if (R::pivots && (!direct || kt != 1)) {
        gather(buffer, first, kt, w);
        first = buffer;
    }
    for (int j = 0; j < nl; j++) {
        if constexpr (R::pivots)
            R::start(a, E::get(E::mix(gk_peek<raw>(
                first + j % w * (int)sizeof(raw)), *p), *p), *p);
        L::put(lanes, j, a, 3);
        if (R::kind == GK_RADD) L::put(lanes, j, a, 2);
    }
    /* After 16 elements a lane, 32, ..., then every 512 its sums are put
       aside and K moves to the mean: no long chains of roundings.          */
    const int64_t used = f < il ? f : il;
    int64_t next = 16 * used, seen = 0;
    A part[GK_LANES];
    for (int j = 0; j < nl; j++) part[j] = R::init(*p);
    for (int64_t r = b; r < e;) {
        const int64_t run = r / il, from = r - run * il;
        int64_t n = e - r < il - from ? e - r : il - from;
        const char *x = base + size * (from * is
            + gk_rat(p->red, p->red.t, lr, run));
        if (R::pivots && n > next - seen) n = next - seen;
        const int64_t at = r - b;
        if (f > 1 || w == 1) {
            /* elements in rows of f*w, a shorter one at the end */
            const bool copy = !direct || !dense;
            const int64_t most = copy ? room / (f * w) * f : n;
            for (int64_t i = 0; i < n; i += most) {
                int64_t m = n - i < most ? n - i : most, full = m / f;
                const char *y = x + i * is * size;
                if (copy) {
                    gather(buffer, y, dense ? 1 : is, (int)m * w);
                    y = buffer;
                }
                rows(&lanes, y, f * w * (int64_t)sizeof(raw), full, f * w,
                     at + i, f, p);
                if (m % f)
                    rows(&lanes, y + full * f * w * (int64_t)sizeof(raw), 0,
                         1, (int)(m % f) * w, at + i + full * f, f, p);
            }
        } else if (direct && kt == 1) {
            rows(&lanes, x, is * size, n, w, at, 1, p);
        } else {
            const int most = room / w;
            for (int64_t i = 0; i < n; i += most) {
                int m = (int)(n - i < most ? n - i : most);
                for (int k = 0; k < m; k++)
                    gather(buffer + k * w * (int)sizeof(raw),
                           x + (i + k) * is * size, kt, w);
                rows(&lanes, buffer, w * (int64_t)sizeof(raw), m, w, at + i,
                     1, p);
            }
        }
        r += n;
        seen += n;
        if constexpr (R::pivots)
            if (seen == next) {
                for (int j = 0; j < nl; j++) {
                    R::merge(part[j], L::get(lanes, j, 1), *p);
                    if (part[j].n > 0) R::pivot(part[j]);
                    L::put(lanes, j, R::rest(part[j]), 3);
                }
                next += next < 512 * used ? next : 512 * used;
            }
    }
    for (int j = 0; j < nl; j++) {
        auto l = L::get(lanes, j,
                        R::kind == GK_RADD ? p->skip << 1 | p->prod : 1);
        if constexpr (R::kind == GK_RARG) {
            a.v = l.v;
            a.i = l.i < 0 ? -1 : l.i + b + j / w;
        } else {
            a = l;
        }
        R::merge(part[j], a, *p);
    }
    for (int m = nl / w, h; m > 1; m = h) {         /* lanes by halves      */
        h = (m + 1) / 2;
        for (int j = h * w; j < m * w; j++)
            R::merge(part[j - h * w], part[j], *p);
    }
    for (int j = 0; j < w; j++) R::merge(((A *)states)[j], part[j], *p);
}

/* Splits the work: blocks of p->cv outputs, p->split parts of p->slab reduced
   elements each. Enough for any number of threads, large enough for one.   */
static inline void gk_rplan_cpu(gk_rp *p) {
    const int last = p->nkeep - 1, lr = p->nreduce - 1;
    const int64_t is = p->red.t[lr] < 0 ? -p->red.t[lr] : p->red.t[lr];
    const int64_t width = p->keep.n[last];
    bool across = p->keep.t[last] != 0 && (is == 0 || p->keep.t[last] < is);
    across |= p->nred < 32;
    p->cv = !across ? 1 : width < GK_LANES ? width : GK_LANES;
    p->tiles = gk_ceil_div(width, p->cv);
    p->nq = p->nout / width * p->tiles;
    int64_t S = 64 / p->nq, useful = p->nred * p->cv >> 15;
    if (S > useful) S = useful;
    if (S * p->nout > 16384) S = 16384 / p->nout;
    if (S < 1) S = 1;
    p->slab = gk_ceil_div(p->nred, S);
    p->split = (int)S;
}

/* One reduction's functions: the loops around them, here and in >>eval-cpu,
   which folds what it computes, are no templates.                           */
#define GK_RSTATE 64                /* bytes of its states, at most         */
struct gk_rcalls {
    size_t state;                   /* bytes; what follows takes arrays     */
    void (*init)(const gk_rp *, void *a, int n) noexcept;
    void (*block)(const gk_rp *, int64_t outer, int64_t keep, int w, int64_t b,
                  int64_t e, void *a) noexcept;
    void (*merge)(const gk_rp *, void *a, const void *b, int n) noexcept;
    void (*finish)(const gk_rp *, const void *a, int n, int64_t o,
                   int64_t step) noexcept;
};
template<class R> static const gk_rcalls *gk_rcalls_of(void) {
    typedef typename R::A A;
    static_assert(sizeof(A) <= GK_RSTATE, "a state's room");
    static const gk_rcalls calls = {
        sizeof(A),
        [](const gk_rp *p, void *a, int n) noexcept {
            for (int j = 0; j < n; j++) ((A *)a)[j] = R::init(*p);
        },
        gk_rblock<R>,
        [](const gk_rp *p, void *a, const void *b, int n) noexcept {
            for (int j = 0; j < n; j++)
                R::merge(((A *)a)[j], ((const A *)b)[j], *p);
        },
        [](const gk_rp *p, const void *a, int n, int64_t o,
           int64_t step) noexcept {
            for (int j = 0; j < n; j++, o += step)
                R::finish(((const A *)a)[j], *p, o);
        }};
    return &calls;
}

/* Outputs of block q: how many, from where on the fastest kept axis, and their
   place and step in the result.                                             */
struct gk_routs { int w; int64_t outer, at, o, step; };
static gk_routs gk_routs_of(const gk_rp *p, int64_t q) {
    const int last = p->nkeep - 1;
    const int64_t outer = p->tiles == 1 ? q : q / p->tiles;
    const int64_t at = (q - outer * p->tiles) * p->cv;
    const int64_t left = p->keep.n[last] - at;
    return gk_routs{(int)(left < p->cv ? left : p->cv), outer, at,
                    p->o0 + at * p->ko[last]
                        + gk_rat(p->keep, p->ko, last, outer), p->ko[last]};
}
/* Part s of what block q reduces. */
static void gk_rcpu_part(const gk_rp *p, const gk_rcalls *c, int64_t q,
                         int64_t s) noexcept {
    const gk_routs v = gk_routs_of(p, q);
    const int64_t end = (s + 1) * p->slab < p->nred ? (s + 1) * p->slab
                                                    : p->nred;
    alignas(64) char room[GK_LANES * GK_RSTATE];
    char *a = p->split > 1 ? p->work + (q * p->split + s) * p->cv
                                           * (int64_t)c->state : room;
    c->init(p, a, v.w);
    /* in pieces whose indices fit the lanes' */
    for (int64_t b = s * p->slab; b < end; b += (int64_t)1 << 28)
        c->block(p, v.outer, v.at, v.w, b,
                 end - b < (int64_t)1 << 28 ? end : b + ((int64_t)1 << 28), a);
    if (p->split == 1) c->finish(p, a, v.w, v.o, v.step);
}
/* The parts of block q together; apart, for the stack of the thread that has
   also a share of the parts.                                                */
GK_OUT static void gk_rcpu_merge(const gk_rp *p, const gk_rcalls *c,
                                 int64_t q) noexcept {
    const gk_routs v = gk_routs_of(p, q);
    const int64_t size = p->cv * (int64_t)c->state;
    const char *part = p->work + q * p->split * size;
    alignas(64) char a[GK_LANES * GK_RSTATE];
    c->init(p, a, v.w);
    for (int64_t s = 0; s < p->split; s++)
        c->merge(p, a, part + s * size, v.w);
    c->finish(p, a, v.w, v.o, v.step);
}
static void gk_rcpu(const gk_rp *p, const gk_rcalls *c) {
    const int64_t S = p->split, tasks = p->nq * S;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (p->nout * p->nred > 32768)
#endif
    for (int64_t t = 0; t < tasks; t++) {
        const int64_t q = S == 1 ? t : t / S;
        gk_rcpu_part(p, c, q, t - q * S);
    }
    for (int64_t q = 0; S > 1 && q < p->nq; q++) gk_rcpu_merge(p, c, q);
}

static inline void gk_rmask_cpu(gk_rp *p) {
    const char type = gk_rtypes[p->in_type].kind;
    if (p->kind == GK_RCOUNT)       /* narrow types are widened first       */
        gk_rmask_count(p, p->in_type == GA_FLOAT16
                          || p->in_type == GA_BFLOAT16
                              ? GA_FLOAT32 : (ga_dtype)p->in_type);
    else if (type != 'f' && type != 'c')
        gk_rmask(p, p->size < 4 ? 4 : p->size, p->uns && p->size >= 4);
}

const gk_rcalls *gk_rcalls_int(const gk_rp *p);
const gk_rcalls *gk_rcalls_float(const gk_rp *p);
const gk_rcalls *gk_rcalls_complex(const gk_rp *p);
const gk_rcalls *gk_rcalls_for(const gk_rp *p);
template<class E, class S>
static const gk_rcalls *gk_rcalls_family(const gk_rp *p) {
    switch (p->kind) {
    case GK_RADD: return gk_rcalls_of<S>();
    case GK_REXT: return gk_rcalls_of<gk_fext<E>>();
    case GK_RARG: return gk_rcalls_of<gk_farg<E>>();
    default: return gk_rcalls_of<gk_fvar<E>>();
    }
}
#if GK_PART_IS(reduce_int_cpu)
const gk_rcalls *gk_rcalls_int(const gk_rp *p) {
    const bool wide = gk_rtypes[p->in_type].size == 8;
    if (p->kind == GK_RCOUNT)
        return wide ? gk_rcalls_of<gk_fcount<gk_em<8>>>()
                    : gk_rcalls_of<gk_fcount<gk_em<4>>>();
    return wide ? gk_rcalls_family<gk_ew<8>, gk_fint<gk_ew<8>>>(p)
                : gk_rcalls_family<gk_ew<4>, gk_fint<gk_ew<4>>>(p);
}
#endif
#if GK_PART_IS(reduce_float_cpu)
const gk_rcalls *gk_rcalls_float(const gk_rp *p) {
    return p->in_type == GA_FLOAT64
        ? gk_rcalls_family<gk_ef<double>, gk_fadd<gk_ef<double>, true>>(p)
        : gk_rcalls_family<gk_ef<float>, gk_fadd<gk_ef<float>, false>>(p);
}
#endif
#if GK_PART_IS(reduce_complex_cpu)
const gk_rcalls *gk_rcalls_complex(const gk_rp *p) {
    if (p->kind == GK_RCOUNT) return gk_rcalls_of<gk_fcount<gk_ef<gk_c128>>>();
    return p->in_type == GA_COMPLEX128
        ? gk_rcalls_family<gk_ef<gk_c128>, gk_fadd<gk_ef<gk_c128>, true>>(p)
        : gk_rcalls_family<gk_ef<gk_c64>, gk_fadd<gk_ef<gk_c64>, false>>(p);
}

const gk_rcalls *gk_rcalls_for(const gk_rp *p) {
    const char type = gk_rtypes[p->in_type].kind;
    if (p->kind == GK_RCOUNT)
        return p->in_type == GA_COMPLEX128 ? gk_rcalls_complex(p)
                                           : gk_rcalls_int(p);
    return type == 'f' ? gk_rcalls_float(p)
         : type == 'c' ? gk_rcalls_complex(p) : gk_rcalls_int(p);
}
GA__EXTERN void gk_cpu_reduce(const ga__rd *r) {
    gk_rp p;
    gk_rplan(&p, r);
    if (p.nout == 0) return;
    gk_rmask_cpu(&p);
    gk_rplan_cpu(&p);
    gk_rcpu(&p, gk_rcalls_for(&p));
    if (p.finish != GK_RANGE) return;
    p.combine = GA__OP_minimum;     /* out holds the maxima                 */
    p.second = true;
    p.sign = -1;
    gk_rmask_cpu(&p);
    gk_rcpu(&p, gk_rcalls_for(&p));
}
#endif
#if GK_PART_IS(reduce)
GA__EXTERN size_t gk_reduce_work(const ga__rd *r, int multiprocessors) {
    gk_rp p;
    gk_rplan(&p, r);
    if (p.nout == 0) return 0;
    int64_t states = p.nout;
    if (multiprocessors == 0) gk_rplan_cpu(&p);
#ifndef GPUARR_NO_CUDA
    else gk_rplan_cuda(&p, multiprocessors);
    if (multiprocessors && p.col) {
        int VC = p.size <= 4 ? 4 : 16 / p.size;
        states = p.nq * VC;
    }
#endif
    if (multiprocessors == 0) states = p.nq * p.cv;
    if (p.split == 1) return 0;
    return (size_t)(states * p.split)
           * (size_t)gk_rstate(p.kind, p.in_type >= GA_COMPLEX64, p.size);
}
#endif
#if GK_PART_IS(matrix_cpu) || GK_PART_IS(matrix_cuda)
/* ================================================================ >>matrix
   C = A B by plain loops, for what no BLAS does: integers, bool, the halves
   and builds without BLAS on the CPU; integers, bool, any strides and long
   dot products on the GPU. Integers wrap, so that signed ones are computed
   as unsigned; bool is or of and; halves sum in float32.                    */
template<class S> struct gk_mat_sum { typedef S type; };
template<> struct gk_mat_sum<uint8_t> { typedef uint32_t type; };
template<> struct gk_mat_sum<uint16_t> { typedef uint32_t type; };
template<> struct gk_mat_sum<gk_f16> { typedef float type; };
template<> struct gk_mat_sum<gk_bf16> { typedef float type; };
/* bool's own storage, so that panels of it are vectors of bytes */
struct gk_mat_bit { uint8_t b; };

template<class A> GK_INL A gk_mat_mad(A c, A a, A b) {
    if constexpr (std::is_same<A, gk_mat_bit>::value)
        return A{(uint8_t)(c.b | (a.b & b.b))};
    else if constexpr (gk_is_complex<A>::value)
        return A{c.re + a.re * b.re - a.im * b.im,
                 c.im + a.re * b.im + a.im * b.re};
    else
        return c + a * b;
}
template<class A> GK_INL A gk_mat_plus(A a, A b) {
    if constexpr (std::is_same<A, gk_mat_bit>::value)
        return A{(uint8_t)(a.b | b.b)};
    else if constexpr (gk_is_complex<A>::value)
        return A{a.re + b.re, a.im + b.im};
    else
        return a + b;
}
template<class A, class S> GK_INL A gk_mat_in(S x, bool conj) {
    if constexpr (std::is_same<A, S>::value) {
        if constexpr (gk_is_complex<A>::value)
            if (conj) x.im = -x.im;
        return x;
    } else {
        return gk_cast<A>(x);
    }
}
template<class S, class A> GK_INL S gk_mat_out(A x) {
    if constexpr (std::is_same<A, S>::value) return x;
    else return gk_cast<S>(x);
}

/* --------------------------------------------------------------- the CPU
   Tiles of C, each by one thread: panels of A and B are packed into the
   computing type, a few rows of A against a few vectors of B, and the inner
   loop keeps 4 by 64 bytes of C in registers. A thread's panels and tile are
   on the heap, small ones in GK_MAT_FEW bytes of its stack; so are, where the
   heap has no room, those of single steps: they give the same sums.         */
#define GK_MAT_FEW 32768
#define GK_MAT_K 128
#define GK_MAT_M 64
#define GK_MAT_R 4
template<class A> constexpr int gk_mat_w = (int)(64 / sizeof(A));
template<class A> constexpr int gk_mat_n = (int)(512 / sizeof(A));

template<class A>
GK_INL void gk_mat_micro(int64_t kc, const A *a, const A *b, A *c, int ldc) {
    constexpr int W = gk_mat_w<A>;
    A c0[W], c1[W], c2[W], c3[W];
    for (int j = 0; j < W; j++) {
        c0[j] = c[j];
        c1[j] = c[ldc + j];
        c2[j] = c[2 * ldc + j];
        c3[j] = c[3 * ldc + j];
    }
    for (int64_t p = 0; p < kc; p++, a += GK_MAT_R, b += W)
        for (int j = 0; j < W; j++) {
            c0[j] = gk_mat_mad(c0[j], a[0], b[j]);
            c1[j] = gk_mat_mad(c1[j], a[1], b[j]);
            c2[j] = gk_mat_mad(c2[j], a[2], b[j]);
            c3[j] = gk_mat_mad(c3[j], a[3], b[j]);
        }
    for (int j = 0; j < W; j++) {
        c[j] = c0[j];
        c[ldc + j] = c1[j];
        c[2 * ldc + j] = c2[j];
        c[3 * ldc + j] = c3[j];
    }
}
/* One panel against the other: mr by nr of C, rounded up to whole steps. */
template<class A> using gk_mat_fn = void (*)(int, int, int, const A *,
                                             const A *, A *) noexcept;
#define GA__X(isa, attr)                                                     \
    template<class A> attr static void                                       \
    gk_mat_panel_##isa(int mr, int nr, int kc, const A *a, const A *b,       \
                       A *c) noexcept {                                      \
        for (int j = 0; j < nr; j += gk_mat_w<A>)                            \
            for (int i = 0; i < mr; i += GK_MAT_R)                           \
                gk_mat_micro<A>(kc, a + (int64_t)i * GK_MAT_K,               \
                                b + (int64_t)j * GK_MAT_K,                   \
                                c + i * gk_mat_n<A> + j, gk_mat_n<A>);       \
    }
GK_ISA(GA__X)
#undef GA__X
template<class A> static gk_mat_fn<A> gk_mat_panel(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    int isa = gk_isa();
    if constexpr (!gk_int<A> && !std::is_same<A, gk_mat_bit>::value)
        if (isa == 2) return gk_mat_panel_v4<A>;
    if (isa) return gk_mat_panel_v3<A>;
#endif
    return gk_mat_panel_base<A>;
}

/* n by k of x into steps of W: element (i, p) of a step at p * W + i. */
template<int W, class A, class S>
GK_INL void gk_mat_pack(const S *__restrict x, int n, int k, int64_t si,
                        int64_t sp, bool conj, A *__restrict to) {
    for (int i0 = 0; i0 < n; i0 += W, to += W * GK_MAT_K) {
        const int w = n - i0 < W ? n - i0 : W;
        const S *q = x + i0 * si;
        if (w < W) memset((void *)to, 0, sizeof(A) * W * (size_t)k);
        if (si == 1)
            for (int p = 0; p < k; p++)
                for (int i = 0; i < w; i++)
                    to[p * W + i] = gk_mat_in<A>(q[p * sp + i], conj);
        else
            for (int i = 0; i < w; i++)
                for (int p = 0; p < k; p++)
                    to[p * W + i] = gk_mat_in<A>(q[i * si + p * sp], conj);
    }
}
/* Elements of the panels for m by n of C, whole steps, and of that. */
template<class A> constexpr int gk_mat_room(int m, int n) {
    return (m + n) * GK_MAT_K + m * gk_mat_n<A>;
}
/* Up to M by n of C, M a multiple of the step, in room for as many. */
template<class S, class A>
static void gk_mat_tile(const ga__gemm *g, gk_mat_fn<A> panel, int64_t z,
                        int64_t i0, int64_t j0, int M, int n,
                        A *room) noexcept {
    constexpr int N = gk_mat_n<A>;
    A *const a = room, *const b = a + M * GK_MAT_K, *const c = b + n * GK_MAT_K;
    const S *x = (const S *)g->a + z * g->a_batch + i0 * g->a_row;
    const S *y = (const S *)g->b + z * g->b_batch + j0 * g->b_col;
    S *out = (S *)g->c + z * g->c_batch + i0 * g->c_row + j0;
    const int mr = (int)(g->m - i0 < M ? g->m - i0 : M);
    const int nr = (int)(g->n - j0 < n ? g->n - j0 : n);
    memset((void *)c, 0, sizeof(A) * N * (size_t)((mr + 3) & ~3));
    for (int64_t p0 = 0; p0 < g->k; p0 += GK_MAT_K) {
        const int kc = (int)(g->k - p0 < GK_MAT_K ? g->k - p0 : GK_MAT_K);
        gk_mat_pack<GK_MAT_R>(x + p0 * g->a_col, mr, kc, g->a_row, g->a_col,
                              g->a_conj, a);
        gk_mat_pack<gk_mat_w<A>>(y + p0 * g->b_row, nr, kc, g->b_col,
                                 g->b_row, g->b_conj, b);
        panel(mr, nr, kc, a, b, c);
    }
    for (int i = 0; i < mr; i++)
        for (int j = 0; j < nr; j++)
            out[i * g->c_row + j] = gk_mat_out<S>(c[i * N + j]);
}

/* Sums of up to GK_MAT_RUN products in eight lanes; longer dot products are
   sums of such runs, the same for any number of threads.                    */
#define GK_MAT_RUN 16384
template<class S, class A>
static inline A gk_mat_run(const ga__gemm *g, const S *x, const S *y,
                           int64_t n) {
    A s[8] = {}, t = {};
    const int64_t sx = g->a_col, sy = g->b_row;
    int64_t p = 0;
    if (sx == 1 && sy == 1)
        for (; p + 8 <= n; p += 8)
            for (int l = 0; l < 8; l++)
                s[l] = gk_mat_mad(s[l], gk_mat_in<A>(x[p + l], g->a_conj),
                                  gk_mat_in<A>(y[p + l], g->b_conj));
    for (; p < n; p++)
        t = gk_mat_mad(t, gk_mat_in<A>(x[p * sx], g->a_conj),
                       gk_mat_in<A>(y[p * sy], g->b_conj));
    for (int d = 4; d; d /= 2)
        for (int l = 0; l < d; l++) s[l] = gk_mat_plus(s[l], s[l + d]);
    return gk_mat_plus(s[0], t);
}
template<class S, class A>
static void gk_mat_element(const ga__gemm *g, int64_t i) noexcept {
    const int64_t z = i / (g->m * g->n), r = i / g->n % g->m, q = i % g->n;
    const S *x = (const S *)g->a + z * g->a_batch + r * g->a_row;
    const S *y = (const S *)g->b + z * g->b_batch + q * g->b_col;
    A v = {};
    for (int64_t p = 0; p < g->k; p += GK_MAT_RUN)
        v = gk_mat_plus(v, gk_mat_run<S, A>(
            g, x + p * g->a_col, y + p * g->b_row,
            g->k - p < GK_MAT_RUN ? g->k - p : GK_MAT_RUN));
    ((S *)g->c)[z * g->c_batch + r * g->c_row + q] = gk_mat_out<S>(v);
}
/* One dot product over all threads, 64 runs at a time. */
template<class S, class A> static void gk_mat_long(const ga__gemm *g) {
    A total = {};
    for (int64_t p0 = 0; p0 < g->k; p0 += 64 * (int64_t)GK_MAT_RUN) {
        A part[64] = {};
        const int64_t left = (g->k - p0 + GK_MAT_RUN - 1) / GK_MAT_RUN;
        const int runs = left < 64 ? (int)left : 64;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (runs > 3)
#endif
        for (int r = 0; r < runs; r++) {
            const int64_t p = p0 + r * (int64_t)GK_MAT_RUN;
            part[r] = gk_mat_run<S, A>(
                g, (const S *)g->a + p * g->a_col,
                (const S *)g->b + p * g->b_row,
                g->k - p < GK_MAT_RUN ? g->k - p : GK_MAT_RUN);
        }
        for (int r = 0; r < runs; r++) total = gk_mat_plus(total, part[r]);
    }
    *(S *)g->c = gk_mat_out<S>(total);
}
/* Small matrices: the same step, without the tiles around it. */
#define GK_MAT_SMALL 2048           /* m n k, n > 1, k <= 256               */
template<class S, class A>
GK_INL void gk_mat_matrix(const ga__gemm *g, int64_t z) {
    constexpr int W = gk_mat_w<A>, R = GK_MAT_R;
    alignas(64) A a[256 * R], b[256 * W], c[R * W];
    const S *x = (const S *)g->a + z * g->a_batch;
    const S *y = (const S *)g->b + z * g->b_batch;
    S *out = (S *)g->c + z * g->c_batch;
    const int m = (int)g->m, n = (int)g->n, k = (int)g->k;
    for (int j0 = 0; j0 < n; j0 += W) {
        const int w = n - j0 < W ? n - j0 : W;
        gk_mat_pack<W>(y + j0 * g->b_col, w, k, g->b_col, g->b_row, g->b_conj,
                       b);
        for (int i0 = 0; i0 < m; i0 += R) {
            const int r = m - i0 < R ? m - i0 : R;
            gk_mat_pack<R>(x + i0 * g->a_row, r, k, g->a_row, g->a_col,
                           g->a_conj, a);
            memset((void *)c, 0, sizeof c);
            gk_mat_micro<A>(k, a, b, c, W);
            for (int i = 0; i < r; i++)
                for (int j = 0; j < w; j++)
                    out[(i0 + i) * g->c_row + j0 + j] =
                        gk_mat_out<S>(c[i * W + j]);
        }
    }
}
/* Dot products whose batch is the closer axis: 64 of them side by side. */
template<class S, class A>
GK_INL void gk_mat_across(const ga__gemm *g, int64_t z, int64_t end) {
    for (; z < end; z += 64) {
        const int w = end - z < 64 ? (int)(end - z) : 64;
        const S *x = (const S *)g->a + z, *y = (const S *)g->b + z;
        A s[64] = {};
        for (int64_t p = 0; p < g->k; p++, x += g->a_col, y += g->b_row)
            for (int j = 0; j < w; j++)
                s[j] = gk_mat_mad(s[j], gk_mat_in<A>(x[j], g->a_conj),
                                  gk_mat_in<A>(y[j], g->b_conj));
        for (int j = 0; j < w; j++)
            ((S *)g->c)[(z + j) * g->c_batch] = gk_mat_out<S>(s[j]);
    }
}
#define GA__X(isa, attr)                                                     \
    template<class S, class A> attr static void                              \
    gk_mat_few_##isa(const ga__gemm *g, int64_t z, int64_t end) noexcept {   \
        if (g->n == 1) gk_mat_across<S, A>(g, z, end);                       \
        else for (; z < end; z++) gk_mat_matrix<S, A>(g, z);                 \
    }
GK_ISA(GA__X)
#undef GA__X
template<class S, class A>
static void gk_mat_few(const ga__gemm *g, int64_t z, int64_t end) noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
    if (gk_isa()) return gk_mat_few_v3<S, A>(g, z, end);
    for (int64_t i = z * g->m * g->n; i < end * g->m * g->n; i++)
        gk_mat_element<S, A>(g, i);
#else
    gk_mat_few_base<S, A>(g, z, end);
#endif
}

/* A thread's share of the tiles, M by N. */
template<class S, class A>
static void gk_mat_share(const ga__gemm *g, int M, int N) noexcept {
    const int64_t mt = (g->m + M - 1) / M, nt = (g->n + N - 1) / N;
    const size_t size = sizeof(A) * (size_t)gk_mat_room<A>(M, N);
    alignas(64) A few[GK_MAT_FEW / sizeof(A)];
    A *room = few;
    void *heap = size > sizeof few ? malloc(size + 63) : NULL;
    int mr = M, nr = N;
    if (heap) room = (A *)(((uintptr_t)heap + 63) & ~(uintptr_t)63);
    else if (size > sizeof few) mr = GK_MAT_R, nr = gk_mat_w<A>;
    gk_mat_fn<A> panel = gk_mat_panel<A>();
#ifdef _OPENMP
#pragma omp for schedule(dynamic) nowait
#endif
    for (int64_t t = 0; t < g->batch * mt * nt; t++) {
        const int64_t z = t / (mt * nt);
        const int64_t i0 = t / nt % mt * M, j0 = t % nt * N;
        for (int64_t i = i0; i < i0 + M && i < g->m; i += mr)
            for (int64_t j = j0; j < j0 + N && j < g->n; j += nr)
                gk_mat_tile<S, A>(g, panel, z, i, j, mr, nr, room);
    }
    free(heap);
}

/* Below this many multiplications threads cost more than they bring. */
#define GK_MAT_THREADS 262144
template<class S> static void gk_mat_cpu(const ga__gemm *g) {
    typedef typename gk_mat_sum<S>::type A;
    const int64_t all = g->batch * g->m * g->n;
    const bool threads = (double)all * (double)g->k > GK_MAT_THREADS;
    const bool small = g->n > 1 && g->k <= 256
                       && (double)g->m * (double)g->n * (double)g->k
                              <= GK_MAT_SMALL;
    const bool across = g->m == 1 && g->n == 1 && g->a_batch == 1
                        && g->b_batch == 1 && g->a_col != 1 && g->b_row != 1;
    if (all == 1) {
        gk_mat_long<S, A>(g);
    } else if (small || across) {
        const int64_t piece = ((g->batch + 63) / 64 + 63) / 64 * 64;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (threads)
#endif
        for (int t = 0; t < 64; t++) {
            const int64_t z = t * piece, end = z + piece;
            gk_mat_few<S, A>(g, z, end < g->batch ? end : g->batch);
        }
    } else if (g->m < 3 || g->n < 3) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (threads)
#endif
        for (int64_t i = 0; i < all; i++) gk_mat_element<S, A>(g, i);
    } else {
        constexpr int R = GK_MAT_R, W = gk_mat_w<A>;
        const int M = g->m < GK_MAT_M ? ((int)g->m + R - 1) / R * R : GK_MAT_M;
        const int N = g->n < gk_mat_n<A> ? ((int)g->n + W - 1) / W * W
                                         : gk_mat_n<A>;
        (void)threads;              /* without OpenMP                       */
#ifdef _OPENMP
        if (threads) {
#pragma omp parallel
            gk_mat_share<S, A>(g, M, N);
            return;
        }
#endif
        gk_mat_share<S, A>(g, M, N);
    }
}
#if GK_PART_IS(matrix_cpu)
extern "C" void gk_cpu_gemm(const ga__gemm *g) {
    switch (g->t) {
    case GA_BOOL: gk_mat_cpu<gk_mat_bit>(g); break;
    case GA_INT8: case GA_UINT8: gk_mat_cpu<uint8_t>(g); break;
    case GA_INT16: case GA_UINT16: gk_mat_cpu<uint16_t>(g); break;
    case GA_INT32: case GA_UINT32: gk_mat_cpu<uint32_t>(g); break;
    case GA_INT64: case GA_UINT64: gk_mat_cpu<uint64_t>(g); break;
    case GA_FLOAT16: gk_mat_cpu<gk_f16>(g); break;
    case GA_BFLOAT16: gk_mat_cpu<gk_bf16>(g); break;
    case GA_FLOAT32: gk_mat_cpu<float>(g); break;
    case GA_FLOAT64: gk_mat_cpu<double>(g); break;
    case GA_COMPLEX64: gk_mat_cpu<gk_c64>(g); break;
    default: gk_mat_cpu<gk_c128>(g); break;
    }
}
#endif

#ifndef GPUARR_NO_CUDA
/* --------------------------------------------------------------- the GPU
   16 R by 16 R of C a block, R by R a thread, panels of 16 along k in shared
   memory, read along whichever of an operand's axes is the closer one. R is 8
   where that leaves no multiprocessor idle (2048^3 of int32 on an H200: 0.98
   ms with 4, the multipliers' limit is 0.58).                               */
template<class S, class A, int R>
__global__ void __launch_bounds__(256) gk_mat_tiles(ga__gemm g, int64_t nt) {
    constexpr int K = sizeof(A) == 16 ? 8 : 16, W = 16 * R;
    constexpr int pad = sizeof(A) < 4 ? 4 : 16 / (int)sizeof(A);
    alignas(16) __shared__ A sa[K][W + pad];
    alignas(16) __shared__ A sb[K][W + pad];
    const int t = (int)threadIdx.x, tx = t & 15, ty = t >> 4;
    const int64_t i0 = (int64_t)blockIdx.x / nt * W;
    const int64_t j0 = (int64_t)blockIdx.x % nt * W;
    const bool ak = g.a_col == 1, bk = g.b_row == 1 && g.b_col != 1;
    for (int64_t z = blockIdx.y; z < g.batch; z += gridDim.y) {
        const S *x = (const S *)g.a + z * g.a_batch;
        const S *y = (const S *)g.b + z * g.b_batch;
        S *out = (S *)g.c + z * g.c_batch;
        A c[R][R] = {};
        for (int64_t p0 = 0; p0 < g.k; p0 += K) {
            A va[R * K / 16], vb[R * K / 16];
#pragma unroll
            for (int e = 0; e < R * K / 16; e++) {
                const int u = e * 256 + t;
                const int64_t am = i0 + (ak ? u / K : u % W);
                const int64_t ap = p0 + (ak ? u % K : u / W);
                const int64_t bn = j0 + (bk ? u / K : u % W);
                const int64_t bp = p0 + (bk ? u % K : u / W);
                va[e] = vb[e] = A{};
                if (am < g.m && ap < g.k)
                    va[e] = gk_mat_in<A>(x[am * g.a_row + ap * g.a_col],
                                         g.a_conj);
                if (bn < g.n && bp < g.k)
                    vb[e] = gk_mat_in<A>(y[bn * g.b_col + bp * g.b_row],
                                         g.b_conj);
            }
            __syncthreads();
#pragma unroll
            for (int e = 0; e < R * K / 16; e++) {
                const int u = e * 256 + t;
                if (ak) sa[u % K][u / K] = va[e];
                else sa[u / W][u % W] = va[e];
                if (bk) sb[u % K][u / K] = vb[e];
                else sb[u / W][u % W] = vb[e];
            }
            __syncthreads();
#pragma unroll
            for (int p = 0; p < K; p++) {
                A a[R], b[R];
#pragma unroll
                for (int i = 0; i < R; i++) {
                    a[i] = sa[p][ty * 4 + i % 4 + i / 4 * 64];
                    b[i] = sb[p][tx * 4 + i % 4 + i / 4 * 64];
                }
#pragma unroll
                for (int i = 0; i < R; i++)
#pragma unroll
                    for (int j = 0; j < R; j++)
                        c[i][j] = gk_mat_mad(c[i][j], a[i], b[j]);
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < R; i++)
#pragma unroll
            for (int j = 0; j < R; j++) {
                const int64_t r = i0 + ty * 4 + i % 4 + i / 4 * 64;
                const int64_t q = j0 + tx * 4 + j % 4 + j / 4 * 64;
                if (r < g.m && q < g.n)
                    out[r * g.c_row + q] = gk_mat_out<S>(c[i][j]);
            }
    }
}

template<class A> GK_INL A gk_mat_shuffle(A v, int d) {
#if GK_DEVICE
    uint32_t w[sizeof(A) < 4 ? 1 : sizeof(A) / 4] = {};
    memcpy(w, &v, sizeof v);
    for (unsigned i = 0; i < sizeof w / 4; i++)
        w[i] = __shfl_down_sync(0xffffffffu, w[i], (unsigned)d);
    memcpy(&v, w, sizeof v);
#else
    (void)d;
#endif
    return v;
}
/* The sum over a block's threads, in a fixed order, in thread 0. */
template<class A> __device__ static inline A gk_mat_block(A v) {
    __shared__ A part[8];
    const int t = (int)threadIdx.x;
    for (int d = 16; d; d >>= 1) v = gk_mat_plus(v, gk_mat_shuffle(v, d));
    if ((t & 31) == 0) part[t >> 5] = v;
    __syncthreads();
    if (t == 0)
        for (int i = 1; i < 8; i++) v = gk_mat_plus(v, part[i]);
    __syncthreads();
    return v;
}
template<class S> struct alignas(16) gk_mat_vec { S v[16 / sizeof(S)]; };
/* Short dot products, each by 2^lg of a warp's threads; 16 bytes at a time
   where both vectors are dense and aligned.                                 */
template<class S, class A>
__global__ void __launch_bounds__(256) gk_mat_short(ga__gemm g, int lg,
                                                    bool dense) {
    constexpr int V = 16 / (int)sizeof(S);
    typedef gk_mat_vec<S> vec;
    const int G = 1 << lg, lane = (int)threadIdx.x & (G - 1);
    const int64_t total = g.batch * g.m * g.n;
    const int64_t all = ((total << lg) + 31) / 32 * 32;     /* whole warps   */
    const int64_t step = (int64_t)gridDim.x * 256;
    for (int64_t u = (int64_t)blockIdx.x * 256 + threadIdx.x; u < all;
         u += step) {
        const bool mine = u >> lg < total;
        const int64_t o = mine ? u >> lg : 0, q = o % g.n, r = o / g.n % g.m;
        const int64_t z = o / g.n / g.m;
        const S *x = (const S *)g.a + z * g.a_batch + r * g.a_row;
        const S *y = (const S *)g.b + z * g.b_batch + q * g.b_col;
        A s = {};
        int64_t p = lane;
        if (dense && ((uintptr_t)x | (uintptr_t)y) % 16 == 0) {
#pragma unroll 4
            for (; (p + 1) * V <= g.k; p += G) {
                const vec a = ((const vec *)x)[p], b = ((const vec *)y)[p];
#pragma unroll
                for (int j = 0; j < V; j++)
                    s = gk_mat_mad(s, gk_mat_in<A>(a.v[j], g.a_conj),
                                   gk_mat_in<A>(b.v[j], g.b_conj));
            }
            p = g.k / V * V + lane;
        }
#pragma unroll 4
        for (; p < g.k; p += G)
            s = gk_mat_mad(s, gk_mat_in<A>(x[p * g.a_col], g.a_conj),
                           gk_mat_in<A>(y[p * g.b_row], g.b_conj));
        for (int d = G >> 1; d; d >>= 1)
            s = gk_mat_plus(s, gk_mat_shuffle(s, d));
        if (lane || !mine) continue;
        ((S *)g.c)[z * g.c_batch + r * g.c_row + q] = gk_mat_out<S>(s);
    }
}
/* Long ones, `parts` blocks each: the sums go to C, or to work where there
   are several.                                                              */
template<class S, class A>
__global__ void __launch_bounds__(256) gk_mat_dots(ga__gemm g, int parts,
                                                   int64_t run, bool dense,
                                                   A *work) {
    constexpr int V = 16 / (int)sizeof(S), T = 256;
    typedef gk_mat_vec<S> vec;
    const int64_t total = g.batch * g.m * g.n * parts;
    for (int64_t u = blockIdx.x; u < total; u += gridDim.x) {
        const int64_t o = u / parts, q = o % g.n, r = o / g.n % g.m;
        const int64_t z = o / g.n / g.m, p0 = u % parts * run;
        const int64_t end = p0 + run < g.k ? p0 + run : g.k;
        const S *x = (const S *)g.a + z * g.a_batch + r * g.a_row;
        const S *y = (const S *)g.b + z * g.b_batch + q * g.b_col;
        A s[4] = {};
        int64_t p = p0 + threadIdx.x;
        if (dense && ((uintptr_t)x | (uintptr_t)y) % 16 == 0) {
            p = p0 / V + threadIdx.x;           /* run is a multiple of V   */
            const vec *xv = (const vec *)x, *yv = (const vec *)y;
            for (; (p + 3 * T + 1) * V <= end; p += 4 * T) {
                vec a[4], b[4];
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    a[i] = xv[p + i * T];
                    b[i] = yv[p + i * T];
                }
#pragma unroll
                for (int i = 0; i < 4; i++)
#pragma unroll
                    for (int j = 0; j < V; j++)
                        s[i] = gk_mat_mad(s[i],
                                          gk_mat_in<A>(a[i].v[j], g.a_conj),
                                          gk_mat_in<A>(b[i].v[j], g.b_conj));
            }
            for (; (p + 1) * V <= end; p += T) {
                const vec a = xv[p], b = yv[p];
#pragma unroll
                for (int j = 0; j < V; j++)
                    s[0] = gk_mat_mad(s[0], gk_mat_in<A>(a.v[j], g.a_conj),
                                      gk_mat_in<A>(b.v[j], g.b_conj));
            }
            p = end / V * V + threadIdx.x;
            if (p < p0) p = p0 + threadIdx.x;
        }
        for (; p < end; p += T)
            s[1] = gk_mat_mad(s[1], gk_mat_in<A>(x[p * g.a_col], g.a_conj),
                              gk_mat_in<A>(y[p * g.b_row], g.b_conj));
        A v = gk_mat_block(gk_mat_plus(gk_mat_plus(s[0], s[1]),
                                          gk_mat_plus(s[2], s[3])));
        if (threadIdx.x) continue;
        if (parts > 1) work[u] = v;
        else ((S *)g.c)[z * g.c_batch + r * g.c_row + q] = gk_mat_out<S>(v);
    }
}
template<class S, class A>
__global__ void __launch_bounds__(256) gk_mat_join(ga__gemm g, int parts,
                                                   const A *work) {
    const int64_t o = blockIdx.x;
    A v = {};
    for (int p = (int)threadIdx.x; p < parts; p += 256)
        v = gk_mat_plus(v, work[o * parts + p]);
    v = gk_mat_block(v);
    if (threadIdx.x) return;
    ((S *)g.c)[o / g.n / g.m * g.c_batch + o / g.n % g.m * g.c_row
               + o % g.n] = gk_mat_out<S>(v);
}

/* One vector in it, and the other operand runs along k: dot products, in how
   many parts each; 0 where tiles serve better.                              */
static int gk_mat_parts(const ga__gemm *g, int mps, int64_t *run) {
    const bool dots = (g->n == 1 && (g->a_col == 1 || g->m == 1))
                      || (g->m == 1 && g->b_row == 1);
    if (!dots) return 0;
    const int64_t all = g->batch * g->m * g->n, want = 8 * (int64_t)mps;
    int64_t parts = all < want ? want / all : 1, least = g->k / 8192;
    if (parts > least) parts = least > 0 ? least : 1;
    *run = ((g->k + parts - 1) / parts + 4095) / 4096 * 4096;
    return (int)((g->k + *run - 1) / *run);
}
extern "C" size_t gk_cuda_gemm_work(const ga__gemm *g, int mps) {
    int64_t run;
    int parts = gk_mat_parts(g, mps, &run);
    return parts > 1 ? (size_t)(g->batch * g->m * g->n * parts) * 16 : 0;
}
template<class S>
static void gk_mat_cuda(const ga__gemm *g, void *work, cudaStream_t st,
                        int mps) {
    typedef typename gk_mat_sum<S>::type A;
    int64_t run = 0;
    const int parts = gk_mat_parts(g, mps, &run);
    const int64_t all = g->batch * g->m * g->n * parts;
    if (!parts) {
        const unsigned nz = (unsigned)(g->batch < 65535 ? g->batch : 65535);
        int64_t mt = (g->m + 127) / 128, nt = (g->n + 127) / 128;
        if constexpr (gk_int<A> || std::is_same<A, gk_mat_bit>::value)
            if (mt * nt * nz >= mps && g->m > 64 && g->n > 64) {
                gk_mat_tiles<S, A, 8><<<dim3((unsigned)(mt * nt), nz), 256, 0,
                                        st>>>(*g, nt);
                return;
            }
        mt = (g->m + 63) / 64;
        nt = (g->n + 63) / 64;
        gk_mat_tiles<S, A, 4><<<dim3((unsigned)(mt * nt), nz), 256, 0, st>>>(
            *g, nt);
        return;
    }
    const bool dense = g->a_col == 1 && g->b_row == 1;
    if (g->k <= 1024) {
        const int64_t loads = dense ? g->k * (int64_t)sizeof(S) / 16 : g->k;
        int lg = 0;
        while (lg < 5 && ((int64_t)4 << lg) < loads) lg++;
        const int64_t want = ((all << lg) + 255) / 256;
        const unsigned blocks = (unsigned)(want < 1 << 20 ? want : 1 << 20);
        gk_mat_short<S, A><<<blocks, 256, 0, st>>>(*g, lg, dense);
        return;
    }
    const unsigned blocks = (unsigned)(all < 1 << 30 ? all : 1 << 30);
    gk_mat_dots<S, A><<<blocks, 256, 0, st>>>(*g, parts, run, dense,
                                              (A *)work);
    if (parts > 1)
        gk_mat_join<S, A><<<(unsigned)(all / parts), 256, 0, st>>>(
            *g, parts, (const A *)work);
}
extern "C" int gk_cuda_gemm(const ga__gemm *g, void *stream, int mps) {
    cudaStream_t st = (cudaStream_t)stream;
    void *work = g->use.work;
    switch (g->t) {
    case GA_BOOL: gk_mat_cuda<gk_mat_bit>(g, work, st, mps); break;
    case GA_INT8: case GA_UINT8: gk_mat_cuda<uint8_t>(g, work, st, mps); break;
    case GA_INT16: case GA_UINT16:
        gk_mat_cuda<uint16_t>(g, work, st, mps);
        break;
    case GA_INT32: case GA_UINT32:
        gk_mat_cuda<uint32_t>(g, work, st, mps);
        break;
    case GA_INT64: case GA_UINT64:
        gk_mat_cuda<uint64_t>(g, work, st, mps);
        break;
    case GA_FLOAT16: gk_mat_cuda<gk_f16>(g, work, st, mps); break;
    case GA_BFLOAT16: gk_mat_cuda<gk_bf16>(g, work, st, mps); break;
    case GA_FLOAT32: gk_mat_cuda<float>(g, work, st, mps); break;
    case GA_FLOAT64: gk_mat_cuda<double>(g, work, st, mps); break;
    case GA_COMPLEX64: gk_mat_cuda<gk_c64>(g, work, st, mps); break;
    default: gk_mat_cuda<gk_c128>(g, work, st, mps); break;
    }
    return (int)cudaGetLastError();
}
#endif
#endif

/* ================================================================ >>lu
   LU with partial pivoting and triangular solving on the GPU: what is not a
   matrix product. gpuarr.h's >>i-lu puts the pieces together.             */
#if (GK_PART_IS(lu_single_cuda) || GK_PART_IS(lu_double_cuda)) \
    && !defined(GPUARR_NO_CUDA)
#define GK_LU_ALL 0xffffffffu

/* a - b c, rounded as the compiler likes */
template<class R> GK_INL R gk_lu_sub(R a, R b, R c) { return a - b * c; }
template<class R> GK_INL gk_complex<R>
gk_lu_sub(gk_complex<R> a, gk_complex<R> b, gk_complex<R> c) {
    return gk_complex<R>{a.re - b.re * c.re + b.im * c.im,
                         a.im - b.re * c.im - b.im * c.re};
}
template<class T> __device__ static T gk_lu_one() { return T{1}; }

/* Off the usual path: once, and not wherever a loop is unrolled. */
template<class T> __device__ __noinline__ static T gk_lu_divide(T a, T b) {
    return gk_divide(a, b);
}

/* |re| + |im|, LAPACK's size of a pivot, as an integer that compares as it
   does and is never 0, which is no candidate's; a NaN is above everything, so
   that it becomes the pivot and shows. The upper half nearly always decides. */
constexpr uint64_t GK_LU_ZERO = (uint64_t)1 << 32;      /* the key of 0     */
GK_INL uint64_t gk_lu_key(double x) {
    return (gk_bits<uint64_t>(x) & INT64_MAX) + GK_LU_ZERO;
}
GK_INL uint64_t gk_lu_key(float x) {
    return (uint64_t)((gk_bits<uint32_t>(x) & INT32_MAX) + 1) << 32;
}
template<class R> GK_INL uint64_t gk_lu_key(gk_complex<R> z) {
    return gk_lu_key((R)(gk_absolute(z.re) + gk_absolute(z.im)));
}

#if defined(__CUDA_ARCH__)
#if __CUDA_ARCH__ >= 800
__device__ static inline uint32_t gk_lu_max(uint32_t x) {
    return __reduce_max_sync(GK_LU_ALL, x);
}
#else
__device__ static inline uint32_t gk_lu_max(uint32_t x) {
    for (int d = 16; d; d >>= 1) {
        uint32_t y = __shfl_xor_sync(GK_LU_ALL, x, d);
        x = y > x ? y : x;
    }
    return x;
}
#endif
/* The lane of the warp with the largest key and of such the lowest row; `top`
   is the largest upper half.                                               */
__device__ static inline int gk_lu_leader(uint64_t key, uint32_t row,
                                          uint32_t top) {
    bool mine = (uint32_t)(key >> 32) == top;
    uint32_t who = __ballot_sync(GK_LU_ALL, mine);
    if (who & (who - 1)) {
        uint32_t low = gk_lu_max(mine ? (uint32_t)key : 0);
        mine &= (uint32_t)key == low;
        uint32_t first = ~gk_lu_max(mine ? ~row : 0);
        who = __ballot_sync(GK_LU_ALL, mine && row == first);
    }
    return __ffs((int)who) - 1;
}
__device__ static inline int gk_lu_leader(uint64_t key, uint32_t row) {
    return gk_lu_leader(key, row, gk_lu_max((uint32_t)(key >> 32)));
}
template<class R>
__device__ static inline R gk_lu_shfl(R x, int lane) {
    return __shfl_sync(GK_LU_ALL, x, lane);
}
template<class R>
__device__ static inline gk_complex<R> gk_lu_shfl(gk_complex<R> z, int lane) {
    return gk_complex<R>{gk_lu_shfl(z.re, lane), gk_lu_shfl(z.im, lane)};
}
#endif

/* The net effect of w <= 32 exchanges, row k with row piv[k] >= k (from 0),
   by a warp: row k comes from src, and what stood in row k goes to dst.
   `label` says whose row stands at k now, `out` whose at piv[k] beyond w
   (kept by the first lane with that piv).                                  */
#if defined(__CUDA_ARCH__)
__device__ static inline void gk_lu_moves(int piv, int w, int lane, int *src,
                                          int *dst) {
    int label = lane, out = piv;
    int keeper = __ffs((int)__match_any_sync(GK_LU_ALL, lane < w ? piv : -1))
                 - 1;
    for (int k = 0; k < w; k++) {
        int p = __shfl_sync(GK_LU_ALL, piv, k);
        int q = __shfl_sync(GK_LU_ALL, keeper, k);
        int here = __shfl_sync(GK_LU_ALL, label, k);
        if (p < w) {
            int there = __shfl_sync(GK_LU_ALL, label, p);
            if (lane == p) label = here;
            if (lane == k) label = there;
        } else {
            int there = __shfl_sync(GK_LU_ALL, out, q);
            if (lane == q) out = here;
            if (lane == k) label = there;
        }
    }
    *src = label;
    /* a row below w that stands nowhere in the top went out */
    int to = lane;
    for (int k = 0; k < w; k++) {
        int l = __shfl_sync(GK_LU_ALL, label, k);
        int o = __shfl_sync(GK_LU_ALL, out, k);
        int p = __shfl_sync(GK_LU_ALL, piv, k);
        int q = __shfl_sync(GK_LU_ALL, keeper, k);
        if (l == lane) to = k;
        if (p >= w && q == k && o == lane) to = p;
    }
    *dst = to;
}
#endif

/* ------------------------------------------------------- one warp, n <= 32
   A row a lane, in registers. Rows do not move: each knows where it stands.
   The finished column leaves for the end of the W live ones, the others move
   one down, so that the code of a column is the same for all eight of a turn;
   then W is less by eight. After all turns column 8 t + i of N lies in x[N - 8
   - 8 t + i]. `end` columns are eliminated.                                 */
#if defined(__CUDA_ARCH__)
template<class T, int N, int W>
__device__ static __forceinline__ void
gk_lu_tiny_turn(T (&x)[N], T (&pivot)[2][N], int m, int end, int lane,
                uint32_t &pos, int &bad, int32_t *piv) {
    constexpr int FIRST = N - W;
    if (FIRST >= end) {             /* small matrices: moved at once        */
        T first[8];
#pragma unroll
        for (int k = 0; k < 8; k++) first[k] = x[k];
#pragma unroll
        for (int k = 8; k < W; k++) x[k - 8] = x[k];
#pragma unroll
        for (int k = 0; k < 8; k++) x[W - 8 + k] = first[k];
    } else for (int j = FIRST; j < FIRST + 8; j++) {
        const T *u = pivot[j % 2];
        T l = x[0];
        bool below = false;
        if (j < end) {
            uint64_t key = lane < m && (int)pos >= j ? gk_lu_key(x[0]) : 0;
            int best = gk_lu_leader(key, pos);
            uint32_t p = __shfl_sync(GK_LU_ALL, pos, best);
            if (lane == best)
#pragma unroll
                for (int k = 0; k < W; k++) pivot[j % 2][k] = x[k];
            __syncwarp();
            T r = u[0], inv = T{};
            if (gk_lu_key(r) == GK_LU_ZERO) bad = bad ? bad : j + 1;
            else inv = gk_divide(gk_lu_one<T>(), r);
            if (lane == best) pos = (uint32_t)j;
            else if (pos == (uint32_t)j) pos = p;
            below = (int)pos > j;
            if (below)
                l = gk_isfinite(inv) ? gk_multiply(l, inv)
                                     : gk_lu_divide(l, r);
            if (lane == 0) piv[j] = (int32_t)p + 1;
        }
#pragma unroll
        for (int k = 1; k < W; k++)
            x[k - 1] = below && (k < W - 8 || k < N - j)
                       ? gk_lu_sub(x[k], l, u[k]) : x[k];
        x[W - 1] = l;
    }
    if constexpr (W > 8)
        gk_lu_tiny_turn<T, N, W - 8>(x, pivot, m, end, lane, pos, bad, piv);
}
#endif
/* n <= N */
template<class T, int N>
__global__ void __launch_bounds__(128)
gk_lu_tiny(T *a, int m, int n, int64_t batch, int32_t *piv, int32_t *info) {
#if defined(__CUDA_ARCH__)
    __shared__ T pivot[4][2][N];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int64_t b = (int64_t)blockIdx.x * 4 + warp;
    if (b >= batch) return;
    a += b * m * n;
    piv += b * min(m, n);
    T x[N];
#pragma unroll
    for (int k = 0; k < N; k++)
        x[k] = lane < m && k < n ? a[k * m + lane] : T{};
    uint32_t pos = (uint32_t)lane;
    int bad = 0;
    gk_lu_tiny_turn<T, N, N>(x, pivot[warp], m, min(m, n), lane, pos, bad, piv);
    if (lane == 0) info[b] = bad;
#pragma unroll
    for (int k = 0; k < N; k++)
        if (lane < m && k < n) a[k * m + pos] = x[N - 8 - k / 8 * 8 + k % 8];
#endif
}

/* op(A) X = B from such factors: A in shared memory, an element of four
   columns of B in each lane.                                               */
template<class T, int WARPS>
__global__ void __launch_bounds__(WARPS * 32)
gk_lu_tiny_solve(const T *a, const int32_t *piv, T *x, int n, int64_t nrhs,
                 int64_t batch, int trans) {
#if defined(__CUDA_ARCH__)
    __shared__ T tile[WARPS][32][33];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    T (*s)[33] = tile[warp];
    int64_t b = (int64_t)blockIdx.x * WARPS + warp;
    if (b >= batch) return;
    a += b * n * n;
    x += b * n * nrhs;
    for (int k = 0; k < n; k++) {
        T v = lane < n ? a[k * n + lane] : T{};
        s[k][lane] = trans == 2 ? gk_conj(v) : v;
    }
    int p = lane < n ? piv[b * n + lane] - 1 : lane, src, dst;
    gk_lu_moves(p, n, lane, &src, &dst);
    __syncwarp();
    T d = lane < n ? s[lane][lane] : gk_lu_one<T>();
    T inv = gk_divide(gk_lu_one<T>(), d);
    bool slow = __any_sync(GK_LU_ALL, !gk_isfinite(inv));
    for (int64_t c = 4 * (int64_t)blockIdx.y; c < nrhs; c += 4 * gridDim.y) {
        T v[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            v[i] = lane < n && c + i < nrhs
                   ? x[(c + i) * n + (trans ? lane : src)] : T{};
        __syncwarp();
        for (int pass = 0; pass < 2; pass++) {
            bool unit = (pass == 0) == (trans == 0);
            for (int h = 0; h < n; h++) {
                int k = pass == 0 ? h : n - 1 - h;
                T l = trans ? s[lane][k] : s[k][lane];
                bool later = pass == 0 ? lane > k : lane < k;
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    if (!unit && lane == k)
                        v[i] = slow ? gk_lu_divide(v[i], d)
                                    : gk_multiply(v[i], inv);
                    T w = gk_lu_shfl(v[i], k);
                    if (later) v[i] = gk_lu_sub(v[i], l, w);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (lane < n && c + i < nrhs)
                x[(c + i) * n + (trans ? src : lane)] = v[i];
    }
#endif
}

/* ------------------------------------------------------------- the panel
   Columns 0..w-1 of m rows by a cluster of blocks: R rows a thread, in
   registers. Rows do not move: each knows where it stands, and goes there at
   the end. For each column: the largest of a warp, of a block (with its row,
   in shared memory), which the block sends to all blocks of the cluster; the
   last to arrive lets each go on (one way; a cluster barrier would be two).
   The finished column leaves for shared memory, the others move one down, so
   that the code of a column is the same for all; STEP columns later it is
   made anew for STEP fewer.
   Two of each buffer: who writes the one of column j+2 has heard from all
   that have read that of column j.
   On an H200 a panel of 4096 rows takes 40 us (a column 1.0, of which 0.1 is
   the way between blocks); with every warp's candidate told to all blocks and
   only the winner's row sent, which saves the block's barrier, it took 48.  */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define GK_LU_CLUSTER 1
__device__ static inline uint32_t gk_lu_at(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ static inline uint32_t gk_lu_in(uint32_t at, uint32_t block) {
    uint32_t r;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(block));
    return r;
}
__device__ static inline void gk_lu_together() {
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ static inline void gk_lu_send(uint32_t to, uint4 v, uint32_t bar) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
                 ".v4.b32 [%0], {%1, %2, %3, %4}, [%5];"
                 :: "r"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "r"(bar)
                 : "memory");
}
__device__ static inline void gk_lu_expect(uint32_t bar, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(bar), "r"(bytes) : "memory");
}
__device__ static inline void gk_lu_wait(uint32_t bar, uint32_t parity) {
    asm volatile("{\n .reg .pred p;\n"
                 "again: mbarrier.try_wait.parity.acquire.cluster.shared::cta"
                 ".b64 p, [%0], %1;\n @!p bra again;\n}"
                 :: "r"(bar), "r"(parity) : "memory");
}
#endif

struct gk_lu_panel_args {
    void *a;                        /* the panel's first element            */
    int64_t lda, stride;            /* between matrices                     */
    int m, w, row, rows;            /* row: of the first; rows: a block     */
    int32_t *piv, *info, *moves;    /* moves: src and dst of each column    */
    int64_t piv_stride, moves_stride;
};
/* A candidate: the row and, behind it, key and place. */
template<class T, int NB> struct alignas(16) gk_lu_cand {
    T x[NB];
    uint64_t key;
    uint32_t row, pad;
};
constexpr int GK_LU_BLOCKS = 16;    /* largest cluster                      */
template<class T, int NB> struct gk_lu_panel_shared {
    gk_lu_cand<T, NB> mine[2][12], all[2][GK_LU_BLOCKS];
    uint64_t bar[2];
    T u[2];
};

#ifdef GK_LU_CLUSTER
template<class T, int NB, int R> struct gk_lu_rows_of {
    T x[R][NB];
    uint32_t pos[R];
    uint64_t key;                   /* of the best of them                  */
    uint32_t row, top;              /* its place; upper half of the warp's  */
    __device__ __forceinline__ void look(int j, int m) {
        key = 0;
        row = UINT32_MAX;
#pragma unroll
        for (int r = 0; r < R; r++) {
            uint64_t k = pos[r] >= (uint32_t)j && pos[r] < (uint32_t)m
                         ? gk_lu_key(x[r][0]) : 0;
            if (k > key || (k == key && pos[r] < row && k)) {
                key = k;
                row = pos[r];
            }
        }
        top = gk_lu_max((uint32_t)(key >> 32));
    }
};
template<class T> __device__ static __forceinline__ T gk_lu_inverse(T x) {
    return gk_lu_key(x) == GK_LU_ZERO ? T{} : gk_divide(gk_lu_one<T>(), x);
}
/* Columns from j on, W of them live in x, of which the first has been looked
   at; the next one's search starts before the rest is eliminated.          */
template<class T, int NB, int R, int W, int STEP>
__device__ static __forceinline__ void
gk_lu_columns(const gk_lu_panel_args &g, gk_lu_rows_of<T, NB, R> &me,
              gk_lu_panel_shared<T, NB> *sh, T *done, T *a, int32_t *piv,
              int32_t *info, uint32_t rank, uint32_t blocks) {
    constexpr int CHUNKS = W * (int)sizeof(T) / 16;
    int t = (int)threadIdx.x, lane = t % 32, warp = t / 32;
    int warps = (int)blockDim.x / 32;
    int end = min(g.w, NB - W + STEP);
    for (int j = NB - W; j < end; j++) {
        int two = j % 2;
        uint32_t bar = gk_lu_at(&sh->bar[two]);
        /* the warp's */
        if (lane == gk_lu_leader(me.key, me.row, me.top)) {
            gk_lu_cand<T, NB> *c = &sh->mine[two][warp];
            c->key = me.key;
            c->row = me.row;
#pragma unroll
            for (int r = 0; r < R; r++)
                if (me.pos[r] == me.row)
#pragma unroll
                    for (int k = 0; k < W; k++) c->x[k] = me.x[r][k];
        }
        if (t == 0 && blocks > 1)
            gk_lu_expect(bar, blocks * (CHUNKS + 1) * 16);
        __syncthreads();
        /* the block's, sent to all */
        uint64_t key = 0;
        uint32_t row = UINT32_MAX;
        if (lane < warps) {
            key = sh->mine[two][lane].key;
            row = sh->mine[two][lane].row;
        }
        int best = gk_lu_leader(key, row);
        const gk_lu_cand<T, NB> *c = &sh->mine[two][best];
        T inv;
        if (blocks == 1) {
            inv = gk_lu_inverse(c->x[0]);
        } else {
            uint32_t to = gk_lu_at(&sh->all[two][rank]);
            if (lane <= CHUNKS) {
                uint32_t off = lane < CHUNKS ? (uint32_t)lane * 16
                               : (uint32_t)(NB * sizeof(T));
                uint4 v = *(const uint4 *)((const char *)c + off);
                for (uint32_t b = (uint32_t)warp; b < blocks;
                     b += (uint32_t)warps)
                    gk_lu_send(gk_lu_in(to + off, b), v, gk_lu_in(bar, b));
            }
            gk_lu_wait(bar, (uint32_t)(j / 2 % 2));
            /* the cluster's */
            inv = T{};
            key = 0;
            row = UINT32_MAX;
            if (lane < (int)blocks) {
                key = sh->all[two][lane].key;
                row = sh->all[two][lane].row;
                inv = gk_lu_inverse(sh->all[two][lane].x[0]);
            }
            best = gk_lu_leader(key, row);
            inv = gk_lu_shfl(inv, best);
            c = &sh->all[two][best];
        }
        row = __shfl_sync(GK_LU_ALL, row, best);
        const T *u = c->x;
        bool slow = !gk_isfinite(inv);
        T l[R];
#pragma unroll
        for (int r = 0; r < R; r++) {
            l[r] = slow ? gk_divide(me.x[r][0], u[0])
                        : gk_multiply(me.x[r][0], inv);
            done[j * g.rows + r * (int)blockDim.x + t] = l[r];
            if (me.pos[r] == row) me.pos[r] = (uint32_t)j;
            else if (me.pos[r] == (uint32_t)j) me.pos[r] = row;
        }
#pragma unroll
        for (int r = 0; r < R; r++)
            me.x[r][0] = gk_lu_sub(me.x[r][1], l[r], u[1]);
        me.look(j + 1, g.m);
#pragma unroll
        for (int k = 2; k < W; k++) {
            T v = u[k];
#pragma unroll
            for (int r = 0; r < R; r++)
                me.x[r][k - 1] = gk_lu_sub(me.x[r][k], l[r], v);
        }
        /* U's row, which nobody reads again; the blocks take turns */
        if (rank == (uint32_t)j % blocks && warp == warps - 1
            && lane < g.w - j)
            a[j + (int64_t)(j + lane) * g.lda] = u[lane];
        if (rank == 0 && t == 0) {
            piv[j] = g.row + (int32_t)row + 1;
            if (gk_lu_key(u[0]) == GK_LU_ZERO && *info == 0)
                *info = g.row + j + 1;
        }
    }
    if constexpr (W > STEP) {
        if (g.w > NB - W + STEP)
            gk_lu_columns<T, NB, R, W - STEP, STEP>(g, me, sh, done, a, piv,
                                                    info, rank, blocks);
    }
}
#endif
template<class T, int NB, int R, int THREADS>
__global__ void __launch_bounds__(THREADS, 1)
gk_lu_panel(const __grid_constant__ gk_lu_panel_args g) {
#ifdef GK_LU_CLUSTER
    extern __shared__ __align__(16) unsigned char gk_lu_shared[];
    gk_lu_panel_shared<T, NB> *sh = (gk_lu_panel_shared<T, NB> *)gk_lu_shared;
    T *done = (T *)(sh + 1);
    int t = (int)threadIdx.x;
    uint32_t rank = blockIdx.x, blocks = gridDim.x;
    int64_t b = blockIdx.y;
    T *a = (T *)g.a + b * g.stride;
    int32_t *piv = g.piv + b * g.piv_stride;
    int32_t *moves = g.moves + b * g.moves_stride;
    gk_lu_rows_of<T, NB, R> me;
    int first = (int)rank * g.rows + t;
#pragma unroll
    for (int r = 0; r < R; r++) {
        int i = first + r * (int)blockDim.x;
        me.pos[r] = i < g.m ? (uint32_t)i : UINT32_MAX;
#pragma unroll
        for (int k = 0; k < NB; k++)
            me.x[r][k] = i < g.m && k < g.w ? a[i + k * g.lda] : T{};
    }
    if (t < 2)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
                     :: "r"(gk_lu_at(&sh->bar[t])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();
    gk_lu_together();
    me.look(0, g.m);
    gk_lu_columns<T, NB, R, NB, NB / 4>(g, me, sh, done, a, piv, g.info + b,
                                        rank, blocks);
#pragma unroll
    for (int r = 0; r < R; r++) {
        int i = first + r * (int)blockDim.x;
        if (i >= g.m) continue;
        int p = (int)me.pos[r];
        if (p < g.w) moves[p] = i;
        if (i < g.w) moves[NB + i] = p;
        for (int k = 0; k < min(g.w, p); k++)
            a[p + k * g.lda] = done[k * g.rows + r * (int)blockDim.x + t];
    }
    gk_lu_together();               /* nobody leaves while others send to it */
#endif
}

/* Where there are no clusters, or a column does not fit into one: two launches
   a column. The pivot of column j and its exchange in the panel ...        */
template<class T>
__global__ void __launch_bounds__(1024)
gk_lu_pivot(const __grid_constant__ gk_lu_panel_args g, int j) {
#if defined(__CUDA_ARCH__)
    __shared__ uint64_t keys[32];
    __shared__ uint32_t rows[32];
    int t = (int)threadIdx.x, lane = t % 32;
    T *a = (T *)g.a + (int64_t)blockIdx.x * g.stride;
    uint64_t key = 0;
    uint32_t row = UINT32_MAX;
    for (int i = j + t; i < g.m; i += 1024) {
        uint64_t k = gk_lu_key(a[i + j * g.lda]);
        if (k > key) key = k, row = (uint32_t)i;
    }
    if (lane == gk_lu_leader(key, row)) keys[t / 32] = key, rows[t / 32] = row;
    __syncthreads();
    key = keys[lane];
    row = rows[lane];
    int best = gk_lu_leader(key, row);
    key = __shfl_sync(GK_LU_ALL, key, best);
    row = __shfl_sync(GK_LU_ALL, row, best);
    if (t < g.w && row != (uint32_t)j) {
        T *c = a + t * g.lda, x = c[j];
        c[j] = c[row];
        c[row] = x;
    }
    if (t == 0) {
        int32_t *info = g.info + blockIdx.x;
        g.piv[blockIdx.x * g.piv_stride + j] = g.row + (int32_t)row + 1;
        if (key == GK_LU_ZERO && *info == 0) *info = g.row + j + 1;
    }
#endif
}
/* ... and its elimination; with the last one the moves. */
template<class T, int NB>
__global__ void __launch_bounds__(256)
gk_lu_eliminate(const __grid_constant__ gk_lu_panel_args g, int j) {
#if defined(__CUDA_ARCH__)
    T *a = (T *)g.a + (int64_t)blockIdx.y * g.stride;
    T p = a[j + j * g.lda];
    bool zero = gk_lu_key(p) == GK_LU_ZERO;
    for (int i = j + 1 + (int)(blockIdx.x * 256 + threadIdx.x); i < g.m;
         i += (int)gridDim.x * 256) {
        T l = zero ? T{} : gk_divide(a[i + j * g.lda], p);
        a[i + j * g.lda] = l;
        for (int k = j + 1; k < g.w; k++)
            a[i + k * g.lda] = gk_lu_sub(a[i + k * g.lda], l,
                                         a[j + k * g.lda]);
    }
    if (j == g.w - 1 && blockIdx.x == 0 && threadIdx.x < 32) {
        int lane = (int)threadIdx.x, src, dst;
        int32_t *moves = g.moves + blockIdx.y * g.moves_stride;
        int q = lane < g.w ? g.piv[blockIdx.y * g.piv_stride + lane] - 1
                             - g.row : lane;
        gk_lu_moves(q, g.w, lane, &src, &dst);
        if (lane < g.w) moves[lane] = src, moves[NB + lane] = dst;
    }
#endif
}

/* ------------------------------------------------------- exchanging rows
   The moves of panels `from` to `to`-1, and in the columns of the block those
   of panels to the right of the column's own; then, with `solve`, the last
   panel's unit lower triangle is divided out of its rows. A warp has four
   columns.                                                                 */
struct gk_lu_rows_args {
    void *a;                        /* row 0 of the block's rows, column 0  */
    int64_t lda, stride;
    int first, last;                /* columns                              */
    int block, w;                   /* the block's first column, its width  */
    int from, to;
    bool solve;
    const int32_t *moves;
    int64_t moves_stride;
};
template<class T, int NB>
__global__ void __launch_bounds__(128)
gk_lu_rows(const __grid_constant__ gk_lu_rows_args g) {
#if defined(__CUDA_ARCH__)
    constexpr int C = 4;
    __shared__ T tile[NB][NB + 1];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    T *a = (T *)g.a + (int64_t)blockIdx.y * g.stride;
    const int32_t *moves = g.moves + blockIdx.y * g.moves_stride;
    if (g.solve) {
        const T *l = a + (g.to - 1) * NB
                     + (g.block + (g.to - 1) * NB) * g.lda;
        int w = min(NB, g.w - (g.to - 1) * NB);
        for (int i = (int)threadIdx.x; i < NB * NB; i += 128) {
            int r = i % NB, k = i / NB;
            tile[k][r] = r > k && r < w ? l[r + k * g.lda] : T{};
        }
        __syncthreads();
    }
    for (int c = g.first + C * ((int)blockIdx.x * 4 + warp); c < g.last;
         c += C * 4 * (int)gridDim.x) {
        T x[C], y[C];
        T *col = a + c * g.lda;
        for (int p = g.from; p < g.to; p++) {
            int w = min(NB, g.w - p * NB), base = p * NB;
            int src = lane < w ? moves[p * 2 * NB + lane] : 0;
            int dst = lane < w ? moves[p * 2 * NB + NB + lane] : 0;
            bool on[C];
#pragma unroll
            for (int i = 0; i < C; i++) {
                int own = c + i - g.block;
                on[i] = lane < w && c + i < g.last
                        && !(own >= 0 && own < g.w && own / NB >= p
                             && !g.solve);
                if (on[i]) {
                    x[i] = col[base + src + i * g.lda];
                    y[i] = col[base + lane + i * g.lda];
                } else {
                    x[i] = T{};
                }
            }
            __syncwarp();
#pragma unroll
            for (int i = 0; i < C; i++)
                if (on[i]) {
                    if (!g.solve) col[base + lane + i * g.lda] = x[i];
                    if (dst >= w) col[base + dst + i * g.lda] = y[i];
                }
            __syncwarp();
        }
        if (!g.solve) continue;
        int w = min(NB, g.w - (g.to - 1) * NB);
#pragma unroll 4
        for (int k = 0; k < w - 1; k++) {
            T l = tile[k][lane % NB];
#pragma unroll
            for (int i = 0; i < C; i++) {
                T v = gk_lu_shfl(x[i], k);
                if (lane > k) x[i] = gk_lu_sub(x[i], l, v);
            }
        }
#pragma unroll
        for (int i = 0; i < C; i++)
            if (lane < w && c + i < g.last)
                col[(g.to - 1) * NB + lane + i * g.lda] = x[i];
    }
#endif
}

/* ------------------------------------------------------------ substitution
   L X = B for L up to 128 square, lower; everything else is this with other
   strides (upper: both run backwards; from the right: both transposed). A
   warp has C columns of X in registers, four rows a lane; the tiles of L come
   through shared memory, the next one on its way while one is used.        */
struct gk_lu_subst_args {
    const void *a;
    void *b;
    int64_t a_row, a_col, a_stride, b_row, b_col, b_stride;
    int n, nrhs;
    bool unit, conj;
};
template<class T, int C>
__global__ void __launch_bounds__(128)
gk_lu_subst(const __grid_constant__ gk_lu_subst_args g) {
#if defined(__CUDA_ARCH__)
    __shared__ T tile[2][32][33];
    __shared__ __align__(16) T solved[4][32][C];
    int t = (int)threadIdx.x, lane = t % 32, warp = t / 32;
    const T *a = (const T *)g.a + (int64_t)blockIdx.y * g.a_stride;
    T *b = (T *)g.b + (int64_t)blockIdx.y * g.b_stride;
    int64_t c = ((int64_t)blockIdx.x * 4 + warp) * C;
    bool along = g.a_row == 1 || g.a_row == -1;
    int row = along ? lane : warp, column = along ? warp : lane;
    int64_t apart = 4 * (along ? g.a_col : g.a_row);
    T x[4][C], next[2][8];
    auto fetch = [&](int q, int p, T *to) {
        const T *from = a + (32 * q + row) * g.a_row
                        + (32 * p + column) * g.a_col;
#pragma unroll
        for (int i = 0; i < 8; i++, from += apart) {
            int r = 32 * q + row + (along ? 0 : 4 * i);
            int k = 32 * p + column + (along ? 4 * i : 0);
            to[i] = r < g.n && (q > p || k <= r) ? *from : T{};
        }
    };
    /* ten tiles, down each column of them: number i is (q, p) */
#define GK_LU_TILE(i) \
    ((i) < 4 ? (i) : (i) < 7 ? (i) - 3 : (i) < 9 ? (i) - 5 : 3), \
    ((i) < 4 ? 0 : (i) < 7 ? 1 : (i) < 9 ? 2 : 3)
    fetch(GK_LU_TILE(0), next[0]);
    fetch(GK_LU_TILE(1), next[1]);
#pragma unroll
    for (int q = 0; q < 4; q++)
#pragma unroll
        for (int i = 0; i < C; i++)
            x[q][i] = 32 * q + lane < g.n && c + i < g.nrhs
                      ? b[(32 * q + lane) * g.b_row + (c + i) * g.b_col] : T{};
    int two = 0;
#pragma unroll
    for (int s = 0; s < 10; s++) {
        const int at[2] = {GK_LU_TILE(s)}, q = at[0], p = at[1];
        if (32 * q >= g.n) {        /* such tiles take no turn in `tile`    */
            if (s < 8) fetch(GK_LU_TILE(s + 2), next[s % 2]);
            continue;
        }
        two ^= 1;
        T *to = &tile[two][column][row];
#pragma unroll
        for (int i = 0; i < 8; i++, to += along ? 4 * 33 : 4)
            *to = g.conj ? gk_conj(next[s % 2][i]) : next[s % 2][i];
        __syncthreads();
        if (s < 8) fetch(GK_LU_TILE(s + 2), next[s % 2]);
        if (q == p) {
            T d = g.unit || 32 * p + lane >= g.n ? gk_lu_one<T>()
                                                 : tile[two][lane][lane];
            T inv = gk_divide(gk_lu_one<T>(), d);
            bool slow = __any_sync(GK_LU_ALL, !gk_isfinite(inv));
            auto ready = [&](T v) {
                return g.unit ? v : slow ? gk_lu_divide(v, d)
                                         : gk_multiply(v, inv);
            };
#pragma unroll 4
            for (int k = 0; k < 32; k++) {
                T l = tile[two][k][lane];
#pragma unroll
                for (int i = 0; i < C; i++) {
                    T v = gk_lu_shfl(ready(x[p][i]), k);
                    if (lane > k) x[p][i] = gk_lu_sub(x[p][i], l, v);
                }
            }
            __syncwarp();
#pragma unroll
            for (int i = 0; i < C; i++)
                solved[warp][lane][i] = x[p][i] = ready(x[p][i]);
            __syncwarp();
        } else {
#pragma unroll 4
            for (int k = 0; k < 32; k++) {
                T l = tile[two][k][lane];
#pragma unroll
                for (int i = 0; i < C; i++)
                    x[q][i] = gk_lu_sub(x[q][i], l, solved[warp][k][i]);
            }
        }
    }
#undef GK_LU_TILE
#pragma unroll
    for (int q = 0; q < 4; q++)
#pragma unroll
        for (int i = 0; i < C; i++)
            if (32 * q + lane < g.n && c + i < g.nrhs)
                b[(32 * q + lane) * g.b_row + (c + i) * g.b_col] = x[q][i];
#endif
}

/* --------------------------------------------------- pivots at a solution
   The permutation that all exchanges amount to: those of 32 at a time by a
   warp each, then one warp runs through them. work: 2 n ints a matrix.     */
static __global__ void __launch_bounds__(1024)
gk_lu_permutation(const int32_t *piv, int n, int32_t *perm, int32_t *work) {
#if defined(__CUDA_ARCH__)
    int lane = (int)threadIdx.x % 32, threads = (int)blockDim.x;
    piv += (int64_t)blockIdx.x * n;
    perm += (int64_t)blockIdx.x * n;
    work += (int64_t)blockIdx.x * 2 * n;
    for (int i = (int)threadIdx.x; i < n; i += threads) perm[i] = i;
    for (int g = (int)threadIdx.x / 32 * 32; g < n; g += threads) {
        int w = min(32, n - g), src, dst;
        gk_lu_moves(lane < w ? piv[g + lane] - 1 - g : lane, w, lane, &src,
                    &dst);
        if (lane < w) {
            work[g + lane] = src;
            work[n + g + lane] = dst;
        }
    }
    __syncthreads();
    if (threadIdx.x >= 32) return;
    int src = lane < n ? work[lane] : 0, dst = lane < n ? work[n + lane] : 0;
    for (int g = 0; g < n; g += 32) {
        int w = min(32, n - g), x = 0, y = 0, s = src, d = dst;
        if (g + 32 + lane < n) {
            src = work[g + 32 + lane];
            dst = work[n + g + 32 + lane];
        }
        if (lane < w) {
            x = perm[g + s];
            y = perm[g + lane];
        }
        __syncwarp();
        if (lane < w) {
            perm[g + lane] = x;
            if (d >= w) perm[g + d] = y;
        }
        __syncwarp();
    }
#endif
}
/* out[i] = in[perm[i]] in columns `first` on of a stack of m columns each;
   with `back` out[perm[i]] = in[i].                                        */
template<class T>
__global__ void __launch_bounds__(256)
gk_lu_permute(const T *in, T *out, const int32_t *perm, int n, int64_t m,
              int64_t first, int64_t columns, bool back) {
    for (int64_t c = blockIdx.y; c < columns; c += gridDim.y) {
        const int32_t *p = perm + (first + c) / m * n;
        for (int i = (int)(blockIdx.x * 256 + threadIdx.x); i < n;
             i += (int)gridDim.x * 256) {
            if (back) out[c * n + p[i]] = in[c * n + i];
            else out[c * n + i] = in[c * n + p[i]];
        }
    }
}

/* --------------------------------------------------------------- entries */
/* What a panel is made of. R rows a thread, THREADS at most: 64 K registers
   a block. For float64 R NB is 64, 128 registers.                          */
template<class T> struct gk_lu_shape {
    static constexpr int NB = GA__LU_PANEL(sizeof(T)), R = 2;
    static constexpr int THREADS = 384;
};

/* The cluster's launch: cudaErrorNotSupported where it is not to be had. */
template<class T>
static cudaError_t gk_lu_clusters(const gk_lu_panel_args *p, int batch,
                                  cudaStream_t s) {
    typedef gk_lu_shape<T> S;
    gk_lu_panel_args g = *p;
    int per = 256;                  /* rows a block; fewer blocks are slower */
    while (per < S::R * S::THREADS && g.m > per * GK_LU_BLOCKS)
        per += S::R * 32;
    if (per > S::R * S::THREADS) per = S::R * S::THREADS;
    if (g.m > per * GK_LU_BLOCKS) return cudaErrorNotSupported;
    int blocks = (int)gk_ceil_div(g.m, per);
    int threads = (int)gk_ceil_div(gk_ceil_div(g.m, blocks), S::R * 32) * 32;
    g.rows = threads * S::R;
    auto kernel = gk_lu_panel<T, S::NB, S::R, S::THREADS>;
    size_t shared = sizeof(gk_lu_panel_shared<T, S::NB>)
                    + (size_t)g.rows * S::NB * sizeof(T);
    struct cudaFuncAttributes f;
    cudaError_t e = cudaFuncGetAttributes(&f, kernel);
    if (!e && f.ptxVersion < 90) e = cudaErrorNotSupported;
    if (!e) e = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
    if (!e && blocks > 8) e = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (e) return cudaGetLastError(), cudaErrorNotSupported;
    cudaLaunchAttribute at;
    memset(&at, 0, sizeof at);
    at.id = cudaLaunchAttributeClusterDimension;
    at.val.clusterDim.x = (unsigned)blocks;
    at.val.clusterDim.y = at.val.clusterDim.z = 1;
    cudaLaunchConfig_t c;
    memset(&c, 0, sizeof c);
    c.gridDim = dim3((unsigned)blocks, (unsigned)batch);
    c.blockDim = dim3((unsigned)threads);
    c.dynamicSmemBytes = shared;
    c.stream = s;
    c.attrs = &at;
    c.numAttrs = 1;
    e = cudaLaunchKernelEx(&c, kernel, g);
    /* a part of a card (MIG) may have no room for 16 blocks side by side */
    if (e == cudaErrorInvalidClusterSize || e == cudaErrorInvalidValue
        || e == cudaErrorLaunchOutOfResources)
        return cudaGetLastError(), cudaErrorNotSupported;
    return e;
}
template<class T>
static cudaError_t gk_lu_panel_run(const gk_lu_panel_args *g, int batch,
                                   cudaStream_t s, int mps) {
    cudaError_t e = gk_lu_clusters<T>(g, batch, s);
    if (e != cudaErrorNotSupported) return e;
    unsigned x = (unsigned)gk_ceil_div(g->m, 256);
    if (x > (unsigned)mps * 4) x = (unsigned)mps * 4;
    for (int j = 0; j < g->w; j++) {
        gk_lu_pivot<T><<<(unsigned)batch, 1024, 0, s>>>(*g, j);
        gk_lu_eliminate<T, gk_lu_shape<T>::NB>
            <<<dim3(x, (unsigned)batch), 256, 0, s>>>(*g, j);
    }
    return cudaGetLastError();
}

template<class T>
static cudaError_t gk_lu_run(const ga__lu *q, cudaStream_t s, int mps) {
    constexpr int NB = gk_lu_shape<T>::NB;
    unsigned batch = (unsigned)q->batch;
    switch (q->step) {
    case GA__LU_TINY: {
        auto kernel = q->n <= 8 ? gk_lu_tiny<T, 8>
                    : q->n <= 16 ? gk_lu_tiny<T, 16> : gk_lu_tiny<T, 32>;
        kernel<<<(unsigned)gk_ceil_div(q->batch, 4), 128, 0, s>>>(
            (T *)q->a, (int)q->m, (int)q->n, q->batch, q->piv, q->info);
        break;
    }
    case GA__LU_TINY_SOLVE: {
        constexpr int WARPS = sizeof(T) == 16 ? 2 : 4;
        int64_t x = gk_ceil_div(q->batch, WARPS), y = gk_ceil_div(q->nrhs, 4);
        int64_t few = gk_ceil_div(8 * (int64_t)mps, x);
        gk_lu_tiny_solve<T, WARPS>
            <<<dim3((unsigned)x, (unsigned)(y < few ? y : few)), WARPS * 32, 0,
               s>>>((const T *)q->a, q->piv, (T *)q->b, (int)q->n, q->nrhs,
                    q->batch, q->trans);
        break;
    }
    case GA__LU_STEP_PANEL: {
        gk_lu_panel_args g = {
            (T *)q->a + q->row + q->row * q->lda, q->lda, q->stride,
            (int)(q->m - q->row), (int)q->w, (int)q->row, 0, q->piv + q->row,
            q->info, q->moves + (q->row - q->block) * 2, q->npiv,
            q->moves_stride};
        return gk_lu_panel_run<T>(&g, (int)q->batch, s, mps);
    }
    case GA__LU_STEP_ROWS: {
        gk_lu_rows_args g = {
            (T *)q->a + q->block, q->lda, q->stride, (int)q->first,
            (int)q->last, (int)q->block, (int)q->w, (int)q->from, (int)q->to,
            q->solve, q->moves, q->moves_stride};
        int64_t x = gk_ceil_div(q->last - q->first, 16);
        gk_lu_rows<T, NB><<<dim3((unsigned)x, batch), 128, 0, s>>>(g);
        break;
    }
    case GA__LU_SUBST: {
        constexpr int C = sizeof(T) == 16 ? 2 : 4;
        gk_lu_subst_args g = {
            q->a, q->b, q->a_row, q->a_col, q->stride, q->b_row, q->b_col,
            q->b_stride, (int)q->n, (int)q->nrhs, q->unit, q->conj};
        /* few columns: a warp each, for the sake of the chain's length */
        if (q->nrhs * q->batch <= 8 * mps)
            gk_lu_subst<T, 1><<<dim3((unsigned)gk_ceil_div(q->nrhs, 4), batch),
                                128, 0, s>>>(g);
        else
            gk_lu_subst<T, C>
                <<<dim3((unsigned)gk_ceil_div(q->nrhs, 4 * C), batch), 128, 0,
                   s>>>(g);
        break;
    }
    case GA__LU_PERMUTATION: {
        unsigned threads = q->n < 1024 ? (unsigned)gk_ceil_div(q->n, 32) * 32
                                       : 1024;
        gk_lu_permutation<<<batch, threads, 0, s>>>(
            q->piv, (int)q->n, q->moves, q->moves + q->batch * q->n);
        break;
    }
    case GA__LU_PERMUTE: {
        int64_t x = gk_ceil_div(q->n, 256), y = q->last - q->first;
        gk_lu_permute<T>
            <<<dim3((unsigned)x, (unsigned)(y < 65535 ? y : 65535)), 256, 0,
               s>>>((const T *)q->a, (T *)q->b, q->moves, (int)q->n, q->nrhs,
                    q->first, y, q->trans != 0);
        break;
    }
    }
    return cudaGetLastError();
}
int gk_lu_double(const ga__lu *q, cudaStream_t s, int mps);
#if GK_PART_IS(lu_double_cuda)
int gk_lu_double(const ga__lu *q, cudaStream_t s, int mps) {
    if (q->t == GA_FLOAT64) return gk_lu_run<double>(q, s, mps);
    return gk_lu_run<gk_c128>(q, s, mps);
}
#endif
#if GK_PART_IS(lu_single_cuda)
GA__EXTERN int gk_cuda_lu(const ga__lu *q, void *stream, int mps) {
    cudaStream_t s = (cudaStream_t)stream;
    switch (q->t) {
    case GA_FLOAT32: return gk_lu_run<float>(q, s, mps);
    case GA_COMPLEX64: return gk_lu_run<gk_c64>(q, s, mps);
    default: return gk_lu_double(q, s, mps);
    }
}
#endif
#endif

/* =================================================================== >>solve
   What stands beside LAPACK: determinants from a factor's diagonal, the search
   for a zero on it, and the 2-norm in one pass.                             */
#if GK_PART_IS(solve)
/* A product as m 2**e, m near 1: no overflow on the way. float32 multiplies
   in double.                                                               */
struct gk_slv_prod { double re, im; int64_t e; };

GK_INL gk_slv_prod gk_slv_mul(gk_slv_prod a, double re, double im, int64_t e) {
    gk_slv_prod r;
    r.re = a.re * re - (a.im != 0 && im != 0 ? a.im * im : 0);
    r.im = a.im != 0 || im != 0 ? a.re * im + a.im * re : 0;
    double size = fabs(r.re) > fabs(r.im) ? fabs(r.re) : fabs(r.im);
    int by = 0;
    if (size < gk_fpk<double>::inf && size > 0) frexp(size, &by);
    r.re = ldexp(r.re, -by);
    r.im = ldexp(r.im, -by);
    r.e = a.e + e + by;
    return r;
}
template<class T> GK_INL gk_slv_prod gk_slv_times(gk_slv_prod a, T x) {
    if constexpr (gk_is_complex<T>::value) {
        /* brought near 1 before: the product of two large ones overflows   */
        gk_slv_prod one = {1, 0, 0};
        one = gk_slv_mul(one, (double)x.re, (double)x.im, 0);
        return gk_slv_mul(a, one.re, one.im, one.e);
    } else {
        return gk_slv_mul(a, (double)x, 0, 0);
    }
}
/* The pivots' sign over rows from, from + step, ... and that diagonal. */
template<class T> GK_INL gk_slv_prod gk_slv_part(const ga__diag &r, int64_t b,
                                                 int64_t from, int64_t step) {
    const T *x = (const T *)r.a + b * r.n * r.n;
    const int32_t *piv = r.piv + b * r.n;
    gk_slv_prod a = {1, 0, 0};
    for (int64_t i = from; i < r.n; i += step) {
        a = gk_slv_times(a, x[i * (r.n + 1)]);
        if (piv[i] != i + 1) a.re = -a.re, a.im = -a.im;
    }
    return a;
}
template<class T> GK_INL void gk_slv_store(void *to, int64_t b, double re,
                                           double im) {
    typedef typename gk_part_of<T>::type R;
    if constexpr (gk_is_complex<T>::value) ((T *)to)[b] = T{(R)re, (R)im};
    else ((T *)to)[b] = (T)re;
}
template<class T> GK_INL void gk_slv_finish(const ga__diag &r, int64_t b,
                                            gk_slv_prod a) {
    typedef typename gk_part_of<T>::type R;
    int e = a.e > 9999 ? 9999 : a.e < -9999 ? -9999 : (int)a.e;
    double size = a.im != 0 ? hypot(a.re, a.im) : fabs(a.re);
    if (r.what == GA__DIAG_DET) {
        if (size == 0) a.re = a.im = 0;         /* never -0                 */
        gk_slv_store<T>(r.det, b, ldexp(a.re, e), ldexp(a.im, e));
        return;
    }
    /* near 1 the logarithm of the whole keeps the digits that e ln 2 loses */
    double l = e < 1000 && e > -1000
                   ? log(ldexp(size, e))
                   : log(size) + (double)a.e * 0x1.62e42fefa39efp-1;
    if (r.log) ((R *)r.log)[b] = (R)l;
    if (size == 0) gk_slv_store<T>(r.det, b, 0, 0);
    else if (a.im == 0 && size == size)
        gk_slv_store<T>(r.det, b, a.re < 0 ? -1 : 1, 0);
    else gk_slv_store<T>(r.det, b, a.re / size, a.im / size);
}
/* Zero or NaN on the diagonal: what no triangular solve survives. */
template<class T> GK_INL bool gk_slv_flawed(T x) {
    if constexpr (gk_is_complex<T>::value)
        return (x.re == 0 && x.im == 0) || x.re != x.re || x.im != x.im;
    else return x == 0 || x != x;
}

#ifndef GPUARR_NO_CUDA
/* A block a matrix: each element of the diagonal is a cache line of its own,
   all of them in flight at once.                                           */
template<class T> static __global__ void gk_slv_det(ga__diag r) {
    __shared__ gk_slv_prod part[8];
    for (int64_t b = blockIdx.x; b < r.batch; b += gridDim.x) {
        gk_slv_prod a = gk_slv_part<T>(r, b, threadIdx.x, blockDim.x);
        for (int d = 16; d > 0; d >>= 1) {
            double re = __shfl_down_sync(0xffffffffu, a.re, d);
            double im = __shfl_down_sync(0xffffffffu, a.im, d);
            int64_t e = (int64_t)__shfl_down_sync(0xffffffffu,
                                                  (long long)a.e, d);
            a = gk_slv_mul(a, re, im, e);
        }
        if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = a;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < (int)blockDim.x >> 5; w++)
                a = gk_slv_mul(a, part[w].re, part[w].im, part[w].e);
            gk_slv_finish<T>(r, b, a);
        }
        __syncthreads();
    }
}
template<class T> static __global__ void gk_slv_flaw(ga__diag r) {
    const int64_t all = r.batch * r.n, step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < all;
         k += step) {
        int64_t b = k / r.n, i = k - b * r.n;
        if (gk_slv_flawed(((const T *)r.a)[(b * r.n + i) * r.n + i]))
            atomicMax((unsigned long long *)r.first, ~(unsigned long long)b);
    }
}
template<class T> static int gk_slv_cuda(const ga__diag *r, cudaStream_t s) {
    if (r->what == GA__DIAG_FLAW) {
        int64_t blocks = gk_ceil_div(r->batch * r->n, 256);
        gk_slv_flaw<T><<<(unsigned)(blocks < 4096 ? blocks : 4096), 256, 0,
                         s>>>(*r);
    } else {
        gk_slv_det<T><<<(unsigned)(r->batch < 65536 ? r->batch : 65536),
                        r->n <= 128 ? 32 : 256, 0, s>>>(*r);
    }
    return (int)cudaGetLastError();
}
GA__EXTERN int gk_cuda_diagonal(const ga__diag *r, void *stream, int) {
    cudaStream_t s = (cudaStream_t)stream;
    switch (r->t) {
    case GA_FLOAT32: return gk_slv_cuda<float>(r, s);
    case GA_FLOAT64: return gk_slv_cuda<double>(r, s);
    case GA_COMPLEX64: return gk_slv_cuda<gk_c64>(r, s);
    default: return gk_slv_cuda<gk_c128>(r, s);
    }
}
#endif

template<class T> static void gk_slv_cpu(const ga__diag *r) {
    for (int64_t b = 0; b < r->batch; b++) {
        if (r->what != GA__DIAG_FLAW) {
            gk_slv_finish<T>(*r, b, gk_slv_part<T>(*r, b, 0, 1));
            continue;
        }
        const T *x = (const T *)r->a + b * r->n * r->n;
        for (int64_t i = 0; i < r->n; i++)
            if (gk_slv_flawed(x[i * (r->n + 1)])) {
                *r->first = ~(uint64_t)b;
                return;
            }
    }
}
GA__EXTERN void gk_cpu_diagonal(const ga__diag *r) {
    switch (r->t) {
    case GA_FLOAT32: gk_slv_cpu<float>(r); break;
    case GA_FLOAT64: gk_slv_cpu<double>(r); break;
    case GA_COMPLEX64: gk_slv_cpu<gk_c64>(r); break;
    default: gk_slv_cpu<gk_c128>(r); break;
    }
}

/* --- 2-norm ----------------------------------------------------------------
   Rows of reals that adjoin, each its norm: the input is read once. Squares
   of float32 and less are summed in double, where none overflows; doubles go
   by size into one of three sums (Blue 1978), scaled by 2^-600, 1 and 2^600.
   Few long rows are cut into parts by shape and device alone, so results
   repeat; partial sums stand in `work`.                                    */
struct gk_slv_sum { double small, mid, big; };
#define GK_SLV_HUGE 0x1p500
#define GK_SLV_TINY 0x1p-500
#define GK_SLV_UP 0x1p600
#define GK_SLV_DOWN 0x1p-600

template<class T> GK_INL void gk_slv_square(gk_slv_sum &a, T v) {
    double x = (double)gk_cast<typename std::conditional<
        std::is_same<T, double>::value, double, float>::type>(v);
    if constexpr (std::is_same<T, double>::value) {
        double size = fabs(x);      /* NaN is neither and goes to mid       */
        bool big = size > GK_SLV_HUGE, small = size < GK_SLV_TINY;
        double y = x * (big ? GK_SLV_DOWN : small ? GK_SLV_UP : 1.0);
        a.big += big ? y * y : 0;
        a.small += small ? y * y : 0;
        a.mid += big || small ? 0 : y * y;
    } else {
        a.mid += x * x;
    }
}
GK_INL void gk_slv_join(gk_slv_sum &a, const gk_slv_sum &b) {
    a.small += b.small;
    a.mid += b.mid;
    a.big += b.big;
}
GK_INL void gk_slv_root(const ga__norm2 &r, int64_t row, gk_slv_sum a) {
    double v;
    if (a.big > 0)
        v = sqrt(a.big + a.mid * GK_SLV_DOWN * GK_SLV_DOWN) * GK_SLV_UP;
    else if (a.mid != 0)            /* NaN too                              */
        v = sqrt(a.mid + a.small * GK_SLV_DOWN * GK_SLV_DOWN);
    else
        v = sqrt(a.small) * GK_SLV_DOWN;
    switch (r.out) {
    case GA_FLOAT16: ((gk_f16 *)r.to)[row] = gk_cast<gk_f16>(v); break;
    case GA_BFLOAT16: ((gk_bf16 *)r.to)[row] = gk_cast<gk_bf16>(v); break;
    case GA_FLOAT32: ((float *)r.to)[row] = (float)v; break;
    default: ((double *)r.to)[row] = v; break;
    }
}
/* How a row is cut: parts of `seg` elements (the last one shorter). */
static inline int64_t gk_slv_parts(const ga__norm2 *r, int mps, int64_t *seg) {
    int64_t parts = 1;
    if (!mps) {
        parts = gk_ceil_div(r->n, 65536);
        *seg = 65536;
        return parts;
    }
    const int64_t want = 8 * (int64_t)mps;      /* blocks                   */
    if (r->rows < want && r->n > 16384) {
        parts = gk_ceil_div(want, r->rows);
        if (parts > r->n / 8192) parts = r->n / 8192;
    }
    *seg = gk_ceil_div(gk_ceil_div(r->n, parts), 2048) * 2048;
    return gk_ceil_div(r->n, *seg);
}
GA__EXTERN size_t gk_norm2_work(const ga__norm2 *r, int mps) {
    int64_t seg, parts = gk_slv_parts(r, mps, &seg);
    return parts > 1 ? (size_t)(parts * r->rows) * sizeof(gk_slv_sum) : 0;
}

#ifndef GPUARR_NO_CUDA
static __device__ __forceinline__ gk_slv_sum gk_slv_warp(gk_slv_sum a,
                                                         int width) {
    for (int d = width >> 1; d > 0; d >>= 1) {
        gk_slv_sum b;
        b.small = __shfl_down_sync(0xffffffffu, a.small, d, width);
        b.mid = __shfl_down_sync(0xffffffffu, a.mid, d, width);
        b.big = __shfl_down_sync(0xffffffffu, a.big, d, width);
        gk_slv_join(a, b);
    }
    return a;
}
/* The sum of a block's 256 threads, in the first. */
static __device__ __forceinline__ gk_slv_sum gk_slv_block(gk_slv_sum a) {
    __shared__ gk_slv_sum part[8];
    a = gk_slv_warp(a, 32);
    if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = a;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < 8; w++) gk_slv_join(a, part[w]);
    return a;
}
/* `width` threads a part: 1 to 32, or 256. Loads of V elements, four in
   flight; V > 1 where rows start and end on 16 bytes.                      */
template<class T, int V> static __global__ void __launch_bounds__(256)
gk_slv_norm2(ga__norm2 r, int64_t parts, int64_t seg, int width) {
    struct alignas(sizeof(T) * V) pack { T v[V]; };
    const int per = 256 / width, lane = (int)threadIdx.x & (width - 1);
    const int64_t g = (int64_t)blockIdx.x * per + threadIdx.x / width;
    const int64_t row = g / parts, p = g - row * parts;
    gk_slv_sum a = {0, 0, 0};
    if (row < r.rows) {
        const pack *x = (const pack *)((const T *)r.from + row * r.n + p * seg);
        int64_t n = r.n - p * seg;
        n = (n < seg ? n : seg) / V;
        int64_t i = lane;
        for (; i + 3 * width < n; i += 4 * width) {
            pack q[4];
            gk_slv_sum b[4] = {};   /* short chains: latency, and rounding  */
#pragma unroll
            for (int k = 0; k < 4; k++) q[k] = x[i + k * width];
#pragma unroll
            for (int k = 0; k < 4; k++)
#pragma unroll
                for (int j = 0; j < V; j++) gk_slv_square(b[k], q[k].v[j]);
            gk_slv_join(b[0], b[1]);
            gk_slv_join(b[2], b[3]);
            gk_slv_join(b[0], b[2]);
            gk_slv_join(a, b[0]);
        }
        for (; i < n; i += width) {
            pack q = x[i];
#pragma unroll
            for (int j = 0; j < V; j++) gk_slv_square(a, q.v[j]);
        }
    }
    a = width == 256 ? gk_slv_block(a) : gk_slv_warp(a, width);
    if (lane || row >= r.rows) return;
    if (parts > 1) ((gk_slv_sum *)r.use.work)[g] = a;
    else gk_slv_root(r, row, a);
}
static __global__ void __launch_bounds__(256)
gk_slv_norm2_join(ga__norm2 r, int64_t parts) {
    const gk_slv_sum *x = (const gk_slv_sum *)r.use.work + blockIdx.x * parts;
    gk_slv_sum a = {0, 0, 0};
    for (int64_t i = threadIdx.x; i < parts; i += 256) gk_slv_join(a, x[i]);
    a = gk_slv_block(a);
    if (threadIdx.x == 0) gk_slv_root(r, blockIdx.x, a);
}
template<class T> static int gk_slv_cuda(const ga__norm2 *r, cudaStream_t s,
                                         int mps) {
    constexpr int V = 16 / (int)sizeof(T);
    int64_t seg, parts = gk_slv_parts(r, mps, &seg);
    const bool vec = (uintptr_t)r->from % 16 == 0 && r->n % V == 0;
    int width = 1;
    while (width < 32 && width * (vec ? V : 1) < r->n) width *= 2;
    if (r->n > 4096) width = 256;
    const int64_t blocks = gk_ceil_div(r->rows * parts, 256 / width);
    if (blocks > INT32_MAX) return (int)cudaErrorInvalidConfiguration;
    if (vec) gk_slv_norm2<T, V><<<(unsigned)blocks, 256, 0, s>>>(*r, parts, seg,
                                                                 width);
    else gk_slv_norm2<T, 1><<<(unsigned)blocks, 256, 0, s>>>(*r, parts, seg,
                                                             width);
    if (parts > 1)
        gk_slv_norm2_join<<<(unsigned)r->rows, 256, 0, s>>>(*r, parts);
    return (int)cudaGetLastError();
}
GA__EXTERN int gk_cuda_norm2(const ga__norm2 *r, void *stream, int mps) {
    cudaStream_t s = (cudaStream_t)stream;
    switch (r->in) {
    case GA_FLOAT16: return gk_slv_cuda<gk_f16>(r, s, mps);
    case GA_BFLOAT16: return gk_slv_cuda<gk_bf16>(r, s, mps);
    case GA_FLOAT32: return gk_slv_cuda<float>(r, s, mps);
    default: return gk_slv_cuda<double>(r, s, mps);
    }
}
#endif

/* Sixteen sums side by side for the vector units, put aside every 1024
   elements: no long chains of roundings. Doubles: plainly first; a total that
   is neither small, where squares may have been lost, nor infinite is right,
   else once more by size.                                                  */
template<class T> GK_INL gk_slv_sum gk_slv_run(const T *x, int64_t n) {
    typedef typename std::conditional<std::is_same<T, double>::value, double,
                                      float>::type F;
    constexpr int W = 16;
    double total[W] = {0};
    gk_slv_sum all = {0, 0, 0};
    for (int64_t b = 0; b < n; b += 1024) {
        const int64_t e = n - b < 1024 ? n : b + 1024;
        double lane[W] = {0};
        int64_t i = b;
        for (; i + W <= e; i += W)
            for (int k = 0; k < W; k++) {
                double v = (double)gk_cast<F>(x[i + k]);
                lane[k] += v * v;
            }
        for (int k = 0; k < W; k++) total[k] += lane[k];
        for (; i < e; i++) gk_slv_square(all, x[i]);
    }
    for (int d = W / 2; d > 0; d /= 2)
        for (int k = 0; k < d; k++) total[k] += total[k + d];
    if (!std::is_same<T, double>::value
        || (total[0] > 0x1p-950 && total[0] < 0x1p1020)) {
        all.mid += total[0];
        return all;
    }
    all = {0, 0, 0};
    for (int64_t b = 0; b < n; b += 256) {
        gk_slv_sum part = {0, 0, 0};
        for (int64_t i = b; i < n && i < b + 256; i++)
            gk_slv_square(part, x[i]);
        gk_slv_join(all, part);
    }
    return all;
}
template<class T> static gk_slv_sum gk_slv_run_base(const T *x, int64_t n)
    noexcept {
    return gk_slv_run(x, n);
}
#if defined(__x86_64__) && defined(__GNUC__)
template<class T> __attribute__((target("avx2"))) static gk_slv_sum
gk_slv_run_avx2(const T *x, int64_t n) noexcept {
    return gk_slv_run(x, n);
}
#endif
template<class T> static void gk_slv_cpu(const ga__norm2 *r) {
    int64_t seg, parts = gk_slv_parts(r, 0, &seg), tasks = r->rows * parts;
    gk_slv_sum *work = (gk_slv_sum *)r->use.work;
    gk_slv_sum (*run)(const T *, int64_t) noexcept = gk_slv_run_base<T>;
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) run = gk_slv_run_avx2<T>;
#endif
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (r->rows * r->n > 32768)
#endif
    for (int64_t g = 0; g < tasks; g++) {
        const int64_t row = g / parts, p = g - row * parts;
        const int64_t left = r->n - p * seg;
        gk_slv_sum a = run((const T *)r->from + row * r->n + p * seg,
                           left < seg ? left : seg);
        if (parts > 1) work[g] = a;
        else gk_slv_root(*r, row, a);
    }
    if (parts == 1) return;
    for (int64_t row = 0; row < r->rows; row++) {
        gk_slv_sum a = work[row * parts];
        for (int64_t p = 1; p < parts; p++)
            gk_slv_join(a, work[row * parts + p]);
        gk_slv_root(*r, row, a);
    }
}
GA__EXTERN void gk_cpu_norm2(const ga__norm2 *r) {
    switch (r->in) {
    case GA_FLOAT16: gk_slv_cpu<gk_f16>(r); break;
    case GA_BFLOAT16: gk_slv_cpu<gk_bf16>(r); break;
    case GA_FLOAT32: gk_slv_cpu<float>(r); break;
    default: gk_slv_cpu<double>(r); break;
    }
}
#endif

/* ================================================================ >>triangle
   What LAPACK leaves beside its factors becomes zeros and ones. A warp takes
   a column, so that its lanes write neighbours; only the triangle that
   changes is touched: half the matrix written, nothing read.               */
#if GK_PART_IS(solve)
template<class T> GK_FN T gk_tri_number(int v) {
    if constexpr (gk_is_complex<T>::value)
        return {(typename gk_part_of<T>::type)v, 0};
    else
        return (T)v;
}

/* Column c of all the stack's columns, rows first, first + step, ... */
template<class T>
GK_FN void gk_tri_column(T *p, int64_t m, int64_t n, int64_t c, bool upper,
                         bool unit, int first, int step) {
    int64_t j = c % n, i = upper ? 0 : j + 1, end = upper && j < m ? j : m;
    p += c * m;
    for (i += first; i < end; i += step) p[i] = gk_tri_number<T>(0);
    if (unit && first == 0 && j < m) p[j] = gk_tri_number<T>(1);
}
template<class T> static void gk_tri_cpu(const ga__tri *q) {
    for (int64_t c = 0; c < q->n * q->batch; c++)
        gk_tri_column((T *)q->p, q->m, q->n, c, q->upper, q->unit, 0, 1);
}
extern "C" void gk_cpu_triangle(const ga__tri *q) {
    switch (q->t) {
    case GA_FLOAT32: gk_tri_cpu<float>(q); break;
    case GA_FLOAT64: gk_tri_cpu<double>(q); break;
    case GA_COMPLEX64: gk_tri_cpu<gk_c64>(q); break;
    default: gk_tri_cpu<gk_c128>(q);
    }
}

#ifndef GPUARR_NO_CUDA
template<class T>
__global__ void gk_tri_kernel(T *p, int64_t m, int64_t n, int64_t columns,
                              bool upper, bool unit) {
    int64_t step = (int64_t)gridDim.x * blockDim.y;
    for (int64_t c = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
         c < columns; c += step)
        gk_tri_column(p, m, n, c, upper, unit, (int)threadIdx.x, 32);
}
/* Real geev's columns as complex ones: a pair (x, y) is x + iy, x - iy. */
template<class R>
__global__ void gk_tri_pairs(gk_complex<R> *z, const R *v,
                             const gk_complex<R> *w, int64_t n) {
    for (int64_t k = (int64_t)blockIdx.x * blockDim.y + threadIdx.y; k < n;
         k += (int64_t)gridDim.x * blockDim.y) {
        R im = w[k].im, sign = im > 0 ? (R)1 : (R)-1;
        /* half a pair may stand at an end where geev did not converge      */
        int64_t at = im < 0 && k ? k - 1 : k;
        const R *x = v + at * n, *y = v + (at + 1 < n ? at + 1 : at) * n;
        for (int64_t i = threadIdx.x; i < n; i += 32)
            z[k * n + i] = {x[i], im != 0 ? sign * y[i] : (R)0};
    }
}
static unsigned gk_tri_blocks(int64_t columns) {
    return (unsigned)(columns < 8 * 65536 ? (columns + 7) / 8 : 65536);
}
template<class T> static void gk_tri_cuda(const ga__tri *q, cudaStream_t s) {
    gk_tri_kernel<<<gk_tri_blocks(q->n * q->batch), dim3(32, 8), 0, s>>>(
        (T *)q->p, q->m, q->n, q->n * q->batch, q->upper, q->unit);
}
extern "C" int gk_cuda_triangle(const ga__tri *q, void *stream, int) {
    cudaStream_t s = (cudaStream_t)stream;
    switch (q->t) {
    case GA_FLOAT32: gk_tri_cuda<float>(q, s); break;
    case GA_FLOAT64: gk_tri_cuda<double>(q, s); break;
    case GA_COMPLEX64: gk_tri_cuda<gk_c64>(q, s); break;
    default: gk_tri_cuda<gk_c128>(q, s); break;
    }
    return (int)cudaGetLastError();
}
extern "C" int gk_cuda_pairs(const ga__pairs *q, void *stream, int) {
    dim3 block(32, 8);
    cudaStream_t s = (cudaStream_t)stream;
    if (q->real == GA_FLOAT32)
        gk_tri_pairs<<<gk_tri_blocks(q->n), block, 0, s>>>(
            (gk_c64 *)q->z, (const float *)q->v, (const gk_c64 *)q->w, q->n);
    else
        gk_tri_pairs<<<gk_tri_blocks(q->n), block, 0, s>>>(
            (gk_c128 *)q->z, (const double *)q->v, (const gk_c128 *)q->w, q->n);
    return (int)cudaGetLastError();
}
#endif
#endif

/* ===================================================================== >>svd
   One-sided Jacobi for batches of matrices of up to 32 rows and columns: 16
   lanes a matrix, each with a pair of columns of a round-robin round, all in
   shared memory and in double whatever the dtype. Rotations are applied as
   x -= s (y + tau x), whose rounding falls with the angle (Rutishauser 1966);
   columns are orthogonal relative to their own lengths, so that small
   singular values and their vectors are exact too (Demmel and Veselic 1992).
   The last sweep is one that finds no cosine above the rounding of a product,
   in single precision above 1e-9. Columns of length 0, and those that a full
   U has in excess, are filled by Gram-Schmidt, twice. Elements are brought near
   1 by a power of 2 first: a cosine takes their fourth powers. Deterministic. */
#if GK_PART_IS(solve)
GK_FN double gk_sv_times(double x, double y) { return x * y; }
GK_FN gk_c128 gk_sv_times(gk_c128 x, gk_c128 y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
GK_FN double gk_sv_scale(double x, double f) { return x * f; }
GK_FN gk_c128 gk_sv_scale(gk_c128 x, double f) { return {x.re * f, x.im * f}; }
GK_FN double gk_sv_plus(double x, double y) { return x + y; }
GK_FN gk_c128 gk_sv_plus(gk_c128 x, gk_c128 y) {
    return {x.re + y.re, x.im + y.im};
}
GK_FN double gk_sv_norm2(double x) { return x * x; }
GK_FN double gk_sv_norm2(gk_c128 x) { return x.re * x.re + x.im * x.im; }
GK_FN double gk_sv_largest(double x) { return fabs(x); }
GK_FN double gk_sv_largest(gk_c128 x) { return fmax(fabs(x.re), fabs(x.im)); }
GK_FN double gk_sv_shift(double x, int e) { return scalbn(x, e); }
GK_FN gk_c128 gk_sv_shift(gk_c128 x, int e) {
    return {scalbn(x.re, e), scalbn(x.im, e)};
}

#define GK_SV_LANES 16
/* One matrix's memory: w m by cols with w's leading length, v n by n. */
template<class T> struct gk_sv {
    int m, n, cols, lw, lv;
    T *w, *v, *x;                   /* x: a column, and its products        */
    double *size;                   /* n lengths                            */
    double nothing;                 /* the square of a length that is none  */
    double *most;                   /* a cosine for each lane               */
    int *rank;                      /* place of column j in descending order */
};
/* The lane's pair in a round; -1 where it has none. */
template<class T>
GK_FN void gk_sv_pair(const gk_sv<T> &g, int round, int lane, int *p, int *q) {
    int even = g.n + (g.n & 1), ring = even - 1;
    *p = -1;
    if (2 * lane >= even) return;
    int a = lane ? (round + lane) % ring : round;
    int b = lane ? (round - lane + ring) % ring : ring;
    if (a >= g.n || b >= g.n) return;
    *p = a < b ? a : b;
    *q = a < b ? b : a;
}
template<class T>
GK_FN void gk_sv_turn(T *p, T *q, int n, double s, double tau, T e) {
    T up = gk_sv_scale(gk_conj(e), -s), uq = gk_sv_scale(e, s);
    double back = -s * tau;
    for (int i = 0; i < n; i++) {
        T x = p[i], y = q[i];
        p[i] = gk_sv_plus(x, gk_sv_plus(gk_sv_times(up, y),
                                        gk_sv_scale(x, back)));
        q[i] = gk_sv_plus(y, gk_sv_plus(gk_sv_times(uq, x),
                                        gk_sv_scale(y, back)));
    }
}
/* Makes the lane's pair of a round orthogonal; its cosine before. */
template<class T>
GK_FN double gk_sv_rotate(const gk_sv<T> &g, int round, int lane) {
    int p, q;
    gk_sv_pair(g, round, lane, &p, &q);
    if (p < 0) return 0;
    T *x = g.w + p * g.lw, *y = g.w + q * g.lw, dot = gk_tri_number<T>(0);
    double a = 0, b = 0;
    for (int i = 0; i < g.m; i++) {
        a += gk_sv_norm2(x[i]);
        b += gk_sv_norm2(y[i]);
        dot = gk_sv_plus(dot, gk_sv_times(gk_conj(x[i]), y[i]));
    }
    if (a <= g.nothing || b <= g.nothing) return 0;
    double c = sqrt(gk_sv_norm2(dot)), cosine = c / (sqrt(a) * sqrt(b));
    if (!(cosine > 2.3e-16) || !(c > 0)) return 0;
    double zeta = (b - a) / (2 * c);
    double t = 1 / (fabs(zeta) + sqrt(1 + zeta * zeta));
    if (zeta < 0) t = -t;
    double r = sqrt(1 + t * t), s = t / r, tau = t / (1 + r);
    T e = gk_sv_scale(dot, 1 / c);
    gk_sv_turn(x, y, g.m, s, tau, e);
    gk_sv_turn(g.v + p * g.lv, g.v + q * g.lv, g.n, s, tau, e);
    return cosine;
}
/* Lengths of the columns; 0 below 1e-30 of the whole matrix's, where what
   rounding left of dependent columns would be halved for ever.             */
template<class T> GK_FN void gk_sv_sizes(const gk_sv<T> &g, int lane) {
    for (int j = lane; j < g.n; j += GK_SV_LANES) {
        double sum = 0;
        for (int i = 0; i < g.m; i++) sum += gk_sv_norm2(g.w[j * g.lw + i]);
        g.size[j] = sum > g.nothing ? sqrt(sum) : 0;
    }
}
template<class T> GK_FN double gk_sv_nothing(const gk_sv<T> &g) {
    double sum = 0;
    for (int j = 0; j < g.n; j++) sum += g.size[j] * g.size[j];
    return sum * 1e-60;
}
template<class T> GK_FN void gk_sv_ranks(const gk_sv<T> &g, int lane) {
    for (int j = lane; j < g.n; j += GK_SV_LANES) {
        int k = 0;
        for (int i = 0; i < g.n; i++)
            k += g.size[i] > g.size[j] || (g.size[i] == g.size[j] && i < j);
        g.rank[j] = k;
        double f = g.size[j] > 0 ? 1 / g.size[j] : 0;
        for (int i = 0; i < g.m; i++)
            g.w[j * g.lw + i] = gk_sv_scale(g.w[j * g.lw + i], f);
    }
}
/* Fills column k of w, whose columns yet to be filled are 0, in phases 0 to 5
   of which each sees all lanes' work of the one before.                    */
template<class T>
GK_FN void gk_sv_fill(const gk_sv<T> &g, int k, int phase, int lane) {
    T *x = g.x, *d = g.x + g.m;
    if (phase == 0) {               /* the unit vector least spanned so far */
        int best = 0;
        double least = 2;
        for (int i = 0; i < g.m; i++) {
            double sum = 0;
            for (int j = 0; j < g.cols; j++)
                sum += gk_sv_norm2(g.w[j * g.lw + i]);
            if (sum < least) least = sum, best = i;
        }
        for (int i = lane; i < g.m; i += GK_SV_LANES)
            x[i] = gk_tri_number<T>(i == best);
    } else if (phase == 1 || phase == 3) {
        for (int j = lane; j < g.cols; j += GK_SV_LANES) {
            T sum = gk_tri_number<T>(0);
            for (int i = 0; i < g.m; i++)
                sum = gk_sv_plus(sum, gk_sv_times(
                    gk_conj(g.w[j * g.lw + i]), x[i]));
            d[j] = gk_sv_scale(sum, -1);
        }
    } else if (phase < 5) {
        for (int i = lane; i < g.m; i += GK_SV_LANES) {
            T sum = x[i];
            for (int j = 0; j < g.cols; j++)
                sum = gk_sv_plus(sum, gk_sv_times(g.w[j * g.lw + i], d[j]));
            x[i] = sum;
        }
    } else {
        double sum = 0;
        for (int i = 0; i < g.m; i++) sum += gk_sv_norm2(x[i]);
        for (int i = lane; i < g.m; i += GK_SV_LANES)
            g.w[k * g.lw + i] = gk_sv_scale(x[i], 1 / sqrt(sum));
    }
}
#ifndef GPUARR_NO_CUDA
template<class S> GK_FN auto gk_sv_load(S x) {
    if constexpr (gk_is_complex<S>::value)
        return gk_c128{(double)x.re, (double)x.im};
    else
        return (double)x;
}
template<class S, class T> GK_FN S gk_sv_store(T x) {
    if constexpr (gk_is_complex<S>::value) {
        typedef typename gk_part_of<S>::type R;
        return {(R)x.re, (R)x.im};
    } else {
        return (S)x;
    }
}
template<class S> GK_FN size_t gk_sv_bytes(int m, int n, int cols) {
    size_t element = gk_is_complex<S>::value ? 16 : 8;
    size_t bytes = element * (size_t)((m | 1) * cols + (n | 1) * n + m + cols)
                 + 8 * (size_t)(n + GK_SV_LANES) + 4 * (size_t)n;
    return (bytes + 15) / 16 * 16;
}
/* A block of 16 lanes for each of its one or two matrices. */
template<class S>
__global__ void gk_sv_kernel(const ga__svd_small q, bool wide, int m, int n,
                             int cols) {
    typedef decltype(gk_sv_load(S())) T;
    typedef typename gk_part_of<S>::type R;
    extern __shared__ double2 gk_sv_memory[];
    int half = (int)threadIdx.x / GK_SV_LANES;
    int lane = (int)threadIdx.x % GK_SV_LANES;
    int64_t at = (int64_t)blockIdx.x * (blockDim.x / GK_SV_LANES) + half;
    unsigned mask = 0xffffu << (GK_SV_LANES * half);
    if (at >= q.batch) return;
    gk_sv<T> g;
    g.m = m;
    g.n = n;
    g.cols = cols;
    g.lw = m | 1;
    g.lv = n | 1;
    g.w = (T *)((char *)gk_sv_memory + half * gk_sv_bytes<S>(m, n, cols));
    g.v = g.w + g.lw * cols;
    g.x = g.v + g.lv * n;
    g.size = (double *)(g.x + m + cols);
    g.most = g.size + n;
    g.rank = (int *)(g.most + GK_SV_LANES);
    const S *a = (const S *)q.a + at * m * n;
    double largest = 0;
    for (int i = lane; i < m * cols; i += GK_SV_LANES) {
        int r = i % m, c = i / m;
        T e = gk_tri_number<T>(0);
        if (c < n)
            e = wide ? gk_conj(gk_sv_load(a[c + r * n]))
                     : gk_sv_load(a[r + c * m]);
        g.w[c * g.lw + r] = e;
        largest = fmax(largest, gk_sv_largest(e));
    }
    g.most[lane] = largest;
    for (int i = lane; i < n * n; i += GK_SV_LANES)
        g.v[i / n * g.lv + i % n] = gk_tri_number<T>(i / n == i % n);
    __syncwarp(mask);
    for (int i = 0; i < GK_SV_LANES; i++) largest = fmax(largest, g.most[i]);
    const int power = largest > 0 ? ilogb(largest) : 0;
    for (int i = lane; i < m * cols; i += GK_SV_LANES) {
        T *e = g.w + i / m * g.lw + i % m;
        *e = gk_sv_shift(*e, -power);
    }
    __syncwarp(mask);
    g.nothing = 0;
    gk_sv_sizes(g, lane);
    __syncwarp(mask);
    g.nothing = gk_sv_nothing(g);
    int sweeps = 0, rounds = n + (n & 1) - 1;
    double enough = sizeof(R) == 4 ? 1e-9 : 2.3e-16 * sqrt((double)m);
    for (double most = 1; most > enough && sweeps < 60; sweeps++) {
        double mine = 0;
        for (int r = 0; r < rounds; r++) {
            mine = fmax(mine, gk_sv_rotate(g, r, lane));
            __syncwarp(mask);
        }
        g.most[lane] = mine;
        __syncwarp(mask);
        most = 0;
        for (int i = 0; i < GK_SV_LANES; i++) most = fmax(most, g.most[i]);
        __syncwarp(mask);
    }
    gk_sv_sizes(g, lane);
    __syncwarp(mask);
    gk_sv_ranks(g, lane);
    __syncwarp(mask);
    if (lane == 0) q.info[at] = sweeps < 60 ? 0 : 1;
    for (int j = lane; j < n; j += GK_SV_LANES)
        ((R *)q.s)[at * n + g.rank[j]] = (R)scalbn(g.size[j], power);
    if (!q.u) return;
    for (int k = 0; k < cols; k++) {
        if (k < n && g.size[k] > 0) continue;
        for (int phase = 0; phase < 6; phase++) {
            gk_sv_fill(g, k, phase, lane);
            __syncwarp(mask);
        }
    }
    S *u = (S *)q.u + at * (wide ? n * n : m * cols);
    S *vh = (S *)q.vh + at * (wide ? m * cols : n * n);
    for (int i = lane; i < m * cols; i += GK_SV_LANES) {
        int r = i % m, c = i / m, k = c < n ? g.rank[c] : c;
        T e = g.w[c * g.lw + r];
        if (wide) vh[k + r * cols] = gk_sv_store<S>(gk_conj(e));
        else u[r + k * m] = gk_sv_store<S>(e);
    }
    for (int i = lane; i < n * n; i += GK_SV_LANES) {
        int r = i % n, c = i / n, k = g.rank[c];
        T e = g.v[c * g.lv + r];
        if (wide) u[r + k * n] = gk_sv_store<S>(e);
        else vh[k + r * n] = gk_sv_store<S>(gk_conj(e));
    }
}
template<class S>
static cudaError_t gk_sv_run(const ga__svd_small *q, cudaStream_t s) {
    bool wide = q->m < q->n;
    int m = wide ? q->n : q->m, n = wide ? q->m : q->n;
    size_t bytes = gk_sv_bytes<S>(m, n, q->cols);
    int each = bytes <= 32768 ? 2 : 1;      /* every card has 64 KiB        */
    bytes *= (size_t)each;
    cudaError_t e = cudaFuncSetAttribute(
        gk_sv_kernel<S>, cudaFuncAttributeMaxDynamicSharedMemorySize,
        (int)bytes);
    if (e) return e;
    gk_sv_kernel<S><<<(unsigned)((q->batch + each - 1) / each),
                      each * GK_SV_LANES, bytes, s>>>(*q, wide, m, n, q->cols);
    return cudaGetLastError();
}
extern "C" int gk_cuda_svd_small(const ga__svd_small *q, void *stream, int) {
    cudaStream_t s = (cudaStream_t)stream;
    switch (q->t) {
    case GA_FLOAT32: return (int)gk_sv_run<float>(q, s);
    case GA_FLOAT64: return (int)gk_sv_run<double>(q, s);
    case GA_COMPLEX64: return (int)gk_sv_run<gk_c64>(q, s);
    default: return (int)gk_sv_run<gk_c128>(q, s);
    }
}
#endif
#endif
/* ================================================================ >>random
   Philox4x32-10 (Salmon et al., SC 2011) and what is made of its words. Two
   layouts, each fixed by element, so that no launch shape shows:
     shared   one number an element, two for a float64: block i/4, attempt j
              is the j-th word (float64: the high one first) of its four
     own      rejection: block i, attempt j is words 4j to 4j+3 of element i,
              what one trial takes; float64 whatever the result
   fast kernels and loops draw whole blocks of the first kind from parameters
   that are values; the any kernels everything else, an element a thread.
   Devices agree within 4 ulp only if what later steps amplify is the same to
   the last bit: a compiler may fuse a product and a sum or not, so there fused
   ones are written gk_fma, and a product that must not be, gk_rounded.      */
#if GK_PART_IS(random_cpu) || GK_PART_IS(random_cuda)

struct gk_philox {                  /* a launch's key and counter           */
    uint32_t key[20], c1, c2, c3;
    uint32_t a, b, c, d;            /* of rounds 1 to 3: what is the same   */
};                                  /* for all blocks that share c1         */
#define GK_PHILOX_0 0xd2511f53u
#define GK_PHILOX_1 0xcd9e8d57u
GK_INL uint32_t gk_mul_hi(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)a * b >> 32);
}
static gk_philox gk_philox_make(uint64_t seed, uint64_t call,
                                uint32_t substream, uint64_t high) {
    gk_philox g;
    for (int r = 0; r < 10; r++) {
        g.key[2 * r] = (uint32_t)seed + (uint32_t)r * 0x9e3779b9u;
        g.key[2 * r + 1] = (uint32_t)(seed >> 32) + (uint32_t)r * 0xbb67ae85u;
    }
    g.c1 = (uint32_t)high | (uint32_t)(call >> 32) << 16;
    g.c2 = (uint32_t)call;
    g.c3 = substream << 8;
    uint32_t x0 = gk_mul_hi(GK_PHILOX_1, g.c2) ^ g.c1 ^ g.key[0];
    g.a = g.c3 ^ g.key[1];
    g.b = GK_PHILOX_1 * g.c2 ^ g.key[2];
    g.c = gk_mul_hi(GK_PHILOX_0, x0) ^ g.key[3];
    g.d = GK_PHILOX_0 * x0 ^ g.key[5];
    return g;
}
GK_INL uint64_t gk_mul_wide(uint32_t a, uint32_t b) {
#if GK_DEVICE                       /* else nvcc adds a zero upper half      */
    uint64_t p;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(p) : "r"(a), "r"(b));
    return p;
#else
    return (uint64_t)a * b;
#endif
}
/* Halves of 64 bits, of which the upper one is let run over: compilers make
   vectors of it.                                                           */
#define GK_PHILOX_ROUND(k0, k1) do {                                         \
        uint64_t p_ = gk_mul_wide((uint32_t)x0, GK_PHILOX_0);                \
        uint64_t q_ = gk_mul_wide((uint32_t)x2, GK_PHILOX_1);                \
        x0 = (q_ >> 32) ^ x1 ^ (k0), x1 = q_;                                \
        x2 = (p_ >> 32) ^ x3 ^ (k1), x3 = p_;                                \
    } while (0)
/* any block, attempt < 65536 */
GK_INL void gk_philox_any(const gk_philox &g, uint64_t block,
                          uint32_t attempt, uint32_t *w) {
    uint64_t x0 = (uint32_t)block;
    uint64_t x1 = g.c1 | (uint32_t)(block >> 32) | attempt >> 8 << 24;
    uint64_t x2 = g.c2, x3 = g.c3 | (attempt & 255);
#if GK_DEVICE
#pragma unroll
#endif
    for (int r = 0; r < 10; r++)
        GK_PHILOX_ROUND(g.key[2 * r], g.key[2 * r + 1]);
    w[0] = (uint32_t)x0, w[1] = (uint32_t)x1;
    w[2] = (uint32_t)x2, w[3] = (uint32_t)x3;
}
/* The same for the launch's high half of the block and attempt < 256: 17
   multiplications instead of 20.                                           */
GK_INL void gk_philox_low(const gk_philox &g, uint32_t block,
                          uint32_t attempt, uint32_t *w) {
    uint64_t p = gk_mul_wide(block, GK_PHILOX_0);
    uint64_t q = gk_mul_wide((uint32_t)(p >> 32) ^ g.a ^ attempt, GK_PHILOX_1);
    uint64_t x0 = (q >> 32) ^ g.b, x1 = q, x2 = p ^ g.c, x3;
    p = gk_mul_wide((uint32_t)x0, GK_PHILOX_0);
    q = gk_mul_wide((uint32_t)x2, GK_PHILOX_1);
    x0 = (q >> 32) ^ x1 ^ g.key[4], x1 = q;
    x2 = (p >> 32) ^ g.d, x3 = p;
    GK_PHILOX_ROUND(g.key[6], g.key[7]);
    GK_PHILOX_ROUND(g.key[8], g.key[9]);
    GK_PHILOX_ROUND(g.key[10], g.key[11]);
    GK_PHILOX_ROUND(g.key[12], g.key[13]);
    GK_PHILOX_ROUND(g.key[14], g.key[15]);
    GK_PHILOX_ROUND(g.key[16], g.key[17]);
    GK_PHILOX_ROUND(g.key[18], g.key[19]);
    w[0] = (uint32_t)x0, w[1] = (uint32_t)x1;
    w[2] = (uint32_t)x2, w[3] = (uint32_t)x3;
}

/* --- from words to numbers ----------------------------------------------- */

GK_INL float gk_fma(float a, float b, float c) { return ::fmaf(a, b, c); }
/* a b, of which a following sum cannot take the unrounded value */
GK_INL double gk_rounded(double a, double b) { return gk_fma(a, b, 0.0); }
/* exact, without the conversion unit */
GK_INL double gk_word_double(uint32_t w) {
    return gk_bits<double>(0x4330000000000000ull | w) - 0x1p52;
}
/* [0, 1): 24 bits of the high word, 53 of both */
GK_INL float gk_unit(uint32_t h, uint32_t, float) {
    return (float)(int32_t)(h >> 8) * 0x1p-24f;
}
GK_INL double gk_unit(uint32_t h, uint32_t l, double) {
    double d = gk_word_double(h) * 0x1p21 + gk_word_double(l >> 11);
    return d * 0x1p-53;
}
/* v for a number u in (0, 1), half a step off the grid of 2^-32 or 2^-53:
   u itself or, from the upper half, u - 1, so that no digit of 1-u is lost */
GK_INL float gk_open(uint32_t h, uint32_t, float) {
    return (float)(int32_t)h * 0x1p-32f + 0x1p-33f;
}
GK_INL double gk_open(uint32_t h, uint32_t l, double) {
    double d = (gk_word_double(h ^ 0x80000000u) - 0x1p31) * 0x1p21;
    return (d + gk_word_double(l >> 11) + 0.5) * 0x1p-53;
}
template<class T> GK_INL T gk_opened(T v) { return v < 0 ? 1 + v : v; }

/* Quotient and root for ordinary arguments, y and x > 0: an approximation
   and a step by its exact remainder. In float64 its error before the last
   rounding is 2^-51 ulp, so that it rounds as division does; in float32 but
   once in millions.                                                        */
template<class T> GK_INL T gk_rnd_div(T x, T y) {
#if GK_DEVICE
    if constexpr (sizeof(T) == 8) {
        T r;
        asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(y));
        T e = gk_fma(-y, r, (T)1);
        r = gk_fma(r, gk_fma(e, e, e), r);
        T q = x * r;
        return gk_fma(gk_fma(-y, q, x), r, q);
    }
#endif
    return x / y;
}
template<class T> GK_INL T gk_rnd_sqrt(T x) {
#if GK_DEVICE
    T r;
    if constexpr (sizeof(T) == 8) {
        asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
        T e = gk_fma(-x * r, r, (T)1);
        r = gk_fma(r * e, gk_fma((T)0.375, e, (T)0.5), r);
    } else {
        asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    }
    T s = x * r;
    return gk_fma(gk_fma(-s, s, x), (T)0.5 * r, s);
#else
    return gk_m_sqrt(x);
#endif
}

/* (log(1+f) - f + f^2/2) / f^3 for 1+f in [sqrt(.5), sqrt(2)], 2^-27, and
   with fewer terms than gk_sin_poly the like for |x| <= pi/4: 2^-28, 2^-32 */
GK_INL float gk_rnd_log_poly(float f) {
    float p = gk_fma(-0x1.38b588p-4f, f, 0x1.055b6cp-3f);
    p = gk_fma(p, f, -0x1.0d8542p-3f);
    p = gk_fma(p, f, 0x1.22da1cp-3f);
    p = gk_fma(p, f, -0x1.547244p-3f);
    p = gk_fma(p, f, 0x1.99a008p-3f);
    p = gk_fma(p, f, -0x1.000226p-2f);
    return gk_fma(p, f, 0x1.555554p-2f);
}
GK_INL float gk_rnd_sin_poly(float z) {
    return gk_fma(gk_fma(-0x1.9943e0p-13f, z, 0x1.11073ap-7f), z,
                  -0x1.555546p-3f);
}
GK_INL float gk_rnd_cos_poly(float z) {
    return gk_fma(gk_fma(0x1.9a6f5ep-16f, z, -0x1.6c0e78p-10f), z,
                  0x1.55554ep-5f);
}
GK_INL double gk_rnd_sin_poly(double z) { return gk_sin_poly(z); }
GK_INL double gk_rnd_cos_poly(double z) { return gk_cos_poly(z); }

/* -log(u) without special cases; near 1 by u-1 */
GK_INL float gk_neglog(float v) {
    float f, k = gk_log_split(gk_opened(v), &f);
    f = k == 0 ? v : f;
    float r = gk_fma(gk_rnd_log_poly(f), f, -0.5f);
    return gk_fma(-k, gk_fpk<float>::ln2, -gk_fma(f * f, r, f));
}
GK_INL double gk_neglog_of(double k, double f) { /* of 2^k (1+f)         */
    typedef gk_fpk<double> K;
    double h = 0.5 * f, s = gk_rnd_div(f, 2 + f), z = s * s;
    double q = gk_fma(z, gk_log_poly(z), gk_rounded(h, f));
    double r = gk_fma(s, q, gk_rounded(k, K::ln2_lo));
    return (gk_fma(h, f, -r) - f) - k * K::ln2_hi;  /* k ln2_hi is exact     */
}
GK_INL double gk_neglog(double v) {
    double f, k = gk_log_split(gk_opened(v), &f);
    return gk_neglog_of(k, k == 0 ? v : f);
}
/* log x of a normal x > 0, else anything */
GK_INL double gk_rnd_log(double x) {
    double f, k = gk_log_split(x, &f);
    return -gk_neglog_of(k, f);
}
/* A point on the circle: an angle within 45 degrees of the axis by the low
   30 or 62 bits; bit 30 of the high word exchanges the coordinates, bit 31
   turns the longer one round.                                              */
template<class T>
GK_INL void gk_circle(uint32_t h, uint32_t l, T *x, T *y) {
    T t;
    if constexpr (sizeof(T) == 8)
        t = (gk_word_double((h << 2) ^ 0x80000000u) - 0x1p31
             + (gk_word_double(l) * 0x1p-30 + 0x1p-31))
            * 0x1.921fb54442d18p-32;
    else
        t = gk_fma((float)(int32_t)(h << 2), 0x1.921fb6p-32f,
                   0x1.921fb6p-31f);
    T z = t * t, s = gk_fma(t * z, gk_rnd_sin_poly(z), t);
    T c = gk_fma(gk_fma(gk_rnd_cos_poly(z), z, (T)-0.5), z, (T)1);
    typedef typename gk_fpk<T>::U U;
    c = gk_bits<T>(gk_bits<U>(c)
                   ^ (U)(h & 0x80000000u) << (sizeof(T) * 8 - 32));
    bool swap = (int32_t)(h << 1) < 0;
    *x = swap ? s : c;
    *y = swap ? c : s;
}
/* Box and Muller 1958 */
template<class T>
GK_INL void gk_normals(T loc, T scale, uint32_t h0, uint32_t l0, uint32_t h1,
                       uint32_t l1, T *z) {
    T x, y, r = gk_rnd_sqrt(2 * gk_neglog(gk_open(h0, l0, (T)0))) * scale;
    gk_circle(h1, l1, &x, &y);
    z[0] = gk_fma(r, x, loc);
    z[1] = gk_fma(r, y, loc);
}
/* The normal of a given probability: algorithm AS 241 (Wichura 1988). */
GK_FN double gk_normal_inverse(double v) {
    double small = gk_m_fabs(v), q = 0.5 - small, n, d, r;
    if (q <= 0.425) {
        r = 0.180625 - q * q;
        n = 2.5090809287301226727e3, d = 5.2264952788528545610e3;
        n = n * r + 3.3430575583588128105e4;
        d = d * r + 2.8729085735721942674e4;
        n = n * r + 6.7265770927008700853e4;
        d = d * r + 3.9307895800092710610e4;
        n = n * r + 4.5921953931549871457e4;
        d = d * r + 2.1213794301586595867e4;
        n = n * r + 1.3731693765509461125e4;
        d = d * r + 5.3941960214247511077e3;
        n = n * r + 1.9715909503065514427e3;
        d = d * r + 6.8718700749205790830e2;
        n = n * r + 1.3314166789178437745e2;
        d = d * r + 4.2313330701600911252e1;
        n = q * (n * r + 3.3871328727963666080), d = d * r + 1;
    } else {
        r = gk_m_sqrt(gk_neglog(small));
        if (r <= 5) {
            r -= 1.6;
            n = 7.74545014278341407640e-4, d = 1.05075007164441684324e-9;
            n = n * r + 2.27238449892691845833e-2;
            d = d * r + 5.47593808499534494600e-4;
            n = n * r + 2.41780725177450611770e-1;
            d = d * r + 1.51986665636164571966e-2;
            n = n * r + 1.27045825245236838258;
            d = d * r + 1.48103976427480074590e-1;
            n = n * r + 3.64784832476320460504;
            d = d * r + 6.89767334985100004550e-1;
            n = n * r + 5.76949722146069140550;
            d = d * r + 1.67638483018380384940;
            n = n * r + 4.63033784615654529590;
            d = d * r + 2.05319162663775882187;
            n = n * r + 1.42343711074968357734, d = d * r + 1;
        } else {
            r -= 5;
            n = 2.01033439929228813265e-7, d = 2.04426310338993978564e-15;
            n = n * r + 2.71155556874348757815e-5;
            d = d * r + 1.42151175831644588870e-7;
            n = n * r + 1.24266094738807843860e-3;
            d = d * r + 1.84631831751005468180e-5;
            n = n * r + 2.65321895265761230930e-2;
            d = d * r + 7.86869131145613259100e-4;
            n = n * r + 2.96560571828504891230e-1;
            d = d * r + 1.48753612908506148525e-2;
            n = n * r + 1.78482653991729133580;
            d = d * r + 1.36929880922735805310e-1;
            n = n * r + 5.46378491116411436990;
            d = d * r + 5.99832206555887937690e-1;
            n = n * r + 6.65790464350110377720, d = d * r + 1;
        }
    }
    return v < 0 ? n / d : -n / d;
}

/* --- one number an element ----------------------------------------------- */

/* The parameters as the samplers want them, made once a launch or, where
   they are arrays, once an element. */
struct gk_rnd_par { double d[12]; float f[6]; };
template<class T> GK_INL T gk_par(const gk_rnd_par &p, int i) {
    if constexpr (sizeof(T) == 8) return p.d[i];
    else return p.f[i];
}

/* The largest S <= x, or < x. */
template<class S> GK_FN double gk_below(double x, bool strictly) {
    typedef typename std::conditional<sizeof(S) == 8, uint64_t,
        typename std::conditional<sizeof(S) == 4, uint32_t,
                                  uint16_t>::type>::type U;
    const U sign = (U)((U)1 << (sizeof(U) * 8 - 1));
    S s = gk_cast<S>(x);
    double r = gk_cast<double>(s);
    if (r > x || (strictly && r == x)) {
        U u = gk_bits<U>(s);
        u = u == 0 || u == sign ? (U)(sign + 1)
                                : u & sign ? (U)(u + 1) : (U)(u - 1);
        r = gk_cast<double>(gk_bits<S>(u));
    }
    return r;
}
GK_FN double gk_below_any(ga_dtype t, double x, bool strictly) {
    return t == GA_FLOAT16 ? gk_below<gk_f16>(x, strictly)
         : t == GA_BFLOAT16 ? gk_below<gk_bf16>(x, strictly)
         : t == GA_FLOAT32 ? gk_below<float>(x, strictly)
                           : gk_below<double>(x, strictly);
}

/* d[0 .. 5] of the distributions that take one number an element */
GK_FN void gk_rnd_setup_one(int dist, ga_dtype t, double a, double b,
                            double c, double *d) {
    d[0] = a, d[1] = b, d[2] = c, d[3] = d[4] = d[5] = 0;
    switch (dist) {
    case GA__DIST_standard_normal: d[0] = 0, d[1] = 1; break;
    case GA__DIST_uniform:          /* in T's grid, never high             */
        d[2] = -gk_below_any(t, -a, false);
        d[3] = a < b ? gk_below_any(t, b, true) : d[2];
        if (d[3] < d[2]) d[3] = d[2] = -gk_below_any(t, -a, false);
        d[1] = b - a;
        break;
    case GA__DIST_exponential: case GA__DIST_rayleigh:
        d[0] = 0, d[1] = a;
        break;
    case GA__DIST_weibull: case GA__DIST_pareto: case GA__DIST_power:
        d[0] = 1 / a;
        break;
    case GA__DIST_geometric: d[0] = -1 / gk_log1p(-a); break;
    case GA__DIST_triangular:
        d[1] = c, d[2] = (b - a) / (c - a);
        d[3] = (b - a) * (c - a), d[4] = (c - b) * (c - a);
        break;
    default: break;
    }
}

template<class T> GK_INL T gk_rnd_clamp(T x, T lo, T hi) {
#if GK_DEVICE                       /* two instructions                     */
    if constexpr (sizeof(T) == 4) return fminf(fmaxf(x, lo), hi);
#endif
    return gk_clamp(x, lo, hi);
}
template<class T>
GK_INL T gk_rnd_one(int dist, const gk_rnd_par &p, uint32_t h, uint32_t l) {
    const T a = gk_par<T>(p, 0), b = gk_par<T>(p, 1);
    switch (dist) {
    case GA__DIST_random: return gk_unit(h, l, (T)0);
    case GA__DIST_uniform:
        return gk_rnd_clamp(gk_fma(b, gk_unit(h, l, (T)0), a),
                            gk_par<T>(p, 2), gk_par<T>(p, 3));
    case GA__DIST_weibull: case GA__DIST_pareto: {
        /* A power multiplies the error of its base: float in double too.  */
        double v = gk_open(h, sizeof(T) == 8 ? l : 0x80000000u, 0.0);
        bool w = dist == GA__DIST_weibull;
        double x = w ? gk_neglog(v) : gk_opened(v);
        if constexpr (sizeof(T) == 8) {
            x = gk_m_pow(x, w ? p.d[0] : -p.d[0]);
        } else {
            double y = w ? gk_log(x) : gk_neglog(v);
            x = gk_exp(y * p.d[0]);
        }
        return w ? p.d[0] < gk_fpk<double>::inf ? (T)x : (T)0 : (T)(x - 1);
    }
    default: break;
    }
    const T v = gk_open(h, l, (T)0), small = gk_m_fabs(v);
    switch (dist) {
    case GA__DIST_exponential: return b * gk_neglog(v);
    case GA__DIST_rayleigh: return b * gk_rnd_sqrt(2 * gk_neglog(v));
    case GA__DIST_power: return gk_exp(-a * gk_neglog(v));
    case GA__DIST_gumbel: return gk_fma(-b, gk_log(gk_neglog(v)), a);
    case GA__DIST_laplace: {
        T t = 2 * small, e = gk_neglog(t > (T)0.5 ? t - 1 : t);
        return gk_fma(b, v < 0 ? e : -e, a);
    }
    case GA__DIST_logistic: {
        T e = gk_log((1 - small) / small);
        return gk_fma(b, v < 0 ? e : -e, a);
    }
    case GA__DIST_cauchy: {         /* cotangent of pi times the distance  */
        bool far = small > (T)0.25;
        T t = (far ? (T)0.5 - small : small) * (T)0x1.921fb54442d18p1;
        T z = t * t, s = gk_fma(t * z, gk_rnd_sin_poly(z), t);
        T c = gk_fma(gk_fma(gk_rnd_cos_poly(z), z, (T)-0.5), z, (T)1);
        T e = (far ? s : c) / (far ? c : s);
        return gk_fma(b, v < 0 ? e : -e, a);
    }
    case GA__DIST_triangular: {
        T u = gk_opened(v), w = v < 0 ? small : 1 - v;
        return u <= gk_par<T>(p, 2) ? a + gk_m_sqrt(u * gk_par<T>(p, 3))
                                    : b - gk_m_sqrt(w * gk_par<T>(p, 4));
    }
    case GA__DIST_geometric: {
        T k = gk_m_ceil(gk_neglog(v) * a);
        return k > 1 ? k : (T)1;
    }
    default: return 0;
    }
}
/* Elements 2k and 2k+1: normals come in pairs. */
GK_INL bool gk_is_normal(int dist) {
    return dist == GA__DIST_standard_normal || dist == GA__DIST_normal
           || dist == GA__DIST_lognormal;
}
template<class T>
GK_INL void gk_rnd_pair(int dist, const gk_rnd_par &p, uint32_t h0,
                        uint32_t l0, uint32_t h1, uint32_t l1, T *x) {
    gk_normals(gk_par<T>(p, 0), gk_par<T>(p, 1), h0, l0, h1, l1, x);
    if (dist == GA__DIST_lognormal) x[0] = gk_exp(x[0]), x[1] = gk_exp(x[1]);
}

/* --- rejection ------------------------------------------------------------ */

/* The four words of a trial: of words 2k and 2k+1, of word k, of 0 to 2. */
struct gk_four {
    uint32_t w[4];
    GK_HD double open(int k) const {
        return gk_open(w[2 * k], w[2 * k + 1], 0.0);
    }
    GK_HD double unit(int k) const { return gk_opened(open(k)); }
    GK_HD double half(int k) const {
        return (gk_word_double(w[k]) + 0.5) * 0x1p-32;
    }
    GK_HD double normal() const {
        double z[2];
        gk_normals(0.0, 1.0, w[0], w[1], w[2], 0x80000000u, z);
        return z[0];
    }
};
/* An element's own words, four at a time, and where its sampler stands: a
   trial takes four words and says whether the element is done. So lanes of a
   warp that are done go on to their next elements while others try again.
   Trials end at 65536, which no parameters come near, with 0, or 1 where 0
   does not occur.                                                          */
struct gk_trials : gk_four {
    const gk_philox &g;
    uint64_t i;
    uint32_t attempt;
    int phase;
    double x, e;                    /* of a first gamma                     */
    GK_HD gk_trials(const gk_philox &k)
        : gk_four(), g(k), i(0), attempt(0), phase(0), x(0), e(0) {}
    GK_HD void start(int64_t at) { i = (uint64_t)at, attempt = 0, phase = 0; }
    GK_HD bool next() {
        if (attempt == 65536) return false;
        gk_philox_any(g, i, attempt++, w);
        return true;
    }
};

/* Stirling's series beyond k log k - k + log(2 pi k)/2 */
GK_INL double gk_stirling(double k) {
    static constexpr double small[8] = {
        0, 0.08106146679532726, 0.04134069595540929, 0.02767792568499834,
        0.02079067210376509, 0.01664469118982119, 0.01387612882307075,
        0.01189670994589177 };
    double low = small[k < 8 ? (int)k : 0], r = 1 / k, z = r * r;
    double t = r * (1 / 12. - z * (1 / 360. - z * (1 / 1260. - z * (1 / 1680.
                    - z * (1 / 1188.)))));
    return k < 8 ? low : t;
}
GK_INL double gk_log_factorial(double k) {
    double t = (k + 0.5) * gk_rnd_log(k) - k + 0.91893853320467274178
               + gk_stirling(k);
    return k < 2 ? 0 : t;
}
/* k log(m/k) + k - m <= 0 for k > 0 (C. Loader's deviance): what is left of
   the logarithm of a probability once the large terms have cancelled */
GK_INL double gk_deviance(double k, double m) {
    double x = (m - k) / k;
    return k * (gk_log1p(x) - x);
}
GK_INL double gk_log_poisson(double k, double lam) {
    double t = gk_deviance(k, lam) - gk_stirling(k)
               - 0.5 * gk_rnd_log(6.28318530717958647693 * k);
    return k == 0 ? -lam : t;
}
GK_INL double gk_log_binomial(double k, double n, double p) {
    double m = n - k;
    double t = gk_deviance(k, n * p) + gk_deviance(m, n * (1 - p))
               + gk_stirling(n) - gk_stirling(k) - gk_stirling(m)
               - 0.5 * gk_rnd_log(6.28318530717958647693 * k * (m / n));
    return k == 0 ? n * gk_log1p(-p) : k == n ? n * gk_rnd_log(p) : t;
}

/* Marsaglia and Tsang 2000, shape a: d = { a - 1/3, 1/sqrt(9 d), 1/a }; below
   1 of a+1, and the factor u^(1/a) still to come. */
GK_FN void gk_gamma_setup(double a, double *d) {
    d[2] = a < 1 ? 1 / a : 0;
    d[0] = (a < 1 ? a + 1 : a) - 1 / 3.0;
    d[1] = 1 / gk_m_sqrt(9 * d[0]);
}
#ifndef GPUARR_NO_CUDA
__device__ static __forceinline__ float gk_lg2(float x) {
    float r;                        /* within 2^-22 max(1, |log2 x|): PTX   */
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
/* log2(e) (d (1 - y + log y) + z^2/2 - log u), u = (w+1/2) 2^-32, in float32,
   and a bound of its error: each logarithm 2^-22 by gk_lg2 and 2^-23 by its
   argument, the rest roundings: below 2^-21 of the terms' magnitudes, of which
   2^-20 are taken (seen: 0.16 of the bound).                                */
__device__ static __forceinline__ float
gk_gamma_excess(float d, float y, float z, uint32_t w, float *bound) {
    float ly = gk_lg2(y), q = z * z * 0.72134752f;
    float lu = gk_lg2(gk_fma((float)w, 0x1p-32f, 0x1p-33f));
    *bound = 0x1p-20f * (gk_fma(d, y + 1 + gk_m_fabs(ly), q) + (1 - lu));
    return gk_fma(d, gk_fma(1 - y, 1.44269504f, ly), q) - lu;
}
#endif
/* On the GPU float32 decides where it can: the squeeze accepts nothing that
   the logarithms do not.                                                    */
GK_INL bool gk_gamma_trial(const gk_four &s, double d, double c, double *r) {
    double z = s.normal(), v = gk_fma(c, z, 1.0), y = v * v * v;
    *r = gk_rounded(d, y);
#if GK_DEVICE
    float bound, t = gk_gamma_excess((float)d, (float)y, (float)z, s.w[3],
                                     &bound);
    if (!(v > 0) | (gk_m_fabs(t) > bound)) return (v > 0) & (t > 0);
#endif
    double q = z * z, u = s.half(3);
    return (v > 0)
           & ((u < gk_fma(-0.0331 * q, q, 1.0))
              | (gk_rnd_log(u) < gk_fma(d, 1 - y + gk_rnd_log(y), 0.5 * q)));
}

/* Below 10 one uniform against the sums, all times k!; above Hoermann's
   PTRS (1993). */
GK_FN void gk_poisson_setup(double lam, double *d) {
    d[0] = lam;
    d[1] = lam < 10 ? gk_exp(-lam) : 0;
    d[2] = 0.931 + 2.53 * gk_m_sqrt(lam);
    d[3] = -0.059 + 0.02483 * d[2];
    d[4] = 1.1239 + 1.1328 / (d[2] - 3.4);
    d[5] = 0.9277 - 3.6224 / (d[2] - 2);
}
GK_INL bool gk_poisson_few(const gk_four &s, const double *d, double *r) {
    double u = s.unit(0), p = d[1], k = 0;
    while (u > p && k < 100) k++, u = (u - p) * k, p *= d[0];
    *r = k;
    return true;
}
GK_INL bool gk_poisson_many(const gk_four &s, const double *d, double *r) {
    double u = s.unit(0) - 0.5, v = s.unit(1), w = 0.5 - gk_m_fabs(u);
    double t = gk_rnd_div(d[3], w);
    double k = gk_m_floor((2 * t + d[2]) * u + d[0] + 0.43);
    *r = k;
    if (w >= 0.07 && v <= d[5]) return true;
    if (k < 0 || (w < 0.013 && v > w)) return false;
    return gk_rnd_log(gk_rnd_div(v * d[4], t / w + d[2]))
           <= gk_log_poisson(k, d[0]);
}
/* The same for the binomial, p <= 1/2: n p below 10, or BTRS (Hoermann
   1993). */
GK_FN void gk_binomial_setup(double n, double p, double *d) {
    d[0] = n;
    d[3] = p > 0.5;
    d[1] = p = p > 0.5 ? 1 - p : p;
    d[2] = p / (1 - p);
    double q = 1 - p, s = gk_m_sqrt(n * p * q);
    d[5] = n * p < 10 ? 0 : 1.15 + 2.53 * s;
    d[4] = -0.0873 + 0.0248 * d[5] + 0.01 * p;
    d[6] = n * p + 0.5;
    d[7] = (2.83 + 5.1 / d[5]) * s;
    d[8] = 0.92 - 4.2 / d[5];
    d[9] = n * p < 10 ? gk_exp(n * gk_log1p(-p))
                      : gk_log_binomial(gk_m_floor((n + 1) * p), n, p);
}
GK_INL bool gk_binomial_few(const gk_four &s, const double *d, double *r) {
    double n = d[0], k = 0, u = s.unit(0), p = d[9];
    while (u > p && k < n && k < 100)
        k++, u = (u - p) * k, p *= (n - k + 1) * d[2];
    *r = d[3] != 0 ? n - k : k;
    return true;
}
GK_INL bool gk_binomial_many(const gk_four &s, const double *d, double *r) {
    double n = d[0], k, u = s.unit(0) - 0.5, v = s.unit(1);
    double w = 0.5 - gk_m_fabs(u);
    double t = gk_rnd_div(d[4], w);
    k = gk_m_floor((2 * t + d[5]) * u + d[6]);
    *r = d[3] != 0 ? n - k : k;
    if (k < 0 || k > n) return false;
    return (w >= 0.07 && v <= d[8])
           || gk_rnd_log(gk_rnd_div(v * d[7], t / w + d[5]))
                  <= gk_log_binomial(k, n, d[1]) - d[9];
}

/* Below ten draws, or all but ten, drawn two a trial; else Stadlober's ratio
   of uniforms, HRUA (1989). d = { good, bad, draws made, 1 if drawn are those
   left out, mode, a, h, g, bound }                                          */
GK_INL double gk_hyper_log(double k, double lo, double hi, double m) {
    return gk_log_factorial(k) + gk_log_factorial(lo - k)
           + gk_log_factorial(m - k) + gk_log_factorial(hi - m + k);
}
GK_FN void gk_hyper_setup(double good, double bad, double draws, double *d) {
    double all = good + bad, m = gk_min0(draws, all - draws);
    double lo = gk_min0(good, bad), hi = gk_max0(good, bad);
    double p = lo / all, var = (all - m) * m * p * (hi / all) / (all - 1);
    double c = gk_m_sqrt(var + 0.5);
    d[0] = good, d[1] = bad, d[2] = m, d[3] = draws > all - draws;
    d[4] = gk_m_floor((m + 1) * (lo + 1) / (all + 2));
    d[5] = m * p + 0.5;
    d[6] = 1.7155277699214135 * c + 0.8989161620588988;
    d[7] = m < 10 ? 0 : gk_hyper_log(d[4], lo, hi, m);
    d[8] = gk_min0(gk_min0(m, lo) + 1, gk_m_floor(d[5] + 16 * c));
}
GK_INL bool gk_hyper_many(const gk_four &s, const double *d, double *r) {
    double good = d[0], bad = d[1], m = d[2];
    double lo = gk_min0(good, bad), hi = gk_max0(good, bad);
    double u = s.unit(0), v = s.unit(1);
    double x = d[5] + d[6] * (v - 0.5) / u;
    bool fits = (x >= 0) & (x < d[8]);
    double k = fits ? gk_m_floor(x) : 0, y = good > bad ? m - k : k;
    *r = d[3] != 0 ? good - y : y;
    double t = d[7] - gk_hyper_log(k, lo, hi, m);
    return fits & ((u * (4 - u) - 3 <= t)
                   | ((u * (u - t) < 1) & (2 * gk_rnd_log(u) <= t)));
}
GK_INL bool gk_hyper_trial(gk_trials &s, const double *d, double *r) {
    double good = d[0], bad = d[1], m = d[2];
    if (m < 10) {                   /* phase: drawn so far; x: good ones    */
        if (s.phase == 0) s.x = 0;
        for (int k = 0; k < 2 && s.phase < (int)m; k++, s.phase++)
            if (s.unit(k) * (good + bad - s.phase) < good - s.x) s.x++;
        *r = d[3] != 0 ? good - s.x : s.x;
        return s.phase >= (int)m;
    }
    return gk_hyper_many(s, d, r);
}
/* Devroye 1986, X.6; capped at int64's largest as NumPy's.
   d = { a, a-1, 2^(a-1), 2^-63(a-1) } */
GK_INL bool gk_zipf_trial(const gk_four &s, const double *d, double *r) {
    *r = 1;
    if (d[0] >= 1025) return true;
    double u = s.unit(0);
    double x = gk_m_floor(gk_m_pow(u + (1 - u) * d[3], -1 / d[1]));
    if (!(x >= 1 && x < 0x1p63)) return false;
    double t = gk_expm1(d[1] * gk_log1p(1 / x));
    *r = x;
    return s.unit(1) * x * t / (d[2] - 1) <= (t + 1) / d[2];
}
/* Kemp 1981, LK. d = { p, log(1-p) } */
GK_INL bool gk_logseries_trial(const gk_four &s, const double *d, double *r) {
    double v = s.unit(0);
    *r = 1;
    if (v >= d[0]) return true;
    double q = -gk_expm1(d[1] * s.unit(1));
    if (v > q) return true;
    *r = 2;
    if (v > q * q) return true;
    *r = gk_m_floor(1 + gk_log(v) / gk_log(q));
    return *r >= 1;
}
/* Best and Fisher 1979, the arccosine of their ratio as twice an arctangent,
   which keeps small angles; uniform below kappa = 1e-8, above 1e6 a normal
   wrapped, as NumPy. d = { mu, kappa, s, sqrt((s-1)/(s+1)) } */
GK_FN void gk_vonmises_setup(double k, double *d) {
    double t = 1 + gk_m_sqrt(1 + 4 * k * k);
    double rho = (t - gk_m_sqrt(2 * t)) / (2 * k);
    d[2] = k < 1e-5 ? 1 / k + k : (1 + rho * rho) / (2 * rho);
    d[3] = k < 1e-5 ? gk_m_sqrt((d[2] - 1) / (d[2] + 1))
                    : (1 - rho) / (1 + rho);
}
GK_INL bool gk_vonmises_trial(const gk_four &s, const double *d, double *r) {
    const double pi = 3.14159265358979323846;
    double k = d[1], a, x, y;
    if (k < 1e-8) {
        *r = pi * (2 * s.unit(0) - 1);
        return true;
    }
    if (k > 1e6) {
        a = s.normal() / gk_m_sqrt(k);
    } else {
        double v = s.half(2);
        gk_circle(s.w[0], s.w[1], &x, &y);
        double c = k * (d[2] - gk_rnd_div(1 + d[2] * x, d[2] + x));
        if (c * (2 - c) < v && gk_log(c / v) + 1 - c < 0) return false;
        a = 2 * gk_arctan(d[3] * (x < 0 ? (1 - x) / y : y / (1 + x)));
    }
    a += d[0];
    double m = gk_m_fabs(a);
    if (m > pi) m = gk_m_fmod(m + pi, 2 * pi) - pi;
    *r = a < 0 ? -m : m;
    return true;
}

GK_FN void gk_rnd_setup_own(int dist, double a, double b, double c,
                            double *d) {
    d[0] = a, d[1] = b, d[2] = c;
    switch (dist) {
    case GA__DIST_gamma: gk_gamma_setup(a, d), d[6] = b; break;
    case GA__DIST_chisquare: gk_gamma_setup(a / 2, d), d[6] = 2; break;
    case GA__DIST_negative_binomial:
        gk_gamma_setup(a, d), d[6] = (1 - b) / b;
        break;
    case GA__DIST_f:
        gk_gamma_setup(a / 2, d), gk_gamma_setup(b / 2, d + 3);
        d[6] = b / a;
        break;
    case GA__DIST_beta:
        gk_gamma_setup(a, d), gk_gamma_setup(b, d + 3);
        d[6] = a / b, d[7] = 1 / a, d[8] = 1 / b;
        d[9] = a <= 1 && b <= 1;
        break;
    case GA__DIST_vonmises: gk_vonmises_setup(b, d); break;
    case GA__DIST_wald: d[2] = a / (2 * b); break;
    case GA__DIST_poisson: gk_poisson_setup(a, d); break;
    case GA__DIST_binomial: gk_binomial_setup(a, b, d); break;
    case GA__DIST_hypergeometric: gk_hyper_setup(a, b, c, d); break;
    case GA__DIST_zipf:
        d[1] = a - 1, d[2] = gk_exp2(a - 1), d[3] = gk_exp2(-63 * (a - 1));
        break;
    case GA__DIST_logseries: d[1] = gk_log1p(-a); break;
    default: break;
    }
}
/* What needs gammas. Phase 1: the second of two; 2: a Poisson trial again.
   What follows a gamma takes its words at once: lanes of a warp mostly accept
   together, and in phases of their own they would take turns (gamma(.5) 3.2 ms
   instead of 2.2 for 2^26).                                                 */
GK_INL bool gk_gammas_trial(int dist, gk_trials &s, const double *d,
                            double *r) {
    if (s.phase < 2) {
        bool two = s.phase == 1;
        double x, e = 0, power = two ? d[5] : d[2];
        if (!gk_gamma_trial(s, two ? d[3] : d[0], two ? d[4] : d[1], &x))
            return false;
        if (power > 0) {
            s.next();
            e = gk_neglog(s.open(0));
            if (dist != GA__DIST_beta) x *= gk_v_exp(-gk_rounded(e, power));
        }
        if (dist == GA__DIST_gamma || dist == GA__DIST_chisquare) {
            *r = x * d[6];
            return true;
        }
        if (two && dist == GA__DIST_f) {
            *r = s.x / x * d[6];
            return true;
        }
        if (two) {                  /* small shapes: the odds' logarithm   */
            if (d[2] == 0 && d[5] == 0) *r = s.x / (s.x + x);
            else *r = 1 / (1 + gk_exp(gk_log(x / s.x)
                                      + (s.e * d[2] - e * d[5])));
            return true;
        }
        s.x = x, s.e = e;
        s.phase = 1;
        if (dist != GA__DIST_negative_binomial) return false;
        s.phase = 2;
        s.next();
    }
    double y[6];
    *r = s.x * d[6];
    if (!(*r < 0x1p63)) return true;
    gk_poisson_setup(*r, y);
    return y[0] < 10 ? gk_poisson_few(s, y, r) : gk_poisson_many(s, y, r);
}
/* What one trial's four words decide. */
GK_INL bool gk_four_trial(int dist, const gk_four &s, const double *d,
                          double *r) {
    switch (dist) {
    case GA__DIST_vonmises: return gk_vonmises_trial(s, d, r);
    case GA__DIST_wald: {
        /* Michael, Schucany and Haas 1976; the roots are mean/t and mean t,
           in which nothing cancels. */
        double z = s.normal(), y = d[2] * z * z;
        double t = 1 + y + gk_m_sqrt(y * (y + 2));
        *r = s.half(3) * (t + 1) <= t ? d[0] / t : d[0] * t;
        return true;
    }
    case GA__DIST_beta: {
        /* Joehnk 1964 by logarithms; where both are beyond double's range
           the larger one has it. */
        double e = gk_neglog(s.open(0)), f = gk_neglog(s.open(1));
        double t = e * d[7] - f * d[8];
        double q = 1 / (1 + gk_exp(t)), one = e > f * d[6] ? 0 : 1;
        *r = t == t ? q : one;
        return gk_exp(-e * d[7]) + gk_exp(-f * d[8]) <= 1;
    }
    case GA__DIST_standard_t: {     /* Bailey 1994: no rejection            */
        double x, y, e = 2 * gk_neglog(s.open(0));
        gk_circle(s.w[2], s.w[3], &x, &y);
        *r = x * gk_m_sqrt(d[0] < 1e17 ? d[0] * gk_expm1(e / d[0]) : e);
        return true;
    }
    case GA__DIST_poisson:
        return d[0] < 10 ? gk_poisson_few(s, d, r) : gk_poisson_many(s, d, r);
    case GA__DIST_binomial:
        return d[5] == 0 ? gk_binomial_few(s, d, r)
                         : gk_binomial_many(s, d, r);
    case GA__DIST_hypergeometric: return gk_hyper_many(s, d, r);
    case GA__DIST_zipf: return gk_zipf_trial(s, d, r);
    default: return gk_logseries_trial(s, d, r);
    }
}
/* Elements that take more than one trial even if none rejects. */
GK_INL bool gk_is_gammas(int dist, const double *d) {
    return dist == GA__DIST_gamma || dist == GA__DIST_chisquare
           || dist == GA__DIST_f || dist == GA__DIST_negative_binomial
           || (dist == GA__DIST_beta && d[9] == 0);
}
GK_INL bool gk_rnd_trial(int dist, gk_trials &s, const double *d, double *r) {
    if (gk_is_gammas(dist, d)) return gk_gammas_trial(dist, s, d, r);
    if (dist == GA__DIST_hypergeometric) return gk_hyper_trial(s, d, r);
    return gk_four_trial(dist, s, d, r);
}
GK_INL bool gk_rnd_is_own(int dist) {
    switch (dist) {
    case GA__DIST_gamma: case GA__DIST_chisquare: case GA__DIST_standard_t:
    case GA__DIST_f: case GA__DIST_negative_binomial: case GA__DIST_beta:
    case GA__DIST_vonmises: case GA__DIST_wald: case GA__DIST_poisson:
    case GA__DIST_binomial: case GA__DIST_hypergeometric:
    case GA__DIST_zipf: case GA__DIST_logseries: return true;
    default: return false;
    }
}

/* --- launches ------------------------------------------------------------- */

struct gk_rnd {                     /* what both devices make of a ga__draw */
    gk_philox g;
    gk_rnd_par par;
    int dist, out_type;
    int64_t n, first;               /* of this launch, a multiple of 2^34   */
    void *out;
    uint64_t low, span, reject;     /* integers: words below it again       */
};
/* 2^w mod (span+1): products whose low half is below it are one too many
   (Lemire 2019) */
GK_INL uint32_t gk_reject32(uint32_t span) {
    uint32_t s = span + 1;
    return s ? (0u - s) % s : 0;
}
GK_INL uint64_t gk_reject64(uint64_t span) {
    uint64_t s = span + 1;
    return s ? (0ull - s) % s : 0;
}
static gk_rnd gk_rnd_make(const ga__draw *r, int64_t first) {
    const int64_t most = (int64_t)1 << 34;
    gk_rnd a;
    memset(&a, 0, sizeof a);
    a.g = gk_philox_make(r->seed, r->call, r->substream,
                         (uint64_t)first >> 34);
    a.dist = r->dist;
    a.out_type = r->out_type;
    a.first = first;
    a.n = r->n - first < most ? r->n - first : most;
    a.out = (char *)r->out + first * (int64_t)gk_size[r->out_type];
    a.low = r->low;
    a.span = r->span;
    a.reject = r->span >> 32 ? gk_reject64(r->span)
                             : gk_reject32((uint32_t)r->span);
    if (gk_rnd_is_own(r->dist))
        gk_rnd_setup_own(r->dist, r->param[0].value, r->param[1].value,
                         r->param[2].value, a.par.d);
    else
        gk_rnd_setup_one(r->dist, r->out_type, r->param[0].value,
                         r->param[1].value, r->param[2].value, a.par.d);
    for (int i = 0; i < 6; i++) a.par.f[i] = (float)a.par.d[i];
    return a;
}
/* Results that fit the fast forms: parameters by value, shared words. */
static bool gk_rnd_fast(const ga__draw *r) {
    if (r->ndim || r->words || gk_rnd_is_own(r->dist)) return false;
    switch (r->dist) {
    case GA__DIST_bits: return true;
    case GA__DIST_integers:
        return r->out_type == GA_INT64 || r->out_type == GA_UINT64
               || (r->span >> 32 == 0 && r->out_type >= GA_INT8
                   && r->out_type <= GA_UINT64);
    case GA__DIST_geometric:
        return r->out_type == GA_FLOAT64 || r->out_type == GA_INT64;
    default:
        return r->out_type == GA_FLOAT16 || r->out_type == GA_BFLOAT16
               || r->out_type == GA_FLOAT32 || r->out_type == GA_FLOAT64;
    }
}

/* [0, 1) stays below 1 in halves: towards zero. */
template<class S, class T> GK_INL S gk_rnd_to(int dist, T x) {
    S s = gk_cast<S>(x);
    if constexpr (gk_half<S> && !gk_int<T>)
        if (dist == GA__DIST_random && gk_cast<float>(s) > (float)x) s.bits--;
    return s;
}
template<class T>
GK_INL void gk_rnd_put(int dist, int type, void *out, int64_t i, T x) {
    switch (type) {
#define GA__X(t, S) case t: ((S *)out)[i] = gk_rnd_to<S>(dist, x); break;
    GA__X(GA_INT8, int8_t) GA__X(GA_INT16, int16_t) GA__X(GA_INT32, int32_t)
    GA__X(GA_INT64, int64_t) GA__X(GA_UINT8, uint8_t)
    GA__X(GA_UINT16, uint16_t) GA__X(GA_UINT32, uint32_t)
    GA__X(GA_UINT64, uint64_t) GA__X(GA_FLOAT16, gk_f16)
    GA__X(GA_BFLOAT16, gk_bf16) GA__X(GA_FLOAT32, float)
    GA__X(GA_FLOAT64, double)
#undef GA__X
    default: break;
    }
}

/* Word j of element i in the shared layout. */
GK_INL uint32_t gk_rnd_word(const gk_rnd &a, int64_t i, uint32_t j) {
    uint32_t w[4];
    gk_philox_any(a.g, (uint64_t)i >> 2, j, w);
    return i & 2 ? i & 1 ? w[3] : w[2] : i & 1 ? w[1] : w[0];
}
GK_INL uint64_t gk_mul_hi64(uint64_t a, uint64_t b) {
#if GK_DEVICE
    return __umul64hi(a, b);
#else
    uint64_t m = (uint32_t)a * (b >> 32) + ((uint32_t)a * (b & 0xffffffffu)
                                            >> 32);
    uint64_t k = (a >> 32) * (b & 0xffffffffu) + (uint32_t)m;
    return (a >> 32) * (b >> 32) + (m >> 32) + (k >> 32);
#endif
}
/* 0 .. span from further words while the first, or the first two, reject;
   word 65535 is taken as it is */
GK_FN uint64_t gk_rnd_integer(const gk_rnd &a, int64_t i, uint64_t span,
                              uint32_t j) {
    if (span >> 32 == 0) {
        uint64_t s = span + 1;
        uint32_t bad = gk_reject32((uint32_t)span);
        for (;; j++) {
            uint64_t m = gk_rnd_word(a, i, j) * s;
            if ((uint32_t)m >= bad || j >= 65535) return m >> 32;
        }
    }
    uint64_t s = span + 1, bad = gk_reject64(span);
    for (;; j += 2) {
        uint64_t w = (uint64_t)gk_rnd_word(a, i, j) << 32
                     | gk_rnd_word(a, i, j + 1);
        if (s == 0) return w;
        if (w * s >= bad || j >= 65534) return gk_mul_hi64(w, s);
    }
}
/* An engine's word spread over the range: no second one to ask for. */
GK_INL uint64_t gk_rnd_spread(uint64_t w, int bits, uint64_t span) {
    uint64_t s = span + 1;
    if (bits == 32) {
        if (s == 0) return w << 32;
        return w * (s >> 32) + (w * (s & 0xffffffffu) >> 32);
    }
    return s == 0 ? w : gk_mul_hi64(w, s);
}


/* --- one element, any parameters, any source ------------------------------ */

/* Where element i's parameters lie. */
GK_INL void gk_rnd_offsets(const ga__draw &r, int64_t i, int64_t *off) {
    uint64_t at = (uint64_t)i;
    off[0] = off[1] = off[2] = 0;
    for (int d = r.ndim - 1; d >= 0; d--) {
        uint64_t len = (uint64_t)r.shape[d], q = 0;
        if (d > 0) q = (at | len) >> 32 ? at / len
                                        : (uint32_t)at / (uint32_t)len;
        int64_t c = (int64_t)(at - q * len);
        at = q;
        for (int k = 0; k < 3; k++) off[k] += c * r.param[k].stride[d];
    }
}
GK_INL void gk_rnd_values(const ga__draw &r, int64_t i, double *v) {
    int64_t off[3];
    gk_rnd_offsets(r, i, off);
    for (int k = 0; k < 3; k++)
        v[k] = r.param[k].data ? ((const double *)r.param[k].data)[off[k]]
                               : r.param[k].value;
}
GK_INL uint64_t gk_rnd_engine(const ga__draw &r, int64_t i) {
    return r.word_bits == 32 ? ((const uint32_t *)r.words)[i]
                             : ((const uint64_t *)r.words)[i];
}
GK_FN void gk_rnd_any_integer(const gk_rnd &a, const ga__draw &r, int64_t i) {
    uint64_t low = a.low, span = a.span;
    if (r.ndim) {
        int64_t off[3];
        gk_rnd_offsets(r, i, off);
        low = ((const uint64_t *)r.param[0].data)[off[0]];
        span = ((const uint64_t *)r.param[1].data)[off[1]] - low - 1;
    }
    uint64_t v = low + (r.words
        ? gk_rnd_spread(gk_rnd_engine(r, i), r.word_bits, span)
        : gk_rnd_integer(a, i, span, 0));
    switch (r.out_type) {
    case GA_INT8: case GA_UINT8: ((uint8_t *)a.out)[i] = (uint8_t)v; break;
    case GA_INT16: case GA_UINT16:
        ((uint16_t *)a.out)[i] = (uint16_t)v;
        break;
    case GA_INT32: case GA_UINT32:
        ((uint32_t *)a.out)[i] = (uint32_t)v;
        break;
    case GA_INT64: case GA_UINT64: ((uint64_t *)a.out)[i] = v; break;
    default:
        if (r.is_unsigned) gk_rnd_put(a.dist, r.out_type, a.out, i, v);
        else gk_rnd_put(a.dist, r.out_type, a.out, i, (int64_t)v);
    }
}
template<class T>
GK_FN void gk_rnd_any_one(const gk_rnd &a, const ga__draw &r, int64_t i) {
    uint32_t h, l = 0;
    if (r.words) {
        uint64_t w = gk_rnd_engine(r, i);
        bool grid = a.dist == GA__DIST_random || a.dist == GA__DIST_uniform;
        h = (uint32_t)(r.word_bits == 32 ? w : w >> 32);
        l = r.word_bits != 32 ? (uint32_t)w : grid ? 0 : 0x80000000u;
    } else {
        h = gk_rnd_word(a, i, 0);
        if (sizeof(T) == 8) l = gk_rnd_word(a, i, 1);
    }
    if (a.dist == GA__DIST_bits) {
        ((uint32_t *)a.out)[i] = h;
        return;
    }
    gk_rnd_par p;
    if (r.ndim) {
        double v[3];
        gk_rnd_values(r, i, v);
        gk_rnd_setup_one(a.dist, r.out_type, v[0], v[1], v[2], p.d);
        for (int k = 0; k < 6; k++) p.f[k] = (float)p.d[k];
    } else {
        for (int k = 0; k < 6; k++)
            p.d[k] = a.par.d[k], p.f[k] = a.par.f[k];
    }
    T x;
    if (!gk_is_normal(a.dist)) {
        x = gk_rnd_one<T>(a.dist, p, h, l);
    } else if (r.words) {
        x = (T)gk_normal_inverse(gk_open(h, l, 0.0));
        x = gk_fma(gk_par<T>(p, 1), x, gk_par<T>(p, 0));
        if (a.dist == GA__DIST_lognormal) x = gk_exp(x);
    } else {                        /* with its neighbour's word           */
        T z[2];
        uint32_t g = gk_rnd_word(a, i ^ 1, 0), k = 0;
        if (sizeof(T) == 8) k = gk_rnd_word(a, i ^ 1, 1);
        bool odd = (i & 1) != 0;
        gk_rnd_pair(a.dist, p, odd ? g : h, odd ? k : l, odd ? h : g,
                    odd ? l : k, z);
        x = odd ? z[1] : z[0];
    }
    gk_rnd_put(a.dist, r.out_type, a.out, i, x);
}
/* Elements i, i + step, .. below `to`. */
GK_INL void gk_rnd_any_own(const gk_rnd &a, const ga__draw &r, int64_t i,
                           int64_t to, int step, const bool arrays) {
    gk_trials s(a.g);
    const double none = a.dist == GA__DIST_zipf
                        || a.dist == GA__DIST_logseries ? 1 : 0;
    double x = none, own[12];
    const double *d = arrays ? own : a.par.d;
    for (bool fresh = true; i < to;) {
        if (fresh) {
            s.start(i);
            if (arrays) {
                double v[3];
                gk_rnd_values(r, i, v);
                gk_rnd_setup_own(a.dist, v[0], v[1], v[2], own);
            }
        }
        if (!s.next()) x = none, fresh = true;
        else fresh = gk_rnd_trial(a.dist, s, d, &x);
        if (fresh) {
            gk_rnd_put(a.dist, r.out_type, a.out, i, x);
            i += step;
        }
    }
}
/* float32 computes for float results but for geometric, a whole number. */
static bool gk_rnd_single(const ga__draw *r) {
    return r->dist == GA__DIST_bits
           || (r->dist != GA__DIST_geometric
               && (r->out_type == GA_FLOAT16 || r->out_type == GA_BFLOAT16
                   || r->out_type == GA_FLOAT32));
}

/* --- CUDA ----------------------------------------------------------------- */
#ifndef GPUARR_NO_CUDA

/* Kernels by cost, so that the cheap ones keep their registers few. */
#define GK_RND_UNIT 0               /* random, uniform, bits               */
#define GK_RND_NORMAL 1             /* normals, exponential                */
#define GK_RND_OTHER 2
static int gk_rnd_cost(int dist) {
    switch (dist) {
    case GA__DIST_random: case GA__DIST_uniform: case GA__DIST_bits:
        return GK_RND_UNIT;
    case GA__DIST_exponential: case GA__DIST_standard_normal:
    case GA__DIST_normal: return GK_RND_NORMAL;
    default: return GK_RND_OTHER;
    }
}
/* N elements from their words. */
template<class T, int COST, int N>
__device__ static __forceinline__ void
gk_rnd_numbers(const gk_rnd &a, const uint32_t *h, const uint32_t *l, T *x) {
    if constexpr (COST == GK_RND_NORMAL || COST == GK_RND_OTHER) {
        if (gk_is_normal(a.dist)) {
            const int dist = COST == GK_RND_NORMAL ? GA__DIST_normal
                                                   : GA__DIST_lognormal;
#pragma unroll
            for (int k = 0; k < N; k += 2)
                gk_rnd_pair(dist, a.par, h[k], l[k], h[k + 1], l[k + 1],
                            x + k);
            return;
        }
    }
#define GA__X(d)                                                             \
    _Pragma("unroll") for (int k = 0; k < N; k++)                            \
        x[k] = gk_rnd_one<T>(d, a.par, h[k], l[k]);
    if constexpr (COST == GK_RND_OTHER) {
        GA__X(a.dist)
    } else if constexpr (COST == GK_RND_NORMAL) {
        GA__X(GA__DIST_exponential)
    } else if (a.dist == GA__DIST_random) {
        GA__X(GA__DIST_random)
    } else {
        GA__X(GA__DIST_uniform)
    }
#undef GA__X
}
/* V neighbours from element `at` on, at once where out is aligned for it. */
template<class S, int V>
__device__ static __forceinline__ void
gk_rnd_store(const gk_rnd &a, int64_t at, const gk_pack<S, V> &x) {
    S *o = (S *)a.out + at;
    if (at + V <= a.n && ((uintptr_t)a.out & (sizeof(x) - 1)) == 0) {
        *(gk_pack<S, V> *)o = x;
    } else {
#pragma unroll
        for (int k = 0; k < V; k++)
            if (at + k < a.n) o[k] = x.v[k];
    }
}
/* Stores of V elements: one block for float32, two for the halves, half a one
   for float64, where neighbours do the two attempts of a block and exchange
   what the other needs. Two of them a thread hide their latencies and share
   constants (float32 normal 0.43 ms for 2^28, with one 0.51; random 0.234,
   the fill rate, with one 0.282).                                          */
template<class S, int COST> struct gk_rnd_shape {
    static constexpr int vec = sizeof(S) == 8 ? 2
        : sizeof(S) == 4 || COST == GK_RND_OTHER ? 4 : 8;
    static constexpr int each = COST == GK_RND_OTHER || vec == 8 ? 1 : 2;
};
template<class S, int COST>
__global__ void __launch_bounds__(256) gk_rnd_values_kernel(
    const __grid_constant__ gk_rnd a) {
    constexpr int V = gk_rnd_shape<S, COST>::vec;
    constexpr int E = gk_rnd_shape<S, COST>::each, N = E * V;
    typedef typename std::conditional<sizeof(S) == 8, double, float>::type T;
    int64_t t = (int64_t)blockIdx.x * (256 * E) + threadIdx.x;
    uint32_t h[N], l[N];
    T x[N];
#pragma unroll
    for (int e = 0; e < E; e++) {
        uint32_t *u = h + e * V;
        if constexpr (V == 2) {
            uint32_t w[4], odd = (uint32_t)t & 1;
            gk_philox_low(a.g, (uint32_t)((t + 256 * e) >> 1), odd, w);
            uint32_t p = __shfl_xor_sync(~0u, odd ? w[0] : w[2], 1);
            uint32_t q = __shfl_xor_sync(~0u, odd ? w[1] : w[3], 1);
            u[0] = odd ? p : w[0], l[2 * e] = odd ? w[2] : p;
            u[1] = odd ? q : w[1], l[2 * e + 1] = odd ? w[3] : q;
        } else {
#pragma unroll
            for (int k = 0; k < V / 4; k++)
                gk_philox_low(a.g, (uint32_t)(t + 256 * e) * (V / 4) + k, 0,
                              u + 4 * k);
        }
    }
    if constexpr (!std::is_same<S, uint32_t>::value)
        gk_rnd_numbers<T, COST, N>(a, h, l, x);
#pragma unroll
    for (int e = 0; e < E; e++) {
        gk_pack<S, V> r;
#pragma unroll
        for (int k = 0; k < V; k++) {
            if constexpr (std::is_same<S, uint32_t>::value)
                r.v[k] = h[e * V + k];
            else r.v[k] = gk_rnd_to<S>(a.dist, x[e * V + k]);
        }
        gk_rnd_store<S, V>(a, (t + 256 * e) * V, r);
    }
}

/* Block t's four integers 0 .. span, of 32 bits or of 64. Rejected ones try
   again together: with a quarter rejected 1.6 ms for 2^28, one by one 2.9.  */
template<class W> __device__ static __forceinline__ uint32_t
gk_rnd_four(const gk_rnd &a, uint32_t t, uint32_t j, uint32_t todo, W *v) {
    uint32_t h[4], l[4];
    W s = (W)a.span + 1, bad = (W)a.reject;
    if constexpr (sizeof(W) == 4) {
        if (j == 0) gk_philox_low(a.g, t, 0, h);
        else gk_philox_any(a.g, t, j, h);
    } else {
        gk_philox_any(a.g, t, 2 * j, h);
        gk_philox_any(a.g, t, 2 * j + 1, l);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (!(todo >> k & 1)) continue;
        W w = h[k], hi, lo;
        if constexpr (sizeof(W) == 4) {
            hi = __umulhi(w, s);
        } else {
            w = (W)h[k] << 32 | l[k];
            hi = __umul64hi(w, s);
        }
        lo = w * s;
        v[k] = s ? hi : w;
        if (lo >= bad) todo &= ~(1u << k);
    }
    return todo;
}
/* Block t's four results, a.low + v. */
template<class S, class W> __device__ static __forceinline__ void
gk_rnd_store_four(const gk_rnd &a, int64_t t, const W *v) {
    if constexpr (sizeof(S) == 8) { /* neighbours: whole sectors a store   */
        bool odd = (t & 1) != 0;
        W p = __shfl_xor_sync(~0u, odd ? v[0] : v[2], 1);
        W q = __shfl_xor_sync(~0u, odd ? v[1] : v[3], 1);
        gk_pack<S, 2> x = {{(S)(a.low + (odd ? p : v[0])),
                            (S)(a.low + (odd ? q : v[1]))}};
        gk_pack<S, 2> y = {{(S)(a.low + (odd ? v[2] : p)),
                            (S)(a.low + (odd ? v[3] : q))}};
        int64_t at = (t & ~(int64_t)1) * 4 + (odd ? 2 : 0);
        gk_rnd_store<S, 2>(a, at, x);
        gk_rnd_store<S, 2>(a, at + 4, y);
    } else {
        gk_pack<S, 4> x;
#pragma unroll
        for (int k = 0; k < 4; k++) x.v[k] = (S)(a.low + v[k]);
        gk_rnd_store<S, 4>(a, 4 * t, x);
    }
}
template<class S, class W>
__global__ void __launch_bounds__(256) gk_rnd_integers_kernel(
    const __grid_constant__ gk_rnd a) {
    int64_t t = (int64_t)blockIdx.x * 256 + threadIdx.x;
    W v[4];
    uint32_t todo = gk_rnd_four(a, (uint32_t)t, 0, 15, v);
    const uint32_t most = sizeof(W) == 4 ? 65535 : 32767;
#pragma unroll 1
    for (uint32_t j = 1; todo && j <= most; j++)
        todo = gk_rnd_four(a, (uint32_t)t, j, todo, v);
    gk_rnd_store_four<S>(a, t, v);
}
/* A count of trials, q = -log2(u) b rounded up, by float32 and the high word
   alone; false near whole numbers. From 2^-15 on u is off by less than 2^-17.5
   of it, the logarithm by 2^-17, and q by 2^-20 of it in roundings.         */
__device__ static __forceinline__ bool
gk_rnd_count(float b, uint32_t h, int64_t *r) {
    typedef gk_fpk<float> K;
    float q = -b * gk_lg2(gk_fma((float)h, 0x1p-32f, 0x1p-33f));
    float m = q + K::magic, off = q - (m - K::magic);
    int n = (int)(gk_bits<uint32_t>(m) - gk_bits<uint32_t>(K::magic));
    n += off > 0;
    *r = n > 1 ? n : 1;
    return (gk_m_fabs(off) > gk_fma(q, 0x1p-20f, b * 0x1p-17f))
           & (h >> 17 != 0);
}
/* What float32 does not decide is made of float64, as on the CPU: by a
   hundredth of the warps for p = .2, by most from b = 512 on, where it is not
   asked (p = .2 0.144 ms for 2^26, all by float64 0.329).                   */
__global__ void __launch_bounds__(256) gk_rnd_geometric_kernel(
    const __grid_constant__ gk_rnd a) {
    int64_t t = (int64_t)blockIdx.x * 256 + threadIdx.x, v[4];
    const float b = a.par.f[0] * 0.69314718f;
    uint32_t h[4], l[4];
    bool sure = b < 512;
    gk_philox_low(a.g, (uint32_t)t, 0, h);
    if (sure) {
#pragma unroll
        for (int k = 0; k < 4; k++) sure &= gk_rnd_count(b, h[k], v + k);
    }
    if (!sure) {
        gk_philox_low(a.g, (uint32_t)t, 1, l);
#pragma unroll
        for (int k = 0; k < 4; k++)
            v[k] = gk_cast<int64_t>(gk_rnd_one<double>(GA__DIST_geometric,
                                                       a.par, h[k], l[k]));
    }
    gk_rnd_store_four<int64_t>(a, t, v);
}
template<class T> __global__ void __launch_bounds__(256) gk_rnd_any_kernel(
    const __grid_constant__ gk_rnd a, const __grid_constant__ ga__draw r) {
    int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= r.n) return;
    if constexpr (gk_int<T>) gk_rnd_any_integer(a, r, i);
    else gk_rnd_any_one<T>(a, r, i);
}
/* A warp has 32 rows * `per` elements, in turns. */
template<bool ARRAYS>
__global__ void __launch_bounds__(256, 3) gk_rnd_own_kernel(
    const __grid_constant__ gk_rnd a, const __grid_constant__ ga__draw r,
    int per) {
    int64_t warp = (int64_t)blockIdx.x * 8 + (threadIdx.x >> 5);
    int64_t from = warp * 32 * per, to = from + 32 * per;
    gk_rnd_any_own(a, r, from + (threadIdx.x & 31), to < r.n ? to : r.n, 32,
                   ARRAYS);
}

/* Gammas, n <= 2^32, per <= 16 a thread: the first trials, then together those
   of the elements that the block's first ones rejected. */
template<class S>
__global__ void __launch_bounds__(256, 4) gk_rnd_gamma_kernel(
    const __grid_constant__ gk_rnd a, int per) {
    __shared__ uint16_t again[256 * 16];
    __shared__ int many;
    const int64_t first = (int64_t)blockIdx.x * (256 * per);
    S *out = (S *)a.out + first;
    const int n = a.n - first < 256 * per ? (int)(a.n - first) : 256 * per;
    gk_trials s(a.g);
    double x;
    if (threadIdx.x == 0) many = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += 256) {
        s.start(first + i), s.attempt = 1;
        gk_philox_low(a.g, (uint32_t)s.i, 0, s.w);
        if (gk_gammas_trial(GA__DIST_gamma, s, a.par.d, &x)) out[i] = (S)x;
        else again[atomicAdd(&many, 1)] = (uint16_t)i;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < many; k += 256) {
        s.start(first + again[k]), s.attempt = 1;
        for (bool done = false; !done;)
            if (s.next())
                done = gk_gammas_trial(GA__DIST_gamma, s, a.par.d, &x);
            else x = 0, done = true;
        out[again[k]] = (S)x;
    }
}

template<class S, int COST>
static void gk_rnd_launch_cost(const gk_rnd &a, cudaStream_t st) {
    typedef gk_rnd_shape<S, COST> F;
    const int64_t per = 256 * F::vec * F::each;
    gk_rnd_values_kernel<S, COST>
        <<<(unsigned)((a.n + per - 1) / per), 256, 0, st>>>(a);
}
template<class S>
static void gk_rnd_launch(const gk_rnd &a, cudaStream_t st) {
    switch (gk_rnd_cost(a.dist)) {
    case GK_RND_UNIT: gk_rnd_launch_cost<S, GK_RND_UNIT>(a, st); break;
    case GK_RND_NORMAL: gk_rnd_launch_cost<S, GK_RND_NORMAL>(a, st); break;
    default: gk_rnd_launch_cost<S, GK_RND_OTHER>(a, st);
    }
}
template<class S, class W>
static void gk_rnd_launch_integers(const gk_rnd &a, cudaStream_t st) {
    gk_rnd_integers_kernel<S, W>
        <<<(unsigned)((a.n + 1023) / 1024), 256, 0, st>>>(a);
}
extern "C" int gk_cuda_random(const ga__draw *r, void *stream, int mps) {
    cudaStream_t st = (cudaStream_t)stream;
    if (!gk_rnd_fast(r)) {
        gk_rnd a = gk_rnd_make(r, 0);
        unsigned blocks = (unsigned)((r->n + 255) / 256);
        if (gk_rnd_is_own(r->dist)) {
            int64_t per = r->n / ((int64_t)mps * 4096);
            per = per < 1 ? 1 : per > 16 ? 16 : per;
            blocks = (unsigned)((r->n + 256 * per - 1) / (256 * per));
            bool gamma = !r->ndim && (r->n - 1) >> 32 == 0
                         && (r->dist == GA__DIST_gamma
                             || r->dist == GA__DIST_chisquare);
            if (gamma && r->out_type == GA_FLOAT32)
                gk_rnd_gamma_kernel<float><<<blocks, 256, 0, st>>>(a, (int)per);
            else if (gamma && r->out_type == GA_FLOAT64)
                gk_rnd_gamma_kernel<double><<<blocks, 256, 0, st>>>(a,
                                                                    (int)per);
            else if (r->ndim)
                gk_rnd_own_kernel<true><<<blocks, 256, 0, st>>>(a, *r,
                                                                (int)per);
            else
                gk_rnd_own_kernel<false><<<blocks, 256, 0, st>>>(a, *r,
                                                                 (int)per);
        } else if (r->dist == GA__DIST_integers) {
            gk_rnd_any_kernel<int64_t><<<blocks, 256, 0, st>>>(a, *r);
        } else if (gk_rnd_single(r)) {
            gk_rnd_any_kernel<float><<<blocks, 256, 0, st>>>(a, *r);
        } else {
            gk_rnd_any_kernel<double><<<blocks, 256, 0, st>>>(a, *r);
        }
        return (int)cudaGetLastError();
    }
    for (int64_t at = 0; at < r->n; at += (int64_t)1 << 34) {
        gk_rnd a = gk_rnd_make(r, at);
        switch (r->out_type) {
        case GA_INT8: case GA_UINT8:
            gk_rnd_launch_integers<uint8_t, uint32_t>(a, st);
            break;
        case GA_INT16: case GA_UINT16:
            gk_rnd_launch_integers<uint16_t, uint32_t>(a, st);
            break;
        case GA_INT32: case GA_UINT32:
            if (r->dist == GA__DIST_bits)
                gk_rnd_launch_cost<uint32_t, GK_RND_UNIT>(a, st);
            else gk_rnd_launch_integers<uint32_t, uint32_t>(a, st);
            break;
        case GA_INT64: case GA_UINT64:
            if (a.dist == GA__DIST_geometric)
                gk_rnd_geometric_kernel
                    <<<(unsigned)((a.n + 1023) / 1024), 256, 0, st>>>(a);
            else if (a.span >> 32)
                gk_rnd_launch_integers<uint64_t, uint64_t>(a, st);
            else gk_rnd_launch_integers<uint64_t, uint32_t>(a, st);
            break;
        case GA_FLOAT16: gk_rnd_launch<gk_f16>(a, st); break;
        case GA_BFLOAT16: gk_rnd_launch<gk_bf16>(a, st); break;
        case GA_FLOAT32: gk_rnd_launch<float>(a, st); break;
        default: gk_rnd_launch<double>(a, st);
        }
    }
    return (int)cudaGetLastError();
}
#endif

/* --- CPU ------------------------------------------------------------------ */
#if GK_PART_IS(random_cpu)

/* Part of a loop that is compiled once an instruction set. */
#if defined(__GNUC__)
#define GK_RND static inline __attribute__((unused, always_inline))
#else
#define GK_RND static __forceinline
#endif
/* A piece of GK_BLOCK elements: its words, then one loop that the compiler
   makes vectors of.                                                        */
struct gk_rnd_buffer {
    alignas(64) uint32_t h[GK_BLOCK], l[GK_BLOCK];
    alignas(64) double x[GK_BLOCK];
};
/* Once an instruction set, for all that draws: the words of blocks from `block`
   on, of `many` elements, whole pieces of 64; and trials, element by element,
   which AVX-512 serves no better.                                           */
#define GA__X(isa, attr)                                                     \
    GK_OUT attr static void gk_rnd_words_##isa(                              \
            const gk_philox &g, int64_t block, uint32_t attempt, int many,   \
            uint32_t *w) noexcept {                                          \
        const int n = (many & -64) / 4;                                      \
        const uint32_t first = (uint32_t)block;                              \
        GK_EACH gk_philox_low(g, first + (uint32_t)i, attempt, w + 4 * i);   \
    }                                                                        \
    GK_OUT attr static void gk_rnd_trials_##isa(                             \
            const gk_rnd &a, const ga__draw &r, int64_t at, int64_t to)      \
            noexcept {                                                       \
        gk_rnd_any_own(a, r, at, to, 1, r.ndim != 0);                        \
    }
GK_ISA(GA__X)
#undef GA__X
GK_OUT static uint64_t gk_rnd_retry(const gk_rnd &a, int64_t i, uint32_t j) {
    return gk_rnd_integer(a, i, a.span, j);
}
static void gk_rnd_words(const gk_philox &g, int64_t block, uint32_t attempt,
                         int many, uint32_t *w) {
#if defined(__x86_64__) && defined(__GNUC__)
    const int isa = gk_isa();
    if (isa == 2) return gk_rnd_words_v4(g, block, attempt, many, w);
    if (isa) return gk_rnd_words_v3(g, block, attempt, many, w);
#endif
    gk_rnd_words_base(g, block, attempt, many, w);
}
static void gk_rnd_trials(const gk_rnd &a, const ga__draw &r, int64_t at,
                          int64_t to) noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
    if (gk_isa()) return gk_rnd_trials_v3(a, r, at, to);
#endif
    gk_rnd_trials_base(a, r, at, to);
}
/* How many elements of a piece are made, at least: whole vectors, so that no
   number depends on where the array ends.                                  */
GK_RND int gk_rnd_many(const gk_rnd &a, int64_t at) {
    return a.n - at < GK_BLOCK ? (int)((a.n - at + 63) & ~(int64_t)63)
                               : GK_BLOCK;
}
template<class T>
GK_RND void gk_rnd_loop(int dist, const gk_rnd_par &par,
                        const gk_rnd_buffer &b, int many, T *x) {
    const gk_rnd_par p = par;       /* x may not change it                  */
    const int n = (gk_is_normal(dist) ? many / 2 : many) & -32;
    if (gk_is_normal(dist)) {
        GK_EACH {
            T z[2];
            gk_rnd_pair(dist, p, b.h[2 * i], b.l[2 * i], b.h[2 * i + 1],
                        b.l[2 * i + 1], z);
            x[2 * i] = z[0];
            x[2 * i + 1] = z[1];
        }
    } else {
        GK_EACH x[i] = gk_rnd_one<T>(dist, p, b.h[i], b.l[i]);
    }
}
template<class T>
GK_RND void gk_rnd_fill(const gk_rnd &a, int64_t at, gk_rnd_buffer &b, T *x) {
    const int many = gk_rnd_many(a, at);
    gk_rnd_words(a.g, at / 4, 0, many, b.h);
    if (sizeof(T) == 8) gk_rnd_words(a.g, at / 4, 1, many, b.l);
    switch (a.dist) {
#define GA__X(d) case GA__DIST_##d: \
        gk_rnd_loop<T>(GA__DIST_##d, a.par, b, many, x); break;
    GA__X(random) GA__X(uniform) GA__X(exponential) GA__X(lognormal)
    GA__X(rayleigh) GA__X(power) GA__X(gumbel) GA__X(laplace) GA__X(logistic)
    case GA__DIST_standard_normal:
    GA__X(normal)
    case GA__DIST_geometric:
        if (sizeof(T) == 8)
            gk_rnd_loop<T>(GA__DIST_geometric, a.par, b, many, x);
        break;
#undef GA__X
    default: gk_rnd_loop<T>(a.dist, a.par, b, many, x);
    }
}
/* What is rejected takes the next attempt's word, while any is: whether any is
   left.                                                                     */
GK_RND bool gk_rnd_accept(const gk_rnd &a, int64_t at, gk_rnd_buffer &b) {
    const uint32_t bad = (uint32_t)a.reject, s = (uint32_t)a.span + 1;
    const int n = a.n - at < GK_BLOCK ? (int)(a.n - at) : GK_BLOCK;
    const int many = gk_rnd_many(a, at);
    uint32_t again = 0;
    gk_rnd_words(a.g, at / 4, 0, many, b.h);
    for (uint32_t j = 1; bad && j < 256; j++) {
        again = 0;
        GK_EACH again |= b.h[i] * s < bad ? 1u : 0u;
        if (!again) break;
        gk_rnd_words(a.g, at / 4, j, many, b.l);
        GK_EACH b.h[i] = b.h[i] * s < bad ? b.l[i] : b.h[i];
    }
    return again != 0;
}
template<class S>
GK_RND void gk_rnd_narrow(const gk_rnd &a, int64_t at, gk_rnd_buffer &b,
                          bool again) {
    const int n = a.n - at < GK_BLOCK ? (int)(a.n - at) : GK_BLOCK;
    const uint64_t s = a.span + 1;
    const uint32_t bad = (uint32_t)a.reject, s32 = (uint32_t)s;
    const S low = (S)a.low;
    S *out = (S *)a.out + at;
    GK_EACH out[i] = (S)(low + (S)(b.h[i] * s >> 32));
    for (int i = 0; again && i < n; i++)
        if (b.h[i] * s32 < bad)
            out[i] = (S)(low + (S)gk_rnd_retry(a, at + i, 256));
}
GK_RND void gk_rnd_wide(const gk_rnd &a, int64_t at, gk_rnd_buffer &b) {
    const int n = a.n - at < GK_BLOCK ? (int)(a.n - at) : GK_BLOCK;
    const uint64_t s = a.span + 1;
    uint64_t *out = (uint64_t *)a.out + at;
    gk_rnd_words(a.g, at / 4, 0, gk_rnd_many(a, at), b.h);
    gk_rnd_words(a.g, at / 4, 1, gk_rnd_many(a, at), b.l);
    for (int i = 0; i < n; i++) {
        uint64_t w = (uint64_t)b.h[i] << 32 | b.l[i], v = w;
        if (s) v = w * s >= a.reject ? gk_mul_hi64(w, s)
                                     : gk_rnd_retry(a, at + i, 2);
        out[i] = a.low + v;
    }
}
GK_RND gk_four gk_four_at(const uint32_t *w) {
    return gk_four{{w[0], w[1], w[2], w[3]}};
}
/* What rejects, parameters by value: the first trials of some elements in
   vectors, NaN where they do not decide. False: not for these parameters.  */
enum { GK_RND_QUARTER = GK_BLOCK / 4 };
GK_RND bool gk_rnd_first(const gk_rnd &a, int64_t at, gk_rnd_buffer &b,
                         double *x) {
    const int n = GK_RND_QUARTER, dist = a.dist;
    const double none = gk_fpk<double>::nan;
    double d[12];
    memcpy(d, a.par.d, sizeof d);
    const bool two = dist == GA__DIST_f || dist == GA__DIST_beta;
    const bool gammas = gk_is_gammas(dist, d);
    if (at >> 32 || dist == GA__DIST_negative_binomial
        || (gammas && two && (d[2] > 0 || d[5] > 0))
        || (dist == GA__DIST_hypergeometric && d[2] < 10)) return false;
    gk_rnd_words(a.g, at, 0, GK_BLOCK, b.h);
    if (gammas) gk_rnd_words(a.g, at, 1, GK_BLOCK, b.l);
    /* p, made of the words by f, which says whether it stands */
#define GA__X(f, value) { \
        GK_EACH { \
            double p[2]; \
            bool ok = f; \
            double made = value;    /* always: no branch in the loop */ \
            x[i] = ok ? made : none; \
        } \
    }
#define GK_H gk_four_at(b.h + 4 * i)
#define GK_L gk_four_at(b.l + 4 * i)
#define GK_GAMMAS gk_gamma_trial(GK_H, d[0], d[1], p) \
                  & gk_gamma_trial(GK_L, d[3], d[4], p + 1)
    switch (dist) {
    case GA__DIST_gamma: case GA__DIST_chisquare:
        if (d[2] > 0)
            GA__X(gk_gamma_trial(GK_H, d[0], d[1], p),
                  p[0] * gk_v_exp(-gk_rounded(gk_neglog(GK_L.open(0)), d[2]))
                      * d[6])
        else GA__X(gk_gamma_trial(GK_H, d[0], d[1], p), p[0] * d[6])
        break;
    case GA__DIST_f: GA__X(GK_GAMMAS, p[0] / p[1] * d[6]) break;
    case GA__DIST_beta:
        if (gammas) GA__X(GK_GAMMAS, p[0] / (p[0] + p[1]))
        else GA__X(gk_four_trial(GA__DIST_beta, GK_H, d, p), p[0])
        break;
    case GA__DIST_poisson:
        if (d[0] < 10) GA__X(gk_poisson_few(GK_H, d, p), p[0])
        else GA__X(gk_poisson_many(GK_H, d, p), p[0])
        break;
    case GA__DIST_binomial:
        if (d[5] == 0) GA__X(gk_binomial_few(GK_H, d, p), p[0])
        else GA__X(gk_binomial_many(GK_H, d, p), p[0])
        break;
    case GA__DIST_standard_t:
        GA__X(gk_four_trial(GA__DIST_standard_t, GK_H, d, p), p[0])
        break;
    case GA__DIST_wald:
        GA__X(gk_four_trial(GA__DIST_wald, GK_H, d, p), p[0])
        break;
    case GA__DIST_hypergeometric: GA__X(gk_hyper_many(GK_H, d, p), p[0]) break;
    default: GA__X(gk_four_trial(dist, GK_H, d, p), p[0])
    }
#undef GA__X
#undef GK_H
#undef GK_L
#undef GK_GAMMAS
    return true;
}
GK_RND void gk_rnd_own(const gk_rnd &a, const ga__draw &r, int64_t at,
                       int64_t to) {
    gk_rnd_buffer b;
    if (r.ndim) return gk_rnd_trials(a, r, at, to);
    for (; at < to; at += GK_RND_QUARTER) {
        int n = to - at < GK_RND_QUARTER ? (int)(to - at) : GK_RND_QUARTER;
        if (n < 16 || !gk_rnd_first(a, at, b, b.x)) {
            gk_rnd_trials(a, r, at, at + n);
            continue;
        }
        switch (a.out_type) {
#define GA__X(t, S) case t: \
            GK_EACH ((S *)a.out)[at + i] = gk_rnd_to<S>(a.dist, b.x[i]); \
            break;
        GA__X(GA_INT64, int64_t) GA__X(GA_FLOAT32, float)
        GA__X(GA_FLOAT64, double)
#undef GA__X
        default:
            for (int i = 0; i < n; i++)
                gk_rnd_put(a.dist, a.out_type, a.out, at + i, b.x[i]);
        }
        for (int i = 0; i < n; i++)
            if (b.x[i] != b.x[i])
                gk_rnd_trials(a, r, at + i, at + i + 1);
    }
}
typedef void (*gk_rnd_fn)(const gk_rnd &, int64_t, gk_rnd_buffer &) noexcept;
/* The loops are made once for T, not again for each S that is stored. */
#define GA__X(isa, attr)                                                     \
    GK_OUT attr static bool gk_rnd_accept_##isa(                             \
            const gk_rnd &a, int64_t at, gk_rnd_buffer &b) noexcept {        \
        return gk_rnd_accept(a, at, b);                                      \
    }                                                                        \
    template<class T>                                                        \
    attr static void gk_rnd_fill_##isa(const gk_rnd &a, int64_t at,          \
                                       gk_rnd_buffer &b, T *x) noexcept {    \
        gk_rnd_fill(a, at, b, x);                                            \
    }                                                                        \
    template<class S, class T>                                               \
    attr static void gk_rnd_store_##isa(const gk_rnd &a, int64_t at,         \
                                        gk_rnd_buffer &b) noexcept {         \
        const int n = a.n - at < GK_BLOCK ? (int)(a.n - at) : GK_BLOCK;      \
        S *out = (S *)a.out + at;                                            \
        bool there = std::is_same<S, T>::value && n == gk_rnd_many(a, at);   \
        T *x = there ? (T *)(void *)out : (T *)b.x;                          \
        gk_rnd_fill_##isa(a, at, b, x);                                      \
        if (!there) GK_EACH out[i] = gk_rnd_to<S>(a.dist, x[i]);             \
    }                                                                        \
    template<class S, class T>                                               \
    attr static void gk_rnd_piece_##isa(const gk_rnd &a, int64_t at,         \
                                        gk_rnd_buffer &b) noexcept {         \
        if constexpr (!gk_int<S>) {                                          \
            gk_rnd_store_##isa<S, T>(a, at, b);                              \
        } else {                                                             \
            if constexpr (sizeof(S) == 8) {                                  \
                if (a.dist == GA__DIST_geometric)                            \
                    return gk_rnd_store_##isa<int64_t, double>(a, at, b);    \
                if (a.span >> 32) return gk_rnd_wide(a, at, b);              \
            }                                                                \
            gk_rnd_narrow<S>(a, at, b, gk_rnd_accept_##isa(a, at, b));       \
        }                                                                    \
    }
GK_ISA(GA__X)
#undef GA__X
template<class S, class T> static gk_rnd_fn gk_rnd_piece_fn(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (gk_isa() == 2) return gk_rnd_piece_v4<S, T>;
    if (gk_isa() == 1) return gk_rnd_piece_v3<S, T>;
#endif
    return gk_rnd_piece_base<S, T>;
}
static void gk_rnd_bits(const gk_rnd &a, int64_t at,
                        gk_rnd_buffer &b) noexcept {
    gk_rnd all = a;
    all.low = 0, all.span = 0xffffffffu, all.reject = 0;
    gk_rnd_piece_fn<uint32_t, uint32_t>()(all, at, b);
}
typedef void (*gk_rnd_own_fn)(const gk_rnd &, const ga__draw &, int64_t,
                              int64_t) noexcept;
#define GA__X(isa, attr)                                                     \
    attr static void gk_rnd_own_##isa(const gk_rnd &a, const ga__draw &r,    \
                                      int64_t at, int64_t to) noexcept {     \
        gk_rnd_own(a, r, at, to);                                            \
    }
GK_ISA(GA__X)
#undef GA__X
static void gk_rnd_any(const gk_rnd &a, const ga__draw &r, int64_t at,
                       int64_t to) noexcept {
    for (int64_t i = at; i < to; i++) {
        if (r.dist == GA__DIST_integers) gk_rnd_any_integer(a, r, i);
        else if (gk_rnd_single(&r)) gk_rnd_any_one<float>(a, r, i);
        else gk_rnd_any_one<double>(a, r, i);
    }
}
/* f(0 .. n-1); few by one thread: a region costs a microsecond             */
template<class F> static void gk_rnd_tasks(int64_t n, int64_t few, const F &f) {
    if (n <= few) {
        for (int64_t t = 0; t < n; t++) f(t);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (int64_t t = 0; t < n; t++) f(t);
}
extern "C" void gk_cpu_random(const ga__draw *r) {
    if (!gk_rnd_fast(r)) {
        gk_rnd_own_fn run = gk_rnd_any;
        if (gk_rnd_is_own(r->dist))
#if defined(__x86_64__) && defined(__GNUC__)
            run = gk_isa() == 2 ? gk_rnd_own_v4
                : gk_isa() ? gk_rnd_own_v3 : gk_rnd_trials;
#else
            run = gk_rnd_own_base;
#endif
        const gk_rnd a = gk_rnd_make(r, 0);
        const int64_t tasks = (r->n + GK_BLOCK - 1) / GK_BLOCK;
        gk_rnd_tasks(tasks, 1, [&](int64_t t) noexcept {
            run(a, *r, t * GK_BLOCK,
                t == tasks - 1 ? r->n : (t + 1) * GK_BLOCK);
        });
        return;
    }
    gk_rnd_fn run = gk_rnd_bits;
    if (r->dist != GA__DIST_bits) {
        switch (r->out_type) {
#define GA__X(t, S, T) case t: run = gk_rnd_piece_fn<S, T>(); break;
        case GA_INT8: GA__X(GA_UINT8, uint8_t, uint8_t)
        case GA_INT16: GA__X(GA_UINT16, uint16_t, uint16_t)
        case GA_INT32: GA__X(GA_UINT32, uint32_t, uint32_t)
        case GA_INT64: GA__X(GA_UINT64, uint64_t, uint64_t)
        GA__X(GA_FLOAT16, gk_f16, float) GA__X(GA_BFLOAT16, gk_bf16, float)
        GA__X(GA_FLOAT32, float, float)
        default: run = gk_rnd_piece_fn<double, double>();
#undef GA__X
        }
    }
    for (int64_t at = 0; at < r->n; at += (int64_t)1 << 34) {
        const gk_rnd a = gk_rnd_make(r, at);
        gk_rnd_tasks((a.n + GK_BLOCK - 1) / GK_BLOCK, 16,
                     [&](int64_t t) noexcept {
            gk_rnd_buffer b;
            run(a, t * GK_BLOCK, b);
        });
    }
}
#endif
#endif

/* ==================================================================== >>sort
   The order of random 64-bit keys, which permutation, shuffle and choice stand
   on. Ties keep their order, so that both kinds of device agree to the bit. */
#ifndef GPUARR_NO_CUDA
/* Sorts n < 2**32 pairs by the keys' low bits, stably: the first of the two
   arrays of each go in, and name the sorted on return. With `own` NULL: how
   many bytes it needs to be.                                                */
int gk_cuda_sort_pairs(void *own, size_t *bytes, uint32_t **keys,
                       uint32_t **values, int64_t n, int from, int bits,
                       void *stream);
#endif
#if GK_PART_IS(sort)

/* CPU: keys are spread over 2048 buckets by their top bits, in order, and each
   bucket again until it is small. For random keys two passes over memory; for
   others still right.
   Memory: 16 bytes a key for the pairs, as many to spread them to.          */
struct gk_cho_pair { uint64_t key, at; };
enum { GK_CHO_BITS = 11, GK_CHO_SMALL = 24 };

static void gk_cho_small(gk_cho_pair *a, int64_t n) noexcept {
    for (int64_t i = 1; i < n; i++) {
        gk_cho_pair p = a[i];
        int64_t j = i;
        for (; j > 0 && a[j - 1].key > p.key; j--) a[j] = a[j - 1];
        a[j] = p;
    }
}
/* Sorts a[0 .. n) by the bits below `top`; b is as long. */
static void gk_cho_bucket(gk_cho_pair *a, gk_cho_pair *b, int64_t n,
                          int top) noexcept {
    if (n <= GK_CHO_SMALL) {
        gk_cho_small(a, n);
        return;
    }
    if (top <= 0) return;
    int bits = top < 4 ? top : 4;   /* buckets of some 8 to 16; no deep      */
    while (bits < 8 && bits < top && n >> bits > 16) bits++;
    const int low = top - bits, count = 1 << bits;
    const uint64_t mask = (uint64_t)count - 1;
    int64_t start[258], *const at = start + 1;  /* at[k] ends as start[k+1] */
    memset(start, 0, ((size_t)count + 2) * sizeof *start);
    for (int64_t i = 0; i < n; i++) start[(a[i].key >> low & mask) + 2]++;
    for (int k = 0; k < count; k++) at[k + 1] += at[k];
    for (int64_t i = 0; i < n; i++) b[at[a[i].key >> low & mask]++] = a[i];
    memcpy(a, b, (size_t)n * sizeof *a);
    for (int k = 0; k < count; k++)
        if (start[k + 1] - start[k] > 1)
            gk_cho_bucket(a + start[k], b + start[k], start[k + 1] - start[k],
                          low);
}

extern "C" void gk_cpu_sort(const ga__sort *q) {
    const uint64_t *keys = q->keys;
    const int64_t n = q->n, take = q->take;
    gk_cho_pair *a = (gk_cho_pair *)q->use.work, *b = a + n;
    const int count = 1 << GK_CHO_BITS, low = 64 - GK_CHO_BITS;
    int64_t start[(1 << GK_CHO_BITS) + 2] = {0}, *const at = start + 1;
    if (n <= GK_CHO_SMALL) {
        for (int64_t i = 0; i < n; i++)
            a[i] = gk_cho_pair{keys[i], (uint64_t)i};
        gk_cho_small(a, n);
    } else {
        for (int64_t i = 0; i < n; i++) start[(keys[i] >> low) + 2]++;
        for (int k = 0; k < count; k++) at[k + 1] += at[k];
        for (int64_t i = 0; i < n; i++)
            a[at[keys[i] >> low]++] = gk_cho_pair{keys[i], (uint64_t)i};
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 8) if (n > 16384)
#endif
        for (int k = 0; k < count; k++)
            if (start[k] < take)
                gk_cho_bucket(a + start[k], b + start[k],
                              start[k + 1] - start[k], low);
    }
    for (int64_t i = 0; i < take; i++) q->index[i] = (int64_t)a[i].at;
}

#ifndef GPUARR_NO_CUDA
#ifndef CCCL_DISABLE_EXCEPTIONS
#define CCCL_DISABLE_EXCEPTIONS
#endif
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_IOSTREAM)
#include <ostream>
#define _GLIBCXX_IOSTREAM 1         /* CUB includes <iostream> without using  */
#endif                              /* it: a static constructor, libstdc++    */
#include <cub/device/device_radix_sort.cuh>

/* CUDA: CUB's radix sort of places by the keys' top bits, as many bytes as
   leave runs of two on average at most: for 10^7 keys three passes over 16
   bytes each. A last pass orders the runs: quadratic in their length, which
   random keys keep short.
   Work: upper words and places, two arrays each, CUB's own.                 */
static inline int64_t gk_cho_room(int64_t bytes) {
    return (bytes + 255) / 256 * 256;
}
/* The bits left unsorted. */
static int gk_cho_left(int64_t n) {
    int left = 24;
    while (left > 0 && n >> (32 - left)) left -= 8;
    return left;
}
static cudaError_t gk_cho_pairs(void *own, size_t *bytes,
                                cub::DoubleBuffer<uint32_t> &k,
                                cub::DoubleBuffer<uint32_t> &v, int64_t n,
                                int from, int to, cudaStream_t s) {
    return cub::DeviceRadixSort::SortPairs(own, *bytes, k, v, (uint32_t)n,
                                           from, to, s);
}
int gk_cuda_sort_pairs(void *own, size_t *bytes, uint32_t **keys,
                       uint32_t **values, int64_t n, int from, int bits,
                       void *stream) {
    cub::DoubleBuffer<uint32_t> k(keys[0], keys[1]), v(values[0], values[1]);
    int e = gk_cho_pairs(own, bytes, k, v, n, from, bits, (cudaStream_t)stream);
    keys[0] = k.Current(), keys[1] = k.Alternate();
    values[0] = v.Current(), values[1] = v.Alternate();
    return e;
}
static cudaError_t gk_cho_sort(void *own, size_t *bytes,
                               cub::DoubleBuffer<uint32_t> &k,
                               cub::DoubleBuffer<uint32_t> &v, int64_t n,
                               cudaStream_t s) {
    return gk_cho_pairs(own, bytes, k, v, n, gk_cho_left(n), 32, s);
}
__global__ void gk_cho_split(uint32_t *upper, uint32_t *place,
                             const uint64_t *keys, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) upper[i] = (uint32_t)(keys[i] >> 32), place[i] = (uint32_t)i;
}
/* Places to index, each moved within its run by those that it passes. */
__global__ void gk_cho_runs(int64_t *index, const uint32_t *upper,
                            const uint32_t *place, const uint64_t *keys,
                            int64_t n, int64_t take, int left) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, to = i;
    if (i >= n) return;
    const uint32_t u = upper[i], p = place[i];
    for (int64_t j = i - 1; j >= 0 && (upper[j] ^ u) >> left == 0; j--)
        to -= upper[j] > u || (upper[j] == u && keys[place[j]] > keys[p]);
    for (int64_t j = i + 1; j < n && (upper[j] ^ u) >> left == 0; j++)
        to += upper[j] < u || (upper[j] == u && keys[place[j]] < keys[p]);
    if (to < take) index[to] = p;
}
static inline unsigned gk_cho_blocks(int64_t n, int threads) {
    int64_t b = (n + threads - 1) / threads;
    return (unsigned)b;             /* n < 2**38: fewer than 2**31           */
}
static size_t gk_cho_work(int64_t n) {
    size_t own = 0;
    cub::DoubleBuffer<uint32_t> k, v;
    if (gk_cho_sort(NULL, &own, k, v, n, NULL))
        own = 0;                    /* the sort itself will say what is wrong */
    return (size_t)(4 * gk_cho_room(4 * n)) + own;
}
extern "C" int gk_cuda_sort(const ga__sort *q, void *stream, int) {
    cudaStream_t s = (cudaStream_t)stream;
    const int64_t n = q->n;
    const int64_t room = gk_cho_room(4 * n);
    const unsigned blocks = gk_cho_blocks(n, 256);
    char *p = (char *)q->use.work;
    cub::DoubleBuffer<uint32_t> k((uint32_t *)p, (uint32_t *)(p + room));
    cub::DoubleBuffer<uint32_t> v((uint32_t *)(p + 2 * room),
                                  (uint32_t *)(p + 3 * room));
    size_t own = 0;
    cudaError_t e = gk_cho_sort(NULL, &own, k, v, n, s);
    if (e) return e;
    gk_cho_split<<<blocks, 256, 0, s>>>(k.Current(), v.Current(), q->keys,
                                        n);
    e = gk_cho_sort(p + 4 * room, &own, k, v, n, s);
    if (e) return e;
    if (q->take > 0)
        gk_cho_runs<<<blocks, 256, 0, s>>>(q->index, k.Current(), v.Current(),
                                           q->keys, n, q->take, gk_cho_left(n));
    return cudaGetLastError();
}
#endif
extern "C" size_t gk_sort_work(const ga__sort *q, int mps) {
#ifndef GPUARR_NO_CUDA
    if (mps) return gk_cho_work(q->n);
#endif
    (void)mps;
    return (size_t)q->n * 2 * sizeof(gk_cho_pair);
}

/* ================================================================== >>search
   Places in a table of ascending values, by bisection.                      */
GK_INL int64_t gk_cho_place(const double *table, int64_t m, double x) {
    int64_t lo = 0, hi = m;         /* table[lo - 1] <= x < table[hi]        */
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (table[mid] <= x) lo = mid + 1;
        else hi = mid;
    }
    return lo < m ? lo : m - 1;
}
extern "C" void gk_cpu_search(const ga__places *q) {
#ifdef _OPENMP
#pragma omp parallel for if (q->n > 16384)
#endif
    for (int64_t i = 0; i < q->n; i++)
        q->index[i] = gk_cho_place(q->table, q->m, q->x[i]);
}

#ifndef GPUARR_NO_CUDA
static inline unsigned gk_cho_grid(int64_t n, int mps) {
    int64_t b = (n + 255) / 256, most = (int64_t)mps * 32;
    return (unsigned)(b < most ? b : most);
}
__global__ void gk_cho_places(int64_t *index, const double *table, int64_t m,
                              const double *x, int64_t n) {
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step)
        index[i] = gk_cho_place(table, m, x[i]);
}
extern "C" int gk_cuda_search(const ga__places *q, void *stream, int mps) {
    gk_cho_places<<<gk_cho_grid(q->n, mps), 256, 0, (cudaStream_t)stream>>>(
        q->index, q->table, q->m, q->x, q->n);
    return cudaGetLastError();
}
#endif
#endif

/* ==================================================================== >>join
   Results filled by moves, by the width of an element: concatenated parts,
   and axes that wrap, reflect, repeat or are padded (ga__join). Along the last
   axis a map is a sequence of runs, in which the source goes up, down or stands
   still: runs that go up are copied.

   GPU: a warp takes a few segments of rows, mostly of 32 vectors of 16 aligned
   bytes of the result. Within a run a thread reads its vector by one access, or
   where the source is aligned otherwise by two that its neighbours share;
   elsewhere one element after the other. Each element is read and written
   once. Rows shorter than four vectors, or without a unit stride, take an
   element a thread. 2^28 float32 on an H200, where a copy takes 0.50 ms: two to
   64 parts 0.53 to 0.56, rolled 0.53 to 0.55, padded 0.56, a triangle 0.42; with
   each thread looking for its row 0.63 to 0.83. Rows of 3 and 5 joined 1.38.  */
#if GK_PART_IS(join)
struct gk_run {
    int64_t at, left;               /* the source's index, -1: the value;   */
    int step;                       /* elements to the run's end            */
};
/* t modulo n, for t >= -n */
GK_INL int64_t gk_modulo(int64_t t, int64_t n) {
    if (t < 0) return t + n;
    if (t < n) return t;
    if ((uint64_t)t >> 32 == 0) return (uint32_t)t % (uint32_t)n;
    return t % n;
}
GK_INL gk_run gk_map_run(const ga__map &m, int64_t c) {
    const int64_t n = m.len, far = INT64_MAX;
    int64_t t = c - m.before;
    switch (m.kind) {
    case GA__MAP_SHIFT:
        if (t < 0) return gk_run{-1, -t, 0};
        if (t >= n) return gk_run{-1, far, 0};
        return gk_run{t, n - t, 1};
    case GA__MAP_EDGE:
        if (t < 0) return gk_run{0, -t, 0};
        if (t >= n) return gk_run{n - 1, far, 0};
        return gk_run{t, n - t, 1};
    case GA__MAP_WRAP:
        t = gk_modulo(t, n);
        return gk_run{t, n - t, 1};
    case GA__MAP_REFLECT:
        t = gk_modulo(t, 2 * n - 2);
        if (t < n) return gk_run{t, n - t, 1};
        t = 2 * n - 2 - t;
        return gk_run{t, t, -1};
    case GA__MAP_SYMMETRIC:
        t = gk_modulo(t, 2 * n);
        if (t < n) return gk_run{t, n - t, 1};
        t = 2 * n - 1 - t;
        return gk_run{t, t + 1, -1};
    case GA__MAP_EACH:
        t = gk_modulo(c, m.before);
        return gk_run{(uint64_t)c >> 32 == 0
                          ? (int64_t)((uint32_t)c / (uint32_t)m.before)
                          : c / m.before, m.before - t, 0};
    default: {
        int64_t lo = 0, hi = n;
        while (lo < hi) {
            int64_t mid = lo + (hi - lo) / 2;
            if (m.ends[mid] <= c) lo = mid + 1;
            else hi = mid;
        }
        return gk_run{lo, m.ends[lo] - c, 0};
    }
    }
}
/* The coordinates from lo up to hi of the last axis at which elements are not
   the value; i and j: those of the row and column axes, -1 for the last.    */
GK_INL void gk_tri(ga__tri_kind tri, int64_t k, int64_t i, int64_t j,
                   int64_t *lo, int64_t *hi) {
    const bool lower = tri == GA__TRI_LOWER;
    if (tri == GA__TRI_NONE) return;
    if (j < 0) {
        if (lower) *hi = i + k + 1;
        else *lo = i + k;
    } else if (i < 0) {
        if (lower) *lo = j - k;
        else *hi = j - k + 1;
    } else if (lower ? j - i > k : j - i < k) {
        *hi = *lo;
    }
}

/* ---------------------------------------------------------------- the CPU */
/* From the end, where each store would otherwise be 4096 bytes, or nearly,
   ahead of a load soon to come, for which the processor makes it wait: rows of
   16 KB rolled by one element took five times as long.                      */
static void gk_join_bytes(char *o, const char *p, size_t n) {
    if (n < 1024 || ((uintptr_t)o - (uintptr_t)p) % 4096 - 1 >= 256) {
        memcpy(o, p, n);
        return;
    }
    for (; n >= 64; n -= 64) memcpy(o + n - 64, p + n - 64, 64);
    memcpy(o, p, n);
}
template<class U> static void gk_join_line(U *o, int64_t so, const U *p,
                                           int64_t sp, int64_t n) {
    if (so == 1 && sp == 1 && n > 16) {
        gk_join_bytes((char *)o, (const char *)p, (size_t)n * sizeof(U));
    } else if (so == 1 && sp == 1) {
        for (int64_t i = 0; i < n; i++) o[i] = p[i];
    } else if (so == 1 && sp == 0) {
        const U v = *p;
        for (int64_t i = 0; i < n; i++) o[i] = v;
    } else {
        for (int64_t i = 0; i < n; i++) o[i * so] = p[i * sp];
    }
}
/* m rows of n, the long way inside */
template<class U> static void gk_join_box(U *o, int64_t so1, int64_t so,
                                          const U *p, int64_t sp1, int64_t sp,
                                          int64_t m, int64_t n) {
    if (n >= 8 || m < n) {
        for (int64_t i = 0; i < m; i++)
            gk_join_line(o + i * so1, so, p + i * sp1, sp, n);
    } else {
        for (int64_t j = 0; j < n; j++)
            gk_join_line(o + j * so, so1, p + j * sp, sp1, m);
    }
}
/* The run at coordinate c of an axis; of parts also which one it is in. */
static gk_run gk_join_run(const ga__join *q, int d, int64_t c,
                          const ga__piece **part) {
    if (q->nparts == 1) return gk_map_run(q->map[d], c);
    if (d != q->axis) return gk_run{c, q->shape[d] - c, 1};
    const ga__piece *p = q->part;
    while (p->end <= c) p++;
    *part = p;
    return gk_run{p > q->part ? c - p[-1].end : c, p->end - c, 1};
}
/* Columns c .. end-1 of one row by a map of many short runs, from the row's
   source p: each element some times over, or a short period, written once and
   then copied.                                                              */
template<class U> static void gk_join_short(const ga__join *q, U *o, const U *p,
                                            int64_t c, int64_t end) {
    const int last = q->ndim - 1;
    const ga__map &m = q->map[last];
    const int64_t so = q->stride[last], sp = q->part[0].stride[last];
    gk_run r = gk_map_run(m, c);
    if (m.kind == GA__MAP_WRAP) {
        const int64_t from = c, whole = (2048 / m.len + 1) * m.len;
        while (c < end && c - from < whole) {
            int64_t n = end - c < r.left ? end - c : r.left;
            gk_join_line(o + c * so, so, p + r.at * sp, sp, n);
            c += n;
            r = gk_run{0, m.len, 1};
        }
        for (; c < end; c += whole)
            gk_join_line(o + c * so, so, o + from * so, so,
                         end - c < whole ? end - c : whole);
        return;
    }
    while (c < end) {
        const int64_t stop = end - c < r.left ? end : c + r.left;
        const U v = p[r.at * sp];
        for (; c < stop; c++) o[c * so] = v;
        r.at++;
        r.left = m.kind == GA__MAP_EACH ? m.before
                 : r.at < m.len ? m.ends[r.at] - c : 0;
    }
}
/* Rows r .. rend-1 along the axis before the last, their columns c .. cend-1:
   boxes in which both axes run. o and at[] are the outer axes'.             */
template<class U> static void gk_join_block(const ga__join *q, U *o,
                                            const int64_t *c, const int64_t *at,
                                            const ga__piece *part, int64_t r,
                                            int64_t rend, int64_t col,
                                            int64_t cend, bool inside) {
    const int last = q->ndim - 1;
    const int64_t so = q->stride[last], so1 = last ? q->stride[last - 1] : 0;
    const ga__map &m = q->map[last];
    const bool mapped = q->nparts == 1;
    const bool brief = mapped && (m.kind >= GA__MAP_EACH
                                  || (m.kind == GA__MAP_WRAP && m.len < 512
                                      && m.len * 4 < q->shape[last]));
    U value;
    memcpy(&value, q->value.b, sizeof value);
    for (int64_t rows; r < rend; r += rows) {
        gk_run y = last ? gk_join_run(q, last - 1, r, &part)
                        : gk_run{0, 1, 1};
        int64_t lo = 0, hi = inside && y.at >= 0 ? INT64_MAX : 0;
        rows = q->tri ? 1 : rend - r < y.left ? rend - r : y.left;
        if (hi && q->tri)
            gk_tri(q->tri, q->k,
                   q->row == last ? -1 : q->row == last - 1 ? r : c[q->row],
                   q->col == last ? -1 : q->col == last - 1 ? r : c[q->col],
                   &lo, &hi);
        for (int64_t x = col, n; x < cend; x += n) {
            gk_run u = gk_join_run(q, last, x, &part);
            const int64_t sp = part->stride[last];
            const int64_t sp1 = last ? part->stride[last - 1] : 0;
            const U *p = (const U *)part->from;
            for (int d = 0; d < last - 1; d++) p += at[d] * part->stride[d];
            n = cend - x < u.left ? cend - x : u.left;
            if (x < lo && n > lo - x) n = lo - x;
            if (x < hi && n > hi - x) n = hi - x;
            U *to = o + r * so1 + x * so;
            if (u.at < 0 || x < lo || x >= hi) {
                gk_join_box(to, so1, so, &value, 0, 0, rows, n);
            } else if (brief) {
                n = cend - x;
                for (int64_t i = 0; i < rows; i++)
                    gk_join_short(q, to - x * so + i * so1,
                                  p + (y.at + i * y.step) * sp1, x, cend);
            } else {
                gk_join_box(to, so1, so, p + y.at * sp1 + u.at * sp,
                            sp1 * y.step, sp * u.step, rows, n);
            }
        }
    }
}
/* Elements a .. b-1 of the result, in the order of its axes. */
template<class U> static void gk_join_span(const ga__join *q, int64_t a,
                                           int64_t b) {
    const int last = q->ndim - 1;
    const int64_t n0 = q->shape[last], n1 = last ? q->shape[last - 1] : 1;
    while (a < b) {
        int64_t row = a / n0, col = a - row * n0, rest = row / n1;
        int64_t r = row - rest * n1, c[GA_MAX_NDIM], at[GA_MAX_NDIM];
        int64_t rows = (b - a) / n0, cend = n0;
        const ga__piece *part = q->part;
        bool inside = true;
        U *o = (U *)q->out;
        for (int d = last - 2; d >= 0; d--) {
            c[d] = rest % q->shape[d];
            rest /= q->shape[d];
            o += c[d] * q->stride[d];
            at[d] = gk_join_run(q, d, c[d], &part).at;
            if (at[d] < 0) inside = false;
        }
        if (col || !rows) {         /* part of a row                        */
            rows = 1;
            if (n0 - col > b - a) cend = col + b - a;
        }
        if (rows > n1 - r) rows = n1 - r;
        a += rows > 1 ? rows * n0 : cend - col;
        gk_join_block(q, o, c, at, part, r, r + rows, col, cend, inside);
    }
}
template<class U> static void gk_join_all(const ga__join *q) {
    const int64_t grain = 65536, n = q->n;
#ifdef _OPENMP
#pragma omp parallel for if (n > grain)
#endif
    for (int64_t at = 0; at < n; at += grain)
        gk_join_span<U>(q, at, at + grain < n ? at + grain : n);
}
struct gk_two { uint64_t a, b; };
extern "C" void gk_cpu_join(const ga__join *q) {
    switch (q->width) {
    case 1: gk_join_all<uint8_t>(q); break;
    case 2: gk_join_all<uint16_t>(q); break;
    case 4: gk_join_all<uint32_t>(q); break;
    case 8: gk_join_all<uint64_t>(q); break;
    default: gk_join_all<gk_two>(q); break;
    }
}

/* Eight bytes, which of them are nonzero as bits, the first one lowest. */
GK_INL unsigned gk_bits_gather(uint64_t w) {
    w = ((w & 0x7f7f7f7f7f7f7f7fu) + 0x7f7f7f7f7f7f7f7fu) | w;
    return (unsigned)((w >> 7 & 0x0101010101010101u) * 0x0102040810204080u >> 56);
}
GK_INL uint64_t gk_bits_spread(unsigned b) {
    uint64_t w = b * 0x0101010101010101u & 0x8040201008040201u;
    return (w + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
}
GK_INL unsigned gk_bits_turn(unsigned b) {
    b = (b & 0xf0) >> 4 | (b & 0x0f) << 4;
    b = (b & 0xcc) >> 2 | (b & 0x33) << 2;
    return (b & 0xaa) >> 1 | (b & 0x55) << 1;
}
/* Byte i of all packed ones, there or to be. */
GK_INL void gk_bits_one(const ga__bits &q, int64_t i) {
    const int64_t per = q.pack ? (q.len + 7) / 8
                               : q.len < 8 * q.bytes ? (q.len + 7) / 8 : q.bytes;
    const int64_t in = i % q.inner, rest = i / q.inner, at = rest % per;
    const int64_t o = rest / per, step = q.inner;
    const int64_t bit = (o * q.len + at * 8) * step + in;
    const int64_t byte = (o * q.bytes + at) * step + in;
    const int n = q.len - at * 8 < 8 ? (int)(q.len - at * 8) : 8;
    if (q.pack) {
        const uint8_t *p = (const uint8_t *)q.from + bit;
        uint64_t w = 0;
        for (int k = 0; k < n; k++) w |= (uint64_t)p[k * step] << 8 * k;
        unsigned b = gk_bits_gather(w);
        ((uint8_t *)q.to)[byte] = (uint8_t)(q.little ? b : gk_bits_turn(b));
    } else {
        uint8_t *p = (uint8_t *)q.to + bit;
        unsigned b = ((const uint8_t *)q.from)[byte];
        uint64_t w = gk_bits_spread(q.little ? b : gk_bits_turn(b));
        for (int k = 0; k < n; k++) p[k * step] = (uint8_t)(w >> 8 * k);
    }
}
/* How many bytes are packed or unpacked. */
GK_INL int64_t gk_bits_count(const ga__bits &q) {
    int64_t per = (q.len + 7) / 8;
    if (!q.pack && per > q.bytes) per = q.bytes;
    return q.outer * per * q.inner;
}
/* Bytes a .. b-1, of which whole ones along adjoining bits go by words. */
static void gk_bits_span(const ga__bits *q, int64_t a, int64_t b) {
    const int64_t whole = q->len / 8;
    for (int64_t i = a; i < b; i++) {
        int64_t at = q->outer == 1 ? i : 0;
        if (q->outer > 1 || q->inner > 1 || at >= whole) {
            gk_bits_one(*q, i);
            continue;
        }
        const int64_t end = b < whole ? b : whole;
        const uint8_t *p = (const uint8_t *)q->from;
        uint8_t *o = (uint8_t *)q->to;
        for (; at < end; at++) {
            uint64_t w;
            if (q->pack) {
                memcpy(&w, p + 8 * at, 8);
                unsigned bits = gk_bits_gather(q->little ? w
                                               : __builtin_bswap64(w));
                o[at] = (uint8_t)bits;
            } else {
                w = gk_bits_spread(p[at]);
                if (!q->little) w = __builtin_bswap64(w);
                memcpy(o + 8 * at, &w, 8);
            }
        }
        i = at - 1;
    }
}
extern "C" void gk_cpu_bits(const ga__bits *q) {
    const int64_t n = gk_bits_count(*q), grain = 16384;
    if (!q->pack && q->len > 8 * q->bytes)
        memset(q->to, 0, (size_t)(q->outer * q->len * q->inner));
#ifdef _OPENMP
#pragma omp parallel for if (n > grain)
#endif
    for (int64_t at = 0; at < n; at += grain)
        gk_bits_span(q, at, at + grain < n ? at + grain : n);
}

extern "C" void gk_cpu_ends(const ga__ends *q) {
    int64_t sum = 0;
    bool bad = false;
    for (int64_t i = 0; i < q->n; i++) {
        bad |= q->counts[i] < 0;
        q->ends[i] = sum += q->counts[i];
    }
    q->ends[q->n] = bad ? -1 : sum;
}

#ifndef GPUARR_NO_CUDA
/* ---------------------------------------------------------------- the GPU */
struct gk_moves {                   /* axis 0 is the last, then outwards    */
    int64_t n0, stride[GA_MAX_NDIM];
    uint32_t total;                 /* segments, or elements                */
    int lanes, each;                /* of a segment; segments of a warp     */
    int outer;                      /* axes but the last                    */
    gk_div per_row, len[GA_MAX_NDIM - 1];
    void *out;
};
struct gk_mapped : gk_moves {
    const void *from;
    int64_t step[GA_MAX_NDIM];
    ga__map map[GA_MAX_NDIM];
    int64_t k;
    ga__tri_kind tri;
    int row, col;
    gk_div again;                   /* brief: what repeats, ahead, by steps */
    uint32_t ahead;
    int by;
    alignas(16) unsigned char value[16];
};
struct gk_joined : gk_moves {
    int axis, nparts, words;
    gk_div below;                   /* rows to a step along an outer axis   */
    int64_t pool[GA__PART_WORDS];   /* a part: from, end, steps             */
    uint32_t segments[GA__PARTS];   /* of a row, to the end of each part    */
};
static_assert(sizeof(gk_joined) <= 4096, "what a launch can take");

/* Where a row is read, and the run at a column of it. */
template<class U> struct gk_cursor {
    const U *from;
    int64_t step;                   /* along the last axis                  */
    gk_run run;
    bool inside;                    /* the row; else it is the value        */
};
template<class U>
__device__ static __forceinline__ void gk_seek(const gk_mapped &a, int64_t c,
                                               gk_cursor<U> *u) {
    u->run = u->inside ? gk_map_run(a.map[0], c + a.map[0].first)
                       : gk_run{-1, INT64_MAX, 0};
}
template<class U>
__device__ static __forceinline__ const U *gk_row_from(const gk_mapped &a,
                                                       uint32_t row,
                                                       bool *inside) {
    const U *from = (const U *)a.from;
    *inside = true;
#pragma unroll 1
    for (int d = 0; d < a.outer; d++) {
        uint32_t q = gk_div_by(row, a.len[d]), i = row - q * a.len[d].d;
        int64_t at = gk_map_run(a.map[d + 1], i + a.map[d + 1].first).at;
        row = q;
        if (at < 0) *inside = false;
        else from += at * a.step[d + 1];
    }
    return from;
}
template<class U>
__device__ static __forceinline__ void gk_enter(const gk_mapped &a,
                                                uint32_t row, int64_t c,
                                                gk_cursor<U> *u) {
    u->step = a.step[0];
    u->from = gk_row_from<U>(a, row, &u->inside);
    gk_seek(a, c, u);
}
/* The part at coordinate c. */
__device__ static __forceinline__ int gk_part_at(const gk_joined &a,
                                                 int64_t c) {
    int p = 0;
    for (int hi = a.nparts - 1; p < hi;) {
        int mid = (p + hi) / 2;
        if (a.pool[mid * a.words + 1] <= c) p = mid + 1;
        else hi = mid;
    }
    return p;
}
template<class U>
__device__ static __forceinline__ void gk_enter(const gk_joined &a,
                                                uint32_t row, int64_t c,
                                                gk_cursor<U> *u) {
    int64_t along = c;
    if (a.axis) {
        const gk_div len = a.len[a.axis - 1];
        uint32_t i = gk_div_by(row, a.below);
        along = i - gk_div_by(i, len) * len.d;
    }
    const int p = gk_part_at(a, along);
    const int64_t *w = a.pool + p * a.words;
    const int64_t at = along - (p ? w[1 - a.words] : 0);
    const U *from = (const U *)w[0];
    u->step = w[2];
    u->run = a.axis ? gk_run{c, a.n0 - c, 1} : gk_run{at, w[1] - along, 1};
#pragma unroll 1
    for (int d = 0; d < a.outer; d++) {
        uint32_t q = gk_div_by(row, a.len[d]), i = row - q * a.len[d].d;
        row = q;
        from += (d + 1 == a.axis ? at : i) * w[3 + d];
    }
    u->from = from;
    u->inside = true;
}
/* The row's place in the result, and the bounds of a triangle. */
template<class U, class A>
__device__ static __forceinline__ U *gk_row_of(const A &a, uint32_t row,
                                               int64_t *lo, int64_t *hi) {
    U *o = (U *)a.out;
    int64_t i = -1, j = -1;
#pragma unroll 1
    for (int d = 0; d < a.outer; d++) {
        uint32_t q = gk_div_by(row, a.len[d]), at = row - q * a.len[d].d;
        row = q;
        o += at * a.stride[d + 1];
        if constexpr (std::is_same<A, gk_mapped>::value) {
            if (d + 1 == a.row) i = at + a.map[d + 1].first;
            if (d + 1 == a.col) j = at + a.map[d + 1].first;
        }
    }
    *lo = INT64_MIN;
    *hi = INT64_MAX;
    if constexpr (std::is_same<A, gk_mapped>::value) {
        gk_tri(a.tri, a.k, i, j, lo, hi);
        if (*lo != INT64_MIN) *lo -= a.map[0].first;
        if (*hi != INT64_MAX) *hi -= a.map[0].first;
    }
    return o;
}

/* Rows too short, or of another stride than one: an element a thread. */
template<class U, class A>
__global__ void __launch_bounds__(256) gk_join_single(const __grid_constant__
                                                      A a) {
    const uint32_t v = blockIdx.x * 256u + threadIdx.x;
    if (v >= a.total) return;
    const uint32_t row = gk_div_by(v, a.per_row);
    const int64_t col = v - row * a.per_row.d;
    int64_t lo, hi;
    U *o = gk_row_of<U>(a, row, &lo, &hi), value = {};
    gk_cursor<U> u;
    gk_enter(a, row, col, &u);
    if constexpr (std::is_same<A, gk_mapped>::value)
        value = *(const U *)a.value;
    if (u.run.at >= 0 && col >= lo && col < hi)
        value = u.from[u.run.at * u.step];
    o[col * a.stride[0]] = value;
}

/* A piece of one row, for `lanes` threads: columns are counted from its first
   one, at which 16 bytes of the result begin. Those from `in` up to `out` are
   read from `from`, by steps; others from begin to end are the value or, with
   `more`, lie in later runs.                                                */
template<class U> struct gk_segment {
    U *to;
    const U *from;                  /* of column 0, were it in the run      */
    int64_t by;                     /* the run's steps in the source        */
    uint32_t row;
    int col;                        /* of column 0                          */
    short begin, end, in, out;
    unsigned char before, after;    /* elements, to 16, that can be read    */
    bool more;                      /* beside those                         */
};
template<class U, int V, class A>
__device__ static __forceinline__ void gk_segment_of(const A &a, uint32_t id,
                                                     gk_segment<U> *s) {
    const uint32_t row = gk_div_by(id, a.per_row);
    const int width = a.lanes * V;
    uint32_t piece = id - row * a.per_row.d;
    int64_t lo, hi, first = 0, last = a.n0;
    U *o = gk_row_of<U>(a, row, &lo, &hi);
    if constexpr (!std::is_same<A, gk_mapped>::value) {
        if (!a.axis) {              /* segments are those of one part       */
            int p = 0;
            for (int top = a.nparts - 1; p < top;) {
                int mid = (p + top) / 2;
                if (a.segments[mid] <= piece) p = mid + 1;
                else top = mid;
            }
            if (p) piece -= a.segments[p - 1];
            if (p) first = a.pool[(p - 1) * a.words + 1];
            last = a.pool[p * a.words + 1];
        }
    }
    const int64_t col = first - (int64_t)((uintptr_t)(o + first) / sizeof(U) % V)
                        + (int64_t)piece * width;
    int64_t begin = col < first ? first : col;
    int64_t end = col + width < last ? col + width : last;
    s->row = row;
    s->col = (int)col;
    s->to = o + col;
    s->begin = (short)(begin - col);
    s->end = (short)(end > begin ? end - col : s->begin);
    s->in = s->out = s->begin;
    s->more = false;
    if (end <= begin) return;
    gk_cursor<U> u;
    gk_enter(a, row, begin, &u);
    int64_t n = end - begin < u.run.left ? end - begin : u.run.left;
    int64_t at = u.run.at, far = u.run.left;
    if constexpr (std::is_same<A, gk_mapped>::value) {
        if (!u.inside) return;
        s->more = n < end - begin;
        if (a.map[0].kind == GA__MAP_SHIFT) {   /* one run, amid the value  */
            const int64_t skip = a.map[0].first - a.map[0].before;
            s->more = false;
            if (lo < -skip) lo = -skip;
            if (hi > a.map[0].len - skip) hi = a.map[0].len - skip;
            if (begin < lo) begin = lo;
            if (end > hi) end = hi;
            if (end <= begin) return;
            n = end - begin;
            at = begin + skip;
            u.run.step = 1;
            far = a.map[0].len - at;
        }
    }
    s->by = u.run.step * u.step;
    s->in = (short)(begin - col);
    s->out = (short)(begin - col + n);
    s->from = u.from + at * u.step - (begin - col) * s->by;
    s->before = (unsigned char)(at < 16 ? at : 16);
    s->after = (unsigned char)(far - n < 16 ? far - n : 16);
}

struct alignas(16) gk_join_16 { uint32_t w[4]; };
/* 16 bytes from the aligned x and y, from byte `off` of them on. */
template<class U>
__device__ static __forceinline__ gk_join_16 gk_join_shift(gk_join_16 x,
                                                           gk_join_16 y,
                                                           unsigned off) {
    uint32_t t[8] = {x.w[0], x.w[1], x.w[2], x.w[3],
                     y.w[0], y.w[1], y.w[2], y.w[3]};
    if (off & 8) {
#pragma unroll
        for (int i = 0; i < 6; i++) t[i] = t[i + 2];
    }
    if (sizeof(U) < 8 && off & 4) {
#pragma unroll
        for (int i = 0; i < 5; i++) t[i] = t[i + 1];
    }
    if constexpr (sizeof(U) < 4) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            t[i] = __funnelshift_r(t[i], t[i + 1], (off & 3) * 8);
    }
    return gk_join_16{{t[0], t[1], t[2], t[3]}};
}
/* Columns begin .. end-1, V at most, of a segment's later runs. */
template<class U, int V>
__device__ static __forceinline__ void gk_join_later(const gk_mapped &a, U *to,
                                                     int begin, int end,
                                                     uint32_t row,
                                                     int64_t col) {
    gk_cursor<U> u;
    gk_enter(a, row, col + begin, &u);
    const bool whole = end - begin == V;
    const U *p = u.from + u.run.at * u.step;
    const int64_t by = u.run.step * u.step;
    const unsigned off = (unsigned)(uintptr_t)p & 15;
    const int skip = (int)(off / sizeof(U));
    if (whole && by == 1 && u.run.at >= skip
        && u.run.left >= (skip ? 2 * V - skip : V)) {
        const gk_join_16 *q = (const gk_join_16 *)((const char *)p - off);
        gk_join_16 x = q[0], y = q[off != 0];
        *(gk_join_16 *)(to + begin) = gk_join_shift<U>(x, y, off);
        return;
    }
    uint64_t w0 = 0, w1 = 0;
#pragma unroll 1
    for (int c = begin; c < end; c++) {
        if (!u.run.left) gk_seek(a, col + c, &u);
        const U x = u.from[u.run.at * u.step];
        u.run.at += u.run.step;
        u.run.left--;
        if (!whole) {
            to[c] = x;
        } else if constexpr (sizeof(U) == 8) {
            w0 = w1;
            w1 = x;
        } else {
            constexpr int bits = 8 * (int)sizeof(U);
            w0 = w0 >> bits | w1 << (64 - bits);
            w1 = w1 >> bits | (uint64_t)x << (64 - bits);
        }
    }
    if (whole)
        *(uint4 *)(to + begin) = uint4{(uint32_t)w0, (uint32_t)(w0 >> 32),
                                       (uint32_t)w1, (uint32_t)(w1 >> 32)};
}

/* Does a thread with V columns from l on have any of a later run? */
template<class U, int V>
__device__ static __forceinline__ bool gk_is_later(const gk_segment<U> &s,
                                                   int l) {
    return s.more && (l + V < s.end ? l + V : s.end) > s.out;
}
/* A thread's V columns of a segment, from l on: what it loads, if all are of
   the run; otherwise they are stored one by one.                            */
struct gk_move {
    gk_join_16 x, y;
    unsigned off;
    bool copies;
};
template<class U, int V>
__device__ static __forceinline__ void gk_move_load(const gk_segment<U> &s,
                                                    int l, gk_move *m) {
    const U *p = s.from + l;
    m->off = (unsigned)(uintptr_t)p & 15;
    const int skip = (int)(m->off / sizeof(U));
    const gk_join_16 *q = (const gk_join_16 *)((const char *)p - m->off);
    m->copies = l >= s.in && l + V <= s.out && s.by == 1
                && (!skip || (l - s.in + s.before >= skip
                              && s.out - l + s.after >= 2 * V - skip));
    if (!m->copies) return;
    m->x = q[0];
    if (skip) m->y = q[1];
}
template<class U, int V>
__device__ static __forceinline__ void gk_move_store(const gk_segment<U> &s,
                                                     int l, U value,
                                                     const gk_move &m) {
    if (m.copies) {
        *(gk_join_16 *)(s.to + l) = m.off ? gk_join_shift<U>(m.x, m.y, m.off)
                                          : m.x;
        return;
    }
    const int begin = l < s.begin ? s.begin : l;
    const int end = l + V < s.end ? l + V : s.end;
    if (begin >= end || gk_is_later<U, V>(s, l)) return;
    struct { alignas(16) U v[V]; } r;
#pragma unroll
    for (int i = 0; i < V; i++) {
        const int c = l + i;
        r.v[i] = value;
        if (c >= s.in && c < s.out) r.v[i] = s.from[c * s.by];
    }
    if (end - begin == V) {
        *(gk_join_16 *)(s.to + l) = gk_bits<gk_join_16>(r);
        return;
    }
#pragma unroll
    for (int i = 0; i < V; i++)
        if (l + i >= begin && l + i < end) s.to[l + i] = r.v[i];
}

/* A warp's lanes find where its segments lie, one each; then all of them move
   one after the other, two at a time.                                       */
template<class U, class A>
__global__ void __launch_bounds__(256, 4) gk_join_rows(const __grid_constant__
                                                       A a) {
    constexpr int V = 16 / (int)sizeof(U);
    __shared__ gk_segment<U> all[256];
    const int lane = threadIdx.x & 31, warp = threadIdx.x & ~31;
    const uint32_t first = (blockIdx.x * 8u + threadIdx.x / 32) * a.each;
    if (first >= a.total) return;
    const int count = a.total - first < (uint32_t)a.each
                      ? (int)(a.total - first) : a.each;
    if (lane < count)
        gk_segment_of<U, V>(a, first + lane, &all[threadIdx.x]);
    __syncwarp();
    U value = {};
    if constexpr (std::is_same<A, gk_mapped>::value)
        value = *(const U *)a.value;
    const int per = 32 / a.lanes, l = (lane & (a.lanes - 1)) * V;
    for (int at = lane / a.lanes; at < count; at += 2 * per) {
        const bool two = at + per < count;
        const gk_segment<U> &s = all[warp + at];
        const gk_segment<U> &t = all[warp + (two ? at + per : at)];
        gk_move m, n;
        gk_move_load<U, V>(s, l, &m);
        if (two) gk_move_load<U, V>(t, l, &n);
        gk_move_store<U, V>(s, l, value, m);
        if (two) gk_move_store<U, V>(t, l, value, n);
    }
    /* last, so that the registers of the loop above are its own             */
    if constexpr (std::is_same<A, gk_mapped>::value)
        for (int at = lane / a.lanes; at < count; at += per) {
            const gk_segment<U> &s = all[warp + at];
            if (!gk_is_later<U, V>(s, l)) continue;
            const int end = l + V < s.end ? l + V : s.end;
            gk_join_later<U, V>(a, s.to, l < s.begin ? s.begin : l, end, s.row,
                                s.col);
        }
}

/* Rows whose runs are short, EACH element some times over or a short period:
   a thread has four vectors, all of which it loads before it stores. The first
   column is `ahead` of a run's start, some runs being added.                */
enum { GK_JOIN_FOUR = 4 };
template<class U, bool EACH>
__global__ void __launch_bounds__(256) gk_join_brief(const __grid_constant__
                                                     gk_mapped a) {
    constexpr int V = 16 / (int)sizeof(U), N = GK_JOIN_FOUR;
    struct { alignas(16) U v[V]; } r[N];
    U *to[N], *o = NULL;
    int begin[N], end[N], skip = 0;
    const U *from = NULL;
    bool inside = true;
    uint32_t last = ~0u;
    const uint32_t again = a.again.d;
#pragma unroll
    for (int i = 0; i < N; i++) {
        const uint32_t v = (blockIdx.x * N + i) * 256u + threadIdx.x;
        begin[i] = end[i] = 0;
        if (v >= a.total) continue;
        const uint32_t row = gk_div_by(v, a.per_row);
        if (row != last) {
            int64_t lo, hi;
            o = gk_row_of<U>(a, row, &lo, &hi);
            from = gk_row_from<U>(a, row, &inside);
            skip = (int)((uintptr_t)o / sizeof(U) % V);
            last = row;
        }
        const int col = (int)(v - row * a.per_row.d) * V - skip;
        begin[i] = col < 0 ? -col : 0;
        end[i] = a.n0 - col < V ? (int)a.n0 - col : V;
        to[i] = o + col;
        const uint32_t c = (uint32_t)(col + (int)a.ahead);
        uint32_t run = gk_div_by(c, a.again), in = c - run * again;
#pragma unroll
        for (int k = 0; k < V; k++) {
            if (k >= begin[i] && k < end[i])
                r[i].v[k] = inside ? from[(int64_t)(int)(EACH ? run : in) * a.by]
                                   : *(const U *)a.value;
            if (++in == again) in = 0, run++;
        }
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (end[i] - begin[i] == V) {
            *(gk_join_16 *)to[i] = gk_bits<gk_join_16>(r[i]);
            continue;
        }
#pragma unroll
        for (int k = 0; k < V; k++)
            if (k >= begin[i] && k < end[i]) to[i][k] = r[i].v[k];
    }
}

template<class U, class A>
static void gk_join_launch(const A &a, bool vectors, bool brief,
                           cudaStream_t st) {
    const uint32_t block = !vectors ? 256u : brief ? 256u * GK_JOIN_FOUR
                           : 8u * (uint32_t)a.each;
    unsigned blocks = (a.total + block - 1) / block;
    if constexpr (sizeof(U) < 16)
        if (vectors && !brief) {
            gk_join_rows<U, A><<<blocks, 256, 0, st>>>(a);
            return;
        }
    if constexpr (sizeof(U) < 16 && std::is_same<A, gk_mapped>::value)
        if (brief) {
            if (a.map[0].kind == GA__MAP_EACH)
                gk_join_brief<U, true><<<blocks, 256, 0, st>>>(a);
            else gk_join_brief<U, false><<<blocks, 256, 0, st>>>(a);
            return;
        }
    gk_join_single<U, A><<<blocks, 256, 0, st>>>(a);
}
/* How many vectors a row, or part of one, of n elements can touch. */
static int64_t gk_join_vectors(int64_t n, int V, bool even) {
    return (n + (even ? 0 : V - 1) + V - 1) / V;
}
/* What a kernel of short runs goes by; false where it has not the bits. */
static bool gk_join_again(gk_mapped *a, const ga__join *q) {
    const ga__map *m = &q->map[q->ndim - 1];
    const bool each = m->kind == GA__MAP_EACH;
    const int64_t again = each ? m->before : m->len, step = a->step[0];
    if (again >= (int64_t)1 << 28 || step != (int)step) return false;
    const int64_t add = (16 + again - 1) / again;
    const int64_t c = each ? m->first : m->first - m->before;
    const int64_t in = (c % again + again) % again;
    a->again = gk_div_make((uint32_t)again);
    a->ahead = (uint32_t)(in + add * again);
    a->by = (int)step;
    if (each)
        a->from = (const void *)((intptr_t)a->from
                                 + ((c - in) / again - add) * step * q->width);
    return true;
}
template<class A>
static void gk_join_width(A *a, const ga__join *q, cudaStream_t st, int mps) {
    const int last = q->ndim - 1, V = 16 / q->width;
    const bool joined = q->nparts > 1 && q->axis == last;
    bool even = (uintptr_t)q->out % 16 == 0 && !joined;
    for (int d = 0; d < last; d++) {
        a->len[d] = gk_div_make((uint32_t)q->shape[last - 1 - d]);
        even &= q->stride[d] % V == 0;
    }
    for (int d = 0; d <= last; d++) a->stride[d] = q->stride[last - d];
    a->n0 = q->shape[last];
    a->out = q->out;
    a->outer = last;
    const int64_t n = joined ? a->n0 / q->nparts : a->n0;
    const bool vectors = V > 1 && q->stride[last] == 1 && n >= 4 * V;
    const ga__map *m = &q->map[last];
    bool brief = vectors && q->nparts == 1
                 && (m->kind == GA__MAP_EACH
                     || (m->kind == GA__MAP_WRAP && m->len < 8 * V));
    if constexpr (std::is_same<A, gk_mapped>::value)
        if (brief) brief = gk_join_again(a, q);
    int64_t lanes = 32, segments = a->n0;
    if (brief) {
        segments = gk_join_vectors(n, V, even);
    } else if (vectors) {           /* the most that waste a seventh        */
        const int64_t per = gk_join_vectors(n, V, even);
        while (lanes > 1 && (per + lanes - 1) / lanes * lanes * 6 > per * 7)
            lanes /= 2;
        segments = (per + lanes - 1) / lanes;
    }
    if constexpr (std::is_same<A, gk_joined>::value)
        if (vectors && joined) {
            segments = 0;
            for (int p = 0; p < q->nparts; p++) {
                int64_t len = q->part[p].end - (p ? q->part[p - 1].end : 0);
                segments += (gk_join_vectors(len, V, false) + lanes - 1) / lanes;
                a->segments[p] = (uint32_t)segments;
            }
        }
    a->per_row = gk_div_make((uint32_t)segments);
    a->total = (uint32_t)(segments * (q->n / a->n0));
    /* finding a segment takes as long as moving several: many for a warp where
       there are enough for all                                              */
    int64_t each = a->total / ((int64_t)mps * 32), least = 32 / lanes;
    each = each / (2 * least) * (2 * least);
    if (each > 16 * least) each = 16 * least;
    if (each < 2 * least) each = 2 * least;
    a->each = (int)(each > 32 ? 32 : each);
    a->lanes = (int)lanes;
    switch (q->width) {
    case 1: gk_join_launch<uint8_t>(*a, vectors, brief, st); break;
    case 2: gk_join_launch<uint16_t>(*a, vectors, brief, st); break;
    case 4: gk_join_launch<uint32_t>(*a, vectors, brief, st); break;
    case 8: gk_join_launch<uint64_t>(*a, vectors, brief, st); break;
    default: gk_join_launch<gk_two>(*a, vectors, brief, st); break;
    }
}

/* Whole vectors, each at several places: read once and stored at all of these,
   some a thread. Axes as in gk_moves; strides count vectors.                */
struct gk_spread {
    const uint4 *from;
    uint4 *to;
    uint32_t n, times;              /* vectors; places of each              */
    int ndim, nrep;
    gk_div len[GA_MAX_NDIM], count[GA_MAX_NDIM];
    int64_t in[GA_MAX_NDIM], out[GA_MAX_NDIM], by[GA_MAX_NDIM];
};
enum { GK_JOIN_TIMES = 16 };
__global__ void __launch_bounds__(256) gk_join_spread(const __grid_constant__
                                                      gk_spread a) {
    uint32_t i = blockIdx.x * 256u + threadIdx.x;
    if (i >= a.n) return;
    int64_t in = 0, out = 0;
#pragma unroll 1
    for (int d = 0; d < a.ndim; d++) {
        const uint32_t up = gk_div_by(i, a.len[d]), c = i - up * a.len[d].d;
        in += c * a.in[d];
        out += c * a.out[d];
        i = up;
    }
    const uint4 v = a.from[in];
    const uint32_t k0 = blockIdx.y * GK_JOIN_TIMES;
    const uint32_t end = k0 + GK_JOIN_TIMES < a.times ? k0 + GK_JOIN_TIMES
                                                      : a.times;
#pragma unroll 2
    for (uint32_t k = k0; k < end; k++) {
        uint32_t rest = k;
        int64_t to = out;
#pragma unroll 1
        for (int d = 0; d < a.nrep; d++) {
            const uint32_t up = gk_div_by(rest, a.count[d]);
            to += (rest - up * a.count[d].d) * a.by[d];
            rest = up;
        }
        a.to[to] = v;
    }
}
/* False where q is not of that kind. */
static bool gk_join_spreads(const ga__join *q, cudaStream_t st) {
    const int last = q->ndim - 1, V = 16 / q->width;
    const ga__piece *x = &q->part[0];
    gk_spread a;
    int64_t n = 1, times = 1;
    memset(&a, 0, sizeof a);
    if (q->tri || q->map[last].kind == GA__MAP_EACH || q->stride[last] != 1
        || x->stride[last] != 1
        || ((uintptr_t)q->out | (uintptr_t)x->from) % 16)
        return false;
    for (int d = last; d >= 0; d--) {
        const ga__map *m = &q->map[d];
        const bool each = m->kind == GA__MAP_EACH, wrap = m->kind == GA__MAP_WRAP;
        int64_t len = q->shape[d], step = q->stride[d], in = x->stride[d];
        int64_t count = 1, by = 0;
        if (m->first || (wrap ? m->before % m->len != 0 || len % m->len != 0
                         : each ? len % m->before != 0
                         : m->kind != GA__MAP_SHIFT || m->before
                           || m->len != len))
            return false;
        if (wrap) count = len / m->len, len = m->len, by = len * step;
        if (each) count = m->before, len /= count, by = step, step *= count;
        if (d == last) {
            if (len % V) return false;
            len /= V, step = V, in = V;
        }
        if (step % V || in % V || by % V) return false;
        a.len[a.ndim] = gk_div_make((uint32_t)len);
        a.in[a.ndim] = in / V;
        a.out[a.ndim++] = step / V;
        if (count > 1) {
            a.count[a.nrep] = gk_div_make((uint32_t)count);
            a.by[a.nrep++] = by / V;
        }
        n *= len;
        times *= count;
    }
    if (times < 2 || n < 1024 || times > 65535 * GK_JOIN_TIMES) return false;
    a.from = (const uint4 *)x->from;
    a.to = (uint4 *)q->out;
    a.n = (uint32_t)n;
    a.times = (uint32_t)times;
    const dim3 grid((unsigned)((n + 255) / 256),
                    (unsigned)((times + GK_JOIN_TIMES - 1) / GK_JOIN_TIMES));
    gk_join_spread<<<grid, 256, 0, st>>>(a);
    return true;
}
static void gk_join_mapped(const ga__join *q, cudaStream_t st, int mps) {
    gk_mapped a;
    const int last = q->ndim - 1;
    if (gk_join_spreads(q, st)) return;
    memset(&a, 0, sizeof a);
    a.from = q->part[0].from;
    for (int d = 0; d <= last; d++) {
        a.map[d] = q->map[last - d];
        a.step[d] = q->part[0].stride[last - d];
    }
    a.tri = q->tri;
    a.k = q->k;
    a.row = last - q->row;
    a.col = last - q->col;
    memcpy(a.value, q->value.b, sizeof a.value);
    gk_join_width(&a, q, st, mps);
}
static void gk_join_parts(const ga__join *q, cudaStream_t st, int mps) {
    gk_joined a;
    const int last = q->ndim - 1;
    uint32_t below = 1;
    memset(&a, 0, sizeof a);
    for (int d = last - 1; d > q->axis; d--) below *= (uint32_t)q->shape[d];
    a.below = gk_div_make(below);
    a.axis = last - q->axis;
    a.nparts = q->nparts;
    a.words = 2 + q->ndim;
    for (int p = 0; p < q->nparts; p++) {
        int64_t *w = a.pool + p * a.words;
        w[0] = (int64_t)(intptr_t)q->part[p].from;
        w[1] = q->part[p].end;
        for (int d = 0; d <= last; d++) w[2 + d] = q->part[p].stride[last - d];
    }
    gk_join_width(&a, q, st, mps);
}
/* The n coordinates from `at` on of axis d alone. */
static void gk_join_cut(ga__join *q, int d, int64_t at, int64_t n) {
    q->n = q->n / q->shape[d] * n;
    q->shape[d] = n;
    q->out = (char *)q->out + at * q->stride[d] * q->width;
    if (q->nparts == 1) {
        q->map[d].first += at;
        return;
    }
    int kept = 0;
    int64_t start = 0;
    for (int p = 0; p < q->nparts; p++) {
        ga__piece part = q->part[p];
        int64_t skip = at;
        if (d == q->axis) {
            const int64_t from = start > at ? start : at;
            skip = from - start;
            start = part.end;
            if (part.end > at + n) part.end = at + n;
            if (from >= part.end) continue;
            part.end -= at;
        }
        part.from = (const char *)part.from + skip * part.stride[d] * q->width;
        q->part[kept++] = part;
    }
    q->nparts = kept;
    for (int k = 0; k < q->ndim; k++)   /* one that is left has maps        */
        q->map[k] = ga__map{GA__MAP_SHIFT, q->shape[k], 0, 0, NULL};
}
extern "C" int gk_cuda_join(const ga__join *q, void *stream, int mps) {
    const int64_t most = (int64_t)1 << 30;
    if (q->n <= most) {
        if (q->nparts > 1) gk_join_parts(q, (cudaStream_t)stream, mps);
        else gk_join_mapped(q, (cudaStream_t)stream, mps);
        return (int)cudaGetLastError();
    }
    int d = 0;                      /* columns and elements have 31 bits    */
    for (int k = 1; k < q->ndim; k++)
        if (q->shape[k] > q->shape[d]) d = k;
    int64_t step = most / (q->n / q->shape[d]);
    step = step > 16 ? step / 16 * 16 : step < 1 ? 1 : step;
    for (int64_t at = 0; at < q->shape[d]; at += step) {
        ga__join part = *q;
        gk_join_cut(&part, d, at, q->shape[d] - at < step ? q->shape[d] - at
                                                          : step);
        int err = gk_cuda_join(&part, stream, mps);
        if (err) return err;
    }
    return 0;
}

/* A thread a packed byte; where all adjoin, 32 bits' bytes to four bytes. */
__global__ void gk_bits_all(ga__bits q, int64_t n) {
    const int64_t step = (int64_t)gridDim.x * 256;
    for (int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x; i < n; i += step)
        gk_bits_one(q, i);
}
__global__ void __launch_bounds__(256) gk_bits_words(ga__bits q, int64_t n) {
    const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    union { uint4 v[2]; uint64_t w[4]; } x;
    if (q.pack) {
        const uint4 *p = (const uint4 *)q.from + 2 * i;
        x.v[0] = p[0];
        x.v[1] = p[1];
        uint32_t r = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const unsigned b = gk_bits_gather(x.w[k]);
            r |= (q.little ? b : gk_bits_turn(b)) << 8 * k;
        }
        ((uint32_t *)q.to)[i] = r;
    } else {
        const uint32_t r = ((const uint32_t *)q.from)[i];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const unsigned b = r >> 8 * k & 255;
            x.w[k] = gk_bits_spread(q.little ? b : gk_bits_turn(b));
        }
        uint4 *o = (uint4 *)q.to + 2 * i;
        o[0] = x.v[0];
        o[1] = x.v[1];
    }
}
extern "C" int gk_cuda_bits(const ga__bits *q, void *stream, int mps) {
    const int64_t n = gk_bits_count(*q), most = (int64_t)mps * 32;
    cudaStream_t st = (cudaStream_t)stream;
    if (!q->pack && q->len > 8 * q->bytes) {
        size_t all = (size_t)(q->outer * q->len * q->inner);
        cudaError_t e = cudaMemsetAsync(q->to, 0, all, st);
        if (e) return (int)e;
    }
    /* whole words are one row, whose end is left                            */
    const bool words = q->inner == 1 && q->outer == 1
                       && ((uintptr_t)q->from | (uintptr_t)q->to) % 16 == 0;
    const int64_t whole = words ? q->len / 32 < n / 4 ? q->len / 32 : n / 4 : 0;
    if (whole)
        gk_bits_words<<<(unsigned)((whole + 255) / 256), 256, 0, st>>>(*q, whole);
    ga__bits rest = *q;
    const int64_t bytes = whole * 4, left = n - bytes;
    rest.len -= bytes * 8;
    rest.bytes -= bytes;
    rest.from = (const char *)q->from + (q->pack ? bytes * 8 : bytes);
    rest.to = (char *)q->to + (q->pack ? bytes : bytes * 8);
    int64_t blocks = (left + 255) / 256;
    if (left) gk_bits_all<<<(unsigned)(blocks < most ? blocks : most), 256, 0,
                            st>>>(rest, left);
    return (int)cudaGetLastError();
}

/* One block: the counts are few beside what they make. Each round a thread
   sums four of its own, and warps sum in shared memory.                     */
__global__ void __launch_bounds__(1024) gk_ends_all(ga__ends q) {
    __shared__ int64_t warp[32];
    const int lane = threadIdx.x & 31, w = threadIdx.x / 32;
    int64_t before = 0;
    bool bad = false;
    for (int64_t base = 0; base < q.n; base += 4096) {
        const int64_t at = base + threadIdx.x * 4;
        int64_t x[4], sum = 0;
        for (int k = 0; k < 4; k++) {
            x[k] = at + k < q.n ? q.counts[at + k] : 0;
            bad |= x[k] < 0;
            x[k] = sum += x[k];
        }
        int64_t all = sum;
        for (int d = 1; d < 32; d *= 2) {
            int64_t y = __shfl_up_sync(~0u, all, d);
            if (lane >= d) all += y;
        }
        if (lane == 31) warp[w] = all;
        __syncthreads();
        int64_t total = warp[lane];
        for (int d = 1; d < 32; d *= 2) {
            int64_t y = __shfl_up_sync(~0u, total, d);
            if (lane >= d) total += y;
        }
        int64_t ahead = __shfl_sync(~0u, total, w ? w - 1 : 0);
        all += before - sum + (w ? ahead : 0);
        for (int k = 0; k < 4; k++)
            if (at + k < q.n) q.ends[at + k] = all + x[k];
        before += __shfl_sync(~0u, total, 31);
        __syncthreads();
    }
    bad = __syncthreads_or(bad);
    if (threadIdx.x == 0) q.ends[q.n] = bad ? -1 : before;
}
extern "C" int gk_cuda_ends(const ga__ends *q, void *stream, int mps) {
    (void)mps;
    gk_ends_all<<<1, 1024, 0, (cudaStream_t)stream>>>(*q);
    return (int)cudaGetLastError();
}
#endif
#endif

/* ================================================================== >>select
   What a mask selects: bits, then work by them (see ga__sel). The first pass
   reads the mask, the second an eighth of a byte for each place, so it is the
   same for every dtype of mask, and the counts between them make the order
   that of the places, whatever the blocks' is.                              */
GK_INL const uint64_t *gk_sel_words(const ga__sel *q) {
    return (const uint64_t *)q->use.work + q->chunks + 1;
}

/* --- reductions of what a mask selects, CUDA -------------------------------
   One kernel for real numbers, in double, one for integers, in 64 bits, one
   for complex numbers; what is done with a value is a switch at run time, eight
   elements each. A block has 2^lx outputs, whose threads take turns along the
   reduced axes, neighbours where memory has them; blocks that share outputs
   leave partial results, the last one to finish combines them. Bytes moved:
   the input and the mask once. The order is fixed by shape, strides and device.
   The CPU has no such loops: the expression engine's are as fast.           */
struct gk_mp {
    const char *in;
    const bool *mask;
    char *out, *work;
    unsigned *counters;
    int64_t nout, nred, tiles, slab;
    int nkeep, nreduce, lx, split, in_type, out_type, kind, combine, finish;
    bool col, skip, wide, pair;     /* wide: integers as double; pair: sums */
                                    /* keep their errors                    */
    double ddof, start;
    gk_raxes keep, red;
    int64_t mkeep[GA_MAX_NDIM], mred[GA_MAX_NDIM];
    ga__late late;
};
#define GK_MT 256                   /* threads a block                      */
#define GK_MSTATE 56                /* bytes of a state, at most            */
/* Returns the bytes of the partial results. */
static inline size_t gk_mplan(gk_mp *p, const ga__rm *q, int mps) {
    const ga__rd *r = &q->r;
    const gk_red row = gk_reds[r->op];
    const int size = gk_rtypes[r->in_type].size;
    const char type = gk_rtypes[r->in_type].kind;
    memset(p, 0, sizeof *p);
    p->in = (const char *)r->in;
    p->mask = q->mask;
    p->out = (char *)r->out;
    p->work = (char *)q->use.work;
    p->counters = q->use.counters;
    p->nout = r->nout;
    p->nred = r->nred;
    p->nkeep = r->nkeep;
    p->nreduce = r->nreduce;
    p->in_type = r->in_type;
    p->out_type = r->out_type;
    p->kind = row.kind;
    p->combine = row.combine;
    p->finish = row.finish;
    p->skip = row.nans == GK_SKIP;
    p->wide = type != 'f' && (row.kind == GK_RVAR
                              || (row.finish == GK_MEAN && size == 8));
    p->pair = size == 8;
    p->ddof = r->ddof;
    p->start = row.start;
    p->late = q->late;
    int64_t least = INT64_MAX;
    for (int k = 0; k < GA_MAX_NDIM; k++) {
        const bool a = k < r->nkeep, b = k < r->nreduce;
        p->keep.n[k] = a ? r->keep_shape[k] : 1;
        p->keep.t[k] = a ? r->keep_stride[k] : 0;
        p->mkeep[k] = a ? q->keep_mask[k] : 0;
        p->red.n[k] = b ? r->red_shape[k] : 1;
        p->red.t[k] = b ? r->red_stride[k] : 0;
        p->mred[k] = b ? q->red_mask[k] : 0;
        p->keep.inverse[k] = p->keep.n[k] ? 1.0 / (double)p->keep.n[k] : 0;
        p->red.inverse[k] = p->red.n[k] ? 1.0 / (double)p->red.n[k] : 0;
        int64_t t = p->red.t[k] < 0 ? -p->red.t[k] : p->red.t[k];
        if (t && t < least) least = t;
    }
    int64_t kt = p->nkeep ? p->keep.t[p->nkeep - 1] : 0;
    kt = kt < 0 ? -kt : kt;
    p->col = p->nout > 1 && kt && kt < least;
    int ly = p->col ? 3 : 8;        /* threads an output: 64 elements each  */
    while (ly > 0 && ((int64_t)64 << ly) > p->nred) ly--;
    while (ly < 8 && (((int64_t)GK_MT >> ly) >= 2 * p->nout
                      || (!p->col && ((int64_t)8 << ly) < p->nred
                          && (p->nout << ly) < (int64_t)mps * 1024))) ly++;
    p->lx = 8 - ly;
    p->tiles = gk_ceil_div(p->nout, (int64_t)1 << p->lx);
    int64_t split = (int64_t)mps * 8 / p->tiles;
    const int64_t useful = p->nred / ((int64_t)16 << ly);
    if (split > useful) split = useful;
    if (split < 1 || p->tiles > GA__COUNTERS) split = 1;
    p->slab = gk_ceil_div(p->nred, split);
    p->slab = gk_ceil_div(p->slab, (int64_t)1 << ly) << ly;
    p->split = p->nred ? (int)gk_ceil_div(p->nred, p->slab) : 1;
    return p->split == 1 ? 0 : (size_t)(p->tiles << p->lx) * GK_MSTATE
                               * (size_t)p->split;
}

#if GK_PART_IS(select_cpu)
#ifdef __SSE2__
#include <emmintrin.h>
#endif
extern "C" size_t gk_select_work(const ga__sel *, int) { return 0; }
extern "C" size_t gk_reduce_where_work(const ga__rm *q, int mps) {
    gk_mp p;
    return mps ? gk_mplan(&p, q, mps) : 0;
}

/* 64 bytes as bits: not 0. */
static inline uint64_t gk_sel_pack(const uint8_t *p) {
    uint64_t b = 0;
#ifdef __SSE2__
    for (int k = 0; k < 4; k++) {
        __m128i v = _mm_loadu_si128((const __m128i *)(p + 16 * k));
        int zero = _mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128()));
        b |= (uint64_t)(~zero & 0xffff) << 16 * k;
    }
#else
    for (int k = 0; k < 64; k++) b |= (uint64_t)(p[k] != 0) << k;
#endif
    return b;
}
template<class T> static uint64_t gk_sel_word(const char *p, int n, T care) {
    uint8_t some[64] = {0};
    for (int k = 0; k < n; k++)
        some[k] = (((const T *)(const void *)p)[k] & care) != 0;
    return gk_sel_pack(some);
}
/* The bits of up to 64 places. */
static uint64_t gk_sel_bits(const ga__sel *q, int64_t at, int n) noexcept {
    const char *p = (const char *)q->mask + at * q->width;
    if (q->width == 1 && n == 64 && (uint8_t)q->care == 0xff)
        return gk_sel_pack((const uint8_t *)p);
    switch (q->width) {
    case 1: return gk_sel_word(p, n, (uint8_t)q->care);
    case 2: return gk_sel_word(p, n, (uint16_t)q->care);
    case 4: return gk_sel_word(p, n, (uint32_t)q->care);
    case 8: return gk_sel_word(p, n, q->care);
    default: break;
    }
    uint64_t b = 0;
    for (int k = 0; k < n; k++) {
        const uint64_t *w = (const uint64_t *)(const void *)p + 2 * k;
        b |= (uint64_t)(((w[0] | w[1]) & q->care) != 0) << k;
    }
    return b;
}
static void gk_sel_mark(const ga__sel *q) {
    int64_t *first = (int64_t *)q->use.work, at = 0;
    uint64_t *word = (uint64_t *)(first + q->chunks + 1);
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (q->n * q->width > 262144)
#endif
    for (int64_t c = 0; c < q->chunks; c++) {
        const int64_t end = c < q->chunks - 1 ? (c + 1) * q->chunk : q->n;
        int64_t chosen = 0;
        for (int64_t i = c * q->chunk; i < end; i += 64) {
            uint64_t b = gk_sel_bits(q, i, end - i < 64 ? (int)(end - i) : 64);
            word[i / 64] = b;
            chosen += __builtin_popcountll(b);
        }
        first[c] = chosen;
    }
    for (int64_t c = 0; c <= q->chunks; c++) {
        int64_t chosen = c < q->chunks ? first[c] : 0;
        first[c] = at;
        at += chosen;
    }
}

/* Without the last bits of b where there is no room for them. */
static inline uint64_t gk_sel_fit(uint64_t b, int64_t room) {
    while (b && __builtin_popcountll(b) > room)
        b &= ~((uint64_t)1 << (63 - __builtin_clzll(b)));
    return b;
}
/* Rows of one width, or with T char of any. */
template<class T> static inline void gk_sel_copy(char *to, const char *from,
                                                 int64_t bytes) {
    if constexpr (sizeof(T) > 1) memcpy(to, from, sizeof(T));
    else if (bytes == 1) *to = *from;
    else memcpy(to, from, (size_t)bytes);
}
template<class T> static void gk_sel_chunk(const ga__sel *q, int64_t c,
                                           char *out, const char *in) noexcept {
    const int64_t bytes = sizeof(T) > 1 ? (int64_t)sizeof(T) : q->bytes;
    const int64_t end = c < q->chunks - 1 ? (c + 1) * q->chunk : q->n;
    const uint64_t *word = gk_sel_words(q);
    int64_t k = ((const int64_t *)q->use.work)[c];
    const bool put = q->step == GA__SEL_PUT;
    for (int64_t i = c * q->chunk; i < end; i += 64) {
        uint64_t b = word[i / 64];
        if (!put) {
            b = gk_sel_fit(b, q->room - k);
            if (b == ~(uint64_t)0) {
                memcpy(out + k * bytes, in + i * bytes, (size_t)(64 * bytes));
                k += 64;
                continue;
            }
        }
        for (; b; b &= b - 1, k++) {
            const int64_t p = i + __builtin_ctzll(b);
            if (put) gk_sel_copy<T>(out + p * bytes, in + (q->by_place ? p : k)
                                        % q->room * bytes, bytes);
            else gk_sel_copy<T>(out + k * bytes, in + p * bytes, bytes);
        }
    }
}
static void gk_sel_places(const ga__sel *q, int64_t c) noexcept {
    const int64_t end = c < q->chunks - 1 ? (c + 1) * q->chunk : q->n;
    const uint64_t *word = gk_sel_words(q);
    const bool plain = q->ndim == 1 && q->step_of[0] == 1;
    int64_t k = ((const int64_t *)q->use.work)[c];
    for (int64_t i = c * q->chunk; i < end; i += 64) {
        uint64_t b = gk_sel_fit(word[i / 64], q->room - k);
        for (; plain && b; b &= b - 1)
            q->axis[0][k++] = i + __builtin_ctzll(b);
        for (; b; b &= b - 1, k++) {
            int64_t p = i + __builtin_ctzll(b);
            for (int a = q->ndim; a-- > 1; p /= q->shape[a])
                q->axis[a][k * q->step_of[a]] = p % q->shape[a];
            q->axis[0][k * q->step_of[0]] = p;
        }
    }
}
/* The same places from `times` slices one after the other, whose list is made
   once.                                                                     */
template<class T> static void gk_sel_slices(const ga__sel *q, int64_t c,
                                            char *out, const char *in,
                                            int64_t times) noexcept {
    const int64_t bytes = sizeof(T) > 1 ? (int64_t)sizeof(T) : q->bytes;
    const uint64_t *word = gk_sel_words(q);
    const int64_t end = c < q->chunks - 1 ? (c + 1) * q->chunk : q->n;
    int64_t k = ((const int64_t *)q->use.work)[c];
    uint16_t chosen[GA__SEL_TILE];
    for (int64_t at = c * q->chunk; at < end; at += GA__SEL_TILE) {
        int n = 0;
        for (int i = 0; i < GA__SEL_TILE && at + i < end; i += 64)
            for (uint64_t b = word[(at + i) / 64]; b; b &= b - 1)
                chosen[n++] = (uint16_t)(i + __builtin_ctzll(b));
        const int left = q->room - k < n ? (int)(q->room - k) : n;
        for (int64_t o = 0; o < times; o++) {
            char *to = out + o * q->out_step + k * bytes;
            const char *from = in + o * q->in_step + at * bytes;
            for (int e = 0; e < left; e++)
                gk_sel_copy<T>(to + e * bytes, from + chosen[e] * bytes, bytes);
        }
        k += n;
    }
}
template<class T> static void gk_sel_task(const ga__sel *q, int64_t c,
                                          int64_t o, int64_t times) noexcept {
    char *to = (char *)q->out + o * q->out_step;
    const char *from = (const char *)q->in + o * q->in_step;
    if (q->outer > 1) gk_sel_slices<T>(q, c, to, from, times);
    else gk_sel_chunk<T>(q, c, to, from);
}
extern "C" void gk_cpu_select(const ga__sel *q) {
    const int64_t bytes = q->bytes;
    const int64_t share = q->outer < 256 ? 1 : q->outer / 256;  /* slices    */
    const int64_t tasks = q->chunks * ((q->outer + share - 1) / share);
    if (q->step == GA__SEL_BITS) {
        gk_sel_mark(q);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (q->n * q->outer * bytes > 262144)
#endif
    for (int64_t t = 0; t < tasks; t++) {
        const int64_t c = t % q->chunks, o = t / q->chunks * share;
        const int64_t times = q->outer - o < share ? q->outer - o : share;
        if (q->step == GA__SEL_PLACES) gk_sel_places(q, c);
        else if (bytes == 2) gk_sel_task<uint16_t>(q, c, o, times);
        else if (bytes == 4) gk_sel_task<uint32_t>(q, c, o, times);
        else if (bytes == 8) gk_sel_task<uint64_t>(q, c, o, times);
        else if (bytes == 16) gk_sel_task<gk_c128>(q, c, o, times);
        else gk_sel_task<char>(q, c, o, times);
    }
}
#endif

#if GK_PART_IS(select_cuda) && !defined(GPUARR_NO_CUDA)
/* A block a chunk, in both passes. Bytes moved: the mask and its bits; then
   the bits, the sectors of `in` that have a chosen row, and the rows.       */
#define GK_ST 256                   /* threads, of 16 places each           */
static_assert(GK_ST * 16 == GA__SEL_TILE, "a tile is a block's");

/* v summed over the threads before, and over all. */
static __device__ __forceinline__ int64_t gk_sel_before(int64_t v,
                                                        int64_t *all) {
    __shared__ int64_t warp[GK_ST / 32];
    const int lane = (int)threadIdx.x & 31, w = (int)threadIdx.x >> 5;
    int64_t s = v, before = 0, total = 0;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int64_t u = __shfl_up_sync(0xffffffffu, s, (unsigned)d);
        if (lane >= d) s += u;
    }
    if (lane == 31) warp[w] = s;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < GK_ST / 32; i++) {
        if (i == w) before = total;
        total += warp[i];
    }
    __syncthreads();
    *all = total;
    return before + s - v;
}
/* The counts of chunks become what stands before them. */
static __device__ void gk_sel_first(int64_t *first, int64_t chunks) {
    constexpr int N = GA__SEL_CHUNKS / GK_ST;
    int64_t v[N], sum = 0, all;
    const int64_t at = (int64_t)threadIdx.x * N;
#pragma unroll
    for (int k = 0; k < N; k++)
        v[k] = at + k < chunks ? __ldcg(first + at + k) : 0;
#pragma unroll
    for (int k = 0; k < N; k++) sum += v[k];
    sum = gk_sel_before(sum, &all);
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (at + k < chunks) first[at + k] = sum;
        sum += v[k];
    }
    if (threadIdx.x == 0) first[chunks] = all;
}
/* Of the bytes of w, 0 or more, the bits: not 0. */
static __device__ __forceinline__ uint32_t gk_sel_four(uint32_t w) {
    return __vsetgtu4(w, 0) * 0x10204080u >> 28;
}
template<class T> static __device__ __forceinline__ bool gk_sel_true(
    T v, uint64_t care) {
    if constexpr (sizeof(T) == 16) return ((v.x | v.y) & care) != 0;
    else return (v & (T)care) != 0;
}
/* The bits of 16 bytes of the mask. */
template<class T> static __device__ __forceinline__ uint32_t
gk_sel_vector(uint4 w, uint64_t care) {
    if constexpr (sizeof(T) == 1) {
        const uint32_t c = (uint32_t)care;
        return gk_sel_four(w.x & c) | gk_sel_four(w.y & c) << 4
               | gk_sel_four(w.z & c) << 8 | gk_sel_four(w.w & c) << 12;
    } else {
        T v[16 / sizeof(T)];
        uint32_t b = 0;
        memcpy(v, &w, 16);
#pragma unroll
        for (int k = 0; k < (int)(16 / sizeof(T)); k++)
            b |= (uint32_t)gk_sel_true(v[k], care) << k;
        return b;
    }
}
template<class T> static __global__ void __launch_bounds__(GK_ST)
gk_sel_marks(const ga__sel q) {
    const int t = (int)threadIdx.x, lane = t & 31;
    const T *mask = (const T *)q.mask;
    int64_t *first = (int64_t *)q.use.work;
    uint32_t *word = (uint32_t *)(first + q.chunks + 1);
    const int64_t c = blockIdx.x, from = c * q.chunk;
    const int64_t end = from + q.chunk < q.n ? from + q.chunk : q.n;
    int64_t chosen = 0, all, at = from;
    constexpr int E = 16 / sizeof(T);           /* places a load            */
    constexpr int U = E == 16 ? 4 : 16 / E;     /* loads in flight          */
#pragma unroll 1
    for (; (uintptr_t)mask % 16 == 0 && at + U * E * GK_ST <= end;
         at += U * E * GK_ST) {
        uint4 w[U];
#pragma unroll
        for (int u = 0; u < U; u++)
            w[u] = __ldcs((const uint4 *)(mask + at) + u * GK_ST + t);
#pragma unroll
        for (int u = 0; u < U; u++) {
            uint32_t b = gk_sel_vector<T>(w[u], q.care);
            chosen += __popc(b);
            const int64_t i = at + (u * GK_ST + t) * E;
            if constexpr (E == 16) {
                ((uint16_t *)word)[i / 16] = (uint16_t)b;
            } else {                /* 32 / E threads have a word           */
                b <<= t * E & 31;
#pragma unroll
                for (int d = 1; d < 32 / E; d *= 2)
                    b |= __shfl_xor_sync(0xffffffffu, b, d);
                if (t % (32 / E) == 0) word[i / 32] = b;
            }
        }
    }
#pragma unroll 1
    for (; at < end; at += GA__SEL_TILE) {
        const int64_t warp = at + (t - lane) * 16;
        uint32_t mine = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const int64_t i = warp + k * 32 + lane;
            const uint32_t b = __ballot_sync(
                0xffffffffu, i < end && gk_sel_true(mask[i], q.care));
            if (lane == k) mine = b;
        }
        if (lane < 16) word[warp / 32 + lane] = mine;
        chosen += __popc(mine);
    }
    gk_sel_before(chosen, &all);
    if (t == 0) first[c] = all;
    if (gk_rlast(q.use.counters, gridDim.x)) gk_sel_first(first, q.chunks);
}

/* A thread's bits of the tile at `at`; the next tile's are asked for before
   those of one are used.                                                    */
static __device__ __forceinline__ uint32_t gk_sel_mine(const ga__sel &q,
                                                       int64_t at,
                                                       int64_t end) {
    return at < end ? ((const uint16_t *)gk_sel_words(&q))[at / 16
                                                           + threadIdx.x] : 0;
}
/* Places of a tile's chosen ones into `chosen`; how many. All threads. */
static __device__ __forceinline__ int gk_sel_list(uint32_t b,
                                                  uint16_t *chosen) {
    const int t = (int)threadIdx.x;
    __shared__ int warp[GK_ST / 32];
    const int lane = t & 31, w = t >> 5, n = __popc(b);
    int s = n, before = 0, total = 0;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0xffffffffu, s, (unsigned)d);
        if (lane >= d) s += u;
    }
    if (lane == 31) warp[w] = s;
    __syncthreads();                /* and the list before has been read    */
#pragma unroll
    for (int i = 0; i < GK_ST / 32; i++) {
        if (i == w) before = total;
        total += warp[i];
    }
#pragma unroll 1
    for (int k = before + s - n; b; b &= b - 1, k++)
        chosen[k] = (uint16_t)(16 * t + __ffs((int)b) - 1);
    __syncthreads();
    return total;
}
template<class T> static __global__ void
__launch_bounds__(GK_ST, GK_RESIDENT(sizeof(T) == 16 ? 4 : 6))
gk_sel_rows(const ga__sel q) {
    __shared__ uint16_t chosen[GA__SEL_TILE];
    constexpr int U = 8;
    const int t = (int)threadIdx.x;
    const int64_t c = blockIdx.x, from = c * q.chunk;
    const int64_t end = from + q.chunk < q.n ? from + q.chunk : q.n;
    const bool put = q.step == GA__SEL_PUT;
    int64_t k = ((const int64_t *)q.use.work)[c];
    uint32_t mine = gk_sel_mine(q, from, end);
#pragma unroll 1
    for (int64_t at = from; at < end && (put || k < q.room);
         at += GA__SEL_TILE) {
        const uint32_t next = gk_sel_mine(q, at + GA__SEL_TILE, end);
        const int n = gk_sel_list(mine, chosen);
        const int left = put || q.room - k > n ? n : (int)(q.room - k);
        const T *in = (const T *)q.in + (put ? 0 : at);
        T *out = (T *)q.out + (put ? at : k);
#pragma unroll 1
        for (int e = t; e < left; e += U * GK_ST) {
            T v[U];
#pragma unroll
            for (int u = 0; u < U; u++) {
                const int i = e + u * GK_ST;
                if (i >= left) continue;
                if (!put) {
                    v[u] = in[chosen[i]];
                    continue;
                }
                int64_t x = q.by_place ? at + chosen[i] : k + i;
                if (x >= q.room) x %= q.room;
                v[u] = in[x];
            }
#pragma unroll
            for (int u = 0; u < U; u++) {
                const int i = e + u * GK_ST;
                if (i < left) out[put ? chosen[i] : i] = v[u];
            }
        }
        k += n;
        mine = next;
    }
}
/* Rows of `units` words, or several times: blocks along y share these. */
template<class T> static __global__ void __launch_bounds__(GK_ST)
gk_sel_long(const ga__sel q, int64_t units, int64_t per, int64_t times) {
    __shared__ uint16_t chosen[GA__SEL_TILE];
    const int t = (int)threadIdx.x;
    const int64_t c = blockIdx.x, from = c * q.chunk;
    const int64_t end = from + q.chunk < q.n ? from + q.chunk : q.n;
    const int64_t across = (units + per - 1) / per;
    const int64_t parts = across * ((q.outer + times - 1) / times);
    int64_t k = ((const int64_t *)q.use.work)[c];
#pragma unroll 1
    for (int64_t at = from; at < end; at += GA__SEL_TILE) {
        const int all = gk_sel_list(gk_sel_mine(q, at, end), chosen);
        int64_t room = q.step == GA__SEL_PUT || q.room - k > all ? all
                       : q.room - k;
        const uint32_t n = room > 0 ? (uint32_t)room : 0;
#pragma unroll 1
        for (int64_t y = blockIdx.y; y < parts; y += gridDim.y) {
            const int64_t o0 = y / across * times, u0 = y % across * per;
            const uint32_t w = (uint32_t)(units - u0 < per ? units - u0 : per);
            const uint32_t r = (uint32_t)(q.outer - o0 < times ? q.outer - o0
                                                               : times);
#pragma unroll 1
            for (uint32_t e = (uint32_t)t; e < r * n * w; e += GK_ST) {
                const uint32_t row = e / w, o = row / n, i = row - o * n;
                const int64_t p = at + chosen[i], u = u0 + (e - row * w);
                int64_t x = k + i;
                T *out = (T *)((char *)q.out + (o0 + o) * q.out_step);
                const T *in = (const T *)((const char *)q.in
                                          + (o0 + o) * q.in_step);
                if (q.step == GA__SEL_PUT) {
                    x = q.by_place ? p : x;
                    if (x >= q.room) x %= q.room;
                    out[p * units + u] = in[x * units + u];
                } else {
                    out[x * units + u] = in[p * units + u];
                }
            }
        }
        k += all;
    }
}
static __global__ void __launch_bounds__(GK_ST, GK_RESIDENT(6))
gk_sel_indices(const ga__sel q) {
    __shared__ uint16_t chosen[GA__SEL_TILE];
    const int t = (int)threadIdx.x;
    const int64_t c = blockIdx.x, from = c * q.chunk;
    const int64_t end = from + q.chunk < q.n ? from + q.chunk : q.n;
    const bool plain = q.ndim == 1 && q.step_of[0] == 1;
    int64_t k = ((const int64_t *)q.use.work)[c];
    uint32_t mine = gk_sel_mine(q, from, end);
#pragma unroll 1
    for (int64_t at = from; at < end && k < q.room; at += GA__SEL_TILE) {
        const uint32_t next = gk_sel_mine(q, at + GA__SEL_TILE, end);
        const int n = gk_sel_list(mine, chosen);
        const int left = q.room - k < n ? (int)(q.room - k) : n;
        int64_t *to = q.axis[0] + k;
#pragma unroll 4
        for (int e = t; plain && e < left; e += GK_ST) to[e] = at + chosen[e];
#pragma unroll 1
        for (int e = t; !plain && e < left; e += GK_ST) {
            int64_t p = at + chosen[e];
#pragma unroll 1
            for (int a = q.ndim - 1; a > 0; a--) {
                const int64_t d = q.shape[a];
                int64_t s = (p | d) >> 32 ? p / d
                                          : (uint32_t)p / (uint32_t)d;
                q.axis[a][(k + e) * q.step_of[a]] = p - s * d;
                p = s;
            }
            q.axis[0][(k + e) * q.step_of[0]] = p;
        }
        k += n;
        mine = next;
    }
}

template<class T> static void gk_sel_move(const ga__sel *q, cudaStream_t s,
                                          int mps) {
    const int64_t units = q->bytes / (int64_t)sizeof(T);
    dim3 grid((unsigned)q->chunks);
    if (units == 1 && q->outer == 1) {
        gk_sel_rows<T><<<grid, GK_ST, 0, s>>>(*q);
        return;
    }
    /* some 32 blocks a multiprocessor, each of no more than 2^31 words */
    const int64_t want = ((int64_t)mps * 32 + q->chunks - 1) / q->chunks;
    int64_t times = (q->outer + want - 1) / want;
    if (times > 8192) times = 8192;
    const int64_t share = (q->outer + times - 1) / times;
    int64_t parts = (want + share - 1) / share;
    int64_t per = (units + parts - 1) / parts;
    if (per < 64) per = units < 64 ? units : 64;
    if (per > 524288 / times) per = 524288 / times;
    parts = share * ((units + per - 1) / per);
    grid.y = (unsigned)(parts < 65535 ? parts : 65535);
    gk_sel_long<T><<<grid, GK_ST, 0, s>>>(*q, units, per, times);
}
extern "C" int gk_cuda_select(const ga__sel *q, void *stream, int mps) {
    cudaStream_t s = (cudaStream_t)stream;
    const unsigned chunks = (unsigned)q->chunks;
    switch (q->step) {
    case GA__SEL_BITS:
        switch (q->width) {
        case 1: gk_sel_marks<uint8_t><<<chunks, GK_ST, 0, s>>>(*q); break;
        case 2: gk_sel_marks<uint16_t><<<chunks, GK_ST, 0, s>>>(*q); break;
        case 4: gk_sel_marks<uint32_t><<<chunks, GK_ST, 0, s>>>(*q); break;
        case 8: gk_sel_marks<uint64_t><<<chunks, GK_ST, 0, s>>>(*q); break;
        default: gk_sel_marks<ulonglong2><<<chunks, GK_ST, 0, s>>>(*q); break;
        }
        break;
    case GA__SEL_PLACES: gk_sel_indices<<<chunks, GK_ST, 0, s>>>(*q); break;
    default: {
        uintptr_t all = (uintptr_t)q->out | (uintptr_t)q->in
                        | (uintptr_t)q->bytes;
        if (q->outer > 1)
            all |= (uintptr_t)q->out_step | (uintptr_t)q->in_step;
        int w = 16;
        while (all & (uintptr_t)(w - 1)) w /= 2;
        switch (w) {
        case 16: gk_sel_move<ulonglong2>(q, s, mps); break;
        case 8: gk_sel_move<uint64_t>(q, s, mps); break;
        case 4: gk_sel_move<uint32_t>(q, s, mps); break;
        case 2: gk_sel_move<uint16_t>(q, s, mps); break;
        default: gk_sel_move<uint8_t>(q, s, mps); break;
        }
    }
    }
    return cudaGetLastError();
}
#endif

#if GK_PART_IS(select_reduce_cuda) && !defined(GPUARR_NO_CUDA)
/* ADD: a the sum or product, b the sum's error. EXT: the largest, the least.
   VAR: the sum of x - b, q of its squares. hits: nonzeros. n: how many.     */
template<class V> struct gk_ms { V a, b; double q; uint64_t n, hits; };
template<class V> constexpr bool gk_mcomplex = gk_is_complex<V>::value;
template<class V> GK_INL V gk_mof(double x) {
    if constexpr (gk_mcomplex<V>) return V{x, 0};
    else return (V)x;
}
template<class V> GK_INL V gk_mminus(V x) {
    if constexpr (gk_mcomplex<V>) return V{-x.re, -x.im};
    else if constexpr (gk_int<V>) return ~x;
    else return -x;
}
template<class V> GK_INL V gk_mlarger(V x, V v) {
    return gk_rbetter<false>(x, v) ? x : v;
}
GK_INL void gk_mtwo(double &a, double &b, double x) {
    double t = a + x, z = t - a;
    b += (a - (t - z)) + (x - z);
    a = t;
}
template<class V> static __device__ __forceinline__ gk_ms<V>
gk_minit(const gk_mp &p) {
    gk_ms<V> s;
    s.a = s.b = gk_mof<V>(0);
    s.q = 0;
    s.n = s.hits = 0;
    if (p.kind == GK_RADD) s.a = gk_mof<V>(p.start);
    if (p.kind == GK_REXT) {
        s.a = gk_rlowest<V>(false);
        s.b = gk_mminus(s.a);
    }
    return s;
}
/* s.a += x or s.a *= x, of what selects it. */
template<class V> static __device__ __forceinline__ void
gk_madd(gk_ms<V> &s, V x, const gk_mp &p) {
    if (p.combine == GA__OP_multiply) {
        if constexpr (gk_mcomplex<V>)
            s.a = V{s.a.re * x.re - s.a.im * x.im,
                    s.a.re * x.im + s.a.im * x.re};
        else if constexpr (gk_int<V>)
            s.a = (V)((uint64_t)s.a * (uint64_t)x);
        else s.a *= x;
        return;
    }
    if constexpr (gk_mcomplex<V>) {
        gk_mtwo(s.a.re, s.b.re, x.re);
        gk_mtwo(s.a.im, s.b.im, x.im);
    } else if constexpr (gk_int<V>) {
        s.a = (V)((uint64_t)s.a + (uint64_t)x);
    } else {
        if constexpr (gk_rothers)
            if (p.combine != GA__OP_add) {
                s.a = gk_rfold(p.combine, s.a, x);
                return;
            }
        if (p.pair) gk_mtwo(s.a, s.b, x);
        else s.a += x;
    }
}
/* Moves b, from which differences are taken, to the mean: see gk_fvar. */
template<class V> static __device__ __forceinline__ void
gk_msettle(gk_ms<V> &s) {
    if constexpr (gk_int<V>) return;
    else {
        constexpr int N = gk_mcomplex<V> ? 2 : 1;
        double *a = (double *)&s.a, *b = (double *)&s.b, t = 0;
        for (int c = 0; c < N; c++) t += a[c] * a[c];
        if (!(t > 0.5 * s.q * (double)s.n)) return;
        for (int c = 0; c < N; c++) {
            double d = a[c] / (double)s.n, k = b[c] + d;
            d = k - b[c];
            double left = a[c] - (double)s.n * d;
            if (!gk_rfinite(left)) continue;
            s.q -= d * (a[c] + left);
            a[c] = left;
            b[c] = k;
        }
    }
}
template<class V, int N> static __device__ __forceinline__ void
gk_mtake(gk_ms<V> &s, V *x, const bool *chosen, const gk_mp &p) {
    switch (p.kind) {
    case GK_RADD:
#pragma unroll
        for (int u = 0; u < N; u++)
            gk_madd(s, chosen[u] ? x[u] : gk_mof<V>(p.start), p);
        break;
    case GK_REXT:
#pragma unroll
        for (int u = 0; u < N; u++) {
            s.a = chosen[u] ? gk_mlarger(x[u], s.a) : s.a;
            s.b = chosen[u] ? gk_mminus(gk_mlarger(gk_mminus(x[u]),
                                                   gk_mminus(s.b))) : s.b;
        }
        break;
    case GK_RVAR:
        if constexpr (!gk_int<V>) {
            uint64_t n = s.n;
#pragma unroll
            for (int u = 0; u < N; u++) {
                if (!chosen[u]) continue;
                if (n++ == 0) s.b = x[u];
                if constexpr (gk_mcomplex<V>) {
                    double d = x[u].re - s.b.re, e = x[u].im - s.b.im;
                    s.a = V{s.a.re + d, s.a.im + e};
                    s.q += d * d + e * e;
                } else {
                    double d = x[u] - s.b;
                    s.a += d;
                    s.q += d * d;
                }
            }
        }
        break;
    default:
#pragma unroll
        for (int u = 0; u < N; u++)
            s.hits += chosen[u] && gk_truth(x[u]);
    }
    int n = 0;
#pragma unroll
    for (int u = 0; u < N; u++) n += chosen[u];
    s.n += (unsigned)n;
    if (p.kind == GK_RVAR) gk_msettle(s);
}
template<class V> static __device__ __forceinline__ void
gk_mmerge(gk_ms<V> &s, const gk_ms<V> &o, const gk_mp &p) {
    if (p.kind == GK_RADD) {
        gk_madd(s, o.a, p);
        if constexpr (gk_mcomplex<V>) {
            s.b.re += o.b.re;
            s.b.im += o.b.im;
        } else if constexpr (!gk_int<V>) {
            s.b += o.b;
        }
    } else if (p.kind == GK_REXT) {
        s.a = gk_mlarger(o.a, s.a);
        s.b = gk_mminus(gk_mlarger(gk_mminus(o.b), gk_mminus(s.b)));
    } else if (p.kind == GK_RVAR && o.n) {
        if constexpr (!gk_int<V>) {
            constexpr int N = gk_mcomplex<V> ? 2 : 1;
            double *a = (double *)&s.a, *b = (double *)&s.b;
            const double *oa = (const double *)&o.a, *ob = (const double *)&o.b;
            if (!s.n)
                for (int c = 0; c < N; c++) b[c] = ob[c];
            s.q += o.q;
            for (int c = 0; c < N; c++) {
                double d = b[c] - ob[c], t = oa[c] - (double)o.n * d;
                s.q -= d * (oa[c] + t);
                a[c] += t;
            }
        }
    }
    s.n += o.n;
    s.hits += o.hits;
    if (p.kind == GK_RVAR) gk_msettle(s);
}
template<class V> static __device__ void gk_mput(const gk_mp &p, int64_t o,
                                                 V v) {
    if constexpr (gk_int<V>) {
        switch (p.out_type) {
        case GA_BOOL: case GA_INT8: case GA_UINT8:
            ((int8_t *)p.out)[o] = (int8_t)v;
            break;
        case GA_INT16: case GA_UINT16: ((int16_t *)p.out)[o] = (int16_t)v; break;
        case GA_INT32: case GA_UINT32: ((int32_t *)p.out)[o] = (int32_t)v; break;
        default: ((int64_t *)p.out)[o] = v;
        }
    } else if constexpr (gk_mcomplex<V>) {
        if (p.out_type == GA_COMPLEX64)
            ((gk_c64 *)p.out)[o] = gk_c64{(float)v.re, (float)v.im};
        else ((gk_c128 *)p.out)[o] = v;
    } else {
        switch (p.out_type) {
        case GA_FLOAT16: ((gk_f16 *)p.out)[o] = gk_cast<gk_f16>(v); break;
        case GA_BFLOAT16: ((gk_bf16 *)p.out)[o] = gk_cast<gk_bf16>(v); break;
        case GA_FLOAT32: ((float *)p.out)[o] = (float)v; break;
        default: ((double *)p.out)[o] = v;
        }
    }
}
template<class V> static __device__ void
gk_mfinish(const gk_ms<V> &s, const gk_mp &p, int64_t o) {
    constexpr int N = gk_mcomplex<V> ? 2 : 1;
    const double n = (double)s.n;
    V v = s.a;
    if (p.kind == GK_RCOUNT) {
        int64_t hits = (int64_t)s.hits;
        if (p.combine == GA__OP_logical_and) hits = s.hits == s.n;
        else if (p.combine != GA__OP_add) hits = s.hits != 0;
        gk_mput(p, o, hits);
        return;
    }
    if (p.kind == GK_RVAR) {
        const double *a = (const double *)&s.a, dof = n - p.ddof;
        double q = s.q;
        for (int c = 0; c < N; c++)         /* an overflow stays inf        */
            if (q < gk_fpk<double>::inf || !gk_rfinite(a[c]))
                q -= a[c] * (n > 0 ? a[c] / n : 0);
        q = (q < 0 ? 0 : q) / (dof > 0 ? dof : 0);
        if (p.skip && !(dof > 0)) q = gk_fpk<double>::nan;
        gk_mput(p, o, p.finish == GK_ROOT ? gk_m_sqrt(q) : q);
        return;
    }
    if constexpr (gk_int<V>) {
        if (p.kind == GK_REXT) {
            const int64_t top = p.in_type == GA_UINT64 ? INT64_MIN : 0;
            if (!s.n) gk_late(p.late, o);
            v = p.finish == GK_RANGE
                    ? (int64_t)((uint64_t)s.a - (uint64_t)s.b)
                    : (p.combine == GA__OP_minimum ? s.b : s.a) ^ top;
        } else if (p.finish == GK_MEAN) {
            gk_mput(p, o, (double)v / n);
            return;
        }
    } else {
        double *w = (double *)&v, *b = (double *)&s.b;
        for (int c = 0; c < N; c++) {
            if (p.kind == GK_REXT) {
                if (p.combine == GA__OP_minimum) w[c] = b[c];
                else if (p.finish == GK_RANGE) w[c] -= b[c];
                if (!s.n) w[c] = c ? 0 : gk_fpk<double>::nan;
            } else if (p.combine == GA__OP_add && gk_rfinite(w[c])) {
                w[c] += b[c];
            }
            if (p.finish == GK_MEAN) w[c] /= n;
        }
    }
    gk_mput(p, o, v);
}

template<class V, class T, int N> static __device__ __forceinline__ void
gk_mload(V *x, const char *in, const int64_t *at) {
    T r[N];
#pragma unroll
    for (int u = 0; u < N; u++) r[u] = __ldg((const T *)in + at[u]);
#pragma unroll
    for (int u = 0; u < N; u++) x[u] = (V)r[u];
}
/* N elements of the input as the kernel's type. */
template<class V, int N> static __device__ __forceinline__ void
gk_mfetch(V *x, const int64_t *at, const gk_mp &p) {
    uint16_t h[N];
    if constexpr (gk_mcomplex<V>) {
#pragma unroll
        for (int u = 0; u < N; u++) {
            if (p.in_type == GA_COMPLEX64) {
                float2 z = __ldg((const float2 *)p.in + at[u]);
                x[u] = V{z.x, z.y};
            } else {
                double2 z = __ldg((const double2 *)p.in + at[u]);
                x[u] = V{z.x, z.y};
            }
        }
        return;
    } else switch (p.in_type) {
    case GA_BOOL: case GA_UINT8: gk_mload<V, uint8_t, N>(x, p.in, at); break;
    case GA_INT8: gk_mload<V, int8_t, N>(x, p.in, at); break;
    case GA_INT16: gk_mload<V, int16_t, N>(x, p.in, at); break;
    case GA_UINT16: gk_mload<V, uint16_t, N>(x, p.in, at); break;
    case GA_INT32: gk_mload<V, int32_t, N>(x, p.in, at); break;
    case GA_UINT32: gk_mload<V, uint32_t, N>(x, p.in, at); break;
    case GA_INT64: gk_mload<V, int64_t, N>(x, p.in, at); break;
    case GA_UINT64:
        if constexpr (!gk_int<V>) gk_mload<V, uint64_t, N>(x, p.in, at);
        else {
            gk_mload<V, int64_t, N>(x, p.in, at);
            if (p.kind == GK_REXT)
                for (int u = 0; u < N; u++) x[u] ^= INT64_MIN;
        }
        break;
    default:
        if constexpr (!gk_int<V>) {
            if (p.in_type == GA_FLOAT32) gk_mload<V, float, N>(x, p.in, at);
            else if (p.in_type == GA_FLOAT64)
                gk_mload<V, double, N>(x, p.in, at);
            else {
                gk_mload<uint16_t, uint16_t, N>(h, p.in, at);
#pragma unroll
                for (int u = 0; u < N; u++)
                    x[u] = p.in_type == GA_FLOAT16
                               ? gk_from_f16(gk_f16{h[u]})
                               : gk_bits<float>((uint32_t)h[u] << 16);
            }
        }
    }
}
/* The states of the threads that share an output into that of y 0. */
template<class V> static __device__ void
gk_mtree(gk_ms<V> &a, gk_ms<V> *shared, int x, int y, int nx, int ny,
         const gk_mp &p) {
    __syncthreads();
    shared[y * nx + x] = a;
#pragma unroll 1
    for (int h = ny / 2; h > 0; h /= 2) {
        __syncthreads();
        if (y >= h) continue;
        gk_mmerge(a, shared[(y + h) * nx + x], p);
        shared[y * nx + x] = a;
    }
}
template<class V> static __global__ void
__launch_bounds__(GK_MT, GK_RESIDENT(3))
gk_mreduce(const __grid_constant__ gk_mp p) {
    typedef gk_ms<V> A;
    static_assert(sizeof(A) <= GK_MSTATE, "states fit the work memory");
    constexpr int U = 8;
    __shared__ __align__(16) unsigned char memory[sizeof(A) * GK_MT];
    A *shared = (A *)memory;
    const int t = (int)threadIdx.x, ly = 8 - p.lx;
    const int nx = 1 << p.lx, ny = 1 << ly;
    const int x = p.col ? t & (nx - 1) : t >> ly;
    const int y = p.col ? t >> p.lx : t & (ny - 1);
    const int split = p.split, s = (int)(blockIdx.x % (unsigned)split);
    const int64_t step = gridDim.x / (unsigned)split;
#pragma unroll 1
    for (int64_t tile = blockIdx.x / (unsigned)split; tile < p.tiles;
         tile += step) {
        const int64_t o = (tile << p.lx) + x;
        const int64_t end = o >= p.nout ? 0 : p.nred < (s + 1) * p.slab
                            ? p.nred : (s + 1) * p.slab;
        const int64_t base = o < p.nout ? gk_rat(p.keep, p.keep.t, p.nkeep, o)
                                        : 0;
        const bool *mask = p.mask + (o < p.nout
            ? gk_rat(p.keep, p.mkeep, p.nkeep, o) : 0);
        A a = gk_minit<V>(p);
#pragma unroll 1
        for (int64_t r = s * p.slab + y; r < end; r += U * ny) {
            int64_t at[U];
            bool chosen[U];
            V v[U];
            if (p.nreduce == 1 && r + (U - 1) * ny < end) {
                const int64_t step = ny * p.red.t[0], first = base
                    + r * p.red.t[0], skip = ny * p.mred[0];
                const bool *m = mask + r * p.mred[0];
#pragma unroll
                for (int u = 0; u < U; u++) {
                    at[u] = first + u * step;
                    chosen[u] = m[u * skip];
                }
            } else {
#pragma unroll
                for (int u = 0; u < U; u++) {
                    const bool in = r + u * ny < end;
                    const int64_t i = in ? r + u * ny : r;
                    at[u] = base + gk_rat(p.red, p.red.t, p.nreduce, i);
                    chosen[u] = in && mask[gk_rat(p.red, p.mred, p.nreduce,
                                                  i)];
                }
            }
            gk_mfetch<V, U>(v, at, p);
            if (p.skip)
#pragma unroll
                for (int u = 0; u < U; u++)
                    chosen[u] = chosen[u] && !gk_rnan(v[u]);
            gk_mtake<V, U>(a, v, chosen, p);
        }
        gk_mtree(a, shared, x, y, nx, ny, p);
        bool mine = true;
        if (split > 1) {
            A *part = (A *)p.work + tile * split * nx;
            if (y == 0) part[s * nx + x] = a;
            mine = gk_rlast(p.counters + tile, (unsigned)split);
            if (mine) {
                a = gk_minit<V>(p);
#pragma unroll 1
                for (int i = y; i < split; i += ny)
                    gk_mmerge(a, part[i * nx + x], p);
                gk_mtree(a, shared, x, y, nx, ny, p);
            }
        }
        if (mine && y == 0 && o < p.nout) gk_mfinish(a, p, o);
    }
}
extern "C" int gk_cuda_reduce_where(const ga__rm *q, void *stream, int mps) {
    gk_mp p;
    gk_mplan(&p, q, mps);
    int64_t grid = p.tiles < (int64_t)mps * 64 ? p.tiles : (int64_t)mps * 64;
    const unsigned blocks = (unsigned)(grid * p.split);
    cudaStream_t s = (cudaStream_t)stream;
    if (p.in_type >= GA_COMPLEX64)
        gk_mreduce<gk_c128><<<blocks, GK_MT, 0, s>>>(p);
    else if (p.in_type < GA_FLOAT16 && !p.wide)
        gk_mreduce<int64_t><<<blocks, GK_MT, 0, s>>>(p);
    else gk_mreduce<double><<<blocks, GK_MT, 0, s>>>(p);
    return cudaGetLastError();
}
#endif

/* =================================================================== >>index
   Gathers and scatters by index arrays, as ga__indexed describes them, and what
   stands on them. Elements move by their width. An axis without a stride of an
   index is plain: a row of it moves as wide units where it adjoins.

     get    GPU: a thread four elements, their places first, so that four
            gathers are under way; one contiguous index: read and written as
            vectors. Bytes: index and result once, a sector of 32 a gather.
     put    GPU: first each place keeps its last writer's number, by atomicMax
            in a table, then the winners write: repeatable. The table has a
            word a place or, where places are many more than writers, is
            hashed: four words a writer.
     add    GPU, atomic: the order-free; else places are sorted, stably, and
            added as segments.
   Segments on a GPU: a thread adds GK_IX_TILE values in their order. What begins
   and ends inside goes to its place; the first and the last go, two of a
   tile, to the next level, which does the same until one tile is left. The
   order is the values', whatever runs when.
   On a CPU lines of up to 512 places are found, then moved; threads share the
   places of a scatter, and each keeps the writers' order.                   */
#if GK_PART_IS(index_cpu) || GK_PART_IS(index_cuda)
/* Where index j leads on an axis of n > 0; -1: nowhere. */
GK_INL int64_t gk_ix_place(int64_t j, int64_t n, int mode) {
    if (mode == GA__IX_CLIP) return j < 0 ? 0 : j >= n ? n - 1 : j;
    if (mode == GA__IX_WRAP && (uint64_t)j >= (uint64_t)n) {
        j %= n;
        return j < 0 ? j + n : j;
    }
    if (mode == GA__IX_BACK && j < 0) j += n;
    return (uint64_t)j < (uint64_t)n ? j : -1;
}
GK_INL int64_t gk_ix_read(const ga__operand_view &v, int64_t at) {
    return v.dtype == GA_INT32 ? ((const int32_t *)v.data)[at]
                               : ((const int64_t *)v.data)[at];
}
GK_INL void gk_ix_late(const ga__indexed &q, int k, int64_t j) {
    ga__late l = q.late;
    l.axis = q.axis[k];
    l.extent = q.extent[k];
    gk_late(l, j);
}
static inline bool gk_ix_tuple(const ga__indexed *q, int d) {
    for (int k = 0; k < q->nidx; k++)
        if (q->index[k].stride[d]) return true;
    return !q->x.stride[d];         /* one place, again and again           */
}
static ga_dtype gk_ix_by_width(size_t w) {
    return w == 1 ? GA_UINT8 : w == 2 ? GA_UINT16 : w == 4 ? GA_UINT32
           : w == 8 ? GA_UINT64 : GA_COMPLEX128;
}
/* ... and float64 for 16 bytes that begin between those of 16. */
static ga_dtype gk_ix_by_place(size_t w, const void *a, const void *b) {
    return w == 16 && ((uintptr_t)a | (uintptr_t)b) % 16 ? GA_FLOAT64
                                                         : gk_ix_by_width(w);
}
/* A plain last axis without gaps as one of wider elements. */
static void gk_ix_widen(ga__indexed *q) {
    const int last = q->ndim - 1;
    size_t w = gk_size[q->v.dtype];
    while (w < 16 && !gk_ix_tuple(q, last) && q->v.stride[last] == 1
           && q->x.stride[last] == 1 && q->shape[last] % 2 == 0
           && ((uintptr_t)q->v.data | (uintptr_t)q->x.data) % (2 * w) == 0
           && q->base % 2 == 0) {
        bool even = true;
        for (int d = 0; d < last; d++)
            even &= q->v.stride[d] % 2 == 0 && q->x.stride[d] % 2 == 0;
        for (int k = 0; k < q->nidx; k++) even &= q->step[k] % 2 == 0;
        if (!even) break;
        for (int d = 0; d < last; d++) q->v.stride[d] /= 2, q->x.stride[d] /= 2;
        for (int k = 0; k < q->nidx; k++) q->step[k] /= 2;
        q->shape[last] /= 2;
        q->base /= 2;
        q->n /= 2;
        w *= 2;
    }
    q->v.dtype = q->x.dtype = gk_ix_by_width(w);
}
/* a[0] .. of up to 16 digits, the last the fastest, each with a step. */
struct gk_ix_digits {
    int n;
    int64_t len[2 * GA_MAX_NDIM], step[2 * GA_MAX_NDIM];
    void add(int64_t length, int64_t by) {
        len[n] = length;
        step[n++] = by;
    }
    int64_t count() const {
        int64_t c = 1;
        for (int i = 0; i < n; i++) c *= len[i];
        return c;
    }
};
GK_BIG int64_t gk_ix_spread_more(const gk_ix_digits &d, int64_t i) {
    int64_t at = 0;
    for (int k = d.n - 1; k > 0; k--) {
        int64_t up = ((uint64_t)i >> 32 | (uint64_t)d.len[k] >> 32)
                         ? i / d.len[k]
                         : (int64_t)((uint32_t)i / (uint32_t)d.len[k]);
        at += (i - up * d.len[k]) * d.step[k];
        i = up;
    }
    return d.n ? at + i * d.step[0] : 0;
}
GK_INL int64_t gk_ix_spread(const gk_ix_digits &d, int64_t i) {
    return d.n == 1 ? i * d.step[0] : gk_ix_spread_more(d, i);
}
/* The tuples' numbers, v by them; the places that they name, numbered, x by
   them; the plain axes of both. The number of a tuple's place is
   sum(c * cell.stride) + sum(place * cell.step).                            */
struct gk_ix_split {
    gk_ix_digits tuple, cell, plain_x, plain_v;
    int64_t tuples, cells, run;
    int64_t number[GA_MAX_NDIM];    /* an axis's part of a tuple's number   */
    int64_t cell_stride[GA_MAX_NDIM], cell_step[GA_MAX_NDIM];
};
static gk_ix_split gk_ix_split_of(const ga__indexed *q) {
    gk_ix_split s;
    memset(&s, 0, sizeof s);
    for (int d = 0; d < q->ndim; d++) {
        if (!gk_ix_tuple(q, d)) {
            s.plain_x.add(q->shape[d], q->x.stride[d]);
            s.plain_v.add(q->shape[d], q->v.stride[d]);
            continue;
        }
        s.tuple.add(q->shape[d], q->v.stride[d]);
        if (q->x.stride[d]) s.cell.add(q->shape[d], q->x.stride[d]);
    }
    for (int k = 0; k < q->nidx; k++) s.cell.add(q->extent[k], q->step[k]);
    int64_t c = 1, t = 1;
    int at = s.cell.n;
    for (int k = q->nidx; k-- > 0; c *= s.cell.len[--at]) s.cell_step[k] = c;
    for (int d = q->ndim; d-- > 0;) {
        if (!gk_ix_tuple(q, d)) continue;
        s.number[d] = t;
        t *= q->shape[d];
        if (!q->x.stride[d]) continue;
        s.cell_stride[d] = c;
        c *= s.cell.len[--at];
    }
    s.tuples = t;
    s.cells = c;
    s.run = q->n / t;
    return s;
}

/* Element i of the coordinates. */
GK_INL void gk_ix_coords(const ga__coords &q, int64_t i) {
    if (q.from) {
        int64_t at = q.from[i];
        if ((uint64_t)at >= (uint64_t)q.late.extent) {
            gk_late(q.late, at);
            return;
        }
        for (int d = q.ndim; d-- > 0;) {
            int64_t n = q.shape[d], up = 0;
            if (d) up = (uint64_t)(at | n) >> 32
                            ? at / n : (int64_t)((uint32_t)at / (uint32_t)n);
            if (q.out[d]) q.out[d][i] = at - up * n;
            at = up;
        }
        return;
    }
    /* seen from the last element an upper triangle is a lower one           */
    const int64_t n = q.shape[0], m = q.shape[1];
    const int64_t k = q.upper ? m - n - q.k : q.k;
    const int64_t e = q.upper ? q.n - 1 - i : i;
    int64_t row = 0, more = n - 1;
    while (row < more) {
        int64_t mid = row + (more - row) / 2;
        if (ga__below(mid + 1, k, m) > e) more = mid;
        else row = mid + 1;
    }
    int64_t col = e - ga__below(row, k, m);
    if (q.out[0]) q.out[0][i] = q.upper ? n - 1 - row : row;
    if (q.out[1]) q.out[1][i] = q.upper ? m - 1 - col : col;
}

/* Accumulators: integers modulo 2**64, uint64 with its top bit turned where the
   order counts; double below float64; float64 and complex compensated (two-sum),
   max and min in the first of the two words.                                */
struct gk_ix_real { double hi, lo; };
struct gk_ix_cplx { gk_ix_real re, im; };
GK_INL double gk_ix_value(gk_ix_real a) {   /* inf - inf stays out of inf  */
    return a.hi - a.hi == 0 ? a.hi + a.lo : a.hi;
}
GK_INL gk_ix_real gk_ix_plus(gk_ix_real a, gk_ix_real b) {
    double e = a.lo + b.lo;
    double s = gk_two_sum(a.hi, b.hi, &e);
    return gk_ix_real{s, e};
}
GK_INL double gk_ix_value(double a) { return a; }
GK_INL double gk_ix_plus(double a, double b) { return a + b; }
GK_INL void gk_ix_from(double *a, double v) { *a = v; }
GK_INL gk_ix_cplx gk_ix_plus(gk_ix_cplx a, gk_ix_cplx b) {
    return gk_ix_cplx{gk_ix_plus(a.re, b.re), gk_ix_plus(a.im, b.im)};
}
GK_INL int64_t gk_ix_plus(int64_t a, int64_t b) { return gk_add(a, b); }
template<class A> GK_INL A gk_ix_of(A a) { return a; }
GK_INL double gk_ix_of(gk_ix_real a) { return a.hi; }
GK_INL gk_c128 gk_ix_of(gk_ix_cplx a) { return gk_c128{a.re.hi, a.im.hi}; }
GK_INL void gk_ix_from(int64_t *a, int64_t v) { *a = v; }
GK_INL void gk_ix_from(gk_ix_real *a, double v) { *a = gk_ix_real{v, -0.0}; }
GK_INL void gk_ix_from(gk_ix_cplx *a, gk_c128 v) {
    *a = gk_ix_cplx{{v.re, -0.0}, {v.im, -0.0}};
}
/* max or min, a's place holding a: of reals the same in any order, to the bit:
   NaN wins and is one NaN, +0 is above -0.                                  */
template<class T> GK_INL T gk_ix_most(bool max, T a, T b) {
    if constexpr (gk_fp<T>) {
        if (a != a) return a;
        if (b != b) return gk_fpk<T>::nan;
        if (a == b) return (gk_m_copysign((T)1, a) < 0) == max ? b : a;
    }
    return max ? gk_maximum(a, b) : gk_minimum(a, b);
}
template<class A> GK_INL A gk_ix_join(int op, A a, A b) {
    if (op != GA__IX_MAX && op != GA__IX_MIN) return gk_ix_plus(a, b);
    A r;
    gk_ix_from(&r, gk_ix_most(op == GA__IX_MAX, gk_ix_of(a), gk_ix_of(b)));
    return r;
}
/* What joined to anything leaves it. */
template<class A> GK_INL A gk_ix_nothing(int op) {
    typedef decltype(gk_ix_of(A())) T;
    typedef typename gk_part_of<T>::type R;
    A r;
    T v;
    if constexpr (gk_is_complex<T>::value || gk_fp<T>) {
        R e = op == GA__IX_MAX ? -gk_fpk<R>::inf
              : op == GA__IX_MIN ? gk_fpk<R>::inf : (R)-0.0;
        if constexpr (gk_fp<T>) v = e;
        else v = T{e, e};
    } else {
        v = op == GA__IX_MAX ? gk_limits<T>::min
            : op == GA__IX_MIN ? gk_limits<T>::max : (T)0;
    }
    gk_ix_from(&r, v);
    return r;
}
/* Elements of dtype t as accumulators and back, rounded once; of the dtypes
   that A stands for, and integers as reals.                                 */
#define GK_IX_INTS(X) X(GA_INT8, int8_t) X(GA_INT16, int16_t) \
    X(GA_INT32, int32_t) X(GA_INT64, int64_t) X(GA_UINT8, uint8_t) \
    X(GA_UINT16, uint16_t) X(GA_UINT32, uint32_t) X(GA_UINT64, uint64_t) \
    X(GA_BOOL, bool)
#define GK_IX_FLOATS(X) X(GA_FLOAT16, gk_f16) X(GA_BFLOAT16, gk_bf16) \
    X(GA_FLOAT32, float) X(GA_FLOAT64, double)
#define GK_IX_COMPLEX(X) X(GA_COMPLEX64, gk_c64) X(GA_COMPLEX128, gk_c128)
#define GK_IX_LOAD(t, S) case t: \
    gk_ix_from(&r, gk_cast<decltype(gk_ix_of(A()))>(((const S *)p)[at])); break;
template<class A> GK_INL A gk_ix_load(int op, const void *p, ga_dtype t,
                                      int64_t at) {
    A r = A();
    if constexpr (std::is_same<A, int64_t>::value) {
        switch (t) { GK_IX_INTS(GK_IX_LOAD) default: break; }
        if (t == GA_UINT64 && op != GA__IX_ADD) r ^= gk_limits<int64_t>::min;
    } else if constexpr (!std::is_same<A, gk_ix_cplx>::value) {
        switch (t) { GK_IX_FLOATS(GK_IX_LOAD) default: break; }
    } else {
        switch (t) { GK_IX_COMPLEX(GK_IX_LOAD) default: break; }
    }
    return r;
}
#undef GK_IX_LOAD
GK_INL int64_t gk_ix_within(ga_dtype t, int64_t v) {
    int64_t lo = gk_limits<int64_t>::min, hi = gk_limits<int64_t>::max;
#define GK_IX_ENDS(t, S) case t: \
    if (sizeof(S) < 8) { \
        lo = (int64_t)gk_limits<S>::min; \
        hi = (int64_t)gk_limits<S>::max; \
    } \
    break;
    switch (t) { GK_IX_INTS(GK_IX_ENDS) default: break; }
#undef GK_IX_ENDS
    return v < lo ? lo : v > hi ? hi : v;
}
#define GK_IX_STORE(t, S) case t: ((S *)p)[at] = gk_cast<S>(v); break;
template<class A> GK_INL void gk_ix_store(int op, void *p, ga_dtype t,
                                          int64_t at, A a) {
    if constexpr (std::is_same<A, int64_t>::value) {
        int64_t v = a;
        if (t == GA_UINT64 && op != GA__IX_ADD) v ^= gk_limits<int64_t>::min;
        else if (op != GA__IX_ADD) v = gk_ix_within(t, v);  /* of nothing    */
        switch (t) { GK_IX_INTS(GK_IX_STORE) default: break; }
    } else if constexpr (!std::is_same<A, gk_ix_cplx>::value) {
        double v = gk_ix_value(a);
        switch (t) { GK_IX_FLOATS(GK_IX_STORE) default: break; }
    } else {
        gk_c128 v = {gk_ix_value(a.re), gk_ix_value(a.im)};
        switch (t) { GK_IX_COMPLEX(GK_IX_STORE) default: break; }
    }
}
#undef GK_IX_STORE
GK_INL double gk_ix_over(double a, int64_t n) { return a / (double)n; }
GK_INL gk_ix_real gk_ix_over(gk_ix_real a, int64_t n) {
    return gk_ix_real{gk_ix_value(a) / (double)n, 0};
}
GK_INL gk_ix_cplx gk_ix_over(gk_ix_cplx a, int64_t n) {
    return gk_ix_cplx{gk_ix_over(a.re, n), gk_ix_over(a.im, n)};
}
/* BODY with A, the accumulator of dtype t. */
#define GK_IX_WITH_ACC(t, BODY) do { \
    if ((t) >= GA_COMPLEX64) { typedef gk_ix_cplx A; BODY; } \
    else if ((t) == GA_FLOAT64) { typedef gk_ix_real A; BODY; } \
    else if ((t) >= GA_FLOAT16) { typedef double A; BODY; } \
    else { typedef int64_t A; BODY; } } while (0)
#endif

#if GK_PART_IS(index_cpu)
/* A line's places, elements of x, for `n` elements along one axis of v; behind
   each place a plain row of `run`.                                          */
enum { GK_IX_LINE = 512 };
struct gk_ix_line {
    const int64_t *at;
    int64_t v, n, v_step, run, x_run, v_run;
};
/* at[i] += the places of n indices, `stride` apart, times step. */
template<class I> static void gk_ix_places(const I *j, int64_t stride, int n,
                                           int64_t extent, int64_t step,
                                           int mode, int64_t *at) noexcept {
    if (mode == GA__IX_BACK || mode == GA__IX_STRICT) {     /* checked      */
        for (int i = 0; i < n; i++) {
            int64_t p = (int64_t)j[i * stride];
            at[i] += (p + (extent & p >> 63)) * step;
        }
        return;
    }
    for (int i = 0; i < n; i++)
        at[i] += gk_ix_place((int64_t)j[i * stride], extent, mode) * step;
}
/* f for the lines of q, in their order, from line `from` on up to `to`: the
   last tuple axis's stretches of at most GK_IX_LINE.                        */
struct gk_ix_lines {
    int axis, outer[GA_MAX_NDIM], nouter;
    int64_t stretches, count;
};
static gk_ix_lines gk_ix_lines_of(const ga__indexed *q) {
    gk_ix_lines l;
    l.axis = q->ndim - 1;
    if (l.axis && !gk_ix_tuple(q, l.axis)) l.axis--;
    l.nouter = 0;
    l.stretches = (q->shape[l.axis] + GK_IX_LINE - 1) / GK_IX_LINE;
    l.count = l.stretches;
    for (int d = 0; d < l.axis; d++) {
        l.outer[l.nouter++] = d;
        l.count *= q->shape[d];
    }
    return l;
}
template<class F> static void gk_ix_walk(const ga__indexed *q,
                                         const gk_ix_lines &l, int64_t from,
                                         int64_t to, F f) noexcept {
    const int a = l.axis, last = q->ndim - 1;
    int64_t at[GK_IX_LINE], c[GA_MAX_NDIM], rest = from / l.stretches;
    int64_t stretch = from % l.stretches;
    for (int i = l.nouter; i-- > 0; rest /= q->shape[l.outer[i]])
        c[i] = rest % q->shape[l.outer[i]];
    gk_ix_line line = {at, 0, 0, q->v.stride[a], 1, 0, 0};
    if (a != last) {
        line.run = q->shape[last];
        line.x_run = q->x.stride[last];
        line.v_run = q->v.stride[last];
    }
    for (int64_t i = from; i < to; i++) {
        const int64_t first = stretch * GK_IX_LINE;
        const int64_t left = q->shape[a] - first;
        const int n = left < GK_IX_LINE ? (int)left : GK_IX_LINE;
        int64_t x = q->base + first * q->x.stride[a];
        line.v = first * q->v.stride[a];
        line.n = n;
        for (int k = 0; k < l.nouter; k++) {
            x += c[k] * q->x.stride[l.outer[k]];
            line.v += c[k] * q->v.stride[l.outer[k]];
        }
        for (int k = 0; k < n; k++) at[k] = x + k * q->x.stride[a];
        for (int k = 0; k < q->nidx; k++) {
            const ga__operand_view *j = &q->index[k];
            int64_t o = first * j->stride[a];
            for (int d = 0; d < l.nouter; d++)
                o += c[d] * j->stride[l.outer[d]];
            if (j->dtype == GA_INT32)
                gk_ix_places((const int32_t *)j->data + o, j->stride[a], n,
                             q->extent[k], q->step[k], q->mode, at);
            else
                gk_ix_places((const int64_t *)j->data + o, j->stride[a], n,
                             q->extent[k], q->step[k], q->mode, at);
        }
        f(line);
        if (++stretch < l.stretches) continue;
        stretch = 0;
        for (int k = l.nouter; k-- > 0; c[k] = 0)
            if (++c[k] < q->shape[l.outer[k]]) break;
    }
}

/* Whether all indices lead somewhere; the first that does not is told. Nothing
   has been written then.                                                    */
template<class I> static int64_t gk_ix_outside(const I *j, int64_t stride,
                                               int64_t n, int64_t low,
                                               int64_t extent) noexcept {
    typedef typename std::make_unsigned<I>::type U;
    const int64_t most = (int64_t)gk_limits<I>::max;
    U bad = 0;                      /* its top bit; a compare would not      */
    if (extent > most) {            /* vectorise                             */
        for (int64_t i = 0; i < n && !low; i++) bad |= (U)j[i * stride];
    } else if (stride == 1) {
        for (int64_t i = 0; i < n; i++)
            bad |= ((U)j[i] - (U)low) | ((U)extent - 1 - (U)j[i]);
    } else {
        for (int64_t i = 0; i < n; i++) bad |= ((U)j[i * stride] - (U)low)
                                               | ((U)extent - 1 - (U)j[i * stride]);
    }
    for (int64_t i = 0; i < n && (I)bad < 0; i++)
        if (j[i * stride] < low || (int64_t)j[i * stride] >= extent) return i;
    return -1;
}
static int64_t gk_ix_outside_of(const ga__operand_view *v, int64_t at,
                                int64_t stride, int64_t n, int64_t extent,
                                bool back) noexcept {
    const int64_t low = back ? -extent : 0;
    return v->dtype == GA_INT32
               ? gk_ix_outside((const int32_t *)v->data + at, stride, n, low,
                               extent)
               : gk_ix_outside((const int64_t *)v->data + at, stride, n, low,
                               extent);
}
/* Index array v over the shape, its own elements once; the others have stride
   0. Long ones in shares.                                                   */
static bool gk_ix_inside(const ga__operand_view *v, int ndim,
                         const int64_t *shape, int64_t extent, int mode,
                         int64_t *bad) noexcept {
    if (mode != GA__IX_BACK && mode != GA__IX_STRICT) return true;
    gk_ix_digits own = {0, {0}, {0}};
    for (int d = 0; d < ndim; d++)
        if (v->stride[d]) own.add(shape[d], v->stride[d]);
    int64_t row = 1, step = 0, share = 65536;
    if (own.n) {
        row = own.len[--own.n];
        step = own.step[own.n];
    }
    const int64_t pieces = (row + share - 1) / share;
    const int64_t all = own.count() * pieces;
    int64_t first = INT64_MAX;      /* piece, the first with a bad one      */
#ifdef _OPENMP
#pragma omp parallel for reduction(min : first) if (all * row > 131072)
#endif
    for (int64_t i = 0; i < all; i++) {
        int64_t at = i % pieces * share, n = row - at < share ? row - at : share;
        if (i >= first) continue;
        at = gk_ix_spread(own, i / pieces) + at * step;
        if (gk_ix_outside_of(v, at, step, n, extent, mode == GA__IX_BACK) >= 0)
            first = i;
    }
    if (first == INT64_MAX) return true;
    int64_t at = gk_ix_spread(own, first / pieces) + first % pieces * share * step;
    int64_t n = row - first % pieces * share;
    at += step * gk_ix_outside_of(v, at, step, n < share ? n : share, extent,
                                  mode == GA__IX_BACK);
    *bad = gk_ix_read(*v, at);
    return false;
}
static bool gk_ix_checked(const ga__indexed *q) noexcept {
    for (int k = 0; k < q->nidx; k++) {
        int64_t bad;
        if (gk_ix_inside(&q->index[k], q->ndim, q->shape, q->extent[k], q->mode,
                         &bad))
            continue;
        gk_ix_late(*q, k, bad);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------- get */
template<class T> static void gk_ix_get(const gk_ix_line &l, T *v,
                                        const T *x) noexcept {
    v += l.v;
    if (l.run == 1) {
        for (int64_t i = 0; i < l.n; i++) v[i * l.v_step] = x[l.at[i]];
    } else if (l.x_run == 1 && l.v_run == 1 && l.run * sizeof(T) > 64) {
        for (int64_t i = 0; i < l.n; i++)
            memcpy(v + i * l.v_step, x + l.at[i], (size_t)l.run * sizeof(T));
    } else {
        for (int64_t i = 0; i < l.n; i++)
            for (int64_t j = 0; j < l.run; j++)
                v[i * l.v_step + j * l.v_run] = x[l.at[i] + j * l.x_run];
    }
}
/* Elements by one index array, both without gaps: no list of places between. */
template<class T, class J>
static void gk_ix_pick(T *v, const T *x, const J *j, int64_t n, int64_t extent,
                       int64_t step) noexcept {
    for (int64_t i = 0; i < n; i++) {
        const int64_t p = (int64_t)j[i];
        v[i] = x[(p + (extent & p >> 63)) * step];
    }
}
struct gk_ix_pair { uint64_t a, b; };
#define GK_IX_MOVED(t, BODY) \
    switch (gk_size[t]) { \
    case 1: { typedef uint8_t T; BODY; break; } \
    case 2: { typedef uint16_t T; BODY; break; } \
    case 4: { typedef uint32_t T; BODY; break; } \
    case 8: { typedef uint64_t T; BODY; break; } \
    default: { typedef gk_ix_pair T; BODY; break; } }
static void gk_ix_get_line(const ga__indexed *q, const gk_ix_line &i) noexcept {
    if (q->op == GA__IX_CELL) {
        int64_t *v = (int64_t *)q->v.data + i.v;
        for (int64_t k = 0; k < i.n; k++) v[k * i.v_step] = i.at[k];
        return;
    }
    GK_IX_MOVED(q->v.dtype, gk_ix_get(i, (T *)q->v.data, (const T *)q->x.data))
}
/* Part p of `parts` of 0 .. n begins here. */
static inline int64_t gk_ix_part(int64_t n, int64_t parts, int64_t p) {
    return n / parts * p + (p < n % parts ? p : n % parts);
}
extern "C" void gk_cpu_index_get(const ga__indexed *given) {
    if (!gk_ix_checked(given)) return;
    ga__indexed wide = *given;
    const ga__indexed *q = &wide;
    if (q->op == GA__IX_GET) gk_ix_widen(&wide);
    const gk_ix_lines l = gk_ix_lines_of(q);
    const ga__operand_view *j = &q->index[0];
    const bool pick = q->op == GA__IX_GET && q->nidx == 1 && q->ndim == 1
                      && q->v.stride[0] == 1 && j->stride[0] == 1
                      && !q->x.stride[0]
                      && (q->mode == GA__IX_BACK || q->mode == GA__IX_STRICT);
    const int64_t whole = pick ? q->n : l.count;
    int64_t parts = q->n > 32768 ? 4 * gk_cpu_threads() : 1;
    if (parts > whole) parts = whole;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) if (parts > 1)
#endif
    for (int64_t p = 0; p < parts; p++) {
        const int64_t from = gk_ix_part(whole, parts, p);
        const int64_t to = gk_ix_part(whole, parts, p + 1);
        if (!pick)
            gk_ix_walk(q, l, from, to, [=](const gk_ix_line &i) noexcept {
                gk_ix_get_line(q, i);
            });
        else if (j->dtype == GA_INT32)
            GK_IX_MOVED(q->v.dtype, gk_ix_pick(
                (T *)q->v.data + from, (const T *)q->x.data + q->base,
                (const int32_t *)j->data + from, to - from, q->extent[0],
                q->step[0]))
        else
            GK_IX_MOVED(q->v.dtype, gk_ix_pick(
                (T *)q->v.data + from, (const T *)q->x.data + q->base,
                (const int64_t *)j->data + from, to - from, q->extent[0],
                q->step[0]))
    }
}

/* --------------------------------------------------------------- scatter */
/* Threads walk all lines and each does those places that are its own. */
struct gk_ix_mine {
    uint64_t mask, me;
    bool operator()(int64_t at) const {
        return ((uint64_t)at >> 6 & mask) == me;
    }
};
template<class T, class J> static void gk_ix_each(const gk_ix_line &l,
                                                  gk_ix_mine mine, T *x, J j) {
    if (l.run == 1 && !mine.mask) {
        for (int64_t i = 0; i < l.n; i++) j(x[l.at[i]], l.v + i * l.v_step);
        return;
    }
    for (int64_t i = 0; i < l.n; i++) {
        if (!mine(l.at[i])) continue;
        T *to = x + l.at[i];
        const int64_t v = l.v + i * l.v_step;
        for (int64_t k = 0; k < l.run; k++) j(to[k * l.x_run], v + k * l.v_run);
    }
}
template<class T> static void gk_ix_join_line(const gk_ix_line &l,
                                              gk_ix_mine mine, int op, T *x,
                                              const T *v) noexcept {
    typedef typename std::conditional<gk_half<T>, float, T>::type C;
    if (op == GA__IX_ADD)
        gk_ix_each(l, mine, x, [=](T &to, int64_t i) {
            to = gk_cast<T>(gk_add(gk_cast<C>(to), gk_cast<C>(v[i])));
        });
    else
        gk_ix_each(l, mine, x, [=](T &to, int64_t i) {
            to = gk_cast<T>(gk_ix_most(op == GA__IX_MAX, gk_cast<C>(to),
                                       gk_cast<C>(v[i])));
        });
}
static void gk_ix_put_line(const ga__indexed *q, const gk_ix_line &l,
                           gk_ix_mine mine) noexcept {
    if (q->op == GA__IX_PUT) {
        GK_IX_MOVED(q->x.dtype, {
            const T *v = (const T *)q->v.data;
            gk_ix_each(l, mine, (T *)q->x.data,
                       [=](T &to, int64_t i) { to = v[i]; });
        })
        return;
    }
#define GA__X(t, S) case t: \
    gk_ix_join_line(l, mine, q->op, (S *)q->x.data, (const S *)q->v.data); break;
    switch (q->x.dtype) { GK_TYPES(GA__X) default: break; }
#undef GA__X
}
/* n elements of v, `step` apart, as accumulators. */
template<class A> static void gk_ix_read_line(const ga__indexed *q, int64_t at,
                                              int64_t step, int n,
                                              A *to) noexcept {
#define GA__X(t, S) case t: \
    for (int i = 0; i < n; i++) \
        to[i] = gk_ix_load<A>(q->op, q->v.data, t, at + i * step); \
    break;
    switch (q->v.dtype) { GK_TYPES(GA__X) default: break; }
#undef GA__X
}
/* x's elements have accumulators at the same places in work, and with a mean
   the number of each cell's rows behind them; then x is what they hold.     */
template<class A> static void gk_ix_wide_line(const ga__indexed *q,
                                              const gk_ix_line &l,
                                              gk_ix_mine mine, A *acc) noexcept {
    A v[GK_IX_LINE];
    if (l.run == 1) {
        gk_ix_read_line(q, l.v, l.v_step, (int)l.n, v);
        for (int64_t i = 0; i < l.n; i++)
            if (mine(l.at[i]))
                acc[l.at[i]] = gk_ix_join(q->op, acc[l.at[i]], v[i]);
        return;
    }
    for (int64_t i = 0; i < l.n; i++) {
        if (!mine(l.at[i])) continue;
        for (int64_t k = 0; k < l.run; k += GK_IX_LINE) {
            const int n = l.run - k < GK_IX_LINE ? (int)(l.run - k) : GK_IX_LINE;
            A *to = acc + l.at[i] + k * l.x_run;
            gk_ix_read_line(q, l.v + i * l.v_step + k * l.v_run, l.v_run, n, v);
            for (int e = 0; e < n; e++)
                to[e * l.x_run] = gk_ix_join(q->op, to[e * l.x_run], v[e]);
        }
    }
}
template<class A> static void gk_ix_wide(const ga__indexed *q,
                                         const gk_ix_lines &l, int64_t places,
                                         int threads) noexcept {
    A *acc = (A *)q->use.work;
    int64_t *rows = (int64_t *)(acc + places), run = places / q->extent[0];
    const int op = q->op;
    const bool mean = op == GA__IX_MEAN;
    const A none = op == GA__IX_MAX || op == GA__IX_MIN ? gk_ix_nothing<A>(op)
                                                        : A();
#ifdef _OPENMP
#pragma omp parallel for if (places > 65536)
#endif
    for (int64_t i = 0; i < places; i++) acc[i] = none;
    if (mean) memset(rows, 0, (size_t)q->extent[0] * sizeof *rows);
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) if (threads > 1)
#endif
    for (int t = 0; t < threads; t++) {
        const gk_ix_mine mine = {(uint64_t)threads - 1, (uint64_t)t};
        gk_ix_walk(q, l, 0, l.count, [=](const gk_ix_line &i) noexcept {
            gk_ix_wide_line(q, i, mine, acc);
            for (int64_t k = 0; mean && k < i.n; k++)   /* a row's first   */
                if (mine(i.at[k]) && i.at[k] % run == 0) rows[i.at[k] / run]++;
        });
    }
#ifdef _OPENMP
#pragma omp parallel for if (places > 65536)
#endif
    for (int64_t i = 0; i < places; i++) {
        A a = acc[i];
        if constexpr (!std::is_integral<A>::value)
            if (mean) a = gk_ix_over(a, rows[i / run]);
        gk_ix_store(op, q->x.data, q->x.dtype, i, a);
    }
}
static int64_t gk_ix_places_of(const ga__indexed *q) {  /* of a wide one    */
    int64_t n = q->extent[0];
    for (int d = 0; d < q->ndim; d++)
        if (!gk_ix_tuple(q, d)) n *= q->shape[d];
    return n;
}
extern "C" size_t gk_cpu_index_put_work(const ga__indexed *q) {
    if (!q->wide) return 0;
    size_t bytes = 0;
    GK_IX_WITH_ACC(q->v.dtype, bytes = sizeof(A));
    return bytes * (size_t)gk_ix_places_of(q)
           + (q->op == GA__IX_MEAN ? (size_t)q->extent[0] * sizeof(int64_t) : 0);
}
extern "C" void gk_cpu_index_put(const ga__indexed *q) {
    if (!gk_ix_checked(q)) return;
    const gk_ix_lines l = gk_ix_lines_of(q);
    int threads = 1, most = q->n > 32768 ? gk_cpu_threads() : 1;
    while (2 * threads <= most && threads < 16) threads *= 2;
    if (q->wide) {
        const int64_t places = gk_ix_places_of(q);
        GK_IX_WITH_ACC(q->v.dtype, gk_ix_wide<A>(q, l, places, threads));
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) if (threads > 1)
#endif
    for (int t = 0; t < threads; t++) {
        const gk_ix_mine mine = {(uint64_t)threads - 1, (uint64_t)t};
        gk_ix_walk(q, l, 0, l.count, [=](const gk_ix_line &i) noexcept {
            gk_ix_put_line(q, i, mine);
        });
    }
}

/* ------------------------------------------------------ choose and places */
extern "C" void gk_cpu_choose(const ga__choice *q) {
    const int last = q->ndim - 1;
    const int64_t row = q->shape[last], rows = q->n / row;
    int64_t bad;
    if (!gk_ix_inside(&q->index, q->ndim, q->shape, q->nfrom, q->mode, &bad)) {
        gk_late(q->late, bad);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for if (q->n > 32768)
#endif
    for (int64_t r = 0; r < rows; r++) {
        int64_t c[GA_MAX_NDIM] = {0}, rest = r, o = 0, j = 0;
        const char *from[GA__CHOICES];
        const int64_t size = (int64_t)gk_size[q->out.dtype];
        for (int d = last; d-- > 0; rest /= q->shape[d]) {
            c[d] = rest % q->shape[d];
            o += c[d] * q->out.stride[d];
            j += c[d] * q->index.stride[d];
        }
        for (int k = 0; k < q->nfrom; k++) {
            from[k] = (const char *)q->from[k].data;
            for (int d = 0; d < last; d++)
                from[k] += c[d] * q->from[k].stride[d] * size;
        }
        for (int64_t i = 0; i < row; i++) {
            int64_t k = gk_ix_place(gk_ix_read(q->index, j), q->nfrom, q->mode);
            GK_IX_MOVED(q->out.dtype,
                         ((T *)q->out.data)[o] = ((const T *)(const void *)
                             from[k])[i * q->from[k].stride[last]])
            o += q->out.stride[last];
            j += q->index.stride[last];
        }
    }
}
extern "C" void gk_cpu_coords(const ga__coords *q) {
    if (q->from) {
        ga__operand_view v;
        memset(&v, 0, sizeof v);
        v.data = (void *)(uintptr_t)q->from;
        v.stride[0] = 1;
        v.dtype = GA_INT64;
        int64_t bad;
        if (!gk_ix_inside(&v, 1, &q->n, q->late.extent, GA__IX_STRICT, &bad)) {
            gk_late(q->late, bad);
            return;
        }
    }
#ifdef _OPENMP
#pragma omp parallel for if (q->n > 32768)
#endif
    for (int64_t i = 0; i < q->n; i++) gk_ix_coords(*q, i);
}
#endif

/* ============================================================== >>index-cuda
   The same on GPUs. Launches read one struct; divisors are its divisions by the
   lengths, where fewer than 2**31 elements allow 32 bits.                   */
#if GK_PART_IS(index_cuda) && !defined(GPUARR_NO_CUDA)
struct gk_ix_args {
    ga__indexed q;
    bool small;                     /* fewer than 2**31 elements: by        */
    gk_div by[GA_MAX_NDIM];
    void *table;                    /* put: last writers; NULL: all write   */
    uint64_t slots;                 /* a power of 2, hashed; 0: one a place */
    bool words;                     /* one a place: of 64 bits              */
    int64_t number[GA_MAX_NDIM];    /* of gk_ix_split                       */
    int64_t cell_stride[GA_MAX_NDIM], cell_step[GA_MAX_NDIM];
    uint32_t *keys, *values;        /* keys: see gk_ix_keys                 */
    int64_t first, count;
    uint32_t none;
    bool carry;
};
struct gk_ix_found { int64_t x, v, cell, number; bool ok; };
/* Element i. */
template<bool PUT>
__device__ static __forceinline__ gk_ix_found gk_ix_find(const gk_ix_args &a,
                                                         int64_t i) {
    const ga__indexed &q = a.q;
    gk_ix_found f = {q.base, 0, 0, 0, true};
    int64_t c[GA_MAX_NDIM];
#pragma unroll
    for (int d = GA_MAX_NDIM - 1; d >= 0; d--) {
        c[d] = 0;
        if (d >= q.ndim) continue;
        int64_t up = 0;
        if (d > 0) up = a.small ? (int64_t)gk_div_by((uint32_t)i, a.by[d])
                                : i / q.shape[d];
        c[d] = i - up * q.shape[d];
        i = up;
        f.x += c[d] * q.x.stride[d];
        f.v += c[d] * q.v.stride[d];
        if (PUT) {
            f.cell += c[d] * a.cell_stride[d];
            f.number += c[d] * a.number[d];
        }
    }
    for (int k = 0; k < q.nidx; k++) {
        int64_t at = 0;
#pragma unroll
        for (int d = 0; d < GA_MAX_NDIM; d++)
            if (d < q.ndim) at += c[d] * q.index[k].stride[d];
        const int64_t j = gk_ix_read(q.index[k], at);
        int64_t p = gk_ix_place(j, q.extent[k], q.mode);
        if (p < 0) {
            gk_ix_late(q, k, j);
            f.ok = false;
            p = 0;
        }
        f.x += p * q.step[k];
        if (PUT) f.cell += p * a.cell_step[k];
    }
    return f;
}

/* ---------------------------------------------------- the last of writers */
GK_INL uint64_t gk_ix_hash(uint64_t v) {
    v *= 0x9e3779b97f4a7c15ull;
    return v ^ v >> 29;
}
__device__ static void gk_ix_claim(const gk_ix_args &a, int64_t cell,
                                   int64_t number) {
    typedef unsigned long long W;
    const W n = (W)number + 1;
    if (!a.slots && !a.words) {
        atomicMax((unsigned *)a.table + cell, (unsigned)n);
    } else if (!a.slots) {
        atomicMax((W *)a.table + cell, n);
    } else {
        W *slot = (W *)a.table, key = (W)cell + 1;
        for (uint64_t h = gk_ix_hash(key);; h++) {
            W *s = slot + 2 * (h & (a.slots - 1));
            W was = atomicCAS(s, (W)0, key);
            if (was && was != key) continue;
            atomicMax(s + 1, n);
            return;
        }
    }
}
__device__ static bool gk_ix_won(const gk_ix_args &a, int64_t cell,
                                 int64_t number) {
    typedef unsigned long long W;
    const W n = (W)number + 1;
    if (!a.table) return true;
    if (!a.slots && !a.words)
        return ((const unsigned *)a.table)[cell] == (unsigned)n;
    if (!a.slots) return ((const W *)a.table)[cell] == n;
    const W *slot = (const W *)a.table, key = (W)cell + 1;
    for (uint64_t h = gk_ix_hash(key);; h++) {
        const W *s = slot + 2 * (h & (a.slots - 1));
        if (*s == key) return s[1] == n;
    }
}
__global__ void __launch_bounds__(256)
gk_ix_mark(const __grid_constant__ gk_ix_args a) {
    int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= a.q.n) return;
    gk_ix_found f = gk_ix_find<false>(a, i);
    if (f.ok) gk_ix_claim(a, f.x, i);
}

/* ---------------------------------------------------------- get and put */
struct alignas(16) gk_ix_16 { uint64_t a, b; };
#define GK_IX_WIDTHS(t, BODY) \
    switch (gk_ix_size(t)) { \
    case 1: { typedef uint8_t T; BODY; break; } \
    case 2: { typedef uint16_t T; BODY; break; } \
    case 4: { typedef uint32_t T; BODY; break; } \
    case 8: { typedef uint64_t T; BODY; break; } \
    case 9: { typedef gk_c128 T; BODY; break; } \
    default: { typedef gk_ix_16 T; BODY; break; } }
/* As dtypes stand in ga__indexed here: by their width. */
GK_INL int gk_ix_size(ga_dtype t) {
    return t == GA_UINT8 ? 1 : t == GA_UINT16 ? 2 : t == GA_UINT32 ? 4
           : t == GA_UINT64 ? 8 : t == GA_FLOAT64 ? 9 : 16;
}
enum { GK_IX_EACH = 4 };
struct alignas(16) gk_ix_quad { float f[4]; };  /* of a row, added at once  */
template<bool PUT> __global__ void __launch_bounds__(256)
gk_ix_move(const __grid_constant__ gk_ix_args a) {
    gk_ix_found f[GK_IX_EACH];
    const int64_t first = (int64_t)blockIdx.x * (256 * GK_IX_EACH) + threadIdx.x;
#pragma unroll
    for (int u = 0; u < GK_IX_EACH; u++) {
        const int64_t i = first + u * 256;
        f[u].ok = false;
        if (i >= a.q.n) continue;
        f[u] = gk_ix_find<PUT>(a, i);
        if (PUT && f[u].ok) f[u].ok = gk_ix_won(a, f[u].cell, f[u].number);
        if (!PUT) f[u].ok = true;
    }
    if (!PUT && a.q.op == GA__IX_CELL) {
#pragma unroll
        for (int u = 0; u < GK_IX_EACH; u++)
            if (f[u].ok) ((int64_t *)a.q.v.data)[f[u].v] = f[u].x;
        return;
    }
    GK_IX_WIDTHS(a.q.v.dtype, {
        T *const v = (T *)a.q.v.data;
        T *const x = (T *)a.q.x.data;
        T t[GK_IX_EACH];
        for (int u = 0; u < GK_IX_EACH; u++)
            if (f[u].ok) t[u] = PUT ? v[f[u].v] : x[f[u].x];
        for (int u = 0; u < GK_IX_EACH; u++)
            if (f[u].ok) (PUT ? x[f[u].x] : v[f[u].v]) = t[u];
    })
}
/* Three axes and one index array: blocks of 256 threads are `lanes` along the
   last axis and 256 / lanes rows, a thread has four elements, along the axis or
   in four rows. No division but of a row by the middle axis.                */
struct gk_ix_slab {
    int lanes, row_step, col_step;  /* of a thread's four                   */
    uint32_t rows, cols, col_tiles;
    gk_div by;                      /* the middle axis's length             */
};
template<class T>
__device__ static __forceinline__ void gk_ix_atom(T *to, T v, int op);
template<bool ATOMIC> __global__ void __launch_bounds__(256)
gk_ix_slabs(const __grid_constant__ ga__indexed q,
            const __grid_constant__ gk_ix_slab g) {
    const uint32_t tile = blockIdx.x / g.col_tiles;
    const uint32_t across = blockIdx.x - tile * g.col_tiles;
    const uint32_t tall = 256 / (uint32_t)g.lanes;
    const uint32_t r0 = tile * (g.row_step ? tall * GK_IX_EACH : tall)
                        + threadIdx.x / (uint32_t)g.lanes;
    const uint32_t c0 = across * (uint32_t)(g.col_step ? g.lanes * GK_IX_EACH
                                                       : g.lanes)
                        + threadIdx.x % (uint32_t)g.lanes;
    int64_t x[GK_IX_EACH], v[GK_IX_EACH], j[GK_IX_EACH];
    bool in[GK_IX_EACH];
#pragma unroll
    for (int u = 0; u < GK_IX_EACH; u++) {
        const uint32_t r = r0 + (uint32_t)(u * g.row_step);
        const int64_t c = c0 + (uint32_t)(u * g.col_step);
        const int64_t o = (in[u] = r < g.rows && c < g.cols)
                              ? gk_div_by(r, g.by) : 0;
        const int64_t m = r - o * q.shape[1];
        x[u] = q.base + o * q.x.stride[0] + m * q.x.stride[1]
               + c * q.x.stride[2];
        v[u] = o * q.v.stride[0] + m * q.v.stride[1] + c * q.v.stride[2];
        const ga__operand_view &i = q.index[0];
        j[u] = in[u] ? gk_ix_read(i, o * i.stride[0] + m * i.stride[1]
                                  + c * i.stride[2]) : 0;
    }
#pragma unroll
    for (int u = 0; u < GK_IX_EACH; u++) {
        int64_t p = gk_ix_place(j[u], q.extent[0], q.mode);
        if (in[u] && p < 0) {
            gk_ix_late(q, 0, j[u]);
            in[u] = !ATOMIC;
            p = 0;
        }
        x[u] += p * q.step[0];
    }
    if constexpr (ATOMIC) {
#define GA__X(t, S) case t: { \
        S s[GK_IX_EACH]; \
        for (int u = 0; u < GK_IX_EACH; u++) \
            if (in[u]) s[u] = ((const S *)q.v.data)[v[u]]; \
        for (int u = 0; u < GK_IX_EACH; u++) \
            if (in[u]) gk_ix_atom((S *)q.x.data + x[u], s[u], q.op); \
        break; }
        switch (q.x.dtype) {
            GK_TYPES(GA__X)
            GA__X(GA_NUM_DTYPES, gk_ix_quad)
        }
#undef GA__X
    } else {
        GK_IX_WIDTHS(q.v.dtype, {
            T t[GK_IX_EACH];
            for (int u = 0; u < GK_IX_EACH; u++)
                if (in[u]) t[u] = ((const T *)q.x.data)[x[u]];
            for (int u = 0; u < GK_IX_EACH; u++)
                if (in[u]) ((T *)q.v.data)[v[u]] = t[u];
        })
    }
}
/* One index array without gaps for a result without gaps, or with PUT for one
   value: J of them and the results as vectors, GK_IX_FLAT a thread.         */
enum { GK_IX_FLAT = 4 };
template<class J, bool PUT> __global__ void __launch_bounds__(256)
gk_ix_flat(const __grid_constant__ gk_ix_args a) {
    struct alignas(16) indices { J j[GK_IX_FLAT]; };
    const int64_t at = ((int64_t)blockIdx.x * 256 + threadIdx.x) * GK_IX_FLAT;
    if (at >= a.q.n) return;
    const int left = a.q.n - at < GK_IX_FLAT ? (int)(a.q.n - at) : GK_IX_FLAT;
    const J *in = (const J *)a.q.index[0].data + at;
    indices j;
    if (left == GK_IX_FLAT) {
#pragma unroll
        for (int w = 0; w < (int)sizeof j / 16; w++)
            ((int4 *)&j)[w] = __ldcs((const int4 *)in + w);
    } else {
        for (int u = 0; u < GK_IX_FLAT; u++) j.j[u] = in[u < left ? u : 0];
    }
    int64_t p[GK_IX_FLAT];
    unsigned bad = 0;
#pragma unroll
    for (int u = 0; u < GK_IX_FLAT; u++) {
        p[u] = gk_ix_place((int64_t)j.j[u], a.q.extent[0], a.q.mode);
        if (p[u] < 0) {
            gk_ix_late(a.q, 0, (int64_t)j.j[u]);
            p[u] = 0;
            if (PUT) bad |= 1u << u;
        }
        p[u] = p[u] * a.q.step[0] + a.q.base;
    }
    if (PUT) {                      /* some for the last time over          */
        GK_IX_WIDTHS(a.q.v.dtype, {
            const T v = *(const T *)a.q.v.data;
            for (int u = 0; u < GK_IX_FLAT; u++)
                if (!(bad >> u & 1)) ((T *)a.q.x.data)[p[u]] = v;
        })
        return;
    }
    GK_IX_WIDTHS(a.q.v.dtype, {
        struct alignas(sizeof(T) < 4 ? sizeof(T) * 4 : 16) pack {
            T t[GK_IX_FLAT];
        } r;
        const T *x = (const T *)a.q.x.data;
        T *v = (T *)a.q.v.data + at;
        for (int u = 0; u < GK_IX_FLAT; u++) r.t[u] = x[p[u]];
        if (left == GK_IX_FLAT) {
            *(pack *)v = r;
        } else {
            for (int u = 0; u < GK_IX_FLAT; u++) if (u < left) v[u] = r.t[u];
        }
    })
}

/* ------------------------------------------------------- atomic scatters */
template<class T> __device__ static T gk_ix_joined(int op, T a, T b) {
    typedef typename std::conditional<gk_half<T>, float, T>::type C;
    C x = gk_cast<C>(a), y = gk_cast<C>(b);
    return gk_cast<T>(op == GA__IX_ADD ? gk_add(x, y)
                                       : gk_ix_most(op == GA__IX_MAX, x, y));
}
/* By comparing and swapping the word that the element lies in. */
template<class T>
__device__ static __noinline__ void gk_ix_swap(T *to, T v, int op) {
    typedef typename std::conditional<sizeof(T) == 8, unsigned long long,
                                      unsigned>::type W;
    const unsigned in = (unsigned)((uintptr_t)to % sizeof(W)) * 8;
    W *word = (W *)((uintptr_t)to - in / 8), was = *(volatile W *)word;
    typedef typename std::conditional<sizeof(T) == 1, uint8_t,
            typename std::conditional<sizeof(T) == 2, uint16_t,
                                      W>::type>::type B;
    for (;;) {
        B old = (B)(was >> in);
        B now = gk_bits<B>(gk_ix_joined(op, gk_bits<T>(old), v));
        if (now == old) return;
        W mask = (W)(B)~(B)0 << in;
        W seen = atomicCAS(word, was, (was & ~mask) | (W)now << in);
        if (seen == was) return;
        was = seen;
    }
}
template<class T>
__device__ static __forceinline__ void gk_ix_atom(T *to, T v, int op) {
    if constexpr (std::is_same<T, gk_ix_quad>::value) {
#if GK_DEVICE && __CUDA_ARCH__ >= 900
        asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                     :: "l"(to), "f"(v.f[0]), "f"(v.f[1]), "f"(v.f[2]),
                        "f"(v.f[3]) : "memory");
#else
        for (int k = 0; k < 4; k++) atomicAdd(&to->f[k], v.f[k]);
#endif
    } else if constexpr (gk_is_complex<T>::value) {
        atomicAdd(&to->re, v.re);
        atomicAdd(&to->im, v.im);
    } else {
        if (op == GA__IX_ADD) {
            if constexpr (gk_fp<T>) {
                atomicAdd(to, v);
                return;
            } else if constexpr (gk_int<T> && sizeof(T) == 4) {
                atomicAdd((unsigned *)to, (unsigned)v);
                return;
            } else if constexpr (gk_int<T> && sizeof(T) == 8) {
                atomicAdd((unsigned long long *)to, (unsigned long long)v);
                return;
            } else if constexpr (std::is_same<T, gk_f16>::value) {
                atomicAdd((__half *)(void *)to, __ushort_as_half(v.bits));
                return;
            }
        }
        gk_ix_swap(to, v, op);
    }
}
__global__ void __launch_bounds__(256)
gk_ix_atomic(const __grid_constant__ gk_ix_args a) {
    const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= a.q.n) return;
    const gk_ix_found f = gk_ix_find<false>(a, i);
    if (!f.ok) return;
#define GA__X(t, S) case t: \
    gk_ix_atom((S *)a.q.x.data + f.x, ((const S *)a.q.v.data)[f.v], a.q.op); \
    break;
    switch (a.q.x.dtype) { GK_TYPES(GA__X) default: break; }
#undef GA__X
}

/* -------------------------------------------------------------- segments */
/* Tuples first .. first+count-1: their places' numbers as keys, `none` where an
   index is wrong, and their own numbers as values or, with `carry`, the bits
   that v holds for them.                                                    */
__global__ void __launch_bounds__(256)
gk_ix_keys(const __grid_constant__ gk_ix_args a) {
    const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= a.count) return;
    const gk_ix_found f = gk_ix_find<false>(a, a.first + i);
    a.keys[i] = f.ok ? (uint32_t)f.x : a.none;
    if (!a.values) return;
    uint32_t bits = (uint32_t)i;
    if (a.carry) {
        const void *v = a.q.v.data;
        const int w = gk_ix_size(a.q.v.dtype);
        bits = w == 1 ? ((const uint8_t *)v)[f.v]
               : w == 2 ? ((const uint16_t *)v)[f.v]
               : ((const uint32_t *)v)[f.v];
    }
    a.values[i] = bits;
}
struct gk_ix_tiles {
    int op, tile;                   /* values a tile                        */
    uint32_t cells;
    int64_t rows, run, tiles;
    const uint32_t *keys;
    const uint32_t *order;          /* of v's rows; NULL: as they are       */
    int64_t first;                  /* v's row 0                            */
    const void *v;                  /* of dtype vt; NULL: acc's             */
    ga_dtype vt, xt;
    void *x;                        /* element 0 of all places              */
    gk_ix_digits row, col_v, cell, col_x;
    const void *acc;
    uint32_t *next_keys;
    void *next;
    ga__operand_view ids;           /* data NULL: keys; else they ascend    */
    ga__late late;
};
template<class A> __device__ static __forceinline__ A
gk_ix_value_of(const gk_ix_tiles &a, int64_t at, int64_t c, int64_t vc) {
    if (!a.v) return ((const A *)a.acc)[at * a.run + c];
    const int64_t row = a.order ? (int64_t)a.order[at] : at;
    return gk_ix_load<A>(a.op, a.v, a.vt,
                         gk_ix_spread(a.row, a.first + row) + vc);
}
/* A whole segment's sum, or extreme, to its place. */
template<class A> __device__ static __noinline__ void
gk_ix_done(const gk_ix_tiles &a, uint32_t key, int64_t c, A s) {
    if (key >= a.cells) return;
    const int64_t at = gk_ix_spread(a.cell, key) + gk_ix_spread(a.col_x, c);
    gk_ix_store(a.op, a.x, a.xt, at,
                gk_ix_join(a.op, gk_ix_load<A>(a.op, a.x, a.xt, at), s));
}
/* Rows of several: a thread has a tile of a column. */
template<class A> __global__ void __launch_bounds__(256)
gk_ix_segments(const __grid_constant__ gk_ix_tiles a) {
    const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= a.tiles * a.run) return;
    const int64_t tile = i / a.run, c = i - tile * a.run, lo = tile * a.tile;
    const int n = (int)(a.rows - lo < a.tile ? a.rows - lo : a.tile);
    const uint32_t *keys = a.keys + lo;
    const uint32_t first = keys[0], last = keys[n - 1];
    const int64_t vc = a.v ? gk_ix_spread(a.col_v, c) : 0;
    A *out = (A *)a.next + 2 * tile * a.run + c;
    uint32_t key = first;
    A s = gk_ix_value_of<A>(a, lo, c, vc);
    for (int r = 1; r <= n; r++) {
        const uint32_t k = r < n ? keys[r] : a.cells + 1;
        const A v = gk_ix_value_of<A>(a, lo + (r < n ? r : 0), c, vc);
        if (k == key) {
            s = gk_ix_join(a.op, s, v);
            continue;
        }
        if (a.tiles > 1 && (key == first || key == last))
            out[key == first ? 0 : a.run] = s;
        else
            gk_ix_done(a, key, c, s);
        key = k;
        s = v;
    }
    if (a.tiles == 1) return;
    if (first == last) out[a.run] = gk_ix_nothing<A>(a.op);
    if (c) return;
    a.next_keys[2 * tile] = first;
    a.next_keys[2 * tile + 1] = last;
}
/* The same for float32, four columns a thread and four rows under way. */
__global__ void __launch_bounds__(256)
gk_ix_segments_4(const __grid_constant__ gk_ix_tiles a) {
    const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    const int64_t run = a.run / 4;
    if (i >= a.tiles * run) return;
    const int64_t tile = i / run, c = (i - tile * run) * 4, lo = tile * a.tile;
    const int n = (int)(a.rows - lo < a.tile ? a.rows - lo : a.tile);
    const uint32_t *keys = a.keys + lo;
    const uint32_t first = keys[0], last = keys[n - 1];
    double *out = (double *)a.next + 2 * tile * a.run + c;
    auto load = [&](int r) {
        const int64_t row = a.order ? (int64_t)a.order[lo + r] : lo + r;
        return *(const gk_ix_quad *)((const float *)a.v + c
                                     + gk_ix_spread(a.row, a.first + row));
    };
    uint32_t key = first;
    double s[4];
    for (int e = 0; e < 4; e++) s[e] = gk_ix_nothing<double>(a.op);
    for (int r = 0; r <= n; r += 4) {
        uint32_t k[4];
        gk_ix_quad f[4];
#pragma unroll
        for (int u = 0; u < 4; u++) {
            k[u] = r + u < n ? keys[r + u] : a.cells + 1;
            if (r + u < n) f[u] = load(r + u);
        }
#pragma unroll
        for (int u = 0; u < 4; u++) {
            if (r + u > n) break;
            if (k[u] != key) {
                if (a.tiles > 1 && (key == first || key == last)) {
                    double *to = out + (key == first ? 0 : a.run);
                    for (int e = 0; e < 4; e++) to[e] = s[e];
                } else if (key < a.cells) {
                    gk_ix_quad *x = (gk_ix_quad *)((float *)a.x + c
                                                   + gk_ix_spread(a.cell, key));
                    gk_ix_quad x4 = *x;
                    for (int e = 0; e < 4; e++)
                        x4.f[e] = (float)gk_ix_join(a.op, (double)x4.f[e], s[e]);
                    *x = x4;
                }
                key = k[u];
                for (int e = 0; e < 4; e++) s[e] = gk_ix_nothing<double>(a.op);
            }
            if (r + u < n)
                for (int e = 0; e < 4; e++)
                    s[e] = gk_ix_join(a.op, s[e], (double)f[u].f[e]);
        }
    }
    if (a.tiles == 1) return;
    if (first == last)
        for (int e = 0; e < 4; e++)
            out[a.run + e] = gk_ix_nothing<double>(a.op);
    if (c) return;
    a.next_keys[2 * tile] = first;
    a.next_keys[2 * tile + 1] = last;
}
/* Rows of one: a warp has a tile, 32 rows at a time joined by shuffles, the
   last segment of them carried on to the next 32.                           */
enum { GK_IX_WARP = 512 };
template<class A, class F> __device__ static __forceinline__ A
gk_ix_shuffled(A a, F f) {
    uint32_t w[sizeof(A) / 4];
    memcpy(w, &a, sizeof a);
#pragma unroll
    for (int i = 0; i < (int)sizeof(A) / 4; i++) w[i] = f(w[i]);
    memcpy(&a, w, sizeof a);
    return a;
}
template<class A>
__global__ void __launch_bounds__(256, sizeof(A) > 8 ? 2 : 4)
gk_ix_segments_1(const __grid_constant__ gk_ix_tiles a) {
    const unsigned ALL = 0xffffffffu, END = 0xffffffffu;
    const int lane = (int)threadIdx.x % 32;
    const int64_t tile = (int64_t)blockIdx.x * 8 + threadIdx.x / 32;
    if (tile >= a.tiles) return;
    const int64_t lo = tile * GK_IX_WARP;
    const int64_t vc = a.v ? gk_ix_spread(a.col_v, 0) : 0;
    const int n = (int)(a.rows - lo < GK_IX_WARP ? a.rows - lo : GK_IX_WARP);
    auto key_at = [&](int i) {
        if (!a.ids.data) return a.keys[lo + i];
        const int64_t j = gk_ix_read(a.ids, (lo + i) * a.ids.stride[0]);
        if ((uint64_t)j < a.cells) return (uint32_t)j;
        gk_late(a.late, j);
        return a.cells;
    };
    const uint32_t first = key_at(0), last = key_at(n - 1);
    A *out = (A *)a.next + 2 * tile;
    auto done = [&](uint32_t k, A s) {
        if (a.tiles > 1 && k == first) out[0] = s;
        else if (a.tiles > 1 && k == last) out[1] = s;
        else gk_ix_done(a, k, 0, s);
    };
    uint32_t ck = first;            /* the segment that is carried           */
    A cs = gk_ix_nothing<A>(a.op);
    for (int at = 0; at < n; at += 128) {
        uint32_t k4[4];
        A v4[4];
#pragma unroll
        for (int u = 0; u < 4; u++) {
            const int i = at + 32 * u + lane;
            k4[u] = END;
            v4[u] = gk_ix_nothing<A>(a.op);
            if (i >= n) continue;
            k4[u] = first == last ? first : key_at(i);
            v4[u] = gk_ix_value_of<A>(a, lo + i, 0, vc);
        }
        if (first == last) {        /* all one segment: joined at the end    */
#pragma unroll
            for (int u = 0; u < 4; u++) cs = gk_ix_join(a.op, cs, v4[u]);
            continue;
        }
#pragma unroll 1
        for (int u = 0; u < 4 && at + 32 * u < n; u++) {
            const uint32_t k = u == 0 ? k4[0] : u == 1 ? k4[1]
                               : u == 2 ? k4[2] : k4[3];
            A v = u == 0 ? v4[0] : u == 1 ? v4[1] : u == 2 ? v4[2] : v4[3];
#pragma unroll
            for (int d = 1; d < 32; d *= 2) {
                const uint32_t ok = __shfl_up_sync(ALL, k, d);
                const A ov = gk_ix_shuffled(v, [=](uint32_t w) {
                    return __shfl_up_sync(ALL, w, d);
                });
                if (lane >= d && ok == k) v = gk_ix_join(a.op, ov, v);
            }
            if (__shfl_sync(ALL, k, 0) != ck) {
                if (!lane) done(ck, cs);
            } else if (k == ck) {
                v = gk_ix_join(a.op, cs, v);
            }
            const uint32_t next = __shfl_down_sync(ALL, k, 1);
            if (lane < 31 && k != END && next != k) done(k, v);
            ck = __shfl_sync(ALL, k, 31);
            cs = gk_ix_shuffled(v, [=](uint32_t w) {
                return __shfl_sync(ALL, w, 31);
            });
        }
    }
    if (first == last) {
#pragma unroll
        for (int d = 16; d; d /= 2)
            cs = gk_ix_join(a.op, cs, gk_ix_shuffled(cs, [=](uint32_t w) {
                return __shfl_down_sync(ALL, w, d);
            }));
        if (!lane && a.tiles > 1) out[1] = gk_ix_nothing<A>(a.op);
    }
    if (lane) return;
    if (ck != END) done(ck, cs);
    if (a.tiles == 1) return;
    a.next_keys[2 * tile] = first;
    a.next_keys[2 * tile + 1] = last;
}
/* Of equal keys the last one's row, of one element, is put. */
__global__ void __launch_bounds__(256)
gk_ix_last(const __grid_constant__ gk_ix_tiles a) {
    const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= a.rows) return;
    const uint32_t key = a.keys[i];
    if (key >= a.cells || (i + 1 < a.rows && a.keys[i + 1] == key)) return;
    const int64_t row = a.order ? (int64_t)a.order[i] : i;
    const int64_t from = gk_ix_spread(a.row, a.first + row);
    const int64_t to = gk_ix_spread(a.cell, key);
    GK_IX_WIDTHS(a.vt, ((T *)a.x)[to] = ((const T *)a.v)[from])
}
/* Adds the number of keys that are s, in ascending ones, to counts[s]. */
__global__ void gk_ix_count(int64_t *counts, int64_t cells,
                            const uint32_t *keys, int64_t n) {
    const int64_t s = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (s >= cells) return;
    int64_t end[2];
    for (int e = 0; e < 2; e++) {           /* the first key >= s + e       */
        int64_t lo = 0, hi = n;
        while (lo < hi) {
            int64_t mid = lo + (hi - lo) / 2;
            if ((int64_t)keys[mid] >= s + e) hi = mid;
            else lo = mid + 1;
        }
        end[e] = lo;
    }
    counts[s] += end[1] - end[0];
}
template<class A> __global__ void gk_ix_means(void *x, ga_dtype xt,
                                              const void *sums, ga_dtype st,
                                              const int64_t *counts, int64_t n,
                                              int64_t run) {
    const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    const int op = GA__IX_MEAN;
    gk_ix_store(op, x, xt, i, gk_ix_over(gk_ix_load<A>(op, sums, st, i),
                                         counts[i / run]));
}

/* --------------------------------------------------------------- launches */
static inline unsigned gk_ix_grid(int64_t n, int each) {
    return (unsigned)((n + each - 1) / each);
}
static void gk_ix_divisors(gk_ix_args *a) {
    a->small = a->q.n < (int64_t)1 << 31;
    for (int d = 0; d < a->q.ndim; d++)
        a->by[d] = gk_div_make((uint32_t)a->q.shape[d]);
}
static void gk_ix_widened(ga__indexed *q) {
    gk_ix_widen(q);
    q->v.dtype = q->x.dtype = gk_ix_by_place(gk_size[q->v.dtype], q->v.data,
                                             q->x.data);
}
/* False where gk_ix_slabs is not for q. */
template<bool ATOMIC>
static bool gk_ix_by_slabs(const ga__indexed *given, cudaStream_t s) {
    ga__indexed q = *given;
    gk_ix_slab g;
    if (q.ndim > 3 || q.nidx != 1 || q.op == GA__IX_CELL
        || q.n >= (int64_t)1 << 31)
        return false;
    while (q.ndim < 3) {            /* leading axes of length 1             */
        for (int d = q.ndim; d-- > 0;) {
            q.shape[d + 1] = q.shape[d];
            q.x.stride[d + 1] = q.x.stride[d];
            q.v.stride[d + 1] = q.v.stride[d];
            q.index[0].stride[d + 1] = q.index[0].stride[d];
        }
        q.shape[0] = 1;
        q.x.stride[0] = q.v.stride[0] = q.index[0].stride[0] = 0;
        q.ndim++;
    }
    g.cols = (uint32_t)q.shape[2];
    g.rows = (uint32_t)(q.shape[0] * q.shape[1]);
    g.by = gk_div_make((uint32_t)q.shape[1]);
    g.lanes = 1;
    while (g.lanes < 256 && (uint32_t)g.lanes < g.cols) g.lanes *= 2;
    const bool wide = g.cols >= 512;
    g.col_step = wide ? g.lanes : 0;
    g.row_step = wide ? 0 : 256 / g.lanes;
    const uint32_t across = (uint32_t)g.lanes * (wide ? GK_IX_EACH : 1);
    const uint32_t down = 256 / (uint32_t)g.lanes * (wide ? 1 : GK_IX_EACH);
    g.col_tiles = (g.cols + across - 1) / across;
    const unsigned grid = g.col_tiles * ((g.rows + down - 1) / down);
    gk_ix_slabs<ATOMIC><<<grid, 256, 0, s>>>(q, g);
    return true;
}
extern "C" int gk_cuda_index_get(const ga__indexed *q, void *stream, int) {
    cudaStream_t s = (cudaStream_t)stream;
    gk_ix_args a;
    memset(&a, 0, sizeof a);
    a.q = *q;
    if (q->op == GA__IX_GET) gk_ix_widened(&a.q);
    const ga__operand_view *j = &a.q.index[0];
    if (q->op == GA__IX_GET && q->ndim == 1 && q->nidx == 1
        && q->v.stride[0] == 1 && j->stride[0] == 1 && !q->x.stride[0]
        && (uintptr_t)j->data % 16 == 0 && (uintptr_t)q->v.data % 16 == 0) {
        const unsigned grid = gk_ix_grid(a.q.n, 256 * GK_IX_FLAT);
        if (j->dtype == GA_INT32)
            gk_ix_flat<int32_t, false><<<grid, 256, 0, s>>>(a);
        else gk_ix_flat<int64_t, false><<<grid, 256, 0, s>>>(a);
        return cudaGetLastError();
    }
    if (gk_ix_by_slabs<false>(&a.q, s)) return cudaGetLastError();
    const unsigned grid = gk_ix_grid(a.q.n, 256 * GK_IX_EACH);
    gk_ix_divisors(&a);
    gk_ix_move<false><<<grid, 256, 0, s>>>(a);
    return cudaGetLastError();
}

/* q's tuples alone, each with its place's number for x's offset. */
static ga__indexed gk_ix_tuples(const ga__indexed *q, const gk_ix_split *s) {
    ga__indexed t = *q;
    t.ndim = 0;
    t.n = 1;
    t.base = 0;
    for (int d = 0; d < q->ndim; d++) {
        if (!gk_ix_tuple(q, d)) continue;
        t.shape[t.ndim] = q->shape[d];
        t.v.stride[t.ndim] = q->v.stride[d];
        t.x.stride[t.ndim] = s->cell_stride[d];
        for (int k = 0; k < q->nidx; k++)
            t.index[k].stride[t.ndim] = q->index[k].stride[d];
        t.n *= t.shape[t.ndim++];
    }
    if (!t.ndim) {                  /* all indices are single               */
        t.ndim = 1;
        t.shape[0] = 1;
    }
    for (int k = 0; k < q->nidx; k++) t.step[k] = s->cell_step[k];
    return t;
}

/* The table of last writers: `slots` hashed, or a word a place. */
static uint64_t gk_ix_slots(const gk_ix_split *s) {
    uint64_t slots = 1024;
    if (s->cells / 16 < s->tuples) return 0;
    while (slots < 2 * (uint64_t)s->tuples) slots *= 2;
    return slots * 16 < 4 * (uint64_t)s->cells ? slots : 0;
}
static bool gk_ix_many(const gk_ix_split *s) {
    return s->tuples >= (int64_t)UINT32_MAX;
}
static size_t gk_ix_table(const gk_ix_split *s) {
    if (s->tuples == 1) return 0;
    uint64_t slots = gk_ix_slots(s);
    return slots ? slots * 16 : (size_t)s->cells * (gk_ix_many(s) ? 8 : 4);
}
/* Do all writers of a place write the same? */
static bool gk_ix_one_value(const ga__indexed *q) {
    for (int d = 0; d < q->ndim; d++)
        if (gk_ix_tuple(q, d) && q->shape[d] > 1 && q->v.stride[d])
            return false;
    return true;
}
static cudaError_t gk_ix_last_wins(const ga__indexed *q, const gk_ix_split *s,
                                   cudaStream_t st) {
    gk_ix_args a, t;
    memset(&a, 0, sizeof a);
    a.q = *q;
    const bool one = gk_ix_one_value(q);
    const ga__operand_view *j = &q->index[0];
    if (one && q->ndim == 1 && q->nidx == 1 && j->stride[0] == 1
        && (uintptr_t)j->data % 16 == 0 && !q->x.stride[0]) {
        const unsigned grid = gk_ix_grid(q->n, 256 * GK_IX_FLAT);
        gk_ix_widened(&a.q);
        if (j->dtype == GA_INT32)
            gk_ix_flat<int32_t, true><<<grid, 256, 0, st>>>(a);
        else gk_ix_flat<int64_t, true><<<grid, 256, 0, st>>>(a);
        return cudaGetLastError();
    }
    a.table = !one && gk_ix_table(s) ? q->use.work : NULL;
    a.slots = gk_ix_slots(s);
    a.words = gk_ix_many(s);
    if (a.table) {
        cudaError_t e = cudaMemsetAsync(a.table, 0, gk_ix_table(s), st);
        if (e) return e;
        t = a;
        t.q = gk_ix_tuples(q, s);
        gk_ix_divisors(&t);
        const unsigned grid = gk_ix_grid(t.q.n, 256);
        gk_ix_mark<<<grid, 256, 0, st>>>(t);
    }
    gk_ix_widened(&a.q);
    gk_ix_divisors(&a);
    memcpy(a.number, s->number, sizeof a.number);
    memcpy(a.cell_stride, s->cell_stride, sizeof a.cell_stride);
    memcpy(a.cell_step, s->cell_step, sizeof a.cell_step);
    const unsigned grid = gk_ix_grid(a.q.n, 256 * GK_IX_EACH);
    gk_ix_move<true><<<grid, 256, 0, st>>>(a);
    return cudaGetLastError();
}

/* Where a table of last writers would not stay in the cache, sorting is faster
   than to meet it twice at random: 2**26 in 2**26, 8.1 ms by the table.      */
static bool gk_ix_put_sorted(const ga__indexed *q, const gk_ix_split *s) {
    return s->run == 1 && s->tuples >= 1 << 18 && s->cells >= 1 << 22
           && s->cells < (int64_t)UINT32_MAX && s->cells / 16 < s->tuples
           && !gk_ix_one_value(q);
}
/* What segments need: rows at a time, values a tile, the parts of the work. */
struct gk_ix_plan {
    int64_t rows, room[2];          /* rows of a chunk and of two levels    */
    int tile, bits;
    bool carry, ids, quads;         /* ids: read as keys                    */
    size_t key, own, level[2], acc, sums, counts, total;
};
static inline size_t gk_ix_room(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}
/* Rows of float32 in fours, of v and of x. */
static bool gk_ix_has_quads(const ga__indexed *q, const gk_ix_split *s) {
    if (q->v.dtype != GA_FLOAT32 || q->x.dtype != GA_FLOAT32
        || q->op == GA__IX_MEAN || q->op == GA__IX_PUT || s->run % 4
        || s->plain_v.n != 1 || s->plain_v.step[0] != 1
        || s->plain_x.step[0] != 1 || q->base % 4
        || ((uintptr_t)q->v.data | (uintptr_t)q->x.data) % 16)
        return false;
    for (int d = 0; d < s->tuple.n; d++) if (s->tuple.step[d] % 4) return false;
    for (int d = 0; d < s->cell.n; d++) if (s->cell.step[d] % 4) return false;
    return true;
}
static gk_ix_plan gk_ix_plan_of(const ga__indexed *q, const gk_ix_split *s) {
    gk_ix_plan p;
    memset(&p, 0, sizeof p);
    const int64_t most = (int64_t)1 << 30;
    p.rows = s->tuples < most ? s->tuples : most;
    p.quads = gk_ix_has_quads(q, s);
    p.tile = 16;                    /* wider rows: fewer carried            */
    while (s->run >= 8 && p.tile < (p.quads ? 32 : 256)
           && p.rows * s->run / p.tile >= 1 << 19)
        p.tile *= 2;
    if (s->run == 1) p.tile = GK_IX_WARP;
    p.ids = q->sorted && s->run == 1 && s->tuples <= most
            && q->op != GA__IX_MEAN;
    while (s->cells >> p.bits) p.bits++;    /* `cells` itself is a key       */
    p.carry = s->run == 1 && gk_size[q->v.dtype] <= 4 && !q->sorted;
    GK_IX_WITH_ACC(q->v.dtype, p.acc = sizeof(A));
    p.key = gk_ix_room((size_t)p.rows * 4);
    uint32_t *none[2] = {NULL, NULL};
    if (!q->sorted
        && gk_cuda_sort_pairs(NULL, &p.own, none, none, p.rows, 0, p.bits,
                              NULL))
        p.own = 0;                  /* the sort itself will say what is wrong */
    p.own = gk_ix_room(p.own);
    int64_t n = p.rows;
    for (int l = 0; l < 2 && q->op != GA__IX_PUT; l++) {
        n = 2 * ((n + p.tile - 1) / p.tile);
        p.room[l] = n;
        p.level[l] = gk_ix_room((size_t)n * 4)
                     + gk_ix_room((size_t)(n * s->run) * p.acc);
    }
    if (q->op == GA__IX_MEAN) {
        p.sums = gk_ix_room((size_t)(s->cells * s->run) * 16);
        p.counts = gk_ix_room((size_t)s->cells * 8);
    }
    p.total = (q->sorted ? 1 : 4) * p.key + p.own + p.level[0] + p.level[1]
              + p.sums + p.counts;
    return p;
}
/* Levels of tiles, from the chunk's rows to one tile. */
template<class A> static void gk_ix_levels(gk_ix_tiles t, const gk_ix_plan *p,
                                           char *level, cudaStream_t st) {
    for (int l = 0;; l ^= 1) {
        char *to = level + (l ? p->level[0] : 0);
        t.tiles = (t.rows + t.tile - 1) / t.tile;
        t.next_keys = (uint32_t *)to;
        t.next = to + gk_ix_room((size_t)p->room[l] * 4);
        if (t.run == 1)
            gk_ix_segments_1<A><<<gk_ix_grid(t.tiles, 8), 256, 0, st>>>(t);
        else if (p->quads && t.v)
            gk_ix_segments_4<<<gk_ix_grid(t.tiles * t.run / 4, 256), 256, 0, st>>>(
                t);
        else
            gk_ix_segments<A><<<gk_ix_grid(t.tiles * t.run, 256), 256, 0, st>>>(
                t);
        if (t.tiles == 1) return;
        t.ids.data = NULL;
        t.rows = 2 * t.tiles;
        t.v = NULL;
        t.acc = t.next;
        t.keys = t.next_keys;
    }
}
static cudaError_t gk_ix_by_segments(const ga__indexed *q,
                                     const gk_ix_split *s, cudaStream_t st) {
    const gk_ix_plan p = gk_ix_plan_of(q, s);
    char *w = (char *)q->use.work;
    uint32_t *k[2] = {(uint32_t *)w, (uint32_t *)(w + p.key)}, *v[2];
    v[0] = (uint32_t *)(w + 2 * p.key);
    v[1] = (uint32_t *)(w + 3 * p.key);
    w += (q->sorted ? 1 : 4) * p.key;
    char *own = w, *level = w + p.own;
    char *sums = level + p.level[0] + p.level[1];
    int64_t *counts = (int64_t *)(sums + p.sums);
    gk_ix_args a;
    memset(&a, 0, sizeof a);
    a.q = gk_ix_tuples(q, s);
    a.q.v.dtype = gk_ix_by_width(gk_size[q->v.dtype]);
    a.none = (uint32_t)s->cells;
    a.carry = p.carry;
    gk_ix_divisors(&a);
    gk_ix_tiles t;
    memset(&t, 0, sizeof t);
    t.op = q->op;
    t.tile = p.tile;
    t.cells = (uint32_t)s->cells;
    t.run = s->run;
    t.vt = q->v.dtype;
    t.col_v = s->plain_v;
    t.xt = q->x.dtype;
    t.x = (char *)q->x.data + q->base * (int64_t)gk_size[q->x.dtype];
    t.cell = s->cell;
    t.col_x = s->plain_x;
    if (q->op == GA__IX_MEAN) {
        cudaError_t e = cudaMemsetAsync(sums, 0, p.sums + p.counts, st);
        if (e) return e;
        t.x = sums;
        t.xt = q->v.dtype >= GA_COMPLEX64 ? GA_COMPLEX128 : GA_FLOAT64;
    }
    for (a.first = 0; a.first < s->tuples; a.first += p.rows) {
        const int64_t left = s->tuples - a.first;
        t.rows = a.count = left < p.rows ? left : p.rows;
        a.keys = k[0];
        a.values = q->sorted ? NULL : v[0];
        const unsigned grid = gk_ix_grid(a.count, 256);
        if (p.ids) {
            t.ids = a.q.index[0];
            t.late = q->late;
            t.late.axis = q->axis[0];
            t.late.extent = q->extent[0];
        } else {
            gk_ix_keys<<<grid, 256, 0, st>>>(a);
        }
        if (!q->sorted) {
            size_t bytes = p.own;
            int e = gk_cuda_sort_pairs(own, &bytes, k, v, a.count, 0, p.bits,
                                       st);
            if (e) return (cudaError_t)e;
        }
        t.keys = k[0];
        t.order = q->sorted ? NULL : v[0];
        t.first = a.first;
        t.v = q->v.data;
        t.row = s->tuple;
        if (p.carry) {              /* the sorted values stand for v        */
            t.v = v[0];
            t.order = NULL;
            t.first = 0;
            t.row.n = 0;
            t.row.add(t.rows, 4 / (int64_t)gk_size[q->v.dtype]);
        }
        if (q->op == GA__IX_PUT) {
            t.vt = gk_ix_by_place(gk_size[q->v.dtype], t.v, t.x);
            gk_ix_last<<<gk_ix_grid(t.rows, 256), 256, 0, st>>>(t);
            continue;
        }
        GK_IX_WITH_ACC(q->v.dtype, gk_ix_levels<A>(t, &p, level, st));
        if (q->op == GA__IX_MEAN)
            gk_ix_count<<<gk_ix_grid(s->cells, 256), 256, 0, st>>>(
                counts, s->cells, k[0], a.count);
    }
    if (q->op == GA__IX_MEAN) {
        const int64_t n = s->cells * s->run;
        const unsigned grid = gk_ix_grid(n, 256);
        if (t.xt == GA_COMPLEX128)
            gk_ix_means<gk_ix_cplx><<<grid, 256, 0, st>>>(
                q->x.data, q->x.dtype, sums, t.xt, counts, n, s->run);
        else
            gk_ix_means<gk_ix_real><<<grid, 256, 0, st>>>(
                q->x.data, q->x.dtype, sums, t.xt, counts, n, s->run);
    }
    return cudaGetLastError();
}
/* Atomics wait for each other where places are few: 2**26 into 1000 took 5.9 ms,
   sorted 2.2; and for the memory where a cache does not hold the places: such
   are brought together first, by the top bits of their numbers.             */
static bool gk_ix_by_atomics(const ga__indexed *q, const gk_ix_split *s) {
    if (!q->atomic || s->cells >= (int64_t)UINT32_MAX) return q->atomic;
    return s->tuples < 65536 || s->tuples / s->cells < 8192;
}
static bool gk_ix_parted(const ga__indexed *q, const gk_ix_split *s) {
    return s->run == 1 && s->cells >= 1 << 24 && s->tuples >= s->cells / 4
           && s->cells < (int64_t)UINT32_MAX && gk_size[q->v.dtype] <= 4;
}
/* The work: keys and values of a chunk, twice, and the sort's own. */
static gk_ix_plan gk_ix_parts_plan(const gk_ix_split *s) {
    gk_ix_plan p;
    memset(&p, 0, sizeof p);
    const int64_t most = (int64_t)1 << 30;
    p.rows = s->tuples < most ? s->tuples : most;
    while (s->cells >> p.bits) p.bits++;
    p.key = gk_ix_room((size_t)p.rows * 4);
    uint32_t *none[2] = {NULL, NULL};
    if (gk_cuda_sort_pairs(NULL, &p.own, none, none, p.rows, p.bits - 8,
                           p.bits, NULL))
        p.own = 0;                  /* the sort itself will say what is wrong */
    p.total = 4 * p.key + gk_ix_room(p.own);
    return p;
}
/* Four keys and values a thread. */
__global__ void __launch_bounds__(256)
gk_ix_part(const __grid_constant__ gk_ix_tiles a) {
    const int64_t at = ((int64_t)blockIdx.x * 256 + threadIdx.x) * 4;
    if (at >= a.rows) return;
    uint32_t k[4], v[4];
    if (a.rows - at >= 4) {
        *(uint4 *)k = *(const uint4 *)(a.keys + at);
        *(uint4 *)v = *(const uint4 *)((const uint32_t *)a.v + at);
    } else {
        for (int u = 0; u < 4; u++) {
            const int64_t i = at + u < a.rows ? at + u : at;
            k[u] = at + u < a.rows ? a.keys[i] : a.cells;
            v[u] = ((const uint32_t *)a.v)[i];
        }
    }
#define GA__X(t, S) case t: \
    if constexpr (sizeof(S) <= 4) \
        for (int u = 0; u < 4; u++) { \
            S e; \
            memcpy(&e, &v[u], sizeof e); \
            if (k[u] < a.cells) \
                gk_ix_atom((S *)a.x + gk_ix_spread(a.cell, k[u]), e, a.op); \
        } \
    break;
    switch (a.xt) { GK_TYPES(GA__X) default: break; }
#undef GA__X
}
static cudaError_t gk_ix_by_parts(const ga__indexed *q, const gk_ix_split *s,
                                  cudaStream_t st) {
    const gk_ix_plan p = gk_ix_parts_plan(s);
    char *w = (char *)q->use.work;
    uint32_t *k[2] = {(uint32_t *)w, (uint32_t *)(w + p.key)}, *v[2];
    v[0] = (uint32_t *)(w + 2 * p.key);
    v[1] = (uint32_t *)(w + 3 * p.key);
    gk_ix_args a;
    memset(&a, 0, sizeof a);
    a.q = gk_ix_tuples(q, s);
    a.q.v.dtype = gk_ix_by_width(gk_size[q->v.dtype]);
    a.none = (uint32_t)s->cells;
    a.carry = true;
    gk_ix_divisors(&a);
    gk_ix_tiles t;
    memset(&t, 0, sizeof t);
    t.op = q->op;
    t.cells = (uint32_t)s->cells;
    t.xt = q->x.dtype;
    t.x = (char *)q->x.data + q->base * (int64_t)gk_size[q->x.dtype];
    t.cell = s->cell;
    for (a.first = 0; a.first < s->tuples; a.first += p.rows) {
        const int64_t left = s->tuples - a.first;
        t.rows = a.count = left < p.rows ? left : p.rows;
        a.keys = k[0];
        a.values = v[0];
        gk_ix_keys<<<gk_ix_grid(a.count, 256), 256, 0, st>>>(a);
        size_t bytes = p.own;
        int e = gk_cuda_sort_pairs(w + 4 * p.key, &bytes, k, v, a.count,
                                   p.bits - 8, p.bits, st);
        if (e) return (cudaError_t)e;
        t.keys = k[0];
        t.v = v[0];
        gk_ix_part<<<gk_ix_grid(t.rows, 1024), 256, 0, st>>>(t);
    }
    return cudaGetLastError();
}
extern "C" size_t gk_cuda_index_put_work(const ga__indexed *q) {
    const gk_ix_split s = gk_ix_split_of(q);
    if (q->op == GA__IX_PUT && !gk_ix_put_sorted(q, &s))
        return gk_ix_one_value(q) ? 0 : gk_ix_table(&s);
    if (!gk_ix_by_atomics(q, &s)) return gk_ix_plan_of(q, &s).total;
    return gk_ix_parted(q, &s) ? gk_ix_parts_plan(&s).total : 0;
}
/* A plain last axis of float32, four at once. */
static void gk_ix_quads(ga__indexed *q) {
    const int last = q->ndim - 1;
    if (q->op != GA__IX_ADD || q->x.dtype != GA_FLOAT32 || q->ndim > 3
        || gk_ix_tuple(q, last) || q->shape[last] % 4 || q->nidx != 1
        || q->n / 4 >= (int64_t)1 << 31 || q->v.stride[last] != 1
        || q->x.stride[last] != 1 || q->step[0] % 4 || q->base % 4
        || ((uintptr_t)q->x.data | (uintptr_t)q->v.data) % 16)
        return;
    for (int d = 0; d < last; d++)
        if (q->x.stride[d] % 4 || q->v.stride[d] % 4) return;
    for (int d = 0; d < last; d++) q->x.stride[d] /= 4, q->v.stride[d] /= 4;
    q->shape[last] /= 4;
    q->step[0] /= 4;
    q->base /= 4;
    q->n /= 4;
    q->x.dtype = q->v.dtype = GA_NUM_DTYPES;
}
extern "C" int gk_cuda_index_put(const ga__indexed *q, void *stream, int) {
    cudaStream_t st = (cudaStream_t)stream;
    const gk_ix_split s = gk_ix_split_of(q);
    if (q->op == GA__IX_PUT && !gk_ix_put_sorted(q, &s))
        return gk_ix_last_wins(q, &s, st);
    if (!gk_ix_by_atomics(q, &s)) return gk_ix_by_segments(q, &s, st);
    if (gk_ix_parted(q, &s)) return gk_ix_by_parts(q, &s, st);
    gk_ix_args a;
    memset(&a, 0, sizeof a);
    a.q = *q;
    gk_ix_quads(&a.q);
    if (gk_ix_by_slabs<true>(&a.q, st)) return cudaGetLastError();
    gk_ix_divisors(&a);
    const unsigned grid = gk_ix_grid(q->n, 256);
    gk_ix_atomic<<<grid, 256, 0, st>>>(a);
    return cudaGetLastError();
}

/* ------------------------------------------------------ choose and places */
__global__ void __launch_bounds__(256)
gk_ix_choose(const __grid_constant__ ga__choice q) {
    int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x, rest = i;
    if (i >= q.n) return;
    int64_t c[GA_MAX_NDIM], o = 0, j = 0;
#pragma unroll
    for (int d = GA_MAX_NDIM - 1; d >= 0; d--) {
        c[d] = 0;
        if (d >= q.ndim) continue;
        const int64_t up = rest >> 32 ? rest / q.shape[d]
                           : (int64_t)((uint32_t)rest / (uint32_t)q.shape[d]);
        c[d] = rest - up * q.shape[d];
        rest = up;
        o += c[d] * q.out.stride[d];
        j += c[d] * q.index.stride[d];
    }
    const int64_t was = gk_ix_read(q.index, j);
    int64_t k = gk_ix_place(was, q.nfrom, q.mode), at = 0;
    if (k < 0) {
        gk_late(q.late, was);
        k = 0;
    }
#pragma unroll
    for (int d = 0; d < GA_MAX_NDIM; d++)
        if (d < q.ndim) at += c[d] * q.from[k].stride[d];
    GK_IX_WIDTHS(q.out.dtype,
                 ((T *)q.out.data)[o] = ((const T *)q.from[k].data)[at])
}
extern "C" int gk_cuda_choose(const ga__choice *q, void *stream, int) {
    ga__choice c = *q;
    const void *at = q->out.data;
    for (int k = 0; k < q->nfrom; k++)
        at = (const void *)((uintptr_t)at | (uintptr_t)q->from[k].data);
    c.out.dtype = gk_ix_by_place(gk_size[q->out.dtype], at, at);
    gk_ix_choose<<<gk_ix_grid(q->n, 256), 256, 0, (cudaStream_t)stream>>>(c);
    return cudaGetLastError();
}
__global__ void gk_ix_each_coords(const __grid_constant__ ga__coords q) {
    const int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i < q.n) gk_ix_coords(q, i);
}
extern "C" int gk_cuda_coords(const ga__coords *q, void *stream, int) {
    gk_ix_each_coords<<<gk_ix_grid(q->n, 256), 256, 0, (cudaStream_t)stream>>>(*q);
    return cudaGetLastError();
}
#endif
#if GK_PART_IS(solve)
extern "C" size_t gk_cpu_index_put_work(const ga__indexed *q);
#ifndef GPUARR_NO_CUDA
extern "C" size_t gk_cuda_index_put_work(const ga__indexed *q);
#endif
extern "C" size_t gk_index_put_work(const ga__indexed *q, int mps) {
#ifndef GPUARR_NO_CUDA
    if (mps) return gk_cuda_index_put_work(q);
#endif
    (void)mps;
    return gk_cpu_index_put_work(q);
}
#endif

/* ==================================================================== >>scan
   Running results along an axis: integers in 64 bits, floats in double, complex
   numbers in two of them. On a GPU sums of single precision add up to 16
   neighbours in float to what is before them, which is a double. Every order is
   fixed by the shape: results repeat bit for bit.

   GPU, one pass over memory, in tiles numbered by a ticket, so that a tile only
   ever waits for tiles that run or are done:
     rows  the axis fastest: a block takes 32 KB of consecutive elements,
           whole rows, parts of one, or both: a row's first element starts anew.
           A tile publishes what it adds up to; the last of 32 tiles what these
           do, the last of 32 such groups what lies before the next 1024 tiles.
           So a tile reads 31 + 31 + 1 values, each combined as a tree, and a
           chain of waits has one link for 1024 tiles.
     cols  another axis fastest: 128 bytes of columns by up to 512 rows, a
           thread 16 rows of 16 bytes. The tiles below each other form a chain;
           where there are too few side by side to hide its waits, groups of 32
           do.
   CPU: rows in parts of 65536 elements, columns in blocks of 256; the parts'
   results first, then each part from where it starts.                       */
#if GK_PART_IS(scan_cpu) || GK_PART_IS(scan_cuda) || GK_PART_IS(scan_int) \
    || GK_PART_IS(scan_most)
enum gk_scan_by { GK_SCAN_ADD, GK_SCAN_MUL, GK_SCAN_MAX, GK_SCAN_MIN,
                  GK_SCAN_LSE, GK_SCAN_LSE_SINGLE,
                  GK_SCAN_NONE };
constexpr gk_scan_by gk_scan_of(int combine) {
    return combine == GA__OP_add ? GK_SCAN_ADD
         : combine == GA__OP_multiply ? GK_SCAN_MUL
         : combine == GA__OP_maximum ? GK_SCAN_MAX
         : combine == GA__OP_minimum ? GK_SCAN_MIN
         : combine == GA__OP_logaddexp ? GK_SCAN_LSE : GK_SCAN_NONE;
}
enum { GK_SCAN_KEEP, GK_SCAN_SKIP };
struct gk_scan_row { unsigned char by, nans; double start; };
static const gk_scan_row gk_scan_table[GA__NUM_SCANS] = {
#define GA__X(n, t, r, combine, start, nans) \
    {gk_scan_of(GA__OP_##combine), GK_SCAN_##nans, start},
    GA_SCANS(GA__X)
#undef GA__X
};
#define GA__X(n, types, r, combine, ...)                                     \
    static_assert(gk_scan_of(GA__OP_##combine) < GK_SCAN_LSE                 \
                  || (gk_scan_of(GA__OP_##combine) == GK_SCAN_LSE            \
                      && !((types) & (GA__BI | GA__C))),                     \
                  #n ": no scan combines so");
GA_SCANS(GA__X)
#undef GA__X

struct gk_scan_kind { unsigned char size; char kind; };
#define GA__X(N, s, b, k) {b, k},
static const gk_scan_kind gk_scan_types[GA_NUM_DTYPES] = {GA_DTYPES(GA__X)};
#undef GA__X

/* What starts a scan, as the value that accumulates: integers of a narrow
   dtype start from its own least or greatest.                               */
static double gk_scan_start(const ga__sc *q) {
    return gk_scan_table[q->op].start;
}
static int64_t gk_scan_start_int(const ga__sc *q) {
    const double start = gk_scan_start(q);
    const gk_scan_kind k = gk_scan_types[q->out_type];
    if (start > -2 && start < 2) return (int64_t)start;
    if (k.kind == 'b') return start > 0;
    if (k.kind == 'u' && k.size < 8)
        return start > 0 ? (int64_t)((1ull << k.size * 8) - 1) : 0;
    return start > 0 ? INT64_MAX >> (64 - k.size * 8)   /* uint64: biased    */
                     : INT64_MIN >> (64 - k.size * 8);
}
/* --- GPU: the plan, plain C++ ---------------------------------------------- */
struct gk_scan_p {
    const char *in;
    char *out;
    uint64_t *state;                /* tiles' values, groups', supergroups' */
    unsigned *ticket;
    int by, in_type;
    bool wide;                      /* int64 from narrower integers         */
    bool skip, exclusive, chained, cols;
    bool vec_in, vec_out, flat_in, flat_out, back;  /* rows                 */
    bool direct;                    /* wide: stored out of registers        */
    double start;
    int64_t istart;
    uint64_t sign;                  /* of integers                          */
    bool extreme, real;             /* extremes of real numbers, of floats: */
    uint64_t top, flip, inf, nan;   /* sign, what orders, what NaN exceeds  */
    int64_t n, rows, total, in_step, out_step, tiles;
    int chunks;                     /* rows: 16-byte pieces of a thread     */
    int nouter;
    int64_t shape[GA_MAX_NDIM], in_outer[GA_MAX_NDIM], out_outer[GA_MAX_NDIM];
    bool dense, far;                /* cols: see gk_scan_plan_cols          */
    int lx, group;                  /* cols: log2 of the threads side by    */
    int64_t columns, side, width, pieces;   /* side; blocks of columns      */
    int64_t in_col, out_col;        /* from one column to the next          */
};
/* Tried on an H200: tiles of 16 KB instead of 32 take 1.3 times as long in rows,
   128 or 512 threads 1.1 times; threads of 8 rows in columns 1.2 times.       */
enum { GK_SCAN_T = 256,             /* rows: threads                        */
       GK_SCAN_CT = 128,            /* cols: threads                        */
       GK_SCAN_CHUNKS = 8,          /* rows: 16-byte pieces of a thread     */
       GK_SCAN_R = 16,              /* cols: rows of a thread               */
       GK_SCAN_LX = 3,              /* cols: log2 of the threads side by side */
       GK_SCAN_SIDE = 96 };         /* blocks of columns that hide a wait   */

static bool gk_scan_aligned(const void *p) { return (uintptr_t)p % 16 == 0; }
/* Is the whole one run of memory, the rows one after the other? */
static bool gk_scan_flat(const gk_scan_p *p, int64_t step,
                         const int64_t *outer) {
    int64_t want = p->n;
    if (step != 1 && step != -1 && p->n > 1) return false;
    for (int d = p->nouter; d-- > 0; want *= p->shape[d])
        if (outer[d] != want) return false;
    return true;
}
/* Columns of a thread: of narrow elements whose sums are wide four. */
GK_HD constexpr int gk_scan_per(int size, bool extreme) {
    return size < 4 && !extreme ? 4 : 16 / size;
}
static void gk_scan_plan_cols(gk_scan_p *p, int size, int wide) {
    const int last = p->nouter - 1, per = gk_scan_per(size, p->extreme);
    const int64_t unit = per * size, to = wide > size ? 16 : unit;
    bool vec = (intptr_t)p->in % unit == 0 && (intptr_t)p->out % to == 0
               && p->in_outer[last] == 1 && p->out_outer[last] == 1
               && p->shape[last] % per == 0 && p->in_step * size % unit == 0
               && p->out_step * wide % to == 0;
    for (int d = 0; d < last; d++)
        vec = vec && p->in_outer[d] * size % unit == 0
              && p->out_outer[d] * wide % to == 0;
    p->vec_in = p->vec_out = vec;
    p->columns = p->shape[last];
    p->in_col = p->in_outer[last];
    p->out_col = p->out_outer[last];
    p->nouter = last;
    const int64_t lanes = gk_ceil_div(p->columns, per);
    p->lx = GK_SCAN_LX + (p->extreme ? 0 : size == 1 ? 2 : size == 2);
    while (p->lx > 0 && (int64_t)1 << (p->lx - 1) >= lanes) p->lx--;
    while (p->lx < (per > 8 ? 6 : 7) && (int64_t)1 << p->lx < lanes
           && (int64_t)(GK_SCAN_CT >> (p->lx + 1)) * GK_SCAN_R >= p->n) p->lx++;
    p->side = gk_ceil_div(lanes, (int64_t)1 << p->lx);
    p->width = p->rows / p->columns * p->side;
    p->pieces = gk_ceil_div(p->n, (int64_t)(GK_SCAN_CT >> p->lx) * GK_SCAN_R);
    p->tiles = p->width * p->pieces;
    p->group = p->width >= GK_SCAN_SIDE ? 1 : 32;
    p->chained = p->pieces > 1;
    /* few columns, one after the other: a tile's rows are one run of memory,
       and a warp a column looks back, as in rows                            */
    p->far = p->group > 1 && per << p->lx <= 8;
    p->dense = !vec && wide == size && p->side == 1 && p->in_col == 1
               && p->out_col == 1 && p->in_step == p->columns
               && p->out_step == p->columns && gk_scan_aligned(p->in)
               && gk_scan_aligned(p->out);
    for (int d = 0; d < last; d++)
        p->dense = p->dense && (p->in_outer[d] | p->out_outer[d]) * size % 16 == 0;
}
static void gk_scan_plan_rows(gk_scan_p *p, int size, int wide) {
    p->total = p->rows * p->n;
    p->flat_in = gk_scan_flat(p, p->in_step, p->in_outer);
    p->flat_out = gk_scan_flat(p, p->out_step, p->out_outer);
    p->back = p->flat_in && p->flat_out && p->n > 1 && p->in_step < 0
              && p->out_step < 0 && p->total * size % 16 == 0
              && gk_scan_aligned(p->in - (p->n - 1) * size)
              && gk_scan_aligned(p->out - (p->n - 1) * wide);
    if (p->back) {                  /* from the end of memory, which makes  */
        p->in -= (p->n - 1) * size; /* the last row the first one           */
        p->out -= (p->n - 1) * wide;
    } else {
        p->flat_in = p->flat_in && (p->in_step == 1 || p->n == 1);
        p->flat_out = p->flat_out && (p->out_step == 1 || p->n == 1);
    }
    p->vec_in = p->flat_in && gk_scan_aligned(p->in);
    p->vec_out = p->flat_out && gk_scan_aligned(p->out);
    p->direct = wide > size && p->vec_out && !p->back;
    p->chunks = wide == size || p->direct ? GK_SCAN_CHUNKS : size == 4 ? 2 : 1;
    const int64_t tile = (int64_t)GK_SCAN_T * p->chunks * (16 / size);
    p->tiles = gk_ceil_div(p->total, tile);
    p->chained = tile % p->n != 0;
}
static bool gk_scan_columns(const ga__sc *q) {
    const int last = q->nouter - 1;
    return last >= 0 && q->n > 1
           && llabs(q->out_outer[last]) < llabs(q->out_step)
           && llabs(q->in_outer[last]) < llabs(q->in_step);
}
static void gk_scan_plan(gk_scan_p *p, const ga__sc *q) {
    const gk_scan_kind in = gk_scan_types[q->in_type];
    const gk_scan_kind out = gk_scan_types[q->out_type];
    memset(p, 0, sizeof *p);
    p->in = (const char *)q->in;
    p->out = (char *)q->out;
    p->by = gk_scan_table[q->op].by;
    if (p->by == GK_SCAN_LSE && q->in_type != GA_FLOAT64)
        p->by = GK_SCAN_LSE_SINGLE;
    p->skip = gk_scan_table[q->op].nans == GK_SCAN_SKIP;
    p->exclusive = q->exclusive;
    p->in_type = q->in_type;
    p->wide = out.size > in.size;
    p->start = gk_scan_start(q);
    if (in.kind != 'f' && in.kind != 'c') p->istart = gk_scan_start_int(q);
    p->sign = in.kind == 'i' ? 1ull << (in.size * 8 - 1) : 0;
    p->extreme = (p->by == GK_SCAN_MAX || p->by == GK_SCAN_MIN)
                 && in.kind != 'c';
    p->real = in.kind == 'f';
    if (p->extreme) {
        const int mant = q->in_type == GA_FLOAT16 ? 10
                         : q->in_type == GA_BFLOAT16 ? 7
                         : in.size == 4 ? 23 : 52;
        const uint64_t top = 1ull << (in.size * 8 - 1);
        p->top = top;
        p->flip = p->by == GK_SCAN_MAX ? 0 : in.kind == 'b' ? 1 : top - 1 + top;
        if (p->real) {
            p->inf = ((top >> mant) - 1) << mant;
            p->nan = p->inf | top >> 1 >> (in.size * 8 - 1 - mant);
        }
        if (in.kind == 'i') p->flip ^= top;
    }
    p->n = q->n;
    p->rows = q->rows;
    p->nouter = q->nouter;
    memcpy(p->shape, q->shape, sizeof p->shape);
    memcpy(p->in_outer, q->in_outer, sizeof p->in_outer);
    memcpy(p->out_outer, q->out_outer, sizeof p->out_outer);
    p->in_step = q->in_step;
    p->out_step = q->out_step;
    p->cols = gk_scan_columns(q);
    if (p->cols) gk_scan_plan_cols(p, in.size, out.size);
    else gk_scan_plan_rows(p, in.size, out.size);
}
/* What n tiles, their groups and these' groups tell. */
GK_HD constexpr int64_t gk_scan_tower(int64_t n) {
    return n + (n >> 5) + (n >> 10) + 2;
}
/* Values of 8 bytes take 16, so that each half carries a mark of its own. */
static int64_t gk_scan_states(const gk_scan_p *p) {
    if (!p->chained) return 0;
    if (!p->cols) return gk_scan_tower(p->tiles);
    const int64_t chains = p->width << p->lx;
    if (p->far)
        return chains * gk_scan_per(gk_scan_types[p->in_type].size, p->extreme)
               * gk_scan_tower(p->pieces);
    return chains * gk_scan_per(gk_scan_types[p->in_type].size, p->extreme)
           * (p->pieces + (p->group > 1 ? p->pieces / p->group : 0));
}
static size_t gk_scan_bytes(const gk_scan_p *p) {
    return (size_t)(gk_scan_states(p) * (gk_scan_types[p->in_type].kind == 'c'
                                         ? 32 : 16));
}
#endif

#if GK_PART_IS(scan_cpu)
constexpr int GK_SCAN_PART = 65536, GK_SCAN_BLOCK = 2048, GK_SCAN_COLS = 256,
              GK_SCAN_TASKS = 16;

template<int BY, class A> GK_INL A gk_scan_by2(A a, A b) {
    if constexpr (BY == GK_SCAN_ADD) return gk_add(a, b);
    else if constexpr (BY == GK_SCAN_MUL) return gk_multiply(a, b);
    else if constexpr (BY == GK_SCAN_MAX) return gk_maximum(a, b);
    else if constexpr (BY == GK_SCAN_MIN) return gk_minimum(a, b);
    else if constexpr (std::is_same<A, double>::value)
        return gk_logaddexp(a, b);
    else return a;
}

/* n elements of any dtype as the values that accumulate, and back. */
template<class A, class T>
static void gk_scan_get(A *to, const char *from, int64_t step, int n) {
    const T *x = (const T *)from;
    if (step == 1) {
        GK_EACH to[i] = gk_cast<A>(x[i]);
    } else {
        for (int i = 0; i < n; i++) to[i] = gk_cast<A>(x[i * step]);
    }
}
template<class A, class T>
static void gk_scan_put(char *to, const A *from, int64_t step, int n) {
    T *y = (T *)to;
    if (step == 1) {
        GK_EACH y[i] = gk_cast<T>(from[i]);
    } else {
        for (int i = 0; i < n; i++) y[i * step] = gk_cast<T>(from[i]);
    }
}
/* uint64 is ordered as an integer with its top bit turned. */
static constexpr uint64_t gk_scan_top = 1ull << 63;
template<class A> struct gk_scan_cpu_p {
    const ga__sc *q;
    void (*get)(A *, const char *, int64_t, int);
    void (*put)(char *, const A *, int64_t, int);
    A start;
    bool skip, turn, same;
    int in_size, out_size;
};
template<class A>
static void gk_scan_read(const gk_scan_cpu_p<A> &p, A *to, const char *from,
                         int64_t step, int n) {
    p.get(to, from, step, n);
    if constexpr (std::is_same<A, int64_t>::value) {
        if (p.turn) GK_EACH to[i] = (int64_t)((uint64_t)to[i] ^ gk_scan_top);
    } else {
        if (p.skip) GK_EACH to[i] = gk_isnan(to[i]) ? p.start : to[i];
    }
}
template<class A>
static void gk_scan_write(const gk_scan_cpu_p<A> &p, char *to, A *from,
                          int64_t step, int n) {
    if constexpr (std::is_same<A, int64_t>::value)
        if (p.turn)
            GK_EACH from[i] = (int64_t)((uint64_t)from[i] ^ gk_scan_top);
    p.put(to, from, step, n);
}

/* --- rows ----------------------------------------------------------------- */
/* What n values come to: eight chains, so that no addition waits for the one
   before it.                                                                */
template<int BY, class A>
static A gk_scan_total(const A *x, int n, A start) {
    enum { CHAINS = BY == GK_SCAN_LSE ? 1 : 8 };
    A a[CHAINS];
    int i = 0;
    for (int k = 0; k < CHAINS; k++) a[k] = start;
    if constexpr (BY == GK_SCAN_LSE) {      /* one logarithm for all        */
        A most = start, sum = 0;
        for (int j = 0; j < n; j++) most = gk_maximum(most, x[j]);
        if (most - most != 0) return most;          /* infinite, NaN        */
        for (int j = 0; j < n; j++) sum += gk_exp(x[j] - most);
        return most + gk_log(sum);
    }
    for (; i + CHAINS <= n; i += CHAINS)
        for (int k = 0; k < CHAINS; k++) a[k] = gk_scan_by2<BY>(a[k], x[i + k]);
    for (; i < n; i++) a[0] = gk_scan_by2<BY>(a[0], x[i]);
    for (int h = CHAINS / 2; h > 0; h /= 2)
        for (int k = 0; k < h; k++) a[k] = gk_scan_by2<BY>(a[k], a[k + h]);
    return a[0];
}
/* Logarithms of sums: as sums where no element is lost beside the largest. */
static bool gk_scan_exps(double *y, const double *x, int n, double *carry,
                         bool exclusive) {
    double most = *carry, least = HUGE_VAL, sum;
    for (int i = 0; i < n; i++) {
        most = x[i] > most ? x[i] : most;
        least = x[i] < least ? x[i] : least;
    }
    if (!(most - least < 32)) return false;     /* or infinite, or NaN      */
    sum = gk_exp(*carry - most);
    if (sum != sum) return false;
    const double first = *carry;
    GK_EACH y[i] = gk_exp(x[i] - most);
    for (int i = 0; i < n; i++) y[i] = sum += y[i];
    GK_EACH y[i] = most + gk_log(y[i]);
    *carry = y[n - 1];
    if (exclusive) {
        memmove(y + 1, y, (size_t)(n - 1) * sizeof *y);
        y[0] = first;
    }
    return true;
}
/* y[0 .. n): x from `carry` on; returns where it ends. Floats' sums and extremes
   go in four chains, whose starts come after, since an addition takes four
   cycles.                                                                   */
template<int BY, class A>
static A gk_scan_run(A *y, const A *x, int n, A carry, A start,
                     bool exclusive) {
    enum { CHAINS = BY == GK_SCAN_MUL || BY == GK_SCAN_LSE
                    || std::is_same<A, int64_t>::value ? 1 : 4 };
    const int m = CHAINS > 1 && n >= 64 ? n / CHAINS : 0;
    if constexpr (BY == GK_SCAN_LSE)
        if (gk_scan_exps(y, x, n, &carry, exclusive)) return carry;
    if (m) {
        A a[CHAINS];
        for (int k = 0; k < CHAINS; k++) a[k] = start;
        for (int i = 0; i < m; i++)
            for (int k = 0; k < CHAINS; k++) {
                A next = gk_scan_by2<BY>(a[k], x[k * m + i]);
                y[k * m + i] = exclusive ? a[k] : next;
                a[k] = next;
            }
        for (int k = 0; k < CHAINS; k++) {
            A *z = y + k * m;
            const A from = carry;
            for (int i = 0; i < m; i++) z[i] = gk_scan_by2<BY>(from, z[i]);
            carry = gk_scan_by2<BY>(carry, a[k]);
        }
    }
    for (int i = m * CHAINS; i < n; i++) {
        A next = gk_scan_by2<BY>(carry, x[i]);
        y[i] = exclusive ? carry : next;
        carry = next;
    }
    return carry;
}
/* Where row r starts. */
static void gk_scan_at(const ga__sc *q, int naxes, int64_t r, int64_t *in,
                       int64_t *out) {
    *in = *out = 0;
    for (int d = naxes; d-- > 0; r /= q->shape[d]) {
        const int64_t i = r % q->shape[d];
        *in += i * q->in_outer[d];
        *out += i * q->out_outer[d];
    }
}
/* Part t of a row, or with `sum` what it comes to alone. */
template<int BY, class A>
static void gk_scan_part(const gk_scan_cpu_p<A> &p, int64_t t, int64_t parts,
                         A *sums, bool sum) {
    const ga__sc *q = p.q;
    const int64_t r = t / parts, part = t - r * parts;
    int64_t i = part * GK_SCAN_PART, at, to;
    const int64_t end = i + GK_SCAN_PART < q->n ? i + GK_SCAN_PART : q->n;
    alignas(64) A x[GK_SCAN_BLOCK];
    A a = !sum && part ? sums[t - 1] : p.start;
    if (sum && part == parts - 1) return;       /* nobody asks              */
    gk_scan_at(q, q->nouter, r, &at, &to);
    const char *in = (const char *)q->in + (at + i * q->in_step) * p.in_size;
    char *out = (char *)q->out + (to + i * q->out_step) * p.out_size;
    /* where memory holds what accumulates, without a copy                   */
    const bool reads = p.same && q->in_step == 1;
    const bool writes = p.same && q->out_step == 1;
    for (int n; i < end; i += n) {
        n = (int)(end - i < GK_SCAN_BLOCK ? end - i : GK_SCAN_BLOCK);
        const A *v = reads ? (const A *)in : x;
        A *w = writes ? (A *)out : x;
        if (!reads) gk_scan_read(p, x, in, q->in_step, n);
        in += n * q->in_step * p.in_size;
        if (sum) {
            a = gk_scan_by2<BY>(a, gk_scan_total<BY>(v, n, p.start));
        } else {
            a = gk_scan_run<BY>(w, v, n, a, p.start, q->exclusive);
            if (!writes) gk_scan_write(p, out, x, q->out_step, n);
            out += n * q->out_step * p.out_size;
        }
    }
    if (sum) sums[t] = a;
}
/* Tasks of a few megabytes at a time, which the second pass finds in cache. */
template<int BY, class A> static void gk_scan_rows(const gk_scan_cpu_p<A> &p) {
    const ga__sc *q = p.q;
    const int64_t parts = gk_ceil_div(q->n, GK_SCAN_PART);
    const int64_t tasks = q->rows * parts;
    A *sums = (A *)q->use.work;
    if (parts == 1) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (q->rows * q->n > 32768)
#endif
        for (int64_t t = 0; t < tasks; t++)
            gk_scan_part<BY>(p, t, 1, sums, false);
        return;
    }
    for (int64_t t0 = 0; t0 < tasks; t0 += GK_SCAN_TASKS) {
        const int64_t t1 = t0 + GK_SCAN_TASKS < tasks ? t0 + GK_SCAN_TASKS
                                                      : tasks;
        for (int pass = 0; pass < 2; pass++) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
            for (int64_t t = t0; t < t1; t++)
                gk_scan_part<BY>(p, t, parts, sums, !pass);
            for (int64_t t = t0; t < t1 && !pass; t++)
                if (t % parts && t % parts < parts - 1)
                    sums[t] = gk_scan_by2<BY>(sums[t - 1], sums[t]);
        }
    }
}

/* --- columns --------------------------------------------------------------- */
static int64_t gk_scan_width(const ga__sc *q) {
    const int64_t n = q->shape[q->nouter - 1];
    return n < GK_SCAN_COLS ? n : GK_SCAN_COLS;
}
static int64_t gk_scan_blocks(const ga__sc *q) {
    const int64_t n = q->shape[q->nouter - 1];
    return q->rows / n * gk_ceil_div(n, gk_scan_width(q));
}
/* Rows of a part: as many elements as in a row's, all where the blocks of
   columns are work enough.                                                  */
static int64_t gk_scan_deep(const ga__sc *q) {
    return gk_scan_blocks(q) >= GK_SCAN_TASKS ? q->n
           : GK_SCAN_PART / gk_scan_width(q) + 1;
}
static bool gk_scan_across(const ga__sc *q) {
    const int64_t step = q->out_step < 0 ? -q->out_step : q->out_step;
    return q->nouter > 0 && q->shape[q->nouter - 1] >= 4
           && (q->out_outer[q->nouter - 1] < step || q->n < 16);
}
template<int BY, class A>
static void gk_scan_stack(const gk_scan_cpu_p<A> &p, int64_t t, int64_t blocks,
                          A *sums, bool sum) {
    const ga__sc *q = p.q;
    const int last = q->nouter - 1;
    const int64_t width = gk_scan_width(q), deep = gk_scan_deep(q);
    const int64_t side = gk_ceil_div(q->shape[last], width);
    const int64_t part = t / blocks, b = t - part * blocks;
    const int64_t c0 = b % side * width, first = part * deep;
    const int n = (int)(q->shape[last] - c0 < width ? q->shape[last] - c0
                                                    : width);
    const int64_t end = first + deep < q->n ? first + deep : q->n;
    int64_t at, to;
    alignas(64) A a[GK_SCAN_COLS], x[GK_SCAN_BLOCK], y[GK_SCAN_BLOCK];
    if (sum && end == q->n) return;
    gk_scan_at(q, last, b / side, &at, &to);
    at += c0 * q->in_outer[last] + first * q->in_step;
    to += c0 * q->out_outer[last] + first * q->out_step;
    /* short rows one after the other in memory: many at a time              */
    const bool dense = q->in_outer[last] == 1 && q->out_outer[last] == 1
                       && q->in_step == n && q->out_step == n;
    const int64_t most = dense ? GK_SCAN_BLOCK / n : 1;
    for (int i = 0; i < width; i++)
        a[i] = !sum && part ? sums[(t - blocks) * width + i] : p.start;
    for (int64_t r = first, m; r < end; r += m) {
        m = end - r < most ? end - r : most;
        gk_scan_read(p, x, (const char *)q->in + at * p.in_size,
                     q->in_outer[last], (int)m * n);
        for (int64_t k = 0; k < m; k++) {
            const A *v = x + k * n;
            A *w = y + k * n;
            if (q->exclusive) memcpy(w, a, (size_t)n * sizeof *w);
            GK_EACH a[i] = gk_scan_by2<BY>(a[i], v[i]);
            if (!q->exclusive) memcpy(w, a, (size_t)n * sizeof *w);
        }
        if (!sum)
            gk_scan_write(p, (char *)q->out + to * p.out_size, y,
                          q->out_outer[last], (int)m * n);
        at += m * q->in_step;
        to += m * q->out_step;
    }
    for (int i = 0; i < width && sum; i++) sums[t * width + i] = a[i];
}
template<int BY, class A> static void gk_scan_cols(const gk_scan_cpu_p<A> &p) {
    const ga__sc *q = p.q;
    const int64_t width = gk_scan_width(q), blocks = gk_scan_blocks(q);
    const int64_t tasks = blocks * gk_ceil_div(q->n, gk_scan_deep(q));
    A *sums = (A *)q->use.work;
    if (tasks == blocks) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (q->rows * q->n > 32768)
#endif
        for (int64_t t = 0; t < tasks; t++)
            gk_scan_stack<BY>(p, t, blocks, sums, false);
        return;
    }
    const int64_t some = gk_ceil_div(GK_SCAN_TASKS, blocks) * blocks;
    for (int64_t t0 = 0; t0 < tasks; t0 += some) {
        const int64_t t1 = t0 + some < tasks ? t0 + some : tasks;
        for (int pass = 0; pass < 2; pass++) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
            for (int64_t t = t0; t < t1; t++)
                gk_scan_stack<BY>(p, t, blocks, sums, !pass);
            for (int64_t i = t0 * width; i < t1 * width && !pass; i++)
                if (i >= blocks * width && i < (tasks - blocks) * width)
                    sums[i] = gk_scan_by2<BY>(sums[i - blocks * width],
                                              sums[i]);
        }
    }
}

template<int BY, class A> static void gk_scan_way(const gk_scan_cpu_p<A> &p) {
    if (gk_scan_across(p.q)) gk_scan_cols<BY>(p);
    else gk_scan_rows<BY>(p);
}
template<class A> static void gk_scan_op(const gk_scan_cpu_p<A> &p) {
    switch (gk_scan_table[p.q->op].by) {
    case GK_SCAN_ADD: gk_scan_way<GK_SCAN_ADD>(p); break;
    case GK_SCAN_MUL: gk_scan_way<GK_SCAN_MUL>(p); break;
    case GK_SCAN_MAX: gk_scan_way<GK_SCAN_MAX>(p); break;
    case GK_SCAN_MIN: gk_scan_way<GK_SCAN_MIN>(p); break;
    default:
        if constexpr (std::is_same<A, double>::value)
            gk_scan_way<GK_SCAN_LSE>(p);
    }
}
extern "C" void gk_cpu_scan(const ga__sc *q) {
    const gk_scan_kind k = gk_scan_types[q->in_type];
    const bool skip = gk_scan_table[q->op].nans == GK_SCAN_SKIP;
    const int is = k.size, os = gk_scan_types[q->out_type].size;
#define GK_SCAN_GO(A, start, turn, T, U) {                                   \
        const bool same = std::is_same<A, T>::value && !skip && !turn;       \
        gk_scan_cpu_p<A> p = {q, gk_scan_get<A, T>, gk_scan_put<A, U>, start, \
                              skip, turn, same, is, os};                     \
        gk_scan_op(p);                                                       \
        break;                                                               \
    }
#define GK_SCAN_INT(T)                                                       \
    if (os == is) GK_SCAN_GO(int64_t, gk_scan_start_int(q), turn, T, T)      \
    GK_SCAN_GO(int64_t, gk_scan_start_int(q), turn, T, int64_t)
    const bool turn = q->in_type == GA_UINT64
                      && gk_scan_table[q->op].by >= GK_SCAN_MAX;
    const double start = gk_scan_start(q);
    const gk_c128 zstart = {start, gk_scan_table[q->op].by >= GK_SCAN_MAX
                                   ? start : 0};
    switch (q->in_type) {
    case GA_BOOL: GK_SCAN_INT(bool)
    case GA_INT8: GK_SCAN_INT(int8_t)
    case GA_INT16: GK_SCAN_INT(int16_t)
    case GA_INT32: GK_SCAN_INT(int32_t)
    case GA_UINT8: GK_SCAN_INT(uint8_t)
    case GA_UINT16: GK_SCAN_INT(uint16_t)
    case GA_UINT32: GK_SCAN_INT(uint32_t)
    case GA_INT64: case GA_UINT64:
        GK_SCAN_GO(int64_t, gk_scan_start_int(q), turn, int64_t, int64_t)
    case GA_FLOAT16: GK_SCAN_GO(double, start, false, gk_f16, gk_f16)
    case GA_BFLOAT16: GK_SCAN_GO(double, start, false, gk_bf16, gk_bf16)
    case GA_FLOAT32: GK_SCAN_GO(double, start, false, float, float)
    case GA_FLOAT64: GK_SCAN_GO(double, start, false, double, double)
    case GA_COMPLEX64: GK_SCAN_GO(gk_c128, zstart, false, gk_c64, gk_c64)
    default: GK_SCAN_GO(gk_c128, zstart, false, gk_c128, gk_c128)
    }
#undef GK_SCAN_INT
#undef GK_SCAN_GO
}
extern "C" size_t gk_scan_work(const ga__sc *q, int mps) {
    if (mps) {
        gk_scan_p p;
        gk_scan_plan(&p, q);
        return p.chained ? gk_scan_bytes(&p) + 16 : 0;
    }
    const size_t each = gk_scan_types[q->in_type].kind == 'c' ? 16 : 8;
    if (!gk_scan_across(q)) {
        const int64_t parts = gk_ceil_div(q->n, GK_SCAN_PART);
        return parts > 1 ? (size_t)(q->rows * parts) * each : 0;
    }
    const int64_t parts = gk_ceil_div(q->n, gk_scan_deep(q));
    return parts > 1 ? (size_t)(gk_scan_blocks(q) * parts * gk_scan_width(q))
                       * each : 0;
}
#endif

/* =============================================================== >>scan-cuda */
#if !defined(GPUARR_NO_CUDA) && (GK_PART_IS(scan_cuda) \
    || GK_PART_IS(scan_int) || GK_PART_IS(scan_most))
/* --- GPU: elements ---------------------------------------------------------- */
template<int B> struct gk_scan_i {
    typedef typename gk_uint<B>::u raw;
    typedef int64_t val;
    static constexpr bool widens = B < 8, single = false;
    static __device__ val get(raw r, const gk_scan_p &p) {
        if (B == 1 && p.in_type == GA_BOOL) return r != 0;
        if (B == 8) return (val)r;
        return (val)(((uint64_t)r ^ p.sign) - p.sign);
    }
    static __device__ raw put(val v, const gk_scan_p &) { return (raw)v; }
    static __device__ val start(const gk_scan_p &p) { return p.istart; }
};
/* Extremes of real numbers: the largest of unsigned keys, in the order that is
   wanted, NaN above all.                                                    */
template<int B> struct gk_scan_x {
    typedef typename gk_uint<B>::u raw;
    typedef typename gk_uint<B < 8 ? 4 : 8>::u val;
    static constexpr bool widens = false, single = false;
    static __device__ val get(raw r, const gk_scan_p &p) {
        const raw top = (raw)p.top, flip = (raw)p.flip;
        if (B == 1 && p.in_type == GA_BOOL) r = r != 0;
        if (!p.real) return (raw)(r ^ flip);
        const raw key = (raw)((r & top ? ~r : r | top) ^ flip);
        return (raw)(r & ~top) > (raw)p.inf ? (raw)~(raw)0 : key;
    }
    static __device__ raw put(val v, const gk_scan_p &p) {
        const raw top = (raw)p.top, r = (raw)((raw)v ^ (raw)p.flip);
        if (!p.real) return r;
        if ((raw)v == (raw)~(raw)0) return (raw)p.nan;
        return (raw)(r & top ? r & ~top : ~r);
    }
    static __device__ val start(const gk_scan_p &p) {
        return p.real ? (val)(p.top - 1 - p.inf) : (val)0;
    }
};
template<class T> struct gk_scan_f {
    typedef T raw;
    typedef double val;
    static constexpr bool widens = false, single = sizeof(T) == 4;
    static __device__ float near(raw r, const gk_scan_p &p) {
        return p.skip && r != r ? 0.0f : (float)r;
    }
    static __device__ raw round(float v, const gk_scan_p &) { return v; }
    static __device__ val get(raw r, const gk_scan_p &p) {
        return p.skip && r != r ? p.start : (double)r;
    }
    static __device__ raw put(val v, const gk_scan_p &) { return (raw)v; }
    static __device__ val start(const gk_scan_p &p) { return p.start; }
};
struct gk_scan_h {
    typedef uint16_t raw;
    typedef double val;
    static constexpr bool widens = false, single = true;
    static __device__ float near(raw r, const gk_scan_p &p) {
        float f = p.in_type == GA_FLOAT16 ? gk_from_f16(gk_f16{r})
                                          : gk_from_bf16(gk_bf16{r});
        return p.skip && f != f ? 0.0f : f;
    }
    static __device__ raw round(float v, const gk_scan_p &p) {
        return p.in_type == GA_FLOAT16 ? gk_to_f16(v).bits : gk_to_bf16(v).bits;
    }
    static __device__ val get(raw r, const gk_scan_p &p) {
        float f = p.in_type == GA_FLOAT16 ? gk_from_f16(gk_f16{r})
                                          : gk_from_bf16(gk_bf16{r});
        return p.skip && f != f ? p.start : (double)f;
    }
    static __device__ raw put(val v, const gk_scan_p &p) {
        return round((float)v, p);
    }
    static __device__ val start(const gk_scan_p &p) { return p.start; }
};
template<class R> struct gk_scan_c {
    typedef gk_complex<R> raw;
    typedef gk_c128 val;
    static constexpr bool widens = false, single = false;
    static __device__ val get(raw r, const gk_scan_p &p) {
        return p.skip && gk_isnan(r) ? start(p) : val{r.re, r.im};
    }
    static __device__ raw put(val v, const gk_scan_p &) {
        return raw{(R)v.re, (R)v.im};
    }
    static __device__ val start(const gk_scan_p &p) {
        return val{p.start, p.by >= GK_SCAN_MAX ? p.start : 0};
    }
};

/* What is not a sum: a call, since it stands in many loops. */
template<class A>
static __device__ __noinline__ A gk_scan_other(int by, A a, A b) {
    switch (by) {
    case GK_SCAN_MUL: return gk_multiply(a, b);
    case GK_SCAN_MAX: if constexpr (sizeof(A) > 8) return gk_maximum(a, b);
        break;
    case GK_SCAN_MIN: if constexpr (sizeof(A) > 8) return gk_minimum(a, b);
        break;
    default: break;
    }
    if constexpr (std::is_same<A, double>::value) {
        if (by == GK_SCAN_LSE) return gk_logaddexp(a, b);
        /* for results in single precision the correction, below ln 2, too   */
        double d = a - b, m = d > 0 ? a : b;
        double r = m + (double)log1pf(expf(-(float)fabs(d)));
        r = a == b ? a + gk_fpk<double>::ln2 : r;
        return d != d && a != b ? d : r;
    }
    return a;
}
template<class A>
static __device__ __forceinline__ A gk_scan_join(const gk_scan_p &p, A a, A b) {
    if constexpr (std::is_unsigned<A>::value) return a > b ? a : b;
    else return p.by == GK_SCAN_ADD ? gk_add(a, b) : gk_scan_other(p.by, a, b);
}
/* A running sum in double as two floats, for a few elements to be added to. */
struct gk_scan_pair {
    float hi, lo;
    __device__ gk_scan_pair(double v) : hi((float)v), lo(0) {
        if (hi - hi == 0) lo = (float)(v - (double)hi);
    }
    __device__ float plus(float f) const { return hi + (lo + f); }
};
enum { GK_SCAN_NEAR = 16 };         /* elements added in float              */

/* What a thread goes through its elements with: of a value that accumulates a
   state, the next one, and the value again.                                 */
template<class A, class F> struct gk_scan_joined {
    F join;
    typedef A state;
    __device__ A begin(A a) const { return a; }
    __device__ A next(A a, A x) const { return join(a, x); }
    __device__ A end(A a) const { return a; }
};
template<class A, class F>
static __device__ __forceinline__ gk_scan_joined<A, F> gk_scan_joining(F f) {
    return gk_scan_joined<A, F>{f};
}
/* Logarithms of sums in single precision: of `sum` times e**most, where `sum`
   is 1 or more, but for rounding.                                           */
struct gk_scan_exps {
    struct state { float most, sum; };
    __device__ state begin(double a) const {
        const float m = (float)a;
        return state{m, m - m == 0 ? expf((float)(a - m)) : m == m ? 1 : m};
    }
    __device__ state next(state s, double e) const {
        const float x = (float)e, d = x - s.most;
        const float by = x == s.most ? 1 : expf(-fabsf(d));
        return d > 0 ? state{x, s.sum * by + 1} : state{s.most, s.sum + by};
    }
    __device__ double end(state s) const {
        return (double)s.most + (double)logf(s.sum);
    }
};
/* Products of halves, whose range single precision exceeds by far. */
struct gk_scan_products {
    typedef float state;
    __device__ float begin(double a) const { return (float)a; }
    __device__ float next(float s, double e) const { return s * (float)e; }
    __device__ double end(float s) const { return s; }
};
/* f(way, starts), with a plain addition for sums; `starts`: rows may start
   among what it goes through.                                               */
template<class E, class F>
static __device__ __forceinline__ void gk_scan_with(const gk_scan_p &p,
                                                    bool starts, F f) {
    typedef typename E::val A;
    if constexpr (std::is_unsigned<A>::value) {
        auto most = [](A a, A b) { return a > b ? a : b; };
        if (starts) f(gk_scan_joining<A>(most), std::true_type());
        else f(gk_scan_joining<A>(most), std::false_type());
        return;
    }
    auto add = [](A a, A b) { return gk_add(a, b); };
    auto other = [&](A a, A b) {
        if constexpr (sizeof(A) == 8)
            if (p.by == GK_SCAN_MUL) return gk_multiply(a, b);
        return gk_scan_other(p.by, a, b);
    };
    if constexpr (E::single)
        if (p.by == GK_SCAN_LSE_SINGLE) {
            f(gk_scan_exps(), std::true_type());
            return;
        }
    if constexpr (sizeof(typename E::raw) == 2 && E::single)
        if (p.by == GK_SCAN_MUL) {
            f(gk_scan_products(), std::true_type());
            return;
        }
    if (p.by != GK_SCAN_ADD)
        f(gk_scan_joining<A>(other), std::true_type());
    else if (starts) f(gk_scan_joining<A>(add), std::true_type());
    else f(gk_scan_joining<A>(add), std::false_type());
}

/* --- GPU: what tiles tell each other ---------------------------------------- */
static __device__ __forceinline__ void gk_scan_tell8(uint64_t *at,
                                                     uint64_t v) {
    const uint64_t mark = 1ull << 32;
    uint64_t lo = (uint32_t)v | mark, hi = v >> 32 | mark;
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};"
                 :: "l"(at), "l"(lo), "l"(hi) : "memory");
}
static __device__ __forceinline__ bool gk_scan_told8(const uint64_t *at,
                                                     uint64_t *v) {
    uint64_t lo, hi;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(lo), "=l"(hi) : "l"(at) : "memory");
    *v = (uint32_t)lo | hi << 32;
    return (lo & hi) >> 32 != 0;
}
/* Entry i of an array of values of type A, each of so many words. */
template<class A> static constexpr int gk_scan_words = sizeof(A) > 8 ? 4 : 2;
template<class A>
static __device__ __forceinline__ void gk_scan_tell(uint64_t *s, int64_t i,
                                                    A v) {
    if constexpr (std::is_unsigned<A>::value) {
        gk_scan_tell8(s + 2 * i, v);
    } else if constexpr (sizeof(A) == 8) {
        gk_scan_tell8(s + 2 * i, gk_bits<uint64_t>(v));
    } else {
        gk_scan_tell8(s + 4 * i, gk_bits<uint64_t>(v.re));
        gk_scan_tell8(s + 4 * i + 2, gk_bits<uint64_t>(v.im));
    }
}
template<class A>
static __device__ __forceinline__ bool gk_scan_told(const uint64_t *s,
                                                    int64_t i, A *v) {
    uint64_t a, b = 0;
    bool ok;
    if constexpr (std::is_unsigned<A>::value) {
        ok = gk_scan_told8(s + 2 * i, &a);
        *v = (A)a;
    } else if constexpr (sizeof(A) == 8) {
        ok = gk_scan_told8(s + 2 * i, &a);
        *v = gk_bits<A>(a);
    } else {
        ok = gk_scan_told8(s + 4 * i, &a);
        ok = gk_scan_told8(s + 4 * i + 2, &b) && ok;
        v->re = gk_bits<double>(a);
        v->im = gk_bits<double>(b);
    }
    return ok;
}
template<class A> static __device__ __forceinline__ A gk_scan_move(A v, int d,
                                                                   bool up) {
    if constexpr (sizeof(A) == 16)
        return A{gk_scan_move(v.re, d, up), gk_scan_move(v.im, d, up)};
    else
        return up ? __shfl_up_sync(0xffffffffu, v, d)
                  : __shfl_xor_sync(0xffffffffu, v, d);
}
/* All lanes' values, as a tree of fixed shape. */
template<class A>
static __device__ __forceinline__ A gk_scan_tree(const gk_scan_p &p, A v) {
#pragma unroll 1
    for (int d = 1; d < 32; d *= 2)
        v = gk_scan_join(p, v, gk_scan_move(v, d, false));
    return v;
}
/* One warp, `tiles` of a chain whose tower is `state`: the tile's number is
   `tile`, what it comes to since the last start of a row `mine`; the row of its first element starts in tile `from`, that of
   its last one in `head`. Tells it, and returns what lies before the tile in
   its first row. All that may be there already is read at once.             */
template<class A>
static __device__ A gk_scan_before(const gk_scan_p &p, uint64_t *state,
                                   int64_t tiles, int64_t tile, int64_t from,
                                   int64_t head, bool starts, A none, A mine) {
    const int lane = threadIdx.x & 31;
    const int64_t g = tile >> 5, s = tile >> 10;
    uint64_t *group = state + tiles * gk_scan_words<A>;
    uint64_t *super = group + (tiles / 32 + 1) * gk_scan_words<A>;
    if (lane == 0) gk_scan_tell(state, tile, mine);

    const int64_t at = g * 32 + lane, gat = s * 32 + lane;
    const bool ends = (tile & 31) == 31, far = (tile & 1023) == 1023;
    const bool far_back = !starts && from < g * 32;
    const bool want = at < tile && at >= from && !starts;
    const bool gwant = far_back && gat < g && gat >= from >> 5;
    const bool swant = far_back && from < s * 1024;
    A v = none, gv = none, sv = none;
    bool got = !want, ggot = !gwant, sgot = !swant;
    do {
        if (!ggot) ggot = gk_scan_told(group, gat, &gv);
        if (!sgot) sgot = gk_scan_told(super, s, &sv);
        if (!got) got = gk_scan_told(state, at, &v);
    } while (!__all_sync(0xffffffffu, got));
    A before = gk_scan_tree(p, want ? v : none), whole = mine;
    if (ends) {
        if (head < tile) whole = gk_scan_tree(p, at == tile ? mine
                                              : at >= head ? v : none);
        if (lane == 0) gk_scan_tell(group, g, whole);
    }
    if (far_back) {
        while (!__all_sync(0xffffffffu, ggot))
            if (!ggot) ggot = gk_scan_told(group, gat, &gv);
        before = gk_scan_join(p, gk_scan_tree(p, gwant ? gv : none), before);
        if (far && head < g * 32)
            whole = gk_scan_tree(p, gat == g ? whole
                                 : gat >= head >> 5 ? gv : none);
        if (swant) {
            while (!sgot) sgot = gk_scan_told(super, s, &sv);
            before = gk_scan_join(p, sv, before);
            if (head < s * 1024) whole = gk_scan_join(p, sv, whole);
        }
    }
    if (far && lane == 0) gk_scan_tell(super, s + 1, whole);
    return before;
}

/* --- GPU: rows ---------------------------------------------------------------- */
/* Piece i of a tile lies so that neighbours in a thread and in a warp are in
   different banks.                                                          */
static __device__ __forceinline__ int gk_scan_bank(int i) {
    return i ^ (i >> 3 & 7);
}
/* Where element i, counted over all rows, lies in its own. */
static __device__ __forceinline__ int64_t gk_scan_in_row(const gk_scan_p &p,
                                                         int64_t i) {
    if (p.total == p.n) return i;
    return p.total >> 31 ? i % p.n : (uint32_t)i % (uint32_t)p.n;
}
static __device__ __noinline__ int64_t gk_scan_off(const gk_scan_p &p,
                                                      int64_t i, bool in) {
    const int64_t *outer = in ? p.in_outer : p.out_outer;
    int64_t row, at;
    if (p.total >> 31) {
        row = i / p.n;
        at = (i - row * p.n) * (in ? p.in_step : p.out_step);
    } else {
        row = (uint32_t)i / (uint32_t)p.n;
        at = (i - row * p.n) * (in ? p.in_step : p.out_step);
    }
    for (int d = p.nouter - 1; d > 0; d--) {
        int64_t up = row / p.shape[d];
        at += (row - up * p.shape[d]) * outer[d];
        row = up;
    }
    return p.nouter ? at + row * outer[0] : at;
}
/* To shared memory, without a register: 4, 8 or 16 bytes. */
template<class V>
static __device__ __forceinline__ void gk_scan_fetch(V *to, const void *from) {
#if __CUDA_ARCH__ >= 800
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);
    if constexpr (sizeof(V) == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :: "r"(at), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                     :: "r"(at), "l"(from), "n"((int)sizeof(V)) : "memory");
#else
    *to = *(const V *)from;
#endif
}
static __device__ __forceinline__ void gk_scan_fetched() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
/* A tile between global and shared memory, elements of type S. */
template<class S, bool LOAD>
static __device__ __forceinline__ void gk_scan_swap(const gk_scan_p &p,
                                                    uint4 *tile, int64_t first,
                                                    int size) {
    enum { PER = 16 / sizeof(S) };
    const int t = threadIdx.x;
    char *base = LOAD ? (char *)(uintptr_t)p.in : p.out;
    if (LOAD ? p.vec_in : p.vec_out) {
        const int64_t at = p.back ? p.total - first - size : first;
        for (int i = t; i < size / PER; i += GK_SCAN_T) {
            const int64_t e = at + i * PER;
            char *a = base + e * (int64_t)sizeof(S);
            uint4 *b = tile + gk_scan_bank(i);
            if (e < 0 || e >= p.total) continue;
            if (e + PER <= p.total) {
                if (LOAD) gk_scan_fetch(b, a);
                else *(uint4 *)a = *b;
            } else {
                for (int k = 0; e + k < p.total; k++)
                    if (LOAD) ((S *)b)[k] = ((const S *)a)[k];
                    else ((S *)a)[k] = ((const S *)b)[k];
            }
        }
        return;
    }
    const bool flat = LOAD ? p.flat_in : p.flat_out;
    for (int i = t; i < size && first + i < p.total; i += GK_SCAN_T) {
        S *b = (S *)(tile + gk_scan_bank(i / PER)) + i % PER;
        S *a = (S *)base + (flat ? first + i : gk_scan_off(p, first + i, LOAD));
        if (!LOAD) *a = *b;
        else if constexpr (sizeof(S) >= 4) gk_scan_fetch(b, a);
        else *b = *a;
    }
}
/* Four values of a lane and of its neighbour, `apart` from each other, of which
   the odd lane stores the second halves: 32 bytes at a time, as the memory
   takes them.                                                               */
static __device__ __forceinline__ void gk_scan_paired(int64_t *to,
                                                      const int64_t *z,
                                                      int lane, int apart) {
    const bool odd = lane & 1;
    const unsigned both = 3u << (lane & 30);
    const int64_t a = __shfl_xor_sync(both, odd ? z[0] : z[2], 1);
    const int64_t b = __shfl_xor_sync(both, odd ? z[1] : z[3], 1);
    int64_t *w = (odd ? to - apart : to) + 2 * odd;
    *(longlong2 *)w = odd ? make_longlong2(a, b) : make_longlong2(z[0], z[1]);
    *(longlong2 *)(w + apart) = odd ? make_longlong2(z[2], z[3])
                                    : make_longlong2(a, b);
}
template<class E>
__global__ void __launch_bounds__(GK_SCAN_T, GK_RESIDENT(
    (std::is_integral<typename E::val>::value ? 5 : 4)))
gk_scan_rows(const __grid_constant__ gk_scan_p p) {
    typedef typename E::raw raw;
    typedef typename E::val A;
    enum { PER = 16 / sizeof(raw) };
    extern __shared__ uint4 gk_scan_tile[];
    __shared__ A warps[GK_SCAN_T / 32], before;
    __shared__ bool heads[GK_SCAN_T / 32];
    __shared__ unsigned ticket;
    const int t = threadIdx.x, lane = t & 31, w = t >> 5;
    const int items = p.chunks * PER, size = items * GK_SCAN_T;
    uint4 *const in = gk_scan_tile;
    uint4 *const wide = in + GK_SCAN_T * p.chunks;
    if (p.chained && t == 0) ticket = atomicAdd(p.ticket, 1u);
    if (p.chained) __syncthreads();
    const int64_t tile = p.chained ? ticket : blockIdx.x, first = tile * size;
    gk_scan_swap<raw, true>(p, in, first, size);

    /* where its elements are in their row, while they come                  */
    const A none = E::start(p);
    const int long_row = p.n < 1 << 30 ? (int)p.n : 1 << 30;
    const int64_t at = gk_scan_in_row(p, first + t * items);
    const int64_t rest = p.n - at;
    const int begin = rest < 1 << 30 ? (int)rest : 1 << 30;
    /* sums in single precision: floats are added to neighbours of one row   */
    const bool near = E::single && p.by == GK_SCAN_ADD && begin >= items;
    const int chunk = (p.back ? GK_SCAN_T - 1 - t : t) * p.chunks;
    int64_t from = 0, head_of = 0;
    bool whole_row = at == 0;
    if (p.chained && w == 0) {      /* lane 0: the tile's first, 1: its last */
        const int64_t last = first + size < p.total ? first + size : p.total;
        const int64_t place = lane == 1 ? last - 1 : first;
        const int64_t tile_of = (place - gk_scan_in_row(p, place)) / size;
        from = __shfl_sync(0xffffffffu, tile_of, 0);
        head_of = __shfl_sync(0xffffffffu, tile_of, 1);
        whole_row = __shfl_sync(0xffffffffu, whole_row, 0);
    }
    gk_scan_fetched();
    __syncthreads();

    /* what they come to since the last start of a row                       */
    A a = none;
    bool head = at == 0;
    gk_scan_with<E>(p, begin < items, [&](auto way, auto starts) {
        auto s = way.begin(none);
        int left = begin;
#pragma unroll (PER > 4 ? 1 : 2)
        for (int c = 0; c < p.chunks; c++) {
            const uint4 q = in[gk_scan_bank(chunk + (p.back ? p.chunks - 1 - c
                                                            : c))];
            raw r[PER];
            memcpy(r, &q, 16);
#pragma unroll
            for (int k = 0; k < PER; k++) {
                if constexpr (decltype(starts)::value) {
                    if (left == 0)
                        s = way.begin(none), left = long_row, head = true;
                    left--;
                }
                s = way.next(s, E::get(p.back ? r[PER - 1 - k] : r[k], p));
            }
        }
        a = way.end(s);
    });

    /* and those of the threads before it: in the warp, in the block         */
    const unsigned starts = __ballot_sync(0xffffffffu, head);
    const unsigned upto = starts & (0xffffffffu >> (31 - lane));
    const int since = upto ? 31 - __clz(upto) : 0;
    A sum = a;
#pragma unroll 1
    for (int d = 1; d < 32; d *= 2) {
        A up = gk_scan_move(sum, d, true);
        if (lane - d >= since) sum = gk_scan_join(p, up, sum);
    }
    A carry = gk_scan_move(sum, 1, true);
    if (lane == 0) carry = none;
    if (lane == 31) warps[w] = sum, heads[w] = starts != 0;
    __syncthreads();
    if (p.chained && w == 0) {
        A all = none;
#pragma unroll 2
        for (int k = 0; k < GK_SCAN_T / 32; k++)
            all = heads[k] ? warps[k] : gk_scan_join(p, all, warps[k]);
        A v = gk_scan_before(p, p.state, p.tiles, tile, from, head_of,
                             whole_row, none, all);
        if (lane == 0) before = v;
    }
    if (p.chained) __syncthreads();
    if (!(starts & ((1u << lane) - 1u))) {
        A far = p.chained ? before : none;
#pragma unroll 2
        for (int k = 0; k < w; k++)
            far = heads[k] ? warps[k] : gk_scan_join(p, far, warps[k]);
        carry = gk_scan_join(p, far, carry);
    }

    if (at == 0) carry = none;
    if constexpr (E::single) if (near) {
        double b = carry;
        gk_scan_pair far(b);
        float f = 0;
#pragma unroll 2
        for (int c = 0; c < p.chunks; c++) {
            const int piece = gk_scan_bank(chunk + (p.back ? p.chunks - 1 - c
                                                           : c));
            uint4 q = in[piece];
            raw r[PER], y[PER];
            memcpy(r, &q, 16);
#pragma unroll
            for (int k = 0; k < PER; k++) {
                float next = f + E::near(p.back ? r[PER - 1 - k] : r[k], p);
                y[k] = E::round(far.plus(p.exclusive ? f : next), p);
                f = next;
            }
#pragma unroll
            for (int k = 0; k < PER; k++) r[k] = p.back ? y[PER - 1 - k] : y[k];
            memcpy(&q, r, 16);
            in[piece] = q;
            if ((c + 1) * PER % GK_SCAN_NEAR == 0)
                b += (double)f, far = gk_scan_pair(b), f = 0;
        }
    }
    /* both of a pair of threads are inside                                  */
    const bool full = first + ((t | 1) + 1) * (int64_t)items <= p.total;
    if (!near)
    gk_scan_with<E>(p, begin < items, [&](auto way, auto starts) {
        int left = begin;
        auto b = way.begin(carry);
#pragma unroll (PER > 4 ? 1 : 2)
        for (int c = 0; c < p.chunks; c++) {
            const int piece = chunk + (p.back ? p.chunks - 1 - c : c);
            const uint4 q = in[gk_scan_bank(piece)];
            raw r[PER];
            A y[PER];
            memcpy(r, &q, 16);
#pragma unroll
            for (int k = 0; k < PER; k++) {
                if constexpr (decltype(starts)::value) {
                    if (left == 0) b = way.begin(none), left = long_row;
                    left--;
                }
                auto next = way.next(b, E::get(p.back ? r[PER - 1 - k] : r[k],
                                               p));
                y[k] = way.end(p.exclusive ? b : next);
                b = next;
            }
            if constexpr (E::widens)
                if (p.direct) {
                    const int64_t e = first + t * items + c * PER;
                    int64_t *w = (int64_t *)p.out + e;
#pragma unroll
                    for (int k = 0; k < PER; k += 4)
                        if (full) gk_scan_paired(w + k, y + k, lane, items);
                        else for (int i = k; i < k + 4; i++)
                            if (e + i < p.total) w[i] = y[i];
                    continue;
                } else if (p.wide) {
#pragma unroll
                    for (int k = 0; k < PER; k += 2)
                        *(longlong2 *)(wide + gk_scan_bank(
                            piece * (PER / 2) + k / 2)) = p.back
                                ? make_longlong2(y[PER - 1 - k], y[PER - 2 - k])
                                : make_longlong2(y[k], y[k + 1]);
                    continue;
                }
#pragma unroll
            for (int k = 0; k < PER; k++)
                r[k] = E::put(p.back ? y[PER - 1 - k] : y[k], p);
            memcpy(&in[gk_scan_bank(piece)], r, 16);
        }
    });
    if (E::widens && p.direct) return;
    __syncthreads();
    if (E::widens && p.wide)
        gk_scan_swap<int64_t, false>(p, wide, first, size);
    else gk_scan_swap<raw, false>(p, in, first, size);
}

/* --- GPU: columns ------------------------------------------------------------- */
/* n elements of rows of `run` bytes, adjoining in memory; in the tile 16 bytes
   lie between what different threads take.                                  */
template<class S, bool LOAD>
static __device__ __forceinline__ void gk_scan_dense(S *memory, int run,
                                                     int n) {
    extern __shared__ uint4 gk_scan_tile[];
    constexpr int PER = 16 / sizeof(S);
    for (int i = threadIdx.x; i * PER < n; i += GK_SCAN_CT) {
        uint4 *b = gk_scan_tile + i + i / run;
        S *a = memory + i * PER;
        if ((i + 1) * PER <= n) {
            if (LOAD) gk_scan_fetch(b, a);
            else *(uint4 *)a = *b;
        } else {
            for (int k = 0; i * PER + k < n; k++)
                if (LOAD) ((S *)b)[k] = a[k];
                else a[k] = ((const S *)b)[k];
        }
    }
}
template<int B> struct gk_scan_vec { typedef uint4 type; };
template<> struct gk_scan_vec<8> { typedef uint2 type; };
template<> struct gk_scan_vec<4> { typedef uint32_t type; };
template<class E>
__global__ void __launch_bounds__(GK_SCAN_CT, GK_RESIDENT(6))
gk_scan_cols(const __grid_constant__ gk_scan_p p) {
    typedef typename E::raw raw;
    typedef typename E::val A;
    enum { PER = gk_scan_per(sizeof(raw), std::is_unsigned<A>::value),
           R = GK_SCAN_R };
    typedef typename gk_scan_vec<PER * sizeof(raw)>::type vec;
    extern __shared__ uint4 gk_scan_tile[];
    __shared__ unsigned ticket;
    const int t = threadIdx.x, lane = t & 31;
    const int cx = 1 << p.lx, x = t & (cx - 1), y = t >> p.lx, nc = cx * PER;
    const int span = cx < 32 ? 32 : cx, levels = GK_SCAN_CT / span;
    const int level = t / span;
    A *const sums = (A *)((vec *)gk_scan_tile + GK_SCAN_CT * R);
    A *const carries = sums + levels * nc;  /* behind [levels][nc] of sums  */
    if (p.chained && t == 0) ticket = atomicAdd(p.ticket, 1u);
    if (p.chained) __syncthreads();
    const int64_t tile = p.chained ? ticket : blockIdx.x;
    const int64_t piece = tile / p.width, block = tile - piece * p.width;
    int64_t o = block / p.side, c0 = (block - o * p.side) * nc;
    int64_t from = c0 * p.in_col, to = c0 * p.out_col;
    for (int d = p.nouter; d-- > 0;) {
        const int64_t up = o / p.shape[d], i = o - up * p.shape[d];
        from += i * p.in_outer[d];
        to += i * p.out_outer[d];
        o = up;
    }
    /* element e of a thread: neighbours where they come as a vector, else
       where the warp's neighbours adjoin                                   */
    const bool vec_in = p.vec_in || p.dense;
    const int ex = vec_in ? x * PER : x, es = vec_in ? 1 : cx;
    const int64_t ic = p.in_col, oc = p.out_col;
    const int64_t row = (piece * (GK_SCAN_CT >> p.lx) + y) * R;
    const int rows = p.n - row < R ? (int)(p.n - row) : R;  /* or negative   */
    const int cols = p.columns - c0 < nc ? (int)(p.columns - c0) : nc;
    const raw *in = (const raw *)p.in + from + row * p.in_step + ex * ic;
    vec *const mine = (vec *)gk_scan_tile + (y * R << p.lx) + x;
    const int width = (int)p.columns, run = width * (int)sizeof(raw);
    raw *const dense = (raw *)((char *)gk_scan_tile + y * (run * R + 16)) + ex;
    const int64_t first = piece * (GK_SCAN_CT >> p.lx) * R;
    const int64_t left = (p.n - first) * p.columns;
    const int most = (GK_SCAN_CT >> p.lx) * R * width;
    const int dense_n = left < most ? (int)left : most;
    auto read = [&](raw *v, int r) {
        if (!p.dense) memcpy(v, mine + (r << p.lx), PER * sizeof(raw));
        else
#pragma unroll
            for (int e = 0; e < PER; e++) v[e] = dense[r * width + e];
    };
    if (p.dense)
        gk_scan_dense<raw, true>((raw *)p.in + from + first * p.columns, run,
                                 dense_n);
#pragma unroll 1
    for (int r = 0; r < rows && !p.dense; r++, in += p.in_step) {
        vec *q = mine + (r << p.lx);
        if (!p.vec_in) {
            for (int e = 0; e < PER; e++) {
                if (ex + e * es >= cols) break;
                if constexpr (sizeof(raw) >= 4)
                    gk_scan_fetch((raw *)q + e, in + e * es * ic);
                else ((raw *)q)[e] = in[e * es * ic];
            }
        } else if (ex < cols) {
            gk_scan_fetch(q, in);
        }
    }
    gk_scan_fetched();
    const A none = E::start(p);
    A a[PER], carry[PER];
#pragma unroll
    for (int e = 0; e < PER; e++) a[e] = none;
    const bool near = E::single && p.by == GK_SCAN_ADD;
    gk_scan_with<E>(p, false, [&](auto way, auto) {
        typename decltype(way)::state s[PER];
#pragma unroll
        for (int e = 0; e < PER; e++) s[e] = way.begin(none);
#pragma unroll 2
        for (int r = 0; r < rows; r++) {
            raw v[PER];
            read(v, r);
#pragma unroll
            for (int e = 0; e < PER; e++)
                s[e] = way.next(s[e], E::get(v[e], p));
        }
#pragma unroll
        for (int e = 0; e < PER; e++) a[e] = way.end(s[e]);
    });
#pragma unroll
    for (int e = 0; e < PER; e++) {         /* down the rows of a warp      */
#pragma unroll 1
        for (int d = cx; d < 32; d *= 2) {
            A up = gk_scan_move(a[e], d, true);
            if (lane >= d) a[e] = gk_scan_join(p, up, a[e]);
        }
        carry[e] = none;
        if (cx < 32) {
            A up = gk_scan_move(a[e], cx, true);
            if (lane >= cx) carry[e] = up;
        }
        if (lane >= 32 - cx) sums[level * nc + x * PER + e] = a[e];
    }
    __syncthreads();
    for (int c = t; c < nc; c += GK_SCAN_CT) {
        A all = none;
#pragma unroll 1
        for (int k = 0; k < levels; k++) {
            A s = sums[k * nc + c];
            sums[k * nc + c] = all;
            all = gk_scan_join(p, all, s);
        }
        A before = p.far ? all : none;
        if (p.chained && !p.far) {
            const int64_t q = piece / p.group, row_of = p.width * nc;
            uint64_t *chain = p.state + (p.group > 1 ? p.pieces * row_of
                                         * gk_scan_words<A> : 0);
            const int64_t mine = block * nc + c;
            const bool ends = (piece + 1) % p.group == 0;
            if (!ends) gk_scan_tell(p.state, piece * row_of + mine, all);
            for (int64_t i = q * p.group; i < piece; i += 4) {
                A s[4];             /* four reads under way                 */
                bool ok = false;
                while (!ok) {
                    ok = true;
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        s[k] = none;
                        if (i + k < piece)
                            ok &= gk_scan_told(p.state, (i + k) * row_of + mine,
                                               &s[k]);
                    }
                }
                before = gk_scan_join(p, before, gk_scan_join(
                    p, gk_scan_join(p, s[0], s[1]),
                    gk_scan_join(p, s[2], s[3])));
            }
            if (q) {
                A s;
                while (!gk_scan_told(chain, (q - 1) * row_of + mine, &s));
                before = gk_scan_join(p, s, before);
            }
            if (ends)
                gk_scan_tell(chain, q * row_of + mine,
                             gk_scan_join(p, before, all));
        }
        carries[c] = before;
    }
    __syncthreads();
    if (p.far) {                        /* a warp a column                   */
        for (int c = t / 32; c < nc; c += GK_SCAN_CT / 32) {
            A v = none;
            if (p.chained)
                v = gk_scan_before(p, p.state + (block * nc + c)
                                   * gk_scan_tower(p.pieces) * gk_scan_words<A>,
                                   p.pieces, piece, 0, 0, false, none,
                                   carries[c]);
            __syncwarp();
            if (lane == 0) carries[c] = v;
        }
        __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < PER; e++) {
        const int c = x * PER + e;
        A far = gk_scan_join(p, carries[c], sums[level * nc + c]);
        carry[e] = gk_scan_join(p, far, carry[e]);
    }
    const int64_t out = to + row * p.out_step + ex * oc;
    const bool paired = PER == 4 && cx > 1 && ((x | 1) + 1) * PER <= cols;
    if constexpr (E::single) if (near) {
        float hi[PER], lo[PER], f[PER] = {};
#pragma unroll
        for (int e = 0; e < PER; e++) {
            gk_scan_pair far(carry[e]);
            hi[e] = far.hi, lo[e] = far.lo;
        }
#pragma unroll 2
        for (int r = 0; r < rows; r++) {
            raw v[PER], *w = (raw *)p.out + out + r * p.out_step;
            read(v, r);
#pragma unroll
            for (int e = 0; e < PER; e++) {
                float next = f[e] + E::near(v[e], p);
                v[e] = E::round(hi[e] + (lo[e] + (p.exclusive ? f[e] : next)),
                                p);
                f[e] = next;
            }
            if (p.dense) {
#pragma unroll
                for (int e = 0; e < PER; e++)
                    if (ex + e < cols) dense[r * width + e] = v[e];
            } else if (p.vec_out) {
                vec q;
                memcpy(&q, v, sizeof q);
                if (ex < cols) *(vec *)w = q;
            } else {
#pragma unroll
                for (int e = 0; e < PER; e++)
                    if (ex + e * es < cols) w[e * es * oc] = v[e];
            }
        }
    }
    if (!near)
    gk_scan_with<E>(p, false, [&](auto way, auto) {
        typename decltype(way)::state s[PER];
#pragma unroll
        for (int e = 0; e < PER; e++) s[e] = way.begin(carry[e]);
#pragma unroll 1
        for (int r = 0; r < rows; r++) {
            raw v[PER];
            A z[PER];
            read(v, r);
#pragma unroll
            for (int e = 0; e < PER; e++) {
                auto next = way.next(s[e], E::get(v[e], p));
                z[e] = way.end(p.exclusive ? s[e] : next);
                s[e] = next;
            }
            const int64_t line = out + r * p.out_step;
            if constexpr (E::widens)
                if (p.wide) {
                    int64_t *w = (int64_t *)p.out + line;
                    if (p.vec_out && paired) {
                        gk_scan_paired(w, z, lane, 4);
                        continue;
                    }
#pragma unroll
                    for (int e = 0; e < PER; e += 2)
                        if (!p.vec_out) {
                            if (ex + e * es < cols) w[e * es * oc] = z[e];
                            if (ex + (e + 1) * es < cols)
                                w[(e + 1) * es * oc] = z[e + 1];
                        } else if (ex < cols) {
                            *(longlong2 *)(w + e) = make_longlong2(z[e],
                                                                   z[e + 1]);
                        }
                    continue;
                }
            raw *w = (raw *)p.out + line;
            if (p.dense) {
#pragma unroll
                for (int e = 0; e < PER; e++)
                    if (ex + e < cols) dense[r * width + e] = E::put(z[e], p);
            } else if (p.vec_out) {
                vec q;
#pragma unroll
                for (int e = 0; e < PER; e++) v[e] = E::put(z[e], p);
                memcpy(&q, v, sizeof q);
                if (ex < cols) *(vec *)w = q;
            } else {
#pragma unroll
                for (int e = 0; e < PER; e++)
                    if (ex + e * es < cols) w[e * es * oc] = E::put(z[e], p);
            }
        }
    });
    if (!p.dense) return;
    __syncthreads();
    gk_scan_dense<raw, false>((raw *)p.out + to + first * p.columns, run,
                              dense_n);
}

template<class E> static cudaError_t gk_scan_go(const gk_scan_p &p,
                                                cudaStream_t s) {
    typedef typename E::val A;
    const int size = (int)sizeof(typename E::raw), cx = 1 << p.lx;
    if (p.cols) {
        const int levels = GK_SCAN_CT / (cx < 32 ? 32 : cx);
        const int per = gk_scan_per(size, p.extreme);
        const size_t bytes = (size_t)GK_SCAN_CT * GK_SCAN_R * per * size
                             + (size_t)(levels + 1) * cx * per * sizeof(A);
        gk_scan_cols<E><<<(unsigned)p.tiles, GK_SCAN_CT, bytes, s>>>(p);
    } else {
        const size_t bytes = (size_t)GK_SCAN_T * 16 * p.chunks
                             * (p.wide && !p.direct ? 1 + 8 / size : 1);
        gk_scan_rows<E><<<(unsigned)p.tiles, GK_SCAN_T, bytes, s>>>(p);
    }
    return cudaGetLastError();
}
/* Extremes, and the rest of integers, of `size` bytes. */
cudaError_t gk_scan_most(const gk_scan_p &p, int size, cudaStream_t s);
cudaError_t gk_scan_ints(const gk_scan_p &p, int size, cudaStream_t s);
#if GK_PART_IS(scan_most)
cudaError_t gk_scan_most(const gk_scan_p &p, int size, cudaStream_t s) {
    switch (size) {
    case 1: return gk_scan_go<gk_scan_x<1>>(p, s);
    case 2: return gk_scan_go<gk_scan_x<2>>(p, s);
    case 4: return gk_scan_go<gk_scan_x<4>>(p, s);
    default: return gk_scan_go<gk_scan_x<8>>(p, s);
    }
}
#endif
#if GK_PART_IS(scan_int)
cudaError_t gk_scan_ints(const gk_scan_p &p, int size, cudaStream_t s) {
    switch (size) {
    case 1: return gk_scan_go<gk_scan_i<1>>(p, s);
    case 2: return gk_scan_go<gk_scan_i<2>>(p, s);
    case 4: return gk_scan_go<gk_scan_i<4>>(p, s);
    default: return gk_scan_go<gk_scan_i<8>>(p, s);
    }
}
#endif
#if GK_PART_IS(scan_cuda)
extern "C" int gk_cuda_scan(const ga__sc *q, void *stream, int) {
    cudaStream_t s = (cudaStream_t)stream;
    gk_scan_p p;
    gk_scan_plan(&p, q);
    if (p.chained) {
        const size_t bytes = gk_scan_bytes(&p);
        p.ticket = (unsigned *)((char *)q->use.work + bytes);
        p.state = (uint64_t *)q->use.work;
        cudaError_t e = cudaMemsetAsync(q->use.work, 0, bytes + 16, s);
        if (e) return e;
    }
    const gk_scan_kind k = gk_scan_types[q->in_type];
    if (p.extreme) return gk_scan_most(p, k.size, s);
    if (k.kind != 'f' && k.kind != 'c') return gk_scan_ints(p, k.size, s);
    switch (q->in_type) {
    case GA_FLOAT16: case GA_BFLOAT16: return gk_scan_go<gk_scan_h>(p, s);
    case GA_FLOAT32: return gk_scan_go<gk_scan_f<float>>(p, s);
    case GA_FLOAT64: return gk_scan_go<gk_scan_f<double>>(p, s);
    case GA_COMPLEX64: return gk_scan_go<gk_scan_c<float>>(p, s);
    default: return gk_scan_go<gk_scan_c<double>>(p, s);
    }
}
#endif
#endif

/* =================================================================== >>order
   Rows in order, what stands where in a sorted table, what differs in it.

   Every dtype's elements become unsigned keys of 4, 8 or 16 bytes in the
   wanted order: so four or five instances of a kernel serve fifteen dtypes.
   A key keeps the sign of a zero, which is put aside where keys are compared
   (gk_ord_same): zeros are equal and come out as they were. A NaN becomes the
   largest key, in a descending order too. complex64 is the two parts' keys in
   one; NumPy has those with a NaN behind all others, by the part that is none:
   upper halves that no number's key has stand for the three kinds.
   complex128 is two keys, sorted by the lower one, then by the upper one.

   GPU: rows of at most 32 by counting in a warp, to 4096 by a network in
   registers (gk_ord_net), or by radix in shared memory where a key and its
   place take more than 8 bytes; others by radix, eight bits a pass from the
   lowest (gk_ord_sweep).                                                    */
#if GK_PART_IS(order_net) || GK_PART_IS(order_cuda) || GK_PART_IS(order_long)
/* On a GPU: an error, 0, or -1 where rows are not for a network. */
int gk_ord_in_registers(const ga__ordering *q, void *stream);
int gk_ord_long(const ga__ordering *q, void *stream, int mps);
size_t gk_ord_long_bytes(const ga__ordering *q);
#endif
#if GK_PART_IS(order_cpu) || GK_PART_IS(order_cuda) || GK_PART_IS(order_net) \
    || GK_PART_IS(order_long)
struct gk_ord_type {
    ga_dtype t;
    int width;                      /* bytes of an element                  */
    bool real, complex, desc;       /* floating-point, complex              */
    uint32_t top4, mask4, inf4, flip4, neg4, pos4, nan4;
    uint64_t top, mask, inf, flip;  /* sign, all bits, what NaN exceeds, what */
    uint64_t neg, pos, nan;         /* turns the order; keys of -0 and 0    */
};
struct gk_ord_wide { uint64_t hi, lo; };
GK_INL bool operator<(gk_ord_wide a, gk_ord_wide b) {
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}
GK_INL bool operator==(gk_ord_wide a, gk_ord_wide b) {
    return a.hi == b.hi && a.lo == b.lo;
}
static const uint32_t GK_ORD_IM_NAN = 0xfffffffdu, GK_ORD_RE_NAN = 0xfffffffeu;

static gk_ord_type gk_ord_type_of(ga_dtype t, bool desc) {
    gk_ord_type r;
    memset(&r, 0, sizeof r);
    r.t = t;
    r.desc = desc;
    r.real = t >= GA_FLOAT16;
    r.complex = t >= GA_COMPLEX64;
    static const int width[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    r.width = width[t];
    const int bits = 8 * r.width >> r.complex;
    const uint64_t top = (uint64_t)1 << (bits - 1);
    const bool sign = t >= GA_INT8 && t <= GA_INT64;
    r.mask = top - 1 + top;
    r.flip = desc ? r.mask : 0;
    r.top = top;
    if (r.real) {
        const int mant = t == GA_FLOAT16 ? 10 : t == GA_BFLOAT16 ? 7
                         : bits == 32 ? 23 : 52;
        r.inf = ((top >> mant) - 1) << mant;
        r.nan = r.inf | (uint64_t)1 << (mant - 1);
        r.neg = (top - 1) ^ r.flip;
        r.pos = top ^ r.flip;
    } else if (sign) {
        r.flip ^= top;
    }
    r.top4 = (uint32_t)r.top, r.mask4 = (uint32_t)r.mask;
    r.inf4 = (uint32_t)r.inf, r.flip4 = (uint32_t)r.flip;
    r.neg4 = (uint32_t)r.neg, r.pos4 = (uint32_t)r.pos;
    r.nan4 = (uint32_t)r.nan;
    return r;
}

/* Bits of a number to its key, and back. */
GK_INL uint32_t gk_ord_key4(const gk_ord_type &t, uint32_t u) {
    if (!t.real) return u ^ t.flip4;
    if ((u & ~t.top4) > t.inf4) return t.mask4;
    return (u & t.top4 ? ~u & t.mask4 : u | t.top4) ^ t.flip4;
}
GK_INL uint64_t gk_ord_key8(const gk_ord_type &t, uint64_t u) {
    if (!t.real) return u ^ t.flip;
    if ((u & ~t.top) > t.inf) return t.mask;
    return (u & t.top ? ~u & t.mask : u | t.top) ^ t.flip;
}
GK_INL uint32_t gk_ord_back4(const gk_ord_type &t, uint32_t k) {
    if (!t.real) return k ^ t.flip4;
    if (k == t.mask4) return t.nan4;
    k ^= t.flip4;
    return k & t.top4 ? k & ~t.top4 : ~k & t.mask4;
}
GK_INL uint64_t gk_ord_back8(const gk_ord_type &t, uint64_t k) {
    if (!t.real) return k ^ t.flip;
    if (k == t.mask) return t.nan;
    k ^= t.flip;
    return k & t.top ? k & ~t.top : ~k & t.mask;
}

GK_INL uint32_t gk_ord_key(const gk_ord_type &t, uint32_t u) {
    return gk_ord_key4(t, u);
}
GK_INL uint64_t gk_ord_key(const gk_ord_type &t, uint64_t u) {
    if (!t.complex) return gk_ord_key8(t, u);
    const uint32_t re = gk_ord_key4(t, (uint32_t)u);
    const uint32_t im = gk_ord_key4(t, (uint32_t)(u >> 32));
    const bool r = re == 0xffffffffu, i = im == 0xffffffffu;
    const uint32_t hi = r ? i ? 0xffffffffu : GK_ORD_RE_NAN
                          : i ? GK_ORD_IM_NAN : re;
    return (uint64_t)hi << 32 | (i && !r ? re : im);
}
/* The key of the element at p, by the key's type. */
GK_INL void gk_ord_load(const gk_ord_type &t, const void *p, uint32_t *k) {
    *k = gk_ord_key4(t, t.width == 4 ? *(const uint32_t *)p
                        : t.width == 2 ? *(const uint16_t *)p
                                       : *(const uint8_t *)p);
}
GK_INL void gk_ord_load(const gk_ord_type &t, const void *p, uint64_t *k) {
    *k = gk_ord_key(t, *(const uint64_t *)p);
}
GK_INL void gk_ord_load(const gk_ord_type &t, const void *p, gk_ord_wide *k) {
    const uint64_t re = gk_ord_key8(t, ((const uint64_t *)p)[0]);
    const uint64_t im = gk_ord_key8(t, ((const uint64_t *)p)[1]);
    const bool r = re == (uint64_t)-1, i = im == (uint64_t)-1;
    k->hi = r ? i ? (uint64_t)-1 : (uint64_t)-2 : i ? (uint64_t)-3 : re;
    k->lo = i && !r ? re : im;
}
/* What is compared: zeros are one. */
GK_INL uint32_t gk_ord_same(const gk_ord_type &t, uint32_t k) {
    return k == t.neg4 ? t.pos4 : k;
}
GK_INL uint64_t gk_ord_same(const gk_ord_type &t, uint64_t k) {
    if (!t.complex) return k == t.neg ? t.pos : k;
    uint32_t hi = (uint32_t)(k >> 32), lo = (uint32_t)k;
    hi = hi == t.neg4 ? t.pos4 : hi;
    lo = lo == t.neg4 ? t.pos4 : lo;
    return (uint64_t)hi << 32 | lo;
}
GK_INL gk_ord_wide gk_ord_same(const gk_ord_type &t, gk_ord_wide k) {
    k.hi = k.hi == t.neg ? t.pos : k.hi;
    k.lo = k.lo == t.neg ? t.pos : k.lo;
    return k;
}
/* Has the element a NaN? */
GK_INL bool gk_ord_nan(const gk_ord_type &t, uint32_t k) {
    return t.real && k == t.mask4;
}
GK_INL bool gk_ord_nan(const gk_ord_type &t, uint64_t k) {
    return t.complex ? k >> 32 >= GK_ORD_IM_NAN : t.real && k == t.mask;
}
GK_INL bool gk_ord_nan(const gk_ord_type &, gk_ord_wide k) {
    return k.hi >= (uint64_t)-3;
}
template<class K>
GK_INL K gk_ord_at(const gk_ord_type &t, const void *p, int64_t i) {
    K k;
    gk_ord_load(t, (const char *)p + i * t.width, &k);
    return gk_ord_same(t, k);
}
/* Key k as an element, written to p. */
GK_INL void gk_ord_store(const gk_ord_type &t, void *p, uint32_t k) {
    k = gk_ord_back4(t, k);
    if (t.width == 4) *(uint32_t *)p = k;
    else if (t.width == 2) *(uint16_t *)p = (uint16_t)k;
    else *(uint8_t *)p = (uint8_t)k;
}
GK_INL void gk_ord_store(const gk_ord_type &t, void *p, uint64_t k) {
    if (!t.complex) {
        *(uint64_t *)p = gk_ord_back8(t, k);
        return;
    }
    const uint32_t hi = (uint32_t)(k >> 32), lo = (uint32_t)k;
    uint32_t re = gk_ord_back4(t, hi), im = gk_ord_back4(t, lo);
    if (hi == GK_ORD_IM_NAN) re = im, im = t.nan4;
    else if (hi >= GK_ORD_RE_NAN) re = t.nan4;
    *(uint64_t *)p = (uint64_t)im << 32 | re;
}
GK_INL void gk_ord_move(int width, void *to, const void *from) {
    switch (width) {
    case 1: *(uint8_t *)to = *(const uint8_t *)from; break;
    case 2: *(uint16_t *)to = *(const uint16_t *)from; break;
    case 4: *(uint32_t *)to = *(const uint32_t *)from; break;
    case 8: *(uint64_t *)to = *(const uint64_t *)from; break;
    default:
        ((uint64_t *)to)[0] = ((const uint64_t *)from)[0];
        ((uint64_t *)to)[1] = ((const uint64_t *)from)[1];
    }
}

/* Where row r of an operand begins, in elements. */
GK_BIG int64_t gk_ord_row(const ga__ordering &q, const ga__lines &l, int64_t r) {
    int64_t off = 0;
    for (int d = q.ndim - 1; d > 0; d--) {
        off += r % q.shape[d] * l.stride[d];
        r /= q.shape[d];
    }
    return off + r * l.stride[0];
}
/* One row: where its operands begin, and element j of it in x. */
struct gk_ord_line {
    const char *x;
    char *sorted;
    int64_t *places;
    const int64_t *from;
};
GK_INL gk_ord_line gk_ord_line_of(const ga__ordering &q, int width, int64_t r) {
    gk_ord_line l;
    l.x = (const char *)q.x.p + gk_ord_row(q, q.x, r) * width;
    l.sorted = q.sorted.p ? (char *)q.sorted.p
                            + gk_ord_row(q, q.sorted, r) * width : NULL;
    l.places = q.places.p ? (int64_t *)q.places.p
                            + gk_ord_row(q, q.places, r) : NULL;
    l.from = q.from.p ? (const int64_t *)q.from.p
                        + gk_ord_row(q, q.from, r) : NULL;
    return l;
}
GK_INL int64_t gk_ord_place(const ga__ordering &q, const gk_ord_line &l,
                            int64_t j) {
    return l.from ? l.from[j * q.from.step] : j;
}
GK_INL const void *gk_ord_element(const ga__ordering &q, const gk_ord_line &l,
                                  int width, int64_t j) {
    return l.x + gk_ord_place(q, l, j) * q.x.step * width;
}
/* The row's element j comes to `to`. */
GK_INL void gk_ord_put(const ga__ordering &q, const gk_ord_line &l, int width,
                       int64_t to, int64_t j) {
    const int64_t from = gk_ord_place(q, l, j);
    if (l.sorted)
        gk_ord_move(width, l.sorted + to * q.sorted.step * width,
                    l.x + from * q.x.step * width);
    if (l.places) l.places[to * q.places.step] = from;
}
#endif

#if (GK_PART_IS(order_cuda) || GK_PART_IS(order_long)) \
    && !defined(GPUARR_NO_CUDA)
/* The lanes of `with` that have this lane's digit of eight bits. Three
   instructions a bit, of which the compiler makes four: a sort of 2^26 floats
   takes 1.40 ms on an H200, and then 1.65.                                   */
__device__ __forceinline__ unsigned gk_ord_peers(unsigned digit,
                                                 unsigned with) {
#pragma unroll
    for (int b = 0; b < 8; b++) {
        unsigned same;
        asm volatile("{ .reg .pred p; .reg .b32 t;\n\t"
                     "and.b32 t, %1, %2; setp.ne.u32 p, t, 0;\n\t"
                     "vote.sync.ballot.b32 %0, p, 0xffffffff;\n\t"
                     "@!p not.b32 %0, %0; }"
                     : "=r"(same) : "r"(digit), "r"(1u << b));
        with &= same;
    }
    return with;
}
__device__ __forceinline__ unsigned gk_ord_before() {
    unsigned m;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
    return m;
}
/* counts[0..255] of a warp to the sums before each; a lane has eight. */
__device__ __forceinline__ void gk_ord_sums(uint32_t *counts, int lane) {
    uint32_t c[8], sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) c[i] = counts[lane * 8 + i], sum += c[i];
    uint32_t before = sum;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const uint32_t v = __shfl_up_sync(0xffffffffu, before, d);
        if (lane >= d) before += v;
    }
    before -= sum;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        counts[lane * 8 + i] = before;
        before += c[i];
    }
}
#endif

#if GK_PART_IS(order_cuda) && !defined(GPUARR_NO_CUDA)
/* ------------------------------------------------------------- GPU: short rows
   Rows of at most 32: several in a warp, a lane an element, whose place is the
   number of those before it. Reads and writes each element once.            */
__device__ __forceinline__ uint32_t gk_ord_shuffle(uint32_t k, int lane) {
    return __shfl_sync(0xffffffffu, k, lane);
}
__device__ __forceinline__ uint64_t gk_ord_shuffle(uint64_t k, int lane) {
    return __shfl_sync(0xffffffffu, k, lane);
}
__device__ __forceinline__ gk_ord_wide gk_ord_shuffle(gk_ord_wide k,
                                                      int lane) {
    return gk_ord_wide{gk_ord_shuffle(k.hi, lane), gk_ord_shuffle(k.lo, lane)};
}
template<class K>
__global__ __launch_bounds__(256)
void gk_ord_tiny(const __grid_constant__ ga__ordering q,
                 const __grid_constant__ gk_ord_type t) {
    const int n = (int)q.n, lane = threadIdx.x & 31, in = 32 / n;
    const int mine = lane / n, j = lane % n;
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x >> 5);
    const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    for (int64_t w = first; w * in < q.rows; w += warps) {
        const int64_t r = w * in + mine;
        const bool on = mine < in && r < q.rows;
        gk_ord_line l;
        K k = K();
        if (on) {
            l = gk_ord_line_of(q, t.width, r);
            gk_ord_load(t, gk_ord_element(q, l, t.width, j), &k);
            k = gk_ord_same(t, k);
        }
        int to = 0;
        for (int i = 0; i < n; i++) {
            const K other = gk_ord_shuffle(k, mine * n + i & 31);
            to += other < k || (other == k && i < j);
        }
        if (on && to < q.take) gk_ord_put(q, l, t.width, to, j);
    }
}

/* The places of n <= 4096 keys in shared memory, in their order: W warps make
   a pass for each byte of the keys, unless that is the same in all of them, and
   move places of 16 bits. A warp counts its stretch's digits, then gives each
   its place, in order: stable. What it returns lies in a or b.              */
GK_INL constexpr int gk_ord_rank_bytes(int warps) {
    return (warps + (warps > 1)) * 1024 + 16;
}
template<class K, int W>
__device__ const uint16_t *gk_ord_rank(const K *key, uint16_t *a, uint16_t *b,
                                       uint32_t *memory, int n) {
    static_assert(W == 1 || W == 8, "a thread a digit");
    constexpr int threads = W * 32, KB = (int)sizeof(K);
    const int lane = threadIdx.x & 31, w = W == 1 ? 0 : threadIdx.x >> 5;
    const int tid = W == 1 ? lane : (int)threadIdx.x;
    uint32_t *const differ = memory, *const counts = differ + 4;
    uint32_t *const my = counts + w * 256, *const total = counts + W * 256;
    auto sync = [] {
        if (W == 1) __syncwarp();
        else __syncthreads();
    };
    if (tid < 4) differ[tid] = 0;
    for (int j = tid; j < n; j += threads) a[j] = (uint16_t)j;
    sync();
#pragma unroll 1
    for (int i = 0; i < KB / 4; i++) {
        const uint32_t *word = (const uint32_t *)key + i;
        uint32_t d = 0;
        for (int j = tid; j < n; j += threads) d |= word[j * (KB / 4)] ^ *word;
        for (int s = 16; s > 0; s /= 2) d |= __shfl_xor_sync(0xffffffffu, d, s);
        if (lane == 0) atomicOr(&differ[i], d);
    }
    sync();
    const int stretch = (n + threads - 1) / threads * 32;
    const int from = w * stretch, to = from + stretch < n ? from + stretch : n;
    const unsigned before = gk_ord_before();
#pragma unroll 1
    for (int byte = 0; byte < KB; byte++) {
        const int at = KB == 16 ? byte ^ 8 : byte;  /* hi stands before lo  */
        if (!(differ[at / 4] >> at % 4 * 8 & 255)) continue;
        const unsigned char *digits = (const unsigned char *)key + at;
        for (int i = lane; i < 256; i += 32) my[i] = 0;
        __syncwarp();
        for (int i = from + lane; i < to; i += 32)
            atomicAdd(&my[digits[a[i] * KB]], 1u);
        if (W == 1) {
            __syncwarp();
            gk_ord_sums(my, lane);
        } else {
            __syncthreads();
            uint32_t sum = 0;
            for (int v = 0; v < W; v++) {
                const uint32_t own = counts[v * 256 + tid];
                counts[v * 256 + tid] = sum;
                sum += own;
            }
            total[tid] = sum;
            __syncthreads();
            if (w == 0) gk_ord_sums(total, lane);
            __syncthreads();
            for (int v = 0; v < W; v++) counts[v * 256 + tid] += total[tid];
        }
        sync();
        for (int base = from; base < to; base += 32) {
            const bool on = base + lane < to;
            const uint16_t place = a[on ? base + lane : from];
            const unsigned digit = digits[place * KB];
            const unsigned some = __ballot_sync(0xffffffffu, on);
            const unsigned peers = gk_ord_peers(digit, some);
            const int lead = __ffs(peers) - 1;
            uint32_t r = 0;
            if (on && lane == lead) {
                r = my[digit];
                my[digit] = r + __popc(peers);
            }
            r = __shfl_sync(0xffffffffu, r, lead & 31);
            if (on) b[r + __popc(peers & before)] = place;
            __syncwarp();
        }
        sync();
        uint16_t *swap = a;
        a = b;
        b = swap;
    }
    return a;
}
/* Rows of at most 4096 in shared memory, W warps a row; with 1, some rows a
   block. Reads each element twice, the second time out of the caches.       */
static inline size_t gk_ord_short_bytes(int64_t n, int kb, int warps) {
    return (size_t)((n * (kb + 4) + 15) / 16 * 16 + gk_ord_rank_bytes(warps));
}
template<class K, int W>
__global__ __launch_bounds__(W == 1 ? 128 : W * 32)
void gk_ord_short(const __grid_constant__ ga__ordering q,
                  const __grid_constant__ gk_ord_type t) {
    extern __shared__ __align__(16) unsigned char memory[];
    constexpr int threads = W * 32, KB = (int)sizeof(K);
    const int n = (int)q.n, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int tid = W == 1 ? lane : (int)threadIdx.x;
    const int64_t row = W == 1 ? (int64_t)blockIdx.x * (blockDim.x >> 5) + warp
                               : blockIdx.x;
    const int room = (n * (KB + 4) + 15) / 16 * 16;
    unsigned char *mine = memory + (W == 1 ? (size_t)warp
                                        * (room + gk_ord_rank_bytes(1)) : 0);
    K *key = (K *)mine;
    uint16_t *a = (uint16_t *)(mine + (size_t)n * KB);
    if (row >= q.rows) return;
    const gk_ord_line l = gk_ord_line_of(q, t.width, row);
#pragma unroll 4
    for (int j = tid; j < n; j += threads) {
        K k;
        gk_ord_load(t, gk_ord_element(q, l, t.width, j), &k);
        key[j] = gk_ord_same(t, k);
    }
    const uint16_t *place =
        gk_ord_rank<K, W>(key, a, a + n, (uint32_t *)(mine + room), n);
    const int take = (int)q.take;
#pragma unroll 2
    for (int i = tid; i < take; i += threads)
        gk_ord_put(q, l, t.width, i, place[i]);
}

/* ------------------------------------------- GPU: the first k of long rows
   Each `part` of a row is stood for by its least key, parts of these by theirs,
   until 4096 or fewer are left. Then a block sorts these and takes the first k,
   sorts the keys of the k parts that they stand for, which hold the first k of
   the level below (who is among them has fewer than k before it, and so has its
   part), and so down to the elements. Of equals the first ones: parts are put
   in the order of their places before they are opened.
   Reads each element once; the rest is small. Memory: a key for each part.    */
enum { GK_ORD_TOP = 1024, GK_ORD_LEVELS = 12 };
struct gk_ord_topping {
    ga__ordering q;
    gk_ord_type t;
    int k, lg;                      /* log2 of a part's length, 2 to 7      */
    int levels;                     /* above the elements                   */
    int64_t n[GK_ORD_LEVELS];       /* of a row in each level, 0: elements  */
    void *least[GK_ORD_LEVELS];
    int room;                       /* keys in shared memory                */
};
/* One level out of the one below: a thread four neighbours, a few times. */
template<class K>
__global__ __launch_bounds__(256)
void gk_ord_least(const __grid_constant__ gk_ord_topping p, int level,
                  int64_t blocks) {
    constexpr int U = 4;
    const int64_t row = blockIdx.x / blocks, n = p.n[level - 1];
    const int64_t first = (blockIdx.x % blocks) * (256 * U) + threadIdx.x;
    const K none = (K)~(K)0;
    const gk_ord_type &t = p.t;
    const gk_ord_line l = gk_ord_line_of(p.q, t.width, row);
    const K *const keys = (const K *)p.least[level - 1] + row * n;
    K *const to = (K *)p.least[level] + row * p.n[level];
    const int lanes = 1 << (p.lg - 2);
    auto write = [&](int u, K least) {
        for (int d = 1; d < lanes; d *= 2) {
            const K other = gk_ord_shuffle(least, (threadIdx.x & 31) ^ d);
            if (other < least) least = other;
        }
        const int64_t part = (first + u * 256) >> (p.lg - 2);
        if (!(threadIdx.x & (lanes - 1)) && part < p.n[level])
            to[part] = least;
    };
    if (sizeof(K) == 4 && level == 1 && p.q.x.step == 1 && t.width == 4
        && n % 4 == 0 && ((uintptr_t)l.x & 15) == 0) {
        uint4 v[U];
#pragma unroll
        for (int u = 0; u < U; u++)
            if ((first + u * 256) * 4 < n)
                v[u] = ((const uint4 *)l.x)[first + u * 256];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const uint32_t e[4] = {v[u].x, v[u].y, v[u].z, v[u].w};
            K least = none;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const K k = gk_ord_same(t, (K)gk_ord_key4(t, e[i]));
                if (k < least) least = k;
            }
            write(u, (first + u * 256) * 4 < n ? least : none);
        }
        return;
    }
#pragma unroll 1
    for (int u = 0; u < U; u++) {
        K least = none;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int64_t j = (first + u * 256) * 4 + i;
            K k = none;
            if (j < n && level > 1) {
                k = keys[j];
            } else if (j < n) {
                gk_ord_load(t, l.x + j * p.q.x.step * t.width, &k);
                k = gk_ord_same(t, k);
            }
            if (k < least) least = k;
        }
        write(u, least);
    }
}
template<class K>
__global__ __launch_bounds__(256)
void gk_ord_top(const __grid_constant__ gk_ord_topping p) {
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ uint32_t part[GK_ORD_TOP], open[GK_ORD_TOP];
    K *const key = (K *)memory;
    uint16_t *const a = (uint16_t *)(key + p.room);
    uint32_t *const rank = (uint32_t *)(a + 2 * p.room);
    const int64_t row = blockIdx.x;
    const gk_ord_line l = gk_ord_line_of(p.q, p.t.width, row);
    const int k = p.k, lg = p.lg, tid = threadIdx.x, within = (1 << lg) - 1;
#pragma unroll 1
    for (int level = p.levels; level >= 0; level--) {
        const bool top = level == p.levels;
        const int64_t n = p.n[level];
        const int m = top ? (int)n : k << lg;
        const K *const least = (const K *)p.least[level] + row * n;
        for (int j = tid; j < m; j += 256) {
            const int64_t i = top ? j : ((int64_t)open[j >> lg] << lg)
                                            + (j & within);
            K e = (K)~(K)0;
            if (i < n && level) {
                e = least[i];
            } else if (i < n) {
                gk_ord_load(p.t, l.x + i * p.q.x.step * p.t.width, &e);
                e = gk_ord_same(p.t, e);
            }
            key[j] = e;
        }
        __syncthreads();
        const uint16_t *const at = gk_ord_rank<K, 8>(key, a, a + p.room, rank,
                                                     m);
        for (int j = tid; j < k; j += 256) {
            const uint32_t i = top ? at[j] : (open[at[j] >> lg] << lg)
                                                 + (at[j] & within);
            part[j] = i;
            if (!level) gk_ord_put(p.q, l, p.t.width, j, i);
        }
        __syncthreads();
        for (int j = tid; j < k && level; j += 256) {
            int less = 0;
            for (int i = 0; i < k; i++) less += part[i] < part[j];
            open[less] = part[j];
        }
        __syncthreads();
    }
}
static bool gk_ord_is_top(const ga__ordering *q) {
    return q->kth >= 0 && q->take == q->kth + 1 && q->take <= GK_ORD_TOP
           && !q->from.p && q->t != GA_COMPLEX128 && q->n >> 32 == 0
           && q->n > 4096;
}
/* The levels, and the memory of those above the elements. */
static size_t gk_ord_top_plan(const ga__ordering *q, gk_ord_topping *p) {
    const size_t kb = gk_ord_type_of(q->t, false).width == 8 ? 8 : 4;
    size_t bytes = 0;
    char *w = (char *)q->use.work;
    p->k = (int)q->take;
    /* one row: as few levels as can be; many: as few keys to sort as can be */
    for (p->lg = 2; p->lg < 7 && q->take << (p->lg + 1) <= 4096
         && (q->rows < 64 || q->take << 2 * p->lg < q->n);) p->lg++;
    p->n[0] = q->n;
    p->least[0] = NULL;
    p->room = p->k << p->lg;
    for (p->levels = 0; p->n[p->levels] > 4096;) {
        const int64_t n = p->n[p->levels++];
        p->n[p->levels] = ((n - 1) >> p->lg) + 1;
        p->least[p->levels] = w + bytes;
        bytes += ((size_t)(q->rows * p->n[p->levels]) * kb + 255) / 256 * 256;
    }
    if (p->room < p->n[p->levels]) p->room = (int)p->n[p->levels];
    p->room = (p->room + 7) / 8 * 8;
    return bytes;
}
template<class K>
static cudaError_t gk_ord_topped(const ga__ordering *q, cudaStream_t s) {
    gk_ord_topping p;
    p.q = *q;
    p.t = gk_ord_type_of(q->t, q->descending);
    gk_ord_top_plan(q, &p);
    for (int level = 1; level <= p.levels; level++) {
        const int64_t blocks = (p.n[level - 1] + 4095) / 4096;
        gk_ord_least<K><<<(unsigned)(blocks * q->rows), 256, 0, s>>>(p, level,
                                                                     blocks);
    }
    const int bytes = p.room * ((int)sizeof(K) + 4) + gk_ord_rank_bytes(8);
    if (bytes > 40960) {
        cudaError_t e = cudaFuncSetAttribute(
            gk_ord_top<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        if (e) return e;
    }
    gk_ord_top<K><<<(unsigned)q->rows, 256, (size_t)bytes, s>>>(p);
    return cudaGetLastError();
}

#endif
#if GK_PART_IS(order_long) && !defined(GPUARR_NO_CUDA)
/* ------------------------------------------------------------ GPU: long rows
   By radix, eight bits a pass from the lowest, all rows at once. One kernel
   counts the digits of all passes (gk_ord_count); then a pass reads and writes
   each element once: a block ranks its tile's elements by digit, learns from
   the tiles before it in the row how many of each digit they have (each
   publishes its own counts, then what it knows: two flags and 30 bits in a
   word), sorts the tile in shared memory and writes it digit by digit. The
   method of Adinets and Merrill's onesweep. A row's first pass makes keys and
   places out of the elements, the last one elements and places out of these;
   with x strided or taken through `from`, the counting does, once. A pass over
   a digit that is the same in all of a row is left out.
   Memory: twice the keys, twice 4 (from 2^32 elements on: 8) bytes a place. */
struct gk_ord_pass {
    ga__ordering q;
    gk_ord_type t;
    void *keys[2], *places[2];      /* what passes read and write in turn   */
    bool made, placed;              /* keys[0], places[0] hold the first    */
    bool end;                       /* the last pass writes the results     */
    int pass, passes;
    const uint32_t *same;           /* of a row: bits of passes left out    */
    const uint64_t *base;           /* a row's 256: elements before a digit */
    uint64_t *base_next;            /* ... behind this launch's, or NULL    */
    uint32_t *state, *state_next, *ticket;
    int64_t begin, count;           /* of each row's elements: below 2^30   */
    uint32_t tiles;                 /* these in tiles                       */
};
/* P: a place's type, void: none. As many blocks a multiprocessor as registers
   allow without much spilling: on an H200 2^26 doubles took 5.2 ms with three,
   6.3 with two; the passes over 2^26 floats 1.25 with three, 1.32 with four.  */
template<class K, class P> struct gk_ord_shape {
    static constexpr bool wide = sizeof(K) == 8;
    static constexpr bool big = std::is_same<P, uint64_t>::value;
    static constexpr int threads = wide ? 256 : 384;
    static constexpr int items = big ? 12 : wide ? 15
                                 : std::is_void<P>::value ? 21 : 16;
    static constexpr int blocks = big ? 2 : 3, tile = threads * items;
};
__device__ __forceinline__ uint32_t gk_ord_peek(const uint32_t *p) {
    return *(const volatile uint32_t *)p;
}
/* What the tiles before this one have of a digit: several are asked at once,
   from the nearest on, until one knows of all before it.                    */
__device__ __forceinline__ uint32_t gk_ord_earlier(const uint32_t *state,
                                                   int64_t tile) {
    constexpr int LB = 4;
    uint32_t sum = 0;
    for (int64_t k = tile - 1;; k -= LB) {
        uint32_t v[LB];
#pragma unroll
        for (int u = 0; u < LB; u++)
            v[u] = k - u < 0 ? 2u << 30 : gk_ord_peek(state + (k - u) * 256);
#pragma unroll
        for (int u = 0; u < LB; u++) {
            while (!(v[u] >> 30)) v[u] = gk_ord_peek(state + (k - u) * 256);
            sum += v[u] & 0x3fffffffu;
            if (v[u] >> 31) return sum;
        }
    }
}
/* Every 32nd of `left` elements, as many as there are. */
template<class K, class T, int I>
__device__ __forceinline__ void gk_ord_fetch(K (&to)[I], const T *from,
                                             int left) {
#pragma unroll
    for (int i = 0; i < I; i++) to[i] = i * 32 < left ? (K)from[i * 32] : K();
}
template<class K, class PLACE>
__global__ __launch_bounds__((gk_ord_shape<K, PLACE>::threads),
                             (gk_ord_shape<K, PLACE>::blocks))
void gk_ord_sweep(const __grid_constant__ gk_ord_pass p) {
    typedef gk_ord_shape<K, PLACE> S;
    constexpr int T = S::threads, I = S::items, W = T / 32, N = T * I;
    constexpr bool PLACES = !std::is_void<PLACE>::value;
    typedef typename std::conditional<PLACES, PLACE, char>::type P;
    static_assert(T >= 256 && N <= 65536 && sizeof(P) <= sizeof(K), "");
    __shared__ K keys[N];           /* then the places                      */
    __shared__ uint32_t counts[W][256];
    __shared__ uint32_t total[256];
    __shared__ int64_t to[256];
    __shared__ uint32_t ticket;
    const gk_ord_type &t = p.t;
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;
    if (tid == 0) ticket = atomicAdd(p.ticket, 1u);
    for (int i = lane; i < 256; i += 32) counts[w][i] = 0;
    __syncthreads();
    const uint32_t rows = (uint32_t)p.q.rows;
    const int64_t row = ticket % rows, tile = ticket / rows;
    uint32_t *const state = p.state + (row * p.tiles + tile) * 256 + tid;
    if (p.state_next && tid < 256)
        p.state_next[(row * p.tiles + tile) * 256 + tid] = 0;
    /* the row's passes: those before this one, behind it */
    uint32_t todo = (1u << p.passes) - 1;
    if (p.same) todo &= ~p.same[row];
    if (!todo) todo = 1;
    if (!(todo >> p.pass & 1)) return;
    const int earlier = __popc(todo & ((1u << p.pass) - 1));
    const bool last = p.end && todo >> p.pass == 1;
    const bool make = !earlier && !p.made, place_all = !earlier && !p.placed;
    const K *const in = (const K *)p.keys[earlier & 1] + row * p.q.n;
    const P *const in_place = (const P *)p.places[earlier & 1] + row * p.q.n;
    K *const out = (K *)p.keys[~earlier & 1] + row * p.q.n;
    P *const out_place = (P *)p.places[~earlier & 1] + row * p.q.n;
    const int shift = 8 * p.pass;

    const int64_t begin = p.begin + tile * N;
    const int64_t left = p.begin + p.count - begin;
    const int n = left < N ? (int)left : N;
    const int first = w * (32 * I) + lane;
    const gk_ord_line l = gk_ord_line_of(p.q, t.width, row);
    K key[I];
    const void *const from = make ? (const void *)(l.x + (begin + first)
                                                             * t.width)
                                  : in + begin + first;
    if (!make || t.width == sizeof(K))
        gk_ord_fetch<K>(key, (const K *)from, n - first);
    else if (t.width == 2)
        gk_ord_fetch<K>(key, (const uint16_t *)from, n - first);
    else gk_ord_fetch<K>(key, (const uint8_t *)from, n - first);
    if (make) {
#pragma unroll
        for (int i = 0; i < I; i++) key[i] = gk_ord_key(t, key[i]);
    }
    auto digit_of = [&](K k) {
        return (unsigned)(gk_ord_same(t, k) >> shift) & 255;
    };
#pragma unroll
    for (int i = 0; i < I; i++)         /* first, for the tiles that wait    */
        if (first + i * 32 < n) atomicAdd(&counts[w][digit_of(key[i])], 1u);
    __syncthreads();
    uint32_t own = 0;
    if (tid < 256) {
        for (int v = 0; v < W; v++) {
            const uint32_t c = counts[v][tid];
            counts[v][tid] = own;
            own += c;
        }
        *(volatile uint32_t *)state = own | (tile ? 1u << 30 : 2u << 30);
        total[tid] = own;
    }
    __syncthreads();
    if (w == 0) gk_ord_sums(total, lane);
    __syncthreads();
    for (int i = lane; i < 256; i += 32) counts[w][i] += total[i];
    __syncwarp();
    const unsigned before = gk_ord_before();
    uint32_t rank[PLACES ? (I + 1) / 2 : 1];    /* of 16 bits each           */
#pragma unroll
    for (int i = 0; i < I; i++) {
        const bool on = first + i * 32 < n;
        const unsigned digit = digit_of(key[i]);
        const unsigned peers =
            gk_ord_peers(digit, n < N ? __ballot_sync(0xffffffffu, on) : ~0u);
        const int lead = __ffs(peers) - 1;
        uint32_t r = 0;
        if (lane == lead) {
            r = counts[w][digit];
            counts[w][digit] = r + __popc(peers);
        }
        r = __shfl_sync(0xffffffffu, r, lead & 31) + __popc(peers & before);
        if (on) keys[r] = key[i];
        if (PLACES && i & 1) rank[i / 2] |= r << 16;
        else if (PLACES) rank[i / 2] = r;
        __syncwarp();
    }
    P place[PLACES ? I : 1];
    if (PLACES && !place_all)
        gk_ord_fetch<P>(place, in_place + begin + first, n - first);
    if (tid < 256) {
        uint32_t less = 0;
        if (tile) {
            less = gk_ord_earlier(p.state + row * p.tiles * 256 + tid, tile);
            *(volatile uint32_t *)state = (less + own) | 2u << 30;
        }
        const int64_t base = (int64_t)p.base[row * 256 + tid];
        to[tid] = base + less - total[tid];
        if (p.base_next && tile + 1 == p.tiles)
            p.base_next[row * 256 + tid] = (uint64_t)(base + less + own);
    }
    __syncthreads();
    uint8_t *const digits = (uint8_t *)counts;  /* of the sorted tile       */
    if (!last) {
#pragma unroll
        for (int i = 0; i < I; i++) {
            const int r = tid + i * T;
            if (r >= n) break;
            const K k = keys[r];
            const unsigned d = digit_of(k);
            if (PLACES) digits[r] = (uint8_t)d;
            out[r + to[d]] = k;
        }
    } else {
#pragma unroll 1
        for (int r = tid; r < n; r += T) {
            const K k = keys[r];
            const unsigned d = digit_of(k);
            const int64_t at = r + to[d];
            if (PLACES) digits[r] = (uint8_t)d;
            else if (at < p.q.take)
                gk_ord_store(t, l.sorted + at * p.q.sorted.step * t.width, k);
        }
    }
    if (!PLACES) return;
    __syncthreads();
    P *const moved = (P *)keys;
#pragma unroll
    for (int i = 0; i < I; i++)
        if (first + i * 32 < n)
            moved[rank[i / 2] >> (i & 1) * 16 & 65535] =
                place_all ? (P)(begin + first + i * 32) : place[i];
    __syncthreads();
    if (!last) {
#pragma unroll 8
        for (int r = tid; r < n; r += T) out_place[r + to[digits[r]]] = moved[r];
        return;
    }
#pragma unroll 1
    for (int r = tid; r < n; r += T) {
        const int64_t at = r + to[digits[r]];
        if (at < p.q.take) gk_ord_put(p.q, l, t.width, at, (int64_t)moved[r]);
    }
}

/* Counts the digits of all passes of each row, chunks of rows a block. With
   `keys` it makes them there, of the elements or of those at `place`; half 1
   and 2 are complex128's lower and upper keys, 3 a key of 4 bytes in 8. Four
   copies of each count, so that fewer threads meet in one.                  */
struct gk_ord_counting {
    ga__ordering q;
    gk_ord_type t;
    int half;
    void *keys;
    const void *place;
    uint64_t *counts;               /* of a row: sizeof(K) passes, 256 each */
    int64_t chunk, chunks;          /* of a row's elements, below 2^32      */
};
GK_INL void gk_ord_make(const gk_ord_type &t, int, const void *p,
                        uint32_t *k) {
    gk_ord_load(t, p, k);
}
GK_INL void gk_ord_make(const gk_ord_type &t, int half, const void *p,
                        uint64_t *k) {
    if (!half) {
        gk_ord_load(t, p, k);
        return;
    }
    if (half == 3) {
        uint32_t narrow;
        gk_ord_load(t, p, &narrow);
        *k = gk_ord_same(t, narrow);
        return;
    }
    gk_ord_wide both;
    gk_ord_load(t, p, &both);
    both = gk_ord_same(t, both);
    *k = half == 1 ? both.lo : both.hi;
}
template<class K, class P>
__global__ __launch_bounds__(256)
void gk_ord_count(const __grid_constant__ gk_ord_counting c) {
    constexpr int passes = (int)sizeof(K);
    __shared__ __align__(16) uint32_t counts[passes * 256 * 4];
    const ga__ordering &q = c.q;
    const int tid = threadIdx.x, copy = tid & 3, width = c.t.width;
    const int used = width < passes ? width : passes;
    const int64_t row = blockIdx.x % q.rows, chunk = blockIdx.x / q.rows;
    for (int i = tid; i < used * 1024; i += 256) counts[i] = 0;
    __syncthreads();
    const gk_ord_line l = gk_ord_line_of(q, width, row);
    const int64_t first = chunk * c.chunk;
    const int64_t end = first + c.chunk < q.n ? first + c.chunk : q.n;
    auto count = [&](K k) {
#pragma unroll
        for (int b = 0; b < passes; b++)
            if (b < used)
                atomicAdd(&counts[(b * 256 + (int)(k >> b * 8 & 255)) * 4
                                  + copy], 1u);
    };
    int64_t j = first + tid;
    if constexpr (passes == 4)          /* elements as they lie: four at once */
        if (width == 4 && q.x.step == 1 && !q.from.p && !c.keys && !c.place
            && (uintptr_t)l.x % 16 == 0) {
            const uint4 *const x = (const uint4 *)(l.x + first * 4);
            const int whole = (int)((end - first) / 4);
#pragma unroll 4
            for (int i = tid; i < whole; i += 256) {
                const uint4 v = x[i];
                const uint32_t u[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
                for (int e = 0; e < 4; e++)
                    count((K)gk_ord_same(c.t, gk_ord_key4(c.t, u[e])));
            }
            j = first + whole * 4 + tid;
        }
#pragma unroll 4
    for (; j < end; j += 256) {
        const int64_t e = c.place ? (int64_t)((const P *)c.place)[row * q.n + j]
                                  : j;
        K k;
        gk_ord_make(c.t, c.half, gk_ord_element(q, l, width, e), &k);
        if (c.keys) ((K *)c.keys)[row * q.n + j] = k;
        count(c.half ? k : gk_ord_same(c.t, k));
    }
    __syncthreads();
    for (int i = tid; i < used * 256; i += 256) {
        const uint4 v = ((const uint4 *)counts)[i];
        const uint32_t sum = v.x + v.y + v.z + v.w;
        if (sum) atomicAdd((unsigned long long *)&c.counts[
                     (i / 256 * q.rows + row) * 256 + i % 256],
                     (unsigned long long)sum);
    }
}
/* Each 256 counts to the sums before each; `same` notes those that are all of
   one digit.                                                                */
__global__ __launch_bounds__(256)
void gk_ord_bases(uint64_t *counts, int64_t n, int64_t rows, uint32_t *same) {
    __shared__ uint64_t sums[8];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    uint64_t *mine = counts + (int64_t)blockIdx.x * 256 + threadIdx.x;
    const uint64_t own = *mine;
    uint64_t sum = own;
    if (own == (uint64_t)n)
        atomicOr(&same[blockIdx.x % rows], 1u << blockIdx.x / rows);
    for (int d = 1; d < 32; d *= 2) {
        const uint64_t v = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += v;
    }
    if (lane == 31) sums[w] = sum;
    __syncthreads();
    for (int i = 0; i < w; i++) sum += sums[i];
    *mine = sum - own;
}

/* The memory of one call, and how it is cut. */
struct gk_ord_plan {
    bool wide, big;                 /* complex128; 8 bytes a place          */
    bool places, staged;            /* pairs are sorted; counting makes keys */
    int key, passes;                /* bytes of a key; passes a phase       */
    int64_t tile, portion, tiles;   /* elements; elements and tiles a launch */
    size_t keys[2], place[2], counts, same, ticket, state[2], base[2], bytes;
};
static const int64_t GK_ORD_PORTION = (int64_t)1 << 29;
static void gk_ord_plan_of(const ga__ordering *q, gk_ord_plan *p) {
    const gk_ord_type t = gk_ord_type_of(q->t, q->descending);
    size_t at = 0;
    auto take = [&at](size_t bytes) {
        const size_t mine = at;
        at += (bytes + 255) / 256 * 256;
        return mine;
    };
    const size_t n = (size_t)(q->rows * q->n);
    p->wide = q->t == GA_COMPLEX128;
    p->big = q->n >> 32 != 0;
    p->places = p->wide || q->places.p || p->big;
    p->key = t.width > 4 || p->big ? 8 : 4;
    p->passes = p->wide || t.width > 8 ? 8 : t.width;
    p->staged = p->wide || p->big || q->from.p || q->x.step != 1;
    if (p->big) p->tile = gk_ord_shape<uint64_t, uint64_t>::tile;
    else if (p->places && p->key == 8)
        p->tile = gk_ord_shape<uint64_t, uint32_t>::tile;
    else if (p->places) p->tile = gk_ord_shape<uint32_t, uint32_t>::tile;
    else if (p->key == 8) p->tile = gk_ord_shape<uint64_t, void>::tile;
    else p->tile = gk_ord_shape<uint32_t, void>::tile;
    p->portion = GK_ORD_PORTION / p->tile * p->tile;
    if (p->portion > q->n) p->portion = q->n;
    p->tiles = (p->portion + p->tile - 1) / p->tile;
    const bool moved = p->passes > 1 || p->staged;
    for (int i = 0; i < 2; i++) {
        p->keys[i] = take(moved ? n * (size_t)p->key : 0);
        p->place[i] = take(moved && p->places ? n * (p->big ? 8 : 4) : 0);
    }
    p->counts = take((size_t)q->rows * 2048 * (size_t)p->passes);
    p->same = take((size_t)q->rows * sizeof(uint32_t));
    p->ticket = take(256 * sizeof(uint32_t));
    const size_t state = (size_t)(q->rows * p->tiles) * 1024;
    p->state[0] = take(state);
    p->state[1] = take(state);
    for (int i = 0; i < 2; i++)
        p->base[i] = take(p->portion < q->n ? (size_t)q->rows * 2048 : 0);
    p->bytes = at;
}

/* One phase: a whole sort by one key. */
template<class K, class P>
static cudaError_t gk_ord_phase(const ga__ordering *q, const gk_ord_plan &m,
                                gk_ord_type t, int half, const void *place,
                                bool last, cudaStream_t s, int mps) {
    typedef typename std::conditional<std::is_void<P>::value, uint32_t,
                                      P>::type index;
    typedef gk_ord_shape<K, P> S;
    char *w = (char *)q->use.work;
    gk_ord_counting c;
    c.q = *q;
    c.t = t;
    c.half = half;
    c.keys = m.staged ? w + m.keys[0] : NULL;
    c.place = place;
    c.counts = (uint64_t *)(w + m.counts);
    const int64_t wanted = (mps * 8 + q->rows - 1) / q->rows;
    c.chunk = (q->n + wanted - 1) / wanted;
    if (c.chunk < 4096) c.chunk = 4096;
    if (c.chunk >> 30) c.chunk = (int64_t)1 << 30;
    c.chunk = (c.chunk + 3) / 4 * 4;
    c.chunks = (q->n + c.chunk - 1) / c.chunk;
    cudaError_t e = cudaMemsetAsync(w + m.counts, 0, m.state[1] - m.counts, s);
    if (e) return e;
    gk_ord_count<K, index><<<(unsigned)(c.chunks * q->rows), 256, 0, s>>>(c);
    gk_ord_bases<<<(unsigned)(q->rows * m.passes), 256, 0, s>>>(
        c.counts, q->n, q->rows, (uint32_t *)(w + m.same));

    gk_ord_pass p;
    p.q = *q;
    p.t = t;
    if (half) p.t.complex = false;  /* keys of one number each              */
    for (int i = 0; i < 2; i++) {
        p.keys[i] = w + m.keys[i];
        p.places[i] = w + m.place[i];
    }
    p.made = m.staged;
    p.placed = place != NULL;
    p.end = last;
    p.passes = m.passes;
    /* what is to lie in a known place takes all its passes */
    p.same = last ? (uint32_t *)(w + m.same) : NULL;
    for (p.pass = 0; p.pass < m.passes; p.pass++) {
        const int i = p.pass;
        p.ticket = (uint32_t *)(w + m.ticket) + i;
        p.state = (uint32_t *)(w + m.state[i & 1]);
        p.state_next = (uint32_t *)(w + m.state[(i + 1) & 1]);
        p.base = c.counts + (int64_t)i * q->rows * 256;
        for (int64_t from = 0, k = 0; from < q->n; from += m.portion, k++) {
            const bool more = from + m.portion < q->n;
            if (m.portion < q->n) {
                p.state = (uint32_t *)(w + m.state[0]);
                p.state_next = NULL;
                p.ticket = (uint32_t *)(w + m.ticket);
                if (k) p.base = (uint64_t *)(w + m.base[k & 1]);
                p.base_next = (uint64_t *)(w + m.base[(k + 1) & 1]);
                e = cudaMemsetAsync(w + m.ticket, 0, m.state[1] - m.ticket, s);
                if (e) return e;
            }
            if (!more) p.base_next = NULL;
            p.begin = from;
            p.count = more ? m.portion : q->n - from;
            p.tiles = (uint32_t)((p.count + S::tile - 1) / S::tile);
            gk_ord_sweep<K, P><<<(unsigned)(p.tiles * q->rows), S::threads, 0,
                                 s>>>(p);
        }
    }
    return cudaGetLastError();
}
size_t gk_ord_long_bytes(const ga__ordering *q) {
    gk_ord_plan m;
    gk_ord_plan_of(q, &m);
    return m.bytes;
}
int gk_ord_long(const ga__ordering *q, void *stream, int mps) {
    cudaStream_t s = (cudaStream_t)stream;
    const gk_ord_type t = gk_ord_type_of(q->t, q->descending);
    gk_ord_plan m;
    gk_ord_plan_of(q, &m);
    if (m.wide) {
        /* the lower keys' order lies in place[0], eight passes being even */
        const void *mid = (char *)q->use.work + m.place[0];
        cudaError_t e = m.big
            ? gk_ord_phase<uint64_t, uint64_t>(q, m, t, 1, NULL, false, s, mps)
            : gk_ord_phase<uint64_t, uint32_t>(q, m, t, 1, NULL, false, s, mps);
        if (e) return e;
        return m.big
            ? gk_ord_phase<uint64_t, uint64_t>(q, m, t, 2, mid, true, s, mps)
            : gk_ord_phase<uint64_t, uint32_t>(q, m, t, 2, mid, true, s, mps);
    }
    const int half = m.big && t.width < 8 ? 3 : 0;
    if (m.big)
        return gk_ord_phase<uint64_t, uint64_t>(q, m, t, half, NULL, true, s,
                                                mps);
    if (m.places)
        return m.key == 8
            ? gk_ord_phase<uint64_t, uint32_t>(q, m, t, 0, NULL, true, s, mps)
            : gk_ord_phase<uint32_t, uint32_t>(q, m, t, 0, NULL, true, s, mps);
    return m.key == 8
        ? gk_ord_phase<uint64_t, void>(q, m, t, 0, NULL, true, s, mps)
        : gk_ord_phase<uint32_t, void>(q, m, t, 0, NULL, true, s, mps);
}

#endif

/* =============================================================== >>order-net
   Rows of 33 to 4096 elements, by W = 1, 2 or 4 warps of which each thread has
   I in registers: a network of comparisons, each thread's elements first, then
   groups of twice as many threads by exchanging elements (within a warp by
   shuffles, beyond through shared memory). What is compared is a key, or a key
   above its element's place, so that equal ones keep their order. Of keys alone
   only zeros show theirs: a row with zeros of both signs writes them again, in
   the order in which they stand. Per element of 1000 some 70 instructions, and
   210 with places; by radix in shared memory it was 400. Reads and writes each
   element once.                                                             */
#if GK_PART_IS(order_net) && !defined(GPUARR_NO_CUDA)
template<class C> __device__ __forceinline__ void gk_ord_pair(C &a, C &b) {
    const C lo = a < b ? a : b, hi = a < b ? b : a;
    a = lo, b = hi;
}
/* The thread's I elements, which fall nowhere before the middle's mirror. */
template<class C, int I>
__device__ __forceinline__ void gk_ord_merge(C (&v)[I]) {
#pragma unroll
    for (int j = I / 2; j > 0; j /= 2)
#pragma unroll
        for (int i = 0; i < I; i++)
            if (!(i & j)) gk_ord_pair(v[i], v[i ^ j]);
}
template<class C, int I>
__device__ __forceinline__ void gk_ord_own(C (&v)[I]) {
#pragma unroll
    for (int k = 2; k <= I; k *= 2) {
#pragma unroll
        for (int i = 0; i < I; i++)
            if (i < (i ^ (k - 1))) gk_ord_pair(v[i], v[i ^ (k - 1)]);
#pragma unroll
        for (int j = k / 4; j > 0; j /= 2)
#pragma unroll
            for (int i = 0; i < I; i++)
                if (!(i & j)) gk_ord_pair(v[i], v[i ^ j]);
    }
}
__device__ __forceinline__ uint32_t gk_ord_half(uint32_t a, uint32_t b,
                                                bool low) {
    return low ? min(a, b) : max(a, b);
}
__device__ __forceinline__ uint64_t gk_ord_half(uint64_t a, uint64_t b,
                                                bool low) {
    return (a < b) == low ? a : b;
}
/* With the thread that differs in the bits `with`; `turned`: its elements in
   the opposite order.                                                       */
template<class C, int I, bool WIDE>
__device__ __forceinline__ void gk_ord_trade(C (&v)[I], int tid, int with,
                                             bool turned, C *memory) {
    const bool low = tid < (tid ^ with);
    if (WIDE && with >= 32) {
        const int threads = (int)blockDim.x;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < I; i++) memory[i * threads + tid] = v[i];
        __syncthreads();
        const C *other = memory + (tid ^ with)
                         + (turned ? (I - 1) * threads : 0);
        const int step = turned ? -threads : threads;
#pragma unroll
        for (int i = 0; i < I; i++)
            v[i] = gk_ord_half(v[i], other[i * step], low);
        return;
    }
    if (turned) {
#pragma unroll
        for (int i = 0; i < I / 2; i++) {
            const C a = __shfl_xor_sync(0xffffffffu, v[I - 1 - i], with);
            const C b = __shfl_xor_sync(0xffffffffu, v[i], with);
            v[i] = gk_ord_half(v[i], a, low);
            v[I - 1 - i] = gk_ord_half(v[I - 1 - i], b, low);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < I; i++)
        v[i] = gk_ord_half(v[i], __shfl_xor_sync(0xffffffffu, v[i], with), low);
}
/* What is compared: key; key << 12 | place; key << 32 | place. */
enum gk_ord_form { GK_ORD_ALONE, GK_ORD_TWELVE, GK_ORD_HALVES };
/* Both zeros' signs in a row's result, as they stand in the row; one warp. */
template<class K>
__device__ __noinline__ void gk_ord_signs(const ga__ordering &q,
                                          const gk_ord_type &t,
                                          const gk_ord_line &l) {
    const int n = (int)q.n, take = (int)q.take, lane = threadIdx.x & 31;
    const K neg = (K)t.neg, pos = (K)t.pos;
    int at = 0;
    K k = 0;
    for (int j = lane; j < n; j += 32) {
        gk_ord_load(t, gk_ord_element(q, l, t.width, j), &k);
        at += k < neg && k < pos;
    }
    for (int d = 16; d > 0; d /= 2) at += __shfl_xor_sync(0xffffffffu, at, d);
    for (int base = 0; base < n; base += 32) {
        const int j = base + lane < n ? base + lane : n - 1;
        gk_ord_load(t, gk_ord_element(q, l, t.width, j), &k);
        const bool zero = base + lane < n && (k == neg || k == pos);
        const unsigned all = __ballot_sync(0xffffffffu, zero);
        const int to = at + __popc(all & ((1u << lane) - 1));
        if (zero && to < take)
            gk_ord_store(t, l.sorted + to * q.sorted.step * t.width, k);
        at += __popc(all);
    }
}
template<class C, int I, bool WIDE>
__global__ __launch_bounds__(128, WIDE ? 3 : sizeof(C) == 4 && I == 32 ? 6 : 4)
void gk_ord_net(const __grid_constant__ ga__ordering q,
                const __grid_constant__ gk_ord_type t,
                const gk_ord_form form) {
    extern __shared__ __align__(16) unsigned char gk_ord_memory[];
    const int n = (int)q.n, take = (int)q.take, lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5, threads = WIDE ? (int)blockDim.x : 32;
    const int tid = WIDE ? (int)threadIdx.x : lane, room = threads * I;
    const int64_t row = WIDE ? blockIdx.x
                             : (int64_t)blockIdx.x * (blockDim.x >> 5) + warp;
    if (row >= q.rows) return;
    C *const memory = (C *)gk_ord_memory + (WIDE ? 0 : warp * (room / 32 * 33));
    const gk_ord_line l = gk_ord_line_of(q, t.width, row);
    const C neg = (C)t.neg, pos = (C)t.pos;
    int zeros = 0;
    auto make = [&](auto k, int j) {
        if (form == GK_ORD_ALONE) {
            zeros |= (k == neg) | (k == pos) << 1;
            return (C)k;
        }
        k = gk_ord_same(t, k);
        return form == GK_ORD_TWELVE ? (C)k << 12 | (C)j
                                     : (C)((uint64_t)k << 32 | (unsigned)j);
    };
    C v[I];
    if (t.width == 4 && q.x.step == 1 && !l.from) {
        const uint32_t *const x = (const uint32_t *)l.x + tid;
        uint32_t e[I];
#pragma unroll
        for (int i = 0; i < I; i++)
            if (i * threads + tid < n) e[i] = x[i * threads];
#pragma unroll
        for (int i = 0; i < I; i++) {
            const int j = i * threads + tid;
            v[i] = j < n ? make(gk_ord_key(t, e[i]), j) : (C)~(C)0;
        }
    } else {
#pragma unroll 4
        for (int j = tid; j < n; j += threads) {
            const void *const p = gk_ord_element(q, l, t.width, j);
            uint32_t k;
            if constexpr (sizeof(C) == 8)
                if (t.width == 8) {
                    uint64_t k8;
                    gk_ord_load(t, p, &k8);
                    memory[j] = make(k8, j);
                    continue;
                }
            gk_ord_load(t, p, &k);
            memory[j] = make(k, j);
        }
#pragma unroll
        for (int i = 0; i < I; i++) {
            const int j = i * threads + tid;
            v[i] = j < n ? memory[j] : (C)~(C)0;
        }
    }
    gk_ord_own(v);
#pragma unroll 1
    for (int group = 2; group <= threads; group *= 2) {
        gk_ord_trade<C, I, WIDE>(v, tid, group - 1, true, memory);
#pragma unroll 1
        for (int with = group / 4; with > 0; with /= 2)
            gk_ord_trade<C, I, WIDE>(v, tid, with, false, memory);
        gk_ord_merge(v);
    }

    auto sync = [] {
        if (WIDE) __syncthreads();
        else __syncwarp();
    };
    sync();                         /* a 33rd of the room keeps banks apart */
#pragma unroll
    for (int i = 0; i < I; i++) {
        const int at = tid * I + i;
        memory[at + at / 32] = v[i];
    }
    sync();
#pragma unroll 4
    for (int at = tid; at < take; at += threads) {
        const C c = memory[at + at / 32];
        if (form == GK_ORD_ALONE)
            gk_ord_store(t, l.sorted + at * q.sorted.step * t.width, c);
        else gk_ord_put(q, l, t.width, at, form == GK_ORD_TWELVE
                        ? (int64_t)(c & 4095) : (int64_t)(uint32_t)c);
    }
    if (form != GK_ORD_ALONE || !t.real) return;
    if (WIDE) {
        zeros = (__syncthreads_or(zeros & 1) ? 1 : 0)
                | (__syncthreads_or(zeros & 2) ? 2 : 0);
        if (warp) return;
    } else {
        zeros = (__any_sync(0xffffffffu, zeros & 1) ? 1 : 0)
                | (__any_sync(0xffffffffu, zeros & 2) ? 2 : 0);
        __syncwarp();
    }
    if (zeros == 3) gk_ord_signs<C>(q, t, l);
}
template<class C, int I, bool WIDE>
static cudaError_t gk_ord_net_go(const ga__ordering *q, gk_ord_form form,
                                 cudaStream_t s) {
    const gk_ord_type t = gk_ord_type_of(q->t, q->descending);
    const int warps = WIDE && q->n <= 2048 ? 2 : 4;
    const int64_t blocks = WIDE ? q->rows : (q->rows + 3) / 4;
    const size_t bytes = (size_t)warps * I * 33 * sizeof(C);
    gk_ord_net<C, I, WIDE><<<(unsigned)blocks, 32 * warps, bytes, s>>>(*q, t,
                                                                       form);
    return cudaGetLastError();
}
template<class C>
static cudaError_t gk_ord_net_of(const ga__ordering *q, gk_ord_form form,
                                 cudaStream_t s) {
    return q->n <= 128 ? gk_ord_net_go<C, 4, false>(q, form, s)
         : q->n <= 256 ? gk_ord_net_go<C, 8, false>(q, form, s)
         : q->n <= 512 ? gk_ord_net_go<C, 16, false>(q, form, s)
         : q->n <= 1024 ? gk_ord_net_go<C, 32, false>(q, form, s)
                        : gk_ord_net_go<C, 32, true>(q, form, s);
}
int gk_ord_in_registers(const ga__ordering *q, void *stream) {
    const gk_ord_type t = gk_ord_type_of(q->t, q->descending);
    const bool alone = !q->places.p;
    cudaStream_t s = (cudaStream_t)stream;
    if (t.width == 8)
        return !alone || t.complex ? -1
               : gk_ord_net_of<uint64_t>(q, GK_ORD_ALONE, s);
    if (t.width == 16) return -1;
    return alone ? gk_ord_net_of<uint32_t>(q, GK_ORD_ALONE, s)
         : t.width <= 2 ? gk_ord_net_of<uint32_t>(q, GK_ORD_TWELVE, s)
                        : gk_ord_net_of<uint64_t>(q, GK_ORD_HALVES, s);
}
#endif

/* ==================================================================== >>pick
   One place of long rows: partition, and topk of many.

   The key that sorting would put at kth is found eleven bits at a time, from
   the top: a pass counts the digits of those keys that have the bits found so
   far, and the row's last block takes from the counts the digit that kth falls
   on. From the second pass on a tile notes how many of its keys can still be
   among the first kth + 1; later passes skip those without. Then what is before
   the key, equal to it and behind it goes, in the order it stands in, to its
   part of the result: counted by tile, summed, written. Nothing depends on the
   order of the blocks. For topk of 2^26 floats three passes over them.        */
#if GK_PART_IS(order_cuda) && !defined(GPUARR_NO_CUDA)
struct gk_ord_choice {              /* of a row                             */
    uint64_t prefix;                /* the bits found                       */
    uint64_t left, less, equal;     /* kth + 1 less `less`: those before the */
                                    /* prefix; equal: to the whole key      */
};
struct gk_ord_picking {
    ga__ordering q;
    gk_ord_type t;
    gk_ord_choice *row;
    uint32_t *counts, *ticket;      /* 2048 and 1 of a row                  */
    uint32_t *some;                 /* of a tile: may be among the first    */
    uint64_t *less, *equal;         /* of a tile; then before it            */
    int shift, bits, pass;
    bool all;                       /* the others are wanted too            */
    int64_t tiles;
    int blocks;                     /* of a row                             */
};
enum { GK_ORD_BINS = 2048 };

template<class K>
GK_INL K gk_ord_key_of(const gk_ord_picking &p, const gk_ord_line &l,
                       int64_t i) {
    K k;
    gk_ord_load(p.t, l.x + i * p.q.x.step * p.t.width, &k);
    return gk_ord_same(p.t, k);
}
template<class K>
__global__ __launch_bounds__(256)
void gk_ord_pick(const __grid_constant__ gk_ord_picking p) {
    __shared__ uint32_t counts[GK_ORD_BINS];
    __shared__ uint32_t warps[8];
    __shared__ bool last;
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;
    const int64_t row = blockIdx.x / p.blocks;
    const int part = (int)(blockIdx.x % p.blocks);
    const gk_ord_line l = gk_ord_line_of(p.q, p.t.width, row);
    gk_ord_choice *const mine = p.row + row;
    const K prefix = (K)mine->prefix;
    uint32_t *const some = p.some + row * p.tiles;
    for (int i = tid; i < GK_ORD_BINS; i += 256) counts[i] = 0;
    __syncthreads();
    const unsigned mask = (1u << p.bits) - 1;
    for (int64_t b = part; b < p.tiles; b += p.blocks) {
        if (p.pass > 1 && !some[b]) continue;
        uint32_t can = 0;
        K key[16];
#pragma unroll
        for (int r = 0; r < 16; r++) {
            const int64_t i = b * GA__TILE + r * 256 + tid;
            key[r] = gk_ord_key_of<K>(p, l, i < p.q.n ? i : 0);
        }
#pragma unroll
        for (int r = 0; r < 16; r++) {
            const int64_t i = b * GA__TILE + r * 256 + tid;
            const K top = p.pass ? (K)(key[r] >> p.shift >> p.bits) : (K)0;
            if (i >= p.q.n) continue;
            if (top == prefix)
                atomicAdd(&counts[(unsigned)(key[r] >> p.shift) & mask], 1u);
            can += top <= prefix;
        }
        if (!p.pass) continue;
        for (int s = 16; s > 0; s /= 2)
            can += __shfl_xor_sync(0xffffffffu, can, s);
        if (lane == 0) warps[w] = can;
        __syncthreads();
        if (tid == 0) {
            for (int v = 1; v < 8; v++) can += warps[v];
            some[b] = can;
        }
        __syncthreads();
    }
    __syncthreads();
    uint32_t *const sum = p.counts + row * GK_ORD_BINS;
    for (int i = tid; i < GK_ORD_BINS; i += 256)
        if (counts[i]) atomicAdd(&sum[i], counts[i]);
    __threadfence();
    __syncthreads();
    if (tid == 0)
        last = atomicAdd(&p.ticket[row], 1u) == (uint32_t)p.blocks - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    uint32_t own[8], before = 0;    /* bins 8 tid ... */
#pragma unroll
    for (int i = 0; i < 8; i++) {
        own[i] = __ldcg(&sum[tid * 8 + i]);
        before += own[i];
        sum[tid * 8 + i] = 0;       /* for the next pass                    */
    }
    uint32_t upto = before;
    for (int d = 1; d < 32; d *= 2) {
        const uint32_t v = __shfl_up_sync(0xffffffffu, upto, d);
        if (lane >= d) upto += v;
    }
    if (lane == 31) warps[w] = upto;
    if (tid == 0) p.ticket[row] = 0;
    const uint64_t left = p.pass ? mine->left : (uint64_t)p.q.kth + 1;
    __syncthreads();
    for (int v = 0; v < w; v++) upto += warps[v];
    before = upto - before;
    for (int i = 0; i < 8; i++) {
        if (before < left && left <= (uint64_t)before + own[i]) {
            mine->prefix = (uint64_t)prefix << p.bits | (unsigned)(tid * 8 + i);
            mine->left = left - before;
            mine->less += before;
            mine->equal = own[i];
        }
        before += own[i];
    }
}
/* How many of a tile are before the key, and equal to it. */
template<class K>
__global__ __launch_bounds__(256)
void gk_ord_parts(const __grid_constant__ gk_ord_picking p) {
    __shared__ unsigned sums[2];
    const int64_t row = blockIdx.x / p.tiles, tile = blockIdx.x % p.tiles;
    const gk_ord_line l = gk_ord_line_of(p.q, p.t.width, row);
    const K key = (K)p.row[row].prefix;
    unsigned less = 0, equal = 0;
    if (threadIdx.x < 2) sums[threadIdx.x] = 0;
    __syncthreads();
    if (p.all || p.pass < 2 || p.some[blockIdx.x])
        for (int r = 0; r < 16; r++) {
            const int64_t i = tile * GA__TILE + r * 256 + threadIdx.x;
            if (i >= p.q.n) break;
            const K k = gk_ord_key_of<K>(p, l, i);
            less += k < key;
            equal += k == key;
        }
    for (int s = 16; s > 0; s /= 2) {
        less += __shfl_xor_sync(0xffffffffu, less, s);
        equal += __shfl_xor_sync(0xffffffffu, equal, s);
    }
    if ((threadIdx.x & 31) == 0 && (less || equal)) {
        atomicAdd(&sums[0], less);
        atomicAdd(&sums[1], equal);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        p.less[blockIdx.x] = sums[0];
        p.equal[blockIdx.x] = sums[1];
    }
}
/* Both to the sums over the row's tiles before each. */
__global__ __launch_bounds__(1024)
void gk_ord_part_sums(const __grid_constant__ gk_ord_picking p) {
    __shared__ uint64_t sums[2][32];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    uint64_t carry[2] = {0, 0};
    for (int64_t from = 0; from < p.tiles; from += 1024) {
        const int64_t i = from + threadIdx.x;
        uint64_t own[2], sum[2];
        for (int k = 0; k < 2; k++) {
            const uint64_t *of = (k ? p.equal : p.less) + blockIdx.x * p.tiles;
            own[k] = sum[k] = i < p.tiles ? of[i] : 0;
            for (int d = 1; d < 32; d *= 2) {
                const uint64_t v = __shfl_up_sync(0xffffffffu, sum[k], d);
                if (lane >= d) sum[k] += v;
            }
            if (lane == 31) sums[k][w] = sum[k];
        }
        __syncthreads();
        for (int k = 0; k < 2; k++) {
            uint64_t *of = (k ? p.equal : p.less) + blockIdx.x * p.tiles;
            uint64_t all = 0;
            for (int v = 0; v < 32; v++) {
                if (v == w) sum[k] += all;
                all += sums[k][v];
            }
            if (i < p.tiles) of[i] = carry[k] + sum[k] - own[k];
            carry[k] += all;
        }
        __syncthreads();
    }
}
/* A block a tile, a warp 512 elements of it. */
template<class K>
__global__ __launch_bounds__(256)
void gk_ord_part(const __grid_constant__ gk_ord_picking p) {
    __shared__ unsigned warps[2][8];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    const int64_t row = blockIdx.x / p.tiles, tile = blockIdx.x % p.tiles;
    if (!p.all && p.pass > 1 && !p.some[blockIdx.x]) return;
    const gk_ord_line l = gk_ord_line_of(p.q, p.t.width, row);
    const gk_ord_choice chosen = p.row[row];
    const K key = (K)chosen.prefix;
    const int64_t from = tile * GA__TILE + w * 512;
    unsigned less = 0, equal = 0, sum[2] = {0, 0};  /* lane r: of the r-th  */
#pragma unroll 4
    for (int r = 0; r < 16; r++) {
        const int64_t i = from + r * 32 + lane;
        const bool on = i < p.q.n;
        const K k = gk_ord_key_of<K>(p, l, on ? i : 0);
        const unsigned a = __ballot_sync(0xffffffffu, on && k < key);
        const unsigned b = __ballot_sync(0xffffffffu, on && k == key);
        if (lane == r) less = a, equal = b;
        sum[0] += __popc(a);
        sum[1] += __popc(b);
    }
    if (lane == 0) warps[0][w] = sum[0], warps[1][w] = sum[1];
    __syncthreads();
    int64_t a = (int64_t)p.less[blockIdx.x], b = (int64_t)p.equal[blockIdx.x];
    for (int v = 0; v < w; v++) a += warps[0][v], b += warps[1][v];
    const unsigned before = gk_ord_before();
#pragma unroll 2
    for (int r = 0; r < 16; r++) {
        const int64_t i = from + r * 32 + lane;
        const unsigned lr = __shfl_sync(0xffffffffu, less, r);
        const unsigned er = __shfl_sync(0xffffffffu, equal, r);
        const int64_t la = a + __popc(lr & before);
        const int64_t eb = b + __popc(er & before);
        const int64_t to = lr >> lane & 1 ? la
            : (int64_t)chosen.less + (er >> lane & 1 ? eb
                : (int64_t)chosen.equal + i - la - eb);
        if (i < p.q.n && to < p.q.take) gk_ord_put(p.q, l, p.t.width, to, i);
        a += __popc(lr);
        b += __popc(er);
    }
}

/* What a call's memory is cut into. */
struct gk_ord_pick_plan { size_t row, counts, ticket, zero, some, less, equal,
                          bytes; };
static void gk_ord_pick_plan_of(const ga__ordering *q, gk_ord_pick_plan *m) {
    const size_t rows = (size_t)q->rows;
    const size_t tiles = rows * (size_t)((q->n + GA__TILE - 1) / GA__TILE);
    m->row = 0;
    m->counts = rows * sizeof(gk_ord_choice);
    m->ticket = m->counts + rows * GK_ORD_BINS * 4;
    m->zero = m->ticket + rows * 4;
    m->some = m->zero;
    m->less = (m->some + tiles * 4 + 7) / 8 * 8;
    m->equal = m->less + tiles * 8;
    m->bytes = m->equal + tiles * 8;
}
/* Rows for it: of up to 2^31 elements, whose counts fit, and keys of a word. */
static bool gk_ord_is_picked(const ga__ordering *q) {
    return q->kth >= 0 && !q->from.p && q->t != GA_COMPLEX128
           && q->n >> 31 == 0;
}
template<class K>
static cudaError_t gk_ord_picked(const ga__ordering *q, cudaStream_t s,
                                 int mps) {
    gk_ord_pick_plan m;
    gk_ord_pick_plan_of(q, &m);
    gk_ord_picking p;
    char *w = (char *)q->use.work;
    p.q = *q;
    p.t = gk_ord_type_of(q->t, q->descending);
    p.row = (gk_ord_choice *)(w + m.row);
    p.counts = (uint32_t *)(w + m.counts);
    p.ticket = (uint32_t *)(w + m.ticket);
    p.some = (uint32_t *)(w + m.some);
    p.less = (uint64_t *)(w + m.less);
    p.equal = (uint64_t *)(w + m.equal);
    p.all = q->take > q->kth + 1;
    p.tiles = (q->n + GA__TILE - 1) / GA__TILE;
    const int64_t blocks = (mps * 8 + q->rows - 1) / q->rows;
    p.blocks = (int)(blocks < p.tiles ? blocks : p.tiles);
    cudaError_t e = cudaMemsetAsync(w, 0, m.zero, s);
    if (e) return e;
    int left = 8 * p.t.width;
    for (p.pass = 0; left > 0; p.pass++) {
        p.bits = left < 11 ? left : 11;
        left -= p.bits;
        p.shift = left;
        gk_ord_pick<K><<<(unsigned)(p.blocks * q->rows), 256, 0, s>>>(p);
    }
    const unsigned grid = (unsigned)(p.tiles * q->rows);
    gk_ord_parts<K><<<grid, 256, 0, s>>>(p);
    gk_ord_part_sums<<<(unsigned)q->rows, 1024, 0, s>>>(p);
    gk_ord_part<K><<<grid, 256, 0, s>>>(p);
    return cudaGetLastError();
}

/* Shared memory of a short row's block; 0: the row is not for it. */
static int gk_ord_short_warps(const ga__ordering *q, int mps, size_t *bytes) {
    const int width = (int)gk_ord_type_of(q->t, false).width;
    const int kb = width > 4 ? width : 4;
    int warps = 8;
    if (q->n > 4096) return 0;
    if (q->n <= 1024 && (q->n <= 128 || q->rows >= 16 * (int64_t)mps)) {
        for (warps = 4; warps > 1; warps--)
            if (warps * gk_ord_short_bytes(q->n, kb, 1) <= 49152) break;
        *bytes = (size_t)warps * gk_ord_short_bytes(q->n, kb, 1);
        return warps;
    }
    *bytes = gk_ord_short_bytes(q->n, kb, 8);
    return 8;
}
template<class K>
static cudaError_t gk_ord_brief(const ga__ordering *q, cudaStream_t s, int mps) {
    const gk_ord_type t = gk_ord_type_of(q->t, q->descending);
    size_t bytes;
    const int warps = gk_ord_short_warps(q, mps, &bytes);
    if (q->n <= 32) {
        const int64_t in = 32 / q->n, w = (q->rows + in - 1) / in;
        const int64_t b = (w + 7) / 8, most = (int64_t)mps * 64;
        gk_ord_tiny<K><<<(unsigned)(b < most ? b : most), 256, 0, s>>>(*q, t);
        return cudaGetLastError();
    }
    const int done = gk_ord_in_registers(q, (void *)s);
    if (done >= 0) return (cudaError_t)done;
    if constexpr (sizeof(K) == 4) {
        return cudaErrorInvalidValue;
    } else if (warps < 8) {
        gk_ord_short<K, 1><<<(unsigned)((q->rows + warps - 1) / warps),
                             32 * warps, bytes, s>>>(*q, t);
    } else {
        if (bytes > 49152) {
            cudaError_t e = cudaFuncSetAttribute(
                gk_ord_short<K, 8>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                (int)bytes);
            if (e) return e;
        }
        gk_ord_short<K, 8><<<(unsigned)q->rows, 256, bytes, s>>>(*q, t);
    }
    return cudaGetLastError();
}
/* Is a row sorted by one block? Where it would need more shared memory than
   every card has, it is not.                                                */
static bool gk_ord_is_short(const ga__ordering *q, int mps) {
    size_t bytes = 0;
    return gk_ord_short_warps(q, mps, &bytes) && bytes <= 65536;
}
/* topk beyond what gk_ord_top takes: the k found, in the order of their places,
   are sorted through these.                                                 */
static void gk_ord_second(const ga__ordering *q, int64_t *places,
                          ga__ordering *first, ga__ordering *second) {
    *first = *second = *q;
    first->sorted.p = NULL;
    first->places.p = places;
    first->places.step = 1;
    int64_t step = q->take;
    for (int d = q->ndim - 1; d >= 0; d--) {
        first->places.stride[d] = step;
        step *= q->shape[d];
    }
    second->kth = -1;
    second->n = q->take;
    second->from = first->places;
}
size_t gk_cuda_order_work(const ga__ordering *q, int mps) {
    gk_ord_pick_plan pick;
    gk_ord_topping top;
    ga__ordering first, second;
    if (gk_ord_is_short(q, mps)) return 0;
    if (gk_ord_is_top(q)) return gk_ord_top_plan(q, &top);
    if (!gk_ord_is_picked(q)) return gk_ord_long_bytes(q);
    gk_ord_pick_plan_of(q, &pick);
    if (q->take > q->kth + 1) return pick.bytes;
    int64_t some;                   /* not to be looked at                  */
    gk_ord_second(q, &some, &first, &second);
    size_t then = gk_cuda_order_work(&second, mps);
    if (then < pick.bytes) then = pick.bytes;
    return (size_t)(q->rows * q->take) * 8 + then;
}
extern "C" int gk_cuda_order(const ga__ordering *q, void *stream, int mps) {
    cudaStream_t s = (cudaStream_t)stream;
    const int width = gk_ord_type_of(q->t, false).width;
    if (gk_ord_is_short(q, mps))
        return width == 16 ? gk_ord_brief<gk_ord_wide>(q, s, mps)
            : width == 8 ? gk_ord_brief<uint64_t>(q, s, mps)
                         : gk_ord_brief<uint32_t>(q, s, mps);
    if (gk_ord_is_top(q))
        return width == 8 ? gk_ord_topped<uint64_t>(q, s)
                          : gk_ord_topped<uint32_t>(q, s);
    if (!gk_ord_is_picked(q)) return gk_ord_long(q, stream, mps);
    ga__ordering first = *q, second;
    const bool sorted = q->take == q->kth + 1;
    if (sorted) {
        gk_ord_second(q, (int64_t *)q->use.work, &first, &second);
        first.use.work = second.use.work =
            (char *)q->use.work + q->rows * q->take * 8;
    }
    cudaError_t e = width == 8 ? gk_ord_picked<uint64_t>(&first, s, mps)
                               : gk_ord_picked<uint32_t>(&first, s, mps);
    return e || !sorted ? e : gk_cuda_order(&second, stream, mps);
}
#endif

#if GK_PART_IS(order_cpu)
/* =============================================================== >>order-cpu
   By radix, eight bits a pass from the lowest, but for those that are the same
   everywhere. Sorted are keys, or keys with places: of 4 bytes each in one
   word of 8, else 16 bytes. Many rows: a thread a row; few: all threads share
   each pass. Memory: two rows of keys, for each thread or once.              */
struct gk_ord_pair { uint64_t key, at; };
static const int64_t GK_ORD_SHARED = 65536; /* elements worth all threads    */

/* What one sort moves: E; key(e) is what is compared, at(e) where it was. */
struct gk_ord_keys4 {
    typedef uint32_t E;
    gk_ord_type t;
    uint32_t key(E e) const { return gk_ord_same(t, e); }
    E make(const void *p, int64_t) const { E e; gk_ord_load(t, p, &e); return e; }
};
struct gk_ord_keys8 {
    typedef uint64_t E;
    gk_ord_type t;
    uint64_t key(E e) const { return gk_ord_same(t, e); }
    E make(const void *p, int64_t) const { E e; gk_ord_load(t, p, &e); return e; }
};
struct gk_ord_places4 {
    typedef uint64_t E;
    gk_ord_type t;
    uint32_t key(E e) const { return (uint32_t)(e >> 32); }
    int64_t at(E e) const { return (int64_t)(uint32_t)e; }
    E make(const void *p, int64_t j) const {
        uint32_t k;
        gk_ord_load(t, p, &k);
        return (uint64_t)gk_ord_same(t, k) << 32 | (uint64_t)j;
    }
};
struct gk_ord_places8 {
    typedef gk_ord_pair E;
    gk_ord_type t;
    int half;                       /* 1, 2: complex128's lower, upper key  */
    uint64_t key(E e) const { return e.key; }
    int64_t at(E e) const { return (int64_t)e.at; }
    E make(const void *p, int64_t j) const {
        uint64_t k;
        uint32_t narrow;
        gk_ord_wide wide;
        if (half) {
            gk_ord_load(t, p, &wide);
            wide = gk_ord_same(t, wide);
            k = half == 1 ? wide.lo : wide.hi;
        } else if (t.width == 8) {
            gk_ord_load(t, p, &k);
            k = gk_ord_same(t, k);
        } else {
            gk_ord_load(t, p, &narrow);
            k = gk_ord_same(t, narrow);
        }
        return gk_ord_pair{k, (uint64_t)j};
    }
};

/* n <= 32 elements of a to b in order, each behind those before it: without a
   branch that could go either way, and 4 bytes in vectors.                  */
template<class F>
static void gk_ord_few(const F &f, const typename F::E *a, typename F::E *b,
                       int n) {
    typedef decltype(f.key(a[0])) U;
    typedef typename std::make_signed<U>::type S;   /* SSE2 compares these  */
    const U top = (U)1 << (8 * sizeof(U) - 1);
    S k[32];
    for (int i = 0; i < n; i++) k[i] = (S)(f.key(a[i]) ^ top);
    for (int i = 0; i < n; i++) {
        int to = 0;
        for (int j = 0; j < i; j++) to += k[j] <= k[i];
        for (int j = i + 1; j < n; j++) to += k[j] < k[i];
        b[to] = a[i];
    }
}
/* n elements, not many: groups of few, then by merging. */
template<class F>
static typename F::E *gk_ord_merged(const F &f, typename F::E *a,
                                    typename F::E *b, int n) {
    typedef typename F::E E;
    const int few = sizeof(f.key(a[0])) == 4 ? 32 : 16;
    for (int i = 0; i < n; i += few)
        gk_ord_few(f, a + i, b + i, n - i < few ? n - i : few);
    for (int run = few; run < n; run *= 2) {
        E *const swap = a;
        a = b;
        b = swap;
        for (int i = 0; i < n; i += 2 * run) {
            const int mid = i + run < n ? i + run : n;
            const int end = i + 2 * run < n ? i + 2 * run : n;
            int x = i, y = mid, to = i;
            while (x < mid && y < end) {
                const E ex = a[x], ey = a[y];
                const bool second = f.key(ey) < f.key(ex);
                b[to++] = second ? ey : ex;
                x += !second;
                y += second;
            }
            while (x < mid) b[to++] = a[x++];
            while (y < end) b[to++] = a[y++];
        }
    }
    return b;
}
/* Sorts a[0 .. n) with b's help, `passes` bytes; returns which holds it. */
template<class F>
static typename F::E *gk_ord_one(const F &f, typename F::E *a,
                                 typename F::E *b, int64_t n, int passes) {
    typedef typename F::E E;
    if (n <= (sizeof(f.key(a[0])) == 4 ? 256 : 512))
        return gk_ord_merged(f, a, b, (int)n);
    int64_t counts[8][256];
    memset(counts, 0, (size_t)passes * sizeof *counts);
    for (int64_t i = 0; i < n; i++) {
        const auto k = f.key(a[i]);
        for (int p = 0; p < passes; p++) counts[p][k >> 8 * p & 255]++;
    }
    for (int p = 0; p < passes; p++) {
        int64_t *const c = counts[p];
        if (c[f.key(a[0]) >> 8 * p & 255] == n) continue;
        int64_t sum = 0;
        for (int d = 0; d < 256; d++) {
            const int64_t own = c[d];
            c[d] = sum;
            sum += own;
        }
        for (int64_t i = 0; i < n; i++)
            b[c[f.key(a[i]) >> 8 * p & 255]++] = a[i];
        E *const swap = a;
        a = b;
        b = swap;
    }
    return a;
}
/* The same by all threads: each counts and spreads a part of its own. */
template<class F>
static typename F::E *gk_ord_all(const F f, typename F::E *a,
                                 typename F::E *b, int64_t n, int passes,
                                 int threads, int64_t *counts) {
    typedef typename F::E E;
    for (int p = 0; p < passes; p++) {
        bool same = false;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(threads)
#endif
        for (int t = 0; t < threads; t++) {
            int64_t *const c = counts + t * 256;
            memset(c, 0, 256 * sizeof *c);
            const int64_t end = n / threads * (t + 1) + (t == threads - 1
                                                         ? n % threads : 0);
            for (int64_t i = n / threads * t; i < end; i++)
                c[f.key(a[i]) >> 8 * p & 255]++;
        }
        int64_t sum = 0;
        for (int d = 0; d < 256; d++) {
            const int64_t before = sum;
            for (int t = 0; t < threads; t++) {
                const int64_t own = counts[t * 256 + d];
                counts[t * 256 + d] = sum;
                sum += own;
            }
            same |= sum - before == n;
        }
        if (same) continue;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(threads)
#endif
        for (int t = 0; t < threads; t++) {
            int64_t *const c = counts + t * 256;
            const int64_t end = n / threads * (t + 1) + (t == threads - 1
                                                         ? n % threads : 0);
            for (int64_t i = n / threads * t; i < end; i++)
                b[c[f.key(a[i]) >> 8 * p & 255]++] = a[i];
        }
        E *const swap = a;
        a = b;
        b = swap;
    }
    return a;
}

/* How a call's work is shared and what it moves. */
enum { GK_ORD_GATHER = 8 };
struct gk_ord_cpu_plan {
    int threads, size;
    bool all, places, wide;
    bool first;                     /* only the first few are looked for    */
    size_t bytes, each;             /* of all, of a thread                  */
};
static void gk_ord_cpu_plan_of(const ga__ordering *q, gk_ord_cpu_plan *p) {
    const gk_ord_type t = gk_ord_type_of(q->t, q->descending);
    p->threads = gk_cpu_threads();
    p->all = q->n >= GK_ORD_SHARED && q->rows < p->threads;
    p->places = q->places.p || q->t == GA_COMPLEX128;
    p->wide = t.width > 4 || q->n >> 32;
    p->size = p->places ? p->wide ? 16 : 8 : t.width > 4 ? 8 : 4;
    p->first = q->kth >= 0 && q->take == q->kth + 1 && q->t != GA_COMPLEX128
               && q->rows <= 64
               && q->take <= q->n / p->threads / (2 * GK_ORD_GATHER);
    if (p->first) {
        p->size = p->wide ? 16 : 8;
        p->bytes = (size_t)q->take * (size_t)p->size * 2
                   * (GK_ORD_GATHER + 1) * (size_t)p->threads;
        return;
    }
    p->each = ((size_t)q->n * (size_t)p->size * 2 + 63) / 64 * 64;
    p->bytes = p->all ? p->each + (size_t)p->threads * 2048
                      : p->each * (size_t)p->threads;
}
/* Steps over j, by all threads or by this one. */
template<bool ALL, class F>
GK_INL void gk_ord_each(int64_t n, [[maybe_unused]] int threads, F step) {
    if constexpr (ALL) {
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads)
#endif
        for (int64_t j = 0; j < n; j++) step(j);
    } else {
        for (int64_t j = 0; j < n; j++) step(j);
    }
}
template<bool ALL, class F>
static void gk_ord_cpu_row(const ga__ordering *q, const gk_ord_cpu_plan &m, F f,
                           int64_t r, void *work) {
    typedef typename F::E E;
    const int width = f.t.width, passes = width < 8 ? width : 8;
    const int64_t n = q->n;
    const gk_ord_line l = gk_ord_line_of(*q, width, r);
    E *a = (E *)work, *b = a + n;
    gk_ord_each<ALL>(n, m.threads, [=](int64_t j) {
        a[j] = f.make(gk_ord_element(*q, l, width, j), j);
    });
    int64_t *const counts = (int64_t *)((char *)work + m.each);
    auto sort = [&] {
        E *sorted;
        if constexpr (ALL)
            sorted = gk_ord_all(f, a, b, n, passes, m.threads, counts);
        else sorted = gk_ord_one(f, a, b, n, passes);
        if (sorted != a) b = a, a = sorted;
    };
    sort();
    if constexpr (std::is_same<F, gk_ord_places8>::value)
        if (f.half) {
            f.half = 2;
            gk_ord_each<ALL>(n, m.threads, [=](int64_t i) {
                a[i] = f.make(gk_ord_element(*q, l, width, f.at(a[i])),
                              f.at(a[i]));
            });
            sort();
        }
    gk_ord_each<ALL>(q->take, m.threads, [=](int64_t i) {
        if constexpr (std::is_same<F, gk_ord_keys4>::value
                      || std::is_same<F, gk_ord_keys8>::value)
            gk_ord_store(f.t, l.sorted + i * q->sorted.step * width, a[i]);
        else
            gk_ord_put(*q, l, width, i, f.at(a[i]));
    });
}
/* The first k of elements from .. end-1 of a row, to a. Those that are before
   the k-th so far are gathered; when there is no room for more, sorted and cut
   to k. b is as long as a: GK_ORD_GATHER k.                                 */
template<class F>
static int64_t gk_ord_first(const ga__ordering *q, const F &f,
                            const gk_ord_line &l, typename F::E *a,
                            typename F::E *b, int64_t from, int64_t end,
                            int passes) {
    const int64_t k = q->take, room = GK_ORD_GATHER * k;
    int64_t n = 0;
    auto cut = [&] {
        typename F::E *const sorted = gk_ord_one(f, a, b, n, passes);
        n = n < k ? n : k;
        if (sorted != a) memcpy(a, sorted, (size_t)n * sizeof *a);
    };
    bool full = false;
    decltype(f.key(a[0])) last = 0;
    for (int64_t j = from; j < end; j++) {
        const auto e = f.make(gk_ord_element(*q, l, f.t.width, j), j);
        if (full && !(f.key(e) < last)) continue;
        a[n++] = e;
        if (n < room) continue;
        cut();
        full = true;
        last = f.key(a[k - 1]);
    }
    cut();
    return n;
}
template<class F>
static void gk_ord_cpu_first(const ga__ordering *q, const gk_ord_cpu_plan &m,
                             const F &f) {
    typedef typename F::E E;
    const int width = f.t.width, passes = width < 8 ? width : 8;
    const int64_t k = q->take, room = GK_ORD_GATHER * k;
    const int threads = q->n >= GK_ORD_SHARED ? m.threads : 1;
    E *const work = (E *)q->use.work;
    for (int64_t r = 0; r < q->rows; r++) {
        const gk_ord_line l = gk_ord_line_of(*q, width, r);
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
#endif
        for (int t = 0; t < threads; t++)   /* each has more than k         */
            gk_ord_first(q, f, l, work + 2 * room * t, work + 2 * room * t + room,
                         q->n * t / threads, q->n * (t + 1) / threads, passes);
        E *const all = work + 2 * room * threads;
        for (int t = 0; t < threads; t++)
            memcpy(all + k * t, work + 2 * room * t, (size_t)k * sizeof *all);
        E *const a = gk_ord_one(f, all, all + k * threads, k * threads, passes);
        for (int64_t i = 0; i < k; i++) gk_ord_put(*q, l, width, i, f.at(a[i]));
    }
}
template<class F>
static void gk_ord_cpu(const ga__ordering *q, const gk_ord_cpu_plan &m, F f) {
    char *work = (char *)q->use.work;
    if (m.all) {
        for (int64_t r = 0; r < q->rows; r++)
            gk_ord_cpu_row<true>(q, m, f, r, work);
        return;
    }
    const int most = q->rows < m.threads ? (int)q->rows : m.threads;
    const int threads = q->rows * q->n < 4096 ? 1 : most;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
#endif
    for (int t = 0; t < threads; t++) {
        const int64_t end = q->rows * (t + 1) / threads;
        for (int64_t r = q->rows * t / threads; r < end; r++)
            gk_ord_cpu_row<false>(q, m, f, r, work + m.each * (size_t)t);
    }
}
extern "C" void gk_cpu_order(const ga__ordering *q) {
    gk_ord_cpu_plan m;
    gk_ord_cpu_plan_of(q, &m);
    const gk_ord_type t = gk_ord_type_of(q->t, q->descending);
    if (m.first && m.wide) gk_ord_cpu_first(q, m, gk_ord_places8{t, 0});
    else if (m.first) gk_ord_cpu_first(q, m, gk_ord_places4{t});
    else if (m.places && m.wide)
        gk_ord_cpu(q, m, gk_ord_places8{t, q->t == GA_COMPLEX128});
    else if (m.places) gk_ord_cpu(q, m, gk_ord_places4{t});
    else if (t.width > 4) gk_ord_cpu(q, m, gk_ord_keys8{t});
    else gk_ord_cpu(q, m, gk_ord_keys4{t});
}
size_t gk_cpu_order_work(const ga__ordering *q) {
    gk_ord_cpu_plan m;
    gk_ord_cpu_plan_of(q, &m);
    return m.bytes;
}
#endif

/* ================================================================ >>distinct
   Places in sorted tables, what differs from its neighbour.                 */
#if GK_PART_IS(order_cpu) || GK_PART_IS(order_cuda)
/* Of m sorted elements how many come before one with key k, equals too with
   `right`; lo and hi: what is known of it.                                  */
template<class K>
GK_INL int64_t gk_ord_find(const gk_ord_type &t, const void *table,
                           const int64_t *sorter, const ga__late *late,
                           int64_t m, int64_t lo, int64_t hi, bool right, K k) {
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        int64_t at = mid;
        if (sorter) {
            at = sorter[mid] < 0 ? sorter[mid] + m : sorter[mid];
            if (at < 0 || at >= m) gk_late(*late, sorter[mid]), at = 0;
        }
        const K e = gk_ord_at<K>(t, table, at);
        if (e < k || (right && e == k)) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}
template<class K>
GK_INL void gk_ord_answer(const ga__locate &q, const gk_ord_type &t, int64_t i,
                          int64_t lo, int64_t hi, K k) {
    const int64_t at = gk_ord_find(t, q.table, q.sorter, &q.late, q.m, lo, hi,
                                   q.right, k);
    if (!q.member) {
        ((int64_t *)q.out)[i] = at;
        return;
    }
    const bool in = at < q.m && !gk_ord_nan(t, k)
                    && gk_ord_at<K>(t, q.table, at) == k;
    ((bool *)q.out)[i] = in != q.invert;
}

/* Does element i begin something new, and is that wanted? */
template<class K>
GK_INL bool gk_ord_new(const ga__distinct &q, const gk_ord_type &t, int64_t i) {
    const int64_t a = q.through ? q.places[i] : i;
    K k = gk_ord_at<K>(t, q.x, a * q.width);
    if (i > 0) {
        const int64_t b = q.through ? q.places[i - 1] : i - 1;
        bool same = true;
        for (int64_t c = 0; c < q.width && same; c++) {
            if (c) k = gk_ord_at<K>(t, q.x, a * q.width + c);
            const K e = gk_ord_at<K>(t, q.x, b * q.width + c);
            same = q.through ? e == k && !gk_ord_nan(t, k)
                   : e == k || (gk_ord_nan(t, e) && gk_ord_nan(t, k));
        }
        if (same) return false;
    }
    if (!q.other) return true;
    const int64_t at = gk_ord_find(t, q.also, (const int64_t *)NULL,
                                   (const ga__late *)NULL, q.nalso, (int64_t)0,
                                   q.nalso, false, k);
    const bool in = at < q.nalso && !gk_ord_nan(t, k)
                    && gk_ord_at<K>(t, q.also, at) == k;
    return in == (q.other > 0);
}
/* Writes what is to be said of element i, the to-th that differs or one equal to
   it; add(p, v) is what elements share.                                      */
template<class ADD>
GK_INL void gk_ord_tell(const ga__distinct &q, int width, int64_t i, bool first,
                        int64_t to, ADD add) {
    const int64_t place = q.places ? q.places[i] : i;
    if (q.inverse) q.inverse[place] = to;
    if (!first) return;
    if (q.counts && to < q.room) add(&q.counts[to], -i);
    if (q.counts && to > 0 && to <= q.room) add(&q.counts[to - 1], i);
    if (to >= q.room) return;
    if (q.values)
        gk_ord_move(width, (char *)q.values + to * width,
                    (const char *)q.x + (q.through ? place : i) * width);
    if (q.index) q.index[to] = place;
}
#endif

#if GK_PART_IS(order_cpu)
/* Sixteen searches in step, which wait for memory together. */
template<class K> static void gk_ord_locate(const ga__locate *q) {
    const gk_ord_type t = gk_ord_type_of(q->t, false);
    const int64_t batches = q->sorter ? 0 : q->n / 16;
#ifdef _OPENMP
#pragma omp parallel for if (batches > 256)
#endif
    for (int64_t b = 0; b < batches; b++) {
        K k[16];
        int64_t lo[16];
        for (int j = 0; j < 16; j++) {
            k[j] = gk_ord_at<K>(t, q->x, b * 16 + j);
            lo[j] = 0;
        }
        for (int64_t left = q->m; left > 0;) {
            const int64_t half = (left + 1) / 2;
            for (int j = 0; j < 16; j++) {
                const K e = gk_ord_at<K>(t, q->table, lo[j] + half - 1);
                lo[j] += e < k[j] || (q->right && e == k[j]) ? half : 0;
            }
            left -= half;
        }
        for (int j = 0; j < 16; j++)
            gk_ord_answer(*q, t, b * 16 + j, lo[j], lo[j], k[j]);
    }
    for (int64_t i = batches * 16; i < q->n; i++)
        gk_ord_answer(*q, t, i, 0, q->m, gk_ord_at<K>(t, q->x, i));
}
extern "C" void gk_cpu_locate(const ga__locate *q) {
    switch (gk_ord_type_of(q->t, false).width) {
    case 8: gk_ord_locate<uint64_t>(q); break;
    case 16: gk_ord_locate<gk_ord_wide>(q); break;
    default: gk_ord_locate<uint32_t>(q);
    }
}
template<class K> static void gk_ord_distinct(const ga__distinct *q) {
    const gk_ord_type t = gk_ord_type_of(q->t, false);
    const int64_t tiles = (q->n + GA__TILE - 1) / GA__TILE;
    if (q->write && q->counts)
        memset(q->counts, 0, (size_t)q->room * sizeof *q->counts);
#ifdef _OPENMP
#pragma omp parallel for if (tiles > 4)
#endif
    for (int64_t b = 0; b < tiles; b++) {
        const int64_t end = b == tiles - 1 ? q->n : (b + 1) * GA__TILE;
        int64_t sum = q->write ? q->tile[b] : 0;
        const bool plain = q->width == 1 && !q->through && !q->other;
        K last = plain && b ? gk_ord_at<K>(t, q->x, b * GA__TILE - 1) : K();
        for (int64_t i = b * GA__TILE; i < end; i++) {
            bool first;
            if (plain) {
                const K e = gk_ord_at<K>(t, q->x, i);
                first = !(e == last || (gk_ord_nan(t, e) && gk_ord_nan(t, last)))
                        || i == 0;
                last = e;
            } else {
                first = gk_ord_new<K>(*q, t, i);
            }
            sum += first;
            if (q->write)
                gk_ord_tell(*q, t.width, i, first, sum - 1,
                            [](int64_t *p, int64_t v) {
#ifdef _OPENMP
#pragma omp atomic
#endif
                                *p += v;
                            });
        }
        if (!q->write) q->tile[b] = sum;
    }
    if (q->write) {
        if (q->counts && *q->count > 0 && *q->count <= q->room)
            q->counts[*q->count - 1] += q->n;
        return;
    }
    int64_t sum = 0;
    for (int64_t b = 0; b < tiles; b++) {
        const int64_t own = q->tile[b];
        q->tile[b] = sum;
        sum += own;
    }
    *q->count = sum;
}
extern "C" void gk_cpu_distinct(const ga__distinct *q) {
    switch (gk_ord_type_of(q->t, false).width) {
    case 8: gk_ord_distinct<uint64_t>(q); break;
    case 16: gk_ord_distinct<gk_ord_wide>(q); break;
    default: gk_ord_distinct<uint32_t>(q);
    }
}
#endif

#if GK_PART_IS(order_cuda) && !defined(GPUARR_NO_CUDA)
/* The search's upper levels stand in shared memory, 32 kB of the table's keys;
   the others come out of the L2, whose rate is the limit.                    */
template<class K>
__global__ __launch_bounds__(512)
void gk_ord_locate(const __grid_constant__ ga__locate q,
                   const __grid_constant__ gk_ord_type t) {
    constexpr int PIVOTS = 32768 / (int)sizeof(K);
    __shared__ K pivot[PIVOTS];
    const bool some = q.m >= 2 * PIVOTS && q.n >= 65536 && !q.sorter;
    const int64_t gap = q.m / PIVOTS;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    if (some) {
        for (int i = threadIdx.x; i < PIVOTS; i += blockDim.x)
            pivot[i] = gk_ord_at<K>(t, q.table, i * gap);
        __syncthreads();
    }
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < q.n;
         i += step) {
        const K k = gk_ord_at<K>(t, q.x, i);
        int64_t lo = 0, hi = q.m;
        if (some) {                 /* pivots before k                      */
            int a = 0, b = PIVOTS;
            while (a < b) {
                const int mid = (a + b) / 2;
                if (pivot[mid] < k || (q.right && pivot[mid] == k)) a = mid + 1;
                else b = mid;
            }
            lo = a ? (a - 1) * gap + 1 : 0;
            hi = a < PIVOTS ? a * gap : q.m;
        }
        gk_ord_answer(q, t, i, lo, hi, k);
    }
}
extern "C" int gk_cuda_locate(const ga__locate *q, void *stream, int mps) {
    const gk_ord_type t = gk_ord_type_of(q->t, false);
    const int64_t b = (q->n + 511) / 512, most = (int64_t)mps * 4;
    const unsigned grid = (unsigned)(b < most ? b : most);
    cudaStream_t s = (cudaStream_t)stream;
    switch (t.width) {
    case 8: gk_ord_locate<uint64_t><<<grid, 512, 0, s>>>(*q, t); break;
    case 16: gk_ord_locate<gk_ord_wide><<<grid, 512, 0, s>>>(*q, t); break;
    default: gk_ord_locate<uint32_t><<<grid, 512, 0, s>>>(*q, t);
    }
    return cudaGetLastError();
}

/* A block a tile, a warp 512 elements of it, sixteen times 32; which of them
   are new lane r keeps of the r-th 32. Reads each element once a step, its
   neighbour out of the caches.                                              */
template<class K>
__global__ __launch_bounds__(256)
void gk_ord_distinct(const __grid_constant__ ga__distinct q,
                     const __grid_constant__ gk_ord_type t) {
    __shared__ int warps[8];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    const int64_t from = (int64_t)blockIdx.x * GA__TILE + w * 512;
    unsigned firsts = 0;
    int sum = 0;
#pragma unroll 1
    for (int r = 0; r < 16; r += 4) {
        unsigned now[4];
        if (q.width == 1 && !q.through && !q.other) {
            K k[4], b[4];
#pragma unroll
            for (int u = 0; u < 4; u++) {
                const int64_t i = from + (r + u) * 32 + lane;
                const int64_t e = i < q.n ? i : q.n - 1;
                k[u] = gk_ord_at<K>(t, q.x, e);
                b[u] = gk_ord_at<K>(t, q.x, e ? e - 1 : 0);
            }
#pragma unroll
            for (int u = 0; u < 4; u++) {
                const int64_t i = from + (r + u) * 32 + lane;
                const bool same = k[u] == b[u] || (gk_ord_nan(t, k[u])
                                                   && gk_ord_nan(t, b[u]));
                now[u] = __ballot_sync(0xffffffffu,
                                       i < q.n && (i == 0 || !same));
            }
        } else {
#pragma unroll 1
            for (int u = 0; u < 4; u++) {
                const int64_t i = from + (r + u) * 32 + lane;
                const unsigned v = __ballot_sync(
                    0xffffffffu, i < q.n && gk_ord_new<K>(q, t, i));
                if (lane == r + u) firsts = v;
                sum += __popc(v);
            }
            continue;
        }
#pragma unroll
        for (int u = 0; u < 4; u++) {
            if (lane == r + u) firsts = now[u];
            sum += __popc(now[u]);
        }
    }
    if (lane == 0) warps[w] = sum;
    __syncthreads();
    if (!q.write) {
        if (threadIdx.x == 0) {
            for (int v = 1; v < 8; v++) sum += warps[v];
            q.tile[blockIdx.x] = sum;
        }
        return;
    }
    int64_t to = q.tile[blockIdx.x] - 1;
    for (int v = 0; v < w; v++) to += warps[v];
    const unsigned upto = 0xffffffffu >> (31 - lane);
#pragma unroll 2
    for (int r = 0; r < 16; r++) {
        const int64_t i = from + r * 32 + lane;
        const unsigned now = __shfl_sync(0xffffffffu, firsts, r);
        if (i < q.n)
            gk_ord_tell(q, t.width, i, now >> lane & 1, to + __popc(now & upto),
                        [](int64_t *p, int64_t v) {
                            atomicAdd((unsigned long long *)p,
                                      (unsigned long long)v);
                        });
        to += __popc(now);
    }
    if (q.counts && blockIdx.x == 0 && threadIdx.x == 0 && *q.count > 0
        && *q.count <= q.room)
        atomicAdd((unsigned long long *)&q.counts[*q.count - 1],
                  (unsigned long long)q.n);
}
/* The tiles' counts to the sums before each, and their sum: one block. */
__global__ __launch_bounds__(1024)
void gk_ord_tiles(int64_t *tile, int64_t tiles, int64_t *count) {
    __shared__ int64_t sums[32];
    const int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    int64_t carry = 0;
    for (int64_t from = 0; from < tiles; from += 1024) {
        const int64_t i = from + threadIdx.x;
        const int64_t own = i < tiles ? tile[i] : 0;
        int64_t sum = own;
        for (int d = 1; d < 32; d *= 2) {
            const int64_t v = __shfl_up_sync(0xffffffffu, sum, d);
            if (lane >= d) sum += v;
        }
        if (lane == 31) sums[w] = sum;
        __syncthreads();
        int64_t all = 0;
        for (int v = 0; v < 32; v++) {
            if (v == w) sum += all;
            all += sums[v];
        }
        if (i < tiles) tile[i] = carry + sum - own;
        carry += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) *count = carry;
}
extern "C" int gk_cuda_distinct(const ga__distinct *q, void *stream, int) {
    const gk_ord_type t = gk_ord_type_of(q->t, false);
    const int64_t tiles = (q->n + GA__TILE - 1) / GA__TILE;
    cudaStream_t s = (cudaStream_t)stream;
    if (q->write && q->counts) {
        cudaError_t e = cudaMemsetAsync(
            q->counts, 0, (size_t)q->room * sizeof *q->counts, s);
        if (e) return e;
    }
    switch (t.width) {
    case 8: gk_ord_distinct<uint64_t><<<(unsigned)tiles, 256, 0, s>>>(*q, t);
        break;
    case 16: gk_ord_distinct<gk_ord_wide><<<(unsigned)tiles, 256, 0, s>>>(*q, t);
        break;
    default: gk_ord_distinct<uint32_t><<<(unsigned)tiles, 256, 0, s>>>(*q, t);
    }
    if (!q->write) gk_ord_tiles<<<1, 1024, 0, s>>>(q->tile, tiles, q->count);
    return cudaGetLastError();
}
#endif

#if GK_PART_IS(sort)
size_t gk_cpu_order_work(const ga__ordering *q);
#ifndef GPUARR_NO_CUDA
size_t gk_cuda_order_work(const ga__ordering *q, int mps);
#endif
extern "C" size_t gk_order_work(const ga__ordering *q, int mps) {
#ifndef GPUARR_NO_CUDA
    if (mps) return gk_cuda_order_work(q, mps);
#endif
    (void)mps;
    return gk_cpu_order_work(q);
}
#endif

/* =============================================================== >>quantile */

/* ============================================================== >>histogram */

/* ================================================================ >>softmax */

/* =============================================================== >>distance */

/* ==================================================================== >>fft */

/* =============================================================== >>fft-cuda */

/* ============================================================== >>eval-cpu
   A fused expression, block by block: each step is a launch of its row over
   one block, by the loops of >>ew-cpu, between buffers that stay in the cache.
   So memory is read and written once, and results are those of the separate
   calls. Operands whose elements do not adjoin are gathered first. Outputs
   are written by the step that gives them, where nothing reads their memory
   later: an output may be an operand's memory, element for element.
   A reduced block goes to the loops of >>reduce; their partial results merge
   in an order that shape and program fix, not the number of threads.        */
#if GK_PART_IS(eval_cpu)
#ifdef _OPENMP
#include <omp.h>
#endif
/* What a thread has for the values of a block, and a buffer's share: 20
   operations on 10^6 float32 take 2.2 ms with 4 KB, 1.9 with 8, 2.3 with 16,
   2.9 with 32.                                                              */
#define GK_E_ROOM 65536
#define GK_E_BUFFER 8192
#define GK_E_FEW 64                 /* rows or elements of the small room    */

struct gk_eplan {
    const ga__eval *e;
    int block;                      /* elements                             */
    size_t pitch;                   /* from one buffer to the next, bytes   */
    bool rows;                      /* no block goes past the end of a row  */
    bool few;                       /* elements: for the small room         */
    short home[GA__E_STEPS];        /* a step's result: its buffer, or ~k:  */
                                    /* out[k] itself                        */
    short from[GA__E_ARRAYS];       /* gathered into this buffer, or -1     */
    short filled[GA__E_CONSTS];     /* spread over this buffer, or -1: each */
                                    /* step does that                       */
    unsigned char type[GA__E_CONSTS];
};

/* The type of a constant that is operand i of q. */
static ga_dtype gk_etype(const ga__step *q, int i) {
    return q->op == GA__OP_where && i == 0 ? GA_BOOL : (ga_dtype)q->compute;
}
/* Whether step s may write out[k] at once. */
static bool gk_edirect(const gk_eplan *p, int s, int k) {
    const ga__eval *e = p->e;
    if (e->red >= 0 || !gk_flat(e, p->rows, &e->out[k])) return false;
    for (int i = 0; i < k; i++)
        if (e->result[i] == s) return false;
    for (int t = s + 1; t < e->nsteps; t++)
        for (int i = 0; i < e->step[t].nin; i++) {
            int j = ~e->step[t].in[i];
            if (j >= 0 && p->from[j] < 0 && e->in[j].data == e->out[k].data)
                return false;
        }
    return true;
}
static void gk_eplan_make(gk_eplan *p, const ga__eval *e, bool rows) {
    size_t wide = 1;
    int n = e->nslots;
    p->e = e;
    p->rows = rows && gk_by_rows(e);
    for (int s = 0; s < e->nsteps; s++) {
        size_t b = gk_size[e->step[s].type];
        wide = wide > b ? wide : b;
        p->home[s] = e->step[s].slot;
    }
    for (int j = 0; j < e->nin; j++) {
        size_t b = gk_size[e->in[j].dtype];
        p->from[j] = -1;
        if (gk_flat(e, p->rows, &e->in[j])) continue;
        p->from[j] = (short)n++;
        wide = wide > b ? wide : b;
    }
    for (int k = 0; k < e->nout; k++) {
        int s = e->result[k];
        if (gk_edirect(p, s, k)) p->home[s] = (short)~k;
    }
    /* Constants spread once a thread, where there is room: 20 operations, ten
       of them with one of two, take 1.4 ms instead of 1.9.                  */
    memset(p->filled, -1, sizeof p->filled);
    for (int s = 0; s < e->nsteps; s++) {
        const ga__step *q = &e->step[s];
        for (int i = 0; i < q->nin; i++) {
            int c = q->in[i] - GA__E_CONST;
            if (c < 0 || p->filled[c] >= 0 || n >= GK_E_ROOM / GK_E_BUFFER)
                continue;
            p->filled[c] = (short)n++;
            p->type[c] = (unsigned char)gk_etype(q, i);
            size_t b = gk_size[p->type[c]];
            wide = wide > b ? wide : b;
        }
    }
    p->block = GK_E_BUFFER / (int)wide;
    while (p->block * wide * n > GK_E_ROOM) p->block /= 2;
    p->few = e->n <= GK_E_FEW && e->n <= p->block / 16;
    if (p->few) p->block /= 16;
    p->pitch = p->block * wide;
}

/* f(plan, room), the room on the heap, since a thread's stack may be small:
   that has a sixteenth, for few elements, and for shorter blocks where the
   heap has none. Behind the values a short row's states have theirs. From a
   page's start on, as large operands nearly are: a load does not wait for a
   store 4 KB away.                                                          */
template<class F> GK_OUT static void gk_ewith_few(const gk_eplan *p,
                                                  const F &f) {
    alignas(64) char room[GK_E_ROOM / 16 + GK_E_FEW * GK_RSTATE];
    if (p->few) return f(p, room);
    gk_eplan q = *p;
    q.few = true;
    q.block /= 16;
    q.pitch /= 16;
    f(&q, room);
}
template<class F> static void gk_ewith(const gk_eplan *p, const F &f) {
    void *heap = p->few ? NULL : malloc(GK_E_ROOM + GK_LANES * GK_RSTATE
                                         + 4095);
    if (!heap) return gk_ewith_few(p, f);
    f(p, (char *)(((uintptr_t)heap + 4095) & ~(uintptr_t)4095));
    free(heap);
}

/* The block of n elements at `index`. */
static void gk_eblock(const gk_eplan *p, char *room, const int64_t *index,
                      int n) {
    const ga__eval *e = p->e;
    char *in[GA__E_ARRAYS], *out[GA__E_OUTS];
    for (int j = 0; j < e->nin; j++) {
        in[j] = p->from[j] < 0 ? gk_at(e, &e->in[j], index)
                               : room + p->from[j] * p->pitch;
        if (p->from[j] >= 0)
            gk_rows(e, &e->in[j], index, n, in[j], false);
    }
    for (int k = 0; e->red < 0 && k < e->nout; k++)
        out[k] = gk_at(e, &e->out[k], index);
#define GK_EVALUE(s) \
    (p->home[s] < 0 ? out[~p->home[s]] : room + p->home[s] * p->pitch)
    ga__ew w;
    w.ndim = 1;
    w.n = w.shape[0] = n;
    w.out.stride[0] = 1;
    w.param[0] = w.param[1] = w.param[2] = 0;
    for (int s = 0; s < e->nsteps; s++) {
        const ga__step *q = &e->step[s];
        w.op = (ga__op)q->op;
        w.nin = q->nin;
        w.compute = (ga_dtype)q->compute;
        for (int i = 0; i < q->nin; i++) {
            ga__operand_view *v = &w.in[i];
            int c = q->in[i];
            v->stride[0] = 1;
            v->dtype = w.compute;
            if (c >= GA__E_CONST) {
                const unsigned char *b = e->constant[c -= GA__E_CONST];
                v->dtype = gk_etype(q, i);
                if (p->filled[c] >= 0 && p->type[c] == v->dtype) {
                    v->data = room + p->filled[c] * p->pitch;
                } else if (v->dtype == w.compute) {
                    v->data = NULL;
                    memcpy(v->value.b, b, 16);
                } else {
                    v->data = (void *)b;
                    v->stride[0] = 0;
                }
            } else if (c < 0) {
                v->data = in[~c];
                v->dtype = e->in[~c].dtype;
            } else {
                v->data = GK_EVALUE(c);
                v->dtype = (ga_dtype)e->step[c].type;
            }
        }
        w.out.data = GK_EVALUE(s);
        w.out.dtype = (ga_dtype)q->type;
        gk_cpu_run(&w, 0, n);
    }
    for (int k = 0; e->red < 0 && k < e->nout; k++) {
        int s = e->result[k];
        if (p->home[s] != ~k)
            gk_rows(e, &e->out[k], index, n, GK_EVALUE(s), true);
    }
#undef GK_EVALUE
}

/* Constants into their buffers, for blocks of up to n elements. */
static void gk_eready(const gk_eplan *p, char *room, int64_t n) {
    const int m = n < p->block ? (int)n : p->block;
    for (int c = 0; c < p->e->nconst; c++) {
        if (p->filled[c] < 0) continue;
        const void *b = p->e->constant[c];
        char *to = room + p->filled[c] * p->pitch;
        gk_fill(to, b, m, gk_size[p->type[c]]);
    }
}
/* The length of the block at `index`, of which `left` elements are wanted. */
static inline int gk_elength(const gk_eplan *p, const int64_t *index,
                             int64_t left) {
    const int last = p->e->ndim - 1;
    const int64_t row = p->e->shape[last] - index[last];
    if (left > p->block) left = p->block;
    return (int)(p->rows && left > row ? row : left);
}

/* f(from, to) for shares of `tasks`, on threads where three tasks of >>ew-cpu
   are reached, each step counted. A call of four elements takes 0.57 us, and
   1.14 with `if` in the pragma: that makes a team of one.                   */
template<class F> static void gk_eshare(const ga__eval *e, int64_t tasks,
                                        const F &f) {
#ifdef _OPENMP
    if (tasks > 1 && e->n > 3 * 64 * GK_BLOCK / e->nsteps) {
#pragma omp parallel
        {
            const int64_t i = omp_get_thread_num(), t = omp_get_num_threads();
            f(tasks * i / t, tasks * (i + 1) / t);
        }
        return;
    }
#endif
    (void)e;
    f(0, tasks);
}
/* Elements `from` to `to`. */
static void gk_erange(const gk_eplan *p, char *room, int64_t from,
                      int64_t to) noexcept {
    int64_t index[GA_MAX_NDIM];
    gk_index(p->e, from, index);
    gk_eready(p, room, to - from);
    for (int n; from < to; from += n) {
        n = gk_elength(p, index, to - from);
        gk_eblock(p, room, index, n);
        gk_next(p->e, index, n);
    }
}

/* --- reductions ---------------------------------------------------------- */

/* The reduction of the result, as if it lay in memory. */
static void gk_ered_plan(const ga__eval *e, gk_rp *r) {
    ga__rd d;
    memset(&d, 0, sizeof d);
    d.op = (ga__red)e->red;
    d.in_type = (ga_dtype)e->step[e->result[0]].type;
    d.out_type = e->out[0].dtype;
    d.nout = d.nred = 1;
    for (int k = 0; k < e->ndim; k++)
        *(k < e->nkeep ? &d.nout : &d.nred) *= e->shape[k];
    d.nkeep = d.nreduce = 1;
    d.keep_shape[0] = d.nout;
    d.keep_stride[0] = d.red_shape[0] = d.nred;
    d.red_stride[0] = 1;
    d.out = e->out[0].data;
    d.use.work = e->use.work;
    gk_rplan(r, &d);
    gk_rmask_cpu(r);
    gk_rplan_cpu(r);
}
/* Short rows, from .. to-1, as many to a block as it holds. */
static void gk_ered_short(const gk_eplan *p, char *room, const gk_rp *r,
                          const gk_rcalls *c, int64_t from, int64_t to)
    noexcept {
    int64_t index[GA_MAX_NDIM];
    const int nred = (int)r->nred;
    const int most = nred >= 32 ? 1 : p->few ? GK_E_FEW : GK_LANES;
    char *a = room + GK_E_ROOM / (p->few ? 16 : 1);
    gk_rp q = *r;
    q.in = room + p->home[p->e->result[0]] * p->pitch;
    gk_eready(p, room, (to - from) * nred);
    for (int w; from < to; from += w) {
        w = to - from < p->block / nred ? (int)(to - from) : p->block / nred;
        gk_index(p->e, from * nred, index);
        gk_eblock(p, room, index, w * nred);
        for (int b = 0, m; b < w; b += m) {
            m = w - b < most ? w - b : most;
            c->init(&q, a, m);
            c->block(&q, 0, b, m, 0, nred, a);
            c->finish(&q, a, m, from + b, 1);
        }
    }
}
/* Part s of the long row o. */
static void gk_ered_long(const gk_eplan *p, char *room, const gk_rp *r,
                         const gk_rcalls *c, int64_t o, int64_t s) noexcept {
    alignas(64) char a[GK_RSTATE];
    int64_t index[GA_MAX_NDIM], b = s * r->slab;
    const int64_t end = b + r->slab < r->nred ? b + r->slab : r->nred;
    gk_rp q = *r;
    q.in = room + p->home[p->e->result[0]] * p->pitch;
    c->init(&q, a, 1);
    gk_index(p->e, o * r->nred + b, index);
    gk_eready(p, room, end - b);
    for (int n; b < end; b += n) {
        n = gk_elength(p, index, end - b);
        gk_eblock(p, room, index, n);
        c->block(&q, 0, 0, 1, 0, n, a);
        gk_next(p->e, index, n);
    }
    if (r->split > 1)
        memcpy((char *)r->work + (o * r->split + s) * c->state, a, c->state);
    else
        c->finish(&q, a, 1, o, 1);
}
static void gk_ered(const ga__eval *e, const gk_rp *r) {
    const gk_rcalls *c = gk_rcalls_for(r);
    gk_eplan p;
    gk_eplan_make(&p, e, false);
    if (p.few || r->nred <= p.block / 2) {
        gk_eshare(e, r->nout, [&](int64_t from, int64_t to) noexcept {
            gk_ewith(&p, [&](const gk_eplan *w, char *room) noexcept {
                if (r->nred <= w->block)
                    return gk_ered_short(w, room, r, c, from, to);
                for (int64_t o = from; o < to; o++)
                    gk_ered_long(w, room, r, c, o, 0);
            });
        });
        return;
    }
    const int S = r->split;
    gk_eplan_make(&p, e, true);
    gk_eshare(e, r->nout * S, [&](int64_t from, int64_t to) noexcept {
        gk_ewith(&p, [&](const gk_eplan *w, char *room) noexcept {
            for (int64_t t = from; t < to; t++)
                gk_ered_long(w, room, r, c, t / S, t % S);
        });
    });
    for (int64_t o = 0; S > 1 && o < r->nout; o++) {
        alignas(64) char a[GK_RSTATE];
        c->init(r, a, 1);
        for (int s = 0; s < S; s++)
            c->merge(r, a, (const char *)r->work + (o * S + s) * c->state, 1);
        c->finish(r, a, 1, o, 1);
    }
}

/* Not here: means of wide integers (a family of their own); and operands that
   run across the order of the reduction: to gather them costs more than to
   store the expression first.                                               */
extern "C" size_t gk_cpu_eval_work(const ga__eval *e) {
    if (e->red < 0) return 0;
    gk_rp r;
    gk_ered_plan(e, &r);
    const int last = e->ndim - 1;
    bool across = false;
    for (int j = 0; j < e->nin; j++) {
        const int64_t *t = e->in[j].stride;
        for (int d = 0; d < last; d++)
            across |= t[d] != 0 && t[last] != 0
                      && (t[d] < 0 ? -t[d] : t[d])
                         < (t[last] < 0 ? -t[last] : t[last]);
    }
    if (across || (r.kind != GK_RADD && r.kind != GK_REXT
                   && r.kind != GK_RCOUNT))
        return (size_t)-1;
    return r.split == 1 ? 0 : (size_t)(r.nout * r.split)
        * (size_t)gk_rstate(r.kind, r.in_type >= GA_COMPLEX64, r.size);
}

GA__EXTERN void gk_cpu_eval(const ga__eval *e) {
    if (e->red >= 0) {
        gk_rp r;
        gk_ered_plan(e, &r);
        gk_ered(e, &r);
        return;
    }
    gk_eplan p;
    gk_eplan_make(&p, e, true);
    gk_eshare(e, gk_ceil_div(e->n, p.block), [&](int64_t from, int64_t to)
                                                 noexcept {
        from *= p.block;
        to = to * p.block < e->n ? to * p.block : e->n;
        gk_ewith(&p, [&](const gk_eplan *w, char *room) noexcept {
            gk_erange(w, room, from, to);
        });
    });
}
#endif

/* ============================================================== >>eval-cuda
   Fused expressions on the GPU: an assembler (host) and interpreters.

   The machine has one accumulator, V elements a thread in registers, and
   slots, V elements a thread each in shared memory. An instruction is
   acc = op(acc, operand) or, reversed, op(operand, acc); the operand is a slot
   or a constant, so a chain of unary operations touches no memory. Inputs
   are copied to slots as they are (cp.async: all are under way at once and
   hold no registers), and narrow ones widened by an instruction; a thread
   reads and writes its own part of a slot alone, so nothing waits for the
   block. Bytes moved: every input once, every output once.
   Elements go by chunks of 16 bytes, G elements of W bytes; thread t of a
   tile has NG chunks, `step` chunks apart, neighbours in neighbour threads.

   Four classes, by the widest type in the program, keep each small:
     F    float32, float16 and bfloat16 (held as float32, rounded by an
          instruction), bool (held as 0.0 and 1.0)
     4 8 16  all types of at most so many bytes, each in its own: words hold
          a value in their low bytes and >>apply computes it
   Every operation is the gk_ function of the separate launch, in the same
   type and without contraction: results are the same bits.                 */
#if (GK_PART_IS(eval_cuda) || GK_PART_IS(eval_8_cuda) \
     || GK_PART_IS(eval_16_cuda)) && !defined(GPUARR_NO_CUDA)
enum { GK_EF, GK_E4, GK_E8, GK_E16 };

/* Instructions. Those of a class's table come first, in its order; words of 4
   and 8 bytes share one: rows for integers, F rows for float32 or float64;
   then each has some of its own: inputs of 1, 2 or 4 bytes, casts to its
   float (from u8, ..., and to float32), complex64.                          */
#define GK_E_TABLE(X) \
    X(LOAD) X(STORE) X(WHERE_C) X(WHERE_X) X(WHERE_Y)                        \
    X(ADD) X(SUB) X(RSUB) X(MUL) X(DIV) X(RDIV) X(SQUARE)                    \
    X(NEG) X(ABS) X(SQRT) X(RECIP) X(MAX) X(RMAX) X(MIN) X(RMIN) X(LT) X(LE) \
    X(GT) X(GE) X(EQ) X(NE) X(NOT) X(TRUTH) X(AND) X(OR) X(XOR)              \
    X(ROUND16) X(ROUNDB) X(WIDEN1) X(WIDEN16) X(WIDENB)                      \
    X(SIN) X(COS) X(SINCOS) X(COSSIN) X(EXP) X(LOG) X(TANH) X(MAC)
#define GK_E_WORD_TABLE(X) \
    X(LOAD) X(STORE) X(WHERE_C) X(WHERE_X) X(WHERE_Y)                        \
    X(ADD) X(SUB) X(RSUB) X(MUL) X(SQUARE) X(NEG) X(AND) X(OR) X(XOR) X(LT)  \
    X(LE) X(GT) X(GE) X(EQ) X(NE) X(FADD) X(FSUB) X(FRSUB) X(FMUL) X(FDIV)   \
    X(FRDIV) X(FSQUARE) X(FNEG) X(FABS) X(FSQRT) X(FMAX) X(FRMAX) X(FMIN)    \
    X(FRMIN) X(FLT) X(FLE) X(FGT) X(FGE) X(FEQ) X(FNE) X(WIDEN1) X(WIDEN2)   \
    X(FSIN) X(FCOS) X(FSINCOS) X(FCOSSIN) X(FEXP) X(FLOG) X(FMAC)
#define GK_E_TABLE4(X) GK_E_WORD_TABLE(X) \
    X(U8F) X(I8F) X(U16F) X(I16F) X(WIDEN16) X(WIDENB) X(ROUND16) X(ROUNDB)  \
    X(FTANH)
#define GK_E_TABLE8(X) GK_E_WORD_TABLE(X) \
    X(WIDEN4) X(I32F) X(I64F) X(F32F) X(TOF32) X(CADD) X(CSUB) X(CRSUB) X(CMUL)
enum {
#define GA__X(n) GK_E_##n,
    GK_E_TABLE(GA__X)
#undef GA__X
    GK_E_TABLED,
    GK_E_END = 64, GK_E_OUT,        /* from here on in no table             */
    GK_E_WIDEN,
    GK_E_NEXT,                      /* nextafter of halves                  */
    GK_E_CAST,                      /* not F: aux is the type               */
    GK_E_ROUND,                     /* of words, as F's; aux is the type    */
    GK_E_APPLY                      /* any row; aux is the row              */
};
enum {
#define GA__X(n) GK_W4_##n,
    GK_E_TABLE4(GA__X)
#undef GA__X
    GK_W4_TABLED
};
enum {
#define GA__X(n) GK_W_##n,
    GK_E_TABLE8(GA__X)
#undef GA__X
    GK_W_TABLED
};
/* An instruction: x = code | type << 8 | flags | aux << 16, y = operands: byte
   offsets in shared memory, with bit 0 set for slots, where a thread's own
   16 bytes are added.                                                      */
#define GK_E_REV (1u << 13)         /* op(operand, acc)                     */
#define GK_E_BOOL (1u << 14)        /* a truth row                          */
#define GK_E_HEAVY (1u << 15)
#define GK_E_NG 2
#define GK_E_MEMORY 32768           /* of a block; reductions add to it     */
#define GK_E_WORDS 290              /* code and constants, 8 bytes each     */

struct gk_eword { uint32_t x, y; };
struct gk_ecode {                   /* what the caller caches               */
    uint8_t cls, nconst;
    uint16_t n, threads, consts, memory;
    uint8_t ctype[GA__E_CONSTS];    /* dtypes of the constants              */
    gk_eword word[GK_E_WORDS];
};
static_assert(sizeof(gk_ecode) <= GA__E_CODE, "the caller's cache");

GK_INL bool gk_is_half(int t) { return t == GA_FLOAT16 || t == GA_BFLOAT16; }

/* --------------------------------------------------------------- assembler
   Steps in their order; a value goes to a slot only if a later step than the
   next one reads it, or the next cannot take it from the accumulator.      */
struct gk_easm {
    const ga__step *step;
    const ga_dtype *in;
    gk_ecode *code;
    int nsteps, cls, acc, top;      /* acc: the value in it; slots in use   */
    unsigned widened, widen;        /* inputs, by bits                      */
    bool full, again;
    uint64_t used;                  /* slots                                */
    short slot[GA__E_ARRAYS + GA__E_STEPS], last[GA__E_ARRAYS + GA__E_STEPS];
    short pair[GA__E_STEPS];        /* sine and cosine of the same, or -1   */
};
#define GK_E_VALUE(in) ((in) < 0 ? ~(in) : (in) + GA__E_ARRAYS)
#define GK_E_IS_CONST(in) ((in) >= GA__E_CONST)

static void gk_e_emit(gk_easm *s, uint32_t x, int a, int b) {
    gk_ecode *c = s->code;
    if (c->n == GK_E_WORDS) {
        s->full = true;
        return;
    }
    c->word[c->n++] = gk_eword{x, (uint32_t)(a & 0xffff) | (uint32_t)b << 16};
}
static int gk_e_slot(gk_easm *s) {
    int i = 0;
    while (s->used >> i & 1) i++;
    if (i >= 48) {
        s->full = true;
        return 0;
    }
    s->used |= (uint64_t)1 << i;
    if (i >= s->top) s->top = i + 1;
    return i;
}
static bool gk_e_narrow(const gk_easm *s, int j) {
    static const int width[] = {4, 4, 8, 16};
    return (int)gk_size[s->in[j]] < width[s->cls]
           || s->in[j] == GA_FLOAT16 || s->in[j] == GA_BFLOAT16;
}
static uint32_t gk_e_widener(const gk_easm *s, int j) {
    const int t = s->in[j], size = (int)gk_size[t];
    if (t == GA_FLOAT16 && s->cls <= GK_E4)
        return s->cls == GK_EF ? +GK_E_WIDEN16 : +GK_W4_WIDEN16;
    if (t == GA_BFLOAT16 && s->cls <= GK_E4)
        return s->cls == GK_EF ? +GK_E_WIDENB : +GK_W4_WIDENB;
    if (s->cls == GK_EF) return GK_E_WIDEN1;        /* bool                 */
    if ((s->cls == GK_E4 || s->cls == GK_E8) && !gk_is_half(t))
        return size == 1 ? GK_W_WIDEN1 : size == 2 ? GK_W_WIDEN2 : GK_W_WIDEN4;
    return GK_E_WIDEN | (uint32_t)s->in[j] << 16
           | (uint32_t)gk_size[s->in[j]] << 24;
}
/* An operand of a step: a constant's number with bit 15 set, or a slot. */
static int gk_e_operand(gk_easm *s, int in, ga_dtype t) {
    if (GK_E_IS_CONST(in)) {
        int k = in - GA__E_CONST;
        s->code->ctype[k] = (uint8_t)t;
        if (k >= s->code->nconst) s->code->nconst = (uint8_t)(k + 1);
        return 0x8000 | k;
    }
    int v = GK_E_VALUE(in);
    if (in < 0 && gk_e_narrow(s, v) && !(s->widened >> v & 1)) {
        s->widen |= 1u << v;        /* it must be so from the start         */
        s->again = true;
    }
    return s->slot[v];
}
static void gk_e_load(gk_easm *s, int in, ga_dtype t, int at) {
    int v = GK_E_VALUE(in);
    if (GK_E_IS_CONST(in)) {
        gk_e_emit(s, GK_E_LOAD, gk_e_operand(s, in, t), 0);
        s->acc = -1;
        return;
    }
    if (s->acc == v) return;
    if (in < 0 && gk_e_narrow(s, v) && !(s->widened >> v & 1)
        && s->last[v] == at)
        gk_e_emit(s, gk_e_widener(s, v), s->slot[v], 0);
    else
        gk_e_emit(s, GK_E_LOAD, gk_e_operand(s, in, t), 0);
    s->acc = v;
}
/* Whether step k can take value v, in the accumulator alone. */
static bool gk_e_takes(const ga__step *k, int v) {
    int at = -1, n = 0;
    for (int i = 0; i < k->nin; i++)
        if (!GK_E_IS_CONST(k->in[i]) && GK_E_VALUE(k->in[i]) == v) at = i, n++;
    if (n == 2)
        return k->op == GA__OP_multiply && k->nin == 2
               && k->compute != GA_BOOL;
    return n == 1 && !(k->op == GA__OP_clip && at == 2);
}

/* Class F: the instruction of a row, or -1; reversed in *rev. */
static int gk_e_inline(int op, int *rev) {
    switch (op) {
#define GA__X(row, n, r) case GA__OP_##row: *rev = GK_E_##r; return GK_E_##n;
    GA__X(add, ADD, ADD) GA__X(subtract, SUB, RSUB) GA__X(multiply, MUL, MUL)
    GA__X(divide, DIV, RDIV) GA__X(maximum, MAX, RMAX)
    GA__X(minimum, MIN, RMIN) GA__X(less, LT, GT) GA__X(less_equal, LE, GE)
    GA__X(greater, GT, LT) GA__X(greater_equal, GE, LE) GA__X(equal, EQ, EQ)
    GA__X(not_equal, NE, NE) GA__X(logical_and, AND, AND)
    GA__X(logical_or, OR, OR) GA__X(logical_xor, XOR, XOR)
    GA__X(square, SQUARE, SQUARE)
    GA__X(negative, NEG, NEG) GA__X(absolute, ABS, ABS)
    GA__X(sqrt, SQRT, SQRT) GA__X(reciprocal, RECIP, RECIP)
    GA__X(logical_not, NOT, NOT) GA__X(sin, SIN, SIN) GA__X(cos, COS, COS)
    GA__X(exp, EXP, EXP) GA__X(log, LOG, LOG) GA__X(tanh, TANH, TANH)
#undef GA__X
    default: return -1;
    }
}
/* The same for words of 4 or 8 bytes. Integers of any width add and multiply
   in whole words: what is above a value's bytes is not looked at.          */
static int gk_e_word_row(int cls, int op, int t, int *rev) {
    if (cls == GK_E16) return -1;   /* which has no table for them          */
    const int size = (int)gk_size[t], width = cls == GK_E4 ? 4 : 8;
    const bool whole = t == (cls == GK_E4 ? GA_INT32 : GA_INT64);
    if (t == (cls == GK_E4 ? GA_FLOAT32 : GA_FLOAT64)) switch (op) {
#define GA__X(row, n, r) case GA__OP_##row: *rev = GK_W_##r; return GK_W_##n;
    GA__X(add, FADD, FADD) GA__X(subtract, FSUB, FRSUB)
    GA__X(multiply, FMUL, FMUL) GA__X(divide, FDIV, FRDIV)
    GA__X(square, FSQUARE, FSQUARE) GA__X(negative, FNEG, FNEG)
    GA__X(absolute, FABS, FABS) GA__X(sqrt, FSQRT, FSQRT)
    GA__X(maximum, FMAX, FRMAX) GA__X(minimum, FMIN, FRMIN)
    GA__X(less, FLT, FGT) GA__X(less_equal, FLE, FGE)
    GA__X(greater, FGT, FLT) GA__X(greater_equal, FGE, FLE)
    GA__X(equal, FEQ, FEQ) GA__X(not_equal, FNE, FNE)
    GA__X(sin, FSIN, FSIN) GA__X(cos, FCOS, FCOS)
    GA__X(exp, FEXP, FEXP) GA__X(log, FLOG, FLOG)
    case GA__OP_tanh: return *rev = cls == GK_E4 ? +GK_W4_FTANH : -1;
    default: return -1;
    }
    if (t == GA_COMPLEX64) switch (op) {
    GA__X(add, CADD, CADD) GA__X(subtract, CSUB, CRSUB)
    GA__X(multiply, CMUL, CMUL)
    default: return -1;
    }
    if (t > GA_UINT64 || size > width) return -1;
    if (t == GA_BOOL) switch (op) {
    GA__X(add, OR, OR) GA__X(multiply, AND, AND) GA__X(maximum, OR, OR)
    GA__X(minimum, AND, AND) GA__X(logical_and, AND, AND)
    GA__X(logical_or, OR, OR) GA__X(logical_xor, XOR, XOR)
    GA__X(bitwise_and, AND, AND) GA__X(bitwise_or, OR, OR)
    GA__X(bitwise_xor, XOR, XOR)
    default: return -1;
    }
    switch (op) {
    GA__X(add, ADD, ADD) GA__X(subtract, SUB, RSUB) GA__X(multiply, MUL, MUL)
    GA__X(square, SQUARE, SQUARE) GA__X(negative, NEG, NEG)
    GA__X(bitwise_and, AND, AND) GA__X(bitwise_or, OR, OR)
    GA__X(bitwise_xor, XOR, XOR)
    default: break;
    }
    if (whole) switch (op) {
    GA__X(less, LT, GT) GA__X(less_equal, LE, GE) GA__X(greater, GT, LT)
    GA__X(greater_equal, GE, LE) GA__X(equal, EQ, EQ)
    GA__X(not_equal, NE, NE)
#undef GA__X
    default: break;
    }
    return -1;
}
static uint32_t gk_e_rounder(int cls, int t) {
    if (cls == GK_EF) return t == GA_FLOAT16 ? GK_E_ROUND16 : GK_E_ROUNDB;
    if (cls == GK_E4) return t == GA_FLOAT16 ? GK_W4_ROUND16 : GK_W4_ROUNDB;
    return GK_E_ROUND | (uint32_t)t << 16;
}
static uint32_t gk_e_caster(int cls, int from, int to) {
    if (cls == GK_E4 && to == GA_FLOAT32) switch (from) {
    case GA_BOOL: case GA_UINT8: return GK_W4_U8F;
    case GA_INT8: return GK_W4_I8F;
    case GA_UINT16: return GK_W4_U16F;
    case GA_INT16: return GK_W4_I16F;
    default: break;
    }
    if (cls == GK_E8 && to == GA_FLOAT64) switch (from) {
    case GA_INT32: return GK_W_I32F;
    case GA_INT64: return GK_W_I64F;
    case GA_FLOAT32: return GK_W_F32F;
    default: break;
    }
    if (cls == GK_E8 && to == GA_FLOAT32 && from == GA_FLOAT64)
        return GK_W_TOF32;
    return GK_E_CAST | (uint32_t)from << 8 | (uint32_t)to << 16;
}
/* bool's rows in class F, on 0.0 and 1.0; -1: no operation. */
static int gk_e_bool_row(int op) {
    switch (op) {
    case GA__OP_add: case GA__OP_bitwise_or: return GA__OP_logical_or;
    case GA__OP_maximum: case GA__OP_fmax: return GA__OP_logical_or;
    case GA__OP_multiply: case GA__OP_bitwise_and: return GA__OP_logical_and;
    case GA__OP_minimum: case GA__OP_fmin: return GA__OP_logical_and;
    case GA__OP_bitwise_xor: return GA__OP_logical_xor;
    case GA__OP_bitwise_not: return GA__OP_logical_not;
    case GA__OP_absolute: case GA__OP_floor: case GA__OP_ceil:
    case GA__OP_trunc: return -1;
    default: return op;
    }
}
static bool gk_e_cpx(int t) { return t == GA_COMPLEX64 || t == GA_COMPLEX128; }

/* One row of compute type t on the accumulator and maybe an operand. */
static void gk_e_row(gk_easm *s, int op, int t, bool reversed, int operand) {
    uint32_t flags = 0;
    if (s->cls == GK_EF) {
        if (t == GA_BOOL) op = gk_e_bool_row(op);
        if (op < 0 || op == GA__OP_positive || op == GA__OP_conj) return;
    }
    int rev, f = s->cls == GK_EF ? gk_e_inline(op, &rev)
                                 : gk_e_word_row(s->cls, op, t, &rev);
    if (gk_is_heavy(op, gk_e_cpx(t))) flags |= GK_E_HEAVY;
    if (f >= 0) {
        gk_e_emit(s, (uint32_t)(reversed ? rev : f) | flags
                  | (uint32_t)t << 8 | (uint32_t)op << 16, operand, 0);
        return;
    }
    if (reversed) flags |= GK_E_REV;
    if (gk_is_truth(op)) flags |= GK_E_BOOL;
    gk_e_emit(s, (uint32_t)(gk_is_half(t) ? GK_E_NEXT : GK_E_APPLY) | flags
              | (uint32_t)t << 8 | (uint32_t)op << 16, operand, 0);
}

/* Before acc + slot, the slot's last use: where the accumulator was stored
   there only to make room for a product of two operands, that is added to it
   in place, one instruction for four: of cos(x)**2 + sin(x)**2 the rows take
   34 issue slots an element, not 39.                                       */
static bool gk_e_mac(gk_easm *s, int slot) {
    const bool f = s->cls == GK_EF;
    const int n = s->code->n - 3;
    if (n < 0 || s->cls == GK_E16) return false;
    const gk_eword *q = s->code->word + n;
    const uint32_t row = q[2].x & 0xff;
    const int b = (int)(q[1].y & 0xffff);
    const int c = row == (f ? +GK_E_SQUARE : +GK_W_FSQUARE) ? b
        : row == (f ? +GK_E_MUL : +GK_W_FMUL) ? (int)(q[2].y & 0xffff) : slot;
    if ((q[0].x & 0xff) != GK_E_STORE || (int)(q[0].y & 0xffff) != slot
        || (q[1].x & 0xff) != GK_E_LOAD || b == slot || c == slot) return false;
    s->code->n = (uint16_t)n;
    gk_e_emit(s, f ? +GK_E_MAC : +GK_W_FMAC, b, c);
    return true;
}
/* Neither operand is in the accumulator: whether to load the second. A
   constant is as good in place; a narrow input is widened by its load.     */
static bool gk_e_prefers(const gk_easm *s, const short *in, int at) {
    int cost[2];
    for (int k = 0; k < 2; k++) {
        int v = GK_E_VALUE(in[k]);
        cost[k] = GK_E_IS_CONST(in[k]) ? 2
            : in[k] < 0 && gk_e_narrow(s, v) && !(s->widened >> v & 1)
              && s->last[v] == at ? 0 : 1;
    }
    return cost[1] < cost[0];
}
static void gk_e_step(gk_easm *s, int at) {
    const ga__step *k = &s->step[at];
    const ga_dtype t = (ga_dtype)k->compute;
    const short *in = k->in;
    int v[3] = {-1, -1, -1};
    for (int i = 0; i < k->nin; i++)
        if (!GK_E_IS_CONST(in[i])) v[i] = GK_E_VALUE(in[i]);
    if (k->op == GA__OP_where) {
        if (s->acc >= 0 && s->acc == v[1])
            gk_e_emit(s, GK_E_WHERE_X,
                      gk_e_operand(s, in[0], GA_BOOL),
                      gk_e_operand(s, in[2], t));
        else if (s->acc >= 0 && s->acc == v[2])
            gk_e_emit(s, GK_E_WHERE_Y,
                      gk_e_operand(s, in[0], GA_BOOL),
                      gk_e_operand(s, in[1], t));
        else {
            gk_e_load(s, in[0], GA_BOOL, at);
            gk_e_emit(s, GK_E_WHERE_C,
                      gk_e_operand(s, in[1], t), gk_e_operand(s, in[2], t));
        }
    } else if (k->op == GA__OP_clip) {
        if (s->acc >= 0 && s->acc == v[1] && v[0] != v[1]) {
            gk_e_row(s, GA__OP_maximum, t, true,
                     gk_e_operand(s, in[0], t));
        } else {
            gk_e_load(s, in[0], t, at);
            gk_e_row(s, GA__OP_maximum, t, false,
                     gk_e_operand(s, in[1], t));
        }
        gk_e_row(s, GA__OP_minimum, t, false, gk_e_operand(s, in[2], t));
    } else if (k->nin == 2) {
        if (k->op == GA__OP_multiply && v[0] >= 0 && v[0] == v[1]
            && t != GA_BOOL) {
            gk_e_load(s, in[0], t, at);
            gk_e_row(s, GA__OP_square, t, false, 0xffff);
        } else {
            const bool second = v[0] != v[1] && v[1] >= 0
                && (s->acc == v[1]
                    || (s->acc != v[0] && gk_e_prefers(s, in, at)));
            gk_e_load(s, in[second], t, at);
            const int o = gk_e_operand(s, in[!second], t), u = v[!second];
            if (k->op != GA__OP_add || u < 0 || s->last[u] != at
                || !gk_e_mac(s, o))
                gk_e_row(s, k->op, t, second, o);
        }
    } else if (s->pair[at] >= 0) {  /* with the sine's or cosine's partner  */
        int other = s->pair[at], v = (other > at ? other : at) + GA__E_ARRAYS;
        if (other > at) {
            gk_e_load(s, in[0], t, at);
            s->slot[v] = (short)gk_e_slot(s);
            const bool sine = k->op == GA__OP_sin;
            gk_e_emit(s, (s->cls == GK_EF
                          ? sine ? +GK_E_SINCOS : +GK_E_COSSIN
                          : sine ? +GK_W_FSINCOS : +GK_W_FCOSSIN)
                      | (uint32_t)t << 8 | (uint32_t)k->op << 16,
                      s->slot[v], 0);
        } else {
            gk_e_emit(s, GK_E_LOAD, s->slot[v], 0);
            s->used &= ~((uint64_t)1 << s->slot[v]);
            s->slot[v] = -1;
        }
    } else {
        gk_e_load(s, in[0], t, at);
        if (k->op != GA__OP_copy) {
            gk_e_row(s, k->op, t, false, 0xffff);
        } else if (s->cls == GK_EF) {
            if (k->type == GA_BOOL && t != GA_BOOL)
                gk_e_emit(s, GK_E_TRUTH, 0xffff, 0);
        } else if (t != (ga_dtype)k->type
                   && !(gk_is_half(k->type) && t == GA_FLOAT32)) {
            gk_e_emit(s, gk_e_caster(s->cls, t, k->type), 0xffff, 0);
        }
    }
    s->acc = at + GA__E_ARRAYS;
}

/* Code for the steps with the inputs of `widened` made wide at the start. */
static void gk_e_pass(gk_easm *s, const short *result, int nout, int nin) {
    s->code->n = s->code->nconst = 0;
    memset(s->code->ctype, GA_BOOL, sizeof s->code->ctype);
    memset(s->slot, -1, sizeof s->slot);
    s->acc = -1;
    s->top = nin > 0 ? nin : 1;     /* what reads nothing reads the first  */
    s->used = ((uint64_t)1 << nin) - 1;
    s->again = false;
    for (int j = 0; j < nin; j++) {
        s->slot[j] = (short)j;
        if (!(s->widened >> j & 1)) continue;
        gk_e_emit(s, gk_e_widener(s, j), j, 0);
        gk_e_emit(s, GK_E_STORE, j, 0);
    }
    for (int i = 0; i < s->nsteps; i++) {
        const ga__step *k = &s->step[i];
        int v = i + GA__E_ARRAYS;
        gk_e_step(s, i);
        for (int a = 0; a < k->nin; a++) {
            int u = GK_E_IS_CONST(k->in[a]) ? -1 : GK_E_VALUE(k->in[a]);
            if (u >= 0 && s->last[u] == i && s->slot[u] >= 0) {
                s->used &= ~((uint64_t)1 << s->slot[u]);
                s->slot[u] = -1;
            }
        }
        for (int o = 0; o < nout; o++)
            if (result[o] == i)
                gk_e_emit(s, GK_E_OUT | (uint32_t)o << 16, 0xffff, 0);
        if (gk_is_half(k->type) && k->compute == GA_FLOAT32 && s->last[v] > i)
            gk_e_emit(s, gk_e_rounder(s->cls, k->type), 0xffff, 0);
        if (s->last[v] > i + 1
            || (s->last[v] == i + 1 && !gk_e_takes(&s->step[i + 1], v))) {
            s->slot[v] = (short)gk_e_slot(s);
            gk_e_emit(s, GK_E_STORE, s->slot[v], 0);
        }
    }
    gk_e_emit(s, GK_E_END, 0xffff, 0);
}
static int gk_e_class(const ga__step *step, int nsteps, const ga_dtype *in,
                      int nin) {
    unsigned types = 0;
    for (int j = 0; j < nin; j++) types |= 1u << in[j];
    for (int i = 0; i < nsteps; i++)
        types |= 1u << step[i].compute | 1u << step[i].type;
    const unsigned f = 1u << GA_BOOL | 1u << GA_FLOAT16 | 1u << GA_BFLOAT16
                       | 1u << GA_FLOAT32;
    if (!(types & ~f)) return GK_EF;
    int cls = GK_E4;
    for (int t = 0; t < GA_NUM_DTYPES; t++)
        if (types >> t & 1)
            while (gk_size[t] > (size_t)2 << cls) cls++;
    return cls;
}

#if GK_PART_IS(eval_cuda)
extern "C" bool gk_cuda_eval_code(const ga__step *step, int nsteps,
                                  const short *result, int nout,
                                  const ga_dtype *in, int nin, void *code) {
    gk_easm s;
    memset(&s, 0, sizeof s);
    s.step = step;
    s.nsteps = nsteps;
    s.in = in;
    s.code = (gk_ecode *)code;
    s.cls = gk_e_class(step, nsteps, in, nin);
    memset(s.last, -1, sizeof s.last);
    for (int i = 0; i < nsteps; i++)
        for (int a = 0; a < step[i].nin; a++)
            if (!GK_E_IS_CONST(step[i].in[a]))
                s.last[GK_E_VALUE(step[i].in[a])] = (short)i;
    memset(s.pair, -1, sizeof s.pair);
    const ga_dtype real = s.cls == GK_E8 ? GA_FLOAT64 : GA_FLOAT32;
    for (int i = 0; i < nsteps && s.cls != GK_E16; i++) {
        if ((step[i].op != GA__OP_sin && step[i].op != GA__OP_cos)
            || step[i].compute != real) continue;
        for (int j = i + 1; j < nsteps && s.pair[i] < 0; j++)
            if (step[j].op == GA__OP_sin + GA__OP_cos - step[i].op
                && step[j].compute == real
                && step[j].in[0] == step[i].in[0] && s.pair[j] < 0)
                s.pair[i] = (short)j, s.pair[j] = (short)i;
    }
    do {
        s.widened = s.widen;
        gk_e_pass(&s, result, nout, nin);
    } while (s.again && !s.full);
    if (s.full) return false;
    gk_ecode *c = s.code;
    c->cls = (uint8_t)s.cls;
    const int w = s.cls == GK_EF ? 4 : 2 << s.cls;
    if (c->n * 8 + c->nconst * w > GK_E_WORDS * 8) return false;
    for (int t = 256; t >= 32; t /= 2) {
        const int slot = t * 16 * GK_E_NG, pages = c->nconst ? 1 : 0;
        const int memory = (s.top + pages) * slot;
        if (memory > GK_E_MEMORY || c->nconst > t) continue;
        c->threads = (uint16_t)t;
        c->consts = (uint16_t)(s.top * slot);
        c->memory = (uint16_t)memory;
        for (int i = 0; i < c->n; i++) {
            gk_eword *q = &c->word[i];
            uint32_t y = 0;
            for (int b = 0; b < 32; b += 16) {
                uint32_t o = q->y >> b & 0xffff, k = o & 0x7fff;
                if (o == 0xffff)    /* what nobody writes to: the code      */
                    o = c->memory;
                else if (o & 0x8000)
                    o = c->consts + k * 16;
                else
                    o = k * slot | 1u;
                y |= o << b;
            }
            q->y = y;
        }
        return true;
    }
    return false;
}
#endif

/* ------------------------------------------------------------ interpreters */
struct gk_earray {
    char *p;
    int64_t by[GA_MAX_NDIM];        /* bytes; [0] along the rows            */
    uint8_t dtype, size, packs;     /* packs: chunks are whole and aligned  */
    uint8_t unit;                   /* bytes, of an access to an element    */
};
struct gk_estate { uint64_t s; double c; };     /* of a reduction           */
struct gk_ep {
    int64_t n0;                     /* length of a row                      */
    int64_t total, whole;           /* chunks; of them whole ones, where    */
                                    /* all arrays are flat, or 0            */
    int outer;                      /* axes but a row's                     */
    gk_div per_row, len[GA_MAX_NDIM - 1];
    uint8_t nin, nconst, spreads;   /* spreads: an input is repeated in rows */
    uint16_t ncode, consts, codes;  /* offsets in shared memory             */
    /* A reduction, planned: how values fold, and the type of the result that
       folds and of the output. Rows: 2^lg threads an output of `per` chunks;
       columns: 2^lg threads side by side. `split` slabs (of chunks, or of
       rows) an output or tile. states: an offset in shared memory.          */
    uint8_t fold, op, type, out_type, col, ragged, lg;
    uint16_t states;
    int split;
    int64_t nout, nred, per, slab, items;
    uint64_t identity, mask;
    gk_estate *work;
    unsigned *counters;
    void *out;
    gk_earray a[GA__E_ARRAYS + GA__E_OUTS];
    alignas(16) gk_eword code[GK_E_WORDS];  /* and the constants            */
};
static_assert(sizeof(gk_ep) <= 4096, "parameters of a launch");

/* The words of a class: V of them in registers; G to a chunk. */
template<int CLS> struct gk_emachine {
    static constexpr int W = CLS == GK_EF ? 4 : 2 << CLS, G = 16 / W;
    static constexpr int V = G * GK_E_NG;
    typedef typename std::conditional<CLS == GK_EF, float,
        typename std::conditional<CLS == GK_E4, uint32_t,
        typename std::conditional<CLS == GK_E8, uint64_t, uint4>::type>::type>
        ::type word;
};

/* bytes (a power of two) from global to shared memory, in the background
   where the hardware has it for the size.                                  */
static __device__ __forceinline__ void gk_e_copy(unsigned char *to,
                                                 const char *from, int bytes) {
#if GK_DEVICE && __CUDA_ARCH__ >= 800
    uint32_t at = (uint32_t)__cvta_generic_to_shared(to);
    switch (bytes) {
    case 16:
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                     :: "r"(at), "l"(from) : "memory");
        return;
    case 8:
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;"
                     :: "r"(at), "l"(from) : "memory");
        return;
    case 4:
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                     :: "r"(at), "l"(from) : "memory");
        return;
    }
#else
    switch (bytes) {
    case 16: *(uint4 *)to = *(const uint4 *)from; return;
    case 8: *(uint2 *)to = *(const uint2 *)from; return;
    case 4: *(uint32_t *)to = *(const uint32_t *)from; return;
    }
#endif
    if (bytes == 2) *(uint16_t *)to = *(const uint16_t *)from;
    else *to = *(const unsigned char *)from;
}
static __device__ __forceinline__ void gk_e_copied() {
#if GK_DEVICE && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Where a chunk is: its row's coordinates and its first column. */
struct gk_eplace {
    int64_t col;
    uint32_t c[GA_MAX_NDIM - 1];
    __device__ __forceinline__ void set(const gk_ep &p, int64_t v, int G) {
        if (p.outer == 0) {
            col = v * G;
            return;
        }
        uint32_t row = gk_div_by((uint32_t)v, p.per_row);
        col = (int64_t)((uint32_t)v - row * p.per_row.d) * G;
#pragma unroll
        for (int d = 0; d < GA_MAX_NDIM - 1; d++) {
            if (d == p.outer) break;
            uint32_t q = gk_div_by(row, p.len[d]);
            c[d] = row - q * p.len[d].d;
            row = q;
        }
    }
    __device__ __forceinline__ char *in(const gk_ep &p, const gk_earray &a) {
        int64_t off = col * a.by[0];
#pragma unroll
        for (int d = 0; d < GA_MAX_NDIM - 1; d++) {
            if (d == p.outer) break;
            off += c[d] * a.by[d + 1];
        }
        return a.p + off;
    }
};

/* The chunks v, v + step, ... below end of every input, to its slot. */
template<int G> static __device__ __forceinline__ void
gk_e_fetch(const gk_ep &p, unsigned char *to, int64_t v, int64_t step,
           int64_t end, bool whole) {
    const int page = (int)blockDim.x * 16;
    if (whole) {
#pragma unroll 1
        for (int k = 0; k < p.nin; k++, to += page * GK_E_NG) {
            const int bytes = G * p.a[k].size;
            const char *from = p.a[k].p + v * bytes;
            if (bytes == 16) {
#pragma unroll
                for (int g = 0; g < GK_E_NG; g++)
                    gk_e_copy(to + g * page, from + g * step * 16, 16);
            } else {
#pragma unroll 1
                for (int g = 0; g < GK_E_NG; g++)
                    gk_e_copy(to + g * page, from + g * step * bytes, bytes);
            }
        }
        return;
    }
#pragma unroll 1
    for (int g = 0; g < GK_E_NG; g++, v += step, to += page) {
        if (v >= end) break;
        gk_eplace at;
        at.set(p, v, G);
        const int left = p.n0 - at.col < G ? (int)(p.n0 - at.col) : G;
        unsigned char *slot = to;
#pragma unroll 1
        for (int k = 0; k < p.nin; k++, slot += page * GK_E_NG) {
            const gk_earray &a = p.a[k];
            const char *from = at.in(p, a);
            if (a.packs && left == G) {
                gk_e_copy(slot, from, G * a.size);
            } else {
                const int n = a.by[0] ? left : 1;   /* the rest: spread     */
                for (int i = 0; i < n; i++)
                    for (int b = 0; b < a.size; b += a.unit)
                        gk_e_copy(slot + i * a.size + b, from + i * a.by[0] + b,
                                  a.unit);
            }
        }
    }
}

/* What a row repeats came as one element: to all of its chunk. */
static __device__ __forceinline__ void gk_e_spread(const gk_ep &p,
                                                   unsigned char *slot) {
    const int page = (int)blockDim.x * 16;
    if (!p.spreads) return;
#pragma unroll 1
    for (int k = 0; k < p.nin; k++, slot += page * GK_E_NG) {
        if (p.a[k].by[0]) continue;
        const int size = p.a[k].size;
#pragma unroll 1
        for (int g = 0; g < GK_E_NG; g++) {
            uint4 w = *(const uint4 *)(slot + g * page);
            if (size == 16) break;
            if (size == 1) w.x = (w.x & 0xffu) * 0x01010101u;
            if (size == 2) w.x = (w.x & 0xffffu) * 0x00010001u;
            if (size < 8) w.y = w.x;
            *(uint4 *)(slot + g * page) = make_uint4(w.x, w.y, w.x, w.y);
        }
    }
}

/* A chunk as it is in memory, elements of `size` bytes, to output `a`. */
template<int G> static __device__ __forceinline__ void
gk_e_put(const gk_ep &p, const gk_earray &a, int64_t v, bool whole, uint4 raw) {
    gk_eplace at;
    if (whole && G * a.size == 16) {
        *(uint4 *)(a.p + v * 16) = raw;
        return;
    }
    at.set(p, v, G);
    const int left = p.n0 - at.col < G ? (int)(p.n0 - at.col) : G;
    char *to = at.in(p, a);
    const int size = a.size;
    if (a.packs && left == G) {
        switch (G * size) {
        case 16: *(uint4 *)to = raw; break;
        case 8: *(uint2 *)to = make_uint2(raw.x, raw.y); break;
        case 4: *(uint32_t *)to = raw.x; break;
        case 2: *(uint16_t *)to = (uint16_t)raw.x; break;
        default: *to = (char)raw.x;
        }
        return;
    }
    const uint32_t w[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int i = 0; i < G; i++, to += a.by[0]) {
        if (i >= left) break;
        if (size == 1) {
            *to = (char)(w[0] >> 8 * i);
        } else if (size == 2) {
            *(uint16_t *)to = (uint16_t)(w[i / 2] >> i % 2 * 16);
        } else if (a.unit == 4) {
#pragma unroll
            for (int k = 0; k < 4 / G; k++)
                if (k * 4 < size)
                    ((uint32_t *)to)[k] = w[size == 4 ? i : 4 / G * i + k];
        } else if constexpr (G <= 2) {
            *(uint2 *)to = make_uint2(w[2 * i], w[2 * i + 1]);
            if (G == 1 && size == 16)
                *(uint2 *)(to + 8) = make_uint2(w[2], w[3]);
        }
    }
}

#define GK_E_ALL _Pragma("unroll") for (int i = 0; i < V; i++)

/* Between words and elements as they are in memory. (A copy from *w at once
   would be one byte by byte.)                                              */
template<class T, class word> static __device__ __forceinline__ T
gk_e_low(const word *w) {
    T t;
    word v = *w;
    memcpy(&t, &v, sizeof t);
    return t;
}
template<class word, class T> static __device__ __forceinline__ void
gk_e_set(word *w, T t) {
    word v = word();
    memcpy(&v, &t, sizeof t);
    *w = v;
}
template<int CLS> static __device__ __forceinline__ void
gk_e_widen(typename gk_emachine<CLS>::word *x, uint4 raw, int type, int size) {
    constexpr int G = gk_emachine<CLS>::G;
    const uint32_t w[4] = {raw.x, raw.y, raw.z, raw.w};
    uint32_t e[G];
    (void)size;
#pragma unroll
    for (int i = 0; i < G; i++)
        e[i] = size == 1 ? w[0] >> 8 * i & 0xffu
             : size == 2 ? w[i / 2] >> i % 2 * 16 & 0xffffu : w[i];
    if (type == GA_FLOAT16) {
#pragma unroll
        for (int i = 0; i < G; i++)
            e[i] = gk_bits<uint32_t>(gk_from_f16(gk_f16{(uint16_t)e[i]}));
    } else if (type == GA_BFLOAT16) {
#pragma unroll
        for (int i = 0; i < G; i++)
            e[i] = gk_bits<uint32_t>(gk_from_bf16(gk_bf16{(uint16_t)e[i]}));
    }
#pragma unroll
    for (int i = 0; i < G; i++) {
        if constexpr (CLS == GK_E16)
            x[i] = size == 8 ? make_uint4(raw.x, raw.y, 0, 0)
                             : make_uint4(e[i], 0, 0, 0);
        else
            x[i] = e[i];
    }
}
template<int CLS> static __device__ __forceinline__ uint4
gk_e_narrowed(const typename gk_emachine<CLS>::word *x, int type, int size) {
    constexpr int G = gk_emachine<CLS>::G;
    if constexpr (CLS == GK_E8)
        if (size == 8) return make_uint4((uint32_t)x[0], (uint32_t)(x[0] >> 32),
                                         (uint32_t)x[1],
                                         (uint32_t)(x[1] >> 32));
    if constexpr (CLS == GK_E16)
        if (size >= 8) return x[0];
    uint32_t e[4] = {0, 0, 0, 0}, w[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < G; i++) e[i] = gk_e_low<uint32_t>(&x[i]);
    if (type == GA_FLOAT16) {
#pragma unroll
        for (int i = 0; i < G; i++)
            e[i] = gk_to_f16(gk_bits<float>(e[i])).bits;
    } else if (type == GA_BFLOAT16) {
#pragma unroll
        for (int i = 0; i < G; i++)
            e[i] = gk_to_bf16(gk_bits<float>(e[i])).bits;
    } else if (CLS == GK_EF && type == GA_BOOL) {
#pragma unroll
        for (int i = 0; i < G; i++) e[i] = gk_bits<float>(e[i]) != 0;
    }
    if (size == 4) return make_uint4(e[0], e[1], e[2], e[3]);
    if (size == 2) {
        w[0] = __byte_perm(e[0], e[1], 0x5410);
        w[1] = __byte_perm(e[2], e[3], 0x5410);
    } else {
        w[0] = (e[0] & 0xffu) | (e[1] & 0xffu) << 8 | (e[2] & 0xffu) << 16
               | e[3] << 24;
    }
    return make_uint4(w[0], w[1], 0, 0);
}

/* All elements of a in memory, in words of `width` bytes, through any row, one
   by one: for the rows that are rare in expressions. A call with the
   accumulator in registers would cost all instructions some of theirs. FLOATS:
   class F, whose truths are floats; the others share the code.             */
template<class T, bool FLOATS> static __device__ __noinline__ void
gk_e_rare(uint32_t code, void *words, const void *others, int width) {
    const int op = code >> 16 & 0xff;
    const bool rev = code & GK_E_REV;
    const int by = FLOATS ? 4 : width;
    char *a = (char *)words;
    const char *b = (const char *)others;
#pragma unroll 1
    for (int i = 0; i < GK_E_NG * 16; i += by, a += by, b += by) {
        T x, y;
        memcpy(&x, __builtin_assume_aligned(rev ? b : a, alignof(T)), sizeof x);
        memcpy(&y, __builtin_assume_aligned(rev ? a : b, alignof(T)), sizeof y);
        if (code & GK_E_BOOL) {
            bool r = false;
            gk_apply<T, GK_LIGHT, GK_TRUTHS>(op, 1, &x, &y, &y, &r, NULL);
            if (FLOATS) *(float *)a = r;
            else *(uint32_t *)a = r;
            continue;
        }
        if (!(code & GK_E_HEAVY))
            gk_apply<T, GK_LIGHT, GK_VALUES>(op, 1, &x, &y, &y, &x, NULL);
        else if constexpr (!std::is_same<T, bool>::value)
            gk_apply<T, GK_HEAVY, GK_VALUES>(op, 1, &x, &y, &y, &x, NULL);
        memcpy(__builtin_assume_aligned(a, alignof(T)), &x, sizeof x);
    }
}
static __device__ __forceinline__ float gk_e_next(int type, float x, float y) {
    if (type == GA_FLOAT16)
        return gk_from_f16(gk_nextafter(gk_to_f16(x), gk_to_f16(y)));
    return gk_from_bf16(gk_nextafter(gk_to_bf16(x), gk_to_bf16(y)));
}
/* float32 that stands for a half casts as one where it becomes a half. */
template<class S> static __device__ __forceinline__ uint4 gk_e_cast_to(int to,
                                                                       S x) {
    uint4 w = make_uint4(0, 0, 0, 0);
    if (gk_is_half(to)) {
        float f = to == GA_FLOAT16 ? gk_from_f16(gk_cast<gk_f16>(x))
                                   : gk_from_bf16(gk_cast<gk_bf16>(x));
        w.x = gk_bits<uint32_t>(f);
        return w;
    }
#define GA__X(t, S2)                                                         \
    case t:                                                                  \
        if constexpr (!gk_half<S2>) {                                        \
            S2 y = gk_cast<S2>(x);                                           \
            memcpy(&w, &y, sizeof y);                                        \
        }                                                                    \
        break;
    switch (to) { GK_TYPES(GA__X) }
#undef GA__X
    return w;
}
template<class word, int V> static __device__ __noinline__ void
gk_e_cast(int from, int to, word *a) {
#pragma unroll 1
    for (int i = 0; i < V; i++) {
        uint4 r = make_uint4(0, 0, 0, 0);
        switch (from) {
#define GA__X(t, S)                                                          \
        case t:                                                              \
            if constexpr (!gk_half<S> && sizeof(S) <= sizeof(word))          \
                r = gk_e_cast_to(to, gk_e_low<S>(&a[i]));                    \
            break;
        GK_TYPES(GA__X)
#undef GA__X
        }
        a[i] = gk_e_low<word>(&r);
    }
}

/* Class 4, 8, 16: rows that are expanded for all V elements; of the other
   rows one copy is enough.                                                 */
#define GK_E_WORD1(X) X(negative) X(absolute) X(square) X(bitwise_not)
#define GK_E_WORD2(X) \
    X(add) X(subtract) X(multiply) X(divide) X(maximum) X(minimum)           \
    X(bitwise_and) X(bitwise_or) X(bitwise_xor) X(left_shift) X(right_shift)
template<class T> GK_HD constexpr bool gk_e_light(int op) {
#define GA__X(name, types, result, cost, ...) \
    case GA__OP_##name: return gk_row<T, GK_LIGHT, GK_VALUES>(types, \
                                            GK_R_##result, GK_##cost);
    switch (op) { GA__ALL_ROWS(GA__X) default: return false; }
#undef GA__X
}
template<class T, class word, int V> static __device__ __forceinline__ void
gk_e_rows(uint32_t code, word *a, const word *b) {
    T x[V], y[V];
    const int op = code >> 16 & 0xff;
    if constexpr (std::is_same<T, double>::value && sizeof(word) == 8) {
        if (op == GA__OP_tanh) {    /* without rare's switch per element    */
#pragma unroll 2
            for (int i = 0; i < V; i++)
                gk_e_set(&a[i], gk_tanh(gk_e_low<double>(&a[i])));
            return;
        }
    }
    GK_E_ALL {
        x[i] = gk_e_low<T>(code & GK_E_REV ? &b[i] : &a[i]);
        y[i] = gk_e_low<T>(code & GK_E_REV ? &a[i] : &b[i]);
    }
    if (code & GK_E_BOOL) {
        bool r[V];
        gk_apply<T, GK_LIGHT, GK_TRUTHS>(op, V, x, y, y, r, NULL);
        GK_E_ALL gk_e_set(&a[i], (uint32_t)r[i]);
        return;
    }
    if (code & GK_E_HEAVY) {
        gk_e_rare<T, false>(code, a, b, sizeof(word));
        return;
    }
    switch (op) {
#define GA__X(n)                                                             \
    case GA__OP_##n:                                                         \
        if constexpr (gk_e_light<T>(GA__OP_##n))                             \
            GK_E_ALL x[i] = gk_cast<T>(gk_##n(x[i]));                        \
        break;
    GK_E_WORD1(GA__X)
#undef GA__X
#define GA__X(n)                                                             \
    case GA__OP_##n:                                                         \
        if constexpr (gk_e_light<T>(GA__OP_##n))                             \
            GK_E_ALL x[i] = gk_##n(x[i], y[i]);                              \
        break;
    GK_E_WORD2(GA__X)
#undef GA__X
    default: gk_e_rare<T, false>(code, a, b, sizeof(word)); return;
    }
    GK_E_ALL gk_e_set(&a[i], x[i]);
}

/* The types of a class whose rows are expanded for all V elements. */
template<int CLS, class S> GK_HD constexpr bool gk_e_often() {
    if (std::is_same<S, bool>::value) return CLS != GK_E16;
    if (CLS == GK_E16) return gk_cpx<S> || std::is_same<S, double>::value;
    return sizeof(S) >= 4 || (CLS == GK_E4 && std::is_same<S, uint8_t>::value);
}
/* What a class's table does not have, called with accumulator and operand in
   memory: this code's registers would be all instructions' (with sine and
   cosine expanded in the loop a*x+y took 0.987 ms, not 0.740, for 2^28
   floats).                                                                 */
template<int CLS> static __device__ __noinline__ void
gk_e_other(uint32_t code, typename gk_emachine<CLS>::word *a,
           typename gk_emachine<CLS>::word *b) {
    typedef typename gk_emachine<CLS>::word word;
    constexpr int V = gk_emachine<CLS>::V, G = gk_emachine<CLS>::G;
    const uint32_t c = code & 0xff;
    if (c == GK_E_ROUND || c == GK_E_NEXT) {
        for (int i = 0; i < V; i++) {
            float f = gk_e_low<float>(&a[i]), h = gk_e_low<float>(&b[i]);
            if (c == GK_E_NEXT)
                f = code & GK_E_REV ? gk_e_next(code >> 8 & 15, h, f)
                                    : gk_e_next(code >> 8 & 15, f, h);
            else
                f = (code >> 16 & 0xff) == GA_FLOAT16
                    ? gk_from_f16(gk_to_f16(f)) : gk_from_bf16(gk_to_bf16(f));
            gk_e_set(&a[i], f);
        }
        return;
    }
    if constexpr (CLS == GK_EF) {
        gk_e_rare<float, true>(code, a, b, 4);
        return;
    } else if (c == GK_E_WIDEN) {
        for (int g = 0; g < V; g += G) {
            uint4 w;
            memcpy(&w, b + g, 16);
            gk_e_widen<CLS>(a + g, w, code >> 16 & 0xff, code >> 24);
        }
    } else if (c == GK_E_CAST) {
        gk_e_cast<word, V>(code >> 8 & 15, code >> 16 & 0xff, a);
    } else switch (code >> 8 & 15) {
#define GA__X(t, S)                                                          \
    case t:                                                                  \
        if constexpr (gk_half<S> || sizeof(S) > sizeof(word)) break;         \
        else if constexpr (gk_e_often<CLS, S>())                             \
            gk_e_rows<S, word, V>(code, a, b);                               \
        else gk_e_rare<S, false>(code, a, b, sizeof(word));                  \
        break;
    GK_TYPES(GA__X)
#undef GA__X
    }
}

/* The code in shared memory, 16 bytes an instruction: code, operands as
   addresses, the whole word.                                               */
struct gk_eop { uint32_t code, a, b, word; };
static __device__ __forceinline__ unsigned char *gk_e_shared(uint32_t at) {
    return (unsigned char *)__cvta_shared_to_generic(at);
}
template<class word> static __device__ __forceinline__ void
gk_e_read(word *x, uint32_t a, uint32_t mine, uint32_t page) {
    const unsigned char *at = gk_e_shared(a + (a & 1) * mine);
#pragma unroll
    for (int g = 0; g < GK_E_NG; g++)
        memcpy(x + g * (16 / sizeof(word)), at + g * page, 16);
}
template<class word> static __device__ __forceinline__ void
gk_e_write(const word *x, uint32_t a, uint32_t mine, uint32_t page) {
    unsigned char *at = gk_e_shared(a + (a & 1) * mine);
#pragma unroll
    for (int g = 0; g < GK_E_NG; g++) {
        uint4 w;
        memcpy(&w, x + g * (16 / sizeof(word)), 16);
        *(uint4 *)(at + g * page) = w;
    }
}

/* The loops of the tables are PTX: of a switch in C++ the compiler makes a
   tree of comparisons, and it moves the accumulator at each turn (an addition
   of 2^28 floats cost 0.063 ms, so 0.018). A jump table and a row's own
   instructions, as >>math has them; at any other instruction, and where an
   element is beyond a row's steps, it comes back.
   The next instruction is on its way while one is run. Registers, for N words:
   %0.. accumulator, %N.. operand, then the next instruction's address, the
   thread's 16 bytes less 1, and the bytes between chunks.                  */
#define GK_PALL8(P, i) P(i, "0", "8") P(i, "1", "9") P(i, "2", "10") \
    P(i, "3", "11") P(i, "4", "12") P(i, "5", "13") P(i, "6", "14") \
    P(i, "7", "15")
#define GK_PALL4(P, i) P(i, "0", "4") P(i, "1", "5") P(i, "2", "6") \
    P(i, "3", "7")
#define GK_P8(P, i) GK_PALL8(P, i) "bra next;\n"
#define GK_P4(P, i) GK_PALL4(P, i) "bra next;\n"
#define GK_P2(i, a, b) i "%" a ", %" a ", %" b ";\n"
#define GK_PR(i, a, b) i "%" a ", %" b ", %" a ";\n"
#define GK_PS(i, a, b) i "%" a ", %" a ", %" a ";\n"
#define GK_P1(i, a, b) i "%" a ", %" a ";\n"
#define GK_PM(i, a, b) i "%" a ", %" b ";\n"
/* a if a > b or a is NaN, else b (i: gt.or.f32; lt for the minimum) */
#define GK_PMAX(T, i, a, b) "setp.nan." T " p, %" a ", %" a ";\n" \
    "setp." i ".or." T " p, %" a ", %" b ", p;\n" \
    "selp." T " %" a ", %" a ", %" b ", p;\n"
#define GK_PMAX4(i, a, b) GK_PMAX("f32", i, a, b)
#define GK_PMAX8(i, a, b) GK_PMAX("f64", i, a, b)
#define GK_PRMAX(T, i, a, b) "setp.nan." T " p, %" b ", %" b ";\n" \
    "setp." i ".or." T " p, %" b ", %" a ", p;\n" \
    "selp." T " %" a ", %" b ", %" a ", p;\n"
#define GK_PRMAX4(i, a, b) GK_PRMAX("f32", i, a, b)
#define GK_PRMAX8(i, a, b) GK_PRMAX("f64", i, a, b)
/* comparisons: 1.0 or 0.0 in class F, 1 or 0 in words */
#define GK_PZERO(i, a, b) i "%" a ", %" a ", 0f00000000;\n"
#define GK_PCMP4(i, a, b) "setp." i " p, %" a ", %" b ";\n" \
    "selp.b32 %" a ", 1, 0, p;\n"
#define GK_PCMP8(i, a, b) "setp." i " p, %" a ", %" b ";\n" \
    "selp.b64 %" a ", 1, 0, p;\n"
#define GK_PLOGIC(i, a, b) "setp.neu.f32 p, %" a ", 0f00000000;\n" \
    "set.neu." i ".f32.f32 %" a ", %" b ", 0f00000000, p;\n"
/* acc + b*z, rounded twice */
#define GK_PMAC(i, a, b) "mul.rn." i " %" b ", %" b ", z" a ";\n" \
    "add.rn." i " %" a ", %" a ", %" b ";\n"
/* where: how a condition is tested, whether it is %a or %b, and the two */
#define GK_PWF(c) "setp.neu.f32 p, %" c ", 0f00000000;\n"
#define GK_PW4(c) "and.b32 t, %" c ", 255;\nsetp.ne.u32 p, t, 0;\n"
#define GK_PW8(c) "cvt.u32.u64 t, %" c ";\nand.b32 t, t, 255;\n" \
    "setp.ne.u32 p, t, 0;\n"
#define GK_PWC(T, i, a, b) i(a) "selp." T " %" a ", %" b ", z" a ", p;\n"
#define GK_PWX(T, i, a, b) i(b) "selp." T " %" a ", %" a ", z" a ", p;\n"
#define GK_PWY(T, i, a, b) i(b) "selp." T " %" a ", z" a ", %" a ", p;\n"
#define GK_PWC4(i, a, b) GK_PWC("b32", i, a, b)
#define GK_PWX4(i, a, b) GK_PWX("b32", i, a, b)
#define GK_PWY4(i, a, b) GK_PWY("b32", i, a, b)
#define GK_PWC8(i, a, b) GK_PWC("b64", i, a, b)
#define GK_PWX8(i, a, b) GK_PWX("b64", i, a, b)
#define GK_PWY8(i, a, b) GK_PWY("b64", i, a, b)
#define GK_PR16(i, a, b) "cvt.rn.f16.f32 h, %" a ";\ncvt.f32.f16 %" a ", h;\n"
#if GK_DEVICE && __CUDA_ARCH__ < 800
#define GK_PRB(i, a, b) "mov.b32 t, %" a ";\nshr.u32 at, t, 16;\n" \
    "and.b32 at, at, 1;\nadd.u32 at, at, 0x7fff;\nadd.u32 t, t, at;\n" \
    "and.b32 t, t, 0xffff0000;\nsetp.nan.f32 p, %" a ", %" a ";\n" \
    "selp.b32 %" a ", %" a ", t, p;\n"
#else
#define GK_PRB(i, a, b) "cvt.rn.bf16.f32 h, %" a ";\n" \
    "mov.b32 %" a ", {z, h};\n"
#endif
#define GK_PW16(a, b, w) "mov.b32 {h, k}, %" w ";\n" \
    "cvt.f32.f16 %" a ", h;\ncvt.f32.f16 %" b ", k;\n"
#define GK_PWBOOL(a, w, at) "mov.b32 t, %" w ";\nbfe.u32 t, t, " at ", 8;\n" \
    "cvt.rn.f32.u32 %" a ", t;\n"
#define GK_PWB(a, b, w) "mov.b32 t, %" w ";\nshl.b32 at, t, 16;\n" \
    "mov.b32 %" a ", at;\nand.b32 t, t, 0xffff0000;\nmov.b32 %" b ", t;\n"
#define GK_PROW(n, body) "L" #n ":\n" body
/* pc, mine and page are %P, %M and %S; four words or two to 16 bytes */
#define GK_PHEAD(P, M, S, rows, load) \
    "table: .branchtargets " rows "back;\n" \
    "ld.shared.v2.u32 {nop, nat}, [%" P "];\n" \
    "next:\n" \
    "mov.b32 op, nop;\n" \
    "and.b32 t, nat, 1;\n" \
    "mad.lo.u32 at, t, %" M ", nat;\n" \
    "add.u32 %" P ", %" P ", 16;\n" \
    "add.u32 t, at, %" S ";\n" load \
    "ld.shared.v2.u32 {nop, nat}, [%" P "];\n" \
    "brx.idx op, table;\n"
#define GK_PZ(P, M, S, load)            /* the second operand of a where    */ \
    "ld.shared.u32 at, [%" P " + -8];\n" \
    "and.b32 t, at, 1;\n" \
    "mad.lo.u32 at, t, %" M ", at;\n" \
    "add.u32 t, at, %" S ";\n" load
#define GK_PB4 "ld.shared.v4.b32 {%8, %9, %10, %11}, [at];\n" \
    "ld.shared.v4.b32 {%12, %13, %14, %15}, [t];\n"
#define GK_PZ4 GK_PZ("16", "17", "18", \
    "ld.shared.v4.b32 {z0, z1, z2, z3}, [at];\n" \
    "ld.shared.v4.b32 {z4, z5, z6, z7}, [t];\n")
#define GK_PST4 "st.shared.v4.b32 [at], {%0, %1, %2, %3};\n" \
    "st.shared.v4.b32 [t], {%4, %5, %6, %7};\nbra next;\n"
#define GK_PSTB4 "st.shared.v4.b32 [at], {%8, %9, %10, %11};\n" \
    "st.shared.v4.b32 [t], {%12, %13, %14, %15};\nbra next;\n"
#define GK_PB8 "ld.shared.v2.b64 {%4, %5}, [at];\n" \
    "ld.shared.v2.b64 {%6, %7}, [t];\n"
#define GK_PZ8 GK_PZ("8", "9", "10", \
    "ld.shared.v2.b64 {z0, z1}, [at];\nld.shared.v2.b64 {z2, z3}, [t];\n")
#define GK_PST8 "st.shared.v2.b64 [at], {%0, %1};\n" \
    "st.shared.v2.b64 [t], {%2, %3};\nbra next;\n"
#define GK_PSTB8 "st.shared.v2.b64 [at], {%4, %5};\n" \
    "st.shared.v2.b64 [t], {%6, %7};\nbra next;\n"
#define GK_PHALVES \
    GK_PROW(ROUND16, GK_P8(GK_PR16, "")) GK_PROW(ROUNDB, GK_P8(GK_PRB, "")) \
    GK_PROW(WIDEN16, GK_PW16("0", "1", "8") GK_PW16("2", "3", "9") \
            GK_PW16("4", "5", "12") GK_PW16("6", "7", "13") "bra next;\n") \
    GK_PROW(WIDENB, GK_PWB("0", "1", "8") GK_PWB("2", "3", "9") \
            GK_PWB("4", "5", "12") GK_PWB("6", "7", "13") "bra next;\n")
/* Functions: the steps of CUDA's own, in registers (cos(x)**2 + sin(x)**2 of
   2^28 floats took 1.86 ms where they were called, so 0.58). Issue slots an
   element, the bounds checked: sin or cos 20, both 24, exp 8, log 24, tanh 16;
   of doubles 35, both 43, exp 24, log 46.
   sin and cos of x = j pi/2 + r, |x| < 105615 (doubles 2^31): u and v are r's
   sine and cosine, p is for odd j, j's bits at the top of q are the signs.
   Both are computed for one: choosing coefficients costs as much, of doubles
   more. A sum with 1.5 * 2^23 (2^52) rounds to an integer: conversions run at
   a quarter of its rate.                                                   */
#define GK_PTEMPS4 ".reg .b32 n, q, r, s, u, v;\n"
#define GK_PTEMPS8 ".reg .b32 k, q, w, x;\n.reg .f64 n, r, s, u, v;\n"
#define GK_PTRIG4(a) "mul.rn.f32 n, %" a ", 0f3F22F983;\n" \
    "add.rn.f32 n, n, 0f4B400000;\nshl.b32 q, n, 30;\n" \
    "and.b32 s, n, 1;\nsetp.ne.u32 p, s, 0;\n" \
    "sub.rn.f32 n, n, 0f4B400000;\n" \
    "fma.rn.f32 r, n, 0fBFC90FDA, %" a ";\n" \
    "fma.rn.f32 r, n, 0fB3A22168, r;\nfma.rn.f32 r, n, 0fA7C234C5, r;\n" \
    "mul.rn.f32 s, r, r;\n" \
    "fma.rn.f32 u, s, 0fB94D4153, 0f3C0885E4;\n" \
    "fma.rn.f32 u, u, s, 0fBE2AAAA8;\nfma.rn.f32 n, s, r, 0f00000000;\n" \
    "fma.rn.f32 u, u, n, r;\n" \
    "fma.rn.f32 v, s, 0f37CBAC00, 0fBAB607ED;\n" \
    "fma.rn.f32 v, v, s, 0f3D2AAABB;\nfma.rn.f32 v, v, s, 0fBEFFFFFF;\n" \
    "fma.rn.f32 v, v, s, 0f3F800000;\n"
#define GK_PTRIG8(a) "mul.rn.f64 n, %" a ", 0d3FE45F306DC9C883;\n" \
    "add.rn.f64 n, n, 0d4338000000000000;\nmov.b64 {q, w}, n;\n" \
    "and.b32 w, q, 1;\nsetp.ne.u32 p, w, 0;\nshl.b32 q, q, 30;\n" \
    "sub.rn.f64 n, n, 0d4338000000000000;\n" \
    "fma.rn.f64 r, n, 0dBFF921FB54442D18, %" a ";\n" \
    "fma.rn.f64 r, n, 0dBC91A62633145C00, r;\n" \
    "fma.rn.f64 r, n, 0dB97B839A252049C0, r;\nmul.rn.f64 s, r, r;\n" \
    "fma.rn.f64 u, s, 0d3DE5DB65F9785EBA, 0dBE5AE5F12CB0D246;\n" \
    "fma.rn.f64 u, u, s, 0d3EC71DE369ACE392;\n" \
    "fma.rn.f64 u, u, s, 0dBF2A01A019DB62A1;\n" \
    "fma.rn.f64 u, u, s, 0d3F81111111110818;\n" \
    "fma.rn.f64 u, u, s, 0dBFC5555555555554;\n" \
    "fma.rn.f64 u, u, s, 0d0000000000000000;\nfma.rn.f64 u, u, r, r;\n" \
    "fma.rn.f64 v, s, 0dBDA8FF8320FD8164, 0d3E21EEA7C1EF8528;\n" \
    "fma.rn.f64 v, v, s, 0dBE927E4F8E06E6D9;\n" \
    "fma.rn.f64 v, v, s, 0d3EFA01A019DDBCE9;\n" \
    "fma.rn.f64 v, v, s, 0dBF56C16C16C15D47;\n" \
    "fma.rn.f64 v, v, s, 0d3FA5555555555551;\n" \
    "fma.rn.f64 v, v, s, 0dBFE0000000000000;\n" \
    "fma.rn.f64 v, v, s, 0d3FF0000000000000;\n"
#define GK_PPART4(to, odd, even) "and.b32 n, q, 0x80000000;\n" \
    "selp.b32 s, " odd ", " even ", p;\nxor.b32 %" to ", s, n;\n"
#define GK_PPART8(to, odd, even) "selp.f64 s, " odd ", " even ", p;\n" \
    "mov.b64 {k, w}, s;\nand.b32 x, q, 0x80000000;\nxor.b32 w, w, x;\n" \
    "mov.b64 %" to ", {k, w};\n"
#define GK_PSINE(N, to) GK_PPART##N(to, "v", "u")
#define GK_PCOSINE(N, to) "add.u32 q, q, 0x40000000;\n" \
    GK_PPART##N(to, "u", "v")
#define GK_PSIN(N, a, b) GK_PTRIG##N(a) GK_PSINE(N, a)
#define GK_PCOS(N, a, b) GK_PTRIG##N(a) GK_PCOSINE(N, a)
#define GK_PSINCOS(N, a, b) GK_PTRIG##N(a) GK_PSINE(N, a) GK_PCOSINE(N, b)
#define GK_PCOSSIN(N, a, b) GK_PTRIG##N(a) GK_PSINE(N, b) GK_PCOSINE(N, a)
#define GK_PEXP(N, a, b) GK_PEXP##N(a)
#define GK_PEXP4(a) "fma.rn.f32 n, %" a ", 0f3BBB989D, 0f3F000000;\n" \
    "cvt.sat.f32.f32 n, n;\nfma.rm.f32 n, n, 0f437C0000, 0f4B400001;\n" \
    "add.rn.f32 r, n, 0fCB40007F;\nneg.f32 r, r;\n" \
    "fma.rn.f32 r, %" a ", 0f3FB8AA3B, r;\n" \
    "fma.rn.f32 r, %" a ", 0f32A57060, r;\nex2.approx.ftz.f32 r, r;\n" \
    "shl.b32 n, n, 23;\nmul.rn.f32 %" a ", r, n;\n"
/* |x| < 708.4, where the result is normal */
#define GK_PEXP8(a) \
    "fma.rn.f64 n, %" a ", 0d3FF71547652B82FE, 0d4338000000000000;\n" \
    "mov.b64 {q, w}, n;\nadd.rn.f64 n, n, 0dC338000000000000;\n" \
    "fma.rn.f64 r, n, 0dBFE62E42FEFA39EF, %" a ";\n" \
    "fma.rn.f64 r, n, 0dBC7ABC9E3B39803F, r;\n" \
    "fma.rn.f64 u, r, 0d3E5ADE1569CE2BDF, 0d3E928AF3FCA213EA;\n" \
    "fma.rn.f64 u, u, r, 0d3EC71DEE62401315;\n" \
    "fma.rn.f64 u, u, r, 0d3EFA01997C89EB71;\n" \
    "fma.rn.f64 u, u, r, 0d3F2A01A014761F65;\n" \
    "fma.rn.f64 u, u, r, 0d3F56C16C1852B7AF;\n" \
    "fma.rn.f64 u, u, r, 0d3F81111111122322;\n" \
    "fma.rn.f64 u, u, r, 0d3FA55555555502A1;\n" \
    "fma.rn.f64 u, u, r, 0d3FC5555555555511;\n" \
    "fma.rn.f64 u, u, r, 0d3FE000000000000B;\n" \
    "fma.rn.f64 u, u, r, 0d3FF0000000000000;\n" \
    "fma.rn.f64 u, u, r, 0d3FF0000000000000;\nmov.b64 {k, w}, u;\n" \
    "shl.b32 q, q, 20;\nadd.s32 w, w, q;\nmov.b64 %" a ", {k, w};\n"
#define GK_PLOG(N, a, b) GK_PLOG##N(a)
#define GK_PLOG4(a) "setp.lt.f32 p, %" a ", 0f00800000;\n" \
    "mul.rn.f32 n, %" a ", 0f4B000000;\nselp.b32 n, n, %" a ", p;\n" \
    "selp.b32 r, 0fC1B80000, 0f00000000, p;\nadd.s32 s, n, -1059760811;\n" \
    "and.b32 s, s, -8388608;\nsub.s32 u, n, s;\ncvt.rn.f32.s32 s, s;\n" \
    "fma.rn.f32 s, s, 0f34000000, r;\nadd.rn.f32 u, u, 0fBF800000;\n" \
    "fma.rn.f32 v, u, 0fBE055027, 0f3E1039F6;\n" \
    "fma.rn.f32 v, v, u, 0fBDF8CDCC;\nfma.rn.f32 v, v, u, 0f3E0F2955;\n" \
    "fma.rn.f32 v, v, u, 0fBE2AD8B9;\nfma.rn.f32 v, v, u, 0f3E4CED0B;\n" \
    "fma.rn.f32 v, v, u, 0fBE7FFF22;\nfma.rn.f32 v, v, u, 0f3EAAAA78;\n" \
    "fma.rn.f32 v, v, u, 0fBF000000;\nmul.rn.f32 v, u, v;\n" \
    "fma.rn.f32 v, v, u, u;\nfma.rn.f32 v, s, 0f3F317218, v;\n" \
    "setp.ge.u32 p, n, 0x7f800000;\n" \
    "@p fma.rn.f32 v, n, 0f7F800000, 0f7F800000;\n" \
    "setp.eq.f32 p, n, 0f00000000;\nselp.b32 %" a ", 0fFF800000, v, p;\n"
/* normal x > 0 */
#define GK_PLOG8(a) "mov.b64 {q, w}, %" a ";\nshr.u32 k, w, 20;\n" \
    "and.b32 w, w, 0xfffff;\nor.b32 w, w, 0x3ff00000;\n" \
    "setp.ge.s32 p, w, 0x3ff6a09f;\nadd.s32 k, k, -1023;\n" \
    "@p add.s32 w, w, -0x100000;\n@p add.s32 k, k, 1;\n" \
    "mov.b64 n, {q, w};\nadd.rn.f64 s, n, 0d3FF0000000000000;\n" \
    "rcp.approx.ftz.f64 u, s;\nneg.f64 s, s;\n" \
    "fma.rn.f64 s, s, u, 0d3FF0000000000000;\nfma.rn.f64 s, s, s, s;\n" \
    "fma.rn.f64 u, s, u, u;\nadd.rn.f64 n, n, 0dBFF0000000000000;\n" \
    "mul.rn.f64 s, n, u;\nfma.rn.f64 s, n, u, s;\nmul.rn.f64 v, s, s;\n" \
    "fma.rn.f64 r, v, 0d3EB1380B3AE80F1E, 0d3ED0EE258B7A8B04;\n" \
    "fma.rn.f64 r, r, v, 0d3EF3B2669F02676F;\n" \
    "fma.rn.f64 r, r, v, 0d3F1745CBA9AB0956;\n" \
    "fma.rn.f64 r, r, v, 0d3F3C71C72D1B5154;\n" \
    "fma.rn.f64 r, r, v, 0d3F624924923BE72D;\n" \
    "fma.rn.f64 r, r, v, 0d3F8999999999A3C4;\n" \
    "fma.rn.f64 r, r, v, 0d3FB5555555555554;\nmul.rn.f64 r, v, r;\n" \
    "sub.rn.f64 v, n, s;\nadd.rn.f64 v, v, v;\nneg.f64 n, n;\n" \
    "fma.rn.f64 v, s, n, v;\nmul.rn.f64 v, u, v;\nfma.rn.f64 r, r, s, v;\n" \
    "cvt.rn.f64.s32 v, k;\nfma.rn.f64 u, v, 0d3FE62E42FEFA39EF, s;\n" \
    "fma.rn.f64 n, v, 0dBFE62E42FEFA39EF, u;\nsub.rn.f64 n, n, s;\n" \
    "sub.rn.f64 r, r, n;\nfma.rn.f64 r, v, 0d3C7ABC9E3B39803F, r;\n" \
    "add.rn.f64 %" a ", u, r;\n"
#define GK_PTANH(i, a, b) "abs.f32 n, %" a ";\n" \
    "mul.rn.f32 r, n, 0f4038AA3B;\nex2.approx.ftz.f32 r, r;\n" \
    "add.rn.f32 r, r, 0f3F800000;\nrcp.approx.ftz.f32 r, r;\n" \
    "fma.rn.f32 r, r, 0fC0000000, 0f3F800000;\n" \
    "setp.ge.f32 p, n, 0f41102CB4;\nselp.b32 r, 0f3F800000, r, p;\n" \
    "copysign.f32 r, %" a ", r;\nmul.rn.f32 s, %" a ", %" a ";\n" \
    "fma.rn.f32 u, s, 0f3C80F082, 0fBD563CAE;\n" \
    "fma.rn.f32 u, u, s, 0f3E085941;\nfma.rn.f32 u, u, s, 0fBEAAA9ED;\n" \
    "fma.rn.f32 u, u, s, 0f00000000;\nfma.rn.f32 u, u, %" a ", %" a ";\n" \
    "setp.ge.f32 p, n, 0f3F19999A;\nselp.b32 %" a ", r, u, p;\n"
/* p stays where |x| < i: of doubles the upper words, as floats; or LOG8's x */
#define GK_PBELOW4(i, a, b) "abs.f32 n, %" a ";\nsetp.lt.and.f32 p, n, " i \
    ", p;\n"
#define GK_PBELOW8(i, a, b) "mov.b64 {q, w}, %" a ";\nabs.f32 w, w;\n" \
    "setp.lt.and.f32 p, w, " i ", p;\n"
#define GK_PNORMAL8(i, a, b) "mov.b64 {q, w}, %" a ";\n" \
    "add.s32 w, w, -0x100000;\nsetp.lt.and.u32 p, w, 0x7fe00000, p;\n"
#define GK_PIF(checks) "setp.eq.u32 p, 0, 0;\n" checks "@!p bra back;\n"
#define GK_PFUNC(n, N, body) GK_PROW(n, "{\n" GK_PTEMPS##N body "}\n")
#define GK_PTRIGS(N, PALL, F, most) \
    GK_PFUNC(F##SIN, N, GK_PIF(PALL(GK_PBELOW##N, most)) \
             PALL(GK_PSIN, N) "bra next;\n") \
    GK_PFUNC(F##COS, N, GK_PIF(PALL(GK_PBELOW##N, most)) \
             PALL(GK_PCOS, N) "bra next;\n") \
    GK_PFUNC(F##SINCOS, N, GK_PIF(PALL(GK_PBELOW##N, most)) \
             PALL(GK_PSINCOS, N) GK_PSTB##N) \
    GK_PFUNC(F##COSSIN, N, GK_PIF(PALL(GK_PBELOW##N, most)) \
             PALL(GK_PCOSSIN, N) GK_PSTB##N)
#define GK_PFUNCS4(F) GK_PTRIGS(4, GK_PALL8, F, "0f47CE4780") \
    GK_PFUNC(F##EXP, 4, GK_P8(GK_PEXP, 4)) \
    GK_PFUNC(F##LOG, 4, GK_P8(GK_PLOG, 4)) \
    GK_PFUNC(F##TANH, 4, GK_P8(GK_PTANH, ""))
#define GK_PFUNCS8 GK_PTRIGS(8, GK_PALL4, F, "0f41E00000") \
    GK_PFUNC(FEXP, 8, GK_PIF(GK_PALL4(GK_PBELOW8, "0f4086232B")) \
             GK_P4(GK_PEXP, 8)) \
    GK_PFUNC(FLOG, 8, GK_PIF(GK_PALL4(GK_PNORMAL8, "")) GK_P4(GK_PLOG, 8))
#define GK_PREGS ".reg .pred p;\n.reg .b32 op, at, t, nop, nat;\n"
#define GK_PNAME(n) "L" #n ", "

static __device__ __forceinline__ void
gk_e_table(float *a, float *b, uint32_t &pc, uint32_t mine, uint32_t page) {
    asm volatile("{\n" GK_PREGS
        ".reg .b32 z<8>;\n.reg .b16 h, k, z;\nmov.b16 z, 0;\n"
        GK_PHEAD("16", "17", "18", GK_E_TABLE(GK_PNAME), GK_PB4)
        GK_PROW(LOAD, GK_P8(GK_PM, "mov.b32 "))
        GK_PROW(STORE, GK_PST4)
        GK_PROW(WHERE_C, GK_PZ4 GK_P8(GK_PWC4, GK_PWF))
        GK_PROW(WHERE_X, GK_PZ4 GK_P8(GK_PWX4, GK_PWF))
        GK_PROW(WHERE_Y, GK_PZ4 GK_P8(GK_PWY4, GK_PWF))
        GK_PROW(ADD, GK_P8(GK_P2, "add.rn.f32 "))
        GK_PROW(SUB, GK_P8(GK_P2, "sub.rn.f32 "))
        GK_PROW(RSUB, GK_P8(GK_PR, "sub.rn.f32 "))
        GK_PROW(MUL, GK_P8(GK_P2, "mul.rn.f32 "))
        GK_PROW(DIV, GK_P8(GK_P2, "div.rn.f32 "))
        GK_PROW(RDIV, GK_P8(GK_PR, "div.rn.f32 "))
        GK_PROW(SQUARE, GK_P8(GK_PS, "mul.rn.f32 "))
        GK_PROW(NEG, GK_P8(GK_P1, "neg.f32 "))
        GK_PROW(ABS, GK_P8(GK_P1, "abs.f32 "))
        GK_PROW(SQRT, GK_P8(GK_P1, "sqrt.rn.f32 "))
        GK_PROW(RECIP, GK_P8(GK_P1, "rcp.rn.f32 "))
        GK_PROW(MAX, GK_P8(GK_PMAX4, "gt"))
        GK_PROW(RMAX, GK_P8(GK_PRMAX4, "gt"))
        GK_PROW(MIN, GK_P8(GK_PMAX4, "lt"))
        GK_PROW(RMIN, GK_P8(GK_PRMAX4, "lt"))
        GK_PROW(LT, GK_P8(GK_P2, "set.lt.f32.f32 "))
        GK_PROW(LE, GK_P8(GK_P2, "set.le.f32.f32 "))
        GK_PROW(GT, GK_P8(GK_P2, "set.gt.f32.f32 "))
        GK_PROW(GE, GK_P8(GK_P2, "set.ge.f32.f32 "))
        GK_PROW(EQ, GK_P8(GK_P2, "set.eq.f32.f32 "))
        GK_PROW(NE, GK_P8(GK_P2, "set.neu.f32.f32 "))
        GK_PROW(NOT, GK_P8(GK_PZERO, "set.eq.f32.f32 "))
        GK_PROW(TRUTH, GK_P8(GK_PZERO, "set.neu.f32.f32 "))
        GK_PROW(AND, GK_P8(GK_PLOGIC, "and"))
        GK_PROW(OR, GK_P8(GK_PLOGIC, "or"))
        GK_PROW(XOR, GK_P8(GK_PLOGIC, "xor"))
        GK_PROW(WIDEN1, GK_PWBOOL("0", "8", "0") GK_PWBOOL("1", "8", "8")
                GK_PWBOOL("2", "8", "16") GK_PWBOOL("3", "8", "24")
                GK_PWBOOL("4", "12", "0") GK_PWBOOL("5", "12", "8")
                GK_PWBOOL("6", "12", "16") GK_PWBOOL("7", "12", "24")
                "bra next;\n")
        GK_PHALVES
        GK_PFUNCS4()
        GK_PROW(MAC, GK_PZ4 GK_P8(GK_PMAC, "f32"))
        "back:\n}"
        : "+f"(a[0]), "+f"(a[1]), "+f"(a[2]), "+f"(a[3]), "+f"(a[4]),
          "+f"(a[5]), "+f"(a[6]), "+f"(a[7]), "=&f"(b[0]), "=&f"(b[1]),
          "=&f"(b[2]), "=&f"(b[3]), "=&f"(b[4]), "=&f"(b[5]), "=&f"(b[6]),
          "=&f"(b[7]), "+r"(pc)
        : "r"(mine), "r"(page) : "memory");
}
/* N words of I, the integers (s32), B, as bits, and F, the floats.
   PN: GK_P8 or GK_P4.                                                      */
#define GK_PWORDS(N, PN, I, B, F) \
    GK_PROW(LOAD, PN(GK_PM, "mov." B " ")) \
    GK_PROW(STORE, GK_PST##N) \
    GK_PROW(WHERE_C, GK_PZ##N PN(GK_PWC##N, GK_PW##N)) \
    GK_PROW(WHERE_X, GK_PZ##N PN(GK_PWX##N, GK_PW##N)) \
    GK_PROW(WHERE_Y, GK_PZ##N PN(GK_PWY##N, GK_PW##N)) \
    GK_PROW(ADD, PN(GK_P2, "add." I " ")) \
    GK_PROW(SUB, PN(GK_P2, "sub." I " ")) \
    GK_PROW(RSUB, PN(GK_PR, "sub." I " ")) \
    GK_PROW(MUL, PN(GK_P2, "mul.lo." I " ")) \
    GK_PROW(SQUARE, PN(GK_PS, "mul.lo." I " ")) \
    GK_PROW(NEG, PN(GK_P1, "neg." I " ")) \
    GK_PROW(AND, PN(GK_P2, "and." B " ")) \
    GK_PROW(OR, PN(GK_P2, "or." B " ")) \
    GK_PROW(XOR, PN(GK_P2, "xor." B " ")) \
    GK_PROW(LT, PN(GK_PCMP##N, "lt." I)) \
    GK_PROW(LE, PN(GK_PCMP##N, "le." I)) \
    GK_PROW(GT, PN(GK_PCMP##N, "gt." I)) \
    GK_PROW(GE, PN(GK_PCMP##N, "ge." I)) \
    GK_PROW(EQ, PN(GK_PCMP##N, "eq." I)) \
    GK_PROW(NE, PN(GK_PCMP##N, "ne." I)) \
    GK_PROW(FADD, PN(GK_P2, "add.rn." F " ")) \
    GK_PROW(FSUB, PN(GK_P2, "sub.rn." F " ")) \
    GK_PROW(FRSUB, PN(GK_PR, "sub.rn." F " ")) \
    GK_PROW(FMUL, PN(GK_P2, "mul.rn." F " ")) \
    GK_PROW(FDIV, PN(GK_P2, "div.rn." F " ")) \
    GK_PROW(FRDIV, PN(GK_PR, "div.rn." F " ")) \
    GK_PROW(FSQUARE, PN(GK_PS, "mul.rn." F " ")) \
    GK_PROW(FNEG, PN(GK_P1, "neg." F " ")) \
    GK_PROW(FABS, PN(GK_P1, "abs." F " ")) \
    GK_PROW(FSQRT, PN(GK_P1, "sqrt.rn." F " ")) \
    GK_PROW(FMAX, PN(GK_PMAX##N, "gt")) \
    GK_PROW(FRMAX, PN(GK_PRMAX##N, "gt")) \
    GK_PROW(FMIN, PN(GK_PMAX##N, "lt")) \
    GK_PROW(FRMIN, PN(GK_PRMAX##N, "lt")) \
    GK_PROW(FLT, PN(GK_PCMP##N, "lt." F)) \
    GK_PROW(FLE, PN(GK_PCMP##N, "le." F)) \
    GK_PROW(FGT, PN(GK_PCMP##N, "gt." F)) \
    GK_PROW(FGE, PN(GK_PCMP##N, "ge." F)) \
    GK_PROW(FEQ, PN(GK_PCMP##N, "eq." F)) \
    GK_PROW(FNE, PN(GK_PCMP##N, "neu." F)) \
    GK_PROW(FMAC, GK_PZ##N PN(GK_PMAC, F))
#define GK_PW1(a, b, c, d, w) "and.b32 %" a ", %" w ", 255;\n" \
    "bfe.u32 %" b ", %" w ", 8, 8;\nbfe.u32 %" c ", %" w ", 16, 8;\n" \
    "shr.u32 %" d ", %" w ", 24;\n"
#define GK_PW2(a, b, w) "and.b32 %" a ", %" w ", 0xffff;\n" \
    "shr.u32 %" b ", %" w ", 16;\n"
#define GK_PCF(i, a, b) "bfe." i ";\ncvt.rn.f32.s32 %" a ", t;\n"
#define GK_PU8F(i, a, b) GK_PCF("u32 t, %" a ", 0, 8", a, b)
#define GK_PI8F(i, a, b) GK_PCF("s32 t, %" a ", 0, 8", a, b)
#define GK_PU16F(i, a, b) GK_PCF("u32 t, %" a ", 0, 16", a, b)
#define GK_PI16F(i, a, b) GK_PCF("s32 t, %" a ", 0, 16", a, b)
/* two elements of 1, 2 or 4 bytes */
#define GK_PX1(a, b, w) "and.b64 %" a ", %" w ", 255;\n" \
    "bfe.u64 %" b ", %" w ", 8, 8;\n"
#define GK_PX2(a, b, w) "and.b64 %" a ", %" w ", 0xffff;\n" \
    "bfe.u64 %" b ", %" w ", 16, 16;\n"
#define GK_PX4(a, b, w) "shr.u64 %" b ", %" w ", 32;\n" \
    "and.b64 %" a ", %" w ", 0xffffffff;\n"
#define GK_PI32F(i, a, b) "cvt.u32.u64 t, %" a ";\ncvt.rn.f64.s32 %" a ", t;\n"
#define GK_PI64F(i, a, b) "cvt.rn.f64.s64 %" a ", %" a ";\n"
#define GK_PF32F(i, a, b) "cvt.u32.u64 t, %" a ";\ncvt.f64.f32 %" a ", t;\n"
#define GK_PTOF32(i, a, b) "cvt.rn.f32.f64 t, %" a ";\ncvt.u64.u32 %" a ", t;\n"
#define GK_PC2(i, a, b) "mov.b64 {t, at}, %" a ";\n" \
    "mov.b64 {u, v}, %" b ";\n" i "mov.b64 %" a ", {t, at};\n"
#define GK_PCADD "add.rn.f32 t, t, u;\nadd.rn.f32 at, at, v;\n"
#define GK_PCSUB "sub.rn.f32 t, t, u;\nsub.rn.f32 at, at, v;\n"
#define GK_PCRSUB "sub.rn.f32 t, u, t;\nsub.rn.f32 at, v, at;\n"
#define GK_PCMUL "mul.rn.f32 x, t, u;\nmul.rn.f32 y, at, v;\n" \
    "mul.rn.f32 t, t, v;\nmul.rn.f32 at, at, u;\n" \
    "add.rn.f32 at, t, at;\nsub.rn.f32 t, x, y;\n"
static __device__ __forceinline__ void
gk_e_table(uint32_t *a, uint32_t *b, uint32_t &pc, uint32_t mine,
           uint32_t page) {
    asm volatile("{\n" GK_PREGS
        ".reg .b32 z<8>;\n.reg .b16 h, k, z;\nmov.b16 z, 0;\n"
        GK_PHEAD("16", "17", "18", GK_E_TABLE4(GK_PNAME), GK_PB4)
        GK_PWORDS(4, GK_P8, "s32", "b32", "f32")
        GK_PROW(WIDEN1, GK_PW1("0", "1", "2", "3", "8")
                GK_PW1("4", "5", "6", "7", "12") "bra next;\n")
        GK_PROW(WIDEN2, GK_PW2("0", "1", "8") GK_PW2("2", "3", "9")
                GK_PW2("4", "5", "12") GK_PW2("6", "7", "13") "bra next;\n")
        GK_PROW(U8F, GK_P8(GK_PU8F, ""))
        GK_PROW(I8F, GK_P8(GK_PI8F, ""))
        GK_PROW(U16F, GK_P8(GK_PU16F, ""))
        GK_PROW(I16F, GK_P8(GK_PI16F, ""))
        GK_PHALVES
        GK_PFUNCS4(F)
        "back:\n}"
        : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]), "+r"(a[4]),
          "+r"(a[5]), "+r"(a[6]), "+r"(a[7]), "=&r"(b[0]), "=&r"(b[1]),
          "=&r"(b[2]), "=&r"(b[3]), "=&r"(b[4]), "=&r"(b[5]), "=&r"(b[6]),
          "=&r"(b[7]), "+r"(pc)
        : "r"(mine), "r"(page) : "memory");
}
static __device__ __forceinline__ void
gk_e_table(uint64_t *a, uint64_t *b, uint32_t &pc, uint32_t mine,
           uint32_t page) {
    asm volatile("{\n" GK_PREGS ".reg .b64 z<4>;\n.reg .b32 u, v, x, y;\n"
        GK_PHEAD("8", "9", "10", GK_E_TABLE8(GK_PNAME), GK_PB8)
        GK_PWORDS(8, GK_P4, "s64", "b64", "f64")
        GK_PROW(WIDEN1, GK_PX1("0", "1", "4") GK_PX1("2", "3", "6")
                "bra next;\n")
        GK_PROW(WIDEN2, GK_PX2("0", "1", "4") GK_PX2("2", "3", "6")
                "bra next;\n")
        GK_PROW(WIDEN4, GK_PX4("0", "1", "4") GK_PX4("2", "3", "6")
                "bra next;\n")
        GK_PROW(I32F, GK_P4(GK_PI32F, ""))
        GK_PROW(I64F, GK_P4(GK_PI64F, ""))
        GK_PROW(F32F, GK_P4(GK_PF32F, ""))
        GK_PROW(TOF32, GK_P4(GK_PTOF32, ""))
        GK_PROW(CADD, GK_P4(GK_PC2, GK_PCADD))
        GK_PROW(CSUB, GK_P4(GK_PC2, GK_PCSUB))
        GK_PROW(CRSUB, GK_P4(GK_PC2, GK_PCRSUB))
        GK_PROW(CMUL, GK_P4(GK_PC2, GK_PCMUL))
        GK_PFUNCS8
        "back:\n}"
        : "+l"(a[0]), "+l"(a[1]), "+l"(a[2]), "+l"(a[3]), "=&l"(b[0]),
          "=&l"(b[1]), "=&l"(b[2]), "=&l"(b[3]), "+r"(pc)
        : "r"(mine), "r"(page) : "memory");
}
/* Of 16 bytes: moves and where; the rest is called. */
static __device__ __forceinline__ void
gk_e_table(uint4 *a, uint4 *b, uint32_t &pc, uint32_t mine, uint32_t page) {
    constexpr int V = gk_emachine<GK_E16>::V;
    for (;;) {
        const gk_eop q = *(const gk_eop *)gk_e_shared(pc);
        pc += 16;
        gk_e_read(b, q.a, mine, page);
        const uint32_t c = q.word & 0xff;
        if (c == GK_W_LOAD) {
            GK_E_ALL a[i] = b[i];
        } else if (c == GK_W_STORE) {
            gk_e_write(a, q.a, mine, page);
        } else if (c <= GK_W_WHERE_Y) {
            uint4 z[V];
            gk_e_read(z, q.b, mine, page);
            GK_E_ALL {
                bool on = (c == GK_W_WHERE_C ? a[i].x : b[i].x) & 0xffu;
                uint4 x = c == GK_W_WHERE_C ? b[i] : z[i];
                if (c != GK_W_WHERE_C) x = a[i];
                uint4 y = z[i];
                a[i] = c == GK_W_WHERE_Y ? (on ? y : x) : (on ? x : y);
            }
        } else {
            return;
        }
    }
}

/* Runs the code; OUT hands the accumulator to put(k, acc). */
template<int CLS, class PUT> static __device__ __forceinline__ void
gk_e_run(const gk_ep &p, unsigned char *mem, uint32_t mine, const PUT &put) {
    typedef gk_emachine<CLS> M;
    typedef typename M::word word;
    constexpr int V = M::V;
    const uint32_t page = blockDim.x * 16;
    uint32_t pc = (uint32_t)__cvta_generic_to_shared(mem) + p.codes;
    word acc[V], b[V];
    GK_E_ALL memset(&acc[i], 0, sizeof(word));
#pragma unroll 1
    for (;;) {
        gk_e_table(acc, b, pc, mine, page);
        const gk_eop *q = (const gk_eop *)gk_e_shared(pc) - 1;
        const uint32_t code = q->word, c = code & 0xff;
        if (c == GK_E_END) return;
        if (c == GK_E_OUT) {
            put((int)(code >> 16 & 0xff), acc);
            continue;
        }
        word x[V], y[V];
        constexpr uint32_t pair = CLS == GK_EF ? +GK_E_SINCOS : +GK_W_FSINCOS;
        const bool two = CLS != GK_E16 && c - pair <= 1;
        GK_E_ALL x[i] = acc[i], y[i] = two ? acc[i] : b[i];
        if (two) {                  /* the partner, to its slot             */
            gk_e_other<CLS>(code ^ (GA__OP_sin ^ GA__OP_cos) << 16, y, y);
            gk_e_write(y, q->a, mine, page);
        }
        gk_e_other<CLS>(code, x, y);
        GK_E_ALL acc[i] = x[i];
    }
}

/* The code, with addresses, and the constants, each as a chunk that all
   threads read, to shared memory.                                          */
template<int CLS> static __device__ __forceinline__ void
gk_e_begin(const gk_ep &p, unsigned char *mem) {
    typedef typename gk_emachine<CLS>::word word;
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(mem);
    const int t = blockDim.x;
#pragma unroll 1
    for (int i = threadIdx.x; i < p.ncode; i += t) {
        const gk_eword q = p.code[i];
        uint32_t c = q.x & 0xff;
        const uint32_t rows = CLS == GK_EF ? GK_E_TABLED
            : CLS == GK_E4 ? GK_W4_TABLED : GK_W_TABLED;
        uint4 w = make_uint4(c < rows ? c : rows,
                             (q.y & 0xffffu) + base, (q.y >> 16) + base, q.x);
        *(uint4 *)(mem + p.codes + i * 16) = w;
    }
    const word *c = (const word *)(p.code + GK_E_WORDS) - p.nconst;
#pragma unroll 1
    for (int j = threadIdx.x; j < p.nconst; j += t) {
        unsigned char *to = mem + p.consts + j * 16;
        uint4 w;
        if constexpr (sizeof(word) == 4) {
            uint32_t x = gk_bits<uint32_t>(c[j]);
            asm("" : "+r"(x));
            w = make_uint4(x, x, x, x);
        } else if constexpr (sizeof(word) == 8) {
            uint32_t x = (uint32_t)c[j], y = (uint32_t)(c[j] >> 32);
            w = make_uint4(x, y, x, y);
        } else {
            w = c[j];
        }
        for (int g = 0; g < GK_E_NG; g++) *(uint4 *)(to + g * t * 16) = w;
    }
    __syncthreads();
}

template<int CLS> static __device__ __forceinline__ void
gk_e_store(const gk_ep &p, int k, const typename gk_emachine<CLS>::word *acc,
           int64_t v, int64_t step, bool whole) {
    constexpr int G = gk_emachine<CLS>::G;
    const gk_earray &a = p.a[GA__E_ARRAYS + k];
#pragma unroll
    for (int g = 0; g < GK_E_NG; g++, v += step)
        if (whole || v < p.total)
            gk_e_put<G>(p, a, v, whole,
                        gk_e_narrowed<CLS>(acc + g * G, a.dtype, a.size));
}

/* Reductions: a thread folds what it computes into a state of 16 bytes in
   shared memory (one for each of the G columns that it owns), the states of
   an output merge in a tree, and where blocks share an output the last of
   them to finish merges what they left in `work`, as in >>reduce. The order
   is that of shape, strides and device.                                    */
enum { GK_FOLD_NONE, GK_FOLD_SUM, GK_FOLD_PAIR, GK_FOLD_PROD, GK_FOLD_MAX,
       GK_FOLD_ISUM, GK_FOLD_IPROD, GK_FOLD_IMAX };
static __device__ __forceinline__ void gk_e_merge(int fold, gk_estate &a,
                                                  gk_estate b) {
    double x = gk_bits<double>(a.s), y = gk_bits<double>(b.s);
    switch (fold) {
    case GK_FOLD_SUM: x += y; break;
    case GK_FOLD_PAIR: {
        double t = x + y, z = t - x;
        a.c += b.c + ((x - (t - z)) + (y - z));
        x = t;
        break;
    }
    case GK_FOLD_PROD: x *= y; break;
    case GK_FOLD_MAX: x = y > x || y != y ? y : x; break;
    case GK_FOLD_ISUM: a.s += b.s; return;
    case GK_FOLD_IPROD: a.s *= b.s; return;
    default: a.s = (int64_t)b.s > (int64_t)a.s ? b.s : a.s; return;
    }
    a.s = gk_bits<uint64_t>(x);
}
/* A value of type t as what folds: the bits of a double, or an integer. */
template<class T> static __device__ __forceinline__ uint64_t
gk_e_folds(const gk_ep &p, T x) {
    if (p.op == GA__RED_all || p.op == GA__RED_any) return gk_truth(x);
    if constexpr (gk_fp<T>) {
        double d = (double)x;
        return gk_bits<uint64_t>(p.mask ? -d : d);
    } else if constexpr (gk_cpx<T>) {
        return 0;
    } else if constexpr (gk_sint<T>) {
        return (uint64_t)(int64_t)x ^ p.mask;
    } else {
        return (uint64_t)x ^ p.mask;
    }
}
template<int CLS> static __device__ __noinline__ void
gk_e_fold(const gk_ep &p, const typename gk_emachine<CLS>::word *x,
          uint32_t valid, unsigned char *at) {
    typedef gk_emachine<CLS> M;
    const int page = blockDim.x * 16, fold = p.fold;
    gk_estate a = *(gk_estate *)at;
#pragma unroll 1
    for (int i = 0; i < M::V; i++) {
        /* columns: a chunk's elements are different outputs                */
        const int k = p.col ? i / GK_E_NG + i % GK_E_NG * M::G : i;
        gk_estate e = {p.identity, 0};
        if (valid >> k & 1) {
            if constexpr (CLS == GK_EF) {
                float f = x[k];
                if (p.type == GA_FLOAT16) f = gk_from_f16(gk_to_f16(f));
                if (p.type == GA_BFLOAT16) f = gk_from_bf16(gk_to_bf16(f));
                e.s = p.type == GA_BOOL ? gk_e_folds(p, f != 0)
                                        : gk_e_folds(p, f);
            } else {
                switch (p.type) {
#define GA__X(t, S)                                                          \
                case t:                                                      \
                    if constexpr (gk_half<S>) {                              \
                        S h = gk_cast<S>(gk_e_low<float>(&x[k]));            \
                        e.s = gk_e_folds(p, gk_cast<float>(h));              \
                    } else if constexpr (sizeof(S) <= sizeof(x[0])) {        \
                        e.s = gk_e_folds(p, gk_e_low<S>(&x[k]));             \
                    }                                                        \
                    break;
                GK_TYPES(GA__X)
#undef GA__X
                }
            }
        }
        gk_e_merge(fold, a, e);
        if (p.col && i % GK_E_NG == GK_E_NG - 1) {
            *(gk_estate *)at = a;
            at += page;
            if (i < M::V - 1) a = *(gk_estate *)at;
        }
    }
    if (!p.col) *(gk_estate *)at = a;
}
static __device__ __noinline__ void gk_e_finish(const gk_ep &p, gk_estate a,
                                                int64_t o) {
    double x = gk_bits<double>(a.s);
    if (p.op == GA__RED_all || p.op == GA__RED_any) {
        ((bool *)p.out)[o] = p.op == GA__RED_any
            ? a.s != 0 : a.s == (uint64_t)p.nred;
        return;
    }
    if (p.fold == GK_FOLD_PAIR && gk_rfinite(x)) x += a.c;
    if (p.fold >= GK_FOLD_ISUM) {
        a.s ^= p.mask;
        x = p.type >= GA_UINT8 && p.type <= GA_UINT64 ? (double)a.s
                                                      : (double)(int64_t)a.s;
    } else if (p.mask) {
        x = -x;
    }
    if (p.op == GA__RED_mean) x /= (double)p.nred;
    switch (p.out_type) {
    case GA_FLOAT16: ((gk_f16 *)p.out)[o] = gk_cast<gk_f16>(x); break;
    case GA_BFLOAT16: ((gk_bf16 *)p.out)[o] = gk_cast<gk_bf16>(x); break;
    case GA_FLOAT32: ((float *)p.out)[o] = (float)x; break;
    case GA_FLOAT64: ((double *)p.out)[o] = x; break;
    case GA_INT64: case GA_UINT64: ((uint64_t *)p.out)[o] = a.s; break;
    case GA_INT32: case GA_UINT32: ((uint32_t *)p.out)[o] = (uint32_t)a.s;
        break;
    case GA_INT16: case GA_UINT16: ((uint16_t *)p.out)[o] = (uint16_t)a.s;
        break;
    default: ((uint8_t *)p.out)[o] = (uint8_t)a.s;
    }
}
/* Merges `count` groups of states, `by` threads apart, into the first; each
   thread has n states, a page apart. Barriers as wide as the groups.       */
static __device__ __noinline__ void gk_e_tree(int fold, gk_estate *st, int rank,
                                              int count, int by, int n) {
    const int t = (int)threadIdx.x, T = (int)blockDim.x;
    for (int d = count / 2; d > 0; d >>= 1) {
        if (d * by >= 32) __syncthreads();
        else __syncwarp();
        if (rank < d)
            for (int i = 0; i < n; i++) {
                gk_estate a = st[i * T + t];
                gk_e_merge(fold, a, st[i * T + t + d * by]);
                st[i * T + t] = a;
            }
    }
}

/* A thread's chunks: from v, `step` apart, below end; NG of them a turn. */
struct gk_ewalk { int64_t v, step, end; };
template<int CLS> static __device__ __forceinline__ void
gk_e_reduce(const gk_ep &p, unsigned char *mem, uint32_t mine) {
    typedef gk_emachine<CLS> M;
    const int t = (int)threadIdx.x, T = (int)blockDim.x, n = p.col ? M::G : 1;
    const int side = 1 << p.lg;     /* columns: threads side by side        */
    const int x = t & (side - 1), y = t >> p.lg, ny = T >> p.lg;
    gk_estate *st = (gk_estate *)(mem + p.states);
    const gk_estate none = {p.identity, 0};
    const int64_t wide = p.col ? (int64_t)p.per_row.d : 1;
#pragma unroll 1
    for (int64_t item = blockIdx.x; item < p.items; item += gridDim.x) {
        const int64_t group = item / p.split, s = item - group * p.split;
        /* rows: output o, lane x of its team y. columns: column o of chunks */
        const int64_t o = p.col ? group * side + x : group * ny + y;
        gk_ewalk w = {0, p.col ? ny * wide : side, 0};
        int64_t from = s * p.slab;
        int64_t to = from + p.slab < p.per ? from + p.slab : p.per;
        const bool stores = CLS != GK_EF && p.fold == GK_FOLD_NONE;
        if (stores) {
            w.v = item * (T * GK_E_NG) + t;
            w.step = T;
            w.end = (item + 1) * (T * GK_E_NG) < p.total
                ? (item + 1) * (T * GK_E_NG) : p.total;
        } else if (o < p.nout) {
            const int64_t ko = o / wide, base = ko * p.per;
            w.v = (base + from + (p.col ? y : x)) * wide + (o - ko * wide);
            w.end = (base + to) * wide;
        }
        if (!stores)
            for (int i = 0; i < n; i++) st[i * T + t] = none;
#pragma unroll 1
        for (; w.v < w.end; w.v += w.step * GK_E_NG) {
            const bool whole = w.v + (GK_E_NG - 1) * w.step < w.end
                && w.v + (GK_E_NG - 1) * w.step < p.whole;
            gk_e_fetch<M::G>(p, mem + t * 16, w.v, w.step, w.end, whole);
            gk_e_copied();
            gk_e_spread(p, mem + t * 16);
            gk_e_run<CLS>(p, mem, mine,
                          [&](int k, const typename M::word *acc) {
                if (stores) {
                    gk_e_store<CLS>(p, k, acc, w.v, w.step, whole);
                    return;
                }
                uint32_t valid = 0;
                int64_t v = w.v;
#pragma unroll
                for (int g = 0; g < GK_E_NG; g++, v += w.step) {
                    if (v >= w.end) break;
                    int left = M::G;
                    if (p.ragged) {
                        gk_eplace at;
                        at.set(p, v, M::G);
                        if (p.n0 - at.col < left) left = (int)(p.n0 - at.col);
                    }
                    valid |= ((1u << left) - 1) << g * M::G;
                }
                if constexpr (CLS == GK_EF)
                    if (p.fold == GK_FOLD_SUM && !p.col
                        && p.type == GA_FLOAT32) {
                        double d[M::V];
#pragma unroll
                        for (int i = 0; i < M::V; i++)
                            d[i] = valid >> i & 1 ? (double)acc[i] : 0.0;
#pragma unroll
                        for (int h = M::V / 2; h > 0; h /= 2)
#pragma unroll
                            for (int i = 0; i < h; i++) d[i] += d[i + h];
                        st[t].s = gk_bits<uint64_t>(
                            gk_bits<double>(st[t].s) + d[0]);
                        return;
                    }
                typename M::word z[M::V];
#pragma unroll
                for (int i = 0; i < M::V; i++) z[i] = acc[i];
                gk_e_fold<CLS>(p, z, valid, (unsigned char *)(st + t));
            });
        }
        if (stores) return;
        gk_estate *part = p.work + group * p.split * (p.col ? side * n : 1);
        for (bool first = true;; first = false) {
            if (p.col) gk_e_tree(p.fold, st, y, ny, side, n);
            else gk_e_tree(p.fold, st, x, side, 1, n);
            const bool leads = (p.col ? y : x) == 0 && o < p.nout;
            if (!first || p.split == 1) {
                if (leads && !p.col) {
                    gk_e_finish(p, st[t], o);
                } else if (leads) {
                    const int64_t ko = o / wide, c = (o - ko * wide) * M::G;
                    for (int i = 0; i < n && c + i < p.n0; i++)
                        gk_e_finish(p, st[i * T + t], ko * p.n0 + c + i);
                }
                break;
            }
            if (leads)
                for (int i = 0; i < n; i++)
                    part[(s * side + x) * n * p.col + s * !p.col + i] =
                        st[i * T + t];
            if (!gk_rlast(p.counters + group, (unsigned)p.split)) break;
            for (int i = 0; i < n; i++) {
                gk_estate a = none;
                if (p.col) {
                    if (o < p.nout)
                        for (int k = y; k < p.split; k += ny)
                            gk_e_merge(p.fold, a, part[(k * side + x) * n + i]);
                } else {
                    for (int k = t; k < p.split; k += T)
                        gk_e_merge(p.fold, a, part[k]);
                }
                st[i * T + t] = a;
            }
        }
        __syncthreads();            /* the next item's states are others'   */
    }
}

/* The loop's registers decide how many blocks fit: 40, and 6 of them, for F.
   Its reductions are a kernel of their own, so that they take none of them.
   Classes 4 and 8 have one kernel for both, which halves their code; 16 has
   no reductions.                                                           */
template<int CLS, bool RED> constexpr int gk_e_blocks =
    CLS == GK_EF ? (RED ? 5 : 6) : CLS == GK_E4 ? 5 : CLS == GK_E8 ? 4 : 2;
template<int CLS, bool RED> static __global__ void
__launch_bounds__(256, GK_RESIDENT((gk_e_blocks<CLS, RED>)))
gk_eval(const __grid_constant__ gk_ep p) {
    typedef gk_emachine<CLS> M;
    extern __shared__ __align__(16) unsigned char gk_e_mem[];
    /* the shuffle changes nothing, but loops would read tid at each turn   */
    const uint32_t mine = __shfl_xor_sync(~0u, threadIdx.x * 16 - 1, 0);
    if constexpr (RED) {
        gk_e_begin<CLS>(p, gk_e_mem);
        gk_e_reduce<CLS>(p, gk_e_mem, mine);
    } else {
        const int64_t v = (int64_t)blockIdx.x * (blockDim.x * GK_E_NG)
                          + threadIdx.x;
        const bool whole = ((int64_t)blockIdx.x + 1) * (blockDim.x * GK_E_NG)
                           <= p.whole;
        gk_e_fetch<M::G>(p, gk_e_mem + threadIdx.x * 16, v, blockDim.x,
                         p.total, whole);
        gk_e_begin<CLS>(p, gk_e_mem);
        gk_e_copied();
        gk_e_spread(p, gk_e_mem + threadIdx.x * 16);
        gk_e_run<CLS>(p, gk_e_mem, mine,
                      [&](int k, const typename M::word *acc) {
            gk_e_store<CLS>(p, k, acc, v, blockDim.x, whole);
        });
    }
}

/* --------------------------------------------------------------- launchers */
/* Axes from the fastest of a row outwards: order[0], order[1], ... */
template<class E> static void gk_e_arrays(gk_ep *p, const E *e,
                                          const int *order, int G) {
    p->n0 = e->shape[order[0]];
    p->outer = e->ndim - 1;
    int64_t per = gk_ceil_div(p->n0, G);
    p->total = per;
    if (p->outer) p->per_row = gk_div_make((uint32_t)per);
    p->spreads = false;
    for (int d = 0; d < p->outer; d++) {
        p->total *= e->shape[order[d + 1]];
        p->len[d] = gk_div_make((uint32_t)e->shape[order[d + 1]]);
    }
    p->whole = p->outer == 0 ? p->n0 / G : 0;
    for (int k = 0; k < e->nin + e->nout; k++) {
        const ga__operand_view *o = k < e->nin ? &e->in[k]
                                               : &e->out[k - e->nin];
        if (e->red >= 0 && k >= e->nin) break;
        gk_earray *a = &p->a[k < e->nin ? k : GA__E_ARRAYS + k - e->nin];
        a->p = (char *)o->data;
        a->dtype = (uint8_t)o->dtype;
        a->size = (uint8_t)gk_size[o->dtype];
        bool packs = o->stride[order[0]] == 1
                     && gk_aligned(a->p, a->size * (size_t)G);
        for (int d = 0; d < e->ndim; d++) {
            a->by[d] = o->stride[order[d]] * a->size;
            if (d > 0) packs &= o->stride[order[d]] % G == 0;
        }
        if (k < e->nin && !a->by[0]) p->spreads = true;
        a->packs = packs;
        a->unit = a->size;          /* complex numbers are aligned as reals  */
        while (!gk_aligned(a->p, a->unit)) a->unit /= 2;
        if (!packs) p->whole = 0;
    }
}
/* The bytes of slots, constants and code, and what an instruction without an
   operand reads: a chunk at the code and another a page behind.            */
static int gk_e_memory(const gk_ecode *c) {
    const int code = (c->n + 1) * 16, idle = (c->threads + 1) * 16;
    return c->memory + (code > idle ? code : idle);
}
/* Code and constants: these in words of the class, at the end. */
static void gk_e_program(gk_ep *p, const ga__eval *e, const gk_ecode *c) {
    const int w = c->cls == GK_EF ? 4 : 2 << c->cls;
    unsigned char *to = (unsigned char *)(p->code + GK_E_WORDS)
                        - c->nconst * w;
    memcpy(p->code, c->word, c->n * sizeof c->word[0]);
    for (int k = 0; k < c->nconst; k++, to += w) {
        const unsigned char *from = e->constant[k];
        float f;
        if (c->cls == GK_EF && c->ctype[k] == GA_BOOL) {
            f = from[0] != 0;
            memcpy(to, &f, 4);
        } else if (gk_is_half(c->ctype[k])) {
            uint16_t h;
            memcpy(&h, from, 2);
            f = c->ctype[k] == GA_FLOAT16 ? gk_from_f16(gk_f16{h})
                                          : gk_from_bf16(gk_bf16{h});
            memset(to, 0, w);
            memcpy(to, &f, 4);
        } else {
            memcpy(to, from, w);
        }
    }
    p->nconst = c->nconst;
    p->consts = c->consts;
    p->codes = c->memory;
    p->ncode = c->n;
    p->nin = (uint8_t)e->nin;
}

/* The classes' launches, each class of words in a part of its own. */
#define GK_E_START(name)                                                     \
    void gk_e_start_##name(const gk_ep &p, bool red, unsigned grid,          \
                           int threads, size_t memory, cudaStream_t st)
GK_E_START(8);
GK_E_START(16);
#if GK_PART_IS(eval_8_cuda)
GK_E_START(8) {
    (void)red;
    gk_eval<GK_E8, true><<<grid, threads, memory, st>>>(p);
}
#endif
#if GK_PART_IS(eval_16_cuda)
GK_E_START(16) {
    (void)red;
    gk_eval<GK_E16, false><<<grid, threads, memory, st>>>(p);
}
#endif
#if GK_PART_IS(eval_cuda)
static GK_E_START(4) {
    (void)red;
    gk_eval<GK_E4, true><<<grid, threads, memory, st>>>(p);
}
static GK_E_START(f) {
    if (red) gk_eval<GK_EF, true><<<grid, threads, memory, st>>>(p);
    else gk_eval<GK_EF, false><<<grid, threads, memory, st>>>(p);
}
static void (*const gk_e_start[])(const gk_ep &, bool, unsigned, int, size_t,
                                  cudaStream_t) = {
    gk_e_start_f, gk_e_start_4, gk_e_start_8, gk_e_start_16};

template<int CLS> static int gk_e_launch(gk_ep *p, const ga__eval *e,
                                         const gk_ecode *c, cudaStream_t st) {
    int order[GA_MAX_NDIM];
    for (int d = 0; d < e->ndim; d++) order[d] = e->ndim - 1 - d;
    gk_e_arrays(p, e, order, gk_emachine<CLS>::G);
    p->fold = GK_FOLD_NONE;
    p->col = p->lg = 0;
    p->split = 1;
    p->items = gk_ceil_div(p->total, (int64_t)c->threads * GK_E_NG);
    gk_e_start[CLS](*p, false, (unsigned)p->items, c->threads, gk_e_memory(c),
                    st);
    return (int)cudaGetLastError();
}
/* Plans a reduction; false: none for these kernels. */
static bool gk_e_plan(gk_ep *p, const ga__eval *e, int mps) {
    const gk_ecode *c = (const gk_ecode *)e->code;
    const int T = c->threads, G = 16 / (c->cls == GK_EF ? 4 : 2 << c->cls);
    const int last = e->ndim - 1, lk = e->nkeep - 1;
    const ga_dtype t = (ga_dtype)e->step[e->result[0]].type;
    const bool real = t == GA_FLOAT64 || t == GA_FLOAT32 || gk_is_half(t);
    const bool uns = t >= GA_UINT8 && t <= GA_UINT64;
    if (gk_e_cpx(t) || c->cls == GK_E16 || e->nkeep >= e->ndim) return false;
    p->op = (uint8_t)e->red;
    p->type = (uint8_t)t;
    p->out_type = (uint8_t)e->out[0].dtype;
    p->mask = p->identity = 0;
    double one = 1, low = -gk_fpk<double>::inf;
    switch (e->red) {
    case GA__RED_sum: case GA__RED_mean:
        p->fold = !real ? GK_FOLD_ISUM : t == GA_FLOAT64 ? GK_FOLD_PAIR
                                                         : GK_FOLD_SUM;
        break;
    case GA__RED_prod:
        p->fold = real ? GK_FOLD_PROD : GK_FOLD_IPROD;
        if (real) memcpy(&p->identity, &one, 8);
        else p->identity = 1;
        break;
    case GA__RED_max: case GA__RED_min:
        p->fold = real ? GK_FOLD_MAX : GK_FOLD_IMAX;
        if (real) memcpy(&p->identity, &low, 8);
        else p->identity = (uint64_t)1 << 63;
        if (e->red == GA__RED_min) p->mask = ~(uint64_t)0;
        if (uns) p->mask ^= (uint64_t)1 << 63;
        break;
    case GA__RED_all: case GA__RED_any: p->fold = GK_FOLD_ISUM; break;
    default: return false;
    }
    /* along which axis neighbours are                                      */
    bool row = true, col = e->nkeep > 0, packed = true;
    int64_t size = 1, nred = 1, nout = 1;
    for (int d = 0; d < e->ndim; d++) *(d < e->nkeep ? &nout : &nred) *=
        e->shape[d];
    for (int k = 0; k < e->nin; k++) {
        const int64_t *s = e->in[k].stride;
        if (s[last] != 0 && s[last] != 1) row = false;
        if (col && s[lk] != 0 && s[lk] != 1) col = false;
        size = 1;
        for (int d = last; d >= 0; d--) {
            packed &= s[d] == size;
            size *= e->shape[d];
        }
    }
    if ((!row && !col) || nred < 64) return false;
    ga__eval f = *e;
    int order[GA_MAX_NDIM], n = 0;
    col = !row;
    if (col) {
        order[n++] = lk;
        for (int d = last; d > lk; d--) order[n++] = d;
        for (int d = lk - 1; d >= 0; d--) order[n++] = d;
    } else {
        if (packed && nred % G == 0) {      /* rows that adjoin: one        */
            f.ndim = 1;
            f.shape[0] = e->n;
            for (int k = 0; k < f.nin; k++) f.in[k].stride[0] = 1;
        }
        for (int d = f.ndim - 1; d >= 0; d--) order[n++] = d;
    }
    gk_e_arrays(p, &f, order, G);
    if (p->outer && p->total >= INT32_MAX) return false;
    p->col = col;
    p->ragged = p->n0 % G != 0;
    p->nred = nred;
    p->per = col ? nred : p->total / nout;
    p->nout = col ? p->total / nred : nout;
    /* Two waves of blocks, where there is work for them. */
    const int64_t want = (int64_t)mps * 10, most = (int64_t)4 << 20;
    int64_t groups;
    p->lg = 3;
    if (col) {
        while (p->lg < 5 && (int64_t)1 << p->lg < p->nout) p->lg++;
        while ((T >> p->lg) > 1 && (T >> p->lg) * 8 > nred) p->lg++;
        groups = gk_ceil_div(p->nout, (int64_t)1 << p->lg);
    } else {
        while (T >> p->lg > 1
               && (p->per >> p->lg > 4 * GK_E_NG
                   || (p->per >> p->lg > GK_E_NG
                       && p->nout << p->lg < want * T))) p->lg++;
        groups = gk_ceil_div(p->nout << p->lg, T);
    }
    const int turn = (col ? T >> p->lg : 1 << p->lg) * GK_E_NG;
    int64_t state = 16 * (col ? ((int64_t)G << p->lg) : 1);
    int64_t S = want / groups;
    if ((!col && 1 << p->lg < T) || groups > GA__COUNTERS) S = 1;
    if (S > p->per / (turn * 4)) S = p->per / (turn * 4);
    if (S > most / (groups * state)) S = most / (groups * state);
    if (S < 1) S = 1;
    p->slab = gk_ceil_div(gk_ceil_div(p->per, S), turn) * turn;
    p->split = (int)gk_ceil_div(p->per, p->slab);
    p->items = groups * p->split;
    p->states = (uint16_t)gk_e_memory(c);
    return p->states + T * 16 * (col ? G : 1) <= (48 << 10) - 64;
}
static size_t gk_e_work(const gk_ep *p, int G) {
    return p->split == 1 ? 0 : (size_t)p->items * sizeof(gk_estate)
        * (p->col ? (size_t)G << p->lg : 1);
}
extern "C" size_t gk_cuda_eval_work(const ga__eval *e, int mps) {
    gk_ep p;
    if (e->red < 0) return 0;
    const int cls = ((const gk_ecode *)e->code)->cls;
    if (!gk_e_plan(&p, e, mps)) return (size_t)-1;
    return gk_e_work(&p, 16 / (cls == GK_EF ? 4 : 2 << cls));
}
extern "C" int gk_cuda_eval(const ga__eval *e, void *stream, int mps) {
    const gk_ecode *c = (const gk_ecode *)e->code;
    cudaStream_t st = (cudaStream_t)stream;
    gk_ep p;
    gk_e_program(&p, e, c);
    if (e->red < 0) switch (c->cls) {
    case GK_EF: return gk_e_launch<GK_EF>(&p, e, c, st);
    case GK_E4: return gk_e_launch<GK_E4>(&p, e, c, st);
    case GK_E8: return gk_e_launch<GK_E8>(&p, e, c, st);
    default: return gk_e_launch<GK_E16>(&p, e, c, st);
    }
    if (!gk_e_plan(&p, e, mps)) return (int)cudaErrorInvalidValue;
    p.work = (gk_estate *)e->use.work;
    p.counters = e->use.counters;
    p.out = e->out[0].data;
    const int G = 16 / (c->cls == GK_EF ? 4 : 2 << c->cls);
    const size_t memory = p.states + c->threads * 16 * (p.col ? G : 1);
    const int64_t most = (int64_t)mps * 32;
    const unsigned grid = (unsigned)(p.split > 1 || p.items < most ? p.items
                                                                   : most);
    gk_e_start[c->cls](p, true, grid, c->threads, memory, st);
    return (int)cudaGetLastError();
}
#endif
#endif

