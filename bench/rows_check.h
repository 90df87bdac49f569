/* rows_check.h - what an element of a row's result must be, computed on the
   host by the C library in long double from the operands' elements; a part of
   rows.c. A row that is not in these lists is timed but not checked.       */
#include <complex.h>

typedef long double ld;
typedef long double _Complex lc;
static ga_dtype ref_type;               /* of the operands                  */
#define LPI 3.14159265358979323846264338327950288L
#define LN2 0.693147180559945309417232121458176568L

static ld next_after(ld x, ld y) {
    if (ref_type == GA_FLOAT32) return (ld)nextafterf((float)x, (float)y);
    if (ref_type == GA_FLOAT64) return (ld)nextafter((double)x, (double)y);
    uint16_t bits = ref_type == GA_FLOAT16 ? ga_float16_from((float)x).bits
                                           : ga_bfloat16_from((float)x).bits;
    if (x == y) return x;
    if (x == 0) bits = y > 0 ? 1 : 0x8001;
    else bits = (uint16_t)(bits + ((y > x) == (x > 0) ? 1 : -1));
    return (ld)(ref_type == GA_FLOAT16 ? ga_float16_to((ga_float16){bits})
                                       : ga_bfloat16_to((ga_bfloat16){bits}));
}
static ld erf_inverse(ld v) {           /* Newton's iteration               */
    ld x = 0;
    for (int i = 0; i < 200; i++)
        x += (v - erfl(x)) * sqrtl(LPI) / 2 * expl(x * x < 8 ? x * x : 8);
    return x;
}
/* The special functions by their plainest formulas. */
static ld ref_shifted(ld x, ld *y) {    /* digamma(x) less that of *y >= 30 */
    ld s = 0;
    for (; x < 30; x += 1) s -= 1 / x;
    *y = x;
    return s;
}
static ld ref_digamma(ld x) {
    ld y, s = ref_shifted(x, &y), v = 1 / (y * y);
    return s + logl(y) - 1 / (2 * y) - v * (1.0L / 12 - v * (1.0L / 120 - v * (1.0L / 252
           - v * (1.0L / 240 - v / 132))));
}
static ld ref_gammainc(ld a, ld x) {
    ld t = 1 / a, s = t, r = a;
    while (t > s * 1e-22L) s += t *= x / (r += 1);
    return s * expl(a * logl(x) - x - lgammal(a));
}
static ld ref_zeta(ld s, ld q) {        /* Euler and Maclaurin              */
    ld sum = 0, a = q;
    for (int k = 0; k < 200; k++) sum += powl(a, -s), a += 1;
    return sum + powl(a, -s) * (a / (s - 1) + 0.5L + s / (12 * a)
           - s * (s + 1) * (s + 2) / (720 * a * a * a));
}
static ld ref_polygamma(ld n, ld x) {
    if (n == 0) return ref_digamma(x);
    if (n != floorl(n)) return NAN;
    return (fmodl(n, 2) == 0 ? -1 : 1) * tgammal(n + 1) * ref_zeta(n + 1, x);
}
static ld ref_bessel_i(int n, ld x) {
    ld q = x * x / 4, t = n ? x / 2 : 1, s = t;
    for (int k = 1; k < 200; k++) s += t *= q / k / (k + n);
    return s;
}
static ld ref_beta_log(ld x, ld y) { return lgammal(x) + lgammal(y) - lgammal(x + y); }
static ld ref_normal(ld x) { return erfcl(-x / sqrtl(2)) / 2; }
static ld ref_remainder(ld x, ld y) {
    ld r = fmodl(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
#ifdef __GLIBC__                        /* not in ISO C                     */
extern ld j0l(ld), j1l(ld), y0l(ld), y1l(ld);
#define BESSELS(X) X(j0, j0l(x)) X(j1, j1l(x)) X(y0, y0l(x)) X(y1, y1l(x))
#else
#define BESSELS(X)
#endif
/* Of real floats. */
#define REALS(X) \
    X(negative, -x) X(positive, x) X(absolute, fabsl(x)) X(sign, (x > 0) - (x < 0)) \
    X(reciprocal, 1 / x) X(square, x * x) X(sqrt, sqrtl(x)) X(rsqrt, 1 / sqrtl(x)) \
    X(cbrt, cbrtl(x)) X(exp, expl(x)) X(exp2, exp2l(x)) X(expm1, expm1l(x)) \
    X(log, logl(x)) X(log2, log2l(x)) X(log10, log10l(x)) X(log1p, log1pl(x)) \
    X(sin, sinl(x)) X(cos, cosl(x)) X(tan, tanl(x)) X(arcsin, asinl(x)) \
    X(arccos, acosl(x)) X(arctan, atanl(x)) X(sinh, sinhl(x)) X(cosh, coshl(x)) \
    X(tanh, tanhl(x)) X(arcsinh, asinhl(x)) X(arccosh, acoshl(x)) X(arctanh, atanhl(x)) \
    X(deg2rad, x * (LPI / 180)) X(rad2deg, x * (180 / LPI)) \
    X(sinc, x == 0 ? 1 : sinl(LPI * x) / (LPI * x)) X(floor, floorl(x)) X(ceil, ceill(x)) \
    X(trunc, truncl(x)) X(rint, rintl(x)) X(erf, erfl(x)) X(erfc, erfcl(x)) \
    X(erfinv, erf_inverse(x)) X(gamma, tgammal(x)) X(lgamma, lgammal(x)) \
    X(sigmoid, 1 / (1 + expl(-x))) X(conj, x) X(angle, signbit(x) ? LPI : 0) \
    X(logical_not, x == 0) X(isnan, isnan(x)) X(isinf, isinf(x) != 0) X(isfinite, isfinite(x)) \
    X(signbit, signbit(x) != 0) X(copy, x) X(round, rintl(x * 10) / 10) X(nan_to_num, x) \
    X(clip, x < 1 ? 1 : x > 5 ? 5 : x) X(where, x) \
    X(add, x + y) X(subtract, x - y) X(multiply, x * y) X(divide, x / y) \
    X(floor_divide, rintl((x - ref_remainder(x, y)) / y)) X(remainder, ref_remainder(x, y)) \
    X(fmod, fmodl(x, y)) X(power, powl(x, y)) X(hypot, hypotl(x, y)) \
    X(copysign, copysignl(x, y)) X(nextafter, next_after(x, y)) X(ldexp, ldexpl(x, (int)y)) \
    X(maximum, x > y ? x : y) X(minimum, x < y ? x : y) X(fmax, fmaxl(x, y)) \
    X(fmin, fminl(x, y)) X(arctan2, atan2l(x, y)) X(logaddexp, logl(expl(x) + expl(y))) \
    X(logaddexp2, log2l(exp2l(x) + exp2l(y))) X(heaviside, x < 0 ? 0 : x > 0 ? 1 : y) \
    X(equal, x == y) X(not_equal, x != y) X(less, x < y) X(less_equal, x <= y) \
    X(greater, x > y) X(greater_equal, x >= y) X(logical_and, x != 0 && y != 0) \
    X(logical_or, x != 0 || y != 0) X(logical_xor, (x != 0) != (y != 0)) \
    X(iscomplex, 0) X(isreal, 1) X(isposinf, x > 0 && isinf(x)) \
    X(isneginf, x < 0 && isinf(x)) X(digamma, ref_digamma(x)) \
    X(entr, x > 0 ? -x * logl(x) : 0) X(ndtr, ref_normal(x)) \
    X(ndtri, sqrtl(2) * erf_inverse(2 * x - 1)) \
    X(log_ndtr, x < 0 ? logl(ref_normal(x)) : log1pl(-ref_normal(-x))) \
    X(logit, logl(x / (1 - x))) BESSELS(X) \
    X(i0, ref_bessel_i(0, x)) X(i1, ref_bessel_i(1, x)) \
    X(i0e, expl(-fabsl(x)) * ref_bessel_i(0, x)) X(i1e, expl(-fabsl(x)) * ref_bessel_i(1, x)) \
    X(xlogy, x == 0 ? 0 : x * logl(y)) X(xlog1py, x * log1pl(y)) \
    X(rel_entr, x * logl(x / y)) X(beta, expl(ref_beta_log(x, y))) \
    X(betaln, ref_beta_log(x, y)) X(gammainc, ref_gammainc(x, y)) \
    X(gammaincc, 1 - ref_gammainc(x, y)) X(zeta, ref_zeta(x, y)) \
    X(polygamma, ref_polygamma(x, y))
#define X(n, e) static ld real_##n(ld x, ld y) { (void)x, (void)y; return e; }
REALS(X)
#undef X
static const struct { const char *name; ld (*f)(ld, ld); } reals[] = {
#define X(n, e) {#n, real_##n},
    REALS(X)
#undef X
};

static int64_t divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b, b = r;
    }
    return a < 0 ? -a : a;
}
static int64_t to_power(int64_t x, int64_t y) {
    uint64_t v = 1;
    while (y-- > 0) v *= (uint64_t)x;
    return (int64_t)v;
}
static int ones_in(int64_t x) {
    int n = 0;
    for (uint64_t v = x < 0 ? 0 - (uint64_t)x : (uint64_t)x; v; v &= v - 1) n++;
    return n;
}
static int64_t floored(int64_t x, int64_t y) {
    return y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
}
/* Of integers, before they wrap to their dtype; of bool as 0 and 1. */
#define INTS(X) \
    X(negative, -x) X(positive, x) X(absolute, x < 0 ? -x : x) X(sign, (x > 0) - (x < 0)) \
    X(reciprocal, x == 0 ? 0 : 1 / x) X(square, x * x) X(floor, x) X(ceil, x) X(trunc, x) \
    X(conj, x) X(bitwise_not, ref_type == GA_BOOL ? !x : ~x) X(bitwise_count, ones_in(x)) \
    X(logical_not, x == 0) X(isnan, 0 * x) X(isinf, 0 * x) X(isfinite, 1) X(copy, x) \
    X(iscomplex, 0 * x) X(isreal, 1) X(isposinf, 0 * x) X(isneginf, 0 * x) X(round, x) X(where, x) \
    X(clip, ref_type == GA_BOOL ? x : x < 1 ? 1 : x > 5 ? 5 : x) \
    X(add, x + y) X(subtract, x - y) X(multiply, x * y) \
    X(floor_divide, floored(x, y)) \
    X(remainder, y == 0 ? 0 : x - y * floored(x, y)) X(fmod, y == 0 ? 0 : x % y) \
    X(power, to_power(x, y)) X(gcd, divisor(x, y)) \
    X(lcm, x && y ? llabs(x / divisor(x, y) * y) : 0) X(maximum, x > y ? x : y) \
    X(minimum, x < y ? x : y) X(fmax, x > y ? x : y) X(fmin, x < y ? x : y) \
    X(bitwise_and, x & y) X(bitwise_or, x | y) X(bitwise_xor, x ^ y) \
    X(left_shift, (int64_t)((uint64_t)x << y)) X(right_shift, x >> y) X(equal, x == y) \
    X(not_equal, x != y) X(less, x < y) X(less_equal, x <= y) X(greater, x > y) \
    X(greater_equal, x >= y) X(logical_and, x && y) X(logical_or, x || y) \
    X(logical_xor, !x != !y)
