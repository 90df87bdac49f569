/* Lists of the macros are counted exactly; too long ones are errors that say
   how many they had. The same text in C and in C++.                         */

static void counted(const ga_array *x, const char *text) {
    check(!x && strstr(ga_error_message(), text), text);
}
static void counts(void) {
    GA_SCOPE;
    ga_array *x = ga_zeros(GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1), GA_INT8);
    check(x && x->ndim == 8, "eight dimensions");
    check(ga_sum(x, GA_AXIS(0, 1, 2, 3, 4, 5, 6, -1))->ndim == 0, "eight axes");
    counted(ga_zeros(GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1), GA_INT8),
            "9 dimensions");
    counted(ga_ones(GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), GA_INT8),
            "13 dimensions");
    counted(ga_reshape(x, GA_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)),
            "14 dimensions");
    counted(ga_sum(x, GA_AXIS(0, 1, 2, 3, 4, 5, 6, 7, 8)), "9 axes");
    counted(ga_max(x, GA_AXIS_KEEP(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)),
            "13 axes");
    counted(ga_transpose(x, GA_AXIS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                    13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
                                    24, 25, 26, 27)), "28 axes");
    counted(ga_einsum("a", x, x, x, x, x, x, x, x, x, x, x, x, x, x),
            "14 operands");
}
