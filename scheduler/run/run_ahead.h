/* Ranks that go ahead. On a way that is known to lead to a cut (struct run_request, `arrives`) most
 * calls need no word from the scheduler: a blocking send returns when it is received, a receive
 * that names its message when that has come, and MPI itself sees to both. A rank that is welcomed
 * so tells of such a call, does not wait, and marks it (struct wire_call, `ahead`).
 *
 * The world is told everything in the order in which it would hear it otherwise: what a rank says
 * behind a call that the world has not let go yet is put off until it has, and the orders for that
 * call are given to nobody. So the world cannot tell the difference. */
#ifndef MATCHPOINT_SCHEDULER_RUN_RUN_AHEAD_H
#define MATCHPOINT_SCHEDULER_RUN_RUN_AHEAD_H

#include <stdbool.h>

#include "common/wire.h"
#include "explorer/position.h"

struct run_ahead;

/* Each rank may go as far as the position's cut. */
struct run_ahead *run_ahead_new(const struct position *target);
void run_ahead_free(
	struct run_ahead *run_ahead); /* NULL: nobody goes ahead; legal in all that follows, too */

/* Calls of the rank with a lower number need not wait; 0: all must. */
guint32 run_ahead_below(const struct run_ahead *run_ahead, int rank);
/* From this call on they must, if they begin from now on. Whether that is new. */
bool run_ahead_limit(struct run_ahead *run_ahead, int rank, guint32 call);

/* A rank says something. true: it is put off. */
bool run_ahead_puts_off(struct run_ahead *run_ahead, int rank, const struct wire_message *message);
/* The first that the world can hear now; to be released. false: there is none. */
bool run_ahead_next(struct run_ahead *run_ahead, int *ret_rank, struct wire_message *ret_message);
/* The rank is gone, and with it what was put off. */
void run_ahead_forget(struct run_ahead *run_ahead, int rank);

/* The world hears of a call that is marked. false: it cannot be. */
bool run_ahead_begin(struct run_ahead *run_ahead, int rank, const struct wire_call *call);
/* Whether the world has not let this call go yet, and nobody waits for its orders; it does now. */
bool run_ahead_is_in(const struct run_ahead *run_ahead, int rank, guint32 call);
void run_ahead_let_go(struct run_ahead *run_ahead, int rank);
/* Whether there is such a call of any rank. */
bool run_ahead_is_any(const struct run_ahead *run_ahead);

#endif
