/* What a session adds to an execution (execution/run.h): its verdict, and what to keep of it. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_INTERLEAVING_H
#define MATCHPOINT_SCHEDULER_SESSION_INTERLEAVING_H

#include <stdbool.h>

#include "scheduler/execution/run.h"
#include "scheduler/verdict/verdict.h"

struct session;

enum interleaving_calls {
	CALLS_NEW, /* keep all calls if it shows something new */
	CALLS_KEPT,
	CALLS_FORGOTTEN,
};

struct interleaving {
	struct session *session;
	struct verdict *verdict;
	enum interleaving_calls calls;
	GArray *stacks;            /* struct record_stack, as reported; NULL: not wanted */
	bool apart;                /* not part of the exploration */
	bool spare;                /* if so: nothing is lost if a limit of time cuts it short */
	struct strategy *strategy; /* owned; NULL: somebody else owns the strategy */
};

/* The owner object of an execution. */
struct interleaving *interleaving_new(struct session *session, enum interleaving_calls calls,
                                      bool stacks);
void interleaving_free(struct interleaving *interleaving);

/* The execution begins again: forgets its first run. */
void interleaving_renew(void *interleaving);

static inline struct interleaving *interleaving_of(const struct execution *execution)
{
	return execution_owner(execution);
}

static inline struct verdict *interleaving_verdict(const struct execution *execution)
{
	return interleaving_of(execution)->verdict;
}

#endif
