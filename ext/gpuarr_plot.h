/* gpuarr_plot.h - a picture of an array, as an SVG file.         MIT licence

   Opt-in, beside gpuarr.h. Include it after gpuarr.h; the file that defines
   GPUARR_IMPLEMENTATION holds this one's implementation too:

       #define GPUARR_IMPLEMENTATION
       #include "gpuarr.h"
       #include "gpuarr_plot.h"

       int main(void) {
           ga_on_error(GA_EXIT);
           GA_SCOPE;
           ga_array *x = ga_linspace(0, 6.3, 200);
           ga_savefig(ga_plot(NULL, x, ga_sin(x), "-", NULL), "sine.svg");
       }

   Any browser shows the file, light or dark as the reader has it; lines differ
   in dash and lightness too, so that a black and white print tells them apart.
   For examples and quick looks: one style, nothing to configure.

   Every function copies what it draws to the host, and synchronises for that.
   Numbers of any real dtype; bool is 0 and 1. NaN and inf leave a gap, so does
   what is not positive on a logarithmic axis.

   CONTENTS   >>figures  >>curves  >>axes, then the implementation: >>i-figure
              >>i-data  >>i-scale  >>i-png  >>i-draw                         */
#ifndef GPUARR_PLOT_H
#define GPUARR_PLOT_H
#ifndef GPUARR_H
#error "gpuarr_plot.h: include gpuarr.h before it"
#endif

/* ============================================================== >>figures
   A figure has rows x columns of panels; what follows draws into the current
   one, at first the upper left. Every function returns the figure, so calls
   nest; on an error NULL. NULL for a figure makes one of one panel, which
   ga_savefig frees, and so does an error: one line draws a picture. Others are
   freed by ga_figure_free, or with the block:

       GA_FIGURE(f, 1, 2);                      // to the end of these braces
       ga_plot(f, x, y, "o-", "measured");
       ga_imshow(ga_subplot(f, 0, 1), field, 0);
       ga_savefig(f, "both.svg");                                            */
typedef struct ga_figure ga_figure;
/* up to 8 x 8 */ GA_API ga_figure *ga_figure_create(int rows, int columns);
/* NULL is fine */ GA_API void ga_figure_free(ga_figure *f);
/* now here */ GA_API ga_figure *ga_subplot(ga_figure *f, int row, int column);
/* Writes the file; one that is there is replaced once the new one is whole. */
GA_API ga_status ga_savefig(ga_figure *f, const char *path);
static inline GA__UNUSED void ga_figure_end(ga_figure **f) {
    ga_figure_free(*f);
}
#ifdef GA__CLEANUP
#define GA_FIGURE(f, rows, columns)                                          \
    ga_figure *f GA__CLEANUP(ga_figure_end) = ga_figure_create(rows, columns)
#endif

/* =============================================================== >>curves
   label: an entry of the legend, NULL: none. Of all text 127 bytes are kept. */
/* y against x, as many elements each; x NULL: 0, 1, 2 ... With y of two axes
   every column is a curve. style, as matplotlib's: one of "-", "--", "-.", ":"
   for a line, one of "o", "s", "^", "x", "." for points, or both ("o-"); NULL:
   "-". Of a curve of over 4,000 points the highest and the lowest of each
   2000th part are drawn; of points alone 20,000.                            */
GA_API ga_figure *ga_plot(ga_figure *f, const ga_array *x, const ga_array *y,
                          const char *style, const char *label);
/* Of x's elements as many as lie in each bin: ga_hist(NULL, x, GA_BINS(50), NULL).
   bins, errors: ga_histogram's.                                             */
GA_API ga_figure *ga_hist(ga_figure *f, const ga_array *x, ga_bins bins,
                          const char *label);
/* The matrix as an image, row 0 on top, with a bar that says which colour is
   which number: from dark to light, or grey. Of more than 2048 rows or columns
   every k-th is shown. NaN is transparent. A panel has one image.           */
GA_API ga_figure *ga_imshow(ga_figure *f, const ga_array *x, unsigned flags);
#define GA_GREY 1u
/* The image's colours from lo to hi; without it from its min to its max. */
GA_API ga_figure *ga_clim(ga_figure *f, double lo, double hi);
/* A word beside a point. */
GA_API ga_figure *ga_annotate(ga_figure *f, double x, double y,
                              const char *text);

/* ================================================================= >>axes */
GA_API ga_figure *ga_title(ga_figure *f, const char *text);
/* along x */ GA_API ga_figure *ga_xlabel(ga_figure *f, const char *text);
/* along y */ GA_API ga_figure *ga_ylabel(ga_figure *f, const char *text);
/* x's limits */ GA_API ga_figure *ga_xlim(ga_figure *f, double lo, double hi);
/* y's limits */ GA_API ga_figure *ga_ylim(ga_figure *f, double lo, double hi);
#define GA_LOG_X 1u
#define GA_LOG_Y 2u
#define GA_EQUAL 4u                 /* a unit is as long on both axes       */
/* by flags */ GA_API ga_figure *ga_axes_scale(ga_figure *f, unsigned flags);

