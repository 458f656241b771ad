/* Tests of state search (explorer/state_search.h), which visits equal states once. Ranks of the
 * random programs forget everything that no later instruction depends on. */
#ifndef MATCHPOINT_TESTS_SIM_STATES_H
#define MATCHPOINT_TESTS_SIM_STATES_H

void test_states(void **programs); /* int: the number of programs */
void test_states_of_windows(void **programs);
void test_states_figures(void **state);

#endif
