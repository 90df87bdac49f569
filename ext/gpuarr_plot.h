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
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

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
GA_API ga_figure *ga_figure_create(int rows, int columns);  /* up to 8 x 8  */
GA_API void ga_figure_free(ga_figure *f);
GA_API ga_figure *ga_subplot(ga_figure *f, int row, int column);
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
#define GA_GREY 1u
GA_API ga_figure *ga_imshow(ga_figure *f, const ga_array *x, unsigned flags);
/* The image's colours from lo to hi; without it from its min to its max. */
GA_API ga_figure *ga_clim(ga_figure *f, double lo, double hi);
/* A word beside a point. */
GA_API ga_figure *ga_annotate(ga_figure *f, double x, double y,
                              const char *text);

/* ================================================================= >>axes */
GA_API ga_figure *ga_title(ga_figure *f, const char *text);
GA_API ga_figure *ga_xlabel(ga_figure *f, const char *text);
GA_API ga_figure *ga_ylabel(ga_figure *f, const char *text);
GA_API ga_figure *ga_xlim(ga_figure *f, double lo, double hi);
GA_API ga_figure *ga_ylim(ga_figure *f, double lo, double hi);
#define GA_LOG_X 1u
#define GA_LOG_Y 2u
#define GA_EQUAL 4u                 /* a unit is as long on both axes       */
GA_API ga_figure *ga_axes_scale(ga_figure *f, unsigned flags);

#endif /* GPUARR_PLOT_H */

/* ================================================================ >>implementation */
#if defined(GPUARR_IMPLEMENTATION) && !defined(GPUARR_PLOT_DONE)
#define GPUARR_PLOT_DONE

/* ============================================================== >>i-figure */
enum { GA__F_WIDE = 480, GA__F_HIGH = 360, GA__F_LEFT = 66, GA__F_TOP = 32,
       GA__F_BELOW = 50, GA__F_RIGHT = 18, GA__F_BAR = 76,
       GA__F_COLOURS = 6, GA__F_CURVE = 2000, GA__F_POINTS = 20000,
       GA__F_PIXELS = 2048, GA__F_TEXT = 128 };

typedef struct ga__curve {
    char line, point;               /* '-', '=' for --, ';' for -., ':'; 0  */
    bool bars, note;                /* bars: x has n + 1 edges              */
    int64_t n;
    char label[GA__F_TEXT];
    double *x, *y;                  /* one block, x first                   */
} ga__curve;
typedef struct ga__panel {
    ga__curve *curve;
    int curves;
    char text[3][GA__F_TEXT];       /* of x, of y, title                    */
    double *image;
    int64_t rows, cols, of[2];      /* as shown; as they are                */
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
        for (int k = 0; k < p->curves; k++) GA_FREE(p->curve[k].x);
        GA_FREE(p->curve);
        GA_FREE(p->image);
    }
    GA_FREE(f);
}
static ga_figure *ga__f_create(const char *fn, int rows, int cols) {
    if (rows < 1 || cols < 1 || rows > 8 || cols > 8)
        return (ga_figure *)GA__NULL(GA_ERR_VALUE, fn, "%d x %d panels: 1 to 8 "
                                     "each", rows, cols);
    ga_figure *f;
    size_t bytes = sizeof *f + (size_t)(rows * cols) * sizeof f->panel[0];
    f = (ga_figure *)GA_MALLOC(bytes);
    if (!f) return (ga_figure *)GA__NULL(GA_ERR_HOST_MEMORY, fn, "%zu bytes", bytes);
    memset(f, 0, bytes);
    f->rows = rows;
    f->cols = cols;
    return f;
}
GA_API ga_figure *ga_figure_create(int rows, int columns) {
    return ga__f_create("ga_figure_create", rows, columns);
}
/* The current panel of *f, for NULL of a new figure; NULL on an error. */
static ga__panel *ga__f_begin(const char *fn, ga_figure **f) {
    if (!*f) {
        if (ga_error()) return NULL;
        *f = ga__f_create(fn, 1, 1);
        if (!*f) return NULL;
        (*f)->passing = true;
    }
    return &(*f)->panel[(*f)->at];
}
static ga_figure *ga__f_end(ga_figure *f, bool ok) {
    if (ok) return f;
    if (f && f->passing) ga_figure_free(f);
    return NULL;
}
static bool ga__f_refuse(bool ok, ga_status st, const char *fn, const char *text) {
    if (!ok) ga__fail(st, fn, "%s", text);
    return ok;
}
GA_API ga_figure *ga_subplot(ga_figure *f, int row, int column) {
    static const char fn[] = "ga_subplot";
    if (!ga__f_begin(fn, &f)) return NULL;
    bool ok = row >= 0 && column >= 0 && row < f->rows && column < f->cols;
    if (ok) f->at = row * f->cols + column;
    else ga__fail(GA_ERR_INDEX, fn, "panel (%d,%d) of %d x %d", row, column,
                  f->rows, f->cols);
    return ga__f_end(f, ok);
}
static ga_figure *ga__f_words(const char *fn, ga_figure *f, int of,
                              const char *text) {
    ga__panel *p = ga__f_begin(fn, &f);
    if (p) snprintf(p->text[of], GA__F_TEXT, "%s", text ? text : "");
    return p ? f : NULL;
}
GA_API ga_figure *ga_xlabel(ga_figure *f, const char *text) {
    return ga__f_words("ga_xlabel", f, 0, text);
}
GA_API ga_figure *ga_ylabel(ga_figure *f, const char *text) {
    return ga__f_words("ga_ylabel", f, 1, text);
}
GA_API ga_figure *ga_title(ga_figure *f, const char *text) {
    return ga__f_words("ga_title", f, 2, text);
}
static ga_figure *ga__f_limits(const char *fn, ga_figure *f, int of, double lo,
                               double hi) {
    ga__panel *p = ga__f_begin(fn, &f);
    bool ok = p && isfinite(lo) && isfinite(hi) && lo < hi;
    if (p && !ok) ga__fail(GA_ERR_VALUE, fn, "from %g to %g", lo, hi);
    if (ok) {
        p->limited[of] = true;
        p->lo[of] = lo;
        p->hi[of] = hi;
    }
    return ga__f_end(f, ok);
}
GA_API ga_figure *ga_xlim(ga_figure *f, double lo, double hi) {
    return ga__f_limits("ga_xlim", f, 0, lo, hi);
}
GA_API ga_figure *ga_ylim(ga_figure *f, double lo, double hi) {
    return ga__f_limits("ga_ylim", f, 1, lo, hi);
}
GA_API ga_figure *ga_clim(ga_figure *f, double lo, double hi) {
    return ga__f_limits("ga_clim", f, 2, lo, hi);
}
GA_API ga_figure *ga_axes_scale(ga_figure *f, unsigned flags) {
    static const char fn[] = "ga_axes_scale";
    ga__panel *p = ga__f_begin(fn, &f);
    bool ok = flags <= (GA_LOG_X | GA_LOG_Y) || flags == GA_EQUAL;
    if (!p) return NULL;
    p->scale = ok ? flags : p->scale;
    return ga__f_end(f, ga__f_refuse(ok, GA_ERR_VALUE, fn, "flags are GA_LOG_X, "
                                     "GA_LOG_Y, both, or GA_EQUAL"));
}

