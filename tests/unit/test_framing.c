/* room: dap. Messages of the Debug Adapter Protocol as bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/dap/framing.h"

static GByteArray *bytes_of(const char *text)
{
	GByteArray *buffer = g_byte_array_new();

	g_byte_array_append(buffer, (const guint8 *)text, (guint)strlen(text));
	return buffer;
}

static void expect_item(GByteArray *buffer, enum framing_item item, const char *expected)
{
	g_autoptr(GString) body = g_string_new("from before");
	const char *problem;

	assert_int_equal(framing_take(buffer, body, &problem), item);
	if (item == FRAMING_BROKEN)
		assert_string_equal(problem, expected);
	else
		assert_string_equal(body->str, expected);
}

static void messages_are_taken_in_order(void **state)
{
	g_autoptr(GByteArray) buffer = bytes_of(
		"Content-Length: 2\r\n\r\n{}Content-Type: x\r\ncontent-length:  3 "
		"\r\n\r\n[1]Content-Length: 0\r\n\r\nContent");

	(void)state;
	expect_item(buffer, FRAMING_MESSAGE, "{}");
	expect_item(buffer, FRAMING_MESSAGE, "[1]");
	expect_item(buffer, FRAMING_MESSAGE, "");
	expect_item(buffer, FRAMING_MORE, "");
	assert_int_equal(buffer->len, strlen("Content"));
}

static void a_message_may_come_in_parts(void **state)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GByteArray) buffer = g_byte_array_new();

	(void)state;
	framing_append(text, "{\"a\":1}", 7);
	for (gsize i = 0; i < text->len; i++) {
		expect_item(buffer, FRAMING_MORE, "");
		g_byte_array_append(buffer, (const guint8 *)text->str + i, 1);
	}
	expect_item(buffer, FRAMING_MESSAGE, "{\"a\":1}");
	assert_int_equal(buffer->len, 0);
}

static void what_is_no_header_is_refused(void **state)
{
	static const struct {
		const char *bytes, *problem;
	} cases[] = {
		{"GET /", "it does not begin with a header"},
		{"{\"seq\":1}", "it does not begin with a header"},
		{"a\r\n\r\n", "it does not begin with a header"},
		{"Content-Length: 3\r\nx\r\n\r\n", "a line of the header has no colon"},
		{"X: 3\r\n\r\n", "the header has no Content-Length"},
		{"Content-Length: 3\r\nContent-Length: 3\r\n\r\n",
	         "the header has Content-Length twice"},
		{"Content-Length: 3x\r\n\r\n", "Content-Length is no number of bytes"},
		{"Content-Length: -3\r\n\r\n", "Content-Length is no number of bytes"},
		{"Content-Length: \r\n\r\n", "Content-Length is no number of bytes"},
		{"Content-Length: 99999999999999999999\r\n\r\n",
	         "Content-Length is no number of bytes"},
		{"Content-Length: 4194305\r\n\r\n", "Content-Length is more than 4 MiB"},
	};

	(void)state;
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GByteArray) buffer = bytes_of(cases[i].bytes);

		expect_item(buffer, FRAMING_BROKEN, cases[i].problem);
	}
}

static void a_header_without_end_is_refused(void **state)
{
	g_autoptr(GByteArray) buffer = bytes_of("X:");
	static const guint8 zero[] = "a:\0\r\n\r\n";

	(void)state;
	while (buffer->len < FRAMING_HEADER_MOST) {
		expect_item(buffer, FRAMING_MORE, "");
		g_byte_array_append(buffer, (const guint8 *)"y", 1);
	}
	expect_item(buffer, FRAMING_BROKEN, "its header does not end within 1024 bytes");
	g_byte_array_set_size(buffer, 0);
	g_byte_array_append(buffer, zero, sizeof zero - 1);
	expect_item(buffer, FRAMING_BROKEN, "the header has a zero byte");
}

static void nesting_is_counted_outside_of_strings(void **state)
{
	g_autofree char *deep = g_strnfill(FRAMING_DEPTH_MOST, '['), *quoted = NULL, *deeper = NULL;

	(void)state;
	assert_true(framing_is_plain(deep));
	deeper = g_strconcat(deep, "{", NULL);
	assert_false(framing_is_plain(deeper));
	quoted = g_strconcat("\"\\\"", deeper, "\"", NULL);
	assert_true(framing_is_plain(quoted));
	assert_true(framing_is_plain("[[]][[]]\"\\"));
	assert_true(framing_is_plain("{\"a\": [-1.5e+3, true]}"));
	/* What only json-glib knows could hide a quote. */
	assert_false(framing_is_plain("/*\"*/[[[["));
	assert_false(framing_is_plain("'\"'[[[["));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_taken_in_order),
		cmocka_unit_test(a_message_may_come_in_parts),
		cmocka_unit_test(what_is_no_header_is_refused),
		cmocka_unit_test(a_header_without_end_is_refused),
		cmocka_unit_test(nesting_is_counted_outside_of_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
