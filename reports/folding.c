#include "folding.h"

#include "words.h"

static const struct record_call *call_at(const struct diagram *diagram, guint index)
{
	return &g_array_index(diagram->execution->calls, struct record_call, index);
}

static guint ordered(const struct diagram *diagram, guint position)
{
	return g_array_index(diagram->order, guint, position);
}

/* By call: the ranks that send what it receives, and the ranks that receive what it sends. */
static GString **partners_of(const struct diagram *diagram)
{
	const struct record_execution *execution = diagram->execution;
	GString **partners = g_new0(GString *, execution->calls->len + 1);

	for (guint i = 0; i < execution->calls->len; i++)
		partners[i] = g_string_new(NULL);
	for (guint i = 0; i < execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(execution->matches,
		                                                  struct record_match, i);
		gint64 receive, send;

		diagram_match(diagram, match, &receive, &send);
		if (receive >= 0)
			g_string_append_printf(partners[receive], "<%d", match->source);
		if (send >= 0)
			g_string_append_printf(partners[send], ">%d", match->rank);
	}
	return partners;
}

static void free_partners(GString **partners)
{
	for (GString **one = partners; *one; one++)
		g_string_free(*one, true);
	g_free(partners);
}

static void describe(const struct diagram *diagram, guint index, const GString *partners,
                     GString *text)
{
	const struct record_call *call = call_at(diagram, index);
	const struct record_choice *blame = diagram->finding ? diagram->finding->blame : NULL;
	g_autofree char *place = place_print(&call->place);

	g_string_append_printf(text, "%d.%u %s %s %s %d %d%s;", call->rank, call->thread,
	                       call->function ? call->function : "", place,
	                       call->communicator_name ? call->communicator_name : "", call->kind,
	                       call->completed > 0, partners->str);
	if (blame && blame->rank == call->rank && blame->call == call->call)
		g_string_append(text, "blamed;");
}

/* Fills `begins`. Returns a number for each item: equal for items that are alike. */
static GArray *name_items(struct folding *folding, const struct diagram *diagram)
{
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GString **partners = partners_of(diagram);
	GArray *ids = g_array_new(false, false, sizeof(guint));

	for (guint i = 0, end; i < diagram->order->len; i = end) {
		const struct record_call *call = call_at(diagram, ordered(diagram, i));
		GString *text = g_string_new(NULL);
		guint id;

		for (end = i; end == i
		              || (end < diagram->order->len && diagram_meets(call)
		                  && call_at(diagram, ordered(diagram, end))->collective
		                             == call->collective);
		     end++)
			describe(diagram, ordered(diagram, end), partners[ordered(diagram, end)],
			         text);
		id = GPOINTER_TO_UINT(g_hash_table_lookup(known, text->str));
		if (id == 0) {
			id = g_hash_table_size(known) + 1;
			g_hash_table_insert(known, g_strdup(text->str), GUINT_TO_POINTER(id));
		}
		g_string_free(text, true);
		g_array_append_val(ids, id);
		g_array_append_val(folding->begins, i);
	}
	g_array_append_val(folding->begins, diagram->order->len);
	free_partners(partners);
	return ids;
}

static guint begin_of(const struct folding *folding, guint item)
{
	return g_array_index(folding->begins, guint, item);
}

/* Sets which calls are drawn for the calls of the items from `item` on. Returns the index after
 * the last item. */
static guint place_items(struct folding *folding, const struct diagram *diagram,
                         const GPtrArray *folded, guint item)
{
	for (guint i = 0; i < folded->len; i++) {
		const struct repetition *one = g_ptr_array_index(folded, i);

		if (one->body) {
			for (guint time = 0; time < one->count; time++)
				item = place_items(folding, diagram, one->body, item);
			continue;
		}
		for (guint at = begin_of(folding, item); at < begin_of(folding, item + 1); at++)
			folding->drawn[ordered(diagram, at)] = ordered(
				diagram,
				begin_of(folding, one->first) + at - begin_of(folding, item));
		item++;
	}
	return item;
}

void folding_init(struct folding *folding, const struct diagram *diagram)
{
	g_autoptr(GArray) ids = NULL;

	folding->begins = g_array_new(false, false, sizeof(guint));
	folding->position = g_new0(guint, diagram->order->len);
	folding->drawn = g_new0(guint, diagram->order->len);
	for (guint i = 0; i < diagram->order->len; i++)
		folding->position[ordered(diagram, i)] = i;
	ids = name_items(folding, diagram);
	folding->folded = repetition_fold((const guint *)(const void *)ids->data, ids->len);
	place_items(folding, diagram, folding->folded, 0);
}

void folding_release(struct folding *folding)
{
	g_ptr_array_unref(folding->folded);
	g_array_unref(folding->begins);
	g_free(folding->position);
	g_free(folding->drawn);
}

guint folding_last(const struct folding *folding, guint most)
{
	guint first = folding->folded->len, lines = 0;

	while (first > 0) {
		lines += repetition_lines(g_ptr_array_index(folding->folded, first - 1));
		if (lines > most && first < folding->folded->len)
			break;
		first--;
	}
	return first;
}