#endif /* GPUARR_PLOT_H */

/* ======================================================== >>implementation */
#if defined(GPUARR_IMPLEMENTATION) && !defined(GPUARR_PLOT_DONE)
#define GPUARR_PLOT_DONE

GA__SOME_CALLS
/* ============================================================== >>i-figure
   Coordinates in the file are whole tenths of a pixel: no locale's comma.   */
enum { GA__F_WIDE = 4800, GA__F_HIGH = 3600, GA__F_LEFT = 660, GA__F_TOP = 320,
       GA__F_BELOW = 500, GA__F_RIGHT = 180, GA__F_BAR = 760,
       GA__F_COLOURS = 6, GA__F_CURVE = 2000, GA__F_POINTS = 20000,
       GA__F_PIXELS = 2048, GA__F_TEXT = 128 };

typedef struct ga__curve {
    char line, point;               /* '-', '=' for --, ';' for -., ':'; 0  */
    bool bars;                      /* x has n + 1 edges                    */
    int64_t n;
    char label[GA__F_TEXT];         /* without line and point: a note's     */
    double *x, *y;
} ga__curve;
typedef struct ga__panel {
    ga__curve *curve;
    int curves;
    char text[3][GA__F_TEXT];       /* of x, of y, title                    */
    double *image;
    int64_t shown[2], of[2];        /* the image's shape: as drawn, as it is */
    bool grey, limited[3];          /* x, y, colours: from lo to hi         */
    double lo[3], hi[3];
    unsigned scale;
} ga__panel;
struct ga_figure {
    int rows, cols, at;
    bool passing;                   /* made for NULL                        */
    ga__panel panel[];
};

GA_API void ga_figure_free(ga_figure *f) {
    for (int i = 0; f && i < f->rows * f->cols; i++) {
        ga__panel *p = &f->panel[i];
        for (int k = 0; k < p->curves; k++) {
            GA_FREE(p->curve[k].x);
            GA_FREE(p->curve[k].y);
        }
        GA_FREE(p->curve);
        GA_FREE(p->image);
    }
    GA_FREE(f);
}
GA_API ga_figure *ga_figure_create(int rows, int cols) {
    static const char fn[] = "ga_figure_create";
    if (rows < 1 || cols < 1 || rows > 8 || cols > 8)
        return (ga_figure *)GA__NULL(GA_ERR_VALUE, fn, "%d x %d panels: 1 to 8 "
                                     "each", rows, cols);
    size_t bytes = sizeof(ga_figure) + sizeof(ga__panel) * (size_t)(rows * cols);
    ga_figure *f = (ga_figure *)GA_MALLOC(bytes);
    if (!f) return (ga_figure *)GA__NULL(GA_ERR_HOST_MEMORY, fn, NULL);
    memset(f, 0, bytes);
    f->rows = rows;
    f->cols = cols;
    return f;
}
/* The current panel of *f, for NULL of a new figure; NULL on an error. */
static ga__panel *ga__f_begin(ga_figure **f) {
    if (!*f) {
        if (ga_error() || !(*f = ga_figure_create(1, 1))) return NULL;
        (*f)->passing = true;
    }
    return &(*f)->panel[(*f)->at];
}
static ga_figure *ga__f_end(ga_figure *f, bool ok) {
    if (!ok && f && f->passing) ga_figure_free(f);
    return ok ? f : NULL;
}
GA_API ga_figure *ga_subplot(ga_figure *f, int row, int column) {
    if (!ga__f_begin(&f)) return NULL;
    bool ok = row >= 0 && column >= 0 && row < f->rows && column < f->cols;
    if (ok) f->at = row * f->cols + column;
    else ga__fail(GA_ERR_INDEX, "ga_subplot", "panel (%d,%d) of %d x %d", row,
                  column, f->rows, f->cols);
    return ga__f_end(f, ok);
}
#define GA__X(name, of)                                                      \
    GA_API ga_figure *ga_##name(ga_figure *f, const char *text) {            \
        ga__panel *p = ga__f_begin(&f);                                      \
        if (p) snprintf(p->text[of], GA__F_TEXT, "%s", text ? text : "");    \
        return p ? f : NULL;                                                 \
    }
GA__X(xlabel, 0) GA__X(ylabel, 1) GA__X(title, 2)
#undef GA__X
static ga_figure *ga__f_limits(const char *fn, ga_figure *f, int of, double lo,
                               double hi) {
    ga__panel *p = ga__f_begin(&f);
    bool ok = p && isfinite(lo) && isfinite(hi) && lo < hi;
    if (p && !ok) ga__fail(GA_ERR_VALUE, fn, "from %g to %g", lo, hi);
    if (ok) p->limited[of] = true, p->lo[of] = lo, p->hi[of] = hi;
    return ga__f_end(f, ok);
}
#define GA__X(name, of)                                                      \
    GA_API ga_figure *ga_##name(ga_figure *f, double lo, double hi) {        \
        return ga__f_limits("ga_" #name, f, of, lo, hi);                     \
    }
