#include <string.h>

#include "debug_control.h"
#include "debug_internal.h"
#include "debug_words.h"
#include "scheduler/page/page.h"
#include "value_numbers.h"

static struct debugger *debugger_of(struct plan_source *source)
{
	return (struct debugger *)source;
}

static const struct world *world_of(const struct debugger *debugger)
{
	return execution_world(debugger->execution);
}

static GArray *choices_new(void)
{
	return g_array_new(false, false, sizeof(struct choice));
}

/* --- the position ----------------------------------------------------------------------------- */

bool debugger_is_open(const struct debugger *debugger, const struct choice *choice)
{
	const GArray *open = debugger->offers->choices;

	for (guint i = 0; i < open->len; i++)
		if (choice_equal(&g_array_index(open, struct choice, i), choice))
			return true;
	return false;
}

bool debugger_step_is_over(const struct debugger *debugger)
{
	const struct holds *holds = &debugger->holds;
	enum world_phase phase;

	if (holds->stepping < 0)
		return false;
	phase = world_phase(world_of(debugger), holds->stepping);
	return world_calls(world_of(debugger), holds->stepping) >= holds->step_to
	       || phase == PHASE_STOPPED || phase == PHASE_ENDED;
}

void debugger_tell_stop(struct debugger *debugger)
{
	GString *text = g_string_new(NULL);
	const char *reason = session_reruns_because(debugger->session);

	debugger_wait_for_gdb(debugger);
	if (reason && !debugger->reruns_told) {
		debugger->reruns_told = true;
		g_string_append_printf(text,
		                       "going back takes a run of the program each time, since "
		                       "snapshots are not safe here: %s\n",
		                       reason);
	}
	debugger_append_stop(debugger, text);
	prompt_tell(debugger->prompt, text->str);
	g_string_free(text, true);
}

/* --- going on --------------------------------------------------------------------------------- */

void debugger_forget_place(struct debugger *debugger)
{
	g_clear_pointer(&debugger->offers, offers_free);
	if (debugger->state == DEBUG_OVER)
		session_drop(debugger->execution);
	debugger->execution = NULL;
	debugger->state = DEBUG_NOWHERE;
}

void debugger_read_lines(struct debugger *debugger)
{
	while (!debugger->goes_on) {
		g_autofree char *line = debugger->again ? g_steal_pointer(&debugger->again)
		                                        : prompt_read(debugger->prompt);

		if (!line)
			break;
		debugger_obey(debugger, line);
	}
	debugger_leave_past(debugger);
}

void debugger_converse(struct debugger *debugger)
{
	debugger->goes_on = false;
	debugger_read_lines(debugger);
	debugger_detach_gdbs(debugger);
	if (!debugger->goes_on) { /* there are no more lines */
		debugger->leaves = true;
		debugger->begins = false;
	}
}

/* --- the end ---------------------------------------------------------------------------------- */

/* The same interleaving is counted once, even if the session comes to it again. */
static void account(struct debugger *debugger)
{
	const struct record_execution *record = interleaving_verdict(debugger->execution)->record;

	if (g_hash_table_add(debugger->known, g_strdup(record->path)))
		session_account(debugger->session, debugger->execution);
}

static void stop_at_end(struct debugger *debugger)
{
	const struct verdict *verdict = interleaving_verdict(debugger->execution);

	debugger->state = DEBUG_OVER;
	debugger->asked->end = verdict->findings->len > 0 ? DEBUG_WENT_WRONG : DEBUG_ENDED_WELL;
	stops_arrive(debugger->stops, debugger_here(debugger, false), true);
	debugger_tell_stop(debugger);
	account(debugger);
	debugger_converse(debugger);
	debugger_forget_place(debugger);
}

static void stop_lost(struct debugger *debugger, struct execution *execution)
{
	debugger_tell(debugger, "stopped: lost\n  the program does not follow these choices: %s\n",
	              execution_result(execution)->lost);
	session_drop(execution);
	if (debugger->origin)
		debugger_go_back_to_origin(debugger);
	else
		debugger_converse(debugger);
}

