/* The options of a command's line. GLib parses them and prints --help; describe.h prints the same
 * for documents and completion. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_LINE_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_LINE_H

#include <glib.h>
#include <stdbool.h>

#include "command.h"

struct command_line {
	const struct command *command;
	GArray *entries;  /* GOptionEntry, in the order of --help */
	GPtrArray *texts; /* char *, owned texts of the entries */
};

struct command_line *command_line_new(const struct command *command);
void command_line_free(struct command_line *line);

/* Adds the entries up to one without a name. Their texts must outlive the line. */
void command_line_add(struct command_line *line, const GOptionEntry *entries);
/* Returns `text`, which the line takes over and frees. */
const char *command_line_text(struct command_line *line, char *text);

/* Removes the options from argv; argv[0] is the command's name. With `posix`, stops at the first
 * word that is not an option. Returns false after printing an error, or if the line was handed
 * over. --help ends the process. */
bool command_line_parse(const struct command_line *line, int *argc, char ***argv, bool posix);

/* From here on each line is passed to `take` instead of being parsed, and its command does nothing
 * else. */
void command_line_hand_over(void (*take)(void *user, const struct command_line *line), void *user);

/* Whether the command has the option `word` ("-n", "--html", "--html=x"). */
bool command_line_has(const struct command_line *line, const char *word);

/* All commands: where one does not know an option, the error names those that do. */
void command_line_know(const struct command *const *commands, gsize count);

#endif
