/* After the standard headers, which fix the feature macros: under -std=c11
   nothing but C11 may be counted on.                                       */
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#include <time.h>
#include <wchar.h>
#define GPUARR_IMPLEMENTATION
#include "gpuarr.h"

int main(void) {
    GA_SCOPE;
    double _Complex z = 3 + 4 * I;
    return ga_item(ga_abs(z)) == 5 ? 0 : 1;
}
