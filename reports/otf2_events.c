#include "otf2_trace.h"
#include "words.h"

/* One operation of a call, with what its match says about it. */
struct transfer {
	guint call; /* index */
	uint32_t sub;
	bool is_send;
	const struct record_match *match; /* NULL: no receive takes it, or no message arrives */
	uint64_t request;                 /* of a nonblocking operation, else 0; unique within
	                                     its rank */
};

/* What happens between the beginning and the end of a call. */
struct moment {
	guint64 time;
	guint order; /* among moments with the same time */
	enum { BEGIN_CALL, START, COMPLETE, START_ALL, COMPLETE_ALL, END_CALL } kind;
	guint call;      /* index */
	guint operation; /* index; for START and COMPLETE */
	guint within;    /* index of the call in which it happens */
};

struct otf2_events {
	const struct record_execution *execution;
	const struct record_exploration *exploration;
	const struct timeline *timeline;
	struct otf2_definitions *definitions;
	const char *root;
	GArray *operations;  /* struct transfer, by call and sub */
	guint *first;        /* by call: index of its first operation; one more at the end */
	uint64_t *requests;  /* by call: request of its nonblocking collective, else 0 */
	GHashTable *choices; /* index of a call + 1 to its struct record_choice */
	GArray *moments;     /* struct moment, of `rank` */
	int32_t rank;        /* being written; -1: none yet */
	OTF2_EvtWriter *writer;
	OTF2_AttributeList *attributes;
	OTF2_ErrorCode code; /* the first error, or OTF2_SUCCESS */
};

static const struct record_call *call_at(const struct otf2_events *events, guint index)
{
	return &g_array_index(events->execution->calls, struct record_call, index);
}

static const char *function_of(const struct record_call *call)
{
	return call->function ? call->function : "";
}

static struct transfer *operation_at(const struct otf2_events *events, guint index)
{
	return &g_array_index(events->operations, struct transfer, index);
}

/* --- operations --- */

static int compare_operations(gconstpointer a, gconstpointer b)
{
	const struct transfer *one = a, *other = b;

	if (one->call != other->call)
		return one->call < other->call ? -1 : 1;
	return one->sub < other->sub ? -1 : one->sub > other->sub;
}

static void add_match(struct otf2_events *events, const struct record_match *match)
{
	const GArray *calls = events->execution->calls;
	gint64 send = timeline_call(calls, match->source, match->send_call);
	gint64 receive = timeline_call(calls, match->rank, match->call);

	if (send < 0 || receive < 0 || call_at(events, (guint)receive)->kind == RECORD_CALL_PROBE
	    || otf2_is_one_sided(function_of(call_at(events, (guint)send)))
	    || otf2_is_one_sided(function_of(call_at(events, (guint)receive))))
		return;
	const struct transfer sent = {(guint)send, match->send_sub, true, match, 0};
	const struct transfer received = {(guint)receive, match->sub, false, match, 0};

	g_array_append_val(events->operations, sent);
	g_array_append_val(events->operations, received);
}

/* An operation without a match is known only if its call has no other operation, or if it is the
 * first. */
static void add_unmatched(struct otf2_events *events)
{
	g_autoptr(GHashTable) firsts = g_hash_table_new(NULL, NULL); /* index of a call + 1 */

	for (guint i = 0; i < events->operations->len; i++) {
		const struct transfer *operation = operation_at(events, i);

		if (operation->sub == 0 || call_at(events, operation->call)->operations == 1)
			g_hash_table_add(firsts, GUINT_TO_POINTER(operation->call + 1));
	}
	for (guint i = 0; i < events->execution->calls->len; i++) {
		const struct record_call *call = call_at(events, i);
		const struct transfer operation = {i, 0, call->kind == RECORD_CALL_SEND, NULL, 0};

		if ((call->kind == RECORD_CALL_SEND || call->kind == RECORD_CALL_RECEIVE)
		    && !otf2_is_one_sided(function_of(call))
		    && !g_hash_table_contains(firsts, GUINT_TO_POINTER(i + 1)))
			g_array_append_val(events->operations, operation);
	}
}

