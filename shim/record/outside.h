/* Calls that are carried out when recorded, and only then: commands, child processes, what the
 * program does to other processes, pipes. Recording, the results are in the log. Replaying, none of
 * it is done, in no thread: no command runs, no process is made, no signal is sent to another
 * process. */
#ifndef MATCHPOINT_SHIM_RECORD_OUTSIDE_H
#define MATCHPOINT_SHIM_RECORD_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "inputs.h"

/* The log gets the result when the call has returned: it may last, and other threads call MPI
 * meanwhile. */
struct outside_call {
	enum inputs_function function;
	const void *site;
	bool is_recorded; /* recording: the log gets the result, if it can take it now */
	bool is_given;    /* replaying: the log has the result */
	bool is_refused;  /* replaying: not in the log, and not to be carried out */
};

/* `site`: the return address. Returns whether the call is to be carried out. */
bool outside_begin(struct outside_call *call, enum inputs_function function, const void *site);
/* After that. true: results are written or read now, then inputs_leave must follow. Keeps errno. */
bool outside_logs(struct outside_call *call);
/* Else: whether the call fails because it is refused. Then a line says so, and errno is set. */
bool outside_fails(const struct outside_call *call, int number);
/* All three for a call that has only a result, negative on failure. */
int64_t outside_result(struct outside_call *call, int64_t result, int refusal);

/* Carries it out. What it allocates is not the program's, and handlers of signals that come
 * meanwhile are not recorded. */
#define OUTSIDE_RUN(call, statement)                 \
	do {                                         \
		record_inside += (call).is_recorded; \
		statement;                           \
		record_inside -= (call).is_recorded; \
	} while (0)

/* Whether a call with this return address is the program's. */
bool outside_is_programs(const void *site);

#endif
