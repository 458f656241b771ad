#include <string.h>

#include "json_members.h"
#include "report.h"
#include "scheduler/store/choice_coverage.h"
#include "words.h"

/* if there are more interleavings, only those with findings are listed */
#define EXECUTIONS_MAX 1000

static void add_text(JsonBuilder *json, const char *name, const char *text)
{
	json_builder_set_member_name(json, name);
	if (text)
		json_builder_add_string_value(json, text);
	else
		json_builder_add_null_value(json);
}

static const char *buffering_name(uint32_t buffering)
{
	if (buffering == RECORD_PER_SEND)
		return "per-send";
	return buffering == RECORD_ZERO ? "zero" : "infinite";
}

static void add_bufferings(JsonBuilder *json, uint32_t bufferings)
{
	begin_array(json, "buffering");
	if (bufferings & RECORD_ZERO)
		json_builder_add_string_value(json, "zero");
	if (bufferings & RECORD_INFINITE)
		json_builder_add_string_value(json, "infinite");
	if (bufferings & RECORD_PER_SEND)
		json_builder_add_string_value(json, "per-send");
	json_builder_end_array(json);
}

/* "file" and "line". Without debugging information: "symbol" and "offset". */
static void add_place(JsonBuilder *json, const struct place *place)
{
	if (place->file) {
		add_text(json, "file", place->file);
		add_number(json, "line", place->line);
	} else if (place->function) {
		add_text(json, "symbol", place->function);
		add_number(json, "offset", (gint64)place->offset);
	}
}

static void add_sub(JsonBuilder *json, const char *name, uint32_t sub)
{
	if (sub > 0)
		add_number(json, name, sub);
}

/* The calls that started the reported requests: "3,4" as [3, 4]. */
static void add_requests(JsonBuilder *json, const char *requests)
{
	g_auto(GStrv) calls = g_strsplit(requests, ",", -1);

	begin_array(json, "requests");
	for (char **call = calls; *call; call++)
		json_builder_add_int_value(json, g_ascii_strtoll(*call, NULL, 10));
	json_builder_end_array(json);
}

static void add_answer(JsonBuilder *json, const struct record_message *answer)
{
	json_builder_begin_object(json);
	add_text(json, "answer", answer->answer);
	if (answer->requests)
		add_requests(json, answer->requests);
	add_place(json, &answer->place);
	json_builder_end_object(json);
}

static void add_message(JsonBuilder *json, const struct record_message *message)
{
	if (message->answer) {
		add_answer(json, message);
		return;
	}
	json_builder_begin_object(json);
	add_number(json, "source", message->source);
	add_number(json, "tag", message->tag);
	add_number(json, "call", message->call);
	add_sub(json, "sub", message->sub);
	add_place(json, &message->place);
	json_builder_end_object(json);
}

static void add_frame(JsonBuilder *json, const struct record_frame *frame)
{
	json_builder_begin_object(json);
	if (frame->function)
		add_text(json, "function", frame->function);
	add_place(json, &frame->place);
	json_builder_end_object(json);
}

/* The frames from the MPI call outwards. Adds nothing if there is no such stack. */
static void add_stack(JsonBuilder *json, const struct store_reader *reader, uint32_t stack)
{
	const GArray *frames = store_reader_stack(reader, stack);

	if (!frames)
		return;
	begin_array(json, "stack");
	for (guint i = 0; i < frames->len; i++)
		add_frame(json, &g_array_index(frames, struct record_frame, i));
	json_builder_end_array(json);
}

