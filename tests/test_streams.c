/* Streams, events, the automatic order between streams, graphs. On the CPU
   device everything is done when a call returns; the same tests must hold.  */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include <pthread.h>

static ga_array *iota(int64_t n) { return ga_arange_as(0, n, 1, GA_FLOAT32); }

/* Work that takes a GPU a while: milliseconds on a large array. */
static int64_t large(void) {
    return !t_on_gpu() ? 1 << 12 : t_quick() ? 1 << 18 : 1 << 24;
}
static void keep_busy(ga_array *x, int times) { /* x := x + times           */
    for (int i = 0; i < times; i++) ga_add_into(x, x, 1);
}

/* ---------------------------------------------------------------- streams */
TEST(current_stream) {
    ga_stream *a = ga_stream_create(0), *b = ga_stream_create(-1);
    assert_non_null(a);
    assert_non_null(b);
    T_CHECK(ga_stream_current() == NULL);
    T_CHECK(ga_set_stream(a) == GA_OK && ga_stream_current() == a);
    {
        GA_STREAM(b);
        T_CHECK(ga_stream_current() == b);
        {
            GA_STREAM(NULL);
            T_CHECK(ga_stream_current() == NULL);
        }
        T_CHECK(ga_stream_current() == b);
        for (int i = 0; i < 3; i++) {
            GA_STREAM(a);
            if (i == 1) break;
            continue;
        }
        T_CHECK(ga_stream_current() == b);
    }
    T_CHECK(ga_stream_current() == a);
    T_CHECK(ga_set_stream(NULL) == GA_OK && ga_stream_current() == NULL);
    ga_stream_destroy(a);
    ga_stream_destroy(b);
}
static ga_array *made_on(ga_stream *s) {
    GA_SCOPE;
    GA_STREAM(s);
    return ga_keep(ga_add(iota(10), 1));
}
TEST(blocks_end_on_return) {
    GA_SCOPE;
    ga_stream *s = ga_stream_create(0);
    ga_array *x = made_on(s);
    T_CHECK(ga_stream_current() == NULL);
    T_CHECK(ga_item(ga_sum(x, GA_ALL)) == 55);
    ga_stream_destroy(s);
}
TEST(priorities) {
    GA_SCOPE;
    for (int p = -1000; p <= 1000; p += p >= -7 && p < 7 ? 1 : 331) {
        ga_stream *s = ga_stream_create(p);     /* beyond the range: clamps */
        T_CHECKF(s != NULL, "priority %d: %s", p, ga_error_message());
        GA_STREAM(s);
        T_CHECK(ga_item(ga_sum(iota(100), GA_ALL)) == 4950);
        ga_stream_destroy(s);
    }
}
TEST(query_and_synchronize) {
    GA_SCOPE;
    ga_stream *s = ga_stream_create(0);
    T_CHECK(ga_stream_query(s));
    ga_array *x = ga_zeros(GA_SHAPE(large()), GA_FLOAT32);
    {
        GA_STREAM(s);
        keep_busy(x, 50);
    }
    if (!t_on_gpu()) T_CHECK(ga_stream_query(s));
    T_CHECK(ga_stream_synchronize(s) == GA_OK);
    T_CHECK(ga_stream_query(s));
    T_CHECK(ga_stream_synchronize(NULL) == GA_OK && ga_stream_query(NULL));
    T_CHECK(ga_synchronize() == GA_OK);
    T_CHECK(ga_item_at(x, GA_INDEX(-1)) == 50);
    ga_stream_destroy(s);
}
TEST(destroy_with_work_pending) {
    for (int i = 0; i < 20; i++) {
        GA_SCOPE;
        ga_stream *s = ga_stream_create(0);
        ga_array *x = ga_zeros(GA_SHAPE(large()), GA_FLOAT32), *y;
        {
            GA_STREAM(s);
            keep_busy(x, 20);
            y = ga_mul(x, 2);           /* memory of the stream's           */
        }
        ga_stream_destroy(s);
        ga_array *z = ga_add(x, y);
        T_CHECK(ga_item_at(z, GA_INDEX(0)) == 60);
        T_CHECK(ga_item_at(z, GA_INDEX(-1)) == 60);
        ga_add_into(y, y, 1);           /* and a write after it             */
        T_CHECK(ga_item_at(y, GA_INDEX(-1)) == 41);
    }
}
TEST(destroy_while_current) {
    GA_SCOPE;
    ga_stream *s = ga_stream_create(0);
    ga_array *x;
    {
        GA_STREAM(s);
        x = iota(1000);
        ga_stream_destroy(s);
        T_CHECK(ga_stream_current() == NULL);
        x = ga_add(x, 1);               /* goes on on the null stream       */
        T_CHECK(ga_item(ga_sum(x, GA_ALL)) == 500500);
    }
    T_CHECK(ga_stream_current() == NULL);
    /* the stream of an outer block, destroyed in an inner one */
    s = ga_stream_create(0);
    ga_stream *t = ga_stream_create(0);
    {
        GA_STREAM(s);
        {
            GA_STREAM(t);
            ga_stream_destroy(s);
        }
        T_CHECK(ga_stream_current() == NULL);
        T_CHECK(ga_item(ga_sum(iota(10), GA_ALL)) == 45);
    }
    ga_stream_destroy(t);
}
TEST(wrapped_streams) {
    GA_SCOPE;
    ga_stream *s = ga_stream_create(0);
    void *h = ga_stream_handle(s);
    if (t_on_gpu()) T_CHECK(h != NULL);
    T_CHECK(ga_stream_handle(NULL) == NULL);
    ga_stream *w = ga_stream_wrap(h);
    T_CHECK(w && w != s && ga_stream_handle(w) == h);
    ga_array *x = ga_zeros(GA_SHAPE(large()), GA_FLOAT32);
    {
        GA_STREAM(w);
        keep_busy(x, 30);
    }
    ga_add_into(x, x, 1);               /* the null stream waits            */
    T_CHECK(ga_item_at(x, GA_INDEX(-1)) == 31);
    ga_stream_destroy(w);               /* leaves the caller's alone        */
    {
        GA_STREAM(s);
        T_CHECK(ga_item(ga_sum(iota(10), GA_ALL)) == 45);
    }
    ga_stream_destroy(s);
}
TEST(streams_of_another_device) {
    if (!ga_device_count()) {
        print_message("    skipped: no GPU\n");
        skip();
    }
    int here = ga_device(), there = here == GA_CPU ? 0 : GA_CPU;
    ga_stream *s;
    ga_event *e;
    {
        GA_DEVICE(there);
        s = ga_stream_create(0);
        e = ga_event_create();
        T_CHECK(ga_set_stream(s) == GA_OK && ga_stream_current() == s);
    }
    T_CHECK(ga_stream_current() == NULL);
    T_CHECK(ga_set_stream(s) == GA_ERR_STREAM);
    char want[100];
    snprintf(want, sizeof want, "ga_set_stream: the stream is of device %d, "
             "the current device is %d", there, here);
    T_CHECKF(!strcmp(ga_error_message(), want), "\"%s\"", ga_error_message());
    T_ERROR(GA_ERR_STREAM);
    T_CHECK(ga_event_record(e, NULL) == GA_ERR_STREAM);
    T_ERROR(GA_ERR_STREAM);
    T_CHECK(ga_event_record(e, s) == GA_OK);        /* its own: from here   */
    T_CHECK(ga_stream_synchronize(s) == GA_OK && ga_stream_query(s));
    T_CHECK(ga_stream_wait(NULL, e) == GA_OK);
    {
        GA_DEVICE(there);
        T_CHECK(ga_stream_current() == s);          /* each device its own  */
        ga_set_stream(NULL);
    }
    ga_event_destroy(e);
    ga_stream_destroy(s);
}

