/* The HTML page. The verdict and the findings are plain HTML, readable without scripts. The
 * page's script draws the graphs from the embedded data. The page is one file and loads nothing
 * else. */
#include <string.h>

#include "html_data.h"
#include "html_page.h"
#include "html_waits.h"
#include "report.h"
#include "words.h"

#define WROTE_BYTES 4000 /* of a rank's standard error, from its end */

struct page {
	struct store_reader *reader;
	struct html_data *data;
	GString *body;
	int well[2]; /* graph of an interleaving that ended well, by buffering; negative: none */
	uint32_t well_id[2];
};

/* Appends text as HTML. The text cannot end the element or attribute that contains it. */
static void add_text(GString *html, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);

	for (const char *at = valid; *at; at++) {
		unsigned char byte = (unsigned char)*at;

		if (strchr("&<>\"'`", byte))
			g_string_append_printf(html, "&#%u;", byte);
		else if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f)
			g_string_append(html, "\357\277\275"); /* U+FFFD */
		else
			g_string_append_c(html, *at);
	}
}

/* <name attributes>text</name> */
static void add_element(GString *html, const char *name, const char *attributes, const char *text)
{
	g_string_append_printf(html, "<%s%s%s>", name, *attributes ? " " : "", attributes);
	add_text(html, text);
	g_string_append_printf(html, "</%s>\n", name);
}

/* --- the verdict --------------------------------------------------------------------------- */

/* The overall result, as a class of the style sheet. */
static const char *verdict_class(const struct record_exploration *e, guint findings)
{
	if (findings > 0)
		return "bad";
	if (words_is_recording(e))
		return "open";
	return e->complete || !words_is_exploration(e) ? "good" : "open";
}

static void add_verdict(struct page *page)
{
	const struct record_exploration *e = store_reader_exploration(page->reader);
	guint findings = store_reader_mistakes(page->reader)->len;
	g_autofree char *subject = words_subject(e), *extent = words_extent(e);
	g_autofree char *unchecked = words_not_checked(e);
	g_auto(GStrv) counts = words_counts(page->reader);
	GString *html = page->body;

	g_string_append_printf(html, "<header class=\"%s\">\n<p class=\"tool\">matchpoint ",
	                       verdict_class(e, findings));
	add_text(html, e->version);
	g_string_append(html, "</p>\n");
	add_element(html, "h1", "", subject);
	add_element(html, "p", "class=\"extent\"",
	            g_str_has_prefix(extent, ", ") ? extent + 2 : extent + 1);
	if (unchecked)
		add_element(html, "p", "class=\"unchecked\"", unchecked);
	g_string_append(html, "<ul class=\"counts\" aria-label=\"Verdict\">\n");
	for (char **count = counts; *count; count++)
		add_element(html, "li", "", *count);
	if (!*counts)
		add_element(html, "li", "", words_nothing(e));
	g_string_append(html, "</ul>\n");
	if (e->notes->len > 0) {
		g_string_append(html, "<ul class=\"notes\">\n");
		for (guint i = 0; i < e->notes->len; i++)
			add_element(html, "li", "", e->notes->pdata[i]);
		g_string_append(html, "</ul>\n");
	}
	g_string_append(html, "</header>\n");
}

static void add_contents(struct page *page)
{
	const GPtrArray *findings = store_reader_mistakes(page->reader);

	if (findings->len < 2)
		return;
	g_string_append(page->body, "<nav aria-label=\"Findings\"><ul>\n");
	for (guint i = 0; i < findings->len; i++) {
		const struct record_finding *finding = findings->pdata[i];

		g_string_append_printf(page->body, "<li><a href=\"#finding-%u\">", finding->id);
		add_text(page->body, finding_kind_name(finding->kind));
		g_string_append_printf(page->body, " #%u</a></li>\n", finding->id);
	}
	g_string_append(page->body, "</ul></nav>\n");
}

/* --- a finding ----------------------------------------------------------------------------- */

