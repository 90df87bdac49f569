/* What only the file that holds the implementation can see, in one suite: each
   such file compiles all of it again. The blocks of >>i-pool, expressions in more
   launches than one, their cache, what their plans share, LAPACK's workspaces. */
#include <stdint.h>
static int64_t t_most = (int64_t)1 << 30;   /* elements of one launch       */
#define GA__E_MOST t_most
#define GA__POOL_TEST
#define GPUARR_IMPLEMENTATION
#include "test.h"

/* ------------------------------------------------------------ >>i-pool
   The pool without a device: what is mapped is a table, streams are counters.
   last[] says of each 512 bytes who has freed them, and which free it was.  */
enum { GRAIN = 2 << 20, UNIT = 512, NSTREAMS = 4 };
static struct fake {
    size_t room, mapped;                /* bytes that the device has        */
    char *base;
    unsigned char *there;               /* grains                           */
    struct { short by; uint32_t free; } *last;
    ga_stream s[NSTREAMS];
    uint64_t seen[NSTREAMS][NSTREAMS];  /* waited for, to this free,        */
    uint64_t behind[NSTREAMS][NSTREAMS], done[NSTREAMS];    /* ... at a mark */
    int asked, bad;
} fake;
static int fake_map(ga__pool *k, const ga__block *m) {
    size_t at = (size_t)(m->p - fake.base);
    (void)k;
    if (fake.mapped + m->bytes > fake.room) return 2;
    fake.bad += at % GRAIN || m->bytes % GRAIN || !m->bytes;
    for (size_t i = at / GRAIN; i < (at + m->bytes) / GRAIN; i++)
        fake.bad += fake.there[i]++;
    fake.mapped += m->bytes;
    return 0;
}
static void fake_unmap(ga__pool *k, const ga__block *m) {
    size_t at = (size_t)(m->p - fake.base);
    (void)k;
    for (size_t i = at / GRAIN; i < (at + m->bytes) / GRAIN; i++)
        fake.bad += !fake.there[i]--;
    fake.mapped -= m->bytes;
}
/* What a stream has waited for is done when its mark is. */
static void fake_mark(ga_stream *t) {
    size_t i = (size_t)(t - fake.s);
    t->marked = t->freed;
    memcpy(fake.behind[i], fake.seen[i], sizeof fake.seen[i]);
}
static void fake_done(ga_stream *t) {
    if (t->done < t->marked) t->done = t->marked;
    for (size_t i = 0; i < NSTREAMS; i++) {
        uint64_t to = &fake.s[i] == t ? t->done : fake.behind[t - fake.s][i];
        if (fake.done[i] < to) fake.done[i] = to;
    }
}
static void fake_ask(ga_stream *t) {
    fake.asked++;
    fake_done(t);
}
static int fake_wait(ga_stream *s, ga_stream *t) {
    uint64_t *mine = fake.seen[s - fake.s], *its = fake.seen[t - fake.s];
    for (int i = 0; i < NSTREAMS; i++)
        if (mine[i] < its[i]) mine[i] = its[i];
    mine[t - fake.s] = t->freed;
    return 0;
}
static void fake_finish(void) {         /* the host waits for all           */
    for (int i = 0; i < NSTREAMS; i++) {
        fake_mark(&fake.s[i]);
        fake_done(&fake.s[i]);
    }
}
static void fake_dispose(ga__device *d, ga_stream *s) { (void)d, (void)s; }
static void fake_open(ga__pool *k, size_t range, size_t room) {
    static ga__backend be;
    static ga__device d;
    memset(&fake, 0, sizeof fake);
    be.stream_dispose = fake_dispose;
    d.be = &be;
    fake.room = room;
    fake.base = (char *)(uintptr_t)((uint64_t)1 << 40);
    fake.there = (unsigned char *)calloc(range / GRAIN, 1);
    for (int i = 0; i < NSTREAMS; i++) {
        fake.s[i].dev = &d;
        atomic_init(&fake.s[i].refs, 1);
    }
    memset(k, 0, sizeof *k);
    k->map = fake_map;
    k->unmap = fake_unmap;
    k->ask = fake_ask;
    k->wait = fake_wait;
    assert_true(ga__pool_open(k, fake.base, range, GRAIN));
}
/* A chain's blocks adjoin, are mapped, stand in their bins and were joined. */
static int fake_check(const ga__pool *k, const ga__block *b, char *p) {
    int bad = 0;
    for (; b; p += b->bytes, b = b->next) {
        size_t at = (size_t)(b->p - fake.base);
        bad += b->p != p || (b->next && b->next->prev != b) || !b->bytes;
        bad += (b->state == GA__B_HOLE) != !fake.there[at / GRAIN];
        if (b->state != GA__B_FREE) continue;
        const ga__block *f = k->bin[b->slab != NULL][ga__bin_of(b->bytes)];
        while (f && f != b) f = f->down;
        bad += !f;
        bad += b->next && b->next->state == GA__B_FREE
               && b->next->after == b->after;
    }
    return bad;
}
static void fake_close(ga__pool *k) {
    free(fake.there);
    free(fake.last);
    for (ga__block *b = k->chunks, *next; b; b = next) {
        next = b->next;
        GA_FREE(b);
    }
}

