/* The beginning and the end of a session. */
#include <string.h>

#include "dap_internal.h"

/* --- initialize ------------------------------------------------------------------------------- */

static JsonObject *capabilities(void)
{
	static const char *const able[] = {
		"supportsConfigurationDoneRequest",
		"supportsStepBack",
		"supportsConditionalBreakpoints",
		"supportsHitConditionalBreakpoints",
		"supportsFunctionBreakpoints",
		"supportsDataBreakpoints",
		"supportsInstructionBreakpoints",
		"supportsEvaluateForHovers",
		"supportsSetVariable",
		"supportsSetExpression",
		"supportsSteppingGranularity",
		"supportsTerminateRequest",
		"supportsExceptionInfoRequest",
		"supportsDisassembleRequest",
		"supportsCompletionsRequest",
		"supportsDelayedStackTraceLoading",
	};
	JsonObject *body = json_object_new();

	for (gsize i = 0; i < G_N_ELEMENTS(able); i++)
		json_object_set_boolean_member(body, able[i], true);
	return body;
}

JsonObject *dap_initialize(struct dap *dap, JsonObject *arguments, GError **error)
{
	const char *format = field_text(arguments, "pathFormat");

	if (format && !g_str_equal(format, "path"))
		return dap_refuse(error, "initialize: pathFormat is '%s'; only 'path' is known",
		                  format);
	dap->first_line = field_flag(arguments, "linesStartAt1", true);
	dap->first_column = field_flag(arguments, "columnsStartAt1", true);
	dap->knows_invalidated = field_flag(arguments, "supportsInvalidatedEvent", false);
	return capabilities();
}

/* --- launch ----------------------------------------------------------------------------------- */

/* gdb's arguments as given; NULL with `error` set if they are no texts. */
static char **read_arguments(JsonObject *arguments, GError **error)
{
	JsonArray *given = field_array(arguments, "gdbArguments");
	g_autoptr(GStrvBuilder) words = g_strv_builder_new();

	for (guint i = 0; i < array_length(given); i++) {
		const char *word = array_text(given, i);

		if (!word)
			return dap_refuse(error, "launch: gdbArguments has something that is no "
			                         "text");
		g_strv_builder_add(words, word);
	}
	if (json_object_has_member(arguments, "gdbArguments") && !given)
		return dap_refuse(error, "launch: gdbArguments is no list of texts");
	return g_strv_builder_end(words);
}

/* The folder of the recording; free with g_free. NULL with `error` set: none is given. */
static char *read_directory(JsonObject *arguments, GError **error)
{
	const char *recording = field_text(arguments, "recording");
	const char *folder = field_text(arguments, "cwd");

	if (!recording || !*recording)
		return dap_refuse(error, "launch: \"recording\" is missing, the folder that "
		                         "matchpoint record has written");
	return g_canonicalize_filename(recording, folder && *folder ? folder : NULL);
}

/* Folders where the sources are now, by the ones where they were. */
static bool map_sources(struct dap *dap, JsonObject *map, GError **error)
{
	JsonObjectIter iter;
	const char *from;
	JsonNode *node;

	if (!map)
		return true;
	json_object_iter_init(&iter, map);
	while (json_object_iter_next(&iter, &from, &node)) {
		const char *to = field_text(map, from);
		g_autofree char *quoted_from = NULL, *quoted_to = NULL, *line = NULL,
				*quoted = NULL;

		if (!to) {
			dap_refuse(error, "launch: sourceMap: the folder for %s is no text", from);
			return false;
		}
		quoted_from = g_shell_quote(from);
		quoted_to = g_shell_quote(to);
		line = g_strdup_printf("set substitute-path %s %s", quoted_from, quoted_to);
		quoted = mi_quote(line);
		if (!dap_order(dap, error, "-interpreter-exec console %s", quoted))
			return false;
	}
	return true;
}

