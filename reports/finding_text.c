#define _GNU_SOURCE /* memrchr */
#include "finding_text.h"

#include <string.h>

#include "two_parts.h"
#include "words.h"

#define CALL_WIDTH 34 /* columns of a call in the roll-call; more if a call is wider */
#define PLACE_WIDTH 15
#define LAST_WORDS_MOST 80 /* characters */
#define LAST_WORDS_RANKS 4
#define WROTE_LINES 4 /* last lines of a rank's standard error, shown with a crash */

static void line_write(const struct words_line *line, int ranks_width, int call_width,
                       int place_width, FILE *out)
{
	g_autofree char *ranks = words_who(line->ranks, line->thread);

	if (!line->ended)
		fprintf(out, "  %-*s  %-*s%-*s%s\n", ranks_width, ranks, call_width, line->call,
		        place_width, line->place, line->state);
	else if (*line->call && g_str_has_prefix(line->state, "called "))
		fprintf(out, "  %-*s  %s at %s\n", ranks_width, ranks, line->state, line->place);
	else if (*line->call && !g_str_equal(line->state, "ended"))
		fprintf(out, "  %-*s  %s after %s at %s\n", ranks_width, ranks, line->state,
		        line->call, line->place);
	else
		fprintf(out, "  %-*s  %s\n", ranks_width, ranks, line->state);
	if (line->callers)
		fprintf(out, "  %-*s  %s\n", ranks_width, "", line->callers);
}

/* The only rank that went wrong: the finding's message describes it already. NULL: several ranks
 * went wrong, or none ended. */
static const struct record_rank *culprit(const GPtrArray *roll_call)
{
	const struct record_rank *found = NULL;

	for (guint i = 0; i < roll_call->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(roll_call, i);

		if (rank->bystander)
			continue;
		if (found || !rank->ended)
			return NULL;
		found = rank;
	}
	return found;
}

static void write_roll_call(const struct store_reader *reader, const GPtrArray *roll_call,
                            const struct record_rank *told, FILE *out)
{
	g_autoptr(GPtrArray) lines = words_roll_call(reader, roll_call, told);
	int ranks_width = 0, call_width = CALL_WIDTH, place_width = PLACE_WIDTH;

	for (guint i = 0; i < lines->len; i++) {
		const struct words_line *line = g_ptr_array_index(lines, i);
		g_autofree char *ranks = words_who(line->ranks, line->thread);

		if (line->ended)
			continue;
		ranks_width = MAX(ranks_width, (int)strlen(ranks));
		call_width = MAX(call_width, (int)strlen(line->call) + 2);
		place_width = MAX(place_width, (int)strlen(line->place) + 2);
	}
	for (guint i = 0; i < lines->len; i++)
		line_write(g_ptr_array_index(lines, i), ranks_width, call_width, place_width, out);
}

static void write_callers(const struct store_reader *reader, const struct record_rank *rank,
                          FILE *out)
{
	g_autofree char *callers = words_rank_callers(reader, rank);

	if (callers)
		fprintf(out, "    %s\n", callers);
}

/* The interleaving that shows the finding; *ret_execution is NULL if it is not in the store. */
static bool read_example(struct store_reader *reader, const struct record_finding *finding,
                         struct record_execution **ret_execution, GError **error)
{
	g_autoptr(GError) problem = NULL;

	*ret_execution = store_reader_example(reader, finding->id, &problem);
	if (*ret_execution
	    || g_error_matches(problem, STORE_READER_ERROR, STORE_READER_ERROR_MISSING))
		return true;
	g_propagate_error(error, g_steal_pointer(&problem));
	return false;
}

static void write_errors(const struct record_execution *execution, FILE *out)
{
	for (guint i = 0; i < execution->errors->len; i++) {
		g_autofree char *wrote = words_wrote((int)i, " to standard error",
		                                     execution->errors->pdata[i], WROTE_LINES);

		if (wrote)
			fputs(wrote, out);
	}
}

