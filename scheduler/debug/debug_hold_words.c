/* Commands that hold and release ranks. */
#include <string.h>

#include "debug_internal.h"
#include "debug_words.h"
#include "explorer/rank_name.h"
#include "mpi_calls.h"

/* --- arguments -------------------------------------------------------------------------------- */

/* A number from 1, or 1 if the text is empty; 0: refused. */
guint debugger_read_count(struct debugger *debugger, const char *rest)
{
	g_autofree char *text = g_strstrip(g_strdup(rest));
	guint64 count;

	if (*text == '\0')
		return 1;
	if (g_ascii_string_to_unsigned(text, 10, 1, 1000000, &count, NULL))
		return (guint)count;
	debugger_refuse(debugger, "%s is not a number from 1 up", text);
	return 0;
}

/* A rank; -1: none is named; -2: refused. */
int debugger_read_rank(struct debugger *debugger, const char *rest)
{
	g_autofree char *text = g_strstrip(g_strdup(rest));
	const int ranks = debugger->asked->request.ranks, rank = rank_of_name(text);
	g_autofree char *all = rank_names_all(ranks);

	if (*text == '\0')
		return -1;
	if (rank >= 0 && rank < ranks)
		return rank;
	debugger_refuse(debugger, "there is no rank %s; %s", text, all);
	return -2;
}

/* Marks the ranks of "2", "2-4" or "0.1:0-2". */
static bool mark_ranks(const char *part, int ranks, bool *marked)
{
	int first, last;

	if (!rank_names_read(part, ranks, &first, &last))
		return false;
	for (int rank = first; rank <= last; rank++)
		marked[rank] = true;
	return true;
}

/* "0-3", or those of the last world. */
static const char *example_row(int ranks)
{
	int first = 0, last;

	while ((last = rank_names_row_end(first, ranks - 1)) < ranks - 1)
		first = last + 1;
	return rank_names_row(first, last);
}

bool *debugger_read_ranks(struct debugger *debugger, const char *text)
{
	int ranks = debugger->asked->request.ranks;
	g_auto(GStrv) parts = g_strsplit_set(text, ", \t", -1);
	g_autofree bool *marked = g_new0(bool, ranks);
	bool any = false;

	for (guint i = 0; parts[i]; i++) {
		if (!*parts[i])
			continue;
		any = true;
		if (strcmp(parts[i], "all") == 0) {
			memset(marked, true, (gsize)ranks);
		} else if (!mark_ranks(parts[i], ranks, marked)) {
			g_autofree char *known = rank_names_all(ranks);

			debugger_refuse(debugger, "%s does not name ranks; %s: use 0, %s or all",
			                parts[i], known, example_row(ranks));
			return NULL;
		}
	}
	if (!any) {
		debugger_refuse(debugger, "no ranks given; use 0, %s or all", example_row(ranks));
		return NULL;
	}
	return g_steal_pointer(&marked);
}

/* --- hold and release ------------------------------------------------------------------------- */

static const struct world *world_there(const struct debugger *debugger)
{
	return debugger->execution && debugger->state != DEBUG_OVER
	               ? execution_world(debugger->execution)
	               : NULL;
}

/* If the ranks run, holds at once rather than when the session goes on. */
static void hold_at_once(struct debugger *debugger)
{
	const struct holds *holds = &debugger->holds;

	if (debugger->state != DEBUG_RUNNING)
		return;
	for (int rank = 0; rank < holds->ranks; rank++)
		execution_hold(debugger->execution, rank, holds->from[rank]);
	execution_let_held_go(debugger->execution);
}

void word_hold(struct debugger *debugger, const char *rest)
{
	g_autofree bool *ranks = debugger_read_ranks(debugger, rest);
	struct holds *holds = &debugger->holds;

	for (int rank = 0; ranks && rank < holds->ranks; rank++) {
		if (!ranks[rank])
			continue;
		holds->kept[rank] = true;
		holds_here(holds, world_there(debugger), rank);
		debugger_tell(debugger, "rank %s stays in its call %u until release %s\n",
		              rank_name(rank), holds->from[rank], rank_name(rank));
	}
	hold_at_once(debugger);
}

void word_release(struct debugger *debugger, const char *rest)
{
	g_autofree bool *ranks = debugger_read_ranks(debugger, *rest ? rest : "all");
	struct holds *holds = &debugger->holds;

	for (int rank = 0; ranks && rank < holds->ranks; rank++) {
		if (!ranks[rank])
			continue;
		holds->kept[rank] = false;
		holds->from[rank] = WORLD_HOLDS_NOTHING;
	}
	hold_at_once(debugger);
}

/* The default rank of `step`: the last one stepped, that of the first choice, or the first. */
static int rank_meant(const struct debugger *debugger)
{
	const struct record_choice *point;

	if (debugger->stepped >= 0)
		return debugger->stepped;
	if (debugger->offers->points->len == 0)
		return 0;
	point = debugger->offers->points->pdata[0];
	return point->rank;
}

/* Choices of the rank's own call take their first candidate, unless decided. */
static void decide_first(struct debugger *debugger, int rank)
{
	const GArray *open = debugger->offers->choices;

	for (guint i = 0; i < open->len; i++) {
		const struct choice *choice = &g_array_index(open, struct choice, i);

		if (choice->point.kind != POINT_CALL || choice->point.rank != rank
		    || choices_find(debugger->decided, &choice->point))
			continue;
		debugger_decide(debugger, choice);
		return;
	}
}

