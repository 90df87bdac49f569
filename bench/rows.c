/* rows.c - the grid: every row of gpuarr.h's tables, by dtype and layout, as
   cases; one JSON line each.

     {"case": "ew/add/f32/row", "impl": "gpuarr", "median_ms": 0.0315,
      "limit_ms": 0.0309}

   rows [--device=cpu|0] [--out=FILE] [--class=ew,red] [--cases=substring]
        [--shard=k/n] [--every=n] [--budget=seconds] [--cpu-time] [--small]
        [--list]

   --out     adds to FILE and leaves out the cases that it has; else stdout
   --class   ew, cast, red, scan, rand, small, prod, la, expr; sort, sel, idx, stat,
             shape, soft, fft: those alone. jit, expr compiled at run time: in
             rows_jit, this file built with -DROWS_JIT
   --shard   the k-th of n parts of the cases;  --every: one of n, by its name
   --budget  no case is begun after so many seconds; what is left is counted
   --cpu-time  the process's own time: of one thread on a machine that is shared
   --small   small arrays and one sample: does it work?
   --list    the cases and their operands, for rows_peers.py; runs nothing

   The operation tables make the cases: a new row is in the grid by itself. Its
   result is checked where rows_check.h can compute it on the host ("check": 0
   says where not); a wrong one prints no time and the program ends with 1.
   limit_ms: see limit_of(). Medians of samples that agree within 2%. A case that
   would take more than a second is left out: "over_ms", see part_ms().     */
#ifdef ROWS_JIT
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "gpuarr_rtc.h"
enum { jit = true };
#else
#include "gpuarr.h"
enum { jit = false };
#define ga_expr_jit(e) (void)(e)
#endif
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef GPUARR_NO_CUDA
double limit_copy_rate(int64_t bytes);
double limit_fill_rate(int64_t bytes);
double limit_read_rate(int64_t bytes);
double limit_launch_ms(void);
int plain_has(const char *row, const char *dtype);
double plain_ms(const char *row, const char *dtype, const void *x, const void *y,
                void *out, int64_t n);
#endif

static struct {
    const char *class, *cases, *out;
    int shard, shards, every;
    double budget;
    bool small, list, cpu_time;
} opt = {.cases = "", .shard = 1, .shards = 1, .every = 1, .budget = 1e9};
static bool gpu;
static const char *impl = "gpuarr";

/* --------------------------------------------------------------- the cases */
/* An operand: `view` of an array of shape `base`: "" for all of it, "T"
   transposed, else ga_slice's text. kind: 'u' uniform in lo .. hi, '0' zeros,
   '1' ones, 't' zeros that are only written, '-' no array at all, only its shape;
   'i' whole numbers, 's' sorted, 'q' and 'Q' a permutation in each row, column;
   of square matrices 'p' positive definite, 'h' Hermitian, 'l' lower triangular. */
typedef struct operand {
    ga_dtype t;
    ga_shape base;
    const char *view;
    double lo, hi;
    char kind;
    int nth;                        /* of its case: numbers of its own      */
} operand;

typedef struct row row;
typedef struct rcase rcase;
typedef struct state {
    const rcase *c;
    ga_array *x[4], *out, *r[4];
    ga_expr *expr;
} state;
enum limit { NO_LIMIT, COPY, READ, FILL, LAUNCH };
/* How a result was found: wrong, not looked at, right. */
enum verdict { WRONG, UNCHECKED, RIGHT };

struct rcase {
    char name[72];
    const row *r;
    ga_dtype t;                     /* that the row computes in             */
    operand in[4];
    int nin;
    void (*body)(state *);
    enum verdict (*check)(state *);
    enum limit limit;
    bool host;                      /* the host's time of a call counts     */
    bool expr;                      /* form is an expression's text         */
    bool matrices;                  /* its time may be anything: part_ms()  */
    ga_axis axis;
    const char *form;               /* of the call, for the peers           */
    double par[3];                  /* of a distribution; numbers of a call */
    int npar;
    const void *more;               /* what a class needs beside            */
};

