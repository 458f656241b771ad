/* Obeys lines; commands for going on, looking and going somewhere. */
#include <string.h>

#include "debug_internal.h"
#include "debug_words.h"
#include "reports/words.h"

static char *trim(const char *rest)
{
	return g_strstrip(g_strdup(rest));
}

/* --- going on --------------------------------------------------------------------------------- */

static const char *way_on(const struct debugger *debugger)
{
	if (debugger->state == DEBUG_OVER)
		return "this interleaving is over: back goes to the previous stop, run starts "
		       "again";
	if (debugger->state == DEBUG_RUNNING)
		return "the ranks are running: continue waits for the next stop";
	return "nothing runs: run starts the program";
}

bool debugger_is_at_rest(struct debugger *debugger)
{
	if (debugger->state == DEBUG_CHOICE)
		return true;
	debugger_refuse(debugger, "%s", way_on(debugger));
	return false;
}

bool debugger_is_somewhere(struct debugger *debugger)
{
	if (debugger->state != DEBUG_NOWHERE)
		return true;
	debugger_refuse(debugger, "%s", way_on(debugger));
	return false;
}

void word_run(struct debugger *debugger, const char *rest)
{
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct choice));

	(void)rest;
	if (debugger->state != DEBUG_NOWHERE)
		holds_clear(&debugger->holds);
	debugger_go(debugger, none);
	debugger->exact = false;
}

void debugger_go_on(struct debugger *debugger, bool to_the_end)
{
	if (debugger->state == DEBUG_RUNNING)
		debugger->interrupted = false;
	else if (!debugger_is_at_rest(debugger))
		return;
	else if (debugger_await(debugger)) {
		debugger->finishes = to_the_end;
		return;
	}
	debugger->finishes = to_the_end;
	debugger->goes_on = true;
	debugger->takes_first = debugger->state == DEBUG_CHOICE && debugger->offers->points->len > 0
	                        && debugger->decided->len == 0
	                        && !holds_let_go(&debugger->holds,
	                                         execution_world(debugger->execution));
}

void word_finish(struct debugger *debugger, const char *rest)
{
	(void)rest;
	holds_continue(&debugger->holds);
	debugger_go_on(debugger, true);
}

static void refuse_walk(struct debugger *debugger, int direction)
{
	guint most = direction < 0 ? stops_before(debugger->stops) : stops_behind(debugger->stops);

	if (most == 0)
		debugger_refuse(debugger, "there is no stop %s this one%s",
		                direction < 0 ? "before" : "after",
		                direction < 0 ? "; run starts again" : "");
	else
		debugger_refuse(debugger, "there %s only %u stop%s %s this one",
		                most == 1 ? "is" : "are", most, most == 1 ? "" : "s",
		                direction < 0 ? "before" : "after");
}

static void walk(struct debugger *debugger, const char *rest, int direction)
{
	bool stands = debugger->state == DEBUG_CHOICE || debugger->state == DEBUG_OVER;
	int count = (int)debugger_read_count(debugger, rest);
	const struct stop *stop;

	if (count == 0)
		return;
	if (!stands && direction < 0)
		count--; /* the last one is the first to go back to */
	stop = stops_at(debugger->stops, direction * count);
	if (!stop) {
		refuse_walk(debugger, direction);
		return;
	}
	stops_move(debugger->stops, direction * count);
	debugger_go_to(debugger, stop->position);
}

/* As in gdb, "b MPI_Recv" sets a breakpoint. */
void word_back(struct debugger *debugger, const char *rest)
{
	if (*rest && !g_ascii_isdigit(*rest) && *rest != '-')
		word_break(debugger, rest);
	else
		walk(debugger, rest, -1);
}

void word_forward(struct debugger *debugger, const char *rest)
{
	walk(debugger, rest, 1);
}

/* --- looking ---------------------------------------------------------------------------------- */

void debugger_tell_text(struct debugger *debugger, GString *text)
{
	prompt_tell(debugger->prompt, text->str);
	g_string_free(text, true);
}

void word_choices(struct debugger *debugger, const char *rest)
{
	GString *text;
	struct verdict_facts facts;

	(void)rest;
	if (!debugger_is_at_rest(debugger))
		return;
	text = g_string_new(NULL);
	facts = debugger_facts(debugger);
	telling_points(text, debugger->offers);
	telling_offers(text, &facts, debugger->pickles, debugger->offers, debugger_note, debugger);
	debugger_tell_text(debugger, text);
}

/* Whether nothing holds a rank any more that is still where it was held, nor the rank with which it
 * returns from a collective. */
static bool is_released(const struct debugger *debugger, int rank)
{
	const struct world *world = execution_world(debugger->execution);
	int with = world_held_with(world, rank), holder = with >= 0 ? with : rank;

	return world_phase(world, holder) == PHASE_HELD
	       && debugger->holds.from[holder] == WORLD_HOLDS_NOTHING;
}

