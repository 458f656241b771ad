/* Loops of polls that go round without effect. A rank that comes back to a poll in the same state
 * (struct wire_digest), with nothing but polls answered "no" in between, waits for any of what
 * these polls ask about, as MPI_Waitany does (MPI 3.1, section 3.7.5). So there is one choice:
 * which poll gets which answer next (struct taken, `ahead`). The polls before it are answered "no"
 * without a choice. As long as nothing is possible, the rank waits.
 *
 * For the files of the world. A rank with several threads is never in such a loop, nor is one of a
 * program with windows. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_LOOPS_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_LOOPS_H

#include "world_internal.h"

/* The poll just made comes back to polls[first] of the rank's streak, in the same state. false: the
 * polls are none that a loop can have. */
bool world_loop_begin(struct world *world, int rank, const struct poll *poll, guint first);
/* The rank of a loop has made this poll. false: it has left the loop. */
bool world_loop_goes_on(struct world *world, int rank, const struct poll *poll);
void world_loop_end(struct world *world, int rank);

/* Whether the rank is in a loop; whether it stands where the next answer is chosen. */
bool world_in_loop(const struct world *world, int rank);
bool world_loop_is_open(const struct world *world, int rank);
/* The rank is about to leave the call in which it waits. */
void world_loop_leave(struct world *world, int rank);
/* Answers a poll before, or at, the one for which an answer is chosen. */
void world_loop_answer(struct world *world, int rank);

/* The choice that is open, with its alternatives: empty if nothing is possible. */
struct open_choice world_loop_choice(const struct world *world, int rank);
/* Whether this choice, which lies ahead, can be made now; `ret_send` is filled in. Makes it. */
bool world_loop_allows(const struct world *world, const struct choice *choice,
                       struct op_id *ret_send);
void world_loop_choose(struct world *world, const struct choice *choice);
/* The first poll of the open loop finds this message. */
void world_loop_note_found(struct world *world, int rank, struct op_id send);

/* What a rank keeps of its polls. world_polls_copy: the rank is a copy of another one, with which
 * it would otherwise share that. */
void world_polls_init(struct rank *rank);
void world_polls_copy(struct rank *rank);
void world_polls_release(struct rank *rank);

#endif
