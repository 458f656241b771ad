/* Scopes, and values with their parts: variable objects of gdb's, which live until the rank moves.
 * A name in a scope or a value leads to its object. */
#include <string.h>

#include "dap_internal.h"

enum {
	PARTS_MOST = 1000,   /* shown at once, if the client asks for all */
	PAGED = 100,         /* of arrays with more elements the client asks for some */
	NAMED_MOST = 100,    /* for so many, gdb is asked for the expression */
	REGISTERS_MOST = 24, /* the general ones; then come those of vectors */
};

enum kind { LOCALS, GLOBALS, REGISTERS, PARTS };

struct reference {
	enum kind kind;
	gint64 frame;
	char *object;        /* of PARTS */
	bool is_array;       /* of PARTS */
	GHashTable *objects; /* variable object by name, as far as the client has seen them */
};

struct dap_variables {
	GPtrArray *references;
	gint64 first;       /* number of the first of them; those below are of an earlier stop */
	GPtrArray *objects; /* names of all that were made, but not of their parts */
};

/* --- references ------------------------------------------------------------------------------- */

static void free_reference(gpointer data)
{
	struct reference *reference = data;

	g_free(reference->object);
	g_hash_table_unref(reference->objects);
	g_free(reference);
}

struct dap_variables *dap_variables_new(void)
{
	struct dap_variables *variables = g_new0(struct dap_variables, 1);

	variables->references = g_ptr_array_new_with_free_func(free_reference);
	variables->objects = g_ptr_array_new_with_free_func(g_free);
	variables->first = 1;
	return variables;
}

void dap_variables_free(struct dap_variables *variables)
{
	if (!variables)
		return;
	g_ptr_array_unref(variables->references);
	g_ptr_array_unref(variables->objects);
	g_free(variables);
}

static struct reference *refer(struct dap *dap, enum kind kind, gint64 frame, gint64 *ret_number)
{
	struct dap_variables *variables = dap->variables;
	struct reference *reference = g_new0(struct reference, 1);

	reference->kind = kind;
	reference->frame = frame;
	reference->objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	*ret_number = variables->first + variables->references->len;
	g_ptr_array_add(variables->references, reference);
	return reference;
}

static struct reference *find(struct dap *dap, gint64 number, GError **error)
{
	const struct dap_variables *variables = dap->variables;

	if (number < variables->first || number >= variables->first + variables->references->len)
		return dap_refuse(error,
		                  "there is no value %" G_GINT64_FORMAT
		                  " any more: the rank has moved since",
		                  number);
	return variables->references->pdata[number - variables->first];
}

void dap_variables_forget(struct dap *dap)
{
	struct dap_variables *variables = dap->variables;

	for (guint i = 0; i < variables->objects->len; i++)
		dap_order(dap, NULL, "-var-delete %s", (char *)variables->objects->pdata[i]);
	g_ptr_array_set_size(variables->objects, 0);
	variables->first += variables->references->len;
	g_ptr_array_set_size(variables->references, 0);
}

void dap_variables_refresh(struct dap *dap)
{
	dap_order(dap, NULL, "-var-update --no-values *");
}

/* --- variable objects ------------------------------------------------------------------------- */

/* Variable objects do not say why there can be none. */
static void explain(struct dap *dap, const char *options, const char *quoted, GError **error)
{
	g_autoptr(GError) why = NULL;

	if (dap_order(dap, &why, "-data-evaluate-expression%s %s", options, quoted) || !error)
		return;
	g_clear_error(error);
	*error = g_steal_pointer(&why);
}

JsonObject *dap_variable_make(struct dap *dap, gint64 frame, const char *expression, GError **error)
{
	g_autofree char *options = dap_frame_options(frame), *quoted = mi_quote(expression);
	JsonObject *object = dap_ask(dap, error, "-var-create%s - * %s", options, quoted);

	if (object)
		g_ptr_array_add(dap->variables->objects, g_strdup(field_text(object, "name")));
	else
		explain(dap, options, quoted, error);
	return object;
}

