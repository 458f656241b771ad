#include "rma_order.h"

#include <string.h>

#include "explorer/lock.h"
#include "rma_key.h"

/* A vector of times, by rank. Shared, and then never changed. */
struct rma_clock {
	guint references;
	guint32 times[];
};

/* An arrival in a collective. */
struct arrival {
	int rank;
	gint32 position;
	struct op_id id;
	struct rma_clock *clock;
};

struct meeting {
	struct rma_clock *all; /* joined clocks of all arrivals so far */
	GArray *arrivals;      /* struct arrival */
	gint32 root;
	gint32 members;
	guint left;     /* number of members that have left it */
	guint64 fenced; /* window, if it is a fence; 0: it is none */
	bool ends;      /* some member's fence ends an epoch */
};

/* `window` 0: none. */
struct fence {
	guint64 window;
	bool ends;
};

struct rma_order {
	int ranks;
	GHashTable *clocks;   /* struct rma_clock by rank; also of the places of locks (lock.h) */
	GHashTable *issued;   /* struct rma_clock by op_id: of sends and receives not yet matched */
	GHashTable *probes;   /* op_id: those of them that take no message */
	GHashTable *learnt;   /* struct rma_clock by op_id: what is known with its completion */
	GHashTable *meetings; /* struct meeting, by number */
	struct fence *fences; /* by rank: the fence that its next arrival belongs to */
	GHashTable *exposed;  /* guint64 by struct rma_key: meeting of the last fence that the
	                         rank has left */
};

struct rma_clock *rma_clock_ref(struct rma_clock *clock)
{
	if (clock)
		clock->references++;
	return clock;
}

void rma_clock_unref(struct rma_clock *clock)
{
	if (clock && --clock->references == 0)
		g_free(clock);
}

static void clock_unref(gpointer clock)
{
	rma_clock_unref(clock);
}

/* NULL stands for a clock of zeros. */
static struct rma_clock *clock_copy(const struct rma_order *order, const struct rma_clock *from)
{
	gsize bytes = sizeof(struct rma_clock) + (gsize)order->ranks * sizeof(guint32);
	struct rma_clock *clock = from ? g_memdup2(from, bytes) : g_malloc0(bytes);

	clock->references = 1;
	return clock;
}

static bool clock_covers(const struct rma_order *order, const struct rma_clock *clock,
                         const struct rma_clock *other)
{
	for (int i = 0; other && i < order->ranks; i++)
		if (other->times[i] > (clock ? clock->times[i] : 0))
			return false;
	return true;
}

/* *at becomes the later of both in each component. */
static void clock_join(const struct rma_order *order, struct rma_clock **at,
                       struct rma_clock *other)
{
	struct rma_clock *old = *at;

	if (clock_covers(order, old, other))
		return;
	if (clock_covers(order, other, old)) {
		*at = rma_clock_ref(other);
	} else {
		*at = clock_copy(order, old);
		for (int i = 0; i < order->ranks; i++)
			(*at)->times[i] = MAX((*at)->times[i], other->times[i]);
	}
	clock_unref(old);
}

static void meeting_free(gpointer pointer)
{
	struct meeting *meeting = pointer;

	for (guint i = 0; i < meeting->arrivals->len; i++)
		clock_unref(g_array_index(meeting->arrivals, struct arrival, i).clock);
	g_array_unref(meeting->arrivals);
	clock_unref(meeting->all);
	g_free(meeting);
}

static GHashTable *clocks_by_op(void)
{
	return g_hash_table_new_full(op_id_key_hash, op_id_key_equal, g_free, clock_unref);
}

struct rma_order *rma_order_new(int ranks)
{
	struct rma_order *order = g_new0(struct rma_order, 1);

	order->ranks = ranks;
	order->clocks = g_hash_table_new_full(NULL, NULL, NULL, clock_unref);
	order->issued = clocks_by_op();
	order->probes = g_hash_table_new_full(op_id_key_hash, op_id_key_equal, g_free, NULL);
	order->learnt = clocks_by_op();
	order->meetings = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, meeting_free);
	order->fences = g_new0(struct fence, ranks);
	order->exposed = g_hash_table_new_full(rma_key_hash, rma_key_equal, g_free, g_free);
	return order;
}

