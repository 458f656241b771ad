/* Virtual nodes (common/virtual_nodes.h) as a condition of a path. Not the nodes of the search. */
#ifndef MATCHPOINT_EXPLORER_NODES_H
#define MATCHPOINT_EXPLORER_NODES_H

/* The shortest text that divides `ranks` ranks as `text` does, interned. NULL: all of them are on
 * one node, which is no condition; or, with *ret_problem set (free with g_free), the text does not
 * divide them. */
const char *nodes_parse(const char *text, int ranks, char **ret_problem);

/* The number of nodes. `nodes`: from nodes_parse; NULL: one. */
int nodes_count(const char *nodes, int ranks);

#endif
