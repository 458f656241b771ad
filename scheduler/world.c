#include "world_internal.h"

#include <string.h>

#include "mpi_calls.h"

static guint message_hash(gconstpointer key)
{
	const struct op_id *id = key;

	return ((guint)id->rank * 0x9e3779b1u) ^ (id->call * 0x85ebca6bu) ^ (id->sub * 0xc2b2ae35u);
}

static gboolean message_equal(gconstpointer a, gconstpointer b)
{
	const struct op_id *one = a, *other = b;

	return op_id_equal(*one, *other);
}

static void rank_init(struct rank *rank)
{
	rank->waited = g_array_new(FALSE, FALSE, sizeof(struct wire_name));
	rank->live = g_array_new(FALSE, FALSE, sizeof(struct live));
	rank->calls = g_array_new(FALSE, TRUE, sizeof(struct world_call));
}

struct world *world_new(const struct world_options *options, struct communicators *comms,
                        const struct world_orders *orders, void *user)
{
	struct world *world = g_new0(struct world, 1);

	world->options = *options;
	world->comms = comms;
	world->orders = *orders;
	world->user = user;
	world->ranks = g_new0(struct rank, options->ranks);
	for (int rank = 0; rank < options->ranks; rank++)
		rank_init(&world->ranks[rank]);
	world->running = options->ranks;
	world->matcher = matcher_new(options->ranks);
	world->collectives = collectives_new();
	world->messages = g_hash_table_new_full(message_hash, message_equal, NULL, g_free);
	world->matches = g_array_new(FALSE, FALSE, sizeof(struct match));
	world->choices = g_array_new(FALSE, FALSE, sizeof(struct choice));
	world->alternatives = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	trace_init(&world->trace);
	return world;
}

struct world *world_copy(const struct world *from, enum buffering buffering, void *user)
{
	struct world *to = g_memdup2(from, sizeof(*from));
	GHashTableIter iter;
	gpointer value;

	to->options.buffering = buffering;
	to->user = user;
	to->ranks = g_memdup2(from->ranks, (gsize)from->options.ranks * sizeof(*from->ranks));
	for (int rank = 0; rank < from->options.ranks; rank++) {
		to->ranks[rank].waited = g_array_copy(from->ranks[rank].waited);
		to->ranks[rank].live = g_array_copy(from->ranks[rank].live);
		to->ranks[rank].calls = g_array_copy(from->ranks[rank].calls);
	}
	to->matcher = matcher_copy(from->matcher);
	to->collectives = collectives_copy(from->collectives);
	to->messages = g_hash_table_new_full(message_hash, message_equal, NULL, g_free);
	g_hash_table_iter_init(&iter, from->messages);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct message *message = g_memdup2(value, sizeof(*message));

		g_hash_table_insert(to->messages, &message->id, message);
	}
	to->matches = g_array_new(FALSE, FALSE, sizeof(struct match));
	to->choices = g_array_copy(from->choices);
	to->alternatives = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (guint i = 0; i < from->alternatives->len; i++)
		g_ptr_array_add(to->alternatives, g_array_ref(from->alternatives->pdata[i]));
	trace_init(&to->trace);
	trace_copy(&to->trace, &from->trace);
	return to;
}

void world_free(struct world *world)
{
	if (!world)
		return;
	for (int rank = 0; rank < world->options.ranks; rank++) {
		g_array_unref(world->ranks[rank].waited);
		g_array_unref(world->ranks[rank].live);
		g_array_unref(world->ranks[rank].calls);
	}
	g_free(world->ranks);
	matcher_free(world->matcher);
	collectives_free(world->collectives);
	g_hash_table_destroy(world->messages);
	g_array_unref(world->matches);
	g_array_unref(world->choices);
	g_ptr_array_unref(world->alternatives);
	trace_release(&world->trace);
	g_free(world);
}

/* --- operations that live ------------------------------------------------------------------------ */

static int compare_names(struct wire_name a, struct wire_name b)
{
	if (a.call != b.call)
		return a.call < b.call ? -1 : 1;
	return a.sub < b.sub ? -1 : a.sub > b.sub;
}

struct live *world_find_live(const struct world *world, int rank, struct wire_name name)
{
	GArray *live = world->ranks[rank].live;
	guint low = 0, high = live->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		struct live *candidate = &g_array_index(live, struct live, middle);
		int order = compare_names(candidate->name, name);