static bool is_collective(const struct record_call *call)
{
	OTF2_CollectiveOp op;

	return call->kind == RECORD_CALL_COLLECTIVE && call->collective > 0
	       && otf2_collective(function_of(call), &op);
}

/* Numbers the operations of each rank in the order of their calls. */
static void number(struct otf2_events *events)
{
	guint at = 0;
	uint64_t request = 0;

	for (guint i = 0; i < events->execution->calls->len; i++) {
		bool nonblocking = otf2_is_nonblocking(function_of(call_at(events, i)));

		if (i > 0 && call_at(events, i)->rank != call_at(events, i - 1)->rank)
			request = 0;
		events->first[i] = at;
		for (; at < events->operations->len && operation_at(events, at)->call == i; at++)
			operation_at(events, at)->request = nonblocking ? ++request : 0;
		if (nonblocking && is_collective(call_at(events, i)))
			events->requests[i] = ++request;
	}
	events->first[events->execution->calls->len] = at;
}

static void find_choices(struct otf2_events *events)
{
	for (guint i = 0; i < events->execution->choices->len; i++) {
		struct record_choice *choice = g_ptr_array_index(events->execution->choices, i);
		gint64 call = timeline_call(events->execution->calls, choice->rank, choice->call);

		if (call >= 0)
			g_hash_table_insert(events->choices, GSIZE_TO_POINTER((gsize)call + 1),
			                    choice);
	}
}

struct otf2_events *otf2_events_new(const struct record_execution *execution,
                                    const struct record_exploration *exploration,
                                    const struct timeline *timeline,
                                    struct otf2_definitions *definitions, const char *root)
{
	struct otf2_events *events = g_new0(struct otf2_events, 1);

	events->execution = execution;
	events->exploration = exploration;
	events->timeline = timeline;
	events->definitions = definitions;
	events->root = root;
	events->operations = g_array_new(false, false, sizeof(struct transfer));
	events->first = g_new0(guint, execution->calls->len + 1);
	events->requests = g_new0(uint64_t, execution->calls->len);
	events->choices = g_hash_table_new(NULL, NULL);
	events->moments = g_array_new(false, false, sizeof(struct moment));
	events->rank = -1;
	events->attributes = OTF2_AttributeList_New();
	events->code = OTF2_SUCCESS;
	for (guint i = 0; i < execution->matches->len; i++)
		add_match(events, &g_array_index(execution->matches, struct record_match, i));
	add_unmatched(events);
	g_array_sort(events->operations, compare_operations);
	number(events);
	find_choices(events);
	return events;
}

void otf2_events_free(struct otf2_events *events)
{
	if (!events)
		return;
	OTF2_AttributeList_Delete(events->attributes);
	g_array_unref(events->moments);
	g_hash_table_unref(events->choices);
	g_array_unref(events->operations);
	g_free(events->requests);
	g_free(events->first);
	g_free(events);
}

/* --- order --- */

static void add_moment(struct otf2_events *events, guint64 time, guint within, struct moment moment)
{
	moment.time = time;
	moment.within = within;
	moment.order = events->moments->len;
	g_array_append_val(events->moments, moment);
}

static int compare_moments(gconstpointer a, gconstpointer b)
{
	const struct moment *one = a, *other = b;

	if (one->time != other->time)
		return one->time < other->time ? -1 : 1;
	return one->order < other->order ? -1 : one->order > other->order;
}

/* The operations that complete in a call, by the calls that started them. */
static GHashTable *find_completions(struct otf2_events *events, guint first, guint end)
{
	GHashTable *completions = g_hash_table_new_full(NULL, NULL, NULL,
	                                                (GDestroyNotify)g_array_unref);

	for (guint i = first; i < end; i++) {
		const struct record_call *call = call_at(events, i);
		gint64 done = call->completed == 0 ? -1
		                                   : timeline_call(events->execution->calls,
		                                                   call->rank, call->completed);
		gpointer key = GSIZE_TO_POINTER((gsize)done);
		GArray *calls = done < 0 ? NULL : g_hash_table_lookup(completions, key);

		if (done < 0)
			continue;
		if (!calls) {
			calls = g_array_new(false, false, sizeof(guint));
			g_hash_table_insert(completions, key, calls);
		}
		g_array_append_val(calls, i);
	}
	return completions;
}