GA__X(xlim, 0) GA__X(ylim, 1) GA__X(clim, 2)
#undef GA__X
GA_API ga_figure *ga_axes_scale(ga_figure *f, unsigned flags) {
    ga__panel *p = ga__f_begin(&f);
    bool ok = p && (flags <= (GA_LOG_X | GA_LOG_Y) || flags == GA_EQUAL);
    if (ok) p->scale = flags;
    else if (p) ga__fail(GA_ERR_VALUE, "ga_axes_scale", "flags are GA_LOG_X, "
                         "GA_LOG_Y, both, or GA_EQUAL");
    return ga__f_end(f, ok);
}

/* ================================================================ >>i-data */
static double *ga__f_numbers(const char *fn, const ga_array *x) {
    if (ga__kind(x->dtype) != 'c') return ga__host_values(fn, x);
    return (double *)GA__NULL(GA_ERR_DTYPE, fn, "of complex numbers draw real "
                              "part, imaginary part or absolute value");
}
/* One curve more, which takes over x and y; NULL: no memory. */
static ga__curve *ga__f_add(const char *fn, ga__panel *p, int64_t n, double *x,
                            double *y, const char *label) {
    ga__curve *c = x && y ? (ga__curve *)GA_REALLOC(
        p->curve, ((size_t)p->curves + 1) * sizeof *c) : NULL;
    if (!c) {
        GA_FREE(x);
        GA_FREE(y);
        return (ga__curve *)GA__NULL(GA_ERR_HOST_MEMORY, fn, "%" PRId64
                                     " points", n);
    }
    p->curve = c;
    c += p->curves++;
    *c = (ga__curve){.n = n, .x = x, .y = y};
    snprintf(c->label, sizeof c->label, "%s", label ? label : "");
    return c;
}
static bool ga__f_style(const char *s, char *line, char *point) {
    *line = *point = 0;
    for (s = s ? s : "-"; *s; s++) {
        const bool two = *s == '-' && (s[1] == '-' || s[1] == '.');
        char *what = strchr("os^x.", *s) ? point : line;
        if (*what || !strchr("os^x.:-", *s)) return false;
        *what = !two ? *s : *++s == '-' ? '=' : ';';
    }
    return *line || *point;
}
/* The curve y[0], y[step] ... over x; of many points the lowest and the highest
   of each part, in their order.                                            */
static bool ga__f_thin(const char *fn, ga__panel *p, const double *x,
                       const double *y, int64_t n, int64_t step,
                       const char *label, char line, char point) {
    int64_t most = line ? GA__F_CURVE : GA__F_POINTS, m = 0, from = 0, to;
    bool both = line && n > 2 * most;
    int64_t parts = both || (!line && n > most) ? most : n;
    size_t bytes = (size_t)parts * (both ? 2 : 1) * sizeof *x + 1;
    ga__curve *c = ga__f_add(fn, p, both ? 2 * parts : parts,
                             (double *)GA_MALLOC(bytes),
                             (double *)GA_MALLOC(bytes), label);
    if (!c) return false;
    c->line = line;
    c->point = point;
    for (int64_t k = 1; k <= parts; k++, from = to) {
        int64_t low = from, high = from;
        to = n / parts * k + n % parts * k / parts;
        for (int64_t i = from; i < to && both; i++) {
            if (!(y[i * step] >= y[low * step])) low = i;
            if (!(y[i * step] <= y[high * step])) high = i;
        }
        for (int j = 0; j <= both; j++, m++) {
            int64_t i = (low < high) == !j ? low : high;
            c->x[m] = x ? x[i] : (double)i;
            c->y[m] = y[i * step];
        }
    }
    return true;
}
GA_API ga_figure *ga_plot(ga_figure *f, const ga_array *x, const ga_array *y,
                          const char *style, const char *label) {
    static const char fn[] = "ga_plot";
    char line, point;
    ga__panel *p = ga__f_begin(&f);
    if (!p) return NULL;
    if (x == GA_NONE) x = NULL;
    bool ok = ga__ok(fn, y) && (!x || ga__ok(fn, x));
    if (ok && (y->ndim < 1 || y->ndim > 2
               || (x && (x->ndim != 1 || x->shape[0] != y->shape[0]))))
        ok = !ga__fail(GA_ERR_SHAPE, fn, "y %s, x %s: y has 1 axis or 2, x as "
            "many elements as y has rows", ga__shape_text(y->ndim, y->shape),
            x ? ga__shape_text(x->ndim, x->shape) : "NULL");
    if (ok && !ga__f_style(style, &line, &point))
        ok = !ga__fail(GA_ERR_VALUE, fn, "style \"%s\": \"-\", \"--\", \"-.\" or "
            "\":\", \"o\", \"s\", \"^\", \"x\" or \".\", or one of each", style);
    double *py = ok ? ga__f_numbers(fn, y) : NULL;
    double *px = x && py ? ga__f_numbers(fn, x) : NULL;
    ok = py && (!x || px);
    int64_t curves = ok && y->ndim == 2 ? y->shape[1] : 1;
    for (int64_t k = 0; k < curves && ok; k++)
        ok = ga__f_thin(fn, p, px, py + k, y->shape[0], curves, k ? NULL : label,
                        line, point);
    GA_FREE(px);
    GA_FREE(py);
    return ga__f_end(f, ok);
}
GA_API ga_figure *ga_annotate(ga_figure *f, double x, double y,
                              const char *text) {
    ga__panel *p = ga__f_begin(&f);
    return ga__f_end(f, p && ga__f_thin("ga_annotate", p, &x, &y, 1, 1, text, 0,
                                        0));
}
GA_API ga_figure *ga_hist(ga_figure *f, const ga_array *x, ga_bins bins,
                          const char *label) {
    static const char fn[] = "ga_hist";
    ga__panel *p = ga__f_begin(&f);
    ga_array *edges = NULL, *n = p && ga__ok(fn, x)
        ? (ga_histogram)(x, bins, GA_NONE, 0, &edges) : NULL;
    double *px = n ? ga__f_numbers(fn, edges) : NULL;
    double *py = px ? ga__f_numbers(fn, n) : NULL;
    ga__curve *c = n ? ga__f_add(fn, p, n->size, px, py, label) : NULL;
    if (c) c->bars = true, c->line = '-';
    ga_free(n);
    ga_free(edges);
    return ga__f_end(f, c != NULL);
}
GA_API ga_figure *ga_imshow(ga_figure *f, const ga_array *x, unsigned flags) {
    static const char fn[] = "ga_imshow";
    ga__panel *p = ga__f_begin(&f);
    bool ok = p && ga__ok(fn, x) && ga__flags_ok(fn, flags, GA_GREY);
    if (ok && (x->ndim != 2 || !x->size))
        ok = !ga__fail(GA_ERR_SHAPE, fn, "an image has two axes, and elements");
    if (!ok) return ga__f_end(f, false);
    int64_t r = (x->shape[0] + GA__F_PIXELS - 1) / GA__F_PIXELS;
    int64_t c = (x->shape[1] + GA__F_PIXELS - 1) / GA__F_PIXELS;
    ga_array *seen = (ga_slice)(x, "::%" PRId64 ", ::%" PRId64, r, c);
    double *v = seen ? ga__f_numbers(fn, seen) : NULL;
    if (v) {
        GA_FREE(p->image);
        p->image = v;
        p->grey = flags & GA_GREY;
        memcpy(p->shown, seen->shape, sizeof p->shown);
        memcpy(p->of, x->shape, sizeof p->of);
    }
    ga_free(seen);
    return ga__f_end(f, v != NULL);
}

