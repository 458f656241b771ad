/* gdb's machine interface. room: debug */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/debug/gdb.h"
#include "scheduler/gdb/mi.h"

static void expect_literal(const char *text, const char *expected)
{
	g_autofree char *read = gdb_read_literal(text);

	if (expected)
		assert_string_equal(read, expected);
	else
		assert_null(read);
}

static void literals_are_read(void **state)
{
	(void)state;
	expect_literal("\"$1 = 3\\n\"", "$1 = 3\n");
	expect_literal("\"a \\\"b\\\" \\\\ \\303\\251\",more", "a \"b\" \\ é");
	expect_literal("\"\"", "");
	expect_literal("\"never ends", NULL);
	expect_literal("\"never ends\\", NULL);
	expect_literal("\"never ends\\\"", NULL);
	expect_literal("plain", NULL);
	expect_literal("", NULL);
}

static void a_written_literal_is_read_back(void **state)
{
	static const char *const texts[] = {"",        "print a[1]", "print \"x\"",
	                                    "p '\\n'", "\\",         "\"\""};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *literal = mi_quote(texts[i]);

		expect_literal(literal, texts[i]);
	}
}

/* A line is one command, whatever it contains. */
static void a_newline_ends_no_command(void **state)
{
	g_autofree char *literal = mi_quote("1\n-gdb-exit");

	(void)state;
	assert_string_equal(literal, "\"1 -gdb-exit\"");
}

static void the_frame_is_found_by_its_address(void **state)
{
	static const char answer[] =
		"^done,stack=[frame={level=\"0\",addr=\"0x00007ffff0000010\",func=\"recv\"},"
		"frame={level=\"1\",addr=\"0x0000000000401136\",func=\"main\"},"
		"frame={level=\"12\",addr=\"0x1\"}]";

	(void)state;
	assert_int_equal(gdb_find_frame(answer, 0x401136), 1);
	assert_int_equal(gdb_find_frame(answer, 1), 12);
	assert_int_equal(gdb_find_frame(answer, 2), -1);
	assert_int_equal(gdb_find_frame("^done,stack=[]", 0), -1);
	assert_int_equal(gdb_find_frame("level=\"3\"", 0), -1);
}

/* After the signal, in the program: not where the C library raises it. */
static void the_frame_of_a_crash_is_found_by_its_place(void **state)
{
	static const char answer[] =
		"^done,stack=[frame={level=\"0\",addr=\"0x10\",func=\"a\",fullname=\"/s/"
		"a.c\",line=\"7\"},"
		"frame={level=\"1\",addr=\"0x20\",func=\"<signal handler called>\"},"
		"frame={level=\"2\",addr=\"0x30\",func=\"raise\",from=\"/lib/libc.so.6\"},"
		"frame={level=\"3\",addr=\"0x40\",func=\"b\",fullname=\"/s/a.c\",line=\"70\"},"
		"frame={level=\"4\",addr=\"0x50\",func=\"c\",fullname=\"/s/a.c\",line=\"7\"}]";

	(void)state;
	assert_int_equal(gdb_find_interrupted(answer, "a.c", 7), 4);
	assert_int_equal(gdb_find_interrupted(answer, "a.c", 70), 3);
	assert_int_equal(gdb_find_interrupted(answer, "s/b.c", 7), -1);
	assert_int_equal(gdb_find_interrupted(answer, NULL, 0), 2);
	assert_int_equal(gdb_find_interrupted("^done,stack=[frame={level=\"0\"}]", NULL, 0), -1);
}

static void libraries_on_the_stack_are_read(void **state)
{
	static const char maps[] = "1000-2000 r-xp 0 00:00 1 /usr/lib/libc.so.6\n"
				   "2000-3000 r--p 0 00:00 1 /usr/lib/libc.so.6\n"
				   "3000-4000 r-xp 0 00:00 2 /usr/lib/libmpich.so.12\n"
				   "5000-6000 r-xp 0 00:00 3 /home/me/lib solver+.so\n"
				   "7000-8000 rw-p 0 00:00 0\n";
	g_autoptr(GPtrArray) there = gdb_libraries(maps, 0x5fff);
	g_autoptr(GPtrArray) elsewhere = gdb_libraries(maps, 0x6000);

	(void)state;
	assert_int_equal(there->len, 2);
	assert_string_equal(there->pdata[0], "libc.so");
	assert_string_equal(there->pdata[1], "lib.solver..so");
	assert_int_equal(elsewhere->len, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries_on_the_stack_are_read),
		cmocka_unit_test(literals_are_read),
		cmocka_unit_test(a_written_literal_is_read_back),
		cmocka_unit_test(a_newline_ends_no_command),
		cmocka_unit_test(the_frame_is_found_by_its_address),
		cmocka_unit_test(the_frame_of_a_crash_is_found_by_its_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