#define X(n, e) static int64_t int_##n(int64_t x, int64_t y) { (void)x, (void)y; return e; }
INTS(X)
#undef X
static const struct { const char *name; int64_t (*f)(int64_t, int64_t); } ints[] = {
#define X(n, e) {#n, int_##n},
    INTS(X)
#undef X
};

static bool z_less(lc x, lc y) {        /* real parts first                 */
    return creall(x) < creall(y) || (creall(x) == creall(y) && cimagl(x) < cimagl(y));
}
static lc Z(ld re, ld im) {             /* not every compiler has CMPLXL    */
    ld parts[2] = {re, im};
    lc z;
    memcpy(&z, parts, sizeof z);
    return z;
}
#define COMPLEXES(X) \
    X(negative, -x) X(positive, x) X(absolute, cabsl(x)) X(sign, x == 0 ? 0 : x / cabsl(x)) \
    X(reciprocal, 1 / x) X(square, x * x) X(sqrt, csqrtl(x)) X(exp, cexpl(x)) \
    X(exp2, cexpl(x * LN2)) X(expm1, cexpl(x) - 1) X(log, clogl(x)) X(log2, clogl(x) / LN2) \
    X(log10, clogl(x) / logl(10)) X(log1p, clogl(1 + x)) X(sin, csinl(x)) X(cos, ccosl(x)) \
    X(tan, ctanl(x)) X(arcsin, casinl(x)) X(arccos, cacosl(x)) X(arctan, catanl(x)) \
    X(sinh, csinhl(x)) X(cosh, ccoshl(x)) X(tanh, ctanhl(x)) X(arcsinh, casinhl(x)) \
    X(arccosh, cacoshl(x)) X(arctanh, catanhl(x)) \
    X(sinc, x == 0 ? 1 : csinl(LPI * x) / (LPI * x)) \
    X(rint, Z(rintl(creall(x)), rintl(cimagl(x)))) X(conj, conjl(x)) X(angle, cargl(x)) \
    X(iscomplex, cimagl(x) != 0) X(isreal, cimagl(x) == 0) X(logical_not, x == 0) \
    X(isnan, isnan(creall(x)) || isnan(cimagl(x))) X(isinf, 0 * creall(x)) \
    X(isfinite, isfinite(creall(x)) && isfinite(cimagl(x))) X(copy, x) \
    X(round, Z(rintl(creall(x) * 10) / 10, rintl(cimagl(x) * 10) / 10)) X(nan_to_num, x) \
    X(where, x) X(clip, z_less(x, 1) ? 1 : z_less(5, x) ? 5 : x) \
    X(add, x + y) X(subtract, x - y) X(multiply, x * y) X(divide, x / y) X(power, cpowl(x, y)) \
    X(maximum, z_less(x, y) ? y : x) X(minimum, z_less(y, x) ? y : x) \
    X(fmax, z_less(x, y) ? y : x) X(fmin, z_less(y, x) ? y : x) X(equal, x == y) \
    X(not_equal, x != y) X(less, z_less(x, y)) X(less_equal, !z_less(y, x)) \
    X(greater, z_less(y, x)) X(greater_equal, !z_less(x, y)) X(logical_and, x != 0 && y != 0) \
    X(logical_or, x != 0 || y != 0) X(logical_xor, (x != 0) != (y != 0))
