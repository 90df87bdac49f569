/* test_kernel.h - what test_kernel.cu gives to test_kernel.c. */
#ifdef __cplusplus
extern "C" {
#endif
ga_status k_add(ga_array *x, ga_array *y, ga_array *z);
ga_status k_axpy(double a, const ga_array *x, ga_array *y);
ga_status k_axpy_by_hand(int a, const ga_array *x, ga_array *y);
ga_status k_number(ga_array *v);
ga_status k_smooth(const ga_array *x, ga_array *y);
ga_status k_conjugate(const ga_array *x, ga_array *y);
ga_status k_twice(ga_array *x);
ga_status k_shift(const ga_array *x, ga_array *y, int by);
ga_status k_scatter(ga_array *x, int to);
ga_status k_shared_sum(const ga_array *x, ga_array *out);
ga_status k_grid(long long blocks, int threads, size_t shared);
#ifdef __cplusplus
}
#endif
