/* room: backwards. Packets of gdb's remote protocol. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/backwards/rsp.h"

static void expect_item(GByteArray *buffer, enum rsp_item item, const char *expected)
{
	g_autoptr(GString) data = g_string_new("from before");

	assert_int_equal(rsp_take(buffer, data), item);
	assert_string_equal(data->str, expected);
}

static GByteArray *bytes_of(const char *text)
{
	GByteArray *buffer = g_byte_array_new();

	g_byte_array_append(buffer, (const guint8 *)text, (guint)strlen(text));
	return buffer;
}

static void packets_are_taken_in_order(void **state)
{
	g_autoptr(GByteArray) buffer = bytes_of("+$OK#9a+-noise$#00\003$m1,2#fb");

	(void)state;
	expect_item(buffer, RSP_PACKET, "OK");
	expect_item(buffer, RSP_PACKET, "");
	expect_item(buffer, RSP_INTERRUPT, "");
	expect_item(buffer, RSP_DAMAGED, "");
	expect_item(buffer, RSP_MORE, "");
	assert_int_equal(buffer->len, 0);
}

static void a_packet_may_come_in_parts(void **state)
{
	static const char text[] = "$OK#9a";
	g_autoptr(GByteArray) buffer = g_byte_array_new();

	(void)state;
	for (guint i = 0; i + 2 < sizeof text; i++) {
		g_byte_array_append(buffer, (const guint8 *)&text[i], 1);
		expect_item(buffer, RSP_MORE, "");
	}
	g_byte_array_append(buffer, (const guint8 *)"a", 1);
	expect_item(buffer, RSP_PACKET, "OK");
}

static void runs_and_escapes_are_resolved(void **state)
{
	g_autoptr(GByteArray) runs = bytes_of("$0* #7a");
	g_autoptr(GByteArray) escape = bytes_of("$}\003#80");

	(void)state;
	expect_item(runs, RSP_PACKET, "0000"); /* a blank stands for three more */
	expect_item(escape, RSP_PACKET, "#");
}

static void a_packet_without_end_is_too_long(void **state)
{
	g_autoptr(GByteArray) buffer = g_byte_array_new();
	g_autoptr(GString) data = g_string_new(NULL);

	(void)state;
	g_byte_array_set_size(buffer, RSP_LARGEST + 1);
	memset(buffer->data, 'x', buffer->len);
	buffer->data[0] = '$';
	assert_int_equal(rsp_take(buffer, data), RSP_TOO_LONG);
}

static void what_is_framed_is_taken_back(void **state)
{
	char all[256];
	g_autoptr(GString) framed = g_string_new(NULL), data = g_string_new(NULL);
	g_autoptr(GByteArray) buffer = g_byte_array_new();

	(void)state;
	for (guint i = 0; i < sizeof all; i++)
		all[i] = (char)i;
	rsp_frame(framed, all, sizeof all);
	g_byte_array_append(buffer, (const guint8 *)framed->str, (guint)framed->len);
	assert_int_equal(rsp_take(buffer, data), RSP_PACKET);
	assert_int_equal(data->len, sizeof all);
	assert_memory_equal(data->str, all, sizeof all);
}

static void numbers_are_read(void **state)
{
	const char *text = "7fffdead0,8", *none = "x", *many = "11223344556677889";
	guint64 value;

	(void)state;
	assert_true(rsp_read_hex(&text, &value));
	assert_int_equal(value, 0x7fffdead0);
	assert_string_equal(text, ",8");
	assert_false(rsp_read_hex(&none, &value));
	assert_false(rsp_read_hex(&many, &value));
}

static void bytes_are_written_and_read(void **state)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	(void)state;
	rsp_append_hex(text, "\x01\xab", 2);
	assert_string_equal(text->str, "01ab");
	g_string_append(text, ",ff");
	rsp_append_bytes(bytes, text->str);
	assert_int_equal(bytes->len, 2);
	assert_memory_equal(bytes->data, "\x01\xab", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_are_taken_in_order),
		cmocka_unit_test(a_packet_may_come_in_parts),
		cmocka_unit_test(runs_and_escapes_are_resolved),
		cmocka_unit_test(a_packet_without_end_is_too_long),
		cmocka_unit_test(what_is_framed_is_taken_back),
		cmocka_unit_test(numbers_are_read),
		cmocka_unit_test(bytes_are_written_and_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
