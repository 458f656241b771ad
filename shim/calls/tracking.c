#include "tracking.h"

#include <stdlib.h>

#include "shim/gate/gate.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "shim/objects/objects.h"
#include "shim/request/request.h"

/* Groups, and requests of completed operations, may have handles that are predefined in MPICH, but
 * not for the program. */
static bool must_be_freed(enum wire_object kind, uintptr_t handle)
{
	switch (kind) {
	case WIRE_OBJECT_FILE: return handle != (uintptr_t)MPI_FILE_NULL;
	case WIRE_OBJECT_REQUEST: return handle != (uintptr_t)MPI_REQUEST_NULL;
	case WIRE_OBJECT_GROUP:
		return handle != (uintptr_t)MPI_GROUP_NULL && handle != (uintptr_t)MPI_GROUP_EMPTY;
	default: return abi_is_made(handle);
	}
}

void tracking_made(enum wire_object kind, uintptr_t handle, const void *where,
                   enum mpi_call function, const void *site)
{
	struct request *request = kind == WIRE_OBJECT_REQUEST ? request_find((MPI_Request)handle)
	                                                      : NULL;

	if (request)
		request_note_maker(request, function, site);
	else if (must_be_freed(kind, handle))
		objects_add(kind, handle, where, (uint16_t)function, (uintptr_t)site);
}

void tracking_freed(enum wire_object kind, uintptr_t handle, const void *where)
{
	objects_remove(kind, handle, where);
}

/* How a type is made, and of how many types. The large counts are right for all types. */
static int combiner_of(MPI_Datatype type, MPI_Count *ret_types)
{
	MPI_Count integers, addresses, counts;
	int combiner;

	if (!real_mpi()->Type_get_envelope_c
	    || real_mpi()->Type_get_envelope_c(type, &integers, &addresses, &counts, ret_types,
	                                       &combiner)
	               != MPI_SUCCESS)
		return MPI_COMBINER_NAMED;
	return combiner;
}

void tracking_got_types(MPI_Count count, const MPI_Datatype *types, enum mpi_call function,
                        const void *site)
{
	MPI_Count parts;

	for (MPI_Count i = 0; i < count; i++) {
		switch (combiner_of(types[i], &parts)) {
		case MPI_COMBINER_NAMED:
		case MPI_COMBINER_F90_REAL: /* predefined, too: MPI 3.1, section 17.1.9 */
		case MPI_COMBINER_F90_COMPLEX:
		case MPI_COMBINER_F90_INTEGER: break;
		default:
			tracking_made(WIRE_OBJECT_DATATYPE, (uintptr_t)types[i], &types[i],
			              function, site);
		}
	}
}

void tracking_got_contents(MPI_Datatype type, const MPI_Datatype *types, enum mpi_call function,
                           const void *site)
{
	MPI_Count count = 0;

	if (combiner_of(type, &count) != MPI_COMBINER_NAMED)
		tracking_got_types(count, types, function, site);
}

static void report_left(struct wire_left *left, uint32_t count)
{
	const struct wire_message message = {.type = WIRE_LEFT, .objects = {count, left}};

	if (count > 0)
		gate_send(&message);
	free(left);
}

void tracking_report(void)
{
	uint32_t count;
	struct wire_left *left = request_left(&count);

	left = objects_left(left, &count, false);
	report_left(left, count);
}

void tracking_report_last(void)
{
	uint32_t count = 0;
	struct wire_left *left = objects_left(NULL, &count, true);

	report_left(left, count);
}
