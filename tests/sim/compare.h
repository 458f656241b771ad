/* Programs under the search and under brute force, under every buffering and each way in which
 * collectives may be left: the same outcomes, each exactly once, no run wasted; else the test
 * fails, and the seed is printed. */
#ifndef MATCHPOINT_TESTS_SIM_COMPARE_H
#define MATCHPOINT_TESTS_SIM_COMPARE_H

#include "random_program.h"

/* So many programs, drawn from these seeds on. Beyond `states` global states ranks step before
 * pairs match; programs of more than four times as many are left out. */
void compare_programs(struct random_program *(*draw)(guint64 seed), gint64 first_seed, int count,
                      int states);

/* The same of programs whose ranks have several threads: what is found is possible, whenever each
 * thread makes its calls; and all is found that is when they are let in as the scheduler does, with
 * messages that come late where threads are apart (brute_force.h). */
void compare_threads(gint64 first_seed, int count, int states);

#endif
