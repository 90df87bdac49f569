/* Views against NumPy's: 400 index strings, 1500 calls of the view functions,
   from golden/views.bin; that they are views; and where they refuse.        */
#include "golden.h"

#include <inttypes.h>

static ga_array *counted(ga_shape s) {
    return ga_reshape(ga_arange_as(0, t_size(s), 1, GA_INT32), s);
}
static ga_shape shape_from(const int64_t *d, int64_t n) {
    ga_shape s = {(int)n, {0}};
    for (int64_t i = 0; i < n; i++) s.dim[i] = d[i];
    return s;
}
static ga_axis axes_from(const int64_t *d, int64_t n) {
    ga_axis a = {(int)n, false, {0}};
    for (int64_t i = 0; i < n; i++) a.axis[i] = (int)d[i];
    return a;
}
static void refused(const ga_array *v, const char *status) {
    T_CHECKF(!v, "no error");
    T_CHECKF(!strcmp(ga_status_name(ga_error()), status),
             "%s (%s), expected %s", ga_status_name(ga_error()),
             ga_error_message(), status);
    ga_clear_error();
}
/* Writing through v must change v->size elements of what it views. */
static void writes_through(ga_array *v, const ga_array *owner) {
    if (!v) return;
    T_CHECK(ga_assign(v, -1) == GA_OK);
    ga_array *n = ga_count_nonzero(ga_equal(owner, -1), GA_ALL);
    T_CHECKF(ga_item_i64(n) == v->size, "%lld elements changed, not %lld",
             (long long)ga_item_i64(n), (long long)v->size);
}

TEST(slices) {
    const g_record *s;
    for (int k = 0; (s = g_find("slice/%d/shape", k)) != NULL; k++) {
        GA_SCOPE;
        const char *text = (const char *)g_find("slice/%d/text", k)->data;
        const g_record *out = g_find("slice/%d/out", k);
        ga_shape shape = shape_from((const int64_t *)s->data, s->size);
        t_context("x%s[%s]", t_shape_text(shape.ndim, shape.dim), text);
        ga_array *x = counted(shape);
        int64_t live = ga_live_arrays();
        ga_array *v = ga_slice(x, "%s", text);
        T_CHECK(ga_live_arrays() == live + 1);
        t_same(v, GA_INT32, out->shape, out->data);
        writes_through(v, x);
        /* the same of a view whose memory runs otherwise */
        x = ga_transpose(ga_copy(ga_transpose(counted(shape), GA_ALL)),
                         GA_ALL);
        t_same(ga_slice(x, "%s", text), GA_INT32, out->shape, out->data);
    }
}
TEST(slice_faults) {
    for (int k = 0; k < 100; k++) {
        const g_record *text = g_find("fault/%d/text", k);
        if (!text) continue;
        GA_SCOPE;
        ga_array *x = counted(GA_SHAPE(4, 5));
        int64_t live = ga_live_arrays();
        t_context("x(4,5)[%s]", (const char *)text->data);
        refused(ga_slice(x, "%s", (const char *)text->data),
                (const char *)g_find("fault/%d/status", k)->data);
        T_CHECK(ga_live_arrays() == live);
    }
    GA_SCOPE;
    ga_array *x = counted(GA_SHAPE(4, 5));
    t_context("arguments");
    int i = 2;
    int64_t l = -1;
    t_same_arrays(ga_slice(x, "%d, :", i), ga_slice(x, "2"), 0);
    t_same_arrays(ga_slice(x, ":, %" PRId64, l), ga_slice(x, ":, 4"), 0);
    t_same_arrays(ga_slice(x, "%d:%d, ::%d", 1, 3, 2),
                  ga_slice(x, "1:3, ::2"), 0);
    T_CHECK(!ga_slice(NULL, "1"));
    T_ERROR(GA_ERR_NULL);
    /* a very long text is refused, not cut */
    char longer[5000];
    memset(longer, ' ', sizeof longer - 1);
    longer[0] = '1';
    longer[sizeof longer - 1] = 0;
    ga_array *v = ga_slice(x, "%s", longer);
    if (v) t_same_arrays(v, ga_slice(x, "1"), 0);
    else T_ERROR(GA_ERR_SYNTAX);
    /* the message shows the text and the place */
    ga_slice(x, "1, q");
    T_CHECK(strstr(ga_error_message(), "ga_slice") != NULL);
    T_CHECK(strstr(ga_error_message(), "1, q") != NULL);
    T_ERROR(GA_ERR_SYNTAX);
    ga_slice(x, "7");
    T_CHECK(strstr(ga_error_message(), "7") != NULL);
    T_CHECK(strstr(ga_error_message(), "4") != NULL);
    T_ERROR(GA_ERR_INDEX);
}

