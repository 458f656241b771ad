#include "rma_log.h"

/* Further accesses are not kept. Conflicts before them do not depend on what comes after. About 200
 * bytes each. */
enum {
	MOVES_MAX = 400000, /* accesses that move data */
	KEPT_MAX = 4 * MOVES_MAX,
};

struct rma_log {
	GPtrArray *blocks; /* struct rma_block, shared with copies */
	guint64 kept, moves, dropped;
};

static void block_clear(gpointer pointer)
{
	struct rma_block *block = pointer;

	for (guint i = 0; i < block->count; i++)
		g_free(block->list[i].parts);
	g_free(block->list);
	g_free(block->targets);
}

static void block_release(gpointer block)
{
	g_rc_box_release_full(block, block_clear);
}

struct rma_log *rma_log_new(void)
{
	struct rma_log *log = g_new0(struct rma_log, 1);

	log->blocks = g_ptr_array_new_with_free_func(block_release);
	return log;
}

struct rma_log *rma_log_copy(const struct rma_log *from)
{
	struct rma_log *to = rma_log_new();

	for (guint i = 0; i < from->blocks->len; i++)
		g_ptr_array_add(to->blocks, g_rc_box_acquire(from->blocks->pdata[i]));
	to->kept = from->kept;
	to->moves = from->moves;
	to->dropped = from->dropped;
	return to;
}

void rma_log_free(struct rma_log *log)
{
	if (!log)
		return;
	g_ptr_array_unref(log->blocks);
	g_free(log);
}

static bool may_keep_access(struct rma_log *log, const struct wire_access *access)
{
	bool moves = access->kind == WIRE_ACCESS_DATA || access->kind == WIRE_ACCESS_LOCAL;

	if (log->dropped > 0 || log->kept >= KEPT_MAX || (moves && log->moves >= MOVES_MAX)) {
		log->dropped++;
		return false;
	}
	log->kept++;
	log->moves += moves;
	return true;
}

void rma_log_add(struct rma_log *log, int rank, gsize position,
                 const struct wire_accesses *accesses, rma_to_world to_world, void *user)
{
	struct rma_block *block = g_rc_box_alloc0(sizeof(*block));

	block->rank = rank;
	block->position = position;
	block->list = g_new(struct wire_access, accesses->count);
	block->targets = g_new(gint32, accesses->count);
	for (guint i = 0; i < accesses->count; i++) {
		const struct wire_access *access = &accesses->list[i];
		gint32 *target = &block->targets[block->count];

		if (!may_keep_access(log, access))
			continue;
		*target = access->target;
		if (access->target != WIRE_ANY)
			*target = to_world(user, access->window, rank, access->target);
		if (*target < 0 && access->target != WIRE_ANY)
			*target = RMA_NOBODY;
		block->list[block->count] = *access;
		block->list[block->count++].parts = g_memdup2(
			access->parts, access->part_count * sizeof(*access->parts));
	}
	g_ptr_array_add(log->blocks, block);
}

guint rma_log_blocks(const struct rma_log *log)
{
	return log->blocks->len;
}

const struct rma_block *rma_log_block(const struct rma_log *log, guint index)
{
	return log->blocks->pdata[index];
}

guint64 rma_log_moves(const struct rma_log *log)
{
	return log->moves;
}

guint64 rma_log_dropped(const struct rma_log *log)
{
	return log->dropped;
}
