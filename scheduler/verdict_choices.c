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

static struct place place_of_call(const struct execution *execution, int rank, guint32 call)
{
	const struct world_call *info = world_call_info(execution->world, rank, call);

	if (!info)
		return (struct place){0};
	return session_place(execution->session, rank, execution->pids[rank], info->site);
}

static const struct event *find_question(const struct trace *trace, struct op_id id)
{
	for (size_t i = 0; i < trace->count; i++) {
		if (trace->events[i].kind == EVENT_ASK && op_id_equal(trace->events[i].op.id, id))
			return &trace->events[i];
	}
	return NULL;
}

/* The calls that started what the answer reports: "3,4"; NULL: none. */
static char *reported_calls(const struct trace *trace, struct op_id point, struct op_id answer,
                            guint32 *ret_first)
{
	const struct event *ask = find_question(trace, point);
	const struct asked *asked = ask ? trace->asked + ask->asked_first : NULL;
	guint32 last = 0;
	GString *text = g_string_new(NULL);

	for (guint32 i = 0; ask && i < ask->asked_count; i++) {
		if (answer_next(answer, asked[i].index, asked[i].index + 1) != asked[i].index
		    || asked[i].id.call == last)
			continue;
		last = asked[i].id.call;
		*ret_first = *ret_first ? *ret_first : last;
		g_string_append_printf(text, "%s%u", text->len > 0 ? "," : "", last);
	}
	return g_string_free(text, text->len == 0);
}

static struct record_message message_of(const struct execution *execution, struct op_id send,
                                        GHashTable *operations)
{
	return (struct record_message){.source = send.rank,
	                               .tag = verdict_tag(operations, send),
	                               .call = send.call,
	                               .sub = send.sub,
	                               .place = place_of_call(execution, send.rank, send.call)};
}

static struct record_message alternative_of(const struct execution *execution, struct op_id point,
                                            struct op_id taken, GHashTable *operations)
{
	g_autofree char *answer = answer_is(taken) ? answer_print(taken) : NULL;
	g_autofree char *calls = NULL;
	struct record_message record = {.source = -1, .tag = -1};

	if (!answer)
		return message_of(execution, taken, operations);
	if (point.sub == OPERATION_TURN) {
		g_autofree char *thread = g_strdup_printf("thread %u", taken.call);

		record.answer = g_intern_string(thread);
		return record;
	}
	calls = reported_calls(world_trace(execution->world), point, taken, &record.call);
	record.answer = g_intern_string(answer);
	record.requests = calls ? g_intern_string(calls) : NULL;
	if (record.call > 0)
		record.place = place_of_call(execution, point.rank, record.call);
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
	record->place = place_of_call(execution, call.rank, call.call);
}

static struct record_choice *choice_of(const struct execution *execution,
                                       const struct choice *choice, const GArray *others,
                                       GHashTable *operations)
{
	struct record_choice *record = record_choice_new();

	fill_point(execution, choice, record);
	record->taken = alternative_of(execution, choice->point, choice->taken, operations);
	for (guint i = 0; i < others->len; i++) {
		struct record_message other = alternative_of(execution, choice->point,
		                                             g_array_index(others, struct op_id, i),
		                                             operations);

		g_array_append_val(record->alternatives, other);
	}
	return record;
}

void verdict_choices(struct execution *execution, GHashTable *operations)
{
	const GArray *choices = world_choices(execution->world);

	for (guint i = 0; i < choices->len; i++) {
		const struct choice *choice = &g_array_index(choices, struct choice, i);

		if (world_choice_is_told(execution->world, i))
			g_ptr_array_add(execution->record->choices,
			                choice_of(execution, choice,
			                          world_alternatives(execution->world, i),
			                          operations));
	}
}

char *verdict_path(const struct execution *execution)
{
	g_autoptr(GArray) choices = world_told_choices(execution->world);
	struct path *path = path_new(execution->session->options->ranks, execution->buffering,
	                             execution->session->options->synchronous_collectives);
	char *text;

	g_array_append_vals(path->choices, choices->data, choices->len);
	text = path_print(path);
	path_free(path);
	return text;
}
