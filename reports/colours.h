/* Colours on a terminal. There are none if the stream is no terminal, if NO_COLOR is set
 * (no-color.org), or if TERM is dumb. CLICOLOR_FORCE forces colours on any stream; NO_COLOR has
 * priority over it. */
#ifndef MATCHPOINT_REPORTS_COLOURS_H
#define MATCHPOINT_REPORTS_COLOURS_H

#include <stdio.h>

/* ANSI escape sequences by meaning (ECMA-48, SGR); "" without colours. */
struct colours {
	const char *bad, *good, *strong, *plain;
};

struct colours colours_of(FILE *out);

#endif
