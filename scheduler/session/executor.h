/* Carries out plans. It begins an execution (run.h) for each plan, runs all executions side by
 * side until one has ended, reports that end to its source, and asks for the next plan. An
 * execution that cannot continue (its snapshot cannot be restored, a rank was killed from outside)
 * begins again from the choices it has made; the source does not notice.
 *
 * A plan source supplies plans: a lane of the search, random walks, the stem of shards, a replay,
 * or a person at a prompt, whose strategy answers later. From its callbacks a source may run other
 * sources. Worlds of the outer sources go on meanwhile; those that have ended wait for their
 * turn. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_EXECUTOR_H
#define MATCHPOINT_SCHEDULER_SESSION_EXECUTOR_H

#include <stdbool.h>

#include "scheduler/execution/runs.h"

struct executor;
struct plan_source;

struct plan_source_type {
	/* Sets the next plan, with an owner of its own. false: none, or none now. It is called
	 * again when a source of the same round has ended an execution. */
	bool (*next)(struct plan_source *source, struct run_request *ret_request);
	/* Called when an execution has begun or ended. false: cuts short its execution and all
	 * others of the same round. */
	bool (*may_go_on)(const struct plan_source *source);
	/* Its execution has ended or was cut short. The source owns it now and drops it. */
	void (*ended)(struct plan_source *source, struct execution *execution);
	/* The strategy has postponed its answer (EXPLORER_LATER). Call executor_answer, now or
	 * later. NULL: its strategies never do that. */
	void (*asked)(struct plan_source *source, struct execution *execution);
};

/* The first member of every source. A source carries out one plan at a time. Set `type`, and all
 * else to zero; the other members are the executor's. */
struct plan_source {
	const struct plan_source_type *type;
	struct execution *execution; /* NULL: none */
	struct run_request again;    /* to be begun again, if it has a position */
	bool asked;                  /* the source knows that an answer is awaited */
};

/* `renew` (or NULL) is called with the owner of an execution that begins again: nothing of its
 * first run counts. `meanwhile` (or NULL) is called with `user` before each wait: all executions
 * that can begin have begun then, so there is time for work that nothing waits for. */
struct executor *executor_new(struct runs *runs, void (*renew)(void *owner),
                              void (*meanwhile)(void *user), void *user);
/* `save` is called with an execution that waits, before its source is asked. It returns whether the
 * execution was to be saved on disk; then it has been resumed. */
void executor_save_by(struct executor *executor,
                      bool (*save)(void *user, struct execution *execution));
void executor_free(struct executor *executor); /* NULL is allowed, also below */

/* Runs these sources until none of them has a plan left. */
void executor_run(struct executor *executor, struct plan_source *const *sources, guint count);

/* The session cannot continue: from now on waits only for running executions to end. */
void executor_stop(struct executor *executor);

/* The postponed answer: see execution_resume. */
bool executor_answer(struct plan_source *source, const struct choice *choice);
/* Instead of an answer: see execution_force_polls. false: nothing has changed. */
bool executor_tell_polls(struct plan_source *source);

/* Whether a plan of it has begun and has not ended. */
bool plan_source_is_busy(const struct plan_source *source);

#endif
