#include "json_members.h"
#include "sarif_parts.h"
#include "timeline.h"
#include "words.h"

/* At most this many calls of a rank with a choice, and this many of its last calls. */
#define CALLS_MAX 100
#define STEPS_MIN 3 /* of one rank: a choice, the last call and the call to blame */

static void add_frames(const struct sarif *context, const GArray *frames)
{
	JsonBuilder *json = context->json;

	begin_array(json, "frames");
	for (guint i = 0; i < frames->len; i++) {
		const struct record_frame *frame = &g_array_index(frames, struct record_frame, i);

		json_builder_begin_object(json);
		sarif_object(json, "location");
		sarif_location(context, &frame->place, frame->function);
		json_builder_end_object(json);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
}

/* The stack of each call once: a rank can occur twice with the same call. */
void sarif_stacks(const struct sarif *context, const GPtrArray *ranks)
{
	g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	guint left = context->limits.frames;

	begin_array(context->json, "stacks");
	for (guint i = 0; i < ranks->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(ranks, i);
		const GArray *frames = store_reader_stack(context->reader, rank->stack);
		char *text = g_strdup_printf("rank %s's call %u, %s", rank_name(rank->rank),
		                             rank->call,
		                             rank->function ? rank->function : "unknown");

		if (!g_hash_table_add(told, text) || !frames)
			continue;
		if (frames->len > left) {
			context->left_out->stacks++;
			continue;
		}
		left -= frames->len;
		json_builder_begin_object(context->json);
		sarif_message(context->json, "message", text);
		add_frames(context, frames);
		json_builder_end_object(context->json);
	}
	json_builder_end_array(context->json);
}

/* Context for writing a step. */
struct flow {
	const struct sarif *context;
	const struct record_execution *execution;
	const struct record_finding *finding;
	struct timeline *timeline;
	GHashTable *choices; /* index of a call + 1 to its struct record_choice */
	guint most;          /* maximum of a rank's calls with a choice, and of its last calls */
};

static const struct record_call *call_at(const struct flow *flow, guint index)
{
	return &g_array_index(flow->execution->calls, struct record_call, index);
}

static void find_choices(struct flow *flow)
{
	for (guint i = 0; i < flow->execution->choices->len; i++) {
		struct record_choice *choice = g_ptr_array_index(flow->execution->choices, i);
		gint64 call = timeline_call(flow->execution->calls, choice->rank, choice->call);

		if (call >= 0)
			g_hash_table_insert(flow->choices, GSIZE_TO_POINTER((gsize)call + 1),
			                    choice);
	}
}

static const struct record_choice *choice_at(const struct flow *flow, guint index)
{
	return g_hash_table_lookup(flow->choices, GUINT_TO_POINTER(index + 1));
}

static bool is_blamed(const struct flow *flow, const struct record_call *call)
{
	const struct record_choice *blame = flow->finding->blame;

	return blame && blame->rank == call->rank && blame->call == call->call;
}

static void add_step(const struct flow *flow, guint index)
{
	JsonBuilder *json = flow->context->json;
	const struct record_call *call = call_at(flow, index);
	const struct record_choice *choice = choice_at(flow, index);
	const char *function = call->function ? call->function : "a call";
	g_autofree char *blame = choice ? words_blame(choice) : NULL;
	g_autofree char *text = g_strdup_printf("call %u: %s%s%s", call->call, function,
	                                        blame ? ": " : "", blame ? blame : "");

	json_builder_begin_object(json);
	sarif_object(json, "location");
	sarif_location(flow->context, &call->place, text);
	json_builder_end_object(json);
	add_number(json, "executionOrder", (gint64)flow->timeline->enter[index]);
	sarif_text(json, "importance",
	           is_blamed(flow, call) ? "essential"
	           : choice              ? "important"
	                                 : "unimportant");
	json_builder_end_object(json);
}

/* Adds the calls [first, end) of one rank. */
static void add_thread_flow(const struct flow *flow, guint first, guint end)
{
	JsonBuilder *json = flow->context->json;
	int32_t rank = call_at(flow, first)->rank;
	guint omitted = end - first > flow->most ? end - first - flow->most : 0;
	g_autofree char *name = g_strdup_printf("rank %s", rank_name(rank));
	g_autofree char *text = omitted ? g_strdup_printf(
					"rank %s: of %u calls those with a choice, and the last "
					"%u",
					rank_name(rank), end - first, flow->most)
	                                : g_strdup(name);
	guint choices = 0;

	json_builder_begin_object(json);
	sarif_text(json, "id", name);
	sarif_message(json, "message", text);
	begin_array(json, "locations");
	for (guint i = first; i < end; i++) {
		if (i - first >= omitted || is_blamed(flow, call_at(flow, i))
		    || (choice_at(flow, i) && choices++ < flow->most))
			add_step(flow, i);
	}
	json_builder_end_array(json);
	json_builder_end_object(json);
}

/* Adds a thread flow for as many ranks as the limit allows. */
static void add_thread_flows(const struct flow *flow)
{
	const struct record_choice *blame = flow->finding->blame;
	const GArray *calls = flow->execution->calls;
	const guint whole = 2 * flow->most + 1; /* one more for the call to blame */
	guint left = flow->context->limits.steps - (blame ? whole : 0);

	for (guint first = 0, end; first < calls->len; first = end) {
		for (end = first; end < calls->len; end++) {
			if (call_at(flow, end)->rank != call_at(flow, first)->rank)
				break;
		}
		/* room is reserved for the rank to blame */
		if (blame && call_at(flow, first)->rank == blame->rank) {
			add_thread_flow(flow, first, end);
		} else if (MIN(end - first, whole) <= left) {
			left -= MIN(end - first, whole);
			add_thread_flow(flow, first, end);
		} else {
			flow->context->left_out->ranks++;
		}
	}
}

static void add_execution(const struct sarif *context, const struct record_execution *execution,
                          const struct record_finding *finding)
{
	guint ranks = (guint)MAX(store_reader_exploration(context->reader)->ranks, 1);
	struct flow flow = {.context = context,
	                    .execution = execution,
	                    .finding = finding,
	                    .timeline = timeline_new(execution),
	                    .choices = g_hash_table_new(NULL, NULL),
	                    .most = CLAMP(context->limits.steps / 2 / (ranks + 1), 1, CALLS_MAX)};
	JsonBuilder *json = context->json;
	g_autofree char *path = NULL;

	find_choices(&flow);
	begin_array(json, "codeFlows");
	json_builder_begin_object(json);
	path = words_path(execution->path);
	sarif_message(json, "message", path);
	begin_array(json, "threadFlows");
	add_thread_flows(&flow);
	json_builder_end_array(json);
	json_builder_end_object(json);
	json_builder_end_array(json);
	g_hash_table_unref(flow.choices);
	timeline_free(flow.timeline);
}

bool sarif_code_flow(const struct sarif *context, const struct record_finding *finding,
                     GError **error)
{
	g_autoptr(GError) problem = NULL;
	g_autoptr(RecordExecution)
		execution = store_reader_example(context->reader, finding->id, &problem);

	if (g_error_matches(problem, STORE_READER_ERROR, STORE_READER_ERROR_MISSING))
		return true;
	if (!execution) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	if (context->limits.steps < STEPS_MIN)
		context->left_out->ranks += execution->exits->len;
	else if (execution->calls->len > 0)
		add_execution(context, execution, finding);
	return true;
}
