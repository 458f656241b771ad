/* The communicators that ranks have announced: who is in them, and the translation between ranks of
 * a communicator and ranks in MPI_COMM_WORLD. A number means the same group in every world of an
 * exploration, so one registry serves them all. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_COMMUNICATORS_H
#define MATCHPOINT_SCHEDULER_WORLD_COMMUNICATORS_H

#include <glib.h>
#include <stdbool.h>

#include "common/wire.h"
#include "explorer/lock.h"

struct communicators;

/* Knows MPI_COMM_WORLD of that size and every rank's MPI_COMM_SELF. */
struct communicators *communicators_new(int ranks);
void communicators_free(struct communicators *communicators);

/* Takes what rank `rank` says of a communicator. false: it cannot be, or contradicts what is known
 * (`error` set). */
bool communicators_add(struct communicators *communicators, int rank, const struct wire_comm *comm,
                       GError **error);

bool communicators_known(const struct communicators *communicators, guint64 comm);

/* Whether the rank is in (one of) its group(s). */
bool communicators_is_member(const struct communicators *communicators, guint64 comm, int rank);

/* World rank of rank `peer` of the group that `rank` sends to on `comm` (the remote group of an
 * intercommunicator); -1: no such rank or communicator. */
int communicators_to_world(const struct communicators *communicators, guint64 comm, int rank,
                           int peer);

/* The rank that `rank` knows world rank `peer` by on `comm`; -1: not a member. */
int communicators_from_world(const struct communicators *communicators, guint64 comm, int rank,
                             int peer);

/* All members of a collective call on `comm` made by `rank` (both groups of an intercommunicator)
 * as world ranks; valid until the registry is freed. */
const int *communicators_members(const struct communicators *communicators, guint64 comm, int rank,
                                 int *ret_count);

/* How many of those are the first group of an intercommunicator; 0: it is none. */
int communicators_first_group(const struct communicators *communicators, guint64 comm);

/* How many ranks the group has that `rank` sends to; 0: not known. */
guint communicators_peers(const struct communicators *communicators, guint64 comm, int rank);

/* Which window this is the number of: fills in `window` and `first`. false: of none. */
bool communicators_window(const struct communicators *communicators, guint64 comm,
                          struct lock_place *ret_place);

/* Whether a rank may say so (given_names.h); false with `error` set. */
bool communicators_may_name(const struct communicators *communicators, int rank,
                            const struct wire_named *named, GError **error);

/* For people: from 1 (MPI_COMM_WORLD) as they were announced first; 0: not known, or a rank's own
 * MPI_COMM_SELF. */
guint communicators_ordinal(const struct communicators *communicators, guint64 comm);

/* "MPI_COMM_WORLD", "MPI_Comm_split of MPI_COMM_WORLD", ... */
const char *communicators_origin(const struct communicators *communicators, guint64 comm);

/* All that are known, windows and files among them (guint64, by their ordinals); the caller's. */
GArray *communicators_list(const struct communicators *communicators);

/* The ranks of its members as text (struct record_call), interned; NULL: not known, or a rank's
 * own MPI_COMM_SELF. */
const char *communicators_group(const struct communicators *communicators, guint64 comm);

#define COMMUNICATORS_ERROR (communicators_error_quark())
GQuark communicators_error_quark(void);

#endif
