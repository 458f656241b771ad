#include <string.h>

#include "debug_internal.h"
#include "scheduler/page/page.h"
#include "scheduler/world/matcher.h"

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

/* --- where it stands -------------------------------------------------------------------------- */

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

/* --- how it goes on ------------------------------------------------------------------------- */

static void forget_place(struct debugger *debugger)
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
		g_autofree char *line = prompt_read(debugger->prompt);

		if (!line)
			break;
		debugger_obey(debugger, line);
	}
}

/* The person decides what comes next. */
static void converse(struct debugger *debugger)
{
	debugger->goes_on = false;
	debugger_read_lines(debugger);
	debugger_detach_gdbs(debugger);
	if (!debugger->goes_on) { /* nobody says anything any more */
		debugger->leaves = true;
		debugger->begins = false;
	}
}

static void remember(struct debugger *debugger, const struct choice *choice)
{
	g_hash_table_replace(debugger->taken_before, g_memdup2(choice, sizeof(*choice)),
	                     g_memdup2(choice, sizeof(*choice)));
}

/* --- at a choice ------------------------------------------------------------------------------ */

static bool all_made(const struct debugger *debugger)
{
	const GArray *made = world_choices(world_of(debugger));
	const GArray *target = debugger_target(debugger);

	for (guint i = 0; i < target->len; i++)
		if (!choices_find(made, &g_array_index(target, struct choice, i).point))
			return false;
	return true;
}

/* Of those that are open the first that the target says nothing about. */
static struct choice first_open(const struct debugger *debugger)
{
	const GArray *open = debugger->offers->choices;

	for (guint i = 0; i < open->len; i++) {
		const struct choice *choice = &g_array_index(open, struct choice, i);

		if (!choices_find(debugger_target(debugger), &choice->point))
			return *choice;
	}
	return g_array_index(open, struct choice, 0);
}

/* One that was decided at this stop. */
static bool take_decided(struct debugger *debugger, struct choice *ret_choice)
{
	for (guint i = 0; i < debugger->decided->len; i++) {
		*ret_choice = g_array_index(debugger->decided, struct choice, i);
		if (!debugger_is_open(debugger, ret_choice))
			continue;
		g_array_remove_index(debugger->decided, i);
		return true;
	}
	return false;
}

/* Of a lock, what paths do not tell: the places that nobody else has asked for. */
static bool take_untold(const struct debugger *debugger, struct choice *ret_choice)
{
	const GArray *open = debugger->offers->choices;

	if (debugger_travels(debugger) || debugger->hits->len > 0
	    || debugger_step_is_over(debugger))
		return false;
	for (guint i = 0; i < open->len; i++) {
		*ret_choice = g_array_index(open, struct choice, i);
		if (!world_point_is_told(world_of(debugger), &ret_choice->point)
		    && !choices_find(debugger_target(debugger), &ret_choice->point))
			return true;
	}
	return false;
}

/* Whether it goes on without a word, and with what. */
static bool decide(struct debugger *debugger, struct choice *ret_choice)
{
	const GArray *open = debugger->offers->choices;

	if (open->len == 0 || debugger->hits->len > 0 || debugger_step_is_over(debugger))
		return false;
	*ret_choice = first_open(debugger);
	if (!all_made(debugger))
		return true;
	if ((debugger->exact && !debugger->finishes) || debugger->interrupted)
		return false;
	if (take_decided(debugger, ret_choice) || debugger->finishes
	    || debugger->chooser == CHOOSER_DEFAULT)
		return true;
	if (open->len == 1 && !world_holds(world_of(debugger)))
		return true; /* nobody has more to offer */
	if (debugger->chooser != CHOOSER_RANDOM)
		return false;
	*ret_choice = g_array_index(open, struct choice,
	                            g_rand_int_range(debugger->random, 0, (gint32)open->len));
	return true;
}

static void set_holds(struct debugger *debugger)
{
	const struct holds *holds = &debugger->holds;

	for (int rank = 0; rank < holds->ranks; rank++)
		if (world_held_from(world_of(debugger), rank) != holds->from[rank])
			execution_hold(debugger->execution, rank, holds->from[rank]);
}

/* On, behind a snapshot; nothing is decided, and whoever has come to a breakpoint stays there. */
static void end_pause(struct debugger *debugger)
{
	debugger->pauses = false;
	set_holds(debugger);
	execution_want_snapshot(debugger->execution);
	debugger->state = DEBUG_NOWHERE;
	debugger->execution = NULL;
	driver_answer(&debugger->source, NULL);
}

/* `choice` NULL: nothing is decided, but some may go on who were held. */
static void answer(struct debugger *debugger, const struct choice *choice)
{
	if (choice)
		remember(debugger, choice);
	set_holds(debugger);
	g_array_set_size(debugger->hits, 0);
	g_clear_pointer(&debugger->offers, offers_free);
	debugger->state = DEBUG_NOWHERE;
	debugger->execution = NULL;
	if (!driver_answer(&debugger->source, choice))
		debugger_tell(debugger, "that cannot be chosen here\n");
}

