#include "diagram.h"
#include "json_members.h"
#include "timeline.h"
#include "words.h"

/* A trace for ui.perfetto.dev and chrome://tracing: JSON in the Trace Event Format. Each rank is
 * a track, or each of its threads that call MPI; each call is a slice, each message an arrow. A
 * step of timeline.h takes two microseconds, because arrows end in the middle of a step. */

enum { PROCESS = 1, STEP = 2 };

/* The track of a call: that of its rank, or of its thread (struct record_call). */
static gint64 track_of(const struct record_call *call, int32_t ranks)
{
	gint64 before = call->thread > 1 ? (gint64)(call->thread - 1) * ranks : 0;

	return before + call->rank + 1; /* Perfetto treats thread 0 as the process */
}

static void add_text(JsonBuilder *json, const char *name, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	json_builder_set_member_name(json, name);
	json_builder_add_string_value(json, valid);
}

/* Opens the object of an event; the caller closes it. */
static void begin_event(JsonBuilder *json, const char *phase, const char *name, gint64 track,
                        guint64 time)
{
	json_builder_begin_object(json);
	add_text(json, "ph", phase);
	add_text(json, "name", name);
	add_number(json, "pid", PROCESS);
	add_number(json, "tid", track);
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

static void name_track(JsonBuilder *json, const char *what, gint64 track, const char *name)
{
	begin_event(json, "M", what, track, 0);
	begin_arguments(json);
	add_text(json, "name", name);
	json_builder_end_object(json);
	end_event(json);
}

/* Tracks of the threads that a rank has created. */
static void name_threads(JsonBuilder *json, const struct record_execution *execution, int32_t ranks)
{
	g_autoptr(GHashTable) named = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < execution->calls->len; i++) {
		const struct record_call *call = &g_array_index(execution->calls,
		                                                struct record_call, i);
		const gint64 track = track_of(call, ranks);
		g_autofree char *thread = record_thread_print(call->thread);
		g_autofree char *name = NULL;

		if (track <= ranks || !g_hash_table_add(named, GSIZE_TO_POINTER((gsize)track)))
			continue;
		name = g_strdup_printf("rank %s, %s", rank_name(call->rank), thread);
		name_track(json, "thread_name", track, name);
	}
}

static void name_tracks(JsonBuilder *json, const struct record_execution *execution,
                        const struct record_exploration *exploration)
{
	g_autofree char *program = words_program(exploration);
	g_autofree char *which = words_execution(execution, exploration);
	g_autofree char *title = words_is_recording(exploration)
	                                 ? g_strdup_printf("%s, %s: %s", program, which,
	                                                   words_nothing(exploration))
	                                 : g_strdup_printf("%s, %s: %s", program, which,
	                                                   finding_kind_name(execution->status));

	name_track(json, "process_name", 1, title);
	for (int32_t rank = 0; rank < exploration->ranks; rank++) {
		g_autofree char *name = g_strdup_printf("rank %s", rank_name(rank));

		name_track(json, "thread_name", rank + 1, name);
	}
	name_threads(json, execution, exploration->ranks);
}

/* Of a receive from any source, the message that it took tells source and tag. By call: what
 * timeline_call returns + 1, to the match. */
static GHashTable *matches_by_receive(const struct record_execution *execution)
{
	GHashTable *table = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < execution->matches->len; i++) {
		struct record_match *match = &g_array_index(execution->matches, struct record_match,
		                                            i);
		gint64 receive = timeline_call(execution->calls, match->rank, match->call);

		g_hash_table_insert(table, GSIZE_TO_POINTER((gsize)(receive + 1)), match);
	}
	return table;
}

