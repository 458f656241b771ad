#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/program_parts.h"

/* "0+2 ./server a, 2+3 ./client": first rank and ranks of each program, and its words. */
static void assert_parts(const char *line, int ranks, const char *expected)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = program_parts(words, ranks, &problem);
	g_autoptr(GString) told = g_string_new(NULL);

	assert_null(problem);
	for (guint i = 0; i < parts->len; i++) {
		const struct program_part *part = &g_array_index(parts, struct program_part, i);

		g_string_append_printf(told, "%s%d+%d", i > 0 ? ", " : "", part->first,
		                       part->ranks);
		for (guint word = 0; word < part->length; word++)
			g_string_append_printf(told, " %s", part->words[word]);
	}
	assert_string_equal(told->str, expected);
}

static void test_divides(void **state)
{
	(void)state;
	assert_parts("./solver", 4, "0+4 ./solver");
	assert_parts("./solver a b", 1, "0+1 ./solver a b");
	assert_parts("./server a : -n 3 ./client", 5, "0+2 ./server a, 2+3 ./client");
	assert_parts("./a : -np 1 ./b x : -n 1 ./a -n 7", 4, "0+2 ./a, 2+1 ./b x, 3+1 ./a -n 7");
}

static void test_spawned(void **state)
{
	char *line[] = {"./a", "x", ":", "-n", "1", "./b", NULL};
	g_auto(GStrv) more = program_parts_add(line, 3, 0, 1, "./my child");
	g_auto(GStrv) most = program_parts_add(more, 1, 3, 2, "/d");
	g_autofree char *text = program_parts_prelaunched(most, 7);

	(void)state;
	assert_parts("./a : -n 2 -spawned 0.1 ./b", 3, "0+1 ./a, 1+2 ./b");
	assert_false(program_parts_divide(line, 3));
	assert_int_equal(program_parts_at_once(line, 3), 3);
	assert_int_equal(program_parts_at_once(most, 7), 3);
	assert_string_equal(text, "3;3,0.1,./my%20child;1,3.2,/d");
}

static void test_apart(void **state)
{
	char *line[] = {"./a", ":", "-n", "1", "./b", ":", "-np", "2", "./c", "x", NULL};
	g_auto(GStrv) apart = program_parts_separate(line);
	g_auto(GStrv) more = program_parts_add(apart, 3, 0, 1, "./d");
	g_autofree char *words = g_strjoinv(" ", apart), *text = NULL, *divided = NULL;

	(void)state;
	assert_string_equal(words, "./a : -n 1 -apart ./b : -np 2 -apart ./c x");
	assert_true(program_parts_divide(apart, 5));
	assert_int_equal(program_parts_first_world(apart, 5), 2);
	text = program_parts_prelaunched(apart, 5);
	assert_string_equal(text, "2+1+2");
	assert_int_equal(program_parts_at_once(more, 8), 5);
	divided = program_parts_prelaunched(more, 8);
	assert_string_equal(divided, "2+1+2;3,0.1,./d");
}

static void assert_refused(const char *line, int ranks, const char *why)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	g_autofree char *problem = NULL;

	assert_null(program_parts(words, ranks, &problem));
	assert_string_equal(problem, why);
}

static void test_refuses(void **state)
{
	static const char missing[] = "behind ':' the number of ranks is missing; for example: "
				      "./server : -n 3 ./client";

	(void)state;
	assert_refused("./a :", 4, missing);
	assert_refused("./a : ./b", 4, missing);
	assert_refused("./a : -n", 4, missing);
	assert_refused("./a : -n : ./b", 4, missing);
	assert_refused("./a : -n 0 ./b", 4,
	               "behind ':', -n cannot be '0'; use a number of ranks, as -n 3");
	assert_refused("./a : -n 2 -spawned 0 ./b", 3,
	               "behind -spawned, use R.K: they are what rank R spawns with its K-th spawn; "
	               "R is a rank before them");
	assert_refused("./a : -n 2 -spawned 1.1 ./b", 3,
	               "behind -spawned, use R.K: they are what rank R spawns with its K-th spawn; "
	               "R is a rank before them");
	assert_refused("./a : -n 2 -spawned 0.1", 3, "behind -spawned R.K the program is missing");
	assert_refused("./a : -n 1 -spawned 0.1 ./b : -n 1 ./c", 3,
	               "programs with -spawned come last");
	assert_refused("./a : -np x ./b", 4,
	               "behind ':', -np cannot be 'x'; use a number of ranks, as -n 3");
	assert_refused("./a : -n 2", 4, "behind ': -n 2' the program is missing");
	assert_refused("./a : -n 2 : -n 1 ./b", 4, "behind ': -n 2' the program is missing");
	assert_refused(": -n 2 ./b", 4, "there is no program before ':'");
	assert_refused("./a : -n 4 ./b", 4,
	               "4 ranks are not enough: the programs behind ':' have 4, and the first one "
	               "has the rest");
	assert_refused("./a : -n 1 ./b", 1,
	               "1 rank is not enough: the programs behind ':' have 1, and the first one "
	               "has the rest");
	assert_refused("./a : -n 2147483647 ./b", 4, "too many ranks");
}

static void test_behind(void **state)
{
	char *line[] = {"./a", ":", "-n", "2", "./b", ":", "-n", "1", "./a", NULL};
	char *none[] = {NULL}, *problem = NULL;
	g_autoptr(GPtrArray) names = program_parts_names(line);
	g_autoptr(GPtrArray) no_names = program_parts_names(none);

	(void)state;
	assert_int_equal(program_parts_behind(line, &problem), 3);
	assert_int_equal(program_parts_behind(none, &problem), 0);
	assert_null(problem);
	assert_int_equal(names->len, 2);
	assert_string_equal(names->pdata[0], "./a");
	assert_string_equal(names->pdata[1], "./b");
	assert_int_equal(no_names->len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_divides), cmocka_unit_test(test_spawned),
		cmocka_unit_test(test_apart),   cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
