#include "collectives.h"

#include "common/mix.h"

#include <string.h>

struct instance {
	struct collective_members members;
	struct op_id *calls;             /* by member; call 0: not arrived */
	struct collective_call *entered; /* by member; NULL once all have come and agree */
	int arrived;
	int last; /* position of the member that came last, if any */
	bool disagrees;
	bool uneven;
};

/* Number of collective calls that a rank has made on a communicator. */
struct counter {
	guint64 comm;
	gint64 rank;
	guint64 made;
};

/* The instances of a communicator, in order. */
struct place {
	guint64 comm;
	gint64 owner;      /* on MPI_COMM_SELF, where each rank has its own: that rank; else -1 */
	GArray *instances; /* of guint64 */
};

struct collectives {
	GPtrArray *instances;
	GHashTable *counters;
	GHashTable *places;
	bool disagree;
};

static guint pair_hash(gconstpointer key)
{
	const guint64 *pair = key;

	return (guint)mix(pair[0], pair[1]);
}

static gboolean pair_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, 2 * sizeof(guint64)) == 0;
}

/* Frees the members' arguments, which are not needed any more. */
static void forget_entered(struct instance *instance)
{
	for (int i = 0; instance->entered && i < instance->members.count; i++)
		exchange_unref(instance->entered[i].exchange);
	g_clear_pointer(&instance->entered, g_free);
}

static void instance_free(gpointer pointer)
{
	struct instance *instance = pointer;

	forget_entered(instance);
	g_free(instance->calls);
	g_free(instance);
}

static struct instance *instance_copy(const struct instance *from)
{
	struct instance *to = g_memdup2(from, sizeof(*from));
	gsize count = (gsize)from->members.count;

	to->calls = g_memdup2(from->calls, count * sizeof(*from->calls));
	if (!from->entered)
		return to;
	to->entered = g_memdup2(from->entered, count * sizeof(*from->entered));
	for (gsize i = 0; i < count; i++)
		exchange_ref(to->entered[i].exchange);
	return to;
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

	for (guint i = 0; i < from->instances->len; i++)
		g_ptr_array_add(to->instances, instance_copy(from->instances->pdata[i]));
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
                           const struct collective_members *members)
{
	struct place key = {call->comm, members->count == 1 ? members->ranks[0] : -1, NULL};
	struct place *place = g_hash_table_lookup(collectives->places, &key);
	guint64 turn = count_call(collectives, call->comm, call->id.rank);

	if (!place) {
		place = g_memdup2(&key, sizeof(key));
		place->instances = g_array_new(false, false, sizeof(guint64));
		g_hash_table_insert(collectives->places, place, place);
	}
	if (turn == place->instances->len) {
		struct instance *instance = g_new0(struct instance, 1);
		guint64 number = collectives->instances->len;

		instance->members = *members;
		instance->calls = g_new0(struct op_id, members->count);
		instance->entered = g_new0(struct collective_call, members->count);
		g_ptr_array_add(collectives->instances, instance);
		g_array_append_val(place->instances, number);
	}
	return g_array_index(place->instances, guint64, turn);
}

static struct instance *get_instance(const struct collectives *collectives, guint64 number)
{
	g_assert(number < collectives->instances->len);
	return collectives->instances->pdata[number];
}

/* --- agreement -------------------------------------------------------------------------------- */

/* Whether a member is in the first group. All members of an intracommunicator are in the second. */
static bool in_first(const struct instance *instance, int position)
{
	return position < instance->members.first;
}

/* The rank by which other members name this one. */
static int place_of(const struct instance *instance, int position)
{
	return in_first(instance, position) ? position : position - instance->members.first;
}

static bool members_exchange(const struct instance *instance, int from, int to)
{
	return instance->members.first == 0 || in_first(instance, from) != in_first(instance, to);
}

/* Whether the arguments of two members must be equal. They must be within a group of an
 * intercommunicator. If members state with which others they exchange data, only the arguments of
 * these must be equal. */
static bool shares_arguments(const struct instance *instance, int first, int other)
{
	const struct exchange *exchange = instance->entered[first].exchange;
	const struct exchange *others = instance->entered[other].exchange;

	return in_first(instance, first) == in_first(instance, other)
	       && ((!exchange && !others) || exchange_reaches(exchange, place_of(instance, other))
	           || exchange_reaches(others, place_of(instance, first)));
}

/* The position of the root that a member of an intercommunicator names; -1: it names none. */
static int root_position(const struct instance *instance, int position)
{
	int given = instance->entered[position].given_root;

	if (given < 0)
		return given == WIRE_ROOT_ITSELF ? position : -1;
	return in_first(instance, position) ? instance->members.first + given : given;
}