static double now_ms(void) {
    return opt.cpu_time ? 1e3 * (double)clock() / CLOCKS_PER_SEC : 1e3 * ga_time();
}
static const char *short_name(ga_dtype t) {
    static const char *const name[] = {"b1", "i8", "i16", "i32", "i64", "u8", "u16", "u32",
        "u64", "f16", "bf16", "f32", "f64", "c64", "c128"};
    return name[t];
}
static bool is_complex(ga_dtype t) { return t == GA_COMPLEX64 || t == GA_COMPLEX128; }
static bool is_float(ga_dtype t) { return t >= GA_FLOAT16 && t <= GA_FLOAT64; }
static bool is_int(ga_dtype t) { return t >= GA_INT8 && t <= GA_UINT64; }
static bool is_unsigned(ga_dtype t) { return t >= GA_UINT8 && t <= GA_UINT64; }
/* Does the row compute in t, without a cast? */
static bool native(int types, ga_dtype t) {
    return types & (t == GA_BOOL ? GA__B : is_int(t) ? GA__I : is_float(t) ? GA__F : GA__C)
           && !(t == GA_BOOL && types & GA__N);
}
static int64_t volume(ga_shape s) {
    int64_t n = 1;
    for (int i = 0; i < s.ndim; i++) n *= s.dim[i];
    return n;
}

/* ---------------------------------------------------------------- operands */
static operand operand_of(ga_dtype t, ga_shape base, const char *view, double lo, double hi,
                          char kind) {
    return (operand){t, base, view, lo, hi, kind, 0};
}
/* The last ones made, by what they are. */
#define KEPT 12
static struct kept { operand o; ga_array *a; } kept[KEPT];
static int next_kept;

/* Uniform numbers, the same in every run; complex: both parts. */
static ga_array *uniform(ga_shape s, ga_dtype t, double lo, double hi) {
    if (is_complex(t)) {
        ga_dtype part = t == GA_COMPLEX64 ? GA_FLOAT32 : GA_FLOAT64;
        ga_array *z = ga_empty(s, t);
        ga_assign(ga_real(z), ga_random_uniform(lo, hi, s, part));
        ga_assign(ga_imag(z), ga_random_uniform(lo, hi, s, part));
        return z;
    }
    if (t == GA_BOOL) return ga_random_integers(0, 2, s, t);
    if (!is_int(t)) return ga_random_uniform(lo, hi, s, t);
    if (is_unsigned(t) && lo < 0) lo = 0;
    if (t == GA_INT8 || t == GA_UINT8) hi = fmin(hi, 120);
    return ga_random_integers((int64_t)ceil(lo), (int64_t)floor(hi) + 1, s, t);
}
static ga_array *hermitian(const ga_array *a) {
    return ga_conj(ga_swapaxes(a, -2, -1));
}
static ga_array *make(const operand *o) {
    ga_random_seed(1 + (uint64_t)o->nth);
    if (o->kind == '0' || o->kind == 't') return ga_zeros(o->base, o->t);
    if (o->kind == '1') return ga_ones(o->base, o->t);
    if (o->kind == 'i')
        return ga_astype(uniform(o->base, GA_INT32, o->lo, o->hi), o->t);
    if (o->kind == 'q' || o->kind == 'Q')
        return ga_argsort(uniform(o->base, GA_FLOAT32, 0, 1), GA_AXIS(-(o->kind == 'q')), 0);
    ga_array *a = uniform(o->base, o->t, o->lo, o->hi);
    if (o->kind == 'u') return a;
    if (o->kind == 's') return ga_sort(a, GA_AXIS(-1), 0);
    int64_t n = o->base.dim[o->base.ndim - 1];
    ga_array *i = ga_identity(n, o->t);
    if (o->kind == 'h') return ga_add(a, hermitian(a));
    if (o->kind == 'p') return ga_add(ga_div(ga_matmul(a, hermitian(a)), (double)n), i);
    /* a unit diagonal and little below it: well conditioned */
    ga_array *below = ga_greater(ga_expand_dims(ga_arange(0, n, 1), GA_AXIS(1)),
                                 ga_arange(0, n, 1));
    return ga_add(ga_mul(ga_mul(a, ga_astype(below, o->t)), 1.0 / (double)n), i);
}
static bool same_operand(const operand *a, const operand *b) {
    return a->t == b->t && a->kind == b->kind && a->lo == b->lo && a->hi == b->hi
           && a->nth == b->nth && a->base.ndim == b->base.ndim
           && !memcmp(a->base.dim, b->base.dim, (size_t)a->base.ndim * sizeof(int64_t));
}
/* The array under an operand, kept for the cases that follow. */
static ga_array *base_of(const operand *o) {
    for (int i = 0; i < KEPT; i++)
        if (kept[i].a && same_operand(&kept[i].o, o)) return kept[i].a;
    struct kept *k = &kept[next_kept++ % KEPT];
    ga_free(k->a);
    k->a = NULL;
    GA_SCOPE;
    k->o = *o;
    ga_array *made = make(o);
    k->a = made ? ga_detach(made) : NULL;
    return k->a;
}
static ga_array *viewed(const ga_array *a, const char *view) {
    return !*view ? ga_view(a) : *view == 'T' ? ga_transpose(a, GA_ALL)
                                              : ga_slice(a, "%s", view);
}

