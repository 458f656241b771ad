#include "collectives.h"

#include <string.h>

struct instance {
	struct collective_call first; /* what the first to arrive called */
	const int *members;           /* the registry's; outlives the world */
	struct op_id *calls;          /* by member; call 0: not arrived */
	int count, arrived;
	gboolean disagrees;
};

/* How many collective calls a rank has made on a communicator. */
struct counter {
	guint64 comm;
	gint64 rank;
	guint64 made;
};

/* Where the n-th instance of a communicator stands. */
struct place {
	guint64 comm;
	gint64 owner;      /* the rank itself on MPI_COMM_SELF, where each has its own; else -1 */
	GArray *instances; /* of guint64 */
};

struct collectives {
	GPtrArray *instances;
	GHashTable *counters;
	GHashTable *places;
	gboolean disagree;
	struct collective_mismatch mismatch;
};

static guint pair_hash(gconstpointer key)
{
	const guint64 *pair = key;
	guint64 mixed = (pair[0] ^ (pair[1] * 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;

	return (guint)(mixed >> 32);
}

static gboolean pair_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, 2 * sizeof(guint64)) == 0;
}

static void instance_free(gpointer pointer)
{
	struct instance *instance = pointer;

	g_free(instance->calls);
	g_free(instance);
}

static void place_free(gpointer pointer)
{
	struct place *place = pointer;

	g_array_unref(place->instances);
	g_free(place);
}

struct collectives *collectives_new(void)
{
	struct collectives *collectives = g_new0(struct collectives, 1);

	collectives->instances = g_ptr_array_new_with_free_func(instance_free);
	collectives->counters = g_hash_table_new_full(pair_hash, pair_equal, NULL, g_free);
	collectives->places = g_hash_table_new_full(pair_hash, pair_equal, NULL, place_free);
	return collectives;
}

struct collectives *collectives_copy(const struct collectives *from)
{
	struct collectives *to = collectives_new();
	GHashTableIter iter;
	gpointer value;

	for (guint i = 0; i < from->instances->len; i++) {
		const struct instance *old = from->instances->pdata[i];
		struct instance *instance = g_memdup2(old, sizeof(*old));

		instance->calls = g_memdup2(old->calls, (gsize)old->count * sizeof(*old->calls));
		g_ptr_array_add(to->instances, instance);
	}
	g_hash_table_iter_init(&iter, from->counters);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct counter *counter = g_memdup2(value, sizeof(*counter));

		g_hash_table_insert(to->counters, counter, counter);
	}
	g_hash_table_iter_init(&iter, from->places);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct place *place = g_memdup2(value, sizeof(*place));

		place->instances = g_array_copy(place->instances);
		g_hash_table_insert(to->places, place, place);
	}
	to->disagree = from->disagree;
	to->mismatch = from->mismatch;
	return to;
}

void collectives_free(struct collectives *collectives)
{
	if (!collectives)
		return;
	g_ptr_array_unref(collectives->instances);
	g_hash_table_destroy(collectives->counters);
	g_hash_table_destroy(collectives->places);
	g_free(collectives);
}

static guint64 count_call(struct collectives *collectives, guint64 comm, int rank)
{
	struct counter key = {comm, rank, 0};
	struct counter *counter = g_hash_table_lookup(collectives->counters, &key);

	if (!counter) {
		counter = g_memdup2(&key, sizeof(key));
		g_hash_table_insert(collectives->counters, counter, counter);
	}
	return counter->made++;
}

static guint64 find_or_add(struct collectives *collectives, const struct collective_call *call,
                           const int *members, int count)
{
	struct place key = {call->comm, count == 1 ? members[0] : -1, NULL};
	struct place *place = g_hash_table_lookup(collectives->places, &key);
	guint64 turn = count_call(collectives, call->comm, call->id.rank);

	if (!place) {
		place = g_memdup2(&key, sizeof(key));
		place->instances = g_array_new(FALSE, FALSE, sizeof(guint64));
		g_hash_table_insert(collectives->places, place, place);
	}
	if (turn == place->instances->len) {
		struct instance *instance = g_new0(struct instance, 1);
		guint64 number = collectives->instances->len;

		instance->first = *call;
		instance->members = members;
		instance->count = count;
		instance->calls = g_new0(struct op_id, count);
		g_ptr_array_add(collectives->instances, instance);
		g_array_append_val(place->instances, number);
	}
	return g_array_index(place->instances, guint64, turn);
}

static struct instance *get(const struct collectives *collectives, guint64 number)
{
	g_assert(number < collectives->instances->len);
	return collectives->instances->pdata[number];
}

guint collectives_differ(const struct collective_call *one, const struct collective_call *other)
{
	guint parts = 0;

	if (one->function != other->function)
		return PART_OPERATION;
	if (one->root != other->root)
		parts |= PART_ROOT;
	if (one->reduction != 0 && other->reduction != 0 && one->reduction != other->reduction)
		parts |= PART_REDUCTION;
	if (one->counts != 0 && other->counts != 0 && one->counts != other->counts)
		parts |= PART_COUNTS;
	if (!one->same_data || !other->same_data)
		return parts;
	if (one->types.bytes != other->types.bytes && !(parts & PART_COUNTS))
		parts |= PART_COUNT;
	if (!types_match(&one->types, &other->types))
		parts |= PART_TYPE;
	return parts;
}

guint64 collectives_arrive(struct collectives *collectives, const struct collective_call *call,
                           const int *members, int count)
{
	guint64 number = find_or_add(collectives, call, members, count);
	struct instance *instance = get(collectives, number);
	const struct collective_call *first = &instance->first;
	int position = collectives_position(collectives, number, call->id.rank);

	g_assert(position >= 0);
	instance->calls[position] = call->id;
	instance->arrived++;
	if (collectives_differ(first, call) == 0)
		return number;
	instance->disagrees = TRUE;
	if (!collectives->disagree) {
		collectives->disagree = TRUE;
		collectives->mismatch.first = *first;
		collectives->mismatch.other = *call;
	}
	return number;
}

int collectives_position(const struct collectives *collectives, guint64 number, int rank)
{
	const struct instance *instance = get(collectives, number);

	for (int i = 0; i < instance->count; i++) {
		if (instance->members[i] == rank)
			return i;
	}
	return -1;
}

gboolean collectives_may_leave(const struct collectives *collectives, guint64 number, int rank,
                               enum event_order order)
{
	const struct instance *instance = get(collectives, number);
	int position;

	if (instance->disagrees)
		return FALSE;
	switch (order) {
	case ORDER_NONE:
		return TRUE;
	case ORDER_ALL:
		return instance->arrived == instance->count;
	case ORDER_ROOT:
		position = collectives_position(collectives, number, instance->first.root);
		return position >= 0 && instance->calls[position].call != 0;
	case ORDER_LOWER:
		position = collectives_position(collectives, number, rank);
		for (int i = 0; i < position; i++) {
			if (instance->calls[i].call == 0)
				return FALSE;
		}
		return TRUE;
	}
	return FALSE;
}

gboolean collectives_complete(const struct collectives *collectives, guint64 number)
{
	const struct instance *instance = get(collectives, number);

	return !instance->disagrees && instance->arrived == instance->count;
}

const struct op_id *collectives_calls(const struct collectives *collectives, guint64 number,
                                      int *ret_count)
{
	const struct instance *instance = get(collectives, number);

	*ret_count = instance->count;
	return instance->calls;
}

gboolean collectives_mismatch(const struct collectives *collectives,
                              struct collective_mismatch *ret)
{
	if (collectives->disagree)
		*ret = collectives->mismatch;
	return collectives->disagree;
}
