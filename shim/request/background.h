/* Data of collectives that is still under way in the library after its call has returned to the
 * program: messages packed into copies, and requests that look after themselves. */
#ifndef MATCHPOINT_SHIM_REQUEST_BACKGROUND_H
#define MATCHPOINT_SHIM_REQUEST_BACKGROUND_H

#include <stddef.h>

#include <mpi.h>

/* A message, counted by its users. */
struct packed {
	unsigned users;
	int size; /* bytes */
	char *bytes;
};

/* Packs a buffer; the caller is its first user. MPI's code. */
int packed_new(const void *data, int count, MPI_Datatype type, MPI_Comm comm,
               struct packed **ret_packed);
void packed_release(struct packed *packed);

/* Sends it; the library's request is completed in the background. MPI's code. */
int background_send(struct packed *packed, int destination, int tag, MPI_Comm comm);

/* Completes a request of the library's in the background; then frees `memory`. */
void background_finish(MPI_Request request, void *memory);

/* Members usually come together, and what is large moves in pieces that both sides must take
 * care of: stays for as long as that may take, or until no more than `before` requests are
 * incomplete (request_incomplete() before the messages of `bytes` in all were sent). */
void background_linger(unsigned before, size_t bytes);

/* Buffer of the same layout as `data`: for operations that need the type. `ret_data` points into
 * `ret_memory`, which is malloc'ed. MPI's code. */
int typed_copy(const void *data, int count, MPI_Datatype type, void **ret_data, void **ret_memory);
/* The same without contents. */
int typed_room(int count, MPI_Datatype type, void **ret_data, void **ret_memory);
/* Copies the data, not what stands in the gaps. */
int typed_move(const void *from, void *to, int count, MPI_Datatype type);

#endif