/* The last line of what a rank has printed, shortened; NULL: it has printed nothing. */
static char *last_words(GBytes *output)
{
	gsize size, end;
	const char *data = g_bytes_get_data(output, &size), *line;
	g_autofree char *shown = NULL;

	for (end = size; end > 0 && g_ascii_isspace(data[end - 1]);)
		end--;
	if (end == 0)
		return NULL;
	line = memrchr(data, '\n', end);
	line = line ? line + 1 : data;
	shown = record_printable(line, (gssize)(end - (gsize)(line - data)));
	if (g_utf8_strlen(shown, -1) > LAST_WORDS_MOST) {
		*g_utf8_offset_to_pointer(shown, LAST_WORDS_MOST) = '\0';
		return g_strconcat(shown, "...", NULL);
	}
	return g_steal_pointer(&shown);
}

/* What the ranks that went wrong have printed last shows how far they had come. */
static void write_last_words(const GPtrArray *roll_call, const struct record_execution *execution,
                             FILE *out)
{
	g_autoptr(GHashTable) told = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < roll_call->len; i++) {
		const struct record_rank *rank = roll_call->pdata[i];
		g_autofree char *words = NULL;

		if (rank->bystander || (guint)rank->rank >= execution->outputs->len
		    || g_hash_table_size(told) == LAST_WORDS_RANKS
		    || g_hash_table_contains(told, GINT_TO_POINTER(rank->rank)))
			continue;
		words = last_words(execution->outputs->pdata[rank->rank]);
		if (!words)
			continue;
		g_hash_table_add(told, GINT_TO_POINTER(rank->rank));
		fprintf(out, "  rank %s's last line of output: %s\n", rank_name(rank->rank), words);
	}
}

/* Writes a source line; NULL: there is no such line. */
static void write_line(const char *head, const char *line, FILE *out)
{
	fprintf(out, "    %-12s%s\n", head, line ? line : "(there is no such line)");
}

static void write_outcomes(const GPtrArray *outcomes, FILE *out)
{
	for (guint i = 0; i < outcomes->len; i++) {
		const struct record_outcome *outcome = g_ptr_array_index(outcomes, i);
		g_autofree char *path = words_path(outcome->path);
		g_autofree char *count = words_interleavings(outcome->count);

		fprintf(out, "  outcome %u  (%s, the first is %s)\n", outcome->number, count, path);
		if (!outcome->place)
			continue;
		fprintf(out, "    %s\n", outcome->place);
		write_line("", outcome->line, out);
		write_line("instead of", outcome->instead, out);
	}
}

/* "rank 1's MPI_Send at a.c:12, rank 2's ...": the sends for which this alternative was chosen,
 * although another was possible. NULL: none. */
static char *sends_that(const GPtrArray *choices, enum taken_kind kind)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < choices->len; i++) {
		const struct record_choice *choice = g_ptr_array_index(choices, i);
		g_autofree char *place = place_print(&choice->place);

		if (choice->taken.taken.kind == kind && choice->alternatives->len > 0)
			g_string_append_printf(text, "%srank %s's %s at %s",
			                       text->len > 0 ? ", " : "", rank_name(choice->rank),
			                       choice->function, place);
	}
	return g_string_free(text, text->len == 0);
}

/* If each send, or each collective, has a choice of its own: the ones that make the difference. */
static bool write_sends(struct store_reader *reader, const struct record_finding *finding,
                        FILE *out, GError **error)
{
	g_autoptr(RecordExecution) execution = NULL;
	g_autofree char *late = NULL, *early = NULL;

	if (finding->bufferings != RECORD_PER_SEND
	    && g_strcmp0(store_reader_exploration(reader)->collectives, "per-call") != 0)
		return true;
	execution = store_reader_example(reader, finding->id, error);
	if (!execution)
		return false;
	late = sends_that(execution->choices, TAKEN_LATE);
	early = sends_that(execution->choices, TAKEN_EARLY);
	if (late)
		fprintf(out, "  must block until matched: %s\n", late);
	if (early)
		fprintf(out, "  must complete before the match: %s\n", early);
	return true;
}