static uint64_t drawn;
static double draw(void) {
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (double)(drawn >> 11) / 9007199254740992.0;
}
static ga__block *fake_take(ga__pool *k, size_t bytes, ga_stream *s) {
    ga__block *b = ga__pool_quick(k, bytes, s);
    return b || !ga__pool_take(k, bytes, s, &b) ? b : NULL;
}
/* Random sizes on three streams, of which one runs behind and one is seen to
   be done now and then: no memory has two owners, or is used by a stream
   before the one that freed it has been waited for or seen to be done.      */
TEST(pool_random_blocks) {
    enum { N = 300, TURNS = 20000 };
    const size_t range = (size_t)4 << 30, room = (size_t)600 << 20;
    static struct { ga__block *b; size_t bytes; } x[N];
    static ga__pool k;
    int failed = 0, shrunk = 0, wrong = 0, nfree;
    fake_open(&k, range, room);
    fake.last = calloc(range / UNIT, sizeof *fake.last);
    assert_non_null(fake.last);
    memset(x, 0, sizeof x);
    drawn = 1;
    for (int turn = 0; turn < TURNS; turn++) {
        int i = (int)(draw() * N), of = (int)(draw() * 3);
        ga_stream *s = &fake.s[of];
        if (x[i].b) {
            size_t at = (size_t)(x[i].b->p - fake.base) / UNIT;
            size_t n = x[i].b->bytes / UNIT;
            ga__pool_give(&k, x[i].b, s);
            for (size_t j = 0; j < n; j++) {
                fake.last[at + j].by = (short)(of + 1);
                fake.last[at + j].free = (uint32_t)k.frees;
            }
            x[i].b = NULL;
        }
        if (draw() < 0.2) fake_mark(&fake.s[1]);
        if (draw() < 0.01) fake_mark(&fake.s[2]);
        if (draw() < 0.002) {           /* as ga_mem_trim, all waited for   */
            fake_finish();
            ga__pool_shrink(&k);
            shrunk++;
        }
        x[i].bytes = (size_t)(100 * exp2(draw() * 19));
        x[i].b = fake_take(&k, x[i].bytes, s);
        failed += !x[i].b;
        if (!x[i].b) continue;
        T_CHECK(x[i].b->bytes >= x[i].bytes && x[i].b->state == GA__B_TAKEN);
        size_t at = (size_t)(x[i].b->p - fake.base) / UNIT;
        for (size_t j = 0; j * UNIT < x[i].b->bytes; j++) {
            int by = fake.last[at + j].by - 1;
            uint64_t when = fake.last[at + j].free;
            wrong += by >= 0 && by != of && when > fake.done[by]
                     && when > fake.seen[of][by];
            wrong += by < -1;           /* taken already                    */
            fake.last[at + j].by = -1;
        }
        for (size_t j = 0; j * UNIT < x[i].b->bytes; j++)
            fake.last[at + j].by = -1;
        if (turn % 100) continue;
        wrong += fake_check(&k, k.first, fake.base);
        for (ga__block *b = k.first; b; b = b->next)
            for (int j = 0; j < N; j++) /* its slab, of one of its blocks   */
                if (x[j].b && x[j].b->slab == b) {
                    ga__block *f = x[j].b;
                    while (f->prev) f = f->prev;
                    wrong += fake_check(&k, f, b->p);
                    break;
                }
        for (int j = nfree = 0; j < 2 * GA__BINS; j++)
            for (ga__block *b = k.bin[j % 2][j / 2]; b; b = b->down) nfree++;
        T_CHECKF(nfree == k.nfree, "%d free blocks, %d counted", nfree, k.nfree);
        T_CHECK(fake.mapped == k.mapped);
    }
    T_CHECKF(!wrong && !fake.bad, "%d wrong, %d wrongly mapped", wrong, fake.bad);
    T_CHECKF(failed > 0 && failed < TURNS / 4, "%d found no room", failed);
    T_CHECKF(shrunk > 10 && fake.asked > 100, "%d, %d", shrunk, fake.asked);
    for (int i = 0; i < N; i++) if (x[i].b) ga__pool_give(&k, x[i].b, fake.s);
    fake_finish();
    ga__pool_shrink(&k);
    T_CHECK(k.mapped == 0 && fake.mapped == 0 && k.nfree == 0 && !k.mapped_at);
    T_CHECK(k.first->state == GA__B_HOLE && !k.first->next && !fake.bad);
    for (int t = 0; t < 3; t++) T_CHECK(fake.s[t].kept == 0);
    fake_close(&k);
}
/* bench/alloc.c's sizes: how much is held of what is used at most. */
TEST(pool_holds_little_more_than_is_used) {
    enum { ALIVE = 400, ALL = 20000 };
    static ga__block *x[ALIVE];
    static size_t bytes[ALIVE];
    static ga__pool k;
    for (int c = 0; c < 8; c++) {
        int streams = c < 4 ? 1 : 3;
        double most = c % 4 < 2 ? 0x1p24 : c % 4 == 2 ? 0x1p28 : 0x1p30;
        size_t used = 0, peak = 0;
        fake_open(&k, (size_t)1 << 39, (size_t)1 << 39);
        memset(x, 0, sizeof x);
        memset(bytes, 0, sizeof bytes);
        drawn = 1;
        for (int i = 0; i < ALL; i++) {
            int at = i < ALIVE ? i : (int)(draw() * ALIVE);
            ga_stream *s = &fake.s[i % streams];
            if (x[at]) ga__pool_give(&k, x[at], s);
            if (i % 8 == 0)             /* a stream is some calls behind    */
                for (int t = 0; t < streams; t++) fake_mark(&fake.s[t]);
            double u = draw();
            used -= bytes[at];
            bytes[at] = (size_t)(c % 2 ? 512 * exp2(u * log2(most / 512))
                                       : 1 + u * (most - 1));
            used += bytes[at];
            if (used > peak) peak = used;
            x[at] = fake_take(&k, bytes[at], s);
            assert_non_null(x[at]);
        }
        double held = (double)k.mapped / (double)peak;
        T_CHECKF(held < (streams == 1 ? 1.2 : 1.3), "case %d: %.3f", c, held);
        T_CHECK(fake.mapped == k.mapped && !fake.bad);
        fake_close(&k);
    }
}
/* One stream: exact reuse; what grows by little is never moved elsewhere. */
TEST(pool_reuse_and_growth) {
    static ga__pool k;
    fake_open(&k, (size_t)8 << 30, (size_t)1 << 30);
    ga_stream *s = fake.s, *other = fake.s + 1;
    ga__block *a = fake_take(&k, 3 << 20, s), *b;
    char *p = a->p;
    ga__pool_give(&k, a, s);
    for (size_t n = 3 << 20; n < (size_t)900 << 20; n += n / 16 + 1) {
        a = fake_take(&k, n, s);
        T_CHECK(a && a->p == p);
        ga__pool_give(&k, a, s);
    }
    T_CHECK(k.mapped < (size_t)1000 << 20);
    /* all of it is after s: another waits, a third of the device is not enough */
    b = fake_take(&k, (size_t)800 << 20, other);
    T_CHECK(b && fake.seen[1][0] == s->freed);
    T_CHECK(!fake_take(&k, (size_t)800 << 20, s));
    ga__pool_give(&k, b, other);
    fake_finish();
    ga__pool_shrink(&k);
    T_CHECK(k.mapped == 0);
    /* small ones share slabs, apart from the large */
    a = fake_take(&k, 1, s);
    b = fake_take(&k, 600, s);
    T_CHECK(a->slab && a->slab == b->slab && a->bytes == 512 && b->bytes == 1024);
    T_CHECK(!fake_take(&k, (size_t)1 << 40, s) && !fake_take(&k, SIZE_MAX / 4, s));
    ga__pool_give(&k, a, s);
    ga__pool_give(&k, b, s);
    T_CHECK(k.nfree == 1 && !fake.bad);
    fake_close(&k);
}
/* A free block that stands behind many others in its bin, beside what is not
   mapped: taken all the same, and nothing mapped.                           */
