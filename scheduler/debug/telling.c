#include "telling.h"

#include <string.h>

#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "pickles.h"
#include "reports/words.h"
#include "scheduler/world/contents.h"

#define SOURCE_LINES 4     /* before and after the marked line */
#define OUTPUT_LINES 10    /* of a rank's output */
#define MESSAGES_MOST 1000 /* printed one by one */
#define VALUES_MOST 6      /* of a message, in a line */
#define TEXT_MOST 48       /* characters of a text */
#define PICKLE_MOST 80     /* bytes of a Python object */

/* --- columns ---------------------------------------------------------------------------------- */

struct row {
	char *left, *place, *note;
};

static void row_free(gpointer data)
{
	struct row *row = data;

	g_free(row->left);
	g_free(row->place);
	g_free(row->note);
	g_free(row);
}

static GPtrArray *rows_new(void)
{
	return g_ptr_array_new_with_free_func(row_free);
}

/* Takes over all strings. */
static void add_row(GPtrArray *rows, char *left, char *place, char *note)
{
	struct row *row = g_new0(struct row, 1);

	*row = (struct row){left, place, note};
	g_ptr_array_add(rows, row);
}

static void append_rows(GString *text, const GPtrArray *rows)
{
	int left = 0, place = 0;

	for (guint i = 0; i < rows->len; i++) {
		const struct row *row = rows->pdata[i];

		left = MAX(left, *row->place || *row->note ? (int)strlen(row->left) : 0);
		place = MAX(place, *row->note ? (int)strlen(row->place) : 0);
	}
	for (guint i = 0; i < rows->len; i++) {
		const struct row *row = rows->pdata[i];

		if (!*row->place && !*row->note)
			g_string_append_printf(text, "%s\n", row->left);
		else if (!*row->note)
			g_string_append_printf(text, "%-*s  %s\n", left, row->left, row->place);
		else
			g_string_append_printf(text, "%-*s  %-*s  %s\n", left, row->left, place,
			                       row->place, row->note);
	}
}

/* --- choices ---------------------------------------------------------------------------------- */

static guint offer_count(const struct record_choice *point)
{
	return point->alternatives->len + 1;
}

static const struct record_message *offer_at(const struct record_choice *point, guint index)
{
	return index == 0 ? &point->taken
	                  : &g_array_index(point->alternatives, struct record_message, index - 1);
}

struct offers *offers_new(const struct verdict_facts *facts, const GArray *open)
{
	struct offers *offers = g_new0(struct offers, 1);

	offers->points = g_ptr_array_new_with_free_func((GDestroyNotify)record_choice_free);
	offers->choices = g_array_new(false, false, sizeof(struct choice));
	for (guint i = 0; i < open->len; i++) {
		const struct open_choice *one = &g_array_index(open, struct open_choice, i);

		g_ptr_array_add(offers->points, verdict_tell_open(facts, one));
		for (guint k = 0; k < one->alternatives->len; k++) {
			struct choice choice = {one->point,
			                        g_array_index(one->alternatives, struct taken, k)};

			g_array_append_val(offers->choices, choice);
		}
	}
	return offers;
}

void offers_free(struct offers *offers)
{
	if (!offers)
		return;
	g_ptr_array_unref(offers->points);
	g_array_unref(offers->choices);
	g_free(offers);
}

void telling_points(GString *text, const struct offers *offers)
{
	for (guint i = 0; i < offers->points->len; i++) {
		const struct record_choice *point = offers->points->pdata[i];

		g_string_append(text, "choice ");
		point_append(text, &point->point);
		g_string_append_c(text, ':');
		for (guint k = 0; k < offer_count(point); k++) {
			g_string_append_c(text, ' ');
			taken_append(text, &offer_at(point, k)->taken);
		}
		g_string_append_c(text, '\n');
	}
}

/* The verb between a call and its candidates. */
static const char *verb_of(const struct record_choice *point)
{
	bool probe = point->function && strstr(point->function, "robe");

	if (point->point.word > 0)
		return "can be next for";
	if (point->point.kind == POINT_LOCK)
		return "can be granted to";
	switch (offer_at(point, offer_count(point) - 1)->taken.kind) {
	case TAKEN_MESSAGE: return probe ? "can report" : "can take";
	case TAKEN_NO:
	case TAKEN_YES:
	case TAKEN_ONE:
	case TAKEN_SOME: return "can be told";
	case TAKEN_THREAD: return "can be made by";
	default: return "can end with";
	}
}

