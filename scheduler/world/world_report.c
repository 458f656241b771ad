/* The reports of ranks enter the world here. */
#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "send_modes.h"
#include "word_spins.h"
#include "world_internal.h"
#include "world_looks.h"
#include "world_returned.h"

G_DEFINE_QUARK(matchpoint_world_error, world_error)

bool world_refuse(GError **error, int rank, const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list arguments;

	va_start(arguments, format);
	what = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(error, WORLD_ERROR, 0, "rank %s made an impossible report: %s", rank_name(rank),
	            what);
	return false;
}

static bool refuse_call(GError **error, int rank, const struct wire_call *call, const char *what)
{
	return world_refuse(error, rank, "call %u (%s): %s", call->call,
	                    mpi_call_name(call->function), what);
}

static enum operation_kind operation_kind(guint8 kind)
{
	switch (kind) {
	case WIRE_SEND: return OPERATION_SEND;
	case WIRE_PROBE: return OPERATION_PROBE;
	case WIRE_MPROBE: return OPERATION_MPROBE;
	default: return OPERATION_RECEIVE;
	}
}

static bool send_waits(const struct world *world, const struct wire_op *op)
{
	if (op->kind != WIRE_SEND)
		return false;
	if (op->mode == WIRE_SYNCHRONOUS)
		return true;
	return op->mode != WIRE_BUFFERED && world->options.buffering != BUFFERING_INFINITE;
}

static void note_mode(struct world *world, const struct wire_op *op, struct op_id id)
{
	const struct moded_send send = {
		.id = id,
		.is_ready = op->mode == WIRE_READY,
		.needs = op->bytes + WIRE_BUFFER_OVERHEAD,
		.buffer = (guint32)(op->counts >> 32),
		.offered = (guint32)op->counts,
	};

	if (op->kind == WIRE_SEND && (send.is_ready || (op->mode == WIRE_BUFFERED && send.buffer)))
		g_array_append_val(world->moded_sends, send);
}

const GArray *world_moded_sends(const struct world *world)
{
	return world->windows ? NULL : world->moded_sends;
}

/* Whether a receive that is matched by choice, and not known to be complete, may take what this
 * probe looks for. Whether it has a match already makes no difference: that depends on the order in
 * which choices are made. */
static bool competes(const struct world *world, int rank, const struct wire_op *probe)
{
	const GArray *all = world->ranks[rank].live;

	for (guint i = 0; i < all->len; i++) {
		const struct live *one = &g_array_index(all, struct live, i);

		if (one->kind == WIRE_RECEIVE && one->by_choice && one->comm == probe->comm
		    && (one->peer == WIRE_ANY || one->peer == probe->peer)
		    && (one->tag == WIRE_ANY || probe->tag == WIRE_ANY || one->tag == probe->tag))
			return true;
	}
	return false;
}

/* A send, receive or probe enters the matcher. */
static void post_to_matcher(struct world *world, int rank, const struct wire_call *call,
                            const struct wire_op *op, struct live *live)
{
	struct event event = {.kind = op->kind == WIRE_SEND ? EVENT_SEND : EVENT_RECEIVE};
	struct operation *operation = &event.op;

	operation->id = world_op_id(rank, op->name);
	operation->kind = operation_kind(op->kind);
	operation->comm = op->comm;
	operation->tag = op->tag == WIRE_ANY ? OPERATION_ANY : op->tag;
	operation->peer = OPERATION_ANY;
	live->waits_for_match = send_waits(world, op);
	live->is_decided_for = live->waits_for_match && op->mode != WIRE_SYNCHRONOUS
	                       && world->options.buffering == BUFFERING_PER_SEND;
	operation->waits_for_match = live->waits_for_match;
	if (op->peer != WIRE_ANY || op->kind == WIRE_SEND)
		operation->peer = communicators_to_world(world->comms, op->comm, rank, op->peer);
	operation->by_choice = op->kind != WIRE_SEND && operation->peer != OPERATION_ANY
	                       && (world_is_poll(call->wait)
	                           || (op->kind == WIRE_RECEIVE && op->nonblocking
	                               && world->options.cancels));
	live->by_choice = op->kind != WIRE_SEND
	                  && (operation->by_choice || operation->peer == OPERATION_ANY);
	if (op->kind == WIRE_SEND) {
		struct message *message = g_new(struct message, 1);

		*message = (struct message){
			.id = operation->id,
			.comm = op->comm,
			.peer = op->peer,
			.tag = op->tag,
			.types = types_of(op),
		};
		g_hash_table_replace(world->messages, &message->id, message);
	}
	note_mode(world, op, operation->id);
	world->any_tag |= op->kind != WIRE_SEND && op->tag == WIRE_ANY;
	matcher_post(world->matcher, operation);
	if (operation->by_choice && op->kind != WIRE_RECEIVE && !world->ranks[rank].threads
	    && !competes(world, rank, op) && world_looks_for_seen(world, operation->id)) {
		matcher_withdraw(world->matcher, operation->id);
		operation->by_choice = false;
		live->by_choice = false;
		matcher_post(world->matcher, operation);
	}
	world_append_event(world, &event);
}

