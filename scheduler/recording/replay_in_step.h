/* Several ranks of a recording, each alone from its log, beside each other: a call that gives what
 * another of these ranks has sent waits until that one has come to the send. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_REPLAY_IN_STEP_H
#define MATCHPOINT_SCHEDULER_RECORDING_REPLAY_IN_STEP_H

#include "replay_rank.h"

struct replay_in_step_options {
	const char *directory;
	const bool *ranks; /* whether each rank of the recording is replayed; `count` of them */
	int count;
	/* A rank says something. */
	void (*remark)(void *user, int rank, const char *text);
	/* A rank has ended. The replay is owned by the caller of this. */
	void (*ended)(void *user, int rank, const struct replay_rank *replay);
	/* A rank could not be started; the others go on without it. */
	void (*failed)(void *user, int rank, const char *text);
	void *user;
};

/* Replays each rank once to learn what needs what, with its output in files of the recording; then
 * all of them beside each other, with the standard output and error of this process. Returns when
 * all have ended. False with `error` set: nothing has run. */
bool replay_in_step(const struct replay_in_step_options *options, GError **error);

#endif
