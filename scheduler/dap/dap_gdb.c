/* gdb's answers and news. */
#include <string.h>

#include "dap_internal.h"

enum { ANSWER_SECONDS = 60 };

/* --- hearing ---------------------------------------------------------------------------------- */

static void take_record(struct dap *dap, struct mi_record *record)
{
	if (record->kind == MI_RESULT && record->token >= 0 && record->token == dap->awaited) {
		dap->answer = *record;
		dap->awaited = -1;
		dap->is_answered = true;
		return;
	}
	if (record->kind == MI_EXEC)
		dap->is_running = g_str_equal(record->text, "running");
	if (record->kind >= MI_CONSOLE && dap->told)
		g_string_append(dap->told, record->text);
	else if (record->kind != MI_PROMPT && record->kind != MI_RESULT) {
		g_queue_push_tail(&dap->news, g_memdup2(record, sizeof *record));
		return;
	}
	mi_record_clear(record);
}

void dap_hear(struct dap *dap)
{
	struct mi_record record;

	driven_gdb_receive(dap->gdb);
	while (driven_gdb_take(dap->gdb, &record))
		take_record(dap, &record);
}

/* --- asking ----------------------------------------------------------------------------------- */

static bool wait_for_answer(struct dap *dap, GError **error)
{
	const gint64 deadline = g_get_monotonic_time() + ANSWER_SECONDS * G_USEC_PER_SEC;

	while (!dap->is_answered) {
		const gint64 left = (deadline - g_get_monotonic_time()) / 1000;

		if (driven_gdb_is_lost(dap->gdb))
			return dap_refuse(error, "gdb has ended");
		if (dap->is_over)
			return dap_refuse(error, "the session ends");
		if (left <= 0)
			return dap_refuse(error, "gdb has not answered for %d s", ANSWER_SECONDS);
		dap_pump(dap, (int)left);
	}
	return true;
}

/* Takes over the command. */
static JsonObject *ask(struct dap *dap, GError **error, char *command)
{
	g_autoptr(JsonObject) results = NULL;
	g_autofree char *sent = command, *class = NULL;
	const char *message;

	if (!dap->gdb)
		return dap_refuse(error, "gdb has ended");
	dap->is_answered = false;
	dap->awaited = driven_gdb_send(dap->gdb, sent);
	if (!wait_for_answer(dap, error)) {
		dap->awaited = -1;
		return NULL;
	}
	class = dap->answer.text;
	results = dap->answer.results;
	if (!g_str_equal(class, "error"))
		return g_steal_pointer(&results);
	message = field_text(results, "msg");
	return dap_refuse(error, "%s", message ? message : "gdb does not say why it refuses");
}

JsonObject *dap_ask(struct dap *dap, GError **error, const char *format, ...)
{
	va_list arguments;
	char *command;

	va_start(arguments, format);
	command = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return ask(dap, error, command);
}

bool dap_order(struct dap *dap, GError **error, const char *format, ...)
{
	g_autoptr(JsonObject) results = NULL;
	va_list arguments;
	char *command;

	va_start(arguments, format);
	command = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	results = ask(dap, error, command);
	return results != NULL;
}

char *dap_console(struct dap *dap, gint64 frame, const char *line, GError **error)
{
	g_autofree char *quoted = mi_quote(line), *options = dap_frame_options(frame);
	GString *told = g_string_new(NULL);
	bool is_done;

	dap->told = told;
	is_done = dap_order(dap, error, "-interpreter-exec%s console %s", options, quoted);
	dap->told = NULL;
	return g_string_free(told, !is_done);
}

/* --- telling ---------------------------------------------------------------------------------- */

/* Warnings alone: the rest of gdb's log are commands, and errors that were answers. What the room
 * backwards/ refuses comes in a wrapping of gdb's. */
static void tell_log(struct dap *dap, const char *text)
{
	static const char refused[] = "warning: Remote failure reply: E.";

	if (g_str_has_prefix(text, refused))
		dap_say(dap, "console", text + strlen(refused));
	else if (g_str_has_prefix(text, "warning:"))
		dap_say(dap, "console", text);
}

static void tell_record(struct dap *dap, const struct mi_record *record)
{
	if (record->kind == MI_TARGET) {
		dap_say(dap, "console", record->text);
	} else if (record->kind == MI_LOG) {
		tell_log(dap, record->text);
	} else if (record->kind == MI_EXEC && g_str_equal(record->text, "running")) {
		dap_began_running(dap);
	} else if (record->kind == MI_EXEC && g_str_equal(record->text, "stopped")) {
		dap_stopped(dap, record->results);
	} else if (record->kind == MI_NOTIFY && g_str_equal(record->text, "breakpoint-modified")) {
		dap_breakpoint_changed(dap, record->results);
	} else if (record->kind == MI_NOTIFY && g_str_equal(record->text, "thread-group-exited")) {
		dap_end_gdb(dap);
	}
}

/* What matchpoint itself has to say. */
static void tell_errors(struct dap *dap)
{
	char *line;

	while ((line = driven_gdb_take_error(dap->gdb))) {
		g_autofree char *whole = g_strdup_printf("%s\n", line);

		dap_say(dap, "console", whole);
		g_free(line);
	}
}

void dap_tell(struct dap *dap)
{
	struct mi_record *record;

	while ((record = g_queue_pop_head(&dap->news))) {
		tell_record(dap, record);
		mi_record_free(record);
	}
	if (dap->gdb)
		tell_errors(dap);
}

void dap_end_gdb(struct dap *dap)
{
	JsonObject *body;
	int status;

	if (!dap->gdb)
		return;
	dap_tell(dap);
	dap_output_follow(dap);
	status = driven_gdb_end(g_steal_pointer(&dap->gdb));
	dap->is_running = false;
	g_queue_clear_full(&dap->news, (GDestroyNotify)mi_record_free);
	body = json_object_new();
	json_object_set_int_member(body, "exitCode", status);
	dap_event(dap, "exited", body);
	dap_event(dap, "terminated", NULL);
}
