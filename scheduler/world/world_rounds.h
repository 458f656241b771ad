/* Rounds of polls between which all ranks meet in a collective: nonblocking consensus by
 * MPI_Allreduce, for example.
 *
 * A round is *in vain* if each rank has only polled, every poll was answered "no", and then all
 * ranks have made the same blocking collective, which no rank leaves before all have come (MPI 3.1,
 * chapter 5). If each rank then stands in the same poll as before, in the same state (struct
 * wire_digest), the world has *returned*. What can happen from here can happen from there, without
 * the round. No answer that was possible in the round depends on what comes after it, since every
 * rank has heard of every poll in it. So a search of all outcomes may leave the world here.
 *
 * Until then, answers "no" in earlier rounds do not count against a rank's patience. If a rank
 * counts the rounds, the world never returns: after a few rounds in which nothing succeeds, they
 * count.
 *
 * A world with windows, or in which a rank has several threads or looks at a clock between its
 * polls, never returns. Nor does one whose collectives are only of some ranks. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_ROUNDS_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_ROUNDS_H

#include "world_internal.h"

struct world_rounds *world_rounds_new(int ranks);
struct world_rounds *world_rounds_copy(const struct world_rounds *rounds);
void world_rounds_free(struct world_rounds *rounds);

enum round_step {
	ROUND_GOES_ON, /* the call is no collective of all ranks */
	ROUND_ENDS,    /* answers "no" in the round count */
	ROUND_EXCUSED, /* they do not */
};

/* The rank has made this call; its operations have started. */
enum round_step world_rounds_note_call(struct world *world, int rank, const struct wire_call *call);
/* An event was appended to the trace. */
void world_rounds_note_event(struct world *world, const struct event *event);
/* Some poll was answered "yes". */
void world_rounds_note_yes(struct world *world);
/* All ranks are at rest, and no rule moves any. */
void world_rounds_note_rest(struct world *world);

#endif
