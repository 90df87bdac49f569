/* gpuarr_plot.h in the C file that implements. */
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"
#include "ext/gpuarr_plot.h"

ga_status a_picture(const ga_array *x);
ga_status a_picture(const ga_array *x) {
    ga_savefig(ga_hist(NULL, x, GA_BINS(10), NULL), "hist.svg");
#ifdef GA_FIGURE
    GA_FIGURE(f, 1, 2);
    ga_plot(f, NULL, x, "-", "x");
    ga_imshow(ga_subplot(f, 0, 1), x, GA_GREY);
    return ga_savefig(ga_axes_scale(f, GA_LOG_X | GA_LOG_Y), "x.svg");
#else
    return GA_OK;
#endif
}