/* =============================================================== >>i-scale */
/* One axis: lo..hi, logarithms if `log`, to places from..to. */
typedef struct ga__axis_of {
    double lo, hi, from, to;
    bool log;
} ga__axis_of;
static int ga__f_at(const ga__axis_of *a, double v) {
    double t = ((a->log ? log10(v) : v) - a->lo) / (a->hi - a->lo);
    return (int)fmin(fmax(a->from + t * (a->to - a->from) + 0.5, -1e7), 1e7);
}
static bool ga__f_seen(const ga__axis_of *a, double v) {
    return isfinite(v) && (!a->log || v > 0);
}
static void ga__f_grow(ga__axis_of *a, const double *v, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (ga__f_seen(a, v[i]))
            a->lo = fmin(a->lo, v[i]), a->hi = fmax(a->hi, v[i]);
}
/* x, y or the colours (0, 1, 2): as the caller has said, else from the least to
   the largest of what the panel has of it, and a little more for curves.   */
static void ga__f_range(const ga__panel *p, int of, ga__axis_of *a) {
    bool bars = false, exact = p->limited[of] && (!a->log || p->lo[of] > 0);
    a->lo = exact ? p->lo[of] : INFINITY;
    a->hi = exact ? p->hi[of] : -INFINITY;
    for (int k = 0; k < p->curves && !exact && of < 2; k++) {
        const ga__curve *c = &p->curve[k];
        bars |= c->bars && of && !a->log;
        ga__f_grow(a, of ? c->y : c->x, c->n + (c->bars && !of));
    }
    if (of == 2 && !exact) ga__f_grow(a, p->image, p->shown[0] * p->shown[1]);
    if (!(a->lo <= a->hi)) a->lo = 1, a->hi = 10;
    if (bars) a->lo = fmin(a->lo, 0);
    if (a->log) a->lo = log10(a->lo), a->hi = log10(a->hi);
    double wide = exact || (of == 2 && a->lo < a->hi) ? 0
                  : a->lo < a->hi ? 0.08 * (a->hi / 2 - a->lo / 2)
                  : a->log ? 0.3 : a->lo != 0 ? fabs(a->lo) / 2 : 0.5;
    if (!bars || a->lo < 0) a->lo = fmax(a->lo - wide, -DBL_MAX / 4);
    a->hi = fmin(a->hi + wide, DBL_MAX / 4);
}

