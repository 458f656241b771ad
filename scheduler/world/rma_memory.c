#include "rma_memory.h"

enum {
	FIRST_SWEEP = 1 << 14, /* intervals; at this number, past uses are removed */
	CELLS_MAX = 1 << 21,
	CROWD = 32, /* users of one interval */
};

/* An interval whose bytes all have the same users. */
struct cell {
	struct rma_range range;
	guint count, capacity;
	guint32 *uses;
};

struct rma_memory {
	int ranks;
	rma_meet meet;
	rma_past past;
	void *user;
	GTree **cells; /* by rank: struct cell, by its first byte */
	guint count, sweep_at;
};

static gint compare_cells(gconstpointer one, gconstpointer other, gpointer user)
{
	guint64 a = ((const struct cell *)one)->range.low;
	guint64 b = ((const struct cell *)other)->range.low;

	(void)user;
	return a < b ? -1 : a > b;
}

static void cell_free(gpointer pointer)
{
	struct cell *cell = pointer;

	g_free(cell->uses);
	g_free(cell);
}

struct rma_memory *rma_memory_new(int ranks, rma_meet meet, rma_past past, void *user)
{
	struct rma_memory *memory = g_new0(struct rma_memory, 1);

	*memory = (struct rma_memory){ranks, meet, past, user, NULL, 0, FIRST_SWEEP};
	memory->cells = g_new(GTree *, ranks);
	for (int rank = 0; rank < ranks; rank++)
		memory->cells[rank] = g_tree_new_full(compare_cells, NULL, NULL, cell_free);
	return memory;
}

void rma_memory_free(struct rma_memory *memory)
{
	if (!memory)
		return;
	for (int rank = 0; rank < memory->ranks; rank++)
		g_tree_unref(memory->cells[rank]);
	g_free(memory->cells);
	g_free(memory);
}

static void insert_cell(struct rma_memory *memory, int rank, struct cell *cell)
{
	g_tree_insert(memory->cells[rank], cell, cell);
	memory->count++;
}

static void add_use(struct cell *cell, guint32 use)
{
	if (cell->count == cell->capacity) {
		cell->capacity = cell->capacity > 0 ? 2 * cell->capacity : 1;
		cell->uses = g_renew(guint32, cell->uses, cell->capacity);
	}
	cell->uses[cell->count++] = use;
}

/* Ends the cell before `at`; a new cell with the same users follows it. */
static void split_cell(struct rma_memory *memory, int rank, struct cell *cell, guint64 at)
{
	struct cell *rest = g_new0(struct cell, 1);

	rest->range = (struct rma_range){at, cell->range.high};
	cell->range.high = at;
	for (guint i = 0; i < cell->count; i++)
		add_use(rest, cell->uses[i]);
	insert_cell(memory, rank, rest);
}

/* The first cell that reaches beyond `at`; NULL: none. */
static struct cell *find_cell(const struct rma_memory *memory, int rank, guint64 at)
{
	const struct cell key = {.range.low = at};
	GTreeNode *next = g_tree_upper_bound(memory->cells[rank], &key);
	GTreeNode *node = next ? g_tree_node_previous(next) : g_tree_node_last(memory->cells[rank]);
	struct cell *cell = node ? g_tree_node_value(node) : NULL;

	if (cell && cell->range.high > at)
		return cell;
	return next ? g_tree_node_value(next) : NULL;
}

/* The use covers the whole cell. */
static void meet_all(struct rma_memory *memory, struct cell *cell, guint32 use)
{
	bool crowded = cell->count > CROWD;
	guint kept = 0;

	for (guint i = 0; i < cell->count; i++) {
		guint32 old = cell->uses[i];

		if (old == use || !memory->meet(old, use, crowded, memory->user))
			cell->uses[kept++] = old;
	}
	cell->count = kept;
	if (kept == 0 || cell->uses[kept - 1] != use)
		add_use(cell, use);
}

static bool is_past(struct rma_memory *memory, struct cell *cell)
{
	guint kept = 0;

	for (guint i = 0; i < cell->count; i++)
		if (!memory->past(cell->uses[i], memory->user))
			cell->uses[kept++] = cell->uses[i];
	cell->count = kept;
	return kept == 0;
}

static gboolean collect_past(gpointer key, gpointer cell, gpointer pointer)
{
	gpointer *both = pointer;

	(void)key;
	if (is_past(both[0], cell))
		g_ptr_array_add(both[1], cell);
	return false;
}

static void sweep_cells(struct rma_memory *memory)
{
	for (int rank = 0; rank < memory->ranks; rank++) {
		g_autoptr(GPtrArray) gone = g_ptr_array_new();
		gpointer both[2] = {memory, gone};

		g_tree_foreach(memory->cells[rank], collect_past, both);
		for (guint i = 0; i < gone->len; i++)
			g_tree_remove(memory->cells[rank], gone->pdata[i]);
		memory->count -= gone->len;
	}
	memory->sweep_at = MAX((guint)FIRST_SWEEP, 2 * memory->count);
}

bool rma_memory_use(struct rma_memory *memory, int rank, struct rma_range range, guint32 use)
{
	guint64 at = range.low;

	if (memory->count >= memory->sweep_at)
		sweep_cells(memory);
	if (memory->count >= CELLS_MAX)
		return false;
	while (at < range.high) {
		struct cell *cell = find_cell(memory, rank, at);

		if (!cell || cell->range.low > at) {
			guint64 end = cell ? MIN(range.high, cell->range.low) : range.high;

			cell = g_new0(struct cell, 1);
			cell->range = (struct rma_range){at, end};
			insert_cell(memory, rank, cell);
		} else {
			if (cell->range.low < at) {
				split_cell(memory, rank, cell, at);
				continue;
			}
			if (cell->range.high > range.high)
				split_cell(memory, rank, cell, range.high);
		}
		meet_all(memory, cell, use);
		at = cell->range.high;
	}
	return true;
}

void rma_memory_each(const struct rma_memory *memory, int rank, rma_visit visit, void *user)
{
	for (GTreeNode *node = g_tree_node_first(memory->cells[rank]); node;
	     node = g_tree_node_next(node)) {
		const struct cell *cell = g_tree_node_value(node);

		visit(cell->range, cell->uses, cell->count, user);
	}
}
