static void product_cases(void) {}
static void linalg_cases(void) {}
