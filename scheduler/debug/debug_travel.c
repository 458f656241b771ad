/* Commands that go back to a call: to a consistent cut of the current interleaving
 * (explorer/cut.h). */
#include <string.h>

#include "debug_internal.h"
#include "debug_travel.h"
#include "debug_words.h"
#include "explorer/rank_name.h"

/* Reads "2.17", or "0.1:0.17". Returns false for another text. */
static bool read_call(const char *text, int ranks, int *ret_rank, guint32 *ret_call)
{
	const char *end;
	guint64 call;

	*ret_rank = rank_named(text, &end);
	if (*ret_rank < 0 || *ret_rank >= ranks || *end != '.'
	    || !g_ascii_string_to_unsigned(end + 1, 10, 1, G_MAXUINT32, &call, NULL))
		return false;
	*ret_call = (guint32)call;
	return true;
}

/* Returns false after refusing. */
static bool travel_begin(struct travel *travel, struct debugger *debugger)
{
	const struct world *world;
	g_autofree guint32 *calls = NULL;

	*travel = (struct travel){.debugger = debugger, .ranks = debugger->asked->request.ranks};
	if (!debugger->execution || debugger->state == DEBUG_RUNNING) {
		debugger_is_at_rest(debugger);
		return false;
	}
	world = travel->world = execution_world(debugger->execution);
	calls = g_new(guint32, travel->ranks);
	for (int rank = 0; rank < travel->ranks; rank++)
		calls[rank] = world_calls(world, rank);
	travel->here = g_new(guint32, travel->ranks);
	for (int rank = 0; rank < travel->ranks; rank++)
		travel->here[rank] = world_place(world, rank);
	travel->cut = g_memdup2(travel->here, (gsize)travel->ranks * sizeof(guint32));
	travel->cuts = cuts_new(travel->ranks, calls, world_trace(world), world_cut_notes(world));
	return true;
}

static void travel_end(struct travel *travel)
{
	cuts_free(travel->cuts);
	g_free(travel->here);
	g_free(travel->cut);
}

/* The choices within the cut. Free with g_array_unref. */
static GArray *choices_within(const struct travel *travel)
{
	const GArray *made = world_choices(travel->world);
	GArray *choices = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < made->len; i++) {
		const struct choice *choice = &g_array_index(made, struct choice, i);

		if (cuts_include(travel->cuts, point_operation(&choice->point, travel->ranks),
		                 travel->cut))
			g_array_append_val(choices, *choice);
	}
	return choices;
}

static void go(const struct travel *travel)
{
	g_autoptr(GArray) choices = choices_within(travel);
	struct position *position = session_position(travel->debugger->session, choices,
	                                             travel->debugger->buffering);

	for (int rank = 0; rank < travel->ranks; rank++)
		position_cut(position, rank, travel->cut[rank]);
	debugger_go_to(travel->debugger, position);
	position_free(position);
}

static void append_cut(GString *text, const struct travel *travel, const guint32 *cut,
                       const char *between)
{
	for (int rank = 0; rank < travel->ranks; rank++)
		g_string_append_printf(text, "%s%s.%u", rank > 0 ? between : "", rank_name(rank),
		                       MIN(cut[rank], world_calls(travel->world, rank)));
}

/* Prints which ranks go back, and how far; and the line that scripts rely on. */
static void tell_set(const struct travel *travel)
{
	const struct verdict_facts facts = debugger_facts(travel->debugger);
	GString *text = g_string_new(NULL);

	for (int rank = 0; rank < travel->ranks; rank++) {
		const struct world_call *info = world_call_info(travel->world, rank,
		                                                travel->cut[rank]);
		struct place place;
		g_autofree char *where = NULL;

		if (travel->cut[rank] == travel->here[rank] || !info)
			continue;
		place = verdict_call_place(&facts, rank, info);
		where = place_print(&place);
		if (travel->cut[rank] == world_calls(travel->world, rank))
			g_string_append_printf(text, "  rank %s goes back into its call %u, %s\n",
			                       rank_name(rank), travel->cut[rank], where);
		else
			g_string_append_printf(text,
			                       "  rank %s goes back from its call %u to %u, %s\n",
			                       rank_name(rank), world_calls(travel->world, rank),
			                       travel->cut[rank], where);
	}
	g_string_append(text, "rollback: ");
	append_cut(text, travel, travel->cut, " ");
	g_string_append_c(text, '\n');
	prompt_tell(travel->debugger->prompt, text->str);
	g_string_free(text, true);
}

