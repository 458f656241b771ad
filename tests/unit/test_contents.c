/* Contents of messages as values of their datatype. room: world */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scheduler/world/contents.h"

enum {
	INT = TYPE_CODE(TYPE_INT, 4),
	DOUBLE = TYPE_CODE(TYPE_DOUBLE, 8),
	FLOAT = TYPE_CODE(TYPE_FLOAT, 4),
	CHAR = TYPE_CODE(TYPE_CHAR, 1),
	BYTE = TYPE_CODE(TYPE_BYTE, 1),
	UNSIGNED = TYPE_CODE(TYPE_UNSIGNED, 4),
	UINT8 = TYPE_CODE(TYPE_UINT8_T, 1),
	INT8 = TYPE_CODE(TYPE_INT8_T, 1),
	BOOL = TYPE_CODE(TYPE_C_BOOL, 1),
	LOGICAL = TYPE_CODE(TYPE_LOGICAL, 4),
	COMPLEX = TYPE_CODE(TYPE_DOUBLE_COMPLEX, 16),
	WIDE = TYPE_CODE(TYPE_WCHAR, 4),
	LONG_DOUBLE = TYPE_CODE(TYPE_LONG_DOUBLE, 16),
	NAMELESS = TYPE_CODE(TYPE_OTHER, 3),
};

/* A message of `bytes` bytes, of which only these are reported. */
static struct contents *make(struct wire_types types, guint64 bytes, const void *data, gsize known)
{
	GString *digits = g_string_new(NULL);
	struct wire_contents told = {.name = {1, 0}, .bytes = bytes, .types = types};
	struct contents *contents;

	for (gsize i = 0; i < known; i++)
		g_string_append_printf(digits, "%02x", ((const guint8 *)data)[i]);
	told.first = digits->str;
	contents = contents_new(&told);
	g_string_free(digits, true);
	return contents;
}

static void expect(struct wire_types types, guint64 bytes, const void *data, gsize known,
                   const char *text)
{
	struct contents *contents = make(types, bytes, data, known);
	g_autofree char *printed = contents_print(contents, 4, 12);

	assert_string_equal(printed, text);
	contents_unref(contents);
}

#define EXPECT(basic, array, text) \
	expect((struct wire_types){basic, 0, NULL}, sizeof(array), array, sizeof(array), text)

static void numbers_are_printed_by_type(void **state)
{
	const int one[] = {-7}, four[] = {1, 2, 3, 4}, five[] = {1, 2, 3, 4, 5};
	const unsigned large[] = {4294967295u};
	const double doubles[] = {0.1, 1e300, -2};
	const float floats[] = {0.1f, 16777216.0f};
	const guint8 small[] = {255, 1};
	const int truth[] = {1, 0};
	const double complex[] = {1, -2.5};
	const wchar_t wide[] = {0xe9, 7};
	const long double longs[] = {0.5L};
	const guint8 huge[255] = {[254] = 0xab};

	(void)state;
	EXPECT(INT, one, "{-7}");
	EXPECT(INT, four, "{1, 2, 3, 4}");
	EXPECT(INT, five, "{1, 2, 3, 4, ...}");
	EXPECT(UNSIGNED, large, "{4294967295}");
	EXPECT(DOUBLE, doubles, "{0.1, 1e+300, -2}");
	EXPECT(FLOAT, floats, "{0.1, 16777216}");
	EXPECT(UINT8, small, "{255, 1}");
	EXPECT(INT8, small, "{-1, 1}");
	EXPECT(BOOL, small, "{true, true}");
	EXPECT(LOGICAL, truth, "{true, false}");
	EXPECT(COMPLEX, complex, "{1 + -2.5i}");
	EXPECT(WIDE, wide, "{'é', 0x00000007}");
	EXPECT(LONG_DOUBLE, longs, "{0.5}");
	EXPECT(NAMELESS, "abcde", "{0x636261, 0x006564}");
	/* No such type exists, but a rank may report one. */
	EXPECT(TYPE_CODE(TYPE_CHAR, 255), huge,
	       "{0xab00000000000000000000000000000000000000000000000000000000000000...}");
}

static void characters_are_text(void **state)
{
	const char filled[16] = "hey";

	(void)state;
	expect((struct wire_types){CHAR, 0, NULL}, 5, "hello", 5, "\"hello\"");
	expect((struct wire_types){CHAR, 0, NULL}, 6, "hello", 6, "\"hello\\0\"");
	EXPECT(CHAR, filled, "\"hey\" and 13 \\0");
	expect((struct wire_types){CHAR, 0, NULL}, 14, "more than that", 14, "\"more than th\"...");
	expect((struct wire_types){CHAR, 0, NULL}, 4, "\"\\\n\x80", 4, "\"\\\"\\\\\\n\\200\"");
	expect((struct wire_types){CHAR, 0, NULL}, 3, "\xe2\x82\xac", 3, "\"€\"");
	expect((struct wire_types){CHAR, 0, NULL}, 3, "\0\0\0", 3, "\"\\0\" and 2 \\0");
}

