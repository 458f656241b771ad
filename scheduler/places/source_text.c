#include "source_text.h"

#include <glib/gstdio.h>
#include <string.h>

#define AROUND 3u           /* lines before and after */
#define FILE_MAX (8u << 20) /* bytes; larger files are not written by hand */
#define LINE_MAX_BYTES 400  /* of a line; the rest is cut off */

struct source_text {
	GHashTable *files; /* path to GStrv of its lines; NULL: it cannot be read */
	gint64 built;      /* modification time of the program; G_MAXINT64: unknown */
	gint64 begun;      /* start of the exploration, when scripts are read */
};

struct source_text *source_text_new(void)
{
	struct source_text *source = g_new0(struct source_text, 1);

	source->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
	                                      (GDestroyNotify)g_strfreev);
	source->built = G_MAXINT64;
	source->begun = g_get_real_time() / G_USEC_PER_SEC;
	return source;
}

void source_text_free(struct source_text *source)
{
	if (!source)
		return;
	g_hash_table_unref(source->files);
	g_free(source);
}

void source_text_program(struct source_text *source, const char *program)
{
	g_autofree char *file = program ? g_find_program_in_path(program) : NULL;
	GStatBuf status;

	if (file && g_stat(file, &status) == 0)
		source->built = MIN(source->built, status.st_mtime);
}

static GStrv read_lines(const struct source_text *source, const char *path)
{
	gint64 latest = g_str_has_suffix(path, ".py") ? source->begun : source->built;
	GStatBuf status;
	g_autofree char *text = NULL;

	if (g_stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > FILE_MAX
	    || status.st_mtime > latest || !g_file_get_contents(path, &text, NULL, NULL))
		return NULL;
	return g_strsplit(text, "\n", -1);
}

static GStrv lines_of(struct source_text *source, const struct place *place)
{
	char *path = g_build_filename(place->directory, place->file, NULL);
	gpointer lines;

	if (g_hash_table_lookup_extended(source->files, path, NULL, &lines)) {
		g_free(path);
		return lines;
	}
	lines = read_lines(source, path);
	g_hash_table_insert(source->files, path, lines);
	return lines;
}

bool source_text_around(struct source_text *source, const struct place *place,
                        struct record_excerpt *ret)
{
	GStrv lines = place->directory && place->file ? lines_of(source, place) : NULL;
	guint count = lines ? g_strv_length(lines) : 0;
	guint first, last;
	GString *text;

	if (place->line < 1 || place->line > count)
		return false;
	first = place->line > AROUND ? place->line - AROUND : 1;
	last = MIN(place->line + AROUND, count);
	if (last > first && !*lines[last - 1] && last == count)
		last--; /* the empty line after the last newline */
	text = g_string_new(NULL);
	for (guint i = first; i <= last; i++) {
		g_autofree char *line = g_strndup(lines[i - 1], LINE_MAX_BYTES);
		g_autofree char *valid = g_utf8_make_valid(line, -1);

		g_string_append(text, g_strchomp(valid));
		g_string_append_c(text, '\n');
	}
	*ret = (struct record_excerpt){first, g_string_free(text, false)};
	return true;
}