static void on_ended(struct plan_source *source, struct execution *execution)
{
	struct debugger *debugger = debugger_of(source);
	const struct run_result *result = execution_result(execution);

	debugger_end_interruption(debugger);
	debugger->leaves = debugger->interrupted = debugger->pauses = false;
	if (result->discard
	    == DISCARD_CUT_SHORT) { /* perhaps for another interleaving: its target stays */
		session_drop(execution);
		return;
	}
	debugger->exact = false;
	if (result->discard == DISCARD_LOST) {
		stop_lost(debugger, execution);
		return;
	}
	if (!interleaving_verdict(execution)->record) {
		session_drop(execution);
		return;
	}
	debugger->execution = execution;
	stop_at_end(debugger);
}

/* --- interruption ----------------------------------------------------------------------------- */

/* Ctrl-C while the ranks run: prints where each rank is, and reads lines while they go on. Whatever
 * they reach next is a stop. */
static void tell_running(struct debugger *debugger)
{
	const struct verdict_facts facts = debugger_facts(debugger);
	g_autoptr(GPtrArray) roll_call = verdict_roll_call(&facts);
	GString *text = g_string_new("\nstopped: interrupted\n");

	telling_ranks(text, roll_call, -1);
	prompt_tell(debugger->prompt, text->str);
	g_string_free(text, true);
}

void debugger_ask_no_more(struct debugger *debugger)
{
	prompt_ask_no_more(debugger->prompt);
}

void debugger_ask_while_running(struct debugger *debugger)
{
	tell_running(debugger);
	prompt_ask(debugger->prompt);
}

void debugger_said(void *user, char *line)
{
	struct debugger *debugger = user;
	struct execution *execution = debugger->execution = debugger->source.execution;

	debugger->goes_on = !line || !execution;
	if (!line)
		debugger->leaves = true; /* and nothing else begins */
	else if (execution)
		debugger_obey(debugger, line);
	g_free(line);
	if (!debugger->goes_on)
		return;
	debugger_end_interruption(debugger);
	if (debugger->leaves && execution)
		execution_cut_short(execution);
}

void debugger_end_interruption(struct debugger *debugger)
{
	if (debugger->state != DEBUG_RUNNING)
		return;
	prompt_ask_no_more(debugger->prompt);
	debugger->execution = NULL;
	debugger->state = DEBUG_NOWHERE;
}

bool debugger_interrupted(void *debug_session)
{
	struct debugger *debugger = ((struct debug_session *)debug_session)->debugger;

	if (!debugger || !prompt_is_terminal(debugger->prompt))
		return false;
	if (debugger->helper) /* the helper process has received it, too */
		return true;
	if (debugger_interrupt_past(debugger))
		return true;
	return prompt_clear(debugger->prompt) || debugger_interrupt(debugger);
}

bool debugger_interrupt(struct debugger *debugger)
{
	if (debugger->helper) {
		helper_interrupt(debugger->helper);
		return true;
	}
	if (debugger->state != DEBUG_NOWHERE || !debugger->source.execution)
		return false;
	debugger->execution = debugger->source.execution;
	debugger->state = DEBUG_RUNNING;
	debugger->interrupted = true;
	debugger_ask_while_running(debugger);
	return true;
}

/* --- a source of plans ------------------------------------------------------------------------ */

static struct position *position_meant(const struct debugger *debugger)
{
	struct position *position = position_copy(debugger->target);
	bool held = debugger_travels(debugger) || !debugger->exact;

	for (int rank = 0; held && rank < debugger->holds.ranks; rank++)
		position_cut(position, rank, debugger->holds.from[rank]);
	return position;
}

/* Whether ranks may go on without orders on the way. They then look for their messages themselves.
 * With many more ranks than processors, that takes time from the ranks they wait for. */
static bool arrives_by_itself(const struct debugger *debugger)
{
	enum { RANKS_A_PROCESSOR = 4 };

	return debugger_travels(debugger) && debugger->certain
	       && (guint)debugger->holds.ranks <= RANKS_A_PROCESSOR * g_get_num_processors();
}

