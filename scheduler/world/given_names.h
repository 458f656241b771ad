/* How the program calls its communicators and windows in one world: MPI_Comm_set_name and
 * MPI_Win_set_name (MPI 3.1, sections 6.8 and 11.2.6). They are part of the world's state: where it
 * has gone back to before a name was given, the one from before holds. Pure. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_GIVEN_NAMES_H
#define MATCHPOINT_SCHEDULER_WORLD_GIVEN_NAMES_H

#include <glib.h>

struct given_names;

struct given_names *given_names_new(void);
struct given_names *given_names_copy(const struct given_names *names);
void given_names_free(struct given_names *names); /* NULL is legal */

/* A rank has given a communicator (its number in struct wire_comm) this name; "": none again. Of
 * several ranks' names that holds which the lowest of them gave last: who was faster makes no
 * difference. */
void given_names_give(struct given_names *names, int rank, guint64 comm, const char *name);

/* NULL: it has none. What cannot be printed is '?' in it. Valid until it is given another one. */
const char *given_names_find(const struct given_names *names, guint64 comm);

#endif
