/* What pickles say. room: debug */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/debug/pickle.h"

#define SAYS(bytes, expected) says((const guint8 *)(bytes), sizeof(bytes) - 1, expected)

static void says(const guint8 *bytes, gsize length, const char *expected)
{
	g_autofree char *text = pickle_print(bytes, length, 1000);

	if (expected)
		assert_string_equal(text ? text : "(no pickle)", expected);
	else
		assert_null(text);
}

/* Made by Python 3.11: pickle.dumps(value, protocol). */
static void what_python_writes_is_read(void **state)
{
	(void)state;
	SAYS("\x80\x05N.", "None");
	SAYS("\x80\x04\x95\x17\0\0\0\0\0\0\0}\x94(\x8c\x04step\x94K\x03\x8c\x01x\x94G?"
	     "\xe0\0\0\0\0\0\0u.",
	     "{'step': 3, 'x': 0.5}");
	SAYS("\x80\x05\x95\x0d\0\0\0\0\0\0\0]\x94(K\x01J\xfe\xff\xff\xff\x88\x89"
	     "e.",
	     "[1, -2, True, False]");
	SAYS("(lp0\nI1\naI2\na.", "[1, 2]");       /* protocol 0 */
	SAYS("\x80\x02X\x02\0\0\0hiq\0.", "'hi'"); /* 2 */
	SAYS("\x80\x03"
	     "C\x03"
	     "a\x00'q\0.",
	     "b'a\\x00\\''"); /* 3 */
	SAYS("\x80\x05K\x01\x85\x94.", "(1,)");
	SAYS("\x80\x05)\x94.", "()");
	SAYS("\x80\x05\x8f\x94(K\x01K\x02\x90.", "{1, 2}");
	SAYS("\x80\x05\x8a\x09\0\0\0\0\0\0\0\0\x01.", "0x010000000000000000");
	SAYS("\x80\x05\x8a\x02\x00\x80.", "-32768");
}

/* os.system("rm"), as an attacker writes it: told, not done. */
static void nothing_is_carried_out(void **state)
{
	(void)state;
	SAYS("cos\nsystem\n(S'rm'\ntR.", "os.system('rm')");
	SAYS("\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02rm\x94\x85\x94R\x94.",
	     "posix.system('rm')");
}

static void what_is_none_is_refused(void **state)
{
	(void)state;
	SAYS("", NULL);
	SAYS(".", NULL);
	SAYS("..", NULL);
	SAYS("\x80\x05N", NULL);
	SAYS("\x80\x05N.N.", NULL); /* more behind it */
	SAYS("\x80\x09N.", NULL);   /* no such protocol */
	SAYS("\x80\x05K\x01K\x02.", NULL);
	SAYS("\x80\x05"
	     "e.",
	     NULL);
	SAYS("\x80\x05"
	     "a.",
	     NULL);
	SAYS("\x80\x05(.", NULL);
	SAYS("\x80\x05(a.", NULL);
	SAYS("\x80\x05h\x07.", NULL);
	SAYS("\x80\x05K\x01K\x02"
	     "a.",
	     NULL); /* a number is no list */
	SAYS("\x80\x05\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", NULL);
	SAYS("\x80\x05(K\x01(K\x02"
	     "e.",
	     NULL);
}

/* In itself; very deep; the same many times over. */
static void what_has_no_end_ends(void **state)
{
	GString *deep = g_string_new("\x80\x05"), *wide = g_string_new("\x80\x05(]\x94");
	g_autofree char *text = NULL, *much = NULL;

	(void)state;
	SAYS("\x80\x05]\x94h\0a.", "[...]");
	for (int i = 0; i < 20000; i++)
		g_string_append_c(deep, ']');
	for (int i = 0; i < 19999; i++)
		g_string_append_c(deep, 'a');
	g_string_append_c(deep, '.');
	text = pickle_print((const guint8 *)deep->str, deep->len, 1000);
	assert_non_null(strstr(text, "..."));
	for (int i = 1; i < 60; i++) { /* 2 to the power of 60 lists */
		g_string_append(wide, "]\x94(");
		for (int twice = 0; twice < 2; twice++) {
			g_string_append_c(wide, 'h');
			g_string_append_c(wide, (char)(i - 1));
		}
		g_string_append_c(wide, 'e');
	}
	g_string_append(wide, "t.");
	much = pickle_print((const guint8 *)wide->str, wide->len, 1000);
	assert_true(strlen(much) < 1100);
	g_string_free(deep, true);
	g_string_free(wide, true);
}

static void garbage_does_no_harm(void **state)
{
	static const char codes[] =
		"(.0122FINJKMLRSTUVXabcdegrhijlqopstu})]\x80\x81\x85\x86\x87\x88"
		"\x8a\x8c\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98";
	GRand *random = g_rand_new_with_seed(1);

	(void)state;
	for (int round = 0; round < 20000; round++) {
		guint8 bytes[64];
		guint length = (guint)g_rand_int_range(random, 1, sizeof(bytes));
		g_autofree char *text = NULL;

		for (guint i = 0; i < length; i++)
			bytes[i] = g_rand_int_range(random, 0, 4) == 0
			                   ? (guint8)g_rand_int_range(random, 0, 4)
			                   : (guint8)codes[g_rand_int_range(random, 0,
			                                                    sizeof(codes) - 1)];
		bytes[length - 1] = '.';
		text = pickle_print(bytes, length, 100);
	}
	g_rand_free(random);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_python_writes_is_read),
		cmocka_unit_test(nothing_is_carried_out),
		cmocka_unit_test(what_is_none_is_refused),
		cmocka_unit_test(what_has_no_end_ends),
		cmocka_unit_test(garbage_does_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