TEST(pool_sees_the_last_of_many) {
    enum { MANY = 70, STEP = 65536, SMALL = 20 * STEP, LARGE = 21 * STEP };
    static ga__pool k;
    ga__block *b[MANY], *large = NULL;
    fake_open(&k, (size_t)8 << 30, (size_t)1 << 30);
    ga_stream *s = fake.s;
    for (int i = 0; i < MANY; i++) {
        b[i] = fake_take(&k, SMALL, s);
        assert_true(b[i] && fake_take(&k, GA__SMALL, s));
    }
    while (!large) {                    /* up to the end of what is mapped  */
        char *end = fake.base + k.mapped;
        ga__block *a = k.first;
        while (a->next && a->next->state != GA__B_HOLE) a = a->next;
        size_t left = a->state == GA__B_FREE ? (size_t)(end - a->p) : 0;
        if (left >= LARGE + GA__SMALL && left <= LARGE + 2 * GA__SMALL) {
            assert_non_null(fake_take(&k, left - LARGE, s));
            large = fake_take(&k, LARGE, s);
            assert_non_null(large);
        } else {
            assert_non_null(fake_take(&k, GA__SMALL, s));
        }
    }
    char *p = large->p;
    const size_t mapped = k.mapped;
    T_CHECK(p + LARGE == fake.base + mapped);
    ga__pool_give(&k, large, s);
    for (int i = 0; i < MANY; i++) ga__pool_give(&k, b[i], s);
    large = fake_take(&k, SMALL + STEP / 2, s);
    T_CHECK(large && large->p == p && k.mapped == mapped && !fake.bad);
    fake_close(&k);
}

