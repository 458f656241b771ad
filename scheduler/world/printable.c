#include "printable.h"

#include <glib.h>

char *printable(const char *text)
{
	char *copy = g_utf8_make_valid(text, -1);

	for (char *at = copy; *at; at = g_utf8_next_char(at))
		if ((guchar)*at < ' ' || *at == 0x7f)
			*at = '?';
	return copy;
}