/* The members for which this member waits by the standard. */
static enum event_order natural_order(int rank, guint16 function, int root)
{
	switch (mpi_call_order(function)) {
	case MPI_CALL_ORDER_ROOT_FIRST:
		return root < 0 ? ORDER_ALL : root == rank ? ORDER_NONE : ORDER_ROOT;
	case MPI_CALL_ORDER_ROOT_LAST: return root < 0 || root == rank ? ORDER_ALL : ORDER_NONE;
	case MPI_CALL_ORDER_LOWER: return ORDER_LOWER;
	default: return ORDER_ALL;
	}
}

/* Exceptions: not all members know an intercommunicator's root, and the library carries out
 * persistent reductions, which each member may start in another order (shim/request/early.h). */
static enum event_order order_of(struct world *world, int rank, guint16 function, int root)
{
	enum mpi_call_order order = mpi_call_order(function);
	bool rooted = order == MPI_CALL_ORDER_ROOT_FIRST || order == MPI_CALL_ORDER_ROOT_LAST;

	if (!rooted || (root >= 0 && !mpi_call_is_whole(function)))
		return natural_order(rank, function, root);
	if (world->options.collectives != COLLECTIVES_SYNC)
		world_limit(world, LIMIT_COLLECTIVES_WAITED);
	return ORDER_ALL;
}

/* The members for which this member waits; `members` is the size of its communicator. That may be
 * yet to be decided. */
static void set_order(struct world *world, int rank, const struct collective_call *entered,
                      bool whole, int members, struct live *live)
{
	/* A single member cannot be early: the library carries it out (shim/request/early.h). */
	live->order = members == 1 ? ORDER_ALL
	                           : order_of(world, rank, entered->function, entered->root);
	if (whole && live->order != ORDER_ALL) {
		live->order = ORDER_ALL;
		if (world->options.collectives != COLLECTIVES_SYNC)
			world_limit(world, LIMIT_COLLECTIVES_WHOLE);
	}
	if (live->order == ORDER_ALL)
		return;
	world->collectives_matter = true;
	live->is_decided_for = world->options.collectives == COLLECTIVES_PER_CALL;
	if (world->options.collectives == COLLECTIVES_SYNC)
		live->order = ORDER_ALL;
}

/* All members of a nonblocking collective have called it: all start it in the library. */
static void bind_members(struct world *world, guint64 instance)
{
	int count;
	const struct op_id *calls = collectives_calls(world->collectives, instance, &count);

	for (int i = 0; i < count; i++) {
		struct wire_bind bind = {
			.name = {calls[i].call, calls[i].sub}, .source = WIRE_ANY, .tag = WIRE_ANY};
		const struct live *live = world_find_live(world, calls[i].rank, bind.name);

		if (live && live->nonblocking && live->order == ORDER_ALL)
			world_bind(world, calls[i].rank, &bind);
	}
}