/* ------------------------------------------------------------------ limits */
/* Milliseconds of a plain copy (bytes read and written together), read or fill
   of so many bytes: measured at several sizes, in between by a line.       */
#define SIZES 9
static double rate_ms[3][SIZES], launch_ms;
static double rate_bytes[SIZES];

static void measure_limits(void) {
#ifndef GPUARR_NO_CUDA
    for (int i = 0; i < SIZES; i++) {
        double b = rate_bytes[i] = (double)((int64_t)1 << (21 + i));
        rate_ms[0][i] = b / limit_copy_rate((int64_t)b / 2);
        rate_ms[1][i] = b / limit_read_rate((int64_t)b);
        rate_ms[2][i] = b / limit_fill_rate((int64_t)b);
    }
    launch_ms = limit_launch_ms();
#endif
}
static double at_rate(int kind, double bytes) {
    int i = 0;
    if (bytes < rate_bytes[0])
        return fmax(launch_ms, rate_ms[kind][0] * bytes / rate_bytes[0]);
    while (i < SIZES - 2 && rate_bytes[i + 1] < bytes) i++;
    if (bytes >= rate_bytes[SIZES - 1])
        return rate_ms[kind][SIZES - 1] * bytes / rate_bytes[SIZES - 1];
    double f = (bytes - rate_bytes[i]) / (rate_bytes[i + 1] - rate_bytes[i]);
    return rate_ms[kind][i] + f * (rate_ms[kind][i + 1] - rate_ms[kind][i]);
}
/* Bytes that must pass: of every second element of a line the whole line. */
static double touched(const operand *o, const ga_array *view) {
    bool lines = strstr(o->view, "::2") != NULL;
    return (double)(lines ? volume(o->base) : view->size) * (double)ga_dtype_size(o->t);
}
static double bytes_of(const state *s) {
    double b = 0;
    for (int i = 0; i < s->c->nin; i++)
        if (s->x[i] && s->c->in[i].kind != 't') b += touched(&s->c->in[i], s->x[i]);
    for (int i = 0; i < 4; i++)
        if (s->r[i]) b += (double)s->r[i]->size * (double)ga_dtype_size(s->r[i]->dtype);
    if (s->out) b += (double)s->out->size * (double)ga_dtype_size(s->out->dtype);
    return b;
}
struct row {
    const char *name;
    int types, nin;
    double ulp, lo, hi;
    ga_array *(*f1)(const ga_array *);
    ga_status (*into1)(ga_array *, const ga_array *);
    ga_array *(*f2)(const ga_array *, const ga_array *);
    ga_status (*into2)(ga_array *, const ga_array *, const ga_array *);
    void (*special)(state *);
};
/* The plain CUDA kernel of that one function on contiguous arrays of as many
   elements (rows_plain.cu): measured once a row and dtype, in proportion. 0:
   there is none.                                                           */
