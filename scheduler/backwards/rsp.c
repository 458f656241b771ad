#include "rsp.h"

#include <string.h>

/* The data between $ and #, with escapes ("}" and the byte XOR 0x20) and runs ("x*n": n - 29 times
 * x more) resolved. */
static void decode(const guint8 *raw, gsize length, GString *ret_data)
{
	for (gsize i = 0; i < length; i++) {
		if (raw[i] == '}' && i + 1 < length) {
			g_string_append_c(ret_data, (char)(raw[++i] ^ 0x20));
		} else if (raw[i] == '*' && i + 1 < length && raw[i + 1] >= 29
		           && ret_data->len > 0) {
			char last = ret_data->str[ret_data->len - 1];

			for (int n = raw[++i] - 29; n > 0; n--)
				g_string_append_c(ret_data, last);
		} else {
			g_string_append_c(ret_data, (char)raw[i]);
		}
	}
}

enum rsp_item rsp_take(GByteArray *buffer, GString *ret_data)
{
	const guint8 *end;
	guint start = 0, length;
	guint8 sum = 0;
	enum rsp_item item;

	g_string_truncate(ret_data, 0);
	while (start < buffer->len && buffer->data[start] != '$' && buffer->data[start] != 3)
		start++;
	if (start > 0)
		g_byte_array_remove_range(buffer, 0, start);
	if (buffer->len == 0)
		return RSP_MORE;
	if (buffer->data[0] == 3) {
		g_byte_array_remove_index(buffer, 0);
		return RSP_INTERRUPT;
	}
	end = memchr(buffer->data, '#', buffer->len);
	if (!end || end + 2 >= buffer->data + buffer->len)
		return buffer->len > RSP_LARGEST ? RSP_TOO_LONG : RSP_MORE;
	length = (guint)(end - buffer->data);
	for (guint i = 1; i < length; i++)
		sum = (guint8)(sum + buffer->data[i]);
	if (sum == g_ascii_xdigit_value((char)end[1]) * 16 + g_ascii_xdigit_value((char)end[2])) {
		decode(buffer->data + 1, length - 1, ret_data);
		item = RSP_PACKET;
	} else {
		item = RSP_DAMAGED;
	}
	g_byte_array_remove_range(buffer, 0, length + 3);
	return item;
}

void rsp_frame(GString *out, const char *data, gsize length)
{
	guint8 sum = 0;
	gsize begin;

	g_string_append_c(out, '$');
	begin = out->len;
	for (gsize i = 0; i < length; i++) {
		if (memchr("#$}*", data[i], 4)) {
			g_string_append_c(out, '}');
			g_string_append_c(out, (char)(data[i] ^ 0x20));
		} else {
			g_string_append_c(out, data[i]);
		}
	}
	for (gsize i = begin; i < out->len; i++)
		sum = (guint8)(sum + (guint8)out->str[i]);
	g_string_append_printf(out, "#%02x", sum);
}

bool rsp_read_hex(const char **text, guint64 *ret_value)
{
	int digits = 0;

	*ret_value = 0;
	for (; g_ascii_isxdigit(**text); ++*text, digits++)
		*ret_value = *ret_value * 16 + (guint64)g_ascii_xdigit_value(**text);
	return digits > 0 && digits <= 16;
}

void rsp_append_hex(GString *out, const void *bytes, gsize count)
{
	static const char digits[] = "0123456789abcdef";
	const guint8 *byte = bytes;

	for (gsize i = 0; i < count; i++) {
		g_string_append_c(out, digits[byte[i] >> 4]);
		g_string_append_c(out, digits[byte[i] & 15]);
	}
}

void rsp_append_bytes(GByteArray *out, const char *digits)
{
	for (; g_ascii_isxdigit(digits[0]) && g_ascii_isxdigit(digits[1]); digits += 2) {
		guint8 byte = (guint8)(g_ascii_xdigit_value(digits[0]) * 16
		                       + g_ascii_xdigit_value(digits[1]));

		g_byte_array_append(out, &byte, 1);
	}
}
