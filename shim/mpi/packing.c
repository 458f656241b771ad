#include "packing.h"

#include "real.h"

/* Moves the elements to lower addresses, and the address up by as much. The caller frees
 * *ret_type. */
static int avoid_bottom(int count, MPI_Datatype type, char **ret_data, MPI_Datatype *ret_type)
{
	enum { SHIFT = 16 };
	MPI_Aint place = -SHIFT;
	int code = real_mpi()->Type_create_hindexed(1, &count, &place, type, ret_type);

	if (code != MPI_SUCCESS)
		return code;
	*ret_data = (char *)MPI_BOTTOM + SHIFT;
	return real_mpi()->Type_commit(ret_type);
}

int packing_pack(const void *data, int count, MPI_Datatype type, void *bytes, int room,
                 int *ret_size)
{
	MPI_Datatype shifted;
	char *other;
	int code;

	*ret_size = 0;
	if (data != MPI_BOTTOM)
		return real_mpi()->Pack(data, count, type, bytes, room, ret_size, MPI_COMM_SELF);
	code = avoid_bottom(count, type, &other, &shifted);
	if (code != MPI_SUCCESS)
		return code;
	code = real_mpi()->Pack(other, 1, shifted, bytes, room, ret_size, MPI_COMM_SELF);
	real_mpi()->Type_free(&shifted);
	return code;
}

int packing_unpack(const void *bytes, int size, void *data, int count, MPI_Datatype type)
{
	MPI_Datatype shifted;
	int code, position = 0;
	char *other;

	if (data != MPI_BOTTOM)
		return real_mpi()->Unpack(bytes, size, &position, data, count, type, MPI_COMM_SELF);
	code = avoid_bottom(count, type, &other, &shifted);
	if (code != MPI_SUCCESS)
		return code;
	code = real_mpi()->Unpack(bytes, size, &position, other, 1, shifted, MPI_COMM_SELF);
	real_mpi()->Type_free(&shifted);
	return code;
}
