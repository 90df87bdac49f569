#include "gpuarr.h"
#include <stdio.h>
#include <stdlib.h>
static double copy_rate;
static ga_event *e0, *e1;
static ga_array *out, *x, *y, *parts[64];
static int count;
static int64_t reps;
typedef void (*fn)(void);
static double time_of(fn f) {
    double best = 1e9;
    for (int i = 0; i < 12; i++) {
        ga_event_record(e0, NULL);
        f();
        ga_event_record(e1, NULL);
        ga_event_synchronize(e1);
        double ms = ga_event_elapsed(e0, e1);
        if (i > 1 && ms < best) best = ms;
    }
    if (ga_error()) { printf("ERROR %s\n", ga_error_message()); ga_clear_error(); }
    return best;
}
static void row(const char *name, fn f, double bytes) {
    double ms = time_of(f);
    printf("%-34s %8.4f ms  %6.0f GB/s  %5.1f%% of copy\n", name, ms, bytes / ms / 1e6,
           100 * bytes / ms / copy_rate);
}
static void f_copy(void) { ga_assign(out, x); }
static void f_cat(void) { (ga_concatenate_into)(out, 0, count, (const ga_array *const *)parts); }
static void f_cat1(void) { (ga_concatenate_into)(out, 1, count, (const ga_array *const *)parts); }
static void f_stack(void) { (ga_stack_into)(out, -1, count, (const ga_array *const *)parts); }
static void f_roll(void) { ga_roll_into(out, x, 12345, GA_ALL); }
static void f_roll1(void) { ga_roll_into(out, x, 1, GA_AXIS(1)); }
static void f_roll0(void) { ga_roll_into(out, x, 1, GA_AXIS(0)); }
static void f_tile(void) { ga_tile_into(out, x, GA_SHAPE(reps)); }
static void f_tile2(void) { ga_tile_into(out, x, GA_SHAPE(4, 4)); }
static void f_pad(void) { ga_pad_into(out, x, GA_SHAPE(1), GA_SHAPE(1), GA_PAD_CONSTANT, GA_NONE); }
static void f_padr(void) { ga_pad_into(out, x, GA_SHAPE(3), GA_SHAPE(3), GA_PAD_REFLECT, GA_NONE); }
static void f_rep(void) { ga_repeat_into(out, x, reps, GA_ALL); }
static void f_rep0(void) { ga_repeat_into(out, x, reps, GA_AXIS(0)); }
static void f_tril(void) { ga_tril_into(out, x, 0); }
static void f_triu(void) { ga_triu_into(out, x, -7); }
static void f_pack(void) { ga_packbits_into(out, x, GA_ALL, 0); }
static void f_unpack(void) { ga_unpackbits_into(out, x, GA_ALL, GA_END, 0); }
int main(void) {
    const int64_t N = (int64_t)1 << 28;
    ga_on_error(GA_PRINT);
    e0 = ga_event_create(); e1 = ga_event_create();
    double gb = (double)N * 8;
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(N), GA_FLOAT32); out = ga_empty(GA_SHAPE(N), GA_FLOAT32);
      copy_rate = gb / time_of(f_copy); row("copy f32 2^28", f_copy, gb); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(N), GA_FLOAT32);
      for (int k = 0; k < 3; k++) {
        int64_t n[] = {N / 8, N / 64 + 1, N / 5 + 3};
        count = k == 0 ? 8 : k == 1 ? 64 : 5; int64_t total = 0;
        for (int i = 0; i < count; i++) {
            parts[i] = ga_slice_axis(x, 0, k == 0 ? i * n[0] : i * (n[k] - 2), (i * (n[k] - (k ? 2 : 0)) + n[k] > N) ? N : i * (n[k] - (k ? 2 : 0)) + n[k], 1);
            total += parts[i]->size; }
        out = ga_empty(GA_SHAPE(total), GA_FLOAT32);
        row(k == 0 ? "concat 8 aligned" : k == 1 ? "concat 64 odd" : "concat 5 odd", f_cat, (double)total * 8);
        ga_free(out); } }
    { GA_SCOPE; ga_array *a = ga_zeros(GA_SHAPE(16384, 8000), GA_FLOAT32), *b = ga_zeros(GA_SHAPE(16384, 8001), GA_FLOAT32);
      parts[0] = a; parts[1] = b; count = 2; out = ga_empty(GA_SHAPE(16384, 16001), GA_FLOAT32);
      row("concat axis 1 (16384,8000+8001)", f_cat1, 16384. * 16001 * 8);
      a = ga_zeros(GA_SHAPE(N / 8, 3), GA_FLOAT32), b = ga_zeros(GA_SHAPE(N / 8, 5), GA_FLOAT32);
      parts[0] = a; parts[1] = b; out = ga_empty(GA_SHAPE(N / 8, 8), GA_FLOAT32);
      row("concat axis 1 (2^25,3+5)", f_cat1, gb); }
    { GA_SCOPE; parts[0] = ga_zeros(GA_SHAPE(N / 2), GA_FLOAT32); parts[1] = ga_zeros(GA_SHAPE(N / 2), GA_FLOAT32); count = 2;
      out = ga_empty(GA_SHAPE(N / 2, 2), GA_FLOAT32); row("stack -1 of two", f_stack, gb); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(N), GA_FLOAT32); out = ga_empty(GA_SHAPE(N), GA_FLOAT32);
      row("roll flat by 12345", f_roll, gb);
      x = ga_reshape(x, GA_SHAPE(16384, 16384)); out = ga_reshape(out, GA_SHAPE(16384, 16384));
      row("roll axis 1 by 1", f_roll1, gb); row("roll axis 0 by 1", f_roll0, gb);
      row("tril", f_tril, gb * 0.75); row("triu -7", f_triu, gb * 0.75); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(256, 1024, 1024), GA_FLOAT32); out = ga_empty(GA_SHAPE(256, 1024, 1024), GA_FLOAT32);
      row("tril batch 256x1024x1024", f_tril, gb * 0.75); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(4 * N), GA_UINT8); out = ga_empty(GA_SHAPE(4 * N), GA_UINT8);
      row("roll u8 2^30", f_roll, gb); ga_free(out); out = ga_empty(GA_SHAPE(N / 2), GA_UINT8); 
      row("packbits", f_pack, 4.5 * (double)N); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(N / 2), GA_UINT8); out = ga_empty(GA_SHAPE(4 * N), GA_UINT8);
      row("unpackbits", f_unpack, 4.5 * (double)N); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(N / 2), GA_FLOAT64); out = ga_empty(GA_SHAPE(N / 2), GA_FLOAT64);
      row("roll f64 2^27", f_roll, gb); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(N / 4), GA_COMPLEX128); out = ga_empty(GA_SHAPE(N / 4), GA_COMPLEX128);
      row("roll c128 2^26", f_roll, gb); }
    { GA_SCOPE; reps = 1 << 18; x = ga_zeros(GA_SHAPE(1000), GA_FLOAT32); out = ga_empty(GA_SHAPE(1000 * reps), GA_FLOAT32);
      row("tile (1000,) x 2^18", f_tile, 4000. * (double)reps);
      ga_free(out); reps = 100000000; x = ga_zeros(GA_SHAPE(3), GA_FLOAT32); out = ga_empty(GA_SHAPE(3 * reps), GA_FLOAT32);
      row("tile (3,) x 10^8", f_tile, 12. * (double)reps);
      ga_free(out); x = ga_zeros(GA_SHAPE(4096, 4096), GA_FLOAT32); out = ga_empty(GA_SHAPE(16384, 16384), GA_FLOAT32);
      row("tile (4096,4096) x (4,4)", f_tile2, gb / 2); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(16384, 16384), GA_FLOAT32); out = ga_empty(GA_SHAPE(16386, 16386), GA_FLOAT32);
      row("pad constant 1", f_pad, gb); ga_free(out); out = ga_empty(GA_SHAPE(16390, 16390), GA_FLOAT32); row("pad reflect 3", f_padr, gb); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(4096, 256, 256), GA_FLOAT32); out = ga_empty(GA_SHAPE(4098, 258, 258), GA_FLOAT32);
      row("pad 3-D constant 1", f_pad, gb); }
    { GA_SCOPE; reps = 3; x = ga_zeros(GA_SHAPE(N / 4), GA_FLOAT32); out = ga_empty(GA_SHAPE(N / 4 * 3), GA_FLOAT32);
      row("repeat each 3 times", f_rep, gb / 2); ga_free(out);
      reps = 16; x = ga_zeros(GA_SHAPE(N / 16), GA_FLOAT32); out = ga_empty(GA_SHAPE(N), GA_FLOAT32);
      row("repeat each 16 times", f_rep, gb / 2 + gb / 32);
      ga_free(out); reps = 4; x = ga_zeros(GA_SHAPE(16384, 4096), GA_FLOAT32); out = ga_empty(GA_SHAPE(65536, 4096), GA_FLOAT32);
      row("repeat rows 4 times", f_rep0, gb / 2 + gb / 8); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(4, 4), GA_FLOAT32); out = ga_empty(GA_SHAPE(4, 4), GA_FLOAT32);
      row("small roll", f_roll1, 0); parts[0] = parts[1] = x; count = 2; out = ga_empty(GA_SHAPE(8, 4), GA_FLOAT32); row("small concat", f_cat, 0); }
    { GA_SCOPE; x = ga_zeros(GA_SHAPE(((int64_t)1 << 31) + 1000), GA_UINT8); ga_assign(ga_slice(x, "-3:"), 7);
      ga_array *r = ga_roll(x, 5, GA_ALL); printf("over 2^31: %g %g %g\n", ga_item_at(r, GA_INDEX(2)), ga_item_at(r, GA_INDEX(4)), ga_item_at(r, GA_INDEX(5)));
      ga_array *two = ga_concatenate(0, x, x); printf("  %g %g %g\n", ga_item_at(two, GA_INDEX(-1)), ga_item_at(two, GA_INDEX(x->size - 1)), ga_item_at(two, GA_INDEX(x->size))); }
    return 0;
}