static double plain_of(const state *s) {
#ifndef GPUARR_NO_CUDA
    static const row *of;
    static ga_dtype type;
    static double per_element;
    const row *r = s->c->r;
    ga_dtype t = s->c->t;
    int64_t n = s->out->size;
    if (!plain_has(r->name, short_name(t))) return 0;
    if (r != of || t != type) {
        GA_SCOPE;
        ga_random_seed(1);
        ga_array *x = uniform(GA_SHAPE(n), t, r->lo, r->hi);
        ga_array *y = uniform(GA_SHAPE(n), t, r->lo, r->hi);
        ga_array *out = ga_empty(GA_SHAPE(n), s->out->dtype);
        ga_synchronize();
        of = r, type = t;
        per_element = x && y && out ? plain_ms(r->name, short_name(t), x->data, y->data,
                                               out->data, n) / (double)n : 0;
    }
    return per_element * (double)n;
#else
    (void)s;
    return 0;
#endif
}
/* What the card allows: the bytes at a plain copy's, read's or fill's rate of
   as many bytes, or a plain kernel of the one function, whichever is longer;
   a bare launch for small calls. 0 on the CPU device.                      */
static double limit_of(const state *s) {
    const rcase *c = s->c;
    if (!gpu || c->limit == NO_LIMIT) return 0;
    if (c->limit == LAUNCH) return launch_ms;
    double ms = at_rate(c->limit == COPY ? 0 : c->limit == READ ? 1 : 2, bytes_of(s));
    if (c->limit == COPY && c->r && s->out) ms = fmax(ms, plain_of(s));
    return ms;
}

/* ------------------------------------------------------------------ timing */
#define SAMPLES 35
static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static bool stable(double *ms, int n) {
    qsort(ms, (size_t)n, sizeof *ms, by_value);
    return ms[n * 3 / 4] - ms[n / 4] <= 0.02 * ms[n / 2];
}
/* A batch of samples of `inner` calls each, by events where there is a GPU. */
static void sample(state *s, double *ms, int n, int inner) {
    static ga_event *e[8];
    if (gpu && !s->c->host) {
        for (int i = 0; i <= n; i++) {
            if (!e[i]) e[i] = ga_event_create();
            for (int k = 0; i && k < inner; k++) s->c->body(s);
            ga_event_record(e[i], NULL);
        }
        for (int i = 0; i < n; i++) ms[i] = ga_event_elapsed(e[i], e[i + 1]) / inner;
        return;
    }
    for (int i = 0; i < n; i++) {
        double t = now_ms();
        for (int k = 0; k < inner; k++) s->c->body(s);
        if (!s->c->host) ga_synchronize();
        ms[i] = (now_ms() - t) / inner;
        if (s->c->host) ga_synchronize();
    }
}
/* One call that has ended, in milliseconds. */
static double call_ms(state *s) {
    double t = now_ms();
    s->c->body(s);
    ga_synchronize();
    return now_ms() - t;
}
/* The median of enough samples to agree; NaN where the call fails. The first
   call, which may load a library or compile, counts only where part_ms() has
   called before and it takes longer than is waited for twice.              */