/* The place is left for another, and was to be kept: behind a snapshot. */
static bool parks_first(struct debugger *debugger)
{
	if (!debugger->keeps || !debugger->begins)
		return false;
	g_clear_pointer(&debugger->offers, offers_free);
	debugger->state = DEBUG_NOWHERE;
	debugger->leaves = debugger->keeps = false;
	debugger->parks = true;
	execution_want_snapshot(debugger->execution);
	debugger->execution = NULL;
	return driver_answer(&debugger->source, NULL);
}

static void stop_at_rest(struct debugger *debugger)
{
	bool held = world_holds(world_of(debugger)) || debugger->hits->len > 0
	            || debugger->offers->choices->len == 0; /* in a call that never returns */
	struct position *here = debugger_here(debugger, held);
	struct choice choice;

	debugger->exact = debugger->interrupted = debugger->finishes = debugger->keeps = false;
	stops_arrive(debugger->stops, here, false);
	session_keep_snapshots(debugger->session, debugger_needs, debugger);
	g_array_set_size(debugger->decided, 0);
	debugger_tell_stop(debugger);
	converse(debugger);
	if (debugger->leaves) {
		if (!parks_first(debugger))
			forget_place(debugger);
		return;
	}
	if (debugger->keeps)
		execution_want_snapshot(debugger->execution);
	choice = debugger->takes_first ? g_array_index(debugger->offers->choices, struct choice, 0)
	                               : (struct choice){0};
	if (take_decided(debugger, &choice) || debugger->takes_first)
		answer(debugger, &choice);
	else
		answer(debugger, NULL);
}

/* It is there; from now on only the choices count. */
static void forget_cut(struct debugger *debugger)
{
	struct position *before = debugger->target;

	debugger->target = session_position(debugger->session, position_path(before)->choices,
	                                    debugger->buffering);
	position_free(before);
}

/* On the way to a cut, everybody stands still: what was decided by nobody (a poll that heard "no"
 * for want of anything else) comes again as it came before. false: it goes on. */
static bool has_arrived(struct debugger *debugger)
{
	bool there = holds_is_there(world_of(debugger), debugger->target);
	struct choice choice;

	if (!there && driver_tell_polls(&debugger->source)) {
		g_clear_pointer(&debugger->offers, offers_free);
		debugger->state = DEBUG_NOWHERE;
		debugger->execution = NULL;
		return false;
	}
	if (!there && debugger_fill_gap(debugger, &choice)) {
		answer(debugger, &choice);
		return false;
	}
	if ((!there || !all_made(debugger)) && debugger_turn_back(debugger)) {
		forget_place(debugger);
		return false;
	}
	forget_cut(debugger);
	if (debugger->coming.number > 0)
		g_array_append_val(debugger->hits, debugger->coming);
	return true;
}

static void on_asked(struct plan_source *source, struct execution *execution)
{
	struct debugger *debugger = debugger_of(source);
	struct world *world = execution_world(execution);
	struct verdict_facts facts;
	GArray *open = world_open_choices(world);
	struct choice choice;
	bool arrives;

	debugger_end_interruption(debugger);
	if (debugger->parks) {
		debugger->parks = false;
		debugger->leaves = true;
		return;
	}
	debugger->execution = execution;
	debugger->state = DEBUG_CHOICE;
	if (debugger->pauses) {
		end_pause(debugger);
		return;
	}
	facts = debugger_facts(debugger);
	debugger->offers = offers_new(&facts, open);
	open_choices_free(open);
	arrives = debugger_travels(debugger)
	          || (debugger->exact && !debugger->finishes && all_made(debugger));
	if (take_untold(debugger, &choice)) {
		answer(debugger, &choice);
		return;
	}
	if (debugger_travels(debugger) && !has_arrived(debugger))
		return;
	if (arrives)
		holds_arrive(&debugger->holds, execution_world(execution));
	if (!arrives && decide(debugger, &choice))
		answer(debugger, &choice);
	else
		stop_at_rest(debugger);
}

/* --- at the end ------------------------------------------------------------------------------- */

/* The same interleaving counts once, however often somebody comes by. */
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
	converse(debugger);
	forget_place(debugger);
}

static void stop_lost(struct debugger *debugger, struct execution *execution)
{
	debugger_tell(debugger, "stopped: lost\n  the program does not follow these choices: %s\n",
	              execution_result(execution)->lost);
	session_drop(execution);
	if (debugger->origin)
		debugger_go_back_to_origin(debugger);
	else
		converse(debugger);
}

