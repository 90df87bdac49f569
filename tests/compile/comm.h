/* Operands of every kind, by C's selection and by C++'s overloads. */
ga_dist *every_operand(ga_dist *x, const ga_dist *y, ga_array *a,
                       const ga_array *b, ga_slabs *s);
ga_dist *every_operand(ga_dist *x, const ga_dist *y, ga_array *a,
                       const ga_array *b, ga_slabs *s) {
    const int i = 1;
    const long l = 2;
    const long long ll = 3;
    const unsigned u = 4;
    const float f = 0.5f;
    const double d = 0.25;
    GA_SLABS_EVAL_NPY("out.npy", 2*v + 1, v, s);
    return GA_DIST_EVAL(x + y*a + b*i - l + ll - u + f + d, x, y, a, b, i, l,
                        ll, u, f, d);
}
