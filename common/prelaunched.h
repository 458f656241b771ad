/* Processes that are started with a job before the program spawns them (MPI 3.1, section 10.3). A
 * group of them waits for one spawn, which is named by its root, a rank of the job, and its number
 * among the spawns of that root, from 1. As text:
 *
 *   2;3,0.1,.%2Fchild;1,2.1,.%2Fgrandchild
 *
 * Ranks 0 and 1 run at once. Ranks 2 to 4 wait for the first spawn of rank 0, if that spawns
 * ./child, rank 5 for the first spawn of rank 2. Commands are escaped as in a URI. If the text
 * began with 1+1, ranks 0 and 1 would each have an MPI_COMM_WORLD of their own. */
#ifndef MATCHPOINT_COMMON_PRELAUNCHED_H
#define MATCHPOINT_COMMON_PRELAUNCHED_H

#include <stdbool.h>

struct prelaunched {
	int first, count;          /* ranks of the job */
	int root, number;          /* of the spawn */
	const char *command, *end; /* escaped; in the text */
};

/* The number of ranks that run at once. *ret_rest: for prelaunched_next. */
int prelaunched_begin(const char *text, const char **ret_rest);
/* In which of their worlds a rank is, from 0; -1: it does not run at once. */
int prelaunched_world(const char *text, int rank);
/* The next group. `ret` is the one before; for the first, `ret->first` is 0 and `ret->count` the
 * number of ranks that run at once. false: there is no other, or the text is not as above. */
bool prelaunched_next(const char **rest, struct prelaunched *ret);
/* The group of a rank. false: it runs at once. */
bool prelaunched_of(const char *text, int rank, struct prelaunched *ret);

/* Whether this is the command of the group; whether it has this file name. */
bool prelaunched_is(const struct prelaunched *group, const char *command);
bool prelaunched_is_named(const struct prelaunched *group, const char *path);

/* The text for this process, a rank; NULL: all ranks run at once. It is that of the first call.
 * With `hides`, it is gone from the environment, so that what the program starts does not wait.
 * Valid until the process ends. */
const char *prelaunched_own(bool hides);

/* The name of a communicator of two ranks of a job, which the program does not know. */
#define PRELAUNCHED_PAIR "two ranks of the job"

/* In the environment of ranks: the text. */
#define PRELAUNCHED_VARIABLE "MATCHPOINT_PRELAUNCHED"

#endif
