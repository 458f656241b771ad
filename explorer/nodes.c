#include "nodes.h"

#include <glib.h>

#include "common/virtual_nodes.h"

int nodes_count(const char *nodes, int ranks)
{
	struct virtual_node last = {0};

	return nodes && virtual_node_of(nodes, ranks, ranks - 1, &last) ? last.number + 1 : 1;
}

/* Whether both texts put each rank on the same node. */
static bool are_alike(const char *one, const char *other, int ranks)
{
	struct virtual_node a = {0}, b = {0};

	for (int rank = 0; rank < ranks; rank = a.first + a.ranks)
		if (!virtual_node_of(one, ranks, rank, &a)
		    || !virtual_node_of(other, ranks, rank, &b) || a.number != b.number
		    || a.ranks != b.ranks)
			return false;
	return true;
}

/* What is wrong with a text that virtual_node_of refuses. */
static char *problem_of(const char *text, int ranks)
{
	g_auto(GStrv) sizes = g_strsplit(text, "+", -1);
	guint64 all = 0, size;

	for (char **word = sizes; *word; word++) {
		if (!g_ascii_string_to_unsigned(*word, 10, 1, G_MAXINT32, &size, NULL)
		    || **word == '0')
			return g_strdup("a number of nodes, or the ranks of each as 2+2, expected");
		all += size;
	}
	if (!sizes[0])
		return g_strdup("it is empty");
	if (!sizes[1])
		return g_strdup_printf("%s nodes need as many ranks, and there %s %d", text,
		                       ranks == 1 ? "is" : "are", ranks);
	return g_strdup_printf("%s are %" G_GUINT64_FORMAT " ranks, not %d", text, all, ranks);
}

const char *nodes_parse(const char *text, int ranks, char **ret_problem)
{
	struct virtual_node first;
	char equal[16];

	if (!virtual_node_of(text, ranks, 0, &first)) {
		*ret_problem = problem_of(text, ranks);
		return NULL;
	}
	g_snprintf(equal, sizeof(equal), "%d", nodes_count(text, ranks));
	if (g_str_equal(equal, "1"))
		return NULL;
	return g_intern_string(are_alike(text, equal, ranks) ? equal : text);
}
