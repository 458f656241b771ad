/* A checkpoint on disk, for the commands that go on from it. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_RESTARTED_H
#define MATCHPOINT_SCHEDULER_COMMANDS_RESTARTED_H

#include "command.h"

struct restarted;

/* Opens options->restart, and sets what it tells of the program: argv, number of ranks, how it was
 * run. Returns false after printing an error. restarted_close in either case. */
bool restarted_open(struct command_options *options);
void restarted_close(struct restarted *restarted); /* NULL is legal */

/* Its path; free with path_free. */
struct path *restarted_path(const struct restarted *restarted);

/* Its position; borrowed. */
const struct position *restarted_position(const struct restarted *restarted);

/* The path as text, without opening more than the manifest of the checkpoint in `folder`. NULL
 * after printing an error. Free with g_free. */
char *restarted_path_text(const char *folder);

#endif