/* `match`: of a receive; NULL: it has taken no message. */
static void add_call(JsonBuilder *json, const struct record_call *call,
                     const struct timeline *timeline, guint index, gint64 track,
                     const struct record_match *match)
{
	const bool receives = call->kind == RECORD_CALL_RECEIVE && match;
	const int32_t peer = receives && call->peer < 0 ? match->source : call->peer;
	const int32_t tag = receives && call->tag < 0 ? match->tag : call->tag;
	g_autofree char *place = place_print(&call->place);
	guint64 enter = STEP * timeline->enter[index];

	begin_event(json, "X", call->function ? call->function : "a call", track, enter);
	add_number(json, "dur", (gint64)(STEP * timeline->leave[index] - enter));
	if (!timeline->returns[index])
		add_text(json, "cname", "terrible"); /* red: the rank stays in it to the end */
	begin_arguments(json);
	add_number(json, "call", call->call);
	add_text(json, "place", place);
	add_flag(json, "returns", timeline->returns[index]);
	if (call->indices && call->indices[0] != '\0')
		add_text(json, "indices", call->indices);
	if (call->communicator_name)
		add_text(json, "communicator", call->communicator_name);
	if (peer >= 0)
		add_number(json, "peer", peer);
	if (call->kind == RECORD_CALL_SEND || call->kind == RECORD_CALL_RECEIVE) {
		if (tag >= 0)
			add_number(json, "tag", tag);
		add_number(json, "bytes", (gint64)call->bytes);
	}
	json_builder_end_object(json);
	end_event(json);
}

/* One end of a message's arrow. It belongs to the slice that contains its time. */
static void add_end(JsonBuilder *json, const char *phase, guint number, gint64 track, guint64 time)
{
	begin_event(json, phase, "message", track, time);
	add_text(json, "cat", "message");
	add_number(json, "id", number);
	if (*phase == 'f')
		add_text(json, "bp", "e");
	end_event(json);
}

static const struct record_call *call_at(const struct record_execution *execution, gint64 index)
{
	return &g_array_index(execution->calls, struct record_call, (guint)index);
}

static void add_message(JsonBuilder *json, const struct record_execution *execution, int32_t ranks,
                        const struct timeline *timeline, guint number)
{
	const struct record_match *match = &g_array_index(execution->matches, struct record_match,
	                                                  number);
	gint64 send = timeline_call(execution->calls, match->source, match->send_call);
	gint64 receive = timeline_call(execution->calls, match->rank, match->call);
	gint64 done = -1;

	if (send < 0 || receive < 0)
		return;
	done = timeline_call(execution->calls, match->rank, call_at(execution, receive)->completed);
	add_end(json, "s", number, track_of(call_at(execution, send), ranks),
	        STEP * timeline->enter[send]);
	add_end(json, "f", number, track_of(call_at(execution, done >= 0 ? done : receive), ranks),
	        done >= 0 ? STEP * timeline->leave[done] - 1
	                  : STEP * MAX(timeline->enter[receive], timeline->enter[send]) + 1);
}

static void add_events(JsonBuilder *json, const struct record_execution *execution, int32_t ranks)
{
	g_autoptr(GHashTable) received = matches_by_receive(execution);
	struct timeline *timeline = timeline_new(execution);

	for (guint i = 0; i < execution->calls->len; i++) {
		const struct record_call *call = call_at(execution, i);

		add_call(json, call, timeline, i, track_of(call, ranks),
		         g_hash_table_lookup(received, GSIZE_TO_POINTER((gsize)i + 1)));
	}
	for (guint i = 0; i < execution->matches->len; i++)
		add_message(json, execution, ranks, timeline, i);
	timeline_free(timeline);
}

static bool perfetto_write(struct store_reader *reader, const struct report_options *options,
                           FILE *out, GError **error)
{
	const struct record_exploration *exploration = store_reader_exploration(reader);
	g_autoptr(RecordExecution) execution = diagram_choose(reader, options->execution, error);
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autoptr(JsonBuilder) json = json_builder_new();
	g_autofree char *text = NULL;
	JsonNode *root;

	if (!execution)
		return false;
	json_builder_begin_object(json);
	begin_array(json, "traceEvents");
	name_tracks(json, execution, exploration);
	add_events(json, execution, exploration->ranks);
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
	fprintf(out, "%s\n", text);
	return true;
}

const struct report report_perfetto = {
	.name = "perfetto",
	.summary = "a whole interleaving as a trace for ui.perfetto.dev (JSON)",
	.shows_recordings = true,
	.write = perfetto_write,
};
