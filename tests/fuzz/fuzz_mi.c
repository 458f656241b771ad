/* Fuzz target: what gdb says. Whatever comes, reading ends, texts are UTF-8, and what is quoted is
 * read as the same line. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "scheduler/gdb/mi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A line of its own, whose text cannot be anything else. */
static void quote(const char *text)
{
	g_autofree char *quoted = mi_quote(text), *line = g_strconcat("~", quoted, NULL);
	struct mi_record record;

	g_assert_null(strpbrk(quoted, "\n\r"));
	g_assert_true(mi_parse(line, &record));
	if (g_utf8_validate(text, -1, NULL))
		g_assert_true(g_utf8_strlen(record.text, -1) == g_utf8_strlen(text, -1));
	mi_record_clear(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *line = g_strndup((const char *)data, size);
	struct mi_record record;

	if (mi_parse(line, &record)) {
		g_assert_true(!record.text || g_utf8_validate(record.text, -1, NULL));
		mi_record_clear(&record);
	}
	quote(line);
	return 0;
}