static bool on_next(struct plan_source *source, struct run_request *ret_request)
{
	struct debugger *debugger = debugger_of(source);

	debugger_go_onward(debugger);
	if (!debugger->begins)
		return false;
	debugger->begins = false;
	debugger->asked->end = DEBUG_NOT_ENDED;
	if (debugger_travels(debugger) || debugger->exact)
		holds_travel(&debugger->holds, debugger->target);
	*ret_request = (struct run_request){.position = position_meant(debugger),
	                                    .strategy = &debugger->strategy};
	ret_request->arrives = arrives_by_itself(debugger);
	ret_request->saves = !debugger_travels(debugger)
	                     && session_saves(debugger->session, debugger->buffering);
	ret_request->stacks_on = breakpoints_want_stacks(debugger->breakpoints) || debugger->page
	                         || debugger->interpreted;
	g_array_set_size(debugger->hits, 0);
	session_request(debugger->session, ret_request, CALLS_KEPT)->apart = true;
	return true;
}

static void on_asked(struct plan_source *source, struct execution *execution)
{
	debugger_come_to_rest(debugger_of(source), execution);
}

static bool may_go_on(const struct plan_source *source)
{
	const struct debugger *debugger = (const struct debugger *)source;

	return !debugger->leaves && session_may_go_on(debugger->session);
}

static const struct plan_source_type source_type = {
	.next = on_next, .may_go_on = may_go_on, .ended = on_ended, .asked = on_asked};

/* Every open choice is decided when the driver asks. */
static enum explorer_step on_rest(struct strategy *strategy, const struct trace *trace,
                                  const GArray *open, struct choice *ret_choice)
{
	const struct debugger *debugger =
		(const struct debugger *)((char *)strategy - offsetof(struct debugger, strategy));

	(void)trace;
	(void)ret_choice;
	if (!open)
		return EXPLORER_DROP;
	if (debugger->hits->len > 0
	    || debugger_travels(debugger)) /* perhaps in a call that never returns */
		return EXPLORER_LATER;
	return open->len == 0 ? EXPLORER_DONE : EXPLORER_LATER;
}

/* --- the session ------------------------------------------------------------------------------ */

static guint point_of_choice_hash(gconstpointer choice)
{
	return point_key_hash(&((const struct choice *)choice)->point);
}

static int point_of_choice_equal(gconstpointer one, gconstpointer other)
{
	return point_equal(&((const struct choice *)one)->point,
	                   &((const struct choice *)other)->point);
}

static void on_pickles_fail(void *debugger, const char *reason)
{
	debugger_tell(debugger, "%s\n", reason);
}

static void debugger_init(struct debugger *debugger, struct session *session,
                          struct debug_session *asked)
{
	const struct debug_request *request = &asked->request;

	debugger->source.type = &source_type;
	debugger->strategy = (struct strategy){
		.fills_gaps = true, .stays = true, .rest = on_rest, .called = debugger_see_call};
	debugger->session = session;
	debugger->asked = asked;
	debugger->buffering = request->buffering;
	debugger->interpreted = debugger_is_interpreted(debugger);
	debugger->owner = (struct prompt_owner){.complete = debugger_complete,
	                                        .said = debugger_said,
	                                        .waits = debugger_show,
	                                        .shown = debugger_shown,
	                                        .user = debugger};
	debugger->prompt = prompt_new(session, request->batch && request->script, &debugger->owner);
	debugger->stops = stops_new();
	debugger->inside = g_new0(const struct wire_blocking_call *, request->ranks);
	debugger->decided = choices_new();
	debugger->target = session_position(session, debugger->decided, debugger->buffering);
	debugger->taken_before = g_hash_table_new_full(point_of_choice_hash, point_of_choice_equal,
	                                               g_free, g_free);
	debugger->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	debugger->gdbs = g_new0(struct gdb *, request->ranks);
	debugger->values = value_numbers_new();
	debugger->random = g_rand_new_with_seed(0);
	holds_init(&debugger->holds, request->ranks);
	debugger->breakpoints = breakpoints_new(request->ranks);
	debugger->hits = g_array_new(false, false, sizeof(struct debug_hit));
	debugger->stepped = -1;
	debugger->checkpoints = checkpoints_new();
	debugger->gdb_rank = gdb_rank_new();
	debugger->questions = g_ptr_array_new();
	debugger->past = debug_past_new(debugger);
	debugger->said = g_string_new(NULL);
	debugger->outcomes = g_ptr_array_new_with_free_func(g_free);
	debugger->decoders = decoders_new();
	debugger->pickles = pickles_new(on_pickles_fail, debugger);
}

