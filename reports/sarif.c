#include <string.h>

#include "finding_text.h"
#include "json_members.h"
#include "kinds.h"
#include "places.h"
#include "report.h"
#include "words.h"

/* SARIF 2.1.0 (OASIS Standard), as code scanning services read it: a rule for each kind of finding,
 * a result for each finding, a thread flow for each rank. */

#define ROOT "%SRCROOT%"
#define CALLS_MAX 100 /* of a rank in its thread flow, the last ones; services refuse huge files */

static void add_text(JsonBuilder *json, const char *name, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);

	json_builder_set_member_name(json, name);
	json_builder_add_string_value(json, valid);
}

static void begin_object(JsonBuilder *json, const char *name)
{
	json_builder_set_member_name(json, name);
	json_builder_begin_object(json);
}

/* A message object (section 3.11). */
static void add_message(JsonBuilder *json, const char *name, const char *text)
{
	begin_object(json, name);
	add_text(json, "text", text);
	json_builder_end_object(json);
}

/* What is read in each result. */
struct context {
	JsonBuilder *json;
	struct store_reader *reader;
	const char *root;
	GPtrArray *kinds; /* of const char *, the rules in order */
};

/* The members of a location object (section 3.28): a file and a line, or a function. */
static void add_location(const struct context *context, const struct place *place, const char *text)
{
	JsonBuilder *json = context->json;
	g_autofree char *file = places_file(place, context->root);

	if (file) {
		g_autofree char *uri = places_uri(file);

		begin_object(json, "physicalLocation");
		begin_object(json, "artifactLocation");
		add_text(json, "uri", uri);
		if (!g_path_is_absolute(file) && *context->root)
			add_text(json, "uriBaseId", ROOT);
		json_builder_end_object(json);
		if (place->line > 0) {
			begin_object(json, "region");
			add_number(json, "startLine", place->line);
			json_builder_end_object(json);
		}
		json_builder_end_object(json);
	} else if (place->function) {
		g_autofree char *name = place_print(place);

		begin_array(json, "logicalLocations");
		json_builder_begin_object(json);
		add_text(json, "fullyQualifiedName", name);
		add_text(json, "kind", "function");
		json_builder_end_object(json);
		json_builder_end_array(json);
	}
	if (text)
		add_message(json, "message", text);
}

static void add_related(const struct context *context, const struct place *place, const char *text,
                        gint64 *id)
{
	if (!place->file && !place->function)
		return;
	json_builder_begin_object(context->json);
	add_number(context->json, "id", (*id)++);
	add_location(context, place, text);
	json_builder_end_object(context->json);
}

/* Where the message was sent that can be taken, or the request was started that can be reported. */
static char *alternative_words(const struct record_choice *blame,
                               const struct record_message *alternative, bool taken)
{
	if (blame->lock.window > 0)
		return g_strdup_printf(taken ? "rank %d is granted the lock"
		                             : "rank %d could be granted the lock instead",
		                       alternative->source);
	if (!alternative->answer && taken)
		return g_strdup_printf("rank %d sends the message that is taken",
		                       alternative->source);
	if (!alternative->answer)
		return g_strdup_printf("rank %d sends a message that could be taken instead",
		                       alternative->source);
	return g_strdup(taken ? "what is chosen begins here"
	                      : "what could be chosen instead begins here");
}

/* Where the messages of the blamed choice were sent, and where the ranks stand. */
static void add_related_locations(const struct context *context,
                                  const struct record_finding *finding)
{
	const struct record_choice *blame = finding->blame;
	gint64 id = 1;

	begin_array(context->json, "relatedLocations");
	if (blame) {
		g_autofree char *sent = alternative_words(blame, &blame->taken, true);

		add_related(context, &blame->taken.place, sent, &id);
		for (guint i = 0; i < blame->alternatives->len; i++) {
			const struct record_message *other = &g_array_index(
				blame->alternatives, struct record_message, i);
			g_autofree char *text = alternative_words(blame, other, false);

			add_related(context, &other->place, text, &id);
		}
	}
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(finding->ranks, i);
		g_autofree char *call = words_call(rank);
		g_autofree char *state = words_state(rank, finding->ranks);
		g_autofree char *text = g_strdup_printf("rank %d %s in %s", rank->rank, state,
		                                        call);

		if (rank->ended) {
			g_free(text);
			text = g_strdup_printf("rank %d %s", rank->rank, state);
		}
		add_related(context, &rank->place, text, &id);
	}
	json_builder_end_array(context->json);
}

