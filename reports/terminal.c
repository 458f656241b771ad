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
	if (next)
		fprintf(out, "  %s\n", next);
}

static char *cause_of(const struct record_finding *finding)
{
	return finding->blame ? words_cause(finding->blame) : g_strdup("no choice to blame");
}

/* A line for each choice to blame, with the findings that need it. */
static void write_causes(const GPtrArray *findings, FILE *out)
{
	g_autoptr(GPtrArray) causes = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < findings->len; i++) {
		char *cause = cause_of(findings->pdata[i]);

		if (g_ptr_array_find_with_equal_func(causes, cause, g_str_equal, NULL))
			g_free(cause);
		else
			g_ptr_array_add(causes, cause);
	}
	fputs("\nby cause:\n", out);
	for (guint i = 0; i < causes->len; i++) {
		const char *separator = ": ";

		fprintf(out, "  %s", (const char *)causes->pdata[i]);
		for (guint k = 0; k < findings->len; k++) {
			const struct record_finding *finding = findings->pdata[k];
			g_autofree char *cause = cause_of(finding);

			if (!g_str_equal(cause, causes->pdata[i]))
				continue;
			fprintf(out, "%s%s #%u", separator, finding_kind_name(finding->kind),
			        finding->id);
			separator = ", ";
		}
		fputc('\n', out);
	}
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
	if (findings->len > 1)
		write_causes(findings, out);
	return true;
}

const struct report report_terminal = {
	.name = "terminal",
	.summary = "the verdict, for a person",
	.write = terminal_write,
};