static void add_completions(struct otf2_events *events, guint call, const GArray *started)
{
	guint64 time = events->timeline->done[call];

	for (guint i = 0; started && i < started->len; i++) {
		guint from = g_array_index(started, guint, i);

		for (guint j = events->first[from]; j < events->first[from + 1]; j++)
			add_moment(events, time, call,
			           (struct moment){.kind = COMPLETE, .call = from, .operation = j});
		if (is_collective(call_at(events, from)))
			add_moment(events, time, call,
			           (struct moment){.kind = COMPLETE_ALL, .call = from});
	}
}

static void find_moments(struct otf2_events *events, guint first, guint end)
{
	const struct timeline *timeline = events->timeline;
	g_autoptr(GHashTable) completions = find_completions(events, first, end);

	g_array_set_size(events->moments, 0);
	for (guint i = first; i < end; i++) {
		add_moment(events, timeline->enter[i], i,
		           (struct moment){.kind = BEGIN_CALL, .call = i});
		for (guint j = events->first[i]; j < events->first[i + 1]; j++)
			add_moment(events, timeline->enter[i], i,
			           (struct moment){.kind = START, .call = i, .operation = j});
		if (is_collective(call_at(events, i)))
			add_moment(events, timeline->enter[i], i,
			           (struct moment){.kind = START_ALL, .call = i});
		add_completions(events, i, g_hash_table_lookup(completions, GUINT_TO_POINTER(i)));
		add_moment(events, timeline->leave[i], i,
		           (struct moment){.kind = END_CALL, .call = i});
	}
	g_array_sort(events->moments, compare_moments);
}

/* --- writing --- */

static void note(struct otf2_events *events, OTF2_ErrorCode code)
{
	if (events->code == OTF2_SUCCESS)
		events->code = code;
}

static void add_text(struct otf2_events *events, enum otf2_attribute attribute, const char *text)
{
	note(events, OTF2_AttributeList_AddStringRef(events->attributes, attribute,
	                                             otf2_string(events->definitions, text)));
}

static void begin_call(struct otf2_events *events, const struct moment *moment)
{
	const struct record_call *call = call_at(events, moment->call);
	const struct record_choice *choice = g_hash_table_lookup(
		events->choices, GUINT_TO_POINTER(moment->call + 1));
	OTF2_SourceCodeLocationRef source = otf2_source(events->definitions, &call->place,
	                                                events->root);

	note(events,
	     OTF2_AttributeList_AddUint32(events->attributes, OTF2_ATTRIBUTE_CALL, call->call));
	if (source != OTF2_UNDEFINED_SOURCE_CODE_LOCATION)
		note(events, OTF2_AttributeList_AddSourceCodeLocationRef(
				     events->attributes, OTF2_ATTRIBUTE_SOURCE, source));
	if (choice) {
		g_autofree char *text = words_blame(choice);

		add_text(events, OTF2_ATTRIBUTE_CHOICE, text);
	}
	note(events, OTF2_EvtWriter_Enter(events->writer, events->attributes, moment->time,
	                                  otf2_region(events->definitions, call)));
}

/* What the rank waits for; NULL: it is not in the roll-call. */
static char *waiting(const struct otf2_events *events, const struct record_call *call)
{
	const GPtrArray *ranks = events->execution->ranks;

	for (guint i = 0; i < ranks->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(ranks, i);

		if (rank->rank == call->rank && rank->call == call->call)
			return words_state(rank, ranks);
	}
	return NULL;
}

