/* The session in a browser (scheduler/page/). Lines from pages are obeyed like lines of the prompt;
 * pages show the prompt's output and the state of the ranks. */
#include "debug_context.h"
#include "debug_control.h"
#include "explorer/rank_name.h"
#include "prompt.h"
#include "scheduler/page/page.h"
#include "scheduler/store/finding_kind.h"
#include "stops.h"
#include "telling.h"

static void on_said(void *user, char *line)
{
	prompt_say(debugger_prompt(user), line);
}

static void on_interrupted(void *user)
{
	debugger_interrupt(user);
}

/* Where each rank has ended; NULL: the interleaving goes on. */
static const GPtrArray *ends_of(const struct debugger *debugger)
{
	const GPtrArray *ranks;

	if (debugger_state(debugger) != DEBUG_OVER)
		return NULL;
	ranks = interleaving_verdict(debugger_execution(debugger))->record->ranks;
	return ranks->len > 0 ? ranks : NULL;
}

static void follow(struct debugger *debugger, struct execution *execution)
{
	const struct verdict_facts facts = debugger_facts_of(debugger, execution);

	page_follow(debugger_page(debugger), execution_number(execution), &facts,
	            session_stacks(debugger_session(debugger)), ends_of(debugger));
}

/* Called while the ranks run. */
static void on_look(void *user)
{
	struct debugger *debugger = user;
	struct execution *execution = debugger_runs(debugger);

	if (debugger_state(debugger) == DEBUG_NOWHERE && execution
	    && execution_is_running(execution))
		follow(debugger, execution);
}

static char *on_contents(void *user, int rank, guint32 call)
{
	struct debugger *debugger = user;
	struct execution *execution = debugger_state(debugger) == DEBUG_NOWHERE
	                                      ? debugger_runs(debugger)
	                                      : debugger_execution(debugger);
	struct verdict_facts facts;

	if (!execution)
		return NULL;
	facts = debugger_facts_of(debugger, execution);
	return debugger_contents(debugger, &facts, rank, call);
}

/* --- the stop --------------------------------------------------------------------------------- */

static void add_offer(GString *json, struct debugger *debugger, const struct record_choice *point,
                      const struct record_message *offer, guint number)
{
	const struct choice *choice = &g_array_index(debugger_offers(debugger)->choices,
	                                             struct choice, number);
	const struct verdict_facts facts = debugger_facts(debugger);
	g_autofree char *note = debugger_note(debugger, choice);
	g_autofree char *words = telling_offer(&facts, debugger_pickles(debugger), point, offer);
	g_autofree char *place = place_print(&offer->place);
	bool is_placed = offer->place.file || offer->place.function;
	g_autofree char *text = g_strdup_printf("%s%s%s%s", words, is_placed ? " (" : "",
	                                        is_placed ? place : "", is_placed ? ")" : "");

	json_separate(json);
	g_string_append_c(json, '[');
	json_add_number(json, number + 1);
	json_add_number(json, offer->answer ? point->rank : offer->source);
	json_add_number(json, offer->call);
	json_add_text(json, text);
	json_add_text(json, note);
	g_string_append_c(json, ']');
}

/* [rank, call, description, candidates: [number, rank, call, description, note]] */
static void add_point(GString *json, struct debugger *debugger, const struct record_choice *point,
                      guint *number)
{
	g_autofree char *place = place_print(&point->place);
	g_autofree char *words = g_strdup_printf("rank %s's %s, call %u, %s",
	                                         rank_name(point->rank), point->function,
	                                         point->call, place);

	json_separate(json);
	g_string_append_c(json, '[');
	json_add_number(json, point->rank);
	json_add_number(json, point->call);
	json_add_text(json, words);
	g_string_append(json, ",[");
	add_offer(json, debugger, point, &point->taken, (*number)++);
	for (guint i = 0; i < point->alternatives->len; i++)
		add_offer(json, debugger, point,
		          &g_array_index(point->alternatives, struct record_message, i),
		          (*number)++);
	g_string_append(json, "]]");
}

