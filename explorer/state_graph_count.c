/* Counts the interleavings in a graph of states (state_graph.h). */
#include "state_graph_internal.h"

/* So many states with what is asleep there, and so many points in states, are looked at most. */
#define LOOKED_AT_MOST 4000000u

/* Searches for what comes later to a point go at most so deep. */
#define DEPTH_MOST 10000u

struct counting {
	struct state_graph *graph;
	GArray *order;          /* guint: all states and ends that can be reached, ends last */
	GHashTable *shifted;    /* guint64 key (point, shift): number of the point + 1 */
	GHashTable *later;      /* guint64 key (state, point): struct later + 1 in `all_later` */
	struct numbered sets;   /* sorted guint32: kinds of `taken` */
	struct numbered asleep; /* sorted guint64: choices as (point, taken) */
	GHashTable **ways;      /* by number: number in `asleep`: guint64 */
	GArray *ends;           /* guint64 by number */
	guint looked_at;
	bool some; /* choices are left */
};

/* What a point that is open in a state takes there or later, in `sets`. */
struct later {
	guint32 set;
	bool spared; /* there is an end to which it takes nothing */
};

/* Packed in a pointer, for the hash table. */
static gpointer pack_later(struct later later)
{
	return GSIZE_TO_POINTER(((gsize)later.set << 1 | later.spared) + 1);
}

static struct later unpack_later(gpointer packed)
{
	gsize value = GPOINTER_TO_SIZE(packed) - 1;

	return (struct later){(guint32)(value >> 1), value & 1};
}

static guint64 key_of(guint32 one, guint32 other)
{
	return (guint64)one << 32 | other;
}