/* One golden call. */
static ga_array *call(const char *f, const ga_array *x, const int64_t *a,
                      int64_t n) {
    if (!strcmp(f, "reshape")) return ga_reshape(x, shape_from(a, n));
    if (!strcmp(f, "ravel")) return ga_ravel(x);
    if (!strcmp(f, "transpose")) return ga_transpose(x, axes_from(a, n));
    if (!strcmp(f, "reverse")) return ga_transpose(x, GA_ALL);
    if (!strcmp(f, "swapaxes")) return ga_swapaxes(x, (int)a[0], (int)a[1]);
    if (!strcmp(f, "moveaxis"))
        return ga_moveaxis(x, axes_from(a, n / 2), axes_from(a + n / 2, n / 2));
    if (!strcmp(f, "expand_dims")) return ga_expand_dims(x, axes_from(a, n));
    if (!strcmp(f, "squeeze")) return ga_squeeze(x, axes_from(a, n));
    if (!strcmp(f, "squeeze_all")) return ga_squeeze(x, GA_ALL);
    if (!strcmp(f, "broadcast_to"))
        return ga_broadcast_to(x, shape_from(a, n));
    if (!strcmp(f, "flip")) return ga_flip(x, axes_from(a, n));
    if (!strcmp(f, "flip_all")) return ga_flip(x, GA_ALL);
    if (!strcmp(f, "diagonal"))
        return ga_diagonal(x, a[0], (int)a[1], (int)a[2]);
    if (!strcmp(f, "slice_axis"))
        return ga_slice_axis(x, (int)a[0], a[1], a[2], a[3]);
    if (!strcmp(f, "index_axis")) return ga_index_axis(x, (int)a[0], a[1]);
    t_bad("no such function: %s", f);
    return NULL;
}
TEST(view_functions) {
    const g_record *c;
    for (int k = 0; (c = g_find("%d/call", k)) != NULL; k++) {
        GA_SCOPE;
        const char *f = (const char *)c->data;
        const g_record *s = g_find("%d/shape", k), *a = g_find("%d/args", k);
        const g_record *out = g_find("%d/out", k);
        const int64_t *d = (const int64_t *)s->data;
        const int64_t *v = (const int64_t *)a->data;
        ga_shape shape = shape_from(d + 1, s->size - 1);
        ga_array *own = counted(shape);
        ga_array *x = d[0] == 1 ? ga_transpose(own, GA_ALL)
                    : d[0] == 2 ? ga_flip(own, GA_ALL) : own;
        t_context("%s of %s%s with %s", f, d[0] == 1 ? "transposed "
                  : d[0] == 2 ? "flipped " : "",
                  t_shape_text(shape.ndim, shape.dim),
                  t_shape_text((int)a->size, v));
        int64_t live = ga_live_arrays();
        ga_array *y = call(f, x, v, a->size);
        if (!out) {
            T_CHECK(ga_live_arrays() == live);
            refused(y, (const char *)g_find("%d/status", k)->data);
            continue;
        }
        T_CHECK(ga_live_arrays() == live + 1);
        t_same(y, GA_INT32, out->shape, out->data);
        if (!strcmp(f, "broadcast_to")) {
            if (y && y->size > x->size) {
                T_CHECK(ga_assign(y, 0) == GA_ERR_READONLY);
                T_ERROR(GA_ERR_READONLY);
            }
        } else if (d[0] == 0 || (strcmp(f, "reshape") && strcmp(f, "ravel"))) {
            writes_through(y, own);
        }
    }
}

TEST(reshape_copies_only_where_it_must) {
    GA_SCOPE;
    ga_array *x = counted(GA_SHAPE(4, 6));
    T_CHECK(ga_reshape(x, GA_SHAPE(2, -1))->data == x->data);
    T_CHECK(ga_ravel(x)->data == x->data);
    ga_array *t = ga_transpose(x, GA_ALL);
    ga_array *c = ga_reshape(t, GA_SHAPE(24));
    T_CHECK(c->data != x->data);
    ga_assign(c, 0);
    T_CHECK(ga_item_i64(ga_sum(x, GA_ALL)) == 23 * 24 / 2);
    /* splitting an axis of any view needs no copy */
    ga_array *s = ga_reshape(ga_slice(x, ":, ::2"), GA_SHAPE(2, 2, 3));
    T_CHECK(s->data == x->data);
    s = ga_reshape(t, GA_SHAPE(2, 3, 4));
    T_CHECK(s->data == x->data);
    T_CHECK(!ga_reshape(x, GA_SHAPE(5, -1)));
    T_CHECK(strstr(ga_error_message(), "(4,6)") != NULL);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_reshape(x, GA_SHAPE(-1, -1)));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_reshape(x, GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 4, 6)));
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(!ga_reshape(x, GA_SHAPE(INT64_MAX, 2)));
    T_CHECK(ga_error() == GA_ERR_SHAPE || ga_error() == GA_ERR_SIZE);
    ga_clear_error();
    T_CHECK(!ga_reshape(x, GA_SHAPE((int64_t)1 << 62, 4, -1)));
    T_CHECK(ga_error() == GA_ERR_SHAPE || ga_error() == GA_ERR_SIZE);
    ga_clear_error();
    t_is(ga_reshape(ga_zeros(GA_SHAPE(0), GA_INT8), GA_SHAPE(3, 0, 7)),
         GA_INT8, GA_SHAPE(3, 0, 7));
    T_CHECK(!ga_reshape(ga_zeros(GA_SHAPE(0), GA_INT8), GA_SHAPE(0, -1)));
    T_ERROR(GA_ERR_SHAPE);
}
/* Elements of each width from the last to the first, beside none and some that are
   left when whole vectors are taken.                                        */
