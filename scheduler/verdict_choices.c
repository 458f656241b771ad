/* The choices of an interleaving, for its record and its path: what was taken where, and what could
 * have been. */
#include "../explorer/answer.h"
#include "../explorer/lock.h"
#include "mpi_calls.h"
#include "session_internal.h"

GHashTable *verdict_operations(const struct trace *trace)
{
	GHashTable *table = g_hash_table_new(op_id_key_hash, op_id_key_equal);

	for (size_t i = 0; i < trace->count; i++) {
		struct operation *operation = &trace->events[i].op;

		if (trace->events[i].kind == EVENT_SEND || trace->events[i].kind == EVENT_RECEIVE)
			g_hash_table_insert(table, &operation->id, operation);
	}
	return table;
}

gint32 verdict_tag(GHashTable *operations, struct op_id id)
{
	const struct operation *operation = g_hash_table_lookup(operations, &id);

	return operation ? operation->tag : OPERATION_ANY;
}

struct place verdict_place(const struct execution *execution, int rank, guint32 call)
{
	const struct world_call *info = world_call_info(execution->world, rank, call);

	if (!info)
		return (struct place){0};
	return session_place(execution, rank, info->site);
}

/* What choices are told from; points into the trace. */
struct telling {
	const struct execution *execution;
	GHashTable *operations; /* const struct operation *, by id */
	GHashTable *questions;  /* const struct event *, EVENT_ASK, by id */
};

static GHashTable *questions_of(const struct trace *trace)
{
	GHashTable *table = g_hash_table_new(op_id_key_hash, op_id_key_equal);

	for (size_t i = 0; i < trace->count; i++) {
		struct event *event = &trace->events[i];

		if (event->kind == EVENT_ASK)
			g_hash_table_insert(table, &event->op.id, event);
	}
	return table;
}

/* The calls that started what the answer reports: "3,4"; NULL: none. */
static char *reported_calls(const struct telling *telling, struct op_id point, struct op_id answer,
                            guint32 *ret_first)
{
	const struct event *ask = g_hash_table_lookup(telling->questions, &point);
	const struct asked *asked =
		ask ? world_trace(telling->execution->world)->asked + ask->asked_first : NULL;
	guint32 last = 0;
	GString *text = g_string_new(NULL);

	/* A request has an entry or two, in its order: none stands before its own number. */
	for (guint32 i = ask ? answer_next(answer, 0, ask->asked_count) : 0;
	     ask && i < ask->asked_count
	     && answer_next(answer, asked[i].index, UINT32_MAX) != UINT32_MAX;
	     i++) {
		if (answer_next(answer, asked[i].index, asked[i].index + 1) != asked[i].index
		    || asked[i].id.call == last)
			continue;
		last = asked[i].id.call;
		*ret_first = *ret_first ? *ret_first : last;
		g_string_append_printf(text, "%s%u", text->len > 0 ? "," : "", last);
	}
	return g_string_free(text, text->len == 0);
}

static struct record_message message_of(const struct telling *telling, struct op_id send)
{
	return (struct record_message){
		.source = send.rank,
		.tag = verdict_tag(telling->operations, send),
		.call = send.call,
		.sub = send.sub,
		.place = verdict_place(telling->execution, send.rank, send.call)};
}

static struct record_message alternative_of(const struct telling *telling, struct op_id point,
                                            struct op_id taken)
{
	g_autofree char *answer = answer_is(taken) ? answer_print(taken) : NULL;
	g_autofree char *calls = NULL;
	struct record_message record = {.source = -1, .tag = -1};

	if (!answer)
		return message_of(telling, taken);
	if (point.sub == OPERATION_TURN) {
		g_autofree char *thread = g_strdup_printf("thread %u", taken.call);

		record.answer = g_intern_string(thread);
		return record;
	}
	calls = reported_calls(telling, point, taken, &record.call);
	record.answer = g_intern_string(answer);
	record.requests = calls ? g_intern_string(calls) : NULL;
	if (record.call > 0)
		record.place = verdict_place(telling->execution, point.rank, record.call);
	return record;
}

/* Whose choice it was. */
static void fill_point(const struct execution *execution, const struct choice *choice,
                       struct record_choice *record)
{
	const struct world_call *info;
	struct op_id call = choice->point;
	struct lock_place lock;

	if (lock_from_number(execution->session->options->ranks, call.rank, &lock)) {
		record->lock = (struct record_lock){lock.window, lock.first, lock.target,
		                                    lock.reader, call.call};
		call = (struct op_id){choice->taken.rank, choice->taken.call, 0};
	}
	if (call.sub == OPERATION_TURN)
		call = (struct op_id){call.rank, call.call + 1, 0}; /* the one that came first */
	record->rank = call.rank;
	record->call = call.call;
	record->sub = call.sub;
	info = world_call_info(execution->world, call.rank, call.call);
	record->function = g_intern_string(info ? mpi_call_name(info->function) : "?");
	record->place = verdict_place(execution, call.rank, call.call);
}

static struct record_choice *choice_of(const struct telling *telling, const struct choice *choice,
                                       const GArray *others)
{
	struct record_choice *record = record_choice_new();

	fill_point(telling->execution, choice, record);
	record->taken = alternative_of(telling, choice->point, choice->taken);
	for (guint i = 0; i < others->len; i++) {
		struct record_message other = alternative_of(
			telling, choice->point, g_array_index(others, struct op_id, i));

		g_array_append_val(record->alternatives, other);
	}
	return record;
}

void verdict_choices(struct execution *execution, GHashTable *operations)
{
	const GArray *choices = world_choices(execution->world);
	g_autoptr(GHashTable) questions = questions_of(world_trace(execution->world));
	const struct telling telling = {execution, operations, questions};

	for (guint i = 0; i < choices->len; i++) {
		const struct choice *choice = &g_array_index(choices, struct choice, i);

		if (world_choice_is_told(execution->world, i))
			g_ptr_array_add(execution->record->choices,
			                choice_of(&telling, choice,
			                          world_alternatives(execution->world, i)));
	}
}

/* Without a word they are left early, which only zero buffering is not usually paired with. */
static enum collective_mode collectives_needed(const struct world *world)
{
	const struct world_options *options = world_options(world);
	gboolean is_usual = options->collectives == COLLECTIVES_ASYNC
	                    && options->buffering != BUFFERING_ZERO;

	return !world_collectives_matter(world) || is_usual ? COLLECTIVES_ANY
	                                                    : options->collectives;
}

char *verdict_path(const struct execution *execution)
{
	g_autoptr(GArray) choices = world_told_choices(execution->world);
	struct path *path = path_new(execution->session->options->ranks, execution->buffering,
	                             collectives_needed(execution->world));
	char *text;

	g_array_append_vals(path->choices, choices->data, choices->len);
	text = path_print(path);
	path_free(path);
	return text;
}
