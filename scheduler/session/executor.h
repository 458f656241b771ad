/* Carries plans out: begins an execution (run/run.h) for each, lets all that run side by side go on
 * until something has ended, tells whose it was, and asks for the next. What cannot be carried out
 * the way it was begun (a snapshot that cannot be gone back to, a rank that something outside has
 * killed) is begun again from the choices it has made; nobody is told of that.
 *
 * Who has plans is a source: a lane of the search, random walks, the stem of shards, an
 * interleaving that is carried out once more; a person at a prompt, whose strategy answers later.
 * What a source is told it may answer by having other sources driven: the worlds of those that were
 * driven already go on meanwhile, and wait for their turn when they have ended. */
#ifndef MATCHPOINT_SCHEDULER_SESSION_EXECUTOR_H
#define MATCHPOINT_SCHEDULER_SESSION_EXECUTOR_H

#include <stdbool.h>

#include "scheduler/run/runs.h"

struct executor;
struct plan_source;

struct plan_source_type {
	/* What is to be carried out next, for an owner of its own. false: nothing, or not now: it
	 * is asked again when something that is driven with it has ended. */
	bool (*next)(struct plan_source *source, struct run_request *ret_request);
	/* Looked at when something has begun or ended. false: it is cut short, and so is all that
	 * runs for the sources that are driven with this one. */
	bool (*may_go_on)(const struct plan_source *source);
	/* What it had carried out is over, or was cut short: the source's, to be dropped. */
	void (*ended)(struct plan_source *source, struct execution *execution);
	/* The strategy has put its answer off (EXPLORER_LATER): executor_answer, now or any time.
	 * NULL: its strategies never do. */
	void (*asked)(struct plan_source *source, struct execution *execution);
};

/* The first member of whatever is a source; it carries out one plan at a time. Zero but for the
 * type; the rest is the driver's. */
struct plan_source {
	const struct plan_source_type *type;
	struct execution *execution; /* NULL: none */
	struct run_request again;    /* what is to be begun again, if there is a position in it */
	bool asked;                  /* it has been told that an answer is waited for */
};

/* `renew` (or NULL) is told the owner of what is begun again: nothing of the first time counts.
 * `meanwhile` (or NULL) is told `user` before anything is waited for: what could be begun is on its
 * way then, and there is time for what nobody waits for. */
struct executor *executor_new(struct runs *runs, void (*renew)(void *owner),
                              void (*meanwhile)(void *user), void *user);
void executor_free(struct executor *executor); /* NULL is legal, also below */

/* Drives these sources until none of them has anything more. */
void executor_run(struct executor *executor, struct plan_source *const *sources, guint count);

/* Going on has become impossible: nothing is waited for any more but the ends of what runs. */
void executor_stop(struct executor *executor);

/* The answer that was put off: see execution_resume. */
bool executor_answer(struct plan_source *source, const struct choice *choice);
/* Instead: see execution_tell_polls. false: nothing has changed. */
bool executor_tell_polls(struct plan_source *source);

/* Whether a plan of it has been begun and has not ended. */
bool plan_source_is_busy(const struct plan_source *source);

#endif