TEST(backwards) {
    static const ga_dtype types[] = {GA_INT8, GA_UINT16, GA_FLOAT32, GA_INT64, GA_COMPLEX128};
    static const int lengths[] = {1, 7, 31, 32, 33, 77, 2500};
    for (size_t t = 0; t < T_COUNT(types); t++)
        for (size_t k = 0; k < T_COUNT(lengths); k++) {
            GA_SCOPE;
            const int n = lengths[k];
            ga_array *x = ga_astype(ga_mod(ga_arange(0, n + 2, 1), 119), types[t]);
            ga_array *want = ga_empty(GA_SHAPE(n), types[t]);
            const size_t size = ga_dtype_size(types[t]);
            char *w = (char *)t_alloc((size_t)n * size);
            const char *v = (const char *)t_host(x);
            for (int i = 0; i < n; i++)
                memcpy(w + (size_t)i * size, v + (size_t)(n - i) * size, size);
            t_context("%d %s", n, ga_dtype_name(types[t]));
            ga_array *back = ga_slice_axis(x, 0, n, 0, -1);
            t_same(ga_copy(back), types[t], GA_SHAPE(n), w);
            t_same(ga_add(back, ga_zeros_like(back)), types[t], GA_SHAPE(n), w);
            ga_assign(want, back);
            t_same(want, types[t], GA_SHAPE(n), w);
        }
    t_context("%s", "");
}
TEST(computed_slices) {
    GA_SCOPE;
    ga_array *x = ga_arange(0, 10, 1);
    t_same_arrays(ga_slice_axis(x, 0, GA_END, GA_END, -1),
                  ga_slice(x, "::-1"), 0);
    t_same_arrays(ga_slice_axis(x, 0, 2, GA_END, 3), ga_slice(x, "2::3"), 0);
    t_same_arrays(ga_slice_axis(x, -1, -3, -1, 1), ga_slice(x, "-3:-1"), 0);
    t_same_arrays(ga_slice_axis(x, 0, INT64_MIN, INT64_MAX - 1, 1), x, 0);
    t_same_arrays(ga_slice_axis(x, 0, 0, 10, INT64_MAX),
                  ga_slice(x, "0:1"), 0);
    t_same_arrays(ga_slice_axis(x, 0, 9, GA_END, -INT64_MAX),
                  ga_slice(x, "9:"), 0);
    T_CHECK(!ga_slice_axis(x, 0, 0, 5, 0));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_slice_axis(x, 1, 0, 5, 1));
    T_ERROR(GA_ERR_AXIS);
    t_same_arrays(ga_slice_axis(x, 0, 9, GA_END, INT64_MIN),
                  ga_slice(x, "9:"), 0);
    T_CHECK(!ga_index_axis(x, 0, 10));
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(!ga_index_axis(x, 0, INT64_MIN));
    T_ERROR(GA_ERR_INDEX);
    T_CHECK(ga_item(ga_index_axis(x, -1, -10)) == 0);
}
TEST(real_and_imag) {
    GA_SCOPE;
    double v[] = {1, -2, 3, -4, 5, -6}, re[] = {1, 3, 5}, im[] = {-2, -4, -6};
    float w[] = {1, -2, 3, -4, 5, -6}, re4[] = {1, 3, 5}, im4[] = {-2, -4, -6};
    ga_array *z = ga_asarray_as(v, GA_COMPLEX128, GA_SHAPE(3));
    ga_array *c = ga_asarray_as(w, GA_COMPLEX64, GA_SHAPE(3));
    t_same(ga_real(z), GA_FLOAT64, GA_SHAPE(3), re);
    t_same(ga_imag(z), GA_FLOAT64, GA_SHAPE(3), im);
    t_same(ga_real(c), GA_FLOAT32, GA_SHAPE(3), re4);
    t_same(ga_imag(c), GA_FLOAT32, GA_SHAPE(3), im4);
    /* they are views */
    T_CHECK(ga_assign(ga_imag(z), 7) == GA_OK);
    T_CHECK(ga_assign(ga_real(ga_slice(z, "::-2")), 8) == GA_OK);
    double now[] = {8, 7, 3, 7, 8, 7};
    t_same(z, GA_COMPLEX128, GA_SHAPE(3), now);
    ga_array *col = ga_reshape(c, GA_SHAPE(3, 1));
    t_same(ga_real(ga_transpose(col, GA_ALL)), GA_FLOAT32, GA_SHAPE(1, 3),
           re4);
    t_same(ga_add(ga_imag(c), ga_real(c)), GA_FLOAT32, GA_SHAPE(3),
           ((float[]){-1, -1, -1}));
    for (int t = 0; t < GA_COMPLEX64; t++) {
        ga_array *x = ga_ones(GA_SHAPE(2), (ga_dtype)t);
        ga_array *r = ga_real(x), *i = ga_imag(x);
        t_same_arrays(r, x, 0);
        T_CHECK(r && r->data == x->data);
        t_same_arrays(i, ga_zeros(GA_SHAPE(2), (ga_dtype)t), 0);
    }
    t_is(ga_imag(ga_zeros(GA_SHAPE(0, 2), GA_COMPLEX64)), GA_FLOAT32,
         GA_SHAPE(0, 2));
}
/* Conversions of rows with gaps between them, of lengths about where they are
   taken one by one, in either order of rows, from and to every dtype; nothing
   but the rows is written.                                                  */
