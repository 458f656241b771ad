/* room: gdb. Lines of gdb's machine interface. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/gdb/fields.h"
#include "scheduler/gdb/mi.h"

static struct mi_record parsed(const char *line)
{
	struct mi_record record;

	assert_true(mi_parse(line, &record));
	return record;
}

static void expect_stream(const char *line, enum mi_kind kind, const char *text)
{
	struct mi_record record = parsed(line);

	assert_int_equal(record.kind, kind);
	assert_string_equal(record.text, text);
	assert_null(record.results);
	mi_record_clear(&record);
}

static void a_stop_is_read(void **state)
{
	struct mi_record record = parsed(
		"*stopped,reason=\"watchpoint-trigger\",wpt={number=\"2\",exp=\"a[\\\"x\\\"]"
		"\"},frame={args=[{name=\"at\",value=\"8\"},{name=\"b\",value=\"\"}],line="
		"\"23\"},groups=[],none={}");
	JsonObject *frame = field_object(record.results, "frame");
	JsonArray *arguments = field_array(frame, "args");

	(void)state;
	assert_int_equal(record.kind, MI_EXEC);
	assert_int_equal(record.token, -1);
	assert_string_equal(record.text, "stopped");
	assert_string_equal(field_text(field_object(record.results, "wpt"), "exp"), "a[\"x\"]");
	assert_int_equal(field_number(frame, "line", -1), 23);
	assert_int_equal(array_length(arguments), 2);
	assert_string_equal(field_text(array_object(arguments, 0), "value"), "8");
	assert_string_equal(field_text(array_object(arguments, 1), "value"), "");
	assert_int_equal(array_length(field_array(record.results, "groups")), 0);
	assert_non_null(field_object(record.results, "none"));
	mi_record_clear(&record);
}

static void lists_lose_the_names_of_their_results(void **state)
{
	struct mi_record record = parsed(
		"17^done,stack=[frame={level=\"0\"},frame={level=\"1\"}],n=[\"a\",\"b\"]");

	(void)state;
	assert_int_equal(record.kind, MI_RESULT);
	assert_int_equal(record.token, 17);
	assert_string_equal(record.text, "done");
	assert_int_equal(
		field_number(array_object(field_array(record.results, "stack"), 1), "level", -1),
		1);
	assert_string_equal(array_text(field_array(record.results, "n"), 1), "b");
	mi_record_clear(&record);
	record = parsed("^done,a=\"first\",a=\"second\"");
	assert_string_equal(field_text(record.results, "a"), "first");
	mi_record_clear(&record);
}

static void streams_are_unescaped(void **state)
{
	(void)state;
	expect_stream("~\"a\\tb\\n\\\\ \\\"\\303\\244\\\"\"", MI_CONSOLE, "a\tb\n\\ \"\303\244\"");
	expect_stream("@\"\"", MI_TARGET, "");
	expect_stream("&\"\\e[0m\\?\"", MI_LOG, "\033[0m?");
	/* No text that is shown has zero bytes, or bytes that are no UTF-8. */
	expect_stream("~\"a\\000b\"", MI_CONSOLE, "a\357\277\275b");
	expect_stream("~\"\\377\"", MI_CONSOLE, "\357\277\275");
}

static void prompts_are_known(void **state)
{
	struct mi_record record;

	(void)state;
	assert_int_equal(parsed("(gdb) ").kind, MI_PROMPT);
	assert_int_equal(parsed("(gdb)").kind, MI_PROMPT);
	assert_false(mi_parse("(gdb) x", &record));
}

static void what_is_no_record_is_refused(void **state)
{
	static const char *const lines[] = {
		"",
		"what a program prints",
		"17",
		"~",
		"~\"",
		"~\"a\\",
		"~\"a\"b",
		"^",
		"^,a=\"1\"",
		"^done,",
		"^done,a",
		"^done,a=",
		"^done,a={",
		"^done,a={b=\"1\"",
		"^done,a={b=\"1\"c=\"2\"}",
		"^done,a={b=\"1\",}",
		"^done,a={\"1\"}",
		"^done,a=[\"1\"\"2\"]",
		"^done,a=[",
		"^done,a=\"1\"b",
		"99999999999999999999^done",
	};

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
		struct mi_record record;

		if (mi_parse(lines[i], &record))
			fail_msg("accepted: %s", lines[i]);
		assert_null(record.text);
		assert_null(record.results);
	}
}

static void nesting_is_bounded(void **state)
{
	g_autofree char *open = g_strnfill(MI_DEPTH_MOST + 1, '[');
	g_autofree char *close = g_strnfill(MI_DEPTH_MOST + 1, ']');
	g_autofree char *deep = g_strconcat("^done,a=", open + 2, close + 2, NULL);
	g_autofree char *deeper = g_strconcat("^done,a=", open, close, NULL);
	struct mi_record record = parsed(deep);

	(void)state;
	mi_record_clear(&record);
	assert_false(mi_parse(deeper, &record));
}

static void quoted_text_is_one_line(void **state)
{
	g_autofree char *quoted = mi_quote("a \"b\\c\"\n-exec-run");
	g_autofree char *line = g_strconcat("~", quoted, NULL);

	(void)state;
	assert_string_equal(quoted, "\"a \\\"b\\\\c\\\" -exec-run\"");
	expect_stream(line, MI_CONSOLE, "a \"b\\c\" -exec-run");
}

static void fields_of_another_type_read_as_missing(void **state)
{
	g_autoptr(JsonNode) node = json_from_string(
		"{\"t\":\"x\",\"n\":7,\"f\":true,\"z\":null,\"a\":[1,\"b\"],\"o\":"
		"{},\"d\":1.5,\"s\":\"12\"}",
		NULL);
	JsonObject *object = json_node_get_object(node);

	(void)state;
	assert_string_equal(field_text(object, "t"), "x");
	assert_null(field_text(object, "n"));
	assert_null(field_text(object, "z"));
	assert_null(field_text(NULL, "t"));
	assert_int_equal(field_number(object, "n", -1), 7);
	assert_int_equal(field_number(object, "s", -1), 12);
	assert_int_equal(field_number(object, "t", -1), -1);
	assert_int_equal(field_number(object, "d", -1), -1);
	assert_int_equal(field_number(object, "o", -1), -1);
	assert_true(field_flag(object, "f", false));
	assert_true(field_flag(object, "n", true));
	assert_null(field_object(object, "a"));
	assert_null(field_array(object, "o"));
	assert_null(array_text(field_array(object, "a"), 0));
	assert_string_equal(array_text(field_array(object, "a"), 1), "b");
	assert_null(array_text(field_array(object, "a"), 2));
	assert_null(array_object(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stop_is_read),
		cmocka_unit_test(lists_lose_the_names_of_their_results),
		cmocka_unit_test(streams_are_unescaped),
		cmocka_unit_test(prompts_are_known),
		cmocka_unit_test(what_is_no_record_is_refused),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(quoted_text_is_one_line),
		cmocka_unit_test(fields_of_another_type_read_as_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