/* Writes the line of source at this place, if it is known and not yet `written`. */
static void write_source(const struct store_reader *reader, const struct place *place,
                         const struct place *written, FILE *out)
{
	const struct record_excerpt *excerpt = store_reader_excerpt(reader, place);
	g_auto(GStrv) lines = excerpt ? g_strsplit(excerpt->text, "\n", -1) : NULL;
	g_autofree char *where = place_print(place);
	guint at = excerpt && place->line >= excerpt->first ? place->line - excerpt->first : 0;

	if (!excerpt || place->line < excerpt->first || at >= g_strv_length(lines)
	    || (written && place_equal(place, written)))
		return;
	for (char *byte = lines[at]; *byte; byte++) /* it goes to a terminal */
		if (g_ascii_iscntrl(*byte))
			*byte = ' ';
	fprintf(out, "    %s: %s\n", where, g_strstrip(lines[at]));
}

bool finding_write(struct store_reader *reader, const struct record_finding *finding, FILE *out,
                   GError **error)
{
	const struct record_exploration *exploration = store_reader_exploration(reader);
	g_autofree char *again = words_finding_again(reader, finding);
	g_autofree char *path = words_path(finding->path);
	g_auto(GStrv) variants = words_variants(finding);
	const struct record_rank *told = NULL;
	const struct finding_kind_info *kind = finding_kind_info(finding->kind);
	bool remark = record_finding_is_remark(finding);
	bool message_alone = kind->text == FINDING_TEXT_MESSAGE;
	bool roll_call_alone = kind->text == FINDING_TEXT_ROLL_CALL;
	g_autoptr(RecordExecution) execution = NULL;

	write_outcomes(finding->outcomes, out);
	if (finding->message && *finding->message && (!remark || message_alone)
	    && finding->outcomes->len == 0 && !(roll_call_alone && finding->ranks->len > 0)) {
		fprintf(out, "  %s\n", finding->message);
		told = kind->unexplained_end ? NULL : culprit(finding->ranks);
	}
	if (told)
		write_callers(reader, told, out);
	if (!message_alone)
		write_roll_call(reader, finding->ranks, told, out);
	if (!read_example(reader, finding, &execution, error))
		return false;
	if (execution && !remark && finding->outcomes->len == 0) {
		if (!roll_call_alone)
			write_errors(execution, out);
		write_last_words(finding->ranks, execution, out);
	}
	if (finding->blame) {
		g_autofree char *blame = words_blame(finding->blame);

		g_autofree char *callers = words_callers(reader, finding->blame->stack);

		g_autofree char *parts =
			execution ? two_parts_print(finding->blame, execution->choices) : NULL;

		fprintf(out, "  it needs: %s\n", blame);
		if (parts)
			fprintf(out, "    %s\n", parts);
		if (callers)
			fprintf(out, "    %s\n", callers);
		write_source(reader, &finding->blame->place, NULL, out);
		write_source(reader, &finding->blame->taken.place, &finding->blame->place, out);
	}
	if (!write_sends(reader, finding, out, error))
		return false;
	if (words_not_reproduced(finding, exploration))
		fprintf(out, "  %s\n", words_not_reproduced(finding, exploration));
	if (!kind->native)
		fprintf(out, "  path: %s\n", path);
	fprintf(out, "  again: %s\n", again);
	for (guint i = 0; variants[i]; i++)
		fprintf(out, "%s    %s\n",
		        i == 0 ? "  the same with other ranks or partners:\n" : "", variants[i]);
	return true;
}

char *finding_print(struct store_reader *reader, const struct record_finding *finding,
                    GError **error)
{
	char *text = NULL, *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool good = out && finding_write(reader, finding, out, error);

	if (out && fclose(out) == 0 && good)
		copy = g_utf8_make_valid(text, (gssize)size);
	free(text);
	if (!copy && error && !*error)
		g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_NOMEM, "no memory left");
	return copy;
}