static void add_roll_call(GString *html, const struct store_reader *reader,
                          const GPtrArray *entries, const char *title)
{
	g_autoptr(GPtrArray) lines = words_roll_call(reader, entries, NULL);

	if (lines->len == 0)
		return;
	g_string_append_printf(html,
	                       "<h3>%s</h3>\n<div class=\"scroll\"><table>\n<thead><tr>"
	                       "<th scope=\"col\">Rank</th><th scope=\"col\">Call</th>"
	                       "<th scope=\"col\">Place</th><th scope=\"col\">State</th>"
	                       "</tr></thead>\n<tbody>\n",
	                       title);
	for (guint i = 0; i < lines->len; i++) {
		const struct words_line *line = lines->pdata[i];
		g_autofree char *ranks = words_who(line->ranks, line->thread);
		bool over = line->well;

		g_string_append(html, over ? "<tr class=\"over\"><td>" : "<tr><td>");
		add_text(html, ranks);
		g_string_append(html, "</td><td><code>");
		add_text(html, over ? "" : line->call);
		g_string_append(html, "</code></td><td class=\"place\">");
		add_text(html, over ? "" : line->place);
		if (line->callers)
			add_element(html, "span", "class=\"callers\"", line->callers);
		g_string_append(html, "</td><td>");
		add_text(html, line->state);
		g_string_append(html, "</td></tr>\n");
	}
	g_string_append(html, "</tbody></table></div>\n");
}

static void add_waits(GString *html, const struct record_finding *finding)
{
	g_autofree char *drawn = html_waits(finding->ranks);

	if (drawn)
		g_string_append_printf(html, "<h3>Wait-for graph</h3>\n%s", drawn);
}

static void add_excerpt(GString *html, const struct place *place,
                        const struct record_excerpt *excerpt, const char *who)
{
	g_autofree char *name = place_print(place);
	g_auto(GStrv) lines = g_strsplit(excerpt->text, "\n", -1);

	g_string_append(html, "<figure><figcaption><span class=\"place\">");
	add_text(html, name);
	g_string_append(html, "</span> — ");
	add_text(html, who);
	g_string_append(html, "</figcaption><pre tabindex=\"0\">");
	for (guint i = 0; lines[i] && (*lines[i] || lines[i + 1]); i++) {
		guint64 number = (guint64)excerpt->first + i;

		g_string_append_printf(html, "<span class=\"%s\" data-n=\"%" G_GUINT64_FORMAT "\">",
		                       number == place->line ? "l at" : "l", number);
		add_text(html, lines[i]);
		g_string_append(html, "\n</span>");
	}
	g_string_append(html, "</pre></figure>\n");
}

/* The source places of a finding, each once. */
struct sources {
	struct page *page;
	GHashTable *told;
	guint count;
};

static void add_source(struct sources *sources, const struct place *place, const char *who)
{
	const struct record_excerpt *excerpt = store_reader_excerpt(sources->page->reader, place);

	if (!excerpt || !g_hash_table_add(sources->told, (gpointer)place))
		return;
	if (sources->count++ == 0)
		g_string_append(sources->page->body, "<h3>Source</h3>\n<div class=\"sources\">\n");
	add_excerpt(sources->page->body, place, excerpt, who);
}

static void add_sources(struct page *page, const struct record_finding *finding)
{
	g_autoptr(GHashTable) told = g_hash_table_new(place_hash, place_key_equal);
	struct sources sources = {page, told, 0};
	const struct record_choice *blame = finding->blame;

	if (blame) {
		add_source(&sources, &blame->place, "the choice to blame");
		add_source(&sources, &blame->taken.place, "what it took");
		if (blame->alternatives->len > 0)
			add_source(
				&sources,
				&g_array_index(blame->alternatives, struct record_message, 0).place,
				"the alternative that goes well");
	}
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = finding->ranks->pdata[i];
		g_autofree char *who = g_strdup_printf("rank %s", rank_name(rank->rank));

		if (!rank->bystander)
			add_source(&sources, &rank->place, who);
	}
	if (sources.count > 0)
		g_string_append(page->body, "</div>\n");
}

/* The end of what each rank wrote to standard error. */
static void add_errors(GString *html, const struct record_execution *execution)
{
	for (guint i = 0; i < execution->errors->len; i++) {
		gsize size;
		const char *text = g_bytes_get_data(execution->errors->pdata[i], &size);
		gsize from = size > WROTE_BYTES ? size - WROTE_BYTES : 0;
		g_autofree char *valid =
			size > 0 ? g_utf8_make_valid(text + from, (gssize)(size - from)) : NULL;

		if (!valid)
			continue;
		g_string_append_printf(html, "<h3>Rank %u wrote to standard error</h3>\n", i);
		g_string_append_printf(html, "<pre class=\"output\" tabindex=\"0\">%s",
		                       from > 0 ? "…" : "");
		add_text(html, g_strchomp(valid));
		g_string_append(html, "</pre>\n");
	}
}