/* ------------------------------------------------------------ expressions */
/* More elements than a launch takes, cut along axes, down to one element; of
   reductions along those that stay.                                        */
TEST(in_parts) {
    GA_SCOPE;
    static const int64_t most[] = {1, 999, 1000, 3000, 7001, 40000};
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(7, 11, 100), -3, 3);
    ga_array *y = t_random_array(GA_FLOAT32, GA_SHAPE(11, 1), -3, 3);
    ga_array *n = t_random_array(GA_INT16, GA_SHAPE(7, 11, 100), -9, 9);
    ga_array *back = ga_flip(x, GA_AXIS(0)), *p = ga_mul(x, y);
    ga_array *q = ga_mul(back, n);
    for (size_t k = 0; k < T_COUNT(most); k++) {
        GA_SCOPE;
        t_most = most[k];
        t_context("at most %d elements", (int)most[k]);
        t_same_arrays(GA_EVAL(x*y, x, y), p, 0);
        t_same_arrays(GA_EVAL(back*n, back, n), q, 0);
        ga_array *u = ga_empty_like(x), *v = ga_flip(ga_empty_like(x), GA_ALL);
        T_CHECK(!GA_EVAL_SET(u = x*y; v = u + n, u, v, x, y, n));
        t_same_arrays(u, p, 0);
        t_same_arrays(v, ga_add(p, n), 0);
        t_same_arrays(GA_EVAL(sum(x*y, axis=2), x, y),
                      ga_sum(p, GA_AXIS(2)), 2);
        t_same_arrays(GA_EVAL(mean(x*y, axis=(0, 2)), x, y),
                      ga_mean(p, GA_AXIS(0, 2)), 2);
        t_same_arrays(GA_EVAL(max(back*n, axis=0), back, n),
                      ga_max(q, GA_AXIS(0)), 0);
        t_same_arrays(GA_EVAL(sum(back*n, axis=(1, 2)), back, n),
                      ga_sum(q, GA_AXIS(1, 2)), 2);
        t_same_arrays(GA_EVAL(any(n > 8, axis=1), n),
                      ga_any(ga_greater(n, 8), GA_AXIS(1)), 0);
        t_same_arrays(GA_EVAL(prod(sign(x)), x),
                      ga_prod(ga_sign(x), GA_ALL), 0);
    }
    t_most = (int64_t)1 << 30;
}