static GHashTable *table_new(void)
{
	return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

static bool is_too_much(struct counting *counting)
{
	return counting->looked_at > LOOKED_AT_MOST;
}

guint64 state_graph_sum(guint64 one, guint64 other)
{
	return MIN(one + other, STATE_GRAPH_BEYOND);
}

/* --- points from state to state --------------------------------------------------------------- */

static struct point point_at(const struct counting *counting, guint32 number)
{
	struct choice_bytes read = {0};
	struct point point = {0};
	gsize size;

	read.data = g_bytes_get_data(counting->graph->points.all->pdata[number], &size);
	read.left = size;
	point_take(&read, &point);
	return point;
}

/* The same point in the state to which the edge leads. */
static guint32 point_after(struct counting *counting, guint32 number, guint32 shift)
{
	guint64 key = key_of(number, shift);
	guint known = GPOINTER_TO_UINT(g_hash_table_lookup(counting->shifted, &key));
	g_autoptr(GByteArray) bytes = NULL;
	const guint32 *calls;
	struct point point;
	guint32 after;
	gsize size;

	if (known > 0)
		return known - 1;
	point = point_at(counting, number);
	calls = g_bytes_get_data(counting->graph->shifts.all->pdata[shift], &size);
	if (point.kind == POINT_CALL && point.call > 0 && (gsize)point.rank < size / sizeof(*calls))
		point.call += calls[point.rank];
	bytes = g_byte_array_new();
	point_put(bytes, &point);
	after = numbered_add(&counting->graph->points, bytes->data, bytes->len);
	g_hash_table_insert(counting->shifted, g_memdup2(&key, sizeof(key)),
	                    GUINT_TO_POINTER(after + 1));
	return after;
}

/* --- order ------------------------------------------------------------------------------------ */

enum colour { WHITE, GREY, BLACK };

struct step {
	guint number;
	guint next; /* edge */
};

/* The next state or end that the step on top leads to; 0: none left. */
static guint next_of(struct counting *counting, struct step *top)
{
	const struct graph_node *node = graph_node(counting->graph, top->number);

	while (node->edges && top->next < node->edges->len) {
		guint to = g_array_index(node->edges, struct graph_edge, top->next++).to;

		if (to > 0)
			return to;
		counting->some = true;
	}
	return 0;
}

/* Lists all that can be reached, each after all that it leads to. False: there is a circle. */
static bool put_in_order(struct counting *counting)
{
	g_autofree guint8 *colours = g_new0(guint8, counting->graph->nodes->len + 1);
	g_autoptr(GArray) stack = g_array_new(false, false, sizeof(struct step));
	struct step step = {1, 0};

	g_array_append_val(stack, step);
	colours[1] = GREY;
	while (stack->len > 0) {
		struct step *top = &g_array_index(stack, struct step, stack->len - 1);
		guint to = next_of(counting, top);

		if (to == 0) {
			colours[top->number] = BLACK;
			g_array_append_val(counting->order, top->number);
			g_array_set_size(stack, stack->len - 1);
		} else if (colours[to] == GREY) {
			return false;
		} else if (colours[to] == WHITE) {
			colours[to] = GREY;
			step.number = to;
			g_array_append_val(stack, step);
		}
	}
	return true;
}

/* --- what comes later to a point -------------------------------------------------------------- */

static gint compare_u32(gconstpointer one, gconstpointer other)
{
	guint32 a = *(const guint32 *)one, b = *(const guint32 *)other;

	return a < b ? -1 : a > b;
}

static gint compare_u64(gconstpointer one, gconstpointer other)
{
	guint64 a = *(const guint64 *)one, b = *(const guint64 *)other;

	return a < b ? -1 : a > b;
}

/* Sorts, and removes what is there twice. Of guint32. */
static guint32 number_of_set(struct numbered *sets, GArray *members)
{
	guint kept = 0;

	g_array_sort(members, compare_u32);
	for (guint i = 0; i < members->len; i++) {
		guint32 member = g_array_index(members, guint32, i);

		if (kept == 0 || g_array_index(members, guint32, kept - 1) != member)
			g_array_index(members, guint32, kept++) = member;
	}
	return numbered_add(sets, members->data, kept * sizeof(guint32));
}

static const guint32 *members_of(const struct counting *counting, guint32 set, gsize *ret_count)
{
	const guint32 *members = g_bytes_get_data(counting->sets.all->pdata[set], ret_count);

	*ret_count /= sizeof(*members);
	return members;
}

/* Also of a point that cannot take anything now. `depth`: of calls of this function. */
static struct later later_at(struct counting *counting, guint number, guint32 point, guint depth)
{
	const struct graph_node *node = graph_node(counting->graph, number);
	guint64 key = key_of(number, point);
	gpointer known = g_hash_table_lookup(counting->later, &key);
	g_autoptr(GArray) members = NULL;
	struct later later = {0, node->is_end};

	if (known)
		return unpack_later(known);
	if (depth > DEPTH_MOST)
		counting->looked_at = LOOKED_AT_MOST;
	if (++counting->looked_at > LOOKED_AT_MOST)
		return later;
	members = g_array_new(false, false, sizeof(guint32));
	for (guint i = 0; node->edges && i < node->edges->len; i++) {
		struct graph_edge edge = g_array_index(node->edges, struct graph_edge, i);
		const guint32 *more;
		struct later then;
		gsize count;

		if (edge.point == point)
			g_array_append_val(members, edge.taken);
		if (edge.point == point || edge.to == 0)
			continue;
		then = later_at(counting, edge.to, point_after(counting, point, edge.shift),
		                depth + 1);
		later.spared |= then.spared;
		more = members_of(counting, then.set, &count);
		g_array_append_vals(members, more, (guint)count);
	}
	later.set = number_of_set(&counting->sets, members);
	g_hash_table_insert(counting->later, g_memdup2(&key, sizeof(key)), pack_later(later));
	return later;
}

static bool has_member(const struct counting *counting, guint32 set, guint32 taken)
{
	gsize count;
	const guint32 *members = members_of(counting, set, &count);

	for (gsize i = 0; i < count; i++)
		if (members[i] == taken)
			return true;
	return false;
}

/* From the ends to the beginning, so that the search for what comes later is not deep. */
static void look_later(struct counting *counting)
{
	for (guint i = 0; i < counting->order->len && !is_too_much(counting); i++) {
		guint number = g_array_index(counting->order, guint, i);
		const struct graph_node *node = graph_node(counting->graph, number);

		for (guint j = 0; node->edges && j < node->edges->len; j++)
			later_at(counting, number,
			         g_array_index(node->edges, struct graph_edge, j).point, 0);
	}
}

/* --- ways ------------------------------------------------------------------------------------- */

static bool sleeps(const GArray *asleep, guint32 point, guint32 taken)
{
	guint64 choice = key_of(point, taken);

	return g_array_binary_search((GArray *)asleep, &choice, compare_u64, NULL);
}

/* Whether each interleaving from here on makes one of the choices that are open at this point. */
static bool is_closed(struct counting *counting, guint number, guint32 point)
{
	const struct graph_node *node = graph_node(counting->graph, number);
	struct later later = later_at(counting, number, point, 0);
	guint here = 0;
	gsize count;

	for (guint i = 0; i < node->edges->len; i++)
		here += g_array_index(node->edges, struct graph_edge, i).point == point;
	members_of(counting, later.set, &count);
	return !later.spared && count == here;
}

/* Adds ways to a state. `asleep`: guint64, any order; changed. */
static void arrive(struct counting *counting, guint number, GArray *asleep, guint64 ways)
{
	guint64 *known;
	gpointer key;

	if (graph_node(counting->graph, number)->is_end) {
		guint64 *end = &g_array_index(counting->ends, guint64, number);

		*end = state_graph_sum(*end, ways);
		return;
	}
	g_array_sort(asleep, compare_u64);
	key = GUINT_TO_POINTER(
		numbered_add(&counting->asleep, asleep->data, asleep->len * sizeof(guint64)));
	if (!counting->ways[number])
		counting->ways[number] = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	known = g_hash_table_lookup(counting->ways[number], key);
	if (!known) {
		counting->looked_at++;
		known = g_new0(guint64, 1);
		g_hash_table_insert(counting->ways[number], key, known);
	}
	*known = state_graph_sum(*known, ways);
}

/* What is still asleep after a choice, without what can never be open again. */
static GArray *asleep_after(struct counting *counting, const struct graph_edge *edge,
                            const GArray *asleep)
{
	GArray *after = g_array_new(false, false, sizeof(guint64));

	for (guint i = 0; i < asleep->len; i++) {
		guint64 choice = g_array_index(asleep, guint64, i);
		guint32 point = (guint32)(choice >> 32), taken = (guint32)choice;

		if (point == edge->point)
			continue;
		point = point_after(counting, point, edge->shift);
		choice = key_of(point, taken);
		if (has_member(counting, later_at(counting, edge->to, point, 0).set, taken))
			g_array_append_val(after, choice);
	}
	return after;
}

/* Whether a point has to make a choice of which all are asleep. */
static bool is_blocked(struct counting *counting, guint number, const GArray *asleep)
{
	for (guint i = 0; i < asleep->len; i++) {
		guint32 point = (guint32)(g_array_index(asleep, guint64, i) >> 32);
		struct later later = later_at(counting, number, point, 0);
		gsize count;
		const guint32 *members = members_of(counting, later.set, &count);
		bool blocked = !later.spared;

		for (gsize j = 0; blocked && j < count; j++)
			blocked = sleeps(asleep, point, members[j]);
		if (blocked)
			return true;
	}
	return false;
}

/* One way after the other, with the same choices asleep in the beginning. */
static void go_on(struct counting *counting, guint number, const GArray *asleep_here, guint64 ways)
{
	const struct graph_node *node = graph_node(counting->graph, number);
	g_autoptr(GArray) asleep = g_array_copy((GArray *)asleep_here);
	const struct graph_edge *closed = NULL;

	if (is_blocked(counting, number, asleep_here))
		return;
	for (guint i = 0; !closed && i < node->edges->len; i++) {
		const struct graph_edge *edge = &g_array_index(node->edges, struct graph_edge, i);

		if (is_closed(counting, number, edge->point))
			closed = edge;
	}
	for (guint i = 0; i < node->edges->len; i++) {
		struct graph_edge edge = g_array_index(node->edges, struct graph_edge, i);
		guint64 choice = key_of(edge.point, edge.taken);
		g_autoptr(GArray) after = NULL;

		if ((closed && edge.point != closed->point)
		    || sleeps(asleep_here, edge.point, edge.taken))
			continue;
		if (edge.to > 0) {
			after = asleep_after(counting, &edge, asleep);
			arrive(counting, edge.to, after, ways);
		}
		g_array_append_val(asleep, choice);
	}
}

static void count_ways(struct counting *counting)
{
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(guint64));

	arrive(counting, 1, none, 1);
	for (guint i = counting->order->len; i-- > 0 && !is_too_much(counting);) {
		guint number = g_array_index(counting->order, guint, i);
		GHashTable *table = counting->ways[number];
		gpointer set, ways;
		GHashTableIter iter;

		if (!table)
			continue;
		g_hash_table_iter_init(&iter, table);
		while (g_hash_table_iter_next(&iter, &set, &ways)) {
			GBytes *bytes = counting->asleep.all->pdata[GPOINTER_TO_UINT(set)];
			g_autoptr(GArray) asleep = g_array_new(false, false, sizeof(guint64));
			gsize size;
			const void *members = g_bytes_get_data(bytes, &size);

			g_array_append_vals(asleep, members, (guint)(size / sizeof(guint64)));
			go_on(counting, number, asleep, *(guint64 *)ways);
		}
		g_hash_table_destroy(table);
		counting->ways[number] = NULL;
	}
}

