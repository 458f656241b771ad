/* The whole job of a recording, started as it was, for the commands that take the folder of one. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_RECORDED_JOB_H
#define MATCHPOINT_SCHEDULER_COMMANDS_RECORDED_JOB_H

#include "command.h"
#include "scheduler/recording/recorded_run.h"
#include "scheduler/recording/recorded_start.h"

struct recorded_job {
	struct recorded_run *run;
	struct recorded_start start;
	char *store, *input; /* absolute; owned */
	int here;            /* the folder that the user is in */
};

/* Reads the recording, and sets what the options tell of the program: ranks, argv, environment,
 * standard input, buffering. What else they name is made absolute, and this process goes to the
 * folder of the recorded run. `store`: what to append to the name of the store; NULL: nothing.
 * Returns EXIT_CLEAN; or another status after printing an error. Close it in either case. */
int recorded_job_open(struct command_options *options, const char *directory, const char *store,
                      struct recorded_job *ret);
void recorded_job_close(struct recorded_job *job);

/* For a file that the user has named, before the folder changes. NULL stays. */
void recorded_job_make_absolute(char **file);

/* Goes back to the folder that the user is in. */
void recorded_job_leave(const struct recorded_job *job);

/* Runs the job under control, with the recorded matches. Returns false with *ret_status set, after
 * printing an error. Clear the result in either case. */
bool recorded_job_run(const struct command_options *options, struct recorded_job *job,
                      struct session_result *result, int *ret_status);

/* The same; polls are answered "not yet" as often in a row as in the recording, up to `not_yet`. */
bool recorded_job_run_with(const struct command_options *options, struct recorded_job *job,
                           guint not_yet, struct session_result *result, int *ret_status);

/* Whether the program has followed the recording, at least to its end; if not, an error has been
 * printed. Prints notes about it. */
bool recorded_job_was_followed(const struct command_options *options,
                               const struct recorded_job *job, const struct session_result *result);

/* Runs the job in order to know its path, which is printed nowhere. Returns NULL with *ret_status
 * set, after printing an error. Free with path_free. */
struct path *recorded_job_path(const struct command_options *options, struct recorded_job *job,
                               int *ret_status);

#endif