TEST(conversions_of_rows) {
    static const int lengths[] = {1, 31, 63, 64, 65, 96, 119, 300};
    for (int c = 0; c < GA_NUM_DTYPES * GA_NUM_DTYPES; c++) {
        const ga_dtype from = (ga_dtype)(c / GA_NUM_DTYPES), to = (ga_dtype)(c % GA_NUM_DTYPES);
        const int n = lengths[c % (int)T_COUNT(lengths)], wide = n + 5;
        GA_SCOPE;
        t_context("%s to %s, rows of %d", ga_dtype_name(from), ga_dtype_name(to), n);
        void *p = t_alloc((size_t)(6 * wide) * ga_dtype_size(from));
        void *w = t_alloc((size_t)(6 * wide) * ga_dtype_size(to));
        for (int i = 0; i < 6 * wide; i++) {
            const bool in = i % wide > 1 && i % wide < n + 2;
            const int v = i * 7 % 101;
            t_store(p, from, i, v, 0);
            t_store(w, to, i, !in ? 1 : from == GA_BOOL || to == GA_BOOL ? !!v : v, 0);
        }
        ga_array *x = ga_asarray_as(p, from, GA_SHAPE(6, wide));
        for (int down = 0; down < 2; down++) {
            ga_array *r = ga_full(GA_SHAPE(6, wide), 1, to);
            ga_array *a = ga_slice(x, ":, 2:%d", n + 2), *b = ga_slice(r, ":, 2:%d", n + 2);
            if (down) a = ga_flip(a, GA_AXIS(0)), b = ga_flip(b, GA_AXIS(0));
            T_CHECK(ga_copyto(b, a, 1) == GA_OK || from > to);
            if (ga_error()) {       /* no such conversion into an array     */
                ga_clear_error();
                continue;
            }
            t_same_arrays(r, ga_asarray_as(w, to, GA_SHAPE(6, wide)), 0);
            t_same_arrays(ga_astype(a, to), b, 0);
        }
    }
    t_context("%s", "");
}
TEST(errors) {
    GA_SCOPE;
    ga_array *x = counted(GA_SHAPE(2, 3));
    refused(ga_transpose(x, GA_AXIS(0)), "GA_ERR_AXIS");
    refused(ga_transpose(x, GA_AXIS(0, 0)), "GA_ERR_AXIS");
    refused(ga_transpose(x, GA_AXIS(0, 2)), "GA_ERR_AXIS");
    refused(ga_swapaxes(x, 0, 2), "GA_ERR_AXIS");
    refused(ga_moveaxis(x, GA_AXIS(0, 1), GA_AXIS(0)), "GA_ERR_AXIS");
    refused(ga_expand_dims(x, GA_AXIS(4)), "GA_ERR_AXIS");
    refused(ga_expand_dims(x, GA_AXIS(0, 1, 2, 3, 4, 5, 6)), "GA_ERR_SHAPE");
    refused(ga_squeeze(x, GA_AXIS(0)), "GA_ERR_SHAPE");
    refused(ga_broadcast_to(x, GA_SHAPE(3)), "GA_ERR_SHAPE");
    refused(ga_broadcast_to(x, GA_SHAPE(2, -1)), "GA_ERR_SHAPE");
    refused(ga_flip(x, GA_AXIS(2)), "GA_ERR_AXIS");
    refused(ga_diagonal(x, 0, 0, 0), "GA_ERR_AXIS");
    refused(ga_diagonal(ga_ravel(x), 0, 0, 1), "GA_ERR_AXIS");
    t_is(ga_diagonal(x, INT64_MAX, 0, 1), GA_INT32, GA_SHAPE(0));
    t_is(ga_diagonal(x, INT64_MIN, 0, 1), GA_INT32, GA_SHAPE(0));
    refused(ga_ravel(NULL), "GA_ERR_NULL");
    refused(ga_transpose(NULL, GA_ALL), "GA_ERR_NULL");
    refused(ga_view(NULL), "GA_ERR_NULL");
    refused(ga_real(NULL), "GA_ERR_NULL");
    ga_shape s = ga_shape_of(x);
    T_CHECK(s.ndim == 2 && s.dim[0] == 2 && s.dim[1] == 3);
    T_CHECK(ga_is_contiguous(x) && !ga_is_contiguous(NULL));
    T_CHECK(!ga_is_contiguous(ga_transpose(x, GA_ALL)));
    T_CHECK(ga_is_contiguous(ga_slice(x, "1:, :")));
    T_CHECK(!ga_is_contiguous(ga_slice(x, ":, 1:")));
    T_CHECK(ga_is_contiguous(ga_slice(x, ":1, :2")));
}
/* The memory goes with the last view. */
TEST(views_keep_memory) {
    size_t before = t_used();
    ga_array *x = ga_ones(GA_SHAPE(1000, 10), GA_FLOAT64);
    ga_array *v = ga_slice(x, "5"), *w = ga_flip(v, GA_ALL);
    size_t used = t_used();
    ga_free(x);
    ga_free(v);
    T_CHECK(t_used() == used);
    T_CHECK(ga_item_at(w, GA_INDEX(3)) == 1);
    ga_free(w);
    T_CHECK(t_used() == before);
}