/* A member that gives MPI_PROC_NULL means that another member of its group is the root. */
static bool may_be_beside(const struct instance *instance, int position, int root)
{
	return root != position && in_first(instance, position) == in_first(instance, root);
}

/* Both call the same function: both name a root, or neither does. */
static bool roots_differ(const struct instance *instance, int first, int other)
{
	int a = root_position(instance, first), b = root_position(instance, other);

	if (instance->entered[first].given_root == WIRE_NO_ROOT || first == other)
		return false;
	if (a >= 0 && b >= 0)
		return a != b;
	if (a >= 0 || b >= 0)
		return !may_be_beside(instance, a >= 0 ? other : first, a >= 0 ? a : b);
	return in_first(instance, first) != in_first(instance, other);
}

static guint arguments_differ(const struct instance *instance, int first, int other)
{
	const struct collective_call *a = &instance->entered[first], *b = &instance->entered[other];
	guint parts = 0;

	if (a->function != b->function)
		return PART_OPERATION;
	if (instance->members.first > 0 ? roots_differ(instance, first, other) : a->root != b->root)
		parts |= PART_ROOT;
	if (a->reduction != 0 && b->reduction != 0 && a->reduction != b->reduction)
		parts |= PART_REDUCTION;
	if (a->counts != 0 && b->counts != 0 && a->counts != b->counts
	    && shares_arguments(instance, first, other))
		parts |= PART_COUNTS;
	if (!a->same_data || !b->same_data)
		return parts;
	if (!types_match(&a->types, &b->types))
		parts |= PART_TYPE;
	if (a->types.bytes != b->types.bytes && !(parts & PART_COUNTS)
	    && !(parts & PART_TYPE && types_count(&a->types) == types_count(&b->types)))
		parts |= PART_COUNT;
	return parts;
}

static struct exchange_difference data_differs(const struct instance *instance, int from, int to)
{
	if (!members_exchange(instance, from, to))
		return (struct exchange_difference){EXCHANGE_FITS};
	return exchange_compare(instance->entered[from].exchange, place_of(instance, from),
	                        instance->entered[to].exchange, place_of(instance, to));
}

/* Compares two members that have arrived; they may be the same. false: they agree. */
static bool members_differ(const struct instance *instance, int first, int other,
                           struct collective_mismatch *mismatch)
{
	*mismatch = (struct collective_mismatch){
		.first = instance->entered[first],
		.other = instance->entered[other],
		.parts = arguments_differ(instance, first, other),
	};
	if (mismatch->parts != 0)
		return true;
	mismatch->data = data_differs(instance, first, other);
	if (mismatch->data.fault == EXCHANGE_FITS) {
		mismatch->data = data_differs(instance, other, first);
		mismatch->backwards = true;
	}
	if (mismatch->data.fault != EXCHANGE_FITS)
		mismatch->parts = PART_DATA;
	return mismatch->parts != 0;
}

static bool has_arrived(const struct instance *instance, int position)
{
	return instance->calls[position].call != 0;
}

static bool members_agree(const struct instance *instance, int one, int other)
{
	struct collective_mismatch unused;

	return !instance->disagrees || !members_differ(instance, one, other, &unused);
}

/* Whether every call that matches one of the two also matches the other, and each matches
 * itself. */
static bool is_alike(const struct collective_call *one, const struct collective_call *other)
{
	return !one->exchange && !other->exchange && one->function == other->function
	       && one->root == other->root && one->reduction == other->reduction
	       && one->counts == other->counts && one->same_data == other->same_data
	       && one->types.bytes == other->types.bytes && one->types.basic == other->types.basic
	       && one->types.runs == other->types.runs;
}

/* A member that arrives is compared with all that came before. If it is like the last of these,
 * that is not necessary. */
static bool disagrees_with_some(const struct instance *instance, int position)
{
	struct collective_mismatch unused;

	if (instance->members.first == 0 && instance->arrived > 1
	    && is_alike(&instance->entered[instance->last], &instance->entered[position]))
		return false;
	for (int i = 0; i < instance->members.count; i++)
		if (has_arrived(instance, i) && members_differ(instance, i, position, &unused))
			return true;
	return false;
}

static bool are_uneven(const struct collective_call *one, const struct collective_call *other)
{
	return one->function == other->function && one->whole != other->whole;
}