void rma_order_free(struct rma_order *order)
{
	if (!order)
		return;
	g_hash_table_destroy(order->clocks);
	g_hash_table_destroy(order->issued);
	g_hash_table_destroy(order->probes);
	g_hash_table_destroy(order->learnt);
	g_hash_table_destroy(order->meetings);
	g_free(order->fences);
	g_hash_table_destroy(order->exposed);
	g_free(order);
}

static struct rma_clock *clock_of(const struct rma_order *order, int rank)
{
	return g_hash_table_lookup(order->clocks, GINT_TO_POINTER(rank));
}

static void rank_learns(struct rma_order *order, int rank, struct rma_clock *clock)
{
	struct rma_clock *own = clock_of(order, rank), *joined = rma_clock_ref(own);

	clock_join(order, &joined, clock);
	if (joined == own)
		clock_unref(joined);
	else
		g_hash_table_insert(order->clocks, GINT_TO_POINTER(rank), joined);
}

static void put_clock(GHashTable *table, struct op_id id, struct rma_clock *clock)
{
	if (clock)
		g_hash_table_replace(table, g_memdup2(&id, sizeof(id)), rma_clock_ref(clock));
}

/* When a receive or probe completes, its rank knows what the sender knew. When a send completes
 * that waits for its match, its rank knows what the receiver knew at the post. A probe leaves the
 * message for others. A send may be complete long before its match. */
static void order_match(struct rma_order *order, const struct event *event)
{
	struct rma_clock *sent = g_hash_table_lookup(order->issued, &event->other);
	struct rma_clock *posted = g_hash_table_lookup(order->issued, &event->op.id);

	put_clock(order->learnt, event->op.id, sent);
	if (!g_hash_table_remove(order->probes, &event->op.id)) {
		put_clock(order->learnt, event->other, posted);
		g_hash_table_remove(order->issued, &event->other);
	}
	g_hash_table_remove(order->issued, &event->op.id);
}

/* If a matched probe took the message, the send waits for MPI_Mrecv: then its rank knows what the
 * receiver knew there. */
static void order_fetch(struct rma_order *order, const struct event *event)
{
	put_clock(order->learnt, event->other, clock_of(order, event->op.id.rank));
}

static void order_complete(struct rma_order *order, const struct event *event)
{
	rank_learns(order, event->op.id.rank, g_hash_table_lookup(order->learnt, &event->op.id));
	g_hash_table_remove(order->learnt, &event->op.id);
}

static void order_issue(struct rma_order *order, const struct event *event)
{
	if (event->op.kind == OPERATION_PROBE)
		g_hash_table_add(order->probes, g_memdup2(&event->op.id, sizeof(event->op.id)));
	put_clock(order->issued, event->op.id, clock_of(order, event->op.id.rank));
}

static struct meeting *meeting_of(struct rma_order *order, guint64 number)
{
	struct meeting *meeting = g_hash_table_lookup(order->meetings, &number);

	if (!meeting) {
		meeting = g_new0(struct meeting, 1);
		meeting->arrivals = g_array_new(false, false, sizeof(struct arrival));
		meeting->root = -1;
		g_hash_table_insert(order->meetings, g_memdup2(&number, sizeof(number)), meeting);
	}
	return meeting;
}

static void order_arrive(struct rma_order *order, const struct event *event)
{
	int rank = event->op.id.rank;
	struct meeting *meeting = meeting_of(order, event->collective);
	struct arrival arrival = {rank, event->position, event->op.id,
	                          rma_clock_ref(clock_of(order, rank))};

	meeting->root = event->root;
	meeting->members = event->members;
	if (rank < order->ranks && order->fences[rank].window != 0) {
		meeting->fenced = order->fences[rank].window;
		meeting->ends |= order->fences[rank].ends;
		order->fences[rank].window = 0;
	}
	clock_join(order, &meeting->all, arrival.clock);
	g_array_append_val(meeting->arrivals, arrival);
}

