#include "causes.h"
#include "colours.h"
#include "finding_text.h"
#include "report.h"
#include "words.h"

static bool write_finding(struct store_reader *reader, const struct record_finding *finding,
                          const struct colours *colours, FILE *out, GError **error)
{
	g_autofree char *share = words_share(finding, store_reader_exploration(reader));

	fprintf(out, "\n%s%s #%u%s  (%s)\n", colours->bad, finding_kind_name(finding->kind),
	        finding->id, colours->plain, share);
	return finding_write(reader, finding, out, error);
}

/* Whether a call of the program that a finding is about has an address only. */
static bool lacks_line(const struct record_finding *finding)
{
	const struct place *blamed = finding->blame ? &finding->blame->place : NULL;

	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = finding->ranks->pdata[i];

		if (rank->place.function && !rank->place.file)
			return true;
	}
	return blamed && blamed->function && !blamed->file;
}

static bool lack_lines(const GPtrArray *findings)
{
	for (guint i = 0; i < findings->len; i++)
		if (lacks_line(findings->pdata[i]))
			return true;
	return false;
}

static void write_verdict(struct store_reader *reader, const struct colours *colours, FILE *out)
{
	const struct record_exploration *e = store_reader_exploration(reader);
	g_autofree char *subject = words_subject(e), *extent = words_extent(e);
	g_autofree char *unchecked = words_not_checked(e), *next = words_next(e);
	g_auto(GStrv) counts = words_counts(reader);

	fprintf(out, "%smatchpoint: %s%s%s\n", colours->strong, subject, colours->plain, extent);
	if (unchecked)
		fprintf(out, "  %s\n", unchecked);
	for (char **count = counts; *count; count++)
		fprintf(out, "  %s\n", *count);
	if (!*counts)
		fprintf(out, "  %s%s%s\n", colours->good, words_nothing(e), colours->plain);
	if (e->wasted > 0)
		fprintf(out, "  %" G_GUINT64_FORMAT " run%s led nowhere new\n", e->wasted,
		        e->wasted == 1 ? "" : "s");
	for (guint i = 0; i < e->notes->len; i++)
		fprintf(out, "  note: %s\n", (const char *)g_ptr_array_index(e->notes, i));
	if (lack_lines(store_reader_mistakes(reader)))
		fputs("  note: places are addresses where the program has no debugging "
		      "information; compile with -g to see its lines\n",
		      out);
	if (next)
		fprintf(out, "  %s\n", next);
}

static bool terminal_write(struct store_reader *reader, const struct report_options *options,
                           FILE *out, GError **error)
{
	g_autoptr(GPtrArray) findings = causes_order(store_reader_mistakes(reader));
	struct colours colours = colours_of(out);
	g_auto(GStrv) causes = causes_print(findings);

	(void)options;
	write_verdict(reader, &colours, out);
	for (guint i = 0; i < findings->len; i++) {
		if (!write_finding(reader, g_ptr_array_index(findings, i), &colours, out, error))
			return false;
	}
	for (guint i = 0; findings->len > 1 && causes[i]; i++)
		fprintf(out, "%s  %s\n", i == 0 ? "\nby cause:\n" : "", causes[i]);
	return true;
}

const struct report report_terminal = {
	.name = "terminal",
	.summary = "the verdict, for a person",
	.write = terminal_write,
};