static char *call_words(const struct verdict_facts *facts, const struct record_choice *point)
{
	g_autofree char *arguments = NULL;

	if (point->point.word > 0)
		return g_strdup_printf("  byte %" G_GINT64_FORMAT " of rank %s's part of window %d",
		                       point_byte(&point->point), rank_name(point->point.rank),
		                       point->point.window);
	if (point->point.kind == POINT_LOCK)
		return point->point.reader < 0
		               ? g_strdup_printf("  rank %s's lock of window %d",
		                                 rank_name(point->point.rank), point->point.window)
		               : g_strdup_printf("  rank %s's lock of window %d, rank %s's share",
		                                 rank_name(point->point.rank), point->point.window,
		                                 rank_name(point->point.reader));
	if (world_call_info(facts->world, point->rank, point->call))
		arguments = verdict_arguments(facts, point->rank, point->call);
	if (point->point.kind == POINT_TURN)
		return g_strdup_printf("  rank %s  its next call", rank_name(point->rank));
	return g_strdup_printf("  rank %s  %s(%s)", rank_name(point->rank), point->function,
	                       arguments ? arguments : "");
}

char *telling_contents(const struct verdict_facts *facts, struct pickles *pickles,
                       struct op_id send)
{
	const struct contents *contents = world_message_contents(facts->world, send);
	g_autofree char *types = contents ? types_print(&contents->types)
	                                  : world_message_types(facts->world, send);
	g_autofree char *values = contents ? pickles_show(pickles, contents, PICKLE_MOST) : NULL;

	if (!values)
		values = contents ? contents_print(contents, VALUES_MOST, TEXT_MOST) : g_strdup("");
	return *values ? g_strdup_printf("%s: %s", types, values) : g_steal_pointer(&types);
}

/* Appends ", tag=0, 1 MPI_INT: {1}" for a message. */
static void append_message(GString *text, const struct verdict_facts *facts,
                           struct pickles *pickles, struct op_id send, gint32 tag)
{
	g_autofree char *types = telling_contents(facts, pickles, send);

	if (tag >= 0)
		g_string_append_printf(text, ", tag=%d", tag);
	if (types)
		g_string_append_printf(text, ", %s", types);
}

/* Appends what has arrived for the requests that these calls ("3,4") of the rank have started; for
 * a single request only. */
static void add_received(const struct world *world, int rank, const char *calls, GArray *ret_sends)
{
	g_auto(GStrv) all = g_strsplit(calls, ",", -1);

	for (char **one = all; *one; one++) {
		const guint32 call = (guint32)g_ascii_strtoull(*one, NULL, 10);
		const struct world_call *info = world_call_info(world, rank, call);
		struct op_id send;

		if (info && info->subs == 1
		    && world_message_taken(world, (struct op_id){rank, call, 0}, &send))
			g_array_append_val(ret_sends, send);
	}
}

static void add_offered(const struct world *world, const struct record_choice *point,
                        const struct record_message *offer, GArray *ret_sends)
{
	if (offer->taken.kind == TAKEN_MESSAGE && point->point.kind == POINT_CALL)
		g_array_append_val(ret_sends, offer->taken.send);
	else if (offer->answer && offer->requests)
		add_received(world, point->point.rank, offer->requests, ret_sends);
}

GArray *telling_offered(const struct verdict_facts *facts, const struct offers *offers,
                        guint number)
{
	GArray *sends = g_array_new(false, false, sizeof(struct op_id));
	const struct record_message *offer;
	guint index = 0;

	while (number > offer_count(offers->points->pdata[index]))
		number -= offer_count(offers->points->pdata[index++]);
	offer = offer_at(offers->points->pdata[index], number - 1);
	add_offered(facts->world, offers->points->pdata[index], offer, sends);
	return sends;
}