/* ================================================================= >>i-png */
static void ga__f_big(unsigned char *p, uint32_t v) {
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(v >> (24 - 8 * i));
}
/* What a PNG file is made of, appended at p. */
static unsigned char *ga__f_chunk(unsigned char *p, const char *kind,
                                  const unsigned char *data, size_t n) {
    ga__f_big(p, (uint32_t)n);
    memcpy(p + 4, kind, 4);
    if (n) memcpy(p + 8, data, n);
    ga__f_big(p + 8 + n, ga__crc(0, p + 4, n + 4));
    return p + 12 + n;
}
/* n bytes as a zlib stream: by zlib, or stored as they are. `room` is more than
   either takes; returns how many bytes it is, 0 where zlib fails.           */
static size_t ga__f_pack(unsigned char *to, size_t room,
                         const unsigned char *from, size_t n) {
#ifdef GPUARR_USE_ZLIB
    uLongf got = (uLongf)room;
    return compress2(to, &got, from, (uLong)n, 6) == Z_OK ? (size_t)got : 0;
#else
    (void)room;
    unsigned char *p = to;
    uint32_t a = 1, b = 0;
    *p++ = 0x78;
    *p++ = 1;
    for (size_t i = 0; i < n; i++) {
        size_t m = n - i < 65535 ? n - i : 65535;
        if (i % 65535 == 0) *p++ = i + m == n;      /* a block; the last?   */
        for (int k = 0; k < 4 && i % 65535 == 0; k++)
            *p++ = (unsigned char)((k < 2 ? m : ~m) >> 8 * (k & 1));
        *p++ = from[i];
        a = (a + from[i]) % 65521;
        b = (b + a) % 65521;
    }
    ga__f_big(p, b << 16 | a);
    return (size_t)(p + 4 - to);
#endif
}
/* Colour k of 256, from dark to light in even steps, so that grey prints keep
   the order: matplotlib's viridis within 0.017, by polynomials.             */
static void ga__f_colour(int k, bool grey, unsigned char *rgb) {
    static const double c[3][7] = {
        {0.2745, 0.1077, -0.3272, -4.5999, 6.2037, 4.7518, -5.4321},
        {0.0058, 1.3965, 0.2148, -5.7582, 14.1540, -13.7494, 4.6416},
        {0.3327, 1.3868, 0.0920, -19.2918, 56.6563, -65.3210, 26.2721}};
    for (int i = 0; i < 3; i++) {
        double t = k / 255.0, v = 0;
        for (int d = 6; d >= 0; d--) v = v * t + c[i][d];
        rgb[i] = (unsigned char)(255 * fmin(fmax(grey ? t : v, 0), 1) + 0.5);
    }
}
static void ga__f_base64(FILE *f, const unsigned char *p, size_t n) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? p[i + 1] : 0u) << 8
                     | (i + 2 < n ? p[i + 2] : 0u);
        for (size_t k = 0; k < 4; k++)
            fputc(i + k <= n ? digit[v >> (18 - 6 * k) & 63] : '=', f);
    }
}
/* rows x cols numbers from lo to hi as <image>'s href; NaN transparent. */
static ga_status ga__f_png(const char *fn, FILE *f, const double *v,
                           int64_t rows, int64_t cols, double lo, double hi,
                           bool grey) {
    unsigned char head[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 3};   /* of a palette */
    unsigned char colours[256 * 3], alpha[1] = {0};
    size_t bytes = (size_t)(rows * (cols + 1)), room = bytes + bytes / 8 + 99;
    unsigned char *raw = (unsigned char *)GA_MALLOC(bytes + 2 * room + 2048);
    if (!raw) return ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes", bytes);
    unsigned char *packed = raw + bytes, *png = packed + room, *p = png;
    for (int64_t i = 0; i < rows; i++) {
        unsigned char *row = raw + i * (cols + 1);
        *row++ = 0;                 /* rows as they are                     */
        for (int64_t j = 0; j < cols; j++) {
            double x = v[i * cols + j], t = (x - lo) / (hi - lo);
            row[j] = x != x ? 0 : (unsigned char)(1.5 + 254 * fmin(fmax(t, 0), 1));
        }
    }
    size_t n = ga__f_pack(packed, room, raw, bytes);
    for (int k = 0; k < 256; k++) ga__f_colour(k, grey, colours + 3 * k);
    ga__f_big(head, (uint32_t)cols);
    ga__f_big(head + 4, (uint32_t)rows);
    memcpy(p, "\x89PNG\r\n\x1a\n", 8);
    p = ga__f_chunk(p + 8, "IHDR", head, sizeof head);
    p = ga__f_chunk(p, "PLTE", colours, sizeof colours);
    p = ga__f_chunk(p, "tRNS", alpha, 1);
    p = ga__f_chunk(p, "IDAT", packed, n);
    p = ga__f_chunk(p, "IEND", NULL, 0);
    fputs("data:image/png;base64,", f);
    ga__f_base64(f, png, (size_t)(p - png));
    GA_FREE(raw);
    return n ? GA_OK : ga__fail(GA_ERR_HOST_MEMORY, fn, "zlib has no memory");
}

