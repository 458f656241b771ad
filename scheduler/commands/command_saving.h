/* The options for positions that a command saves on disk by itself. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_SAVING_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_SAVING_H

#include "command_line.h"

void command_add_saving(struct command_line *line, struct command_options *options);
/* Sets the session's `save`. Its number of ranks is known, or 0. Returns false after printing an
 * error. */
bool command_interpret_saving(struct command_options *options);

#endif
