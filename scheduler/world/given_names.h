/* Names that the program gives to its communicators and windows in one world: MPI_Comm_set_name and
 * MPI_Win_set_name (MPI 3.1, sections 6.8 and 11.2.6). They are part of the world's state: after a
 * return to a moment before a name was given, the earlier name holds. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_GIVEN_NAMES_H
#define MATCHPOINT_SCHEDULER_WORLD_GIVEN_NAMES_H

#include <glib.h>

struct given_names;

struct given_names *given_names_new(void);
struct given_names *given_names_copy(const struct given_names *names);
void given_names_free(struct given_names *names); /* NULL is allowed */

/* A rank has given this name to a communicator (its number in struct wire_comm); "": the name is
 * removed. If several ranks give names, the last name of the lowest rank holds. So the order of
 * ranks makes no difference. */
void given_names_give(struct given_names *names, int rank, guint64 comm, const char *name);

/* NULL: it has none. Unprintable characters are replaced by '?'. Valid until the next
 * given_names_give for it. */
const char *given_names_find(const struct given_names *names, guint64 comm);

#endif
