#include <string.h>

#include "finding_text.h"
#include "places.h"
#include "report.h"
#include "words.h"

/* Annotations: workflow commands that GitHub Actions reads from the output of a step. It shows
 * ten errors of a step and drops further ones. So one line sums up all further findings. */

#define ANNOTATIONS_MAX 9

/* Escapes text the way the runner unescapes it: for the message, or for a property. */
static char *escape(const char *text, bool property)
{
	GString *escaped = g_string_new(NULL);

	for (; *text; text++) {
		if (*text == '%' || *text == '\r' || *text == '\n'
		    || (property && (*text == ':' || *text == ',')))
			g_string_append_printf(escaped, "%%%02X", (unsigned)*text);
		else
			g_string_append_c(escaped, *text);
	}
	return g_string_free(escaped, false);
}

static void write_command(FILE *out, const char *command, const char *place, const char *title,
                          const char *message)
{
	g_autofree char *named = escape(title, true), *text = escape(message, false);

	fprintf(out, "::%s %stitle=%s::%s\n", command, place, named, text);
}

static bool annotate(struct store_reader *reader, const struct record_finding *finding,
                     const char *root, FILE *out, GError **error)
{
	const struct place *place = places_of_finding(finding);
	g_autofree char *text = finding_print(reader, finding, error);
	g_autofree char *file = place ? places_file(place, root) : NULL;
	g_autofree char *title = g_strdup_printf("matchpoint: %s #%u",
	                                         finding_kind_name(finding->kind), finding->id);
	g_autofree char *where = NULL;

	if (!text)
		return false;
	if (file) {
		g_autofree char *escaped = escape(file, true);

		where = g_strdup_printf("file=%s,line=%u,", escaped, MAX(place->line, 1));
	}
	write_command(out, "error", where ? where : "", title, g_strchomp(text));
	return true;
}

static bool github_write(struct store_reader *reader, const struct report_options *options,
                         FILE *out, GError **error)
{
	const struct record_exploration *e = store_reader_exploration(reader);
	const GPtrArray *findings = store_reader_mistakes(reader);
	g_autofree char *subject = words_subject(e), *extent = words_extent(e);
	g_autofree char *verdict = g_strconcat(subject, extent, NULL);
	g_autofree char *unchecked = words_not_checked(e);

	for (guint i = 0; i < MIN(findings->len, ANNOTATIONS_MAX); i++) {
		if (!annotate(reader, g_ptr_array_index(findings, i), places_root(reader, options),
		              out, error))
			return false;
	}
	if (findings->len > ANNOTATIONS_MAX) {
		g_autofree char *rest = g_strdup_printf("%u findings in total; see the log",
		                                        findings->len);

		write_command(out, "error", "", "matchpoint: more findings", rest);
	}
	if (findings->len == 0 && !e->complete)
		write_command(out, "warning", "", "matchpoint: nothing wrong so far", verdict);
	if (unchecked)
		write_command(out, "notice", "", "matchpoint", unchecked);
	for (guint i = 0; i < e->notes->len; i++)
		write_command(out, "notice", "", "matchpoint", g_ptr_array_index(e->notes, i));
	return true;
}

const struct report report_github = {
	.name = "github",
	.summary = "the findings as annotations for GitHub Actions",
	.write = github_write,
};
