/* Messages that the library does not receive where the program wants them, and which are put in
 * their places later. Of two kinds: those of derived types, as MPICH moves a large message in
 * pieces and takes each apart by itself: where a piece ends inside an element that the sender saw
 * otherwise (as bytes of MPI_PACKED, for one), it says that the message were truncated; and those
 * that are to be seen in the program's buffer at a certain time, not when the library comes to it.
 */
#ifndef MATCHPOINT_SHIM_REQUEST_STAGING_H
#define MATCHPOINT_SHIM_REQUEST_STAGING_H

#include <stdbool.h>

#include <mpi.h>

/* A buffer of the program's, and what is received in its stead. */
struct staging {
	void *packed; /* owned; NULL: the library writes to the buffer itself */
	void *data;
	int count;
	MPI_Datatype type;
};

/* Where the library is to receive, in MPI's terms; the type must live until staging_over. Without
 * memory it is the buffer itself; so it is if `apart` is asked for more than LANDING_MAX bytes. */
enum { LANDING_MAX = 64 << 20 };
void staging_begin(struct staging *staging, void *data, int count, MPI_Datatype type, bool apart);
void *staging_data(const struct staging *staging);
int staging_count(const struct staging *staging);
MPI_Datatype staging_type(const struct staging *staging);

/* The message has come, with this status: puts it in its place. Also after an error, and for one
 * that has not come (status NULL). Once. */
void staging_over(struct staging *staging, const MPI_Status *status);

#endif
