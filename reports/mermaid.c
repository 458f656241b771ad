#include <stdlib.h>
#include <string.h>

#include "diagram.h"
#include "repetition.h"
#include "words.h"

/* A Mermaid sequence diagram. GitHub, GitLab and many wikis draw it from text. */

#define LINES_MAX 200 /* longer diagrams are slow to draw and hard to read */
#define TEXT_MAX 120  /* characters of a label */

/* Escapes text for a label. Characters with a meaning in Mermaid are written as their number. */
static char *escape(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	GString *escaped = g_string_new(NULL);
	int count = 0;

	for (const char *at = valid; *at && count < TEXT_MAX; at = g_utf8_next_char(at), count++) {
		gunichar c = g_utf8_get_char(at);

		if (c < ' ' || c == 0x7f)
			g_string_append_c(escaped, ' ');
		else if (g_unichar_isalnum(c) || (c < 0x7f && strchr(" _-.,()=/':+", (int)c)))
			g_string_append_unichar(escaped, c);
		else
			g_string_append_printf(escaped, "#%u;", c);
	}
	if (count == TEXT_MAX)
		g_string_append(escaped, "...");
	return g_string_free(escaped, false);
}

static void write_note(int32_t first, int32_t last, const char *text, FILE *out)
{
	g_autofree char *escaped = escape(text);

	if (first == last)
		fprintf(out, "    Note over r%d: %s\n", first, escaped);
	else
		fprintf(out, "    Note over r%d,r%d: %s\n", first, last, escaped);
}

static const struct record_call *shown_call(const struct diagram *diagram, guint position)
{
	return &g_array_index(diagram->execution->calls, struct record_call,
	                      g_array_index(diagram->order, guint, position));
}

/* With the thread that makes it, unless several ranks share the text. */
static char *print_call(const struct record_call *call, bool shared)
{
	g_autofree char *place = place_print(&call->place);
	g_autofree char *thread = shared ? NULL : record_thread_print(call->thread);

	return g_strdup_printf("%s %s%s%s", call->function ? call->function : "a call", place,
	                       thread ? " by " : "", thread ? thread : "");
}

/* A collective that all its members are in is one note. Returns the note's last position in the
 * order. */
static guint write_collective(const struct diagram *diagram, guint position, FILE *out)
{
	const struct record_call *call = shown_call(diagram, position);
	int32_t least = call->rank, most = call->rank;
	g_autoptr(GArray) ranks = g_array_new(false, false, sizeof(int32_t));
	g_autofree char *text = NULL, *names = NULL, *whole = NULL;

	for (;; position++) {
		int32_t rank = shown_call(diagram, position)->rank;

		g_array_append_val(ranks, rank);
		least = MIN(least, rank);
		most = MAX(most, rank);
		if (!diagram_meets(call) || position + 1 == diagram->order->len
		    || !diagram_meets(shown_call(diagram, position + 1))
		    || shown_call(diagram, position + 1)->collective != call->collective)
			break;
	}
	text = print_call(call, ranks->len > 1);
	if (ranks->len < 2) {
		write_note(call->rank, call->rank, text, out);
		return position;
	}
	g_array_sort(ranks, words_compare_ranks);
	names = words_ranks(ranks);
	whole = ranks->len == (guint)(most - least + 1) ? g_strdup(text)
	                                                : g_strdup_printf("%s (%s)", text, names);
	write_note(least, most, whole, out);
	return position;
}

static void write_message(const struct diagram *diagram, const struct record_match *match,
                          FILE *out)
{
	gint64 receive, send;
	gint64 done = diagram_match(diagram, match, &receive, &send);
	g_autofree char *from = NULL, *text = NULL, *escaped = NULL;

	if (send >= 0)
		from = print_call(
			&g_array_index(diagram->execution->calls, struct record_call, (guint)send),
			false);
	text = g_strdup_printf("tag %d%s%s", match->tag, from ? ", " : "", from ? from : "");
	escaped = escape(text);
	fprintf(out, "    r%d%sr%d: %s\n", match->source, done < 0 && receive >= 0 ? "--)" : "->>",
	        match->rank, escaped);
}

/* The messages that this call of the order receives: those that complete in it, and those that
 * it matched but never completed. */
static void write_messages(const struct diagram *diagram, GHashTable *by_call, guint call,
                           FILE *out)
{
	const GArray *matches = g_hash_table_lookup(by_call, GUINT_TO_POINTER(call));

	for (guint i = 0; matches && i < matches->len; i++)
		write_message(diagram,
		              &g_array_index(diagram->execution->matches, struct record_match,
		                             g_array_index(matches, guint, i)),
		              out);
}