static void add_frames(const struct context *context, const GArray *frames)
{
	JsonBuilder *json = context->json;

	begin_array(json, "frames");
	for (guint i = 0; i < frames->len; i++) {
		const struct record_frame *frame = &g_array_index(frames, struct record_frame, i);

		json_builder_begin_object(json);
		begin_object(json, "location");
		add_location(context, &frame->place, frame->function);
		json_builder_end_object(json);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
}

/* Of the ranks' calls, each once: a rank may have two parts in one call. */
static void add_stacks(const struct context *context, const GPtrArray *ranks)
{
	g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	begin_array(context->json, "stacks");
	for (guint i = 0; i < ranks->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(ranks, i);
		const GArray *frames = store_reader_stack(context->reader, rank->stack);
		char *text = g_strdup_printf("rank %d's call %u, %s", rank->rank, rank->call,
		                             rank->function ? rank->function : "unknown");

		if (!g_hash_table_add(told, text) || !frames)
			continue;
		json_builder_begin_object(context->json);
		add_message(context->json, "message", text);
		add_frames(context, frames);
		json_builder_end_object(context->json);
	}
	json_builder_end_array(context->json);
}

/* The choice of the interleaving that this call makes, or NULL. */
static const struct record_choice *choice_at(const struct record_execution *execution,
                                             const struct record_call *call)
{
	for (guint i = 0; i < execution->choices->len; i++) {
		const struct record_choice *choice = g_ptr_array_index(execution->choices, i);

		if (choice->rank == call->rank && choice->call == call->call)
			return choice;
	}
	return NULL;
}

static void add_step(const struct context *context, const struct record_execution *execution,
                     const struct record_call *call, const struct record_finding *finding)
{
	JsonBuilder *json = context->json;
	const struct record_choice *choice = choice_at(execution, call);
	const char *function = call->function ? call->function : "a call";
	g_autofree char *blame = choice ? words_blame(choice) : NULL;
	g_autofree char *text = g_strdup_printf("call %u: %s%s%s", call->call, function,
	                                        blame ? ": " : "", blame ? blame : "");
	bool blamed = finding->blame && finding->blame->rank == call->rank
	              && finding->blame->call == call->call;

	json_builder_begin_object(json);
	begin_object(json, "location");
	add_location(context, &call->place, text);
	json_builder_end_object(json);
	add_text(json, "importance", blamed ? "essential" : choice ? "important" : "unimportant");
	json_builder_end_object(json);
}

/* The calls [first, end) of a rank, which stand together. */
static void add_thread_flow(const struct context *context, const struct record_execution *execution,
                            guint first, guint end, const struct record_finding *finding)
{
	JsonBuilder *json = context->json;
	int32_t rank = g_array_index(execution->calls, struct record_call, first).rank;
	guint omitted = end - first > CALLS_MAX ? end - first - CALLS_MAX : 0;
	g_autofree char *name = g_strdup_printf("rank %d", rank);
	g_autofree char *text = omitted ? g_strdup_printf(
					"rank %d: of %u calls those with a choice, and the last "
					"%d",
					rank, end - first, CALLS_MAX)
	                                : g_strdup(name);
	guint choices = 0;

	json_builder_begin_object(json);
	add_text(json, "id", name);
	add_message(json, "message", text);
	begin_array(json, "locations");
	for (guint i = first; i < end; i++) {
		const struct record_call *call = &g_array_index(execution->calls,
		                                                struct record_call, i);

		if (i - first >= omitted
		    || (choices < CALLS_MAX && choice_at(execution, call) && ++choices > 0))
			add_step(context, execution, call, finding);
	}
	json_builder_end_array(json);
	json_builder_end_object(json);
}

static bool add_code_flow(const struct context *context, const struct record_finding *finding,
                          GError **error)
{
	JsonBuilder *json = context->json;
	g_autoptr(GError) problem = NULL;
	g_autoptr(RecordExecution)
		execution = store_reader_example(context->reader, finding->id, &problem);

	if (g_error_matches(problem, STORE_READER_ERROR, STORE_READER_ERROR_MISSING))
		return true;
	if (!execution) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	if (execution->calls->len == 0)
		return true;
	begin_array(json, "codeFlows");
	json_builder_begin_object(json);
	add_message(json, "message", execution->path);
	begin_array(json, "threadFlows");
	for (guint first = 0, end; first < execution->calls->len; first = end) {
		const struct record_call *calls =
			(const struct record_call *)execution->calls->data;

		for (end = first; end < execution->calls->len; end++) {
			if (calls[end].rank != calls[first].rank)
				break;
		}
		add_thread_flow(context, execution, first, end, finding);
	}
	json_builder_end_array(json);
	json_builder_end_object(json);
	json_builder_end_array(json);
	return true;
}

/* Adds what a place is known by when lines are inserted above it: its text, if the store has it. */
static void mix_place(GChecksum *sum, const struct store_reader *reader, const struct place *place)
{
	g_autofree char *source = places_source(reader, place), *name = place_print(place);

	if (source && place->file)
		g_checksum_update(sum, (const guchar *)place->file, -1);
	g_checksum_update(sum, (const guchar *)(source ? source : name), -1);
	g_checksum_update(sum, (const guchar *)"", 1);
}

/* The same for the same finding after unrelated changes of the program. */
static char *fingerprint(const struct store_reader *reader, const struct record_finding *finding)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	char *text;

	g_checksum_update(sum, (const guchar *)finding->kind, (gssize)strlen(finding->kind) + 1);
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(finding->ranks, i);
		const char *end = rank->ended ? rank->ended : rank->does ? rank->does : "waits";
		g_autofree char *call = words_call(rank);

		if (rank->bystander)
			continue;
		g_checksum_update(sum, (const guchar *)call, (gssize)strlen(call) + 1);
		g_checksum_update(sum, (const guchar *)end, (gssize)strlen(end) + 1);
		mix_place(sum, reader, &rank->place);
	}
	if (finding->blame)
		mix_place(sum, reader, &finding->blame->place);
	if (finding->ranks->len == 0 && finding->message)
		g_checksum_update(sum, (const guchar *)finding->message, -1);
	text = g_strdup(g_checksum_get_string(sum));
	g_checksum_free(sum);
	return text;
}