/* For a lock, rank is the target and call is the number of the grant. */
static void add_choice(JsonBuilder *json, const struct store_reader *reader,
                       const struct record_choice *choice)
{
	const struct point *point = &choice->point;
	bool is_lock = point->kind == POINT_LOCK;

	json_builder_begin_object(json);
	add_number(json, "rank", is_lock ? point->rank : choice->rank);
	add_number(json, "call", is_lock ? point->call : choice->call);
	add_sub(json, "sub", choice->sub);
	add_text(json, "function", choice->function);
	if (is_lock) {
		add_number(json, "window", point->window);
		if (point->first > 0)
			add_number(json, "window_first", point->first);
		if (point->word > 0)
			add_number(json, "byte", point_byte(point));
		if (point->reader >= 0)
			add_number(json, "reader", point->reader);
		add_number(json, "grant", point->call);
	}
	add_place(json, &choice->place);
	add_stack(json, reader, choice->stack);
	json_builder_set_member_name(json, "taken");
	add_message(json, &choice->taken);
	begin_array(json, "alternatives");
	for (guint i = 0; i < choice->alternatives->len; i++)
		add_message(json, &g_array_index(choice->alternatives, struct record_message, i));
	json_builder_end_array(json);
	json_builder_end_object(json);
}

static void add_rank(JsonBuilder *json, const struct store_reader *reader,
                     const struct record_rank *rank)
{

	json_builder_begin_object(json);
	add_number(json, "rank", rank->rank);
	if (rank_names_divide())
		add_text(json, "name", rank_name(rank->rank));
	if (rank->thread > 0)
		add_number(json, "thread", rank->thread - 1);
	if (rank->function) {
		add_number(json, "call", rank->call);
		add_text(json, "function", rank->function);
		if (rank->arguments)
			add_text(json, "arguments", rank->arguments);
		add_place(json, &rank->place);
		add_stack(json, reader, rank->stack);
	}
	begin_array(json, "waits_for");
	for (guint i = 0; i < rank->waits_for->len; i++)
		json_builder_add_int_value(json, g_array_index(rank->waits_for, int32_t, i));
	json_builder_end_array(json);
	if (rank->ended)
		add_text(json, "ended", rank->ended);
	if (rank->does)
		add_text(json, "does", rank->does);
	if (rank->bystander)
		add_flag(json, "bystander", true);
	json_builder_end_object(json);
}

static void add_roll_call(JsonBuilder *json, const struct store_reader *reader,
                          const GPtrArray *ranks)
{
	begin_array(json, "ranks");
	for (guint i = 0; i < ranks->len; i++)
		add_rank(json, reader, g_ptr_array_index(ranks, i));
	json_builder_end_array(json);
}

static void add_outputs(JsonBuilder *json, const char *name, const GPtrArray *outputs)
{
	begin_array(json, name);
	for (guint i = 0; i < outputs->len; i++) {
		gsize size;
		const char *data = g_bytes_get_data(g_ptr_array_index(outputs, i), &size);
		g_autofree char *text = g_utf8_make_valid(data ? data : "", (gssize)size);

		json_builder_add_string_value(json, text);
	}
	json_builder_end_array(json);
}

