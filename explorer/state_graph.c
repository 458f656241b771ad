#include "state_graph_internal.h"

/* --- what is kept once ------------------------------------------------------------------------ */

static void unref_bytes(gpointer bytes)
{
	g_bytes_unref(bytes);
}

void numbered_init(struct numbered *numbered)
{
	numbered->all = g_ptr_array_new_with_free_func(unref_bytes);
	numbered->numbers = g_hash_table_new(g_bytes_hash, g_bytes_equal);
}

void numbered_clear(struct numbered *numbered)
{
	g_hash_table_destroy(numbered->numbers);
	g_ptr_array_unref(numbered->all);
}

guint32 numbered_add(struct numbered *numbered, const void *bytes, gsize size)
{
	g_autoptr(GBytes) key = g_bytes_new(bytes, size);
	guint number = GPOINTER_TO_UINT(g_hash_table_lookup(numbered->numbers, key));

	if (number > 0)
		return number - 1;
	g_ptr_array_add(numbered->all, g_bytes_ref(key));
	g_hash_table_insert(numbered->numbers, key, GUINT_TO_POINTER(numbered->all->len));
	return numbered->all->len - 1;
}

/* --- the graph -------------------------------------------------------------------------------- */

static void node_clear(gpointer pointer)
{
	struct graph_node *node = pointer;

	if (node->edges)
		g_array_unref(node->edges);
}

struct state_graph *state_graph_new(void)
{
	struct state_graph *graph = g_new0(struct state_graph, 1);

	graph->nodes = g_array_new(false, false, sizeof(struct graph_node));
	g_array_set_clear_func(graph->nodes, node_clear);
	numbered_init(&graph->points);
	numbered_init(&graph->taken);
	numbered_init(&graph->shifts);
	return graph;
}

void state_graph_free(struct state_graph *graph)
{
	if (!graph)
		return;
	numbered_clear(&graph->shifts);
	numbered_clear(&graph->taken);
	numbered_clear(&graph->points);
	g_array_unref(graph->nodes);
	g_free(graph);
}

static struct graph_edge edge_of(struct state_graph *graph, const struct choice *choice)
{
	g_autoptr(GByteArray) point = g_byte_array_new(), taken = g_byte_array_new();
	struct taken of = choice->taken;

	/* As in taken_equal: the source is enough. */
	if (of.kind == TAKEN_MESSAGE)
		of.send = (struct op_id){of.send.rank, 0, 0};
	of.promised = false;
	point_put(point, &choice->point);
	taken_put(taken, &of);
	return (struct graph_edge){.point = numbered_add(&graph->points, point->data, point->len),
	                           .taken = numbered_add(&graph->taken, taken->data, taken->len)};
}

guint state_graph_add(struct state_graph *graph, const GArray *choices)
{
	struct graph_node node = {
		false, g_array_sized_new(false, false, sizeof(struct graph_edge), choices->len)};

	for (guint i = 0; i < choices->len; i++) {
		struct graph_edge edge = edge_of(graph, &g_array_index(choices, struct choice, i));

		g_array_append_val(node.edges, edge);
	}
	g_array_append_val(graph->nodes, node);
	return graph->nodes->len;
}

guint state_graph_add_end(struct state_graph *graph)
{
	struct graph_node node = {true, NULL};

	g_array_append_val(graph->nodes, node);
	return graph->nodes->len;
}

guint state_graph_first(const struct state_graph *graph)
{
	return graph->nodes->len > 0 ? 1 : 0;
}

bool state_graph_is_end(const struct state_graph *graph, guint number)
{
	return number > 0 && number <= graph->nodes->len && graph_node(graph, number)->is_end;
}

static struct graph_edge *find_edge(struct state_graph *graph, guint from,
                                    const struct choice *choice)
{
	const struct graph_node *node = graph_node(graph, from);
	struct graph_edge wanted = edge_of(graph, choice);

	for (guint i = 0; node->edges && i < node->edges->len; i++) {
		struct graph_edge *edge = &g_array_index(node->edges, struct graph_edge, i);

		if (edge->point == wanted.point && edge->taken == wanted.taken)
			return edge;
	}
	return NULL;
}

guint state_graph_after(struct state_graph *graph, guint from, const struct choice *choice)
{
	const struct graph_edge *edge = find_edge(graph, from, choice);

	return edge ? edge->to : 0;
}

void state_graph_connect(struct state_graph *graph, guint from, const struct choice *choice,
                         guint to, const guint32 *calls, int ranks)
{
	struct graph_edge *edge = find_edge(graph, from, choice);

	if (!edge) {
		graph->blurred = true;
		return;
	}
	if (edge->to != 0)
		return;
	while (ranks > 0 && calls[ranks - 1] == 0)
		ranks--;
	edge->to = to;
	edge->shift = numbered_add(&graph->shifts, calls, (gsize)ranks * sizeof(*calls));
}

void state_graph_blur(struct state_graph *graph)
{
	graph->blurred = true;
}

/* --- save and restore ------------------------------------------------------------------------- */

