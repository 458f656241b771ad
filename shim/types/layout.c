#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "common/mpi_codes.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"
#include "signature.h"
#include "type_value.h"

enum {
	EXTENT_MAX = 4 << 20,    /* bytes of memory that one type is examined in */
	RUNS_MAX = 64,           /* regular sequences in one element */
	COMPARED_MAX = 16 << 20, /* byte comparisons to find overlapping elements */
};

/* `times` pieces of one element: equal lengths, equal distances. */
struct run {
	int64_t offset, stride;
	uint64_t length, times;
};

struct layout {
	bool known;        /* `runs` are valid */
	uint64_t disjoint; /* this many consecutive elements have no byte twice */
	int64_t extent;
	uint32_t count;
	struct run runs[];
};

static const struct layout unknown = {.disjoint = UINT64_MAX};

/* Adds a piece: it extends the last run, or begins a new one. false: too many runs. */
static bool add_piece(struct run *runs, uint32_t *count, int64_t offset, uint64_t length)
{
	struct run *last = *count > 0 ? &runs[*count - 1] : NULL;

	if (last && last->length == length) {
		int64_t end = last->offset + (int64_t)(last->times - 1) * last->stride;

		if (last->times == 1)
			last->stride = offset - end;
		if (offset - end == last->stride) {
			last->times++;
			return true;
		}
	}
	if (*count == RUNS_MAX)
		return false;
	runs[(*count)++] = (struct run){.offset = offset, .length = length, .times = 1};
	return true;
}

static uint64_t count_ones(const unsigned char *memory, size_t size)
{
	uint64_t ones = 0;

	for (size_t i = 0; i < size; i++)
		ones += memory[i] & 1u;
	return ones;
}

/* The number of bytes that MPI writes at least for one element of this basic type. The padding of a
 * long double is not always written. */
static uint64_t count_written(uint16_t basic)
{
	enum { LONG_DOUBLE = 16, PRECISION = 10 }; /* bytes */
	unsigned size = type_code_size(basic);

	return size < LONG_DOUBLE ? size : size / LONG_DOUBLE * PRECISION;
}

/* The same for one element of `size` bytes, if no byte occurs twice. 0: not known. */
static uint64_t count_least(MPI_Datatype type, uint64_t size)
{
	struct wire_types types = signature_of(type);
	uint64_t period = 0, written = 0;

	if (types.basic != 0)
		return size / type_code_size(types.basic) * count_written(types.basic);
	for (uint32_t i = 0; i < types.run_count; i++) {
		period += types.runs[i].count * type_code_size(types.runs[i].basic);
		written += types.runs[i].count * count_written(types.runs[i].basic);
	}
	return period > 0 ? size / period * written : 0;
}

/* How many consecutive elements have no byte twice. `memory` has ones where one element lies.
 * `least_covered`: the least number of bytes that an element covers if no byte occurs twice. */
static uint64_t count_disjoint(const unsigned char *memory, size_t size, uint64_t least_covered,
                               int64_t extent)
{
	uint64_t step = (uint64_t)(extent < 0 ? -extent : extent), compared = 0;
	uint64_t covered = count_ones(memory, size);

	if (covered < least_covered)
		return 0;
	if (covered > 0 && step == 0)
		return 1;
	for (uint64_t times = 1; covered > 0 && times * step < size && compared < COMPARED_MAX;
	     times++) {
		size_t away = times * step;

		for (size_t i = 0; i + away < size; i++)
			if (memory[i] & memory[i + away])
				return times;
		compared += size;
	}
	return UINT64_MAX;
}

/* The runs of bytes of `memory` that have been written. `memory` begins `low` bytes after the
 * element's address. Not `known` if there are too many. The caller frees it; NULL: out of
 * memory. */
static struct layout *find_runs(const unsigned char *memory, size_t size, int64_t low)
{
	struct run runs[RUNS_MAX];
	uint32_t count = 0;
	struct layout *layout;
	bool known = true;

	for (size_t at = 0; at < size && known;) {
		const unsigned char *first = memchr(memory + at, 0xff, size - at);
		size_t begin = first ? (size_t)(first - memory) : size, end = begin;

		while (end < size && memory[end] == 0xff)
			end++;
		if (end > begin)
			known = add_piece(runs, &count, low + (int64_t)begin, end - begin);
		at = end;
	}
	layout = calloc(1, sizeof(*layout) + count * sizeof(*runs));
	if (!layout)
		return NULL;
	layout->known = known;
	layout->count = count;
	memcpy(layout->runs, runs, count * sizeof(*runs));
	return layout;
}