/* ----------------------------------------------------------------- events */
TEST(events) {
    GA_SCOPE;
    ga_event *a = ga_event_create(), *b = ga_event_create();
    ga_stream *s = ga_stream_create(0);
    ga_array *x = ga_zeros(GA_SHAPE(large()), GA_FLOAT32);
    assert_non_null(a);
    T_CHECK(ga_event_record(a, s) == GA_OK);
    {
        GA_STREAM(s);
        keep_busy(x, 100);
    }
    T_CHECK(ga_event_record(b, s) == GA_OK);
    double ms = ga_event_elapsed(a, b);         /* waits for b              */
    T_CHECKF(ms > 0 && ms < 60e3, "elapsed: %g ms", ms);
    T_CHECK(ga_event_query(a) && ga_event_query(b));
    T_CHECK(ga_stream_query(s));
    T_CHECK(ga_event_elapsed(b, a) <= 0);
    T_CHECK(ga_event_elapsed(a, a) == 0);
    /* recorded again it stands for the later point */
    T_CHECK(ga_event_record(a, s) == GA_OK);
    T_CHECK(ga_event_synchronize(a) == GA_OK);
    T_CHECK(ga_event_elapsed(b, a) >= 0);
    T_CHECK(ga_event_record(b, NULL) == GA_OK);
    T_CHECK(ga_event_synchronize(b) == GA_OK && ga_event_query(b));
    ga_event_destroy(a);
    ga_event_destroy(b);
    ga_stream_destroy(s);
}
/* Waiting for an event orders what the library cannot see: here through two
   arrays over one memory.                                                  */
