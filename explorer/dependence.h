/* What depends on what: for each event of a trace, the set of choices without which it would not
 * have happened.
 *
 * - The issue of a send, the posting of a receive: what its rank depends on at that point.
 * - A match of receive y with message x: what the posting of y and the issue of x depend on; the
 *   choice itself, if it was one; and what cleared the way (MPI 3.1, section 3.5): the matches of
 *   all receives posted earlier at that rank that x fits, and of all earlier messages of x's
 *   source that fit y. For a probe the same, but it clears the way for nobody.
 * - A rank that learns that its receive is complete, or its send that waits for its match, comes
 *   to depend on that match; one that leaves a collective, on the arrivals it waited for.
 * - Withdrawing an operation clears the way as its match would; it depends on its rank.
 * - An answer depends on its question, on itself, and on the completion of what it
 *   reports; whoever is answered comes to depend on it. That a send or a collective completes
 *   early, or late, is learnt with its completion.
 *
 * Choices are numbered as they stand in the trace, from 0. All of it is read off the trace event
 * by event, and can be unread backwards, so that a world that goes on, or one restored from a
 * snapshot, costs no more than its new events. */
#ifndef MATCHPOINT_EXPLORER_DEPENDENCE_H
#define MATCHPOINT_EXPLORER_DEPENDENCE_H

#include <glib.h>
#include <stdbool.h>

#include "choice_set.h"
#include "trace.h"

struct dependence;

struct dependence *dependence_new(void);
/* The same, but what a rank depends on is what the thread depends on that does something: threads
 * learn of each other only when one may have been woken by another (EVENT_WAKE), and nobody depends
 * on whose turn it was. So of what they tell each other through memory not all is seen: what does
 * not depend on a choice here may do so nevertheless. */
struct dependence *dependence_of_threads(void);
void dependence_free(struct dependence *dependence);

/* Events read so far, and the first of them that `trace` does not begin with (all: the count). */
size_t dependence_count(const struct dependence *dependence);
size_t dependence_common(const struct dependence *dependence, const struct trace *trace);

/* Unread all but the first `count` events; read those of `trace` from dependence_count on. */
void dependence_rewind(struct dependence *dependence, size_t count);
void dependence_read(struct dependence *dependence, const struct trace *trace);

/* Whether any rank has made calls in several threads, in what was ever read. */
bool dependence_has_threads(const struct dependence *dependence);

/* How many choices the trace holds; the number of the choice made at a point, or -1, and what it
 * took. */
guint dependence_choices(const struct dependence *dependence);
int dependence_choice(const struct dependence *dependence, struct op_id point,
                      struct taken *ret_taken);

/* Whether this point can take a message of this source: a receive or probe that does not name
 * another. */
bool dependence_may_take(const struct dependence *dependence, struct op_id point, int32_t source);

enum alternative_state {
	ALTERNATIVE_NONE,     /* no such message so far */
	ALTERNATIVE_BLOCKED,  /* there is one; an earlier receive that it fits is still unmatched */
	ALTERNATIVE_NEVER,    /* whatever more this source sends depends on the receive's choice */
	ALTERNATIVE_POSSIBLE, /* *ret_send, once the choices of *ret_needs have been made */
};

/* The message of `source` that a receive (probe, mprobe) for which a choice was made could have
 * taken instead: one that does not depend on that choice. There is at most one a source, and it
 * stays so however the trace goes on. *ret_needs (a reference; unref it) and *ret_send are set
 * only with ALTERNATIVE_POSSIBLE. */
enum alternative_state dependence_alternative(struct dependence *dependence, struct op_id receive,
                                              int32_t source, struct op_id *ret_send,
                                              struct choice_set **ret_needs);

/* Of dependence_of_threads: whether the source has a message for that receive that does not depend
 * on the choice made there (POSSIBLE), or none so far, or whatever more it sends does (NEVER). */
enum alternative_state dependence_may_come(struct dependence *dependence, struct op_id receive,
                                           int32_t source);

/* Whether request `index` of those that this question asks about is complete; *ret_needs (unref
 * it): what that depends on besides the question. */
bool dependence_complete(const struct dependence *dependence, struct op_id question, uint32_t index,
                         struct choice_set **ret_needs);

/* As dependence_alternative, for an answer that was not open when the choice was made at `point`:
 * requests that could have been complete, a receive that could have been cancelled. BLOCKED is
 * never said. */
enum alternative_state dependence_answer(const struct dependence *dependence, struct op_id point,
                                         const struct taken *answer, struct choice_set **ret_needs);

#endif