/* ================================================================ >>i-data */
/* Elements of x as doubles, in C order. */
static double *ga__f_numbers(const char *fn, const ga_array *x) {
    if (!ga__f_refuse(ga__kind(x->dtype) != 'c', GA_ERR_DTYPE, fn, "of complex "
                      "numbers draw real part, imaginary part or absolute value"))
        return NULL;
    ga_array *real = (ga_astype)(x, GA_FLOAT64);
    size_t bytes = ((size_t)x->size + 1) * sizeof(double);
    double *p = real ? (double *)GA_MALLOC(bytes) : NULL;
    if (real && !p) ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes", bytes);
    if (p && !ga_asnumpy(real, p)) {
        GA_FREE(p);
        p = NULL;
    }
    ga_free(real);
    return p;
}
/* One curve more, with room for n points; NULL: no memory. */
static ga__curve *ga__f_add(const char *fn, ga__panel *p, int64_t n,
                            const char *label) {
    size_t all = (size_t)p->curves + 1;
    double *x = (double *)GA_MALLOC((size_t)(2 * n + 1) * sizeof *x);
    ga__curve *c = (ga__curve *)GA_REALLOC(p->curve, all * sizeof *c);
    if (c) p->curve = c;
    if (!c || !x) {
        GA_FREE(x);
        return (ga__curve *)GA__NULL(GA_ERR_HOST_MEMORY, fn, "%" PRId64 " points",
                                     n);
    }
    c += p->curves++;
    memset(c, 0, sizeof *c);
    snprintf(c->label, sizeof c->label, "%s", label ? label : "");
    c->n = n;
    c->x = x;
    c->y = x + n + 1;
    return c;
}
static bool ga__f_style(const char *s, char *line, char *point) {
    *line = *point = 0;
    if (!s) s = "-";
    for (; *s; s++) {
        if (strchr("os^x.", *s) && !*point) {
            *point = *s;
        } else if (*s == ':' && !*line) {
            *line = ':';
        } else if (*s == '-' && !*line) {
            *line = '-';
            if (s[1] == '-' || s[1] == '.') *line = *++s == '-' ? '=' : ';';
        } else {
            return false;
        }
    }
    return *line || *point;
}
/* The curve y[0], y[step] ... over x; of many points the lowest and the highest
   of each part, in their order.                                            */
