/* Moving forwards and backwards, and why the rank has stopped. */
#include <string.h>

#include "dap_internal.h"

enum { HOLD_SECONDS = 20 };

/* --- moving ----------------------------------------------------------------------------------- */

bool dap_move(struct dap *dap, const char *command, bool backwards, GError **error)
{
	const bool is_entering = dap->motion.is_entering;

	dap->motion = (struct dap_motion){.command = command,
	                                  .backwards = backwards,
	                                  .is_ours = true,
	                                  .is_entering = is_entering};
	dap->is_running = true; /* gdb may have said more than its answer when that is read */
	if (dap_order(dap, error, "%s%s", command, backwards ? " --reverse" : ""))
		return true;
	dap->is_running = false;
	dap->motion.is_ours = false;
	return false;
}

static JsonObject *move(struct dap *dap, const char *command, bool backwards, GError **error)
{
	return dap_move(dap, command, backwards, error) ? json_object_new() : NULL;
}

static bool is_by_instruction(JsonObject *arguments)
{
	return g_strcmp0(field_text(arguments, "granularity"), "instruction") == 0;
}

JsonObject *dap_continue(struct dap *dap, JsonObject *arguments, GError **error)
{
	(void)arguments;
	return move(dap, "-exec-continue", false, error);
}

JsonObject *dap_reverse_continue(struct dap *dap, JsonObject *arguments, GError **error)
{
	(void)arguments;
	return move(dap, "-exec-continue", true, error);
}

JsonObject *dap_next(struct dap *dap, JsonObject *arguments, GError **error)
{
	return move(dap, is_by_instruction(arguments) ? "-exec-next-instruction" : "-exec-next",
	            false, error);
}

JsonObject *dap_step_in(struct dap *dap, JsonObject *arguments, GError **error)
{
	return move(dap, is_by_instruction(arguments) ? "-exec-step-instruction" : "-exec-step",
	            false, error);
}

/* Whatever frame the user has selected in gdb's console. */
JsonObject *dap_step_out(struct dap *dap, JsonObject *arguments, GError **error)
{
	(void)arguments;
	dap_order(dap, NULL, "-stack-select-frame 0");
	return move(dap, "-exec-finish", false, error);
}

/* Over calls: into the first call of a function it would lead to the dynamic linker. */
JsonObject *dap_step_back(struct dap *dap, JsonObject *arguments, GError **error)
{
	return move(dap, is_by_instruction(arguments) ? "-exec-step-instruction" : "-exec-next",
	            true, error);
}

JsonObject *dap_pause(struct dap *dap, JsonObject *arguments, GError **error)
{
	(void)arguments;
	if (!dap->is_running)
		return json_object_new();
	dap->motion.is_paused = true;
	return dap_order(dap, error, "-exec-interrupt") ? json_object_new() : NULL;
}

/* --- holding ---------------------------------------------------------------------------------- */

static bool is_interruption(JsonObject *results)
{
	return g_strcmp0(field_text(results, "signal-name"), "SIGINT") == 0;
}

/* Takes the stop that the interruption has made out of the news. Any other stays. */
static bool take_interruption(struct dap *dap)
{
	for (GList *link = dap->news.head; link; link = link->next) {
		struct mi_record *record = link->data;

		if (record->kind != MI_EXEC || !g_str_equal(record->text, "stopped")
		    || !is_interruption(record->results))
			continue;
		g_queue_delete_link(&dap->news, link);
		mi_record_free(record);
		return true;
	}
	return false;
}

bool dap_hold(struct dap *dap, bool *ret_was_running, GError **error)
{
	const gint64 deadline = g_get_monotonic_time() + HOLD_SECONDS * G_USEC_PER_SEC;

	*ret_was_running = false;
	if (!dap->is_running)
		return true;
	dap_order(dap, NULL, "-exec-interrupt"); /* refused if it stops just now */
	while (dap->is_running && !dap->is_over && !driven_gdb_is_lost(dap->gdb)) {
		const gint64 left = (deadline - g_get_monotonic_time()) / 1000;

		if (left <= 0)
			break;
		dap_pump(dap, (int)left);
	}
	if (dap->is_running || dap->is_over || driven_gdb_is_lost(dap->gdb)) {
		dap_refuse(error, "the rank did not stop; pause it first");
		return false;
	}
	/* A step that was interrupted cannot go on: then the stop is shown. */
	*ret_was_running = g_strcmp0(dap->motion.command, "-exec-continue") == 0
	                   && !dap->motion.is_paused && take_interruption(dap);
	return true;
}

void dap_release(struct dap *dap, bool was_running)
{
	g_autoptr(GError) error = NULL;

	if (was_running && !dap_move(dap, dap->motion.command, dap->motion.backwards, &error))
		dap_say(dap, "console", error->message);
}

/* --- what gdb reports ------------------------------------------------------------------------- */

void dap_began_running(struct dap *dap)
{
	JsonObject *body;

	dap_variables_forget(dap);
	g_clear_pointer(&dap->stop, json_object_unref);
	if (dap->motion.is_ours)
		return;
	body = json_object_new();
	json_object_set_int_member(body, "threadId", 1);
	json_object_set_boolean_member(body, "allThreadsContinued", true);
	dap_event(dap, "continued", body);
}

