/* Where the ranks of a job wait until a debugger has seen all of them: before main(). libc only.
 *
 * The process connects to a Unix socket, sends its rank, and reads until the end of the connection.
 * Whoever listens there (scheduler/host/lined_up.h) closes it to let the process go. So a process
 * never waits for one that is gone. */
#ifndef MATCHPOINT_COMMON_START_LINE_H
#define MATCHPOINT_COMMON_START_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* Environment variable of the ranks: absolute path of the socket. Not set: nobody listens. */
#define START_LINE_VARIABLE "MATCHPOINT_START_LINE"

struct start_line_word {
	int32_t rank;
};

/* Whether the process was started with an MPI library. One that loads MPI later, as Python does,
 * or none at all, as a shell, is not known to be a rank before it calls MPI_Init. */
bool start_line_is_rank(void);

/* Waits; at most once in a process. Returns at once if nobody listens. Keeps errno. */
void start_line_wait(int rank);

#endif
