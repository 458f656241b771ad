/* Commands that show the contents of messages. */
#include <string.h>

#include "debug_context.h"
#include "debug_words.h"
#include "decoders.h"
#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "pickles.h"
#include "scheduler/world/matcher.h"
#include "telling.h"

#define DECODED_MOST 20000u  /* bytes of text of a Python object */
#define OPERATIONS_MOST 100u /* of a call, that are printed together */
#define MESSAGES_SHOWN 4u    /* of a call, in a short form */

/* --- selection -------------------------------------------------------------------------------- */

/* Finds the message with this number among the open choices. */
static bool find_offered(struct debugger *debugger, guint64 number, GArray *ret_sends)
{
	const struct verdict_facts facts = debugger_facts(debugger);
	g_autoptr(GArray) sends = telling_offered(&facts, debugger_offers(debugger), (guint)number);

	g_array_append_vals(ret_sends, sends->data, sends->len);
	if (sends->len > 0)
		return true;
	debugger_refuse(debugger, "%" G_GUINT64_FORMAT " is not a message", number);
	return false;
}

/* Reads "1.2", "1.2.1", or "0.1:0.2". */
static bool read_operation(const char *text, struct op_id *ret_id, bool *ret_all)
{
	const char *end;
	const int rank = rank_named(text, &end);
	g_auto(GStrv) parts = rank >= 0 && *end == '.' ? g_strsplit(end + 1, ".", 2) : NULL;
	guint64 call, sub = 0;

	if (!parts || !parts[0]
	    || !g_ascii_string_to_unsigned(parts[0], 10, 1, G_MAXUINT32, &call, NULL)
	    || (parts[1] && !g_ascii_string_to_unsigned(parts[1], 10, 0, G_MAXUINT32, &sub, NULL)))
		return false;
	*ret_id = (struct op_id){rank, (guint32)call, (guint32)sub};
	*ret_all = !parts[1];
	return true;
}

/* Adds the messages that a call's operations have sent or received. */
static void add_of_call(const struct world *world, struct op_id id, bool all, GArray *ret_sends)
{
	guint32 subs = world_call_info(world, id.rank, id.call)->subs;

	guint32 end = all ? MIN(subs, OPERATIONS_MOST) : id.sub + 1;

	for (; id.sub < end; id.sub++) {
		struct op_id send = id;

		if (world_message_contents(world, id) || world_message_taken(world, id, &send))
			g_array_append_val(ret_sends, send);
	}
}

/* The rank's part in a collective; NULL: none. */
static const struct event *find_arrival(const struct trace *trace, struct op_id id)
{
	for (size_t i = trace_count(trace); i > 0; i--) {
		const struct event *event = trace_at(trace, i - 1);

		if (event->kind == EVENT_ARRIVE && op_id_equal(event->op.id, id))
			return event;
	}
	return NULL;
}

static int compare_ids(gconstpointer one, gconstpointer other)
{
	return op_id_compare(*(const struct op_id *)one, *(const struct op_id *)other);
}

/* Adds what members give to the collective of that call; with `rooted`, only what comes from a
 * root. */
static void add_of_collective(const struct world *world, struct op_id id, bool rooted,
                              GArray *ret_given)
{
	const struct trace *trace = world_trace(world);
	const struct event *own = find_arrival(trace, id);

	for (size_t i = 0; own && i < trace_count(trace); i++) {
		const struct event *event = trace_at(trace, i);

		if (event->kind == EVENT_ARRIVE && event->collective == own->collective
		    && (!rooted || event->op.id.rank == own->root)
		    && world_message_contents(world, event->op.id))
			g_array_append_val(ret_given, event->op.id);
	}
	g_array_sort(ret_given, compare_ids);
}

char *debugger_contents(struct debugger *debugger, const struct verdict_facts *facts, int rank,
                        guint32 call)
{
	g_autoptr(GArray) sends = g_array_new(false, false, sizeof(struct op_id));
	GString *text = g_string_new(NULL);

	if (rank < facts->ranks && world_call_info(facts->world, rank, call))
		add_of_call(facts->world, (struct op_id){rank, call, 0}, true, sends);
	if (sends->len == 0 && rank < facts->ranks)
		add_of_collective(facts->world, (struct op_id){rank, call, 0}, true, sends);
	for (guint i = 0; i < MIN(sends->len, MESSAGES_SHOWN); i++) {
		g_autofree char *told = telling_contents(facts, debugger_pickles(debugger),
		                                         g_array_index(sends, struct op_id, i));

		g_string_append_printf(text, "%s%s", i > 0 ? "; " : "", told ? told : "?");
	}
	if (sends->len > MESSAGES_SHOWN)
		g_string_append(text, "; ...");
	return g_string_free(text, text->len == 0);
}

