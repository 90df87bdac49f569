/* What other libraries and files hand over: DLPack tensors, dtypes' facts,
   .npz, text and raw files. NumPy's answers in golden/exchange.bin.         */
#define _XOPEN_SOURCE 700
#include "golden.h"

#include <locale.h>
#include <time.h>
#include <unistd.h>

/* -------------------------------------------------------------- DLPack */
/* A tensor of ours, as another library would hand it over. */
static struct {
    DLManagedTensorVersioned v;
    DLManagedTensor u;
    int64_t shape[12], strides[12];
    double data[24];
    int deleted;
} dl;
static void delete_v(DLManagedTensorVersioned *t) {
    T_CHECK(t == &dl.v && t->manager_ctx == &dl);
    dl.deleted++;
}
static void delete_u(DLManagedTensor *t) {
    T_CHECK(t == &dl.u && t->manager_ctx == &dl);
    dl.deleted++;
}
static DLTensor *tensor(int ndim, const int64_t *shape,
                        const int64_t *strides) {
    memset(&dl, 0, sizeof dl);
    DLTensor *t = &dl.v.dl_tensor;
    t->data = dl.data;
    t->device.device_type = kDLCPU;
    t->dtype.code = kDLFloat;
    t->dtype.bits = 64;
    t->dtype.lanes = 1;
    t->ndim = ndim;
    for (int i = 0; i < ndim; i++) {
        dl.shape[i] = shape[i];
        if (strides) dl.strides[i] = strides[i];
    }
    t->shape = ndim ? dl.shape : NULL;
    t->strides = strides ? dl.strides : NULL;
    for (int i = 0; i < 24; i++) dl.data[i] = i;
    dl.v.version.major = 1;
    dl.v.version.minor = 1;
    dl.v.manager_ctx = &dl;
    dl.v.deleter = delete_v;
    dl.u.manager_ctx = &dl;
    dl.u.deleter = delete_u;
    return t;
}
static ga_array *take(bool versioned) {
    dl.u.dl_tensor = dl.v.dl_tensor;
    return versioned ? ga_from_dlpack(&dl.v) : ga_from_dlpack(&dl.u);
}

TEST(tensors_are_taken) {
    GA_DEVICE(GA_CPU);
    for (int versioned = 0; versioned < 2; versioned++) {
        GA_SCOPE;
        const int64_t shape[] = {2, 3}, turned[] = {1, 2}, back[] = {-3, -1};
        double c[] = {0, 1, 2, 3, 4, 5}, f[] = {0, 2, 4, 1, 3, 5};
        double b[] = {5, 4, 3, 2, 1, 0}, o[] = {7, 8, 9, 10, 11, 12};
        tensor(2, shape, NULL);
        ga_array *x = take(versioned);
        t_same(x, GA_FLOAT64, GA_SHAPE(2, 3), c);
        T_CHECK(x && x->data == dl.data && x->device == GA_CPU);
        ga_array *v = ga_slice(x, "1, :");
        ga_free(x);
        T_CHECK(dl.deleted == 0);
        T_CHECK(ga_assign(v, 9) == GA_OK && dl.data[4] == 9.0);
        ga_free(v);
        T_CHECK(dl.deleted == 1);
        tensor(2, shape, turned);
        t_same(take(versioned), GA_FLOAT64, GA_SHAPE(2, 3), f);
        tensor(2, shape, back)->data = dl.data + 5;
        t_same(take(versioned), GA_FLOAT64, GA_SHAPE(2, 3), b);
        tensor(2, shape, NULL)->byte_offset = 56;
        dl.v.deleter = NULL;
        dl.u.deleter = NULL;
        t_same(take(versioned), GA_FLOAT64, GA_SHAPE(2, 3), o);
        tensor(2, shape, NULL)->device.device_type = kDLCUDAHost;
        t_same(take(versioned), GA_FLOAT64, GA_SHAPE(2, 3), c);
    }
    /* rank 0, no elements, eight axes */
    GA_SCOPE;
    const int64_t none[] = {3, 0, 5}, ones[] = {1, 1, 2, 1, 3, 1, 1, 1};
    double c[] = {0, 1, 2, 3, 4, 5};
    tensor(0, NULL, NULL);
    t_same(take(true), GA_FLOAT64, GA_SCALAR_SHAPE, c);
    tensor(3, none, NULL)->data = NULL;
    ga_array *e = take(true);
    T_CHECK(e && e->size == 0 && e->ndim == 3 && e->shape[2] == 5);
    tensor(8, ones, NULL);
    t_same(take(true), GA_FLOAT64, GA_SHAPE(1, 1, 2, 1, 3, 1, 1, 1), c);
}