#define MOST_MS 1000.0
static double time_case(state *s) {
    double ms[SAMPLES], once = call_ms(s);
    int n = 0, batch = opt.small ? 1 : gpu ? 7 : 3;
    double most = opt.small ? 2 : 25;       /* ms in all                  */
    if (!ga_error() && !(s->c->matrices && once > 2 * MOST_MS)) once = call_ms(s);
    if (ga_error()) return NAN;
    if (once > 100) return once;    /* long enough to be sure               */
    double least = s->c->host ? opt.small ? 0.02 : 0.5 : gpu ? 0.1 : 0.05;
    int inner = once >= least ? 1 : (int)(least / fmax(once, 2e-4)) + 1;
    if (s->c->host && inner > 256) inner = 256;
    double began = now_ms();
    do {
        int now = n + batch > SAMPLES ? SAMPLES - n : batch;
        if (once > most) now = opt.small ? 1 : 2;
        sample(s, ms + n, now, inner);
        n += now;
    } while (n < SAMPLES && now_ms() - began < most && !stable(ms, n));
    qsort(ms, (size_t)n, sizeof *ms, by_value);
    return ga_error() ? NAN : ms[n / 2];
}

/* ------------------------------------------------------------- one case */
static FILE *to;
static char *done;                  /* names in --out, "\n" around each     */
static int64_t count, ran, left, over, bad, absent, unchecked;
static double began;

static uint64_t hash(const char *s) {
    uint64_t h = 0xcbf29ce484222325u;
    while (*s) h = (h ^ (unsigned char)*s++) * 0x100000001b3u;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 31;
}
static bool chosen(const char *name) {
    char class[16], find[80];
    snprintf(class, sizeof class, "%.*s", (int)strcspn(name, "/"), name);
    if (opt.class) {
        snprintf(find, sizeof find, ",%s,", class);
        char *all = malloc(strlen(opt.class) + 3);
        if (!all) exit(1);
        sprintf(all, ",%s,", opt.class);
        bool in = strstr(all, find) != NULL;
        free(all);
        if (!in) return false;
    }
    if (!strstr(name, opt.cases) || hash(name) % (uint64_t)opt.every) return false;
    if (count++ % opt.shards != opt.shard - 1) return false;
    snprintf(find, sizeof find, "\n%s\n", name);
    return !done || !strstr(done, find);
}
static void list_shape(ga_shape s) {
    printf("[");
    for (int i = 0; i < s.ndim; i++) printf("%s%" PRId64, i ? ", " : "", s.dim[i]);
    printf("]");
}
static void list(const rcase *c) {
    printf("{\"case\": \"%s\", \"form\": \"%s\", \"in\": [", c->name, c->form);
    for (int i = 0; i < c->nin; i++) {
        const operand *o = &c->in[i];
        printf("%s{\"t\": \"%s\", \"base\": ", i ? ", " : "", ga_dtype_name(o->t));
        list_shape(o->base);
        printf(", \"view\": \"%s\", \"lo\": %.12g, \"hi\": %.12g, \"kind\": \"%c\"}", o->view,
               o->lo, o->hi, o->kind);
    }
    printf("], \"axis\": ");
    if (c->axis.n == 1) printf("%d", c->axis.axis[0]);
    else printf("null");
    printf(", \"par\": [");
    for (int i = 0; i < c->npar; i++) printf("%s%.12g", i ? ", " : "", c->par[i]);
    printf("], \"of\": \"%s\"}\n", c->r ? "ew" : "red");
}
static void report(const char *name, double ms, double limit, enum verdict v) {
    fprintf(to, "{\"case\": \"%s\", \"impl\": \"%s\", \"median_ms\": %.4g", name, impl, ms);
    if (limit > 0) fprintf(to, ", \"limit_ms\": %.4g", limit);
    if (v == UNCHECKED) fprintf(to, ", \"check\": 0");
    fprintf(to, "}\n");
    fflush(to);
}
static void free_results(state *s) {
    ga_free(s->out);
    for (int i = 0; i < 4; i++) ga_free(s->r[i]);
}
/* What a call on matrices should take, by one on a part of them: of a batch at
   most 100 and at most a hundredth, of a large matrix the first half of rows and
   columns, an eighth of the arithmetic. 0: it is small. A call that loops over a batch can
   take a minute.                                                           */
