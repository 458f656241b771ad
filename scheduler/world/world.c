#include "world_arrival.h"
#include "world_internal.h"
#include "world_looks.h"
#include "world_loops.h"
#include "world_returned.h"
#include "world_rounds.h"

#include <string.h>

#include "mpi_calls.h"
#include "send_modes.h"
#include "word_spins.h"

enum { CALLS_SHIFT = 5 }; /* 32 in a chunk */

static void rank_init(struct rank *rank)
{
	world_lines_init(rank);
	rank->live = g_array_new(false, false, sizeof(struct live));
	rank->calls = chunks_of(sizeof(struct world_call), CALLS_SHIFT);
	rank->left = g_array_new(false, false, sizeof(struct wire_left));
	rank->truncated = g_array_new(false, false, sizeof(struct truncated));
	rank->held_from = WORLD_HOLDS_NOTHING;
	world_polls_init(rank);
}

struct world *world_new(const struct world_options *options, struct communicators *comms,
                        const struct world_orders *orders, void *user)
{
	struct world *world = g_new0(struct world, 1);

	world->options = *options;
	world->comms = comms;
	world->names = given_names_new();
	world->made = made_comms_new();
	world->partitions = partitions_new();
	world->orders = *orders;
	world->user = user;
	world->ranks = g_new0(struct rank, options->ranks);
	for (int rank = 0; rank < options->ranks; rank++)
		rank_init(&world->ranks[rank]);
	world->running = options->ranks;
	world->matcher = matcher_new(options->ranks);
	world->collectives = collectives_new();
	world->impatience = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	world->messages = g_hash_table_new_full(op_id_key_hash, op_id_key_equal, NULL, g_free);
	world->probed = g_hash_table_new(op_id_key_hash, op_id_key_equal);
	world->contents = message_contents_new();
	world->matches = g_array_new(false, false, sizeof(struct match));
	world->choices = g_array_new(false, false, sizeof(struct choice));
	world->plain = g_array_new(false, false, sizeof(bool));
	world->first = g_array_new(false, false, sizeof(bool));
	world->alternatives = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	trace_init(&world->trace);
	cut_notes_init(&world->cut_notes);
	world->remarks = remarks_new();
	world->moded_sends = g_array_new(false, false, sizeof(struct moded_send));
	world->entered = entered_new(options->ranks);
	world->locks = windows_new(options->ranks);
	world->spins = word_spins_new(options->ranks);
	world->rma = world_rma_new();
	world->rounds = world_rounds_new(options->ranks);
	return world;
}

struct world *world_copy(const struct world *from, const struct world_options *options, void *user)
{
	struct world *to = g_memdup2(from, sizeof(*from));
	GHashTableIter iter;
	gpointer key, value;

	to->options = *options;
	to->user = user;
	to->watch = NULL;
	to->ranks = g_memdup2(from->ranks, (gsize)from->options.ranks * sizeof(*from->ranks));
	for (int rank = 0; rank < from->options.ranks; rank++) {
		world_lines_copy(&to->ranks[rank]);
		to->ranks[rank].live = g_array_copy(from->ranks[rank].live);
		to->ranks[rank].calls = chunks_of(sizeof(struct world_call), CALLS_SHIFT);
		chunks_follow(&to->ranks[rank].calls, &from->ranks[rank].calls);
		world_returned_copy(&to->ranks[rank], &from->ranks[rank]);
		to->ranks[rank].left = g_array_copy(from->ranks[rank].left);
		to->ranks[rank].truncated = g_array_copy(from->ranks[rank].truncated);
		if (from->ranks[rank].seals)
			to->ranks[rank].seals = g_array_copy(from->ranks[rank].seals);
		world_polls_copy(&to->ranks[rank]);
	}
	to->matcher = matcher_copy(from->matcher);
	to->collectives = collectives_copy(from->collectives);
	to->impatience = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	g_hash_table_iter_init(&iter, from->impatience);
	while (g_hash_table_iter_next(&iter, &key, &value))
		g_hash_table_insert(to->impatience, g_memdup2(key, sizeof(guint64)), value);
	to->messages = g_hash_table_new_full(op_id_key_hash, op_id_key_equal, NULL, g_free);
	to->probed = g_hash_table_new(op_id_key_hash, op_id_key_equal);
	g_hash_table_iter_init(&iter, from->messages);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct message *message = g_memdup2(value, sizeof(*message));

