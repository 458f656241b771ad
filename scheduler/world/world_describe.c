#include "common/prelaunched.h"
#include "explorer/rank_name.h"
#include "world_internal.h"

#include "mpi_calls.h"

const struct trace *world_trace(const struct world *world)
{
	return &world->trace;
}

const GArray *world_choices(const struct world *world)
{
	return world->choices;
}

const GArray *world_alternatives(const struct world *world, guint index)
{
	return world->alternatives->pdata[index];
}

bool world_choice_is_first(const struct world *world, guint index)
{
	return g_array_index(world->first, bool, index);
}

bool world_point_is_told(const struct world *world, const struct point *point)
{
	return point->kind != POINT_LOCK
	       || windows_contended(world->locks,
	                            point_operation(point, world->options.ranks).rank);
}

bool world_choice_is_told(const struct world *world, guint index)
{
	const struct point *point = &g_array_index(world->choices, struct choice, index).point;

	return !g_array_index(world->plain, bool, index) && world_point_is_told(world, point);
}

static GArray *told_choices(const struct world *world, bool least)
{
	GArray *told = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < world->choices->len; i++) {
		if (world_choice_is_told(world, i) && !(least && world_choice_is_first(world, i)))
			g_array_append_vals(told, &g_array_index(world->choices, struct choice, i),
			                    1);
	}
	return told;
}

GArray *world_told_choices(const struct world *world)
{
	return told_choices(world, false);
}

GArray *world_least_choices(const struct world *world)
{
	return told_choices(world, true);
}

const struct world_options *world_options(const struct world *world)
{
	return &world->options;
}

bool world_finalized(const struct world *world, int rank)
{
	return world->ranks[rank].finalized;
}

bool world_awaits_spawn(const struct world *world, int rank)
{
	const struct line *line = world->ranks[rank].line;

	return line->awaits_spawn && (line->phase == PHASE_BLOCKED || line->phase == PHASE_HELD);
}

guint32 world_calls(const struct world *world, int rank)
{
	return (guint32)world->ranks[rank].calls.count;
}

const struct world_call *world_call_info(const struct world *world, int rank, guint32 call)
{
	const struct chunks *calls = &world->ranks[rank].calls;

	return call >= 1 && call <= calls->count ? chunks_at(calls, call - 1) : NULL;
}

gint32 world_peer_to_record(const struct communicators *comms, const struct world_call *call)
{
	return call->kind == WIRE_COLLECTIVE && communicators_first_group(comms, call->comm) > 0
	               ? WIRE_NO_ROOT
	               : call->peer;
}

static void mark_collective(const struct world *world, int number, const struct live *live,
                            bool *waits)
{
	int count, members_count;
	const struct op_id *calls = collectives_calls(world->collectives, live->instance, &count);
	const int *members = communicators_members(world->comms, live->comm, number,
	                                           &members_count);

	g_assert(count == members_count);
	for (int i = 0; i < count; i++) {
		if (calls[i].call == 0)
			waits[members[i]] = true;
	}
}

static void mark_peers(const struct world *world, int number, const struct live *live, bool *waits)
{
	int count, peer;
	const int *members;

	if (live->kind == WIRE_COLLECTIVE) {
		mark_collective(world, number, live, waits);
	} else if (live->kind == WIRE_LOCK) {
		windows_mark_holders(world->locks, number, waits);
	} else if (live->peer == WIRE_ANY) {
		members = communicators_members(world->comms, live->comm, number, &count);
		for (int i = 0; i < count; i++) {
			if (members[i] != number && world_phase(world, members[i]) != PHASE_ENDED)
				waits[members[i]] = true;
		}
	} else {
		peer = communicators_to_world(world->comms, live->comm, number, live->peer);
		if (peer >= 0)
			waits[peer] = true;
	}
}

/* Of a joined operation, the half that is not complete; NULL: both are. */
static const struct live *incomplete(const struct world *world, int number, const struct live *live)
{
	if (world_completable(world, number, live))
		return NULL;
	return world_half_completable(world, number, live) ? world_find_joined(world, number, live)
	                                                   : live;
}

/* Whether the pending call still waits for the operation of this name. If so, describes the part
 * waited for. */
static bool still_waits(const struct world *world, int number, struct wire_name name,
                        struct live *ret_for)
{
	const struct live *live = world_find_live(world, number, name);
	const struct message *message;

	if (world->ranks[number].line->wait == WIRE_WAIT_TAKEN) {
		message = world_find_message(world, number, name);
		if (message)
			*ret_for = (struct live){.name = name,
			                         .kind = WIRE_SEND,
			                         .comm = message->comm,
			                         .peer = message->peer,
			                         .tag = message->tag};
		return message != NULL;
	}
	live = live ? incomplete(world, number, live) : NULL;
	if (live)
		*ret_for = *live;
	return live != NULL;
}