/* Lengths whose product is close to the largest number, nothing in memory:
   every call must get by without an overflow or arithmetic on NULL, which
   `make sanitize` would see.                                               */
TEST(empty_arrays_of_large_shapes) {
    const int64_t big = INT64_C(1) << 31, most = INT64_C(1) << 28;
    const ga_shape shapes[] = {
        {3, {big, 0, most}}, {3, {0, big, most}}, {3, {big, most, 0}},
        {1, {0}}, {2, {0, 3}}, {2, {3, 0}}, {4, {0, 2, 0, 2}}};
    for (size_t i = 0; i < T_COUNT(shapes); i++) {
        GA_SCOPE;
        ga_array *x = ga_zeros(shapes[i], GA_FLOAT64);
        assert_non_null(x);
        ga_array *t = ga_transpose(x, GA_ALL);
        T_CHECK(ga_flip(x, GA_ALL) && ga_flip(t, GA_AXIS(0)));
        T_CHECK(ga_copy(t) && ga_ravel(t) && ga_ravel(ga_flip(x, GA_ALL)));
        T_CHECK(ga_add(x, 1) && ga_add(ga_flip(x, GA_ALL), x));
        T_CHECK(ga_slice(x, "::-1") && ga_slice(x, "1:") && ga_slice(t, ":0"));
        T_CHECK(ga_item(ga_sum(x, GA_ALL)) == 0);
        T_CHECK(ga_item(ga_sum(ga_flip(x, GA_ALL), GA_ALL)) == 0);
        T_CHECK(ga_expand_dims(x, GA_AXIS(0)) && ga_squeeze(x, GA_ALL));
        T_CHECK(ga_assign(x, 3) == GA_OK && ga_assign(x, x) == GA_OK);
        T_CHECK(ga_add_into(x, ga_flip(x, GA_ALL), 1) == GA_OK);
        if (i > 2) {                    /* they make an order of the axis   */
            T_CHECK(ga_random_shuffle(x, -1) == GA_OK);
            T_CHECK(ga_random_permutation(x) != NULL);
        }
        char *text = ga_tostring(x);
        T_CHECK(text != NULL);
        free(text);
        T_FINE();
        /* what these give is NumPy's affair; that they return is ours */
        ga_norm(x, GA_NORM, GA_ALL);
        ga_norm(x, 2, GA_AXIS(0));
        ga_mean(x, GA_AXIS(0));
        ga_max(x, GA_AXIS(-1));
        ga_argmin(x, GA_AXIS(0));
        ga_var(x, GA_AXIS(-1), 0);
        ga_diagonal(x, big, 0, 1);
        ga_broadcast_to(x, shapes[i]);
        ga_matmul(x, t);
        ga_outer(x, x);
        ga_kron(x, x);
        ga_tensorinv(x, 1);
        ga_reshape(x, GA_SHAPE(0, big, most));
        ga_clear_error();
    }
    GA_SCOPE;
    T_CHECK(ga_eye(0, 3, 0, GA_FLOAT32) && ga_eye(0, big, -big, GA_FLOAT32));
    T_CHECK(ga_eye(big, 0, big, GA_INT8) && ga_identity(0, GA_INT8));
    T_CHECK(!ga_eye(big, INT64_C(1) << 40, 0, GA_INT8));
    T_ERROR(GA_ERR_SIZE);
    T_CHECK(ga_eye(3, 3, INT64_MIN, GA_INT8) != NULL);
    T_CHECK(ga_eye(3, 3, INT64_MAX, GA_INT8) != NULL);
    const int64_t huge = INT64_C(1) << 40;
    T_CHECK(!ga_zeros(GA_SHAPE(0, huge, huge), GA_INT8));
    T_ERROR(GA_ERR_SIZE);
}

