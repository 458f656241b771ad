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

static void write_verdict(struct store_reader *reader, const struct colours *colours, FILE *out)
{
	const struct record_exploration *e = store_reader_exploration(reader);
	g_autofree char *subject = words_subject(e), *extent = words_extent(e);
	g_autofree char *unchecked = words_not_checked(e);
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
}

static bool terminal_write(struct store_reader *reader, const struct report_options *options,
                           FILE *out, GError **error)
{
	const GPtrArray *findings = store_reader_mistakes(reader);
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
