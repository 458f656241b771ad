#include "recorded_execution.h"

#include "common/recording.h"
#include "common/wire.h"
#include "mpi_calls.h"
#include "recorded_comms.h"
#include "recorded_ends.h"
#include "recorded_messages.h"

struct builder {
	const struct recorded_logs *logs;
	struct record_execution *execution;
	struct recorded_comms *comms;
	struct recorded_messages *messages;
	GHashTable *collectives; /* text to its number */
	GHashTable **counts;     /* by rank: text to how often the rank has come there */
	GHashTable **prepared;   /* by rank: number of a call that has prepared an operation to its
	                          * communicator, whose handle may mean another one later */
	guint *first;            /* by rank: index of its first call; then the end */
};

/* A call, and what it or the call that has prepared it was given. */
struct told {
	int rank;
	guint32 number, function;
	const struct recorded_details *details;
	const struct recorded_comm *comm; /* NULL: none, or not known */
};

static const struct recorded_matches *matches_of(const struct builder *builder, int rank)
{
	return g_ptr_array_index(builder->logs->matches, (guint)rank);
}

static const struct recorded_details *details_at(const struct recorded_matches *matches, guint at)
{
	return &g_array_index(matches->details, struct recorded_details, at);
}

static const struct recorded_call *call_at(const struct recorded_matches *matches, guint at)
{
	return &g_array_index(matches->calls, struct recorded_call, at);
}

static bool has(const struct recorded_details *details, enum recorded_argument argument)
{
	return details->has >> argument & 1;
}

/* --- what a call does ------------------------------------------------------------------------- */

static bool is_probe(guint32 function)
{
	return function == MPI_CALL_Probe || function == MPI_CALL_Iprobe;
}

static bool is_mprobe(guint32 function)
{
	return function == MPI_CALL_Mprobe || function == MPI_CALL_Improbe;
}

/* MPI_Init and its kin, and MPI_Finalize: collectives of all ranks. */
static bool begins_or_ends(guint32 function)
{
	return mpi_call_begins_mpi(function) || mpi_call_ends_mpi(function);
}

static bool sends(const struct told *told)
{
	return mpi_call_send_mode(told->function) != MPI_CALL_SEND_MODE_NONE
	       && has(told->details, RECORDED_DEST);
}

static bool receives(const struct told *told)
{
	return has(told->details, RECORDED_SOURCE) && !is_probe(told->function)
	       && !is_mprobe(told->function);
}

static enum record_call_kind kind_of(const struct told *told)
{
	if (sends(told))
		return RECORD_CALL_SEND;
	if (receives(told))
		return RECORD_CALL_RECEIVE;
	if (is_probe(told->function))
		return RECORD_CALL_PROBE;
	if (is_mprobe(told->function))
		return RECORD_CALL_MPROBE;
	return mpi_call_collective(told->function) != MPI_CALL_COLLECTIVE_NONE
	                       || begins_or_ends(told->function)
	                       || recorded_comms_is_making(told->function)
	               ? RECORD_CALL_COLLECTIVE
	               : RECORD_CALL_OTHER;
}

static gint32 value_of(const struct recorded_details *details, enum recorded_argument argument,
                       enum recorded_argument otherwise)
{
	return details->values[has(details, argument) ? argument : otherwise];
}

/* The peer as the program named it: -1 if it is any, or none. */
static gint32 peer_of(const struct told *told, enum record_call_kind kind)
{
	const gint32 *values = told->details->values;

	if (kind == RECORD_CALL_COLLECTIVE)
		return has(told->details, RECORDED_ROOT) ? values[RECORDED_ROOT] : -1;
	return kind == RECORD_CALL_SEND ? values[RECORDED_DEST] : values[RECORDED_SOURCE];
}

static gint32 tag_of(const struct told *told, enum record_call_kind kind)
{
	if (kind == RECORD_CALL_SEND)
		return value_of(told->details, RECORDED_SENDTAG, RECORDED_TAG);
	return value_of(told->details, RECORDED_RECVTAG, RECORDED_TAG);
}

