/* Who frees what: scopes on every way out, keep and detach, views that outlive
   their array, wrapped memory and its deleter.                              */
#include "test.h"

static ga_array *make(void) { return ga_zeros(GA_SHAPE(3, 4), GA_FLOAT32); }
static int64_t alive(void) { return ga_live_arrays() - t_me.live; }
static bool in_a_scope(void) {
    ga_array *x = make();
    bool in = x->ga__scope != NULL;
    ga_free(x);
    return in;
}

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
    T_CHECK(!in_a_scope());
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
    T_CHECK(!in_a_scope());
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
    };
    return T_RUN("lifetime", tests);
}
