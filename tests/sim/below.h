/* Tests of the search below a node (explorer_options.from). */
#ifndef MATCHPOINT_TESTS_SIM_BELOW_H
#define MATCHPOINT_TESTS_SIM_BELOW_H

/* The state points to an int: the number of programs. */
void test_below(void **state);

#endif
