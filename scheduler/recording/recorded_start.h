/* Puts this process in the place of what has started a recorded run, so that a job started from
 * here has the recorded folder, and tells what else belongs to that start. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_START_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_START_H

#include <glib.h>
#include <stdbool.h>

struct recorded_start {
	char **program;       /* argv, NULL-terminated; owned */
	char **environment;   /* for the launcher and its ranks; owned */
	char *folder;         /* of the ranks; NULL: none was recorded; owned */
	char *nodes;          /* virtual nodes, as text; NULL: none; owned */
	char *standard_input; /* a file; NULL: none was recorded; owned */
};

/* All ranks must have been started alike. This process goes to the recorded folder, and looks for
 * libraries where the run did; its other variables stay, since they are the user's: the terminal,
 * where temporary files go. False with `error` set: then nothing has changed. */
bool recorded_start_enter(const char *directory, int ranks, struct recorded_start *ret,
                          GError **error);
void recorded_start_clear(struct recorded_start *start);

#endif