		g_hash_table_insert(to->messages, &message->id, message);
		if (message->probe.call != 0)
			g_hash_table_insert(to->probed, &message->probe, message);
	}
	to->names = given_names_copy(from->names);
	to->made = made_comms_copy(from->made);
	to->partitions = partitions_copy(from->partitions);
	to->contents = message_contents_copy(from->contents);
	to->matches = g_array_new(false, false, sizeof(struct match));
	to->choices = g_array_copy(from->choices);
	to->plain = g_array_copy(from->plain);
	to->first = g_array_copy(from->first);
	to->alternatives = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (guint i = 0; i < from->alternatives->len; i++)
		g_ptr_array_add(to->alternatives, g_array_ref(from->alternatives->pdata[i]));
	trace_init(&to->trace);
	trace_copy(&to->trace, &from->trace);
	cut_notes_copy(&to->cut_notes, &from->cut_notes);
	to->remarks = remarks_copy(from->remarks);
	to->moded_sends = g_array_copy(from->moded_sends);
	to->rma = world_rma_copy(from->rma);
	to->entered = entered_copy(from->entered);
	to->locks = windows_copy(from->locks);
	to->spins = word_spins_copy(from->spins);
	to->rounds = world_rounds_copy(from->rounds);
	return to;
}

void world_watch(struct world *world, void (*watch)(void *user, const struct world_step *step))
{
	world->watch = watch;
}

bool world_is_watched(const struct world *world)
{
	return world->watch != NULL;
}

void world_tell_watcher(const struct world *world, const struct world_step *step)
{
	world->watch(world->user, step);
}

void world_bind(struct world *world, int rank, const struct wire_bind *bind)
{
	world_tell_order(world, rank, &(struct wire_message){.type = WIRE_BIND, .bind = *bind});
	world->orders.bind(world->user, rank, bind);
}

void world_go(struct world *world, int rank, const struct wire_go *go)
{
	if (world_keep_go(world, rank, go))
		return;
	world_tell_order(world, rank, &(struct wire_message){.type = WIRE_GO, .go = *go});
	world->orders.go(world->user, rank, go);
}

void world_free(struct world *world)
{
	if (!world)
		return;
	for (int rank = 0; rank < world->options.ranks; rank++) {
		g_ptr_array_unref(world->ranks[rank].lines);
		g_array_unref(world->ranks[rank].live);
		chunks_release(&world->ranks[rank].calls);
		world_returned_release(&world->ranks[rank]);
		g_array_unref(world->ranks[rank].left);
		g_array_unref(world->ranks[rank].truncated);
		g_clear_pointer(&world->ranks[rank].seals, g_array_unref);
		world_polls_release(&world->ranks[rank]);
	}
	g_free(world->ranks);
	matcher_free(world->matcher);
	collectives_free(world->collectives);
	g_hash_table_destroy(world->probed);
	g_hash_table_destroy(world->messages);
	g_hash_table_destroy(world->impatience);
	given_names_free(world->names);
	made_comms_free(world->made);
	partitions_free(world->partitions);
	message_contents_free(world->contents);
	g_array_unref(world->matches);
	g_array_unref(world->choices);
	g_array_unref(world->plain);
	g_array_unref(world->first);
	g_ptr_array_unref(world->alternatives);
	trace_release(&world->trace);
	cut_notes_release(&world->cut_notes);
	remarks_free(world->remarks);
	g_array_unref(world->moded_sends);
	world_rma_free(world->rma);
	entered_free(world->entered);
	windows_free(world->locks);
	word_spins_free(world->spins);
	world_rounds_free(world->rounds);
	g_free(world);
}

