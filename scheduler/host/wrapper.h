/* Ranks that run under another program: a debugger, valgrind. Between the launcher and such a rank
 * stands matchpoint itself, called with WRAPPER_VERB, which looks up which rank it is and becomes
 * `WORDS PROGRAM ARG...` or just `PROGRAM ARG...`. */
#ifndef MATCHPOINT_SCHEDULER_HOST_WRAPPER_H
#define MATCHPOINT_SCHEDULER_HOST_WRAPPER_H

#include <glib.h>

struct wrapper {
	char **words;   /* the command before the program's, NULL-terminated */
	int rank;       /* that is run so; -1: all */
	char *terminal; /* device that this rank uses as input and output; NULL: it is captured
	                    like any other's output */
};

/* Free what it holds; the struct is the caller's. */
void wrapper_clear(struct wrapper *wrapper);

/* The words to start instead of the program's; free with g_strfreev. */
char **wrapper_command(const struct wrapper *wrapper, char **program);

/* What `matchpoint __wrap ...` does; argv is what follows WRAPPER_VERB. Returns an exit status only
 * when there is nothing to become. */
int wrapper_become(char **argv);
#define WRAPPER_VERB "__wrap"

#endif
