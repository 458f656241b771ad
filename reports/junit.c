#include <string.h>

#include "finding_text.h"
#include "report.h"
#include "words.h"

/* JUnit XML as Jenkins and GitLab read it. There is one test case for each buffering, with at
 * most one <failure> (GitLab reads only one) that holds all its findings as text. */

#define OUTPUT_MAX 16384 /* bytes of each rank's output in a failed test case */

/* Appends text for XML 1.0, for use between tags or in an attribute in double quotes. Characters
 * that XML cannot hold (section 2.2) and invalid UTF-8 become U+FFFD. */
static void append_xml(GString *xml, const char *text, gssize size)
{
	g_autofree char *valid = g_utf8_make_valid(text, size);

	for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
		gunichar c = g_utf8_get_char(at);

		if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\r')
			g_string_append_printf(xml, "&#%u;", c);
		else if ((c < ' ' && c != '\t' && c != '\n') || c == 0xfffe || c == 0xffff)
			g_string_append_unichar(xml, 0xfffd);
		else
			g_string_append_unichar(xml, c);
	}
}

/* The same for an attribute. White space must be written as character references there. */
static void append_attribute(GString *xml, const char *name, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	g_string_append_printf(xml, " %s=\"", name);
	for (char **line = lines; *line; line++) {
		if (line > lines)
			g_string_append(xml, "&#10;");
		append_xml(xml, g_strdelimit(*line, "\t", ' '), -1);
	}
	g_string_append_c(xml, '"');
}

static void append_time(GString *xml, double seconds)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	append_attribute(xml, "time", g_ascii_formatd(number, sizeof(number), "%.3f", seconds));
}

static void append_property(GString *xml, const char *name, const char *value)
{
	g_string_append(xml, "      <property");
	append_attribute(xml, "name", name);
	append_attribute(xml, "value", value ? value : "");
	g_string_append(xml, "/>\n");
}

static void append_properties(GString *xml, const struct record_exploration *e)
{
	g_autofree char *ranks = g_strdup_printf("%d", e->ranks);
	g_autofree char *interleavings = words_number(e->interleavings);
	g_autofree char *program = words_program(e);

	g_string_append(xml, "    <properties>\n");
	append_property(xml, "program", program);
	append_property(xml, "ranks", ranks);
	append_property(xml, "interleavings", interleavings);
	if (e->states > 0) {
		g_autofree char *states = g_strdup_printf("%" G_GUINT64_FORMAT, e->states);

		append_property(xml, "states", states);
	}
	append_property(xml, "complete", e->complete ? "true" : "false");
	append_property(xml, "backtrack", e->backtrack);
	append_property(xml, "matchpoint", e->version);
	append_property(xml, "mpi", e->mpi);
	for (guint i = 0; i < e->limits->len; i++) {
		const struct record_limit *limit = e->limits->pdata[i];
		g_autofree char *text = limit_print(limit);

		append_property(xml,
		                limit_info(limit->limit)->class == LIMIT_NOT_CHECKED
		                        ? "not-checked"
		                        : "not-explored",
		                text);
	}
	for (guint i = 0; i < e->notes->len; i++)
		append_property(xml, "note", g_ptr_array_index(e->notes, i));
	g_string_append(xml, "    </properties>\n");
}

/* What the ranks wrote in the interleaving, each line prefixed with its rank. */
static void append_output(GString *xml, const char *element, const GPtrArray *outputs)
{
	bool empty = true;

	for (guint rank = 0; rank < outputs->len; rank++) {
		gsize size;
		const char *data = g_bytes_get_data(g_ptr_array_index(outputs, rank), &size);

		if (size == 0)
			continue;
		if (empty)
			g_string_append_printf(xml, "      <%s>", element);
		empty = false;
		g_string_append_printf(xml, "rank %s:\n", rank_name(rank));
		append_xml(xml, data, (gssize)MIN(size, OUTPUT_MAX));
		if (size > OUTPUT_MAX)
			g_string_append(xml, "...");
		g_string_append(xml, "\n");
	}
	if (!empty)
		g_string_append_printf(xml, "</%s>\n", element);
}

static bool append_outputs(struct store_reader *reader, uint32_t finding, GString *xml,
                           GError **error)
{
	g_autoptr(GError) problem = NULL;
	g_autoptr(RecordExecution) execution = store_reader_example(reader, finding, &problem);

	if (g_error_matches(problem, STORE_READER_ERROR, STORE_READER_ERROR_MISSING))
		return true;
	if (!execution) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	append_output(xml, "system-out", execution->outputs);
	append_output(xml, "system-err", execution->errors);
	return true;
}

