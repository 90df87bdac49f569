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
