/* What a program gets from elsewhere than MPI and cannot compute again: clocks, process ids, random
 * numbers, names of the machine, files. Only calls of the program's own code, and of its first
 * thread, are in the log. */
#ifndef MATCHPOINT_SHIM_RECORD_INPUTS_H
#define MATCHPOINT_SHIM_RECORD_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_calls.h"

/* In the log, these follow the numbers of MPI calls. */
enum inputs_function {
	INPUTS_CLOCK_GETTIME = MPI_CALL_COUNT,
	INPUTS_GETTIMEOFDAY,
	INPUTS_TIME,
	INPUTS_CLOCK,
	INPUTS_TIMES,
	INPUTS_GETRUSAGE,
	INPUTS_GETPID,
	INPUTS_GETPPID,
	INPUTS_GETRANDOM,
	INPUTS_GETENTROPY,
	INPUTS_GETHOSTNAME,
	INPUTS_UNAME,
	INPUTS_SCHED_GETCPU,
	INPUTS_OPEN,
	INPUTS_WRITE,
	INPUTS_NAME,
	INPUTS_STATUS,
	INPUTS_END
};

/* "MPI_Recv", "clock_gettime"; static. */
const char *inputs_name(uint64_t function);

/* Whether a call with this return address goes into the log; then inputs_leave must follow. */
bool inputs_enter(enum inputs_function function, const void *site);
void inputs_leave(void);
/* Between the two: the result, and errno if it is negative. */
int64_t inputs_result(int64_t result);

#endif