static void add_properties(const struct context *context, const struct record_finding *finding)
{
	JsonBuilder *json = context->json;
	g_autofree char *again = words_again(finding->path,
	                                     store_reader_exploration(context->reader));

	begin_object(json, "properties");
	add_text(json, "path", finding->path);
	add_text(json, "again", again);
	add_text(json, "buffering", words_bufferings(finding->bufferings));
	add_flag(json, "reproduced", finding->reproduced);
	json_builder_end_object(json);
}

static guint rule_of(const struct context *context, const char *kind)
{
	guint index = 0;

	g_ptr_array_find_with_equal_func(context->kinds, kind, g_str_equal, &index);
	return index;
}

static bool add_result(const struct context *context, const struct record_finding *finding,
                       GError **error)
{
	JsonBuilder *json = context->json;
	const struct place *place = places_of_finding(finding);
	g_autofree char *headline = words_headline(finding);
	g_autofree char *text = finding_print(context->reader, finding, error);
	g_autofree char *whole = NULL, *print = fingerprint(context->reader, finding);

	if (!text)
		return false;
	whole = g_strdup_printf("%s\n\n%s", headline, text);
	json_builder_begin_object(json);
	add_text(json, "ruleId", finding->kind);
	add_number(json, "ruleIndex", rule_of(context, finding->kind));
	add_text(json, "level", "error");
	add_message(json, "message", whole);
	begin_array(json, "locations");
	if (place) {
		json_builder_begin_object(json);
		add_location(context, place, NULL);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
	add_related_locations(context, finding);
	add_stacks(context, finding->ranks);
	if (!add_code_flow(context, finding, error))
		return false;
	begin_object(json, "partialFingerprints");
	add_text(json, "matchpointFinding/v1", print);
	json_builder_end_object(json);
	add_number(json, "occurrenceCount", MAX(finding->count, 1));
	add_properties(context, finding);
	json_builder_end_object(json);
	return true;
}

static void add_rule(JsonBuilder *json, const char *id)
{
	const struct kind *kind = kinds_find(id);

	json_builder_begin_object(json);
	add_text(json, "id", id);
	add_message(json, "shortDescription", kind->summary);
	add_message(json, "fullDescription", kind->summary);
	add_message(json, "help", kind->help);
	begin_object(json, "defaultConfiguration");
	add_text(json, "level", "error");
	json_builder_end_object(json);
	begin_object(json, "properties");
	begin_array(json, "tags");
	json_builder_add_string_value(json, "mpi");
	json_builder_add_string_value(json, "concurrency");
	json_builder_end_array(json);
	json_builder_end_object(json);
	json_builder_end_object(json);
}

static void add_tool(const struct context *context)
{
	const struct record_exploration *e = store_reader_exploration(context->reader);
	const GPtrArray *findings = store_reader_findings(context->reader);
	JsonBuilder *json = context->json;

	begin_object(json, "tool");
	begin_object(json, "driver");
	add_text(json, "name", "matchpoint");
	if (e->version && *e->version)
		add_text(json, "version", e->version);
	begin_array(json, "rules");
	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *finding = g_ptr_array_index(findings, i);

		if (g_ptr_array_find_with_equal_func(context->kinds, finding->kind, g_str_equal,
		                                     NULL))
			continue;
		g_ptr_array_add(context->kinds, (gpointer)finding->kind);
		add_rule(json, finding->kind);
	}
	json_builder_end_array(json);
	json_builder_end_object(json);
	json_builder_end_object(json);
}

