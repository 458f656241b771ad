#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explorer/path.h"

static void assert_round_trip(const char *text)
{
	GError *error = NULL;
	struct path *path = path_parse(text, &error);
	char *printed;

	assert_null(error);
	assert_non_null(path);
	printed = path_print(path);
	assert_string_equal(printed, text);
	g_free(printed);
	path_free(path);
}

static void test_round_trip(void **state)
{
	(void)state;
	assert_round_trip("mp1:n4:");
	assert_round_trip("mp1:n4:0.3=1,2.5/1=3");
	assert_round_trip("mp1:n4:zero:0.3=1");
	assert_round_trip("mp1:n1:infinite:sync:");
	assert_round_trip("mp1:n4:sync:0.3=1,0.3/1=2");
	assert_round_trip("mp1:n4:zero:async:0.3=1");
	assert_round_trip("mp1:n4:per-send:per-call:0.2=late,0.3=early");
	assert_round_trip("mp1:n4:w1.0.3=2,w7.3r1.1=0,w1@2.3.1=3");
	assert_round_trip("mp1:n4:w1.0+8.3=2,w1.0+0.1=1,w1@2.3+4r1.1=3");
	assert_round_trip("mp1:n4:per-send:0.2=late,0.3=early,1.4=no,1.5=yes");
	assert_round_trip("mp1:n4:0.3=#1,0.4=#0+2,1.2=cancelled,2.2=1");
	assert_round_trip("mp1:n4:0.3/turn=#1,0.4=1");
	assert_round_trip("mp1:n4:nodes2:");
	assert_round_trip("mp1:n4:nodes3+1:zero:sync:0.3=1");
	assert_round_trip("mp1:n2147483647:2147483646.4294967295/4294967294=0");
}

static void test_meaning(void **state)
{
	struct path *path = path_parse("mp1:n4:zero:sync:0.3=1,2.5/1=3", NULL);
	const struct choice *choice;

	(void)state;
	assert_int_equal(path->ranks, 4);
	assert_int_equal(path->buffering, BUFFERING_ZERO);
	assert_int_equal(path->collectives, COLLECTIVES_SYNC);
	assert_int_equal(path->choices->len, 2);
	choice = &g_array_index(path->choices, struct choice, 1);
	assert_true(op_id_equal(point_operation(&choice->point, 4), (struct op_id){2, 5, 1}));
	assert_true(op_id_equal(choice->taken.send, (struct op_id){3, 0, 0}));
	path_free(path);
}

static void test_collectives(void **state)
{
	enum collective_mode mode;

	(void)state;
	assert_true(collective_mode_from_word("both", &mode));
	assert_int_equal(collective_mode_under(mode, BUFFERING_ZERO), COLLECTIVES_SYNC);
	assert_int_equal(collective_mode_under(mode, BUFFERING_INFINITE), COLLECTIVES_ASYNC);
	assert_true(collective_mode_from_word("per-call", &mode));
	assert_int_equal(collective_mode_under(mode, BUFFERING_ZERO), COLLECTIVES_PER_CALL);
	assert_string_equal(collective_mode_word(mode), "per-call");
	assert_false(collective_mode_from_word("zero", &mode));
}

static void assert_refused(const char *text, const char *message)
{
	GError *error = NULL;

	assert_null(path_parse(text, &error));
	assert_true(g_error_matches(error, PATH_ERROR, PATH_ERROR_SYNTAX));
	assert_string_equal(error->message, message);
	g_error_free(error);
}

static void test_refused(void **state)
{
	(void)state;
	assert_refused("", "not a path: column 1: 'mp1:' expected");
	assert_refused("mp1:4:", "not a path: column 5: 'n' and the number of ranks expected");
	assert_refused("mp1:n0:", "not a path: column 6: the number of ranks must be from 1 to "
	                          "2147483647");
	assert_refused("mp1:n4:nodes2", "not a path: column 14: ':' expected");
	assert_refused("mp1:n4:nodes:", "not a path: column 13: it is empty");
	assert_refused("mp1:n4:nodes1:",
	               "not a path: column 13: one node is not written in a path");
	assert_refused("mp1:n4:nodes2+2:", "not a path: column 13: this is written nodes2");
	assert_refused("mp1:n4:nodes3+2:", "not a path: column 13: 3+2 are 5 ranks, not 4");
	assert_refused("mp1:n4:zero:nodes2:", "not a path: column 13: the receiver's rank "
	                                      "expected, without leading zeros");
	assert_refused("mp1:n04:", "not a path: column 6: the number of ranks expected, without "
	                           "leading zeros");
	assert_refused("mp1:n4", "not a path: column 7: ':' expected");
	assert_refused("mp1:n4:zero", "not a path: column 8: the receiver's rank expected, without "
	                              "leading zeros");
	assert_refused("mp1:n4:0.3", "not a path: column 11: '=' expected");
	assert_refused("mp1:n4:03=1", "not a path: column 8: the receiver's rank expected, without "
	                              "leading zeros");
	assert_refused("mp1:n4:0=1", "not a path: column 9: '.' expected");
	assert_refused("mp1:n4:4.3=1",
	               "not a path: column 8: the receiver's rank must be from 0 to 3");
	assert_refused("mp1:n4:0.3=4",
	               "not a path: column 12: the sender's rank must be from 0 to 3");
	assert_refused("mp1:n4:0.0=1",
	               "not a path: column 10: the number of the receiver's call must "
	               "be from 1 to 4294967295");
	assert_refused("mp1:n4:0.3/0=1",
	               "not a path: column 12: a part of the call must be from 1 to "
	               "4294967294");
	assert_refused("mp1:n4:0.99999999999999999999=1",
	               "not a path: column 10: the number of the receiver's call must be from 1 to "
	               "4294967295");
	assert_refused("mp1:n4:0.3=1,",
	               "not a path: column 14: the receiver's rank expected, without "
	               "leading zeros");
	assert_refused("mp1:n4:0.3=1;", "not a path: column 13: ',' or the end expected");
	assert_refused("mp1:n4:0.3=1,0.3=2",
	               "not a path: column 14: a second choice for the same point");
	assert_refused("mp1:n4:infinite:zero:",
	               "not a path: column 17: the receiver's rank expected, "
	               "without leading zeros");
	assert_refused(
		"mp1:n4:w0.0.1=0",
		"not a path: column 9: the number of the window must be from 1 to 2147483647");
	assert_refused("mp1:n4:w1@0.0.1=0",
	               "not a path: column 11: the lowest rank of the window must be from 1 to 3");
	assert_refused("mp1:n4:w1.0+6.1=0", "not a path: column 14: a multiple of 4 expected");
	assert_refused("mp1:n4:w1.4.1=0",
	               "not a path: column 11: the target's rank must be from 0 to 3");
	assert_refused("mp1:n4:w1.0r4.1=0",
	               "not a path: column 13: the rank of a shared lock must be from 0 to 3");
	assert_refused("mp1:n4:w2147483647.0.1=0",
	               "not a path: column 21: there is no window with this number");
}

static void test_version(void **state)
{
	GError *error = NULL;

	(void)state;
	assert_null(path_parse("mp2:n4:0.3=1", &error));
	assert_true(g_error_matches(error, PATH_ERROR, PATH_ERROR_VERSION));
	assert_string_equal(error->message,
	                    "a path of another version (mp2): this matchpoint reads mp1");
	g_error_free(error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_meaning),
		cmocka_unit_test(test_collectives), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
