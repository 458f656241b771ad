/* Expressions and commands of gdb; values that the user changes; values that are watched. */
#include <string.h>

#include "dap_internal.h"

/* --- evaluate --------------------------------------------------------------------------------- */

static JsonObject *show_text(const char *text)
{
	JsonObject *body = json_object_new();

	json_object_set_string_member(body, "result", text);
	json_object_set_int_member(body, "variablesReference", 0);
	return body;
}

static JsonObject *evaluate_expression(struct dap *dap, gint64 frame, const char *expression,
                                       GError **error)
{
	g_autoptr(JsonObject) object = dap_variable_make(dap, frame, expression, error);
	g_autofree char *value = NULL;
	JsonObject *body;

	if (!object)
		return NULL;
	value = dap_variable_value(dap, frame, object);
	body = json_object_new();
	json_object_set_string_member(body, "result", value);
	if (field_text(object, "type"))
		json_object_set_string_member(body, "type", field_text(object, "type"));
	json_object_set_int_member(body, "variablesReference",
	                           dap_variable_reference(dap, frame, object));
	return body;
}

/* A command of gdb's; what is none, is an expression. */
static JsonObject *evaluate_line(struct dap *dap, gint64 frame, const char *line, GError **error)
{
	g_autoptr(GError) refused = NULL;
	g_autofree char *told = dap_console(dap, frame, line, &refused);
	JsonObject *body;

	if (told) {
		if (!dap->is_running)
			dap_variables_refresh(dap);
		return show_text(g_strchomp(told));
	}
	body = g_str_has_prefix(refused->message, "Undefined command")
	               ? evaluate_expression(dap, frame, line, error)
	               : NULL;
	if (!body && error && !*error)
		*error = g_steal_pointer(&refused);
	return body;
}

JsonObject *dap_evaluate(struct dap *dap, JsonObject *arguments, GError **error)
{
	const char *expression = field_text(arguments, "expression");
	const gint64 frame = field_number(arguments, "frameId", 0);

	if (!expression || !*expression)
		return dap_refuse(error, "evaluate: there is no expression");
	return g_strcmp0(field_text(arguments, "context"), "repl") == 0
	               ? evaluate_line(dap, frame, expression, error)
	               : evaluate_expression(dap, frame, expression, error);
}

/* --- completions ------------------------------------------------------------------------------ */

/* gdb completes whole lines: each takes the place of what stands before the cursor. */
JsonObject *dap_completions(struct dap *dap, JsonObject *arguments, GError **error)
{
	const char *text = field_text(arguments, "text");
	const gint64 most = text ? g_utf8_strlen(text, -1) : 0;
	const gint64 column = CLAMP(field_number(arguments, "column", 0), 0, G_MAXINT);
	const gint64 before = CLAMP(column - dap->first_column, 0, most);
	g_autofree char *line = text ? g_utf8_substring(text, 0, before) : NULL;
	g_autofree char *quoted = line ? mi_quote(line) : NULL;
	g_autoptr(JsonObject) results = NULL;
	JsonArray *matches, *targets;
	JsonObject *body;

	if (!text)
		return dap_refuse(error, "completions: there is no text");
	results = dap_ask(dap, error, "-complete %s", quoted);
	if (!results)
		return NULL;
	matches = field_array(results, "matches");
	targets = json_array_new();
	for (guint i = 0; i < array_length(matches); i++) {
		JsonObject *target = json_object_new();

		json_object_set_string_member(target, "label", array_text(matches, i));
		json_object_set_int_member(target, "start", dap->first_column);
		json_object_set_int_member(target, "length", before);
		json_array_add_object_element(targets, target);
	}
	body = json_object_new();
	json_object_set_array_member(body, "targets", targets);
	return body;
}

/* --- changing values -------------------------------------------------------------------------- */

static JsonObject *assign(struct dap *dap, const char *object, const char *value, GError **error)
{
	g_autofree char *quoted = mi_quote(value);
	g_autoptr(JsonObject) results = dap_ask(dap, error, "-var-assign %s %s", object, quoted);
	JsonObject *body;

	if (!results)
		return NULL;
	dap_variables_refresh(dap);
	if (dap->knows_invalidated) {
		JsonArray *areas = json_array_new();

		body = json_object_new();
		json_array_add_string_element(areas, "variables");
		json_object_set_array_member(body, "areas", areas);
		dap_event(dap, "invalidated", body);
	}
	body = json_object_new();
	json_object_set_string_member(body, "value", field_text(results, "value"));
	return body;
}

JsonObject *dap_set_variable(struct dap *dap, JsonObject *arguments, GError **error)
{
	const char *name = field_text(arguments, "name"), *value = field_text(arguments, "value");
	g_autofree char *object = NULL;
	gint64 frame;

	if (!name || !value)
		return dap_refuse(error, "setVariable: name and value are needed");
	object = dap_variable_find(dap, field_number(arguments, "variablesReference", 0), name,
	                           &frame, error);
	return object ? assign(dap, object, value, error) : NULL;
}