TEST(each_dtype_crosses) {
    for (int t = 0; t < GA_NUM_DTYPES; t++) {
        GA_SCOPE;
        t_context("%s", ga_dtype_name((ga_dtype)t));
        ga_array *x = ga_astype(ga_reshape(ga_arange(0, 6, 1), GA_SHAPE(2, 3)),
                                (ga_dtype)t);
        ga_array *v = ga_transpose(x, GA_ALL);
        DLManagedTensorVersioned *d = ga_to_dlpack(v, NULL);
        DLManagedTensor *u = ga_to_dlpack_unversioned(v, GA_NO_SYNC);
        T_CHECK(d && u && d->version.major == 1 && d->flags == 0);
        if (!d || !u) continue;
        T_CHECK(d->dl_tensor.data == x->data && d->dl_tensor.ndim == 2);
        T_CHECK(d->dl_tensor.shape[0] == 3 && d->dl_tensor.strides[0] == 1);
        T_CHECK((int)d->dl_tensor.device.device_type
                == (t_on_gpu() ? kDLCUDA : kDLCPU));
        T_CHECK(d->dl_tensor.dtype.bits == 8 * ga_dtype_size((ga_dtype)t));
        ga_array *y = ga_from_dlpack(d), *z = ga_from_dlpack(u);
        T_CHECK(y && z && y->data == x->data && z->data == x->data);
        t_same_arrays(y, v, 0);
        t_same_arrays(z, v, 0);
        ga_free(x);                 /* the tensors hold the memory           */
        ga_free(v);
        T_CHECK(y && z && ga_add(y, z) != NULL);
    }
    GA_SCOPE;
    size_t used = t_used();
    ga_array *x = ga_zeros(GA_SHAPE(1000), GA_FLOAT32);
    DLManagedTensorVersioned *d = ga_to_dlpack(x, NULL);
    ga_free(x);
    T_CHECK(d && t_used() > used);
    if (d) d->deleter(d);
    T_CHECK(t_used() == used);
}

TEST(read_only_tensors) {
    GA_DEVICE(GA_CPU);
    GA_SCOPE;
    const int64_t shape[] = {6};
    tensor(1, shape, NULL);
    dl.v.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    ga_array *x = take(true), *v = ga_slice(x, "1:");
    T_CHECK(ga_assign(v, 1) == GA_ERR_READONLY);
    T_CHECK(strstr(ga_error_message(), "read-only") != NULL);
    T_ERROR(GA_ERR_READONLY);
    T_CHECK(ga_add_into(x, x, 1) == GA_ERR_READONLY && dl.data[0] == 0);
    T_ERROR(GA_ERR_READONLY);
    T_CHECK(ga_item(ga_sum(x, GA_ALL)) == 15);
    /* it stays so on its way out, and a broadcast array is so */
    DLManagedTensorVersioned *d = ga_to_dlpack(v, NULL);
    T_CHECK(d && d->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
    if (d) d->deleter(d);
    ga_array *b = ga_broadcast_to(ga_ones(GA_SHAPE(3), GA_INT8),
                                  GA_SHAPE(2, 3));
    d = ga_to_dlpack(b, NULL);
    T_CHECK(d && d->flags == DLPACK_FLAG_BITMASK_READ_ONLY
            && d->dl_tensor.strides[0] == 0);
    if (d) d->deleter(d);
    T_CHECK(!ga_to_dlpack_unversioned(v, NULL));
    T_ERROR(GA_ERR_READONLY);
    T_CHECK(!ga_to_dlpack_unversioned(b, NULL));
    T_ERROR(GA_ERR_READONLY);
}

/* Refused, with this text, and the tensor untouched. */
static void refused(bool versioned, ga_status status, const char *text) {
    int64_t live = ga_live_arrays();
    T_CHECK(!take(versioned));
    T_CHECKF(strstr(ga_error_message(), text) != NULL, "the text is \"%s\"",
             ga_error_message());
    T_ERROR(status);
    T_CHECK(dl.deleted == 0 && ga_live_arrays() == live);
}
TEST(tensors_are_refused) {
    const int64_t shape[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, six[] = {2, 3};
    const int64_t far[] = {INT64_MAX / 2, 1}, least[] = {1, INT64_MIN};
    const int64_t minus[] = {2, -3};
    tensor(2, six, NULL);
    dl.v.version.major = 2;
    refused(true, GA_ERR_VERSION, "DLPack 2.1; this library knows 1.x");
    dl.v.version.major = 0;
    refused(true, GA_ERR_VERSION, "DLPack 0.1");
    for (int v = 0; v < 2; v++) {
        tensor(9, shape, NULL);
        refused(v, GA_ERR_SHAPE, "9 dimensions");
        tensor(2, six, NULL)->ndim = -1;
        refused(v, GA_ERR_SHAPE, "-1 dimensions");
        tensor(2, minus, NULL);
        refused(v, GA_ERR_SHAPE, "(2,-3)");
        tensor(2, six, NULL)->shape = NULL;
        refused(v, GA_ERR_NULL, "shape");
        tensor(2, six, NULL)->data = NULL;
        refused(v, GA_ERR_NULL, "pointer");
        tensor(2, six, NULL)->byte_offset = 3;
        refused(v, GA_ERR_VALUE, "aligned");
        tensor(2, six, far);
        refused(v, GA_ERR_SIZE, "strides");
        tensor(2, six, least);
        refused(v, GA_ERR_SIZE, "strides");
        tensor(2, six, NULL)->dtype.lanes = 4;
        refused(v, GA_ERR_DTYPE, "4 lanes");
        tensor(2, six, NULL)->dtype.bits = 80;
        refused(v, GA_ERR_DTYPE, "type code 2 of 80 bits");
        tensor(2, six, NULL)->dtype.code = 17;
        refused(v, GA_ERR_DTYPE, "type code 17");
        tensor(2, six, NULL)->device.device_type = (DLDeviceType)10;
        refused(v, GA_ERR_DEVICE, "type 10");
        tensor(2, six, NULL)->device.device_type = kDLCUDA;
        dl.v.dl_tensor.device.device_id = -1;
        refused(v, GA_ERR_DEVICE, "device -1 of type 2");
        dl.v.dl_tensor.device.device_id = 63;
        dl.u.dl_tensor = dl.v.dl_tensor;
        T_CHECK(!take(v) && ga_error() != GA_OK && dl.deleted == 0);
        ga_clear_error();
    }
    T_CHECK(!(ga_from_dlpack)(NULL));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!(ga_from_dlpack_unversioned)(NULL));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_to_dlpack(NULL, NULL));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_to_dlpack(GA_ARG(2), NULL));
    T_ERROR(GA_ERR_VALUE);
}