static void order_leave(struct rma_order *order, const struct event *event)
{
	int rank = event->op.id.rank;
	struct meeting *meeting = meeting_of(order, event->collective);
	gint32 position = -1;

	meeting->left++;
	if (meeting->fenced != 0) {
		struct rma_key view = {meeting->fenced, rank, 0};

		g_hash_table_replace(order->exposed, rma_key_new(view),
		                     g_memdup2(&event->collective, sizeof(event->collective)));
		if (!meeting->ends)
			return;
	}
	if (event->order == ORDER_ALL)
		rank_learns(order, rank, meeting->all);
	for (guint i = 0; i < meeting->arrivals->len && event->order == ORDER_LOWER; i++) {
		const struct arrival *own = &g_array_index(meeting->arrivals, struct arrival, i);

		if (own->rank == rank)
			position = own->position;
	}
	for (guint i = 0; i < meeting->arrivals->len; i++) {
		const struct arrival *one = &g_array_index(meeting->arrivals, struct arrival, i);

		if ((event->order == ORDER_ROOT && one->rank == meeting->root)
		    || (event->order == ORDER_LOWER && one->position < position))
			rank_learns(order, rank, one->clock);
	}
}

/* That one atomic operation came before another orders nothing else: it was merely observed. */
static bool is_of_word(const struct rma_order *order, const struct event *event)
{
	struct lock_place place;

	return event->op.tag == LOCK_TAG_CHANGED
	       || (lock_from_number(order->ranks,
	                            event->kind == EVENT_SEND ? event->op.peer : event->op.id.rank,
	                            &place)
	           && place.word > 0);
}

void rma_order_read(struct rma_order *order, const struct event *event)
{
	switch (event->kind) {
	case EVENT_SEND:
	case EVENT_RECEIVE:
		if (!is_of_word(order, event))
			order_issue(order, event);
		break;
	case EVENT_MATCH: order_match(order, event); break;
	case EVENT_FETCH: order_fetch(order, event); break;
	case EVENT_COMPLETE:
	case EVENT_TAKEN: order_complete(order, event); break;
	case EVENT_ARRIVE: order_arrive(order, event); break;
	case EVENT_LEAVE: order_leave(order, event); break;
	default: break;
	}
}

void rma_order_fence(struct rma_order *order, int rank, guint64 window, bool ends)
{
	order->fences[rank] = (struct fence){window, ends};
}

guint32 rma_order_tick(struct rma_order *order, int rank)
{
	struct rma_clock *clock = clock_copy(order, clock_of(order, rank));
	guint32 time = ++clock->times[rank];

	g_hash_table_insert(order->clocks, GINT_TO_POINTER(rank), clock);
	return time;
}

struct rma_clock *rma_order_now(const struct rma_order *order, int rank)
{
	return rma_clock_ref(clock_of(order, rank));
}

struct rma_clock *rma_order_now_at(const struct rma_order *order, int rank, guint64 window,
                                   int target)
{
	const struct rma_key view = {window, rank, 0};
	struct rma_clock *now = rma_order_now(order, rank);
	const guint64 *number = g_hash_table_lookup(order->exposed, &view);
	const struct meeting *fence = number ? g_hash_table_lookup(order->meetings, number) : NULL;

	for (guint i = 0; fence && i < fence->arrivals->len; i++) {
		const struct arrival *one = &g_array_index(fence->arrivals, struct arrival, i);

		if (one->rank == target)
			clock_join(order, &now, one->clock);
	}
	return now;
}

bool rma_clock_knows(const struct rma_clock *clock, int other, guint32 time)
{
	return clock && clock->times[other] >= time;
}

bool rma_order_knows(const struct rma_order *order, int rank, int other, guint32 time)
{
	return rma_clock_knows(clock_of(order, rank), other, time);
}

/* --- what still matters ----------------------------------------------------------------------- */

static guint32 time_of(const struct rma_clock *clock, int rank)
{
	return clock ? clock->times[rank] : 0;
}

bool rma_clock_fingerprint(const struct rma_clock *clock, const struct rma_scale *scale, int ranks,
                           struct state_hash *ret)
{
	bool any = false;

	for (int rank = 0; rank < ranks; rank++) {
		guint32 place = rma_scale_place(scale, rank, time_of(clock, rank));

		any |= place > 0;
		state_hash_add(ret, place);
	}
	return any;
}

enum carrier { CARRIER_RANK, CARRIER_ISSUED, CARRIER_LEARNT, CARRIER_MEETING, CARRIER_VIEW };