/* What is used all the time stays, however many others come. */
TEST(used_last) {
    ga_expr *e = ga__e_cached("test", "x + 1234", "x", 0);
    assert_non_null(e);
    for (int k = 0; k < 2000; k++) {
        char text[40];
        snprintf(text, sizeof text, "x + %d.25", k);
        ga_expr_free(ga__e_cached("test", text, "x", 0));
        ga_expr *again = ga__e_cached("test", "x + 1234", "x", 0);
        T_CHECK(again == e);
        ga_expr_free(again);
    }
    ga_expr_free(e);
}

/* How often the plan of a text computes a row, and reduces by one. */
static void counts(ga_expr *e, ga__op op, ga__red red, int *rows, int *reds) {
    const ga__e_plan *p = e->plans;
    *rows = *reds = 0;
    for (int i = 0; i < p->npieces; i++)
        for (int k = 0; k < p->piece[i]->nsteps; k++)
            *rows += p->piece[i]->step[k].op == op;
    for (int i = 0; i < p->nparts; i++) *reds += p->part[i].red == (int)red;
}
TEST(computed_once) {
    GA_SCOPE;
    static const char *const text[] = {
        "m = max(x, axis=-1, keepdims=true); e = exp(x - m);"
        "e/sum(e, axis=-1, keepdims=true)",
        "exp(x - max(x, axis=-1, keepdims=true))"
        "/sum(exp(x - max(x, axis=-1, keepdims=true)), axis=-1, keepdims=true)",
        "e = exp(x - max(x, axis=-1, keepdims=true)); s = sum(e, axis=-1,"
        "keepdims=true); (e/s)*1"};
    for (int t = 0; t < 4; t++) {
        static const ga_dtype type[] = {GA_FLOAT32, GA_FLOAT64, GA_FLOAT16,
                                        GA_BFLOAT16};
        ga_array *x = t_random_array(type[t], GA_SHAPE(50, 70), -3, 3);
        ga_array *e = ga_exp(ga_sub(x, ga_max(x, GA_AXIS_KEEP(-1))));
        ga_array *want = ga_div(e, ga_sum(e, GA_AXIS_KEEP(-1)));
        for (int k = 0; k < 3; k++) {
            t_context("%s, %s", text[k], ga_dtype_name(type[t]));
            ga_expr *f = ga_expr_compile(text[k], "x");
            int rows, reds;
            t_same_arrays(GA_EXPR_RUN(f, x), want, t_on_gpu() ? 16 : 0);
            counts(f, GA__OP_exp, GA__RED_max, &rows, &reds);
            T_CHECKF(reds == 1, "%d maxima", reds);
            T_CHECKF(rows == 1 + t_on_gpu(), "%d times exp", rows);
            ga_expr_free(f);
        }
    }
    /* other axes, another operand, a mask: another reduction */
    ga_array *x = t_random_array(GA_FLOAT64, GA_SHAPE(3, 4), -3, 3);
    ga_array *m = ga_greater(x, 0);
    ga_array *sums = ga_sub(ga_add(ga_sum(x, GA_AXIS_KEEP(0)),
                                   ga_sum(x, GA_AXIS_KEEP(1))),
                            ga_sum(x, GA_ALL_WHERE(m)));
    t_same_arrays(GA_EVAL(sum(x, axis=0, keepdims=true) + sum(x, axis=1,
                          keepdims=true) - sum(x, where=m), x, m), sums, 0);
    /* a quotient by a power of two is a product, to the same bits */
    ga_array *y = t_random_array(GA_FLOAT32, GA_SHAPE(999), -1e-37, 1e-37);
    t_same_arrays(GA_EVAL(y/1024, y), ga_div(y, 1024), 0);
    t_same_arrays(GA_EVAL(y/-0.25, y), ga_div(y, -0.25), 0);
    t_same_arrays(GA_EVAL(y/3, y), ga_div(y, 3), 0);
    ga_array *h = t_random_array(GA_FLOAT16, GA_SHAPE(999), -1e-4, 1e-4);
    t_same_arrays(GA_EVAL(h/4096, h), ga_div(h, 4096), 0);
}