static void mark_waited(const struct world *world, int number, bool *waits)
{
	const struct rank *rank = &world->ranks[number];
	struct live live;

	for (guint i = 0; rank->line->phase == PHASE_BLOCKED && i < rank->line->waited->len; i++) {
		if (still_waits(world, number,
		                g_array_index(rank->line->waited, struct wire_name, i), &live))
			mark_peers(world, number, &live, waits);
	}
}

GArray *world_waits_for(struct world *world, int number, guint32 call)
{
	GArray *list = g_array_new(false, false, sizeof(gint32));
	g_autofree bool *waits = g_new0(bool, world->options.ranks);

	for (guint i = 0; i < world_lines(world, number); i++) {
		world_focus(world, number, i);
		if (call == 0 || world->ranks[number].line->call == call)
			mark_waited(world, number, waits);
	}
	world_mark_stuck(world, number, waits);
	for (gint32 i = 0; i < world->options.ranks; i++) {
		if (waits[i])
			g_array_append_val(list, i);
	}
	return list;
}

char *world_root_print(gint32 root)
{
	switch (root) {
	case WIRE_NO_ROOT: return g_strdup("none");
	case WIRE_ROOT_ITSELF: return g_strdup("MPI_ROOT");
	case WIRE_ROOT_BESIDE: return g_strdup("MPI_PROC_NULL");
	default: return g_strdup_printf("%d", root);
	}
}

/* Appends a communicator, unless it is the rank's MPI_COMM_WORLD, or none of the program's. */
static void append_comm(GString *text, const struct world *world, guint64 comm, guint16 function,
                        const char *separator, const struct comm_words *words)
{
	guint64 itself = world_comm_itself(world, comm);
	g_autofree char *name = NULL;

	if (itself == WIRE_COMM_WORLD
	    || g_str_has_prefix(communicators_origin(world->comms, itself), "MPI_COMM_WORLD"))
		return;
	name = words->print(words->user, itself, function);
	g_string_append_printf(text, "%s%s", separator, name);
}

/* Whether only the shim knows the communicator: to spawn and to connect (shim/calls/spawn.h). */
static bool is_internal(const struct world *world, guint64 comm)
{
	return comm == WIRE_COMM_JOB
	       || g_strcmp0(communicators_origin(world->comms, comm), PRELAUNCHED_PAIR) == 0;
}

/* Appends the arguments of an operation that a call of `function` has started. */
static void append_envelope(GString *text, const struct world *world, const struct live *op,
                            guint16 function, const struct comm_words *words)
{
	const char *separator = "";
	struct lock_place window;
	guint8 kind = op->kind;
	gint32 peer = op->peer, tag = op->tag;

	if (is_internal(world, op->comm)) {
		if (function == MPI_CALL_Comm_accept && kind == WIRE_RECEIVE && peer == WIRE_ANY)
			g_string_append(text, "any client");
		return;
	}
	if (kind == WIRE_COLLECTIVE) {
		g_autofree char *root = world_root_print(peer);

		if (peer != WIRE_NO_ROOT)
			g_string_append_printf(text, "root=%s", root);
		separator = peer != WIRE_NO_ROOT ? ", " : "";
	} else if (kind == WIRE_LOCK || kind == WIRE_UNLOCK) {
		if (peer != WIRE_ANY)
			g_string_append_printf(text, "target=%d", peer);
		separator = peer != WIRE_ANY ? ", " : "";
	} else if (communicators_window(world->comms, op->comm, &window)) {
		g_string_append_printf(
			text, "%s=%d",
			(kind == WIRE_SEND) == (tag == WIRE_EXPOSED) ? "origin" : "target", peer);
		separator = ", ";
	} else {
		if (peer == WIRE_ANY)
			g_string_append(text, "ANY_SOURCE");
		else
			g_string_append_printf(text, "%s=%d", kind == WIRE_SEND ? "dest" : "source",
			                       peer);
		if (tag == WIRE_ANY)
			g_string_append(text, ", ANY_TAG");
		else
			g_string_append_printf(text, ", tag=%d", tag);
		separator = ", ";
	}
	append_comm(text, world, op->comm, function, separator, words);
}

/* That the receiver's matched probe took the message of this send, for which the rank waits. */
static void append_probed(GString *text, const struct live *live)
{
	if (live->kind == WIRE_SEND && live->probed)
		g_string_append(text, ", probed but not received");
}

/* The partitions that keep a partitioned message from being sent. */
static void append_unready(GString *text, const struct world *world, int number, guint64 comm,
                           const char *separator)
{
	int sender;
	g_autofree char *unready = partitions_unready(world->partitions, comm, &sender);

	if (unready && sender == number)
		g_string_append_printf(text, "%s%s not made ready", separator, unready);
	else if (unready)
		g_string_append_printf(text, "%s%s not made ready by rank %s", separator, unready,
		                       rank_name(sender));
}