static bool has_peer(const struct told *told, enum record_call_kind kind)
{
	return kind != RECORD_CALL_OTHER && kind != RECORD_CALL_COLLECTIVE
	       && peer_of(told, kind) != WIRE_NOBODY;
}

static guint32 comm_number(const struct told *told)
{
	return told->comm ? (guint32)told->comm->number : 0;
}

/* --- messages --------------------------------------------------------------------------------- */

/* What the call that has begun an operation got for it. */
static const struct recorded_report *report_of(const struct builder *builder, int rank,
                                               guint32 call, guint32 sub)
{
	return recorded_matches_of(matches_of(builder, rank), call, sub);
}

static void add_send(struct builder *builder, const struct told *told, guint32 start, guint32 sub)
{
	const struct recorded_report *report = report_of(builder, told->rank, start, sub);
	const struct recorded_operation send = {
		.rank = told->rank,
		.call = start,
		.sub = sub,
		.comm = comm_number(told),
		.peer = recorded_comm_to_world(told->comm, told->rank,
	                                       peer_of(told, RECORD_CALL_SEND)),
		.tag = tag_of(told, RECORD_CALL_SEND),
	};

	if (!(report && report->is_cancelled && !receives(told)) && send.peer >= 0)
		recorded_messages_send(builder->messages, &send);
}

/* `report`: what it got; NULL: that is not known. */
static void add_receive(struct builder *builder, const struct told *told, guint32 start,
                        guint32 sub, const struct recorded_report *report)
{
	const gint32 source = report ? report->source : told->details->values[RECORDED_SOURCE],
		     tag = report ? report->tag : tag_of(told, RECORD_CALL_RECEIVE);
	const bool is_any = !report && source == WIRE_ANY;
	struct recorded_operation receive = {
		.rank = told->rank,
		.call = start,
		.sub = sub,
		.comm = comm_number(told),
		.peer = is_any ? RECORDED_ANY
	                       : recorded_comm_to_world(told->comm, told->rank, source),
		.tag = tag == WIRE_ANY ? RECORDED_ANY : tag,
		.is_taken = report != NULL,
	};

	if (report && (report->is_cancelled || receive.peer < 0 || receive.tag < 0))
		return;
	if (report || is_any || receive.peer >= 0)
		recorded_messages_receive(builder->messages, &receive);
}

/* The operations that a call has begun, as call `start`, part `sub` in the log. Where it sends and
 * receives, the receive is the second part. */
static void add_messages(struct builder *builder, const struct told *told, guint32 start,
                         guint32 sub)
{
	const bool has_both = sends(told) && receives(told);

	if (!told->comm)
		return;
	if (sends(told) && has_peer(told, RECORD_CALL_SEND))
		add_send(builder, told, start, sub);
	if (receives(told) && has_peer(told, RECORD_CALL_RECEIVE))
		add_receive(builder, told, start, sub + has_both,
		            report_of(builder, told->rank, start, sub));
}

/* The message that MPI_Mrecv receives was taken by the probe. Returns what the probe's message is
 * known by: its own status, or that of the receive. */
static const struct recorded_report *find_received(const struct builder *builder, int rank,
                                                   guint at, guint32 handle)
{
	const struct recorded_matches *matches = matches_of(builder, rank);
	const struct recorded_report *own = report_of(builder, rank, call_at(matches, at)->number,
	                                              0);

	for (guint i = at + 1; !own && i < matches->calls->len; i++) {
		const struct recorded_details *details = details_at(matches, i);

		if (has(details, RECORDED_MESSAGE)
		    && (guint32)details->values[RECORDED_MESSAGE] == handle)
			return report_of(builder, rank, call_at(matches, i)->number, 0);
	}
	return own;
}

/* A probe that has found a message; a poll is here only if it has. Without a status, only what it
 * was given tells which. */
static void add_probe(struct builder *builder, const struct told *told)
{
	const struct recorded_report *report = report_of(builder, told->rank, told->number, 0);
	const gint32 source = report ? report->source : told->details->values[RECORDED_SOURCE];
	const struct recorded_operation probe = {
		.rank = told->rank,
		.call = told->number,
		.comm = comm_number(told),
		.peer = told->comm ? recorded_comm_to_world(told->comm, told->rank, source) : -1,
		.tag = report ? report->tag : tag_of(told, RECORD_CALL_PROBE),
	};

	if (probe.peer >= 0 && probe.tag >= 0)
		recorded_messages_probe(builder->messages, &probe);
}

