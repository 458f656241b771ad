/* Which of several requests are reported together: answers of Waitsome and Testsome besides single
 * requests. */
#ifndef MATCHPOINT_EXPLORER_REQUEST_SUBSETS_H
#define MATCHPOINT_EXPLORER_REQUEST_SUBSETS_H

#include <stdbool.h>

#include "dependence.h"

/* A request that the answer to a question could report. */
struct complete_request {
	uint32_t index;
	guint depth; /* set by the caller: when it was seen to be complete */
};

/* If more requests complete one after the other, not every set of all that are complete at some
 * moment is found. */
#define MOST_TOGETHER 8u

/* The number of sets checked for one question at a time, smaller ones first. */
#define MOST_SETS 4096u

/* Appends to `answers` (struct taken) each set of 2 to `most` of the requests `indices` (guint32)
 * that one answer can report. False: there are other sets besides these and the full set. */
bool request_subsets_answers(const GArray *indices, uint32_t most, GArray *answers);

/* Finds sets of two or more of the requests `complete` (struct complete_request) with at least one
 * from place `from` on. A set counts if it is what is complete at some node where the question is
 * asked, or has at most `most` members. Appends the sets to `answers` (struct taken), and what they
 * need to `needs_of` (references to struct choice_set). False: there are others. */
bool request_subsets_find(const struct dependence *dependence, struct op_id question,
                          const GArray *complete, guint from, uint32_t most, GArray *answers,
                          GPtrArray *needs_of);

#endif
