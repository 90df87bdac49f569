/* fft.h - the cases of Fourier transforms; a part of bench.c. The limit is what
   must be read and written once. dim[0]: 0 along the last axis, 1 along the
   first, 2 both; dim[1]: of what t is: complex or real.                      */
static void setup_fft(state *s) {
    setup_x(s);
    s->x = ga_astype(ga_reshape(s->x, GA_SHAPE(s->rows, s->cols)), s->c->t);
}
static void run_fft(state *s) {
    const int axis = s->c->dim[0] ? 0 : -1;
    const bool real = s->c->t == F || s->c->t == GA_FLOAT64;
    ga_array *f = s->c->dim[0] == 2
        ? ga_fft2(s->x, GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD)
        : real ? ga_rfft(s->x, 0, axis, GA_BACKWARD)
               : ga_fft(s->x, 0, axis, GA_BACKWARD);
    set_out(s, ga_real(f));
    ga_free(f);
}
/* Frequencies 0 and 1 of the first row or column, or of the whole. */
static bool check_fft(state *s) {
    const int64_t way = s->c->dim[0], n = way == 1 ? s->rows : s->cols;
    const int64_t step = way == 1 ? s->cols : 1;
    double sum = 0, wave = 0, size = 0;
    for (int64_t r = 0; r < (way == 2 ? s->rows : 1); r++)
        for (int64_t j = 0; j < n; j++) {
            double v = x_at(r * s->cols + j * step);
            sum += v;
            size += v * v;
            wave += v * cos(6.28318530717958647692 * (double)j / (double)n);
        }
    const double got[2] = {
        ga_item_at(s->out, GA_INDEX(0, 0)),
        way == 1 ? ga_item_at(s->out, GA_INDEX(1, 0))
                 : ga_item_at(s->out, GA_INDEX(0, 1))};
    const double most = 1e-5 * sqrt(size) + 1e-6 * sum;
    return (fabs(got[0] - sum) < most || wrong(s, 0, got[0], sum))
           && (fabs(got[1] - wave) < most || wrong(s, 1, got[1], wave));
}
#define FFT(nm, w, by, type, r, c, way)                                        \
    {.name = nm, .where = w, .setup = setup_fft, .body = run_fft,               \
     .check = check_fft, .limit = COPY, .bytes = by, .rows = r, .cols = c,      \
     .t = type, .out = F, .axis = NONE, .dim = {way}},
#define Z GA_COMPLEX64
#define ZZ GA_COMPLEX128
static const bench_case fft_cases[] = {
    FFT("fft_c64_2^24", GPU, 16, Z, 1, 1 << 24, 0)
    FFT("fft_c64_1000x4096", GPU, 16, Z, 1000, 4096, 0)
    FFT("fft_c64_65536x1024", GPU, 16, Z, 65536, 1024, 0)
    FFT("fft_c64_1024x65536_axis0", GPU, 16, Z, 1024, 65536, 1)
    FFT("fft_c64_1000x65536_axis0", GPU, 16, Z, 1000, 65536, 1)
    FFT("fft_c128_65536x1024", GPU, 32, ZZ, 65536, 1024, 0)
    FFT("fft_c64_1000x1021", GPU, 16, Z, 1000, 1021, 0)
    FFT("rfft_f32_2^26", GPU, 8, F, 1, M26, 0)
    FFT("rfft_f32_65536x1024", GPU, 8, F, 65536, 1024, 0)
    FFT("fft2_c64_2000x2000", GPU, 16, Z, 2000, 2000, 2)
    FFT("fft2_c64_8192x8192", GPU, 16, Z, 8192, 8192, 2)
    FFT("fft_c64_1024", CPU, 16, Z, 1, 1024, 0)
    FFT("fft_c128_2^20", CPU, 32, ZZ, 1, 1 << 20, 0)
    FFT("fft_c64_2^22", CPU, 16, Z, 1, 1 << 22, 0)
    FFT("fft_c64_1000x1024", CPU, 16, Z, 1000, 1024, 0)
    FFT("fft_c128_1000x243", CPU, 32, ZZ, 1000, 243, 0)
    FFT("fft_c128_999983", CPU, 32, ZZ, 1, 999983, 0)
    FFT("rfft_f32_2^20", CPU, 8, F, 1, 1 << 20, 0)
    FFT("fft_c64_1024x1000_axis0", CPU, 16, Z, 1024, 1000, 1)
};
#undef Z
#undef ZZ

/* Every class: complex to complex, real to complex and back, of each precision,
   along the last axis, the first and one in the middle, 64 MB of input: cases
   fft_class_KIND_DTYPE_AXIS_LENGTH, for whom asks for them. dim: kind, axis,
   length, places before a middle axis.                                      */
