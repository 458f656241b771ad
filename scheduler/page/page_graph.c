#include "page_graph.h"

#include <string.h>

#include "common/mix.h"
#include "mpi_calls.h"

/* Of the indices that calls of a rank have returned: how many were read, and their hash. */
struct read_indices {
	gsize count;
	guint64 hash;
};

struct page_graph {
	struct page_state *state;
	int ranks;
	bool any;
	guint32 number;               /* number of the world that is shown */
	GArray **hashes;              /* guint64, by rank: identity of each call */
	guint64 events_hash;          /* hash of the events that were read */
	size_t events;                /* number of events that were read */
	struct read_indices *indices; /* by rank */
	guint choices;                /* number of choices that were read */
	const GPtrArray *stacks;      /* as given to page_graph_follow */
	GHashTable *frames;           /* stack: its innermost frame + 1 */
	GHashTable *collectives;      /* guint64: number from 1 */
	GHashTable *probes;           /* struct op_id: probes, which take no message */
	GHashTable *shapes;           /* hash of a call: its shape + 1 */
	GHashTable *questions; /* struct op_id: its EVENT_ASK or EVENT_LATER, as a number + 1 */
};

static void free_hashes(struct page_graph *graph)
{
	for (int rank = 0; rank < graph->ranks; rank++)
		g_array_unref(graph->hashes[rank]);
	g_free(graph->hashes);
}

struct page_graph *page_graph_new(struct page_state *state, int ranks)
{
	struct page_graph *graph = g_new0(struct page_graph, 1);

	graph->state = state;
	graph->ranks = ranks;
	graph->hashes = g_new0(GArray *, ranks);
	for (int rank = 0; rank < ranks; rank++)
		graph->hashes[rank] = g_array_new(false, false, sizeof(guint64));
	graph->indices = g_new0(struct read_indices, ranks);
	graph->collectives = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	graph->probes = g_hash_table_new_full(op_id_key_hash, op_id_key_equal, g_free, NULL);
	graph->questions = g_hash_table_new_full(op_id_key_hash, op_id_key_equal, g_free, NULL);
	graph->frames = g_hash_table_new(NULL, NULL);
	graph->shapes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	return graph;
}

void page_graph_free(struct page_graph *graph)
{
	if (!graph)
		return;
	free_hashes(graph);
	g_hash_table_unref(graph->collectives);
	g_hash_table_unref(graph->probes);
	g_hash_table_unref(graph->questions);
	g_hash_table_unref(graph->shapes);
	g_hash_table_unref(graph->frames);
	g_free(graph->indices);
	g_free(graph);
}

static guint64 hash_of_call(int rank, const struct world_call *call)
{
	const guint64 parts[] = {(guint64)rank,       call->function,     call->kind,
	                         (guint32)call->peer, (guint32)call->tag, call->comm,
	                         call->bytes,         call->site,         call->op_count,
	                         call->stack,         call->thread};
	guint64 hash = 0;

	for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
		hash = mix(hash, parts[i]);
	return hash;
}

static guint64 hash_event(guint64 hash, const struct event *event)
{
	hash = mix(hash, (guint64)event->kind << 32 ^ (guint32)event->op.id.rank);
	hash = mix(hash, (guint64)event->op.id.call << 32 ^ event->op.id.sub);
	if (event->kind == EVENT_MATCH || event->kind == EVENT_COMPLETE
	    || event->kind == EVENT_LEAVE)
		hash = mix(hash, (guint64)event->other.rank << 32 ^ event->other.call);
	return hash;
}

/* --- whether a world continues the last one --------------------------------------------------- */

static bool has_calls(const struct page_graph *graph, const struct world *world)
{
	for (int rank = 0; rank < graph->ranks; rank++) {
		const GArray *hashes = graph->hashes[rank];

		if (world_calls(world, rank) < hashes->len)
			return false;
		for (guint i = 0; i < hashes->len; i++)
			if (hash_of_call(rank, world_call_info(world, rank, i + 1))
			    != g_array_index(hashes, guint64, i))
				return false;
	}
	return true;
}

static bool has_events(const struct page_graph *graph, const struct trace *trace)
{
	guint64 hash = 0;

	if (trace_count(trace) < graph->events)
		return false;
	for (size_t i = 0; i < graph->events; i++)
		hash = hash_event(hash, trace_at(trace, i));
	return hash == graph->events_hash;
}

