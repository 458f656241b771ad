/* What a program gets from elsewhere than MPI and cannot compute again: clocks, process ids, random
 * numbers, what the machine has, files, devices. Only calls of the program's own code, and of its
 * first thread, are in the log. */
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
	INPUTS_ID,
	INPUTS_MACHINE,
	INPUTS_RANDOM,
	INPUTS_TEMPORARY,
	INPUTS_DEVICE,
	INPUTS_READ,
	INPUTS_DIRECTORY,
	INPUTS_SYSTEM,
	INPUTS_POPEN,
	INPUTS_STREAM,
	INPUTS_PCLOSE,
	INPUTS_FORK,
	INPUTS_SPAWN,
	INPUTS_WAIT,
	INPUTS_KILL,
	INPUTS_PROCESS,
	INPUTS_PIPE,
	INPUTS_POLL,
	INPUTS_END
};

/* "MPI_Recv", "clock_gettime"; static. */
const char *inputs_name(uint64_t function);

/* Whether a call with this return address goes into the log; then inputs_leave must follow. */
bool inputs_enter(enum inputs_function function, const void *site);
void inputs_leave(void);
/* Between the two: the result, and errno if it is negative. */
int64_t inputs_result(int64_t result);

/* Defines TYPE NAME(PARAMETERS) of the C library, which returns a number and cannot fail. */
#define INPUTS_GIVE(function, type, name, parameters, values)             \
	EXPORTED type name parameters                                     \
	{                                                                 \
		type result = 0;                                          \
                                                                          \
		if (!inputs_enter(function, __builtin_return_address(0))) \
			return NEXT(name) values;                         \
		if (!log_replaying)                                       \
			result = NEXT(name) values;                       \
		result = (type)log_signed((int64_t)result);               \
		inputs_leave();                                           \
		return result;                                            \
	}

/* Defines int NAME(PARAMETERS) of the C library, which returns a negative number on failure: it is
 * carried out when recorded, and its result given again at replay. `behind` follows in both, if it
 * has not failed. For files that include shim/mpi/next.h, and call.h. */
#define INPUTS_REPEAT(function, name, parameters, values, behind)         \
	EXPORTED int name parameters                                      \
	{                                                                 \
		int result = 0, number;                                   \
                                                                          \
		if (!inputs_enter(function, __builtin_return_address(0))) \
			return NEXT(name) values;                         \
		if (!log_replaying)                                       \
			result = NEXT(name) values;                       \
		result = (int)inputs_result(result);                      \
		number = errno;                                           \
		if (result >= 0)                                          \
			behind;                                           \
		errno = number;                                           \
		inputs_leave();                                           \
		return result;                                            \
	}

#endif
