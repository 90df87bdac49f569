/* Who frees what: scopes on every way out, keep and detach, views that outlive
   their array, wrapped memory and its deleter; the blocks of >>i-pool.      */
#define GPUARR_IMPLEMENTATION
#define GA__POOL_TEST
#include "test.h"

static ga_array *make(void) { return ga_zeros(GA_SHAPE(3, 4), GA_FLOAT32); }
static int64_t alive(void) { return ga_live_arrays() - t_me.live; }

/* ---------------------------------------------------------------- ga_free */
TEST(free_counts) {
    ga_free(NULL);
    T_FINE();
    ga_array *x = make();
    T_CHECK(alive() == 1);
    T_CHECK(t_used() - t_me.used == 48);
    ga_array *v = ga_view(x);
    T_CHECK(alive() == 2);
    T_CHECK(t_used() - t_me.used == 48);
    ga_free(x);
    T_CHECK(alive() == 1);
    T_CHECK(t_used() - t_me.used == 48);
    ga_free(v);
    T_CHECK(alive() == 0);
}

TEST(views_outlive_the_original) {
    float want[] = {4, 5, 6, 7};
    ga_array *r = ga_arange_as(0, 12, 1, GA_FLOAT32);
    ga_array *m = ga_reshape(r, GA_SHAPE(3, 4));
    ga_free(r);
    ga_array *row = ga_slice(m, "1");
    ga_free(m);
    ga_array *back = ga_flip(row, GA_ALL), *there = ga_flip(back, GA_ALL);
    ga_free(row);
    ga_free(back);
    T_CHECK(alive() == 1);
    t_same(there, GA_FLOAT32, GA_SHAPE(4), want);
    ga_free(there);
}

TEST(many_handles_on_one_buffer) {
    enum { N = 1000 };
    ga_array *v[N], *x = make();
    for (int i = 0; i < N; i++) v[i] = ga_transpose(i ? v[i - 1] : x, GA_ALL);
    T_CHECK(alive() == N + 1);
    T_CHECK(t_used() - t_me.used == 48);
    ga_free(x);
    for (int i = 0; i < N; i += 2) ga_free(v[i]);
    T_CHECK(t_used() - t_me.used == 48);
    T_CHECK(ga_item_at(v[N - 1], GA_INDEX(0, 0)) == 0);
    for (int i = 1; i < N; i += 2) ga_free(v[i]);
    T_CHECK(t_used() == t_me.used);
}

/* ----------------------------------------------------------------- scopes */
static int leave_by_return(int how) {
    GA_SCOPE;
    ga_array *x = make();
    if (how == 0) return x->ndim;
    ga_array *y = ga_add(x, 1);
    if (how == 1) return y->ndim + 1;
    {
        GA_SCOPE;
        ga_mul(y, 2);
        if (how == 2) return 4;
    }
    make();
    return 5;
}
static void leave_by_end(void) {
    GA_SCOPE;
    make();
}
TEST(scope_return) {
    for (int how = 0; how < 4; how++) {
        T_CHECK(leave_by_return(how) == how + 2);
        T_CHECK(alive() == 0);
    }
    leave_by_end();
    T_CHECK(alive() == 0);
}

TEST(scope_break_and_continue) {
    int rounds = 0;
    for (int i = 0; i < 10; i++) {
        GA_SCOPE;
        make();
        if (i % 2) continue;
        make();
        rounds++;
        T_CHECK(alive() == 2);
        if (i == 6) break;
        make();
    }
    T_CHECK(rounds == 4);
    T_CHECK(alive() == 0);
    int n = 3;
    while (n--) {
        GA_SCOPE;
        make();
        switch (n) {
        case 2: {
            GA_SCOPE;
            make();
            T_CHECK(alive() == 2);
            break;
        }
        case 1:
            continue;
        default:
            make();
        }
        T_CHECK(alive() == (n ? 1 : 2));
    }
    T_CHECK(alive() == 0);
}

TEST(scope_goto) {
    int turns = 0;
again:
    {
        GA_SCOPE;
        make();
        T_CHECK(alive() == 1);
        if (++turns < 3) goto again;    /* backwards, out of the block      */
        {
            GA_SCOPE;
            make();
            goto out;                   /* out of two at once               */
        }
    }
out:
    T_CHECK(turns == 3);
    T_CHECK(alive() == 0);
    T_CHECK(ga__me.scope == NULL);
}

TEST(scopes_nest) {
    GA_SCOPE;
    ga_array *a = make();
    {
        GA_SCOPE;
        make();
        {
            GA_SCOPE;
            make();
            make();
            T_CHECK(alive() == 4);
        }
        T_CHECK(alive() == 2);
        GA_SCOPE;                       /* a second one in the same block   */
        make();
        T_CHECK(alive() == 3);
    }
    T_CHECK(alive() == 1);
    T_CHECK(ga_item_at(a, GA_INDEX(2, 3)) == 0);
}