static bool arrive_in_collective(struct world *world, int rank, const struct wire_call *call,
                                 const struct wire_op *op, struct live *live)
{
	guint16 function = op->function != 0 ? op->function : call->function;
	struct collective_call entered = {
		.id = world_op_id(rank, op->name),
		.comm = op->comm,
		.function = function,
		.root = -1,
		.given_root = op->peer,
		.types = live->types,
		.same_data = op->same_data,
		.whole = op->whole && mpi_call_order(function) > MPI_CALL_ORDER_ALL,
		.reduction = op->reduction,
		.counts = op->counts,
		.exchange = exchange_of(op),
	};
	struct collective_members members = {
		.first = communicators_first_group(world->comms, op->comm)};
	struct event event = {.kind = EVENT_ARRIVE, .op.id = entered.id};

	members.ranks = communicators_members(world->comms, op->comm, rank, &members.count);
	if (members.first == 0 && op->peer >= 0)
		entered.root = communicators_to_world(world->comms, op->comm, rank, op->peer);
	set_order(world, rank, &entered, op->whole, members.count, live);
	live->instance = collectives_arrive(world->collectives, &entered, &members);
	event.collective = live->instance;
	event.root = entered.root;
	event.order = live->order;
	event.members = members.count;
	event.position = collectives_position(world->collectives, live->instance, rank);
	world_append_event(world, &event);
	return !collectives_are_uneven(world->collectives, live->instance);
}

/* Another thread may have made calls between two steps of a thread's call. */
static void keep_operation(GArray *array, const struct live *live)
{
	guint place = array->len;

	while (place > 0
	       && world_compare_names(g_array_index(array, struct live, place - 1).name, live->name)
	                  > 0)
		place--;
	g_array_insert_vals(array, place, live, 1);
}

/* Names of later operations of the call come after its own. A lock has names for all places that it
 * claims, up to the name by which it is given back. */
static void take_name(struct world *world, int rank, const struct wire_op *op, guint places)
{
	struct world_call *info = chunks_write(&world->ranks[rank].calls, op->name.call - 1);

	info->subs = op->kind == WIRE_LOCK ? WIRE_LOCK_REFUSED : op->name.sub + MAX(places, 1);
}

static bool start_operation(struct world *world, int rank, const struct wire_call *call,
                            const struct wire_op *op, GError **error)
{
	struct live live = {.name = op->name,
	                    .kind = op->kind,
	                    .nonblocking = op->nonblocking,
	                    .joined = op->joined,
	                    .comm = op->comm,
	                    .peer = op->peer,
	                    .tag = op->tag,
	                    .types = types_of(op)};
	bool kept = call->wait != WIRE_WAIT_NONE || op->nonblocking;
	guint places = 1;

	if (op->nonblocking && op->bytes > WIRE_COMPARED_MOST)
		world_limit(world, LIMIT_BUFFER_SAMPLED);
	if (op->nonblocking && op->kind == WIRE_RECEIVE && op->bytes > WIRE_STAGED_MOST)
		world_limit(world, LIMIT_DATA_LARGE);

	if (op->kind == WIRE_COLLECTIVE) {
		if (!arrive_in_collective(world, rank, call, op, &live))
			return refuse_call(error, rank, call,
			                   "fewer communicators left than another member has");
	} else if (op->kind == WIRE_UNLOCK)
		places = world_unlock(world, rank, op);
	else if (op->kind != WIRE_LOCK)
		post_to_matcher(world, rank, call, op, &live);
	else if (!world_lock(world, rank, op, call->site, &live.matched))
		return refuse_call(error, rank, call, "too many windows");
	take_name(world, rank, op, places);
	if (kept && op->kind != WIRE_UNLOCK)
		keep_operation(world->ranks[rank].live, &live);
	return true;
}

void world_note_stack(struct world *world, int rank, guint32 call, guint32 stack)
{
	world->ranks[rank].noted_call = call;
	world->ranks[rank].noted_stack = stack;
}

static bool is_atomic(const struct wire_call *call)
{
	return call->op_count > 0 && world_is_of_words(&call->ops[0]);
}

/* Notes what a rank does before MPI must have waited for the targets of its locks and access epochs
 * (MPI 3.1, section 11.5): others may see it earlier. */