/* Matrices turned to all sides, copied and added: each element by its bytes. */
TEST(turned_copies) {
    static const ga_dtype types[] = {GA_UINT8, GA_BOOL, GA_FLOAT16, GA_INT32,
                                     GA_FLOAT64, GA_COMPLEX128};
    static const int size[][2] = {{64, 128}, {300, 1000}, {131, 262}, {1000, 67},
                                  {40, 33}, {9, 2049}};
    for (int t = 0; t < (int)T_COUNT(types); t++)
        for (int i = 0; i < (int)T_COUNT(size); i++) {
            GA_SCOPE;
            const int n = size[i][0], m = size[i][1];
            const size_t w = ga_dtype_size(types[t]);
            ga_array *x = t_random_array(types[t], GA_SHAPE(n, m), 0, 9);
            const char *a = (const char *)t_host(x);
            for (int k = 0; k < 8; k++) {   /* turns; of the mirror image    */
                t_context("%s (%d,%d) turned %d", ga_dtype_name(types[t]), n, m,
                          k);
                ga_array *y = ga_rot90(k < 4 ? x : ga_transpose(x, GA_ALL), k, 0,
                                       1);
                char *want = (char *)t_alloc((size_t)(n * m) * w);
                for (int r = 0; r < n; r++)
                    for (int c = 0; c < m; c++) {
                        int h = k < 4 ? n : m, v = k < 4 ? m : n;
                        int i0 = k < 4 ? r : c, j0 = k < 4 ? c : r;
                        int p = k % 4 == 1 ? v - 1 - j0 : k % 4 == 2 ? h - 1 - i0
                                : k % 4 == 3 ? j0 : i0;
                        int q = k % 4 == 1 ? i0 : k % 4 == 2 ? v - 1 - j0
                                : k % 4 == 3 ? h - 1 - i0 : j0;
                        memcpy(want + ((size_t)p * (size_t)y->shape[1]
                                       + (size_t)q) * w,
                               a + ((size_t)r * (size_t)m + (size_t)c) * w, w);
                    }
                ga_array *copy = ga_copy(y);
                t_same(copy, types[t], ga_shape_of(y), want);
                ga_array *z = ga_rot90(ga_reshape(x, ga_shape_of(ga_transpose(
                    y, GA_ALL))), k % 2 ? 1 : 3, 0, 1);
                t_same_arrays(ga_maximum(y, z), ga_maximum(copy, ga_copy(z)), 0);
                ga_array *room = ga_zeros(GA_SHAPE(y->shape[0], y->shape[1] + 8),
                                          types[t]);
                ga_array *part = ga_slice(room, ":, 4:-4");
                T_CHECK(!ga_assign(part, y));
                t_same_arrays(part, copy, 0);
                T_CHECK(ga_item(ga_any(ga_slice(room, ":, :4"), GA_ALL)) == 0
                        && ga_item(ga_any(ga_slice(room, ":, -4:"), GA_ALL)) == 0);
            }
            t_release_host();
        }
}