static GHashTable *matches_by_call(const struct diagram *diagram)
{
	GHashTable *table = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);

	for (guint i = 0; i < diagram->execution->matches->len; i++) {
		gint64 receive, send;
		gint64 done = diagram_match(
			diagram,
			&g_array_index(diagram->execution->matches, struct record_match, i),
			&receive, &send);
		gpointer key = GUINT_TO_POINTER((guint)(done >= 0 ? done : receive));
		GArray *matches = g_hash_table_lookup(table, key);

		if (done < 0 && receive < 0)
			continue;
		if (!matches) {
			matches = g_array_new(false, false, sizeof(guint));
			g_hash_table_insert(table, key, matches);
		}
		g_array_append_val(matches, i);
	}
	return table;
}

/* The sends that a receive has matched: a set of calls. */
static GHashTable *matched_sends(const struct diagram *diagram)
{
	GHashTable *sends = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < diagram->execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(diagram->execution->matches,
		                                                  struct record_match, i);

		g_hash_table_add(sends, GUINT_TO_POINTER((guint)diagram_call(diagram, match->source,
		                                                             match->send_call)));
	}
	return sends;
}

static void write_unreceived(const struct diagram *diagram, const struct record_call *call,
                             FILE *out)
{
	const bool is_recorded = diagram->execution->status == FINDING_RECORDED;
	g_autofree char *text = print_call(call, false), *escaped = escape(text);

	fprintf(out, "    r%d-xr%d: tag %d, %s, %s\n", call->rank, call->peer, call->tag, escaped,
	        is_recorded ? "no receive of it is recorded" : "not received");
}

static bool has_rank(const struct diagram *diagram, int32_t rank)
{
	return g_array_binary_search(diagram->ranks, &rank, words_compare_ranks, NULL);
}

/* Index of the call + 1 to its choice. */
static GHashTable *choices_by_call(const struct diagram *diagram)
{
	const GPtrArray *choices = diagram->execution->choices;
	GHashTable *table = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < choices->len; i++) {
		struct record_choice *choice = g_ptr_array_index(choices, i);
		gint64 call = diagram_call(diagram, choice->rank, choice->call);

		g_hash_table_insert(table, GSIZE_TO_POINTER((gsize)(call + 1)), choice);
	}
	return table;
}

/* Writes all calls. `begins` gets, for each position of the order, the offset in `out` where its
 * lines begin. */
static void write_calls(const struct diagram *diagram, GArray *begins, FILE *out)
{
	g_autoptr(GHashTable) by_call = matches_by_call(diagram);
	g_autoptr(GHashTable) sends = matched_sends(diagram);
	g_autoptr(GHashTable) choices = choices_by_call(diagram);

	for (guint i = 0; i < diagram->order->len; i++) {
		const struct record_call *call = shown_call(diagram, i);
		guint index = g_array_index(diagram->order, guint, i);
		const struct record_choice *choice = g_hash_table_lookup(
			choices, GSIZE_TO_POINTER((gsize)index + 1));
		long begin = ftell(out);

		g_array_append_val(begins, begin);
		if (choice) {
			g_autofree char *text = words_blame(choice);

			write_note(call->rank, call->rank, text, out);
		}
		write_messages(diagram, by_call, index, out);
		if (call->kind == RECORD_CALL_SEND && has_rank(diagram, call->peer)
		    && !g_hash_table_contains(sends, GUINT_TO_POINTER(index)))
			write_unreceived(diagram, call, out);
		if (call->kind == RECORD_CALL_COLLECTIVE) {
			guint last = write_collective(diagram, i, out);

			for (; i < last; i++)
				g_array_append_val(begins, begin);
		}
	}
}

/* The lines of all calls, folded. */
struct drawing {
	char *text;
	GArray *begins;    /* long, by position of the order: offset in the text */
	GPtrArray *lines;  /* char *, in the text */
	GPtrArray *folded; /* struct repetition of the lines */
};

static void fold_lines(struct drawing *drawing)
{
	g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GArray) ids = g_array_new(false, false, sizeof(guint));

	for (char *line = drawing->text, *end; (end = strchr(line, '\n')); line = end + 1) {
		guint id;

		*end = '\0';
		id = GPOINTER_TO_UINT(g_hash_table_lookup(known, line));
		if (id == 0) {
			id = g_hash_table_size(known) + 1;
			g_hash_table_insert(known, line, GUINT_TO_POINTER(id));
		}
		g_array_append_val(ids, id);
		g_ptr_array_add(drawing->lines, line);
	}
	drawing->folded = repetition_fold((const guint *)(const void *)ids->data, ids->len);
}

