/* The inside of a graph of states (state_graph.h), for the files of that module. */
#ifndef MATCHPOINT_EXPLORER_STATE_GRAPH_INTERNAL_H
#define MATCHPOINT_EXPLORER_STATE_GRAPH_INTERNAL_H

#include "state_graph.h"

/* A choice that is open in a state. What equal choices share is kept once. */
struct graph_edge {
	guint32 point; /* in `points` */
	guint32 taken; /* in `taken` */
	guint32 to;    /* a state or an end; 0: not known */
	guint32 shift; /* in `shifts`: calls made on the way */
};

struct graph_node {
	bool is_end;
	GArray *edges; /* struct graph_edge, in the order of the choices; NULL: an end */
};

/* Things of one kind, each kept once. */
struct numbered {
	GPtrArray *all;      /* owned GBytes, by number */
	GHashTable *numbers; /* GBytes in `all`: its number + 1 */
};

struct state_graph {
	GArray *nodes;          /* struct graph_node, by number - 1 */
	struct numbered points; /* point_put */
	struct numbered taken;  /* taken_put, messages by their source only */
	struct numbered shifts; /* guint32 by rank, without zeros at the end */
	bool blurred;
};

void numbered_init(struct numbered *numbered);
void numbered_clear(struct numbered *numbered);
guint32 numbered_add(struct numbered *numbered, const void *bytes, gsize size);

static inline const struct graph_node *graph_node(const struct state_graph *graph, guint number)
{
	return &g_array_index(graph->nodes, struct graph_node, number - 1);
}

#endif
