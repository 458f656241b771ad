/* Which of several requests are reported together: what Waitsome and Testsome may say besides
 * single requests. */
#ifndef MATCHPOINT_EXPLORER_REQUEST_SUBSETS_H
#define MATCHPOINT_EXPLORER_REQUEST_SUBSETS_H

#include <stdbool.h>

#include "dependence.h"

/* A request that a question could report. */
struct complete_request {
	uint32_t index;
	guint depth; /* the caller's: when it was seen to be complete */
};

/* Of more requests that become complete one after the other, not every set of all that are complete
 * at some moment is found. */
#define MOST_TOGETHER 8u

/* So many sets are looked at for one question at a time, the smaller ones first. */
#define MOST_SETS 4096u

/* Appends to `answers` (struct taken) each set of 2 to `most` of the requests `indices` (guint32)
 * that one answer can report. False: there are other sets besides these and the set of all. */
bool request_subsets_answers(const GArray *indices, uint32_t most, GArray *answers);

/* Every set of two or more of the requests `complete` (struct complete_request) to which one at
 * least belongs that stands at place `from` or behind it, and that either is what is complete at
 * some node where the question has been asked, or has at most `most` members: appended to `answers`
 * (struct taken), and what they need to `needs_of` (references to struct choice_set). False: there
 * are others. */
bool request_subsets_find(const struct dependence *dependence, struct op_id question,
                          const GArray *complete, guint from, uint32_t most, GArray *answers,
                          GPtrArray *needs_of);

#endif
