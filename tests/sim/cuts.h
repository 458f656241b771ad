/* Tests of rollback. A random program runs some random choices; then new worlds go to random cuts
 * of that run, with each rank held, and continue from there (explorer/cut.h,
 * scheduler/world/world_hold.c). */
#ifndef MATCHPOINT_TESTS_SIM_CUTS_H
#define MATCHPOINT_TESTS_SIM_CUTS_H

void test_cuts(void **programs); /* int: the number of programs */

#endif
