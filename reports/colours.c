#include "colours.h"

#include <glib.h>
#include <stdbool.h>
#include <unistd.h>

struct colours colours_of(FILE *out)
{
	const char *no_color = g_getenv("NO_COLOR"), *term = g_getenv("TERM");
	const char *force = g_getenv("CLICOLOR_FORCE");
	bool forced = force && *force && !g_str_equal(force, "0");
	bool able = isatty(fileno(out)) && g_strcmp0(term, "dumb") != 0;

	if ((no_color && *no_color) || (!forced && !able))
		return (struct colours){"", "", "", ""};
	return (struct colours){"\033[1;31m", "\033[1;32m", "\033[1m", "\033[0m"};
}