static void add_operations(const struct rma_order *order, enum carrier carrier, GHashTable *clocks,
                           const struct rma_scale *scale, const struct rma_namer *namer,
                           struct state_hash *sum)
{
	GHashTableIter iter;
	gpointer id, clock;

	g_hash_table_iter_init(&iter, clocks);
	while (g_hash_table_iter_next(&iter, &id, &clock)) {
		struct state_hash one = {{carrier, 0}};

		if (!rma_clock_fingerprint(clock, scale, order->ranks, &one))
			continue;
		namer->add_id(&one, namer->user, *(const struct op_id *)id);
		state_hash_add_member(sum, &one);
	}
}

static void add_ranks(const struct rma_order *order, const struct rma_scale *scale,
                      struct state_hash *sum)
{
	GHashTableIter iter;
	gpointer rank, clock;

	g_hash_table_iter_init(&iter, order->clocks);
	while (g_hash_table_iter_next(&iter, &rank, &clock)) {
		struct state_hash one = {{CARRIER_RANK, (guint64)GPOINTER_TO_INT(rank)}};

		if (rma_clock_fingerprint(clock, scale, order->ranks, &one))
			state_hash_add_member(sum, &one);
	}
}

/* No member can still come, or learn anything there. */
static bool is_over(const struct meeting *meeting)
{
	return meeting->members > 0 && meeting->arrivals->len == (guint)meeting->members
	       && meeting->left >= meeting->arrivals->len;
}

static void add_meetings(const struct rma_order *order, const struct rma_scale *scale,
                         const struct rma_namer *namer, struct state_hash *sum)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, order->meetings);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct meeting *meeting = value;

		for (guint i = 0; !is_over(meeting) && i < meeting->arrivals->len; i++) {
			const struct arrival *arrival = &g_array_index(meeting->arrivals,
			                                               struct arrival, i);
			struct state_hash one = {{CARRIER_MEETING, 0}};

			if (!rma_clock_fingerprint(arrival->clock, scale, order->ranks, &one))
				continue;
			namer->add_id(&one, namer->user, arrival->id);
			state_hash_add_member(sum, &one);
		}
	}
}

/* What an access to that member's window knows in addition to what its own rank does. */
static void add_view(const struct rma_order *order, const struct rma_key *view,
                     const struct arrival *arrival, const struct rma_scale *scale,
                     struct state_hash *sum)
{
	struct rma_clock *joined = rma_order_now(order, view->rank);
	struct state_hash one = {{CARRIER_VIEW, view->window}};

	clock_join(order, &joined, arrival->clock);
	state_hash_add(&one, (guint64)view->rank << 32 | (guint32)arrival->rank);
	if (rma_clock_fingerprint(joined, scale, order->ranks, &one))
		state_hash_add_member(sum, &one);
	rma_clock_unref(joined);
}

static bool add_views(const struct rma_order *order, const struct rma_scale *scale,
                      struct state_hash *sum)
{
	GHashTableIter iter;
	gpointer view, number;

	for (int rank = 0; rank < order->ranks; rank++)
		if (order->fences[rank].window != 0)
			return false;
	g_hash_table_iter_init(&iter, order->exposed);
	while (g_hash_table_iter_next(&iter, &view, &number)) {
		const struct meeting *fence = g_hash_table_lookup(order->meetings, number);

		if (!fence || fence->arrivals->len != (guint)fence->members)
			return false;
		for (guint i = 0; i < fence->arrivals->len; i++)
			add_view(order, view, &g_array_index(fence->arrivals, struct arrival, i),
			         scale, sum);
	}
	return true;
}

bool rma_order_fingerprint(const struct rma_order *order, const struct rma_scale *scale,
                           const struct rma_namer *namer, struct state_hash *ret)
{
	struct state_hash sum = {{0, 0}};
	bool known = add_views(order, scale, &sum);

	add_ranks(order, scale, &sum);
	add_operations(order, CARRIER_ISSUED, order->issued, scale, namer, &sum);
	add_operations(order, CARRIER_LEARNT, order->learnt, scale, namer, &sum);
	add_meetings(order, scale, namer, &sum);
	state_hash_add(ret, sum.word[0]);
	state_hash_add(ret, sum.word[1]);
	return known;
}
