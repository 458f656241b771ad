/* One interleaving, put in an order in which it can be drawn: what the drawn formats share. */
#ifndef MATCHPOINT_REPORTS_DIAGRAM_H
#define MATCHPOINT_REPORTS_DIAGRAM_H

#include <stdbool.h>

#include "report.h"

struct diagram {
	struct record_execution *execution;
	const struct record_finding *finding; /* that it shows first, or NULL */
	GArray *ranks;                        /* of int32_t, ascending: those that occur */
	GArray *order; /* of guint, all of execution->calls: each rank's in its order, a message's
	                   send before the call that completes its receive, the members of a
	                   collective that they all wait in one after the other */
	guint first;   /* of order; what stands before is too much to be drawn */
	GArray *shown; /* of bool by call */
	GHashTable *index; /* of struct diagram_key to call + 1 */
};

/* The interleaving with this id, or, when it is 0, the first that shows the first finding, or else
 * the first of all; the caller's. NULL with `error` set: there is none, or the store is damaged. */
struct record_execution *diagram_choose(struct store_reader *reader, uint32_t id, GError **error);

/* The one that was asked for; no more than its last `most` calls are to be drawn. False with
 * `error` set: there is none, or the store is damaged. */
bool diagram_init(struct diagram *diagram, struct store_reader *reader,
                  const struct report_options *options, guint most, GError **error);
void diagram_release(struct diagram *diagram);

/* The call with this name, or -1. */
gint64 diagram_call(const struct diagram *diagram, int32_t rank, uint32_t call);

/* The call in which a matched receive is complete, or -1: it is not; `*receive` and `*send` are the
 * calls themselves, or -1: unknown. */
gint64 diagram_match(const struct diagram *diagram, const struct record_match *match,
                     gint64 *receive, gint64 *send);

/* Whether all members of the collective stand in this call until all have come. */
bool diagram_meets(const struct record_call *call);

/* The choice that a call makes, or NULL. */
const struct record_choice *diagram_choice(const struct diagram *diagram,
                                           const struct record_call *call);

/* What is not in the drawing, as a sentence; NULL: nothing. Free with g_free. */
char *diagram_left_out(const struct diagram *diagram, const struct record_exploration *exploration);

#endif
