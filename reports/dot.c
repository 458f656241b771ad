#include "diagram.h"
#include "words.h"

/* The message-passing graph for Graphviz: time downwards, a column a rank, a collective one vertex
 * across its members. */

#define CALLS_MAX 500 /* what dot lays out in seconds */

/* Text for between double quotes; Graphviz takes \n for a line's end. */
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
	return g_string_free(escaped, FALSE);
}

static const struct record_call *call_at(const struct diagram *diagram, guint index)
{
	return &g_array_index(diagram->execution->calls, struct record_call, index);
}

static bool is_shown(const struct diagram *diagram, gint64 call)
{
	return call >= 0 && g_array_index(diagram->shown, bool, (guint)call);
}

/* The vertex of a call: its own, or its collective's. */
static void write_name(const struct diagram *diagram, guint index, FILE *out)
{
	const struct record_call *call = call_at(diagram, index);

	if (diagram_meets(call))
		fprintf(out, "m%u", call->collective);
	else
		fprintf(out, "r%dc%u", call->rank, call->call);
}

static void write_edge(const struct diagram *diagram, guint from, guint to, const char *attributes,
                       FILE *out)
{
	fputs("  ", out);
	write_name(diagram, from, out);
	fputs(" -> ", out);
	write_name(diagram, to, out);
	fprintf(out, " [%s];\n", attributes);
}

static void write_vertex(const struct diagram *diagram, guint index, FILE *out)
{
	const struct record_call *call = call_at(diagram, index);
	const struct record_choice *choice = diagram_choice(diagram, call);
	const struct record_choice *blame = diagram->finding ? diagram->finding->blame : NULL;
	bool blamed = blame && blame->rank == call->rank && blame->call == call->call;
	bool waits = call->completed == 0 && call->kind != RECORD_CALL_OTHER;
	g_autofree char *place = place_print(&call->place), *text = NULL, *label = NULL;

	text = g_strdup_printf("%s\n%s%s%s", call->function ? call->function : "a call", place,
	                       call->communicator_name ? "\n" : "",
	                       call->communicator_name ? call->communicator_name : "");
	label = escape(text);
	fputs("  ", out);
	write_name(diagram, index, out);
	fprintf(out, " [label=\"%s\"", label);
	if (diagram_meets(call))
		fputs(", shape=box, style=filled, fillcolor=gray90", out);
	else
		fprintf(out, ", group=r%d", call->rank);
	if (choice)
		fprintf(out, ", color=red, penwidth=%d", blamed ? 3 : 1);
	else if (waits)
		fputs(", style=dashed", out);
	fputs("];\n", out);
}

/* Each rank's vertices, below its name. */
static void write_columns(const struct diagram *diagram, FILE *out)
{
	const GArray *calls = diagram->execution->calls;
	uint32_t met = 0;

	fputs("  { rank=same;", out);
	for (guint i = 0; i < diagram->ranks->len; i++) {
		int32_t rank = g_array_index(diagram->ranks, int32_t, i);

		fprintf(out, " r%d [label=\"rank %d\", shape=plaintext, group=r%d];", rank, rank,
		        rank);
	}
	fputs(" }\n", out);
	for (guint i = diagram->first; i < diagram->order->len; i++) {
		guint index = g_array_index(diagram->order, guint, i);
		uint32_t meets = diagram_meets(call_at(diagram, index))
		                         ? call_at(diagram, index)->collective
		                         : 0;

		if (meets == 0 || meets != met) /* the members stand one after the other */
			write_vertex(diagram, index, out);
		met = meets;
	}
	for (guint i = 0; i < calls->len; i++) {
		const char *line = "weight=8, arrowhead=none, color=gray";

		if (!is_shown(diagram, i))
			continue;
		if (i > 0 && call_at(diagram, i - 1)->rank == call_at(diagram, i)->rank
		    && is_shown(diagram, i - 1)) {
			write_edge(diagram, i - 1, i, line, out);
			continue;
		}
		fprintf(out, "  r%d -> ", call_at(diagram, i)->rank);
		write_name(diagram, i, out);
		fprintf(out, " [%s];\n", line);
	}
}

static void write_messages(const struct diagram *diagram, FILE *out)
{
	const struct record_execution *execution = diagram->execution;

	for (guint i = 0; i < execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(execution->matches,
		                                                  struct record_match, i);
		gint64 receive, send;
		gint64 done = diagram_match(diagram, match, &receive, &send);
		g_autofree char *attributes = g_strdup_printf("color=blue, label=\"tag %d\"%s",
		                                              match->tag,
		                                              done < 0 ? ", style=dashed" : "");

		if (is_shown(diagram, receive) && is_shown(diagram, send))
			write_edge(diagram, (guint)send, (guint)receive, attributes, out);
	}
	for (guint i = 0; i < execution->choices->len; i++) {
		const struct record_choice *choice = g_ptr_array_index(execution->choices, i);
		gint64 receive = diagram_call(diagram, choice->rank, choice->call);

		for (guint j = 0; j < choice->alternatives->len; j++) {
			const struct record_message *other = &g_array_index(
				choice->alternatives, struct record_message, j);
			gint64 send = diagram_call(diagram, other->source, other->call);

			if (is_shown(diagram, receive) && is_shown(diagram, send))
				write_edge(diagram, (guint)send, (guint)receive,
				           "color=red, style=dotted, constraint=false, "
				           "label=\"could be taken\"",
				           out);
		}
	}
}

static bool dot_write(struct store_reader *reader, const struct report_options *options, FILE *out,
                      GError **error)
{
	struct diagram diagram;
	g_autofree char *left_out = NULL, *title = NULL, *label = NULL;

	if (!diagram_init(&diagram, reader, options, CALLS_MAX, error))
		return false;
	left_out = diagram_left_out(&diagram, store_reader_exploration(reader));
	title = g_strdup_printf("interleaving %u: %s\n%s%s%s", diagram.execution->id,
	                        diagram.execution->status, diagram.execution->path,
	                        left_out ? "\n" : "", left_out ? left_out : "");
	label = escape(title);
	fprintf(out,
	        "digraph interleaving {\n  label=\"%s\";\n  labelloc=t;\n"
	        "  node [shape=ellipse, fontsize=10];\n  edge [fontsize=9];\n",
	        label);
	write_columns(&diagram, out);
	write_messages(&diagram, out);
	fputs("}\n", out);
	diagram_release(&diagram);
	return true;
}

const struct report report_dot = {
	.name = "dot",
	.summary = "an interleaving as a graph for Graphviz",
	.write = dot_write,
};