#define X(n, e) static lc complex_##n(lc x, lc y) { (void)x, (void)y; return e; }
COMPLEXES(X)
#undef X
static const struct { const char *name; lc (*f)(lc, lc); } complexes[] = {
#define X(n, e) {#n, complex_##n},
    COMPLEXES(X)
#undef X
};

/* v as integer dtype t holds it, or bool. */
static double wrapped(int64_t v, ga_dtype t) {
    if (t == GA_BOOL) return v != 0;
    int bits = (int)ga_dtype_size(t) * 8;
    if (bits < 64) {
        uint64_t u = (uint64_t)v & ((UINT64_C(1) << bits) - 1);
        if (!is_unsigned(t) && u >> (bits - 1)) return (double)u - ldexp(1, bits);
        return (double)u;
    }
    return is_unsigned(t) ? (double)(uint64_t)v : (double)v;
}
static int digits(ga_dtype t) {
    return t == GA_FLOAT16 ? 11 : t == GA_BFLOAT16 ? 8
           : t == GA_FLOAT32 || t == GA_COMPLEX64 ? 24 : 53;
}
/* The distance of neighbours of dtype t at |v|. */
static ld ulp_of(ga_dtype t, ld v) {
    int e, least = t == GA_FLOAT16 ? -13 : digits(t) == 53 ? -1021 : -125;
    frexpl(v, &e);
    return ldexpl(1, (v == 0 || e < least ? least : e) - digits(t));
}
/* The element of a, broadcast to idx's shape, at idx. */
static lc element(const ga_array *a, int nd, const int64_t *idx) {
    GA_SCOPE;
    const ga_array *v = a;
    for (int i = 0; i < a->ndim; i++) {
        int64_t at = a->shape[i] == 1 ? 0 : idx[nd - a->ndim + i];
        v = ga_index_axis(v, 0, at);
    }
    ga_complex128 z = ga_item_c128(v);
    return Z(creal(z), cimag(z));
}
/* Five places in a result: the ends and others. */
#define PLACES 5
static void place(const ga_array *a, int k, int64_t *idx) {
    uint64_t h = (uint64_t)k * 0x9e3779b97f4a7c15u >> 1;
    int64_t flat = k == 0 ? 0 : k == 1 ? a->size - 1 : (int64_t)(h % (uint64_t)a->size);
    for (int i = a->ndim - 1; i >= 0; i--) {
        idx[i] = flat % a->shape[i];
        flat /= a->shape[i];
    }
}
static enum verdict off(const state *s, int64_t place, lc got, lc want) {
    fprintf(stderr, "rows: %s: element %" PRId64 " is %.17Lg%+.17Lgi, not %.17Lg%+.17Lgi\n",
            s->c->name, place, creall(got), cimagl(got), creall(want), cimagl(want));
    return WRONG;
}
/* Of a float result of dtype t: within `ulps`, or half of one where exact. */
static bool close_to(lc got, lc want, ga_dtype t, double ulps) {
    ld size = cabsl(want), most = digits(t) == 11 ? 65504.0L : digits(t) == 53 ? 1.7e308L
                                                                               : 3.3e38L;
    if (!(size <= most) && (!isfinite(creall(got)) || !isfinite(cimagl(got)))) return true;
    if (digits(t) < 24) ulps = 1;       /* rounded once more                */
    ulps = fmax(ulps, 0.5) * (is_complex(t) ? 1.5 : 1) + 0.01;
    return cabsl(got - want) <= (ld)ulps * ulp_of(t, size);
}
/* What row `name` must give for x and y; false where that is not known. */
static bool reference(const char *name, ga_dtype t, ga_dtype out, lc x, lc y, lc *want) {
    ref_type = t;
    if (is_complex(t)) {
        for (size_t i = 0; i < sizeof complexes / sizeof *complexes; i++)
            if (!strcmp(complexes[i].name, name)) {
                *want = complexes[i].f(x, y);
                return true;
            }
    } else if (is_float(t)) {
        for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
            if (!strcmp(reals[i].name, name)) {
                *want = reals[i].f(creall(x), creall(y));
                return true;
            }
    } else {
        for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
            if (!strcmp(ints[i].name, name)) {
                *want = (ld)wrapped(ints[i].f((int64_t)creall(x), (int64_t)creall(y)), out);
                return true;
            }
    }
    return false;
}
static enum verdict check_row(state *s) {
    const row *r = s->c->r;
    ga_dtype t = s->c->t;
    bool where = !strcmp(r->name, "where");
    for (int k = 0; k < PLACES; k++) {
        int64_t idx[GA_MAX_NDIM];
        lc v[3] = {0}, want;
        place(s->out, k, idx);
        for (int i = 0; i < s->c->nin; i++) v[i] = element(s->x[i], s->out->ndim, idx);
        if (where) v[0] = v[0] != 0 ? v[1] : v[2];
        lc got = element(s->out, s->out->ndim, idx);
        if (!reference(r->name, t, s->out->dtype, v[0], v[1], &want)) return UNCHECKED;
        double ulps = r->ulp;
        if (is_complex(t) && !strcmp(r->name, "power"))
            ulps += 4 * (double)(cabsl(v[1]) * cabsl(clogl(v[0])));
        if (!strncmp(r->name, "logaddexp", 9))  /* its bound is of the largest */
            ulps *= (double)(ulp_of(t, fmaxl(cabsl(v[0]), cabsl(v[1])))
                             / ulp_of(t, cabsl(want))) + 1;
        if (strchr("jy", *r->name) && strchr("01", r->name[1]))    /* of the amplitude */
            ulps *= (double)(ulp_of(t, 1 / sqrtl(fabsl(creall(v[0])) + 1))
                             / ulp_of(t, want)) + 1;
        if (!strcmp(r->name, "betaln")) ulps *= (double)(ulp_of(t, 1) / ulp_of(t, want)) + 1;
        bool good = is_float(s->out->dtype) || is_complex(s->out->dtype)
                        ? close_to(got, want, s->out->dtype, ulps) : got == want;
        if (!good) return off(s, k, got, want);
    }
    return RIGHT;
}