static void end_call(struct otf2_events *events, const struct moment *moment)
{
	const struct record_call *call = call_at(events, moment->call);

	if (!events->timeline->returns[moment->call]) {
		g_autofree char *text = waiting(events, call);

		add_text(events, OTF2_ATTRIBUTE_WAITS, text ? text : "did not return");
	}
	if (call->indices && call->indices[0] != '\0')
		add_text(events, OTF2_ATTRIBUTE_INDICES, call->indices);
	note(events, OTF2_EvtWriter_Leave(events->writer, events->attributes, moment->time,
	                                  otf2_region(events->definitions, call)));
}

/* The length of the message, taken from its send if the store knows that operation's length. */
static uint64_t length_of(const struct otf2_events *events, const struct transfer *operation)
{
	const GArray *calls = events->execution->calls;
	gint64 send = !operation->match ? operation->call
	                                : timeline_call(calls, operation->match->source,
	                                                operation->match->send_call);
	uint32_t sub = operation->match ? operation->match->send_sub : operation->sub;

	if (send < 0 || (sub > 0 && call_at(events, (guint)send)->operations != 1))
		return 0;
	return call_at(events, (guint)send)->bytes;
}

static void start_send(struct otf2_events *events, const struct moment *moment,
                       const struct transfer *operation)
{
	const struct record_call *call = call_at(events, moment->call);
	const struct record_match *match = operation->match;
	OTF2_CommRef communicator = otf2_communicator(events->definitions, call);
	uint32_t receiver = match ? otf2_rank_in(events->definitions, call, match->rank)
	                          : (uint32_t)call->peer_given;
	uint32_t tag = (uint32_t)(match ? match->tag : call->tag);
	uint64_t length = length_of(events, operation);

	if (operation->request > 0)
		note(events,
		     OTF2_EvtWriter_MpiIsend(events->writer, NULL, moment->time, receiver,
		                             communicator, tag, length, operation->request));
	else
		note(events, OTF2_EvtWriter_MpiSend(events->writer, NULL, moment->time, receiver,
		                                    communicator, tag, length));
}

static void start(struct otf2_events *events, const struct moment *moment)
{
	const struct transfer *operation = operation_at(events, moment->operation);

	if (operation->is_send)
		start_send(events, moment, operation);
	else if (operation->request > 0)
		note(events, OTF2_EvtWriter_MpiIrecvRequest(events->writer, NULL, moment->time,
		                                            operation->request));
}

static void receive(struct otf2_events *events, const struct moment *moment,
                    const struct transfer *operation)
{
	const struct record_call *call = call_at(events, moment->call);
	const struct record_match *match = operation->match;
	OTF2_CommRef communicator = otf2_communicator(events->definitions, call);
	uint32_t sender = otf2_rank_in(events->definitions, call, match->source);
	uint64_t length = length_of(events, operation);

	if (operation->request > 0)
		note(events, OTF2_EvtWriter_MpiIrecv(events->writer, NULL, moment->time, sender,
		                                     communicator, (uint32_t)match->tag, length,
		                                     operation->request));
	else
		note(events, OTF2_EvtWriter_MpiRecv(events->writer, NULL, moment->time, sender,
		                                    communicator, (uint32_t)match->tag, length));
}

/* A receive that is complete without a message was cancelled. */
static void complete(struct otf2_events *events, const struct moment *moment)
{
	const struct transfer *operation = operation_at(events, moment->operation);

	if (operation->is_send && operation->request > 0)
		note(events, OTF2_EvtWriter_MpiIsendComplete(events->writer, NULL, moment->time,
		                                             operation->request));
	else if (!operation->is_send && operation->match)
		receive(events, moment, operation);
	else if (!operation->is_send && operation->request > 0)
		note(events, OTF2_EvtWriter_MpiRequestCancelled(events->writer, NULL, moment->time,
		                                                operation->request));
}

static void start_all(struct otf2_events *events, const struct moment *moment)
{
	uint64_t request = events->requests[moment->call];

	if (request > 0)
		note(events, OTF2_EvtWriter_NonBlockingCollectiveRequest(events->writer, NULL,
		                                                         moment->time, request));
	else
		note(events, OTF2_EvtWriter_MpiCollectiveBegin(events->writer, NULL, moment->time));
}

