/* Cuts: how far each rank has come. A cut has for each rank the number of the call in which the
 * rank stands: it has made that call and has not returned from it. A number one above the last call
 * means that the rank has returned from all calls and is gone. A choice made in a call is open
 * while the rank stands in the call. A cut is consistent if no rank has returned from a call that
 * needs something which another rank has not done yet (consistent global states: Chandy and
 * Lamport, 1985; Mattern, 1989).
 *
 * What a call waited for is read from the trace:
 *
 * - If a rank learnt that something is complete: the call of the other side, and everything that
 *   cleared the way of the match (dependence.h).
 * - If a rank left a collective: the calls of the members it waits for. From a blocking collective
 *   they return together.
 * - If a call was answered because nothing else could move: all that the ranks had done by then.
 *
 * One-sided transfers belong to the interval between two calls: a rank that stands in a call has
 * made all transfers before it. What ranks wait for follows from what orders the transfers (MPI
 * 3.1, section 11.5). Fences, and the creation and freeing of windows, are collectives.
 * MPI_Win_start and MPI_Win_wait receive what MPI_Win_post and MPI_Win_complete send. A rank that
 * returns from MPI_Win_lock needs its grants, and a grant needs the release before it at that place
 * (lock.h).
 *
 * Conflicting transfers that nothing of this orders are erroneous (section 11.7). So what a rank
 * finds in a window follows from the cut, with two exceptions: other ranks may correctly use the
 * same memory at the same time (atomic operations that fetch, gets under a shared lock), or a rank
 * reads its own window (MPI_Win_sync, a lock of it; section 11.5.4). Then the rank may have learnt
 * of anything done until then, and needs all of it. A flush waits only for MPI, not for other
 * ranks. Loads and stores are not seen: if a rank learns by these alone what another one did, a cut
 * may count as consistent that cannot be reached.
 *
 * The calls of a rank with several threads (MPI 3.1, section 12.4) are counted in the order in
 * which the threads were admitted. Threads are admitted when no other rank can move. So a rank that
 * has continued since then needs all ranks to be where they were then. This is recorded for each
 * decision at such a rest. A cut lies before or after the rest. After it are the calls of the
 * admitted threads, of several ranks at once. Of such a rank only the last call can be one to stand
 * in: its other threads have come as far as they can, or wait to be admitted. No I/O. */
#ifndef MATCHPOINT_EXPLORER_CUT_H
#define MATCHPOINT_EXPLORER_CUT_H

#include <glib.h>
#include <stdbool.h>

#include "trace.h"

/* What the trace does not contain. */
struct cut_notes {
	GArray *rests;     /* struct cut_rest, in order of time */
	GArray *rounds;    /* guint32 for each rank of each round: the call in which the rank was */
	GArray *decisions; /* struct cut_decision */
	GArray *arrivals;  /* struct cut_arrival, in order of time */
};

/* A call was answered in such a round because nothing else could move; or what its rank did after
 * the call may depend on everything done by then. */
struct cut_rest {
	int32_t rank;
	uint32_t call;
	uint32_t round; /* index into `rounds`, from 0 */
	bool all;       /* all ranks were at rest, and something was decided */
};

/* A choice that was made when the ranks had made the calls of this round. */
struct cut_decision {
	struct op_id point;
	uint32_t round;
};

/* A rank returned from a call when the data of this receive had arrived. */
struct cut_arrival {
	int32_t rank;
	uint32_t call;
	struct op_id receive;
};

void cut_notes_init(struct cut_notes *notes);
void cut_notes_copy(struct cut_notes *to, const struct cut_notes *from);
void cut_notes_release(struct cut_notes *notes);

struct cuts;

/* For a world in which each rank has made so many `calls`. The trace and the notes are referenced,
 * not copied: they must not change. */
struct cuts *cuts_new(int ranks, const guint32 *calls, const struct trace *trace,
                      const struct cut_notes *notes);
void cuts_free(struct cuts *cuts); /* NULL is allowed */

/* Whether a cut (one number for each rank) is consistent. If not, and both pointers are set:
 * *ret_rank has returned from a call that needs what *ret_other has not done yet. */
bool cuts_consistent(const struct cuts *cuts, const guint32 *cut, int *ret_rank, int *ret_other);

/* Changes the cut to the latest consistent cut that is nowhere beyond it. It always exists. */
void cuts_retreat(const struct cuts *cuts, guint32 *cut);

/* Whether the choice made at this point of the trace is part of the cut. */
bool cuts_include(const struct cuts *cuts, struct op_id point, const guint32 *cut);

#endif