TEST(wait_for_an_event) {
    GA_SCOPE;
    ga_stream *s = ga_stream_create(0), *t = ga_stream_create(0);
    ga_event *e = ga_event_create();
    for (int i = 0; i < 20; i++) {
        GA_SCOPE;
        ga_array *x = ga_zeros(GA_SHAPE(large()), GA_FLOAT32), *y;
        ga_synchronize();
        ga_array *same = ga_wrap(x->data, GA_FLOAT32, GA_SHAPE(large()), NULL,
                                 ga_device(), NULL, NULL);
        {
            GA_STREAM(s);
            keep_busy(x, 10);
        }
        T_CHECK(ga_event_record(e, s) == GA_OK);
        T_CHECK(ga_stream_wait(t, e) == GA_OK);
        {
            GA_STREAM(t);
            y = ga_copy(same);
        }
        T_CHECK(ga_item_at(y, GA_INDEX(0)) == 10);
        T_CHECK(ga_item_at(y, GA_INDEX(-1)) == 10);
        ga_synchronize();
    }
    T_CHECK(ga_stream_wait(NULL, e) == GA_OK);
    ga_event_destroy(e);
    ga_stream_destroy(s);
    ga_stream_destroy(t);
}

/* -------------------------------------------------------------- callbacks */
static struct { int order[8], n; } calls;
static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;
static void note(void *arg) {
    pthread_mutex_lock(&calls_lock);
    if (calls.n < 8) calls.order[calls.n++] = *(int *)arg;
    pthread_mutex_unlock(&calls_lock);
}
static float seen_by_callback;
static void look(void *arg) { seen_by_callback = *(float *)arg; }
TEST(callbacks) {
    GA_SCOPE;
    ga_stream *s = ga_stream_create(0);
    int id[3] = {1, 2, 3};
    calls.n = 0;
    ga_array *x = ga_zeros(GA_SHAPE(large()), GA_FLOAT32);
    float *host = (float *)ga_pinned_alloc(sizeof *host);
    *host = -1;
    seen_by_callback = -2;
    {
        GA_STREAM(s);
        for (int i = 0; i < 3; i++) {
            keep_busy(x, 10);
            T_CHECK(ga_stream_callback(s, note, &id[i]) == GA_OK);
        }
        ga_asnumpy_async(ga_slice(x, "-1:"), host);
        T_CHECK(ga_stream_callback(s, look, host) == GA_OK);
    }
    T_CHECK(ga_stream_synchronize(s) == GA_OK);
    T_CHECK(calls.n == 3);
    for (int i = 0; i < calls.n; i++) T_CHECK(calls.order[i] == i + 1);
    T_CHECK(seen_by_callback == 30);
    T_CHECK(ga_stream_callback(NULL, note, &id[0]) == GA_OK);
    ga_synchronize();
    T_CHECK(calls.n == 4);
    ga_pinned_free(host);
    ga_stream_destroy(s);
}

/* --------------------------------------------------- the automatic order */
TEST(a_reader_waits_for_the_writer) {
    ga_stream *s = ga_stream_create(0), *t = ga_stream_create(0);
    ga_stream *of[] = {s, t, NULL};
    for (int i = 0; i < 18; i++) {
        GA_SCOPE;
        ga_stream *writer = of[i % 3], *reader = of[(i + 1 + i / 3 % 2) % 3];
        ga_array *x = ga_zeros(GA_SHAPE(large()), GA_FLOAT32), *y;
        {
            GA_STREAM(writer);
            keep_busy(x, 25);
        }
        {
            GA_STREAM(reader);
            y = ga_add(x, 1000);
        }
        T_CHECK(ga_item(ga_min(y, GA_ALL)) == 1025);
        T_CHECK(ga_item(ga_max(y, GA_ALL)) == 1025);
    }
    ga_stream_destroy(s);
    ga_stream_destroy(t);
}
/* ... and all ways of looking wait as well. */
TEST(the_host_waits_for_the_writer) {
    ga_stream *s = ga_stream_create(0);
    for (int how = 0; how < 6; how++) {
        GA_SCOPE;
        ga_array *x = ga_zeros(GA_SHAPE(large()), GA_FLOAT32), *h;
        {
            GA_STREAM(s);
            keep_busy(x, 25);
        }
        float v = 0, *p;
        char *text;
        switch (how) {
        case 0: T_CHECK(ga_item_at(x, GA_INDEX(-1)) == 25); break;
        case 1: ga_asnumpy(ga_slice(x, "-1"), &v); T_CHECK(v == 25); break;
        case 2:
            p = (float *)ga_asnumpy(x, NULL);
            T_CHECK(p && p[0] == 25 && p[large() - 1] == 25);
            free(p);
            break;
        case 3:
            text = ga_tostring(ga_slice(x, "-2:"));
            T_CHECK(text && !strcmp(text, "[25. 25.]"));
            free(text);
            break;
        case 4:
            h = ga_to_device(x, GA_CPU);
            T_CHECK(ga_item_at(h, GA_INDEX(-1)) == 25);
            break;
        default:
            p = (float *)ga_pinned_alloc((size_t)large() * sizeof *p);
            ga_asnumpy_async(x, p);
            ga_stream_synchronize(NULL);
            T_CHECK(p[0] == 25 && p[large() - 1] == 25);
            ga_pinned_free(p);
        }
    }
    ga_stream_destroy(s);
}
/* A writer waits for readers elsewhere: more of them than a buffer notes. */
TEST(a_writer_waits_for_the_readers) {
    enum { READERS = 10 };
    ga_stream *s[READERS];
    ga_array *y[READERS];
    for (int i = 0; i < READERS; i++) s[i] = ga_stream_create(0);
    for (int round = 0; round < 10; round++) {
        GA_SCOPE;
        ga_array *x = ga_ones(GA_SHAPE(large()), GA_FLOAT32);
        for (int i = 0; i < READERS; i++) {
            GA_STREAM(s[i]);
            ga_array *z = ga_zeros(GA_SHAPE(large()), GA_FLOAT32);
            keep_busy(z, 5);
            y[i] = ga_add(z, x);
        }
        ga_multiply_into(x, x, 100);    /* on the null stream               */
        for (int i = 0; i < READERS; i++) {
            T_CHECK(ga_item(ga_min(y[i], GA_ALL)) == 6);
            T_CHECK(ga_item(ga_max(y[i], GA_ALL)) == 6);
        }
        T_CHECK(ga_item_at(x, GA_INDEX(0)) == 100);
    }
    for (int i = 0; i < READERS; i++) ga_stream_destroy(s[i]);
}
/* Freed while another stream still reads it: its memory must not be handed
   out before.                                                              */