static void note_effect(struct world *world, int number, const struct wire_call *call)
{
	struct rank *rank = &world->ranks[number];
	guint64 window = call->op_count > 0 ? call->ops[0].comm : 0;

	if (mpi_call_lock(call->function) == MPI_CALL_LOCK_GIVES_BACK)
		windows_note_flush(world->locks, number, window);
	if (call->function == MPI_CALL_Win_complete && window == rank->access_epoch)
		rank->access_epoch = 0;
	if (call->op_count > 0 && !is_atomic(call)) {
		windows_note_effect(world->locks, number);
		if (rank->access_epoch != 0)
			world_limit(world, LIMIT_LOCKS);
	}
	if (call->function == MPI_CALL_Win_start)
		rank->access_epoch = window;
}

static void remember_call(struct world *world, int number, const struct wire_call *call)
{
	struct chunks *calls = &world->ranks[number].calls;
	struct world_call *info;

	while (calls->count < call->call)
		chunks_append(calls, &(const struct world_call){0});
	info = chunks_write(calls, call->call - 1);
	info->function = call->function;
	world->windows |= mpi_call_makes(call->function) == MPI_CALL_MAKES_WINDOW;
	info->site = call->site;
	info->thread = call->thread;
	if (world->ranks[number].noted_call == call->call)
		info->stack = world->ranks[number].noted_stack;
	info->marked = call->marked;
	if (call->wait == WIRE_CANCEL && call->waited_count > 0)
		info->request = call->waited[0].call;
	info->op_count = (guint8)MIN(call->op_count, 255);
	if (call->op_count > 0) {
		info->kind = call->ops[0].kind & 0x7fu;
		info->peer = call->ops[0].peer;
		info->tag = call->ops[0].kind == WIRE_LOCK ? call->ops[0].mode : call->ops[0].tag;
		info->comm = call->ops[0].comm;
		info->bytes = call->ops[0].bytes;
	}
}

/* Members of a collective may be free to go. Until all have come, others wait only for the root or
 * for members of lower rank. */
static void release_members(struct world *world, int rank, guint64 instance, enum event_order order)
{
	int count;
	const struct op_id *calls = collectives_calls(world->collectives, instance, &count);

	if (!collectives_complete(world->collectives, instance)
	    && (order == ORDER_ALL || order == ORDER_ROOT)) {
		world_try_release(world, rank);
		return;
	}
	for (int member = 0; member < count; member++) {
		if (calls[member].call != 0)
			world_try_release(world, calls[member].rank);
	}
}

static void come_together(struct world *world, guint64 instance)
{
	struct world_step step = {.kind = WORLD_STEP_TOGETHER};

	step.calls = collectives_calls(world->collectives, instance, &step.call_count);
	world_tell(world, &step);
	bind_members(world, instance);
}

/* For the collectives that this call has entered. No member goes on before all have started it in
 * the library. */
static void after_collectives(struct world *world, int rank, const struct wire_call *call)
{
	g_autoptr(GArray) entered = NULL; /* struct live */

	for (uint32_t i = 0; i < call->op_count; i++) {
		const struct wire_op *op = &call->ops[i];
		const struct live *live;

		if (op->kind != WIRE_COLLECTIVE || !(live = world_find_live(world, rank, op->name)))
			continue;
		if (!entered)
			entered = g_array_new(false, false, sizeof(struct live));
		g_array_append_vals(entered, live, 1);
		if (collectives_complete(world->collectives, live->instance))
			come_together(world, live->instance);
	}
	/* the rank itself may go on before all of them are told */
	for (guint i = 0; entered && i < entered->len; i++) {
		const struct live *live = &g_array_index(entered, struct live, i);

		release_members(world, rank, live->instance, live->order);
	}
}

/* MPI_Finalize, unless sessions are still open, or the end of the last session. */
static bool ends_mpi(const struct wire_call *call)
{
	return mpi_call_ends_mpi(call->function) && !(call->status & WIRE_SESSIONS_OPEN);
}

/* A spawn with info keys that say where its processes run. */
static bool names_places(const struct wire_call *call)
{
	return (call->function == MPI_CALL_Comm_spawn
	        || call->function == MPI_CALL_Comm_spawn_multiple)
	       && (call->status & WIRE_SPAWN_PLACED);
}

/* The rank wants to cancel its receive. */
static void recall_receive(struct world *world, int number)
{
	struct wire_name name = g_array_index(world->ranks[number].line->waited, struct wire_name,
	                                      0);
	const struct live *live = world_find_live(world, number, name);
	struct event event = {.kind = EVENT_RECALL, .op.id = world_op_id(number, name)};

	if (live && live->kind == WIRE_RECEIVE && live->by_choice && !live->cancelled)
		world_append_event(world, &event);
}