		if (order == 0)
			return candidate;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static void remove_live(struct world *world, int rank, const struct live *live)
{
	GArray *array = world->ranks[rank].live;

	g_array_remove_index(array, (guint)(live - &g_array_index(array, struct live, 0)));
}

gboolean world_completable(const struct world *world, int rank, const struct live *live)
{
	switch (live->kind) {
	case WIRE_SEND:
		return !live->waits_for_match || live->matched || live->cancelled;
	case WIRE_COLLECTIVE:
		return collectives_may_leave(world->collectives, live->instance, rank, live->order);
	default:
		return live->matched || live->cancelled;
	}
}

/* The rank has learnt that the operation is complete. */
static void observe(struct world *world, int rank, struct wire_name name)
{
	struct live *live = world_find_live(world, rank, name);
	struct event event = { .op.id = world_op_id(rank, name) };

	if (!live)
		return;
	if (live->kind == WIRE_COLLECTIVE) {
		event.kind = EVENT_LEAVE;
		event.collective = live->instance;
		event.order = live->order;
	} else {
		event.kind = EVENT_COMPLETE;
	}
	if (!live->cancelled)
		trace_append(&world->trace, &event);
	live->observed = TRUE;
}

/* What has been observed is removed: one by one, or when it is much, in one sweep. */
static void forget_observed(struct world *world, int number, const guint32 *done, guint count)
{
	const struct rank *rank = &world->ranks[number];
	GArray *array = rank->live;
	guint kept = 0;

	for (guint i = 0; i < count && count <= 2; i++) {
		guint32 index = done ? done[i] : i;
		const struct live *live = world_find_live(
			world, number, g_array_index(rank->waited, struct wire_name, index));

		if (live)
			remove_live(world, number, live);
	}
	if (count <= 2)
		return;
	for (guint i = 0; i < array->len; i++) {
		if (!g_array_index(array, struct live, i).observed)
			g_array_index(array, struct live, kept++) = g_array_index(array, struct live, i);
	}
	g_array_set_size(array, kept);
}

void world_release(struct world *world, int number, const guint32 *done, guint count)
{
	struct rank *rank = &world->ranks[number];
	struct wire_go go = { .call = rank->call, .count = count, .done = (uint32_t *)done };
	guint observed = count;

	g_assert(rank->phase == PHASE_BLOCKED);
	rank->phase = PHASE_RUNNING;
	world->running++;
	if (!done)
		observed = rank->waited->len;
	for (guint i = 0; i < observed; i++)
		observe(world, number,
		        g_array_index(rank->waited, struct wire_name, done ? done[i] : i));
	forget_observed(world, number, done, observed);
	if (rank->function == MPI_CALL_Finalize)
		rank->finalized = TRUE;
	world->orders.go(world->user, number, &go);
}

/* What is complete stays so: the search goes on where it stopped the last time. */
static gboolean all_completable(const struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];

	for (; rank->complete < rank->waited->len; rank->complete++) {
		struct wire_name name =
			g_array_index(rank->waited, struct wire_name, rank->complete);
		const struct live *live = world_find_live(world, number, name);

		if (live && !world_completable(world, number, live))
			return FALSE;
	}
	return TRUE;
}

/* The fixed rule where the standard leaves several answers open: of several completable requests
 * Waitany and Testany report the one that was started first (nobody starves), Waitsome and Testsome
 * report all. */
guint32 world_oldest(const struct rank *rank, const guint32 *indices, guint count)
{
	guint32 best = indices[0];

	for (guint i = 1; i < count; i++) {
		struct wire_name one = g_array_index(rank->waited, struct wire_name, indices[i]);
		struct wire_name other = g_array_index(rank->waited, struct wire_name, best);

		if (compare_names(one, other) < 0)
			best = indices[i];
	}
	return best;
}

/* What follows from the state alone, whenever it is looked at: everything waited for is complete. */
static void try_release(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];
	g_autofree guint32 *all = NULL;

	if (!world->started || rank->phase != PHASE_BLOCKED || rank->wait == WIRE_ABORT)
		return;
	if (rank->wait == WIRE_CANCEL) {
		struct wire_name name = g_array_index(rank->waited, struct wire_name, 0);
		const struct live *live = world_find_live(world, number, name);

		if (!live || live->matched || live->kind == WIRE_COLLECTIVE)
			world_release(world, number, &(guint32){ 0 }, 0);
		return;
	}
	if (!all_completable(world, number))
		return;
	if (rank->wait == WIRE_WAIT_ALL) {
		world_release(world, number, NULL, 0);
		return;
	}
	all = g_new(guint32, rank->waited->len + 1);
	for (guint i = 0; i < rank->waited->len; i++)
		all[i] = i;
	/* A poll could have been told "not yet"; of several requests another could be reported. */
	world->by_rule |= world_is_poll(rank->wait) || rank->waited->len > 1;
	if ((rank->wait == WIRE_WAIT_ANY || rank->wait == WIRE_TEST_ANY) && rank->waited->len > 1)
		world_release(world, number,
		              &(guint32){ world_oldest(rank, all, rank->waited->len) }, 1);
	else
		world_release(world, number, all, rank->waited->len);
}

