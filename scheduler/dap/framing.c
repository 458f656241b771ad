#include "framing.h"

#include <string.h>

static const char length_name[] = "content-length:";

/* The end of the header, behind its empty line; 0: it is not there yet. */
static gsize header_end(const GByteArray *buffer)
{
	const gsize most = MIN(buffer->len, FRAMING_HEADER_MOST);

	for (gsize i = 3; i < most; i++)
		if (memcmp(buffer->data + i - 3, "\r\n\r\n", 4) == 0)
			return i + 1;
	return 0;
}

/* Reads one line of the header. Returns what is wrong; NULL: nothing. */
static const char *read_line(const char *line, gint64 *ret_length)
{
	g_autofree char *lower = g_ascii_strdown(line, -1), *digits = NULL;
	guint64 length;

	if (!strchr(line, ':'))
		return "a line of the header has no colon";
	if (!g_str_has_prefix(lower, length_name))
		return NULL; /* Content-Type: there is only one */
	if (*ret_length >= 0)
		return "the header has Content-Length twice";
	digits = g_strstrip(g_strdup(line + strlen(length_name)));
	if (!g_ascii_string_to_unsigned(digits, 10, 0, G_MAXINT32, &length, NULL))
		return "Content-Length is no number of bytes";
	if (length > FRAMING_BODY_MOST)
		return "Content-Length is more than 4 MiB";
	*ret_length = (gint64)length;
	return NULL;
}

static const char *read_header(const GByteArray *buffer, gsize end, gint64 *ret_length)
{
	g_autofree char *text = g_strndup((const char *)buffer->data, end - 4);
	g_auto(GStrv) lines = NULL;
	const char *problem = NULL;

	*ret_length = -1;
	if (strlen(text) != end - 4)
		return "the header has a zero byte";
	lines = g_strsplit(text, "\r\n", -1);
	for (char **line = lines; *line && !problem; line++)
		problem = read_line(*line, ret_length);
	if (!problem && *ret_length < 0)
		problem = "the header has no Content-Length";
	return problem;
}

/* Whether the bytes can be the beginning of a header, so that it is worth waiting for its end. */
static bool may_begin_header(const GByteArray *buffer)
{
	for (guint i = 0; i < MIN(buffer->len, FRAMING_HEADER_MOST); i++) {
		const guint8 byte = buffer->data[i];

		if (byte == ':')
			return true;
		if (!g_ascii_isalnum(byte) && byte != '-')
			return false;
	}
	return true;
}

enum framing_item framing_take(GByteArray *buffer, GString *ret_body, const char **ret_problem)
{
	const gsize begin = header_end(buffer);
	gint64 length;

	g_string_truncate(ret_body, 0);
	*ret_problem = NULL;
	if (!may_begin_header(buffer))
		*ret_problem = "it does not begin with a header";
	else if (begin > 0)
		*ret_problem = read_header(buffer, begin, &length);
	else if (buffer->len >= FRAMING_HEADER_MOST)
		*ret_problem = "its header does not end within 1024 bytes";
	else
		return FRAMING_MORE;
	if (*ret_problem)
		return FRAMING_BROKEN;
	if (buffer->len - begin < (gsize)length)
		return FRAMING_MORE;
	g_string_append_len(ret_body, (const char *)buffer->data + begin, (gssize)length);
	g_byte_array_remove_range(buffer, 0, (guint)(begin + (gsize)length));
	return FRAMING_MESSAGE;
}

void framing_append(GString *out, const char *body, gsize length)
{
	g_string_append_printf(out, "Content-Length: %" G_GSIZE_FORMAT "\r\n\r\n", length);
	g_string_append_len(out, body, (gssize)length);
}

bool framing_is_plain(const char *json)
{
	static const char others[] = " \t\r\n{}[],:+-.\"";
	bool is_in_string = false;
	int depth = 0;

	for (; *json && depth <= FRAMING_DEPTH_MOST; json++) {
		if (*json == '"')
			is_in_string = !is_in_string;
		else if (is_in_string && *json == '\\' && json[1])
			json++;
		else if (!is_in_string && !g_ascii_isalnum(*json) && !strchr(others, *json))
			return false;
		else if (!is_in_string && (*json == '{' || *json == '['))
			depth++;
		else if (!is_in_string && (*json == '}' || *json == ']'))
			depth--;
	}
	return depth <= FRAMING_DEPTH_MOST;
}
