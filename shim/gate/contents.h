/* The contents of messages that the rank sends, and of data that it gives to collectives: reported
 * if the scheduler wants them, for display at the prompt. */
#ifndef MATCHPOINT_SHIM_GATE_CONTENTS_H
#define MATCHPOINT_SHIM_GATE_CONTENTS_H

#include <mpi.h>

#include "common/wire.h"

/* Data that MPI reads from the program's memory. */
struct contents_data {
	const void *buffer;
	MPI_Count count;
	MPI_Datatype type;
};

/* Whether the scheduler wants contents. */
bool contents_are_wanted(void);

/* Note the first bytes of the data of an operation that begins. They go with the next message to
 * the scheduler. contents_note: if the type signature is known already. */
void contents_note_data(struct wire_name name, const struct contents_data *data);
void contents_note(struct wire_name name, const struct contents_data *data,
                   struct wire_types types);

/* For gate.c: appends what was noted. */
void contents_encode(struct wire_buffer *out);

#endif
