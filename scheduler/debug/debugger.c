#include <stdarg.h>
#include <string.h>

#include "debug_internal.h"
#include "scheduler/store/finding_kind.h"
#include "scheduler/world/matcher.h"

void debugger_tell(struct debugger *debugger, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	prompt_tell(debugger->prompt, text);
}

void debugger_refuse(struct debugger *debugger, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	debugger_tell(debugger, "%s%s\n", prompt_place(debugger->prompt), text);
}

struct verdict_facts debugger_facts(struct debugger *debugger)
{
	return session_facts(debugger->session, debugger->execution, debugger->inside);
}

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

/* A place that the path of the command line leads to. */
static const struct choice *in_path(const struct debugger *debugger, const struct point *point)
{
	const struct path *path = debugger->asked->request.path;

	return path ? choices_find(path->choices, point) : NULL;
}

static void append_note(GString *text, const char *note)
{
	g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", note);
}

char *debugger_note(void *user, const struct choice *choice)
{
	const struct debugger *debugger = user;
	const struct debug_request *request = &debugger->asked->request;
	const struct record_choice *blame = request->blame;
	const struct choice *taken = g_hash_table_lookup(debugger->taken_before, choice);
	const struct choice *there = in_path(debugger, &choice->point);
	const struct choice *decided = choices_find(debugger->decided, &choice->point);
	GString *text = g_string_new(NULL);

	if (decided && taken_equal(&decided->taken, &choice->taken))
		append_note(text, "chosen");
	if (there && taken_equal(&there->taken, &choice->taken) && request->finding > 0)
		g_string_append_printf(text, "%sas in finding %u", text->len > 0 ? ", " : "",
		                       request->finding);
	else if (there && taken_equal(&there->taken, &choice->taken))
		append_note(text, "as in the path");
	if (blame && point_equal(&blame->point, &choice->point) && blame->alternatives->len > 0
	    && taken_equal(&g_array_index(blame->alternatives, struct record_message, 0).taken,
	                   &choice->taken))
		append_note(text, "ends well");
	if (taken && taken_equal(&taken->taken, &choice->taken))
		append_note(text, "taken last time");
	return g_string_free(text, text->len == 0);
}

bool debugger_is_open(const struct debugger *debugger, const struct choice *choice)
{
	const GArray *open = debugger->offers->choices;

	for (guint i = 0; i < open->len; i++)
		if (choice_equal(&g_array_index(open, struct choice, i), choice))
			return true;
	return false;
}

static void tell_choice(struct debugger *debugger, GString *text)
{
	const struct verdict_facts facts = debugger_facts(debugger);

	g_string_append(text, "stopped: choice ");
	point_append(text, &((struct record_choice *)debugger->offers->points->pdata[0])->point);
	g_string_append_c(text, '\n');
	telling_offers(text, &facts, debugger->offers, debugger_note, debugger);
}

static void tell_end(struct debugger *debugger, GString *text)
{
	const struct verdict *verdict = interleaving_verdict(debugger->execution);
	const GPtrArray *shown = verdict->findings;

	if (shown->len == 0)
		g_string_append(text, "stopped: end\n  every rank has ended well\n");
	for (guint i = 0; i < shown->len; i++) {
		const struct record_finding *finding = shown->pdata[i];

		g_string_append_printf(text, "%s %s\n", i == 0 ? "stopped: finding" : "and",
		                       finding_kind_name(finding->kind));
		telling_finding(text, finding);
	}
	telling_outputs(text, verdict->record);
}

void debugger_tell_stop(struct debugger *debugger)
{
	GString *text = g_string_new(NULL);
	const char *reason = session_reruns_because(debugger->session);

	if (reason && !debugger->reruns_told) {
		debugger->reruns_told = true;
		g_string_append_printf(text,
		                       "going back takes a run of the program each time, since "
		                       "snapshots are not safe here: %s\n",
		                       reason);
	}
	if (debugger->state == DEBUG_CHOICE)
		tell_choice(debugger, text);
	else
		tell_end(debugger, text);
	prompt_tell(debugger->prompt, text->str);
	g_string_free(text, true);
}