static double part_ms(const state *s) {
    const ga_array *a = s->x[0];
    int64_t n = a->shape[a->ndim - 1], b = a->ndim > 2 ? a->shape[0] : 1;
    int64_t part = b < 100 ? 1 : b < 10000 ? b / 100 : 100;
    double times = b > 1 ? (double)b / (double)part : 8, ms;
    if (b == 1 && n < 512) return 0;
    GA_SCOPE;
    state p = {.c = s->c};
    for (int i = 0; i < s->c->nin; i++) {
        const ga_array *x = s->x[i];
        p.x[i] = b > 1 ? ga_slice_axis(x, 0, 0, part, 1)
                       : ga_slice_axis(x, 0, 0, x->shape[0] / 2, 1);
        if (b == 1 && i == 0) p.x[i] = ga_slice_axis(p.x[i], 1, 0, n / 2, 1);
    }
    ms = call_ms(&p);
    if (ms * times > MOST_MS && !ga_error()) ms = call_ms(&p);  /* the first may load */
    free_results(&p);
    return ms * times;
}
static void set_out(state *s, ga_array *a) {
    ga_free(s->out);
    s->out = a ? ga_detach(a) : NULL;
}
static void set_results(state *s, ga_array *a, ga_array *b, ga_array *c, ga_array *d) {
    ga_array *r[] = {a, b, c, d};
    for (int i = 0; i < 4; i++) {
        ga_free(s->r[i]);
        s->r[i] = r[i] ? ga_detach(r[i]) : NULL;
    }
}
/* Makes the operands, times, checks, prints. A call that this build lacks
   (no LAPACK) is left out with a word.                                     */
static void run(const rcase *c) {
    if (!chosen(c->name)) return;
    if (opt.list) {
        list(c);
        return;
    }
    if (now_ms() - began > 1e3 * opt.budget) {
        left++;
        return;
    }
    GA_SCOPE;
    state s = {.c = c};
    for (int i = 0; i < c->nin; i++) {
        operand o = c->in[i];
        o.nth = i;
        if (o.kind != '-') s.x[i] = viewed(base_of(&o), o.view);
    }
    if (c->expr) s.expr = ga_expr_compile(c->form, "x, y, z");
    if (s.expr) ga_expr_jit(s.expr);
    double most = c->matrices && !opt.small && !ga_error() ? part_ms(&s) : 0;
    if (most > MOST_MS && !ga_error()) {
        fprintf(to, "{\"case\": \"%s\", \"impl\": \"%s\", \"over_ms\": %.3g}\n", c->name, impl,
                most);
        fflush(to);
        over++;
        return;
    }
    double ms = ga_error() ? NAN : time_case(&s);
    enum verdict v = ms == ms && c->check ? c->check(&s) : UNCHECKED;
    if (ga_error()) {
        fprintf(stderr, "rows: %s: %s\n", c->name, ga_error_message());
        ga_status e = ga_error();       /* not there: no LAPACK, a dtype    */
        if (e == GA_ERR_LIBRARY || e == GA_ERR_DTYPE || e == GA_ERR_UNSUPPORTED) absent++;
        else bad++;
        ga_clear_error();
    } else if (v == WRONG) {
        bad++;
    } else {
        ran++;
        unchecked += v == UNCHECKED;
        report(c->name, ms, limit_of(&s), v);
    }
    ga_expr_free(s.expr);
    free_results(&s);
}

#include "rows_check.h"
#include "rows_tables.h"
#include "rows_linalg.h"
#include "rows_expr.h"
#include "rows_vocab.h"