/* Elements some apart, from and to: whatever lies between them stays. */
TEST(elements_apart) {
    static const ga_dtype types[] = {GA_UINT8, GA_BOOL, GA_INT16, GA_FLOAT32,
                                     GA_INT64, GA_COMPLEX128};
    static const int lengths[] = {1, 7, 15, 16, 17, 63, 64, 65, 66, 79, 100, 513};
    for (int t = 0; t < (int)T_COUNT(types); t++)
        for (int i = 0; i < (int)T_COUNT(lengths); i++)
            for (int step = 2; step < 10; step++) {
                GA_SCOPE;
                const int n = lengths[i], all = n * step;
                const size_t w = ga_dtype_size(types[t]);
                t_context("%s, %d of them %d apart", ga_dtype_name(types[t]), n,
                          step);
                ga_array *x = t_random_array(types[t], GA_SHAPE(all), 0, 9);
                ga_array *part = ga_slice_axis(x, 0, step - 1, GA_END, step);
                const char *a = t_host(x);
                char *want = t_alloc((size_t)n * w);
                for (int k = 0; k < n; k++)
                    memcpy(want + (size_t)k * w,
                           a + (size_t)(k * step + step - 1) * w, w);
                t_same(ga_copy(part), types[t], GA_SHAPE(n), want);
                ga_array *y = t_random_array(types[t], GA_SHAPE(all), 0, 9);
                char *there = t_alloc((size_t)all * w);
                T_CHECK(ga_asnumpy(y, there) != NULL);
                for (int k = 0; k < n; k++)
                    memcpy(there + (size_t)(k * step) * w, want + (size_t)k * w, w);
                T_CHECK(!ga_assign(ga_slice_axis(y, 0, 0, GA_END, step), part));
                t_same(y, types[t], GA_SHAPE(all), there);
                t_release_host();
            }
}
/* Runs of a page and more, from any place of a page to any other. */
TEST(runs_of_pages) {
    static const int places[] = {0, 1, 15, 16, 31, 32, 33, 64, 2000};
    static const int lengths[] = {4000, 4095, 4096, 4097, 4223, 8192, 50001};
    enum { ROOM = 60000 };
    GA_SCOPE;
    ga_array *x = t_random_array(GA_UINT8, GA_SHAPE(ROOM), 0, 255);
    const unsigned char *a = t_host(x);
    unsigned char *want = t_alloc(ROOM);
    for (int i = 0; i < (int)T_COUNT(lengths); i++)
        for (int p = 0; p < (int)T_COUNT(places); p++)
            for (int q = 0; q < (int)T_COUNT(places); q++) {
                GA_SCOPE;
                const int n = lengths[i], from = places[p], to = places[q];
                t_context("%d bytes from %d to %d", n, from, to);
                ga_array *y = ga_full(GA_SHAPE(ROOM), 7, GA_UINT8);
                memset(want, 7, ROOM);
                memcpy(want + to, a + from, (size_t)n);
                T_CHECK(!ga_assign(ga_slice_axis(y, 0, to, to + n, 1),
                                   ga_slice_axis(x, 0, from, from + n, 1)));
                t_same(y, GA_UINT8, GA_SHAPE(ROOM), want);
                unsigned char *out = malloc(ROOM);
                assert_non_null(out);
                memset(out, 7, ROOM);
                T_CHECK(ga_asnumpy(ga_slice_axis(x, 0, from, from + n, 1),
                                   out + to) == out + to);
                T_CHECK(!memcmp(out, want, ROOM));
                free(out);
                /* over itself                                               */
                ga_array *z = ga_copy(x);
                memcpy(want, a, ROOM);
                memmove(want + to, want + from, (size_t)n);
                T_CHECK(!ga_assign(ga_slice_axis(z, 0, to, to + n, 1),
                                   ga_slice_axis(z, 0, from, from + n, 1)));
                t_same(z, GA_UINT8, GA_SHAPE(ROOM), want);
            }
    t_release_host();
}