/* ================================================================ >>i-draw */
/* How many bytes the character at s has, 0 if it is none that XML knows: else a
   label of other bytes, or cut within a character, would spoil the file.     */
static int ga__f_char(const char *s) {
    const unsigned char *u = (const unsigned char *)s;
    const int n = u[0] < 0x80 ? u[0] >= 32 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2
                  : u[0] < 0xf0 ? 3 : u[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if (u[i] >> 6 != 2) return 0;
    if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xf0 && u[1] < 0x90)
        || (u[0] == 0xed && u[1] > 0x9f) || (u[0] == 0xf4 && u[1] > 0x8f)
        || (u[0] == 0xef && u[1] == 0xbf && u[2] > 0xbd))
        return 0;
    return n;
}
/* Text at a place; `how`: attributes. */
static void ga__f_word(FILE *f, int x, int y, const char *how, const char *text) {
    fprintf(f, "<text x='%d' y='%d' %s>", x, y, how);
    for (const char *s = text; *s; s++) {
        const int n = ga__f_char(s);
        if (*s == '&') fputs("&amp;", f);
        else if (*s == '<') fputs("&lt;", f);
        else if (*s == '>') fputs("&gt;", f);
        else fwrite(s, 1, (size_t)n, f);
        if (n) s += n - 1;
    }
    fputs("</text>\n", f);
}
static void ga__f_power(FILE *f, int x, int y, const char *how, const char *times,
                        int e) {
    fprintf(f, "<text x='%d' y='%d' %s>%s10<tspan dy='-50' font-size='90'>%d"
            "</tspan></text>\n", x, y, how, times, e);
}
#define GA__F_MIDDLE "text-anchor='middle'"
#define GA__F_END "text-anchor='end'"
/* An axis at `across`. Ticks stand at 1, 2 or 5 times a power of ten, seven at
   most, or, of logarithms, at k times one; those with a number reach to `end`.
   `right`: the numbers stand to the right of it.                           */
