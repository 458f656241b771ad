/* Finds the word that was probably meant by a misspelt one. Pure. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_SUGGEST_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_SUGGEST_H

#include <glib.h>

/* The end of an error message: "; did you mean --max-time?" if a word of `text` (a list, or the
 * help of a command) is close to `word`, else "". Free with g_free. */
char *command_suggest(const char *word, const char *text);

/* The same for an error of GOptionContext, which names the option: "Unknown option --maxtime". */
char *command_suggest_option(const GError *error, GOptionContext *context);

#endif