/* Examines a type by MPI itself: unpacks bytes of ones into zeroed memory. The caller frees it;
 * NULL: too large, or out of memory. */
static struct layout *make_layout(MPI_Datatype type)
{
	MPI_Count low = 0, true_extent = 0, start = 0, extent = 0, size = 0;
	unsigned char *memory = NULL, *packed = NULL;
	struct layout *layout = NULL;
	int room = 0, position = 0;

	if (real_mpi()->Type_size_x(type, &size) != MPI_SUCCESS
	    || real_mpi()->Type_get_true_extent_x(type, &low, &true_extent) != MPI_SUCCESS
	    || real_mpi()->Type_get_extent_x(type, &start, &extent) != MPI_SUCCESS
	    || true_extent < 0 || true_extent > EXTENT_MAX
	    || real_mpi()->Pack_size(1, type, MPI_COMM_SELF, &room) != MPI_SUCCESS)
		return NULL;
	memory = calloc((size_t)true_extent + 1, 1);
	packed = malloc((size_t)room + 1);
	if (memory && packed) {
		memset(packed, 0xff, (size_t)room + 1);
		if (real_mpi()->Unpack(packed, room, &position, memory - low, 1, type,
		                       MPI_COMM_SELF)
		    == MPI_SUCCESS)
			layout = find_runs(memory, (size_t)true_extent, low);
	}
	if (layout) {
		layout->extent = extent;
		layout->disjoint = count_disjoint(memory, (size_t)true_extent,
		                                  count_least(type, (uint64_t)size), extent);
	}
	free(memory);
	free(packed);
	return layout;
}

static void release_layout(void *layout)
{
	if (layout != &unknown)
		free(layout);
}

static const struct layout *layout_of(MPI_Datatype type)
{
	static struct type_value kind = {.release = release_layout};
	const struct layout *layout;
	void *value = NULL;
	bool found;

	if (!type_value_get(&kind, type, &value, &found))
		return &unknown;
	if (found)
		return value;
	layout = make_layout(type);
	if (!layout)
		layout = &unknown;
	return type_value_set(&kind, type, layout) ? layout : &unknown;
}

bool layout_overlaps(MPI_Count count, MPI_Datatype type)
{
	return count > 0 && !abi_is_basic(type) && type != MPI_DATATYPE_NULL
	       && (uint64_t)count > layout_of(type)->disjoint;
}

static struct wire_part *make_room(struct wire_part **parts, uint32_t count, uint32_t more)
{
	struct wire_part *grown = realloc(*parts, ((size_t)count + more) * sizeof(**parts));

	if (!grown)
		return NULL;
	*parts = grown;
	return grown + count;
}

static bool append_one(struct wire_part **parts, uint32_t *part_count, uint8_t role, int64_t start,
                       uint64_t length)
{
	struct wire_part *part = make_room(parts, *part_count, 1);

	if (!part)
		return false;
	*part = (struct wire_part){
		.role = role, .start = start, .length = length, .times = 1, .count = 1};
	++*part_count;
	return true;
}

bool layout_append(struct wire_part **parts, uint32_t *part_count, uint8_t role, int64_t start,
                   MPI_Count count, MPI_Datatype type)
{
	MPI_Count size = 0;
	const struct layout *layout;
	struct wire_part *part;

	if (count <= 0 || real_mpi()->Type_size_x(type, &size) != MPI_SUCCESS || size <= 0)
		return true;
	if (abi_is_basic(type))
		return append_one(parts, part_count, role, start, (uint64_t)(size * count));
	layout = layout_of(type);
	if (!layout->known)
		return false;
	if (layout->count == 1 && layout->runs[0].times == 1
	    && (count == 1 || layout->extent == (int64_t)layout->runs[0].length))
		return append_one(parts, part_count, role, start + layout->runs[0].offset,
		                  layout->runs[0].length * (uint64_t)count);
	part = make_room(parts, *part_count, layout->count);
	if (!part)
		return false;
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct run *run = &layout->runs[i];

		part[i] = (struct wire_part){
			.role = role,
			.start = start + run->offset,
			.length = run->length,
			.times = run->times,
			.stride = run->stride,
			.count = (uint64_t)count,
			.extent = layout->extent,
		};
	}
	*part_count += layout->count;
	return true;
}