static void ga__f_axis(FILE *f, const ga__axis_of *a, bool vertical, bool right,
                       int across, int end) {
    const char *how = right ? "" : vertical ? GA__F_END : GA__F_MIDDLE;
    const double lo = fmin(a->lo, a->hi), hi = fmax(a->lo, a->hi);
    const double large = floor(log10(fmax(fabs(lo), fabs(hi))));
    const double most = vertical ? 6 : 7, decades = floor(hi) - floor(lo);
    const int ten = !a->log && (large >= 5 || large <= -4) ? (int)large : 0;
    const double one = pow(10, floor(log10((hi - lo) / most)));
    const double least = (hi - lo) / most / one;
    const double step = one * (least <= 2 ? 2 : least <= 5 ? 5 : 10);
    const double last = a->log ? 9 * floor(hi) + 8 : hi / step + 1e-9;
    double i = a->log ? 9 * floor(lo) : ceil(lo / step - 1e-9);
    for (; i <= last && i + 1 > i; i++) {
        double e = floor(i / 9), k = i - 9 * e + 1;     /* of logarithms    */
        double v = a->log ? k * pow(10, e) : i * step;
        bool named = !a->log || k == 1 || (decades < 2 && (k == 2 || k == 5));
        if (a->log && (log10(v) < lo || log10(v) > hi || (k > 1 && decades > 6)
            || (k == 1 && fmod(e - floor(lo), floor(decades / most) + 1) > 0)))
            continue;
        int at = ga__f_at(a, v), to = across + (end > across ? 40 : -40);
        int x = vertical ? across + (right ? 50 : -60) : at;
        int y = vertical ? at + 40 : across + 170;
        fprintf(f, "<path class='%s' d='M%d %d%s%d'/>\n", named ? "g" : "f",
                vertical ? across : at, vertical ? at : across,
                vertical ? "H" : "V", named ? end : to);
        if (a->log && k == 1 && (lo <= -3.1 || hi >= 5.3)) {
            ga__f_power(f, x, y, how, "", (int)e);
        } else if (named) {
            char text[32];
            snprintf(text, sizeof text, "%.6g", v / pow(10, ten) + 0.0);
            for (char *s = text; *s; s++) if (*s == ',') *s = '.';
            ga__f_word(f, x, y, how, text);
        }
    }
    if (ten)
        ga__f_power(f, vertical ? across : (int)a->to,
                    vertical ? (int)a->to - 60 : across + 320,
                    vertical ? "" : GA__F_END, "\xc3\x97", ten);
}
static const char *ga__f_point(char kind) {
    return kind == 's' ? "m-35-35h70v70h-70z" : kind == '^' ? "m0-45l42 75h-84z"
         : kind == 'x' ? "m-35-35l70 70m0-70l-70 70"
         : kind == '.' ? "m-15 0a15 15 0 1 0 30 0a15 15 0 1 0-30 0"
         : "m-35 0a35 35 0 1 0 70 0a35 35 0 1 0-70 0";
}
/* Curve k of the panel: its line, then its points, each one path. */
static void ga__f_curve(FILE *f, const ga__curve *c, int k, const ga__axis_of *a) {
    static const char *const dash[] = {"none", "70 30", "20 30", "90 30 20 30",
                                       "120 40", "40 20"};
    const int base = ga__f_at(&a[1], a[1].log ? pow(10, a[1].lo) : 0);
    for (int points = 0; points < 2; points++) {
        bool down = false, fill = c->bars || (points && c->point != 'x');
        if (!(points ? c->point : c->line)) continue;
        fprintf(f, "<path class='%s c%d' stroke-dasharray='%s' d='",
                fill ? "p" : "l", k % GA__F_COLOURS, points || c->bars ? "none"
                : c->line == '=' ? "70 40" : c->line == ';' ? "80 30 20 30"
                : c->line == ':' ? "20 30" : dash[k % GA__F_COLOURS]);
        for (int64_t i = 0; i < c->n; i++) {
            bool seen = ga__f_seen(a, c->x[i]) && ga__f_seen(a + 1, c->y[i]);
            int x = seen ? ga__f_at(a, c->x[i]) : 0;
            int y = seen ? ga__f_at(a + 1, c->y[i]) : 0;
            if (seen && c->bars)
                fprintf(f, "M%d %dV%dH%dV%dz", x, base, y,
                        ga__f_at(a, c->x[i + 1]) - 5, base);
            else if (seen)
                fprintf(f, "%s%d %d%s", down && !points ? "L" : "M", x, y,
                        points ? ga__f_point(c->point) : "");
            down = seen;
        }
        fputs("'/>\n", f);
    }
}
/* The legend's rows, of two entries each; unless f is NULL they are drawn. */
static int ga__f_legend(FILE *f, const ga__panel *p, double left, double right,
                        double top) {
    int n = 0;
    for (int k = 0; k < p->curves; k++) {
        ga__curve sample = p->curve[k];
        if ((!sample.line && !sample.point) || !sample.label[0]) continue;
        double x = n & 1 ? (left + right) / 2 : left, y = top + n++ / 2 * 170;
        double high = sample.bars ? 1 : 0.5, at[] = {x, x + 260, high, high};
        ga__axis_of to[] = {{0, 1, 0, 1, false}, {0, 1, y + 40, y - 40, false}};
        sample.n = sample.bars ? 1 : 2;
        sample.x = at;
        sample.y = at + 2;
        if (!f) continue;
        ga__f_curve(f, &sample, k, to);
        ga__f_word(f, (int)x + 340, (int)y + 40, "", sample.label);
    }
    return (n + 1) / 2;
}
/* The image, and the bar beside it. */
static ga_status ga__f_image(const char *fn, FILE *f, const ga__panel *p,
                             const ga__axis_of *x, const ga__axis_of *y) {
    double scale[256];
    ga__axis_of a = {.from = y->from, .to = y->to};
    ga__f_range(p, 2, &a);
    for (int i = 0; i < 256; i++) scale[i] = 255 - i;
    ga_status st = GA_OK;
    for (int bar = 0; bar < 2 && !st; bar++) {
        fprintf(f, "<image preserveAspectRatio='none' style='image-rendering:"
                "pixelated' x='%d' y='%d' width='%d' height='%d' href='",
                (int)(bar ? x->to + 140 : x->from), (int)y->to,
                bar ? 140 : (int)(x->to - x->from), (int)(y->from - y->to));
        st = bar ? ga__f_png(fn, f, scale, 256, 1, 0, 255, p->grey)
             : ga__f_png(fn, f, p->image, p->shown[0], p->shown[1], a.lo, a.hi,
                         p->grey);
        fputs("'/>\n", f);
    }
    ga__f_axis(f, &a, true, true, (int)x->to + 280, (int)x->to + 300);
    return st;
}
/* x's axis and y's: their limits, and the box that they fill. */
static void ga__f_layout(const ga__panel *p, int left, int top, int high,
                         ga__axis_of *a) {
    a[0].from = left + GA__F_LEFT;
    a[0].to = left + GA__F_WIDE - (p->image ? GA__F_BAR : GA__F_RIGHT);
    a[1].from = top + high - GA__F_BELOW;
    a[1].to = top + GA__F_TOP;
    for (int k = 0; k < 2; k++) {
        a[k].log = !p->image && p->scale >> k & 1;
        ga__f_range(p, k, &a[k]);
    }
    if (p->image) {                 /* pixels' centres at their indices     */
        a[0].lo = a[1].hi = -0.5;
        a[0].hi = (double)p->of[1] - 0.5;
        a[1].lo = (double)p->of[0] - 0.5;
    }
    if (!p->image && !(p->scale & GA_EQUAL)) return;
    double per = fmax((a[0].hi - a[0].lo) / (a[0].to - a[0].from),
                      fabs((a[1].hi - a[1].lo) / (a[1].to - a[1].from)));
    for (int k = 0; k < 2; k++) {   /* a unit as long on both: a smaller box */
        double all = a[k].to - a[k].from;
        double most = copysign(fmax(fabs(a[k].hi - a[k].lo) / per, 240), all);
        a[k].from += (all - most) / 2;
        a[k].to = a[k].from + most;
    }
}
static ga_status ga__f_draw(const char *fn, FILE *f, const ga__panel *p, int id,
                            int left, int top) {
    ga__axis_of a[2];
    char turned[80];
    const int rows = ga__f_legend(NULL, p, 0, 0, 0);
    ga__f_layout(p, left, top + 170 * rows, GA__F_HIGH - 170 * rows, a);
    const int x0 = (int)a[0].from, x1 = (int)a[0].to, y0 = (int)a[1].from;
    const int y1 = (int)a[1].to;
    ga_status st = p->image ? ga__f_image(fn, f, p, &a[0], &a[1]) : GA_OK;
    ga__f_axis(f, &a[0], false, false, y0, p->image ? y0 + 40 : y1);
    ga__f_axis(f, &a[1], true, false, x0, p->image ? x0 - 40 : x1);
    fprintf(f, "<clipPath id='c%d'><path id='b%d' d='M%d %dH%dV%dH%dz'/>"
            "</clipPath>\n<g clip-path='url(#c%d)'>\n", id, id, x0, y0, x1, y1,
            x0, id);
    for (int k = 0; k < p->curves; k++)
        ga__f_curve(f, &p->curve[k], k, a);
    fprintf(f, "</g>\n<use href='#b%d' class='f'/>\n", id);
    for (const ga__curve *c = p->curve; c && c < p->curve + p->curves; c++)
        if (!c->line && !c->point && ga__f_seen(a, c->x[0])
            && ga__f_seen(a + 1, c->y[0])) {
            int x = ga__f_at(a, c->x[0]), right = x > (x0 + 2 * x1) / 3;
            ga__f_word(f, x + (right ? -60 : 60), ga__f_at(a + 1, c->y[0]) - 60,
                       right ? GA__F_END : "", c->label);
        }
    ga__f_legend(f, p, a[0].from, a[0].to, a[1].to - 170 * rows + 20);
    ga__f_word(f, (x0 + x1) / 2, y1 - 120 - 170 * rows, GA__F_MIDDLE, p->text[2]);
    ga__f_word(f, (x0 + x1) / 2, y0 + 370, GA__F_MIDDLE, p->text[0]);
    snprintf(turned, sizeof turned, GA__F_MIDDLE " transform='translate(%d %d) "
             "rotate(-90)'", left + 160, (y0 + y1) / 2);
    ga__f_word(f, 0, 0, turned, p->text[1]);
    return st;
}
/* A look's colours: paper, text, frame, grid, curves. */
#define GA__F_LOOK(b, t, f, g, c0, c1, c2, c3, c4, c5)                       \
    ".b{fill:" b "}text{fill:" t "}.f{stroke:" f "}.g{stroke:" g "}"         \
    ".c0{color:" c0 "}.c1{color:" c1 "}.c2{color:" c2 "}.c3{color:" c3 "}"   \
    ".c4{color:" c4 "}.c5{color:" c5 "}.p{fill:currentColor;fill-opacity:.8}" \
    ".l{stroke:currentColor;stroke-width:16}.f,.l{fill:none}\n"