/* The partitioned send that is not ready, if the rank waits for one; NULL: it does not. */
static const struct wire_name *waited_unready(const struct world *world, int number)
{
	const GArray *waited = world->ranks[number].line->waited;

	for (guint i = 0; i < waited->len; i++) {
		const struct wire_name *name = &g_array_index(waited, struct wire_name, i);

		if (name->call == WIRE_NEVER && name->sub > 0)
			return name;
	}
	return NULL;
}

/* A blocked completion call is described by the first operation for which it still waits. */
static bool first_waited(const struct world *world, int number, struct live *ret_live)
{
	const GArray *waited = world->ranks[number].line->waited;
	guint i = 0;

	while (i < waited->len
	       && !still_waits(world, number, g_array_index(waited, struct wire_name, i), ret_live))
		i++;
	return i < waited->len;
}

GArray *world_pending_calls(struct world *world, int number)
{
	GArray *calls = g_array_new(false, false, sizeof(guint32));
	const struct rank *rank = &world->ranks[number];

	for (guint i = 0; i < world_lines(world, number); i++) {
		world_focus(world, number, i);
		if (rank->line->phase == PHASE_BLOCKED
		    || (rank->line->phase == PHASE_HELD && rank->threads))
			g_array_append_val(calls, rank->line->call);
	}
	return calls;
}

char *world_arguments(struct world *world, int number, guint32 call, const struct comm_words *words)
{
	const struct world_call *info = world_call_info(world, number, call);
	const struct rank *rank = &world->ranks[number];
	GString *text = g_string_new(NULL);
	const struct world_call *from;
	const struct wire_name *unready;
	struct live live;

	world_focus_call(world, number, call);
	unready = rank->line->phase == PHASE_BLOCKED && rank->line->call == call
	                  ? waited_unready(world, number)
	                  : NULL;
	if (info && info->kind != 0) {
		append_envelope(text, world,
		                &(struct live){.kind = info->kind,
		                               .peer = info->peer,
		                               .tag = info->tag,
		                               .comm = info->comm},
		                info->function, words);
		if (rank->line->phase == PHASE_BLOCKED && rank->line->call == call
		    && first_waited(world, number, &live))
			append_probed(text, &live);
	} else if (info && rank->line->phase == PHASE_BLOCKED && rank->line->call == call
	           && first_waited(world, number, &live)) {
		from = world_call_info(world, number, live.name.call);
		g_string_append_printf(text, "%s(", from ? mpi_call_name(from->function) : "?");
		append_envelope(text, world, &live, from ? from->function : MPI_CALL_NONE, words);
		append_probed(text, &live);
		append_unready(text, world, number, live.comm, ", ");
		g_string_append_c(text, ')');
	} else if (info && unready) {
		from = world_call_info(world, number, unready->sub);
		g_string_append_printf(text, "%s(", from ? mpi_call_name(from->function) : "?");
		append_unready(text, world, number,
		               partitions_find(world->partitions, number, unready->sub), "");
		g_string_append_c(text, ')');
	}
	return g_string_free(text, false);
}

const GArray *world_left(const struct world *world, int rank)
{
	return world->ranks[rank].left;
}

GArray *world_unreceived(const struct world *world)
{
	g_autoptr(GArray) sends = g_array_new(false, false, sizeof(struct operation));
	g_autoptr(GArray) receives = g_array_new(false, false, sizeof(struct operation));
	GArray *ids = g_array_new(false, false, sizeof(struct op_id));

	matcher_leftovers(world->matcher, sends, receives);
	for (guint i = 0; i < sends->len; i++) {
		struct op_id id = g_array_index(sends, struct operation, i).id;
		const struct message *message = g_hash_table_lookup(world->messages, &id);

		if (message ? !message->recalled && message->comm != WIRE_COMM_JOB : true)
			g_array_append_val(ids, id);
	}
	return ids;
}

char *world_message_types(const struct world *world, struct op_id send)
{
	const struct message *message = g_hash_table_lookup(world->messages, &send);

	return message ? types_print(&message->types) : NULL;
}

struct remark_party world_party(const struct world *world, struct op_id id, const char *does)
{
	const struct world_call *info = world_call_info(world, id.rank, id.call);

	return (struct remark_party){
		.rank = id.rank,
		.call = id.call,
		.function = info ? info->function : MPI_CALL_NONE,
		.site = info ? info->site : 0,
		.does = does,
	};
}

void world_remark(struct world *world, const struct remark *remark)
{
	world_tell(world, &(struct world_step){.kind = WORLD_STEP_REMARKED, .remark = remark});
	remarks_add(world->remarks, remark);
}

void world_remark_seen(struct world *world, const struct remark *remark)
{
	remarks_add(world->remarks, remark);
}

const struct remarks *world_remarks(const struct world *world)
{
	return world->remarks;
}
