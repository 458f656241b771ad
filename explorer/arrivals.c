#include "arrivals.h"

struct arrival {
	int32_t rank;
	int32_t root;
	int32_t position;
	struct choice_set *set;
	struct choice_set *sum; /* union of this arrival's set and those before */
};

struct collective {
	guint64 number;
	GArray *arrivals; /* struct arrival */
};

struct arrivals {
	GHashTable *collectives; /* by number */
};

static void arrival_clear(void *pointer)
{
	struct arrival *arrival = pointer;

	choice_set_unref(arrival->set);
	choice_set_unref(arrival->sum);
}

static void collective_free(void *pointer)
{
	struct collective *collective = pointer;

	g_array_free(collective->arrivals, true);
	g_free(collective);
}

struct arrivals *arrivals_new(void)
{
	struct arrivals *arrivals = g_new0(struct arrivals, 1);

	arrivals->collectives = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
	                                              collective_free);
	return arrivals;
}

void arrivals_free(struct arrivals *arrivals)
{
	if (!arrivals)
		return;
	g_hash_table_destroy(arrivals->collectives);
	g_free(arrivals);
}

static struct collective *find_collective(const struct arrivals *arrivals, uint64_t number)
{
	guint64 key = number;

	return g_hash_table_lookup(arrivals->collectives, &key);
}

static struct arrival *arrival_at(const struct collective *collective, guint index)
{
	return &g_array_index(collective->arrivals, struct arrival, index);
}

void arrivals_add(struct arrivals *arrivals, const struct event *arrive, struct choice_set *set)
{
	struct collective *collective = find_collective(arrivals, arrive->collective);
	struct arrival arrival = {arrive->op.id.rank, arrive->root, arrive->position,
	                          choice_set_ref(set), choice_set_ref(set)};

	if (!collective) {
		collective = g_new0(struct collective, 1);
		collective->number = arrive->collective;
		collective->arrivals = g_array_new(false, false, sizeof(struct arrival));
		g_array_set_clear_func(collective->arrivals, arrival_clear);
		g_hash_table_insert(arrivals->collectives, &collective->number, collective);
	}
	if (collective->arrivals->len > 0)
		choice_set_join(&arrival.sum,
		                arrival_at(collective, collective->arrivals->len - 1)->sum);
	g_array_append_val(collective->arrivals, arrival);
}

void arrivals_drop_last(struct arrivals *arrivals, const struct event *arrive)
{
	struct collective *collective = find_collective(arrivals, arrive->collective);

	if (!collective)
		return;
	g_array_set_size(collective->arrivals, collective->arrivals->len - 1);
	if (collective->arrivals->len == 0)
		g_hash_table_remove(arrivals->collectives, &collective->number);
}

static bool is_awaited(const struct event *leave, const struct arrival *own,
                       const struct arrival *other)
{
	if (leave->order == ORDER_ROOT)
		return other->rank == other->root;
	return leave->order == ORDER_LOWER && own && other->position < own->position;
}

bool arrivals_let_leave(const struct arrivals *arrivals, const struct event *arrive)
{
	const struct collective *collective = find_collective(arrivals, arrive->collective);
	int32_t lower = 0;
	guint count = collective ? collective->arrivals->len : 0;

	if (arrive->order == ORDER_NONE)
		return true;
	if (arrive->order == ORDER_ALL)
		return count == (guint)arrive->members;
	for (guint i = 0; i < count; i++) {
		const struct arrival *arrival = arrival_at(collective, i);

		if (arrive->order == ORDER_ROOT && arrival->rank == arrive->root)
			return true;
		lower += arrival->position < arrive->position;
	}
	return arrive->order == ORDER_LOWER && lower == arrive->position;
}

void arrivals_join(const struct arrivals *arrivals, const struct event *leave,
                   struct choice_set **set)
{
	const struct collective *collective = find_collective(arrivals, leave->collective);
	const struct arrival *own = NULL;
	guint count = collective ? collective->arrivals->len : 0;

	if (count == 0 || leave->order == ORDER_NONE)
		return;
	if (leave->order == ORDER_ALL) {
		choice_set_join(set, arrival_at(collective, count - 1)->sum);
		return;
	}
	for (guint i = 0; i < count && !own; i++)
		if (arrival_at(collective, i)->rank == leave->op.id.rank)
			own = arrival_at(collective, i);
	for (guint i = 0; i < count; i++)
		if (is_awaited(leave, own, arrival_at(collective, i)))
			choice_set_join(set, arrival_at(collective, i)->set);
}