TEST(free_while_a_stream_reads) {
    ga_stream *s = ga_stream_create(0), *t = ga_stream_create(0);
    for (int64_t n = 100; n <= large(); n *= 400) {
        for (int i = 0; i < 20; i++) {
            GA_SCOPE;
            ga_array *x = ga_ones(GA_SHAPE(n), GA_FLOAT32), *y;
            {
                GA_STREAM(s);
                ga_array *z = ga_zeros(GA_SHAPE(large()), GA_FLOAT32);
                keep_busy(z, 10);       /* s is late                        */
                y = ga_add(x, ga_slice(z, "-1"));
                ga_free(z);
            }
            ga_free(x);
            for (int k = 0; k < 4; k++) {   /* takes what was freed         */
                GA_STREAM(k % 2 ? t : NULL);
                ga_full(GA_SHAPE(n), -999, GA_FLOAT32);
            }
            T_CHECK(ga_item(ga_min(y, GA_ALL)) == 11);
            T_CHECK(ga_item(ga_max(y, GA_ALL)) == 11);
        }
    }
    ga_stream_destroy(s);
    ga_stream_destroy(t);
}
/* Temporaries of one stream, handles freed under another's block. */
TEST(temporaries_across_streams) {
    ga_stream *s = ga_stream_create(0);
    GA_SCOPE;
    ga_array *acc = ga_zeros(GA_SHAPE(1000), GA_FLOAT32);
    for (int i = 0; i < 500; i++) {
        GA_SCOPE;
        ga_array *a, *b;
        {
            GA_STREAM(s);
            a = ga_full(GA_SHAPE(1000), i, GA_FLOAT32);
        }
        b = ga_mul(a, 2);
        {
            GA_STREAM(s);
            ga_free(a);
            ga_add_into(acc, acc, b);
        }
    }
    T_CHECK(ga_item(ga_min(acc, GA_ALL)) == 249500);
    T_CHECK(ga_item(ga_max(acc, GA_ALL)) == 249500);
    ga_stream_destroy(s);
}