bool debugger_confirms(struct debugger *debugger, const char *question)
{
	if (debugger->unasked || !prompt_is_typed(debugger->prompt))
		return true;
	return prompt_confirm(debugger->prompt, question);
}

/* Takes one rank back to this call, with every rank that depends on what it has done since. */
static void go_back_to(struct travel *travel, int rank, guint32 call, bool asks)
{
	travel->cut[rank] = call;
	cuts_retreat(travel->cuts, travel->cut);
	tell_set(travel);
	if (!asks || debugger_confirms(travel->debugger, "go back?"))
		go(travel);
}

/* Returns false after refusing. */
static bool was_made(const struct travel *travel, int rank, guint32 call)
{
	guint32 calls = world_calls(travel->world, rank);

	if (call <= calls)
		return true;
	debugger_refuse(travel->debugger, "rank %s has made %u calls here: use %s.%u",
	                rank_name(rank), calls, rank_name(rank), calls);
	return false;
}

void word_rollback(struct debugger *debugger, const char *rest)
{
	struct travel travel;
	guint32 call;
	int rank;

	if (!read_call(rest, debugger->asked->request.ranks, &rank, &call)) {
		debugger_refuse(debugger, "no call given; for example: rollback 0.3 for rank 0's "
		                          "call 3; where shows the ranks' calls");
		return;
	}
	if (!travel_begin(&travel, debugger))
		return;
	if (call == travel.here[rank])
		debugger_refuse(debugger, "rank %s is in its call %u now", rank_name(rank), call);
	else if (was_made(&travel, rank, call))
		go_back_to(&travel, rank, call, true);
	travel_end(&travel);
}

void word_reverse_step(struct debugger *debugger, const char *rest)
{
	int rank = debugger_read_rank(debugger, rest);
	struct travel travel;

	if (rank == -2)
		return;
	if (debugger_is_past(debugger, rank)) {
		debugger_move_past(debugger, "reverse-step");
		return;
	}
	if (rank < 0)
		rank = MAX(debugger->stepped, 0);
	if (!travel_begin(&travel, debugger))
		return;
	debugger->stepped = rank;
	if (travel.here[rank] > 1)
		go_back_to(&travel, rank, travel.here[rank] - 1, false);
	else
		debugger_refuse(debugger, "rank %s is in its first call", rank_name(rank));
	travel_end(&travel);
}

/* --- the last breakpoint ---------------------------------------------------------------------- */

/* By call: the call of the first operation that it has completed; 0: none. Free with
 * g_array_unref. */
static GArray *waited_calls(const struct travel *travel, int rank)
{
	const struct trace *trace = world_trace(travel->world);
	GArray *waited = g_array_new(false, true, sizeof(guint32));

	g_array_set_size(waited, world_calls(travel->world, rank) + 1);
	for (size_t i = 0; i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);
		guint32 call = event->other.call;

		if ((event->kind != EVENT_COMPLETE && event->kind != EVENT_LEAVE)
		    || event->op.id.rank != rank || call >= waited->len
		    || g_array_index(waited, guint32, call) > 0)
			continue;
		g_array_index(waited, guint32, call) = event->op.id.call;
	}
	return waited;
}

/* The rank's last call before this one that matches a breakpoint; number 0: none. */
static struct debug_hit last_of_rank(struct travel *travel, int rank)
{
	const struct verdict_facts facts = debugger_facts(travel->debugger);
	g_autoptr(GArray) waited = waited_calls(travel, rank);
	struct debug_hit hit = {0, rank, MIN(travel->here[rank], waited->len)};

