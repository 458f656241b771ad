#include "python_value.h"

#include <math.h>
#include <string.h>

#define TEXT_MOST 65536 /* of one value: what is longer ends with "..." */
#define DEPTH_MOST 50   /* of values in values that are told */
#define DIGITS_MOST 16  /* bytes of an integer that is told as a number */

void python_value_unref(gpointer data)
{
	struct python_value *value = data;

	if (!value || --value->references > 0)
		return;
	g_free(value->text);
	if (value->parts)
		g_ptr_array_unref(value->parts);
	g_free(value);
}

struct python_value *python_value_ref(struct python_value *value)
{
	value->references++;
	return value;
}

struct python_value *python_value_new(enum python_kind kind, char *text)
{
	struct python_value *value = g_new0(struct python_value, 1);

	*value = (struct python_value){.references = 1, .kind = kind, .text = text};
	if (kind != PYTHON_TEXT)
		value->parts = g_ptr_array_new_with_free_func(python_value_unref);
	return value;
}

static void append_value(GString *text, struct python_value *value, guint depth, gsize most);

static void append_parts(GString *text, const struct python_value *value, guint depth, gsize most)
{
	for (guint i = 0; i < value->parts->len && text->len <= most; i++) {
		if (i > 0)
			g_string_append(text, value->kind == PYTHON_DICT && i % 2 ? ": " : ", ");
		append_value(text, value->parts->pdata[i], depth + 1, most);
	}
}

static void append_value(GString *text, struct python_value *value, guint depth, gsize most)
{
	static const char *const ends[][2] = {
		[PYTHON_LIST] = {"[", "]"}, [PYTHON_TUPLE] = {"(", ")"},
		[PYTHON_SET] = {"{", "}"},  [PYTHON_FROZENSET] = {"frozenset({", "})"},
		[PYTHON_DICT] = {"{", "}"}, [PYTHON_CALL] = {"(", ")"}};

	if (value->text)
		g_string_append(text, value->text);
	if (value->kind == PYTHON_TEXT)
		return;
	if (value->printing || depth > DEPTH_MOST) {
		g_string_append(text, "...");
		return;
	}
	if (value->kind == PYTHON_SET && value->parts->len == 0) {
		g_string_append(text, "set()");
		return;
	}
	value->printing = true;
	g_string_append(text, ends[value->kind][0]);
	append_parts(text, value, depth, most);
	if (value->kind == PYTHON_TUPLE && value->parts->len == 1)
		g_string_append_c(text, ',');
	g_string_append(text, ends[value->kind][1]);
	value->printing = false;
}

void python_value_append(GString *text, struct python_value *value, gsize most)
{
	append_value(text, value, 0, most);
}

/* 'it''s' as Python quotes it. */
char *python_quote(const char *before, const guint8 *bytes, gsize length, bool is_text)
{
	GString *text = g_string_new(before);
	gsize most = MIN(length, TEXT_MOST);

	g_string_append_c(text, '\'');
	for (gsize i = 0; i < most; i++) {
		if (bytes[i] == '\'' || bytes[i] == '\\')
			g_string_append_printf(text, "\\%c", bytes[i]);
		else if (bytes[i] == '\n')
			g_string_append(text, "\\n");
		else if (g_ascii_isprint(bytes[i]) || (is_text && bytes[i] >= 0x80))
			g_string_append_c(text, (char)bytes[i]);
		else
			g_string_append_printf(text, "\\x%02x", bytes[i]);
	}
	g_string_append(text, most < length ? "'..." : "'");
	return g_string_free(text, false);
}

char *python_integer(const guint8 *bytes, gsize length)
{
	gint64 number = length > 0 && bytes[length - 1] >= 0x80 ? -1 : 0;
	GString *text = g_string_new(NULL);

	for (gsize i = length; i > 0; i--) {
		number = (gint64)((guint64)number << 8 | bytes[i - 1]);
		if (length > sizeof(number) && length - i < DIGITS_MOST)
			g_string_append_printf(text, i == length ? "0x%02x" : "%02x", bytes[i - 1]);
	}
	if (length <= sizeof(number))
		g_string_append_printf(text, "%" G_GINT64_FORMAT, number);
	else if (length > DIGITS_MOST)
		g_string_append(text, "...");
	return g_string_free(text, false);
}

char *python_double(double number)
{
	char digits[G_ASCII_DTOSTR_BUF_SIZE];

	for (int precision = 15; precision <= 17; precision++) { /* the shortest that is it */
		char format[8];

		g_snprintf(format, sizeof(format), "%%.%dg", precision);
		g_ascii_formatd(digits, sizeof(digits), format, number);
		if (g_ascii_strtod(digits, NULL) == number)
			break;
	}
	return g_strconcat(digits, isfinite(number) && !strpbrk(digits, ".e") ? ".0" : "", NULL);
}