static void block_thread(struct world *world, int number, const struct wire_call *call)
{
	struct rank *rank = &world->ranks[number];

	rank->line->wait = call->wait;
	rank->line->call = call->call;
	rank->line->function = call->function;
	rank->line->ends_mpi = ends_mpi(call);
	rank->line->awaits_spawn = mpi_call_begins_mpi(call->function)
	                           && (call->status & WIRE_NOT_SPAWNED);
	if (names_places(call))
		world_limit(world, LIMIT_SPAWN_PLACES);
	rank->line->complete = 0;
	g_array_set_size(rank->line->waited, 0);
	if (call->waited_count > 0)
		g_array_append_vals(rank->line->waited, call->waited, call->waited_count);
	if (rank->line->phase == PHASE_ABSENT || rank->line->phase == PHASE_RUNNING)
		world->running--;
	rank->line->phase = PHASE_BLOCKED;
	world_ask(world, number);
	if (call->wait == WIRE_CANCEL)
		recall_receive(world, number);
}

static void forget_request(struct world *world, int rank, const struct wire_call *call)
{
	for (uint32_t i = 0; i < call->waited_count; i++)
		world_forget(world, rank, call->waited[i]);
}

static void note_idle(struct world *world, int number, const struct wire_call *call)
{
	bool goes_on = world->idle.immediate && world->ranks[number].immediate.is_own;

	if (!is_atomic(call) && mpi_call_lock(call->function) == MPI_CALL_LOCK_NONE)
		word_spins_end(world->spins, number);
	goes_on = goes_on || word_spins_turns(world->spins, number);
	if (!world_is_poll(call->wait) && !goes_on) {
		world->idle = (struct world_idle){0};
		return;
	}
	world->idle.calls++;
	world->idle.busy += call->busy;
	world->idle.timed |= call->timed;
	world->idle.real |= call->real_time;
}

bool world_call(struct world *world, int number, const struct wire_call *call, GError **error)
{
	struct rank *rank = &world->ranks[number];
	int sender = -1;
	const char *wrong;

	world_tell_heard(world, number, &(struct wire_message){.type = WIRE_CALL, .call = *call});
	if (world_is_over(world, number))
		return true;
	if (call->thread >= world_lines(world, number))
		return refuse_call(error, number, call, "an unknown thread");
	world_wake(world, number);
	world_focus(world, number, call->thread);
	if (rank->line->phase != PHASE_RUNNING && rank->line->phase != PHASE_ABSENT)
		return refuse_call(error, number, call,
		                   "a call from a rank that should be waiting");
	wrong = world_validation(world, number, call);
	if (wrong)
		return refuse_call(error, number, call, wrong);
	if (rank->line->phase == PHASE_ABSENT)
		rank->line->phase = PHASE_RUNNING;
	entered_clear(world->entered, number);
	remember_call(world, number, call);
	world_tell(world, &(struct world_step){
				  .kind = WORLD_STEP_CALLED, .rank = number, .call = call->call});
	world_note_places(world, number, call);
	if (call->by_rule)
		world_limit(world, LIMIT_FOREIGN_REQUESTS);
	note_effect(world, number, call);
	if (rank->threads)
		world_note_woken(world, number, call->call);
	for (uint32_t i = 0; i < call->op_count; i++) {
		if (!start_operation(world, number, call, &call->ops[i], error))
			return false;
	}
	if (rank->threads)
		world_look_at_threads(world, number, call);
	if (call->wait == WIRE_ABORT) {
		block_thread(world, number, call);
		world_leave(world, number, PHASE_STOPPED);
	} else if (call->wait == WIRE_WAIT_NONE || call->wait == WIRE_FREE
	           || call->wait == WIRE_FETCH) {
		if (call->wait == WIRE_FETCH)
			sender = world_fetch(world, number, call);
		if (call->wait == WIRE_FREE)
			forget_request(world, number, call);
		if (world->options.every_call_waits && !call->ahead) {
			block_thread(world, number, call);
			world_release(world, number, &(guint32){0}, 0);
		} else {
			world_note_indices(world, number, 0, NULL, 0);
		}
	} else {
		block_thread(world, number, call);
	}
	world_hold_immediate(world, number, call);
	world_note_poll(world, number, call);
	note_idle(world, number, call);
	world_settle(world);
	after_collectives(world, number, call);
	world_note_immediate(world, number, call);
	world_note_told(world, number, call);
	if (sender >= 0)
		world_try_release(world, sender);
	world_try_release(world, number);
	return true;
}

