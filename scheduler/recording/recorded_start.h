/* Puts this process in the place of what has started a recorded run, so that a job started from
 * here has the recorded folder, environment and standard input. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_RECORDED_START_H
#define MATCHPOINT_SCHEDULER_RECORDING_RECORDED_START_H

#include <glib.h>
#include <stdbool.h>

struct recorded_start {
	char **program;       /* argv, NULL-terminated; owned */
	char *standard_input; /* a file; NULL: none was recorded; owned */
};

/* All ranks must have been started alike. False with `error` set: then nothing has changed. */
bool recorded_start_enter(const char *directory, int ranks, struct recorded_start *ret,
                          GError **error);
void recorded_start_clear(struct recorded_start *start);

#endif