/* --- live operations -------------------------------------------------------------------------- */

int world_compare_names(struct wire_name a, struct wire_name b)
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
		int order = world_compare_names(candidate->name, name);

		if (order == 0)
			return candidate;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool world_lives_without_request(const struct world *world, int rank, struct wire_name name)
{
	const struct live *live = world_find_live(world, rank, name);

	return live && !live->nonblocking;
}

struct live *world_find_joined(const struct world *world, int rank, const struct live *live)
{
	struct wire_name before = {live->name.call, live->name.sub - 1};

	return live->joined ? world_find_live(world, rank, before) : NULL;
}

void world_remove_live(struct world *world, int rank, const struct live *live)
{
	GArray *array = world->ranks[rank].live;

	g_array_remove_index(array, (guint)(live - &g_array_index(array, struct live, 0)));
}

bool world_half_completable(const struct world *world, int rank, const struct live *live)
{
	if (live->is_decided_for && live->decided == 0)
		return false;
	switch (live->kind) {
	case WIRE_SEND:
		if (live->decided == TAKEN_EARLY)
			return true;
		return !live->waits_for_match || (live->matched && !live->probed)
		       || live->cancelled;
	case WIRE_COLLECTIVE:
		return collectives_may_leave(world->collectives, live->instance, rank, live->order);
	default: return live->matched || live->cancelled;
	}
}

bool world_completable(const struct world *world, int rank, const struct live *live)
{
	const struct live *other = world_find_joined(world, rank, live);

	return world_half_completable(world, rank, live)
	       && (!other || world_half_completable(world, rank, other));
}

static void observe_one(struct world *world, int rank, struct live *live)
{
	struct event event = {.op.id = world_op_id(rank, live->name),
	                      .other = {rank, world->ranks[rank].line->call, 0}};

	if (live->observed) /* the same call waits for it twice */
		return;
	if (live->kind == WIRE_COLLECTIVE) {
		event.kind = EVENT_LEAVE;
		event.collective = live->instance;
		entered_note(world->entered, rank, live->instance);
		world_note_together(world, rank, live);
		event.order = live->order;
	} else {
		event.kind = EVENT_COMPLETE;
	}
	if (!live->cancelled && (live->kind != WIRE_SEND || live->waits_for_match))
		world_append_event(world, &event);
	live->observed = true;
}

/* The rank now knows that the operation is complete. */
static void observe_complete(struct world *world, int rank, struct wire_name name)
{
	struct live *live = world_find_live(world, rank, name);
	struct live *other = live ? world_find_joined(world, rank, live) : NULL;

	if (other)
		observe_one(world, rank, other);
	if (live)
		observe_one(world, rank, live);
}

void world_forget(struct world *world, int rank, struct wire_name name)
{
	const struct live *live = world_find_live(world, rank, name);
	const struct live *other = live ? world_find_joined(world, rank, live) : NULL;

	/* In the array, the other half is before it. */
	if (live)
		world_remove_live(world, rank, live);
	if (other)
		world_remove_live(world, rank, other);
}

/* Removes what was observed: few operations one by one, many in one sweep. */
static void forget_observed(struct world *world, int number, const guint32 *done, guint count)
{
	const struct rank *rank = &world->ranks[number];
	GArray *array = rank->live;
	guint kept = 0;

	for (guint i = 0; i < count && count <= 2; i++) {
		guint32 index = done ? done[i] : i;

		world_forget(world, number,
		             g_array_index(rank->line->waited, struct wire_name, index));
	}
	if (count <= 2)
		return;
	for (guint i = 0; i < array->len; i++) {
		if (!g_array_index(array, struct live, i).observed)
			g_array_index(array, struct live, kept++) = g_array_index(array,
			                                                          struct live, i);
	}
	g_array_set_size(array, kept);
}

