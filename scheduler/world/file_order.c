#include "file_order.h"

#include "rma_order.h"

#define PIECES_MOST ((guint64)1 << 20)

/* What a rank has read or written in a file. */
struct use {
	int rank;
	guint32 time;
	const struct wire_access *access; /* of the log */
};

struct search {
	struct rma_order *order;
	GHashTable *pointers; /* guint32 by rank, by number of the open file */
	GHashTable *files;    /* GArray of struct use, by number of the file */
	int ranks;
	struct file_order found;
};

/* false: no two ranks have used one file. */
static bool may_be_open(const struct rma_log *log)
{
	g_autoptr(GHashTable) users = g_hash_table_new(g_int64_hash, g_int64_equal);

	for (guint i = 0; i < rma_log_blocks(log); i++) {
		const struct rma_block *block = rma_log_block(log, i);

		for (guint j = 0; j < block->count; j++) {
			const struct wire_access *access = &block->list[j];
			gpointer rank = GINT_TO_POINTER(block->rank + 1), other;
			gconstpointer file = access->kind == WIRE_ACCESS_FILE
			                             ? (gconstpointer)&access->displacement
			                             : (gconstpointer)&access->window;

			if (access->kind != WIRE_ACCESS_POINTER && access->kind != WIRE_ACCESS_FILE)
				continue;
			other = g_hash_table_lookup(users, file);
			if (other && other != rank)
				return true;
			g_hash_table_insert(users, (gpointer)file, rank);
		}
	}
	return false;
}

/* When each rank moved the pointer of a file last, by rank; 0: never. */
static guint32 *times_of(GHashTable *pointers, const guint64 *file, int ranks)
{
	guint32 *times = g_hash_table_lookup(pointers, file);

	if (times)
		return times;
	times = g_new0(guint32, ranks);
	g_hash_table_insert(pointers, (gpointer)file, times);
	return times;
}

/* Returns whether another rank's last move is not known to have happened before. */
static bool move(guint32 *times, struct rma_order *order, int rank, int ranks)
{
	for (int other = 0; other < ranks; other++)
		if (other != rank && times[other] > 0
		    && !rma_order_knows(order, rank, other, times[other]))
			return true;
	times[rank] = rma_order_tick(order, rank);
	return false;
}

/* Whether the part uses some byte of [low, high). */
static bool touches(const struct wire_part *part, gint64 low, gint64 high)
{
	const gint64 behind = low - part->start - (gint64)part->length;
	gint64 first, last;

	if (part->times <= 1 || part->stride <= 0)
		return part->start < high && behind < 0;
	first = behind < 0 ? 0 : behind / part->stride + 1;
	last = part->start < high ? (high - 1 - part->start) / part->stride : -1;
	return first <= MIN(last, (gint64)part->times - 1);
}

static bool parts_meet(const struct wire_part *one, const struct wire_part *other)
{
	const struct wire_part *few = one->times <= other->times ? one : other;
	const struct wire_part *many = few == one ? other : one;

	/* More than any rank reports (shim/calls/file_bytes.c). */
	if (few->times > PIECES_MOST)
		return true;
	for (guint64 i = 0; i < few->times; i++) {
		gint64 start = few->start + (gint64)i * few->stride;

		if (touches(many, start, start + (gint64)few->length))
			return true;
	}
	return false;
}

static bool meet(const struct wire_access *one, const struct wire_access *other)
{
	if ((one->flags | other->flags) & WIRE_ACCESS_UNKNOWN)
		return true;
	for (guint32 i = 0; i < one->part_count; i++)
		for (guint32 j = 0; j < other->part_count; j++)
			if (parts_meet(&one->parts[i], &other->parts[j]))
				return true;
	return false;
}

static void free_uses(void *uses)
{
	g_array_unref(uses);
}

static void use_file(struct search *search, int rank, const struct wire_access *access)
{
	GArray *uses = g_hash_table_lookup(search->files, &access->displacement);
	struct use use = {.rank = rank, .access = access};

	if (!uses) {
		uses = g_array_new(false, false, sizeof(struct use));
		g_hash_table_insert(search->files, (gpointer)&access->displacement, uses);
	}
	for (guint i = 0; i < uses->len && !search->found.accesses; i++) {
		const struct use *other = &g_array_index(uses, struct use, i);

		search->found.accesses =
			other->rank != rank
			&& (access->flags | other->access->flags) & WIRE_ACCESS_WRITES
			&& !rma_order_knows(search->order, rank, other->rank, other->time)
			&& meet(access, other->access);
	}
	use.time = rma_order_tick(search->order, rank);
	g_array_append_val(uses, use);
}

static void look_at(struct search *search, int rank, const struct wire_access *access)
{
	if (access->kind == WIRE_ACCESS_POINTER && !search->found.pointer)
		search->found.pointer = move(
			times_of(search->pointers, &access->window, search->ranks), search->order,
			rank, search->ranks);
	if (access->kind == WIRE_ACCESS_FILE && !search->found.accesses)
		use_file(search, rank, access);
}

struct file_order file_order_find(const struct rma_log *log, const struct trace *trace, int ranks)
{
	struct search search = {.ranks = ranks};
	gsize at = 0;

	if (!may_be_open(log))
		return search.found;
	search.pointers = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	search.files = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_uses);
	search.order = rma_order_new(ranks);
	for (guint i = 0; i < rma_log_blocks(log); i++) {
		const struct rma_block *block = rma_log_block(log, i);

		for (; at < block->position && at < trace_count(trace); at++)
			rma_order_read(search.order, trace_at(trace, at));
		for (guint j = 0; j < block->count; j++)
			look_at(&search, block->rank, &block->list[j]);
	}
	rma_order_free(search.order);
	g_hash_table_unref(search.pointers);
	g_hash_table_unref(search.files);
	return search.found;
}