static void on_ended(struct plan_source *source, struct execution *execution)
{
	struct debugger *debugger = debugger_of(source);
	const struct run_result *result = execution_result(execution);

	debugger_end_interruption(debugger);
	debugger->leaves = debugger->interrupted = debugger->pauses = false;
	if (result->cut_short) { /* for another, maybe: what was asked of that stands */
		session_drop(execution);
		return;
	}
	debugger->exact = false;
	if (result->lost) {
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

/* --- a source of plans ------------------------------------------------------------------------ */

static struct position *position_meant(const struct debugger *debugger)
{
	struct position *position = position_copy(debugger->target);
	bool held = debugger_travels(debugger) || !debugger->exact;

	for (int rank = 0; held && rank < debugger->holds.ranks; rank++)
		position_cut(position, rank, debugger->holds.from[rank]);
	return position;
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
	ret_request->stacks_on = breakpoints_want_stacks(debugger->breakpoints) || debugger->page
	                         || debugger->interpreted;
	g_array_set_size(debugger->hits, 0);
	session_request(debugger->session, ret_request, CALLS_KEPT)->apart = true;
	return true;
}

static bool may_go_on(const struct plan_source *source)
{
	const struct debugger *debugger = (const struct debugger *)source;

	return !debugger->leaves && session_may_go_on(debugger->session);
}

static const struct plan_source_type source_type = {
	.next = on_next, .may_go_on = may_go_on, .ended = on_ended, .asked = on_asked};

/* Whatever is open is decided when the driver asks. */
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
	    || debugger_travels(debugger)) /* maybe in a call that never returns */
		return EXPLORER_LATER;
	return open->len == 0 ? EXPLORER_DONE : EXPLORER_LATER;
}

static bool needs_nothing(const struct strategy *strategy, const GArray *choices)
{
	(void)strategy;
	(void)choices;
	return false;
}

/* --- all of it -------------------------------------------------------------------------------- */

static guint point_of_choice_hash(gconstpointer choice)
{
	return point_key_hash(&((const struct choice *)choice)->point);
}

static int point_of_choice_equal(gconstpointer one, gconstpointer other)
{
	return point_equal(&((const struct choice *)one)->point,
	                   &((const struct choice *)other)->point);
}

static void debugger_init(struct debugger *debugger, struct session *session,
                          struct debug_session *asked)
{
	const struct debug_request *request = &asked->request;

	debugger->source.type = &source_type;
	debugger->strategy = (struct strategy){.fills_gaps = true,
	                                       .stays = true,
	                                       .rest = on_rest,
	                                       .needs = needs_nothing,
	                                       .called = debugger_see_call};
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
	debugger->inside = g_new0(const struct wire_inside *, request->ranks);
	debugger->decided = choices_new();
	debugger->target = session_position(session, debugger->decided, debugger->buffering);
	debugger->taken_before = g_hash_table_new_full(point_of_choice_hash, point_of_choice_equal,
	                                               g_free, g_free);
	debugger->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	debugger->gdbs = g_new0(struct gdb *, request->ranks);
	debugger->random = g_rand_new_with_seed(0);
	holds_init(&debugger->holds, request->ranks);
	debugger->breakpoints = breakpoints_new(request->ranks);
	debugger->hits = g_array_new(false, false, sizeof(struct debug_hit));
	debugger->stepped = -1;
	debugger->checkpoints = checkpoints_new();
	debugger->gdb_rank = gdb_rank_new();
	debugger->said = g_string_new(NULL);
	debugger->outcomes = g_ptr_array_new_with_free_func(g_free);
	debugger->decoders = decoders_new();
}

static void debugger_release(struct debugger *debugger)
{
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
	debugger_end_gdbs(debugger);
	g_clear_pointer(&debugger->gdbs, g_free);
	g_free(debugger->last);
	g_string_free(debugger->said, true);
	g_ptr_array_unref(debugger->outcomes);
	decoders_free(debugger->decoders);
	if (debugger->onward)
		g_ptr_array_unref(debugger->onward);
}

/* To where the session begins; what lies before can be gone back to. */
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
	if (prompt_is_typed(debugger->prompt))
		debugger_tell(debugger,
		              "run starts the program on %d ranks%s; help tells the words\n",
		              debugger->asked->request.ranks,
		              debugger->buffering == BUFFERING_ZERO
		                      ? ", where sends wait until they are received "
		                        "(--buffering infinite: they do not)"
		                      : "");
	converse(debugger);
}

/* The page that is asked for, if one is. */
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
	if (open_page(&debugger, &asked->error)
	    && (!request->script
	        || prompt_add_script(debugger.prompt, request->script, &asked->error))) {
		if (request->path)
			go_along(&debugger, request->path->choices, request->stands_before);
		else
			begin_empty(&debugger);
		while (debugger.begins && session_may_go_on(session)) {
			debugger.leaves = false;
			session_drive(session, &debugger.source);
		}
	}
	asked->debugger = NULL;
	debugger_release(&debugger);
}
