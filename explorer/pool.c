#include "pool.h"

#include "explorer_internal.h"
#include "frontier.h"

/* A step takes some hundred bytes, including its alternatives. */
#define STEPS_MAX 50000u

struct part {
	struct explorer *explorer;
	double share;   /* part of the tree that waits in it */
	guint least;    /* deviations of its cheapest waiting alternatives */
	guint cheapest; /* number of these alternatives */
};

struct pool {
	GPtrArray *parts;      /* struct explorer, in the order of `known` */
	GArray *known;         /* struct part */
	struct explorer *last; /* the part last added with POOL_DEPTH, or NULL */
	GRand *random;
	guint64 steps; /* in all parts */
	bool full;
	/* Which part was the last to need a set of choices, by the sum of the choices' hashes. Most
	 * sets are asked about again and again, and few parts need them. Only a hint. */
	GHashTable *needers;
};

enum { NEEDERS_MOST = 10000 };

static void free_explorer(void *explorer)
{
	explorer_free(explorer);
}

struct pool *pool_new(uint32_t seed)
{
	struct pool *pool = g_new0(struct pool, 1);

	pool->parts = g_ptr_array_new_with_free_func(free_explorer);
	pool->known = g_array_new(false, false, sizeof(struct part));
	pool->random = g_rand_new_with_seed(seed);
	pool->needers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	return pool;
}

void pool_free(struct pool *pool)
{
	if (!pool)
		return;
	g_ptr_array_unref(pool->parts);
	g_array_unref(pool->known);
	g_hash_table_unref(pool->needers);
	g_rand_free(pool->random);
	g_free(pool);
}

/* Whether the next plan is the whole part: it has not been begun, or was cut. */
static bool is_whole(const struct explorer *explorer)
{
	return !explorer->started || explorer->cut;
}

static struct part measure(struct explorer *explorer)
{
	struct part part = {explorer, explorer_waiting_share(explorer), G_MAXUINT, 0};

	for (guint i = 0; i < explorer->steps->len; i++) {
		for (GList *item = step_at(explorer, i)->waiting.head; item; item = item->next) {
			guint cost = ((struct alternative *)item->data)->cost.deviations;

			if (cost < part.least)
				part.cheapest = 0;
			part.least = MIN(part.least, cost);
			part.cheapest += cost == part.least;
		}
	}
	return part;
}

static void count_steps(struct pool *pool)
{
	if (pool->steps >= STEPS_MAX)
		pool->full = true;
	if (pool->steps < STEPS_MAX / 2)
		pool->full = false;
}

void pool_add(struct pool *pool, struct explorer *explorer, enum pool_order order)
{
	struct part part;

	if (explorer_is_done(explorer)) {
		explorer_free(explorer);
		return;
	}
	explorer_trim(explorer);
	if (order == POOL_DEPTH)
		pool->last = explorer;
	else
		explorer_forget_trace(explorer);
	part = measure(explorer);
	g_ptr_array_add(pool->parts, explorer);
	g_array_append_val(pool->known, part);
	pool->steps += explorer->steps->len;
	count_steps(pool);
}

static struct explorer *steal(struct pool *pool, guint index)
{
	struct explorer *explorer = g_ptr_array_steal_index_fast(pool->parts, index);

	g_array_remove_index_fast(pool->known, index);
	pool->steps -= explorer->steps->len;
	if (pool->last == explorer)
		pool->last = NULL;
	count_steps(pool);
	return explorer;
}

static struct part *part_at(const struct pool *pool, guint index)
{
	return &g_array_index(pool->known, struct part, index);
}

/* --- depth-first --------------------------------------------------------------------------- */

/* The part continued last, else the one that is finished soonest. */
static guint deepest(const struct pool *pool)
{
	guint best = 0;

	for (guint i = 0; i < pool->parts->len; i++) {
		const struct explorer *one = pool->parts->pdata[i];
		const struct explorer *other = pool->parts->pdata[best];

		if (one == pool->last)
			return i;
		if (one->statistics.waiting < other->statistics.waiting)
			best = i;
	}
	return best;
}

/* --- the fewest deviations ----------------------------------------------------------------- */

