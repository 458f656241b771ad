/* The search below a node (explorer_options.from). */
#ifndef MATCHPOINT_TESTS_SIM_BELOW_H
#define MATCHPOINT_TESTS_SIM_BELOW_H

/* *state: how many programs. */
void test_below(void **state);

#endif
