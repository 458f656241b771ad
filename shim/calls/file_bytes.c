#include "file_bytes.h"

#include <stdlib.h>

#include "shim/mpi/real.h"
#include "shim/types/signature.h"

enum {
	PARTS = 4096,      /* the most that are described */
	ELEMENTS = 1 << 18 /* the most elementary types that are looked up one by one */
};

struct list {
	struct wire_part *parts;
	uint32_t count;
	bool full;
};

/* Pieces of one length at one distance become one part. */
static void add_piece(struct list *list, int64_t start, uint64_t length)
{
	struct wire_part *last = list->count > 0 ? &list->parts[list->count - 1] : NULL;

	if (last && last->length == length
	    && (last->times == 1 || start - last->start == (int64_t)last->times * last->stride)
	    && start > last->start) {
		if (last->times == 1)
			last->stride = start - last->start;
		last->times++;
		return;
	}
	if (list->count == PARTS) {
		list->full = true;
		return;
	}
	list->parts[list->count++] = (struct wire_part){
		.role = WIRE_PART_TARGET, .start = start, .length = length, .times = 1, .count = 1};
}

/* The size of an elementary type; 0: not known. `ret_dense`: the view has no gaps. MPI makes copies
 * of types that are not predefined. */
static uint64_t element_of(MPI_File file, bool *ret_dense)
{
	MPI_Datatype element = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
	char representation[MPI_MAX_DATAREP_STRING + 1];
	MPI_Offset displacement;
	int size = 0;

	if (real_mpi()->File_get_view(file, &displacement, &element, &filetype, representation)
	            != MPI_SUCCESS
	    || real_mpi()->Type_size(element, &size) != MPI_SUCCESS)
		size = 0;
	*ret_dense = type_is_predefined(filetype);
	type_release(&element);
	type_release(&filetype);
	return size > 0 ? (uint64_t)size : 0;
}

struct wire_part *file_bytes(MPI_File file, MPI_Offset offset, uint64_t bytes, uint32_t *ret_count,
                             bool *ret_whole)
{
	struct list list = {.parts = malloc(PARTS * sizeof(*list.parts))};
	bool dense = false;
	const uint64_t size = element_of(file, &dense);
	const uint64_t count = size > 0 ? bytes / size : 0;
	const uint64_t looked_up = dense && count > 0 ? 1 : count;
	MPI_Offset at = 0;
	int64_t start = 0;
	uint64_t length = 0, i = 0;

	for (; list.parts && i < looked_up && i < ELEMENTS && !list.full; i++) {
		if (real_mpi()->File_get_byte_offset(file, offset + (MPI_Offset)i, &at)
		    != MPI_SUCCESS)
			break;
		if (length > 0 && at != start + (int64_t)length) {
			add_piece(&list, start, length);
			length = 0;
		}
		start = length > 0 ? start : at;
		length += dense ? bytes : size;
	}
	if (length > 0)
		add_piece(&list, start, length);
	*ret_count = list.count;
	*ret_whole = !list.full && i == looked_up;
	if (list.count == 0) {
		free(list.parts);
		return NULL;
	}
	/* Mostly there is one. */
	return realloc(list.parts, list.count * sizeof(*list.parts));
}