bool world_comm(struct world *world, int rank, const struct wire_comm *comm, GError **error)
{
	world_tell_heard(world, rank, &(struct wire_message){.type = WIRE_COMM, .comm = *comm});
	if (!communicators_add(world->comms, rank, comm, error))
		return false;
	made_comms_add(world->made, rank, comm);
	return true;
}

bool world_partitions(struct world *world, int rank, const struct wire_partitions *told,
                      GError **error)
{
	bool possible = communicators_is_member(world->comms, told->comm, rank);

	world_tell_heard(world, rank,
	                 &(struct wire_message){.type = WIRE_PARTITIONS, .partitions = *told});
	if (possible && told->count > PARTITIONS_MOST)
		possible = false;
	else if (possible && told->count > 0)
		partitions_start(world->partitions, told->comm, rank, told->call, told->count);
	else if (possible)
		possible = partitions_ready(world->partitions, told->comm, told->first, told->last);
	return possible || world_refuse(error, rank, "partitions of a send that does not exist");
}

bool world_named(struct world *world, int rank, const struct wire_named *named, GError **error)
{
	world_tell_heard(world, rank, &(struct wire_message){.type = WIRE_NAMED, .named = *named});
	if (!communicators_may_name(world->comms, rank, named, error))
		return false;
	given_names_give(world->names, rank, named->comm, named->name ? named->name : "");
	return true;
}

bool world_objects(struct world *world, int rank, const struct wire_objects *objects,
                   GError **error)
{
	world_tell_heard(world, rank,
	                 &(struct wire_message){.type = WIRE_LEFT, .objects = *objects});
	for (uint32_t i = 0; i < objects->count; i++) {
		if (objects->left[i].function >= MPI_CALL_COUNT || objects->left[i].count == 0)
			return world_refuse(error, rank, "an object of a call that does not exist");
	}
	g_array_append_vals(world->ranks[rank].left, objects->left, objects->count);
	return true;
}

void world_rank_stopped(struct world *world, int rank)
{
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_STOPPED, .rank = rank});
	world_leave(world, rank, PHASE_STOPPED);
}

void world_rank_ended(struct world *world, int rank)
{
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_ENDED, .rank = rank});
	world_leave(world, rank, PHASE_ENDED);
}

bool world_report(struct world *world, int rank, const struct wire_message *message, GError **error)
{
	switch (message->type) {
	case WIRE_CALL: return world_call(world, rank, &message->call, error);
	case WIRE_NAMED: return world_named(world, rank, &message->named, error);
	case WIRE_COMM: return world_comm(world, rank, &message->comm, error);
	case WIRE_THREAD: return world_thread(world, rank, &message->thread, error);
	case WIRE_ENTER: return world_enter(world, rank, &message->enter, error);
	case WIRE_TOUCHED: return world_touched(world, rank, &message->touched, error);
	case WIRE_OVERLAP: return world_overlap(world, rank, &message->overlap, error);
	case WIRE_MISUSE: return world_misuse(world, rank, &message->misuse, error);
	case WIRE_PARTITIONS: return world_partitions(world, rank, &message->partitions, error);
	case WIRE_RETURNED: return world_told_indices(world, rank, &message->returned, error);
	case WIRE_CONTENTS: return world_contents(world, rank, &message->contents, error);
	case WIRE_ACCESSES: return world_accesses(world, rank, &message->accesses, error);
	case WIRE_LEFT: return world_objects(world, rank, &message->objects, error);
	default:
		g_set_error(error, WORLD_ERROR, 0,
		            "rank %s sent a message of type %u, which a rank never sends",
		            rank_name(rank), message->type);
		return false;
	}
}