/* Each outcome, with the output of its first interleaving. */
static bool add_outcomes(JsonBuilder *json, struct store_reader *reader, const GPtrArray *outcomes,
                         GError **error)
{
	begin_array(json, "outcomes");
	for (guint i = 0; i < outcomes->len; i++) {
		const struct record_outcome *outcome = g_ptr_array_index(outcomes, i);
		g_autoptr(RecordExecution)
			execution = store_reader_execution(reader, outcome->execution, error);

		if (!execution)
			return false;
		json_builder_begin_object(json);
		add_number(json, "number", outcome->number);
		add_number(json, "count", (gint64)outcome->count);
		add_text(json, "path", outcome->path);
		if (outcome->place) {
			add_text(json, "where", outcome->place);
			add_text(json, "line", outcome->line);
			add_text(json, "instead_of", outcome->instead);
		}
		add_outputs(json, "output", execution->outputs);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
	return true;
}

static bool add_finding(JsonBuilder *json, struct store_reader *reader,
                        const struct record_finding *finding, GError **error)
{
	json_builder_begin_object(json);
	add_number(json, "id", finding->id);
	add_text(json, "kind", finding_kind_name(finding->kind));
	add_number(json, "count", (gint64)finding->together);
	add_bufferings(json, words_where(finding));
	add_text(json, "path", finding->path);
	add_text(json, "message", finding->message);
	add_flag(json, "replayed", finding->replayed);
	add_flag(json, "reproduced", finding->reproduced);
	if (finding->blame) {
		json_builder_set_member_name(json, "blame");
		add_choice(json, reader, finding->blame);
	}
	add_roll_call(json, reader, finding->ranks);
	if (finding->outcomes->len > 0 && !add_outcomes(json, reader, finding->outcomes, error))
		return false;
	for (guint i = 0; finding->variants && i < finding->variants->len; i++) {
		if (i == 0)
			begin_array(json, "variants");
		if (!add_finding(json, reader, finding->variants->pdata[i], error))
			return false;
	}
	if (finding->variants)
		json_builder_end_array(json);
	json_builder_end_object(json);
	return true;
}

static void add_matches(JsonBuilder *json, const GArray *matches)
{
	begin_array(json, "matches");
	for (guint i = 0; i < matches->len; i++) {
		const struct record_match *match = &g_array_index(matches, struct record_match, i);

		json_builder_begin_object(json);
		add_number(json, "rank", match->rank);
		add_number(json, "call", match->call);
		add_sub(json, "sub", match->sub);
		add_number(json, "source", match->source);
		add_number(json, "send_call", match->send_call);
		add_sub(json, "send_sub", match->send_sub);
		add_number(json, "tag", match->tag);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
}

static void add_returned(JsonBuilder *json, const struct record_call *call)
{
	g_auto(GStrv) indices = g_strsplit(call->indices, ",", -1);

	json_builder_begin_object(json);
	add_number(json, "rank", call->rank);
	add_number(json, "call", call->call);
	add_text(json, "function", call->function);
	add_place(json, &call->place);
	if (strcmp(call->indices, RECORD_UNDEFINED) == 0) {
		add_text(json, "returned", NULL);
		json_builder_end_object(json);
		return;
	}
	begin_array(json, "returned");
	for (char **index = indices; *index; index++)
		json_builder_add_int_value(json, g_ascii_strtoll(*index, NULL, 10));
	json_builder_end_array(json);
	json_builder_end_object(json);
}

/* What Waitany and its kin have returned; null: MPI_UNDEFINED. Without those that returned none. */
static void add_indices(JsonBuilder *json, const GArray *calls)
{
	bool any = false;

	for (guint i = 0; i < calls->len; i++) {
		const struct record_call *call = &g_array_index(calls, struct record_call, i);

		if (!call->indices || call->indices[0] == '\0')
			continue;
		if (!any)
			begin_array(json, "indices");
		any = true;
		add_returned(json, call);
	}
	if (any)
		json_builder_end_array(json);
}

/* Without what is not in a recording. */
static void add_recorded_run(JsonBuilder *json, const struct store_reader *reader,
                             const struct record_execution *execution)
{
	add_text(json, "status", finding_kind_name(execution->status));
	add_text(json, "recording", execution->path);
	add_matches(json, execution->matches);
	add_roll_call(json, reader, execution->ranks);
}

static void add_execution(JsonBuilder *json, const struct store_reader *reader,
                          const struct record_execution *execution)
{
	json_builder_begin_object(json);
	add_number(json, "id", execution->id);
	if (execution->status == FINDING_RECORDED) {
		add_recorded_run(json, reader, execution);
		json_builder_end_object(json);
		return;
	}
	add_text(json, "buffering", buffering_name(execution->buffering));
	add_text(json, "status", finding_kind_name(execution->status));
	begin_array(json, "findings");
	for (guint i = 0; i < execution->findings->len; i++)
		json_builder_add_int_value(json, g_array_index(execution->findings, uint32_t, i));
	json_builder_end_array(json);
	add_text(json, "path", execution->path);
	begin_array(json, "choices");
	for (guint i = 0; i < execution->choices->len; i++)
		add_choice(json, reader, g_ptr_array_index(execution->choices, i));
	json_builder_end_array(json);
	add_matches(json, execution->matches);
	add_indices(json, execution->calls);
	begin_array(json, "exit");
	for (guint i = 0; i < execution->exits->len; i++)
		json_builder_add_int_value(json, g_array_index(execution->exits, int32_t, i));
	json_builder_end_array(json);
	add_outputs(json, "output", execution->outputs);
	add_outputs(json, "errors", execution->errors);
	json_builder_end_object(json);
}

/* The built JSON as text; free with g_free. */
static char *print(JsonBuilder *json, bool pretty)
{
	g_autoptr(JsonGenerator) generator = json_generator_new();
	JsonNode *root = json_builder_get_root(json);
	char *text;

	json_generator_set_root(generator, root);
	json_generator_set_pretty(generator, pretty);
	text = json_generator_to_data(generator, NULL);
	json_node_unref(root);
	return text;
}

/* What the number of interleavings is. */
static const char *counted_words(enum record_counts counts)
{
	switch (counts) {
	case RECORD_COUNTS_STATES: return "all";
	case RECORD_COUNTS_SOME: return "at least";
	default: return "executions";
	}
}

static void add_search(JsonBuilder *json, const struct record_exploration *exploration)
{
	if (!exploration->random && exploration->states == 0)
		return;
	json_builder_set_member_name(json, "search");
	json_builder_begin_object(json);
	if (exploration->states > 0) {
		add_text(json, "kind", "states");
		add_number(json, "states", (gint64)exploration->states);
		add_number(json, "merged", (gint64)exploration->merged);
		add_text(json, "counted", counted_words(exploration->counts));
		json_builder_end_object(json);
		return;
	}
	add_text(json, "kind", "random");
	add_number(json, "seed", (gint64)exploration->seed);
	add_number(json, "runs", (gint64)exploration->runs);
	json_builder_end_object(json);
}

static void add_shard(JsonBuilder *json, const struct record_exploration *exploration)
{
	if (exploration->shard > 0) {
		json_builder_set_member_name(json, "shard");
		json_builder_begin_object(json);
		add_number(json, "index", exploration->shard);
		add_number(json, "count", exploration->shards);
		json_builder_end_object(json);
	} else if (exploration->shards > 0) {
		add_number(json, "shards", exploration->shards);
	}
}

/* An array of {"limit": its name, "text": ..., "option": what lifts it, if anything does}. */
static void add_limits(JsonBuilder *json, const char *name, const GPtrArray *limits,
                       enum limit_class class)
{
	begin_array(json, name);
	for (guint i = 0; i < limits->len; i++) {
		const struct record_limit *limit = g_ptr_array_index(limits, i);
		const struct limit_info *info = limit_info(limit->limit);

		if (info->class != class)
			continue;
		json_builder_begin_object(json);
		add_text(json, "limit", info->name);
		add_text(json, "text", limit->text);
		if (info->lifted_by) {
			g_autofree char *option = g_strdup_printf("--%s", info->lifted_by);

			add_text(json, "option", option);
		}
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
}

/* How it was explored, and at which cost. */
static void add_course(JsonBuilder *json, const struct record_exploration *exploration)
{
	add_search(json, exploration);
	add_shard(json, exploration);
	add_bufferings(json, exploration->bufferings);
	add_text(json, "collectives", exploration->collectives);
	add_number(json, "interleavings", (gint64)exploration->interleavings);
	add_number(json, "wasted", (gint64)exploration->wasted);
	json_builder_set_member_name(json, "seconds");
	json_builder_add_double_value(json, exploration->seconds);
	add_text(json, "backtrack", exploration->backtrack);
	if (exploration->backtrack_reason)
		add_text(json, "backtrack_reason", exploration->backtrack_reason);
}

static void add_words(JsonBuilder *json, const char *name, char *const *words, guint length)
{
	begin_array(json, name);
	for (guint i = 0; i < length; i++) {
		g_autofree char *text = g_utf8_make_valid(words[i], -1);

		json_builder_add_string_value(json, text);
	}
	json_builder_end_array(json);
}

/* If there are several: which ranks run which one. */
static void add_programs(JsonBuilder *json, const struct record_exploration *exploration)
{
	g_autoptr(GArray) parts = record_programs(exploration);

	if (!parts)
		return;
	begin_array(json, "programs");
	for (guint i = 0; i < parts->len; i++) {
		const struct program_part *part = &g_array_index(parts, struct program_part, i);

		json_builder_begin_object(json);
		add_number(json, "first_rank", part->first);
		add_number(json, "ranks", part->ranks);
		add_words(json, "program", part->words, part->length);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
}

/* Of a job with several worlds: the name of each rank. */
static void add_rank_names(JsonBuilder *json, const struct record_exploration *exploration)
{
	if (!rank_names_divide())
		return;
	begin_array(json, "rank_names");
	for (int32_t rank = 0; rank < exploration->ranks; rank++)
		json_builder_add_string_value(json, rank_name(rank));
	json_builder_end_array(json);
}

static void add_exploration(JsonBuilder *json, const struct record_exploration *exploration)
{
	add_number(json, "version", 1);
	add_words(json, "program", exploration->program, g_strv_length(exploration->program));
	if (exploration->standard_input) {
		g_autofree char *text = g_utf8_make_valid(exploration->standard_input, -1);

		add_text(json, "stdin", text);
	}
	if (exploration->launcher)
		add_text(json, "launcher", exploration->launcher);
	add_number(json, "ranks", exploration->ranks);
	add_programs(json, exploration);
	add_rank_names(json, exploration);
	if (exploration->nodes)
		add_text(json, "nodes", exploration->nodes);
	add_flag(json, "complete", exploration->complete);
	if (!exploration->complete)
		add_text(json, "incomplete_reason", exploration->incomplete_reason);
	if (!words_is_recording(exploration))
		add_course(json, exploration);
	add_text(json, "matchpoint", exploration->version);
	if (!words_is_recording(exploration))
		add_text(json, "mpi", exploration->mpi);
	add_limits(json, "not_explored", exploration->limits, LIMIT_NOT_EXPLORED);
	add_limits(json, "not_checked", exploration->limits, LIMIT_NOT_CHECKED);
	begin_array(json, "notes");
	for (guint i = 0; i < exploration->limits->len; i++) {
		const struct record_limit *limit = g_ptr_array_index(exploration->limits, i);

		json_builder_add_string_value(json, limit->text);
	}
	for (guint i = 0; i < exploration->notes->len; i++)
		json_builder_add_string_value(json, g_ptr_array_index(exploration->notes, i));
	json_builder_end_array(json);
}

static void add_covered_point(JsonBuilder *json, const struct choice_coverage_point *point)
{
	json_builder_begin_object(json);
	add_number(json, "rank", point->point.rank);
	add_number(json, "call", point->call);
	add_sub(json, "sub", point->point.sub);
	if (point->point.kind == POINT_LOCK) {
		add_number(json, "window", point->point.window);
		add_number(json, "window_first", point->point.first);
		add_number(json, "grant", point->call);
	}
	begin_array(json, "alternatives");
	for (guint i = 0; i < point->alternatives->len; i++) {
		const struct choice_coverage_alternative *one = point->alternatives->pdata[i];

		json_builder_begin_object(json);
		if (one->answer)
			add_text(json, "answer", one->answer);
		else
			add_number(json, "source", one->source);
		add_flag(json, "taken", one->taken);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
	json_builder_end_object(json);
}

static void add_coverage(JsonBuilder *json, const struct choice_coverage *coverage)
{
	g_autoptr(GPtrArray) places = choice_coverage_places(coverage);

	begin_array(json, "choice_coverage");
	for (guint i = 0; i < places->len; i++) {
		const struct choice_coverage_place *place = places->pdata[i];

		json_builder_begin_object(json);
		add_text(json, "function", place->function);
		add_place(json, &place->place);
		if (place->callers->len > 0) {
			begin_array(json, "callers");
			for (guint j = 0; j < place->callers->len; j++)
				add_frame(json, place->callers->pdata[j]);
			json_builder_end_array(json);
		}
		add_number(json, "calls", place->points->len);
		add_number(json, "calls_covered", place->done);
		add_number(json, "alternatives", place->known);
		add_number(json, "alternatives_taken", place->taken);
		begin_array(json, "points");
		for (guint j = 0; j < place->points->len; j++)
			add_covered_point(json, place->points->pdata[j]);
		json_builder_end_array(json);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
}

static bool note_choices(const struct record_execution *execution, void *coverage, GError **error)
{
	(void)error;
	choice_coverage_add(coverage, execution->choices);
	return true;
}

static bool note_stack(const struct record_stack *stands, GArray *frames, void *coverage,
                       GError **error)
{
	(void)error;
	choice_coverage_add_stack(coverage, stands->rank, stands->call, frames);
	return true;
}

/* For an incomplete exploration: which alternatives were taken at which points. A complete
 * exploration has taken all. */
static bool add_choice_coverage(JsonBuilder *json, struct store_reader *reader, GError **error)
{
	struct choice_coverage *coverage;
	bool good;

	if (store_reader_exploration(reader)->complete
	    || words_is_recording(store_reader_exploration(reader)))
		return true;
	coverage = choice_coverage_new();
	good = store_reader_each(reader, false, note_choices, coverage, error)
	       && store_reader_each_stack(reader, note_stack, coverage, error);
	if (good)
		add_coverage(json, coverage);
	choice_coverage_free(coverage);
	return good;
}

struct output {
	const struct store_reader *reader;
	FILE *file;
	bool first;
};

static bool write_execution(const struct record_execution *execution, void *data, GError **error)
{
	struct output *output = data;
	g_autoptr(JsonBuilder) json = json_builder_new();
	g_autofree char *text = NULL;

	(void)error;
	add_execution(json, output->reader, execution);
	text = print(json, false);
	fprintf(output->file, "%s\n    %s", output->first ? "" : ",", text);
	output->first = false;
	return true;
}

/* The executions are written one by one after the rest, so that memory does not grow with the
 * store. The closing brace of the object is removed first and written again at the end. */
static bool json_write(struct store_reader *reader, const struct report_options *options, FILE *out,
                       GError **error)
{
	const GPtrArray *findings = store_reader_mistakes(reader);
	uint64_t all = store_reader_count(reader);
	bool with_findings_only = all > EXECUTIONS_MAX && !options->all_executions;
	g_autoptr(JsonBuilder) json = json_builder_new();
	g_autofree char *text = NULL;
	struct output output = {reader, out, true};
	bool good;

	json_builder_begin_object(json);
	add_exploration(json, store_reader_exploration(reader));
	if (with_findings_only)
		add_number(json, "executions_omitted",
		           (gint64)(all - store_reader_executions_with_findings(reader)));
	begin_array(json, "findings");
	for (guint i = 0; i < findings->len; i++) {
		if (!add_finding(json, reader, g_ptr_array_index(findings, i), error))
			return false;
	}
	json_builder_end_array(json);
	if (!add_choice_coverage(json, reader, error))
		return false;
	json_builder_end_object(json);
	text = print(json, true);
	g_assert(g_str_has_suffix(text, "\n}"));
	text[strlen(text) - strlen("\n}")] = '\0';
	fprintf(out, "%s,\n  \"executions\" : [", text);
	good = store_reader_each(reader, with_findings_only, write_execution, &output, error);
	fputs("\n  ]\n}\n", out);
	return good;
}

const struct report report_json = {
	.name = "json",
	.summary = "everything as JSON, for scripts; - for standard output",
	.shows_recordings = true,
	.write = json_write,
};
