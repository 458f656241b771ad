/* Staging buffers: a message that MPI does not receive directly into the program's buffer. There
 * are two reasons.
 *
 * Derived types: MPICH moves a large message in pieces and unpacks each by itself. If a piece ends
 * inside an element, and the sender's elements differ (bytes of MPI_PACKED, for example), MPICH
 * reports a truncated message.
 *
 * Time: the data must appear in the program's buffer at a certain moment, not when MPI receives
 * it. */
#ifndef MATCHPOINT_SHIM_REQUEST_STAGING_H
#define MATCHPOINT_SHIM_REQUEST_STAGING_H

#include <stdbool.h>

#include <mpi.h>

/* A buffer of the program, and the staging buffer for it. */
struct staging {
	void *packed; /* owned; NULL: MPI writes to the program's buffer */
	void *data;
	int count;
	MPI_Datatype type;
};

/* staging_begin chooses where MPI receives; the functions below it return that in MPI's terms.
 * `apart`: use a staging buffer if the message has at most WIRE_STAGED_MOST bytes. If memory is
 * out, MPI receives into the program's buffer. The type must live until staging_over. */
void staging_begin(struct staging *staging, void *data, int count, MPI_Datatype type, bool apart);
void *staging_data(const struct staging *staging);
int staging_count(const struct staging *staging);
MPI_Datatype staging_type(const struct staging *staging);

/* The message has arrived with this status: copies it to the program's buffer and frees the staging
 * buffer. Must be called once, also after an error, and for a message that has not arrived
 * (`status` NULL). */
void staging_over(struct staging *staging, const MPI_Status *status);

#endif
