/* Ranks that run ahead. On a path that is known to lead to a cut (struct run_request, `arrives`),
 * most calls need no order from the scheduler: MPI itself completes a blocking send, or a receive
 * that names its message. WELCOME permits this to a rank. It then reports such a call, marks it
 * (struct wire_call, `ahead`), and does not wait.
 *
 * The world gets every message in the order in which it would get it otherwise. What a rank sends
 * after a marked call is put off until the world has let that call go. The world's orders for that
 * call are dropped. So the world cannot observe the difference. */
#ifndef MATCHPOINT_SCHEDULER_EXECUTION_RUN_AHEAD_H
#define MATCHPOINT_SCHEDULER_EXECUTION_RUN_AHEAD_H

#include <stdbool.h>

#include "common/wire.h"
#include "explorer/position.h"

struct run_ahead;

/* Each rank may run up to the position's cut. run_ahead_new_hurrying: each goes on where MPI itself
 * has completed what its call waits for, which is no promise that it will. */
struct run_ahead *run_ahead_new(const struct position *target);
struct run_ahead *run_ahead_new_hurrying(int ranks);
bool run_ahead_hurries(const struct run_ahead *run_ahead);
void run_ahead_free(struct run_ahead *run_ahead); /* NULL: no rank runs ahead; also legal below */

/* Returns the number of the first call that has to wait; 0: all have to. */
guint32 run_ahead_below(const struct run_ahead *run_ahead, int rank);
/* From this call on, calls have to wait if they have not begun. Returns whether that is new. */
bool run_ahead_limit(struct run_ahead *run_ahead, int rank, guint32 call);

/* A rank has sent a message. Returns whether it is put off. */
bool run_ahead_puts_off(struct run_ahead *run_ahead, int rank, const struct wire_message *message);
/* Returns the first message that the world can take now; release it. Returns false if there is
 * none. */
bool run_ahead_next(struct run_ahead *run_ahead, int *ret_rank, struct wire_message *ret_message);
/* The rank is gone, and its messages that were put off are dropped. */
void run_ahead_forget(struct run_ahead *run_ahead, int rank);

/* The world takes a call that is marked. Returns false if it must not be marked. */
bool run_ahead_begin(struct run_ahead *run_ahead, int rank, const struct wire_call *call);
/* run_ahead_is_in: whether the world has not let this marked call go yet, so its orders are
 * dropped. run_ahead_let_go: it has now. */
bool run_ahead_is_in(const struct run_ahead *run_ahead, int rank, guint32 call);
void run_ahead_let_go(struct run_ahead *run_ahead, int rank);
/* Whether any rank is in such a call. */
bool run_ahead_is_any(const struct run_ahead *run_ahead);

#endif
