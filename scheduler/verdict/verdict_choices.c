/* The choices of an interleaving, for its record and its path: what was taken at each point, and
 * the alternatives. */
#include "mpi_calls.h"
#include "verdict_internal.h"

GHashTable *verdict_operations(const struct trace *trace)
{
	GHashTable *table = g_hash_table_new(op_id_key_hash, op_id_key_equal);

	for (size_t i = 0; i < trace_count(trace); i++) {
		const struct operation *operation = &trace_at(trace, i)->op;

		if (trace_at(trace, i)->kind == EVENT_SEND
		    || trace_at(trace, i)->kind == EVENT_RECEIVE)
			g_hash_table_insert(table, (gpointer)&operation->id, (gpointer)operation);
	}
	return table;
}

gint32 verdict_tag(GHashTable *operations, struct op_id id)
{
	const struct operation *operation = g_hash_table_lookup(operations, &id);

	return operation ? operation->tag : OPERATION_ANY;
}

struct place verdict_site(const struct verdict_facts *facts, int rank, guint64 site)
{
	return facts->place(facts->user, rank, site);
}

/* The frame of a call's stack that is shown as its place; NULL: use its address. */
static const struct record_frame *shown_frame(const struct verdict_facts *facts, guint32 stack)
{
	const GArray *frames = facts->stacks && stack > 0 && stack <= facts->stacks->len
	                               ? facts->stacks->pdata[stack - 1]
	                               : NULL;

	for (guint i = 0; frames && i < frames->len; i++)
		if (g_array_index(frames, struct record_frame, i).told)
			return &g_array_index(frames, struct record_frame, i);
	return NULL;
}

struct place verdict_call_place(const struct verdict_facts *facts, int rank,
                                const struct world_call *info)
{
	const struct record_frame *told = shown_frame(facts, info->stack);

	return told ? told->place : verdict_site(facts, rank, info->site);
}

struct place verdict_place(const struct verdict_facts *facts, int rank, guint32 call)
{
	const struct world_call *info = world_call_info(facts->world, rank, call);

	if (!info)
		return (struct place){0};
	return verdict_call_place(facts, rank, info);
}

/* The tables from which choices are described; their contents point into the trace. */
struct describer {
	const struct verdict_facts *facts;
	GHashTable *operations; /* const struct operation *, by id */
	GHashTable *questions;  /* const struct event *, EVENT_ASK and EVENT_LATER, by id */
};

static GHashTable *questions_of(const struct trace *trace)
{
	GHashTable *table = g_hash_table_new(op_id_key_hash, op_id_key_equal);

	for (size_t i = 0; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);

		if (event->kind == EVENT_ASK || event->kind == EVENT_LATER)
			g_hash_table_insert(table, (gpointer)&event->op.id, (gpointer)event);
	}
	return table;
}

struct op_id verdict_question(const struct point *point, const struct taken *answer, int ranks)
{
	struct op_id question = point_operation(point, ranks);

	if (answer->ahead > 0)
		question.sub = OPERATION_LATER + answer->ahead;
	return question;
}

char *verdict_reported_calls(const struct trace *trace, const struct event *ask,
                             const struct taken *answer, guint32 *ret_first)
{
	const struct asked *asked = ask ? trace->asked + ask->asked_first : NULL;
	guint32 last = 0;
	GString *text = g_string_new(NULL);

	/* A request has one or two entries, in order, so no entry is before its index. */
	for (guint32 i = ask ? taken_next(answer, 0, ask->asked_count) : 0;
	     ask && i < ask->asked_count
	     && taken_next(answer, asked[i].index, UINT32_MAX) != UINT32_MAX;
	     i++) {
		if (taken_next(answer, asked[i].index, asked[i].index + 1) != asked[i].index
		    || asked[i].id.call == last)
			continue;
		last = asked[i].id.call;
		*ret_first = *ret_first ? *ret_first : last;
		verdict_list_append(text, last);
	}
	return g_string_free(text, text->len == 0);
}

static char *reported_calls(const struct describer *describer, const struct point *point,
                            const struct taken *answer, guint32 *ret_first)
{
	const struct op_id question = verdict_question(point, answer, describer->facts->ranks);

	return verdict_reported_calls(world_trace(describer->facts->world),
	                              g_hash_table_lookup(describer->questions, &question), answer,
	                              ret_first);
}

