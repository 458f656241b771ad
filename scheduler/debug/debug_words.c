/* What each word does. */
#include <string.h>

#include "debug_internal.h"
#include "reports/words.h"

static char *trim(const char *rest)
{
	return g_strstrip(g_strdup(rest));
}

/* --- going on --------------------------------------------------------------------------------- */

static const char *way_on(const struct debugger *debugger)
{
	if (debugger->state == DEBUG_OVER)
		return "this interleaving is over: back goes to the stop before, run starts anew";
	if (debugger->state == DEBUG_RUNNING)
		return "the ranks still run: continue waits for what they come to";
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

static void run(struct debugger *debugger)
{
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct choice));

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

static void finish(struct debugger *debugger)
{
	holds_continue(&debugger->holds);
	debugger_go_on(debugger, true);
}

static void refuse_walk(struct debugger *debugger, int direction)
{
	guint most = direction < 0 ? stops_before(debugger->stops) : stops_behind(debugger->stops);

	if (most == 0)
		debugger_refuse(debugger, "there is no stop %s this one%s",
		                direction < 0 ? "before" : "behind",
		                direction < 0 ? "; run starts anew" : " that was seen");
	else
		debugger_refuse(debugger, "there %s only %u stop%s %s this one",
		                most == 1 ? "is" : "are", most, most == 1 ? "" : "s",
		                direction < 0 ? "before" : "behind");
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

/* --- looking ---------------------------------------------------------------------------------- */

void debugger_tell_text(struct debugger *debugger, GString *text)
{
	prompt_tell(debugger->prompt, text->str);
	g_string_free(text, true);
}

static void tell_choices(struct debugger *debugger)
{
	GString *text;
	struct verdict_facts facts;

	if (!debugger_is_at_rest(debugger))
		return;
	text = g_string_new(NULL);
	facts = debugger_facts(debugger);
	telling_points(text, debugger->offers);
	telling_offers(text, &facts, debugger->pickles, debugger->offers, debugger_note, debugger);
	debugger_tell_text(debugger, text);
}

/* Free with g_ptr_array_unref. */
static GPtrArray *roll_call(struct debugger *debugger)
{
	const struct verdict_facts facts = debugger_facts(debugger);
	GPtrArray *told;

	if (debugger->state != DEBUG_OVER)
		return verdict_roll_call(&facts);
	told = interleaving_verdict(debugger->execution)->record->ranks;
	return told->len > 0 ? g_ptr_array_ref(told) : verdict_roll_call(&facts);
}

static void tell_ranks(struct debugger *debugger, int rank)
{
	g_autoptr(GPtrArray) told = NULL;
	struct place place;
	GString *text;

	if (rank < -1 || !debugger_is_somewhere(debugger))
		return;
	text = g_string_new(NULL);
	told = roll_call(debugger);
	telling_ranks(text, told, rank);
	if (rank >= 0) {
		place = debugger_told_place(debugger, told->pdata[rank]);
		debugger_append_stack(debugger, text, rank);
		telling_source(text, &place);
	}
	debugger_tell_text(debugger, text);
}

static void list(struct debugger *debugger, int rank)
{
	g_autoptr(GPtrArray) told = NULL;
	struct place place;
	GString *text;

	if (rank < -1 || !debugger_is_somewhere(debugger))
		return;
	if (rank < 0 && debugger->state == DEBUG_CHOICE && debugger->offers->points->len > 0)
		rank = ((struct record_choice *)debugger->offers->points->pdata[0])->rank;
	text = g_string_new(NULL);
	told = roll_call(debugger);
	place = debugger_told_place(debugger, told->pdata[MAX(rank, 0)]);
	telling_source(text, &place);
	debugger_tell_text(debugger, text);
}

static void tell_messages(struct debugger *debugger)
{
	struct verdict_facts facts;
	GString *text;

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

/* And the position, where the path does not tell it alone. */
static void tell_path(struct debugger *debugger)
{
	g_autofree char *path = debugger_path(debugger), *position = NULL;

	if (!path)
		return;
	position = debugger_position(execution_world(debugger->execution),
	                             debugger_stands(debugger));
	debugger_tell(debugger, "path: %s\n", path);
	if (strcmp(position, path) != 0)
		debugger_tell(debugger, "position: %s\n", position);
}

static void tell_findings(struct debugger *debugger)
{
	const GPtrArray *found = session_found(debugger->session);

	if (found->len == 0 && debugger->outcomes->len == 0)
		debugger_tell(debugger, "nothing so far\n");
	for (guint i = 0; i < found->len; i++) {
		const struct record_finding *finding = found->pdata[i];

		debugger_tell(debugger, "finding %u: %s, in %u interleaving%s\n  %s\n  path: %s\n",
		              finding->id, finding_kind_name(finding->kind), finding->count,
		              finding->count == 1 ? "" : "s", finding->message, finding->path);
	}
	debugger_tell_outcomes(debugger);
}

/* --- going somewhere -------------------------------------------------------------------------- */

/* The position that `goto` is given; NULL: refused. */
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
		debugger_refuse(debugger, "%s; say goto mp1:n%d:... or goto finding 1",
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

static void go_to(struct debugger *debugger, const char *rest)
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
	else if (path->collectives != COLLECTIVES_ANY
	         && path->collectives != collective_mode_under(request->collectives, buffering))
		debugger_refuse(debugger,
		                "that path is for --collectives %s: matchpoint debug %s goes there",
		                collective_mode_word(path->collectives), text);
	else if (position_has_cut(position))
		debugger_go_to_position(debugger, position);
	else {
		debugger_set_buffering(debugger, buffering);
		debugger_go(debugger, path->choices);
		/* Whose path may leave out what comes by itself. */
		debugger->finishes = g_str_has_prefix(text, "finding ")
		                     || g_str_has_prefix(text, "outcome ");
	}
	position_free(position);
}

static void read_script(struct debugger *debugger, const char *rest)
{
	g_autofree char *file = trim(rest);
	g_autoptr(GError) error = NULL;

	if (!*file)
		debugger_refuse(debugger, "which file? Say source FILE");
	else if (!prompt_add_script(debugger->prompt, file, &error))
		debugger_refuse(debugger, "%s", error->message);
}

static void help(struct debugger *debugger, const char *rest)
{
	g_autofree char *problem = NULL;
	g_autofree char *text = vocabulary_help(debug_vocabulary, rest, &problem);

	if (!text)
		debugger_refuse(debugger, "%s", problem);
	else if (*rest)
		debugger_tell(debugger, "%s", text);
	else
		debugger_tell(debugger,
		              "%s  %-28s %s\n  %-28s %s\n"
		              "Words can be shortened. help WORD has an example.\n",
		              text, "NUMBER", "takes what has that number, and goes on",
		              "(an empty line)", "the last line again");
}

/* --- which word ------------------------------------------------------------------------------- */

static bool takes_none(int id)
{
	switch (id) {
	case WORD_ROLLBACK:
	case WORD_REVERSE_STEP:
	case WORD_CHECKPOINT:
	case WORD_RESTART:
	case WORD_INFO_CALLS:
	case WORD_SET_CONFIRM:
	case WORD_BREAK:
	case WORD_TBREAK:
	case WORD_CONDITION:
	case WORD_IGNORE:
	case WORD_DELETE:
	case WORD_DISABLE:
	case WORD_ENABLE:
	case WORD_CONTINUE:
	case WORD_HOLD:
	case WORD_RELEASE:
	case WORD_STEP:
	case WORD_SET_ALL_STOP:
	case WORD_CHOOSE:
	case WORD_BACK:
	case WORD_FORWARD:
	case WORD_GOTO:
	case WORD_WHERE:
	case WORD_LIST:
	case WORD_X:
	case WORD_PRINT:
	case WORD_GDB:
	case WORD_SET_DEBUGGER:
	case WORD_SET_DECODER:
	case WORD_SET_CHOICES:
	case WORD_SOURCE:
	case WORD_EXPLORE:
	case WORD_MINIMIZE:
	case WORD_SAVE:
	case WORD_HELP: return false;
	default: return true;
	}
}

static void look(struct debugger *debugger, int id, const char *rest)
{
	switch (id) {
	case WORD_CHOICES:
	case WORD_INFO_CHOICES: tell_choices(debugger); break;
	case WORD_INFO_RANKS: tell_ranks(debugger, -1); break;
	case WORD_INFO_MESSAGES: tell_messages(debugger); break;
	case WORD_INFO_PATH: tell_path(debugger); break;
	case WORD_INFO_CALLS: debugger_tell_calls(debugger, rest); break;
	case WORD_INFO_FINDINGS: tell_findings(debugger); break;
	case WORD_WHERE: tell_ranks(debugger, debugger_read_rank(debugger, rest)); break;
	case WORD_LIST: list(debugger, debugger_read_rank(debugger, rest)); break;
	case WORD_PRINT: debugger_print(debugger, rest); break;
	case WORD_X: debugger_examine(debugger, rest); break;
	case WORD_HELP: help(debugger, rest); break;
	default: g_assert_not_reached();
	}
}

static void quit(struct debugger *debugger)
{
	debugger->begins = false;
	debugger->goes_on = debugger->leaves = true;
}

static void act(struct debugger *debugger, int id, const char *rest)
{
	switch (id) {
	case WORD_RUN: run(debugger); break;
	case WORD_FINISH: finish(debugger); break;
	case WORD_CHOOSE: debugger_choose(debugger, rest); break;
	case WORD_BACK: walk(debugger, rest, -1); break;
	case WORD_FORWARD: walk(debugger, rest, 1); break;
	case WORD_GOTO: go_to(debugger, rest); break;
	case WORD_GDB: debugger_gdb(debugger, rest); break;
	case WORD_SET_DEBUGGER: debugger_set_debugger(debugger, rest); break;
	case WORD_SET_DECODER: debugger_set_decoder(debugger, rest); break;
	case WORD_SET_CHOICES: debugger_set_choices(debugger, rest); break;
	case WORD_SOURCE: read_script(debugger, rest); break;
	case WORD_QUIT: quit(debugger); break;
	default:
		if (!debugger_obey_hold(debugger, id, rest)
		    && !debugger_obey_break(debugger, id, rest)
		    && !debugger_obey_travel(debugger, id, rest)
		    && !debugger_obey_checkpoint(debugger, id, rest)
		    && !debugger_obey_onward(debugger, id, rest)
		    && !debugger_obey_state(debugger, id))
			look(debugger, id, rest);
	}
}

static void obey(struct debugger *debugger, const char *line)
{
	g_autofree char *problem = NULL;
	const char *rest;
	const struct vocabulary_word *word;

	if (debugger_chooses(debugger, line))
		return;
	word = vocabulary_find(debug_vocabulary, line, &rest, &problem);
	if (!word)
		debugger_refuse(debugger, "%s", problem);
	else if (*rest && takes_none(word->id))
		debugger_refuse(debugger, "%s takes nothing behind it; see help %s", word->name,
		                word->name);
	else
		act(debugger, word->id, rest);
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