void world_start(struct world *world)
{
	world->started = TRUE;
	for (int rank = 0; rank < world->options.ranks; rank++)
		try_release(world, rank);
}

/* --- matches ------------------------------------------------------------------------------------- */

void world_on_match(struct world *world, const struct match *match, gboolean chosen)
{
	struct wire_name receive = { match->receive.call, match->receive.sub };
	struct wire_name send = { match->send.call, match->send.sub };
	int receiver = match->receive.rank, sender = match->send.rank;
	const struct message *message = g_hash_table_lookup(world->messages, &match->send);
	struct live *live = world_find_live(world, receiver, receive);
	gboolean takes = !live || live->kind != WIRE_PROBE;
	struct event event = { .kind = EVENT_MATCH, .op.id = match->receive, .other = match->send,
		               .chosen = chosen };
	struct wire_bind bind = { .name = receive };

	g_assert(message);
	trace_append(&world->trace, &event);
	bind.tag = message->tag;
	bind.source = communicators_from_world(world->comms, message->comm, receiver, sender);
	if (live)
		live->matched = TRUE;
	world->orders.bind(world->user, receiver, &bind);
	if (takes) {
		if (message->bytes >= WIRE_LARGE_MESSAGE)
			world->orders.bind(world->user, sender,
			                   &(struct wire_bind){ send, WIRE_ANY, message->tag });
		g_hash_table_remove(world->messages, &match->send);
		live = world_find_live(world, sender, send);
		if (live)
			live->matched = TRUE;
	}
	try_release(world, receiver);
	if (sender != receiver && takes)
		try_release(world, sender);
}

void world_settle(struct world *world)
{
	g_array_set_size(world->matches, 0);
	matcher_settle(world->matcher, world->matches);
	for (guint i = 0; i < world->matches->len; i++)
		world_on_match(world, &g_array_index(world->matches, struct match, i), FALSE);
}

/* --- reports ------------------------------------------------------------------------------------- */

static gboolean refuse(GError **error, int rank, const struct wire_call *call, const char *what)
{
	g_set_error(error, COMMUNICATORS_ERROR, 0, "rank %d, call %u (%s): %s", rank, call->call,
	            mpi_call_name(call->function), what);
	return FALSE;
}

static enum operation_kind operation_kind(guint8 kind)
{
	switch (kind) {
	case WIRE_SEND:
		return OPERATION_SEND;
	case WIRE_PROBE:
		return OPERATION_PROBE;
	case WIRE_MPROBE:
		return OPERATION_MPROBE;
	default:
		return OPERATION_RECEIVE;
	}
}

static gboolean send_waits(const struct world *world, const struct wire_op *op)
{
	if (op->kind != WIRE_SEND)
		return FALSE;
	if (op->mode == WIRE_SYNCHRONOUS)
		return TRUE;
	return op->mode != WIRE_BUFFERED && world->options.buffering == BUFFERING_ZERO;
}

/* A send, receive or probe enters the matcher. */
static gboolean post(struct world *world, int rank, const struct wire_call *call,
                     const struct wire_op *op, struct live *live, GError **error)
{
	struct event event = { .kind = op->kind == WIRE_SEND ? EVENT_SEND : EVENT_RECEIVE };
	struct operation *operation = &event.op;

	operation->id = world_op_id(rank, op->name);
	operation->kind = operation_kind(op->kind);
	operation->comm = op->comm;
	operation->tag = op->tag == WIRE_ANY ? OPERATION_ANY : op->tag;
	operation->peer = OPERATION_ANY;
	live->waits_for_match = send_waits(world, op);
	operation->waits_for_match = live->waits_for_match;
	if (op->peer != WIRE_ANY || op->kind == WIRE_SEND) {
		operation->peer = communicators_to_world(world->comms, op->comm, rank, op->peer);
		if (operation->peer < 0)
			return refuse(error, rank, call, "a peer outside the communicator");
	}
	if (op->kind == WIRE_SEND) {
		struct message *message = g_new(struct message, 1);

		*message = (struct message){ operation->id, op->comm, op->tag, op->bytes };
		g_hash_table_replace(world->messages, &message->id, message);
	}
	trace_append(&world->trace, &event);
	matcher_post(world->matcher, operation);
	return TRUE;
}

