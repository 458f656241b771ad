/* matchpoint explore --from DIR: the exploration begins at the interleaving of a recording. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_EXPLORE_RECORDING_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_EXPLORE_RECORDING_H

#include "command.h"
#include "recorded_job.h"

struct explore_recording {
	struct recorded_job job;
	struct path *path; /* of the recorded interleaving, as the tree has it; NULL: none yet */
	char *words;       /* how well it could be followed */
};

/* Whether the value of --from is a folder, not a path. */
bool explore_recording_is_folder(const char *from);

/* Reads the recording, and sets what the options tell of the program (recorded_job_open). What else
 * they must not ask for is refused. Returns EXIT_CLEAN; or another status after printing an error.
 * Close it in either case. */
int explore_recording_open(struct command_options *options, const char *directory,
                           struct explore_recording *ret);
void explore_recording_close(struct explore_recording *recording);

/* After all options are interpreted: runs the recorded interleaving once to know its path, and has
 * the exploration begin there, unless it is resumed. Returns as explore_recording_open. */
int explore_recording_begin(struct command_options *options, const char *directory,
                            struct explore_recording *recording);

#endif
