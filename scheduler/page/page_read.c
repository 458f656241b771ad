/* A message from a page is one of these, in UTF-8 on one line:
 *   say LINE        a line for the prompt
 *   at STOP LINE    the same, if the session is still at that stop
 *   interrupt
 *   look RANK.CALL  asks for the contents of that call's messages, for this page alone */
#include "page_read.h"

#include <string.h>

static bool is_one_line(const char *bytes, gsize length)
{
	if (!g_utf8_validate(bytes, (gssize)length, NULL))
		return false;
	for (gsize i = 0; i < length; i++)
		if ((unsigned char)bytes[i] < ' ' || bytes[i] == 0x7f)
			return false;
	return true;
}

bool page_read(const char *bytes, gsize length, guint32 stop, char **ret_line, bool *ret_interrupts,
               char **ret_problem)
{
	g_autofree char *text = NULL;
	char *line;
	guint64 number;

	*ret_line = *ret_problem = NULL;
	*ret_interrupts = false;
	if (!is_one_line(bytes, length)) {
		*ret_problem = g_strdup("the page's message is not one line of UTF-8");
		return false;
	}
	text = g_strndup(bytes, length);
	if (strcmp(text, "interrupt") == 0) {
		*ret_interrupts = true;
		return true;
	}
	if (g_str_has_prefix(text, "say ")) {
		*ret_line = g_strdup(text + strlen("say "));
		return true;
	}
	line = g_str_has_prefix(text, "at ") ? strchr(text + strlen("at "), ' ') : NULL;
	if (line)
		*line++ = '\0';
	if (!line
	    || !g_ascii_string_to_unsigned(text + strlen("at "), 10, 1, G_MAXUINT32, &number,
	                                   NULL)) {
		*ret_problem = g_strdup("the page's message is neither a line nor an interrupt");
		return false;
	}
	if (number != stop) {
		*ret_problem = g_strdup_printf("'%s' is too late: the session has moved on", line);
		return false;
	}
	*ret_line = g_strdup(line);
	return true;
}

bool page_read_look(const char *bytes, gsize length, int *ret_rank, guint32 *ret_call)
{
	g_autofree char *text = is_one_line(bytes, length) ? g_strndup(bytes, length) : NULL;
	char *call = text && g_str_has_prefix(text, "look ") ? strchr(text, '.') : NULL;
	guint64 rank, number;

	if (!call)
		return false;
	*call++ = '\0';
	if (!g_ascii_string_to_unsigned(text + strlen("look "), 10, 0, G_MAXINT, &rank, NULL)
	    || !g_ascii_string_to_unsigned(call, 10, 1, G_MAXUINT32, &number, NULL))
		return false;
	*ret_rank = (int)rank;
	*ret_call = (guint32)number;
	return true;
}
