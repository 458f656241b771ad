#include "sarif_parts.h"

#include <string.h>

#include "json_members.h"
#include "places.h"

void sarif_text(JsonBuilder *json, const char *name, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);

	json_builder_set_member_name(json, name);
	json_builder_add_string_value(json, valid);
}

void sarif_limited(const struct sarif *context, const char *name, const char *text)
{
	g_autofree char *cut = sarif_limits_cut(text ? text : "", context->limits.text);

	sarif_text(context->json, name, cut);
}

void sarif_object(JsonBuilder *json, const char *name)
{
	json_builder_set_member_name(json, name);
	json_builder_begin_object(json);
}

void sarif_message(JsonBuilder *json, const char *name, const char *text)
{
	sarif_object(json, name);
	sarif_text(json, "text", text);
	json_builder_end_object(json);
}

void sarif_limited_message(const struct sarif *context, const char *name, const char *text)
{
	sarif_object(context->json, name);
	sarif_limited(context, "text", text);
	json_builder_end_object(context->json);
}

/* A region (section 3.30): a line, with its text if the store has it. Columns are counted from
 * 1. */
static void add_region(const struct sarif *context, const struct place *place)
{
	JsonBuilder *json = context->json;
	g_autofree char *line = places_line(context->reader, place);
	g_autofree char *text = places_source(context->reader, place);
	gsize blanks = line ? strspn(line, " \t\v\f\r") : 0;

	sarif_object(json, "region");
	add_number(json, "startLine", place->line);
	if (text && *text) {
		add_number(json, "startColumn", (gint64)blanks + 1);
		add_number(json, "endLine", place->line);
		add_number(json, "endColumn", (gint64)blanks + g_utf8_strlen(text, -1) + 1);
		sarif_limited_message(context, "snippet", text);
	}
	json_builder_end_object(json);
}

static bool add_physical(const struct sarif *context, const struct place *place)
{
	JsonBuilder *json = context->json;
	g_autofree char *file = places_file(place, context->root), *uri = NULL;

	if (!file)
		return false;
	uri = places_uri(file);
	sarif_object(json, "physicalLocation");
	sarif_object(json, "artifactLocation");
	sarif_text(json, "uri", uri);
	if (!g_path_is_absolute(file) && *context->root)
		sarif_text(json, "uriBaseId", SARIF_ROOT);
	json_builder_end_object(json);
	if (place->line > 0)
		add_region(context, place);
	json_builder_end_object(json);
	return true;
}

static void add_logical(const struct sarif *context, const struct place *place)
{
	JsonBuilder *json = context->json;
	g_autofree char *name = place_print(place);

	begin_array(json, "logicalLocations");
	json_builder_begin_object(json);
	sarif_limited(context, "fullyQualifiedName", name);
	sarif_text(json, "kind", "function");
	json_builder_end_object(json);
	json_builder_end_array(json);
}

void sarif_location(const struct sarif *context, const struct place *place, const char *text)
{
	if (!add_physical(context, place) && place->function)
		add_logical(context, place);
	if (text)
		sarif_limited_message(context, "message", text);
}

/* The program's file, as it was named on the command line. */
static struct place program_place(const struct record_exploration *e)
{
	g_autofree char *base = g_path_get_basename(e->program[0]);
	g_autofree char *whole = NULL, *directory = NULL, *valid = g_utf8_make_valid(base, -1);
	struct place place = {.file = g_intern_string(valid)};

	if (strchr(e->program[0], '/') && e->directory && g_path_is_absolute(e->directory)) {
		whole = g_canonicalize_filename(e->program[0], e->directory);
		directory = g_path_get_dirname(whole);
		place.directory = g_intern_string(directory);
	}
	return place;
}

void sarif_result_location(const struct sarif *context, const struct place *place)
{
	const struct record_exploration *e = store_reader_exploration(context->reader);
	struct place program = program_place(e);

	if (place && add_physical(context, place))
		return;
	add_physical(context, &program);
	if (place && place->function)
		add_logical(context, place);
}
