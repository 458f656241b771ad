/* Ranks at the end of an interleaving. Their processes are gone when the end is printed. To inspect
 * ranks that did not end by themselves (a deadlock, an error of MPI, a crash), the same
 * interleaving is run again, and kept at its end while the session stays at that stop. */
#include "debug_context.h"
#include "explorer/rank_name.h"
#include "scheduler/session/scripted_session.h"

struct remains {
	struct plan_source source;
	struct strategy strategy;
	struct debugger *debugger;
	vocabulary_run *word; /* command that needs the ranks, and its arguments */
	const char *rest;
	bool begun, there, left;
};

static struct remains *remains_of(struct plan_source *source)
{
	return (struct remains *)source;
}

static bool on_next(struct plan_source *source, struct run_request *ret_request)
{
	struct remains *remains = remains_of(source);
	struct debugger *debugger = remains->debugger;
	const GArray *made = world_choices(execution_world(debugger_execution(debugger)));

	if (remains->begun)
		return false;
	remains->begun = true;
	*ret_request = (struct run_request){
		.position = session_position(debugger_session(debugger), made,
	                                     debugger_buffering(debugger)),
		.strategy = &remains->strategy};
	session_request(debugger_session(debugger), ret_request, CALLS_FORGOTTEN)->apart = true;
	return true;
}

static bool may_go_on(const struct plan_source *source)
{
	const struct remains *remains = (const struct remains *)source;

	return !remains->left && session_may_go_on(debugger_session(remains->debugger));
}

/* All ranks have reached the end: obeys lines until the session is to go on. */
static void on_asked(struct plan_source *source, struct execution *execution)
{
	struct remains *remains = remains_of(source);
	struct debugger *debugger = remains->debugger;

	remains->there = true;
	debugger_look_at(debugger, execution);
	remains->word(debugger, remains->rest);
	debugger_read_lines(debugger);
	debugger_detach_gdbs(debugger);
	debugger_look_at(debugger, NULL);
	remains->left = true;
}

static void on_ended(struct plan_source *source, struct execution *execution)
{
	(void)source;
	session_drop(execution);
}

static const struct plan_source_type source_type = {
	.next = on_next, .may_go_on = may_go_on, .ended = on_ended, .asked = on_asked};

/* Choices that the path omits were made automatically the first time, and are again. */
static enum explorer_step on_rest(struct strategy *strategy, const struct trace *trace,
                                  const GArray *open, struct choice *ret_choice)
{
	(void)strategy;
	(void)trace;
	return strategy_take_first(open, EXPLORER_LATER, ret_choice);
}

bool debugger_brings_back(struct debugger *debugger, vocabulary_run *word, int rank,
                          const char *rest)
{
	struct remains remains = {.source.type = &source_type,
	                          .strategy = {.fills_gaps = true, .stays = true, .rest = on_rest},
	                          .debugger = debugger,
	                          .word = word,
	                          .rest = rest};

	if (debugger_state(debugger) != DEBUG_OVER
	    || debugger_processes(debugger) != debugger_execution(debugger)
	    || interleaving_verdict(debugger_execution(debugger))->record->ranks->len == 0)
		return false;
	session_drive(debugger_session(debugger), &remains.source);
	if (!remains.there)
		debugger_refuse(
			debugger,
			"rank %s did not reach that state again: back goes to where it is stopped",
			rank_name(rank));
	return true;
}
