#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "common/virtual_nodes.h"
#include "explorer/nodes.h"

/* "0 0 0 1": the node of each rank. */
static void assert_nodes(const char *text, int ranks, const char *expected)
{
	g_autoptr(GString) told = g_string_new(NULL);
	struct virtual_node node;

	for (int rank = 0; rank < ranks; rank++) {
		assert_true(virtual_node_of(text, ranks, rank, &node));
		assert_in_range(rank, node.first, node.first + node.ranks - 1);
		g_string_append_printf(told, "%s%d", rank > 0 ? " " : "", node.number);
	}
	assert_string_equal(told->str, expected);
}

static void test_divides(void **state)
{
	(void)state;
	assert_nodes("1", 3, "0 0 0");
	assert_nodes("2", 4, "0 0 1 1");
	assert_nodes("2", 5, "0 0 0 1 1");
	assert_nodes("3", 8, "0 0 0 1 1 1 2 2");
	assert_nodes("4", 4, "0 1 2 3");
	assert_nodes("3+1", 4, "0 0 0 1");
	assert_nodes("1+1+2", 4, "0 1 2 2");
	assert_nodes("12+1", 13, "0 0 0 0 0 0 0 0 0 0 0 0 1");
}

static void assert_refused(const char *text, int ranks, const char *why)
{
	g_autofree char *problem = NULL;
	struct virtual_node node;

	assert_false(virtual_node_of(text, ranks, 0, &node));
	assert_null(nodes_parse(text, ranks, &problem));
	assert_string_equal(problem, why);
}

static void test_refuses(void **state)
{
	static const char expected[] = "a number of nodes, or the ranks of each as 2+2, expected";
	static const char *const none[] = {"0",    "01",          "-1",           "+2", "2+",
	                                   "2++2", "2+0+2",       "2+x",          "x",  " 2",
	                                   "2 ",   "99999999999", "2+99999999999"};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(none); i++)
		assert_refused(none[i], 4, expected);
	assert_refused("", 4, "it is empty");
	assert_refused("5", 4, "5 nodes need as many ranks, and there are 4");
	assert_refused("2", 1, "2 nodes need as many ranks, and there is 1");
	assert_refused("2+3", 4, "2+3 are 5 ranks, not 4");
	assert_refused("2+1", 4, "2+1 are 3 ranks, not 4");
	assert_refused("2147483647+2147483647", 4,
	               "2147483647+2147483647 are 4294967294 ranks, not 4");
}

static void test_shortest_form(void **state)
{
	char *problem = NULL;

	(void)state;
	assert_string_equal(nodes_parse("2+2", 4, &problem), "2");
	assert_string_equal(nodes_parse("3+2", 5, &problem), "2");
	assert_string_equal(nodes_parse("2+3", 5, &problem), "2+3");
	assert_string_equal(nodes_parse("1+1+1", 3, &problem), "3");
	assert_null(nodes_parse("1", 4, &problem));
	assert_null(problem);
	assert_int_equal(nodes_count("2+3", 5), 2);
	assert_int_equal(nodes_count("4", 9), 4);
	assert_int_equal(nodes_count(NULL, 9), 1);
}

static void test_name(void **state)
{
	const struct virtual_node node = {.number = 12};
	char name[8] = "........";

	(void)state;
	assert_int_equal(virtual_node_name(&node, name, sizeof(name)), 0);
	assert_string_equal(name, "node12");
	assert_int_equal(virtual_node_name(&node, name, 7), 0);
	memset(name, '.', sizeof(name));
	assert_int_equal(virtual_node_name(&node, name, 6), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_memory_equal(name, "node12..", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divides),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_shortest_form),
		cmocka_unit_test(test_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