const struct message *world_find_message(const struct world *world, int rank, struct wire_name name)
{
	struct op_id id = world_op_id(rank, name);
	const struct message *message = g_hash_table_lookup(world->messages, &id);

	return message && !message->recalled ? message : NULL;
}

/* The rank now knows that all these messages are received. */
static void note_taken(struct world *world, int number)
{
	const GArray *waited = world->ranks[number].line->waited;

	for (guint i = 0; i < waited->len; i++) {
		struct wire_name name = g_array_index(waited, struct wire_name, i);
		struct event event = {.kind = EVENT_TAKEN,
		                      .op.id = world_op_id(number, name),
		                      .other = {number, world->ranks[number].line->call, 0}};

		world_append_event(world, &event);
	}
}

void world_release(struct world *world, int number, const guint32 *done, guint count)
{
	struct rank *rank = &world->ranks[number];
	struct wire_go go = {.call = rank->line->call, .count = count, .done = (uint32_t *)done};
	guint observed = count;

	g_assert(rank->line->phase == PHASE_BLOCKED && !rank->is_looked_at);
	world_loop_leave(world, number);
	rank->line->phase = PHASE_RUNNING;
	world->running++;
	world_wake(world, number);
	entered_clear(world->entered, number);
	rank->line->together.order = ORDER_NONE;
	if (!done)
		observed = rank->line->waited->len;
	if (rank->line->wait == WIRE_WAIT_TAKEN) {
		note_taken(world, number);
	} else {
		for (guint i = 0; i < observed; i++)
			observe_complete(world, number,
			                 g_array_index(rank->line->waited, struct wire_name,
			                               done ? done[i] : i));
		forget_observed(world, number, done, observed);
	}
	world_note_indices(world, number, rank->line->waited->len, done, count);
	if (rank->line->ends_mpi)
		rank->finalized = true;
	world_bring_data(world, number);
	go.look = world_expects_digest(world, number);
	world_go(world, number, &go);
}

/* A complete operation stays complete: the search continues where it stopped last time. */
static bool all_completable(const struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];

	for (; rank->line->complete < rank->line->waited->len; rank->line->complete++) {
		struct wire_name name = g_array_index(rank->line->waited, struct wire_name,
		                                      rank->line->complete);
		const struct live *live = world_find_live(world, number, name);

		if (rank->line->wait == WIRE_WAIT_TAKEN) {
			if (world_find_message(world, number, name))
				return false;
		} else if (live ? !world_completable(world, number, live)
		                : name.call == WIRE_NEVER) {
			return false;
		}
	}
	return true;
}

/* Of several completable requests, the one that was started first is reported unless another is
 * chosen: so no request starves. */
guint32 world_oldest(const struct wire_name *names, const guint32 *indices, guint count)
{
	guint32 best = indices[0];

	for (guint i = 1; i < count; i++)
		if (world_compare_names(names[indices[i]], names[best]) < 0)
			best = indices[i];
	return best;
}

/* MPI_Cancel came too late: what the rank does after it comes after the match. */
static void note_too_late(struct world *world, int number, const struct live *live)
{
	struct event event = {.kind = EVENT_COMPLETE,
	                      .op.id = world_op_id(number, live->name),
	                      .other = {number, world->ranks[number].line->call, 0}};

	if (live->kind != WIRE_SEND)
		world_append_event(world, &event);
}

