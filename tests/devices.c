/* The devices that the suites run on, for tests/run.sh: "cpu", and "0" where
   there is a GPU that this build can use.                                  */
#include "gpuarr.h"

int main(void) {
    puts("cpu");
    if (ga_device_count() > 0) puts("0");
    return 0;
}
