#include "colouring.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* The length of the coloured part at a line's beginning, and its colour. */
static gsize measure(const char *line, const struct colours *colours, const char **ret_colour)
{
	gsize blanks = strspn(line, " "), digits = strspn(line + blanks, "0123456789");

	*ret_colour = colours->strong;
	if (g_str_has_prefix(line, "stopped: finding ") || g_str_has_prefix(line, "stopped: lost"))
		*ret_colour = colours->bad;
	else if (strcmp(line, "stopped: end") == 0)
		*ret_colour = colours->good;
	if (g_str_has_prefix(line, "stopped: ") || g_str_has_prefix(line, "->"))
		return strlen(line);
	return blanks > 0 && digits > 0 && line[blanks + digits] == ')' ? blanks + digits + 1 : 0;
}

char *colouring_lines(const char *text, const struct colours *colours)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	GString *coloured = g_string_new(NULL);

	for (char **line = lines; *line; line++) {
		const char *colour;
		gsize length = measure(*line, colours, &colour);

		if (length > 0)
			g_string_append_printf(coloured, "%s%.*s%s", colour, (int)length, *line,
			                       colours->plain);
		g_string_append(coloured, *line + length);
		if (line[1])
			g_string_append_c(coloured, '\n');
	}
	return g_string_free(coloured, false);
}
