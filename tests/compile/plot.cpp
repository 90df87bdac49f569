// gpuarr_plot.h's declarations in C++.
#include "gpuarr.h"
#include "ext/gpuarr_plot.h"

ga_status a_picture(const ga_array *x);
ga_status a_picture(const ga_array *x) {
    GA_FIGURE(f, 1, 1);
    ga_annotate(ga_plot(f, GA_NONE, x, "o", nullptr), 1, 2, "here");
    return ga_savefig(f, "x.svg");
}