/* --- collectives ------------------------------------------------------------------------------ */

static guint count_of(struct builder *builder, int rank, const char *text)
{
	GHashTable *counts = builder->counts[rank];
	const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, text)) + 1;

	g_hash_table_replace(counts, g_strdup(text), GUINT_TO_POINTER(count));
	return count;
}

/* Collective calls on a communicator come in the same order at all its members. If the functions of
 * two ranks differ, they do not meet here. MPI_Comm_create_group is called by some members alone:
 * they meet on what they have made. `what`: of operations that were prepared, which one is
 * started. */
static guint32 number_of(struct builder *builder, const struct told *told,
                         const struct recorded_comm *made, const char *what)
{
	const bool is_apart = told->function == MPI_CALL_Comm_create_group;
	g_autofree char *order = g_strdup_printf("%u %s", comm_number(told), what), *key = NULL;
	gpointer number;

	if (is_apart && !made)
		return 0;
	if (is_apart)
		key = g_strdup_printf("made %" G_GUINT64_FORMAT, made->number);
	else
		key = g_strdup_printf("%s: %u, %u", order, count_of(builder, told->rank, order),
		                      told->function);
	number = g_hash_table_lookup(builder->collectives, key);
	if (!number) {
		number = GUINT_TO_POINTER(g_hash_table_size(builder->collectives) + 1);
		g_hash_table_insert(builder->collectives, g_steal_pointer(&key), number);
	}
	return GPOINTER_TO_UINT(number);
}

static void set_communicator(struct record_call *call, const struct recorded_comm *comm)
{
	if (!comm)
		return;
	call->communicator = comm->number;
	call->communicator_name = comm->name;
	call->communicator_group = comm->group;
}

static enum record_wait wait_of(guint32 function)
{
	switch (mpi_call_order(function)) {
	case MPI_CALL_ORDER_ALL: return RECORD_WAIT_ALL;
	case MPI_CALL_ORDER_ROOT_FIRST: return RECORD_WAIT_ROOT;
	case MPI_CALL_ORDER_LOWER: return RECORD_WAIT_LOWER;
	default: return begins_or_ends(function) ? RECORD_WAIT_ALL : RECORD_WAIT_NOBODY;
	}
}

/* The root sends to the others, or receives from all of them. */
static void connect_collective(struct builder *builder, struct record_call *call,
                               const struct told *told, const struct recorded_comm *made,
                               const char *what)
{
	const bool is_root = call->peer == call->rank;

	if (!told->comm)
		return;
	if (told->function == MPI_CALL_Comm_create_group && made)
		set_communicator(call, made);
	call->collective = number_of(builder, told, made, what);
	call->waits = wait_of(told->function);
	if (mpi_call_order(told->function) == MPI_CALL_ORDER_ROOT_FIRST && is_root)
		call->waits = RECORD_WAIT_NOBODY;
	if (mpi_call_order(told->function) == MPI_CALL_ORDER_ROOT_LAST && is_root)
		call->waits = RECORD_WAIT_ALL;
}

/* --- calls ------------------------------------------------------------------------------------ */

static struct record_call plain_call(const struct builder *builder, int rank, guint32 number,
                                     guint32 function, guint64 site)
{
	struct record_call call = {
		.rank = rank, .call = number, .peer = -1, .peer_given = -1, .tag = -1};

	call.function = g_intern_string(mpi_call_name(function));
	call.place = builder->logs->find_place(builder->logs->user, rank, site);
	return call;
}

