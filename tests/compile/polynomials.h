/* Polynomials, windows, structured matrices and distances by their macros: for
   C and C++.                                                                */
static void polynomials(void) {
    GA_SCOPE;
    ga_array *p = ga_arange_as(1, 4, 1, GA_FLOAT64), *q, *r;
    ga_array *x = ga_arange_as(0, 5, 1, GA_FLOAT64), *o = ga_copy(x);
    ga_array *row = ga_ones(GA_SHAPE(1, 3), GA_FLOAT64);
    check(ga_item(ga_polyval(p, 2)) == 11 && ga_polyval(p, x)
          && ga_polyval_into(o, p, x) == GA_OK, "ga_polyval");
    check(ga_polyadd(p, 1) && ga_polyadd(1.5, p)
          && ga_polyadd_into(p, p, 2) == GA_OK, "ga_polyadd");
    check(ga_polymul(p, p) && ga_polymul(2, p), "ga_polymul");
    check(ga_polydiv(p, 2, &q, &r) == GA_OK && ga_polydiv(p, p, &q, NULL) == GA_OK,
          "ga_polydiv");
    check(ga_polyder(p, 1) && ga_polyder_into(ga_slice(o, ":2"), p, 1) == GA_OK,
          "ga_polyder");
    check(ga_polyint(p, 1, 3) && ga_polyint(p, 2, GA_NONE) && ga_polyint(p, 2, x)
          && ga_polyint_into(ga_slice(o, ":4"), p, 1, 2.5) == GA_OK, "ga_polyint");
    check(ga_hanning(5) && ga_bartlett_as(5, GA_FLOAT32)
          && ga_blackman_into(o) == GA_OK && ga_hamming(3) && ga_kaiser(5, 14)
          && ga_kaiser_as(5, 2.5, GA_FLOAT16) && ga_kaiser_into(o, 1) == GA_OK,
          "windows");
    check(ga_block_diag(p, row, 3) && ga_block_diag(2)
          && ga_block_diag_into(ga_zeros(GA_SHAPE(2, 4), GA_FLOAT64), p, 1)
             == GA_OK, "ga_block_diag");
    check(ga_toeplitz(p, GA_NONE) && ga_toeplitz(1, p)
          && ga_toeplitz_into(ga_zeros(GA_SHAPE(3, 5), GA_FLOAT64), p, x)
             == GA_OK, "ga_toeplitz");
    check(ga_circulant(p) && ga_circulant(2)
          && ga_circulant_into(ga_zeros(GA_SHAPE(3, 3), GA_FLOAT64), p) == GA_OK,
          "ga_circulant");
    check(ga_cdist(row, row, GA_COSINE)
          && ga_cdist_into(ga_zeros(GA_SHAPE(1, 1), GA_FLOAT64), row, row,
                           GA_EUCLIDEAN) == GA_OK
          && ga_pdist(row, GA_CITYBLOCK)
          && ga_pdist_into(ga_zeros(GA_SHAPE(0), GA_FLOAT64), row, GA_CHEBYSHEV)
             == GA_OK, "distances");
}