static void add_directory(JsonBuilder *json, const char *name, const char *directory)
{
	g_autofree char *uri = places_uri(directory);

	begin_object(json, name);
	json_builder_set_member_name(json, "uri");
	if (!g_str_has_suffix(uri, "/")) {
		g_autofree char *ended = g_strconcat(uri, "/", NULL);

		json_builder_add_string_value(json, ended);
	} else {
		json_builder_add_string_value(json, uri);
	}
	json_builder_end_object(json);
}

static void add_notification(JsonBuilder *json, const char *level, const char *text)
{
	json_builder_begin_object(json);
	add_text(json, "level", level);
	add_message(json, "message", text);
	json_builder_end_object(json);
}

static void add_invocation(const struct context *context)
{
	const struct record_exploration *e = store_reader_exploration(context->reader);
	JsonBuilder *json = context->json;
	g_autofree char *subject = words_subject(e), *extent = words_extent(e);
	g_autofree char *verdict = g_strconcat(subject, extent, NULL);
	g_autofree char *program = words_program(e);
	g_autofree char *line = g_strdup_printf("matchpoint %s -n %d -- %s",
	                                        e->command ? e->command : "explore", e->ranks,
	                                        program);

	begin_array(json, "invocations");
	json_builder_begin_object(json);
	add_text(json, "commandLine", line);
	if (e->directory && g_path_is_absolute(e->directory))
		add_directory(json, "workingDirectory", e->directory);
	/* even a bounded exploration did what it was asked for; what it left out is told below */
	add_flag(json, "executionSuccessful", e->complete || e->incomplete_reason);
	begin_array(json, "toolExecutionNotifications");
	add_notification(json, e->complete ? "note" : "warning", verdict);
	for (guint i = 0; i < e->notes->len; i++)
		add_notification(json, "note", g_ptr_array_index(e->notes, i));
	json_builder_end_array(json);
	json_builder_end_object(json);
	json_builder_end_array(json);
}

static bool add_run(const struct context *context, GError **error)
{
	const struct record_exploration *e = store_reader_exploration(context->reader);
	const GPtrArray *findings = store_reader_findings(context->reader);
	JsonBuilder *json = context->json;
	g_autofree char *program = words_program(e);
	g_autofree char *shard = words_shard(e);
	g_autofree char *id = g_strdup_printf("matchpoint -n %d %s/%s", e->ranks, program,
	                                      shard ? shard : "");

	json_builder_begin_object(json);
	add_tool(context);
	add_invocation(context);
	begin_object(json, "automationDetails");
	add_text(json, "id", id);
	json_builder_end_object(json);
	if (*context->root) {
		begin_object(json, "originalUriBaseIds");
		add_directory(json, ROOT, context->root);
		json_builder_end_object(json);
	}
	begin_array(json, "results");
	for (guint i = 0; i < findings->len; i++) {
		if (!add_result(context, g_ptr_array_index(findings, i), error))
			return false;
	}
	json_builder_end_array(json);
	json_builder_end_object(json);
	return true;
}

static bool sarif_write(struct store_reader *reader, const struct report_options *options,
                        FILE *out, GError **error)
{
	g_autoptr(JsonBuilder) json = json_builder_new();
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autoptr(GPtrArray) kinds = g_ptr_array_new();
	const struct context context = {json, reader, places_root(reader, options), kinds};
	g_autofree char *text = NULL;
	JsonNode *root;

	json_builder_begin_object(json);
	add_text(json, "$schema",
	         "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/"
	         "sarif-schema-2.1.0.json");
	add_text(json, "version", "2.1.0");
	begin_array(json, "runs");
	if (!add_run(&context, error))
		return false;
	json_builder_end_array(json);
	json_builder_end_object(json);
	root = json_builder_get_root(json);
	json_generator_set_root(generator, root);
	json_generator_set_pretty(generator, TRUE);
	text = json_generator_to_data(generator, NULL);
	json_node_unref(root);
	fprintf(out, "%s\n", text);
	return true;
}

const struct report report_sarif = {
	.name = "sarif",
	.summary = "the findings as SARIF 2.1.0, for code scanning",
	.write = sarif_write,
};
