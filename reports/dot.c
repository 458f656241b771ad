#include <string.h>

#include "folding.h"
#include "words.h"

/* The message-passing graph for Graphviz. Time runs downwards; each rank is a column. A
 * collective is one vertex across its members. Repetitions are drawn once, in a box. */

#define VERTICES_MAX 500u /* dot lays out this many in seconds */

/* Escapes text for double quotes. Graphviz reads \n as a newline. */
static char *escape(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	GString *escaped = g_string_new(NULL);

	for (const char *at = valid; *at; at++) {
		if (*at == '"' || *at == '\\')
			g_string_append_printf(escaped, "\\%c", *at);
		else if (*at == '\n')
			g_string_append(escaped, "\\n");
		else
			g_string_append_c(escaped, (guchar)*at < ' ' ? ' ' : *at);
	}
	return g_string_free(escaped, false);
}

/* What to draw, and what is drawn already. */
struct drawing {
	struct diagram diagram;
	struct folding folding;
	guint first;       /* index in the folding */
	GHashTable *edges; /* set of lines already written */
	guint loops;
	FILE *out;
};

static const struct record_call *call_at(const struct drawing *drawing, guint index)
{
	return &g_array_index(drawing->diagram.execution->calls, struct record_call, index);
}

static bool is_shown(const struct drawing *drawing, gint64 call)
{
	return call >= 0 && drawing->folding.position[call] >= drawing->diagram.first;
}

/* The name of a call's vertex: its own, or that of its collective. Free with g_free. */
static char *name_of(const struct drawing *drawing, guint index)
{
	const struct record_call *call = call_at(drawing, drawing->folding.drawn[index]);

	return diagram_meets(call) ? g_strdup_printf("m%u", call->collective)
	                           : g_strdup_printf("r%dc%u", call->rank, call->call);
}

/* The position where the call is drawn. For a repeated call, the position of its first
 * iteration. */
static guint drawn_at(const struct drawing *drawing, guint index)
{
	return drawing->folding.position[drawing->folding.drawn[index]];
}

/* Writes each edge once, however often its calls are repeated. */
static void write_edge(struct drawing *drawing, const char *from, const char *to,
                       const char *attributes)
{
	char *line = g_strdup_printf("  %s -> %s [%s];\n", from, to, attributes);

	if (g_hash_table_contains(drawing->edges, line)) {
		g_free(line);
		return;
	}
	fputs(line, drawing->out);
	g_hash_table_add(drawing->edges, line);
}

/* An edge from one iteration to the next would lead upwards. It must not affect the layout. */
static void write_message(struct drawing *drawing, guint send, guint receive,
                          const char *attributes)
{
	g_autofree char *from = name_of(drawing, send), *to = name_of(drawing, receive);
	bool back = drawn_at(drawing, send) > drawn_at(drawing, receive)
	            && drawing->folding.position[send] < drawing->folding.position[receive]
	            && !strstr(attributes, "constraint");
	g_autofree char *text = g_strconcat(attributes, back ? ", constraint=false" : "", NULL);

	write_edge(drawing, from, to, text);
}

/* "rank 0, thread 1: ": the rank's name at the top is out of sight in a long graph. NULL: a
 * collective, of several ranks. */
static char *owner_of(const struct record_call *call)
{
	g_autofree char *thread = record_thread_print(call->thread);

	if (diagram_meets(call))
		return NULL;
	return g_strdup_printf("rank %s%s%s: ", rank_name(call->rank), thread ? ", " : "",
	                       thread ? thread : "");
}

static void write_vertex(const struct drawing *drawing, guint index)
{
	const struct diagram *diagram = &drawing->diagram;
	const struct record_call *call = call_at(drawing, index);
	const struct record_choice *choice = diagram_choice(diagram, call);
	const struct record_choice *blame = diagram->finding ? diagram->finding->blame : NULL;
	bool blamed = blame && blame->rank == call->rank && blame->call == call->call;
	bool waits = call->completed == 0 && call->kind != RECORD_CALL_OTHER;
	g_autofree char *name = name_of(drawing, index), *place = place_print(&call->place);
	g_autofree char *who = owner_of(call), *text = NULL, *label = NULL;

	text = g_strdup_printf("%s%s\n%s%s%s", who ? who : "",
	                       call->function ? call->function : "a call", place,
	                       call->communicator_name ? "\n" : "",
	                       call->communicator_name ? call->communicator_name : "");
	label = escape(text);
	fprintf(drawing->out, "  %s [label=\"%s\"", name, label);
	if (diagram_meets(call))
		fputs(", shape=box, style=filled, fillcolor=gray90", drawing->out);
	else
		fprintf(drawing->out, ", group=r%d", call->rank);
	if (choice)
		fprintf(drawing->out, ", color=red, penwidth=%d", blamed ? 3 : 1);
	else if (waits)
		fputs(", style=dashed", drawing->out);
	fputs("];\n", drawing->out);
}

/* All members of a collective share its vertex. */
static void write_item(const struct drawing *drawing, guint item)
{
	guint position = g_array_index(drawing->folding.begins, guint, item);

	write_vertex(drawing, g_array_index(drawing->diagram.order, guint, position));
}

