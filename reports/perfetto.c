#include "diagram.h"
#include "json_members.h"
#include "timeline.h"
#include "words.h"

/* A trace for ui.perfetto.dev and chrome://tracing: JSON in the Trace Event Format. Each rank is
 * a track, each call a slice, each message an arrow. A step of timeline.h takes two
 * microseconds, because arrows end in the middle of a step. */

enum { PROCESS = 1, STEP = 2 };

static void add_text(JsonBuilder *json, const char *name, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	json_builder_set_member_name(json, name);
	json_builder_add_string_value(json, valid);
}

/* Opens the object of an event; the caller closes it. */
static void begin_event(JsonBuilder *json, const char *phase, const char *name, int32_t rank,
                        guint64 time)
{
	json_builder_begin_object(json);
	add_text(json, "ph", phase);
	add_text(json, "name", name);
	add_number(json, "pid", PROCESS);
	add_number(json, "tid", rank + 1); /* Perfetto treats thread 0 as the process */
	add_number(json, "ts", (gint64)time);
}

static void begin_arguments(JsonBuilder *json)
{
	json_builder_set_member_name(json, "args");
	json_builder_begin_object(json);
}

static void end_event(JsonBuilder *json)
{
	json_builder_end_object(json);
}

static void name_track(JsonBuilder *json, const char *what, int32_t rank, const char *name)
{
	begin_event(json, "M", what, rank, 0);
	begin_arguments(json);
	add_text(json, "name", name);
	json_builder_end_object(json);
	end_event(json);
}

static void name_tracks(JsonBuilder *json, const struct record_execution *execution,
                        const struct record_exploration *exploration)
{
	g_autofree char *program = words_program(exploration);
	g_autofree char *title = g_strdup_printf("%s, interleaving %u: %s", program, execution->id,
	                                         finding_kind_name(execution->status));

	name_track(json, "process_name", 0, title);
	for (int32_t rank = 0; rank < exploration->ranks; rank++) {
		g_autofree char *name = g_strdup_printf("rank %d", rank);

		name_track(json, "thread_name", rank, name);
	}
}

static void add_call(JsonBuilder *json, const struct record_call *call,
                     const struct timeline *timeline, guint index)
{
	g_autofree char *place = place_print(&call->place);
	guint64 enter = STEP * timeline->enter[index];

	begin_event(json, "X", call->function ? call->function : "a call", call->rank, enter);
	add_number(json, "dur", (gint64)(STEP * timeline->leave[index] - enter));
	if (!timeline->returns[index])
		add_text(json, "cname", "terrible"); /* red: the rank stays in it to the end */
	begin_arguments(json);
	add_number(json, "call", call->call);
	add_text(json, "place", place);
	add_flag(json, "returns", timeline->returns[index]);
	if (call->communicator_name)
		add_text(json, "communicator", call->communicator_name);
	if (call->peer >= 0)
		add_number(json, "peer", call->peer);
	if (call->kind == RECORD_CALL_SEND || call->kind == RECORD_CALL_RECEIVE) {
		add_number(json, "tag", call->tag);
		add_number(json, "bytes", (gint64)call->bytes);
	}
	json_builder_end_object(json);
	end_event(json);
}

/* One end of a message's arrow. It belongs to the slice that contains its time. */
static void add_end(JsonBuilder *json, const char *phase, guint number, int32_t rank, guint64 time)
{
	begin_event(json, phase, "message", rank, time);
	add_text(json, "cat", "message");
	add_number(json, "id", number);
	if (*phase == 'f')
		add_text(json, "bp", "e");
	end_event(json);
}

static void add_message(JsonBuilder *json, const struct record_execution *execution,
                        const struct timeline *timeline, guint number)
{
	const struct record_match *match = &g_array_index(execution->matches, struct record_match,
	                                                  number);
	gint64 send = timeline_call(execution->calls, match->source, match->send_call);
	gint64 receive = timeline_call(execution->calls, match->rank, match->call);
	gint64 done = -1;

	if (send < 0 || receive < 0)
		return;
	done = timeline_call(
		execution->calls, match->rank,
		g_array_index(execution->calls, struct record_call, (guint)receive).completed);
	add_end(json, "s", number, match->source, STEP * timeline->enter[send]);
	add_end(json, "f", number, match->rank,
	        done >= 0 ? STEP * timeline->leave[done] - 1
	                  : STEP * MAX(timeline->enter[receive], timeline->enter[send]) + 1);
}

static bool perfetto_write(struct store_reader *reader, const struct report_options *options,
                           FILE *out, GError **error)
{
	const struct record_exploration *exploration = store_reader_exploration(reader);
	g_autoptr(RecordExecution) execution = diagram_choose(reader, options->execution, error);
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autoptr(JsonBuilder) json = json_builder_new();
	g_autofree char *text = NULL;
	struct timeline *timeline;
	JsonNode *root;

	if (!execution)
		return false;
	timeline = timeline_new(execution);
	json_builder_begin_object(json);
	begin_array(json, "traceEvents");
	name_tracks(json, execution, exploration);
	for (guint i = 0; i < execution->calls->len; i++)
		add_call(json, &g_array_index(execution->calls, struct record_call, i), timeline,
		         i);
	for (guint i = 0; i < execution->matches->len; i++)
		add_message(json, execution, timeline, i);
	json_builder_end_array(json);
	json_builder_set_member_name(json, "otherData");
	json_builder_begin_object(json);
	add_text(json, "path", execution->path);
	json_builder_end_object(json);
	json_builder_end_object(json);
	root = json_builder_get_root(json);
	json_generator_set_root(generator, root);
	text = json_generator_to_data(generator, NULL);
	json_node_unref(root);
	timeline_free(timeline);
	fprintf(out, "%s\n", text);
	return true;
}

const struct report report_perfetto = {
	.name = "perfetto",
	.summary = "a whole interleaving as a trace for ui.perfetto.dev (JSON)",
	.write = perfetto_write,
};
