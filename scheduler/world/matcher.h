/* Which message a receive may take: the two rules of MPI 3.1, section 3.5, and nothing else.
 *
 * Pure: operations in, matches out. A receive that names its source is matched at once when the
 * rules allow it; one from any source, or marked by_choice, only when somebody chooses. See
 * explorer/operation.h for the vocabulary. Costs: posting and matching are O(1) amortised in the
 * number of operations waiting, so that 50,000 messages behind a wildcard stay linear. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_MATCHER_H
#define MATCHPOINT_SCHEDULER_WORLD_MATCHER_H

#include <glib.h>
#include <stdbool.h>

#include "explorer/operation.h"

struct matcher;

struct match {
	struct op_id receive; /* receive, probe or mprobe */
	struct op_id send;
};

struct matcher *matcher_new(int ranks);
struct matcher *matcher_copy(const struct matcher *matcher);
void matcher_free(struct matcher *matcher);

/* A rank issued a send or posted a receive, probe or mprobe. Operations of one rank come in program
 * order. A probe stays posted until it is matched or withdrawn; it hinders no other receive. */
void matcher_post(struct matcher *matcher, const struct operation *operation);

/* Makes every match that the rules leave no choice about, appending them (struct match) in the
 * order made; a matched probe leaves its message where it is. */
void matcher_settle(struct matcher *matcher, GArray *matches);

/* Every posted operation that waits for a choice and could be matched now, with one candidate a
 * source (ascending by source), as struct open_choice of explorer/explorer.h ordered by receive.
 * Call after settle. Free with open_choices_free. */
GArray *matcher_open_choices(const struct matcher *matcher);
/* The same for this operation alone; empty: it is none of those. */
GArray *matcher_open_choice(const struct matcher *matcher, struct op_id operation);
void open_choices_free(GArray *open);

/* Whether the rules allow this pair now; `send` with call 0 stands for whichever message of that
 * rank is the candidate, and is then filled in. */
bool matcher_allows(const struct matcher *matcher, struct op_id receive, struct op_id *send);

/* Carries out a pair for which matcher_allows said yes; follow with matcher_settle. */
void matcher_match(struct matcher *matcher, struct op_id receive, struct op_id send);

/* Withdraws an unmatched operation (MPI_Cancel, a poll answered "no"); false: it is matched. */
bool matcher_withdraw(struct matcher *matcher, struct op_id id);

/* Messages sent and not received, receives posted and not matched (struct operation), each
 * ordered by id. */
void matcher_leftovers(const struct matcher *matcher, GArray *sends, GArray *receives);

#endif