/* The first operation of the call. */
static void describe(struct record_call *call, const struct told *told)
{
	call->kind = kind_of(told);
	if (call->kind == RECORD_CALL_OTHER)
		return;
	set_communicator(call, told->comm);
	call->peer_given = peer_of(told, call->kind);
	if (call->peer_given < 0)
		call->peer_given = -1;
	else if (told->comm)
		call->peer = recorded_comm_to_world(told->comm, told->rank, call->peer_given);
	if (call->kind == RECORD_CALL_COLLECTIVE) {
		call->bytes = (uint64_t)(told->details->sent > 0 ? told->details->sent
		                                                 : told->details->received);
		if (told->comm && told->comm->members[1])
			call->peer = call->peer_given = -1;
		return;
	}
	call->tag = MAX(tag_of(told, call->kind), -1);
	call->bytes = (uint64_t)(call->kind == RECORD_CALL_SEND ? told->details->sent
	                                                        : told->details->received);
	if (mpi_call_send_mode(told->function) == MPI_CALL_SEND_MODE_SYNCHRONOUS)
		call->waits = RECORD_WAIT_MATCH;
}

static bool begins(const struct told *told)
{
	return !mpi_call_is_persistent(told->function);
}

/* Where the operation of a call completes. */
static guint32 completion(const struct builder *builder, const struct told *told, guint32 start,
                          guint32 sub, bool is_inside)
{
	const struct recorded_report *report;

	if (kind_of(told) == RECORD_CALL_COLLECTIVE && !begins_or_ends(told->function)
	    && mpi_call_order(told->function) == MPI_CALL_ORDER_NONE)
		return 0; /* MPI_Comm_free: nobody waits for anybody */
	if (!mpi_call_leaves_request(told->function) && begins(told))
		return is_inside ? 0 : start;
	report = report_of(builder, told->rank, start, sub);
	return report ? report->call : 0;
}

static guint operations_of(const struct told *told)
{
	return sends(told) && receives(told) ? 2 : kind_of(told) != RECORD_CALL_OTHER;
}

/* MPI_Start and MPI_Startall begin what other calls have prepared. */
static void add_started(struct builder *builder, struct record_call *call,
                        const struct recorded_details *details)
{
	const struct recorded_matches *matches = matches_of(builder, call->rank);

	for (guint i = 0; i < details->count; i++) {
		const guint32 number = g_array_index(matches->prepared, guint32,
		                                     details->first + i);
		const guint at = recorded_matches_find(matches, number);
		struct told told = {.rank = call->rank, .number = number};
		g_autofree char *what = g_strdup_printf("started %u", number);

		if (at >= matches->calls->len)
			continue;
		told.function = call_at(matches, at)->function;
		told.details = details_at(matches, at);
		told.comm = g_hash_table_lookup(builder->prepared[call->rank],
		                                GUINT_TO_POINTER(number));
		if (i == 0) {
			describe(call, &told);
			if (call->kind == RECORD_CALL_COLLECTIVE)
				connect_collective(builder, call, &told, NULL, what);
		}
		call->operations = (uint8_t)MIN(call->operations + 1, 255);
		call->completed = completion(builder, &told, call->call, i, false);
		add_messages(builder, &told, call->call, i);
	}
}

static void add_call(struct builder *builder, int rank, guint at)
{
	const struct recorded_matches *matches = matches_of(builder, rank);
	const struct recorded_call *recorded = call_at(matches, at);
	const struct recorded_details *details = details_at(matches, at);
	struct record_call call = plain_call(builder, rank, recorded->number, recorded->function,
	                                     details->site);
	const struct told told = {
		rank, recorded->number, recorded->function, details,
		begins_or_ends(recorded->function)
			? recorded_comms_world(builder->comms)
			: recorded_comms_find(builder->comms, rank,
	                                      (guint32)details->values[RECORDED_COMM])};
	g_autofree char *where = call.place.file || call.place.function ? place_print(&call.place)
	                                                                : NULL;
	const struct recorded_comm *made = recorded_comms_make(builder->comms, rank, told.function,
	                                                       details, where);

	if (!begins(&told))
		g_hash_table_insert(builder->prepared[rank], GUINT_TO_POINTER(told.number),
		                    (gpointer)(uintptr_t)told.comm);
	if (details->count > 0) {
		add_started(builder, &call, details);
	} else if (begins(&told)) {
		describe(&call, &told);
		call.operations = (uint8_t)operations_of(&told);
		if (call.kind == RECORD_CALL_COLLECTIVE)
			connect_collective(builder, &call, &told, made, "called");
		if (call.kind != RECORD_CALL_OTHER)
			call.completed = completion(builder, &told, call.call, 0,
			                            recorded->is_inside);
		add_messages(builder, &told, call.call, 0);
		if (call.kind == RECORD_CALL_MPROBE && told.comm
		    && has(details, RECORDED_MADE_MESSAGE) && has_peer(&told, call.kind))
			add_receive(builder, &told, call.call, 0,
			            find_received(builder, rank, at,
			                          (guint32)details->values[RECORDED_MADE_MESSAGE]));
		if (call.kind == RECORD_CALL_PROBE)
			add_probe(builder, &told);
	}
	g_array_append_val(builder->execution->calls, call);
}

