/* Which of several requests are complete together: what Waitsome and Testsome may report besides
 * single requests. */
#ifndef MATCHPOINT_EXPLORER_TOGETHER_H
#define MATCHPOINT_EXPLORER_TOGETHER_H

#include "dependence.h"

/* A request that a question could report. */
struct complete_request {
	uint32_t index;
	guint depth; /* the caller's: when it was seen to be complete */
};

/* Of more requests that become complete one after the other, not every set is found. */
#define MOST_TOGETHER 8u

/* Every set of two or more of the requests `complete` (struct complete_request) that is what is
 * complete at some node where the question has been asked, and to which one at least belongs that
 * stands at place `from` or behind it: appended to `answers` (struct op_id), and what they need to
 * `needs_of` (references to struct choice_set). */
void together_find(const struct dependence *dependence, struct op_id question,
                   const GArray *complete, guint from, GArray *answers, GPtrArray *needs_of);

#endif
