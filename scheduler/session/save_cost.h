/* What saving the search costs, so that the end under --max-time leaves time for the last save.
 * Pure. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_SAVE_COST_H
#define MATCHPOINT_SCHEDULER_SESSION_SAVE_COST_H

#include <glib.h>

/* The end is kept within so much of --max-time, whichever is more. Three quarters of it may come
 * before the limit. */
#define SAVE_END_SECONDS 2.0
#define SAVE_END_SHARE 0.02

struct save_cost {
	double last, before; /* seconds that the last two saves took; 0: there was none */
};

static inline void save_cost_add(struct save_cost *cost, double seconds)
{
	cost->before = cost->last > 0 ? cost->last : seconds;
	cost->last = seconds;
}

/* Seconds to leave for the last save before a limit of `most` seconds. As much must be saved once
 * more as last time, and it grows; but one save may have waited for a busy machine or disk, so the
 * cheaper of two counts. */
static inline double save_cost_reserve(const struct save_cost *cost, double most)
{
	const double early = 0.75 * MAX(SAVE_END_SECONDS, SAVE_END_SHARE * most);

	return MIN(1.5 * MIN(cost->last, cost->before), early);
}

#endif
