/* What happens in an execution, for those who listen (events.h). */
#include "frozen.h"
#include "runs_context.h"

static void on_step(void *user, const struct world_step *step)
{
	struct execution *execution = user;

	events_tell_step(runs_events(execution->runs), execution->number, execution->world, step);
}

void execution_tell_beginning(const struct execution *execution)
{
	struct events *events = runs_events(execution->runs);
	struct run_event event = {
		.kind = RUN_BEGIN, .number = execution->number, .world = execution->world};

	if (execution->from) {
		event.restored = true;
		event.from = execution->from->number;
	}
	events_tell(events, &event);
	if (events_want_steps(events))
		world_watch(execution->world, on_step);
}

static const char *reason_of(const struct execution *execution)
{
	if (execution->result.cut_short)
		return "it is cut short";
	if (execution->result.struck)
		return "it was struck from outside";
	if (execution->result.lost)
		return execution->result.lost;
	if (execution->result.known)
		return "it goes as another walk did";
	if (execution->result.wasted)
		return "it is no interleaving of its own";
	return execution->result.word ? execution->result.word : "it is to be begun again";
}

void execution_tell_stop(const struct execution *execution)
{
	events_tell(runs_events(execution->runs),
	            &(struct run_event){.kind = RUN_STOP,
	                                .number = execution->number,
	                                .world = execution->world,
	                                .text = reason_of(execution)});
}

void execution_tell_refused(const struct execution *execution, const char *why)
{
	events_tell(runs_events(execution->runs), &(struct run_event){.kind = RUN_REFUSED,
	                                                              .number = execution->number,
	                                                              .world = execution->world,
	                                                              .text = why});
}