static void append_received(GString *text, const struct verdict_facts *facts,
                            struct pickles *pickles, const GArray *sends)
{
	for (guint i = 0; i < sends->len; i++) {
		const struct op_id send = g_array_index(sends, struct op_id, i);
		const struct world_call *info = world_call_info(facts->world, send.rank, send.call);

		g_string_append_printf(text, "%srank %s's message", i > 0 ? "; " : ": ",
		                       rank_name(send.rank));
		append_message(text, facts, pickles, send,
		               info && info->subs == 1 ? info->tag : -1);
	}
}

char *telling_offer(const struct verdict_facts *facts, struct pickles *pickles,
                    const struct record_choice *point, const struct record_message *offer)
{
	g_autoptr(GArray) sends = g_array_new(false, false, sizeof(struct op_id));
	struct record_message told = *offer;
	g_autofree char *words = NULL;
	GString *text;

	if (point->point.kind == POINT_LOCK)
		return g_strdup_printf("rank %s", rank_name(offer->source));
	told.place = (struct place){0}; /* which has a column of its own */
	words = record_alternative_print(&told);
	text = g_string_new(words);
	add_offered(facts->world, point, offer, sends);
	if (!offer->answer)
		append_message(text, facts, pickles, offer->taken.send, offer->tag);
	else
		append_received(text, facts, pickles, sends);
	return g_string_free(text, false);
}

static char *place_words(const struct place *place)
{
	return place->file || place->function ? place_print(place) : g_strdup("");
}

/* "solver.c:12, call 3", "solver.c:12, calls 3-7" for ranks that are in different ones. */
static char *place_and_calls(const struct place *place, guint32 first, guint32 last)
{
	g_autofree char *words = place_words(place);
	const char *comma = *words ? ", " : "";

	if (first == 0)
		return g_steal_pointer(&words);
	if (first == last)
		return g_strdup_printf("%s%scall %u", words, comma, first);
	return g_strdup_printf("%s%scalls %u-%u", words, comma, first, last);
}

static void add_offers(GPtrArray *rows, const struct verdict_facts *facts, struct pickles *pickles,
                       const struct offers *offers, telling_note note, void *user)
{
	guint number = 0;

	for (guint i = 0; i < offers->points->len; i++) {
		const struct record_choice *point = offers->points->pdata[i];

		add_row(rows, call_words(facts, point),
		        place_and_calls(&point->place,
		                        point->point.kind == POINT_CALL ? point->call : 0,
		                        point->call),
		        g_strdup(verb_of(point)));
		for (guint k = 0; k < offer_count(point); k++) {
			const struct record_message *offer = offer_at(point, k);
			g_autofree char *words = telling_offer(facts, pickles, point, offer);
			char *more = note(user,
			                  &g_array_index(offers->choices, struct choice, number));

			number++;
			add_row(rows, g_strdup_printf("    %2u)  %s", number, words),
			        place_words(&offer->place), more ? more : g_strdup(""));
		}
	}
}

/* --- ranks ------------------------------------------------------------------------------------ */

static bool same_state(const struct record_rank *one, const struct record_rank *other,
                       const GPtrArray *roll_call)
{
	g_autofree char *call = words_call(one), *other_call = words_call(other);
	g_autofree char *state = words_state(one, roll_call);
	g_autofree char *other_state = words_state(other, roll_call);

	return (one->ended || one->thread == other->thread) && g_str_equal(call, other_call)
	       && g_str_equal(state, other_state) && place_equal(&one->place, &other->place);
}

/* `first` and `last`: the least and the greatest number of the ranks' calls. */
static void add_rank_row(GPtrArray *rows, const GPtrArray *roll_call,
                         const struct record_rank *rank, const GArray *ranks, guint32 first,
                         guint32 last)
{
	g_autofree char *who = words_who(ranks, rank->ended ? 0 : rank->thread);
	g_autofree char *call = words_call(rank);
	char *state = words_state(rank, roll_call);

	if (rank->ended && rank->end == RECORD_END_WELL)
		add_row(rows, g_strdup_printf("  %s  %s", who, state), g_strdup(""), g_strdup(""));
	else
		add_row(rows, g_strdup_printf("  %s  %s", who, call),
		        place_and_calls(&rank->place, *call ? first : 0, last), g_strdup(state));
	g_free(state);
}

