/* Messages that the library does not receive where the program wants them, and which are put in
 * their places later. Of two kinds: those of derived types, as MPICH moves a large message in
 * pieces and takes each apart by itself: where a piece ends inside an element that the sender saw
 * otherwise (as bytes of MPI_PACKED, for one), it says that the message were truncated; and those
 * that are to be seen in the program's buffer at a certain time, not when the library comes to it.
 */
#ifndef MATCHPOINT_SHIM_LANDING_H
#define MATCHPOINT_SHIM_LANDING_H

#include <stdbool.h>

#include <mpi.h>

/* A buffer of the program's, and what is received in its stead. */
struct landing {
	void *packed; /* owned; NULL: the library writes to the buffer itself */
	void *data;
	int count;
	MPI_Datatype type;
};

/* Where the library is to receive, in MPI's terms; the type must live until landing_over. Without
 * memory it is the buffer itself; so it is if `apart` is asked for more than LANDING_MAX bytes. */
enum { LANDING_MAX = 64 << 20 };
void landing_begin(struct landing *landing, void *data, int count, MPI_Datatype type, bool apart);
void *landing_data(const struct landing *landing);
int landing_count(const struct landing *landing);
MPI_Datatype landing_type(const struct landing *landing);

/* The message has come, with this status: puts it in its place. Also after an error, and for one
 * that has not come (status NULL). Once. */
void landing_over(struct landing *landing, const MPI_Status *status);

#endif
