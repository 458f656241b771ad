/* Tests of a search that is divided into shards (explorer/partition.h). */
#ifndef MATCHPOINT_TESTS_SIM_SHARDS_H
#define MATCHPOINT_TESTS_SIM_SHARDS_H

/* The state points to an int: the intended number of programs. */
void test_shards(void **state);
void test_balance(void **state);

#endif
