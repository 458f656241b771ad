#include "wrapping.h"

#include <stdbool.h>
#include <string.h>

#define FURTHER 4      /* columns by which a continuation is indented */
#define TAB 8          /* columns of a tab, at most */
#define WIDTH_LEAST 40 /* below that wrapping makes it worse */

static guint columns_of(const char *text, const char *end)
{
	guint columns = 0;

	for (; text < end; text = g_utf8_next_char(text))
		columns += *text == '\t' ? TAB : 1;
	return columns;
}

/* The blank at which the line from `text` is broken, so that what is before fits: the last one,
 * with something before it; rather between columns, where two blanks follow one another. NULL:
 * there is none. A word that is longer than a line stays where it is. */
static const char *find_break(const char *text, const char *end, guint room, guint next_room)
{
	const char *found = NULL, *column = NULL, *at = text + strspn(text, " \t");

	for (; at < end && columns_of(text, at) <= room; at = g_utf8_next_char(at))
		if (*at == ' ' && (at == text || at[-1] != ' ')) {
			found = at;
			column = at[1] == ' ' ? at : column;
		}
	if (column && columns_of(text, column) >= room / 3)
		found = column;
	if (found) {
		const char *word = found + strspn(found, " ");
		const char *behind = word + strcspn(word, " \n");

		if (columns_of(word, MIN(behind, end)) > next_room)
			return NULL;
	}
	return found;
}

static void append_line(GString *wrapped, const char *line, const char *end, guint width)
{
	guint indent = (guint)MIN(strspn(line, " "), width / 2) + FURTHER;
	guint room = width;

	while (columns_of(line, end) > room) {
		const char *at = find_break(line, end, room, width - indent);

		if (!at)
			break;
		g_string_append_len(wrapped, line, at - line);
		g_string_append_printf(wrapped, "\n%*s", (int)indent, "");
		line = at + strspn(at, " ");
		room = width - indent;
	}
	g_string_append_len(wrapped, line, end - line);
}

char *wrapping_lines(const char *text, guint width)
{
	GString *wrapped = g_string_new(NULL);

	if (width < WIDTH_LEAST)
		return g_string_free(g_string_append(wrapped, text), false);
	while (*text) {
		const char *end = text + strcspn(text, "\n");

		append_line(wrapped, text, end, width);
		text = end;
		if (*text)
			g_string_append_c(wrapped, *text++);
	}
	return g_string_free(wrapped, false);
}