/* Polls that were answered "not yet" are calls, too. */
static void add_polls(struct builder *builder, int rank, guint at)
{
	const struct recorded_matches *matches = matches_of(builder, rank);
	const struct recorded_call *polls = call_at(matches, at);

	struct record_call call = plain_call(builder, rank, polls->number, polls->function,
	                                     details_at(matches, at)->site);

	for (guint32 i = 0; i < polls->not_yet; i++, call.call++)
		g_array_append_val(builder->execution->calls, call);
}

static void add_calls(struct builder *builder, int rank)
{
	const struct recorded_matches *matches = matches_of(builder, rank);

	builder->first[rank] = builder->execution->calls->len;
	for (guint i = 0; matches && i < matches->calls->len; i++) {
		if (call_at(matches, i)->not_yet == 0)
			add_call(builder, rank, i);
		else if (!builder->logs->skips_polls)
			add_polls(builder, rank, i);
	}
}

static void add_match(void *user, const struct recorded_operation *send,
                      const struct recorded_operation *receive)
{
	GArray *matches = user;
	const struct record_match match = {
		.rank = receive->rank,
		.call = receive->call,
		.sub = receive->sub,
		.source = send->rank,
		.send_call = send->call,
		.send_sub = send->sub,
		.tag = send->tag,
	};

	g_array_append_val(matches, match);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void note_untold(guint untold, GPtrArray *notes)
{
	if (untold == 1)
		g_ptr_array_add(notes, g_strdup("1 message is not drawn: which send it comes from "
		                                "is not in the recording"));
	else if (untold > 1)
		g_ptr_array_add(notes,
		                g_strdup_printf("%u messages are not drawn: which sends they "
		                                "come from is not in the recording",
		                                untold));
}

static void builder_clear(struct builder *builder)
{
	for (int rank = 0; rank < builder->logs->ranks; rank++) {
		g_hash_table_unref(builder->counts[rank]);
		g_hash_table_unref(builder->prepared[rank]);
	}
	g_free(builder->counts);
	g_free(builder->prepared);
	g_free(builder->first);
	g_hash_table_unref(builder->collectives);
	recorded_messages_free(builder->messages);
	recorded_comms_free(builder->comms);
}

struct record_execution *recorded_execution(const struct recorded_logs *logs, GPtrArray *notes)
{
	struct builder builder = {
		.logs = logs,
		.execution = record_execution_new(),
		.comms = recorded_comms_new(logs->ranks),
		.messages = recorded_messages_new(),
		.collectives = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.counts = g_new0(GHashTable *, logs->ranks),
		.prepared = g_new0(GHashTable *, logs->ranks),
		.first = g_new0(guint, logs->ranks + 1),
	};
	guint untold;

	for (int rank = 0; rank < logs->ranks; rank++) {
		builder.counts[rank] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
		builder.prepared[rank] = g_hash_table_new(NULL, NULL);
	}
	for (int rank = 0; rank < logs->ranks; rank++)
		add_calls(&builder, rank);
	builder.first[logs->ranks] = builder.execution->calls->len;
	untold = recorded_messages_match(builder.messages, add_match, builder.execution->matches);
	if (logs->probes)
		recorded_messages_found(builder.messages, add_match, logs->probes);
	recorded_ends_add(logs, builder.comms, builder.first, builder.execution, notes);
	note_untold(untold, notes);
	builder.execution->id = 1;
	builder.execution->status = FINDING_RECORDED;
	builder_clear(&builder);
	return builder.execution;
}