#define NODE_TYPE "(ba(ayuu))"

static GVariant *bytes_of(const struct numbered *numbered, guint32 number)
{
	return g_variant_new_from_bytes(G_VARIANT_TYPE("ay"), numbered->all->pdata[number], true);
}

static GVariant *save_node(const struct state_graph *graph, const struct graph_node *node)
{
	GVariantBuilder edges;

	g_variant_builder_init(&edges, G_VARIANT_TYPE("a(ayuu)"));
	for (guint i = 0; node->edges && i < node->edges->len; i++) {
		const struct graph_edge *edge = &g_array_index(node->edges, struct graph_edge, i);
		gsize point_size, taken_size;
		const guint8 *point = g_bytes_get_data(graph->points.all->pdata[edge->point],
		                                       &point_size);
		const guint8 *taken = g_bytes_get_data(graph->taken.all->pdata[edge->taken],
		                                       &taken_size);
		g_autoptr(GByteArray) both = g_byte_array_new();

		g_byte_array_append(both, point, (guint)point_size);
		g_byte_array_append(both, taken, (guint)taken_size);
		g_variant_builder_add(
			&edges, "(@ayuu)",
			g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, both->data, both->len, 1),
			edge->to, edge->shift);
	}
	return g_variant_new("(b@a(ayuu))", node->is_end, g_variant_builder_end(&edges));
}

GVariant *state_graph_save(const struct state_graph *graph)
{
	GVariantBuilder nodes, shifts;

	g_variant_builder_init(&nodes, G_VARIANT_TYPE("a" NODE_TYPE));
	for (guint i = 1; i <= graph->nodes->len; i++)
		g_variant_builder_add_value(&nodes, save_node(graph, graph_node(graph, i)));
	g_variant_builder_init(&shifts, G_VARIANT_TYPE("aay"));
	for (guint i = 0; i < graph->shifts.all->len; i++)
		g_variant_builder_add_value(&shifts, bytes_of(&graph->shifts, i));
	return g_variant_new("(b@a" NODE_TYPE "@aay)", graph->blurred,
	                     g_variant_builder_end(&nodes), g_variant_builder_end(&shifts));
}

static bool load_edge(struct state_graph *graph, GVariant *saved, GArray *edges, guint nodes)
{
	g_autoptr(GVariant) bytes = NULL;
	struct choice_bytes read = {0};
	struct choice choice = {0};
	struct graph_edge edge;
	guint32 to, shift;
	gsize size;

	g_variant_get(saved, "(@ayuu)", &bytes, &to, &shift);
	read.data = g_variant_get_fixed_array(bytes, &size, 1);
	read.left = size;
	if (!point_take(&read, &choice.point) || !taken_take(&read, &choice.taken) || to > nodes
	    || (to > 0 && shift >= graph->shifts.all->len))
		return false;
	edge = edge_of(graph, &choice);
	edge.to = to;
	edge.shift = shift;
	g_array_append_val(edges, edge);
	return true;
}

static bool load_node(struct state_graph *graph, GVariant *saved, guint nodes)
{
	g_autoptr(GVariant) edges = NULL;
	gboolean is_end; /* as GVariant returns it */
	struct graph_node node;
	bool good = true;

	g_variant_get(saved, "(b@a(ayuu))", &is_end, &edges);
	node = (struct graph_node){
		is_end, is_end ? NULL : g_array_new(false, false, sizeof(struct graph_edge))};
	g_array_append_val(graph->nodes, node);
	for (gsize i = 0; good && node.edges && i < g_variant_n_children(edges); i++) {
		g_autoptr(GVariant) edge = g_variant_get_child_value(edges, i);

		good = load_edge(graph, edge, node.edges, nodes);
	}
	return good;
}

static bool load_shift(struct state_graph *graph, GVariant *saved)
{
	gsize size = g_variant_get_size(saved);

	return size % sizeof(guint32) == 0
	       && numbered_add(&graph->shifts, g_variant_get_data(saved), size)
	                  == graph->shifts.all->len - 1;
}

struct state_graph *state_graph_load(GVariant *saved)
{
	struct state_graph *graph = state_graph_new();
	g_autoptr(GVariant) nodes = NULL, shifts = NULL;
	gboolean blurred; /* as GVariant returns it */
	gsize count;
	bool good = true;

	g_variant_get(saved, "(b@a" NODE_TYPE "@aay)", &blurred, &nodes, &shifts);
	graph->blurred = blurred;
	count = g_variant_n_children(nodes);
	for (gsize i = 0; good && i < g_variant_n_children(shifts); i++) {
		g_autoptr(GVariant) shift = g_variant_get_child_value(shifts, i);

		good = load_shift(graph, shift);
	}
	for (gsize i = 0; good && i < count; i++) {
		g_autoptr(GVariant) node = g_variant_get_child_value(nodes, i);

		good = load_node(graph, node, (guint)count);
	}
	if (good)
		return graph;
	state_graph_free(graph);
	return NULL;
}