/* --- the answer ------------------------------------------------------------------------------- */

static void counting_begin(struct counting *counting, struct state_graph *graph)
{
	counting->graph = graph;
	counting->order = g_array_new(false, false, sizeof(guint));
	counting->shifted = table_new();
	counting->later = table_new();
	numbered_init(&counting->sets);
	numbered_init(&counting->asleep);
	numbered_add(&counting->sets, NULL, 0);
	counting->ways = g_new0(GHashTable *, graph->nodes->len + 1);
	counting->ends = g_array_new(false, true, sizeof(guint64));
	g_array_set_size(counting->ends, graph->nodes->len + 1);
}

static void counting_end(struct counting *counting)
{
	for (guint i = 0; i <= counting->graph->nodes->len; i++)
		g_clear_pointer(&counting->ways[i], g_hash_table_destroy);
	g_free(counting->ways);
	numbered_clear(&counting->asleep);
	numbered_clear(&counting->sets);
	g_hash_table_destroy(counting->later);
	g_hash_table_destroy(counting->shifted);
	g_array_unref(counting->order);
	g_array_unref(counting->ends);
}

enum graph_answer state_graph_count(struct state_graph *graph, GArray **ret_ends)
{
	struct counting counting = {0};
	enum graph_answer answer;

	*ret_ends = NULL;
	if (graph->blurred || graph->nodes->len == 0)
		return GRAPH_UNKNOWN;
	counting_begin(&counting, graph);
	if (!put_in_order(&counting)) {
		counting_end(&counting);
		return GRAPH_UNBOUNDED;
	}
	look_later(&counting);
	if (!is_too_much(&counting))
		count_ways(&counting);
	answer = is_too_much(&counting) ? GRAPH_UNKNOWN
	         : counting.some        ? GRAPH_COUNTED_SOME
	                                : GRAPH_COUNTED;
	if (answer != GRAPH_UNKNOWN)
		*ret_ends = g_array_ref(counting.ends);
	counting_end(&counting);
	return answer;
}
