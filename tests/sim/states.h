/* Random programs whose ranks forget what no later instruction asks about, under the search that
 * visits equal states once (explorer/state_search.h). */
#ifndef MATCHPOINT_TESTS_SIM_STATES_H
#define MATCHPOINT_TESTS_SIM_STATES_H

void test_states(void **programs); /* int: so many */
void test_states_of_windows(void **programs);
void test_states_figures(void **state);

#endif