static GPtrArray *mark_released(const struct debugger *debugger, GPtrArray *ranks)
{
	const struct world *world = execution_world(debugger->execution);

	for (guint i = 0; i < ranks->len; i++) {
		struct record_rank *line = ranks->pdata[i];

		if (!world_holds_call(world, line->rank, line->call)
		    || !is_released(debugger, line->rank))
			continue;
		g_free(line->does);
		line->does = g_strdup("goes on with continue");
	}
	return ranks;
}

GPtrArray *debugger_roll_call(struct debugger *debugger)
{
	const struct verdict_facts facts = debugger_facts(debugger);
	GPtrArray *told;

	if (debugger->state != DEBUG_OVER)
		return mark_released(debugger, verdict_roll_call(&facts));
	told = interleaving_verdict(debugger->execution)->record->ranks;
	return told->len > 0 ? g_ptr_array_ref(told) : verdict_roll_call(&facts);
}

/* Appends the stack and the source of each call in which the rank waits. */
static void append_stacks(struct debugger *debugger, GString *text, const GPtrArray *roll_call,
                          int rank)
{
	for (guint i = 0; i < roll_call->len; i++) {
		const struct record_rank *line = roll_call->pdata[i];
		g_autofree char *thread = record_thread_print(line->thread);
		struct place place;

		if (line->rank != rank || (line->call == 0 && (int)i != rank))
			continue;
		if (thread)
			g_string_append_printf(text, "  %s:\n", thread);
		place = debugger_told_place(debugger, line);
		debugger_append_stack(debugger, text, rank, line->call);
		telling_source(text, &place);
	}
}

static void tell_ranks(struct debugger *debugger, int rank)
{
	g_autoptr(GPtrArray) told = NULL;
	GString *text;

	if (rank < -1 || !debugger_is_somewhere(debugger))
		return;
	text = g_string_new(NULL);
	told = debugger_roll_call(debugger);
	telling_ranks(text, told, rank);
	if (rank >= 0)
		append_stacks(debugger, text, told, rank);
	debugger_tell_text(debugger, text);
}

void word_where(struct debugger *debugger, const char *rest)
{
	int rank = debugger_read_rank(debugger, rest);

	if (rank >= 0 && debugger_is_past(debugger, rank))
		debugger_trace_past(debugger);
	else
		tell_ranks(debugger, rank);
}

void word_info_ranks(struct debugger *debugger, const char *rest)
{
	(void)rest;
	tell_ranks(debugger, -1);
}

void word_list(struct debugger *debugger, const char *rest)
{
	int rank = debugger_read_rank(debugger, rest);
	g_autoptr(GPtrArray) told = NULL;
	struct place place;
	GString *text;

	if (rank >= -1 && debugger_is_past(debugger, rank)) {
		debugger_ask_past(debugger, "list");
		return;
	}
	if (rank < -1 || !debugger_is_somewhere(debugger))
		return;
	if (rank < 0 && debugger->state == DEBUG_CHOICE && debugger->offers->points->len > 0)
		rank = ((struct record_choice *)debugger->offers->points->pdata[0])->rank;
	text = g_string_new(NULL);
	told = debugger_roll_call(debugger);
	place = debugger_told_place(debugger, told->pdata[MAX(rank, 0)]);
	telling_source(text, &place);
	debugger_tell_text(debugger, text);
}

void word_info_messages(struct debugger *debugger, const char *rest)
{
	struct verdict_facts facts;
	GString *text;

	(void)rest;
	if (!debugger_is_somewhere(debugger))
		return;
	text = g_string_new(NULL);
	facts = debugger_facts(debugger);
	telling_messages(text, &facts, debugger->pickles);
	debugger_tell_text(debugger, text);
}

char *debugger_path(struct debugger *debugger)
{
	struct verdict_facts facts;

	if (!debugger_is_somewhere(debugger))
		return NULL;
	if (debugger->state == DEBUG_OVER)
		return g_strdup(interleaving_verdict(debugger->execution)->record->path);
	facts = debugger_facts(debugger);
	return verdict_path(&facts);
}

/* Prints the path; and the position, if the path alone does not name it. */
void word_info_path(struct debugger *debugger, const char *rest)
{
	g_autofree char *path = debugger_path(debugger), *position = NULL;

	(void)rest;
	if (!path)
		return;
	position = debugger_position(execution_world(debugger->execution),
	                             debugger_stands(debugger));
	debugger_tell(debugger, "path: %s\n", path);
	if (strcmp(position, path) != 0)
		debugger_tell(debugger, "position: %s\n", position);
}