/* --- how it gets elsewhere -------------------------------------------------------------------- */

void debugger_go(struct debugger *debugger, const GArray *choices, guint count)
{
	GArray *target = choices_new();

	g_array_append_vals(target, choices->data, count);
	g_array_unref(debugger->target);
	debugger->target = target;
	g_array_set_size(debugger->decided, 0);
	debugger->finishes = false;
	debugger->exact = true;
	debugger->begins = debugger->goes_on = true;
	debugger->leaves = debugger->state == DEBUG_CHOICE || debugger->state == DEBUG_RUNNING;
}

/* A snapshot serves any stop that has its choices. */
static bool is_needed(const struct world *world, void *user)
{
	const struct stops *stops = ((const struct debugger *)user)->stops;
	const GArray *made = world_choices(world);

	for (int away = -(int)stops_before(stops); away <= (int)stops_behind(stops); away++) {
		const struct stop *stop = stops_at(stops, away);
		guint common = 0;

		for (guint i = 0; stop && i < made->len; i++) {
			const struct choice *choice = &g_array_index(made, struct choice, i);
			const struct choice *there = choices_find(stop->choices, &choice->point);

			common += there && choice_equal(there, choice);
		}
		if (stop && common == made->len)
			return true;
	}
	return false;
}

static void forget_place(struct debugger *debugger)
{
	g_clear_pointer(&debugger->offers, offers_free);
	if (debugger->state == DEBUG_OVER)
		session_drop(debugger->execution);
	debugger->execution = NULL;
	debugger->state = DEBUG_NOWHERE;
}

/* The person decides what comes next. */
static void converse(struct debugger *debugger)
{
	debugger->goes_on = false;
	while (!debugger->goes_on) {
		g_autofree char *line = prompt_read(debugger->prompt);

		if (!line)
			break;
		debugger_obey(debugger, line);
	}
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

	for (guint i = 0; i < debugger->target->len; i++)
		if (!choices_find(made, &g_array_index(debugger->target, struct choice, i).point))
			return false;
	return true;
}

/* Of those that are open the first that the target says nothing about. */
static struct choice first_open(const struct debugger *debugger)
{
	const GArray *open = debugger->offers->choices;