static bool is_array(JsonObject *object)
{
	const char *type = field_text(object, "type");

	return type && g_str_has_suffix(type, "]");
}

static bool has_parts(JsonObject *object)
{
	return field_number(object, "numchild", 0) > 0
	       || (field_number(object, "dynamic", 0) && field_number(object, "has_more", 0));
}

gint64 dap_variable_reference(struct dap *dap, gint64 frame, JsonObject *object)
{
	struct reference *reference;
	gint64 number = 0;

	if (!has_parts(object) || !field_text(object, "name"))
		return 0;
	reference = refer(dap, PARTS, frame, &number);
	reference->object = g_strdup(field_text(object, "name"));
	reference->is_array = is_array(object);
	return number;
}

/* The expression of a variable object; NULL: it has none. Free with g_free. */
static char *expression_of(struct dap *dap, const char *name)
{
	g_autoptr(JsonObject) results = dap_ask(dap, NULL, "-var-info-path-expression %s", name);

	return g_strdup(field_text(results, "path_expr"));
}

/* Texts are arrays, which gdb shows by their number of elements only. */
static bool is_text(JsonObject *object)
{
	const char *type = field_text(object, "type");

	return type && g_str_has_suffix(type, "]") && !field_number(object, "dynamic", 0)
	       && (g_str_has_prefix(type, "char [") || g_str_has_prefix(type, "const char ["))
	       && strchr(type, '[') == strrchr(type, '[');
}

char *dap_variable_value(struct dap *dap, gint64 frame, JsonObject *object)
{
	const char *value = field_text(object, "value"), *name = field_text(object, "name");
	g_autofree char *expression = is_text(object) && name ? expression_of(dap, name) : NULL;
	g_autofree char *options = dap_frame_options(frame);
	g_autofree char *quoted = expression ? mi_quote(expression) : NULL;
	g_autoptr(JsonObject) whole = quoted ? dap_ask(dap, NULL, "-data-evaluate-expression%s %s",
	                                               options, quoted)
	                                     : NULL;

	if (field_text(whole, "value"))
		value = field_text(whole, "value");
	return g_strdup(value ? value : "");
}

/* --- what the client is shown ----------------------------------------------------------------- */

static void show_object(struct dap *dap, struct reference *whole, JsonArray *shown,
                        const char *name, const char *expression, JsonObject *object)
{
	JsonObject *one = json_object_new();
	g_autofree char *value = dap_variable_value(dap, whole->frame, object);
	const char *type = field_text(object, "type"), *made = field_text(object, "name");
	const gint64 count = field_number(object, "numchild", 0);

	json_object_set_string_member(one, "name", name);
	json_object_set_string_member(one, "value", value);
	if (type)
		json_object_set_string_member(one, "type", type);
	if (expression)
		json_object_set_string_member(one, "evaluateName", expression);
	json_object_set_int_member(one, "variablesReference",
	                           dap_variable_reference(dap, whole->frame, object));
	if (is_array(object) && count > PAGED)
		json_object_set_int_member(one, "indexedVariables", count);
	if (made)
		g_hash_table_replace(whole->objects, g_strdup(name), g_strdup(made));
	json_array_add_object_element(shown, one);
}

static void show_plain(JsonArray *shown, const char *name, const char *value)
{
	JsonObject *one = json_object_new();

	json_object_set_string_member(one, "name", name);
	json_object_set_string_member(one, "value", value);
	json_object_set_int_member(one, "variablesReference", 0);
	json_array_add_object_element(shown, one);
}

/* Of a name that inner blocks have again, gdb knows the innermost. */
static void show_name(struct dap *dap, struct reference *scope, JsonArray *shown, const char *name)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(JsonObject) object = NULL;

	if (g_hash_table_contains(scope->objects, name))
		return;
	object = dap_variable_make(dap, scope->frame, name, &error);
	if (object)
		show_object(dap, scope, shown, name, name, object);
	else
		show_plain(shown, name, error->message);
}

