static void expression_cases(void) {}
