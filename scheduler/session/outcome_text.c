#include "outcome_text.h"

#include <string.h>

#include "common/mix.h"
#include "scheduler/store/record.h"

#define LINE_SHOWN 160  /* bytes */
#define LOOKED_AT 8000u /* bytes at the beginning of a file */

/* --- units ------------------------------------------------------------------------------------ */

/* Returns the next unit, a line with its newline; false at the end. */
static bool next_unit(const char **at, const char *end, bool binary, const char **ret_unit,
                      gsize *ret_size)
{
	const char *newline;

	if (*at >= end)
		return false;
	*ret_unit = *at;
	if (binary) {
		*at += MIN(OUTCOME_TEXT_BLOCK, (gsize)(end - *at));
	} else {
		newline = memchr(*at, '\n', (gsize)(end - *at));
		*at = newline ? newline + 1 : end;
	}
	*ret_size = (gsize)(*at - *ret_unit);
	return true;
}

/* Word by word: ranks may print very much. */
static guint64 hash_unit(const char *unit, gsize size)
{
	guint64 hash = size, word;
	gsize at = 0;

	for (; at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, unit + at, sizeof(word));
		hash = (hash ^ word) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
		hash ^= hash >> 31;
	}
	word = 0;
	memcpy(&word, unit + at, size - at);
	return mix(hash, word);
}

/* Texts have tabs, colours (ESC), backspaces and the like. */
static bool is_of_text(guchar byte)
{
	return byte >= ' ' || (byte >= '\a' && byte <= '\r') || byte == 0x1b;
}

bool outcome_text_is_binary(GBytes *text)
{
	gsize size = 0;
	const guchar *bytes = text ? g_bytes_get_data(text, &size) : NULL;

	for (gsize i = 0; i < MIN(size, LOOKED_AT); i++)
		if (!is_of_text(bytes[i]))
			return true;
	return false;
}

GArray *outcome_text_units(GBytes *text, bool binary)
{
	GArray *units = g_array_new(false, false, sizeof(guint64));
	guint64 hash = OUTCOME_TEXT_ABSENT;
	const char *at, *end, *unit;
	gsize size;

	if (!text) {
		g_array_append_val(units, hash);
		return units;
	}
	at = g_bytes_get_data(text, &size);
	end = at + size;
	while (next_unit(&at, end, binary, &unit, &size)) {
		hash = hash_unit(unit, size);
		g_array_append_val(units, hash);
	}
	return units;
}

GPtrArray *outcome_text_lines(const GPtrArray *texts, guint count)
{
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (guint i = 0; i < MIN(texts->len, count); i++)
		g_ptr_array_add(all, outcome_text_units(texts->pdata[i], false));
	return all;
}

bool outcome_text_is_absent(const GArray *units)
{
	return units->len == 1 && g_array_index(units, guint64, 0) == OUTCOME_TEXT_ABSENT;
}

/* --- words ------------------------------------------------------------------------------------ */

static char *show_line(const char *line, gsize size)
{
	g_autofree char *raw = NULL;
	char *shown;

	if (line[size - 1] == '\n')
		size--;
	raw = g_strndup(line, MIN(size, LINE_SHOWN));
	shown = record_printable(raw, -1);
	return g_strdelimit(shown, "\t", ' ');
}

static char *show_block(const char *block, gsize size)
{
	GString *text = g_string_new(NULL);

	for (gsize i = 0; i < size; i++)
		g_string_append_printf(text, "%s%02x", i > 0 ? " " : "", (guchar)block[i]);
	return g_string_free(text, false);
}

char *outcome_text_show(GBytes *text, bool binary, guint unit)
{
	const char *at, *end, *found;
	gsize size;

	if (!text)
		return unit == 0 ? g_strdup("(no such file)") : NULL;
	at = g_bytes_get_data(text, &size);
	end = at + size;
	for (guint i = 0; next_unit(&at, end, binary, &found, &size); i++)
		if (i == unit)
			return binary ? show_block(found, size) : show_line(found, size);
	return NULL;
}
