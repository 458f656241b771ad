/* When the data of a nonblocking receive is in its buffer. With `arrives_early`, it is there as
 * soon as the receive is matched, for whatever its rank does next. Otherwise it is there only when
 * the rank knows that the receive is complete (the shim does that by itself,
 * shim/request/request.h). MPI may do either (MPI 3.1, section 3.7.4). A program that looks into
 * the buffer in between can tell the difference.
 *
 * What a program sees early must follow from the choices, not from the ranks' speed. So a rank with
 * a pending receive that it does not wait for goes on only when all others have come to rest, or
 * when that receive is matched. What is matched at rest is a function of the choices made, and so
 * is what has arrived. Whatever could
 * be matched before the rank goes on has been matched then; no other order of steps matches more.
 *
 * In three cases data arrives with completion in spite of `arrives_early`: with threads, whose
 * steps have no rest of their own; with windows, through which a rank may wait for a deferred one;
 * and in calls that make communicators, files or windows. But a member of a collective that has
 * threads goes on together with deferred members: alone, it would wait for them inside MPI, and
 * never be at rest. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_WORLD_ARRIVAL_H
#define MATCHPOINT_SCHEDULER_WORLD_WORLD_ARRIVAL_H

#include <glib.h>
#include <stdbool.h>

#define WORLD_DEFERRED_SECONDS 5

struct world;

/* Whether a rank whose pending call could return must wait until the others are at rest. If so,
 * notes it. */
bool world_defers(struct world *world, int rank);
bool world_would_defer(const struct world *world, int rank); /* notes nothing */

/* Releases deferred ranks when the others do not come to rest, after WORLD_DEFERRED_SECONDS without
 * a report. The others may wait outside MPI, for a file or in shared memory, for something that a
 * deferred rank does. false: no rank was deferred. */
bool world_release_deferred(struct world *world);

/* The rank is about to go on: orders the data of its matched receives. */
void world_bring_data(struct world *world, int rank);

#endif
