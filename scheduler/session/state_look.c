#include "state_look.h"

#include "executor.h"
#include "interleaving.h"
#include "scheduler/tools/log.h"
#include "session_context.h"
#include "stored_run.h"

struct state_look {
	struct plan_source source;
	struct session *session;
	struct state_watch *watch;
	struct strategy *strategy; /* during a look */
	GArray *choices;           /* struct choice: of the last interleaving */
	GArray *several;           /* bool: which of these had alternatives */
	enum buffering buffering;  /* of it */
};

static bool look_may_go_on(const struct plan_source *source)
{
	return session_may_go_on(((const struct state_look *)source)->session);
}

static bool look_next(struct plan_source *source, struct run_request *ret_request)
{
	struct state_look *look = (struct state_look *)source;
	g_autoptr(GArray) plan = look_may_go_on(source) ? look->strategy->next(look->strategy)
	                                                : NULL;
	struct interleaving *interleaving;

	if (!plan)
		return false;
	*ret_request = (struct run_request){
		.position = session_position(look->session, plan, look->buffering),
		.strategy = look->strategy};
	interleaving = session_request(look->session, ret_request, CALLS_FORGOTTEN);
	interleaving->apart = interleaving->spare = true;
	return true;
}

static void look_ended(struct plan_source *source, struct execution *execution)
{
	(void)source;
	session_drop(execution);
}

struct state_look *state_look_new(struct session *session)
{
	static const struct plan_source_type type = {
		.next = look_next, .may_go_on = look_may_go_on, .ended = look_ended};
	const struct session_options *options = session_options(session);
	struct state_look *look = g_new0(struct state_look, 1);

	look->source.type = &type;
	look->session = session;
	look->watch = state_watch_new(options->watch_from, options->watch_left,
	                              options->watch_gain);
	look->choices = g_array_new(false, false, sizeof(struct choice));
	look->several = g_array_new(false, false, sizeof(bool));
	return look;
}

void state_look_free(struct state_look *look)
{
	if (!look)
		return;
	state_watch_free(look->watch);
	g_array_unref(look->several);
	g_array_unref(look->choices);
	g_free(look);
}

struct state_watch *state_look_watch(const struct state_look *look)
{
	return state_watch_is_over(look->watch) ? NULL : look->watch;
}

const char *state_look_reason(const struct state_look *look)
{
	return state_watch_reason(look->watch);
}

void state_look_note(struct state_look *look, const struct record_execution *execution,
                     const GArray *choices)
{
	g_array_set_size(look->choices, 0);
	g_array_append_vals(look->choices, choices->data, choices->len);
	g_array_set_size(look->several, 0);
	for (guint i = 0; i < MIN(choices->len, execution->choices->len); i++) {
		const struct record_choice *choice = execution->choices->pdata[i];
		bool several = choice->alternatives->len > 0;

		g_array_append_val(look->several, several);
	}
	look->buffering = stored_run_buffering(execution);
}

/* Of the choices of the last interleaving from the given one on, how many had alternatives. */
static guint several_from(const struct state_look *look, guint from)
{
	guint count = 0;

	for (guint i = from; i < look->several->len; i++)
		count += g_array_index(look->several, bool, i);
	return count;
}

bool state_look_now(struct state_look *look, guint64 explored, double left)
{
	struct state_probe_result result;
	gint64 since = session_now(look->session);
	struct state_probe *probe;
	guint below;
	bool pays;

	/* A limit of interleavings is one of those that are run. */
	if (session_options(look->session)->max_interleavings > 0
	    || !session_may_go_on(look->session)
	    || !state_watch_is_due(look->watch, explored, left))
		return false;
	below = several_from(look, state_watch_base(look->watch, look->choices->len));
	probe = state_watch_probe(look->watch, look->choices);
	look->strategy = strategy_probe(probe);
	session_begin_comparing(look->session);
	executor_run(session_executor(look->session), (struct plan_source *[]){&look->source}, 1);
	look->strategy->free(g_steal_pointer(&look->strategy));
	session_release_snapshots(look->session);
	pays = state_watch_judge(look->watch, probe, below);
	if (!pays)
		session_end_comparing(look->session);
	result = state_probe_result(probe);
	log_debug(LOG_SESSION,
	          "a look for equal states after %" G_GUINT64_FORMAT
	          " interleavings: %u worlds, %u states, %u without a fingerprint; %u of the last "
	          "%u had occurred before, %u choices below, %.3f s: %s",
	          explored, result.worlds, result.named, result.nameless, result.repeated,
	          result.reached, below,
	          (double)(session_now(look->session) - since) / G_TIME_SPAN_SECOND,
	          pays ? "states pay" : "the tree");
	state_probe_free(probe);
	return pays && session_may_go_on(look->session);
}
