/* Tests of a search that is divided among several (explorer/partition.h). */
#ifndef MATCHPOINT_TESTS_SIM_SHARDS_H
#define MATCHPOINT_TESTS_SIM_SHARDS_H

/* The state points to an int: how many programs are meant. */
void test_shards(void **state);
void test_balance(void **state);

#endif
