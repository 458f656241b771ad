/* What was probably meant by a word that is none. Pure. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_SUGGEST_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_SUGGEST_H

#include <glib.h>

/* For the end of a complaint: "; did you mean --max-time?", where a word of `text` (a list, or the
 * help of a command) is nearly this one, else "". Free with g_free. */
char *command_suggest(const char *word, const char *text);

/* The same for an error of GOptionContext's, which names the option: "Unknown option --maxtime". */
char *command_suggest_option(const GError *error, GOptionContext *context);

#endif
