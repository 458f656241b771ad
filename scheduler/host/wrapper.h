/* Ranks that run under another program, such as a debugger or valgrind. The launcher starts
 * matchpoint itself with WRAPPER_VERB for each rank. It finds out which rank it is, and becomes
 * `WORDS PROGRAM ARG...` or just `PROGRAM ARG...`. */
#ifndef MATCHPOINT_SCHEDULER_HOST_WRAPPER_H
#define MATCHPOINT_SCHEDULER_HOST_WRAPPER_H

#include <glib.h>
#include <stdbool.h>

struct wrapper {
	char **words;   /* the command before the program's, NULL-terminated */
	int rank;       /* rank that runs under it; -1: all */
	bool is_timed;  /* limits on time hold, as without it: it is no debugger */
	char *terminal; /* this rank's device for input and output; NULL: output is captured */
};

/* Frees the members. The struct itself belongs to the caller. */
void wrapper_clear(struct wrapper *wrapper);

/* Returns the words to start before the program's; free with g_strfreev. */
char **wrapper_command(const struct wrapper *wrapper);

/* Carries out `matchpoint __wrap ...`; argv follows WRAPPER_VERB. Returns an exit status only if
 * nothing could be executed. */
int wrapper_become(char **argv);
#define WRAPPER_VERB "__wrap"

#endif