TEST(scope_begin_and_end) {
    ga_scope s, t;
    s = ga_scope_begin(&s);
    make();
    t = ga_scope_begin(&t);
    make();
    T_CHECK(alive() == 2);
    ga_scope_end(&t);
    T_CHECK(alive() == 1);
    make();
    ga_scope_end(&s);
    T_CHECK(alive() == 0);
    T_CHECK(ga__me.scope == NULL);
}

TEST(free_inside_a_scope) {
    GA_SCOPE;
    ga_array *a = make(), *b = make(), *c = make();
    ga_free(b);                         /* the middle of the list           */
    T_CHECK(alive() == 2);
    ga_free(c);                         /* its head                         */
    ga_free(a);                         /* the last one                     */
    T_CHECK(alive() == 0);
    make();
    {
        GA_SCOPE;
        ga_array *d = make();
        ga_free(d);
        make();
    }
    T_CHECK(alive() == 1);
}
/* An outer scope's array freed while an inner scope is open. */
TEST(free_of_an_outer_array) {
    GA_SCOPE;
    ga_array *a = make();
    {
        GA_SCOPE;
        make();
        ga_free(a);
        T_CHECK(alive() == 1);
    }
    T_CHECK(alive() == 0);
}

static ga_array *sum_to(int n) {        /* arange(1..n) summed by recursion */
    GA_SCOPE;
    if (n == 0) return ga_keep(ga_zeros(GA_SCALAR_SHAPE, GA_INT64));
    ga_array *rest = sum_to(n - 1);
    return ga_keep(ga_add(rest, n));
}
TEST(scope_in_recursion) {
    GA_SCOPE;
    ga_array *s = sum_to(100);
    T_CHECK(alive() == 1);
    T_CHECK(ga_item_i64(s) == 5050);
}

/* -------------------------------------------------------- keep and detach */
static ga_array *kept(void) {
    GA_SCOPE;
    ga_array *x = make();
    return ga_keep(ga_add(x, 1));
}
static ga_array *kept_twice(void) {
    GA_SCOPE;
    ga_array *x;
    {
        GA_SCOPE;
        x = ga_keep(make());
    }
    T_CHECK(alive() == 1);
    return ga_keep(x);
}
TEST(keep_hands_to_the_scope_around) {
    {
        GA_SCOPE;
        ga_array *x = kept();
        T_CHECK(alive() == 1);
        T_CHECK(ga_item_at(x, GA_INDEX(0, 0)) == 1);
    }
    T_CHECK(alive() == 0);
    {
        GA_SCOPE;
        ga_array *x = kept_twice();
        T_CHECK(x && alive() == 1);
    }
    T_CHECK(alive() == 0);
}
TEST(keep_without_a_scope_around) {
    ga_array *x = kept();               /* then it is the caller's          */
    T_CHECK(alive() == 1);
    T_CHECK(ga_keep(x) == x);           /* and nothing more to be had       */
    T_CHECK(alive() == 1);
    ga_free(x);
}
TEST(detach_leaves_every_scope) {
    ga_array *x, *y;
    {
        GA_SCOPE;
        {
            GA_SCOPE;
            x = ga_detach(make());
            y = ga_detach(x);
            make();
        }
    }
    T_CHECK(x == y);
    T_CHECK(alive() == 1);
    T_CHECK(ga_item_at(x, GA_INDEX(1, 1)) == 0);
    {
        GA_SCOPE;
        T_CHECK(ga_keep(x) == x);       /* no scope of its own: stays free  */
    }
    T_CHECK(alive() == 1);
    ga_free(x);
}
TEST(keep_of_null) {
    T_CHECK(ga_keep(NULL) == NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_detach(NULL) == NULL);
    T_ERROR(GA_ERR_NULL);
    GA_SCOPE;
    ga_reshape(make(), GA_SHAPE(5));
    T_CHECK(ga_keep(NULL) == NULL);     /* quiet: an error is pending       */
    T_ERROR(GA_ERR_SHAPE);
}
/* A keeper of a handle whose scope is further out keeps it one step further. */
TEST(keep_of_an_outer_array) {
    {
        GA_SCOPE;
        {
            GA_SCOPE;
            ga_array *x = make();
            {
                GA_SCOPE;
                ga_keep(x);
            }
            T_CHECK(alive() == 1);
        }
        T_CHECK(alive() == 1);
    }
    T_CHECK(alive() == 0);
}