static void add_graph(struct page *page, const struct record_execution *execution,
                      const struct record_finding *finding)
{
	int graph = html_data_add(page->data, execution, finding);
	int buffering = execution->buffering == RECORD_ZERO ? 0 : 1;
	int well = page->well[buffering];

	if (graph == -2 && execution->status == FINDING_RECORDED)
		add_element(page->body, "p", "class=\"left-out\"",
		            "The graph is left out: the page would be too large. --perfetto and "
		            "--otf2 take runs of any length.");
	else if (graph == -2)
		add_element(page->body, "p", "class=\"left-out\"",
		            "The graph of this interleaving is left out: the page would be too "
		            "large. matchpoint replay with --html writes a page of it alone.");
	if (graph < 0)
		return;
	g_string_append(page->body,
	                "<h3>Messages</h3>\n<noscript><p class=\"left-out\">The graph needs "
	                "JavaScript. The rest of the page does not.</p></noscript>\n");
	g_string_append_printf(page->body, "<div class=\"graph\" data-graph=\"%d\"", graph);
	if (well >= 0 && page->well_id[buffering] != execution->id)
		g_string_append_printf(page->body, " data-other=\"%d\"", well);
	g_string_append(page->body, "></div>\n");
}

static void add_again(GString *html, const char *path, const char *again)
{
	g_autofree char *line = words_path(path);

	g_string_append(html, "<dl class=\"again\">");
	if (*path) { /* native-differs has none */
		g_string_append(html, "<dt>Path</dt><dd><code>");
		add_text(html, line);
		g_string_append(html, "</code></dd>");
	}
	g_string_append(html, "<dt>Again</dt><dd><code>");
	add_text(html, again);
	g_string_append(html, "</code> <button type=\"button\" class=\"copy\" hidden>Copy</button>"
	                      "</dd></dl>\n");
}

static void add_title(GString *html, const struct record_finding *finding,
                      const struct record_exploration *e)
{
	g_autofree char *share = words_share(finding, e);

	g_string_append_printf(html,
	                       "<section aria-labelledby=\"finding-%u\">\n"
	                       "<h2 id=\"finding-%u\"><span class=\"kind\">",
	                       finding->id, finding->id);
	add_text(html, finding_kind_name(finding->kind));
	g_string_append_printf(html, " #%u</span> <span class=\"share\">", finding->id);
	add_text(html, share);
	g_string_append(html, "</span></h2>\n");
}

/* Sets *ret to an interleaving that shows the finding; NULL: there is none, which is no error.
 * False: the store is damaged. */
static bool find_example(struct page *page, const struct record_finding *finding,
                         struct record_execution **ret, GError **error)
{
	g_autoptr(GError) problem = NULL;

	*ret = store_reader_example(page->reader, finding->id, &problem);
	if (*ret || g_error_matches(problem, STORE_READER_ERROR, STORE_READER_ERROR_MISSING))
		return true;
	g_propagate_error(error, g_steal_pointer(&problem));
	return false;
}

static void add_variants(GString *html, const struct record_finding *finding)
{
	g_auto(GStrv) variants = words_variants(finding);

	if (!variants[0])
		return;
	g_string_append(html, "<p>The same with other ranks or partners:</p>\n<ul>\n");
	for (guint i = 0; variants[i]; i++)
		add_element(html, "li", "", variants[i]);
	g_string_append(html, "</ul>\n");
}

static bool add_finding(struct page *page, const struct record_finding *finding, GError **error)
{
	const struct record_exploration *e = store_reader_exploration(page->reader);
	g_autofree char *again = words_finding_again(page->reader, finding);
	g_autoptr(RecordExecution) example = NULL;
	GString *html = page->body;

	if (!find_example(page, finding, &example, error))
		return false;
	add_title(html, finding, e);
	if (finding->blame) {
		g_autofree char *blame = words_blame(finding->blame);
		g_autofree char *callers = words_callers(page->reader, finding->blame->stack);

		g_string_append(html, "<p class=\"blame\">It needs: ");
		add_text(html, blame);
		if (callers)
			add_element(html, "span", "class=\"callers\"", callers);
		g_string_append(html, "</p>\n");
	}
	if (finding->message && *finding->message)
		add_element(html, "p", "", finding->message);
	if (words_not_reproduced(finding, e))
		add_element(html, "p", "class=\"warning\"", words_not_reproduced(finding, e));
	add_roll_call(html, page->reader, finding->ranks,
	              record_finding_is_remark(finding) ? "Ranks" : "Roll-call");
	add_waits(html, finding);
	if (example)
		add_graph(page, example, finding);
	add_sources(page, finding);
	if (example)
		add_errors(html, example);
	add_again(html, finding->path, again);
	add_variants(html, finding);
	g_string_append(html, "</section>\n");
	return true;
}