static bool draw(struct drawing *drawing, const struct diagram *diagram, GError **error)
{
	size_t size = 0;
	FILE *out;

	*drawing = (struct drawing){.begins = g_array_new(false, false, sizeof(long)),
	                            .lines = g_ptr_array_new()};
	out = open_memstream(&drawing->text, &size);
	if (out)
		write_calls(diagram, drawing->begins, out);
	if (!out || fclose(out) != 0) {
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOMEM, "out of memory");
		return false;
	}
	fold_lines(drawing);
	return true;
}

static void drawing_release(struct drawing *drawing)
{
	if (drawing->folded)
		g_ptr_array_unref(drawing->folded);
	g_ptr_array_unref(drawing->lines);
	g_array_unref(drawing->begins);
	free(drawing->text);
}

/* The index in `folded` of the first repetition that is drawn, so that the limit on lines is
 * kept. The last one is always drawn. The calls of those before are left out. */
static guint find_first(struct diagram *diagram, const struct drawing *drawing)
{
	guint first = drawing->folded->len, lines = 0;
	const struct repetition *one;
	const char *begin;

	while (first > 0) {
		lines += repetition_lines(g_ptr_array_index(drawing->folded, first - 1));
		if (lines > LINES_MAX && first < drawing->folded->len)
			break;
		first--;
	}
	diagram->first = 0;
	if (first == 0 || first == drawing->folded->len)
		return first;
	one = g_ptr_array_index(drawing->folded, first);
	begin = g_ptr_array_index(drawing->lines, one->first);
	while (diagram->first < drawing->begins->len
	       && g_array_index(drawing->begins, long, diagram->first) < begin - drawing->text)
		diagram->first++;
	return first;
}

static void write_folded(const struct drawing *drawing, const GPtrArray *folded, guint from,
                         FILE *out)
{
	for (guint i = from; i < folded->len; i++) {
		const struct repetition *one = g_ptr_array_index(folded, i);

		if (!one->body) {
			fprintf(out, "%s\n", (char *)drawing->lines->pdata[one->first]);
			continue;
		}
		fprintf(out, "    loop %u times\n", one->count);
		write_folded(drawing, one->body, 0, out);
		fprintf(out, "    end\n");
	}
}

static bool mermaid_write(struct store_reader *reader, const struct report_options *options,
                          FILE *out, GError **error)
{
	struct diagram diagram;
	const GPtrArray *ends;
	g_autofree char *left_out = NULL;
	struct drawing drawing;
	guint first;

	if (!diagram_init(&diagram, reader, options, G_MAXUINT, error))
		return false;
	if (!draw(&drawing, &diagram, error)) {
		drawing_release(&drawing);
		diagram_release(&diagram);
		return false;
	}
	first = find_first(&diagram, &drawing);
	left_out = diagram_left_out(&diagram, store_reader_exploration(reader));
	fprintf(out, "sequenceDiagram\n");
	for (guint i = 0; i < diagram.ranks->len; i++) {
		int32_t rank = g_array_index(diagram.ranks, int32_t, i);

		fprintf(out, "    participant r%d as rank %s\n", rank, rank_name(rank));
	}
	if (left_out && diagram.ranks->len > 0)
		write_note(g_array_index(diagram.ranks, int32_t, 0),
		           g_array_index(diagram.ranks, int32_t, diagram.ranks->len - 1), left_out,
		           out);
	if (diagram.execution->calls->len > 0) {
		write_folded(&drawing, drawing.folded, first, out);
	} else {
		for (guint i = 0; i < MIN(diagram.execution->matches->len, LINES_MAX); i++)
			write_message(
				&diagram,
				&g_array_index(diagram.execution->matches, struct record_match, i),
				out);
	}
	ends = diagram.finding ? diagram.finding->ranks : diagram.execution->ranks;
	for (guint i = 0; i < ends->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(ends, i);
		g_autofree char *call = words_call(rank), *state = words_state(rank, ends);
		g_autofree char *thread = rank->ended ? NULL : record_thread_print(rank->thread);
		g_autofree char *text = g_strdup_printf("%s%s%s%s%s", thread ? thread : "",
		                                        thread ? ": " : "", rank->ended ? "" : call,
		                                        rank->ended ? "" : " ", state);

		write_note(rank->rank, rank->rank, text, out);
	}
	drawing_release(&drawing);
	diagram_release(&diagram);
	return true;
}

const struct report report_mermaid = {
	.name = "mermaid",
	.summary = "an interleaving as a Mermaid sequence diagram",
	.shows_recordings = true,
	.write = mermaid_write,
};