/* -------------------------------------------------------------------- main */
/* The names of the cases that a file has. */
static void resume(const char *path) {
    FILE *f = fopen(path, "r");
    char line[512];
    size_t n = 1, room = 1 << 16;
    if (!f) return;
    done = malloc(room);
    if (!done) exit(1);
    strcpy(done, "\n");
    while (fgets(line, sizeof line, f)) {
        char name[72], who[16];
        if (sscanf(line, "{\"case\": \"%71[^\"]\", \"impl\": \"%15[^\"]\"", name, who) != 2
            || strcmp(who, impl))
            continue;
        if (n + sizeof name + 2 > room) done = realloc(done, room *= 2);
        if (!done) exit(1);
        n += (size_t)sprintf(done + n, "%s\n", name);
    }
    fclose(f);
}
static bool option(const char *a, const char *name, const char **value) {
    size_t n = strlen(name);
    if (strncmp(a, name, n)) return false;
    *value = a + n;
    return true;
}
static void about(void) {
    ga_device_properties p;
    const char *threads = getenv("OMP_NUM_THREADS"), *commit = getenv("COMMIT");
    ga_device_info(ga_device(), &p);
    fprintf(to, "{\"about\": {\"impl\": \"%s\", \"device\": \"%s\", \"commit\": \"%s\", "
            "\"threads\": \"%s\"", impl, p.name, commit ? commit : "", threads ? threads : "");
    if (gpu) fprintf(to, ", \"copy_ms_64MB\": %.4g, \"launch_ms\": %.4g", rate_ms[0][5],
                     launch_ms);
    fprintf(to, "}}\n");
}

int main(int argc, char **argv) {
    const char *device = NULL, *v;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (option(a, "--device=", &device) || option(a, "--class=", &opt.class)
            || option(a, "--cases=", &opt.cases) || option(a, "--out=", &opt.out))
            continue;
        if (option(a, "--shard=", &v) && sscanf(v, "%d/%d", &opt.shard, &opt.shards) == 2
            && opt.shard > 0 && opt.shard <= opt.shards)
            continue;
        if (option(a, "--every=", &v) && (opt.every = atoi(v)) > 0) continue;
        if (option(a, "--budget=", &v) && (opt.budget = atof(v)) > 0) continue;
        if (!strcmp(a, "--small")) opt.small = true;
        else if (!strcmp(a, "--cpu-time")) opt.cpu_time = true;
        else if (!strcmp(a, "--list")) opt.list = true;
        else {
            fprintf(stderr, "rows: %s? See the head of bench/rows.c\n", a);
            return 2;
        }
    }
    gpu = device ? strcmp(device, "cpu") != 0 : ga_device_count() > 0;
    if (!opt.list || !gpu || ga_device_count() > 0)
        ga_set_device(gpu ? device ? atoi(device) : 0 : GA_CPU);
    if (ga_error()) {
        fprintf(stderr, "rows: %s\n", ga_error_message());
        return 1;
    }
    v = getenv("OMP_NUM_THREADS");
    if (!gpu && v && atoi(v) == 1) impl = "gpuarr_1";
    if (opt.out) resume(opt.out);
    to = opt.out ? fopen(opt.out, "a") : stdout;
    if (!to) {
        perror(opt.out);
        return 1;
    }
    began = now_ms();
    if (!opt.list) {
        if (gpu) measure_limits();
        about();
    }
    if (jit) {
        expression_cases("jit");
    } else {
        elementwise_cases();
        cast_cases();
        reduction_cases();
        scan_cases();
        random_cases();
        small_cases();
        product_cases();
        linalg_cases();
        expression_cases("expr");
        vocabulary_cases();
    }
    for (int i = 0; i < KEPT; i++) ga_free(kept[i].a);
    if (!opt.list)
        fprintf(stderr, "rows: %" PRId64 " cases in %.0f s, %" PRId64 " unchecked, %" PRId64
                " not there, %" PRId64 " failed, %" PRId64 " over, %" PRId64 " left\n", ran,
                (now_ms() - began) / 1e3, unchecked, absent, bad, over, left);
    if (opt.out) fclose(to);
    free(done);
    return bad ? 1 : 0;
}