/* The number of the breakpoint or watchpoint that was met; 0: none. */
static gint64 hit_number(JsonObject *results)
{
	static const char *const watchpoints[] = {"wpt", "hw-rwpt", "hw-awpt"};
	gint64 number = field_number(results, "bkptno", 0);

	for (gsize i = 0; i < G_N_ELEMENTS(watchpoints) && number == 0; i++)
		number = field_number(field_object(results, watchpoints[i]), "number", 0);
	return number;
}

/* At main, by the breakpoint that was set for it. */
static bool is_entry(const struct dap *dap, JsonObject *results)
{
	return dap->motion.is_entering && g_strcmp0(field_text(results, "disp"), "del") == 0;
}

static bool ends_with_rank(const char *reason)
{
	return reason && g_str_has_prefix(reason, "exited");
}

/* gdb 13 reports no reason where the history begins or ends. */
static const char *edge_of(const struct dap *dap)
{
	if (!dap->motion.command)
		return "The recorded history begins or ends here";
	return dap->motion.backwards ? "The recorded history begins here"
	                             : "The recorded history ends here";
}

/* What the client shows of the stop: the protocol's reason, and a description (free with g_free;
 * NULL: the reason is enough). */
static const char *reason_of(struct dap *dap, JsonObject *results, char **ret_description)
{
	const char *reason = field_text(results, "reason");
	const char *signal = field_text(results, "signal-name");
	const char *meaning = field_text(results, "signal-meaning");

	*ret_description = NULL;
	if (is_entry(dap, results))
		return "entry";
	if (hit_number(results) > 0)
		return dap_breakpoint_reason(dap, hit_number(results),
		                             field_text(results, "bkptno") ? "breakpoint"
		                                                           : "data breakpoint");
	if (!reason || g_str_equal(reason, "no-history")) {
		*ret_description = g_strdup(edge_of(dap));
		return "pause";
	}
	if (!g_str_equal(reason, "signal-received"))
		return "step";
	if (is_interruption(results) || !signal || g_str_equal(signal, "0"))
		return "pause";
	*ret_description = g_strdup_printf("%s (%s)", signal, meaning ? meaning : "signal");
	return "exception";
}

/* What a watchpoint has seen, in the order of the program, which gdb tells in that of the motion.
 * NULL: there is none; free with g_free. */
static char *values_of(const struct dap *dap, JsonObject *results)
{
	JsonObject *values = field_object(results, "value");
	const char *old = field_text(values, "old"), *new = field_text(values, "new");

	if (old && new && !dap->motion.command)
		return g_strdup_printf("old value: %s; new value: %s", old, new);
	if (old && new)
		return g_strdup_printf("before the write: %s; after it: %s",
		                       dap->motion.backwards ? new : old,
		                       dap->motion.backwards ? old : new);
	old = field_text(values, "value");
	return old ? g_strdup_printf("value: %s", old) : NULL;
}

static void tell_stop(struct dap *dap, JsonObject *results)
{
	JsonObject *body = json_object_new();
	g_autofree char *description = NULL, *values = values_of(dap, results), *line = NULL;
	const char *reason = reason_of(dap, results, &description);
	const gint64 number = hit_number(results);

	json_object_set_string_member(body, "reason", reason);
	if (description)
		json_object_set_string_member(body, "description", description);
	if (values || description)
		json_object_set_string_member(body, "text", values ? values : description);
	json_object_set_int_member(body, "threadId", field_number(results, "thread-id", 1));
	json_object_set_boolean_member(body, "allThreadsStopped", true);
	if (number > 0 && !is_entry(dap, results)) {
		JsonArray *numbers = json_array_new();

		json_array_add_int_element(numbers, number);
		json_object_set_array_member(body, "hitBreakpointIds", numbers);
	}
	if (values || description) {
		line = g_strdup_printf("%s\n", values ? values : description);
		dap_say(dap, "console", line);
	}
	dap_event(dap, "stopped", body);
}

void dap_show_entry(struct dap *dap)
{
	JsonObject *body = json_object_new();

	json_object_set_string_member(body, "reason", "entry");
	json_object_set_int_member(body, "threadId", 1);
	json_object_set_boolean_member(body, "allThreadsStopped", true);
	dap_event(dap, "stopped", body);
}

/* Before the launch is complete, the client is told of no stop. */
void dap_stopped(struct dap *dap, JsonObject *results)
{
	dap_output_follow(dap);
	if (ends_with_rank(field_text(results, "reason"))) {
		dap_end_gdb(dap);
		return;
	}
	g_clear_pointer(&dap->stop, json_object_unref);
	dap->stop = json_object_ref(results);
	if (dap->is_configured)
		tell_stop(dap, results);
	dap->motion = (struct dap_motion){.command = NULL};
}

JsonObject *dap_exception_info(struct dap *dap, JsonObject *arguments, GError **error)
{
	const char *signal = field_text(dap->stop, "signal-name");
	const char *meaning = field_text(dap->stop, "signal-meaning");
	JsonObject *body;

	(void)arguments;
	if (!signal)
		return dap_refuse(error, "the rank has not stopped at a signal");
	body = json_object_new();
	json_object_set_string_member(body, "exceptionId", signal);
	json_object_set_string_member(body, "description", meaning ? meaning : signal);
	json_object_set_string_member(body, "breakMode", "always");
	return body;
}