/* Whether this rank has a nonblocking collective under way on the communicator that the library
 * has not been given yet; what follows on it must not overtake it there. */
static gboolean collective_under_way(const struct world *world, int rank, guint64 comm)
{
	GArray *live = world->ranks[rank].live;

	for (guint i = 0; i < live->len; i++) {
		const struct live *other = &g_array_index(live, struct live, i);

		if (other->kind == WIRE_COLLECTIVE && other->nonblocking && other->comm == comm
		    && !collectives_complete(world->collectives, other->instance))
			return TRUE;
	}
	return FALSE;
}

/* Whom the standard has this member wait for. */
static enum event_order natural_order(int rank, guint16 function, int root)
{
	switch (mpi_call_order(function)) {
	case MPI_CALL_ORDER_ROOT_FIRST:
		return root < 0 ? ORDER_ALL : root == rank ? ORDER_NONE : ORDER_ROOT;
	case MPI_CALL_ORDER_ROOT_LAST:
		return root < 0 || root == rank ? ORDER_ALL : ORDER_NONE;
	case MPI_CALL_ORDER_LOWER:
		return ORDER_LOWER;
	default:
		return ORDER_ALL;
	}
}

static enum event_order order_of(struct world *world, int rank, guint16 function, int root,
                                 const struct wire_op *op)
{
	enum event_order order = natural_order(rank, function, root);

	if (world->options.synchronous_collectives || order == ORDER_ALL)
		return ORDER_ALL;
	if (!op->nonblocking && !collective_under_way(world, rank, op->comm))
		return order;
	world->collectives_wait = TRUE;
	return ORDER_ALL;
}

/* All members of a nonblocking collective have called it: the library gets it everywhere. */
static void bind_members(struct world *world, guint64 instance)
{
	int count;
	const struct op_id *calls = collectives_calls(world->collectives, instance, &count);

	for (int i = 0; i < count; i++) {
		struct wire_bind bind = { { calls[i].call, calls[i].sub }, WIRE_ANY, WIRE_ANY };
		const struct live *live = world_find_live(world, calls[i].rank, bind.name);

		if (live && live->nonblocking)
			world->orders.bind(world->user, calls[i].rank, &bind);
	}
}

static void arrive(struct world *world, int rank, const struct wire_call *call,
                   const struct wire_op *op, struct live *live)
{
	struct collective_call entered = { world_op_id(rank, op->name), op->comm, call->function, -1,
		                           op->signature };
	int count;
	const int *members = communicators_members(world->comms, op->comm, rank, &count);
	struct event event = { .kind = EVENT_ARRIVE, .op.id = entered.id };

	if (op->peer >= 0)
		entered.root = communicators_to_world(world->comms, op->comm, rank, op->peer);
	live->order = order_of(world, rank, call->function, entered.root, op);
	live->instance = collectives_arrive(world->collectives, &entered, members, count);
	event.collective = live->instance;
	event.root = entered.root;
	event.position = collectives_position(world->collectives, live->instance, rank);
	trace_append(&world->trace, &event);
}

static gboolean start(struct world *world, int rank, const struct wire_call *call,
                      const struct wire_op *op, GError **error)
{
	struct live live = { .name = op->name, .kind = op->kind, .nonblocking = op->nonblocking,
		             .comm = op->comm, .peer = op->peer, .tag = op->tag };
	GArray *array = world->ranks[rank].live;
	gboolean kept = call->wait != WIRE_WAIT_NONE || op->nonblocking;

	if (!communicators_known(world->comms, op->comm))
		return refuse(error, rank, call, "an unknown communicator");
	if (array->len > 0
	    && compare_names(g_array_index(array, struct live, array->len - 1).name, op->name) >= 0)
		return refuse(error, rank, call, "calls out of order");
	if (op->kind == WIRE_COLLECTIVE) {
		arrive(world, rank, call, op, &live);
	} else if (!post(world, rank, call, op, &live, error)) {
		return FALSE;
	}
	if (kept)
		g_array_append_val(array, live);
	return TRUE;
}