JsonObject *dap_set_expression(struct dap *dap, JsonObject *arguments, GError **error)
{
	const char *expression = field_text(arguments, "expression");
	const char *value = field_text(arguments, "value");
	g_autoptr(JsonObject) object = NULL;

	if (!expression || !value)
		return dap_refuse(error, "setExpression: expression and value are needed");
	object = dap_variable_make(dap, field_number(arguments, "frameId", 0), expression, error);
	return object ? assign(dap, field_text(object, "name"), value, error) : NULL;
}

/* --- watching --------------------------------------------------------------------------------- */

/* The number that gdb evaluates an expression to, in a frame; 0 with `error` set. */
static guint64 number_of(struct dap *dap, gint64 frame, const char *expression, GError **error)
{
	g_autofree char *options = dap_frame_options(frame), *quoted = mi_quote(expression);
	g_autoptr(JsonObject)
		results = dap_ask(dap, error, "-data-evaluate-expression%s %s", options, quoted);
	const char *value = field_text(results, "value");

	return value ? g_ascii_strtoull(value, NULL, 0) : 0;
}

/* An expression of gdb's for the memory of another: its type and its address, as the user means
 * this place wherever the rank stands. NULL with `error` set: it has no address. */
static char *place_of(struct dap *dap, gint64 frame, const char *expression, const char *type,
                      GError **error)
{
	g_autofree char *address = g_strdup_printf("(unsigned long) &(%s)", expression);
	g_autofree char *size = g_strdup_printf("sizeof (%s)", expression);
	g_autoptr(GError) unknown = NULL;
	char *place;
	const guint64 at = number_of(dap, frame, address, error);
	const guint64 bytes = at ? number_of(dap, frame, size, error) : 0;

	if (at == 0 || bytes == 0) {
		if (error && !*error)
			dap_refuse(error, "%s has no address", expression);
		return NULL;
	}
	place = g_strdup_printf("{%s} 0x%" G_GINT64_MODIFIER "x", type, at);
	/* gdb cannot read the names of all types that it shows. */
	number_of(dap, frame, place, &unknown);
	if (!unknown)
		return place;
	g_free(place);
	return g_strdup_printf("{char [%" G_GUINT64_FORMAT "]} 0x%" G_GINT64_MODIFIER "x", bytes,
	                       at);
}

/* The expression and the type that the client means; both owned. */
static bool find_watched(struct dap *dap, JsonObject *arguments, gint64 *frame,
                         char **ret_expression, char **ret_type, GError **error)
{
	const gint64 reference = field_number(arguments, "variablesReference", 0);
	const char *name = field_text(arguments, "name");
	g_autoptr(JsonObject) path = NULL, type = NULL;
	g_autofree char *object = NULL;

	if (!name || !*name) {
		dap_refuse(error, "dataBreakpointInfo: there is no name");
		return false;
	}
	if (reference > 0) {
		object = dap_variable_find(dap, reference, name, frame, error);
	} else {
		g_autoptr(JsonObject) made = dap_variable_make(dap, *frame, name, error);

		object = g_strdup(field_text(made, "name"));
	}
	path = object ? dap_ask(dap, error, "-var-info-path-expression %s", object) : NULL;
	type = path ? dap_ask(dap, error, "-var-info-type %s", object) : NULL;
	*ret_expression = g_strdup(field_text(path, "path_expr"));
	*ret_type = g_strdup(field_text(type, "type"));
	return *ret_expression && *ret_type;
}

/* What cannot be watched has no id, and the reason instead of a description. */
JsonObject *dap_data_breakpoint_info(struct dap *dap, JsonObject *arguments, GError **error)
{
	static const char *const ways[] = {"write", "read", "readWrite"};
	gint64 frame = field_number(arguments, "frameId", 0);
	g_autofree char *expression = NULL, *type = NULL, *place = NULL;
	g_autoptr(GError) why = NULL;
	JsonObject *body;

	if (!field_text(arguments, "name"))
		return dap_refuse(error, "dataBreakpointInfo: there is no name");
	if (find_watched(dap, arguments, &frame, &expression, &type, &why))
		place = place_of(dap, frame, expression, type, &why);
	body = json_object_new();
	if (place) {
		g_autofree char *shown = g_strdup_printf("%s, at %s", expression,
		                                         strrchr(place, ' ') + 1);
		JsonArray *access = json_array_new();

		for (gsize i = 0; i < G_N_ELEMENTS(ways); i++)
			json_array_add_string_element(access, ways[i]);
		json_object_set_string_member(body, "dataId", place);
		json_object_set_string_member(body, "description", shown);
		json_object_set_array_member(body, "accessTypes", access);
	} else {
		json_object_set_null_member(body, "dataId");
		json_object_set_string_member(body, "description",
		                              why ? why->message : "it has no address");
	}
	return body;
}
