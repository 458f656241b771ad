#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/position.h"
#include "explorer/rank_name.h"

#define FAMILY                                                                           \
	"./a : -n 2 -spawned 0.1 ./b : -n 3 -spawned 0.2 ./b : -n 2 -spawned 4.1 ./c : " \
	"-n 1 -spawned 0.2 ./d"
#define APART "./s : -n 1 ./s2 : -n 2 -apart ./c : -n 2 -spawned 3.1 ./d"

static void set(const char *line, int ranks)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);

	rank_names_set(words, ranks);
}

static int reset(void **state)
{
	(void)state;
	set("./a", 1);
	return 0;
}

static void assert_names(int ranks, const char *expected)
{
	g_autoptr(GString) told = g_string_new(NULL);

	for (int rank = 0; rank < ranks; rank++)
		g_string_append_printf(told, "%s%s", rank > 0 ? " " : "", rank_name(rank));
	assert_string_equal(told->str, expected);
	for (int rank = 0; rank < ranks; rank++) {
		g_autofree char *call = g_strconcat(rank_name(rank), ".7", NULL);
		const char *end;

		assert_int_equal(rank_of_name(rank_name(rank)), rank);
		assert_int_equal(rank_named(call, &end), rank);
		assert_string_equal(end, ".7");
	}
}

static void test_names(void **state)
{
	(void)state;
	assert_names(3, "0 1 2");
	set("./a : -n 2 ./b", 5);
	assert_false(rank_names_divide());
	assert_names(5, "0 1 2 3 4");
	set(FAMILY, 10);
	assert_true(rank_names_divide());
	assert_names(10, "0 1 0.1:0 0.1:1 0.2:0 0.2:1 0.2:2 0.2:0.1:0 0.2:0.1:1 0.2:3");
	assert_string_equal(rank_name(12), "12");
	assert_string_equal(rank_world(1), "0");
	assert_string_equal(rank_world(8), "0.2:0.1");
	set(APART, 6);
	assert_names(6, "0 1 1:0 1:1 1:1.1:0 1:1.1:1");
	assert_string_equal(rank_names_worlds(rank_names_current()), "2+2+2by3.1");
}

static void test_rows(void **state)
{
	g_autofree char *all = NULL, *one = NULL;
	int first, last;

	(void)state;
	one = rank_names_all(1);
	assert_string_equal(one, "ranks are 0 to 0");
	assert_string_equal(rank_names_row(2, 4), "2-4");
	set(FAMILY, 10);
	assert_int_equal(rank_names_row_end(0, 9), 1);
	assert_int_equal(rank_names_row_end(4, 9), 6);
	assert_int_equal(rank_names_row_end(4, 5), 5);
	assert_string_equal(rank_names_row(4, 6), "0.2:0-2");
	assert_string_equal(rank_names_row(3, 3), "0.1:1");
	all = rank_names_all(4);
	assert_string_equal(all, "ranks are 0 to 1, 0.1:0 to 0.1:1");
	assert_true(rank_names_read("0.2:1-2", 10, &first, &last) && first == 5 && last == 6);
	assert_true(rank_names_read("0.2:0-0.2:1", 10, &first, &last) && first == 4 && last == 5);
	assert_true(rank_names_read("0-1", 10, &first, &last) && first == 0 && last == 1);
	assert_true(rank_names_read("0.1:1", 10, &first, &last) && first == 3 && last == 3);
	assert_false(rank_names_read("0.2:1-7", 10, &first, &last));
	assert_false(rank_names_read("0.2:2-0", 10, &first, &last));
	assert_false(rank_names_read("1-0.1:0", 10, &first, &last));
	assert_false(rank_names_read("0.2:0-", 10, &first, &last));
	assert_false(rank_names_read("10", 10, &first, &last));
	assert_false(rank_names_read("0.9:0", 10, &first, &last));
}

static void assert_no_worlds(const char *text, int ranks)
{
	g_autofree char *problem = NULL;

	assert_null(rank_names_of(text, ranks, &problem));
	assert_non_null(problem);
}

static void test_refuses(void **state)
{
	const char *end;

	(void)state;
	assert_no_worlds("", 3);
	assert_no_worlds("3", 4);
	assert_no_worlds("1+2by1.1", 3); /* no rank before them */
	assert_no_worlds("1+2by0.0", 3);
	assert_no_worlds("1+2by0", 3);
	assert_no_worlds("1+02", 3);
	assert_no_worlds("1+2+", 3);
	assert_no_worlds("1+2,", 3);
	assert_no_worlds("1+0+2", 3);
	assert_no_worlds("99999999999999999999", 3);
	assert_int_equal(rank_named("x", &end), -1);
	assert_int_equal(rank_of_name("01"), -1);
	assert_int_equal(rank_of_name("1x"), -1);
}

/* The text of a position is the same again, whatever the job is that the names are those of. */
static void assert_same(const char *text, const char *expected)
{
	g_autoptr(GError) error = NULL;
	struct position *position = position_parse(text, &error);
	g_autofree char *again = NULL;

	assert_string_equal(error ? error->message : "", "");
	again = position_print(position);
	position_free(position);
	assert_string_equal(again, expected);
}

static void test_paths(void **state)
{
	static const char named[] = "mp1:n3:worlds1+2by0.1:zero:0.3=0.1:1,0.1:0.4/1=0,w1.0.1:1.3=0";
	static const char cut[] = "mp1:n3:worlds1+2by0.1:0.3=0.1:1@0.3,0.1:0.2,0.1:1.5";

	(void)state;
	for (int job = 0; job < 3; job++) {
		assert_same(named, named);
		assert_same(cut, cut);
		assert_same("mp1:n2:0.3=1", "mp1:n2:0.3=1");
		if (job == 0) /* as long as a job of one world is the current one */
			assert_same("mp1:n3:0.3=1", "mp1:n3:0.3=1");
		if (job == 0)
			set("./a : -n 2 -spawned 0.1 ./b", 3);
		else
			set(FAMILY, 10);
	}
	set("./a : -n 2 -spawned 0.1 ./b", 3);
	assert_same("mp1:n3:zero:0.3=2,1.4/1=0,w1.2.3=0", named); /* as it was written once */
	for (const char *const *text =
	             (const char *const[]){
			     "mp1:n3:worlds1+1by0.1:", "mp1:n3:worlds3x:", "mp1:n3:worlds1+2by0.1",
			     "mp1:n3:0.3=0.1:2", "mp1:n3:0.3=0.2:0", NULL};
	     *text; text++)
		assert_null(path_parse(*text, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_names, reset),
		cmocka_unit_test_setup(test_rows, reset),
		cmocka_unit_test_setup(test_refuses, reset),
		cmocka_unit_test_setup(test_paths, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