/* Adds a line for the ranks of `shown` in the same state as the one at `first`, if it is the first
 * of them. */
static void add_rank_group(GPtrArray *rows, const GPtrArray *roll_call, const GPtrArray *shown,
                           guint first)
{
	const struct record_rank *rank = shown->pdata[first];
	g_autoptr(GArray) ranks = g_array_new(false, false, sizeof(int32_t));
	guint32 least = rank->call, most = rank->call;

	for (guint i = 0; i < shown->len; i++) {
		const struct record_rank *other = shown->pdata[i];

		if (!same_state(rank, other, roll_call))
			continue;
		if (i < first)
			return;
		g_array_append_val(ranks, other->rank);
		least = MIN(least, other->call);
		most = MAX(most, other->call);
	}
	g_array_sort(ranks, words_compare_ranks);
	add_rank_row(rows, roll_call, rank, ranks, least, most);
}

/* Adds the ranks for which hidden[rank] is false (NULL: all), except one. */
static void add_ranks(GPtrArray *rows, const GPtrArray *roll_call, const bool *hidden,
                      const struct record_rank *but)
{
	g_autoptr(GPtrArray) shown = g_ptr_array_new();

	for (guint i = 0; i < roll_call->len; i++) {
		struct record_rank *rank = roll_call->pdata[i];

		if (rank != but && (!hidden || !hidden[rank->rank]))
			g_ptr_array_add(shown, rank);
	}
	for (guint i = 0; i < shown->len; i++)
		add_rank_group(rows, roll_call, shown, i);
}

void telling_offers(GString *text, const struct verdict_facts *facts, struct pickles *pickles,
                    const struct offers *offers, telling_note note, void *user)
{
	g_autoptr(GPtrArray) rows = rows_new();
	g_autoptr(GPtrArray) roll_call = verdict_roll_call(facts);
	g_autofree bool *told = g_new0(bool, facts->ranks);

	add_offers(rows, facts, pickles, offers, note, user);
	for (guint i = 0; i < offers->points->len; i++) {
		const struct record_choice *point = offers->points->pdata[i];

		if (point->point.kind == POINT_CALL)
			told[point->rank] = world_calls(facts->world, point->rank) == point->call;
	}
	add_ranks(rows, roll_call, told, NULL);
	append_rows(text, rows);
}