/* Takes the `index`th of the cheapest, or the first beyond `share`, whichever the caller asks
 * for. */
static struct explorer *take_one(struct pool *pool, guint index, guint cheapest, double share)
{
	struct part *part = part_at(pool, index);
	struct explorer *explorer = part->explorer, *taken = NULL;
	double reached = 1;

	if (explorer->statistics.waiting == 1)
		return steal(pool, index);
	for (guint i = 0; i < explorer->steps->len && !taken; i++) {
		const struct step *step = step_at(explorer, i);
		guint nth = 0;

		reached /= step->seen;
		for (GList *item = step->waiting.head; item && !taken; item = item->next, nth++) {
			const struct alternative *one = item->data;
			bool is_it = one->cost.deviations == part->least && cheapest-- == 0;

			share -= reached;
			if (is_it || share < 0) {
				taken = explorer_detach(explorer, i, nth);
				break;
			}
		}
	}
	if (!taken) /* rounding error */
		return steal(pool, index);
	*part = measure(explorer);
	return taken;
}

static struct explorer *take_cheapest(struct pool *pool)
{
	guint least = G_MAXUINT, count = 0, nth;

	for (guint i = 0; i < pool->known->len; i++) {
		const struct part *part = part_at(pool, i);

		if (part->least < least)
			count = 0;
		least = MIN(least, part->least);
		count += part->least == least ? part->cheapest : 0;
	}
	nth = pool_draw(pool, count);
	for (guint i = 0; i < pool->known->len; i++) {
		const struct part *part = part_at(pool, i);

		if (part->least != least)
			continue;
		if (nth < part->cheapest)
			return take_one(pool, i, nth, G_MAXDOUBLE);
		nth -= part->cheapest;
	}
	return steal(pool, 0);
}

/* --- at random ------------------------------------------------------------------------------ */

static struct explorer *take_any(struct pool *pool)
{
	double all = 0, share;
	guint index = 0;

	for (guint i = 0; i < pool->known->len; i++)
		all += part_at(pool, i)->share;
	share = g_rand_double(pool->random) * all;
	while (index + 1 < pool->known->len && share >= part_at(pool, index)->share)
		share -= part_at(pool, index++)->share;
	return take_one(pool, index, G_MAXUINT, share);
}

struct explorer *pool_take(struct pool *pool, enum pool_order order)
{
	if (pool->parts->len == 0)
		return NULL;
	for (guint i = 0; i < pool->parts->len; i++)
		if (is_whole(pool->parts->pdata[i]))
			return steal(pool, i);
	switch (order) {
	case POOL_DEVIATIONS: return take_cheapest(pool);
	case POOL_RANDOM: return take_any(pool);
	default: return steal(pool, deepest(pool));
	}
}

/* --- other functions ------------------------------------------------------------------------- */

uint32_t pool_draw(struct pool *pool, uint32_t count)
{
	return count < 2 ? 0 : (uint32_t)g_rand_int_range(pool->random, 0, (gint32)count);
}

const GPtrArray *pool_parts(const struct pool *pool)
{
	return pool->parts;
}

bool pool_is_full(const struct pool *pool)
{
	return pool->full;
}

static void note_needer(struct pool *pool, guint64 set, struct explorer *part)
{
	if (g_hash_table_size(pool->needers) >= NEEDERS_MOST)
		g_hash_table_remove_all(pool->needers);
	g_hash_table_insert(pool->needers, g_memdup2(&set, sizeof(set)), part);
}

bool pool_needs(struct pool *pool, const GArray *choices)
{
	const struct explorer *last;
	guint64 set = 0;

	for (guint i = 0; i < choices->len; i++)
		set += choice_hash(choice_at(choices, i));
	last = g_hash_table_lookup(pool->needers, &set);
	if (last && g_ptr_array_find(pool->parts, last, NULL) && explorer_needs(last, choices))
		return true;
	for (guint i = 0; i < pool->parts->len; i++) {
		if (!explorer_needs(pool->parts->pdata[i], choices))
			continue;
		note_needer(pool, set, pool->parts->pdata[i]);
		return true;
	}
	g_hash_table_remove(pool->needers, &set);
	return false;
}
