/* When the data of a nonblocking receive is there (`arrives_early`): as soon as the receive is
 * matched, for whatever its rank does next; otherwise not before the rank learns that the receive
 * is complete (the shim sees to that by itself, shim/request/request.h). MPI may do either (MPI 3.1,
 * section 3.7.4), and a program that looks into the buffer in between can tell the two apart.
 *
 * What is seen early must follow from the choices, not from the ranks' speed. So a rank with a
 * receive pending that it does not wait for is let go only when all others have come to rest: what
 * is matched at rest is a function of the choices made, and that is what has arrived. Whatever
 * could be matched before the rank goes on has been matched then; no order of steps brings more.
 *
 * Not so with threads, whose steps have no rest of their own, with windows, through which a rank
 * may wait for another that is held back, and in calls that make communicators, files or windows.
 * There data arrives with completion. But a member of a collective that has threads goes with those
 * that are held back: let into it alone it would wait for them inside MPI, and never be at rest. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_ARRIVAL_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_ARRIVAL_H

#include <glib.h>
#include <stdbool.h>

#define WORLD_DEFERRED_SECONDS 5

struct world;

/* Whether a rank whose pending call could return must not before the others are at rest; notes
 * it. */
bool world_defers(struct world *world, int rank);

/* When the others do not come to rest (WORLD_DEFERRED_SECONDS without a word: one may
 * wait outside of MPI, for a file or in shared memory, for what somebody does who is held back):
 * lets those go. false: there were none. */
bool world_release_deferred(struct world *world);
/* Whether that has let any go while others were not at rest: what had arrived by then may depend on
 * the ranks' speed. */
bool world_has_let_go_unsettled(const struct world *world);

/* The rank is about to go on: orders the data of its matched receives. */
void world_bring_data(struct world *world, int rank);

#endif