static guint64 hash_index(guint64 hash, const struct world_returned *returned)
{
	return mix(hash, (guint64)returned->call << 32 ^ returned->index);
}

static bool has_indices(const struct page_graph *graph, const struct world *world)
{
	for (int rank = 0; rank < graph->ranks; rank++) {
		const struct read_indices *read = &graph->indices[rank];
		guint64 hash = 0;

		if (world_returned_count(world, rank) < read->count)
			return false;
		for (gsize i = 0; i < read->count; i++)
			hash = hash_index(hash, world_returned_at(world, rank, i));
		if (hash != read->hash)
			return false;
	}
	return true;
}

static void begin(struct page_graph *graph, guint32 number, const struct world *world)
{
	bool goes_on = graph->any && world_choices(world)->len >= graph->choices
	               && has_calls(graph, world) && has_events(graph, world_trace(world))
	               && has_indices(graph, world);

	graph->number = number;
	if (goes_on)
		return;
	graph->any = true;
	page_state_begin(graph->state);
	for (int rank = 0; rank < graph->ranks; rank++)
		g_array_set_size(graph->hashes[rank], 0);
	g_hash_table_remove_all(graph->collectives);
	g_hash_table_remove_all(graph->probes);
	g_hash_table_remove_all(graph->questions);
	g_hash_table_remove_all(graph->shapes);
	g_hash_table_remove_all(graph->frames);
	graph->events_hash = 0;
	graph->events = graph->choices = 0;
	memset(graph->indices, 0, (gsize)graph->ranks * sizeof(*graph->indices));
}

/* --- calls ------------------------------------------------------------------------------------ */

static int place_of(struct page_graph *graph, const struct place *place)
{
	g_autofree char *text = place_print(place);

	return page_state_place(graph->state, text);
}

/* The innermost frame of a stack; -1: there is no stack. */
static int frame_of(struct page_graph *graph, guint32 stack)
{
	int index = GPOINTER_TO_INT(g_hash_table_lookup(graph->frames, GUINT_TO_POINTER(stack)))
	            - 1;
	const GArray *frames = stack > 0 && stack <= graph->stacks->len
	                               ? graph->stacks->pdata[stack - 1]
	                               : NULL;

	if (index >= 0 || !frames)
		return index;
	for (guint i = frames->len; i-- > 0;) {
		const struct record_frame *frame = &g_array_index(frames, struct record_frame, i);

		index = page_state_frame(graph->state, frame->function,
		                         place_of(graph, &frame->place), index);
	}
	g_hash_table_insert(graph->frames, GUINT_TO_POINTER(stack), GINT_TO_POINTER(index + 1));
	return index;
}

static int communicator_of(struct page_graph *graph, const struct verdict_facts *facts,
                           guint64 comm)
{
	g_autofree char *name = verdict_comm(facts, comm, MPI_CALL_NONE);

	return page_state_communicator(graph->state, world_comm_itself(facts->world, comm), name);
}

static int make_shape(struct page_graph *graph, const struct verdict_facts *facts, int rank,
                      const struct world_call *call)
{
	const struct place place = verdict_call_place(facts, rank, call);
	struct page_shape shape = {.name = mpi_call_name(call->function)};
	struct json_shape *numbers = &shape.numbers;

	*numbers = (struct json_shape){.kind = call->kind < RECORD_CALL_KINDS ? call->kind
	                                                                      : RECORD_CALL_OTHER,
	                               .place = place_of(graph, &place),
	                               .communicator = -1,
	                               .frame = frame_of(graph, call->stack),
	                               .peer = -1,
	                               .peer_given = -1,
	                               .tag = -1,
	                               .thread = call->thread,
	                               .operations = call->op_count};
	if (call->kind == 0)
		return page_state_shape(graph->state, &shape);
	numbers->communicator = communicator_of(graph, facts, call->comm);
	numbers->peer_given = world_peer_to_record(facts->comms, call);
	if (numbers->peer_given != WIRE_ANY)
		numbers->peer = communicators_to_world(facts->comms, call->comm, rank,
		                                       numbers->peer_given);
	if (call->tag != WIRE_ANY && call->kind != WIRE_COLLECTIVE)
		numbers->tag = call->tag;
	numbers->bytes = call->bytes;
	return page_state_shape(graph->state, &shape);
}

