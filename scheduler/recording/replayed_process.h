/* The process of one replayed rank. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_REPLAYED_PROCESS_H
#define MATCHPOINT_SCHEDULER_RECORDING_REPLAYED_PROCESS_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

struct replayed_process {
	pid_t pid;
	int news; /* what it tells can be read here (shim/record/replay.h); the owner closes it */
};

/* Starts it. `marks`: names the socket of agent_marks_begin; then its output goes to files in the
 * scratch folder, and it has a session of its own. NULL: it has this process's output. False with
 * `error` set. */
bool replayed_process_start(const char *directory, int rank, const char *marks,
                            struct replayed_process *ret, GError **error);

/* The recorded program, an absolute path; free with g_free. NULL with `error` set. */
char *replayed_program(const char *directory, int rank, GError **error);
/* The folder for what the rank writes; free with g_free. */
char *replayed_folder(const char *directory, int rank);

#endif
