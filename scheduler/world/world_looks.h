/* Digests of what the program of a rank can observe (struct wire_digest). A rank that polls is
 * asked for one (LOOK), and its poll counts when it has answered: a second round trip for each
 * poll. So GO says whether the next poll would be asked again, and the digest then comes with the
 * call. It is the same: between the call and the answer to LOOK nothing changes that the program
 * can observe, since data arrives when the call returns. (MPI may move large messages meanwhile:
 * then no digest is wanted.) One that comes and is not wanted is not used. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_LOOKS_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_LOOKS_H

#include "world_internal.h"

/* The rank polls, and its digest comes with the call (`is_told`) or is asked for: then takes
 * ownership of what the poll has, and adds it with the digest. false: none is wanted. */
bool world_look(struct world *world, int rank, const struct poll *poll, bool is_told);
/* Takes the digest that came with the call, if it is wanted. */
void world_note_told(struct world *world, int rank, const struct wire_call *call);
/* Whether the next call, if it is a poll, is to come with its digest. */
bool world_expects_digest(const struct world *world, int rank);

/* Asks a rank that waits in another call than a poll for its state. false: it cannot be known. */
bool world_ask_for_state(struct world *world, int rank);
/* A rank that is gone answers nothing any more. */
void world_stop_looking(struct world *world, int rank);

#endif
