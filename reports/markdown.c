#include <string.h>

#include "finding_text.h"
#include "report.h"
#include "words.h"

/* Markdown as GitHub and GitLab show it: the verdict, and each finding in a collapsed section. */

#define FINDINGS_MAX 50 /* shown in full; a step summary of GitHub holds 1 MiB */

/* Escapes text so that Markdown and HTML show it unchanged. */
static char *escape(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	GString *escaped = g_string_new(NULL);

	for (text = valid; *text; text++) {
		if (*text == '\n' || *text == '\r')
			g_string_append_c(escaped, ' ');
		else if (strchr("<>&\"|", *text))
			g_string_append_printf(escaped, "&#%d;", *text);
		else if (strchr("\\`*_{}[]()#+!~$:@", *text))
			g_string_append_printf(escaped, "\\%c", *text);
		else
			g_string_append_c(escaped, *text);
	}
	return g_string_free(escaped, false);
}

/* A fenced block. The fence is longer than any row of backticks in the text. */
static void write_block(const char *text, FILE *out)
{
	gsize longest = 2, row = 0;
	g_autofree char *fence = NULL;

	for (const char *at = text; *at; at++) {
		row = *at == '`' ? row + 1 : 0;
		longest = MAX(longest, row);
	}
	fence = g_strnfill(longest + 1, '`');
	fprintf(out, "%stext\n%s%s%s\n", fence, text, g_str_has_suffix(text, "\n") ? "" : "\n",
	        fence);
}

static bool write_finding(struct store_reader *reader, const struct record_finding *finding,
                          FILE *out, GError **error)
{
	g_autofree char *text = finding_print(reader, finding, error);
	g_autofree char *share = words_share(finding, store_reader_exploration(reader));
	g_autofree char *headline = words_headline(finding);
	g_autofree char *title = g_strdup_printf("%s #%u: %s", finding_kind_name(finding->kind),
	                                         finding->id, headline);
	g_autofree char *html = g_markup_escape_text(title, -1);

	if (!text)
		return false;
	fprintf(out, "\n<details open>\n<summary>%s (%s)</summary>\n\n", html, share);
	write_block(text, out);
	fputs("\n</details>\n", out);
	return true;
}

static bool markdown_write(struct store_reader *reader, const struct report_options *options,
                           FILE *out, GError **error)
{
	const struct record_exploration *e = store_reader_exploration(reader);
	const GPtrArray *findings = store_reader_mistakes(reader);
	g_autofree char *subject = words_subject(e), *extent = words_extent(e);
	g_autofree char *verdict = g_strconcat(subject, extent, NULL), *line = escape(verdict);
	g_autofree char *unchecked = words_not_checked(e);
	g_auto(GStrv) counts = words_counts(reader);

	(void)options;
	fprintf(out, "### matchpoint: %s\n\n%s\n", *counts ? "findings" : words_nothing(e), line);
	if (unchecked) {
		g_autofree char *text = escape(unchecked);

		fprintf(out, "\n%s\n", text);
	}
	if (*counts)
		fputc('\n', out);
	for (char **count = counts; *count; count++) {
		g_autofree char *text = escape(*count);

		fprintf(out, "- %s\n", text);
	}
	for (guint i = 0; i < e->notes->len; i++) {
		g_autofree char *note = escape(g_ptr_array_index(e->notes, i));

		fprintf(out, "\n> %s\n", note);
	}
	for (guint i = 0; i < MIN(findings->len, FINDINGS_MAX); i++) {
		if (!write_finding(reader, g_ptr_array_index(findings, i), out, error))
			return false;
	}
	if (findings->len > FINDINGS_MAX)
		fprintf(out, "\nand %u more findings\n", findings->len - FINDINGS_MAX);
	fputc('\n', out);
	return true;
}

const struct report report_markdown = {
	.name = "markdown",
	.suffix = "md",
	.summary = "the verdict as Markdown, as for the summary of a step of GitHub Actions",
	.write = markdown_write,
};
