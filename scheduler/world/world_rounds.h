/* Rounds of polls of several ranks: nonblocking consensus by MPI_Allreduce, for example, or by
 * messages that a master collects and answers.
 *
 * A round *begins* at a rest at which each rank stands in its first poll since another call, whose
 * state is known (struct wire_digest), or waits elsewhere. The world has *returned* if it is in the
 * state of an earlier beginning:
 *
 * - The same ranks poll there. Each asks the same in the same state.
 * - Each other rank has not moved since, or waits in the same collective in the same state.
 * - The same messages, requests and collectives are pending. So whatever was begun since is over.
 * - Since then the ranks have only polled, sent, received and made collectives that leave nothing
 *   but data. Nothing was remarked, no clock was read, and there are no windows and no threads.
 * - Each rank that polls depends on all choices since then (explorer/dependence.h), and nothing
 *   else is open than what they ask.
 *
 * What can happen from here can happen from there, without the rounds between. By the last rule
 * all that will happen depends on all choices of these rounds. So it cannot be an alternative of
 * one of them, and a search of all outcomes may leave the world here. Without that rule it may not.
 * If ranks hear only of their neighbors in each round, one may be a round ahead, and send to a
 * rank that stands in an earlier round: that cannot happen at the beginning. So such rounds, and
 * those of groups of ranks that do not hear of each other, are bounded by --not-yet.
 *
 * If in the rounds between no poll could have been answered otherwise, nothing leads out of them:
 * that is a livelock. If it is not known, as other things than polls were choices, the verdict
 * says so.
 *
 * Until then, answers "no" in earlier rounds do not count against a rank's patience. If a rank
 * counts the rounds, the world never returns: after a few rounds in which nothing succeeds, they
 * count. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_ROUNDS_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_ROUNDS_H

#include "world_internal.h"

struct world_rounds *world_rounds_new(int ranks);
struct world_rounds *world_rounds_copy(const struct world_rounds *rounds);
void world_rounds_free(struct world_rounds *rounds);

/* The rank has made this call; its operations have started. */
void world_rounds_note_call(struct world *world, int rank, const struct wire_call *call);
/* An event is about to be appended to the trace. */
void world_rounds_note_event(struct world *world, const struct event *event);
/* Some poll was answered "yes". */
void world_rounds_note_yes(struct world *world);
/* The rank has reported its state in a call that is no poll. */
void world_rounds_note_digest(struct world *world, int rank, const struct wire_digest *digest);
/* All ranks are at rest, and no rule moves any. Returns whether ranks were asked for their
 * state. */
bool world_rounds_note_rest(struct world *world);

#endif