static void debugger_release(struct debugger *debugger)
{
	debug_control_free(debugger->control);
	page_free(debugger->page);
	prompt_free(debugger->prompt);
	stops_free(debugger->stops);
	offers_free(debugger->offers);
	position_free(debugger->target);
	g_array_unref(debugger->decided);
	g_hash_table_unref(debugger->taken_before);
	g_hash_table_unref(debugger->known);
	g_rand_free(debugger->random);
	holds_release(&debugger->holds);
	breakpoints_free(debugger->breakpoints);
	g_array_unref(debugger->hits);
	g_clear_pointer(&debugger->origin, stop_free);
	checkpoints_free(debugger->checkpoints);
	g_free(debugger->inside);
	gdb_rank_free(debugger->gdb_rank);
	debugger_forget_debuggees(debugger);
	debugger_end_gdbs(debugger);
	g_clear_pointer(&debugger->gdbs, g_free);
	g_clear_pointer(&debugger->values, value_numbers_free);
	g_free(debugger->last);
	g_string_free(debugger->said, true);
	g_ptr_array_unref(debugger->outcomes);
	decoders_free(debugger->decoders);
	pickles_free(debugger->pickles);
	debugger_forget_apart(debugger);
	g_free(debugger->again);
	debug_past_free(debugger->past);
}

/* Goes to where the session begins. Stops before it can be gone back to. */
static void go_along(struct debugger *debugger, const GArray *choices, guint count)
{
	g_autoptr(GArray) before = choices_new();

	for (guint i = 0; i < count; i++) {
		stops_arrive(debugger->stops,
		             session_position(debugger->session, before, debugger->buffering),
		             false);
		g_array_append_val(before, g_array_index(choices, struct choice, i));
	}
	debugger_go(debugger, before);
}

/* Nothing has been started yet. */
static void begin_empty(struct debugger *debugger)
{
	if (prompt_is_typed(debugger->prompt) && !debugger->asked->input.lines)
		debugger_tell(debugger,
		              "run starts the program on %d ranks%s; help lists the commands\n",
		              debugger->asked->request.ranks,
		              debugger->buffering == BUFFERING_ZERO
		                      ? ", where sends wait until they are received (--buffering "
		                        "infinite: they do not)"
		                      : "");
	debugger_converse(debugger);
}

/* Opens the page, if requested. */
static bool open_page(struct debugger *debugger, GError **error)
{
	if (!debugger->asked->request.web || !session_loop(debugger->session))
		return true;
	debugger->page = debugger_new_page(debugger, error);
	if (!debugger->page)
		return false;
	prompt_share(debugger->prompt);
	debugger_tell(debugger, "page: %s\n", page_url(debugger->page));
	return true;
}

void debug_conduct(struct session *session, void *debug_session)
{
	struct debug_session *asked = debug_session;
	const struct debug_request *request = &asked->request;
	struct debugger debugger = {0};

	debugger_init(&debugger, session, asked);
	asked->debugger = &debugger;
	debugger.control = debug_control_new(&debugger);
	if (open_page(&debugger, &asked->error)
	    && (!request->script
	        || prompt_add_script(debugger.prompt, request->script, &asked->error))) {
		prompt_repeat(debugger.prompt, &asked->input);
		if (request->position)
			debugger_go_to(&debugger, request->position);
		else if (request->path)
			go_along(&debugger, request->path->choices, request->stands_before);
		else
			begin_empty(&debugger);
		while (debugger.begins && session_may_go_on(session)) {
			debugger.leaves = false;
			session_drive(session, &debugger.source);
		}
	}
	asked->debugger = NULL;
	prompt_take_input(debugger.prompt, &asked->input);
	debugger_release(&debugger);
}

const struct vocabulary_word *debugger_words(void)
{
	return debug_vocabulary;
}
