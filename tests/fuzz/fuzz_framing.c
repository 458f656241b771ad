/* Fuzz target: what an editor sends. Whatever comes, taking ends; what was taken and framed again
 * is taken as the same; and JSON that is shallow enough can be parsed. */
#include <json-glib/json-glib.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "scheduler/dap/framing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_back(const GString *body)
{
	g_autoptr(GString) framed = g_string_new(NULL), again = g_string_new(NULL);
	g_autoptr(GByteArray) buffer = g_byte_array_new();
	const char *problem;

	framing_append(framed, body->str, body->len);
	g_byte_array_append(buffer, (const guint8 *)framed->str, (guint)framed->len);
	g_assert_true(framing_take(buffer, again, &problem) == FRAMING_MESSAGE);
	g_assert_true(g_string_equal(body, again));
	g_assert_true(buffer->len == 0);
}

static void parse(const GString *body)
{
	g_autoptr(JsonParser) parser = json_parser_new();

	if (g_utf8_validate(body->str, (gssize)body->len, NULL) && framing_is_plain(body->str))
		json_parser_load_from_data(parser, body->str, (gssize)body->len, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GString) body = g_string_new(NULL);
	g_autoptr(GByteArray) buffer = g_byte_array_new();
	const char *problem;

	g_byte_array_append(buffer, data, (guint)size);
	while (framing_take(buffer, body, &problem) == FRAMING_MESSAGE) {
		take_back(body);
		parse(body);
	}
	return 0;
}