guint64 collectives_arrive(struct collectives *collectives, const struct collective_call *call,
                           const struct collective_members *members)
{
	guint64 number = find_or_add(collectives, call, members);
	struct instance *instance = get_instance(collectives, number);
	int position = collectives_position(collectives, number, call->id.rank);
	g_assert(position >= 0 && instance->entered);
	instance->calls[position] = call->id;
	instance->entered[position] = *call;
	if (instance->arrived > 0)
		instance->uneven |= are_uneven(call, &instance->entered[instance->last]);
	instance->arrived++;
	if (!instance->disagrees)
		instance->disagrees = disagrees_with_some(instance, position);
	instance->last = position;
	collectives->disagree |= instance->disagrees;
	if (collectives_complete(collectives, number))
		forget_entered(instance);
	return number;
}

int collectives_position(const struct collectives *collectives, guint64 number, int rank)
{
	const struct instance *instance = get_instance(collectives, number);

	if (rank < instance->members.count && instance->members.ranks[rank] == rank)
		return rank; /* as on MPI_COMM_WORLD */
	for (int i = 0; i < instance->members.count; i++) {
		if (instance->members.ranks[i] == rank)
			return i;
	}
	return -1;
}

/* Whether the members with which it exchanges data have come, and agree with it. */
static bool may_leave_early(const struct instance *instance, int position, enum event_order order)
{
	int root;

	if (!has_arrived(instance, position) || !members_agree(instance, position, position))
		return false;
	if (order == ORDER_NONE)
		return true;
	if (order == ORDER_LOWER) {
		for (int i = 0; i < position; i++) {
			if (!has_arrived(instance, i) || !members_agree(instance, i, position))
				return false;
		}
		return true;
	}
	for (root = 0; root < instance->members.count; root++) {
		if (instance->members.ranks[root] == instance->entered[position].root)
			break;
	}
	return root < instance->members.count && has_arrived(instance, root)
	       && members_agree(instance, root, root) && members_agree(instance, root, position);
}

bool collectives_may_leave(const struct collectives *collectives, guint64 number, int rank,
                           enum event_order order)
{
	const struct instance *instance = get_instance(collectives, number);

	if (collectives_complete(collectives, number))
		return true;
	return order != ORDER_ALL
	       && may_leave_early(instance, collectives_position(collectives, number, rank), order);
}

guint64 collectives_count(const struct collectives *collectives)
{
	return collectives->instances->len;
}

bool collectives_disagrees(const struct collectives *collectives, guint64 number)
{
	return get_instance(collectives, number)->disagrees;
}

bool collectives_are_uneven(const struct collectives *collectives, guint64 number)
{
	return get_instance(collectives, number)->uneven;
}

bool collectives_complete(const struct collectives *collectives, guint64 number)
{
	const struct instance *instance = get_instance(collectives, number);

	return !instance->disagrees && instance->arrived == instance->members.count;
}

const struct op_id *collectives_calls(const struct collectives *collectives, guint64 number,
                                      int *ret_count)
{
	const struct instance *instance = get_instance(collectives, number);

	*ret_count = instance->members.count;
	return instance->calls;
}

/* Which group of an intercommunicator was announced first is chance. This order of the members does
 * not depend on it. */
static int position_of(const struct instance *instance, int i)
{
	const struct collective_members *members = &instance->members;
	bool is_turned = members->first > 0 && members->ranks[members->first] < members->ranks[0];

	return is_turned ? (i + members->first) % members->count : i;
}

static bool find_mismatch(const struct instance *instance, struct collective_mismatch *ret)
{
	for (int i = 0; i < instance->members.count; i++) {
		int first = position_of(instance, i);

		if (!has_arrived(instance, first))
			continue;
		for (int j = i; j < instance->members.count; j++) {
			int other = position_of(instance, j);

			if (has_arrived(instance, other)
			    && members_differ(instance, first, other, ret))
				return true;
		}
	}
	return false;
}

/* Whether a has the earlier call, in the count of its rank. */
static bool is_before(const struct collective_mismatch *a, const struct collective_mismatch *b)
{
	struct op_id one = a->first.id, other = b->first.id;

	return one.call != other.call ? one.call < other.call : one.rank < other.rank;
}

bool collectives_mismatch(const struct collectives *collectives, struct collective_mismatch *ret)
{
	bool found = false;

	for (guint i = 0; collectives->disagree && i < collectives->instances->len; i++) {
		const struct instance *instance = collectives->instances->pdata[i];
		struct collective_mismatch mismatch;

		if (!instance->disagrees || !find_mismatch(instance, &mismatch)
		    || (found && !is_before(&mismatch, ret)))
			continue;
		*ret = mismatch;
		found = true;
	}
	return found;
}
