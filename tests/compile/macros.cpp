// The header in C++17: the same calls, numbers by converting constructors.
#include "gpuarr.h"
#include <complex>
#include <cstring>
#include <vector>

extern "C" int macros_in_cpp(void);
static int bad;

static void check(bool ok, const char *what) {
    if (!ok) {
        std::printf("macros.cpp: %s: %s\n", what, ga_error_message());
        bad++;
    }
    ga_clear_error();
}

#define UNARY(n, ...)                                                       \
    check(ga_##n(F) || ga_##n(I), "ga_" #n);                                \
    check(ga_##n(0.5) || ga_##n(3), "ga_" #n " of a number");               \
    check(!ga_##n##_into(O, F) || !ga_##n##_into(O, I), "ga_" #n "_into");
#define BINARY(n, ...)                                                      \
    check(ga_##n(F, F) || ga_##n(I, I), "ga_" #n);                          \
    check(ga_##n(F, 2) || ga_##n(I, 2), "ga_" #n " with a number");         \
    check(ga_##n(1.5, F) || ga_##n(2, I), "ga_" #n " of a number");         \
    check(!ga_##n##_into(O, F, 2) || !ga_##n##_into(O, I, 2),               \
          "ga_" #n "_into");
#define REDUCE(n, ...)                                                      \
    check(ga_##n(F, GA_ALL) && ga_##n(I, GA_AXIS(-1))                       \
          && ga_##n(F, GA_AXIS_KEEP(0)) && ga_##n(F, GA_ALL_KEEP), "ga_" #n);
#define REDUCE_DDOF(n, ...)                                                 \
    check(ga_##n(F, GA_ALL, 0) && ga_##n(I, GA_AXIS(0, 1), 1), "ga_" #n);

template <class T> static void number(T v, const char *name) {
    GA_SCOPE;
    T a[2] = {v, v};
    const T *c = a;
    ga_array *x = ga_asarray(a, GA_SHAPE(2)), *d = ga_asarray(c, GA_SHAPE(2));
    check(x && d && x->dtype == d->dtype, name);
    check(x && ga_dtype_size(x->dtype) == sizeof(T), name);
    check(ga_item(ga_astype(ga_add(0, v), GA_FLOAT64)) == (double)v, name);
    check(ga_item(ga_astype(ga_slice(x, "1"), GA_FLOAT64)) == (double)v, name);
}
static ga_array *kept(const ga_array *x) {
    GA_SCOPE;
    return ga_keep(ga_mul(ga_add(x, 1), 2.0));
}
struct thrown {};
static void throws(const ga_array *x) {
    GA_SCOPE;
    ga_add(x, 1);
    throw thrown();
}

#include "linalg.h"
#include "counts.h"
#include "slices.h"
#include "indexing.h"
#include "masks.h"
#include "scans.h"
#include "fft.h"
#include "joining.h"
#include "sorting.h"
#include "statistics.h"
#include "polynomials.h"
#include "exchange.h"
#include "softmax.h"
#include "histograms.h"

extern "C" int macros_in_cpp(void) {
    GA_SCOPE;
    ga_array *F = ga_div(ga_add(ga_reshape(ga_arange_as(0, 12, 1, GA_FLOAT32),
                                           GA_SHAPE(3, 4)), 1), 16);
    ga_array *I = ga_astype(ga_mul(F, 16), GA_INT32);
    ga_array *O = ga_zeros(GA_SHAPE(3, 4), GA_COMPLEX128), *p, *q;
    {
        GA_SCOPE;
        GA_UNARY_OPS(UNARY)
        GA_UNARY_ALIASES(UNARY)
        GA_BINARY_ALIASES(BINARY)
        GA_REDUCTIONS(REDUCE)
        GA_REDUCTIONS_DDOF(REDUCE_DDOF)
        ga_array *J = F;
        GA_BINARY_OPS(BINARY)
        F = I;
        GA_BINARY_OPS(BINARY)
        F = J;
    }
    number(true, "bool");
    number('a', "char");
    number((signed char)-3, "signed char");
    number((unsigned char)200, "unsigned char");
    number((short)-300, "short");
    number((unsigned short)60000, "unsigned short");
    number(-70000, "int");
    number(4000000000u, "unsigned");
    number(-5L, "long");
    number(5UL, "unsigned long");
    number(-5000000000LL, "long long");
    number(5000000000ULL, "unsigned long long");
    number(0.25f, "float");
    number(0.125, "double");
    number((size_t)7, "size_t");

    ga_float16 h = ga_float16_from(1.5f);
    ga_bfloat16 b = ga_bfloat16_from(1.5f);
    check(ga_item(ga_add(h, h)) == 3, "float16");
    check(ga_item(ga_add(b, b)) == 3, "bfloat16");
    check(ga_asarray(&h, GA_SHAPE(1))->dtype == GA_FLOAT16, "float16 *");
    const std::complex<double> w(3, 4);
    ga_complex128 z;
    ga_complex64 zf;
    const float parts[] = {3, 4};
    std::memcpy(&z, &w, sizeof z);
    std::memcpy(&zf, parts, sizeof zf);
    check(ga_item(ga_abs(z)) == 5, "complex128");
    check(ga_item(ga_abs(ga_add(0, zf))) == 5, "complex64");
    check(ga_asarray(&z, GA_SHAPE(1))->dtype == GA_COMPLEX128, "complex128 *");
    check(ga_asarray(&zf, GA_SHAPE(1))->dtype == GA_COMPLEX64, "complex64 *");
    const std::complex<float> wf(3, 4);
    check(ga_item(ga_abs(w)) == 5, "std::complex<double>");
    check(ga_item(ga_abs(ga_add(0, wf))) == 5, "std::complex<float>");
    check(ga_mul(F, wf)->dtype == GA_COMPLEX64, "std::complex is weak");
    check(ga_asarray(&w, GA_SHAPE(1))->dtype == GA_COMPLEX128, "complex *");
    check(ga_asarray(&wf, GA_SHAPE(1))->dtype == GA_COMPLEX64, "complex *");
    std::vector<std::complex<double>> wv(3, w);
    ga_array *wx = ga_asarray(wv.data(), GA_SHAPE(3));
    check(wx && ga_item(ga_abs(ga_slice(wx, "2"))) == 5, "complex vector");
    std::vector<float> v = {1, 2, 3, 4, 5, 6};
    ga_array *x = ga_asarray(v.data(), GA_SHAPE(2, 3));
    check(x && ga_item_at(x, GA_INDEX(1, -1)) == 6, "vector");
    const ga_array *constant = x;
    check(ga_add(constant, x) != nullptr, "const array");
    check(ga_add(x, nullptr) == nullptr, "nullptr");

    check(ga_full(GA_SHAPE(2), 1.5, GA_FLOAT32) != nullptr, "ga_full");
    check(ga_full(GA_SCALAR_SHAPE, 1, GA_INT8) != nullptr, "ga_full");
    check(ga_full_like(x, 2) != nullptr, "ga_full_like");
    check(ga_arange(0, 10, 3)->dtype == GA_INT64, "ga_arange");
    check(ga_arange(0, 1.5, 0.5)->dtype == GA_FLOAT64, "ga_arange");
    check(ga_where(ga_greater(x, 1), x, 0) != nullptr, "ga_where");
    check(ga_where_into(O, F, F, 0) == GA_OK, "ga_where_into");
    check(ga_clip(x, 0, GA_NONE) && ga_clip(x, GA_NONE, 1.5), "ga_clip");
    check(ga_clip_into(O, F, 0.5, GA_NONE) == GA_OK, "ga_clip_into");
    check(ga_round(x, 1) && ga_nan_to_num(x, 0, 1, -1), "ga_round");
    check(ga_divmod(x, 2, &p, &q) == GA_OK && p && q, "ga_divmod");
    check(ga_modf(x, &p, nullptr) == GA_OK, "ga_modf");
    check(ga_frexp(x, nullptr, &q) == GA_OK, "ga_frexp");
    check(ga_assign(O, 3) == GA_OK && ga_assign(O, F) == GA_OK, "ga_assign");
    p = ga_copy(x);
    check(GA_REPLACE(p, ga_add(p, 1)) == p, "GA_REPLACE");
    check(ga_slice(x, "1:, ::%d", 2) && ga_slice(x, "..."), "ga_slice");
    check(ga_transpose(x, GA_AXIS(1, 0)) != nullptr, "ga_transpose");
    check(ga_reshape(x, GA_SHAPE(-1, 2))->shape[0] == 3, "ga_reshape");
    check(!ga_sum(x, GA_AXIS()) && ga_error() == GA_ERR_AXIS, "GA_AXIS()");
    check(ga_item(ga_sum(kept(x), GA_ALL)) == 54, "ga_keep");
    int64_t live = ga_live_arrays();
    try {
        throws(x);
    } catch (const thrown &) {
        check(ga_live_arrays() == live, "GA_SCOPE and an exception");
    }
    linear_algebra();
    counts();
    slices();
    indexing();
    masks();
    scans();
    transforms();
    softmaxes();
    joining();
    sorting();
    statistics();
    polynomials();
    histograms();
    exchange();
    random_numbers();
    {
        GA_DEVICE(GA_CPU);
        GA_STREAM(nullptr);
        check(ga_device() == GA_CPU, "GA_DEVICE");
    }
    check(GA_BENCH(ga_add(x, 1), ga_sub(x, x)).runs > 0, "GA_BENCH");
    return bad;
}
