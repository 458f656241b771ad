/* What a command takes on its line: GLib parses it and prints --help, and describe.h prints the
 * same for documents and completion. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_LINE_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_LINE_H

#include <glib.h>
#include <stdbool.h>

#include "command.h"

struct command_line {
	const struct command *command;
	GArray *entries;  /* GOptionEntry, in the order of --help */
	GPtrArray *texts; /* char *, that entries have */
};

struct command_line *command_line_new(const struct command *command);
void command_line_free(struct command_line *line);

/* Adds entries up to one without a name. Their texts must outlive the line. */
void command_line_add(struct command_line *line, const GOptionEntry *entries);
/* A text that lives as long as the line, which takes it over. */
const char *command_line_text(struct command_line *line, char *text);

/* Takes the options off argv, argv[0] being the command's name; with `posix` only those before the
 * first word that is none. false: it has complained, or the line was handed over. --help ends the
 * process. */
bool command_line_parse(const struct command_line *line, int *argc, char ***argv, bool posix);

/* From here on each line is given to `take` instead of being parsed, so that its command does
 * nothing else. */
void command_line_hand_over(void (*take)(void *user, const struct command_line *line), void *user);

#endif