static int shape_of(struct page_graph *graph, const struct verdict_facts *facts, int rank,
                    const struct world_call *call, guint64 hash)
{
	int shape = GPOINTER_TO_INT(g_hash_table_lookup(graph->shapes, &hash)) - 1;

	if (shape >= 0)
		return shape;
	shape = make_shape(graph, facts, rank, call);
	g_hash_table_insert(graph->shapes, g_memdup2(&hash, sizeof(hash)),
	                    GINT_TO_POINTER(shape + 1));
	return shape;
}

/* Stops at a call that another thread has not reported yet. */
static void read_calls(struct page_graph *graph, const struct verdict_facts *facts, int rank)
{
	GArray *hashes = graph->hashes[rank];

	for (guint32 number = hashes->len + 1; number <= world_calls(facts->world, rank);
	     number++) {
		const struct world_call *call = world_call_info(facts->world, rank, number);
		guint64 hash;

		if (call->function == MPI_CALL_NONE)
			return;
		hash = hash_of_call(rank, call);
		page_state_call(graph->state, rank, shape_of(graph, facts, rank, call, hash));
		g_array_append_val(hashes, hash);
	}
}

/* --- matches ---------------------------------------------------------------------------------- */

static guint32 collective_number(struct page_graph *graph, guint64 collective)
{
	gpointer known = g_hash_table_lookup(graph->collectives, &collective);
	guint32 number = g_hash_table_size(graph->collectives) + 1;

	if (known)
		return GPOINTER_TO_UINT(known);
	g_hash_table_insert(graph->collectives, g_memdup2(&collective, sizeof(collective)),
	                    GUINT_TO_POINTER(number));
	return number;
}

static void read_event(struct page_graph *graph, const struct event *event)
{
	const struct op_id *id = &event->op.id;

	if (id->rank >= graph->ranks) /* id of a window's lock, not of a call */
		return;
	switch (event->kind) {
	case EVENT_RECEIVE:
		if (event->op.kind == OPERATION_PROBE)
			g_hash_table_add(graph->probes, g_memdup2(id, sizeof(*id)));
		break;
	case EVENT_ASK:
	case EVENT_LATER:
		g_hash_table_insert(graph->questions, g_memdup2(id, sizeof(*id)),
		                    GSIZE_TO_POINTER(graph->events + 1));
		break;
	case EVENT_MATCH:
		if (!g_hash_table_contains(graph->probes, id) && event->other.rank < graph->ranks)
			page_state_match(graph->state, id->rank, id->call, event->other.rank,
			                 event->other.call);
		break;
	case EVENT_ARRIVE:
		page_state_collective(graph->state, id->rank, id->call,
		                      collective_number(graph, event->collective));
		break;
	case EVENT_COMPLETE:
	case EVENT_LEAVE:
		page_state_completed(graph->state, id->rank, id->call, event->other.call);
		break;
	default: break;
	}
}

static void read_events(struct page_graph *graph, const struct trace *trace)
{
	for (; graph->events < trace_count(trace); graph->events++) {
		const struct event *event = trace_at(trace, graph->events);

		graph->events_hash = hash_event(graph->events_hash, event);
		read_event(graph, event);
	}
}

static gint32 index_to_page(guint32 index)
{
	switch (index) {
	case WORLD_INDEX_UNDEFINED: return JSON_INDEX_UNDEFINED;
	case WORLD_INDEX_UNKNOWN: return JSON_INDEX_UNKNOWN;
	default: return (gint32)index;
	}
}

static void read_indices(struct page_graph *graph, const struct world *world)
{
	for (int rank = 0; rank < graph->ranks; rank++) {
		struct read_indices *read = &graph->indices[rank];

		for (; read->count < world_returned_count(world, rank); read->count++) {
			const struct world_returned *returned = world_returned_at(world, rank,
			                                                          read->count);

			read->hash = hash_index(read->hash, returned);
			page_state_index(graph->state, rank, returned->call,
			                 index_to_page(returned->index));
		}
	}
}

/* --- choices ---------------------------------------------------------------------------------- */

/* The requests in an answer, and where the first of them was started. */
static void add_requests(struct page_graph *graph, const struct verdict_facts *facts,
                         const struct point *point, struct record_message *message)
{
	const struct trace *trace = world_trace(facts->world);
	struct op_id question = verdict_question(point, &message->taken, facts->ranks);
	gsize known = GPOINTER_TO_SIZE(g_hash_table_lookup(graph->questions, &question));
	g_autofree char *calls = NULL;

	calls = verdict_reported_calls(trace, known > 0 ? trace_at(trace, known - 1) : NULL,
	                               &message->taken, &message->call);
	message->requests = calls ? g_intern_string(calls) : NULL;
	if (message->call > 0)
		message->place = verdict_call_place(
			facts, point->rank,
			world_call_info(facts->world, point->rank, message->call));
}

