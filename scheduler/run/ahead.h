/* Ranks that go ahead. On a way that is known to lead to a cut (struct run_request, `arrives`) most
 * calls need no word from the scheduler: a blocking send returns when it is received, a receive
 * that names its message when that has come, and MPI itself sees to both. A rank that is welcomed
 * so tells of such a call, does not wait, and marks it (struct wire_call, `ahead`).
 *
 * The world is told everything in the order in which it would hear it otherwise: what a rank says
 * behind a call that the world has not let go yet is put off until it has, and the orders for that
 * call are given to nobody. So the world cannot tell the difference. */
#ifndef MATCHPOINT_SCHEDULER_RUN_AHEAD_H
#define MATCHPOINT_SCHEDULER_RUN_AHEAD_H

#include <stdbool.h>

#include "explorer/position.h"
#include "shim/wire.h"

struct ahead;

/* Each rank may go as far as the position's cut. */
struct ahead *ahead_new(const struct position *target);
void ahead_free(struct ahead *ahead); /* NULL: nobody goes ahead; legal in all that follows, too */

/* Calls of the rank with a lower number need not wait; 0: all must. */
guint32 ahead_below(const struct ahead *ahead, int rank);
/* From this call on they must, if they begin from now on. Whether that is new. */
bool ahead_limit(struct ahead *ahead, int rank, guint32 call);

/* A rank says something. true: it is put off. */
bool ahead_puts_off(struct ahead *ahead, int rank, const struct wire_message *message);
/* The first that the world can hear now; to be released. false: there is none. */
bool ahead_next(struct ahead *ahead, int *ret_rank, struct wire_message *ret_message);
/* The rank is gone, and with it what was put off. */
void ahead_forget(struct ahead *ahead, int rank);

/* The world hears of a call that is marked. false: it cannot be. */
bool ahead_begin(struct ahead *ahead, int rank, const struct wire_call *call);
/* Whether the world has not let this call go yet, and nobody waits for its orders; it does now. */
bool ahead_is_in(const struct ahead *ahead, int rank, guint32 call);
void ahead_let_go(struct ahead *ahead, int rank);
/* Whether there is such a call of any rank. */
bool ahead_is_any(const struct ahead *ahead);

#endif
