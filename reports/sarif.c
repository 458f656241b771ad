#include <string.h>

#include "finding_text.h"
#include "json_members.h"
#include "places.h"
#include "sarif_parts.h"
#include "words.h"

/* SARIF 2.1.0 (OASIS Standard), as code scanning services read it: a rule for each kind of
 * finding, a result for each finding, a thread flow for each rank. */

static void add_related(const struct sarif *context, const struct place *place, const char *text,
                        gint64 *id)
{
	if (!place->file && !place->function)
		return;
	if (*id >= context->limits.locations) { /* the result's own location counts too */
		context->left_out->locations++;
		return;
	}
	json_builder_begin_object(context->json);
	add_number(context->json, "id", (*id)++);
	sarif_location(context, place, text);
	json_builder_end_object(context->json);
}

/* Where the alternative's message was sent, or where its request was started. */
static char *alternative_words(const struct record_choice *blame,
                               const struct record_message *alternative, bool taken)
{
	if (blame->point.word > 0)
		return g_strdup_printf(taken ? "rank %s's atomic operation comes first"
		                             : "rank %s's atomic operation could come first",
		                       rank_name(alternative->source));
	if (blame->point.kind == POINT_LOCK)
		return g_strdup_printf(taken ? "rank %s is granted the lock"
		                             : "rank %s could be granted the lock instead",
		                       rank_name(alternative->source));
	if (!alternative->answer && taken)
		return g_strdup_printf("rank %s sends the message that is taken",
		                       rank_name(alternative->source));
	if (!alternative->answer)
		return g_strdup_printf("rank %s sends a message that could be taken instead",
		                       rank_name(alternative->source));
	return g_strdup(taken ? "the chosen operation begins here"
	                      : "an operation that could be chosen instead begins here");
}

/* Where the messages of the blamed choice were sent, and where the ranks are. */
static void add_related_locations(const struct sarif *context, const struct record_finding *finding)
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
		g_autofree char *text = g_strdup_printf("rank %s %s in %s", rank_name(rank->rank),
		                                        state, call);

		if (rank->ended) {
			g_free(text);
			text = g_strdup_printf("rank %s %s", rank_name(rank->rank), state);
		}
		add_related(context, &rank->place, text, &id);
	}
	json_builder_end_array(context->json);
}

/* Adds what identifies a place when lines are inserted above it: its text, if the store has it. */
static void mix_place(GChecksum *sum, const struct store_reader *reader, const struct place *place)
{
	g_autofree char *source = places_source(reader, place), *name = place_print(place);

	if (source && place->file)
		g_checksum_update(sum, (const guchar *)place->file, -1);
	g_checksum_update(sum, (const guchar *)(source ? source : name), -1);
	g_checksum_update(sum, (const guchar *)"", 1);
}

/* The fingerprint of a finding. Unrelated changes of the program do not change it. */
static char *fingerprint(const struct store_reader *reader, const struct record_finding *finding)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	const char *kind = finding_kind_name(finding->kind);
	char *text;

	g_checksum_update(sum, (const guchar *)kind, (gssize)strlen(kind) + 1);
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

static void add_properties(const struct sarif *context, const struct record_finding *finding)
{
	JsonBuilder *json = context->json;
	g_autofree char *again = words_finding_again(context->reader, finding);

	sarif_object(json, "properties");
	if (strlen(finding->path) <= context->limits.text) {
		sarif_text(json, "path", finding->path);
	} else {
		g_autofree char *path = words_path(finding->path);

		context->left_out->paths++;
		sarif_text(json, "path", path);
	}
	sarif_limited(context, "again", again);
	sarif_text(json, "buffering", words_bufferings(finding->bufferings));
	add_flag(json, "replayed", finding->replayed);
	add_flag(json, "reproduced", finding->reproduced);
	json_builder_end_object(json);
}

static guint rule_of(const struct sarif *context, enum finding_kind kind)
{
	guint index = 0;

	g_ptr_array_find(context->kinds, GINT_TO_POINTER(kind), &index);
	return index;
}