/* Random programs on random streams against the same on the host. */
static uint64_t rng_state = 12345;
static unsigned rng(unsigned n) {
    rng_state = rng_state * UINT64_C(6364136223846793005)
                + UINT64_C(1442695040888963407);
    return (unsigned)(rng_state >> 33) % n;
}
enum { ARRAYS = 8, STREAMS = 6, STEPS = 60 };
static void random_program(ga_stream **s, ga_array *scratch, int64_t n) {
    ga_array *x[ARRAYS];
    uint64_t *h[ARRAYS];
    for (int i = 0; i < ARRAYS; i++) {
        x[i] = ga_full(GA_SHAPE(n), i, GA_UINT64);
        h[i] = (uint64_t *)t_alloc((size_t)n * 8);
        for (int64_t k = 0; k < n; k++) h[i][k] = (uint64_t)i;
    }
    for (int step = 0; step < STEPS; step++) {
        GA_SCOPE;
        GA_STREAM(s[rng(STREAMS)]);
        unsigned o = rng(ARRAYS), a = rng(ARRAYS), b = rng(ARRAYS), k = rng(97);
        if (rng(4) == 0)
            for (unsigned i = rng(4); i > 0; i--)
                ga_add_into(scratch, scratch, 1);
        switch (rng(9)) {
        case 0:
            ga_add_into(x[o], x[a], x[b]);
            for (int64_t i = 0; i < n; i++) h[o][i] = h[a][i] + h[b][i];
            break;
        case 1:
            ga_multiply_into(x[o], x[a], (int)k);
            for (int64_t i = 0; i < n; i++) h[o][i] = h[a][i] * k;
            break;
        case 2:                         /* through a temporary              */
            ga_bitwise_xor_into(x[o], ga_add(x[a], (int)k), x[b]);
            for (int64_t i = 0; i < n; i++) h[o][i] = (h[a][i] + k) ^ h[b][i];
            break;
        case 3: {                       /* half of one into half of another */
            ga_assign(ga_slice(x[o], "::2"), ga_slice(x[a], "1::2"));
            if (o == a)
                for (int64_t i = 0; i < n; i += 2) h[o][i] = h[o][i + 1];
            else
                for (int64_t i = 0; i < n; i += 2) h[o][i] = h[a][i + 1];
            break;
        }
        case 4: {                       /* reversed: overlaps when o == a   */
            uint64_t *r = (uint64_t *)malloc((size_t)n * 8);
            assert_non_null(r);
            for (int64_t i = 0; i < n; i++) r[i] = h[a][n - 1 - i];
            memcpy(h[o], r, (size_t)n * 8);
            free(r);
            ga_assign(x[o], ga_flip(x[a], GA_ALL));
            break;
        }
        case 5: {                       /* a reduction, and its broadcast   */
            uint64_t sum = 0;
            for (int64_t i = 0; i < n; i++) sum += h[a][i];
            for (int64_t i = 0; i < n; i++) h[o][i] = h[b][i] + sum;
            ga_add_into(x[o], x[b], ga_sum(x[a], GA_ALL));
            break;
        }
        case 6:                         /* a new array in its place         */
            if (o == a) break;
            ga_free(x[o]);
            x[o] = ga_detach(ga_add(x[a], (int)k));
            for (int64_t i = 0; i < n; i++) h[o][i] = h[a][i] + k;
            break;
        case 7:                         /* the host's elements              */
            ga_free(x[o]);
            for (int64_t i = 0; i < n; i++) h[o][i] = (uint64_t)i * k;
            x[o] = ga_detach(ga_asarray_as(h[o], GA_UINT64, GA_SHAPE(n)));
            break;
        default: {                      /* a look in between                */
            int64_t at = (int64_t)rng((unsigned)n);
            uint64_t v = 0;
            ga_asnumpy(ga_slice_axis(x[o], 0, at, at + 1, 1), &v);
            T_CHECKF(v == h[o][at], "step %d: array %u, element %lld is %llu, "
                     "not %llu", step, o, (long long)at, (unsigned long long)v,
                     (unsigned long long)h[o][at]);
        }
        }
    }
    for (int i = 0; i < ARRAYS; i++) {
        GA_STREAM(s[rng(STREAMS)]);
        t_same(x[i], GA_UINT64, GA_SHAPE(n), h[i]);
        ga_free(x[i]);
    }
}
TEST(random_programs) {
    ga_stream *s[STREAMS] = {NULL};
    for (int i = 1; i < STREAMS - 1; i++) s[i] = ga_stream_create(i % 2);
    s[STREAMS - 1] = ga_stream_wrap(ga_stream_handle(s[1]));
    int programs = t_quick() ? 20 : t_on_gpu() ? 400 : 200;
    GA_SCOPE;
    ga_array *scratch = ga_zeros(GA_SHAPE(large()), GA_FLOAT32);
    for (int i = 0; i < programs; i++) {
        rng_state = (uint64_t)i * 7919 + 1;
        t_context("program %d", i);
        /* arrays of their own: the scope would free them at its end */
        int64_t n = i % 2 ? 1000 : t_on_gpu() ? 1 << 16 : 256;
        random_program(s, scratch, n);
        T_FINE();
        t_release_host();
        if (t_me.bad) break;
    }
    t_context("%s", "");
    for (int i = 1; i < STREAMS; i++) ga_stream_destroy(s[i]);
}

/* ----------------------------------------------------------------- graphs */
typedef struct work {
    ga_array *x, *y, *out;
    ga_graph *inner;
    int calls, what;
    double value;
} work;
static void in_place(void *arg) {
    work *w = (work *)arg;
    w->calls++;
    ga_multiply_into(w->x, w->x, 2);
    ga_add_into(w->x, w->x, w->y);
}
TEST(graph_replays_updates_in_place) {
    GA_SCOPE;
    work w = {.x = ga_ones(GA_SHAPE(1000), GA_INT64),
              .y = ga_arange(0, 1000, 1)};
    work v = {.x = ga_ones(GA_SHAPE(1000), GA_INT64), .y = w.y};
    ga_graph *g = ga_graph_create(in_place, &w);
    assert_non_null(g);
    T_CHECK(w.calls <= 1);
    T_CHECK(ga_item(ga_sum(w.x, GA_ALL)) == 1000);  /* nothing has run      */
    for (int i = 0; i < 20; i++) {
        T_CHECK(ga_graph_launch(g) == GA_OK);
        in_place(&v);
    }
    t_same_arrays(w.x, v.x, 0);
    if (t_on_gpu()) T_CHECK(w.calls == 1);
    ga_add_into(w.x, v.x, 5);           /* direct work in between           */
    ga_add_into(v.x, v.x, 5);
    ga_graph_launch(g);
    in_place(&v);
    t_same_arrays(w.x, v.x, 0);
    ga_graph_destroy(g);
    T_CHECK(ga_item_at(w.x, GA_INDEX(0)) == ga_item_at(v.x, GA_INDEX(0)));
}

