/* Child processes of the program, and what it does to other processes. Recording, all of that is
 * carried out, and the results are in the log. Replaying, none of it is, in no thread: no command
 * runs, no process is made, no signal is sent to another process. */
#ifndef MATCHPOINT_SHIM_RECORD_CHILDREN_H
#define MATCHPOINT_SHIM_RECORD_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

#include "inputs.h"

/* A call that is carried out when recorded, and only then. The log gets its result when it has
 * returned: it may last, and other threads call MPI meanwhile. */
struct children_call {
	enum inputs_function function;
	const void *site;
	bool is_recorded; /* recording: the log gets the result, if it can take it now */
	bool is_given;    /* replaying: the log has the result */
	bool is_refused;  /* replaying: not in the log, and not to be carried out */
};

/* `site`: the return address. Returns whether the call is to be carried out. */
bool children_begin(struct children_call *call, enum inputs_function function, const void *site);
/* After that. true: results are written or read now, then inputs_leave must follow. Keeps errno. */
bool children_logs(struct children_call *call);
/* Both for a call that has only a result, negative on failure. `refusal`: errno if is_refused. */
int64_t children_result(struct children_call *call, int64_t result, int refusal);

/* Carries it out. What it allocates is not the program's, and handlers of signals that come
 * meanwhile are not recorded. */
#define CHILDREN_RUN(call, statement)                \
	do {                                         \
		record_inside += (call).is_recorded; \
		statement;                           \
		record_inside -= (call).is_recorded; \
	} while (0)

/* Within children_logs: a command is compared with the recorded one. */
void children_compare(const struct children_call *call, const char *command);

/* Forked processes are not recorded. */
void children_start(void);

#endif
