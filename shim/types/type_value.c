#include "type_value.h"

#include <stdint.h>

#include "shim/mpi/real.h"

static int release_value(MPI_Datatype type, int keyval, void *value, void *kind)
{
	const struct type_value *of = kind;

	(void)type;
	(void)keyval;
	if (of->release)
		of->release(value);
	return MPI_SUCCESS;
}

bool type_value_get(struct type_value *kind, MPI_Datatype type, void **ret_value, bool *ret_found)
{
	int found = 0;

	if (!kind->is_ready)
		kind->is_ready = real_mpi()->Type_create_keyval(MPI_TYPE_NULL_COPY_FN,
		                                                release_value, &kind->keyval, kind)
		                 == MPI_SUCCESS;
	if (!kind->is_ready
	    || real_mpi()->Type_get_attr(type, kind->keyval, ret_value, &found) != MPI_SUCCESS)
		return false;
	*ret_found = found;
	return true;
}

bool type_value_set(struct type_value *kind, MPI_Datatype type, const void *value)
{
	void *kept = (void *)(uintptr_t)value;

	if (real_mpi()->Type_set_attr(type, kind->keyval, kept) == MPI_SUCCESS)
		return true;
	release_value(type, kind->keyval, kept, kind);
	return false;
}