/* Everything that may be captured, with arrays that live inside alone. */
static void much(void *arg) {
    work *w = (work *)arg;
    GA_SCOPE;
    ga_array *t = ga_transpose(w->x, GA_ALL);
    ga_array *a = ga_add(ga_mul(t, 2), ga_exp(ga_negative(w->y)));
    ga_array *s = ga_sum(a, GA_AXIS_KEEP(0)), *m = ga_mean(a, GA_ALL);
    ga_array *b = ga_where(ga_greater(a, m), a, ga_zeros_like(a));
    ga_array *c = ga_copy(ga_flip(b, GA_AXIS(0)));
    ga_array *z = ga_zeros(GA_SHAPE(40, 30), GA_FLOAT64);
    ga_assign(ga_slice(z, "::2"), 1);
    ga_array *r = ga_arange_as(0, 30, 1, GA_FLOAT64);
    ga_multiply_into(c, c, ga_div(r, 7));
    ga_add_into(w->out, c, ga_add(z, s));
    ga_clip_into(w->out, w->out, -50, ga_max(a, GA_ALL));
    ga_array *q = ga_astype(ga_argmax(w->out, GA_AXIS(1)), GA_FLOAT64);
    ga_add_into(w->out, w->out, ga_expand_dims(q, GA_AXIS(1)));
    ga_add_into(w->x, w->x, 0.5);
}
TEST(graph_of_many_operations) {
    GA_SCOPE;
    work w = {.x = ga_reshape(ga_linspace(0, 3, 1200), GA_SHAPE(30, 40)),
              .y = ga_linspace(0, 1, 30),
              .out = ga_zeros(GA_SHAPE(40, 30), GA_FLOAT64)}, v = w;
    v.x = ga_copy(w.x);
    v.out = ga_copy(w.out);
    int64_t live = ga_live_arrays();
    ga_graph *g = ga_graph_create(much, &w);
    T_CHECKF(g != NULL, "%s", ga_error_message());
    assert_non_null(g);
    T_CHECK(ga_live_arrays() == live);
    size_t used = t_used();
    for (int i = 0; i < 10; i++) {
        T_CHECK(ga_graph_launch(g) == GA_OK);
        much(&v);
        t_same_arrays(w.out, v.out, 0);
    }
    t_same_arrays(w.x, v.x, 0);
    T_CHECK(ga_live_arrays() == live && t_used() == used);
    ga_graph_destroy(g);
}
/* Launched on several streams, its order is that of direct calls. */
TEST(graph_on_streams) {
    GA_SCOPE;
    ga_stream *s = ga_stream_create(0), *t = ga_stream_create(0);
    work w = {.x = ga_zeros(GA_SHAPE(large()), GA_FLOAT32)};
    w.y = ga_ones(GA_SHAPE(large()), GA_FLOAT32);
    {
        GA_STREAM(s);
        keep_busy(w.x, 10);             /* pending at the capture           */
    }
    ga_graph *g = ga_graph_create(in_place, &w);
    assert_non_null(g);
    double want = 10;
    for (int i = 0; i < 11; i++) {
        GA_STREAM(i % 3 == 0 ? s : i % 3 == 1 ? t : NULL);
        if (i % 4 == 3) {
            ga_sub_into(w.x, w.x, w.x);
            ga_subtract_into(w.y, w.y, -1);
            want = 0;
            continue;
        }
        T_CHECK(ga_graph_launch(g) == GA_OK);
        want = want * 2 + 1 + i / 4;
    }
    T_CHECK(ga_item(ga_min(w.x, GA_ALL)) == want);
    T_CHECK(ga_item(ga_max(w.x, GA_ALL)) == want);
    ga_graph_destroy(g);
    ga_stream_destroy(s);
    ga_stream_destroy(t);
}

