/* Virtual nodes (--nodes): ranks that MPI and the program take for those of one machine. All ranks
 * run on this one. As text:
 *
 *   3      three nodes of equal size; if that does not work out, the first ones have a rank more
 *   3+1    two nodes, the first one with ranks 0 to 2, the second one with rank 3
 */
#ifndef MATCHPOINT_COMMON_VIRTUAL_NODES_H
#define MATCHPOINT_COMMON_VIRTUAL_NODES_H

#include <stdbool.h>
#include <stddef.h>

struct virtual_node {
	int number; /* from 0 */
	int first;  /* its first rank */
	int ranks;
};

/* Finds the node of a rank (0 to ranks - 1). false: the text does not divide so many ranks; each
 * node has at least one. */
bool virtual_node_of(const char *text, int ranks, int rank, struct virtual_node *ret);

/* The node of this process, a rank; NULL: it has none. It is that of the first call, whatever the
 * program does to its environment afterwards. Valid until the process ends. */
const struct virtual_node *virtual_node_own(void);

/* Puts its name where gethostname would. POSIX leaves open whether a name that is cut off ends with
 * '\0'. Returns 0; or -1, with errno ENAMETOOLONG. */
int virtual_node_name(const struct virtual_node *node, char *name, size_t size);

/* Likewise, the name of a real node. */
int virtual_node_copy(const char *own, char *name, size_t size);

/* For printf: what a node is called, by its number. */
#define VIRTUAL_NODE_NAME "node%d"

/* In the environment of ranks: the text. */
#define VIRTUAL_NODES_VARIABLE "MATCHPOINT_NODES"

#endif