static void add_option(struct page_graph *graph, GString *json, const struct verdict_facts *facts,
                       const struct point *point, const struct taken *taken)
{
	struct record_message message = record_message_of(taken);

	if (taken->kind == TAKEN_MESSAGE && taken->send.rank < facts->ranks) {
		const struct world_call *info = world_call_info(facts->world, taken->send.rank,
		                                                taken->send.call);

		if (info)
			message.place = verdict_call_place(facts, taken->send.rank, info);
	}
	if (message.answer)
		add_requests(graph, facts, point, &message);
	json_add_alternative(json, point->rank, &message);
}

static void read_choices(struct page_graph *graph, const struct verdict_facts *facts)
{
	const GArray *made = world_choices(facts->world);

	for (; graph->choices < made->len; graph->choices++) {
		const struct choice *choice = &g_array_index(made, struct choice, graph->choices);
		const GArray *others = world_alternatives(facts->world, graph->choices);
		GString *json;

		if (choice->point.kind != POINT_CALL)
			continue;
		json = g_string_new("[");
		json_add_number(json, choice->point.rank);
		json_add_number(json, choice->point.call);
		json_add_number(json, 0);
		add_option(graph, json, facts, &choice->point, &choice->taken);
		for (guint i = 0; i < others->len; i++)
			add_option(graph, json, facts, &choice->point,
			           &g_array_index(others, struct taken, i));
		g_string_append_c(json, ']');
		page_state_choice(graph->state, json->str);
		g_string_free(json, true);
	}
}

static void add_waiting(GString *json, int rank, guint32 call)
{
	json_add_number(json, rank);
	json_add_number(json, call);
}

/* The calls that a rank is in. */
static void add_pending(GString *json, const struct verdict_facts *facts, int rank)
{
	g_autoptr(GArray) pending = world_pending_calls(facts->world, rank);
	enum world_phase phase = world_phase(facts->world, rank);

	for (guint i = 0; i < pending->len; i++)
		add_waiting(json, rank, g_array_index(pending, guint32, i));
	if (pending->len == 0
	    && (phase == PHASE_CAUGHT || phase == PHASE_STOPPED || phase == PHASE_HELD))
		add_waiting(json, rank, world_calls(facts->world, rank));
}

/* The names that the program has given communicators since the last time. */
static void read_names(struct page_graph *graph, const struct verdict_facts *facts)
{
	g_autoptr(GArray) all = communicators_list(facts->comms);

	for (guint i = 0; i < all->len; i++) {
		guint64 comm = g_array_index(all, guint64, i);

		g_autofree char *name = verdict_comm(facts, comm, MPI_CALL_NONE);

		page_state_rename(graph->state, comm, name);
	}
}

/* The calls that have not returned, as rank and number. */
static void read_waiting(struct page_graph *graph, const struct verdict_facts *facts,
                         const GPtrArray *roll_call)
{
	GString *json = g_string_new("{\"waiting\":[");

	for (int rank = 0; !roll_call && rank < graph->ranks; rank++)
		add_pending(json, facts, rank);
	for (guint i = 0; roll_call && i < roll_call->len; i++) {
		const struct record_rank *told = roll_call->pdata[i];

		if (!told->ended && !told->does)
			add_waiting(json, told->rank, told->call);
	}
	g_string_append(json, "]}");
	page_state_set_now(graph->state, json->str);
	g_string_free(json, true);
}

void page_graph_follow(struct page_graph *graph, guint32 number, const struct verdict_facts *facts,
                       const GPtrArray *stacks, const GPtrArray *roll_call)
{
	graph->stacks = stacks;
	if (!graph->any || graph->number != number)
		begin(graph, number, facts->world);
	for (int rank = 0; rank < graph->ranks; rank++)
		read_calls(graph, facts, rank);
	read_events(graph, world_trace(facts->world));
	read_indices(graph, facts->world);
	read_choices(graph, facts);
	read_names(graph, facts);
	read_waiting(graph, facts, roll_call);
}