/* Arrays freed before the graph: it holds their memory. */
TEST(graph_outlives_arrays) {
    GA_SCOPE;
    size_t used = t_used();
    work w = {.x = ga_ones(GA_SHAPE(100), GA_INT32),
              .y = ga_full(GA_SHAPE(100), 3, GA_INT32)};
    ga_graph *g = ga_graph_create(in_place, &w);
    assert_non_null(g);
    if (t_on_gpu()) {                   /* the CPU's step would use y       */
        ga_free(w.y);
        for (int i = 0; i < 20; i++) ga_full(GA_SHAPE(100), -1, GA_INT32);
    }
    T_CHECK(ga_graph_launch(g) == GA_OK);
    T_CHECK(ga_item(ga_sum(w.x, GA_ALL)) == 500);
    ga_graph_destroy(g);
    if (t_on_gpu())
        T_CHECK(t_used() == used + 21 * 400 + 8);   /* y is gone            */
}
TEST(graphs_come_and_go) {
    GA_SCOPE;
    work w = {.x = ga_ones(GA_SHAPE(10), GA_INT64),
              .y = ga_zeros(GA_SHAPE(10), GA_INT64)};
    for (int i = 0; i < (t_quick() ? 5 : 60); i++) {
        ga_graph *g = ga_graph_create(in_place, &w);
        assert_non_null(g);
        if (i % 3) T_CHECK(ga_graph_launch(g) == GA_OK);
        ga_graph_destroy(g);            /* perhaps still under way          */
    }
    T_CHECK(ga_item_at(w.x, GA_INDEX(3)) == (t_quick() ? 8 : 1099511627776.0));
}
static void nothing(void *arg) { ((work *)arg)->calls++; }
TEST(graph_of_nothing) {
    work w = {.calls = 0};
    ga_graph *g = ga_graph_create(nothing, &w);
    assert_non_null(g);
    T_CHECK(ga_graph_launch(g) == GA_OK && ga_graph_launch(g) == GA_OK);
    ga_graph_destroy(g);
    ga_graph_destroy(NULL);
}
/* A pending error of before is no concern of the graph's. */
TEST(graph_with_an_error_pending) {
    GA_SCOPE;
    work w = {.x = ga_ones(GA_SHAPE(10), GA_INT64),
              .y = ga_ones(GA_SHAPE(10), GA_INT64)};
    ga_reshape(w.x, GA_SHAPE(3));
    ga_graph *g = ga_graph_create(in_place, &w);
    T_CHECK(g != NULL);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!g || ga_graph_launch(g) == GA_OK);
    T_CHECK(!g || ga_item_at(w.x, GA_INDEX(0)) == 3);
    ga_graph_destroy(g);
    ga_clear_error();
}

/* An error in the function: told by create (captured) or launch (the CPU). */
static void fails(void *arg) {
    work *w = (work *)arg;
    ga_add_into(w->x, w->x, 1);
    ga_reshape(ga_mul(w->x, 2), GA_SHAPE(7));
}
TEST(graph_whose_function_fails) {
    GA_SCOPE;
    work w = {.x = ga_ones(GA_SHAPE(10), GA_INT64)};
    int64_t live = ga_live_arrays();
    ga_graph *g = ga_graph_create(fails, &w);
    if (t_on_gpu()) {
        T_CHECK(g == NULL);
    } else {
        T_CHECK(g && ga_graph_launch(g) == GA_ERR_SHAPE);
        ga_graph_destroy(g);
    }
    T_CHECK(!strncmp(ga_error_message(), "ga_reshape: ", 12));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_live_arrays() == live);
    T_CHECK(ga_stream_current() == NULL);
    T_CHECK(ga_item_at(w.x, GA_INDEX(0)) == (t_on_gpu() ? 1 : 2));
    ga_add_into(w.x, w.x, 1);           /* all is well afterwards           */
    w.y = w.x;
    g = ga_graph_create(in_place, &w);
    T_CHECK(g && ga_graph_launch(g) == GA_OK);
    ga_graph_destroy(g);
}

/* What cannot be captured. On the CPU, where the function is just called,
   most of it works.                                                        */
static void forbidden(void *arg) {
    work *w = (work *)arg;
    double host[10] = {0};
    switch (w->what) {
    case 0: ga_item_at(w->x, GA_INDEX(0)); break;
    case 1: ga_asnumpy(w->x, host); break;
    case 2: ga_synchronize(); break;
    case 3: ga_stream_synchronize(NULL); break;
    case 4: ga_set_stream(NULL); break;
    case 5: ga_set_device(GA_CPU); break;
    case 6: ga_mem_trim(); break;
    case 7: ga_asarray(host, GA_SHAPE(10)); break;
    case 8: ga_graph_launch(w->inner); break;
    case 9: ga_graph_destroy(ga_graph_create(in_place, w)); break;
    case 10: ga_stream_query(NULL); break;
    case 11: ga_pinned_free(ga_pinned_alloc(100)); break;
    case 12: free(ga_tostring(w->x)); break;
    case 13: ga_save_npy("/dev/null", w->x); break;
    case 14: ga_to_device(w->x, t_on_gpu() ? GA_CPU : ga_device()); break;
    case 15: {
        GA_STREAM(NULL);
        ga_add_into(w->x, w->x, 0);
        break;
    }
    default: w->what = -1;
    }
}
TEST(what_a_graph_cannot_hold) {
    GA_SCOPE;
    work w = {.x = ga_ones(GA_SHAPE(10), GA_FLOAT64),
              .y = ga_zeros(GA_SHAPE(10), GA_FLOAT64)};
    w.inner = ga_graph_create(nothing, &w);
    for (int what = 0;; what++) {
        w.what = what;
        t_context("case %d", what);
        ga_graph *g = ga_graph_create(forbidden, &w);
        if (!t_on_gpu()) {              /* runs there, and does no harm     */
            T_CHECK(g && ga_graph_launch(g) == GA_OK);
        } else if (w.what >= 0) {
            T_CHECK(g == NULL);
            T_CHECKF(ga_error() == GA_ERR_CAPTURE, "%s: %s",
                     ga_status_name(ga_error()), ga_error_message());
            T_CHECK(!strncmp(ga_error_message(), "ga_", 3));
        }
        ga_clear_error();
        ga_graph_destroy(g);
        T_CHECK(ga_stream_current() == NULL);
        if (w.what < 0) break;
        T_CHECK(ga_item(ga_sum(w.x, GA_ALL)) == 10);
    }
    t_context("%s", "");
    ga_graph_destroy(w.inner);
}

