#include "file_order.h"

#include "rma_order.h"

/* false: no two ranks have moved the pointer of one file. */
static bool may_be_open(const struct rma_log *log)
{
	g_autoptr(GHashTable) movers = g_hash_table_new(g_int64_hash, g_int64_equal);

	for (guint i = 0; i < rma_log_blocks(log); i++) {
		const struct rma_block *block = rma_log_block(log, i);

		for (guint j = 0; j < block->count; j++) {
			gpointer rank = GINT_TO_POINTER(block->rank + 1), other;

			if (block->list[j].kind != WIRE_ACCESS_POINTER)
				continue;
			other = g_hash_table_lookup(movers, &block->list[j].window);
			if (other && other != rank)
				return true;
			g_hash_table_insert(movers, &block->list[j].window, rank);
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

bool file_order_is_open(const struct rma_log *log, const struct trace *trace, int ranks)
{
	g_autoptr(GHashTable) pointers = NULL;
	struct rma_order *order;
	bool open = false;
	gsize at = 0;

	if (!may_be_open(log))
		return false;
	pointers = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	order = rma_order_new(ranks);
	for (guint i = 0; !open && i < rma_log_blocks(log); i++) {
		const struct rma_block *block = rma_log_block(log, i);

		for (; at < block->position && at < trace_count(trace); at++)
			rma_order_read(order, trace_at(trace, at));
		for (guint j = 0; !open && j < block->count; j++) {
			const guint64 *file = &block->list[j].window;

			if (block->list[j].kind == WIRE_ACCESS_POINTER)
				open = move(times_of(pointers, file, ranks), order, block->rank,
				            ranks);
		}
	}
	rma_order_free(order);
	return open;
}