/* Both ways with work in flight on other streams. */
TEST(tensors_and_streams) {
    GA_SCOPE;
    const int64_t n = t_quick() ? 1 << 12 : 1 << 22;
    ga_stream *a = ga_stream_create(0), *b = ga_stream_create(0);
    for (int turn = 0; turn < 5; turn++) {
        GA_SCOPE;
        ga_array *x, *y;
        {
            GA_STREAM(a);
            x = ga_zeros(GA_SHAPE(n), GA_FLOAT32);
            for (int i = 0; i < 50; i++) ga_add_into(x, x, 1);
        }
        {
            GA_STREAM(b);
            DLManagedTensorVersioned *d = ga_to_dlpack(x, ga_stream_handle(b));
            T_CHECK(d != NULL);
            if (!d) continue;
            y = ga_from_dlpack(d);  /* another buffer of the same memory    */
            for (int i = 0; i < 50; i++) ga_add_into(y, y, 1);
        }
        GA_STREAM(a);
        T_CHECK(ga_item(ga_min(x, GA_ALL)) == 100
                && ga_item(ga_max(x, GA_ALL)) == 100);
        ga_free(y);
    }
    ga_stream_destroy(a);
    ga_stream_destroy(b);
}
static void export(void *arg) {
    T_CHECK(!ga_to_dlpack((ga_array *)arg, NULL));
}
TEST(not_inside_a_graph) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(3), GA_FLOAT32);
    ga_graph *g = ga_graph_create(export, x);
    T_CHECK(!g || !t_on_gpu());
    if (!t_on_gpu()) ga_clear_error();
    else T_ERROR(GA_ERR_CAPTURE);
    ga_graph_destroy(g);
}

/* --------------------------------------------------------------- dtypes */
TEST(casting_rules) {
    static const char *const rule[] = {"no", "equiv", "safe", "same_kind",
                                       "unsafe"};
    for (int r = 0; r < 5; r++) {
        const g_record *g = g_find("can_cast/%s", rule[r]);
        T_CHECK(g != NULL);
        const unsigned char *want = g ? (const unsigned char *)g->data : NULL;
        for (int a = 0, k = 0; want && a < GA_NUM_DTYPES; a++)
            for (int b = 0; b < GA_NUM_DTYPES; b++, k++)
                T_CHECKF(ga_can_cast_as((ga_dtype)a, (ga_dtype)b, (ga_casting)r)
                             == want[k], "%s to %s, %s",
                         ga_dtype_name((ga_dtype)a), ga_dtype_name((ga_dtype)b),
                         rule[r]);
    }
    T_CHECK(!ga_can_cast_as(GA_NUM_DTYPES, GA_INT8, GA_UNSAFE));
    T_CHECK(!ga_can_cast_as(GA_INT8, GA_INT8, (ga_casting)9));
}
TEST(result_types) {
    GA_SCOPE;
    const g_record *g = g_find("result_type");
    const int32_t *want = g ? (const int32_t *)g->data : NULL;
    T_CHECK(want != NULL);
    for (int a = 0; want && a < GA_NUM_DTYPES; a++) {
        if (a == GA_BFLOAT16) continue;
        ga_array *x = ga_ones(GA_SHAPE(2), (ga_dtype)a);
        const int32_t *w = want + 5 * a;
        t_context("%s", ga_dtype_name((ga_dtype)a));
        T_CHECK((int)ga_result_type(x, 300) == w[0]);
        T_CHECK((int)ga_result_type(2.0, x) == w[1]);
        T_CHECK((int)ga_result_type(x, t_c128(0, 1)) == w[2]);
        T_CHECK((int)ga_result_type(x, (bool)1) == w[3]);
        T_CHECK((int)ga_result_type(x, ga_ones(GA_SHAPE(3), GA_INT16), 1.5)
                == w[4]);
    }
    t_context("numbers");
    T_CHECK(ga_result_type(1, 2) == GA_INT64);
    T_CHECK(ga_result_type(1, 2.5) == GA_FLOAT64);
    T_CHECK(ga_result_type((bool)1) == GA_BOOL);
    T_CHECK((ga_result_type)(0, NULL) == GA_NUM_DTYPES);
    T_ERROR(GA_ERR_VALUE);
    const ga_array *none[] = {NULL};
    T_CHECK((ga_result_type)(1, none) == GA_NUM_DTYPES);
    T_ERROR(GA_ERR_NULL);
}
TEST(numbers_of_dtypes) {
    static const ga_dtype f[] = {GA_FLOAT16, GA_FLOAT32, GA_FLOAT64,
                                 GA_COMPLEX64, GA_COMPLEX128};
    for (size_t i = 0; i < T_COUNT(f); i++) {
        const g_record *g = g_find("finfo/%s", ga_dtype_name(f[i]));
        ga_float_info r = ga_finfo(f[i]);
        T_CHECK(g != NULL);
        if (!g) continue;
        const double *w = (const double *)g->data;
        double got[] = {r.bits, r.nmant, r.nexp, r.precision, r.machep,
                        r.negep, r.minexp, r.maxexp, r.eps, r.epsneg, r.min,
                        r.max, r.smallest_normal, r.smallest_subnormal};
        for (size_t k = 0; k < T_COUNT(got); k++)
            T_CHECKF(got[k] == w[k], "finfo of %s, %zu: %g, NumPy %g",
                     ga_dtype_name(f[i]), k, got[k], w[k]);
        T_CHECK(fabs(r.resolution / w[14] - 1) < 1e-3);
    }
    ga_float_info b = ga_finfo(GA_BFLOAT16);
    T_CHECK(b.bits == 16 && b.eps == 0x1p-7 && b.smallest_normal == 0x1p-126
            && b.max == 0x1.fep127 && b.precision == 2);
    T_CHECK(ga_iinfo(GA_INT8).min == -128 && ga_iinfo(GA_INT8).max == 127);
    T_CHECK(ga_iinfo(GA_UINT16).min == 0 && ga_iinfo(GA_UINT16).max == 65535);
    T_CHECK(ga_iinfo(GA_INT64).min == INT64_MIN
            && ga_iinfo(GA_INT64).max == INT64_MAX);
    T_CHECK(ga_iinfo(GA_UINT64).max == UINT64_MAX
            && ga_iinfo(GA_UINT64).bits == 64);
    T_CHECK(ga_finfo(GA_INT8).bits == 0);
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(ga_iinfo(GA_BOOL).bits == 0);
    T_ERROR(GA_ERR_DTYPE);
    GA_SCOPE;
    ga_array *x = ga_full(GA_SHAPE(1), UINT64_MAX, GA_UINT64);
    T_CHECK(ga_item_u64(x) == UINT64_MAX);
    T_CHECK(ga_item_u64(ga_full(GA_SHAPE(1), -1, GA_INT8)) == UINT64_MAX);
    T_CHECK(ga_item_u64(ga_ones(GA_SCALAR_SHAPE, GA_BOOL)) == 1);
    T_CHECK(ga_item_u64(ga_ones(GA_SHAPE(2), GA_INT8)) == 0);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_item_u64(ga_ones(GA_SHAPE(1), GA_FLOAT64)) == 0);
    T_ERROR(GA_ERR_DTYPE);
}