/* An array made inside that is still there after: an error where the work was
   captured, and the handle can be freed but not used.                      */
static void escapes(void *arg) {
    work *w = (work *)arg;
    w->out = ga_detach(ga_add(w->x, 1));
}
TEST(arrays_that_escape_a_graph) {
    GA_SCOPE;
    work w = {.x = ga_ones(GA_SHAPE(10), GA_FLOAT64)};
    ga_graph *g = ga_graph_create(escapes, &w);
    if (!t_on_gpu()) {
        T_CHECK(g && ga_graph_launch(g) == GA_OK);
        T_CHECK(ga_item_at(w.out, GA_INDEX(0)) == 2);
        ga_free(w.out);
        ga_graph_destroy(g);
        return;
    }
    T_CHECK(g == NULL);
    T_CHECKF(!strncmp(ga_error_message(), "ga_graph_create: 1 arrays made by "
                      "the function outlive it", 57), "\"%s\"",
             ga_error_message());
    T_ERROR(GA_ERR_CAPTURE);
    T_CHECK(ga_add(w.out, 1) == NULL);
    T_ERROR(GA_ERR_CAPTURE);
    ga_free(w.out);
}
TEST(graph_of_another_device) {
    if (!ga_device_count()) {
        print_message("    skipped: no GPU\n");
        skip();
    }
    GA_SCOPE;
    int here = ga_device(), there = here == GA_CPU ? 0 : GA_CPU;
    work w = {.calls = 0};
    ga_graph *g = ga_graph_create(nothing, &w);
    {
        GA_DEVICE(there);
        T_CHECK(ga_graph_launch(g) == GA_ERR_DEVICE_MISMATCH);
        char want[120];
        snprintf(want, sizeof want, "ga_graph_launch: the graph was made on "
                 "device %d, the current device is %d", here, there);
        T_CHECKF(!strcmp(ga_error_message(), want), "\"%s\"",
                 ga_error_message());
        T_ERROR(GA_ERR_DEVICE_MISMATCH);
    }
    T_CHECK(ga_graph_launch(g) == GA_OK);
    ga_graph_destroy(g);
}
/* Other threads work on while one captures. */
static void *goes_on(void *arg) {
    int bad = 0;
    for (int i = 0; i < 200; i++) {
        GA_SCOPE;
        ga_array *x = ga_full(GA_SHAPE(1000), i, GA_FLOAT32);
        bad += ga_item(ga_sum(ga_mul(x, 2), GA_ALL)) != 2000.0 * i;
    }
    *(int *)arg = bad;
    return NULL;
}
TEST(capture_beside_other_threads) {
    GA_SCOPE;
    pthread_t id;
    int bad = -1;
    work w = {.x = ga_zeros(GA_SHAPE(10), GA_INT64),
              .y = ga_ones(GA_SHAPE(10), GA_INT64)};
    assert_int_equal(pthread_create(&id, NULL, goes_on, &bad), 0);
    for (int i = 0; i < 20; i++) {
        ga_graph *g = ga_graph_create(in_place, &w);
        T_CHECK(g && ga_graph_launch(g) == GA_OK);
        ga_graph_destroy(g);
    }
    pthread_join(id, NULL);
    T_CHECK(bad == 0);
    T_CHECK(ga_item_at(w.x, GA_INDEX(0)) == (1 << 20) - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(current_stream), T(blocks_end_on_return), T(priorities),
        T(query_and_synchronize), T(destroy_with_work_pending),
        T(destroy_while_current), T(wrapped_streams),
        T(streams_of_another_device), T(events), T(wait_for_an_event),
        T(callbacks), T(a_reader_waits_for_the_writer),
        T(the_host_waits_for_the_writer), T(a_writer_waits_for_the_readers),
        T(free_while_a_stream_reads), T(temporaries_across_streams),
        T(random_programs), T(graph_replays_updates_in_place),
        T(graph_of_many_operations), T(graph_on_streams),
        T(graph_outlives_arrays), T(graphs_come_and_go), T(graph_of_nothing),
        T(graph_with_an_error_pending), T(graph_whose_function_fails),
        T(what_a_graph_cannot_hold), T(arrays_that_escape_a_graph),
        T(graph_of_another_device), T(capture_beside_other_threads),
    };
    return T_RUN("streams", tests);
}
