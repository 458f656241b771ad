/* Fuzz target: a page's message is one line for the prompt, an interruption, or refused with an
 * error of at most one line. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "scheduler/page/page_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const char *text)
{
	g_assert_true(g_utf8_validate(text, -1, NULL));
	for (const char *at = text; *at; at++)
		g_assert_true((unsigned char)*at >= ' ' && *at != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *bytes = g_strndup("", size + 1); /* separately allocated, with a 0 at its
	                                                   * end */
	g_autofree char *line = NULL, *problem = NULL;
	bool interrupts = false;
	guint32 call = 0;
	int rank = -1;

	if (size > 0)
		memcpy(bytes, data, size);
	if (page_read(bytes, size, 1, &line, &interrupts, &problem)) {
		g_assert_true((line == NULL) == interrupts);
		g_assert_null(problem);
	} else {
		g_assert_null(line);
		g_assert_nonnull(problem);
	}
	if (page_read_look(bytes, size, &rank, &call))
		g_assert_true(rank >= 0 && call > 0 && !line);
	if (line)
		check_line(line);
	if (problem)
		check_line(problem);
	return 0;
}
