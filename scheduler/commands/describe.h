/* Describes matchpoint from its own tables: commands with their options, kinds of findings,
 * environment variables, words of the prompt, report formats, and log categories. The reference
 * (docs/generate.py), the manual and the completion are generated from it. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_DESCRIBE_H
#define MATCHPOINT_SCHEDULER_COMMANDS_DESCRIBE_H

#include <glib.h>

#include "command.h"

#define DESCRIBE_SUMMARY "Finds what an MPI program does when its messages arrive in another order."

/* Options that stand in place of a command; the last has no name. */
extern const GOptionEntry describe_options[];

/* `what` is "all" or "completion"; for another word NULL is returned. Free with g_free.
 * - "all": one JSON object, whose members are lists in the order of the tables.
 * - "completion": a line for each way to write an option, "COMMAND OPTION VALUE WORD...". VALUE is
 *   the name in --help, or "-" if the option takes none.
 * Lines of commands are handed over from here on (command_line.h). */
char *describe(const char *what, const struct command *const *commands, gsize count);

#endif
