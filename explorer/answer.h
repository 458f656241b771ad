/* What can be taken at a choice's point besides a message: the other places where the standard
 * leaves something open (MPI 3.1, sections 3.4, 3.7.3, 3.7.5, 3.8.1 and 3.8.4).
 *
 * An answer stands where a message's name would, as a struct op_id whose rank is negative. Requests
 * are counted as the call lists those that are active, from 0. */
#ifndef MATCHPOINT_EXPLORER_ANSWER_H
#define MATCHPOINT_EXPLORER_ANSWER_H

#include "operation.h"

enum answer_kind {
	ANSWER_NO = -2,        /* a poll: not yet */
	ANSWER_YES = -3,       /* MPI_Test, MPI_Testall: all complete */
	ANSWER_ONE = -4,       /* the request `call` alone is reported */
	ANSWER_CANCELLED = -5, /* MPI_Cancel came before the match */
	ANSWER_EARLY = -6,     /* a standard send completes before it is matched; a member leaves a
	                          collective as early as the standard lets it */
	ANSWER_LATE = -7,      /* a standard send completes only when it is matched; a member leaves
	                          a collective only when all have come */
	ANSWER_SOME = -8, /* several: the requests 64 w to 64 w + 63 of window w = ANSWER_SOME -
	                          rank whose bits are set in `call` (low half) and `sub` (high) */
};

#define ANSWER_WINDOW 64u /* requests that one answer can report together */

static inline bool answer_is(struct op_id taken)
{
	return taken.rank <= ANSWER_NO;
}

static inline struct op_id answer_make(enum answer_kind kind)
{
	return (struct op_id){kind, 0, 0};
}

static inline struct op_id answer_one(uint32_t index)
{
	return (struct op_id){ANSWER_ONE, index, 0};
}

/* `bits` not 0. One request alone is always ANSWER_ONE, so that equal answers look equal. */
struct op_id answer_some(uint32_t window, uint64_t bits);

/* The kind of an answer: ANSWER_SOME whatever its window. */
static inline enum answer_kind answer_kind(struct op_id answer)
{
	return answer.rank <= ANSWER_SOME ? ANSWER_SOME : (enum answer_kind)answer.rank;
}

/* The first request reported that is not below `from`, of the first `count`; `count`: there is
 * none. NO reports none, YES all. */
uint32_t answer_next(struct op_id answer, uint32_t from, uint32_t count);

/* "no", "yes", "#3", "#0+2+5", "cancelled", "early", "late", as in a path's text; free with
 * g_free. */
char *answer_print(struct op_id answer);

/* Reads what answer_print writes, from the beginning of `text`; the number of characters read, 0
 * when it is no answer. */
unsigned answer_parse(const char *text, struct op_id *ret_answer);

#endif