GA_API ga_status ga_savefig(ga_figure *f, const char *path) {
    static const char fn[] = "ga_savefig";
    ga__saving w;
    if (!ga__f_begin(&f)) return ga__failed();
    ga_status st = path ? ga__save_begin(&w, fn, path)
                        : ga__fail(GA_ERR_NULL, fn, "the path is NULL");
    if (!st) {
        FILE *o = w.io.f;
        int wide = f->cols * GA__F_WIDE, high = f->rows * GA__F_HIGH;
        errno = 0;
        fprintf(o, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' "
                "width='%d' height='%d' font-family='sans-serif' "
                "font-size='120' stroke-width='10'>\n<style>\n" GA__F_LOOK(
                    "#fff", "#222", "#555", "#ddd", "#0b5394", "#e07b00",
                    "#2c8c5a", "#b3206b", "#6a51a3", "#7f7f7f")
                "@media (prefers-color-scheme: dark) {\n" GA__F_LOOK(
                    "#15181c", "#ddd", "#999", "#33383e", "#6fb1f0", "#ffb454",
                    "#6fd3a0", "#ff8cc4", "#b9a6ff", "#bdbdbd")
                "}</style>\n<rect class='b' width='100%%' height='100%%'/>\n",
                wide, high, wide / 10, high / 10);
        for (int i = 0; i < f->rows * f->cols && !st; i++)
            st = ga__f_draw(fn, o, &f->panel[i], i, i % f->cols * GA__F_WIDE,
                            i / f->cols * GA__F_HIGH);
        fputs("</svg>\n", o);
        if (!st && ferror(o))
            st = ga__fail(GA_ERR_FILE_WRITE, w.op.text, "%s", strerror(errno));
        st = ga__save_end(&w, st);
    }
    if (f->passing) ga_figure_free(f);
    return st;
}
GA__AS_ASKED
#endif /* GPUARR_PLOT_DONE */