static bool add_result(const struct sarif *context, const struct record_finding *finding,
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
	sarif_text(json, "ruleId", finding_kind_name(finding->kind));
	add_number(json, "ruleIndex", rule_of(context, finding->kind));
	sarif_text(json, "level", "error");
	sarif_limited_message(context, "message", whole);
	begin_array(json, "locations");
	json_builder_begin_object(json);
	sarif_result_location(context, place);
	json_builder_end_object(json);
	json_builder_end_array(json);
	add_related_locations(context, finding);
	sarif_stacks(context, finding->ranks);
	if (!sarif_code_flow(context, finding, error))
		return false;
	sarif_object(json, "partialFingerprints");
	sarif_text(json, "matchpointFinding/v1", print);
	/* GitHub identifies alerts by this one. Without it, GitHub uses the text of the line
	 * alone. */
	sarif_text(json, "primaryLocationLineHash", print);
	json_builder_end_object(json);
	add_number(json, "occurrenceCount", MAX((gint64)finding->together, 1));
	add_properties(context, finding);
	json_builder_end_object(json);
	return true;
}

static void add_rule(JsonBuilder *json, const struct finding_kind_info *kind)
{
	json_builder_begin_object(json);
	sarif_text(json, "id", kind->name);
	sarif_message(json, "shortDescription", kind->summary);
	sarif_message(json, "fullDescription", kind->summary);
	sarif_object(json, "help");
	sarif_text(json, "text", kind->help);
	sarif_text(json, "markdown", kind->help);
	json_builder_end_object(json);
	sarif_object(json, "defaultConfiguration");
	sarif_text(json, "level", "error");
	json_builder_end_object(json);
	sarif_object(json, "properties");
	begin_array(json, "tags");
	json_builder_add_string_value(json, "mpi");
	json_builder_add_string_value(json, "concurrency");
	json_builder_end_array(json);
	/* GitHub sorts alerts by these. Precision is very high: every finding was observed. */
	sarif_text(json, "precision", "very-high");
	sarif_text(json, "problem.severity", "error");
	json_builder_end_object(json);
	json_builder_end_object(json);
}

static void add_tool(const struct sarif *context)
{
	const struct record_exploration *e = store_reader_exploration(context->reader);
	const GPtrArray *findings = store_reader_mistakes(context->reader);
	JsonBuilder *json = context->json;

	sarif_object(json, "tool");
	sarif_object(json, "driver");
	sarif_text(json, "name", "matchpoint");
	if (e->version && *e->version)
		sarif_text(json, "version", e->version);
	begin_array(json, "rules");
	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *finding = g_ptr_array_index(findings, i);

		if (g_ptr_array_find(context->kinds, GINT_TO_POINTER(finding->kind), NULL))
			continue;
		g_ptr_array_add(context->kinds, GINT_TO_POINTER(finding->kind));
		add_rule(json, finding_kind_info(finding->kind));
	}
	json_builder_end_array(json);
	json_builder_end_object(json);
	json_builder_end_object(json);
}

static void add_directory(JsonBuilder *json, const char *name, const char *directory)
{
	g_autofree char *uri = places_uri(directory);

	sarif_object(json, name);
	json_builder_set_member_name(json, "uri");
	if (!g_str_has_suffix(uri, "/")) {
		g_autofree char *ended = g_strconcat(uri, "/", NULL);

		json_builder_add_string_value(json, ended);
	} else {
		json_builder_add_string_value(json, uri);
	}
	json_builder_end_object(json);
}

static void add_notification(const struct sarif *context, const char *level, const char *text)
{
	JsonBuilder *json = context->json;

	json_builder_begin_object(json);
	sarif_text(json, "level", level);
	sarif_limited_message(context, "message", text);
	json_builder_end_object(json);
}