static bool append_failure(struct store_reader *reader, const GPtrArray *findings, GString *xml,
                           GError **error)
{
	const struct record_exploration *e = store_reader_exploration(reader);
	const struct record_finding *first = g_ptr_array_index(findings, 0);
	GString *title = g_string_new(finding_kind_name(first->kind));
	g_autofree char *headline = words_headline(first);

	g_string_append_printf(title, ": %s", headline);
	if (findings->len > 1)
		g_string_append_printf(title, " (and %u more)", findings->len - 1);
	g_string_append(xml, "      <failure");
	append_attribute(xml, "message", title->str);
	append_attribute(xml, "type", finding_kind_name(first->kind));
	g_string_append_c(xml, '>');
	g_string_free(title, true);
	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *finding = g_ptr_array_index(findings, i);
		g_autofree char *text = finding_print(reader, finding, error);
		g_autofree char *share = words_share(finding, e);
		g_autofree char *whole = NULL;

		if (!text)
			return false;
		whole = g_strdup_printf("%s%s #%u  (%s)\n%s", i > 0 ? "\n" : "",
		                        finding_kind_name(finding->kind), finding->id, share, text);
		append_xml(xml, whole, -1);
	}
	g_string_append(xml, "</failure>\n");
	return append_outputs(reader, first->id, xml, error);
}

struct counts {
	GString *xml;
	uint32_t tests, failures, skipped;
	uint64_t interleavings; /* total over all test cases; the time is divided in proportion */
};

static bool append_case(struct store_reader *reader, uint32_t buffering, struct counts *counts,
                        GError **error)
{
	const struct record_exploration *e = store_reader_exploration(reader);
	const GPtrArray *all = store_reader_findings(reader);
	g_autoptr(GPtrArray) findings = g_ptr_array_new();
	g_autofree char *base = g_path_get_basename(e->program[0]);
	g_autofree char *shard = words_shard(e), *started = words_started(e);
	g_autofree char *name = g_strdup_printf("%s %s, %s%s%s", e->command, started,
	                                        words_bufferings(buffering), shard ? ", " : "",
	                                        shard ? shard : "");
	g_autofree char *class = g_strdup_printf("matchpoint.%s", base);
	uint64_t here = store_reader_count_buffering(reader, buffering);
	const char *reason = e->incomplete_reason ? e->incomplete_reason : "it did not finish";
	bool good = true;

	for (guint i = 0; i < all->len; i++) {
		struct record_finding *finding = g_ptr_array_index(all, i);

		if (finding->bufferings & buffering)
			g_ptr_array_add(findings, finding);
	}
	g_string_append(counts->xml, "    <testcase");
	append_attribute(counts->xml, "classname", class);
	append_attribute(counts->xml, "name", name);
	append_time(counts->xml,
	            counts->interleavings == 0
	                    ? 0
	                    : e->seconds * (double)here / (double)counts->interleavings);
	g_string_append(counts->xml, ">\n");
	counts->tests++;
	if (findings->len > 0) {
		counts->failures++;
		good = append_failure(reader, findings, counts->xml, error);
	} else if (!e->complete) {
		g_autofree char *number = words_number(here);
		g_autofree char *why = g_strdup_printf("nothing wrong so far in %s interleavings, "
		                                       "but not all were explored: %s",
		                                       number, reason);

		counts->skipped++;
		g_string_append(counts->xml, "      <skipped");
		append_attribute(counts->xml, "message", why);
		g_string_append(counts->xml, "/>\n");
	}
	g_string_append(counts->xml, "    </testcase>\n");
	return good;
}

static void append_counts(GString *xml, const struct counts *counts, double seconds)
{
	g_string_append_printf(xml, " tests=\"%u\" failures=\"%u\" errors=\"0\"", counts->tests,
	                       counts->failures);
	append_time(xml, seconds);
}

static bool junit_write(struct store_reader *reader, const struct report_options *options,
                        FILE *out, GError **error)
{
	const struct record_exploration *e = store_reader_exploration(reader);
	g_autofree char *program = words_program(e);
	g_autofree char *suite = g_strdup_printf("matchpoint %s %s", e->command, program);
	struct counts counts = {.xml = g_string_new(NULL), .interleavings = e->interleavings};
	GString *head = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	bool good = true;

	(void)options;
	for (uint32_t buffering = RECORD_ZERO; buffering <= RECORD_PER_SEND; buffering <<= 1) {
		if (good && (e->bufferings & buffering))
			good = append_case(reader, buffering, &counts, error);
	}
	append_attribute(head, "name", "matchpoint");
	append_counts(head, &counts, e->seconds);
	/* the schema of Jenkins' xunit plugin has no such attribute for <testsuites> */
	g_string_append(head, ">\n  <testsuite");
	append_attribute(head, "name", suite);
	append_counts(head, &counts, e->seconds);
	g_string_append_printf(head, " skipped=\"%u\">\n", counts.skipped);
	append_properties(head, e);
	if (good)
		fprintf(out, "%s%s  </testsuite>\n</testsuites>\n", head->str, counts.xml->str);
	g_string_free(head, true);
	g_string_free(counts.xml, true);
	return good;
}

const struct report report_junit = {
	.name = "junit",
	.suffix = "xml",
	.summary = "the verdict as JUnit XML, a test case for each buffering",
	.write = junit_write,
};