static void add_points(GString *json, struct debugger *debugger)
{
	const struct offers *offers = debugger_offers(debugger);
	guint number = 0;

	json_add_name(json, "points");
	g_string_append_c(json, '[');
	for (guint i = 0; i < offers->points->len; i++)
		add_point(json, debugger, offers->points->pdata[i], &number);
	g_string_append_c(json, ']');
}

/* "well": every rank ended well, and nothing wrong was seen. */
static void add_findings(GString *json, const struct debugger *debugger)
{
	g_autoptr(GPtrArray)
		shown = session_shown(debugger_session(debugger), debugger_execution(debugger));

	json_add_name(json, "well");
	g_string_append(json, shown->len == 0 ? "true" : "false");
	json_add_name(json, "findings");
	g_string_append_c(json, '[');
	for (guint i = 0; i < shown->len; i++) {
		const struct record_finding *finding = shown->pdata[i];

		json_add_text(json, finding_kind_name(finding->kind));
		json_add_text(json, finding->message);
	}
	g_string_append_c(json, ']');
	json_add_name(json, "faults");
	g_string_append_c(json, '[');
	for (guint i = 0; i < shown->len; i++)
		json_add_faults(json, shown->pdata[i]);
	g_string_append_c(json, ']');
}

/* Adds ranks that stay in their calls although they could return, or that `hold` keeps. */
static void add_held(GString *json, const struct debugger *debugger)
{
	const struct world *world = execution_world(debugger_execution(debugger));

	json_add_name(json, "held");
	g_string_append_c(json, '[');
	for (int rank = 0; rank < debugger_ranks(debugger); rank++)
		if (debugger_keeps(debugger, rank) || world_phase(world, rank) == PHASE_HELD)
			json_add_number(json, rank);
	g_string_append_c(json, ']');
}

static const char *state_name(enum debug_state state)
{
	switch (state) {
	case DEBUG_CHOICE: return "choice";
	case DEBUG_RUNNING: return "interrupted";
	case DEBUG_OVER: return "over";
	default: return "nowhere";
	}
}

static void show_stop(struct debugger *debugger)
{
	const struct stops *stops = debugger_stops(debugger);
	GString *json = g_string_new("{");

	json_add_name(json, "number");
	json_add_number(json, page_next_stop(debugger_page(debugger)));
	json_add_name(json, "state");
	json_add_text(json, state_name(debugger_state(debugger)));
	json_add_name(json, "before");
	json_add_number(json, stops_before(stops));
	json_add_name(json, "behind");
	json_add_number(json, stops_behind(stops));
	if (debugger_offers(debugger))
		add_points(json, debugger);
	if (debugger_state(debugger) == DEBUG_CHOICE)
		add_held(json, debugger);
	if (debugger_state(debugger) == DEBUG_OVER)
		add_findings(json, debugger);
	g_string_append_c(json, '}');
	page_stop(debugger_page(debugger), json->str);
	g_string_free(json, true);
}

void debugger_show(void *user, bool asks)
{
	struct debugger *debugger = user;
	struct page *page = debugger_page(debugger);

	debug_control_waits(debugger_control(debugger), asks);
	if (!page)
		return;
	if (!asks) {
		page_stop(page, "{\"state\":\"runs\"}");
		return;
	}
	if (debugger_state(debugger) != DEBUG_NOWHERE)
		follow(debugger, debugger_execution(debugger));
	show_stop(debugger);
}

void debugger_shown(void *user, const char *text)
{
	struct page *page = debugger_page(user);

	debug_control_shown(debugger_control(user), text);
	if (page)
		page_tell(page, text);
}

struct page *debugger_new_page(struct debugger *debugger, GError **error)
{
	const struct debug_request *asked = debugger_request(debugger);
	const struct page_request request = {asked->port, asked->ranks, asked->title};
	const struct page_owner owner = {on_said, on_interrupted, on_look, on_contents, debugger};

	return page_new(session_loop(debugger_session(debugger)), &request, &owner, error);
}
