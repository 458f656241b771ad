/* Tests of a search whose next plan may be any waiting one (explorer/pool.h). */
#ifndef MATCHPOINT_TESTS_SIM_POOLS_H
#define MATCHPOINT_TESTS_SIM_POOLS_H

/* The state points to an int: the intended number of programs. */
void test_pool(void **state);

#endif