static void try_release_line(struct world *world, int number)
{
	struct rank *rank = &world->ranks[number];
	g_autofree guint32 *all = NULL;

	if (!world->started || rank->line->phase != PHASE_BLOCKED || rank->line->wait == WIRE_ABORT)
		return;
	if (rank->line->wait == WIRE_CANCEL) {
		struct wire_name name = g_array_index(rank->line->waited, struct wire_name, 0);
		const struct live *live = world_find_live(world, number, name);

		if (live && live->matched)
			note_too_late(world, number, live);
		if (!live || live->matched || live->cancelled || live->kind == WIRE_COLLECTIVE)
			world_release(world, number, &(guint32){0}, 0);
		return;
	}
	if (rank->is_looked_at || rank->immediate.is_held)
		return;
	if (world_in_loop(world, number) && !rank->loop.is_open && world_asks(world, number)) {
		if (!world_defers(world, number))
			world_loop_answer(world, number);
		return;
	}
	if (rank->line->question != QUESTION_NONE)
		world_note_asking(world, number);
	if (rank->line->question != QUESTION_NONE || !all_completable(world, number)
	    || world_defers(world, number))
		return;
	if (rank->line->wait == WIRE_WAIT_ALL || rank->line->wait == WIRE_WAIT_TAKEN) {
		world_release(world, number, NULL, 0);
		return;
	}
	all = g_new(guint32, rank->line->waited->len + 1);
	for (guint i = 0; i < rank->line->waited->len; i++)
		all[i] = i;
	if (rank->line->waited->len > 1 && !world_knows_all(world, number))
		world_limit(world, LIMIT_FOREIGN_REQUESTS);
	if ((rank->line->wait == WIRE_WAIT_ANY || rank->line->wait == WIRE_TEST_ANY)
	    && rank->line->waited->len > 1)
		world_release(
			world, number,
			&(guint32){world_oldest(world_names(rank), all, rank->line->waited->len)},
			1);
	else
		world_release(world, number, all, rank->line->waited->len);
}

void world_try_release(struct world *world, int number)
{
	guint focus = world->ranks[number].focus;

	for (guint i = 0; i < world_lines(world, number); i++) {
		world_focus(world, number, i);
		try_release_line(world, number);
	}
	world_focus(world, number, focus);
}

void world_start(struct world *world)
{
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_START});
	world->started = true;
	world_let_unheld_go(world);
	for (int rank = 0; rank < world->options.ranks; rank++)
		world_try_release(world, rank);
}

/* --- matches ---------------------------------------------------------------------------------- */

void world_on_match(struct world *world, const struct match *match, bool chosen)
{
	struct wire_name receive = {match->receive.call, match->receive.sub};
	struct wire_name send = {match->send.call, match->send.sub};
	int receiver = match->receive.rank, sender = match->send.rank;
	struct message *message = g_hash_table_lookup(world->messages, &match->send);
	struct live *live = world_find_live(world, receiver, receive);
	bool takes = !live || live->kind != WIRE_PROBE;
	bool probes = live && live->kind == WIRE_MPROBE;
	struct event event = {.kind = EVENT_MATCH,
	                      .op.id = match->receive,
	                      .other = match->send,
	                      .chosen = chosen};
	struct wire_bind bind = {.name = receive};

	g_assert(message);
	world_append_event(world, &event);
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_MATCHED,
	                                       .receive = match->receive,
	                                       .send = match->send,
	                                       .yes = chosen});
	bind.tag = message->tag;
	bind.bytes = message->types.bytes;
	bind.source = communicators_from_world(world->comms, message->comm, receiver, sender);
	if (live)
		live->matched = true;
	world_bind(world, receiver, &bind);
	if (message->types.bytes >= WIRE_LARGE_MESSAGE) {
		bool awaited = live && live->kind == WIRE_RECEIVE && !live->nonblocking;
		struct wire_bind moves = {.name = send, .tag = message->tag};

		moves.source = awaited ? WIRE_AWAITED : WIRE_ANY;
		world_bind(world, sender, &moves);
	}
	if (takes) {
		if (live && !probes)
			world_compare_types(world, match, &message->types, &live->types);
		if (probes) {
			message->probe = match->receive;
			g_hash_table_insert(world->probed, &message->probe, message);
		} else {
			g_hash_table_remove(world->messages, &match->send);
		}
		live = world_find_live(world, sender, send);
		if (live) {
			live->matched = true;
			live->probed = probes;
		}
	} else {
		message->seen = true;
	}
	world_try_release(world, receiver);
	if (sender != receiver && takes)
		world_try_release(world, sender);
}

