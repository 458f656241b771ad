/* Tests of the search that begins at a known outcome (explorer_options.toward). */
#ifndef MATCHPOINT_TESTS_SIM_TOWARD_H
#define MATCHPOINT_TESTS_SIM_TOWARD_H

/* The state points to an int: the number of programs. */
void test_toward(void **state);
void test_toward_polls(void **state);

#endif