/* ----------------------------------------------------------- .npz files */
static char path[64];
static void write_file(const void *data, size_t n) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}
static void write_text(const char *text) { write_file(text, strlen(text)); }
static char *read_file(size_t *n) {
    FILE *f = fopen(path, "rb");
    *n = 0;
    if (!f) return NULL;
    static char buf[1 << 20];
    *n = fread(buf, 1, sizeof buf - 1, f);
    buf[*n] = 0;
    fclose(f);
    return buf;
}
static const char *const npz_names[] = {"x", "ints", "none", "scalar",
                                        "turned", "\xc3\xbc"};
static void same_record(const ga_array *x, const char *name) {
    const g_record *w = g_find("npz/want/%s", name[0] & 0x80 ? "u" : name);
    T_CHECK(w != NULL);
    if (w) t_same(x, w->dtype, w->shape, w->data);
}
/* Does this build pack? */
static bool packs(void) {
    GA_SCOPE;
    ga_array *x = ga_ones(GA_SHAPE(1), GA_INT8);
    bool can = ga_save_npz(path, NULL, &x, 1, GA_COMPRESSED) == GA_OK;
    if (!can) {
        T_CHECK(strstr(ga_error_message(), "GPUARR_USE_ZLIB") != NULL);
        T_ERROR(GA_ERR_LIBRARY);
    }
    return can;
}
TEST(numpys_archives) {
    bool can = packs();
    for (int packed = 0; packed < 2; packed++) {
        GA_SCOPE;
        t_context("%s", packed ? "packed" : "plain");
        const g_record *f = g_find("npz/%s", packed ? "packed" : "plain");
        write_file(f->data, (size_t)f->size);
        const char **name = NULL;
        ga_array **x = NULL;
        int64_t n = -1, live = ga_live_arrays();
        if (packed && !can) {
            T_CHECK(ga_load_npz(path, &name, &x, &n) == GA_ERR_LIBRARY);
            T_CHECK(strstr(ga_error_message(), "x: the member is compressed"));
            T_ERROR(GA_ERR_LIBRARY);
            continue;
        }
        T_CHECK(ga_load_npz(path, &name, &x, &n) == GA_OK && n == 6);
        T_CHECK(ga_live_arrays() == live + 6);
        for (int i = 0; i < n; i++) {
            T_CHECK(!strcmp(name[i], npz_names[i]));
            same_record(x[i], name[i]);
            T_CHECK(x[i]->device == ga_device());
            same_record(ga_load_npz_array(path, name[i]), name[i]);
        }
        /* as NumPy writes it, to the byte; packed to what can be read again */
        T_CHECK(ga_save_npz(path, name, x, n, packed ? GA_COMPRESSED : 0)
                == GA_OK);
        size_t size;
        const char *got = read_file(&size);
        T_CHECK(packed || (size == (size_t)f->size
                           && !memcmp(got, f->data, size)));
        for (int i = 0; i < n; i++)
            same_record(ga_load_npz_array(path, name[i]), name[i]);
        free(name);
        free(x);
    }
}
TEST(other_archives) {
    GA_SCOPE;
    const g_record *f = g_find("npz/other");
    int64_t one[] = {1, 1}, two[] = {2, 2}, n = -1;
    const char **name = NULL;
    ga_array **x = NULL;
    write_file(f->data, (size_t)f->size);
    T_CHECK(ga_load_npz(path, &name, &x, &n) == GA_OK && n == 2);
    t_same(x[0], GA_INT64, GA_SHAPE(2), one);
    t_same(x[1], GA_INT64, GA_SHAPE(2), two);
    free(x);
    free(name);
    t_same(ga_load_npz_array(path, "a"), GA_INT64, GA_SHAPE(2), two);
    T_CHECK(!ga_load_npz_array(path, "b"));
    T_CHECK(strstr(ga_error_message(), "no array 'b' among 2") != NULL);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_load_npz_array(path, NULL));
    T_ERROR(GA_ERR_NULL);
    /* the names alone */
    T_CHECK(ga_load_npz(path, &name, NULL, NULL) == GA_OK);
    T_CHECK(!strcmp(name[1], "a"));
    free(name);
    f = g_find("npz/empty");
    write_file(f->data, (size_t)f->size);
    T_CHECK(ga_load_npz(path, &name, &x, &n) == GA_OK && n == 0);
    free(name);
    free(x);
    T_CHECK(ga_save_npz(path, NULL, NULL, 0, 0) == GA_OK);
    size_t size;
    const char *got = read_file(&size);
    T_CHECK(size == (size_t)f->size && !memcmp(got, f->data, size));
    /* without names: NumPy's numbers */
    f = g_find("npz/numbered");
    write_file(f->data, (size_t)f->size);
    T_CHECK(ga_load_npz(path, NULL, &x, &n) == GA_OK && n == 2);
    T_CHECK(ga_save_npz(path, NULL, x, n, 0) == GA_OK);
    got = read_file(&size);
    T_CHECK(size == (size_t)f->size && !memcmp(got, f->data, size));
    free(x);
    /* the directory of 64 bits that large files have */
    f = g_find("npz/wide");
    write_file(f->data, (size_t)f->size);
    same_record(ga_load_npz_array(path, "arr_0"), "x");
    same_record(ga_load_npz_array(path, "arr_1"), "ints");
}
TEST(hostile_archives) {
    bool can = packs();
    for (int packed = 0; packed < (can ? 2 : 1); packed++) {
        const g_record *f = g_find("npz/%s", packed ? "packed" : "plain");
        char *copy = (char *)t_alloc((size_t)f->size);
        size_t used = t_used();
        const char **name;
        ga_array **x;
        int64_t n, live = ga_live_arrays();
        for (int64_t i = 0; i < f->size; i += t_quick() ? 29 : 3) {
            t_context("the first %lld bytes", (long long)i);
            write_file(f->data, (size_t)i);
            T_CHECK(ga_load_npz(path, &name, &x, &n) == GA_ERR_FILE_FORMAT);
            T_ERROR(GA_ERR_FILE_FORMAT);
        }
        int64_t caught = 0, tried = 0;
        for (int64_t i = 0; i < f->size; i += t_quick() ? 29 : 3) {
            t_context("byte %lld", (long long)i);
            memcpy(copy, f->data, (size_t)f->size);
            copy[i] = (char)(copy[i] ^ 1 << i % 8);
            write_file(copy, (size_t)f->size);
            tried++;
            if (ga_load_npz(path, &name, &x, &n)) {
                caught++;
                T_CHECK(ga_error() == GA_ERR_FILE_FORMAT
                        || (!can && ga_error() == GA_ERR_LIBRARY));
                ga_clear_error();
                continue;
            }
            for (int64_t k = 0; k < n; k++) ga_free(x[k]);
            free(name);
            free(x);
        }
        t_context("changed bytes");
        T_CHECKF(caught > tried / 2, "%lld of %lld are noticed",
                 (long long)caught, (long long)tried);
        T_CHECK(ga_live_arrays() == live && t_used() == used);
    }
}
TEST(archive_errors) {
    GA_SCOPE;
    ga_array *x[] = {ga_ones(GA_SHAPE(3), GA_FLOAT32), NULL};
    const char *same[] = {"a", "a"}, *empty[] = {""}, *null[] = {NULL};
    x[1] = x[0];
    T_CHECK(ga_save_npz(path, NULL, x, 2, 0) == GA_OK);
    T_CHECK(ga_save_npz(path, same, x, 2, 0) == GA_ERR_VALUE);
    T_CHECK(strstr(ga_error_message(), "'a' is given twice") != NULL);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_save_npz(path, empty, x, 1, 0) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_save_npz(path, null, x, 1, 0) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_save_npz(path, NULL, x, -1, 0) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_save_npz(path, NULL, x, 1, 2) == GA_ERR_VALUE);
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(ga_save_npz(path, NULL, NULL, 1, 0) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_save_npz(NULL, NULL, x, 1, 0) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    x[1] = NULL;
    T_CHECK(ga_save_npz(path, NULL, x, 2, 0) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    /* what was there still is */
    t_same_arrays(ga_load_npz_array(path, "arr_1"), x[0], 0);
    T_CHECK(ga_load_npz(NULL, NULL, NULL, NULL) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_load_npz("/no/such/file", NULL, NULL, NULL)
            == GA_ERR_FILE_OPEN);
    T_CHECK(!strcmp(ga_error_message(), "ga_load_npz: /no/such/file: No such "
                                        "file or directory"));
    T_ERROR(GA_ERR_FILE_OPEN);
    T_CHECK(ga_save_npz("/no/such/file", NULL, x, 1, 0) == GA_ERR_FILE_OPEN);
    T_ERROR(GA_ERR_FILE_OPEN);
    FILE *full = fopen("/dev/full", "wb");
    if (!full) return;
    fclose(full);
    T_CHECK(ga_save_npz("/dev/full", NULL, x, 1, 0) == GA_ERR_FILE_WRITE);
    T_ERROR(GA_ERR_FILE_WRITE);
}
TEST(large_archives) {
    GA_SCOPE;
    int64_t rows = t_quick() ? 100 : 1100, cols = 1009;
    bool can = packs();
    ga_array *a = ga_reshape(ga_arange_as(0, rows * cols, 1, GA_FLOAT64),
                             GA_SHAPE(rows, cols));
    ga_array *x[] = {ga_transpose(a, GA_ALL), ga_slice(a, "::-1, 1::2")};
    for (int packed = 0; packed < (can ? 2 : 1); packed++) {
        T_CHECK(ga_save_npz(path, NULL, x, 2, packed ? GA_COMPRESSED : 0)
                == GA_OK);
        t_same_arrays(ga_load_npz_array(path, "arr_0"), x[0], 0);
        t_same_arrays(ga_load_npz_array(path, "arr_1"), x[1], 0);
    }
}

/* ---------------------------------------------------- text and raw files */
TEST(numpys_texts) {
    const g_record *in;
    for (int k = 0; (in = g_find("text/%d/in", k)) != NULL; k++) {
        GA_SCOPE;
        const g_record *how = g_find("text/%d/how", k),
                       *want = g_find("text/%d/out", k);
        const int32_t *h = (const int32_t *)how->data;
        char delimiter[] = {(char)h[1], 0};
        ga_text o = {.delimiter = h[1] ? delimiter : NULL,
                     .comments = (char *)g_find("text/%d/comments", k)->data,
                     .skip = h[2], .max_rows = h[3], .ndmin = h[4],
                     .columns = how->size > 5 ? h + 5 : NULL,
                     .ncolumns = (int)how->size - 5};
        t_context("text %d: %s as %s", k, (char *)in->data,
                  ga_dtype_name((ga_dtype)h[0]));
        write_file(in->data, (size_t)in->size);
        int64_t live = ga_live_arrays();
        ga_array *x = ga_loadtxt(path, (ga_dtype)h[0], &o);
        if (want) {
            t_same(x, want->dtype, want->shape, want->data);
        } else {
            T_CHECK(!x && ga_live_arrays() == live);
            T_CHECK(ga_error() == GA_ERR_FILE_FORMAT
                    || ga_error() == GA_ERR_INDEX);
            ga_clear_error();
        }
    }
}
TEST(texts_as_numpys) {
    const g_record *x;
    for (int k = 0; (x = g_find("save/%d/x", k)) != NULL; k++) {
        GA_SCOPE;
        t_context("savetxt %d", k);
        ga_array *a = ga_asarray_as(x->data, x->dtype, x->shape);
        const char *fmt = (char *)g_find("save/%d/fmt", k)->data;
        const char *text[] = {"delimiter", "header", "footer"};
        for (int i = 0; i < 3; i++) {
            const char *s = (char *)g_find("save/%d/%s", k, text[i])->data;
            text[i] = *s ? s : NULL;
        }
        ga_text o = {.delimiter = text[0], .header = text[1],
                     .footer = text[2]};
        const g_record *want = g_find("save/%d/out", k);
        T_CHECK(ga_savetxt(path, a, *fmt ? fmt : NULL, &o) == GA_OK);
        size_t n;
        const char *got = read_file(&n);
        T_CHECKF(n == (size_t)want->size && !memcmp(got, want->data, n),
                 "%s\nwanted\n%s", got, (char *)want->data);
    }
}
/* Bits through text and back, in several threads' pieces. */
TEST(texts_round_trip) {
    GA_SCOPE;
    int64_t rows = t_quick() ? 1000 : 40000;
    double *v = (double *)t_alloc((size_t)rows * 4 * sizeof *v);
    uint64_t s = 88172645463325252u;
    for (int64_t i = 0; i < rows * 4; i++) {
        do {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            memcpy(&v[i], &s, 8);
        } while (v[i] != v[i]);
    }
    ga_array *x = ga_asarray(v, GA_SHAPE(rows, 4));
    T_CHECK(ga_savetxt(path, x, "%.17g", NULL) == GA_OK);
    t_same(ga_loadtxt(path, GA_FLOAT64, NULL), GA_FLOAT64, GA_SHAPE(rows, 4),
           v);
    ga_array *z = ga_transpose(ga_slice(x, ":, 1:3"), GA_ALL);
    T_CHECK(ga_savetxt(path, z, "%.16e", &(ga_text){.delimiter = ","})
            == GA_OK);
    t_same_arrays(ga_loadtxt(path, GA_FLOAT64, &(ga_text){.delimiter = ","}),
                  z, 0);
    /* an error far in the file names its line */
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < 400000; i++)
        fprintf(f, i == 333333 ? "%d, oops\n" : i % 9 ? "%d, 1\n" : "\n", i);
    fclose(f);
    T_CHECK(!ga_loadtxt(path, GA_INT32, &(ga_text){.delimiter = ","}));
    T_CHECKF(strstr(ga_error_message(), "line 333334, column 2: 'oops' is not "
                    "a value of int32") != NULL, "%s", ga_error_message());
    T_ERROR(GA_ERR_FILE_FORMAT);
}
static void text_refused(const char *text, const ga_text *how, ga_status status,
                         const char *message) {
    write_text(text);
    T_CHECK(!ga_loadtxt(path, GA_FLOAT64, how));
    T_CHECKF(strstr(ga_error_message(), message) != NULL, "the text is \"%s\"",
             ga_error_message());
    T_ERROR(status);
}
TEST(text_errors) {
    GA_SCOPE;
    ga_text comma = {.delimiter = ","};
    const int far[] = {0, 7};
    text_refused("# c\n1 2\n3\n", NULL, GA_ERR_FILE_FORMAT,
                 "line 3, column 1 is the last of the line; the first row has "
                 "2");
    text_refused("1 2\n\n3 4 5\n", NULL, GA_ERR_FILE_FORMAT,
                 "line 3, column 3: the first row has only 2");
    text_refused("1,2\n3, \n", &comma, GA_ERR_FILE_FORMAT,
                 "line 2, column 2: a value is missing");
    text_refused("1,2\n3,4 5\n", &comma, GA_ERR_FILE_FORMAT,
                 "line 2, column 2: '4 5' is not a value of float64");
    text_refused("1 2\r3 4", NULL, GA_ERR_FILE_FORMAT, "line 1, column 2: '2?3'");
    text_refused("1 2", &(ga_text){.columns = far, .ncolumns = 2}, GA_ERR_INDEX,
                 "column 7 of a first row of 2");
    text_refused("1", &(ga_text){.delimiter = ";;"}, GA_ERR_VALUE, "';;'");
    text_refused("1", &(ga_text){.comments = "a\n"}, GA_ERR_VALUE, "comments");
    text_refused("1", &(ga_text){.skip = -1}, GA_ERR_VALUE, "skip -1");
    text_refused("1", &(ga_text){.ndmin = 3}, GA_ERR_VALUE, "ndmin 3");
    write_file("\xef\xbb\xbf" "1 2", 6);
    double one[] = {1, 2};
    t_same(ga_loadtxt(path, GA_FLOAT64, NULL), GA_FLOAT64, GA_SHAPE(2), one);
    write_file("1 2\0" "3\n", 6);
    T_CHECK(!ga_loadtxt(path, GA_FLOAT64, NULL));
    T_ERROR(GA_ERR_FILE_FORMAT);
    T_CHECK(!ga_loadtxt(path, GA_NUM_DTYPES, NULL));
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(!ga_loadtxt(NULL, GA_INT8, NULL));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_loadtxt("/no/such/file", GA_INT8, NULL));
    T_ERROR(GA_ERR_FILE_OPEN);
    T_CHECK(!ga_loadtxt("/tmp", GA_INT8, NULL));
    T_ERROR(GA_ERR_FILE_READ);
    ga_array *x = ga_ones(GA_SHAPE(2, 3), GA_FLOAT32);
    static const char *const bad[] = {"%s", "%", "no", "%d %d", "%*d", "%ld",
                                      "%.1000f", "%d %d %d %d", "%n"};
    write_text("before");
    for (size_t i = 0; i < T_COUNT(bad); i++) {
        t_context("format %s", bad[i]);
        T_CHECK(ga_savetxt(path, x, bad[i], NULL) == GA_ERR_VALUE);
        T_ERROR(GA_ERR_VALUE);
    }
    t_context("savetxt");
    T_CHECK(ga_savetxt(path, ga_ones(GA_SCALAR_SHAPE, GA_INT8), NULL, NULL)
            == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_savetxt(path, ga_ones(GA_SHAPE(1, 1, 1), GA_INT8), NULL, NULL)
            == GA_ERR_SHAPE);
    T_ERROR(GA_ERR_SHAPE);
    T_CHECK(ga_savetxt(NULL, x, NULL, NULL) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_savetxt(path, NULL, NULL, NULL) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    size_t n;
    T_CHECK(!strcmp(read_file(&n), "before"));
    FILE *full = fopen("/dev/full", "wb");
    if (!full) return;
    fclose(full);
    T_CHECK(ga_savetxt("/dev/full", x, NULL, NULL) == GA_ERR_FILE_WRITE);
    T_ERROR(GA_ERR_FILE_WRITE);
}
/* A pipe has no length, and an archive wants one. */
TEST(pipes) {
    char name[64];
    double want[] = {1, 2, 3};
    for (int i = 0; i < 3; i++) {
        GA_SCOPE;
        int fd[2];
        assert_int_equal(pipe(fd), 0);
        assert_int_equal(write(fd[1], "1 2 3\n", 6), 6);
        close(fd[1]);
        snprintf(name, sizeof name, "/dev/fd/%d", fd[0]);
        if (i == 0) {
            t_same(ga_loadtxt(name, GA_FLOAT64, NULL), GA_FLOAT64, GA_SHAPE(3),
                   want);
        } else {
            if (i == 1) T_CHECK(!ga_fromfile(name, GA_INT8, -1, 0));
            else T_CHECK(ga_load_npz(name, NULL, NULL, NULL));
            T_ERROR(GA_ERR_FILE_READ);
        }
        close(fd[0]);
    }
}
/* A locale with a comma changes nothing. */
TEST(texts_and_locales) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8", "fr_FR.utf8"};
    const char *set = NULL;
    char dir[100], command[300];
    for (size_t i = 0; i < T_COUNT(names) && !set; i++)
        set = setlocale(LC_NUMERIC, names[i]);
    if (!set) {                     /* none is installed: make one          */
        snprintf(dir, sizeof dir, "%s-locale", path);
        snprintf(command, sizeof command, "mkdir %s && localedef -i de_DE -f "
                 "UTF-8 %s/de_DE.UTF-8 2>/dev/null", dir, dir);
        if (!system(command) && !setenv("LOCPATH", dir, 1))
            set = setlocale(LC_NUMERIC, names[0]);
        snprintf(command, sizeof command, "rm -rf %s", dir);
        T_CHECK(!system(command));
        unsetenv("LOCPATH");
    }
    if (!set) {
        print_message("    skipped: no locale with a comma here\n");
        skip();
    }
    GA_SCOPE;
    double v[] = {1.5, -2.25e100};
    ga_array *x = ga_asarray(v, GA_SHAPE(2));
    T_CHECK(ga_savetxt(path, x, "%.3f,%%", NULL) == GA_OK);
    size_t n;
    T_CHECK(!strncmp(read_file(&n), "1.500,%\n-2", 10));
    T_CHECK(ga_savetxt(path, x, NULL, NULL) == GA_OK);
    t_same(ga_loadtxt(path, GA_FLOAT64, NULL), GA_FLOAT64, GA_SHAPE(2), v);
    setlocale(LC_NUMERIC, "C");
}
TEST(raw_files) {
    GA_SCOPE;
    ga_array *x = ga_reshape(ga_arange_as(0, 12, 1, GA_INT16), GA_SHAPE(3, 4));
    ga_array *v = ga_transpose(x, GA_ALL);
    T_CHECK(ga_tofile(path, v) == GA_OK);
    size_t n;
    read_file(&n);
    T_CHECK(n == 24);
    t_same_arrays(ga_fromfile(path, GA_INT16, -1, 0), ga_ravel(v), 0);
    t_same_arrays(ga_fromfile(path, GA_INT16, 3, 4),
                  ga_slice(ga_ravel(v), "2:5"), 0);
    t_same_arrays(ga_fromfile(path, GA_INT16, 0, 24),
                  ga_zeros(GA_SHAPE(0), GA_INT16), 0);
    T_CHECK(!ga_fromfile(path, GA_INT16, 13, 0));
    T_CHECK(strstr(ga_error_message(), "24 bytes are not 13 elements of int16"));
    T_ERROR(GA_ERR_FILE_FORMAT);
    T_CHECK(!ga_fromfile(path, GA_INT16, -1, 1));
    T_ERROR(GA_ERR_FILE_FORMAT);
    T_CHECK(!ga_fromfile(path, GA_INT16, 0, 25));
    T_ERROR(GA_ERR_FILE_FORMAT);
    T_CHECK(!ga_fromfile(path, GA_INT16, -2, 0));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_fromfile(path, GA_INT16, 1, -1));
    T_ERROR(GA_ERR_VALUE);
    T_CHECK(!ga_fromfile("/tmp", GA_INT16, -1, 0));
    T_CHECK(strstr(ga_error_message(), "/tmp: Is a directory"));
    T_ERROR(GA_ERR_FILE_READ);
    T_CHECK(!ga_load_npz_array("/tmp", "x"));
    T_CHECK(strstr(ga_error_message(), "/tmp: Is a directory"));
    T_ERROR(GA_ERR_FILE_READ);
    T_CHECK(!ga_fromfile(path, GA_NUM_DTYPES, 1, 0));
    T_ERROR(GA_ERR_DTYPE);
    T_CHECK(!ga_fromfile(NULL, GA_INT8, 1, 0));
    T_ERROR(GA_ERR_NULL);
    T_CHECK(!ga_fromfile("/no/such/file", GA_INT8, 1, 0));
    T_ERROR(GA_ERR_FILE_OPEN);
    T_CHECK(ga_tofile("/no/such/file", x) == GA_ERR_FILE_OPEN);
    T_ERROR(GA_ERR_FILE_OPEN);
    T_CHECK(ga_tofile(NULL, x) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    T_CHECK(ga_tofile(path, NULL) == GA_ERR_NULL);
    T_ERROR(GA_ERR_NULL);
    ga_array *big = ga_arange_as(0, t_quick() ? 5000 : 3000000, 1, GA_FLOAT64);
    T_CHECK(ga_tofile(path, big) == GA_OK);
    t_same_arrays(ga_fromfile(path, GA_FLOAT64, -1, 0), big, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        T(tensors_are_taken), T(each_dtype_crosses), T(read_only_tensors),
        T(tensors_are_refused), T(tensors_and_streams), T(not_inside_a_graph),
        T(casting_rules), T(result_types), T(numbers_of_dtypes),
        T(numpys_archives), T(other_archives), T(hostile_archives),
        T(archive_errors), T(large_archives),
        T(numpys_texts), T(texts_as_numpys), T(texts_round_trip),
        T(text_errors), T(texts_and_locales), T(pipes), T(raw_files),
    };
    /* a name of this process alone */
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    snprintf(path, sizeof path, "/tmp/gpuarr-test-%llx-%lx.npz",
             (unsigned long long)now.tv_sec, (unsigned long)now.tv_nsec);
    g_load("exchange.bin");
    int failed = T_RUN("exchange", tests);
    g_free();
    remove(path);
    return failed;
}
