#include <string.h>
#include <unistd.h>

#include "report.h"
#include "words.h"

#define CALL_WIDTH 34 /* columns of a roll-call, when nothing in it is wider */
#define PLACE_WIDTH 15
#define WROTE_LINES 4 /* of a rank's standard error, shown with a crash */

/* What a colour means; the codes are empty when the output is no terminal. */
struct colours {
	const char *bad, *good, *strong, *plain;
};

static struct colours colours_of(FILE *out)
{
	const char *no_color = g_getenv("NO_COLOR"), *term = g_getenv("TERM");

	if (!isatty(fileno(out)) || (no_color && *no_color) || g_strcmp0(term, "dumb") == 0)
		return (struct colours){"", "", "", ""};
	return (struct colours){"\033[1;31m", "\033[1;32m", "\033[1m", "\033[0m"};
}

static void line_write(const struct words_line *line, int ranks_width, int call_width,
                       int place_width, FILE *out)
{
	g_autofree char *ranks = words_ranks(line->ranks);

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
}

/* The only rank that went wrong, which the finding's message has told of already; NULL: there are
 * several, or none ended. */
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

static void write_roll_call(const GPtrArray *roll_call, const struct record_rank *told, FILE *out)
{
	g_autoptr(GPtrArray) lines = words_roll_call(roll_call, told);
	int ranks_width = 0, call_width = CALL_WIDTH, place_width = PLACE_WIDTH;

	for (guint i = 0; i < lines->len; i++) {
		const struct words_line *line = g_ptr_array_index(lines, i);
		g_autofree char *ranks = words_ranks(line->ranks);

		if (line->ended)
			continue;
		ranks_width = MAX(ranks_width, (int)strlen(ranks));
		call_width = MAX(call_width, (int)strlen(line->call) + 2);
		place_width = MAX(place_width, (int)strlen(line->place) + 2);
	}
	for (guint i = 0; i < lines->len; i++)
		line_write(g_ptr_array_index(lines, i), ranks_width, call_width, place_width, out);
}

/* The end of what a rank wrote to its standard error, if it wrote anything. */
static void write_errors(int rank, GBytes *errors, FILE *out)
{
	gsize size;
	const char *data = g_bytes_get_data(errors, &size);
	g_autofree char *text = data ? g_utf8_make_valid(data, (gssize)size) : g_strdup("");
	g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
	guint count = g_strv_length(lines);

	if (!*text)
		return;
	fprintf(out, "  rank %d wrote to standard error:\n", rank);
	if (count > WROTE_LINES)
		fprintf(out, "    ...\n");
	for (guint i = count > WROTE_LINES ? count - WROTE_LINES : 0; i < count; i++)
		fprintf(out, "    %s\n", g_strdelimit(lines[i], "\033\r\b", '?'));
}

static bool write_example(struct store_reader *reader, const struct record_finding *finding,
                          FILE *out, GError **error)
{
	g_autoptr(GError) problem = NULL;
	g_autoptr(RecordExecution) execution = store_reader_example(reader, finding->id, &problem);

	if (g_error_matches(problem, STORE_READER_ERROR, STORE_READER_ERROR_MISSING))
		return true;
	if (!execution) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	for (guint i = 0; i < execution->errors->len; i++)
		write_errors((int)i, g_ptr_array_index(execution->errors, i), out);
	return true;
}

/* "deadlock #1  (2 of 6 interleavings, any buffering)" */
static void write_title(const struct record_finding *finding,
                        const struct record_exploration *exploration, const struct colours *colours,
                        FILE *out)
{
	g_autofree char *share = words_share(finding, exploration);

	fprintf(out, "\n%s%s #%u%s  (%s)\n", colours->bad, finding->kind, finding->id,
	        colours->plain, share);
}

static bool write_finding(struct store_reader *reader, const struct record_finding *finding,
                          const struct colours *colours, FILE *out, GError **error)
{
	const struct record_exploration *exploration = store_reader_exploration(reader);
	g_autofree char *program = words_program(exploration);
	const struct record_rank *told = NULL;
	bool deadlock = g_str_equal(finding->kind, "deadlock");
	bool remark = record_finding_is_remark(finding);

	write_title(finding, exploration, colours, out);
	if (finding->message && *finding->message && !remark
	    && !(deadlock && finding->ranks->len > 0)) {
		fprintf(out, "  %s\n", finding->message);
		told = g_str_equal(finding->kind, "stall") ? NULL : culprit(finding->ranks);
	}
	write_roll_call(finding->ranks, told, out);
	if (!deadlock && !remark && !write_example(reader, finding, out, error))
		return false;
	if (finding->blame) {
		g_autofree char *blame = words_blame(finding->blame);

		fprintf(out, "  it needs: %s\n", blame);
	}
	if (!finding->reproduced && words_is_exploration(exploration))
		fprintf(out, "  its replay ended otherwise: the program does not depend on "
		             "matching alone\n");
	fprintf(out, "  path: %s\n", finding->path);
	fprintf(out, "  again: matchpoint replay %s -- %s\n", finding->path, program);
	return true;
}

static void write_verdict(struct store_reader *reader, const struct colours *colours, FILE *out)
{
	const struct record_exploration *e = store_reader_exploration(reader);
	g_autofree char *subject = words_subject(e), *extent = words_extent(e);
	g_auto(GStrv) counts = words_counts(reader);

	fprintf(out, "%smatchpoint: %s%s%s\n", colours->strong, subject, colours->plain, extent);
	for (char **count = counts; *count; count++)
		fprintf(out, "  %s\n", *count);
	if (!*counts)
		fprintf(out, "  %s%s%s\n", colours->good, words_nothing(e), colours->plain);
	if (e->wasted > 0)
		fprintf(out, "  %" G_GUINT64_FORMAT " run%s led nowhere new\n", e->wasted,
		        e->wasted == 1 ? "" : "s");
	for (guint i = 0; i < e->notes->len; i++)
		fprintf(out, "  note: %s\n", (const char *)g_ptr_array_index(e->notes, i));
}

static bool terminal_write(struct store_reader *reader, const struct report_options *options,
                           FILE *out, GError **error)
{
	const GPtrArray *findings = store_reader_findings(reader);
	struct colours colours = colours_of(out);

	(void)options;
	write_verdict(reader, &colours, out);
	for (guint i = 0; i < findings->len; i++) {
		if (!write_finding(reader, g_ptr_array_index(findings, i), &colours, out, error))
			return false;
	}
	return true;
}

const struct report report_terminal = {
	.name = "terminal",
	.summary = "the verdict, for a person",
	.write = terminal_write,
};
