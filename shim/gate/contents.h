/* What is in the messages that the rank sends, and what it gives to collectives: told to the
 * scheduler where it wants to know it (the prompt), for whoever looks at it there. */
#ifndef MATCHPOINT_SHIM_GATE_CONTENTS_H
#define MATCHPOINT_SHIM_GATE_CONTENTS_H

#include <mpi.h>

#include "common/wire.h"

/* What MPI takes out of the program's memory. */
struct contents_data {
	const void *buffer;
	MPI_Count count;
	MPI_Datatype type;
};

/* Whether anybody wants to know it. */
bool contents_are_wanted(void);

/* The first bytes of what this operation, which begins, takes: kept for the next message to the
 * scheduler. The same where the type signature is known already. */
void contents_note_data(struct wire_name name, const struct contents_data *data);
void contents_note(struct wire_name name, const struct contents_data *data,
                   struct wire_types types);

/* For gate.c: appends what was noted. */
void contents_encode(struct wire_buffer *out);

#endif
