#include "virtual_nodes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses a number of 1 to INT_MAX, without leading zeros. Returns 0 if there is none. */
static int parse_number(const char **at)
{
	int number = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++) {
		const int digit = **at - '0';

		if ((number == 0 && digit == 0) || number > (INT_MAX - digit) / 10)
			return 0;
		number = number * 10 + digit;
	}
	return number;
}

/* The first `ranks % nodes` nodes have one rank more than the others. */
static void divide_equally(int nodes, int ranks, int rank, struct virtual_node *ret)
{
	const int least = ranks / nodes, larger = ranks % nodes;
	const int in_larger = larger * (least + 1);

	if (rank < in_larger)
		ret->number = rank / (least + 1);
	else
		ret->number = larger + (rank - in_larger) / least;
	ret->ranks = least + (ret->number < larger);
	ret->first = ret->number * least + (ret->number < larger ? ret->number : larger);
}

bool virtual_node_of(const char *text, int ranks, int rank, struct virtual_node *ret)
{
	int first = 0, size = parse_number(&text);

	if (rank < 0 || rank >= ranks)
		return false;
	if (*text == '\0' && size > 0 && size <= ranks) {
		divide_equally(size, ranks, rank, ret);
		return true;
	}
	if (*text != '+')
		return false;
	for (int number = 0; size > 0 && size <= ranks - first; number++) {
		if (rank >= first && rank < first + size)
			*ret = (struct virtual_node){number, first, size};
		first += size;
		if (*text == '\0')
			return first == ranks;
		if (*text++ != '+')
			return false;
		size = parse_number(&text);
	}
	return false;
}

const struct virtual_node *virtual_node_own(void)
{
	static struct virtual_node node;
	static enum { UNKNOWN, NONE, ONE } known;

	if (known == UNKNOWN) {
		const char *text = getenv(VIRTUAL_NODES_VARIABLE), *rank = getenv("PMI_RANK"),
			   *ranks = getenv("PMI_SIZE");

		known = text && rank && ranks
		                        && virtual_node_of(text, atoi(ranks), atoi(rank), &node)
		                ? ONE
		                : NONE;
	}
	return known == ONE ? &node : NULL;
}

int virtual_node_copy(const char *own, char *name, size_t size)
{
	const size_t room = strlen(own) + 1;

	memcpy(name, own, room < size ? room : size);
	if (room <= size)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

int virtual_node_name(const struct virtual_node *node, char *name, size_t size)
{
	char whole[32];

	snprintf(whole, sizeof(whole), VIRTUAL_NODE_NAME, node->number);
	return virtual_node_copy(whole, name, size);
}
