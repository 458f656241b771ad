/* Data of collectives that is still under way in MPI after the call has returned: messages packed
 * into copies, and requests that complete in the background. Also typed copies of buffers. */
#ifndef MATCHPOINT_SHIM_REQUEST_BACKGROUND_H
#define MATCHPOINT_SHIM_REQUEST_BACKGROUND_H

#include <stddef.h>

#include <mpi.h>

/* A packed message, reference-counted. */
struct packed {
	unsigned users;
	int size; /* bytes */
	char *bytes;
};

/* Packs a buffer. The caller holds the one reference. MPI's code. */
int packed_new(const void *data, int count, MPI_Datatype type, MPI_Comm comm,
               struct packed **ret_packed);
void packed_release(struct packed *packed);

/* Sends it. MPI's request is completed in the background; that keeps a reference. MPI's code. */
int background_send(struct packed *packed, int destination, int tag, MPI_Comm comm);

/* Completes a request of MPI's in the background, then frees `memory`. */
void background_finish(MPI_Request request, void *memory);

/* Drives progress for a while after messages of `bytes` in all were sent. Members usually call at
 * the same time, and large messages move in pieces that need both sides. Returns when no more than
 * `before` requests are incomplete (request_incomplete() before the sends), or after a time that
 * grows with `bytes`. */
void background_linger(unsigned before, size_t bytes);

/* A copy of `data` with the same layout, for operations that need the type. `ret_data` points into
 * `ret_memory`, which the caller frees. MPI's code. */
int typed_copy(const void *data, int count, MPI_Datatype type, void **ret_data, void **ret_memory);
/* The same without contents. */
int typed_room(int count, MPI_Datatype type, void **ret_data, void **ret_memory);
/* Copies the data, but not what lies in the gaps. */
int typed_move(const void *from, void *to, int count, MPI_Datatype type);

#endif
