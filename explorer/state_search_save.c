/* What is left of a search of states, as a value. */
#include "state_search_internal.h"

static void write_waiting(struct saved_states_writer *writer, const GArray *all)
{
	for (guint i = 0; i < all->len; i++) {
		const struct waiting *waiting = &g_array_index(all, struct waiting, i);

		for (guint j = 0; j < waiting->choices->len; j++) {
			const struct choice *choice = &g_array_index(waiting->choices,
			                                             struct choice, j);

			saved_states_write_waiting(writer, waiting->list, choice,
			                           saved_states_after(waiting->saved, choice));
		}
	}
}

static GVariant *save_ends(const struct state_search *search)
{
	GVariantBuilder builder;
	GHashTableIter iter;
	gpointer next;

	g_variant_builder_init(&builder, G_VARIANT_TYPE("a(ttu)"));
	g_hash_table_iter_init(&iter, search->ends);
	while (g_hash_table_iter_next(&iter, &next, NULL)) {
		const struct end *end = next;

		g_variant_builder_add(&builder, "(ttu)", end->name.word[0], end->name.word[1],
		                      end->number);
	}
	return g_variant_builder_end(&builder);
}

GVariant *state_search_save(const struct state_search *search)
{
	const struct state_statistics *has = &search->statistics;
	struct saved_states_writer *writer = saved_states_writer_new();
	GHashTableIter iter;
	gpointer node;

	g_hash_table_iter_init(&iter, search->nodes);
	while (g_hash_table_iter_next(&iter, &node, NULL))
		saved_states_write_visited(writer, ((const struct node *)node)->list);
	write_waiting(writer, search->known_before);
	write_waiting(writer, search->waiting);
	if (!search->begun && search->saved)
		saved_states_write_all(writer, search->saved);
	return g_variant_ref_sink(g_variant_new(
		"(b(tttttt)b@a(ttu)@" STATE_GRAPH_TYPE "@" SAVED_STATES_TYPE ")",
		search->begun || search->saved, has->states, has->ends, has->nameless, has->circles,
		has->merged, has->missed, has->sets_left, save_ends(search),
		state_graph_save(search->graph), saved_states_writer_end(writer)));
}

static bool read_ends(struct state_search *search, GVariant *ends)
{
	struct state_hash name;
	GVariantIter iter;
	guint32 number;

	g_variant_iter_init(&iter, ends);
	while (g_variant_iter_next(&iter, "(ttu)", &name.word[0], &name.word[1], &number)) {
		if (!state_graph_is_end(search->graph, number))
			return false;
		g_hash_table_add(search->ends, state_search_end_new(&name, number));
	}
	return true;
}

bool state_search_restore(struct state_search *search, GVariant *saved)
{
	struct state_statistics *has = &search->statistics;
	g_autoptr(GVariant) ends = NULL, graph = NULL, lists = NULL;
	gboolean begun, sets_left; /* as GVariant returns them */

	g_variant_get(saved, "(b(tttttt)b@a(ttu)@" STATE_GRAPH_TYPE "@" SAVED_STATES_TYPE ")",
	              &begun, &has->states, &has->ends, &has->nameless, &has->circles, &has->merged,
	              &has->missed, &sets_left, &ends, &graph, &lists);
	has->sets_left = sets_left;
	state_graph_free(search->graph);
	search->graph = state_graph_load(graph);
	if (!search->graph || !read_ends(search, ends))
		return false;
	if (!begun)
		return true;
	search->saved = saved_states_load(lists);
	search->begun = search->saved
	                && !saved_states_waits(search->saved); /* then nothing is left */
	return search->saved != NULL;
}
