/* What is found out about a datatype is kept with it, as an attribute, which goes with it (MPI 3.1,
 * section 6.7.4). Not for the threads of a rank that call MPI beside one another. */
#ifndef MATCHPOINT_SHIM_TYPES_TYPE_VALUE_H
#define MATCHPOINT_SHIM_TYPES_TYPE_VALUE_H

#include <stdbool.h>

#include <mpi.h>

/* A kind of value. `release`: what is done with one whose type is gone; NULL: nothing. */
struct type_value {
	void (*release)(void *value);
	bool is_ready;
	int keyval;
};

/* What is kept with that type; *ret_found is false if that is nothing. false: nothing can be. */
bool type_value_get(struct type_value *kind, MPI_Datatype type, void **ret_value, bool *ret_found);

/* Takes the value over. false: it could not be kept, and is released. */
bool type_value_set(struct type_value *kind, MPI_Datatype type, const void *value);

#endif
