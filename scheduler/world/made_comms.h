/* Where the program has made its communicators, windows and files in one world, and their labels.
 * Like the names that it gives them (given_names.h), this belongs to the world: another
 * interleaving may make the same communicator at another place. Pure.
 *
 * A label tells objects of one kind apart. "3" is the third communicator that rank 0 has made,
 * where MPI_COMM_WORLD is the first; "4.2" is the second of rank 4, and rank 4 is its lowest
 * member. So a label does not depend on the order in which ranks run. */
#ifndef MATCHPOINT_SCHEDULER_WORLD_MADE_COMMS_H
#define MATCHPOINT_SCHEDULER_WORLD_MADE_COMMS_H

#include <glib.h>

#include "common/wire.h"

struct made_comms;

struct made_comms *made_comms_new(void);
struct made_comms *made_comms_copy(const struct made_comms *comms);
void made_comms_free(struct made_comms *comms); /* NULL is legal */

/* A rank has announced a communicator, which is valid (communicators.h). */
void made_comms_add(struct made_comms *comms, int rank, const struct wire_comm *comm);

struct made_comm {
	guint64 comm;
	guint64 stands_for;   /* struct wire_comm */
	guint16 function;     /* enum mpi_call; MPI_CALL_NONE: not made by a call of its own */
	guint64 site;         /* return address of that call, in `rank`; 0: not known */
	int rank;             /* the lowest that has announced it */
	guint number;         /* of those of this kind that this rank has announced, from 1; for
			       * communicators from 2 */
	const char *argument; /* printable, interned: "tag=7"; NULL: none */
};

/* NULL: nobody has announced it in this world. Valid until the next made_comms_add. */
const struct made_comm *made_comms_find(const struct made_comms *comms, guint64 comm);

/* "comm", "window" or "file". */
const char *made_comm_kind(const struct made_comm *made);
/* Free with g_free. */
char *made_comm_label(const struct made_comm *made);

#endif