static bool find_named(struct debugger *debugger, const char *text, GArray *ret_sends)
{
	const struct world *world = execution_world(debugger_execution(debugger));
	struct op_id id;
	bool all;

	if (!read_operation(text, &id, &all)) {
		debugger_refuse(debugger,
		                "%s is not a message: use x 1 for message 1 of choices, or x "
		                "RANK.CALL for what a call sends or has received",
		                *text ? text : "that");
		return false;
	}
	if (id.rank >= debugger_ranks(debugger)) {
		g_autofree char *known = rank_names_all(debugger_ranks(debugger));

		debugger_refuse(debugger, "there is no rank %d; %s", id.rank, known);
		return false;
	}
	if (!world_call_info(world, id.rank, id.call)) {
		debugger_refuse(debugger, "rank %s has made no call %u here", rank_name(id.rank),
		                id.call);
		return false;
	}
	add_of_collective(world, id, false, ret_sends);
	if (ret_sends->len == 0)
		add_of_call(world, id, all, ret_sends);
	if (ret_sends->len > 0)
		return true;
	debugger_refuse(debugger,
	                "rank %s's call %u neither sends nor has received a message, and no data "
	                "that it gives is known",
	                rank_name(id.rank), id.call);
	return false;
}

static bool find_messages(struct debugger *debugger, const char *text, GArray *ret_sends)
{
	guint64 number;

	if (debugger_state(debugger) == DEBUG_CHOICE && debugger_offers(debugger)->choices->len > 0
	    && g_ascii_string_to_unsigned(text, 10, 1, debugger_offers(debugger)->choices->len,
	                                  &number, NULL))
		return find_offered(debugger, number, ret_sends);
	return find_named(debugger, text, ret_sends);
}

/* --- contents --------------------------------------------------------------------------------- */

/* Appends "rank 1's MPI_Send(dest=0, tag=0) at main.c:12". */
static void append_sender(GString *text, const struct verdict_facts *facts, struct op_id send)
{
	const struct world_call *info = world_call_info(facts->world, send.rank, send.call);
	g_autofree char *arguments = verdict_arguments(facts, send.rank, send.call);
	const struct place place = verdict_call_place(facts, send.rank, info);
	g_autofree char *where = place_print(&place);

	g_string_append_printf(text, "rank %s's %s(%s) at %s: ", rank_name(send.rank),
	                       mpi_call_name(info->function), arguments, where);
}

/* Appends the lines with indentation. */
static void append_inside(GString *text, const char *lines)
{
	g_auto(GStrv) all = g_strsplit(lines, "\n", -1);

	for (char **line = all; *line; line++)
		if (**line || line[1])
			g_string_append_printf(text, "    %s\n", *line);
}

/* Decodes as a pickle, or by the user's program. Returns false if the data are to be shown as bytes
 * and values. */
static bool append_decoded(struct debugger *debugger, GString *text,
                           const struct verdict_facts *facts, struct op_id send,
                           const struct contents *contents)
{
	const struct world_call *info = world_call_info(facts->world, send.rank, send.call);
	gint32 tag = info->kind == WIRE_COLLECTIVE ? WIRE_ANY : info->tag;
	const char *command = decoders_find(debugger_decoders(debugger), tag,
	                                    world_comm_name(facts->world, info->comm));
	bool pickled = !command || strcmp(command, "pickle") == 0;
	g_autofree char *told =
		pickled ? pickles_show(debugger_pickles(debugger), contents, DECODED_MOST) : NULL;
	g_autoptr(GError) error = NULL;
	const guint8 *bytes;
	gsize length;

	if (command && !pickled && strcmp(command, "hex") != 0) {
		bytes = g_bytes_get_data(contents->first, &length);
		told = decoders_run(command, bytes, length, &error);
	}
	if (told)
		append_inside(text, told);
	if (error)
		g_string_append_printf(text, "  %s\n", error->message);
	return told != NULL;
}

void word_set_decoder(struct debugger *debugger, const char *rest)
{
	g_autofree char *problem = decoders_set(debugger_decoders(debugger), rest);

	if (problem)
		debugger_refuse(debugger, "%s", problem);
}

static void append_message(struct debugger *debugger, GString *text,
                           const struct verdict_facts *facts, struct op_id send)
{
	const struct contents *contents = world_message_contents(facts->world, send);
	g_autofree char *types = contents ? types_print(&contents->types) : NULL;

	append_sender(text, facts, send);
	if (!contents) {
		g_string_append(
			text,
			"contents not known: of very many messages, the oldest are not kept\n");
		return;
	}
	g_string_append_printf(text, "%s\n", types);
	if (!append_decoded(debugger, text, facts, send, contents))
		contents_append_lines(text, contents);
}

void word_x(struct debugger *debugger, const char *rest)
{
	g_autofree char *name = g_strstrip(g_strdup(rest));
	g_autoptr(GArray) sends = g_array_new(false, false, sizeof(struct op_id));
	struct verdict_facts facts;
	GString *text;

	if (!debugger_is_somewhere(debugger) || !find_messages(debugger, name, sends))
		return;
	facts = debugger_facts(debugger);
	text = g_string_new(NULL);
	pickles_try_again(debugger_pickles(debugger));
	for (guint i = 0; i < sends->len; i++)
		append_message(debugger, text, &facts, g_array_index(sends, struct op_id, i));
	debugger_tell_text(debugger, text);
}
