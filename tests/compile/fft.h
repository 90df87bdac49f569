/* Transforms by their macros: for C and C++. */
static void transforms(void) {
    GA_SCOPE;
    ga_array *x = ga_arange_as(1, 7, 1, GA_FLOAT32), *f, *y;
    const ga_shape s = GA_SHAPE(4);
    f = ga_rfft(x, 0, 0, GA_BACKWARD);
    y = ga_irfft(f, 6, 0, GA_BACKWARD);
    check(f && f->dtype == GA_COMPLEX64 && f->size == 4 && y
          && ga_allclose(x, y, 1e-5, 0, 0), "ga_rfft");
    check(ga_ifft(ga_fft(x, 0, 0, GA_ORTHO), 0, 0, GA_ORTHO), "ga_fft");
    check(ga_hfft(ga_ihfft(x, 0, 0, GA_FORWARD), 0, 0, GA_FORWARD), "ga_hfft");
    check(ga_fftn(x, s, GA_ALL, GA_BACKWARD)
          && ga_ifftn(x, s, GA_AXIS(0), GA_BACKWARD)
          && ga_rfftn(x, GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD)
          && ga_irfftn(x, s, GA_ALL, GA_BACKWARD), "ga_fftn");
    x = ga_reshape(x, GA_SHAPE(2, 3));
    check(ga_ifft2(ga_fft2(x, GA_SHAPE(2, 4), GA_ALL, GA_BACKWARD),
                   GA_SCALAR_SHAPE, GA_ALL, GA_BACKWARD)
          && ga_irfft2(ga_rfft2(x, GA_SCALAR_SHAPE, GA_AXIS(0, 1), GA_BACKWARD),
                       GA_SHAPE(2, 3), GA_ALL, GA_BACKWARD), "ga_fft2");
    check(ga_idct(ga_dct(x, 2, 0, 1, GA_ORTHO), 2, 0, 1, GA_ORTHO)
          && ga_idst(ga_dst(x, 1, 4, 0, GA_BACKWARD), 1, 0, 0, GA_BACKWARD)
          && ga_idctn(ga_dctn(x, 2, GA_SCALAR_SHAPE, GA_ALL, GA_ORTHO), 2,
                      GA_SCALAR_SHAPE, GA_ALL, GA_ORTHO), "ga_dct");
    check(ga_item(ga_slice(ga_fftfreq(4, 0.5), "1")) == 0.5
          && ga_item(ga_slice(ga_rfftfreq(4, 0.5), "-1")) == 1, "ga_fftfreq");
    check(ga_ifftshift(ga_fftshift(x, GA_ALL), GA_AXIS(0, 1)), "ga_fftshift");
    check(ga_next_fast_len(11) == 12, "ga_next_fast_len");
    check(ga_fftconvolve(x, x, GA_SAME, GA_ALL)
          && ga_fftconvolve(x, x, GA_FULL, GA_AXIS(1)), "ga_fftconvolve");
}
