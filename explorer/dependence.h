/* What depends on what: for each event of a trace, the set of choices without which it would not
 * have happened.
 *
 * - The issue of a send, or the posting of a receive, depends on what its rank depends on then.
 * - A match of receive y with message x depends on what the posting of y and the issue of x depend
 *   on; on the choice itself, if it was one; and on what cleared the way (MPI 3.1, section 3.5):
 *   the matches of all earlier receives of that rank that x fits, and of all earlier messages of
 *   x's source that fit y. A probe depends on the same, but does not clear the way for others.
 * - A rank that learns that its receive is complete, or its send that waits for the match, depends
 *   on that match from then on. If a matched probe took the message, the send waits for MPI_Mrecv,
 *   and depends on what the receiver depends on there. A rank that leaves a collective depends on
 *   the arrivals it waited for.
 * - Withdrawing an operation clears the way as its match would. It depends on its rank.
 * - An answer depends on its question, on itself, and on the completion of what it reports. The
 *   rank depends on the answer from then on. That a send or a collective completes early or late
 *   is learnt with its completion.
 *
 * Choices are numbered from 0 in the order of the trace. Events are read one by one, and can be
 * unread backwards. So a world that continues, or one restored from a snapshot, costs no more than
 * its new events. */
#ifndef MATCHPOINT_EXPLORER_DEPENDENCE_H
#define MATCHPOINT_EXPLORER_DEPENDENCE_H

#include <glib.h>
#include <stdbool.h>

#include "choice_set.h"
#include "trace.h"

struct dependence;

struct dependence *dependence_new(void);
/* Dependence by thread instead of by rank. A thread depends on another thread of its rank only if
 * it may have been woken by it (EVENT_WAKE). Nothing depends on the order in which threads were
 * scheduled. Threads that communicate through memory are not fully seen: something may depend on a
 * choice although it does not here. */
struct dependence *dependence_of_threads(void);
void dependence_free(struct dependence *dependence);

/* dependence_count: number of events read. dependence_common: length of the common prefix with
 * `trace`. */
size_t dependence_count(const struct dependence *dependence);
size_t dependence_common(const struct dependence *dependence, const struct trace *trace);

/* dependence_rewind unreads all but the first `count` events. dependence_read reads the events of
 * `trace` from dependence_count on. */
void dependence_rewind(struct dependence *dependence, size_t count);
void dependence_read(struct dependence *dependence, const struct trace *trace);

/* Whether any rank made calls in several threads, in any event ever read. */
bool dependence_has_threads(const struct dependence *dependence);

/* dependence_choices: number of choices in the trace. dependence_choice: the number of the choice
 * made at a point, and what it took; -1: none. */
guint dependence_choices(const struct dependence *dependence);
int dependence_choice(const struct dependence *dependence, struct op_id point,
                      struct taken *ret_taken);

/* Whether all that a rank does from now on depends on all choices from number `first` on. Not by
 * thread. */
bool dependence_knows_all(const struct dependence *dependence, int32_t rank, guint first);

/* What the choice made at a point depends on, that choice among it; free with choice_set_unref. */
struct choice_set *dependence_needs(const struct dependence *dependence, struct op_id point);

/* `ahead` below: of a loop of polls, the poll that comes so many calls after the point
 * (EVENT_LATER); else 0. */

/* Whether this point can take a message of this source: a receive or probe that accepts it. */
bool dependence_may_take(const struct dependence *dependence, struct op_id point, uint32_t ahead,
                         int32_t source);

enum alternative_state {
	ALTERNATIVE_NONE, /* no such message so far */
	/* there is a message, but an earlier receive that it fits is unmatched */
	ALTERNATIVE_BLOCKED,
	/* everything that this source sends from now on depends on the receive's choice */
	ALTERNATIVE_NEVER,
	ALTERNATIVE_POSSIBLE, /* *ret_send, after the choices of *ret_needs */
};

/* The message of `source` that a receive (probe, mprobe) with a choice could have taken instead:
 * one that does not depend on that choice. There is at most one for each source, and it does not
 * change as the trace grows. *ret_needs (owned by the caller; free with choice_set_unref) and
 * *ret_send are set only for ALTERNATIVE_POSSIBLE. */
enum alternative_state dependence_alternative(struct dependence *dependence, struct op_id receive,
                                              uint32_t ahead, int32_t source,
                                              struct op_id *ret_send,
                                              struct choice_set **ret_needs);

/* For dependence_of_threads. POSSIBLE: the source has a message for that receive that does not
 * depend on the choice made there. NONE: no such message so far. NEVER: everything that the source
 * sends from now on depends on the choice. */
enum alternative_state dependence_may_come(struct dependence *dependence, struct op_id receive,
                                           int32_t source);

/* For dependence_of_threads. Whether no other thread may take this message before a probe sees it:
 * by a receive that comes after the probe and does not depend on what the probe was answered. A
 * receive that comes before goes first in any case (MPI 3.1, section 3.5). */
bool dependence_is_safe(const struct dependence *dependence, struct op_id probe, struct op_id send);

/* Whether request `index` of this question is complete. *ret_needs: what that depends on besides
 * the question; free with choice_set_unref. */
bool dependence_complete(const struct dependence *dependence, struct op_id question, uint32_t index,
                         struct choice_set **ret_needs);

/* As dependence_alternative, for an answer that was not open when the choice was made at `point`:
 * requests that could have been complete, a receive that could have been cancelled. Never returns
 * ALTERNATIVE_BLOCKED. */
enum alternative_state dependence_answer(const struct dependence *dependence, struct op_id point,
                                         const struct taken *answer, struct choice_set **ret_needs);

#endif