static bool show_locals(struct dap *dap, struct reference *scope, JsonArray *shown, GError **error)
{
	g_autofree char *options = dap_frame_options(scope->frame);
	g_autoptr(JsonObject)
		results = dap_ask(dap, error, "-stack-list-variables%s --no-values", options);
	JsonArray *names = field_array(results, "variables");

	for (guint i = 0; i < array_length(names); i++) {
		const char *name = field_text(array_object(names, i), "name");

		if (name)
			show_name(dap, scope, shown, name);
	}
	return results != NULL;
}

/* Those of the file alone: gdb would read the symbols of all others. It can be asked only in
 * Python. */
static char *names_of_globals(struct dap *dap, gint64 frame)
{
	static const char asks[] =
		"python s = gdb.selected_frame().find_sal().symtab; "
		"print(\"\\n\".join(sorted({v.name for b in (s.static_block(), s.global_block()) "
		"for v in b if v.is_variable})))";

	return dap_console(dap, frame, asks, NULL);
}

static bool show_globals(struct dap *dap, struct reference *scope, JsonArray *shown)
{
	g_autofree char *text = names_of_globals(dap, scope->frame);
	g_auto(GStrv) names = g_strsplit(text ? text : "", "\n", -1);

	for (char **name = names; *name; name++)
		if (**name)
			show_name(dap, scope, shown, *name);
	return true;
}