void word_info_findings(struct debugger *debugger, const char *rest)
{
	const GPtrArray *found = session_found(debugger->session);

	(void)rest;
	if (found->len == 0 && debugger->outcomes->len == 0)
		debugger_tell(debugger, "nothing so far\n");
	for (guint i = 0; i < found->len; i++) {
		const struct record_finding *finding = found->pdata[i];

		debugger_tell(debugger,
		              "finding %u: %s, in %" G_GUINT64_FORMAT
		              " interleaving%s\n  %s\n  path: %s\n",
		              finding->id, finding_kind_name(finding->kind), finding->count,
		              finding->count == 1 ? "" : "s", finding->message, finding->path);
	}
	debugger_tell_outcomes(debugger);
}

/* --- going somewhere -------------------------------------------------------------------------- */

/* The position in goto's argument; NULL: refused. */
static struct position *position_meant(struct debugger *debugger, const char *text)
{
	g_autoptr(GError) error = NULL;
	struct position *position;
	bool names;
	const char *path = debugger_found_path(debugger, text, &names);

	if (names && !path)
		return NULL;
	position = position_parse(path ? path : text, &error);
	if (!position)
		debugger_refuse(debugger, "%s; use goto mp1:n%d:... or goto finding 1",
		                error->message, debugger->asked->request.ranks);
	return position;
}

void debugger_set_buffering(struct debugger *debugger, enum buffering buffering)
{
	if (buffering == debugger->buffering)
		return;
	stops_free(debugger->stops);
	debugger->stops = stops_new();
	debugger->buffering = buffering;
}

void word_goto(struct debugger *debugger, const char *rest)
{
	g_autofree char *text = trim(rest);
	const struct debug_request *request = &debugger->asked->request;
	enum buffering buffering;
	struct position *position;
	const struct path *path;

	if (debugger_is_cut(text)) {
		debugger_go_to_calls(debugger, text);
		return;
	}
	position = position_meant(debugger, text);
	if (!position)
		return;
	path = position_path(position);
	buffering = path->buffering != BUFFERING_ANY ? path->buffering : debugger->buffering;
	if (path->ranks != request->ranks)
		debugger_refuse(debugger, "that path is for %d ranks, not %d", path->ranks,
		                request->ranks);
	else if (path->nodes != request->nodes)
		debugger_refuse(debugger, "that path is for --nodes %s: use matchpoint debug %s",
		                path->nodes ? path->nodes : "1", text);
	else if (path->collectives != COLLECTIVES_ANY
	         && path->collectives != collective_mode_under(request->collectives, buffering))
		debugger_refuse(debugger,
		                "that path is for --collectives %s: use matchpoint debug %s",
		                collective_mode_word(path->collectives), text);
	else if (position_has_cut(position))
		debugger_go_to_position(debugger, position);
	else {
		debugger_set_buffering(debugger, buffering);
		debugger_go(debugger, path->choices);
		/* its path may omit default choices */
		debugger->finishes = g_str_has_prefix(text, "finding ")
		                     || g_str_has_prefix(text, "outcome ");
	}
	position_free(position);
}

void word_source(struct debugger *debugger, const char *rest)
{
	g_autofree char *file = trim(rest);
	g_autoptr(GError) error = NULL;

	if (!*file)
		debugger_refuse(debugger, "no file given; use source FILE");
	else if (!prompt_add_script(debugger->prompt, file, &error))
		debugger_refuse(debugger, "%s", error->message);
}

void word_help(struct debugger *debugger, const char *rest)
{
	g_autofree char *problem = NULL;
	g_autofree char *text = vocabulary_help(debug_vocabulary, rest, &problem);

	if (!text)
		debugger_refuse(debugger, "%s", problem);
	else if (*rest)
		debugger_tell(debugger, "%s", text);
	else
		debugger_tell(debugger,
		              "%s  %-28s %s\n  %-28s %s\nCommands can be abbreviated. help COMMAND "
		              "shows an example.\n",
		              text, "NUMBER", "take the candidate of that number, and go on",
		              "(an empty line)", "repeat the last line");
}

void word_quit(struct debugger *debugger, const char *rest)
{
	(void)rest;
	debugger->begins = false;
	debugger->goes_on = debugger->leaves = true;
}

/* --- a line ----------------------------------------------------------------------------------- */

static void obey(struct debugger *debugger, const char *line)
{
	g_autofree char *problem = NULL;

	if (debugger_chooses(debugger, line))
		return;
	problem = vocabulary_obey(debug_vocabulary, debugger, line);
	if (problem)
		debugger_refuse(debugger, "%s", problem);
}

void debugger_obey(struct debugger *debugger, const char *line)
{
	g_autofree char *typed = trim(line);

	if (*typed == '#')
		return;
	if (*typed == '\0') {
		if (!prompt_is_typed(debugger->prompt) || !debugger->last)
			return;
		g_free(typed);
		typed = g_strdup(debugger->last);
	}
	g_free(debugger->last);
	debugger->last = g_strdup(typed);
	g_string_append_printf(debugger->said, "%s\n", typed);
	obey(debugger, typed);
}
