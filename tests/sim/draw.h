/* Random numbers for the random programs. */
#ifndef MATCHPOINT_TESTS_SIM_DRAW_H
#define MATCHPOINT_TESTS_SIM_DRAW_H

#include <glib.h>
#include <stdbool.h>

/* From 0 to bound - 1. */
static inline int draw_below(GRand *random, int bound)
{
	return g_rand_int_range(random, 0, bound);
}

static inline bool draw_one_in(GRand *random, int times)
{
	return draw_below(random, times) == 0;
}

static inline bool draw_of_six(GRand *random, int times)
{
	return draw_below(random, 6) < times;
}

#endif
