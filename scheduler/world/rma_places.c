#include "rma_places.h"

#include "rma_key.h"

/* The part of `owner` in a window, as mapped in `rank`. */
struct view {
	guint64 window;
	int rank, owner;
	struct rma_range range;
	guint64 shift; /* added to get the owner's addresses */
};

struct rma_places {
	int ranks;
	GHashTable *places; /* struct rma_place by window, in each rank */
	GArray *reported;   /* struct view, without shift */
	GHashTable *opened; /* guint64: windows that have been opened */
	GArray **open;      /* struct view, by rank */
};

static struct rma_places *places_new(int ranks)
{
	struct rma_places *places = g_new0(struct rma_places, 1);

	places->ranks = ranks;
	places->places = g_hash_table_new_full(rma_key_hash, rma_key_equal, g_free, g_free);
	places->reported = g_array_new(false, false, sizeof(struct view));
	places->opened = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	places->open = g_new(GArray *, ranks);
	for (int rank = 0; rank < ranks; rank++)
		places->open[rank] = g_array_new(false, false, sizeof(struct view));
	return places;
}

void rma_places_free(struct rma_places *places)
{
	if (!places)
		return;
	for (int rank = 0; rank < places->ranks; rank++)
		g_array_unref(places->open[rank]);
	g_free(places->open);
	g_hash_table_destroy(places->places);
	g_hash_table_destroy(places->opened);
	g_array_unref(places->reported);
	g_free(places);
}

static void note_place(struct rma_places *places, int rank, gint32 target,
                       const struct wire_access *access)
{
	const guint64 base = (guint64)access->displacement;

	if (access->kind == WIRE_ACCESS_WINDOW) {
		struct rma_key key = {access->window, rank, 0};
		struct rma_place place = {
			.base = base,
			.unit = access->unit,
			.size = access->part_count > 0 ? access->parts[0].length : 0,
			.is_bounded = access->part_count > 0,
			.flags = access->flags,
		};

		g_hash_table_replace(places->places, rma_key_new(key),
		                     g_memdup2(&place, sizeof(place)));
	} else if (access->kind == WIRE_ACCESS_VIEW && target >= 0 && target < places->ranks
	           && base + access->unit > base) {
		struct view view = {access->window, rank, target, {base, base + access->unit}, 0};

		g_array_append_val(places->reported, view);
	}
}

struct rma_places *rma_places_of(const struct rma_log *log, int ranks)
{
	struct rma_places *places = places_new(ranks);

	for (guint i = 0; i < rma_log_blocks(log); i++) {
		const struct rma_block *block = rma_log_block(log, i);

		for (guint j = 0; j < block->count; j++)
			note_place(places, block->rank, block->targets[j], &block->list[j]);
	}
	return places;
}

const struct rma_place *rma_places_find(const struct rma_places *places, guint64 window, int rank)
{
	struct rma_key key = {window, rank, 0};

	return g_hash_table_lookup(places->places, &key);
}

static const struct view *reported_at(const struct rma_places *places, guint index)
{
	return &g_array_index(places->reported, struct view, index);
}

/* The address at which the owner has mapped its own part; false: not reported. */
static bool base_of(const struct rma_places *places, guint64 window, int owner, guint64 *ret_base)
{
	for (guint i = 0; i < places->reported->len; i++) {
		const struct view *view = reported_at(places, i);

		if (view->window != window || view->owner != owner || view->rank != owner)
			continue;
		*ret_base = view->range.low;
		return true;
	}
	return false;
}

void rma_places_open(struct rma_places *places, guint64 window)
{
	if (!g_hash_table_add(places->opened, g_memdup2(&window, sizeof(window))))
		return;
	for (guint i = 0; i < places->reported->len; i++) {
		struct view view = *reported_at(places, i);
		guint64 base;

		if (view.window != window || view.rank == view.owner
		    || !base_of(places, window, view.owner, &base))
			continue;
		view.shift = base - view.range.low;
		g_array_append_val(places->open[view.rank], view);
	}
}

void rma_places_close(struct rma_places *places, guint64 window)
{
	for (int rank = 0; rank < places->ranks; rank++) {
		GArray *open = places->open[rank];

		for (guint i = open->len; i-- > 0;)
			if (g_array_index(open, struct view, i).window == window)
				g_array_remove_index_fast(open, i);
	}
}

struct rma_piece rma_places_next(const struct rma_places *places, int rank, struct rma_range *range)
{
	struct rma_piece piece = {rank, *range};

	for (guint i = 0; i < places->open[rank]->len; i++) {
		const struct view *view = &g_array_index(places->open[rank], struct view, i);

		if (view->range.high <= range->low || view->range.low >= piece.range.high)
			continue;
		if (view->range.low > range->low) {
			piece.range.high = view->range.low;
			continue;
		}
		piece.range.high = MIN(range->high, view->range.high);
		range->low = piece.range.high;
		piece.rank = view->owner;
		piece.range.low += view->shift;
		piece.range.high += view->shift;
		return piece;
	}
	range->low = piece.range.high;
	return piece;
}

void rma_places_fingerprint(const struct rma_places *places, struct state_hash *ret)
{
	struct state_hash sum = {{0, 0}};
	GHashTableIter iter;
	gpointer key, value;

	g_hash_table_iter_init(&iter, places->places);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		const struct rma_key *where = key;
		const struct rma_place *place = value;
		struct state_hash one = {{where->window, (guint32)where->rank}};

		state_hash_add(&one, place->base);
		state_hash_add(&one, place->unit);
		state_hash_add(&one, place->size);
		state_hash_add(&one, (guint64)place->flags << 1 | place->is_bounded);
		state_hash_add_member(&sum, &one);
	}
	for (int rank = 0; rank < places->ranks; rank++) {
		for (guint i = 0; i < places->open[rank]->len; i++) {
			const struct view *view = &g_array_index(places->open[rank], struct view,
			                                         i);
			struct state_hash one = {{view->window, ~(guint64)0}};

			state_hash_add(&one, (guint64)view->rank << 32 | (guint32)view->owner);
			state_hash_add(&one, view->range.low);
			state_hash_add(&one, view->range.high);
			state_hash_add(&one, view->shift);
			state_hash_add_member(&sum, &one);
		}
	}
	state_hash_add(ret, sum.word[0]);
	state_hash_add(ret, sum.word[1]);
}
