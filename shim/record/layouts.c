#define _GNU_SOURCE
#include "layouts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "call.h"
#include "log.h"
#include "shim/mpi/abi.h"
#include "shim/mpi/real.h"

/* A type that covers more memory is not examined: it holds absolute addresses far apart. */
#define EXAMINED_MOST ((int64_t)4 << 30)

struct piece {
	int64_t at, size; /* bytes from the element's address */
};

struct layout {
	struct layout *next;
	uint32_t handle, holders;
	int64_t size, extent; /* bytes of an element */
	int64_t count;
	struct piece *pieces;
};

enum { BUCKETS = 256 };
static struct layout *buckets[BUCKETS];

static struct layout **bucket_of(MPI_Datatype type)
{
	return &buckets[(uint32_t)type % BUCKETS];
}

static struct layout *find(MPI_Datatype type)
{
	for (struct layout *layout = *bucket_of(type); layout; layout = layout->next)
		if (layout->handle == (uint32_t)type)
			return layout;
	return NULL;
}

/* --- what MPI knows --------------------------------------------------------------------------- */

static void add_piece(struct layout *layout, int64_t at, int64_t size)
{
	/* Grows at powers of two. */
	if ((layout->count & (layout->count - 1)) == 0) {
		const int64_t room = layout->count > 0 ? layout->count * 2 : 1;
		struct piece *larger = realloc(layout->pieces, sizeof(*larger) * (size_t)room);

		if (!larger)
			record_refuse("out of memory");
		layout->pieces = larger;
	}
	layout->pieces[layout->count++] = (struct piece){at, size};
}

static void find_pieces(struct layout *layout, const unsigned char *memory, int64_t size,
                        int64_t low)
{
	for (int64_t at = 0; at < size;) {
		const unsigned char *first = memchr(memory + at, 0xff, (size_t)(size - at));
		int64_t begin = first ? first - memory : size, end = begin;

		while (end < size && memory[end] == 0xff)
			end++;
		if (end > begin)
			add_piece(layout, low + begin, end - begin);
		at = end;
	}
}

/* MPI itself unpacks bytes of ones into zeroed memory. */
static void examine(struct layout *layout, MPI_Datatype type)
{
	MPI_Count low = 0, true_extent = 0, start = 0, extent = 0, size = 0;
	int room = 0, position = 0;

	if (real_mpi()->Type_size_x(type, &size) != MPI_SUCCESS)
		return;
	real_mpi()->Type_get_true_extent_x(type, &low, &true_extent);
	real_mpi()->Type_get_extent_x(type, &start, &extent);
	if (true_extent > EXAMINED_MOST || size > INT32_MAX
	    || real_mpi()->Pack_size(1, type, MPI_COMM_SELF, &room) != MPI_SUCCESS)
		record_refuse("a datatype that covers %lld bytes of memory cannot be recorded",
		              (long long)true_extent);
	const size_t whole = (size_t)true_extent + 1;
	unsigned char *memory = mmap(NULL, whole, PROT_READ | PROT_WRITE,
	                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned char *packed = malloc((size_t)room + 1);
	if (memory == MAP_FAILED || !packed)
		record_refuse("out of memory");
	memset(packed, 0xff, (size_t)room + 1);
	real_mpi()->Unpack(packed, room, &position, memory - low, 1, type, MPI_COMM_SELF);
	find_pieces(layout, memory, true_extent, low);
	layout->size = size;
	layout->extent = extent;
	munmap(memory, whole);
	free(packed);
}

/* --- the log ---------------------------------------------------------------------------------- */

static void move_through_log(struct layout *layout)
{
	int64_t count, end = 0;

	layout->size = log_signed(layout->size);
	layout->extent = log_signed(layout->extent);
	count = log_signed(layout->count);
	for (int64_t i = 0; i < count; i++) {
		if (log_replaying)
			add_piece(layout, 0, 0);
		struct piece *piece = &layout->pieces[i];
		piece->at = end + log_signed(piece->at - end);
		piece->size = log_signed(piece->size);
		end = piece->at + piece->size;
	}
}

struct layout *layouts_hold(MPI_Datatype type)
{
	struct layout *layout = find(type);

	if (!layout) {
		layout = calloc(1, sizeof(*layout));
		if (!layout)
			record_refuse("out of memory");
		layout->handle = (uint32_t)type;
		layout->holders = 1;
		if (abi_is_basic(type)) {
			layout->size = layout->extent = ABI_BASIC_SIZE(type);
			add_piece(layout, 0, layout->size);
		} else {
			if (!log_replaying)
				examine(layout, type);
			move_through_log(layout);
		}
		layout->next = *bucket_of(type);
		*bucket_of(type) = layout;
	}
	layout->holders++;
	return layout;
}

void layouts_release(struct layout *layout)
{
	if (!layout || --layout->holders > 0)
		return;
	free(layout->pieces);
	free(layout);
}

void layouts_forget(MPI_Datatype type)
{
	for (struct layout **at = bucket_of(type); *at; at = &(*at)->next) {
		struct layout *layout = *at;

		if (layout->handle != (uint32_t)type)
			continue;
		*at = layout->next;
		layouts_release(layout);
		return;
	}
}

/* --- memory ----------------------------------------------------------------------------------- */

int64_t layouts_size(const struct layout *layout)
{
	return layout->size;
}

int64_t layouts_extent(const struct layout *layout)
{
	return layout->extent;
}

int64_t layouts_low(const struct layout *layout)
{
	int64_t low = 0;

	for (int64_t i = 0; i < layout->count; i++)
		low = layout->pieces[i].at < low ? layout->pieces[i].at : low;
	return low;
}

int64_t layouts_reach(const struct layout *layout, int64_t count)
{
	int64_t high = layout->extent;

	for (int64_t i = 0; i < layout->count; i++) {
		const int64_t end = layout->pieces[i].at + layout->pieces[i].size;

		high = end > high ? end : high;
	}
	return high - layouts_low(layout) + (count > 1 ? (count - 1) * layout->extent : 0);
}

bool layouts_is_dense(const struct layout *layout)
{
	return layout->count == 1 && layout->pieces[0].size == layout->extent;
}

uint64_t layouts_hash(uint64_t hash, const void *at, int64_t count, const struct layout *layout)
{
	const char *from = at;

	if (layouts_is_dense(layout))
		return recording_hash_more(hash, from + layout->pieces[0].at,
		                           (size_t)(count * layout->extent));
	for (int64_t i = 0; i < count; i++, from += layout->extent)
		for (int64_t j = 0; j < layout->count; j++)
			hash = recording_hash_more(hash, from + layout->pieces[j].at,
			                           (size_t)layout->pieces[j].size);
	return hash;
}

void layouts_data(void *at, int64_t count, const struct layout *layout)
{
	char *to = at;

	if (layouts_is_dense(layout)) {
		log_data(to + layout->pieces[0].at, (size_t)(count * layout->extent));
		return;
	}
	for (int64_t i = 0; i < count; i++, to += layout->extent)
		for (int64_t j = 0; j < layout->count; j++)
			log_data(to + layout->pieces[j].at, (size_t)layout->pieces[j].size);
}
