/* Messages of derived types that the library receives packed, and which are then put in their
 * places. MPICH moves a large message in pieces and takes each apart by itself: where a piece ends
 * inside an element that the sender saw otherwise (as bytes of MPI_PACKED, for one), it says that
 * the message were truncated. */
#ifndef MATCHPOINT_SHIM_LANDING_H
#define MATCHPOINT_SHIM_LANDING_H

#include <mpi.h>

/* A buffer of the program's, and what is received in its stead. */
struct landing {
	void *packed; /* owned; NULL: the library writes to the buffer itself */
	void *data;
	int count;
	MPI_Datatype type;
};

/* Where the library is to receive, in MPI's terms; the type must live until landing_over. Without
 * memory it is the buffer itself. */
void landing_begin(struct landing *landing, void *data, int count, MPI_Datatype type);
void *landing_data(const struct landing *landing);
int landing_count(const struct landing *landing);
MPI_Datatype landing_type(const struct landing *landing);

/* The message has come, with this status: puts it in its place. Also after an error, and for one
 * that has not come (status NULL). Once. */
void landing_over(struct landing *landing, const MPI_Status *status);

#endif