#ifdef GPUARR_USE_LAPACK
/* Where LAPACK's own sum of its workspace overflows int32, and may come out
   positive, the CPU refuses; values alone want no squares.                 */
TEST(workspace_sizes) {
    static const struct {
        int32_t (*routine)(ga__lap *);
        ga_dtype t;
        char job;
        int32_t n;
        bool fits;
    } row[] = {
        {ga__lapack_gesvd, GA_FLOAT64, 'S', 23000, true},
        {ga__lapack_gesvd, GA_FLOAT64, 'S', 23200, false},
        {ga__lapack_gesvd, GA_FLOAT32, 'A', 27000, false},
        {ga__lapack_gesvd, GA_FLOAT32, 'N', 50000, true},
        {ga__lapack_gesvd, GA_COMPLEX64, 'S', 32000, true},
        {ga__lapack_gesvd, GA_COMPLEX128, 'A', 33000, false},
        {ga__lapack_heevd, GA_FLOAT64, 'V', 32700, true},
        {ga__lapack_heevd, GA_FLOAT64, 'V', 32767, false},
        {ga__lapack_heevd, GA_COMPLEX64, 'V', 40000, false},
        {ga__lapack_heevd, GA_COMPLEX64, 'N', 50000, true},
    };
    for (size_t i = 0; i < T_COUNT(row); i++) {
        double work[2] = {0, 0}, rwork[2] = {0, 0};
        int32_t iwork = 0;
        ga__lap j;
        memset(&j, 0, sizeof j);
        j.t = row[i].t;
        j.job = row[i].job;
        j.m = j.n = j.k = row[i].n;
        j.work = work;
        j.rwork = rwork;
        j.iwork = &iwork;
        j.lwork = j.liwork = -1;
        t_context("row %d", (int)i);
        row[i].routine(&j);
        T_CHECK((j.lrwork >= 0) == row[i].fits);
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        T(pool_random_blocks), T(pool_holds_little_more_than_is_used),
        T(pool_reuse_and_growth), T(pool_sees_the_last_of_many), T(in_parts),
        T(used_last), T(computed_once),
#ifdef GPUARR_USE_LAPACK
        T(workspace_sizes),
#endif
    };
    return T_RUN("inside", tests);
}