	while (hit.number == 0 && --hit.call > 0)
		hit.number = debugger_break_fits(travel->debugger, &facts, rank, hit.call,
		                                 g_array_index(waited, guint32, hit.call));
	return hit;
}

static guint64 calls_in(const struct travel *travel, const guint32 *cut)
{
	guint64 count = 0;

	for (int rank = 0; rank < travel->ranks; rank++)
		count += cut[rank];
	return count;
}

/* The hit, of all ranks', that undoes least; `cut` is set to its cut. */
static struct debug_hit last_hit(struct travel *travel)
{
	struct debug_hit last = {0};
	gsize size = (gsize)travel->ranks * sizeof(guint32);

	if (breakpoints_count(travel->debugger->breakpoints) == 0)
		return last;
	for (int rank = 0; rank < travel->ranks; rank++) {
		struct debug_hit hit = last_of_rank(travel, rank);
		g_autofree guint32 *cut = g_memdup2(travel->here, size);

		if (hit.number == 0)
			continue;
		cut[rank] = hit.call;
		cuts_retreat(travel->cuts, cut);
		if (last.number > 0 && calls_in(travel, cut) <= calls_in(travel, travel->cut))
			continue;
		last = hit;
		memcpy(travel->cut, cut, size);
	}
	return last;
}

static bool is_part_of(const GArray *choices, const GArray *more)
{
	for (guint i = 0; i < choices->len; i++) {
		const struct choice *choice = &g_array_index(choices, struct choice, i);
		const struct choice *other = choices_find(more, &choice->point);

		if (!other || !choice_equal(choice, other))
			return false;
	}
	return true;
}

static bool is_within(const guint32 *cut, const struct position *position)
{
	for (int rank = 0; rank < position_path(position)->ranks; rank++)
		if (cut[rank] > position_calls(position, rank))
			return false;
	return true;
}

/* Whether a stop lies on the way from the beginning to here. */
static bool comes_before(const struct travel *travel, const struct stop *stop)
{
	const GArray *made = world_choices(travel->world);

	if (stop->ended || !is_part_of(stop_choices(stop), made))
		return false;
	if (!position_has_cut(stop->position))
		return stop_choices(stop)->len < made->len;
	for (int rank = 0; rank < travel->ranks; rank++)
		if (position_calls(stop->position, rank) > travel->here[rank])
			return false;
	return stop_choices(stop)->len < made->len || !is_within(travel->here, stop->position);
}

/* The number of stops back to the last one that comes before this; 0: none. */
static int stop_before(const struct travel *travel)
{
	const struct stops *stops = travel->debugger->stops;

	for (int away = -1; stops_at(stops, away); away--)
		if (comes_before(travel, stops_at(stops, away)))
			return away;
	return 0;
}

/* Whether, going back from here, the stop comes before the cut. */
static bool is_nearer(const struct travel *travel, const struct stop *stop)
{
	g_autoptr(GArray) choices = choices_within(travel);

	return is_part_of(choices, stop_choices(stop))
	       && (!position_has_cut(stop->position) || is_within(travel->cut, stop->position));
}

static void go_to_last(struct travel *travel)
{
	struct debugger *debugger = travel->debugger;
	struct debug_hit hit = last_hit(travel);
	int away = stop_before(travel);
	const struct stop *stop = away < 0 ? stops_at(debugger->stops, away) : NULL;

	if (stop && (hit.number == 0 || is_nearer(travel, stop))) {
		stops_move(debugger->stops, away);
		debugger_go_to(debugger, stop->position);
	} else if (hit.number > 0) {
		tell_set(travel);
		go(travel);
		debugger->coming = hit;
	} else {
		debugger_refuse(debugger, "there is no stop before this one, and no breakpoint "
		                          "matches an earlier call; run starts again");
	}
}

void word_reverse_continue(struct debugger *debugger, const char *rest)
{
	struct travel travel;

	(void)rest;
	if (debugger_is_past(debugger, -1)) {
		debugger_move_past(debugger, "reverse-continue");
		return;
	}
	if (!travel_begin(&travel, debugger))
		return;
	go_to_last(&travel);
	travel_end(&travel);
}

/* --- goto ------------------------------------------------------------------------------------- */

