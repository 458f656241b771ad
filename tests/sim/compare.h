/* Compares the search with brute force, for each buffering and each way in which collectives may be
 * left. Both must have the same outcomes, each exactly once, with no run wasted. If not, the test
 * fails and the seed is printed. */
#ifndef MATCHPOINT_TESTS_SIM_COMPARE_H
#define MATCHPOINT_TESTS_SIM_COMPARE_H

#include "random_program.h"

/* Compares `count` programs, drawn from consecutive seeds. Above `states` global states, ranks step
 * before pairs match; programs with more than four times as many are skipped. */
void compare_programs(struct random_program *(*draw)(guint64 seed), gint64 first_seed, int count,
                      int states);

/* The same for programs whose ranks have several threads. All that the search finds must be
 * possible for some timing of the threads' calls. It must find all outcomes of threads that take
 * turns as the scheduler admits them, and those with late messages where threads do not compete
 * (brute_force.h). */
void compare_threads(gint64 first_seed, int count, int states);

#endif