static bool show_registers(struct dap *dap, struct reference *scope, JsonArray *shown,
                           GError **error)
{
	g_autofree char *options = dap_frame_options(scope->frame);
	g_autoptr(JsonObject) names = dap_ask(dap, error, "-data-list-register-names");
	g_autoptr(GString) numbers = g_string_new(NULL);
	g_autoptr(JsonObject) results = NULL;
	JsonArray *known = field_array(names, "register-names"), *values;

	for (guint i = 0; i < MIN(array_length(known), REGISTERS_MOST); i++)
		if (array_text(known, i) && *array_text(known, i))
			g_string_append_printf(numbers, " %u", i);
	results = names ? dap_ask(dap, error, "-data-list-register-values%s x%s", options,
	                          numbers->str)
	                : NULL;
	values = field_array(results, "register-values");
	for (guint i = 0; i < array_length(values); i++) {
		JsonObject *one = array_object(values, i);
		const char *name = array_text(known, (guint)field_number(one, "number", -1));
		const char *value = field_text(one, "value");

		if (name && value)
			show_plain(shown, name, value);
	}
	return results != NULL;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* In C++, gdb puts "public" and the like between a class and its members. */
static bool is_access(JsonObject *object)
{
	const char *name = field_text(object, "exp");

	return name && !field_text(object, "type")
	       && (g_str_equal(name, "public") || g_str_equal(name, "protected")
	           || g_str_equal(name, "private"));
}

static JsonObject *list_parts(struct dap *dap, const char *object, gint64 from, gint64 count,
                              GError **error)
{
	return dap_ask(dap, error,
	               "-var-list-children --all-values %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
	               object, from, from + count);
}

static void show_part(struct dap *dap, struct reference *whole, JsonArray *shown,
                      JsonObject *object, bool has_expression)
{
	const char *given = field_text(object, "exp"), *made = field_text(object, "name");
	g_autofree char *name = whole->is_array && given && g_ascii_isdigit(*given)
	                                ? g_strdup_printf("[%s]", given)
	                                : g_strdup(given ? given : "?");
	g_autofree char *expression = made && has_expression ? expression_of(dap, made) : NULL;

	show_object(dap, whole, shown, name, expression, object);
}

static bool show_parts(struct dap *dap, struct reference *whole, JsonArray *shown, gint64 from,
                       gint64 count, GError **error)
{
	g_autoptr(JsonObject) results = list_parts(dap, whole->object, from, count, error);
	JsonArray *parts = field_array(results, "children");
	const bool has_expressions = array_length(parts) <= NAMED_MOST;

	for (guint i = 0; i < array_length(parts); i++) {
		JsonObject *part = array_object(parts, i);
		g_autoptr(JsonObject) inner = is_access(part)
		                                      ? list_parts(dap, field_text(part, "name"), 0,
		                                                   PARTS_MOST, NULL)
		                                      : NULL;
		JsonArray *members = field_array(inner, "children");

		for (guint j = 0; j < array_length(members); j++)
			show_part(dap, whole, shown, array_object(members, j), has_expressions);
		if (!members)
			show_part(dap, whole, shown, part, has_expressions);
	}
	return results != NULL;
}

static bool show(struct dap *dap, struct reference *reference, JsonObject *arguments,
                 JsonArray *shown, GError **error)
{
	const gint64 from = CLAMP(field_number(arguments, "start", 0), 0, G_MAXINT);
	const gint64 given = field_number(arguments, "count", 0);

	switch (reference->kind) {
	case LOCALS: return show_locals(dap, reference, shown, error);
	case GLOBALS: return show_globals(dap, reference, shown);
	case REGISTERS: return show_registers(dap, reference, shown, error);
	case PARTS: break;
	}
	return show_parts(dap, reference, shown, from,
	                  given <= 0 ? PARTS_MOST : MIN(given, PARTS_MOST), error);
}

/* --- requests --------------------------------------------------------------------------------- */

JsonObject *dap_variables(struct dap *dap, JsonObject *arguments, GError **error)
{
	struct reference *reference = find(dap, field_number(arguments, "variablesReference", 0),
	                                   error);
	g_autoptr(JsonArray) shown = json_array_new();
	JsonObject *body;

	if (!reference || !show(dap, reference, arguments, shown, error))
		return NULL;
	body = json_object_new();
	json_object_set_array_member(body, "variables", g_steal_pointer(&shown));
	return body;
}

static void add_scope(struct dap *dap, JsonArray *scopes, enum kind kind, gint64 frame,
                      const char *name, const char *hint)
{
	JsonObject *scope = json_object_new();
	gint64 number;

	refer(dap, kind, frame, &number);
	json_object_set_string_member(scope, "name", name);
	json_object_set_int_member(scope, "variablesReference", number);
	json_object_set_boolean_member(scope, "expensive", kind != LOCALS);
	if (hint)
		json_object_set_string_member(scope, "presentationHint", hint);
	json_array_add_object_element(scopes, scope);
}

JsonObject *dap_scopes(struct dap *dap, JsonObject *arguments, GError **error)
{
	const gint64 frame = field_number(arguments, "frameId", 0);
	g_autofree char *globals = NULL;
	JsonObject *body;
	JsonArray *scopes;

	if (frame <= 0)
		return dap_refuse(error, "scopes: there is no frameId");
	globals = names_of_globals(dap, frame);
	body = json_object_new();
	scopes = json_array_new();
	add_scope(dap, scopes, LOCALS, frame, "Locals", "locals");
	if (globals && *g_strchomp(globals))
		add_scope(dap, scopes, GLOBALS, frame, "Globals of this file", NULL);
	add_scope(dap, scopes, REGISTERS, frame, "Registers", "registers");
	json_object_set_array_member(body, "scopes", scopes);
	return body;
}

char *dap_variable_find(struct dap *dap, gint64 reference, const char *name, gint64 *ret_frame,
                        GError **error)
{
	struct reference *whole = find(dap, reference, error);
	const char *object = whole ? g_hash_table_lookup(whole->objects, name) : NULL;

	if (!whole)
		return NULL;
	*ret_frame = whole->frame;
	if (!object)
		return dap_refuse(error, "'%s' is none of the values that were shown there", name);
	return g_strdup(object);
}