	for (guint i = 0; i < open->len; i++) {
		const struct choice *choice = &g_array_index(open, struct choice, i);

		if (!choices_find(debugger->target, &choice->point))
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

/* Whether it goes on without a word, and with what. */
static bool decide(struct debugger *debugger, struct choice *ret_choice)
{
	const GArray *open = debugger->offers->choices;

	*ret_choice = first_open(debugger);
	if (!all_made(debugger))
		return true;
	if (debugger->exact || debugger->interrupted)
		return false;
	if (take_decided(debugger, ret_choice) || debugger->finishes
	    || debugger->chooser == CHOOSER_DEFAULT || open->len == 1)
		return true;
	if (debugger->chooser != CHOOSER_RANDOM)
		return false;
	*ret_choice = g_array_index(open, struct choice,
	                            g_rand_int_range(debugger->random, 0, (gint32)open->len));
	return true;
}

static void answer(struct debugger *debugger, const struct choice *choice)
{
	remember(debugger, choice);
	g_clear_pointer(&debugger->offers, offers_free);
	debugger->state = DEBUG_NOWHERE;
	debugger->execution = NULL;
	if (!driver_answer(&debugger->source, choice))
		debugger_tell(debugger, "that cannot be chosen here\n");
}

static void stop_at_choice(struct debugger *debugger)
{
	struct choice choice;

	debugger->exact = debugger->interrupted = debugger->finishes = false;
	stops_arrive(debugger->stops, world_choices(world_of(debugger)), false);
	session_keep_snapshots(debugger->session, is_needed, debugger);
	g_array_set_size(debugger->decided, 0);
	debugger_tell_stop(debugger);
	converse(debugger);
	if (debugger->leaves) {
		forget_place(debugger);
		return;
	}
	choice = g_array_index(debugger->offers->choices, struct choice, 0);
	take_decided(debugger, &choice);
	answer(debugger, &choice);
}

static void on_asked(struct plan_source *source, struct execution *execution)
{
	struct debugger *debugger = debugger_of(source);
	struct world *world = execution_world(execution);
	struct verdict_facts facts;
	GArray *open = world_open_choices(world);
	struct choice choice;

	debugger_end_interruption(debugger);
	debugger->execution = execution;
	debugger->state = DEBUG_CHOICE;
	facts = debugger_facts(debugger);
	debugger->offers = offers_new(&facts, open);
	open_choices_free(open);
	if (decide(debugger, &choice))
		answer(debugger, &choice);
	else
		stop_at_choice(debugger);
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
	stops_arrive(debugger->stops, world_choices(world_of(debugger)), true);
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
	converse(debugger);
}

static void on_ended(struct plan_source *source, struct execution *execution)
{
	struct debugger *debugger = debugger_of(source);
	const struct run_result *result = execution_result(execution);

	debugger_end_interruption(debugger);
	debugger->leaves = debugger->exact = debugger->interrupted = false;
	if (result->lost && !result->cut_short) {
		stop_lost(debugger, execution);
		return;
	}
	if (result->cut_short || !interleaving_verdict(execution)->record) {
		session_drop(execution);
		return;
	}
	debugger->execution = execution;
	stop_at_end(debugger);
}

/* --- a source of plans ------------------------------------------------------------------------ */

static bool on_next(struct plan_source *source, struct run_request *ret_request)
{
	struct debugger *debugger = debugger_of(source);

	if (!debugger->begins)
		return false;
	debugger->begins = false;
	debugger->asked->end = DEBUG_NOT_ENDED;
	*ret_request = (struct run_request){.plan = choices_new(),
	                                    .strategy = &debugger->strategy,
	                                    .buffering = debugger->buffering};
	g_array_append_vals(ret_request->plan, debugger->target->data, debugger->target->len);
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
	(void)strategy;
	(void)trace;
	(void)ret_choice;
	if (!open)
		return EXPLORER_DROP;
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
	debugger->strategy = (struct strategy){
		.fills_gaps = true, .rest = on_rest, .needs = needs_nothing};
	debugger->session = session;
	debugger->asked = asked;
	debugger->buffering = request->buffering;
	debugger->owner = (struct prompt_owner){debugger_complete, debugger_said, debugger};
	debugger->prompt = prompt_new(session, request->batch && request->script, &debugger->owner);
	debugger->stops = stops_new();
	debugger->inside = g_new0(const struct wire_inside *, request->ranks);
	debugger->target = choices_new();
	debugger->decided = choices_new();
	debugger->taken_before = g_hash_table_new_full(point_of_choice_hash, point_of_choice_equal,
	                                               g_free, g_free);
	debugger->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	debugger->random = g_rand_new_with_seed(0);
}

static void debugger_release(struct debugger *debugger)
{
	prompt_free(debugger->prompt);
	stops_free(debugger->stops);
	offers_free(debugger->offers);
	g_array_unref(debugger->target);
	g_array_unref(debugger->decided);
	g_hash_table_unref(debugger->taken_before);
	g_hash_table_unref(debugger->known);
	g_rand_free(debugger->random);
	g_free(debugger->inside);
	g_free(debugger->last);
}

/* To where the session begins; what lies before can be gone back to. */
static void go_along(struct debugger *debugger, const GArray *choices, guint count)
{
	g_autoptr(GArray) before = choices_new();

	for (guint i = 0; i < count; i++) {
		stops_arrive(debugger->stops, before, false);
		g_array_append_val(before, g_array_index(choices, struct choice, i));
	}
	debugger_go(debugger, choices, count);
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

void debug_conduct(struct session *session, void *debug_session)
{
	struct debug_session *asked = debug_session;
	const struct debug_request *request = &asked->request;
	struct debugger debugger = {0};

	debugger_init(&debugger, session, asked);
	asked->debugger = &debugger;
	if (!request->script
	    || prompt_add_script(debugger.prompt, request->script, &asked->error)) {
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
