/* Which message a receive may take: the two rules of MPI 3.1, section 3.5, and nothing else.
 *
 * Pure: operations in, matches out. A receive that names its source is matched as soon as the rules
 * allow it. A receive from any source, or one marked by_choice, is matched only when it is chosen.
 * See explorer/operation.h for the terms. Costs: posting and matching are O(1) amortised in the
 * number of waiting operations, so 50,000 messages behind a wildcard stay linear. */
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
 * order. A probe stays posted until it is matched or withdrawn; it does not block other
 * receives. */
void matcher_post(struct matcher *matcher, const struct operation *operation);

/* Makes every match for which the rules leave no choice, and appends them (struct match) in the
 * order made. A matched probe leaves its message in the queue. */
void matcher_settle(struct matcher *matcher, GArray *matches);

/* Every posted operation that waits for a choice and could be matched now. It has one candidate for
 * each source, ascending by source. Returns struct open_choice of explorer/explorer.h, ordered by
 * receive. Call this after matcher_settle. Free with open_choices_free. */
GArray *matcher_open_choices(const struct matcher *matcher);
/* The same for this operation alone; empty: it does not wait for a choice. */
GArray *matcher_open_choice(const struct matcher *matcher, struct op_id operation);
void open_choices_free(GArray *open);
/* Frees what one element has. */
struct open_choice;
void open_choice_clear(struct open_choice *choice);

/* Whether the rules allow this pair now. If call is 0 in `send`, the candidate of that rank is
 * meant, and filled in. */
bool matcher_allows(const struct matcher *matcher, struct op_id receive, struct op_id *send);

/* Makes a match that matcher_allows has allowed; call matcher_settle next. */
void matcher_match(struct matcher *matcher, struct op_id receive, struct op_id send);

/* Withdraws an unmatched operation (MPI_Cancel, a poll answered "no"); false: it is matched. */
bool matcher_withdraw(struct matcher *matcher, struct op_id id);

/* Messages not received, and receives not matched (struct operation), each ordered by id. */
void matcher_leftovers(const struct matcher *matcher, GArray *sends, GArray *receives);

#endif