/* What this member sent and received. The store has one size: that of the member's own part. */
static void complete_all(struct otf2_events *events, const struct moment *moment)
{
	const struct record_call *call = call_at(events, moment->call);
	OTF2_CommRef communicator = otf2_communicator(events->definitions, call);
	uint64_t request = events->requests[moment->call];
	uint64_t sent = call->bytes, received = call->bytes;
	uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
	OTF2_CollectiveOp op = OTF2_COLLECTIVE_OP_BARRIER;

	otf2_collective(function_of(call), &op);
	if (otf2_is_rooted(op) && call->peer >= 0) {
		bool is_root = call->peer == call->rank;
		bool from_root = op == OTF2_COLLECTIVE_OP_BCAST || op == OTF2_COLLECTIVE_OP_SCATTER
		                 || op == OTF2_COLLECTIVE_OP_SCATTERV;

		root = (uint32_t)call->peer_given;
		sent = is_root == from_root ? sent : 0;
		received = is_root == from_root ? 0 : received;
	}
	if (request > 0)
		note(events, OTF2_EvtWriter_NonBlockingCollectiveComplete(
				     events->writer, NULL, moment->time, op, communicator, root,
				     sent, received, request));
	else
		note(events, OTF2_EvtWriter_MpiCollectiveEnd(events->writer, NULL, moment->time, op,
		                                             communicator, root, sent, received));
}

static void write_moment(struct otf2_events *events, const struct moment *moment)
{
	static void (*const writers[])(struct otf2_events *, const struct moment *) = {
		[BEGIN_CALL] = begin_call,     [START] = start,
		[COMPLETE] = complete,         [START_ALL] = start_all,
		[COMPLETE_ALL] = complete_all, [END_CALL] = end_call};

	writers[moment->kind](events, moment);
}

static void begin_program(struct otf2_events *events)
{
	char **argv = events->exploration->program;
	guint count = g_strv_length(argv);
	g_autofree OTF2_StringRef *arguments = g_new(OTF2_StringRef, count);

	for (guint i = 0; i < count; i++) {
		g_autofree char *valid = g_utf8_make_valid(argv[i], -1);

		arguments[i] = otf2_string(events->definitions, valid);
	}
	add_text(events, OTF2_ATTRIBUTE_PATH, events->execution->path);
	note(events, OTF2_EvtWriter_ProgramBegin(events->writer, events->attributes, 0,
	                                         arguments[0], count - 1, arguments + 1));
}

/* A rank that had to be killed has no exit status. */
static int64_t exit_status(const struct otf2_events *events, int32_t rank)
{
	const GArray *exits = events->execution->exits;
	int32_t status = (guint)rank < exits->len ? g_array_index(exits, int32_t, rank) : -1;

	return status < 0 ? OTF2_UNDEFINED_INT64 : status;
}

static void find_rank(struct otf2_events *events, int32_t rank)
{
	gint64 found = timeline_call(events->execution->calls, rank, 1);
	guint first = found < 0 ? 0 : (guint)found, end = first;

	while (found >= 0 && end < events->execution->calls->len
	       && call_at(events, end)->rank == rank)
		end++;
	find_moments(events, first, end);
	events->rank = rank;
}

OTF2_ErrorCode otf2_events_write(struct otf2_events *events, const struct otf2_location *location,
                                 OTF2_EvtWriter *writer)
{
	const bool is_main = location->thread == 0;
	uint64_t time = 1;

	events->writer = writer;
	if (is_main)
		begin_program(events);
	if (events->rank != location->rank)
		find_rank(events, location->rank);
	for (guint i = 0; i < events->moments->len; i++) {
		const struct moment *moment = &g_array_index(events->moments, struct moment, i);

		time = moment->time;
		if (otf2_thread(call_at(events, moment->within)) == location->thread)
			write_moment(events, moment);
	}
	if (is_main)
		note(events, OTF2_EvtWriter_ProgramEnd(writer, NULL, time,
		                                       exit_status(events, location->rank)));
	return events->code;
}
