/* What a session adds to an execution (run/run.h): its verdict, and what is kept of it. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_INTERLEAVING_H
#define MATCHPOINT_SCHEDULER_SESSION_INTERLEAVING_H

#include <stdbool.h>

#include "scheduler/run/run.h"
#include "scheduler/verdict/verdict.h"

struct session;

enum interleaving_calls {
	CALLS_NEW, /* all calls are kept if it shows something new */
	CALLS_KEPT,
	CALLS_FORGOTTEN,
};

struct interleaving {
	struct session *session;
	struct verdict *verdict;
	enum interleaving_calls calls;
	GArray *stacks; /* struct record_stack, as they were told; NULL: they are not wanted */
	bool apart;     /* it is no part of the exploration */
	struct strategy *strategy; /* freed with it; NULL: another's */
};

/* The owner of an execution. */
struct interleaving *interleaving_new(struct session *session, enum interleaving_calls calls,
                                      bool stacks);
void interleaving_free(struct interleaving *interleaving);

/* Its execution is begun again: nothing of the first time counts. */
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
