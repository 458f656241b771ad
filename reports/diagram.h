/* One interleaving in an order in which it can be drawn. Shared by the formats that draw. */
#ifndef MATCHPOINT_REPORTS_DIAGRAM_H
#define MATCHPOINT_REPORTS_DIAGRAM_H

#include <stdbool.h>

#include "report.h"

struct diagram {
	struct record_execution *execution;
	const struct record_finding *finding; /* the first that it shows, or NULL */
	GArray *ranks;                        /* int32_t, ascending: the ranks that occur */
	GArray *order; /* guint, all of execution->calls: each rank's in its order; a message's
	                  send before the call that completes its receive; the members of a
	                  collective in which all wait for each other one after the other */
	guint first;   /* index in order; calls before it are not drawn, as there are too many */
	GArray *shown; /* bool, by call */
	GHashTable *index; /* struct key (diagram.c) to index of the call + 1 */
};

/* The interleaving with this id. If id is 0: the first that shows the first finding, or else the
 * first of all. The caller owns it. NULL with `error` set: there is none, or the store is
 * damaged. */
struct record_execution *diagram_choose(struct store_reader *reader, uint32_t id, GError **error);

/* Initialises the diagram of the interleaving that `options` names. At most its last `most`
 * calls are drawn. False with `error` set: there is no such interleaving, or the store is
 * damaged. */
bool diagram_init(struct diagram *diagram, struct store_reader *reader,
                  const struct report_options *options, guint most, GError **error);
void diagram_release(struct diagram *diagram);

/* The index of this call; -1: there is none. */
gint64 diagram_call(const struct diagram *diagram, int32_t rank, uint32_t call);

/* The index of the call that completes a matched receive; -1: it did not complete. *receive and
 * *send are set to the indices of the matched calls, or -1 if unknown. */
gint64 diagram_match(const struct diagram *diagram, const struct record_match *match,
                     gint64 *receive, gint64 *send);

/* Whether the call belongs to a collective in which all members wait until all have entered. */
bool diagram_meets(const struct record_call *call);

/* The choice that a call makes; NULL: none. */
const struct record_choice *diagram_choice(const struct diagram *diagram,
                                           const struct record_call *call);

/* What the drawing leaves out, as a sentence; NULL: nothing. Free with g_free. */
char *diagram_left_out(const struct diagram *diagram, const struct record_exploration *exploration);

#endif
