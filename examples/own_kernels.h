/* own_kernels.h - what the .cu files of examples 11 to 13 give to C. Arrays
   are float32 on the current CUDA device; a call queues its work on the
   current stream and returns.                                              */
#ifndef OWN_KERNELS_H
#define OWN_KERNELS_H
#ifdef __cplusplus
extern "C" {
#endif
/* out[j] = sum over i of (a b)[i, j]: a (m,k), b (k,n), out (n). The product
   is never stored.                                                         */
ga_status tiled_product_sums(const ga_array *a, const ga_array *b,
                             ga_array *out);
/* rows[i] = sum over j of sin(x_i + y_j), n = rows->size midpoints of [0, pi]
   each way; `exact`: computed in float64.                                  */
ga_status integrate_rows(ga_array *rows, bool exact);
/* `steps` times u -= k * laplacian(u), zeros around u; v, of u's shape, is
   scratch. The result is in u.                                             */
ga_status diffuse(ga_array *u, ga_array *v, float k, int steps);
#ifdef __cplusplus
}
#endif
#endif