/* Assigned to where no neighbours adjoin: what is between stays as it is. */
TEST(assigned_with_gaps) {
    static const ga_dtype types[] = {GA_BOOL, GA_INT8, GA_BFLOAT16, GA_INT32, GA_FLOAT64,
                                     GA_COMPLEX64, GA_COMPLEX128};
    static const struct { int ndim; int64_t n[3], by[3]; } of[] = {
        {1, {1, 1, 9001}, {1, 1, 2}}, {1, {1, 1, 70001}, {1, 1, -3}}, {2, {1, 300, 77}, {1, 1, 2}},
        {2, {1, 77, 300}, {1, 2, -2}}, {3, {5, 40, 61}, {2, 1, 3}}, {3, {31, 20, 7}, {1, -2, 2}},
        {2, {1, 2000, 10}, {1, 3, 1}}, {3, {40, 30, 6}, {1, 2, 1}}, {2, {1, 300, 40}, {1, 2, 1}}};
    for (size_t k = 0; k < T_COUNT(of) * T_COUNT(types) * 8; k++) {
        const int source = (int)k % 4;  /* plain, another order, a row, a number */
        const bool all_of = k / 4 % 2;  /* or where a mask says so          */
        const ga_dtype t = types[k / 8 % T_COUNT(types)];
        const size_t w = ga_dtype_size(t), c = k / 8 / T_COUNT(types);
        const int64_t *n = of[c].n, *by = of[c].by, all = n[0] * n[1] * n[2];
        GA_SCOPE;
        t_context("%s case %d source %d of %d", ga_dtype_name(t), (int)c, source, all_of);
        ga_array *room = t_random_array(t, GA_SHAPE(n[0] * llabs(by[0]), n[1] * llabs(by[1]),
                                                    n[2] * llabs(by[2])), 0, 99);
        ga_array *y = t_random_array(t, GA_SHAPE(n[0], n[1], n[2]), 0, 99);
        if (source == 2) y = ga_slice(y, ":1, :1");
        if (source == 3) y = ga_ones(GA_SHAPE(1, 1, 1), t);
        ga_array *m = t_random_array(GA_BOOL, GA_SHAPE(n[0], n[1], n[2]), 0, 1);
        char *want = (char *)t_host(room);
        const char *from = (const char *)t_host(y);
        const bool *chosen = (const bool *)t_host(m);
        for (int64_t i = 0; i < all; i++) {
            if (!all_of && !chosen[i]) continue;
            int64_t at = 0, rest = i;
            for (int d = 2, step = 1; d >= 0; rest /= n[d], d--) {
                const int64_t e = rest % n[d], wide = n[d] * llabs(by[d]);
                at += (by[d] < 0 ? wide - 1 + e * by[d] : e * by[d]) * step;
                step *= (int)wide;
            }
            const int64_t f = source < 2 ? i : source == 2 ? i % n[2] : 0;
            memcpy(want + (size_t)at * w, from + (size_t)f * w, w);
        }
        ga_array *x = room;
        for (int d = 0; d < 3; d++)
            x = ga_slice_axis(x, d, by[d] < 0 ? GA_END : 0, GA_END, by[d]);
        y = t_laid_out(y, source == 1 ? 4 : 0);
        if (all_of) T_CHECK(!(source == 3 ? ga_assign(x, 1) : ga_assign(x, y)));
        else T_CHECK(!(source == 3 ? ga_copyto(x, 1, m) : ga_copyto(x, y, t_laid_out(m, (int)k % 3))));
        t_same(room, t, ga_shape_of(room), want);
        t_release_host();
    }
    t_context("%s", "");
}

/* Computed in place where no neighbours adjoin: as in arrays of their own. */
TEST(computed_with_gaps) {
    static const struct { ga_shape all; const char *part; } of[] = {
        {{1, {70001}}, "::2"}, {{1, {30000}}, "::-3"}, {{2, {300, 700}}, ":, ::2"},
        {{2, {64, 1024}}, "::2, 1::3"}, {{3, {6, 90, 130}}, ":, ::2, ::2"}};
    for (size_t k = 0; k < T_COUNT(of) * GA_NUM_DTYPES; k++) {
        const ga_dtype t = (ga_dtype)(k % GA_NUM_DTYPES);
        GA_SCOPE;
        t_context("%s %s", ga_dtype_name(t), of[k / GA_NUM_DTYPES].part);
        ga_array *room = t_random_array(t, of[k / GA_NUM_DTYPES].all, 1, 9);
        ga_array *x = ga_slice(room, "%s", of[k / GA_NUM_DTYPES].part), *before = ga_copy(room);
        ga_array *y = t_random_array(t, ga_shape_of(x), 1, 9), *want = ga_add(ga_copy(x), y);
        T_CHECK(!ga_add_into(x, x, y));
        t_same_arrays(x, want, 0);
        if (t != GA_BOOL) {
            T_CHECK(!ga_negative_into(x, x));
            t_same_arrays(x, want = ga_negative(want), 0);
        }
        if (t >= GA_FLOAT16) {
            T_CHECK(!ga_exp_into(x, x));
            t_same_arrays(x, want = ga_exp(want), 0);
            T_CHECK(!ga_divide_into(x, y, x));
            t_same_arrays(x, ga_divide(y, want), 0);
        }
        ga_array *flags = ga_slice(ga_ones(of[k / GA_NUM_DTYPES].all, GA_BOOL), "%s",
                                   of[k / GA_NUM_DTYPES].part);
        T_CHECK(!ga_equal_into(flags, x, y));
        t_same_arrays(flags, ga_equal(ga_copy(x), y), 0);
        ga_assign(x, ga_slice(before, "%s", of[k / GA_NUM_DTYPES].part));
        t_same_arrays(room, before, 0);     /* what is between is there yet */
    }
    t_context("%s", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(assigned_with_gaps), T(computed_with_gaps), T(slices), T(slice_faults), T(view_functions),
        T(reshape_copies_only_where_it_must), T(backwards), T(computed_slices),
        T(real_and_imag), T(conversions_of_rows), T(errors), T(views_keep_memory),
        T(empty_arrays_of_large_shapes), T(turned_copies), T(elements_apart),
        T(runs_of_pages),
    };
    g_load("views.bin");
    int failed = T_RUN("views", tests);
    g_free();
    return failed;
}