static struct record_message alternative_of(const struct describer *describer,
                                            const struct point *point, const struct taken *taken)
{
	struct record_message record = record_message_of(taken);
	g_autofree char *calls = NULL;
	gint32 rank = point->rank;

	if (taken->kind == TAKEN_MESSAGE) {
		rank = taken->send.rank;
		record.tag = verdict_tag(describer->operations, taken->send);
	} else if (taken->kind != TAKEN_THREAD) {
		calls = reported_calls(describer, point, taken, &record.call);
		record.requests = calls ? g_intern_string(calls) : NULL;
	}
	if (record.call > 0)
		record.place = verdict_place(describer->facts, rank, record.call);
	return record;
}

/* The call shown for a choice. */
static struct op_id shown_call(const struct choice *choice)
{
	const struct point *point = &choice->point;

	switch (point->kind) {
	case POINT_LOCK: return (struct op_id){choice->taken.send.rank, choice->taken.send.call, 0};
	case POINT_TURN: return (struct op_id){point->rank, point->call + 1, 0};
	case POINT_CALL: break;
	}
	return (struct op_id){point->rank, point->call, point->sub};
}

static void fill_point(const struct verdict_facts *facts, const struct choice *choice,
                       struct record_choice *record)
{
	const struct world_call *info;
	struct op_id call = shown_call(choice);

	record->point = choice->point;
	record->rank = call.rank;
	record->call = call.call;
	record->sub = call.sub;
	info = world_call_info(facts->world, call.rank, call.call);
	record->function = g_intern_string(info ? mpi_call_name(info->function) : "?");
	record->place = verdict_place(facts, call.rank, call.call);
}

static struct record_choice *choice_of(const struct describer *describer,
                                       const struct choice *choice, const GArray *others)
{
	struct record_choice *record = record_choice_new();

	fill_point(describer->facts, choice, record);
	record->taken = alternative_of(describer, &choice->point, &choice->taken);
	for (guint i = 0; i < others->len; i++) {
		struct record_message other = alternative_of(
			describer, &choice->point, &g_array_index(others, struct taken, i));

		g_array_append_val(record->alternatives, other);
	}
	return record;
}

void verdict_choices(struct verdict *verdict, const struct verdict_facts *facts,
                     GHashTable *operations)
{
	const GArray *choices = world_choices(facts->world);
	g_autoptr(GHashTable) questions = questions_of(world_trace(facts->world));
	const struct describer describer = {facts, operations, questions};

	for (guint i = 0; i < choices->len; i++) {
		const struct choice *choice = &g_array_index(choices, struct choice, i);
		struct record_choice *record;

		if (!world_choice_is_told(facts->world, i))
			continue;
		record = choice_of(&describer, choice, world_alternatives(facts->world, i));
		record->is_first = world_choice_is_first(facts->world, i);
		g_ptr_array_add(verdict->record->choices, record);
	}
}

struct record_choice *verdict_tell_open(const struct verdict_facts *facts,
                                        const struct open_choice *open)
{
	const struct trace *trace = world_trace(facts->world);
	g_autoptr(GHashTable) operations = verdict_operations(trace);
	g_autoptr(GHashTable) questions = questions_of(trace);
	g_autoptr(GArray) others = g_array_new(false, false, sizeof(struct taken));
	const struct describer describer = {facts, operations, questions};
	struct choice first = {open->point, g_array_index(open->alternatives, struct taken, 0)};

	g_array_append_vals(others, &g_array_index(open->alternatives, struct taken, 0) + 1,
	                    open->alternatives->len - 1);
	return choice_of(&describer, &first, others);
}

/* A path without a mode means async. Under zero buffering that is unusual, so it is named there. */
static enum collective_mode collectives_needed(const struct world *world)
{
	const struct world_options *options = world_options(world);
	bool is_usual = options->collectives == COLLECTIVES_ASYNC
	                && options->buffering != BUFFERING_ZERO;

	return !world_collectives_matter(world) || is_usual ? COLLECTIVES_ANY
	                                                    : options->collectives;
}

static char *path_text(const struct world *world, const GArray *choices)
{
	struct path *path = path_of_choices(
		world_options(world)->ranks, world_options(world)->nodes,
		world_options(world)->buffering, collectives_needed(world), choices);
	char *text = path_print(path);

	path_free(path);
	return text;
}

char *verdict_path(const struct verdict_facts *facts)
{
	g_autoptr(GArray) choices = world_told_choices(facts->world);

	return path_text(facts->world, choices);
}

char *verdict_whole_path(const struct world *world)
{
	return path_text(world, world_choices(world));
}