static bool ga__f_thin(const char *fn, ga__panel *p, const double *x,
                       const double *y, int64_t n, int64_t step,
                       const char *label, char line, char point) {
    int64_t most = line ? GA__F_CURVE : GA__F_POINTS, m = 0;
    bool both = line && n > 2 * most;
    int64_t parts = both || (!line && n > most) ? most : n;
    ga__curve *c = ga__f_add(fn, p, both ? 2 * parts : parts, label);
    if (!c) return false;
    c->line = line;
    c->point = point;
    for (int64_t k = 0; k < parts; k++) {
        int64_t from = n / parts * k + n % parts * k / parts, low = from;
        int64_t to = n / parts * (k + 1) + n % parts * (k + 1) / parts;
        int64_t high = from;
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
    ga__panel *p = ga__f_begin(fn, &f);
    if (!p) return NULL;
    if (x == GA_NONE) x = NULL;
    bool ok = ga__ok(fn, y) && (!x || ga__ok(fn, x));
    if (ok && (y->ndim < 1 || y->ndim > 2
               || (x && (x->ndim != 1 || x->shape[0] != y->shape[0])))) {
        ok = false;
        ga__fail(GA_ERR_SHAPE, fn, "y %s, x %s: y has 1 axis or 2, x as many "
                 "elements as y has rows", ga__shape_text(y->ndim, y->shape),
                 x ? ga__shape_text(x->ndim, x->shape) : "NULL");
    }
    if (ok && !ga__f_style(style, &line, &point)) {
        ok = false;
        ga__fail(GA_ERR_VALUE, fn, "style \"%s\": \"-\", \"--\", \"-.\" or \":\""
                 ", \"o\", \"s\", \"^\", \"x\" or \".\", or one of each", style);
    }
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
    ga__panel *p = ga__f_begin("ga_annotate", &f);
    ga__curve *c = p ? ga__f_add("ga_annotate", p, 1, text) : NULL;
    if (c) {
        c->note = true;
        c->x[0] = x;
        c->y[0] = y;
    }
    return ga__f_end(f, c != NULL);
}
GA_API ga_figure *ga_hist(ga_figure *f, const ga_array *x, ga_bins bins,
                          const char *label) {
    static const char fn[] = "ga_hist";
    ga__panel *p = ga__f_begin(fn, &f);
    if (!p) return NULL;
    ga_array *edges = NULL, *n = ga__ok(fn, x)
        ? (ga_histogram)(x, bins, GA_NONE, 0, &edges) : NULL;
    double *to = n && edges ? ga__f_numbers(fn, edges) : NULL;
    double *count = to ? ga__f_numbers(fn, n) : NULL;
    ga__curve *c = count ? ga__f_add(fn, p, n->size, label) : NULL;
    if (c) {
        c->bars = true;
        c->line = '-';
        memcpy(c->x, to, (size_t)(c->n + 1) * sizeof *to);
        memcpy(c->y, count, (size_t)c->n * sizeof *count);
    }
    GA_FREE(to);
    GA_FREE(count);
    ga_free(n);
    ga_free(edges);
    return ga__f_end(f, c != NULL);
}
GA_API ga_figure *ga_imshow(ga_figure *f, const ga_array *x, unsigned flags) {
    static const char fn[] = "ga_imshow";
    ga__panel *p = ga__f_begin(fn, &f);
    if (!p) return NULL;
    if (!ga__ok(fn, x)
        || !ga__f_refuse(x->ndim == 2 && x->size, GA_ERR_SHAPE, fn,
                         "an image has two axes, and elements")
        || !ga__f_refuse(flags <= GA_GREY, GA_ERR_VALUE, fn,
                         "flags are GA_GREY or 0"))
        return ga__f_end(f, false);
    int64_t r = (x->shape[0] + GA__F_PIXELS - 1) / GA__F_PIXELS;
    int64_t c = (x->shape[1] + GA__F_PIXELS - 1) / GA__F_PIXELS;
    ga_array *seen = (ga_slice)(x, "::%" PRId64 ", ::%" PRId64, r, c);
    double *v = seen ? ga__f_numbers(fn, seen) : NULL;
    if (v) {
        GA_FREE(p->image);
        p->image = v;
        p->rows = seen->shape[0];
        p->cols = seen->shape[1];
        p->of[0] = x->shape[0];
        p->of[1] = x->shape[1];
        p->grey = flags & GA_GREY;
    }
    ga_free(seen);
    return ga__f_end(f, v != NULL);
}

/* =============================================================== >>i-scale */
/* One axis: numbers lo..hi to pixels from..to. */
typedef struct ga__axis_of {
    double lo, hi, from, to;
    bool log;
} ga__axis_of;
static double ga__f_at(const ga__axis_of *a, double v) {
    double t = a->log ? (log10(v) - log10(a->lo)) / (log10(a->hi) - log10(a->lo))
                      : (v - a->lo) / (a->hi - a->lo);
    return a->from + t * (a->to - a->from);
}
static bool ga__f_seen(const ga__axis_of *a, double v) {
    return isfinite(v) && (!a->log || v > 0);
}
/* From the least to the largest of what a panel's curves and notes have. */
static void ga__f_range(const ga__panel *p, int of, ga__axis_of *a) {
    double lo = INFINITY, hi = -INFINITY;
    bool bars = false;
    for (const ga__curve *c = p->curve; c < p->curve + p->curves; c++) {
        const double *v = of ? c->y : c->x;
        bars |= c->bars;
        for (int64_t i = 0; i < c->n + (c->bars && !of); i++) {
            if (!ga__f_seen(a, v[i])) continue;
            if (v[i] < lo) lo = v[i];
            if (v[i] > hi) hi = v[i];
        }
    }
    if (bars && of && !a->log && lo > 0) lo = 0;
    if (!(lo <= hi)) lo = 1, hi = 10;
    if (a->log) {
        double wide = lo < hi ? pow(hi / lo, 0.04) : 2;
        lo = fmax(lo / wide, DBL_MIN);
        hi = fmin(hi * wide, DBL_MAX);
    } else {
        double wide = lo < hi ? 0.04 * (hi / 2 - lo / 2) * 2
                      : lo != 0 ? fabs(lo) / 2 : 0.5;
        lo = bars && of && lo >= 0 ? 0 : fmax(lo - wide, -DBL_MAX / 4);
        hi = fmin(hi + wide, DBL_MAX / 4);
    }
    a->lo = lo;
    a->hi = hi;
}
/* One of 1, 2, 5 times a power of ten: up to `most` of them in a range. */
static double ga__f_step(double range, int most) {
    double ten = pow(10, floor(log10(range / most)));
    return range / most <= 2 * ten ? 2 * ten
           : range / most <= 5 * ten ? 5 * ten : 10 * ten;
}
typedef struct ga__f_tick { double v; bool named; } ga__f_tick;
enum { GA__F_TICKS = 96 };
/* Where the ticks are; *ten: the power of ten that labels leave out. */
static int ga__f_ticks(const ga__axis_of *a, int most, ga__f_tick *t, int *ten) {
    int n = 0;
    *ten = 0;
    double lo = fmin(a->lo, a->hi), hi = fmax(a->lo, a->hi);
    if (a->log) {
        int from = (int)floor(log10(lo)), to = (int)floor(log10(hi));
        int every = (to - from) / most + 1;
        for (int e = from; e <= to; e++)
            for (int k = 1; k < 10 && n < GA__F_TICKS; k++) {
                double v = k * pow(10, e);
                bool few = to - from < 2;
                if (v < lo || v > hi || (k > 1 && to - from > 6)) continue;
                if (k == 1 && (e - from) % every) continue;
                t[n].v = v;
                t[n++].named = k == 1 || (few && (k == 2 || k == 5));
            }
        return n;
    }
    double step = ga__f_step(hi - lo, most);
    double at = ceil(lo / step - 1e-9);
    for (; (at <= hi / step + 1e-9) && n < GA__F_TICKS; at++, n++) {
        t[n].v = at * step;
        t[n].named = true;
    }
    double large = fmax(fabs(lo), fabs(hi));
    int e = (int)floor(log10(large));
    if (e >= 5 || e <= -4) *ten = e;
    return n;
}

/* ================================================================= >>i-png */
static void ga__f_big(unsigned char *p, uint32_t v) {
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(v >> (24 - 8 * i));
}
/* What a PNG file is made of, appended to *p. */
static void ga__f_chunk(unsigned char **p, const char *kind,
                        const unsigned char *data, size_t n) {
    unsigned char *to = *p;
    ga__f_big(to, (uint32_t)n);
    memcpy(to + 4, kind, 4);
    if (n) memcpy(to + 8, data, n);
    ga__f_big(to + 8 + n, ga__crc(0, to + 4, n + 4));
    *p = to + 12 + n;
}
/* n bytes as a zlib stream: by zlib, or stored as they are. `to` has room for
   ga__f_packed(n) bytes; returns how many it got, 0 where zlib fails.       */
#ifdef GPUARR_USE_ZLIB
static size_t ga__f_packed(size_t n) { return (size_t)compressBound((uLong)n); }
static size_t ga__f_pack(unsigned char *to, const unsigned char *from, size_t n) {
    uLongf got = (uLongf)ga__f_packed(n);
    return compress2(to, &got, from, (uLong)n, 6) == Z_OK ? (size_t)got : 0;
}
#else
static size_t ga__f_packed(size_t n) { return n + (n / 65535 + 1) * 5 + 6; }
static size_t ga__f_pack(unsigned char *to, const unsigned char *from, size_t n) {
    unsigned char *p = to;
    uint32_t a = 1, b = 0;
    *p++ = 0x78;
    *p++ = 1;
    for (size_t at = 0; at < n || !at;) {
        size_t m = n - at < 65535 ? n - at : 65535;
        *p++ = at + m == n;         /* the last block                       */
        *p++ = (unsigned char)m;
        *p++ = (unsigned char)(m >> 8);
        *p++ = (unsigned char)~m;
        *p++ = (unsigned char)(~m >> 8);
        memcpy(p, from + at, m);
        p += m;
        at += m ? m : 1;
    }
    for (size_t i = 0; i < n; i++) {
        a = (a + from[i]) % 65521;
        b = (b + a) % 65521;
    }
    ga__f_big(p, b << 16 | a);
    return (size_t)(p + 4 - to);
}
#endif
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
    char line[4 * 256];
    size_t m = 0;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)p[i] << 16;
        if (i + 1 < n) v |= (uint32_t)p[i + 1] << 8;
        if (i + 2 < n) v |= p[i + 2];
        line[m++] = digit[v >> 18];
        line[m++] = digit[v >> 12 & 63];
        line[m++] = i + 1 < n ? digit[v >> 6 & 63] : '=';
        line[m++] = i + 2 < n ? digit[v & 63] : '=';
        if (m < sizeof line && i + 3 < n) continue;
        fwrite(line, 1, m, f);
        m = 0;
    }
}
/* rows x cols numbers from lo to hi as <image>'s href; NaN transparent. */
static ga_status ga__f_png(const char *fn, FILE *f, const double *v,
                           int64_t rows, int64_t cols, double lo, double hi,
                           bool grey) {
    unsigned char head[13] = {0}, colours[256 * 3], alpha[1] = {0};
    size_t bytes = (size_t)(rows * (cols + 1)), room = ga__f_packed(bytes);
    unsigned char *raw = (unsigned char *)GA_MALLOC(bytes + room);
    unsigned char *png = (unsigned char *)GA_MALLOC(room + 2048), *p = png;
    if (!raw || !png) {
        GA_FREE(raw);
        GA_FREE(png);
        return ga__fail(GA_ERR_HOST_MEMORY, fn, "%zu bytes", bytes);
    }
    for (int64_t i = 0; i < rows; i++) {
        raw[i * (cols + 1)] = 0;    /* rows as they are                     */
        for (int64_t j = 0; j < cols; j++) {
            double x = v[i * cols + j], t = (x / 2 - lo / 2) / (hi / 2 - lo / 2);
            raw[i * (cols + 1) + j + 1] = x != x ? 0
                : (unsigned char)(1 + 254 * fmin(fmax(t, 0), 1) + 0.5);
        }
    }
    size_t n = ga__f_pack(raw + bytes, raw, bytes);
    for (int k = 0; k < 256; k++) ga__f_colour(k, grey, colours + 3 * k);
    ga__f_big(head, (uint32_t)cols);
    ga__f_big(head + 4, (uint32_t)rows);
    head[8] = 8;                    /* bits, of a palette                   */
    head[9] = 3;
    memcpy(p, "\x89PNG\r\n\x1a\n", 8);
    p += 8;
    ga__f_chunk(&p, "IHDR", head, sizeof head);
    ga__f_chunk(&p, "PLTE", colours, sizeof colours);
    ga__f_chunk(&p, "tRNS", alpha, 1);
    ga__f_chunk(&p, "IDAT", raw + bytes, n);
    ga__f_chunk(&p, "IEND", NULL, 0);
    fputs("data:image/png;base64,", f);
    ga__f_base64(f, png, (size_t)(p - png));
    GA_FREE(raw);
    GA_FREE(png);
    return n ? GA_OK : ga__fail(GA_ERR_HOST_MEMORY, fn, "zlib has no memory");
}

