#include "rma_underway.h"

struct under_way {
	guint32 number;
	struct rma_clock *clock;
};

struct rma_underway {
	int ranks;
	GArray **operations; /* struct under_way by rank, in the order in which they began */
};

static void clear_underway(gpointer one)
{
	rma_clock_unref(((struct under_way *)one)->clock);
}

struct rma_underway *rma_underway_new(int ranks)
{
	struct rma_underway *underway = g_new(struct rma_underway, 1);

	underway->ranks = ranks;
	underway->operations = g_new(GArray *, ranks);
	for (int rank = 0; rank < ranks; rank++) {
		underway->operations[rank] = g_array_new(false, false, sizeof(struct under_way));
		g_array_set_clear_func(underway->operations[rank], clear_underway);
	}
	return underway;
}

void rma_underway_free(struct rma_underway *underway)
{
	if (!underway)
		return;
	for (int rank = 0; rank < underway->ranks; rank++)
		g_array_unref(underway->operations[rank]);
	g_free(underway->operations);
	g_free(underway);
}

void rma_underway_begin(struct rma_underway *underway, int rank, guint32 number,
                        struct rma_clock *clock)
{
	struct under_way operation = {number, clock};

	g_array_append_val(underway->operations[rank], operation);
}

static gint compare_underway(gconstpointer one, gconstpointer other)
{
	guint32 a = ((const struct under_way *)one)->number;
	guint32 b = ((const struct under_way *)other)->number;

	return a < b ? -1 : a > b;
}

bool rma_underway_end(struct rma_underway *underway, int rank, guint32 number,
                      struct rma_clock **ret_clock)
{
	const struct under_way wanted = {number, NULL};
	GArray *operations = underway->operations[rank];
	guint index;

	if (!g_array_binary_search(operations, &wanted, compare_underway, &index))
		return false;
	struct under_way *found = &g_array_index(operations, struct under_way, index);
	*ret_clock = found->clock;
	found->clock = NULL;
	g_array_remove_index(operations, index);
	return true;
}

/* A rank's knowledge only grows, so the operation that began first knows least. */
bool rma_underway_know(const struct rma_underway *underway, int other, guint32 time)
{
	for (int rank = 0; rank < underway->ranks; rank++) {
		const GArray *operations = underway->operations[rank];

		if (operations->len > 0
		    && !rma_clock_knows(g_array_index(operations, struct under_way, 0).clock, other,
		                        time))
			return false;
	}
	return true;
}

guint rma_underway_fingerprint(const struct rma_underway *underway, const struct rma_scale *scale,
                               struct state_hash *ret)
{
	guint count = 0;

	for (int rank = 0; rank < underway->ranks; rank++) {
		const GArray *operations = underway->operations[rank];

		state_hash_add(ret, operations->len);
		for (guint i = 0; i < operations->len; i++)
			rma_clock_fingerprint(g_array_index(operations, struct under_way, i).clock,
			                      scale, underway->ranks, ret);
		count += operations->len;
	}
	return count;
}
