/* Tests of a search whose next plan may be any that waits (explorer/pool.h). */
#ifndef MATCHPOINT_TESTS_SIM_POOLS_H
#define MATCHPOINT_TESTS_SIM_POOLS_H

/* The state points to an int: how many programs are meant. */
void test_pool(void **state);

#endif
