#include "places.h"

#include <string.h>

const char *places_root(const struct store_reader *reader, const struct report_options *options)
{
	const struct record_exploration *exploration = store_reader_exploration(reader);
	const char *root = options->source_root;

	if (!root)
		root = exploration->directory;
	return root && g_path_is_absolute(root) ? root : "";
}

char *places_file(const struct place *place, const char *root)
{
	gsize length = strlen(root);
	g_autofree char *file = NULL;

	if (!place->file)
		return NULL;
	if (!place->directory || !g_path_is_absolute(place->directory))
		return g_strdup(place->file);
	file = g_build_filename(place->directory, place->file, NULL);
	while (length > 0 && root[length - 1] == '/')
		length--;
	if (*root && strncmp(file, root, length) == 0 && file[length] == '/')
		return g_strdup(file + length + 1);
	return g_steal_pointer(&file);
}

char *places_uri(const char *file)
{
	static const char kept[] = G_URI_RESERVED_CHARS_ALLOWED_IN_PATH_ELEMENT "/";
	g_autofree char *escaped = NULL;

	if (g_path_is_absolute(file)) {
		escaped = g_uri_escape_string(file, kept, false);
		return g_strdup_printf("file://%s", escaped);
	}
	/* a colon in the first segment would make it a scheme */
	return g_uri_escape_string(file, "/!$&'()*+,;=@", false);
}

const struct place *places_of_finding(const struct record_finding *finding)
{
	const struct place *any = NULL;

	if (finding->blame && finding->blame->place.file)
		return &finding->blame->place;
	for (int bystanders = 0; bystanders < 2; bystanders++) {
		for (guint i = 0; i < finding->ranks->len; i++) {
			const struct record_rank *rank = g_ptr_array_index(finding->ranks, i);

			if (rank->bystander != bystanders)
				continue;
			if (rank->place.file)
				return &rank->place;
			if (!any && rank->place.function)
				any = &rank->place;
		}
	}
	if (!any && finding->blame && finding->blame->place.function)
		any = &finding->blame->place;
	return any;
}

char *places_line(const struct store_reader *reader, const struct place *place)
{
	const struct record_excerpt *excerpt = store_reader_excerpt(reader, place);
	const char *line = excerpt ? excerpt->text : NULL;

	if (!line || place->line < excerpt->first)
		return NULL;
	for (uint32_t number = excerpt->first; number < place->line; number++) {
		line = strchr(line, '\n');
		if (!line)
			return NULL;
		line++;
	}
	return g_strndup(line, strcspn(line, "\n"));
}

char *places_source(const struct store_reader *reader, const struct place *place)
{
	char *line = places_line(reader, place);

	return line ? g_strstrip(line) : NULL;
}