/* ----------------------------------------------------------- GA_REPLACE */
TEST(a_value_carried_through_a_loop) {
    int64_t inside = 0;
    {
        GA_SCOPE;
        ga_array *x = ga_add(make(), 1);
        inside = alive();
        for (int turn = 0; turn < 10; turn++) {
            GA_SCOPE;
            ga_array *half = ga_mul(x, 0.5);
            T_CHECK(GA_REPLACE(x, ga_add(ga_add(x, half), half)) == x);
            if (turn == 5) continue;
            GA_REPLACE(x, ga_view(x));
        }
        T_CHECK(alive() == inside);
        T_CHECK(ga_item_at(x, GA_INDEX(2, 3)) == 1024);
    }
    T_CHECK(alive() == 0);
}
TEST(replace_takes_the_owner) {
    ga_array *x = make(), *y, *z = NULL;
    {
        GA_SCOPE;
        GA_REPLACE(x, ga_add(x, 1));                /* owned by nobody      */
        y = make();
        {
            GA_SCOPE;
            GA_REPLACE(y, make());
            GA_REPLACE(y, y);                       /* itself: nothing      */
        }
        T_CHECK(alive() == 2 && y->size == 12);
        T_FINE();
        ga_array *before = y;
        T_CHECK(!GA_REPLACE(y, ga_reshape(y, GA_SHAPE(5))) && y == before);
        T_ERROR(GA_ERR_SHAPE);
        T_CHECK(!GA_REPLACE(y, NULL) && y == before);
        T_ERROR(GA_ERR_NULL);
        T_CHECK(!GA_REPLACE(z, ga_view(y)) && !z);  /* whose would it be?   */
        T_ERROR(GA_ERR_NULL);
    }
    T_CHECK(alive() == 1 && ga_item_at(x, GA_INDEX(0, 0)) == 1);
    ga_free(x);
}

TEST(failed_calls_leave_nothing) {
    ga_array *x = make();
    for (int i = 0; i < 100; i++) {
        T_CHECK(ga_reshape(x, GA_SHAPE(7)) == NULL);
        T_CHECK((ga_add)(x, NULL) == NULL);
        T_CHECK(ga_slice(x, "9") == NULL);
        T_CHECK(ga_sum(x, GA_AXIS(5)) == NULL);
    }
    T_CHECK(alive() == 1);
    T_ERROR(GA_ERR_SHAPE);
    ga_free(x);
}

/* ---------------------------------------------------------------- ga_wrap */
static int deleted;
static void *deleted_ptr;
static void on_delete(void *ptr, void *arg) {
    deleted++;
    deleted_ptr = ptr;
    *(int *)arg += 1;
}
TEST(deleter_runs_after_the_last_view) {
    float data[6] = {1, 2, 3, 4, 5, 6}, want[] = {2, 4, 6};
    int calls = 0;
    deleted = 0;
    ga_array *x = ga_wrap(data, GA_FLOAT32, GA_SHAPE(6), NULL, GA_CPU,
                          on_delete, &calls);
    T_CHECK(x->data == data);
    T_CHECK(t_used() == t_me.used);     /* not the library's memory         */
    ga_array *v = ga_slice(x, "1::2"), *w = ga_view(v);
    ga_free(x);
    T_CHECK(deleted == 0);
    ga_free(v);
    T_CHECK(deleted == 0);
    t_same(w, GA_FLOAT32, GA_SHAPE(3), want);
    ga_free(w);
    T_CHECK(deleted == 1 && calls == 1);
    T_CHECK(deleted_ptr == data);
}
TEST(deleter_runs_at_the_scopes_end) {
    double one = 1;
    int calls = 0;
    {
        GA_SCOPE;
        ga_array *x = ga_wrap(&one, GA_FLOAT64, GA_SCALAR_SHAPE, NULL, GA_CPU,
                              on_delete, &calls);
        T_CHECK(ga_item(x) == 1);
        T_CHECK(calls == 0);
    }
    T_CHECK(calls == 1);
}
TEST(deleter_of_an_empty_array) {
    int calls = 0;
    deleted_ptr = &calls;
    ga_array *x = ga_wrap(NULL, GA_INT32, GA_SHAPE(0), NULL, GA_CPU, on_delete,
                          &calls);
    T_CHECK(x && x->size == 0);
    ga_free(x);
    T_CHECK(calls == 1);
    T_CHECK(deleted_ptr == NULL);
}
TEST(failed_wrap_keeps_the_memory) {
    float data[6] = {0};
    int calls = 0;
    T_CHECK(ga_wrap(data, GA_FLOAT32, GA_SHAPE(-6), NULL, GA_CPU, on_delete,
                    &calls) == NULL);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_wrap(data, GA_NUM_DTYPES, GA_SHAPE(6), NULL, GA_CPU, on_delete,
                    &calls) == NULL);
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(calls == 0);                /* it is still the caller's         */
}
TEST(wrap_with_strides) {
    int32_t data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    int32_t columns[] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11};
    int32_t back[] = {11, 9, 7};
    GA_SCOPE;
    ga_array *x = ga_wrap(data, GA_INT32, GA_SHAPE(4, 3),
                          (const int64_t[]){1, 4}, GA_CPU, NULL, NULL);
    t_same(x, GA_INT32, GA_SHAPE(4, 3), columns);
    ga_array *y = ga_wrap(data + 11, GA_INT32, GA_SHAPE(3),
                          (const int64_t[]){-2}, GA_CPU, NULL, NULL);
    t_same(y, GA_INT32, GA_SHAPE(3), back);
    T_CHECK(ga_assign(y, -1) == GA_OK); /* writes reach the caller's memory */
    ga_synchronize();
    T_CHECK(data[11] == -1 && data[9] == -1 && data[7] == -1 && data[10] == 10);
}
/* Device memory of the caller's, on a GPU: that of another array. */
TEST(wrap_of_device_memory) {
    float want[] = {0, 1, 2, 3, 4, 5};
    int calls = 0;
    GA_SCOPE;
    ga_array *x = ga_arange_as(0, 6, 1, GA_FLOAT32);
    ga_synchronize();
    ga_array *w = ga_wrap(x->data, GA_FLOAT32, GA_SHAPE(2, 3), NULL,
                          ga_device(), on_delete, &calls);
    t_same(w, GA_FLOAT32, GA_SHAPE(2, 3), want);
    ga_array *r = ga_ravel(w);
    ga_free(w);
    ga_multiply_into(r, r, 2);
    ga_free(r);                         /* waits for the multiplication     */
    T_CHECK(calls == 1);
    T_CHECK(ga_item_at(x, GA_INDEX(5)) == 10);
}