static void remember(struct world *world, int number, const struct wire_call *call)
{
	GArray *calls = world->ranks[number].calls;
	struct world_call *info;

	if (call->call == 0 || call->call > calls->len + 1)
		return;
	if (call->call > calls->len)
		g_array_set_size(calls, call->call);
	info = &g_array_index(calls, struct world_call, call->call - 1);
	info->function = call->function;
	info->site = call->site;
	info->op_count = (guint8)MIN(call->op_count, 255);
	if (call->op_count > 0) {
		info->kind = call->ops[0].kind;
		info->peer = call->ops[0].peer;
		info->tag = call->ops[0].tag;
		info->comm = call->ops[0].comm;
	}
}

/* Members of the collectives that this call has entered may be free to go. */
static void after_collectives(struct world *world, int rank, const struct wire_call *call)
{
	for (uint32_t i = 0; i < call->op_count; i++) {
		const struct live *live;
		guint64 instance;
		const struct op_id *calls;
		int count;

		if (call->ops[i].kind != WIRE_COLLECTIVE)
			continue;
		live = world_find_live(world, rank, call->ops[i].name);
		if (!live)
			continue;
		instance = live->instance;
		if (collectives_complete(world->collectives, instance))
			bind_members(world, instance);
		calls = collectives_calls(world->collectives, instance, &count);
		for (int member = 0; member < count; member++) {
			if (calls[member].call != 0)
				try_release(world, calls[member].rank);
		}
	}
}

static void block(struct world *world, int number, const struct wire_call *call)
{
	struct rank *rank = &world->ranks[number];

	rank->wait = call->wait;
	rank->call = call->call;
	rank->function = call->function;
	rank->complete = 0;
	g_array_set_size(rank->waited, 0);
	if (call->waited_count > 0)
		g_array_append_vals(rank->waited, call->waited, call->waited_count);
	if (rank->phase == PHASE_ABSENT || rank->phase == PHASE_RUNNING)
		world->running--;
	rank->phase = PHASE_BLOCKED;
}

static void forget_request(struct world *world, int rank, const struct wire_call *call)
{
	for (uint32_t i = 0; i < call->waited_count; i++) {
		const struct live *live = world_find_live(world, rank, call->waited[i]);

		if (live)
			remove_live(world, rank, live);
	}
}

gboolean world_call(struct world *world, int number, const struct wire_call *call, GError **error)
{
	struct rank *rank = &world->ranks[number];

	if (rank->phase == PHASE_BLOCKED || rank->phase == PHASE_STOPPED
	    || rank->phase == PHASE_ENDED)
		return refuse(error, number, call, "a call from a rank that should be waiting");
	if (call->call == 0 || call->call > rank->calls->len + 1 || call->call < rank->calls->len)
		return refuse(error, number, call, "calls are not numbered in order");
	if (rank->phase == PHASE_ABSENT)
		rank->phase = PHASE_RUNNING;
	remember(world, number, call);
	if (!world_is_poll(call->wait))
		world->idle_polls = 0;
	for (uint32_t i = 0; i < call->op_count; i++) {
		if (!start(world, number, call, &call->ops[i], error))
			return FALSE;
	}
	if (call->wait == WIRE_ABORT) {
		block(world, number, call);
		rank->phase = PHASE_STOPPED;
	} else if (call->wait == WIRE_WAIT_NONE || call->wait == WIRE_FREE) {
		if (call->wait == WIRE_FREE)
			forget_request(world, number, call);
		if (world->options.every_call_waits) {
			block(world, number, call);
			world_release(world, number, &(guint32){ 0 }, 0);
		}
	} else {
		block(world, number, call);
	}
	world_settle(world);
	after_collectives(world, number, call);
	try_release(world, number);
	return TRUE;
}

gboolean world_comm(struct world *world, int rank, const struct wire_comm *comm, GError **error)
{
	return communicators_add(world->comms, rank, comm, error);
}

static void leave(struct world *world, int number, enum world_phase phase)
{
	struct rank *rank = &world->ranks[number];

	if (rank->phase == PHASE_ABSENT || rank->phase == PHASE_RUNNING)
		world->running--;
	rank->phase = phase;
}

void world_rank_stopped(struct world *world, int rank)
{
	leave(world, rank, PHASE_STOPPED);
}

void world_rank_ended(struct world *world, int rank)
{
	leave(world, rank, PHASE_ENDED);
}