static void add_invocation(const struct sarif *context)
{
	const struct record_exploration *e = store_reader_exploration(context->reader);
	JsonBuilder *json = context->json;
	g_autofree char *subject = words_subject(e), *extent = words_extent(e);
	g_autofree char *verdict = g_strconcat(subject, extent, NULL);
	g_autofree char *unchecked = words_not_checked(e);
	g_autofree char *program = words_program(e);
	g_autofree char *left_out = sarif_limits_words(context->left_out);
	g_autofree char *line = g_strdup_printf("matchpoint %s -n %d -- %s",
	                                        e->command ? e->command : "explore", e->ranks,
	                                        program);

	begin_array(json, "invocations");
	json_builder_begin_object(json);
	sarif_limited(context, "commandLine", line);
	if (e->directory && g_path_is_absolute(e->directory))
		add_directory(json, "workingDirectory", e->directory);
	/* A bounded exploration is successful too. The notifications below say what it left out. */
	add_flag(json, "executionSuccessful", e->complete || e->incomplete_reason);
	begin_array(json, "toolExecutionNotifications");
	add_notification(context, e->complete ? "note" : "warning", verdict);
	if (unchecked)
		add_notification(context, "note", unchecked);
	for (guint i = 0; i < e->notes->len; i++)
		add_notification(context, "note", g_ptr_array_index(e->notes, i));
	if (left_out)
		add_notification(context, "warning", left_out);
	json_builder_end_array(json);
	json_builder_end_object(json);
	json_builder_end_array(json);
}

static bool add_run(const struct sarif *context, GError **error)
{
	const struct record_exploration *e = store_reader_exploration(context->reader);
	const GPtrArray *findings = store_reader_mistakes(context->reader);
	JsonBuilder *json = context->json;
	g_autofree char *program = words_program(e);
	g_autofree char *shard = words_shard(e);
	g_autofree char *id = g_strdup_printf("matchpoint -n %d %s/%s", e->ranks, program,
	                                      shard ? shard : "");

	json_builder_begin_object(json);
	add_tool(context);
	sarif_text(json, "columnKind", "unicodeCodePoints");
	sarif_object(json, "automationDetails");
	sarif_text(json, "id", id);
	json_builder_end_object(json);
	if (*context->root) {
		sarif_object(json, "originalUriBaseIds");
		add_directory(json, SARIF_ROOT, context->root);
		json_builder_end_object(json);
	}
	begin_array(json, "results");
	for (guint i = 0; i < MIN(findings->len, context->limits.results); i++) {
		if (!add_result(context, g_ptr_array_index(findings, i), error))
			return false;
	}
	json_builder_end_array(json);
	context->left_out->results = findings->len - MIN(findings->len, context->limits.results);
	add_invocation(context); /* last: it reports what the results left out */
	json_builder_end_object(json);
	return true;
}

/* The whole file within these limits; free with g_free. NULL with `error` set: the store is
 * damaged. */
static char *print_log(struct store_reader *reader, const struct report_options *options,
                       struct sarif_limits limits, GError **error)
{
	g_autoptr(JsonBuilder) json = json_builder_new();
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autoptr(GPtrArray) kinds = g_ptr_array_new();
	struct sarif_left_out left_out = {0};
	const struct sarif context = {.json = json,
	                              .reader = reader,
	                              .root = places_root(reader, options),
	                              .kinds = kinds,
	                              .limits = limits,
	                              .left_out = &left_out};
	JsonNode *root;
	char *text;

	json_builder_begin_object(json);
	sarif_text(json, "$schema",
	           "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/"
	           "sarif-schema-2.1.0.json");
	sarif_text(json, "version", "2.1.0");
	begin_array(json, "runs");
	if (!add_run(&context, error))
		return NULL;
	json_builder_end_array(json);
	json_builder_end_object(json);
	root = json_builder_get_root(json);
	json_generator_set_root(generator, root);
	json_generator_set_pretty(generator, true);
	text = json_generator_to_data(generator, NULL);
	json_node_unref(root);
	return text;
}

static bool sarif_write(struct store_reader *reader, const struct report_options *options,
                        FILE *out, GError **error)
{
	struct sarif_limits limits = sarif_limits_for(store_reader_mistakes(reader)->len);
	g_autofree char *text = print_log(reader, options, limits, error);

	while (text && !sarif_limits_fit(text, SARIF_BYTES_MAX) && sarif_limits_tighten(&limits)) {
		g_free(text);
		text = print_log(reader, options, limits, error);
	}
	if (!text)
		return false;
	fprintf(out, "%s\n", text);
	return true;
}

const struct report report_sarif = {
	.name = "sarif",
	.summary = "the findings as SARIF 2.1.0, for code scanning",
	.write = sarif_write,
};