/* ------------------------------------------------------------- odds, ends */
TEST(zero_sizes_live_and_die) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(0, 3), GA_FLOAT64);
    T_CHECK(x && x->size == 0 && x->ndim == 2);
    T_CHECK(t_used() == t_me.used);
    ga_array *y = ga_transpose(ga_add(x, 1), GA_ALL);
    T_CHECK(y && y->shape[0] == 3 && y->shape[1] == 0);
    T_CHECK(alive() == 3);
}
TEST(rank_0_and_rank_8) {
    GA_SCOPE;
    ga_array *s = ga_full(GA_SCALAR_SHAPE, 3, GA_INT16);
    T_CHECK(s && s->ndim == 0 && s->size == 1 && ga_item_i64(s) == 3);
    ga_array *x = ga_ones(GA_SHAPE(1, 2, 1, 2, 1, 2, 1, 2), GA_UINT8);
    T_CHECK(x && x->ndim == 8 && x->size == 16);
    T_CHECK(ga_item_i64(ga_sum(x, GA_ALL)) == 16);
}
TEST(live_arrays_and_listing) {
    GA_SCOPE;
    int64_t before = ga_live_arrays();
    make();
    T_CHECK(ga_live_arrays() == before + 1);
    FILE *f = tmpfile();
    assert_non_null(f);
    T_CHECK(ga_list_arrays(f) == before + 1);
    fclose(f);
}
/* A hundred thousand short lives: nothing accumulates. */
TEST(many_short_lives) {
    int n = t_quick() ? 1000 : 100000;
    GA_SCOPE;
    ga_array *x = make();
    for (int i = 0; i < n; i++) {
        GA_SCOPE;
        ga_array *y = ga_add(x, i);
        if (i % 1000 == 0) T_CHECK(ga_item_at(y, GA_INDEX(2, 3)) == i);
    }
    T_CHECK(alive() == 1);
}

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

int main(void) {
    const struct CMUnitTest tests[] = {
        T(free_counts), T(views_outlive_the_original),
        T(many_handles_on_one_buffer), T(scope_return),
        T(scope_break_and_continue), T(scope_goto), T(scopes_nest),
        T(scope_begin_and_end), T(free_inside_a_scope),
        T(free_of_an_outer_array), T(scope_in_recursion),
        T(keep_hands_to_the_scope_around), T(keep_without_a_scope_around),
        T(detach_leaves_every_scope), T(keep_of_null),
        T(keep_of_an_outer_array), T(a_value_carried_through_a_loop),
        T(replace_takes_the_owner), T(failed_calls_leave_nothing),
        T(deleter_runs_after_the_last_view), T(deleter_runs_at_the_scopes_end),
        T(deleter_of_an_empty_array), T(failed_wrap_keeps_the_memory),
        T(wrap_with_strides), T(wrap_of_device_memory),
        T(zero_sizes_live_and_die), T(rank_0_and_rank_8),
        T(live_arrays_and_listing), T(many_short_lives),
        T(pool_random_blocks), T(pool_holds_little_more_than_is_used),
        T(pool_reuse_and_growth), T(pool_sees_the_last_of_many),
    };
    return T_RUN("lifetime", tests);
}
