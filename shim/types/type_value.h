/* Values that are computed once for a datatype and cached with it as an attribute. MPI deletes them
 * with the type (MPI 3.1, section 6.7.4). Not thread-safe: threads of a rank that call MPI
 * concurrently must not use it. */
#ifndef MATCHPOINT_SHIM_TYPES_TYPE_VALUE_H
#define MATCHPOINT_SHIM_TYPES_TYPE_VALUE_H

#include <stdbool.h>

#include <mpi.h>

/* A kind of value. `release` is called with a value when its type is gone; NULL: nothing to
 * release. */
struct type_value {
	void (*release)(void *value);
	bool is_ready;
	int keyval;
};

/* Gets the value cached with the type; *ret_found is false if there is none. false: values cannot
 * be cached. */
bool type_value_get(struct type_value *kind, MPI_Datatype type, void **ret_value, bool *ret_found);

/* Takes ownership of the value. false: it could not be cached, and has been released. */
bool type_value_set(struct type_value *kind, MPI_Datatype type, const void *value);

#endif
