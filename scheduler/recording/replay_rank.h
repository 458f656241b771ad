/* Runs one rank of a recording alone: without mpiexec, without other ranks, without MPI. */
#ifndef MATCHPOINT_SCHEDULER_RECORDING_REPLAY_RANK_H
#define MATCHPOINT_SCHEDULER_RECORDING_REPLAY_RANK_H

#include <glib.h>
#include <stdbool.h>

enum replay_end {
	REPLAY_RANK_WHOLE,   /* it has ended as it did */
	REPLAY_RANK_CUT,     /* it came to the end of a recording that was cut */
	REPLAY_RANK_DIFFERS, /* it did something else */
	REPLAY_RANK_CANNOT,  /* it could not be replayed, or not to the end */
};

struct replay_rank {
	enum replay_end end;
	char *text;         /* what happened, as half a sentence */
	char *values;       /* the first call that has sent other values; NULL: none */
	GPtrArray *remarks; /* char *: what may explain a difference */
	int status;         /* as from waitpid */
};

/* Returns NULL with `error` set if it could not be started. `match`: called with each line of
 * shim/record/matches.h; then its output goes to files in the recording. NULL: the process has this
 * one's standard output and error. */
struct replay_rank *replay_rank(const char *directory, int rank,
                                void (*match)(void *user, const char *line), void *user,
                                GError **error);
void replay_rank_free(struct replay_rank *replay); /* NULL is legal */

/* For whoever runs the process itself: takes its news line by line, without the newline; then its
 * status, as from waitpid. */
struct replay_rank *replay_rank_new(void);
void replay_rank_take(struct replay_rank *replay, const char *line);
void replay_rank_ended(struct replay_rank *replay, const char *directory, int rank, int status);

#endif
