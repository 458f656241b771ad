/* Sends the events of an execution to the sinks (events.h). */
#include "execution_internal.h"
#include "runs_internal.h"
#include "scheduler/snapshot/snapshot.h"

void execution_on_step(void *user, const struct world_step *step)
{
	const struct execution *execution = user;

	events_emit_step(execution->runs->options.events, execution->placement.number,
	                 execution->world, step);
}

void execution_watch_steps(const struct execution *execution)
{
	if (events_want_steps(execution->runs->options.events))
		world_watch(execution->world, execution_on_step);
}

void execution_emit_begin(const struct execution *execution)
{
	struct events *events = execution->runs->options.events;
	const struct snapshot *from = execution->placement.from;
	struct run_event event = {.kind = RUN_BEGIN,
	                          .number = execution->placement.number,
	                          .world = execution->world};

	if (from) {
		event.restored = true;
		event.from = from->number;
	}
	events_emit(events, &event);
	execution_watch_steps(execution);
}

static const char *reason_of(const struct execution *execution)
{
	const struct run_result *result = &execution->result;

	if (result->discard == DISCARD_LOST)
		return result->lost;
	if (result->word && discard_effect(result->discard) <= DISCARD_COUNTS_IF_NEW)
		return result->word;
	return discard_words(result->discard);
}

void execution_emit_stop(const struct execution *execution)
{
	events_emit(execution->runs->options.events,
	            &(struct run_event){.kind = RUN_STOP,
	                                .number = execution->placement.number,
	                                .world = execution->world,
	                                .text = reason_of(execution)});
}

void execution_emit_refused(const struct execution *execution, const char *why)
{
	events_emit(execution->runs->options.events,
	            &(struct run_event){.kind = RUN_REFUSED,
	                                .number = execution->placement.number,
	                                .world = execution->world,
	                                .text = why});
}