/* --- the page ------------------------------------------------------------------------------ */

/* Adds the graphs that findings are compared with. Without findings they are shown on their own. */
static bool add_well(struct page *page, bool shown, GError **error)
{
	static const uint32_t bufferings[] = {RECORD_ZERO, RECORD_INFINITE};

	for (guint i = 0; i < G_N_ELEMENTS(bufferings); i++) {
		g_autoptr(GError) problem = NULL;
		g_autoptr(RecordExecution)
			well = store_reader_well(page->reader, bufferings[i], &problem);
		g_autofree char *again = NULL;

		if (problem) {
			g_propagate_error(error, g_steal_pointer(&problem));
			return false;
		}
		page->well[i] = -1;
		if (!well)
			continue;
		page->well_id[i] = well->id;
		if (!shown) {
			page->well[i] = html_data_add(page->data, well, NULL);
			continue;
		}
		again = words_again(well->path, store_reader_exploration(page->reader));
		g_string_append_printf(page->body, "<section>\n<h2>An interleaving with %s</h2>\n",
		                       words_bufferings(bufferings[i]));
		add_graph(page, well, NULL);
		add_again(page->body, well->path, again);
		g_string_append(page->body, "</section>\n");
	}
	return true;
}

static bool add_recorded_run(struct page *page, GError **error)
{
	const struct record_exploration *e = store_reader_exploration(page->reader);
	g_autoptr(RecordExecution) run = store_reader_execution(page->reader, 1, error);
	g_autofree char *again = run ? words_again(run->path, e) : NULL;

	if (!run)
		return false;
	g_string_append(page->body, "<section>\n<h2>The recorded run</h2>\n");
	add_roll_call(page->body, page->reader, run->ranks, "Where each rank stood");
	add_graph(page, run, NULL);
	add_again(page->body, "", again);
	g_string_append(page->body, "</section>\n");
	return true;
}

static bool fill(struct page *page, GError **error)
{
	const GPtrArray *findings = store_reader_mistakes(page->reader);
	const struct record_exploration *e = store_reader_exploration(page->reader);
	g_autoptr(GString) directory = g_string_new(NULL);

	add_verdict(page);
	add_contents(page);
	g_string_append(page->body, "<main>\n");
	page->well[0] = page->well[1] = -1;
	if (words_is_recording(e) ? !add_recorded_run(page, error)
	                          : !add_well(page, findings->len == 0, error))
		return false;
	for (guint i = 0; i < findings->len; i++) {
		if (!add_finding(page, findings->pdata[i], error))
			return false;
	}
	g_string_append(page->body, "</main>\n<footer>");
	add_text(page->body, e->mpi);
	if (e->directory) {
		g_string_append_printf(directory, "%sstarted in %s", e->mpi ? " · " : "",
		                       e->directory);
		add_text(page->body, directory->str);
	}
	g_string_append(page->body, "</footer>");
	return true;
}

/* Fills the template's marks, which occur in this order. */
static bool html_write(struct store_reader *reader, const struct report_options *options, FILE *out,
                       GError **error)
{
	struct page page = {
		.reader = reader, .data = html_data_new(reader), .body = g_string_new(NULL)};
	g_autofree char *program = words_program(store_reader_exploration(reader));
	g_autoptr(GString) title = g_string_new(NULL);
	g_autofree char *data = NULL;
	bool good = fill(&page, error);

	(void)options;
	add_text(title, program);
	g_string_append(title, " — matchpoint");
	data = html_data_print(page.data);
	if (good)
		html_page_write(&(struct html_parts){title->str, page.body->str, data, false}, out);
	html_data_free(page.data);
	g_string_free(page.body, true);
	return good;
}

const struct report report_html = {
	.name = "html",
	.summary = "an HTML page with the findings and their message graphs, in one file",
	.shows_recordings = true,
	.write = html_write,
};
