/* The communicators that ranks have announced: their members, and the translation between ranks of
 * a communicator and ranks in MPI_COMM_WORLD. A number means the same group in every world of an
 * exploration, so one registry serves them all. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_COMMUNICATORS_H
#define MATCHPOINT_SCHEDULER_WORLD_COMMUNICATORS_H

#include <glib.h>
#include <stdbool.h>

#include "common/wire.h"
#include "explorer/lock.h"

struct communicators;

/* Contains MPI_COMM_WORLD of that size, and each rank's MPI_COMM_SELF. */
struct communicators *communicators_new(int ranks);
/* Of a job that is divided: its first ranks are MPI_COMM_WORLD, and WIRE_COMM_JOB has all. Before
 * anything is added. */
void communicators_divide(struct communicators *communicators, int first_ranks);
void communicators_free(struct communicators *communicators);

/* Adds a communicator that `rank` announces. false: it is impossible, or contradicts an earlier
 * announcement (`error` set). */
bool communicators_add(struct communicators *communicators, int rank, const struct wire_comm *comm,
                       GError **error);

bool communicators_known(const struct communicators *communicators, guint64 comm);

/* Whether the rank is in the group, or in one of the two groups. */
bool communicators_is_member(const struct communicators *communicators, guint64 comm, int rank);

/* World rank of rank `peer` of the group that `rank` sends to on `comm` (the remote group of an
 * intercommunicator); -1: no such rank or communicator. */
int communicators_to_world(const struct communicators *communicators, guint64 comm, int rank,
                           int peer);

/* The rank by which `rank` names world rank `peer` on `comm`; -1: not a member. */
int communicators_from_world(const struct communicators *communicators, guint64 comm, int rank,
                             int peer);

/* All members of a collective call on `comm` made by `rank` (both groups of an intercommunicator)
 * as world ranks; valid until the registry is freed. */
const int *communicators_members(const struct communicators *communicators, guint64 comm, int rank,
                                 int *ret_count);

/* The size of an intercommunicator's first group; 0: it is an intracommunicator. */
int communicators_first_group(const struct communicators *communicators, guint64 comm);

/* The size of the group that `rank` sends to; 0: not known. */
guint communicators_peers(const struct communicators *communicators, guint64 comm, int rank);

/* The window that has this number: fills in `window` and `first`. false: it is no window. */
bool communicators_window(const struct communicators *communicators, guint64 comm,
                          struct lock_place *ret_place);

/* Whether a rank may give this name (given_names.h); false: `error` is set. */
bool communicators_may_name(const struct communicators *communicators, int rank,
                            const struct wire_named *named, GError **error);

/* A number to show: 1 is MPI_COMM_WORLD, the others in the order of their announcement. 0: not
 * known, or a rank's own MPI_COMM_SELF. */
guint communicators_ordinal(const struct communicators *communicators, guint64 comm);

/* "MPI_COMM_WORLD", "MPI_Comm_split of MPI_COMM_WORLD", ... */
const char *communicators_origin(const struct communicators *communicators, guint64 comm);

/* The displacement unit of this member's part of a window, in bytes; 0: not known. */
guint32 communicators_unit(const struct communicators *communicators, guint64 comm, int member);

/* All that are known, including windows and files (guint64, by ordinal); free with
 * g_array_unref. */
GArray *communicators_list(const struct communicators *communicators);

/* The ranks of its members as text (struct record_call), interned. NULL: not known, or a rank's own
 * MPI_COMM_SELF. */
const char *communicators_group(const struct communicators *communicators, guint64 comm);

#define COMMUNICATORS_ERROR (communicators_error_quark())
GQuark communicators_error_quark(void);

#endif
