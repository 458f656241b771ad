/* The calls of an interleaving, for its record: function, place and peer of each call, and which
 * calls belong together. */
#include "mpi_calls.h"
#include "verdict_internal.h"

G_STATIC_ASSERT((int)RECORD_CALL_SEND == (int)WIRE_SEND);
G_STATIC_ASSERT((int)RECORD_CALL_RECEIVE == (int)WIRE_RECEIVE);
G_STATIC_ASSERT((int)RECORD_CALL_PROBE == (int)WIRE_PROBE);
G_STATIC_ASSERT((int)RECORD_CALL_MPROBE == (int)WIRE_MPROBE);
G_STATIC_ASSERT((int)RECORD_CALL_COLLECTIVE == (int)WIRE_COLLECTIVE);

void verdict_list_append(GString *list, guint32 number)
{
	char digits[10];
	gsize first = sizeof digits;

	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	if (list->len > 0)
		g_string_append_c(list, ',');
	g_string_append_len(list, digits + first, (gssize)(sizeof digits - first));
}

/* The last communicator that was named: that of the next call, usually. */
struct named_comm {
	guint64 comm;
	const char *name; /* NULL: none yet */
};

static const char *comm_name(const struct verdict_facts *facts, guint64 comm,
                             struct named_comm *last)
{
	g_autofree char *name = NULL;

	if (last->name && last->comm == comm)
		return last->name;
	name = verdict_comm(facts, comm, MPI_CALL_NONE);
	*last = (struct named_comm){comm, g_intern_string(name)};
	return last->name;
}

static struct record_call describe_call(const struct verdict_facts *facts, int rank, guint32 number,
                                        struct named_comm *last)
{
	const struct world_call *info = world_call_info(facts->world, rank, number);
	struct record_call call = {
		.rank = rank, .call = number, .peer = -1, .peer_given = -1, .tag = -1};

	call.function = g_intern_string(mpi_call_name(info->function));
	call.place = verdict_call_place(facts, rank, info);
	call.operations = info->op_count;
	call.indices = wire_returns_indices(info->function) ? g_intern_string("") : NULL;
	call.thread = verdict_thread(facts, rank, info);
	call.kind = info->kind < RECORD_CALL_KINDS ? info->kind : RECORD_CALL_OTHER;
	if (info->request > 0) {
		g_autofree char *request = g_strdup_printf("%u", info->request);

		call.asked = g_intern_string(request);
	}
	if (info->kind == 0)
		return call;
	call.communicator = info->comm;
	call.communicator_name = comm_name(facts, info->comm, last);
	call.communicator_group = communicators_group(facts->comms, info->comm);
	call.peer_given = world_peer_to_record(facts->comms, info);
	if (call.peer_given != WIRE_ANY)
		call.peer = communicators_to_world(facts->comms, info->comm, rank, call.peer_given);
	call.tag = info->tag == WIRE_ANY || info->kind == WIRE_COLLECTIVE ? -1 : info->tag;
	call.bytes = info->bytes;
	return call;
}

static enum record_wait wait_of(enum event_order order)
{
	switch (order) {
	case ORDER_ROOT: return RECORD_WAIT_ROOT;
	case ORDER_ALL: return RECORD_WAIT_ALL;
	case ORDER_LOWER: return RECORD_WAIT_LOWER;
	default: return RECORD_WAIT_NOBODY;
	}
}

/* Whether a send waits for its receive. With a decision per send, this does not tell which sends
 * completed early. */
static bool waits_for_receive(const struct operation *send, uint32_t buffering)
{
	return send->waits_for_match && buffering != RECORD_PER_SEND;
}

/* The calls whose requests are asked about: "3,4". A request has one or two consecutive entries. */
static const char *asked_calls(const struct trace *trace, const struct event *ask)
{
	const struct asked *asked = trace->asked + ask->asked_first;
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint32 i = 0; i < ask->asked_count; i++) {
		if (asked[i].id.call == ASKED_NEVER
		    || (i > 0 && asked[i].index == asked[i - 1].index))
			continue;
		verdict_list_append(text, asked[i].id.call);
	}
	return text->len > 0 ? g_intern_string(text->str) : NULL;
}

/* Sets the indices that a rank's calls have returned. `calls`: the first of them. */
static void add_indices(const struct world *world, int rank, struct record_call *calls)
{
	gsize count = world_returned_count(world, rank), next = 0;
	g_autoptr(GString) text = g_string_new(NULL);

	while (next < count) {
		guint32 call = world_returned_at(world, rank, next)->call;
		bool known = true;

		g_string_truncate(text, 0);
		for (; next < count && world_returned_at(world, rank, next)->call == call; next++) {
			guint32 index = world_returned_at(world, rank, next)->index;

			known &= index != WORLD_INDEX_UNKNOWN;
			if (index != WORLD_INDEX_UNDEFINED)
				verdict_list_append(text, index);
			else
				g_string_append(text, text->len > 0 ? "," RECORD_UNDEFINED
				                                    : RECORD_UNDEFINED);
		}
		calls[call - 1].indices = known ? g_intern_string(text->str) : NULL;
	}
}

/* Takes collectives, completions and questions from the trace. first[r]: index of rank r's first
 * call. */
static void connect_calls(const struct trace *trace, struct record_execution *record,
                          const guint *first, int ranks)
{
	for (size_t i = 0; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);
		struct op_id id = event->op.id;
		struct record_call *call;

		if (event->kind != EVENT_ARRIVE && event->kind != EVENT_LEAVE
		    && event->kind != EVENT_COMPLETE && event->kind != EVENT_SEND
		    && event->kind != EVENT_ASK)
			continue;
		if (id.rank >= ranks || id.call == 0
		    || id.call > first[id.rank + 1] - first[id.rank])
			continue;
		call = &g_array_index(record->calls, struct record_call,
		                      first[id.rank] + id.call - 1);
		if (event->kind == EVENT_SEND) {
			if (waits_for_receive(&event->op, record->buffering))
				call->waits = RECORD_WAIT_MATCH;
		} else if (event->kind == EVENT_ASK) {
			call->asked = asked_calls(trace, event);
		} else if (event->kind != EVENT_ARRIVE) {
			call->completed = event->other.call;
		} else if (call->collective == 0) {
			call->collective = (guint32)event->collective + 1;
			call->waits = (uint8_t)wait_of(event->order);
		}
	}
}

void verdict_calls(struct verdict *verdict, const struct verdict_facts *facts)
{
	GArray *calls = verdict->record->calls;
	int ranks = facts->ranks;
	g_autofree guint *first = g_new0(guint, ranks + 1);
	struct named_comm last = {0};

	for (int rank = 0; rank < ranks; rank++) {
		guint32 count = world_calls(facts->world, rank);

		for (guint32 number = 1; number <= count; number++) {
			struct record_call call = describe_call(facts, rank, number, &last);

			g_array_append_val(calls, call);
		}
		first[rank + 1] = calls->len;
		if (count > 0)
			add_indices(facts->world, rank,
			            &g_array_index(calls, struct record_call, first[rank]));
	}
	connect_calls(world_trace(facts->world), verdict->record, first, ranks);
}
