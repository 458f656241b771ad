/* Cuts: how far each rank has come. A cut has for each rank the call in which it stands: it has
 * made that call, as the last one, and has not come out of it; one more than it has made: it has
 * come out of all, and is gone. What is chosen in a call is open while the rank stands in it. A cut
 * is consistent if no rank has come out of a call that could not have returned without what another
 * has yet to do (consistent global states: Chandy and Lamport, 1985; Mattern, 1989).
 *
 * What a call had to wait for is read off the trace: for what a rank has learnt to be complete, the
 * call of the other side and all that cleared the way of the match (dependence.h); the calls of
 * those members of a collective that it waits for, out of which, when MPI carries it out at once,
 * they come together. What was answered because nothing else could move had to wait for all that
 * the ranks had done until then.
 *
 * One-sided transfers belong to the way from one call to the next: who stands in a call has
 * made all before it. Whom they make wait follows from what orders them (MPI 3.1, section
 * 11.5): fences and the making and freeing of windows are collectives; MPI_Win_start and
 * MPI_Win_wait receive what MPI_Win_post and MPI_Win_complete send; who comes out of
 * MPI_Win_lock needs its grants, and a grant the release before it at that place (lock.h).
 * Transfers that conflict and are ordered by none of these are wrong (section 11.7), so what a
 * rank finds in a window follows from the cut; but where others may use the same memory rightly
 * at the same time (atomic operations that fetch, gets under a shared lock) or a rank looks
 * into its own window (MPI_Win_sync, a lock of it; section 11.5.4), it may have learnt of
 * whatever had been done until then, and needs all of that. A flush waits for nobody, only for
 * MPI. Loads and stores are not seen: where a rank has learnt by these alone what another one
 * did, a cut is taken to be consistent that cannot be gone to.
 *
 * The calls of a rank with several threads (MPI 3.1, section 12.4) are counted in the order in
 * which the threads were admitted, and they are when nobody else can move: so whoever has gone
 * on since needs all to be where they were then. That is noted of every decision there, and a
 * cut lies before or behind it; behind it are the calls of those that are admitted, of several
 * ranks at once. Of such a rank the last call alone is one to stand in: its other threads have
 * come as far as they can, or wait to be admitted. Pure. */
#ifndef MATCHPOINT_EXPLORER_CUT_H
#define MATCHPOINT_EXPLORER_CUT_H

#include <glib.h>
#include <stdbool.h>

#include "trace.h"

/* What the trace does not tell. */
struct cut_notes {
	GArray *rests;     /* struct cut_rest, in their order */
	GArray *rounds;    /* guint32: where each rank was, as many as there are ranks for each
	                     round */
	GArray *decisions; /* struct cut_decision */
	GArray *arrivals;  /* struct cut_arrival, in their order */
};

/* A call was answered in such a round, for want of anything else; or what its rank did behind it
 * may tell of all that was done by then. */
struct cut_rest {
	int32_t rank;
	uint32_t call;
	uint32_t round; /* from 0 */
	bool all;       /* it was a rest of all, at which something was decided */
};

/* What was chosen when each rank had made the calls of this round. */
struct cut_decision {
	struct op_id point;
	uint32_t round;
};

/* A rank comes out of a call with the data of this receive in place. */
struct cut_arrival {
	int32_t rank;
	uint32_t call;
	struct op_id receive;
};

void cut_notes_init(struct cut_notes *notes);
void cut_notes_copy(struct cut_notes *to, const struct cut_notes *from);
void cut_notes_release(struct cut_notes *notes);

struct cuts;

/* Of a world in which each rank has made so many `calls`. The trace and the notes must stay as they
 * are. */
struct cuts *cuts_new(int ranks, const guint32 *calls, const struct trace *trace,
                      const struct cut_notes *notes);
void cuts_free(struct cuts *cuts); /* NULL is legal */

/* Whether a cut (by rank) is consistent; if not, and `ret_rank` and `ret_other` are not NULL: which
 * rank has come out of a call before this other one has done what that takes. */
bool cuts_consistent(const struct cuts *cuts, const guint32 *cut, int *ret_rank, int *ret_other);

/* Makes it the latest consistent cut that goes nowhere beyond it: there is one. */
void cuts_retreat(const struct cuts *cuts, guint32 *cut);

/* Whether what was chosen at this point of the trace is part of the cut. */
bool cuts_include(const struct cuts *cuts, struct op_id point, const guint32 *cut);

#endif