int world_fetch(struct world *world, int rank, const struct wire_call *call)
{
	struct op_id id = world_op_id(rank, call->waited[0]);
	const struct message *message = g_hash_table_lookup(world->probed, &id);
	struct types room = types_of_runs(&call->room_types, call->room);
	struct event event = {.kind = EVENT_FETCH, .op.id = {rank, call->call, 0}};
	struct live *live;

	g_assert(message);
	event.other = message->id;
	world_compare_types(world, &(struct match){.send = message->id, .receive = event.op.id},
	                    &message->types, &room);
	world_append_event(world, &event);
	g_hash_table_remove(world->probed, &id);
	g_hash_table_remove(world->messages, &event.other);
	live = world_find_live(world, event.other.rank,
	                       (struct wire_name){event.other.call, event.other.sub});
	if (live)
		live->probed = false;
	return event.other.rank;
}

bool world_has_probed(const struct world *world, int rank, struct wire_name probe)
{
	struct op_id id = world_op_id(rank, probe);

	return g_hash_table_contains(world->probed, &id);
}

void world_on_grant(struct world *world, const struct match *match)
{
	int rank = match->send.rank;
	struct live *live = world_find_live(world, rank, (struct wire_name){match->send.call, 0});

	g_assert(live && live->kind == WIRE_LOCK);
	if (!world_grant_place(world, match, live->comm))
		return;
	live->matched = true;
	world_try_release(world, rank);
}

void world_settle(struct world *world)
{
	g_array_set_size(world->matches, 0);
	matcher_settle(world->matcher, world->matches);
	for (guint i = 0; i < world->matches->len; i++)
		world_on_match(world, &g_array_index(world->matches, struct match, i), false);
}

/* --- for files that treat one subject (world_context.h) --------------------------------------- */

guint64 world_comm_itself(const struct world *world, guint64 comm)
{
	const struct made_comm *made = made_comms_find(world->made, comm);

	return made && made->stands_for != 0 ? made->stands_for : comm;
}

const struct made_comm *world_made_comm(const struct world *world, guint64 comm)
{
	const struct made_comm *made = made_comms_find(world->made, world_comm_itself(world, comm));

	return made && made->number > 0 ? made : NULL;
}

const char *world_given_name(const struct world *world, guint64 comm)
{
	return given_names_find(world->names, world_comm_itself(world, comm));
}

const char *world_comm_name(const struct world *world, guint64 comm)
{
	const char *name = world_given_name(world, comm);

	return name ? name : communicators_origin(world->comms, comm);
}

const struct communicators *world_comms(const struct world *world)
{
	return world->comms;
}

const struct collectives *world_collectives(const struct world *world)
{
	return world->collectives;
}

struct matcher *world_matcher(struct world *world)
{
	return world->matcher;
}

struct message_contents *world_kept_contents(const struct world *world)
{
	return world->contents;
}

struct windows *world_locks(const struct world *world)
{
	return world->locks;
}

struct word_spins *world_spins(const struct world *world)
{
	return world->spins;
}

struct entered *world_entered(const struct world *world)
{
	return world->entered;
}

struct world_rma *world_rma(const struct world *world)
{
	return world->rma;
}

GArray *world_all_truncated(const struct world *world, int rank)
{
	return world->ranks[rank].truncated;
}

void world_append_event(struct world *world, const struct event *event)
{
	int number = event->op.id.rank;
	struct event own;

	world_rounds_note_event(world, event);
	if (number >= world->options.ranks || !world->ranks[number].threads) {
		trace_append(&world->trace, event);
		return;
	}
	own = *event;
	own.thread = world_event_thread(world, event);
	trace_append(&world->trace, &own);
}
