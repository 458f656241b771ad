#include "mi.h"

#include <string.h>

static JsonNode *read_value(const char **at, int depth);

/* --- constants -------------------------------------------------------------------------------- */

static char read_octal(const char **at)
{
	int value = 0;

	for (int i = 0; i < 3 && **at >= '0' && **at <= '7'; i++)
		value = value * 8 + *(*at)++ - '0';
	return (char)value;
}

/* The character behind a backslash. */
static char read_escape(const char **at)
{
	static const char from[] = "abfnrtve", to[] = "\a\b\f\n\r\t\v\033";
	const char *known;

	if (**at >= '0' && **at <= '7')
		return read_octal(at);
	known = strchr(from, *(*at)++);
	return known ? to[known - from] : (*at)[-1];
}

/* Reads a C string. Returns NULL if there is none. */
static char *read_string(const char **at)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (**at != '"')
		return NULL;
	for (++*at; **at != '"';) {
		char next = *(*at)++;

		if (next == '\0' || (next == '\\' && **at == '\0'))
			return NULL;
		if (next == '\\')
			next = read_escape(at);
		if (next == '\0')
			g_string_append(text, "\357\277\275"); /* U+FFFD */
		else
			g_string_append_c(text, next);
	}
	++*at;
	return g_utf8_make_valid(text->str, (gssize)text->len);
}

/* --- results and values ----------------------------------------------------------------------- */

/* Reads NAME=; NULL: there is none. */
static char *read_name(const char **at)
{
	const char *begin = *at, *end = begin;

	while (g_ascii_isalnum(*end) || *end == '-' || *end == '_')
		end++;
	if (end == begin || *end != '=')
		return NULL;
	*at = end + 1;
	return g_strndup(begin, (gsize)(end - begin));
}

static bool read_result(const char **at, JsonObject *object, int depth)
{
	g_autofree char *name = read_name(at);
	JsonNode *value = name ? read_value(at, depth) : NULL;

	if (!value)
		return false;
	if (json_object_has_member(object, name))
		json_node_unref(value);
	else
		json_object_set_member(object, name, value);
	return true;
}

static bool read_element(const char **at, JsonArray *array, int depth)
{
	g_autofree char *name = read_name(at);
	JsonNode *value = read_value(at, depth);

	if (value)
		json_array_add_element(array, value);
	return value != NULL;
}

/* Moves behind the character, if it comes next. */
static bool skip(const char **at, char expected)
{
	if (**at != expected)
		return false;
	++*at;
	return true;
}

static JsonNode *read_tuple(const char **at, int depth)
{
	g_autoptr(JsonObject) object = json_object_new();
	JsonNode *node;

	for (bool is_over = skip(at, '}'); !is_over; is_over = skip(at, '}'))
		if ((json_object_get_size(object) > 0 && !skip(at, ','))
		    || !read_result(at, object, depth))
			return NULL;
	node = json_node_alloc();
	return json_node_init_object(node, object);
}

static JsonNode *read_list(const char **at, int depth)
{
	g_autoptr(JsonArray) array = json_array_new();
	JsonNode *node;

	for (bool is_over = skip(at, ']'); !is_over; is_over = skip(at, ']'))
		if ((json_array_get_length(array) > 0 && !skip(at, ','))
		    || !read_element(at, array, depth))
			return NULL;
	node = json_node_alloc();
	return json_node_init_array(node, array);
}

static JsonNode *read_value(const char **at, int depth)
{
	g_autofree char *text = NULL;

	if (depth >= MI_DEPTH_MOST)
		return NULL;
	if (skip(at, '{'))
		return read_tuple(at, depth + 1);
	if (skip(at, '['))
		return read_list(at, depth + 1);
	text = read_string(at);
	return text ? json_node_init_string(json_node_alloc(), text) : NULL;
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool find_kind(char first, enum mi_kind *ret_kind)
{
	static const struct {
		char first;
		enum mi_kind kind;
	} kinds[] = {{'^', MI_RESULT},  {'*', MI_EXEC},   {'+', MI_STATUS}, {'=', MI_NOTIFY},
	             {'~', MI_CONSOLE}, {'@', MI_TARGET}, {'&', MI_LOG}};

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (kinds[i].first == first) {
			*ret_kind = kinds[i].kind;
			return true;
		}
	return false;
}

static bool read_results(const char *at, struct mi_record *record)
{
	const gsize length = strcspn(at, ",");

	if (length == 0)
		return false;
	record->text = g_utf8_make_valid(at, (gssize)length);
	record->results = json_object_new();
	at += length;
	while (skip(&at, ','))
		if (!read_result(&at, record->results, 0))
			return false;
	return *at == '\0';
}

bool mi_parse(const char *line, struct mi_record *ret_record)
{
	const char *at = line;
	bool is_whole;

	*ret_record = (struct mi_record){.kind = MI_PROMPT, .token = -1};
	if (g_str_has_prefix(line, "(gdb)"))
		return line[strspn(line + 5, " \r") + 5] == '\0';
	if (g_ascii_isdigit(*at)) {
		ret_record->token = g_ascii_strtoll(at, (char **)&at, 10);
		if (at - line > 18)
			return false;
	}
	if (!find_kind(*at++, &ret_record->kind))
		return false;
	if (ret_record->kind < MI_CONSOLE) {
		is_whole = read_results(at, ret_record);
	} else {
		ret_record->text = read_string(&at);
		is_whole = ret_record->text && *at == '\0';
	}
	if (!is_whole)
		mi_record_clear(ret_record);
	return is_whole;
}

void mi_record_clear(struct mi_record *record)
{
	g_clear_pointer(&record->text, g_free);
	g_clear_pointer(&record->results, json_object_unref);
}

void mi_record_free(struct mi_record *record)
{
	mi_record_clear(record);
	g_free(record);
}

char *mi_quote(const char *text)
{
	GString *literal = g_string_new("\"");

	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			g_string_append_c(literal, '\\');
		g_string_append_c(literal, g_ascii_iscntrl(*text) ? ' ' : *text);
	}
	g_string_append_c(literal, '"');
	return g_string_free(literal, false);
}
