/* Pictures: what the files hold, and what is refused. */
#include "gpuarr.h"
#include "gpuarr_plot.h"
#include "test.h"
#include <time.h>
#ifdef GPUARR_USE_ZLIB
#include <zlib.h>
#endif

static char t_path[80];

/* The call fails with this error, whose message has this word. */
#define REFUSED(call, status, word)                                          \
    (T_CHECK(!(call)), T_CHECK(strstr(ga_error_message(), word)),            \
     T_ERROR(status))
#define REFUSED_ST(call, status, word) REFUSED((call) == GA_OK, status, word)

static char *t_file(void) {
    FILE *f = fopen(t_path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long n = ftell(f);
    char *s = malloc((size_t)n + 1);
    rewind(f);
    assert_int_equal(fread(s, 1, (size_t)n, f), n);
    s[n] = 0;
    fclose(f);
    return s;
}
static int t_count(const char *s, const char *word) {
    int n = 0;
    for (; (s = strstr(s, word)) != NULL; s++) n++;
    return n;
}
/* Every element is closed, every & begins an entity. */
static bool t_well_formed(const char *s) {
    char open[64][16];
    int depth = 0;
    for (; *s; s++) {
        if (*s == '&' && strncmp(s, "&amp;", 5) && strncmp(s, "&lt;", 4)
            && strncmp(s, "&gt;", 4) && strncmp(s, "&#39;", 5)) return false;
        if (*s != '<') continue;
        const char *end = strchr(s, '>');
        if (!end) return false;
        if (s[1] == '/') {
            size_t n = (size_t)(end - s - 2);
            if (!depth-- || strlen(open[depth]) != n
                || strncmp(open[depth], s + 2, n)) return false;
        } else if (end[-1] != '/') {
            size_t n = strcspn(s + 1, " >");
            if (depth == 64 || n > 15) return false;
            memcpy(open[depth], s + 1, n);
            open[depth++][n] = 0;
        }
        s = end;
    }
    return depth == 0;
}
/* The numbers of the first path whose class is `kind`. */
static int t_points(const char *s, const char *kind, double *v, int room) {
    char head[40];
    int n = 0;
    snprintf(head, sizeof head, "<path class='%s'", kind);
    s = strstr(s, head);
    s = s ? strstr(s, " d='") : NULL;
    for (s = s ? s + 4 : ""; *s && *s != '\'' && n < room;) {
        char *end;
        double x = strtod(s, &end);
        if (end == s) s++;
        else v[n++] = x, s = end;
    }
    return n;
}

TEST(a_line_in_one_line) {
    GA_SCOPE;
    double v[16];
    ga_array *y = ga_asarray(((double[]){1, 3, 2}), GA_SHAPE(3));
    T_CHECK(!ga_savefig(ga_plot(NULL, NULL, y, "-", NULL), t_path));
    char *s = t_file();
    T_CHECK(t_well_formed(s));
    assert_int_equal(t_points(s, "l c0", v, 16), 6);
    /* x evenly to the right; y downwards: 3 highest, 2 half way            */
    T_CHECK(fabs(v[2] - v[0] - (v[4] - v[2])) < 0.15 && v[2] > v[0] + 100);
    T_CHECK(v[3] < v[1] && fabs((v[1] + v[3]) / 2 - v[5]) < 0.15);
    free(s);
}
TEST(gaps_logarithms_and_text) {
    GA_SCOPE;
    double v[16], nan = NAN;
    ga_array *x = ga_asarray(((double[]){1, 10, 100, 1000}), GA_SHAPE(4));
    ga_array *y = ga_asarray(((double[]){1, nan, 0, 7}), GA_SHAPE(4));
    GA_FIGURE(f, 1, 2);
    T_CHECK(ga_axes_scale(ga_plot(f, x, y, "o--", "a<b & 'c'"), GA_LOG_X) == f);
    ga_xlabel(ga_ylabel(ga_title(f, "t & t"), "up"), "along");
    ga_annotate(f, 10, 3, "here");
    ga_plot(ga_subplot(f, 0, 1), x, ga_mul(x, x), "s", NULL);
    ga_axes_scale(f, GA_LOG_X | GA_LOG_Y);
    T_CHECK(!ga_savefig(f, t_path));
    char *s = t_file();
    T_CHECK(t_well_formed(s));
    T_CHECK(strstr(s, "a&lt;b &amp; 'c'") && strstr(s, ">here</text>")
            && strstr(s, ">up</text>") && strstr(s, "t &amp; t"));
    assert_int_equal(t_points(s, "l c0", v, 16), 6);      /* two pieces       */
    T_CHECK(fabs((v[4] - v[0]) / 3 - (v[2] - v[0]) / 2) < 0.2);
    /* decades are as far apart, and named                                  */
    T_CHECK(strstr(s, "font-size='90'>5</tspan>") && strstr(s, ">1000</text>"));
    free(s);
}
/* What XML does not know is left out: bytes that are no UTF-8, half a character
   where a text ends, ]]>.                                                    */
TEST(odd_text) {
    GA_SCOPE;
    char title[160] = "t";
    for (int i = 1; i < 159; i += 2) memcpy(title + i, "\xc3\xa9", 3);
    ga_array *x = ga_arange(0, 3, 1);
    GA_FIGURE(f, 1, 1);
    ga_plot(f, x, x, "-", "]]>\xff\xe9t\xed\xa0\x80\xef\xbf\xbf|\xe2\x82\xac");
    ga_title(f, title);
    T_CHECK(!ga_savefig(f, t_path));
    char *s = t_file();
    T_CHECK(t_well_formed(s) && strstr(s, ">]]&gt;t|\xe2\x82\xac</text>"));
    T_CHECK(strstr(s, "\xc3\xa9</text>") && !strstr(s, "\xc3</text>"));
    free(s);
}
TEST(bars) {
    GA_SCOPE;
    double v[64];
    ga_array *x = ga_asarray(((double[]){0, 0, 0, 1, 3.9, 4}), GA_SHAPE(6));
    T_CHECK(!ga_savefig(ga_hist(NULL, x, GA_BINS(4), "x"), t_path));
    char *s = t_file();
    T_CHECK(t_well_formed(s));
    int n = t_points(s, "p c0", v, 64);   /* M x base V top H x V base        */
    assert_int_equal(n, 4 * 5);
    double one = v[6] - v[7];           /* of 1                             */
    T_CHECK(one > 20);
    T_CHECK(fabs(v[1] - v[2] - 3 * one) < 3 && fabs(v[11] - v[12]) < 0.1
            && fabs(v[16] - v[17] - 2 * one) < 3);
    free(s);
}

static unsigned char *t_base64(const char *s, size_t *n) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t m = strcspn(s, "'");
    unsigned char *p = malloc(m + 3);
    *n = 0;
    for (size_t i = 0; i + 3 < m; i += 4) {
        uint32_t v = 0;
        int pad = 0;
        for (int k = 0; k < 4; k++) {
            const char *at = strchr(digit, s[i + (size_t)k]);
            pad += s[i + (size_t)k] == '=';
            v = v << 6 | (s[i + (size_t)k] == '=' ? 0 : (uint32_t)(at - digit));
        }
        for (int k = 0; k < 3 - pad; k++)
            p[(*n)++] = (unsigned char)(v >> (16 - 8 * k));
    }
    return p;
}
/* The image's palette indices, checked on the way: chunks, their CRC. */
static void t_png(const char *s, int rows, int cols, unsigned char *pixel) {
    size_t n, at = 8;
    s = strstr(s, "base64,");
    assert_non_null(s);
    unsigned char *p = t_base64(s + 7, &n), *data = NULL;
    uint32_t bytes = 0, w = 0, h = 0;
    assert_true(n > 60 && !memcmp(p, "\x89PNG\r\n\x1a\n", 8));
    while (at + 12 <= n) {
        unsigned char *c = p + at;
        uint32_t len = (uint32_t)c[0] << 24 | (uint32_t)c[1] << 16
                       | (uint32_t)c[2] << 8 | c[3];
        uint32_t crc = 0xffffffffu;     /* bit by bit, as the standard says */
        for (size_t i = 4; i < len + 8; i++) {
            crc ^= c[i];
            for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
        unsigned char *e = c + 8 + len;
        assert_int_equal(~crc, (uint32_t)e[0] << 24 | (uint32_t)e[1] << 16
                               | (uint32_t)e[2] << 8 | e[3]);
        if (!memcmp(c + 4, "IHDR", 4)) w = c[11], h = c[15];
        if (!memcmp(c + 4, "IDAT", 4)) data = c + 8, bytes = len;
        at += 12 + len;
    }
    assert_int_equal(at, n);
    assert_int_equal(w, cols);
    assert_int_equal(h, rows);
    assert_non_null(data);
    unsigned char raw[4096];
#ifdef GPUARR_USE_ZLIB
    uLongf got = sizeof raw;
    assert_int_equal(uncompress(raw, &got, data, bytes), Z_OK);
    assert_int_equal(got, rows * (cols + 1));
#else
    assert_int_equal(bytes, rows * (cols + 1) + 11);
    memcpy(raw, data + 7, bytes - 11);
#endif
    for (int i = 0; i < rows; i++) {
        assert_int_equal(raw[i * (cols + 1)], 0);
        memcpy(pixel + i * cols, raw + i * (cols + 1) + 1, (size_t)cols);
    }
    free(p);
}
TEST(images) {
    GA_SCOPE;
    unsigned char pixel[6];
    ga_array *x = ga_asarray(((float[]){0, 127, 254, NAN, -5, 300}),
                             GA_SHAPE(2, 3));
    T_CHECK(!ga_savefig(ga_clim(ga_imshow(NULL, x, 0), 0, 254), t_path));
    char *s = t_file();
    T_CHECK(t_well_formed(s));
    t_png(s, 2, 3, pixel);
    assert_memory_equal(pixel, ((unsigned char[]){1, 128, 255, 0, 1, 255}), 6);
    free(s);
    /* a view, and a bar of colours beside it */
    T_CHECK(!ga_savefig(ga_imshow(NULL, ga_transpose(x, GA_ALL), GA_GREY), t_path));
    s = t_file();
    T_CHECK(t_well_formed(s));
    assert_int_equal(t_count(s, "<image "), 2);
    t_png(s, 3, 2, pixel);
    assert_int_equal(pixel[1], 0);
    free(s);
}
TEST(numbers_at_the_ends_of_float64) {
    GA_SCOPE;
    ga_array *one = ga_full(GA_SHAPE(2, 2), 1e20, GA_FLOAT64);
    ga_array *y = ga_linspace(-1.7e308, 1.7e308, 9);
    GA_FIGURE(f, 2, 2);
    T_CHECK(ga_imshow(f, one, 0));      /* one number: a bar about it       */
    T_CHECK(ga_ylim(ga_plot(ga_subplot(f, 0, 1), NULL, y, "o-", NULL),
                    -1.7e308, 1.7e308));
    T_CHECK(ga_plot(ga_subplot(f, 1, 0), NULL, y, "o-", NULL));
    T_CHECK(ga_imshow(ga_subplot(f, 1, 1), ga_reshape(y, GA_SHAPE(3, 3)), 0));
    T_CHECK(!ga_savefig(f, t_path));
    char *s = t_file();
    T_CHECK(t_well_formed(s) && !strstr(s, "nan") && !strstr(s, "inf"));
    T_CHECK(t_count(s, "<text ") < 100 && strstr(s, ">0.6</text>"));
    free(s);
}
TEST(large_arrays_are_thinned) {
    GA_SCOPE;
    ga_array *y = ga_zeros(GA_SHAPE(1000003), GA_FLOAT32);
    ga_assign(ga_slice(y, "777777"), 5);
    T_CHECK(!ga_savefig(ga_plot(NULL, NULL, y, "-", NULL), t_path));
    char *s = t_file();
    double *v = malloc(100000 * sizeof *v), low = 1e9, high = 0;
    int n = t_points(s, "l c0", v, 100000);
    assert_int_equal(n, 2 * 4000);
    for (int i = 1; i < n; i += 2) {
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
    }
    T_CHECK(high - low > 200);          /* the one point is there           */
    free(v);
    free(s);
}
TEST(errors) {
    GA_SCOPE;
    ga_array *x = ga_arange(0, 4, 1), *z = ga_astype(x, GA_COMPLEX64);
    int64_t live = ga_live_arrays();
    REFUSED(ga_figure_create(0, 3), GA_ERR_VALUE, "0 x 3 panels");
    REFUSED(ga_plot(NULL, x, ga_arange(0, 5, 1), "-", NULL), GA_ERR_SHAPE, "(5,)");
    REFUSED(ga_plot(NULL, NULL, x, "zz", NULL), GA_ERR_VALUE, "style \"zz\"");
    REFUSED(ga_plot(NULL, NULL, z, "-", NULL), GA_ERR_DTYPE, "complex");
    REFUSED(ga_plot(NULL, NULL, NULL, "-", NULL), GA_ERR_NULL, "ga_plot");
    REFUSED(ga_imshow(NULL, x, 0), GA_ERR_SHAPE, "two axes");
    REFUSED(ga_xlim(NULL, 2, 1), GA_ERR_VALUE, "from 2 to 1");
    REFUSED(ga_subplot(NULL, 1, 0), GA_ERR_INDEX, "panel (1,0) of 1 x 1");
    REFUSED(ga_axes_scale(NULL, 7), GA_ERR_VALUE, "flags");
    REFUSED_ST(ga_savefig(ga_plot(NULL, NULL, x, "-", NULL), "/nowhere/x.svg"),
               GA_ERR_FILE_OPEN, "/nowhere/x.svg");
    REFUSED_ST(ga_savefig(ga_plot(NULL, NULL, x, "-", NULL), NULL),
               GA_ERR_NULL, "path");
    T_CHECK(ga_live_arrays() == live + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(a_line_in_one_line), T(gaps_logarithms_and_text), T(odd_text), T(bars), T(images),
        T(numbers_at_the_ends_of_float64), T(large_arrays_are_thinned),
        T(errors),
    };
    struct timespec now;            /* a name of this process alone         */
    timespec_get(&now, TIME_UTC);
    snprintf(t_path, sizeof t_path, "/tmp/gpuarr-test-%llx-%lx.svg",
             (unsigned long long)now.tv_sec, (unsigned long)now.tv_nsec);
    int failed = T_RUN("plot", tests);
    remove(t_path);
    return failed;
}
