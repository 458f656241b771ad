/* What matchpoint knows of itself, from the tables that it works by: commands with their options,
 * kinds of findings, environment variables, words of the prompt, report formats, and what can be
 * logged. The reference (docs/generate.py), the manual and the completion are made of it. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_DESCRIBE_H
#define MATCHPOINT_SCHEDULER_COMMANDS_DESCRIBE_H

#include <glib.h>

#include "command.h"

#define DESCRIBE_SUMMARY "Finds what an MPI program does when its messages arrive in another order."

/* What matchpoint takes instead of a command; the last has no name. */
extern const GOptionEntry describe_options[];

/* `what` is "all": one JSON object, whose members are lists in the order of the tables; or
 * "completion": a line for each way to write an option, "COMMAND OPTION VALUE WORD...", VALUE being
 * what --help calls it, or "-" if the option takes none. NULL: it is something else. Free with
 * g_free. Lines of commands are handed over from here on (command_line.h). */
char *describe(const char *what, const struct command *const *commands, gsize count);

#endif