static void bytes_are_printed_as_text_too(void **state)
{
	(void)state;
	expect((struct wire_types){BYTE, 0, NULL}, 3, "hey", 3, "68 65 79 \"hey\"");
	expect((struct wire_types){0, 0, NULL}, 5, "heyho", 5, "68 65 79 ... \"hey\"...");
	expect((struct wire_types){BYTE, 0, NULL}, 0, "", 0, "");
}

static void structures_are_printed_by_element(void **state)
{
	struct wire_run runs[] = {{INT, 1}, {DOUBLE, 1}};
	struct wire_run named[] = {{CHAR, 4}, {INT, 2}};
	guint8 two[24], one[12];
	int number = 1, pair[] = {5, 6};
	double half = 0.5;

	(void)state;
	memcpy(two, &number, 4);
	memcpy(two + 4, &half, 8);
	memcpy(two + 12, two, 12);
	memcpy(one, "abc", 4);
	memcpy(one + 4, pair, 8);
	expect((struct wire_types){0, 2, runs}, 24, two, 24, "{{1, 0.5}, {1, 0.5}}");
	expect((struct wire_types){0, 2, runs}, 12, two, 12, "{1, 0.5}");
	expect((struct wire_types){0, 2, named}, 12, one, 12, "{\"abc\\0\", 5, 6}");
	/* Cut in the middle of a value, at the end of one, before all. */
	expect((struct wire_types){0, 2, runs}, 24, two, 15, "{{1, 0.5}, {...}, ...}");
	expect((struct wire_types){0, 2, runs}, 24, two, 12, "{{1, 0.5}, ...}");
	expect((struct wire_types){0, 2, runs}, 12000, two, 24, "{{1, 0.5}, {1, 0.5}, ...}");
	expect((struct wire_types){0, 2, runs}, 24, two, 3, "{{...}, ...}");
}

static void lines_contain_all_known_values(void **state)
{
	const int numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	struct contents *contents = make((struct wire_types){INT, 0, NULL}, 400, numbers, 36);
	GString *text = g_string_new(NULL);

	(void)state;
	contents_append_lines(text, contents);
	assert_string_equal(text->str, "     0: 0 1 2 3 4 5 6 7\n     8: 8\n"
	                               "   ... the first 36 of 400 bytes\n");
	contents_unref(contents);
	contents = make((struct wire_types){BYTE, 0, NULL}, 17, "0123456789abcde\n!", 17);
	g_string_truncate(text, 0);
	contents_append_lines(text, contents);
	assert_string_equal(
		text->str,
		"     0: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 0a  0123456789abcde.\n"
		"    16: 21                                               !\n");
	contents_unref(contents);
	g_string_free(text, true);
}

static void impossible_reports_are_refused(void **state)
{
	static char odd[] = "012", letters[] = "0x", long_one[] = "0000000000";
	struct wire_contents told = {.name = {1, 0}, .bytes = 4, .types = {INT, 0, NULL}};

	(void)state;
	told.first = odd;
	assert_null(contents_new(&told));
	told.first = letters;
	assert_null(contents_new(&told));
	told.first = long_one;
	assert_null(contents_new(&told));
}

static void the_oldest_are_forgotten(void **state)
{
	enum { LARGE = 64 << 20, COUNT = 6 };
	g_autofree guint8 *data = g_malloc0(LARGE);
	struct message_contents *all = message_contents_new(), *copy;

	(void)state;
	for (guint32 i = 1; i <= COUNT; i++) {
		struct contents *contents = g_rc_box_new0(struct contents);

		contents->first = g_bytes_new_static(data, LARGE);
		message_contents_add(all, (struct op_id){0, i, 0}, contents);
	}
	copy = message_contents_copy(all);
	assert_null(message_contents_find(all, (struct op_id){0, 1, 0}));
	assert_null(message_contents_find(all, (struct op_id){0, 2, 0}));
	assert_non_null(message_contents_find(all, (struct op_id){0, 3, 0}));
	message_contents_free(all);
	assert_null(message_contents_find(copy, (struct op_id){0, 2, 0}));
	assert_non_null(message_contents_find(copy, (struct op_id){0, COUNT, 0}));
	message_contents_free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_printed_by_type),
		cmocka_unit_test(characters_are_text),
		cmocka_unit_test(bytes_are_printed_as_text_too),
		cmocka_unit_test(structures_are_printed_by_element),
		cmocka_unit_test(lines_contain_all_known_values),
		cmocka_unit_test(impossible_reports_are_refused),
		cmocka_unit_test(the_oldest_are_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