/* A rank that a held rank keeps in a collective cannot return from it alone. */
static bool comes_out(struct debugger *debugger, int rank)
{
	const struct world *world = world_there(debugger);
	int with = world_held_with(world, rank);
	guint32 call = world_calls(world, rank);

	if (with < 0 || debugger->holds.from[with] > world_calls(world, with))
		return true;
	debugger_refuse(debugger,
	                "rank %s returns from its %s together with rank %s, which is held: use "
	                "step %s, or release %s",
	                rank_name(rank),
	                mpi_call_name(world_call_info(world, rank, call)->function),
	                rank_name(with), rank_name(with), rank_name(with));
	return false;
}

void word_step(struct debugger *debugger, const char *rest)
{
	g_auto(GStrv) words = g_strsplit_set(rest, " \t", 2);
	const char *first = words[0] ? words[0] : "";
	const char *second = words[0] && words[1] ? words[1] : "";
	int rank = debugger_read_rank(debugger, first);
	guint count = rank == -2 ? 0 : debugger_read_count(debugger, second);
	const struct world *world;

	if (count == 0 || !debugger_is_at_rest(debugger))
		return;
	world = world_there(debugger);
	if (rank < 0)
		rank = rank_meant(debugger);
	if (!world_waits(world, rank)) {
		debugger_refuse(debugger,
		                "rank %s makes no more calls; info ranks shows the others",
		                rank_name(rank));
		return;
	}
	if (!comes_out(debugger, rank))
		return;
	debugger->stepped = rank;
	decide_first(debugger, rank);
	if (world_has_threads(world)) /* whose turn is next depends on what the others can do */
		holds_continue(&debugger->holds);
	holds_step(&debugger->holds, world, rank, count);
	debugger->takes_first = debugger->finishes = false;
	debugger->goes_on = true;
}

static char *kept_ranks(const struct holds *holds)
{
	GString *text = g_string_new(NULL);

	for (int rank = 0; rank < holds->ranks; rank++)
		if (holds->kept[rank])
			g_string_append_printf(text, "%s%s", text->len > 0 ? "," : "",
			                       rank_name(rank));
	return g_string_free(text, false);
}

static bool may_take_any(const struct debugger *debugger)
{
	const GArray *open = debugger->offers->choices;

	for (guint i = 0; i < open->len; i++)
		if (debugger_may_take(debugger, &g_array_index(open, struct choice, i)))
			return true;
	return false;
}

/* Whether every rank would stay where it is. */
static bool goes_nowhere(struct debugger *debugger)
{
	const struct holds *holds = &debugger->holds;
	g_autofree char *kept = kept_ranks(holds);

	if (may_take_any(debugger) || holds_let_go(holds, world_there(debugger)))
		return false;
	if (!*kept && debugger->offers->choices->len == 0 && !world_holds(world_there(debugger)))
		return false; /* a call from which no rank returns: the end is next */
	if (*kept)
		debugger_refuse(debugger, "no rank can go on: use release %s, and continue", kept);
	else
		debugger_refuse(debugger, "these ranks all wait for the others: use continue");
	return true;
}

void word_continue(struct debugger *debugger, const char *rest)
{
	struct holds *holds = &debugger->holds;
	g_autofree bool *ranks = NULL;
	bool at_rest = debugger->state == DEBUG_CHOICE;

	if (*rest && !(at_rest || debugger->state == DEBUG_RUNNING)) {
		debugger_is_at_rest(debugger);
		return;
	}
	if (*rest && !(ranks = debugger_read_ranks(debugger, rest)))
		return;
	if (ranks && world_there(debugger))
		holds_continue_some(holds, world_there(debugger), ranks);
	else
		holds_continue(holds);
	if (at_rest && debugger->decided->len == 0 && goes_nowhere(debugger))
		return;
	hold_at_once(debugger);
	debugger_go_on(debugger, false);
}

void word_set_all_stop(struct debugger *debugger, const char *rest)
{
	if (strcmp(rest, "on") == 0 || strcmp(rest, "off") == 0)
		debugger->holds.all_stop = strcmp(rest, "on") == 0;
	else
		debugger_refuse(debugger, "set all-stop needs on or off");
}

/* Whether the rank's call is carried out when the session goes on. */
static bool is_about_to_go_on(const struct debugger *debugger, int rank)
{
	for (guint i = 0; i < debugger->decided->len; i++)
		if (g_array_index(debugger->decided, struct choice, i).point.rank == rank)
			return true;
	return world_phase(world_there(debugger), rank) == PHASE_HELD;
}

bool debugger_lets_go(struct debugger *debugger, int rank)
{
	g_autofree char *text = g_strdup(rank_name(rank));

	if (debugger->state != DEBUG_CHOICE || !is_about_to_go_on(debugger, rank))
		return false;
	word_step(debugger, text);
	return debugger->goes_on;
}

void debugger_lets_nobody_go(struct debugger *debugger)
{
	if (debugger->goes_on)
		holds_arrive(&debugger->holds, world_there(debugger));
	debugger->goes_on = false;
}