/* Why no rank is there: the last that matchpoint has printed. */
static void explain(struct dap *dap, GError **error)
{
	g_autofree char *last = NULL;
	char *line;

	driven_gdb_receive(dap->gdb);
	while ((line = driven_gdb_take_error(dap->gdb))) {
		g_free(last);
		last = line;
	}
	if (last) {
		g_clear_error(error);
		dap_refuse(error, "launch: %s", last);
	} else {
		g_prefix_error(error, "launch: ");
	}
}

/* Until gdb can be asked, it has connected to the rank. */
static bool connect_gdb(struct dap *dap, JsonObject *arguments, GError **error)
{
	g_autoptr(JsonObject) threads = NULL;

	if (!dap_order(dap, error, "-enable-pretty-printing")
	    || !map_sources(dap, field_object(arguments, "sourceMap"), error))
		return false;
	threads = dap_ask(dap, error, "-thread-info");
	if (threads && array_length(field_array(threads, "threads")) == 0)
		dap_refuse(error, "gdb could not connect to the rank");
	return threads && array_length(field_array(threads, "threads")) > 0;
}

/* Also where nothing was launched. */
static void drop_gdb(struct dap *dap)
{
	driven_gdb_end(g_steal_pointer(&dap->gdb));
	dap->is_running = false;
	g_queue_clear_full(&dap->news, (GDestroyNotify)mi_record_free);
}

static bool start(struct dap *dap, JsonObject *arguments, GError **error)
{
	g_auto(GStrv) more = read_arguments(arguments, error);
	struct driven_gdb_options options = {
		.directory = dap->directory, .rank = dap->rank, .arguments = more};

	if (!more)
		return false;
	dap->gdb = driven_gdb_start(&options, error);
	if (!dap->gdb)
		return false;
	if (connect_gdb(dap, arguments, error))
		return true;
	explain(dap, error);
	drop_gdb(dap);
	return false;
}

JsonObject *dap_launch(struct dap *dap, JsonObject *arguments, GError **error)
{
	const gint64 rank = field_number(arguments, "rank", -1);

	if (dap->gdb)
		return dap_refuse(error, "launch: a rank is there already");
	if (rank < 0 || rank > G_MAXINT)
		return dap_refuse(error, "launch: \"rank\" is missing, or no number of a rank");
	g_clear_pointer(&dap->directory, g_free);
	dap->directory = read_directory(arguments, error);
	dap->rank = (int)rank;
	if (!dap->directory || !start(dap, arguments, error))
		return NULL;
	dap->is_launched = true;
	dap->stops_on_entry = field_flag(arguments, "stopOnEntry", false);
	dap_output_free(dap->output);
	dap->output = dap_output_new(dap->directory, dap->rank);
	dap_event(dap, "initialized", NULL);
	return json_object_new();
}

/* --- configurationDone ------------------------------------------------------------------------ */

/* The rank stands before its first instruction. Users expect main; Fortran's is MAIN__. */
static bool enter(struct dap *dap, GError **error)
{
	if (dap_order(dap, NULL, "-break-insert -t MAIN__")
	    || dap_order(dap, NULL, "-break-insert -t main"))
		dap->motion.is_entering = true;
	if (dap->motion.is_entering)
		return dap_move(dap, "-exec-continue", false, error);
	dap_show_entry(dap);
	return true;
}

JsonObject *dap_configuration_done(struct dap *dap, JsonObject *arguments, GError **error)
{
	(void)arguments;
	if (dap->is_configured)
		return dap_refuse(error, "configurationDone comes once");
	dap->is_configured = true;
	if (!(dap->stops_on_entry ? enter(dap, error)
	                          : dap_move(dap, "-exec-continue", false, error)))
		return NULL;
	return json_object_new();
}

/* --- the end ---------------------------------------------------------------------------------- */

JsonObject *dap_terminate(struct dap *dap, JsonObject *arguments, GError **error)
{
	(void)arguments;
	(void)error;
	dap_end_gdb(dap);
	return json_object_new();
}

JsonObject *dap_disconnect(struct dap *dap, JsonObject *arguments, GError **error)
{
	(void)arguments;
	(void)error;
	dap_end_gdb(dap);
	dap->is_over = true;
	return json_object_new();
}