void telling_ranks(GString *text, const GPtrArray *roll_call, int rank)
{
	g_autoptr(GPtrArray) rows = rows_new();
	g_autofree bool *told = NULL;

	if (rank >= 0) {
		told = g_new(bool, roll_call->len);
		for (guint i = 0; i < roll_call->len; i++)
			told[i] = (int)i != rank;
	}
	add_ranks(rows, roll_call, told, NULL);
	append_rows(text, rows);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Pads the number to a minimum width. */
static char *call_text(const struct verdict_facts *facts, int rank, guint32 call, int width)
{
	const struct world_call *info = world_call_info(facts->world, rank, call);
	g_autofree char *arguments = verdict_arguments(facts, rank, call);

	return g_strdup_printf("  %s.%-*u  %s(%s)", rank_name(rank), width, call,
	                       mpi_call_name(info->function), arguments);
}

void telling_calls(GString *text, const struct verdict_facts *facts, int rank, guint32 first,
                   guint32 last, telling_call_note note, void *user)
{
	g_autoptr(GPtrArray) rows = rows_new();
	int width = g_snprintf(NULL, 0, "%u", last);

	for (guint32 call = first; call <= last; call++) {
		const struct world_call *info = world_call_info(facts->world, rank, call);
		const struct place place = verdict_call_place(facts, rank, info);

		add_row(rows, call_text(facts, rank, call, width), place_words(&place),
		        g_strdup(note(user, rank, call)));
	}
	append_rows(text, rows);
}

/* --- messages --------------------------------------------------------------------------------- */

void telling_messages(GString *text, const struct verdict_facts *facts, struct pickles *pickles)
{
	g_autoptr(GArray) sends = world_unreceived(facts->world);
	g_autoptr(GPtrArray) rows = rows_new();

	for (guint i = 0; i < sends->len && i < MESSAGES_MOST; i++) {
		struct op_id id = g_array_index(sends, struct op_id, i);
		const struct world_call *info = world_call_info(facts->world, id.rank, id.call);
		g_autofree char *types = telling_contents(facts, pickles, id);
		g_autofree char *arguments = verdict_arguments(facts, id.rank, id.call);
		const struct place place = info ? verdict_call_place(facts, id.rank, info)
		                                : (struct place){0};

		add_row(rows,
		        g_strdup_printf("  rank %s  %s(%s)", rank_name(id.rank),
		                        info ? mpi_call_name(info->function) : "?", arguments),
		        place_words(&place), g_strdup(types ? types : ""));
	}
	append_rows(text, rows);
	if (sends->len > MESSAGES_MOST)
		g_string_append_printf(text, "  ... and %u more\n", sends->len - MESSAGES_MOST);
	if (sends->len == 0)
		g_string_append(text, "every message that was sent has been received\n");
}

/* --- source ----------------------------------------------------------------------------------- */

void telling_source(GString *text, const struct place *place)
{
	g_autofree char *path = NULL, *contents = NULL, *valid = NULL;
	g_auto(GStrv) lines = NULL;
	gsize length;
	guint count;

	if (!place->file || place->line == 0) {
		g_string_append(text, "the line is not known: was it compiled with -g?\n");
		return;
	}
	path = place->directory ? g_build_filename(place->directory, place->file, NULL)
	                        : g_strdup(place->file);
	if (!g_file_get_contents(path, &contents, &length, NULL)) {
		g_string_append_printf(text, "cannot read %s\n", path);
		return;
	}
	valid = record_printable(contents, (gssize)length);
	lines = g_strsplit(valid, "\n", -1);
	count = g_strv_length(lines);
	if (place->line > count) {
		g_string_append_printf(text, "%s has no line %u: the file has changed\n", path,
		                       place->line);
		return;
	}
	for (guint i = place->line > SOURCE_LINES ? place->line - SOURCE_LINES : 1;
	     i <= MIN(count, place->line + SOURCE_LINES); i++)
		g_string_append_printf(text, "%s%5u  %s\n", i == place->line ? "->" : "  ", i,
		                       lines[i - 1]);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* The only rank that went wrong and that the message names; NULL: there are several, or none has
 * ended. */
static const struct record_rank *culprit(const struct record_finding *finding)
{
	const struct record_rank *found = NULL;

	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = finding->ranks->pdata[i];

		if (rank->bystander)
			continue;
		if (found || !rank->ended)
			return NULL;
		found = rank;
	}
	return found;
}

void telling_finding(GString *text, const struct record_finding *finding)
{
	const struct finding_kind_info *kind = finding_kind_info(finding->kind);
	bool remark = record_finding_is_remark(finding);
	bool message_alone = kind->text == FINDING_TEXT_MESSAGE;
	bool roll_call_alone = kind->text == FINDING_TEXT_ROLL_CALL && finding->ranks->len > 0;
	bool says_message = (!remark || message_alone) && !roll_call_alone;
	bool explains = says_message && !message_alone && !kind->unexplained_end;
	const struct record_rank *told = explains ? culprit(finding) : NULL;
	g_autoptr(GPtrArray) rows = rows_new();

	if (says_message)
		g_string_append_printf(text, "  %s\n", finding->message);
	if (!message_alone)
		add_ranks(rows, finding->ranks, NULL, told);
	append_rows(text, rows);
}

static void append_output(GString *text, int rank, const char *where, GBytes *bytes)
{
	g_autofree char *wrote = words_wrote(rank, where, bytes, OUTPUT_LINES);

	if (wrote)
		g_string_append(text, wrote);
}

void telling_outputs(GString *text, const struct record_execution *record)
{
	for (guint i = 0; i < record->outputs->len; i++)
		append_output(text, (int)i, "", record->outputs->pdata[i]);
	for (guint i = 0; i < record->errors->len; i++)
		append_output(text, (int)i, " to standard error", record->errors->pdata[i]);
}
