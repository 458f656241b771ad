/* Going back: a random program that went some way by random choices is taken to random cuts of it
 * in new worlds, with each rank held, and on from there (explorer/cut.h,
 * scheduler/world/world_hold.c). */
#ifndef MATCHPOINT_TESTS_SIM_CUTS_H
#define MATCHPOINT_TESTS_SIM_CUTS_H

void test_cuts(void **programs); /* int: so many */

#endif