static const char *const fft_kinds[] = {"c2c", "r2c", "c2r"};
static const char *const fft_axes[] = {"last", "first", "middle"};
static int64_t fft_rows(const state *s) {
    const int64_t m = s->n / s->c->dim[2];
    return m ? m : 1;
}
/* How far the elements of a row are from each other. */
static int64_t fft_step(const state *s) {
    return s->c->dim[1] == 0 ? 1 : fft_rows(s) / (s->c->dim[1] == 1 ? 1
                                                  : s->c->dim[3]);
}
static void setup_fft_class(state *s) {
    const int64_t n = s->c->dim[2], m = fft_rows(s), step = fft_step(s);
    const ga_shape shape = s->c->dim[1] == 0   ? GA_SHAPE(m, n)
                           : s->c->dim[1] == 1 ? GA_SHAPE(n, m)
                                               : GA_SHAPE(m / step, n, step);
    const bool c2r = s->c->dim[0] == 2;
    const ga_dtype real = s->c->t == GA_COMPLEX128 ? D : F;
    s->n = s->c->dim[1] == 2 ? m / step * n * step : m * n;
    s->x = shaped(base_x, s->n, shape, c2r ? real : s->c->t);
    if (c2r) s->x = ga_rfft(s->x, 0, s->c->axis, GA_BACKWARD);
}
static void run_fft_class(state *s) {
    set_out(s, s->c->dim[0] == 0   ? ga_fft(s->x, 0, s->c->axis, GA_BACKWARD)
               : s->c->dim[0] == 1 ? ga_rfft(s->x, 0, s->c->axis, GA_BACKWARD)
               : ga_irfft(s->x, s->c->dim[2], s->c->axis, GA_BACKWARD));
}
/* Element k of the first row. */
static double fft_at(const state *s, int64_t k) {
    ga_array *x = ga_real(s->out);
    if (s->c->dim[1] == 2) x = ga_index_axis(x, 0, 0);
    return s->c->dim[1] ? ga_item_at(x, GA_INDEX(k, 0))
                        : ga_item_at(x, GA_INDEX(0, k));
}
static bool check_fft_class(state *s) {
    const int64_t n = s->c->dim[2], step = fft_step(s);
    double want[2] = {x_at(0), x_at(step)}, most = 1e-5;
    if (s->c->dim[0] < 2) {
        double size = want[0] = want[1] = 0;
        for (int64_t j = 0; j < n; j++) {
            const double v = rounded(x_at(j * step), s->c->t);
            want[0] += v;
            want[1] += v * cos(6.28318530717958647692 * (double)j / (double)n);
            size += v * v;
        }
        most = 1e-5 * sqrt(size) + 1e-6 * want[0];
    }
    for (int k = 0; k < 2; k++) {
        const double got = fft_at(s, k);
        if (!(fabs(got - want[k]) < most)) return wrong(s, k, got, want[k]);
    }
    return true;
}
static bool time_case(const bench_case *c);
static bool fft_classes(const char *only) {
    static const int64_t lengths[] = {64, 100, 240, 1000, 1009, 1024, 2000, 4096,
                                      16384, 65537, 1 << 20};
    static const ga_dtype types[3][3] = {{H, GA_COMPLEX64, GA_COMPLEX128},
                                         {H, F, D},
                                         {F, GA_COMPLEX64, GA_COMPLEX128}};
    bool good = true;
    for (int i = 0; i < 3 * 3 * 3 * 11; i++) {
        const int kind = i / 99, way = i / 11 % 3;
        const ga_dtype t = types[kind][i / 33 % 3];
        const double in = (double)ga_dtype_size(t), z = t == D ? 16
                          : in == 16 ? 16 : 8;
        const int64_t n = lengths[i % 11], all = (int64_t)((64 << 20) / in);
        char name[64];
        snprintf(name, sizeof name, "fft_class_%s_%s_%s_%" PRId64, fft_kinds[kind],
                 ga_dtype_name(t), fft_axes[way], n);
        const bench_case c = {.name = name, .where = GPU, .setup = setup_fft_class,
            .body = run_fft_class, .check = check_fft_class, .limit = COPY,
            .bytes = kind == 0 ? in + z : kind == 1 ? in + z / 2 : z, .rows = 1,
            .cols = all, .t = t, .out = t, .axis = way == 0 ? -1 : way == 1 ? 0 : 1,
            .dim = {kind, way, n, all / n < 64 ? 2 : 8}};
        if ((kind == 2 && t == F) || (way == 2 && all / n < 4)) continue;
        if (*only && asked(name, only)) good &= time_case(&c);
    }
    return good;
}
