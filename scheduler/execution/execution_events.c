/* Sends the events of an execution to the sinks (events.h). */
#include "runs_context.h"
#include "scheduler/snapshot/snapshot.h"

static void on_step(void *user, const struct world_step *step)
{
	const struct execution *execution = user;

	events_emit_step(runs_events(execution_runs(execution)), execution_number(execution),
	                 execution_world(execution), step);
}

void execution_emit_begin(const struct execution *execution)
{
	struct events *events = runs_events(execution_runs(execution));
	const struct snapshot *from = execution_from(execution);
	struct run_event event = {.kind = RUN_BEGIN,
	                          .number = execution_number(execution),
	                          .world = execution_world(execution)};

	if (from) {
		event.restored = true;
		event.from = from->number;
	}
	events_emit(events, &event);
	if (events_want_steps(events))
		world_watch(execution_world(execution), on_step);
}

static const char *reason_of(const struct execution *execution)
{
	const struct run_result *result = execution_result(execution);

	if (result->cut_short)
		return "it is cut short";
	if (result->struck)
		return "something outside has ended it";
	if (result->lost)
		return result->lost;
	if (result->known)
		return "it ends like an earlier random walk";
	if (result->returned)
		return "it is back in an earlier state: from there, all goes on as it did";
	if (result->wasted)
		return "it does not count as an interleaving";
	return result->word ? result->word : "it has to begin again";
}

void execution_emit_stop(const struct execution *execution)
{
	events_emit(runs_events(execution_runs(execution)),
	            &(struct run_event){.kind = RUN_STOP,
	                                .number = execution_number(execution),
	                                .world = execution_world(execution),
	                                .text = reason_of(execution)});
}

void execution_emit_refused(const struct execution *execution, const char *why)
{
	events_emit(runs_events(execution_runs(execution)),
	            &(struct run_event){.kind = RUN_REFUSED,
	                                .number = execution_number(execution),
	                                .world = execution_world(execution),
	                                .text = why});
}