/* ================================================================ >>i-draw */
/* Text with %p, a coordinate in pixels, with a point in any locale, %s, escaped
   text, %S, text as it is, and %d.                                          */
static void ga__f_emit(FILE *f, const char *text, ...) {
    va_list v;
    va_start(v, text);
    for (; *text; text++) {
        if (*text != '%') {
            fputc(*text, f);
        } else if (*++text == 'd') {
            fprintf(f, "%d", va_arg(v, int));
        } else if (*text == 'p') {
            double x = fmin(fmax(va_arg(v, double), -1e6), 1e6);
            long t = (long)floor(x * 10 + 0.5);
            fprintf(f, "%s%ld.%ld ", t < 0 ? "-" : "", labs(t) / 10, labs(t) % 10);
        } else {
            bool plain = *text == 'S';
            for (const char *s = va_arg(v, const char *); s && *s; s++)
                if (plain) fputc(*s, f);
                else if (*s == '&') fputs("&amp;", f);
                else if (*s == '<') fputs("&lt;", f);
                else if (*s == '\'') fputs("&#39;", f);
                else if ((unsigned char)*s >= 32) fputc(*s, f);
        }
    }
    va_end(v);
}
static void ga__f_word(FILE *f, double x, double y, const char *anchor,
                       const char *text) {
    ga__f_emit(f, "<text x='%p' y='%p' text-anchor='%S'>%s</text>\n", x, y,
               anchor, text);
}
static void ga__f_power(FILE *f, double x, double y, const char *anchor,
                        const char *times, int e) {
    ga__f_emit(f, "<text x='%p' y='%p' text-anchor='%S'>%S10<tspan dy='-5' "
               "font-size='9'>%d</tspan></text>\n", x, y, anchor, times, e);
}
/* A tick's number, without the power of ten that stands at the axis' end. */
static void ga__f_number(FILE *f, double x, double y, const char *anchor,
                         const ga__axis_of *a, double v, int ten) {
    char text[32], *s = text;
    double e = a->log ? log10(v) : 0, r = floor(e + 0.5);
    bool plain = fmin(a->lo, a->hi) > 9e-4 && fmax(a->lo, a->hi) < 2e5;
    if (a->log && fabs(e - r) < 1e-9 && !plain) {
        ga__f_power(f, x, y, anchor, "", (int)r);
        return;
    }
    snprintf(text, sizeof text, "%.6g", v == 0 ? 0 : v / pow(10, ten));
    for (; *s; s++) if (*s == ',') *s = '.';
    ga__f_word(f, x, y, anchor, text);
}
static void ga__f_axis(FILE *f, const ga__axis_of *a, bool vertical,
                       double across, double end) {
    ga__f_tick t[GA__F_TICKS];
    int ten, n = ga__f_ticks(a, vertical ? 6 : 7, t, &ten);
    for (int i = 0; i < n; i++) {
        double at = ga__f_at(a, t[i].v);
        double to = t[i].named ? end : across + (end > across ? 4 : -4);
        ga__f_emit(f, "<path class='%S' d='M%p%p%S%p'/>\n",
                   t[i].named ? "g" : "f", vertical ? across : at,
                   vertical ? at : across, vertical ? "H" : "V", to);
        if (t[i].named)
            ga__f_number(f, vertical ? across - 6 : at,
                         vertical ? at + 4 : across + 17,
                         vertical ? "end" : "middle", a, t[i].v, ten);
    }
    if (ten)
        ga__f_power(f, vertical ? across : a->to,
                    vertical ? a->to - 6 : across + 32,
                    vertical ? "start" : "end", "\xc3\x97", ten);
}
static const char *ga__f_point(char kind) {
    return kind == 's' ? "m-3.5-3.5h7v7h-7z" : kind == '^' ? "m0-4.5l4.2 7.5h-8.4z"
         : kind == 'x' ? "m-3.5-3.5l7 7m0-7l-7 7"
         : kind == '.' ? "m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0"
         : "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0";
}
/* The beginning of a path that looks like the k-th curve's line or points. */
static void ga__f_look(FILE *f, const ga__curve *c, int k, bool points) {
    static const char *const dash[] = {"none", "7 3", "2 3", "9 3 2 3", "12 4",
                                       "4 2"};
    bool fill = c->bars || (points && c->point != 'x');
    k %= GA__F_COLOURS;
    ga__f_emit(f, "<path class='%S%d' stroke-dasharray='%S' d='",
               fill ? "p" : "l", k, points || c->bars ? "none"
               : c->line == '=' ? "7 4" : c->line == ';' ? "8 3 2 3"
               : c->line == ':' ? "2 3" : dash[k]);
}
static void ga__f_curve(FILE *f, const ga__curve *c, int k, const ga__axis_of *x,
                        const ga__axis_of *y) {
    for (int points = 0; points < 2; points++) {
        bool down = false;
        if (!(points ? c->point : c->line)) continue;
        ga__f_look(f, c, k, points);
        for (int64_t i = 0; i < c->n; i++) {
            bool seen = ga__f_seen(x, c->x[i]) && ga__f_seen(y, c->y[i]);
            double px = seen ? ga__f_at(x, c->x[i]) : 0;
            double py = seen ? ga__f_at(y, c->y[i]) : 0;
            double base = ga__f_at(y, y->log ? y->lo : 0);
            if (seen && c->bars)
                ga__f_emit(f, "M%p%pV%pH%pV%pz", px, base, py,
                           ga__f_at(x, c->x[i + 1]) - 0.5, base);
            else if (seen)
                ga__f_emit(f, "%S%p%p%S", down && !points ? "L" : "M", px, py,
                           points ? ga__f_point(c->point) : "");
            down = seen;
        }
        fputs("'/>\n", f);
    }
}
/* In the corner where the fewest points are. */
static void ga__f_legend(FILE *f, const ga__panel *p, const ga__axis_of *x,
                         const ga__axis_of *y) {
    int n = 0;
    size_t longest = 0;
    for (const ga__curve *c = p->curve; c < p->curve + p->curves; c++) {
        if (!c->label[0] || c->note) continue;
        n++;
        if (strlen(c->label) > longest) longest = strlen(c->label);
    }
    if (!n) return;
    double wide = 46 + 6.6 * (double)longest, high = 17 * n + 6;
    double left = 0, top = 0, least = INFINITY;
    for (int corner = 0; corner < 4; corner++) {
        double l = corner & 1 ? x->from + 6 : x->to - wide - 6, in = 0;
        double t = corner & 2 ? y->from - high - 6 : y->to + 6;
        for (const ga__curve *c = p->curve; c < p->curve + p->curves; c++)
            for (int64_t i = 0; i < c->n; i++) {
                double px = ga__f_at(x, c->x[i]), py = ga__f_at(y, c->y[i]);
                in += px > l - 4 && px < l + wide + 4
                      && (c->bars ? py < t + high : py > t - 4)
                      && py < t + high + 4;
            }
        if (in < least) least = in, left = l, top = t;
    }
    ga__f_emit(f, "<rect class='b' x='%p' y='%p' width='%p' height='%p' "
               "opacity='0.8'/>\n", left, top, wide, high);
    double at = top + 12;
    for (int k = 0; k < p->curves; k++) {
        const ga__curve *c = &p->curve[k];
        if (!c->label[0] || c->note) continue;
        for (int points = 0; points < 2; points++) {
            if (!(points ? c->point : c->line)) continue;
            ga__f_look(f, c, k, points);
            if (points) ga__f_emit(f, "M%p%p%S'/>\n", left + 18, at,
                                   ga__f_point(c->point));
            else ga__f_emit(f, "M%p%pH%p%S'/>\n", left + 5, at, left + 31,
                            c->bars ? "v-7h-26z" : "");
        }
        ga__f_word(f, left + 38, at + 4, "start", c->label);
        at += 17;
    }
}
/* The image, and the bar beside it. */
static ga_status ga__f_image(const char *fn, FILE *f, const ga__panel *p,
                             const ga__axis_of *x, const ga__axis_of *y) {
    double scale[256];
    ga__axis_of a = {INFINITY, -INFINITY, y->from, y->to, false};
    for (int64_t i = 0; i < p->rows * p->cols; i++)
        if (isfinite(p->image[i])) {
            a.lo = fmin(a.lo, p->image[i]);
            a.hi = fmax(a.hi, p->image[i]);
        }
    if (!(a.lo <= a.hi)) a.lo = 0, a.hi = 1;
    if (a.lo == a.hi) a.lo -= 0.5, a.hi += 0.5;
    if (p->limited[2]) a.lo = p->lo[2], a.hi = p->hi[2];
    for (int i = 0; i < 256; i++) scale[i] = 255 - i;
    ga_status st = GA_OK;
    for (int bar = 0; bar < 2 && !st; bar++) {
        ga__f_emit(f, "<image preserveAspectRatio='none' style='image-rendering:"
                   "pixelated' x='%p' y='%p' width='%p' height='%p' href='",
                   bar ? x->to + 14 : x->from, y->to,
                   bar ? 14 : x->to - x->from, y->from - y->to);
        st = bar ? ga__f_png(fn, f, scale, 256, 1, 0, 255, p->grey)
             : ga__f_png(fn, f, p->image, p->rows, p->cols, a.lo, a.hi, p->grey);
        fputs("'/>\n", f);
    }
    ga__f_tick t[GA__F_TICKS];
    int ten, n = ga__f_ticks(&a, 6, t, &ten);
    for (int i = 0; i < n; i++)
        ga__f_number(f, x->to + 33, ga__f_at(&a, t[i].v) + 4, "start", &a, t[i].v,
                     ten);
    if (ten) ga__f_power(f, x->to + 14, y->to - 6, "start", "\xc3\x97", ten);
    return st;
}
/* Both axes' limits, and the box that they fill. */
static void ga__f_layout(const ga__panel *p, double left, double top,
                         ga__axis_of *x, ga__axis_of *y) {
    ga__axis_of *of[2] = {x, y};
    x->from = left + GA__F_LEFT;
    x->to = left + GA__F_WIDE - (p->image ? GA__F_BAR : GA__F_RIGHT);
    y->from = top + GA__F_HIGH - GA__F_BELOW;
    y->to = top + GA__F_TOP;
    double wide = x->to - x->from, high = y->from - y->to;
    if (p->image) {                 /* pixels' centres at their indices     */
        double rows = (double)p->of[0], cols = (double)p->of[1];
        double scale = fmin(wide / cols, high / rows);
        x->log = y->log = false;
        x->lo = y->hi = -0.5;
        x->hi = cols - 0.5;
        y->lo = rows - 0.5;
        x->from += (wide - fmax(scale * cols, 24)) / 2;
        x->to = x->from + fmax(scale * cols, 24);
        y->to += (high - fmax(scale * rows, 24)) / 2;
        y->from = y->to + fmax(scale * rows, 24);
        return;
    }
    for (int k = 0; k < 2; k++) {
        of[k]->log = p->scale >> k & 1;
        ga__f_range(p, k, of[k]);
        if (!p->limited[k] || (of[k]->log && p->lo[k] <= 0)) continue;
        of[k]->lo = p->lo[k];
        of[k]->hi = p->hi[k];
    }
    double per = fmax((x->hi - x->lo) / wide, (y->hi - y->lo) / high);
    for (int k = 0; k < 2 && p->scale & GA_EQUAL; k++) {
        double mid = of[k]->lo / 2 + of[k]->hi / 2;
        of[k]->lo = mid - per * (k ? high : wide) / 2;
        of[k]->hi = mid + per * (k ? high : wide) / 2;
    }
}
static ga_status ga__f_draw(const char *fn, FILE *f, const ga__panel *p, int id,
                            double left, double top) {
    ga__axis_of x, y;
    ga_status st = GA_OK;
    ga__f_layout(p, left, top, &x, &y);
    double mid = (x.from + x.to) / 2, half = (y.from + y.to) / 2;
    if (p->image) st = ga__f_image(fn, f, p, &x, &y);
    ga__f_axis(f, &x, false, y.from, p->image ? y.from + 4 : y.to);
    ga__f_axis(f, &y, true, x.from, p->image ? x.from - 4 : x.to);
    ga__f_emit(f, "<clipPath id='c%d'><path id='b%d' d='M%p%pH%pV%pH%pz'/>"
               "</clipPath>\n<g clip-path='url(#c%d)'>\n", id, id, x.from,
               y.from, x.to, y.to, x.from, id);
    for (int k = 0; k < p->curves; k++)
        ga__f_curve(f, &p->curve[k], k, &x, &y);
    ga__f_emit(f, "</g>\n<use href='#b%d' class='f'/>\n", id);
    for (const ga__curve *c = p->curve; c < p->curve + p->curves; c++)
        if (c->note && ga__f_seen(&x, c->x[0]) && ga__f_seen(&y, c->y[0]))
            ga__f_word(f, ga__f_at(&x, c->x[0]) + 6, ga__f_at(&y, c->y[0]) - 6,
                       "start", c->label);
    ga__f_legend(f, p, &x, &y);
    ga__f_word(f, mid, y.to - 12, "middle", p->text[2]);
    ga__f_word(f, mid, y.from + 37, "middle", p->text[0]);
    ga__f_emit(f, "<text transform='translate(%p %p) rotate(-90)' "
               "text-anchor='middle'>%s</text>\n", left + 16, half, p->text[1]);
    return st;
}
GA_API ga_status ga_savefig(ga_figure *f, const char *path) {
    static const char fn[] = "ga_savefig";
    static const char *const look[2][4 + GA__F_COLOURS] = {
        {"#fff", "#222", "#555", "#ddd", "#0b5394", "#e07b00", "#2c8c5a",
         "#b3206b", "#6a51a3", "#7f7f7f"},
        {"#15181c", "#ddd", "#999", "#33383e", "#6fb1f0", "#ffb454", "#6fd3a0",
         "#ff8cc4", "#b9a6ff", "#bdbdbd"}};
    ga__saving w;
    if (!ga__f_begin(fn, &f)) return ga__failed();
    ga_status st = path ? ga__save_begin(&w, fn, path)
                        : ga__fail(GA_ERR_NULL, fn, "the path is NULL");
    if (!st) {
        FILE *o = w.io.f;
        int wide = f->cols * GA__F_WIDE, high = f->rows * GA__F_HIGH;
        errno = 0;
        ga__f_emit(o, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d "
                   "%d' width='%d' height='%d' font-family='sans-serif' "
                   "font-size='12'>\n<style>\n", wide, high, wide, high);
        for (int dark = 0; dark < 2; dark++) {
            const char *const *c = look[dark];
            ga__f_emit(o, "%S.b{fill:%S}text{fill:%S}.f{stroke:%S;fill:none}"
                       ".g{stroke:%S}\n", dark ? "@media (prefers-color-scheme:"
                       " dark) {\n" : "", c[0], c[1], c[2], c[3]);
            for (int k = 0; k < GA__F_COLOURS; k++)
                ga__f_emit(o, ".l%d{stroke:%S;fill:none;stroke-width:1.6}"
                           ".p%d{fill:%S;fill-opacity:.8}\n", k, c[4 + k], k,
                           c[4 + k]);
        }
        ga__f_emit(o, "}</style>\n<rect class='b' width='%d' height='%d'/>\n",
                   wide, high);
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
#endif /* GPUARR_PLOT_DONE */