static void write_items(struct drawing *drawing, const GPtrArray *folded, guint from)
{
	for (guint i = from; i < folded->len; i++) {
		const struct repetition *one = g_ptr_array_index(folded, i);

		if (!one->body) {
			write_item(drawing, one->first);
			continue;
		}
		fprintf(drawing->out,
		        "  subgraph cluster_%u {\n  label=\"%u times\";\n  style=dashed;\n",
		        ++drawing->loops, one->count);
		write_items(drawing, one->body, 0);
		fputs("  }\n", drawing->out);
	}
}

/* The vertices of each rank, below its name. */
static void write_columns(struct drawing *drawing)
{
	const struct diagram *diagram = &drawing->diagram;
	g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL); /* rank to the index of its
	                                                              last call + 1 */

	fputs("  { rank=same;", drawing->out);
	for (guint i = 0; i < diagram->ranks->len; i++) {
		int32_t rank = g_array_index(diagram->ranks, int32_t, i);

		fprintf(drawing->out, " r%d [label=\"rank %s\", shape=plaintext, group=r%d];", rank,
		        rank_name(rank), rank);
	}
	fputs(" }\n", drawing->out);
	write_items(drawing, drawing->folding.folded, drawing->first);
	for (guint i = diagram->first; i < diagram->order->len; i++) {
		guint index = g_array_index(diagram->order, guint, i);
		void *rank = GINT_TO_POINTER(call_at(drawing, index)->rank);
		guint before = GPOINTER_TO_UINT(g_hash_table_lookup(last, rank));
		g_autofree char *from = before ? name_of(drawing, before - 1)
		                               : g_strdup_printf("r%d", GPOINTER_TO_INT(rank));
		g_autofree char *to = name_of(drawing, index);

		if (!before || drawn_at(drawing, before - 1) < drawn_at(drawing, index))
			write_edge(drawing, from, to, "weight=8, arrowhead=none, color=gray");
		g_hash_table_insert(last, rank, GUINT_TO_POINTER(index + 1));
	}
}

static void write_messages(struct drawing *drawing)
{
	const struct diagram *diagram = &drawing->diagram;
	const struct record_execution *execution = diagram->execution;

	for (guint i = 0; i < execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(execution->matches,
		                                                  struct record_match, i);
		gint64 receive, send;
		gint64 done = diagram_match(diagram, match, &receive, &send);
		g_autofree char *attributes = g_strdup_printf("color=blue, label=\"tag %d\"%s",
		                                              match->tag,
		                                              done < 0 ? ", style=dashed" : "");

		if (is_shown(drawing, receive) && is_shown(drawing, send))
			write_message(drawing, (guint)send, (guint)receive, attributes);
	}
	for (guint i = 0; i < execution->choices->len; i++) {
		const struct record_choice *choice = g_ptr_array_index(execution->choices, i);
		gint64 receive = diagram_call(diagram, choice->rank, choice->call);

		for (guint j = 0; j < choice->alternatives->len; j++) {
			const struct record_message *other = &g_array_index(
				choice->alternatives, struct record_message, j);
			gint64 send = diagram_call(diagram, other->source, other->call);

			if (is_shown(drawing, receive) && is_shown(drawing, send))
				write_message(drawing, (guint)send, (guint)receive,
				              "color=red, style=dotted, constraint=false, "
				              "label=\"could be taken\"");
		}
	}
}

/* Sets the first item to draw, so that there are no more vertices than can be laid out. */
static void choose_first(struct drawing *drawing)
{
	const GPtrArray *folded = drawing->folding.folded;
	const struct repetition *one;

	drawing->first = folding_last(&drawing->folding, VERTICES_MAX);
	if (drawing->first == folded->len)
		return;
	one = g_ptr_array_index(folded, drawing->first);
	drawing->diagram.first = g_array_index(drawing->folding.begins, guint, one->first);
}

static void write_title(const struct drawing *drawing, const struct record_exploration *exploration)
{
	const struct record_execution *execution = drawing->diagram.execution;
	g_autofree char *left_out = diagram_left_out(&drawing->diagram, exploration);
	g_autofree char *which = words_execution(execution, exploration);
	g_autofree char *title = NULL, *label = NULL;

	title = g_strdup_printf("%s: %s\n%s%s%s", which,
	                        words_is_recording(exploration)
	                                ? words_nothing(exploration)
	                                : finding_kind_name(execution->status),
	                        execution->path, left_out ? "\n" : "", left_out ? left_out : "");
	label = escape(title);
	fprintf(drawing->out,
	        "digraph interleaving {\n  label=\"%s\";\n  labelloc=t;\n"
	        "  node [shape=ellipse, fontsize=10];\n  edge [fontsize=9];\n",
	        label);
}

static bool dot_write(struct store_reader *reader, const struct report_options *options, FILE *out,
                      GError **error)
{
	struct drawing drawing = {.out = out};

	if (!diagram_init(&drawing.diagram, reader, options, G_MAXUINT, error))
		return false;
	drawing.edges = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	folding_init(&drawing.folding, &drawing.diagram);
	choose_first(&drawing);
	write_title(&drawing, store_reader_exploration(reader));
	write_columns(&drawing);
	write_messages(&drawing);
	fputs("}\n", out);
	folding_release(&drawing.folding);
	g_hash_table_unref(drawing.edges);
	diagram_release(&drawing.diagram);
	return true;
}

const struct report report_dot = {
	.name = "dot",
	.summary = "an interleaving as a graph for Graphviz",
	.shows_recordings = true,
	.write = dot_write,
};