bool debugger_is_cut(const char *text)
{
	return *text && strspn(text, "@0123456789.,:") == strlen(text);
}

/* Reads a cut. Ranks that are not named go back no further than needed. */
static bool read_cut(struct travel *travel, const char *text, bool *named)
{
	g_auto(GStrv) parts = g_strsplit(*text == '@' ? text + 1 : text, ",", -1);

	for (guint i = 0; parts[i]; i++) {
		guint32 call;
		int rank;

		if (!read_call(parts[i], travel->ranks, &rank, &call)) {
			debugger_refuse(travel->debugger,
			                "%s is not a call of a rank from 0 to %s; for example: "
			                "goto 0.3,1.2",
			                parts[i], rank_name(travel->ranks - 1));
			return false;
		}
		if (!was_made(travel, rank, call))
			return false;
		named[rank] = true;
		travel->cut[rank] = call;
	}
	return true;
}

static void refuse_cut(const struct travel *travel, const guint32 *asked, const bool *named)
{
	g_autofree guint32 *cut = g_memdup2(asked, (gsize)travel->ranks * sizeof(*asked));
	GString *text = g_string_new(NULL);
	int rank = 0, other = 0;

	while (!cuts_consistent(travel->cuts, cut, &rank, &other) && !named[rank])
		cut[rank]--;
	append_cut(text, travel, travel->cut, ",");
	debugger_refuse(travel->debugger,
	                "rank %s returned from its call %u only after rank %s had passed its call "
	                "%u: the nearest is goto %s",
	                rank_name(rank), cut[rank] - 1, rank_name(other), cut[other], text->str);
	g_string_free(text, true);
}

/* Whether the position lies before here on the way. */
static bool is_behind(const struct travel *travel, const struct position *position)
{
	for (int rank = 0; rank < travel->ranks; rank++)
		if (position_calls(position, rank) > travel->here[rank])
			return false;
	return is_part_of(position_path(position)->choices, world_choices(travel->world));
}

bool debugger_refuses_cut(struct debugger *debugger, const struct position *position)
{
	const struct world *world = execution_world(debugger->execution);
	g_autofree bool *named = g_new(bool, debugger->asked->request.ranks);
	g_autofree guint32 *asked = NULL;
	struct travel travel;
	bool refuses;

	if (world_has_threads(world) || !travel_begin(&travel, debugger))
		return false;
	for (int rank = 0; rank < travel.ranks; rank++)
		travel.cut[rank] = position_calls(position, rank);
	asked = g_memdup2(travel.cut, (gsize)travel.ranks * sizeof(*asked));
	refuses = is_behind(&travel, position)
	          && !cuts_consistent(travel.cuts, travel.cut, NULL, NULL);
	if (refuses) {
		memset(named, true, (gsize)travel.ranks);
		cuts_retreat(travel.cuts, travel.cut);
		refuse_cut(&travel, asked, named);
	}
	travel_end(&travel);
	return refuses;
}

void debugger_go_to_calls(struct debugger *debugger, const char *text)
{
	struct travel travel;
	g_autofree bool *named = g_new0(bool, debugger->asked->request.ranks);
	g_autofree guint32 *asked = NULL;
	bool kept = true;

	if (!travel_begin(&travel, debugger))
		return;
	if (!read_cut(&travel, text, named)) {
		travel_end(&travel);
		return;
	}
	asked = g_memdup2(travel.cut, (gsize)travel.ranks * sizeof(*asked));
	cuts_retreat(travel.cuts, travel.cut);
	for (int rank = 0; rank < travel.ranks; rank++)
		kept &= !named[rank] || travel.cut[rank] == asked[rank];
	if (kept)
		go(&travel);
	else
		refuse_cut(&travel, asked, named);
	travel_end(&travel);
}

void word_set_confirm(struct debugger *debugger, const char *rest)
{
	if (strcmp(rest, "on") == 0 || strcmp(rest, "off") == 0)
		debugger->unasked = strcmp(rest, "off") == 0;
	else
		debugger_refuse(debugger, "set confirm needs on or off");
}
