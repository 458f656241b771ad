/* Colours on a terminal: none where there is no terminal, with NO_COLOR (no-color.org), or where
 * TERM is dumb; CLICOLOR_FORCE has them everywhere. */
#ifndef MATCHPOINT_REPORTS_COLOURS_H
#define MATCHPOINT_REPORTS_COLOURS_H

#include <stdio.h>

/* What a colour means: ANSI escape sequences (ECMA-48, SGR), "" where there are none. */
struct colours {
	const char *bad, *good, *strong, *plain;
};

struct colours colours_of(FILE *out);

#endif
